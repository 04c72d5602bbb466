/* opt/async_collectives.c -- AsyncCollectiveCreator: a collective as a start, as early as its array is there, and a
 * done, right before the first that waits for it; what stands in between runs meanwhile.
 *
 *     y = all-reduce(x)   ==>   s = all-reduce-start(x), ..., y = all-reduce-done(s)
 *
 * all-gather, all-reduce and collective-permute have starts of their own; the others run in an async-start. Where
 * nothing stands in between, the collective stays as it is. The order of collectives is that of their starts, and the
 * same on all devices. */
#ifndef XG_OPT_ASYNC_COLLECTIVES_C
#define XG_OPT_ASYNC_COLLECTIVES_C
#include "opt.h"
#include "async_to_sync.c"
#include "while_all_reduce.c"

/* The pair of a collective: its own, or that of an async-start (the first row); NULL: it is none. */
XG_APART XG_FN const xg_async_form *xg_async_form_by(const xg_inst *i) {
    size_t k;
    for (k = 1; k < XG_COUNT(xg_async_forms); k++)
        if (xg_async_forms[k].op == i->op) return &xg_async_forms[k];
    return i->op == XG_REDUCE_SCATTER || i->op == XG_ALL_TO_ALL || i->op == XG_COLLECTIVE_BROADCAST ? &xg_async_forms[0]
                                                                                                    : NULL;
}

/* The instruction behind the last operand. */
XG_FN xg_inst *xg_async_earliest(xg_inst *i) {
    xg_inst *p = i;
    uint32_t k;
    for (; p->prev; p = p->prev)
        for (k = 0; k < i->n_operands; k++)
            if (XG_OPERAND(i, k) == p->prev) return p;
    return p;
}
XG_FN xg_inst *xg_async_first_user(xg_inst *i) {
    xg_inst *p;
    uint32_t k;
    for (p = i->next; p; p = p->next)
        for (k = 0; k < p->n_operands; k++)
            if (XG_OPERAND(p, k) == i) return p;
    return NULL;
}
/* Does anything stand between the two that takes time? */
XG_FN bool xg_async_hides(const xg_inst *from, const xg_inst *to, const xg_inst *i) {
    for (; from && from != to; from = from->next)
        if (from != i && from->op != XG_PARAMETER && from->op != XG_CONSTANT && from->op != XG_TUPLE &&
            from->op != XG_GET_TUPLE_ELEMENT && !(xg_op_flags(from->op) & XGF_COLL))
            return true;
    return false;
}

XG_FN const xg_shape *xg_async_shape(const xg_inst *i, xg_opcode start) {
    xg_module *m = i->comp->module;
    const xg_shape **in = XG_NEW_N(m->arena, const xg_shape *, (size_t)i->n_operands + 1), *both[2];
    uint32_t k;
    if (start == XG_ALL_REDUCE_START) return i->shape;
    for (k = 0; k < i->n_operands; k++) in[k] = XG_OPERAND(i, k)->shape;
    both[0] = start == XG_ASYNC_START || i->n_operands > 1 ? xg_shape_tuple(m, in, i->n_operands) : in[0];
    both[1] = i->shape;
    return xg_shape_tuple(m, both, 2);
}
/* The collective alone, in a computation of its own. */
XG_FN xg_comp *xg_async_computation(xg_inst *i) {
    xg_module *m = i->comp->module;
    xg_comp *c = xg_comp_new(m, XG_STR("async_collective"), i->comp);
    xg_inst **in = XG_NEW_N(m->arena, xg_inst *, (size_t)i->n_operands + 1);
    uint32_t k;
    for (k = 0; k < i->n_operands; k++) in[k] = xg_comp_add_param(c, XG_OPERAND(i, k)->shape, XG_OPERAND(i, k)->name);
    c->root = xg_inst_clone(i, c, in, NULL);
    return c;
}
XG_FN void xg_async_split(xg_inst *i, const xg_async_form *pair, xg_inst *at, xg_inst *user) {
    const xg_shape *shape = xg_async_shape(i, pair->start), *result = i->shape;
    xg_inst **in = XG_NEW_N(i->comp->module->arena, xg_inst *, (size_t)i->n_operands + 1), *start, *done;
    xg_hb b = xg_hb_at(at);
    uint32_t k;
    for (k = 0; k < i->n_operands; k++) in[k] = XG_OPERAND(i, k);
    start = xg_hb_op(&b, pair->start, shape, in, i->n_operands);
    if (pair->start == XG_ASYNC_START)
        xg_inst_set_comp(start, XG_A_calls, xg_async_computation(i));
    else
        xg_inst_take_attrs(start, i);
    b = xg_hb_at(user);
    done = xg_hb_of(&b, pair->done, result, start);
    xg_inst_replace(i, done);
    xg_inst_remove(i);
}
XG_FN bool xg_async_comp(xg_comp *c) {
    xg_inst *i, *next;
    bool changed = false;
    for (i = c->first; i; i = next) {
        const xg_async_form *pair = xg_async_form_by(i);
        xg_inst *at, *user;
        next = xg_inst_behind(i);
        if (!pair || i == c->root || xg_inst_order(i)) continue;
        at = xg_async_earliest(i);
        user = xg_async_first_user(i);
        if (!user || !xg_async_hides(at, user, i)) continue;
        xg_async_split(i, pair, at, user);
        changed = true;
    }
    return changed;
}
XG_FN bool xg_opt_async_collectives(xg_module *m) {
    return xg_gang_devices(m) && xg_opt_each_sequence(m, xg_async_comp);
}

#endif /* XG_OPT_ASYNC_COLLECTIVES_C */
