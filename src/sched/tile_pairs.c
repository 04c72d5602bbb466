/* sched/tile_pairs.c -- pairs of neighbouring blocks that stay, and multiply together what tensor copies brought, with
 * sums in tensor memory (tile_tensor.c): a tile of the pair has the rows of both blocks, and each brings half of what
 * its columns are multiplied by; matrix units read that in both.
 *
 *     one warp's first thread:            the next one's, of the even block:      the first eight warps:
 *     for each tile, for each step:       for each tile:                          for each tile:
 *         wait until its buffer is empty      wait until its sums are taken           wait until its sums are made
 *         ask for the boxes                   for each step:                          two chunks of columns after
 *                                                 wait until its buffer is full       the other: out of tensor
 *                                                     in both blocks                  memory, and away (tile_store.c)
 *                                                 ask for its products; when they     with the last one: they are
 *                                                     are made, it is empty           taken
 *                                             its sums are made
 *
 * Two pairs that lie side by side share the rows: each block brings half of them, and gives it to its neighbour in the
 * other pair by multicast. A buffer is empty when both pairs' products have been made of it.
 *
 * Pairs that do not stay have parts of a tile's k, and trade sums as other blocks of a cluster do (tile_emit.c): each
 * block with those of its place in the other pairs. There the first thread that has rows asks for products, as
 * tile_tensor.c says.
 *
 * Barriers that the even block waits for count what happens in both blocks; what it asks for is told to both. Where
 * tensor memory has room for the sums of two tiles, the next one is multiplied while those of one leave. */
#ifndef XG_SCHED_TILE_PAIRS_C
#define XG_SCHED_TILE_PAIRS_C
#include "tile.h"

XG_FN bool xg_tile_is_pair(const xg_tile_plan *p) { return xg_tile_is_tensor(p) && p->shape.multicast; }
XG_FN bool xg_tile_is_two_pairs(const xg_tile_plan *p) { return xg_tile_is_pair(p) && p->shape.multicast == 3; }
XG_FN bool xg_tile_pair_stays(const xg_tile_plan *p) { return xg_tile_is_pair(p) && p->shape.stays; }
XG_FN int64_t xg_tile_pairs_cluster(const xg_tile_plan *p) {
    return xg_tile_is_two_pairs(p) ? 4 : (int64_t)2 * p->shape.cluster;
}
XG_FN int64_t xg_tile_pairs_all(const xg_tile_plan *p) {
    return xg_tile_is_pair(p) ? ((int64_t)1 << xg_tile_pairs_cluster(p)) - 1 : 0;
}
/* Steps that end early are a block's own. */
XG_FN bool xg_tile_pairs_may_be(const xg_tile_plan *p, const xg_device *m, const xg_tile_shape *s) {
    if (s->multicast == 3 && p->fetch[0].boxes) return false; /* they are not halved */
    if (xg_tile_is_ragged(p) && xg_tile_ragged_places(p) > 1) return false;
    return p->in_tensor && m->blocks_per_cluster >= (s->multicast == 3 ? 4 : 2) && xg_tile_may_bulk(p);
}
XG_FN int64_t xg_tile_pairs_columns(const xg_tile_plan *p) { return xg_tile_tensor_halves(p) * p->shape.n; }
XG_FN int64_t xg_tile_pairs_turns(const xg_tile_plan *p) {
    return xg_tile_pair_stays(p) && 2 * xg_tile_pairs_columns(p) <= XG_KTENSOR_COLUMNS ? 2 : 1;
}
XG_FN int64_t xg_tile_pairs_tellers(const xg_tile_plan *p) { return 2 * p->threads / XG_WARP_LANES; }

/* ---- barriers ---- */

XG_FN xg_kval *xg_tile_pairs_is_first(xg_tile_kernel *w) {
    return xg_kcmpi_int(&w->s.b, XG_CI_EQ, xg_tile_rest(w, xg_kblock_id(&w->s.b, 0, w->p->grid), 2), 0);
}
/* The number of the pair in its cluster; NULL: there is no other one. */
XG_FN xg_kval *xg_tile_pairs_number(const xg_tile_kernel *w) { return w->next ? w->next : w->rank; }
XG_FN xg_kval *xg_tile_pairs_first(xg_tile_kernel *w, xg_kval *barrier) {
    xg_kval *o[2], *zero = xg_elem_index_0(&w->s), *number = xg_tile_pairs_number(w);
    o[0] = barrier;
    o[1] = xg_kcast(&w->s.b, XG_K_OP_INDEX_CAST, number ? xg_tile_join(w, number, 2, zero) : zero, XG_E_I32);
    return xg_kir_value(&w->s.b, XG_K_OP_MAPA, o, 2, xg_kir_pointer(w->s.b.m, XG_SPACE_CLUSTER));
}
/* Where the sums of the tile lie among those of as many as tensor memory holds. */
XG_FN xg_kval *xg_tile_pairs_place(xg_tile_kernel *w) { return xg_tile_rest(w, w->turn, xg_tile_pairs_turns(w->p)); }
/* That they are made, or taken. */
XG_FN xg_kval *xg_tile_pairs_barrier(xg_tile_kernel *w, bool taken) {
    int64_t turns = xg_tile_pairs_turns(w->p), first = XG_TILE_BULK_DONE * w->p->shape.stages + (taken ? turns : 0);
    const xg_aff *at = xg_aff_add_k(w->s.b.m->aff, xg_aff_dim_0(w->s.b.m->aff), first);
    xg_kval *place = xg_tile_pairs_place(w);
    return xg_tile_bulk_at(w, w->barriers, xg_tile_apply(w, &turns, 1, at, &place));
}
XG_FN void xg_tile_pairs_await(xg_tile_kernel *w, bool taken) {
    xg_kval *barrier = xg_tile_pairs_barrier(w, taken);
    xg_tile_bulk_await_round(w, barrier, w->turn, xg_tile_pairs_turns(w->p), taken);
    xg_kir_do_0(&w->s.b, XG_K_OP_TENSOR_AFTER);
}
/* All tiles of the block, one after the other: sets where its sums lie. */
XG_FN void xg_tile_pairs_tiles(xg_tile_kernel *w, xg_flow *f) {
    xg_kval *zero = xg_elem_index_0(&w->s), *on;
    xg_tile_bulk_tiles(w, f);
    on = xg_tile_join(w, xg_tile_pairs_place(w), xg_tile_pairs_columns(w->p), zero);
    w->memory = xg_k2(&w->s.b, XG_K_OP_ADDI, xg_kcast(&w->s.b, XG_K_OP_INDEX_CAST, on, XG_E_I32), w->memory);
}

/* ---- those that ask ---- */

/* What follows is for the first of two, what stands behind xg_flow_else for the other one. */
XG_FN xg_flow xg_tile_pairs_either(xg_tile_kernel *w, xg_kval *number) {
    xg_flow f = xg_flow_begin(&w->s);
    xg_flow_if(&f, xg_kcmpi_int(&w->s.b, XG_CI_EQ, number, 0));
    return f;
}
XG_FN void xg_tile_pairs_share(xg_tile_kernel *w, uint32_t side, xg_kval **o, uint32_t n) {
    enum {
        NEIGHBOURS = 5 /* the bits of a block, and of that two further on */
    };
    xg_flow f = xg_tile_pairs_either(w, w->pair);
    uint32_t k;
    for (k = 0; k < 2; k++) {
        xg_kop *op = xg_kir_do(&w->s.b, XG_K_OP_TENSOR_COPY, o, n);
        op->b = side;
        op->a = NEIGHBOURS << k;
        if (!k) xg_flow_else(&f);
    }
    xg_flow_end(&f);
}
XG_FN void xg_tile_pairs_tell(xg_tile_kernel *w, xg_kval *barrier) {
    enum {
        BOTH = 3,
        MOST = 4 /* pairs of a cluster */
    };
    xg_kval *number = xg_tile_pairs_number(w);
    int64_t pairs = xg_tile_pairs_cluster(w->p) / 2, k;
    xg_flow f[MOST];
    for (k = 0; k + 1 < pairs; k++) {
        f[k] = xg_flow_begin(&w->s);
        xg_flow_if(&f[k], xg_kcmpi_int(&w->s.b, XG_CI_EQ, number, k));
        xg_tile_bulk_tell(w, XG_K_OP_TENSOR_COMMIT, barrier, BOTH << 2 * k);
        xg_flow_else(&f[k]);
    }
    xg_tile_bulk_tell(w, XG_K_OP_TENSOR_COMMIT, barrier, BOTH << 2 * k);
    while (k-- > 0) xg_flow_end(&f[k]);
}

/* Behind its last step, until all buffers are empty: other blocks say so, and arrive here, which must still be there
 * (as CUTLASS's producers wait in the end). */
XG_APART XG_FN void xg_tile_pairs_drain(xg_tile_kernel *w) {
    const xg_tile_plan *p = w->p;
    xg_aff_ctx *x = w->s.b.m->aff;
    int64_t grid = p->grid, stages = p->shape.stages, steps = p->steps, all = p->blocks + p->idle, counts[2];
    const xg_aff *tiles = xg_aff_add_k(x, xg_aff_sub(x, xg_aff_dim_1(x), xg_aff_dim_0(x)), grid - 1);
    xg_kval *at[2], *from, *to;
    xg_tile_bulk_state state = XG_TILE_BULK_EMPTY;
    counts[0] = grid;
    counts[1] = all + 1;
    at[0] = xg_kblock_id(&w->s.b, 0, grid);
    at[1] = w->all ? w->all : xg_elem_index(&w->s, p->blocks);
    for (;; state = XG_TILE_BULK_BLANK) {
        xg_flow f = xg_flow_begin(&w->s);
        from = xg_tile_apply(w, counts, 2, xg_aff_mul(x, xg_aff_div(x, tiles, grid), steps), at);
        if (p->skips && state == XG_TILE_BULK_EMPTY) from = w->begin;
        if (w->fresh && state == XG_TILE_BULK_BLANK)
            from = xg_tile_join(w, w->shown, steps, xg_elem_index(&w->s, steps));
        to = xg_kaddi_int(&w->s.b, from, stages);
        f.rolled = true;
        from = xg_flow_for(&f, from, to, 1, steps * xg_tile_over(all, grid) + stages);
        if (state == XG_TILE_BULK_BLANK || !xg_tile_bulk_keeps(p)) xg_tile_bulk_await(w, state, from, 1);
        xg_flow_end(&f);
        if (!xg_tile_halo_steps(p) || state == XG_TILE_BULK_BLANK) return;
        stages = xg_tile_halo_stages(p);
        steps = steps / xg_tile_halo_steps(p) * p->halo_kinds;
    }
}

XG_APART XG_FN void xg_tile_pairs_multiply(xg_tile_kernel *w, xg_kval *thread) {
    xg_flow one = xg_flow_begin(&w->s), tiles = one;
    xg_kval *own = xg_kcmpi_int(&w->s.b, XG_CI_EQ, thread, w->p->threads + XG_WARP_LANES), *memory = w->memory;
    xg_flow_if(&one, xg_k2(&w->s.b, XG_K_OP_ANDI, own, xg_tile_pairs_is_first(w)));
    w->thread = xg_elem_index_0(&w->s); /* it asks for all rows */
    xg_tile_pairs_tiles(w, &tiles);
    xg_tile_pairs_await(w, true);
    xg_tile_tensor_tile(w);
    xg_tile_pairs_tell(w, xg_tile_pairs_barrier(w, false)); /* the sums of a tile are made */
    xg_tile_bulk_tiles_end(w, &tiles);
    xg_flow_end(&one);
    w->memory = memory;
}

/* ---- those that give results away ---- */

/* A thread of each warp tells that the warp has the sums. */
XG_FN void xg_tile_pairs_release(xg_tile_kernel *w, xg_kval *taken) {
    xg_flow f = xg_flow_begin(&w->s);
    xg_kir_do_0(&w->s.b, XG_K_OP_TENSOR_BEFORE);
    xg_flow_if(&f, xg_kcmpi_int(&w->s.b, XG_CI_EQ, xg_tile_rest(w, w->thread, XG_WARP_LANES), 0));
    xg_tile_bulk_tell(w, XG_K_OP_MBARRIER_ARRIVE, taken, 0);
    xg_flow_end(&f);
}
XG_FN void xg_tile_pairs_take(xg_tile_kernel *w, int64_t columns) {
    int64_t each = xg_tile_store_fragments(w->p), f;
    for (f = 0; f < each; f++) xg_tile_tensor_read_to(w, f, 0, columns, columns, f * columns / XG_KMMA_N);
    if (w->taken) xg_tile_pairs_release(w, w->taken);
}
/* What leaves at a time is a tile by itself: 128 rows, and as many columns as chunks are filled side by side. */
XG_FN const xg_tile_plan *xg_tile_pairs_part(xg_tile_kernel *w) {
    xg_tile_plan *v = XG_NEW(w->e->arena, xg_tile_plan);
    *v = *w->p;
    v->shape.m = XG_KTENSOR_M;
    v->shape.n = (int32_t)(xg_tile_store_beside(v) * xg_tile_store_columns(v));
    v->parts = 1;
    v->tiles[0] *= w->p->shape.m / v->shape.m;
    v->tiles[1] *= w->p->shape.n / v->shape.n;
    return v;
}
XG_FN void xg_tile_pairs_store(xg_tile_kernel *w, const xg_tile_plan *part, xg_kval *number) {
    const xg_tile_plan *p = w->p;
    int64_t wide = p->shape.n / part->shape.n;
    xg_kval *tile[XG_TILE_SIDES], *memory = w->memory, *on;
    memcpy(tile, w->tile, sizeof tile);
    on = xg_tile_join(w, number, part->shape.n, xg_elem_index_0(&w->s));
    w->memory = xg_k2(&w->s.b, XG_K_OP_ADDI, xg_kcast(&w->s.b, XG_K_OP_INDEX_CAST, on, XG_E_I32), memory);
    w->tile[0] = xg_tile_quotient(w, number, wide);
    w->tile[0] = xg_tile_is_ragged(p) ? xg_tile_join(w, w->tile[0], part->shape.m, tile[0])
                                      : xg_tile_join(w, tile[0], p->parts, w->tile[0]);
    w->tile[1] = xg_tile_join(w, tile[1], wide, xg_tile_rest(w, number, wide));
    w->p = part;
    xg_tile_store_all(w);
    w->p = p;
    w->memory = memory;
    memcpy(w->tile, tile, sizeof tile);
}
/* All of a tile. Where the next tile waits for it, it is told as soon as the last part's sums have been taken, and else
 * behind all parts, which are one loop then. */
XG_APART XG_FN void xg_tile_pairs_store_all(xg_tile_kernel *w) {
    const xg_tile_plan *part = xg_tile_pairs_part(w);
    bool waits = xg_tile_pairs_turns(w->p) == 1;
    int64_t all = w->p->parts * (w->p->shape.n / part->shape.n), looped = all - waits;
    xg_kval *taken = xg_tile_pairs_first(w, xg_tile_pairs_barrier(w, true)), *zero = xg_elem_index_0(&w->s);
    xg_flow f = xg_flow_of(&w->s, &w->out);
    uint32_t k;
    for (k = 0; k < w->e->n_roots; k++) xg_flow_slot(&f, &w->dest[k]);
    f.rolled = true;
    w->taken = NULL;
    if (looped) {
        xg_tile_pairs_store(w, part, xg_flow_for(&f, zero, xg_elem_index(&w->s, looped), 1, looped));
        xg_flow_end(&f);
    }
    w->taken = taken;
    if (waits)
        xg_tile_pairs_store(w, part, xg_elem_index(&w->s, looped));
    else
        xg_tile_pairs_release(w, taken);
}
XG_FN void xg_tile_pairs_consume(xg_tile_kernel *w) {
    xg_flow tiles = xg_flow_begin(&w->s);
    xg_kval *memory = w->memory;
    uint32_t k;
    for (k = 0; k < w->e->n_roots; k++) xg_flow_slot(&tiles, &w->dest[k]);
    xg_flow_slot(&tiles, &w->out);
    xg_tile_pairs_tiles(w, &tiles);
    xg_tile_pairs_await(w, false);
    xg_tile_pairs_store_all(w);
    xg_tile_bulk_tiles_end(w, &tiles);
    xg_tile_store_end(w);
    w->memory = memory;
}
/* Neither block needs the other one any more, nor tells it anything; then tensor memory goes back. */
XG_FN void xg_tile_pairs_end(xg_tile_kernel *w, xg_kval *thread) {
    xg_flow f = xg_flow_begin(&w->s);
    xg_kir_do_0(&w->s.b, XG_K_OP_TENSOR_BEFORE);
    xg_cluster_wait(&w->s.b, &w->shared, 1);
    xg_flow_if(&f, xg_kcmpi_int(&w->s.b, XG_CI_SLT, thread, XG_WARP_LANES));
    xg_tile_bulk_tell(w, XG_K_OP_TENSOR_FREE, w->memory, xg_tile_tensor_columns(w->p));
    xg_flow_end(&f);
}

#endif /* XG_SCHED_TILE_PAIRS_C */
