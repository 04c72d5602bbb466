/* sched/tile_ragged.c -- tiles of a ragged-dot: rows that lie in groups, each of which has a matrix of its own.
 *
 * A tile begins with a row of its group, and where the next group begins it writes no more; so blocks find their tile
 * by the sizes of groups, which lie in memory, and nothing else knows of groups: the right side is that of a batch,
 * the left side is the same for all of it. There are as many blocks as tiles can be. Those behind the last tile have
 * nothing to do: estimates count as many as there are where sizes are random, half a tile more for each group. Rows
 * behind the last group are one group more, whose results are zeros.
 *
 * Where the sum is ragged (the gradient of such a layer), groups are the batch, and a block's steps are those of its
 * group: what lies behind the group's end counts as zero on both sides. */
#ifndef XG_SCHED_TILE_RAGGED_C
#define XG_SCHED_TILE_RAGGED_C
#include "tile.h"

XG_FN bool xg_tile_sums_groups(const xg_tile_plan *p) {
    uint32_t which;
    return p->form.hero->op == XG_RAGGED_DOT && xg_ragged_sums(p->form.hero, &which);
}
XG_ONE_COPY XG_FN int64_t xg_tile_summed(const xg_tile_plan *p) {
    return xg_tile_sums_groups(p) || p->skips ? p->mean * p->shape.k : p->form.group[XG_TILE_K].size;
}
XG_FN bool xg_tile_is_ragged(const xg_tile_plan *p) {
    return p->form.hero->op == XG_RAGGED_DOT && !xg_tile_sums_groups(p);
}
XG_ONE_COPY XG_FN int64_t xg_tile_ragged_places(const xg_tile_plan *p) {
    return p->form.group[XG_TILE_B].size / xg_ragged_groups(p->form.hero);
}
XG_FN int64_t xg_tile_ragged_high(const xg_tile_plan *p) { return p->shape.multicast > 1 ? 2 : 1; }
XG_FN int64_t xg_tile_pace(const xg_tile_plan *p, uint32_t side, int64_t rows) {
    if (!side && p->shape.halo && !xg_tile_halo_steps(p)) return p->halo * XG_KWGMMA_M;
    return !side && xg_tile_is_ragged(p) ? 1 : rows;
}
XG_FN int64_t xg_tile_paces(const xg_tile_plan *p, uint32_t side) {
    if (side || !xg_tile_is_ragged(p)) return p->tiles[side];
    return p->form.group[XG_TILE_M].size + p->shape.m;
}
XG_APART XG_FN void xg_tile_ragged_settle(xg_tile_plan *p) {
    int64_t high = xg_tile_ragged_high(p), rows = p->shape.m * high, all = p->form.group[XG_TILE_M].size, groups, most;
    if (xg_tile_sums_groups(p)) { /* steps of a group of usual size; one is no loop */
        p->steps = p->form.group[XG_TILE_K].size / xg_ragged_groups(p->form.hero) / p->shape.k + 1;
        p->steps = p->all_steps > 1 ? XG_MAX(p->steps, (int64_t)2) : 1;
        return;
    }
    groups = XG_MIN(xg_ragged_groups(p->form.hero), p->form.group[XG_TILE_M].axes[0].extent);
    most = XG_MIN(groups + 1, p->form.group[XG_TILE_M].axes[0].extent); /* with the rows behind them */
    most += (all - most) / rows;
    p->tiles[0] = most * high;
    p->group_rows = high;
    p->blocks = xg_cost_mul(xg_cost_mul(xg_tile_ragged_places(p), high * p->tiles[1]), p->shape.cluster);
    p->idle = p->blocks * XG_MAX(most - all / rows - (groups + 1) / 2, (int64_t)0);
    p->blocks = xg_cost_mul(p->blocks, most) - p->idle;
}
XG_FN void xg_tile_ragged_stand(xg_tile_kernel *w, xg_kval *tile) {
    const xg_tile_plan *p = w->p;
    const xg_inst *i = p->form.hero;
    int64_t groups = xg_ragged_groups(i), places = p->batch / groups, high = xg_tile_ragged_high(p);
    int64_t behind = p->form.group[XG_TILE_M].size / p->form.group[XG_TILE_M].axes[0].extent;
    const xg_aff *linear[XG_TILE_ROLES] = {NULL};
    xg_aff_ctx *x = w->s.b.m->aff;
    xg_kval *at[XG_TILE_VARS_MAX], *own;
    xg_imap *m = xg_tile_map(x, &places, 1, xg_ragged_dim(i));
    linear[XG_TILE_B] = xg_aff_mul(x, xg_aff_dim_0(x), groups);
    xg_tile_set_variables(&p->form, x, m, linear);
    if (m->n_results) xg_elem_apply(&w->s, m, &w->batch, at);
    w->ragged = xg_ragged_find(&w->s, i, at, tile, p->shape.m * high, behind);
    own = xg_k2_int(&w->s.b, XG_K_OP_MINSI, w->ragged.group, groups - 1);
    w->batch = xg_tile_join(w, w->batch, groups, own);
    w->tile[0] = w->ragged.first;
    if (high > 1) w->tile[0] = xg_tile_join(w, w->pair, p->shape.m, w->tile[0]);
}
/* A group's part of the sum: where it lies, in w->ragged, and its steps. */
XG_APART XG_FN xg_kval *xg_tile_ragged_steps(xg_tile_kernel *w) {
    const xg_tile_plan *p = w->p;
    const xg_inst *i = p->form.hero;
    int64_t behind = p->form.group[XG_TILE_K].size / p->form.group[XG_TILE_K].axes[0].extent;
    const xg_aff *linear[XG_TILE_ROLES] = {NULL};
    xg_aff_ctx *x = w->s.b.m->aff;
    xg_kval *at[XG_TILE_VARS_MAX], *n;
    xg_imap *m = xg_tile_map(x, &p->batch, 1, i->shape->rank);
    linear[XG_TILE_B] = xg_aff_dim_0(x);
    xg_tile_set_variables(&p->form, x, m, linear);
    xg_elem_apply(&w->s, m, &w->batch, at);
    w->ragged = xg_ragged_find(&w->s, i, at + 1, at[0], 0, behind);
    if (p->all_steps == 1) return xg_elem_index(&w->s, 1); /* in no loop */
    n = xg_k2(&w->s.b, XG_K_OP_SUBI, w->ragged.end, w->ragged.first);
    n = xg_k2_int(&w->s.b, XG_K_OP_MAXSI, n, 1); /* tensor memory has no zeros of its own */
    return xg_tile_quotient(w, xg_kaddi_int(&w->s.b, n, p->shape.k - 1), p->shape.k);
}
XG_FN void xg_tile_ragged_begin(xg_tile_kernel *w) {
    const xg_tile_plan *p = w->p;
    w->batch = xg_elem_index_0(&w->s);
    w->pair = w->batch;
    xg_tile_ragged_stand(w, w->batch);
    w->all = xg_tile_join(w, w->ragged.all, (p->blocks + p->idle) / p->tiles[0] * xg_tile_ragged_high(p), w->pair);
}
XG_FN xg_kval *xg_tile_ragged_has(xg_tile_kernel *w, xg_kval *row) {
    return xg_kcmpi_(&w->s.b, XG_CI_SLT, row, w->ragged.end);
}

#endif /* XG_SCHED_TILE_RAGGED_C */
