/* sched/normalize.c -- what rules ask of a nest before they schedule it: its blocks in normal form, and what each is.
 *
 * In normal form each block has a loop of its own for each of its iterators, in their order, counted from 0; iterators
 * that count to 1 are gone, and a block of none that is spatial has a unit one in front. (So do the schedules of TVM's
 * DLight begin; the names are those of its analysis.) */
#ifndef XG_SCHED_NORMALIZE_C
#define XG_SCHED_NORMALIZE_C
#include "sched.h"
#include "stage.c"

/* ---- trying ---- */

/* Does it, or leaves the nest as it is where the primitive refuses. */
XG_FN bool xg_sched_try(xg_loopnest *n, void (*fn)(xg_loopnest *n, xg_nstmt *s), xg_nstmt *s) {
    jmp_buf here;
    jmp_buf *const outer = n->ctx->guard;
    if (setjmp(here)) {
        n->ctx->guard = outer;
        if (n->ctx->status != XLAGPU_ERROR_USAGE)
            xg_fail(n->ctx, n->ctx->status, "%s", xg_str_copy(n->arena, xg_str_z(n->ctx->message)).p);
        n->ctx->status = XLAGPU_OK;
        n->ctx->message[0] = 0;
        return false;
    }
    (void)xg_try(n->ctx, &here);
    fn(n, s);
    xg_end(n->ctx, outer);
    return true;
}
/* All blocks that compute something, in the order of the text. */
XG_FN uint32_t xg_nest_leaves(xg_loopnest *n, xg_nstmt **out, uint32_t cap) {
    uint32_t count = 0;
    xg_nstmt *s;
    for (s = n->root; s; s = xg_nstmt_next(s, n->root)) {
        if (s->op != XG_N_BLOCK || !s->block->body) continue;
        if (count < cap) out[count] = s;
        count++;
    }
    return count;
}

/* ---- normal form ---- */

XG_APART XG_FN const char *xg_ninfo_check(const xg_loopnest *n, const xg_nstmt *s) {
    xg_nstmt *loops[XG_NEST_DEPTH_MAX];
    const xg_nblock *b = s->block;
    uint32_t count = xg_nest_loops(s, loops, XG_COUNT(loops)), k;
    if (xg_nstmt_scope(s) != n->root) return "a block is inside of another one";
    if (b->n_iters > XG_RANK_MAX) return "a block has too many iterators";
    if (count != b->n_iters) return "a block has not as many loops as iterators";
    if (b->n_where) return "a block does not run at all points of its loops";
    for (k = 0; k < count; k++) {
        if (b->iters[k].binding != xg_aff_dim(n->aff, loops[k]->var))
            return "an iterator is not bound to the loop in its place";
        if (loops[k]->extent != b->iters[k].extent) return "an iterator does not count as far as its loop";
        if (loops[k]->first != loops[k]->last) return "a loop holds more than one block";
        if (loops[k]->kind != XG_NK_SERIAL || loops[k]->n_notes) return "a loop is scheduled already";
    }
    return NULL;
}
/* Without iterators that count to 1; with one of them in front if no spatial one is left. */
XG_APART XG_FN void xg_ninfo_drop_units(xg_loopnest *n, xg_nstmt *s) {
    const xg_nblock *b = s->block;
    const xg_aff *kept[XG_RANK_MAX + 1];
    bool spatial = false;
    uint32_t k, count = 0;
    xg_imap *m;
    for (k = 0; k < b->n_iters; k++) {
        if (b->iters[k].extent == 1) continue;
        spatial |= b->iters[k].kind == 'S';
        kept[count++] = xg_aff_dim(n->aff, k);
    }
    if (count == b->n_iters && spatial) return;
    m = xg_imap_of_dims(n->aff, b->n_iters, count + !spatial);
    if (!spatial) m->results[0] = xg_aff_const(n->aff, 0);
    for (k = 0; k < count; k++) m->results[k + !spatial] = kept[k];
    xg_sched_transform_block_layout(n, s, m);
}
XG_FN xg_ninfo xg_ninfo_of(xg_nstmt *s) {
    xg_ninfo i;
    uint32_t k;
    memset(&i, 0, sizeof i);
    i.block = s;
    i.n = s->block->n_iters;
    (void)xg_nest_loops(s, i.loops, XG_COUNT(i.loops));
    for (k = 0; k < i.n; k++) {
        i.kinds[k] = s->block->iters[k].kind;
        i.extents[k] = s->block->iters[k].extent;
    }
    i.reduction = xg_nblock_class(s->block) == XG_NC_REDUCTION && s->block->init;
    return i;
}
/* Of all blocks of the nest as they are now. */
XG_FN void xg_ninfos_read(xg_loopnest *n, xg_ninfos *v) {
    xg_nstmt *leaves[XG_NINFOS_MAX];
    uint32_t k;
    v->n = xg_nest_leaves(n, leaves, XG_COUNT(leaves));
    for (k = 0; k < v->n; k++) v->p[k] = xg_ninfo_of(leaves[k]);
}
XG_FN bool xg_nest_normalize(xg_loopnest *n, xg_ninfos *out, const char **why) {
    xg_nstmt *leaves[XG_NINFOS_MAX];
    uint32_t count = xg_nest_leaves(n, leaves, XG_COUNT(leaves)), k;
    *why = count > XG_COUNT(leaves) ? "there are too many blocks" : NULL;
    for (k = 0; k < count && !*why; k++) *why = xg_ninfo_check(n, leaves[k]);
    if (*why) return false;
    for (k = 0; k < count; k++) xg_ninfo_drop_units(n, leaves[k]);
    out->n = count;
    for (k = 0; k < count; k++) out->p[k] = xg_ninfo_of(leaves[k]);
    return true;
}

/* ---- what a block is ---- */

XG_FN bool xg_ninfo_is_injective(const xg_ninfo *i) { return strchr(i->kinds, 'R') == NULL && !i->reduction; }
/* A reduction as the document means it, whose last axis may have been dropped: it combines, and has what it begins
 * with. */
XG_FN bool xg_ninfo_is_reduction(const xg_ninfo *i) { return i->reduction; }
XG_FN bool xg_ninfo_sums(const xg_ninfo *i) {
    const xg_nblock *b = i->block->block;
    return i->reduction && b->n_outs == 1 && xg_eval_single(b->combine) == XG_ADD;
}
/* What it sums up is a product of two values, each of one read alone. */
XG_FN bool xg_ninfo_multiplies(const xg_nblock *b) {
    const xg_inst *r = b->body->root, *in[2];
    uint32_t k;
    while (r->op == XG_CONVERT) r = XG_OPERAND(r, 0);
    if (r->op != XG_MULTIPLY) return false;
    for (k = 0; k < 2; k++) {
        in[k] = XG_OPERAND(r, k);
        while (in[k]->op == XG_CONVERT) in[k] = XG_OPERAND(in[k], 0);
    }
    return in[0]->op == XG_PARAMETER && in[1]->op == XG_PARAMETER && in[0] != in[1];
}
XG_FN uint32_t xg_narg_iters(const xg_loopnest *n, const xg_nblock *b, const xg_aff *const *at, uint32_t rank) {
    uint32_t which[XG_RANK_MAX];
    return xg_nblock_used(n, b, at, rank, which);
}
/* The read that uses most iterators, the first of them: its place in memory as an expression of the iterators. */
XG_FN const xg_narg *xg_detect_dominant_read(xg_loopnest *n, const xg_nblock *b, const xg_aff **place) {
    const xg_narg *best = NULL;
    xg_aff_env env = xg_nest_env(n);
    uint32_t k, most = 0, d;
    for (k = 0; k < b->n_args; k++) {
        uint32_t used;
        if (b->args[k].kind != XG_NA_LOAD) continue;
        used = xg_narg_iters(n, b, b->args[k].at, b->args[k].buf->rank);
        if (best && used <= most) continue;
        best = &b->args[k];
        most = used;
    }
    *place = xg_aff_const(n->aff, 0);
    for (d = 0; best && d < best->buf->rank && *place; d++)
        *place = xg_aff_add_scaled(&env, best->at[d], *place, best->buf->dims[d]);
    return *place ? best : NULL;
}
/* A matrix by a vector: some of what is read, but not all, uses some of the iterators only. Those are given back. */
XG_FN uint32_t xg_ninfo_is_gemv(xg_loopnest *n, const xg_ninfo *i, xg_nbuf **vectors, uint32_t cap) {
    const xg_nblock *b = i->block->block;
    uint32_t k, reads = 0, count = 0;
    if (!xg_ninfo_sums(i) || !xg_narg_iters(n, b, b->outs[0].at, b->outs[0].buf->rank)) return 0;
    for (k = 0; k < b->n_args; k++) {
        uint32_t used;
        if (b->args[k].kind != XG_NA_LOAD) continue;
        reads++;
        used = xg_narg_iters(n, b, b->args[k].at, b->args[k].buf->rank);
        if (used == 0 || used == i->n) continue;
        if (count < cap) vectors[count] = b->args[k].buf;
        count++;
    }
    return reads >= 2 && count < reads && count <= cap ? count : 0;
}
/* Does the epilogue read what the block makes by fewer iterators than it has: is it spread over more points? */
XG_FN bool xg_ninfo_is_broadcast(xg_loopnest *n, const xg_ninfo *block, const xg_ninfo *epilogue) {
    const xg_nblock *e = epilogue->block->block;
    uint32_t k;
    for (k = 0; k < e->n_args; k++)
        if (e->args[k].kind == XG_NA_LOAD && xg_nblock_writes(block->block->block, e->args[k].buf) &&
            xg_narg_iters(n, e, e->args[k].at, e->args[k].buf->rank) < e->n_iters)
            return true;
    return false;
}

/* ---- inlining ---- */

XG_FN bool xg_sched_try_inline_one(xg_loopnest *n, xg_nstmt *s) {
    if (xg_nblock_class(s->block) != XG_NC_COMPLETE) return false;
    return xg_sched_try(n, xg_sched_compute_inline, s) || xg_sched_try(n, xg_sched_reverse_compute_inline, s);
}
/* Blocks from..to of the text, each into its readers or into what it reads, as long as one goes. */
XG_FN void xg_sched_try_inline(xg_loopnest *n, xg_nstmt **blocks, uint32_t count) {
    bool more = true;
    uint32_t k;
    while (more) {
        more = false;
        for (k = 0; k < count; k++) {
            if (!blocks[k] || !xg_sched_try_inline_one(n, blocks[k])) continue;
            blocks[k] = NULL;
            more = true;
        }
    }
}
/* The same within each run of injective blocks: a reduction between them keeps what is in front of it and behind it. */
XG_FN void xg_sched_try_inline_contiguous_spatial(xg_loopnest *n, xg_ninfos *v) {
    xg_nstmt *run[XG_NINFOS_MAX];
    uint32_t k, count = 0;
    for (k = 0; k <= v->n; k++) {
        if (k < v->n && xg_ninfo_is_injective(&v->p[k])) {
            run[count++] = v->p[k].block;
            continue;
        }
        xg_sched_try_inline(n, run, count);
        count = 0;
    }
    xg_ninfos_read(n, v);
}

/* ---- text ---- */

XG_FN void xg_ninfo_print(xg_buf *b, const xg_ninfo *i) {
    uint32_t k;
    xg_printf(b, "BlockInfo(\"%s\", \"%s\", [", i->block->block->name.p, i->kinds);
    for (k = 0; k < i->n; k++) xg_printf(b, "%s%lld", k ? ", " : "", (long long)i->extents[k]);
    xg_puts(b, "])");
}

#endif /* XG_SCHED_NORMALIZE_C */
