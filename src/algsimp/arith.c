/* algsimp/arith.c -- rules about numbers. What they promise stands in algsimp.h. */
#ifndef XG_ALGSIMP_ARITH_C
#define XG_ALGSIMP_ARITH_C
#include "algsimp.h"

#define RULE(name) XG_FN xg_inst *xg_alg_##name(xg_alg *a, xg_inst *i)
#define P(k) XG_OPERAND(i, k)
/* For a commutative i: x is one operand, y the other, in both orders. */
#define XG_EITHER(x, y) for (k = 0, x = P(0), y = P(1); k < 2; k++, x = P(1), y = P(0))

/* The instruction with its operands as they are, on smaller ones: shape is theirs. */
XG_FN xg_inst *xg_alg_again(xg_alg *a, xg_inst *i, xg_inst *const *operands, const int64_t *dims, uint32_t rank) {
    xg_inst *made = xg_inst_clone(i, i->comp, operands, i);
    made->shape = xg_hb_shape(&a->b, i->shape->type, dims, rank);
    return made;
}
/* op(op(x, c), d) is op(x, op(c, d)) where arithmetic is exact: c and d constants, x none. */
XG_FN xg_inst *xg_alg_fold_constants(xg_alg *a, xg_inst *i) {
    xg_inst *x, *y, *in, *c;
    uint32_t k, j;
    if (!xg_alg_is_int(i)) return NULL;
    XG_EITHER(in, y) {
        if (in->op != i->op || !xg_alg_scalar(y)) continue;
        for (j = 0; j < 2; j++) {
            c = XG_OPERAND(in, j);
            x = XG_OPERAND(in, 1 - j);
            if (xg_alg_scalar(c) && !xg_alg_scalar(x)) return xg_hb_2(&a->b, i->op, x, xg_hb_2(&a->b, i->op, c, y));
        }
    }
    return NULL;
}
/* x where the other operand is the number. */
XG_FN xg_inst *xg_alg_beside(xg_inst *i, double number) {
    xg_inst *x, *y;
    uint32_t k;
    XG_EITHER(x, y) if (xg_alg_is(y, number)) return x;
    return NULL;
}

/* All but f8e8m0fnu, which makes NaN of what is negative. */
XG_FN bool xg_alg_has_sign(const xg_inst *i) {
    const xg_float_format *f = xg_float_format_of(i->shape->type);
    return !f || f->has_sign;
}

/* ---- add, subtract ---- */

RULE(add_zero) {
    (void)a;
    return xg_alg_beside(i, xg_alg_is_int(i) ? 0.0 : -0.0);
}
RULE(add_negate) {
    xg_inst *x, *y;
    uint32_t k;
    if (!xg_alg_has_sign(i)) return NULL;
    XG_EITHER(x, y)
    if (y->op == XG_NEGATE && x->op != XG_NEGATE) return xg_hb_2(&a->b, XG_SUBTRACT, x, XG_OPERAND(y, 0));
    return NULL;
}
RULE(add_subtract) { /* (x - y) + y */
    xg_inst *x, *y;
    uint32_t k;
    (void)a;
    if (!xg_alg_is_int(i)) return NULL;
    XG_EITHER(x, y) if (x->op == XG_SUBTRACT && XG_OPERAND(x, 1) == y) return XG_OPERAND(x, 0);
    return NULL;
}
RULE(add_constants) { return xg_alg_fold_constants(a, i); }
RULE(subtract_zero) {
    (void)a;
    return xg_alg_is(P(1), 0.0) ? P(0) : NULL;
}
RULE(subtract_self) { return P(0) == P(1) && xg_alg_is_int(i) ? xg_hb_int_like(&a->b, i, 0) : NULL; }
RULE(subtract_negate) {
    return P(1)->op == XG_NEGATE && xg_alg_has_sign(i) ? xg_hb_2(&a->b, XG_ADD, P(0), XG_OPERAND(P(1), 0)) : NULL;
}
RULE(subtract_from_zero) {
    return xg_alg_is(P(0), xg_alg_is_int(i) ? 0.0 : -0.0) ? xg_hb_1(&a->b, XG_NEGATE, P(1)) : NULL;
}
RULE(subtract_sum) { /* (x + y) - y, x - (x - y), (x - y) - x */
    xg_inst *x = P(0), *y = P(1);
    if (!xg_alg_is_int(i)) return NULL;
    if (x->op == XG_ADD && XG_OPERAND(x, 1) == y) return XG_OPERAND(x, 0);
    if (x->op == XG_ADD && XG_OPERAND(x, 0) == y) return XG_OPERAND(x, 1);
    if (y->op == XG_SUBTRACT && XG_OPERAND(y, 0) == x) return XG_OPERAND(y, 1);
    if (x->op == XG_SUBTRACT && XG_OPERAND(x, 0) == y) return xg_hb_1(&a->b, XG_NEGATE, XG_OPERAND(x, 1));
    return NULL;
}

/* ---- multiply, divide, remainder ---- */

RULE(multiply_one) {
    (void)a;
    return xg_alg_beside(i, 1.0);
}
RULE(multiply_zero) {
    uint32_t k;
    (void)a;
    for (k = 0; k < 2; k++)
        if (xg_alg_is_int(i) && xg_alg_is(P(k), 0.0)) return P(k);
    return NULL;
}
RULE(multiply_minus_one) {
    xg_inst *x = xg_alg_beside(i, -1.0);
    return x ? xg_hb_1(&a->b, XG_NEGATE, x) : NULL;
}
XG_FN xg_inst *xg_alg_both_negated(xg_alg *a, xg_inst *i) {
    return P(0)->op == XG_NEGATE && P(1)->op == XG_NEGATE && !xg_alg_is_int(i) && xg_alg_has_sign(i)
               ? xg_hb_2(&a->b, i->op, XG_OPERAND(P(0), 0), XG_OPERAND(P(1), 0))
               : NULL;
}
RULE(multiply_negates) { return xg_alg_both_negated(a, i); }
/* |z| |z| is the sum of two squares, which overflow together. An infinite part beside one that is NaN makes NaN, as the
 * modulus does in XLA: to ask for it would cost more than the root did, in what is fused into contractions. */
RULE(multiply_moduli) {
    xg_inst *z = P(0)->op == XG_ABS && P(0) == P(1) ? XG_OPERAND(P(0), 0) : NULL, *re, *im;
    if (!z || xg_type_class(z->shape->type) != XGT_C) return NULL;
    re = xg_hb_1(&a->b, XG_REAL, z);
    re = xg_hb_2(&a->b, XG_MULTIPLY, re, re);
    im = xg_hb_1(&a->b, XG_IMAG, z);
    im = xg_hb_2(&a->b, XG_MULTIPLY, im, im);
    return xg_hb_2(&a->b, XG_ADD, re, im);
}
RULE(multiply_constants) { return xg_alg_fold_constants(a, i); }
RULE(divide_one) {
    (void)a;
    return xg_alg_is(P(1), 1.0) ? P(0) : NULL;
}
RULE(divide_negates) { return xg_type_class(i->shape->type) == XGT_F ? xg_alg_both_negated(a, i) : NULL; }
RULE(divide_power_of_two) { /* 1 / c is exact, so x / c and x * (1 / c) round the same number once */
    const xg_inst *c = xg_alg_scalar(P(1));
    const xg_float_format *f = c ? xg_float_format_of(c->shape->type) : NULL;
    double v, inverse;
    int exponent;
    if (!f || !f->has_sign) return NULL;
    v = xg_literal_get_float(c->literal, 0);
    if (v == 0 || v != v || v - v != 0 || fabs(frexp(v, &exponent)) != 0.5) return NULL;
    inverse = 1 / v;
    if (inverse - inverse != 0 || xg_float_decode(f->type, xg_float_encode(f->type, inverse)) != inverse) return NULL;
    return xg_hb_2(&a->b, XG_MULTIPLY, P(0), xg_hb_float_like(&a->b, i, inverse));
}
/* k of an unsigned constant 2^k, else -1. */
XG_FN int xg_alg_log2(const xg_inst *x) {
    const xg_inst *c = xg_alg_scalar(x);
    int64_t v;
    int k = 0;
    if (!c || xg_type_class(c->shape->type) != XGT_I || xg_type_signed(c->shape->type) ||
        !xg_literal_get_int(c->literal, 0, &v))
        return -1;
    if (v == 0 || ((uint64_t)v & ((uint64_t)v - 1))) return -1;
    while (((uint64_t)v >> k) != 1) k++;
    return k;
}
RULE(divide_shift) {
    int k = xg_alg_log2(P(1));
    return k > 0 ? xg_hb_2(&a->b, XG_SHIFT_RIGHT_LOGICAL, P(0), xg_hb_int_like(&a->b, i, k)) : NULL;
}
RULE(remainder_one) { return xg_alg_is(P(1), 1.0) && xg_alg_is_int(i) ? xg_hb_int_like(&a->b, i, 0) : NULL; }
RULE(remainder_mask) {
    int k = xg_alg_log2(P(1));
    return k > 0 ? xg_hb_2(&a->b, XG_AND, P(0), xg_hb_int_like(&a->b, i, ((int64_t)1 << k) - 1)) : NULL;
}

/* ---- one operand ---- */

RULE(negate_negate) {
    (void)a;
    return P(0)->op == XG_NEGATE && xg_alg_has_sign(i) ? XG_OPERAND(P(0), 0) : NULL;
}
RULE(negate_subtract) {
    return P(0)->op == XG_SUBTRACT && xg_alg_is_int(i)
               ? xg_hb_2(&a->b, XG_SUBTRACT, XG_OPERAND(P(0), 1), XG_OPERAND(P(0), 0))
               : NULL;
}
RULE(abs_abs) {
    if (P(0)->op == XG_ABS) return P(0);
    return P(0)->op == XG_NEGATE && xg_alg_has_sign(i) ? xg_hb_1(&a->b, XG_ABS, XG_OPERAND(P(0), 0)) : NULL;
}
RULE(not_not) {
    (void)a;
    return P(0)->op == XG_NOT ? XG_OPERAND(P(0), 0) : NULL;
}
/* Where nothing is unordered; equality is never unordered. */
RULE(not_compare) {
    XG_TABLE const char opposite[][2][3] = {
        {"EQ", "NE"}, {"NE", "EQ"}, {"LT", "GE"}, {"GE", "LT"}, {"GT", "LE"}, {"LE", "GT"}};
    xg_inst *c = P(0), *made;
    xg_str direction;
    size_t k;
    if (c->op != XG_COMPARE) return NULL;
    direction = xg_attr_str(c, XG_A_direction);
    for (k = 0; k < XG_COUNT(opposite); k++) {
        if (!xg_str_is(direction, opposite[k][0])) continue;
        if (k > 1 && !xg_alg_is_int(XG_OPERAND(c, 0))) return NULL;
        made = xg_hb_compare(&a->b, opposite[k][1], XG_OPERAND(c, 0), XG_OPERAND(c, 1));
        if (xg_inst_attr(c, XG_A_type)) xg_inst_set_attr(made, *xg_inst_attr(c, XG_A_type));
        return made;
    }
    return NULL;
}
/* Where the largest number is one: a type without infinity may end at 7.5. */
XG_FN xg_inst *xg_alg_integral(xg_inst *i) {
    const xg_float_format *f = xg_float_format_of(i->shape->type);
    if (!f->has_infinity) return NULL;
    switch (P(0)->op) {
    case XG_FLOOR:
    case XG_CEIL:
    case XG_ROUND_NEAREST_AFZ:
    case XG_ROUND_NEAREST_EVEN: return P(0);
    default: return NULL;
    }
}
RULE(floor_integral) {
    (void)a;
    return xg_alg_integral(i);
}
RULE(ceil_integral) {
    (void)a;
    return xg_alg_integral(i);
}
RULE(round_afz_integral) {
    (void)a;
    return xg_alg_integral(i);
}
RULE(round_even_integral) {
    (void)a;
    return xg_alg_integral(i);
}

/* ---- power ---- */

XG_FN bool xg_alg_is_real(const xg_inst *i) { return (xg_type_class(i->shape->type) & (XGT_I | XGT_F)) != 0; }
XG_FN bool xg_alg_is_wide(const xg_inst *i) { return i->shape->type == XLAGPU_F32 || i->shape->type == XLAGPU_F64; }
RULE(power_zero) {
    return xg_alg_is_real(i) && (xg_alg_is(P(1), 0.0) || xg_alg_is(P(1), -0.0)) ? xg_hb_int_like(&a->b, i, 1) : NULL;
}
RULE(power_one) {
    (void)a;
    return xg_alg_is(P(1), 1.0) ? P(0) : NULL;
}
RULE(power_square) { return xg_alg_is(P(1), 2.0) ? xg_hb_2(&a->b, XG_MULTIPLY, P(0), P(0)) : NULL; }
RULE(power_cube) { /* two roundings, as many as a function has; not where they are coarse */
    if (!xg_alg_is(P(1), 3.0) || (!xg_alg_is_wide(i) && !xg_alg_is_int(i))) return NULL;
    return xg_hb_2(&a->b, XG_MULTIPLY, xg_hb_2(&a->b, XG_MULTIPLY, P(0), P(0)), P(0));
}
RULE(power_reciprocal) {
    return xg_type_class(i->shape->type) == XGT_F && xg_alg_is(P(1), -1.0)
               ? xg_hb_2(&a->b, XG_DIVIDE, xg_hb_float_like(&a->b, i, 1), P(0))
               : NULL;
}

/* x sqrt(x), and 1 / sqrt(x) / x, where no number between is too large or too small: of -inf what inf gives. */
RULE(power_half) {
    double inf = xg_f64_of_bits(XG_F64_INFINITY);
    bool up = xg_alg_is(P(1), 1.5);
    xg_inst *x, *root;
    if (i->shape->type != XLAGPU_F32 || (!up && !xg_alg_is(P(1), -1.5))) return NULL; /* of f64 pow is more exact */
    x = xg_hb_compare(&a->b, "EQ", P(0), xg_hb_float_like(&a->b, i, -inf));
    x = xg_hb_select(&a->b, x, xg_hb_float_like(&a->b, i, inf), P(0));
    root = xg_hb_1(&a->b, XG_SQRT, x);
    if (up) return xg_hb_2(&a->b, XG_MULTIPLY, x, root);
    return xg_hb_2(&a->b, XG_DIVIDE, xg_hb_2(&a->b, XG_DIVIDE, xg_hb_float_like(&a->b, i, 1), root), x);
}

/* ---- maximum, minimum, clamp ---- */

XG_FN xg_inst *xg_alg_same_operands(xg_inst *i) { return P(0) == P(1) ? P(0) : NULL; }
/* max(x, lowest) is x, min(x, lowest) is lowest unless x may be NaN; likewise with the highest. */
XG_FN xg_inst *xg_alg_extreme(xg_inst *i, bool neutral_is_highest) {
    xg_inst *x, *y;
    uint32_t k;
    XG_EITHER(x, y) {
        if (xg_alg_is_extreme(y, neutral_is_highest)) return x;
        if (xg_alg_is_int(i) && xg_alg_is_extreme(y, !neutral_is_highest)) return y;
    }
    return NULL;
}
/* op(op(x, y), y) */
XG_FN xg_inst *xg_alg_absorbed(xg_inst *i) {
    xg_inst *x, *y;
    uint32_t k;
    XG_EITHER(x, y) if (x->op == i->op && (XG_OPERAND(x, 0) == y || XG_OPERAND(x, 1) == y)) return x;
    return NULL;
}
RULE(maximum_self) {
    (void)a;
    return xg_alg_same_operands(i);
}
RULE(maximum_lowest) {
    (void)a;
    return xg_alg_extreme(i, false);
}
RULE(maximum_again) {
    (void)a;
    return xg_alg_absorbed(i);
}
RULE(minimum_self) {
    (void)a;
    return xg_alg_same_operands(i);
}
RULE(minimum_highest) {
    (void)a;
    return xg_alg_extreme(i, true);
}
RULE(minimum_again) {
    (void)a;
    return xg_alg_absorbed(i);
}
RULE(clamp_open) { /* a bound that never binds; bounds of integers may be scalars */
    xg_inst *x = P(1);
    if (!xg_alg_is_int(i)) return NULL;
    if (xg_alg_is_extreme(P(0), false) && P(2)->shape->plain == i->shape->plain)
        return xg_hb_2(&a->b, XG_MINIMUM, x, P(2));
    if (xg_alg_is_extreme(P(2), true) && P(0)->shape->plain == i->shape->plain)
        return xg_hb_2(&a->b, XG_MAXIMUM, x, P(0));
    return NULL;
}

/* ---- bits ---- */

RULE(and_self) {
    (void)a;
    return xg_alg_same_operands(i);
}
RULE(and_constant) {
    xg_inst *x, *y;
    uint32_t k;
    (void)a;
    XG_EITHER(x, y) {
        if (xg_alg_is_all_ones(y)) return x;
        if (xg_alg_is(y, 0.0)) return y;
    }
    return NULL;
}
RULE(and_constants) { return xg_alg_fold_constants(a, i); }
RULE(or_self) {
    (void)a;
    return xg_alg_same_operands(i);
}
RULE(or_constant) {
    xg_inst *x, *y;
    uint32_t k;
    (void)a;
    XG_EITHER(x, y) {
        if (xg_alg_is(y, 0.0)) return x;
        if (xg_alg_is_all_ones(y)) return y;
    }
    return NULL;
}
RULE(or_constants) { return xg_alg_fold_constants(a, i); }
RULE(xor_self) { return P(0) == P(1) ? xg_hb_int_like(&a->b, i, 0) : NULL; }
RULE(xor_constant) {
    xg_inst *x, *y;
    uint32_t k;
    XG_EITHER(x, y) {
        if (xg_alg_is(y, 0.0)) return x;
        if (xg_alg_is_all_ones(y)) return xg_hb_1(&a->b, XG_NOT, x);
    }
    return NULL;
}
RULE(xor_constants) { return xg_alg_fold_constants(a, i); }
XG_FN xg_inst *xg_alg_no_shift(xg_inst *i) { return xg_alg_is(P(1), 0.0) ? P(0) : NULL; }
RULE(shift_left_zero) {
    (void)a;
    return xg_alg_no_shift(i);
}
RULE(shift_right_logical_zero) {
    (void)a;
    return xg_alg_no_shift(i);
}
RULE(shift_right_arithmetic_zero) {
    (void)a;
    return xg_alg_no_shift(i);
}

/* ---- complex ---- */

RULE(real_complex) {
    (void)a;
    return P(0)->op == XG_COMPLEX ? XG_OPERAND(P(0), 0) : xg_type_class(P(0)->shape->type) == XGT_F ? P(0) : NULL;
}
RULE(imag_complex) {
    if (P(0)->op == XG_COMPLEX) return XG_OPERAND(P(0), 1);
    return xg_type_class(P(0)->shape->type) == XGT_F ? xg_hb_int_like(&a->b, i, 0) : NULL;
}
RULE(complex_parts) {
    xg_inst *re = P(0), *im = P(1);
    (void)a;
    if (re->op != XG_REAL || im->op != XG_IMAG || XG_OPERAND(re, 0) != XG_OPERAND(im, 0)) return NULL;
    return XG_OPERAND(re, 0)->shape->type == i->shape->type ? XG_OPERAND(re, 0) : NULL;
}

/* ---- compare, select ---- */

RULE(compare_self) {
    xg_str d = xg_attr_str(i, XG_A_direction);
    bool total = xg_attr_is(i, XG_A_type, "TOTALORDER");
    if (P(0) != P(1) || !(xg_alg_is_int(P(0)) || total)) return NULL;
    return xg_hb_int_like(&a->b, i, xg_word_in("EQ LE GE", d) >= 0);
}
RULE(compare_unsigned_zero) { /* u < 0 and 0 > u never, u >= 0 and 0 <= u always */
    xg_str d = xg_attr_str(i, XG_A_direction);
    xlagpu_type t = P(0)->shape->type;
    if (xg_type_class(t) != XGT_I || xg_type_signed(t)) return NULL;
    if (xg_alg_is(P(1), 0.0)) {
        if (xg_str_is(d, "LT")) return xg_hb_int_like(&a->b, i, 0);
        if (xg_str_is(d, "GE")) return xg_hb_int_like(&a->b, i, 1);
    }
    if (xg_alg_is(P(0), 0.0)) {
        if (xg_str_is(d, "GT")) return xg_hb_int_like(&a->b, i, 0);
        if (xg_str_is(d, "LE")) return xg_hb_int_like(&a->b, i, 1);
    }
    return NULL;
}
/* p == true, p != false: p; p == false, p != true: not p. */
XG_FN xg_inst *xg_alg_truth(xg_alg *a, xg_inst *p, bool equal, bool with) {
    return equal == with ? p : xg_hb_1(&a->b, XG_NOT, p);
}
RULE(compare_pred) {
    xg_str d = xg_attr_str(i, XG_A_direction);
    xg_inst *x, *y;
    uint32_t k;
    if (!xg_alg_is_pred(P(0)) || xg_word_in("EQ NE", d) < 0) return NULL;
    XG_EITHER(x, y)
    if (xg_alg_is(y, 0.0) || xg_alg_is(y, 1.0)) return xg_alg_truth(a, x, xg_str_is(d, "EQ"), xg_alg_is(y, 1.0));
    return NULL;
}
RULE(compare_converted_pred) {
    xg_str d = xg_attr_str(i, XG_A_direction);
    xg_inst *x, *y;
    uint32_t k;
    if (xg_word_in("EQ NE", d) < 0 || xg_attr_is(i, XG_A_type, "TOTALORDER")) return NULL;
    XG_EITHER(x, y)
    if (x->op == XG_CONVERT && xg_alg_is_pred(XG_OPERAND(x, 0)) && (xg_alg_is(y, 0.0) || xg_alg_is(y, 1.0)))
        return xg_alg_truth(a, XG_OPERAND(x, 0), xg_str_is(d, "EQ"), xg_alg_is(y, 1.0));
    return NULL;
}
RULE(select_constant) {
    (void)a;
    return xg_alg_is(P(0), 1.0) ? P(1) : xg_alg_is(P(0), 0.0) ? P(2) : NULL;
}
RULE(select_same) {
    (void)a;
    return P(1) == P(2) ? P(1) : NULL;
}
RULE(select_not) { return P(0)->op == XG_NOT ? xg_hb_select(&a->b, XG_OPERAND(P(0), 0), P(2), P(1)) : NULL; }
RULE(select_pred) { /* select(p, true, y) is p or y; select(p, x, false) is p and x; with true and false p itself */
    xg_inst *p = P(0), *x = P(1), *y = P(2);
    if (!xg_alg_is_pred(i) || p->shape->plain != i->shape->plain) return NULL;
    if (xg_alg_is(x, 1.0)) return xg_alg_is(y, 0.0) ? p : xg_hb_2(&a->b, XG_OR, p, y);
    if (xg_alg_is(y, 0.0)) return xg_hb_2(&a->b, XG_AND, p, x);
    return xg_alg_is(x, 0.0) && xg_alg_is(y, 1.0) ? xg_hb_1(&a->b, XG_NOT, p) : NULL;
}
RULE(select_select) { /* the same predicate again */
    xg_inst *x = P(1), *y = P(2);
    if (x->op == XG_SELECT && XG_OPERAND(x, 0) == P(0)) return xg_hb_select(&a->b, P(0), XG_OPERAND(x, 1), y);
    if (y->op == XG_SELECT && XG_OPERAND(y, 0) == P(0)) return xg_hb_select(&a->b, P(0), x, XG_OPERAND(y, 2));
    return NULL;
}

/* ---- types ---- */

/* Is every value of `from` a value of `to`? */
XG_FN bool xg_alg_lossless(xlagpu_type from, xlagpu_type to) {
    const xg_float_format *f = xg_float_format_of(from), *t = xg_float_format_of(to);
    int bits = xg_type_bits(from) - (from != XLAGPU_PRED && xg_type_signed(from) ? 1 : 0);
    if (from == to) return true;
    if (f && t)
        return (t->has_sign || !f->has_sign) && t->has_infinity >= f->has_infinity && t->has_nan >= f->has_nan &&
               t->has_zero >= f->has_zero && xg_float_holds(t, f);
    if (!(xg_type_class(from) & (XGT_I | XGT_P))) return false;
    if (t) return t->has_sign && t->has_zero && t->has_infinity && t->mantissa_bits + 1 >= bits && t->bias >= bits;
    if (xg_type_class(to) != XGT_I) return false;
    return xg_type_signed(to) ? xg_type_bits(to) - 1 >= bits
                              : bits <= xg_type_bits(to) && !(from != XLAGPU_PRED && xg_type_signed(from));
}
RULE(convert_same) {
    (void)a;
    return P(0)->shape->type == i->shape->type ? P(0) : NULL;
}
/* The middle type holds what it is given, so the last conversion sees the first value. From float to integer is
 * clamped, from integer to integer wrapped: then a detour through a float is another thing. */
RULE(convert_convert) {
    xlagpu_type from, through = P(0)->shape->type, to = i->shape->type;
    if (P(0)->op != XG_CONVERT) return NULL;
    from = XG_OPERAND(P(0), 0)->shape->type;
    if (!xg_alg_lossless(from, through)) return NULL;
    if (from == to) return XG_OPERAND(P(0), 0);
    if (xg_float_format_of(through) && !xg_float_format_of(from) && (xg_type_class(to) & (XGT_I | XGT_P))) return NULL;
    if (xg_type_class(to) == XGT_C || (to == XLAGPU_PRED && through != XLAGPU_PRED && xg_float_format_of(through)))
        return NULL;
    return xg_hb_convert(&a->b, XG_OPERAND(P(0), 0), to);
}
RULE(bitcast_convert_same) {
    (void)a;
    return P(0)->shape->plain == i->shape->plain ? P(0) : NULL;
}
RULE(bitcast_convert_twice) { /* of one width: elements stay where they are */
    xg_inst *x;
    if (P(0)->op != XG_BITCAST_CONVERT) return NULL;
    x = XG_OPERAND(P(0), 0);
    if (!xg_shape_same_dims(x->shape, i->shape) || !xg_shape_same_dims(P(0)->shape, i->shape)) return NULL;
    return x->shape->type == i->shape->type ? x : xg_hb_bitcast_convert(&a->b, x, i->shape->type);
}
RULE(reduce_precision_same) {
    const xg_float_format *f = xg_float_format_of(i->shape->type);
    (void)a;
    return f && f->bits > 8 /* narrower ones go by way of f16, which has subnormals of its own */ &&
                   xg_attr_or_0(i, XG_A_exponent_bits) >= f->exponent_bits &&
                   xg_attr_or_0(i, XG_A_mantissa_bits) >= f->mantissa_bits
               ? P(0)
               : NULL;
}
RULE(copy_same) {
    (void)a;
    return P(0)->shape == i->shape && i != i->comp->root ? P(0) : NULL;
}

/* ---- all elementwise operations ---- */

/* op(broadcast(x), broadcast(y), broadcast(scalar)) is broadcast(op(x, y, scalar)): fewer elements to compute. */
RULE(of_broadcasts) {
    xg_inst *model = NULL, **in;
    xg_ints places;
    uint32_t k;
    if (i->n_operands == 0 || i->op == XG_COPY || i == i->comp->root || i->shape->elements <= 1) return NULL;
    for (k = 0; k < i->n_operands; k++) {
        xg_inst *o = P(k);
        if (o->op != XG_BROADCAST || o->shape->rank != i->shape->rank) return NULL;
        if (!model || XG_OPERAND(o, 0)->shape->rank > XG_OPERAND(model, 0)->shape->rank) model = o;
    }
    places = xg_attr_dims(model);
    if (XG_OPERAND(model, 0)->shape->elements == i->shape->elements) return NULL;
    in = XG_NEW_N(a->m->arena, xg_inst *, i->n_operands);
    for (k = 0; k < i->n_operands; k++) {
        xg_inst *x = XG_OPERAND(P(k), 0);
        xg_ints p = xg_attr_dims(P(k));
        if (x->shape->rank && !(xg_shape_same_dims(x->shape, XG_OPERAND(model, 0)->shape) && p.n == places.n &&
                                  memcmp(p.p, places.p, p.n * sizeof *p.p) == 0))
            return NULL;
        in[k] = x;
    }
    for (k = 0; k < i->n_operands; k++)
        in[k] = xg_hb_splat(&a->b, in[k], XG_OPERAND(model, 0)->shape->dims,
            in[k]->shape->rank ? 0 : XG_OPERAND(model, 0)->shape->rank);
    return xg_hb_broadcast(&a->b,
        xg_alg_again(a, i, in, XG_OPERAND(model, 0)->shape->dims, XG_OPERAND(model, 0)->shape->rank), i->shape->dims,
        i->shape->rank, places.p, places.n);
}
/* The operands of i before the movement `op`, which all arrays among them make from one shape and which moves nothing
 * else; NULL where that would not leave fewer movements. Scalars that are broadcast are the same in any shape. */
XG_FN xg_inst **xg_alg_before_movement(xg_alg *a, xg_inst *i, xg_opcode op) {
    xg_inst *model = NULL, **in;
    uint32_t k, n = 0;
    if (i->n_operands < 2 || i->op == XG_COPY) return NULL;
    for (k = 0; k < i->n_operands; k++) {
        xg_inst *o = P(k);
        if (o->shape->rank != i->shape->rank) return NULL;
        if (o->op == XG_BROADCAST && XG_OPERAND(o, 0)->shape->rank == 0) continue;
        if (o->op != op || !xg_opt_has_one_user(o)) return NULL;
        if (model && (!xg_shape_same_dims(XG_OPERAND(o, 0)->shape, XG_OPERAND(model, 0)->shape) ||
                         (op == XG_TRANSPOSE && !xg_ints_equal(xg_attr_dims(o), xg_attr_dims(model)))))
            return NULL;
        model = o;
        n++;
    }
    if (n < 2) return NULL;
    in = XG_NEW_N(a->m->arena, xg_inst *, i->n_operands);
    for (k = 0; k < i->n_operands; k++)
        in[k] = P(k)->op == op ? XG_OPERAND(P(k), 0)
                               : xg_hb_splat(&a->b, XG_OPERAND(P(k), 0), XG_OPERAND(model, 0)->shape->dims,
                                     XG_OPERAND(model, 0)->shape->rank);
    return in;
}
XG_FN const xg_shape *xg_alg_moved_shape(const xg_inst *i, xg_opcode op) {
    uint32_t k = 0;
    while (P(k)->op != op) k++;
    return XG_OPERAND(P(k), 0)->shape;
}
RULE(of_reshapes) {
    xg_inst **in = xg_alg_before_movement(a, i, XG_RESHAPE);
    const xg_shape *s = in ? xg_alg_moved_shape(i, XG_RESHAPE) : NULL;
    return in ? xg_hb_reshape(&a->b, xg_alg_again(a, i, in, s->dims, s->rank), i->shape->dims, i->shape->rank) : NULL;
}
RULE(of_transposes) {
    xg_inst **in = xg_alg_before_movement(a, i, XG_TRANSPOSE);
    const xg_shape *s = in ? xg_alg_moved_shape(i, XG_TRANSPOSE) : NULL;
    uint32_t k = 0;
    if (!in) return NULL;
    while (P(k)->op != XG_TRANSPOSE) k++;
    return xg_hb_transpose(&a->b, xg_alg_again(a, i, in, s->dims, s->rank), xg_attr_dims(P(k)).p);
}
#undef RULE
#undef P
#undef XG_EITHER

#endif /* XG_ALGSIMP_ARITH_C */
