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
    return xg_attention_at(w, w->first_key, w->p->steps * w->p->shape.step - column, column);
}
/* A stage's score, made of what it is given in the place of `of`. */
XG_FN xg_elem xg_attention_score_by(
    xg_attention_kernel *w, xg_attention_part part, int64_t half, int64_t c, const xg_inst *of, xg_elem v) {
    xg_attention_given given;
    given.of = of;
    given.v = v;
    return xg_attention_row_element(w, part, half, c, &given, 1);
}
/* The score of a sum; `bare`: without masks and beyond the last key, too. */
XG_FN xg_elem xg_attention_score_of(xg_attention_kernel *w, int64_t half, int64_t c, bool bare) {
    const xg_inst *dot = w->scaled ? w->scaled : w->f->match.scores_dot;
    xg_elem v = xg_elem_convert_to(&w->t->s, xg_elem_real(w->scores[half][c]), w->f->sum, dot->shape->type);
    return xg_attention_score_by(w, bare ? XG_ATTENTION_BARE : XG_ATTENTION_SCORES, half, c, dot, v);
}
XG_FN void xg_attention_keep_score(xg_attention_kernel *w, int64_t half, int64_t c, xg_elem v) {
    xlagpu_type type = w->f->stages[XG_ATTENTION_SCORES].root->shape->type;
    w->scores[half][c] = xg_attention_converted_to(w, v, type, w->f->sum);
}
/* Nothing beyond the last key. */
XG_FN void xg_attention_end_score(xg_attention_kernel *w, int64_t half, int64_t c) {
    xg_kval *cond = xg_attention_below(w, xg_attention_key(w, c), w->f->keys), **v = &w->scores[half][c];
    if (cond) *v = xg_kselect(xg_attention_b(w), cond, *v, xg_attention_number(w, -INFINITY));
}
/* Scores of a step that needs masks, of what they are without; NULL: they are in tensor memory, from which a step
 * without masks then reads its own without moving them. */
XG_FN void xg_attention_mask_scores(xg_attention_kernel *w, const xg_elem *bare) {
    const xg_inst *of = w->f->stages[XG_ATTENTION_BARE].root;
    int64_t columns = w->p->own / XG_ATTENTION_BESIDE, half, c;
    xg_kb *b = xg_attention_b(w);
    xg_flow f = xg_flow_begin(&w->t->s);
    xg_kval *outside, *place = xg_tile_rest(w->t, w->place, w->p->span);
    outside = xg_kcmpi_(b, XG_CI_SLT, place, w->inner[0]);
    outside = xg_k2(b, XG_K_OP_ORI, outside, xg_kcmpi_(b, XG_CI_SGE, place, w->inner[1]));
    for (half = 0; half < w->p->halves && bare; half++) xg_flow_slots(&f, w->scores[half], (uint32_t)columns);
    xg_flow_if(&f, outside);
    f.op->flags = 1; /* few steps do: numbers of keys stay inside */
    if (!bare) xg_attention_read_all(w, 0, w->p->shape.step, w->scores);
    for (half = 0; half < w->p->halves; half++) {
        for (c = 0; c < columns; c++) {
            xg_elem v = bare ? bare[half * columns + c] : xg_attention_score_of(w, half, c, of);
            if (of) xg_attention_keep_score(w, half, c, xg_attention_score_by(w, XG_ATTENTION_MASKED, half, c, of, v));
            xg_attention_end_score(w, half, c);
        }
        if (!bare) xg_attention_raise(w, half, true);
    }
    if (!bare) xg_attention_write_back(w, w->scores, 0, 0);
    xg_flow_end(&f);
}
/* The last operation so far. */
XG_ONE_COPY XG_FN xg_kop *xg_attention_last(xg_attention_kernel *w) {
    const xg_kb *b = xg_attention_b(w);
    return b->before ? b->before->prev : b->region->last;
}
XG_FN void xg_attention_all_scores(xg_attention_kernel *w) {
    const xg_inst *root = w->f->stages[XG_ATTENTION_SCORES].root;
    int64_t columns = w->p->own / XG_ATTENTION_BESIDE, half, c;
    bool inner = xg_attention_has_inner(w->p), bare = inner && w->f->stages[XG_ATTENTION_BARE].root;
    xg_elem *v = XG_NEW_N(w->t->e->arena, xg_elem, (size_t)(w->p->halves * columns));
    xg_kop *op = xg_attention_last(w);
    for (half = 0; half < w->p->halves; half++)
        for (c = 0; c < columns; c++) {
            xg_elem *one = &v[half * columns + c];
            if (w->f->back.is) w->bare[half][c] = w->scores[half][c];
            *one = xg_attention_score_of(w, half, c, bare);
            xg_attention_keep_score(w, half, c, bare ? xg_attention_scores_of(w, root, *one) : *one);
            if (!inner) xg_attention_end_score(w, half, c);
        }
    if (w->f->unit != XG_TILE_NO_UNIT && w->f->pieces[0] == 1) /* weights are rounded to 16 bits */
        while ((op = op->next) != NULL && op != xg_attention_b(w)->before)
            if (op->op == XG_K_OP_TANH) op->flags |= XG_KA_SHORT; /* a cap: exp asks for an absolute error */
    if (inner && !xg_attention_is_near(w->p)) xg_attention_mask_scores(w, v);
}
/* Weights are exp's results, but for factors of rows and one rounding: two of them become a word by that. */
XG_FN bool xg_attention_rounds_once(const xg_attention_form *f) {
    const xg_attention *a = &f->match;
    const xg_inst *i = f->stages[XG_ATTENTION_WEIGHTS].root;
    xlagpu_type type = i->shape->type;
    if (i->op == XG_CONVERT) i = XG_OPERAND(i, 0);
    if (a->n_factors && i->n_operands == 2 && XG_OPERAND(i, 1) == a->factors[0].of) i = XG_OPERAND(i, 0);
    return i == a->exp && i->shape->type == f->sum && type == f->held && f->unit != XG_TILE_NO_UNIT &&
           xg_contract_rounding(a->out_dot, type) == type && xg_attention_packs(f);
}
/* A weight as the second dot takes it, without its row's factors. */
XG_FN void xg_attention_weight(xg_attention_kernel *w, int64_t half, int64_t c, xg_kval *p) {
    const xg_attention *a = &w->f->match;
    const xg_inst *root = w->f->stages[XG_ATTENTION_WEIGHTS].root;
    xlagpu_type rounded = xg_contract_rounding(a->out_dot, root->shape->type);
    xg_attention_given given[XG_ATTENTION_FACTORS + 1];
    xg_elem v;
    uint32_t k;
    given[0].of = a->exp;
    given[0].v = xg_elem_convert_to(&w->t->s, xg_elem_real(p), w->f->sum, a->exp->shape->type);
    for (k = 0; k < a->n_factors; k++) {
        xlagpu_type t = a->factors[k].of->shape->type;
        given[k + 1].of = a->factors[k].of;
        given[k + 1].v = xg_elem_convert_to(&w->t->s, xg_elem_real(xg_attention_number(w, 1)), w->f->sum, t);
    }
    v = xg_attention_row_element(w, XG_ATTENTION_WEIGHTS, half, c, given, a->n_factors + 1);
    v = xg_elem_convert_to(&w->t->s, v, root->shape->type, rounded);
    w->scores[half][c] = xg_attention_converted_to(w, v, rounded, w->f->pieces[0] > 1 ? XLAGPU_F32 : w->f->held);
}
/* Of all lanes that share a row. */
XG_FN void xg_attention_peaks(xg_attention_kernel *w, xg_kval **most) {
    int64_t half;
    for (half = 0; half < w->p->halves; half++)
        most[half] = xg_attention_largest(w, XG_K_OP_MAXF3, w->scores[half], xg_attention_most_of(w, half));
    xg_attention_combine(w, XG_K_OP_MAXF, most, w->p->halves, XG_ATTENTION_BESIDE);
}
/* A row's sum += its weights, of every other one at a time. */
XG_FN void xg_attention_add_up(xg_attention_kernel *w, int64_t half) {
    int64_t columns = w->p->own / XG_ATTENTION_BESIDE, c;
    xg_kval *one = xg_attention_number(w, 1), *two[XG_ATTENTION_PAIR], **x = w->scores[half], *all = NULL;
    xg_kb *b = xg_attention_b(w);
    if (w->p->shape.in_tensor) {
        two[0] = two[1] = one;
        one = xg_attention_both(w, two);
        all = xg_attention_both(w, x);
    }
    memcpy(two, x, sizeof two);
    for (c = XG_ATTENTION_PAIR; c < columns; c += all ? (int64_t)XG_ATTENTION_PAIR : 1)
        if (all)
            all = xg_k3(b, XG_K_OP_FMAF2, xg_attention_both(w, &x[c]), one, all);
        else
            two[c % XG_ATTENTION_PAIR] = xg_k3(b, XG_K_OP_FMA, x[c], one, two[c % XG_ATTENTION_PAIR]);
    if (all) xg_attention_each(w, all, XG_E_F32, two);
    for (c = 0; c < XG_ATTENTION_PAIR; c++)
        w->sum[half] = w->sum[half] ? xg_k2(b, XG_K_OP_ADDF, w->sum[half], two[c]) : two[c];
}
/* Sum and what the maximum scales, of a thread's row. */
XG_FN void xg_attention_row(xg_attention_kernel *w, int64_t half, xg_kval *most) {
    int64_t columns = w->p->own / XG_ATTENTION_BESIDE, c;
    xg_kb *b = xg_attention_b(w);
    bool grouped = w->p->shape.grouped;
    xg_kval *shift = grouped ? NULL : xg_attention_shift(w, most);
    xg_kval *scale = grouped ? NULL : xg_attention_exp(w, w->most[half], shift);
    if (w->most[half]) w->most[half] = most;
    if (scale) w->sum[half] = xg_k2(b, XG_K_OP_MULF, w->sum[half], scale);
    if (grouped)
        xg_attention_exps_by(w, w->scores[half], columns, w->by[half], w->less[half]);
    else
        xg_attention_exps(w, w->scores[half], columns, shift);
    xg_attention_add_up(w, half);
    for (c = 0; c < columns && !xg_attention_rounds_once(w->f); c++)
        xg_attention_weight(w, half, c, w->scores[half][c]);
    for (c = 0; c < xg_attention_held_columns(w->p) / XG_ATTENTION_BESIDE && scale; c++)
        w->out[half][c] = xg_k2(b, XG_K_OP_MULF, w->out[half][c], scale);
    if (w->p->shape.in_tensor && w->f->pieces[0] == 1) /* beside powers: nothing passes a wait */
        xg_attention_make_words(w, w->scores[half]);
}
/* The same, and what the step's weights of a thread's row add up to, instead of the row's sum with them. */
XG_FN xg_kval *xg_attention_row_step(xg_attention_kernel *w, int64_t half, xg_kval *most) {
    xg_kval *before = w->sum[half], *step;
    w->sum[half] = NULL;
    xg_attention_row(w, half, most);
    step = w->sum[half];
    w->sum[half] = before;
    return step;
}
/* A row needs another reference: weights are large, or there is none yet. Powers that multiply-adds make are right up
 * to 2^127: w->farthest is the maximum of their scores, or exponents' size, or NULL. What is NaN is found, too. */
XG_FN xg_kval *xg_attention_outgrows(xg_attention_kernel *w, int64_t half, xg_kval *step) {
    enum {
        MUCH = 1 << 8,
        BEYOND = 126
    };
    xg_kb *b = xg_attention_b(w);
    xg_kval *any = xg_kcmpf_(b, XG_CF_UGE, step, xg_attention_number(w, MUCH)), *v;
    v = xg_attention_number(w, -INFINITY);
    v = xg_kcmpf_(b, XG_CF_OEQ, w->stat[half][XG_ATTENTION_REFERENCE], v);
    any = xg_k2(b, XG_K_OP_ORI, any, v);
    if (!w->farthest) return any;
    v = xg_attention_is_near(w->p) ? xg_attention_number(w, BEYOND) : xg_attention_may_grow(w, half);
    return xg_k2(b, XG_K_OP_ORI, any, xg_kcmpf_(b, XG_CF_UGT, w->farthest, v));
}
/* Weights of rows without a maximum of the step: by the reference as it is. Only where it does not serve the maximum
 * becomes it, and they are made once more. */
XG_FN void xg_attention_weigh_lazily(xg_attention_kernel *w) {
    uint32_t columns = (uint32_t)(w->p->own / XG_ATTENTION_BESIDE), n = 0, k;
    uint32_t words = w->p->shape.in_tensor ? columns / XG_ATTENTION_PAIR : columns;
    xg_kval *raw[XG_ATTENTION_HALVES][XG_KWGMMA_N_MAX], *most[XG_ATTENTION_HALVES_MAX];
    xg_kval *made[XG_ATTENTION_HALVES * (XG_KWGMMA_N_MAX + 1)], *any = NULL, *v;
    xg_kb *b = xg_attention_b(w);
    xg_kval *first = xg_kconst_int(b, XG_E_I1, 1);
    bool raised = xg_attention_is_near(w->p);
    int64_t half;
    xg_flow f;
    xg_attention_refer_flow(w, &f);
    xg_flow_slot(&f, &first);
    for (half = 0; half < w->p->halves && raised; half++)
        for (k = 0; k < columns; k++)
            if (xg_attention_is_made(w, k)) xg_flow_slot(&f, &w->scores[half][k]);
    xg_flow_once(&f, (uint32_t)w->p->halves * (words + 1));
    for (half = 0; half < w->p->halves; half++, n += words) {
        memcpy(raw[half], w->scores[half], columns * sizeof *raw[0]);
        w->farthest = w->p->powers && !raised ? xg_attention_largest(w, XG_K_OP_MAXF3, w->scores[half], NULL) : NULL;
        made[n++] = xg_attention_row_step(w, half, w->stat[half][XG_ATTENTION_REFERENCE]);
        v = xg_attention_outgrows(w, half, made[n - 1]);
        any = any ? xg_k2(b, XG_K_OP_ORI, any, v) : v;
        memcpy(made + n, w->scores[half], words * sizeof *made);
        memcpy(w->scores[half], raw[half], columns * sizeof *raw[0]);
    }
    any = xg_k2(b, XG_K_OP_ANDI, any, first);
    xg_flow_again(&f, xg_k1(b, XG_K_OP_VOTEANY, any), made);
    xg_attention_peaks(w, most);
    xg_attention_refer_rows(w, most);
    for (half = 0; half < w->p->halves && raised; half++) xg_attention_raise(w, half, false);
    first = xg_kconst_int(b, XG_E_I1, 0);
    xg_flow_end(&f);
    w->grown = xg_k2(b, XG_K_OP_XORI, first, xg_kconst_int(b, XG_E_I1, 1));
    v = f.op->results + f.slots.n;
    for (half = 0; half < w->p->halves; half++) {
        w->sum[half] = xg_k2(b, XG_K_OP_ADDF, w->sum[half], v++);
        for (k = 0; k < words; k++) w->scores[half][k] = v++;
    }
}
XG_FN void xg_attention_weigh(xg_attention_kernel *w) {
    xg_kval *most[XG_ATTENTION_HALVES_MAX];
    int64_t half;
    xg_attention_all_scores(w);
    if (xg_attention_is_lazy(w->p)) {
        xg_attention_weigh_lazily(w);
        return;
    }
    xg_attention_peaks(w, most);
    if (w->p->shape.grouped) xg_attention_refer(w, most);
    for (half = 0; half < w->p->halves; half++) xg_attention_row(w, half, most[half]);
}
/* ---- all steps ---- */

/* The same of periods, of which each has as many that are walked. */
XG_FN xg_kval *xg_attention_of_period(xg_attention_kernel *w, xg_kval *step) {
    xg_kb *b = xg_attention_b(w);
    xg_kval *each = xg_k2(b, XG_K_OP_SUBI, w->to, w->from), *v;
    xg_kval_set_range(each, xg_range_of(0, w->p->steps));
    each = xg_tile_quotient(w->t, each, w->p->steps / w->p->span);
    each = xg_k2(b, XG_K_OP_MAXSI, each, xg_elem_index(&w->t->s, 1));
    v = xg_k2(b, XG_K_OP_DIVUI, xg_k2(b, XG_K_OP_SUBI, step, w->from), each);
    each = xg_k2(b, XG_K_OP_SUBI, xg_elem_index(&w->t->s, w->p->span), each); /* that are left out */
    v = xg_k2(b, XG_K_OP_ADDI, step, xg_k2(b, XG_K_OP_MULI, v, each));
    xg_kval_set_range(v, xg_range_of(0, w->p->steps - 1));
    return v;
}
/* The step's place among all: behind the last one they begin again. */
XG_FN xg_kval *xg_attention_wrapped(xg_attention_kernel *w, xg_kval *step) {
    xg_kb *b = xg_attention_b(w);
    xg_kval *all = xg_elem_index(&w->t->s, w->p->steps), *v;
    if (w->p->span < w->p->steps) return xg_attention_of_period(w, step);
    if (xg_kval_range(step).hi < w->p->steps) return step;
    v = xg_k2(b, XG_K_OP_SUBI, step, all);
    v = xg_kselect(b, xg_kcmpi_(b, XG_CI_SLT, step, all), step, v);
    xg_kval_set_range(v, xg_range_of(0, w->p->steps - 1));
    return v;
}
/* Keys of a step, where it has a buffer of several, in that. */
XG_FN void xg_attention_bring(xg_attention_kernel *w, xg_kval *step) {
    xg_kval *buffer = w->p->stages > 1 ? xg_tile_rest(w->t, step, w->p->stages) : NULL;
    xg_attention_bring_step(w, xg_attention_wrapped(w, step), buffer);
}
/* The same, if it is one that is walked. */
XG_FN void xg_attention_bring_walked(xg_attention_kernel *w, xg_kval *step) {
    int64_t most = xg_kval_range(w->to).hi;
    xg_flow f = xg_flow_of(&w->t->s, &w->keys);
    xg_flow_slot(&f, &w->values);
    xg_flow_slots(&f, w->columns, XG_ATTENTION_LINES);
    xg_flow_if(&f, xg_kcmpi_(xg_attention_b(w), XG_CI_SLT, step, w->to));
    step = xg_attention_clamp(w, step, most);
    if (w->p->in_turns)
        xg_attention_bring_side(w, XG_ATTENTION_KEYS, xg_attention_wrapped(w, step));
    else
        xg_attention_bring(w, step);
    xg_flow_end(&f);
}
XG_FN void xg_attention_begin_step(xg_attention_kernel *w, xg_kval *step) {
    xg_kval *none = xg_elem_index_0(&w->t->s);
    w->place = xg_attention_wrapped(w, step);
    w->first_key = xg_tile_join(w->t, w->place, w->p->shape.step, none);
    w->first_key = xg_tile_join(w->t, w->beside, XG_ATTENTION_PAIR, w->first_key);
    w->first_key = xg_tile_join(w->t, w->part, w->p->own, w->first_key);
    w->buffer = xg_tile_join(w->t, w->part, w->p->own, none);
}
XG_FN void xg_attention_arrive(xg_attention_kernel *w) {
    xg_attention_await(w, 0);
    xg_attention_wait(w);
}
XG_FN xg_kval *xg_attention_after(xg_attention_kernel *w, xg_kval *step) {
    return xg_attention_at(w, step, xg_kval_range(step).hi + 1, 1);
}
XG_FN void xg_attention_open_step(xg_attention_kernel *w, xg_kval *step) {
    xg_attention_begin_step(w, step);
    if (w->p->stages == 1) {
        xg_attention_wait(w);
        xg_attention_bring(w, step);
        xg_attention_arrive(w);
    } else { /* the next step's keys are asked for while this one's are used */
        xg_attention_arrive(w);
        xg_attention_bring_walked(w, xg_attention_after(w, step));
        w->buffer = xg_tile_join(w->t, xg_tile_rest(w->t, step, w->p->stages), w->p->shape.step, w->buffer);
    }
}
/* Keys and values in turns: all warps are through with one when the other has come. */
XG_FN void xg_attention_step_in_turns(xg_attention_kernel *w, xg_kval *step) {
    xg_attention_begin_step(w, step);
    xg_attention_arrive(w);
    xg_attention_bring_side(w, XG_ATTENTION_VALUES, w->place);
    xg_attention_unit_scores(w);
    xg_attention_weigh(w);
    xg_attention_arrive(w);
    xg_attention_bring_walked(w, xg_attention_after(w, step));
    xg_attention_unit_out(w);
}
XG_FN void xg_attention_step(xg_attention_kernel *w, xg_kval *step) {
    if (w->p->in_turns) {
        xg_attention_step_in_turns(w, step);
        return;
    }
    xg_attention_open_step(w, step);
    if (w->f->unit == XG_TILE_NO_UNIT)
        xg_attention_plain_scores(w);
    else
        xg_attention_unit_scores(w);
    xg_attention_weigh(w);
    if (w->f->unit == XG_TILE_NO_UNIT)
        xg_attention_plain_out(w);
    else
        xg_attention_unit_out(w);
}
/* Variables that a row keeps from step to step. */
XG_FN void xg_attention_carry(xg_attention_kernel *w, xg_flow *f) {
    int64_t half, c;
    for (half = 0; half < w->p->halves; half++) {
        xg_flow_slot(f, &w->most[half]);
        xg_flow_slot(f, &w->sum[half]);
        xg_flow_slot(f, &w->stat[half][XG_ATTENTION_GRAD_SUM]);
        xg_flow_slot(f, &w->stat[half][XG_ATTENTION_REFERENCE]);
        xg_flow_slot(f, &w->by[half]);
        xg_flow_slot(f, &w->less[half]);
        for (c = 0; c < xg_attention_held_columns(w->p) / XG_ATTENTION_BESIDE; c++) xg_flow_slot(f, &w->out[half][c]);
    }
    xg_attention_carry_shared(w, f);
    f->rolled = true;
}
XG_FN void xg_attention_walked_steps(xg_attention_kernel *w) {
    bool grouped = w->p->shape.grouped, behind = xg_attention_is_behind(w->p);
    xg_flow f = xg_flow_begin(&w->t->s);
    xg_kval *step;
    int64_t half;
    if (!grouped) {
        if (w->p->stages > 1 || w->p->in_turns) xg_attention_bring_walked(w, w->from);
        xg_attention_keep_query(w);
    }
    xg_attention_carry(w, &f);
    for (half = 0; half < w->p->halves && behind; half++) {
        int64_t words = w->p->own / XG_ATTENTION_EIGHT, c;
        for (c = 0; c < words; c++) w->scores[half][c] = xg_kconst_i32(xg_attention_b(w), 0);
        xg_flow_slots(&f, w->scores[half], (uint32_t)words);
    }
    step = xg_flow_for(&f, w->from, w->to, 1, xg_kval_range(w->to).hi);
    if (w->p->bounded) f.op->a = w->p->walked;
    if (w->p->shape.in_tensor)
        xg_attention_tensor_step(w, step);
    else if (grouped)
        xg_attention_group_step(w, step);
    else
        xg_attention_step(w, step);
    xg_flow_end(&f);
    if (behind) xg_attention_group_last(w);
}
XG_FN void xg_attention_walk_all(xg_attention_kernel *w, bool has_rows, void (*walk)(xg_attention_kernel *w)) {
    enum {
        TWICE = 2 /* what the tile sees, then the rest */
    };
    xg_flow f = xg_flow_begin(&w->t->s);
    xg_attention_walk_of(w);
    w->begin = w->from;
    if (has_rows) xg_attention_inner_of(w);
    if (!w->p->votes) {
        walk(w);
        return;
    }
    if (has_rows)
        xg_attention_carry(w, &f);
    else
        xg_attention_carry_shared(w, &f);
    xg_flow_slot(&f, &w->from);
    xg_flow_slot(&f, &w->to);
    f.rolled = true;
    w->walk = xg_attention_loop(w, &f, TWICE);
    f.op->a = 1; /* nearly always there is no rest */
    xg_kval_set_range(w->from, xg_range_of(0, w->p->steps));
    xg_kval_set_range(w->to, xg_range_of(0, TWICE * w->p->steps));
    walk(w);
    xg_attention_walk_on(w, has_rows);
    xg_flow_end(&f);
}
XG_FN void xg_attention_steps(xg_attention_kernel *w) {
    const xg_inst *init = XG_OPERAND(w->f->match.max, 1);
    int64_t half, c;
    for (half = 0; half < w->p->halves; half++) {
        w->most[half] = xg_attention_number(w, xg_literal_get_float(init->literal, 0));
        w->sum[half] = xg_attention_number(w, 0);
        if (w->p->shape.grouped) xg_attention_refer_to(w, half, w->most[half]);
        if (xg_attention_is_lazy(w->p)) w->most[half] = NULL;
        for (c = 0; c < w->p->columns / XG_ATTENTION_BESIDE; c++) w->out[half][c] = w->sum[half];
    }
    xg_attention_walk_all(w, true, xg_attention_walked_steps);
}

/* ---- the kernel ---- */

XG_FN void xg_attention_stage_functions(xg_attention_kernel *w) {
    uint32_t k;
    for (k = 0; k < XG_ATTENTION_PARTS; k++) {
        xg_fusion_emission *e = &w->parts[k];
        if (!w->f->stages[k].root) continue;
        *e = *w->t->e;
        e->parts = w->f->stages[k].parts;
        e->n_roots = e->parts->n_roots;
        e->roots = e->parts->roots;
        xg_emit_functions(e, false);
        w->scopes[k] = xg_emit_scope(e, w->t->s.b.m->entry, 0);
    }
}
XG_FN xg_kval *xg_attention_shared(xg_attention_kernel *w, xlagpu_type t, int64_t n) {
    return xg_shared_array(xg_attention_b(w), xg_kelem_of(t), n);
}
/* The same counted from the end. */
XG_FN xg_kval *xg_attention_at_end(xg_attention_kernel *w, xg_kval *v, int64_t n) {
    v = xg_k2(xg_attention_b(w), XG_K_OP_SUBI, xg_elem_index(&w->t->s, n - 1), v);
    xg_kval_set_range(v, xg_range_of(0, n - 1));
    return v;
}
/* The block's tile and batch: what takes longest begins first. */
XG_FN void xg_attention_stand(xg_attention_kernel *w, xg_kval *id) {
    const xg_attention_plan *p = w->p;
    int64_t heads = p->tiles / p->ramp, all = p->together * p->tiles; /* heads: that share keys */
    xg_kval *own = xg_tile_rest(w->t, id, all), *copy = xg_tile_rest(w->t, own, p->together * heads);
    w->tile = xg_tile_quotient(w->t, own, p->together * heads);
    if (p->bounded && xg_attention_grows(w->f)) w->tile = xg_attention_at_end(w, w->tile, p->ramp);
    w->tile = xg_tile_join(w->t, xg_tile_rest(w->t, copy, heads), p->ramp, w->tile);
    w->batch = xg_tile_quotient(w->t, id, all);
    w->batch = xg_tile_join(w->t, w->batch, p->together, xg_tile_quotient(w->t, copy, heads));
}
/* Rows of a thread's halves; block: of those from so many sixteens on. */
XG_FN void xg_attention_stand_rows(xg_attention_kernel *w, xg_kval *block) {
    const xg_attention_plan *p = w->p;
    int64_t half, last = p->tiles * p->tile - (p->halves - 1) * XG_ATTENTION_EIGHT;
    xg_kval *row = xg_tile_join(w->t, w->across, p->warp_rows, w->group);
    if (block) row = xg_tile_join(w->t, block, XG_ATTENTION_ROWS, row);
    row = xg_tile_join(w->t, w->tile, p->tile, row);
    for (half = 0; half < p->halves; half++)
        w->row[half] = xg_attention_clamp(w, xg_attention_at(w, row, last, half * XG_ATTENTION_EIGHT), w->f->rows);
}
XG_FN void xg_attention_places(xg_attention_kernel *w) {
    const xg_attention_plan *p = w->p;
    xg_kval *id = xg_kblock_id(xg_attention_b(w), 0, p->blocks);
    int64_t half;
    for (half = 0; half < XG_ATTENTION_EIGHT; half++) w->digits[half] = xg_elem_index(&w->t->s, half);
    w->no_sums =
        xg_kconst_bits(xg_attention_b(w), xg_kir_vector(w->t->s.b.m, xg_attention_sum_type(w), XG_ATTENTION_SUMS), 0);
    if (p->cluster > 1) {
        w->rank = xg_tile_rest(w->t, id, p->cluster);
        id = xg_tile_quotient(w->t, id, p->cluster);
    }
    w->thread = xg_kthread_id(xg_attention_b(w), 0, p->threads + p->producers);
    if (p->producers) w->thread = xg_tile_rest(w->t, w->thread, p->threads);
    w->lane = xg_tile_rest(w->t, w->thread, XG_WARP_LANES);
    w->warp = xg_tile_quotient(w->t, w->thread, XG_WARP_LANES);
    w->group = xg_tile_quotient(w->t, w->lane, XG_ATTENTION_BESIDE);
    w->beside = xg_tile_rest(w->t, w->lane, XG_ATTENTION_BESIDE);
    xg_attention_stand(w, id);
    w->across = xg_tile_rest(w->t, w->warp, p->shape.warps);
    if (p->shape.in_tensor && p->shape.blocks == 1) /* a warp may read 32 rows by its number; two share them */
        w->across = xg_tile_join(w->t, xg_tile_rest(w->t, w->warp, p->shape.warps / 2), 2,
            xg_tile_quotient(w->t, w->warp, p->shape.warps / 2));
    w->part = xg_tile_quotient(w->t, w->warp, p->shape.warps);
    xg_attention_stand_rows(w, NULL);
}
/* What lies in shared memory. */
XG_FN void xg_attention_arrays(xg_attention_kernel *w) {
    const xg_attention_plan *p = w->p;
    int64_t keys = p->stages * p->shape.step;
    if (p->shape.grouped) {
        xg_attention_group_arrays(w);
    } else {
        w->query = xg_attention_shared(w, w->f->held, p->tile * p->query_pitch);
        w->keys = xg_attention_shared(w, w->f->held, keys * p->pitch);
        w->values = xg_attention_shared(w, w->f->held, keys * p->value_pitch);
        if (w->f->unit == XG_TILE_NO_UNIT)
            w->weights = xg_attention_shared(w, w->f->held, xg_attention_weights_size(p));
        if (p->shape.parts > 1)
            w->ends = xg_attention_shared(w, w->f->sum, xg_attention_warps(p) * xg_attention_end_size(p));
        if (p->cluster > 1) w->shown = xg_attention_shared(w, w->f->sum, p->shape.warps * xg_attention_end_size(p));
    }
    if (p->votes) w->votes = xg_attention_shared(w, w->f->sum, xg_attention_votes(p));
}
XG_FN xg_attention_kernel *xg_attention_begin(xg_fusion_emission *e, const xg_attention_plan *p, uint32_t n) {
    xg_attention_kernel *w = XG_NEW(e->arena, xg_attention_kernel);
    xg_kfunc *f = e->m->entry;
    uint32_t k;
    w->p = p;
    w->f = &p->form;
    w->t = XG_NEW(e->arena, xg_tile_kernel);
    w->t->e = e;
    w->t->s = xg_emit_scope(e, f, 0);
    f->threads[0] = (uint32_t)(p->threads + p->producers);
    f->blocks[0] = (uint32_t)p->blocks;
    f->longest = p->longest;
    f->threads[1] = f->threads[2] = f->blocks[1] = f->blocks[2] = 1;
    for (k = 0; k < n; k++) w->dest[k] = &f->body->args[f->n_inputs + k];
    xg_attention_stage_functions(w);
    xg_attention_places(w);
    return w;
}
XG_FN void xg_attention_emit(xg_fusion_emission *e, const xg_attention_plan *p) {
    xg_attention_kernel *w = xg_attention_begin(e, p, p->form.n_stats + 1);
    xg_kfunc *f = e->m->entry;
    int64_t k;
    f->async_copies = p->copied && !p->shape.grouped;
    f->cluster = p->cluster > 1 ? (uint32_t)p->cluster : 0;
    if (xg_attention_is_near(p) ||
        xg_attention_registers(p) < w->f->comp->module->device.registers_per_thread) /* else the assembler spills */
        w->scaled = w->f->scaled;
    for (k = 0; k < p->halves; k++) {
        w->out[k] = XG_NEW_N(e->arena, xg_kval *, (size_t)p->columns);
        w->scores[k] = XG_NEW_N(e->arena, xg_kval *, (size_t)p->own);
    }
    xg_attention_arrays(w);
    if (p->shape.grouped)
        xg_attention_group_kernel(w);
    else {
        xg_attention_bring_query(w);
        xg_attention_steps(w);
        xg_attention_results(w);
    }
    xg_kreturn(xg_attention_b(w), w->dest, p->form.n_stats + 1);
}

#endif /* XG_SCHED_ATTENTION_EMIT_C */
