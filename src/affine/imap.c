/* affine/imap.c -- indexing maps: making, composing, evaluating, comparing.
 *
 * A composition substitutes results for dims, puts the symbols of both maps side by side and keeps every condition: the
 * constraints of the first, those of the second rewritten, and that each result lies in the interval of the dim it
 * becomes. Simplification then drops what is implied, which for well-typed maps is nearly all of it. */
#ifndef XG_AFFINE_IMAP_C
#define XG_AFFINE_IMAP_C
#include "affine.h"

/* ---- making ---- */

XG_FN xg_imap *xg_imap_new(
    xg_aff_ctx *x, uint32_t n_dims, uint32_t n_syms, uint32_t n_rts, uint32_t n_results, uint32_t n_constraints) {
    xg_imap *m = XG_NEW(x->arena, xg_imap);
    m->n_dims = n_dims;
    m->n_syms = n_syms;
    m->n_rts = n_rts;
    m->n_results = n_results;
    m->n_constraints = n_constraints;
    m->dims = XG_NEW_N(x->arena, xg_imap_var, (size_t)n_dims + n_syms + n_rts);
    m->syms = m->dims + n_dims;
    if (n_rts) m->rts = XG_NEW_N(x->arena, xg_imap_rt, n_rts);
    m->results = XG_NEW_N(x->arena, const xg_aff *, n_results);
    if (n_constraints) m->constraints = XG_NEW_N(x->arena, xg_constraint, n_constraints);
    return m;
}

XG_FN void xg_imap_counts(xg_imap_var *v, const char *name, int64_t n) {
    v->name = xg_str_z(name);
    v->range = xg_range_of(0, n - 1);
}

XG_FN const xg_imap *xg_imap_undefined(xg_aff_ctx *x) {
    xg_imap *m = xg_imap_new(x, 0, 0, 0, 0, 0);
    m->state = XG_IMAP_UNDEFINED;
    return m;
}

XG_FN const xg_imap *xg_imap_empty(xg_aff_ctx *x, uint32_t n_dims, uint32_t n_results) {
    xg_imap *m = xg_imap_new(x, n_dims, 0, 0, n_results, 0);
    uint32_t i;
    m->state = XG_IMAP_EMPTY;
    for (i = 0; i < n_dims; i++) m->dims[i].range = xg_range_of(0, -1);
    for (i = 0; i < n_results; i++) m->results[i] = xg_aff_const(x, 0);
    return m;
}

XG_FN const xg_imap *xg_imap_identity(xg_aff_ctx *x, const int64_t *dims, uint32_t rank) {
    xg_imap *m = xg_imap_new(x, rank, 0, 0, rank, 0);
    uint32_t i;
    for (i = 0; i < rank; i++) {
        m->dims[i].range = xg_range_of(0, dims[i] - 1);
        m->results[i] = xg_aff_dim(x, i);
    }
    return xg_imap_simplify(x, m);
}

XG_FN bool xg_imap_ok(const xg_imap *m) { return m->state == XG_IMAP_OK; }

/* A dim of one point is written as its constant, which is the identity as well. */
XG_FN bool xg_imap_is_identity(const xg_imap *m) {
    uint32_t i;
    if (!xg_imap_ok(m) || m->n_syms || m->n_rts || m->n_constraints || m->n_results != m->n_dims) return false;
    for (i = 0; i < m->n_dims; i++) {
        const xg_aff *e = m->results[i];
        bool point = e->kind == XG_AFF_CONST && m->dims[i].range.lo == e->k && m->dims[i].range.hi == e->k;
        if (!point && !(e->kind == XG_AFF_DIM && e->n == i)) return false;
    }
    return true;
}

XG_FN xg_imap *xg_imap_copy(xg_aff_ctx *x, const xg_imap *m, uint32_t more_constraints) {
    xg_imap *to = xg_imap_new(x, m->n_dims, m->n_syms, m->n_rts, m->n_results, m->n_constraints + more_constraints);
    to->state = m->state;
    to->rt_size = m->rt_size;
    if (m->n_dims) memcpy(to->dims, m->dims, m->n_dims * sizeof *m->dims);
    if (m->n_syms + m->n_rts) memcpy(to->syms, m->syms, (m->n_syms + m->n_rts) * sizeof *m->syms);
    if (m->n_rts) memcpy(to->rts, m->rts, m->n_rts * sizeof *m->rts);
    if (m->n_results) memcpy(to->results, m->results, m->n_results * sizeof *m->results);
    if (m->n_constraints) memcpy(to->constraints, m->constraints, m->n_constraints * sizeof *m->constraints);
    return to;
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

/* ---- names ---- */

XG_FN xg_str xg_imap_default_name(xg_aff_ctx *x, const char *prefix, uint32_t which) {
    xg_buf b;
    xg_buf_init(&b, x->arena);
    xg_printf(&b, "%s%u", prefix, which);
    return xg_str_of(b.p, b.n);
}
XG_FN xg_str xg_imap_sym_name(xg_aff_ctx *x, const xg_imap *m, uint32_t which) {
    if (m->syms[which].name.n) return m->syms[which].name;
    return which < m->n_syms ? xg_imap_default_name(x, "s", which) : xg_imap_default_name(x, "rt", which - m->n_syms);
}

/* "d0", "s12", "rt3": what an unnamed variable may be called. */
XG_FN bool xg_imap_looks_default(xg_str s) {
    uint32_t i = s.n >= 2 && s.p[0] == 'r' && s.p[1] == 't'     ? 2
                 : s.n >= 1 && (s.p[0] == 'd' || s.p[0] == 's') ? 1
                                                                : s.n;
    if (i == s.n) return false;
    for (; i < s.n; i++)
        if (s.p[i] < '0' || s.p[i] > '9') return false;
    return true;
}

/* After variables of two maps came together: a name that occurs twice, or could be taken for a position, is dropped. */
XG_FN void xg_imap_fix_names(xg_aff_ctx *x, xg_imap *m) {
    enum {
        FEW = 16
    }; /* compared with each other, which takes no table */
    uint32_t n = m->n_dims + m->n_syms + m->n_rts, i, k;
    xg_dict seen;
    xg_dict_init(&seen, x->arena);
    for (i = 0; i < n; i++) {
        xg_imap_var *v = i < m->n_dims ? &m->dims[i] : &m->syms[i - m->n_dims];
        if (!v->name.n) continue;
        if (xg_imap_looks_default(v->name))
            v->name.n = 0;
        else if (n > FEW) {
            if (!xg_dict_put(&seen, v->name, v)) v->name.n = 0;
        } else
            for (k = 0; k < i && v->name.n; k++)
                if (xg_str_eq((k < m->n_dims ? &m->dims[k] : &m->syms[k - m->n_dims])->name, v->name)) v->name.n = 0;
    }
}

/* ---- runtime symbols ---- */

/* Counts them; false when they are too many to walk over. */
XG_FN bool xg_imap_count_rts(xg_imap *m) {
    uint32_t i;
    m->rt_size = m->n_rts;
    for (i = 0; i < m->n_rts && m->rt_size <= XG_IMAP_RTS_MAX; i++)
        if (m->rts[i].map) m->rt_size += m->rts[i].map->rt_size;
    return m->rt_size <= XG_IMAP_RTS_MAX;
}

/* ---- composing ---- */

XG_FN bool xg_range_equal(xg_range a, xg_range b) { return a.lo == b.lo && a.hi == b.hi; }

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

XG_FN const xg_imap *xg_imap_syms_to_dims(xg_aff_ctx *x, const xg_imap *m) {
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

/* ---- evaluating ---- */

XG_FN bool xg_range_has(xg_range r, int64_t v) { return r.lo <= v && v <= r.hi; }

XG_FN bool xg_imap_in_domain(const xg_imap *m, const int64_t *dims, const int64_t *syms) {
    int64_t v;
    uint32_t i;
    if (m->state != XG_IMAP_OK) return false;
    for (i = 0; i < m->n_dims; i++)
        if (!xg_range_has(m->dims[i].range, dims[i])) return false;
    for (i = 0; i < m->n_syms + m->n_rts; i++)
        if (!xg_range_has(m->syms[i].range, syms[i])) return false;
    for (i = 0; i < m->n_constraints; i++)
        if (!xg_aff_eval(m->constraints[i].expr, dims, syms, &v) || !xg_range_has(m->constraints[i].range, v))
            return false;
    return true;
}

XG_FN bool xg_imap_eval(const xg_imap *m, const int64_t *dims, const int64_t *syms, int64_t *results) {
    uint32_t i;
    if (!xg_imap_in_domain(m, dims, syms)) return false;
    for (i = 0; i < m->n_results; i++)
        if (!xg_aff_eval(m->results[i], dims, syms, &results[i])) return false;
    return true;
}

/* ---- comparing ---- */

XG_FN bool xg_imap_equal(const xg_imap *a, const xg_imap *b) {
    uint32_t i;
    if (a == b) return true;
    if (a->state != b->state || a->n_dims != b->n_dims || a->n_syms != b->n_syms || a->n_rts != b->n_rts ||
        a->n_results != b->n_results || a->n_constraints != b->n_constraints)
        return false;
    for (i = 0; i < a->n_dims; i++)
        if (!xg_range_equal(a->dims[i].range, b->dims[i].range)) return false;
    for (i = 0; i < a->n_syms + a->n_rts; i++)
        if (!xg_range_equal(a->syms[i].range, b->syms[i].range)) return false;
    for (i = 0; i < a->n_results; i++)
        if (a->results[i] != b->results[i]) return false;
    for (i = 0; i < a->n_constraints; i++)
        if (a->constraints[i].expr != b->constraints[i].expr ||
            !xg_range_equal(a->constraints[i].range, b->constraints[i].range))
            return false;
    for (i = 0; i < a->n_rts; i++) {
        const xg_imap *ma = a->rts[i].map, *mb = b->rts[i].map;
        if (a->rts[i].source != b->rts[i].source || !ma != !mb || (ma && !xg_imap_equal(ma, mb))) return false;
    }
    return true;
}

XG_FN uint32_t xg_imap_hash(const xg_imap *m) {
    uint32_t h = xg_hash_mix((uint32_t)m->state, ((uint64_t)m->n_dims << 32) + m->n_syms), i;
    h = xg_hash_mix(h, ((uint64_t)m->n_results << 32) + m->n_constraints);
    for (i = 0; i < m->n_dims; i++)
        h = xg_hash_mix(xg_hash_mix(h, (uint64_t)m->dims[i].range.lo), (uint64_t)m->dims[i].range.hi);
    for (i = 0; i < m->n_syms + m->n_rts; i++)
        h = xg_hash_mix(xg_hash_mix(h, (uint64_t)m->syms[i].range.lo), (uint64_t)m->syms[i].range.hi);
    for (i = 0; i < m->n_results; i++) h = xg_hash_mix(h, m->results[i] ? m->results[i]->id : 0);
    for (i = 0; i < m->n_constraints; i++) {
        h = xg_hash_mix(h, m->constraints[i].expr ? m->constraints[i].expr->id : 0);
        h = xg_hash_mix(xg_hash_mix(h, (uint64_t)m->constraints[i].range.lo), (uint64_t)m->constraints[i].range.hi);
    }
    return h;
}

XG_FN xg_aff_env xg_imap_env(xg_aff_ctx *x, const xg_imap *m) {
    uint32_t n = m->n_syms + m->n_rts, i;
    xg_range *dims = XG_NEW_N(x->arena, xg_range, m->n_dims), *syms = XG_NEW_N(x->arena, xg_range, n);
    for (i = 0; i < m->n_dims; i++) dims[i] = m->dims[i].range;
    for (i = 0; i < n; i++) syms[i] = m->syms[i].range;
    return xg_aff_env_of(x, dims, m->n_dims, syms, n);
}

XG_FN xg_range xg_imap_result_range(xg_aff_ctx *x, const xg_imap *m, uint32_t which) {
    const xg_aff *e = m->results[which];
    xg_aff_env env;
    xg_range r;
    xg_linear l;
    uint32_t k;
    if (!e) return xg_range_of(INT64_MIN, INT64_MAX);
    xg_aff_linear(e, &l);
    r = xg_range_of(l.k, l.k);
    for (k = 0; k < l.n; k++) { /* most are sums of variables */
        const xg_aff *v = l.terms[k].of;
        if (v->kind == XG_AFF_DIM && v->n < m->n_dims)
            r = xg_range_add(r, xg_range_scale(m->dims[v->n].range, l.terms[k].scale));
        else if (v->kind == XG_AFF_SYM && v->n < m->n_syms + m->n_rts)
            r = xg_range_add(r, xg_range_scale(m->syms[v->n].range, l.terms[k].scale));
        else
            break;
    }
    if (k == l.n) return r;
    env = xg_imap_env(x, m);
    return xg_aff_range(&env, e);
}

#endif /* XG_AFFINE_IMAP_C */
