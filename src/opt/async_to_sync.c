/* opt/async_to_sync.c -- a computation that runs beside the rest (async-start ... async-done) runs where it starts.
 *
 * Its instructions stand in the place of the start, and what the last async-done gives is what they give; so they are fused, planned and run like all others. Copies that are
 * asynchronous (copy-start) and collectives of their own opcodes stay as they are. Computations are defined before they are used, so walking them in order leaves none inside
 * of another; what doubles at each level is bounded as calls are (call_inliner.c). */
#ifndef XG_OPT_ASYNC_TO_SYNC_C
#define XG_OPT_ASYNC_TO_SYNC_C
#include "opt.h"

/* The chain behind a start, which has one user each; NULL: it goes on elsewhere, through a loop's state perhaps. */
XG_FN xg_inst *xg_async_done(const xg_inst *start) {
    const xg_inst *i = start;
    while (i->op != XG_ASYNC_DONE) {
        if (!i->first_use || i->first_use->next || i == i->comp->root || (i->first_use->user->op != XG_ASYNC_UPDATE && i->first_use->user->op != XG_ASYNC_DONE)) return NULL;
        i = i->first_use->user;
    }
    return (xg_inst *)(uintptr_t)i;
}

XG_FN void xg_async_run(xg_inst *start, xg_inst *done) {
    const xg_comp *callee = xg_attr_comp(start, XG_A_calls);
    xg_inst **args = XG_NEW_N(start->comp->module->arena, xg_inst *, start->n_operands + (size_t)1), *i, *before;
    xg_hb b = xg_hb_at(start);
    uint32_t k;
    for (k = 0; k < start->n_operands; k++) args[k] = xg_hb_as_dynamic(&b, XG_OPERAND(start, k), callee->params[k]->shape);
    xg_inst_replace(done, xg_hb_as(&b, xg_opt_inline(callee, start->comp, start, args), done->shape));
    for (i = done;; i = before) {
        before = XG_OPERAND(i, 0);
        xg_inst_remove(i);
        if (before == start) break;
    }
    xg_inst_remove(start);
}

XG_FN bool xg_opt_async_to_sync(xg_module *m) {
    bool changed = false;
    uint64_t total = 0;
    xg_comp *c;
    for (c = m->made[XG_ASYNC_START] ? m->first : NULL; c; c = c->next) {
        xg_inst *i, *next;
        for (i = c->first; i; i = next) {
            xg_inst *done = i->op == XG_ASYNC_START ? xg_async_done(i) : NULL;
            next = i->next;
            if (!done) continue;
            while (next && (next->op == XG_ASYNC_UPDATE || next->op == XG_ASYNC_DONE)) next = next->next; /* perhaps its own */
            total += xg_attr_comp(i, XG_A_calls)->n_insts;
            if (total > XG_INLINE_MAX) xg_hlo_fail(i, XLAGPU_ERROR_LIMIT, NULL, "%s: running all asynchronous computations in place gives more than %d instructions", i->name.p, (int)XG_INLINE_MAX);
            xg_async_run(i, done);
            changed = true;
        }
    }
    return changed;
}

#endif /* XG_OPT_ASYNC_TO_SYNC_C */
