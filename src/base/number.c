/* base/number.c -- the float formats of HLO, one row each, and the conversions that all of them share.
 *
 * A format is described by a few numbers, and everything else follows from one idea: without its sign, the bits of a
 * float are an integer that grows with the value. So rounding works on that integer (a carry out of the mantissa moves
 * into the exponent by itself), overflow is "beyond max_bits", and what lies beyond max_bits is infinity (only the next
 * integer, where the format has one) or NaN.
 *
 * Laws
 * - Only integers are computed with: the result depends neither on the rounding mode nor on the FPU.
 * - Every conversion rounds once, to nearest, ties to even. f8e8m0fnu alone rounds ties up and has no zero: a positive
 *   value too small for it becomes the smallest, zero and negative values become NaN (all as XLA converts).
 * - A NaN keeps its sign where the format has signed NaNs. f4 and f6 have no NaN: they get what XLA gives, nan_bits. */
#ifndef XG_BASE_NUMBER_C
#define XG_BASE_NUMBER_C
#include "number.h"

/* X(TYPE, bits, exponent, mantissa, bias, sign, infinity, nan, fnuz, zero, nan_bits, max_bits, short, full): in the
 * order of XLAGPU_TYPES. full is 1 + ceil((mantissa + 1) * log10(2)); XLA tries the short form for f32 and f64 only. */
/* clang-format off */
#define XG_FLOAT_FORMATS(X) \
    X(F4E2M1FN,      4,  2,  1,  1,    1, 0, 0, 0, 1, 0x8,  0x7,  2, 2) \
    X(F6E2M3FN,      6,  2,  3,  1,    1, 0, 0, 0, 1, 0x20, 0x1F, 3, 3) \
    X(F6E3M2FN,      6,  3,  2,  3,    1, 0, 0, 0, 1, 0x20, 0x1F, 2, 2) \
    X(F8E3M4,        8,  3,  4,  3,    1, 1, 1, 0, 1, 0x78, 0x6F, 3, 3) \
    X(F8E4M3,        8,  4,  3,  7,    1, 1, 1, 0, 1, 0x7C, 0x77, 3, 3) \
    X(F8E4M3FN,      8,  4,  3,  7,    1, 0, 1, 0, 1, 0x7F, 0x7E, 3, 3) \
    X(F8E4M3B11FNUZ, 8,  4,  3,  11,   1, 0, 1, 1, 1, 0x80, 0x7F, 3, 3) \
    X(F8E4M3FNUZ,    8,  4,  3,  8,    1, 0, 1, 1, 1, 0x80, 0x7F, 3, 3) \
    X(F8E5M2,        8,  5,  2,  15,   1, 1, 1, 0, 1, 0x7E, 0x7B, 2, 2) \
    X(F8E5M2FNUZ,    8,  5,  2,  16,   1, 0, 1, 1, 1, 0x80, 0x7F, 2, 2) \
    X(F8E8M0FNU,     8,  8,  0,  127,  0, 0, 1, 0, 0, 0xFF, 0xFE, 2, 2) \
    X(BF16,          16, 8,  7,  127,  1, 1, 1, 0, 1, 0x7FC0, 0x7F7F, 4, 4) \
    X(F16,           16, 5,  10, 15,   1, 1, 1, 0, 1, 0x7E00, 0x7BFF, 5, 5) \
    X(F32,           32, 8,  23, 127,  1, 1, 1, 0, 1, 0x7FC00000, 0x7F7FFFFF, 6, 9) \
    X(F64,           64, 11, 52, 1023, 1, 1, 1, 0, 1, 0x7FF8000000000000u, 0x7FEFFFFFFFFFFFFFu, 15, 17)
/* clang-format on */

XG_TABLE const xg_float_format xg_float_formats[] = {
#define X(type, bits, e, m, bias, sign, inf, nan, fnuz, zero, nan_bits, max_bits, lo, hi) \
    {XLAGPU_##type, bits, e, m, sign != 0, inf != 0, nan != 0, fnuz != 0, zero != 0, lo, hi, bias, nan_bits, max_bits},
    XG_FLOAT_FORMATS(X)
#undef X
};

XG_ONE_COPY XG_FN const xg_float_format *xg_float_format_of(xlagpu_type t) {
    if (t < XLAGPU_F4E2M1FN || t > XLAGPU_F64) return NULL;
    XLAGPU_ASSERT(xg_float_formats[t - XLAGPU_F4E2M1FN].type == t);
    return &xg_float_formats[t - XLAGPU_F4E2M1FN];
}

XG_FN double xg_f64_power_of_two(int e) { return xg_f64_of_bits((uint64_t)(e + 1023) << 52); } /* normal ones only */

/* ---- one format to double ---- */

/* A value beyond the finite ones; payload bits of a NaN keep their place at the top of the mantissa. */
XG_FN double xg_float_decode_special(const xg_float_format *f, uint64_t sign, uint64_t magnitude) {
    uint64_t fraction = magnitude & (((uint64_t)1 << f->mantissa_bits) - 1);
    if (f->has_infinity && magnitude == f->max_bits + 1) return xg_f64_of_bits(sign | XG_F64_INFINITY);
    return xg_f64_of_bits(sign | XG_F64_INFINITY | XG_F64_QUIET | fraction << (52 - f->mantissa_bits));
}

XG_FN double xg_float_decode(xlagpu_type t, uint64_t bits) {
    const xg_float_format *f = xg_float_format_of(t);
    uint64_t magnitude, sign;
    int exponent;
    if (t == XLAGPU_F64) return xg_f64_of_bits(bits);
    magnitude = bits & (((uint64_t)1 << (f->bits - f->has_sign)) - 1);
    sign = f->has_sign && (bits >> (f->bits - 1) & 1) ? XG_F64_SIGN : 0;
    if (f->nan_is_negative_zero && sign && !magnitude) return xg_f64_of_bits(sign | XG_F64_INFINITY | XG_F64_QUIET);
    if (magnitude > f->max_bits) return xg_float_decode_special(f, sign, magnitude);
    exponent = (int)(magnitude >> f->mantissa_bits);
    if (exponent == 0 && f->has_zero) { /* zero or subnormal: an integer number of the smallest steps */
        double v = (double)(int64_t)magnitude * xg_f64_power_of_two(1 - f->bias - f->mantissa_bits);
        return xg_f64_of_bits(xg_f64_bits(v) | sign);
    }
    return xg_f64_of_bits(sign | ((magnitude << (52 - f->mantissa_bits)) + ((uint64_t)(1023 - f->bias) << 52)));
}

XG_FN bool xg_float_holds(const xg_float_format *wide, const xg_float_format *narrow) {
    /* the exponents of the smallest steps: 1 - bias - mantissa_bits */
    return wide->mantissa_bits >= narrow->mantissa_bits &&
           wide->bias + wide->mantissa_bits >= narrow->bias + narrow->mantissa_bits &&
           xg_float_decode(wide->type, wide->max_bits) >= xg_float_decode(narrow->type, narrow->max_bits);
}

/* ---- double to one format ---- */

/* The magnitude bits of significand * 2^(exponent - 52), 2^52 <= significand < 2^53; may lie beyond max_bits. */
XG_FN uint64_t xg_float_round(const xg_float_format *f, uint64_t significand, int exponent) {
    int least = 1 - f->bias, drop = 52 - f->mantissa_bits + (exponent < least ? least - exponent : 0);
    uint64_t kept, rest, half;
    if (drop > 53) return 0; /* less than half of the smallest */
    kept = significand >> drop;
    rest = significand & (((uint64_t)1 << drop) - 1);
    half = drop ? (uint64_t)1 << (drop - 1) : 0;
    if (drop && (rest > half || (rest == half && (kept & 1)))) kept++;
    return exponent < least ? kept : kept + ((uint64_t)(exponent + f->bias - 1) << f->mantissa_bits);
}

/* f8e8m0fnu, a power of two: half and more rounds up, and between the two smallest values everything does. */
XG_FN uint64_t xg_float_round_scale(uint64_t significand, int exponent) {
    bool up = exponent == -127 ? significand > XG_F64_HIDDEN : (significand & (XG_F64_HIDDEN >> 1)) != 0;
    return exponent < -127 ? 0 : (uint64_t)XG_MIN(exponent + 127 + up, 255);
}

XG_FN uint64_t xg_float_encode(xlagpu_type t, double v) {
    const xg_float_format *f = xg_float_format_of(t);
    uint64_t bits = xg_f64_bits(v), sign, magnitude, significand = bits & (XG_F64_HIDDEN - 1);
    int exponent = (int)(bits >> 52 & 2047) - 1023;
    if (t == XLAGPU_F64) return bits;
    sign = f->has_sign ? bits >> 63 << (f->bits - 1) : 0;
    if (v != v) return f->nan_is_negative_zero ? f->nan_bits : f->nan_bits ^ sign;
    if (!f->has_sign && (bits >> 63 || v == 0)) return f->nan_bits;
    if (v == 0) return f->nan_is_negative_zero ? 0 : sign;
    if (exponent == -1023) { /* a subnormal double is far below the least value of the other formats */
        magnitude = 0;
    } else if (exponent == 1024)
        magnitude = f->max_bits + 1;
    else if (f->has_zero)
        magnitude = xg_float_round(f, significand | XG_F64_HIDDEN, exponent);
    else
        magnitude = xg_float_round_scale(significand | XG_F64_HIDDEN, exponent);
    if (magnitude > f->max_bits) {
        if (!f->has_nan) return sign | f->max_bits;
        if (!f->has_infinity) return f->nan_is_negative_zero ? f->nan_bits : f->nan_bits | sign;
        magnitude = f->max_bits + 1;
    }
    return magnitude == 0 && f->nan_is_negative_zero ? 0 : sign | magnitude;
}

XG_FN double xg_float_load(xlagpu_type t, const void *p) {
    uint64_t bits = 0;
    if (t == XLAGPU_F32) {
        float v;
        memcpy(&v, p, 4);
        return v;
    }
    if (t == XLAGPU_F64)
        memcpy(&bits, p, 8);
    else if (t == XLAGPU_BF16 || t == XLAGPU_F16) {
        uint16_t h;
        memcpy(&h, p, 2);
        bits = h;
    } else
        bits = *(const unsigned char *)p;
    return xg_float_decode(t, bits);
}

XG_FN void xg_float_store(xlagpu_type t, void *p, double v) {
    uint64_t bits;
    if (t == XLAGPU_F64) {
        memcpy(p, &v, 8);
        return;
    }
    bits = xg_float_encode(t, v);
    if (t == XLAGPU_F32) {
        uint32_t w = (uint32_t)bits;
        memcpy(p, &w, 4);
    } else if (t == XLAGPU_BF16 || t == XLAGPU_F16) {
        uint16_t h = (uint16_t)bits;
        memcpy(p, &h, 2);
    } else
        *(unsigned char *)p = (unsigned char)bits;
}

/* ---- the two 16-bit formats, for inner loops ---- */

XG_FN float xg_bf16_to_f32(uint16_t b) { return xg_f32_of_bits((uint32_t)b << 16); }

XG_FN uint16_t xg_f32_to_bf16(float v) {
    uint32_t b = xg_f32_bits(v);
    if ((b & 0x7FFFFFFFu) > 0x7F800000u) return (uint16_t)(b >> 31 << 15 | 0x7FC0u);
    return (uint16_t)((b + 0x7FFFu + (b >> 16 & 1)) >> 16);
}

XG_FN float xg_f16_to_f32(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16, magnitude = h & 0x7FFFu;
    if (magnitude >= 0x7C00u) return xg_f32_of_bits(sign | 0x7F800000u | (magnitude & 0x3FFu) << 13);
    if (magnitude < 0x400u)
        return xg_f32_of_bits(xg_f32_bits((float)magnitude * 5.9604644775390625e-8f) | sign); /* times 2^-24, exact */
    return xg_f32_of_bits(sign | ((magnitude << 13) + 0x38000000u));
}

XG_FN uint16_t xg_f32_to_f16(float v) {
    uint32_t b = xg_f32_bits(v), sign = b >> 16 & 0x8000u, magnitude = b & 0x7FFFFFFFu, kept;
    if (magnitude >= 0x477FF000u)
        return (uint16_t)(sign | (magnitude > 0x7F800000u ? 0x7E00u : 0x7C00u)); /* 65520 and more round away */
    if (magnitude >= 0x38800000u)
        return (uint16_t)(sign | ((magnitude - 0x38000000u + 0xFFFu + (magnitude >> 13 & 1)) >> 13));
    /* at most half of the smallest subnormal, whose bits are even below */
    if (magnitude <= 0x33000000u) return (uint16_t)sign;
    {
        uint32_t significand = (magnitude & 0x7FFFFFu) | 0x800000u, drop = 126 - (magnitude >> 23);
        kept = significand >> drop;
        significand &= ((uint32_t)1 << drop) - 1;
        kept += significand > (uint32_t)1 << (drop - 1) || (significand == (uint32_t)1 << (drop - 1) && (kept & 1));
    }
    return (uint16_t)(sign | kept);
}

#endif /* XG_BASE_NUMBER_C */
