/* sched/rules.c -- what rules share, and the rules for nests that are no matrix product (rules_table.c lists all).
 *
 * A rule looks first and then schedules: each returns false before it changes more than the normal form. All that it
 * does are primitives, so the trace of the copy that it works on prints what it did, and can be edited and applied. */
#ifndef XG_SCHED_RULES_C
#define XG_SCHED_RULES_C
#include "sched.h"
#include "loops.c"
#include "normalize.c"
#include "../indexing/indexing.h"

enum {
    XG_RULE_ROW_THREADS = 256,  /* of a row that is reduced: 8 warps hide the latency of one block's loads */
    XG_RULE_FLAT_THREADS = 256, /* where each thread is for itself: small blocks balance best */
    XG_RULE_UNROLL_STEPS = 256, /* statements that a loop may be written out to: the document's value */
    XG_RULE_COLUMN_LANES = 16,  /* threads side by side over columns: two sectors of f32 */
    XG_RULE_COLUMN_ROWS = 16    /* threads over rows that share a column */
};

/* ---- what rules share ---- */

/* By inner, or by middle and inner: how often the outermost loop turns follows. */
XG_FN void xg_rule_split(xg_loopnest *n, xg_nstmt *loop, int64_t inner, xg_nstmt **out) {
    int64_t f[2];
    f[0] = -1;
    f[1] = inner;
    xg_sched_split(n, loop, f, 2, out);
}
XG_FN void xg_rule_split3(xg_loopnest *n, xg_nstmt *loop, int64_t middle, int64_t inner, xg_nstmt **out) {
    int64_t f[3];
    f[0] = -1;
    f[1] = middle;
    f[2] = inner;
    xg_sched_split(n, loop, f, 3, out);
}
XG_FN void xg_rule_unroll(xg_loopnest *n, xg_nstmt *loop) {
    char steps[16];
    (void)xg_format(steps, sizeof steps, "%d", XG_RULE_UNROLL_STEPS);
    xg_sched_annotate(n, loop, XG_STR("pragma_auto_unroll_max_step"), xg_str_z(steps));
    xg_sched_annotate(n, loop, XG_STR("pragma_unroll_explicit"), XG_STR("1"));
}
/* The loops of a block, with those of kind `first` in front, in their order; how many of these there are. */
XG_FN uint32_t xg_rule_sort(xg_loopnest *n, const xg_ninfo *i, char first, xg_nstmt **out) {
    uint32_t k, count = 0, of_first;
    bool moved = false;
    for (k = 0; k < i->n; k++)
        if (i->kinds[k] == first) {
            moved |= k != count;
            out[count++] = i->loops[k];
        }
    of_first = count;
    for (k = 0; k < i->n; k++)
        if (i->kinds[k] != first) out[count++] = i->loops[k];
    if (moved) xg_sched_reorder(n, out, count);
    return of_first;
}
XG_FN int64_t xg_pow2_at_most(int64_t v) {
    int64_t p = 1;
    while (p * 2 <= v) p *= 2;
    return p;
}
XG_FN int64_t xg_rule_divisor_at_most(int64_t v, int64_t most) {
    int64_t d;
    for (d = XG_MIN(v, most); v % d; d--) {}
    return d;
}
XG_FN xg_nbuf *xg_rule_out(const xg_nstmt *s) { return s->block->outs[0].buf; }
/* The main block and what is done to its result; false: the nest is no such pair. */
XG_APART XG_FN bool xg_rule_pair(xg_ninfos *v, xg_ninfo **main, xg_ninfo **epilogue) {
    if (v->n < 1 || v->n > 2) return false;
    *main = &v->p[0];
    *epilogue = v->n == 2 ? &v->p[1] : NULL;
    return !*epilogue || xg_ninfo_is_injective(*epilogue);
}
/* All loops below `at` that hold the block, as one. */
XG_FN xg_nstmt *xg_rule_fuse_below(xg_loopnest *n, xg_nstmt *block, const xg_nstmt *at) {
    xg_nstmt *loops[XG_NEST_DEPTH_MAX], *own[XG_NEST_DEPTH_MAX];
    uint32_t count = xg_nest_loops(block, loops, XG_COUNT(loops)), k, n_own = 0;
    for (k = 0; k < count; k++)
        if (loops[k] != at && xg_nstmt_inside(loops[k], at)) own[n_own++] = loops[k];
    if (!n_own) return xg_sched_add_unit_loop(n, block);
    return xg_sched_fuse(n, own, n_own);
}
/* The epilogue at the loop of blocks: by all threads where it is spread over more points, else by one. */
XG_FN void xg_rule_epilogue(
    xg_loopnest *n, const xg_ninfo *epilogue, xg_nstmt *at, xg_nbuf *result, bool broadcast, int64_t threads) {
    xg_nstmt *parts[2];
    if (!epilogue) return;
    xg_sched_set_scope(n, result, broadcast ? XG_NS_SHARED : XG_NS_LOCAL);
    xg_sched_reverse_compute_at(n, epilogue->block, at, false);
    if (!broadcast) return;
    xg_rule_split(n, xg_rule_fuse_below(n, epilogue->block, at), threads, parts);
    xg_sched_kind(n, parts[1], XG_NK_THREAD_X);
}

/* ---- reduction ---- */

/* The loops as (s, r), or (s, r, c) where an iterator is read in parts: fused by kind in the order in which memory has
 * them. False: an iterator is not in the read, or the read is no sum of splits. */
typedef struct xg_rule_loops {
    xg_nstmt *s, *r, *c;
    int64_t spatial, reduced, inner_spatial; /* extents; of the innermost spatial iterator */
    bool inner_reduction;
} xg_rule_loops;
XG_FN bool xg_rule_reads(xg_loopnest *n, const xg_ninfo *i, uint32_t *order, int64_t *lower, bool *inner_reduction) {
    const xg_aff *place;
    xg_aff_env env = xg_nest_env(n);
    bool seen[XG_RANK_MAX];
    uint32_t k, j, parts = 0;
    xg_isum sum;
    memset(seen, 0, sizeof seen);
    if (!xg_detect_dominant_read(n, i->block->block, &place)) return false;
    if (!xg_iter_sum_of(&env, n->arena, place, &sum) || sum.base || !sum.n) return false;
    for (k = 0; k < sum.n; k++) {
        if (!sum.p[k].mark->var) return false;
        for (j = 0; j < i->n && i->block->block->iters[j].var != sum.p[k].mark->var->n; j++) {}
        if (j == i->n || seen[j]) return false;
        if (sum.p[k].lower > 1 && (parts++ || i->kinds[j] != 'R' || i->extents[j] % sum.p[k].lower)) return false;
        seen[j] = true;
        order[k] = j;
        lower[k] = sum.p[k].lower;
    }
    for (j = 0; j < i->n; j++)
        if (!seen[j] && i->extents[j] > 1) return false;
    *inner_reduction = i->kinds[order[sum.n - 1]] == 'R';
    return true;
}
XG_FN void xg_rule_arrange(
    xg_loopnest *n, const xg_ninfo *i, const uint32_t *order, const int64_t *lower, xg_rule_loops *out) {
    xg_nstmt *s[XG_RANK_MAX], *r[XG_RANK_MAX], *all[2 * XG_RANK_MAX], *parts[2];
    uint32_t k, n_s = 0, n_r = 0, count = 0, placed[XG_RANK_MAX], n_placed = 0, j;
    memset(out, 0, sizeof *out);
    for (k = 0; k < i->n; k++) { /* those that the read does not have count to 1: in front */
        for (j = 0; j < i->n && order[j] != k; j++) {}
        if (j == i->n) placed[n_placed++] = k;
    }
    for (j = 0; n_placed < i->n; j++) placed[n_placed++] = order[j];
    for (k = 0; k < i->n; k++) {
        xg_nstmt *loop = i->loops[placed[k]];
        if (i->kinds[placed[k]] == 'S') out->inner_spatial = i->extents[placed[k]];
        for (j = 0; j < i->n && order[j] != placed[k]; j++) {}
        if (j < i->n && lower[j] > 1) {
            xg_rule_split(n, loop, lower[j], parts);
            loop = parts[0];
            out->c = parts[1];
        }
        if (i->kinds[placed[k]] == 'S')
            s[n_s++] = loop;
        else
            r[n_r++] = loop;
    }
    for (k = 0; k < n_s; k++) all[count++] = s[k];
    for (k = 0; k < n_r; k++) all[count++] = r[k];
    if (out->c) all[count++] = out->c;
    xg_sched_reorder(n, all, count);
    out->s = n_s > 1 ? xg_sched_fuse(n, s, n_s) : s[0];
    out->r = n_r > 1 ? xg_sched_fuse(n, r, n_r) : r[0];
    out->spatial = out->s->extent;
    out->reduced = out->r->extent;
}
/* A row by a block of threads: each sums up a part, then the threads together. */
XG_FN void xg_rule_inner_reduction(
    xg_loopnest *n, const xg_ninfo *i, const xg_rule_loops *l, const xg_ninfo *epilogue) {
    int64_t threads = XG_MAX((int64_t)XG_WARP_LANES, XG_MIN((int64_t)XG_RULE_ROW_THREADS, xg_pow2_at_most(l->reduced)));
    bool broadcast = epilogue && xg_ninfo_is_broadcast(n, i, epilogue);
    xg_nstmt *parts[2], *rf, *loops[XG_NEST_DEPTH_MAX], *order[4], *block = i->block;
    xg_nbuf *result = xg_rule_out(block);
    uint32_t count;
    xg_rule_split(n, l->r, threads, parts);
    rf = xg_sched_rfactor(n, block, parts[1], 0);
    (void)xg_nest_loops(rf, loops, XG_COUNT(loops)); /* s, r, tx, perhaps c */
    order[0] = loops[0];
    order[1] = loops[2];
    order[2] = loops[1];
    order[3] = l->c ? loops[3] : NULL;
    xg_sched_reorder(n, order, l->c ? 4 : 3);
    xg_sched_kind(n, order[0], XG_NK_BLOCK_X);
    xg_sched_kind(n, order[1], XG_NK_THREAD_X);
    xg_rule_unroll(n, order[1]);
    xg_sched_set_scope(n, xg_rule_out(rf), XG_NS_LOCAL);
    xg_sched_reverse_compute_at(n, block, order[0], true);
    xg_sched_decompose_reduction(n, rf, order[2]);
    count = xg_nest_loops(block, loops, XG_COUNT(loops));
    xg_sched_kind(n, loops[count - 1], XG_NK_THREAD_X);
    xg_rule_epilogue(n, epilogue, order[0], result, broadcast, threads);
}
/* Columns side by side, threads above each other over the rows. */
XG_FN void xg_rule_inner_spatial(
    xg_loopnest *n, const xg_ninfo *i, const xg_rule_loops *l, const xg_ninfo *epilogue, int64_t tx, int64_t ty) {
    bool broadcast = epilogue && xg_ninfo_is_broadcast(n, i, epilogue);
    xg_nstmt *s[2], *r[2], *rf, *loops[XG_NEST_DEPTH_MAX], *order[5], *block = i->block;
    xg_nbuf *result = xg_rule_out(block);
    uint32_t count, at;
    xg_rule_split(n, l->s, tx, s);
    xg_rule_split(n, l->r, ty, r);
    rf = xg_sched_rfactor(n, block, r[1], 0);
    (void)xg_nest_loops(rf, loops, XG_COUNT(loops)); /* bx, tx, r, ty, perhaps c */
    order[0] = loops[0];
    order[1] = loops[1];
    order[2] = loops[3];
    order[3] = loops[2];
    order[4] = l->c ? loops[4] : NULL;
    xg_sched_reorder(n, order, l->c ? 5 : 4);
    xg_sched_kind(n, order[0], XG_NK_BLOCK_X);
    xg_sched_kind(n, order[1], XG_NK_THREAD_X);
    xg_sched_kind(n, order[2], XG_NK_THREAD_Y);
    xg_rule_unroll(n, order[2]);
    xg_sched_set_scope(n, xg_rule_out(rf), XG_NS_LOCAL);
    xg_sched_reverse_compute_at(n, block, order[0], true);
    xg_sched_decompose_reduction(n, rf, order[3]);
    count = xg_nest_loops(block, loops, XG_COUNT(loops));
    for (at = 0; loops[at] != order[0]; at++) {}
    {
        xg_nstmt *own[XG_NEST_DEPTH_MAX], *reduced = NULL, *fused;
        uint32_t k, n_own = 0;
        for (k = at + 1; k < count; k++) {
            if (xg_nblock_depends(n, block->block, loops[k], 'R'))
                reduced = loops[k];
            else
                own[n_own++] = loops[k];
        }
        if (!reduced) reduced = loops[count - 1];
        own[n_own] = reduced;
        if (n_own > 0) xg_sched_reorder(n, own, n_own + 1);
        fused = n_own > 1 ? xg_sched_fuse(n, own, n_own) : own[0];
        if (fused != reduced) xg_sched_kind(n, fused, XG_NK_THREAD_X);
        xg_sched_kind(n, reduced, XG_NK_THREAD_Y);
    }
    if (!epilogue) return;
    xg_sched_set_scope(n, result, XG_NS_SHARED);
    xg_sched_reverse_compute_at(n, epilogue->block, order[0], false);
    xg_rule_split3(n, xg_rule_fuse_below(n, epilogue->block, order[0]), broadcast ? ty : 1, tx, loops);
    xg_sched_kind(n, loops[2], XG_NK_THREAD_X);
    if (broadcast) xg_sched_kind(n, loops[1], XG_NK_THREAD_Y);
}
XG_FN bool xg_rule_prepare(xg_loopnest *n, xg_ninfos *v, xg_ninfo **main, xg_ninfo **epilogue) {
    const char *why;
    if (!xg_nest_normalize(n, v, &why)) return false;
    xg_sched_try_inline_contiguous_spatial(n, v);
    return xg_rule_pair(v, main, epilogue);
}
XG_FN bool xg_rule_reduction(xg_loopnest *n, const xg_nrule_target *t) {
    xg_ninfos v;
    xg_ninfo *i, *epilogue;
    xg_rule_loops l;
    uint32_t order[XG_RANK_MAX];
    int64_t lower[XG_RANK_MAX];
    bool inner;
    (void)t;
    memset(order, 0xff, sizeof order);
    if (!xg_rule_prepare(n, &v, &i, &epilogue) || !xg_ninfo_sums(i) || !strchr(i->kinds, 'R')) return false;
    if (!xg_literal_is_identity(i->block->block->combine, i->block->block->init[0], n->arena)) return false;
    if (!xg_rule_reads(n, i, order, lower, &inner)) return false;
    xg_rule_arrange(n, i, order, lower, &l);
    if (inner)
        xg_rule_inner_reduction(n, i, &l, epilogue);
    else
        xg_rule_inner_spatial(
            n, i, &l, epilogue, xg_rule_divisor_at_most(l.inner_spatial, XG_RULE_COLUMN_LANES), XG_RULE_COLUMN_ROWS);
    return true;
}

/* ---- general reduction: rows that several blocks go over ---- */

XG_FN bool xg_rule_general_reduction(xg_loopnest *n, const xg_nrule_target *t) {
    xg_ninfos v;
    const char *why;
    xg_nstmt *loops[XG_NEST_DEPTH_MAX], *rows, *parts[2];
    const xg_ninfo *last;
    uint32_t leading, k, count, own;
    (void)t;
    if (!xg_nest_normalize(n, &v, &why)) return false;
    xg_sched_try_inline_contiguous_spatial(n, &v);
    if (v.n < 2 || !strchr(v.p[0].kinds, 'R')) return false;
    last = &v.p[v.n - 1];
    if (!xg_ninfo_is_injective(last)) return false;
    for (leading = 0; v.p[0].kinds[leading] == 'S'; leading++) {}
    if (leading >= last->n || strchr(v.p[0].kinds + leading, 'S')) return false;
    for (k = 0; k < v.n; k++) {
        if (v.p[k].n < leading + 1) return false;
        for (count = 0; count < leading; count++)
            if (v.p[k].kinds[count] != 'S' || v.p[k].extents[count] != v.p[0].extents[count]) return false;
    }
    rows = leading > 1 ? xg_sched_fuse(n, last->loops, leading) : last->loops[0];
    xg_rule_split(n, xg_rule_fuse_below(n, last->block, rows), XG_RULE_ROW_THREADS, parts);
    xg_sched_kind(n, rows, XG_NK_BLOCK_X);
    xg_sched_kind(n, parts[1], XG_NK_THREAD_X);
    xg_rule_unroll(n, parts[0]);
    for (k = v.n - 1; k-- > 0;) {
        xg_nstmt *block = v.p[k].block, *fused, *order[2];
        for (own = 0; own < block->block->n_outs; own++)
            if (!block->block->outs[own].buf->param) xg_sched_set_scope(n, block->block->outs[own].buf, XG_NS_SHARED);
        xg_sched_compute_at(n, block, rows, false);
        count = xg_nest_loops(block, loops, XG_COUNT(loops));
        if (count < 2) continue;
        fused = xg_rule_fuse_below(n, block, rows);
        xg_rule_split(n, fused, XG_RULE_ROW_THREADS, parts);
        order[0] = parts[1];
        order[1] = parts[0];
        if (v.p[k].reduction) xg_sched_reorder(n, order, 2);
        xg_sched_kind(n, parts[1], XG_NK_THREAD_X);
        xg_rule_unroll(n, parts[0]);
    }
    return true;
}

/* ---- transpose ---- */

/* out[p] = in[q] of two iterators whose order is another one in memory; through shared memory, so that both sides go
 * along rows. */
XG_FN bool xg_rule_transpose(xg_loopnest *n, const xg_nrule_target *t) {
    enum {
        TILE = 32, /* a side: as many elements as lanes */
        ROWS = 8   /* rows of threads */
    };
    xg_ninfos v;
    const char *why;
    xg_ninfo *i;
    const xg_nblock *b;
    xg_nstmt *s[2], *r[2], *order[4], *rows[2], *copy, *loops[XG_NEST_DEPTH_MAX], *own[2];
    xg_nbuf *in;
    uint32_t count, k;
    (void)t;
    if (!xg_nest_normalize(n, &v, &why)) return false;
    xg_sched_try_inline_contiguous_spatial(n, &v);
    if (v.n != 1) return false;
    i = &v.p[0];
    b = i->block->block;
    if (!xg_ninfo_is_injective(i) || i->n != 2 || b->n_outs != 1 || b->outs[0].buf->rank != 2) return false;
    for (k = 0; k < b->n_args && !(b->args[k].kind == XG_NA_LOAD && !b->args[k].n_where && b->args[k].buf->rank == 2 &&
                                     b->args[k].at[0] == b->outs[0].at[1] && b->args[k].at[1] == b->outs[0].at[0]);
         k++) {}
    if (k == b->n_args || b->outs[0].at[0] != xg_nest_dim(n, b->iters[0].var) ||
        b->outs[0].at[1] != xg_nest_dim(n, b->iters[1].var))
        return false;
    in = b->args[k].buf;
    for (count = k = 0; k < b->n_args; k++) count += b->args[k].kind == XG_NA_LOAD && b->args[k].buf == in;
    if (count != 1) return false;
    xg_rule_split(n, i->loops[0], TILE, s);
    xg_rule_split(n, i->loops[1], TILE, r);
    order[0] = s[0];
    order[1] = r[0];
    order[2] = s[1];
    order[3] = r[1];
    xg_sched_reorder(n, order, 4);
    xg_sched_kind(n, s[0], XG_NK_BLOCK_Y);
    xg_sched_kind(n, r[0], XG_NK_BLOCK_X);
    copy = xg_sched_cache_read(n, i->block, in, XG_NS_SHARED);
    xg_sched_compute_at(n, copy, r[0], false);
    xg_sched_storage_align(n, xg_rule_out(copy), 0, TILE, 1);
    count = xg_nest_loops(copy, loops, XG_COUNT(loops));
    xg_rule_split(n, loops[count - 2], ROWS, own);
    xg_sched_kind(n, own[1], XG_NK_THREAD_Y);
    xg_sched_kind(n, loops[count - 1], XG_NK_THREAD_X);
    xg_rule_split(n, s[1], ROWS, rows);
    xg_sched_kind(n, rows[1], XG_NK_THREAD_Y);
    xg_sched_kind(n, r[1], XG_NK_THREAD_X);
    xg_rule_unroll(n, own[0]);
    xg_rule_unroll(n, rows[0]);
    return true;
}

/* ---- fallback ---- */

/* A thread for each point; what is reduced, by one thread. */
XG_FN bool xg_rule_fallback(xg_loopnest *n, const xg_nrule_target *t) {
    xg_ninfos v;
    const char *why;
    xg_nstmt *blocks[XG_NINFOS_MAX], *loops[XG_RANK_MAX + 1], *parts[2], *s;
    uint32_t k, spatial;
    (void)t;
    if (!xg_nest_normalize(n, &v, &why)) return false;
    for (k = 0; k < v.n; k++) blocks[k] = v.p[k].block;
    xg_sched_try_inline(n, blocks, v.n);
    v.n = xg_nest_leaves(n, blocks, XG_COUNT(blocks));
    for (k = 0; k < v.n; k++) {
        xg_ninfo i = xg_ninfo_of(blocks[k]);
        spatial = xg_rule_sort(n, &i, 'S', loops);
        s = spatial > 1 ? xg_sched_fuse(n, loops, spatial) : loops[0];
        xg_rule_split(n, s, XG_MIN(s->extent, (int64_t)XG_RULE_FLAT_THREADS), parts);
        xg_sched_kind(n, parts[0], XG_NK_BLOCK_X);
        xg_sched_kind(n, parts[1], XG_NK_THREAD_X);
        if (i.reduction && spatial < i.n) xg_sched_decompose_reduction(n, blocks[k], loops[spatial]);
    }
    return true;
}

#endif /* XG_SCHED_RULES_C */
