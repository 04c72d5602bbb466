/* kir/formula.c -- operations written as formulas: "r = fma(n, L, x); q = r * r; fma(p, q, r)".
 *
 * Statements are separated by semicolons; the last one's value is the formula's. Of an expression what stands further
 * right is made first, as XG_KOP2 and its kin do it, so a formula is read from its end: operators wait on one stack for
 * what stands left of them, values on another.
 * - a to z: values, which the caller sets and statements "a = ..." set anew;
 * - A to Z: the caller's constants, by their bits; in front of a parenthesis a polynomial, whose coefficients follow;
 * - numbers: of the type of the operation's other operands, else the formula's; 0x...: their bits (a float's, too);
 *   where the caller has no constants, of the formula's type, and made where they are read;
 * - + - * / << >> (signed) >>> & ^ |, comparisons (of integers signed, of floats ordered but !=), c ? x : y;
 * - functions: the words below. */
#ifndef XG_KIR_FORMULA_C
#define XG_KIR_FORMULA_C
#include "kir.h"
#include "../base/number.h"
#include "build.c"

enum {                  /* how many operands, or: */
    XG_KFORM_FLUSH = 4, /* one, and subnormals are flushed */
    XG_KFORM_CAST,      /* to the element that the row names; 0: the one of equal width */
    XG_KFORM_CMPI,
    XG_KFORM_CMPF,
    XG_KFORM_DEPTH = 24
};
typedef struct xg_kform_word {
    char text[9];
    uint8_t kind, op, elem;
} xg_kform_word;
/* clang-format off */
static const xg_kform_word xg_kform_functions[] = {
#define W(text, op) {text, 1, XG_K_OP_##op, 0},
    W("abs", ABSF) W("neg", NEGF) W("sqrt", SQRT) W("trunc", TRUNC) W("clz", CTLZ) W("ex2", EX2A) W("lg2", LG2A)
    W("exp", EXP) W("expm1", EXPM1) W("log", LOG) W("log1p", LOG1P) W("cbrt", CBRT) W("sin", SIN) W("cos", COS)
    W("tan", TAN) W("sinh", SINH) W("cosh", COSH) W("tanh", TANH)
#undef W
#define W(text, op) {text, 2, XG_K_OP_##op, 0},
    W("max", MAXF) W("min", MINF) W("maxnum", MAXNUMF) W("minnum", MINNUMF) W("copysign", COPYSIGN) W("atan2", ATAN2)
    W("mulhs", MULHSI) W("mulhu", MULHUI) W("mins", MINSI) W("maxs", MAXSI) W("minu", MINUI)
#undef W
    {"fma", 3, XG_K_OP_FMA, 0}, {"shf", 3, XG_K_OP_SHFL3, 0},
    {"ex2f", XG_KFORM_FLUSH, XG_K_OP_EX2A, 0}, {"lg2f", XG_KFORM_FLUSH, XG_K_OP_LG2A, 0},
    {"rcpf", XG_KFORM_FLUSH, XG_K_OP_RCPA, 0},
    {"ult", XG_KFORM_CMPI, XG_CI_ULT, 0}, {"ugt", XG_KFORM_CMPI, XG_CI_UGT, 0},
    {"uge", XG_KFORM_CMPI, XG_CI_UGE, 0},
    {"uno", XG_KFORM_CMPF, XG_CF_UNO, 0}, {"one", XG_KFORM_CMPF, XG_CF_ONE, 0},
    {"ueq", XG_KFORM_CMPF, XG_CF_UEQ, 0}, {"fuge", XG_KFORM_CMPF, XG_CF_UGE, 0},
#define W(text, op, e) {text, XG_KFORM_CAST, XG_K_OP_##op, e},
    W("bits", BITCAST, 0) W("float", BITCAST, 0) W("i8", TRUNCI, XG_E_I8) W("i16", TRUNCI, XG_E_I16)
    W("i32", TRUNCI, XG_E_I32) W("i32u", EXTUI, XG_E_I32) W("i64u", EXTUI, XG_E_I64) W("i64s", EXTSI, XG_E_I64)
    W("f32", TRUNCF, XG_E_F32) W("f64", EXTF, XG_E_F64) W("f32s", SITOFP, XG_E_F32) W("f64s", SITOFP, XG_E_F64)
    W("f64u", UITOFP, XG_E_F64)
#undef W
};
/* What binds tighter has a higher level; COMPARED: the opcodes are predicates. */
#define XG_KFORM_COMPARED 4
static const struct {
    char text[4];
    uint8_t level, of_ints, of_floats;
} xg_kform_operators[] = {
    {"*", 7, XG_K_OP_MULI, XG_K_OP_MULF}, {"/", 7, XG_K_OP_DIVUI, XG_K_OP_DIVF},
    {"+", 6, XG_K_OP_ADDI, XG_K_OP_ADDF}, {"-", 6, XG_K_OP_SUBI, XG_K_OP_SUBF},
    {"<<", 5, XG_K_OP_SHLI, 0}, {">>", 5, XG_K_OP_SHRSI, 0}, {">>>", 5, XG_K_OP_SHRUI, 0},
    {"<", 4, XG_CI_SLT, XG_CF_OLT}, {">", 4, XG_CI_SGT, XG_CF_OGT}, {"<=", 4, XG_CI_SLE, XG_CF_OLE},
    {">=", 4, XG_CI_SGE, XG_CF_OGE}, {"==", 4, XG_CI_EQ, XG_CF_OEQ}, {"!=", 4, XG_CI_NE, XG_CF_UNE},
    {"&", 3, XG_K_OP_ANDI, 0}, {"^", 2, XG_K_OP_XORI, 0}, {"|", 2, XG_K_OP_ORI, 0},
    {"?", 1, XG_K_OP_SELECT, XG_K_OP_SELECT}, {":", 1, 0, 0},
};
/* clang-format on */
enum {
    XG_KFORM_CHOICE = XG_COUNT(xg_kform_operators) - 2,
    XG_KFORM_OTHERWISE,
    XG_KFORM_CLOSED /* a parenthesis */
};

/* A value; NULL: the number at `text`, whose type others say. */
typedef struct xg_kform_term {
    xg_kval *v;
    const char *text;
} xg_kform_term;
typedef struct xg_kform_stacks {
    const xg_kform *f;
    xg_kform_term terms[XG_KFORM_DEPTH];
    uint8_t waiting[XG_KFORM_DEPTH];
    uint32_t n_terms, n_waiting;
} xg_kform_stacks;

XG_FN bool xg_kform_is_word(char c) { return xg_is_digit(c) || c == '.' || (unsigned char)((c | 32) - 'a') < 26; }
XG_FN xg_kval *xg_kform_bits(const xg_kform *f, xg_kelem e, uint64_t bits) {
    return xg_kconst_bits(f->b, xg_kir_scalar(f->b->m, e), bits);
}
/* Of an array of bits. */
XG_FN xg_kval *xg_kform_constant(const xg_kform *f, xg_kelem e, const void *bits, size_t k) {
    return xg_kform_bits(f, e, f->elem == XG_E_F64 ? ((const uint64_t *)bits)[k] : ((const uint32_t *)bits)[k]);
}
XG_FN xg_kval *xg_kform_number(const xg_kform *f, xg_kelem e, const char *at) {
    const char *p = at;
    uint64_t bits = 0;
    double v;
    bool overflow;
    if (*at >= 'A' && *at <= 'Z') return xg_kform_constant(f, e, f->constants, (size_t)(*at - 'A'));
    if (p[0] == '0' && p[1] == 'x') {
        for (p += 2; xg_kform_is_word(*p); p++)
            bits = bits << 4 | (uint64_t)(xg_is_digit(*p) ? *p - '0' : *p - 'A' + 10);
        return xg_kform_bits(f, e, bits);
    }
    for (p += *p == '-'; xg_kform_is_word(*p);) p++;
    (void)xg_float_parse(at, (size_t)(p - at), &v, &overflow);
    return xg_kelem_is_float(e) ? xg_kconst_float(f->b, e, v) : xg_kconst_int(f->b, e, (int64_t)v);
}
/* Makes an operation of the last n terms, the first operand being the last term, and puts its value in their place. */
XG_FN void xg_kform_make(
    xg_kform_stacks *s, uint32_t kind, uint32_t of_ints, uint32_t of_floats, uint32_t n, uint32_t to) {
    xg_kform_term *t = s->terms + s->n_terms - n;
    xg_kval *v[3];
    xg_kb *b = s->f->b;
    xg_kelem e = s->f->elem;
    uint32_t k, op;
    for (k = 0; k < n; k++) /* a condition says nothing of what is chosen */
        if (t[k].v && (of_ints != XG_K_OP_SELECT || k < 2)) e = t[k].v->type->elem;
    for (k = 0; k < n; k++) v[n - 1 - k] = t[k].v ? t[k].v : xg_kform_number(s->f, e, t[k].text);
    op = xg_kelem_is_float(e) ? of_floats : of_ints;
    if (kind == XG_KFORM_CMPI)
        v[0] = xg_kelem_is_float(e) ? xg_kcmpf_(b, (xg_kcmpf)op, v[0], v[1]) : xg_kcmpi_(b, (xg_kcmpi)op, v[0], v[1]);
    else if (kind == XG_KFORM_CAST)
        v[0] = xg_kcast(b, (xg_kopcode)op, v[0], (xg_kelem)to);
    else
        v[0] = n == 1   ? xg_k1(b, (xg_kopcode)op, v[0])
               : n == 2 ? xg_k2(b, (xg_kopcode)op, v[0], v[1])
                        : xg_k3(b, (xg_kopcode)op, v[0], v[1], v[2]);
    if (kind == XG_KFORM_FLUSH) v[0]->def->flags |= XG_KA_FTZ;
    t->v = v[0];
    s->n_terms -= n - 1;
}
/* Operators that bind tighter than the level. */
XG_FN void xg_kform_settle(xg_kform_stacks *s, uint32_t level) {
    while (s->n_waiting) {
        uint32_t k = s->waiting[s->n_waiting - 1];
        if (k == XG_KFORM_CLOSED || xg_kform_operators[k].level <= level) return;
        s->n_waiting--;
        if (k == XG_KFORM_OTHERWISE) continue;
        xg_kform_make(s, xg_kform_operators[k].level == XG_KFORM_COMPARED ? (uint32_t)XG_KFORM_CMPI : 2,
            xg_kform_operators[k].of_ints, xg_kform_operators[k].of_floats, k == XG_KFORM_CHOICE ? 3 : 2, 0);
    }
}
/* c[0] x^(n-1) + ... + c[n-1], highest first, by Horner's rule. */
XG_FN xg_kval *xg_kform_polynomial(const xg_kform *f, char name, xg_kval *x) {
    const xg_kform_row *row = f->polynomials;
    xg_kval *r = NULL, *c;
    size_t k;
    while (row->name != name) row++;
    for (k = 0; k < row->n; k++) {
        c = xg_kform_constant(f, f->elem, row->bits, k);
        r = r ? xg_k3(f->b, XG_K_OP_FMA, r, x, c) : c;
    }
    return r;
}
XG_FN void xg_kform_call(xg_kform_stacks *s, const char *name, size_t length) {
    const xg_kform_word *w = xg_kform_functions;
    xg_kform_term *t = s->terms + s->n_terms - 1;
    uint32_t elem;
    if (*name >= 'A' && *name <= 'Z') {
        t->v = xg_kform_polynomial(s->f, *name, t->v);
        return;
    }
    while (memcmp(w->text, name, length) != 0 || w->text[length]) w++;
    elem = w->elem;
    if (w->kind == XG_KFORM_CAST && !elem) {
        xg_kelem e = t->v->type->elem;
        elem = e == XG_E_F64 ? XG_E_I64 : e == XG_E_I64 ? XG_E_F64 : e == XG_E_I32 ? XG_E_F32 : XG_E_I32;
    }
    xg_kform_make(s, w->kind == XG_KFORM_CMPF ? (uint32_t)XG_KFORM_CMPI : w->kind, w->op, w->op,
        w->kind < XG_KFORM_FLUSH   ? w->kind
        : w->kind >= XG_KFORM_CMPI ? 2
                                   : 1,
        elem);
}
XG_FN void xg_kform_operator(xg_kform_stacks *s, const char *at, size_t length) {
    uint32_t k = 0;
    while (memcmp(xg_kform_operators[k].text, at, length) != 0 || xg_kform_operators[k].text[length]) k++;
    xg_kform_settle(s, xg_kform_operators[k].level);
    s->waiting[s->n_waiting++] = (uint8_t)k;
}
/* Where the word or operator that ends before `end` begins. */
XG_FN const char *xg_kform_begin_of(const char *begin, const char *end, bool word) {
    while (end > begin && end[-1] != ' ' && !strchr("(),", end[-1]) && xg_kform_is_word(end[-1]) == word) end--;
    return end;
}
XG_FN xg_kval *xg_kform_expression(const xg_kform *f, const char *begin, const char *end) {
    xg_kform_stacks s;
    const char *at;
    s.f = f;
    s.n_terms = s.n_waiting = 0;
    for (; end > begin; end = at) {
        at = end - 1;
        if (*at == ' ') continue;
        if (*at == ')')
            s.waiting[s.n_waiting++] = XG_KFORM_CLOSED;
        else if (*at == ',')
            xg_kform_settle(&s, 0);
        else if (*at == '(') {
            xg_kform_settle(&s, 0);
            s.n_waiting--;
            end = at;
            at = xg_kform_begin_of(begin, end, true);
            if (at < end) xg_kform_call(&s, at, (size_t)(end - at));
        } else if (xg_kform_is_word(*at)) {
            at = xg_kform_begin_of(begin, end, true);
            /* a sign: no operand stands left of it */
            if (at > begin && at[-1] == '-' && (at - 1 == begin || (at[-2] != ')' && !xg_kform_is_word(at[-2])))) at--;
            s.terms[s.n_terms].v = *at >= 'a' && *at <= 'z' && end == at + 1 ? f->v[*at - 'a']
                                   : f->constants                            ? NULL
                                                                             : xg_kform_number(f, f->elem, at);
            s.terms[s.n_terms++].text = at;
        } else {
            at = xg_kform_begin_of(begin, end, false);
            xg_kform_operator(&s, at, (size_t)(end - at));
        }
    }
    xg_kform_settle(&s, 0);
    return s.terms[0].v ? s.terms[0].v : xg_kform_number(f, f->elem, s.terms[0].text);
}
XG_FN xg_kval *xg_kformula(xg_kform *f, const char *text) {
    xg_kval *v = NULL;
    while (*text) {
        const char *end = text + strcspn(text, ";");
        bool sets = text[1] == '=' && text[2] != '=';
        char name = *text;
        v = xg_kform_expression(f, sets ? text + 2 : text, end);
        if (sets) f->v[name - 'a'] = v;
        for (text = end; *text == ';' || *text == ' ';) text++;
    }
    return v;
}

#endif /* XG_KIR_FORMULA_C */
