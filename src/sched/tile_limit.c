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
            i->op != XG_COPY)
            break;
        *m = xg_imap_compose(x, *m, xg_indexing_operand(x, i, 0));
        i = XG_OPERAND(i, 0);
    }
    return i;
}
/* ---- phases whose windows have fewer places than others' ---- */

XG_FN void xg_tile_settle_steps(xg_tile_plan *p) {
    const xg_tile_group *g = &p->form.group[XG_TILE_K];
    const xg_tile_axis *last = &g->axes[g->n - 1];
    int64_t some = 1, all = 1, s, size;
    uint32_t k, dim;
    p->mean = p->steps;
    p->skips = false;
    if (!p->form.phased || xg_tile_sharers(p) > 1 || p->halo_kinds > 1) return;
    if (last->of + 1 != p->form.n_vars || last->extent % p->shape.k) return; /* a step is of one place */
    for (k = 0; k < g->n; k++) {
        if ((s = xg_tile_phases(p->form.hero, g->axes[k].of - p->form.rank, &dim)) == 1) continue;
        size = xg_emit_window(p->form.hero).p[g->axes[k].of - p->form.rank].size;
        some *= XG_MAX(size, s);
        all *= s * g->axes[k].extent;
    }
    p->skips = some != all;
    p->mean = xg_tile_over(xg_cost_mul(p->steps, some), all);
}
/* Places along an axis of k, below the batch's phase; where there is none, one is multiplied by zeros. */
XG_FN xg_kval *xg_tile_places(xg_tile_kernel *w, uint32_t axis) {
    const xg_tile_plan *p = w->p;
    const xg_tile_axis *a = &p->form.group[XG_TILE_K].axes[axis];
    const xg_aff *linear[XG_TILE_ROLES] = {NULL}, *vars[XG_TILE_VARS_MAX], *e;
    xg_aff_ctx *x = w->e->m->aff;
    uint32_t dim, k = a->of - p->form.rank;
    int64_t s = xg_tile_phases(p->form.hero, k, &dim), size;
    xg_imap *m = xg_tile_map(x, &p->batch, 1, 0);
    xg_aff_env env = xg_imap_env(x, m);
    if (s == 1) return xg_elem_index(&w->s, a->extent);
    size = xg_emit_window(p->form.hero).p[k].size;
    linear[XG_TILE_B] = xg_aff_dim(x, 0);
    xg_tile_variables(&p->form, &env, linear, vars);
    e = xg_aff_mul(x, xg_tile_phase_place(p->form.hero, x, k, vars[dim]), -1);
    e = xg_aff_div(x, xg_aff_add_k(x, e, XG_MAX(size, s) + s - 1), s);
    return xg_tile_apply(w, &p->batch, 1, e, &w->batch);
}
/* Steps count those of the phase's places: the same one among those of all places. */
XG_FN xg_kval *xg_tile_own_step(xg_tile_kernel *w, xg_kval *step) {
    const xg_tile_plan *p = w->p;
    const xg_tile_group *g = &p->form.group[XG_TILE_K];
    int64_t unit = g->axes[g->n - 1].extent / p->shape.k, all;
    xg_kval *at, *n, *next, *some, *full;
    uint32_t k;
    if (!p->skips) return w->share ? xg_tile_join(w, w->share, p->steps, step) : step;
    at = xg_tile_rest(w, step, unit);
    step = xg_tile_quotient(w, step, unit);
    for (k = g->n - 1; k-- > 0; step = next, unit *= all) {
        all = g->axes[k].extent;
        n = xg_tile_places(w, k);
        next = xg_tile_quotient(w, step, all);
        if (k && xg_kval_range(n).lo < all) {
            full = xg_kcmpi_int(&w->s.b, XG_CI_EQ, n, all);
            some = xg_tile_quotient(w, step, all - 1);
            next = xg_kselect(&w->s.b, full, next, some);
        }
        if (k) step = xg_k2(&w->s.b, XG_K_OP_SUBI, step, xg_k2(&w->s.b, XG_K_OP_MULI, next, n));
        at = xg_tile_join(w, step, unit, at);
    }
    xg_kval_set_range(at, xg_range_of(0, p->all_steps - 1));
    return at;
}
/* Of all steps those of the block's part: the last block of a tile may have fewer. */
XG_FN xg_kval *xg_tile_steps(xg_tile_kernel *w) {
    const xg_tile_plan *p = w->p;
    xg_kval *none = xg_elem_index(&w->s, 0), *most = xg_elem_index(&w->s, p->steps), *all;
    uint32_t k;
    if (xg_tile_sums_groups(p)) return xg_tile_ragged_steps(w);
    if (p->skips && w->batch) {
        const xg_tile_group *g = &p->form.group[XG_TILE_K];
        most = xg_elem_index(&w->s, g->axes[g->n - 1].extent / p->shape.k);
        for (k = 0; k + 1 < g->n; k++) most = xg_k2(&w->s.b, XG_K_OP_MULI, xg_tile_places(w, k), most);
        xg_kval_set_range(most, xg_range_of(1, p->steps));
    }
    if (!w->share || p->all_steps % p->steps == 0) return most;
    all = xg_elem_index(&w->s, p->all_steps);
    all = xg_k2(&w->s.b, XG_K_OP_SUBI, all, xg_tile_join(w, w->share, p->steps, none));
    return xg_k2(&w->s.b, XG_K_OP_MINSI, all, most);
}
XG_FN xg_kval *xg_tile_steps_for(xg_tile_kernel *w, xg_flow *f) {
    bool sums = xg_tile_sums_groups(w->p);
    xg_kval *step = xg_flow_for(f, xg_elem_index(&w->s, 0), w->steps, 1, sums ? w->p->all_steps : w->p->steps);
    if (sums || w->p->skips) f->op->a = w->p->mean; /* as many as groups have on average */
    return step;
}

#endif /* XG_SCHED_TILE_LIMIT_C */
