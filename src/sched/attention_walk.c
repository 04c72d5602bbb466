/* sched/attention_walk.c -- the steps of keys that a block goes through: those that its tile of rows can see, and the
 * others where masks do not say enough (attention_mask.c). */
#ifndef XG_SCHED_ATTENTION_WALK_C
#define XG_SCHED_ATTENTION_WALK_C
#include "attention.h"

/* The bound of the block's tile, as a number of 64 bits. */
XG_FN xg_kval *xg_attention_bound_value(xg_attention_kernel *w, const xg_attention_bound *b, xg_kval *row) {
    xg_aff_ctx *x = w->t.e->m->aff;
    xg_kb *to = xg_attention_b(w);
    int64_t counts[2];
    xg_kval *at[XG_ATTENTION_DIMS], *index[XG_RANK_MAX], *v, *read, *all, *bounded = NULL;
    uint32_t k;
    counts[XG_ATTENTION_BATCH] = w->f->batch;
    counts[XG_ATTENTION_ROW] = w->f->rows;
    at[XG_ATTENTION_BATCH] = w->batch;
    at[XG_ATTENTION_ROW] = row;
    v = xg_tile_apply(&w->t, counts, 2, xg_aff_add_k(x, b->at, -b->least), at);
    v = xg_kcast(to, XG_K_OP_INDEX_CAST, v, XG_E_I64);
    v = xg_k2(to, XG_K_OP_ADDI, v, xg_kconst_int(to, XG_E_I64, b->least));
    for (k = 0; k < b->n; k++) {
        xg_attention_numbers(w, at);
        read = xg_attention_element(w, b->part[k], at, NULL, 0, index).v;
        if (read->type->elem != XG_E_I64) read = xg_kcast(to, XG_K_OP_EXTSI, read, XG_E_I64);
        all = xg_kcmpi_(to, XG_CI_SLT, read, xg_kconst_int(to, XG_E_I64, XG_ATTENTION_BOUND_LIMIT));
        bounded = bounded ? xg_k2(to, XG_K_OP_ANDI, bounded, all) : all;
        all = xg_kcmpi_(to, XG_CI_SGT, read, xg_kconst_int(to, XG_E_I64, -(int64_t)XG_ATTENTION_BOUND_LIMIT));
        bounded = xg_k2(to, XG_K_OP_ANDI, bounded, all);
        read = xg_k2(to, XG_K_OP_MULI, read, xg_kconst_int(to, XG_E_I64, b->scale[k]));
        v = xg_k2(to, XG_K_OP_ADDI, v, read);
    }
    all = xg_kconst_int(to, XG_E_I64, b->upper ? w->f->keys : 0);
    return bounded ? xg_kselect(to, bounded, v, all) : v;
}
/* The steps of the block's tile: w->from, w->to. */
XG_FN void xg_attention_walk_of(xg_attention_kernel *w) {
    const xg_attention_plan *p = w->p;
    xg_kb *to = xg_attention_b(w);
    xg_kval *first = xg_tile_join(&w->t, w->tile, p->tile, xg_elem_index(&w->t.s, 0)), *last, *v;
    uint32_t k;
    w->from = xg_elem_index(&w->t.s, 0);
    w->to = xg_elem_index(&w->t.s, p->steps);
    last = xg_attention_clamp(w, xg_attention_at(w, first, p->tiles * p->tile - p->tile + 1, p->tile - 1), w->f->rows);
    first = xg_attention_clamp(w, first, w->f->rows);
    for (k = 0; p->bounded && k < w->f->n_bounds; k++) {
        const xg_attention_bound *b = &w->f->bounds[k];
        v = xg_attention_bound_value(w, b, (b->slope > 0) == b->upper ? last : first);
        v = xg_k2(to, XG_K_OP_ADDI, v, xg_kconst_int(to, XG_E_I64, b->upper ? p->shape.step : 0));
        v = xg_elem_clamped(&w->t.s, v, XLAGPU_S64, p->steps * p->shape.step);
        v = xg_tile_quotient(&w->t, v, p->shape.step);
        if (b->upper)
            w->to = xg_k2(to, XG_K_OP_MINSI, w->to, v);
        else
            w->from = xg_k2(to, XG_K_OP_MAXSI, w->from, v);
        xg_kval_set_range(b->upper ? w->to : w->from, xg_range_of(0, p->steps));
    }
    w->from = xg_k2(to, XG_K_OP_MINSI, w->from, w->to);
    xg_kval_set_range(w->from, xg_range_of(0, p->steps));
}
/* The least of all rows' maxima, in each thread. */
XG_FN xg_kval *xg_attention_least(xg_attention_kernel *w) {
    xg_kb *b = xg_attention_b(w);
    int64_t tile = w->p->tile, parts = w->p->shape.parts, half, k, j;
    xg_kval *least = NULL, *row, *at, *v, *most;
    xg_flow f = xg_flow_of(&w->t.s, &w->votes);
    xg_attention_wait(w);
    xg_flow_if(&f, xg_kcmpi_(b, XG_CI_EQ, w->beside, xg_elem_index(&w->t.s, 0)));
    row = xg_tile_join(&w->t, w->part, w->p->shape.warps, w->across);
    row = xg_tile_join(&w->t, row, XG_ATTENTION_ROWS, w->group);
    for (half = 0; half < XG_ATTENTION_HALVES; half++) {
        at = xg_attention_at(w, row, tile * parts, half * XG_ATTENTION_EIGHT);
        w->votes = xg_kinsert(b, w->most[half], w->votes, &at, 1);
    }
    xg_flow_end(&f);
    xg_attention_wait(w);
    for (k = 0; k < tile; k += XG_TILE_LANES) {
        row = xg_attention_clamp(w, xg_attention_at(w, w->lane, tile, k), tile);
        for (most = NULL, j = 0; j < parts; j++) {
            at = xg_attention_at(w, row, tile * parts, j * tile);
            v = xg_kextract(b, w->votes, &at, 1);
            most = most ? xg_k2(b, XG_K_OP_MAXF, most, v) : v;
        }
        least = least ? xg_k2(b, XG_K_OP_MINF, least, most) : most;
    }
    for (k = 1; k < XG_TILE_LANES; k *= 2) {
        v = xg_kshuffle(b, XG_K_OP_SHFLBFLY, least, xg_kconst_int(b, XG_E_I32, k));
        least = xg_k2(b, XG_K_OP_MINF, least, v);
    }
    return least;
}
/* Behind the steps that the tile can see: all others, unless each row's maximum makes the weights of masked keys 0. */
XG_FN void xg_attention_walk_on(xg_attention_kernel *w) {
    enum {
        ZERO_F32 = 104, /* exp of less than minus it is 0, in f32 and in f64 */
        ZERO_F64 = 746
    };
    xg_kb *b = xg_attention_b(w);
    double enough = w->f->masked + (w->f->sum == XLAGPU_F64 ? ZERO_F64 : ZERO_F32);
    xg_kval *from = w->from, *to = w->to, *all, *more;
    more = xg_attention_least(w);
    more = xg_kcmpf_(b, XG_CF_OGT, more, xg_attention_number(w, enough));
    all = xg_attention_at(w, from, w->p->steps + 1, w->p->steps);
    w->from = to;
    w->to = xg_kselect(b, more, to, all);
    xg_kval_set_range(w->to, xg_range_of(0, 2 * w->p->steps));
}

#endif /* XG_SCHED_ATTENTION_WALK_C */
