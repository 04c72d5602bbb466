/* sched/attention_back_once.c -- attention's dQ in one walk over the keys.
 *
 *     dS = exp (a dP e + b r), where r is made of the sum over dP, which is known behind the last key
 *     A = sum of exp (a dP + b r0) K, B = sum of exp K:   dQ = (A e + (r - r0 e) b B) f
 *
 * a, b: constants; e, f: what else the row has, which is 1 in the walk. r0 is what the keys so far would make of r, so
 * that what is rounded to 16 bits is no larger than dS: where a row's weight has grown much, it becomes r0', and A
 * becomes A + (r0' - r0) b B. As in the forward pass, exps are relative to an earlier maximum, and sums are scaled
 * where that grows by much. That is four products and one exp of each score, not five and two.
 *
 * With sums in tensor memory (attention_back_tensor.c) each of eight warps has 16 rows, and all keys of a step: two
 * groups with half of them each would need the same r0, and the same maximum. exp K and dS are summed up from where dP
 * was. A constant factor of all dS is one of the sums', in the end. */
#ifndef XG_SCHED_ATTENTION_BACK_ONCE_C
#define XG_SCHED_ATTENTION_BACK_ONCE_C
#include "attention.h"

/* ---- the form ---- */

/* Factors of a product, in bits: lines, what is late among them, and these three. */
enum {
    XG_ATTENTION_ONCE_EXP = 1 << XG_ATTENTION_LINES,
    XG_ATTENTION_ONCE_GRAD = XG_ATTENTION_ONCE_EXP << 1,
    XG_ATTENTION_ONCE_SUM = XG_ATTENTION_ONCE_EXP << 2, /* of dP and what is late, each times a constant */
    XG_ATTENTION_ONCE_NO = XG_ATTENTION_ONCE_EXP << 3,  /* another one, or one twice */
    XG_ATTENTION_ONCE_OF = XG_ATTENTION_LINES + 4       /* so many bits on: lines that dP alone is multiplied by */
};
XG_FN uint32_t xg_attention_once_factors(const xg_attention_form *f, const xg_inst *i) {
    uint32_t x, y, k;
    double v;
    while (i->op == XG_CONVERT || i->op == XG_NEGATE || xg_attention_moves(i)) i = XG_OPERAND(i, 0);
    for (k = 0; k < f->back.n_lines; k++)
        if (f->back.lines[k] == i) return 1u << k;
    if (i == f->match.exp) return XG_ATTENTION_ONCE_EXP;
    if (i == f->back.match.grad_dot) return XG_ATTENTION_ONCE_GRAD;
    if (i->op != XG_MULTIPLY && i->op != XG_ADD && i->op != XG_SUBTRACT)
        return xg_attention_constant(i, &v) ? 0 : XG_ATTENTION_ONCE_NO;
    x = xg_attention_once_factors(f, XG_OPERAND(i, 0));
    y = xg_attention_once_factors(f, XG_OPERAND(i, 1));
    if (x & y) return XG_ATTENTION_ONCE_NO;
    if (i->op == XG_MULTIPLY) return x | y;
    if (x < y) { /* the one that has dP comes first */
        k = x;
        x = y;
        y = k;
    }
    for (k = 0; k < f->back.n_lines; k++)
        if (f->back.late[k] && y == 1u << k && x >> XG_ATTENTION_LINES == 2)
            return XG_ATTENTION_ONCE_SUM | y | (x ^ XG_ATTENTION_ONCE_GRAD) << XG_ATTENTION_ONCE_OF;
    return XG_ATTENTION_ONCE_NO;
}
XG_FN void xg_attention_once_find(xg_attention_form *f, const xg_inst *weights) {
    uint32_t all = xg_attention_once_factors(f, weights), late = 0, k;
    f->back.of_grads = all >> XG_ATTENTION_ONCE_OF;
    for (k = 0; k < f->back.n_lines; k++) {
        if (!f->back.late[k]) continue;
        late += (all >> k & 1) + 2 * (f->back.of_grads >> k & 1);
        if (all >> k & 1) f->back.rest = k;
    }
    f->back.factors = all & (XG_ATTENTION_ONCE_EXP - 1) & ~(1u << f->back.rest);
    f->back.once = late == 1 && (all >> XG_ATTENTION_LINES & 15) == 5; /* exp and the sum */
}
/* Weights that are relative to an earlier maximum have the range of f32. */
XG_FN bool xg_attention_once_may(const xg_attention_plan *p) {
    return p->form.back.once && !p->form.back.rows_only && !p->votes && p->form.held == XLAGPU_BF16 &&
           p->form.pieces[0] == 1;
}

/* ---- the walk ---- */

XG_FN void xg_attention_once_carry(xg_attention_kernel *w, xg_flow *f, int64_t half) {
    if (!w->p->shape.once) return;
    xg_flow_slot(f, &w->stat[half][XG_ATTENTION_REFERENCE]);
    xg_flow_slot(f, &w->pivot[half]);
    if (w->p->shape.in_tensor) xg_flow_slot(f, &w->before[half]);
}
/* A constant that dS is multiplied by last: its sums are, in the end. */
XG_FN double xg_attention_once_scale(const xg_attention_kernel *w) {
    static const double LEAST = 1e-60, MOST = 1e60;
    const xg_inst *i = w->f->stages[XG_ATTENTION_WEIGHTS].root;
    double v;
    uint32_t k;
    while (i->op == XG_CONVERT || xg_attention_moves(i)) i = XG_OPERAND(i, 0);
    for (k = 0; k < 2 && i->op == XG_MULTIPLY && i->shape->type == w->f->sum; k++)
        if (xg_attention_constant(XG_OPERAND(i, k), &v) && v * v > LEAST && v * v < MOST) return v;
    return 1;
}
XG_FN xg_kval *xg_attention_once_bare(xg_attention_kernel *w, xg_kval *x) {
    double scale = xg_attention_once_scale(w);
    xg_kval *v = scale == 1 ? x : xg_attention_other_factor(w, x, scale);
    return v ? v : xg_k2(xg_attention_b(w), XG_K_OP_MULF, x, xg_attention_number(w, 1 / scale));
}
/* A stage with other values of exp, dP, and of what is late; dS is without its constant. */
XG_FN xg_kval *xg_attention_once_weight(
    xg_attention_kernel *w, int64_t half, int64_t c, xg_kval *exp, xg_kval *grad, xg_kval *late) {
    xg_kb *b = xg_attention_b(w);
    xg_attention_back_spot s;
    xg_kval *v;
    s.half = half;
    s.c = c;
    s.exp = exp ? exp : w->scores[half][c];
    s.grad = grad;
    w->line[half][w->f->back.rest] = late;
    if (exp && !late) return xg_attention_back_real(w, XG_ATTENTION_DELTA, &s);
    if (exp) return xg_attention_once_bare(w, xg_attention_back_real(w, XG_ATTENTION_WEIGHTS, &s));
    v = xg_attention_back_weight(w, XG_ATTENTION_WEIGHTS, w->f->match.out_dot, &s);
    exp = xg_kval_by(v, XG_K_OP_TRUNCF) ? XG_KOPERAND(v->def, 0) : xg_kcast(b, XG_K_OP_EXTF, v, XG_E_F32);
    exp = xg_attention_once_bare(w, exp);
    return xg_kcast(b, XG_K_OP_TRUNCF, exp, v->type->elem);
}
/* Of how many steps one finds another r0, if all weigh the same; one more does, since lanes have sums of their own. */
XG_FN int64_t xg_attention_once_seldom(int64_t steps) {
    int64_t found = 2, at;
    for (at = 1; at < steps; at = 3 * at / 2 + 1) found++;
    return XG_MAX((steps + found / 2) / found, (int64_t)2);
}
/* For which dS of all keys so far would add up to nothing, if the step has brought much of their weight, or several
 * together may have; of tensor memory, if they have half as much weight again as those for which that was found before:
 * it takes long there, and registers are left. */
XG_FN void xg_attention_once_pivot(xg_attention_kernel *w) {
    enum {
        STEPS = 4
    };
    bool in_tensor = w->p->shape.in_tensor;
    xg_kb *b = xg_attention_b(w);
    xg_kval *zero = xg_attention_number(w, 0), *one = xg_attention_number(w, 1),
            *more = xg_attention_number(w, in_tensor ? 1.5 : 1.25);
    xg_kval *all[2][XG_ATTENTION_HALVES_MAX], *any = NULL, *v, *by, *grown[XG_ATTENTION_HALVES_MAX];
    xg_flow f = xg_flow_begin(&w->t->s);
    int64_t n = in_tensor ? 0 : w->p->depth / XG_ATTENTION_BESIDE, half, c;
    if (!in_tensor) any = xg_kcmpi_int(b, XG_CI_EQ, xg_tile_rest(w->t, w->step, STEPS), STEPS - 1);
    for (half = 0; half < w->p->halves; half++) {
        v = xg_kcmpf_(b, XG_CF_OGT, w->sum[half], xg_k2(b, XG_K_OP_MULF, w->before[half], more));
        any = any ? xg_k2(b, XG_K_OP_ORI, any, v) : v;
        xg_flow_slots(&f, w->out[half], (uint32_t)n);
        xg_flow_slot(&f, &w->pivot[half]);
        if (in_tensor) xg_flow_slot(&f, &w->before[half]);
    }
    xg_flow_if(&f, xg_k1(b, XG_K_OP_VOTEANY, any));
    f.op->a = in_tensor ? xg_attention_once_seldom(w->p->walked) : 1;
    for (half = 0; half < w->p->halves; half++) {
        xg_kval **delta = &w->stat[half][XG_ATTENTION_GRAD_SUM], *before = *delta;
        if (in_tensor) xg_attention_back_delta_row(w, half);
        all[0][half] = w->sum[half];
        if (in_tensor) w->before[half] = w->sum[half];
        all[1][half] = *delta;
        *delta = before;
    }
    for (c = 0; c < 2; c++) xg_attention_combine(w, XG_K_OP_ADDF, all[c], w->p->halves, XG_ATTENTION_BESIDE);
    for (half = 0; half < w->p->halves; half++) {
        /* a's and b's share of an exp, and what the sum over dP has of it; any number near it serves */
        by = xg_attention_once_weight(w, half, 0, one, one, zero);
        v = xg_k2(b, XG_K_OP_MULF, w->share, xg_attention_once_weight(w, half, 0, one, one, NULL));
        v = xg_k1(b, XG_K_OP_RCPA, xg_k2(b, XG_K_OP_MULF, v, all[0][half]));
        v = xg_k2(b, XG_K_OP_MULF, xg_k2(b, XG_K_OP_MULF, all[1][half], xg_k1(b, XG_K_OP_NEGF, by)), v);
        v = xg_kselect(b, xg_kcmpf_(b, XG_CF_OGT, all[0][half], zero), v, zero);
        by = xg_k2(b, XG_K_OP_SUBF, v, w->pivot[half]);
        grown[half] = by = xg_k2(b, XG_K_OP_MULF, by, w->share);
        for (c = 0; c < n; c++) w->out[half][c] = xg_k3(b, XG_K_OP_FMA, w->second[half][c], by, w->out[half][c]);
        w->pivot[half] = v;
    }
    n = w->p->depth;
    if (in_tensor) xg_attention_shrink(w, xg_attention_back_sums_at(w->p, false), n, grown, n);
    xg_flow_end(&f);
}
/* The sum of exp K; of tensor memory its words are made while dP is. */
XG_FN void xg_attention_once_soften(xg_attention_kernel *w) {
    int64_t half, c;
    for (c = 0; c < w->p->own / XG_ATTENTION_BESIDE; c++)
        for (half = 0; half < w->p->halves; half++)
            w->soft[half][c] = xg_attention_converted_to(w, xg_elem_real(w->scores[half][c]), w->f->sum, w->f->held);
    for (half = 0; half < w->p->halves && w->p->shape.in_tensor; half++) xg_attention_make_words(w, w->soft[half]);
}
/* dS from dP; then dP is what it was. */
XG_FN void xg_attention_once_weights(xg_attention_kernel *w) {
    int64_t columns = w->p->own / XG_ATTENTION_BESIDE, half, c;
    size_t n = (size_t)columns;
    xg_kval **grads[XG_ATTENTION_HALVES_MAX];
    for (half = 0; half < w->p->halves; half++) {
        grads[half] = XG_NEW_N(w->t->e->arena, xg_kval *, n);
        memcpy(grads[half], w->grads[half], n * sizeof *grads[half]);
    }
    for (c = 0; c < columns; c++)
        for (half = 0; half < w->p->halves; half++) {
            w->grads[half][c] = xg_attention_once_weight(w, half, c, NULL, w->grads[half][c], w->pivot[half]);
            xg_attention_back_pair_up(w, half, c);
        }
    xg_attention_back_sum(w, false);
    for (half = 0; half < w->p->halves; half++) memcpy(w->grads[half], grads[half], n * sizeof *grads[half]);
}
/* Of tensor memory the sum over dP goes on behind dS, for which others wait. */
XG_FN void xg_attention_once_step(xg_attention_kernel *w) {
    int64_t columns = w->p->own / XG_ATTENTION_BESIDE, half;
    xg_kval *most[XG_ATTENTION_HALVES_MAX];
    bool in_tensor = w->p->shape.in_tensor;
    xg_attention_summed o;
    xg_attention_back_products(w, true, NULL);
    xg_attention_peaks(w, most);
    xg_attention_refer(w, most);
    xg_attention_refer_sums(w);
    for (half = 0; half < w->p->halves; half++) {
        w->most[half] = most[half];
        if (!in_tensor) w->before[half] = w->sum[half];
        /* registers are scarcer than what makes factors of them */
        xg_attention_exps(w, w->scores[half], columns, xg_attention_shift(w, w->stat[half][XG_ATTENTION_REFERENCE]));
        xg_attention_add_up(w, half);
    }
    if (in_tensor) xg_attention_once_soften(w);
    xg_attention_back_grads(w);
    for (half = 0; half < w->p->halves && !in_tensor; half++) xg_attention_back_delta_row(w, half);
    o = xg_attention_back_summed(w, true);
    if (in_tensor) xg_attention_write_back(w, o.weights, o.weights_at, o.pieces); /* r0 needs their registers */
    xg_attention_once_pivot(w);
    if (in_tensor) xg_attention_back_tensor_next(w, NULL, false);
    xg_attention_once_weights(w);
    for (half = 0; half < w->p->halves && in_tensor; half++) xg_attention_back_delta_row(w, half);
    if (in_tensor) return;
    xg_attention_once_soften(w);
    xg_attention_back_sum(w, true);
    xg_attention_back_group_end(w);
    xg_attention_back_leave(w);
}
XG_FN void xg_attention_back_walk_once(xg_attention_kernel *w) {
    xg_kval *zero = xg_attention_number(w, 0), *one = xg_attention_number(w, 1), **sum, *v;
    int64_t half, k;
    xg_attention_begin_step(w, w->from);                          /* any: they depend on no key */
    w->share = xg_attention_once_weight(w, 0, 0, one, zero, one); /* lines are 1 */
    for (half = 0; half < w->p->halves; half++) {
        xg_attention_refer_to(w, half, w->most[half]);
        w->pivot[half] = w->before[half] = zero;
    }
    xg_attention_back_walk(w, xg_attention_once_step);
    for (half = 0; half < w->p->halves; half++) { /* sums relative to the maximum */
        v = xg_attention_shift(w, w->stat[half][XG_ATTENTION_REFERENCE]);
        v = xg_attention_exp(w, v, xg_attention_shift(w, w->most[half]));
        for (k = 0; k < 2; k++) {
            sum = k ? &w->stat[half][XG_ATTENTION_GRAD_SUM] : &w->sum[half];
            *sum = xg_k2(xg_attention_b(w), XG_K_OP_MULF, *sum, v);
        }
    }
}
/* A column's dQ, of both sums, by what a row has. */
XG_FN xg_kval *xg_attention_once_join(xg_attention_kernel *w, int64_t half, xg_kval *sum, xg_kval *second) {
    xg_kb *b = xg_attention_b(w);
    if (w->f->back.of_grads) sum = xg_k2(b, XG_K_OP_MULF, sum, w->before[half]);
    return xg_k2(b, XG_K_OP_MULF, xg_k3(b, XG_K_OP_FMA, second, w->pivot[half], sum), w->by[half]);
}
XG_FN xg_kval *xg_attention_once_product(xg_attention_kernel *w, int64_t half, uint32_t lines, xg_kval *by) {
    uint32_t k;
    for (k = 0; k < w->f->back.n_lines; k++)
        if (lines >> k & 1) by = xg_k2(xg_attention_b(w), XG_K_OP_MULF, by, w->line[half][k]);
    return by;
}
/* What rows have is known: dQ. */
XG_FN void xg_attention_once_end(xg_attention_kernel *w) {
    xg_kb *b = xg_attention_b(w);
    int64_t half, c;
    if (w->p->shape.in_tensor) xg_attention_tensor_take(w);
    for (half = 0; half < w->p->halves; half++) {
        xg_kval *by = xg_attention_shift(w, w->stat[half][XG_ATTENTION_REFERENCE]), *v;
        by = xg_attention_exp(w, by, w->shift[half]);
        by = xg_k2(b, XG_K_OP_MULF, by, xg_attention_number(w, xg_attention_once_scale(w)));
        w->by[half] = xg_attention_once_product(w, half, w->f->back.factors, by);
        w->before[half] = xg_attention_once_product(w, half, w->f->back.of_grads, xg_attention_number(w, 1));
        v = xg_k2(b, XG_K_OP_MULF, w->pivot[half], w->before[half]);
        v = xg_k2(b, XG_K_OP_SUBF, w->line[half][w->f->back.rest], v);
        w->pivot[half] = xg_k2(b, XG_K_OP_MULF, v, w->share);
        for (c = 0; c < w->p->depth / XG_ATTENTION_BESIDE && !w->p->shape.in_tensor; c++)
            w->out[half][c] = xg_attention_once_join(w, half, w->out[half][c], w->second[half][c]);
    }
}

#endif /* XG_SCHED_ATTENTION_BACK_ONCE_C */
