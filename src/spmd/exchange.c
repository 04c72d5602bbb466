/* spmd/exchange.c -- collectives between partitions, and what depends on the device: offsets, masks.
 *
 * What a device must know of its place is a table with a number for each device, which it reads at its partition-id: so
 * that any order of devices costs the same. Groups are written as lists: for each setting of the other axes, the
 * devices over the axes given, major first. */
#ifndef XG_SPMD_EXCHANGE_C
#define XG_SPMD_EXCHANGE_C
#include "spmd.h"

XG_FN const xg_shape *xg_spmd_local_shape(
    xg_module *m, const xg_spmd_mesh *mesh, const xg_shape *global, const xg_sharding *s) {
    int64_t dims[XG_RANK_MAX];
    uint32_t d;
    if (!xg_shape_is_array(global) || !s->start[s->rank]) return global;
    for (d = 0; d < global->rank; d++) dims[d] = xg_tile_size(global->dims[d], xg_sharding_tiles(mesh, s, d));
    return xg_shape_array(m, global->type, dims, global->rank, global->dynamic, global->layout);
}

XG_FN xg_inst *xg_spmd_id(xg_spmd *s) {
    if (!s->id) s->id = xg_hb_op(&s->b, XG_PARTITION_ID, xg_shape_scalar(s->m, XLAGPU_U32), NULL, 0);
    return s->id;
}

XG_FN xg_inst *xg_spmd_by_device(xg_spmd *s, const int64_t *numbers) {
    size_t bytes = (size_t)s->mesh.devices * sizeof *numbers;
    int64_t one = 1, k, most = 0;
    xg_spmd_table *t;
    xg_literal *l;
    xlagpu_type type;
    xg_inst *table, *at;
    for (t = s->tables; t; t = t->next)
        if (memcmp(t->numbers, numbers, bytes) == 0) return t->value;
    for (k = 0; k < s->mesh.devices; k++) most = XG_MAX(most, numbers[k] < 0 ? -numbers[k] : numbers[k]);
    type = most > INT32_MAX ? XLAGPU_S64 : XLAGPU_S32;
    for (k = 1; k < s->mesh.devices && numbers[k] == numbers[0]; k++) {}
    t = XG_NEW(s->arena, xg_spmd_table);
    if (k == s->mesh.devices)
        t->value = xg_hb_int(&s->b, type, numbers[0]);
    else {
        l = xg_literal_new(s->m->arena, xg_hb_shape(&s->b, type, &s->mesh.devices, 1));
        for (k = 0; k < s->mesh.devices; k++) xg_literal_set_int(l, k, numbers[k]);
        table = xg_hb_literal(&s->b, l);
        at = xg_spmd_id(s);
        t->value = xg_hb_reshape(&s->b, xg_hb_dynamic_slice(&s->b, table, &at, &one), NULL, 0);
    }
    t->numbers = (const int64_t *)memcpy(xg_alloc(s->arena, bytes), numbers, bytes);
    t->next = s->tables;
    s->tables = t;
    return t->value;
}

/* ---- groups ---- */

/* The devices over the axes, from one that has zeros there. */
XG_FN xg_ints xg_spmd_group(xg_spmd *s, const xg_axes_list *axes, int64_t first, int64_t plus) {
    int64_t size = xg_axes_size(&s->mesh, axes), *ids = XG_NEW_N(s->m->arena, int64_t, size), k, left;
    xg_ints out;
    uint32_t j;
    for (k = 0; k < size; k++) {
        ids[k] = first + plus;
        for (left = k, j = axes->n; j-- > 0; left /= s->mesh.size[axes->p[j]])
            ids[k] += left % s->mesh.size[axes->p[j]] * s->mesh.stride[axes->p[j]];
    }
    out.p = ids;
    out.n = (uint32_t)size;
    return out;
}
/* flat: ids count partitions of all replicas, each of which meets alone. */
XG_FN xg_attr xg_spmd_groups(xg_spmd *s, const xg_axes_list *axes, bool flat) {
    const xg_spmd_mesh *mesh = &s->mesh;
    int64_t replicas = flat ? XG_MAX(s->m->replica_count, (int64_t)1) : 1, d, r;
    xg_groups *g = XG_NEW(s->m->arena, xg_groups);
    xg_ints *lists = XG_NEW_N(s->m->arena, xg_ints, replicas * (mesh->devices / xg_axes_size(mesh, axes)));
    xg_attr a = xg_attr_make(XG_A_replica_groups);
    uint32_t j, k;
    xg_buf text;
    for (r = 0; r < replicas; r++)
        for (d = 0; d < mesh->devices; d++) {
            for (j = 0; j < axes->n && !xg_mesh_digit(mesh, axes->p[j], d); j++) {}
            if (j == axes->n) lists[g->n++] = xg_spmd_group(s, axes, d, r * mesh->devices);
        }
    g->p = lists;
    xg_buf_init(&text, s->m->arena);
    for (k = 0; k < g->n; k++)
        for (j = 0; j < lists[k].n; j++)
            xg_printf(&text, "%s%lld%s",
                j   ? ","
                : k ? ",{"
                    : "{{",
                (long long)lists[k].p[j], j + 1 == lists[k].n ? "}" : "");
    xg_putc(&text, '}');
    g->text = xg_str_of(text.p, text.n);
    a.v.groups = g;
    return a;
}

XG_FN xg_inst *xg_spmd_collective(xg_spmd *s, xg_opcode op, xg_inst *x, const int64_t *dims, const xg_axes_list *axes) {
    xg_inst *i = xg_hb_of(&s->b, op, xg_hb_shape(&s->b, x->shape->type, dims, x->shape->rank), x);
    xg_inst_set_int(i, XG_A_channel_id, s->channel++);
    xg_inst_set_attr(i, xg_spmd_groups(s, axes, op != XG_ALL_TO_ALL));
    if (op != XG_ALL_TO_ALL) xg_inst_set_int(i, XG_A_use_global_device_ids, 1);
    return i;
}
XG_FN xg_inst *xg_spmd_all_gather(xg_spmd *s, xg_inst *x, uint32_t dim, const xg_axes_list *axes) {
    int64_t dims[XG_RANK_MAX], d = dim;
    xg_inst *i;
    memcpy(dims, x->shape->dims, x->shape->rank * sizeof *dims);
    dims[dim] *= xg_axes_size(&s->mesh, axes);
    i = xg_spmd_collective(s, XG_ALL_GATHER, x, dims, axes);
    xg_inst_set_one(i, XG_A_dimensions, d);
    return i;
}
XG_FN xg_inst *xg_spmd_all_reduce(xg_spmd *s, xg_inst *x, const xg_axes_list *axes, xg_comp *by) {
    xg_inst *i;
    if (!axes->n) return x;
    i = xg_spmd_collective(s, XG_ALL_REDUCE, x, x->shape->dims, axes);
    xg_inst_set_comp(i, XG_A_to_apply, by);
    return i;
}
XG_FN xg_inst *xg_spmd_reduce_scatter(xg_spmd *s, xg_inst *x, uint32_t dim, const xg_axes_list *axes, xg_comp *by) {
    int64_t dims[XG_RANK_MAX], d = dim;
    xg_inst *i;
    memcpy(dims, x->shape->dims, x->shape->rank * sizeof *dims);
    dims[dim] /= xg_axes_size(&s->mesh, axes);
    i = xg_spmd_collective(s, XG_REDUCE_SCATTER, x, dims, axes);
    xg_inst_set_one(i, XG_A_dimensions, d);
    xg_inst_set_comp(i, XG_A_to_apply, by);
    return i;
}

/* Device 7 has to send to at most one other, and to get from at most one. */
XG_FN xg_inst *xg_spmd_permute(xg_spmd *s, xg_inst *x, const int64_t *source) {
    int64_t d, n = s->mesh.devices;
    xg_int_lists *lists = XG_NEW(s->m->arena, xg_int_lists);
    xg_ints *pairs = XG_NEW_N(s->m->arena, xg_ints, n);
    xg_attr a = xg_attr_make(XG_A_source_target_pairs);
    xg_inst *i = xg_hb_of(&s->b, XG_COLLECTIVE_PERMUTE, x->shape, x);
    for (d = 0; d < n; d++) {
        int64_t *pair = XG_NEW_N(s->m->arena, int64_t, 2);
        if (source[d] < 0) continue;
        pair[0] = source[d];
        pair[1] = d;
        pairs[lists->n].p = pair;
        pairs[lists->n++].n = 2;
    }
    lists->p = pairs;
    a.v.lists = lists;
    xg_inst_set_attr(i, a);
    xg_inst_set_int(i, XG_A_channel_id, s->channel++);
    return i;
}

/* x on one of the devices that differ in these axes, the scalar value on the others. */
XG_FN xg_inst *xg_spmd_on_first(xg_spmd *s, xg_inst *x, const xg_axes_list *axes, xg_inst *value) {
    int64_t *others = XG_NEW_N(s->arena, int64_t, s->mesh.devices), d;
    xg_inst *mine, *zero;
    uint32_t k;
    for (d = 0; d < s->mesh.devices; d++)
        for (k = 0; k < axes->n; k++) others[d] |= xg_mesh_digit(&s->mesh, axes->p[k], d) != 0;
    mine = xg_spmd_by_device(s, others);
    zero = xg_hb_int_like(&s->b, mine, 0);
    mine = xg_hb_compare(&s->b, "EQ", mine, zero);
    mine = xg_hb_splat(&s->b, mine, x->shape->dims, x->shape->rank);
    value = xg_hb_splat(&s->b, value, x->shape->dims, x->shape->rank);
    return xg_hb_select(&s->b, mine, x, value);
}
XG_FN xg_axes_list xg_axes_of_set(const xg_spmd_mesh *mesh, xg_axis_set set) {
    xg_axes_list l;
    uint32_t k;
    for (l.n = k = 0; k < mesh->n; k++)
        if (set >> k & 1) l.p[l.n++] = (uint8_t)k;
    return l;
}

/* ---- padding ---- */

XG_FN xg_inst *xg_spmd_pad_sides(xg_spmd *s, xg_inst *x, uint32_t dim, int64_t low, int64_t high, xg_inst *value) {
    xg_pad_dim p[XG_RANK_MAX];
    if (!low && !high) return x;
    memset(p, 0, sizeof p);
    p[dim].low = low;
    p[dim].high = high;
    return xg_hb_pad(&s->b, x, value, p);
}
XG_FN xg_inst *xg_spmd_pad_dim(xg_spmd *s, xg_inst *x, uint32_t dim, int64_t to) {
    if (to == x->shape->dims[dim]) return x;
    return xg_spmd_pad_sides(s, x, dim, 0, to - x->shape->dims[dim], xg_hb_zero(&s->b, x->shape->type));
}

/* By device: where its part begins along the dimension. */
XG_FN int64_t *xg_spmd_offsets(xg_spmd *s, const xg_sharding *sharding, uint32_t dim, int64_t step) {
    int64_t *out = XG_NEW_N(s->arena, int64_t, s->mesh.devices), d;
    for (d = 0; d < s->mesh.devices; d++) out[d] = xg_sharding_tile(&s->mesh, sharding, dim, d) * step;
    return out;
}

/* keep where lo <= offset + index < hi along the dimension, else value */
XG_FN xg_inst *xg_spmd_keep(
    xg_spmd *s, xg_inst *x, uint32_t dim, xg_inst *offset, int64_t lo, int64_t hi, xg_inst *value) {
    const xg_shape *shape = x->shape;
    xlagpu_type t = offset->shape->type;
    xg_inst *at = xg_hb_iota(&s->b, t, shape->dims, shape->rank, dim), *in, *limit;
    offset = xg_hb_splat(&s->b, offset, shape->dims, shape->rank);
    at = xg_hb_add(&s->b, at, offset);
    limit = xg_hb_int_like(&s->b, at, hi);
    in = xg_hb_compare(&s->b, "LT", at, limit);
    if (lo != INT64_MIN) {
        xg_inst *least = xg_hb_int_like(&s->b, at, lo), *above = xg_hb_compare(&s->b, "GE", at, least);
        in = xg_hb_2(&s->b, XG_AND, in, above);
    }
    value = xg_hb_splat(&s->b, value, shape->dims, shape->rank);
    return xg_hb_select(&s->b, in, x, value);
}
XG_FN xg_inst *xg_spmd_mask(xg_spmd *s, xg_inst *x, const xg_spmd_value *like, uint32_t dim, xg_inst *value) {
    int64_t n = like->global->dims[dim], t = xg_sharding_tiles(&s->mesh, like->s, dim), size = xg_tile_size(n, t);
    xg_inst *offset;
    if (size * t == n) return x;
    offset = xg_spmd_by_device(s, xg_spmd_offsets(s, like->s, dim, size));
    return xg_spmd_keep(s, x, dim, offset, INT64_MIN, n, value);
}

#endif /* XG_SPMD_EXCHANGE_C */
