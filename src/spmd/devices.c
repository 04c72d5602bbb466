/* spmd/devices.c -- whole arrays and parts of them as values; a partitioned module evaluated on all devices. */
#ifndef XG_SPMD_DEVICES_C
#define XG_SPMD_DEVICES_C
#include "spmd.h"

/* ---- cutting and joining ---- */

/* What no result may depend on: NaN, or the least number, in each element. */
XG_FN void xg_spmd_spoil(xg_literal *l) {
    int64_t k;
    int cls = xg_type_class(l->shape->type);
    for (k = 0; k < l->shape->elements; k++) {
        if (cls == XGT_I)
            xg_literal_set_int(l, k, xg_int_type_min(l->shape->type));
        else if (cls == XGT_P)
            ((unsigned char *)l->data)[k] = k & 1;
        else if (cls == XGT_F)
            xg_literal_set_float(l, k, xg_f64_of_bits(UINT64_C(0x7FF8000000000000)));
        else if (cls == XGT_C) {
            size_t half = (size_t)xg_type_bytes(l->shape->type) / 2;
            char *at = (char *)l->data + (size_t)k * 2 * half;
            if (half == 4) {
                float nan = (float)xg_f64_of_bits(UINT64_C(0x7FF8000000000000));
                memcpy(at, &nan, 4);
                memcpy(at + 4, &nan, 4);
            } else {
                double nan = xg_f64_of_bits(UINT64_C(0x7FF8000000000000));
                memcpy(at, &nan, 8);
                memcpy(at + 8, &nan, 8);
            }
        }
    }
}

/* Copies the elements that a part and the whole array have in common. */
XG_FN void xg_spmd_copy_part(const xg_spmd_mesh *mesh, const xg_sharding *s, int64_t device, const xg_literal *whole,
    xg_literal *part, bool out) {
    const xg_shape *big = whole->shape, *piece = part->shape;
    size_t bytes = (size_t)xg_type_bytes(big->type);
    int64_t at[XG_RANK_MAX], begin[XG_RANK_MAX], n[XG_RANK_MAX], k;
    uint32_t d;
    for (d = 0; d < big->rank; d++) {
        at[d] = 0;
        begin[d] = xg_sharding_tile(mesh, s, d, device) * piece->dims[d];
        n[d] = XG_MIN(piece->dims[d], big->dims[d] - begin[d]);
        if (n[d] <= 0) return;
    }
    for (;;) {
        int64_t from = 0, to = 0;
        for (d = 0; d < big->rank; d++) {
            from = from * big->dims[d] + begin[d] + at[d];
            to = to * piece->dims[d] + at[d];
        }
        if (out)
            memcpy(
                (char *)(uintptr_t)whole->data + (size_t)from * bytes, (char *)part->data + (size_t)to * bytes, bytes);
        else
            memcpy((char *)part->data + (size_t)to * bytes, (const char *)whole->data + (size_t)from * bytes, bytes);
        for (k = (int64_t)big->rank - 1; k >= 0; k--) {
            if (++at[k] < n[k]) break;
            at[k] = 0;
        }
        if (k < 0) return;
    }
}

/* Of an array that is the sum of what devices have, one has it all; the others have zeros. */
XG_FN bool xg_spmd_has_share(const xg_spmd_mesh *mesh, const xg_sharding *s, int64_t device) {
    uint32_t k;
    for (k = 0; k < mesh->n; k++)
        if ((s->unreduced >> k & 1) && xg_mesh_digit(mesh, k, device)) return false;
    return true;
}

XG_FN const xg_literal *xg_spmd_cut_leaves(xg_module *m, xg_arena *a, const xg_spmd_mesh *mesh, const xg_literal *whole,
    const xg_sharding *const *leaves, int64_t *leaf, int64_t device) {
    const xg_sharding *s;
    xg_literal *part;
    if (whole->shape->type == XLAGPU_TUPLE) {
        uint32_t k, n = whole->shape->n_elems;
        const xg_literal **elems = XG_NEW_N(a, const xg_literal *, (size_t)n + 1);
        const xg_shape **shapes = XG_NEW_N(a, const xg_shape *, (size_t)n + 1);
        for (k = 0; k < n; k++) {
            elems[k] = xg_spmd_cut_leaves(m, a, mesh, whole->elems[k], leaves, leaf, device);
            shapes[k] = elems[k]->shape;
        }
        part = XG_NEW(a, xg_literal);
        part->shape = xg_shape_tuple(m, shapes, n);
        part->elems = elems;
        return part;
    }
    s = leaves[(*leaf)++];
    if (!xg_shape_is_array(whole->shape)) return whole;
    if (s->kind != XG_SHARDING_MAXIMAL && !s->start[s->rank] && !s->unreduced) return whole;
    part = xg_literal_new(a, xg_spmd_local_shape(m, mesh, whole->shape, s));
    if (!xg_spmd_has_share(mesh, s, device)) return part;
    xg_spmd_spoil(part);
    if (s->kind != XG_SHARDING_MAXIMAL || s->device == device) xg_spmd_copy_part(mesh, s, device, whole, part, false);
    return part;
}
XG_FN const xg_literal *xg_spmd_cut(xg_module *m, xg_arena *a, const xg_spmd_mesh *mesh, const xg_literal *whole,
    const xg_sharding *const *leaves, int64_t device) {
    int64_t leaf = 0;
    return xg_spmd_cut_leaves(m, a, mesh, whole, leaves, &leaf, device);
}

XG_FN void xg_spmd_add_literal(xg_literal *sum, const xg_literal *x) {
    int64_t k, a, b;
    int cls = xg_type_class(sum->shape->type);
    for (k = 0; k < sum->shape->elements; k++) {
        if (cls == XGT_F)
            xg_literal_set_float(sum, k, xg_literal_get_float(sum, k) + xg_literal_get_float(x, k));
        else if (cls == XGT_C && xg_type_bytes(sum->shape->type) == 8) {
            ((float *)sum->data)[2 * k] += ((const float *)x->data)[2 * k];
            ((float *)sum->data)[2 * k + 1] += ((const float *)x->data)[2 * k + 1];
        } else if (cls == XGT_C) {
            ((double *)sum->data)[2 * k] += ((const double *)x->data)[2 * k];
            ((double *)sum->data)[2 * k + 1] += ((const double *)x->data)[2 * k + 1];
        } else if (cls == XGT_P)
            ((unsigned char *)sum->data)[k] |= ((const unsigned char *)x->data)[k];
        else if (xg_literal_get_int(sum, k, &a) && xg_literal_get_int(x, k, &b))
            xg_literal_set_int(sum, k, (int64_t)((uint64_t)a + (uint64_t)b));
    }
}
/* For each setting of the axes along which devices have parts of a sum, the array of those devices; the sum of them. */
XG_FN void xg_spmd_join_sum(
    xg_arena *a, const xg_spmd_mesh *mesh, xg_literal *whole, const xg_literal *const *parts, const xg_sharding *s) {
    xg_axes_list sums = xg_axes_of_set(mesh, s->unreduced);
    int64_t n = xg_axes_size(mesh, &sums), k, d;
    for (k = 0; k < n; k++) {
        xg_literal *one = k ? xg_literal_new(a, whole->shape) : whole;
        for (d = 0; d < mesh->devices; d++)
            if (xg_halo_tile(mesh, &sums, d) == k)
                xg_spmd_copy_part(mesh, s, d, one, (xg_literal *)(uintptr_t)parts[d], true);
        if (k) xg_spmd_add_literal(whole, one);
    }
}
/* Of an array with dimensions of no fixed size, which are never split: as the first part has them. */
XG_FN const xg_shape *xg_spmd_joined_shape(xg_module *m, const xg_shape *shape, const xg_literal *part) {
    int64_t dims[XG_RANK_MAX];
    uint32_t d;
    if (!shape->dynamic) return shape;
    for (d = 0; d < shape->rank; d++)
        dims[d] = shape->dynamic[d] == XG_DIM_STATIC ? shape->dims[d] : part->shape->dims[d];
    return xg_shape_array(m, shape->type, dims, shape->rank, NULL, shape->layout);
}
XG_FN const xg_literal *xg_spmd_join_leaves(xg_module *m, xg_arena *a, const xg_spmd_mesh *mesh, const xg_shape *shape,
    const xg_literal *const *parts, const xg_sharding *const *leaves, int64_t *leaf) {
    xg_literal *whole;
    int64_t d;
    if (shape->type == XLAGPU_TUPLE) {
        uint32_t k;
        const xg_literal **elems = XG_NEW_N(a, const xg_literal *, (size_t)shape->n_elems + 1),
                         **in = XG_NEW_N(a, const xg_literal *, mesh->devices);
        for (k = 0; k < shape->n_elems; k++) {
            for (d = 0; d < mesh->devices; d++) in[d] = parts[d]->elems[k];
            elems[k] = xg_spmd_join_leaves(m, a, mesh, shape->elems[k], in, leaves, leaf);
        }
        whole = XG_NEW(a, xg_literal);
        whole->shape = shape;
        whole->elems = elems;
        return whole;
    }
    if (!xg_shape_is_array(shape)) return parts[0];
    whole = xg_literal_new(a, xg_spmd_joined_shape(m, shape, parts[0]));
    if (leaves[*leaf]->unreduced) {
        xg_spmd_join_sum(a, mesh, whole, parts, leaves[*leaf]);
        ++*leaf;
        return whole;
    }
    for (d = 0; d < mesh->devices; d++)
        xg_spmd_copy_part(mesh, leaves[*leaf], d, whole, (xg_literal *)(uintptr_t)parts[d], true);
    ++*leaf;
    return whole;
}
XG_FN const xg_literal *xg_spmd_join(xg_module *m, xg_arena *a, const xg_spmd_mesh *mesh, const xg_shape *shape,
    const xg_literal *const *parts, const xg_sharding *const *leaves) {
    int64_t leaf = 0;
    return xg_spmd_join_leaves(m, a, mesh, shape, parts, leaves, &leaf);
}

/* ---- a module on all devices ---- */

XG_FN xg_spmd_job xg_spmd_job_of(xg_module *whole, xg_arena *a) {
    xg_spmd_job job;
    xg_spmd_mesh *mesh = XG_NEW(a, xg_spmd_mesh);
    const xg_sharding *const **params = XG_NEW_N(a, const xg_sharding *const *, (size_t)whole->entry->n_params + 1);
    xg_spmd s;
    uint32_t k;
    memset(&s, 0, sizeof s);
    s.m = whole;
    s.arena = a;
    s.mesh = *mesh = xg_mesh_of_module(whole);
    for (k = 0; k < whole->entry->n_params; k++) params[k] = xg_spmd_promised(&s, whole->entry->params[k]);
    job.mesh = mesh;
    job.params = params;
    job.results = xg_spmd_promised(&s, whole->entry->root);
    job.shape = whole->entry->root->shape;
    return job;
}

XG_FN const xg_literal *xg_spmd_eval(const xg_spmd_job *job, xg_module *parts, xg_arena *a,
    const xg_literal *const *args, uint32_t n, const xg_eval_options *o) {
    uint32_t partitions = (uint32_t)job->mesh->devices, devices, d, k;
    const xg_literal *const **rows, *const *results;
    devices = partitions * (uint32_t)XG_MAX(parts->replica_count, (int64_t)1);
    rows = XG_NEW_N(a, const xg_literal *const *, devices);
    for (d = 0; d < partitions; d++) {
        const xg_literal **row = XG_NEW_N(a, const xg_literal *, (size_t)n + 1);
        for (k = 0; k < n; k++) row[k] = xg_spmd_cut(parts, a, job->mesh, args[k], job->params[k], d);
        rows[d] = row;
    }
    for (; d < devices; d++) rows[d] = rows[d - partitions]; /* each replica has the same arguments */
    results = xg_eval_replicas(parts, a, rows, n, devices, o);
    return xg_spmd_join(parts, a, job->mesh, job->shape, results, job->results);
}

/* ---- what is sent ---- */

XG_FN double xg_spmd_shape_bytes(const xg_shape *s) {
    double n = 0;
    uint32_t k;
    if (s->type == XLAGPU_TUPLE) {
        for (k = 0; k < s->n_elems; k++) n += xg_spmd_shape_bytes(s->elems[k]);
        return n;
    }
    return xg_shape_is_array(s) ? (double)s->elements * xg_type_bits(s->type) / 8 : 0;
}

XG_FN xg_spmd_traffic xg_spmd_traffic_of(const xg_module *m) {
    xg_spmd_traffic t;
    const xg_comp *c;
    memset(&t, 0, sizeof t);
    for (c = m->first; c; c = c->next)
        XG_FOR_INSTS(i, c) {
            const xg_attr *a = xg_inst_attr(i, XG_A_replica_groups);
            double g = a && a->v.groups->n ? a->v.groups->p[0].n : (double)m->num_partitions, in = 0;
            uint32_t k;
            if (!(xg_op_flags(i->op) & XGF_COLL) || (xg_op_flags(i->op) & XGF_DONE)) continue;
            for (k = 0; k < i->n_operands; k++) in += xg_spmd_shape_bytes(XG_OPERAND(i, k)->shape);
            t.collectives++;
            switch (i->op) {
            case XG_ALL_GATHER:
            case XG_ALL_GATHER_START: t.bytes += in * (g - 1); break;
            case XG_ALL_REDUCE:
            case XG_ALL_REDUCE_START: t.bytes += 2 * in * (g - 1) / g; break;
            case XG_REDUCE_SCATTER:
            case XG_ALL_TO_ALL: t.bytes += in * (g - 1) / g; break;
            default: t.bytes += in; break;
            }
        }
    return t;
}

#endif /* XG_SPMD_DEVICES_C */
