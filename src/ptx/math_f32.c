/* ptx/math_f32.c -- the math dialect in f32.
 *
 * Polynomials are minimax fits of our own (sollya, fpminimax with single coefficients); their error stands beside them.
 * The bounds that tests/programs/math.c measures are in docs/numerics.md; they assume the documented errors of
 * ex2.approx (2^-22.5), lg2.approx (2^-22) and rcp.approx (1 ulp).
 *
 * Habits
 * - Rounding to an integer n: add 1.5 * 2^23, which leaves n in the low bits; subtract it again for n as a float. The
 *   same bits shifted into the exponent are 2^n.
 * - What must stay NaN goes through instructions that keep it; clamps that drop NaNs are only applied where another
 *   operand still carries it.
 * - Odd functions get their sign at the end, which also keeps -0. */
#ifndef XG_PTX_MATH_F32_C
#define XG_PTX_MATH_F32_C
#include "math_common.c"

#define XG_F32_LOG2E 0x3FB8AA3B
#define XG_F32_LOG2E_LO 0x32A57060
#define XG_F32_LN2 0x3F317218
#define XG_F32_LN2_LO 0xB102E308
#define XG_F32_PIO2 0x3FC90FDB
#define XG_F32_PIO2_LO 0xB33BBD2E
#define XG_F32_PIO2_LO2 0xA6F72CED
#define XG_F32_INF 0x7F800000
#define XG_F32_NAN 0x7FC00000
#define XG_F32_MIN_NORMAL 0x00800000

/* exp(x). 2^n with n clamped to the normal exponents takes most of it, ex2.approx the rest, so that overflow
 * and subnormal results come out of one multiplication. (9 instructions) */
static xg_kval *xg_m32_exp(xg_kb *b, xg_kval *x) {
    double magic = 12582912.0 + 127;
    xg_kval *t, *n, *f, *scale;
    t = FMA_(x, K32_(XG_F32_LOG2E), F32_(magic));
    t = MAXNUM_(t, F32_(magic - 126)); /* a NaN becomes a number here and stays one in f */
    t = MINNUM_(t, F32_(magic + 126));
    n = SUB_(F32_(magic), t);
    f = FMA_(x, K32_(XG_F32_LOG2E), n);
    f = FMA_(x, K32_(XG_F32_LOG2E_LO), f);
    f = xg_math_ftz(b, XG_K_OP_EX2A, f);
    scale = BITS_(t);
    scale = BY_(SHLI, scale, 23);
    scale = FLOAT_(scale);
    return MUL_(f, scale);
}
static xg_kval *xg_m32_exp_any(xg_kb *b, xg_kval *x, uint32_t shortness) {
    xg_kval *t;
    if (!shortness) return xg_m32_exp(b, x);
    t = MUL_(x, K32_(XG_F32_LOG2E)); /* 2^-17 at worst; bf16 has subnormal results that count, f16 has none so small */
    return shortness & XG_MATH_SHORT_F16 ? xg_math_ftz(b, XG_K_OP_EX2A, t) : xg_k1(b, XG_K_OP_EX2A, t);
}

/* expm1 on [-0.35, 0.35]: x + x^2 P(x), 2^-30.9 */
static const uint32_t xg_m32_expm1_c[] = {0x394F151E, 0x3AB6A4A6, 0x3C08897E, 0x3D2AAA76, 0x3E2AAAAA, 0x3F000000};
static xg_kval *xg_m32_expm1(xg_kb *b, xg_kval *x) {
    double magic = 12582912.0 + 126;
    xg_kval *c, *t, *n, *r, *p, *q, *s, *u, *y, *none;
    c = xg_k2(b, XG_K_OP_MAXF, x, F32_(-17.5)); /* beyond: -1 and infinity anyway */
    c = xg_k2(b, XG_K_OP_MINF, c, F32_(89));
    t = FMA_(c, K32_(XG_F32_LOG2E), F32_(magic));
    n = SUB_(F32_(magic), t);
    r = FMA_(n, K32_(XG_F32_LN2), c);
    r = FMA_(n, K32_(XG_F32_LN2_LO), r);
    p = xg_math_poly32(b, r, xg_m32_expm1_c, XG_COUNT(xg_m32_expm1_c));
    q = MUL_(r, r);
    p = FMA_(q, p, r);
    s = BITS_(t);
    s = BY_(SHLI, s, 23);
    s = FLOAT_(s); /* half of 2^n, which for the largest n would not fit */
    u = ADD_(s, F32_(-0.5));
    y = FMA_(p, s, u);
    y = ADD_(y, y);
    none = CMPF_(OEQ, n, F32_(0)); /* halving would lose a bit of a subnormal */
    y = SEL_(none, p, y);
    return COPYSIGN_(y, x);
}

/* For 16 bits: exp(x) - 1, near zero x (1 + x/2 + x^2/6). 2^-16 */
static xg_kval *xg_m32_expm1_short(xg_kb *b, xg_kval *x) {
    xg_kval *t = MUL_(x, K32_(XG_F32_LOG2E)), *big, *p, *little, *is_small;
    t = xg_math_ftz(b, XG_K_OP_EX2A, t);
    big = ADD_(t, F32_(-1));
    p = FMA_(x, F32_(1.0 / 6), F32_(0.5));
    p = FMA_(p, x, F32_(1));
    little = MUL_(x, p);
    t = ABS_(x);
    is_small = CMPF_(OLT, t, F32_(0.0625));
    return SEL_(is_small, little, big);
}

/* ---- logarithms ---- */
/* log1p on [-1/3, 1/3]: x + x^2 P(x), 2^-27.6; the short one 2^-19.8 */
static const uint32_t xg_m32_log_c[] = {
    0xBE037E2F, 0x3E0F7B5A, 0xBDF9C97B, 0x3E0F5B12, 0xBE2ACC5F, 0x3E4CE942, 0xBE7FFF88, 0x3EAAAA80, 0xBF000000};
static const uint32_t xg_m32_log_short_c[] = {0x3E2E445B, 0xBE468AFF, 0x3E4AE310, 0xBE7E68CC, 0x3EAAAF69, 0xBF000166};
/* log(1 + f) + e ln 2 */
static xg_kval *xg_m32_log_sum(xg_kb *b, xg_kval *f, xg_kval *e, bool is_short) {
    xg_kval *p = is_short ? xg_math_poly32(b, f, xg_m32_log_short_c, XG_COUNT(xg_m32_log_short_c))
                          : xg_math_poly32(b, f, xg_m32_log_c, XG_COUNT(xg_m32_log_c));
    xg_kval *q = MUL_(f, f);
    p = FMA_(p, q, f);
    return FMA_(e, K32_(XG_F32_LN2), p);
}
/* A positive normal number is 2^e (1 + f) with 1 + f in [2/3, 4/3): f, and e as a float plus e0 (NULL: none). */
static xg_kval *xg_m32_split(xg_kb *b, xg_kval *x, xg_kval *e0, xg_kval **e) {
    xg_kval *i = BITS_(x), *k = BY_(SUBI, i, 0x3F2AAAAB), *m;
    k = BY_(ANDI, k, -0x800000);
    m = ISUB_(i, k);
    m = FLOAT_(m);
    k = CAST_(SITOFP, k, XG_E_F32);
    *e = e0 ? FMA_(k, K32_(0x34000000), e0) : MUL_(k, K32_(0x34000000)); /* 2^-23 */
    return ADD_(m, F32_(-1));
}
static xg_kval *xg_m32_log(xg_kb *b, xg_kval *x, uint32_t shortness) {
    xg_kval *tiny, *e = NULL, *f, *a = x, *y, *good, *other, *zero;
    if (shortness & XG_MATH_SHORT_BF16) { /* near 1 too: the nearest bf16 are 2^-9 away, the error is 2^-22 */
        y = xg_k1(b, XG_K_OP_LG2A, x);
        return MUL_(y, K32_(XG_F32_LN2));
    }
    if (!shortness) { /* subnormals; a widened f16 is none */
        tiny = CMPF_(OLT, x, K32_(XG_F32_MIN_NORMAL));
        a = MUL_(x, F32_(8388608.0));
        a = SEL_(tiny, a, x);
        e = SEL_(tiny, F32_(-23), F32_(0));
    }
    f = xg_m32_split(b, a, e, &e);
    y = xg_m32_log_sum(b, f, e, shortness != 0);
    good = BITS_(x);
    good = BY_(SUBI, good, 1);
    good = CMPBY_(ULT, good, 0x7F7FFFFF);                /* positive and finite */
    other = FMA_(x, K32_(XG_F32_INF), K32_(XG_F32_INF)); /* infinity stays, all else is NaN */
    y = SEL_(good, y, other);
    zero = CMPF_(OEQ, x, F32_(0));
    return SEL_(zero, K32_(0xFF800000), y);
}
/* 1 + x = 2^e (1 + f) where f = 2^-e x + (2^-e - 1) is rounded once; 2^-e is kept times 4 so that it never
 * underflows. */
static xg_kval *xg_m32_log1p(xg_kb *b, xg_kval *x) {
    xg_kval *u = ADD_(x, F32_(1)), *k, *s, *f, *e, *y, *little, *good, *other, *q, *t;
    k = BITS_(u);
    k = BY_(SUBI, k, 0x3F2AAAAB);
    k = BY_(ANDI, k, -0x800000);
    s = ISUB_(I32_(0x40800000), k);
    s = FLOAT_(s);
    e = CAST_(SITOFP, k, XG_E_F32);
    e = MUL_(e, K32_(0x34000000));
    t = FMA_(s, F32_(0.25), F32_(-1));
    q = MUL_(x, F32_(0.25));
    f = FMA_(q, s, t);
    y = xg_m32_log_sum(b, f, e, false);
    good = CMPF_(OGT, x, F32_(-1));
    t = CMPF_(OLT, x, K32_(XG_F32_INF));
    good = AND_(good, t);
    other = FMA_(x, K32_(XG_F32_INF), K32_(XG_F32_INF));
    y = SEL_(good, y, other);
    t = CMPF_(OEQ, x, F32_(-1));
    y = SEL_(t, K32_(0xFF800000), y);
    t = ABS_(x);
    little = CMPF_(OLT, t, K32_(0x30800000)); /* 2^-30: x itself, with its sign and its last bit */
    return SEL_(little, x, y);
}

/* For bf16: log(1 + x), near zero x (1 - x/2). 2^-14 */
static xg_kval *xg_m32_log1p_short(xg_kb *b, xg_kval *x) {
    xg_kval *t = ADD_(x, F32_(1)), *big, *little, *is_small;
    t = xg_math_ftz(b, XG_K_OP_LG2A, t);
    big = MUL_(t, K32_(XG_F32_LN2));
    t = FMA_(x, F32_(-0.5), F32_(1));
    little = MUL_(x, t);
    t = ABS_(x);
    is_small = CMPF_(OLT, t, F32_(0.0078125));
    return SEL_(is_small, little, big);
}

/* ---- hyperbolic ---- */
/* tanh on [0, 0.91]: x + x^3 P(x^2), 2^-25.7 */
static const uint32_t xg_m32_tanh_c[] = {0x3AA76E86, 0xBBDEDA43, 0x3CAAD916, 0xBD5BF827, 0x3E087FFB, 0xBEAAAA7D};
static xg_kval *xg_m32_tanh(xg_kb *b, xg_kval *x, uint32_t shortness) {
    xg_kval *a, *t, *big, *z, *p, *little, *is_small, *y;
    if (shortness) {                   /* 1 - 2 / (exp(2x) + 1); near zero x (1 - x^2 / 3). 2^-18. (11 instructions) */
        t = MUL_(x, K32_(0x4038AA3B)); /* 2 log2 e */
        t = xg_math_ftz(b, XG_K_OP_EX2A, t);
        t = ADD_(t, F32_(1));
        t = xg_math_ftz(b, XG_K_OP_RCPA, t);
        big = FMA_(t, F32_(-2), F32_(1));
        z = MUL_(x, x);
        p = FMA_(z, F32_(-1.0 / 3), F32_(1));
        little = MUL_(x, p);
        a = ABS_(x);
        is_small = CMPF_(OLT, a, F32_(0.03125));
        return SEL_(is_small, little, big);
    }
    a = ABS_(x);
    t = MUL_(a, K32_(0x4038AA3B));
    t = xg_math_ftz(b, XG_K_OP_EX2A, t);
    t = ADD_(t, F32_(1));
    t = xg_math_ftz(b, XG_K_OP_RCPA, t);
    big = FMA_(t, F32_(-2), F32_(1));
    z = MUL_(x, x);
    p = xg_math_poly32(b, z, xg_m32_tanh_c, XG_COUNT(xg_m32_tanh_c));
    p = MUL_(p, z);
    little = FMA_(p, a, a);
    is_small = CMPF_(OLT, a, F32_(0.9));
    y = SEL_(is_small, little, big);
    return COPYSIGN_(y, x);
}
/* exp(a) / 2 for a >= 0 within 0.8 ulp: it overflows no sooner than sinh and cosh do. */
static xg_kval *xg_m32_exp_half(xg_kb *b, xg_kval *a) {
    double magic = 12582912.0 + 125; /* a quarter: the largest 2^n alone would not fit */
    xg_kval *c, *t, *n, *r, *p, *q, *s;
    c = xg_k2(b, XG_K_OP_MINF, a, F32_(89.5)); /* infinity from here on; keeps NaN */
    t = FMA_(c, K32_(XG_F32_LOG2E), F32_(magic));
    n = SUB_(F32_(magic), t);
    r = FMA_(n, K32_(XG_F32_LN2), c);
    r = FMA_(n, K32_(XG_F32_LN2_LO), r);
    p = xg_math_poly32(b, r, xg_m32_expm1_c, XG_COUNT(xg_m32_expm1_c));
    q = MUL_(r, r);
    p = FMA_(q, p, r);
    s = BITS_(t);
    s = BY_(SHLI, s, 23);
    s = FLOAT_(s);
    p = FMA_(p, s, s);
    return ADD_(p, p);
}
/* sinh on [0, 1]: x + x^3 P(x^2), 2^-31.4 */
static const uint32_t xg_m32_sinh_c[] = {0x363B3B8F, 0x39500E11, 0x3C088875, 0x3E2AAAAB};
static xg_kval *xg_m32_sinh(xg_kb *b, xg_kval *x) {
    xg_kval *a = ABS_(x), *e, *r, *big, *z, *p, *little, *is_small, *y;
    e = xg_m32_exp_half(b, a);
    r = xg_math_ftz(b, XG_K_OP_RCPA, e);
    big = FMA_(r, F32_(-0.25), e);
    z = MUL_(x, x);
    p = xg_math_poly32(b, z, xg_m32_sinh_c, XG_COUNT(xg_m32_sinh_c));
    p = MUL_(p, z);
    little = FMA_(p, a, a);
    is_small = CMPF_(OLT, a, F32_(1));
    y = SEL_(is_small, little, big);
    return COPYSIGN_(y, x);
}
static xg_kval *xg_m32_cosh(xg_kb *b, xg_kval *x) {
    xg_kval *a = ABS_(x), *e, *r;
    e = xg_m32_exp_half(b, a);
    r = xg_math_ftz(b, XG_K_OP_RCPA, e);
    return FMA_(r, F32_(0.25), e);
}
static xg_kval *xg_m32_asinh(xg_kb *b, xg_kval *x) { /* log1p(a + a^2 / (1 + sqrt(1 + a^2))); far out log(a) + ln 2 */
    xg_kval *a = ABS_(x), *s, *t, *faraway, *y, *more;
    s = FMA_(a, a, F32_(1));
    s = SQRT_(s);
    s = ADD_(s, F32_(1));
    t = MUL_(a, a);
    t = DIV_(t, s);
    t = ADD_(a, t);
    faraway = CMPF_(OGT, a, K32_(0x4E800000)); /* 2^30 */
    t = SEL_(faraway, a, t);
    y = xg_m32_log1p(b, t);
    more = SEL_(faraway, K32_(XG_F32_LN2), F32_(0));
    y = ADD_(y, more);
    return COPYSIGN_(y, x);
}
static xg_kval *xg_m32_acosh(xg_kb *b, xg_kval *x) { /* with t = x - 1: log1p(t + sqrt(2t + t^2)) */
    xg_kval *t = ADD_(x, F32_(-1)), *s, *faraway, *y, *more, *bad;
    s = ADD_(t, t);
    s = FMA_(t, t, s);
    s = SQRT_(s);
    s = ADD_(t, s);
    faraway = CMPF_(OGT, x, K32_(0x4E800000));
    s = SEL_(faraway, x, s);
    y = xg_m32_log1p(b, s);
    more = SEL_(faraway, K32_(XG_F32_LN2), F32_(0));
    y = ADD_(y, more);
    bad = CMPF_(OLT, x, F32_(1));
    return SEL_(bad, K32_(XG_F32_NAN), y);
}
static xg_kval *xg_m32_atanh(xg_kb *b, xg_kval *x) { /* log1p(2a / (1 - a)) / 2 */
    xg_kval *a = ABS_(x), *t = SUB_(F32_(1), a), *d = ADD_(a, a), *y;
    t = DIV_(d, t);
    y = xg_m32_log1p(b, t);
    y = MUL_(y, F32_(0.5));
    d = CMPF_(OLT, a, K32_(0x30800000)); /* 2^-30: doubling and halving again would round subnormals twice */
    y = SEL_(d, a, y);
    return COPYSIGN_(y, x);
}

/* ---- trigonometric ---- */
/* sin on [0, pi/4]: x + x^3 P(x^2), 2^-32.2; cos: 1 + x^2 P(x^2), 2^-30; tan: x + x^3 P(x^2), 2^-29.5 */
static const uint32_t xg_m32_sin_c[] = {0x363BEEFC, 0xB950242F, 0x3C0888B2, 0xBE2AAAAB};
static const uint32_t xg_m32_cos_c[] = {0x37CD3F08, 0xBAB60731, 0x3D2AAAA7, 0xBF000000};
static const uint32_t xg_m32_tan_c[] = {
    0x3B8F6F8C, 0x38BC440E, 0x3C317E4A, 0x3CAE5C69, 0x3D5D6D2D, 0x3E0886CE, 0x3EAAAAB0};

/* 32 zero bits, then 2/pi. */
static const uint32_t xg_m32_two_over_pi[] = {
    0, 0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB};

/* Payne and Hanek: of 2/pi only the bits count that the product with x leaves between 2 and 2^-70 or so: three words
 * from a position that depends on the exponent. Their product with the significand, modulo 2^96, is x / (pi/2) modulo 4
 * in its upper 64 bits. Gives r in [-pi/4, pi/4] and q. */
static void xg_m32_reduce_far(xg_kb *b, xg_kval *x, xg_kval **r, xg_kval **q) {
    xg_kval *i = BITS_(x), *m, *s, *word, *w[4], *p, *h, *lo, *t, *frac, *negative, *hit;
    int k, j;
    m = BY_(ANDI, i, 0x7FFFFF);
    m = BY_(ORI, m, 0x800000);
    s = BY_(SHRUI, i, 23);
    s = BY_(ANDI, s, 255);
    s = BY_(SUBI, s, 120); /* bits to skip, 23 or more for 2^16 and up */
    word = BY_(SHRUI, s, 5);
    for (k = 0; k < 4; k++) {
        w[k] = I32_((int64_t)xg_m32_two_over_pi[k]);
        for (j = 1; j <= 4; j++) {
            hit = CMPBY_(EQ, word, j);
            w[k] = SEL_(hit, I32_((int64_t)xg_m32_two_over_pi[k + j]), w[k]);
        }
    }
    s = ISUB_(I32_(32), s); /* a funnel shift left by s is one right by 32 - s ... */
    s = BY_(ANDI, s, 31);
    t = CMPBY_(EQ, s, 0); /* ... except by none */
    for (k = 0; k < 3; k++) {
        lo = xg_k3(b, XG_K_OP_SHFL3, w[k], w[k + 1], s);
        w[k] = SEL_(t, w[k], lo);
    }
    p = xg_kcast(b, XG_K_OP_EXTUI, m, XG_E_I64);
    w[0] = IMUL_(w[0], m);
    w[1] = CAST_(EXTUI, w[1], XG_E_I64);
    w[1] = IMUL_(w[1], p);
    w[2] = CAST_(EXTUI, w[2], XG_E_I64);
    w[2] = IMUL_(w[2], p);
    h = SHRU_(w[2], I64_(32));
    h = IADD_(w[1], h);
    w[0] = CAST_(EXTUI, w[0], XG_E_I64);
    w[0] = SHL_(w[0], I64_(32));
    h = IADD_(h, w[0]);
    frac = BY_(SHLI, h, 2); /* as a signed number: nearest quadrant */
    t = BY_(SHRUI, frac, 63);
    h = BY_(SHRUI, h, 62);
    h = IADD_(h, t);
    *q = CAST_(TRUNCI, h, XG_E_I32);
    frac = xg_k2(b, XG_K_OP_MULHSI, frac, I64_(0x6487ED5110B4611A)); /* pi/2 2^62 */
    t = CAST_(SITOFP, frac, XG_E_F32);
    t = MUL_(t, K32_(0x20800000)); /* 2^-62 */
    negative = CMPBY_(SLT, i, 0);
    h = NEG_(t);
    t = SEL_(negative, h, t);
    h = ISUB_(I32_(0), *q);
    *q = SEL_(negative, h, *q);
    h = SUB_(x, x); /* NaN for infinities and NaNs */
    hit = CMPF_(OEQ, h, F32_(0));
    *r = SEL_(hit, t, h);
}
/* x = q pi/2 + r. Up to 2^16 by three constants whose products fma takes exactly. */
static void xg_m32_reduce(xg_kb *b, xg_kval *x, xg_kval **r, xg_kval **q) {
    const xg_ktype *types[2];
    xg_kval *a = ABS_(x), *nearby = CMPF_(OLT, a, F32_(65536)), *t, *n, *out[2];
    xg_math_if f;
    types[0] = xg_kir_scalar(b->m, XG_E_F32);
    types[1] = xg_kir_scalar(b->m, XG_E_I32);
    f = xg_math_if_begin(b, nearby, types, 2);
    {
        xg_kb *outer = b;
        b = &f.then_b;
        t = FMA_(x, K32_(0x3F22F983), F32_(12582912));
        n = SUB_(F32_(12582912), t);
        out[0] = FMA_(n, K32_(XG_F32_PIO2), x);
        out[0] = FMA_(n, K32_(XG_F32_PIO2_LO), out[0]);
        out[0] = FMA_(n, K32_(XG_F32_PIO2_LO2), out[0]);
        out[1] = BITS_(t);
        xg_kyield(b, out, 2);
        b = outer;
    }
    xg_m32_reduce_far(&f.else_b, x, &out[0], &out[1]);
    xg_kyield(&f.else_b, out, 2);
    *r = &f.op->results[0];
    *q = &f.op->results[1];
}
/* Quadrant q of sine: sin r, cos r, -sin r, -cos r; cosine is a quadrant ahead. Both polynomials have four
 * coefficients, so these are chosen. */
static xg_kval *xg_m32_sin(xg_kb *b, xg_kval *x, bool cosine) {
    xg_kval *r, *q, *odd, *z, *p, *t, *c, *y, *neg;
    int k;
    xg_m32_reduce(b, x, &r, &q);
    if (cosine) q = BY_(ADDI, q, 1);
    z = MUL_(r, r);
    odd = BY_(ANDI, q, 1);
    odd = CMPBY_(NE, odd, 0);
    p = SEL_(odd, K32_(xg_m32_cos_c[0]), K32_(xg_m32_sin_c[0]));
    for (k = 1; k < 4; k++) {
        c = SEL_(odd, K32_(xg_m32_cos_c[k]), K32_(xg_m32_sin_c[k]));
        p = FMA_(p, z, c);
    }
    t = SEL_(odd, F32_(1), r);
    p = MUL_(p, z);
    y = FMA_(p, t, t);
    neg = BY_(SHLI, q, 30);
    neg = BY_(ANDI, neg, 0x80000000u);
    c = BITS_(y);
    c = XOR_(c, neg);
    y = FLOAT_(c);
    if (cosine) return y;
    c = CMPF_(OEQ, x, F32_(0)); /* -0 */
    return SEL_(c, x, y);
}
static xg_kval *xg_m32_tan(xg_kb *b, xg_kval *x) {
    xg_kval *r, *q, *odd, *z, *p, *t, *inverse, *zero;
    xg_m32_reduce(b, x, &r, &q);
    z = MUL_(r, r);
    p = xg_math_poly32(b, z, xg_m32_tan_c, XG_COUNT(xg_m32_tan_c));
    p = MUL_(p, z);
    t = FMA_(p, r, r);
    inverse = DIV_(F32_(-1), t);
    odd = BY_(ANDI, q, 1);
    odd = CMPBY_(NE, odd, 0);
    t = SEL_(odd, inverse, t);
    zero = CMPF_(OEQ, x, F32_(0));
    return SEL_(zero, x, t);
}

/* asin on [0, 1/2]: x + x^3 P(x^2), 2^-27.6 */
static const uint32_t xg_m32_asin_c[] = {0x3D2CB53F, 0x3CC6185A, 0x3D3A3E5F, 0x3D9980FF, 0x3E2AAAE4};
/* asin(s) with s = a up to 1/2, above s = sqrt((1 - a) / 2), where asin(a) = pi/2 - 2 asin(s). */
static xg_kval *xg_m32_asin_core(xg_kb *b, xg_kval *a, xg_kval **big) {
    xg_kval *z, *w, *s, *p;
    *big = CMPF_(OGT, a, F32_(0.5));
    w = FMA_(a, F32_(-0.5), F32_(0.5));
    z = MUL_(a, a);
    z = SEL_(*big, w, z);
    s = SQRT_(w);
    s = SEL_(*big, s, a);
    p = xg_math_poly32(b, z, xg_m32_asin_c, XG_COUNT(xg_m32_asin_c));
    p = MUL_(p, z);
    return FMA_(p, s, s);
}
static xg_kval *xg_m32_asin(xg_kb *b, xg_kval *x) {
    xg_kval *a = ABS_(x), *big, *t = xg_m32_asin_core(b, a, &big), *u;
    u = FMA_(t, F32_(-2), K32_(XG_F32_PIO2_LO));
    u = ADD_(u, K32_(XG_F32_PIO2));
    t = SEL_(big, u, t);
    return COPYSIGN_(t, x);
}
static xg_kval *xg_m32_acos(xg_kb *b, xg_kval *x) {
    xg_kval *a = ABS_(x), *big, *t = xg_m32_asin_core(b, a, &big), *u, *v, *negative;
    u = COPYSIGN_(t, x); /* small: pi/2 - asin(x) */
    u = SUB_(K32_(XG_F32_PIO2_LO), u);
    u = ADD_(u, K32_(XG_F32_PIO2));
    v = FMA_(t, F32_(-2), K32_(0xB3BBBD2E)); /* pi - 2 asin(s), or 2 asin(s) */
    v = ADD_(v, K32_(0x40490FDB));
    t = ADD_(t, t);
    negative = CMPF_(OLT, x, F32_(0));
    v = SEL_(negative, v, t);
    return SEL_(big, v, u);
}
/* atan on [0, 1]: x + x^3 P(x^2), 2^-25.8 */
static const uint32_t xg_m32_atan_c[] = {
    0x3B3F60E2, 0xBC8611FF, 0x3D30FBAB, 0xBD9AA9FA, 0x3DDA6FEE, 0xBE118558, 0x3E4CBC77, 0xBEAAAA6E};
static xg_kval *xg_m32_atan_core(xg_kb *b, xg_kval *r) {
    xg_kval *z = MUL_(r, r), *p = xg_math_poly32(b, z, xg_m32_atan_c, XG_COUNT(xg_m32_atan_c));
    p = MUL_(p, z);
    return FMA_(p, r, r);
}
static xg_kval *xg_m32_atan(xg_kb *b, xg_kval *x) {
    xg_kval *a = ABS_(x), *inverse = CMPF_(OGT, a, F32_(1)), *r, *t, *u;
    r = xg_math_ftz(b, XG_K_OP_RCPA, a);
    r = SEL_(inverse, r, a);
    t = xg_m32_atan_core(b, r);
    u = SUB_(K32_(XG_F32_PIO2_LO), t);
    u = ADD_(u, K32_(XG_F32_PIO2));
    t = SEL_(inverse, u, t);
    return COPYSIGN_(t, x);
}
static xg_kval *xg_m32_atan2(xg_kb *b, xg_kval *y, xg_kval *x) {
    xg_kval *ax = ABS_(x), *ay = ABS_(y), *hi = MAXNUM_(ax, ay), *lo = MINNUM_(ax, ay), *r, *t, *u, *c, *bits;
    r = DIV_(lo, hi);
    c = CMPF_(OEQ, hi, F32_(0)); /* 0/0: 0 */
    r = SEL_(c, F32_(0), r);
    c = CMPF_(OEQ, lo, K32_(XG_F32_INF)); /* both infinite: 1 */
    r = SEL_(c, F32_(1), r);
    t = xg_m32_atan_core(b, r);
    u = SUB_(K32_(XG_F32_PIO2_LO), t);
    u = ADD_(u, K32_(XG_F32_PIO2));
    c = CMPF_(OGT, ay, ax);
    t = SEL_(c, u, t);
    u = SUB_(K32_(0xB3BBBD2E), t);
    u = ADD_(u, K32_(0x40490FDB));
    bits = BITS_(x);
    c = CMPBY_(SLT, bits, 0);
    t = SEL_(c, u, t);
    t = COPYSIGN_(t, y);
    c = CMPF_(UNO, x, y);
    u = ADD_(x, y);
    return SEL_(c, u, t);
}

/* ---- the rest ---- */
/* erf on [0, 1]: x + x P(x^2), 2^-29.3; above: 1 - 2^q, q = x P(x), 2^-26.3. The short ones: 2^-19.7 and 2^-15.5, of
 * which an eighth arrives. */
static const uint32_t xg_m32_erf_c[] = {
    0x38A48BD2, 0xBA51EC09, 0x3BAA00B9, 0xBCDBFC46, 0x3DE71679, 0xBEC0939F, 0x3E0375D4};
static const uint32_t xg_m32_erfc_c[] = {
    0x351DBDE5, 0xB72A8B0E, 0x384DE8A5, 0x3986B62F, 0xBBA077E5, 0x3D0B2510, 0xBE1CDB7F, 0xBF6A9194, 0xBFD06CDB};
static const uint32_t xg_m32_erf_short_c[] = {0x3B64FAD8, 0xBCD07763, 0x3DE61354, 0xBEC08B79, 0x3E03757E};
static const uint32_t xg_m32_erfc_short_c[] = {0xBA9D06C3, 0x3C94F963, 0xBDF82AF5, 0xBF72851E, 0xBFCEF49C};
static xg_kval *xg_m32_erf(xg_kb *b, xg_kval *x, uint32_t shortness) {
    xg_kval *a = ABS_(x), *z = MUL_(x, x), *little, *c, *q, *big, *is_big, *y;
    little = shortness ? xg_math_poly32(b, z, xg_m32_erf_short_c, XG_COUNT(xg_m32_erf_short_c))
                       : xg_math_poly32(b, z, xg_m32_erf_c, XG_COUNT(xg_m32_erf_c));
    little = FMA_(little, a, a);
    c = MINNUM_(a, F32_(4)); /* 1 from there on */
    q = shortness ? xg_math_poly32(b, c, xg_m32_erfc_short_c, XG_COUNT(xg_m32_erfc_short_c))
                  : xg_math_poly32(b, c, xg_m32_erfc_c, XG_COUNT(xg_m32_erfc_c));
    q = MUL_(q, c);
    q = xg_math_ftz(b, XG_K_OP_EX2A, q);
    big = SUB_(F32_(1), q);
    is_big = CMPF_(OGE, a, F32_(1)); /* a NaN takes the polynomial that keeps it */
    y = SEL_(is_big, big, little);
    return COPYSIGN_(y, x);
}
/* 2^(log2(a) / 3), then a step of Newton's method. */
static xg_kval *xg_m32_cbrt(xg_kb *b, xg_kval *x) {
    xg_kval *a = ABS_(x), *tiny = CMPF_(OLT, a, K32_(XG_F32_MIN_NORMAL)), *s, *y, *z, *d, *good, *other;
    s = MUL_(a, F32_(16777216));
    s = SEL_(tiny, s, a);
    y = xg_math_ftz(b, XG_K_OP_LG2A, s);
    y = MUL_(y, F32_(1.0 / 3));
    y = xg_math_ftz(b, XG_K_OP_EX2A, y);
    z = MUL_(y, y);
    d = NEG_(z);
    d = FMA_(d, y, s);
    z = xg_math_ftz(b, XG_K_OP_RCPA, z);
    d = MUL_(d, z);
    y = FMA_(d, F32_(1.0 / 3), y);
    z = MUL_(y, F32_(0.00390625));
    y = SEL_(tiny, z, y);
    y = COPYSIGN_(y, x);
    good = BITS_(a);
    good = BY_(SUBI, good, 1);
    good = CMPBY_(ULT, good, 0x7F7FFFFF);
    other = ADD_(x, x); /* zeros, infinities, NaNs */
    return SEL_(good, y, other);
}

/* ---- power ---- */
/* (atanh(u)/u - 1 - u^2/3) / u^4 on [0, 0.2002], 2^-20 */
static const uint32_t xg_m32_atanh_c[] = {0x3DEF3625, 0x3E123264, 0x3E4CCCDA};
/* log2 of a positive number as hi + lo, good to 2^-33 or so */
static void xg_m32_log2_pair(xg_kb *b, xg_kval *a, xg_kval **hi, xg_kval **lo) {
    xg_kval *tiny = CMPF_(OLT, a, K32_(XG_F32_MIN_NORMAL)), *s, *e, *f, *d, *rc, *u, *t, *r, *z, *p;
    s = MUL_(a, F32_(8388608.0));
    s = SEL_(tiny, s, a);
    e = SEL_(tiny, F32_(-23), F32_(0));
    f = xg_m32_split(b, s, e, &e);
    d = ADD_(f, F32_(2));
    rc = xg_math_ftz(b, XG_K_OP_RCPA, d);
    u = MUL_(f, rc);
    r = FMA_(u, F32_(-2), f); /* f - u (2 + f), exactly enough */
    t = NEG_(u);
    r = FMA_(t, f, r);
    r = MUL_(r, rc);
    z = MUL_(u, u);
    p = xg_math_poly32(b, z, xg_m32_atanh_c, XG_COUNT(xg_m32_atanh_c));
    xg_math_log2_pair(b, e, u, r, p, hi, lo);
}
static xg_kval *xg_m32_pow(xg_kb *b, xg_kval *x, xg_kval *y) {
    double magic = 12582912.0 + 127;
    xg_kval *a = ABS_(x), *hi, *lo, *t, *tl, *n, *f, *s, *c, *d, *r;
    xg_m32_log2_pair(b, a, &hi, &lo);
    c = CMPF_(OEQ, a, F32_(0));
    hi = SEL_(c, K32_(0xFF800000), hi);
    d = CMPF_(OEQ, a, K32_(XG_F32_INF));
    hi = SEL_(d, K32_(XG_F32_INF), hi);
    t = MUL_(y, hi);
    d = NEG_(t);
    tl = FMA_(y, hi, d);
    tl = FMA_(y, lo, tl);
    d = ABS_(t);
    c = CMPF_(OLT, d, F32_(512));
    tl = SEL_(c, tl, F32_(0)); /* no infinity minus infinity */
    n = ADD_(t, F32_(magic));
    n = MAXNUM_(n, F32_(magic - 126));
    n = MINNUM_(n, F32_(magic + 126));
    f = SUB_(n, F32_(magic));
    f = SUB_(t, f);
    f = ADD_(f, tl);
    f = xg_math_ftz(b, XG_K_OP_EX2A, f);
    s = BITS_(n);
    s = BY_(SHLI, s, 23);
    s = FLOAT_(s);
    r = MUL_(f, s);
    return xg_math_pow_edges(b, x, y, a, r);
}

static xg_kval *xg_math_f32(xg_kb *b, xg_kopcode op, xg_kval *x, xg_kval *y, uint32_t shortness) {
    switch (op) {
    case XG_K_OP_RSQRT: return xg_k1(b, XG_K_OP_RSQRTA, x);
    case XG_K_OP_CBRT: return xg_m32_cbrt(b, x);
    case XG_K_OP_EXP: return xg_m32_exp_any(b, x, shortness);
    case XG_K_OP_EXPM1: return shortness ? xg_m32_expm1_short(b, x) : xg_m32_expm1(b, x);
    case XG_K_OP_LOG: return xg_m32_log(b, x, shortness);
    case XG_K_OP_LOG1P: return shortness & XG_MATH_SHORT_BF16 ? xg_m32_log1p_short(b, x) : xg_m32_log1p(b, x);
    case XG_K_OP_POW: return xg_m32_pow(b, x, y);
    case XG_K_OP_SIN: return xg_m32_sin(b, x, false);
    case XG_K_OP_COS: return xg_m32_sin(b, x, true);
    case XG_K_OP_TAN: return xg_m32_tan(b, x);
    case XG_K_OP_TANH: return xg_m32_tanh(b, x, shortness);
    case XG_K_OP_SINH: return xg_m32_sinh(b, x);
    case XG_K_OP_COSH: return xg_m32_cosh(b, x);
    case XG_K_OP_ASIN: return xg_m32_asin(b, x);
    case XG_K_OP_ACOS: return xg_m32_acos(b, x);
    case XG_K_OP_ATAN: return xg_m32_atan(b, x);
    case XG_K_OP_ATAN2: return xg_m32_atan2(b, x, y);
    case XG_K_OP_ASINH: return xg_m32_asinh(b, x);
    case XG_K_OP_ACOSH: return xg_m32_acosh(b, x);
    case XG_K_OP_ATANH: return xg_m32_atanh(b, x);
    case XG_K_OP_ERF: return xg_m32_erf(b, x, shortness);
    default: return NULL;
    }
}

#endif /* XG_PTX_MATH_F32_C */
