/* ptx/convert.c -- float formats: every conversion that the target has no instruction for, and the exact remainder.
 *
 * Ideas
 * - Rounding to odd. A conversion in two steps rounds once if the first step keeps two bits more than the second and
 *   its result is made odd whenever it is inexact: no tie can then appear that was none, and none can vanish.
 *   XG_PTX_ODD does that for f32 and f64.
 * - A narrow format is an integer that grows with the value (sign apart), so rounding to it from the bits of an f32 is:
 *   add half less one plus the lowest kept bit, shift, subtract the difference of the biases. Below the smallest normal
 *   value adding a power of two, whose last place is the smallest step of the format, makes the adder round. What comes
 *   out above the largest finite value is overflow.
 * - Widening goes through f16, whose conversion to f32 knows subnormals even when f32 arithmetic flushes them. */
#ifndef XG_PTX_CONVERT_C
#define XG_PTX_CONVERT_C
#include "math_common.c"
#include "../base/number.h"

/* The formats by element; both enums name them alike. */
static xlagpu_type xg_ptx_float_type(xg_kelem e) {
    /* clang-format off */
    switch (e) {
#define X(name) case XG_E_##name: return XLAGPU_##name;
    X(BF16) X(F16) X(F32) X(F64)
    X(F8E5M2) X(F8E4M3) X(F8E4M3FN) X(F8E3M4) X(F8E4M3B11FNUZ) X(F8E5M2FNUZ) X(F8E4M3FNUZ) X(F8E8M0FNU)
    X(F4E2M1FN) X(F6E2M3FN) X(F6E3M2FN)
#undef X
    default: return XLAGPU_INVALID;
    }
    /* clang-format on */
}
static bool xg_ptx_is_narrow(xg_kelem e) { return xg_kelem_is_float(e) && xg_kelem_bits(e) <= 8; }

/* n: some neighbour of the exact value, as bits (I32 or I64) of a float; a, e: whether the exact value is larger in
 * magnitude, or equal. n becomes the neighbour with an odd last bit unless exact. */
#define XG_PTX_ODD "l=n&1;c=l==0;u=n+1;d=n-1;m=a?u:d;m=c?m:n;n=e?n:m;"
/* f64 to f32, rounded to odd; a NaN stays as it is. */
static xg_kval *xg_ptx_f64_to_f32_odd(xg_kb *b, xg_kval *x) {
    xg_kform f;
    xg_math_begin(&f, b, x, NULL);
    return xg_kformula(&f, "f=f32(x);g=f64(f);u=abs(x);v=abs(g);a=u>v;e=ueq(u,v);n=bits(f);" XG_PTX_ODD "float(n)");
}
/* An integer to f32, rounded to odd. */
static xg_kval *xg_ptx_int_to_f32_odd(xg_kb *b, xg_kval *x, bool is_signed) {
    xg_kform f, *m = &f;
    xg_math_begin(m, b, x, NULL);
    V(f) = xg_kcast(b, is_signed ? XG_K_OP_SITOFP : XG_K_OP_UITOFP, x, XG_E_F32);
    /* saturates where f is beyond: then f is a power of two, even, and stays */
    V(g) = xg_kcast(b, is_signed ? XG_K_OP_FPTOSI : XG_K_OP_FPTOUI, V(f), x->type->elem);
    (void)xg_kformula(m, is_signed ? "e=g==x;m=x>g;c=x<0;a=m^c" : "e=g==x;a=ugt(x,g)");
    return xg_kformula(m, "n=bits(f);" XG_PTX_ODD "float(n)");
}

/* ---- f32 to narrower ---- */
#ifndef XLAGPU_SMALL
/* A NaN of this value has no bits in its lower half, so that rounding keeps it. A host's processor hands on an
 * operand's NaN, or makes one whose highest bits are set; a GPU's has all of them set. `left`: how many values may be
 * looked at. */
XG_FN bool xg_ptx_has_short_nan(const xg_kval *v, uint32_t *left) {
    uint32_t k = 0;
    int64_t bits;
    if (xg_kval_is_const(v, &bits)) return (bits & 0x7FFFFFFF) <= 0x7F800000 || !(bits & 0xFFFF);
    if (!v->def || !*left) return false;
    --*left;
    switch (v->def->op) {
    case XG_K_OP_EXTF: return XG_KOPERAND(v->def, 0)->type->elem == XG_E_BF16;
    case XG_K_OP_SITOFP:
    case XG_K_OP_UITOFP: return true;
    case XG_K_OP_SELECT: k = 1; break; /* operand 0 is the condition */
    case XG_K_OP_ADDF:
    case XG_K_OP_SUBF:
    case XG_K_OP_MULF:
    case XG_K_OP_DIVF:
    case XG_K_OP_DIVFULL:
    case XG_K_OP_FMA:
    case XG_K_OP_NEGF:
    case XG_K_OP_ABSF:
    case XG_K_OP_MAXF:
    case XG_K_OP_MINF:
    case XG_K_OP_SQRT:
    case XG_K_OP_EX2A:
    case XG_K_OP_LG2A:
    case XG_K_OP_RCPA:
    case XG_K_OP_RSQRTA: break;
    default: return false;
    }
    for (; k < v->def->n_operands; k++)
        if (!xg_ptx_has_short_nan(XG_KOPERAND(v->def, k), left)) return false;
    return true;
}
/* A processor does it with a whole register. */
XG_FN bool xg_ptx_has_register(const xg_target *t, const xg_kop *op) {
    bool can =
        op->op == XG_K_OP_LOAD || op->op == XG_K_OP_STORE || op->op == XG_K_OP_FMA || op->op == XG_K_OP_BROADCAST;
    return can && t->suffix == XG_TARGET_CPU &&
           xg_ktype_is_whole(op->n_results ? op->results[0].type : XG_KOPERAND(op, 0)->type);
}
XG_FN bool xg_ptx_rounds_nan(const xg_kb *b, const xg_kval *x) {
    uint32_t left = 64;
    return ((const xg_target *)b->m->target)->suffix == XG_TARGET_CPU && xg_ptx_has_short_nan(x, &left);
}
#else
#define xg_ptx_rounds_nan(b, x) false
#define xg_ptx_has_register(t, op) false
#endif
static xg_kval *xg_ptx_f32_to_bf16_soft(xg_kb *b, xg_kval *x) {
    xg_kform f;
    xg_kval *r;
    xg_math_begin(&f, b, x, NULL);
    r = xg_kformula(&f, "n=bits(x);l=n>>>16&1;r=n+0x7FFF+l>>>16");
    /* the payload does not matter, the sign does */
    if (!xg_ptx_rounds_nan(b, x)) r = xg_kformula(&f, "q=n>>>16|0x7FC0;c=uno(x,x);r=c?q:r");
    r = CAST_(TRUNCI, r, XG_E_I16);
    return CAST_(BITCAST, r, XG_E_BF16);
}
/* f8e8m0fnu: a power of two; half and more rounds up, but 2^-127 itself is the smallest; NaN, zero and negative values
 * are NaN. */
static xg_kval *xg_ptx_f32_to_scale(xg_kb *b, xg_kval *x) {
    xg_kform f;
    xg_math_begin(&f, b, x, NULL);
    /* bits in 1 .. infinity are good */
    x = xg_kformula(&f, "n=bits(x);m=i32u(ugt(n,0x7FFFFF));r=n+0x3FFFFF+m>>>23;b=n-1;b=ugt(b,0x7F7FFFFF);r=b?255:r;"
                        "i8(r)");
    return CAST_(BITCAST, x, XG_E_F8E8M0FNU);
}
/* Any format of at most 8 bits with exponents within f16's range. */
static xg_kval *xg_ptx_f32_to_narrow(xg_kb *b, xg_kval *x, xg_kelem to) {
    const xg_float_format *f = xg_float_format_of(xg_ptx_float_type(to));
    int shift = 23 - f->mantissa_bits;
    uint32_t smallest = (uint32_t)(128 - f->bias) << 23;      /* the smallest normal value, as f32 bits */
    uint32_t magic = (uint32_t)(128 - f->bias + shift) << 23; /* its last place is the smallest step */
    uint32_t sign_bit = 1u << (f->bits - 1), special = (uint32_t)(f->has_infinity ? f->max_bits + 1
                                                                  : f->has_nan    ? f->nan_bits
                                                                                  : f->max_bits);
    xg_kform form, *m = &form;
    xg_math_begin(m, b, x, NULL);
    V(h) = I32_(shift);
    V(j) = I32_(32 - f->bits);
    V(k) = I32_((int64_t)sign_bit);
    V(p) = I32_((int64_t)(int32_t)(((1u << (shift - 1)) - 1) - ((uint32_t)(127 - f->bias) << 23)));
    V(q) = K32_(magic);
    V(w) = I32_((int64_t)magic);
    V(t) = I32_((int64_t)smallest);
    V(u) = I32_((int64_t)f->max_bits);
    V(v) = I32_((int64_t)special);
    V(z) = I32_((int64_t)f->nan_bits);
    /* m: the magnitude, s: the sign, o: of a normal number, a: of a subnormal one; then o: overflow */
    (void)xg_kformula(m, "n=bits(x);m=n&0x7FFFFFFF;s=n>>>j&k;l=m>>>h&1;o=m+l+p>>>h;a=bits(float(m)+q)-w;c=ult(m,t);"
                         "r=c?a:o;o=ugt(r,u)");
    /* no negative zero: NaN and overflow are the one code that would have been it */
    x = xg_kformula(m, f->nan_is_negative_zero ? "a=r|s;c=r==0;r=c?0:a;o=o|uno(x,x);r=o?z:r;i8(r)"
                                               : "r=o?v:r;c=uno(x,x);r=c?z:r;r=r^s;i8(r)");
    return CAST_(BITCAST, x, to);
}

/* The formats that sm_89 and newer convert to and from. Their conversion saturates: a flag marks it, and what lies
 * beyond is put right. */
enum {
    XG_PTX_SATURATES = 1
};
static bool xg_ptx_machine_f8(const xg_kb *b, xg_kelem e) {
    return (e == XG_E_F8E4M3FN || e == XG_E_F8E5M2) && xg_target_has((const xg_target *)b->m->target, XG_TARGET_CVT_F8);
}
static xg_kval *xg_ptx_f32_to_f8(xg_kb *b, xg_kval *x, xg_kelem to) {
    xg_kform f, *m = &f;
    xg_math_begin(m, b, x, NULL);
    V(q) = xg_kcast(b, XG_K_OP_TRUNCF, x, to);
    V(q)->def->flags = XG_PTX_SATURATES;
    (void)xg_kformula(m, "a=abs(x)");
    V(q) = CAST_(BITCAST, V(q), XG_E_I8);
    V(q) = CAST_(EXTUI, V(q), XG_E_I32);
    V(e) = I32_(0x7F);
    V(o) = I32_(0x7E);
    V(p) = I32_(0x7C);
    /* c: ties of the largest value with the one that would follow; or NaN */
    (void)xg_kformula(m, to == XG_E_F8E5M2 ? "c=uge(a,61440);d=uno(x,x);e=d?o:p" : "c=ugt(a,464)");
    x = xg_kformula(m, "s=bits(x)>>>24&128;e=e|s;q=c?e:q;i8(q)");
    return CAST_(BITCAST, x, to);
}

XG_FN xg_kval *xg_ptx_truncf(xg_kb *b, xg_kval *x, xg_kelem to) {
    const xg_target *t = (const xg_target *)b->m->target;
    xg_kelem from = x->type->elem;
    if (from == to) return x;
    if (from == XG_E_F64) {
        if (to == XG_E_F32) return CAST_(TRUNCF, x, XG_E_F32);
        x = xg_ptx_f64_to_f32_odd(b, x);
    } else if (from != XG_E_F32)
        x = xg_ptx_extf(b, x, XG_E_F32);
    if (to == XG_E_F32) return x;
    if (to == XG_E_F16) return CAST_(TRUNCF, x, XG_E_F16);
    if (to == XG_E_BF16)
        return xg_target_has(t, XG_TARGET_BF16_CVT) ? CAST_(TRUNCF, x, XG_E_BF16) : xg_ptx_f32_to_bf16_soft(b, x);
    if (to == XG_E_F8E8M0FNU) return xg_ptx_f32_to_scale(b, x);
    return xg_ptx_machine_f8(b, to) ? xg_ptx_f32_to_f8(b, x, to) : xg_ptx_f32_to_narrow(b, x, to);
}

/* ---- narrow to f32 ---- */
static xg_kval *xg_ptx_scale_to_f32(xg_kb *b, xg_kval *bits) {
    xg_kform f;
    xg_math_begin(&f, b, bits, NULL);
    return xg_kformula(&f, "r=x<<23;c=x==0;r=c?0x400000:r;c=x==255;r=c?0x7FC00000:r;float(r)");
}
/* The upper half of 32 bits. */
static xg_kval *xg_ptx_upper(xg_kb *b, xg_kval *x, xg_kelem e) {
    xg_kval *v[2];
    v[0] = xg_kir_of(b, XG_K_OP_BITCAST, x, xg_kir_vector(b->m, e, 2));
    v[1] = I32_(1);
    return xg_kir_value(b, XG_K_OP_VEXTRACT, v, 2, xg_kir_scalar(b->m, e));
}
#ifndef XLAGPU_SMALL
/* The word of which x is a byte, as a load left it; NULL: there is none. */
static xg_kval *xg_ptx_byte_of(xg_kval *x, int64_t *at) {
    while (xg_kval_by(x, XG_K_OP_VEXTRACT)) {
        xg_kval *vec = XG_KOPERAND(x->def, 0), *word, *lane = xg_kvector_lane(vec, XG_KOPERAND(x->def, 1));
        if (lane && lane != x && !xg_kval_by(lane, XG_K_OP_CONST)) {
            x = lane;
            continue;
        }
        if (!xg_kval_by(vec, XG_K_OP_BITCAST) || !xg_kval_is_const(XG_KOPERAND(x->def, 1), at)) return NULL;
        word = XG_KOPERAND(vec->def, 0);
        return word->type->kind == XG_TK_SCALAR && word->type->elem == XG_E_I32 ? word : NULL;
    }
    return NULL;
}
#endif
static xg_kval *xg_ptx_times(xg_kb *b, xg_kval *x, double by) { return MUL_(x, F32_(by)); }
/* Its bits at the top of a word, in front of zeros. */
static xg_kval *xg_ptx_on_top(xg_kb *b, xg_kval *x, int bits) {
#ifndef XLAGPU_SMALL
    enum {
        ON_TOP = 0x0444, /* digits of prmt: the byte's number, in front of three zeros */
        DIGITS = 12      /* bits of these */
    };
    int64_t at = 0;
    xg_kval *word = bits == 8 ? xg_ptx_byte_of(x, &at) : NULL;
    if (word) return xg_k3(b, XG_K_OP_PRMT, word, I32_(0), I32_(at << DIGITS | ON_TOP));
#endif
    x = CAST_(BITCAST, x, XG_E_I8);
    x = CAST_(EXTUI, x, XG_E_I32);
    return xg_k2_int(b, XG_K_OP_SHLI, x, 32 - bits);
}
/* Five bits of exponent and no infinity: what is f16's infinity is a number, so the bits become those of an f32. A
 * subnormal one is then a normal one, whose leading digit is taken away. */
static xg_kval *xg_ptx_large_to_f32(xg_kb *b, const xg_float_format *f, xg_kval *top) {
    int64_t least = (int64_t)(128 - f->bias) << 23; /* the smallest normal number */
    xg_kform form, *m = &form;
    xg_math_begin(m, b, top, NULL);
    V(h) = I32_(8 - f->exponent_bits);
    V(j) = I32_(least - ((int64_t)1 << 23));
    V(k) = I32_(least);
    V(w) = F32_(-xg_f64_power_of_two(1 - f->bias));
    return xg_kformula(m, "n=(x&0x7FFFFFFF)>>>h;n=n+j;c=ult(n,k);l=bits(fma(float(n),2,w));n=c?l:n;"
                          "n=n|x&0x80000000;float(n)");
}
/* Infinities and NaNs are finite as an f32 at first, r. By a factor by which NaNs alone overflow they are infinite, and
 * zero times that is NaN; by a power of two by which infinities overflow, too, and back, these are infinite. A NaN that
 * is computed has no sign of its operands. */
static xg_kval *xg_ptx_beyond(xg_kb *b, const xg_float_format *f, xg_kval *r) {
    int exponent = (int)(f->max_bits >> f->mantissa_bits) - f->bias;
    double most = xg_f64_power_of_two(127 - exponent);
    xg_kval *sign = r;
    r = xg_ptx_times(b, r, most * (f->has_infinity ? 0.96875 : 1.125));
    r = FMA_(r, F32_(0), sign);
    if (f->has_infinity) r = xg_ptx_times(b, xg_ptx_times(b, r, most), 1 / most);
    return COPYSIGN_(r, sign);
}
XG_APART static xg_kval *xg_ptx_narrow_to_f32(xg_kb *b, xg_kval *x) {
    const xg_float_format *f = xg_float_format_of(xg_ptx_float_type(x->type->elem));
    int fewer = 5 - f->exponent_bits; /* than f16 has */
    xg_kval *top = xg_ptx_on_top(b, x, f->bits), *r = top, *special;
    if (!f->has_sign) return xg_ptx_scale_to_f32(b, xg_k2_int(b, XG_K_OP_SHRUI, top, 24));
    if (!fewer && !f->has_infinity)
        r = xg_ptx_large_to_f32(b, f, top);
    else {
        if (fewer) { /* without copies of the sign */
            r = xg_k2_int(b, XG_K_OP_SHRSI, top, fewer);
            r = xg_k2_int(b, XG_K_OP_ANDI, r, ~(((int64_t)1 << 31) - ((int64_t)1 << (31 - fewer))));
        }
        r = CAST_(EXTF, xg_ptx_upper(b, r, XG_E_F16), XG_E_F32);
        if (f->bias != 15) r = xg_ptx_times(b, r, xg_f64_power_of_two(15 - f->bias));
    }
    if (f->nan_is_negative_zero) {
        special = xg_kcmpi_int(b, XG_CI_EQ, top, INT32_MIN); /* its sign bit is set, so the NaN's is */
        r = BITS_(r);
        r = SEL_(special, I32_(-0x400000), r);
        return FLOAT_(r);
    }
    return f->has_nan && fewer ? xg_ptx_beyond(b, f, r) : r;
}

XG_FN xg_kval *xg_ptx_extf(xg_kb *b, xg_kval *x, xg_kelem to) {
    xg_kelem from = x->type->elem;
    if (from == to) return x;
    if (xg_ptx_machine_f8(b, from)) {
        x = CAST_(EXTF, x, XG_E_F16);
        if (to == XG_E_F16) return x;
        x = CAST_(EXTF, x, XG_E_F32);
    } else if (xg_ptx_is_narrow(from))
        x = xg_ptx_narrow_to_f32(b, x);
    else if (from == XG_E_BF16 || (from == XG_E_F16 && to != XG_E_F64))
        x = CAST_(EXTF, x, XG_E_F32);
    if (to == XG_E_BF16 && xg_ptx_is_narrow(from)) return xg_ptx_upper(b, x, to); /* the rest is zeros */
    return to == XG_E_F64 ? CAST_(EXTF, x, XG_E_F64) : to == XG_E_F32 ? x : xg_ptx_truncf(b, x, to);
}

/* ---- exact remainder ---- */
/* As C's fmod, on integers: while |x| has more exponent than |y|, subtract and double. The loop runs at most once a bit
 * of the difference of the exponents (278 for f32, 2098 for f64), and not at all when |x| < |y|. Subnormals are
 * normalised by counting zeros. */

/* m 2^(e - 1) = a, its hidden bit g in place; e is less than 1 for subnormal ones. p: bits of a significand, j: those
 * above the hidden one. */
static void xg_ptx_rem_take_apart(xg_kform *m) {
    (void)xg_kformula(m, "e=a>>>p;m=a&h;c=e==0;s=clz(m)-j;s=c?s:0;l=1-s;e=c?l:e;t=m|g;m=c?m:t;m=m<<s");
}
/* One digit of the quotient, which nothing keeps. */
#define XG_PTX_REM_STEP "r=v-d;c=uge(v,d);v=c?r:v;"
/* v modulo d 2^n. */
static void xg_ptx_rem_divide(xg_kform *m) {
    xg_kb *b = m->b, body;
    xg_kop *loop = xg_kfor(b, I32_(0), V(n), I32_(1), &V(v), 1);
    body = xg_kb_end(b->m, loop->regions[0]);
    body.loc = b->loc;
    m->b = &body;
    V(v) = &loop->regions[0]->args[1];
    V(v) = xg_kformula(m, XG_PTX_REM_STEP "v<<1");
    xg_kyield(m->b, &V(v), 1);
    m->b = b;
    V(v) = loop->results;
    (void)xg_kformula(m, XG_PTX_REM_STEP);
}
/* q = a modulo b, of finite numbers, a >= b > 0, as bits without a sign. Behind the division back to a float with b's
 * exponent: normalised, but not below the smallest exponent. Where b itself is subnormal (c) the bits lost are zero,
 * for all is a multiple of the smallest step; the hidden bit adds the missing one of the exponent. */
static void xg_ptx_rem_finite(xg_kform *m) {
    xg_ptx_rem_take_apart(m);
    V(v) = V(m);
    V(x) = V(e);
    V(a) = V(b);
    xg_ptx_rem_take_apart(m);
    V(d) = V(m);
    (void)xg_kformula(m, m->elem == XG_E_F64 ? "n=i32(x-e)" : "n=x-e");
    xg_ptx_rem_divide(m);
    (void)xg_kformula(m, "s=clz(v)-j;e=e-1;t=maxs(e,0);c=s>e;s=c?t:s;o=v<<s;l=maxs(0-e,0);o=o>>>l;t=o+(e-s<<p);"
                         "o=c?o:t;q=v==0?0:o");
}
XG_FN xg_kval *xg_ptx_remf(xg_kb *b, xg_kval *x, xg_kval *y) {
    xg_kform f, *m = &f;
    bool wide = x->type->elem == XG_E_F64;
    xg_kelem e = wide ? XG_E_I64 : XG_E_I32;
    int mant = wide ? 52 : 23;
    xg_math_if split;
    xg_math_begin(m, b, x, y);
    V(p) = xg_kconst_int(b, e, mant);
    V(j) = xg_kconst_int(b, e, wide ? 11 : 8);
    V(g) = xg_kconst_int(b, e, (int64_t)1 << mant);
    V(h) = xg_kconst_int(b, e, ((int64_t)1 << mant) - 1);
    V(k) = xg_kconst_int(b, e, wide ? INT64_MIN : INT32_MIN);
    V(z) = xg_kconst_int(b, e, wide ? INT64_MAX : INT32_MAX);
    /* w: the result is NaN; u: the sign */
    (void)xg_kformula(m, "u=bits(x);d=bits(y);a=u&z;b=d&z;u=u&k;t=uge(a,I);w=ugt(b,I)|t;w=w|b==0;c=w|ult(a,b);q=a");
    xg_math_if_begin(m, &split, 1, e);
    xg_math_if_else(m, &split);
    xg_ptx_rem_finite(m);
    xg_math_if_end(m, &split);
    return xg_kformula(m, "r=float(q|u);w?N:r");
}

#endif /* XG_PTX_CONVERT_C */
