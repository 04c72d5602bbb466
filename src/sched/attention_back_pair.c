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
 * Where registers have room for both operands' rows, as where a walk makes no sums of dots, each makes scores and dP of
 * its own half of the keys, and has none of these to give. Both operands of a step lie in one array, keys first. */
#ifndef XG_SCHED_ATTENTION_BACK_PAIR_C
#define XG_SCHED_ATTENTION_BACK_PAIR_C
#include "attention.h"

XG_FN xg_kval *xg_attention_pair_other(xg_attention_kernel *w) {
    xg_kval *v = xg_k2(xg_attention_b(w), XG_K_OP_SUBI, w->digits[1], w->part);
    xg_kval_set_range(v, xg_range_of(0, 1));
    return v;
}
/* In the second warp they change places. */
XG_FN void xg_attention_pair_turn(xg_attention_kernel *w, xg_kval **x, xg_kval **y) {
    xg_kval *first = xg_kcmpi_int(xg_attention_b(w), XG_CI_EQ, w->part, 0), *v = *x;
    *x = xg_kselect(xg_attention_b(w), first, v, *y);
    *y = xg_kselect(xg_attention_b(w), first, *y, v);
}
/* Where a warp's own keys of the step begin in the array of both operands, and the other one's. */
XG_FN void xg_attention_pair_rows(xg_attention_kernel *w, xg_kval *side, xg_kval **own, xg_kval **other) {
    int64_t all = xg_attention_side_rows(w->p);
    xg_kval *v = xg_k2_int(xg_attention_b(w), XG_K_OP_XORI, w->buffer, w->p->own);
    xg_kval_set_range(v, xg_range_of(0, all - 1));
    *own = xg_tile_join(w->t, side, all, w->buffer);
    *other = xg_tile_join(w->t, side, all, v);
}
/* Each block's vectors of columns from the k-th on become what the other warp gives for them, behind a barrier. They
 * are shown behind so many others. */
XG_FN void xg_attention_pair_give(xg_attention_kernel *w, xg_kval ***v, int64_t k, int64_t n, int64_t behind) {
    int64_t blocks = w->p->shape.blocks, all = xg_attention_pair_vectors(w->p), lanes = XG_WARP_LANES, i;
    bool given = false;
    do {
        xg_kval *at = given ? xg_attention_pair_other(w) : w->part, *o[3], ***to;
        at = xg_tile_join(w->t, at, w->p->shape.warps, w->across);
        at = xg_tile_join(w->t, at, all, xg_elem_index(&w->t->s, behind));
        at = xg_tile_join(w->t, at, lanes, w->lane);
        at = xg_tile_join(w->t, at, XG_ATTENTION_SUMS, w->digits[0]);
        for (i = 0; i < n * blocks; i++) {
            to = &v[i % blocks * XG_ATTENTION_HALVES];
            o[1] = w->weights;
            o[2] = xg_attention_at(w, at, w->p->threads * all * XG_ATTENTION_SUMS, i * lanes * XG_ATTENTION_SUMS);
            if (given) {
                o[0] = xg_kir_value(xg_attention_b(w), XG_K_OP_READ, &o[1], 2, w->no_sums->type);
                xg_attention_take(w, to, k + i / blocks, o[0]);
            } else {
                o[0] = xg_attention_out_sums(w, to, k + i / blocks);
                w->weights = xg_kir_value(xg_attention_b(w), XG_K_OP_WRITE, o, 3, w->weights->type);
            }
        }
        if (!given) xg_attention_wait(w);
        given = !given;
    } while (given);
}
/* Of both operands' rows those that the warp multiplies by. */
XG_FN void xg_attention_pair_keep(xg_attention_kernel *w) {
    uint32_t n = (uint32_t)(w->p->shape.blocks * w->p->depth / XG_ATTENTION_ROWS);
    xg_flow f = xg_flow_begin(&w->t->s);
    if (!w->p->trades) return;
    xg_flow_slots(&f, w->kept, n);
    xg_flow_if(&f, xg_kcmpi_int(xg_attention_b(w), XG_CI_EQ, w->part, 1));
    memcpy(w->kept, w->kept_grad, n * sizeof *w->kept);
    xg_flow_end(&f);
    w->kept_grad = NULL;
}
/* The other warp's keys first: their sums are there when the last ones are asked for. */
XG_FN void xg_attention_pair_products(xg_attention_kernel *w) {
    int64_t own = w->p->own / XG_ATTENTION_BESIDE, k, c;
    xg_attention_product o = xg_attention_scores_product(w);
    xg_attention_pair_rows(w, w->part, &o.rows[1], &o.rows[0]);
    xg_attention_unit_product(w, &o);
    xg_attention_pair_give(w, w->scores, 0, own / XG_ATTENTION_PAIR, 0);
    for (k = 0; k < w->p->halves; k++)
        for (c = 0; c < own; c++) {
            xg_kval **score = &w->scores[k][c], **grad = &w->grads[k][c];
            *grad = *score;
            *score = w->scores[k][own + c];
            xg_attention_pair_turn(w, score, grad);
        }
}
/* Words of the own keys' weights, for the warp's sum, to w->soft, and, as f32, for the other one's. */
XG_FN void xg_attention_pair_words(xg_attention_kernel *w) {
    int64_t words = w->p->own / XG_ATTENTION_EIGHT, k, c;
    for (k = 0; k < w->p->halves; k++)
        for (c = 0; c < words; c++) {
            xg_kval **word = &w->soft[k][c], *grad = xg_attention_word(w, &w->grads[k][XG_ATTENTION_PAIR * c]);
            *word = grad;
            if (!w->f->back.turned) continue;
            *word = xg_attention_word(w, &w->scores[k][XG_ATTENTION_PAIR * c]);
            xg_attention_pair_turn(w, word, &grad);
            w->grads[k][c] = xg_kcast(xg_attention_b(w), XG_K_OP_BITCAST, grad, XG_E_F32);
        }
    if (!w->f->back.turned) return;
    xg_attention_pair_give(w, w->grads, 0, words / XG_ATTENTION_PAIR, w->p->trades ? XG_ATTENTION_PAIR * words : 0);
    for (k = 0; k < w->p->halves; k++)
        for (c = 0; c < words; c++)
            w->soft[k][words + c] = xg_kcast(xg_attention_b(w), XG_K_OP_BITCAST, w->grads[k][c], XG_E_I32);
}
XG_FN void xg_attention_pair_sum(xg_attention_kernel *w) {
    xg_attention_summed o = xg_attention_out_summed(w);
    bool turned = w->f->back.turned;
    int64_t k;
    xg_attention_pair_words(w);
    xg_attention_pair_rows(w, turned ? xg_attention_pair_other(w) : w->digits[0], &o.rows[0], &o.rows[1]);
    if (!turned) o.rows[1] = NULL;
    o.step = w->keys;
    o.pitch = w->p->pitch;
    for (k = 0; k < w->p->halves; k++) o.weights[k] = w->soft[k];
    xg_attention_unit_sum(w, &o);
}
/* By few columns at a time, as there is room to show them. */
XG_FN void xg_attention_pair_join(xg_attention_kernel *w) {
    int64_t own = w->p->depth / XG_ATTENTION_EIGHT, all = own * w->p->halves, some = own / XG_ATTENTION_PAIR, k;
    xg_kval **v;
    for (k = 0; k < all; k++) {
        v = &w->out[k / own][k % own];
        xg_attention_pair_turn(w, v, v + own);
    }
    xg_attention_wait(w); /* what the last step has shown is read */
    for (k = 0; k < some; k++) xg_attention_pair_give(w, w->out, some + k, 1, k % 2 * w->p->shape.blocks);
    for (k = 0; k < all; k++) {
        v = &w->out[k / own][k % own];
        *v = xg_k2(xg_attention_b(w), XG_K_OP_ADDF, v[0], v[own]);
    }
}

#endif /* XG_SCHED_ATTENTION_BACK_PAIR_C */
