/* sched/tile_tensor.c -- tiles whose sums lie in tensor memory (tcgen05, sm_100a): one thread has the matrix units
 * multiply what tensor copies brought (tile_bulk.c), and no thread holds a sum until all are made.
 *
 *     the last warp's first thread:                the first warp's first thread:
 *     for each step:                               for each step:
 *         wait until its buffer is empty               wait until its buffer is full
 *         ask for the boxes of both sides              ask for its products; when they are made, the buffer is empty
 *                                                  when all are made: done
 *
 *     the first four warps: wait until it is done; each reads the 32 lanes that it may, as fragments of mma.sync
 *
 * Where tensor copies cannot describe an operand, threads bring it, as for warp groups (tile_wgmma.c):
 *
 *     bring the first stages - 2 steps, each a group of copies
 *     for each step:
 *         wait until its group is there, and for all threads; the first thread asks for its products
 *         when those of two steps before are made, bring the step that is stages - 2 further on into their buffer
 *
 * A row of the tile is a lane of tensor memory, a column is a column: 128 by at most 256; of 256 rows the second half
 * has as many columns of its own, and is the second part of the result. Sums need no registers in the loop, so that two
 * blocks fit on a multiprocessor where shared memory allows it, and one's epilogue goes on beside the other's products.
 */
#ifndef XG_SCHED_TILE_TENSOR_C
#define XG_SCHED_TILE_TENSOR_C
#include "tile.h"

/* Of a block: m, n; n of four warps; steps in shared memory; whether tensor copies bring them. A step has 128 bytes of
 * k. */
/* clang-format off */
#define XG_TILE_TENSOR_SHAPES(X) \
    X(256, 256, 64, 3, true) \
    X(256, 192, 192, 3, true) \
    X(256, 128, 128, 4, true) \
    X(128, 256, 128, 4, true) \
    X(128, 256, 256, 4, true) \
    X(128, 192, 192, 5, true) \
    X(128, 128, 64, 6, true) \
    X(128, 128, 64, 3, true) \
    X(128, 128, 128, 6, true) \
    X(128, 128, 128, 3, true) \
    X(256, 64, 64, 5, true) \
    X(128, 64, 64, 8, true) \
    X(128, 64, 64, 4, true) \
    X(128, 32, 32, 8, true) \
    X(128, 32, 32, 4, true) \
    X(256, 64, 32, 4, false) \
    X(128, 256, 128, 4, false) \
    X(128, 128, 64, 6, false) \
    X(128, 128, 64, 3, false) \
    X(128, 64, 32, 8, false) \
    X(128, 64, 32, 4, false)
/* Of a block that stays, in a pair (2), or in one of two that share the left side (3): m, n; n of four warps; steps in
 * shared memory, each of which has half of the columns' rows. Of 192 columns eight warps would have no whole chunks. */
#define XG_TILE_PAIR_SHAPES(Y) \
    Y(256, 256, 128, 4, 2) \
    Y(128, 256, 128, 6, 2) \
    Y(256, 128, 64, 4, 2) \
    Y(128, 128, 64, 8, 2) \
    Y(256, 64, 64, 5, 2) \
    Y(256, 256, 128, 4, 3) \
    Y(128, 256, 128, 6, 3) \
    Y(256, 192, 192, 4, 2) \
    Y(128, 192, 192, 6, 2) \
    Y(256, 192, 192, 4, 3) \
    Y(128, 192, 192, 6, 3)
/* clang-format on */

enum {
    XG_TILE_TENSOR_K_BYTES = 128,  /* of a step: a line */
    XG_TILE_TENSOR_WARPS = 4,      /* that together read all lanes: each its own 32 */
    XG_TILE_TENSOR_WARP_ROWS = 32, /* of each 128 of the tile */
    XG_TILE_TENSOR_AHEAD = 2,      /* steps: one is multiplied, one is done but not known to be so */
    XG_TILE_TENSOR_STAGED = 96,    /* registers of a thread for what goes through them, at most */
    XG_TILE_TENSOR_READ = 64       /* columns that are read at a time: 32 registers */
};

/* ---- the plan ---- */

XG_FN bool xg_tile_is_tensor(const xg_tile_plan *p) { return p->in_tensor && p->shape.grouped; }
XG_FN const xg_tile_row *xg_tile_tensor_row(size_t k) {
#define X(m, n, wn, stages, bulk) \
    {m, n, XG_TILE_TENSOR_K_BYTES, (m) / XG_TILE_TENSOR_WARPS, wn, stages, 1, \
        XG_TILE_ROW_GROUPED + (bulk)*XG_TILE_ROW_BULK},
#define Y(m, n, wn, stages, pairs) \
    {m, n, XG_TILE_TENSOR_K_BYTES, (m) / XG_TILE_TENSOR_WARPS, wn, stages, 1, \
        XG_TILE_ROW_GROUPED + XG_TILE_ROW_BULK + (pairs)*XG_TILE_ROW_PAIRS},
    static const xg_tile_row rows[] = {XG_TILE_TENSOR_SHAPES(X) XG_TILE_PAIR_SHAPES(Y)};
#undef X
#undef Y
    return k < XG_COUNT(rows) ? &rows[k] : NULL;
}
XG_FN bool xg_tile_tensor_may_be(const xg_kmma_row *row, const xg_device *m) {
    return row->tensor == XG_TENSOR_I8 ? m->tensor_memory_i8 : m->tensor_memory;
}
/* Rows of 128, which have columns of their own. */
XG_ONE_COPY XG_FN int64_t xg_tile_tensor_halves(const xg_tile_plan *p) { return p->shape.m / XG_KTENSOR_M; }
XG_FN int64_t xg_tile_tensor_spared(const xg_tile_plan *p) {
    return p->shape.halo && p->halo_lead ? (int64_t)XG_KWGMMA_M : 0;
}
/* All sums of 128 rows are shown at once; rows that lie side by side fill whole lines; what goes through registers has
 * room. */
XG_FN bool xg_tile_tensor_fits(const xg_tile_plan *p) {
    int64_t staged = 0;
    uint32_t k;
    for (k = 0; k < XG_TILE_SIDES; k++) {
        const xg_tile_fetch *t = &p->fetch[k];
        if (!t->by_rows && t->rows % t->line) return false;
        if (!t->async) staged += t->rounds * xg_tile_over(t->vector * xg_type_bytes(t->held), 4);
    }
    if (p->shape.bulk && !xg_tile_bulk_shapes(p)) return false;
    return p->parts == xg_tile_tensor_halves(p) && staged <= XG_TILE_TENSOR_STAGED;
}
XG_FN int64_t xg_tile_tensor_columns(const xg_tile_plan *p) {
    int64_t n = XG_KTENSOR_COLUMNS_LEAST;
    while (n < xg_tile_pairs_turns(p) * xg_tile_tensor_halves(p) * p->shape.n) n *= 2;
    return n;
}

/* ---- tensor memory ---- */

/* The first warp allocates it. */
XG_FN void xg_tile_tensor_begin(xg_tile_kernel *w, xg_kval *thread, int64_t columns) {
    xg_flow f = xg_flow_begin(&w->s);
    xg_kval *place = xg_shared_array(&w->s.b, XG_E_I32, 1);
    w->memory = xg_tile_bulk_at(w, place, xg_elem_index_0(&w->s));
    xg_flow_if(&f, xg_kcmpi_int(&w->s.b, XG_CI_SLT, thread, XG_WARP_LANES));
    xg_tile_bulk_tell(w, XG_K_OP_TENSOR_ALLOC, w->memory, columns);
    xg_flow_end(&f);
}
XG_FN void xg_tile_tensor_place(xg_tile_kernel *w) {
    enum {
        BYTES = 4
    };
    w->memory = xg_kir_of(&w->s.b, XG_K_OP_LOAD, w->memory, xg_kir_scalar(w->s.b.m, XG_E_I32));
    w->memory->def->a = BYTES;
}
/* The first warp gives it back: all warps had read their sums in front of the barrier behind which the epilogue began
 * (xg_tile_all_results). */
XG_FN void xg_tile_tensor_end(xg_tile_kernel *w) {
    xg_flow f = xg_flow_begin(&w->s);
    xg_flow_if(&f, xg_kcmpi_int(&w->s.b, XG_CI_SLT, w->thread, XG_WARP_LANES));
    xg_tile_bulk_tell(w, XG_K_OP_TENSOR_FREE, w->memory, xg_tile_tensor_columns(w->p));
    xg_flow_end(&f);
}

/* ---- multiply ---- */

/* Bytes to the rows of a half. Where rows are views, the second 64 lie as far from the first ones as the descriptor
 * says, in whose third byte that is: another distance is added there. */
XG_FN int64_t xg_tile_tensor_row_at(const xg_tile_plan *p, int64_t half) {
    enum {
        DISTANCE_AT = 16
    };
    int64_t apart;
    if (!p->shape.halo || xg_tile_halo_steps(p))
        return xg_tile_halo_row(p, half * XG_KTENSOR_M) * xg_type_bytes(p->held);
    apart = xg_tile_halo_next(p, 0, 2 * half) - xg_tile_halo_next(p, 0, 0);
    return XG_KWGMMA_LINE_BYTES * (xg_tile_halo_view(p, 0, 2 * half) + apart * ((int64_t)1 << DISTANCE_AT));
}
/* The products of 32 bytes of k, each 128 rows' behind the other's. */
XG_APART XG_FN void xg_tile_tensor_product(xg_tile_kernel *w, xg_kval *const *matrix, int64_t k, xg_kval *adds) {
    const xg_tile_plan *p = w->p;
    xg_kval *o[2 + XG_TILE_SIDES];
    int64_t half, on;
    uint32_t side;
    xg_kop *op;
    o[1 + XG_TILE_SIDES] = adds;
    for (half = 0; half < xg_tile_tensor_halves(p); half++) {
        o[0] = half ? xg_kaddi_int(&w->s.b, w->memory, half * p->shape.n) : w->memory;
        for (side = 0; side < XG_TILE_SIDES; side++) {
            on = xg_tile_halo_on(p, side, k);
            if (!side) on += xg_tile_tensor_row_at(p, half);
            o[1 + side] = xg_tile_group_on(w, matrix[side], on);
        }
        op = xg_kir_do(&w->s.b, XG_K_OP_TENSOR_MMA, o, 2 + XG_TILE_SIDES);
        op->b = p->shape.n;
        if (half + 1 == xg_tile_tensor_halves(p)) op->b -= xg_tile_tensor_spared(p);
        op->flags = (uint32_t)p->unit;
        if (!p->fetch[0].by_rows) op->flags |= XG_KWGMMA_A_ROWS;
        if (!p->fetch[1].by_rows) op->flags |= XG_KWGMMA_B_ROWS;
    }
}
/* What lies in a buffer, added to the sums of the steps before. */
XG_FN void xg_tile_tensor_multiply(xg_tile_kernel *w, xg_kval *step, xg_kval *buffer) {
    const xg_tile_plan *p = w->p;
    int64_t times = p->shape.k * xg_type_bytes(p->held) / XG_KMMA_K_BYTES, k;
    xg_kval *matrix[XG_TILE_SIDES], *adds;
    uint32_t side;
    for (side = 0; side < XG_TILE_SIDES; side++) matrix[side] = xg_tile_group_matrix(w, side, buffer);
    adds = xg_kcmpi_(&w->s.b, XG_CI_SGT, step, w->begin ? w->begin : xg_elem_index_0(&w->s));
    for (k = 0; k < times; k++) {
        xg_tile_tensor_product(w, matrix, k, adds);
        adds = xg_kconst_int(&w->s.b, XG_E_I1, 1);
    }
}
/* When the products so far are made, the buffer is empty. */
XG_FN void xg_tile_tensor_empty(xg_tile_kernel *w, xg_tile_bulk_state state, xg_kval *buffer) {
    xg_kval *barrier = xg_tile_bulk_barrier(w, state, buffer);
    if (w->p->shape.multicast && w->rank)
        xg_tile_pairs_tell(w, barrier);
    else
        xg_tile_bulk_tell(w, XG_K_OP_TENSOR_COMMIT, barrier, xg_tile_pairs_all(w->p));
}
XG_FN void xg_tile_tensor_step(xg_tile_kernel *w, xg_kval *step) {
    xg_kval *buffer = xg_tile_rest(w, step, w->p->shape.stages);
    xg_tile_bulk_await(w, XG_TILE_BULK_FULL, step, 0);
    xg_kir_do_0(&w->s.b, XG_K_OP_TENSOR_AFTER);
    xg_tile_tensor_multiply(w, step, buffer);
    if (!xg_tile_bulk_keeps(w->p)) xg_tile_tensor_empty(w, XG_TILE_BULK_EMPTY, buffer);
}
/* All steps of a tile; begins in the thread that asks. */
XG_FN void xg_tile_tensor_tile(xg_tile_kernel *w) {
    xg_flow none = xg_flow_begin(&w->s), pictures = none, f;
    xg_tile_bulk_pictures(w, &pictures);
    for (w->kind = 0; w->kind < xg_tile_bulk_kinds(w); w->kind++) {
        f = none;
        xg_tile_bulk_picture(w);
        if (w->picture) xg_tile_bulk_await(w, XG_TILE_BULK_SEEN, w->picture, 0);
        xg_tile_tensor_step(w, xg_tile_bulk_steps(w, &f));
        xg_flow_end(&f);
        f = none;
        xg_flow_if(&f, w->last);
        if (w->picture)
            xg_tile_tensor_empty(w, XG_TILE_BULK_BLANK, xg_tile_rest(w, w->picture, xg_tile_halo_stages(w->p)));
        xg_flow_end(&f);
    }
    xg_flow_end(&pictures);
}
/* One thread asks for all of it, of a pair that of the even block, ... */
XG_FN xg_flow xg_tile_tensor_one(xg_tile_kernel *w) {
    xg_flow one = xg_flow_begin(&w->s);
    xg_kval *own = xg_kcmpi_int(&w->s.b, XG_CI_EQ, w->thread, 0);
    xg_flow_if(&one, w->p->shape.multicast ? xg_k2(&w->s.b, XG_K_OP_ANDI, own, xg_tile_pairs_is_first(w)) : own);
    return one;
}
/* ... and says when the last of it is made, which all threads wait for. */
XG_FN void xg_tile_tensor_tell(xg_tile_kernel *w) {
    xg_tile_tensor_empty(w, XG_TILE_BULK_DONE, xg_elem_index_0(&w->s));
}
XG_FN void xg_tile_tensor_await(xg_tile_kernel *w) {
    xg_kval *o[2];
    o[0] = xg_tile_bulk_barrier(w, XG_TILE_BULK_DONE, xg_elem_index_0(&w->s));
    o[1] = xg_kconst_i32(&w->s.b, 0);
    xg_kir_do(&w->s.b, XG_K_OP_MBARRIER_WAIT, o, 2);
    xg_kir_do_0(&w->s.b, XG_K_OP_TENSOR_AFTER);
    xg_tile_unit_end(w);
}
XG_FN void xg_tile_tensor_consume(xg_tile_kernel *w) {
    xg_flow one = xg_tile_tensor_one(w);
    xg_tile_tensor_tile(w);
    xg_tile_tensor_tell(w);
    xg_flow_end(&one);
    xg_tile_tensor_await(w);
}

/* ---- operands that threads bring ---- */

/* The step's operands are there for all threads: its products begin. */
XG_FN void xg_tile_tensor_begin_step(xg_tile_kernel *w, xg_kval *step, int64_t but) {
    xg_kval *buffer = xg_tile_rest(w, step, w->p->shape.stages);
    xg_flow one;
    xg_tile_group_await(w, but);
    one = xg_tile_tensor_one(w);
    xg_kir_do_0(&w->s.b, XG_K_OP_TENSOR_AFTER);
    xg_tile_tensor_multiply(w, step, buffer);
    xg_tile_bulk_tell(w, XG_K_OP_TENSOR_COMMIT, xg_tile_bulk_barrier(w, XG_TILE_BULK_EMPTY, buffer), 0);
    xg_flow_end(&one);
}
XG_FN void xg_tile_tensor_round(xg_tile_kernel *w, xg_kval *step) {
    int64_t stages = w->p->shape.stages, ahead = stages - XG_TILE_TENSOR_AHEAD;
    xg_kval *next, *spare;
    xg_tile_tensor_begin_step(w, step, ahead - 1);
    next = xg_kaddi_int(&w->s.b, step, ahead);
    spare = xg_tile_rest(w, next, stages);
    xg_tile_bulk_await(w, XG_TILE_BULK_EMPTY, next, 1);
    xg_tile_unit_bring_next(w, next, spare);
    xg_tile_put_step(w, spare);
}
XG_APART XG_FN void xg_tile_tensor_steps(xg_tile_kernel *w) {
    const xg_tile_plan *p = w->p;
    xg_flow f = xg_flow_begin(&w->s), one;
    xg_kval *zero = xg_elem_index_0(&w->s);
    xg_tile_bulk_begin(w, w->thread);
    xg_tile_unit_first(w, p->shape.stages - XG_TILE_TENSOR_AHEAD);
    if (p->steps == 1)
        xg_tile_tensor_begin_step(w, zero, 0);
    else {
        xg_flow_slot(&f, &w->shared);
        f.rolled = w->looping = true;
        xg_tile_tensor_round(w, xg_tile_steps_for(w, &f));
        f.op->flags |= KL_STEP_POINTERS;
        xg_flow_end(&f);
    }
    one = xg_tile_tensor_one(w);
    xg_tile_tensor_tell(w);
    xg_flow_end(&one);
    xg_tile_tensor_await(w);
}

/* ---- the sums ---- */

/* Which of four warps this one is, and which columns it has. */
XG_FN void xg_tile_tensor_stand(xg_tile_kernel *w, xg_kval **across) {
    xg_kval *warp = xg_tile_quotient(w, w->thread, XG_WARP_LANES);
    across[0] = xg_tile_rest(w, warp, XG_TILE_TENSOR_WARPS);
    across[1] = xg_tile_quotient(w, warp, XG_TILE_TENSOR_WARPS);
}

XG_FN void xg_tile_tensor_read_to(
    xg_tile_kernel *w, int64_t fragment, int64_t column, int64_t n, int64_t apart, int64_t to) {
    const xg_tile_plan *p = w->p;
    const xg_ktype *types[XG_KWGMMA_SUMS_MAX];
    int64_t each = (int64_t)XG_TILE_TENSOR_WARP_ROWS / XG_KMMA_M, from, k;
    xg_kval *across[2], *at;
    xg_kop *op;
    from = (fragment % each * XG_KMMA_M << XG_KTENSOR_LANE_SHIFT) + fragment / each * p->shape.n + column;
    xg_tile_tensor_stand(w, across);
    types[0] = xg_kir_vector(w->s.b.m, xg_kelem_of(p->form.sum), 4);
    for (k = 1; k < n / XG_KMMA_N; k++) types[k] = types[0];
    at = xg_tile_join(w, across[1], apart, xg_elem_index(&w->s, from));
    at = xg_tile_join(w, across[0], (int64_t)XG_TILE_TENSOR_WARP_ROWS << XG_KTENSOR_LANE_SHIFT, at);
    at = xg_k2(&w->s.b, XG_K_OP_ADDI, xg_kcast(&w->s.b, XG_K_OP_INDEX_CAST, at, XG_E_I32), w->memory);
    op = xg_kir_op(&w->s.b, XG_K_OP_TENSOR_READ, &at, 1, types, (uint32_t)(n / XG_KMMA_N), 0);
    op->b = n;
    for (k = 0; k < n / XG_KMMA_N; k++) w->sums[to + k] = xg_elem_real(&op->results[k]);
}
XG_FN int64_t xg_tile_tensor_width(const xg_tile_plan *p, int64_t fragment) {
    int64_t each = (int64_t)XG_TILE_TENSOR_WARP_ROWS / XG_KMMA_M;
    bool last = fragment / each + 1 == xg_tile_tensor_halves(p);
    return p->shape.tn - (last ? xg_tile_tensor_spared(p) / p->columns : 0);
}
/* Those of a fragment of the warp's rows, as many columns as are read at a time, where a column begins them. */
XG_FN void xg_tile_tensor_read(xg_tile_kernel *w, int64_t fragment, int64_t column) {
    int64_t wide = xg_tile_tensor_width(w->p, fragment), to = fragment * (w->p->shape.tn / XG_KMMA_N);
    int64_t n = wide % XG_TILE_TENSOR_READ ? XG_TILE_TENSOR_READ / 2 : XG_TILE_TENSOR_READ;
    if (column % n == 0) xg_tile_tensor_read_to(w, fragment, column, n, wide, to + column / XG_KMMA_N);
}
/* Of rows with pixels one column before, the first 64, only the last place's sums are wanted: that place is behind all
 * of what the other rows have, whose sums move up. What is not wanted goes where these would have been. */
XG_APART XG_FN xg_kval *xg_tile_tensor_show(xg_tile_kernel *w, int64_t fragment, int64_t column) {
    enum {
        UP = 2 /* warps: 64 rows */
    };
    const xg_tile_plan *p = w->p;
    int64_t wide = xg_tile_tensor_width(p, fragment), last = wide * p->columns - XG_KWGMMA_M;
    xg_kval *across[2], *lane, *before, *moved, *from;
    if (wide == p->shape.tn) return w->show;
    xg_tile_tensor_stand(w, across);
    lane = xg_tile_rest(w, w->thread, XG_WARP_LANES);
    from = xg_tile_join(w, across[1], wide, xg_elem_index(&w->s, column));
    before = xg_kcmpi_int(&w->s.b, XG_CI_SLT, across[0], UP);
    before = xg_k2(&w->s.b, XG_K_OP_ANDI, before, xg_kcmpi_int(&w->s.b, XG_CI_SGE, from, last));
    moved = xg_elem_index_0(&w->s);
    moved = xg_kselect(&w->s.b, before, moved, xg_elem_index(&w->s, UP));
    from = xg_tile_join(w, moved, -XG_TILE_TENSOR_WARP_ROWS, xg_elem_index(&w->s, XG_KWGMMA_M));
    moved = xg_tile_rest(w, xg_k2(&w->s.b, XG_K_OP_ADDI, across[0], moved), XG_TILE_TENSOR_WARPS);
    moved = xg_tile_join(w, moved, XG_TILE_TENSOR_WARP_ROWS, xg_tile_quotient(w, lane, 4));
    from = xg_tile_join(w, across[1], wide, xg_tile_join(w, xg_tile_rest(w, lane, 4), 2, from));
    return xg_tile_join(w, moved, p->out_pitch, from);
}

#endif /* XG_SCHED_TILE_TENSOR_C */
