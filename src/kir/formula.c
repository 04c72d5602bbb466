/* kir/formula.c -- operations written as formulas (base/formula.c), whose words are here.
 *
 * What stands further right is made first, as XG_KOP2 and its kin do it.
 * - A to Z: the caller's constants, by their bits; in front of a parenthesis a polynomial;
 * - numbers: of the type of the operation's other operands, else the formula's; 0x...: their bits (a float's, too);
 *   where the caller has no constants, of the formula's type, and made where they are read;
 * - operators: >> shifts signed numbers, >>> unsigned ones; comparisons are of signed integers, of floats ordered (but
 *   !=), ult and its kin of unsigned integers, of floats also true where they are unordered;
 * - functions: the words below. */
#ifndef XG_KIR_FORMULA_C
#define XG_KIR_FORMULA_C
#include "kir.h"
#include "build.c"

enum {
    XG_KFML_OP,    /* of all its operands; its opcode of integers, of floats */
    XG_KFML_FLUSH, /* the same, and subnormals are flushed */
    XG_KFML_CAST,  /* an opcode, and the element it gives; 0: the one of equal width */
    XG_KFML_CMP    /* a comparison's predicates, of integers and of floats */
};
typedef struct xg_kform_word {
    char text[9];
    uint8_t kind, of_ints, of_floats;
} xg_kform_word;
/* clang-format off */
XG_TABLE const xg_kform_word xg_kform_words[] = {
#define W(text, op) {text, XG_KFML_OP, XG_K_OP_##op, XG_K_OP_##op},
    W("fma", FMA) W("?", SELECT) W("abs", ABSF) W("neg", NEGF) W("sqrt", SQRT) W("trunc", TRUNC) W("ex2", EX2A)
    W("lg2", LG2A) W("exp", EXP) W("expm1", EXPM1) W("log", LOG) W("log1p", LOG1P) W("cbrt", CBRT) W("sin", SIN)
    W("cos", COS) W("tan", TAN) W("sinh", SINH) W("cosh", COSH) W("tanh", TANH) W("max", MAXF) W("min", MINF)
    W("maxnum", MAXNUMF) W("minnum", MINNUMF) W("copysign", COPYSIGN) W("atan2", ATAN2) W("clz", CTLZ)
    W("mulhs", MULHSI) W("mulhu", MULHUI) W("mins", MINSI) W("maxs", MAXSI) W("minu", MINUI) W("shf", SHFL3)
    W("&", ANDI) W("^", XORI) W("|", ORI) W("<<", SHLI) W(">>", SHRSI) W(">>>", SHRUI)
#undef W
    {"*", XG_KFML_OP, XG_K_OP_MULI, XG_K_OP_MULF}, {"/", XG_KFML_OP, XG_K_OP_DIVUI, XG_K_OP_DIVF},
    {"+", XG_KFML_OP, XG_K_OP_ADDI, XG_K_OP_ADDF}, {"-", XG_KFML_OP, XG_K_OP_SUBI, XG_K_OP_SUBF},
    {"ex2f", XG_KFML_FLUSH, XG_K_OP_EX2A, XG_K_OP_EX2A}, {"lg2f", XG_KFML_FLUSH, XG_K_OP_LG2A, XG_K_OP_LG2A},
    {"rcpf", XG_KFML_FLUSH, XG_K_OP_RCPA, XG_K_OP_RCPA},
    {"<", XG_KFML_CMP, XG_CI_SLT, XG_CF_OLT}, {">", XG_KFML_CMP, XG_CI_SGT, XG_CF_OGT},
    {"<=", XG_KFML_CMP, XG_CI_SLE, XG_CF_OLE}, {">=", XG_KFML_CMP, XG_CI_SGE, XG_CF_OGE},
    {"==", XG_KFML_CMP, XG_CI_EQ, XG_CF_OEQ}, {"!=", XG_KFML_CMP, XG_CI_NE, XG_CF_UNE},
    {"ult", XG_KFML_CMP, XG_CI_ULT, XG_CF_ULT}, {"ugt", XG_KFML_CMP, XG_CI_UGT, XG_CF_UGT},
    {"uge", XG_KFML_CMP, XG_CI_UGE, XG_CF_UGE}, {"ueq", XG_KFML_CMP, 0, XG_CF_UEQ},
    {"uno", XG_KFML_CMP, 0, XG_CF_UNO}, {"one", XG_KFML_CMP, 0, XG_CF_ONE},
#define W(text, op, e) {text, XG_KFML_CAST, XG_K_OP_##op, e},
    W("bits", BITCAST, 0) W("float", BITCAST, 0) W("i32", TRUNCI, XG_E_I32) W("i8", TRUNCI, XG_E_I8)
    W("i16", TRUNCI, XG_E_I16) W("i32u", EXTUI, XG_E_I32) W("i64u", EXTUI, XG_E_I64)
    W("i64s", EXTSI, XG_E_I64) W("f32", TRUNCF, XG_E_F32) W("f64", EXTF, XG_E_F64) W("f32s", SITOFP, XG_E_F32)
    W("f64s", SITOFP, XG_E_F64) W("f64u", UITOFP, XG_E_F64)
#undef W
};
/* clang-format on */

XG_FN xg_kval *xg_kform_bits(const xg_kform *f, xg_kelem e, uint64_t bits) {
    return xg_kconst_bits(f->b, xg_kir_scalar(f->b->m, e), bits);
}
/* Of an array of bits. */
XG_FN xg_kval *xg_kform_constant(const xg_kform *f, xg_kelem e, const void *bits, size_t k) {
    return xg_kform_bits(f, e, f->elem == XG_E_F64 ? ((const uint64_t *)bits)[k] : ((const uint32_t *)bits)[k]);
}
XG_FN xg_kval *xg_kform_number(const xg_kform *f, xg_kelem e, const char *at) {
    uint64_t bits = 0;
    double v;
    if (*at >= 'A' && *at <= 'Z') return xg_kform_constant(f, e, f->constants, (size_t)(*at - 'A'));
    if (at[0] == '0' && at[1] == 'x') {
        for (at += 2; xg_is_digit(*at) || (*at >= 'A' && *at <= 'F'); at++)
            bits = bits << 4 | (uint64_t)(xg_is_digit(*at) ? *at - '0' : *at - 'A' + 10);
        return xg_kform_bits(f, e, bits);
    }
    v = xg_fml_number(at);
    return xg_kelem_is_float(e) ? xg_kconst_float(f->b, e, v) : xg_kconst_int(f->b, e, (int64_t)v);
}
/* c[0] x^(n-1) + ... + c[n-1], highest first, by Horner's rule. */
XG_FN xg_kval *xg_kform_polynomial(const xg_kform *f, char name, xg_kval *x) {
    const xg_kform_row *row = f->polynomials;
    xg_kval *r, *c;
    size_t k;
    while (row->name != name) row++;
    r = xg_kform_constant(f, f->elem, row->bits, 0);
    for (k = 1; k < row->n; k++) {
        c = xg_kform_constant(f, f->elem, row->bits, k);
        r = xg_k3(f->b, XG_K_OP_FMA, r, x, c);
    }
    return r;
}
XG_FN xg_kelem xg_kform_equal_width(xg_kelem e) {
    return e == XG_E_F64 ? XG_E_I64 : e == XG_E_I64 ? XG_E_F64 : e == XG_E_I32 ? XG_E_F32 : XG_E_I32;
}
XG_FN void *xg_kform_make(xg_fml *words, xg_str name, const xg_fml_term *in, uint32_t n) {
    const xg_kform *f = (const xg_kform *)(void *)words;
    const xg_kform_word *w = xg_kform_words;
    xg_kval *v[3];
    xg_kelem e = f->elem;
    bool is_float;
    uint32_t k, op;
    if (*name.p >= 'A' && *name.p <= 'Z') return xg_kform_polynomial(f, *name.p, (xg_kval *)in->v);
    while (!xg_str_is(name, w->text)) {
        w++;
        XLAGPU_ASSERT(w < xg_kform_words + XG_COUNT(xg_kform_words));
    }
    for (k = n; k-- > 0;) /* a condition says nothing of what is chosen */
        if (in[k].v && (k || *name.p != '?')) e = ((xg_kval *)in[k].v)->type->elem;
    for (k = n; k-- > 0;) v[k] = in[k].v ? (xg_kval *)in[k].v : xg_kform_number(f, e, in[k].number);
    is_float = xg_kelem_is_float(e);
    op = is_float && w->kind != XG_KFML_CAST ? w->of_floats : w->of_ints;
    if (w->kind == XG_KFML_CAST)
        return xg_kcast(f->b, (xg_kopcode)op, *v, w->of_floats ? (xg_kelem)w->of_floats : xg_kform_equal_width(e));
    if (w->kind == XG_KFML_CMP)
        return is_float ? xg_kcmpf_(f->b, (xg_kcmpf)op, v[0], v[1]) : xg_kcmpi_(f->b, (xg_kcmpi)op, v[0], v[1]);
    *v = n == 1   ? xg_k1(f->b, (xg_kopcode)op, *v)
         : n == 2 ? xg_k2(f->b, (xg_kopcode)op, v[0], v[1])
                  : xg_k3(f->b, (xg_kopcode)op, v[0], v[1], v[2]);
    if (w->kind == XG_KFML_FLUSH) (*v)->def->flags |= XG_KA_FTZ;
    return *v;
}
XG_FN void *xg_kform_value(xg_fml *words, char letter, const char *number) {
    const xg_kform *f = (const xg_kform *)(void *)words;
    if (letter) return f->v[letter - 'a'];
    return f->constants ? NULL : xg_kform_number(f, f->elem, number);
}
XG_FN void xg_kform_set(xg_fml *words, char letter, void *v) {
    ((xg_kform *)(void *)words)->v[letter - 'a'] = (xg_kval *)v;
}
XG_FN xg_kval *xg_kformula(xg_kform *f, const char *text) {
    f->words.make = xg_kform_make;
    f->words.value = xg_kform_value;
    f->words.set = xg_kform_set;
    return (xg_kval *)xg_fml_read(&f->words, text);
}

#endif /* XG_KIR_FORMULA_C */
