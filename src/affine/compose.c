/* affine/compose.c -- indexing maps made of others, simplified.
 *
 * A composition substitutes results for dims, puts the symbols of both maps side by side and keeps every condition: the
 * constraints of the first, those of the second rewritten, and that each result lies in the interval of the dim it
 * becomes. Simplification then drops what is implied, which for well-typed maps is nearly all of it. */
#ifndef XG_AFFINE_COMPOSE_C
#define XG_AFFINE_COMPOSE_C
#include "affine.h"

XG_FN const xg_imap *xg_imap_identity(xg_aff_ctx *x, const int64_t *dims, uint32_t rank) {
    xg_imap *m = xg_imap_of_dims(x, rank, rank);
    uint32_t i;
    for (i = 0; i < rank; i++) {
        m->dims[i].range = xg_range_of(0, dims[i] - 1);
        m->results[i] = xg_aff_dim(x, i);
    }
    return xg_imap_simplify(x, m);
}

XG_FN const xg_imap *xg_imap_with_results(xg_aff_ctx *x, const xg_imap *m, const xg_aff *const *results, uint32_t n) {
    xg_imap *to = xg_imap_copy(x, m, 0);
    if (m->state == XG_IMAP_UNDEFINED) return m;
    to->n_results = n;
    to->results = XG_NEW_N(x->arena, const xg_aff *, n);
    if (n) memcpy(to->results, results, n * sizeof *results);
    return xg_imap_simplify(x, to);
}

XG_FN const xg_imap *xg_imap_with_constraint(xg_aff_ctx *x, const xg_imap *m, const xg_aff *e, xg_range r) {
    xg_imap *to = xg_imap_copy(x, m, 1);
    to->constraints[m->n_constraints].expr = e;
    to->constraints[m->n_constraints].range = r;
    return xg_imap_simplify(x, to);
}

/* ---- composing ---- */

/* Where symbols of a map go: range symbols from `at`, runtime symbols from `rt_at`. */
XG_FN const xg_aff **xg_imap_moved_syms(xg_aff_ctx *x, const xg_imap *m, uint32_t at, uint32_t rt_at) {
    const xg_aff **to = XG_NEW_N(x->arena, const xg_aff *, (size_t)m->n_syms + m->n_rts + 1);
    uint32_t i;
    for (i = 0; i < m->n_syms + m->n_rts; i++) to[i] = xg_aff_sym(x, i < m->n_syms ? at + i : rt_at + i - m->n_syms);
    return to;
}

/* Symbols of both side by side; a runtime symbol of the second is read at the place that the first leads to. */
XG_FN void xg_imap_join_syms(xg_aff_ctx *x, xg_imap *to, const xg_imap *first, const xg_imap *second) {
    uint32_t i, rt = first->n_syms + second->n_syms;
    for (i = 0; i < first->n_syms; i++) to->syms[i] = first->syms[i];
    for (i = 0; i < second->n_syms; i++) to->syms[first->n_syms + i] = second->syms[i];
    for (i = 0; i < first->n_rts; i++) {
        to->syms[rt + i] = first->syms[first->n_syms + i];
        to->rts[i] = first->rts[i];
    }
    for (i = 0; i < second->n_rts; i++) {
        xg_imap_rt *r = &to->rts[first->n_rts + i];
        to->syms[rt + first->n_rts + i] = second->syms[second->n_syms + i];
        *r = second->rts[i];
        if (r->map) r->map = xg_imap_drop_unused(x, xg_imap_compose(x, first, r->map), XG_DROP_RTS, NULL);
    }
}

XG_FN void xg_imap_join_constraints(
    xg_imap *to, const xg_imap *first, const xg_imap *second, xg_aff_rewrite *w1, xg_aff_rewrite *w2) {
    uint32_t n = 0, i;
    for (i = 0; i < first->n_constraints; i++, n++) {
        to->constraints[n] = first->constraints[i];
        to->constraints[n].expr = xg_aff_rewrite_one(w1, first->constraints[i].expr);
    }
    for (i = 0; i < second->n_dims; i++, n++) {
        to->constraints[n].expr = w2->dims[i];
        to->constraints[n].range = second->dims[i].range;
    }
    for (i = 0; i < second->n_constraints; i++, n++) {
        to->constraints[n] = second->constraints[i];
        to->constraints[n].expr = xg_aff_rewrite_one(w2, second->constraints[i].expr);
    }
}

/* Every result of first lies in the interval of second's dim. */
XG_FN bool xg_imap_results_fit(xg_aff_ctx *x, const xg_imap *first, const xg_imap *second) {
    xg_aff_env env = xg_imap_env(x, first);
    uint32_t i;
    if (first->n_results != second->n_dims) return false;
    for (i = 0; i < first->n_results; i++) {
        xg_range r = xg_aff_range(&env, first->results[i]);
        if (r.lo < second->dims[i].range.lo || r.hi > second->dims[i].range.hi) return false;
    }
    return true;
}
XG_FN bool xg_imap_same_unnamed_dims(const xg_imap *first, const xg_imap *second) {
    uint32_t i;
    if (first->n_dims != second->n_dims) return false;
    for (i = 0; i < first->n_dims; i++)
        if (first->dims[i].name.n || second->dims[i].name.n ||
            !xg_range_equal(first->dims[i].range, second->dims[i].range))
            return false;
    return true;
}

XG_FN const xg_imap *xg_imap_compose(xg_aff_ctx *x, const xg_imap *first, const xg_imap *second) {
    const xg_aff **syms1, **syms2, **moved;
    xg_aff_rewrite w;
    xg_aff_env env;
    xg_imap *to;
    uint32_t i;
    if (first->state == XG_IMAP_UNDEFINED || second->state == XG_IMAP_UNDEFINED) return xg_imap_undefined(x);
    if (first->state == XG_IMAP_EMPTY || second->state == XG_IMAP_EMPTY)
        return xg_imap_empty(x, first->n_dims, second->n_results);
    XLAGPU_ASSERT(first->n_results == second->n_dims);
    if (xg_imap_is_identity(second) && xg_imap_results_fit(x, first, second)) return first;
    if (xg_imap_is_identity(first) && xg_imap_same_unnamed_dims(first, second)) return second;
    if (first->n_results != second->n_dims ||
        first->n_syms + first->n_rts + second->n_syms + second->n_rts > XG_IMAP_VARS_MAX)
        return xg_imap_undefined(x);
    to = xg_imap_new(x, first->n_dims, first->n_syms + second->n_syms, first->n_rts + second->n_rts, second->n_results,
        first->n_constraints + second->n_dims + second->n_constraints);
    if (first->n_dims) memcpy(to->dims, first->dims, first->n_dims * sizeof *first->dims);
    xg_imap_join_syms(x, to, first, second);
    if (!xg_imap_count_rts(to)) return xg_imap_undefined(x);
    syms1 = xg_imap_moved_syms(x, first, 0, first->n_syms + second->n_syms);
    syms2 = xg_imap_moved_syms(x, second, first->n_syms, first->n_syms + second->n_syms + first->n_rts);
    env = xg_imap_env(x, to);
    /* the first map with its symbols renumbered: symbols keep their ranges, only their numbers change */
    moved = XG_NEW_N(x->arena, const xg_aff *, (size_t)first->n_results + 1);
    {
        xg_aff_rewrite w1 = xg_aff_rewrite_begin(&env, NULL, 0, syms1, first->n_syms + first->n_rts);
        for (i = 0; i < first->n_results; i++) moved[i] = xg_aff_rewrite_one(&w1, first->results[i]);
        w = xg_aff_rewrite_begin(&env, moved, first->n_results, syms2, second->n_syms + second->n_rts);
        for (i = 0; i < second->n_results; i++) to->results[i] = xg_aff_rewrite_one(&w, second->results[i]);
        /* the memo of a node belongs to one rewriting at a time, so those of the first begin anew */
        w1 = xg_aff_rewrite_begin(&env, NULL, 0, syms1, first->n_syms + first->n_rts);
        xg_imap_join_constraints(to, first, second, &w1, &w);
    }
    xg_imap_fix_names(x, to);
    return xg_imap_simplify_domain(x, to);
}

XG_APART XG_FN const xg_imap *xg_imap_syms_to_dims(xg_aff_ctx *x, const xg_imap *m) {
    uint32_t n = m->n_syms + m->n_rts, i;
    const xg_aff **to_dims = XG_NEW_N(x->arena, const xg_aff *, (size_t)n + 1);
    xg_imap *to = xg_imap_new(x, m->n_dims + n, 0, 0, m->n_results, m->n_constraints);
    xg_aff_rewrite w;
    to->state = m->state;
    if (m->n_dims) memcpy(to->dims, m->dims, m->n_dims * sizeof *m->dims);
    for (i = 0; i < n; i++) {
        to->dims[m->n_dims + i] = m->syms[i];
        to_dims[i] = xg_aff_dim(x, m->n_dims + i);
    }
    w = xg_aff_rewrite_begin(&x->anywhere, NULL, 0, to_dims, n);
    for (i = 0; i < m->n_results; i++) to->results[i] = xg_aff_rewrite_one(&w, m->results[i]);
    for (i = 0; i < m->n_constraints; i++) {
        to->constraints[i] = m->constraints[i];
        to->constraints[i].expr = xg_aff_rewrite_one(&w, m->constraints[i].expr);
    }
    xg_imap_fix_names(x, to);
    return xg_imap_simplify(x, to);
}

#endif /* XG_AFFINE_COMPOSE_C */
