/* ptx/math_common.c -- the words in which expansions are written, and the choice of the expansion.
 *
 * An expansion is a formula (kir/formula.c), or C that makes operations at `b`, where it chooses or repeats. The macros
 * below are its vocabulary; math_f32.c, math_f64.c, convert.c and legalize.c share them, the last one takes them away.
 * Formulas of the math dialect stand in one frame, x and y its operands: pieces of them say which letters they take
 * and give, and what they use for themselves is lost.
 *
 * Laws
 * - The order in which operations are made is the order in which they are printed, so a call may have at most ONE
 *   argument that makes an operation (constants do not count: they print nothing). C does not say which argument is
 *   evaluated first.
 * - Constants are given by their bits (K32, K64) where a decimal would not say exactly what is meant. */
#ifndef XG_PTX_MATH_COMMON_C
#define XG_PTX_MATH_COMMON_C
#include "ptx.h"
#include "../base/number.h"

#define ADD_(x, y) xg_k2(b, XG_K_OP_ADDF, x, y)
#define SUB_(x, y) xg_k2(b, XG_K_OP_SUBF, x, y)
#define MUL_(x, y) xg_kmulf(b, x, y)
#define FMA_(x, y, z) xg_k3(b, XG_K_OP_FMA, x, y, z)
#define ABS_(x) xg_k1(b, XG_K_OP_ABSF, x)
#define COPYSIGN_(x, y) xg_k2(b, XG_K_OP_COPYSIGN, x, y)
#define IMUL_(x, y) xg_k2(b, XG_K_OP_MULI, x, y)
#define AND_(x, y) xg_kandi(b, x, y)
#define OR_(x, y) xg_k2(b, XG_K_OP_ORI, x, y)
#define XOR_(x, y) xg_k2(b, XG_K_OP_XORI, x, y)
/* An operation of a value and a number of its type; such a comparison. */
#define BY_(op, x, n) xg_k2_int(b, XG_K_OP_##op, x, (int64_t)(n))
#define CMPBY_(p, x, n) xg_kcmpi_int(b, XG_CI_##p, x, (int64_t)(n))
#define SEL_(c, x, y) xg_kselect(b, c, x, y)
#define CMPF_(p, x, y) xg_kcmpf_(b, XG_CF_##p, x, y)
#define CMPI_(p, x, y) xg_kcmpi_(b, XG_CI_##p, x, y)
#define CAST_(op, x, to) xg_kcast(b, XG_K_OP_##op, x, to)
#define I32_(v) xg_kconst_i32(b, v)
#define I64_(v) xg_kconst_int(b, XG_E_I64, (int64_t)(v))
#define K32_(bits) xg_kconst_bits(b, xg_kir_scalar(b->m, XG_E_F32), bits)
#define F32_(v) xg_kconst_float(b, XG_E_F32, v)
#define BITS_(x) xg_kbitcast(b, x, (x)->type->elem == XG_E_F64 ? XG_E_I64 : XG_E_I32)
#define FLOAT_(x) xg_kbitcast(b, x, (x)->type->elem == XG_E_I64 ? XG_E_F64 : XG_E_F32)

/* ---- shared by the two widths ---- */
/* A letter of the formula's frame. */
#define V(letter) m->v[#letter[0] - 'a']

/* An if, when c holds, whose branches give q, an integer, and of more results the floats r and l in front of it: begin,
 * the one branch, else, the other, end. The formula's operations stand in the branches meanwhile. */
typedef struct xg_math_if {
    xg_kop *op;
    xg_kb *outer, branch;
    uint32_t n;
} xg_math_if;
static void xg_math_if_go_to(xg_kform *m, xg_math_if *f, uint32_t region) {
    f->branch = xg_kb_end(f->outer->m, f->op->regions[region]);
    f->branch.loc = f->outer->loc;
    m->b = &f->branch;
}
static void xg_math_if_begin(xg_kform *m, xg_math_if *f, uint32_t n, xg_kelem of_q) {
    const xg_ktype *types[3];
    types[0] = types[1] = xg_kir_scalar(m->b->m, m->elem);
    types[n - 1] = xg_kir_scalar(m->b->m, of_q);
    f->n = n;
    f->outer = m->b;
    f->op = xg_kif(m->b, V(c), types, n);
    xg_math_if_go_to(m, f, 0);
}
static void xg_math_if_leave(xg_kform *m, const xg_math_if *f) {
    xg_kval *out[3];
    out[0] = V(r);
    out[1] = V(l);
    out[f->n - 1] = V(q);
    xg_kyield(m->b, out, f->n);
}
static void xg_math_if_else(xg_kform *m, xg_math_if *f) {
    xg_math_if_leave(m, f);
    xg_math_if_go_to(m, f, 1);
}
static void xg_math_if_end(xg_kform *m, xg_math_if *f) {
    xg_math_if_leave(m, f);
    m->b = f->outer;
    V(r) = &f->op->results[0];
    V(l) = &f->op->results[1];
    V(q) = &f->op->results[f->n - 1];
}

/* Constants of formulas, their bits in f32 and in f64 (0: not used there).
 * X(letter, f32, f64) */
/* clang-format off */
#define XG_MATH_CONSTANTS(X) \
    X(A, 0, 0x3FE921FB54442D18u)          /* pi/4 */ \
    X(B, 0x30800000, 0x3E112E0BE826D695u) /* 2^-30, 1e-9: doubling and halving what is less would round twice */ \
    X(C, 0x3EAAAAAB, 0x3FD5555555555555u) /* 1/3 */ \
    X(D, 0xB22AAAAB, 0x3C75555555555555u) /* the rest of it */ \
    X(E, 0x3FB8AA3B, 0x3FF71547652B82FEu) /* log2 e */ \
    X(F, 0x32A57060, 0x3C81A62633145C07u) /* f32: the rest of it; f64: of pi/4 */ \
    X(G, 0xB3BBBD2E, 0x3CA1A62633145C07u) /* the rest of pi */ \
    X(H, 0x40490FDB, 0x400921FB54442D18u) /* pi */ \
    X(I, 0x7F800000, 0x7FF0000000000000u) /* infinity */ \
    X(J, 0xFF800000, 0xFFF0000000000000u) /* the negative one */ \
    X(K, 0x4038AA3B, 0x40071547652B82FEu) /* 2 log2 e */ \
    X(L, 0x3F317218, 0x3FE62E42FEFA39EFu) /* ln 2 */ \
    X(M, 0xB102E308, 0x3C7ABC9E3B39803Fu) /* the rest of it */ \
    X(N, 0x7FC00000, 0x7FF8000000000000u) /* NaN */ \
    X(O, 0, 0)                            \
    X(P, 0x3FC90FDB, 0x3FF921FB54442D18u) /* pi/2 */ \
    X(Q, 0xB33BBD2E, 0x3C91A62633145C07u) /* the rest of it */ \
    X(R, 0xA6F72CED, 0xB91F1976B7ED8FBCu) /* the rest of that */ \
    X(S, 0, 0x3FE62E42FEFA3800u)          /* ln 2, whose product with an exponent is exact */ \
    X(T, 0x00800000, 0x0010000000000000u) /* the smallest normal number */ \
    X(U, 0, 0xBD2EF35793C76730u)          /* S - ln 2 */ \
    X(V, 0x33257060, 0x3C8777D0FFDA0D24u) /* the rest of K */ \
    X(W, 0x34000000, 0)                   /* 2^-23 */ \
    X(X, 0, 0x4338000000000000u)          /* 1.5 2^52 */ \
    X(Y, 0x30800000, 0x3C30000000000000u) /* 2^-30, 2^-60: log1p of less is the number itself */ \
    X(Z, 0x4E800000, 0x43B0000000000000u) /* 2^30, 2^60: 1 and its square do not count beside the square of more */
/* clang-format on */
#define X(letter, narrow, wide) narrow,
XG_TABLE const uint32_t xg_m32_constants[] = {XG_MATH_CONSTANTS(X)};
#undef X
#define X(letter, narrow, wide) wide,
XG_TABLE const uint64_t xg_m64_constants[] = {XG_MATH_CONSTANTS(X)};
#undef X
static void xg_math_begin(xg_kform *m, xg_kb *b, xg_kval *x, xg_kval *y) {
    m->b = b;
    m->elem = x->type->elem;
    m->constants = m->elem == XG_E_F64 ? (const void *)xg_m64_constants : (const void *)xg_m32_constants;
    m->polynomials = NULL;
    V(x) = x;
    V(y) = y;
}

/* i + j = e + 2 log2(e) atanh(u + l) as a pair, where q = (atanh(u)/u - 1 - u^2/3) / u^4: all that matters in pairs of
 * floats. */
static void xg_math_log2_pair(xg_kform *m) {
    (void)xg_kformula(m, "z=u*u;g=fma(u,u,neg(z));w=z*u;h=fma(z,u,neg(w));h=fma(g,u,h);" /* w = u^3 */
                         "t=z*3;h=fma(t,l,h);"                                           /* 3 u^2 l */
                         "c=w*C;d=fma(w,C,neg(c));d=fma(w,D,d);d=fma(h,C,d);d=fma(w*z,q,d);d=d+l;"
                         "h=u+c;t=u-h+c;d=d+t;" /* u + c + d as a pair */
                         "c=h*K;t=fma(h,K,neg(c));t=fma(h,V,t);t=fma(d,K,t);"
                         "h=e+c;d=e-h+c;t=d+t;i=h+t;j=h-i+t");
}
/* y times the pair as a pair t + l, where the logarithm was that of a; l is 0 where the product, beyond `most`, is
 * infinite: no infinity minus infinity. */
#define XG_MATH_POW_PRODUCT(most) "i=a==0?J:i;i=a<I?i:a;t=y*i;l=fma(y,i,neg(t));l=fma(y,j,l);l=abs(t)<" most "?l:0;"
/* What C says of powers of special values; r is |x|^y, a = |x|, NaN of a NaN. Of a constant y that is finite and not
 * 0, nor might be flushed to it, it is known whether it is an integer, and an odd one. */
static xg_kval *xg_math_pow_edges(xg_kform *m) {
    int64_t bits;
    double y = xg_kval_is_const(V(y), &bits) ? xg_float_decode(xg_kelem_format(m->elem), (uint64_t)bits) : 0;
    if (y - y == 0 && fabs(y) > 1e-30)
        return xg_kformula(m, floor(y) != y ? "c=x<0;c=c&x>J;c?N:r" : floor(y * .5) != y * .5 ? "copysign(r,x)" : "r");
    return xg_kformula(m, "r=a==1?1:r;"                               /* 1 to any power, -1 to infinite ones */
                          "i=trunc(y)==y;h=y*.5;o=i&one(trunc(h),h);" /* an integer (infinities: even), odd */
                          "r=o?copysign(r,x):r;c=x<0;c=c&x>J;c=c&(i^1);r=c?N:r;" /* signs of negative bases */
                          "c=y==0;c=c|x==1;c?1:r");
}

/* ---- libdevice ---- */

/* clang-format off */
#define XG_LIBDEVICE(X) \
    X(CBRT, "cbrt") X(EXP, "exp") X(EXPM1, "expm1") X(LOG, "log") X(LOG1P, "log1p") X(POW, "pow") X(SIN, "sin") \
    X(COS, "cos") X(TAN, "tan") X(TANH, "tanh") X(SINH, "sinh") X(COSH, "cosh") X(ASIN, "asin") X(ACOS, "acos") \
    X(ATAN, "atan") X(ATAN2, "atan2") X(ASINH, "asinh") X(ACOSH, "acosh") X(ATANH, "atanh") X(ERF, "erf")
/* clang-format on */
XG_FN const char *xg_libdevice_name(xg_kopcode op) {
    XG_TABLE const uint8_t ops[] = {
#define X(name, text) XG_K_OP_##name,
        XG_LIBDEVICE(X)
#undef X
    };
    XG_TABLE const char names[] =
#define X(name, text) text "\0"
        XG_LIBDEVICE(X)
#undef X
        ;
    const uint8_t *at = (const uint8_t *)memchr(ops, (int)op, sizeof ops);
    return at ? xg_text_nth(names, (size_t)(at - ops)) : NULL;
}

#endif /* XG_PTX_MATH_COMMON_C */
