/* sched/itermap.c -- iterator maps: what an index says of the variables that it is made of.
 *
 *   IterMark(of, extent)                             a variable that counts to extent, or a sum that does
 *   IterSplit(mark, lower_factor, extent, scale)     (mark floordiv lower_factor) mod extent, times scale
 *   IterSum([split, ...], base)                      their sum, largest scale first
 *
 * An expression that is such a sum can be read backwards: where each scale is larger than all that lies below it, the
 * value tells each split; the splits of a mark together tell the mark; and a mark that is a sum tells its splits again.
 * All questions about bindings and layouts (is each point visited once, is each element written once, is a map a
 * permutation) are asked of these. (TVM's arith/iter_affine_map answers the same questions in these terms.) */
#ifndef XG_SCHED_ITERMAP_C
#define XG_SCHED_ITERMAP_C
#include "sched.h"

/* ---- making ---- */

XG_FN int64_t xg_nabs(int64_t v) { return v < 0 ? -v : v; }

typedef struct xg_iread {
    xg_aff_env *env;
    xg_arena *arena;
    XG_VEC(xg_imark *) marks; /* equal ones are one */
} xg_iread;

XG_FN bool xg_isum_same(const xg_isum *a, const xg_isum *b) {
    uint32_t k;
    if (a->n != b->n || a->base != b->base) return false;
    for (k = 0; k < a->n; k++) {
        const xg_isplit *x = &a->p[k], *y = &b->p[k];
        if (x->mark != y->mark || x->lower != y->lower || x->extent != y->extent || x->scale != y->scale) return false;
    }
    return true;
}
XG_FN const xg_imark *xg_iread_mark(xg_iread *r, const xg_aff *var, const xg_isum *sum, int64_t extent) {
    xg_imark *m;
    uint32_t k;
    for (k = 0; k < r->marks.n; k++) {
        m = r->marks.p[k];
        if (m->extent != extent || m->var != var || !m->sum != !sum) continue;
        if (var || xg_isum_same(m->sum, sum)) return m;
    }
    m = XG_NEW(r->arena, xg_imark);
    m->var = var;
    m->sum = sum;
    m->extent = extent;
    xg_push(r->arena, xg_imark *, &r->marks, m);
    return m;
}
/* Largest scale first; splits of one mark that lie side by side become one. */
XG_FN void xg_isum_order(xg_isum *s) {
    uint32_t k, j, kept = 0;
    for (k = 1; k < s->n; k++) {
        xg_isplit x = s->p[k];
        for (j = k; j > 0 && xg_nabs(s->p[j - 1].scale) < xg_nabs(x.scale); j--) s->p[j] = s->p[j - 1];
        s->p[j] = x;
    }
    for (k = 0; k < s->n; k++) {
        xg_isplit *last = kept ? &s->p[kept - 1] : NULL, x = s->p[k];
        if (last && last->mark == x.mark && last->lower == x.lower * x.extent && last->scale == x.scale * x.extent) {
            last->lower = x.lower;
            last->extent *= x.extent;
            last->scale = x.scale;
        } else
            s->p[kept++] = x;
    }
    s->n = kept;
}
XG_FN bool xg_iread_term(xg_iread *r, const xg_aff *e, xg_isplit *out);
XG_FN bool xg_iread_sum(xg_iread *r, const xg_aff *e, xg_isum *out) {
    xg_linear l;
    uint32_t k;
    xg_aff_linear(e, &l);
    out->base = l.k;
    out->n = 0;
    out->p = XG_NEW_N(r->arena, xg_isplit, l.n);
    for (k = 0; k < l.n; k++) {
        xg_isplit *x = &out->p[out->n];
        if (!xg_iread_term(r, l.terms[k].of, x)) return false;
        if (x->extent == 1) continue;
        x->scale = l.terms[k].scale;
        out->n++;
    }
    xg_isum_order(out);
    return true;
}
/* The sum counts without gaps from 0: each scale is what lies below it. It is a mark then. */
XG_FN bool xg_isum_counts(const xg_isum *s, int64_t *extent) {
    int64_t below = 1;
    uint32_t k;
    if (s->base) return false;
    for (k = s->n; k-- > 0;)
        if (s->p[k].scale != below || !xg_mul64(below, s->p[k].extent, &below)) return false;
    *extent = below;
    return true;
}
XG_FN bool xg_iread_counter(xg_iread *r, const xg_aff *e, xg_isplit *out) {
    xg_isum *s = XG_NEW(r->arena, xg_isum);
    int64_t extent;
    if (!xg_iread_sum(r, e, s)) return false;
    if (s->n == 1 && !s->base && s->p[0].scale == 1) {
        *out = s->p[0];
        return true;
    }
    if (!xg_isum_counts(s, &extent)) return false;
    out->mark = xg_iread_mark(r, NULL, s, extent);
    out->lower = 1;
    out->extent = extent;
    out->scale = 1;
    return true;
}
XG_FN bool xg_iread_term(xg_iread *r, const xg_aff *e, xg_isplit *out) {
    xg_range range;
    bool top;
    switch (e->kind) {
    case XG_AFF_DIM:
        range = xg_aff_range(r->env, e);
        if (!xg_range_known(range) || range.lo != 0) return false;
        out->mark = xg_iread_mark(r, e, NULL, range.hi + 1);
        out->lower = 1;
        out->extent = range.hi + 1;
        out->scale = 1;
        return true;
    case XG_AFF_DIV:
        if (!xg_iread_counter(r, e->of, out)) return false;
        top = out->lower * out->extent >= out->mark->extent; /* the last one may be short */
        if (out->extent % e->k && !top) return false;
        out->lower *= e->k;
        out->extent = (out->extent - 1) / e->k + 1;
        return true;
    case XG_AFF_MOD:
        if (!xg_iread_counter(r, e->of, out)) return false;
        top = out->lower * out->extent >= out->mark->extent;
        if (out->extent % e->k && !top) return false;
        out->extent = XG_MIN(out->extent, e->k);
        return true;
    default: return false;
    }
}
XG_FN xg_iread xg_iread_of(xg_aff_env *env, xg_arena *a) {
    xg_iread r;
    memset(&r, 0, sizeof r);
    r.env = env;
    r.arena = a;
    return r;
}
XG_FN bool xg_iter_sum_of(xg_aff_env *env, xg_arena *a, const xg_aff *e, xg_isum *out) {
    xg_iread r = xg_iread_of(env, a);
    return xg_iread_sum(&r, e, out);
}

/* ---- what is told ---- */

XG_FN bool xg_isum_apart(const xg_isum *s) { /* each scale is larger than all that lies below it */
    int64_t below = 0, most;
    uint32_t k;
    for (k = s->n; k-- > 0;) {
        int64_t scale = xg_nabs(s->p[k].scale);
        if (scale <= below || !xg_mul64(scale, s->p[k].extent - 1, &most) || !xg_add64(below, most, &below))
            return false;
    }
    return true;
}
typedef XG_VEC(xg_isplit) xg_isplits;
/* Splits of the mark that are told cover it, one behind the other. */
XG_FN bool xg_isplits_cover(const xg_isplits *told, const xg_imark *m) {
    int64_t at = 1;
    uint32_t k;
    while (at < m->extent) {
        int64_t next = at;
        for (k = 0; k < told->n; k++)
            if (told->p[k].mark == m && told->p[k].lower <= at && told->p[k].lower * told->p[k].extent > next &&
                at % told->p[k].lower == 0)
                next = told->p[k].lower * told->p[k].extent;
        if (next == at) return false;
        at = next;
    }
    return true;
}
XG_FN void xg_iread_learn(xg_iread *r, xg_isplits *told, const xg_isum *s) {
    uint32_t k;
    if (!xg_isum_apart(s)) return;
    for (k = 0; k < s->n; k++) xg_push(r->arena, xg_isplit, told, s->p[k]);
}
XG_FN bool xg_iter_tells(
    xg_aff_env *env, xg_arena *a, const xg_aff *const *at, uint32_t count, const xg_aff *const *vars, uint32_t n_vars) {
    xg_iread r = xg_iread_of(env, a);
    xg_isplits told;
    bool *known, more = true;
    uint32_t k, j;
    memset(&told, 0, sizeof told);
    for (k = 0; k < count; k++) {
        xg_isum s;
        if (xg_iread_sum(&r, at[k], &s)) xg_iread_learn(&r, &told, &s);
    }
    known = XG_NEW_N(a, bool, r.marks.n);
    while (more) { /* a sum that is known tells its splits */
        more = false;
        for (k = 0; k < r.marks.n; k++) {
            if (known[k] || !xg_isplits_cover(&told, r.marks.p[k])) continue;
            known[k] = more = true;
            if (r.marks.p[k]->sum) xg_iread_learn(&r, &told, r.marks.p[k]->sum);
        }
    }
    for (j = 0; j < n_vars; j++) {
        if (xg_range_is_point(xg_aff_range(env, vars[j]))) continue;
        for (k = 0; k < r.marks.n && !(known[k] && r.marks.p[k]->var == vars[j]); k++) {}
        if (k == r.marks.n) return false;
    }
    return true;
}

/* ---- maps ---- */

/* Each sum counts without gaps (surjective), or at least tells its splits; splits of a mark do not overlap; together
 * they cover it (injective: no two points give the same). NULL: it is no such map, *why says where. */
XG_FN const xg_isum *xg_detect_iter_map(
    xg_aff_env *env, xg_arena *a, const xg_aff *const *at, uint32_t count, xg_icheck check, const char **why) {
    xg_iread r = xg_iread_of(env, a);
    xg_isum *sums = XG_NEW_N(a, xg_isum, count);
    xg_isplits all;
    uint32_t k, j;
    int64_t extent;
    memset(&all, 0, sizeof all);
    *why = NULL;
    for (k = 0; k < count; k++) {
        if (!xg_iread_sum(&r, at[k], &sums[k]))
            *why = "an index is no sum of splits of iterators";
        else if (!xg_isum_apart(&sums[k]))
            *why = "the splits of an index overlap";
        else if ((check & XG_IC_SURJECTIVE) && !xg_isum_counts(&sums[k], &extent))
            *why = "an index leaves values out";
        if (*why) return NULL;
        for (j = 0; j < sums[k].n; j++) xg_push(a, xg_isplit, &all, sums[k].p[j]);
    }
    for (k = 0; k < all.n && (check & XG_IC_SURJECTIVE); k++)
        for (j = 0; j < k; j++) {
            const xg_isplit *x = &all.p[j], *y = &all.p[k];
            if (x->mark == y->mark && x->lower < y->lower * y->extent && y->lower < x->lower * x->extent) {
                *why = "two indices use the same part of an iterator";
                return NULL;
            }
        }
    for (k = 0; k < r.marks.n && (check & XG_IC_INJECTIVE); k++)
        if (r.marks.p[k]->var && !xg_iter_tells(env, a, at, count, &r.marks.p[k]->var, 1)) {
            *why = "part of an iterator is in no index";
            return NULL;
        }
    return sums;
}

/* ---- text ---- */

XG_FN void xg_isum_print(xg_buf *b, const xg_isum *s, const xg_imap *names);
XG_FN void xg_isplit_print(xg_buf *b, const xg_isplit *x, const xg_imap *names) {
    xg_puts(b, "IterSplit(IterMark(");
    if (x->mark->var)
        xg_aff_print(b, x->mark->var, names);
    else
        xg_isum_print(b, x->mark->sum, names);
    xg_printf(b, ", extent=%lld), lower_factor=%lld, extent=%lld, scale=%lld)", (long long)x->mark->extent,
        (long long)x->lower, (long long)x->extent, (long long)x->scale);
}
XG_FN void xg_isum_print(xg_buf *b, const xg_isum *s, const xg_imap *names) {
    uint32_t k;
    xg_puts(b, "IterSum([");
    for (k = 0; k < s->n; k++) {
        if (k) xg_puts(b, ", ");
        xg_isplit_print(b, &s->p[k], names);
    }
    xg_printf(b, "], %lld)", (long long)s->base);
}

#endif /* XG_SCHED_ITERMAP_C */
