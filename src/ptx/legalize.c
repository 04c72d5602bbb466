/* ptx/legalize.c -- replaces operations and types that the target lacks by ones that it has.
 *
 * The rule table below has one row for each opcode: the word of a function that expands the operation if the target has
 * no instruction for it (some words test that themselves). The function creates operations before the old one and
 * returns the value that replaces its result, or NULL to leave it. The new operations are visited, too, so rules may
 * build on each other; each leads to simpler operations, so this ends.
 *
 * Laws
 * - i8 and i16 are kept in 32-bit registers with unspecified upper bits. Sums, products and logic do not depend on
 *   these; operands of everything else are extended first.
 * - 16-bit floats without an instruction are computed in f32 and rounded once more. That is exact for + - * / sqrt: f32
 *   has more than twice their bits plus two. It is not for fma, which goes through f64 rounded to odd.
 * - Expansions are never contracted: contraction (where the module allows it) happens before. */
#ifndef XG_PTX_LEGALIZE_C
#define XG_PTX_LEGALIZE_C
#include "convert.c"
#include "math_f32.c"
#include "math_f64.c"
#include "isel.c"

typedef struct xg_lz {
    xg_kmodule *m;
    xg_kfunc *f;
    const xg_target *target;
    xg_ptx_index index;
    bool removed, changed;
    uint32_t depth;
} xg_lz;
#define XG_LZ_RULE(word) static xg_kval *xg_lz_rule_##word(xg_lz *z, xg_kb *b, xg_kop *op)

static bool xg_lz_is_half(const xg_ktype *t) {
    return t->kind == XG_TK_SCALAR && (t->elem == XG_E_BF16 || t->elem == XG_E_F16);
}
static bool xg_lz_is_small(const xg_ktype *t) {
    return t->kind == XG_TK_SCALAR && (t->elem == XG_E_I8 || t->elem == XG_E_I16);
}
static bool xg_lz_is_i1(const xg_ktype *t) { return t->kind == XG_TK_SCALAR && t->elem == XG_E_I1; }
static xg_kval *xg_lz_not(xg_kb *b, xg_kval *x) { return XOR_(x, xg_kconst_int(b, XG_E_I1, 1)); }

/* Computes the operation in f32: extends all operands and truncates the result. */
static xg_kval *xg_lz_in_f32(xg_kb *b, xg_kop *op) {
    xg_kval *v[3];
    const xg_ktype *f32 = xg_kir_scalar(b->m, XG_E_F32);
    xg_kop *wide;
    uint32_t i;
    for (i = 0; i < op->n_operands; i++) v[i] = xg_ptx_extf(b, XG_KOPERAND(op, i), XG_E_F32);
    wide = xg_kir_op(b, op->op, v, op->n_operands, &f32, 1, 0);
    wide->flags = op->flags;
    return xg_ptx_truncf(b, &wide->results[0], op->results[0].type->elem);
}
/* Computes the operation in i32, on extended operands. */
static xg_kval *xg_lz_in_i32(xg_kb *b, xg_kop *op, xg_kopcode extend) {
    xg_kval *v[2], *r;
    uint32_t i;
    for (i = 0; i < op->n_operands; i++) v[i] = xg_kcast(b, extend, XG_KOPERAND(op, i), XG_E_I32);
    r = op->n_operands == 1 ? xg_k1(b, op->op, v[0]) : xg_k2(b, op->op, v[0], v[1]);
    return xg_kcast(b, XG_K_OP_TRUNCI, r, op->results[0].type->elem);
}

static xg_kval *xg_lz_vextract(xg_kb *b, xg_kval *vec, int64_t k) { return xg_kir_lane(b, vec, I32_(k)); }
static xg_kval *xg_lz_bitcast_to(xg_kb *b, xg_kval *x, const xg_ktype *t) {
    return t == x->type ? x : xg_kir_of(b, XG_K_OP_BITCAST, x, t);
}

/* ---- integers ---- */
XG_LZ_RULE(add) { /* and subtraction: modulo 2 both are exclusive or */
    (void)z;
    return xg_lz_is_i1(op->results[0].type) ? XOR_(XG_KOPERAND(op, 0), XG_KOPERAND(op, 1)) : NULL;
}
XG_LZ_RULE(mul) {
    (void)z;
    return xg_lz_is_i1(op->results[0].type) ? AND_(XG_KOPERAND(op, 0), XG_KOPERAND(op, 1)) : NULL;
}
XG_LZ_RULE(signed) {
    (void)z;
    if (xg_lz_is_i1(op->results[0].type)) { /* the values are 0 and -1 */
        if (op->op == XG_K_OP_MAXSI) return AND_(XG_KOPERAND(op, 0), XG_KOPERAND(op, 1));
        if (op->op == XG_K_OP_MINSI) return OR_(XG_KOPERAND(op, 0), XG_KOPERAND(op, 1));
    }
    return xg_lz_is_small(op->results[0].type) || xg_lz_is_i1(op->results[0].type) ? xg_lz_in_i32(b, op, XG_K_OP_EXTSI)
                                                                                   : NULL;
}
XG_LZ_RULE(unsigned) {
    (void)z;
    if (xg_lz_is_i1(op->results[0].type)) {
        if (op->op == XG_K_OP_MAXUI) return OR_(XG_KOPERAND(op, 0), XG_KOPERAND(op, 1));
        if (op->op == XG_K_OP_MINUI) return AND_(XG_KOPERAND(op, 0), XG_KOPERAND(op, 1));
    }
    return xg_lz_is_small(op->results[0].type) || xg_lz_is_i1(op->results[0].type) ? xg_lz_in_i32(b, op, XG_K_OP_EXTUI)
                                                                                   : NULL;
}
XG_LZ_RULE(shl) { /* the shift amount's upper bits must be defined */
    (void)z;
    if (xg_lz_is_i1(op->results[0].type)) return XG_KOPERAND(op, 0);
    if (!xg_lz_is_small(op->results[0].type) || xg_kval_is_const(XG_KOPERAND(op, 1), NULL)) return NULL;
    return xg_lz_in_i32(b, op, XG_K_OP_EXTUI);
}
XG_LZ_RULE(mulhi) { /* the upper half of the full product */
    bool is_signed = op->op == XG_K_OP_MULHSI;
    xg_kelem e = op->results[0].type->elem;
    xg_kval *x, *y;
    (void)z;
    if (!xg_lz_is_small(op->results[0].type)) return NULL;
    x = xg_kcast(b, is_signed ? XG_K_OP_EXTSI : XG_K_OP_EXTUI, XG_KOPERAND(op, 0), XG_E_I32);
    y = xg_kcast(b, is_signed ? XG_K_OP_EXTSI : XG_K_OP_EXTUI, XG_KOPERAND(op, 1), XG_E_I32);
    x = IMUL_(x, y);
    x = BY_(SHRUI, x, xg_kelem_bits(e));
    return CAST_(TRUNCI, x, e);
}
XG_LZ_RULE(ctpop) {
    (void)z;
    if (xg_lz_is_i1(op->results[0].type)) return XG_KOPERAND(op, 0);
    return xg_lz_is_small(op->results[0].type) ? xg_lz_in_i32(b, op, XG_K_OP_EXTUI) : NULL;
}
XG_LZ_RULE(ctlz) {
    xg_kelem e = op->results[0].type->elem;
    xg_kval *x;
    (void)z;
    if (e == XG_E_I1) return xg_lz_not(b, XG_KOPERAND(op, 0));
    if (!xg_lz_is_small(op->results[0].type)) return NULL;
    x = CAST_(EXTUI, XG_KOPERAND(op, 0), XG_E_I32);
    x = xg_k1(b, XG_K_OP_CTLZ, x);
    x = BY_(SUBI, x, 32 - xg_kelem_bits(e));
    return CAST_(TRUNCI, x, e);
}
XG_LZ_RULE(cmpi) {
    const xg_ktype *t = XG_KOPERAND(op, 0)->type;
    bool is_signed = op->flags >= XG_CI_SLT && op->flags <= XG_CI_SGE;
    xg_kopcode extend = is_signed ? XG_K_OP_EXTSI : XG_K_OP_EXTUI;
    xg_kval *x, *y, *r;
    (void)z;
    if (xg_lz_is_i1(t) && (op->flags == XG_CI_EQ || op->flags == XG_CI_NE)) {
        r = XOR_(XG_KOPERAND(op, 0), XG_KOPERAND(op, 1));
        return op->flags == XG_CI_NE ? r : xg_lz_not(b, r);
    }
    if (!xg_lz_is_i1(t) && !xg_lz_is_small(t)) return NULL;
    x = xg_kcast(b, extend, XG_KOPERAND(op, 0), XG_E_I32);
    y = xg_kcast(b, extend, XG_KOPERAND(op, 1), XG_E_I32);
    return xg_kcmpi_(b, (xg_kcmpi)op->flags, x, y);
}
XG_LZ_RULE(select) { /* of predicates: logic */
    xg_kval *c = XG_KOPERAND(op, 0), *yes, *no;
    (void)z;
    if (!xg_lz_is_i1(op->results[0].type)) return NULL;
    yes = AND_(c, XG_KOPERAND(op, 1));
    no = xg_lz_not(b, c);
    no = AND_(no, XG_KOPERAND(op, 2));
    return OR_(yes, no);
}
XG_LZ_RULE(extend) { /* a constant of a small type folds */
    const xg_ktype *t = XG_KOPERAND(op, 0)->type;
    int64_t v;
    int bits = xg_kelem_bits(t->elem);
    (void)z;
    if (!xg_kval_is_const(XG_KOPERAND(op, 0), &v) || t->kind != XG_TK_SCALAR) return NULL;
    if (op->op == XG_K_OP_EXTUI)
        v &= bits < 64 ? (int64_t)(((uint64_t)1 << bits) - 1) : -1;
    else if (bits == 1)
        v = -(v & 1);
    else if (bits < 64)
        v = (int64_t)((uint64_t)v << (64 - bits)) >> (64 - bits);
    return xg_kconst_int(b, op->results[0].type->elem, v);
}

/* ---- integers and floats ---- */
#ifndef XLAGPU_SMALL
/* The word with the sign bits of all four bytes flipped; computed once for all conversions of its bytes. */
static xg_kval *xg_lz_biased(xg_kb *b, xg_kval *word) {
    const int64_t signs = (int64_t)(int32_t)0x80808080u;
    xg_kb behind;
    xg_kuse *u;
    int64_t c;
    for (u = word->first_use; u; u = u->next) {
        const xg_kop *before = u->user; /* directly behind the word, or behind such a one */
        while (before && (before->op == XG_K_OP_XORI || before->op == XG_K_OP_CONST)) before = before->prev;
        if (u->user->op == XG_K_OP_XORI && before == word->def && before &&
            xg_kval_is_const(XG_KOPERAND(u->user, 1), &c) && c == signs)
            return &u->user->results[0];
    }
    if (!word->def) return xg_k2(b, XG_K_OP_XORI, word, I32_(signs));
    behind = xg_kb_after(b->m, word->def);
    return xg_k2_int(&behind, XG_K_OP_XORI, word, signs);
}
/* Converts a byte by arithmetic: with the sign and exponent of 2^10 or 2^23 in front, whose unit in the last place is
 * 1, the byte is the excess over that power, which one subtraction removes. Instructions that convert have a quarter of
 * the rate of arithmetic, or less. */
static xg_kval *xg_lz_byte_to_float(xg_kb *b, xg_kval *word, int64_t at, bool is_signed, bool half) {
    enum {
        HALF_EXPONENT = 0x6400, /* 2^10 as f16, into bytes 0 and 1: digits k and 5 */
        HALF_DIGITS = 0x4450,
        EXPONENT = 0x4B000000, /* 2^23 as f32: digits k, 4, 5 and 7 */
        DIGITS = 0x7540,
        BIAS = 128
    };
    xg_kval *x, *more;
    double much = (half ? 1024.0 : 8388608.0) + (is_signed ? BIAS : 0);
    if (is_signed) word = xg_lz_biased(b, word);
    x = I32_(half ? HALF_EXPONENT : EXPONENT);
    x = xg_k3(b, XG_K_OP_PRMT, word, x, I32_((half ? HALF_DIGITS : DIGITS) | at));
    if (half)
        x = xg_lz_vextract(b, xg_lz_bitcast_to(b, x, xg_kir_vector(b->m, XG_E_F16, 2)), 0);
    else
        x = xg_kbitcast(b, x, XG_E_F32);
    more = xg_kconst_float(b, half ? XG_E_F16 : XG_E_F32, much);
    return xg_k2(b, XG_K_OP_SUBF, x, more);
}
/* Converts bytes of words to f16, bf16 or f32, which represent them exactly; NULL: another conversion. */
static xg_kval *xg_lz_bytes_to_floats(xg_kb *b, xg_kop *op) {
    xg_kval *x = XG_KOPERAND(op, 0), *word;
    xg_kelem to = op->results[0].type->elem;
    bool is_signed = op->op == XG_K_OP_SITOFP;
    int64_t at = 0;
    if (x->type->kind != XG_TK_SCALAR || x->type->elem != XG_E_I8) return NULL;
    if (to != XG_E_F32 && to != XG_E_BF16 && to != XG_E_F16) return NULL;
    word = xg_ptx_byte_of(x, &at);
    if (!word) return NULL;
    x = xg_lz_byte_to_float(b, word, at, is_signed, to == XG_E_F16);
    if (to != XG_E_BF16) return x;
    return xg_lz_vextract(b, xg_lz_bitcast_to(b, x, xg_kir_vector(b->m, XG_E_BF16, 2)), 1); /* the others are zeros */
}
#endif
XG_LZ_RULE(int_to_float) {
    xg_kval *x = XG_KOPERAND(op, 0);
    xg_kelem from = x->type->elem, to = op->results[0].type->elem;
    bool is_signed = op->op == XG_K_OP_SITOFP;
    const int64_t EXACT = (int64_t)1 << 24; /* f32 holds these integers */
#ifndef XLAGPU_SMALL
    xg_kval *bytes = xg_lz_bytes_to_floats(b, op);
    if (bytes) return bytes;
#endif
    if (xg_ptx_has_row(&z->index, z->target, op)) return NULL;
    if (from == XG_E_I1 && is_signed) {
        x = CAST_(EXTSI, x, XG_E_I32);
        return xg_kcast(b, op->op, x, to);
    }
    if (to == XG_E_F64) {
        x = xg_kcast(b, is_signed ? XG_K_OP_EXTSI : XG_K_OP_EXTUI, x, XG_E_I32);
        return xg_kcast(b, op->op, x, to);
    }
    /* integers beyond f16's range need no more bits */
    x = from == XG_E_I1 || from == XG_E_I8 || from == XG_E_I16 || to == XG_E_F16 ||
                xg_range_within(xg_kval_range(x), xg_range_of(is_signed ? -EXACT : 0, EXACT))
            ? xg_kcast(b, op->op, x, XG_E_F32)
            : xg_ptx_int_to_f32_odd(b, x, is_signed);
    return xg_ptx_truncf(b, x, to);
}
XG_LZ_RULE(float_to_int) {
    xg_kval *x = XG_KOPERAND(op, 0), *r, *zero, *good;
    xg_kelem from = x->type->elem, to = op->results[0].type->elem;
    bool is_signed = op->op == XG_K_OP_FPTOSI;
    int bits = xg_kelem_bits(to);
    int64_t top;
    (void)z;
    if (op->flags) return NULL; /* created below: the instruction's own semantics */
    if (to == XG_E_I1) return CMPF_(UNE, xg_ptx_extf(b, x, XG_E_F32), F32_(0));
    if (from != XG_E_F32 && from != XG_E_F64) x = xg_ptx_extf(b, x, XG_E_F32);
    if (bits < 32) { /* saturates to i32 first, then to the narrower range */
        top = is_signed ? ((int64_t)1 << (bits - 1)) - 1 : ((int64_t)1 << bits) - 1;
        r = xg_kcast(b, op->op, x, XG_E_I32);
        r = xg_k2(b, is_signed ? XG_K_OP_MINSI : XG_K_OP_MINUI, r, I32_(top));
        if (is_signed) r = xg_k2(b, XG_K_OP_MAXSI, r, I32_(-top - 1));
        return CAST_(TRUNCI, r, to);
    }
    r = xg_kcast(b, op->op, x, to);
    r->def->flags = 1;
    if (x->type->elem == XG_E_F32 && bits == 32) return r;
    zero = xg_kconst_int(b, to, 0); /* only f32 to 32 bits is documented to convert NaN to 0 */
    good = CMPF_(ORD, x, x);
    return SEL_(good, r, zero);
}

/* ---- floats ---- */
XG_LZ_RULE(extf) {
    return xg_ptx_has_row(&z->index, z->target, op) ? NULL
                                                    : xg_ptx_extf(b, XG_KOPERAND(op, 0), op->results[0].type->elem);
}
XG_LZ_RULE(truncf) {
    return xg_ptx_has_row(&z->index, z->target, op) &&
                   (op->flags == XG_PTX_SATURATES || !xg_ptx_is_narrow(op->results[0].type->elem))
               ? NULL
               : xg_ptx_truncf(b, XG_KOPERAND(op, 0), op->results[0].type->elem);
}
static xg_kval *xg_lz_bf16(xg_kb *b, uint16_t bits) { return xg_kconst_bits(b, xg_kir_scalar(b->m, XG_E_BF16), bits); }

XG_LZ_RULE(arith) { /* + - * / sqrt floor ... */
    xg_kval *x = XG_KOPERAND(op, 0), *y = op->n_operands > 1 ? XG_KOPERAND(op, 1) : NULL;
    if (xg_ptx_has_row(&z->index, z->target, op)) return NULL;
    /* with 1 and -0 the fma rounds as the operation would */
    if (x->type->elem == XG_E_BF16 && xg_target_has(z->target, XG_TARGET_BF16_FMA)) {
        if (op->op == XG_K_OP_ADDF) return FMA_(x, xg_lz_bf16(b, 0x3F80), y);
        if (op->op == XG_K_OP_SUBF) return FMA_(y, xg_lz_bf16(b, 0xBF80), x);
        if (op->op == XG_K_OP_MULF) return FMA_(x, y, xg_lz_bf16(b, 0x8000));
    }
    return xg_lz_is_half(x->type) ? xg_lz_in_f32(b, op) : NULL;
}
XG_LZ_RULE(fma) { /* bf16 on targets without: product exact in f64, sum by two-sum rounded to odd */
    xg_kval *p, *t, *c;
    xg_kform f, *m = &f;
    if (xg_ptx_has_row(&z->index, z->target, op)) return NULL;
    p = xg_ptx_extf(b, XG_KOPERAND(op, 0), XG_E_F64);
    t = xg_ptx_extf(b, XG_KOPERAND(op, 1), XG_E_F64);
    c = xg_ptx_extf(b, XG_KOPERAND(op, 2), XG_E_F64);
    xg_math_begin(m, b, p, t);
    V(c) = c;
    /* c + x y = s + e exactly; a: of the same sign, so that the exact sum is farther from zero */
    p = xg_kformula(
        m, "p=x*y;s=p+c;t=s-p;u=s-t;u=p-u;t=c-t;e=u+t;n=bits(s);i=bits(e)^n;a=i>=0;e=ueq(e,0);" XG_PTX_ODD "float(n)");
    return xg_ptx_truncf(b, p, op->results[0].type->elem);
}
XG_LZ_RULE(signs) { /* neg, abs, copysign of 16-bit floats: on the bits */
    xg_kelem e = op->results[0].type->elem;
    xg_kval *x, *y;
    if (xg_ptx_has_row(&z->index, z->target, op) || !xg_lz_is_half(op->results[0].type)) return NULL;
    x = CAST_(BITCAST, XG_KOPERAND(op, 0), XG_E_I16);
    if (op->op == XG_K_OP_NEGF)
        x = XOR_(x, xg_kconst_int(b, XG_E_I16, -32768));
    else
        x = AND_(x, xg_kconst_int(b, XG_E_I16, 0x7FFF));
    if (op->op == XG_K_OP_COPYSIGN) {
        y = CAST_(BITCAST, XG_KOPERAND(op, 1), XG_E_I16);
        y = AND_(y, xg_kconst_int(b, XG_E_I16, -32768));
        x = OR_(x, y);
    }
    return CAST_(BITCAST, x, e);
}
XG_LZ_RULE(cmpf) {
    xg_kval *x, *y;
    if (xg_ptx_has_row(&z->index, z->target, op) || xg_kelem_bits(XG_KOPERAND(op, 0)->type->elem) > 16) return NULL;
    x = xg_ptx_extf(b, XG_KOPERAND(op, 0), XG_E_F32);
    y = xg_ptx_extf(b, XG_KOPERAND(op, 1), XG_E_F32);
    return xg_kcmpf_(b, (xg_kcmpf)op->flags, x, y);
}
XG_LZ_RULE(minmax) { /* the instruction drops NaNs, so select the operands' sum, a NaN, for them */
    xg_kval *x = XG_KOPERAND(op, 0), *y = XG_KOPERAND(op, 1), *r, *nan, *sum;
    if (xg_ptx_has_row(&z->index, z->target, op)) return NULL;
    if (xg_lz_is_half(x->type)) return xg_lz_in_f32(b, op);
    r = xg_k2(b, op->op == XG_K_OP_MAXF ? XG_K_OP_MAXNUMF : XG_K_OP_MINNUMF, x, y);
    nan = CMPF_(UNO, x, y);
    sum = ADD_(x, y);
    return SEL_(nan, sum, r);
}
XG_LZ_RULE(minmaxnum) {
    return xg_ptx_has_row(&z->index, z->target, op) || !xg_lz_is_half(op->results[0].type) ? NULL : xg_lz_in_f32(b, op);
}
XG_LZ_RULE(round) { /* half away from zero: x - trunc(x) is exact */
    xg_kval *x = XG_KOPERAND(op, 0), *t, *d, *up, *one;
    (void)z;
    if (xg_lz_is_half(x->type)) return xg_lz_in_f32(b, op);
    t = xg_k1(b, XG_K_OP_TRUNC, x);
    d = SUB_(x, t);
    d = ABS_(d);
    up = CMPF_(OGE, d, xg_kconst_float(b, x->type->elem, 0.5));
    one = COPYSIGN_(xg_kconst_float(b, x->type->elem, 1), x);
    one = ADD_(t, one);
    return SEL_(up, one, t);
}
XG_LZ_RULE(remf) {
    (void)z;
    return xg_lz_is_half(op->results[0].type) ? xg_lz_in_f32(b, op)
                                              : xg_ptx_remf(b, XG_KOPERAND(op, 0), XG_KOPERAND(op, 1));
}

/* For a function of the math dialect: a shorter formula suffices in f32 between an extension from and a truncation to
 * the same 16-bit format. */
static uint32_t xg_lz_shortness(const xg_kop *op) {
    const xg_kval *x = XG_KOPERAND(op, 0);
    const xg_kuse *u;
    xg_kelem e;
    if (op->op == XG_K_OP_TANH && (op->flags & XG_KA_SHORT)) return XG_MATH_SHORT_F16;
    if (op->n_operands != 1 || op->results[0].type->elem != XG_E_F32 || !x->def || x->def->op != XG_K_OP_EXTF) return 0;
    e = XG_KOPERAND(x->def, 0)->type->elem;
    if (e != XG_E_BF16 && e != XG_E_F16) return 0;
    for (u = op->results[0].first_use; u; u = u->next)
        if (u->user->op != XG_K_OP_TRUNCF || u->user->results[0].type->elem != e) return 0;
    return e == XG_E_BF16 ? XG_MATH_SHORT_BF16 : XG_MATH_SHORT_F16;
}
XG_LZ_RULE(math) {
    xg_kval *x = XG_KOPERAND(op, 0), *y = op->n_operands > 1 ? XG_KOPERAND(op, 1) : NULL, *r;
    xg_kelem e = x->type->elem;
    uint32_t shortness = xg_lz_shortness(op);
#ifndef XLAGPU_SMALL /* small builds have no LLVM */
    if (z->m->libdevice.p && xg_libdevice_name(op->op)) {
        if (xg_lz_is_half(x->type)) return xg_lz_in_f32(b, op);
        if (e == XG_E_F32 || e == XG_E_F64) return NULL;
    }
#endif
    if (xg_lz_is_half(x->type)) {
        if (!y) shortness = e == XG_E_BF16 ? XG_MATH_SHORT_BF16 : XG_MATH_SHORT_F16;
        x = xg_ptx_extf(b, x, XG_E_F32);
        if (y) y = xg_ptx_extf(b, y, XG_E_F32);
        r = xg_math_expand(b, op->op, x, y, shortness);
        if (r) r = xg_ptx_truncf(b, r, e);
    } else
        r = xg_math_expand(b, op->op, x, y, shortness);
    if (!r)
        xg_fail(z->m->ctx, XLAGPU_ERROR_UNSUPPORTED, "%s on %s has no expansion for %s", xg_kop_name(op->op),
            xg_kelem_name(e), z->target->name);
    return r;
}

/* ---- memory and vectors ---- */
static xg_kval *xg_lz_vinsert(xg_kb *b, xg_kval *x, xg_kval *vec, int64_t k) {
    return xg_kir_with_lane(b, x, vec, I32_(k));
}
static xg_kval *xg_lz_ptr_add(xg_kb *b, xg_kval *ptr, int64_t bytes) {
    xg_kval *v[2], *r;
    if (!bytes) return ptr;
    v[0] = ptr;
    v[1] = I32_(0);
    r = xg_kir_value(b, XG_K_OP_PTR_ADD, v, 2, ptr->type);
    r->def->a = 1;
    r->def->b = bytes;
    return r;
}
/* How a vector of `lanes` elements of `bytes` each, aligned to `align`, is loaded or stored: in pieces of `n` units of
 * `unit` bytes. Units are elements where an instruction moves these (at most four, at most 16 bytes), else words. */
typedef struct xg_lz_plan {
    int64_t unit, n;
    bool words;
} xg_lz_plan;
static xg_lz_plan xg_lz_plan_access(int64_t bytes, int64_t lanes, int64_t align) {
    xg_lz_plan p;
    int64_t most = bytes, total = bytes * lanes;
    while (most * 2 <= 16 && total % (most * 2) == 0 && most * 2 <= align) most *= 2;
    p.words = (bytes == 1 && most >= 4) || (bytes == 2 && most > 8);
    p.unit = p.words ? 4 : bytes;
    p.n = most / p.unit;
    return p;
}
XG_LZ_RULE(load) {
    xg_kval *ptr = XG_KOPERAND(op, 0), *r;
    const xg_ktype *t = op->results[0].type, *word, *piece, *part;
    int64_t bytes = xg_kelem_bytes(t->elem), align = op->a > 0 ? op->a : bytes, at, k, per;
    xg_lz_plan plan;
    (void)z;
    if (xg_lz_is_i1(t)) {
        const xg_ktype *i8 = xg_kir_scalar(b->m, XG_E_I8);
        r = xg_kir_of(b, XG_K_OP_LOAD, ptr, i8);
        r->def->a = op->a;
        r->def->flags = op->flags;
        return CMPI_(NE, r, xg_kconst_int(b, XG_E_I8, 0));
    }
    if (t->kind != XG_TK_VECTOR) return NULL;
    plan = xg_lz_plan_access(bytes, t->elements, align);
    if (!plan.words && plan.n == t->elements && plan.n > 1 && t->elem != XG_E_I1) return NULL;
    word = xg_kir_scalar(b->m, plan.words ? XG_E_I32 : t->elem == XG_E_I1 ? XG_E_I8 : t->elem);
    piece = plan.n > 1 ? xg_kir_vector(b->m, word->elem, plan.n) : word;
    per = plan.unit / bytes;
    part = plan.words ? per > 1 ? xg_kir_vector(b->m, t->elem == XG_E_I1 ? XG_E_I8 : t->elem, per) : word : word;
    r = xg_kconst_bits(b, t, 0);
    for (at = 0; at < t->elements; at += per * plan.n) {
        xg_kval *p = xg_lz_ptr_add(b, ptr, at * bytes), *v = xg_kir_of(b, XG_K_OP_LOAD, p, piece);
        v->def->a = plan.unit * plan.n;
        v->def->flags = op->flags;
        for (k = 0; k < plan.n; k++) {
            xg_kval *w = plan.n > 1 ? xg_lz_vextract(b, v, k) : v, *x;
            int64_t j;
            if (per > 1) w = xg_lz_bitcast_to(b, w, part);
            for (j = 0; j < per; j++) {
                x = per > 1 ? xg_lz_vextract(b, w, j) : w;
                if (t->elem == XG_E_I1) x = CMPI_(NE, x, xg_kconst_int(b, XG_E_I8, 0));
                r = xg_lz_vinsert(b, x, r, at + k * per + j);
            }
        }
    }
    return r;
}
/* The word that a load has split into lanes `from` to `from` + `per` of a vector, in order; NULL: there is none. A pred
 * is its byte. */
static xg_kval *xg_lz_word_of(xg_kb *b, xg_kval *vec, int64_t from, int64_t per) {
    xg_kval *word = NULL;
    int64_t j, at;
    if (vec->type->elements == per && xg_kval_by(vec, XG_K_OP_BITCAST)) return XG_KOPERAND(vec->def, 0);
    for (j = 0; j < per; j++) {
        xg_kval *e = xg_kvector_lane(vec, I32_(from + j));
        if (e && xg_kval_by(e, XG_K_OP_CMPI) && e->def->a == XG_CI_NE &&
            xg_kval_is_const(XG_KOPERAND(e->def, 1), &at) && !at)
            e = XG_KOPERAND(e->def, 0);
        if (!e || !xg_kval_by(e, XG_K_OP_VEXTRACT) || !xg_kval_is_const(XG_KOPERAND(e->def, 1), &at) || at != j)
            return NULL;
        e = XG_KOPERAND(e->def, 0);
        if (e->type->elements != per || !xg_kval_by(e, XG_K_OP_BITCAST) || (word && word != XG_KOPERAND(e->def, 0)))
            return NULL;
        word = XG_KOPERAND(e->def, 0);
    }
    return word;
}
static void xg_lz_store_at(xg_kb *b, const xg_kop *old, xg_kval *x, xg_kval *ptr, int64_t align) {
    xg_kval *v[2];
    xg_kop *st;
    v[0] = x;
    v[1] = ptr;
    st = xg_kir_do(b, XG_K_OP_STORE, v, 2);
    st->a = align;
    st->flags = old->flags;
}
XG_LZ_RULE(store) {
    xg_kval *x = XG_KOPERAND(op, 0), *ptr = XG_KOPERAND(op, 1);
    const xg_ktype *t = x->type, *word, *piece, *part;
    int64_t bytes = xg_kelem_bytes(t->elem), align = op->a > 0 ? op->a : bytes, at, k, j, per;
    xg_lz_plan plan;
    if (xg_lz_is_i1(t)) {
        x = CAST_(EXTUI, x, XG_E_I8);
        xg_lz_store_at(b, op, x, ptr, op->a);
        z->removed = true;
        return NULL;
    }
    if (t->kind != XG_TK_VECTOR) return NULL;
    plan = xg_lz_plan_access(bytes, t->elements, align);
    if (!plan.words && plan.n == t->elements && plan.n > 1 && t->elem != XG_E_I1) return NULL;
    word = xg_kir_scalar(b->m, plan.words ? XG_E_I32 : t->elem == XG_E_I1 ? XG_E_I8 : t->elem);
    piece = plan.n > 1 ? xg_kir_vector(b->m, word->elem, plan.n) : word;
    per = plan.unit / bytes;
    part = xg_kir_vector(b->m, t->elem == XG_E_I1 ? XG_E_I8 : t->elem, per);
    for (at = 0; at < t->elements; at += per * plan.n) {
        xg_kval *v = plan.n > 1 ? xg_kconst_bits(b, piece, 0) : NULL, *p;
        for (k = 0; k < plan.n; k++) {
            xg_kval *whole = plan.words && per > 1 ? xg_lz_word_of(b, x, at + k * per, per) : NULL, *w, *e;
            if (whole && whole->type == word) {
                v = plan.n > 1 ? xg_lz_vinsert(b, whole, v, k) : whole;
                continue;
            }
            w = per > 1 ? xg_kconst_bits(b, part, 0) : NULL;
            for (j = 0; j < per; j++) {
                e = xg_lz_vextract(b, x, at + k * per + j);
                if (t->elem == XG_E_I1) e = CAST_(EXTUI, e, XG_E_I8);
                w = per > 1 ? xg_lz_vinsert(b, e, w, j) : e;
            }
            if (per > 1) w = xg_lz_bitcast_to(b, w, word);
            v = plan.n > 1 ? xg_lz_vinsert(b, w, v, k) : w;
        }
        p = xg_lz_ptr_add(b, ptr, at * bytes);
        xg_lz_store_at(b, op, v, p, plan.unit * plan.n);
    }
    z->removed = true;
    return NULL;
}
XG_LZ_RULE(vextract) { /* a lane that is not constant: compare and select */
    xg_kval *vec = XG_KOPERAND(op, 0), *index = XG_KOPERAND(op, 1), *r, *hit, *x;
    int64_t k;
    (void)z;
    if (xg_kval_is_const(index, NULL)) return NULL;
    r = xg_lz_vextract(b, vec, 0);
    for (k = 1; k < vec->type->elements; k++) {
        hit = CMPI_(EQ, index, xg_kconst_int(b, index->type->elem, k));
        x = xg_lz_vextract(b, vec, k);
        r = SEL_(hit, x, r);
    }
    return r;
}
XG_LZ_RULE(vinsert) {
    xg_kval *x = XG_KOPERAND(op, 0), *vec = XG_KOPERAND(op, 1), *index = XG_KOPERAND(op, 2), *r = vec, *hit, *old;
    int64_t k;
    (void)z;
    if (xg_kval_is_const(index, NULL)) return NULL;
    for (k = 0; k < vec->type->elements; k++) {
        hit = CMPI_(EQ, index, xg_kconst_int(b, index->type->elem, k));
        old = xg_lz_vextract(b, vec, k);
        old = SEL_(hit, x, old);
        r = xg_lz_vinsert(b, old, r, k);
    }
    return r;
}
/* Anything elementwise on vectors: lane by lane. */
static xg_kval *xg_lz_lanes(xg_kb *b, xg_kop *op) {
    const xg_ktype *t = op->results[0].type, *elem = xg_kir_scalar(b->m, t->elem);
    xg_kval *r = xg_kconst_bits(b, t, 0);
    uint32_t i, k;
    for (k = 0; k < t->elements; k++) {
        xg_kval *v[3];
        xg_kop *one;
        for (i = 0; i < op->n_operands && i < 3; i++)
            v[i] = XG_KOPERAND(op, i)->type->kind == XG_TK_VECTOR ? xg_lz_vextract(b, XG_KOPERAND(op, i), k)
                                                                  : XG_KOPERAND(op, i);
        if (op->op == XG_K_OP_BROADCAST) r = xg_lz_vinsert(b, v[0], r, k);
        if (op->op == XG_K_OP_BROADCAST) continue;
        one = xg_kir_op(b, op->op, v, op->n_operands, &elem, 1, 0);
        one->flags = op->flags;
        one->a = op->a;
        one->b = op->b;
        r = xg_lz_vinsert(b, &one->results[0], r, k);
    }
    return r;
}

/* ---- control ---- */
/* Executes both branches of an `if` and selects, if they are cheap and pure. */
static bool xg_lz_is_cheap(const xg_kregion *r, uint32_t *n) {
    XG_FOR_KOPS(o, r) {
        uint32_t flags = xg_kop_flags(o->op);
        if (o == r->last) break;
        if (!(flags & KF_PURE) || (flags & (KF_READ | KF_CONV)) || o->n_regions || o->n_results != 1 ||
            o->results[0].type->kind == XG_TK_VECTOR)
            return false;
        if (o->op == XG_K_OP_DIVF || o->op == XG_K_OP_SQRT || (o->op >= XG_K_OP_DIVSI && o->op <= XG_K_OP_REMUI) ||
            (o->op >= XG_K_OP_RSQRT && o->op <= XG_K_OP_ERF) || o->op == XG_K_OP_REMF)
            return false;
        if (o->op != XG_K_OP_CONST && ++*n > 4) return false;
    }
    return true;
}
XG_LZ_RULE(if) {
    uint32_t n = 0, i;
    xg_kop *o;
    if (!op->n_results || op->n_results > 4 || !xg_lz_is_cheap(op->regions[0], &n) ||
        !xg_lz_is_cheap(op->regions[1], &n))
        return NULL;
    for (i = 0; i < op->n_results; i++)
        if (op->results[i].type->kind == XG_TK_VECTOR) return NULL;
    for (i = 0; i < 2; i++)
        for (o = op->regions[i]->first; o != op->regions[i]->last;) {
            xg_kop *next = o->next;
            xg_kop_move_before(o, op);
            o = next;
        }
    for (i = 0; i < op->n_results; i++) {
        xg_kval *yes = XG_KOPERAND(op->regions[0]->last, i), *no = XG_KOPERAND(op->regions[1]->last, i);
        xg_kval_replace(&op->results[i], yes == no ? yes : SEL_(XG_KOPERAND(op, 0), yes, no));
    }
    z->removed = true;
    return NULL;
}

/* ---- atomics: vectors without an instruction are updated lane by lane; types without one by a compare-and-swap loop
 * ---- */
typedef struct xg_lz_red {
    xg_kopcode op;
    xg_kval *v;
} xg_lz_red;
static xg_kval *xg_lz_combine(xg_kb *b, void *data, xg_kval *current) {
    const xg_lz_red *r = (const xg_lz_red *)data;
    return xg_k2(b, r->op, current, r->v);
}
XG_LZ_RULE(red) {
    xg_kval *x = XG_KOPERAND(op, 0), *v[2];
    int64_t bytes = xg_kelem_bytes(x->type->elem), k;
    xg_lz_red r;
    if (xg_ptx_has_row(&z->index, z->target, op)) return NULL;
    if (x->type->kind == XG_TK_VECTOR) {
        for (k = 0; k < x->type->elements; k++) {
            v[0] = xg_lz_vextract(b, x, k);
            v[1] = xg_lz_ptr_add(b, XG_KOPERAND(op, 1), k * bytes);
            xg_kir_do(b, op->op, v, 2)->a = bytes;
        }
        z->removed = true;
        return NULL;
    }
    r.op = xg_katomic_combiner(op->op);
    r.v = XG_KOPERAND(op, 0);
    xg_katomic_loop(b, r.v->type->elem, XG_KOPERAND(op, 1), NULL, xg_lz_combine, &r);
    z->removed = true;
    return NULL;
}

/* X(OPCODE, word) */
/* clang-format off */
#define XG_LZ_RULES(X) \
    X(ADDI, add) \
    X(SUBI, add) \
    X(MULI, mul) \
    X(MULHSI, mulhi) \
    X(MULHUI, mulhi) \
    X(DIVSI, signed) \
    X(DIVUI, unsigned) \
    X(REMSI, signed) \
    X(REMUI, unsigned) \
    X(SHLI, shl) \
    X(SHRSI, signed) \
    X(SHRUI, unsigned) \
    X(MAXSI, signed) \
    X(MINSI, signed) \
    X(MAXUI, unsigned) \
    X(MINUI, unsigned) \
    X(CTPOP, ctpop) \
    X(CTLZ, ctlz) \
    X(CMPI, cmpi) \
    X(SELECT, select) \
    X(EXTSI, extend) \
    X(EXTUI, extend) \
    X(SITOFP, int_to_float) \
    X(UITOFP, int_to_float) \
    X(FPTOSI, float_to_int) \
    X(FPTOUI, float_to_int) \
    X(EXTF, extf) \
    X(TRUNCF, truncf) \
    X(ADDF, arith) \
    X(SUBF, arith) \
    X(MULF, arith) \
    X(DIVF, arith) \
    X(SQRT, arith) \
    X(FLOOR, arith) \
    X(CEIL, arith) \
    X(TRUNC, arith) \
    X(ROUNDEVEN, arith) \
    X(DIVFULL, arith) \
    X(EX2A, arith) \
    X(LG2A, arith) \
    X(RCPA, arith) \
    X(RSQRTA, arith) \
    X(FMA, fma) \
    X(NEGF, signs) \
    X(ABSF, signs) \
    X(COPYSIGN, signs) \
    X(CMPF, cmpf) \
    X(MAXF, minmax) \
    X(MINF, minmax) \
    X(MAXNUMF, minmaxnum) \
    X(MINNUMF, minmaxnum) \
    X(ROUND, round) \
    X(REMF, remf) \
    X(RSQRT, math) \
    X(CBRT, math) \
    X(EXP, math) \
    X(EXPM1, math) \
    X(LOG, math) \
    X(LOG1P, math) \
    X(POW, math) \
    X(SIN, math) \
    X(COS, math) \
    X(TAN, math) \
    X(TANH, math) \
    X(SINH, math) \
    X(COSH, math) \
    X(ASIN, math) \
    X(ACOS, math) \
    X(ATAN, math) \
    X(ATAN2, math) \
    X(ASINH, math) \
    X(ACOSH, math) \
    X(ATANH, math) \
    X(ERF, math) \
    X(LOAD, load) \
    X(STORE, store) \
    X(VEXTRACT, vextract) \
    X(VINSERT, vinsert) \
    X(IF, if) \
    X(RED_ADDI, red) \
    X(RED_ADDF, red) \
    X(RED_AND, red) \
    X(RED_OR, red) \
    X(RED_XOR, red) \
    X(RED_MAXS, red) \
    X(RED_MINS, red) \
    X(RED_MAXU, red) \
    X(RED_MINU, red)
/* clang-format on */

XG_APART static xg_kval *xg_lz_apply(xg_lz *z, xg_kb *b, xg_kop *op) {
    if (xg_ptx_has_register(z->target, op)) return NULL;
    if (op->n_results == 1 && op->results[0].type->kind == XG_TK_VECTOR && (xg_kop_flags(op->op) & KF_PURE) &&
        op->n_operands && op->op != XG_K_OP_VINSERT && op->op != XG_K_OP_BITCAST && op->op != XG_K_OP_VEXTRACT)
        return xg_lz_lanes(b, op);
    switch (op->op) {
#define X(name, word) \
    case XG_K_OP_##name: return xg_lz_rule_##word(z, b, op);
        XG_LZ_RULES(X)
#undef X
    default: return NULL;
    }
}
static void xg_lz_region(xg_lz *z, xg_kregion *r) {
    xg_kop *op = r->first;
    xg_kb b = xg_kb_end(z->m, r);
    uint32_t i;
    if (++z->depth > 256) xg_fail(z->m->ctx, XLAGPU_ERROR_LIMIT, "control flow is nested deeper than 256");
    while (op) {
        xg_kop *prev = op->prev;
        xg_kval *v;
        xg_kb_move(&b, op);
        z->removed = false;
        v = xg_lz_apply(z, &b, op);
        if (v) xg_kval_replace(&op->results[0], v);
        if (v || z->removed) { /* continue with the operations that replaced it */
            z->changed = true;
            xg_kop_remove(op);
            op = prev ? prev->next : r->first;
            continue;
        }
        for (i = 0; i < op->n_regions; i++) xg_lz_region(z, op->regions[i]);
        op = op->next;
    }
    z->depth--;
}

/* a * b + c with one rounding, where the module allows it and nothing else uses the product. */
static void xg_lz_contract(xg_lz *z, xg_kregion *r) {
    uint32_t i;
    XG_FOR_KOPS(op, r) {
        for (i = 0; i < op->n_regions; i++) xg_lz_contract(z, op->regions[i]);
        if (op->op != XG_K_OP_ADDF || (op->results[0].type->elem != XG_E_F32 && op->results[0].type->elem != XG_E_F64))
            continue;
        for (i = 0; i < 2; i++) {
            xg_kval *p = XG_KOPERAND(op, i);
            xg_kb b = xg_kb_before(z->m, op);
            if (!p->def || p->def->op != XG_K_OP_MULF || p->first_use != p->last_use || p->def->parent != r) continue;
            xg_kval_replace(&op->results[0],
                xg_k3(&b, XG_K_OP_FMA, XG_KOPERAND(p->def, 0), XG_KOPERAND(p->def, 1), XG_KOPERAND(op, 1 - i)));
            break;
        }
    }
}
/* Removes pure operations and plain loads without uses, last first. */
static void xg_lz_sweep(xg_kregion *r) {
    xg_kop *op = r->last;
    uint32_t i;
    while (op) {
        xg_kop *prev = op->prev;
        uint32_t flags = xg_kop_flags(op->op);
        bool used = false;
        for (i = 0; i < op->n_regions; i++) xg_lz_sweep(op->regions[i]);
        for (i = 0; i < op->n_results; i++) used = used || op->results[i].first_use;
        if (!used && op->n_results && ((flags & KF_PURE) || (op->op == XG_K_OP_LOAD && !(op->flags & KM_VOLATILE))))
            xg_kop_remove(op);
        op = prev;
    }
}
XG_FN void xg_ptx_legalize(xg_kmodule *m) {
    xg_kfunc *f = m->entry ? m->entry : m->first;
    xg_lz z;
    memset(&z, 0, sizeof z);
    z.m = m;
    z.f = f;
    z.target = (const xg_target *)m->target;
    XLAGPU_ASSERT(z.target);
    xg_ptx_index_make(&z.index);
    if (m->fma) xg_lz_contract(&z, f->body);
    xg_lz_sweep(f->body);
    xg_lz_region(&z, f->body);
    if (z.changed) {
        xg_lz_sweep(f->body);
        xg_kir_cse_func(m, f); /* shares what the expansions have in common */
    }
}

#undef XG_LZ_RULE
#undef XG_LZ_RULES
#undef V
#undef ADD_
#undef SUB_
#undef MUL_
#undef FMA_
#undef ABS_
#undef COPYSIGN_
#undef IMUL_
#undef AND_
#undef OR_
#undef XOR_
#undef BY_
#undef CMPBY_
#undef SEL_
#undef CMPF_
#undef CMPI_
#undef CAST_
#undef I32_
#undef I64_
#undef K32_
#undef F32_
#undef BITS_
#undef FLOAT_

#endif /* XG_PTX_LEGALIZE_C */
