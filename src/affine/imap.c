/* affine/imap.c -- indexing maps: making, naming, evaluating, comparing. */
#ifndef XG_AFFINE_IMAP_C
#define XG_AFFINE_IMAP_C
#include "affine.h"

/* ---- making ---- */

XG_FN xg_imap *xg_imap_new(
    xg_aff_ctx *x, uint32_t n_dims, uint32_t n_syms, uint32_t n_rts, uint32_t n_results, uint32_t n_constraints) {
    size_t vars = ((size_t)n_dims + n_syms + n_rts) * sizeof(xg_imap_var),
           constraints = n_constraints * sizeof(xg_constraint), rts = n_rts * sizeof(xg_imap_rt),
           results = n_results * sizeof(const xg_aff *);
    char *block;
    xg_imap *m;
    if (XG_UNLIKELY((n_dims | n_syms | n_rts | n_results | n_constraints) >> 24))
        xg_fail(x->ctx, XLAGPU_ERROR_LIMIT, "an indexing map with more than 2^24 variables, results or constraints");
    block = (char *)xg_alloc(x->arena, vars + constraints + sizeof *m + rts + results);
    m = (xg_imap *)(void *)(block + vars + constraints);
    m->n_dims = n_dims;
    m->n_syms = n_syms;
    m->n_rts = n_rts;
    m->n_results = n_results;
    m->n_constraints = n_constraints;
    m->dims = (xg_imap_var *)(void *)block;
    m->syms = m->dims + n_dims;
    if (n_constraints) m->constraints = (xg_constraint *)(void *)(block + vars);
    if (n_rts) m->rts = (xg_imap_rt *)(void *)(m + 1);
    m->results = (const xg_aff **)(void *)((char *)(m + 1) + rts);
    return m;
}
XG_ONE_COPY XG_FN xg_imap *xg_imap_of_dims(xg_aff_ctx *x, uint32_t n_dims, uint32_t n_results) {
    return xg_imap_new(x, n_dims, 0, 0, n_results, 0);
}

XG_FN void xg_imap_counts(xg_imap_var *v, const char *name, int64_t n) {
    v->name = xg_str_z(name);
    v->range = xg_range_of(0, n - 1);
}

XG_FN const xg_imap *xg_imap_undefined(xg_aff_ctx *x) {
    xg_imap *m = xg_imap_of_dims(x, 0, 0);
    m->state = XG_IMAP_UNDEFINED;
    return m;
}

XG_FN const xg_imap *xg_imap_empty(xg_aff_ctx *x, uint32_t n_dims, uint32_t n_results) {
    xg_imap *m = xg_imap_of_dims(x, n_dims, n_results);
    uint32_t i;
    m->state = XG_IMAP_EMPTY;
    for (i = 0; i < n_dims; i++) m->dims[i].range = xg_range_of(0, -1);
    for (i = 0; i < n_results; i++) m->results[i] = xg_aff_const(x, 0);
    return m;
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

XG_FN bool xg_range_equal(xg_range a, xg_range b) { return a.lo == b.lo && a.hi == b.hi; }

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
    xg_range *dims = (xg_range *)xg_alloc_raw(x->arena, ((size_t)m->n_dims + n) * sizeof *dims),
             *syms = dims + m->n_dims;
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
