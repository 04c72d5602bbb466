/* sched/rules_matmul.c -- the rules for products: matrices, a matrix by a vector, a matrix by a few vectors.
 *
 * An iterator of out[...] += x[...] * w[...] has a role by the arrays that use it: S all three (batch), I x and out, J
 * w and out, K x and w. So every product of that kind is C[S, I, J] += A[S, I, K] * B[S, J, K] with dimensions of one
 * role fused.
 */
#ifndef XG_SCHED_RULES_MATMUL_C
#define XG_SCHED_RULES_MATMUL_C
#include "sched.h"
#include "stage.c"
#include "../indexing/indexing.h"
#include "rules.c"
#include "normalize.c"

enum {
    XG_RULE_LOW_BATCH = 16, /* rows up to which a thread keeps all of them */
    XG_RULE_GEMV_ROWS = 8,  /* rows of a matrix by a block: a warp for each */
    XG_RULE_TILE = 64,      /* rows and columns of the result by a block, where no tile is given */
    XG_RULE_TILE_K = 16,    /* steps in shared memory at a time */
    XG_RULE_MICRO = 4       /* rows and columns by a thread */
};
XG_FN xg_nrule_tile xg_rule_tile(const xg_nrule_target *t) {
    static const xg_nrule_tile usual = {XG_RULE_TILE, XG_RULE_TILE, XG_RULE_TILE_K, XG_RULE_MICRO, XG_RULE_MICRO};
    return t->tile.m ? t->tile : usual;
}
typedef enum xg_rrole {
    XG_RR_S,
    XG_RR_I,
    XG_RR_J,
    XG_RR_K,
    XG_RR_COUNT
} xg_rrole;
typedef struct xg_rproduct {
    xg_ninfo *info, *epilogue;
    xg_nbuf *x, *w; /* what is multiplied */
    xg_rrole role[XG_RANK_MAX];
    int64_t extent[XG_RR_COUNT];
    uint32_t count[XG_RR_COUNT];
} xg_rproduct;

XG_FN bool xg_rule_uses(
    const xg_loopnest *n, const xg_nblock *b, const xg_aff *const *at, uint32_t rank, uint32_t iter) {
    uint32_t d;
    for (d = 0; d < rank; d++)
        if (xg_aff_uses(at[d], xg_aff_dim(n->aff, b->iters[iter].var))) return true;
    return false;
}
/* A product, blocks in front of it that make its operands, and at most one behind it. */
typedef struct xg_rparts {
    xg_ninfos all;
    xg_ninfo *main, *epilogue;
    uint32_t n_prologues; /* the first ones of all */
} xg_rparts;
/* Blocks that others than the product read go into those; what it reads itself stays a block. */
XG_FN void xg_rule_inline_around(xg_loopnest *n, const xg_ninfos *v, uint32_t product) {
    xg_nstmt *before[XG_NINFOS_MAX], *behind[XG_NINFOS_MAX];
    uint32_t k, n_before = 0, n_behind = 0;
    for (k = 0; k < v->n; k++) {
        if (k < product && !xg_nblock_reads(v->p[product].block->block, xg_rule_out(v->p[k].block)))
            before[n_before++] = v->p[k].block;
        if (k > product) behind[n_behind++] = v->p[k].block;
    }
    xg_sched_try_inline(n, before, n_before);
    xg_sched_try_inline(n, behind, n_behind);
}
XG_FN bool xg_rule_parts(xg_loopnest *n, xg_rparts *parts) {
    xg_ninfos *v = &parts->all;
    const char *why;
    uint32_t k;
    if (!xg_nest_normalize(n, v, &why)) return false;
    for (k = 0; k < v->n && xg_ninfo_is_injective(&v->p[k]); k++) {}
    if (k == v->n) return false;
    xg_rule_inline_around(n, v, k);
    xg_ninfos_read(n, v);
    for (k = 0; k < v->n && xg_ninfo_is_injective(&v->p[k]); k++) {}
    if (k == v->n || v->n > k + 2) return false;
    parts->main = &v->p[k];
    parts->epilogue = k + 1 < v->n ? &v->p[k + 1] : NULL;
    parts->n_prologues = k;
    return !parts->epilogue || xg_ninfo_is_injective(parts->epilogue);
}
/* Into what reads them. */
XG_FN bool xg_rule_inline_prologues(xg_loopnest *n, xg_rparts *parts) {
    uint32_t k;
    for (k = 0; k < parts->n_prologues; k++)
        if (!xg_sched_try(n, xg_sched_compute_inline, parts->all.p[k].block)) return false;
    return true;
}
/* Is the block such a product? */
XG_FN bool xg_rule_product(xg_loopnest *n, xg_ninfo *i, xg_ninfo *epilogue, xg_rproduct *p) {
    const xg_nblock *b = i->block->block;
    const xg_narg *reads[2];
    uint32_t k, count = 0;
    memset(p, 0, sizeof *p);
    p->info = i;
    p->epilogue = epilogue;
    if (!xg_ninfo_sums(i) || !xg_literal_is_identity(b->combine, b->init[0], n->arena)) return false;
    for (k = 0; k < b->n_args; k++) {
        if (b->args[k].kind != XG_NA_LOAD || b->args[k].n_where || count == 2) return false;
        reads[count++] = &b->args[k];
    }
    if (count != 2 || reads[0]->buf == reads[1]->buf || !xg_ninfo_multiplies(b)) return false;
    p->x = reads[0]->buf;
    p->w = reads[1]->buf;
    for (k = 0; k < XG_RR_COUNT; k++) p->extent[k] = 1;
    for (k = 0; k < i->n; k++) {
        bool in_x = xg_rule_uses(n, b, reads[0]->at, p->x->rank, k),
             in_w = xg_rule_uses(n, b, reads[1]->at, p->w->rank, k);
        bool in_out = xg_rule_uses(n, b, b->outs[0].at, b->outs[0].buf->rank, k);
        if (i->kinds[k] == 'R' ? !in_x || !in_w || in_out : !in_out || (!in_x && !in_w)) return false;
        p->role[k] = i->kinds[k] == 'R' ? XG_RR_K : in_x && in_w ? XG_RR_S : in_x ? XG_RR_I : XG_RR_J;
        p->extent[p->role[k]] *= i->extents[k];
        p->count[p->role[k]]++;
    }
    return true;
}
/* Loops of one role as one, in front of the others of the list; NULL: there is none. */
XG_FN void xg_rule_by_role(
    xg_loopnest *n, const xg_rproduct *p, const xg_rrole *order, uint32_t count, xg_nstmt **out) {
    xg_nstmt *all[XG_RANK_MAX];
    uint32_t k, j, at = 0, from;
    for (k = 0; k < count; k++)
        for (j = 0; j < p->info->n; j++)
            if (p->role[j] == order[k]) all[at++] = p->info->loops[j];
    if (at > 1) xg_sched_reorder(n, all, at);
    for (k = from = 0; k < count; k++) {
        uint32_t of = p->count[order[k]];
        out[k] = of > 1 ? xg_sched_fuse(n, all + from, of) : of ? all[from] : NULL;
        from += of;
    }
}
/* The iterator that is innermost in memory of what is read, if it is one by itself. */
XG_FN uint32_t xg_rule_minor(xg_loopnest *n, const xg_ninfo *i, const xg_nbuf *buf) {
    const xg_nblock *b = i->block->block;
    xg_aff_env env = xg_nest_env(n);
    uint32_t k, j;
    xg_isum sum;
    for (k = 0; k < b->n_args; k++) {
        const xg_narg *a = &b->args[k];
        uint32_t d;
        if (a->kind != XG_NA_LOAD || a->buf != buf) continue;
        for (d = a->buf->rank; d-- > 0 && a->buf->dims[d] == 1;) {}
        if (d == UINT32_MAX || !xg_iter_sum_of(&env, n->arena, a->at[d], &sum) || !sum.n) return UINT32_MAX;
        if (sum.p[sum.n - 1].scale != 1 || !sum.p[sum.n - 1].mark->var) return UINT32_MAX;
        for (j = 0; j < i->n; j++)
            if (b->iters[j].var == sum.p[sum.n - 1].mark->var->n) return j;
    }
    return UINT32_MAX;
}
XG_FN int64_t xg_rule_lanes(const xg_nbuf *buf, int64_t extent, int64_t by) {
    int64_t lanes = XG_ACCESS_BYTES / XG_MAX(xg_type_bytes(buf->type), (int64_t)1);
    while (lanes > 1 && extent % (lanes * by)) lanes /= 2;
    return XG_MAX(lanes, (int64_t)1);
}
XG_FN int64_t xg_rule_bytes(const xg_nbuf *buf) {
    int64_t bytes = xg_type_bytes(buf->type);
    uint32_t d;
    for (d = 0; d < buf->rank; d++)
        if (!xg_mul64(bytes, buf->dims[d], &bytes)) return INT64_MAX;
    return bytes;
}

/* ---- a matrix by one vector, or by a few ---- */

/* What is used by all rows of a block comes to shared memory once, by all of its threads. */
XG_FN void xg_rule_stage_shared(xg_loopnest *n, xg_nstmt *block, xg_nbuf *buf, xg_nstmt *at, int64_t ty, int64_t tx) {
    xg_nstmt *copy = xg_sched_cache_read(n, block, buf, XG_NS_SHARED), *fused, *parts[4];
    int64_t f[4], lanes;
    xg_sched_compute_at(n, copy, at, false);
    fused = xg_rule_fuse_below(n, copy, at);
    lanes = xg_rule_lanes(buf, fused->extent, ty * tx);
    f[0] = -1;
    f[1] = ty;
    f[2] = tx;
    f[3] = lanes;
    xg_sched_split(n, fused, f, 4, parts);
    xg_sched_kind(n, parts[1], XG_NK_THREAD_Y);
    xg_sched_kind(n, parts[2], XG_NK_THREAD_X);
    if (lanes > 1) xg_sched_kind(n, parts[3], XG_NK_VECTORIZED);
}
/* What a thread reads of the matrix in a step, as one access. */
XG_FN void xg_rule_stage_local(xg_loopnest *n, xg_nstmt *block, xg_nbuf *buf, xg_nstmt *at, int64_t lanes) {
    xg_nstmt *copy, *loops[XG_NEST_DEPTH_MAX];
    uint32_t count;
    if (lanes == 1) return;
    copy = xg_sched_cache_read(n, block, buf, XG_NS_LOCAL);
    xg_sched_compute_at(n, copy, at, false);
    count = xg_nest_loops(copy, loops, XG_COUNT(loops));
    if (loops[count - 1] != at) xg_sched_kind(n, loops[count - 1], XG_NK_VECTORIZED);
}
/* The last loops of the block below `at`: rows, then what is combined; the block's own rows stay inside. */
XG_FN void xg_rule_bind_second(
    xg_loopnest *n, xg_nstmt *block, xg_nstmt *at, xg_nkind rows_axis, xg_nkind reduced_axis, int64_t rows) {
    xg_nstmt *loops[XG_NEST_DEPTH_MAX], *order[XG_NEST_DEPTH_MAX], *inner[XG_NEST_DEPTH_MAX], *reduced = NULL,
                                                                                              *of_rows = NULL;
    uint32_t count = xg_nest_loops(block, loops, XG_COUNT(loops)), k, n_order = 0, n_inner = 0;
    for (k = 0; k < count; k++) {
        if (loops[k] == at || !xg_nstmt_inside(loops[k], at)) continue;
        if (xg_nblock_depends(n, block->block, loops[k], 'R'))
            reduced = loops[k];
        else if (loops[k]->extent == rows && !of_rows && loops[k]->extent > 1 && k + 2 >= count)
            of_rows = loops[k];
        else
            inner[n_inner++] = loops[k];
    }
    if (of_rows) order[n_order++] = of_rows;
    order[n_order++] = reduced ? reduced : loops[count - 1];
    for (k = 0; k < n_inner; k++)
        if (inner[k] != order[n_order - 1]) order[n_order++] = inner[k];
    if (n_order > 1) xg_sched_reorder(n, order, n_order);
    if (of_rows) xg_sched_kind(n, of_rows, rows_axis);
    if (reduced) xg_sched_kind(n, reduced, reduced_axis);
}
XG_FN void xg_rule_gemv_epilogue(xg_loopnest *n, const xg_rproduct *p, xg_nstmt *at, xg_nkind rows_axis, int64_t rows) {
    xg_nstmt *loops[XG_NEST_DEPTH_MAX];
    uint32_t count;
    if (!p->epilogue) return;
    xg_sched_set_scope(n, xg_rule_out(p->info->block), XG_NS_LOCAL);
    xg_sched_reverse_compute_at(n, p->epilogue->block, at, false);
    count = xg_nest_loops(p->epilogue->block, loops, XG_COUNT(loops));
    if (count && loops[count - 1] != at && loops[count - 1]->extent == rows && rows > 1)
        xg_sched_kind(n, loops[count - 1], rows_axis);
}
/* Loops of a product with a vector, or a few of them: batch and few may be missing (NULL), s counts what the matrix has
 * alone, r what is summed up. */
typedef struct xg_rgemv {
    xg_loopnest *n;
    xg_rproduct *p;
    xg_nstmt *batch, *few, *s, *r;
} xg_rgemv;
/* Parts of the sum become a step of its own, whose loops stand in the order batch, s0, s1, r1, r0, few and, with
 * vectors, their lanes. *rf: the block that makes the parts; *at: the loop over blocks. */
XG_FN void xg_rule_gemv_parts(
    const xg_rgemv *g, xg_nstmt *parts, bool lanes, xg_nstmt **rf, xg_nstmt **loops, xg_nstmt **at) {
    xg_nstmt *all[XG_NEST_DEPTH_MAX], *order[8], *grid[2];
    uint32_t k = 0, first = (g->batch ? 1u : 0) + (g->few ? 1 : 0);
    *rf = xg_sched_rfactor(g->n, g->p->info->block, parts, 0);
    (void)xg_nest_loops(*rf, all, XG_COUNT(all)); /* batch, few, s0, s1, r0, r1 and the lanes of a vector */
    if (g->batch) order[k++] = all[0];
    order[k++] = all[first];
    order[k++] = all[first + 1];
    order[k++] = all[first + 3];
    order[k++] = all[first + 2];
    if (g->few) order[k++] = all[first - 1];
    if (lanes) order[k++] = all[first + 4];
    xg_sched_reorder(g->n, order, k);
    *at = all[first];
    if (g->batch) {
        grid[0] = all[0];
        grid[1] = all[first];
        *at = xg_sched_fuse(g->n, grid, 2);
    }
    for (k = 0; k < 3; k++) loops[k] = all[first + 1 + k];
}
/* rows: of the matrix, by a block; they are on rows_axis, parts of the sum on the other. */
XG_FN void xg_rule_gemv_bind(
    const xg_rgemv *g, xg_nstmt *rf, xg_nstmt *const *loops, xg_nstmt *at, xg_nkind rows_axis) {
    xg_sched_kind(g->n, at, XG_NK_BLOCK_X);
    xg_sched_kind(g->n, loops[0], rows_axis);
    xg_sched_kind(g->n, loops[2], rows_axis == XG_NK_THREAD_X ? XG_NK_THREAD_Y : XG_NK_THREAD_X);
    xg_rule_unroll(g->n, loops[2]);
    xg_sched_set_scope(g->n, xg_rule_out(rf), XG_NS_LOCAL);
}
XG_FN void xg_rule_gemv_second(
    const xg_rgemv *g, xg_nstmt *rf, xg_nstmt *serial, xg_nstmt *at, xg_nkind rows_axis, int64_t rows) {
    xg_nstmt *block = g->p->info->block;
    xg_sched_reverse_compute_at(g->n, block, at, true);
    xg_sched_decompose_reduction(g->n, rf, serial);
    xg_rule_bind_second(
        g->n, block, at, rows_axis, rows_axis == XG_NK_THREAD_X ? XG_NK_THREAD_Y : XG_NK_THREAD_X, rows);
    xg_rule_gemv_epilogue(g->n, g->p, at, rows_axis, rows);
}
/* Rows of the matrix lie along what is summed up: a warp for each row, vectors of it in each lane. */
XG_FN void xg_rule_rows(const xg_rgemv *g, const xg_nrule_target *t, xg_nbuf *matrix, xg_nbuf *vector) {
    int64_t rows = xg_rule_divisor_at_most(g->s->extent, XG_RULE_GEMV_ROWS);
    int64_t lanes = xg_rule_lanes(matrix, g->r->extent, XG_WARP_LANES);
    xg_nstmt *sp[2], *rp[3], *rf, *loops[3], *at;
    xg_rule_split(g->n, g->s, rows, sp);
    xg_rule_split3(g->n, g->r, XG_WARP_LANES, lanes, rp);
    xg_rule_gemv_parts(g, rp[1], true, &rf, loops, &at);
    xg_rule_gemv_bind(g, rf, loops, at, XG_NK_THREAD_Y);
    if (vector && !g->batch && xg_rule_bytes(vector) <= t->shared_bytes)
        xg_rule_stage_shared(g->n, rf, vector, at, rows, XG_WARP_LANES);
    xg_rule_stage_local(g->n, rf, matrix, loops[1], lanes);
    xg_rule_gemv_second(g, rf, loops[1], at, XG_NK_THREAD_Y, rows);
}
/* Rows lie across what is summed up (KN): lanes over columns, warps over parts of the sum. */
XG_FN void xg_rule_columns(const xg_rgemv *g) {
    int64_t columns = xg_rule_divisor_at_most(g->s->extent, XG_WARP_LANES);
    int64_t steps = XG_MIN((int64_t)XG_RULE_COLUMN_ROWS, xg_pow2_at_most(g->r->extent));
    xg_nstmt *sp[2], *rp[2], *rf, *loops[3], *at;
    xg_rule_split(g->n, g->s, columns, sp);
    xg_rule_split(g->n, g->r, steps, rp);
    xg_rule_gemv_parts(g, rp[1], false, &rf, loops, &at);
    xg_rule_gemv_bind(g, rf, loops, at, XG_NK_THREAD_X);
    xg_rule_gemv_second(g, rf, loops[1], at, XG_NK_THREAD_X, columns);
}
XG_FN void xg_rule_product_by_vector(xg_loopnest *n, xg_rproduct *p, const xg_nrule_target *t, uint32_t minor,
    bool x_is_matrix, xg_nstmt *batch, xg_nstmt *few, xg_nstmt *s, xg_nstmt *r) {
    xg_rgemv g;
    g.n = n;
    g.p = p;
    g.batch = batch;
    g.few = few;
    g.s = s;
    g.r = r;
    if (p->role[minor] == XG_RR_K)
        xg_rule_rows(&g, t, x_is_matrix ? p->x : p->w, x_is_matrix ? p->w : p->x);
    else
        xg_rule_columns(&g);
}
XG_FN bool xg_rule_gemv(xg_loopnest *n, const xg_nrule_target *t) {
    static const xg_rrole of_x[] = {XG_RR_S, XG_RR_I, XG_RR_K}, of_w[] = {XG_RR_S, XG_RR_J, XG_RR_K};
    xg_rparts parts;
    xg_ninfo *i, *epilogue;
    xg_nbuf *vectors[1];
    xg_nstmt *l[3];
    xg_rproduct p;
    uint32_t minor;
    bool x_is_matrix;
    if (!xg_rule_parts(n, &parts) || !xg_rule_inline_prologues(n, &parts)) return false;
    i = parts.main;
    epilogue = parts.epilogue;
    if (!xg_ninfo_is_gemv(n, i, vectors, 1) || !xg_rule_product(n, i, epilogue, &p)) return false;
    if (!p.count[XG_RR_K] || (!p.count[XG_RR_I] == !p.count[XG_RR_J])) return false;
    if (epilogue && xg_ninfo_is_broadcast(n, i, epilogue)) return false;
    x_is_matrix = p.count[XG_RR_I] > 0;
    minor = xg_rule_minor(n, i, x_is_matrix ? p.x : p.w);
    if (minor == UINT32_MAX || p.role[minor] == XG_RR_S) return false;
    xg_rule_by_role(n, &p, x_is_matrix ? of_x : of_w, 3, l);
    xg_rule_product_by_vector(n, &p, t, minor, x_is_matrix, l[0], NULL, l[1], l[2]);
    return true;
}
XG_FN bool xg_rule_low_batch_gemv(xg_loopnest *n, const xg_nrule_target *t) {
    static const xg_rrole few_i[] = {XG_RR_S, XG_RR_I, XG_RR_J, XG_RR_K},
                          few_j[] = {XG_RR_S, XG_RR_J, XG_RR_I, XG_RR_K};
    xg_rparts parts;
    xg_ninfo *i, *epilogue;
    xg_nstmt *l[4];
    xg_rproduct p;
    uint32_t minor;
    bool x_is_few;
    if (!xg_rule_parts(n, &parts) || !xg_rule_inline_prologues(n, &parts)) return false;
    i = parts.main;
    epilogue = parts.epilogue;
    if (!xg_rule_product(n, i, epilogue, &p)) return false;
    if (!p.count[XG_RR_I] || !p.count[XG_RR_J] || !p.count[XG_RR_K]) return false;
    if (XG_MIN(p.extent[XG_RR_I], p.extent[XG_RR_J]) > XG_RULE_LOW_BATCH) return false;
    if (epilogue && xg_ninfo_is_broadcast(n, i, epilogue)) return false;
    x_is_few = p.extent[XG_RR_I] <= p.extent[XG_RR_J];
    minor = xg_rule_minor(n, i, x_is_few ? p.w : p.x);
    if (minor == UINT32_MAX || p.role[minor] == XG_RR_S) return false;
    xg_rule_by_role(n, &p, x_is_few ? few_i : few_j, 4, l);
    xg_rule_product_by_vector(n, &p, t, minor, !x_is_few, l[0], l[1], l[2], l[3]);
    return true;
}

/* ---- matrices ---- */

/* A map from iterators, or from the dimensions that stand for them, to one coordinate for each of these roles. */
XG_FN const xg_imap *xg_rule_role_map(xg_loopnest *n, const xg_rproduct *p, const uint32_t *iter, const int64_t *dims,
    uint32_t count, const xg_rrole *roles, uint32_t n_roles) {
    xg_imap *m;
    uint32_t k, j, used = 0;
    for (j = 0; j < n_roles; j++) used += p->count[roles[j]] > 0;
    m = xg_imap_of_dims(n->aff, count, used);
    for (j = used = 0; j < n_roles; j++) {
        const xg_aff *e = xg_aff_const(n->aff, 0);
        if (!p->count[roles[j]]) continue;
        for (k = 0; k < count; k++)
            if (p->role[iter[k]] == roles[j]) e = xg_aff_add_mul(n->aff, xg_aff_dim(n->aff, k), e, dims[k]);
        m->results[used++] = e;
    }
    return m;
}
/* Operand or result as an array of one dimension for each role; the block that copies between the two. */
XG_FN xg_nstmt *xg_rule_matrix(xg_loopnest *n, const xg_rproduct *p, xg_nbuf *buf, bool write, const xg_rrole *roles) {
    const xg_nblock *b = p->info->block->block;
    uint32_t which[XG_RANK_MAX], rank, k, of = 0;
    const xg_aff *const *at = NULL;
    const xg_imap *map;
    xg_nstmt *copy;
    int64_t dims[XG_RANK_MAX];
    for (k = 0; k < b->n_args; k++)
        if (!write && b->args[k].kind == XG_NA_LOAD && b->args[k].buf == buf) at = b->args[k].at;
    if (write) at = b->outs[0].at;
    rank = xg_nblock_used(n, b, at, buf->rank, which);
    for (k = 0; k < rank; k++) dims[k] = b->iters[which[k]].extent;
    for (k = 0; k < 3; k++) of += p->count[roles[k]];
    copy = xg_sched_reindex(n, p->info->block, buf, write);
    map = xg_rule_role_map(n, p, which, dims, rank, roles, 3);
    if (of > 1) {
        xg_nbuf *made = write ? copy->block->args[0].buf : xg_rule_out(copy);
        xg_sched_transform_layout(n, made, map, false);
        xg_sched_transform_block_layout(n, copy, map);
    }
    return copy;
}
/* The epilogue in the result's place: over the same coordinates. False: it reads the result in another order. */
XG_FN bool xg_rule_epilogue_fits(xg_loopnest *n, const xg_rproduct *p) {
    const xg_nblock *e = p->epilogue->block->block, *b = p->info->block->block;
    uint32_t k, d, count = 0;
    for (k = 0; k < e->n_args; k++) {
        const xg_narg *a = &e->args[k];
        if (a->kind != XG_NA_LOAD || a->buf != b->outs[0].buf) continue;
        count++;
        if (a->n_where || a->buf->rank != e->n_iters) return false;
        for (d = 0; d < a->buf->rank; d++)
            if (a->at[d] != xg_nest_dim(n, e->iters[d].var)) return false;
    }
    for (d = 0; d < b->outs[0].buf->rank; d++)
        if (b->outs[0].at[d]->kind != XG_AFF_DIM) return false;
    return count == 1;
}
XG_FN void xg_rule_epilogue_matrix(xg_loopnest *n, const xg_rproduct *p, const uint32_t *iter, uint32_t rank) {
    static const xg_rrole roles[] = {XG_RR_S, XG_RR_I, XG_RR_J};
    const xg_nblock *e = p->epilogue->block->block;
    int64_t dims[XG_RANK_MAX];
    uint32_t k;
    for (k = 0; k < rank; k++) dims[k] = e->iters[k].extent;
    xg_sched_transform_block_layout(n, p->epilogue->block, xg_rule_role_map(n, p, iter, dims, rank, roles, 3));
}
/* An operand's tile comes to shared memory by all threads. */
XG_FN void xg_rule_fetch(xg_loopnest *n, xg_nstmt *copy, xg_nstmt *at, int64_t ty, int64_t tx) {
    xg_nstmt *parts[4], *fused;
    int64_t f[4];
    xg_sched_compute_at(n, copy, at, false);
    fused = xg_rule_fuse_below(n, copy, at);
    f[0] = -1;
    f[1] = ty;
    f[2] = tx;
    f[3] = 4;
    while (f[3] > 1 && fused->extent % (ty * tx * f[3])) f[3] /= 2;
    xg_sched_split(n, fused, f, 4, parts);
    xg_sched_kind(n, parts[1], XG_NK_THREAD_Y);
    xg_sched_kind(n, parts[2], XG_NK_THREAD_X);
    if (f[3] > 1) xg_sched_kind(n, parts[3], XG_NK_VECTORIZED);
}
XG_APART XG_FN void xg_rule_tiles(xg_loopnest *n, const xg_rproduct *p, const xg_nrule_tile *tile, xg_nstmt *result) {
    int64_t rows = tile->m / tile->tm, columns = tile->n / tile->tn; /* of threads */
    xg_nstmt *block = p->info->block, *loops[XG_NEST_DEPTH_MAX], *i[3], *j[3], *k[2], *order[9], *shared[2], *local[2];
    xg_nbuf *operands[2];
    uint32_t first = p->count[XG_RR_S] > 0, count = 0, side;
    operands[0] = block->block->args[0].buf;
    operands[1] = block->block->args[1].buf;
    for (side = 0; side < 2; side++) {
        shared[side] = xg_sched_cache_read(n, block, operands[side], XG_NS_SHARED);
        local[side] = xg_sched_cache_read(n, block, xg_rule_out(shared[side]), XG_NS_LOCAL);
        xg_sched_compute_inline(n, xg_nest_find(n, operands[side]->name));
    }
    (void)xg_nest_loops(block, loops, XG_COUNT(loops)); /* s, i, j, k */
    xg_rule_split3(n, loops[first], rows, tile->tm, i);
    xg_rule_split3(n, loops[first + 1], columns, tile->tn, j);
    xg_rule_split(n, loops[first + 2], tile->k, k);
    if (first) order[count++] = loops[0];
    order[count++] = i[0];
    order[count++] = j[0];
    order[count++] = i[1];
    order[count++] = j[1];
    order[count++] = k[0];
    order[count++] = k[1];
    order[count++] = i[2];
    order[count++] = j[2];
    xg_sched_reorder(n, order, count);
    if (first) xg_sched_kind(n, loops[0], XG_NK_BLOCK_Z);
    xg_sched_kind(n, i[0], XG_NK_BLOCK_Y);
    xg_sched_kind(n, j[0], XG_NK_BLOCK_X);
    xg_sched_kind(n, i[1], XG_NK_THREAD_Y);
    xg_sched_kind(n, j[1], XG_NK_THREAD_X);
    xg_sched_reverse_compute_at(n, result, j[1], false);
    for (side = 0; side < 2; side++) xg_sched_compute_at(n, local[side], k[1], false);
    for (side = 0; side < 2; side++) xg_rule_fetch(n, shared[side], k[0], rows, columns);
    xg_rule_unroll(n, k[1]);
    xg_sched_decompose_reduction(n, block, k[0]);
}
XG_FN bool xg_rule_matmul(xg_loopnest *n, const xg_nrule_target *t) {
    static const xg_rrole of_x[] = {XG_RR_S, XG_RR_I, XG_RR_K}, of_w[] = {XG_RR_S, XG_RR_J, XG_RR_K};
    static const xg_rrole of_out[] = {XG_RR_S, XG_RR_I, XG_RR_J}, all[] = {XG_RR_S, XG_RR_I, XG_RR_J, XG_RR_K};
    uint32_t iter[XG_RANK_MAX], dim_iter[XG_RANK_MAX], k, d, rank;
    int64_t dims[XG_RANK_MAX], multiples[4];
    xg_nstmt *result, *copy, *block;
    xg_nrule_tile tile = xg_rule_tile(t);
    xg_rparts parts;
    xg_ninfo *i, *epilogue;
    xg_rproduct p;
    if (!xg_rule_parts(n, &parts)) return false;
    i = parts.main;
    epilogue = parts.epilogue;
    if (!xg_rule_product(n, i, epilogue, &p)) return false;
    for (k = XG_RR_I; k < XG_RR_COUNT; k++)
        if (!p.count[k]) return false;
    if (XG_MIN(p.extent[XG_RR_I], p.extent[XG_RR_J]) <= XG_RULE_LOW_BATCH) return false;
    if (epilogue && !xg_rule_epilogue_fits(n, &p)) return false;
    block = i->block;
    rank = xg_rule_out(block)->rank;
    for (d = 0; d < rank && epilogue; d++)
        for (k = 0; k < i->n; k++)
            if (block->block->outs[0].at[d] == xg_nest_dim(n, block->block->iters[k].var)) dim_iter[d] = k;
    for (k = 0; k < i->n; k++) {
        iter[k] = k;
        dims[k] = i->extents[k];
    }
    (void)xg_rule_matrix(n, &p, p.x, false, of_x);
    (void)xg_rule_matrix(n, &p, p.w, false, of_w);
    if (!xg_rule_inline_prologues(n, &parts)) return false;
    result = xg_rule_matrix(n, &p, xg_rule_out(block), true, of_out);
    xg_sched_transform_block_layout(n, block, xg_rule_role_map(n, &p, iter, dims, i->n, all, 4));
    for (k = d = 0; k < XG_RR_COUNT; k++)
        if (p.count[k]) multiples[d++] = k == XG_RR_S ? 1 : k == XG_RR_K ? tile.k : k == XG_RR_I ? tile.m : tile.n;
    xg_sched_pad_einsum(n, block, multiples, d);
    copy = xg_sched_cache_write(n, block, xg_rule_out(block), XG_NS_LOCAL);
    xg_sched_compute_inline(n, copy);
    if (epilogue) {
        xg_sched_compute_inline(n, result);
        xg_rule_epilogue_matrix(n, &p, dim_iter, rank);
        result = epilogue->block;
    }
    xg_rule_tiles(n, &p, &tile, result);
    return true;
}

#endif /* XG_SCHED_RULES_MATMUL_C */
