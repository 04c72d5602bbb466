/* kir/lower_loops.c -- xla_gpu.loop becomes scf.for nests with scf.if around what is only done inside the domain.
 *
 *     loop (dims)[s0, s1] -> (results) in map
 *       ==>   if (what is asked of dims alone) { for s0 { if (what involves s0) { for s1 { if (the rest) { results =
 *             apply map; body } } } } }
 *
 * A condition is tested as far outside as its variables allow, so that the loops inside are free of it (which is what
 * vectorisation needs); one that the ranges prove is not tested. Before that:
 * - a condition on g*x + r, with r so small that it cannot carry the sum over a bound, is one on g*x alone: `4*t + v <=
 *   1003` for v in [0, 3] says nothing of v;
 * - the last iteration of a symbol is split off (peeled) if the others then need fewer conditions, innermost symbols
 *   first, while the product of trips stays under 64.
 * Requires: the loop's map has no runtime symbols. Keeps: everything else. */
#ifndef XG_KIR_LOWER_LOOPS_C
#define XG_KIR_LOWER_LOOPS_C
#include "kir.h"
#include "build.c"

enum {
    XG_KPEEL_TRIPS_MAX = 64
};
static const int64_t XG_KGUARD_MAX = (int64_t)1 << 60; /* numbers below this add up without care */

/* ---- peeling ---- */

XG_FN const xg_imap *xg_kpeel_range(xg_kmodule *m, const xg_imap *map, uint32_t sym, xg_range r) {
    xg_imap *to = xg_imap_copy(m->aff, map, 0);
    to->syms[sym].range = r;
    return xg_imap_simplify(m->aff, to);
}
/* A copy of the loop over another map with the same variables, in front of it. */
XG_FN xg_kop *xg_kpeel_copy(xg_kmodule *m, xg_kop *loop, const xg_imap *map, xg_kval *const *inits) {
    xg_kb b = xg_kb_before(m, loop), in;
    uint32_t n = (uint32_t)loop->a, k;
    xg_kval **dims = XG_NEW_N(m->temp, xg_kval *, n + 1);
    xg_kregion *from = loop->regions[0];
    xg_kop *to, *o;
    for (k = 0; k < n; k++) dims[k] = loop->operands[k].value;
    to = xg_kloop(&b, map, dims, inits, loop->n_results);
    to->flags = loop->flags;
    xg_kclone_begin(from);
    for (k = 0; k < from->n_args; k++) {
        to->regions[0]->args[k].name = from->args[k].name;
        xg_kclone_put(&from->args[k], &to->regions[0]->args[k]);
    }
    for (k = 0; k < loop->n_results; k++) to->results[k].name = loop->results[k].name;
    in = xg_kb_end(m, to->regions[0]);
    for (o = from->first; o; o = o->next) xg_kop_clone(&in, o);
    return to;
}
/* Splits the loop where that pays: into how many it is, 0 if it stays. */
XG_FN uint32_t xg_kpeel(xg_kmodule *m, xg_kop *loop, xg_kop **parts) {
    const xg_imap *map = (const xg_imap *)loop->p;
    int64_t trips = 1, span;
    uint32_t s = map->n_syms, k, n = loop->n_results;
    if (map->state != XG_IMAP_OK || map->n_constraints == 0) return 0;
    while (s-- > 0) {
        xg_range r = map->syms[s].range;
        const xg_imap *most, *last;
        xg_kval **inits;
        uint32_t made = 1;
        if (!xg_range_known(r) || !xg_add64(r.hi, 1, &span) || !xg_add64(span, -r.lo, &span) ||
            !xg_mul64(trips, span, &trips) || trips >= XG_KPEEL_TRIPS_MAX)
            return 0;
        if (r.hi <= r.lo) continue;
        most = xg_kpeel_range(m, map, s, xg_range_of(r.lo, r.hi - 1));
        if (most->state != XG_IMAP_OK || most->n_constraints >= map->n_constraints || most->n_syms != map->n_syms ||
            most->syms[s].range.hi != r.hi - 1)
            continue;
        last = xg_kpeel_range(m, map, s, xg_range_of(r.hi, r.hi));
        inits = XG_NEW_N(m->temp, xg_kval *, n + 1);
        for (k = 0; k < n; k++) inits[k] = loop->operands[loop->a + k].value;
        parts[0] = xg_kpeel_copy(m, loop, most, inits);
        if (last->state == XG_IMAP_OK) {
            for (k = 0; k < n; k++) inits[k] = &parts[0]->results[k];
            parts[made++] = xg_kpeel_copy(m, loop, last, inits);
        }
        for (k = 0; k < n; k++) xg_kval_replace(&loop->results[k], &parts[made - 1]->results[k]);
        xg_kop_remove(loop);
        return made;
    }
    return 0;
}

/* ---- conditions ---- */

/* expr in range, needed once the first `level` symbols are known. */
typedef struct xg_kguard {
    const xg_aff *expr;
    xg_range range;
    uint32_t level;
} xg_kguard;
typedef struct xg_klowering {
    xg_kmodule *m;
    xg_kop *loop;
    const xg_imap *map;
    xg_range *dims; /* of the operands: what is known without any condition */
    xg_range *syms;
    xg_aff_env env;
    XG_VEC(xg_kguard) guards;
    xg_kval **vars; /* dims, then the symbols made so far */
} xg_klowering;

XG_FN uint32_t xg_kguard_level(const xg_klowering *l, const xg_aff *e) {
    uint32_t s = l->map->n_syms;
    while (s > 0 && !xg_aff_uses(e, xg_aff_sym(l->m->aff, s - 1))) s--;
    return s;
}
/* The sum of those terms of e whose scale is a multiple of g, or of the others with the constant. */
XG_FN const xg_aff *xg_kguard_part(const xg_klowering *l, const xg_aff *e, int64_t g, bool multiples) {
    const xg_aff *sum = xg_aff_const(l->m->aff, multiples ? 0 : e->k);
    uint32_t k;
    for (k = 0; k < e->n; k++)
        if ((e->terms[k].scale % g == 0) == multiples)
            sum = xg_aff_add_mul(l->m->aff, sum, e->terms[k].of, e->terms[k].scale);
    return sum;
}
/* g*x + r in [lo, hi]  with  0 <= r < g:  g*x in [up(lo - r), down(hi - r)], rounded to multiples of g; r may go when
 * both bounds do not depend on it. */
XG_APART XG_FN bool xg_kguard_loosen(xg_klowering *l, xg_kguard *c, int64_t g) {
    const xg_aff *r = xg_kguard_part(l, c->expr, g, false), *x = xg_kguard_part(l, c->expr, g, true);
    xg_range rr;
    int64_t lo = INT64_MIN, hi = INT64_MAX, t;
    if (!r || !x) return false;
    rr = xg_aff_range(&l->env, r);
    if (rr.lo <= -XG_KGUARD_MAX || rr.hi >= XG_KGUARD_MAX || rr.lo == rr.hi) return false;
    if (c->range.hi != INT64_MAX) {
        if (c->range.hi <= -XG_KGUARD_MAX || c->range.hi >= XG_KGUARD_MAX) return false;
        hi = c->range.hi - rr.hi;
        t = c->range.hi - rr.lo;
        if (xg_floor_div(hi, g) != xg_floor_div(t, g)) return false;
        hi = xg_floor_div(hi, g) * g;
    }
    if (c->range.lo != INT64_MIN) {
        if (c->range.lo <= -XG_KGUARD_MAX || c->range.lo >= XG_KGUARD_MAX) return false;
        lo = c->range.lo - rr.lo;
        t = c->range.lo - rr.hi;
        if (xg_floor_div(lo + g - 1, g) != xg_floor_div(t + g - 1, g)) return false;
        lo = xg_floor_div(lo + g - 1, g) * g;
    }
    c->expr = x;
    c->range = xg_range_of(lo, hi);
    return true;
}
XG_FN void xg_kguard_add(xg_klowering *l, const xg_aff *e, xg_range r) {
    xg_kguard c;
    xg_range known = xg_aff_range(&l->env, e);
    uint32_t k;
    c.expr = e;
    c.range = r;
    if (known.lo >= r.lo && known.hi <= r.hi) return;
    if (known.lo >= r.lo) c.range.lo = INT64_MIN;
    if (known.hi <= r.hi) c.range.hi = INT64_MAX;
    for (k = 0; c.expr->kind == XG_AFF_SUM && k < c.expr->n; k++) {
        int64_t g = c.expr->terms[k].scale;
        if (g < 0) g = g < -XG_KGUARD_MAX ? 0 : -g;
        /* again from the first term: there are fewer now */
        if (g > 1 && g < XG_KGUARD_MAX && xg_kguard_loosen(l, &c, g)) k = UINT32_MAX;
    }
    c.level = xg_kguard_level(l, c.expr);
    xg_push(l->m->temp, xg_kguard, &l->guards, c);
}

/* A value of the expression over dims and the symbols made so far; nothing is assumed but what is known of these. */
XG_APART XG_FN xg_kval *xg_kguard_value(xg_klowering *l, xg_kb *b, const xg_aff *e) {
    xg_imap *map;
    uint32_t n = l->map->n_dims, k;
    xg_kval **vars;
    xg_kval *v;
    if (e->kind == XG_AFF_DIM) return l->vars[e->n];
    if (e->kind == XG_AFF_SYM) return l->vars[n + e->n];
    if (e->kind == XG_AFF_CONST) return xg_kconst_int(b, XG_E_INDEX, e->k);
    map = xg_imap_new(l->m->aff, n, xg_kguard_level(l, e), 0, 1, 0);
    vars = XG_NEW_N(l->m->temp, xg_kval *, n + map->n_syms + 1);
    for (k = 0; k < n; k++) {
        map->dims[k] = l->map->dims[k];
        map->dims[k].range = l->dims[k];
        vars[k] = l->vars[k];
    }
    for (k = 0; k < map->n_syms; k++) {
        map->syms[k] = l->map->syms[k];
        vars[n + k] = l->vars[n + k];
    }
    map->results[0] = e;
    v = xg_kapply(b, map, vars)->results;
    return v;
}
XG_FN xg_kval *xg_kguard_bound(xg_kb *b, xg_kval *v, xg_kcmpi p, int64_t bound) { return xg_kcmpi_int(b, p, v, bound); }
/* The conjunction of all conditions of a level; NULL if there are none. */
XG_FN xg_kval *xg_kguard_level_value(xg_klowering *l, xg_kb *b, uint32_t level) {
    xg_kval *all = NULL;
    uint32_t k;
    for (k = 0; k < l->guards.n; k++) {
        const xg_kguard *c = &l->guards.p[k];
        xg_kval *v, *one;
        if (c->level != level) continue;
        v = xg_kguard_value(l, b, c->expr);
        if (c->range.lo != INT64_MIN) {
            one = xg_kguard_bound(b, v, XG_CI_SGE, c->range.lo);
            all = all ? xg_kandi(b, all, one) : one;
        }
        if (c->range.hi != INT64_MAX) {
            one = xg_kguard_bound(b, v, XG_CI_SLE, c->range.hi);
            all = all ? xg_kandi(b, all, one) : one;
        }
    }
    if (all) all->name = XG_STR("inbounds");
    return all;
}

/* ---- the nest ---- */

XG_FN void xg_knest_level(xg_klowering *l, xg_kb *b, uint32_t level, xg_kval **carried);

/* The innermost place: map results, then the loop's own operations. carried becomes what they yield. */
XG_FN void xg_knest_body(xg_klowering *l, xg_kb *b, xg_kval **carried) {
    xg_kregion *r = l->loop->regions[0];
    uint32_t syms = l->map->n_syms, k;
    xg_kop *end, *op;
    for (k = 0; k < syms; k++) xg_kval_replace(&r->args[k], l->vars[l->map->n_dims + k]);
    for (k = 0; k < l->map->n_results; k++) {
        const xg_imap *map = xg_imap_with_results(l->m->aff, l->map, &l->map->results[k], 1);
        xg_kval *v, *arg = &r->args[syms + k];
        if (!arg->first_use) continue;
        /* no point is in the domain: never computed */
        if (map->state != XG_IMAP_OK)
            v = xg_kconst_int(b, XG_E_INDEX, 0);
        else
            v = xg_kapply(b, map, l->vars)->results;
        v->name = arg->name;
        xg_kval_replace(arg, v);
    }
    for (k = 0; k < l->loop->n_results; k++) xg_kval_replace(&r->args[syms + l->map->n_results + k], carried[k]);
    end = xg_kregion_end(r);
    for (k = 0; k < l->loop->n_results; k++) carried[k] = end->operands[k].value;
    xg_kop_remove(end);
    for (op = r->first; op; op = r->first) {
        r->first = op->next;
        xg_kop_link(op, b->region, b->before);
    }
    r->last = NULL;
}
/* for symbol `level`, unless it has one value only. */
XG_FN void xg_knest_for(xg_klowering *l, xg_kb *b, uint32_t level, xg_kval **carried) {
    xg_range r = l->map->syms[level].range;
    xg_kval **var = &l->vars[l->map->n_dims + level], *lo, *hi, *step;
    uint32_t n = l->loop->n_results, k;
    xg_kop *loop;
    xg_kb in;
    if (!xg_range_known(r))
        xg_fail(l->m->ctx, XLAGPU_ERROR_INTERNAL, "a loop over an indexing map with an unbounded symbol");
    if (r.lo == r.hi) {
        *var = xg_kconst_int(b, XG_E_INDEX, r.lo);
        xg_knest_level(l, b, level + 1, carried);
        return;
    }
    lo = xg_kconst_int(b, XG_E_INDEX, r.lo);
    hi = xg_kconst_int(b, XG_E_INDEX, r.hi + 1);
    step = xg_kconst_int(b, XG_E_INDEX, 1);
    loop = xg_kfor(b, lo, hi, step, carried, n);
    loop->flags |= l->loop->flags;
    *var = &loop->regions[0]->args[0];
    (*var)->name = l->loop->regions[0]->args[level].name;
    for (k = 0; k < n; k++) {
        carried[k] = &loop->regions[0]->args[k + 1];
        carried[k]->name = l->loop->regions[0]->args[l->loop->regions[0]->n_args - n + k].name;
    }
    in = xg_kb_end(l->m, loop->regions[0]);
    in.loc = b->loc;
    xg_knest_level(l, &in, level + 1, carried);
    xg_kyield(&in, carried, n);
    for (k = 0; k < n; k++) {
        carried[k] = &loop->results[k];
        carried[k]->name = l->loop->results[k].name.n ? l->loop->results[k].name : XG_STR("xla_loop");
    }
}
XG_APART XG_FN void xg_knest_inside(xg_klowering *l, xg_kb *b, uint32_t level, xg_kval **carried) {
    if (level < l->map->n_syms)
        xg_knest_for(l, b, level, carried);
    else
        xg_knest_body(l, b, carried);
}
XG_FN void xg_knest_level(xg_klowering *l, xg_kb *b, uint32_t level, xg_kval **carried) {
    xg_kval *cond = xg_kguard_level_value(l, b, level);
    uint32_t n = l->loop->n_results, k;
    xg_kop *branch;
    xg_kb in, other;
    if (!cond) {
        xg_knest_inside(l, b, level, carried);
        return;
    }
    branch = xg_kif(b, cond, xg_ktypes_of(b, carried, n), n);
    other = xg_kb_end(l->m, branch->regions[1]);
    xg_kyield(&other, carried, n);
    in = xg_kb_end(l->m, branch->regions[0]);
    in.loc = b->loc;
    xg_knest_inside(l, &in, level, carried);
    xg_kyield(&in, carried, n);
    for (k = 0; k < n; k++) carried[k] = &branch->results[k];
}

XG_FN void xg_klower_loop(xg_kmodule *m, xg_kop *loop) {
    xg_klowering l;
    const xg_imap *map = (const xg_imap *)loop->p;
    uint32_t n = loop->n_results, k;
    xg_kval **carried = XG_NEW_N(m->temp, xg_kval *, n + 1);
    xg_kb b = xg_kb_before(m, loop);
    memset(&l, 0, sizeof l);
    l.m = m;
    l.loop = loop;
    l.map = map;
    if (map->n_rts)
        xg_fail(m->ctx, XLAGPU_ERROR_UNSUPPORTED,
            "a loop over an indexing map with runtime symbols; the emitter has to pass these as operands of "
            "apply_indexing");
    for (k = 0; k < n; k++) carried[k] = loop->operands[loop->a + k].value;
    if (map->state == XG_IMAP_OK) {
        l.dims = XG_NEW_N(m->temp, xg_range, map->n_dims + 1);
        l.syms = XG_NEW_N(m->temp, xg_range, map->n_syms + 1);
        l.vars = XG_NEW_N(m->temp, xg_kval *, map->n_dims + map->n_syms + 1);
        for (k = 0; k < map->n_dims; k++) {
            l.vars[k] = loop->operands[k].value;
            l.dims[k] = xg_kval_range(l.vars[k]);
        }
        for (k = 0; k < map->n_syms; k++) l.syms[k] = map->syms[k].range;
        l.env = xg_aff_env_of(m->aff, l.dims, map->n_dims, l.syms, map->n_syms);
        for (k = 0; k < map->n_dims; k++) xg_kguard_add(&l, xg_aff_dim(m->aff, k), map->dims[k].range);
        for (k = 0; k < map->n_constraints; k++) xg_kguard_add(&l, map->constraints[k].expr, map->constraints[k].range);
        xg_knest_level(&l, &b, 0, carried);
    }
    for (k = 0; k < n; k++) xg_kval_replace(&loop->results[k], carried[k]);
    xg_kop_remove(loop);
}

/* Those inside of it are gone before. The parts of a loop may be worth another split, by another symbol. */
XG_FN void xg_klower_or_split(xg_kmodule *m, xg_kop *loop) {
    xg_kop *parts[2];
    uint32_t n = xg_kpeel(m, loop, parts), k;
    if (!n) xg_klower_loop(m, loop);
    for (k = 0; k < n; k++) xg_klower_or_split(m, parts[k]);
}
XG_FN void xg_kir_lower_loops(xg_kmodule *m) { xg_kops_each_of(m, XG_K_OP_LOOP, xg_klower_or_split); }

#endif /* XG_KIR_LOWER_LOOPS_C */
