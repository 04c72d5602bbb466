/* expand/real_schur_expander.c -- a real matrix as z t z^T: Francis's double steps, in doubles. t is triangular but for
 * blocks of two rows, which stand for conjugate pairs and have LAPACK's form: equal elements on the diagonal, elements
 * of opposite signs beside it.
 *
 * As in general_eigen_expander.c each matrix of the batch has its own active block [lo, hi], of three rows at least. A
 * step takes both shifts of the last two rows at once, so that nothing becomes complex: it chases a bulge by reflectors
 * of three rows. The matrix has a further row and column of zeros, so that there always is a third one. */
#ifndef XG_EXPAND_REAL_SCHUR_EXPANDER_C
#define XG_EXPAND_REAL_SCHUR_EXPANDER_C
#include "expand.h"
#include "general_eigen_expander.c"

XG_FN xg_inst *xg_francis_sum(const xg_hb *b, xg_inst *x, xg_inst *y) { return xg_hb_2(b, XG_ADD, x, y); }
XG_FN xg_inst *xg_francis_less(const xg_hb *b, xg_inst *x, xg_inst *y) { return xg_hb_2(b, XG_SUBTRACT, x, y); }
XG_FN xg_inst *xg_francis_times(const xg_hb *b, xg_inst *x, xg_inst *y) { return xg_hb_2(b, XG_MULTIPLY, x, y); }
/* x with the sign of y; of zero the sign is plus. */
XG_FN xg_inst *xg_francis_signed(const xg_hb *b, xg_inst *x, xg_inst *y) {
    xg_inst *minus = xg_hb_compare(b, "LT", y, xg_linear_zero_like(b, y));
    x = xg_hb_1(b, XG_ABS, x);
    return xg_hb_select(b, minus, xg_hb_1(b, XG_NEGATE, x), x);
}
/* x[batch, n, 1] moved by one row, up or down; what comes in is zero. */
XG_FN xg_inst *xg_francis_moved(const xg_hb *b, xg_inst *x, bool up) {
    const int64_t *dims = x->shape->dims;
    xg_inst *parts[2];
    parts[up] = xg_linear_zeros(b, x->shape->type, dims[0], 1, 1);
    parts[!up] = xg_hb_slice_dim(b, x, 1, up, dims[1] - !up);
    return xg_hb_concat(b, parts, 2, 1);
}
/* [batch, n, 1]: the sizes of the elements at (row, row - 1), or at (row - 1, row). */
XG_FN xg_inst *xg_francis_beside(const xg_hb *b, xg_inst *h, bool above) {
    xg_inst *row = xg_hb_iota(b, XLAGPU_S32, h->shape->dims, 3, above ? 2 : 1),
            *column = xg_hb_iota(b, XLAGPU_S32, h->shape->dims, 3, above ? 1 : 2);
    row = xg_hb_compare(b, "EQ", row, xg_general_next(b, column, 1));
    h = xg_linear_most(b, xg_linear_kept(b, row, xg_hb_1(b, XG_ABS, h)), above ? 1 : 2);
    return above ? xg_linear_swap(b, h) : h;
}
/* What is small below the diagonal becomes zero; the last block of three rows or more that is left. */
XG_FN xg_inst *xg_francis_split(const xg_hb *b, xg_inst *h, xg_general_block *block) {
    xg_inst *below, *around, *row, *none = xg_hb_int(b, XLAGPU_S32, 0);
    h = xg_general_split(b, h, block);
    below = xg_francis_beside(b, h, false);
    below = xg_hb_compare(b, "GT", below, xg_linear_zero_like(b, below));
    around = xg_francis_moved(b, below, false);
    around = xg_hb_2(b, XG_OR, around, xg_francis_moved(b, below, true));
    row = xg_hb_iota(b, XLAGPU_S32, below->shape->dims, 3, 1);
    around = xg_linear_and(b, below, around);
    block->hi = xg_linear_fold(b, XG_MAXIMUM, xg_linear_kept(b, around, row), none, 1);
    around = xg_hb_compare(b, "LE", row, xg_linear_stretch(b, block->hi, row->shape->dims));
    around = xg_linear_and(b, around, xg_hb_1(b, XG_NOT, below));
    block->lo = xg_linear_fold(b, XG_MAXIMUM, xg_linear_kept(b, around, row), none, 1);
    return h;
}

/* The first column of (h - s1)(h - s2), of which three elements are not zero: s1 and s2 are the eigenvalues of the
 * block's last two rows; now and then other numbers, lest steps go round in circles. */
XG_FN void xg_francis_start(
    const xg_hb *b, xg_inst *h, const xg_general_block *block, xg_inst *steps, xg_inst **start) {
    xg_inst *lo = block->lo, *lo1 = xg_general_next(b, lo, 1), *lo2 = xg_general_next(b, lo, 2), *hi = block->hi,
            *hi1 = xg_general_next(b, hi, -1), *a = xg_general_pick(b, h, hi1, hi1),
            *c = xg_general_pick(b, h, hi, hi1), *d = xg_general_pick(b, h, hi, hi), *sum, *product, *odd, *e,
            *h00 = xg_general_pick(b, h, lo, lo), *h10 = xg_general_pick(b, h, lo1, lo), *x;
    sum = xg_francis_sum(b, a, d);
    product = xg_francis_times(b, c, xg_general_pick(b, h, hi1, hi));
    product = xg_francis_less(b, xg_francis_times(b, a, d), product);
    odd = xg_hb_2(b, XG_REMAINDER, steps, xg_hb_int_like(b, steps, 11));
    odd = xg_hb_compare(b, "EQ", odd, xg_hb_int_like(b, odd, 10));
    e = xg_general_pick(b, h, hi1, xg_general_next(b, hi, -2));
    e = xg_hb_1(b, XG_ABS, e);
    e = xg_francis_sum(b, xg_hb_1(b, XG_ABS, c), e);
    sum = xg_hb_select(b, odd, xg_francis_times(b, e, xg_linear_splat_like(b, e, 1.5)), sum);
    product = xg_hb_select(b, odd, xg_francis_times(b, e, e), product);
    x = xg_francis_times(b, xg_francis_less(b, h00, sum), h00);
    e = xg_francis_times(b, xg_general_pick(b, h, lo, lo1), h10);
    start[0] = xg_francis_sum(b, xg_francis_sum(b, x, e), product);
    x = xg_francis_less(b, xg_francis_sum(b, h00, xg_general_pick(b, h, lo1, lo1)), sum);
    start[1] = xg_francis_times(b, h10, x);
    start[2] = xg_francis_times(b, h10, xg_general_pick(b, h, lo2, lo1));
}
/* x y + z w */
XG_FN xg_inst *xg_francis_products(const xg_hb *b, xg_inst *x, xg_inst *y, xg_inst *z, xg_inst *w) {
    xg_inst *first = xg_francis_times(b, x, y);
    return xg_francis_sum(b, first, xg_francis_times(b, z, w));
}
/* v := the vector and *factor the factor of the reflector that leaves only the first of three elements; none: 0. */
XG_FN void xg_francis_reflector(const xg_hb *b, xg_inst **v, xg_inst *idle, xg_inst **factor) {
    xg_inst *rest = xg_francis_products(b, v[1], v[1], v[2], v[2]), *size, *two;
    size = xg_hb_1(b, XG_SQRT, xg_francis_sum(b, xg_francis_times(b, v[0], v[0]), rest));
    v[0] = xg_francis_sum(b, v[0], xg_francis_signed(b, size, v[0]));
    size = xg_francis_sum(b, xg_francis_times(b, v[0], v[0]), rest);
    two = xg_linear_splat_like(b, size, 2);
    idle = xg_hb_2(b, XG_OR, idle, xg_hb_compare(b, "EQ", size, xg_linear_zero_like(b, size)));
    two = xg_hb_2(b, XG_DIVIDE, two, size);
    *factor = xg_hb_select(b, idle, xg_linear_zero_like(b, size), two);
}
/* Three rows or columns, reflected. */
XG_FN void xg_francis_reflect(const xg_hb *b, xg_inst **line, xg_inst *const *v, xg_inst *factor) {
    xg_inst *sum = xg_linear_times(b, line[0], v[0]);
    uint32_t k;
    for (k = 1; k < 3; k++) sum = xg_francis_sum(b, sum, xg_linear_times(b, line[k], v[k]));
    sum = xg_linear_times(b, sum, factor);
    for (k = 0; k < 3; k++) line[k] = xg_francis_less(b, line[k], xg_linear_times(b, sum, v[k]));
}
XG_FN void xg_francis_reflect_columns(
    const xg_hb *b, xg_inst **x, xg_inst *const *at, xg_inst *const *v, xg_inst *factor) {
    xg_inst *line[3];
    uint32_t k;
    for (k = 0; k < 3; k++) line[k] = xg_linear_row(b, *x, at[k], 2);
    xg_francis_reflect(b, line, v, factor);
    for (k = 0; k < 3; k++) *x = xg_linear_set_row(b, *x, line[k], at[k], 2);
}
/* Reflectors of rows and columns k, k + 1, k + 2 through the block, on h and q. */
XG_FN void xg_francis_chase(const xg_hb *b, xg_inst **h, xg_inst **q, const xg_general_block *block, xg_inst **start) {
    xg_inst *state[7], *at[3], *line[3], *v[3], *before, *idle, *factor;
    uint32_t k;
    xg_loop l;
    state[0] = *h;
    state[1] = *q;
    state[2] = block->lo;
    state[3] = block->hi;
    memcpy(state + 4, start, 3 * sizeof *start);
    l = xg_hb_loop(b, state, 7, (*h)->shape->dims[1] - 2);
    before = xg_general_next(&l.b, l.k, -1); /* of the first row it starts at 0, and is not used */
    idle = xg_linear_where_k(&l.b, "EQ", l.state[2], l.k);
    for (k = 0; k < 3; k++) {
        at[k] = xg_general_next(&l.b, l.k, k);
        line[k] = xg_linear_row(&l.b, l.state[0], at[k], 1);
        v[k] = xg_hb_select(&l.b, idle, l.state[4 + k], xg_linear_row(&l.b, line[k], before, 2));
    }
    v[2] = xg_linear_kept(&l.b, xg_linear_where_k(&l.b, "GE", l.state[3], at[2]), v[2]);
    idle = xg_linear_where_k(&l.b, "GT", l.state[2], l.k);
    idle = xg_hb_2(&l.b, XG_OR, idle, xg_linear_where_k(&l.b, "LE", l.state[3], l.k));
    xg_francis_reflector(&l.b, v, idle, &factor);
    xg_francis_reflect(&l.b, line, v, factor);
    for (k = 0; k < 3; k++) {
        if (k) line[k] = xg_linear_kept(&l.b, xg_linear_where_in(&l.b, line[k], 2, "GE", l.k), line[k]);
        l.state[0] = xg_linear_set_row(&l.b, l.state[0], line[k], at[k], 1);
    }
    for (k = 0; k < 2; k++) xg_francis_reflect_columns(&l.b, &l.state[k], at, v, factor);
    xg_hb_loop_end(b, &l);
    *h = l.state[0];
    *q = l.state[1];
}
XG_FN void xg_francis_step(const xg_hb *b, xg_inst **h, xg_inst **q, const xg_general_block *block, xg_inst *steps) {
    xg_inst *start[3];
    xg_francis_start(b, *h, block, steps, start);
    xg_francis_chase(b, h, q, block, start);
}
/* h, Hessenberg, to blocks of one and two rows. */
XG_FN xg_inst *xg_francis_steps(const xg_hb *b, xg_inst *h, xg_inst **q, xg_inst **bad) {
    return xg_general_iterate(b, h, q, bad, xg_francis_split, xg_francis_step);
}

/* The cosine and sine that give rows k, k + 1 LAPACK's form, and whether their eigenvalues are real. a, b, c, d: the
 * block. */
XG_FN xg_inst *xg_francis_form(const xg_hb *b, xg_inst *const *in, xg_inst **cosine, xg_inst **sine) {
    xg_inst *half = xg_linear_splat_like(b, in[0], 0.5), *one = xg_linear_splat_like(b, in[0], 1),
            *zero = xg_linear_zero_like(b, in[0]), *p = xg_francis_times(b, xg_francis_less(b, in[0], in[3]), half), *z,
            *size, *real, *sum, *away, *still, *cs, *sn;
    z = xg_francis_products(b, p, p, in[1], in[2]);
    real = xg_hb_compare(b, "GE", z, zero);
    /* real: (z, c) is the vector of the first eigenvalue */
    z = xg_hb_1(b, XG_SQRT, xg_hb_1(b, XG_ABS, z));
    z = xg_francis_sum(b, p, xg_francis_signed(b, z, p));
    size = xg_francis_products(b, z, z, in[2], in[2]);
    size = xg_hb_1(b, XG_SQRT, size);
    cs = xg_hb_2(b, XG_DIVIDE, z, size);
    sn = xg_hb_2(b, XG_DIVIDE, in[2], size);
    /* a pair: the diagonal becomes equal */
    sum = xg_francis_sum(b, in[1], in[2]);
    away = xg_francis_sum(b, p, p);
    size = xg_francis_products(b, sum, sum, away, away);
    size = xg_hb_1(b, XG_SQRT, size);
    away = xg_francis_times(b, half, xg_francis_sum(b, one, xg_hb_2(b, XG_DIVIDE, xg_hb_1(b, XG_ABS, sum), size)));
    away = xg_hb_1(b, XG_SQRT, away);
    cs = xg_hb_select(b, real, cs, away);
    away = xg_francis_times(b, size, away);
    away = xg_hb_2(b, XG_DIVIDE, xg_francis_signed(b, one, sum), away);
    away = xg_hb_1(b, XG_NEGATE, xg_francis_times(b, p, away));
    sn = xg_hb_select(b, real, sn, away);
    /* nothing to do: no block, or a pair that has the form */
    still = xg_hb_compare(b, "EQ", size, zero);
    still = xg_hb_2(b, XG_AND, xg_hb_1(b, XG_NOT, real), still);
    still = xg_hb_2(b, XG_OR, still, xg_hb_compare(b, "EQ", in[2], zero));
    *cosine = xg_hb_select(b, still, one, cs);
    *sine = xg_hb_select(b, still, zero, sn);
    return real;
}
/* (x, y) := (c x + s y, c y - s x) */
XG_FN void xg_francis_turn(const xg_hb *b, xg_inst **line, xg_inst *c, xg_inst *s) {
    xg_inst *xc = xg_linear_times(b, line[0], c), *ys = xg_linear_times(b, line[1], s);
    xg_inst *yc = xg_linear_times(b, line[1], c), *xs = xg_linear_times(b, line[0], s);
    line[0] = xg_francis_sum(b, xc, ys);
    line[1] = xg_francis_less(b, yc, xs);
}
/* Each block of two rows in LAPACK's form, or in two where its eigenvalues are real. */
XG_FN void xg_francis_standard(const xg_hb *b, xg_inst **h, xg_inst **q) {
    xg_inst *state[2], *at[2], *line[2], *in[4], *real, *c, *s, *mean, *below;
    uint32_t k, which;
    xg_loop l;
    state[0] = *h;
    state[1] = *q;
    l = xg_hb_loop(b, state, 2, (*h)->shape->dims[1] - 2);
    at[0] = l.k;
    at[1] = xg_general_next(&l.b, l.k, 1);
    for (k = 0; k < 4; k++) in[k] = xg_linear_row(&l.b, xg_linear_row(&l.b, l.state[0], at[k / 2], 1), at[k % 2], 2);
    real = xg_francis_form(&l.b, in, &c, &s);
    for (k = 0; k < 2; k++) line[k] = xg_linear_row(&l.b, l.state[0], at[k], 1);
    xg_francis_turn(&l.b, line, c, s);
    for (k = 0; k < 2; k++) l.state[0] = xg_linear_set_row(&l.b, l.state[0], line[k], at[k], 1);
    for (which = 0; which < 2; which++) {
        for (k = 0; k < 2; k++) line[k] = xg_linear_row(&l.b, l.state[which], at[k], 2);
        xg_francis_turn(&l.b, line, c, s);
        for (k = 0; k < 2; k++) l.state[which] = xg_linear_set_row(&l.b, l.state[which], line[k], at[k], 2);
    }
    /* what is zero or equal but for rounding */
    for (k = 0; k < 2; k++) line[k] = xg_linear_row(&l.b, l.state[0], at[k], 1);
    for (k = 0; k < 4; k++) in[k] = xg_linear_row(&l.b, line[k / 2], at[k % 2], 2);
    real = xg_hb_2(&l.b, XG_OR, real, xg_hb_compare(&l.b, "EQ", in[2], xg_linear_zero_like(&l.b, in[2])));
    mean = xg_francis_sum(&l.b, in[0], in[3]);
    mean = xg_francis_times(&l.b, mean, xg_linear_splat_like(&l.b, mean, 0.5));
    below = xg_hb_select(&l.b, real, xg_linear_zero_like(&l.b, in[2]), in[2]);
    line[1] = xg_linear_set_row(&l.b, line[1], below, at[0], 2);
    for (k = 0; k < 2; k++) {
        line[k] = xg_linear_set_row(&l.b, line[k], xg_hb_select(&l.b, real, in[3 * k], mean), at[k], 2);
        l.state[0] = xg_linear_set_row(&l.b, l.state[0], line[k], at[k], 1);
    }
    xg_hb_loop_end(b, &l);
    *h = l.state[0];
    *q = l.state[1];
}

/* a[batch, n, n], real -> out: t, z, real and imaginary parts of the values [batch, n, 1], info. */
XG_FN void xg_linear_real_schur(const xg_hb *b, xg_inst *a, xg_inst **out) {
    int64_t n = a->shape->dims[1];
    xg_inst *scale, *h, *q, *pair;
    a = xg_hb_convert(b, a, XLAGPU_F64);
    scale = xg_linear_magnitude(b, a);
    h = xg_linear_hessenberg(b, xg_linear_over(b, a, scale), &q);
    h = xg_general_unpacked(b, h, q, &q);
    h = xg_linear_extended(b, xg_linear_extended(b, h, 1, 1), 2, 1);
    q = xg_linear_extended(b, q, 2, 1);
    h = xg_francis_steps(b, h, &q, &out[4]);
    xg_francis_standard(b, &h, &q);
    h = xg_hb_slice_dim(b, xg_hb_slice_dim(b, h, 1, 0, n), 2, 0, n);
    out[0] = xg_linear_times(b, h, scale);
    out[1] = xg_hb_slice_dim(b, q, 2, 0, n);
    out[2] = xg_linear_diagonal(b, out[0]);
    pair = xg_hb_1(b, XG_SQRT, xg_francis_beside(b, out[0], true));
    pair = xg_francis_times(b, pair, xg_hb_1(b, XG_SQRT, xg_francis_beside(b, out[0], false)));
    out[3] = xg_francis_less(b, xg_francis_moved(b, pair, true), pair);
}

#endif /* XG_EXPAND_REAL_SCHUR_EXPANDER_C */
