/* eval/convert.c -- values between element types: convert, reduce-precision, stochastic-convert, narrow floats in and
 * out.
 *
 * Every element type is read into one of three wide forms that hold it exactly: int64_t bits (integers and pred),
 * double (floats), two doubles (complex), converted there, and stored with one rounding. Integers become floats through
 * a double rounded to odd, so that the second rounding gives what one would have. A few frequent pairs have loops of
 * their own. */
#ifndef XG_EVAL_CONVERT_C
#define XG_EVAL_CONVERT_C
#include "eval.h"

XG_FN int64_t xg_eval_wrap(xlagpu_type t, int64_t v) {
    int bits = xg_type_bits(t);
    if (t == XLAGPU_PRED) return v != 0;
    if (bits >= 64) return v;
    return xg_type_signed(t) ? (int64_t)((uint64_t)v << (64 - bits)) >> (64 - bits)
                             : (int64_t)((uint64_t)v & (UINT64_MAX >> (64 - bits)));
}

XG_FN int64_t xg_eval_load_int(xlagpu_type t, const void *p) {
    uint64_t v = 0;
    int bytes = xg_type_bytes(t);
    memcpy(&v, p, (size_t)bytes);
    if (bytes < 8 && xg_type_signed(t)) return (int64_t)(v << (64 - 8 * bytes)) >> (64 - 8 * bytes);
    return (int64_t)v;
}

XG_FN void xg_eval_store_int(xlagpu_type t, void *p, int64_t v) {
    v = xg_eval_wrap(t, v);
    memcpy(p, &v, (size_t)xg_type_bytes(t));
}

/* ---- narrow floats and f32, by blocks ---- */

#define XG_EVAL_LANES 16 /* a constant number of turns, so that compilers use vectors */
#if defined(__GNUC__) && !defined(__clang__) && !defined(__TINYC__) && !defined(__OPTIMIZE_SIZE__)
#define XG_EVAL_VECTORS \
    __attribute__(( \
        optimize("O3"))) /* whatever speed is asked of the rest: the evaluator of bf16 spends half its time here */
#else
#define XG_EVAL_VECTORS
#endif

#ifdef __OPTIMIZE_SIZE__ /* no vectors there (-Os): one loop does all */
#define xg_eval_bf16_decode(out, in, n) 0
#define xg_eval_bf16_encode(out, in, n) 0
#else
/* They convert whole groups of lanes and say how many elements: unrolled, the rest would be much code. */
XG_EVAL_VECTORS XG_FN size_t xg_eval_bf16_decode(float *XG_RESTRICT out, const uint16_t *XG_RESTRICT in, size_t n) {
    size_t i = 0, k;
    uint32_t v[XG_EVAL_LANES];
    for (; i + XG_EVAL_LANES <= n; i += XG_EVAL_LANES) {
        for (k = 0; k < XG_EVAL_LANES; k++) v[k] = (uint32_t)in[i + k] << 16;
        memcpy(out + i, v, sizeof v);
    }
    return i;
}

XG_EVAL_VECTORS XG_FN size_t xg_eval_bf16_encode(uint16_t *XG_RESTRICT out, const float *XG_RESTRICT in, size_t n) {
    size_t i = 0, k;
    uint32_t v[XG_EVAL_LANES];
    for (; i + XG_EVAL_LANES <= n; i += XG_EVAL_LANES) {
        memcpy(v, in + i, sizeof v);
        for (k = 0; k < XG_EVAL_LANES; k++) {
            uint32_t rounded = (v[k] + 0x7fffu + ((v[k] >> 16) & 1)) >> 16, nan = (v[k] >> 16 & 0x8000u) | 0x7fc0u;
            out[i + k] = (uint16_t)((v[k] & 0x7fffffffu) > 0x7f800000u ? nan : rounded);
        }
    }
    return i;
}
#endif
#undef XG_EVAL_LANES
#undef XG_EVAL_VECTORS

XG_FN void xg_eval_narrow_decode(xlagpu_type t, const float *table, float *out, const void *in, size_t n) {
    size_t i;
    if (t == XLAGPU_BF16)
        for (i = xg_eval_bf16_decode(out, (const uint16_t *)in, n); i < n; i++)
            out[i] = xg_bf16_to_f32(((const uint16_t *)in)[i]);
    else if (t == XLAGPU_F16)
        for (i = 0; i < n; i++) out[i] = xg_f16_to_f32(((const uint16_t *)in)[i]);
    else if (table)
        for (i = 0; i < n; i++) out[i] = table[((const uint8_t *)in)[i]];
    else
        for (i = 0; i < n; i++) out[i] = (float)xg_float_load(t, (const uint8_t *)in + i);
}

/* Types without NaN make their one substitute of every NaN: the sign that arithmetic gives a NaN depends on the
 * machine. */
XG_FN void xg_eval_store_float(xlagpu_type t, void *p, double v) {
    xg_float_store(t, p, v != v && !xg_float_format_of(t)->has_nan ? xg_f64_nan() : v);
}

XG_FN void xg_eval_narrow_encode(xlagpu_type t, void *out, const float *in, size_t n) {
    size_t i;
    if (t == XLAGPU_BF16)
        for (i = xg_eval_bf16_encode((uint16_t *)out, in, n); i < n; i++) ((uint16_t *)out)[i] = xg_f32_to_bf16(in[i]);
    else if (t == XLAGPU_F16)
        for (i = 0; i < n; i++) ((uint16_t *)out)[i] = xg_f32_to_f16(in[i]);
    else
        for (i = 0; i < n; i++) xg_eval_store_float(t, (uint8_t *)out + i, (double)in[i]);
}
#undef xg_eval_bf16_decode
#undef xg_eval_bf16_encode

/* ---- wide forms ---- */

enum {
    XG_WIDE = 256
};
typedef struct xg_wide {
    int64_t i[XG_WIDE];
    double re[XG_WIDE], im[XG_WIDE];
} xg_wide;

XG_FN void xg_eval_widen(xg_wide *w, xlagpu_type t, const unsigned char *in, size_t n) {
    size_t k, bytes = (size_t)xg_type_bytes(t);
    switch (xg_type_class(t)) {
    case XGT_P:
    case XGT_I:
        for (k = 0; k < n; k++) w->i[k] = xg_eval_load_int(t, in + k * bytes);
        break;
    case XGT_F:
        for (k = 0; k < n; k++) w->re[k] = xg_float_load(t, in + k * bytes);
        break;
    default:
        for (k = 0; k < n; k++) {
            w->re[k] = xg_float_load(xg_type_real(t), in + k * bytes);
            w->im[k] = xg_float_load(xg_type_real(t), in + k * bytes + bytes / 2);
        }
    }
}

/* A double that rounds to any narrower float as v itself would: what does not fit in 53 bits leaves its trace in the
 * last one. */
XG_FN double xg_eval_int_to_odd(int64_t v, bool is_unsigned) {
    uint64_t size = v < 0 && !is_unsigned ? (uint64_t)0 - (uint64_t)v : (uint64_t)v, lost;
    int shift = 0;
    double d;
    while (shift < 11 && size >> (53 + shift)) shift++;
    lost = shift ? size & (((uint64_t)1 << shift) - 1) : 0;
    d = ldexp((double)(size >> shift | (lost != 0)), shift);
    return v < 0 && !is_unsigned ? -d : d;
}

/* What is then rounded to the type `to`. bf16 is reached through f32, as XLA does everywhere. */
XG_FN double xg_eval_int_to_double(int64_t v, bool is_unsigned, xlagpu_type to) {
    if (to == XLAGPU_F64) return is_unsigned ? (double)(uint64_t)v : (double)v;
    if (to == XLAGPU_BF16) return is_unsigned ? (double)(float)(uint64_t)v : (double)(float)v;
    return xg_eval_int_to_odd(v, is_unsigned);
}

/* Saturates; NaN gives 0. */
XG_FN int64_t xg_eval_double_to_int(xlagpu_type t, double v) {
    int bits = xg_type_bits(t);
    if (t == XLAGPU_PRED) return v != 0;
    if (v != v) return 0;
    if (xg_type_signed(t)) {
        double top = ldexp(1.0, bits - 1);
        if (v >= top) return (int64_t)(UINT64_MAX >> (64 - bits) >> 1);
        if (v < -top) return -(int64_t)(UINT64_MAX >> (64 - bits) >> 1) - 1;
        return (int64_t)v;
    }
    if (v <= 0) return 0;
    if (v >= ldexp(1.0, bits)) return (int64_t)(UINT64_MAX >> (64 - bits));
    return (int64_t)(uint64_t)v;
}

XG_APART XG_FN void xg_eval_narrow(const xg_wide *w, xlagpu_type to, unsigned char *out, xlagpu_type from, size_t n) {
    size_t k, bytes = (size_t)xg_type_bytes(to);
    int kind = xg_type_class(to), source = xg_type_class(from);
    bool ints = source == XGT_I || source == XGT_P, is_unsigned = !xg_type_signed(from);
    xlagpu_type real = xg_type_real(to);
    for (k = 0; k < n; k++, out += bytes) {
        if (kind == XGT_I || kind == XGT_P) {
            xg_eval_store_int(to, out, ints ? w->i[k] : xg_eval_double_to_int(to, w->re[k]));
            continue;
        }
        xg_eval_store_float(real, out, ints ? xg_eval_int_to_double(w->i[k], is_unsigned, real) : w->re[k]);
        if (kind == XGT_C) xg_float_store(real, out + bytes / 2, source == XGT_C ? w->im[k] : 0.0);
    }
}

/* Pairs with a loop of their own; false when there is none. */
XG_FN bool xg_eval_convert_fast(xlagpu_type to, void *out, xlagpu_type from, const void *in, size_t n) {
    size_t i;
    if (to == XLAGPU_F32 && (from == XLAGPU_BF16 || from == XLAGPU_F16)) {
        xg_eval_narrow_decode(from, NULL, (float *)out, in, n);
        return true;
    }
    if (from == XLAGPU_F32 && xg_type_class(to) == XGT_F && xg_type_bits(to) <= 16) {
        xg_eval_narrow_encode(to, out, (const float *)in, n);
        return true;
    }
    if (from == XLAGPU_S32 && to == XLAGPU_F32) {
        for (i = 0; i < n; i++) ((float *)out)[i] = (float)((const int32_t *)in)[i];
        return true;
    }
    if (from == XLAGPU_PRED && to == XLAGPU_F32) {
        for (i = 0; i < n; i++) ((float *)out)[i] = (float)((const uint8_t *)in)[i];
        return true;
    }
    if (from == XLAGPU_PRED && to == XLAGPU_S32) {
        for (i = 0; i < n; i++) ((int32_t *)out)[i] = ((const uint8_t *)in)[i];
        return true;
    }
    if (from == XLAGPU_F32 && to == XLAGPU_F64) {
        for (i = 0; i < n; i++) ((double *)out)[i] = (double)((const float *)in)[i];
        return true;
    }
    if (from == XLAGPU_F64 && to == XLAGPU_F32) {
        for (i = 0; i < n; i++) ((float *)out)[i] = (float)((const double *)in)[i];
        return true;
    }
    return false;
}

XG_FN void xg_eval_convert_block(xlagpu_type to, void *out, xlagpu_type from, const void *in, size_t n) {
    size_t at, from_bytes = (size_t)xg_type_bytes(from), to_bytes = (size_t)xg_type_bytes(to);
    xg_wide w;
    if (!n) return;
    if (from == to) {
        memmove(out, in, n * to_bytes);
        return;
    }
    if (xg_eval_convert_fast(to, out, from, in, n)) return;
    for (at = 0; at < n; at += XG_WIDE) {
        size_t m = XG_MIN(n - at, (size_t)XG_WIDE);
        xg_eval_widen(&w, from, (const unsigned char *)in + at * from_bytes, m);
        xg_eval_narrow(&w, to, (unsigned char *)out + at * to_bytes, from, m);
    }
}

XG_FN bool xg_eval_kernel_convert(const xg_ew *e, void *out, const void *const *in, size_t n) {
    xg_eval_convert_block(e->out_type, out, e->in_type[0], in[0], n);
    return true;
}

/* ---- reduce-precision ---- */

/* v, the bits of an IEEE-like format f, with fewer exponent and mantissa bits: rounded to even, then too small is
 * signed zero and too large is infinity. NaNs pass. */
XG_FN uint64_t xg_eval_reduce_bits(const xg_float_format *f, uint64_t v, int exponent_bits, int mantissa_bits) {
    uint64_t sign = (uint64_t)1 << (f->bits - 1), inf = (((uint64_t)1 << f->exponent_bits) - 1) << f->mantissa_bits,
             x = v;
    int64_t exponent, reach = ((int64_t)1 << (XG_MIN(exponent_bits, f->exponent_bits) - 1)) - 1;
    if ((v & (sign - 1)) > inf) return v;
    if (mantissa_bits < f->mantissa_bits) {
        int drop = f->mantissa_bits - mantissa_bits;
        uint64_t last = (uint64_t)1 << drop;
        x += (last >> 1) - 1 + (x >> drop & 1);
        x &= ~(last - 1);
    }
    if (exponent_bits >= f->exponent_bits) return x;
    exponent = (int64_t)((x & inf) >> f->mantissa_bits);
    if (exponent > f->bias + reach) return (v & sign) | inf;
    if (exponent <= f->bias - reach) return v & sign;
    return x;
}

/* Floats of 8 bits and fewer are reduced as f16, which holds them all and has more range than any; f8e8m0 as f32. */
XG_FN bool xg_eval_kernel_reduce_precision(const xg_ew *e, void *out, const void *const *in, size_t n) {
    xlagpu_type t = e->in_type[0], wide = xg_type_bits(t) > 8 ? t : t == XLAGPU_F8E8M0FNU ? XLAGPU_F32 : XLAGPU_F16;
    const xg_float_format *f = xg_float_format_of(wide);
    size_t bytes = (size_t)xg_type_bytes(t), i;
    for (i = 0; i < n; i++) {
        uint64_t v = 0;
        memcpy(&v, (const char *)in[0] + i * bytes, bytes);
        if (wide != t) v = xg_float_encode(wide, xg_float_decode(t, v));
        v = xg_eval_reduce_bits(f, v, e->exponent_bits, e->mantissa_bits);
        if (wide == t)
            memcpy((char *)out + i * bytes, &v, bytes);
        else
            xg_eval_store_float(t, (char *)out + i * bytes, xg_float_decode(wide, v));
    }
    return true;
}

/* ---- stochastic-convert: away from zero if the random bits, as a fraction, are below the fraction that truncation
 * drops ---- */

XG_FN int64_t xg_eval_stochastic(xlagpu_type to, double v, uint64_t random, int random_bits) {
    int64_t top = (int64_t)(UINT64_MAX >> (65 - xg_type_bits(to))), whole;
    double size, fraction;
    if (v != v) return 0;
    if (v >= (double)top) return top;
    if (v <= -(double)top - 1) return -top - 1;
    size = floor(fabs(v));
    whole = (int64_t)size;
    fraction = ldexp(fabs(v) - size, random_bits);
    if (fraction > 0 && random < (uint64_t)fraction) {
        if (whole == top) return -top - 1;
        whole++;
    }
    return signbit(v) ? -whole : whole;
}

XG_FN bool xg_eval_kernel_stochastic(const xg_ew *e, void *out, const void *const *in, size_t n) {
    size_t i, bytes = (size_t)xg_type_bytes(e->in_type[0]), random_bytes = (size_t)xg_type_bytes(e->in_type[1]),
              to_bytes = (size_t)xg_type_bytes(e->out_type);
    if (xg_type_class(e->out_type) != XGT_I || !xg_type_signed(e->out_type) || xg_type_class(e->in_type[1]) != XGT_I)
        return false;
    for (i = 0; i < n; i++) {
        uint64_t random = (uint64_t)xg_eval_load_int(e->in_type[1], (const char *)in[1] + i * random_bytes) &
                          (UINT64_MAX >> (64 - xg_type_bits(e->in_type[1])));
        double v = xg_float_load(e->in_type[0], (const char *)in[0] + i * bytes);
        xg_eval_store_int(e->out_type, (char *)out + i * to_bytes,
            xg_eval_stochastic(e->out_type, v, random, xg_type_bits(e->in_type[1])));
    }
    return true;
}

#endif /* XG_EVAL_CONVERT_C */
