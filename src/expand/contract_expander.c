/* expand/contract_expander.c -- ragged-dot and scaled-dot, and the calls that stand for them, as plain dots.
 *
 * ragged-dot: groups of the batch; kernels have the others as they are (sched/tile_ragged.c, elem/contract.c).
 * scaled-dot: each operand times its scale, in bf16 where that holds the products, else in f32, which holds every
 * product of 8-bit floats by powers of two. */
#ifndef XG_EXPAND_CONTRACT_EXPANDER_C
#define XG_EXPAND_CONTRACT_EXPANDER_C
#include "expand.h"

/* ---- scaled-dot ---- */

/* scale[.., s, ..] -> [.., s * block, ..] */
XG_FN xg_inst *xg_scaled_spread(const xg_hb *b, xg_inst *scale, const xg_shape *to) {
    uint32_t d, k;
    if (!scale->shape->rank) return xg_hb_splat(b, scale, to->dims, to->rank);
    for (d = 0; d < to->rank; d++) {
        int64_t dims[XG_RANK_MAX + 1], places[XG_RANK_MAX], have = scale->shape->dims[d];
        if (have == to->dims[d]) continue;
        for (k = 0; k < to->rank; k++) {
            places[k] = k + (k > d);
            dims[places[k]] = scale->shape->dims[k];
        }
        dims[d + 1] = to->dims[d] / have;
        scale = xg_hb_broadcast(b, scale, dims, to->rank + 1, places, to->rank);
        for (k = 0; k < to->rank; k++)
            dims[k] = k < d ? scale->shape->dims[k] : k == d ? to->dims[d] : scale->shape->dims[k + 1];
        scale = xg_hb_reshape(b, scale, dims, to->rank);
    }
    return scale;
}
XG_FN xg_inst *xg_scaled_value(const xg_hb *b, xg_inst *x, xg_inst *scale, xlagpu_type t) {
    xg_inst *wide = xg_hb_convert(b, x, t);
    return xg_hb_mul(b, wide, xg_scaled_spread(b, xg_hb_convert(b, scale, t), x->shape));
}
/* Bits of what a number of the type is made of, the leading one with them. */
XG_FN int xg_scaled_digits(xlagpu_type t) { return xg_float_format_of(t)->mantissa_bits + 1; }
/* A type that holds an operand times its scale. bf16 does so for the formats of block scaling (f8e4m3fn by f8e8m0fnu,
 * f4e2m1fn by f8e4m3fn): it has the exponents of f32, and matrix units take it. Products below 2^-126 alone keep fewer
 * bits than f32 has there. */
XG_FN xlagpu_type xg_scaled_type(const xg_inst *i, uint32_t k) {
    xlagpu_type x = XG_OPERAND(i, k)->shape->type, scale = XG_OPERAND(i, k + 2)->shape->type;
    if (x == XLAGPU_F64 || scale == XLAGPU_F64 || i->shape->type == XLAGPU_F64) return XLAGPU_F64;
    return xg_scaled_digits(x) + xg_scaled_digits(scale) <= xg_scaled_digits(XLAGPU_BF16) ? XLAGPU_BF16 : XLAGPU_F32;
}
XG_FN xg_inst *xg_scaled_dot_of(const xg_hb *b, xg_inst *i, xg_dot_dims d) {
    xlagpu_type t[2], sum;
    xg_inst *l, *r;
    uint32_t k;
    for (k = 0; k < 2; k++) t[k] = xg_scaled_type(i, k);
    if (t[0] != t[1]) t[0] = t[1] = t[0] == XLAGPU_F64 || t[1] == XLAGPU_F64 ? XLAGPU_F64 : XLAGPU_F32;
    sum = t[0] == XLAGPU_F64 ? XLAGPU_F64 : XLAGPU_F32;
    l = xg_scaled_value(b, XG_OPERAND(i, 0), XG_OPERAND(i, 2), t[0]);
    r = xg_scaled_value(b, XG_OPERAND(i, 1), XG_OPERAND(i, 3), t[1]);
    return xg_hb_convert(b, xg_hb_dot(b, l, r, d, sum, i->op == XG_SCALED_DOT ? i : NULL), i->shape->type);
}
/* Does the scale have an element for each block of x? */
XG_FN bool xg_scaled_fits(const xg_shape *x, const xg_shape *scale) {
    uint32_t d;
    if (!xg_shape_is_array(x) || !xg_shape_is_array(scale) || x->dynamic || scale->dynamic ||
        xg_type_class(x->type) != XGT_F || xg_type_class(scale->type) != XGT_F)
        return false;
    if (scale->rank && scale->rank != x->rank) return false;
    for (d = 0; d < scale->rank; d++)
        if (scale->dims[d] != x->dims[d] && (scale->dims[d] <= 0 || x->dims[d] % scale->dims[d])) return false;
    return x->rank < XG_RANK_MAX;
}
/* jax.nn.scaled_matmul: both operands contract their last dimension; a first one of three is the batch. */
XG_FN bool xg_scaled_is_call(const xg_inst *i) {
    const xg_shape *l, *r, *s = i->shape;
    uint32_t n;
    if (i->op != XG_CUSTOM_CALL || i->n_operands != 4 ||
        !xg_attr_is(i, XG_A_custom_call_target, "__op$block_scaled_dot"))
        return false;
    l = XG_OPERAND(i, 0)->shape;
    r = XG_OPERAND(i, 1)->shape;
    if (!xg_scaled_fits(l, XG_OPERAND(i, 2)->shape) || !xg_scaled_fits(r, XG_OPERAND(i, 3)->shape) ||
        !xg_shape_is_array(s) || xg_type_class(s->type) != XGT_F)
        return false;
    n = l->rank;
    if (n < 2 || n > 3 || r->rank != n || s->rank != n || l->dims[n - 1] != r->dims[n - 1] ||
        s->dims[n - 2] != l->dims[n - 2] || s->dims[n - 1] != r->dims[n - 2])
        return false;
    return n == 2 || (l->dims[0] == r->dims[0] && l->dims[0] == s->dims[0]);
}
XG_FN xg_inst *xg_scaled_expand_call(const xg_hb *b, xg_inst *i) {
    int64_t *dims = XG_NEW_N(b->comp->module->arena, int64_t, 2);
    xg_dot_dims d;
    dims[0] = 0;
    dims[1] = (int64_t)i->shape->rank - 1;
    d.lb.p = d.rb.p = dims;
    d.lb.n = d.rb.n = i->shape->rank - 2;
    d.lc.p = d.rc.p = dims + 1;
    d.lc.n = d.rc.n = 1;
    return xg_scaled_dot_of(b, i, d);
}

/* Groups of the batch share nothing: a dot, and zeros behind the last one. So is what has no elements. */
XG_FN xg_inst *xg_ragged_expand(const xg_hb *b, xg_inst *i) {
    const xg_shape *s = i->shape;
    xg_dot_dims d = xg_dot_dims_of(i);
    xg_inst *sizes = XG_OPERAND(i, 2), *out, *row;
    int64_t last = sizes->shape->rank - 1, at[XG_RANK_MAX], k;
    uint32_t dim;
    if (!xg_ints_at(d.lb, xg_attr_ints(i, XG_A_lhs_ragged_dims).p[0], &dim) || !s->elements ||
        !XG_OPERAND(i, 0)->shape->elements || !sizes->shape->elements)
        return xg_hb_splat(b, xg_hb_zero(b, s->type), s->dims, s->rank);
    for (k = 0; k < last; k++) at[k] = k;
    sizes = xg_hb_sum(b, xg_hb_convert(b, sizes, XLAGPU_S64), &last, 1);
    sizes = xg_hb_broadcast(b, sizes, s->dims, s->rank, at, (uint32_t)last);
    out = xg_hb_dot(b, XG_OPERAND(i, 0), XG_OPERAND(i, 1), d, s->type, i);
    row = xg_hb_iota(b, XLAGPU_S64, s->dims, s->rank, dim);
    row = xg_hb_compare(b, "LT", row, sizes);
    return xg_hb_select(b, row, out, xg_hb_int_like(b, out, 0));
}
XG_FN bool xg_contract_matches(const xg_inst *i) {
    if (i->op == XG_SCALED_DOT)
        return xg_scaled_fits(XG_OPERAND(i, 0)->shape, XG_OPERAND(i, 2)->shape) &&
               xg_scaled_fits(XG_OPERAND(i, 1)->shape, XG_OPERAND(i, 3)->shape);
    if (i->op == XG_RAGGED_DOT)
        return xg_ints_has(xg_attr_ints(i, XG_A_lhs_batch_dims), xg_attr_ints(i, XG_A_lhs_ragged_dims).p[0]) ||
               !i->shape->elements || !XG_OPERAND(i, 0)->shape->elements || !XG_OPERAND(i, 2)->shape->elements;
    return xg_scaled_is_call(i);
}
XG_FN xg_inst *xg_contract_expand(const xg_hb *b, xg_inst *i) {
    return i->op == XG_RAGGED_DOT   ? xg_ragged_expand(b, i)
           : i->op == XG_SCALED_DOT ? xg_scaled_dot_of(b, i, xg_dot_dims_of(i))
                                    : xg_scaled_expand_call(b, i);
}
XG_FN bool xg_expand_contract_expander(xg_module *m) {
    return (m->made[XG_SCALED_DOT] || m->made[XG_RAGGED_DOT] || m->made[XG_CUSTOM_CALL]) &&
           xg_opt_expand(m, xg_contract_matches, xg_contract_expand);
}

#endif /* XG_EXPAND_CONTRACT_EXPANDER_C */
