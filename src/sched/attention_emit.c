/* sched/attention_emit.c -- the kernel of a plan for attention.
 *
 *     bring the tile's rows of Q into shared memory
 *     for each step of keys:
 *         wait; bring K and V; wait
 *         s = Q K, of which stages make scores
 *         m' = max(m, scores), scale = exp(m - m'), p = exp(scores - m'), l = l scale + p
 *         o = o scale + p V
 *     c = exp(m - the module's shift); the result is made of o c, of l c and of m
 *
 * A warp has 16 rows. A thread has row g and row g + 8, where g is a quarter of its lane's number, and of eight columns
 * two neighbours, as a matrix unit spreads sums; so what makes scores and results is the same with it and without. The
 * unit takes the weights from the registers that had the scores; without it they go through shared memory. */
#ifndef XG_SCHED_ATTENTION_EMIT_C
#define XG_SCHED_ATTENTION_EMIT_C
#include "attention.h"

/* The numbers of column c of a step, for a thread's row. */
XG_FN xg_kval *xg_attention_key(xg_attention_kernel *w, int64_t c) {
    int64_t column = c / XG_ATTENTION_PAIR * XG_ATTENTION_EIGHT + c % XG_ATTENTION_PAIR;
    xg_kval *key = xg_tile_join(&w->t, w->beside, XG_ATTENTION_PAIR, w->first_key);
    key = xg_tile_join(&w->t, w->part, w->p->own, key);
    return xg_attention_at(w, key, w->p->steps * w->p->shape.step - column, column);
}
XG_FN void xg_attention_score(xg_attention_kernel *w, int64_t half, int64_t c) {
    const xg_attention *a = &w->f->match;
    xg_kval *at[XG_ATTENTION_DIMS], *index[XG_RANK_MAX], *key = xg_attention_key(w, c), *cond, *v;
    xg_attention_given given;
    given.of = a->scores_dot;
    given.v = xg_elem_convert_to(&w->t.s, xg_elem_real(w->scores[half][c]), w->f->sum, a->scores_dot->shape->type);
    xg_attention_numbers(w, at);
    at[XG_ATTENTION_ROW] = w->row[half];
    at[XG_ATTENTION_KEY] = xg_attention_clamp(w, key, w->f->keys);
    v = xg_attention_converted_to(w, xg_attention_element(w, XG_ATTENTION_SCORES, at, &given, 1, index),
        w->f->stages[XG_ATTENTION_SCORES].root->shape->type, w->f->sum);
    cond = xg_attention_below(w, key, w->f->keys);
    if (cond) v = xg_kselect(xg_attention_b(w), cond, v, xg_attention_number(w, -INFINITY));
    w->scores[half][c] = v;
}
/* A weight as the second dot takes it, without its row's factors. */
XG_FN void xg_attention_weight(xg_attention_kernel *w, int64_t half, int64_t c, xg_kval *p) {
    const xg_attention *a = &w->f->match;
    const xg_inst *root = w->f->stages[XG_ATTENTION_WEIGHTS].root;
    xlagpu_type rounded = xg_contract_rounding(a->out_dot, root->shape->type);
    xg_attention_given given[XG_ATTENTION_FACTORS + 1];
    xg_kval *at[XG_ATTENTION_DIMS], *index[XG_RANK_MAX];
    xg_elem v;
    uint32_t k;
    given[0].of = a->exp;
    given[0].v = xg_elem_convert_to(&w->t.s, xg_elem_real(p), w->f->sum, a->exp->shape->type);
    for (k = 0; k < a->n_factors; k++) {
        xlagpu_type t = a->factors[k].of->shape->type;
        given[k + 1].of = a->factors[k].of;
        given[k + 1].v = xg_elem_convert_to(&w->t.s, xg_elem_real(xg_attention_number(w, 1)), w->f->sum, t);
    }
    xg_attention_numbers(w, at);
    at[XG_ATTENTION_ROW] = w->row[half];
    at[XG_ATTENTION_KEY] = xg_attention_clamp(w, xg_attention_key(w, c), w->f->keys);
    v = xg_attention_element(w, XG_ATTENTION_WEIGHTS, at, given, a->n_factors + 1, index);
    v = xg_elem_convert_to(&w->t.s, v, root->shape->type, rounded);
    w->scores[half][c] = xg_attention_converted_to(w, v, rounded, w->f->held);
}
/* Maximum, sum and what they scale, of a thread's row. */
XG_FN void xg_attention_row(xg_attention_kernel *w, int64_t half) {
    int64_t columns = w->p->own / XG_ATTENTION_BESIDE, c;
    xg_kb *b = xg_attention_b(w);
    xg_kval *most = w->most[half], *shift, *scale;
    for (c = 0; c < columns; c++) {
        xg_attention_score(w, half, c);
        most = xg_k2(b, XG_K_OP_MAXF, most, w->scores[half][c]);
    }
    most = xg_attention_combine(w, XG_K_OP_MAXF, most);
    shift = xg_attention_shift(w, most);
    scale = xg_attention_exp(w, w->most[half], shift);
    w->most[half] = most;
    w->sum[half] = xg_k2(b, XG_K_OP_MULF, w->sum[half], scale);
    for (c = 0; c < columns; c++) {
        xg_kval *p = xg_attention_exp(w, w->scores[half][c], shift);
        w->sum[half] = xg_k2(b, XG_K_OP_ADDF, w->sum[half], p);
        xg_attention_weight(w, half, c, p);
    }
    for (c = 0; c < w->p->columns / XG_ATTENTION_BESIDE; c++)
        w->out[half][c] = xg_k2(b, XG_K_OP_MULF, w->out[half][c], scale);
}
/* ---- all steps ---- */

/* The step's place among all: behind the last one they begin again. */
XG_FN xg_kval *xg_attention_wrapped(xg_attention_kernel *w, xg_kval *step) {
    xg_kb *b = xg_attention_b(w);
    xg_kval *all = xg_elem_index(&w->t.s, w->p->steps), *v;
    if (xg_kval_range(step).hi < w->p->steps) return step;
    v = xg_k2(b, XG_K_OP_SUBI, step, all);
    v = xg_kselect(b, xg_kcmpi_(b, XG_CI_SLT, step, all), step, v);
    xg_kval_set_range(v, xg_range_of(0, w->p->steps - 1));
    return v;
}
/* Keys of a step, where it has a buffer of several, in that. */
XG_FN void xg_attention_bring(xg_attention_kernel *w, xg_kval *step) {
    xg_kval *buffer = w->p->stages > 1 ? xg_tile_rest(&w->t, step, w->p->stages) : NULL;
    xg_attention_bring_step(w, xg_attention_wrapped(w, step), buffer);
}
/* The same, if it is one that is walked. */
XG_FN void xg_attention_bring_walked(xg_attention_kernel *w, xg_kval *step) {
    int64_t most = xg_kval_range(w->to).hi;
    xg_flow f = xg_flow_of(&w->t.s, &w->keys);
    xg_flow_slot(&f, &w->values);
    xg_flow_if(&f, xg_kcmpi_(xg_attention_b(w), XG_CI_SLT, step, w->to));
    xg_attention_bring(w, xg_attention_clamp(w, step, most));
    xg_flow_end(&f);
}
XG_FN void xg_attention_step(xg_attention_kernel *w, xg_kval *step) {
    int64_t columns = w->p->own / XG_ATTENTION_BESIDE, half, c;
    xg_kval *zero = xg_attention_number(w, 0), *none = xg_elem_index(&w->t.s, 0);
    w->first_key = xg_tile_join(&w->t, xg_attention_wrapped(w, step), w->p->shape.step, none);
    w->buffer = xg_tile_join(&w->t, w->part, w->p->own, none);
    if (w->p->stages == 1) {
        xg_attention_wait(w);
        xg_attention_bring(w, step);
        xg_attention_await(w, 0);
        xg_attention_wait(w);
    } else { /* the next step's keys are asked for while this one's are used */
        xg_attention_await(w, 0);
        xg_attention_wait(w);
        xg_attention_bring_walked(w, xg_attention_at(w, step, xg_kval_range(step).hi + 1, 1));
        w->buffer = xg_tile_join(&w->t, xg_tile_rest(&w->t, step, w->p->stages), w->p->shape.step, w->buffer);
    }
    for (half = 0; half < XG_ATTENTION_HALVES; half++)
        for (c = 0; c < columns; c++) w->scores[half][c] = zero;
    if (w->f->unit == XG_TILE_NO_UNIT)
        xg_attention_plain_scores(w);
    else
        xg_attention_unit_scores(w);
    for (half = 0; half < XG_ATTENTION_HALVES; half++) xg_attention_row(w, half);
    if (w->f->unit == XG_TILE_NO_UNIT)
        xg_attention_plain_out(w);
    else
        xg_attention_unit_out(w);
}
/* Variables that a row keeps from step to step. */
XG_FN void xg_attention_carry(xg_attention_kernel *w, xg_flow *f) {
    int64_t half, c;
    for (half = 0; half < XG_ATTENTION_HALVES; half++) {
        xg_flow_slot(f, &w->most[half]);
        xg_flow_slot(f, &w->sum[half]);
        for (c = 0; c < w->p->columns / XG_ATTENTION_BESIDE; c++) xg_flow_slot(f, &w->out[half][c]);
    }
    xg_attention_carry_shared(w, f);
    f->rolled = true;
}
XG_FN void xg_attention_walked_steps(xg_attention_kernel *w) {
    xg_flow f = xg_flow_of(&w->t.s, NULL);
    xg_kval *step;
    if (w->p->stages > 1) xg_attention_bring_walked(w, w->from);
    xg_attention_keep_query(w);
    xg_attention_carry(w, &f);
    step = xg_flow_for(&f, w->from, w->to, 1, xg_kval_range(w->to).hi);
    if (w->p->bounded) f.op->a = w->p->walked;
    xg_attention_step(w, step);
    xg_flow_end(&f);
}
XG_FN void xg_attention_steps(xg_attention_kernel *w) {
    enum {
        TWICE = 2 /* what the tile sees, then the rest */
    };
    const xg_inst *init = XG_OPERAND(w->f->match.max, 1);
    xg_flow f = xg_flow_of(&w->t.s, NULL);
    int64_t half, c;
    for (half = 0; half < XG_ATTENTION_HALVES; half++) {
        w->most[half] = xg_attention_number(w, xg_literal_get_float(init->literal, 0));
        w->sum[half] = xg_attention_number(w, 0);
        for (c = 0; c < w->p->columns / XG_ATTENTION_BESIDE; c++) w->out[half][c] = w->sum[half];
    }
    xg_attention_walk_of(w);
    if (!w->p->votes) {
        xg_attention_walked_steps(w);
        return;
    }
    xg_attention_carry(w, &f);
    xg_flow_slot(&f, &w->from);
    xg_flow_slot(&f, &w->to);
    (void)xg_attention_loop(w, &f, TWICE);
    f.op->a = 1; /* nearly always there is no rest */
    xg_kval_set_range(w->from, xg_range_of(0, w->p->steps));
    xg_kval_set_range(w->to, xg_range_of(0, TWICE * w->p->steps));
    xg_attention_walked_steps(w);
    xg_attention_walk_on(w);
    xg_flow_end(&f);
}

/* ---- the kernel ---- */

XG_FN void xg_attention_stage_functions(xg_attention_kernel *w) {
    uint32_t k;
    for (k = 0; k < XG_ATTENTION_PARTS; k++) {
        xg_fusion_emission *e = &w->parts[k];
        if (!w->f->stages[k].root) continue;
        *e = *w->t.e;
        e->parts = w->f->stages[k].parts;
        e->n_roots = e->parts->n_roots;
        e->roots = e->parts->roots;
        xg_emit_functions(e, false);
        w->scopes[k] = xg_emit_scope(e, w->t.e->m->entry, 0);
    }
}
XG_FN xg_kval *xg_attention_shared(xg_attention_kernel *w, xlagpu_type t, int64_t n) {
    const xg_ktype *type = xg_kir_tensor(w->t.e->m, xg_kelem_of(t), &n, 1);
    return xg_kir_op(xg_attention_b(w), XG_K_OP_ALLOC_SHARED, NULL, 0, &type, 1, 0)->results;
}
XG_FN void xg_attention_places(xg_attention_kernel *w) {
    const xg_attention_plan *p = w->p;
    xg_kval *id = xg_kblock_id(xg_attention_b(w), 0, p->blocks), *row;
    int64_t half;
    w->thread = xg_kthread_id(xg_attention_b(w), 0, p->threads);
    w->lane = xg_tile_rest(&w->t, w->thread, XG_TILE_LANES);
    w->warp = xg_tile_quotient(&w->t, w->thread, XG_TILE_LANES);
    w->group = xg_tile_quotient(&w->t, w->lane, XG_ATTENTION_BESIDE);
    w->beside = xg_tile_rest(&w->t, w->lane, XG_ATTENTION_BESIDE);
    w->tile = xg_tile_rest(&w->t, id, p->tiles);
    w->batch = xg_tile_quotient(&w->t, id, p->tiles);
    w->across = xg_tile_rest(&w->t, w->warp, p->shape.warps);
    w->part = xg_tile_quotient(&w->t, w->warp, p->shape.warps);
    row = xg_tile_join(&w->t, w->across, XG_ATTENTION_ROWS, w->group);
    row = xg_tile_join(&w->t, w->tile, p->tile, row);
    for (half = 0; half < XG_ATTENTION_HALVES; half++)
        w->row[half] = xg_attention_clamp(
            w, xg_attention_at(w, row, p->tiles * p->tile - XG_ATTENTION_EIGHT, half * XG_ATTENTION_EIGHT), w->f->rows);
}
XG_FN void xg_attention_emit(xg_fusion_emission *e, const xg_attention_plan *p) {
    xg_attention_kernel *w = XG_NEW(e->arena, xg_attention_kernel);
    xg_kfunc *f = e->m->entry;
    int64_t keys;
    uint32_t k;
    f->async_copies = p->copied;
    w->p = p;
    w->f = &p->form;
    w->t.e = e;
    w->t.s = xg_emit_scope(e, f, 0);
    f->threads[0] = (uint32_t)p->threads;
    f->blocks[0] = (uint32_t)p->blocks;
    f->threads[1] = f->threads[2] = f->blocks[1] = f->blocks[2] = 1;
    for (k = 0; k <= p->form.n_stats; k++) w->dest[k] = &f->body->args[f->n_inputs + k];
    for (k = 0; k < XG_ATTENTION_HALVES; k++) {
        w->out[k] = XG_NEW_N(e->arena, xg_kval *, (size_t)p->columns);
        w->scores[k] = XG_NEW_N(e->arena, xg_kval *, (size_t)p->own);
    }
    xg_attention_stage_functions(w);
    xg_attention_places(w);
    keys = p->stages * p->shape.step;
    w->query = xg_attention_shared(w, w->f->held, p->tile * p->pitch);
    w->keys = xg_attention_shared(w, w->f->held, keys * p->pitch);
    w->values = xg_attention_shared(w, w->f->held, keys * p->value_pitch);
    if (w->f->unit == XG_TILE_NO_UNIT) w->weights = xg_attention_shared(w, w->f->held, xg_attention_weights_size(p));
    if (p->shape.parts > 1) w->ends = xg_attention_shared(w, w->f->sum, xg_attention_ends_size(p));
    if (p->votes) w->votes = xg_attention_shared(w, w->f->sum, p->tile * p->shape.parts);
    xg_attention_bring_query(w);
    xg_attention_steps(w);
    xg_attention_results(w);
    xg_kreturn(xg_attention_b(w), w->dest, p->form.n_stats + 1);
}

#endif /* XG_SCHED_ATTENTION_EMIT_C */
