/* sched/attention_back_group.c -- attention's backward pass by warp groups (attention_group.c): tensor copies bring a
 * step's operands, and what each of its keys has one of; wgmma multiplies.
 *
 *     a group of 64 rows, for each step:
 *         wait until the keys' buffer is full; ask for s = Q K
 *         wait until the values' buffer is full; ask for dP = dO V
 *         wait for s; p, while dP is made
 *         ask for dV += p dO (where rows are keys); wait for dP; dS, while dV is made
 *         ask for dQ, or dK, += dS K; wait; both buffers are empty
 *
 * All walks have both operands. Which steps they have, where masks leave out some, all threads vote on: of keys, what
 * each query has one of, before they part; of queries, behind the walk that finds their maxima. */
#ifndef XG_SCHED_ATTENTION_BACK_GROUP_C
#define XG_SCHED_ATTENTION_BACK_GROUP_C
#include "attention.h"

enum {
    XG_ATTENTION_BACK_MORE = 240, /* registers of a thread with rows, where there are two groups of them */
    XG_ATTENTION_BACK_LESS = 24,  /* of one that asks: 128 * 24 + 256 * 240 are 64 K */
    XG_ATTENTION_BACK_ASKS = 64   /* ... more for one that asks for products, too; half as many less */
};

XG_FN void xg_attention_back_group_count(xg_attention_kernel *w, xg_kopcode op, int64_t but) {
    xg_kir_do_0(xg_attention_b(w), op)->b = but;
}
XG_FN xg_attention_product xg_attention_back_product(xg_attention_kernel *w, bool grads) {
    const xg_attention_plan *p = w->p;
    xg_attention_product o = xg_attention_scores_product(w);
    int64_t half;
    if (!grads) return o;
    o.fixed = p->shape.grouped ? w->query : w->grad;
    o.kept = w->kept_grad;
    o.step = w->values;
    if (xg_attention_is_paired(p)) {
        o.step = w->keys;
        o.rows[0] = xg_tile_join(w->t, w->digits[1], xg_attention_side_rows(p), w->buffer);
    }
    o.fixed_pitch = o.pitch = p->value_pitch;
    o.width = p->columns;
    o.held = p->keeps_grads;
    o.fixed_at = p->keeps_rows ? p->depth / 2 : 0;
    if (!p->keeps_grads) o.fixed_at = xg_attention_grad_at(p) * p->tile * XG_KWGMMA_LINE_BYTES;
    o.at = p->shape.step;
    for (half = 0; half < p->halves; half++) o.to[half] = w->grads[half];
    return o;
}
XG_FN void xg_attention_back_group_product(xg_attention_kernel *w, const xg_attention_product *o, bool grads) {
    uint32_t n = (uint32_t)(w->p->shape.step / XG_KMMA_N), j;
    for (j = 0; j < n; j++) w->asked[grads][j] = xg_attention_no_sums(w);
    xg_attention_group_scores_of(w, o, w->turn, w->asked[grads], n);
    xg_attention_back_group_count(w, XG_K_OP_WGMMA_COMMIT, 0);
}
/* Behind the wait for all groups but so many. */
XG_FN void xg_attention_back_group_taken(xg_attention_kernel *w, bool grads, int64_t but) {
    uint32_t n = (uint32_t)(w->p->shape.step / XG_KMMA_N), j;
    xg_attention_back_group_count(w, XG_K_OP_WGMMA_WAIT, but);
    for (j = 0; j < n; j++) xg_attention_take(w, grads ? w->grads : w->scores, j, w->asked[grads][j]);
}
XG_FN void xg_attention_back_group_take(xg_attention_kernel *w) { xg_attention_back_group_taken(w, true, 0); }
XG_FN void xg_attention_back_group_ask(xg_attention_kernel *w, bool grads) {
    xg_attention_product scores = xg_attention_scores_product(w), o = xg_attention_back_product(w, true);
    xg_attention_await_side(w, XG_ATTENTION_SIDE_KEYS, XG_ATTENTION_FULL, w->turn, 0);
    xg_attention_back_group_product(w, &scores, false);
    xg_attention_await_side(w, XG_ATTENTION_SIDE_VALUES, XG_ATTENTION_FULL, w->turn, 0);
    if (grads) xg_attention_back_group_product(w, &o, true);
    xg_attention_back_group_taken(w, false, grads);
}
XG_FN void xg_attention_back_group_sum(xg_attention_kernel *w, const xg_attention_summed *o, bool second) {
    uint32_t n = (uint32_t)(o->width / XG_KMMA_N), j;
    xg_kval **to[XG_ATTENTION_HALVES], **sums = w->asked_sums[second];
    to[0] = o->to[0];
    to[1] = o->to[1];
    for (j = 0; j < n; j++) sums[j] = xg_attention_out_sums(w, to, j);
    xg_attention_group_out_of(w, o, w->turn, sums, n);
    xg_attention_back_group_count(w, XG_K_OP_WGMMA_COMMIT, 0);
}
XG_FN void xg_attention_back_group_end(xg_attention_kernel *w) {
    uint32_t j;
    xg_attention_back_group_count(w, XG_K_OP_WGMMA_WAIT, 0);
    for (j = 0; j < (uint32_t)(w->p->depth / XG_KMMA_N) && !w->skips[0]; j++)
        xg_attention_take(w, w->out, j, w->asked_sums[0][j]);
    for (j = 0; j < (uint32_t)(xg_attention_back_second_width(w->p) / XG_KMMA_N) && !w->skips[1]; j++)
        xg_attention_take(w, w->second, j, w->asked_sums[1][j]);
}

/* ---- the kernel ---- */

/* What the thread that asks goes through: for maxima and sums, for the sum over dP, for the dots. */
XG_FN void xg_attention_back_group_ask_all(xg_attention_kernel *w) {
    const xg_attention_back *b = &w->f->back;
    if (!b->turned) {
        w->dots = w->p->shape.once;
        if (w->f->match.max) {
            xg_attention_walk_all(w, false, xg_attention_ask_all);
            xg_attention_back_end_walks(w);
        }
        if (w->p->shape.once) return;
        xg_attention_back_bounds(w, false);
    }
    w->dots = b->turned;
    w->skips[0] = w->p->apart;
    w->skips[1] = false;
    if (b->turned ? w->p->apart : !b->together) {
        w->begin = w->from;
        xg_attention_ask_all(w);
        xg_attention_walked(w, w->to);
    }
    w->dots = true;
    w->skips[0] = false;
    w->skips[1] = w->p->apart;
    w->begin = w->from;
    if (!b->rows_only) xg_attention_ask_all(w);
}
XG_FN void xg_attention_back_group_kernel(xg_attention_kernel *w, uint32_t n) {
    int64_t asks = w->p->shape.in_tensor ? (int64_t)XG_ATTENTION_BACK_ASKS : 0;
    xg_attention_kernel before;
    xg_flow part;
    xg_kval *thread;
    if (w->p->bounded && w->f->back.turned) xg_attention_back_vote(w); /* the rows' barrier is behind it */
    thread = xg_attention_group_open(w, &part, n);
    if (w->f->back.turned) xg_attention_back_bounds(w, true);
    before = *w;
    xg_flow_if(&part, xg_kcmpi_int(xg_attention_b(w), XG_CI_SLT, thread, w->p->threads));
    xg_attention_group_registers(w, XG_K_OP_REGISTERS_MORE, XG_ATTENTION_BACK_MORE - asks / 2);
    if (w->p->keeps_grads) xg_attention_back_tensor_keep(w);
    xg_attention_back_all(w, n);
    xg_flow_else(&part);
    xg_attention_group_begin_again(w, &before);
    w->from = before.from;
    w->to = before.to;
    memcpy(w->columns, before.columns, sizeof w->columns);
    w->done = NULL;
    w->walk = NULL;
    xg_attention_group_registers(w, XG_K_OP_REGISTERS_LESS, XG_ATTENTION_BACK_LESS + asks);
    if (w->p->keeps_grads) xg_attention_back_tensor_kept(w);
    xg_attention_back_group_ask_all(w);
    if (w->p->shape.in_tensor) xg_attention_ask_last(w);
    xg_flow_end(&part);
}

#endif /* XG_SCHED_ATTENTION_BACK_GROUP_C */
