/* ptx/math_common.c -- the words in which expansions are written, and the choice of the expansion.
 *
 * An expansion is C that makes operations at `b`. The macros below are its vocabulary; math_f32.c, math_f64.c,
 * convert.c and legalize.c share them, the last one takes them away.
 *
 * Laws
 * - The order in which operations are made is the order in which they are printed, so a call may have at most ONE
 *   argument that makes an operation (constants do not count: they print nothing). C does not say which argument is
 *   evaluated first.
 * - Constants are given by their bits (K32, K64) where a decimal would not say exactly what is meant. */
#ifndef XG_PTX_MATH_COMMON_C
#define XG_PTX_MATH_COMMON_C
#include "ptx.h"

#define ADD_(x, y) xg_k2(b, XG_K_OP_ADDF, x, y)
#define SUB_(x, y) xg_k2(b, XG_K_OP_SUBF, x, y)
#define MUL_(x, y) xg_k2(b, XG_K_OP_MULF, x, y)
#define DIV_(x, y) xg_k2(b, XG_K_OP_DIVF, x, y)
#define FMA_(x, y, z) xg_k3(b, XG_K_OP_FMA, x, y, z)
#define NEG_(x) xg_k1(b, XG_K_OP_NEGF, x)
#define ABS_(x) xg_k1(b, XG_K_OP_ABSF, x)
#define SQRT_(x) xg_k1(b, XG_K_OP_SQRT, x)
#define MAXNUM_(x, y) xg_k2(b, XG_K_OP_MAXNUMF, x, y)
#define MINNUM_(x, y) xg_k2(b, XG_K_OP_MINNUMF, x, y)
#define COPYSIGN_(x, y) xg_k2(b, XG_K_OP_COPYSIGN, x, y)
#define IADD_(x, y) xg_k2(b, XG_K_OP_ADDI, x, y)
#define ISUB_(x, y) xg_k2(b, XG_K_OP_SUBI, x, y)
#define IMUL_(x, y) xg_k2(b, XG_K_OP_MULI, x, y)
#define AND_(x, y) xg_k2(b, XG_K_OP_ANDI, x, y)
#define OR_(x, y) xg_k2(b, XG_K_OP_ORI, x, y)
#define XOR_(x, y) xg_k2(b, XG_K_OP_XORI, x, y)
#define SHL_(x, y) xg_k2(b, XG_K_OP_SHLI, x, y)
#define SHRU_(x, y) xg_k2(b, XG_K_OP_SHRUI, x, y)
#define SHRS_(x, y) xg_k2(b, XG_K_OP_SHRSI, x, y)
/* An operation of a value and a number of its type; such a comparison. */
#define BY_(op, x, n) xg_k2_int(b, XG_K_OP_##op, x, (int64_t)(n))
#define CMPBY_(p, x, n) xg_kcmpi_int(b, XG_CI_##p, x, (int64_t)(n))
#define SEL_(c, x, y) xg_kselect(b, c, x, y)
#define CMPF_(p, x, y) xg_kcmpf_(b, XG_CF_##p, x, y)
#define CMPI_(p, x, y) xg_kcmpi_(b, XG_CI_##p, x, y)
#define CAST_(op, x, to) xg_kcast(b, XG_K_OP_##op, x, to)
#define I32_(v) xg_kconst_int(b, XG_E_I32, v)
#define I64_(v) xg_kconst_int(b, XG_E_I64, (int64_t)(v))
#define K32_(bits) xg_kconst_bits(b, xg_kir_scalar(b->m, XG_E_F32), bits)
#define K64_(bits) xg_kconst_bits(b, xg_kir_scalar(b->m, XG_E_F64), bits)
#define F32_(v) xg_kconst_float(b, XG_E_F32, v)
#define F64_(v) xg_kconst_float(b, XG_E_F64, v)
#define BITS_(x) xg_kcast(b, XG_K_OP_BITCAST, x, (x)->type->elem == XG_E_F64 ? XG_E_I64 : XG_E_I32)
#define FLOAT_(x) xg_kcast(b, XG_K_OP_BITCAST, x, (x)->type->elem == XG_E_I64 ? XG_E_F64 : XG_E_F32)

/* The approximate machine operations with subnormals flushed. */
static xg_kval *xg_math_ftz(xg_kb *b, xg_kopcode op, xg_kval *x) {
    xg_kval *r = xg_k1(b, op, x);
    r->def->flags |= XG_KA_FTZ;
    return r;
}

/* c[0] x^(n-1) + ... + c[n-1], highest first, by Horner's rule. */
static xg_kval *xg_math_poly32(xg_kb *b, xg_kval *x, const uint32_t *c, size_t n) {
    xg_kval *r = K32_(c[0]);
    size_t i;
    for (i = 1; i < n; i++) r = FMA_(r, x, K32_(c[i]));
    return r;
}
static xg_kval *xg_math_poly64(xg_kb *b, xg_kval *x, const uint64_t *c, size_t n) {
    xg_kval *r = K64_(c[0]);
    size_t i;
    for (i = 1; i < n; i++) r = FMA_(r, x, K64_(c[i]));
    return r;
}
/* Both branches of an if of the same result type: begin, fill, else, fill, end. */
typedef struct xg_math_if {
    xg_kop *op;
    xg_kb then_b, else_b;
} xg_math_if;
static xg_math_if xg_math_if_begin(xg_kb *b, xg_kval *cond, const xg_ktype *const *types, uint32_t n) {
    xg_math_if f;
    f.op = xg_kif(b, cond, types, n);
    f.then_b = xg_kb_end(b->m, f.op->regions[0]);
    f.else_b = xg_kb_end(b->m, f.op->regions[1]);
    f.then_b.loc = f.else_b.loc = b->loc;
    return f;
}

/* ---- shared by the two widths ---- */
/* e + 2 log2(e) atanh(u + ul) as a pair, where q = (atanh(u)/u - 1 - u^2/3) / u^4: all that matters in pairs of
 * floats. */
static void xg_math_log2_pair(xg_kb *b, xg_kval *e, xg_kval *u, xg_kval *ul, xg_kval *q, xg_kval **hi, xg_kval **lo) {
    bool wide = u->type->elem == XG_E_F64;
    xg_kval *third = wide ? K64_(0x3FD5555555555555u) : K32_(0x3EAAAAAB),
            *third_lo = wide ? K64_(0x3C75555555555555u) : K32_(0xB22AAAAB);
    xg_kval *k = wide ? K64_(0x40071547652B82FEu) : K32_(0x4038AA3B),
            *k_lo = wide ? K64_(0x3C8777D0FFDA0D24u) : K32_(0x33257060);
    xg_kval *z, *zl, *w, *wl, *c, *cl, *t, *h, *d;
    z = MUL_(u, u);
    t = NEG_(z);
    zl = FMA_(u, u, t);
    w = MUL_(z, u); /* u^3 */
    t = NEG_(w);
    wl = FMA_(z, u, t);
    wl = FMA_(zl, u, wl);
    t = MUL_(z, xg_kconst_float(b, u->type->elem, 3));
    wl = FMA_(t, ul, wl); /* 3 u^2 ul */
    c = MUL_(w, third);
    t = NEG_(c);
    cl = FMA_(w, third, t);
    cl = FMA_(w, third_lo, cl);
    cl = FMA_(wl, third, cl);
    t = MUL_(w, z);
    cl = FMA_(t, q, cl);
    cl = ADD_(cl, ul);
    h = ADD_(u, c); /* u + c + cl as a pair */
    t = SUB_(u, h);
    t = ADD_(t, c);
    cl = ADD_(cl, t);
    c = MUL_(h, k);
    t = NEG_(c);
    t = FMA_(h, k, t);
    t = FMA_(h, k_lo, t);
    t = FMA_(cl, k, t);
    h = ADD_(e, c);
    d = SUB_(e, h);
    d = ADD_(d, c);
    t = ADD_(d, t);
    *hi = ADD_(h, t);
    d = SUB_(h, *hi);
    *lo = ADD_(d, t);
}
/* Is y an integer; is it odd? Infinities count as even. */
static void xg_math_parity(xg_kb *b, xg_kval *y, xg_kval **integer, xg_kval **odd) {
    xg_kval *t = xg_k1(b, XG_K_OP_TRUNC, y), *h, *u;
    *integer = CMPF_(OEQ, t, y);
    h = MUL_(y, xg_kconst_float(b, y->type->elem, 0.5));
    u = xg_k1(b, XG_K_OP_TRUNC, h);
    u = CMPF_(ONE, u, h);
    *odd = AND_(*integer, u);
}
/* What C says of powers of special values; r is |x|^y, a = |x|. */
static xg_kval *xg_math_pow_edges(xg_kb *b, xg_kval *x, xg_kval *y, xg_kval *a, xg_kval *r) {
    xg_kelem e = x->type->elem;
    xg_kval *c, *d, *integer, *odd;
    /* 1 to any power, and -1 to infinite ones */
    c = CMPF_(OEQ, a, xg_kconst_float(b, e, 1));
    r = SEL_(c, xg_kconst_float(b, e, 1), r);
    /* signs of negative bases */
    xg_math_parity(b, y, &integer, &odd);
    d = COPYSIGN_(r, x);
    r = SEL_(odd, d, r);
    c = CMPF_(OLT, x, xg_kconst_float(b, e, 0));
    d = CMPF_(OGT, x, xg_kconst_float(b, e, -(double)HUGE_VAL));
    c = AND_(c, d);
    d = XOR_(integer, xg_kconst_int(b, XG_E_I1, 1));
    c = AND_(c, d);
    r = SEL_(c, xg_kconst_float(b, e, xg_f64_of_bits(0x7FF8000000000000u)), r);
    c = CMPF_(UNO, x, y);
    d = ADD_(x, y);
    r = SEL_(c, d, r);
    c = CMPF_(OEQ, y, xg_kconst_float(b, e, 0));
    d = CMPF_(OEQ, x, xg_kconst_float(b, e, 1));
    c = OR_(c, d);
    return SEL_(c, xg_kconst_float(b, e, 1), r);
}

/* ---- libdevice ---- */

/* clang-format off */
#define XG_LIBDEVICE(X) \
    X(CBRT, "cbrt") X(EXP, "exp") X(EXPM1, "expm1") X(LOG, "log") X(LOG1P, "log1p") X(POW, "pow") X(SIN, "sin") \
    X(COS, "cos") X(TAN, "tan") X(TANH, "tanh") X(SINH, "sinh") X(COSH, "cosh") X(ASIN, "asin") X(ACOS, "acos") \
    X(ATAN, "atan") X(ATAN2, "atan2") X(ASINH, "asinh") X(ACOSH, "acosh") X(ATANH, "atanh") X(ERF, "erf")
/* clang-format on */
XG_FN const char *xg_libdevice_name(xg_kopcode op) {
    switch (op) {
#define X(name, text) \
    case XG_K_OP_##name: return text;
        XG_LIBDEVICE(X)
#undef X
    default: return NULL;
    }
}

#endif /* XG_PTX_MATH_COMMON_C */
