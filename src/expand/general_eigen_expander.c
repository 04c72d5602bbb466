/* expand/general_eigen_expander.c -- eigenvalues and vectors of general matrices: Hessenberg form, shifted QR steps,
 * back substitution, all in complex doubles.
 *
 * Each matrix of the batch has its own active block [lo, hi]: what lies below hi has been split off. A step chases a
 * bulge through the rows k, k + 1 of all matrices together, and does nothing where k lies outside of a block. Doubles,
 * also for floats: a conjugate pair must be told from two real values. */
#ifndef XG_EXPAND_GENERAL_EIGEN_EXPANDER_C
#define XG_EXPAND_GENERAL_EIGEN_EXPANDER_C
#include "expand.h"
#include "eigen_expander.c"

enum {
    XG_SHIFTED_STEPS = 40
}; /* QR steps a row at most */

XG_FN xg_inst *xg_general_next(const xg_hb *b, xg_inst *k, int64_t by) {
    return xg_hb_2(b, XG_ADD, k, xg_hb_int_like(b, k, by));
}
XG_FN xg_inst *xg_c128(const xg_hb *b, xg_inst *x) { return xg_hb_convert(b, x, XLAGPU_C128); }
/* pred of x's dimensions: x (direction) the scalar k. */
XG_FN xg_inst *xg_linear_where_k(const xg_hb *b, const char *direction, xg_inst *x, xg_inst *k) {
    return xg_hb_compare(b, direction, x, xg_hb_splat(b, k, x->shape->dims, x->shape->rank));
}
/* (x, y) := (x p + y q, y conj(p) - x conj(q)) */
XG_FN void xg_general_turn(const xg_hb *b, xg_inst **x, xg_inst **y, xg_inst *p, xg_inst *q) {
    xg_inst *a = xg_linear_times(b, *x, p), *c = xg_linear_times(b, *x, xg_linear_conj(b, q));
    a = xg_hb_2(b, XG_ADD, a, xg_linear_times(b, *y, q));
    *y = xg_hb_2(b, XG_SUBTRACT, xg_linear_times(b, *y, xg_linear_conj(b, p)), c);
    *x = a;
}
/* The element [batch, 1, 1] of x[batch, n, n] in a row and column of each matrix's own. */
XG_FN xg_inst *xg_general_pick(const xg_hb *b, xg_inst *x, xg_inst *row, xg_inst *column) {
    xg_inst *here = xg_linear_where_in(b, x, 1, "EQ", row);
    here = xg_linear_and(b, here, xg_linear_where_in(b, x, 2, "EQ", column));
    return xg_linear_sum(b, xg_linear_sum(b, xg_linear_kept(b, here, x), 2), 1);
}
/* h, Hessenberg, below whose subdiagonal lie reflectors -> h without them, and their product *q. */
XG_FN xg_inst *xg_general_unpacked(const xg_hb *b, xg_inst *packed, xg_inst *taus, xg_inst **q) {
    int64_t n = packed->shape->dims[1];
    xg_inst *below = xg_hb_iota(b, XLAGPU_S32, packed->shape->dims, 3, 2), *zero = xg_linear_zero_like(b, packed);
    *q = xg_linear_identity(b, packed->shape->type, packed->shape->dims[0], n, n);
    if (n > 1) *q = xg_linear_reflect(b, packed, taus, *q, true, false, 1);
    below = xg_general_next(b, below, 1);
    return xg_hb_select(b, xg_linear_where_in(b, packed, 1, "GT", below), zero, packed);
}

typedef struct xg_general_block {
    xg_inst *lo, *hi, *finite;
} xg_general_block;
typedef xg_inst *xg_general_splitter(const xg_hb *b, xg_inst *h, xg_general_block *block);
typedef void xg_general_step(const xg_hb *b, xg_inst **h, xg_inst **q, const xg_general_block *block, xg_inst *steps);
/* [batch, 1, 1] */

/* Elements below the diagonal that are small beside their neighbours become zero; the last block that is left. */
XG_FN xg_inst *xg_general_split(const xg_hb *b, xg_inst *h, xg_general_block *block) {
    xg_inst *size = xg_hb_1(b, XG_ABS, h), *norm = xg_linear_most(b, xg_linear_most(b, size, 2), 1),
            *d = xg_linear_diagonal(b, size), *around, *row, *sub, *tiny, *zero, *live;
    row = xg_hb_iota(b, XLAGPU_S32, h->shape->dims, 3, 1);
    sub = xg_hb_iota(b, XLAGPU_S32, h->shape->dims, 3, 2);
    sub = xg_hb_compare(b, "EQ", row, xg_general_next(b, sub, 1));
    around = xg_linear_stretch(b, d, h->shape->dims);
    around = xg_hb_2(b, XG_ADD, around, xg_linear_stretch(b, xg_linear_swap(b, d), h->shape->dims));
    zero = xg_hb_compare(b, "EQ", around, xg_linear_zero_like(b, around));
    around = xg_hb_select(b, zero, xg_linear_stretch(b, norm, h->shape->dims), around);
    around = xg_hb_2(b, XG_MULTIPLY, around, xg_linear_splat_like(b, around, xg_linear_epsilon(h->shape->type)));
    tiny = xg_linear_and(b, xg_hb_compare(b, "LE", size, around), sub);
    live = xg_linear_and(b, xg_hb_1(b, XG_NOT, tiny), sub);
    block->finite = xg_hb_1(b, XG_IS_FINITE, norm);
    d = xg_hb_int(b, XLAGPU_S32, 0);
    block->hi = xg_linear_fold(b, XG_MAXIMUM, xg_linear_fold(b, XG_MAXIMUM, xg_linear_kept(b, live, row), d, 2), d, 1);
    live = xg_hb_compare(b, "LE", row, xg_linear_stretch(b, block->hi, h->shape->dims));
    live = xg_linear_and(b, tiny, live);
    block->lo = xg_linear_fold(b, XG_MAXIMUM, xg_linear_fold(b, XG_MAXIMUM, xg_linear_kept(b, live, row), d, 2), d, 1);
    zero = xg_linear_zero_like(b, h);
    return xg_hb_select(b, tiny, zero, h);
}
/* The eigenvalue of the block's last 2 x 2 elements that is nearer to the last one; now and then another number, lest
 * steps go round in circles. */
XG_FN xg_inst *xg_general_shift(const xg_hb *b, xg_inst *h, xg_inst *hi, xg_inst *steps) {
    xg_inst *before = xg_general_next(b, hi, -1), *a = xg_general_pick(b, h, before, before),
            *bc = xg_general_pick(b, h, before, hi), *c = xg_general_pick(b, h, hi, before),
            *d = xg_general_pick(b, h, hi, hi), *half, *root, *plus, *more, *odd;
    bc = xg_hb_2(b, XG_MULTIPLY, bc, c);
    half = xg_hb_2(b, XG_SUBTRACT, a, d);
    half = xg_hb_2(b, XG_MULTIPLY, half, xg_linear_splat_like(b, half, 0.5));
    root = xg_hb_1(b, XG_SQRT, xg_hb_2(b, XG_ADD, xg_hb_2(b, XG_MULTIPLY, half, half), bc));
    plus = xg_hb_2(b, XG_ADD, half, root);
    half = xg_hb_2(b, XG_SUBTRACT, half, root);
    more = xg_hb_1(b, XG_ABS, plus);
    more = xg_hb_compare(b, "GE", more, xg_hb_1(b, XG_ABS, half));
    plus = xg_hb_select(b, more, plus, half);
    more = xg_hb_1(b, XG_ABS, plus);
    more = xg_hb_compare(b, "EQ", more, xg_linear_zero_like(b, more));
    plus = xg_hb_2(b, XG_SUBTRACT, d, xg_hb_2(b, XG_DIVIDE, bc, plus));
    plus = xg_hb_select(b, more, d, plus);
    odd = xg_hb_2(b, XG_REMAINDER, steps, xg_hb_int_like(b, steps, 11));
    odd = xg_hb_compare(b, "EQ", odd, xg_hb_int_like(b, odd, 10));
    d = xg_hb_2(b, XG_ADD, d, xg_c128(b, xg_hb_1(b, XG_ABS, c)));
    return xg_hb_select(b, odd, d, plus);
}
/* Rotations of rows and columns k, k + 1 through the block, on h and q. */
XG_FN void xg_general_chase(const xg_hb *b, xg_inst **h, xg_inst **q, const xg_general_block *block, xg_inst *shift) {
    xg_inst *state[5], *next, *r0, *r1, *x, *y, *first, *idle, *size, *one, *zero;
    xg_loop l;
    state[0] = *h;
    state[1] = *q;
    state[2] = block->lo;
    state[3] = block->hi;
    state[4] = shift;
    l = xg_hb_loop(b, state, 5, (*h)->shape->dims[1] - 1);
    next = xg_general_next(&l.b, l.k, 1);
    r0 = xg_linear_row(&l.b, l.state[0], l.k, 1);
    r1 = xg_linear_row(&l.b, l.state[0], next, 1);
    first = xg_linear_where_k(&l.b, "EQ", l.state[2], l.k);
    one = xg_general_next(&l.b, l.k, -1); /* of the first row it starts at 0, and is not used */
    size = xg_hb_2(&l.b, XG_SUBTRACT, xg_linear_row(&l.b, r0, l.k, 2), l.state[4]);
    x = xg_hb_select(&l.b, first, size, xg_linear_row(&l.b, r0, one, 2));
    size = xg_linear_row(&l.b, r1, l.k, 2);
    y = xg_hb_select(&l.b, first, size, xg_linear_row(&l.b, r1, one, 2));
    size = xg_hb_1(&l.b, XG_ABS, x);
    one = xg_hb_1(&l.b, XG_ABS, y);
    size = xg_hb_2(&l.b, XG_MULTIPLY, size, size);
    size = xg_hb_1(&l.b, XG_SQRT, xg_hb_2(&l.b, XG_ADD, size, xg_hb_2(&l.b, XG_MULTIPLY, one, one)));
    idle = xg_linear_where_k(&l.b, "GT", l.state[2], l.k);
    idle = xg_hb_2(&l.b, XG_OR, idle, xg_linear_where_k(&l.b, "LE", l.state[3], l.k));
    idle = xg_hb_2(&l.b, XG_OR, idle, xg_hb_compare(&l.b, "EQ", size, xg_linear_zero_like(&l.b, size)));
    one = xg_linear_splat_like(&l.b, x, 1);
    zero = xg_linear_zero_like(&l.b, x);
    x = xg_hb_select(&l.b, idle, one, xg_linear_over(&l.b, x, size));
    y = xg_hb_select(&l.b, idle, zero, xg_linear_over(&l.b, y, size));
    one = xg_linear_conj(&l.b, x);
    xg_general_turn(&l.b, &r0, &r1, one, xg_linear_conj(&l.b, y));
    zero = xg_linear_zero_like(&l.b, r1);
    r1 = xg_hb_select(&l.b, xg_linear_where_in(&l.b, r1, 2, "LT", l.k), zero, r1);
    l.state[0] = xg_linear_set_row(&l.b, l.state[0], r0, l.k, 1);
    l.state[0] = xg_linear_set_row(&l.b, l.state[0], r1, next, 1);
    {
        uint32_t which;
        for (which = 0; which < 2; which++) {
            r0 = xg_linear_row(&l.b, l.state[which], l.k, 2);
            r1 = xg_linear_row(&l.b, l.state[which], next, 2);
            xg_general_turn(&l.b, &r0, &r1, x, y);
            l.state[which] = xg_linear_set_row(&l.b, l.state[which], r0, l.k, 2);
            l.state[which] = xg_linear_set_row(&l.b, l.state[which], r1, next, 2);
        }
    }
    xg_hb_loop_end(b, &l);
    *h = l.state[0];
    *q = l.state[1];
}
/* Steps of a QR iteration until `split` finds no block below the diagonal, gathered in *q; *bad [batch, 1, 1]: some
 * were not enough. A step works on one block of each matrix; it learns how often in a row it met the same one. */
XG_FN xg_inst *xg_general_iterate(
    const xg_hb *b, xg_inst *h, xg_inst **q, xg_inst **bad, xg_general_splitter *split, xg_general_step *step) {
    const int64_t *dims = h->shape->dims;
    xg_inst *state[5], *same;
    xg_general_block block;
    xg_loop l;
    xg_hb c;
    state[0] = h;
    state[1] = *q;
    state[2] = xg_linear_zeros(b, XLAGPU_S32, dims[0], 1, 1); /* the last hi, and how long it has been that */
    state[3] = state[2];
    state[4] = xg_hb_int(b, XLAGPU_PRED, 1);
    l = xg_hb_loop(b, state, 5, dims[1] * XG_SHIFTED_STEPS);
    c = xg_hb_end(l.condition, b->from);
    l.condition->root = xg_linear_and(&c, l.condition->root, xg_hb_element(&c, l.condition->params[0], 5));
    h = split(&l.b, l.state[0], &block);
    same = xg_hb_compare(&l.b, "EQ", block.hi, l.state[2]);
    l.state[3] = xg_linear_kept(&l.b, same, xg_general_next(&l.b, l.state[3], 1));
    l.state[2] = block.hi;
    step(&l.b, &h, &l.state[1], &block, l.state[3]);
    l.state[0] = h;
    same = xg_hb_compare(&l.b, "GT", block.hi, xg_hb_int_like(&l.b, block.hi, 0));
    l.state[4] = xg_linear_any(&l.b, xg_linear_and(&l.b, same, block.finite));
    xg_hb_loop_end(b, &l);
    *q = l.state[1];
    h = split(b, l.state[0], &block);
    same = xg_hb_compare(b, "GT", block.hi, xg_hb_int_like(b, block.hi, 0));
    *bad = xg_hb_2(b, XG_OR, same, xg_hb_1(b, XG_NOT, block.finite));
    return h;
}
XG_FN void xg_general_shifted(const xg_hb *b, xg_inst **h, xg_inst **q, const xg_general_block *block, xg_inst *steps) {
    xg_general_chase(b, h, q, block, xg_general_shift(b, *h, block->hi, steps));
}
/* h, Hessenberg, to triangular form. */
XG_FN xg_inst *xg_general_triangular(const xg_hb *b, xg_inst *h, xg_inst **q, xg_inst **bad) {
    return xg_general_iterate(b, h, q, bad, xg_general_split, xg_general_shifted);
}

/* The vectors of triangular t, times q: of length one, their largest element real. */
XG_FN xg_inst *xg_general_vectors(const xg_hb *b, xg_inst *t, xg_inst *q) {
    int64_t n = t->shape->dims[1];
    xg_inst *values = xg_linear_swap(b, xg_linear_diagonal(b, t)), *state[4], *k, *x, *d, *least, *one, *zero, *most;
    xg_loop l;
    state[0] = xg_linear_zero_like(b, t);
    state[1] = xg_linear_masked(b, t, "LE");
    state[2] = values;
    least = xg_linear_most(b, xg_hb_1(b, XG_ABS, values), 2);
    zero = xg_hb_compare(b, "EQ", least, xg_linear_zero_like(b, least));
    one = xg_linear_splat_like(b, least, 1);
    least = xg_hb_select(b, zero, one, least);
    state[3] = xg_hb_2(b, XG_MULTIPLY, least, xg_linear_splat_like(b, least, xg_linear_epsilon(XLAGPU_F64)));
    l = xg_hb_loop(b, state, 4, n);
    k = xg_hb_2(&l.b, XG_SUBTRACT, xg_hb_int(&l.b, XLAGPU_S32, n - 1), l.k);
    x = xg_linear_row(&l.b, l.state[1], k, 1);
    d = xg_linear_stretch(&l.b, xg_linear_row(&l.b, x, k, 2), x->shape->dims);
    d = xg_hb_2(&l.b, XG_SUBTRACT, l.state[2], d); /* value - t[k, k], so that the sum has its sign */
    x = xg_linear_product(&l.b, x, l.state[0]);
    least = xg_linear_stretch(&l.b, l.state[3], x->shape->dims);
    most = xg_hb_compare(&l.b, "LT", xg_hb_1(&l.b, XG_ABS, d), least);
    d = xg_hb_select(&l.b, most, xg_c128(&l.b, least), d);
    x = xg_hb_2(&l.b, XG_DIVIDE, x, d);
    x = xg_linear_kept(&l.b, xg_linear_where_in(&l.b, x, 2, "GT", k), x);
    one = xg_linear_splat_like(&l.b, x, 1);
    x = xg_hb_select(&l.b, xg_linear_where_in(&l.b, x, 2, "EQ", k), one, x);
    l.state[0] = xg_linear_set_row(&l.b, l.state[0], x, k, 1);
    xg_hb_loop_end(b, &l);
    x = xg_linear_product(b, q, l.state[0]);
    x = xg_linear_over(b, x, xg_linear_length(b, x, 1));
    d = xg_hb_1(b, XG_ABS, x);
    most = xg_linear_most(b, d, 1);
    most = xg_hb_2(b, XG_MULTIPLY, most, xg_linear_splat_like(b, most, 1 - 1e-12));
    zero = xg_hb_compare(b, "GE", d, xg_linear_stretch(b, most, d->shape->dims));
    k = xg_hb_iota(b, XLAGPU_S32, x->shape->dims, 3, 1);
    one = xg_hb_int(b, XLAGPU_S32, n);
    k = xg_hb_select(b, zero, k, xg_hb_splat(b, one, x->shape->dims, 3));
    k = xg_linear_fold(b, XG_MINIMUM, k, one, 1); /* the first of them */
    d = xg_linear_sum(b, xg_linear_kept(b, xg_linear_where_in(b, x, 1, "EQ", k), x), 1);
    one = xg_hb_1(b, XG_ABS, d);
    d = xg_linear_over(b, xg_linear_conj(b, d), one);
    return xg_linear_times(b, x, d);
}

/* Real matrices: values[batch, 1, n] with exact conjugate pairs; gives the places in which pairs are neighbours, the
 * one with the positive imaginary part first. */
XG_FN xg_inst *xg_general_pairs(const xg_hb *b, xg_inst **values) {
    const int64_t *dims = (*values)->shape->dims;
    int64_t n = dims[2];
    xg_inst *state[5], *w, *at, *none, *k, *have, *mine, *v, *away, *least, *best, *im, *pair, *hers, *plus, *t, *inf;
    xg_loop l;
    state[0] = *values;
    state[1] = xg_linear_zeros(b, XLAGPU_PRED, dims[0], 1, n);
    state[2] = xg_linear_zeros(b, XLAGPU_S32, dims[0], 1, n);
    state[3] = xg_linear_zeros(b, XLAGPU_S32, dims[0], 1, 1);
    t = xg_linear_most(b, xg_hb_1(b, XG_ABS, *values), 2);
    state[4] =
        xg_hb_2(b, XG_MULTIPLY, t, xg_linear_splat_like(b, t, 1e-10)); /* below that an imaginary part is rounding */
    l = xg_hb_loop(b, state, 5, n);
    w = l.state[0];
    at = xg_hb_iota(&l.b, XLAGPU_S32, dims, 3, 2);
    none = xg_hb_int(&l.b, XLAGPU_S32, n);
    inf = xg_hb_float(&l.b, XLAGPU_F64, HUGE_VAL);
    k = xg_hb_select(&l.b, l.state[1], xg_hb_splat(&l.b, none, dims, 3), at);
    k = xg_linear_fold(&l.b, XG_MINIMUM, k, none, 2);
    have = xg_hb_compare(&l.b, "LT", k, xg_hb_int_like(&l.b, k, n));
    mine = xg_linear_where_in(&l.b, w, 2, "EQ", k);
    v = xg_linear_sum(&l.b, xg_linear_kept(&l.b, mine, w), 2);
    away = xg_linear_stretch(&l.b, xg_linear_conj(&l.b, v), dims);
    away = xg_hb_1(&l.b, XG_ABS, xg_hb_2(&l.b, XG_SUBTRACT, w, away));
    t = xg_hb_2(&l.b, XG_OR, l.state[1], mine);
    away = xg_hb_select(&l.b, t, xg_hb_splat(&l.b, inf, dims, 3), away);
    least = xg_linear_fold(&l.b, XG_MINIMUM, away, inf, 2);
    best = xg_hb_compare(&l.b, "EQ", away, xg_linear_stretch(&l.b, least, dims));
    best = xg_hb_select(&l.b, best, at, xg_hb_splat(&l.b, none, dims, 3));
    best = xg_linear_fold(&l.b, XG_MINIMUM, best, none, 2);
    im = xg_hb_1(&l.b, XG_IMAG, v);
    plus = xg_hb_compare(&l.b, "GT", im, xg_linear_zero_like(&l.b, im));
    im = xg_hb_1(&l.b, XG_ABS, im);
    pair = xg_hb_compare(&l.b, "GT", im, l.state[4]);
    pair = xg_linear_and(&l.b, pair, xg_hb_compare(&l.b, "LE", least, im));
    hers = xg_linear_where_in(&l.b, w, 2, "EQ", best);
    hers = xg_linear_and(&l.b, hers, xg_linear_stretch(&l.b, pair, dims));
    /* values: hers the conjugate of mine; mine real where there is none */
    t = xg_linear_stretch(&l.b, xg_linear_conj(&l.b, v), dims);
    w = xg_hb_select(&l.b, hers, t, w);
    t = xg_hb_select(&l.b, pair, v, xg_c128(&l.b, xg_hb_1(&l.b, XG_REAL, v)));
    l.state[0] = xg_hb_select(&l.b, mine, xg_linear_stretch(&l.b, t, dims), w);
    /* places */
    t = xg_linear_and(&l.b, pair, plus);
    t = xg_hb_2(&l.b, XG_ADD, l.state[3], xg_hb_convert(&l.b, t, XLAGPU_S32));
    t = xg_hb_select(&l.b, hers, xg_linear_stretch(&l.b, t, dims), l.state[2]);
    plus = xg_linear_and(&l.b, pair, xg_hb_1(&l.b, XG_NOT, plus));
    plus = xg_hb_2(&l.b, XG_ADD, l.state[3], xg_hb_convert(&l.b, plus, XLAGPU_S32));
    l.state[2] = xg_hb_select(&l.b, mine, xg_linear_stretch(&l.b, plus, dims), t);
    t = xg_hb_2(&l.b, XG_OR, mine, hers);
    l.state[1] = xg_hb_2(&l.b, XG_OR, l.state[1], t);
    t = xg_general_next(&l.b, xg_hb_convert(&l.b, pair, XLAGPU_S32), 1);
    l.state[3] = xg_hb_2(&l.b, XG_ADD, l.state[3], xg_linear_kept(&l.b, have, t));
    xg_hb_loop_end(b, &l);
    *values = l.state[0];
    return l.state[2];
}

/* a[batch, n, n] by one kernel -> out: T, Z (or eigenvectors), values, info. */
XG_FN void xg_general_kernel(const xg_hb *b, const char *name, xg_inst *a, xg_inst **out) {
    const int64_t *dims = a->shape->dims;
    const xg_shape *shapes[4];
    shapes[0] = shapes[1] = xg_block_shape(b, XLAGPU_C128, dims[0], dims[1], dims[1]);
    shapes[2] = xg_block_shape(b, XLAGPU_C128, dims[0], 1, dims[1]);
    shapes[3] = xg_block_shape(b, XLAGPU_S32, dims[0], 1, 1);
    xg_block_call_make(b, name, NULL, &a, 1, shapes, 4, out);
}
/* a[batch, n, n] = z t z*, complex doubles; t is triangular. *bad [batch, 1, 1]. */
XG_FN xg_inst *xg_general_schur(const xg_hb *b, xg_inst *a, xg_inst **z, xg_inst **bad) {
    xg_inst *made[4], *scale, *t;
    if (xg_block_fits("gees", a)) {
        xg_general_kernel(b, "gees", a, made);
        *z = made[1];
        *bad = made[3];
        return made[0];
    }
    a = xg_c128(b, a);
    scale = xg_linear_magnitude(b, a);
    t = xg_linear_hessenberg(b, xg_linear_over(b, a, scale), z);
    t = xg_general_unpacked(b, t, *z, z);
    t = xg_general_triangular(b, t, z, bad);
    t = xg_linear_masked(b, t, "LE");
    return xg_linear_times(b, t, xg_c128(b, scale));
}
/* u* A = value u*: u is a vector of A* = q t* q*, which is triangular when rows and columns stand the other way round.
 */
XG_FN xg_inst *xg_general_left_vectors(const xg_hb *b, xg_inst *t, xg_inst *q) {
    static const int64_t both[2] = {1, 2};
    t = xg_hb_reverse(b, xg_linear_hermitian(b, t), both, 2);
    q = xg_general_vectors(b, t, xg_hb_reverse(b, q, both + 1, 1));
    return xg_hb_reverse(b, q, both + 1, 1);
}
/* a[batch, n, n] -> out: values [batch, 1, n] and vectors [batch, n, n], complex doubles, info [batch, 1, 1] and, if
 * they are asked for, left vectors. */
XG_FN void xg_linear_eig(const xg_hb *b, xg_inst *a, bool left, xg_inst **out) {
    bool real = xg_type_class(a->shape->type) != XGT_C;
    xg_inst *q, *t, *places, *keys, *made[4];
    if (!left && xg_block_fits("geev", a)) {
        xg_general_kernel(b, "geev", a, made);
        out[0] = made[2];
        out[1] = made[1];
        out[2] = made[3];
        return;
    }
    t = xg_general_schur(b, a, &q, &out[2]);
    out[0] = xg_linear_swap(b, xg_linear_diagonal(b, t));
    out[1] = xg_general_vectors(b, t, q);
    if (left) out[3] = xg_general_left_vectors(b, t, q);
    if (real) {
        places = xg_general_pairs(b, &out[0]);
        keys = places;
        xg_linear_sorted(b, &keys, &out[1], false);
        keys = places;
        if (left) xg_linear_sorted(b, &keys, &out[3], false);
        xg_linear_sorted(b, &places, &out[0], false);
    }
    out[2] = xg_hb_convert(b, out[2], XLAGPU_S32);
}
/* Vectors of real matrices as cuSOLVER packs them: a conjugate pair takes two columns, real and imaginary part. */
XG_FN xg_inst *xg_general_packed(const xg_hb *b, xg_inst *values, xg_inst *x) {
    int64_t n = x->shape->dims[2];
    xg_inst *second = xg_hb_1(b, XG_IMAG, values), *both[2], *im = xg_hb_1(b, XG_IMAG, x), *re = xg_hb_1(b, XG_REAL, x);
    if (n == 1) return re;
    second = xg_hb_compare(b, "LT", second, xg_linear_zero_like(b, second));
    both[0] = xg_linear_zeros(b, XLAGPU_F64, x->shape->dims[0], n, 1);
    both[1] = xg_hb_slice_dim(b, im, 2, 0, n - 1);
    im = xg_hb_concat(b, both, 2, 2);
    return xg_hb_select(b, xg_linear_stretch(b, second, x->shape->dims), im, re);
}

#endif /* XG_EXPAND_GENERAL_EIGEN_EXPANDER_C */
