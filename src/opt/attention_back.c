/* opt/attention_back.c -- finds the gradients of attention: dots of what is made of its weights.
 *
 *     p = exp(s - row) ...                   the weights: recomputed, or those of the forward pass
 *     dV = dot(f(p), dO)                     f: linear in p, as in front of the forward pass's second dot
 *     dP = dot(dO, V)
 *     dS = p * g(dP, rows)                   rows: what each row has one of, as the sum of p * dP
 *     dQ = dot(dS, K), dK = dot(dS, Q)
 *
 * The match starts at a dot and walks back through what is linear in exp, so what is masked away in p adds nothing to
 * the dot. What the maximum and the sums are does not count here: the pass asks (sched/attention_back_pass.c). */
#ifndef XG_OPT_ATTENTION_BACK_C
#define XG_OPT_ATTENTION_BACK_C
#include "opt.h"

/* exp(s - row), where s is made of a dot. */
XG_FN bool xg_attention_gradient_scores(xg_attention_gradient *g, xg_inst *exp) {
    enum {
        STEPS = 24 /* operations one behind the other between dot and scores */
    };
    xg_inst *sub = XG_OPERAND(exp, 0);
    while (sub->op == XG_CONVERT) sub = XG_OPERAND(sub, 0);
    if (sub->op != XG_SUBTRACT) return false;
    g->exp = exp;
    g->difference = sub;
    g->scores_dot = xg_attention_find_dot(XG_OPERAND(sub, 0), exp->shape->elements, STEPS);
    return g->scores_dot != NULL;
}
XG_FN bool xg_attention_gradient_exp(xg_attention_gradient *g, xg_inst *i, uint32_t depth) {
    uint32_t k;
    if (!depth || !xg_shape_is_array(i->shape) || xg_type_class(i->shape->type) != XGT_F) return false;
    if (i->op == XG_EXPONENTIAL && xg_attention_gradient_scores(g, i)) return true;
    if (i->op == XG_CONVERT || xg_attention_moves(i) || i->op == XG_DIVIDE ||
        (i->op == XG_ADD && xg_attention_is_zero(XG_OPERAND(i, 1)))) /* a sum of one number */
        return xg_attention_gradient_exp(g, XG_OPERAND(i, 0), depth - 1);
    if (i->op == XG_SELECT) {
        k = xg_attention_is_zero(XG_OPERAND(i, 2)) ? 1 : 2;
        return xg_attention_is_zero(XG_OPERAND(i, 3 - k)) && xg_attention_gradient_exp(g, XG_OPERAND(i, k), depth - 1);
    }
    for (k = 0; k < 2 && (i->op == XG_ADD || i->op == XG_SUBTRACT); k++) { /* x + x y, as of tanh's derivative */
        xg_inst *x = XG_OPERAND(i, k);
        const xg_inst *y = XG_OPERAND(i, 1 - k);
        if (y->op == XG_MULTIPLY && (XG_OPERAND(y, 0) == x || XG_OPERAND(y, 1) == x))
            return xg_attention_gradient_exp(g, x, depth - 1);
    }
    if (i->op != XG_MULTIPLY) return false;
    return xg_attention_gradient_exp(g, XG_OPERAND(i, 0), depth - 1) ||
           xg_attention_gradient_exp(g, XG_OPERAND(i, 1), depth - 1);
}
XG_FN bool xg_attention_gradient_leads(xg_inst *i, const xg_inst *exp) {
    xg_attention_gradient g;
    return xg_attention_gradient_exp(&g, i, XG_ATTENTION_GRADIENT_STEPS) && g.exp == exp;
}

/* The dots of as many elements as there are scores that something is made of. */
typedef struct xg_attention_cone {
    const xg_inst *seen[XG_ATTENTION_ASKED];
    uint32_t n;
    int64_t elements;
    xg_inst *dots[2];
    uint32_t n_dots;
} xg_attention_cone;
XG_FN bool xg_attention_cone_of(xg_attention_cone *w, xg_inst *x) {
    uint32_t k;
    for (k = 0; k < w->n; k++)
        if (w->seen[k] == x) return true;
    if (w->n == XG_ATTENTION_ASKED) return false;
    w->seen[w->n++] = x;
    if (x->op == XG_DOT && x->shape->elements == w->elements) {
        if (w->n_dots == 2) return false;
        w->dots[w->n_dots++] = x;
        return true;
    }
    if (!xg_attention_passes(x)) return true;
    for (k = 0; k < x->n_operands; k++)
        if (!xg_attention_cone_of(w, XG_OPERAND(x, k))) return false;
    return true;
}
XG_FN bool xg_attention_gradient_find(xg_inst *dot, xg_attention_gradient *g) {
    xg_attention_cone w;
    uint32_t k, j;
    if (dot->op != XG_DOT || dot->n_operands != 2 || xg_type_class(dot->shape->type) != XGT_F) return false;
    for (k = 0; k < 2; k++) {
        memset(g, 0, sizeof *g);
        g->dot = dot;
        g->made = k;
        if (!xg_attention_gradient_exp(g, XG_OPERAND(dot, k), XG_ATTENTION_GRADIENT_STEPS)) continue;
        if (xg_attention_depends(XG_OPERAND(dot, 1 - k), g->scores_dot)) continue;
        w.n = w.n_dots = 0;
        w.elements = g->exp->shape->elements;
        if (!xg_attention_cone_of(&w, XG_OPERAND(dot, k))) continue;
        for (j = 0; j < w.n_dots; j++)
            if (w.dots[j] != g->scores_dot) g->grad_dot = w.dots[j];
        if (!g->grad_dot || !xg_attention_depends(XG_OPERAND(dot, 1 - k), g->grad_dot)) return true;
    }
    return false;
}
XG_FN bool xg_attention_makes_gradient(xg_attention_cone *w, xg_inst *x, const xg_inst *exp) {
    xg_attention_gradient g;
    uint32_t k;
    for (k = 0; k < w->n; k++)
        if (w->seen[k] == x) return false;
    if (w->n == XG_ATTENTION_ASKED) return false;
    w->seen[w->n++] = x;
    if (x->op == XG_DOT) return xg_attention_gradient_find(x, &g) && g.grad_dot && g.exp == exp;
    if (!xg_attention_passes(x) || x->shape->elements != exp->shape->elements) return false;
    XG_FOR_USES(u, x) {
        if (w->n == XG_ATTENTION_ASKED) return false;
        if (xg_attention_makes_gradient(w, u->user, exp)) return true;
    }
    return false;
}
XG_FN bool xg_attention_has_gradient(xg_inst *exp) {
    xg_attention_cone w;
    w.n = 0;
    return xg_attention_makes_gradient(&w, exp, exp);
}

#endif /* XG_OPT_ATTENTION_BACK_C */
