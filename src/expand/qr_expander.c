/* expand/qr_expander.c -- QR by reflectors, products with Q, and the reduction of Hermitian matrices to tridiagonal
 * ones.
 *
 * A reflector is 1 - tau v v*, v[k] = 1 and 0 before k, as LAPACK keeps them: v below the diagonal, tau beside. Each
 * round of a loop makes or applies one of them with two contractions over the whole matrix; where v is zero they add
 * nothing. Lengths are taken of columns scaled by their largest element, so that no square overflows. */
#ifndef XG_EXPAND_QR_EXPANDER_C
#define XG_EXPAND_QR_EXPANDER_C
#include "expand.h"
#include "lu_expander.c"

/* [batch, m, 1]; [batch, 1, 1]; what is left of the column at k */
typedef struct xg_reflector {
    xg_inst *v, *tau, *beta;
} xg_reflector;

XG_FN xg_inst *xg_linear_real(const xg_hb *b, xg_inst *x) {
    return xg_type_class(x->shape->type) == XGT_C ? xg_hb_1(b, XG_REAL, x) : x;
}
/* re + i im of type t; im may be NULL. */
XG_FN xg_inst *xg_linear_complex(const xg_hb *b, xg_inst *re, xg_inst *im, xlagpu_type t) {
    if (xg_type_class(t) != XGT_C) return re;
    return xg_hb_2(b, XG_COMPLEX, re, im ? im : xg_linear_zero_like(b, re));
}
XG_FN xg_inst *xg_linear_times(const xg_hb *b, xg_inst *x, xg_inst *factor) {
    return xg_hb_2(b, XG_MULTIPLY, xg_linear_stretch(b, factor, x->shape->dims), x);
}
XG_FN xg_inst *xg_linear_hermitian(const xg_hb *b, xg_inst *x) { return xg_linear_swap(b, xg_linear_conj(b, x)); }
/* Sizes to divide by: 1 where there is nothing to divide, or no number. */
XG_FN xg_inst *xg_linear_scale(const xg_hb *b, xg_inst *most) {
    xg_inst *zero = xg_linear_zero_like(b, most),
            *one = xg_linear_number(b, most->shape->type, 1, most->shape->dims, most->shape->rank), *good;
    good = xg_hb_compare(b, "GT", most, zero);
    good = xg_linear_and(b, good, xg_hb_1(b, XG_IS_FINITE, most));
    return xg_hb_select(b, good, most, one);
}
/* The length of x[batch, m, n] over its rows. */
XG_FN xg_inst *xg_linear_length(const xg_hb *b, xg_inst *x, uint32_t dim) {
    xg_inst *size = xg_hb_1(b, XG_ABS, x), *scale = xg_linear_scale(b, xg_linear_most(b, size, dim));
    size = xg_hb_2(b, XG_DIVIDE, size, xg_linear_stretch(b, scale, size->shape->dims));
    size = xg_linear_sum(b, xg_hb_2(b, XG_MULTIPLY, size, size), dim);
    return xg_hb_2(b, XG_MULTIPLY, xg_hb_1(b, XG_SQRT, size), scale);
}

/* Of column x[batch, m, 1] from row k down. */
XG_FN xg_reflector xg_qr_make(const xg_hb *b, xg_inst *x, xg_inst *k) {
    xlagpu_type t = x->shape->type;
    xg_reflector h;
    xg_inst *below = xg_linear_where_in(b, x, 1, "GT", k), *at = xg_linear_where_in(b, x, 1, "EQ", k),
            *alpha = xg_linear_row(b, x, k, 1), *tail, *norm, *re = xg_linear_real(b, alpha), *im = NULL, *idle, *zero,
            *one;
    tail = xg_linear_kept(b, below, x);
    norm = xg_linear_length(b, xg_linear_kept(b, xg_linear_where_in(b, x, 1, "GE", k), x), 1);
    idle = xg_linear_most(b, xg_linear_size(b, tail), 1);
    zero = xg_linear_zero_like(b, norm);
    idle = xg_hb_compare(b, "EQ", idle, zero);
    if (xg_type_class(t) == XGT_C) {
        im = xg_hb_1(b, XG_IMAG, alpha);
        idle = xg_linear_and(b, idle, xg_hb_compare(b, "EQ", im, zero));
    }
    one = xg_hb_compare(b, "GT", re, zero);
    norm = xg_hb_select(b, one, xg_hb_1(b, XG_NEGATE, norm), norm); /* of the other sign than alpha's real part */
    h.tau = xg_hb_2(b, XG_DIVIDE, xg_hb_2(b, XG_SUBTRACT, norm, re), norm);
    if (im) im = xg_hb_2(b, XG_DIVIDE, xg_hb_1(b, XG_NEGATE, im), norm);
    h.tau = xg_linear_complex(b, h.tau, im, t);
    h.tau = xg_hb_select(b, idle, xg_linear_zero_like(b, h.tau), h.tau);
    norm = xg_linear_complex(b, norm, NULL, t);
    h.beta = xg_hb_select(b, idle, alpha, norm);
    zero = xg_hb_2(b, XG_SUBTRACT, alpha, norm);
    h.v = xg_hb_2(b, XG_DIVIDE, tail, xg_linear_stretch(b, zero, tail->shape->dims));
    idle = xg_linear_stretch(b, idle, tail->shape->dims);
    h.v = xg_hb_select(b, idle, tail, h.v); /* that is, zero */
    one = xg_linear_number(b, t, 1, x->shape->dims, 3);
    h.v = xg_hb_select(b, at, one, h.v);
    return h;
}
/* The reflector kept in column k of `packed`, whose first element is in row `row`. */
XG_FN xg_inst *xg_qr_vector(const xg_hb *b, xg_inst *packed, xg_inst *k, xg_inst *row) {
    xg_inst *x = xg_linear_row(b, packed, k, 2), *one = xg_linear_number(b, x->shape->type, 1, x->shape->dims, 3);
    x = xg_linear_kept(b, xg_linear_where_in(b, x, 1, "GT", row), x);
    return xg_hb_select(b, xg_linear_where_in(b, x, 1, "EQ", row), one, x);
}
/* (1 - tau v v*) c */
XG_FN xg_inst *xg_qr_apply(const xg_hb *b, xg_inst *c, xg_inst *v, xg_inst *tau) {
    xg_inst *w = xg_linear_product(b, xg_linear_hermitian(b, v), c);
    w = xg_linear_times(b, w, tau);
    v = xg_linear_stretch(b, v, c->shape->dims);
    w = xg_hb_2(b, XG_MULTIPLY, v, xg_linear_stretch(b, w, c->shape->dims));
    return xg_hb_2(b, XG_SUBTRACT, c, w);
}
/* c (1 - tau v v*) */
XG_FN xg_inst *xg_qr_apply_right(const xg_hb *b, xg_inst *c, xg_inst *v, xg_inst *tau) {
    xg_inst *w = xg_linear_times(b, xg_linear_product(b, c, v), tau);
    v = xg_linear_stretch(b, xg_linear_hermitian(b, v), c->shape->dims);
    w = xg_hb_2(b, XG_MULTIPLY, xg_linear_stretch(b, w, c->shape->dims), v);
    return xg_hb_2(b, XG_SUBTRACT, c, w);
}

/* a[batch, m, n] -> R with reflectors below the diagonal, and taus [batch, 1, min(m, n)]. */
XG_FN xg_inst *xg_linear_qr(const xg_hb *b, xg_inst *a, xg_inst **taus) {
    const int64_t *dims = a->shape->dims;
    xg_inst *state[2], *x, *kept, *mine;
    const xg_shape *shapes[2];
    xg_reflector h;
    xg_loop l;
    if (xg_block_fits("geqrf", a)) {
        shapes[0] = a->shape;
        shapes[1] = xg_block_shape(b, a->shape->type, dims[0], 1, XG_MIN(dims[1], dims[2]));
        xg_block_call_make(b, "geqrf", NULL, &a, 1, shapes, 2, state);
        *taus = state[1];
        return state[0];
    }
    state[0] = a;
    state[1] = xg_linear_zeros(b, a->shape->type, dims[0], 1, XG_MIN(dims[1], dims[2]));
    l = xg_hb_loop(b, state, 2, XG_MIN(dims[1], dims[2]));
    x = xg_linear_row(&l.b, l.state[0], l.k, 2);
    h = xg_qr_make(&l.b, x, l.k);
    a = xg_qr_apply(&l.b, l.state[0], h.v, xg_linear_conj(&l.b, h.tau));
    a = xg_hb_select(&l.b, xg_linear_where_in(&l.b, a, 2, "GT", l.k), a, l.state[0]);
    kept = xg_hb_select(
        &l.b, xg_linear_where_in(&l.b, x, 1, "GT", l.k), h.v, x); /* the column: R above k, beta, v below */
    mine = xg_linear_stretch(&l.b, h.beta, x->shape->dims);
    kept = xg_hb_select(&l.b, xg_linear_where_in(&l.b, x, 1, "EQ", l.k), mine, kept);
    kept = xg_linear_stretch(&l.b, kept, a->shape->dims);
    l.state[0] = xg_hb_select(&l.b, xg_linear_where_in(&l.b, a, 2, "EQ", l.k), kept, a);
    l.state[1] = xg_linear_set_row(&l.b, l.state[1], h.tau, l.k, 2);
    xg_hb_loop_end(b, &l);
    *taus = l.state[1];
    return l.state[0];
}
/* H1 H2 ... applied to c from the left or right, or the adjoint of that product; reflectors in the columns of `packed`,
 * k's from row k + below on; taus [batch, 1, n]. */
XG_FN xg_inst *xg_linear_reflect(
    const xg_hb *b, xg_inst *packed, xg_inst *taus, xg_inst *c, bool left, bool adjoint, int64_t below) {
    int64_t n = taus->shape->dims[2];
    xg_inst *state[3], *k, *v, *tau;
    xg_loop l;
    if (xg_block_fits("ormqr", c) && xg_block_fits("ormqr", packed) && (left || !below)) {
        char config[64];
        int64_t rows = packed->shape->dims[1];
        /* what is above the first reflector's beginning stays */
        state[0] = below ? xg_hb_slice_dim(b, packed, 1, below, rows) : packed;
        state[1] = taus;
        state[2] = below ? xg_hb_slice_dim(b, c, 1, below, rows) : c;
        xg_format(config, sizeof config, "{\"left\":%s,\"transpose\":%s}", left ? "true" : "false",
            adjoint ? "true" : "false");
        xg_block_call_make(b, "ormqr", config, state, 3, &state[2]->shape, 1, &state[1]);
        if (!below) return state[1];
        state[0] = xg_hb_slice_dim(b, c, 1, 0, below);
        return xg_hb_concat(b, state, 2, 1);
    }
    state[0] = c;
    state[1] = packed;
    state[2] = taus;
    l = xg_hb_loop(b, state, 3, n);
    k = left == adjoint ? l.k : xg_hb_2(&l.b, XG_SUBTRACT, xg_hb_int(&l.b, XLAGPU_S32, n - 1), l.k);
    tau = xg_linear_row(&l.b, l.state[2], k, 2);
    if (adjoint) tau = xg_linear_conj(&l.b, tau);
    v = below ? xg_hb_2(&l.b, XG_ADD, k, xg_hb_int(&l.b, XLAGPU_S32, below)) : k;
    v = xg_qr_vector(&l.b, l.state[1], k, v);
    l.state[0] = left ? xg_qr_apply(&l.b, l.state[0], v, tau) : xg_qr_apply_right(&l.b, l.state[0], v, tau);
    xg_hb_loop_end(b, &l);
    return l.state[0];
}
XG_FN xg_inst *xg_linear_identity(const xg_hb *b, xlagpu_type t, int64_t batch, int64_t m, int64_t n) {
    xg_inst *x = xg_linear_zeros(b, t, batch, m, n), *one;
    one = xg_linear_number(b, t, 1, x->shape->dims, 3);
    return xg_hb_select(b, xg_linear_triangle(b, x, "EQ"), one, x);
}
/* The first n columns of H1 H2 ... */
XG_FN xg_inst *xg_linear_q(const xg_hb *b, xg_inst *packed, xg_inst *taus, int64_t n) {
    xg_inst *c = xg_linear_identity(b, packed->shape->type, packed->shape->dims[0], packed->shape->dims[1], n);
    return xg_linear_reflect(b, packed, taus, c, true, false, 0);
}

/* a[batch, n, n] -> H* a H, Hessenberg, with reflectors below the subdiagonal, and taus [batch, 1, n - 1] (or one, of
 * 0). Of a Hermitian matrix that is tridiagonal and real. */
XG_FN xg_inst *xg_linear_hessenberg(const xg_hb *b, xg_inst *a, xg_inst **taus) {
    int64_t n = a->shape->dims[1];
    xg_inst *state[2], *x, *at, *beta;
    const xg_shape *shapes[2];
    xg_reflector h;
    xg_loop l;
    state[0] = a;
    state[1] = xg_linear_zeros(b, a->shape->type, a->shape->dims[0], 1, XG_MAX(n - 1, (int64_t)1));
    *taus = state[1];
    if (n < 2) return a;
    if (xg_block_fits("gehrd", a)) {
        shapes[0] = a->shape;
        shapes[1] = state[1]->shape;
        xg_block_call_make(b, "gehrd", NULL, &a, 1, shapes, 2, state);
        *taus = state[1];
        return state[0];
    }
    l = xg_hb_loop(b, state, 2, n - 1);
    at = xg_hb_2(&l.b, XG_ADD, l.k, xg_hb_int(&l.b, XLAGPU_S32, 1));
    x = xg_linear_row(&l.b, l.state[0], l.k, 2);
    h = xg_qr_make(&l.b, x, at);
    a = xg_qr_apply(&l.b, l.state[0], h.v, xg_linear_conj(&l.b, h.tau));
    a = xg_hb_select(
        &l.b, xg_linear_where_in(&l.b, a, 2, "GT", l.k), a, l.state[0]); /* the columns before hold reflectors */
    a = xg_qr_apply_right(&l.b, a, h.v, h.tau);
    beta = xg_linear_stretch(&l.b, h.beta, x->shape->dims);
    beta = xg_hb_select(&l.b, xg_linear_where_in(&l.b, x, 1, "EQ", at), beta, x);
    x = xg_hb_select(&l.b, xg_linear_where_in(&l.b, x, 1, "GT", at), h.v, beta);
    l.state[0] = xg_linear_set_row(&l.b, a, x, l.k, 2);
    l.state[1] = xg_linear_set_row(&l.b, l.state[1], h.tau, l.k, 2);
    xg_hb_loop_end(b, &l);
    *taus = l.state[1];
    return l.state[0];
}

/* ---- QR with column pivoting ---- */

/* a[batch, m, n], pivots [batch, 1, n] from one (zero: free to move, as here all are) -> packed, pivots, taus. Each
 * round takes the longest column that is left. */
XG_FN void xg_linear_qr_pivoted(const xg_hb *b, xg_inst *a, xg_inst **out) {
    const int64_t *dims = a->shape->dims;
    int64_t n = XG_MIN(dims[1], dims[2]);
    xg_inst *state[3], *length, *most, *none, *at, *mine, *hers, *x, *kept;
    const xg_shape *shapes[3];
    xg_reflector h;
    xg_loop l;
    if (xg_block_fits("geqp3", a)) {
        shapes[0] = a->shape;
        shapes[1] = xg_block_shape(b, XLAGPU_S32, dims[0], 1, dims[2]);
        shapes[2] = xg_block_shape(b, a->shape->type, dims[0], 1, n);
        xg_block_call_make(b, "geqp3", NULL, &a, 1, shapes, 3, out);
        return;
    }
    state[0] = a;
    state[1] = xg_linear_zeros(b, XLAGPU_S32, dims[0], 1, dims[2]);
    state[1] = xg_hb_iota(b, XLAGPU_S32, state[1]->shape->dims, 3, 2);
    state[1] = xg_hb_2(b, XG_ADD, state[1], xg_hb_int_like(b, state[1], 1));
    state[2] = xg_linear_zeros(b, a->shape->type, dims[0], 1, n);
    l = xg_hb_loop(b, state, 3, n);
    a = l.state[0];
    length = xg_linear_length(&l.b, xg_linear_kept(&l.b, xg_linear_where_in(&l.b, a, 1, "GE", l.k), a), 1);
    none = xg_hb_float_like(&l.b, length, -1);
    length = xg_hb_select(&l.b, xg_linear_where_in(&l.b, length, 2, "GE", l.k), length, none);
    most = xg_linear_most(&l.b, length, 2);
    none = xg_hb_int(&l.b, XLAGPU_S32, dims[2] - 1);
    mine = xg_hb_compare(&l.b, "EQ", length, xg_linear_stretch(&l.b, most, length->shape->dims));
    at = xg_hb_iota(&l.b, XLAGPU_S32, length->shape->dims, 3, 2);
    at = xg_hb_select(&l.b, mine, at, xg_hb_splat(&l.b, none, length->shape->dims, 3));
    at = xg_linear_fold(&l.b, XG_MINIMUM, at, none, 2);
    /* columns k and `at` change places, in the matrix and in the pivots */
    hers = xg_linear_sum(&l.b, xg_linear_kept(&l.b, xg_linear_where_in(&l.b, a, 2, "EQ", at), a), 2);
    x = xg_linear_stretch(&l.b, xg_linear_row(&l.b, a, l.k, 2), a->shape->dims);
    a = xg_hb_select(&l.b, xg_linear_where_in(&l.b, a, 2, "EQ", at), x, a);
    x = xg_linear_stretch(&l.b, hers, a->shape->dims);
    a = xg_hb_select(&l.b, xg_linear_where_in(&l.b, a, 2, "EQ", l.k), x, a);
    kept = l.state[1];
    mine = xg_linear_sum(&l.b, xg_linear_kept(&l.b, xg_linear_where_in(&l.b, kept, 2, "EQ", at), kept), 2);
    x = xg_linear_stretch(&l.b, xg_linear_row(&l.b, kept, l.k, 2), kept->shape->dims);
    kept = xg_hb_select(&l.b, xg_linear_where_in(&l.b, kept, 2, "EQ", at), x, kept);
    l.state[1] = xg_linear_set_row(&l.b, kept, mine, l.k, 2);
    h = xg_qr_make(&l.b, hers, l.k);
    x = a;
    a = xg_qr_apply(&l.b, x, h.v, xg_linear_conj(&l.b, h.tau));
    a = xg_hb_select(&l.b, xg_linear_where_in(&l.b, a, 2, "GT", l.k), a, x);
    kept = xg_hb_select(&l.b, xg_linear_where_in(&l.b, hers, 1, "GT", l.k), h.v, hers);
    mine = xg_linear_stretch(&l.b, h.beta, hers->shape->dims);
    kept = xg_hb_select(&l.b, xg_linear_where_in(&l.b, hers, 1, "EQ", l.k), mine, kept);
    l.state[0] = xg_linear_set_row(&l.b, a, kept, l.k, 2);
    l.state[2] = xg_linear_set_row(&l.b, l.state[2], h.tau, l.k, 2);
    xg_hb_loop_end(b, &l);
    memcpy(out, l.state, 3 * sizeof *out);
}

#endif /* XG_EXPAND_QR_EXPANDER_C */
