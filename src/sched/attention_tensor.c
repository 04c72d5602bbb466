/* sched/attention_tensor.c -- attention whose scores and sums lie in tensor memory (tcgen05): of warp groups as in
 * attention_group.c, 128 rows each, for which one thread asks for the products.
 *
 *     the last warp group's first warp: as in attention_group.c; products themselves say that a buffer is empty
 *
 *     its next warps, one for each group ("first"), and the groups: first asks for s = Q K; then, for each step:
 *         all: wait until s is made; read it; "taken"
 *         first: waits until all have taken it; asks for s = Q K of the next step
 *         all: scores, maximum, weights; p; "ready"
 *         first: waits until all are ready; asks for o = o + p V
 *
 * So no thread with rows spends its time on asking, nor stands between the others and their products.
 *
 * Where there are not enough columns for two groups' s and p, but for one s, that is the one group's and the other's in
 * turns: first asks for the next s when the other group has taken its own, and then for o. Where
 * there are fewer, p lies where s was, and the next s is asked for behind o. Products that a thread asks for are made
 * in this order. While one group makes weights, the other one's products are made. A thread reads sums as fragments of
 * mma.sync: all that makes scores of them, and results, is that of warps with 32 rows.
 * Two weights of neighbouring keys are a word of p. A loop makes weights of sixteen rows after the other, unless these
 * are relative to the maximum.
 *
 * Weights are relative to a reference of their row, an earlier maximum. Only where a maximum of a warp's rows exceeds
 * its reference by more than 5 they become references, and o, when it is made, is scaled: mostly in the first steps
 * alone. Where weights themselves say so, no maximum is made (xg_attention_weigh_lazily). In one instruction a thread
 * adds up weights, or makes exponents, of two neighbouring keys. */
#ifndef XG_SCHED_ATTENTION_TENSOR_C
#define XG_SCHED_ATTENTION_TENSOR_C
#include "attention.h"

enum {
    XG_ATTENTION_AT_ONCE = 64, /* columns that are read at a time: 32 registers */
    XG_ATTENTION_VECTORS_AT_ONCE = XG_ATTENTION_AT_ONCE / (int)XG_KMMA_N
};

/* ---- places ---- */

XG_ONE_COPY XG_FN int64_t xg_attention_tensor_groups(const xg_attention_plan *p) { return p->tile / XG_KTENSOR_M; }
XG_FN int64_t xg_attention_tells(const xg_attention_plan *p) {
    return p->shape.in_tensor ? (XG_ATTENTION_TELLS + p->shape.once) * xg_attention_tensor_groups(p) : 0;
}
/* A loop makes weights of sixteen rows after the other. */
XG_FN int64_t xg_attention_rounds(const xg_attention_plan *p) { return xg_attention_is_lazy(p) ? p->shape.blocks : 1; }
XG_FN int64_t xg_attention_told(const xg_attention_plan *p, int64_t tell) {
    if (tell / xg_attention_tensor_groups(p) == XG_ATTENTION_LEFT) return p->threads;
    if (tell / xg_attention_tensor_groups(p) == XG_ATTENTION_TAKEN)
        return xg_attention_group_threads(p) * xg_attention_rounds(p);
    return tell / xg_attention_tensor_groups(p) >= XG_ATTENTION_READY ? xg_attention_group_threads(p) : 1;
}
/* Columns of a group: scores, weights if they lie apart, sums. */
XG_FN bool xg_attention_is_apart(const xg_attention_plan *p, int64_t scores) {
    int64_t own = p->shape.step / XG_ATTENTION_PAIR + p->columns;
    return p->form.pieces[0] == 1 && xg_attention_tensor_groups(p) * own + scores * p->shape.step <= XG_KTENSOR_COLUMNS;
}
XG_FN bool xg_attention_is_ahead(const xg_attention_plan *p) {
    return xg_attention_is_apart(p, xg_attention_tensor_groups(p));
}
XG_FN bool xg_attention_is_shared(const xg_attention_plan *p) {
    return xg_attention_is_apart(p, 1) && !xg_attention_is_ahead(p);
}
XG_FN int64_t xg_attention_sums_at(const xg_attention_plan *p) {
    bool more = p->form.pieces[0] > 1 || xg_attention_is_apart(p, 1);
    return p->shape.step + (more ? p->shape.step / XG_ATTENTION_PAIR : 0);
}
/* From a group's to the next one's. */
XG_FN int64_t xg_attention_group_columns(const xg_attention_plan *p) {
    return xg_attention_sums_at(p) + p->columns - (xg_attention_is_shared(p) ? p->shape.step : 0);
}
XG_FN int64_t xg_attention_tensor_columns(const xg_attention_plan *p) {
    int64_t n = XG_KTENSOR_COLUMNS_LEAST, all = xg_attention_sums_at(p) + p->columns;
    all += (xg_attention_tensor_groups(p) - 1) * xg_attention_group_columns(p);
    if (p->form.back.is) {
        all = xg_attention_back_rows_at(p) + (p->keeps_rows ? p->depth / 2 : 0);
        all += p->keeps_grads ? p->columns / 2 : 0;
    }
    while (n < all) n *= 2;
    return n;
}
XG_FN int64_t xg_attention_weights_at(const xg_attention_plan *p) {
    return xg_attention_is_apart(p, 1) ? p->shape.step : 0;
}
XG_FN xg_kval *xg_attention_own_group(xg_attention_kernel *w) {
    return xg_tile_quotient(w->t, w->thread, xg_attention_group_threads(w->p));
}
/* A group's barrier of a kind. */
XG_FN xg_kval *xg_attention_teller_of(xg_attention_kernel *w, int64_t tell, xg_kval *group) {
    int64_t groups = xg_attention_tensor_groups(w->p), all = xg_attention_barriers(w->p) - xg_attention_meets(w->p);
    group = xg_attention_at(w, group, all, all - xg_attention_tells(w->p) + tell * groups);
    return xg_tile_bulk_at(w->t, w->barriers, group);
}
XG_FN xg_kval *xg_attention_teller(xg_attention_kernel *w, int64_t tell) {
    xg_kval *at = tell == XG_ATTENTION_LEFT ? xg_elem_index_0(&w->t->s) : xg_attention_own_group(w);
    return xg_attention_teller_of(w, tell, at);
}
XG_FN void xg_attention_await_tell(xg_attention_kernel *w, int64_t tell, xg_kval *turn, int64_t ahead) {
    xg_tile_bulk_await_round(w->t, xg_attention_teller(w, tell), turn, 1, ahead);
    xg_kir_do_0(xg_attention_b(w), XG_K_OP_TENSOR_AFTER);
}
/* What the thread did in tensor memory is done. */
XG_FN void xg_attention_tell(xg_attention_kernel *w, int64_t tell) {
    xg_kir_do_0(xg_attention_b(w), XG_K_OP_TENSOR_BEFORE);
    xg_tile_bulk_tell(w->t, XG_K_OP_MBARRIER_ARRIVE, xg_attention_teller(w, tell), 0);
}
XG_FN void xg_attention_commit(xg_attention_kernel *w, xg_kval *barrier) {
    xg_tile_bulk_tell(w->t, XG_K_OP_TENSOR_COMMIT, barrier, 0);
}
/* A column of the group's, of its scores or, behind them, its sums; `lane`: of the warp's own lanes, -1: of all;
 * parts: columns from those of a part of the threads to the next one's. */
XG_FN xg_kval *xg_attention_cell(xg_attention_kernel *w, int64_t lane, int64_t column, int64_t parts) {
    int64_t rows = w->p->warp_rows;
    xg_kval *at = xg_elem_index(&w->t->s, (XG_MAX(lane, (int64_t)0) << XG_KTENSOR_LANE_SHIFT) + column);
    if (column >= w->p->shape.step || !xg_attention_is_shared(w->p))
        at = xg_tile_join(w->t, xg_attention_own_group(w), xg_attention_group_columns(w->p), at);
    if (lane >= 0) {
        at = xg_tile_join(w->t, w->part, parts, at);
        at = xg_tile_join(w->t, xg_tile_rest(w->t, w->across, XG_KTENSOR_M / rows), rows << XG_KTENSOR_LANE_SHIFT, at);
    }
    at = xg_kcast(xg_attention_b(w), XG_K_OP_INDEX_CAST, at, XG_E_I32);
    at = xg_k2(xg_attention_b(w), XG_K_OP_ADDI, at, w->t->memory);
    return w->lanes ? xg_k2(xg_attention_b(w), XG_K_OP_ADDI, at, w->lanes) : at;
}

/* ---- what a warp reads and writes ---- */

/* Columns that are read at a time, of so many. */
XG_FN int64_t xg_attention_read_at_once(int64_t columns) {
    return XG_MIN(columns & -columns, (int64_t)XG_ATTENTION_AT_ONCE);
}
/* Vectors of four for each eight columns from a cell on, of sixteen of a warp's rows. */
XG_FN xg_kval *xg_attention_read_cells(xg_attention_kernel *w, xg_kval *at, int64_t n) {
    const xg_ktype *types[XG_ATTENTION_VECTORS_AT_ONCE];
    xg_kop *op;
    int64_t k;
    for (k = 0; k < n / XG_KMMA_N; k++) types[k] = xg_attention_no_sums(w)->type;
    op = xg_kir_op(xg_attention_b(w), XG_K_OP_TENSOR_READ, &at, 1, types, (uint32_t)(n / XG_KMMA_N), 0);
    op->b = n;
    return op->results;
}
/* v: the cell, and vectors. */
XG_FN void xg_attention_write_cells(xg_attention_kernel *w, xg_kval **v, int64_t n) {
    xg_kir_do(xg_attention_b(w), XG_K_OP_TENSOR_WRITE, v, (uint32_t)n + 1);
}
/* All of a thread's sums in so many columns of each part from `first` on. */
XG_FN void xg_attention_read_all(xg_attention_kernel *w, int64_t first, int64_t columns, xg_kval ***to) {
    int64_t n = xg_attention_read_at_once(columns), block, c, k;
    for (block = 0; block < w->p->shape.blocks; block++)
        for (c = 0; c < columns; c += n) {
            xg_kval *at = xg_attention_cell(w, block * XG_ATTENTION_ROWS, first + c, columns);
            xg_kval *v = xg_attention_read_cells(w, at, n);
            for (k = 0; k < n / XG_KMMA_N; k++)
                xg_attention_take(w, &to[XG_ATTENTION_HALVES * block], c / XG_KMMA_N + k, &v[k]);
        }
}
/* A loop over a part's columns, from `first` on, that reads sums of a few at a time, so that what is made of them is
 * short; once: also of the second ones behind them; returns which eight is the first of *n. */
XG_FN xg_kval *xg_attention_read_by(
    xg_attention_kernel *w, xg_flow *loop, int64_t first, int64_t columns, int64_t *n, xg_kval **to) {
    enum {
        AT_ONCE = 4
    };
    int64_t eights = columns / XG_KMMA_N, block;
    xg_kb *b = xg_attention_b(w);
    xg_kval *x, *at;
    for (block = 0; block < w->p->shape.blocks; block++)
        to[block] = xg_attention_cell(w, block * XG_ATTENTION_ROWS, first, columns);
    *n = XG_MIN(eights & -eights, (int64_t)AT_ONCE);
    loop->rolled = true;
    x = xg_flow_for(loop, w->digits[0], xg_elem_index(&w->t->s, eights), *n, eights - *n + 1);
    at = xg_kcast(b, XG_K_OP_INDEX_CAST, xg_k2_int(b, XG_K_OP_MULI, x, XG_KMMA_N), XG_E_I32);
    for (block = 0; block < w->p->shape.blocks; block++) to[block] = xg_k2(b, XG_K_OP_ADDI, to[block], at);
    for (block = 0; block < w->p->shape.blocks; block++) {
        at = to[block];
        to[block] = xg_attention_read_cells(w, at, *n * XG_KMMA_N);
        if (!w->p->shape.once) continue;
        at = xg_kaddi_int(b, at, columns);
        to[XG_ATTENTION_HALVES + block] = xg_attention_read_cells(w, at, *n * XG_KMMA_N);
    }
    return x;
}
/* A thread's sum of a row, of two in each eight. */
XG_FN xg_kval *xg_attention_read_sum(xg_attention_kernel *w, xg_kval *const *from, int64_t half, int64_t c) {
    return xg_attention_lane(w, &from[half / XG_ATTENTION_HALVES][c / XG_ATTENTION_PAIR],
        half % XG_ATTENTION_HALVES * XG_ATTENTION_PAIR + c % XG_ATTENTION_PAIR);
}
/* The sums of a thread's rows times numbers, few at a time beside the scores, by a loop: this is seldom done; without
 * numbers: 0; apart: those so many columns on are multiplied, and added to them. */
XG_FN void xg_attention_shrink(
    xg_attention_kernel *w, int64_t first, int64_t columns, xg_kval *const *by, int64_t apart) {
    int64_t n = xg_attention_read_at_once(columns), block, k, i;
    xg_kb *b = xg_attention_b(w);
    if (by) n = XG_MIN(n, (apart ? 8 : 2) * (int64_t)XG_KMMA_N);
    for (block = 0; block < w->p->shape.blocks; block++) {
        xg_kval *o[1 + XG_ATTENTION_VECTORS_AT_ONCE], *v = NULL, *more, *x, *at;
        xg_flow f = xg_flow_begin(&w->t->s);
        f.rolled = true;
        at = xg_attention_cell(w, block * XG_ATTENTION_ROWS, first, columns);
        x = xg_elem_index_0(&w->t->s);
        x = xg_flow_for(&f, x, xg_elem_index(&w->t->s, columns), n, columns);
        at = xg_k2(b, XG_K_OP_ADDI, at, xg_kcast(b, XG_K_OP_INDEX_CAST, x, XG_E_I32));
        x = xg_kaddi_int(b, at, apart); /* in front of both reads, which are waited for together */
        if (by) v = xg_attention_read_cells(w, at, n);
        more = apart ? xg_attention_read_cells(w, x, n) : v;
        for (k = 0; k < n / XG_KMMA_N; k++) {
            o[1 + k] = xg_attention_no_sums(w);
            for (i = 0; v && i < XG_ATTENTION_SUMS; i++) {
                xg_kval *own = xg_attention_lane(w, &more[k], i);
                x = by[XG_ATTENTION_HALVES * block + i / XG_ATTENTION_PAIR];
                x = apart ? xg_k3(b, XG_K_OP_FMA, own, x, xg_attention_lane(w, &v[k], i))
                          : xg_k2(b, XG_K_OP_MULF, own, x);
                o[1 + k] = xg_attention_insert(w, x, o[1 + k], i);
            }
        }
        o[0] = at;
        xg_attention_write_cells(w, o, n / XG_KMMA_N);
        xg_flow_end(&f);
    }
}
/* What a row's maximum may exceed its reference by: else its weights become too large for 16 bits. */
XG_FN xg_kval *xg_attention_may_grow(xg_attention_kernel *w, int64_t half) {
    enum {
        MORE = 5 /* exp of it is less than 2^8 */
    };
    xg_kval *more = xg_attention_number(w, (double)MORE / xg_attention_scale(w));
    return xg_k2(xg_attention_b(w), XG_K_OP_ADDF, w->stat[half][XG_ATTENTION_REFERENCE], more);
}
/* What changes where maxima become references. */
XG_FN void xg_attention_refer_flow(xg_attention_kernel *w, xg_flow *f) {
    int64_t half;
    *f = xg_flow_begin(&w->t->s);
    for (half = 0; half < w->p->halves; half++) {
        w->shrinks[half] = xg_attention_number(w, 1);
        xg_flow_slot(f, &w->stat[half][XG_ATTENTION_REFERENCE]);
        xg_flow_slot(f, &w->by[half]);
        xg_flow_slot(f, &w->less[half]);
        xg_flow_slot(f, &w->sum[half]);
        if (!w->p->shape.in_tensor || w->p->shape.once) xg_flow_slot(f, &w->shrinks[half]);
    }
}
XG_FN void xg_attention_refer_rows(xg_attention_kernel *w, xg_kval *const *most) {
    bool in_tensor = w->p->shape.in_tensor, once = w->p->shape.once;
    int64_t half;
    if (in_tensor) xg_attention_await_tell(w, XG_ATTENTION_SUMMED, w->turn, !once); /* once: dP, which is made later */
    for (half = 0; half < w->p->halves; half++) {
        xg_kval *shift = xg_attention_shift(w, most[half]);
        w->shrinks[half] = xg_attention_exp(w, w->stat[half][XG_ATTENTION_REFERENCE], shift);
        w->sum[half] = xg_k2(xg_attention_b(w), XG_K_OP_MULF, w->sum[half], w->shrinks[half]);
        xg_attention_refer_to(w, half, most[half]);
    }
    if (in_tensor && once)
        xg_attention_shrink(w, xg_attention_back_sums_at(w->p, false), 2 * w->p->depth, w->shrinks, 0);
    else if (in_tensor)
        xg_attention_shrink(w, xg_attention_sums_at(w->p), w->p->columns, w->shrinks, 0);
}
XG_FN void xg_attention_refer(xg_attention_kernel *w, xg_kval *const *most) {
    xg_kb *b = xg_attention_b(w);
    xg_kval *any = NULL, *v;
    int64_t half;
    xg_flow f;
    for (half = 0; half < w->p->halves; half++) {
        v = xg_kcmpf_(b, XG_CF_OGT, most[half], xg_attention_may_grow(w, half));
        any = any ? xg_k2(b, XG_K_OP_ORI, any, v) : v;
    }
    xg_attention_refer_flow(w, &f);
    w->grown = xg_k1(b, XG_K_OP_VOTEANY, any);
    xg_flow_if(&f, w->grown);
    f.op->a = 1;
    xg_attention_refer_rows(w, most);
    xg_flow_end(&f);
}
/* The sums of threads, by what that has found. What there was without a reference is nothing, though it be NaN. */
XG_FN void xg_attention_refer_sums(xg_attention_kernel *w) {
    xg_kb *b = xg_attention_b(w);
    bool once = w->p->shape.once;
    int64_t n = (once ? w->p->depth : w->p->columns) / XG_ATTENTION_BESIDE, half, c, k;
    xg_kval *zero = xg_attention_number(w, 0), *none, **v;
    xg_flow f = xg_flow_begin(&w->t->s);
    if (w->p->shape.in_tensor) n = 0; /* they are scaled */
    for (half = 0; half < w->p->halves; half++) {
        for (k = 0; k <= once; k++) xg_flow_slots(&f, (k ? w->second : w->out)[half], (uint32_t)n);
        if (once) xg_flow_slot(&f, &w->stat[half][XG_ATTENTION_GRAD_SUM]);
        if (once && w->p->shape.in_tensor) xg_flow_slot(&f, &w->before[half]);
    }
    xg_flow_if(&f, w->grown);
    f.op->a = 1;
    for (half = 0; half < w->p->halves; half++) {
        v = &w->stat[half][XG_ATTENTION_GRAD_SUM];
        if (once) *v = xg_k2(b, XG_K_OP_MULF, *v, w->shrinks[half]);
        if (once && w->p->shape.in_tensor) w->before[half] = xg_k2(b, XG_K_OP_MULF, w->before[half], w->shrinks[half]);
        none = xg_kcmpf_(b, XG_CF_OEQ, w->shrinks[half], zero);
        for (k = 0; k <= once; k++)
            for (c = 0, v = (k ? w->second : w->out)[half]; c < n; c++, v++) {
                *v = xg_k2(b, XG_K_OP_MULF, *v, w->shrinks[half]);
                if (xg_attention_is_behind(w->p)) *v = xg_kselect(b, none, zero, *v);
            }
    }
    xg_flow_end(&f);
}
/* The first column of a piece of weights, and columns from those of a part of the threads to the next one's: two of
 * words have the room of the numbers, a third one is behind dP, or the scores. */
XG_FN int64_t xg_attention_piece_at(const xg_attention_plan *p, int64_t at, int64_t piece, int64_t *parts) {
    *parts = piece < XG_ATTENTION_PAIR ? p->own : p->own / XG_ATTENTION_PAIR;
    if (piece < XG_ATTENTION_PAIR) return at + piece * p->own / XG_ATTENTION_PAIR;
    if (!p->form.back.is) return p->shape.step;
    return 2 * p->shape.step + (at || p->form.pieces[0] < XG_TILE_PIECES ? 0 : p->shape.step / XG_ATTENTION_PAIR);
}
/* Numbers of a thread's rows; pieces: as so many times words of two. */
XG_FN void xg_attention_write_back(xg_attention_kernel *w, xg_kval **const *rows, int64_t at, int64_t pieces) {
    int64_t columns = w->p->own / (pieces ? XG_ATTENTION_PAIR : 1), n = xg_attention_read_at_once(columns);
    int64_t block, c, k, parts, first, piece;
    for (piece = 0; piece < XG_MAX(pieces, (int64_t)1); piece++)
        for (block = 0; block < w->p->shape.blocks; block++)
            for (c = 0; c < columns; c += n) {
                xg_kval *o[1 + XG_ATTENTION_VECTORS_AT_ONCE], **const *from = &rows[XG_ATTENTION_HALVES * block];
                for (k = 0; k < n / XG_KMMA_N; k++)
                    o[1 + k] = !pieces ? xg_attention_out_sums(w, from, c / XG_KMMA_N + k)
                                       : xg_attention_packed_piece(w, from, c / XG_KMMA_N + k, piece, pieces);
                first = xg_attention_piece_at(w->p, at, piece, &parts);
                o[0] = xg_attention_cell(w, block * XG_ATTENTION_ROWS, first + c, parts);
                xg_attention_write_cells(w, o, n / XG_KMMA_N);
            }
}

/* ---- products ---- */

XG_FN void xg_attention_tensor_product(
    xg_attention_kernel *w, xg_kval *x, xg_kval *y, int64_t to, int64_t columns, bool out, bool more) {
    xg_kval *o[4];
    xg_kop *op;
    o[0] = xg_attention_cell(w, -1, to, 0);
    o[1] = x;
    o[2] = y;
    o[3] = xg_kconst_int(xg_attention_b(w), XG_E_I1, more);
    op = xg_kir_do(xg_attention_b(w), XG_K_OP_TENSOR_MMA, o, 4);
    op->b = columns;
    op->flags = (uint32_t)w->f->unit | (out ? (uint32_t)XG_KWGMMA_B_ROWS : 0u);
}
XG_FN xg_kval *xg_attention_tensor_weights(xg_attention_kernel *w, int64_t at, int64_t k, int64_t piece) {
    int64_t own = w->p->own, key = 2 * k * (int64_t)XG_KMMA_N, parts;
    at = xg_attention_piece_at(w->p, at, piece, &parts);
    return xg_attention_cell(w, -1, at + key / own * parts + key % own / XG_ATTENTION_PAIR, 0);
}
/* The other group has taken its scores: the first one's of the same step, the second one's of the step before. */
XG_FN void xg_attention_await_other(xg_attention_kernel *w, xg_kval *turn) {
    xg_kb *b = xg_attention_b(w);
    xg_kval *own = xg_attention_own_group(w), *other = xg_k2(b, XG_K_OP_SUBI, xg_elem_index(&w->t->s, 1), own);
    xg_kval_set_range(other, xg_range_of(0, 1));
    turn = xg_k2(b, XG_K_OP_ADDI, turn, own);
    xg_tile_bulk_await_round(w->t, xg_attention_teller_of(w, XG_ATTENTION_TAKEN, other), turn, 1, 1);
    xg_kir_do_0(b, XG_K_OP_TENSOR_AFTER);
}
/* What is read of a side's buffer is read when the thread's products so far are done. */
XG_FN void xg_attention_leave_side(xg_attention_kernel *w, uint32_t side, xg_kval *turn) {
    xg_kval *buffer = xg_tile_rest(w->t, turn, w->p->stages);
    xg_attention_commit(w, xg_attention_barrier(w, side, XG_ATTENTION_EMPTY, buffer));
}
/* By one thread, if it is a step that is walked; grads: for dP. */
XG_FN void xg_attention_ask_scores(xg_attention_kernel *w, xg_kval *step, bool grads) {
    xg_kval *turn = xg_attention_turn(w, step);
    xg_attention_product o = xg_attention_back_product(w, grads);
    bool back = w->f->back.is;
    xg_flow f = xg_flow_begin(&w->t->s);
    xg_flow_if(&f, xg_kcmpi_(xg_attention_b(w), XG_CI_SLT, step, w->to));
    xg_attention_await_side(w, grads ? XG_ATTENTION_SIDE_VALUES : XG_ATTENTION_SIDE_KEYS, XG_ATTENTION_FULL, turn, 0);
    if (!back && xg_attention_is_shared(w->p)) xg_attention_await_other(w, turn);
    if (!grads || !w->skips[0]) xg_attention_group_scores_of(w, &o, turn, NULL, 0);
    if (!back) xg_attention_leave_side(w, XG_ATTENTION_SIDE_KEYS, turn);
    xg_attention_commit(w, xg_attention_teller(w, grads ? XG_ATTENTION_SUMMED : XG_ATTENTION_MADE));
    xg_flow_end(&f);
}
XG_FN void xg_attention_ask_out(xg_attention_kernel *w, xg_kval *turn) {
    xg_attention_summed o = xg_attention_out_summed(w);
    xg_attention_await_tell(w, XG_ATTENTION_READY, turn, 0);
    xg_attention_await_side(w, XG_ATTENTION_SIDE_VALUES, XG_ATTENTION_FULL, turn, 0);
    xg_attention_group_out_of(w, &o, turn, NULL, 0);
    xg_attention_leave_side(w, XG_ATTENTION_SIDE_VALUES, turn);
    xg_attention_commit(w, xg_attention_teller(w, XG_ATTENTION_SUMMED));
}
XG_FN void xg_attention_ask_step(xg_attention_kernel *w, xg_kval *next) {
    bool apart = xg_attention_is_apart(w->p, 1);
    if (xg_attention_is_ahead(w->p)) xg_attention_await_tell(w, XG_ATTENTION_TAKEN, w->turn, 0);
    if (apart) xg_attention_ask_scores(w, next, false);
    xg_attention_ask_out(w, w->turn);
    if (!apart) xg_attention_ask_scores(w, next, false);
}
/* The first thread of a warp that brings nothing, for each group: w->thread is the group's first one. */
XG_FN xg_flow xg_attention_asker(xg_attention_kernel *w) {
    int64_t threads = w->p->threads, lanes = XG_WARP_LANES, groups = threads / xg_attention_group_threads(w->p);
    xg_kval *thread = xg_kthread_id(xg_attention_b(w), 0, threads + w->p->producers), *own;
    xg_flow one = xg_flow_begin(&w->t->s);
    xg_kb *b = xg_attention_b(w);
    own = xg_kaddi_int(b, thread, -(threads + lanes));
    xg_kval_set_range(own, xg_range_of(-(threads + lanes), w->p->producers - lanes - 1));
    w->t->s.b.m->entry->askers = (uint32_t)groups;
    w->t->s.b.m->entry->brought = (uint32_t)(w->p->stages * XG_TILE_SIDES * XG_ATTENTION_STATES);
    w->thread = groups > 1 ? xg_k2_int(b, XG_K_OP_ANDI, own, (groups - 1) * lanes) : w->digits[0];
    xg_flow_if(&one, xg_kcmpi_(b, XG_CI_EQ, own, w->thread));
    if (groups == 1) return one;
    w->thread = xg_k2_int(b, XG_K_OP_MULI, w->thread, xg_attention_group_threads(w->p) / lanes);
    xg_kval_set_range(w->thread, xg_range_of(0, threads - 1));
    return one;
}
/* The products of all steps. */
XG_FN void xg_attention_ask_products(xg_attention_kernel *w) {
    xg_flow one = xg_attention_asker(w), f = xg_flow_begin(&w->t->s);
    bool back = w->f->back.is;
    xg_kval *step;
    xg_attention_ask_scores(w, w->from, false);
    if (back) xg_attention_ask_scores(w, w->from, true);
    f.rolled = true;
    step = xg_flow_for(&f, w->from, w->to, 1, xg_kval_range(w->to).hi);
    if (w->p->bounded) f.op->a = w->p->walked;
    w->turn = xg_attention_turn(w, step);
    if (back)
        xg_attention_back_ask_step(w, xg_attention_after(w, step));
    else
        xg_attention_ask_step(w, xg_attention_after(w, step));
    xg_flow_end(&f);
    xg_flow_end(&one);
}
/* All has been asked for. */
XG_FN void xg_attention_ask_last(xg_attention_kernel *w) {
    xg_flow one = xg_attention_asker(w);
    xg_attention_commit(w, xg_attention_teller(w, XG_ATTENTION_DONE));
    xg_flow_end(&one);
}

/* ---- the kernel ---- */

XG_FN void xg_attention_tensor_begin(xg_attention_kernel *w) {
    const xg_attention_plan *p = w->p;
    int64_t parts = p->shape.parts, second = xg_attention_back_second_width(p);
    if (!p->form.back.is) xg_attention_shrink(w, xg_attention_sums_at(p), p->columns, NULL, 0);
    if (p->form.back.is) xg_attention_shrink(w, xg_attention_back_sums_at(p, false), p->depth / parts, NULL, 0);
    if (second) xg_attention_shrink(w, xg_attention_back_sums_at(p, true), second / parts, NULL, 0);
}
/* Scores and weights of the plan's rows. */
XG_FN void xg_attention_tensor_rows(xg_attention_kernel *w) {
    bool apart = xg_attention_is_apart(w->p, 1);
    if (xg_attention_is_near(w->p) && xg_attention_has_inner(w->p)) xg_attention_mask_scores(w, NULL);
    xg_attention_read_all(w, 0, w->p->shape.step, w->scores);
    if (apart) xg_attention_tell(w, XG_ATTENTION_TAKEN);
    xg_attention_weigh(w);
    if (apart) xg_attention_await_tell(w, XG_ATTENTION_SUMMED, w->turn, 1);
    xg_attention_write_back(w, w->scores, xg_attention_weights_at(w->p), w->p->form.pieces[0]);
}
/* The same by a loop: what a row keeps goes to the place of the one sixteen rows before, the first ones' to the end. */
XG_FN void xg_attention_tensor_rounds(xg_attention_kernel *w, int64_t rounds) {
    enum {
        ON = XG_ATTENTION_ROWS << XG_KTENSOR_LANE_SHIFT
    };
    const xg_attention_plan *p = w->p;
    xg_attention_plan *one = XG_NEW(w->t->e->arena, xg_attention_plan);
    xg_kval *rows[XG_ATTENTION_HALVES_MAX], *x = xg_elem_index_0(&w->t->s), **v;
    xg_flow f = xg_flow_begin(&w->t->s);
    uint32_t k;
    *one = *p;
    one->halves = XG_ATTENTION_HALVES;
    one->shape.blocks = 1;
    memcpy(rows, w->row, sizeof rows);
    for (k = 0; k < (uint32_t)p->halves; k++) {
        xg_flow_slot(&f, &w->sum[k]);
        xg_flow_slot(&f, &w->by[k]);
        xg_flow_slot(&f, &w->less[k]);
        xg_flow_slot(&f, &w->stat[k][XG_ATTENTION_REFERENCE]);
    }
    f.rolled = true;
    x = xg_flow_for(&f, x, xg_elem_index(&w->t->s, rounds * ON), ON, rounds * ON);
    w->p = one;
    xg_attention_stand_rows(w, xg_tile_quotient(w->t, x, ON));
    w->lanes = xg_kcast(xg_attention_b(w), XG_K_OP_INDEX_CAST, x, XG_E_I32);
    xg_attention_tensor_rows(w);
    w->lanes = NULL;
    w->p = p;
    memcpy(w->row, rows, sizeof rows);
    v = xg_flow_values(&f);
    for (k = 0; k < f.slots.n; k++) *f.slots.p[k] = v[(k + f.slots.n / (uint32_t)rounds) % f.slots.n];
    xg_flow_end(&f);
}
XG_FN void xg_attention_tensor_step(xg_attention_kernel *w, xg_kval *step) {
    int64_t rounds = xg_attention_rounds(w->p);
    w->turn = xg_attention_turn(w, step);
    xg_attention_begin_step(w, step);
    xg_attention_await_tell(w, XG_ATTENTION_MADE, w->turn, 0);
    if (rounds > 1)
        xg_attention_tensor_rounds(w, rounds);
    else
        xg_attention_tensor_rows(w);
    xg_attention_tell(w, XG_ATTENTION_READY);
}
/* All has been summed up. */
XG_FN void xg_attention_tensor_take(xg_attention_kernel *w) {
    xg_attention_await_tell(w, XG_ATTENTION_DONE, xg_elem_index_0(&w->t->s), 0);
}
XG_FN void xg_attention_tensor_end(xg_attention_kernel *w) {
    xg_flow first = xg_flow_begin(&w->t->s);
    xg_attention_tell(w, XG_ATTENTION_LEFT);
    xg_flow_if(&first, xg_kcmpi_(xg_attention_b(w), XG_CI_EQ, w->warp, xg_elem_index_0(&w->t->s)));
    xg_attention_await_tell(w, XG_ATTENTION_LEFT, xg_elem_index(&w->t->s, w->shared), 0);
    xg_tile_bulk_tell(w->t, XG_K_OP_TENSOR_FREE, w->t->memory, xg_attention_tensor_columns(w->p));
    xg_flow_end(&first);
}

#endif /* XG_SCHED_ATTENTION_TENSOR_C */
