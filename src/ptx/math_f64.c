/* ptx/math_f64.c -- the math dialect in f64. The same habits as math_f32.c; no approximate instructions, and division
 * is as good as any other operation. Polynomials: sollya, fpminimax with double coefficients, relative errors beside
 * them. */
#ifndef XG_PTX_MATH_F64_C
#define XG_PTX_MATH_F64_C
#include "../eval/eval.h"
#include "math_f32.c"

#define XG_F64_LOG2E 0x3FF71547652B82FEu
#define XG_F64_LN2 0x3FE62E42FEFA39EFu
#define XG_F64_LN2_LO 0x3C7ABC9E3B39803Fu
#define XG_F64_LN2_SHORT 0x3FE62E42FEFA3800u /* its product with an exponent is exact */
#define XG_F64_LN2_REST 0x3D2EF35793C76730u
#define XG_F64_PIO4 0x3FE921FB54442D18u
#define XG_F64_PIO4_LO 0x3C81A62633145C07u
#define XG_F64_PIO2 0x3FF921FB54442D18u
#define XG_F64_PIO2_LO 0x3C91A62633145C07u
#define XG_F64_PIO2_LO2 0xB91F1976B7ED8FBCu
#define XG_F64_PI 0x400921FB54442D18u
#define XG_F64_PI_LO 0x3CA1A62633145C07u
#define XG_F64_INF 0x7FF0000000000000u
#define XG_F64_NINF 0xFFF0000000000000u
#define XG_F64_NAN 0x7FF8000000000000u
#define XG_F64_MIN_NORMAL 0x0010000000000000u
#define XG_F64_MAGIC 0x4338000000000000u /* 1.5 2^52 */

/* ---- exponentials ---- */
/* expm1 on [-0.3467, 0.3467]: x + x^2 P(x), 2^-61.5 */
static const uint64_t xg_m64_expm1_c[] = {0x3E21F1A36B173297u, 0x3E5AF5F2C470A40Fu, 0x3E927E5133987E42u,
    0x3EC71DDF80F86710u, 0x3EFA01A018E0F1D8u, 0x3F2A01A01B0036DAu, 0x3F56C16C16C1AAFEu, 0x3F8111111110F655u,
    0x3FA555555555554Du, 0x3FC5555555555559u, 0x3FE0000000000000u};
static xg_kval *xg_m64_expm1_core(xg_kb *b, xg_kval *r) {
    xg_kval *p = xg_math_poly64(b, r, xg_m64_expm1_c, XG_COUNT(xg_m64_expm1_c)), *q = MUL_(r, r);
    return FMA_(q, p, r);
}
/* x = n ln 2 + r; n as i32. */
static xg_kval *xg_m64_reduce_exp(xg_kb *b, xg_kval *x, xg_kval **n) {
    xg_kval *t = FMA_(x, K64_(XG_F64_LOG2E), K64_(XG_F64_MAGIC)), *m, *r;
    m = SUB_(K64_(XG_F64_MAGIC), t);
    r = FMA_(m, K64_(XG_F64_LN2), x);
    r = FMA_(m, K64_(XG_F64_LN2_LO), r);
    t = BITS_(t);
    *n = CAST_(TRUNCI, t, XG_E_I32);
    return r;
}
static xg_kval *xg_math_f64_scale(xg_kb *b, xg_kval *n) { /* n an i32, -1022 .. 1023 */
    xg_kval *k = BY_(ADDI, n, 1023);
    k = CAST_(EXTSI, k, XG_E_I64);
    k = BY_(SHLI, k, 52);
    return FLOAT_(k);
}
/* y 2^n in two steps, of which only the last one can leave the normal numbers. */
static xg_kval *xg_m64_scale(xg_kb *b, xg_kval *y, xg_kval *n) {
    xg_kval *h = BY_(SHRSI, n, 1), *l = ISUB_(n, h), *s = xg_math_f64_scale(b, h);
    y = MUL_(y, s);
    s = xg_math_f64_scale(b, l);
    return MUL_(y, s);
}
static xg_kval *xg_m64_clamp(xg_kb *b, xg_kval *x, double lo, double hi) { /* NaN stays */
    xg_kval *c = CMPF_(OLT, x, F64_(lo)), *r = SEL_(c, F64_(lo), x);
    c = CMPF_(OGT, x, F64_(hi));
    return SEL_(c, F64_(hi), r);
}
/* exp(x) 2^shift */
static xg_kval *xg_m64_exp(xg_kb *b, xg_kval *x, int shift) {
    xg_kval *n, *r, *p;
    x = xg_m64_clamp(b, x, -746, 711);
    r = xg_m64_reduce_exp(b, x, &n);
    p = xg_m64_expm1_core(b, r);
    p = ADD_(p, F64_(1));
    if (shift) n = BY_(ADDI, n, shift);
    return xg_m64_scale(b, p, n);
}
static xg_kval *xg_m64_expm1(xg_kb *b, xg_kval *x) {
    xg_kval *n, *c, *r, *p, *s, *u, *y, *none;
    c = xg_m64_clamp(b, x, -40, 711);
    r = xg_m64_reduce_exp(b, c, &n);
    p = xg_m64_expm1_core(b, r);
    s = BY_(SUBI, n, 1);
    s = xg_k2(b, XG_K_OP_MINSI, s, I32_(1023)); /* 711 gives 1025: infinite all the same */
    s = xg_math_f64_scale(b, s);
    u = ADD_(s, F64_(-0.5));
    y = FMA_(p, s, u);
    y = ADD_(y, y);
    c = CMPF_(OGT, x, F64_(710));
    y = SEL_(c, K64_(XG_F64_INF), y);
    none = CMPBY_(EQ, n, 0);
    y = SEL_(none, p, y);
    return COPYSIGN_(y, x);
}

/* ---- logarithms ---- */
/* (atanh(s)/s - 1) / s^2 on [0, 0.1716], 2^-51, and (atanh(s)/s - 1 - s^2/3) / s^4 */
static const uint64_t xg_m64_atanh_c[] = {0x3FB2B5AC544E96FDu, 0x3FB39FE30693969Au, 0x3FB7462B5EF63D76u,
    0x3FBC71C62E2379B3u, 0x3FC2492492DF1ED3u, 0x3FC999999999530Bu, 0x3FD5555555555558u};
static const uint64_t xg_m64_atanh3_c[] = {0x3FB08742EFEEC6EBu, 0x3FB101920B172406u, 0x3FB3B18B46C2C460u,
    0x3FB745D0A06425CCu, 0x3FBC71C71D7B483Fu, 0x3FC249249248E6D3u, 0x3FC999999999999Eu};
/* log(1 + f) + e ln 2, where s = f / (2 + f): log(1 + f) = 2 atanh(s) = f - s (f - 2 s^2 Q(s^2)). */
static xg_kval *xg_m64_log_sum(xg_kb *b, xg_kval *f, xg_kval *e) {
    xg_kval *d = ADD_(f, F64_(2)), *s = DIV_(f, d), *z = MUL_(s, s),
            *q = xg_math_poly64(b, z, xg_m64_atanh_c, XG_COUNT(xg_m64_atanh_c)), *t;
    q = MUL_(q, z);
    t = FMA_(q, F64_(-2), f);
    t = MUL_(s, t);
    t = FMA_(e, K64_(XG_F64_LN2_REST ^ 0x8000000000000000u), t);
    t = SUB_(f, t);
    return FMA_(e, K64_(XG_F64_LN2_SHORT), t);
}
/* Bits of a positive normal number to those of 2^e, where the number is 2^e m, m in [sqrt(1/2), sqrt(2)). */
static xg_kval *xg_m64_exponent_bits(xg_kb *b, xg_kval *bits) {
    xg_kval *k = BY_(SUBI, bits, 0x3FE6A09E667F3BCDu);
    return BY_(ANDI, k, 0xFFF0000000000000u);
}
static xg_kval *xg_m64_exponent(xg_kb *b, xg_kval *k) {
    k = BY_(SHRSI, k, 52);
    k = CAST_(TRUNCI, k, XG_E_I32);
    return CAST_(SITOFP, k, XG_E_F64);
}
/* a > 0 is 2^e (1 + f). */
static xg_kval *xg_m64_split(xg_kb *b, xg_kval *a, xg_kval **e) {
    xg_kval *tiny = CMPF_(OLT, a, K64_(XG_F64_MIN_NORMAL)), *s, *k, *m, *e0;
    s = MUL_(a, F64_(18014398509481984.0));
    s = SEL_(tiny, s, a);
    e0 = SEL_(tiny, F64_(-54), F64_(0));
    s = BITS_(s);
    k = xg_m64_exponent_bits(b, s);
    m = ISUB_(s, k);
    m = FLOAT_(m);
    k = xg_m64_exponent(b, k);
    *e = ADD_(k, e0);
    return ADD_(m, F64_(-1));
}
/* y where x > least; at least -infinity, below NaN; infinity and NaN stay. */
static xg_kval *xg_m64_log_edges(xg_kb *b, xg_kval *x, double least, xg_kval *y) {
    xg_kval *c = CMPF_(OLT, x, K64_(XG_F64_INF));
    y = SEL_(c, y, x);
    c = CMPF_(OLT, x, F64_(least));
    y = SEL_(c, K64_(XG_F64_NAN), y);
    c = CMPF_(OEQ, x, F64_(least));
    return SEL_(c, K64_(XG_F64_NINF), y);
}
static xg_kval *xg_m64_log(xg_kb *b, xg_kval *x) {
    xg_kval *e, *f = xg_m64_split(b, x, &e), *y = xg_m64_log_sum(b, f, e);
    return xg_m64_log_edges(b, x, 0, y);
}
static xg_kval *xg_m64_log1p(xg_kb *b, xg_kval *x) {
    xg_kval *u = ADD_(x, F64_(1)), *k, *s, *t, *q, *f, *e, *y, *little;
    u = BITS_(u);
    k = xg_m64_exponent_bits(b, u);
    s = ISUB_(I64_(0x4010000000000000u), k); /* 4 2^-e */
    s = FLOAT_(s);
    e = xg_m64_exponent(b, k);
    t = FMA_(s, F64_(0.25), F64_(-1));
    q = MUL_(x, F64_(0.25));
    f = FMA_(q, s, t);
    y = xg_m64_log_sum(b, f, e);
    y = xg_m64_log_edges(b, x, -1, y);
    t = ABS_(x);
    little = CMPF_(OLT, t, F64_(8.673617379884035e-19)); /* 2^-60 */
    return SEL_(little, x, y);
}
static xg_kval *xg_m64_pow(xg_kb *b, xg_kval *x, xg_kval *y) {
    xg_kval *a = ABS_(x), *e, *f = xg_m64_split(b, a, &e), *d, *dl, *u, *r, *t, *z, *p, *hi, *lo, *c, *tl, *n, *m, *rl;
    d = ADD_(f, F64_(2));
    dl = SUB_(d, F64_(2));
    dl = SUB_(f, dl); /* f + 2 = d + dl */
    u = DIV_(f, d);
    t = NEG_(u);
    r = FMA_(t, d, f);
    r = FMA_(t, dl, r);
    r = DIV_(r, d);
    z = MUL_(u, u);
    p = xg_math_poly64(b, z, xg_m64_atanh3_c, XG_COUNT(xg_m64_atanh3_c));
    xg_math_log2_pair(b, e, u, r, p, &hi, &lo);
    c = CMPF_(OEQ, a, F64_(0));
    hi = SEL_(c, K64_(XG_F64_NINF), hi);
    c = CMPF_(OEQ, a, K64_(XG_F64_INF));
    hi = SEL_(c, K64_(XG_F64_INF), hi);
    t = MUL_(y, hi);
    d = NEG_(t);
    tl = FMA_(y, hi, d);
    tl = FMA_(y, lo, tl);
    d = ABS_(t);
    c = CMPF_(OLT, d, F64_(4096));
    tl = SEL_(c, tl, F64_(0));
    t = xg_m64_clamp(b, t, -1080, 1030);
    n = ADD_(t, K64_(XG_F64_MAGIC));
    m = SUB_(n, K64_(XG_F64_MAGIC));
    n = BITS_(n);
    n = CAST_(TRUNCI, n, XG_E_I32);
    t = SUB_(t, m);
    r = MUL_(t, K64_(XG_F64_LN2)); /* (t + tl) ln 2 = r + rl */
    d = NEG_(r);
    rl = FMA_(t, K64_(XG_F64_LN2), d);
    rl = FMA_(t, K64_(XG_F64_LN2_LO), rl);
    rl = FMA_(tl, K64_(XG_F64_LN2), rl);
    p = xg_m64_expm1_core(b, r);
    t = FMA_(rl, p, rl); /* exp(r) rl */
    p = ADD_(p, t);
    p = ADD_(p, F64_(1));
    r = xg_m64_scale(b, p, n);
    return xg_math_pow_edges(b, x, y, a, r);
}

/* ---- hyperbolic ---- */
/* (sinh(x)/x - 1) / x^2 on [0, 1], 2^-54 */
static const uint64_t xg_m64_sinh_c[] = {0x3D0D9BA54A74B4C5u, 0x3D698C01CBDE6F3Au, 0x3DE6144EAC70497Cu,
    0x3E5AE6424EA2EE69u, 0x3EC71DE3A7DE0352u, 0x3F2A01A019FF8236u, 0x3F811111111111D9u, 0x3FC5555555555555u};
static xg_kval *xg_m64_sinh(xg_kb *b, xg_kval *x) {
    xg_kval *a = ABS_(x), *e = xg_m64_exp(b, a, -1), *r, *big, *z, *p, *c;
    r = DIV_(F64_(0.25), e);
    big = SUB_(e, r);
    z = MUL_(x, x);
    p = xg_math_poly64(b, z, xg_m64_sinh_c, XG_COUNT(xg_m64_sinh_c));
    p = MUL_(p, z);
    p = FMA_(p, a, a);
    c = CMPF_(OLT, a, F64_(1));
    p = SEL_(c, p, big);
    return COPYSIGN_(p, x);
}
static xg_kval *xg_m64_cosh(xg_kb *b, xg_kval *x) {
    xg_kval *a = ABS_(x), *e = xg_m64_exp(b, a, -1), *r = DIV_(F64_(0.25), e);
    return ADD_(e, r);
}
/* (tanh(x)/x - 1) / x^2 on [0, 0.35], 2^-54 */
static const uint64_t xg_m64_tanh_c[] = {0x3F02EC7FF2D5F57Du, 0xBF2B9D36BA955CC2u, 0x3F431F78AE3B207Au,
    0xBF57D6BB354A7EC8u, 0x3F6D6D1A5F6072CBu, 0xBF8226E2EC8FBE9Eu, 0x3F9664F486B24011u, 0xBFABA1BA1B9ED99Du,
    0x3FC1111111110FCAu, 0xBFD5555555555555u};
/* beyond: with t = expm1(2a): t / (t + 2), for larger a as 1 - 2 / (t + 2) */
static xg_kval *xg_m64_tanh(xg_kb *b, xg_kval *x) {
    xg_kval *a = ABS_(x), *z = MUL_(x, x), *p, *little, *t, *d, *q, *r, *c;
    p = xg_math_poly64(b, z, xg_m64_tanh_c, XG_COUNT(xg_m64_tanh_c));
    p = MUL_(p, z);
    little = FMA_(p, a, a);
    t = xg_k2(b, XG_K_OP_MINF, a, F64_(30)); /* keeps NaN */
    t = ADD_(t, t);
    t = xg_m64_expm1(b, t);
    d = ADD_(t, F64_(2));
    c = CMPF_(OLT, a, F64_(1));
    q = SEL_(c, t, F64_(-2));
    q = DIV_(q, d);
    r = ADD_(q, F64_(1));
    q = SEL_(c, q, r);
    c = CMPF_(OLT, a, F64_(0.35));
    q = SEL_(c, little, q);
    return COPYSIGN_(q, x);
}
static xg_kval *xg_m64_asinh(xg_kb *b, xg_kval *x) {
    xg_kval *a = ABS_(x), *s, *t, *faraway, *y, *more;
    s = FMA_(a, a, F64_(1));
    s = SQRT_(s);
    s = ADD_(s, F64_(1));
    t = MUL_(a, a);
    t = DIV_(t, s);
    t = ADD_(a, t);
    faraway = CMPF_(OGT, a, F64_(1152921504606846976.0)); /* 2^60 */
    t = SEL_(faraway, a, t);
    y = xg_m64_log1p(b, t);
    more = SEL_(faraway, K64_(XG_F64_LN2), F64_(0));
    y = ADD_(y, more);
    return COPYSIGN_(y, x);
}
static xg_kval *xg_m64_acosh(xg_kb *b, xg_kval *x) {
    xg_kval *t = ADD_(x, F64_(-1)), *s, *faraway, *y, *more, *bad;
    s = ADD_(t, t);
    s = FMA_(t, t, s);
    s = SQRT_(s);
    s = ADD_(t, s);
    faraway = CMPF_(OGT, x, F64_(1152921504606846976.0));
    s = SEL_(faraway, x, s);
    y = xg_m64_log1p(b, s);
    more = SEL_(faraway, K64_(XG_F64_LN2), F64_(0));
    y = ADD_(y, more);
    bad = CMPF_(OLT, x, F64_(1));
    return SEL_(bad, K64_(XG_F64_NAN), y);
}
static xg_kval *xg_m64_atanh(xg_kb *b, xg_kval *x) {
    xg_kval *a = ABS_(x), *t = SUB_(F64_(1), a), *d = ADD_(a, a), *y;
    t = DIV_(d, t);
    y = xg_m64_log1p(b, t);
    y = MUL_(y, F64_(0.5));
    d = CMPF_(OLT, a, F64_(1e-9));
    y = SEL_(d, a, y);
    return COPYSIGN_(y, x);
}

/* ---- trigonometric ---- */
/* (sin(x)/x - 1) / x^2, 2^-52.7; (cos(x) - 1 + x^2/2) / x^4, 2^-54; (tan(x)/x - 1) / x^2, 2^-52, on [0, pi/4] */
static const uint64_t xg_m64_sin_c[] = {0x3DE5E109E07E92A6u, 0xBE5AE601E2D09D03u, 0x3EC71DE37AED723Fu,
    0xBF2A01A019E9EC33u, 0x3F81111111110C79u, 0xBFC5555555555555u};
static const uint64_t xg_m64_cos_c[] = {0xBDA90734B3D67B0Eu, 0x3E21EEB5780E017Fu, 0xBE927E4FA02931FCu,
    0x3EFA01A019F37F9Bu, 0xBF56C16C16C168C9u, 0x3FA5555555555555u};
static const uint64_t xg_m64_tan_c[] = {0x3EF322BAFC65F699u, 0xBF01BCC454A4BAC2u, 0x3F120016BBD8A5C4u,
    0xBECCA69DD796502Eu, 0x3F1F73C9B2BAE513u, 0x3F2E374AC0A7926Du, 0x3F43684090580B6Au, 0x3F57D88709626A5Cu,
    0x3F6D6D5739F66F98u, 0x3F8226E2D2A59F98u, 0x3F9664F48B3F4557u, 0x3FABA1BA1B98183Au, 0x3FC1111111111710u,
    0x3FD5555555555554u};

/* Three words of 2/pi from bit s on (s < 1024): moved up by 8, 4, 2, 1 words as the bits of s / 64 say, then by the
 * bits left. */
static void xg_m64_window(xg_kb *b, xg_kval *s, xg_kval **w) {
    xg_kval *word = BY_(SHRUI, s, 6), *hit, *lo, *left, *rest, *v[19];
    int k, step, need = 19;
    for (k = 0; k < 19; k++) v[k] = I64_(xg_two_over_pi()[k]);
    for (step = 8; step; step /= 2) {
        hit = BY_(ANDI, word, step);
        hit = CMPBY_(NE, hit, 0);
        need = step + 3; /* words that the steps to come may reach */
        for (k = 0; k < need && k + step < 19; k++) v[k] = SEL_(hit, v[k + step], v[k]);
    }
    left = BY_(ANDI, s, 63);
    left = CAST_(EXTUI, left, XG_E_I64);
    rest = ISUB_(I64_(63), left);
    for (k = 0; k < 3; k++) {
        hit = SHL_(v[k], left);
        lo = SHRU_(v[k + 1], I64_(1));
        lo = SHRU_(lo, rest);
        w[k] = OR_(hit, lo);
    }
}
/* Payne and Hanek with three words of 64 bits: x / (pi/2) modulo 4, of which 190 bits follow the point. r + rl in
 * [-pi/4, pi/4], q. */
static void xg_m64_reduce_far(xg_kb *b, xg_kval *x, xg_kval **out) {
    xg_kval *i = BITS_(x), *m, *s, *w[3], *h, *mid, *top, *c, *t, *u, *q, *neg, *f1, *f0, *z, *r, *rl, *tl, *scale;
    m = BY_(ANDI, i, 0x000FFFFFFFFFFFFFu);
    m = BY_(ORI, m, 0x0010000000000000u);
    s = BY_(SHRUI, i, 52);
    s = CAST_(TRUNCI, s, XG_E_I32);
    s = BY_(ANDI, s, 2047);
    s = BY_(SUBI, s, 1045);
    s = BY_(ANDI, s, 1023); /* infinities and NaNs: anything */
    xg_m64_window(b, s, w);
    h = xg_k2(b, XG_K_OP_MULHUI, m, w[2]);
    mid = IMUL_(m, w[1]);
    mid = IADD_(mid, h);
    c = CMPI_(ULT, mid, h);
    c = CAST_(EXTUI, c, XG_E_I64);
    h = xg_k2(b, XG_K_OP_MULHUI, m, w[1]);
    h = IADD_(h, c);
    top = IMUL_(m, w[0]);
    top = IADD_(top, h);
    q = BY_(SHRUI, top, 62);
    f1 = BY_(SHLI, top, 2);
    t = BY_(SHRUI, mid, 62);
    f1 = OR_(f1, t);
    f0 = BY_(SHLI, mid, 2);
    neg = BY_(SHRSI, f1, 63); /* all ones: the next quadrant is nearer */
    q = ISUB_(q, neg);
    f1 = XOR_(f1, neg);
    f0 = XOR_(f0, neg);
    z = xg_k1(b, XG_K_OP_CTLZ, f1);
    z = xg_k2(b, XG_K_OP_MINUI, z, I64_(63));
    t = SHL_(f1, z);
    u = BY_(SHRUI, f0, 1);
    h = ISUB_(I64_(63), z);
    u = SHRU_(u, h);
    t = OR_(t, u);
    u = BY_(ANDI, t, 0x7FF);
    t = ISUB_(t, u);
    t = CAST_(UITOFP, t, XG_E_F64); /* exact */
    tl = CAST_(UITOFP, u, XG_E_F64);
    r = MUL_(t, K64_(XG_F64_PIO2));
    u = NEG_(r);
    rl = FMA_(t, K64_(XG_F64_PIO2), u);
    rl = FMA_(t, K64_(XG_F64_PIO2_LO), rl);
    rl = FMA_(tl, K64_(XG_F64_PIO2), rl);
    scale = ISUB_(I64_(1023 - 64), z);
    scale = BY_(SHLI, scale, 52);
    u = BY_(ANDI, i, 0x8000000000000000u); /* x's sign and the direction of rounding */
    t = BY_(ANDI, neg, 0x8000000000000000u);
    u = XOR_(u, t);
    scale = OR_(scale, u);
    scale = FLOAT_(scale);
    r = MUL_(r, scale);
    rl = MUL_(rl, scale);
    u = CMPI_(SLT, i, I64_(0));
    q = CAST_(TRUNCI, q, XG_E_I32);
    t = ISUB_(I32_(0), q);
    out[2] = SEL_(u, t, q);
    t = SUB_(x, x);
    c = CMPF_(OEQ, t, F64_(0));
    out[0] = SEL_(c, r, t);
    out[1] = rl;
}
/* x = q pi/2 + r + rl */
static void xg_m64_reduce(xg_kb *b, xg_kval *x, xg_kval **r, xg_kval **rl, xg_kval **q) {
    const xg_ktype *types[3];
    xg_kval *a = ABS_(x), *nearby = CMPF_(OLT, a, F64_(8388608)), *t, *n, *out[3];
    xg_kb *outer = b;
    xg_math_if f;
    types[0] = types[1] = xg_kir_scalar(b->m, XG_E_F64);
    types[2] = xg_kir_scalar(b->m, XG_E_I32);
    f = xg_math_if_begin(b, nearby, types, 3);
    b = &f.then_b;
    t = FMA_(x, K64_(0x3FE45F306DC9C883u), K64_(XG_F64_MAGIC));
    n = SUB_(K64_(XG_F64_MAGIC), t);
    a = FMA_(n, K64_(XG_F64_PIO2), x); /* exact */
    out[0] = FMA_(n, K64_(XG_F64_PIO2_LO), a);
    a = SUB_(a, out[0]);
    a = FMA_(n, K64_(XG_F64_PIO2_LO), a);
    out[1] = FMA_(n, K64_(XG_F64_PIO2_LO2), a);
    t = BITS_(t);
    out[2] = CAST_(TRUNCI, t, XG_E_I32);
    xg_kyield(b, out, 3);
    b = outer;
    xg_m64_reduce_far(&f.else_b, x, out);
    xg_kyield(&f.else_b, out, 3);
    *r = &f.op->results[0];
    *rl = &f.op->results[1];
    *q = &f.op->results[2];
}
static xg_kval *xg_m64_sin(xg_kb *b, xg_kval *x, bool cosine) {
    xg_kval *r, *rl, *q, *odd, *z, *p, *h, *c, *s, *t, *y, *neg;
    xg_m64_reduce(b, x, &r, &rl, &q);
    if (cosine) q = BY_(ADDI, q, 1);
    z = MUL_(r, r);
    h = FMA_(z, F64_(-0.5), F64_(1)); /* sin: r + (r z P + rl (1 - z/2)) */
    p = xg_math_poly64(b, z, xg_m64_sin_c, XG_COUNT(xg_m64_sin_c));
    s = MUL_(r, z);
    t = MUL_(rl, h);
    s = FMA_(s, p, t);
    s = ADD_(r, s);
    t = SUB_(F64_(1), h); /* cos: h + ((1 - h - z/2) + z^2 P - r rl) */
    t = FMA_(z, F64_(-0.5), t);
    p = xg_math_poly64(b, z, xg_m64_cos_c, XG_COUNT(xg_m64_cos_c));
    c = MUL_(z, z);
    t = FMA_(c, p, t);
    c = NEG_(r);
    t = FMA_(c, rl, t);
    c = ADD_(h, t);
    odd = BY_(ANDI, q, 1);
    odd = CMPBY_(NE, odd, 0);
    y = SEL_(odd, c, s);
    neg = CAST_(EXTSI, q, XG_E_I64);
    neg = BY_(SHLI, neg, 62);
    neg = BY_(ANDI, neg, 0x8000000000000000u);
    t = BITS_(y);
    t = XOR_(t, neg);
    y = FLOAT_(t);
    if (cosine) return y;
    c = CMPF_(OEQ, x, F64_(0));
    return SEL_(c, x, y);
}
static xg_kval *xg_m64_tan(xg_kb *b, xg_kval *x) {
    xg_kval *r, *rl, *q, *odd, *z, *p, *t, *c;
    xg_m64_reduce(b, x, &r, &rl, &q);
    z = MUL_(r, r);
    p = xg_math_poly64(b, z, xg_m64_tan_c, XG_COUNT(xg_m64_tan_c));
    p = MUL_(p, z);
    t = FMA_(z, rl, rl); /* the derivative is about 1 + r^2 */
    t = FMA_(p, r, t);
    t = ADD_(r, t);
    c = DIV_(F64_(-1), t);
    odd = BY_(ANDI, q, 1);
    odd = CMPBY_(NE, odd, 0);
    t = SEL_(odd, c, t);
    c = CMPF_(OEQ, x, F64_(0));
    return SEL_(c, x, t);
}
/* (asin(x)/x - 1) / x^2 on [0, 1/2], 2^-49.5 */
static const uint64_t xg_m64_asin_c[] = {0x3F9CFA0DD1BAEF33u, 0xBF86602747612731u, 0x3F9087182F4385E5u,
    0x3F7FD1151B15A182u, 0x3F8856073C1B2653u, 0x3F8C86A22CDA3BAFu, 0x3F91C5997C357470u, 0x3F96E8B264D46846u,
    0x3F9F1C71FBD29FB9u, 0x3FA6DB6DB67F6D9Fu, 0x3FB3333333337233u, 0x3FC555555555554Eu};
/* asin(s) as s + rest; s = a, or for a above 1/2 the root of (1 - a) / 2, whose rounding error goes into the rest. */
static xg_kval *xg_m64_asin_core(xg_kb *b, xg_kval *a, xg_kval **big, xg_kval **rest) {
    xg_kval *z, *w, *s, *p, *t, *d;
    *big = CMPF_(OGT, a, F64_(0.5));
    w = FMA_(a, F64_(-0.5), F64_(0.5));
    z = MUL_(a, a);
    z = SEL_(*big, w, z);
    s = SQRT_(w);
    d = NEG_(s);
    t = FMA_(d, s, w);
    d = ADD_(s, s);
    t = DIV_(t, d);
    d = CMPF_(OEQ, w, F64_(0));
    t = SEL_(d, F64_(0), t);
    t = SEL_(*big, t, F64_(0));
    s = SEL_(*big, s, a);
    p = xg_math_poly64(b, z, xg_m64_asin_c, XG_COUNT(xg_m64_asin_c));
    p = MUL_(p, z);
    *rest = FMA_(p, s, t);
    return s;
}
static xg_kval *xg_m64_asin(xg_kb *b, xg_kval *x) {
    xg_kval *a = ABS_(x), *big, *rest, *s = xg_m64_asin_core(b, a, &big, &rest), *u, *v, *t;
    t = ADD_(s, rest);
    u = FMA_(s, F64_(-2), K64_(XG_F64_PIO2)); /* pi/2 - 2 s - 2 rest */
    v = SUB_(u, K64_(XG_F64_PIO2));
    v = FMA_(s, F64_(2), v); /* minus the rounding error of u */
    v = SUB_(K64_(XG_F64_PIO2_LO), v);
    v = FMA_(rest, F64_(-2), v);
    u = ADD_(u, v);
    t = SEL_(big, u, t);
    return COPYSIGN_(t, x);
}
static xg_kval *xg_m64_acos(xg_kb *b, xg_kval *x) {
    xg_kval *a = ABS_(x), *big, *rest, *s = xg_m64_asin_core(b, a, &big, &rest), *u, *v, *w, *sign, *c;
    /* small: pi/2 - asin(x) */
    sign = COPYSIGN_(F64_(1), x);
    u = NEG_(sign);
    w = FMA_(u, s, K64_(XG_F64_PIO2));
    v = SUB_(K64_(XG_F64_PIO2), w);
    v = FMA_(u, s, v); /* its rounding error */
    v = ADD_(v, K64_(XG_F64_PIO2_LO));
    v = FMA_(u, rest, v);
    w = ADD_(w, v);
    /* big: 2 asin(s), or pi - 2 asin(s) */
    v = ADD_(s, rest);
    v = ADD_(v, v);
    u = FMA_(s, F64_(-2), K64_(XG_F64_PI));
    c = FMA_(rest, F64_(-2), K64_(XG_F64_PI_LO));
    u = ADD_(u, c);
    c = CMPF_(OLT, x, F64_(0));
    v = SEL_(c, u, v);
    return SEL_(big, v, w);
}
/* (atan(x)/x - 1) / x^2 on [0, 0.4143], 2^-53 */
static const uint64_t xg_m64_atan_c[] = {0xBF93AD31E2469473u, 0x3FA41AB2E0F00E53u, 0xBFAA0B567719F29Fu,
    0x3FADFEC3D6779184u, 0xBFB10FADB6B5A132u, 0x3FB3B126B3B6F410u, 0xBFB745D0B94791F3u, 0x3FBC71C71888B0D2u,
    0xBFC249249243D2DEu, 0x3FC9999999999426u, 0xBFD5555555555555u};
/* atan(lo / hi), 0 <= lo <= hi, hi > 0, both finite or lo finite; beyond tan(pi/8) through (lo - hi) / (lo + hi) +
 * pi/4. As a sum base + rest. */
static xg_kval *xg_m64_atan_core(xg_kb *b, xg_kval *lo, xg_kval *hi, xg_kval **rest) {
    xg_kval *c, *n, *d, *r, *z, *p, *base, *more, *t;
    c = CMPF_(OGT, hi, F64_(1e300)); /* keep the sum finite; what lo loses does not count */
    t = SEL_(c, F64_(0.0625), F64_(1));
    c = CMPF_(OLT, hi, F64_(1e-290)); /* and the comparison away from subnormals */
    t = SEL_(c, F64_(1152921504606846976.0), t);
    hi = MUL_(hi, t);
    lo = MUL_(lo, t);
    t = MUL_(hi, F64_(0.41421356237309503));
    c = CMPF_(OGT, lo, t);
    n = SUB_(lo, hi);
    n = SEL_(c, n, lo);
    d = ADD_(lo, hi);
    d = SEL_(c, d, hi);
    r = DIV_(n, d);
    z = MUL_(r, r);
    p = xg_math_poly64(b, z, xg_m64_atan_c, XG_COUNT(xg_m64_atan_c));
    p = MUL_(p, z);
    p = MUL_(p, r);
    base = SEL_(c, K64_(XG_F64_PIO4), r);
    more = ADD_(p, K64_(XG_F64_PIO4_LO));
    more = ADD_(r, more);
    *rest = SEL_(c, more, p);
    return base;
}
/* hi + lo - (s + rest), s <= hi */
static xg_kval *xg_m64_minus(xg_kb *b, uint64_t hi, uint64_t lo, xg_kval *s, xg_kval *rest) {
    xg_kval *u = SUB_(K64_(hi), s), *v = SUB_(K64_(hi), u);
    v = SUB_(v, s); /* the rounding error of u */
    v = ADD_(v, K64_(lo));
    v = SUB_(v, rest);
    return ADD_(u, v);
}
static xg_kval *xg_m64_atan(xg_kb *b, xg_kval *x) {
    xg_kval *a = ABS_(x), *lo = MINNUM_(a, F64_(1)), *hi = MAXNUM_(a, F64_(1)), *base, *rest, *t, *u, *c;
    base = xg_m64_atan_core(b, lo, hi, &rest);
    t = ADD_(base, rest);
    u = xg_m64_minus(b, XG_F64_PIO2, XG_F64_PIO2_LO, base, rest);
    c = CMPF_(OGT, a, F64_(1));
    t = SEL_(c, u, t);
    c = CMPF_(UNO, x, x);
    t = SEL_(c, a, t);
    return COPYSIGN_(t, x);
}
static xg_kval *xg_m64_atan2(xg_kb *b, xg_kval *y, xg_kval *x) {
    xg_kval *ax = ABS_(x), *ay = ABS_(y), *lo, *hi, *base, *rest, *t, *u, *c, *swapped;
    lo = MINNUM_(ax, ay);
    hi = MAXNUM_(ax, ay);
    c = CMPF_(OEQ, hi, F64_(0));
    hi = SEL_(c, F64_(1), hi);
    c = CMPF_(OEQ, lo, K64_(XG_F64_INF)); /* both infinite: as (1, 1) */
    lo = SEL_(c, F64_(1), lo);
    hi = SEL_(c, F64_(1), hi);
    base = xg_m64_atan_core(b, lo, hi, &rest);
    swapped = CMPF_(OGT, ay, ax);
    t = ADD_(base, rest);
    u = xg_m64_minus(b, XG_F64_PIO2, XG_F64_PIO2_LO, base, rest);
    t = SEL_(swapped, u, t);
    /* x negative: pi - t, or with t = pi/2 - s: pi/2 + s */
    u = xg_m64_minus(b, XG_F64_PI, XG_F64_PI_LO, base, rest);
    base = NEG_(base);
    rest = NEG_(rest);
    rest = xg_m64_minus(b, XG_F64_PIO2, XG_F64_PIO2_LO, base, rest);
    u = SEL_(swapped, rest, u);
    c = BITS_(x);
    c = CMPI_(SLT, c, I64_(0));
    t = SEL_(c, u, t);
    t = COPYSIGN_(t, y);
    c = CMPF_(UNO, x, y);
    u = ADD_(x, y);
    return SEL_(c, u, t);
}

/* ---- the rest ---- */
/* erf(x)/x - 1 on [0, 1], 2^-53; -log(erfc(1 + u)) on [0, 5], 2^-56 after weighting with erfc */
static const uint64_t xg_m64_erf_c[] = {0xBE0AF963B6F9B7D9u, 0x3E4D8530950FC489u, 0xBE85C302FBD1F346u,
    0x3EBB985B6EAC028Eu, 0xBEEF4CACC39932DFu, 0x3F1F9A2C0D3EB5C9u, 0xBF4C02DB06423890u, 0x3F7565BCCF943252u,
    0xBF9B82CE311F2530u, 0x3FBCE2F21A04080Cu, 0xBFD812746B0379AEu, 0x3FC06EBA8214DB68u};
static xg_kval *xg_m64_rsqrt(xg_kb *b, xg_kval *x) {
    xg_kval *s = SQRT_(x);
    return DIV_(F64_(1), s);
}
/* x = 2^(3k) m, m in [1, 8): f32's root of m, then one step of Halley's method, which triples the good bits. */
static xg_kval *xg_m64_cbrt(xg_kb *b, xg_kval *x) {
    xg_kval *a = ABS_(x), *tiny = CMPF_(OLT, a, K64_(XG_F64_MIN_NORMAL)), *s, *i, *e, *k, *m, *y, *f, *d, *c, *t;
    s = MUL_(a, F64_(18014398509481984.0)); /* 2^54 */
    s = SEL_(tiny, s, a);
    i = BITS_(s);
    e = BY_(SHRUI, i, 52);
    e = CAST_(TRUNCI, e, XG_E_I32);
    k = BY_(MULI, e, 21846); /* division by 3 by multiplication, exact up to 2^15 */
    k = BY_(SHRUI, k, 16);
    t = BY_(MULI, k, 3);
    e = ISUB_(e, t); /* 0, 1, 2; and the bias, 1023, is 3 times 341 */
    k = BY_(SUBI, k, 341);
    t = SEL_(tiny, I32_(18), I32_(0));
    k = ISUB_(k, t);
    e = BY_(ADDI, e, 1023); /* the exponent of m */
    e = CAST_(EXTSI, e, XG_E_I64);
    e = BY_(SHLI, e, 52);
    m = BY_(ANDI, i, 0x000FFFFFFFFFFFFFu);
    m = OR_(m, e);
    m = FLOAT_(m);
    f = CAST_(TRUNCF, m, XG_E_F32);
    f = xg_math_ftz(b, XG_K_OP_LG2A, f);
    f = MUL_(f, F32_(1.0 / 3));
    f = xg_math_ftz(b, XG_K_OP_EX2A, f);
    y = CAST_(EXTF, f, XG_E_F64);
    t = MUL_(y, y); /* exact: 48 bits */
    d = NEG_(m);
    d = FMA_(t, y, d); /* y^3 - m */
    t = MUL_(m, F64_(3));
    t = FMA_(d, F64_(2), t);
    d = MUL_(y, d);
    d = DIV_(d, t);
    y = SUB_(y, d);
    t = xg_math_f64_scale(b, k);
    y = MUL_(y, t);
    y = COPYSIGN_(y, x);
    c = BITS_(a);
    c = BY_(SUBI, c, 1);
    c = CMPI_(ULT, c, I64_(0x7FEFFFFFFFFFFFFFu));
    t = ADD_(x, x);
    return SEL_(c, y, t);
}
static const uint64_t xg_m64_erfc_c[] = {0x3D95661E284276A8u, 0xBDE066CB52C76867u, 0x3E16A9EE8346F693u,
    0xBE424B8FB9903955u, 0x3E61ED8CEE88EB21u, 0xBE6F25CBB02B423Bu, 0xBE8B7CF2292C83ACu, 0x3EC1E247370B1890u,
    0xBEE44846446EE59Eu, 0x3EFC852AA0C12682u, 0xBEFB92DD97899DA3u, 0xBF2F1B04A8F378C1u, 0x3F6033F5A12FC663u,
    0xBF848C9D37FC20B4u, 0x3FA5477F099B6C88u, 0x3FEAFABC11A2AFD9u, 0x40051C9B0006C21Au, 0x3FFD97FBF27AA2A1u};
static xg_kval *xg_m64_erf(xg_kb *b, xg_kval *x) {
    xg_kval *a = ABS_(x), *z = MUL_(x, x), *p, *little, *u, *e, *c;
    p = xg_math_poly64(b, z, xg_m64_erf_c, XG_COUNT(xg_m64_erf_c));
    little = FMA_(p, a, a);
    u = MINNUM_(a, F64_(6)); /* 1 from there on */
    u = ADD_(u, F64_(-1));
    e = xg_math_poly64(b, u, xg_m64_erfc_c, XG_COUNT(xg_m64_erfc_c));
    e = NEG_(e);
    e = xg_m64_exp(b, e, 0);
    e = SUB_(F64_(1), e);
    c = CMPF_(OGE, a, F64_(1)); /* NaN stays with the polynomial */
    e = SEL_(c, e, little);
    return COPYSIGN_(e, x);
}
static xg_kval *xg_math_f64(xg_kb *b, xg_kopcode op, xg_kval *x, xg_kval *y) {
    switch (op) {
    case XG_K_OP_RSQRT: return xg_m64_rsqrt(b, x);
    case XG_K_OP_CBRT: return xg_m64_cbrt(b, x);
    case XG_K_OP_EXP: return xg_m64_exp(b, x, 0);
    case XG_K_OP_EXPM1: return xg_m64_expm1(b, x);
    case XG_K_OP_LOG: return xg_m64_log(b, x);
    case XG_K_OP_LOG1P: return xg_m64_log1p(b, x);
    case XG_K_OP_POW: return xg_m64_pow(b, x, y);
    case XG_K_OP_SIN: return xg_m64_sin(b, x, false);
    case XG_K_OP_COS: return xg_m64_sin(b, x, true);
    case XG_K_OP_TAN: return xg_m64_tan(b, x);
    case XG_K_OP_TANH: return xg_m64_tanh(b, x);
    case XG_K_OP_SINH: return xg_m64_sinh(b, x);
    case XG_K_OP_COSH: return xg_m64_cosh(b, x);
    case XG_K_OP_ASIN: return xg_m64_asin(b, x);
    case XG_K_OP_ACOS: return xg_m64_acos(b, x);
    case XG_K_OP_ATAN: return xg_m64_atan(b, x);
    case XG_K_OP_ATAN2: return xg_m64_atan2(b, x, y);
    case XG_K_OP_ASINH: return xg_m64_asinh(b, x);
    case XG_K_OP_ACOSH: return xg_m64_acosh(b, x);
    case XG_K_OP_ATANH: return xg_m64_atanh(b, x);
    case XG_K_OP_ERF: return xg_m64_erf(b, x);
    default: return NULL;
    }
}
XG_FN xg_kval *xg_math_expand(xg_kb *b, xg_kopcode op, xg_kval *x, xg_kval *y, uint32_t shortness) {
    if (x->type->elem == XG_E_F32) return xg_math_f32(b, op, x, y, shortness);
    return x->type->elem == XG_E_F64 ? xg_math_f64(b, op, x, y) : NULL;
}

#endif /* XG_PTX_MATH_F64_C */
