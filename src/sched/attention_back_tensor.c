/* sched/attention_back_tensor.c -- attention's backward pass with sums in tensor memory (attention_tensor.c): 128 rows,
 * of whose keys of a step each of two groups of threads has half.
 *
 *     columns: s | dP | third pieces | dQ, or dK | dV | Q, dO, or K, V, if there is room
 *     p of 16 bits lies where s was, dS where dP was; of f32, two of three pieces of bf16 do
 *
 *     first, a warp beside these threads, asks for s = Q K, dP = dO V of the first step; then, for each step:
 *         all: wait until s is made; read it; where rows are keys p; "ready"
 *         first: waits until all are ready; asks for dV += p dO, then for s of the next step
 *         all: wait until dP is made; read it; dS; "taken"
 *         first: waits until all are; asks for dQ, or dK, += dS K, then for dP of the next step
 *
 * So the next scores are made while dS is, and the other products while exponents are. What rows have, both groups find
 * of their own keys, and join. In one walk (attention_back_once.c) each has half of the rows: p and dS lie where dP
 * was, which is read first, so the next s is asked for once all have read this one ("seen"). Where dK and dV
 * have no room together, dV's walk goes first, in which dP is asked for but not made; of rows that have no room the
 * first operand's stay in shared memory. */
#ifndef XG_SCHED_ATTENTION_BACK_TENSOR_C
#define XG_SCHED_ATTENTION_BACK_TENSOR_C
#include "attention.h"
#include "attention_tensor.c"

XG_FN int64_t xg_attention_back_sums_at(const xg_attention_plan *p, bool second) {
    const int64_t *pieces = p->form.pieces;
    int64_t thirds = pieces[0] / XG_TILE_PIECES + pieces[1] / XG_TILE_PIECES;
    int64_t at = 2 * p->shape.step + thirds * p->shape.step / 2;
    return at + (second && !p->apart && !p->form.back.rows_only ? p->depth : 0);
}
XG_FN int64_t xg_attention_back_rows_at(const xg_attention_plan *p) {
    return xg_attention_back_sums_at(p, true) + xg_attention_back_second_width(p);
}
/* An operand of the tile's rows to columns of tensor memory: many are read before they are written. */
XG_FN void xg_attention_back_tensor_put(xg_attention_kernel *w, xg_kval *from, int64_t width, int64_t to) {
    enum {
        LINE = XG_KWGMMA_LINE_BYTES / 2, /* elements */
        WORDS = LINE / 16
    };
    int64_t n = xg_attention_read_at_once(width / 2) / XG_KMMA_N, block, k, j;
    for (block = 0; block < w->p->shape.blocks; block++)
        for (k = 0; k < width / 16; k += n) {
            xg_kval *o[1 + XG_ATTENTION_VECTORS_AT_ONCE];
            int64_t row = block * XG_ATTENTION_ROWS;
            o[0] = xg_attention_cell(w, row, to + k * (int64_t)XG_KMMA_N, 0);
            for (j = 0; j < n; j++)
                o[1 + j] = xg_attention_lined_words(
                    w, from, LINE, ((k + j) / WORDS * w->p->tile + row) * LINE, (k + j) % WORDS);
            xg_attention_write_cells(w, o, n);
        }
}
XG_FN void xg_attention_back_tensor_keep(xg_attention_kernel *w) {
    int64_t at = xg_attention_back_rows_at(w->p);
    xg_flow f = xg_flow_begin(&w->t->s);
    xg_flow_if(&f, xg_attention_below(w, w->part, 1));
    if (w->p->keeps_rows) xg_attention_back_tensor_put(w, w->keys, w->p->depth, at);
    if (w->p->keeps_rows) at += w->p->depth / 2;
    xg_attention_back_tensor_put(w, w->values, w->p->columns, at);
    xg_flow_end(&f);
    xg_attention_tell(w, XG_ATTENTION_LEFT);
    /* The first step has come only when the thread that asks for it has seen all of them: this wait's fence is what
     * products need, and no order of threads tells whether it waits. */
    xg_attention_await_tell(w, XG_ATTENTION_LEFT, xg_elem_index(&w->t->s, w->shared++), 0);
}
/* Who asks waits for them where the tile has steps: elsewhere the others go on without it, and when it looks, the
 * barrier may have been through another round already. Should rows ask for all steps then, it meets them first. */
XG_FN void xg_attention_back_tensor_kept(xg_attention_kernel *w) {
    xg_flow f = xg_flow_begin(&w->t->s);
    if (!w->f->back.turned) xg_attention_walk_of(w);
    xg_flow_if(&f, xg_kcmpi_(xg_attention_b(w), XG_CI_SLT, w->from, w->to));
    xg_attention_await_tell(w, XG_ATTENTION_LEFT, xg_elem_index_0(&w->t->s), 0);
    xg_flow_end(&f);
}
XG_FN bool xg_attention_back_softens(const xg_attention_kernel *w) {
    return xg_attention_back_second_width(w->p) && !w->skips[1];
}
XG_FN void xg_attention_back_tensor_take(xg_attention_kernel *w, bool grads) {
    xg_attention_await_tell(w, grads ? XG_ATTENTION_SUMMED : XG_ATTENTION_MADE, w->turn, 0);
    xg_attention_read_all(w, grads ? w->p->shape.step : 0, w->p->own, grads ? w->grads : w->scores);
    if (!grads && w->f->back.turned) /* the lines are there */
        xg_attention_await_side(w, XG_ATTENTION_SIDE_VALUES, XG_ATTENTION_FULL, w->turn, 0);
    if (w->p->shape.once && !grads) xg_attention_tell(w, XG_ATTENTION_SEEN);
    if (!grads && !xg_attention_back_softens(w)) xg_attention_back_tensor_next(w, NULL, false);
}
XG_FN void xg_attention_back_tensor_next(xg_attention_kernel *w, const xg_attention_summed *o, bool grads) {
    if (o) xg_attention_write_back(w, o->weights, o->weights_at, o->pieces);
    xg_attention_tell(w, grads ? XG_ATTENTION_TAKEN : XG_ATTENTION_READY);
}
/* The last step's products are made: its buffers are empty. */
XG_FN void xg_attention_back_tensor_walked(xg_attention_kernel *w) {
    xg_kval *turn = xg_attention_at(w, w->done, w->p->steps + 1, w->p->stages - 1);
    xg_attention_await_side(w, XG_ATTENTION_SIDE_VALUES, XG_ATTENTION_EMPTY, turn, 1);
    xg_kir_do_0(xg_attention_b(w), XG_K_OP_TENSOR_AFTER);
}
/* The same of the thread that asks, for both places: w->dots: sums are made. */
XG_FN void xg_attention_back_ask_step(xg_attention_kernel *w, xg_kval *next) {
    bool once = w->p->shape.once;
    int64_t grads;
    if (once) xg_attention_await_tell(w, XG_ATTENTION_SEEN, w->turn, 0);
    if (once) xg_attention_ask_scores(w, next, false);
    for (grads = 0; grads < 2; grads++) {
        xg_attention_await_tell(w, grads ? XG_ATTENTION_TAKEN : XG_ATTENTION_READY, w->turn, 0);
        if (w->dots && (grads ? !w->skips[0] : xg_attention_back_softens(w))) {
            xg_attention_summed o = xg_attention_back_summed(w, !grads);
            xg_attention_group_out_of(w, &o, w->turn, NULL, 0);
        }
        if (grads) {
            xg_attention_leave_side(w, XG_ATTENTION_SIDE_KEYS, w->turn);
            xg_attention_leave_side(w, XG_ATTENTION_SIDE_VALUES, w->turn);
        }
        if (grads || !once) xg_attention_ask_scores(w, next, grads);
    }
}

/* ---- what rows have ---- */

XG_FN int64_t xg_attention_back_ends(const xg_attention_plan *p) {
    return p->shape.parts * p->tile * XG_ATTENTION_BACK_STATS;
}
XG_FN xg_kval *xg_attention_back_tensor_spot(xg_attention_kernel *w, xg_kval *part, int64_t half, int64_t stat) {
    int64_t tile = w->p->tile;
    xg_kval *row = xg_tile_join(w->t, w->across, w->p->warp_rows, w->group);
    row = xg_attention_at(w, row, tile - (w->p->halves - 1) * XG_ATTENTION_EIGHT, half * XG_ATTENTION_EIGHT);
    row = xg_tile_join(w->t, part, tile, row);
    return xg_tile_join(w->t, row, XG_ATTENTION_BACK_STATS, xg_elem_index(&w->t->s, stat));
}
/* What two parts have of a row: sums relative to the larger maximum. */
XG_FN void xg_attention_back_tensor_join(xg_attention_kernel *w, xg_kval **own, xg_kval **other) {
    xg_kb *b = xg_attention_b(w);
    xg_kval *most = other[0] ? xg_k2(b, XG_K_OP_MAXF, own[0], other[0]) : NULL, *by;
    int64_t k, j;
    for (j = 0; most && j < 2; j++) {
        xg_kval **v = j ? other : own;
        by = xg_attention_exp(w, v[0], xg_attention_shift(w, most));
        for (k = 1; k < XG_ATTENTION_BACK_STATS && v[k]; k++) v[k] = xg_k2(b, XG_K_OP_MULF, v[k], by);
        v[0] = most;
    }
    for (k = 1; k < XG_ATTENTION_BACK_STATS; k++)
        if (other[k]) own[k] = xg_k2(b, XG_K_OP_ADDF, own[k], other[k]);
}
XG_FN void xg_attention_back_tensor_share(xg_attention_kernel *w, int64_t first, int64_t end) {
    xg_kb *b = xg_attention_b(w);
    xg_kval *other, *at, *v[XG_ATTENTION_BACK_STATS];
    int64_t half, k;
    if (w->p->shape.parts == 1) return;
    for (half = 0; half < w->p->halves; half++)
        for (k = first; k < end; k++) {
            at = xg_attention_back_tensor_spot(w, w->part, half, k);
            w->ends = xg_kinsert_at(b, w->stat[half][k], w->ends, at);
        }
    if (w->p->shape.in_tensor) {
        xg_attention_tell(w, XG_ATTENTION_LEFT);
        xg_attention_await_tell(w, XG_ATTENTION_LEFT, xg_elem_index(&w->t->s, w->shared++), 0);
    } else
        xg_attention_wait(w);
    other = xg_k2(b, XG_K_OP_SUBI, xg_elem_index(&w->t->s, 1), w->part);
    xg_kval_set_range(other, xg_range_of(0, 1));
    for (half = 0; half < w->p->halves; half++) {
        memset(v, 0, sizeof v);
        for (k = first; k < end; k++) {
            at = xg_attention_back_tensor_spot(w, other, half, k);
            v[k] = xg_kextract(b, w->ends, &at, 1);
        }
        xg_attention_back_tensor_join(w, w->stat[half], v);
    }
}

#endif /* XG_SCHED_ATTENTION_BACK_TENSOR_C */
