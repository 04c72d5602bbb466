/* expand/dynamic_rules.c -- for each opcode: the sizes of its result, and its operands with padding that does not
 * count.
 *
 * A rule reads p->i, whose operands are arrays of their bounds already, writes p->out (the size along each dimension of
 * the result, NULL where it is the bound), puts other operands into p->i where padding would count, and returns the
 * value that takes its place: itself, or something longer. The evaluator (eval/dynamic.c) has the laws. */
#ifndef XG_EXPAND_DYNAMIC_RULES_C
#define XG_EXPAND_DYNAMIC_RULES_C
#include "expand.h"
#include "dynamic_reshape.c"
#include "scan_expander.c"
#include "batch_norm_expander.c"

/* The size of a dimension of two values that is one: the program promises that both sizes are the same, or one is full;
 * the lesser reads no padding. */
XG_FN xg_inst *xg_dyn_meet(const xg_dyn *p, xg_inst *a, xg_inst *b) {
    return !a || a == b ? b : !b ? a : xg_hb_2(&p->b, XG_MINIMUM, a, b);
}
XG_FN xg_inst *xg_dyn_either(const xg_dyn *p, const xg_inst *a, int64_t da, const xg_inst *b, int64_t db) {
    return xg_dyn_meet(p, xg_dyn_size(a, (uint32_t)da), xg_dyn_size(b, (uint32_t)db));
}
XG_FN bool xg_dyn_any_size(const xg_inst *x, uint32_t from, uint32_t to) {
    for (; from < to; from++)
        if (xg_dyn_size(x, from)) return true;
    return false;
}
XG_FN void xg_dyn_take_sizes(xg_dyn *p, const xg_inst *x) {
    uint32_t d;
    for (d = 0; d < x->shape->rank; d++) p->out[d] = xg_dyn_size(x, d);
}
XG_FN void xg_dyn_mark(bool *dims, xg_ints which) {
    uint32_t k;
    memset(dims, 0, XG_RANK_MAX * sizeof *dims);
    for (k = 0; k < which.n; k++) dims[which.p[k]] = true;
}

/* ---- element by element ---- */

XG_FN xg_inst *xg_dyn_elementwise(xg_dyn *p) {
    uint32_t rank = p->i->shape->rank, k, d;
    for (k = 0; k < p->i->n_operands; k++) {
        const xg_inst *x = XG_OPERAND(p->i, k);
        if (x->shape->rank != rank) continue;
        for (d = 0; d < rank; d++) p->out[d] = xg_dyn_meet(p, p->out[d], xg_dyn_size(x, d));
    }
    return p->i;
}
XG_FN xg_inst *xg_dyn_bitcast_convert(xg_dyn *p) {
    const xg_inst *x = XG_OPERAND(p->i, 0);
    uint32_t rank = XG_MIN(x->shape->rank, p->i->shape->rank), d;
    if (xg_dyn_any_size(x, rank, x->shape->rank)) xg_dyn_refuse(p, "a dynamic dimension of parts");
    for (d = 0; d < rank; d++) p->out[d] = xg_dyn_size(x, d);
    return p->i;
}

/* ---- movement ---- */

XG_FN xg_inst *xg_dyn_broadcast(xg_dyn *p) {
    xg_ints map = xg_attr_dims(p->i);
    uint32_t k;
    for (k = 0; k < map.n; k++) p->out[map.p[k]] = xg_dyn_size(XG_OPERAND(p->i, 0), k);
    return p->i;
}
XG_FN xg_inst *xg_dyn_transpose(xg_dyn *p) {
    xg_ints perm = xg_attr_dims(p->i);
    uint32_t k;
    for (k = 0; k < perm.n; k++) p->out[k] = xg_dyn_size(XG_OPERAND(p->i, 0), (uint32_t)perm.p[k]);
    return p->i;
}
XG_FN xg_inst *xg_dyn_bitcast(xg_dyn *p) {
    const xg_shape *a = XG_OPERAND(p->i, 0)->shape, *b = p->i->shape;
    if (a->type != b->type || !xg_dims_equal(a, b->dims, b->rank))
        xg_dyn_refuse(p, "dynamic dimensions that become others");
    return xg_dyn_elementwise(p);
}
/* Reversed, padding comes first: the result is what stands behind it. */
XG_FN xg_inst *xg_dyn_reverse(xg_dyn *p) {
    xg_ints dims = xg_attr_dims(p->i);
    xg_inst *x = XG_OPERAND(p->i, 0), *r, *starts[XG_RANK_MAX];
    xg_pad_dim pads[XG_RANK_MAX];
    bool dynamic = false;
    uint32_t d, k;
    xg_dyn_take_sizes(p, x);
    memset(pads, 0, sizeof pads);
    for (d = 0; d < x->shape->rank; d++) starts[d] = NULL;
    for (k = 0; k < dims.n; k++) {
        d = (uint32_t)dims.p[k];
        if (!xg_dyn_size(x, d)) continue;
        starts[d] = xg_hb_sub(&p->b, xg_dyn_int(p, x->shape->dims[d]), xg_dyn_size(x, d));
        pads[d].high = x->shape->dims[d];
        dynamic = true;
    }
    if (!dynamic) return p->i;
    for (d = 0; d < x->shape->rank; d++)
        if (!starts[d]) starts[d] = xg_dyn_int(p, 0);
    r = xg_hb_reverse(&p->b, x, dims.p, dims.n);
    r = xg_hb_pad(&p->b, r, xg_dyn_zero(p, x->shape->type), pads);
    return xg_hb_dynamic_slice(&p->b, r, starts, x->shape->dims);
}
/* All of a dimension stays dynamic; of a part, what is not there reads as zero. */
XG_FN xg_inst *xg_dyn_slice(xg_dyn *p) {
    const xg_slices *s = xg_inst_attr(p->i, XG_A_slice)->v.slices;
    xg_inst *x = XG_OPERAND(p->i, 0);
    bool part[XG_RANK_MAX];
    uint32_t d;
    for (d = 0; d < s->n; d++) {
        part[d] = s->p[d].start != 0 || s->p[d].stride != 1 || s->p[d].limit != x->shape->dims[d];
        if (!part[d]) p->out[d] = xg_dyn_size(x, d);
    }
    xg_inst_set_operand(p->i, 0, xg_dyn_zeroed(p, x, part));
    return p->i;
}
XG_APART XG_FN xg_inst *xg_dyn_pad(xg_dyn *p) {
    const xg_pads *pads = xg_inst_attr(p->i, XG_A_padding)->v.pads;
    xg_inst *x = XG_OPERAND(p->i, 0), *gaps;
    bool padded[XG_RANK_MAX];
    uint32_t d;
    for (d = 0; d < pads->n; d++) {
        const xg_pad_dim *e = &pads->p[d];
        xg_inst *n = xg_dyn_size(x, d);
        padded[d] = e->low || e->high || e->interior;
        if (n && padded[d]) {
            gaps = e->interior ? xg_dyn_times(p, xg_dyn_not_negative(p, xg_dyn_plus(p, n, -1)), e->interior) : NULL;
            n = xg_dyn_plus(p, n, e->low + e->high);
            if (gaps) n = xg_hb_add(&p->b, n, gaps);
            if (e->low < 0 || e->high < 0) n = xg_dyn_not_negative(p, n);
        }
        p->out[d] = n;
    }
    xg_inst_set_operand(p->i, 0, xg_dyn_filled(p, x, padded, XG_OPERAND(p->i, 1)));
    return p->i;
}
/* Along a dynamic dimension each operand is written over the padding of those before it. */
XG_APART XG_FN xg_inst *xg_dyn_concatenate(xg_dyn *p) {
    xg_inst *i = p->i, *first = XG_OPERAND(i, 0), *at, *all, *starts[XG_RANK_MAX];
    uint32_t c = (uint32_t)xg_attr_dims(i).p[0], rank = first->shape->rank, k, d;
    bool dynamic = false, moves = false; /* moves: some operand but the last has padding */
    xg_pad_dim pads[XG_RANK_MAX];
    for (k = 0; k < i->n_operands; k++) {
        for (d = 0; d < rank; d++)
            if (d != c) p->out[d] = xg_dyn_meet(p, p->out[d], xg_dyn_size(XG_OPERAND(i, k), d));
        moves = moves || dynamic;
        dynamic = dynamic || xg_dyn_size(XG_OPERAND(i, k), c);
    }
    if (!dynamic) return i;
    memset(pads, 0, sizeof pads);
    pads[c].high = i->shape->dims[c] - first->shape->dims[c];
    for (d = 0; d < rank; d++) starts[d] = xg_dyn_int(p, 0);
    all = moves ? xg_hb_pad(&p->b, first, xg_dyn_zero(p, first->shape->type), pads) : i;
    at = xg_dyn_size_or_bound(p, first, c);
    for (k = 1; k < i->n_operands; k++) {
        xg_inst *x = XG_OPERAND(i, k);
        starts[c] = at;
        if (moves) all = xg_hb_dynamic_update_slice(&p->b, all, x, starts);
        at = xg_hb_add(&p->b, at, xg_dyn_size_or_bound(p, x, c));
    }
    p->out[c] = at;
    return all;
}

/* ---- slices and gathers at computed places ---- */

/* Indices as s32 or s64, which hold what matters of them. */
XG_FN xg_inst *xg_dyn_index(const xg_dyn *p, xg_inst *x) {
    xlagpu_type t = x->shape->type;
    if (t == XLAGPU_U64) x = xg_hb_2(&p->b, XG_MINIMUM, x, xg_hb_int_like(&p->b, x, INT64_MAX));
    return xg_hb_convert(&p->b, x, t == XLAGPU_U64 || t == XLAGPU_S64 || t == XLAGPU_U32 ? XLAGPU_S64 : XLAGPU_S32);
}
/* The last place where a window of so many elements, or of n if that is not NULL, fits dimension d of x; 0 for a window
 * that is all of it. */
XG_FN xg_inst *xg_dyn_last_start(const xg_dyn *p, const xg_inst *x, uint32_t d, int64_t window, xg_inst *n) {
    if (n) return xg_dyn_not_negative(p, xg_hb_sub(&p->b, xg_dyn_size_or_bound(p, x, d), n));
    if (!xg_dyn_size(x, d)) return xg_dyn_int(p, x->shape->dims[d] - window);
    return window == x->shape->dims[d] ? xg_dyn_int(p, 0)
                                       : xg_dyn_not_negative(p, xg_dyn_plus(p, xg_dyn_size(x, d), -window));
}
/* Start indices first, first + 1 ... of p->i, one scalar for each dimension of x, kept where the window fits what is
 * there. u, if not NULL: a window with sizes of its own. */
XG_FN void xg_dyn_starts(
    const xg_dyn *p, const xg_inst *x, uint32_t first, const int64_t *window, const xg_inst *u, xg_inst **starts) {
    bool vector = p->i->n_operands == first + 1 && XG_OPERAND(p->i, first)->shape->rank == 1;
    uint32_t d;
    for (d = 0; d < x->shape->rank; d++) {
        xg_inst *s = XG_OPERAND(p->i, first + (vector ? 0 : d)), *low, *last;
        if (vector) s = xg_hb_reshape(&p->b, xg_hb_slice_dim(&p->b, s, 0, d, d + 1), NULL, 0);
        s = xg_dyn_index(p, s);
        low = xg_hb_zero(&p->b, s->shape->type);
        last = xg_dyn_last_start(p, x, d, window[d], u ? xg_dyn_size(u, d) : NULL);
        starts[d] = xg_dyn_clamp(p, low, s, xg_hb_convert(&p->b, last, s->shape->type));
    }
}
XG_FN xg_inst *xg_dyn_dynamic_slice(xg_dyn *p) {
    xg_inst *x = XG_OPERAND(p->i, 0), *starts[XG_RANK_MAX];
    xg_ints sizes = xg_attr_ints(p->i, XG_A_dynamic_slice_sizes);
    bool part[XG_RANK_MAX];
    uint32_t d;
    if (!x->scratch) return p->i;
    for (d = 0; d < sizes.n; d++) {
        part[d] = sizes.p[d] != x->shape->dims[d];
        if (!part[d]) p->out[d] = xg_dyn_size(x, d);
    }
    xg_dyn_starts(p, x, 1, sizes.p, NULL, starts);
    return xg_hb_dynamic_slice(&p->b, xg_dyn_zeroed(p, x, part), starts, sizes.p);
}
/* What is there of a dynamic update goes over what lies under it; the operand is made longer meanwhile, so that the
 * update's bounds fit wherever the update does. */
XG_APART XG_FN xg_inst *xg_dyn_dynamic_update_slice(xg_dyn *p) {
    xg_inst *x = XG_OPERAND(p->i, 0), *u = XG_OPERAND(p->i, 1), *starts[XG_RANK_MAX], *present, *longer;
    xg_pad_dim pads[XG_RANK_MAX];
    xg_slice_dim whole[XG_RANK_MAX];
    uint32_t d, rank = x->shape->rank;
    xg_dyn_take_sizes(p, x);
    if (!x->scratch && !u->scratch) return p->i;
    xg_dyn_starts(p, x, 2, u->shape->dims, u, starts);
    present = xg_dyn_present(p, u, NULL);
    if (!present) return xg_hb_dynamic_update_slice(&p->b, x, u, starts);
    memset(pads, 0, sizeof pads);
    for (d = 0; d < rank; d++) {
        pads[d].high = xg_dyn_size(u, d) ? u->shape->dims[d] : 0;
        whole[d].start = 0;
        whole[d].limit = x->shape->dims[d];
        whole[d].stride = 1;
    }
    longer = xg_hb_pad(&p->b, x, xg_dyn_zero(p, x->shape->type), pads);
    u = xg_hb_select(&p->b, present, u, xg_hb_dynamic_slice(&p->b, longer, starts, u->shape->dims));
    return xg_hb_slice(&p->b, xg_hb_dynamic_update_slice(&p->b, longer, u, starts), whole);
}

/* For each component of an index, in the shape of all indices: the last place where the window fits. */
XG_FN xg_inst *xg_dyn_last_starts(
    const xg_dyn *p, const xg_inst *x, const xg_inst *indices, int64_t vector_dim, xg_ints map, const int64_t *window) {
    xg_inst **each = XG_NEW_N(p->m->arena, xg_inst *, map.n + (size_t)1), *all;
    int64_t one = 1;
    uint32_t k;
    for (k = 0; k < map.n; k++) {
        xg_inst *last = xg_dyn_last_start(p, x, (uint32_t)map.p[k], window[map.p[k]], NULL);
        each[k] = xg_hb_reshape(&p->b, xg_hb_convert(&p->b, last, indices->shape->type), &one, 1);
    }
    if (vector_dim == (int64_t)indices->shape->rank)
        return xg_hb_splat(&p->b, xg_hb_reshape(&p->b, each[0], NULL, 0), indices->shape->dims, indices->shape->rank);
    all = xg_hb_concat(&p->b, each, map.n, 0);
    return xg_hb_broadcast(&p->b, all, indices->shape->dims, indices->shape->rank, &vector_dim, 1);
}
XG_FN bool xg_dyn_moves_along_sizes(const xg_inst *x, const xg_windows *w) {
    uint32_t d;
    for (d = 0; d < x->shape->rank; d++)
        if (w->start[d] >= 0 && xg_dyn_size(x, d)) return true;
    return false;
}
XG_APART XG_FN xg_inst *xg_dyn_gather(xg_dyn *p) {
    xg_inst *i = p->i, *x = XG_OPERAND(i, 0), *indices = XG_OPERAND(i, 1);
    xg_windows w = xg_windows_of(i);
    bool part[XG_RANK_MAX];
    uint32_t d;
    for (d = 0; d < w.n_positions; d++) p->out[w.position[d]] = xg_dyn_size(indices, w.place[d]);
    for (d = 0; d < x->shape->rank; d++) {
        part[d] = w.size[d] != x->shape->dims[d];
        if (w.inside[d] >= 0 && !part[d]) p->out[w.inside[d]] = xg_dyn_size(x, d);
    }
    if (xg_dyn_moves_along_sizes(x, &w)) {
        xg_inst *at = xg_dyn_index(p, indices), *low = xg_hb_int_like(&p->b, at, 0);
        xg_inst_set_operand(i, 1,
            xg_dyn_clamp(
                p, low, at, xg_dyn_last_starts(p, x, at, w.vector_dim, xg_attr_ints(i, XG_A_start_index_map), w.size)));
    }
    xg_inst_set_operand(i, 0, xg_dyn_zeroed(p, x, part));
    return i;
}
/* Windows that do not fit what is there, and those of indices that are padding, begin at -1, where none fits. */
XG_APART XG_FN xg_inst *xg_dyn_scatter(xg_dyn *p) {
    xg_inst *i = p->i, *x = XG_OPERAND(i, 0), *at, *outside, *minus;
    uint32_t n = i->n_operands / 2, d, k;
    xg_inst *indices = XG_OPERAND(i, n), *u = XG_OPERAND(i, n + 1);
    xg_windows w = xg_windows_of(i);
    for (d = 0; d < x->shape->rank; d++)
        if (w.inside[d] >= 0 && xg_dyn_size(u, (uint32_t)w.inside[d]) &&
            !(xg_dyn_size(x, d) && w.size[d] == x->shape->dims[d]))
            xg_dyn_refuse(p, "windows of dynamic sizes that are not the operand's");
    for (d = 0; d < w.n_positions; d++)
        if (xg_dyn_size(u, w.position[d]) && !xg_dyn_size(indices, w.place[d]))
            xg_dyn_refuse(p, "more indices than updates");
    for (k = 0; k < n; k++)
        for (d = 0; d < x->shape->rank; d++)
            if (!p->out[d]) p->out[d] = xg_dyn_size(XG_OPERAND(i, k), d);
    if (!xg_dyn_present(p, indices, NULL) && !xg_dyn_moves_along_sizes(x, &w)) return i;
    at = xg_dyn_index(p, indices);
    at->scratch = indices->scratch;
    minus = xg_hb_int(&p->b, at->shape->type, -1);
    if (xg_dyn_moves_along_sizes(x, &w)) {
        outside = xg_hb_compare(&p->b, "GT", at,
            xg_dyn_last_starts(p, x, at, w.vector_dim, xg_attr_ints(i, XG_A_scatter_dims_to_operand_dims), w.size));
        at = xg_hb_select(&p->b, outside, xg_hb_splat(&p->b, minus, at->shape->dims, at->shape->rank), at);
        at->scratch = indices->scratch;
    }
    xg_inst_set_operand(i, n, xg_dyn_filled(p, at, NULL, minus));
    return i;
}

/* ---- contractions ---- */

/* Dimension da of operand 0 and db of operand 1 are summed over: zeros where either is not there. */
XG_FN void xg_dyn_contract(xg_dyn *p, int64_t da, int64_t db) {
    xg_inst *n = xg_dyn_either(p, XG_OPERAND(p->i, 0), da, XG_OPERAND(p->i, 1), db);
    uint32_t k;
    for (k = 0; n && k < 2; k++) {
        xg_inst *x = XG_OPERAND(p->i, k), *present = xg_dyn_within(p, x, (uint32_t)(k ? db : da), n);
        xg_inst_set_operand(p->i, k, xg_dyn_fill(p, x, present, xg_dyn_zero(p, x->shape->type)));
    }
}
XG_APART XG_FN xg_inst *xg_dyn_dot(xg_dyn *p) {
    xg_dot_dims d = xg_dot_dims_of(p->i);
    uint32_t k, n = 0;
    for (k = 0; k < d.lb.n; k++)
        p->out[n++] = xg_dyn_either(p, XG_OPERAND(p->i, 0), d.lb.p[k], XG_OPERAND(p->i, 1), d.rb.p[k]);
    for (k = 0; k < XG_OPERAND(p->i, 0)->shape->rank; k++)
        if (!xg_ints_at(d.lb, k, NULL) && !xg_ints_at(d.lc, k, NULL)) p->out[n++] = xg_dyn_size(XG_OPERAND(p->i, 0), k);
    for (k = 0; k < XG_OPERAND(p->i, 1)->shape->rank; k++)
        if (!xg_ints_at(d.rb, k, NULL) && !xg_ints_at(d.rc, k, NULL)) p->out[n++] = xg_dyn_size(XG_OPERAND(p->i, 1), k);
    for (k = 0; k < d.lc.n; k++) xg_dyn_contract(p, d.lc.p[k], d.rc.p[k]);
    return p->i;
}
/* At how many places a window fits a dimension of size n. */
XG_FN xg_inst *xg_dyn_places(const xg_dyn *p, xg_inst *n, const xg_window_dim *w) {
    int64_t extent = (w->size - 1) * w->window_dilation + 1;
    if (w->base_dilation > 1)
        n = xg_dyn_not_negative(p, xg_dyn_plus(p, xg_dyn_times(p, n, w->base_dilation), 1 - w->base_dilation));
    n = xg_dyn_plus(p, n, w->pad_low + w->pad_high - extent + w->stride);
    if (w->pad_low + w->pad_high - extent + w->stride < 0) n = xg_dyn_not_negative(p, n);
    return xg_dyn_over(p, n, w->stride);
}
XG_APART XG_FN xg_inst *xg_dyn_convolution(xg_dyn *p) {
    const xg_dim_labels *v = xg_inst_attr(p->i, XG_A_dim_labels)->v.labels;
    const xg_attr *window = xg_inst_attr(p->i, XG_A_window);
    const xg_inst *x = XG_OPERAND(p->i, 0), *f = XG_OPERAND(p->i, 1);
    bool grouped = xg_attr_or_1(p->i, XG_A_feature_group_count) != 1 || xg_attr_or_1(p->i, XG_A_batch_group_count) != 1,
         spatial[XG_RANK_MAX];
    uint32_t k;
    if (grouped &&
        (xg_dyn_size(x, (uint32_t)v->input_feature) || xg_dyn_size(x, (uint32_t)v->input_batch) || f->scratch))
        xg_dyn_refuse(p, "dynamic dimensions in groups");
    p->out[v->output_batch] = xg_dyn_size(x, (uint32_t)v->input_batch);
    p->out[v->output_feature] = xg_dyn_size(f, (uint32_t)v->kernel_output);
    memset(spatial, 0, sizeof spatial);
    for (k = 0; k < v->input_spatial.n; k++) {
        xg_inst *n = xg_dyn_size(x, (uint32_t)v->input_spatial.p[k]);
        if (xg_dyn_size(f, (uint32_t)v->kernel_spatial.p[k])) xg_dyn_refuse(p, "a window of dynamic size");
        spatial[v->input_spatial.p[k]] = true;
        if (n) p->out[v->output_spatial.p[k]] = xg_dyn_places(p, n, &window->v.window->p[k]);
    }
    xg_dyn_contract(p, v->input_feature, v->kernel_input);
    xg_inst_set_operand(p->i, 0, xg_dyn_zeroed(p, XG_OPERAND(p->i, 0), spatial));
    return p->i;
}
/* Dimensions before the last n run along; those behind must be there as they are. */
XG_FN xg_inst *xg_dyn_batched(xg_dyn *p, uint32_t n) {
    uint32_t k, d;
    for (k = 0; k < p->i->n_operands; k++) {
        const xg_inst *x = XG_OPERAND(p->i, k);
        if (xg_dyn_any_size(x, x->shape->rank - n, x->shape->rank))
            xg_dyn_refuse(p, "dynamic dimensions but those of a batch");
        for (d = 0; d + n < x->shape->rank; d++)
            if (!p->out[d]) p->out[d] = xg_dyn_size(x, d);
    }
    return p->i;
}

/* ---- reductions ---- */

XG_FN xg_inst *xg_dyn_neutral(const xg_dyn *p, const xg_comp *c, xlagpu_type t) {
    double v = xg_reducer_neutral(c);
    if (xg_type_class(t) == XGT_C) return xg_hb_convert(&p->b, xg_hb_float(&p->b, xg_type_real(t), v), t);
    return xg_type_class(t) == XGT_F ? xg_hb_float(&p->b, t, v) : xg_hb_int(&p->b, t, (int64_t)v);
}
/* (a..., is a there), (b..., is b there) -> the reducer's value of both, or the one that is there. */
XG_FN xg_comp *xg_dyn_guarded_reducer(const xg_dyn *p, const xg_comp *from, uint32_t n) {
    xg_comp *c = xg_comp_new(p->m, from->name, p->i->comp);
    xg_inst **args = XG_NEW_N(p->m->arena, xg_inst *, 2 * (size_t)n),
            **out = XG_NEW_N(p->m->arena, xg_inst *, n + (size_t)1), *there[2], *both;
    const xg_shape *pred = xg_shape_scalar(p->m, XLAGPU_PRED);
    xg_hb b = xg_hb_end(c, p->i);
    uint32_t k;
    for (k = 0; k < 2 * n; k++) {
        args[k] = xg_comp_add_param(c, from->params[k]->shape, from->params[k]->name);
        if (k % n == n - 1) there[k / n] = xg_comp_add_param(c, pred, XG_STR("there"));
    }
    both = xg_opt_inline(from, c, NULL, args);
    for (k = 0; k < n; k++) {
        xg_inst *made = from->root->shape->type == XLAGPU_TUPLE ? xg_hb_element(&b, both, k) : both;
        out[k] = xg_hb_select(&b, there[1], xg_hb_select(&b, there[0], made, args[n + k]), args[k]);
    }
    out[n] = xg_hb_2(&b, XG_OR, there[0], there[1]);
    c->root = xg_hb_tuple(&b, out, n + 1);
    return c;
}
/* The padding of the operands along `dims` does not count: it is what may come in any number of times, or comes with a
 * mark that says so. */
XG_FN xg_inst *xg_dyn_without_padding(xg_dyn *p, const bool *dims) {
    xg_inst *i = p->i, **in, *present;
    uint32_t n = i->n_operands / 2, k;
    xg_comp *c = xg_attr_to_apply(i);
    xg_reducer_start start = xg_reducer_start_of(i, p->m->arena);
    present = xg_dyn_present(p, XG_OPERAND(i, 0), dims);
    if (!present) return i;
    if (start != XG_REDUCER_UNKNOWN) {
        for (k = 0; k < n; k++) {
            xg_inst *x = XG_OPERAND(i, k);
            xg_inst_set_operand(i, k,
                xg_dyn_filled(p, x, dims,
                    start == XG_REDUCER_FROM_INIT ? XG_OPERAND(i, n + k) : xg_dyn_neutral(p, c, x->shape->type)));
        }
        return i;
    }
    in = XG_NEW_N(p->m->arena, xg_inst *, 2 * (size_t)n + 2);
    for (k = 0; k < n; k++) {
        in[k] = XG_OPERAND(i, k);
        in[n + 1 + k] = XG_OPERAND(i, n + k);
    }
    in[n] = present;
    in[2 * n + 1] = xg_hb_int(&p->b, XLAGPU_PRED, 1);
    i = xg_inst_new(i->comp, i->op, i->shape, in, 2 * n + 2, i, i->name);
    xg_inst_take_attrs(i, p->i);
    xg_inst_set_comp(i, XG_A_to_apply, xg_dyn_guarded_reducer(p, c, n));
    return xg_hb_done(i);
}
/* Operands of one shape: the size that any of them has is that of all. */
XG_FN void xg_dyn_agree(const xg_dyn *p, uint32_t n) {
    uint32_t k, j, d, rank = XG_OPERAND(p->i, 0)->shape->rank;
    for (d = 0; d < rank; d++)
        for (k = 0; k < n; k++) {
            xg_inst *size = xg_dyn_size(XG_OPERAND(p->i, k), d);
            if (!size) continue;
            for (j = 0; j < n; j++)
                if (!xg_dyn_size(XG_OPERAND(p->i, j), d)) xg_dyn_refuse(p, "operands of which some are dynamic");
        }
}
XG_FN xg_inst *xg_dyn_reduce(xg_dyn *p) {
    bool dims[XG_RANK_MAX];
    uint32_t d, at = 0;
    xg_dyn_agree(p, p->i->n_operands / 2);
    xg_dyn_mark(dims, xg_attr_dims(p->i));
    for (d = 0; d < XG_OPERAND(p->i, 0)->shape->rank; d++)
        if (!dims[d]) p->out[at++] = xg_dyn_size(XG_OPERAND(p->i, 0), d);
    return xg_dyn_without_padding(p, dims);
}
XG_FN bool xg_dyn_is_trivial(const xg_window_dim *w) {
    return w->size == 1 && w->stride == 1 && !w->pad_low && !w->pad_high && w->base_dilation == 1;
}
XG_FN xg_inst *xg_dyn_reduce_window(xg_dyn *p) {
    const xg_attr *a = xg_inst_attr(p->i, XG_A_window);
    const xg_inst *x = XG_OPERAND(p->i, 0);
    bool dims[XG_RANK_MAX];
    uint32_t d;
    xg_dyn_agree(p, p->i->n_operands / 2);
    for (d = 0; d < x->shape->rank; d++) {
        const xg_window_dim *w = &a->v.window->p[d];
        xg_inst *n = xg_dyn_size(x, d);
        dims[d] = !xg_dyn_is_trivial(w);
        p->out[d] = n && dims[d] ? xg_dyn_places(p, n, w) : n;
    }
    return xg_dyn_without_padding(p, dims);
}
/* A value that select(it, x) never prefers to an x before it, or NULL: of GE the lowest, of LE the highest. */
XG_FN xg_inst *xg_dyn_unselected(const xg_dyn *p, const xg_comp *select, xlagpu_type t) {
    const xg_inst *r = select->root;
    xg_str direction = r->op == XG_COMPARE ? xg_attr_str(r, XG_A_direction) : XG_STR("");
    if (r->op != XG_COMPARE || XG_OPERAND(r, 0) != select->params[0] || XG_OPERAND(r, 1) != select->params[1])
        return NULL;
    return xg_str_eq(direction, XG_STR("GE"))   ? xg_scan_neutral(&p->b, XG_MAXIMUM, t)
           : xg_str_eq(direction, XG_STR("LE")) ? xg_scan_neutral(&p->b, XG_MINIMUM, t)
                                                : NULL;
}
/* Under a window, padding is not selected, and the sources of windows that are not there add nothing. */
XG_APART XG_FN xg_inst *xg_dyn_select_and_scatter(xg_dyn *p) {
    const xg_attr *a = xg_inst_attr(p->i, XG_A_window);
    const xg_comp *scatter = xg_attr_comp(p->i, XG_A_scatter);
    xg_inst *x = XG_OPERAND(p->i, 0), *source = XG_OPERAND(p->i, 1), *fill;
    bool window[XG_RANK_MAX], sticks_out = false, any = false;
    uint32_t d;
    xg_dyn_take_sizes(p, x);
    for (d = 0; d < x->shape->rank; d++) {
        const xg_window_dim *w = &a->v.window->p[d];
        window[d] = !xg_dyn_is_trivial(w) && xg_dyn_size(x, d);
        any = any || window[d];
        sticks_out = sticks_out || (window[d] && w->pad_high > 0);
        if (window[d] && !xg_dyn_size(source, d)) xg_dyn_refuse(p, "a source that is not as dynamic as the operand");
    }
    if (!any) return p->i;
    if (!xg_reducer_is_plain(scatter) || (scatter->root->op != XG_ADD && scatter->root->op != XG_MULTIPLY))
        xg_dyn_refuse(p, "a dynamic dimension under the window and this scatter");
    fill = sticks_out ? xg_dyn_unselected(p, xg_attr_comp(p->i, XG_A_select), x->shape->type) : NULL;
    if (sticks_out && !fill) xg_dyn_refuse(p, "a dynamic dimension under the window and this select");
    if (fill) xg_inst_set_operand(p->i, 0, xg_dyn_filled(p, x, window, fill));
    fill = xg_dyn_neutral(p, scatter, source->shape->type);
    xg_inst_set_operand(p->i, 1, xg_dyn_filled(p, source, window, fill));
    return p->i;
}

/* ---- sort ---- */

/* The comparator behind which all that is there comes before all that is not. */
XG_FN xg_comp *xg_dyn_guarded_order(const xg_dyn *p, const xg_comp *from) {
    xg_comp *c = xg_comp_new(p->m, from->name, p->i->comp);
    xg_inst **args = XG_NEW_N(p->m->arena, xg_inst *, from->n_params + (size_t)1), *left, *right, *less;
    const xg_shape *pred = xg_shape_scalar(p->m, XLAGPU_PRED);
    xg_hb b = xg_hb_end(c, p->i);
    uint32_t k;
    for (k = 0; k < from->n_params; k++) args[k] = xg_comp_add_param(c, from->params[k]->shape, from->params[k]->name);
    left = xg_comp_add_param(c, pred, XG_STR("left_there"));
    right = xg_comp_add_param(c, pred, XG_STR("right_there"));
    less = xg_opt_inline(from, c, NULL, args);
    c->root = xg_hb_select(&b, right, xg_hb_2(&b, XG_AND, less, left), left);
    return c;
}
XG_APART XG_FN xg_inst *xg_dyn_sort(xg_dyn *p) {
    xg_inst *i = p->i, **in;
    uint32_t n = i->n_operands, dim = (uint32_t)xg_attr_dims(i).p[0], k;
    bool dims[XG_RANK_MAX];
    xg_dyn_agree(p, n);
    xg_dyn_take_sizes(p, XG_OPERAND(i, 0));
    if (!xg_dyn_size(XG_OPERAND(i, 0), dim)) return i;
    memset(dims, 0, sizeof dims);
    dims[dim] = true;
    in = XG_NEW_N(p->m->arena, xg_inst *, n + (size_t)1);
    for (k = 0; k < n; k++) in[k] = XG_OPERAND(i, k);
    in[n] = xg_dyn_present(p, in[0], dims);
    i = xg_inst_new(i->comp, XG_SORT, i->shape, in, n + 1, i, i->name);
    xg_inst_take_attrs(i, p->i);
    xg_inst_set_comp(i, XG_A_to_apply, xg_dyn_guarded_order(p, xg_attr_to_apply(p->i)));
    return xg_hb_done(i);
}

/* The least element in the order of TOPK, or the last: what is there comes before it, as its index is lower. */
XG_FN xg_inst *xg_dyn_last_of_order(const xg_dyn *p, xlagpu_type t, bool largest) {
    xg_literal *l = xg_literal_new(p->m->arena, xg_shape_scalar(p->m, t));
    int bits = xg_type_bits(t), k;
    bool low = largest; /* the lowest value: a float's sign and all other bits; a signed integer's sign alone */
    uint64_t v = UINT64_MAX >> (64 - bits), sign = (uint64_t)1 << (bits - 1);
    if (xg_type_class(t) == XGT_F)
        v = low ? v : v & ~sign;
    else if (xg_type_signed(t))
        v = low ? ~(sign - 1) : sign - 1;
    else
        v = low ? 0 : v;
    for (k = 0; k < xg_type_bytes(t); k++) ((unsigned char *)l->data)[k] = (unsigned char)(v >> 8 * k);
    return xg_hb_literal(&p->b, l);
}
XG_APART XG_FN xg_inst *xg_dyn_topk(xg_dyn *p) {
    xg_inst *x = XG_OPERAND(p->i, 0);
    uint32_t last = x->shape->rank - 1;
    bool dims[XG_RANK_MAX];
    memset(dims, 0, sizeof dims);
    dims[last] = true;
    xg_dyn_take_sizes(p, x);
    p->out[last] = NULL;
    if (xg_dyn_size(x, last))
        xg_inst_set_operand(p->i, 0,
            xg_dyn_filled(p, x, dims, xg_dyn_last_of_order(p, x->shape->type, xg_attr_or_1(p->i, XG_A_largest) != 0)));
    return p->i;
}

/* ---- batch normalisation ---- */

XG_FN xg_inst *xg_dyn_batch_norm(xg_dyn *p) {
    xg_norms n = xg_norms_of(&p->b, p->i);
    xg_inst *x = XG_OPERAND(p->i, 0), *made;
    uint32_t k;
    n.present = xg_dyn_present(p, x, NULL);
    for (k = 0; n.present && k < n.n_others; k++) {
        xg_inst *size = xg_dyn_size_or_bound(p, x, (uint32_t)n.others[k]);
        n.size = n.size ? xg_hb_mul(&p->b, n.size, size) : size;
    }
    made = xg_norms_make(&n);
    xg_dyn_take_sizes(p, x);
    if (made->op != XG_TUPLE) return made;
    for (k = 0; k < x->shape->rank; k++) xg_dyn_set_size(p, XG_OPERAND(made, 0), k, xg_dyn_size(x, k));
    for (k = 1; k < 3; k++) xg_dyn_set_size(p, XG_OPERAND(made, k), 0, xg_dyn_size(x, (uint32_t)n.feature));
    return made;
}

/* ---- about sizes ---- */

XG_FN xg_inst *xg_dyn_get_dimension_size(xg_dyn *p) {
    uint32_t d = (uint32_t)xg_attr_dims(p->i).p[0];
    return xg_hb_convert(&p->b, xg_dyn_size_or_bound(p, XG_OPERAND(p->i, 0), d), p->i->shape->type);
}
/* What the dimension did not have before is zero. */
XG_FN xg_inst *xg_dyn_set_dimension_size(xg_dyn *p) {
    uint32_t d = (uint32_t)xg_attr_dims(p->i).p[0];
    xg_inst *x = XG_OPERAND(p->i, 0);
    xg_dyn_take_sizes(p, x);
    x = xg_dyn_zeroed_dim(p, x, d);
    p->out[d] = xg_dyn_is_open(p->i->shape, d) ? xg_dyn_given_size(p, XG_OPERAND(p->i, 1), x->shape->dims[d]) : NULL;
    return xg_hb_of(&p->b, XG_COPY, xg_dyn_bounds(p->m, p->i->shape), x);
}
XG_FN xg_inst *xg_dyn_slice_to_dynamic(xg_dyn *p) {
    xg_inst *x = XG_OPERAND(p->i, 0);
    uint32_t d;
    if (!xg_shape_is_array(p->i->shape) || p->i->n_operands != p->i->shape->rank + 1 ||
        !xg_dims_equal(x->shape, p->i->shape->dims, p->i->shape->rank) || x->shape->type != p->i->shape->type)
        xg_hlo_wrong(p->i, "SliceToDynamic wants an array and the size of each of its dimensions");
    for (d = 0; d < x->shape->rank; d++)
        if (xg_dyn_is_open(p->i->shape, d))
            p->out[d] = xg_dyn_given_size(p, XG_OPERAND(p->i, d + 1), x->shape->dims[d]);
    x = xg_dyn_zeroed(p, x, NULL);
    return xg_hb_of(&p->b, XG_COPY, xg_dyn_bounds(p->m, p->i->shape), x);
}
/* (the operand, zero where it is not there, its size in each dimension) */
XG_FN xg_inst *xg_dyn_pad_to_static(xg_dyn *p) {
    xg_inst *x = XG_OPERAND(p->i, 0), **out;
    uint32_t rank = x->shape->rank, d;
    if (p->i->n_operands != 1 || p->i->shape->type != XLAGPU_TUPLE || p->i->shape->n_elems != rank + 1 ||
        !xg_dims_equal(p->i->shape->elems[0], x->shape->dims, rank))
        xg_hlo_wrong(p->i, "PadToStatic gives its operand's bounds and the size of each dimension");
    out = XG_NEW_N(p->m->arena, xg_inst *, rank + (size_t)1);
    out[0] = xg_dyn_zeroed(p, x, NULL);
    for (d = 0; d < rank; d++)
        out[d + 1] = xg_hb_convert(&p->b, xg_dyn_size_or_bound(p, x, d), p->i->shape->elems[d + 1]->type);
    return xg_hb_tuple(&p->b, out, rank + 1);
}
XG_APART XG_FN xg_inst *xg_dyn_custom_call(xg_dyn *p) {
    xg_str target = xg_attr_str(p->i, XG_A_custom_call_target);
    if (xg_str_eq(target, XG_STR("SliceToDynamic"))) return xg_dyn_slice_to_dynamic(p);
    if (xg_str_eq(target, XG_STR("PadToStatic"))) return xg_dyn_pad_to_static(p);
    xg_dyn_refuse(p, "dynamic dimensions");
}

XG_APART XG_FN xg_inst *xg_dyn_apply(xg_dyn *p) {
    switch (p->i->op) {
    case XG_CONSTANT:
    case XG_IOTA:
    case XG_RNG: return p->i; /* full to the bounds */
    case XG_MAP: return xg_dyn_elementwise(p);
    case XG_BITCAST_CONVERT: return xg_dyn_bitcast_convert(p);
    case XG_BROADCAST: return xg_dyn_broadcast(p);
    case XG_TRANSPOSE: return xg_dyn_transpose(p);
    case XG_BITCAST: return xg_dyn_bitcast(p);
    case XG_REVERSE: return xg_dyn_reverse(p);
    case XG_SLICE: return xg_dyn_slice(p);
    case XG_PAD: return xg_dyn_pad(p);
    case XG_CONCATENATE: return xg_dyn_concatenate(p);
    case XG_RESHAPE: return xg_dyn_reshape(p);
    case XG_DYNAMIC_RESHAPE: return xg_dyn_dynamic_reshape(p);
    case XG_DYNAMIC_SLICE: return xg_dyn_dynamic_slice(p);
    case XG_DYNAMIC_UPDATE_SLICE: return xg_dyn_dynamic_update_slice(p);
    case XG_GATHER: return xg_dyn_gather(p);
    case XG_SCATTER: return xg_dyn_scatter(p);
    case XG_DOT: return xg_dyn_dot(p);
    case XG_CONVOLUTION: return xg_dyn_convolution(p);
    case XG_CHOLESKY:
    case XG_TRIANGULAR_SOLVE: return xg_dyn_batched(p, 2);
    case XG_FFT: return xg_dyn_batched(p, xg_attr_ints(p->i, XG_A_fft_length).n);
    case XG_TOPK: return xg_dyn_topk(p);
    case XG_BATCH_NORM_TRAINING:
    case XG_BATCH_NORM_INFERENCE:
    case XG_BATCH_NORM_GRAD: return xg_dyn_batch_norm(p);
    case XG_REDUCE: return xg_dyn_reduce(p);
    case XG_REDUCE_WINDOW: return xg_dyn_reduce_window(p);
    case XG_SELECT_AND_SCATTER: return xg_dyn_select_and_scatter(p);
    case XG_SORT: return xg_dyn_sort(p);
    case XG_GET_DIMENSION_SIZE: return xg_dyn_get_dimension_size(p);
    case XG_SET_DIMENSION_SIZE: return xg_dyn_set_dimension_size(p);
    case XG_CUSTOM_CALL: return xg_dyn_custom_call(p);
    default:
        if (xg_op_flags(p->i->op) & XGF_EW) return xg_dyn_elementwise(p);
        xg_dyn_refuse(p, "dynamic dimensions");
    }
}

#endif /* XG_EXPAND_DYNAMIC_RULES_C */
