/* spmd/local.c -- an instruction on the parts that its operands are: what each device computes.
 *
 * Most instructions stay what they are, with smaller shapes. Elements beyond the end of an uneven part have no defined
 * value: whoever combines elements of a dimension replaces them first by what changes nothing. Indices into a dimension
 * that is split are counted from where the device's part begins. */
#ifndef XG_SPMD_LOCAL_C
#define XG_SPMD_LOCAL_C
#include "spmd.h"

/* An instruction at work. */
typedef struct xg_local {
    xg_spmd *s;
    const xg_inst *i;
    const xg_spmd_rule *r;
    const xg_assignment *x;
    xg_spmd_value *const *operands;
    xg_inst **in; /* their instructions, to be replaced by masked ones */
} xg_local;

XG_FN const xg_shape *xg_local_tree(xg_local *l, const xg_shape *global, uint32_t *leaf) {
    const xg_shape **elems;
    uint32_t k;
    if (global->type != XLAGPU_TUPLE)
        return xg_spmd_local_shape(
            l->s->m, &l->s->mesh, global, xg_assigned(l->s->arena, l->r, l->x, l->r->n_operands + (*leaf)++));
    elems = XG_NEW_N(l->s->arena, const xg_shape *, (size_t)global->n_elems + 1);
    for (k = 0; k < global->n_elems; k++) elems[k] = xg_local_tree(l, global->elems[k], leaf);
    return xg_shape_tuple(l->s->m, elems, global->n_elems);
}

/* The same instruction with the shape that its parts have. */
XG_FN xg_inst *xg_local_clone(xg_local *l) {
    uint32_t leaf = 0;
    xg_inst *i = xg_inst_clone((xg_inst *)(uintptr_t)l->i, l->s->b.comp, l->in, NULL);
    i->shape = xg_local_tree(l, l->i->shape, &leaf);
    xg_inst_remove_attr(i, XG_A_sharding);
    return i;
}

XG_FN bool xg_local_is_split(const xg_local *l, uint32_t operand, uint32_t dim) {
    return xg_sharding_tiles(&l->s->mesh, l->operands[operand]->s, dim) > 1;
}
XG_FN int64_t xg_local_size(const xg_local *l, uint32_t operand, uint32_t dim) {
    return l->operands[operand]->local->shape->dims[dim];
}
/* Where the device's part of an operand begins. */
XG_FN xg_inst *xg_local_offset(xg_local *l, uint32_t operand, uint32_t dim) {
    return xg_spmd_by_device(l->s, xg_spmd_offsets(l->s, l->operands[operand]->s, dim, xg_local_size(l, operand, dim)));
}
XG_FN void xg_local_mask(xg_local *l, uint32_t operand, uint32_t dim, xg_inst *value) {
    l->in[operand] = xg_spmd_mask(l->s, l->in[operand], l->operands[operand], dim, value);
}

/* What the operation combines with without an effect. */
XG_FN xg_inst *xg_spmd_neutral(xg_spmd *s, int op, xlagpu_type t) {
    int cls = xg_type_class(t);
    bool low = op == XG_MAXIMUM;
    if (op == XG_MULTIPLY) return xg_hb_int(&s->b, t, 1);
    if (op == XG_AND) return cls == XGT_P ? xg_hb_int(&s->b, t, 1) : xg_hb_int(&s->b, t, xg_type_signed(t) ? -1 : 0);
    if (op == XG_MAXIMUM || op == XG_MINIMUM) {
        if (cls == XGT_P) return xg_hb_int(&s->b, t, low ? 0 : 1);
        if (cls == XGT_I) return xg_hb_int(&s->b, t, low ? xg_int_type_min(t) : (int64_t)xg_int_type_max(t));
        return xg_hb_float(&s->b, t, low ? -HUGE_VAL : HUGE_VAL);
    }
    return cls == XGT_F ? xg_hb_float(&s->b, t, -0.0) : xg_hb_int(&s->b, t, 0);
}

/* ---- products ---- */

XG_FN void xg_local_mask_zero(xg_local *l, uint32_t operand, uint32_t dim) {
    if (!xg_local_is_split(l, operand, dim)) return;
    xg_local_mask(l, operand, dim, xg_hb_int(&l->s->b, l->in[operand]->shape->type, 0));
}
XG_FN xg_inst *xg_local_dot(xg_local *l) {
    xg_dot_dims d = xg_dot_dims_of(l->i);
    uint32_t k;
    for (k = 0; k < d.lc.n; k++) {
        xg_local_mask_zero(l, 0, (uint32_t)d.lc.p[k]);
        xg_local_mask_zero(l, 1, (uint32_t)d.rc.p[k]);
    }
    return xg_local_clone(l);
}

XG_FN int64_t xg_local_groups(const xg_local *l, xg_attr_key key, uint32_t factor) {
    return xg_attr_int(l->i, key, 1) / xg_axes_size(&l->s->mesh, &l->x->factors[factor]);
}
XG_FN xg_inst *xg_local_convolution(xg_local *l) {
    const xg_dim_labels *d = xg_inst_attr(l->i, XG_A_dim_labels)->v.labels;
    int64_t groups = xg_local_groups(l, XG_A_feature_group_count, 0),
            batches = xg_local_groups(l, XG_A_batch_group_count, 1);
    xg_inst *i;
    xg_local_mask_zero(l, 0, (uint32_t)d->input_feature);
    xg_local_mask_zero(l, 1, (uint32_t)d->kernel_input);
    i = xg_local_clone(l);
    if (groups != xg_attr_int(l->i, XG_A_feature_group_count, 1))
        xg_inst_set_attr(i, xg_attr_make_int(XG_A_feature_group_count, groups));
    if (batches != xg_attr_int(l->i, XG_A_batch_group_count, 1))
        xg_inst_set_attr(i, xg_attr_make_int(XG_A_batch_group_count, batches));
    return i;
}

/* ---- reductions ---- */

/* Where devices combine their results and the init value would be taken in by each of them, they start from the neutral
 * element, and it comes in once, behind. */
XG_FN bool xg_local_starts_neutral(const xg_inst *i, const xg_axes_list *sums, xg_arena *a) {
    return i->op == XG_REDUCE && sums->n && xg_reducer_start_of(i, a) == XG_REDUCER_FROM_NEUTRAL;
}
XG_FN xg_inst *xg_local_reduce(xg_local *l) {
    xg_ints dims = xg_attr_ints(l->i, XG_A_dimensions);
    xg_axes_list sums = xg_assigned_sums(l->r, l->x);
    uint32_t n = l->i->n_operands / 2, k, d;
    if (xg_local_starts_neutral(l->i, &sums, l->s->arena))
        l->in[1] = xg_spmd_neutral(l->s, (int)xg_attr_comp(l->i, XG_A_to_apply)->root->op, l->in[1]->shape->type);
    for (k = 0; k < n; k++)
        for (d = 0; d < dims.n; d++)
            if (xg_local_is_split(l, k, (uint32_t)dims.p[d])) xg_local_mask(l, k, (uint32_t)dims.p[d], l->in[n + k]);
    return xg_local_clone(l);
}

/* ---- moves ---- */

XG_FN xg_inst *xg_local_iota(xg_local *l) {
    xg_inst *i = xg_local_clone(l), *offset;
    uint32_t d = (uint32_t)xg_attr_int(i, XG_A_iota_dimension, 0);
    xg_sharding *s = xg_assigned(l->s->arena, l->r, l->x, 0);
    if (xg_sharding_tiles(&l->s->mesh, s, d) == 1) return i;
    offset = xg_spmd_by_device(l->s, xg_spmd_offsets(l->s, s, d, i->shape->dims[d]));
    offset = xg_hb_convert(&l->s->b, offset, i->shape->type);
    offset = xg_hb_splat(&l->s->b, offset, i->shape->dims, i->shape->rank);
    return xg_hb_2(&l->s->b, XG_ADD, i, offset);
}
/* Split dimensions are taken whole. */
XG_FN xg_inst *xg_local_slice(xg_local *l) {
    const xg_slices *s = xg_inst_attr(l->i, XG_A_slice)->v.slices;
    xg_slice_dim dims[XG_RANK_MAX];
    uint32_t d;
    for (d = 0; d < s->n; d++) {
        dims[d] = s->p[d];
        if (xg_local_is_split(l, 0, d)) dims[d].limit = xg_local_size(l, 0, d);
    }
    return xg_hb_slice(&l->s->b, l->in[0], dims);
}

XG_FN xg_inst *xg_local_clamp(xg_local *l, xg_inst *x, int64_t lo, int64_t hi) {
    xg_inst *in[3];
    in[0] = xg_hb_int_like(&l->s->b, x, lo);
    in[1] = x;
    in[2] = xg_hb_int_like(&l->s->b, x, hi);
    return xg_hb_done(xg_hb_op(&l->s->b, XG_CLAMP, x->shape, in, 3));
}
XG_FN xg_inst *xg_local_wide(xg_local *l, xg_inst *x) { /* room for sums with offsets */
    return xg_hb_convert(&l->s->b, x, xg_type_bits(x->shape->type) > 31 ? XLAGPU_S64 : XLAGPU_S32);
}
/* A place of u elements along a dimension, as dynamic slices have it, counted from the device's part. */
XG_FN xg_inst *xg_local_start(xg_local *l, uint32_t operand, uint32_t dim, int64_t u, xg_inst *start) {
    xg_inst *offset = xg_local_offset(l, operand, dim);
    start = xg_local_clamp(l, xg_local_wide(l, start), 0, l->operands[operand]->global->dims[dim] - u);
    offset = xg_hb_convert(&l->s->b, offset, start->shape->type);
    return xg_hb_2(&l->s->b, XG_SUBTRACT, start, offset);
}
/* In an array with u elements more on both sides. */
XG_FN xg_inst *xg_local_start_padded(xg_local *l, xg_inst *start, int64_t size, int64_t u) {
    xg_inst *more = xg_hb_int_like(&l->s->b, start, u);
    return xg_local_clamp(l, xg_hb_2(&l->s->b, XG_ADD, start, more), 0, size + u);
}

/* Of a dimension that is split and sliced, each device takes what it has, and what changes no sum for the rest. */
XG_FN xg_inst *xg_local_dynamic_slice(xg_local *l) {
    const xg_shape *in = l->i->shape;
    xg_inst *x = l->in[0], *starts[XG_RANK_MAX], *from[XG_RANK_MAX];
    int64_t sizes[XG_RANK_MAX];
    uint32_t d;
    for (d = 0; d < in->rank; d++) {
        bool split = xg_local_is_split(l, 0, d), whole = in->dims[d] == l->operands[0]->global->dims[d];
        sizes[d] = whole ? xg_local_size(l, 0, d) : in->dims[d];
        from[d] = NULL;
        starts[d] = xg_local_wide(l, l->in[1 + d]);
        if (!split || whole) continue;
        from[d] = xg_local_start(l, 0, d, sizes[d], l->in[1 + d]);
        starts[d] = xg_local_start_padded(l, from[d], xg_local_size(l, 0, d), sizes[d]);
        x = xg_spmd_pad_sides(l->s, x, d, sizes[d], sizes[d], xg_hb_int(&l->s->b, x->shape->type, 0));
    }
    for (d = 0; d < in->rank; d++) starts[d] = xg_hb_convert(&l->s->b, starts[d], XLAGPU_S64);
    x = xg_hb_dynamic_slice(&l->s->b, x, starts, sizes);
    for (d = 0; d < in->rank; d++)
        if (from[d])
            x = xg_spmd_keep(
                l->s, x, d, from[d], 0, xg_local_size(l, 0, d), xg_spmd_neutral(l->s, XG_ADD, x->shape->type));
    return x;
}
/* An update may lie across the ends of a part: it is put into a part with room on both sides, which is cut off again.
 */
XG_FN xg_inst *xg_local_dynamic_update_slice(xg_local *l) {
    const xg_shape *out = l->i->shape;
    xg_inst *x = l->in[0], *starts[XG_RANK_MAX];
    bool padded[XG_RANK_MAX];
    uint32_t d;
    for (d = 0; d < out->rank; d++) {
        int64_t u = l->in[1]->shape->dims[d];
        padded[d] = xg_local_is_split(l, 0, d) && !xg_local_is_split(l, 1, d) &&
                    l->operands[1]->global->dims[d] != out->dims[d];
        starts[d] = xg_local_wide(l, l->in[2 + d]);
        if (!padded[d]) continue;
        starts[d] = xg_local_start(l, 0, d, u, l->in[2 + d]);
        starts[d] = xg_local_start_padded(l, starts[d], xg_local_size(l, 0, d), u);
        x = xg_spmd_pad_sides(l->s, x, d, u, u, xg_hb_int(&l->s->b, x->shape->type, 0));
    }
    for (d = 0; d < out->rank; d++) starts[d] = xg_hb_convert(&l->s->b, starts[d], XLAGPU_S64);
    x = xg_hb_dynamic_update_slice(&l->s->b, x, l->in[1], starts);
    for (d = 0; d < out->rank; d++)
        if (padded[d]) {
            int64_t u = l->in[1]->shape->dims[d];
            x = xg_hb_slice_dim(&l->s->b, x, d, u, u + xg_local_size(l, 0, d));
        }
    return x;
}

/* ---- by index ---- */

/* A vector with a number for each component of an index, in the shape of the indices. */
XG_FN xg_inst *xg_local_by_component(xg_local *l, const xg_windows *w, xg_inst *like, xg_inst *const *numbers) {
    xg_inst **parts = XG_NEW_N(l->s->arena, xg_inst *, (size_t)w->n_starts + 1), *all;
    int64_t one = 1, dim = w->vector_dim;
    uint32_t k;
    for (k = 0; k < w->n_starts; k++) {
        parts[k] = xg_hb_convert(&l->s->b, numbers[k], like->shape->type);
        if (dim < like->shape->rank) parts[k] = xg_hb_reshape(&l->s->b, parts[k], &one, 1);
    }
    if (dim >= like->shape->rank) return xg_hb_splat(&l->s->b, parts[0], like->shape->dims, like->shape->rank);
    all = w->n_starts > 1 ? xg_hb_concat(&l->s->b, parts, w->n_starts, 0) : parts[0];
    return xg_hb_broadcast(&l->s->b, all, like->shape->dims, like->shape->rank, &dim, 1);
}

/* Indices that count from where the parts of operand 0 begin, in the dimensions that are split and indexed; *at: which
 * of them those are, by component. clamp: first into the whole array, as gathers do. */
XG_FN xg_inst *xg_local_indices(xg_local *l, const xg_windows *w, xg_inst *indices, bool clamp, int32_t *at) {
    xg_inst **offset = XG_NEW_N(l->s->arena, xg_inst *, (size_t)w->n_starts + 1),
            **most = XG_NEW_N(l->s->arena, xg_inst *, (size_t)w->n_starts + 1), *vector;
    bool any = false;
    uint32_t d, k;
    for (k = 0; k < w->n_starts; k++) at[k] = -1;
    for (d = 0; d < w->whole->rank; d++) {
        if (w->start[d] < 0) continue;
        k = (uint32_t)w->start[d];
        most[k] = xg_hb_int(&l->s->b, XLAGPU_S64, w->whole->dims[d] - w->size[d]);
        if (w->inside[d] >= 0 || !xg_local_is_split(l, 0, d)) continue;
        at[k] = (int32_t)d;
        any = true;
    }
    if (!any) return indices;
    indices = xg_local_wide(l, indices);
    for (k = 0; k < w->n_starts; k++)
        offset[k] = at[k] < 0 ? xg_hb_int(&l->s->b, XLAGPU_S32, 0) : xg_local_offset(l, 0, (uint32_t)at[k]);
    if (clamp) {
        xg_inst *in[3];
        in[0] = xg_hb_int_like(&l->s->b, indices, 0);
        in[1] = indices;
        in[2] = xg_local_by_component(l, w, indices, most);
        indices = xg_hb_done(xg_hb_op(&l->s->b, XG_CLAMP, indices->shape, in, 3));
    }
    vector = xg_local_by_component(l, w, indices, offset);
    return xg_hb_2(&l->s->b, XG_SUBTRACT, indices, vector);
}

/* One component of the indices, without the dimension that has them. */
XG_FN xg_inst *xg_local_component(xg_local *l, const xg_windows *w, xg_inst *indices, uint32_t k) {
    int64_t dims[XG_RANK_MAX];
    uint32_t d, n = 0;
    if (w->vector_dim >= indices->shape->rank) return indices;
    for (d = 0; d < indices->shape->rank; d++)
        if ((int64_t)d != w->vector_dim) dims[n++] = indices->shape->dims[d];
    indices = xg_hb_slice_dim(&l->s->b, indices, (uint32_t)w->vector_dim, k, (int64_t)k + 1);
    return xg_hb_reshape(&l->s->b, indices, dims, n);
}

XG_FN xg_inst *xg_local_gather(xg_local *l) {
    xg_windows w = xg_windows_of(l->i);
    int32_t *at = XG_NEW_N(l->s->arena, int32_t, (size_t)w.n_starts + 1);
    int64_t sizes[XG_RANK_MAX], places[XG_RANK_MAX];
    xg_inst *indices = l->in[1] = xg_local_indices(l, &w, l->in[1], true, at), *i;
    uint32_t d, k;
    i = xg_local_clone(l);
    for (d = 0; d < w.whole->rank; d++)
        sizes[d] = w.inside[d] >= 0 && xg_local_is_split(l, 0, d) ? xg_local_size(l, 0, d) : w.size[d];
    xg_inst_set_attr(i, xg_attr_make_ints(l->s->m, XG_A_slice_sizes, sizes, w.whole->rank));
    for (k = 0; k < w.n_positions; k++) places[k] = w.position[k];
    for (k = 0; k < w.n_starts; k++) {
        xg_inst *c, *low, *high, *in, *zero, *size, *neutral;
        if (at[k] < 0) continue;
        c = xg_local_component(l, &w, indices, k);
        zero = xg_hb_int_like(&l->s->b, c, 0);
        size = xg_hb_int_like(&l->s->b, c, xg_local_size(l, 0, (uint32_t)at[k]));
        low = xg_hb_compare(&l->s->b, "GE", c, zero);
        high = xg_hb_compare(&l->s->b, "LT", c, size);
        in = xg_hb_2(&l->s->b, XG_AND, low, high);
        in = xg_hb_broadcast(&l->s->b, in, i->shape->dims, i->shape->rank, places, w.n_positions);
        neutral = xg_spmd_neutral(l->s, XG_ADD, i->shape->type);
        neutral = xg_hb_splat(&l->s->b, neutral, i->shape->dims, i->shape->rank);
        i = xg_hb_select(&l->s->b, in, i, neutral);
    }
    return i;
}

/* Where updates are split, one device starts from the operand and the others from the neutral element. */
XG_FN xg_inst *xg_local_scatter(xg_local *l) {
    xg_windows w = xg_windows_of(l->i);
    uint32_t n = l->i->n_operands / 2, k, p;
    int32_t *at = XG_NEW_N(l->s->arena, int32_t, (size_t)w.n_starts + 1);
    xg_axes_list sums = xg_assigned_sums(l->r, l->x);
    l->in[n] = xg_local_indices(l, &w, l->in[n], false, at);
    if (sums.n) {
        int op = xg_reducer_opcode(xg_attr_comp(l->i, XG_A_to_apply));
        int64_t *first = XG_NEW_N(l->s->arena, int64_t, l->s->mesh.devices), d;
        xg_inst *neutral = xg_spmd_neutral(l->s, op, l->in[0]->shape->type), *mine, *splat, *zero;
        for (p = 0; p < w.n_positions; p++)
            if (xg_local_is_split(l, n + 1, w.position[p])) xg_local_mask(l, n + 1, w.position[p], neutral);
        for (d = 0; d < l->s->mesh.devices; d++)
            for (k = 0; k < sums.n; k++) first[d] |= xg_mesh_digit(&l->s->mesh, sums.p[k], d) != 0;
        mine = xg_spmd_by_device(l->s, first);
        zero = xg_hb_int_like(&l->s->b, mine, 0);
        mine = xg_hb_compare(&l->s->b, "EQ", mine, zero);
        mine = xg_hb_splat(&l->s->b, mine, l->in[0]->shape->dims, l->in[0]->shape->rank);
        splat = xg_hb_splat(&l->s->b, neutral, l->in[0]->shape->dims, l->in[0]->shape->rank);
        l->in[0] = xg_hb_select(&l->s->b, mine, l->in[0], splat);
    }
    return xg_local_clone(l);
}

XG_FN xg_inst *xg_spmd_local(
    xg_spmd *s, const xg_inst *i, const xg_spmd_rule *r, const xg_assignment *x, xg_spmd_value *const *operands) {
    xg_local l;
    uint32_t k;
    l.s = s;
    l.i = i;
    l.r = r;
    l.x = x;
    l.operands = operands;
    l.in = XG_NEW_N(s->arena, xg_inst *, (size_t)i->n_operands + 1);
    for (k = 0; k < i->n_operands; k++) l.in[k] = operands[k]->local;
    switch (i->op) {
    case XG_DOT: return xg_local_dot(&l);
    case XG_CONVOLUTION: return xg_local_convolution(&l);
    case XG_REDUCE: return xg_local_reduce(&l);
    case XG_IOTA: return xg_local_iota(&l);
    case XG_SLICE: return xg_local_slice(&l);
    case XG_DYNAMIC_SLICE: return xg_local_dynamic_slice(&l);
    case XG_DYNAMIC_UPDATE_SLICE: return xg_local_dynamic_update_slice(&l);
    case XG_GATHER: return xg_local_gather(&l);
    case XG_SCATTER: return xg_local_scatter(&l);
    default: return xg_local_clone(&l);
    }
}

#endif /* XG_SPMD_LOCAL_C */
