/* ptx/convert.c -- float formats: every conversion that the target has no instruction for, and the exact remainder.
 *
 * Ideas
 * - Rounding to odd. A conversion in two steps rounds once if the first step keeps two bits more than the second and
 *   its result is made odd whenever it is inexact: no tie can then appear that was none, and none can vanish.
 *   xg_ptx_odd does that for f32 and f64.
 * - A narrow format is an integer that grows with the value (sign apart), so rounding to it from the bits of an f32 is:
 *   add half less one plus the lowest kept bit, shift, subtract the difference of the biases. Below the smallest normal
 *   value adding a power of two, whose last place is the smallest step of the format, makes the adder round. What comes
 *   out above the largest finite value is overflow.
 * - Widening goes through f16, whose conversion to f32 knows subnormals even when f32 arithmetic flushes them. */
#ifndef XG_PTX_CONVERT_C
#define XG_PTX_CONVERT_C
#include "math_common.c"
#include "../base/number.h"

/* The formats by element; both enums name them alike. */
static xlagpu_type xg_ptx_float_type(xg_kelem e) {
    /* clang-format off */
    switch (e) {
#define X(name) case XG_E_##name: return XLAGPU_##name;
    X(BF16) X(F16) X(F32) X(F64)
    X(F8E5M2) X(F8E4M3) X(F8E4M3FN) X(F8E3M4) X(F8E4M3B11FNUZ) X(F8E5M2FNUZ) X(F8E4M3FNUZ) X(F8E8M0FNU)
    X(F4E2M1FN) X(F6E2M3FN) X(F6E3M2FN)
#undef X
    default: return XLAGPU_INVALID;
    }
    /* clang-format on */
}
static bool xg_ptx_is_narrow(xg_kelem e) { return xg_kelem_is_float(e) && xg_kelem_bits(e) <= 8; }

/* near: some neighbour of the exact value, as bits (I32 or I64) of a float; away, exact: whether the exact value is
 * larger in magnitude, or equal. Gives the neighbour with an odd last bit unless exact. */
static xg_kval *xg_ptx_odd(xg_kb *b, xg_kval *near_bits, xg_kval *away, xg_kval *exact) {
    xg_kelem e = near_bits->type->elem;
    xg_kval *one = xg_kconst_int(b, e, 1), *even, *up, *down, *moved, *low;
    low = AND_(near_bits, one);
    even = CMPI_(EQ, low, xg_kconst_int(b, e, 0));
    up = IADD_(near_bits, one);
    down = ISUB_(near_bits, one);
    moved = SEL_(away, up, down);
    moved = SEL_(even, moved, near_bits);
    return SEL_(exact, near_bits, moved);
}
/* f64 to f32, rounded to odd; NaN stays NaN. */
static xg_kval *xg_ptx_f64_to_f32_odd(xg_kb *b, xg_kval *x) {
    xg_kval *f = CAST_(TRUNCF, x, XG_E_F32), *back = CAST_(EXTF, f, XG_E_F64), *ax = ABS_(x), *ab = ABS_(back), *away,
            *exact, *bits;
    away = CMPF_(OGT, ax, ab);
    exact = CMPF_(UEQ, ax, ab); /* a NaN too stays as it is */
    bits = BITS_(f);
    bits = xg_ptx_odd(b, bits, away, exact);
    return FLOAT_(bits);
}
/* An integer to f32, rounded to odd. */
static xg_kval *xg_ptx_int_to_f32_odd(xg_kb *b, xg_kval *x, bool is_signed) {
    xg_kelem e = x->type->elem;
    xg_kval *f = xg_kcast(b, is_signed ? XG_K_OP_SITOFP : XG_K_OP_UITOFP, x, XG_E_F32), *back, *away, *exact, *bits,
            *zero;
    /* saturates where f is beyond: then f is a power of two, even, and stays */
    back = xg_kcast(b, is_signed ? XG_K_OP_FPTOSI : XG_K_OP_FPTOUI, f, e);
    zero = xg_kconst_int(b, e, 0);
    exact = CMPI_(EQ, back, x);
    if (is_signed) {
        xg_kval *more = CMPI_(SGT, x, back), *negative = CMPI_(SLT, x, zero);
        away = XOR_(more, negative);
    } else
        away = CMPI_(UGT, x, back);
    bits = BITS_(f);
    bits = xg_ptx_odd(b, bits, away, exact);
    return FLOAT_(bits);
}

/* ---- f32 to narrower ---- */
#ifndef XLAGPU_SMALL
/* A NaN of this value has no bits in its lower half, so that rounding keeps it. A host's processor hands on an
 * operand's NaN, or makes one whose highest bits are set; a GPU's has all of them set. `left`: how many values may be
 * looked at. */
XG_FN bool xg_ptx_has_short_nan(const xg_kval *v, uint32_t *left) {
    uint32_t k = 0;
    int64_t bits;
    if (xg_kval_is_const(v, &bits)) return (bits & 0x7FFFFFFF) <= 0x7F800000 || !(bits & 0xFFFF);
    if (!v->def || !*left) return false;
    --*left;
    switch (v->def->op) {
    case XG_K_OP_EXTF: return XG_KOPERAND(v->def, 0)->type->elem == XG_E_BF16;
    case XG_K_OP_SITOFP:
    case XG_K_OP_UITOFP: return true;
    case XG_K_OP_SELECT: k = 1; break; /* operand 0 is the condition */
    case XG_K_OP_ADDF:
    case XG_K_OP_SUBF:
    case XG_K_OP_MULF:
    case XG_K_OP_DIVF:
    case XG_K_OP_DIVFULL:
    case XG_K_OP_FMA:
    case XG_K_OP_NEGF:
    case XG_K_OP_ABSF:
    case XG_K_OP_MAXF:
    case XG_K_OP_MINF:
    case XG_K_OP_SQRT:
    case XG_K_OP_EX2A:
    case XG_K_OP_LG2A:
    case XG_K_OP_RCPA:
    case XG_K_OP_RSQRTA: break;
    default: return false;
    }
    for (; k < v->def->n_operands; k++)
        if (!xg_ptx_has_short_nan(XG_KOPERAND(v->def, k), left)) return false;
    return true;
}
/* A processor does it with a whole register. */
XG_FN bool xg_ptx_has_register(const xg_target *t, const xg_kop *op) {
    bool can =
        op->op == XG_K_OP_LOAD || op->op == XG_K_OP_STORE || op->op == XG_K_OP_FMA || op->op == XG_K_OP_BROADCAST;
    return can && t->suffix == XG_TARGET_CPU &&
           xg_ktype_is_whole(op->n_results ? op->results[0].type : XG_KOPERAND(op, 0)->type);
}
XG_FN bool xg_ptx_rounds_nan(const xg_kb *b, const xg_kval *x) {
    uint32_t left = 64;
    return ((const xg_target *)b->m->target)->suffix == XG_TARGET_CPU && xg_ptx_has_short_nan(x, &left);
}
#else
#define xg_ptx_rounds_nan(b, x) false
#define xg_ptx_has_register(t, op) false
#endif
static xg_kval *xg_ptx_f32_to_bf16_soft(xg_kb *b, xg_kval *x) {
    xg_kval *bits = BITS_(x), *lsb, *r, *nan, *quiet;
    lsb = BY_(SHRUI, bits, 16);
    lsb = BY_(ANDI, lsb, 1);
    r = BY_(ADDI, bits, 0x7FFF);
    r = IADD_(r, lsb);
    r = BY_(SHRUI, r, 16);
    if (!xg_ptx_rounds_nan(b, x)) {
        quiet = BY_(SHRUI, bits, 16);
        quiet = BY_(ORI, quiet, 0x7FC0); /* the payload does not matter, the sign does */
        nan = CMPF_(UNO, x, x);
        r = SEL_(nan, quiet, r);
    }
    r = CAST_(TRUNCI, r, XG_E_I16);
    return CAST_(BITCAST, r, XG_E_BF16);
}
/* f8e8m0fnu: a power of two; half and more rounds up, but 2^-127 itself is the smallest; NaN, zero and negative values
 * are NaN. */
static xg_kval *xg_ptx_f32_to_scale(xg_kb *b, xg_kval *x) {
    xg_kval *bits = BITS_(x), *normal, *r, *bad;
    normal = CMPBY_(UGT, bits, 0x7FFFFF);
    normal = CAST_(EXTUI, normal, XG_E_I32);
    r = BY_(ADDI, bits, 0x3FFFFF);
    r = IADD_(r, normal);
    r = BY_(SHRUI, r, 23);
    bad = BY_(SUBI, bits, 1); /* bits in 1 .. infinity are good */
    bad = CMPBY_(UGT, bad, 0x7F7FFFFF);
    r = SEL_(bad, I32_(0xFF), r);
    r = CAST_(TRUNCI, r, XG_E_I8);
    return CAST_(BITCAST, r, XG_E_F8E8M0FNU);
}
/* Any format of at most 8 bits with exponents within f16's range. */
static xg_kval *xg_ptx_f32_to_narrow(xg_kb *b, xg_kval *x, xg_kelem to) {
    const xg_float_format *f = xg_float_format_of(xg_ptx_float_type(to));
    int shift = 23 - f->mantissa_bits;
    uint32_t smallest = (uint32_t)(128 - f->bias) << 23;      /* the smallest normal value, as f32 bits */
    uint32_t magic = (uint32_t)(128 - f->bias + shift) << 23; /* its last place is the smallest step */
    uint32_t sign_bit = 1u << (f->bits - 1), special = (uint32_t)(f->has_infinity ? f->max_bits + 1
                                                                  : f->has_nan    ? f->nan_bits
                                                                                  : f->max_bits);
    xg_kval *bits = BITS_(x), *magnitude, *sign, *normal, *low, *sub, *is_sub, *r, *over, *nan, *value, *zero;
    magnitude = BY_(ANDI, bits, 0x7FFFFFFF);
    sign = BY_(SHRUI, bits, 32 - f->bits);
    sign = BY_(ANDI, sign, (int64_t)sign_bit);
    low = BY_(SHRUI, magnitude, shift);
    low = BY_(ANDI, low, 1);
    normal = IADD_(magnitude, low);
    normal = BY_(ADDI, normal, (int64_t)(int32_t)(((1u << (shift - 1)) - 1) - ((uint32_t)(127 - f->bias) << 23)));
    normal = BY_(SHRUI, normal, shift);
    value = FLOAT_(magnitude);
    sub = ADD_(value, K32_(magic));
    sub = BITS_(sub);
    sub = BY_(SUBI, sub, (int64_t)magic);
    is_sub = CMPBY_(ULT, magnitude, (int64_t)smallest);
    r = SEL_(is_sub, sub, normal);
    over = CMPBY_(UGT, r, (int64_t)f->max_bits);
    if (f->nan_is_negative_zero) { /* no negative zero; NaN and overflow are the one code that would have been it */
        xg_kval *signed_r = OR_(r, sign);
        zero = CMPBY_(EQ, r, 0);
        r = SEL_(zero, I32_(0), signed_r);
        over = OR_(over, CMPF_(UNO, x, x));
        r = SEL_(over, I32_((int64_t)f->nan_bits), r);
    } else {
        r = SEL_(over, I32_((int64_t)special), r);
        nan = CMPF_(UNO, x, x);
        r = SEL_(nan, I32_((int64_t)f->nan_bits), r);
        r = XOR_(r, sign);
    }
    r = CAST_(TRUNCI, r, XG_E_I8);
    return CAST_(BITCAST, r, to);
}

/* The formats that sm_89 and newer convert to and from. Their conversion saturates: a flag marks it, and what lies
 * beyond is put right. */
enum {
    XG_PTX_SATURATES = 1
};
static bool xg_ptx_machine_f8(const xg_kb *b, xg_kelem e) {
    return (e == XG_E_F8E4M3FN || e == XG_E_F8E5M2) && xg_target_has((const xg_target *)b->m->target, XG_TARGET_CVT_F8);
}
static xg_kval *xg_ptx_f32_to_f8(xg_kb *b, xg_kval *x, xg_kelem to) {
    bool e5m2 = to == XG_E_F8E5M2;
    xg_kval *q = xg_kcast(b, XG_K_OP_TRUNCF, x, to), *a = ABS_(x), *beyond, *code, *sign, *nan;
    q->def->flags = XG_PTX_SATURATES;
    q = CAST_(BITCAST, q, XG_E_I8);
    q = CAST_(EXTUI, q, XG_E_I32);
    /* ties of the largest value with the one that would follow; or NaN */
    beyond = e5m2 ? CMPF_(UGE, a, F32_(61440)) : CMPF_(UGT, a, F32_(464));
    code = I32_(0x7F);
    if (e5m2) {
        nan = CMPF_(UNO, x, x);
        code = SEL_(nan, I32_(0x7E), I32_(0x7C));
    }
    sign = BITS_(x);
    sign = BY_(SHRUI, sign, 24);
    sign = BY_(ANDI, sign, 0x80);
    code = OR_(code, sign);
    q = SEL_(beyond, code, q);
    q = CAST_(TRUNCI, q, XG_E_I8);
    return CAST_(BITCAST, q, to);
}

XG_FN xg_kval *xg_ptx_truncf(xg_kb *b, xg_kval *x, xg_kelem to) {
    const xg_target *t = (const xg_target *)b->m->target;
    xg_kelem from = x->type->elem;
    if (from == to) return x;
    if (from == XG_E_F64) {
        if (to == XG_E_F32) return CAST_(TRUNCF, x, XG_E_F32);
        x = xg_ptx_f64_to_f32_odd(b, x);
    } else if (from != XG_E_F32)
        x = xg_ptx_extf(b, x, XG_E_F32);
    if (to == XG_E_F32) return x;
    if (to == XG_E_F16) return CAST_(TRUNCF, x, XG_E_F16);
    if (to == XG_E_BF16)
        return xg_target_has(t, XG_TARGET_BF16_CVT) ? CAST_(TRUNCF, x, XG_E_BF16) : xg_ptx_f32_to_bf16_soft(b, x);
    if (to == XG_E_F8E8M0FNU) return xg_ptx_f32_to_scale(b, x);
    return xg_ptx_machine_f8(b, to) ? xg_ptx_f32_to_f8(b, x, to) : xg_ptx_f32_to_narrow(b, x, to);
}

/* ---- narrow to f32 ---- */
static xg_kval *xg_ptx_scale_to_f32(xg_kb *b, xg_kval *bits) {
    xg_kval *r = BY_(SHLI, bits, 23), *zero = CMPBY_(EQ, bits, 0), *nan;
    r = SEL_(zero, I32_(0x400000), r);
    nan = CMPBY_(EQ, bits, 0xFF);
    r = SEL_(nan, I32_(0x7FC00000), r);
    return FLOAT_(r);
}
/* The upper half of 32 bits. */
static xg_kval *xg_ptx_upper(xg_kb *b, xg_kval *x, xg_kelem e) {
    xg_kval *v[2];
    v[0] = xg_kir_value(b, XG_K_OP_BITCAST, &x, 1, xg_kir_vector(b->m, e, 2));
    v[1] = I32_(1);
    return xg_kir_value(b, XG_K_OP_VEXTRACT, v, 2, xg_kir_scalar(b->m, e));
}
#ifndef XLAGPU_SMALL
/* The word of which x is a byte, as a load left it; NULL: there is none. */
static xg_kval *xg_ptx_byte_of(xg_kval *x, int64_t *at) {
    while (xg_kval_by(x, XG_K_OP_VEXTRACT)) {
        xg_kval *vec = XG_KOPERAND(x->def, 0), *word, *lane = xg_kvector_lane(vec, XG_KOPERAND(x->def, 1));
        if (lane && lane != x && !xg_kval_by(lane, XG_K_OP_CONST)) {
            x = lane;
            continue;
        }
        if (!xg_kval_by(vec, XG_K_OP_BITCAST) || !xg_kval_is_const(XG_KOPERAND(x->def, 1), at)) return NULL;
        word = XG_KOPERAND(vec->def, 0);
        return word->type->kind == XG_TK_SCALAR && word->type->elem == XG_E_I32 ? word : NULL;
    }
    return NULL;
}
#endif
static xg_kval *xg_ptx_times(xg_kb *b, xg_kval *x, double by) { return MUL_(x, F32_(by)); }
/* Its bits at the top of a word, in front of zeros. */
static xg_kval *xg_ptx_on_top(xg_kb *b, xg_kval *x, int bits) {
#ifndef XLAGPU_SMALL
    enum {
        ON_TOP = 0x0444, /* digits of prmt: the byte's number, in front of three zeros */
        DIGITS = 12      /* bits of these */
    };
    int64_t at = 0;
    xg_kval *word = bits == 8 ? xg_ptx_byte_of(x, &at) : NULL;
    if (word) return xg_k3(b, XG_K_OP_PRMT, word, I32_(0), I32_(at << DIGITS | ON_TOP));
#endif
    x = CAST_(BITCAST, x, XG_E_I8);
    x = CAST_(EXTUI, x, XG_E_I32);
    return xg_k2_int(b, XG_K_OP_SHLI, x, 32 - bits);
}
/* Five bits of exponent and no infinity: what is f16's infinity is a number, so the bits become those of an f32. A
 * subnormal one is then a normal one, whose leading digit is taken away. */
static xg_kval *xg_ptx_large_to_f32(xg_kb *b, const xg_float_format *f, xg_kval *top) {
    int64_t least = (int64_t)(128 - f->bias) << 23; /* the smallest normal number */
    xg_kval *bits = xg_k2_int(b, XG_K_OP_ANDI, top, INT32_MAX), *little, *is_small;
    bits = xg_k2_int(b, XG_K_OP_SHRUI, bits, 8 - f->exponent_bits);
    bits = xg_k2_int(b, XG_K_OP_ADDI, bits, least - ((int64_t)1 << 23));
    is_small = xg_kcmpi_int(b, XG_CI_ULT, bits, least);
    little = FLOAT_(bits);
    little = FMA_(little, F32_(2), F32_(-xg_f64_power_of_two(1 - f->bias)));
    little = BITS_(little);
    bits = SEL_(is_small, little, bits);
    bits = OR_(bits, xg_k2_int(b, XG_K_OP_ANDI, top, INT32_MIN));
    return FLOAT_(bits);
}
/* Infinities and NaNs are finite as an f32 at first, r. By a factor by which NaNs alone overflow they are infinite, and
 * zero times that is NaN; by a power of two by which infinities overflow, too, and back, these are infinite. A NaN that
 * is computed has no sign of its operands. */
static xg_kval *xg_ptx_beyond(xg_kb *b, const xg_float_format *f, xg_kval *r) {
    int exponent = (int)(f->max_bits >> f->mantissa_bits) - f->bias;
    double most = xg_f64_power_of_two(127 - exponent);
    xg_kval *sign = r;
    r = xg_ptx_times(b, r, most * (f->has_infinity ? 0.96875 : 1.125));
    r = FMA_(r, F32_(0), sign);
    if (f->has_infinity) r = xg_ptx_times(b, xg_ptx_times(b, r, most), 1 / most);
    return COPYSIGN_(r, sign);
}
static xg_kval *xg_ptx_narrow_to_f32(xg_kb *b, xg_kval *x) {
    const xg_float_format *f = xg_float_format_of(xg_ptx_float_type(x->type->elem));
    int fewer = 5 - f->exponent_bits; /* than f16 has */
    xg_kval *top = xg_ptx_on_top(b, x, f->bits), *r = top, *special;
    if (!f->has_sign) return xg_ptx_scale_to_f32(b, xg_k2_int(b, XG_K_OP_SHRUI, top, 24));
    if (!fewer && !f->has_infinity)
        r = xg_ptx_large_to_f32(b, f, top);
    else {
        if (fewer) { /* without copies of the sign */
            r = xg_k2_int(b, XG_K_OP_SHRSI, top, fewer);
            r = xg_k2_int(b, XG_K_OP_ANDI, r, ~(((int64_t)1 << 31) - ((int64_t)1 << (31 - fewer))));
        }
        r = CAST_(EXTF, xg_ptx_upper(b, r, XG_E_F16), XG_E_F32);
        if (f->bias != 15) r = xg_ptx_times(b, r, xg_f64_power_of_two(15 - f->bias));
    }
    if (f->nan_is_negative_zero) {
        special = xg_kcmpi_int(b, XG_CI_EQ, top, INT32_MIN); /* its sign bit is set, so the NaN's is */
        r = BITS_(r);
        r = SEL_(special, I32_(-0x400000), r);
        return FLOAT_(r);
    }
    return f->has_nan && fewer ? xg_ptx_beyond(b, f, r) : r;
}

XG_FN xg_kval *xg_ptx_extf(xg_kb *b, xg_kval *x, xg_kelem to) {
    xg_kelem from = x->type->elem;
    if (from == to) return x;
    if (xg_ptx_machine_f8(b, from)) {
        x = CAST_(EXTF, x, XG_E_F16);
        if (to == XG_E_F16) return x;
        x = CAST_(EXTF, x, XG_E_F32);
    } else if (xg_ptx_is_narrow(from))
        x = xg_ptx_narrow_to_f32(b, x);
    else if (from == XG_E_BF16 || (from == XG_E_F16 && to != XG_E_F64))
        x = CAST_(EXTF, x, XG_E_F32);
    if (to == XG_E_BF16 && xg_ptx_is_narrow(from)) return xg_ptx_upper(b, x, to); /* the rest is zeros */
    return to == XG_E_F64 ? CAST_(EXTF, x, XG_E_F64) : to == XG_E_F32 ? x : xg_ptx_truncf(b, x, to);
}

/* ---- exact remainder ---- */
/* As C's fmod, on integers: while |x| has more exponent than |y|, subtract and double. The loop runs at most once a bit
 * of the difference of the exponents (278 for f32, 2098 for f64), and not at all when |x| < |y|. Subnormals are
 * normalised by counting zeros. */

/* m 2^(e - 1) = a, its hidden bit g in place; e is less than 1 for subnormal ones. p: bits of a significand, j: those
 * above the hidden one. */
static void xg_ptx_rem_take_apart(xg_kform *m) {
    (void)xg_kformula(m, "e=a>>>p;m=a&h;c=e==0;s=clz(m)-j;s=c?s:0;l=1-s;e=c?l:e;t=m|g;m=c?m:t;m=m<<s");
}
/* One digit of the quotient, which nothing keeps. */
#define XG_PTX_REM_STEP "r=v-d;c=uge(v,d);v=c?r:v;"
/* v modulo d 2^n. */
static void xg_ptx_rem_divide(xg_kform *m) {
    xg_kb *b = m->b, body;
    xg_kop *loop = xg_kfor(b, I32_(0), V(n), I32_(1), &V(v), 1);
    body = xg_kb_end(b->m, loop->regions[0]);
    body.loc = b->loc;
    m->b = &body;
    V(v) = &loop->regions[0]->args[1];
    V(v) = xg_kformula(m, XG_PTX_REM_STEP "v<<1");
    xg_kyield(m->b, &V(v), 1);
    m->b = b;
    V(v) = loop->results;
    (void)xg_kformula(m, XG_PTX_REM_STEP);
}
/* q = a modulo b, of finite numbers, a >= b > 0, as bits without a sign. Behind the division back to a float with b's
 * exponent: normalised, but not below the smallest exponent. Where b itself is subnormal (c) the bits lost are zero,
 * for all is a multiple of the smallest step; the hidden bit adds the missing one of the exponent. */
static void xg_ptx_rem_finite(xg_kform *m) {
    xg_ptx_rem_take_apart(m);
    V(v) = V(m);
    V(x) = V(e);
    V(a) = V(b);
    xg_ptx_rem_take_apart(m);
    V(d) = V(m);
    (void)xg_kformula(m, m->elem == XG_E_F64 ? "n=i32(x-e)" : "n=x-e");
    xg_ptx_rem_divide(m);
    (void)xg_kformula(m, "s=clz(v)-j;e=e-1;t=maxs(e,0);c=s>e;s=c?t:s;o=v<<s;l=maxs(0-e,0);o=o>>>l;t=o+(e-s<<p);"
                         "o=c?o:t;q=v==0?0:o");
}
XG_FN xg_kval *xg_ptx_remf(xg_kb *b, xg_kval *x, xg_kval *y) {
    xg_kform f, *m = &f;
    bool wide = x->type->elem == XG_E_F64;
    xg_kelem e = wide ? XG_E_I64 : XG_E_I32;
    int mant = wide ? 52 : 23;
    xg_math_if split;
    xg_math_begin(m, b, x, y);
    V(p) = xg_kconst_int(b, e, mant);
    V(j) = xg_kconst_int(b, e, wide ? 11 : 8);
    V(g) = xg_kconst_int(b, e, (int64_t)1 << mant);
    V(h) = xg_kconst_int(b, e, ((int64_t)1 << mant) - 1);
    V(k) = xg_kconst_int(b, e, wide ? INT64_MIN : INT32_MIN);
    V(z) = xg_kconst_int(b, e, wide ? INT64_MAX : INT32_MAX);
    /* w: the result is NaN; u: the sign */
    (void)xg_kformula(m, "u=bits(x);d=bits(y);a=u&z;b=d&z;u=u&k;t=uge(a,I);w=ugt(b,I)|t;w=w|b==0;c=w|ult(a,b);q=a");
    xg_math_if_begin(m, &split, 1, e);
    xg_math_if_else(m, &split);
    xg_ptx_rem_finite(m);
    xg_math_if_end(m, &split);
    return xg_kformula(m, "r=float(q|u);w?N:r");
}

#endif /* XG_PTX_CONVERT_C */
