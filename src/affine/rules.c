/* affine/rules.c -- the arithmetic that simplifies: sums, quotients, remainders.
 *
 * Each rule holds for all integers inside the ranges it was given, and makes the expression smaller, or a divisor
 * smaller:
 *   sum        like terms are added;                 d*(a mod c) + c*d*(a div c)      ->  d*a
 *                                                  d*(a mod c) + c*d*((a div c + z) mod r)  ->  d*((a + c*z) mod c*r)
 *   quotient   multiples come out:                   (k*q + r) div k                  ->  q + r div k
 *              a small rest is dropped:              (g*a + r) div g*h, 0 <= r < g    ->  a div h
 *              nested:                               (a div b + c) div k              ->  (a + b*c) div b*k
 *              a remainder goes outside:             (s*(a mod m) + r) div k           ->  ((s*a + r) div k) mod h,
 *                                                    s*m = h*k, 0 <= r < s
 *   remainder  multiples are dropped:                (k*q + r) mod k                  ->  r mod k
 *              inner remainders are dropped:         (s*(a mod m) + r) mod k, k | s*m ->  (s*a + r) mod k
 *              a common factor comes out:            (g*a + r) mod g*h, 0 <= r < g    ->  g*(a mod h) + r
 *   both       a range inside one period gives a constant quotient;
 *              so does what is left of larger coefficients:  ((k+s)*q + r) div k        ->  q,  ((k+s)*q + r) mod k  ->
 *                  s*q + r,  where 0 <= s*q + r < k
 * Quotients and remainders reduce what they divide in the same way, so that the two halves of a delinearisation meet
 * again. Only coefficients that are multiples are taken out (of the constant, any whole part): taking 21 from 35 would
 * hide the 35 from a later composition, where it makes two halves one; unless nothing is left to divide. */
#ifndef XG_AFFINE_RULES_C
#define XG_AFFINE_RULES_C
#include "affine.h"

/* ---- sums ---- */

/* For more than `n` terms of a sum. */
XG_FN xg_term *xg_aff_room(xg_aff_ctx *x, uint32_t n) {
    if (n >= x->room) {
        x->room = 2 * n + 8;
        x->buffer = (xg_term *)xg_alloc_raw(x->arena, x->room * sizeof *x->buffer);
    }
    return x->buffer;
}
/* a + s*b without any further rule. */
XG_FN const xg_aff *xg_aff_merge(xg_aff_ctx *x, const xg_aff *a, const xg_aff *b, int64_t s) {
    xg_linear la, lb;
    xg_term *sum;
    int64_t k;
    uint32_t i = 0, j = 0, n = 0;
    if (!a || !b) return NULL;
    if (s == 0) return a;
    xg_aff_linear(a, &la);
    xg_aff_linear(b, &lb);
    if (la.n > XG_AFF_TERMS_MAX || lb.n > XG_AFF_TERMS_MAX || !xg_mul64(lb.k, s, &k) || !xg_add64(k, la.k, &k))
        return NULL;
    sum = xg_aff_room(x, la.n + lb.n);
    while (i < la.n || j < lb.n) {
        int c = i == la.n ? 1 : j == lb.n ? -1 : xg_aff_compare(la.terms[i].of, lb.terms[j].of);
        xg_term *t = &sum[n];
        t->of = c <= 0 ? la.terms[i].of : lb.terms[j].of;
        t->scale = 0;
        if (c >= 0 && !xg_mul64(lb.terms[j++].scale, s, &t->scale)) return NULL;
        if (c <= 0 && !xg_add64(t->scale, la.terms[i++].scale, &t->scale)) return NULL;
        if (t->scale) n++;
    }
    return n > XG_AFF_TERMS_MAX ? NULL : xg_aff_from_terms(x, k, sum, n);
}

XG_FN uint32_t xg_aff_count_inner(const xg_aff *e) { /* quotients and remainders among the terms; they come first */
    xg_linear l;
    uint32_t i;
    xg_aff_linear(e, &l);
    for (i = 0; i < l.n && (l.terms[i].of->kind == XG_AFF_DIV || l.terms[i].of->kind == XG_AFF_MOD); i++) {}
    return i;
}

/* c*d*(y mod r), where y is the quotient of a by c and something more (multiples of c that the remainder of a could
 * drop), joins d*(a mod c). */
XG_FN const xg_aff *xg_aff_rejoin_mods(
    xg_aff_env *env, const xg_aff *e, const xg_term *mod, const xg_term *high, const xg_aff *quotient) {
    uint32_t inner = xg_aff_count_inner(quotient);
    const xg_aff *more, *a, *to;
    int64_t cr;
    if (high->of->kind != XG_AFF_MOD || inner == 0 || !xg_mul64(mod->of->k, high->of->k, &cr)) return NULL;
    more = xg_aff_merge(env->x, high->of->of, quotient, -1);
    if (!more || xg_aff_count_inner(more) + inner != xg_aff_count_inner(high->of->of)) return NULL;
    a = xg_aff_mod_in(env, xg_aff_add_scaled(env, mod->of->of, more, mod->of->k), cr);
    to = xg_aff_merge(env->x, xg_aff_merge(env->x, e, mod->of, -mod->scale), high->of, -high->scale);
    return xg_aff_merge(env->x, to, a, mod->scale);
}

/* d*(a mod c), term i of e, together with what c*d times the quotient of a by c has become in e: the quotient itself,
 * then both are d*a; or a remainder of it. NULL when it is not there. */
XG_FN const xg_aff *xg_aff_rejoin_term(xg_aff_env *env, const xg_aff *e, uint32_t i, uint32_t n) {
    const xg_aff *m = e->terms[i].of, *quotient, *to;
    int64_t d = e->terms[i].scale, cd;
    uint32_t j;
    if (d == INT64_MIN || !xg_mul64(d, m->k, &cd) || cd == INT64_MIN) return NULL;
    for (j = 0; j < n && (j == i || e->terms[j].scale % cd); j++) {}
    if (j == n) return NULL; /* nothing that could be c*d times a part of the quotient */
    quotient = xg_aff_div_in(env, m->of, m->k);
    if (!quotient) return NULL;
    for (j = 0; j < n; j++)
        if (e->terms[j].scale == cd && (to = xg_aff_rejoin_mods(env, e, &e->terms[i], &e->terms[j], quotient)) != NULL)
            return to;
    if (xg_aff_count_inner(quotient) == 0 || (quotient->kind == XG_AFF_DIV && xg_aff_scale_of(e, quotient) != cd))
        return NULL;
    to = xg_aff_merge(env->x, xg_aff_merge(env->x, e, m, -d), quotient, -cd);
    return xg_aff_merge(env->x, to, m->of, d);
}

/* One such step that leaves a smaller sum, or as small a one of fewer quotients and remainders; NULL when there is
 * none. */
XG_FN const xg_aff *xg_aff_rejoin_one(xg_aff_env *env, const xg_aff *e) {
    uint32_t n = xg_aff_count_inner(e), i;
    for (i = 0; i < n; i++) {
        const xg_aff *to = e->terms[i].of->kind == XG_AFF_MOD ? xg_aff_rejoin_term(env, e, i, n) : NULL;
        if (to && (to->size < e->size || (to->size == e->size && xg_aff_count_inner(to) < n))) return to;
    }
    return NULL;
}

XG_FN const xg_aff *xg_aff_add_scaled(xg_aff_env *env, const xg_aff *a, const xg_aff *b, int64_t s) {
    const xg_aff *sum = xg_aff_merge(env->x, a, b, s), *better;
    while (
        sum && sum->kind == XG_AFF_SUM && xg_aff_count_inner(sum) > 1 && (better = xg_aff_rejoin_one(env, sum)) != NULL)
        sum = better;
    return sum;
}
XG_FN const xg_aff *xg_aff_add_in(xg_aff_env *env, const xg_aff *a, const xg_aff *b) {
    return xg_aff_add_scaled(env, a, b, 1);
}
XG_FN const xg_aff *xg_aff_add(xg_aff_ctx *x, const xg_aff *a, const xg_aff *b) {
    return xg_aff_add_scaled(&x->anywhere, a, b, 1);
}
XG_ONE_COPY XG_FN const xg_aff *xg_aff_add_mul(xg_aff_ctx *x, const xg_aff *a, const xg_aff *b, int64_t scale) {
    return xg_aff_add_scaled(&x->anywhere, a, b, scale);
}
XG_ONE_COPY XG_FN const xg_aff *xg_aff_add_dim(xg_aff_ctx *x, const xg_aff *a, uint32_t dim, int64_t scale) {
    return xg_aff_add_mul(x, a, xg_aff_dim(x, dim), scale);
}
XG_FN const xg_aff *xg_aff_sub(xg_aff_ctx *x, const xg_aff *a, const xg_aff *b) {
    return xg_aff_add_scaled(&x->anywhere, a, b, -1);
}
XG_FN const xg_aff *xg_aff_add_k(xg_aff_ctx *x, const xg_aff *a, int64_t k) {
    return xg_aff_merge(x, a, xg_aff_const(x, k), 1);
}
XG_FN const xg_aff *xg_aff_mul(xg_aff_ctx *x, const xg_aff *a, int64_t scale) {
    return a ? xg_aff_merge(x, xg_aff_const(x, 0), a, scale) : NULL;
}

/* ---- taking a dividend apart ---- */

/* The terms with coefficients k*q and the k*q of the constant, over k; or the rest, the constant then being in [0,
 * k-1]. */
XG_FN const xg_aff *xg_aff_by_multiples(xg_aff_ctx *x, const xg_aff *e, int64_t k, xg_aff_part part) {
    xg_linear l;
    xg_term *some;
    uint32_t i, n = 0;
    xg_aff_linear(e, &l);
    some = xg_aff_room(x, l.n);
    for (i = 0; i < l.n; i++) {
        if ((l.terms[i].scale % k == 0) != (part == XG_PART_QUOTIENT)) continue;
        some[n].of = l.terms[i].of;
        some[n++].scale = part == XG_PART_QUOTIENT ? l.terms[i].scale / k : l.terms[i].scale;
    }
    return xg_aff_from_terms(x, part == XG_PART_QUOTIENT ? xg_floor_div(l.k, k) : xg_floor_mod(l.k, k), some, n);
}

/* e = g*a + r, where a takes the terms with coefficients divisible by g and r the others; the constant is shared out so
 * that r's least value is in [0, g). False unless 0 <= r < g always. r holds the term part and constant. */
XG_FN bool xg_aff_split(xg_aff_env *env, const xg_aff *e, int64_t g, const xg_aff **a, const xg_aff **r) {
    xg_linear l;
    xg_range range = xg_range_of(0, 0);
    xg_term *some;
    int64_t up, k;
    uint32_t i, n = 0;
    xg_aff_linear(e, &l);
    for (i = 0; i < l.n; i++)
        if (l.terms[i].scale % g)
            range = xg_range_add(range, xg_range_scale(xg_aff_range(env, l.terms[i].of), l.terms[i].scale));
    range = xg_range_add(range, xg_range_of(l.k, l.k));
    if (!xg_range_known(range) || range.lo > range.hi) return false;
    up = xg_floor_div(range.lo, g);
    if (xg_floor_div(range.hi, g) != up || !xg_mul64(up, g, &k) || !xg_add64(l.k, -k, &k)) return false;
    some = xg_aff_room(env->x, l.n);
    for (i = 0; i < l.n; i++)
        if (l.terms[i].scale % g) some[n++] = l.terms[i];
    *r = xg_aff_from_terms(env->x, k, some, n);
    for (i = 0, n = 0; i < l.n; i++)
        if (l.terms[i].scale % g == 0) {
            some[n].of = l.terms[i].of;
            some[n++].scale = l.terms[i].scale / g;
        }
    *a = xg_aff_from_terms(env->x, up, some, n);
    return true;
}

/* The largest g > 1 that divides k and splits e as above; 0 when there is none. Candidates are what coefficients share
 * with k, one by one and together, from large to small. */
XG_FN int64_t xg_aff_split_by_factor(xg_aff_env *env, const xg_aff *e, int64_t k, const xg_aff **a, const xg_aff **r) {
    xg_linear l;
    int64_t below = INT64_MAX, g, shared;
    uint32_t i;
    xg_aff_linear(e, &l);
    for (;;) {
        g = 0;
        for (i = 0; i < l.n; i++) {
            int64_t d = xg_gcd(l.terms[i].scale, k);
            if (d < below && d > g) g = d;
        }
        if (g <= 1) break;
        if (xg_aff_split(env, e, g, a, r)) return g;
        below = g;
    }
    for (shared = k, i = 0; i < l.n; i++)
        if ((g = xg_gcd(l.terms[i].scale, shared)) > 1) shared = g;
    return shared > 1 && shared < k && xg_aff_split(env, e, shared, a, r) ? shared : 0;
}

/* True when a value of e is always in [q*k, q*k + k - 1]. */
XG_FN bool xg_aff_one_period(xg_aff_env *env, const xg_aff *e, int64_t k, int64_t *q) {
    xg_range r = xg_aff_range(env, e);
    if (!xg_range_known(r) || r.lo > r.hi) return false;
    *q = xg_floor_div(r.lo, k);
    return xg_floor_div(r.hi, k) == *q;
}

XG_FN bool xg_aff_needs_reduction(const xg_aff *e, int64_t k) {
    xg_linear l;
    uint32_t i;
    xg_aff_linear(e, &l);
    if (l.k < 0 || l.k >= k) return true;
    for (i = 0; i < l.n; i++)
        if (l.terms[i].scale % k == 0) return true;
    return false;
}

/* e = k*q + r with 0 <= r < k, when that is so once coefficients beyond k are reduced by multiples of it. */
XG_FN bool xg_aff_reduced(xg_aff_env *env, const xg_aff *e, int64_t k, const xg_aff **quotient, const xg_aff **rest) {
    xg_linear l;
    xg_range range;
    xg_term *some;
    int64_t up;
    uint32_t i, n = 0;
    xg_aff_linear(e, &l);
    some = xg_aff_room(env->x, l.n);
    for (i = 0; i < l.n; i++) {
        if (l.terms[i].scale < k && l.terms[i].scale > -k) continue;
        some[n].of = l.terms[i].of;
        some[n++].scale = xg_floor_div(l.terms[i].scale, k);
    }
    if (!n) return false;
    *quotient = xg_aff_from_terms(env->x, 0, some, n);
    *rest = *quotient ? xg_aff_merge(env->x, e, *quotient, -k) : NULL;
    if (!*rest) return false;
    range = xg_aff_range(env, *rest);
    if (!xg_range_known(range) || range.lo > range.hi) return false;
    up = xg_floor_div(range.lo, k);
    if (xg_floor_div(range.hi, k) != up || !xg_mul64(up, -k, &range.lo)) return false;
    *quotient = xg_aff_add_k(env->x, *quotient, up);
    *rest = xg_aff_add_k(env->x, *rest, range.lo);
    return *quotient && *rest;
}

/* ---- quotients ---- */

/* (a div b + rest) div k as (a + b*rest) div b*k, when that one quotient is the only one with coefficient 1; NULL when
 * not. */
XG_FN const xg_aff *xg_aff_div_nested(xg_aff_env *env, const xg_aff *e, int64_t k) {
    const xg_aff *inner = NULL, *rest;
    xg_linear l;
    int64_t bk;
    uint32_t i;
    xg_aff_linear(e, &l);
    for (i = 0; i < l.n; i++) {
        if (l.terms[i].of->kind != XG_AFF_DIV) continue;
        if (inner) return NULL;
        inner = l.terms[i].of;
        if (l.terms[i].scale != 1 || !xg_mul64(inner->k, k, &bk)) return NULL;
    }
    if (!inner) return NULL;
    rest = xg_aff_merge(env->x, e, inner, -1);
    rest = xg_aff_add_scaled(env, inner->of, rest, inner->k);
    return rest ? xg_aff_div_in(env, rest, bk) : NULL;
}

/* (s*(a mod m) + r) div k with s*m = h*k and 0 <= r < s; NULL when no remainder in e is of that kind. */
XG_FN const xg_aff *xg_aff_div_of_mod(xg_aff_env *env, const xg_aff *e, int64_t k) {
    xg_linear l;
    uint32_t i;
    xg_aff_linear(e, &l);
    for (i = 0; i < l.n; i++) {
        const xg_aff *m = l.terms[i].of, *rest, *whole;
        int64_t s = l.terms[i].scale, sm;
        xg_range r;
        if (m->kind != XG_AFF_MOD || s < 1 || !xg_mul64(s, m->k, &sm) || sm % k ||
            (rest = xg_aff_merge(env->x, e, m, -s)) == NULL)
            continue;
        r = xg_aff_range(env, rest);
        if (r.lo < 0 || r.hi >= s) continue;
        whole = xg_aff_div_in(env, xg_aff_add_scaled(env, rest, m->of, s), k);
        if (whole) return xg_aff_mod_in(env, whole, sm / k);
    }
    return NULL;
}

XG_FN const xg_aff *xg_aff_quotient(xg_aff_env *env, const xg_aff *e, int64_t k) {
    const xg_aff *a, *r;
    int64_t q, g;
    if (xg_aff_one_period(env, e, k, &q)) return xg_aff_const(env->x, q);
    if (xg_aff_reduced(env, e, k, &a, &r)) return a;
    if (xg_aff_needs_reduction(e, k)) {
        a = xg_aff_by_multiples(env->x, e, k, XG_PART_QUOTIENT);
        r = xg_aff_by_multiples(env->x, e, k, XG_PART_REST);
        return a && r ? xg_aff_add_in(env, a, xg_aff_div_in(env, r, k)) : NULL;
    }
    if ((g = xg_aff_split_by_factor(env, e, k, &a, &r)) != 0) return xg_aff_div_in(env, a, k / g);
    if ((a = xg_aff_div_of_mod(env, e, k)) != NULL) return a;
    if ((a = xg_aff_div_nested(env, e, k)) != NULL) return a;
    return xg_aff_make(env->x, XG_AFF_DIV, 0, k, e);
}

/* ---- remainders ---- */

/* A remainder among the terms that the outer one makes superfluous, opened; NULL when there is none. */
XG_FN const xg_aff *xg_aff_open_mod(xg_aff_env *env, const xg_aff *e, int64_t k) {
    xg_linear l;
    uint32_t i;
    xg_aff_linear(e, &l);
    for (i = 0; i < l.n; i++) {
        const xg_aff *m = l.terms[i].of, *to;
        if (m->kind != XG_AFF_MOD || m->k % (k / xg_gcd(k, l.terms[i].scale))) continue;
        to = l.terms[i].scale == INT64_MIN ? NULL : xg_aff_merge(env->x, e, m, -l.terms[i].scale);
        to = xg_aff_add_scaled(env, to, m->of, l.terms[i].scale);
        if (to) return to;
    }
    return NULL;
}

XG_FN const xg_aff *xg_aff_rest(xg_aff_env *env, const xg_aff *e, int64_t k) {
    const xg_aff *a, *r;
    int64_t q, g;
    if (xg_aff_one_period(env, e, k, &q)) return xg_mul64(q, -k, &q) ? xg_aff_add_k(env->x, e, q) : NULL;
    if (xg_aff_reduced(env, e, k, &a, &r)) return r;
    if (xg_aff_needs_reduction(e, k)) return xg_aff_mod_in(env, xg_aff_by_multiples(env->x, e, k, XG_PART_REST), k);
    if ((g = xg_aff_split_by_factor(env, e, k, &a, &r)) != 0)
        return xg_aff_add_scaled(env, r, xg_aff_mod_in(env, a, k / g), g);
    if ((a = xg_aff_open_mod(env, e, k)) != NULL) return xg_aff_mod_in(env, a, k);
    return xg_aff_make(env->x, XG_AFF_MOD, 0, k, e);
}

/* ---- what is known already ---- */

/* Where the quotient or remainder stands, or is to be put: `to` is NULL then. */
XG_FN xg_aff_divided *xg_aff_divided_of(xg_aff_env *env, const xg_aff *e, int64_t k, xg_aff_kind kind) {
    xg_aff_divided *d;
    if (!env->x->divided) env->x->divided = XG_NEW_N(env->x->arena, xg_aff_divided, XG_AFF_DIVIDED);
    d = &env->x->divided[xg_hash_mix(e->id * 2 + (kind == XG_AFF_MOD), (uint64_t)k + (env->stamp << 32)) %
                         XG_AFF_DIVIDED];
    if (d->e == e && d->k == k && d->kind == kind && d->stamp == env->stamp) return d;
    d->e = e;
    d->k = k;
    d->kind = kind;
    d->stamp = env->stamp;
    d->to = NULL;
    return d;
}
XG_FN const xg_aff *xg_aff_divide(xg_aff_env *env, const xg_aff *e, int64_t k, xg_aff_kind kind) {
    xg_aff_divided *d = xg_aff_divided_of(env, e, k, kind);
    const xg_aff *to = d->to;
    if (to) return to;
    to = kind == XG_AFF_DIV ? xg_aff_quotient(env, e, k) : xg_aff_rest(env, e, k);
    d = xg_aff_divided_of(env, e, k, kind); /* others have come in between */
    d->to = to;
    return to;
}

XG_FN const xg_aff *xg_aff_div_in(xg_aff_env *env, const xg_aff *e, int64_t k) {
    if (!e || k <= 0) return NULL;
    if (k == 1) return e;
    if (e->kind == XG_AFF_CONST) return xg_aff_const(env->x, xg_floor_div(e->k, k));
    return xg_aff_divide(env, e, k, XG_AFF_DIV);
}
XG_ONE_COPY XG_FN const xg_aff *xg_aff_div(xg_aff_ctx *x, const xg_aff *e, int64_t k) {
    return xg_aff_div_in(&x->anywhere, e, k);
}
XG_FN const xg_aff *xg_aff_mod_in(xg_aff_env *env, const xg_aff *e, int64_t k) {
    if (!e || k <= 0) return NULL;
    if (k == 1) return xg_aff_const(env->x, 0);
    if (e->kind == XG_AFF_CONST) return xg_aff_const(env->x, xg_floor_mod(e->k, k));
    return xg_aff_divide(env, e, k, XG_AFF_MOD);
}
XG_ONE_COPY XG_FN const xg_aff *xg_aff_mod(xg_aff_ctx *x, const xg_aff *e, int64_t k) {
    return xg_aff_mod_in(&x->anywhere, e, k);
}

/* ---- rewriting ---- */

XG_FN xg_aff_rewrite xg_aff_rewrite_begin(
    xg_aff_env *env, const xg_aff *const *dims, uint32_t n_dims, const xg_aff *const *syms, uint32_t n_syms) {
    xg_aff_rewrite w;
    w.env = env;
    w.dims = dims;
    w.syms = syms;
    w.n_dims = dims ? n_dims : 0;
    w.n_syms = syms ? n_syms : 0;
    w.stamp = ++env->x->stamp;
    return w;
}

XG_FN const xg_aff *xg_aff_rewrite_one(xg_aff_rewrite *w, const xg_aff *e);
XG_FN const xg_aff *xg_aff_rewrite_var(xg_aff_rewrite *w, const xg_aff *e) {
    bool dim = e->kind == XG_AFF_DIM;
    xg_range r;
    if (dim && w->dims) return e->n < w->n_dims ? w->dims[e->n] : NULL;
    if (!dim && w->syms) return e->n < w->n_syms ? w->syms[e->n] : NULL;
    r = xg_aff_range(w->env, e);
    return xg_range_is_point(r) ? xg_aff_const(w->env->x, r.lo) : e;
}

/* k + the terms of part times s, into the terms in `from`, which move to `to`; false on overflow or when there are too
 * many. */
enum {
    XG_AFF_FEW = 24
};
typedef struct xg_aff_terms {
    int64_t k;
    uint32_t n;
    xg_term terms[XG_AFF_FEW];
} xg_aff_terms;
XG_FN bool xg_aff_terms_add(xg_aff_terms *to, const xg_aff_terms *from, const xg_aff *part, int64_t s) {
    xg_linear l;
    uint32_t i = 0, j = 0;
    xg_aff_linear(part, &l);
    to->n = 0;
    if (from->n + l.n > XG_AFF_FEW || !xg_mul64(l.k, s, &to->k) || !xg_add64(to->k, from->k, &to->k)) return false;
    while (i < from->n || j < l.n) {
        int c = i == from->n ? 1 : j == l.n ? -1 : xg_aff_compare(from->terms[i].of, l.terms[j].of);
        xg_term *t = &to->terms[to->n];
        t->of = c <= 0 ? from->terms[i].of : l.terms[j].of;
        t->scale = 0;
        if (c >= 0 && !xg_mul64(l.terms[j++].scale, s, &t->scale)) return false;
        if (c <= 0 && !xg_add64(t->scale, from->terms[i++].scale, &t->scale)) return false;
        if (t->scale) to->n++;
    }
    return true;
}
/* A sum over rewritten terms among which there is at most one quotient or remainder: no rule but the addition of like
 * terms applies on the way, so that the sums on the way need not be made. False: add them one by one. */
XG_FN bool xg_aff_rewrite_plain_sum(xg_aff_rewrite *w, const xg_aff *e, const xg_aff **out) {
    const xg_aff *parts[XG_AFF_FEW];
    xg_aff_terms sums[2];
    uint32_t i, inner = 0, same = 0;
    if (e->n > XG_AFF_FEW) return false;
    for (i = 0; i < e->n; i++) {
        parts[i] = xg_aff_rewrite_one(w, e->terms[i].of);
        if (!parts[i]) {
            *out = NULL;
            return true;
        }
        inner += xg_aff_count_inner(parts[i]);
        same += parts[i] == e->terms[i].of;
    }
    if (inner > 1) return false;
    *out = e;
    if (same == e->n) return true;
    sums[0].k = e->k;
    sums[0].n = 0;
    for (i = 0; i < e->n; i++)
        if (!xg_aff_terms_add(&sums[(i + 1) & 1], &sums[i & 1], parts[i], e->terms[i].scale)) return false;
    *out = xg_aff_from_terms(w->env->x, sums[e->n & 1].k, sums[e->n & 1].terms, sums[e->n & 1].n);
    return true;
}

XG_FN const xg_aff *xg_aff_rewrite_one(xg_aff_rewrite *w, const xg_aff *e) {
    xg_aff *node = (xg_aff *)e;
    const xg_aff *to;
    uint32_t i;
    if (!e || e->kind == XG_AFF_CONST) return e;
    if (e->kind == XG_AFF_DIM || e->kind == XG_AFF_SYM) return xg_aff_rewrite_var(w, e);
    if (e->memo_stamp == w->stamp) return e->memo;
    if (e->kind == XG_AFF_SUM) {
        if (!xg_aff_rewrite_plain_sum(w, e, &to)) {
            to = xg_aff_const(w->env->x, e->k);
            for (i = 0; i < e->n; i++)
                to = xg_aff_add_scaled(w->env, to, xg_aff_rewrite_one(w, e->terms[i].of), e->terms[i].scale);
        }
    } else {
        to = xg_aff_rewrite_one(w, e->of);
        to = e->kind == XG_AFF_DIV ? xg_aff_div_in(w->env, to, e->k) : xg_aff_mod_in(w->env, to, e->k);
    }
    node->memo_stamp = w->stamp;
    node->memo = to;
    return to;
}

XG_FN const xg_aff *xg_aff_simplify(xg_aff_env *env, const xg_aff *e) {
    xg_aff_rewrite w = xg_aff_rewrite_begin(env, NULL, 0, NULL, 0);
    return xg_aff_rewrite_one(&w, e);
}

#endif /* XG_AFFINE_RULES_C */
