/* expand/linear_words.c -- what all expanders of linear algebra are written with: functions of matrices, and formulas
 * (base/formula.c) of them.
 *
 * Matrices are [batch, n, n] here, scalars of each [batch, 1, 1]. */
#ifndef XG_EXPAND_LINEAR_WORDS_C
#define XG_EXPAND_LINEAR_WORDS_C
#include "expand.h"
#include "../base/formula.h"

XG_FN xg_inst *xg_linear_conj(const xg_hb *b, xg_inst *x) {
    xg_inst *re;
    if (xg_type_class(x->shape->type) != XGT_C) return x;
    re = xg_hb_1(b, XG_REAL, x);
    return xg_hb_2(b, XG_COMPLEX, re, xg_hb_1(b, XG_NEGATE, xg_hb_1(b, XG_IMAG, x)));
}
XG_FN xg_inst *xg_linear_swap(const xg_hb *b, xg_inst *x) {
    XG_TABLE const int64_t perm[3] = {0, 2, 1};
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
    XG_TABLE const int64_t last[1] = {2};
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
    starts[0] = starts[1] = starts[2] = xg_hb_zero(b, XLAGPU_S32);
    starts[dim] = k;
    memcpy(sizes, x->shape->dims, sizeof sizes);
    sizes[dim] = 1;
    return xg_hb_dynamic_slice(b, x, starts, sizes);
}
XG_FN xg_inst *xg_linear_set_row(const xg_hb *b, xg_inst *x, xg_inst *row, xg_inst *k, uint32_t dim) {
    xg_inst *starts[3];
    starts[0] = starts[1] = starts[2] = xg_hb_zero(b, XLAGPU_S32);
    starts[dim] = k;
    return xg_hb_dynamic_update_slice(b, x, row, starts);
}
/* x[batch, m, k] y[batch, k, n] */
XG_FN xg_inst *xg_linear_product(const xg_hb *b, xg_inst *x, xg_inst *y) {
    XG_TABLE const int64_t zero[1] = {0}, one[1] = {1}, two[1] = {2};
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
    return xg_hb_add(b, re, xg_hb_1(b, XG_ABS, xg_hb_1(b, XG_IMAG, x)));
}
XG_FN xg_inst *xg_linear_real(const xg_hb *b, xg_inst *x) {
    return xg_type_class(x->shape->type) == XGT_C ? xg_hb_1(b, XG_REAL, x) : x;
}
/* re + i im of type t; im may be NULL. */
XG_FN xg_inst *xg_linear_complex(const xg_hb *b, xg_inst *re, xg_inst *im, xlagpu_type t) {
    if (xg_type_class(t) != XGT_C) return re;
    return xg_hb_2(b, XG_COMPLEX, re, im ? im : xg_linear_zero_like(b, re));
}
XG_FN xg_inst *xg_linear_times(const xg_hb *b, xg_inst *x, xg_inst *factor) {
    return xg_hb_mul(b, xg_linear_stretch(b, factor, x->shape->dims), x);
}
XG_FN xg_inst *xg_linear_hermitian(const xg_hb *b, xg_inst *x) { return xg_linear_swap(b, xg_linear_conj(b, x)); }
XG_FN xg_inst *xg_linear_scale(const xg_hb *b, xg_inst *most);
/* The length of x[batch, m, n] over its rows. */
XG_FN xg_inst *xg_linear_length(const xg_hb *b, xg_inst *x, uint32_t dim) {
    xg_inst *size = xg_hb_1(b, XG_ABS, x), *scale = xg_linear_scale(b, xg_linear_most(b, size, dim));
    size = xg_hb_div(b, size, xg_linear_stretch(b, scale, size->shape->dims));
    size = xg_linear_sum(b, xg_hb_mul(b, size, size), dim);
    return xg_hb_mul(b, xg_hb_1(b, XG_SQRT, size), scale);
}
XG_ONE_COPY XG_FN double xg_linear_epsilon(xlagpu_type t) {
    return xg_type_real(t) == XLAGPU_F64 ? 2.220446049250313e-16 : 1.1920928955078125e-07;
}
XG_FN xg_inst *xg_linear_splat_like(const xg_hb *b, const xg_inst *x, double v) {
    return xg_linear_number(b, x->shape->type, v, x->shape->dims, x->shape->rank);
}
/* x / scale, where scale is real. */
XG_FN xg_inst *xg_linear_over(const xg_hb *b, xg_inst *x, xg_inst *scale) {
    xg_inst *re;
    scale = xg_linear_stretch(b, scale, x->shape->dims);
    if (xg_type_class(x->shape->type) != XGT_C) return xg_hb_div(b, x, scale);
    re = xg_hb_div(b, xg_hb_1(b, XG_REAL, x), scale);
    return xg_hb_2(b, XG_COMPLEX, re, xg_hb_div(b, xg_hb_1(b, XG_IMAG, x), scale));
}
XG_FN xg_inst *xg_c128(const xg_hb *b, xg_inst *x) { return xg_hb_convert(b, x, XLAGPU_C128); }
XG_FN xg_inst *xg_jacobi_half(const xg_hb *b, xg_inst *x, uint32_t dim, bool second) {
    int64_t h = x->shape->dims[dim] / 2;
    return second ? xg_hb_slice_dim(b, x, dim, h, 2 * h) : xg_hb_slice_dim(b, x, dim, 0, h);
}
/* The halves behind one another, all but the first element moved on by one place. */
XG_FN xg_inst *xg_jacobi_turn(const xg_hb *b, xg_inst *left, xg_inst *right, uint32_t dim) {
    int64_t h = left->shape->dims[dim];
    xg_inst *parts[5];
    uint32_t n = 0;
    if (h == 1) {
        parts[0] = left;
        parts[1] = right;
        return xg_hb_concat(b, parts, 2, dim);
    }
    parts[n++] = xg_hb_slice_dim(b, left, dim, 0, 1);
    parts[n++] = xg_hb_slice_dim(b, right, dim, 0, 1);
    if (h > 2) parts[n++] = xg_hb_slice_dim(b, left, dim, 1, h - 1);
    parts[n++] = xg_hb_slice_dim(b, right, dim, 1, h);
    parts[n++] = xg_hb_slice_dim(b, left, dim, h - 1, h);
    return xg_hb_concat(b, parts, n, dim);
}
/* x with d[batch, n, 1] on its diagonal. */
XG_FN xg_inst *xg_linear_with_diagonal(const xg_hb *b, xg_inst *x, xg_inst *d) {
    d = xg_linear_stretch(b, d, x->shape->dims);
    return xg_hb_select(b, xg_linear_triangle(b, x, "EQ"), d, x);
}

/* ---- formulas ---- */

/* Letters are instructions; a number takes the shape and type of the operation's first other operand. A digit behind a
 * function's name is its dimension: sum1(x) is over rows, row2(x,k) the column k. */
typedef struct xg_lin {
    xg_fml words;
    const xg_hb *b;
    xg_inst *v[26];
} xg_lin;
#define V(letter) f->v[#letter[0] - 'a']

XG_FN xg_inst *xg_lin_read(xg_lin *f, const char *text);
/* x, y and z stand for these. */
XG_FN xg_inst *xg_lin_of(const xg_hb *b, const char *text, xg_inst *x, xg_inst *y, xg_inst *z);

XG_FN xg_inst *xg_lin_as(const xg_hb *b, xg_inst *x, xg_inst *like) {
    return xg_linear_stretch(b, x, like->shape->dims);
}
XG_FN xg_inst *xg_lin_splat(const xg_hb *b, xg_inst *x, xg_inst *like) {
    return xg_hb_splat(b, x, like->shape->dims, like->shape->rank);
}
XG_FN xg_inst *xg_lin_cx(const xg_hb *b, xg_inst *x, xg_inst *like) {
    return xg_linear_complex(b, x, NULL, like->shape->type);
}
XG_FN xg_inst *xg_lin_one(const xg_hb *b, xg_inst *x) { return xg_linear_splat_like(b, x, 1); }
XG_FN xg_inst *xg_lin_zero(const xg_hb *b, xg_inst *x) { return xg_linear_zero_like(b, x); }
XG_FN xg_inst *xg_lin_s32(const xg_hb *b, xg_inst *x) { return xg_hb_convert(b, x, XLAGPU_S32); }
XG_FN xg_inst *xg_lin_iota(const xg_hb *b, xg_inst *x, uint32_t dim) {
    return xg_hb_iota(b, XLAGPU_S32, x->shape->dims, x->shape->rank, dim);
}
XG_FN xg_inst *xg_lin_left(const xg_hb *b, xg_inst *x, uint32_t dim) { return xg_jacobi_half(b, x, dim, false); }
XG_FN xg_inst *xg_lin_right(const xg_hb *b, xg_inst *x, uint32_t dim) { return xg_jacobi_half(b, x, dim, true); }
XG_FN xg_inst *xg_lin_max(const xg_hb *b, xg_inst *x, xg_inst *init, uint32_t dim) {
    return xg_linear_fold(b, XG_MAXIMUM, x, init, dim);
}
XG_FN xg_inst *xg_lin_min(const xg_hb *b, xg_inst *x, xg_inst *init, uint32_t dim) {
    return xg_linear_fold(b, XG_MINIMUM, x, init, dim);
}
/* Sizes to divide by: 1 where there is nothing to divide, or no number. */
XG_FN xg_inst *xg_linear_scale(const xg_hb *b, xg_inst *most) {
    return xg_lin_of(b, "z=zero(x);o=one(x);g=x>z;g=g&finite(x);g?x:o", most, NULL, NULL);
}
/* The element in a row and column of each matrix's own. */
XG_FN xg_inst *xg_general_pick(const xg_hb *b, xg_inst *x, xg_inst *row, xg_inst *column) {
    return xg_lin_of(b, "h=eq1(x,y);h=h&eq2(x,z);sum1(sum2(kept(h,x)))", x, row, column);
}
/* (1 - tau v v*) c */
XG_FN xg_inst *xg_qr_apply(const xg_hb *b, xg_inst *c, xg_inst *v, xg_inst *tau) {
    return xg_lin_of(b, "w=prod(herm(y),x);w=times(w,z);y=as(y,x);w=y*as(w,x);x-w", c, v, tau);
}
/* c (1 - tau v v*) */
XG_FN xg_inst *xg_qr_apply_right(const xg_hb *b, xg_inst *c, xg_inst *v, xg_inst *tau) {
    return xg_lin_of(b, "w=times(prod(x,y),z);y=as(herm(y),x);w=as(w,x)*y;x-w", c, v, tau);
}
/* x with the sign of y; of zero the sign is plus. */
XG_FN xg_inst *xg_francis_signed(const xg_hb *b, xg_inst *x, xg_inst *y) {
    return xg_lin_of(b, "m=y<0;x=abs(x);m?neg(x):x", x, y, NULL);
}

/* clang-format off */
/* X(name, opcode) of HLO; F(name, function) of one, two or three instructions, D the same with a dimension */
#define XG_LIN_OPS(X) \
    X("abs", ABS) X("sqrt", SQRT) X("neg", NEGATE) X("not", NOT) X("real", REAL) X("imag", IMAG) \
    X("finite", IS_FINITE) X("+", ADD) X("-", SUBTRACT) X("*", MULTIPLY) X("/", DIVIDE) X("rem", REMAINDER) \
    X("&", AND) X("|", OR)
#define XG_LIN_WORDS(F) \
    F("conj", xg_linear_conj) F("swap", xg_linear_swap) F("herm", xg_linear_hermitian) F("re", xg_linear_real) \
    F("diag", xg_linear_diagonal) F("size", xg_linear_size) F("one", xg_lin_one) F("zero", xg_lin_zero) \
    F("cwide", xg_c128) F("int", xg_lin_s32) F("as", xg_lin_as) F("splat", xg_lin_splat) F("cx", xg_lin_cx) \
    F("times", xg_linear_times) F("over", xg_linear_over) F("kept", xg_linear_kept) F("prod", xg_linear_product) \
    F("wdiag", xg_linear_with_diagonal) F("sgn", xg_francis_signed) F("pick", xg_general_pick) F("app", xg_qr_apply) \
    F("appr", xg_qr_apply_right) F("sum#", xg_linear_sum) F("most#", xg_linear_most) F("len#", xg_linear_length) \
    F("iota#", xg_lin_iota) F("left#", xg_lin_left) F("right#", xg_lin_right) F("row#", xg_linear_row) \
    F("max#", xg_lin_max) F("min#", xg_lin_min) F("turn#", xg_jacobi_turn) F("set#", xg_linear_set_row)
/* clang-format on */
typedef void xg_lin_function(void);
typedef struct xg_lin_word {
    char name[7];
    uint8_t op; /* XG_OPCODE_COUNT: the function */
    xg_lin_function *function;
} xg_lin_word;
XG_TABLE const xg_lin_word xg_lin_words[] = {
#define X(name, op) {name, XG_##op, NULL},
#define F(name, function) {name, XG_OPCODE_COUNT, (xg_lin_function *)function},
    XG_LIN_OPS(X) XG_LIN_WORDS(F)
#undef X
#undef F
};
/* "eq" and so on of a matrix's row or column numbers (eq1, eq2), of a scalar (eqk) or of the diagonal: treq, mkeq */
XG_FN xg_inst *xg_lin_compare(const xg_hb *b, const char *two, char of, xg_inst *x, xg_inst *y) {
    char direction[3];
    direction[0] = (char)(two[0] - 'a' + 'A');
    direction[1] = (char)(two[1] - 'a' + 'A');
    direction[2] = 0;
    return of == 'k'   ? xg_hb_compare(b, direction, x, xg_lin_splat(b, y, x))
           : of == 't' ? xg_linear_triangle(b, x, direction)
           : of == 'm' ? xg_linear_masked(b, x, direction)
                       : xg_linear_where_in(b, x, (uint32_t)(of - '0'), direction, y);
}
XG_APART XG_FN xg_inst *xg_lin_call(const xg_hb *b, const xg_lin_word *w, xg_inst *const *v, uint32_t n, uint32_t dim) {
    xg_lin_function *g = w->function;
    if (w->op != XG_OPCODE_COUNT)
        return n == 1 ? xg_hb_1(b, (xg_opcode)w->op, v[0]) : xg_hb_2(b, (xg_opcode)w->op, v[0], v[1]);
    if (n == 1)
        return dim ? ((xg_inst * (*)(const xg_hb *, xg_inst *, uint32_t)) g)(b, v[0], dim)
                   : ((xg_inst * (*)(const xg_hb *, xg_inst *)) g)(b, v[0]);
    if (n == 2)
        return dim ? ((xg_inst * (*)(const xg_hb *, xg_inst *, xg_inst *, uint32_t)) g)(b, v[0], v[1], dim)
                   : ((xg_inst * (*)(const xg_hb *, xg_inst *, xg_inst *)) g)(b, v[0], v[1]);
    return dim ? ((xg_inst * (*)(const xg_hb *, xg_inst *, xg_inst *, xg_inst *, uint32_t)) g)(b, v[0], v[1], v[2], dim)
               : ((xg_inst * (*)(const xg_hb *, xg_inst *, xg_inst *, xg_inst *)) g)(b, v[0], v[1], v[2]);
}
XG_FN xg_inst *xg_lin_number(const xg_hb *b, const xg_inst *like, const char *at) {
    double v = *at == 'e' ? xg_linear_epsilon(like->shape->type) : xg_fml_number(at);
    return xg_type_class(like->shape->type) == XGT_I ? xg_hb_int_like(b, like, (int64_t)v)
                                                     : xg_linear_splat_like(b, like, v);
}
XG_FN void *xg_lin_make(xg_fml *words, xg_str name, const xg_fml_term *in, uint32_t n) {
    XG_TABLE const char comparisons[][2][3] = {
        {"==", "EQ"}, {"!=", "NE"}, {">=", "GE"}, {"<=", "LE"}, {"<", "LT"}, {">", "GT"}};
    const xg_hb *b = ((xg_lin *)(void *)words)->b;
    const xg_lin_word *w = xg_lin_words;
    const xg_inst *like = NULL;
    xg_inst *v[3];
    char last = name.p[name.n - 1];
    uint32_t k, dim = xg_is_digit(last) ? (uint32_t)(last - '0') : 0;
    v[1] = NULL;
    for (k = n; k-- > 0;)
        if (in[k].v) like = (const xg_inst *)in[k].v;
    for (k = n; k-- > 0;) v[k] = in[k].v ? (xg_inst *)in[k].v : xg_lin_number(b, like, in[k].number);
    if (*name.p == '?') return xg_hb_select(b, v[0], v[1], v[2]);
    if (xg_str_is(name, "like")) return v[1];
    for (k = 0; k < XG_COUNT(comparisons); k++)
        if (xg_str_is(name, comparisons[k][0])) return xg_hb_compare(b, comparisons[k][1], v[0], v[1]);
    for (; w < xg_lin_words + XG_COUNT(xg_lin_words); w++)
        if (strncmp(w->name, name.p, name.n - (dim != 0)) == 0 &&
            !strcmp(w->name + name.n - (dim != 0), dim ? "#" : ""))
            return xg_lin_call(b, w, v, n, dim);
    return n == 2 ? xg_lin_compare(b, name.p, last, v[0], v[1]) : xg_lin_compare(b, name.p + 2, *name.p, v[0], NULL);
}
XG_FN void *xg_lin_value(xg_fml *words, char letter, const char *number) {
    (void)number;
    return letter ? ((xg_lin *)(void *)words)->v[letter - 'a'] : NULL;
}
XG_FN void xg_lin_set(xg_fml *words, char letter, void *v) {
    ((xg_lin *)(void *)words)->v[letter - 'a'] = (xg_inst *)v;
}
XG_ONE_COPY XG_FN void xg_lin_begin(xg_lin *f, const xg_hb *b) {
    f->words.make = xg_lin_make;
    f->words.value = xg_lin_value;
    f->words.set = xg_lin_set;
    f->b = b;
}
XG_FN xg_inst *xg_lin_read(xg_lin *f, const char *text) { return (xg_inst *)xg_fml_read(&f->words, text); }
XG_FN xg_inst *xg_lin_of(const xg_hb *b, const char *text, xg_inst *x, xg_inst *y, xg_inst *z) {
    xg_lin frame, *f = &frame;
    xg_lin_begin(f, b);
    V(x) = x;
    V(y) = y;
    V(z) = z;
    return xg_lin_read(f, text);
}
/* A loop whose state the letters name; inside they are what it is there, and k counts the rounds. */
XG_FN void xg_lin_loop(xg_lin *f, xg_loop *l, const char *letters, int64_t rounds) {
    xg_inst *state[8] = {NULL};
    uint32_t k, n = (uint32_t)strlen(letters);
    for (k = 0; k < n; k++) state[k] = f->v[letters[k] - 'a'];
    *l = xg_hb_loop(f->b, state, n, rounds);
    for (k = 0; k < n; k++) f->v[letters[k] - 'a'] = l->state[k];
    V(k) = l->k;
    f->b = &l->b;
}
XG_FN void xg_lin_end(xg_lin *f, xg_loop *l, const char *letters, const xg_hb *b) {
    uint32_t k;
    for (k = 0; letters[k]; k++) l->state[k] = f->v[letters[k] - 'a'];
    xg_hb_loop_end(b, l);
    for (k = 0; letters[k]; k++) f->v[letters[k] - 'a'] = l->state[k];
    f->b = b;
}

#endif /* XG_EXPAND_LINEAR_WORDS_C */
