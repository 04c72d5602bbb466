/* eval/kernels.c -- the elementwise opcodes as loops over dense blocks, one function a carrier type.
 *
 * The lists below are the meaning of the opcodes: one row an opcode and class of type, the value as a C expression.
 *   a, b   the operands in the carrier type        d, e   floats only: the same as double
 * A kernel called with n = 0 answers whether it knows the opcode; preparing an instruction asks that. out may be an
 * operand. */
#ifndef XG_EVAL_KERNELS_C
#define XG_EVAL_KERNELS_C
#include "eval.h"

/* Integers. U is the unsigned partner of T, W the unsigned type of at least 32 bits in which it computes; wrapping to T
 * is the cast. neg(a) is a < 0; mask cuts to the `bits` of narrow types, which lie sign- or zero-extended in 8. */
/* clang-format off */
#define XG_EVAL_INT_UNARY(X) \
    X(ABS, neg(a) ? (W)0 - (W)a : (W)a) \
    X(NEGATE, (W)0 - (W)a) \
    X(SIGN, neg(a) ? (W)0 - 1 : (W)(a != 0)) \
    X(NOT, ~(W)a) \
    X(POPCNT, xg_eval_popcount((uint64_t)(U)a & mask)) \
    X(COUNT_LEADING_ZEROS, xg_eval_clz((uint64_t)(U)a & mask, bits))
/* clang-format on */
/* clang-format off */
#define XG_EVAL_INT_BINARY(X) \
    X(ADD, (W)a + (W)b) \
    X(SUBTRACT, (W)a - (W)b) \
    X(MULTIPLY, (W)a * (W)b) \
    X(MULHI, xg_eval_mulhi((uint64_t)a, (uint64_t)b, bits, is_signed)) \
    X(DIVIDE, b == 0 ? ~(W)0 : is_signed && b == (T)-1 ? (W)0 - (W)a : (W)(a / b)) \
    X(REMAINDER, b == 0 ? (W)a : is_signed && b == (T)-1 ? (W)0 : (W)(a % b)) \
    X(POWER, xg_eval_int_power((uint64_t)a, (uint64_t)b, (int)sizeof(T) * 8)) \
    X(MAXIMUM, a > b ? a : b) \
    X(MINIMUM, a < b ? a : b) \
    X(AND, a & b) \
    X(OR, a | b) \
    X(XOR, a ^ b) \
    X(SHIFT_LEFT, ((uint64_t)(U)b & mask) >= (uint64_t)bits ? (W)0 : (W)a << ((U)b & mask)) \
    X(SHIFT_RIGHT_LOGICAL, ((uint64_t)(U)b & mask) >= (uint64_t)bits ? 0 : ((uint64_t)(U)a & mask) >> ((U)b & mask)) \
    X(SHIFT_RIGHT_ARITHMETIC, xg_eval_shift_arithmetic((uint64_t)(U)a & mask, (uint64_t)(U)b & mask, bits))
/* clang-format on */
#define XG_EVAL_INT_TERNARY(X) X(CLAMP, xg_eval_clamp(a, b, c))

#define XG_EVAL_PRED_UNARY(X) X(NOT, !a)
/* clang-format off */
#define XG_EVAL_PRED_BINARY(X) \
    X(ADD, a | b) \
    X(MULTIPLY, a & b) \
    X(MAXIMUM, a | b) \
    X(MINIMUM, a & b) \
    X(AND, a & b) \
    X(OR, a | b) \
    X(XOR, a ^ b)
/* clang-format on */
#define XG_EVAL_PRED_TERNARY(X) X(CLAMP, (a | b) & c)

/* Floats: f32 computes its functions in double. */
#ifdef __TINYC__ /* its -x keeps the sign of a NaN */
#define XG_EVAL_NEGATED(a) \
    (sizeof(a) == 4 ? (T)xg_f32_of_bits(xg_f32_bits((float)(a)) ^ 0x80000000u) \
                    : (T)xg_f64_of_bits(xg_f64_bits((double)(a)) ^ XG_F64_SIGN))
#else
#define XG_EVAL_NEGATED(a) (-(a))
#endif
/* clang-format off */
#define XG_EVAL_FLOAT_UNARY(X) \
    X(ABS, fabs(d)) \
    X(NEGATE, XG_EVAL_NEGATED(a)) \
    X(SIGN, a > 0 ? (T)1 : a < 0 ? (T)-1 : a) \
    X(FLOOR, floor(d)) \
    X(CEIL, ceil(d)) \
    X(ROUND_NEAREST_AFZ, round(d)) \
    X(ROUND_NEAREST_EVEN, nearbyint(d)) \
    X(REAL, a) \
    X(IMAG, 0) \
    X(EXPONENTIAL, exp(d)) \
    X(EXPONENTIAL_MINUS_ONE, expm1(d)) \
    X(LOG, log(d)) \
    X(LOG_PLUS_ONE, log1p(d)) \
    X(LOGISTIC, 1 / (1 + exp(-d))) \
    X(SQRT, xg_sqrt(d)) \
    X(RSQRT, 1 / xg_sqrt(d)) \
    X(CBRT, cbrt(d)) \
    X(ERF, erf(d)) \
    X(SINE, xg_sin(d)) \
    X(COSINE, xg_cos(d)) \
    X(TAN, xg_tan(d)) \
    X(ASIN, asin(d)) \
    X(ACOS, acos(d)) \
    X(SINH, sinh(d)) \
    X(COSH, cosh(d)) \
    X(TANH, tanh(d)) \
    X(ASINH, asinh(d)) \
    X(ACOSH, acosh(d)) \
    X(ATANH, atanh(d))
/* clang-format on */
/* clang-format off */
#define XG_EVAL_FLOAT_BINARY(X) \
    X(ADD, a + b) \
    X(SUBTRACT, a - b) \
    X(MULTIPLY, a * b) \
    X(DIVIDE, a / b) \
    X(REMAINDER, fmod(d, e)) \
    X(POWER, pow(d, e)) \
    X(ATAN2, atan2(d, e)) \
    X(MAXIMUM, xg_eval_fmax(a, b)) \
    X(MINIMUM, xg_eval_fmin(a, b))
/* clang-format on */

/* clang-format off */
#define XG_EVAL_COMPLEX_UNARY(X) \
    X(NEGATE, xg_complex_of(-a.re, -a.im)) \
    X(SIGN, xg_complex_sign(a)) \
    X(EXPONENTIAL, xg_complex_exp(a)) \
    X(EXPONENTIAL_MINUS_ONE, xg_complex_expm1(a)) \
    X(LOG, xg_complex_log(a)) \
    X(LOG_PLUS_ONE, xg_complex_log1p(a)) \
    X(LOGISTIC, xg_complex_logistic(a)) \
    X(SQRT, xg_complex_sqrt(a)) \
    X(RSQRT, xg_complex_rsqrt(a)) \
    X(CBRT, xg_complex_cbrt(a)) \
    X(SINE, xg_complex_sin(a)) \
    X(COSINE, xg_complex_cos(a)) \
    X(TAN, xg_complex_tan(a)) \
    X(ASIN, xg_complex_asin(a)) \
    X(ACOS, xg_complex_acos(a)) \
    X(SINH, xg_complex_sinh(a)) \
    X(COSH, xg_complex_cosh(a)) \
    X(TANH, xg_complex_tanh(a)) \
    X(ASINH, xg_complex_asinh(a)) \
    X(ACOSH, xg_complex_acosh(a)) \
    X(ATANH, xg_complex_atanh(a))
/* clang-format on */
/* clang-format off */
#define XG_EVAL_COMPLEX_BINARY(X) \
    X(ADD, xg_complex_of(a.re + b.re, a.im + b.im)) \
    X(SUBTRACT, xg_complex_of(a.re - b.re, a.im - b.im)) \
    X(MULTIPLY, xg_complex_mul(a, b)) \
    X(DIVIDE, xg_complex_div(a, b)) \
    X(POWER, xg_complex_pow(a, b)) \
    X(ATAN2, xg_complex_atan2(a, b)) \
    X(MAXIMUM, xg_complex_least(b, a) ? a : b) \
    X(MINIMUM, xg_complex_least(a, b) ? a : b)
/* clang-format on */
/* From a complex to its real type. */
#define XG_EVAL_COMPLEX_PART(X) X(ABS, hypot(a.re, a.im)) X(REAL, a.re) X(IMAG, a.im)

/* ---- helpers of the lists ---- */

XG_FN unsigned xg_eval_popcount(uint64_t v) {
    unsigned n = 0;
    for (; v; v &= v - 1) n++;
    return n;
}
XG_FN unsigned xg_eval_clz(uint64_t v, int bits) {
    unsigned n = (unsigned)bits;
    for (; v; v >>= 1) n--;
    return n;
}
XG_FN uint64_t xg_eval_shift_arithmetic(uint64_t v, uint64_t by, int bits) {
    int64_t extended = (int64_t)(v << (64 - bits)) >> (64 - bits);
    return (uint64_t)(extended >> (by >= (uint64_t)bits ? 63 : by));
}
#define xg_eval_clamp(lo, x, hi) ((x) < (lo) ? ((lo) > (hi) ? (hi) : (lo)) : (x) > (hi) ? (hi) : (x))
/* NaN if either is; max(-0, 0) is 0 and min(0, -0) is -0. */
#define xg_eval_fmax(a, b) \
    ((a) != (a) ? (a) : (b) != (b) ? (b) : (a) > (b) ? (a) : (b) > (a) ? (b) : signbit(a) ? (b) : (a))
#define xg_eval_fmin(a, b) \
    ((a) != (a) ? (a) : (b) != (b) ? (b) : (a) < (b) ? (a) : (b) < (a) ? (b) : signbit(a) ? (a) : (b))

/* ---- one function a carrier ---- */

#define XG_EVAL_COMPARE_CASE(dir, relation) \
    case XG_DIR_##dir: \
        for (i = 0; i < n; i++) { \
            const T a = x[i], b = y[i]; \
            flags[i] = (uint8_t)(relation); \
        } \
        return true;
#define XG_EVAL_COMPARE(X) X(EQ, a == b) X(NE, a != b) X(GE, a >= b) X(GT, a > b) X(LE, a <= b) X(LT, a < b)
#define XG_EVAL_CASE1(op, value) \
    case XG_##op: \
        for (i = 0; i < n; i++) { \
            const T a = x[i]; \
            out[i] = (T)(value); \
        } \
        return true;
#define XG_EVAL_CASE2(op, value) \
    case XG_##op: \
        for (i = 0; i < n; i++) { \
            const T a = x[i], b = y[i]; \
            out[i] = (T)(value); \
        } \
        return true;
#define XG_EVAL_CASE3(op, value) \
    case XG_##op: \
        for (i = 0; i < n; i++) { \
            const T a = x[i], b = y[i], c = z[i]; \
            out[i] = (T)(value); \
        } \
        return true;

/* clang-format off */
#define XG_EVAL_DEFINE_INT(name, TYPE, UNSIGNED, WIDE) \
    XG_FN bool xg_eval_kernel_##name(const xg_ew *e, void *to, const void *const *in, size_t n) { \
        typedef TYPE T; \
        typedef UNSIGNED U; \
        typedef WIDE W; \
        T *out = (T *)to; \
        uint8_t *flags = (uint8_t *)to; \
        const T *x = (const T *)in[0], *y = (const T *)in[1], *z = (const T *)in[2]; \
        const bool is_signed = e->is_signed; \
        const int bits = e->bits; \
        const uint64_t mask = UINT64_MAX >> (64 - bits); \
        size_t i; \
        switch (e->op) { \
            XG_EVAL_INT_UNARY(XG_EVAL_CASE1) \
            XG_EVAL_INT_BINARY(XG_EVAL_CASE2) \
        XG_EVAL_INT_TERNARY(XG_EVAL_CASE3) \
        case XG_COMPARE: switch (e->direction) { XG_EVAL_COMPARE(XG_EVAL_COMPARE_CASE) default: return false; } \
        default: return false; \
        } \
    }
/* clang-format on */
#define neg(a) (is_signed && ((U)(a) >> (sizeof(T) * 8 - 1)))
XG_EVAL_DEFINE_INT(s8, int8_t, uint8_t, uint32_t)
XG_EVAL_DEFINE_INT(u8, uint8_t, uint8_t, uint32_t)
XG_EVAL_DEFINE_INT(s16, int16_t, uint16_t, uint32_t)
XG_EVAL_DEFINE_INT(u16, uint16_t, uint16_t, uint32_t)
XG_EVAL_DEFINE_INT(s32, int32_t, uint32_t, uint32_t)
XG_EVAL_DEFINE_INT(u32, uint32_t, uint32_t, uint32_t)
XG_EVAL_DEFINE_INT(s64, int64_t, uint64_t, uint64_t)
XG_EVAL_DEFINE_INT(u64, uint64_t, uint64_t, uint64_t)
#undef neg
#undef XG_EVAL_DEFINE_INT

XG_FN bool xg_eval_kernel_pred(const xg_ew *e, void *to, const void *const *in, size_t n) {
    typedef uint8_t T;
    T *out = (T *)to, *flags = out;
    const T *x = (const T *)in[0], *y = (const T *)in[1], *z = (const T *)in[2];
    size_t i;
    switch (e->op) {
        XG_EVAL_PRED_UNARY(XG_EVAL_CASE1)
        XG_EVAL_PRED_BINARY(XG_EVAL_CASE2) XG_EVAL_PRED_TERNARY(XG_EVAL_CASE3) case XG_COMPARE : switch (e->direction) {
            XG_EVAL_COMPARE(XG_EVAL_COMPARE_CASE) default : return false;
        }
    default: return false;
    }
}

#define XG_EVAL_FLOAT_CASE1(op, value) \
    case XG_##op: \
        for (i = 0; i < n; i++) { \
            const T a = x[i]; \
            const double d = (double)a; \
            (void)d; \
            out[i] = (T)(value); \
        } \
        return true;
#define XG_EVAL_FLOAT_CASE2(op, value) \
    case XG_##op: \
        for (i = 0; i < n; i++) { \
            const T a = x[i], b = y[i]; \
            const double d = (double)a, e = (double)b; \
            (void)d; \
            (void)e; \
            out[i] = (T)(value); \
        } \
        return true;
/* clang-format off */
#define XG_EVAL_DEFINE_FLOAT(name, TYPE) \
    XG_FN bool xg_eval_kernel_##name(const xg_ew *ew, void *to, const void *const *in, size_t n) { \
        typedef TYPE T; \
        T *out = (T *)to; \
        uint8_t *flags = (uint8_t *)to; \
        const T *x = (const T *)in[0], *y = (const T *)in[1], *z = (const T *)in[2]; \
        size_t i; \
        switch (ew->op) { \
            XG_EVAL_FLOAT_UNARY(XG_EVAL_FLOAT_CASE1) \
            XG_EVAL_FLOAT_BINARY(XG_EVAL_FLOAT_CASE2) case XG_CLAMP : for (i = 0; i < n; i++) { \
                const T lo = x[i], a = y[i], hi = z[i], m = xg_eval_fmax(lo, a); \
                out[i] = xg_eval_fmin(m, hi); \
            } \
            return true; \
        case XG_IS_FINITE: \
            for (i = 0; i < n; i++) flags[i] = (uint8_t)(x[i] - x[i] == 0); \
            return true; \
        case XG_COMPARE: \
            switch (ew->direction) { XG_EVAL_COMPARE(XG_EVAL_COMPARE_CASE) default : return false; } \
        default: return false; \
        } \
    }
/* clang-format on */
XG_EVAL_DEFINE_FLOAT(f32, float)
XG_EVAL_DEFINE_FLOAT(f64, double)
#undef XG_EVAL_DEFINE_FLOAT

#define XG_EVAL_COMPLEX_CASE1(op, value) \
    case XG_##op: \
        for (i = 0; i < n; i++) { \
            const xg_complex a = LOAD(x, i), v = (value); \
            out[2 * i] = (T)v.re; \
            out[2 * i + 1] = (T)v.im; \
        } \
        return true;
#define XG_EVAL_COMPLEX_CASE2(op, value) \
    case XG_##op: \
        for (i = 0; i < n; i++) { \
            const xg_complex a = LOAD(x, i), b = LOAD(y, i), v = (value); \
            out[2 * i] = (T)v.re; \
            out[2 * i + 1] = (T)v.im; \
        } \
        return true;
#define XG_EVAL_COMPLEX_CASE_PART(op, value) \
    case XG_##op: \
        for (i = 0; i < n; i++) { \
            const xg_complex a = LOAD(x, i); \
            out[i] = (T)(value); \
        } \
        return true;
#define XG_EVAL_COMPLEX_COMPARE_CASE(dir, relation) \
    case XG_DIR_##dir: \
        for (i = 0; i < n; i++) { \
            const xg_complex a = LOAD(x, i), b = LOAD(y, i); \
            flags[i] = (uint8_t)(relation); \
        } \
        return true;
/* clang-format off */
#define XG_EVAL_COMPLEX_COMPARE(X) \
    X(EQ, a.re == b.re && a.im == b.im) \
    X(NE, a.re != b.re || a.im != b.im) \
    X(LT, xg_complex_less(a, b)) \
    X(GT, xg_complex_less(b, a)) \
    X(LE, xg_complex_least(a, b)) \
    X(GE, xg_complex_least(b, a))
/* clang-format on */
#define LOAD(p, i) xg_complex_of((double)(p)[2 * (i)], (double)(p)[2 * (i) + 1])
/* clang-format off */
#define XG_EVAL_DEFINE_COMPLEX(name, TYPE) \
    XG_FN bool xg_eval_kernel_##name(const xg_ew *e, void *to, const void *const *in, size_t n) { \
        typedef TYPE T; \
        T *out = (T *)to; \
        uint8_t *flags = (uint8_t *)to; \
        const T *x = (const T *)in[0], *y = (const T *)in[1], *z = (const T *)in[2]; \
        size_t i; \
        switch (e->op) { \
            XG_EVAL_COMPLEX_UNARY(XG_EVAL_COMPLEX_CASE1) \
            XG_EVAL_COMPLEX_BINARY(XG_EVAL_COMPLEX_CASE2) \
        XG_EVAL_COMPLEX_PART(XG_EVAL_COMPLEX_CASE_PART) \
        case XG_CLAMP: for (i = 0; i < n; i++) { \
                const xg_complex lo = LOAD(x, i), a = LOAD(y, i), hi = LOAD(z, i), \
                                 m = xg_complex_least(a, lo) ? lo : a, v = xg_complex_least(m, hi) ? m : hi; \
                out[2 * i] = (T)v.re; \
                out[2 * i + 1] = (T)v.im; \
            } \
            return true; \
        case XG_COMPARE: \
            switch (e->direction) { XG_EVAL_COMPLEX_COMPARE(XG_EVAL_COMPLEX_COMPARE_CASE) default: return false; } \
        default: return false; \
        } \
    }
/* clang-format on */
XG_EVAL_DEFINE_COMPLEX(c64, float)
XG_EVAL_DEFINE_COMPLEX(c128, double)
#undef XG_EVAL_DEFINE_COMPLEX
#undef LOAD

/* ---- kernels that do not compute in the operand's type ---- */

XG_FN bool xg_eval_kernel_complex(const xg_ew *e, void *to, const void *const *in, size_t n) {
    size_t i, bytes = (size_t)xg_type_bytes(e->in_type[0]);
    unsigned char *out = (unsigned char *)to;
    const unsigned char *re = (const unsigned char *)in[0], *im = (const unsigned char *)in[1];
    if (bytes == 4)
        for (i = 0; i < n; i++) {
            memcpy(out + 8 * i, re + 4 * i, 4);
            memcpy(out + 8 * i + 4, im + 4 * i, 4);
        }
    else
        for (i = 0; i < n; i++) {
            memcpy(out + 16 * i, re + 8 * i, 8);
            memcpy(out + 16 * i + 8, im + 8 * i, 8);
        }
    return true;
}

#define XG_EVAL_SELECT_CASE(bytes) \
    case bytes: \
        for (i = 0; i < n; i++) memcpy(out + i * (bytes), (p[i] ? x : y) + i * (bytes), bytes); \
        return true;
XG_FN bool xg_eval_kernel_select(const xg_ew *e, void *to, const void *const *in, size_t n) {
    unsigned char *out = (unsigned char *)to;
    const uint8_t *p = (const uint8_t *)in[0];
    const unsigned char *x = (const unsigned char *)in[1], *y = (const unsigned char *)in[2];
    size_t i;
    switch (xg_type_bytes(e->out_type)) {
        XG_EVAL_SELECT_CASE(1)
        XG_EVAL_SELECT_CASE(2) XG_EVAL_SELECT_CASE(4) XG_EVAL_SELECT_CASE(8) default : for (i = 0; i < n; i++) {
            unsigned char v[16];
            memcpy(v, (p[i] ? x : y) + i * 16, 16);
            memcpy(out + i * 16, v, 16);
        }
        return true;
    }
}

/* The rank of a float's bits in -NaN < -inf < ... < -0 < 0 < ... < inf < NaN. FNUZ formats have one NaN, below
 * everything. */
XG_FN int64_t xg_eval_total_key(const xg_float_format *f, uint64_t v) {
    uint64_t sign = (uint64_t)1 << (f->bits - 1);
    if (!f->has_sign) return (int64_t)v;
    if (!(v & sign)) return (int64_t)v;
    if (f->nan_is_negative_zero && v == sign) return INT64_MIN;
    return -(int64_t)(v & (sign - 1)) - 1;
}

XG_FN uint64_t xg_eval_load_bits(const void *p, size_t bytes) {
    uint64_t v = 0;
    memcpy(&v, p, bytes);
    return v;
}

XG_FN bool xg_eval_kernel_total_order(const xg_ew *e, void *to, const void *const *in, size_t n) {
    const xg_float_format *f = xg_float_format_of(e->in_type[0]);
    size_t bytes = (size_t)xg_type_bytes(e->in_type[0]), i;
    uint8_t *flags = (uint8_t *)to;
    for (i = 0; i < n; i++) {
        int64_t a = xg_eval_total_key(f, xg_eval_load_bits((const char *)in[0] + i * bytes, bytes));
        int64_t b = xg_eval_total_key(f, xg_eval_load_bits((const char *)in[1] + i * bytes, bytes));
        switch (e->direction) {
        case XG_DIR_EQ: flags[i] = a == b; break;
        case XG_DIR_NE: flags[i] = a != b; break;
        case XG_DIR_GE: flags[i] = a >= b; break;
        case XG_DIR_GT: flags[i] = a > b; break;
        case XG_DIR_LE: flags[i] = a <= b; break;
        default: flags[i] = a < b; break;
        }
    }
    return true;
}

XG_FN xg_ew_kernel xg_eval_kernel_of(xg_opcode op, xlagpu_type carrier) {
    if (op == XG_SELECT) return xg_eval_kernel_select;
    switch (carrier) {
    case XLAGPU_PRED: return xg_eval_kernel_pred;
    case XLAGPU_S1:
    case XLAGPU_S2:
    case XLAGPU_S4:
    case XLAGPU_S8: return xg_eval_kernel_s8;
    case XLAGPU_U1:
    case XLAGPU_U2:
    case XLAGPU_U4:
    case XLAGPU_U8: return xg_eval_kernel_u8;
    case XLAGPU_S16: return xg_eval_kernel_s16;
    case XLAGPU_U16: return xg_eval_kernel_u16;
    case XLAGPU_S32: return xg_eval_kernel_s32;
    case XLAGPU_U32: return xg_eval_kernel_u32;
    case XLAGPU_S64: return xg_eval_kernel_s64;
    case XLAGPU_U64: return xg_eval_kernel_u64;
    case XLAGPU_F64: return xg_eval_kernel_f64;
#ifndef XLAGPU_SMALL
    case XLAGPU_C64: return xg_eval_kernel_c64;
    case XLAGPU_C128: return xg_eval_kernel_c128;
#endif
    default: return xg_type_class(carrier) == XGT_F ? xg_eval_kernel_f32 : NULL;
    }
}

#undef XG_EVAL_INT_UNARY
#undef XG_EVAL_INT_BINARY
#undef XG_EVAL_INT_TERNARY
#undef XG_EVAL_PRED_UNARY
#undef XG_EVAL_PRED_BINARY
#undef XG_EVAL_PRED_TERNARY
#undef XG_EVAL_FLOAT_UNARY
#undef XG_EVAL_NEGATED
#undef XG_EVAL_FLOAT_BINARY
#undef XG_EVAL_COMPLEX_UNARY
#undef XG_EVAL_COMPLEX_BINARY
#undef XG_EVAL_COMPLEX_PART
#undef XG_EVAL_COMPLEX_COMPARE
#undef XG_EVAL_COMPARE
#undef XG_EVAL_COMPARE_CASE
#undef XG_EVAL_CASE1
#undef XG_EVAL_CASE2
#undef XG_EVAL_CASE3
#undef XG_EVAL_FLOAT_CASE1
#undef XG_EVAL_FLOAT_CASE2
#undef XG_EVAL_COMPLEX_CASE1
#undef XG_EVAL_COMPLEX_CASE2
#undef XG_EVAL_COMPLEX_CASE_PART
#undef XG_EVAL_COMPLEX_COMPARE_CASE
#undef XG_EVAL_SELECT_CASE
#undef xg_eval_clamp
#undef xg_eval_fmax
#undef xg_eval_fmin
#endif /* XG_EVAL_KERNELS_C */
