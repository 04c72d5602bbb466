/* opt/reducer.c -- what partial results of a reduce may start from, so that they can be combined in any tree.
 *
 * HLO lets a reduce be reassociated. If reducer(init, init) = init, the init value may then be taken in any number of
 * times; the evaluator says so for constants, where that is little work (reductions inside of reducers multiply it),
 * and maximum, minimum, and, or are so whatever the value is. Other sums and products start from the neutral element of
 * the operation, and the init value comes in once, at the end. Of other computations nothing is known. */
#ifndef XG_OPT_REDUCER_C
#define XG_OPT_REDUCER_C
#include "../eval/eval.h"
#include "opt.h"

enum {
    XG_REDUCER_WORK = 1 << 12
};

XG_FN bool xg_reducer_is_plain(const xg_comp *c) {
    const xg_inst *r = c->root;
    return c->n_params == 2 && r->n_operands == 2 && XG_OPERAND(r, 0) != XG_OPERAND(r, 1) &&
           XG_OPERAND(r, 0)->op == XG_PARAMETER && XG_OPERAND(r, 1)->op == XG_PARAMETER;
}
XG_FN bool xg_reducer_same_bits(const xg_literal *x, const xg_literal *y) {
    return x->data && y->data && x->shape->elements == 1 && y->shape->elements == 1 &&
           memcmp(x->data, y->data, (size_t)xg_type_bytes(x->shape->type)) == 0;
}
XG_FN bool xg_reducer_is_idempotent(const xg_inst *reduce, xg_arena *a) {
    uint32_t n = reduce->n_operands / 2, k;
    xg_comp *comp = xg_attr_to_apply(reduce);
    const xg_literal **args = XG_NEW_N(a, const xg_literal *, 2 * n + 1), *r;
    xg_eval_options o;
    for (k = 0; k < n; k++) {
        const xg_inst *init = XG_OPERAND(reduce, n + k);
        if (init->op != XG_CONSTANT || init->literal->elided || !init->literal->data) return false;
        args[k] = args[n + k] = init->literal;
    }
    /* elsewhere, or once more, it may be otherwise */
    XG_FOR_INSTS(i, comp)
        if ((xg_op_flags(i->op) & XGF_EFFECT) || i->op == XG_REPLICA_ID || i->op == XG_PARTITION_ID) return false;
    memset(&o, 0, sizeof o);
    o.max_work = XG_REDUCER_WORK;
    o.may_refuse = true;
    r = xg_eval_comp(comp, a, args, 2 * n, &o);
    if (!r) return false;
    for (k = 0; k < n; k++)
        if (!xg_reducer_same_bits(r->shape->type == XLAGPU_TUPLE ? r->elems[k] : r, args[k])) return false;
    return true;
}
/* What the operation says, whatever the init value is. */
XG_FN xg_reducer_start xg_reducer_start_plain(const xg_inst *reduce) {
    const xg_comp *comp = xg_attr_to_apply(reduce);
    int cls = xg_type_class(XG_OPERAND(reduce, 0)->shape->type);
    if (!xg_reducer_is_plain(comp)) return XG_REDUCER_UNKNOWN;
    switch (comp->root->op) {
    case XG_MAXIMUM:
    case XG_MINIMUM:
    case XG_AND:
    case XG_OR: return XG_REDUCER_FROM_INIT;
    case XG_ADD: return cls == XGT_I || cls == XGT_F || cls == XGT_C ? XG_REDUCER_FROM_NEUTRAL : XG_REDUCER_UNKNOWN;
    case XG_MULTIPLY: return cls == XGT_I || cls == XGT_F ? XG_REDUCER_FROM_NEUTRAL : XG_REDUCER_UNKNOWN;
    case XG_XOR: return cls == XGT_I ? XG_REDUCER_FROM_NEUTRAL : XG_REDUCER_UNKNOWN;
    default: return XG_REDUCER_UNKNOWN;
    }
}
/* A sum from 0, which the evaluator need not be asked about. */
XG_FN bool xg_reducer_sums_from_zero(const xg_inst *reduce) {
    const xg_inst *init = XG_OPERAND(reduce, reduce->n_operands / 2);
    const char *p;
    int64_t k, n;
    if (!xg_reducer_is_sum(xg_attr_to_apply(reduce)) || init->op != XG_CONSTANT || init->literal->elided ||
        !init->literal->data)
        return false;
    p = (const char *)init->literal->data;
    for (k = 0, n = xg_type_bytes(init->shape->type); k < n && !p[k]; k++) {}
    return k == n;
}
XG_FN xg_reducer_start xg_reducer_start_of(const xg_inst *reduce, xg_arena *a) {
    xg_reducer_start plain = xg_reducer_start_plain(reduce);
    if (plain == XG_REDUCER_FROM_INIT || (plain != XG_REDUCER_UNKNOWN && xg_reducer_sums_from_zero(reduce)))
        return XG_REDUCER_FROM_INIT;
    return xg_reducer_is_idempotent(reduce, a) ? XG_REDUCER_FROM_INIT : plain;
}
XG_FN bool xg_reducer_is_known(const xg_inst *reduce, xg_arena *a) {
    return xg_reducer_start_plain(reduce) != XG_REDUCER_UNKNOWN || xg_reducer_is_idempotent(reduce, a);
}
/* x + -0 = x for every x; for integers 1 or 0 */
XG_ONE_COPY XG_FN double xg_reducer_neutral(const xg_comp *c) { return c->root->op == XG_MULTIPLY ? 1 : -0.0; }

/* add(p0, p1) in either order, of one type. */
XG_FN bool xg_reducer_is_sum(const xg_comp *c) { return xg_reducer_is_plain(c) && c->root->op == XG_ADD; }
XG_FN xlagpu_type xg_reducer_wide(const xg_comp *c, xlagpu_type t) {
    return xg_reducer_is_sum(c) && xg_type_class(t) == XGT_F && xg_type_bits(t) < 32 ? XLAGPU_F32 : XLAGPU_INVALID;
}

/* ---- windows that are running sums ---- */

XG_FN bool xg_window_is_scan(const xg_inst *i, uint32_t *dim, bool *reverse) {
    const xg_attr *a = xg_inst_attr(i, XG_A_window);
    const xg_shape *in = XG_OPERAND(i, 0)->shape;
    uint32_t found = UINT32_MAX, k;
    if (i->op != XG_REDUCE_WINDOW || !a || a->v.window->n != in->rank || in->dynamic) return false;
    for (k = 0; k < in->rank; k++) {
        const xg_window_dim *w = &a->v.window->p[k];
        if (w->stride != 1 || w->base_dilation != 1 || w->window_dilation != 1 || w->reversal) return false;
        if (w->size == 1 && w->pad_low == 0 && w->pad_high == 0) continue;
        if (found != UINT32_MAX || w->size < in->dims[k] || w->pad_low + w->pad_high != w->size - 1 ||
            (w->pad_low && w->pad_high))
            return false;
        found = k;
        *reverse = w->pad_low == 0;
    }
    *dim = found;
    return found != UINT32_MAX;
}

XG_FN int xg_reducer_opcode(const xg_comp *c) {
    const xg_inst *r = c->root;
    if (c->n_params != 2 || r->n_operands != 2 || !(xg_op_flags(r->op) & XGF_COMM) || r->op == XG_MULHI) return -1;
    if (XG_OPERAND(r, 0) == c->params[0] && XG_OPERAND(r, 1) == c->params[1]) return (int)r->op;
    return XG_OPERAND(r, 0) == c->params[1] && XG_OPERAND(r, 1) == c->params[0] ? (int)r->op : -1;
}

#endif /* XG_OPT_REDUCER_C */
