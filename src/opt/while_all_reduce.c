/* opt/while_all_reduce.c -- WhileLoopAllReduceCodeMotion: what every round of a loop sums over devices and adds up is
 * added up on each device, and summed over devices once, behind the loop.
 *
 *     while: a += all-reduce(x)   ==>   while: a += x, from 0;   then a = a0 + all-reduce(a)
 *
 * Gradients that are accumulated over microbatches are of this form. */
#ifndef XG_OPT_WHILE_ALL_REDUCE_C
#define XG_OPT_WHILE_ALL_REDUCE_C
#include "opt.h"
#include "collective_rules.c"

/* A sum that a loop carries: element `at` of its state becomes add(element, all-reduce(x)). */
typedef struct xg_carried_sum {
    xg_inst *loop, *element, *sum, *all;
    int64_t at;
} xg_carried_sum;

/* The only reading of an element of a tuple; NULL: there are none or several, or the tuple is used otherwise. */
XG_FN xg_inst *xg_carried_element(const xg_inst *tuple, int64_t at, uint32_t *readers) {
    xg_inst *found = NULL;
    *readers = 0;
    XG_FOR_USES(u, tuple) {
        if (u->user->op != XG_GET_TUPLE_ELEMENT) {
            *readers = UINT32_MAX;
            return NULL;
        }
        if (xg_attr_index(u->user) != at) continue;
        found = u->user;
        ++*readers;
    }
    return *readers == 1 ? found : NULL;
}
XG_FN bool xg_carried_find(xg_inst *loop, int64_t at, xg_carried_sum *s) {
    const xg_comp *body = xg_attr_comp(loop, XG_A_body), *condition = xg_attr_comp(loop, XG_A_condition);
    uint32_t readers, k;
    s->loop = loop;
    s->at = at;
    s->sum = XG_OPERAND(body->root, at);
    (void)xg_carried_element(condition->params[0], at, &readers);
    if (readers || s->sum->op != XG_ADD || !xg_opt_has_one_user(s->sum)) return false;
    s->element = xg_carried_element(body->params[0], at, &readers);
    if (!s->element || !xg_opt_has_one_user(s->element)) return false;
    for (k = 0; k < 2; k++) {
        s->all = XG_OPERAND(s->sum, k);
        if (XG_OPERAND(s->sum, 1 - k) == s->element && s->all->op == XG_ALL_REDUCE && xg_gang_may(s->all) &&
            xg_meet_is_plain(s->all) && xg_opt_has_one_user(s->all) && xg_reducer_is_sum(xg_attr_to_apply(s->all)))
            return true;
    }
    return false;
}

/* The loop starts from zero there; what it started from is added behind it. */
XG_FN void xg_carried_move(const xg_carried_sum *s) {
    xg_inst *loop = s->loop, *state = XG_OPERAND(loop, 0), *in, *zero, *out, *total, *next, **elems;
    uint32_t n = loop->shape->n_elems, k;
    xg_hb b = xg_hb_at(loop);
    elems = XG_NEW_N(loop->comp->module->arena, xg_inst *, (size_t)n + 1);
    for (k = 0; k < n; k++) elems[k] = state->op == XG_TUPLE ? XG_OPERAND(state, k) : xg_hb_element(&b, state, k);
    in = elems[s->at];
    zero = xg_type_class(in->shape->type) == XGT_F ? xg_hb_float(&b, in->shape->type, -0.0)
                                                   : xg_hb_int(&b, in->shape->type, 0);
    elems[s->at] = xg_hb_splat(&b, zero, in->shape->dims, in->shape->rank);
    xg_inst_set_operand(loop, 0, xg_hb_tuple(&b, elems, n));
    next = xg_inst_behind(loop);
    b = xg_hb_at(next);
    out = xg_hb_element(&b, loop, s->at);
    total = xg_meet_of(&b, s->all, out, out->shape);
    total = xg_hb_2(&b, XG_ADD, in, total);
    for (;;) { /* what read the element reads the total */
        xg_inst *old = NULL;
        XG_FOR_USES(u, loop)
            if (u->user != out && xg_attr_index(u->user) == s->at) old = u->user;
        if (!old) break;
        xg_inst_replace(old, total);
        xg_inst_remove(old);
    }
    for (k = 0; k < 2; k++)
        if (XG_OPERAND(s->sum, k) == s->all) xg_inst_set_operand(s->sum, k, XG_OPERAND(s->all, 0));
    xg_inst_remove(s->all);
}
XG_APART XG_FN bool xg_carried_loop(xg_inst *loop) {
    const xg_comp *body = xg_attr_comp(loop, XG_A_body);
    xg_carried_sum s;
    uint32_t readers;
    bool changed = false;
    int64_t at;
    if (body->root->op != XG_TUPLE || loop->shape->type != XLAGPU_TUPLE || loop == loop->comp->root) return false;
    for (at = 0; at < loop->shape->n_elems; at++) {
        (void)xg_carried_element(loop, at, &readers);
        if (readers == UINT32_MAX || !readers || !xg_carried_find(loop, at, &s)) continue;
        xg_carried_move(&s);
        changed = true;
    }
    return changed;
}
XG_FN bool xg_opt_while_all_reduce(xg_module *m) {
    xg_comps all;
    bool changed = false;
    uint32_t k;
    if (!xg_gang_devices(m) || !m->made[XG_ALL_REDUCE] || !m->made[XG_WHILE]) return false;
    all = xg_opt_sequences(m);
    for (k = 0; k < all.n; k++) {
        xg_inst *i = all.p[k]->first, *next;
        for (; i; i = next) {
            next = xg_inst_behind(i);
            if (i->op == XG_WHILE) changed = xg_carried_loop(i) || changed;
        }
    }
    return changed;
}

#endif /* XG_OPT_WHILE_ALL_REDUCE_C */
