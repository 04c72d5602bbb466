/* opt/attention.c -- finds attention: softmax of what is made of a dot, times a matrix.
 *
 *     s = f(dot(Q, K))                       scores: any elementwise function, masks and biases included
 *     p = exp(s - g(max(s)))                 max over one dimension; g is any function of the row, as is h
 *     o = dot(p / h(sum(p)), V)              or the division behind the dot
 *
 * The match starts at the second dot and walks back. Between exp and that dot only what is linear in p may stand, so
 * that factors of a row can be moved behind the sum: conversions, moves, products, quotients, selections against 0.
 *
 * Dots as close to each other as this become one kernel (sched/attention.h); passes that rewrite single dots ask
 * here first, and leave those alone. */
#ifndef XG_OPT_ATTENTION_C
#define XG_OPT_ATTENTION_C
#include "opt.h"

/* A walk towards operands with a limit: what was seen, and the answer. */
typedef struct xg_attention_walk {
    const xg_inst *target;
    const xg_inst *seen[XG_ATTENTION_ASKED];
    bool answer[XG_ATTENTION_ASKED];
    uint32_t n;
} xg_attention_walk;

XG_FN bool xg_attention_moves(const xg_inst *i) {
    return i->op == XG_BITCAST || i->op == XG_RESHAPE || i->op == XG_TRANSPOSE || i->op == XG_COPY;
}
/* A value goes on through it, one element at a time. */
XG_FN bool xg_attention_passes(const xg_inst *i) {
    return (xg_op_flags(i->op) & XGF_EW) != 0 || xg_attention_moves(i) || i->op == XG_BROADCAST || i->op == XG_REDUCE;
}
/* Whether x is made of the target, by what may stand inside of attention. */
XG_FN bool xg_attention_uses(xg_attention_walk *w, const xg_inst *x) {
    uint32_t at, k;
    bool found = false;
    if (x == w->target) return true;
    if (!xg_attention_passes(x)) return false;
    for (at = 0; at < w->n; at++)
        if (w->seen[at] == x) return w->answer[at];
    if (w->n == XG_ATTENTION_ASKED) return false;
    at = w->n++;
    w->seen[at] = x;
    w->answer[at] = false;
    for (k = 0; k < x->n_operands && !found; k++) found = xg_attention_uses(w, XG_OPERAND(x, k));
    w->answer[at] = found;
    return found;
}
XG_FN bool xg_attention_depends(const xg_inst *x, const xg_inst *target) {
    xg_attention_walk w;
    w.target = target;
    w.n = 0;
    return xg_attention_uses(&w, x);
}

/* ---- reductions over a row ---- */

XG_FN xg_inst *xg_attention_converted(xg_inst *i) {
    while (i->op == XG_CONVERT) i = XG_OPERAND(i, 0);
    return i;
}
XG_FN bool xg_attention_reduces(const xg_inst *i, xg_opcode op, double init) {
    const xg_inst *first;
    if (i->op != XG_REDUCE || i->n_operands != 2 || xg_attr_dims(i).n != 1) return false;
    first = XG_OPERAND(i, 1);
    if (first->op != XG_CONSTANT || first->literal->elided || xg_type_class(i->shape->type) != XGT_F) return false;
    if (op == XG_ADD && xg_literal_get_float(first->literal, 0) != init) return false;
    return xg_reducer_opcode(xg_attr_to_apply(i)) == (int)op;
}
/* The reduction by op of x, or of x converted; NULL: there is none, or there are several. */
XG_FN xg_inst *xg_attention_reduction(xg_inst *x, xg_opcode op, uint32_t depth) {
    xg_inst *found = NULL;
    XG_FOR_USES(u, x) {
        xg_inst *one = NULL;
        if (xg_attention_reduces(u->user, op, 0) && XG_USE_INDEX(u) == 0)
            one = u->user;
        else if (u->user->op == XG_CONVERT && depth)
            one = xg_attention_reduction(u->user, op, depth - 1);
        if (!one || one == found) continue;
        if (found) return NULL;
        found = one;
    }
    return found;
}

/* ---- towards the exponential ---- */

XG_FN bool xg_attention_is_zero(const xg_inst *i) {
    while (i->op == XG_BROADCAST || i->op == XG_CONVERT || xg_attention_moves(i)) i = XG_OPERAND(i, 0);
    return i->op == XG_CONSTANT && !i->literal->elided && i->shape->rank == 0 &&
           xg_type_class(i->shape->type) == XGT_F && xg_literal_get_float(i->literal, 0) == 0;
}
XG_FN bool xg_attention_from_scores(xg_attention *a, xg_inst *exp);
/* Finds exp behind what is linear in it. */
XG_FN bool xg_attention_find_exp(xg_attention *a, xg_inst *i, uint32_t depth) {
    uint32_t k;
    if (!depth || !xg_shape_is_array(i->shape) || xg_type_class(i->shape->type) != XGT_F) return false;
    if (i->op == XG_EXPONENTIAL && xg_attention_from_scores(a, i)) return true;
    if (i->op == XG_CONVERT || xg_attention_moves(i) || i->op == XG_DIVIDE)
        return xg_attention_find_exp(a, XG_OPERAND(i, 0), depth - 1);
    if (i->op == XG_SELECT) {
        k = xg_attention_is_zero(XG_OPERAND(i, 2)) ? 1 : 2;
        return xg_attention_is_zero(XG_OPERAND(i, 3 - k)) && xg_attention_find_exp(a, XG_OPERAND(i, k), depth - 1);
    }
    if (i->op != XG_MULTIPLY) return false;
    return xg_attention_find_exp(a, XG_OPERAND(i, 0), depth - 1) ||
           xg_attention_find_exp(a, XG_OPERAND(i, 1), depth - 1);
}
/* The first dot that gives as many elements as there are scores. */
XG_FN xg_inst *xg_attention_find_dot(xg_inst *i, int64_t elements, uint32_t depth) {
    xg_inst *found = NULL;
    uint32_t k;
    if (!depth || !xg_shape_is_array(i->shape) || i->shape->elements != elements) return NULL;
    if (i->op == XG_DOT) return i;
    if (!(xg_op_flags(i->op) & XGF_EW) && !xg_attention_moves(i)) return NULL;
    for (k = 0; k < i->n_operands && !found; k++) found = xg_attention_find_dot(XG_OPERAND(i, k), elements, depth - 1);
    return found;
}
XG_FN bool xg_attention_from_scores(xg_attention *a, xg_inst *exp) {
    enum {
        STEPS = 24,   /* operations one behind the other between dot and scores */
        CONVERTED = 2 /* conversions in front of a reduction */
    };
    xg_inst *sub = xg_attention_converted(XG_OPERAND(exp, 0)), *i;
    if (sub->op != XG_SUBTRACT) return false;
    a->exp = exp;
    a->difference = sub;
    a->max = NULL;
    for (i = XG_OPERAND(sub, 0); !a->max; i = XG_OPERAND(i, 0)) {
        a->scored = i;
        a->max = xg_attention_reduction(i, XG_MAXIMUM, CONVERTED);
        if (i->op != XG_CONVERT && !xg_attention_moves(i)) break;
    }
    a->sum = xg_attention_reduction(exp, XG_ADD, CONVERTED);
    if (!a->max || !xg_attention_depends(XG_OPERAND(sub, 1), a->max)) return false;
    a->scores_dot = xg_attention_find_dot(a->scored, exp->shape->elements, STEPS);
    return a->scores_dot != NULL;
}

/* ---- factors of rows ---- */

XG_FN bool xg_attention_of_row(const xg_attention *a, const xg_inst *x) {
    return xg_attention_depends(x, a->max) || (a->sum && xg_attention_depends(x, a->sum));
}
/* x is multiplied into p, or divides it: what it has of the row's own is noted. False: it is no such factor. */
XG_FN bool xg_attention_factor(xg_attention *a, xg_inst *x, bool divides, uint32_t depth) {
    uint32_t k;
    if (!xg_attention_of_row(a, x) && !xg_attention_depends(x, a->scores_dot)) return true;
    if (!depth) return false;
    if (x->op == XG_BROADCAST) {
        for (k = 0; k < a->n_factors; k++)
            if (a->factors[k].of == x && a->factors[k].divides == divides) return false; /* of one value, twice */
        if (a->n_factors == XG_ATTENTION_FACTORS) return false;
        a->factors[a->n_factors].of = x;
        a->factors[a->n_factors++].divides = divides;
        return true;
    }
    if (x->op == XG_CONVERT || xg_attention_moves(x))
        return xg_attention_factor(a, XG_OPERAND(x, 0), divides, depth - 1);
    if (x->op != XG_MULTIPLY && x->op != XG_DIVIDE) return false;
    return xg_attention_factor(a, XG_OPERAND(x, 0), divides, depth - 1) &&
           xg_attention_factor(a, XG_OPERAND(x, 1), divides != (x->op == XG_DIVIDE), depth - 1);
}
/* Whether exp itself, not its sum alone, is in x. */
XG_FN bool xg_attention_leads(const xg_attention *a, const xg_inst *x) {
    while (x->op == XG_CONVERT || xg_attention_moves(x) || x->op == XG_DIVIDE) x = XG_OPERAND(x, 0);
    if (x->op == XG_MULTIPLY) return xg_attention_leads(a, XG_OPERAND(x, 0)) || xg_attention_leads(a, XG_OPERAND(x, 1));
    if (x->op == XG_SELECT) return xg_attention_leads(a, XG_OPERAND(x, 1)) || xg_attention_leads(a, XG_OPERAND(x, 2));
    return x == a->exp;
}
/* All factors between the second dot and exp. */
XG_FN bool xg_attention_factors(xg_attention *a, xg_inst *i) {
    enum {
        DEPTH = 8 /* of a factor's own operations */
    };
    while (i != a->exp) {
        uint32_t k = 0;
        if (i->op == XG_MULTIPLY || i->op == XG_DIVIDE) {
            k = xg_attention_leads(a, XG_OPERAND(i, 0)) ? 0 : 1;
            if (k && i->op == XG_DIVIDE) return false;
            if (!xg_attention_factor(a, XG_OPERAND(i, 1 - k), i->op == XG_DIVIDE, DEPTH)) return false;
        } else if (i->op == XG_SELECT) {
            k = xg_attention_leads(a, XG_OPERAND(i, 1)) ? 1 : 2;
            if (xg_attention_depends(XG_OPERAND(i, 0), a->scores_dot)) return false;
        } else if (i->op != XG_CONVERT && !xg_attention_moves(i))
            return false;
        i = XG_OPERAND(i, k);
    }
    return true;
}

XG_FN bool xg_attention_find(xg_inst *dot, xg_attention *a) {
    enum {
        STEPS = 16 /* operations one behind the other between exp and the second dot */
    };
    uint32_t k;
    if (dot->op != XG_DOT || dot->n_operands != 2 || xg_type_class(dot->shape->type) != XGT_F) return false;
    for (k = 0; k < 2; k++) {
        memset(a, 0, sizeof *a);
        a->out_dot = dot;
        a->weights = k;
        if (!xg_attention_find_exp(a, XG_OPERAND(dot, k), STEPS)) continue;
        if (xg_attention_depends(XG_OPERAND(dot, 1 - k), a->scores_dot)) continue;
        if (xg_attention_factors(a, XG_OPERAND(dot, k))) return true;
    }
    return false;
}

XG_FN void xg_attention_mark(xg_module *m, void *mark) {
    xg_attention a;
    xg_comp *c;
    for (c = m->first; c; c = c->next)
        XG_FOR_INSTS(i, c) i->scratch = NULL;
    if (!m->made[XG_EXPONENTIAL]) return;
    for (c = m->first; c; c = c->next)
        XG_FOR_INSTS(i, c)
            if (i->op == XG_DOT && xg_attention_find(i, &a)) i->scratch = a.scores_dot->scratch = mark;
}

#endif /* XG_OPT_ATTENTION_C */
