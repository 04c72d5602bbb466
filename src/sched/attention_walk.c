/* sched/attention_walk.c -- the steps of keys that a block goes through: those that its tile of rows can see, and the
 * others where masks do not say enough (attention_mask.c). */
#ifndef XG_SCHED_ATTENTION_WALK_C
#define XG_SCHED_ATTENTION_WALK_C
#include "attention.h"

/* The bound of a row, as a number of 64 bits; `none`: what it is where it is not known. */
XG_FN xg_kval *xg_attention_bound_value(
    xg_attention_kernel *w, const xg_attention_bound *b, xg_kval *row, int64_t none) {
    xg_aff_ctx *x = w->t->s.b.m->aff;
    xg_kb *to = xg_attention_b(w);
    int64_t counts[2];
    xg_kval *at[XG_ATTENTION_DIMS], *index[XG_RANK_MAX], *v, *read, *all, *bounded = NULL;
    uint32_t k;
    counts[XG_ATTENTION_BATCH] = w->f->batch;
    counts[XG_ATTENTION_ROW] = w->f->rows;
    at[XG_ATTENTION_BATCH] = w->batch;
    at[XG_ATTENTION_ROW] = row;
    v = xg_tile_apply(w->t, counts, 2, xg_aff_add_k(x, b->at, -b->least), at);
    v = xg_kcast(to, XG_K_OP_INDEX_CAST, v, XG_E_I64);
    v = xg_kaddi_int(to, v, b->least);
    for (k = 0; k < b->n; k++) {
        xg_attention_numbers(w, at);
        read = xg_attention_element(w, b->part[k], at, NULL, 0, index).v;
        if (read->type->elem != XG_E_I64) read = xg_kcast(to, XG_K_OP_EXTSI, read, XG_E_I64);
        all = xg_kcmpi_int(to, XG_CI_SLT, read, XG_ATTENTION_BOUND_LIMIT);
        bounded = bounded ? xg_k2(to, XG_K_OP_ANDI, bounded, all) : all;
        all = xg_kcmpi_int(to, XG_CI_SGT, read, -(int64_t)XG_ATTENTION_BOUND_LIMIT);
        bounded = xg_k2(to, XG_K_OP_ANDI, bounded, all);
        read = xg_k2_int(to, XG_K_OP_MULI, read, b->scale[k]);
        v = xg_k2(to, XG_K_OP_ADDI, v, read);
    }
    all = xg_kconst_int(to, XG_E_I64, none);
    return bounded ? xg_kselect(to, bounded, v, all) : v;
}
/* The tile's first and last row. */
XG_FN void xg_attention_tile_rows(xg_attention_kernel *w, xg_kval **first, xg_kval **last) {
    const xg_attention_plan *p = w->p;
    xg_kval *v = xg_tile_join(w->t, w->tile, p->tile, xg_elem_index_0(&w->t->s));
    *last = xg_attention_at(w, v, p->tiles * p->tile - p->tile + 1, p->tile - 1);
    *last = xg_attention_clamp(w, *last, w->f->rows);
    *first = xg_attention_clamp(w, v, w->f->rows);
}
/* v, a number of 64 bits, in whole steps. */
XG_FN xg_kval *xg_attention_in_steps(xg_attention_kernel *w, xg_kval *v, int64_t more) {
    const xg_attention_plan *p = w->p;
    xg_kb *b = xg_attention_b(w);
    v = xg_kaddi_int(b, v, more);
    v = xg_elem_clamped(&w->t->s, v, XLAGPU_S64, p->span * p->shape.step);
    return xg_tile_quotient(w->t, v, p->shape.step);
}
/* Of these steps, which all blocks of the cluster have together, the block's own: as many as others, or fewer. */
XG_FN void xg_attention_own_steps(xg_attention_kernel *w) {
    int64_t blocks = w->p->cluster, steps = w->p->steps;
    xg_kb *b = xg_attention_b(w);
    xg_kval *own = xg_k2(b, XG_K_OP_SUBI, w->to, w->from), *first;
    xg_kval_set_range(own, xg_range_of(0, steps));
    own = xg_tile_quotient(w->t, xg_kaddi_int(b, own, blocks - 1), blocks);
    first = xg_k2(b, XG_K_OP_ADDI, w->from, xg_k2(b, XG_K_OP_MULI, w->rank, own));
    w->from = xg_k2(b, XG_K_OP_MINSI, first, w->to);
    w->to = xg_k2(b, XG_K_OP_MINSI, xg_k2(b, XG_K_OP_ADDI, first, own), w->to);
    xg_kval_set_range(w->from, xg_range_of(0, steps));
    xg_kval_set_range(w->to, xg_range_of(0, steps));
}
/* The row of the tile where a bound is least, or most; a period that begins in the tile has both there. */
XG_FN xg_kval *xg_attention_bound_at(
    xg_attention_kernel *w, const xg_attention_bound *b, xg_kval *first, xg_kval *last, bool at_first) {
    xg_kb *to = xg_attention_b(w);
    xg_kval *cut, *end, *v = at_first ? first : last;
    if (b->period <= 0 || b->period % w->p->tile == 0) return v;
    cut = xg_k2_int(to, XG_K_OP_MULI, xg_tile_quotient(w->t, last, b->period), b->period);
    end = at_first ? cut : xg_kaddi_int(to, cut, -1);
    v = xg_kselect(to, xg_kcmpi_(to, XG_CI_SLT, first, cut), end, v);
    xg_kval_set_range(v, xg_range_of(0, w->f->rows - 1));
    return v;
}
/* What bounds leave of the steps from *lower to *upper: to any row of the tile, or, inner, to all of them every key. */
XG_FN void xg_attention_by_bounds(xg_attention_kernel *w, bool inner, xg_kval **lower, xg_kval **upper) {
    int64_t steps = w->p->span, step = w->p->shape.step, keys = steps * step;
    xg_kval *first, *last, *v;
    uint32_t k;
    xg_attention_tile_rows(w, &first, &last);
    for (k = 0; k < w->f->n_bounds; k++) {
        const xg_attention_bound *b = &w->f->bounds[k];
        xg_kval **at = b->upper ? upper : lower, *row;
        row = xg_attention_bound_at(w, b, first, last, ((b->slope > 0) == b->upper) == inner);
        v = xg_attention_bound_value(w, b, row, b->upper ? (inner ? -1 : keys) : inner ? keys : 0);
        v = xg_attention_in_steps(w, v, b->upper ? (inner ? 1 : step) : inner ? step - 1 : 0);
        *at = xg_k2(xg_attention_b(w), b->upper ? XG_K_OP_MINSI : XG_K_OP_MAXSI, *at, v);
        xg_kval_set_range(*at, xg_range_of(0, steps));
    }
}
/* The steps of the block's tile: w->from, w->to. */
XG_FN void xg_attention_walk_of(xg_attention_kernel *w) {
    int64_t periods = w->p->steps / w->p->span;
    w->from = xg_elem_index_0(&w->t->s);
    w->to = xg_elem_index(&w->t->s, w->p->span);
    if (w->p->bounded) xg_attention_by_bounds(w, false, &w->from, &w->to);
    w->from = xg_k2(xg_attention_b(w), XG_K_OP_MINSI, w->from, w->to);
    xg_kval_set_range(w->from, xg_range_of(0, w->p->steps));
    if (w->rank) xg_attention_own_steps(w);
    if (periods == 1) return;
    w->to = xg_k2(xg_attention_b(w), XG_K_OP_SUBI, w->to, w->from);
    w->to = xg_k2_int(xg_attention_b(w), XG_K_OP_MULI, w->to, periods);
    w->to = xg_k2(xg_attention_b(w), XG_K_OP_ADDI, w->to, w->from);
    xg_kval_set_range(w->to, xg_range_of(0, w->p->steps));
}
XG_FN bool xg_attention_has_inner(const xg_attention_plan *p) {
    bool ragged = p->form.keys % p->shape.step != 0;
    return p->steps > 1 && (!p->form.key_period || p->bounded) &&
           (p->form.stages[XG_ATTENTION_BARE].root || (ragged && !p->form.n_bounds));
}
/* Of bounds that say all of the masks: where they hold for every key of a step and every row of the tile. */
XG_FN void xg_attention_inner_of(xg_attention_kernel *w) {
    w->inner[0] = w->inner[1] = NULL;
    if (!xg_attention_has_inner(w->p)) return;
    w->inner[0] = xg_elem_index_0(&w->t->s);
    w->inner[1] = xg_elem_index(&w->t->s, XG_MIN(w->f->keys / w->p->shape.step, w->p->span));
    xg_attention_by_bounds(w, true, &w->inner[0], &w->inner[1]);
}
/* Where a vote lies: a row's, or one so many further on. */
XG_FN xg_kval *xg_attention_vote_at(xg_attention_kernel *w, xg_kval *row, int64_t more) {
    if (w->p->shape.grouped) row = xg_tile_join(w->t, w->walk, w->p->tile * w->p->shape.parts, row);
    return xg_attention_at(w, row, xg_attention_votes(w->p), more);
}
/* The rows' maxima into shared memory. */
XG_FN void xg_attention_show_most(xg_attention_kernel *w) {
    xg_kb *b = xg_attention_b(w);
    int64_t half;
    xg_kval *row, *at;
    xg_flow f = xg_flow_of(&w->t->s, &w->votes);
    xg_flow_if(&f, xg_kcmpi_int(b, XG_CI_EQ, w->beside, 0));
    row = xg_tile_join(w->t, w->part, w->p->shape.warps, w->across);
    row = xg_tile_join(w->t, row, w->p->warp_rows, w->group);
    for (half = 0; half < w->p->halves; half++) {
        at = xg_attention_vote_at(w, row, half * XG_ATTENTION_EIGHT);
        w->votes = xg_kinsert_at(b, xg_attention_most_of(w, half), w->votes, at);
    }
    xg_flow_end(&f);
}
/* The least of all rows' maxima, in each thread. */
XG_FN xg_kval *xg_attention_least(xg_attention_kernel *w, bool has_rows) {
    xg_kb *b = xg_attention_b(w);
    int64_t tile = w->p->tile, parts = w->p->shape.parts, k, j;
    xg_kval *least = NULL, *row, *at, *v, *most;
    bool grouped = w->p->shape.grouped;
    if (!grouped) xg_attention_wait(w);
    if (has_rows) xg_attention_show_most(w);
    if (grouped)
        xg_attention_meet_voters(w);
    else
        xg_attention_wait(w);
    for (k = 0; k < tile; k += XG_WARP_LANES) {
        row = xg_attention_clamp(w, xg_attention_at(w, w->lane, tile, k), tile);
        for (most = NULL, j = 0; j < parts; j++) {
            at = xg_attention_vote_at(w, row, j * tile);
            v = xg_kextract(b, w->votes, &at, 1);
            most = most ? xg_k2(b, XG_K_OP_MAXF, most, v) : v;
        }
        least = least ? xg_k2(b, XG_K_OP_MINF, least, most) : most;
    }
    xg_attention_combine(w, XG_K_OP_MINF, &least, 1, XG_WARP_LANES);
    return least;
}
/* Behind the steps that the tile can see: all others, unless each row's maximum makes the weights of masked keys 0. */
XG_ONE_COPY XG_FN double xg_attention_enough(const xg_attention_form *f) {
    enum {
        ZERO_F32 = 104, /* exp of less than minus it is 0, in f32 and in f64 */
        ZERO_F64 = 746
    };
    return f->votes ? f->masked + (double)(f->sum == XLAGPU_F64 ? ZERO_F64 : ZERO_F32) : -INFINITY;
}
XG_FN void xg_attention_walk_on(xg_attention_kernel *w, bool has_rows) {
    xg_kb *b = xg_attention_b(w);
    double enough = xg_attention_enough(w->f);
    xg_kval *from = w->from, *to = w->to, *all, *more;
    more = xg_attention_least(w, has_rows);
    more = xg_kcmpf_(b, XG_CF_OGT, more, xg_attention_number(w, enough));
    all = xg_attention_at(w, from, w->p->steps + 1, w->p->steps);
    w->from = to;
    w->to = xg_kselect(b, more, to, all);
    xg_kval_set_range(w->to, xg_range_of(0, 2 * w->p->steps));
}

#endif /* XG_SCHED_ATTENTION_WALK_C */
