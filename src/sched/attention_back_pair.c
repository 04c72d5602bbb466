/* sched/attention_back_pair.c -- attention's backward pass by pairs of warps, which have the same 32 rows: what a warp
 * reads of a step's operands serves twice as many rows, and registers have room for the rows of one operand, since each
 * warp multiplies by one of the two.
 *
 *     the first:  s = Q K of all keys of the step         the second: dP = dO V of them
 *     each gives the other one the sums of that one's half of the keys
 *     each: p and dS of its own half
 *     the first:  gives dS, dV += p dO                    the second: gives p, dK += dS Q     (rows are keys)
 *     each: dQ += dS K of its own half of the keys; at the end both halves are added          (rows are queries)
 *
 * Walks that make no sums of dots keep both operands' rows, and have nothing to give. Both operands of a step lie in
 * one array, keys first. */
#ifndef XG_SCHED_ATTENTION_BACK_PAIR_C
#define XG_SCHED_ATTENTION_BACK_PAIR_C
#include "attention.h"

enum {
    XG_ATTENTION_PAIR_MOST = 16 /* vectors of a lane that are given at once */
};

XG_FN xg_kval *xg_attention_pair_first(xg_attention_kernel *w) {
    return xg_kcmpi_int(xg_attention_b(w), XG_CI_EQ, w->part, 0);
}
XG_FN xg_kval *xg_attention_pair_other(xg_attention_kernel *w) {
    xg_kval *v = xg_k2(xg_attention_b(w), XG_K_OP_SUBI, w->digits[1], w->part);
    xg_kval_set_range(v, xg_range_of(0, 1));
    return v;
}
/* Where the step's keys of a warp begin in the array of both operands. */
XG_FN xg_kval *xg_attention_pair_rows(xg_attention_kernel *w, xg_kval *side, bool other) {
    int64_t all = xg_attention_side_rows(w->p);
    xg_kval *rows = other ? xg_k2_int(xg_attention_b(w), XG_K_OP_XORI, w->buffer, w->p->own) : w->buffer;
    xg_kval_set_range(rows, xg_range_of(0, all - 1));
    return xg_tile_join(&w->t, side, all, rows);
}
/* Where a warp shows a lane's vector. */
XG_FN xg_kval *xg_attention_pair_spot(xg_attention_kernel *w, xg_kval *part, int64_t k) {
    xg_kval *at = xg_tile_join(&w->t, part, w->p->shape.warps, w->across);
    at = xg_tile_join(&w->t, at, xg_attention_pair_vectors(w->p), xg_elem_index(&w->t.s, k));
    at = xg_tile_join(&w->t, at, XG_WARP_LANES, w->lane);
    return xg_tile_join(&w->t, at, XG_ATTENTION_SUMS, w->digits[0]);
}
/* Vectors for the other warp; behind a barrier they are what that one has given. */
XG_FN void xg_attention_pair_give(xg_attention_kernel *w, xg_kval **v, int64_t n, int64_t first) {
    xg_kval *o[3], *other = xg_attention_pair_other(w);
    int64_t k;
    for (k = 0; k < n; k++) {
        o[0] = v[k];
        o[1] = w->weights;
        o[2] = xg_attention_pair_spot(w, w->part, first + k);
        w->weights = xg_kir_value(xg_attention_b(w), XG_K_OP_WRITE, o, 3, w->weights->type);
    }
    xg_attention_wait(w);
    o[0] = w->weights;
    for (k = 0; k < n; k++) {
        o[1] = xg_attention_pair_spot(w, other, first + k);
        v[k] = xg_kir_value(xg_attention_b(w), XG_K_OP_READ, o, 2, w->no_sums->type);
    }
}
XG_FN void xg_attention_pair_keep(xg_attention_kernel *w) {
    int64_t n = w->p->shape.blocks * w->p->depth / XG_ATTENTION_ROWS, k, i;
    xg_kval *first;
    if (!xg_attention_is_paired(w->p) || !w->kept_grad) return;
    first = xg_attention_pair_first(w);
    for (k = 0; k < n; k++)
        for (i = 0; i < XG_ATTENTION_SUMS; i++) {
            xg_kval *x = xg_attention_lane(w, w->kept[k], i), *y = xg_attention_lane(w, w->kept_grad[k], i);
            w->kept[k] = xg_attention_insert(w, xg_kselect(xg_attention_b(w), first, x, y), w->kept[k], i);
        }
    w->kept_grad = NULL;
}
/* The other warp's keys first: their sums are there when the last ones are asked for. */
XG_FN void xg_attention_pair_products(xg_attention_kernel *w) {
    int64_t own = w->p->own / XG_ATTENTION_EIGHT, n = w->p->shape.blocks * own, k, c;
    xg_attention_product o = xg_attention_scores_product(w);
    xg_kval *v[XG_ATTENTION_PAIR_MOST], *first;
    o.rows[0] = xg_attention_pair_rows(w, w->part, true);
    o.rows[1] = xg_attention_pair_rows(w, w->part, false);
    xg_attention_unit_product(w, &o);
    for (k = 0; k < n; k++) v[k] = xg_attention_out_sums(w, &w->scores[k / own * XG_ATTENTION_HALVES], k % own);
    xg_attention_pair_give(w, v, n, 0);
    for (k = 0; k < n; k++) xg_attention_take(w, &w->grads[k / own * XG_ATTENTION_HALVES], k % own, v[k]);
    first = xg_attention_pair_first(w);
    for (k = 0; k < w->p->halves; k++)
        for (c = 0; c < XG_ATTENTION_PAIR * own; c++) {
            xg_kval *x = w->scores[k][XG_ATTENTION_PAIR * own + c], *y = w->grads[k][c];
            w->scores[k][c] = xg_kselect(xg_attention_b(w), first, x, y);
            w->grads[k][c] = xg_kselect(xg_attention_b(w), first, y, x);
        }
}
/* Words of the own keys' weights, for the warp's sum, to w->soft, and for the other one's. */
XG_FN void xg_attention_pair_words(xg_attention_kernel *w) {
    int64_t k, c;
    xg_kval *first = xg_attention_pair_first(w);
    for (k = 0; k < w->p->halves; k++)
        for (c = 0; c < w->p->own / XG_ATTENTION_EIGHT; c++) {
            xg_kval *grad = xg_attention_word(w, &w->grads[k][XG_ATTENTION_PAIR * c]), *soft;
            w->soft[k][c] = grad;
            if (!w->f->back.turned) continue;
            soft = xg_attention_word(w, &w->scores[k][XG_ATTENTION_PAIR * c]);
            w->soft[k][c] = xg_kselect(xg_attention_b(w), first, soft, grad);
            w->grads[k][c] = xg_kselect(xg_attention_b(w), first, grad, soft);
        }
}
/* Those of the other one's keys come behind them. */
XG_FN void xg_attention_pair_trade(xg_attention_kernel *w) {
    const xg_ktype *words = xg_kir_vector(w->t.e->m, XG_E_I32, XG_ATTENTION_SUMS);
    int64_t own = w->p->own / XG_ATTENTION_ROWS, n = w->p->shape.blocks * own, k, c;
    xg_kval *v[XG_ATTENTION_PAIR_MOST];
    for (k = 0; k < n; k++) {
        v[k] = xg_attention_packed(w, &w->grads[k / own * XG_ATTENTION_HALVES], k % own);
        v[k] = xg_kir_value(xg_attention_b(w), XG_K_OP_BITCAST, &v[k], 1, w->no_sums->type);
    }
    xg_attention_pair_give(w, v, n, XG_ATTENTION_PAIR * n);
    for (k = 0; k < n; k++) {
        v[k] = xg_kir_value(xg_attention_b(w), XG_K_OP_BITCAST, &v[k], 1, words);
        for (c = 0; c < XG_ATTENTION_SUMS; c++)
            w->soft[k / own * XG_ATTENTION_HALVES + c % 2][2 * (own + k % own) + c / 2] =
                xg_attention_lane(w, v[k], c);
    }
}
XG_FN void xg_attention_pair_sum(xg_attention_kernel *w) {
    xg_attention_summed o = xg_attention_out_summed(w);
    xg_kval *side = w->digits[0];
    int64_t k;
    xg_attention_pair_words(w);
    if (w->f->back.turned) {
        xg_attention_pair_trade(w);
        side = xg_attention_pair_other(w);
        o.rows[1] = xg_attention_pair_rows(w, side, true);
    }
    o.rows[0] = xg_attention_pair_rows(w, side, false);
    o.step = w->keys;
    o.pitch = w->p->pitch;
    for (k = 0; k < w->p->halves; k++) o.weights[k] = w->soft[k];
    xg_attention_unit_sum(w, &o);
}
/* By few columns at a time, as there is room to show them. */
XG_FN void xg_attention_pair_join(xg_attention_kernel *w) {
    int64_t own = w->p->depth / XG_ATTENTION_BESIDE / 2, blocks = w->p->shape.blocks, c, k, i;
    xg_kval *first = xg_attention_pair_first(w), *v[XG_ATTENTION_PAIR_MOST], *kept, *given;
    xg_attention_wait(w); /* what the last step has shown is read */
    for (c = 0; c < own; c += XG_ATTENTION_PAIR) {
        for (k = 0; k < w->p->halves; k++)
            for (i = c; i < c + XG_ATTENTION_PAIR; i++) {
                kept = xg_kselect(xg_attention_b(w), first, w->out[k][i], w->out[k][own + i]);
                given = xg_kselect(xg_attention_b(w), first, w->out[k][own + i], w->out[k][i]);
                w->out[k][i] = kept;
                w->grads[k][i - c] = given;
            }
        for (k = 0; k < blocks; k++) v[k] = xg_attention_out_sums(w, &w->grads[k * XG_ATTENTION_HALVES], 0);
        xg_attention_pair_give(w, v, blocks, c % (2 * XG_ATTENTION_PAIR) ? blocks : 0);
        for (k = 0; k < blocks; k++) xg_attention_take(w, &w->grads[k * XG_ATTENTION_HALVES], 0, v[k]);
        for (k = 0; k < w->p->halves; k++)
            for (i = c; i < c + XG_ATTENTION_PAIR; i++)
                w->out[k][i] = xg_k2(xg_attention_b(w), XG_K_OP_ADDF, w->out[k][i], w->grads[k][i - c]);
    }
}

#endif /* XG_SCHED_ATTENTION_BACK_PAIR_C */
