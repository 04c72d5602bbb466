/* opt/scan_splitter.c -- a running sum that few threads would have to do alone becomes one of many parts, a small one
 * over their ends, and a sum of the two.
 *
 *     x: f32[n]   ==>   s = running sum along L of f32[P,L] bitcast(pad(x));  e = running sum of the parts' ends, moved
 *                 on by one part;  slice(e + s)
 *
 * Each element is read and written twice instead of once, but by the whole device. The padding is the init value, which
 * may be taken in any number of times, or the running sum is left alone. Only for reducers of elementwise operations,
 * which are then done element by element; of several values, too. */
#ifndef XG_OPT_SCAN_SPLITTER_C
#define XG_OPT_SCAN_SPLITTER_C
#include "opt.h"
#include "tree_reduction.c"

enum {
    XG_SPLIT_PART = 4096 /* elements of a row that a block takes at least */,
    XG_SPLIT_STEPS = 64 /* of a thread down a column */,
    XG_SPLIT_THREADS = 512 /* columns for each multiprocessor */
};

/* Into how many parts; 1: none. */
XG_FN int64_t xg_split_parts(const xg_inst *i, uint32_t dim) {
    const xg_module *m = i->comp->module;
    const xg_shape *s = XG_OPERAND(i, 0)->shape;
    int64_t sms = m->device.sm_count, length = s->dims[dim], others = s->elements / length;
    uint32_t k;
    for (k = 0; k < s->rank && s->dims[xg_shape_minor(s, k)] == 1; k++) {}
    if (k < s->rank && xg_shape_minor(s, k) == dim)
        return others >= sms / 2 || length < 8 * XG_SPLIT_PART
                   ? 1
                   : XG_MIN((2 * sms + others - 1) / others, length / XG_SPLIT_PART);
    return others >= sms * XG_SPLIT_THREADS / 4 || length < 8 * XG_SPLIT_STEPS
               ? 1
               : XG_MIN((sms * XG_SPLIT_THREADS + others - 1) / others, length / XG_SPLIT_STEPS);
}
XG_FN xg_inst *xg_split_like(xg_inst *i, const xg_inst *from) {
    i->shape = xg_shape_with_layout(i->comp->module, i->shape, from->shape->layout);
    return i;
}
/* The same running sums, along another dimension of other arrays. */
XG_FN void xg_split_window(
    const xg_hb *b, const xg_inst *i, xg_inst *const *x, uint32_t dim, bool reverse, xg_inst **out) {
    uint32_t n = i->n_operands / 2, k;
    xg_inst **in = XG_NEW_N(b->comp->module->arena, xg_inst *, i->n_operands + (size_t)1), *r;
    for (k = 0; k < n; k++) {
        in[k] = x[k];
        in[n + k] = XG_OPERAND(i, n + k);
    }
    r = xg_hb_scan(b, in, n, xg_attr_to_apply(i), dim, reverse);
    for (k = 0; k < n; k++) out[k] = r->shape->type == XLAGPU_TUPLE ? xg_split_like(xg_hb_element(b, r, k), x[k]) : r;
}
/* A computation of elementwise operations, */
XG_FN bool xg_split_may_apply(const xg_comp *c) {
    XG_FOR_INSTS(i, c) {
        if (i->op == XG_PARAMETER || (i->op == XG_TUPLE && i == c->root) ||
            (i->op == XG_CONSTANT && i->shape->rank == 0))
            continue;
        if (!(xg_op_flags(i->op) & XGF_EW)) return false;
    }
    return true;
}
/* on whole arrays, laid out like the first one. */
XG_FN void xg_split_apply(const xg_hb *b, const xg_comp *c, xg_inst *const *args, xg_inst **out) {
    xg_module *m = b->comp->module;
    const xg_shape *whole = args[0]->shape;
    xg_map64 made;
    uint32_t k;
    xg_map64_init(&made, m->arena);
    XG_FOR_INSTS(s, c) {
        xg_inst *now, *in[3];
        if (s->op == XG_TUPLE) continue;
        if (s->op == XG_PARAMETER)
            now = args[s->number];
        else if (s->op == XG_CONSTANT)
            now = xg_split_like(xg_hb_splat(b, xg_hb_literal(b, s->literal), whole->dims, whole->rank), args[0]);
        else {
            for (k = 0; k < s->n_operands; k++)
                in[k] = (xg_inst *)xg_map64_get(&made, (uint64_t)XG_OPERAND(s, k)->id + 1);
            now = xg_inst_clone((xg_inst *)(uintptr_t)s, b->comp, in, b->before);
            now->shape = xg_shape_with_type(m, whole, s->shape->type);
        }
        xg_map64_put(&made, (uint64_t)s->id + 1, now);
    }
    for (k = 0; k < c->n_params / 2; k++)
        out[k] = (xg_inst *)xg_map64_get(
            &made, (uint64_t)(c->root->op == XG_TUPLE ? XG_OPERAND(c->root, k) : c->root)->id + 1);
}
/* What comes before each part: of the sums of all elements of the parts, those up to the part before; for each element
 * of s, a sum inside of a part. */
XG_FN void xg_split_before(
    const xg_hb *b, const xg_tree *t, const xg_inst *i, xg_inst *const *s, bool reverse, xg_inst **before) {
    xg_module *m = b->comp->module;
    uint32_t n = i->n_operands / 2, dim = t->dim, k, d;
    int64_t gone = dim + 1, places[XG_RANK_MAX];
    xg_inst **ends = XG_NEW_N(m->arena, xg_inst *, n + (size_t)1);
    xg_pad_dim pads[XG_RANK_MAX];
    memset(pads, 0, sizeof pads);
    *(reverse ? &pads[dim].high : &pads[dim].low) = 1;
    for (k = 0; k < n; k++) {
        xg_inst *last = xg_split_like(
            xg_hb_slice_dim(b, s[k], dim + 1, reverse ? 0 : t->length - 1, reverse ? 1 : t->length), s[k]);
        ends[k] = xg_hb_of(b, XG_BITCAST, xg_tree_rest(m, last->shape, &gone, 1), last);
    }
    xg_split_window(b, i, ends, dim, reverse, before);
    for (k = 0; k < n; k++) {
        const xg_shape *shape = ends[k]->shape;
        before[k] = xg_split_like(xg_hb_slice_dim(b, before[k], dim, reverse, t->parts - !reverse), ends[k]);
        before[k] = xg_split_like(xg_hb_pad(b, before[k], XG_OPERAND(i, n + k), pads), ends[k]);
        for (d = 0; d < shape->rank; d++) places[d] = d <= dim ? d : d + 1;
        before[k] = xg_split_like(
            xg_hb_broadcast(b, before[k], s[k]->shape->dims, s[k]->shape->rank, places, shape->rank), s[k]);
    }
}
/* The elements of the parts, one behind the other, as the scan's result k. */
XG_FN xg_inst *xg_split_whole(const xg_hb *b, const xg_tree *t, const xg_inst *i, uint32_t k, xg_inst *y) {
    xg_module *m = b->comp->module;
    const xg_inst *x = XG_OPERAND(i, k);
    const xg_shape *as = i->shape->type == XLAGPU_TUPLE ? i->shape->elems[k] : i->shape, *shape;
    int64_t dims[XG_RANK_MAX];
    uint32_t d;
    for (d = 0; d < x->shape->rank; d++) dims[d] = d == t->dim ? t->parts * t->length : x->shape->dims[d];
    shape = xg_shape_with_layout(m, xg_shape_plain(m, x->shape->type, dims, x->shape->rank), x->shape->layout);
    y = xg_hb_of(b, XG_BITCAST, shape, y);
    if (shape->dims[t->dim] != x->shape->dims[t->dim])
        y = xg_split_like(xg_hb_slice_dim(b, y, t->dim, 0, x->shape->dims[t->dim]), x);
    return y->shape == as ? y : xg_hb_of(b, XG_COPY, as, y);
}
XG_FN bool xg_split_scan(xg_inst *i) {
    xg_module *m = i->comp->module;
    xg_hb b = xg_hb_at(i);
    const xg_comp *comp = xg_attr_to_apply(i);
    const xg_shape *in = XG_OPERAND(i, 0)->shape;
    uint32_t n = i->n_operands / 2, dim, k;
    xg_inst **s, **args;
    int64_t parts, cut;
    bool reverse;
    xg_tree t;
    if (!xg_window_is_scan(i, &dim, &reverse) || in->elements == 0 || in->rank >= XG_RANK_MAX) return false;
    for (k = 1; k < n; k++)
        if (XG_OPERAND(i, k)->shape->layout != in->layout) return false;
    parts = xg_split_parts(i, dim);
    if (parts < 2 || !xg_split_may_apply(comp) || xg_reducer_start_of(i, m->arena) != XG_REDUCER_FROM_INIT)
        return false;
    memset(&t, 0, sizeof t);
    t.i = i;
    t.in = in;
    t.dim = dim;
    for (cut = parts; cut > parts / 2 && (in->dims[dim] % cut || in->dims[dim] / cut % 8); cut--) {
    } /* if possible, nothing is padded */
    t.length = cut > parts / 2 ? in->dims[dim] / cut : ((in->dims[dim] + parts - 1) / parts + 31) / 32 * 32;
    t.parts = (in->dims[dim] + t.length - 1) / t.length;
    s = XG_NEW_N(m->arena, xg_inst *, n + (size_t)1);
    args = XG_NEW_N(m->arena, xg_inst *, 2 * (size_t)n + 1);
    for (k = 0; k < n; k++) s[k] = xg_tree_operand(&b, &t, XG_OPERAND(i, k), XG_OPERAND(i, n + k));
    xg_split_window(&b, i, s, dim + 1, reverse, s);
    xg_split_before(&b, &t, i, s, reverse, reverse ? args + n : args); /* what is earlier in memory comes first */
    memcpy(reverse ? args : args + n, s, n * sizeof *s);
    xg_split_apply(&b, comp, args, s);
    for (k = 0; k < n; k++) s[k] = xg_split_whole(&b, &t, i, k, s[k]);
    if (i->shape->type == XLAGPU_TUPLE)
        xg_opt_replace_tuple(i, s);
    else
        xg_inst_replace(i, s[0]);
    xg_inst_remove(i);
    return true;
}
XG_FN bool xg_split_step(xg_inst *i) { return i->op == XG_REDUCE_WINDOW && xg_split_scan(i); }
XG_FN bool xg_opt_scan_splitter(xg_module *m) {
    return m->made[XG_REDUCE_WINDOW] && xg_opt_each_step(m, xg_split_step);
}

#endif /* XG_OPT_SCAN_SPLITTER_C */
