/* expand/lu_expander.c -- LU with partial pivoting, pivots as permutations, and tridiagonal systems, as loops over
 * columns and rows.
 *
 * A round finds the pivot of one column, swaps two rows and eliminates below: the whole matrix is read once and written
 * once. Matrices of a batch go through the rounds together; each has its own pivots, so rows are picked by masks, never
 * by addresses. What is not picked does not matter, NaN included. */
#ifndef XG_EXPAND_LU_EXPANDER_C
#define XG_EXPAND_LU_EXPANDER_C
#include "expand.h"
#include "linear_expander.c"

/* ---- what all factorisations are written with ---- */

/* x stretched to dims: x has as many dimensions, and along each one element or all. */
XG_FN xg_inst *xg_linear_stretch(const xg_hb *b, xg_inst *x, const int64_t *dims) {
    int64_t kept[XG_RANK_MAX], places[XG_RANK_MAX];
    uint32_t rank = x->shape->rank, n = 0, d;
    for (d = 0; d < rank; d++)
        if (x->shape->dims[d] == dims[d]) {
            kept[n] = dims[d];
            places[n++] = d;
        }
    return n == rank ? x : xg_hb_broadcast(b, xg_hb_reshape(b, x, kept, n), dims, rank, places, n);
}
/* op over one dimension, of which one element is left. */
XG_FN xg_inst *xg_linear_fold(const xg_hb *b, xg_opcode op, xg_inst *x, xg_inst *init, uint32_t dim) {
    int64_t dims[XG_RANK_MAX], over = dim;
    memcpy(dims, x->shape->dims, x->shape->rank * sizeof *dims);
    dims[dim] = 1;
    return xg_hb_reshape(
        b, xg_hb_reduce(b, x, init, &over, 1, xg_hb_reducer(b, op, x->shape->type)), dims, x->shape->rank);
}
XG_FN xg_inst *xg_linear_sum(const xg_hb *b, xg_inst *x, uint32_t dim) {
    return xg_linear_fold(b, XG_ADD, x, xg_linear_number(b, x->shape->type, 0, NULL, 0), dim);
}
/* The largest of sizes, which are not negative. */
XG_FN xg_inst *xg_linear_most(const xg_hb *b, xg_inst *x, uint32_t dim) {
    return xg_linear_fold(b, XG_MAXIMUM, x, xg_hb_float(b, x->shape->type, 0), dim);
}
/* pred of `dims`: index along dim (direction) k, where k is a scalar or stretches to dims. */
XG_FN xg_inst *xg_linear_where(
    const xg_hb *b, const int64_t *dims, uint32_t rank, uint32_t dim, const char *direction, xg_inst *k) {
    xg_inst *at = xg_hb_iota(b, XLAGPU_S32, dims, rank, dim);
    return xg_hb_compare(
        b, direction, at, k->shape->rank ? xg_linear_stretch(b, k, dims) : xg_hb_splat(b, k, dims, rank));
}
XG_FN xg_inst *xg_linear_where_in(const xg_hb *b, const xg_inst *x, uint32_t dim, const char *direction, xg_inst *k) {
    return xg_linear_where(b, x->shape->dims, x->shape->rank, dim, direction, k);
}
XG_FN xg_inst *xg_linear_zeros(const xg_hb *b, xlagpu_type t, int64_t x, int64_t y, int64_t z) {
    int64_t dims[3];
    dims[0] = x;
    dims[1] = y;
    dims[2] = z;
    return xg_linear_number(b, t, 0, dims, 3);
}
XG_FN xg_inst *xg_linear_zero_like(const xg_hb *b, const xg_inst *x) {
    return xg_linear_number(b, x->shape->type, 0, x->shape->dims, x->shape->rank);
}
/* x where keep, else 0. */
XG_FN xg_inst *xg_linear_kept(const xg_hb *b, xg_inst *keep, xg_inst *x) {
    xg_inst *zero = xg_linear_zero_like(b, x);
    return xg_hb_select(b, keep, x, zero);
}
XG_FN xg_inst *xg_linear_and(const xg_hb *b, xg_inst *x, xg_inst *y) { return xg_hb_2(b, XG_AND, x, y); }
/* |re| + |im|, which LAPACK compares pivots by. */
XG_FN xg_inst *xg_linear_size(const xg_hb *b, xg_inst *x) {
    xg_inst *re;
    if (xg_type_class(x->shape->type) != XGT_C) return xg_hb_1(b, XG_ABS, x);
    re = xg_hb_1(b, XG_ABS, xg_hb_1(b, XG_REAL, x));
    return xg_hb_2(b, XG_ADD, re, xg_hb_1(b, XG_ABS, xg_hb_1(b, XG_IMAG, x)));
}
/* A result of the call in its own shape. */
XG_FN xg_inst *xg_linear_result(const xg_hb *b, xg_inst *x, const xg_shape *s) {
    return xg_hb_reshape(b, xg_hb_convert(b, x, s->type), s->dims, s->rank);
}

/* ---- LU ---- */

/* the pivot's row [batch, 1, columns]; is the column all zero; the pivot's index [batch, 1, 1] */
typedef struct xg_lu_round {
    xg_inst *row, *zero, *at;
} xg_lu_round;

/* The first of the largest from the diagonal down; the diagonal where there is none (NaN). */
XG_FN xg_lu_round xg_lu_pivot(const xg_hb *b, xg_inst *a, xg_inst *k) {
    xg_inst *size = xg_linear_size(b, xg_linear_row(b, a, k, 2)), *most, *hit, *none;
    xg_lu_round r;
    int64_t rows = a->shape->dims[1];
    none = xg_hb_float_like(b, size, -1);
    size = xg_hb_select(b, xg_linear_where_in(b, size, 1, "GE", k), size, none);
    most = xg_linear_most(b, size, 1);
    r.zero = xg_hb_compare(b, "EQ", most, xg_hb_float_like(b, most, 0));
    hit = xg_hb_compare(b, "EQ", size, xg_linear_stretch(b, most, size->shape->dims));
    r.at = xg_hb_iota(b, XLAGPU_S32, size->shape->dims, 3, 1);
    none = xg_hb_int(b, XLAGPU_S32, rows);
    r.at = xg_hb_select(b, hit, r.at, xg_hb_splat(b, none, size->shape->dims, 3));
    r.at = xg_linear_fold(b, XG_MINIMUM, r.at, none, 1);
    none = xg_hb_compare(b, "EQ", r.at, xg_hb_int_like(b, r.at, rows));
    r.at = xg_hb_select(b, none, xg_hb_splat(b, k, r.at->shape->dims, 3), r.at);
    r.row = xg_linear_sum(b, xg_linear_kept(b, xg_linear_where_in(b, a, 1, "EQ", r.at), a), 1);
    return r;
}
/* Rows k and r->at of a change places, and what lies below the pivot is eliminated; its factors take its place. */
XG_FN xg_inst *xg_lu_eliminate(const xg_hb *b, xg_inst *a, xg_inst *k, const xg_lu_round *r) {
    xg_inst *row = xg_linear_stretch(b, xg_linear_row(b, a, k, 1), a->shape->dims),
            *best = xg_linear_stretch(b, r->row, a->shape->dims), *factor, *below, *right, *change;
    a = xg_hb_select(b, xg_linear_where_in(b, a, 1, "EQ", r->at), row, a);
    a = xg_hb_select(b, xg_linear_where_in(b, a, 1, "EQ", k), best, a);
    factor = xg_linear_row(b, a, k, 2);
    factor = xg_hb_2(b, XG_DIVIDE, factor, xg_linear_stretch(b, xg_linear_row(b, r->row, k, 2), factor->shape->dims));
    factor = xg_linear_stretch(b, factor, a->shape->dims);
    below = xg_linear_stretch(b, xg_hb_1(b, XG_NOT, r->zero), a->shape->dims);
    below = xg_linear_and(b, xg_linear_where_in(b, a, 1, "GT", k), below);
    right = xg_linear_and(b, xg_linear_where_in(b, a, 2, "GT", k), below);
    below = xg_linear_and(b, xg_linear_where_in(b, a, 2, "EQ", k), below);
    change = xg_hb_2(b, XG_SUBTRACT, a, xg_hb_2(b, XG_MULTIPLY, factor, best));
    a = xg_hb_select(b, right, change, a);
    return xg_hb_select(b, below, factor, a);
}
/* a[batch, rows, columns] -> out: L below the diagonal and U, pivots [batch, 1, k] from one, and the first zero pivot
 * [batch, 1, 1], from one, or 0. */
XG_FN void xg_linear_lu(const xg_hb *b, xg_inst *a, xg_inst **out) {
    const int64_t *dims = a->shape->dims;
    int64_t n = XG_MIN(dims[1], dims[2]);
    xg_inst *state[3], *first, *next;
    const xg_shape *shapes[3];
    xg_lu_round r;
    xg_loop l;
    if (xg_block_fits("getrf", a)) {
        shapes[0] = a->shape;
        shapes[1] = xg_block_shape(b, XLAGPU_S32, dims[0], 1, n);
        shapes[2] = xg_block_shape(b, XLAGPU_S32, dims[0], 1, 1);
        xg_block_call_make(b, "getrf", NULL, &a, 1, shapes, 3, out);
        return;
    }
    state[0] = a;
    state[1] = xg_linear_zeros(b, XLAGPU_S32, dims[0], 1, n);
    state[2] = xg_linear_zeros(b, XLAGPU_S32, dims[0], 1, 1);
    l = xg_hb_loop(b, state, 3, n);
    r = xg_lu_pivot(&l.b, l.state[0], l.k);
    l.state[0] = xg_lu_eliminate(&l.b, l.state[0], l.k, &r);
    l.state[1] =
        xg_linear_set_row(&l.b, l.state[1], xg_hb_2(&l.b, XG_ADD, r.at, xg_hb_int_like(&l.b, r.at, 1)), l.k, 2);
    first = xg_hb_compare(&l.b, "EQ", l.state[2], xg_hb_int_like(&l.b, l.state[2], 0));
    first = xg_linear_and(&l.b, first, r.zero);
    next = xg_hb_2(&l.b, XG_ADD, l.k, xg_hb_int(&l.b, XLAGPU_S32, 1));
    l.state[2] = xg_hb_select(&l.b, first, xg_hb_splat(&l.b, next, l.state[2]->shape->dims, 3), l.state[2]);
    xg_hb_loop_end(b, &l);
    memcpy(out, l.state, 3 * sizeof *out);
}
/* pivots[batch, k], from zero -> the permutation [batch, n] that their swaps make of 0 .. n-1. A pivot outside swaps
 * nothing. */
XG_FN xg_inst *xg_linear_permutation(const xg_hb *b, xg_inst *pivots, int64_t n) {
    int64_t dims[3];
    xg_inst *state[2], *to, *here, *there, *valid, *mine;
    xg_loop l;
    dims[0] = pivots->shape->dims[0];
    dims[1] = 1;
    dims[2] = pivots->shape->dims[1];
    state[1] = xg_hb_reshape(b, pivots, dims, 3);
    if (xg_block_fits("pivots", state[1]) && n <= 65536) {
        const xg_shape *shape = xg_block_shape(b, XLAGPU_S32, dims[0], 1, n);
        xg_block_call_make(b, "pivots", NULL, &state[1], 1, &shape, 1, state);
        return state[0];
    }
    dims[2] = n;
    state[0] = xg_hb_iota(b, XLAGPU_S32, dims, 3, 2);
    dims[2] = pivots->shape->dims[1];
    l = xg_hb_loop(b, state, 2, XG_MIN(n, dims[2]));
    to = xg_linear_row(&l.b, l.state[1], l.k, 2);
    valid = xg_linear_where_in(&l.b, l.state[0], 2, "EQ", to);
    here = xg_linear_row(&l.b, l.state[0], l.k, 2);
    there = xg_linear_sum(&l.b, xg_linear_kept(&l.b, valid, l.state[0]), 2);
    mine = xg_linear_where_in(&l.b, l.state[0], 2, "EQ", l.k);
    {
        xg_inst *least = xg_hb_compare(&l.b, "GE", to, xg_hb_int_like(&l.b, to, 0)),
                *inside = xg_hb_compare(&l.b, "LT", to, xg_hb_int_like(&l.b, to, n));
        inside = xg_linear_and(&l.b, inside, least);
        mine = xg_linear_and(&l.b, mine, xg_linear_stretch(&l.b, inside, mine->shape->dims));
    }
    here = xg_hb_select(&l.b, valid, xg_linear_stretch(&l.b, here, l.state[0]->shape->dims), l.state[0]);
    l.state[0] = xg_hb_select(&l.b, mine, xg_linear_stretch(&l.b, there, here->shape->dims), here);
    xg_hb_loop_end(b, &l);
    return l.state[0];
}

/* ---- tridiagonal ---- */

/* One element of diagonals kept as [batch, n, 1], and its change. */
#define XG_TRI_AT(x, k) xg_linear_row(&l.b, x, k, 1)
#define XG_TRI_SET(x, v, k) x = xg_linear_set_row(&l.b, x, v, k, 1)
XG_FN xg_inst *xg_tri_less(const xg_hb *b, xg_inst *x, xg_inst *f, xg_inst *y) { /* x - f y */
    y = xg_hb_2(b, XG_MULTIPLY, xg_linear_stretch(b, f, y->shape->dims), y);
    return xg_hb_2(b, XG_SUBTRACT, x, y);
}
XG_FN void xg_tri_swap(const xg_hb *b, xg_inst *when, xg_inst **x, xg_inst **y) {
    xg_inst *p = xg_linear_stretch(b, when, (*x)->shape->dims), *t = xg_hb_select(b, p, *y, *x);
    *y = xg_hb_select(b, p, *x, *y);
    *x = t;
}
/* Elimination with partial pivoting: rows k and k + 1 of lower, main, upper, second upper diagonal and right sides. */
XG_FN void xg_tri_eliminate(const xg_hb *b, xg_inst **s, int64_t n) {
    xg_loop l = xg_hb_loop(b, s, 5, n - 1);
    xg_inst *next = xg_hb_2(&l.b, XG_ADD, l.k, xg_hb_int(&l.b, XLAGPU_S32, 1)), *low = XG_TRI_AT(l.state[0], next),
            *d = XG_TRI_AT(l.state[1], l.k), *e = XG_TRI_AT(l.state[1], next);
    xg_inst *u = XG_TRI_AT(l.state[2], l.k), *v = XG_TRI_AT(l.state[2], next), *w = xg_linear_zero_like(&l.b, u),
            *x = XG_TRI_AT(l.state[4], l.k), *y = XG_TRI_AT(l.state[4], next), *f, *swap;
    swap = xg_hb_1(&l.b, XG_ABS, low);
    swap = xg_hb_compare(&l.b, "GT", swap, xg_hb_1(&l.b, XG_ABS, d));
    xg_tri_swap(&l.b, swap, &d, &low);
    xg_tri_swap(&l.b, swap, &u, &e);
    xg_tri_swap(&l.b, swap, &w, &v);
    xg_tri_swap(&l.b, swap, &x, &y);
    f = xg_hb_2(&l.b, XG_DIVIDE, low, d);
    e = xg_tri_less(&l.b, e, f, u);
    v = xg_tri_less(&l.b, v, f, w);
    y = xg_tri_less(&l.b, y, f, x);
    XG_TRI_SET(l.state[1], d, l.k);
    XG_TRI_SET(l.state[1], e, next);
    XG_TRI_SET(l.state[2], u, l.k);
    XG_TRI_SET(l.state[2], v, next);
    XG_TRI_SET(l.state[3], w, l.k);
    XG_TRI_SET(l.state[4], x, l.k);
    XG_TRI_SET(l.state[4], y, next);
    xg_hb_loop_end(b, &l);
    memcpy(s, l.state, 5 * sizeof *s);
}
/* dl, d, du [batch, n, 1], right sides [batch, n, m] -> solutions. The last element of du is not part of the system. */
XG_FN xg_inst *xg_linear_tridiagonal(const xg_hb *b, xg_inst *dl, xg_inst *d, xg_inst *du, xg_inst *y) {
    const int64_t *dims = y->shape->dims;
    int64_t n = dims[1];
    xg_inst *s[6], *k, *x, *last = xg_hb_int(b, XLAGPU_S32, n - 1), *two;
    xg_loop l;
    if (xg_block_fits("gtsv", y) && n <= 512) { /* three diagonals lie in shared memory */
        int64_t flat[3];
        flat[0] = dims[0];
        flat[1] = 1;
        flat[2] = n;
        s[0] = xg_hb_reshape(b, dl, flat, 3);
        s[1] = xg_hb_reshape(b, d, flat, 3);
        s[2] = xg_hb_reshape(b, du, flat, 3);
        s[3] = y;
        xg_block_call_make(b, "gtsv", NULL, s, 4, &y->shape, 1, s);
        return s[0];
    }
    s[0] = dl;
    s[1] = d;
    s[2] = xg_linear_kept(b, xg_linear_where_in(b, du, 1, "LT", last), du);
    s[3] = xg_linear_zero_like(b, d);
    s[4] = y;
    if (n > 1) xg_tri_eliminate(b, s, n);
    /* two rows of zeros behind the last, which nothing depends on */
    s[5] = xg_linear_zeros(b, y->shape->type, dims[0], n + 2, dims[2]);
    l = xg_hb_loop(b, s + 1, 5, n);
    k = xg_hb_2(&l.b, XG_SUBTRACT, xg_hb_int(&l.b, XLAGPU_S32, n - 1), l.k);
    last = xg_hb_2(&l.b, XG_ADD, k, xg_hb_int(&l.b, XLAGPU_S32, 1));
    two = xg_hb_2(&l.b, XG_ADD, k, xg_hb_int(&l.b, XLAGPU_S32, 2));
    x = XG_TRI_AT(l.state[3], k);
    last = XG_TRI_AT(l.state[4], last);
    x = xg_tri_less(&l.b, x, XG_TRI_AT(l.state[1], k), last);
    two = XG_TRI_AT(l.state[4], two);
    x = xg_tri_less(&l.b, x, XG_TRI_AT(l.state[2], k), two);
    x = xg_hb_2(&l.b, XG_DIVIDE, x, xg_linear_stretch(&l.b, XG_TRI_AT(l.state[0], k), x->shape->dims));
    XG_TRI_SET(l.state[4], x, k);
    xg_hb_loop_end(b, &l);
    return xg_hb_slice_dim(b, l.state[4], 1, 0, n);
}
#undef XG_TRI_AT
#undef XG_TRI_SET

#endif /* XG_EXPAND_LU_EXPANDER_C */
