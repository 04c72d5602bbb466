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
 * is the cast. neg(a) is a < 0; mask cuts to the `bits` of narrow types, which lie sign- or zero-extended in 8. What
 * takes bits as they are, signed or not, is compiled once a width, with T = U. */
/* clang-format off */
#define XG_EVAL_BITS_UNARY(X) \
    X(ABS, neg(a) ? (W)0 - (W)a : (W)a) \
    X(NEGATE, (W)0 - (W)a) \
    X(SIGN, neg(a) ? (W)0 - 1 : (W)(a != 0)) \
    X(NOT, ~(W)a) \
    X(POPCNT, xg_eval_popcount((uint64_t)a & mask)) \
    X(COUNT_LEADING_ZEROS, xg_eval_clz((uint64_t)a & mask, bits))
#define XG_EVAL_BITS_BINARY(X) \
    X(ADD, (W)a + (W)b) \
    X(SUBTRACT, (W)a - (W)b) \
    X(MULTIPLY, (W)a * (W)b) \
    X(AND, a & b) \
    X(OR, a | b) \
    X(XOR, a ^ b) \
    X(SHIFT_LEFT, ((uint64_t)b & mask) >= (uint64_t)bits ? (W)0 : (W)a << (b & mask)) \
    X(SHIFT_RIGHT_LOGICAL, ((uint64_t)b & mask) >= (uint64_t)bits ? 0 : ((uint64_t)a & mask) >> (b & mask)) \
    X(SHIFT_RIGHT_ARITHMETIC, xg_eval_shift_arithmetic((uint64_t)a & mask, (uint64_t)b & mask, bits))
#define XG_EVAL_INT_BINARY(X) \
    X(MULHI, xg_eval_mulhi((uint64_t)a, (uint64_t)b, bits, is_signed)) \
    X(DIVIDE, b == 0 ? ~(W)0 : is_signed && b == (T)-1 ? (W)0 - (W)a : (W)(a / b)) \
    X(REMAINDER, b == 0 ? (W)a : is_signed && b == (T)-1 ? (W)0 : (W)(a % b)) \
    X(POWER, xg_eval_int_power((uint64_t)a, (uint64_t)b, 8 * (int)xg_type_bytes(e->in_type[0]))) \
    X(MAXIMUM, a > b ? a : b) \
    X(MINIMUM, a < b ? a : b)
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
    X(LOGISTIC, 1 / (1 + exp(-d))) \
    X(SQRT, xg_sqrt(d)) \
    X(RSQRT, 1 / xg_sqrt(d))
/* clang-format on */
/* X(opcode, its function in double) */
#define XG_EVAL_FLOAT_FUNCTIONS(X) \
    X(EXPONENTIAL, exp) \
    X(EXPONENTIAL_MINUS_ONE, expm1) \
    X(LOG, log) \
    X(LOG_PLUS_ONE, log1p) \
    X(CBRT, cbrt) \
    X(ERF, erf) \
    X(SINE, xg_sin) \
    X(COSINE, xg_cos) \
    X(TAN, xg_tan) \
    X(ASIN, asin) \
    X(ACOS, acos) \
    X(SINH, sinh) \
    X(COSH, cosh) \
    X(TANH, tanh) \
    X(ASINH, asinh) \
    X(ACOSH, acosh) \
    X(ATANH, atanh)
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

/* Complex numbers. X(opcode, what follows xg_complex_ in its function's name) */
/* clang-format off */
#define XG_EVAL_COMPLEX_UNARY(X) \
    X(NEGATE, negated) X(SIGN, sign) X(EXPONENTIAL, exp) X(EXPONENTIAL_MINUS_ONE, expm1) X(LOG, log) \
    X(LOG_PLUS_ONE, log1p) X(LOGISTIC, logistic) X(SQRT, sqrt) X(RSQRT, rsqrt) X(SINE, sin) X(COSINE, cos) \
    X(TAN, tan) X(ASIN, asin) X(ACOS, acos) X(SINH, sinh) X(COSH, cosh) X(TANH, tanh) \
    X(ASINH, asinh) X(ACOSH, acosh) X(ATANH, atanh)
#define XG_EVAL_COMPLEX_BINARY(X) \
    X(ADD, sum) X(SUBTRACT, difference) X(MULTIPLY, mul) X(DIVIDE, div) X(POWER, pow) X(ATAN2, atan2) X(MAXIMUM, larger) \
    X(MINIMUM, smaller)
/* clang-format on */

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
#ifdef __OPTIMIZE_SIZE__
/* One loop for all directions, where small code is asked for (-Os): whether a is less, equal, greater or none of these
 * is a bit of what the direction accepts. */
#define XG_EVAL_COMPARE_ALL(e) \
    { \
        const unsigned accepts = (unsigned)"\2\15\6\4\3\1"[(e)->direction]; /* EQ NE GE GT LE LT */ \
        for (i = 0; i < n; i++) { \
            const T a = x[i], b = y[i]; \
            flags[i] = (uint8_t)(accepts >> (a < b ? 0 : a == b ? 1 : a > b ? 2 : 3) & 1); \
        } \
        return true; \
    }
#else
#define XG_EVAL_COMPARE_ALL(e) \
    switch ((e)->direction) { \
        XG_EVAL_COMPARE(XG_EVAL_COMPARE_CASE) \
    default: return false; \
    }
#endif
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
#define XG_EVAL_DEFINE_BITS(width, UNSIGNED, WIDE) \
    XG_FN bool xg_eval_kernel_b##width(const xg_ew *e, void *to, const void *const *in, size_t n) { \
        typedef UNSIGNED T; \
        typedef WIDE W; \
        T *out = (T *)to; \
        const T *x = (const T *)in[0], *y = (const T *)in[1]; \
        const bool is_signed = e->is_signed; \
        const int bits = e->bits; \
        const uint64_t mask = UINT64_MAX >> (64 - bits); \
        size_t i; \
        switch (e->op) { \
            XG_EVAL_BITS_UNARY(XG_EVAL_CASE1) \
            XG_EVAL_BITS_BINARY(XG_EVAL_CASE2) \
        default: return false; \
        } \
    }
#define XG_EVAL_DEFINE_INT(name, width, TYPE, WIDE) \
    XG_FN bool xg_eval_kernel_##name##width(const xg_ew *e, void *to, const void *const *in, size_t n) { \
        typedef TYPE T; \
        typedef WIDE W; \
        T *out = (T *)to; \
        uint8_t *flags = (uint8_t *)to; \
        const T *x = (const T *)in[0], *y = (const T *)in[1], *z = (const T *)in[2]; \
        const bool is_signed = e->is_signed; \
        const int bits = e->bits; \
        size_t i; \
        switch (e->op) { \
            XG_EVAL_INT_BINARY(XG_EVAL_CASE2) \
        XG_EVAL_INT_TERNARY(XG_EVAL_CASE3) \
        case XG_COMPARE: XG_EVAL_COMPARE_ALL(e) \
        default: return xg_eval_kernel_b##width(e, to, in, n); \
        } \
    }
/* clang-format on */
#define neg(a) (is_signed && ((a) >> (sizeof(T) * 8 - 1)))
XG_EVAL_DEFINE_BITS(64, uint64_t, uint64_t)
XG_EVAL_DEFINE_INT(s, 64, int64_t, uint64_t)
XG_EVAL_DEFINE_INT(u, 64, uint64_t, uint64_t)
#ifdef __OPTIMIZE_SIZE__
/* Where small code is asked for (-Os), shorter integers compute by blocks in carriers of 64 bits, as those of 4 do in
 * carriers of 8: 5 KB less. */
XG_FN bool xg_eval_kernel_short(const xg_ew *e, void *to, const void *const *in, size_t n) {
    const size_t bytes = (size_t)xg_type_bytes(e->in_type[0]), shift = 64 - 8 * bytes;
    const bool is_flag = e->op == XG_COMPARE;
    uint64_t block[3][64];
    const void *const wide[3] = {block[0], block[1], block[2]};
    size_t at, i, k, m = 0;
    for (at = 0; at < n || !n; at += m) {
        m = XG_MIN(n - at, 64);
        for (k = 0; k < e->n_in; k++)
            for (i = 0; i < m; i++) {
                uint64_t v = 0;
                if (bytes == 4) /* most integers: no call */
                    v = ((const uint32_t *)in[k])[at + i];
                else
                    memcpy(&v, (const char *)in[k] + (at + i) * bytes, bytes);
                block[k][i] = e->is_signed ? (uint64_t)((int64_t)(v << shift) >> shift) : v;
            }
        if (!(e->is_signed ? xg_eval_kernel_s64 : xg_eval_kernel_u64)(
                e, is_flag ? (char *)to + at : (char *)block[0], wide, m))
            return false;
        if (!n) return true;
        for (i = 0; i < m && !is_flag; i++)
            if (bytes == 4)
                ((uint32_t *)to)[at + i] = (uint32_t)block[0][i];
            else
                memcpy((char *)to + (at + i) * bytes, &block[0][i], bytes);
    }
    return true;
}
#define xg_eval_kernel_s8 xg_eval_kernel_short
#define xg_eval_kernel_u8 xg_eval_kernel_short
#define xg_eval_kernel_s16 xg_eval_kernel_short
#define xg_eval_kernel_u16 xg_eval_kernel_short
#define xg_eval_kernel_s32 xg_eval_kernel_short
#define xg_eval_kernel_u32 xg_eval_kernel_short
#else
XG_EVAL_DEFINE_BITS(32, uint32_t, uint32_t)
XG_EVAL_DEFINE_INT(s, 32, int32_t, uint32_t)
XG_EVAL_DEFINE_INT(u, 32, uint32_t, uint32_t)
XG_EVAL_DEFINE_BITS(8, uint8_t, uint32_t)
XG_EVAL_DEFINE_BITS(16, uint16_t, uint32_t)
XG_EVAL_DEFINE_INT(s, 8, int8_t, uint32_t)
XG_EVAL_DEFINE_INT(u, 8, uint8_t, uint32_t)
XG_EVAL_DEFINE_INT(s, 16, int16_t, uint32_t)
XG_EVAL_DEFINE_INT(u, 16, uint16_t, uint32_t)
#endif
#undef neg
#undef XG_EVAL_DEFINE_INT
#undef XG_EVAL_DEFINE_BITS

XG_FN bool xg_eval_kernel_pred(const xg_ew *e, void *to, const void *const *in, size_t n) {
    typedef uint8_t T;
    T *out = (T *)to, *flags = out;
    const T *x = (const T *)in[0], *y = (const T *)in[1], *z = (const T *)in[2];
    size_t i;
    switch (e->op) {
        XG_EVAL_PRED_UNARY(XG_EVAL_CASE1)
        XG_EVAL_PRED_BINARY(XG_EVAL_CASE2)
        XG_EVAL_PRED_TERNARY(XG_EVAL_CASE3)
    case XG_COMPARE: XG_EVAL_COMPARE_ALL(e)
    default: return false;
    }
}

/* The place of an opcode in a list of them, n if it is not there. */
XG_FN size_t xg_eval_place(const uint8_t *ops, size_t n, xg_opcode op) {
    size_t k;
    for (k = 0; k < n && ops[k] != (uint8_t)op; k++) {}
    return k;
}
typedef double (*xg_eval_function)(double);
XG_FN xg_eval_function xg_eval_function_of(xg_opcode op) {
    XG_TABLE const uint8_t ops[] = {
#define X(op, f) XG_##op,
        XG_EVAL_FLOAT_FUNCTIONS(X)
#undef X
    };
    XG_TABLE const xg_eval_function functions[] = {
#define X(op, f) f,
        XG_EVAL_FLOAT_FUNCTIONS(X)
#undef X
    };
    const size_t k = xg_eval_place(ops, sizeof ops, op);
    return k < sizeof ops ? functions[k] : NULL;
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
        const xg_eval_function f = xg_eval_function_of(ew->op); \
        size_t i; \
        if (f) { \
            for (i = 0; i < n; i++) out[i] = (T)f((double)x[i]); \
            return true; \
        } \
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
            XG_EVAL_COMPARE_ALL(ew) \
        default: return false; \
        } \
    }
/* clang-format on */
XG_EVAL_DEFINE_FLOAT(f32, float)
XG_EVAL_DEFINE_FLOAT(f64, double)
#undef XG_EVAL_DEFINE_FLOAT

#ifndef XLAGPU_SMALL
XG_FN xg_complex xg_complex_negated(xg_complex a) { return xg_complex_of(-a.re, -a.im); }
XG_FN xg_complex xg_complex_sum(xg_complex a, xg_complex b) { return xg_complex_of(a.re + b.re, a.im + b.im); }
XG_FN xg_complex xg_complex_difference(xg_complex a, xg_complex b) { return xg_complex_of(a.re - b.re, a.im - b.im); }
XG_FN xg_complex xg_complex_larger(xg_complex a, xg_complex b) { return xg_complex_least(b, a) ? a : b; }
XG_FN xg_complex xg_complex_smaller(xg_complex a, xg_complex b) { return xg_complex_least(a, b) ? a : b; }
XG_FN bool xg_complex_compared(int direction, xg_complex a, xg_complex b) {
    switch (direction) {
    case XG_DIR_EQ: return a.re == b.re && a.im == b.im;
    case XG_DIR_NE: return a.re != b.re || a.im != b.im;
    case XG_DIR_LT: return xg_complex_less(a, b);
    case XG_DIR_GT: return xg_complex_less(b, a);
    case XG_DIR_LE: return xg_complex_least(a, b);
    default: return xg_complex_least(b, a); /* GE: the verifier takes no seventh */
    }
}
typedef xg_complex (*xg_complex_function)(xg_complex);
typedef xg_complex (*xg_complex_function2)(xg_complex, xg_complex);
XG_FN xg_complex_function xg_complex_function_of(xg_opcode op) {
    XG_TABLE const uint8_t ops[] = {
#define X(op, f) XG_##op,
        XG_EVAL_COMPLEX_UNARY(X)
#undef X
    };
    XG_TABLE const xg_complex_function functions[] = {
#define X(op, f) xg_complex_##f,
        XG_EVAL_COMPLEX_UNARY(X)
#undef X
    };
    const size_t k = xg_eval_place(ops, sizeof ops, op);
    return k < sizeof ops ? functions[k] : NULL;
}
XG_FN xg_complex_function2 xg_complex_function2_of(xg_opcode op) {
    XG_TABLE const uint8_t ops[] = {
#define X(op, f) XG_##op,
        XG_EVAL_COMPLEX_BINARY(X)
#undef X
    };
    XG_TABLE const xg_complex_function2 functions[] = {
#define X(op, f) xg_complex_##f,
        XG_EVAL_COMPLEX_BINARY(X)
#undef X
    };
    const size_t k = xg_eval_place(ops, sizeof ops, op);
    return k < sizeof ops ? functions[k] : NULL;
}
/* Element i of an array of c64 or, if wide, c128. */
XG_FN xg_complex xg_complex_load(const void *p, size_t i, bool wide) {
    const double *d = (const double *)p + 2 * i;
    const float *f = (const float *)p + 2 * i;
    return wide ? xg_complex_of(d[0], d[1]) : xg_complex_of((double)f[0], (double)f[1]);
}
XG_ONE_COPY XG_FN void xg_real_store(void *p, size_t i, bool wide, double v) {
    if (wide)
        ((double *)p)[i] = v;
    else
        ((float *)p)[i] = (float)v;
}
XG_FN void xg_complex_store(void *p, size_t i, bool wide, xg_complex v) {
    xg_real_store(p, 2 * i, wide, v.re);
    xg_real_store(p, 2 * i + 1, wide, v.im);
}
/* c64 and c128, which compute the same: most of the time goes into the functions. */
XG_FN bool xg_eval_kernel_complexes(const xg_ew *e, void *to, const void *const *in, size_t n) {
    const bool wide = e->in_type[0] == XLAGPU_C128;
    const xg_complex_function f = xg_complex_function_of(e->op);
    const xg_complex_function2 g = xg_complex_function2_of(e->op);
    size_t i;
    for (i = 0; i < n; i++) {
        const xg_complex a = xg_complex_load(in[0], i, wide);
        if (f)
            xg_complex_store(to, i, wide, f(a));
        else if (g)
            xg_complex_store(to, i, wide, g(a, xg_complex_load(in[1], i, wide)));
        else if (e->op == XG_COMPARE)
            ((uint8_t *)to)[i] = xg_complex_compared(e->direction, a, xg_complex_load(in[1], i, wide));
        else if (e->op == XG_CLAMP) {
            const xg_complex m = xg_complex_larger(a, xg_complex_load(in[1], i, wide));
            xg_complex_store(to, i, wide, xg_complex_smaller(m, xg_complex_load(in[2], i, wide)));
        } else
            xg_real_store(to, i, wide, e->op == XG_ABS ? hypot(a.re, a.im) : e->op == XG_REAL ? a.re : a.im);
    }
    return f || g || e->op == XG_COMPARE || e->op == XG_CLAMP || e->op == XG_ABS || e->op == XG_REAL ||
           e->op == XG_IMAG;
}
#endif

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
    case XLAGPU_C64:
    case XLAGPU_C128: return xg_eval_kernel_complexes;
#endif
    default: return xg_type_class(carrier) == XGT_F ? xg_eval_kernel_f32 : NULL;
    }
}

#undef xg_eval_kernel_s8
#undef xg_eval_kernel_u8
#undef xg_eval_kernel_s16
#undef xg_eval_kernel_u16
#undef xg_eval_kernel_s32
#undef xg_eval_kernel_u32
#undef XG_EVAL_BITS_UNARY
#undef XG_EVAL_BITS_BINARY
#undef XG_EVAL_INT_BINARY
#undef XG_EVAL_INT_TERNARY
#undef XG_EVAL_PRED_UNARY
#undef XG_EVAL_PRED_BINARY
#undef XG_EVAL_PRED_TERNARY
#undef XG_EVAL_FLOAT_UNARY
#undef XG_EVAL_FLOAT_FUNCTIONS
#undef XG_EVAL_NEGATED
#undef XG_EVAL_FLOAT_BINARY
#undef XG_EVAL_COMPLEX_UNARY
#undef XG_EVAL_COMPLEX_BINARY
#undef XG_EVAL_COMPARE
#undef XG_EVAL_COMPARE_CASE
#undef XG_EVAL_COMPARE_ALL
#undef XG_EVAL_CASE1
#undef XG_EVAL_CASE2
#undef XG_EVAL_CASE3
#undef XG_EVAL_FLOAT_CASE1
#undef XG_EVAL_FLOAT_CASE2
#undef XG_EVAL_SELECT_CASE
#undef xg_eval_clamp
#undef xg_eval_fmax
#undef xg_eval_fmin
#endif /* XG_EVAL_KERNELS_C */
