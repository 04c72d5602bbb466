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

/* An operand becomes what the device needs along a dimension: its range, `value` where there are no elements (NULL:
 * anything). false: that is its part. */
XG_FN bool xg_local_reach(xg_local *l, uint32_t operand, uint32_t dim, xg_inst *value) {
    xg_spmd *s = l->s;
    xg_axes_list axes = xg_sharding_axes_of(l->operands[operand]->s, dim);
    int64_t *phase, d;
    bool outside = false;
    xg_halo_reach g;
    xg_halo h;
    xg_inst *x;
    if (!xg_halo_reach_of(s->arena, &s->mesh, l->i, l->r, l->x, operand, dim, &g)) return false;
    h = xg_halo_reach_halo(s->arena, &s->mesh, &g, dim, &axes);
    x = xg_spmd_halo(s, l->in[operand], &h);
    for (d = 0; d < s->mesh.devices; d++) outside = outside || h.begin[d] < 0 || h.begin[d] + h.size > g.n;
    if (outside && value) x = xg_spmd_keep(s, x, dim, xg_spmd_by_device(s, h.begin), 0, g.n, value);
    if (g.dilation > 1) {
        xg_pad_dim p[XG_RANK_MAX];
        memset(p, 0, sizeof p);
        p[dim].interior = g.dilation - 1;
        x = xg_hb_pad(&s->b, x, value, p);
        phase = XG_NEW_N(s->arena, int64_t, s->mesh.devices);
        for (d = 0; d < s->mesh.devices; d++) phase[d] = g.begin[d] - h.begin[d] * g.dilation;
        x = xg_spmd_take(s, x, dim, phase, g.size, value);
    }
    l->in[operand] = x;
    return true;
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
    return cls == XGT_F ? xg_hb_float(&s->b, t, -0.0) : xg_hb_zero(&s->b, t);
}

/* ---- products ---- */

XG_FN void xg_local_mask_zero(xg_local *l, uint32_t operand, uint32_t dim) {
    if (!xg_local_is_split(l, operand, dim)) return;
    xg_local_mask(l, operand, dim, xg_hb_zero(&l->s->b, l->in[operand]->shape->type));
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

/* The window attribute, to be changed. */
XG_FN xg_window_dim *xg_local_window(xg_local *l) {
    const xg_attr *a = xg_inst_attr(l->i, XG_A_window);
    uint32_t n = a ? a->v.window->n : 0;
    xg_window_dim *w = XG_NEW_N(l->s->arena, xg_window_dim, (size_t)n + 1);
    if (n) memcpy(w, a->v.window->p, n * sizeof *w);
    return w;
}
XG_ONE_COPY XG_FN void xg_local_window_taken(xg_window_dim *w) { /* its padding is in the range already */
    w->pad_low = w->pad_high = 0;
    w->base_dilation = 1;
}
XG_FN void xg_local_set_window(xg_inst *i, const xg_window_dim *w, uint32_t n) {
    xg_attr a = xg_attr_make(XG_A_window);
    xg_window *to = XG_NEW(i->comp->module->arena, xg_window);
    xg_window_dim *dims = XG_NEW_N(i->comp->module->arena, xg_window_dim, (size_t)n + 1);
    memcpy(dims, w, n * sizeof *w);
    to->n = n;
    to->p = dims;
    a.v.window = to;
    xg_inst_set_attr(i, a);
}

XG_FN int64_t xg_local_groups(const xg_local *l, xg_attr_key key, uint32_t factor) {
    return xg_tile_size(xg_attr_or_1(l->i, key), xg_axes_size(&l->s->mesh, &l->x->factors[factor]));
}
XG_FN xg_inst *xg_local_convolution(xg_local *l) {
    const xg_dim_labels *d = xg_inst_attr(l->i, XG_A_dim_labels)->v.labels;
    int64_t groups = xg_local_groups(l, XG_A_feature_group_count, 0),
            batches = xg_local_groups(l, XG_A_batch_group_count, 1);
    const xg_attr *a = xg_inst_attr(l->i, XG_A_window);
    xg_window_dim *w = xg_local_window(l);
    xg_inst *i;
    uint32_t k;
    xg_local_mask_zero(l, 0, (uint32_t)d->input_feature);
    xg_local_mask_zero(l, 1, (uint32_t)d->kernel_input);
    for (k = 0; a && k < d->input_spatial.n; k++) {
        uint32_t by = (uint32_t)d->kernel_spatial.p[k];
        xg_local_mask_zero(l, 1, by);
        if (xg_local_reach(l, 0, (uint32_t)d->input_spatial.p[k], xg_hb_zero(&l->s->b, l->in[0]->shape->type)))
            xg_local_window_taken(&w[k]);
        w[k].size = xg_local_size(l, 1, by);
    }
    i = xg_local_clone(l);
    if (a) xg_local_set_window(i, w, d->input_spatial.n);
    if (groups != xg_attr_or_1(l->i, XG_A_feature_group_count)) xg_inst_set_int(i, XG_A_feature_group_count, groups);
    if (batches != xg_attr_or_1(l->i, XG_A_batch_group_count)) xg_inst_set_int(i, XG_A_batch_group_count, batches);
    return i;
}

/* ---- reductions ---- */

/* Where devices combine their results and the init value would be taken in by each of them, they start from the neutral
 * element, and it comes in once, behind. */
XG_FN bool xg_local_starts_neutral(const xg_inst *i, const xg_axes_list *sums, xg_arena *a) {
    return i->op == XG_REDUCE && sums->n && xg_reducer_start_of(i, a) == XG_REDUCER_FROM_NEUTRAL;
}
XG_FN xg_inst *xg_local_reduce(xg_local *l) {
    xg_ints dims = xg_attr_dims(l->i);
    xg_axes_list sums = xg_assigned_sums(l->r, l->x);
    uint32_t n = l->i->n_operands / 2, k, d;
    if (xg_local_starts_neutral(l->i, &sums, l->s->arena))
        l->in[1] = xg_spmd_neutral(l->s, (int)xg_attr_to_apply(l->i)->root->op, l->in[1]->shape->type);
    for (k = 0; k < n; k++)
        for (d = 0; d < dims.n; d++)
            if (xg_local_is_split(l, k, (uint32_t)dims.p[d])) xg_local_mask(l, k, (uint32_t)dims.p[d], l->in[n + k]);
    return xg_local_clone(l);
}

XG_FN xg_inst *xg_local_reduce_window(xg_local *l) {
    xg_window_dim *w = xg_local_window(l);
    uint32_t n = l->i->n_operands / 2, k, d, rank = l->i->n_operands ? l->in[0]->shape->rank : 0;
    xg_inst *i;
    for (d = 0; d < rank; d++) {
        bool taken = false;
        for (k = 0; k < n; k++) taken = xg_local_reach(l, k, d, l->in[n + k]);
        if (taken) xg_local_window_taken(&w[d]);
    }
    i = xg_local_clone(l);
    xg_local_set_window(i, w, rank);
    return i;
}
/* Windows at the ends of parts are computed by all devices whose elements they cover. */
XG_FN xg_inst *xg_local_select_and_scatter(xg_local *l) {
    xg_window_dim *w = xg_local_window(l);
    uint32_t rank = l->in[0]->shape->rank, d;
    int low = xg_select_never(l->i);
    bool taken[XG_RANK_MAX], any = false;
    xg_inst *i;
    for (d = 0; d < rank; d++) {
        xg_inst *never = low ? xg_spmd_neutral(l->s, low > 0 ? XG_MAXIMUM : XG_MINIMUM, l->in[0]->shape->type) : NULL;
        taken[d] = xg_local_reach(l, 0, d, never);
        if (!taken[d]) continue;
        (void)xg_local_reach(l, 1, d, xg_spmd_neutral(l->s, XG_ADD, l->in[1]->shape->type));
        xg_local_window_taken(&w[d]);
        any = true;
    }
    i = xg_local_clone(l);
    if (!any) return i;
    i->shape = l->in[0]->shape;
    xg_local_set_window(i, w, rank);
    for (d = 0; d < rank; d++) {
        xg_halo_reach g;
        int64_t *at, k, size = xg_tile_size(l->i->shape->dims[d], xg_sharding_tiles(&l->s->mesh, l->operands[0]->s, d));
        if (!taken[d]) continue;
        (void)xg_halo_reach_of(l->s->arena, &l->s->mesh, l->i, l->r, l->x, 0, d, &g);
        at = xg_spmd_offsets(l->s, l->operands[0]->s, d, size);
        for (k = 0; k < l->s->mesh.devices; k++) at[k] -= g.begin[k];
        i = xg_spmd_take(l->s, i, d, at, size, l->in[2]);
    }
    return i;
}

/* ---- moves ---- */

XG_FN xg_inst *xg_local_iota(xg_local *l) {
    xg_inst *i = xg_local_clone(l), *offset;
    uint32_t d = (uint32_t)xg_attr_or_0(i, XG_A_iota_dimension);
    xg_sharding *s = xg_assigned(l->s->arena, l->r, l->x, 0);
    if (xg_sharding_tiles(&l->s->mesh, s, d) == 1) return i;
    offset = xg_spmd_by_device(l->s, xg_spmd_offsets(l->s, s, d, i->shape->dims[d]));
    offset = xg_hb_convert(&l->s->b, offset, i->shape->type);
    offset = xg_hb_splat(&l->s->b, offset, i->shape->dims, i->shape->rank);
    return xg_hb_add(&l->s->b, i, offset);
}
XG_FN xg_inst *xg_local_slice(xg_local *l) {
    const xg_slices *s = xg_inst_attr(l->i, XG_A_slice)->v.slices;
    xg_slice_dim dims[XG_RANK_MAX];
    uint32_t d;
    for (d = 0; d < s->n; d++) {
        dims[d] = s->p[d];
        if (xg_local_reach(l, 0, d, NULL)) dims[d].start = 0;
        if (xg_local_is_split(l, 0, d)) dims[d].limit = l->in[0]->shape->dims[d];
    }
    return xg_hb_slice(&l->s->b, l->in[0], dims);
}
XG_APART XG_FN xg_inst *xg_local_pad(xg_local *l) {
    const xg_pads *p = xg_inst_attr(l->i, XG_A_padding)->v.pads;
    xg_pad_dim dims[XG_RANK_MAX];
    uint32_t d;
    for (d = 0; d < p->n; d++) {
        dims[d] = p->p[d];
        if (xg_local_reach(l, 0, d, l->in[1])) memset(&dims[d], 0, sizeof dims[d]);
    }
    return xg_hb_pad(&l->s->b, l->in[0], l->in[1], dims);
}
XG_FN xg_inst *xg_local_reverse(xg_local *l) {
    uint32_t d;
    for (d = 0; d < l->i->shape->rank; d++) (void)xg_local_reach(l, 0, d, NULL);
    return xg_local_clone(l);
}
/* x where offset + index < limit along the dimension, else y. */
XG_FN xg_inst *xg_local_before(xg_local *l, uint32_t dim, xg_inst *offset, int64_t limit, xg_inst *x, xg_inst *y) {
    const xg_shape *shape = x->shape;
    xg_inst *at = xg_hb_iota(&l->s->b, offset->shape->type, shape->dims, shape->rank, dim);
    at = xg_hb_add(&l->s->b, at, xg_hb_splat(&l->s->b, offset, shape->dims, shape->rank));
    at = xg_hb_compare(&l->s->b, "LT", at, xg_hb_int_like(&l->s->b, at, limit));
    return xg_hb_select(&l->s->b, at, x, y);
}
/* Of each operand what falls into the device's part of the result. */
XG_APART XG_FN xg_inst *xg_local_concatenate(xg_local *l) {
    uint32_t dim = (uint32_t)xg_attr_dims(l->i).p[0], k;
    int64_t begin = 0;
    xg_inst *all = NULL, *offset;
    if (!xg_local_is_split(l, 0, dim)) return xg_local_clone(l);
    for (k = 0; k < l->i->n_operands; k++) {
        (void)xg_local_reach(l, k, dim, NULL);
        if (k) {
            xg_sharding *out = xg_assigned(l->s->arena, l->r, l->x, l->r->n_operands);
            offset = xg_spmd_by_device(l->s, xg_spmd_offsets(l->s, out, dim, all->shape->dims[dim]));
            all = xg_local_before(l, dim, offset, begin, all, l->in[k]);
        } else
            all = l->in[k];
        begin += l->operands[k]->global->dims[dim];
    }
    return all;
}
/* Each group of dimensions flat: blocks of the one side become blocks of the other. */
XG_APART XG_FN xg_inst *xg_local_reshape(xg_local *l) {
    const xg_shape *in = l->operands[0]->global, *out = l->i->shape;
    int64_t dims[XG_RANK_MAX];
    uint32_t major[XG_RANK_MAX], rank = 0, k;
    xg_reshape_group g;
    xg_inst *i;
    if (!l->r->other) return xg_local_clone(l);
    memset(&g, 0, sizeof g);
    while (xg_reshape_group_next(in, out, &g)) {
        if (g.in == g.in_end || g.out == g.out_end) continue;
        major[rank] = g.in;
        for (dims[rank] = 1, k = g.in; k < g.in_end; k++) dims[rank] *= xg_local_size(l, 0, k);
        rank++;
    }
    l->in[0] = xg_hb_reshape(&l->s->b, l->in[0], dims, rank);
    for (k = 0; k < rank; k++) {
        xg_axes_list axes = xg_sharding_axes_of(l->operands[0]->s, major[k]);
        xg_halo_reach range;
        xg_halo h;
        if (!xg_halo_reach_of(l->s->arena, &l->s->mesh, l->i, l->r, l->x, 0, major[k], &range)) continue;
        h = xg_halo_reach_halo(l->s->arena, &l->s->mesh, &range, k, &axes);
        l->in[0] = xg_spmd_halo(l->s, l->in[0], &h);
    }
    i = xg_local_clone(l);
    return i;
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
    return xg_hb_sub(&l->s->b, start, offset);
}
/* In an array with u elements more on both sides. */
XG_FN xg_inst *xg_local_start_padded(xg_local *l, xg_inst *start, int64_t size, int64_t u) {
    xg_inst *more = xg_hb_int_like(&l->s->b, start, u);
    return xg_local_clamp(l, xg_hb_add(&l->s->b, start, more), 0, size + u);
}

/* Of a dimension that is split and sliced, each device takes what it has, and what changes no sum for the rest. */
XG_APART XG_FN xg_inst *xg_local_dynamic_slice(xg_local *l) {
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
        x = xg_spmd_pad_sides(l->s, x, d, sizes[d], sizes[d], xg_hb_zero(&l->s->b, x->shape->type));
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
XG_APART XG_FN xg_inst *xg_local_dynamic_update_slice(xg_local *l) {
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
        x = xg_spmd_pad_sides(l->s, x, d, u, u, xg_hb_zero(&l->s->b, x->shape->type));
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

/* Which dimensions of operand 0 are split and indexed, by component of an index: -1: not those. */
XG_FN bool xg_local_indexed(xg_local *l, const xg_windows *w, int32_t *at) {
    bool any = false;
    uint32_t d, k;
    for (k = 0; k < w->n_starts; k++) at[k] = -1;
    for (d = 0; d < w->whole->rank; d++) {
        if (w->start[d] < 0 || !xg_local_is_split(l, 0, d)) continue;
        if (w->inside[d] >= 0 && w->size[d] == w->whole->dims[d]) continue;
        at[w->start[d]] = (int32_t)d;
        any = true;
    }
    return any;
}
/* Windows of several elements lie across the ends of a part: so many elements more on both sides. */
XG_FN int64_t xg_local_room(const xg_windows *w, int32_t d) {
    return d >= 0 && w->inside[d] >= 0 && w->size[d] > 1 ? w->size[d] : 0;
}
XG_FN xg_inst *xg_local_with_room(xg_local *l, const xg_windows *w, const int32_t *at, xg_inst *x) {
    uint32_t k;
    for (k = 0; k < w->n_starts; k++) {
        int64_t room = xg_local_room(w, at[k]);
        if (room) x = xg_spmd_pad_sides(l->s, x, (uint32_t)at[k], room, room, xg_hb_zero(&l->s->b, x->shape->type));
    }
    return x;
}
/* The last place of a window by component. */
XG_FN xg_inst *xg_local_last(xg_local *l, const xg_windows *w, xg_inst *indices) {
    xg_inst **most = XG_NEW_N(l->s->arena, xg_inst *, (size_t)w->n_starts + 1);
    uint32_t d;
    for (d = 0; d < w->whole->rank; d++)
        if (w->start[d] >= 0) most[w->start[d]] = xg_hb_int(&l->s->b, XLAGPU_S64, w->whole->dims[d] - w->size[d]);
    return xg_local_by_component(l, w, indices, most);
}
/* Indices that count from where the parts of operand 0 begin. Those beyond the array's ends come to its ends first
 * (clamp: as gathers do), or go where nothing is. */
XG_FN xg_inst *xg_local_indices(xg_local *l, const xg_windows *w, xg_inst *indices, bool clamp, const int32_t *at) {
    xg_inst **offset = XG_NEW_N(l->s->arena, xg_inst *, (size_t)w->n_starts + 1), *in[3], *vector;
    uint32_t k;
    indices = xg_local_wide(l, indices);
    in[0] = xg_hb_int_like(&l->s->b, indices, 0);
    in[1] = indices;
    in[2] = xg_local_last(l, w, indices);
    for (k = 0; k < w->n_starts; k++) {
        int64_t room = xg_local_room(w, at[k]);
        offset[k] = at[k] < 0 ? xg_hb_zero(&l->s->b, XLAGPU_S32) : xg_local_offset(l, 0, (uint32_t)at[k]);
        if (room) offset[k] = xg_hb_sub(&l->s->b, offset[k], xg_hb_int_like(&l->s->b, offset[k], room));
    }
    vector = xg_local_by_component(l, w, indices, offset);
    if (clamp) {
        indices = xg_hb_done(xg_hb_op(&l->s->b, XG_CLAMP, indices->shape, in, 3));
        return xg_hb_sub(&l->s->b, indices, vector);
    } else {
        xg_inst *low = xg_hb_compare(&l->s->b, "GE", indices, in[0]),
                *high = xg_hb_compare(&l->s->b, "LE", indices, in[2]), *nowhere, *inside, *moved;
        inside = xg_hb_2(&l->s->b, XG_AND, low, high);
        moved = xg_hb_sub(&l->s->b, indices, vector);
        nowhere = xg_hb_int_like(&l->s->b, indices, INT32_MIN);
        return xg_hb_select(&l->s->b, inside, moved, nowhere);
    }
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

/* Where the window's elements lie in the device's part, along the dimension that component k indexes. */
XG_APART XG_FN xg_inst *xg_local_within(
    xg_local *l, const xg_windows *w, xg_inst *indices, uint32_t k, uint32_t d, const xg_shape *shape) {
    xg_inst *c = xg_local_component(l, w, indices, k), *low, *high;
    int64_t places[XG_RANK_MAX], room = xg_local_room(w, (int32_t)d);
    uint32_t p;
    for (p = 0; p < w->n_positions; p++) places[p] = w->position[p];
    c = xg_hb_broadcast(&l->s->b, c, shape->dims, shape->rank, places, w->n_positions);
    if (room) {
        xg_inst *step = xg_hb_iota(&l->s->b, c->shape->type, shape->dims, shape->rank, w->inside[d]);
        c = xg_hb_add(&l->s->b, c, step);
    }
    low = xg_hb_compare(&l->s->b, "GE", c, xg_hb_int_like(&l->s->b, c, room));
    high = xg_hb_compare(&l->s->b, "LT", c, xg_hb_int_like(&l->s->b, c, room + xg_local_size(l, 0, d)));
    return xg_hb_2(&l->s->b, XG_AND, low, high);
}
XG_APART XG_FN xg_inst *xg_local_gather(xg_local *l) {
    xg_windows w = xg_windows_of(l->i);
    int32_t *at = XG_NEW_N(l->s->arena, int32_t, (size_t)w.n_starts + 1);
    int64_t sizes[XG_RANK_MAX];
    xg_inst *i;
    uint32_t d, k;
    if (xg_local_indexed(l, &w, at)) {
        l->in[1] = xg_local_indices(l, &w, l->in[1], true, at);
        l->in[0] = xg_local_with_room(l, &w, at, l->in[0]);
    }
    i = xg_local_clone(l);
    xg_inst_remove_attr(i, XG_A_indices_are_sorted);
    for (d = 0; d < w.whole->rank; d++) {
        bool whole = w.inside[d] >= 0 && w.size[d] == w.whole->dims[d];
        sizes[d] = whole && xg_local_is_split(l, 0, d) ? xg_local_size(l, 0, d) : w.size[d];
    }
    xg_inst_set_ints(i, XG_A_slice_sizes, sizes, w.whole->rank);
    for (k = 0; k < w.n_starts; k++) {
        xg_inst *in, *neutral;
        if (at[k] < 0) continue;
        in = xg_local_within(l, &w, l->in[1], k, (uint32_t)at[k], i->shape);
        neutral = xg_spmd_neutral(l->s, XG_ADD, i->shape->type);
        neutral = xg_hb_splat(&l->s->b, neutral, i->shape->dims, i->shape->rank);
        i = xg_hb_select(&l->s->b, in, i, neutral);
    }
    return i;
}

/* Into parts with room for windows that lie across their ends, which is cut off again. */
XG_APART XG_FN xg_inst *xg_local_scatter_into(xg_local *l, const xg_windows *w, const int32_t *at) {
    uint32_t n = l->i->n_operands / 2, k, d;
    const xg_shape **shapes = XG_NEW_N(l->s->arena, const xg_shape *, (size_t)n + 1), *one;
    xg_inst **out = XG_NEW_N(l->s->arena, xg_inst *, (size_t)n + 1), *i;
    for (k = 0; k < n; k++) shapes[k] = (l->in[k] = xg_local_with_room(l, w, at, l->in[k]))->shape;
    i = xg_local_clone(l);
    xg_inst_remove_attr(i, XG_A_indices_are_sorted);
    one = shapes[0];
    i->shape = l->i->shape->type == XLAGPU_TUPLE ? xg_shape_tuple(l->s->m, shapes, n) : one;
    for (k = 0; k < n; k++) {
        out[k] = l->i->shape->type == XLAGPU_TUPLE ? xg_hb_element(&l->s->b, i, k) : i;
        for (d = 0; d < w->n_starts; d++) {
            int64_t room = xg_local_room(w, at[d]), size = at[d] < 0 ? 0 : xg_local_size(l, 0, (uint32_t)at[d]);
            if (room) out[k] = xg_hb_slice_dim(&l->s->b, out[k], (uint32_t)at[d], room, room + size);
        }
    }
    return l->i->shape->type == XLAGPU_TUPLE ? xg_hb_tuple(&l->s->b, out, n) : out[0];
}
/* Where updates are split, one device starts from the operand and the others from the neutral element. */
XG_APART XG_FN xg_inst *xg_local_scatter(xg_local *l) {
    xg_windows w = xg_windows_of(l->i);
    uint32_t n = l->i->n_operands / 2, p;
    int32_t *at = XG_NEW_N(l->s->arena, int32_t, (size_t)w.n_starts + 1);
    xg_axes_list sums = xg_assigned_sums(l->r, l->x);
    if (sums.n) {
        int op = xg_reducer_opcode(xg_attr_to_apply(l->i));
        xg_inst *neutral = xg_spmd_neutral(l->s, op, l->in[0]->shape->type);
        for (p = 0; p < w.n_positions; p++)
            if (xg_local_is_split(l, n + 1, w.position[p])) xg_local_mask(l, n + 1, w.position[p], neutral);
        l->in[0] = xg_spmd_on_first(l->s, l->in[0], &sums, neutral);
    }
    if (!xg_local_indexed(l, &w, at)) return xg_local_clone(l);
    l->in[n] = xg_local_indices(l, &w, l->in[n], false, at);
    return xg_local_scatter_into(l, &w, at);
}

XG_APART XG_FN xg_inst *xg_spmd_local(
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
    case XG_DOT:
    case XG_RAGGED_DOT:
    case XG_SCALED_DOT: return xg_local_dot(&l);
    case XG_CONVOLUTION: return xg_local_convolution(&l);
    case XG_REDUCE: return xg_local_reduce(&l);
    case XG_IOTA: return xg_local_iota(&l);
    case XG_TOPK:
        if (xg_assigned_sums(r, x).n) return xg_spmd_top(s, i, operands[0], l.in[0]);
        break;
    case XG_SLICE: return xg_local_slice(&l);
    case XG_PAD: return xg_local_pad(&l);
    case XG_REVERSE: return xg_local_reverse(&l);
    case XG_CONCATENATE: return xg_local_concatenate(&l);
    case XG_RESHAPE: return xg_local_reshape(&l);
    case XG_REDUCE_WINDOW: return xg_local_reduce_window(&l);
    case XG_SELECT_AND_SCATTER: return xg_local_select_and_scatter(&l);
    case XG_DYNAMIC_SLICE: return xg_local_dynamic_slice(&l);
    case XG_DYNAMIC_UPDATE_SLICE: return xg_local_dynamic_update_slice(&l);
    case XG_GATHER: return xg_local_gather(&l);
    case XG_SCATTER: return xg_local_scatter(&l);
    default: break;
    }
    return xg_local_clone(&l);
}

#endif /* XG_SPMD_LOCAL_C */
