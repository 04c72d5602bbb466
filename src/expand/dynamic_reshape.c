/* expand/dynamic_reshape.c -- reshapes of arrays with bounded dimensions: which sizes the result has, and where its
 * elements come from.
 *
 * Elements of a dynamic array lie densely by its sizes, not by its bounds. So groups of dimensions with the same
 * product of bounds are looked at one by one: where a size can be carried over, padding stays where it is; else the
 * elements are gathered anew. The rules of the other opcodes are in dynamic_rules.c. */
#ifndef XG_EXPAND_DYNAMIC_RESHAPE_C
#define XG_EXPAND_DYNAMIC_RESHAPE_C
#include "expand.h"
#include "dynamic_values.c"

/* Elements lie densely, whatever the bounds: element o of the result has the place that its sizes (out) say, and comes
 * from the element of x that x's sizes say is there. */
XG_FN xg_inst *xg_dyn_regather(xg_dyn *p, xg_inst *x, const int64_t *dims, uint32_t rank) {
    int64_t index_dims[XG_RANK_MAX + 1], flat[1], one[1] = {1}, none[1] = {0};
    xg_inst *place = NULL, *step = NULL, *from = NULL, *stride, *in[2], *g;
    uint32_t d;
    if (rank >= XG_RANK_MAX || x->shape->elements > INT32_MAX) xg_dyn_refuse(p, "so large an operand");
    for (d = rank; d-- > 0;) {
        xg_inst *at = xg_hb_iota(&p->b, XLAGPU_S32, dims, rank, d), *n = p->out[d] ? p->out[d] : xg_dyn_int(p, dims[d]);
        if (step) at = xg_hb_mul(&p->b, at, xg_hb_splat(&p->b, step, dims, rank));
        place = place ? xg_hb_add(&p->b, place, at) : at;
        step = step ? xg_hb_mul(&p->b, step, n) : n;
    }
    if (!place) place = xg_dyn_int(p, 0);
    stride = xg_dyn_int(p, 1);
    for (d = x->shape->rank; d-- > 0;) {
        xg_inst *n = xg_hb_splat(&p->b, xg_dyn_size_or_bound(p, x, d), dims, rank),
                *at = xg_hb_2(&p->b, XG_REMAINDER, place, n);
        at = xg_hb_mul(&p->b, at, xg_hb_splat(&p->b, stride, dims, rank));
        from = from ? xg_hb_add(&p->b, from, at) : at;
        if (d) {
            place = xg_hb_div(&p->b, place, n);
            stride = xg_dyn_times(p, stride, x->shape->dims[d]);
        }
    }
    if (!from) from = xg_hb_splat(&p->b, xg_dyn_int(p, 0), dims, rank);
    if (rank) memcpy(index_dims, dims, rank * sizeof *dims);
    index_dims[rank] = 1;
    flat[0] = x->shape->elements;
    in[0] = xg_hb_reshape(&p->b, x, flat, 1);
    in[1] = xg_hb_reshape(&p->b, from, index_dims, rank + 1);
    g = xg_hb_op(&p->b, XG_GATHER, xg_hb_shape(&p->b, x->shape->type, dims, rank), in, 2);
    xg_inst_set_ints(g, XG_A_offset_dims, none, 0);
    xg_inst_set_ints(g, XG_A_collapsed_slice_dims, none, 1);
    xg_inst_set_ints(g, XG_A_start_index_map, none, 1);
    xg_inst_set_int(g, XG_A_index_vector_dim, rank);
    xg_inst_set_ints(g, XG_A_slice_sizes, one, 1);
    return xg_hb_done(g);
}
/* Dimensions from .. to of which only the first that is not 1 may be dynamic: what is there lies in front. */
XG_FN bool xg_dyn_lies_in_front(const xg_shape *s, xg_inst *const *size, uint32_t from, uint32_t to) {
    bool first = true;
    for (; from < to; from++) {
        if (size[from] && !first) return false;
        if (s->dims[from] != 1 || size[from]) first = false;
    }
    return true;
}
XG_FN void xg_dyn_reshape_refuse(const xg_dyn *p) {
    xg_hlo_fail(p->i, XLAGPU_ERROR_UNSUPPORTED, "use dynamic-reshape",
        "the sizes of its result do not follow from those of its operand");
}

typedef struct xg_dyn_group {
    uint32_t from, from_end, to, to_end;
} xg_dyn_group;
/* The next dimensions of operand and result whose bounds have equal products. */
XG_FN void xg_dyn_next_group(const xg_dyn *p, const xg_shape *in, const xg_shape *out, xg_dyn_group *g) {
    int64_t a = g->from < in->rank ? in->dims[g->from] : 1, b = g->to < out->rank ? out->dims[g->to] : 1;
    g->from_end = g->from < in->rank ? g->from + 1 : g->from;
    g->to_end = g->to < out->rank ? g->to + 1 : g->to;
    while (a != b) {
        if (a < b && g->from_end < in->rank)
            a *= in->dims[g->from_end++];
        else if (b < a && g->to_end < out->rank)
            b *= out->dims[g->to_end++];
        else
            xg_dyn_reshape_refuse(p);
    }
}
/* The sizes of the result's dimensions in the group: one of them can be solved for. */
XG_APART XG_FN void xg_dyn_solve_group(xg_dyn *p, const xg_inst *x, const xg_dyn_group *g) {
    const xg_shape *out = p->i->shape;
    const xg_attr *inferred = xg_inst_attr(p->i, XG_A_inferred_dimension);
    int64_t known = 1, fixed = 1;
    uint32_t d, open = 0, open_at = 0;
    xg_inst *real = NULL;
    for (d = g->from; d < g->from_end; d++) {
        xg_inst *n = xg_dyn_size(x, d);
        if (!n)
            fixed *= x->shape->dims[d];
        else
            real = real ? xg_hb_mul(&p->b, real, n) : n;
    }
    if (!real) return;
    for (d = g->to; d < g->to_end; d++)
        if (xg_dyn_is_open(out, d)) {
            open++;
            open_at = d;
        } else
            known *= out->dims[d];
    if (open > 1 && inferred && inferred->v.i >= g->to && inferred->v.i < g->to_end) {
        open = 1;
        open_at = (uint32_t)inferred->v.i;
        for (known = 1, d = g->to; d < g->to_end; d++)
            if (d != open_at) known *= out->dims[d];
    }
    if (open != 1) xg_dyn_reshape_refuse(p);
    if (fixed % XG_MAX(known, (int64_t)1) == 0)
        p->out[open_at] = xg_dyn_times(p, real, fixed / XG_MAX(known, (int64_t)1));
    else
        p->out[open_at] = xg_dyn_over(p, xg_dyn_times(p, real, fixed), known);
}
XG_FN xg_inst *xg_dyn_reshape(xg_dyn *p) {
    xg_inst *x = XG_OPERAND(p->i, 0), *sizes[XG_RANK_MAX];
    const xg_shape *in = x->shape, *out = p->i->shape;
    xg_dyn_group g = {0, 0, 0, 0};
    bool front = true;
    uint32_t d;
    if (!x->scratch) return p->i;
    for (d = 0; d < in->rank; d++) sizes[d] = xg_dyn_size(x, d);
    for (; g.from < in->rank || g.to < out->rank; g.from = g.from_end, g.to = g.to_end) {
        xg_dyn_next_group(p, in, out, &g);
        xg_dyn_solve_group(p, x, &g);
        front = front && xg_dyn_lies_in_front(in, sizes, g.from, g.from_end) &&
                xg_dyn_lies_in_front(out, p->out, g.to, g.to_end);
    }
    return front ? p->i : xg_dyn_regather(p, x, out->dims, out->rank);
}
XG_FN xg_inst *xg_dyn_dynamic_reshape(xg_dyn *p) {
    const xg_shape *s = p->i->shape;
    uint32_t d;
    for (d = 0; d < s->rank; d++)
        if (xg_dyn_is_open(s, d)) p->out[d] = xg_dyn_given_size(p, XG_OPERAND(p->i, d + 1), s->dims[d]);
    return xg_dyn_regather(p, XG_OPERAND(p->i, 0), s->dims, s->rank);
}

#endif /* XG_EXPAND_DYNAMIC_RESHAPE_C */
