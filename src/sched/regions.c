/* sched/regions.c -- what a block reads and writes, as boxes in terms of its own iterators: printed, read, and checked.
 *
 *   reads A[vi, 0:8], B[vk * 4:vk * 4 + 4]      writes C[vi]        lo:hi without hi; one index is one place
 *
 * A block's regions follow from what it holds. Where the text declares them, they have to cover that, and nothing may
 * be declared that is not touched. */
#ifndef XG_SCHED_REGIONS_C
#define XG_SCHED_REGIONS_C
#include "sched.h"
#include "at.c"
#include "analysis.c"
#include "stage.c"

/* The indices as such of the iterators of block `top`, in which s is or which it is; false: they use what is outside.
 */
XG_FN const xg_aff **xg_nregion_at(
    xg_loopnest *n, const xg_nstmt *s, const xg_nstmt *top, const xg_aff *const *at, uint32_t rank) {
    const xg_aff **to = xg_nest_copy_affs(n, at, rank);
    while (s != top) {
        const xg_nstmt *scope = xg_nstmt_scope(s);
        to = xg_nest_at_loops(n, s->block, to, rank);
        s = scope;
    }
    return to;
}
/* The loops between s and top run; the iterators of top stand still. */
XG_FN void xg_nregion_sets(const xg_loopnest *n, const xg_nstmt *s, const xg_nstmt *top, bool *fixed, bool *moving) {
    const xg_nstmt *p;
    uint32_t k;
    memset(fixed, 0, n->vars.n * sizeof *fixed);
    memset(moving, 0, n->vars.n * sizeof *moving);
    for (k = 0; k < top->block->n_iters; k++) fixed[top->block->iters[k].var] = true;
    for (p = s->parent; p && s != top && p != top; p = p->parent)
        if (p->op == XG_N_LOOP) moving[p->var] = true;
}
XG_FN void xg_nregion_join(
    xg_loopnest *n, xg_nregion *r, const xg_nstmt *s, const xg_nstmt *top, const xg_aff *const *at) {
    const xg_aff **own = xg_nregion_at(n, s, top, at, r->buf->rank);
    bool *fixed = XG_NEW_N(n->arena, bool, n->vars.n), *moving = XG_NEW_N(n->arena, bool, n->vars.n);
    xg_aff_env env = xg_nest_env(n);
    uint32_t d;
    xg_nregion_sets(n, s, top, fixed, moving);
    for (d = 0; d < r->buf->rank; d++) {
        xg_nspan span;
        if (!r->whole[d] && xg_nspan_of(&env, own[d], fixed, moving, &span) && xg_nshare_join(n, &r->dims[d], &span) &&
            r->dims[d].hi - r->dims[d].lo + 1 < r->buf->dims[d])
            continue;
        r->whole[d] = true;
        r->dims[d].base = xg_aff_const(n->aff, 0);
        r->dims[d].lo = 0;
        r->dims[d].hi = r->buf->dims[d] - 1;
    }
}
XG_FN void xg_nregions_add(
    xg_loopnest *n, xg_nregions *v, xg_nbuf *buf, const xg_nstmt *s, const xg_nstmt *top, const xg_aff *const *at) {
    uint32_t k;
    for (k = 0; k < v->n && v->p[k].buf != buf; k++) {}
    if (k == v->n) {
        xg_nregion r;
        memset(&r, 0, sizeof r);
        r.buf = buf;
        r.dims = XG_NEW_N(n->arena, xg_nshare, buf->rank);
        r.whole = XG_NEW_N(n->arena, bool, buf->rank);
        xg_push(n->arena, xg_nregion, v, r);
    }
    xg_nregion_join(n, &v->p[k], s, top, at);
}
XG_FN void xg_nest_regions_of(xg_loopnest *n, const xg_nstmt *top, bool writes, xg_nregions *out) {
    const xg_nstmt *s;
    uint32_t k;
    memset(out, 0, sizeof *out);
    for (s = top; s; s = xg_nstmt_next(s, top)) {
        const xg_nblock *b = s->block;
        if (s->op != XG_N_BLOCK || !b->body) continue;
        for (k = 0; k < b->n_args && !writes; k++)
            if (b->args[k].kind == XG_NA_LOAD) xg_nregions_add(n, out, b->args[k].buf, s, top, b->args[k].at);
        for (k = 0; k < b->n_outs && writes; k++) xg_nregions_add(n, out, b->outs[k].buf, s, top, b->outs[k].at);
    }
}
XG_FN void xg_nest_show_regions(xg_loopnest *n) {
    xg_nstmt *s;
    for (s = n->root; s; s = xg_nstmt_next(s, n->root))
        if (s->op == XG_N_BLOCK) s->block->regions = true;
}

/* ---- text ---- */

XG_FN void xg_nregions_print(xg_buf *b, xg_loopnest *n, const xg_nregions *v, const xg_imap *names) {
    uint32_t k, d;
    for (k = 0; k < v->n; k++) {
        const xg_nregion *r = &v->p[k];
        xg_printf(b, "%s%.*s[", k ? ", " : " ", (int)r->buf->name.n, r->buf->name.p);
        for (d = 0; d < r->buf->rank; d++) {
            const xg_aff *lo = xg_aff_add_k(n->aff, r->dims[d].base, r->dims[d].lo);
            if (d) xg_puts(b, ", ");
            xg_aff_print(b, lo, names);
            if (r->dims[d].hi == r->dims[d].lo) continue;
            xg_putc(b, ':');
            xg_aff_print(b, xg_aff_add_k(n->aff, r->dims[d].base, r->dims[d].hi + 1), names);
        }
        xg_putc(b, ']');
    }
}
/* Does the declared box hold the one that follows? */
XG_FN bool xg_nregion_covers(xg_loopnest *n, const xg_nregion *declared, const xg_nregion *r) {
    xg_aff_env env = xg_nest_env(n);
    uint32_t d;
    for (d = 0; d < r->buf->rank; d++) {
        const xg_aff *apart = xg_aff_add_scaled(&env, r->dims[d].base, declared->dims[d].base, -1);
        xg_range gap;
        if (!apart) return false;
        gap = xg_aff_range(&env, apart);
        if (!xg_range_known(gap) || gap.lo + r->dims[d].lo < declared->dims[d].lo ||
            gap.hi + r->dims[d].hi > declared->dims[d].hi)
            return false;
    }
    return true;
}

#endif /* XG_SCHED_REGIONS_C */
