/* affine/expr.c -- nodes of expressions: hash-consing, their order, their ranges, their values.
 *
 * A node is made once per context, so a memo may live in the node itself: the range under the environment that last
 * asked (known by its stamp). Ranges saturate: INT64_MIN and INT64_MAX stand for "no bound", and an end that would
 * overflow becomes unbounded. */
#ifndef XG_AFFINE_EXPR_C
#define XG_AFFINE_EXPR_C
#include "affine.h"

/* ---- numbers ---- */

XG_ONE_COPY XG_FN int64_t xg_floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }
XG_ONE_COPY XG_FN int64_t xg_floor_mod(int64_t a, int64_t b) {
    int64_t r = a % b;
    return r < 0 ? r + b : r;
}
XG_FN int64_t xg_gcd(int64_t a, int64_t b) {
    uint64_t u = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, v = b < 0 ? 0 - (uint64_t)b : (uint64_t)b, t;
    while (v) {
        t = u % v;
        u = v;
        v = t;
    }
    /* only |INT64_MIN| is beyond: 2^62 divides it as well */
    return u > (uint64_t)INT64_MAX ? INT64_MAX / 2 + 1 : (int64_t)u;
}

XG_FN xg_range xg_range_of(int64_t lo, int64_t hi) {
    xg_range r;
    r.lo = lo;
    r.hi = hi;
    return r;
}
XG_FN bool xg_range_is_point(xg_range r) { return r.lo == r.hi; }
XG_FN bool xg_range_known(xg_range r) { return r.lo != INT64_MIN && r.hi != INT64_MAX; }
XG_FN bool xg_range_within(xg_range inner, xg_range outer) { return inner.lo >= outer.lo && inner.hi <= outer.hi; }
XG_FN xg_range xg_range_meet(xg_range a, xg_range b) { return xg_range_of(XG_MAX(a.lo, b.lo), XG_MIN(a.hi, b.hi)); }
XG_FN xg_range xg_range_add(xg_range a, xg_range b) {
    xg_range r = xg_range_of(INT64_MIN, INT64_MAX);
    if (a.lo != INT64_MIN && b.lo != INT64_MIN && !xg_add64(a.lo, b.lo, &r.lo)) r.lo = INT64_MIN;
    if (a.hi != INT64_MAX && b.hi != INT64_MAX && !xg_add64(a.hi, b.hi, &r.hi)) r.hi = INT64_MAX;
    return r;
}
XG_FN xg_range xg_range_scale(xg_range a, int64_t s) {
    xg_range r = xg_range_of(INT64_MIN, INT64_MAX);
    int64_t lo = s < 0 ? a.hi : a.lo, hi = s < 0 ? a.lo : a.hi;
    if (s == 0) return xg_range_of(0, 0);
    if (lo != INT64_MIN && lo != INT64_MAX && !xg_mul64(lo, s, &r.lo)) r.lo = INT64_MIN;
    if (hi != INT64_MIN && hi != INT64_MAX && !xg_mul64(hi, s, &r.hi)) r.hi = INT64_MAX;
    return r;
}

/* ---- nodes ---- */

XG_FN uint32_t xg_aff_hash_key(const xg_aff *e) {
    uint32_t h = xg_hash_mix((uint32_t)e->kind + e->n * 8, (uint64_t)e->k + ((uint64_t)(e->of ? e->of->id : 0) << 40)),
             i;
    if (e->kind == XG_AFF_SUM)
        for (i = 0; i < e->n; i++) h = xg_hash_mix(h + e->terms[i].of->id, (uint64_t)e->terms[i].scale);
    return h;
}
XG_FN bool xg_aff_same_key(const void *node, const void *key) {
    const xg_aff *a = (const xg_aff *)node, *b = (const xg_aff *)key;
    uint32_t i;
    if (a->kind != b->kind || a->n != b->n || a->k != b->k || a->of != b->of) return false;
    if (a->kind == XG_AFF_SUM)
        for (i = 0; i < a->n; i++)
            if (a->terms[i].scale != b->terms[i].scale || a->terms[i].of != b->terms[i].of) return false;
    return true;
}

/* The one node that equals the key; NULL when it would be too large. */
XG_FN const xg_aff *xg_aff_intern(xg_aff_ctx *x, const xg_aff *key) {
    uint32_t size = 1, depth = 0, i;
    void **slot;
    xg_aff *e;
    if (key->of) {
        size += key->of->size;
        depth = key->of->depth;
    }
    if (key->kind == XG_AFF_SUM)
        for (i = 0; i < key->n; i++) {
            size += key->terms[i].of->size;
            depth = XG_MAX(depth, key->terms[i].of->depth);
            if (size > XG_AFF_SIZE_MAX) return NULL;
        }
    if (size > XG_AFF_SIZE_MAX || depth >= XG_AFF_DEPTH_MAX) return NULL;
    slot = xg_set_find(&x->nodes, xg_aff_hash_key(key), xg_aff_same_key, key);
    if (*slot) return (const xg_aff *)*slot;
    e = XG_NEW(x->arena, xg_aff);
    *slot = e;
    *e = *key;
    if (key->kind == XG_AFF_SUM && key->n) {
        xg_term *terms = XG_NEW_N(x->arena, xg_term, key->n);
        memcpy(terms, key->terms, key->n * sizeof *terms);
        e->terms = terms;
    }
    e->id = ++x->n_nodes;
    e->size = size;
    e->depth = depth + 1;
    return e;
}

XG_FN xg_aff_ctx *xg_aff_new(xg_arena *a) {
    xg_aff_ctx *x = XG_NEW(a, xg_aff_ctx);
    x->ctx = a->ctx;
    x->arena = a;
    xg_set_init(&x->nodes, a);
    xg_set_init(&x->envs, a);
    x->anywhere = xg_aff_env_of(x, NULL, 0, NULL, 0);
    return x;
}

XG_FN const xg_aff *xg_aff_make(xg_aff_ctx *x, xg_aff_kind kind, uint32_t n, int64_t k, const xg_aff *of) {
    xg_aff key;
    memset(&key, 0, sizeof key);
    key.kind = kind;
    key.n = n;
    key.k = k;
    key.of = of;
    return xg_aff_intern(x, &key);
}
XG_FN const xg_aff *xg_aff_const(xg_aff_ctx *x, int64_t v) { return xg_aff_make(x, XG_AFF_CONST, 0, v, NULL); }
XG_FN const xg_aff *xg_aff_dim(xg_aff_ctx *x, uint32_t which) {
    if (which >= XG_COUNT(x->dims)) return xg_aff_make(x, XG_AFF_DIM, which, 0, NULL);
    if (!x->dims[which]) x->dims[which] = xg_aff_make(x, XG_AFF_DIM, which, 0, NULL);
    return x->dims[which];
}
XG_ONE_COPY XG_FN const xg_aff *xg_aff_dim_0(xg_aff_ctx *x) { return xg_aff_dim(x, 0); }
XG_ONE_COPY XG_FN const xg_aff *xg_aff_dim_1(xg_aff_ctx *x) { return xg_aff_dim(x, 1); }
XG_FN const xg_aff *xg_aff_sym(xg_aff_ctx *x, uint32_t which) { return xg_aff_make(x, XG_AFF_SYM, which, 0, NULL); }

XG_FN void xg_aff_linear(const xg_aff *e, xg_linear *out) {
    if (e->kind == XG_AFF_SUM) {
        out->k = e->k;
        out->n = e->n;
        out->terms = e->terms;
        return;
    }
    out->k = 0;
    out->n = 1;
    out->one.scale = 1;
    out->one.of = e;
    out->terms = &out->one;
    if (e->kind != XG_AFF_CONST) return;
    out->k = e->k;
    out->n = 0;
}

/* The node of k + terms, the terms being in order, without repetition or zero scales. */
XG_FN const xg_aff *xg_aff_from_terms(xg_aff_ctx *x, int64_t k, const xg_term *terms, uint32_t n) {
    xg_aff key;
    if (n == 0) return xg_aff_const(x, k);
    if (n == 1 && k == 0 && terms[0].scale == 1) return terms[0].of;
    memset(&key, 0, sizeof key);
    key.kind = XG_AFF_SUM;
    key.n = n;
    key.k = k;
    key.terms = terms;
    return xg_aff_intern(x, &key);
}

/* ---- order ---- */

/* Quotients and remainders first, then dims, then symbols; sums term by term. Equal parts are the same pointer, so only
 * the first difference is walked into: the cost is one path through the expression. */
XG_FN int xg_aff_compare(const xg_aff *a, const xg_aff *b) {
    uint32_t i;
    int c;
    if (a == b) return 0;
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    if (a->kind == XG_AFF_CONST) return a->k < b->k ? -1 : 1;
    if (a->kind == XG_AFF_DIM || a->kind == XG_AFF_SYM) return a->n < b->n ? -1 : 1;
    if (a->kind != XG_AFF_SUM) return (c = xg_aff_compare(a->of, b->of)) != 0 ? c : a->k < b->k ? -1 : 1;
    for (i = 0; i < a->n && i < b->n; i++) {
        if (a->terms[i].of != b->terms[i].of) return xg_aff_compare(a->terms[i].of, b->terms[i].of);
        if (a->terms[i].scale != b->terms[i].scale) return a->terms[i].scale < b->terms[i].scale ? -1 : 1;
    }
    return a->n != b->n ? (a->n < b->n ? -1 : 1) : a->k < b->k ? -1 : 1;
}

/* ---- ranges ---- */

XG_FN bool xg_ranges_equal(const xg_range *a, const xg_range *b, uint32_t n) {
    return n == 0 || memcmp(a, b, n * sizeof *a) == 0;
}
XG_FN bool xg_aff_env_same(const void *node, const void *key) {
    const xg_aff_env *a = (const xg_aff_env *)node, *b = (const xg_aff_env *)key;
    return a->n_dims == b->n_dims && a->n_syms == b->n_syms && xg_ranges_equal(a->dims, b->dims, a->n_dims) &&
           xg_ranges_equal(a->syms, b->syms, a->n_syms);
}
/* A copy that outlives what it was made of. */
XG_FN xg_aff_env *xg_aff_env_kept(const xg_aff_env *env) {
    xg_aff_env *to = XG_NEW(env->x->arena, xg_aff_env);
    xg_range *r = (xg_range *)xg_alloc_raw(env->x->arena, ((size_t)env->n_dims + env->n_syms) * sizeof *r);
    *to = *env;
    to->dims = r;
    to->syms = r + env->n_dims;
    if (env->n_dims) memcpy(r, env->dims, env->n_dims * sizeof *r);
    if (env->n_syms) memcpy(r + env->n_dims, env->syms, env->n_syms * sizeof *r);
    return to;
}
XG_FN xg_aff_env xg_aff_env_of(
    xg_aff_ctx *x, const xg_range *dims, uint32_t n_dims, const xg_range *syms, uint32_t n_syms) {
    uint32_t h = n_dims, k;
    xg_aff_env env;
    void **slot;
    env.x = x;
    env.dims = dims;
    env.syms = syms;
    env.n_dims = n_dims;
    env.n_syms = n_syms;
    for (k = 0; k < n_dims; k++) h = xg_hash_mix(h, (uint64_t)dims[k].lo * 31 + (uint64_t)dims[k].hi);
    for (k = 0; k < n_syms; k++) h = xg_hash_mix(h, (uint64_t)syms[k].lo * 31 + (uint64_t)syms[k].hi);
    slot = xg_set_find(&x->envs, h, xg_aff_env_same, &env);
    if (*slot) {
        env.stamp = ((const xg_aff_env *)*slot)->stamp;
        return env;
    }
    env.stamp = ++x->stamp;
    *slot = xg_aff_env_kept(&env);
    return env;
}

/* The remainder of a value in r by k. */
XG_FN xg_range xg_range_mod(xg_range r, int64_t k) {
    if (xg_range_known(r) && xg_floor_div(r.lo, k) == xg_floor_div(r.hi, k))
        return xg_range_of(xg_floor_mod(r.lo, k), xg_floor_mod(r.hi, k));
    return xg_range_of(0, k - 1);
}

XG_FN xg_range xg_aff_range(xg_aff_env *env, const xg_aff *e) {
    xg_range r = xg_range_of(INT64_MIN, INT64_MAX), part;
    xg_aff *node = (xg_aff *)e; /* the memo is no part of the value */
    uint32_t i;
    if (e->kind == XG_AFF_CONST) return xg_range_of(e->k, e->k);
    if (e->kind == XG_AFF_DIM) return e->n < env->n_dims ? env->dims[e->n] : r;
    if (e->kind == XG_AFF_SYM) return e->n < env->n_syms ? env->syms[e->n] : r;
    if (e->range_stamp == env->stamp) return e->range;
    if (e->kind == XG_AFF_SUM) {
        r = xg_range_of(e->k, e->k);
        for (i = 0; i < e->n; i++)
            r = xg_range_add(r, xg_range_scale(xg_aff_range(env, e->terms[i].of), e->terms[i].scale));
    } else {
        part = xg_aff_range(env, e->of);
        if (e->kind == XG_AFF_MOD)
            r = xg_range_mod(part, e->k);
        else {
            if (part.lo != INT64_MIN) r.lo = xg_floor_div(part.lo, e->k);
            if (part.hi != INT64_MAX) r.hi = xg_floor_div(part.hi, e->k);
        }
    }
    node->range_stamp = env->stamp;
    node->range = r;
    return r;
}

/* ---- values and questions ---- */

XG_FN bool xg_aff_eval(const xg_aff *e, const int64_t *dims, const int64_t *syms, int64_t *out) {
    int64_t sum = e->k, v;
    uint32_t i;
    if (e->kind == XG_AFF_CONST) {
        *out = e->k;
        return true;
    }
    if (e->kind == XG_AFF_DIM) {
        *out = dims[e->n];
        return true;
    }
    if (e->kind == XG_AFF_SYM) {
        *out = syms[e->n];
        return true;
    }
    if (e->kind != XG_AFF_SUM) {
        if (!xg_aff_eval(e->of, dims, syms, &v)) return false;
        *out = e->kind == XG_AFF_DIV ? xg_floor_div(v, e->k) : xg_floor_mod(v, e->k);
        return true;
    }
    for (i = 0; i < e->n; i++)
        if (!xg_aff_eval(e->terms[i].of, dims, syms, &v) || !xg_mul64(v, e->terms[i].scale, &v) ||
            !xg_add64(sum, v, &sum))
            return false;
    *out = sum;
    return true;
}

XG_FN int64_t xg_aff_scale_of(const xg_aff *e, const xg_aff *atom) {
    uint32_t i;
    if (e == atom) return 1;
    if (e->kind == XG_AFF_SUM)
        for (i = 0; i < e->n; i++)
            if (e->terms[i].of == atom) return e->terms[i].scale;
    return 0;
}

XG_FN bool xg_aff_uses(const xg_aff *e, const xg_aff *var) {
    uint32_t i;
    if (e == var) return true;
    if (e->of) return xg_aff_uses(e->of, var);
    if (e->kind == XG_AFF_SUM)
        for (i = 0; i < e->n; i++)
            if (xg_aff_uses(e->terms[i].of, var)) return true;
    return false;
}

XG_FN bool xg_aff_growth(const xg_aff *e, const xg_aff *var, int64_t by, int64_t *out) {
    int64_t of, sum = e == var ? by : 0;
    uint32_t i;
    if (e->of) {
        if (!xg_aff_growth(e->of, var, by, &of) || of % e->k) return false;
        sum = e->kind == XG_AFF_DIV ? of / e->k : 0;
    } else if (e->kind == XG_AFF_SUM)
        for (i = 0; i < e->n; i++)
            if (!xg_aff_growth(e->terms[i].of, var, by, &of) || !xg_mul64(of, e->terms[i].scale, &of) ||
                !xg_add64(sum, of, &sum))
                return false;
    *out = sum;
    return true;
}

XG_FN int64_t xg_aff_divisor(const xg_aff *e) {
    int64_t g, scaled;
    uint32_t i;
    if (e->kind == XG_AFF_CONST) return xg_gcd(e->k, 0);
    if (e->kind == XG_AFF_MOD) return xg_gcd(xg_aff_divisor(e->of), e->k);
    if (e->kind == XG_AFF_DIV) {
        g = xg_aff_divisor(e->of);
        return g % e->k == 0 && g ? g / e->k : 1;
    }
    if (e->kind != XG_AFF_SUM) return 1;
    for (g = e->k, i = 0; i < e->n; i++) {
        if (!xg_mul64(xg_aff_divisor(e->terms[i].of), e->terms[i].scale, &scaled)) scaled = e->terms[i].scale;
        g = xg_gcd(g, scaled);
    }
    return xg_gcd(g, 0);
}

#endif /* XG_AFFINE_EXPR_C */
