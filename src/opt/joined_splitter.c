/* opt/joined_splitter.c -- what is joined for a reduction and cut apart again is never joined, as the logit that each
 * row of an attention has beside its scores (a sink):
 *
 *     c = concatenate(x, y)                    of y little
 *     reduce(f(c))                             op(reduce(f(x)), reduce(f(y)))
 *     slice(g(c, reduce(f(c))))                g(x, ..)
 *
 * f and g are elementwise. Nothing else may read what is as long as c. */
#ifndef XG_OPT_JOINED_SPLITTER_C
#define XG_OPT_JOINED_SPLITTER_C
#include "opt.h"

enum {
    XG_JOINED_MEMBERS = 64,
    XG_JOINED_OPERANDS = 3,
    XG_JOINED_SHARE = 8 /* elements of x for one of y, at least */
};
typedef struct xg_joined {
    uint32_t n, dim, slices;
    int64_t at;                    /* where y begins */
    xg_inst *p[XG_JOINED_MEMBERS]; /* as long as c: it, and what is made of it */
    xg_map64 parts[2];
} xg_joined;

/* A slice of all that comes from one side; -1: another one. */
XG_FN int xg_joined_side(const xg_joined *w, const xg_inst *i) {
    const xg_slice_dim *s = &xg_inst_attr(i, XG_A_slice)->v.slices->p[w->dim];
    int64_t size = i->shape->dims[w->dim], end = w->p[0]->shape->dims[w->dim];
    if (!size || s->limit - s->start != size || i->shape->elements / size != w->p[0]->shape->elements / end) return -1;
    if (s->start == 0 && s->limit == w->at) return 0;
    return s->start == w->at && s->limit == end ? 1 : -1;
}
/* A reduction of both sides is made of those of each. */
XG_FN bool xg_joined_reduces(const xg_joined *w, const xg_inst *i) {
    xg_ints dims = xg_attr_dims(i);
    int op = xg_reducer_opcode(xg_attr_to_apply(i));
    if (dims.n != 1 || dims.p[0] != w->dim || i->n_operands != 2) return false;
    return op == XG_MAXIMUM || op == XG_MINIMUM || (op == XG_ADD && xg_attention_is_zero(XG_OPERAND(i, 1)));
}
XG_FN bool xg_joined_is_elementwise(const xg_joined *w, const xg_inst *i) {
    return (xg_op_flags(i->op) & XGF_EW) && i->n_operands <= XG_JOINED_OPERANDS &&
           xg_dims_equal(i->shape, w->p[0]->shape->dims, w->p[0]->shape->rank);
}
XG_FN bool xg_joined_take(xg_joined *w, xg_inst *x) {
    uint32_t k;
    for (k = 0; k < w->n; k++)
        if (w->p[k] == x) return true;
    if (w->n == XG_JOINED_MEMBERS || x == x->comp->root || xg_inst_attr(x, XG_A_control_predecessors)) return false;
    w->p[w->n++] = x;
    for (k = 0; k < x->n_operands; k++)
        if (x != w->p[0] && xg_joined_is_elementwise(w, XG_OPERAND(x, k)) && !xg_joined_take(w, XG_OPERAND(x, k)))
            return false;
    XG_FOR_USES(u, x) {
        const xg_inst *i = u->user;
        bool reduced = i->op == XG_REDUCE && XG_USE_INDEX(u) == 0 && xg_joined_reduces(w, i);
        bool sliced = i->op == XG_SLICE && xg_joined_side(w, i) >= 0;
        w->slices += sliced;
        if (!reduced && !sliced && !(xg_joined_is_elementwise(w, i) && xg_joined_take(w, u->user))) return false;
    }
    return true;
}
XG_FN xg_inst *xg_joined_part(xg_joined *w, xg_inst *x, uint32_t side) {
    xg_inst *made = (xg_inst *)xg_map64_get(&w->parts[side], x->id), *operands[XG_JOINED_OPERANDS];
    int64_t dims[XG_RANK_MAX], end = w->p[0]->shape->dims[w->dim];
    xg_hb b = xg_hb_at(x->next); /* something reads it */
    uint32_t k;
    if (made) return made;
    if (x == w->p[0]) return XG_OPERAND(x, side);
    if (!xg_dims_equal(x->shape, w->p[0]->shape->dims, w->p[0]->shape->rank)) return x;
    memcpy(dims, x->shape->dims, x->shape->rank * sizeof *dims);
    dims[w->dim] = side ? end - w->at : w->at;
    for (k = 0; k < w->n && w->p[k] != x; k++) {}
    if (k < w->n) {
        for (k = 0; k < x->n_operands; k++) operands[k] = xg_joined_part(w, XG_OPERAND(x, k), side);
        made = xg_inst_clone(x, x->comp, operands, x);
        made->shape = xg_hb_shape(&b, x->shape->type, dims, x->shape->rank);
    } else
        made = xg_hb_slice_dim(&b, x, w->dim, side ? w->at : 0, side ? end : w->at);
    xg_map64_put(&w->parts[side], x->id, made);
    return made;
}
XG_FN void xg_joined_split_reduce(xg_joined *w, xg_inst *i) {
    xg_opcode op = (xg_opcode)xg_reducer_opcode(xg_attr_to_apply(i));
    xg_hb b = xg_hb_at(i);
    xg_inst *made[2], *operands[2];
    uint32_t k;
    operands[1] = XG_OPERAND(i, 1);
    for (k = 0; k < 2; k++) {
        operands[0] = xg_joined_part(w, XG_OPERAND(i, 0), k);
        made[k] = xg_inst_clone(i, i->comp, operands, i);
    }
    xg_inst_replace(i, xg_hb_2(&b, op, made[0], made[1]));
}
XG_APART XG_FN bool xg_joined_split(xg_inst *c) {
    xg_joined *w = XG_NEW(c->comp->module->work, xg_joined);
    xg_inst *i, *next;
    uint32_t k;
    w->dim = (uint32_t)xg_attr_dims(c).p[0];
    w->at = XG_OPERAND(c, 0)->shape->dims[w->dim];
    if (c->shape->dynamic || w->at / XG_JOINED_SHARE < XG_OPERAND(c, 1)->shape->dims[w->dim] || !xg_joined_take(w, c) ||
        !w->slices)
        return false;
    for (k = 0; k < 2; k++) xg_map64_init(&w->parts[k], c->comp->module->work);
    for (i = c->next; i; i = next) {
        next = i->next;
        for (k = 0; k < w->n && (!i->n_operands || w->p[k] != XG_OPERAND(i, 0)); k++) {}
        if (k == w->n) continue;
        if (i->op == XG_REDUCE)
            xg_joined_split_reduce(w, i);
        else if (i->op == XG_SLICE)
            xg_inst_replace(i, xg_joined_part(w, XG_OPERAND(i, 0), (uint32_t)xg_joined_side(w, i)));
    }
    return true;
}
XG_FN bool xg_opt_joined_splitter(xg_module *m) {
    bool changed = false;
    xg_comp *c;
    if (!m->made[XG_CONCATENATE] || !m->made[XG_SLICE] || !m->made[XG_REDUCE]) return false;
    for (c = m->first; c; c = c->next)
        XG_FOR_INSTS(i, c)
            if (i->op == XG_CONCATENATE && i->n_operands == 2 && i->first_use) changed |= xg_joined_split(i);
    return changed;
}

#endif /* XG_OPT_JOINED_SPLITTER_C */
