/* elem/complex.c -- complex elements as pairs of real values.
 *
 * Formulas are the textbook ones in the forms that neither overflow early nor cancel: hypot by scaling, Smith's
 * division, log near the unit circle through log1p, tanh through sech, square root without cancellation (Kahan, "Branch
 * cuts for complex elementary functions", 1987). */
#ifndef XG_ELEM_COMPLEX_C
#define XG_ELEM_COMPLEX_C
#include "elem.h"
#include "scalar.c"

XG_FN xg_elem xg_cx_held(xg_kb *b, xg_kval *re) {
    xg_elem e;
    e.v = re;
    e.im = xg_kheld(b);
    return e;
}
XG_FN xg_kval *xg_cx_f(xg_kb *b, xg_elem like, double v) { return xg_kconst_float(b, like.v->type->elem, v); }
/* One-letter helpers keep the formulas below readable as formulas. */
#define CX(re, im) (xg_khold(b, im), xg_cx_held(b, re))
#define ADD(x, y) XG_KOP2(b, XG_K_OP_ADDF, (x), (y))
#define SUB(x, y) XG_KOP2(b, XG_K_OP_SUBF, (x), (y))
#define MUL(x, y) XG_KOP2(b, XG_K_OP_MULF, (x), (y))
#define DIV(x, y) XG_KOP2(b, XG_K_OP_DIVF, (x), (y))
#define NEG(x) xg_k1(b, XG_K_OP_NEGF, (x))
#define ABS(x) xg_k1(b, XG_K_OP_ABSF, (x))
#define FN(op, x) xg_k1(b, XG_K_OP_##op, (x))
#define SEL(c, x, y) XG_KSELECT(b, (c), (x), (y))
#define LT(x, y) XG_KCMPF(b, XG_CF_OLT, (x), (y))
#define EQ(x, y) XG_KCMPF(b, XG_CF_OEQ, (x), (y))
#define BOTH(p, q) XG_KOP2(b, XG_K_OP_ANDI, (p), (q))
#define K(v) xg_cx_f(b, z, (v))

/* |z| without overflow of the squares: max * sqrt(1 + (min/max)^2); infinite if either part is. */
XG_FN xg_kval *xg_cx_abs(xg_kb *b, xg_elem z) {
    xg_kval *x = ABS(z.v), *y = ABS(z.im), *hi = xg_k2(b, XG_K_OP_MAXF, x, y), *lo = xg_k2(b, XG_K_OP_MINF, x, y), *q,
            *r;
    q = DIV(lo, hi);
    r = MUL(hi, FN(SQRT, ADD(K(1), MUL(q, q))));
    r = SEL(EQ(hi, K(0)), hi, r);
    return SEL(XG_KOP2(b, XG_K_OP_ORI, EQ(x, K(HUGE_VAL)), EQ(y, K(HUGE_VAL))), K(HUGE_VAL), r);
}

XG_FN xg_elem xg_cx_mul(xg_kb *b, xg_elem z, xg_elem w) {
    return CX(SUB(MUL(z.v, w.v), MUL(z.im, w.im)), ADD(MUL(z.v, w.im), MUL(z.im, w.v)));
}

/* Smith: divide through by the larger part of the divisor. By zero: each part divided by zero. */
XG_FN xg_elem xg_cx_div(xg_kb *b, xg_elem z, xg_elem w) {
    xg_kval *re_large = XG_KCMPF(b, XG_CF_OGE, ABS(w.v), ABS(w.im)), *zero = BOTH(EQ(w.v, K(0)), EQ(w.im, K(0)));
    xg_kval *big = SEL(re_large, w.v, w.im), *little = SEL(re_large, w.im, w.v), *r = SEL(zero, K(0), DIV(little, big)),
            *den = ADD(big, MUL(little, r));
    xg_kval *re = SEL(re_large, ADD(z.v, MUL(z.im, r)), ADD(MUL(z.v, r), z.im));
    xg_kval *im = SEL(re_large, SUB(z.im, MUL(z.v, r)), SUB(MUL(z.im, r), z.v));
    return CX(DIV(re, den), DIV(im, den));
}

XG_FN xg_elem xg_cx_real_minus(xg_kb *b, double one, xg_elem z) { return CX(SUB(K(one), z.v), NEG(z.im)); }
XG_FN xg_elem xg_cx_add_real(xg_kb *b, xg_elem z, double r) { return CX(ADD(z.v, K(r)), z.im); }
XG_FN xg_elem xg_cx_add(xg_kb *b, xg_elem z, xg_elem w) { return CX(ADD(z.v, w.v), ADD(z.im, w.im)); }
XG_FN xg_elem xg_cx_sub(xg_kb *b, xg_elem z, xg_elem w) { return CX(SUB(z.v, w.v), SUB(z.im, w.im)); }
XG_FN xg_elem xg_cx_neg(xg_kb *b, xg_elem z) { return CX(NEG(z.v), NEG(z.im)); }
XG_FN xg_elem xg_cx_times_i(xg_kb *b, xg_elem z) { return CX(NEG(z.im), z.v); }
XG_FN xg_elem xg_cx_times_minus_i(xg_kb *b, xg_elem z) { return CX(z.im, NEG(z.v)); }

/* exp in two halves, so that a factor below 1 can bring the product back from overflow; a zero imaginary part stays
 * exactly zero. */
XG_FN xg_elem xg_cx_exp(xg_kb *b, xg_elem z) {
    xg_kval *h = FN(EXP, MUL(z.v, K(0.5))), *e = FN(EXP, z.v), *c = FN(COS, z.im), *s = FN(SIN, z.im),
            *over = EQ(e, K(HUGE_VAL)), *real = EQ(z.im, K(0));
    xg_kval *re = SEL(over, MUL(MUL(h, c), h), MUL(e, c)), *im = SEL(over, MUL(MUL(h, s), h), MUL(e, s));
    return CX(SEL(real, e, re), SEL(real, z.im, im));
}
XG_FN xg_elem xg_cx_expm1(xg_kb *b, xg_elem z) {
    xg_kval *half = FN(SIN, MUL(z.im, K(0.5))), *em = FN(EXPM1, z.v), *real = EQ(z.im, K(0));
    xg_kval *re = SUB(MUL(em, FN(COS, z.im)), MUL(K(2), MUL(half, half))), *im = MUL(FN(EXP, z.v), FN(SIN, z.im));
    return CX(SEL(real, em, re), SEL(real, z.im, im));
}

/* log|z|: through log1p of |z|^2 - 1 = (m-1)(m+1) + n^2 where |z| is between about 1/2 and 2, with m the larger
 * part. */
XG_FN xg_kval *xg_cx_log_abs(xg_kb *b, xg_elem z) {
    xg_kval *x = ABS(z.v), *y = ABS(z.im), *m = xg_k2(b, XG_K_OP_MAXF, x, y), *n = xg_k2(b, XG_K_OP_MINF, x, y);
    xg_kval *nearby = BOTH(LT(K(0.5), m), LT(m, K(2))),
            *excess = XG_KOP3(b, XG_K_OP_FMA, SUB(m, K(1)), ADD(m, K(1)), MUL(n, n));
    return SEL(nearby, MUL(K(0.5), FN(LOG1P, excess)), FN(LOG, xg_cx_abs(b, z)));
}
XG_FN xg_elem xg_cx_log(xg_kb *b, xg_elem z) { return CX(xg_cx_log_abs(b, z), XG_KOP2(b, XG_K_OP_ATAN2, z.im, z.v)); }

/* |1+z|^2 - 1 = x(2+x) + y^2 while that is small; else log of 1+z. */
XG_FN xg_elem xg_cx_log1p(xg_kb *b, xg_elem z) {
    xg_elem w = xg_cx_add_real(b, z, 1);
    xg_kval *excess = XG_KOP3(b, XG_K_OP_FMA, z.v, ADD(K(2), z.v), MUL(z.im, z.im)), *nearby = LT(ABS(excess), K(0.5));
    return CX(SEL(nearby, MUL(K(0.5), FN(LOG1P, excess)), xg_cx_log_abs(b, w)), XG_KOP2(b, XG_K_OP_ATAN2, z.im, w.v));
}

/* t = sqrt((|x| + |z|)/2) is the larger part; the other is |y|/(2t). */
XG_FN xg_elem xg_cx_sqrt(xg_kb *b, xg_elem z) {
    xg_kval *x = ABS(z.v), *y = ABS(z.im), *t = FN(SQRT, MUL(K(0.5), ADD(x, xg_cx_abs(b, z)))), *zero = EQ(t, K(0)),
            *inf = EQ(y, K(HUGE_VAL));
    xg_kval *other = SEL(zero, K(0), DIV(y, MUL(K(2), t))), *right = xg_kcmpf_(b, XG_CF_OGE, z.v, K(0));
    xg_kval *re = SEL(right, t, other), *im = SEL(right, other, t);
    return CX(SEL(inf, K(HUGE_VAL), re), XG_KOP2(b, XG_K_OP_COPYSIGN, SEL(inf, y, im), z.im));
}
XG_FN xg_elem xg_cx_cbrt(xg_kb *b, xg_elem z) {
    xg_kval *r = FN(CBRT, xg_cx_abs(b, z)), *a = DIV(XG_KOP2(b, XG_K_OP_ATAN2, z.im, z.v), K(3));
    return CX(MUL(r, FN(COS, a)), MUL(r, FN(SIN, a)));
}

/* With T = tanh x, U = tan y: (T(1+U^2) + i U sech^2 x) / (1 + T^2 U^2); sech^2 from exp, since 1 - T^2 cancels. */
XG_FN xg_elem xg_cx_tanh(xg_kb *b, xg_elem z) {
    xg_kval *T = FN(TANH, z.v), *U = FN(TAN, z.im), *e = FN(EXP, MUL(K(-2), ABS(z.v))), *one = K(1), *d = ADD(one, e);
    xg_kval *sech2 = DIV(MUL(K(4), e), MUL(d, d)), *U2 = MUL(U, U), *den = ADD(one, MUL(MUL(T, T), U2));
    return CX(DIV(MUL(T, ADD(one, U2)), den), DIV(MUL(U, sech2), den));
}
XG_FN xg_elem xg_cx_sinh(xg_kb *b, xg_elem z) {
    return CX(MUL(FN(SINH, z.v), FN(COS, z.im)), MUL(FN(COSH, z.v), FN(SIN, z.im)));
}
XG_FN xg_elem xg_cx_cosh(xg_kb *b, xg_elem z) {
    return CX(MUL(FN(COSH, z.v), FN(COS, z.im)), MUL(FN(SINH, z.v), FN(SIN, z.im)));
}
XG_FN xg_elem xg_cx_sin(xg_kb *b, xg_elem z) {
    return CX(MUL(FN(SIN, z.v), FN(COSH, z.im)), MUL(FN(COS, z.v), FN(SINH, z.im)));
}
XG_FN xg_elem xg_cx_cos(xg_kb *b, xg_elem z) {
    return CX(MUL(FN(COS, z.v), FN(COSH, z.im)), NEG(MUL(FN(SIN, z.v), FN(SINH, z.im))));
}

/* asinh z = log(z + sqrt(z^2+1)), for the half plane Re z >= 0 and mirrored, where nothing cancels. */
XG_FN xg_elem xg_cx_asinh(xg_kb *b, xg_elem z) {
    xg_kval *left = LT(z.v, K(0));
    xg_elem w = CX(SEL(left, NEG(z.v), z.v), SEL(left, NEG(z.im), z.im)), s, r;
    s = xg_cx_sqrt(b, CX(XG_KOP3(b, XG_K_OP_FMA, w.v, w.v, SUB(K(1), MUL(w.im, w.im))), MUL(K(2), MUL(w.v, w.im))));
    r = xg_cx_log(b, xg_cx_add(b, w, s));
    return CX(SEL(left, NEG(r.v), r.v), SEL(left, NEG(r.im), r.im));
}
XG_FN xg_elem xg_cx_asin(xg_kb *b, xg_elem z) { return xg_cx_times_minus_i(b, xg_cx_asinh(b, xg_cx_times_i(b, z))); }
XG_FN xg_elem xg_cx_acosh(xg_kb *b, xg_elem z) {
    xg_elem p = xg_cx_sqrt(b, xg_cx_add_real(b, z, 1)), q = xg_cx_sqrt(b, xg_cx_add_real(b, z, -1));
    return xg_cx_log(b, xg_cx_add(b, z, xg_cx_mul(b, p, q)));
}
XG_FN xg_elem xg_cx_atanh(xg_kb *b, xg_elem z) {
    xg_elem minus = xg_cx_log1p(b, xg_cx_neg(b, z)), d = xg_cx_sub(b, xg_cx_log1p(b, z), minus);
    return CX(MUL(K(0.5), d.v), MUL(K(0.5), d.im));
}
XG_FN xg_elem xg_cx_sign(xg_kb *b, xg_elem z) {
    xg_kval *r = xg_cx_abs(b, z), *zero = EQ(r, K(0));
    return CX(SEL(zero, K(0), DIV(z.v, r)), SEL(zero, K(0), DIV(z.im, r)));
}

XG_FN xg_elem xg_complex_unary(xg_kb *b, const xg_inst *i, xg_elem z) {
    xg_elem one = CX(K(1), K(0));
    switch (i->op) {
    case XG_COPY: return z;
    case XG_NEGATE: return xg_cx_neg(b, z);
    case XG_SIGN: return xg_cx_sign(b, z);
    case XG_EXPONENTIAL: return xg_cx_exp(b, z);
    case XG_EXPONENTIAL_MINUS_ONE: return xg_cx_expm1(b, z);
    case XG_LOG: return xg_cx_log(b, z);
    case XG_LOG_PLUS_ONE: return xg_cx_log1p(b, z);
    case XG_LOGISTIC: return xg_cx_div(b, one, xg_cx_add_real(b, xg_cx_exp(b, xg_cx_neg(b, z)), 1));
    case XG_SQRT: return xg_cx_sqrt(b, z);
    case XG_RSQRT: return xg_cx_div(b, one, xg_cx_sqrt(b, z));
    case XG_CBRT: return xg_cx_cbrt(b, z);
    case XG_TANH: return xg_cx_tanh(b, z);
    case XG_TAN: return xg_cx_times_minus_i(b, xg_cx_tanh(b, xg_cx_times_i(b, z)));
    case XG_SINE: return xg_cx_sin(b, z);
    case XG_COSINE: return xg_cx_cos(b, z);
    case XG_SINH: return xg_cx_sinh(b, z);
    case XG_COSH: return xg_cx_cosh(b, z);
    case XG_ASINH: return xg_cx_asinh(b, z);
    case XG_ASIN: return xg_cx_asin(b, z);
    case XG_ACOS: return xg_cx_real_minus(b, 1.57079632679489661923, xg_cx_asin(b, z));
    case XG_ACOSH: return xg_cx_acosh(b, z);
    case XG_ATANH: return xg_cx_atanh(b, z);
    case XG_ABS: return CX(xg_cx_abs(b, z), NULL);
    case XG_REAL: return CX(z.v, NULL);
    case XG_IMAG: return CX(z.im, NULL);
    default: xg_scalar_refuse(i, XG_OPERAND(i, 0)->shape->type);
    }
}

/* z^w = exp(w log z); 0^0 is 1, 0 to anything else 0. */
XG_FN xg_elem xg_cx_pow(xg_kb *b, xg_elem z, xg_elem w) {
    xg_kval *zero = BOTH(EQ(z.v, K(0)), EQ(z.im, K(0))), *none = BOTH(EQ(w.v, K(0)), EQ(w.im, K(0)));
    xg_elem r = xg_cx_exp(b, xg_cx_mul(b, w, xg_cx_log(b, z)));
    return CX(SEL(zero, SEL(none, K(1), K(0)), r.v), SEL(zero, K(0), r.im));
}

/* Larger or smaller, z where they are equal: XLA looks at the real parts alone, as its compare does for GE and LE. */
XG_FN xg_elem xg_cx_pick(xg_kb *b, xg_elem z, xg_elem w, bool larger) {
    xg_kval *first = xg_kcmpf_(b, larger ? XG_CF_OGE : XG_CF_OLE, z.v, w.v);
    return CX(SEL(first, z.v, w.v), SEL(first, z.im, w.im));
}

XG_FN xg_elem xg_complex_binary(xg_kb *b, const xg_inst *i, xg_elem z, xg_elem w) {
    switch (i->op) {
    case XG_ADD: return xg_cx_add(b, z, w);
    case XG_SUBTRACT: return xg_cx_sub(b, z, w);
    case XG_MULTIPLY: return xg_cx_mul(b, z, w);
    case XG_DIVIDE: return xg_cx_div(b, z, w);
    case XG_POWER: return xg_cx_pow(b, z, w);
    case XG_MAXIMUM: return xg_cx_pick(b, z, w, true);
    case XG_MINIMUM: return xg_cx_pick(b, z, w, false);
    case XG_ATAN2: { /* -i log((w + iz) / sqrt(w^2 + z^2)) */
        xg_elem n = xg_cx_add(b, w, xg_cx_times_i(b, z)), z2 = xg_cx_mul(b, z, z),
                d = xg_cx_sqrt(b, xg_cx_add(b, xg_cx_mul(b, w, w), z2));
        return xg_cx_times_minus_i(b, xg_cx_log(b, xg_cx_div(b, n, d)));
    }
    default: xg_scalar_refuse(i, i->shape->type);
    }
}

/* EQ and NE by parts; LT and GT lexicographically; GE and LE by the real parts. */
XG_FN xg_kval *xg_complex_compare(xg_kb *b, const xg_inst *i, xg_elem z, xg_elem w) {
    const xg_direction_row *d = xg_scalar_direction(i);
    if (d->flt == XG_CF_OEQ) return BOTH(EQ(z.v, w.v), EQ(z.im, w.im));
    if (d->flt == XG_CF_UNE)
        return XG_KOP2(b, XG_K_OP_ORI, xg_kcmpf_(b, XG_CF_UNE, z.v, w.v), xg_kcmpf_(b, XG_CF_UNE, z.im, w.im));
    if (d->flt == XG_CF_OGE || d->flt == XG_CF_OLE) return xg_kcmpf_(b, (xg_kcmpf)d->flt, z.v, w.v);
    return XG_KOP2(b, XG_K_OP_ORI, xg_kcmpf_(b, (xg_kcmpf)d->flt, z.v, w.v),
        BOTH(EQ(z.v, w.v), xg_kcmpf_(b, (xg_kcmpf)d->flt, z.im, w.im)));
}
#undef CX
#undef ADD
#undef SUB
#undef MUL
#undef DIV
#undef NEG
#undef ABS
#undef FN
#undef SEL
#undef LT
#undef EQ
#undef BOTH
#undef K

#endif /* XG_ELEM_COMPLEX_C */
