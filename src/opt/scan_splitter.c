/* opt/scan_splitter.c -- a running sum that few threads would have to do alone becomes one of many parts, a small one over their ends, and a sum of the two.
 *
 *     x: f32[n]   ==>   s = running sum along L of f32[P,L] bitcast(pad(x));  e = running sum of the parts' ends, moved on by one part;  slice(e + s)
 *
 * Each element is read and written twice instead of once, but by the whole device. The padding is the init value, which may be taken in any number of times, or
 * the running sum is left alone. Only for reducers that are one operation, which is then done element by element. */
#ifndef XG_OPT_SCAN_SPLITTER_C
#define XG_OPT_SCAN_SPLITTER_C
#include "opt.h"

enum { XG_SPLIT_PART = 4096 /* elements of a row that a block takes at least */, XG_SPLIT_STEPS = 64 /* of a thread down a column */, XG_SPLIT_THREADS = 512 /* columns for each multiprocessor */ };

/* Into how many parts; 1: none. */
XG_FN int64_t xg_split_parts(const xg_inst *i, uint32_t dim) {
    const xg_module *m = i->comp->module;
    const xg_shape *s = XG_OPERAND(i, 0)->shape;
    int64_t sms = m->machine.sms ? (int64_t)m->machine.sms : (int64_t)XG_TREE_SMS, length = s->dims[dim], others = s->elements / length;
    uint32_t k;
    for (k = 0; k < s->rank && s->dims[xg_tree_minor(s, k)] == 1; k++) {}
    if (k < s->rank && xg_tree_minor(s, k) == dim) return others >= sms / 2 || length < 8 * XG_SPLIT_PART ? 1 : XG_MIN((2 * sms + others - 1) / others, length / XG_SPLIT_PART);
    return others >= sms * XG_SPLIT_THREADS / 4 || length < 8 * XG_SPLIT_STEPS ? 1 : XG_MIN((sms * XG_SPLIT_THREADS + others - 1) / others, length / XG_SPLIT_STEPS);
}
XG_FN xg_inst *xg_split_like(xg_inst *i, const xg_inst *from) {
    i->shape = xg_shape_with_layout(i->comp->module, i->shape, from->shape->layout);
    return i;
}
/* The same running sum, along another dimension of another array. */
XG_FN xg_inst *xg_split_window(const xg_hb *b, const xg_inst *i, xg_inst *x, uint32_t dim, bool reverse) {
    xg_module *m = b->comp->module;
    xg_window *w = XG_NEW(m->arena, xg_window);
    xg_window_dim *dims = XG_NEW_N(m->arena, xg_window_dim, x->shape->rank + 1);
    xg_attr a = xg_attr_make(XG_A_window);
    xg_inst *in[2], *r;
    uint32_t k;
    for (k = 0; k < x->shape->rank; k++) {
        dims[k].size = dims[k].stride = dims[k].base_dilation = dims[k].window_dilation = 1;
        if (k != dim) continue;
        dims[k].size = x->shape->dims[k];
        *(reverse ? &dims[k].pad_high : &dims[k].pad_low) = x->shape->dims[k] - 1;
    }
    w->n = x->shape->rank;
    w->p = dims;
    a.v.window = w;
    in[0] = x;
    in[1] = XG_OPERAND(i, 1);
    r = xg_hb_op(b, XG_REDUCE_WINDOW, x->shape, in, 2);
    xg_inst_set_attr(r, a);
    xg_inst_set_attr(r, xg_attr_make_comp(XG_A_to_apply, xg_attr_comp(i, XG_A_to_apply)));
    return r;
}
XG_FN bool xg_split_scan(xg_inst *i) {
    xg_module *m = i->comp->module;
    xg_hb b = xg_hb_at(i);
    const xg_comp *comp = xg_attr_comp(i, XG_A_to_apply);
    xg_inst *x = XG_OPERAND(i, 0), *init, *s, *ends, *before, *in[2];
    int64_t parts, gone, places[XG_RANK_MAX];
    xg_pad_dim pads[XG_RANK_MAX];
    const xg_shape *shape;
    bool reverse;
    uint32_t dim, k;
    xg_tree t;
    if (i->n_operands != 2 || i->shape->type == XLAGPU_TUPLE || !xg_window_is_scan(i, &dim, &reverse) || x->shape->elements == 0 || x->shape->rank >= XG_RANK_MAX) return false;
    parts = xg_split_parts(i, dim);
    if (parts < 2 || !xg_reducer_is_plain(comp) || xg_reducer_start_of(i, m->arena) != XG_REDUCER_FROM_INIT) return false;
    memset(&t, 0, sizeof t);
    t.i = i;
    t.in = x->shape;
    t.dim = dim;
    t.length = ((x->shape->dims[dim] + parts - 1) / parts + 31) / 32 * 32;
    t.parts = (x->shape->dims[dim] + t.length - 1) / t.length;
    init = XG_OPERAND(i, 1);
    s = xg_split_window(&b, i, xg_tree_operand(&b, &t, x, init), dim + 1, reverse);
    ends = xg_split_like(xg_hb_slice_dim(&b, s, dim + 1, reverse ? 0 : t.length - 1, reverse ? 1 : t.length), s);
    gone = dim + 1;
    shape = xg_tree_rest(m, ends->shape, &gone, 1);
    ends = xg_hb_op(&b, XG_BITCAST, shape, &ends, 1);
    ends = xg_split_window(&b, i, ends, dim, reverse);
    before = xg_split_like(xg_hb_slice_dim(&b, ends, dim, reverse, t.parts - !reverse), ends);
    memset(pads, 0, sizeof pads);
    *(reverse ? &pads[dim].high : &pads[dim].low) = 1;
    before = xg_split_like(xg_hb_pad(&b, before, init, pads), ends);
    for (k = 0; k < shape->rank; k++) places[k] = k <= dim ? k : k + 1;
    in[0] = xg_split_like(xg_hb_broadcast(&b, before, s->shape->dims, s->shape->rank, places, shape->rank), s);
    in[1] = s;
    s = xg_hb_op(&b, comp->root->op, s->shape, in, 2);
    {
        int64_t dims[XG_RANK_MAX];
        for (k = 0; k < x->shape->rank; k++) dims[k] = k == dim ? t.parts * t.length : x->shape->dims[k];
        shape = xg_shape_with_layout(m, xg_shape_array(m, x->shape->type, dims, x->shape->rank, NULL, NULL), x->shape->layout);
        s = xg_hb_op(&b, XG_BITCAST, shape, &s, 1);
    }
    if (shape->dims[dim] != x->shape->dims[dim]) s = xg_split_like(xg_hb_slice_dim(&b, s, dim, 0, x->shape->dims[dim]), x);
    if (s->shape != i->shape) s = xg_hb_op(&b, XG_COPY, i->shape, &s, 1);
    xg_inst_replace(i, s);
    xg_inst_remove(i);
    return true;
}
XG_FN bool xg_split_step(xg_inst *i) { return i->op == XG_REDUCE_WINDOW && xg_split_scan(i); }
XG_FN bool xg_opt_scan_splitter(xg_module *m) { return m->made[XG_REDUCE_WINDOW] && xg_opt_each_step(m, xg_split_step); }

#endif /* XG_OPT_SCAN_SPLITTER_C */
