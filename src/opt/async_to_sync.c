/* opt/async_to_sync.c -- ConvertAsyncCollectivesToSync: what begins here and ends there happens at once.
 *
 *     all-reduce-done(all-reduce-start(x))  ==>  all-reduce(x)            so for all-gather and collective-permute
 *     async-done(async-start(x), calls=f)   ==>  what f computes of x     with any number of async-updates between
 *
 * One stream runs one step after the other; and passes know collectives in one form only. A start with control predecessors keeps them. */
#ifndef XG_OPT_ASYNC_TO_SYNC_C
#define XG_OPT_ASYNC_TO_SYNC_C
#include "opt.h"

typedef struct xg_async_form { xg_opcode start, done, op; } xg_async_form;
static const xg_async_form xg_async_forms[] = {
    {XG_ALL_REDUCE_START, XG_ALL_REDUCE_DONE, XG_ALL_REDUCE}, {XG_ALL_GATHER_START, XG_ALL_GATHER_DONE, XG_ALL_GATHER}, {XG_COLLECTIVE_PERMUTE_START, XG_COLLECTIVE_PERMUTE_DONE, XG_COLLECTIVE_PERMUTE},
};

/* The start behind a done, through updates; NULL where it is not seen here. */
XG_FN xg_inst *xg_async_start_of(const xg_inst *done, xg_opcode start) {
    xg_inst *i = XG_OPERAND(done, 0);
    while (i->op == XG_ASYNC_UPDATE) i = XG_OPERAND(i, 0);
    return i->op == start ? i : NULL;
}
XG_FN xg_inst *xg_async_one(xg_inst *done, xg_inst *start, xg_opcode op) {
    xg_hb b = xg_hb_at(start);
    xg_module *m = start->comp->module;
    xg_inst **in = XG_NEW_N(m->arena, xg_inst *, start->n_operands + 1), *made;
    uint32_t k;
    for (k = 0; k < start->n_operands; k++) in[k] = XG_OPERAND(start, k);
    if (op == XG_CALL) return xg_opt_inline(xg_attr_comp(start, XG_A_calls), start->comp, start, in);
    made = xg_hb_op(&b, op, done->shape, in, start->n_operands);
    for (k = 0; k < start->n_attrs; k++) xg_inst_set_attr(made, start->attrs[k]);
    return made;
}
XG_FN bool xg_async_pair(xg_inst *done) {
    xg_opcode start_op = XG_ASYNC_START, op = XG_CALL;
    xg_inst *start, *at;
    size_t k;
    for (k = 0; k < XG_COUNT(xg_async_forms); k++) if (xg_async_forms[k].done == done->op) { start_op = xg_async_forms[k].start; op = xg_async_forms[k].op; }
    if (done->op != XG_ASYNC_DONE && op == XG_CALL) return false;
    start = xg_async_start_of(done, start_op);
    if (!start || (op == XG_CALL && (!xg_attr_comp(start, XG_A_calls) || xg_inst_attr(start, XG_A_control_predecessors)))) return false;
    XG_FOR_USES(u, start) if (u->user->op != done->op && u->user->op != XG_ASYNC_UPDATE) return false;
    xg_inst_replace(done, xg_async_one(done, start, op));
    for (at = done; at; ) { /* the done, its updates, the start: each had but one user */
        xg_inst *before = at == start ? NULL : XG_OPERAND(at, 0);
        if (at->first_use || at == at->comp->root) break;
        xg_inst_remove(at);
        at = before;
    }
    return true;
}
XG_FN bool xg_opt_async_to_sync(xg_module *m) {
    bool changed = false;
    xg_comp *c;
    if (!m->made[XG_ASYNC_DONE] && !m->made[XG_ALL_REDUCE_DONE] && !m->made[XG_ALL_GATHER_DONE] && !m->made[XG_COLLECTIVE_PERMUTE_DONE]) return false;
    for (c = m->first; c; c = c->next) {
        xg_inst *i = c->first, *next;
        for (; i; i = next) {
            next = i->next;
            if (xg_op_flags(i->op) & XGF_DONE) changed = xg_async_pair(i) || changed;
        }
    }
    return changed;
}

#endif /* XG_OPT_ASYNC_TO_SYNC_C */
