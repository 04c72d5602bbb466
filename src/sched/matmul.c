/* sched/matmul.c -- a contraction as tiles: blocks of threads take tiles of the result, threads take tiles of those,
 * and keep them in registers; what is multiplied comes through shared memory.
 *
 * The contraction is sum over k of A[b, i, k] B[b, j, k], where b, i, j, k stand for all batch, left, right and
 * contracted dimensions together. Its operands and whatever is done to them in the fusion are staged by blocks named
 * lhs and rhs, made where a tile is wanted; what is done to the result, by the block that writes it. Dimensions are cut
 * into tiles from the start, so a thread's elements are dims of their own: of TM rows, 4 lie side by side (one access
 * of shared memory), the next 4 a part of the tile further on (no two lanes of a quarter of a warp meet in a bank).
 * Tiles may hang over the edges: what is read there is zero, what is made there is not written. (The scheme is that of
 * Volkov and Demmel, "Benchmarking GPUs to tune dense linear algebra", 2008.) */
#ifndef XG_SCHED_MATMUL_C
#define XG_SCHED_MATMUL_C
#include "sched.h"
#include "from_hlo.c"
#include "stage.c"

XG_FN void xg_nmatmul_roles(xg_nmatmul *w) {
    uint32_t side, d;
    w->batch[0] = xg_attr_ints(w->dot, XG_A_lhs_batch_dims);
    w->batch[1] = xg_attr_ints(w->dot, XG_A_rhs_batch_dims);
    w->contract[0] = xg_attr_ints(w->dot, XG_A_lhs_contracting_dims);
    w->contract[1] = xg_attr_ints(w->dot, XG_A_rhs_contracting_dims);
    w->b = w->m = w->n = w->k = 1;
    for (side = 0; side < 2; side++) {
        const xg_shape *s = XG_OPERAND(w->dot, side)->shape;
        for (d = 0; d < s->rank; d++) {
            if (xg_ints_has(w->batch[side], d)) {
                if (!side) w->b *= s->dims[d];
            } else if (xg_ints_has(w->contract[side], d)) {
                if (!side) w->k *= s->dims[d];
            } else {
                w->free[side][w->n_free[side]++] = d;
                *(side ? &w->n : &w->m) *= s->dims[d];
            }
        }
    }
}
/* Only what is made at the same indices lies between the contraction and the result. */
XG_FN bool xg_nmatmul_epilogue(const xg_nmatmul *w) {
    XG_FOR_INSTS(i, w->comp) {
        uint32_t k;
        bool behind = false;
        for (k = 0; k < i->n_operands; k++)
            behind |= XG_OPERAND(i, k) == w->dot || XG_OPERAND(i, k)->scratch == (void *)w;
        ((xg_inst *)i)->scratch = behind ? (void *)w : NULL;
        if (behind && (!(xg_op_flags(i->op) & XGF_EW) || !xg_shape_same_dims(i->shape, w->dot->shape))) return false;
    }
    return w->root == w->dot || w->root->scratch == (void *)w;
}
/* The largest tile of which there are enough for the device; the smallest otherwise. */
XG_FN void xg_nmatmul_choose(xg_nmatmul *w, int64_t sms) {
    static const xg_ntile tiles[] = {{128, 128, 8, 8, 8}, {64, 64, 16, 8, 4}, {64, 32, 16, 4, 4}, {32, 32, 16, 4, 4}};
    size_t k;
    for (k = w->sum == XLAGPU_F64 || w->sum == XLAGPU_S64 || w->sum == XLAGPU_U64 ? 2 : 0; k + 1 < XG_COUNT(tiles);
         k++) {
        const xg_ntile *t = &tiles[k];
        int64_t rows = (w->m + t->m - 1) / t->m, columns = (w->n + t->n - 1) / t->n;
        if (w->b * rows * columns >= sms && rows * t->m * columns * t->n <= w->m * w->n * 5 / 4) break;
    }
    w->tile = tiles[k];
}
XG_FN bool xg_nmatmul_match(xg_nmatmul *w, xg_arena *a, const xg_inst *fusion, int64_t sms) {
    enum {
        LEAST = 16,
        WORK = 1 << 14
    };
    xg_aff_ctx *x = xg_aff_new(a);
    memset(w, 0, sizeof *w);
    w->comp = xg_attr_calls(fusion);
    if (!w->comp) return false;
    XG_FOR_INSTS(i, w->comp)
        if (i->op == XG_DOT) {
            if (w->dot) return false;
            w->dot = i;
        }
    w->root = w->comp->root;
    if (!w->dot || xg_inst_is_tf32(w->dot) || !xg_shape_is_array(w->root->shape) || w->dot->shape->dynamic ||
        xg_inst_attr(w->dot, XG_A_lhs_contracting_dims) == NULL)
        return false;
    w->sum = xg_contract_sum_type(w->dot);
    if (w->sum == XLAGPU_PRED || (xg_type_class(w->sum) & XGT_C) || (xg_type_class(w->dot->shape->type) & XGT_C) ||
        w->sum != xg_type_real(w->sum))
        return false;
    XG_FOR_INSTS(i, w->comp)
        if (i != w->dot && !xg_nfrom_takes(x, i)) return false;
    if (!xg_nfrom_takes(x, XG_OPERAND(w->dot, 0)) || w->dot->shape->elements == 0 || !xg_nmatmul_epilogue(w))
        return false;
    xg_nmatmul_roles(w);
    if (w->m < LEAST || w->n < LEAST || w->k < LEAST || w->b * w->m * w->n * w->k < WORK ||
        w->b * w->m > INT32_MAX / 2 || w->n > INT32_MAX / 2 || w->k > INT32_MAX / 2)
        return false;
    xg_nmatmul_choose(w, sms);
    return true;
}

/* ---- the nest ---- */

/* Indices of several dimensions from one number that runs over all of them, the last one fastest. */
XG_FN void xg_nmatmul_indices(
    xg_loopnest *n, const xg_aff *e, const int64_t *dims, const uint32_t *which, uint32_t count, const xg_aff **at) {
    xg_aff_env env = xg_nest_env(n);
    uint32_t k;
    for (k = count; k-- > 0;) {
        at[which[k]] = k ? xg_aff_mod_in(&env, e, dims[which[k]]) : e;
        e = xg_aff_div_in(&env, e, dims[which[k]]);
    }
}
XG_FN uint32_t xg_nmatmul_list(xg_ints v, uint32_t *out) {
    uint32_t k;
    for (k = 0; k < v.n; k++) out[k] = (uint32_t)v.p[k];
    return v.n;
}
/* tile number * tile + part * (tile / parts) + thread * 4 + lane, of iterators of the block. */
XG_FN const xg_aff *xg_nmatmul_row(xg_loopnest *n, const xg_nblock *b, uint32_t first, int64_t tile, int64_t parts) {
    xg_aff_env env = xg_nest_env(n);
    const xg_aff *e = xg_nest_dim(n, b->iters[first].var);
    int64_t scale[3];
    uint32_t k;
    scale[0] = tile / parts;
    scale[1] = 4;
    scale[2] = 1;
    e = xg_range_is_point(n->ranges.p[b->iters[first].var]) ? xg_aff_const(n->aff, 0) : xg_aff_mul(n->aff, e, tile);
    for (k = 0; k < 3; k++)
        e = xg_range_is_point(n->ranges.p[b->iters[first + 1 + k].var])
                ? e
                : xg_aff_add_scaled(&env, e, xg_nest_dim(n, b->iters[first + 1 + k].var), scale[k]);
    return e;
}
XG_FN const xg_aff *xg_nmatmul_iter(xg_loopnest *n, const xg_nblock *b, uint32_t k) {
    return xg_range_is_point(n->ranges.p[b->iters[k].var]) ? xg_aff_const(n->aff, 0) : xg_nest_dim(n, b->iters[k].var);
}
XG_FN void xg_nmatmul_within(xg_loopnest *n, xg_nfrom *f, const xg_aff *e, int64_t extent) {
    xg_aff_env env = xg_nest_env(n);
    xg_constraint *c;
    if (xg_range_within(xg_aff_range(&env, e), xg_range_of(0, extent - 1))) return;
    c = XG_NEW_N(n->arena, xg_constraint, f->n_where + 1);
    if (f->n_where) memcpy(c, f->where, f->n_where * sizeof *c);
    c[f->n_where].expr = e;
    c[f->n_where++].range = xg_range_of(0, extent - 1);
    f->where = c;
}
/* An operand's tiles: [batch, tile, k, part, thread, lane]. */
XG_FN xg_nstmt *xg_nmatmul_stage(
    xg_loopnest *n, const xg_nmatmul *w, uint32_t side, xg_nbuf *const *params, xg_nbuf **out) {
    const xg_inst *o = XG_OPERAND(w->dot, side);
    int64_t tile = side ? w->tile.n : w->tile.m, own = side ? w->tile.tn : w->tile.tm, size = side ? w->n : w->m,
            dims[6];
    const xg_aff **at = XG_NEW_N(n->arena, const xg_aff *, o->shape->rank + 1), *row, *k;
    uint32_t list[XG_RANK_MAX], count;
    xlagpu_type rounded;
    xg_nstmt *s;
    xg_nblock *b;
    xg_nout *store;
    xg_inst *x;
    xg_nfrom f;
    dims[0] = w->b;
    dims[1] = (size + tile - 1) / tile;
    dims[2] = (w->k + w->tile.k - 1) / w->tile.k * w->tile.k;
    dims[3] = own / 4;
    dims[4] = tile / own;
    dims[5] = 4;
    xg_nstmt_append(n->root, xg_nest_over(n, side ? XG_STR("rhs") : XG_STR("lhs"), dims, 6, &s));
    b = s->block;
    xg_nfrom_begin(&f, n, params, b->name);
    {
        xg_niter k_iter = b->iters[2]; /* rows are told by iterators 1, 3, 4, 5 */
        xg_nblock rows = *b;
        xg_niter four[4];
        four[0] = b->iters[1];
        four[1] = b->iters[3];
        four[2] = b->iters[4];
        four[3] = b->iters[5];
        rows.iters = four;
        row = xg_nmatmul_row(n, &rows, 0, tile, own / 4);
        k = xg_range_is_point(n->ranges.p[k_iter.var]) ? xg_aff_const(n->aff, 0) : xg_nest_dim(n, k_iter.var);
    }
    xg_nmatmul_within(n, &f, row, size);
    xg_nmatmul_within(n, &f, k, w->k);
    count = xg_nmatmul_list(w->batch[side], list);
    xg_nmatmul_indices(n, xg_nmatmul_iter(n, b, 0), o->shape->dims, list, count, at);
    count = xg_nmatmul_list(w->contract[side], list);
    xg_nmatmul_indices(n, k, o->shape->dims, list, count, at);
    xg_nmatmul_indices(n, row, o->shape->dims, w->free[side], w->n_free[side], at);
    x = xg_nfrom_value(&f, o, at);
    rounded = xg_contract_rounding(w->dot, o->shape->type);
    x = xg_nfrom_convert(&f, xg_nfrom_convert(&f, x, rounded), w->sum);
    xg_nbody_end(&f.y, b, xg_nbody_where(&f.y, f.where, f.n_where, x, xg_literal_new(n->arena, x->shape)));
    *out = xg_nest_buf(n, b->name, w->sum, dims, 6, XG_NS_SHARED);
    store = XG_NEW(n->arena, xg_nout);
    store->buf = *out;
    store->at = XG_NEW_N(n->arena, const xg_aff *, 6);
    for (count = 0; count < 6; count++) store->at[count] = xg_nmatmul_iter(n, b, count);
    b->outs = store;
    b->n_outs = 1;
    return s;
}
/* Iterators: batch, (tile, part, thread, lane) of rows, the same of columns, and k. */
enum {
    XG_NM_B,
    XG_NM_I,
    XG_NM_J = 5,
    XG_NM_K = 9,
    XG_NM_ITERS
};
XG_FN void xg_nmatmul_dims(const xg_nmatmul *w, int64_t *d) {
    d[XG_NM_B] = w->b;
    d[XG_NM_I] = (w->m + w->tile.m - 1) / w->tile.m;
    d[XG_NM_I + 1] = w->tile.tm / 4;
    d[XG_NM_I + 2] = w->tile.m / w->tile.tm;
    d[XG_NM_I + 3] = 4;
    d[XG_NM_J] = (w->n + w->tile.n - 1) / w->tile.n;
    d[XG_NM_J + 1] = w->tile.tn / 4;
    d[XG_NM_J + 2] = w->tile.n / w->tile.tn;
    d[XG_NM_J + 3] = 4;
    d[XG_NM_K] = (w->k + w->tile.k - 1) / w->tile.k * w->tile.k;
}
XG_FN xg_nstmt *xg_nmatmul_product(xg_loopnest *n, const xg_nmatmul *w, xg_nbuf *const *operands, xg_nbuf **out) {
    static const uint32_t place[2][6] = {{XG_NM_B, XG_NM_I, XG_NM_K, XG_NM_I + 1, XG_NM_I + 2, XG_NM_I + 3},
        {XG_NM_B, XG_NM_J, XG_NM_K, XG_NM_J + 1, XG_NM_J + 2, XG_NM_J + 3}};
    int64_t dims[XG_NM_ITERS];
    const xg_literal **init = XG_NEW(n->arena, const xg_literal *);
    xg_nstmt *s;
    xg_nblock *b;
    xg_nout *store;
    xg_inst *in[2];
    xg_nbody y;
    uint32_t side, k;
    xg_nmatmul_dims(w, dims);
    xg_nstmt_append(n->root, xg_nest_over(n, XG_STR("dot"), dims, XG_NM_ITERS, &s));
    b = s->block;
    b->iters[XG_NM_K].kind = 'R';
    xg_nbody_begin(&y, n, b->name);
    for (side = 0; side < 2; side++) {
        const xg_aff **at = XG_NEW_N(n->arena, const xg_aff *, 6);
        xg_narg a;
        for (k = 0; k < 6; k++) at[k] = xg_nmatmul_iter(n, b, place[side][k]);
        a = xg_narg_load(operands[side], at);
        in[side] = xg_nbody_arg(&y, &a);
    }
    xg_nbody_end(&y, b, xg_inst_new(y.comp, XG_MULTIPLY, in[0]->shape, in, 2, NULL, XG_STR("")));
    *out = xg_nest_buf(n, b->name, w->sum, dims, XG_NM_K, XG_NS_LOCAL);
    store = XG_NEW(n->arena, xg_nout);
    store->buf = *out;
    store->at = XG_NEW_N(n->arena, const xg_aff *, XG_NM_K);
    for (k = 0; k < XG_NM_K; k++) store->at[k] = xg_nmatmul_iter(n, b, k);
    b->outs = store;
    b->n_outs = 1;
    b->combine = xg_nest_combiner(n, XG_ADD, w->sum);
    init[0] = xg_literal_new(n->arena, xg_shape_scalar(n->module, w->sum));
    b->init = init;
    return s;
}
/* Writes the result; rows and columns: where in the matrix. */
XG_FN xg_nstmt *xg_nmatmul_result(xg_loopnest *n, const xg_nmatmul *w, xg_nbuf *product, xg_nbuf *const *params,
    xg_nbuf *out, const xg_aff **rows, const xg_aff **columns) {
    int64_t dims[XG_NM_ITERS];
    const xg_shape *shape = w->dot->shape;
    const xg_aff **at = XG_NEW_N(n->arena, const xg_aff *, shape->rank + 1);
    uint32_t list[XG_RANK_MAX], k, count = w->batch[0].n;
    xg_nstmt *s;
    xg_nblock *b;
    xg_nout *store;
    xg_inst *x;
    xg_nfrom f;
    xg_nmatmul_dims(w, dims);
    xg_nstmt_append(n->root, xg_nest_over(n, XG_STR("result"), dims, XG_NM_K, &s));
    b = s->block;
    *rows = xg_nmatmul_row(n, b, XG_NM_I, w->tile.m, w->tile.tm / 4);
    *columns = xg_nmatmul_row(n, b, XG_NM_J, w->tile.n, w->tile.tn / 4);
    for (k = 0; k < shape->rank; k++) list[k] = k;
    xg_nmatmul_indices(n, xg_nmatmul_iter(n, b, XG_NM_B), shape->dims, list, count, at);
    xg_nmatmul_indices(n, *rows, shape->dims, list + count, w->n_free[0], at);
    xg_nmatmul_indices(n, *columns, shape->dims, list + count + w->n_free[0], w->n_free[1], at);
    xg_nfrom_begin(&f, n, params, b->name);
    {
        const xg_aff **own = XG_NEW_N(n->arena, const xg_aff *, XG_NM_K);
        xg_narg a;
        xg_nfrom_memo one;
        for (k = 0; k < XG_NM_K; k++) own[k] = xg_nmatmul_iter(n, b, k);
        a = xg_narg_load(product, own);
        one.of = w->dot;
        one.at = at;
        one.made = xg_nfrom_convert(&f, xg_nbody_arg(&f.y, &a), shape->type);
        xg_push(n->arena, xg_nfrom_memo, &f.memo, one);
    }
    x = xg_nfrom_value(&f, w->root, at);
    xg_nbody_end(&f.y, b, x);
    store = XG_NEW(n->arena, xg_nout);
    store->buf = out;
    store->at = xg_nfrom_at(n, w->root->shape, at);
    b->outs = store;
    b->n_outs = 1;
    return s;
}

/* ---- the schedule ---- */

/* What a block of threads loads of an operand, by all of its threads: 4 neighbours in memory each at a time. */
XG_FN void xg_nmatmul_fetch(xg_loopnest *n, const xg_nmatmul *w, xg_nstmt *block, xg_nstmt *k0, bool along_k,
    xg_nbuf *buf, xg_nkind y_axis, xg_nkind x_axis) {
    xg_nstmt *loops[XG_NEST_DEPTH_MAX], *own[5], *order[5], *fused, *parts[4];
    int64_t ty = w->tile.m / w->tile.tm, tx = w->tile.n / w->tile.tn, factors[4];
    uint32_t count, k, n_own = 0;
    xg_sched_compute_at(n, block, k0, false);
    count = xg_nest_loops(block, loops, XG_COUNT(loops));
    /* k, then those of rows that are more than one */
    for (k = 0; k < count; k++)
        if (xg_nstmt_inside(loops[k], k0) && loops[k] != k0) own[n_own++] = loops[k];
    for (k = 0; k < n_own; k++) order[k] = along_k ? own[(k + 1) % n_own] : own[k];
    if (along_k && n_own > 1) {
        xg_sched_reorder(n, order, n_own);
        xg_sched_storage_align(n, buf, 2, 32, 4);
    }
    fused = xg_sched_fuse(n, order, n_own);
    factors[0] = -1;
    factors[1] = ty;
    factors[2] = tx;
    factors[3] = 4;
    xg_sched_split(n, fused, factors, 4, parts);
    xg_sched_kind(n, parts[0], XG_NK_UNROLLED);
    xg_sched_kind(n, parts[1], y_axis);
    xg_sched_kind(n, parts[2], x_axis);
    xg_sched_kind(n, parts[3], XG_NK_VECTORIZED);
}
/* The operand's elements along k are neighbours in memory, and those along rows are not. */
XG_FN bool xg_nmatmul_along_k(const xg_nmatmul *w, uint32_t side) {
    const xg_shape *s = XG_OPERAND(w->dot, side)->shape;
    return s->rank && xg_ints_has(w->contract[side], xg_shape_minor(s, 0));
}
XG_FN void xg_nmatmul_schedule(xg_loopnest *n, const xg_nmatmul *w, xg_nstmt *const *staged, xg_nbuf *const *operands,
    xg_nstmt *product, xg_nstmt *result, const xg_aff *rows, const xg_aff *columns) {
    xg_nstmt *l[XG_NEST_DEPTH_MAX], *k_parts[2], *order[XG_NM_ITERS + 1], *grid[3], *local[2], *init, *blocks;
    int64_t factors[2];
    const xg_aff *at[2];
    uint32_t k, side;
    factors[0] = -1;
    factors[1] = w->tile.k;
    (void)xg_nest_loops(product, l, XG_COUNT(l));
    xg_sched_split(n, l[XG_NM_K], factors, 2, k_parts);
    {
        xg_nstmt *want[] = {l[XG_NM_B], l[XG_NM_I], l[XG_NM_J], l[XG_NM_I + 2], l[XG_NM_J + 2], k_parts[0], k_parts[1],
            l[XG_NM_I + 1], l[XG_NM_I + 3], l[XG_NM_J + 1], l[XG_NM_J + 3]};
        memcpy(order, want, sizeof want);
    }
    xg_sched_reorder(n, order, XG_COUNT(order));
    for (side = 0; side < 2; side++) local[side] = xg_sched_cache_read(n, product, operands[side], XG_NS_LOCAL);
    for (k = 0; k < 3; k++) grid[k] = order[k];
    blocks = xg_sched_fuse(n, grid, 3);
    xg_sched_kind(n, blocks, XG_NK_BLOCK_X);
    xg_sched_kind(n, order[3], XG_NK_THREAD_Y);
    xg_sched_kind(n, order[4], XG_NK_THREAD_X);
    xg_sched_reverse_compute_at(n, result, order[4], false);
    for (side = 0; side < 2; side++) {
        xg_sched_compute_at(n, local[side], k_parts[1], false);
        k = xg_nest_loops(local[side], l, XG_COUNT(l));
        xg_sched_kind(n, l[k - 1], XG_NK_VECTORIZED); /* the four that lie side by side */
    }
    for (side = 0; side < 2; side++)
        xg_nmatmul_fetch(n, w, staged[side], k_parts[0], xg_nmatmul_along_k(w, side), operands[side], XG_NK_THREAD_Y,
            XG_NK_THREAD_X);
    for (k = 6; k < XG_COUNT(order); k++) xg_sched_kind(n, order[k], XG_NK_UNROLLED);
    k = xg_nest_loops(result, l, XG_COUNT(l));
    xg_sched_kind(n, l[k - 1], XG_NK_VECTORIZED);
    init = xg_sched_decompose_reduction(n, product, k_parts[0]);
    (void)init;
    at[0] = rows;
    at[1] = columns;
    {
        const xg_aff **edge = xg_nest_at_loops(n, result->block, at, 2);
        xg_nblock_require(n, result->block, edge[0], xg_range_of(0, w->m - 1));
        xg_nblock_require(n, result->block, edge[1], xg_range_of(0, w->n - 1));
    }
}
XG_FN xg_loopnest *xg_nmatmul_nest(xg_arena *a, const xg_nmatmul *w, xg_str name) {
    xg_loopnest *n = xg_nest_new(xg_module_new(a->ctx, a, name), xg_aff_new(a), name);
    xg_nbuf **params = XG_NEW_N(a, xg_nbuf *, w->comp->n_params + 1), *out, *operands[2], *product_buf;
    xg_nstmt *staged[2], *product, *result;
    const xg_aff *rows, *columns;
    uint32_t k;
    for (k = 0; k < w->comp->n_params; k++) {
        params[k] = xg_nfrom_buf(n, w->comp->params[k]->name, w->comp->params[k]->shape);
        params[k]->param = true;
    }
    out = xg_nfrom_buf(n, w->root->name, w->root->shape);
    out->param = out->output = true;
    for (k = 0; k < 2; k++) staged[k] = xg_nmatmul_stage(n, w, k, params, &operands[k]);
    product = xg_nmatmul_product(n, w, operands, &product_buf);
    result = xg_nmatmul_result(n, w, product_buf, params, out, &rows, &columns);
    xg_nmatmul_schedule(n, w, staged, operands, product, result, rows, columns);
    return n;
}

#endif /* XG_SCHED_MATMUL_C */
