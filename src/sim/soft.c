/* sim/soft.c -- exact arithmetic in integers: every float format, every rounding mode.
 *
 * A number is sign, 64-bit significand and exponent: value = sig * 2^exp. Where bits had to be dropped the lowest bit
 * of sig is set ("sticky"), so that rounding later is right as long as two bits more than the target's precision are
 * left. All that is not plain round-to-nearest f32/f64 comes through here: directed rounding, conversions among
 * formats, FMA without the instruction, FMA of the 16-bit formats with its single rounding. Nothing here depends on the
 * host's floating point. */
#ifndef XG_SIM_SOFT_C
#define XG_SIM_SOFT_C
#include "sim.h"

typedef enum xg_sim_round {
    XG_SIM_RN,
    XG_SIM_RZ,
    XG_SIM_RM,
    XG_SIM_RP,
    XG_SIM_RNA
} xg_sim_round;

/* X(NAME, exponent bits, mantissa bits, bits below the mantissa, has infinity, largest finite, NaN, all of them without
 * sign) */
/* clang-format off */
#define XG_SIM_FORMATS(X) \
    X(F16, 5, 10, 0, 1, 0x7BFFu, 0x7FFFu) \
    X(BF16, 8, 7, 0, 1, 0x7F7Fu, 0x7FFFu) \
    X(TF32, 8, 10, 13, 1, 0x3FBFFu, 0x3FFFFu) \
    X(F32, 8, 23, 0, 1, 0x7F7FFFFFu, 0x7FFFFFFFu) \
    X(F64, 11, 52, 0, 1, 0x7FEFFFFFFFFFFFFFu, 0xFFF8000000000000u) \
    X(E4M3, 4, 3, 0, 0, 0x7Eu, 0x7Fu) \
    X(E5M2, 5, 2, 0, 1, 0x7Bu, 0x7Fu) \
    X(E2M1, 2, 1, 0, 0, 7u, 7u) \
    X(E2M3, 2, 3, 0, 0, 0x1Fu, 0x1Fu) \
    X(E3M2, 3, 2, 0, 0, 0x1Fu, 0x1Fu) \
    X(UE8M0, 8, 0, 0, 0, 0xFEu, 0xFFu)
/* clang-format on */
typedef enum xg_sim_format {
#define X(name, e, m, low, inf, max, nan) XG_SIM_IS_##name,
    XG_SIM_FORMATS(X)
#undef X
    XG_SIM_FORMAT_COUNT
} xg_sim_format;
typedef struct xg_sim_layout {
    uint8_t ebits, mbits, low, inf;
    uint64_t max, nan;
} xg_sim_layout;
XG_TABLE const xg_sim_layout xg_sim_layouts[XG_SIM_FORMAT_COUNT] = {
#define X(name, e, m, low, inf, max, nan) {e, m, low, inf, max, nan},
    XG_SIM_FORMATS(X)
#undef X
};

enum {
    XG_SIM_ZERO,
    XG_SIM_FINITE,
    XG_SIM_INF,
    XG_SIM_NAN
};
typedef struct xg_sim_num {
    uint64_t sig;
    int32_t exp;
    uint8_t neg, kind;
} xg_sim_num;

XG_ONE_COPY XG_FN int xg_sim_clz64(uint64_t x) { return x ? xg_leading_zeros(x) : 64; }
XG_FN int xg_sim_clz32(uint32_t x) { return xg_sim_clz64(x) - 32; }

XG_FN xg_sim_num xg_sim_num_make(int neg, uint64_t sig, int32_t exp) {
    xg_sim_num n;
    n.neg = (uint8_t)neg;
    n.kind = sig ? XG_SIM_FINITE : XG_SIM_ZERO;
    n.sig = sig;
    n.exp = exp;
    return n;
}
XG_FN xg_sim_num xg_sim_num_special(int neg, int kind) {
    xg_sim_num n = xg_sim_num_make(neg, 0, 0);
    n.kind = (uint8_t)kind;
    return n;
}
XG_FN xg_sim_num xg_sim_num_u64(uint64_t v) { return xg_sim_num_make(0, v, 0); }
XG_FN xg_sim_num xg_sim_num_s64(int64_t v) { return xg_sim_num_make(v < 0, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, 0); }

XG_FN xg_sim_num xg_sim_unpack(uint64_t bits, xg_sim_format format) {
    const xg_sim_layout *f = &xg_sim_layouts[format];
    uint32_t e;
    uint64_t m, top = ((uint64_t)1 << f->ebits) - 1;
    int neg;
    bits >>= f->low;
    if (format == XG_SIM_IS_UE8M0)
        return (bits & 0xFF) == 0xFF ? xg_sim_num_special(0, XG_SIM_NAN)
                                     : xg_sim_num_make(0, 1, (int32_t)(bits & 0xFF) - 127);
    neg = (int)(bits >> (f->ebits + f->mbits) & 1);
    e = (uint32_t)(bits >> f->mbits & top);
    m = bits & (((uint64_t)1 << f->mbits) - 1);
    if (e == top && f->inf) return xg_sim_num_special(neg, m ? XG_SIM_NAN : XG_SIM_INF);
    if (format == XG_SIM_IS_E4M3 && e == top && m == 7) return xg_sim_num_special(neg, XG_SIM_NAN);
    if (e)
        m |= (uint64_t)1 << f->mbits;
    else
        e = 1;
    return xg_sim_num_make(neg, m, (int32_t)e - (int32_t)((1 << (f->ebits - 1)) - 1) - f->mbits);
}

/* The overflow answer: infinity or the largest finite by mode; formats without infinity give NaN unless they
 * saturate. */
XG_FN uint64_t xg_sim_overflow(const xg_sim_layout *f, int neg, xg_sim_round mode, bool satfinite) {
    bool away = mode == XG_SIM_RN || mode == XG_SIM_RNA || (mode == XG_SIM_RP && !neg) || (mode == XG_SIM_RM && neg);
    if (satfinite || !away) return f->max;
    return f->inf ? (((uint64_t)1 << f->ebits) - 1) << f->mbits : f->nan;
}

XG_FN bool xg_sim_rounds_up(uint64_t kept, int half, int sticky, int neg, xg_sim_round mode) {
    switch (mode) {
    case XG_SIM_RN: return half && (sticky || (kept & 1));
    case XG_SIM_RNA: return half != 0;
    case XG_SIM_RM: return neg && (half || sticky);
    case XG_SIM_RP: return !neg && (half || sticky);
    default: return false;
    }
}

XG_FN uint64_t xg_sim_pack(xg_sim_num n, xg_sim_format format, xg_sim_round mode, bool satfinite) {
    const xg_sim_layout *f = &xg_sim_layouts[format];
    uint64_t sign = (uint64_t)n.neg << (f->ebits + f->mbits), kept, bits;
    int32_t e, emin = 2 - (1 << (f->ebits - 1)), drop;
    int half, sticky, shift;
    if (format == XG_SIM_IS_UE8M0) {
        sign = 0;
        emin = -127;
    }
    if (n.kind == XG_SIM_NAN) return f->nan << f->low;
    if (n.kind == XG_SIM_INF)
        return (sign | (f->inf && !satfinite      ? (((uint64_t)1 << f->ebits) - 1) << f->mbits
                           : satfinite || !f->inf ? f->max
                                                  : f->nan))
               << f->low;
    if (n.kind == XG_SIM_ZERO) return sign << f->low;
    shift = xg_sim_clz64(n.sig);
    n.sig <<= shift;
    e = n.exp - shift + 63;
    drop = 63 - f->mbits + (e < emin ? emin - e : 0);
    if (drop > 64) {
        kept = 0;
        half = 0;
        sticky = 1;
    } else if (drop == 64) {
        kept = 0;
        half = 1;
        sticky = n.sig << 1 != 0;
    } else {
        kept = n.sig >> drop;
        half = (int)(n.sig >> (drop - 1) & 1);
        sticky = (n.sig & (((uint64_t)1 << (drop - 1)) - 1)) != 0;
    }
    kept += xg_sim_rounds_up(kept, half, sticky, n.neg, mode);
    if (format == XG_SIM_IS_UE8M0) {
        int64_t code = (e < emin ? emin : e) + 127 + (kept > 1 ? 1 : 0);
        return code > 254 ? satfinite ? 254 : 255 : (uint64_t)code;
    }
    if (e - emin > 4096)
        bits = f->max + 1;
    else
        bits = ((uint64_t)(e > emin ? e - emin : 0) << f->mbits) + kept;
    if (bits > f->max) bits = xg_sim_overflow(f, n.neg, mode, satfinite);
    return (sign | bits) << f->low;
}

/* ---- 128-bit helpers ---- */

typedef struct xg_sim_wide {
    uint64_t hi, lo;
} xg_sim_wide;
XG_FN xg_sim_wide xg_sim_wide_mul(uint64_t a, uint64_t b) {
    xg_sim_wide w;
    w.hi = xg_mul_wide(a, b, &w.lo);
    return w;
}
XG_FN xg_sim_wide xg_sim_wide_left(xg_sim_wide w, int n) {
    if (n >= 64) {
        w.hi = w.lo << (n - 64);
        w.lo = 0;
    } else if (n > 0) {
        w.hi = w.hi << n | w.lo >> (64 - n);
        w.lo <<= n;
    }
    return w;
}
XG_FN xg_sim_wide xg_sim_wide_right_sticky(xg_sim_wide w, int64_t n) {
    uint64_t lost;
    if (n <= 0) return w;
    if (n >= 128) {
        w.lo = (w.hi | w.lo) != 0;
        w.hi = 0;
        return w;
    }
    if (n >= 64) {
        lost = w.lo | (n > 64 ? w.hi << (128 - n) : 0);
        w.lo = n > 64 ? w.hi >> (n - 64) : w.hi;
        w.hi = 0;
    } else {
        lost = w.lo << (64 - n);
        w.lo = w.lo >> n | w.hi << (64 - n);
        w.hi >>= n;
    }
    w.lo |= lost != 0;
    return w;
}
XG_ONE_COPY XG_FN int xg_sim_wide_clz(xg_sim_wide w) { return w.hi ? xg_sim_clz64(w.hi) : 64 + xg_sim_clz64(w.lo); }
XG_FN int xg_sim_wide_cmp(xg_sim_wide a, xg_sim_wide b) {
    return a.hi != b.hi ? (a.hi < b.hi ? -1 : 1) : a.lo != b.lo ? (a.lo < b.lo ? -1 : 1) : 0;
}

XG_FN xg_sim_num xg_sim_num_wide(int neg, xg_sim_wide w, int32_t exp) {
    int n = xg_sim_wide_clz(w);
    if (n >= 128) return xg_sim_num_make(neg, 0, 0);
    w = xg_sim_wide_left(w, n);
    return xg_sim_num_make(neg, w.hi | (w.lo != 0), exp - n + 64);
}

/* ---- a*b + c, a/b, sqrt a: exact up to a sticky bit ---- */

XG_FN xg_sim_num xg_sim_num_fma(xg_sim_num a, xg_sim_num b, xg_sim_num c, xg_sim_round mode) {
    int neg = a.neg ^ b.neg, order, pn, cn;
    xg_sim_wide p, q;
    int32_t pe, ce;
    if (a.kind == XG_SIM_NAN || b.kind == XG_SIM_NAN || c.kind == XG_SIM_NAN) return xg_sim_num_special(0, XG_SIM_NAN);
    if (a.kind == XG_SIM_INF || b.kind == XG_SIM_INF) {
        if (a.kind == XG_SIM_ZERO || b.kind == XG_SIM_ZERO || (c.kind == XG_SIM_INF && c.neg != neg))
            return xg_sim_num_special(0, XG_SIM_NAN);
        return xg_sim_num_special(neg, XG_SIM_INF);
    }
    if (c.kind == XG_SIM_INF) return c;
    if (a.kind == XG_SIM_ZERO || b.kind == XG_SIM_ZERO) {
        if (c.kind == XG_SIM_ZERO && c.neg != neg) c.neg = mode == XG_SIM_RM;
        return c;
    }
    p = xg_sim_wide_mul(a.sig, b.sig);
    pe = a.exp + b.exp;
    pn = xg_sim_wide_clz(p);
    if (c.kind == XG_SIM_ZERO) return xg_sim_num_wide(neg, p, pe);
    /* Both with their highest bit at 126, one of 128 left for the carry; the smaller one shifts right with a sticky
     * bit. */
    /* the product of 53-bit numbers has room: nothing is lost */
    p = xg_sim_wide_right_sticky(xg_sim_wide_left(p, pn), 1);
    pe = pe - pn + 1;
    cn = xg_sim_clz64(c.sig);
    q.hi = c.sig << cn >> 1;
    q.lo = (c.sig << cn & 1) << 63;
    ce = c.exp - cn - 64 + 1;
    if (pe >= ce) {
        q = xg_sim_wide_right_sticky(q, (int64_t)pe - ce);
        ce = pe;
    } else {
        p = xg_sim_wide_right_sticky(p, (int64_t)ce - pe);
    }
    if (neg == c.neg) {
        uint64_t lo = p.lo + q.lo;
        p.hi = p.hi + q.hi + (lo < p.lo);
        p.lo = lo;
        return xg_sim_num_wide(neg, p, ce);
    }
    order = xg_sim_wide_cmp(p, q);
    if (order == 0) return xg_sim_num_make(mode == XG_SIM_RM, 0, 0);
    if (order < 0) {
        xg_sim_wide t = p;
        p = q;
        q = t;
        neg = c.neg;
    }
    {
        uint64_t lo = p.lo - q.lo;
        p.hi = p.hi - q.hi - (p.lo < q.lo);
        p.lo = lo;
    }
    return xg_sim_num_wide(neg, p, ce);
}
XG_FN xg_sim_num xg_sim_num_mul(xg_sim_num a, xg_sim_num b) {
    xg_sim_num zero = xg_sim_num_make(a.neg ^ b.neg, 0, 0);
    return xg_sim_num_fma(a, b, zero, XG_SIM_RN);
}
XG_FN xg_sim_num xg_sim_num_add(xg_sim_num a, xg_sim_num b, xg_sim_round mode) {
    return xg_sim_num_fma(a, xg_sim_num_u64(1), b, mode);
}

XG_FN xg_sim_num xg_sim_num_div(xg_sim_num a, xg_sim_num b) {
    int neg = a.neg ^ b.neg, i;
    uint64_t q = 0, r;
    if (a.kind == XG_SIM_NAN || b.kind == XG_SIM_NAN || (a.kind == b.kind && a.kind != XG_SIM_FINITE))
        return xg_sim_num_special(0, XG_SIM_NAN);
    if (a.kind == XG_SIM_INF || b.kind == XG_SIM_ZERO) return xg_sim_num_special(neg, XG_SIM_INF);
    if (a.kind == XG_SIM_ZERO || b.kind == XG_SIM_INF) return xg_sim_num_make(neg, 0, 0);
    /* both in [2^62, 2^63): the remainder never overflows */
    i = xg_sim_clz64(a.sig);
    a.sig = a.sig << i >> 1;
    a.exp -= i - 1;
    i = xg_sim_clz64(b.sig);
    b.sig = b.sig << i >> 1;
    b.exp -= i - 1;
    r = a.sig;
    for (i = 0; i < 63; i++) {
        q = q << 1 | (r >= b.sig);
        if (r >= b.sig) r -= b.sig;
        r <<= 1;
    }
    return xg_sim_num_make(neg, q << 1 | (r != 0), a.exp - b.exp - 63);
}

XG_FN xg_sim_num xg_sim_num_sqrt(xg_sim_num a) {
    xg_sim_wide rest, test;
    uint64_t root = 0;
    int i, n;
    if (a.kind == XG_SIM_NAN || (a.neg && a.kind != XG_SIM_ZERO)) return xg_sim_num_special(0, XG_SIM_NAN);
    if (a.kind != XG_SIM_FINITE) return a;
    n = xg_sim_clz64(a.sig);
    a.sig <<= n;
    a.exp -= n;
    if (a.exp & 1) {
        a.sig >>= 1;
        a.exp += 1;
    } /* the formats leave the lowest bits zero */
    rest.hi = a.sig;
    rest.lo = 0; /* root of sig * 2^64 has 64 bits; 62 of them are more than enough */
    for (i = 63; i >= 2; i--) {
        uint64_t bit = (uint64_t)1 << i;
        /* test = (2 root + bit) * bit */
        test.hi = root >> (63 - i);
        test.lo = i + 1 >= 64 ? 0 : root << (i + 1);
        {
            xg_sim_wide sq;
            sq.hi = i >= 32 ? (uint64_t)1 << (2 * i - 64) : 0;
            sq.lo = i >= 32 ? 0 : (uint64_t)1 << (2 * i);
            test.lo += sq.lo;
            test.hi += sq.hi + (test.lo < sq.lo);
        }
        if (xg_sim_wide_cmp(rest, test) >= 0) {
            uint64_t lo = rest.lo - test.lo;
            rest.hi = rest.hi - test.hi - (rest.lo < test.lo);
            rest.lo = lo;
            root |= bit;
        }
    }
    return xg_sim_num_make(0, root | ((rest.hi | rest.lo) != 0), (a.exp - 64) / 2);
}

/* ---- rounding to integers ---- */

/* |n| rounded to an integer by mode, up to 2^64-1; true in *over when it is larger. */
XG_FN uint64_t xg_sim_num_int(xg_sim_num n, xg_sim_round mode, bool *over) {
    uint64_t kept;
    int half, sticky, drop;
    *over = false;
    if (n.kind == XG_SIM_ZERO) return 0;
    if (n.exp >= 0) {
        *over = n.exp > xg_sim_clz64(n.sig);
        return *over ? 0 : n.sig << n.exp;
    }
    drop = n.exp < -65 ? 65 : -n.exp;
    if (drop > 64) {
        kept = 0;
        half = 0;
        sticky = 1;
    } else if (drop == 64) {
        kept = 0;
        half = (int)(n.sig >> 63);
        sticky = n.sig << 1 != 0;
    } else {
        kept = n.sig >> drop;
        half = (int)(n.sig >> (drop - 1) & 1);
        sticky = (n.sig & (((uint64_t)1 << (drop - 1)) - 1)) != 0;
    }
    return kept + xg_sim_rounds_up(kept, half, sticky, n.neg, mode);
}

/* Saturating conversion of a number to a `bits` wide integer. The result is sign- or zero-extended to 64 bits. */
XG_FN uint64_t xg_sim_num_to_int(xg_sim_num n, xg_sim_round mode, uint32_t bits, bool is_signed) {
    bool over;
    uint64_t v, limit;
    v = n.kind == XG_SIM_INF ? UINT64_MAX : xg_sim_num_int(n, mode, &over);
    if (n.kind != XG_SIM_INF && over) v = UINT64_MAX;
    if (!is_signed) {
        limit = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
        return n.neg ? 0 : XG_MIN(v, limit);
    }
    limit = ((uint64_t)1 << (bits - 1)) - (n.neg ? 0 : 1);
    v = XG_MIN(v, limit);
    return n.neg ? 0 - v : v;
}

/* ---- the operations on bits that the scalar functions use ---- */

XG_FN uint64_t xg_sim_soft_fma(xg_sim_format f, uint64_t a, uint64_t b, uint64_t c, xg_sim_round mode) {
    return xg_sim_pack(
        xg_sim_num_fma(xg_sim_unpack(a, f), xg_sim_unpack(b, f), xg_sim_unpack(c, f), mode), f, mode, false);
}
XG_FN uint64_t xg_sim_soft_add(xg_sim_format f, uint64_t a, uint64_t b, xg_sim_round mode) {
    return xg_sim_pack(xg_sim_num_add(xg_sim_unpack(a, f), xg_sim_unpack(b, f), mode), f, mode, false);
}
XG_FN uint64_t xg_sim_soft_sub(xg_sim_format f, uint64_t a, uint64_t b, xg_sim_round mode) {
    xg_sim_num n = xg_sim_unpack(b, f);
    n.neg ^= 1;
    return xg_sim_pack(xg_sim_num_add(xg_sim_unpack(a, f), n, mode), f, mode, false);
}
XG_FN uint64_t xg_sim_soft_mul(xg_sim_format f, uint64_t a, uint64_t b, xg_sim_round mode) {
    return xg_sim_pack(xg_sim_num_mul(xg_sim_unpack(a, f), xg_sim_unpack(b, f)), f, mode, false);
}
XG_FN uint64_t xg_sim_soft_div(xg_sim_format f, uint64_t a, uint64_t b, xg_sim_round mode) {
    return xg_sim_pack(xg_sim_num_div(xg_sim_unpack(a, f), xg_sim_unpack(b, f)), f, mode, false);
}
XG_FN uint64_t xg_sim_soft_sqrt(xg_sim_format f, uint64_t a, xg_sim_round mode) {
    return xg_sim_pack(xg_sim_num_sqrt(xg_sim_unpack(a, f)), f, mode, false);
}
/* Rounds to an integral value of the same format, keeping the sign of zero. */
XG_FN uint64_t xg_sim_soft_integral(xg_sim_format f, uint64_t a, xg_sim_round mode) {
    xg_sim_num n = xg_sim_unpack(a, f);
    bool over;
    uint64_t v;
    if (n.kind != XG_SIM_FINITE || n.exp >= 0) return n.kind == XG_SIM_NAN ? xg_sim_pack(n, f, mode, false) : a;
    v = xg_sim_num_int(n, mode, &over);
    return xg_sim_pack(xg_sim_num_make(n.neg, v, 0), f, mode, false);
}

/* Fast and exact: the product of two floats fits a double; the sum is rounded to odd, then to float. */
XG_FN float xg_sim_fma_f32(float a, float b, float c) {
    volatile double exact = (double)a * (double)b; /* volatile: must not be contracted with the sum */
    double p = exact, s = p + (double)c, t = s - p, err = (p - (s - t)) + ((double)c - t);
    uint64_t u;
    if (err != 0 && s - s == 0) {
        memcpy(&u, &s, 8);
        if (!(u & 1)) {
            u += (err > 0) == (s > 0) ? 1 : (uint64_t)-1;
            memcpy(&s, &u, 8);
        }
    }
    return (float)s;
}

XG_FN uint32_t xg_sim_f16_to_f32(uint32_t h) {
    uint32_t sign = (h & 0x8000u) << 16, m = h & 0x3FF, e = h >> 10 & 31;
    int n;
    if (e == 31) return m ? 0x7FFFFFFFu : sign | 0x7F800000u;
    if (e) return sign | (e + 112) << 23 | m << 13;
    if (!m) return sign;
    n = xg_sim_clz32(m) - 21;
    return sign | (uint32_t)(113 - n) << 23 | (m << n & 0x3FF) << 13;
}
XG_FN uint32_t xg_sim_f32_to_f16(uint32_t u) { /* to nearest even */
    uint32_t sign = u >> 16 & 0x8000u, a = u & 0x7FFFFFFFu, shift, m;
    if (a > 0x7F800000u) return 0x7FFF;
    if (a >= 0x477FF000u) return sign | 0x7C00;
    if (a >= 0x38800000u) return sign | ((a - 0x38000000u + 0xFFF + (a >> 13 & 1)) >> 13);
    if (a < 0x33000000u) return sign;
    shift = 126 - (a >> 23); /* 14..24 */
    m = (a & 0x7FFFFFu) | 0x800000u;
    return sign |
           ((m >> shift) + ((m >> (shift - 1) & 1) & (((m & ((1u << (shift - 1)) - 1)) != 0) | (m >> shift & 1))));
}

#endif /* XG_SIM_SOFT_C */
