/* sched/attention_back_once.c -- attention's dQ in one walk over the keys.
 *
 *     dS = exp (a dP + b r), where r is made of the sum over dP, which is known behind the last key
 *     A = sum of exp (a dP + b r0) K, B = sum of exp b K:   dQ = (A - r0 B) f + r B g
 *
 * a, b: constants; f, g: what else the row has, which is 1 in the walk. r0 is what the first step's keys would make of
 * r, so that what is rounded to 16 bits is no larger than dS. As in the forward pass, exps are relative to an earlier
 * maximum, and sums are scaled where that grows by much. That is four products and one exp of each score, not five and
 * two. */
#ifndef XG_SCHED_ATTENTION_BACK_ONCE_C
#define XG_SCHED_ATTENTION_BACK_ONCE_C
#include "attention.h"

/* ---- the form ---- */

/* What a product has as factors; of a sum among them the terms with dP and with what is late. */
typedef struct xg_attention_once_terms {
    uint32_t exps, grads, late, lines[2]; /* late, lines: by bits */
    bool sum;
} xg_attention_once_terms;
XG_FN bool xg_attention_once_factor(const xg_attention_form *f, const xg_inst *i, xg_attention_once_terms *t) {
    double v;
    uint32_t k;
    while (i->op == XG_CONVERT || i->op == XG_NEGATE || xg_attention_moves(i)) i = XG_OPERAND(i, 0);
    for (k = 0; k < f->back.n_lines; k++) {
        uint32_t bit = 1u << k;
        if (f->back.lines[k] != i) continue;
        if ((t->lines[0] | t->lines[1] | t->late) & bit) return false;
        if (f->back.late[k])
            t->late |= bit;
        else {
            t->lines[0] |= bit;
            t->lines[1] |= bit;
        }
        return true;
    }
    if (i == f->match.exp) return !t->exps++;
    if (i == f->back.match.grad_dot) return !t->grads++;
    if (i->op == XG_MULTIPLY)
        return xg_attention_once_factor(f, XG_OPERAND(i, 0), t) && xg_attention_once_factor(f, XG_OPERAND(i, 1), t);
    if (i->op == XG_ADD || i->op == XG_SUBTRACT) {
        xg_attention_once_terms part[2];
        uint32_t of;
        memset(part, 0, sizeof part);
        for (k = 0; k < 2; k++)
            if (!xg_attention_once_factor(f, XG_OPERAND(i, k), &part[k]) || part[k].sum) return false;
        of = part[1].grads;
        if (t->sum || part[of].grads != 1 || part[of].late || part[!of].grads || !part[!of].late ||
            part[0].exps != part[1].exps || ((part[0].lines[0] | part[1].lines[0]) & t->lines[0]))
            return false;
        t->sum = true;
        t->exps += part[0].exps;
        t->late |= part[!of].late;
        t->lines[0] |= part[of].lines[0];
        t->lines[1] |= part[!of].lines[0];
        return true;
    }
    return xg_attention_constant(i, &v);
}
XG_FN void xg_attention_once_find(xg_attention_form *f, const xg_inst *weights) {
    xg_attention_once_terms t;
    memset(&t, 0, sizeof t);
    f->back.once = xg_attention_once_factor(f, weights, &t) && t.sum && t.exps == 1 && !t.grads && t.late &&
                   !(t.late & (t.late - 1));
    memcpy(f->back.factors, t.lines, sizeof t.lines);
    for (f->back.rest = 0; t.late >> f->back.rest > 1;) f->back.rest++;
}
/* Weights that are relative to an earlier maximum have the range of f32. */
XG_FN bool xg_attention_once_may(const xg_attention_plan *p) {
    return p->form.back.once && !p->form.back.rows_only && p->shape.grouped && !p->votes &&
           p->form.held == XLAGPU_BF16 && p->form.pieces[0] == 1;
}

/* ---- the walk ---- */

XG_FN void xg_attention_once_carry(xg_attention_kernel *w, xg_flow *f, int64_t half) {
    if (!w->p->once) return;
    xg_flow_slot(f, &w->stat[half][XG_ATTENTION_REFERENCE]);
    xg_flow_slot(f, &w->pivot[half]);
}
/* dS with other values of dP and of what is late. */
XG_FN xg_kval *xg_attention_once_weight(
    xg_attention_kernel *w, int64_t half, int64_t c, xg_kval *grad, xg_kval *late, bool real) {
    xg_attention_back_spot s;
    s.half = half;
    s.c = c;
    s.exp = w->scores[half][c];
    s.grad = grad;
    w->line[half][w->f->back.rest] = late;
    if (real) return xg_attention_back_real(w, XG_ATTENTION_WEIGHTS, &s);
    return xg_attention_back_weight_within(w, XG_ATTENTION_WEIGHTS, w->f->match.out_dot, &s);
}
/* A row's numbers with those of the group that has the other half of the step's keys. */
XG_FN void xg_attention_once_join(
    xg_attention_kernel *w, xg_kopcode op, xg_kval **v, int64_t half, int64_t first, int64_t n, bool in) {
    xg_kb *b = xg_attention_b(w);
    xg_kval *part = w->part, *at, *x;
    int64_t k;
    if (in) {
        part = xg_k2(b, XG_K_OP_SUBI, xg_elem_index(&w->t.s, 1), part);
        xg_kval_set_range(part, xg_range_of(0, 1));
    }
    for (k = 0; k < n; k++) {
        at = xg_attention_back_tensor_spot(w, part, half, first + k);
        if (!in)
            w->ends = xg_kinsert(b, v[k], w->ends, &at, 1);
        else {
            x = xg_kextract(b, w->ends, &at, 1);
            v[k] = xg_k2(b, op, v[k], x);
        }
    }
}
/* Both groups have shown theirs: in each step, in the first one twice. */
XG_FN void xg_attention_once_meet(xg_attention_kernel *w, xg_kval *round) {
    int64_t all = w->p->stages * XG_TILE_SIDES * XG_ATTENTION_STATES;
    xg_kval *at = xg_tile_bulk_at(&w->t, w->barriers, xg_elem_index(&w->t.s, all));
    xg_tile_bulk_tell(&w->t, XG_K_OP_MBARRIER_ARRIVE, at, 0);
    xg_tile_bulk_await_round(&w->t, at, round, 1, 0);
}
/* The sums so far, when their products are made: with those the last step's buffer became empty. */
XG_FN void xg_attention_once_shrink(xg_attention_kernel *w) {
    int64_t stages = w->p->stages, columns = w->p->depth / w->p->shape.parts;
    xg_attention_await_side(
        w, XG_ATTENTION_SIDE_KEYS, XG_ATTENTION_EMPTY, xg_k2_int(xg_attention_b(w), XG_K_OP_ADDI, w->turn, stages - 1), 1);
    xg_kir_do(xg_attention_b(w), XG_K_OP_TENSOR_AFTER, NULL, 0);
    xg_attention_shrink(w, xg_attention_back_sums_at(w->p, false), columns, w->shrinks);
    xg_attention_shrink(w, xg_attention_back_sums_at(w->p, true), columns, w->shrinks);
}
/* For which the first step's dS of a row would add up to nothing. */
XG_FN void xg_attention_once_pivot(xg_attention_kernel *w) {
    xg_kb *b = xg_attention_b(w);
    xg_kval *zero = xg_attention_number(w, 0), *one = xg_attention_number(w, 1), *v, *sums[XG_ATTENTION_HALVES_MAX][2];
    xg_flow f = xg_flow_of(&w->t.s, NULL);
    bool joins = xg_attention_joins(w->p);
    int64_t half, c, k;
    for (half = 0; half < w->p->halves; half++) xg_flow_slot(&f, &w->pivot[half]);
    if (joins) xg_flow_slot(&f, &w->ends);
    xg_flow_if(&f, xg_kcmpi_(b, XG_CI_EQ, w->step, w->from));
    f.op->a = 1;
    for (half = 0; half < w->p->halves; half++) {
        xg_kval **sum = sums[half];
        sum[0] = sum[1] = zero;
        for (c = 0; c < w->p->own / XG_ATTENTION_BESIDE; c++)
            for (k = 0; k < 2; k++) {
                v = xg_attention_once_weight(w, half, c, k ? zero : w->grads[half][c], k ? one : zero, true);
                sum[k] = xg_k2(b, XG_K_OP_ADDF, sum[k], v);
            }
        xg_attention_combine(w, XG_K_OP_ADDF, sum, 2, XG_ATTENTION_BESIDE);
        if (joins) xg_attention_once_join(w, XG_K_OP_ADDF, sum, half, 1, 2, false);
    }
    if (joins) xg_attention_once_meet(w, w->digits[1]);
    for (half = 0; half < w->p->halves; half++) {
        xg_kval **sum = sums[half];
        if (joins) xg_attention_once_join(w, XG_K_OP_ADDF, sum, half, 1, 2, true);
        v = xg_k1(b, XG_K_OP_NEGF, xg_k2(b, XG_K_OP_DIVF, sum[0], sum[1]));
        w->pivot[half] = xg_kselect(b, xg_kcmpf_(b, XG_CF_OEQ, sum[1], zero), zero, v);
    }
    xg_flow_end(&f);
}
/* exp b, times K. */
XG_FN void xg_attention_once_soften(xg_attention_kernel *w) {
    xg_kval *zero = xg_attention_number(w, 0), *one = xg_attention_number(w, 1);
    int64_t half, c;
    for (c = 0; c < w->p->own / XG_ATTENTION_BESIDE; c++)
        for (half = 0; half < w->p->halves; half++)
            w->soft[half][c] = xg_attention_once_weight(w, half, c, zero, one, false);
    xg_attention_back_sum(w, true);
}
/* Maxima of both groups. */
XG_FN void xg_attention_once_peaks(xg_attention_kernel *w, xg_kval **most) {
    xg_kb *b = xg_attention_b(w);
    xg_kval *round;
    int64_t half;
    xg_attention_peaks(w, most);
    if (!xg_attention_joins(w->p)) return;
    for (half = 0; half < w->p->halves; half++) xg_attention_once_join(w, XG_K_OP_MAXF, &most[half], half, 0, 1, false);
    round = xg_k2(b, XG_K_OP_ADDI, w->turn, xg_k2(b, XG_K_OP_MINSI, w->turn, w->digits[1]));
    xg_kval_set_range(round, xg_range_of(0, xg_kval_range(w->turn).hi + 1));
    xg_attention_once_meet(w, round);
    for (half = 0; half < w->p->halves; half++) xg_attention_once_join(w, XG_K_OP_MAXF, &most[half], half, 0, 1, true);
}
XG_FN void xg_attention_once_step(xg_attention_kernel *w) {
    int64_t columns = w->p->own / XG_ATTENTION_BESIDE, half, c;
    xg_kval *most[XG_ATTENTION_HALVES_MAX];
    bool in_tensor = w->p->shape.in_tensor; /* where dP is made in the meantime */
    xg_attention_back_products(w, true, NULL);
    xg_attention_once_peaks(w, most);
    xg_attention_refer(w, most);
    if (!in_tensor) xg_attention_refer_sums(w);
    for (half = 0; half < w->p->halves; half++) {
        w->most[half] = most[half];
        /* registers are scarcer than what makes factors of them */
        xg_attention_exps(w, w->scores[half], columns, xg_attention_shift(w, w->stat[half][XG_ATTENTION_REFERENCE]));
        xg_attention_add_up(w, half);
    }
    if (in_tensor) xg_attention_once_soften(w);
    xg_attention_back_grads(w);
    for (half = 0; half < w->p->halves; half++) xg_attention_back_delta_row(w, half);
    xg_attention_once_pivot(w);
    for (c = 0; c < columns; c++)
        for (half = 0; half < w->p->halves; half++)
            w->grads[half][c] = xg_attention_once_weight(w, half, c, w->grads[half][c], w->pivot[half], false);
    xg_attention_back_sum(w, false);
    if (in_tensor) return;
    xg_attention_once_soften(w);
    xg_attention_back_group_end(w);
    xg_attention_back_leave(w);
}
XG_FN void xg_attention_back_walk_once(xg_attention_kernel *w) {
    xg_kval *zero = xg_attention_number(w, 0), **sum, *v;
    int64_t half, k;
    for (half = 0; half < w->p->halves; half++) {
        xg_attention_refer_to(w, half, w->most[half]);
        w->pivot[half] = zero;
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
/* What rows have is known: dQ. */
XG_FN void xg_attention_once_end(xg_attention_kernel *w) {
    xg_kb *b = xg_attention_b(w);
    int64_t half, c;
    uint32_t k, j;
    if (w->p->shape.in_tensor) xg_attention_tensor_take(w);
    for (half = 0; half < w->p->halves; half++) {
        xg_kval *by[2], *v = xg_attention_shift(w, w->stat[half][XG_ATTENTION_REFERENCE]);
        by[0] = by[1] = xg_attention_exp(w, v, w->shift[half]);
        for (k = 0; k < w->f->back.n_lines; k++)
            for (j = 0; j < 2; j++)
                if (w->f->back.factors[j] >> k & 1) by[j] = xg_k2(b, XG_K_OP_MULF, by[j], w->line[half][k]);
        v = xg_k2(b, XG_K_OP_MULF, by[0], w->pivot[half]);
        by[1] = xg_k2(b, XG_K_OP_SUBF, xg_k2(b, XG_K_OP_MULF, by[1], w->line[half][w->f->back.rest]), v);
        for (c = 0; c < w->p->depth / w->p->shape.parts / XG_ATTENTION_BESIDE; c++) {
            v = xg_k2(b, XG_K_OP_MULF, w->out[half][c], by[0]);
            w->out[half][c] = xg_k3(b, XG_K_OP_FMA, w->second[half][c], by[1], v);
        }
    }
}

#endif /* XG_SCHED_ATTENTION_BACK_ONCE_C */
