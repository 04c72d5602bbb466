/* expand/linear_expander.c -- what all expanders of linear algebra are written with; cholesky and triangular-solve of
 * narrow floats, which are computed in f32 and rounded once.
 *
 * Matrices are [batch, n, n] here. */
#ifndef XG_EXPAND_LINEAR_EXPANDER_C
#define XG_EXPAND_LINEAR_EXPANDER_C
#include "expand.h"

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
    return xg_hb_splat(b, xg_hb_convert(b, xg_hb_float(b, xg_type_real(t), isnan(v) ? fabs(v) : v), t), dims,
        rank); /* NAN has either sign */
}
/* pred of x's dimensions: row (direction) column, the last two of them. */
XG_FN xg_inst *xg_linear_triangle(const xg_hb *b, const xg_inst *x, const char *direction) {
    xg_inst *row = xg_hb_iota(b, XLAGPU_S32, x->shape->dims, x->shape->rank, x->shape->rank - 2);
    return xg_hb_compare(
        b, direction, row, xg_hb_iota(b, XLAGPU_S32, x->shape->dims, x->shape->rank, x->shape->rank - 1));
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
    dims[0] = x->shape->dims[0];
    dims[1] = x->shape->dims[1];
    dims[2] = 1;
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
XG_FN xlagpu_type xg_linear_type(xlagpu_type t) {
    return xg_type_class(t) == XGT_C || t == XLAGPU_F64 ? t : XLAGPU_F32;
}
XG_FN xg_inst *xg_linear_flat(const xg_hb *b, xg_inst *x) {
    const xg_shape *s = x->shape;
    int64_t dims[3];
    dims[1] = s->dims[s->rank - 2];
    dims[2] = s->dims[s->rank - 1];
    dims[0] = s->elements / (dims[1] * dims[2]);
    return xg_hb_convert(b, xg_hb_reshape(b, x, dims, 3), xg_linear_type(s->type));
}
XG_FN xg_inst *xg_linear_unflat(const xg_hb *b, xg_inst *x, const xg_shape *s) {
    return xg_hb_reshape(b, xg_hb_convert(b, x, s->type), s->dims, s->rank);
}

/* ---- cholesky ---- */

/* Of matrices of any leading dimensions. *good: [batch, 1, 1], whether every pivot was positive; where not, the
 * triangle of the factor is NaN. */
XG_FN xg_inst *xg_linear_factored(const xg_hb *b, xg_inst *a, bool lower, xg_inst **good) {
    xg_inst *x = xg_linear_flat(b, a), *corner;
    x = xg_hb_op(b, XG_CHOLESKY, x->shape, &x, 1);
    xg_inst_set_attr(x, xg_attr_make_int(XG_A_lower, lower));
    corner = xg_hb_slice_dim(b, xg_hb_slice_dim(b, x, 1, 0, 1), 2, 0, 1);
    if (xg_type_class(x->shape->type) == XGT_C) corner = xg_hb_1(b, XG_REAL, corner);
    *good = xg_hb_compare(b, "EQ", corner, corner);
    return x;
}

/* ---- triangular-solve ---- */

/* op(a) x = y or x op(a) = y of the operands of an instruction; op: 'n', 't' (transpose) or 'a' (adjoint). */
XG_FN xg_inst *xg_linear_solution(const xg_hb *b, xg_inst *i, bool left, bool lower, bool unit, char op) {
    xg_inst *in[2], *x;
    in[0] = xg_linear_flat(b, XG_OPERAND(i, 0));
    in[1] = xg_linear_flat(b, XG_OPERAND(i, 1));
    x = xg_hb_op(b, XG_TRIANGULAR_SOLVE, in[1]->shape, in, 2);
    xg_inst_set_attr(x, xg_attr_make_int(XG_A_left_side, left));
    xg_inst_set_attr(x, xg_attr_make_int(XG_A_lower, lower));
    xg_inst_set_attr(x, xg_attr_make_int(XG_A_unit_diagonal, unit));
    xg_inst_set_attr(x, xg_attr_make_str(b->comp->module, XG_A_transpose_a,
                            op == 't'   ? XG_STR("TRANSPOSE")
                            : op == 'a' ? XG_STR("ADJOINT")
                                        : XG_STR("NO_TRANSPOSE")));
    return xg_linear_unflat(b, x, i->shape);
}

/* ---- narrow types ---- */

XG_FN bool xg_linear_matches(const xg_inst *i) {
    return (i->op == XG_CHOLESKY || i->op == XG_TRIANGULAR_SOLVE) && !i->shape->dynamic && i->shape->elements &&
           i->shape->rank >= 2 && xg_linear_type(i->shape->type) != i->shape->type;
}
XG_FN xg_inst *xg_linear_expand(const xg_hb *b, xg_inst *i) {
    xg_inst *in[2], *x;
    uint32_t k;
    for (k = 0; k < i->n_operands; k++) in[k] = xg_hb_convert(b, XG_OPERAND(i, k), xg_linear_type(i->shape->type));
    x = xg_hb_op(b, i->op, in[i->n_operands - 1]->shape, in, i->n_operands);
    for (k = 0; k < i->n_attrs; k++) xg_inst_set_attr(x, i->attrs[k]);
    return xg_hb_convert(b, x, i->shape->type);
}
XG_FN bool xg_expand_linear_expander(xg_module *m) {
    return (m->made[XG_CHOLESKY] || m->made[XG_TRIANGULAR_SOLVE]) &&
           xg_opt_expand(m, xg_linear_matches, xg_linear_expand);
}

#endif /* XG_EXPAND_LINEAR_EXPANDER_C */
