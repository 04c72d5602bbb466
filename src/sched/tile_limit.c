/* sched/tile_limit.c -- how many steps a block makes: all, those of its part of a cluster, or of its group. */
#ifndef XG_SCHED_TILE_LIMIT_C
#define XG_SCHED_TILE_LIMIT_C
#include "tile.h"

/* What a value's elements are those of; *m, to its indices, then leads there. */
XG_FN const xg_inst *xg_tile_moved_from(xg_aff_ctx *x, const xg_inst *i, const xg_imap **m) {
    enum {
        DEPTH = 16
    };
    uint32_t depth;
    for (depth = 0; depth < DEPTH && xg_imap_ok(*m); depth++) {
        if (i->op != XG_BITCAST && i->op != XG_RESHAPE && i->op != XG_TRANSPOSE && i->op != XG_BROADCAST &&
            i->op != XG_COPY && i->op != XG_REVERSE)
            break;
        *m = xg_imap_compose(x, *m, xg_indexing_operand(x, i, 0));
        i = XG_OPERAND(i, 0);
    }
    return i;
}
/* ---- phases whose windows have fewer places than others' ---- */

/* That are innermost in k; 1: something else is. */
XG_FN int64_t xg_tile_channels(const xg_tile_plan *p) {
    const xg_tile_group *g = &p->form.group[XG_TILE_K];
    return g->axes[g->n - 1].of + 1 == p->form.n_vars ? g->axes[g->n - 1].extent : 1;
}
/* Blocks begin phase by phase: no phase has more places than the one before it, and the last one has fewer. */
XG_FN bool xg_tile_phases_fall(const xg_tile_form *f) {
    enum {
        PHASES = 64
    };
    const xg_tile_group *g = &f->group[XG_TILE_K];
    int64_t b, places = 0, before = INT64_MAX, n, first = 0;
    uint32_t k;
    for (b = 0; b < f->group[XG_TILE_B].size; b++, before = places) {
        for (places = 1, k = 0; k < g->n; k++)
            if (g->axes[k].places && xg_aff_eval(g->axes[k].places, &b, NULL, &n)) places *= n;
        if (!b) first = places;
        if (places > before || b == PHASES) return false;
    }
    return places < first;
}
XG_FN void xg_tile_settle_steps(xg_tile_plan *p) {
    const xg_tile_form *f = &p->form;
    p->idle = 0;
    if (f->hero->op == XG_RAGGED_DOT) xg_tile_ragged_settle(p);
    p->mean = p->steps;
    p->skips = f->phased && f->some_places != f->all_places && xg_tile_sharers(p) == 1 && p->halo_kinds <= 1 &&
               xg_tile_channels(p) % p->shape.k == 0; /* a step is of one place */
    p->longest = 0;
    if (!p->skips) return;
    p->mean = xg_tile_over(xg_cost_mul(p->steps, f->some_places), f->all_places);
    if (!p->shape.bulk && xg_tile_phases_fall(f)) p->longest = p->steps * 1000 / p->mean;
}
XG_FN xg_kval *xg_tile_places(xg_tile_kernel *w, const xg_tile_axis *a) {
    return a->places ? xg_tile_apply(w, &w->p->batch, 1, a->places, &w->batch) : xg_elem_index(&w->s, a->extent);
}
XG_FN xg_elem xg_tile_result(xg_tile_kernel *w, xg_elem v) {
    const xg_inst *i = w->p->form.hero;
    xg_kval *some = w->some, *none;
    if (xg_tile_is_ragged(w->p)) some = xg_kcmpi_int(&w->s.b, XG_CI_SLT, w->ragged.group, xg_ragged_groups(i));
    if (!some) return v;
    none = xg_kconst_bits(&w->s.b, v.v->type, 0);
    v.v = xg_kselect(&w->s.b, some, v.v, none);
    if (v.im) v.im = xg_kselect(&w->s.b, some, v.im, none);
    return v;
}
/* Steps count those of the phase's places: the same one among those of all places. */
XG_FN xg_kval *xg_tile_own_step(xg_tile_kernel *w, xg_kval *step) {
    const xg_tile_plan *p = w->p;
    const xg_tile_group *g = &p->form.group[XG_TILE_K];
    int64_t unit = xg_tile_channels(p) / p->shape.k, all;
    xg_kval *at, *n, *next, *some, *full;
    uint32_t k;
    if (!p->skips) return w->share ? xg_tile_join(w, w->share, p->steps, step) : step;
    at = xg_tile_rest(w, step, unit);
    step = xg_tile_quotient(w, step, unit);
    for (k = g->n - 1; k-- > 0; step = next, unit *= all) {
        all = g->axes[k].extent;
        n = xg_tile_places(w, &g->axes[k]);
        next = xg_tile_quotient(w, step, all);
        if (k) {
            full = xg_kcmpi_int(&w->s.b, XG_CI_EQ, n, all);
            some = xg_tile_quotient(w, step, XG_MAX(all - 1, (int64_t)1));
            next = xg_kselect(&w->s.b, full, next, some);
            step = xg_k2(&w->s.b, XG_K_OP_SUBI, step, xg_k2(&w->s.b, XG_K_OP_MULI, next, n));
        }
        at = xg_tile_join(w, step, unit, at);
    }
    xg_kval_set_range(at, xg_range_of(0, p->all_steps - 1));
    return at;
}
/* Of all steps those of the block's part: the last block of a tile may have fewer. */
XG_FN xg_kval *xg_tile_steps(xg_tile_kernel *w) {
    const xg_tile_plan *p = w->p;
    xg_kval *none = xg_elem_index_0(&w->s), *most = xg_elem_index(&w->s, p->steps), *all;
    uint32_t k;
    if (xg_tile_sums_groups(p)) return xg_tile_ragged_steps(w);
    if (p->skips && w->batch) {
        const xg_tile_group *g = &p->form.group[XG_TILE_K];
        most = xg_elem_index(&w->s, xg_tile_channels(p) / p->shape.k);
        for (k = 0; k + 1 < g->n; k++) most = xg_k2(&w->s.b, XG_K_OP_MULI, xg_tile_places(w, &g->axes[k]), most);
        /* one place is multiplied by zeros where there is none, of each picture that comes; boxes may be infinite */
        w->some = p->bulk && xg_kval_range(most).lo == 0 ? xg_kcmpi_int(&w->s.b, XG_CI_SGT, most, 0) : NULL;
        most = xg_k2_int(&w->s.b, XG_K_OP_MAXSI, most, xg_tile_halo_steps(p) ? p->steps / p->halo : 1);
        xg_kval_set_range(most, xg_range_of(1, p->steps));
    }
    if (!w->share || p->all_steps % p->steps == 0) return most;
    all = xg_elem_index(&w->s, p->all_steps);
    all = xg_k2(&w->s.b, XG_K_OP_SUBI, all, xg_tile_join(w, w->share, p->steps, none));
    return xg_k2(&w->s.b, XG_K_OP_MINSI, all, most);
}
XG_FN void xg_tile_some_of(xg_tile_kernel *w, xg_flow *f, int64_t all) {
    if (!w->p->skips) return;
    f->op->a = xg_cost_mul(all, w->p->form.some_places);
    f->op->b = w->p->form.all_places;
}
XG_FN xg_kval *xg_tile_steps_for(xg_tile_kernel *w, xg_flow *f) {
    bool sums = xg_tile_sums_groups(w->p);
    xg_kval *step = xg_flow_for(f, xg_elem_index_0(&w->s), w->steps, 1, sums ? w->p->all_steps : w->p->steps);
    if (sums) f->op->a = w->p->steps; /* as many as groups have on average */
    xg_tile_some_of(w, f, w->p->steps);
    return step;
}

#endif /* XG_SCHED_TILE_LIMIT_C */
