/* sched/analysis.c -- what is known of blocks: their class, whether they write each element once, and which elements
 * they touch in one round of the loops around them.
 *
 * A region is a box: in each dimension a fixed part, an expression of the loops that stand still, and an interval of
 * what the others add to it. Where an index cannot be told apart so (a quotient of both kinds), nothing is known, and a
 * primitive that needs to know refuses. */
#ifndef XG_SCHED_ANALYSIS_C
#define XG_SCHED_ANALYSIS_C
#include "sched.h"
#include "itermap.c"

XG_FN bool xg_nblock_reduces(const xg_nblock *b) {
    uint32_t k;
    for (k = 0; k < b->n_iters; k++)
        if (b->iters[k].kind == 'R') return true;
    return false;
}
XG_FN xg_nclass xg_nblock_class(const xg_nblock *b) {
    uint32_t k;
    if (!b->body) return XG_NC_OTHER;
    if (b->combine) return b->init || xg_nblock_reduces(b) ? XG_NC_REDUCTION : XG_NC_OTHER;
    for (k = 0; k < b->n_outs; k++)
        if (xg_nblock_reads(b, b->outs[k].buf)) return XG_NC_OTHER;
    return XG_NC_COMPLETE;
}
/* Does an iterator of that kind depend on the loop? */
XG_FN bool xg_nblock_depends(const xg_loopnest *n, const xg_nblock *b, const xg_nstmt *loop, char kind) {
    uint32_t k;
    for (k = 0; k < b->n_iters; k++)
        if (b->iters[k].kind == kind && xg_aff_uses(b->iters[k].binding, xg_aff_dim(n->aff, loop->var))) return true;
    return false;
}
/* The blocks that do so with the buffer, in the order of the text: how many; those that fit, and NULL in the room that
 * is left. */
XG_FN uint32_t xg_nest_users(xg_loopnest *n, const xg_nbuf *buf, bool (*uses)(const xg_nblock *b, const xg_nbuf *buf),
    xg_nstmt **out, uint32_t cap) {
    uint32_t count;
    xg_nstmt *s;
    for (count = 0; count < cap; count++) out[count] = NULL;
    count = 0;
    for (s = n->root; s; s = xg_nstmt_next(s, n->root))
        if (s->op == XG_N_BLOCK && s->block->body && uses(s->block, buf)) {
            if (count < cap) out[count] = s;
            count++;
        }
    return count;
}
XG_ONE_COPY XG_FN uint32_t xg_nest_writers(xg_loopnest *n, const xg_nbuf *buf, xg_nstmt **out, uint32_t cap) {
    return xg_nest_users(n, buf, xg_nblock_writes, out, cap);
}
XG_FN uint32_t xg_nest_readers(xg_loopnest *n, const xg_nbuf *buf, xg_nstmt **out, uint32_t cap) {
    return xg_nest_users(n, buf, xg_nblock_reads, out, cap);
}

/* ---- distinct places ---- */

enum {
    XG_NTERMS_MAX = 64
};
/* The places of a sum's terms, the one with the least scale first; false: there are too many. */
XG_FN bool xg_nterms_order(const xg_linear *l, uint32_t *order) {
    uint32_t k, j;
    if (l->n > XG_NTERMS_MAX) return false;
    for (k = 0; k < l->n; k++) {
        for (j = k; j > 0 && xg_nabs(l->terms[order[j - 1]].scale) > xg_nabs(l->terms[k].scale); j--)
            order[j] = order[j - 1];
        order[j] = k;
    }
    return true;
}
/* Do these expressions together tell the value of each iterator of that kind? */
XG_FN bool xg_nest_tells(xg_loopnest *n, const xg_nblock *b, const xg_aff *const *at, uint32_t count, char kind) {
    xg_aff_env env = xg_nest_env(n);
    const xg_aff **vars = XG_NEW_N(n->arena, const xg_aff *, b->n_iters);
    uint32_t k, n_vars = 0;
    for (k = 0; k < b->n_iters; k++)
        if (b->iters[k].kind == kind) vars[n_vars++] = xg_nest_dim(n, b->iters[k].var);
    return xg_iter_tells(&env, n->arena, at, count, vars, n_vars);
}
XG_FN bool xg_nest_writes_once(xg_loopnest *n, const xg_nblock *b) {
    uint32_t k;
    for (k = 0; k < b->n_outs; k++)
        if (!xg_nest_tells(n, b, b->outs[k].at, b->outs[k].buf->rank, 'S')) return false;
    return true;
}

/* Do these loops, others standing still, lead to another point of the block in each of their rounds? */
XG_FN bool xg_nblock_visits_once(xg_loopnest *n, const xg_nblock *b, xg_nstmt *const *loops, uint32_t count) {
    xg_aff_env env = xg_nest_env(n);
    const xg_aff **at = XG_NEW_N(n->arena, const xg_aff *, b->n_iters);
    const xg_aff **vars = XG_NEW_N(n->arena, const xg_aff *, count);
    uint32_t k;
    for (k = 0; k < b->n_iters; k++) at[k] = b->iters[k].binding;
    for (k = 0; k < count; k++) vars[k] = xg_nest_dim(n, loops[k]->var);
    return xg_iter_tells(&env, n->arena, at, b->n_iters, vars, count);
}

/* ---- regions ---- */

/* An index as a fixed part and what the loops that run add to it; dense: they reach every place of the interval. */
XG_FN bool xg_aff_has(const xg_aff *e, const bool *vars) {
    uint32_t k;
    switch (e->kind) {
    case XG_AFF_DIM: return vars[e->n];
    case XG_AFF_SUM:
        for (k = 0; k < e->n; k++)
            if (xg_aff_has(e->terms[k].of, vars)) return true;
        return false;
    case XG_AFF_DIV:
    case XG_AFF_MOD: return xg_aff_has(e->of, vars);
    default: return false;
    }
}
/* fixed, moving: by variable. */
XG_FN bool xg_nspan_of(xg_aff_env *env, const xg_aff *e, const bool *fixed, const bool *moving, xg_nspan *out) {
    xg_linear l;
    const xg_aff *run = xg_aff_const(env->x, 0);
    int64_t reach = 0;
    uint32_t order[XG_NTERMS_MAX], k;
    xg_range r;
    xg_aff_linear(e, &l);
    out->base = xg_aff_const(env->x, l.k);
    for (k = 0; k < l.n; k++) {
        bool moves = xg_aff_has(l.terms[k].of, moving);
        if (moves && xg_aff_has(l.terms[k].of, fixed)) return false;
        if (moves)
            run = xg_aff_add_scaled(env, run, l.terms[k].of, l.terms[k].scale);
        else
            out->base = xg_aff_add_scaled(env, out->base, l.terms[k].of, l.terms[k].scale);
    }
    if (!run || !out->base) return false;
    r = xg_aff_range(env, run);
    if (!xg_range_known(r)) return false;
    out->lo = r.lo;
    out->hi = r.hi;
    out->dense = true;
    xg_aff_linear(run, &l);
    if (!xg_nterms_order(&l, order)) return false;
    for (k = 0; k < l.n; k++) {
        const xg_term *t = &l.terms[order[k]];
        if (xg_nabs(t->scale) > reach + 1) out->dense = false;
        r = xg_aff_range(env, t->of);
        reach += xg_nabs(t->scale) * (r.hi - r.lo);
    }
    return true;
}
/* The loops around s up to and including `inner`, and those inside of it, as sets of variables. */
XG_FN void xg_nest_sets(xg_loopnest *n, const xg_nstmt *s, const xg_nstmt *inner, bool *fixed, bool *moving) {
    const xg_nstmt *p;
    memset(fixed, 0, n->vars.n * sizeof *fixed);
    memset(moving, 0, n->vars.n * sizeof *moving);
    for (p = s->parent; p && p->op == XG_N_LOOP; p = p->parent)
        (xg_nstmt_inside(inner, p) ? fixed : moving)[p->var] = true;
}
XG_FN const xg_aff **xg_nest_at_loops(xg_loopnest *n, const xg_nblock *b, const xg_aff *const *at, uint32_t rank) {
    const xg_aff **to = XG_NEW_N(n->arena, const xg_aff *, rank);
    xg_nsubst s;
    uint32_t k;
    xg_nsubst_begin(&s, n);
    for (k = 0; k < b->n_iters; k++) xg_nsubst_put(&s, b->iters[k].var, b->iters[k].binding);
    for (k = 0; k < rank; k++) to[k] = xg_nsubst_of(&s, at[k]);
    return to;
}
/* What block s touches at these indices of its iterators in one round of `inner` (NULL: of nothing; all that it ever
 * touches). False: it is not known. */
XG_FN bool xg_nest_region(
    xg_loopnest *n, const xg_nstmt *s, const xg_aff *const *at, uint32_t rank, const xg_nstmt *inner, xg_nspan *out) {
    const xg_aff **in_loops = xg_nest_at_loops(n, s->block, at, rank);
    xg_aff_env env = xg_nest_env(n);
    bool *fixed = XG_NEW_N(n->arena, bool, n->vars.n), *moving = XG_NEW_N(n->arena, bool, n->vars.n);
    uint32_t k;
    xg_nest_sets(n, s, inner, fixed, moving);
    for (k = 0; k < rank; k++)
        if (!xg_nspan_of(&env, in_loops[k], fixed, moving, &out[k])) return false;
    return true;
}
/* Whether the only constraints of the writer say that its indices stay in the buffer, which they do for the reader
 * too. */
XG_FN bool xg_nest_where_is_edge(xg_loopnest *n, const xg_nstmt *w, const xg_nbuf *buf, const xg_aff *const *at) {
    const xg_aff **in_loops = xg_nest_at_loops(n, w->block, at, buf->rank);
    uint32_t k, d;
    for (k = 0; k < w->block->n_where; k++) {
        for (d = 0; d < buf->rank; d++)
            if (w->block->where[k].expr == in_loops[d] && w->block->where[k].range.lo <= 0 &&
                w->block->where[k].range.hi >= buf->dims[d] - 1)
                break;
        if (d == buf->rank) return false;
    }
    return true;
}
/* Is all that is read among what is written, whose places have no gaps? */
XG_FN bool xg_nspans_hold(xg_loopnest *n, const xg_nspan *wrote, const xg_nspan *read, uint32_t rank) {
    xg_aff_env env = xg_nest_env(n);
    uint32_t d;
    for (d = 0; d < rank; d++) {
        const xg_aff *apart = xg_aff_add_scaled(&env, read[d].base, wrote[d].base, -1);
        xg_range gap;
        if (!apart || !wrote[d].dense) return false;
        gap = xg_aff_range(&env, apart);
        if (!xg_range_known(gap) || gap.lo + read[d].lo < wrote[d].lo || gap.hi + read[d].hi > wrote[d].hi)
            return false;
    }
    return true;
}
/* In each round of the loops from outer to inner, does w write all that r touches at these indices, and is that
 * complete then? */
XG_FN bool xg_nest_covers_place(xg_loopnest *n, xg_nstmt *w, uint32_t out, xg_nstmt *r, const xg_aff *const *at,
    const xg_nstmt *outer, const xg_nstmt *inner) {
    const xg_nout *o = &w->block->outs[out];
    xg_nspan wrote[XG_RANK_MAX], read[XG_RANK_MAX];
    const xg_nstmt *p;
    uint32_t d, k;
    if (w == r) {
        for (d = 0; d < o->buf->rank; d++)
            if (at[d] != o->at[d]) return false;
        return true;
    }
    for (p = inner;; p = p->parent) {
        for (k = 0; k < w->block->n_iters; k++)
            if (w->block->iters[k].kind == 'R' && p->op == XG_N_LOOP &&
                xg_aff_uses(w->block->iters[k].binding, xg_nest_dim(n, p->var)))
                return false;
        if (p == outer) break;
    }
    if (!xg_nest_where_is_edge(n, w, o->buf, o->at)) return false;
    if (!xg_nest_region(n, w, o->at, o->buf->rank, inner, wrote) ||
        !xg_nest_region(n, r, at, o->buf->rank, inner, read))
        return false;
    return xg_nspans_hold(n, wrote, read, o->buf->rank);
}

/* ---- combiners ---- */

/* Of one operation alone: the element that changes nothing. */
XG_FN bool xg_combiner_identity(const xg_comp *combine, xg_literal *l) {
    xlagpu_type t = l->shape->type;
    bool is_float = (xg_type_class(t) & XGT_F) != 0;
    switch (xg_eval_single(combine)) {
    case XG_ADD:
    case XG_OR:
    case XG_XOR: memset(l->data, 0, (size_t)xg_type_bytes(t)); return true;
    case XG_MULTIPLY:
        if (is_float)
            xg_literal_set_float(l, 0, 1);
        else
            xg_literal_set_int(l, 0, 1);
        return (xg_type_class(t) & XGT_C) == 0;
    case XG_AND: xg_literal_set_int(l, 0, t == XLAGPU_PRED ? 1 : -1); return true;
    case XG_MAXIMUM:
    case XG_MINIMUM: {
        bool most = xg_eval_single(combine) == XG_MINIMUM;
        if (is_float)
            xg_literal_set_float(l, 0, most ? HUGE_VAL : -HUGE_VAL);
        else if (t == XLAGPU_PRED)
            xg_literal_set_int(l, 0, most);
        else {
            int bits = xg_type_bits(t);
            bool sign = xg_type_signed(t);
            xg_literal_set_int(l, 0,
                most   ? sign ? (int64_t)(((uint64_t)1 << (bits - 1)) - 1)
                              : (int64_t)(bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1)
                : sign ? -(int64_t)(((uint64_t)1 << (bits - 1)) - 1) - 1
                       : 0);
        }
        return true;
    }
    default: return false;
    }
}
XG_FN bool xg_literal_is_identity(const xg_comp *combine, const xg_literal *l, xg_arena *a) {
    xg_literal *i = xg_literal_new(a, l->shape);
    return xg_combiner_identity(combine, i) &&
           (xg_literal_equal(i, l) || (xg_eval_single(combine) == XG_ADD && (xg_type_class(l->shape->type) & XGT_F) &&
                                          xg_literal_get_float(l, 0) == 0));
}

#endif /* XG_SCHED_ANALYSIS_C */
