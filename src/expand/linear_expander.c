/* expand/linear_expander.c -- cholesky and triangular-solve of narrow floats, which are computed in f32 and rounded
 * once. */
#ifndef XG_EXPAND_LINEAR_EXPANDER_C
#define XG_EXPAND_LINEAR_EXPANDER_C
#include "expand.h"
#include "linear_words.c"

/* ---- cholesky ---- */

/* Of matrices of any leading dimensions. *good: [batch, 1, 1], whether every pivot was positive; where not, the
 * triangle of the factor is NaN. */
XG_FN xg_inst *xg_linear_factored(const xg_hb *b, xg_inst *a, bool lower, xg_inst **good) {
    xg_inst *x = xg_linear_flat(b, a), *corner;
    x = xg_hb_op(b, XG_CHOLESKY, x->shape, &x, 1);
    xg_inst_set_int(x, XG_A_lower, lower);
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
    xg_inst_set_int(x, XG_A_left_side, left);
    xg_inst_set_int(x, XG_A_lower, lower);
    xg_inst_set_int(x, XG_A_unit_diagonal, unit);
    xg_inst_set_str(x, XG_A_transpose_a,
        op == 't'   ? XG_STR("TRANSPOSE")
        : op == 'a' ? XG_STR("ADJOINT")
                    : XG_STR("NO_TRANSPOSE"));
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
    xg_inst_take_attrs(x, i);
    return xg_hb_convert(b, x, i->shape->type);
}
XG_FN bool xg_expand_linear_expander(xg_module *m) {
    return (m->made[XG_CHOLESKY] || m->made[XG_TRIANGULAR_SOLVE]) &&
           xg_opt_expand(m, xg_linear_matches, xg_linear_expand);
}

#endif /* XG_EXPAND_LINEAR_EXPANDER_C */
