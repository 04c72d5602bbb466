/* sched/tile_bulk.c -- tiles whose operands come by tensor copies: boxes of an array that a tensor map describes, which
 * the hardware brings beside the threads of a block, swizzled as warp groups read them (tile_wgmma.c).
 *
 *     the last warp group's first thread:          the other warp groups:
 *     for each step:                               for each step:
 *         wait until its buffer is empty               wait until its buffer is full
 *         ask for the boxes of both sides              begin to multiply; wait for the step before
 *                                                      the buffer of the step before is empty
 *
 * Each buffer has two barriers in shared memory. That it is full counts the bytes that were asked for; that it is empty
 * counts warp groups. Whoever only asks needs few registers and leaves the others to those that hold sums. What lies
 * outside of an array is zero: steps and tiles at the edges need no guards.
 *
 * An array qualifies whose elements lie at k * a + row * b + batch * c: one of a and b is 1, the others are multiples
 * of 16 bytes; or the picture of a convolution (tile_box.c). What is computed on the way, or lies otherwise, is copied
 * by threads. */
#ifndef XG_SCHED_TILE_BULK_C
#define XG_SCHED_TILE_BULK_C
#include "tile.h"

/* Of a block: m, n; rows of a warp group; steps in shared memory. A step has 128 bytes of k. */
/* clang-format off */
#define XG_TILE_BULK_SHAPES(X) \
    X(128, 256, 64, 4) \
    X(256, 192, 128, 4) \
    X(256, 128, 128, 4) \
    X(128, 192, 64, 5) \
    X(128, 192, 64, 4) \
    X(128, 128, 64, 6) \
    X(256, 64, 128, 5) \
    X(192, 64, 64, 6) \
    X(64, 256, 64, 5) \
    X(64, 128, 64, 8) \
    X(128, 64, 64, 8) \
    X(64, 64, 64, 8) \
    X(64, 64, 64, 5)
/* clang-format on */

enum {
    XG_TILE_BULK_K_BYTES = 128, /* of a step: a line */
    XG_TILE_BULK_TEAM = 1,      /* the barrier of those that multiply; all threads have barrier 0 */
    XG_TILE_BULK_LESS = 24,     /* registers of a thread that asks, the least there are */
    XG_TILE_BULK_MORE = 240,    /* of one that multiplies, the most that are useful */
    XG_TILE_BULK_OWN = 56,      /* of a thread beside its sums: descriptors, addresses, the epilogue's (ptxas 13) */
    XG_TILE_BULK_COLUMNS_LEAST = 128 /* of tensor memory: four blocks of a multiprocessor are enough */
};
static const int64_t XG_TILE_BULK_SIZE_MAX = (int64_t)1 << 31, XG_TILE_BULK_STRIDE_MAX = (int64_t)1 << 40;

/* ---- the plan ---- */

XG_FN bool xg_tile_bulk_dim(xg_kmap *m, int64_t size, int64_t stride) {
    if (size < 1 || size >= XG_TILE_BULK_SIZE_MAX) return false;
    if (m->rank == 0)
        stride = stride == m->bytes ? XG_TILE_ACCESS_BYTES : 0;
    else
        m->strides[m->rank - 1] = stride;
    m->dims[m->rank++] = size;
    return stride > 0 && stride % XG_TILE_ACCESS_BYTES == 0 && stride < XG_TILE_BULK_STRIDE_MAX;
}
XG_FN uint32_t xg_tile_map_type(xlagpu_type t) {
    enum { /* as CUtensorMapDataType numbers types */
        BYTE = 0,
        WORD = 3,
        F16 = 6,
        F32 = 7,
        BF16 = 9
    };
    if (xg_type_bytes(t) == 1) return BYTE;
    return t == XLAGPU_F16 ? F16 : t == XLAGPU_BF16 ? BF16 : t == XLAGPU_F32 ? F32 : WORD;
}
XG_FN bool xg_tile_bulk_is_matrix(
    xg_kmap *m, xg_aff_ctx *x, const xg_imap *place, int64_t a, int64_t b, int64_t batch, uint32_t inner) {
    const xg_aff *rest = xg_imap_ok(place) && !place->n_constraints ? place->results[0] : NULL;
    int64_t sizes[3], strides[3];
    uint32_t k;
    sizes[0] = a;
    sizes[1] = b;
    sizes[2] = batch;
    for (k = 0; k < 3 && rest; k++) {
        uint32_t d = k < 2 ? k : 3;
        const xg_aff *dim = xg_aff_dim(x, d);
        if (k < 2 && !xg_range_within(xg_range_of(0, sizes[k] - 1), place->dims[d].range))
            return false; /* some lie outside of the array; of a batch they are phases that have nothing */
        strides[k] = xg_aff_scale_of(rest, dim);
        rest = xg_aff_sub(x, rest, xg_aff_mul(x, dim, strides[k]));
        strides[k] *= m->bytes;
    }
    if (rest != xg_aff_const(x, 0)) return false;
    return xg_tile_bulk_dim(m, sizes[inner], strides[inner]) && xg_tile_bulk_dim(m, sizes[!inner], strides[!inner]) &&
           (batch == 1 || !strides[2] || xg_tile_bulk_dim(m, batch, strides[2]));
}
XG_FN void xg_tile_bulk_describe(
    xg_tile_plan *p, xg_aff_ctx *x, uint32_t side, const xg_inst *from, const xg_imap *place, const xg_imap *to) {
    const xg_tile_group *g = p->form.group;
    xg_tile_fetch *t = &p->fetch[side];
    xg_kmap *m = &t->tensor;
    t->may_bulk = false;
    t->boxes = NULL;
    if (!p->may_group || !t->copied || from->op != XG_PARAMETER) return;
    if (!t->along_k && t->bytes != 2) return; /* bytes are turned in registers */
    memset(m, 0, sizeof *m);
    m->bytes = (int32_t)t->bytes;
    m->swizzle = XG_KMAP_SWIZZLE_LINE;
    m->type = xg_tile_map_type(t->held);
    while (m->arg < from->comp->n_params && from->comp->params[m->arg] != from) m->arg++;
    t->may_bulk = !(p->halo && (!side || p->halo_across > 1)) && (side || !xg_tile_box_is_filled(p)) &&
                  xg_tile_bulk_is_matrix(m, x, place, g[side ? XG_TILE_N : XG_TILE_M].size, g[XG_TILE_K].size,
                      g[XG_TILE_B].size, t->along_k);
    if (!t->may_bulk) t->may_bulk = xg_tile_box_describe(p, x, side, from, to);
}
XG_FN bool xg_tile_may_bulk(const xg_tile_plan *p) { return p->fetch[0].may_bulk && p->fetch[1].may_bulk; }
XG_FN size_t xg_tile_bulk_shapes(const xg_tile_plan *p) {
#define X(m, n, gm, stages) +1
    return xg_tile_may_bulk(p) ? (size_t)(0 XG_TILE_BULK_SHAPES(X)) : 0;
#undef X
}
XG_FN const xg_tile_row *xg_tile_bulk_row(const xg_tile_plan *p, size_t k) {
#define X(m, n, gm, stages) \
    {m, n, XG_TILE_BULK_K_BYTES, (gm) / 4, n, stages, 1, XG_TILE_ROW_GROUPED + XG_TILE_ROW_BULK},
    static const xg_tile_row rows[] = {XG_TILE_BULK_SHAPES(X)};
#undef X
    return k < xg_tile_bulk_shapes(p) ? &rows[k] : NULL;
}
/* Boxes of a side's step: all its rows, or, where rows lie side by side, those of a line. Of a side that two blocks
 * share, each brings the first or the second half of a box: of its rows, or of its k. */
XG_FN int64_t xg_tile_bulk_box_rows(const xg_tile_plan *p, uint32_t side) {
    const xg_tile_fetch *t = &p->fetch[side];
    if (xg_tile_halo_is(p, side)) return t->rows / xg_tile_halo_boxes(p);
    if (t->boxes && t->by_rows && !t->row_dim) return p->pixels;
    return t->by_rows ? XG_MIN(t->rows, (int64_t)XG_KMAP_BOX_MAX) : t->line;
}
XG_FN bool xg_tile_bulk_is_shared(const xg_tile_plan *p, uint32_t side) {
    if (xg_tile_is_pair(p)) return xg_tile_is_two_pairs(p) && side == 0;
    return p->shape.multicast && (uint32_t)p->shape.multicast - 1 == side;
}
XG_FN bool xg_tile_bulk_may_vary(const xg_tile_plan *p, const xg_device *m, const xg_tile_shape *s) {
    /* steps that end early, or are split among blocks, are a block's own */
    if (p->in_tensor || s->cluster > 1 || s->split > 1 || (s->multicast && m->blocks_per_cluster < 2)) return false;
    if (s->multicast && p->fetch[s->multicast - 1].boxes && !p->fetch[s->multicast - 1].row_dim) return false;
    if (s->stays && xg_tile_is_ragged(p) && xg_tile_ragged_places(p) > 1) return false; /* those with none are last */
    return !s->stores || xg_tile_store_may(p, s->n);
}
XG_FN void xg_tile_bulk_settle(xg_tile_plan *p) {
    uint32_t k;
    p->bulk = p->shape.bulk;
    p->producers = !p->bulk ? 0 : xg_tile_is_tensor(p) ? (int64_t)XG_WARP_LANES : (int64_t)XG_TILE_BULK_GROUP;
    if (xg_tile_pair_stays(p)) p->producers *= 2; /* one warp asks for copies, the other one for products */
    for (k = 0; k < XG_TILE_SIDES && p->bulk; k++) {
        xg_tile_fetch *t = &p->fetch[k];
        uint32_t rows = (uint32_t)xg_tile_bulk_box_rows(p, k);
        t->async = true;
        t->tensor.box[0] = (uint32_t)t->line;
        t->tensor.swizzle = t->line * t->bytes < XG_KWGMMA_LINE_BYTES ? XG_KMAP_SWIZZLE_HALF : XG_KMAP_SWIZZLE_LINE;
        if (!t->boxes) {
            t->row_dim = 1; /* what is halved, where two share it: rows, or k */
            rows = t->by_rows ? rows : (uint32_t)p->shape.k;
            t->tensor.box[2] = 1;
        }
        if (t->row_dim) t->tensor.box[t->row_dim] = rows / (xg_tile_bulk_is_shared(p, k) ? 2 : 1);
    }
}
/* Barriers in front of those of pictures. */
XG_FN int64_t xg_tile_bulk_first_halo(const xg_tile_plan *p) {
    bool tensor = xg_tile_is_tensor(p);
    if (!tensor && !p->bulk) return 0;
    return 2 * p->shape.stages + (xg_tile_pair_stays(p) ? 2 * xg_tile_pairs_turns(p) : (int64_t)tensor);
}
/* With the room of one for the address of tensor memory. */
XG_FN int64_t xg_tile_bulk_barriers(const xg_tile_plan *p) {
    return xg_tile_bulk_first_halo(p) + 2 * xg_tile_halo_stages(p) + xg_tile_is_tensor(p);
}
/* Blocks that a multiprocessor shall hold, by their registers. */
XG_FN int64_t xg_tile_bulk_resident(const xg_tile_plan *p) {
    int64_t threads = p->threads + p->producers, most = INT64_MAX;
    if (xg_tile_is_pair(p)) return 1;
    if (p->shape.split > 1) most = xg_tile_over(p->blocks, p->device->sm_count); /* the last one reads many sums */
    if (xg_tile_is_tensor(p))
        return XG_MIN(
            XG_KTENSOR_COLUMNS / XG_MAX(xg_tile_tensor_columns(p), (int64_t)XG_TILE_BULK_COLUMNS_LEAST), most);
    return XG_MAX(XG_TILE_REGISTERS / ((p->n_sums * 4 + XG_TILE_BULK_OWN) * threads), (int64_t)1);
}

/* ---- barriers ---- */

XG_FN xg_kval *xg_tile_bulk_at(xg_tile_kernel *w, xg_kval *array, xg_kval *place) {
    xg_kval *o[2];
    o[0] = array;
    o[1] = place;
    return xg_kir_value(&w->s.b, XG_K_OP_SHARED_AT, o, 2, xg_kir_pointer(w->s.b.m, XG_SPACE_SHARED));
}
XG_FN int64_t xg_tile_bulk_buffers(const xg_tile_plan *p, xg_tile_bulk_state state) {
    return state >= XG_TILE_BULK_SEEN ? xg_tile_halo_stages(p) : p->shape.stages;
}
XG_FN xg_kval *xg_tile_bulk_barrier(xg_tile_kernel *w, xg_tile_bulk_state state, xg_kval *buffer) {
    int64_t stages = xg_tile_bulk_buffers(w->p, state), first = state * stages;
    const xg_aff *at;
    if (state >= XG_TILE_BULK_SEEN) first = xg_tile_bulk_first_halo(w->p) + (state - XG_TILE_BULK_SEEN) * stages;
    at = xg_aff_add_k(w->s.b.m->aff, xg_aff_dim_0(w->s.b.m->aff), first);
    return xg_tile_bulk_at(w, w->barriers, xg_tile_apply(w, &stages, 1, at, &buffer));
}
XG_FN void xg_tile_bulk_tell(xg_tile_kernel *w, xg_kopcode op, xg_kval *barrier, int64_t amount) {
    xg_kir_do(&w->s.b, op, &barrier, 1)->b = amount;
}
XG_FN void xg_tile_bulk_await_round(xg_tile_kernel *w, xg_kval *barrier, xg_kval *step, int64_t stages, int64_t ahead) {
    xg_kval *o[2], *round = xg_tile_quotient(w, step, stages);
    round = xg_tile_rest(w, xg_kaddi_int(&w->s.b, round, ahead), 2);
    o[0] = barrier;
    o[1] = xg_kcast(&w->s.b, XG_K_OP_INDEX_CAST, round, XG_E_I32);
    xg_kir_do(&w->s.b, XG_K_OP_MBARRIER_WAIT, o, 2);
}
XG_FN void xg_tile_bulk_await(xg_tile_kernel *w, xg_tile_bulk_state state, xg_kval *step, int64_t ahead) {
    int64_t stages = xg_tile_bulk_buffers(w->p, state);
    xg_kval *barrier = xg_tile_bulk_barrier(w, state, xg_tile_rest(w, step, stages));
    if (state == XG_TILE_BULK_FULL && xg_tile_bulk_keeps(w->p)) step = xg_elem_index_0(&w->s); /* there is one round */
    xg_tile_bulk_await_round(w, barrier, step, stages, ahead);
}
/* Both blocks have come so far. */
XG_FN void xg_tile_bulk_meet(xg_tile_kernel *w) {
    xg_kop *op = xg_shared_wait(&w->s.b, &w->shared, 1);
    op->a = XG_KTEAM_CLUSTER;
    if (!xg_tile_is_pair(w->p)) op->b = XG_KTEAM_RELAXED; /* where tensor memory begins is seen by all */
}
/* Warp groups that read what a buffer has: of both blocks, if these share. */
XG_FN int64_t xg_tile_bulk_readers(const xg_tile_plan *p) {
    return p->threads / XG_TILE_BULK_GROUP * (p->shape.multicast ? 2 : 1);
}
/* Arrivals that end a phase of barrier k. */
XG_FN int64_t xg_tile_bulk_arrivals(const xg_tile_plan *p, int64_t k) {
    bool empty = k / p->shape.stages == XG_TILE_BULK_EMPTY;
    int64_t pictures = k - xg_tile_bulk_first_halo(p);
    if (pictures >= 0)
        return pictures < xg_tile_halo_stages(p) || xg_tile_is_tensor(p) ? 1 : p->threads / XG_TILE_BULK_GROUP;
    if (xg_tile_is_pair(p) && k >= 2 * p->shape.stages + xg_tile_pairs_turns(p)) return xg_tile_pairs_tellers(p);
    if (xg_tile_is_two_pairs(p)) return empty ? 2 : 1;
    return empty && !xg_tile_is_tensor(p) ? xg_tile_bulk_readers(p) : 1;
}
XG_FN void xg_tile_bulk_begin(xg_tile_kernel *w, xg_kval *thread) {
    bool tensor = xg_tile_is_tensor(w->p);
    int64_t n = xg_tile_bulk_barriers(w->p) - tensor, k;
    xg_flow f = xg_flow_begin(&w->s);
    xg_tile_store_begin(w);
    w->barriers = xg_shared_array(&w->s.b, XG_E_I64, n);
    xg_flow_if(&f, xg_kcmpi_int(&w->s.b, XG_CI_EQ, thread, 0));
    for (k = 0; k < n; k++)
        xg_tile_bulk_tell(w, XG_K_OP_MBARRIER_INIT, xg_tile_bulk_at(w, w->barriers, xg_elem_index(&w->s, k)),
            xg_tile_bulk_arrivals(w->p, k));
    if (w->p->shape.multicast) xg_kir_do_0(&w->s.b, XG_K_OP_MBARRIER_FENCE);
    xg_flow_end(&f);
    if (tensor) xg_tile_tensor_begin(w, thread, xg_tile_tensor_columns(w->p));
    xg_kir_do_0(&w->s.b, XG_K_OP_PROXY_FENCE);
    if (w->p->shape.multicast)
        xg_tile_bulk_meet(w);
    else
        xg_tile_wait(w);
    if (tensor) xg_tile_tensor_place(w);
}

/* ---- the thread that asks ---- */

enum {
    XG_TILE_BULK_AT_TILE,
    XG_TILE_BULK_AT_STEP,
    XG_TILE_BULK_AT_BATCH,
    XG_TILE_BULK_AT_BUFFER,
    XG_TILE_BULK_AT_RANK,
    XG_TILE_BULK_AT_DIMS
};
/* One box of a side: `row` rows from the tile's first one on. */
XG_APART XG_FN void xg_tile_bulk_box(
    xg_tile_kernel *w, uint32_t side, int64_t row, const int64_t *counts, xg_kval *const *at, xg_kval *full) {
    const xg_tile_plan *p = w->p;
    const xg_tile_fetch *t = &p->fetch[side];
    xg_aff_ctx *x = w->s.b.m->aff;
    const xg_aff *place[XG_KMAP_RANK],
        *to = xg_aff_mul(x, xg_aff_dim(x, XG_TILE_BULK_AT_BUFFER), xg_tile_buffer(p, side)), *half;
    xg_kval *o[2 + XG_KMAP_RANK];
    uint32_t k;
    bool shared = xg_tile_bulk_is_shared(p, side), half_rows = side && xg_tile_is_pair(p);
    xg_kop *op;
    /* rows have shape.k elements each in shared memory, whichever of both lies side by side there */
    half = xg_aff_mul(x, xg_aff_dim(x, XG_TILE_BULK_AT_RANK), t->tensor.box[t->row_dim]);
    if (shared) to = xg_aff_add_mul(x, to, half, t->line);
    to = xg_aff_add_k(x, to, t->offset + (side ? row * p->shape.k : xg_tile_halo_row(p, row)));
    o[0] = xg_tile_apply(w, counts, XG_TILE_BULK_AT_DIMS, to, at);
    o[0] = xg_tile_bulk_at(w, w->shared, o[0]);
    o[1] = full;
    place[!t->by_rows] = xg_aff_mul(x, xg_aff_dim(x, XG_TILE_BULK_AT_STEP), p->shape.k);
    place[t->by_rows] = xg_aff_dim(x, XG_TILE_BULK_AT_TILE);
    place[t->by_rows] = xg_aff_mul(x, place[t->by_rows], xg_tile_pace(p, side, half_rows ? 2 * t->rows : t->rows));
    if (half_rows) place[t->by_rows] = xg_aff_add_dim(x, place[t->by_rows], XG_TILE_BULK_AT_RANK, t->rows);
    place[t->by_rows] = xg_aff_add_k(x, place[t->by_rows], row);
    if (shared) place[1] = xg_aff_add(x, place[1], half);
    place[2] = xg_aff_dim(x, XG_TILE_BULK_AT_BATCH);
    if (t->boxes) {
        const xg_aff *linear[XG_TILE_ROLES] = {NULL};
        linear[XG_TILE_B] = place[2];
        linear[side ? XG_TILE_N : XG_TILE_M] = place[t->by_rows];
        linear[XG_TILE_K] = place[!t->by_rows];
        xg_tile_box_place(w, t->boxes, counts, XG_TILE_BULK_AT_DIMS, linear, place);
    }
    for (k = 0; k < t->tensor.rank; k++)
        o[2 + k] = xg_kcast(
            &w->s.b, XG_K_OP_INDEX_CAST, xg_tile_apply(w, counts, XG_TILE_BULK_AT_DIMS, place[k], at), XG_E_I32);
    if (shared && xg_tile_is_pair(p)) {
        xg_tile_pairs_share(w, side, o, 2 + t->tensor.rank);
        return;
    }
    op = xg_kir_do(&w->s.b, XG_K_OP_TENSOR_COPY, o, 2 + t->tensor.rank);
    op->b = side;
    if (shared) op->a = 3; /* the bits of both */
}
/* Steps of the tiles before, if each has all. */
XG_FN xg_kval *xg_tile_bulk_before(xg_tile_kernel *w) {
    return xg_tile_join(w, w->shown, w->p->steps, xg_elem_index_0(&w->s));
}
/* Sides from one to another; `number` and `step` count buffers and steps of all tiles of the block. */
XG_FN void xg_tile_bulk_ask(xg_tile_kernel *w, xg_kval *number, xg_kval *step, uint32_t side, uint32_t sides) {
    const xg_tile_plan *p = w->p;
    bool picture = sides < XG_TILE_SIDES;
    int64_t counts[XG_TILE_BULK_AT_DIMS], row, lines = 0;
    int64_t stages = xg_tile_bulk_buffers(p, picture ? XG_TILE_BULK_SEEN : XG_TILE_BULK_FULL), bytes;
    xg_kval *at[XG_TILE_BULK_AT_DIMS], *full;
    uint32_t k;
    for (k = side; k < sides; k++) lines += xg_tile_bulk_lines(p, k);
    bytes = lines * XG_KWGMMA_LINE_BYTES;
    xg_tile_bulk_await(w, picture ? XG_TILE_BULK_BLANK : XG_TILE_BULK_EMPTY, number, 1);
    if (w->begin) step = xg_k2(&w->s.b, XG_K_OP_SUBI, step, picture ? xg_tile_bulk_before(w) : w->begin);
    at[XG_TILE_BULK_AT_STEP] = picture && p->skips ? step : xg_tile_own_step(w, step);
    at[XG_TILE_BULK_AT_BATCH] = picture && w->fresh ? xg_elem_index_0(&w->s) : w->batch;
    at[XG_TILE_BULK_AT_BUFFER] = xg_tile_rest(w, number, stages);
    at[XG_TILE_BULK_AT_RANK] = w->pair ? w->pair : xg_elem_index_0(&w->s);
    full = xg_tile_bulk_barrier(w, picture ? XG_TILE_BULK_SEEN : XG_TILE_BULK_FULL, at[XG_TILE_BULK_AT_BUFFER]);
    if (xg_tile_is_pair(p)) {
        xg_flow first = xg_flow_begin(&w->s); /* its barrier counts what both bring */
        xg_flow_if(&first, xg_tile_pairs_is_first(w));
        xg_tile_bulk_tell(w, XG_K_OP_MBARRIER_EXPECT, full, 2 * bytes);
        xg_flow_end(&first);
        full = xg_tile_pairs_first(w, full);
    } else
        xg_tile_bulk_tell(w, XG_K_OP_MBARRIER_EXPECT, full, bytes);
    counts[XG_TILE_BULK_AT_STEP] = p->all_steps;
    counts[XG_TILE_BULK_AT_BATCH] = p->batch;
    counts[XG_TILE_BULK_AT_BUFFER] = stages;
    counts[XG_TILE_BULK_AT_RANK] = w->pair ? 2 : 1;
    for (; side < sides; side++) {
        if (w->next) at[XG_TILE_BULK_AT_RANK] = side ? w->pair : w->next;
        at[XG_TILE_BULK_AT_TILE] = w->tile[side];
        counts[XG_TILE_BULK_AT_TILE] = xg_tile_paces(p, side);
        for (row = 0; row < p->fetch[side].rows; row += xg_tile_bulk_box_rows(p, side))
            xg_tile_bulk_box(w, side, row, counts, at, full);
    }
}
/* To those that hold sums, which tensor memory has instead. */
XG_FN bool xg_tile_bulk_moves_registers(const xg_tile_plan *p) {
    bool many = p->n_sums * 4 + XG_TILE_BULK_OWN > XG_TILE_REGISTERS / (p->threads + p->producers);
    return (p->threads == 2 * XG_TILE_BULK_GROUP || many) && !xg_tile_is_tensor(p);
}
XG_FN void xg_tile_bulk_registers(xg_tile_kernel *w, xg_kopcode op, int64_t n) {
    if (xg_tile_bulk_moves_registers(w->p)) xg_kir_do_0(&w->s.b, op)->b = n;
}
/* One of two numbers is this. */
XG_FN xg_kval *xg_tile_bulk_either(xg_tile_kernel *w, xg_kval *a, int64_t is, xg_kval *b, int64_t or_is) {
    a = xg_kcmpi_int(&w->s.b, XG_CI_EQ, a, is);
    return xg_k2(&w->s.b, XG_K_OP_ORI, a, xg_kcmpi_int(&w->s.b, XG_CI_EQ, b, or_is));
}
/* Of tiles whose phases have one box, a pair of blocks makes as many in a row: the number of the next one. */
XG_FN xg_kval *xg_tile_bulk_phases(xg_tile_kernel *w, xg_flow *f) {
    const xg_tile_plan *p = w->p;
    int64_t each = xg_tile_over(p->blocks, p->grid), all = p->blocks / 2, phases = p->batch;
    xg_kval *block = xg_kblock_id(&w->s.b, 0, p->grid), *count = xg_elem_index(&w->s, each), *first, *id, *before;
    xg_kval *zero = xg_elem_index_0(&w->s);
    first = xg_tile_join(w, xg_tile_quotient(w, block, 2), each, zero);
    if (all % each)
        count = xg_k2(&w->s.b, XG_K_OP_MINSI, xg_k2(&w->s.b, XG_K_OP_SUBI, xg_elem_index(&w->s, all), first), count);
    before = xg_tile_quotient(w, first, phases);
    w->shown = zero; /* behind the loop, of the last tile */
    xg_flow_slot(f, &w->shown);
    w->turn = xg_flow_for(f, zero, count, 1, each);
    id = xg_k2(&w->s.b, XG_K_OP_ADDI, first, w->turn);
    w->batch = xg_tile_rest(w, id, phases);
    w->fresh = xg_tile_bulk_either(w, w->batch, 0, w->turn, 0);
    w->last = xg_tile_bulk_either(w, w->batch, phases - 1, xg_k2(&w->s.b, XG_K_OP_SUBI, count, w->turn), 1);
    if (p->halo_turned) w->batch = xg_k2(&w->s.b, XG_K_OP_SUBI, xg_elem_index(&w->s, phases - 1), w->batch);
    id = xg_tile_quotient(w, id, phases);
    w->shown = xg_k2(&w->s.b, XG_K_OP_SUBI, id, before);
    id = xg_tile_join(w, w->batch, all / phases, id);
    return xg_tile_join(w, id, 2, xg_tile_rest(w, block, 2));
}
/* The tiles of a block that stays: each as many blocks further on. Where it does not, there is one. */
XG_FN void xg_tile_bulk_tiles(xg_tile_kernel *w, xg_flow *f) {
    const xg_tile_plan *p = w->p;
    xg_kval *id, *first, *last = xg_elem_index(&w->s, p->blocks);
    if (!p->shape.stays) return;
    f->rolled = true;
    if (p->skips) {
        w->begin = xg_elem_index_0(&w->s);
        xg_flow_slot(f, &w->begin);
    }
    if (p->shape.stays > 1)
        id = xg_tile_bulk_phases(w, f);
    else {
        first = xg_kblock_id(&w->s.b, 0, p->grid);
        if (w->all) last = w->all;
        id = xg_flow_for(f, first, last, p->grid, p->blocks + p->idle);
        w->turn = w->shown = xg_tile_quotient(w, id, p->grid);
    }
    if (w->all) {
        f->op->a = xg_tile_over(p->blocks, p->grid);
        f->op->b = p->blocks;
    }
    xg_tile_stand(w, id);
    if (p->skips) {
        xg_kval_set_range(w->begin, xg_range_of(0, p->steps * xg_tile_over(p->blocks, p->grid)));
        w->steps = xg_tile_steps(w);
    } else
        w->begin = xg_tile_bulk_before(w);
}
XG_FN void xg_tile_bulk_tiles_end(xg_tile_kernel *w, xg_flow *f) {
    if (w->p->skips && w->p->shape.stays) w->begin = xg_k2(&w->s.b, XG_K_OP_ADDI, w->begin, w->steps);
    xg_flow_end(f);
}
/* The steps of a tile, counted from those of the tiles before. */
XG_FN xg_kval *xg_tile_bulk_steps(xg_tile_kernel *w, xg_flow *f) {
    const xg_tile_plan *p = w->p;
    xg_kval *many;
    f->rolled = true;
    if (w->picture && p->skips) {
        int64_t pictures = p->steps / p->halo;
        xg_kval *each = xg_tile_quotient(w, w->steps, pictures), *own;
        own = xg_k2(&w->s.b, XG_K_OP_MULI, xg_tile_rest(w, w->picture, pictures), each);
        if (w->begin) own = xg_k2(&w->s.b, XG_K_OP_ADDI, w->begin, own);
        many = xg_flow_for(f, xg_elem_index_0(&w->s), each, 1, p->halo);
        xg_tile_some_of(w, f, p->halo);
        w->view = xg_tile_rest(w, xg_tile_own_step(w, many), p->halo);
        return xg_k2(&w->s.b, XG_K_OP_ADDI, own, many);
    }
    if (w->picture) {
        int64_t first = xg_tile_halo_first(p, w->kind);
        many = w->view = xg_flow_count(f, xg_tile_halo_views(p, w->kind));
        if (first) many = xg_kaddi_int(&w->s.b, many, first);
        return xg_tile_join(w, w->pictures, p->halo, many);
    }
    if (!w->begin) return xg_tile_steps_for(w, f);
    many = xg_k2(&w->s.b, XG_K_OP_ADDI, w->begin, w->steps);
    many = xg_flow_for(f, w->begin, many, 1, p->steps * xg_tile_over(p->blocks + p->idle, p->grid));
    xg_tile_some_of(w, f, p->steps);
    return many;
}
XG_FN void xg_tile_bulk_pictures(xg_tile_kernel *w, xg_flow *f) {
    const xg_tile_plan *p = w->p;
    int64_t views = xg_tile_halo_steps(p), each = views ? p->steps / views : 0;
    xg_kval *first = xg_elem_index_0(&w->s), *last;
    w->picture = w->pictures = NULL;
    if (!each) return;
    f->rolled = true;
    if (w->begin) first = xg_tile_join(w, w->shown, each, first);
    last = w->begin || p->skips ? xg_kaddi_int(&w->s.b, first, each) : xg_tile_quotient(w, w->steps, p->halo);
    w->pictures = xg_flow_for(f, first, last, 1, each * xg_tile_over(p->blocks, p->grid));
    w->picture = w->pictures;
}
XG_FN int64_t xg_tile_bulk_kinds(const xg_tile_kernel *w) { return w->pictures ? w->p->halo_kinds : 1; }
/* One of a kind. */
XG_FN void xg_tile_bulk_picture(xg_tile_kernel *w) {
    if (xg_tile_bulk_kinds(w) > 1)
        w->picture = xg_tile_join(w, w->pictures, w->p->halo_kinds, xg_elem_index(&w->s, w->kind));
}
/* What a step multiplies: `step` counts views. */
XG_FN xg_kval *xg_tile_bulk_place(xg_tile_kernel *w, xg_kval *step, xg_kval *view) {
    xg_aff_ctx *x = w->s.b.m->aff;
    int64_t views;
    if (xg_tile_bulk_kinds(w) == 1) return step;
    views = xg_tile_halo_views(w->p, w->kind);
    view = xg_tile_apply(w, &views, 1, xg_tile_halo_moved(w->p, x, w->kind, xg_aff_dim_0(x), true), &view);
    return xg_tile_join(w, w->pictures, w->p->halo, view);
}
XG_FN void xg_tile_bulk_ask_picture(xg_tile_kernel *w) {
    xg_kval *zero = xg_elem_index_0(&w->s), *step = xg_tile_join(w, w->pictures, w->p->halo, zero);
    xg_tile_bulk_ask(w, w->picture, xg_tile_bulk_place(w, step, zero), 0, 1);
}
XG_APART XG_FN void xg_tile_bulk_produce(xg_tile_kernel *w, xg_kval *thread) {
    xg_flow none = xg_flow_begin(&w->s), one = none, tiles = none, pictures = none, kept, f;
    xg_kval *first = xg_elem_index(&w->s, w->p->threads), *step;
    xg_tile_bulk_registers(
        w, XG_K_OP_REGISTERS_LESS, XG_TILE_BULK_LESS + (w->p->skips || w->p->form.filled ? 8 : 0)); /* still 240 */
    xg_flow_if(&one, xg_kcmpi_(&w->s.b, XG_CI_EQ, thread, first));
    xg_tile_bulk_tiles(w, &tiles);
    if (w->fresh) {
        f = kept = none;
        xg_flow_if(&kept, w->fresh);
        xg_tile_bulk_pictures(w, &f);
        xg_tile_bulk_ask_picture(w);
        xg_flow_end(&f);
        xg_flow_end(&kept);
    }
    xg_tile_bulk_pictures(w, &pictures);
    for (w->kind = 0; w->kind < xg_tile_bulk_kinds(w); w->kind++) {
        kept = f = none;
        xg_tile_bulk_picture(w);
        if (w->picture && !w->fresh) xg_tile_bulk_ask_picture(w);
        if (xg_tile_bulk_keeps(w->p)) xg_flow_if(&kept, xg_kcmpi_int(&w->s.b, XG_CI_EQ, w->turn, 0));
        step = xg_tile_bulk_steps(w, &f);
        xg_tile_bulk_ask(w, step, xg_tile_bulk_place(w, step, w->view), w->picture ? 1 : 0, XG_TILE_SIDES);
        xg_flow_end(&f);
        xg_flow_end(&kept);
    }
    xg_flow_end(&pictures);
    xg_tile_bulk_tiles_end(w, &tiles);
    if (xg_tile_pair_stays(w->p)) xg_tile_pairs_drain(w);
    xg_flow_end(&one);
}

/* ---- those that multiply ---- */

/* The buffer of the step, or picture, `on` behind this one may be filled again, if `some`; one thread of each warp
 * group says so, of two blocks that share one to each of both. */
XG_FN void xg_tile_bulk_release(xg_tile_kernel *w, xg_tile_bulk_state state, xg_kval *step, int64_t on, xg_kval *some) {
    xg_flow f = xg_flow_begin(&w->s);
    int64_t tellers = w->p->shape.multicast && state == XG_TILE_BULK_EMPTY ? 2 : 1;
    xg_kval *own, *o[2];
    if (state == XG_TILE_BULK_EMPTY && xg_tile_bulk_keeps(w->p)) return;
    own = xg_tile_rest(w, w->thread, XG_TILE_BULK_GROUP);
    o[1] = xg_kcast(&w->s.b, XG_K_OP_INDEX_CAST, xg_tile_rest(w, own, 2), XG_E_I32);
    own = xg_kcmpi_int(&w->s.b, tellers > 1 ? XG_CI_SLT : XG_CI_EQ, own, tellers > 1 ? tellers : 0);
    xg_flow_if(&f, some ? xg_k2(&w->s.b, XG_K_OP_ANDI, some, own) : own);
    step = xg_kaddi_int(&w->s.b, step, on);
    o[0] = xg_tile_bulk_barrier(w, state, xg_tile_rest(w, step, xg_tile_bulk_buffers(w->p, state)));
    if (tellers > 1) o[0] = xg_kir_value(&w->s.b, XG_K_OP_MAPA, o, 2, xg_kir_pointer(w->s.b.m, XG_SPACE_CLUSTER));
    xg_tile_bulk_tell(w, XG_K_OP_MBARRIER_ARRIVE, o[0], 0);
    xg_flow_end(&f);
}
XG_FN void xg_tile_bulk_step(xg_tile_kernel *w, xg_kval *step) {
    xg_kval *first = w->begin ? w->begin : xg_elem_index_0(&w->s);
    xg_tile_bulk_await(w, XG_TILE_BULK_FULL, step, 0);
    xg_tile_group_multiply(w, xg_tile_rest(w, step, w->p->shape.stages));
    xg_tile_group_wait(w, 1);
    first = xg_kcmpi_(&w->s.b, XG_CI_SGT, step, first);
    xg_tile_bulk_release(w, XG_TILE_BULK_EMPTY, step, w->p->shape.stages - 1, first); /* that of the step before */
    if (!w->picture || w->p->steps == w->p->halo) return;
    first = xg_k2(&w->s.b, XG_K_OP_ANDI, first, xg_kcmpi_int(&w->s.b, XG_CI_EQ, w->view, 0));
    xg_tile_bulk_release(w, XG_TILE_BULK_BLANK, w->picture, xg_tile_halo_stages(w->p) - 1, first);
}
/* A tile's sums. */
XG_APART XG_FN void xg_tile_bulk_sum(xg_tile_kernel *w) {
    xg_flow pictures = xg_flow_begin(&w->s), f = pictures;
    int64_t steps = w->p->steps;
    xg_kval *first;
    xg_tile_group_none(w);
    if (xg_tile_halo_steps(w->p)) xg_flow_elems(&pictures, w->sums, (uint32_t)w->p->n_sums);
    xg_tile_bulk_pictures(w, &pictures);
    if (w->picture) xg_tile_bulk_await(w, XG_TILE_BULK_SEEN, w->picture, 0);
    xg_flow_elems(&f, w->sums, (uint32_t)w->p->n_sums);
    xg_tile_bulk_step(w, xg_tile_bulk_steps(w, &f));
    f.op->flags |= KL_STEP_POINTERS;
    xg_flow_end(&f);
    xg_flow_end(&pictures);
    xg_tile_group_wait(w, 0);
    if (!w->begin) return;
    xg_tile_bulk_release(w, XG_TILE_BULK_EMPTY, xg_k2(&w->s.b, XG_K_OP_ADDI, w->begin, w->steps), -1, NULL);
    if (!w->picture) return;
    first = xg_tile_join(w, w->turn, steps / w->p->halo, xg_elem_index_0(&w->s));
    xg_tile_bulk_release(w, XG_TILE_BULK_BLANK, first, steps / w->p->halo - 1, NULL);
}
XG_FN void xg_tile_bulk_consume(xg_tile_kernel *w) {
    xg_flow tiles = xg_flow_begin(&w->s);
    int64_t more;
    uint32_t k;
    /* what the others leave, a multiple of 8, at most 240 */
    more = (XG_TILE_REGISTERS - (int64_t)XG_TILE_BULK_LESS * XG_TILE_BULK_GROUP) / w->p->threads / 8 * 8;
    xg_tile_bulk_registers(w, XG_K_OP_REGISTERS_MORE, XG_MIN(more, (int64_t)XG_TILE_BULK_MORE));
    for (k = 0; k < w->e->n_roots; k++) xg_flow_slot(&tiles, &w->dest[k]);
    if (xg_tile_is_apart(w->p)) xg_flow_slot(&tiles, &w->out);
    xg_tile_bulk_tiles(w, &tiles);
    xg_tile_bulk_sum(w);
    if (xg_tile_is_apart(w->p))
        xg_tile_store_all(w);
    else {
        xg_tile_unit_end(w);
        xg_tile_all_results(w);
    }
    xg_tile_bulk_tiles_end(w, &tiles);
    if (xg_tile_is_apart(w->p)) xg_tile_store_end(w);
}

/* ---- the kernel ---- */

XG_FN void xg_tile_bulk_maps(xg_tile_kernel *w, xg_kfunc *f) {
    const xg_tile_plan *p = w->p;
    uint32_t k;
    f->producers = (uint32_t)p->producers;
    f->n_maps = XG_TILE_SIDES + p->shape.stores;
    f->maps = XG_NEW_N(w->e->arena, xg_kmap, f->n_maps);
    for (k = 0; k < XG_TILE_SIDES; k++) f->maps[k] = p->fetch[k].tensor;
    if (p->shape.stores) f->maps[XG_TILE_SIDES] = p->result;
}
XG_APART XG_FN void xg_tile_bulk_kernel(xg_tile_kernel *w, xg_kfunc *f) {
    const xg_tile_plan *p = w->p;
    xg_kval *thread = xg_kthread_id(&w->s.b, 0, p->threads + p->producers), *shared;
    xg_flow part = xg_flow_begin(&w->s);
    uint32_t k;
    xg_tile_bulk_maps(w, f);
    xg_tile_bulk_begin(w, thread);
    for (k = 0; k < w->e->n_roots; k++) xg_flow_slot(&part, &w->dest[k]);
    shared = w->shared;
    xg_flow_if(&part, xg_kcmpi_int(&w->s.b, XG_CI_SLT, thread, p->threads));
    w->thread = xg_tile_rest(w, thread, p->threads);
    w->team = XG_TILE_BULK_TEAM;
    xg_tile_threads(w);
    if (xg_tile_pair_stays(p))
        xg_tile_pairs_consume(w);
    else if (xg_tile_is_tensor(p)) {
        xg_tile_tensor_consume(w);
        xg_tile_all_results(w);
        xg_tile_tensor_end(w);
    } else
        xg_tile_bulk_consume(w);
    xg_flow_else(&part);
    w->shared = shared;
    w->begin = NULL;
    if (xg_tile_pair_stays(p)) xg_tile_pairs_multiply(w, thread);
    w->begin = NULL;
    xg_tile_bulk_produce(w, thread);
    xg_flow_end(&part);
    w->shared = shared;
    if (xg_tile_pair_stays(p))
        xg_tile_pairs_end(w, thread);
    else if (p->shape.multicast && !xg_tile_is_tensor(p))
        xg_tile_bulk_meet(w); /* the other block still reads, or arrives here */
}

#endif /* XG_SCHED_TILE_BULK_C */
