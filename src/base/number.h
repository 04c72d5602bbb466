/* base/number.h -- the float formats of HLO and exact float text.
 *
 * A format is a row: sign, exponent and mantissa widths, bias, and what it has of infinities, NaNs and a negative zero.
 * Conversion from double rounds once, to nearest even. Text is exact both ways and independent of the locale. */
#ifndef XG_BASE_NUMBER_H
#define XG_BASE_NUMBER_H
#include "base.h"

/* ---- bits ---- */

XG_INLINE uint64_t xg_f64_bits(double v) {
    uint64_t b;
    memcpy(&b, &v, 8);
    return b;
}
XG_INLINE double xg_f64_of_bits(uint64_t b) {
    double v;
    memcpy(&v, &b, 8);
    return v;
}
/* The quiet NaN without a sign: what NAN of <math.h> is depends on the compiler. */
XG_INLINE double xg_f64_nan(void) { return xg_f64_of_bits(0x7FF8000000000000u); }
XG_INLINE uint32_t xg_f32_bits(float v) {
    uint32_t b;
    memcpy(&b, &v, 4);
    return b;
}
XG_INLINE float xg_f32_of_bits(uint32_t b) {
    float v;
    memcpy(&v, &b, 4);
    return v;
}

#if defined(__SIZEOF_INT128__) && !defined(XLAGPU_NO_EXTENSIONS)
__extension__ typedef unsigned __int128 xg_u128;
XG_INLINE uint64_t xg_mul_wide(uint64_t a, uint64_t b, uint64_t *low) {
    xg_u128 p = (xg_u128)a * b;
    *low = (uint64_t)p;
    return (uint64_t)(p >> 64);
}
#else
XG_INLINE uint64_t xg_mul_wide(uint64_t a, uint64_t b, uint64_t *low) {
    uint64_t al = a & 0xFFFFFFFFu, ah = a >> 32, bl = b & 0xFFFFFFFFu, bh = b >> 32;
    uint64_t ll = al * bl, lh = al * bh, hl = ah * bl, middle = (ll >> 32) + (lh & 0xFFFFFFFFu) + (hl & 0xFFFFFFFFu);
    *low = middle << 32 | (ll & 0xFFFFFFFFu);
    return ah * bh + (lh >> 32) + (hl >> 32) + (middle >> 32);
}
#endif

XG_INLINE int xg_leading_zeros(uint64_t v) { /* v is not 0 */
#if defined(__GNUC__) && !defined(XLAGPU_NO_EXTENSIONS)
    return __builtin_clzll(v);
#else
    int n = 0, step;
    for (step = 32; step; step /= 2)
        if (!(v >> (64 - step))) {
            v <<= step;
            n += step;
        }
    return n;
#endif
}

XG_INLINE int xg_trailing_zeros(uint64_t v) { /* v is not 0 */
#if defined(__GNUC__) && !defined(XLAGPU_NO_EXTENSIONS)
    return __builtin_ctzll(v);
#else
    return 63 - xg_leading_zeros(v & (0 - v));
#endif
}

/* ---- number.c ---- */
typedef struct xg_float_format {
    xlagpu_type type;
    uint8_t bits, exponent_bits, mantissa_bits;
    bool has_sign, has_infinity, has_nan, nan_is_negative_zero /* FNUZ: 0x80 is NaN, no -0 */,
        has_zero /* f8e8m0 has none */;
    /* decimal digits always preserved (digits10), and enough to read back (max_digits10) */
    uint8_t digits_short, digits_full;
    int16_t bias;
    uint64_t nan_bits; /* the quiet NaN that a NaN becomes (positive sign) */
    uint64_t max_bits; /* the largest finite value */
} xg_float_format;
XG_FN const xg_float_format *xg_float_format_of(xlagpu_type t); /* NULL for what is not a float */
/* Is every finite magnitude of `narrow` one of `wide`? Formats without infinity use the highest exponent, too: f8e3m4
 * ends at 15.5, f6e3m2fn, of as many exponent bits and the same bias, at 28. */
XG_FN bool xg_float_holds(const xg_float_format *wide, const xg_float_format *narrow);
XG_FN int xg_float_digits(double v, int count, char *out); /* of a finite v that is not 0; the exponent of the first */
XG_FN double xg_float_decode(xlagpu_type t, uint64_t bits);
/* Round to nearest even. Overflow: infinity if the format has it, else its NaN, f4/f6: the largest finite. NaN:
 * nan_bits (sign kept where the format has one). */
XG_FN uint64_t xg_float_encode(xlagpu_type t, double v);
XG_FN double xg_float_load(xlagpu_type t, const void *p); /* the element at p, in its literal bytes */
XG_FN void xg_float_store(xlagpu_type t, void *p, double v);
XG_FN float xg_bf16_to_f32(uint16_t b);
XG_FN uint16_t xg_f32_to_bf16(float v);
XG_FN float xg_f16_to_f32(uint16_t h);
XG_FN uint16_t xg_f32_to_f16(float v);

/* ---- float_text.c ---- */
/* Reads a decimal number ([-+]digits[.digits][e[-+]digits], also inf, nan, -inf) at p, at most n bytes. Returns the
 * bytes read, 0 if there is no number. The result is the double nearest to the decimal (ties to even); *overflow says
 * that a finite text became infinite. */
XG_FN size_t xg_float_parse(const char *p, size_t n, double *out, bool *overflow);
/* The same, rounded once to float (never through double). */
XG_FN size_t xg_float_parse32(const char *p, size_t n, float *out, bool *overflow);
/* As C's %.*g in the C locale, exact for any precision up to 40. */
XG_FN void xg_float_print_g(xg_buf *b, double v, int digits);
/* The text XLA prints: digits_short digits if they read back to the same value, else digits_full; nan, -nan, inf,
 * -inf. */
XG_FN void xg_float_print(xg_buf *b, xlagpu_type t, uint64_t bits);

/* Bits of a double. */
#define XG_F64_SIGN 0x8000000000000000u
#define XG_F64_HIDDEN 0x0010000000000000u
#define XG_F64_INFINITY 0x7FF0000000000000u
#define XG_F64_QUIET 0x0008000000000000u
#endif /* XG_BASE_NUMBER_H */
