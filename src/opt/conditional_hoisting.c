/* opt/conditional_hoisting.c -- ConditionalCodeMotion, one way: what every branch computes of the same values is
 * computed in front of the conditional.
 *
 *     conditional(p, x, x), true={ sin(dot(x, x)) }, false={ cos(dot(x, x)) }
 * ==> d = dot(x, x); conditional(p, d, d), true={ sin(d) }, false={ cos(d) }
 *
 * Only what is worth it goes (contractions, reductions, sorts and the like, and what they need): one of the branches
 * would have run it anyway. What is left of the branches is often so little that the conditional becomes a select.
 * Values are numbered: an element of a branch's argument by what stands outside, an instruction by its opcode,
 * attributes and operands' numbers; what has the number of an instruction of the first branch in all of the others is
 * common. */
#ifndef XG_OPT_CONDITIONAL_HOISTING_C
#define XG_OPT_CONDITIONAL_HOISTING_C
#include "opt.h"
#include "while_simplifier.c"
#include "cse.c"

enum {
    XG_HOIST_INSTS = 256,
    XG_HOIST_BRANCHES = 16
};

typedef struct xg_hoist {
    xg_module *m;
    xg_inst *i; /* the conditional */
    xg_comps branches;
    xg_cse cse; /* its places are the numbers of values; 0: no such value */
    uint32_t n_numbers;
    xg_inst **value;         /* by number: the instruction of the first branch */
    uint32_t *branches_with; /* by number */
    xg_inst **outside;       /* by number: the copy in front of the conditional */
} xg_hoist;

XG_FN xg_inst *xg_hoist_argument(const xg_hoist *h, uint32_t branch) { return XG_OPERAND(h->i, 1 + branch); }
/* Is an element of the argument the same value outside in both branches? */
XG_FN bool xg_hoist_same_argument(const xg_hoist *h, uint32_t b, int64_t at, int64_t first_at) {
    const xg_inst *x = xg_hoist_argument(h, 0), *y = xg_hoist_argument(h, b);
    if (x == y) return at == first_at;
    if (at < 0 || first_at < 0) return false;
    return x->op == XG_TUPLE && y->op == XG_TUPLE && XG_OPERAND(x, first_at) == XG_OPERAND(y, at);
}
/* The element of the argument that the instruction is; -1: the argument itself; -2: none. */
XG_FN int64_t xg_hoist_element(const xg_inst *s) {
    if (s->op == XG_PARAMETER && xg_shape_is_array(s->shape)) return -1;
    return s->op == XG_GET_TUPLE_ELEMENT && XG_OPERAND(s, 0)->op == XG_PARAMETER && xg_shape_is_array(s->shape)
               ? xg_attr_index(s)
               : -2;
}
XG_FN bool xg_hoist_may(const xg_hoist *h, const xg_inst *s) {
    uint32_t k;
    if (!xg_while_may_move(s)) return false;
    for (k = 0; k < s->n_operands; k++)
        if (!h->cse.place[XG_OPERAND(s, k)->id]) return false;
    return true;
}
XG_FN bool xg_hoist_equal(const xg_hoist *h, uint32_t b, const xg_inst *s, uint32_t number) {
    const xg_inst *first = h->value[number];
    int64_t at = xg_hoist_element(s), first_at = xg_hoist_element(first);
    if (at != -2 || first_at != -2)
        return at != -2 && first_at != -2 && s->shape == first->shape && xg_hoist_same_argument(h, b, at, first_at);
    return xg_cse_same(&h->cse, first, s);
}
XG_FN void xg_hoist_number_branch(xg_hoist *h, uint32_t b) {
    uint32_t n;
    XG_FOR_INSTS(s, h->branches.p[b]) {
        if (xg_hoist_element(s) == -2 && !xg_hoist_may(h, s)) continue;
        for (n = 1; n <= h->n_numbers && !xg_hoist_equal(h, b, s, n); n++) {}
        if (n > h->n_numbers) {
            if (b) continue; /* the first branch has no such value */
            h->value[++h->n_numbers] = s;
        }
        h->cse.place[s->id] = n;
        if (h->branches_with[n] == b) h->branches_with[n]++;
    }
}
XG_FN bool xg_hoist_has_work(const xg_comp *c) {
    if (c->n_params != 1 || c->n_insts > XG_HOIST_INSTS) return false;
    XG_FOR_INSTS(s, c)
        if (xg_while_worth_moving(s)) return true;
    return false;
}
/* Parameters are arrays, or tuples of which only elements are used; an instruction is one branch's, so that its value
 * has one number. */
XG_FN bool xg_hoist_reads(const xg_hoist *h) {
    uint32_t b, k;
    if (h->branches.n < 2 || h->branches.n > XG_HOIST_BRANCHES) return false;
    for (b = 0; b < h->branches.n; b++) {
        const xg_inst *p;
        for (k = 0; k < b; k++)
            if (h->branches.p[k] == h->branches.p[b]) return false;
        if (!xg_hoist_has_work(h->branches.p[b])) return false;
        p = h->branches.p[b]->params[0];
        if (p == h->branches.p[b]->root) return false;
        if (xg_shape_is_array(p->shape)) continue;
        if (p->shape->type != XLAGPU_TUPLE) return false;
        XG_FOR_USES(u, p)
            if (u->user->op != XG_GET_TUPLE_ELEMENT) return false;
    }
    return true;
}

/* The copy of value n in front of the conditional, operands first: of one branch, whose instructions are few. */
XG_FN xg_inst *xg_hoist_out(xg_hoist *h, const xg_hb *b, uint32_t n) {
    xg_inst *s = h->value[n], **in;
    int64_t at = xg_hoist_element(s);
    uint32_t k;
    if (h->outside[n]) return h->outside[n];
    if (at == -1) return h->outside[n] = xg_hoist_argument(h, 0);
    if (at >= 0) return h->outside[n] = xg_hb_element(b, xg_hoist_argument(h, 0), at);
    in = XG_NEW_N(h->m->arena, xg_inst *, s->n_operands + 1);
    for (k = 0; k < s->n_operands; k++) in[k] = xg_hoist_out(h, b, h->cse.place[XG_OPERAND(s, k)->id]);
    return h->outside[n] = xg_inst_clone(s, b->comp, in, b->before);
}
/* A copy of the branch that is given the hoisted values behind its argument. The copy has the instructions of the
 * branch in their order, the parameter first. */
XG_FN xg_comp *xg_hoist_branch(xg_hoist *h, uint32_t b, const uint32_t *numbers, uint32_t n, const xg_shape *argument) {
    const xg_comp *from = h->branches.p[b];
    xg_comp *to = xg_opt_clone_comp(from, h->i->comp);
    xg_inst *p = to->params[0], *at = p->next, *next, **given = XG_NEW_N(h->m->arena, xg_inst *, n + 1);
    uint32_t k, own = xg_shape_is_array(p->shape) ? 1 : p->shape->n_elems;
    xg_hb hb;
    if (xg_shape_is_array(p->shape)) {
        xg_use *u, *rest;
        xg_inst *x = xg_inst_new(to, XG_GET_TUPLE_ELEMENT, p->shape, &p, 1, at, XG_STR(""));
        xg_inst_set_int(x, XG_A_index, 0);
        for (u = p->first_use; u; u = rest) {
            rest = u->next;
            if (u->user != x) xg_inst_set_operand(u->user, XG_USE_INDEX(u), x);
        }
    }
    p->shape = argument;
    hb.comp = to;
    hb.before = at;
    hb.from = p;
    for (k = 0; k < n; k++) given[k] = xg_hb_element(&hb, p, own + k);
    XG_FOR_INSTS(s, from) {
        if (s->op == XG_PARAMETER) continue;
        next = at->next;
        for (k = 0; k < n; k++)
            if (h->cse.place[s->id] == numbers[k]) {
                xg_inst_replace(at, given[k]);
                xg_inst_remove(at);
                break;
            }
        at = next;
    }
    return to;
}
XG_FN void xg_hoist_rebuild(xg_hoist *h, const uint32_t *numbers, uint32_t n) {
    xg_hb b = xg_hb_at(h->i);
    xg_inst **operands = XG_NEW_N(h->m->arena, xg_inst *, h->i->n_operands + 1), *made;
    uint32_t k, j;
    for (k = 0; k < n; k++) (void)xg_hoist_out(h, &b, numbers[k]);
    operands[0] = XG_OPERAND(h->i, 0);
    for (k = 0; k < h->branches.n; k++) {
        xg_inst *x = xg_hoist_argument(h, k), **all;
        uint32_t own = xg_shape_is_array(x->shape) ? 1 : x->shape->n_elems;
        all = XG_NEW_N(h->m->arena, xg_inst *, own + n + 1);
        for (j = 0; j < own; j++) all[j] = xg_shape_is_array(x->shape) ? x : xg_hb_element(&b, x, j);
        for (j = 0; j < n; j++) all[own + j] = h->outside[numbers[j]];
        operands[1 + k] = xg_hb_tuple(&b, all, own + n);
    }
    for (k = 0; k < h->branches.n; k++) h->branches.p[k] = xg_hoist_branch(h, k, numbers, n, operands[1 + k]->shape);
    made = xg_inst_clone(h->i, h->i->comp, operands, h->i);
    xg_opt_set_control_comps(made, &h->branches);
    xg_inst_replace(h->i, made);
    xg_inst_remove(h->i);
}

#endif /* XG_OPT_CONDITIONAL_HOISTING_C */
