/* affine/simplify.c -- the domain of a map, reduced to what says something.
 *
 * Rounds of: simplify results and constraints under the ranges; turn each constraint into its plainest form, where it
 * may
 *   - vanish (always true), end the map (never true), or narrow a variable's interval (an expression that is one
 *     variable),
 *   - lose its constant, its common factor, its sign, an outer quotient, and a small rest:  g*a + r in [lo, hi]  ->  a
 *     in [lo', hi'];
 * then merge equal expressions and remainders of one expression (a mod 4 = 0 and a mod 6 = 0 -> a mod 12 = 0), sort. A
 * narrower interval may allow more, so another round follows; they are bounded, and stopping early is only less
 * simple. */
#ifndef XG_AFFINE_SIMPLIFY_C
#define XG_AFFINE_SIMPLIFY_C
#include "affine.h"

typedef enum xg_verdict {
    XG_KEEP,
    XG_TRUE,
    XG_FALSE,
    XG_AGAIN
} xg_verdict;

XG_FN int64_t xg_ceil_div(int64_t a, int64_t b) { return a / b + (a % b > 0); }

/* v in [lo, hi] divided by g: the whole numbers whose multiples lie in it; unbounded ends stay. */
XG_FN xg_range xg_range_shrink(xg_range r, int64_t g) {
    return xg_range_of(
        r.lo == INT64_MIN ? r.lo : xg_ceil_div(r.lo, g), r.hi == INT64_MAX ? r.hi : xg_floor_div(r.hi, g));
}

/* g*a + e in [lo, hi] with e in small, 0 <= e < g: the same said of a alone, where the ends allow it. */
XG_FN bool xg_range_without_rest(xg_range r, xg_range little, int64_t g, xg_range *out) {
    *out = r;
    if (r.lo != INT64_MIN) {
        int64_t t = xg_floor_mod(r.lo, g);
        if (t > little.lo && t <= little.hi) return false;
        out->lo = xg_floor_div(r.lo, g) + (t > little.hi);
    }
    if (r.hi != INT64_MAX) {
        int64_t s = xg_floor_mod(r.hi, g);
        if (s >= little.lo && s < little.hi) return false;
        out->hi = xg_floor_div(r.hi, g) - (s < little.lo);
    }
    return true;
}

/* One step on a constraint over a sum. */
XG_FN xg_verdict xg_constraint_step_sum(xg_aff_env *env, xg_constraint *c) {
    const xg_aff *e = c->expr, *a, *rest;
    xg_range shifted, out;
    int64_t g = 0, below = INT64_MAX;
    uint32_t i;
    if (e->k) {
        if (e->k == INT64_MIN) return XG_KEEP;
        shifted = xg_range_add(c->range, xg_range_of(-e->k, -e->k));
        if ((c->range.lo != INT64_MIN && shifted.lo == INT64_MIN) ||
            (c->range.hi != INT64_MAX && shifted.hi == INT64_MAX))
            return XG_KEEP;
        if ((a = xg_aff_add_k(env->x, e, -e->k)) == NULL) return XG_KEEP;
        c->expr = a;
        c->range = shifted;
        return XG_AGAIN;
    }
    for (i = 0; i < e->n; i++) g = xg_gcd(g, e->terms[i].scale);
    if (e->terms[0].scale < 0) {
        if (c->range.lo == INT64_MIN + 1 || c->range.hi == INT64_MIN + 1 || (a = xg_aff_mul(env->x, e, -1)) == NULL)
            return XG_KEEP;
        c->expr = a;
        c->range = xg_range_of(
            c->range.hi == INT64_MAX ? INT64_MIN : -c->range.hi, c->range.lo == INT64_MIN ? INT64_MAX : -c->range.lo);
        return XG_AGAIN;
    }
    if (g > 1) {
        c->expr = xg_aff_by_multiples(env->x, e, g, XG_PART_QUOTIENT);
        c->range = xg_range_shrink(c->range, g);
        return XG_AGAIN;
    }
    for (;;) { /* a small rest under the largest coefficient that allows it */
        for (g = 0, i = 0; i < e->n; i++) {
            int64_t d = xg_gcd(e->terms[i].scale, 0);
            if (d < below && d > g) g = d;
        }
        if (g <= 1) return XG_KEEP;
        if (xg_aff_split(env, e, g, &a, &rest) && a && rest &&
            xg_range_without_rest(c->range, xg_aff_range(env, rest), g, &out))
            break;
        below = g;
    }
    c->expr = a;
    c->range = out;
    return XG_AGAIN;
}

/* One step towards the plain form. Every step removes a part of the expression. */
XG_FN xg_verdict xg_constraint_step(xg_aff_env *env, xg_constraint *c) {
    xg_range r = xg_aff_range(env, c->expr);
    int64_t lo = INT64_MIN, hi = INT64_MAX, k = c->expr->k;
    if (c->range.lo > c->range.hi || (r.lo != INT64_MIN && c->range.hi < r.lo) ||
        (r.hi != INT64_MAX && c->range.lo > r.hi))
        return XG_FALSE;
    if ((c->range.lo == INT64_MIN || (r.lo != INT64_MIN && c->range.lo <= r.lo)) &&
        (c->range.hi == INT64_MAX || (r.hi != INT64_MAX && c->range.hi >= r.hi)))
        return XG_TRUE;
    c->range = xg_range_meet(c->range, r);
    if (c->expr->kind == XG_AFF_SUM) return xg_constraint_step_sum(env, c);
    if (c->expr->kind != XG_AFF_DIV) return XG_KEEP;
    if (c->range.lo != INT64_MIN && !xg_mul64(c->range.lo, k, &lo)) return XG_KEEP;
    if (c->range.hi != INT64_MAX &&
        (c->range.hi == INT64_MAX - 1 || !xg_mul64(c->range.hi + 1, k, &hi) || !xg_add64(hi, -1, &hi)))
        return XG_KEEP;
    c->expr = c->expr->of;
    c->range = xg_range_of(lo, hi);
    return XG_AGAIN;
}

/* Narrows the variable that the constraint speaks about; false when it is about more than one variable. */
XG_FN bool xg_constraint_to_var(xg_imap *m, const xg_constraint *c, bool *changed) {
    const xg_aff *e = c->expr;
    xg_imap_var *v = e->kind == XG_AFF_DIM && e->n < m->n_dims              ? &m->dims[e->n]
                     : e->kind == XG_AFF_SYM && e->n < m->n_syms + m->n_rts ? &m->syms[e->n]
                                                                            : NULL;
    xg_range r;
    /* A runtime symbol's interval says how its value is clamped, not where the map applies: a condition on it stays a
     * condition. */
    if (!v || (e->kind == XG_AFF_SYM && e->n >= m->n_syms)) return false;
    r = xg_range_meet(v->range, c->range);
    if (r.lo != v->range.lo || r.hi != v->range.hi) *changed = true;
    v->range = r;
    return true;
}

/* Heap sort by expression: no recursion, n log n at worst. */
XG_FN void xg_constraints_sift(xg_constraint *c, uint32_t root, uint32_t n) {
    for (;;) {
        uint32_t child = root * 2 + 1;
        xg_constraint t;
        if (child >= n) return;
        if (child + 1 < n && xg_aff_compare(c[child].expr, c[child + 1].expr) < 0) child++;
        if (xg_aff_compare(c[root].expr, c[child].expr) >= 0) return;
        t = c[root];
        c[root] = c[child];
        c[child] = t;
        root = child;
    }
}
XG_FN void xg_constraints_sort(xg_constraint *c, uint32_t n) {
    uint32_t i;
    for (i = n / 2; i > 0; i--) xg_constraints_sift(c, i - 1, n);
    for (i = n; i > 1; i--) {
        xg_constraint t = c[0];
        c[0] = c[i - 1];
        c[i - 1] = t;
        xg_constraints_sift(c, 0, i - 1);
    }
}

/* Both say "this is a multiple": a mod m = 0 and a mod n = 0. Then one remainder by the least common multiple says
 * it. */
XG_FN bool xg_constraints_join_mod(xg_aff_env *env, xg_constraint *a, const xg_constraint *b) {
    const xg_aff *e;
    int64_t lcm;
    if (a->expr->kind != XG_AFF_MOD || b->expr->kind != XG_AFF_MOD || a->expr->of != b->expr->of) return false;
    if (a->range.lo || a->range.hi || b->range.lo || b->range.hi) return false;
    if (!xg_mul64(a->expr->k / xg_gcd(a->expr->k, b->expr->k), b->expr->k, &lcm)) return false;
    e = xg_aff_mod_in(env, a->expr->of, lcm);
    if (!e || e->kind != XG_AFF_MOD) return false; /* it took another form: leave both */
    a->expr = e;
    return true;
}

XG_FN void xg_constraints_merge(xg_aff_env *env, xg_imap *m) {
    uint32_t i, n = 0;
    xg_constraints_sort(m->constraints, m->n_constraints);
    for (i = 0; i < m->n_constraints; i++) {
        xg_constraint c = m->constraints[i];
        if (n && m->constraints[n - 1].expr == c.expr)
            m->constraints[n - 1].range = xg_range_meet(m->constraints[n - 1].range, c.range);
        else if (!n || !xg_constraints_join_mod(env, &m->constraints[n - 1], &c))
            m->constraints[n++] = c;
    }
    for (i = 0; i < n; i++)
        if (m->constraints[i].range.lo > m->constraints[i].range.hi) m->state = XG_IMAP_EMPTY;
    m->n_constraints = n;
}

/* All constraints to their plain form; true when a variable's interval became narrower. */
XG_FN bool xg_imap_reduce_constraints(xg_aff_env *env, xg_imap *m) {
    bool changed = false;
    uint32_t i, n = 0;
    for (i = 0; i < m->n_constraints; i++) {
        xg_constraint c = m->constraints[i];
        xg_verdict v;
        while ((v = xg_constraint_step(env, &c)) == XG_AGAIN) {}
        if (v == XG_FALSE) {
            m->state = XG_IMAP_EMPTY;
            return false;
        }
        if (v == XG_TRUE || xg_constraint_to_var(m, &c, &changed)) continue;
        m->constraints[n++] = c;
    }
    m->n_constraints = n;
    xg_constraints_merge(env, m);
    return changed;
}

XG_FN bool xg_imap_rewrite_all(xg_aff_env *env, xg_imap *m) {
    xg_aff_rewrite w = xg_aff_rewrite_begin(env, NULL, 0, NULL, 0);
    uint32_t i;
    for (i = 0; i < m->n_results; i++)
        if ((m->results[i] = xg_aff_rewrite_one(&w, m->results[i])) == NULL) return false;
    for (i = 0; i < m->n_constraints; i++)
        if ((m->constraints[i].expr = xg_aff_rewrite_one(&w, m->constraints[i].expr)) == NULL) return false;
    return true;
}

XG_FN bool xg_imap_is_whole(const xg_imap *m) { /* no expression became too large */
    uint32_t i;
    for (i = 0; i < m->n_results; i++)
        if (!m->results[i]) return false;
    for (i = 0; i < m->n_constraints; i++)
        if (!m->constraints[i].expr) return false;
    return true;
}

XG_FN bool xg_imap_has_empty_range(const xg_imap *m) {
    uint32_t i;
    for (i = 0; i < m->n_dims; i++)
        if (m->dims[i].range.lo > m->dims[i].range.hi) return true;
    for (i = 0; i < m->n_syms + m->n_rts; i++)
        if (m->syms[i].range.lo > m->syms[i].range.hi) return true;
    return false;
}

XG_FN bool xg_imap_has_point(const xg_imap *m) { /* a variable that is a number */
    uint32_t i;
    for (i = 0; i < m->n_dims; i++)
        if (xg_range_is_point(m->dims[i].range)) return true;
    for (i = 0; i < m->n_syms + m->n_rts; i++)
        if (xg_range_is_point(m->syms[i].range)) return true;
    return false;
}

/* Results are sums of variables that have more than one value, under no conditions: there is nothing to simplify. */
XG_FN bool xg_imap_is_plain(const xg_imap *m) {
    uint32_t i, k;
    if (m->n_constraints || m->n_rts || xg_imap_has_empty_range(m)) return false;
    for (i = 0; i < m->n_results; i++) {
        xg_linear l;
        if (!m->results[i]) return false;
        if (m->results[i]->kind == XG_AFF_DIM && m->results[i]->n < m->n_dims &&
            !xg_range_is_point(m->dims[m->results[i]->n].range))
            continue;
        xg_aff_linear(m->results[i], &l);
        for (k = 0; k < l.n; k++) {
            const xg_aff *v = l.terms[k].of;
            if (v->kind == XG_AFF_DIM
                    ? v->n >= m->n_dims || xg_range_is_point(m->dims[v->n].range)
                    : v->kind != XG_AFF_SYM || v->n >= m->n_syms || xg_range_is_point(m->syms[v->n].range))
                return false;
        }
    }
    return true;
}

XG_FN const xg_imap *xg_imap_simplify_rounds(xg_aff_ctx *x, const xg_imap *from, bool rewritten) {
    enum {
        ROUNDS = 8
    };
    xg_imap *m;
    int round;
    bool narrower = true;
    if (from->state != XG_IMAP_OK || xg_imap_is_plain(from)) return from;
    rewritten = rewritten && !xg_imap_has_point(from);
    m = xg_imap_copy(x, from, 0);
    for (round = 0; narrower && round < ROUNDS && !xg_imap_has_empty_range(m); round++) {
        xg_aff_env env = xg_imap_env(x, m);
        if (round || !rewritten ? !xg_imap_rewrite_all(&env, m) : !xg_imap_is_whole(m)) return xg_imap_undefined(x);
        narrower = xg_imap_reduce_constraints(&env, m);
        if (m->state == XG_IMAP_EMPTY) break;
    }
    if (m->state == XG_IMAP_EMPTY || xg_imap_has_empty_range(m)) return xg_imap_empty(x, m->n_dims, m->n_results);
    return xg_imap_count_rts(m) ? m : xg_imap_undefined(x);
}
XG_FN const xg_imap *xg_imap_simplify(xg_aff_ctx *x, const xg_imap *m) { return xg_imap_simplify_rounds(x, m, false); }
XG_FN const xg_imap *xg_imap_simplify_domain(xg_aff_ctx *x, const xg_imap *m) {
    return xg_imap_simplify_rounds(x, m, true);
}

/* ---- variables that nothing uses ---- */

/* One mark per variable of a map: dims, then range symbols, then runtime symbols. */
typedef struct xg_imap_marks {
    bool *dim, *sym;
} xg_imap_marks;

XG_FN xg_imap_marks xg_imap_marks_new(xg_aff_ctx *x, const xg_imap *m) {
    xg_imap_marks k;
    k.dim = XG_NEW_N(x->arena, bool, (size_t)m->n_dims + 1);
    k.sym = XG_NEW_N(x->arena, bool, (size_t)m->n_syms + m->n_rts + 1);
    return k;
}

XG_FN void xg_imap_mark_expr(const xg_aff *e, xg_imap_marks k) {
    uint32_t i;
    if (e->kind == XG_AFF_DIM) k.dim[e->n] = true;
    if (e->kind == XG_AFF_SYM) k.sym[e->n] = true;
    if (e->of) xg_imap_mark_expr(e->of, k);
    if (e->kind == XG_AFF_SUM)
        for (i = 0; i < e->n; i++) xg_imap_mark_expr(e->terms[i].of, k);
}

/* What results, constraints and the places of used runtime symbols mention. rt_size bounds the walk. */
XG_FN xg_imap_marks xg_imap_mark(xg_aff_ctx *x, const xg_imap *m) {
    xg_imap_marks k = xg_imap_marks_new(x, m);
    uint32_t i, j;
    for (i = 0; i < m->n_results; i++) xg_imap_mark_expr(m->results[i], k);
    for (i = 0; i < m->n_constraints; i++) xg_imap_mark_expr(m->constraints[i].expr, k);
    for (i = 0; i < m->n_rts; i++) {
        const xg_imap *at = m->rts[i].map;
        if (!k.sym[m->n_syms + i] || !at || at->state != XG_IMAP_OK) continue;
        {
            xg_imap_marks inner = xg_imap_mark(x, at);
            for (j = 0; j < at->n_dims && j < m->n_dims; j++) k.dim[j] = k.dim[j] || inner.dim[j];
            for (j = 0; j < at->n_syms && j < m->n_syms; j++) k.sym[j] = k.sym[j] || inner.sym[j];
        }
    }
    return k;
}

XG_FN const xg_imap *xg_imap_keep(xg_aff_ctx *x, const xg_imap *m, xg_imap_marks keep);

/* The place of a runtime symbol when its owner keeps only some variables: the same ones go, its own runtime symbols
 * stay. */
XG_FN const xg_imap *xg_imap_keep_place(xg_aff_ctx *x, const xg_imap *at, const xg_imap *owner, xg_imap_marks keep) {
    xg_imap_marks k;
    uint32_t i;
    if (!at || at->state != XG_IMAP_OK) return at;
    k = xg_imap_marks_new(x, at);
    for (i = 0; i < at->n_dims; i++) k.dim[i] = i >= owner->n_dims || keep.dim[i];
    for (i = 0; i < at->n_syms + at->n_rts; i++) k.sym[i] = i >= at->n_syms || i >= owner->n_syms || keep.sym[i];
    return xg_imap_keep(x, at, k);
}

XG_FN bool xg_imap_keeps_all(const xg_imap *m, xg_imap_marks keep) {
    uint32_t i;
    for (i = 0; i < m->n_dims; i++)
        if (!keep.dim[i]) return false;
    for (i = 0; i < m->n_syms + m->n_rts; i++)
        if (!keep.sym[i]) return false;
    return true;
}
XG_FN const xg_imap *xg_imap_keep(xg_aff_ctx *x, const xg_imap *m, xg_imap_marks keep) {
    uint32_t n_dims = 0, n_syms = 0, n_rts = 0, all = m->n_syms + m->n_rts, i;
    const xg_aff **dims, **syms;
    xg_aff_rewrite w;
    xg_imap *to;
    if (xg_imap_keeps_all(m, keep)) return m;
    dims = XG_NEW_N(x->arena, const xg_aff *, (size_t)m->n_dims + 1);
    syms = XG_NEW_N(x->arena, const xg_aff *, (size_t)all + 1);
    for (i = 0; i < m->n_dims; i++)
        dims[i] = keep.dim[i] ? xg_aff_dim(x, n_dims++) : xg_aff_const(x, m->dims[i].range.lo);
    for (i = 0; i < all; i++) {
        syms[i] = keep.sym[i] ? xg_aff_sym(x, n_syms++) : xg_aff_const(x, m->syms[i].range.lo);
        if (keep.sym[i] && i >= m->n_syms) n_rts++;
    }
    to = xg_imap_new(x, n_dims, n_syms - n_rts, n_rts, m->n_results, m->n_constraints);
    for (i = 0, n_dims = 0; i < m->n_dims; i++)
        if (keep.dim[i]) to->dims[n_dims++] = m->dims[i];
    for (i = 0, n_syms = 0, n_rts = 0; i < all; i++) {
        if (!keep.sym[i]) continue;
        to->syms[n_syms++] = m->syms[i];
        if (i < m->n_syms) continue;
        to->rts[n_rts] = m->rts[i - m->n_syms];
        to->rts[n_rts].map = xg_imap_keep_place(x, to->rts[n_rts].map, m, keep);
        n_rts++;
    }
    w = xg_aff_rewrite_begin(&x->anywhere, dims, m->n_dims, syms, all);
    for (i = 0; i < m->n_results; i++) to->results[i] = xg_aff_rewrite_one(&w, m->results[i]);
    for (i = 0; i < m->n_constraints; i++) {
        to->constraints[i].expr = xg_aff_rewrite_one(&w, m->constraints[i].expr);
        to->constraints[i].range = m->constraints[i].range;
    }
    (void)xg_imap_count_rts(to); /* never more than before */
    return to;
}

XG_FN const xg_imap *xg_imap_drop_unused(xg_aff_ctx *x, const xg_imap *m, int what, uint32_t *kept) {
    xg_imap_marks k;
    uint32_t i, n = 0;
    if (m->state != XG_IMAP_OK) return m;
    k = xg_imap_mark(x, m);
    for (i = 0; i < m->n_dims; i++) {
        if (!(what & XG_DROP_DIMS))
            k.dim[i] = true;
        else if (k.dim[i] && kept)
            kept[n++] = i;
    }
    for (i = 0; i < m->n_syms + m->n_rts; i++) {
        if (!(what & (i < m->n_syms ? XG_DROP_SYMS : XG_DROP_RTS)))
            k.sym[i] = true;
        else if (k.sym[i] && kept)
            kept[n++] = i;
    }
    return xg_imap_keep(x, m, k);
}
XG_FN const xg_imap *xg_imap_drop_unused_syms(xg_aff_ctx *x, const xg_imap *m, uint32_t *kept) {
    return xg_imap_drop_unused(x, m, XG_DROP_SYMS | XG_DROP_RTS, kept);
}
XG_FN const xg_imap *xg_imap_drop_unused_dims(xg_aff_ctx *x, const xg_imap *m, uint32_t *kept) {
    return xg_imap_drop_unused(x, m, XG_DROP_DIMS, kept);
}

#endif /* XG_AFFINE_SIMPLIFY_C */
