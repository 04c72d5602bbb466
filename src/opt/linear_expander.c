/* opt/linear_expander.c -- CholeskyExpander and TriangularSolveExpander, as loops over columns and rows; what all expanders of linear algebra are written with.
 *
 * Matrices are [batch, n, n] here. Each round of a loop makes one column or row with a contraction over what is finished already; what is not finished is zero, so
 * it adds nothing. The triangle that an operation does not look at is masked off first: whatever it holds, NaN too, has no effect. */
#ifndef XG_OPT_LINEAR_EXPANDER_C
#define XG_OPT_LINEAR_EXPANDER_C
#include "opt.h"

XG_FN xg_inst *xg_linear_conj(const xg_hb *b, xg_inst *x) {
    xg_inst *re;
    if (xg_type_class(x->shape->type) != XGT_C) return x;
    re = xg_hb_1(b, XG_REAL, x);
    return xg_hb_2(b, XG_COMPLEX, re, xg_hb_1(b, XG_NEGATE, xg_hb_1(b, XG_IMAG, x)));
}
XG_FN xg_inst *xg_linear_swap(const xg_hb *b, xg_inst *x) {
    static const int64_t perm[3] = {0, 2, 1};
    return xg_hb_transpose(b, x, perm);
}
/* A number of x's type, complex ones included, everywhere in dims. */
XG_FN xg_inst *xg_linear_number(const xg_hb *b, xlagpu_type t, double v, const int64_t *dims, uint32_t rank) {
    return xg_hb_splat(b, xg_hb_convert(b, xg_hb_float(b, xg_type_real(t), isnan(v) ? fabs(v) : v), t), dims, rank); /* NAN has either sign */
}
/* pred of x's dimensions: row (direction) column, the last two of them. */
XG_FN xg_inst *xg_linear_triangle(const xg_hb *b, const xg_inst *x, const char *direction) {
    xg_inst *row = xg_hb_iota(b, XLAGPU_S32, x->shape->dims, x->shape->rank, x->shape->rank - 2);
    return xg_hb_compare(b, direction, row, xg_hb_iota(b, XLAGPU_S32, x->shape->dims, x->shape->rank, x->shape->rank - 1));
}
XG_FN xg_inst *xg_linear_masked(const xg_hb *b, xg_inst *x, const char *direction) {
    xg_inst *keep = xg_linear_triangle(b, x, direction);
    return xg_hb_select(b, keep, x, xg_linear_number(b, x->shape->type, 0, x->shape->dims, x->shape->rank));
}
/* [batch, n, 1]: the diagonal. */
XG_FN xg_inst *xg_linear_diagonal(const xg_hb *b, xg_inst *x) {
    static const int64_t last[1] = {2};
    int64_t dims[3];
    xg_inst *d = xg_linear_masked(b, x, "EQ"), *zero = xg_linear_number(b, x->shape->type, 0, NULL, 0);
    d = xg_hb_reduce(b, d, zero, last, 1, xg_hb_reducer(b, XG_ADD, x->shape->type));
    dims[0] = x->shape->dims[0]; dims[1] = x->shape->dims[1]; dims[2] = 1;
    return xg_hb_reshape(b, d, dims, 3);
}
/* x[:, k, :] as [batch, 1, columns], or x[:, :, k] as [batch, rows, 1]. */
XG_FN xg_inst *xg_linear_row(const xg_hb *b, xg_inst *x, xg_inst *k, uint32_t dim) {
    xg_inst *starts[3];
    int64_t sizes[3];
    starts[0] = starts[1] = starts[2] = xg_hb_int(b, XLAGPU_S32, 0);
    starts[dim] = k;
    memcpy(sizes, x->shape->dims, sizeof sizes);
    sizes[dim] = 1;
    return xg_hb_dynamic_slice(b, x, starts, sizes);
}
XG_FN xg_inst *xg_linear_set_row(const xg_hb *b, xg_inst *x, xg_inst *row, xg_inst *k, uint32_t dim) {
    xg_inst *starts[3];
    starts[0] = starts[1] = starts[2] = xg_hb_int(b, XLAGPU_S32, 0);
    starts[dim] = k;
    return xg_hb_dynamic_update_slice(b, x, row, starts);
}
/* x[batch, m, k] y[batch, k, n] */
XG_FN xg_inst *xg_linear_product(const xg_hb *b, xg_inst *x, xg_inst *y) {
    static const int64_t zero[1] = {0}, one[1] = {1}, two[1] = {2};
    xg_dot_dims d;
    d.lb.p = d.rb.p = zero;
    d.lc.p = two;
    d.rc.p = one;
    d.lb.n = d.rb.n = d.lc.n = d.rc.n = 1;
    return xg_hb_dot(b, x, y, d, x->shape->type, NULL);
}
/* Products and sums of narrow floats are computed in f32, and rounded once at the end. */
XG_FN xlagpu_type xg_linear_type(xlagpu_type t) { return xg_type_class(t) == XGT_C || t == XLAGPU_F64 ? t : XLAGPU_F32; }
XG_FN xg_inst *xg_linear_flat(const xg_hb *b, xg_inst *x) {
    const xg_shape *s = x->shape;
    int64_t dims[3];
    dims[1] = s->dims[s->rank - 2];
    dims[2] = s->dims[s->rank - 1];
    dims[0] = s->elements / (dims[1] * dims[2]);
    return xg_hb_convert(b, xg_hb_reshape(b, x, dims, 3), xg_linear_type(s->type));
}
XG_FN xg_inst *xg_linear_unflat(const xg_hb *b, xg_inst *x, const xg_shape *s) { return xg_hb_reshape(b, xg_hb_convert(b, x, s->type), s->dims, s->rank); }

/* ---- cholesky ---- */

/* Of a[batch, n, n], from its lower triangle. *good: [batch, 1, 1], whether every pivot was positive; where not, the factor is NaN. */
XG_FN xg_inst *xg_linear_cholesky_of(const xg_hb *b, xg_inst *a, xg_inst **good) {
    int64_t n = a->shape->dims[1], dims[3];
    xlagpu_type t = a->shape->type, real = xg_type_real(t);
    xg_inst *state[3], *column, *pivot, *root, *below, *nan;
    xg_loop l;
    dims[0] = a->shape->dims[0];
    dims[1] = dims[2] = 1;
    state[0] = xg_linear_number(b, t, 0, a->shape->dims, 3);
    state[1] = xg_hb_splat(b, xg_hb_int(b, XLAGPU_PRED, 1), dims, 3);
    state[2] = xg_linear_masked(b, a, "GE");
    l = xg_hb_loop(b, state, 3, n);
    /* Column k: a[:, k] less what the columns before it account for; those from k on are zero still. */
    column = xg_linear_swap(&l.b, xg_linear_conj(&l.b, xg_linear_row(&l.b, l.state[0], l.k, 1)));
    column = xg_linear_product(&l.b, l.state[0], column);
    column = xg_hb_2(&l.b, XG_SUBTRACT, xg_linear_row(&l.b, l.state[2], l.k, 2), column);
    pivot = xg_linear_row(&l.b, column, l.k, 1);
    if (t != real) pivot = xg_hb_1(&l.b, XG_REAL, pivot);
    root = xg_hb_float_like(&l.b, pivot, 0);
    l.state[1] = xg_hb_2(&l.b, XG_AND, l.state[1], xg_hb_compare(&l.b, "GT", pivot, root));
    root = xg_hb_reshape(&l.b, xg_hb_convert(&l.b, xg_hb_1(&l.b, XG_SQRT, pivot), t), dims, 1);
    {
        static const int64_t batch[1] = {0};
        xg_inst *at = xg_hb_iota(&l.b, XLAGPU_S32, column->shape->dims, 3, 1), *k = xg_hb_splat(&l.b, l.k, column->shape->dims, 3), *zero = xg_linear_number(&l.b, t, 0, column->shape->dims, 3);
        root = xg_hb_broadcast(&l.b, root, column->shape->dims, 3, batch, 1);
        below = xg_hb_2(&l.b, XG_DIVIDE, column, root);
        below = xg_hb_select(&l.b, xg_hb_compare(&l.b, "GT", at, k), below, zero);
        below = xg_hb_select(&l.b, xg_hb_compare(&l.b, "EQ", at, k), root, below);
    }
    l.state[0] = xg_linear_set_row(&l.b, l.state[0], below, l.k, 2);
    xg_hb_loop_end(b, &l);
    *good = l.state[1];
    nan = xg_linear_masked(b, xg_linear_number(b, t, NAN, a->shape->dims, 3), "GE");
    {
        static const int64_t batch[1] = {0};
        xg_inst *every = xg_hb_broadcast(b, xg_hb_reshape(b, *good, dims, 1), a->shape->dims, 3, batch, 1);
        return xg_hb_select(b, every, l.state[0], nan);
    }
}
XG_FN xg_inst *xg_linear_factored(const xg_hb *b, xg_inst *a, bool lower, xg_inst **good) {
    xg_inst *x = xg_linear_flat(b, a);
    if (!lower) x = xg_linear_swap(b, xg_linear_conj(b, x));
    x = xg_linear_cholesky_of(b, x, good);
    return lower ? x : xg_linear_conj(b, xg_linear_swap(b, x));
}
XG_FN xg_inst *xg_linear_expand_cholesky(const xg_hb *b, xg_inst *i) {
    xg_inst *good;
    return xg_linear_unflat(b, xg_linear_factored(b, XG_OPERAND(i, 0), xg_attr_int(i, XG_A_lower, 0) != 0, &good), i->shape);
}

/* ---- triangular-solve ---- */

/* a x = y for x, a[batch, n, n] lower or upper triangular, y[batch, n, m]. */
XG_FN xg_inst *xg_linear_solved(const xg_hb *b, xg_inst *a, xg_inst *y, bool lower, bool unit) {
    int64_t n = a->shape->dims[1];
    xg_inst *state[4], *row, *k;
    xg_loop l;
    state[0] = xg_linear_number(b, y->shape->type, 0, y->shape->dims, 3);
    state[1] = xg_linear_masked(b, a, lower ? "GT" : "LT");
    state[2] = y;
    if (!unit) state[3] = xg_linear_diagonal(b, a);
    l = xg_hb_loop(b, state, unit ? 3 : 4, n);
    k = lower ? l.k : xg_hb_2(&l.b, XG_SUBTRACT, xg_hb_int(&l.b, XLAGPU_S32, n - 1), l.k);
    row = xg_linear_product(&l.b, xg_linear_row(&l.b, l.state[1], k, 1), l.state[0]);
    row = xg_hb_2(&l.b, XG_SUBTRACT, xg_linear_row(&l.b, l.state[2], k, 1), row);
    if (!unit) {
        static const int64_t batch[1] = {0};
        xg_inst *d = xg_hb_reshape(&l.b, xg_linear_row(&l.b, l.state[3], k, 1), &a->shape->dims[0], 1);
        row = xg_hb_2(&l.b, XG_DIVIDE, row, xg_hb_broadcast(&l.b, d, row->shape->dims, 3, batch, 1));
    }
    l.state[0] = xg_linear_set_row(&l.b, l.state[0], row, k, 1);
    xg_hb_loop_end(b, &l);
    return l.state[0];
}
/* op(a) x = y or x op(a) = y; op: 'n', 't' (transpose) or 'a' (adjoint) of matrices of any leading dimensions. */
XG_FN xg_inst *xg_linear_solution(const xg_hb *b, xg_inst *i, bool left, bool lower, bool unit, char op) {
    xg_inst *a = xg_linear_flat(b, XG_OPERAND(i, 0)), *y = xg_linear_flat(b, XG_OPERAND(i, 1));
    bool flip = op != 'n';
    if (op == 'a') a = xg_linear_conj(b, a);
    if (!left) { flip = !flip; y = xg_linear_swap(b, y); } /* x op(a) = y is op(a)^T x^T = y^T */
    if (flip) { a = xg_linear_swap(b, a); lower = !lower; }
    y = xg_linear_solved(b, a, y, lower, unit);
    return xg_linear_unflat(b, left ? y : xg_linear_swap(b, y), i->shape);
}
XG_FN xg_inst *xg_linear_expand_solve(const xg_hb *b, xg_inst *i) {
    xg_str op = xg_attr_str(i, XG_A_transpose_a);
    return xg_linear_solution(b, i, xg_attr_int(i, XG_A_left_side, 0) != 0, xg_attr_int(i, XG_A_lower, 0) != 0, xg_attr_int(i, XG_A_unit_diagonal, 0) != 0,
                              xg_str_is(op, "TRANSPOSE") ? 't' : xg_str_is(op, "ADJOINT") ? 'a' : 'n');
}

XG_FN bool xg_linear_matches(const xg_inst *i) {
    return (i->op == XG_CHOLESKY || i->op == XG_TRIANGULAR_SOLVE) && !i->shape->dynamic && i->shape->elements && i->shape->rank >= 2;
}
XG_FN xg_inst *xg_linear_expand(const xg_hb *b, xg_inst *i) {
    return i->op == XG_CHOLESKY ? xg_linear_expand_cholesky(b, i) : xg_linear_expand_solve(b, i);
}
XG_FN bool xg_opt_linear_expander(xg_module *m) { return (m->made[XG_CHOLESKY] || m->made[XG_TRIANGULAR_SOLVE] || m->made[XG_CUSTOM_CALL]) && xg_opt_expand(m, xg_linear_matches, xg_linear_expand); }

#endif /* XG_OPT_LINEAR_EXPANDER_C */
