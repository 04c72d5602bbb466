/* sched/attention_kernel.c -- what all parts of attention's kernel stand on: its numbers, the elements of its stages,
 * shared memory, and arithmetic of a row's scores. */
#ifndef XG_SCHED_ATTENTION_KERNEL_C
#define XG_SCHED_ATTENTION_KERNEL_C
#include "attention.h"

XG_FN xg_kb *xg_attention_b(xg_attention_kernel *w) { return &w->t->s.b; }
XG_FN xg_kelem xg_attention_sum_type(const xg_attention_kernel *w) { return xg_kelem_of(w->f->sum); }
XG_FN xg_kval *xg_attention_number(xg_attention_kernel *w, double v) {
    return xg_kconst_float(xg_attention_b(w), xg_attention_sum_type(w), v);
}
/* base + more, which counts so much. */
XG_FN xg_kval *xg_attention_at(xg_attention_kernel *w, xg_kval *base, int64_t count, int64_t more) {
    xg_aff_ctx *x = w->t->s.b.m->aff;
    return more ? xg_tile_apply(w->t, &count, 1, xg_aff_add_k(x, xg_aff_dim_0(x), more), &base) : base;
}
/* A loop of so many rounds around what changes the flow's variables; its number. */
XG_FN xg_kval *xg_attention_loop(xg_attention_kernel *w, xg_flow *f, int64_t rounds) {
    xg_kval *zero = xg_elem_index_0(&w->t->s), *end = xg_elem_index(&w->t->s, rounds);
    return xg_flow_for(f, zero, end, 1, rounds);
}
/* v, where the array has so many; else its last one. */
XG_FN xg_kval *xg_attention_clamp(xg_attention_kernel *w, xg_kval *v, int64_t limit) {
    xg_kval *last;
    if (xg_kval_range(v).hi < limit) return v;
    last = xg_elem_index(&w->t->s, limit - 1);
    v = xg_k2(xg_attention_b(w), XG_K_OP_MINSI, v, last);
    xg_kval_set_range(v, xg_range_of(0, limit - 1));
    return v;
}
/* Whether v is one of so many; NULL: always. */
XG_FN xg_kval *xg_attention_below(xg_attention_kernel *w, xg_kval *v, int64_t limit) {
    if (xg_kval_range(v).hi < limit) return NULL;
    return xg_kcmpi_int(xg_attention_b(w), XG_CI_SLT, v, limit);
}
XG_FN xg_elem xg_attention_element(xg_attention_kernel *w, xg_attention_part part, xg_kval *const *at,
    const xg_attention_given *given, uint32_t n, xg_kval **index) {
    const xg_attention_stage *stage = &w->f->stages[part];
    xg_scope s = w->scopes[part];
    xg_elem v;
    uint32_t k;
    s.b = w->t->s.b;
    s.memo = XG_NEW_N(w->t->e->arena, xg_memo, stage->parts->n_insts + (size_t)1);
    for (k = 0; k < n; k++)
        if (xg_attention_reached(stage, given[k].of)) xg_hero_give(&s, given[k].of, given[k].v);
    if (at) xg_elem_apply(&s, stage->map, at, index);
    for (k = 0; !at && k < stage->root->shape->rank; k++) index[k] = w->digits[0];
    v = xg_elem_of(&s, stage->root, index);
    w->t->s.b = s.b;
    return v;
}
XG_FN void xg_attention_numbers(xg_attention_kernel *w, xg_kval **at) {
    uint32_t k;
    for (k = 0; k < XG_ATTENTION_DIMS; k++) at[k] = w->digits[0];
    at[XG_ATTENTION_BATCH] = w->batch;
}
XG_FN xg_elem xg_attention_row_element(xg_attention_kernel *w, xg_attention_part part, int64_t half, int64_t c,
    const xg_attention_given *given, uint32_t n) {
    bool anywhere = w->f->stages[part].anywhere;
    xg_kval *at[XG_ATTENTION_DIMS], *index[XG_RANK_MAX];
    if (given[0].of == w->f->stages[part].root) return given[0].v;
    if (!anywhere) {
        xg_attention_numbers(w, at);
        at[XG_ATTENTION_ROW] = w->row[half];
        if (c >= 0) at[XG_ATTENTION_KEY] = xg_attention_clamp(w, xg_attention_key(w, c), w->f->keys);
    }
    return xg_attention_element(w, part, anywhere ? NULL : at, given, n, index);
}
XG_FN xg_elem xg_attention_scores_of(xg_attention_kernel *w, const xg_inst *i, xg_elem bare) {
    const xg_inst *from;
    if (i == w->f->stages[XG_ATTENTION_BARE].root) return bare;
    from = XG_OPERAND(i, i->op == XG_SELECT ? xg_attention_masked(i) : 0);
    bare = xg_attention_scores_of(w, from, bare);
    if (i->op == XG_SELECT) return bare;
    return xg_elem_convert_to(&w->t->s, bare, from->shape->type, i->shape->type);
}
XG_FN xg_kval *xg_attention_converted_to(xg_attention_kernel *w, xg_elem v, xlagpu_type from, xlagpu_type to) {
    return xg_elem_convert_to(&w->t->s, v, from, to).v;
}
XG_FN xg_kval *xg_attention_lane(xg_attention_kernel *w, xg_kval *vector, int64_t lane) {
    xg_kval *o[2];
    o[0] = vector;
    o[1] = w->digits[lane];
    return xg_kir_value(xg_attention_b(w), XG_K_OP_VEXTRACT, o, 2, xg_kir_scalar(w->t->s.b.m, vector->type->elem));
}
XG_FN xg_kval *xg_attention_insert(xg_attention_kernel *w, xg_kval *v, xg_kval *vector, int64_t lane) {
    xg_kval *o[3];
    o[0] = v;
    o[1] = vector;
    o[2] = w->digits[lane];
    return xg_kir_value(xg_attention_b(w), XG_K_OP_VINSERT, o, 3, vector->type);
}
/* The copies of all steps but the last so many are there. */
XG_FN void xg_attention_await(xg_attention_kernel *w, int64_t but) {
    if (w->p->copied) xg_kir_do_0(xg_attention_b(w), XG_K_OP_ASYNC_WAIT_GROUP)->b = but;
}
/* All arrays in shared memory but the tile's rows. */
XG_FN void xg_attention_carry_more(xg_attention_kernel *w, xg_flow *f) {
    xg_flow_slot(f, &w->keys);
    xg_flow_slot(f, &w->values);
    xg_flow_slot(f, &w->weights);
    xg_flow_slot(f, &w->ends);
    xg_flow_slot(f, &w->votes);
    xg_flow_slot(f, &w->grad);
    xg_flow_slots(f, w->columns, XG_ATTENTION_LINES);
}
XG_FN void xg_attention_wait(xg_attention_kernel *w) {
    xg_flow f = xg_flow_of(&w->t->s, &w->query);
    xg_kop *op;
    xg_attention_carry_more(w, &f);
    op = xg_flow_wait(&f);
    if (w->p->producers && w->barriers) { /* not all threads come by the same way */
        op->a = w->p->threads + w->p->producers;
        op->b = XG_ATTENTION_TEAM;
    }
}
XG_ONE_COPY XG_FN void xg_attention_carry_shared(xg_attention_kernel *w, xg_flow *f) {
    xg_flow_slot(f, &w->query);
    xg_attention_carry_more(w, f);
}
XG_FN void xg_attention_combine(xg_attention_kernel *w, xg_kopcode op, xg_kval **v, int64_t n, int64_t lanes) {
    xg_kb *b = xg_attention_b(w);
    xg_kval *of[XG_ATTENTION_HALVES_MAX];
    int64_t apart, k;
    for (apart = 1; apart < lanes; apart *= 2) {
        xg_kval *by = xg_kconst_i32(b, apart);
        for (k = 0; k < n; k++) of[k] = xg_kshuffle(b, XG_K_OP_SHFLBFLY, v[k], by);
        for (k = 0; k < n; k++) v[k] = xg_k2(b, op, v[k], of[k]);
    }
}
#define XG_ATTENTION_LOG2_E 1.4426950408889634
/* What is rounded to 16 bits afterwards takes the device's power of two as it is; what that flushes is less than 2^-126
 * of a row's largest weight. */
XG_FN xg_kval *xg_attention_power(xg_attention_kernel *w, xg_kval *x) {
    x = xg_k1(xg_attention_b(w), XG_K_OP_EX2A, x);
    x->def->flags |= XG_KA_FTZ;
    return x;
}
XG_ONE_COPY XG_FN double xg_attention_scale(const xg_attention_kernel *w) { return w->scaled ? w->f->scale : 1; }
/* x + z, by one operation where x is a product. */
XG_FN xg_kval *xg_attention_added(xg_attention_kernel *w, xg_kval *x, xg_kval *z) {
    xg_kb *b = xg_attention_b(w);
    return xg_kval_by(x, XG_K_OP_MULF) ? xg_k3(b, XG_K_OP_FMA, XG_KOPERAND(x->def, 0), XG_KOPERAND(x->def, 1), z)
                                       : xg_k2(b, XG_K_OP_ADDF, x, z);
}
/* exp(x - shift) */
XG_FN xg_kval *xg_attention_exp(xg_attention_kernel *w, xg_kval *x, xg_kval *shift) {
    xg_kb *b = xg_attention_b(w);
    x = xg_kval_by(x, XG_K_OP_MULF) ? xg_attention_added(w, x, xg_k1(b, XG_K_OP_NEGF, shift))
                                    : xg_k2(b, XG_K_OP_SUBF, x, shift);
    if (w->f->unit == XG_TILE_NO_UNIT) return xg_k1(b, XG_K_OP_EXP, x);
    x = xg_k2(b, XG_K_OP_MULF, x, xg_attention_number(w, XG_ATTENTION_LOG2_E * xg_attention_scale(w)));
    return xg_attention_power(w, x);
}
/* Two neighbours as what tensor memory's devices compute with in one instruction, and back. */
XG_FN xg_kval *xg_attention_both(xg_attention_kernel *w, xg_kval *const *x) {
    xg_kval *v = xg_attention_paired(w, x);
    return xg_kir_of(xg_attention_b(w), XG_K_OP_BITCAST, v, xg_kir_scalar(w->t->s.b.m, XG_E_I64));
}
XG_FN void xg_attention_each(xg_attention_kernel *w, xg_kval *v, xg_kelem e, xg_kval **to) {
    int64_t k;
    v = xg_kir_of(xg_attention_b(w), XG_K_OP_BITCAST, v, xg_kir_vector(w->t->s.b.m, e, XG_ATTENTION_PAIR));
    for (k = 0; k < XG_ATTENTION_PAIR; k++) to[k] = xg_attention_lane(w, v, k);
}
XG_FN xg_kval *xg_attention_as(xg_attention_kernel *w, xg_kval *x, xg_kelem e) {
    if (x->type->elem == e) return x;
    return xg_kir_of(xg_attention_b(w), XG_K_OP_BITCAST, x, xg_kir_scalar(w->t->s.b.m, e));
}
/* x y + z, of two neighbours or of one; a number in the place of y, or z, is that of both. */
XG_FN xg_kval *xg_attention_fma(xg_attention_kernel *w, xg_kval *x, xg_kval *y, xg_kval *z) {
    return xg_k3(xg_attention_b(w), x->type->elem == XG_E_I64 ? XG_K_OP_FMAF2 : XG_K_OP_FMA, x, y, z);
}
XG_FN xg_kval *xg_attention_twice(xg_attention_kernel *w, xg_kval *x) {
    xg_kval *two[XG_ATTENTION_PAIR];
    two[0] = two[1] = x;
    return w->p->shape.in_tensor ? xg_attention_both(w, two) : x;
}
/* Of a product with this constant the other factor, else NULL. */
XG_FN xg_kval *xg_attention_other_factor(xg_attention_kernel *w, const xg_kval *x, double constant) {
    int64_t bits = 0, own, k;
    (void)xg_kval_is_const(xg_attention_number(w, constant), &bits);
    for (k = 0; k < 2 && xg_kval_by(x, XG_K_OP_MULF); k++)
        if (xg_kval_is_const(XG_KOPERAND(x->def, k), &own) && own == bits) return XG_KOPERAND(x->def, 1 - k);
    return NULL;
}
/* Two neighbours that are made alike, by instructions that make both: x + y is x 1 + y, x y less 0. */
XG_FN xg_kval *xg_attention_alike(xg_attention_kernel *w, xg_kval *const *x, int64_t depth) {
    const xg_kop *p = x[0]->def, *q = x[1]->def;
    xg_kval *o[3], *two[XG_ATTENTION_PAIR];
    uint32_t k;
    two[0] = xg_attention_other_factor(w, x[0], 1);
    two[1] = xg_attention_other_factor(w, x[1], 1);
    if (two[0] && two[1]) return xg_attention_alike(w, two, depth);
    if (!depth || !p || !q || p == q || p->op != q->op || p->operands[0].value->type->elem != XG_E_F32 ||
        (p->op != XG_K_OP_MULF && p->op != XG_K_OP_ADDF && p->op != XG_K_OP_SUBF && p->op != XG_K_OP_FMA))
        return xg_attention_both(w, x);
    for (k = 0; k < p->n_operands; k++) {
        two[0] = XG_KOPERAND(p, k);
        two[1] = XG_KOPERAND(q, k);
        o[k] = xg_attention_alike(w, two, depth - 1);
    }
    if (p->op == XG_K_OP_SUBF) {
        two[0] = o[0];
        o[0] = o[1];
        o[1] = two[0];
    }
    if (p->op != XG_K_OP_FMA) {
        k = p->op == XG_K_OP_MULF;
        o[2] = k ? NULL : o[1];
        o[k ? 2 : 1] = xg_attention_twice(w, xg_attention_number(w, k ? -0.0 : p->op == XG_K_OP_SUBF ? -1.0 : 1.0));
    }
    return xg_attention_fma(w, o[0], o[1], o[2]);
}
/* ..., in their place, as they are before they are rounded. */
XG_FN void xg_attention_pair_up(xg_attention_kernel *w, xg_kval **x) {
    xg_kelem e = x[0]->type->elem;
    xg_kval *two[XG_ATTENTION_PAIR];
    int64_t k;
    if (!w->p->shape.in_tensor) return;
    for (k = 0; k < XG_ATTENTION_PAIR; k++) {
        if (!xg_kval_by(x[k], XG_K_OP_TRUNCF)) return;
        two[k] = XG_KOPERAND(x[k]->def, 0);
    }
    if (two[0]->type->elem != XG_E_F32) return;
    xg_attention_each(w, xg_attention_alike(w, two, XG_ATTENTION_ALIKE), XG_E_F32, two);
    for (k = 0; k < XG_ATTENTION_PAIR; k++) x[k] = xg_kcast(xg_attention_b(w), XG_K_OP_TRUNCF, two[k], e);
}
/* Powers of two of a pair, in its place, by multiply-adds (Cody and Waite's reduction): a number is an integer and a
 * rest, at most a half, of which a polynomial makes the power; the integer is added to its exponent. The polynomial is
 * right to 1.0e-4, where weights are rounded to 2e-3, or, where their sums are results, to 1.6e-7. That of a rest of 0
 * is exact: what is -127 or less becomes 0, as a masked score does. */
enum {
    XG_ATTENTION_COARSE = 3, /* the first factor of a polynomial, whose last one is 1 */
    XG_ATTENTION_FINE = 6,
    XG_ATTENTION_NUMBERS = 11
};
static const double xg_attention_numbers_of[XG_ATTENTION_NUMBERS] = {
    1, -1, 3 << 22, 0.055008933, 0.24221095, 0.6932829, 0.0013264727, 0.009671513, 0.055507336, 0.24022242, 0.693147};
XG_FN void xg_attention_made_powers(xg_attention_kernel *w, xg_kval **x, xg_kval *const *numbers) {
    bool fine = xg_attention_is_fine(w->f);
    int64_t first = fine ? XG_ATTENTION_FINE : XG_ATTENTION_COARSE,
            end = fine ? XG_ATTENTION_NUMBERS : XG_ATTENTION_FINE;
    int64_t n = w->p->shape.in_tensor ? 1 : XG_ATTENTION_PAIR, k, j;
    xg_kval *y[XG_ATTENTION_PAIR], *z[XG_ATTENTION_PAIR], *f;
    xg_kb *b = xg_attention_b(w);
    memcpy(y, x, sizeof y);
    for (k = 0; k < XG_ATTENTION_PAIR && !xg_attention_is_near(w->p); k++) {
        /* at least -127: the less a negative number is, the larger are its bits */
        y[k] = xg_k2_int(b, XG_K_OP_MINUI, xg_attention_as(w, x[k], XG_E_I32), 0xC2FE0000);
        if (n > 1) y[k] = xg_attention_as(w, y[k], XG_E_F32);
    }
    if (n == 1) y[0] = xg_attention_both(w, y);
    for (k = 0; k < n; k++) {
        z[k] = xg_attention_fma(w, y[k], numbers[0], numbers[2]);
        f = xg_attention_fma(w, z[k], numbers[1], numbers[2]);
        f = xg_attention_fma(w, f, numbers[0], y[k]);
        y[k] = numbers[first];
        for (j = first + 1; j <= end; j++) y[k] = xg_attention_fma(w, f, y[k], numbers[j < end ? j : 0]);
    }
    if (n == 1) xg_attention_each(w, y[0], XG_E_I32, y);
    if (n == 1) xg_attention_each(w, z[0], XG_E_I32, z);
    for (k = 0; k < XG_ATTENTION_PAIR; k++) {
        z[k] = xg_attention_as(w, z[k], XG_E_I32);
        y[k] = xg_attention_as(w, y[k], XG_E_I32);
        y[k] = xg_k3(b, XG_K_OP_MADI, z[k], xg_kconst_i32(b, 1 << 23), y[k]);
        x[k] = xg_attention_as(w, y[k], XG_E_F32);
    }
}
/* What makes an exponent of two of a score: times `by`, and `less`. The shift's exponent is rounded: a factor of all
 * weights that have this shift, which the row's sum divides out again. Between weights of several shifts it stays, and
 * is no more than about what the rounding of scores of that size comes to. A shift for which that were more than 2^4 is
 * taken as an exponent of two itself: scores of that size are at least 4 apart. */
XG_FN void xg_attention_exponents(xg_attention_kernel *w, xg_kval *shift, xg_kval **by, xg_kval **less) {
    enum {
        LARGE = 1 << 26
    };
    xg_kb *b = xg_attention_b(w);
    double scale = xg_attention_scale(w);
    xg_kval *one = xg_attention_number(w, scale), *size = xg_k1(b, XG_K_OP_ABSF, shift);
    *by = xg_attention_number(w, XG_ATTENTION_LOG2_E * scale);
    *by = xg_kselect(b, xg_kcmpf_(b, XG_CF_OLT, size, xg_attention_number(w, (double)LARGE / scale)), *by, one);
    *less = xg_k1(b, XG_K_OP_NEGF, xg_k2(b, XG_K_OP_MULF, shift, *by));
}
/* Whether multiply-adds make the powers of column c and the next one. */
XG_FN bool xg_attention_is_made(const xg_attention_kernel *w, int64_t c) {
    int64_t pair = c / XG_ATTENTION_PAIR, made = w->p->powers;
    return (pair + 1) * made / XG_ATTENTION_POWERS > pair * made / XG_ATTENTION_POWERS;
}
/* The largest of a row's numbers of the step and `first`, or (NULL) of those whose powers multiply-adds make: two at a
 * time, which wait for each other at the end. */
XG_FN xg_kval *xg_attention_largest(xg_attention_kernel *w, xg_kopcode three, xg_kval *const *of, xg_kval *first) {
    int64_t columns = w->p->own / XG_ATTENTION_BESIDE, n = 0, c, k;
    xg_kval *two[2], *x[XG_KWGMMA_N_MAX];
    xg_kb *b = xg_attention_b(w);
    if (first) x[n++] = first;
    for (c = 0; c < columns; c++)
        if (first || xg_attention_is_made(w, c)) x[n++] = of[c];
    memcpy(two, x, sizeof two);
    for (k = 0, c = 2; c < n; c++, k = 1 - k)
        if (w->p->shape.in_tensor && c + 1 < n) {
            two[k] = xg_k3(b, three, two[k], x[c], x[c + 1]);
            c++;
        } else
            two[k] = xg_k2(b, XG_K_OP_MAXF, two[k], x[c]);
    return three == XG_K_OP_MAXA3 ? xg_k3(b, three, two[0], two[1], two[1]) : xg_k2(b, XG_K_OP_MAXF, two[0], two[1]);
}
/* Of a row's scores those are raised whose powers multiply-adds would not make: to exponents of a bit more than -127,
 * whose powers 16 bits round to 0. masks: a row without a reference has none yet. */
XG_FN void xg_attention_raise(xg_attention_kernel *w, int64_t half, bool masks) {
    const double least = -127 + 1.0 / 512, error = 1.0 / (1 << 20);
    int64_t columns = w->p->own / XG_ATTENTION_BESIDE, c;
    xg_kb *b = xg_attention_b(w);
    xg_kval *v = xg_k1(b, XG_K_OP_ABSF, w->less[half]), *none = xg_attention_number(w, -INFINITY);
    xg_kval *scale = xg_attention_number(w, error);
    v = xg_k3(b, XG_K_OP_FMA, v, scale, xg_attention_number(w, least));
    v = xg_k2(b, XG_K_OP_SUBF, v, w->less[half]);
    v = xg_k2(b, XG_K_OP_MULF, v, xg_k1(b, XG_K_OP_RCPA, w->by[half]));
    if (masks) v = xg_kselect(b, xg_kcmpf_(b, XG_CF_OEQ, w->stat[half][XG_ATTENTION_REFERENCE], none), none, v);
    for (c = 0; c < columns; c++)
        if (xg_attention_is_made(w, c)) w->scores[half][c] = xg_k2(b, XG_K_OP_MAXF, w->scores[half][c], v);
}
/* Powers of n scores of a row, in their place: a multiplication and addition each, and of the pairs that the plan says
 * powers by more of them. */
XG_FN void xg_attention_exps_by(xg_attention_kernel *w, xg_kval **x, int64_t n, xg_kval *by, xg_kval *less) {
    xg_kval *known[XG_ATTENTION_NUMBERS] = {NULL};
    bool near_0 = xg_attention_is_near(w->p);
    int64_t c, k;
    by = xg_attention_twice(w, by);
    less = xg_attention_twice(w, less);
    for (k = 0; w->p->powers && k < XG_ATTENTION_NUMBERS; k++)
        known[k] = xg_attention_twice(w, xg_attention_number(w, xg_attention_numbers_of[k]));
    for (c = 0; c < n; c += XG_ATTENTION_PAIR)
        if (w->p->shape.in_tensor)
            xg_attention_each(w, xg_attention_fma(w, xg_attention_both(w, &x[c]), by, less),
                xg_attention_is_made(w, c) && !near_0 ? XG_E_I32 : XG_E_F32, &x[c]);
        else
            for (k = 0; k < XG_ATTENTION_PAIR; k++) x[c + k] = xg_attention_fma(w, x[c + k], by, less);
    if (near_0 && w->p->powers) w->farthest = xg_attention_largest(w, XG_K_OP_MAXA3, x, NULL);
    for (c = 0; c < n; c += XG_ATTENTION_PAIR)
        if (xg_attention_is_made(w, c))
            xg_attention_made_powers(w, &x[c], known);
        else
            for (k = 0; k < XG_ATTENTION_PAIR; k++) x[c + k] = xg_attention_power(w, x[c + k]);
}
XG_FN void xg_attention_exps(xg_attention_kernel *w, xg_kval **x, int64_t n, xg_kval *shift) {
    xg_kval *by, *less;
    int64_t c;
    if (w->f->unit == XG_TILE_NO_UNIT) {
        for (c = 0; c < n; c++) x[c] = xg_attention_exp(w, x[c], shift);
        return;
    }
    xg_attention_exponents(w, shift, &by, &less);
    xg_attention_exps_by(w, x, n, by, less);
}
#undef XG_ATTENTION_LOG2_E
XG_FN xg_kval *xg_attention_shift(xg_attention_kernel *w, xg_kval *most) {
    xg_kval *least = xg_attention_number(w, -INFINITY), *zero = xg_attention_number(w, 0);
    return xg_kselect(xg_attention_b(w), xg_kcmpf_(xg_attention_b(w), XG_CF_OEQ, most, least), zero, most);
}
/* A maximum becomes the row's reference. */
XG_FN void xg_attention_refer_to(xg_attention_kernel *w, int64_t half, xg_kval *most) {
    w->stat[half][XG_ATTENTION_REFERENCE] = most;
    xg_attention_exponents(w, xg_attention_shift(w, most), &w->by[half], &w->less[half]);
}
/* The forward pass's two products. */
XG_FN xg_attention_product xg_attention_scores_product(xg_attention_kernel *w) {
    xg_attention_product o;
    int64_t half;
    o.fixed = w->query;
    o.step = w->keys;
    o.kept = w->kept;
    o.fixed_pitch = w->p->query_pitch;
    o.pitch = w->p->pitch;
    o.width = w->p->depth;
    o.fixed_at = o.at = 0;
    o.held = w->p->keeps_rows;
    o.rows[0] = w->buffer;
    o.rows[1] = NULL;
    for (half = 0; half < w->p->halves; half++) o.to[half] = w->scores[half];
    return o;
}
XG_FN xg_attention_summed xg_attention_out_summed(xg_attention_kernel *w) {
    xg_attention_summed o;
    int64_t half;
    o.step = w->values;
    o.pitch = w->p->value_pitch;
    o.width = w->p->columns;
    o.pieces = w->f->pieces[0];
    o.at = xg_attention_sums_at(w->p);
    o.weights_at = xg_attention_weights_at(w->p);
    o.rows[0] = w->buffer;
    o.rows[1] = NULL;
    for (half = 0; half < w->p->halves; half++) {
        o.weights[half] = w->scores[half];
        o.to[half] = w->out[half];
    }
    return o;
}

#endif /* XG_SCHED_ATTENTION_KERNEL_C */
