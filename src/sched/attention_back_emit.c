/* sched/attention_back_emit.c -- the kernels of attention's backward pass.
 *
 *     dQ: bring the tile's rows of Q and dO                   dK, dV: bring the tile's rows of K and V
 *         for each step of keys: maximum and sum (unless they are given)
 *         for each step of keys: s = Q K, dP = dO V, the sum over both
 *         for each step of keys: s, dP, dS; dQ += dS K            for each step of queries: s, dP, p, dS;
 *         write dQ, and what rows have for the other kernel           dV += p dO; dK += dS Q
 *
 * Where that is faster, the first kernel writes what rows have alone, the second one dS, of which a product makes dQ:
 * then scores and dP are made twice, not three times.
 *
 * The second kernel is the first with rows and keys exchanged: what it calls a row is a key. What queries have one of
 * (lines) is then a column's: it comes with the step. No kernel adds to what another one has written, so all sums are
 * made in the same order in every run. */
#ifndef XG_SCHED_ATTENTION_BACK_EMIT_C
#define XG_SCHED_ATTENTION_BACK_EMIT_C
#include "attention.h"
#include "attention_kernel.c"

/* ---- elements ---- */

/* A line of a thread's column c of the step and the next one. */
XG_FN void xg_attention_back_read_line(xg_attention_kernel *w, uint32_t k, int64_t c) {
    const xg_ktype *pair = xg_kir_vector(w->t->s.b.m, xg_attention_sum_type(w), XG_ATTENTION_PAIR);
    xg_kval *first = xg_tile_join(w->t, w->beside, XG_ATTENTION_PAIR, w->buffer), *o[2], *v;
    int64_t place = c / XG_ATTENTION_PAIR * XG_ATTENTION_EIGHT;
    o[0] = w->columns[k];
    o[1] = xg_attention_at(w, first, w->p->stages * w->p->shape.step - place, place);
    v = xg_kir_value(xg_attention_b(w), XG_K_OP_READ, o, 2, pair);
    w->step_line[k][c] = xg_attention_lane(w, v, 0);
    w->step_line[k][c + 1] = xg_attention_lane(w, v, 1);
}
XG_FN uint32_t xg_attention_back_lines_of(xg_attention_kernel *w, xg_attention_part part,
    const xg_attention_back_spot *s, xg_attention_given *given, uint32_t n) {
    uint32_t k;
    for (k = 0; k < w->f->back.n_lines; k++) {
        xg_kval *v = w->f->back.turned ? w->step_line[k][s->c] : w->line[s->half][k];
        if (w->f->back.turned && !v) {
            if (!xg_attention_reached(&w->f->stages[part], w->f->back.lines[k])) continue;
            xg_attention_back_read_line(w, k, s->c - s->c % XG_ATTENTION_PAIR);
            v = w->step_line[k][s->c];
        }
        if (!v) continue;
        given[n].of = w->f->back.lines[k];
        given[n++].v = xg_elem_real(v);
    }
    return n;
}
XG_FN xg_elem xg_attention_back_element(
    xg_attention_kernel *w, xg_attention_part part, const xg_attention_back_spot *s) {
    const xg_attention_gradient *m = &w->f->back.match;
    xg_attention_given given[XG_ATTENTION_LINES + 3];
    xg_elem bare;
    uint32_t n = 0;
    if (s->exp) {
        given[n].of = m->exp;
        given[n++].v = xg_elem_convert_to(&w->t->s, xg_elem_real(s->exp), w->f->sum, m->exp->shape->type);
    }
    if (s->grad) {
        given[n].of = m->grad_dot;
        given[n++].v = xg_elem_convert_to(&w->t->s, xg_elem_real(s->grad), w->f->sum, m->grad_dot->shape->type);
    }
    if (part == XG_ATTENTION_WEIGHTS && xg_attention_back_keeps_bare(w->f)) {
        given[n].of = m->scores_dot;
        bare = xg_elem_real(w->bare[s->half][s->c]);
        given[n++].v = xg_elem_convert_to(&w->t->s, bare, w->f->sum, m->scores_dot->shape->type);
    }
    n = xg_attention_back_lines_of(w, part, s, given, n);
    return xg_attention_row_element(w, part, s->half, s->c, given, n);
}
/* What a dot takes of it. */
XG_FN xg_kval *xg_attention_back_weight(
    xg_attention_kernel *w, xg_attention_part part, const xg_inst *dot, const xg_attention_back_spot *s) {
    const xg_inst *root = w->f->stages[part].root;
    xlagpu_type rounded = xg_contract_rounding(dot, root->shape->type);
    xg_elem v = xg_attention_back_element(w, part, s);
    v = xg_elem_convert_to(&w->t->s, v, root->shape->type, rounded);
    return xg_attention_converted_to(
        w, v, rounded, w->f->pieces[part == XG_ATTENTION_SOFT] > 1 ? XLAGPU_F32 : w->f->held);
}
XG_FN xg_kval *xg_attention_back_real(xg_attention_kernel *w, xg_attention_part part, const xg_attention_back_spot *s) {
    xg_elem v = xg_attention_back_element(w, part, s);
    return xg_attention_converted_to(w, v, w->f->stages[part].root->shape->type, w->f->sum);
}
/* What is subtracted from the scores of a row; c: of a column, where rows are keys. */
XG_FN xg_kval *xg_attention_back_shift(xg_attention_kernel *w, int64_t half, int64_t c) {
    xg_attention_back_spot s;
    memset(&s, 0, sizeof s);
    s.half = half;
    s.c = c;
    return xg_attention_back_real(w, XG_ATTENTION_SHIFT, &s);
}

/* ---- a step ---- */

XG_FN void xg_attention_back_multiply(xg_attention_kernel *w, bool grads) {
    xg_attention_product o = xg_attention_back_product(w, grads);
    if (w->f->unit == XG_TILE_NO_UNIT)
        xg_attention_plain_product(w, &o);
    else
        xg_attention_unit_product(w, &o);
}

/* An operation that waits for its place between multiplications, and how many stand between it and the first ones. */
typedef struct xg_attention_late {
    xg_kop *op;
    uint32_t depth;
} xg_attention_late;
/* It comes in front of `at`, behind what it needs. */
XG_FN void xg_attention_put_late(xg_kop *op, xg_kop *at) {
    uint32_t k;
    if (!op || !op->scratch) return;
    op->scratch = NULL;
    for (k = 0; k < op->n_operands; k++) xg_attention_put_late(op->operands[k].value->def, at);
    xg_kop_move_before(op, at);
}
/* Operations up to one. */
XG_FN uint32_t xg_attention_late_ones(xg_kop *op, const xg_kop *end, xg_attention_late *all) {
    uint32_t n = 0, k;
    for (; op != end; op = op->next, n++) {
        xg_attention_late *one = &all[n];
        one->op = op;
        for (k = 0; k < op->n_operands; k++) {
            const xg_kop *def = op->operands[k].value->def;
            if (def && def->scratch) one->depth = XG_MAX(one->depth, ((xg_attention_late *)def->scratch)->depth + 1);
        }
        op->scratch = one;
    }
    return n;
}
/* What stands between `first` and `middle` comes between the multiplications that follow: nothing waits for it yet. */
XG_FN bool xg_attention_weave(xg_attention_kernel *w, xg_kop *first, xg_kop *middle) {
    xg_attention_late *all;
    uint32_t n = 0, units = 0, seen = 0, put = 0, depth = 0, at = 0, k;
    xg_kop *op, *next;
    for (op = first; op; op = op->next) {
        if (op == middle) units = 0;
        if (op->n_regions || (xg_kop_flags(op->op) & KF_WRITE)) return false;
        units += op->op == XG_K_OP_MMA;
        n++;
    }
    if (!units) return false;
    all = XG_NEW_N(w->t->e->arena, xg_attention_late, (size_t)n);
    n = xg_attention_late_ones(first, middle, all);
    for (op = middle; op; op = next) {
        next = op->next;
        seen += op->op == XG_K_OP_MMA;
        for (k = 0; k < op->n_operands; k++) xg_attention_put_late(op->operands[k].value->def, op);
        while (put < n * seen / units) { /* first what needs nothing of the others */
            if (at < n && all[at].depth == depth) {
                xg_attention_put_late(all[at].op, op);
                put++;
            }
            depth += ++at > n;
            at %= n + 1;
        }
    }
    return true;
}
/* A step's sums become scores, then `row` is made of those of each row, and, if it is asked for, dP: by warps at the
 * same time, else that is there behind back_grads. */
XG_FN void xg_attention_back_products(
    xg_attention_kernel *w, bool grads, void (*row)(xg_attention_kernel *w, int64_t half)) {
    bool pair = xg_attention_is_paired(w->p) && !w->kept_grad;
    xg_kop *bare, *scored, *rows;
    int64_t half;
    if (w->p->shape.in_tensor)
        xg_attention_back_tensor_take(w, false);
    else if (w->p->shape.grouped)
        xg_attention_back_group_ask(w, grads);
    else if (pair)
        xg_attention_pair_products(w);
    else
        xg_attention_back_multiply(w, false);
    bare = xg_attention_last(w);
    xg_attention_all_scores(w);
    scored = xg_attention_last(w);
    for (half = 0; half < w->p->halves && row; half++) row(w, half);
    rows = xg_attention_last(w);
    if (!grads || w->p->shape.grouped || pair) return;
    xg_attention_back_multiply(w, true);
    if (!xg_attention_weave(w, bare->next, rows->next)) (void)xg_attention_weave(w, scored->next, rows->next);
}
XG_FN void xg_attention_back_grads(xg_attention_kernel *w) {
    if (w->p->shape.in_tensor)
        xg_attention_back_tensor_take(w, true);
    else if (w->p->shape.grouped)
        xg_attention_back_group_take(w);
}
/* The step's operands are read no more. */
XG_FN void xg_attention_back_leave(xg_attention_kernel *w) {
    if (w->p->shape.in_tensor) xg_attention_back_tensor_next(w, NULL, true);
    if (!w->p->shape.grouped || w->p->shape.in_tensor) return;
    xg_attention_release(w, XG_ATTENTION_SIDE_KEYS, w->turn);
    xg_attention_release(w, XG_ATTENTION_SIDE_VALUES, w->turn);
}
/* A step's lines are in registers from where they are read first: sums need all others. */
XG_FN void xg_attention_back_step_lines(xg_attention_kernel *w) {
    uint32_t k;
    for (k = 0; w->f->back.turned && k < w->f->back.n_lines; k++)
        memset(w->step_line[k], 0, (size_t)w->p->own * sizeof *w->step_line[k]);
}
/* With sums of many columns a pair's threads have no registers for factors of rows. */
XG_FN void xg_attention_back_exps_row(xg_attention_kernel *w, int64_t half) {
    int64_t columns = w->p->own / XG_ATTENTION_BESIDE, c;
    xg_kval **x = w->scores[half];
    bool turned = w->f->back.turned;
    if (!turned && (!xg_attention_is_paired(w->p) || w->p->depth <= XG_ATTENTION_LINE)) {
        xg_attention_exps(w, x, columns, w->shift[half]);
        return;
    }
    for (c = 0; c < columns; c++)
        x[c] = xg_attention_exp(w, x[c], turned ? xg_attention_back_shift(w, 0, c) : w->shift[half]);
}
/* Scores, dP and what is common to both passes over them; then exp is in the place of the scores. */
XG_FN void xg_attention_back_exps(xg_attention_kernel *w) {
    xg_attention_back_step_lines(w);
    xg_attention_back_products(w, !w->skips[0], xg_attention_back_exps_row);
}
XG_FN xg_attention_summed xg_attention_back_summed(xg_attention_kernel *w, bool second) {
    xg_attention_summed o = xg_attention_out_summed(w);
    int64_t half;
    o.step = second && !w->p->shape.once ? w->values : w->keys;
    o.pitch = second ? w->p->value_pitch : w->p->pitch;
    o.width = second ? xg_attention_back_second_width(w->p) : w->p->depth;
    o.at = xg_attention_back_sums_at(w->p, second);
    o.weights_at = second ? 0 : w->p->shape.step;
    if (w->p->shape.once) o.weights_at = w->p->shape.step + (second ? 0 : w->p->shape.step / XG_ATTENTION_PAIR);
    o.pieces = w->f->pieces[second];
    for (half = 0; half < w->p->halves; half++) {
        o.weights[half] = !second ? w->grads[half] : w->p->shape.grouped ? w->soft[half] : w->scores[half];
        o.to[half] = second ? w->second[half] : w->out[half];
    }
    return o;
}
XG_FN void xg_attention_back_sum(xg_attention_kernel *w, bool second) {
    bool grouped = w->p->shape.grouped;
    xg_attention_summed o = xg_attention_back_summed(w, second);
    if (w->f->unit != XG_TILE_NO_UNIT) {
        if (w->p->shape.in_tensor)
            xg_attention_back_tensor_next(w, &o, !second);
        else if (grouped)
            xg_attention_back_group_sum(w, &o, second);
        else
            xg_attention_unit_sum(w, &o);
        return;
    }
    if (!second && w->f->back.second) xg_attention_wait(w); /* the weights lie where dS comes */
    xg_attention_plain_sum(w, &o);
}
/* What a dot takes of a column; 0 beyond the last key, where nothing has brought lines. */
XG_FN xg_kval *xg_attention_back_within(xg_attention_kernel *w, int64_t c, xg_kval *v) {
    xg_kval *cond = xg_attention_below(w, xg_attention_key(w, c), w->f->keys);
    xg_kb *b = xg_attention_b(w);
    return cond ? xg_kselect(b, cond, v, xg_kconst_float(b, v->type->elem, 0)) : v;
}
/* The same of dS, behind each second column. */
XG_FN void xg_attention_back_pair_up(xg_attention_kernel *w, int64_t half, int64_t c) {
    xg_kval **x = &w->grads[half][c - c % XG_ATTENTION_PAIR];
    int64_t k;
    if (c % XG_ATTENTION_PAIR == 0) return;
    xg_attention_pair_up(w, x);
    for (k = 0; k < XG_ATTENTION_PAIR; k++) x[k] = xg_attention_back_within(w, c - 1 + k, x[k]);
}
/* The weights of the second dot, whose products are made while dS is. */
XG_FN void xg_attention_back_soften(xg_attention_kernel *w) {
    xg_attention_back_spot s;
    s.grad = NULL;
    xg_attention_back_step_lines(w);
    for (s.c = 0; s.c < w->p->own / XG_ATTENTION_BESIDE; s.c++)
        for (s.half = 0; s.half < w->p->halves; s.half++) {
            s.exp = w->scores[s.half][s.c];
            w->soft[s.half][s.c] =
                xg_attention_back_within(w, s.c, xg_attention_back_weight(w, XG_ATTENTION_SOFT, w->f->back.second, &s));
        }
    xg_attention_back_sum(w, true);
}
/* ..., then dS and its own products; of tensor memory, where these wait for dP, the weights come first. */
XG_FN void xg_attention_back_group_dots(xg_attention_kernel *w) {
    bool in_tensor = w->p->shape.in_tensor, second = w->f->back.second && !w->skips[1], first = !w->skips[0];
    xg_attention_back_spot s;
    xg_attention_back_exps(w);
    if (second && in_tensor) xg_attention_back_soften(w);
    if (first) xg_attention_back_grads(w);
    xg_attention_back_step_lines(w);
    for (s.c = 0; s.c < w->p->own / XG_ATTENTION_BESIDE && first; s.c++)
        for (s.half = 0; s.half < w->p->halves; s.half++) {
            s.exp = w->scores[s.half][s.c];
            s.grad = w->grads[s.half][s.c];
            w->grads[s.half][s.c] = xg_attention_back_weight(w, XG_ATTENTION_WEIGHTS, w->f->match.out_dot, &s);
            xg_attention_back_pair_up(w, s.half, s.c);
        }
    if (first) xg_attention_back_show(w);
    if (first) xg_attention_back_sum(w, false);
    if (in_tensor && !first) xg_attention_back_tensor_next(w, NULL, true);
    if (in_tensor) return;
    if (second) xg_attention_back_soften(w);
    xg_attention_back_group_end(w);
    xg_attention_back_leave(w);
}
/* The body of the walk that makes the sums of dots. */
XG_FN void xg_attention_back_dots_step(xg_attention_kernel *w) {
    int64_t columns = w->p->own / XG_ATTENTION_BESIDE;
    xg_attention_back_spot s;
    bool second = w->f->back.second && !w->skips[1], first = !w->skips[0];
    xg_attention_back_exps(w);
    if (first) xg_attention_back_grads(w);
    for (s.c = 0; s.c < columns; s.c++)
        for (s.half = 0; s.half < w->p->halves; s.half++) {
            s.exp = w->scores[s.half][s.c];
            s.grad = w->grads[s.half][s.c];
            if (first)
                w->grads[s.half][s.c] = xg_attention_back_weight(w, XG_ATTENTION_WEIGHTS, w->f->match.out_dot, &s);
            s.grad = NULL;
            if (second) w->scores[s.half][s.c] = xg_attention_back_weight(w, XG_ATTENTION_SOFT, w->f->back.second, &s);
        }
    if (first) xg_attention_back_show(w);
    if (xg_attention_is_paired(w->p)) {
        xg_attention_pair_sum(w);
        return;
    }
    if (second) xg_attention_back_sum(w, true);
    if (first) xg_attention_back_sum(w, false);
}
/* A maximum of the row becomes its own one, to which sums are relative; what is subtracted for it. */
XG_FN xg_kval *xg_attention_back_grow(xg_attention_kernel *w, int64_t half, xg_kval *most) {
    xg_kval *shift = xg_attention_shift(w, most), *v = xg_attention_exp(w, w->most[half], shift);
    xg_kval **delta = &w->stat[half][XG_ATTENTION_GRAD_SUM];
    w->sum[half] = xg_k2(xg_attention_b(w), XG_K_OP_MULF, w->sum[half], v);
    w->most[half] = most;
    if (*delta) *delta = xg_k2(xg_attention_b(w), XG_K_OP_MULF, *delta, v);
    return shift;
}
/* ... that finds maximum and sum of a thread's columns, */
XG_FN void xg_attention_back_most_row(xg_attention_kernel *w, int64_t half) {
    int64_t columns = w->p->own / XG_ATTENTION_BESIDE, c;
    xg_kval *most = w->most[half];
    for (c = 0; c < columns; c++) most = xg_k2(xg_attention_b(w), XG_K_OP_MAXF, most, w->scores[half][c]);
    xg_attention_exps(w, w->scores[half], columns, xg_attention_back_grow(w, half, most));
    xg_attention_add_up(w, half);
}
/* Two neighbours, added to what is both's, if there is something. */
XG_FN xg_kval *xg_attention_added_pair(xg_attention_kernel *w, xg_kval *const *x, xg_kval *all) {
    xg_kval *v = xg_attention_alike(w, x, XG_ATTENTION_ALIKE);
    if (!all) return v;
    /* of a product less 0 it takes the 0's place */
    return v->def->op == XG_K_OP_FMAF2 && xg_kval_by(x[0], XG_K_OP_MULF)
               ? xg_k3(xg_attention_b(w), XG_K_OP_FMAF2, XG_KOPERAND(v->def, 0), XG_KOPERAND(v->def, 1), all)
               : xg_k3(xg_attention_b(w), XG_K_OP_FMAF2, v, xg_attention_twice(w, xg_attention_number(w, 1)), all);
}
/* and, with lines that are 1, the sum over dP relative to that maximum. */
XG_FN void xg_attention_back_delta_row(xg_attention_kernel *w, int64_t half) {
    xg_kval **delta = &w->stat[half][XG_ATTENTION_GRAD_SUM], *v[XG_ATTENTION_PAIR], *all = NULL;
    xg_attention_back_spot s;
    int64_t k;
    s.half = half;
    for (s.c = 0; s.c < w->p->own / XG_ATTENTION_BESIDE && *delta; s.c++) {
        s.exp = w->scores[half][s.c];
        s.grad = w->grads[half][s.c];
        k = s.c % XG_ATTENTION_PAIR;
        v[k] = xg_attention_back_real(w, XG_ATTENTION_DELTA, &s);
        if (!w->p->shape.in_tensor)
            *delta = xg_attention_added(w, v[k], *delta);
        else if (k)
            all = xg_attention_added_pair(w, v, all);
    }
    if (!all) return;
    xg_attention_each(w, all, XG_E_F32, v);
    for (k = 0; k < XG_ATTENTION_PAIR; k++) *delta = xg_k2(xg_attention_b(w), XG_K_OP_ADDF, *delta, v[k]);
}
/* ... that sums up over weights and dP. */
XG_FN void xg_attention_back_delta_step(xg_attention_kernel *w) {
    int64_t half;
    xg_attention_back_exps(w);
    xg_attention_back_grads(w);
    xg_attention_back_leave(w);
    for (half = 0; half < w->p->halves; half++) xg_attention_back_delta_row(w, half);
}
XG_FN void xg_attention_back_most_step(xg_attention_kernel *w) {
    bool grouped = w->p->shape.grouped;
    int64_t half;
    xg_attention_back_products(w, w->f->back.together, grouped ? NULL : xg_attention_back_most_row);
    if (w->f->back.together || w->p->shape.in_tensor) xg_attention_back_grads(w);
    xg_attention_back_leave(w);
    for (half = 0; half < w->p->halves; half++) {
        if (grouped) xg_attention_back_most_row(w, half);
        xg_attention_back_delta_row(w, half);
    }
}

/* ---- walks ---- */

XG_FN void xg_attention_back_carry(xg_attention_kernel *w, xg_flow *f) {
    bool paired = xg_attention_is_paired(w->p);
    int64_t half, c;
    for (half = 0; half < w->p->halves; half++) {
        xg_flow_slot(f, &w->most[half]);
        xg_flow_slot(f, &w->sum[half]);
        xg_flow_slot(f, &w->stat[half][XG_ATTENTION_GRAD_SUM]);
        xg_attention_once_carry(w, f, half);
        if (w->p->shape.in_tensor) continue;
        for (c = 0; c < w->p->depth / XG_ATTENTION_BESIDE && !w->skips[0]; c++) xg_flow_slot(f, &w->out[half][c]);
        for (c = 0; c < xg_attention_back_second_width(w->p) / XG_ATTENTION_BESIDE && !paired && !w->skips[1]; c++)
            xg_flow_slot(f, &w->second[half][c]);
    }
    if (w->f->back.shows) xg_flow_slot(f, &w->dest[2]);
    xg_attention_carry_shared(w, f);
    f->rolled = true;
}
XG_FN void xg_attention_back_group_walk(xg_attention_kernel *w, void (*body)(xg_attention_kernel *w)) {
    xg_flow f = xg_flow_begin(&w->t->s);
    xg_kval *step;
    xg_attention_back_carry(w, &f);
    step = xg_flow_for(&f, w->from, w->to, 1, xg_kval_range(w->to).hi);
    if (w->p->bounded) f.op->a = w->p->walked;
    xg_attention_begin_step(w, step);
    w->step = step;
    w->turn = xg_attention_turn(w, step);
    w->buffer = xg_tile_join(w->t, xg_tile_rest(w->t, w->turn, w->p->stages), w->p->shape.step, w->buffer);
    body(w);
    xg_flow_end(&f);
}
XG_FN void xg_attention_back_walk(xg_attention_kernel *w, void (*body)(xg_attention_kernel *w)) {
    xg_flow f = xg_flow_begin(&w->t->s);
    xg_kval *step;
    if (w->p->shape.grouped) {
        xg_attention_back_group_walk(w, body);
        return;
    }
    xg_attention_wait(w); /* what another walk has read is free */
    if (w->p->stages > 1) xg_attention_bring_walked(w, w->from);
    xg_attention_back_carry(w, &f);
    step = xg_flow_for(&f, w->from, w->to, 1, xg_kval_range(w->to).hi);
    if (w->p->bounded) f.op->a = w->p->walked;
    xg_attention_open_step(w, step);
    body(w);
    xg_flow_end(&f);
}
/* Maxima, then, of all lanes that share a row. */
XG_FN void xg_attention_back_walk_most(xg_attention_kernel *w) {
    xg_kval *most[XG_ATTENTION_HALVES_MAX];
    int64_t half;
    xg_attention_back_walk(w, xg_attention_back_most_step);
    memcpy(most, w->most, sizeof most);
    xg_attention_combine(w, XG_K_OP_MAXF, most, w->p->halves, XG_ATTENTION_BESIDE);
    for (half = 0; half < w->p->halves; half++) (void)xg_attention_back_grow(w, half, most[half]);
}
/* What is subtracted from scores of a column, wherever that is. */
XG_APART XG_FN xg_kval *xg_attention_back_shift_of(xg_attention_kernel *w, xg_kval *key) {
    xg_kval *at[XG_ATTENTION_DIMS], *index[XG_RANK_MAX];
    xg_attention_given given[XG_ATTENTION_LINES];
    xg_elem x;
    uint32_t j;
    xg_attention_numbers(w, at);
    at[XG_ATTENTION_KEY] = key;
    for (j = 0; j < w->f->back.n_lines; j++) {
        given[j].of = w->f->back.lines[j];
        given[j].v = xg_attention_element(w, (xg_attention_part)(XG_ATTENTION_LINE0 + j), at, NULL, 0, index);
    }
    x = xg_attention_element(w, XG_ATTENTION_SHIFT, at, given, w->f->back.n_lines, index);
    return xg_attention_converted_to(w, x, w->f->stages[XG_ATTENTION_SHIFT].root->shape->type, w->f->sum);
}
/* The least of it, of all columns, of each warp: several are on their way from memory at once. */
XG_FN void xg_attention_back_vote(xg_attention_kernel *w) {
    enum {
        AT_ONCE = 8
    };
    int64_t threads = w->p->threads, rounds = xg_tile_over(w->f->keys, threads), k;
    int64_t at_once = XG_MIN(rounds, (int64_t)AT_ONCE);
    xg_kval *least = xg_attention_number(w, INFINITY), *all[AT_ONCE], *first, *round, *v;
    xg_flow f = xg_flow_of(&w->t->s, &least), one = xg_flow_begin(&w->t->s);
    f.rolled = true;
    round = xg_attention_loop(w, &f, xg_tile_over(rounds, at_once));
    for (k = 0; k < at_once; k++) {
        v = xg_tile_join(w->t, round, at_once, xg_elem_index(&w->t->s, k));
        v = xg_attention_clamp(w, xg_tile_join(w->t, v, threads, w->thread), w->f->keys);
        all[k] = xg_attention_back_shift_of(w, v);
    }
    for (k = 0; k < at_once; k++) least = xg_k2(xg_attention_b(w), XG_K_OP_MINF, least, all[k]);
    xg_flow_end(&f);
    xg_attention_combine(w, XG_K_OP_MINF, &least, 1, XG_WARP_LANES);
    xg_flow_slot(&one, &w->votes);
    first = xg_kcmpi_int(xg_attention_b(w), XG_CI_EQ, w->lane, 0);
    if (w->p->producers) { /* which go through it as if they were others */
        v = xg_kthread_id(xg_attention_b(w), 0, threads + w->p->producers);
        first = xg_elem_and(&w->t->s, first, xg_attention_below(w, v, threads));
    }
    xg_flow_if(&one, first);
    w->votes = xg_kinsert(xg_attention_b(w), least, w->votes, &w->warp, 1);
    xg_flow_end(&one);
}
/* ..., of all of them, in each thread, behind a barrier. */
XG_FN xg_kval *xg_attention_back_least(xg_attention_kernel *w) {
    xg_kval *least = NULL, *at, *v;
    int64_t k;
    for (k = 0; k < w->p->threads / XG_WARP_LANES; k++) {
        at = xg_elem_index(&w->t->s, k);
        v = xg_kextract(xg_attention_b(w), w->votes, &at, 1);
        least = least ? xg_k2(xg_attention_b(w), XG_K_OP_MINF, least, v) : v;
    }
    return least;
}
/* The steps of the tile: those that masks leave, if these leave no weight to the others; else all. */
XG_FN void xg_attention_back_bounds(xg_attention_kernel *w, bool has_rows) {
    xg_kb *b;
    xg_kval *least, *all;
    xg_attention_walk_of(w);
    if (has_rows) xg_attention_inner_of(w);
    if (!w->p->bounded) return;
    if (!w->walk) w->walk = xg_elem_index_0(&w->t->s);
    if (w->f->back.turned && !w->p->shape.grouped) {
        xg_attention_back_vote(w);
        xg_attention_wait(w);
    }
    least = w->f->back.turned ? xg_attention_back_least(w) : xg_attention_least(w, has_rows);
    b = xg_attention_b(w);
    all = xg_kcmpf_(b, XG_CF_OGT, least, xg_attention_number(w, xg_attention_enough(w->f)));
    w->from = xg_kselect(b, all, w->from, xg_elem_index_0(&w->t->s));
    w->to = xg_kselect(b, all, w->to, xg_elem_index(&w->t->s, w->p->steps));
    xg_kval_set_range(w->from, xg_range_of(0, w->p->steps));
    xg_kval_set_range(w->to, xg_range_of(0, w->p->steps));
}

/* ---- what rows have ---- */

/* The lines of a thread's rows that are made of what is known: those that wait for the sum over dP, or the others. */
XG_FN void xg_attention_back_make_lines(xg_attention_kernel *w, bool late) {
    const xg_attention_back *back = &w->f->back;
    xg_attention_given given[3];
    xg_kval *at[XG_ATTENTION_DIMS], *index[XG_RANK_MAX];
    const xg_inst *of[3];
    int64_t half;
    uint32_t n, k, j;
    of[0] = w->f->match.max;
    of[1] = w->f->match.sum;
    of[2] = back->delta;
    for (half = 0; half < w->p->halves; half++) {
        for (n = j = 0; j < 3; j++) {
            if (!of[j] || !w->stat[half][j]) continue;
            given[n].of = of[j];
            given[n++].v = xg_elem_convert_to(&w->t->s, xg_elem_real(w->stat[half][j]), w->f->sum, of[j]->shape->type);
        }
        xg_attention_numbers(w, at);
        at[XG_ATTENTION_ROW] = w->row[half];
        for (k = 0; k < back->n_lines; k++)
            if (back->late[k] == late)
                w->line[half][k] =
                    xg_attention_element(w, (xg_attention_part)(XG_ATTENTION_LINE0 + k), at, given, n, index).v;
    }
}
/* What the walk over maxima begins with: lines are 1 as long as they are not known. */
XG_FN void xg_attention_back_begin_most(xg_attention_kernel *w) {
    const xg_inst *init = XG_OPERAND(w->f->match.max, 1);
    int64_t half;
    uint32_t k;
    for (half = 0; half < w->p->halves; half++) {
        w->most[half] = xg_attention_number(w, xg_literal_get_float(init->literal, 0));
        w->sum[half] = xg_attention_number(w, 0);
        if (!w->f->back.together) continue;
        w->stat[half][XG_ATTENTION_GRAD_SUM] = w->sum[half];
        for (k = 0; k < w->f->back.n_lines; k++) w->line[half][k] = xg_attention_number(w, 1);
    }
    w->keys_only = !w->f->back.together;
}
/* Of sums of exp less the row's maximum those of exp less the module's own shift. */
XG_FN void xg_attention_back_end_most(xg_attention_kernel *w, int64_t half) {
    const xg_attention_back *back = &w->f->back;
    xg_kval *most = w->most[half], *shift = xg_attention_back_shift(w, half, -1), *scale;
    xg_kb *b = xg_attention_b(w);
    if (w->scaled) { /* as scores are here: mostly that is the maximum as it was */
        scale = xg_k2(b, XG_K_OP_MULF, shift, xg_attention_number(w, 1 / w->f->scale));
        shift = xg_kselect(b, xg_kcmpf_(b, XG_CF_OEQ, shift, w->stat[half][0]), most, scale);
    }
    w->shift[half] = shift;
    most = xg_attention_shift(w, most);
    scale = xg_attention_exp(w, most, shift);
    w->stat[half][1] = xg_k2(b, XG_K_OP_MULF, w->stat[half][1], scale);
    if (!back->together) return;
    w->stat[half][XG_ATTENTION_GRAD_SUM] = xg_k2(b, XG_K_OP_MULF, w->stat[half][XG_ATTENTION_GRAD_SUM], scale);
}
/* ... and the lines that the sum over dP is made of. */
XG_FN void xg_attention_back_end_delta(xg_attention_kernel *w, int64_t half) {
    const xg_attention_back *back = &w->f->back;
    uint32_t k;
    for (k = 0; k < back->n_lines && back->together; k++)
        if (xg_attention_reached(&w->f->stages[XG_ATTENTION_DELTA], back->lines[k]))
            w->stat[half][XG_ATTENTION_GRAD_SUM] =
                xg_k2(xg_attention_b(w), XG_K_OP_MULF, w->stat[half][XG_ATTENTION_GRAD_SUM], w->line[half][k]);
}
XG_FN void xg_attention_back_end_walks(xg_attention_kernel *w) {
    enum {
        WALKS = 2 /* in which others may have voted */
    };
    if (!w->p->shape.grouped) return;
    xg_attention_walked(w, w->p->votes ? w->from : w->to);
    w->walk = xg_elem_index(&w->t->s, w->p->votes ? WALKS : 0);
}
XG_FN void xg_attention_back_find_most(xg_attention_kernel *w) {
    int64_t half;
    xg_attention_back_begin_most(w);
    xg_attention_walk_all(w, true, w->p->shape.once ? xg_attention_back_walk_once : xg_attention_back_walk_most);
    xg_attention_back_end_walks(w);
    w->keys_only = false;
    for (half = 0; half < w->p->halves; half++) {
        w->stat[half][0] = w->most[half];
        w->stat[half][1] = w->sum[half];
        xg_attention_combine(w, XG_K_OP_ADDF, &w->stat[half][1],
            w->stat[half][XG_ATTENTION_GRAD_SUM] ? XG_ATTENTION_BACK_STATS - 1 : 1, XG_ATTENTION_BESIDE);
    }
    xg_attention_back_tensor_share(w, 0, XG_ATTENTION_BACK_STATS - !w->f->back.together);
    for (half = 0; half < w->p->halves; half++) {
        xg_kval **most = &w->stat[half][0];
        w->most[half] = *most;
        if (w->scaled) *most = xg_k2(xg_attention_b(w), XG_K_OP_MULF, *most, xg_attention_number(w, w->f->scale));
    }
    xg_attention_back_make_lines(w, false); /* the shift does not depend on the sum */
    for (half = 0; half < w->p->halves; half++) xg_attention_back_end_most(w, half);
    for (half = 0; half < w->p->halves; half++) w->most[half] = w->sum[half] = NULL;
}
XG_FN void xg_attention_back_find_delta(xg_attention_kernel *w) {
    int64_t half;
    for (half = 0; half < w->p->halves; half++) w->stat[half][XG_ATTENTION_GRAD_SUM] = xg_attention_number(w, 0);
    w->begin = w->from;
    xg_attention_back_walk(w, xg_attention_back_delta_step);
    if (w->p->shape.grouped) xg_attention_walked(w, w->to);
    for (half = 0; half < w->p->halves; half++)
        xg_attention_combine(w, XG_K_OP_ADDF, &w->stat[half][XG_ATTENTION_GRAD_SUM], 1, XG_ATTENTION_BESIDE);
    xg_attention_back_tensor_share(w, XG_ATTENTION_GRAD_SUM, XG_ATTENTION_BACK_STATS);
}
/* What the other kernel reads of the row, as soon as it is there: a walk needs the registers. */
XG_FN void xg_attention_back_write_kept(xg_attention_kernel *w, int64_t half) {
    const xg_attention_back *b = &w->f->back;
    xg_kval *at[XG_ATTENTION_DIMS], *index[XG_RANK_MAX], *first;
    xg_flow one = xg_flow_begin(&w->t->s);
    xg_kval **dest = &w->dest[!b->rows_only];
    uint32_t k, j;
    if (!b->n_kept) return;
    xg_flow_slots(&one, dest, b->n_kept);
    first = xg_attention_below(w, xg_tile_join(w->t, w->part, XG_ATTENTION_BESIDE, w->beside), 1);
    xg_flow_if(&one, xg_elem_and(&w->t->s, first, xg_attention_below(w, xg_attention_back_row(w, half), w->f->rows)));
    xg_attention_numbers(w, at);
    at[XG_ATTENTION_ROW] = w->row[half];
    for (k = 0; k < b->n_kept; k++) {
        for (j = 0; xg_attention_back_value(w->f, j) != b->kept[k]; j++) {}
        xg_elem_apply(&w->t->s, b->kept_map[k], at, index);
        dest[k] = xg_emit_insert(xg_attention_b(w), xg_elem_real(w->line[half][j]), dest[k], b->kept[k]->shape, index);
    }
    xg_flow_end(&one);
}
XG_FN void xg_attention_back_find_lines(xg_attention_kernel *w) {
    int64_t half;
    if (w->f->match.max) xg_attention_back_find_most(w);
    xg_attention_back_make_lines(w, false);
    for (half = 0; half < w->p->halves; half++) {
        xg_attention_back_end_delta(w, half);
        if (!w->f->match.max) w->shift[half] = xg_attention_back_shift(w, half, -1);
        w->most[half] = w->shift[half];
    }
    if (!w->p->shape.once) xg_attention_back_bounds(w, true);
    memset(w->most, 0, sizeof w->most);
    if (!w->f->back.together) xg_attention_back_find_delta(w);
    xg_attention_back_make_lines(w, true);
    for (half = 0; half < w->p->halves; half++) xg_attention_back_write_kept(w, half);
}

/* ---- results ---- */

/* from: sums that have been read of so many eights from number x on; NULL: all, which threads have. */
XG_FN void xg_attention_back_write_row(
    xg_attention_kernel *w, int64_t half, bool second, xg_kval *x, xg_kval *const *from, int64_t eights) {
    int64_t width = second ? w->p->columns : w->p->depth, own = width / w->p->shape.parts, c, k;
    xg_kval *sums[XG_ATTENTION_PAIR];
    xg_attention_turns s;
    if (xg_attention_is_paired(w->p) && w->f->back.turned) own = width;
    memset(&s, 0, sizeof s);
    s.all = width;
    s.apart = XG_ATTENTION_EIGHT;
    s.own = from ? x : w->digits[0];
    if (own < width) s.own = xg_tile_join(w->t, w->part, own / XG_ATTENTION_EIGHT, s.own);
    s.first = xg_tile_join(w->t, w->beside, XG_ATTENTION_PAIR, w->digits[0]);
    s.first = xg_tile_join(w->t, s.own, XG_ATTENTION_EIGHT, s.first);
    if (!from) eights = own / XG_ATTENTION_EIGHT;
    for (k = 0; k < eights; k++) {
        for (c = 0; c < XG_ATTENTION_PAIR; c++) {
            int64_t n = XG_ATTENTION_PAIR * k + c;
            sums[c] = from ? xg_attention_read_sum(w, from, half, n) : (second ? w->second : w->out)[half][n];
            if (from && w->p->shape.once)
                sums[c] = xg_attention_once_join(
                    w, half, sums[c], xg_attention_read_sum(w, from + XG_ATTENTION_HALVES, half, n));
        }
        xg_attention_write_pair(w, &s, half, k, sums, NULL, second);
    }
}
/* Of sums that lie in tensor memory. */
XG_FN void xg_attention_back_write_late(xg_attention_kernel *w, bool second) {
    int64_t own = (second ? w->p->columns : w->p->depth) / w->p->shape.parts, half, n;
    xg_kval *at[XG_ATTENTION_HALVES_MAX], *x;
    xg_flow loop = xg_flow_of(&w->t->s, &w->dest[second]), f;
    x = xg_attention_read_by(w, &loop, xg_attention_back_sums_at(w->p, second), own, &n, at);
    for (half = 0; half < w->p->halves; half++) {
        f = xg_flow_of(&w->t->s, &w->dest[second]);
        xg_flow_if(&f, xg_attention_below(w, xg_attention_back_row(w, half), w->f->rows));
        xg_attention_back_write_row(w, half, second, x, at, n);
        xg_flow_end(&f);
    }
    xg_flow_end(&loop);
}
XG_FN void xg_attention_back_results(xg_attention_kernel *w, uint32_t n) {
    bool alone = xg_attention_is_paired(w->p) && w->f->back.turned; /* each warp has one result */
    uint32_t n_out = w->f->back.rows_only ? 0 : 1u + (w->f->back.second != NULL);
    int64_t half;
    uint32_t k;
    for (half = 0; half < w->p->halves && n_out && !w->p->shape.in_tensor; half++) {
        xg_kval *row = xg_attention_back_row(w, half);
        xg_flow f = xg_flow_begin(&w->t->s);
        for (k = 0; k < n; k++) xg_flow_slot(&f, &w->dest[k]);
        xg_flow_if(&f, xg_attention_below(w, row, w->f->rows));
        for (k = 0; k < n_out; k++) {
            xg_flow one = xg_flow_of(&w->t->s, &w->dest[k]);
            if (w->skips[k]) continue;
            xg_flow_if(&one, alone ? xg_kcmpi_int(xg_attention_b(w), XG_CI_EQ, w->part, 1 - (int64_t)k) : NULL);
            xg_attention_back_write_row(w, half, k, NULL, NULL, 0);
            xg_flow_end(&one);
        }
        xg_flow_end(&f);
    }
    for (k = 0; k < n_out && w->p->shape.in_tensor; k++)
        if (!w->skips[k]) xg_attention_back_write_late(w, k);
}

/* ---- the kernel ---- */

XG_FN void xg_attention_back_arrays(xg_attention_kernel *w) {
    const xg_attention_plan *p = w->p;
    int64_t keys = p->stages * p->shape.step;
    bool paired = xg_attention_is_paired(p);
    uint32_t k;
    if (p->shape.grouped) {
        xg_attention_group_arrays(w);
        if (p->bounded) w->votes = xg_attention_shared(w, w->f->sum, xg_attention_votes(p));
        if (p->shape.parts > 1) w->ends = xg_attention_shared(w, w->f->sum, xg_attention_back_ends(p));
        return;
    }
    if (!p->keeps_rows) w->query = xg_attention_shared(w, w->f->held, p->tile * p->pitch);
    if (!p->keeps_grads) w->grad = xg_attention_shared(w, w->f->held, p->tile * p->value_pitch);
    w->keys = xg_attention_shared(w, w->f->held, xg_attention_back_keys_size(p) * (paired ? 2 : 1)); /* and values */
    if (!paired) w->values = xg_attention_shared(w, w->f->held, keys * p->value_pitch);
    if (paired && xg_attention_pair_vectors(p))
        w->weights = xg_attention_shared(w, w->f->sum, p->threads * xg_attention_pair_vectors(p) * XG_ATTENTION_SUMS);
    if (paired) { w->ends = xg_attention_shared(w, w->f->sum, xg_attention_back_ends(p)); }
    for (k = 0; w->f->back.turned && k < w->f->back.n_lines; k++)
        w->columns[k] = xg_attention_shared(w, w->f->sum, keys);
    if (w->f->unit == XG_TILE_NO_UNIT) w->weights = xg_attention_shared(w, w->f->held, xg_attention_weights_size(p));
    if (p->bounded) w->votes = xg_attention_shared(w, w->f->sum, xg_attention_votes(p));
}
XG_FN void xg_attention_back_registers_of(xg_attention_kernel *w, xg_arena *a) {
    size_t most = (size_t)XG_MAX(w->p->columns, w->p->depth), own = (size_t)w->p->shape.step;
    uint32_t k;
    for (k = 0; k < (uint32_t)w->p->halves; k++) {
        w->out[k] = XG_NEW_N(a, xg_kval *, most);
        w->second[k] = xg_attention_is_paired(w->p) ? w->out[k] : XG_NEW_N(a, xg_kval *, most);
        w->scores[k] = XG_NEW_N(a, xg_kval *, own);
        w->grads[k] = XG_NEW_N(a, xg_kval *, own);
        w->soft[k] = XG_NEW_N(a, xg_kval *, own);
        w->bare[k] = XG_NEW_N(a, xg_kval *, own);
    }
    for (k = 0; k < 2; k++) {
        w->asked[k] = XG_NEW_N(a, xg_kval *, XG_KWGMMA_SUMS_MAX);
        w->asked_sums[k] = XG_NEW_N(a, xg_kval *, XG_KWGMMA_SUMS_MAX);
    }
    for (k = 0; k < XG_ATTENTION_LINES; k++) w->step_line[k] = XG_NEW_N(a, xg_kval *, own);
}
/* Sums of dots, all zero. */
XG_FN void xg_attention_back_begin(xg_attention_kernel *w) {
    xg_kval *zero = xg_attention_number(w, 0);
    int64_t half, c;
    for (half = 0; half < w->p->halves; half++) {
        w->stat[half][XG_ATTENTION_GRAD_SUM] = NULL;
        for (c = 0; c < w->p->depth / XG_ATTENTION_BESIDE; c++) w->out[half][c] = zero;
        for (c = 0; c < xg_attention_back_second_width(w->p) / XG_ATTENTION_BESIDE; c++) w->second[half][c] = zero;
    }
}
XG_FN void xg_attention_back_walk_dots(xg_attention_kernel *w) {
    xg_attention_back_walk(w, w->p->shape.grouped ? xg_attention_back_group_dots : xg_attention_back_dots_step);
}
XG_FN void xg_attention_back_all_dots(xg_attention_kernel *w, uint32_t n) {
    xg_attention_back_begin(w);
    xg_attention_pair_keep(w);
    if (w->p->shape.in_tensor) xg_attention_tensor_begin(w);
    w->begin = w->from;
    if (w->p->apart) {
        w->skips[0] = true;
        xg_attention_back_walk_dots(w);
        if (w->p->shape.grouped) xg_attention_walked(w, w->to);
        if (w->p->shape.in_tensor) xg_attention_back_tensor_walked(w);
        xg_attention_back_results(w, n);
        w->skips[0] = false;
        w->skips[1] = true;
        if (w->p->shape.in_tensor) xg_attention_tensor_begin(w);
    }
    xg_attention_back_walk_dots(w);
    if (w->p->shape.in_tensor) xg_attention_tensor_take(w);
    if (xg_attention_is_paired(w->p) && !w->f->back.turned) xg_attention_pair_join(w);
}
XG_FN void xg_attention_back_all(xg_attention_kernel *w, uint32_t n) {
    if (w->p->shape.once) xg_attention_back_begin(w);
    if (w->p->shape.once && w->p->shape.in_tensor) xg_attention_tensor_begin(w);
    if (!w->f->back.turned)
        xg_attention_back_find_lines(w);
    else if (!w->p->shape.grouped)
        xg_attention_back_bounds(w, true);
    if (w->p->shape.once)
        xg_attention_once_end(w);
    else if (!w->f->back.rows_only)
        xg_attention_back_all_dots(w, n);
    xg_attention_back_results(w, n);
    if (w->p->shape.in_tensor) xg_attention_tensor_end(w);
}
XG_FN void xg_attention_back_keep_rows(xg_attention_kernel *w) {
    xg_kval *side[2] = {NULL, NULL}, *values = w->values;
    if (!w->p->keeps_rows) return;
    xg_attention_wait(w);
    if (xg_attention_is_paired(w->p)) memcpy(side, w->digits, sizeof side);
    w->kept = xg_attention_kept_words(w, w->keys, side[0], w->p->pitch, w->p->depth);
    if (xg_attention_back_in_turn(w->p)) {
        xg_attention_wait(w);
        xg_attention_bring_grads(w);
        xg_attention_wait(w);
    }
    if (xg_attention_back_through_keys(w->p)) values = w->keys;
    if (w->p->keeps_grads) w->kept_grad = xg_attention_kept_words(w, values, side[1], w->p->value_pitch, w->p->columns);
}
/* Warp groups' threads that wait for many rows have no registers for all of them. */
XG_FN bool xg_attention_back_copies_rows(const xg_attention_plan *p) {
    const xg_attention_stage *s = p->form.stages;
    const xg_inst *rows = s[XG_ATTENTION_QUERY].root, *grads = s[XG_ATTENTION_GRAD].root;
    return p->shape.in_tensor && xg_tile_is_moved(rows) && xg_tile_is_moved(grads) &&
           rows->shape->type == p->form.held && grads->shape->type == p->form.held &&
           XG_MIN(s[XG_ATTENTION_QUERY].lanes, s[XG_ATTENTION_GRAD].lanes) * xg_type_bytes(p->form.held) ==
               XG_TILE_ACCESS_BYTES;
}
XG_FN void xg_attention_back_emit(xg_fusion_emission *e, const xg_attention_plan *p) {
    const xg_attention_back *back = &p->form.back;
    uint32_t n = back->n_kept + (uint32_t)(!back->rows_only + (back->second != NULL) + back->shows);
    xg_attention_kernel *w = xg_attention_begin(e, p, n);
    e->m->entry->async_copies = p->copied && (!p->shape.grouped || xg_attention_back_copies_rows(p));
    w->scaled = p->form.scaled;
    xg_attention_back_registers_of(w, e->arena);
    xg_attention_back_arrays(w);
    if (p->shape.grouped)
        xg_attention_back_group_kernel(w, n);
    else {
        xg_attention_bring_rows(w);
        xg_attention_back_keep_rows(w);
        xg_attention_back_all(w, n);
    }
    xg_kreturn(xg_attention_b(w), w->dest, n);
}

#endif /* XG_SCHED_ATTENTION_BACK_EMIT_C */
