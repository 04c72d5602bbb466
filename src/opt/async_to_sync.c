/* opt/async_to_sync.c -- convert-async-collectives-to-sync: what starts in one place and is waited for in another happens where it is waited for.
 *
 *     s = async-start(x), calls=c;  ...;  d = async-done(s)   ==>   d = the copy of c's root, of x
 *     s = all-reduce-start(x);      ...;  d = all-reduce-done(s)   ==>   d = all-reduce(x)
 * Kernels of one stream run one behind the other anyway. Copies keep their two ends: the device makes them beside kernels. A start that somebody else looks into stays. */
#ifndef XG_OPT_ASYNC_TO_SYNC_C
#define XG_OPT_ASYNC_TO_SYNC_C
#include "opt.h"

XG_FN xg_inst *xg_sync_start(const xg_inst *done) {
    xg_inst *i = XG_OPERAND(done, 0);
    while (i->op == XG_ASYNC_UPDATE && i->first_use && !i->first_use->next) i = XG_OPERAND(i, 0);
    return i->first_use && !i->first_use->next && i != i->comp->root ? i : NULL;
}
XG_FN xg_opcode xg_sync_op(const xg_inst *start) {
    switch (start->op) {
    case XG_ALL_REDUCE_START: return XG_ALL_REDUCE;
    case XG_ALL_GATHER_START: return XG_ALL_GATHER;
    case XG_COLLECTIVE_PERMUTE_START: return XG_COLLECTIVE_PERMUTE;
    default: return start->op;
    }
}
XG_FN bool xg_sync_matches(const xg_inst *i) {
    const xg_inst *start;
    switch (i->op) {
    case XG_ASYNC_DONE: case XG_ALL_REDUCE_DONE: case XG_ALL_GATHER_DONE: case XG_COLLECTIVE_PERMUTE_DONE: break;
    default: return false;
    }
    start = xg_sync_start(i);
    return start && (i->op == XG_ASYNC_DONE ? start->op == XG_ASYNC_START && xg_attr_comp(start, XG_A_calls) != NULL : xg_sync_op(start) != start->op);
}
XG_FN xg_inst *xg_sync_expand(const xg_hb *b, xg_inst *i) {
    xg_inst *start = xg_sync_start(i), *made, **in = XG_NEW_N(b->comp->module->arena, xg_inst *, start->n_operands + i->shape->n_elems + (size_t)1);
    uint32_t k;
    for (k = 0; k < start->n_operands; k++) in[k] = XG_OPERAND(start, k);
    if (start->op == XG_ASYNC_START) made = xg_hb_as(b, xg_opt_inline(xg_attr_comp(start, XG_A_calls), b->comp, b->before, in), i->shape);
    else {
        made = xg_hb_op(b, xg_sync_op(start), i->shape, in, start->n_operands);
        for (k = 0; k < start->n_attrs; k++) if (start->attrs[k].key != XG_A_control_predecessors) xg_inst_set_attr(made, start->attrs[k]);
    }
    if (made->shape->type != XLAGPU_TUPLE) return made;
    for (k = 0; k < made->shape->n_elems; k++) in[k] = xg_hb_element(b, made, k);
    return xg_hb_tuple(b, in, made->shape->n_elems);
}
/* Starts and updates whose end has gone. */
XG_FN void xg_sync_clean(xg_comp *c) {
    xg_inst *i, *before;
    for (i = c->last; i; i = before) {
        before = i->prev;
        if ((i->op == XG_ASYNC_UPDATE || i->op == XG_ASYNC_START || xg_sync_op(i) != i->op) && !i->first_use && i != c->root) xg_inst_remove(i);
    }
}
XG_FN bool xg_opt_async_to_sync(xg_module *m) {
    xg_comp *c;
    if (!m->made[XG_ASYNC_DONE] && !m->made[XG_ALL_REDUCE_DONE] && !m->made[XG_ALL_GATHER_DONE] && !m->made[XG_COLLECTIVE_PERMUTE_DONE]) return false;
    if (!xg_opt_expand(m, xg_sync_matches, xg_sync_expand)) return false;
    for (c = m->first; c; c = c->next) xg_sync_clean(c);
    return true;
}

#endif /* XG_OPT_ASYNC_TO_SYNC_C */
