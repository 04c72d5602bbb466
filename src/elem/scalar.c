/* elem/scalar.c -- the scalar meaning of unary, binary and compare opcodes for real element types.
 *
 * Laws (XLA's edges)
 * - Integer division by zero gives all ones, the remainder x; MIN / -1 gives MIN, remainder 0. The divisor is replaced
 *   by 1 where it is unsafe, so that no undefined operation is executed.
 * - Shift amounts are unsigned; beyond the width they give 0, or the sign for arithmetic shifts.
 * - pred: add and maximum are or, multiply and minimum are and.
 * - f8, f6 and f4 compute in f32 and round once; bf16 and f16 stay, the target decides how they compute. */
#ifndef XG_ELEM_SCALAR_C
#define XG_ELEM_SCALAR_C
#include "elem.h"

XG_FN xg_kelem xg_scalar_elem(const xg_kval *v) { return v->type->elem; }
XG_FN xg_kval *xg_scalar_int(xg_kb *b, const xg_kval *like, int64_t v) {
    return xg_kconst_int(b, xg_scalar_elem(like), v);
}
XG_FN xg_kval *xg_scalar_float(xg_kb *b, const xg_kval *like, double v) {
    return xg_kconst_float(b, xg_scalar_elem(like), v);
}
XG_FN bool xg_scalar_is_small_float(xlagpu_type t) { return xg_type_class(t) == XGT_F && xg_type_bits(t) <= 8; }

XG_FN xg_kval *xg_scalar_wrap(xg_kb *b, xg_kval *v, xlagpu_type t) {
    int bits = xg_type_bits(t);
    if (xg_type_class(t) != XGT_I || bits >= 8) return v;
    if (!xg_type_signed(t)) return xg_kandi(b, v, xg_scalar_int(b, v, (1 << bits) - 1));
    v = xg_k2(b, XG_K_OP_SHLI, v, xg_scalar_int(b, v, 8 - bits));
    return xg_k2(b, XG_K_OP_SHRSI, v, xg_scalar_int(b, v, 8 - bits));
}

XG_NORETURN XG_FN void xg_scalar_refuse(const xg_inst *i, xlagpu_type t) {
    xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, NULL, "%s on %s has no meaning as kernel code", xg_op_name(i->op),
        xg_type_name(t));
}

/* ---- one operand ---- */

XG_FN xg_kval *xg_scalar_unary_pred(xg_kb *b, const xg_inst *i, xg_kval *x) {
    if (i->op == XG_NOT) return xg_k2(b, XG_K_OP_XORI, x, xg_scalar_int(b, x, 1));
    if (i->op == XG_COPY) return x;
    xg_scalar_refuse(i, XLAGPU_PRED);
}

/* The count runs over the element's own width, which is less than the register's for small types. */
XG_FN xg_kval *xg_scalar_count(xg_kb *b, const xg_inst *i, xlagpu_type t, xg_kval *x) {
    int bits = xg_type_bits(t);
    xg_kval *n;
    if (bits < 8) x = xg_kandi(b, x, xg_scalar_int(b, x, (1 << bits) - 1));
    n = xg_k1(b, i->op == XG_POPCNT ? XG_K_OP_CTPOP : XG_K_OP_CTLZ, x);
    if (i->op == XG_COUNT_LEADING_ZEROS && bits < 8) n = xg_ksubi(b, n, xg_scalar_int(b, x, 8 - bits));
    return xg_scalar_wrap(b, n, t);
}

XG_FN xg_kval *xg_scalar_unary_int(xg_kb *b, const xg_inst *i, xlagpu_type t, xg_kval *x) {
    xg_kval *zero = xg_scalar_int(b, x, 0);
    switch (i->op) {
    case XG_ABS: return xg_type_signed(t) ? xg_scalar_wrap(b, xg_k2(b, XG_K_OP_MAXSI, x, xg_ksubi(b, zero, x)), t) : x;
    case XG_NEGATE: return xg_scalar_wrap(b, xg_ksubi(b, zero, x), t);
    case XG_NOT: return xg_scalar_wrap(b, xg_k2(b, XG_K_OP_XORI, x, xg_scalar_int(b, x, -1)), t);
    case XG_SIGN:
        if (!xg_type_signed(t)) return XG_KSELECT(b, XG_KCMPI(b, XG_CI_NE, x, zero), xg_scalar_int(b, x, 1), zero);
        return XG_KOP2(b, XG_K_OP_MAXSI, XG_KOP2(b, XG_K_OP_MINSI, x, xg_scalar_int(b, x, 1)), xg_scalar_int(b, x, -1));
    case XG_POPCNT:
    case XG_COUNT_LEADING_ZEROS: return xg_scalar_count(b, i, t, x);
    case XG_COPY: return x;
    default: xg_scalar_refuse(i, t);
    }
}

/* Direct counterparts of float opcodes. */
XG_FN int xg_scalar_float_op(xg_opcode op) {
    switch (op) {
    case XG_ABS: return XG_K_OP_ABSF;
    case XG_NEGATE: return XG_K_OP_NEGF;
    case XG_FLOOR: return XG_K_OP_FLOOR;
    case XG_CEIL: return XG_K_OP_CEIL;
    case XG_ROUND_NEAREST_AFZ: return XG_K_OP_ROUND;
    case XG_ROUND_NEAREST_EVEN: return XG_K_OP_ROUNDEVEN;
    case XG_EXPONENTIAL: return XG_K_OP_EXP;
    case XG_EXPONENTIAL_MINUS_ONE: return XG_K_OP_EXPM1;
    case XG_LOG: return XG_K_OP_LOG;
    case XG_LOG_PLUS_ONE: return XG_K_OP_LOG1P;
    case XG_SQRT: return XG_K_OP_SQRT;
    case XG_RSQRT: return XG_K_OP_RSQRT;
    case XG_CBRT: return XG_K_OP_CBRT;
    case XG_TANH: return XG_K_OP_TANH;
    case XG_TAN: return XG_K_OP_TAN;
    case XG_SINE: return XG_K_OP_SIN;
    case XG_COSINE: return XG_K_OP_COS;
    case XG_ERF: return XG_K_OP_ERF;
    case XG_ACOS: return XG_K_OP_ACOS;
    case XG_ACOSH: return XG_K_OP_ACOSH;
    case XG_ASIN: return XG_K_OP_ASIN;
    case XG_ASINH: return XG_K_OP_ASINH;
    case XG_ATANH: return XG_K_OP_ATANH;
    case XG_SINH: return XG_K_OP_SINH;
    case XG_COSH: return XG_K_OP_COSH;
    default: return -1;
    }
}

/* 1 / (1 + exp(-x)), in at least f32 so that a 16-bit result is rounded once. */
XG_FN xg_kval *xg_scalar_logistic(xg_kb *b, xg_kval *x) {
    xg_kelem e = xg_scalar_elem(x);
    xg_kval *w = e == XG_E_F64 || e == XG_E_F32 ? x : xg_kcast(b, XG_K_OP_EXTF, x, XG_E_F32);
    xg_kval *one = xg_scalar_float(b, w, 1);
    w = xg_k2(b, XG_K_OP_DIVF, one, xg_k2(b, XG_K_OP_ADDF, one, xg_k1(b, XG_K_OP_EXP, xg_k1(b, XG_K_OP_NEGF, w))));
    return w->type->elem == e ? w : xg_kcast(b, XG_K_OP_TRUNCF, w, e);
}

XG_FN xg_kval *xg_scalar_unary_float(xg_kb *b, const xg_inst *i, xlagpu_type t, xg_kval *x) {
    int op = xg_scalar_float_op(i->op);
    if (op >= 0) return xg_k1(b, (xg_kopcode)op, x);
    switch (i->op) {
    case XG_COPY:
    case XG_REAL: return x;
    case XG_IMAG: return xg_scalar_float(b, x, 0);
    case XG_LOGISTIC: return xg_scalar_logistic(b, x);
    case XG_IS_FINITE: return XG_KCMPF(b, XG_CF_OLT, xg_k1(b, XG_K_OP_ABSF, x), xg_scalar_float(b, x, HUGE_VAL));
    case XG_SIGN: { /* NaN and zeros stay what they are */
        xg_kval *zero = xg_scalar_float(b, x, 0), *keep = xg_kcmpf_(b, XG_CF_UEQ, x, zero);
        return xg_kselect(b, keep, x, xg_k2(b, XG_K_OP_COPYSIGN, xg_scalar_float(b, x, 1), x));
    }
    default: xg_scalar_refuse(i, t);
    }
}

XG_FN xg_kval *xg_scalar_unary(xg_kb *b, const xg_inst *i, xlagpu_type t, xg_kval *x) {
    if (i->op == XG_COPY) return x;
    if (t == XLAGPU_PRED) return xg_scalar_unary_pred(b, i, x);
    if (xg_type_class(t) == XGT_I) return xg_scalar_unary_int(b, i, t, x);
    if (!xg_scalar_is_small_float(t)) return xg_scalar_unary_float(b, i, t, x);
    x = xg_scalar_unary_float(b, i, XLAGPU_F32, xg_scalar_widen(b, x));
    return x->type->elem == XG_E_I1 ? x : xg_kcast(b, XG_K_OP_TRUNCF, x, xg_kelem_of(t));
}

/* ---- two operands ---- */

XG_FN xg_kval *xg_scalar_binary_pred(xg_kb *b, const xg_inst *i, xg_kval *x, xg_kval *y) {
    switch (i->op) {
    case XG_ADD:
    case XG_MAXIMUM:
    case XG_OR: return xg_k2(b, XG_K_OP_ORI, x, y);
    case XG_MULTIPLY:
    case XG_MINIMUM:
    case XG_AND: return xg_kandi(b, x, y);
    case XG_XOR: return xg_k2(b, XG_K_OP_XORI, x, y);
    default: xg_scalar_refuse(i, XLAGPU_PRED);
    }
}

XG_FN int64_t xg_scalar_min_int(xlagpu_type t) {
    int bits = xg_type_bits(t);
    return bits == 64 ? INT64_MIN : -((int64_t)1 << (bits - 1));
}

XG_FN xg_kval *xg_scalar_divide(xg_kb *b, const xg_inst *i, xlagpu_type t, xg_kval *x, xg_kval *y) {
    bool is_signed = xg_type_signed(t), quotient = i->op == XG_DIVIDE;
    xg_kval *zero = xg_scalar_int(b, x, 0), *one = xg_scalar_int(b, x, 1), *by_zero = xg_kcmpi_(b, XG_CI_EQ, y, zero),
            *unsafe = by_zero, *overflow = NULL, *r;
    if (is_signed) {
        overflow = XG_KOP2(b, XG_K_OP_ANDI, XG_KCMPI(b, XG_CI_EQ, y, xg_scalar_int(b, x, -1)),
            XG_KCMPI(b, XG_CI_EQ, x, xg_scalar_int(b, x, xg_scalar_min_int(t))));
        unsafe = xg_k2(b, XG_K_OP_ORI, by_zero, overflow);
    }
    y = xg_kselect(b, unsafe, one, y); /* MIN / 1 is MIN and MIN % 1 is 0: what overflow asks for */
    r = xg_k2(
        b, quotient ? (is_signed ? XG_K_OP_DIVSI : XG_K_OP_DIVUI) : (is_signed ? XG_K_OP_REMSI : XG_K_OP_REMUI), x, y);
    return xg_scalar_wrap(b, xg_kselect(b, by_zero, quotient ? xg_scalar_int(b, x, -1) : x, r), t);
}

XG_FN xg_kval *xg_scalar_shift(xg_kb *b, const xg_inst *i, xlagpu_type t, xg_kval *x, xg_kval *y) {
    int bits = xg_type_bits(t);
    bool arithmetic = i->op == XG_SHIFT_RIGHT_ARITHMETIC;
    xg_kval *limit = xg_scalar_int(b, x, bits), *inside, *r;
    if (bits < 8) { /* amounts are unsigned in the element's width; logical shifts see only its bits */
        y = xg_kandi(b, y, xg_scalar_int(b, y, (1 << bits) - 1));
        if (i->op == XG_SHIFT_RIGHT_LOGICAL) x = xg_kandi(b, x, xg_scalar_int(b, x, (1 << bits) - 1));
        if (arithmetic && !xg_type_signed(t)) {
            x = xg_k2(b, XG_K_OP_SHLI, x, xg_scalar_int(b, x, 8 - bits));
            x = xg_k2(b, XG_K_OP_SHRSI, x, xg_scalar_int(b, x, 8 - bits));
        }
    }
    inside = xg_kcmpi_(b, XG_CI_ULT, y, limit);
    y = xg_kselect(b, inside, y, xg_scalar_int(b, y, arithmetic ? bits - 1 : 0));
    r = xg_k2(b, i->op == XG_SHIFT_LEFT ? XG_K_OP_SHLI : arithmetic ? XG_K_OP_SHRSI : XG_K_OP_SHRUI, x, y);
    if (!arithmetic) r = xg_kselect(b, inside, r, xg_scalar_int(b, r, 0));
    return xg_scalar_wrap(b, r, t);
}

/* Square and multiply over the six low bits of the exponent (higher ones cannot matter below overflow, as XLA has it);
 * a negative exponent leaves only the powers of 1 and -1 different from 0. */
XG_FN xg_kval *xg_scalar_int_power(xg_kb *b, xlagpu_type t, xg_kval *x, xg_kval *y) {
    xg_kval *one = xg_scalar_int(b, x, 1), *zero = xg_scalar_int(b, x, 0), *r = one, *p = x, *n = y, *odd;
    int k, steps = xg_type_bits(t) < 6 ? xg_type_bits(t) : 6;
    for (k = 0; k < steps; k++) {
        odd = xg_kcmpi_(b, XG_CI_NE, xg_kandi(b, n, one), zero);
        r = xg_kselect(b, odd, xg_k2(b, XG_K_OP_MULI, r, p), r);
        if (k + 1 < steps) {
            p = xg_k2(b, XG_K_OP_MULI, p, p);
            n = xg_k2(b, XG_K_OP_SHRUI, n, one);
        }
    }
    if (xg_type_signed(t) || xg_type_bits(t) >= 8) { /* XLA takes the highest bit as a sign even of unsigned types */
        xg_kval *minus = xg_scalar_int(b, x, -1), *parity = xg_kcmpi_(b, XG_CI_NE, xg_kandi(b, y, one), zero);
        xg_kval *other = XG_KSELECT(b, XG_KCMPI(b, XG_CI_EQ, x, one), one,
            XG_KSELECT(b, XG_KCMPI(b, XG_CI_EQ, x, minus), XG_KSELECT(b, parity, minus, one), zero));
        r = xg_kselect(b, xg_kcmpi_(b, XG_CI_SLT, y, zero), other, r);
    }
    return xg_scalar_wrap(b, r, t);
}

/* The high half of the product. Under 32 bits the whole product fits a wider register. */
XG_FN xg_kval *xg_scalar_mulhi(xg_kb *b, xlagpu_type t, xg_kval *x, xg_kval *y) {
    int bits = xg_type_bits(t);
    bool is_signed = xg_type_signed(t);
    xg_kopcode ext = is_signed ? XG_K_OP_EXTSI : XG_K_OP_EXTUI;
    xg_kelem e = xg_scalar_elem(x);
    xg_kval *p;
    if (bits >= 32) return xg_k2(b, is_signed ? XG_K_OP_MULHSI : XG_K_OP_MULHUI, x, y);
    p = XG_KOP2(b, XG_K_OP_MULI, xg_kcast(b, ext, x, XG_E_I32), xg_kcast(b, ext, y, XG_E_I32));
    p = xg_k2_int(b, is_signed ? XG_K_OP_SHRSI : XG_K_OP_SHRUI, p, bits);
    return xg_scalar_wrap(b, xg_kcast(b, XG_K_OP_TRUNCI, p, e), t);
}

XG_FN xg_kval *xg_scalar_binary_int(xg_kb *b, const xg_inst *i, xlagpu_type t, xg_kval *x, xg_kval *y) {
    bool is_signed = xg_type_signed(t);
    switch (i->op) {
    case XG_ADD: return xg_scalar_wrap(b, xg_kaddi(b, x, y), t);
    case XG_SUBTRACT: return xg_scalar_wrap(b, xg_ksubi(b, x, y), t);
    case XG_MULTIPLY: return xg_scalar_wrap(b, xg_k2(b, XG_K_OP_MULI, x, y), t);
    case XG_MULHI: return xg_scalar_mulhi(b, t, x, y);
    case XG_DIVIDE:
    case XG_REMAINDER: return xg_scalar_divide(b, i, t, x, y);
    case XG_POWER: return xg_scalar_int_power(b, t, x, y);
    case XG_MAXIMUM: return xg_k2(b, is_signed ? XG_K_OP_MAXSI : XG_K_OP_MAXUI, x, y);
    case XG_MINIMUM: return xg_k2(b, is_signed ? XG_K_OP_MINSI : XG_K_OP_MINUI, x, y);
    case XG_AND: return xg_kandi(b, x, y);
    case XG_OR: return xg_k2(b, XG_K_OP_ORI, x, y);
    case XG_XOR: return xg_k2(b, XG_K_OP_XORI, x, y);
    case XG_SHIFT_LEFT:
    case XG_SHIFT_RIGHT_ARITHMETIC:
    case XG_SHIFT_RIGHT_LOGICAL: return xg_scalar_shift(b, i, t, x, y);
    default: xg_scalar_refuse(i, t);
    }
}

XG_FN xg_kval *xg_scalar_binary_float(xg_kb *b, const xg_inst *i, xlagpu_type t, xg_kval *x, xg_kval *y) {
    switch (i->op) {
    case XG_ADD: return xg_k2(b, XG_K_OP_ADDF, x, y);
    case XG_SUBTRACT: return xg_k2(b, XG_K_OP_SUBF, x, y);
    case XG_MULTIPLY: return xg_kmulf(b, x, y);
    case XG_DIVIDE: return xg_k2(b, XG_K_OP_DIVF, x, y);
    case XG_REMAINDER: return xg_k2(b, XG_K_OP_REMF, x, y);
    case XG_POWER: return xg_k2(b, XG_K_OP_POW, x, y);
    case XG_ATAN2: return xg_k2(b, XG_K_OP_ATAN2, x, y);
    case XG_MAXIMUM: return xg_k2(b, XG_K_OP_MAXF, x, y);
    case XG_MINIMUM: return xg_k2(b, XG_K_OP_MINF, x, y);
    default: xg_scalar_refuse(i, t);
    }
}

XG_FN xg_kval *xg_scalar_binary(xg_kb *b, const xg_inst *i, xlagpu_type t, xg_kval *x, xg_kval *y) {
    if (t == XLAGPU_PRED) return xg_scalar_binary_pred(b, i, x, y);
    if (xg_type_class(t) == XGT_I) return xg_scalar_binary_int(b, i, t, x, y);
    if (!xg_scalar_is_small_float(t)) return xg_scalar_binary_float(b, i, t, x, y);
    y = xg_scalar_widen(b, y);
    x = xg_scalar_widen(b, x);
    return xg_kcast(b, XG_K_OP_TRUNCF, xg_scalar_binary_float(b, i, XLAGPU_F32, x, y), xg_kelem_of(t));
}

/* ---- compare ---- */

typedef struct xg_direction_row {
    char text[3];
    uint8_t sint, uint, flt; /* xg_kcmpi, xg_kcmpf */
} xg_direction_row;
XG_TABLE const xg_direction_row xg_directions[] = {
    {"EQ", XG_CI_EQ, XG_CI_EQ, XG_CF_OEQ},
    {"NE", XG_CI_NE, XG_CI_NE, XG_CF_UNE},
    {"LT", XG_CI_SLT, XG_CI_ULT, XG_CF_OLT},
    {"LE", XG_CI_SLE, XG_CI_ULE, XG_CF_OLE},
    {"GT", XG_CI_SGT, XG_CI_UGT, XG_CF_OGT},
    {"GE", XG_CI_SGE, XG_CI_UGE, XG_CF_OGE},
};
XG_FN const xg_direction_row *xg_scalar_direction(const xg_inst *i) {
    xg_str d = xg_attr_str(i, XG_A_direction);
    size_t k;
    for (k = 0; k < XG_COUNT(xg_directions); k++)
        if (xg_str_is(d, xg_directions[k].text)) return &xg_directions[k];
    xg_hlo_fail(i, XLAGPU_ERROR_INVALID, "EQ, NE, LT, LE, GT or GE", "unknown comparison direction");
}

/* Total order of floats: as integers, with the negative ones mirrored: -NaN < -inf < ... < -0 < +0 < ... < +inf <
 * +NaN. */
XG_FN xg_kval *xg_scalar_ordered_bits(xg_kb *b, xg_kval *x) {
    xg_kelem e = x->type->elem == XG_E_F64            ? XG_E_I64
                 : x->type->elem == XG_E_F32          ? XG_E_I32
                 : xg_kelem_bits(x->type->elem) == 16 ? XG_E_I16
                                                      : XG_E_I8;
    int bits = xg_kelem_bits(e);
    xg_kval *v = xg_kbitcast(b, x, e), *sign = xg_k2_int(b, XG_K_OP_SHRSI, v, bits - 1);
    return xg_k2(b, XG_K_OP_XORI, v, xg_k2_int(b, XG_K_OP_SHRUI, sign, 1));
}

/* The same for formats of 8 bits, on their own bits, since a NaN's sign does not survive widening. FNUZ formats have
 * one NaN, below everything; without a sign the bits are in order. f4 and f6 have no NaN and may be widened. */
XG_FN xg_kval *xg_scalar_ordered_small(xg_kb *b, xg_kval *x, const xg_float_format *f) {
    xg_kval *v, *magnitude, *key;
    if (f->bits < 8) return xg_scalar_ordered_bits(b, xg_scalar_widen(b, x));
    v = xg_kextui(b, xg_kbitcast(b, x, XG_E_I8), XG_E_I32);
    if (!f->has_sign) return v;
    magnitude = xg_k2_int(b, XG_K_OP_ANDI, v, 127);
    key = XG_KSELECT(b, XG_KCMPI(b, XG_CI_ULT, v, xg_kconst_i32(b, 128)), v,
        XG_KOP2(b, XG_K_OP_SUBI, xg_kconst_i32(b, -1), magnitude));
    if (!f->nan_is_negative_zero) return key;
    return XG_KSELECT(b, XG_KCMPI(b, XG_CI_EQ, v, xg_kconst_i32(b, 128)), xg_kconst_i32(b, -1000), key);
}

XG_FN xg_kval *xg_scalar_compare(xg_kb *b, const xg_inst *i, xlagpu_type t, xg_kval *x, xg_kval *y) {
    const xg_direction_row *d = xg_scalar_direction(i);
    int cls = xg_type_class(t);
    if (cls == XGT_F && xg_attr_is(i, XG_A_type, "TOTALORDER")) {
        if (xg_scalar_is_small_float(t))
            return XG_KCMPI(b, (xg_kcmpi)d->sint, xg_scalar_ordered_small(b, x, xg_float_format_of(t)),
                xg_scalar_ordered_small(b, y, xg_float_format_of(t)));
        return XG_KCMPI(b, (xg_kcmpi)d->sint, xg_scalar_ordered_bits(b, x), xg_scalar_ordered_bits(b, y));
    }
    if (cls == XGT_F) return XG_KCMPF(b, (xg_kcmpf)d->flt, xg_scalar_widen(b, x), xg_scalar_widen(b, y));
    if (cls == XGT_P) { /* false < true: compare as bytes */
        x = xg_kextui(b, x, XG_E_I8);
        y = xg_kextui(b, y, XG_E_I8);
    }
    return xg_kcmpi_(b, (xg_kcmpi)(xg_type_signed(t) ? d->sint : d->uint), x, y);
}

/* ---- reduce-precision ---- */

/* On the integer bits: round the mantissa to nearest even, then overflow to infinity and flush what is below the narrow
 * format's normals to a signed zero; NaN stays. */
XG_FN xg_kval *xg_scalar_reduce_precision(xg_kb *b, xg_kval *x, int64_t exponent_bits, int64_t mantissa_bits) {
    const xg_kelem e = x->type->elem, ie = e == XG_E_F64 ? XG_E_I64 : e == XG_E_F32 ? XG_E_I32 : XG_E_I16;
    const int bits = xg_kelem_bits(e),
              mant = e == XG_E_F64   ? 52
                     : e == XG_E_F32 ? 23
                     : e == XG_E_F16 ? 10
                                     : 7,
              expo = bits - 1 - mant;
    const int64_t sign = ie == XG_E_I64 ? INT64_MIN : (int64_t)1 << (bits - 1),
                  exp_mask = (((int64_t)1 << expo) - 1) << mant, bias = ((int64_t)1 << (expo - 1)) - 1;
    xg_kval *v = xg_kbitcast(b, x, ie), *nan = xg_kcmpf_(b, XG_CF_UNO, x, x), *r;
    if (mantissa_bits < mant) {
        int drop = mant - (int)mantissa_bits;
        int64_t last = (int64_t)1 << drop, half = (last >> 1) - 1;
        xg_kval *odd =
            XG_KOP2(b, XG_K_OP_ANDI, XG_KOP2(b, XG_K_OP_SHRUI, v, xg_kconst_int(b, ie, drop)), xg_kconst_int(b, ie, 1));
        v = xg_kaddi(b, v, xg_kaddi_int(b, odd, half));
        v = xg_k2_int(b, XG_K_OP_ANDI, v, ~(last - 1));
    }
    if (exponent_bits < expo) {
        int64_t narrow = ((int64_t)1 << (exponent_bits - 1)) - 1, top = (bias + narrow) << mant,
                bottom = (bias - narrow) << mant;
        xg_kval *s = xg_k2_int(b, XG_K_OP_ANDI, v, sign), *field = xg_k2_int(b, XG_K_OP_ANDI, v, exp_mask);
        xg_kval *inf = xg_k2_int(b, XG_K_OP_ORI, s, exp_mask);
        v = xg_kselect(b, xg_kcmpi_int(b, XG_CI_UGT, field, top), inf, v);
        v = xg_kselect(b, xg_kcmpi_int(b, XG_CI_ULE, field, bottom), s, v);
    }
    r = xg_kbitcast(b, v, e);
    return xg_kselect(b, nan, x, r);
}

XG_FN xg_kval *xg_scalar_widen(xg_kb *b, xg_kval *x) {
    return xg_kelem_is_float(x->type->elem) && xg_kelem_bits(x->type->elem) <= 8
               ? xg_kcast(b, XG_K_OP_EXTF, x, XG_E_F32)
               : x;
}

#endif /* XG_ELEM_SCALAR_C */
