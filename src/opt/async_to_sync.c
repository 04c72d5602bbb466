/* opt/async_to_sync.c -- ConvertAsyncCollectivesToSync: what runs beside the rest runs where it starts.
 *
 *     async-done(async-start(x), calls=f)   ==>  what f computes of x     with any number of async-updates between
 *     all-reduce-done(all-reduce-start(x))  ==>  all-reduce(x)            so for all-gather and collective-permute
 *
 *     async-start(x), calls=f, used otherwise  ==>  tuple((x), what f computes of x, ...)
 *
 * The instructions of f stand in the place of the start; so they are fused, planned and run like all others, and passes
 * know collectives in one form only. Copies that are asynchronous (copy-start) stay as they are. Computations are
 * defined before they are used, so walking them in order leaves none inside of another; what doubles at each level is
 * bounded as calls are (call_inliner.c). */
#ifndef XG_OPT_ASYNC_TO_SYNC_C
#define XG_OPT_ASYNC_TO_SYNC_C
#include "opt.h"
#include "call_inliner.c"

typedef struct xg_async_form {
    xg_opcode start, done, op;
} xg_async_form;
XG_TABLE const xg_async_form xg_async_forms[] = {
    {XG_ASYNC_START, XG_ASYNC_DONE, XG_CALL},
    {XG_ALL_REDUCE_START, XG_ALL_REDUCE_DONE, XG_ALL_REDUCE},
    {XG_ALL_GATHER_START, XG_ALL_GATHER_DONE, XG_ALL_GATHER},
    {XG_COLLECTIVE_PERMUTE_START, XG_COLLECTIVE_PERMUTE_DONE, XG_COLLECTIVE_PERMUTE},
};
XG_FN const xg_async_form *xg_async_form_of(const xg_inst *start) {
    size_t k;
    for (k = 0; k < XG_COUNT(xg_async_forms); k++)
        if (xg_async_forms[k].start == start->op) return &xg_async_forms[k];
    return NULL;
}
/* The chain behind a start, which has one user each; NULL: it goes on elsewhere, through a loop's state perhaps. */
XG_FN xg_inst *xg_async_done(const xg_inst *start, xg_opcode done) {
    const xg_inst *i = start;
    while (i->op != done) {
        if (!i->first_use || i->first_use->next || i == i->comp->root ||
            (i->first_use->user->op != XG_ASYNC_UPDATE && i->first_use->user->op != done))
            return NULL;
        i = i->first_use->user;
    }
    return (xg_inst *)(uintptr_t)i;
}

XG_APART XG_FN void xg_async_run(xg_inst *start, xg_inst *done, xg_opcode op) {
    const xg_comp *callee = op == XG_CALL ? xg_attr_calls(start) : NULL;
    xg_inst **args = XG_NEW_N(start->comp->module->arena, xg_inst *, start->n_operands + (size_t)1), *i, *before;
    xg_hb b = xg_hb_at(start);
    uint32_t k;
    for (k = 0; k < start->n_operands; k++)
        args[k] = callee ? xg_opt_argument(&b, XG_OPERAND(start, k), callee->params[k]) : XG_OPERAND(start, k);
    if (callee)
        xg_inst_replace(done, xg_hb_as(&b, xg_opt_inline(callee, start->comp, start, args), done->shape));
    else {
        xg_inst *made = xg_hb_op(&b, op, done->shape, args, start->n_operands);
        xg_inst_take_attrs(made, start);
        xg_inst_replace(done, made);
    }
    for (i = done;; i = before) {
        before = XG_OPERAND(i, 0);
        xg_inst_remove(i);
        if (before == start) break;
    }
    xg_inst_remove(start);
}

/* ---- starts that are used otherwise: at the root, in tuples and loops, or by several ---- */

/* What a start gives beside its result, and nothing reads: zeros and tokens. */
XG_FN xg_inst *xg_async_context(const xg_hb *b, const xg_shape *s) {
    xg_inst **all;
    uint32_t k;
    if (xg_shape_is_array(s)) {
        xg_inst *zero = xg_hb_splat(b, xg_hb_int(b, s->type, 0), s->dims, s->rank);
        return xg_hb_as(b, zero, s);
    }
    if (s->type != XLAGPU_TUPLE) return xg_hb_op(b, XG_AFTER_ALL, s, NULL, 0);
    all = XG_NEW_N(b->comp->module->arena, xg_inst *, s->n_elems + (size_t)1);
    for (k = 0; k < s->n_elems; k++) all[k] = xg_async_context(b, s->elems[k]);
    return xg_hb_tuple(b, all, s->n_elems);
}
XG_FN bool xg_async_is_generic(const xg_inst *i) {
    return i->op == XG_ASYNC_START || i->op == XG_ASYNC_UPDATE || i->op == XG_ASYNC_DONE;
}
/* The start is the tuple that its shape says; an update is what it updates, a done is the result in the tuple. */
XG_APART XG_FN void xg_async_as_tuple(xg_inst *i) {
    const xg_comp *callee;
    xg_hb b = xg_hb_at(i);
    xg_inst **parts, **args;
    uint32_t k;
    if (i->op != XG_ASYNC_START) {
        xg_inst *start = XG_OPERAND(i, 0);
        xg_inst_replace(i, i->op == XG_ASYNC_UPDATE ? start : xg_hb_as(&b, xg_hb_element(&b, start, 1), i->shape));
        xg_inst_remove(i);
        return;
    }
    callee = xg_attr_calls(i);
    args = XG_NEW_N(b.comp->module->arena, xg_inst *, i->n_operands + (size_t)1);
    parts = XG_NEW_N(b.comp->module->arena, xg_inst *, i->shape->n_elems + (size_t)1);
    for (k = 0; k < i->n_operands; k++) args[k] = XG_OPERAND(i, k);
    parts[0] = xg_hb_as(&b, xg_hb_tuple(&b, args, i->n_operands), i->shape->elems[0]);
    for (k = 0; k < i->n_operands; k++) args[k] = xg_opt_argument(&b, args[k], callee->params[k]);
    parts[1] = xg_hb_as(&b, xg_opt_inline(callee, i->comp, i, args), i->shape->elems[1]);
    for (k = 2; k < i->shape->n_elems; k++) parts[k] = xg_async_context(&b, i->shape->elems[k]);
    xg_inst_replace(i, xg_hb_tuple(&b, parts, i->shape->n_elems));
    xg_inst_remove(i);
}
XG_FN bool xg_async_the_rest(xg_module *m, uint64_t total) {
    bool changed = false;
    xg_comp *c;
    for (c = m->first; c; c = c->next) {
        xg_inst *i = c->first, *next;
        for (; i; i = next) {
            next = xg_inst_behind(i);
            if (!xg_async_is_generic(i)) continue;
            if (i->op == XG_ASYNC_START) total += xg_attr_calls(i)->n_insts;
            if (total > XG_INLINE_MAX)
                xg_hlo_fail(i, XLAGPU_ERROR_LIMIT, NULL,
                    "%s: running all asynchronous computations in place gives more than %d instructions", i->name.p,
                    (int)XG_INLINE_MAX);
            xg_async_as_tuple(i);
            changed = true;
        }
    }
    return changed;
}

/* Everything runs on the device, in one order. */
XG_FN bool xg_async_forget_threads(xg_module *m) {
    bool changed = false;
    xg_comp *c;
    for (c = m->first; c; c = c->next) {
        changed = changed || c->execution_thread.n;
        c->execution_thread = XG_STR("");
    }
    return changed;
}

XG_FN bool xg_opt_async_to_sync(xg_module *m) {
    bool changed = false;
    uint64_t total = 0;
    xg_comp *c;
    size_t k;
    uint32_t made = 0;
    for (k = 0; k < XG_COUNT(xg_async_forms); k++) made += m->made[xg_async_forms[k].start];
    for (c = made ? m->first : NULL; c; c = c->next) {
        xg_inst *i, *next;
        for (i = c->first; i; i = next) {
            const xg_async_form *form = xg_async_form_of(i);
            xg_inst *done = form ? xg_async_done(i, form->done) : NULL;
            next = xg_inst_behind(i);
            if (!done) continue;
            while (next && (next->op == XG_ASYNC_UPDATE || (xg_op_flags(next->op) & XGF_DONE)))
                next = next->next; /* perhaps its own */
            if (form->op == XG_CALL) total += xg_attr_calls(i)->n_insts;
            if (total > XG_INLINE_MAX)
                xg_hlo_fail(i, XLAGPU_ERROR_LIMIT, NULL,
                    "%s: running all asynchronous computations in place gives more than %d instructions", i->name.p,
                    (int)XG_INLINE_MAX);
            xg_async_run(i, done, form->op);
            changed = true;
        }
    }
    if (m->made[XG_ASYNC_START]) changed = xg_async_the_rest(m, total) || changed;
    return xg_async_forget_threads(m) || changed;
}

#endif /* XG_OPT_ASYNC_TO_SYNC_C */
