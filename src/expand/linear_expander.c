/* expand/linear_expander.c -- cholesky and triangular-solve of narrow floats, which are computed in f32 and rounded
 * once, and large matrices by blocks: the kernel that takes a system whole has one multiprocessor for each matrix, so
 * what is left of one after each block is a dot. */
#ifndef XG_EXPAND_LINEAR_EXPANDER_C
#define XG_EXPAND_LINEAR_EXPANDER_C
#include "expand.h"
#include "linear_words.c"

enum {
    XG_LINEAR_WHOLE = 192, /* rows that are taken whole */
    XG_LINEAR_BLOCK = 128,
    XG_LINEAR_BLOCKS = 32 /* at most, else larger ones: each is kernels of its own */
};
XG_FN int64_t xg_linear_block(const xg_inst *a) {
    int64_t n = a->shape->dims[1];
    return n <= XG_LINEAR_WHOLE ? n : XG_LINEAR_BLOCK * ((n - 1) / (XG_LINEAR_BLOCK * XG_LINEAR_BLOCKS) + 1);
}
XG_FN xg_inst *xg_linear_part(const xg_hb *b, xg_inst *x, int64_t row, int64_t rows, int64_t column, int64_t columns) {
    return xg_hb_slice_dim(b, xg_hb_slice_dim(b, x, 1, row, rows), 2, column, columns);
}

/* ---- triangular-solve ---- */

/* op(a) x = y, or x op(a) = y, of [batch, rows, columns]; op: 'n', 't' (transpose) or 'a' (adjoint). */
XG_FN xg_inst *xg_linear_solved(const xg_hb *b, xg_inst *a, xg_inst *y, bool left, bool lower, bool unit, char op) {
    int64_t n = a->shape->dims[1], w = xg_linear_block(a), count = (n + w - 1) / w, k;
    xg_inst *in[2], *x, *s, *parts[XG_LINEAR_BLOCKS];
    bool plain = op == 'n', forward = left == (lower == plain);
    if (count > 1) {
        for (k = 0; k < count; k++) {
            int64_t at = forward ? k : count - 1 - k, from = at * w, to = XG_MIN(from + w, n),
                    base = forward ? from : 0, rest = forward ? to : 0,
                    end = forward ? n : from; /* y: rows from base on */
            s = xg_linear_part(b, a, from, to, from, to);
            x = xg_hb_slice_dim(b, y, 2 - left, from - base, to - base);
            x = parts[at] = xg_linear_solved(b, s, x, left, lower, unit, op);
            if (rest == end) break;
            s = left == plain ? xg_linear_part(b, a, rest, end, from, to) : xg_linear_part(b, a, from, to, rest, end);
            if (!plain) s = xg_lin_of(b, op == 't' ? "swap(x)" : "herm(x)", s, NULL, NULL);
            y = xg_hb_slice_dim(b, y, 2 - left, rest - base, end - base);
            y = xg_lin_of(b, left ? "x-prod(y,z)" : "x-prod(z,y)", y, s, x);
        }
        return xg_hb_concat(b, parts, (uint32_t)count, 2 - left);
    }
    in[0] = a;
    in[1] = y;
    x = xg_hb_op(b, XG_TRIANGULAR_SOLVE, y->shape, in, 2);
    xg_inst_set_int(x, XG_A_left_side, left);
    xg_inst_set_int(x, XG_A_lower, lower);
    xg_inst_set_int(x, XG_A_unit_diagonal, unit);
    xg_inst_set_str(x, XG_A_transpose_a,
        op == 't'   ? XG_STR("TRANSPOSE")
        : op == 'a' ? XG_STR("ADJOINT")
                    : XG_STR("NO_TRANSPOSE"));
    return x;
}
/* The same of the operands of an instruction. */
XG_FN xg_inst *xg_linear_solution(const xg_hb *b, xg_inst *i, bool left, bool lower, bool unit, char op) {
    xg_inst *a = xg_linear_flat(b, XG_OPERAND(i, 0)), *y = xg_linear_flat(b, XG_OPERAND(i, 1));
    return xg_linear_unflat(b, xg_linear_solved(b, a, y, left, lower, unit, op), i->shape);
}

/* ---- cholesky ---- */

/* Of a[batch, n, n] by columns of blocks. A pivot that is not positive makes all behind it NaN, and so the last one,
 * which then the whole triangle becomes. */
XG_FN xg_inst *xg_linear_factor_blocks(const xg_hb *b, xg_inst *a, int64_t w) {
    int64_t n = a->shape->dims[1], batch = a->shape->dims[0], at;
    xg_inst *columns[XG_LINEAR_BLOCKS], *parts[3], *x = a;
    uint32_t k = 0, m;
    for (at = 0; at < n; at += w) {
        int64_t rest = n - at, own = XG_MIN(w, rest);
        x = xg_linear_part(b, a, 0, own, 0, own);
        x = xg_hb_of(b, XG_CHOLESKY, x->shape, x);
        xg_inst_set_int(x, XG_A_lower, true);
        m = 0;
        if (at) parts[m++] = xg_linear_zeros(b, x->shape->type, batch, at, own);
        parts[m++] = x;
        if (own < rest) {
            xg_inst *y = xg_linear_part(b, a, own, rest, 0, own);
            y = parts[m++] = xg_linear_solved(b, x, y, false, true, false, 'a');
            a = xg_lin_of(b, "x-prod(y,herm(y))", xg_linear_part(b, a, own, rest, own, rest), y, NULL);
        }
        columns[k++] = xg_hb_concat(b, parts, m, 1);
    }
    x = xg_linear_part(b, x, 0, 1, 0, 1);
    return xg_lin_of(b, "z=re(y);z=z!=z;m=trge(x);m=m&as(z,x);m?as(y,x):x", xg_hb_concat(b, columns, k, 2), x, NULL);
}
/* Of matrices of any leading dimensions. *good: [batch, 1, 1], whether every pivot was positive; where not, the
 * triangle of the factor is NaN. */
XG_FN xg_inst *xg_linear_factored(const xg_hb *b, xg_inst *a, bool lower, xg_inst **good) {
    xg_inst *x = xg_linear_flat(b, a), *corner;
    int64_t w = xg_linear_block(x);
    if (lower && w < x->shape->dims[1])
        x = xg_linear_factor_blocks(b, x, w);
    else {
        x = xg_hb_of(b, XG_CHOLESKY, x->shape, x);
        xg_inst_set_int(x, XG_A_lower, lower);
    }
    if (!good) return x;
    corner = xg_linear_part(b, x, 0, 1, 0, 1);
    if (xg_type_class(x->shape->type) == XGT_C) corner = xg_hb_1(b, XG_REAL, corner);
    *good = xg_hb_compare(b, "EQ", corner, corner);
    return x;
}

/* ---- narrow types and large matrices ---- */

XG_FN bool xg_linear_matches(const xg_inst *i) {
    const xg_shape *s = i->shape;
    if ((i->op != XG_CHOLESKY && i->op != XG_TRIANGULAR_SOLVE) || s->dynamic || !s->elements || s->rank < 2)
        return false;
    if (xg_linear_type(s->type) != s->type) return true;
    s = XG_OPERAND(i, 0)->shape;
    return s->dims[s->rank - 1] > XG_LINEAR_WHOLE && (i->op != XG_CHOLESKY || xg_attr_or_0(i, XG_A_lower));
}
XG_FN xg_inst *xg_linear_expand(const xg_hb *b, xg_inst *i) {
    xg_str op = xg_attr_str(i, XG_A_transpose_a);
    bool lower = xg_attr_or_0(i, XG_A_lower) != 0;
    if (i->op == XG_CHOLESKY)
        return xg_linear_unflat(b, xg_linear_factored(b, XG_OPERAND(i, 0), lower, NULL), i->shape);
    return xg_linear_solution(b, i, xg_attr_or_0(i, XG_A_left_side) != 0, lower,
        xg_attr_or_0(i, XG_A_unit_diagonal) != 0,
        xg_str_is(op, "TRANSPOSE") ? 't'
        : xg_str_is(op, "ADJOINT") ? 'a'
                                   : 'n');
}
XG_FN bool xg_expand_linear_expander(xg_module *m) {
    return (m->made[XG_CHOLESKY] || m->made[XG_TRIANGULAR_SOLVE]) &&
           xg_opt_expand(m, xg_linear_matches, xg_linear_expand);
}

#endif /* XG_EXPAND_LINEAR_EXPANDER_C */
