/* sim/scalar.c -- the arithmetic that need not be fast: one lane at a time, one copy for all hosts.
 *
 * A row of XG_SIM_SCALAR_OPS is a function of up to four sources a, b, c, e (and the immediate in->imm, here `imm`)
 * that sets r, and q where there is a second destination. The rules are those of lanes.c: no traps, whatever the
 * bits. */
#ifndef XG_SIM_SCALAR_C
#define XG_SIM_SCALAR_C
#include "video.c"

typedef uint32_t (*xg_sim_half2)(uint32_t, uint32_t, uint32_t);

XG_INLINE_FAST uint32_t xg_sim_popc(uint64_t x) {
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (uint32_t)(x * 0x0101010101010101u >> 56);
}
XG_FN uint64_t xg_sim_mulh_u(uint64_t a, uint64_t b) { return xg_sim_wide_mul(a, b).hi; }
XG_FN uint64_t xg_sim_mulh_s(uint64_t a, uint64_t b) {
    return xg_sim_mulh_u(a, b) - (a >> 63 ? b : 0) - (b >> 63 ? a : 0);
}
/* Division by zero gives all ones and the remainder gives the dividend, as devices do; MIN / -1 gives MIN. */
XG_FN uint64_t xg_sim_div_u(uint64_t a, uint64_t b) { return b ? a / b : UINT64_MAX; }
XG_FN uint64_t xg_sim_rem_u(uint64_t a, uint64_t b) { return b ? a % b : a; }
XG_FN int64_t xg_sim_div_s(int64_t a, int64_t b) { return b == 0 ? -1 : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b; }
XG_FN int64_t xg_sim_rem_s(int64_t a, int64_t b) { return b == 0 ? a : b == -1 ? 0 : a % b; }

XG_FN uint64_t xg_sim_brev(uint64_t x, int bits) {
    uint64_t r = 0;
    int i;
    for (i = 0; i < bits; i++) r |= (x >> i & 1) << (bits - 1 - i);
    return r;
}
XG_FN uint64_t xg_sim_bfe(uint64_t a, uint32_t pos, uint32_t len, uint32_t width, bool is_signed) {
    uint64_t r;
    uint32_t top;
    pos &= 0xFF;
    len &= 0xFF;
    top = pos + len - 1 < width - 1 ? pos + len - 1 : width - 1;
    if (len == 0) return 0;
    r = pos >= width ? 0 : a >> pos;
    if (len < 64) r &= ((uint64_t)1 << len) - 1;
    if (is_signed && (a >> top & 1)) {
        uint32_t have = pos >= width ? 0 : XG_MIN(len, width - pos);
        r |= have >= 64 ? 0 : ~(uint64_t)0 << have;
    }
    return r;
}
XG_FN uint64_t xg_sim_bfi(uint64_t a, uint64_t b, uint32_t pos, uint32_t len, uint32_t width) {
    uint64_t m;
    pos &= 0xFF;
    len &= 0xFF;
    if (pos >= width || len == 0) return b;
    m = (len >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << len) - 1) << pos;
    return (b & ~m) | ((a << pos) & m);
}
XG_FN uint32_t xg_sim_bfind(uint64_t a, uint32_t width, bool is_signed, bool shiftamt) {
    int top;
    if (is_signed && a >> (width - 1) & 1) a = ~a;
    if (width == 32) a &= 0xFFFFFFFFu;
    top = 63 - xg_sim_clz64(a);
    return top < 0 ? 0xFFFFFFFFu : shiftamt ? width - 1 - (uint32_t)top : (uint32_t)top;
}
XG_FN uint32_t xg_sim_prmt(uint32_t a, uint32_t b, uint32_t c, uint32_t mode) {
    /* f4e b4e rc8 ecl ecr rc16 by c & 3; a nibble per byte, lowest first from the right */
    XG_TABLE const uint16_t tables[6][4] = {{0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
        {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333}, {0x0000, 0x1110, 0x2210, 0x3210},
        {0x1010, 0x3232, 0x1010, 0x3232}};
    uint64_t both = (uint64_t)b << 32 | a;
    uint32_t sel = mode ? tables[mode - 1][c & 3] : c, r = 0, i;
    for (i = 0; i < 4; i++) {
        uint32_t n = sel >> (4 * i) & 15, byte = (uint32_t)(both >> (8 * (n & 7))) & 0xFF;
        if (n & 8) byte = byte & 0x80 ? 0xFF : 0;
        r |= byte << (8 * i);
    }
    return r;
}
XG_FN uint64_t xg_sim_lop3(uint64_t a, uint64_t b, uint64_t c, uint32_t lut) {
    uint64_t r = 0;
    uint32_t i;
    for (i = 0; i < 8; i++)
        if (lut >> i & 1) r |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return r;
}
XG_FN uint32_t xg_sim_shf(uint32_t lo, uint32_t hi, uint32_t n, uint32_t right, uint32_t clamp) {
    uint64_t v = (uint64_t)hi << 32 | lo;
    n = clamp ? XG_MIN(n, 32u) : n & 31;
    return right ? (uint32_t)(v >> n) : (uint32_t)((v << n) >> 32);
}
XG_FN int32_t xg_sim_part(uint32_t v, uint32_t i, uint32_t bits, bool is_signed) {
    uint32_t x = v >> (i * bits) & ((1u << bits) - 1);
    return is_signed && x >> (bits - 1) ? (int32_t)(x | ~0u << bits) : (int32_t)x;
}
/* imm: bit 0 a signed, bit 1 b signed, bit 2 the high half (dp2a). */
XG_FN uint32_t xg_sim_dp4a(uint32_t a, uint32_t b, uint32_t c, uint32_t imm) {
    uint32_t i;
    for (i = 0; i < 4; i++) c += (uint32_t)(xg_sim_part(a, i, 8, imm & 1) * xg_sim_part(b, i, 8, (imm & 2) != 0));
    return c;
}
XG_FN uint32_t xg_sim_dp2a(uint32_t a, uint32_t b, uint32_t c, uint32_t imm) {
    uint32_t i;
    for (i = 0; i < 2; i++)
        c += (uint32_t)xg_sim_part(a, i, 16, imm & 1) *
             (uint32_t)xg_sim_part(b, i + (imm & 4 ? 2 : 0), 8, (imm & 2) != 0);
    return c;
}
XG_FN uint32_t xg_sim_fns(uint32_t mask, uint32_t base, int32_t offset) {
    int32_t at = (int32_t)base, step = offset < 0 ? -1 : 1, want = offset < 0 ? -offset : offset;
    if (base > 31) return 0xFFFFFFFFu;
    if (offset == 0) return mask >> base & 1 ? base : 0xFFFFFFFFu;
    for (; at >= 0 && at < 32; at += step)
        if ((mask >> at & 1) && --want == 0) return (uint32_t)at;
    return 0xFFFFFFFFu;
}
XG_FN uint32_t xg_sim_bmsk(uint32_t a, uint32_t b, uint32_t clamp) {
    uint64_t m;
    if (clamp) {
        if (a > 31 || b == 0) return 0;
        m = b > 31 ? 0xFFFFFFFFu : ((uint64_t)1 << b) - 1;
        return (uint32_t)(m << a);
    }
    m = ((uint64_t)1 << (b & 31)) - 1;
    return (uint32_t)(m << (a & 31));
}
XG_FN uint32_t xg_sim_szext(uint32_t a, uint32_t n, uint32_t imm) { /* bit 0 clamp, bit 1 signed */
    n = imm & 1 ? XG_MIN(n, 32u) : n & 31;
    if (n == 0) return 0;
    if (n == 32) return a;
    a &= (1u << n) - 1;
    return imm & 2 && a >> (n - 1) ? a | ~0u << n : a;
}
enum {
    XG_SIM_TEST_FINITE,
    XG_SIM_TEST_INFINITE,
    XG_SIM_TEST_NUMBER,
    XG_SIM_TEST_NAN,
    XG_SIM_TEST_NORMAL,
    XG_SIM_TEST_SUBNORMAL
};
XG_FN int32_t xg_sim_testp(uint64_t bits, xg_sim_format f, uint32_t test) {
    const xg_sim_layout *l = &xg_sim_layouts[f];
    uint64_t m = bits & (((uint64_t)1 << l->mbits) - 1), top = ((uint64_t)1 << l->ebits) - 1,
             e = bits >> l->mbits & top;
    bool yes = test == XG_SIM_TEST_FINITE     ? e != top
               : test == XG_SIM_TEST_INFINITE ? e == top && !m
               : test == XG_SIM_TEST_NUMBER   ? !(e == top && m)
               : test == XG_SIM_TEST_NAN      ? e == top && m
               : test == XG_SIM_TEST_NORMAL   ? e != 0 && e != top
                                              : e == 0 && m;
    return yes ? -1 : 0;
}

/* ---- 16-bit floats ---- */

enum {
    XG_SIM_H_ADD,
    XG_SIM_H_SUB,
    XG_SIM_H_MUL,
    XG_SIM_H_FMA,
    XG_SIM_H_MIN,
    XG_SIM_H_MAX,
    XG_SIM_H_EX2,
    XG_SIM_H_TANH,
    XG_SIM_H_OP = 7,
    XG_SIM_H_BF16 = 8,
    XG_SIM_H_NAN = 16,
    XG_SIM_H_RELU = 32,
    XG_SIM_H_SAT = 64,
    XG_SIM_H_FTZ = 128,
    XG_SIM_H_XORSIGN = 256,
    XG_SIM_H_ABS = 512,
    XG_SIM_H_BENT = 12 /* from this bit on an xg_sim_approx, of EX2 and TANH */
};

XG_FN uint32_t xg_sim_half_minmax(uint32_t a, uint32_t b, uint32_t imm) {
    uint32_t inf = imm & XG_SIM_H_BF16 ? 0x7F80u : 0x7C00u, sign = (a ^ b) & 0x8000u, r;
    bool an = (a & 0x7FFF) > inf, bn = (b & 0x7FFF) > inf;
    int32_t x, y;
    if (imm & XG_SIM_H_ABS) {
        a &= 0x7FFF;
        b &= 0x7FFF;
    }
    if ((an && bn) || ((an || bn) && imm & XG_SIM_H_NAN)) return 0x7FFF;
    x = a & 0x8000 ? -(int32_t)(a & 0x7FFF) - 1 : (int32_t)a;
    y = b & 0x8000 ? -(int32_t)(b & 0x7FFF) - 1 : (int32_t)b;
    r = an ? b : bn ? a : ((imm & XG_SIM_H_OP) == XG_SIM_H_MIN ? x < y : x > y) ? a : b;
    return imm & XG_SIM_H_XORSIGN ? (r & 0x7FFF) | sign : r;
}
XG_FN uint32_t xg_sim_half_flush(uint32_t a) { return a & 0x7C00 ? a : a & 0x8000; }
/* The farthest value that the bounds of ex2 and tanh of 16-bit floats allow. */
XG_FN uint64_t xg_sim_half_bent(float x, uint32_t imm) {
    const bool brain = (imm & XG_SIM_H_BF16) != 0, ex2 = (imm & XG_SIM_H_OP) == XG_SIM_H_EX2;
    const xg_sim_approximation which =
        ex2 ? (brain ? XG_SIM_AP_EX2_BF16 : XG_SIM_AP_EX2_F16) : (brain ? XG_SIM_AP_TANH_BF16 : XG_SIM_AP_TANH_F16);
    const double exact = !ex2                        ? xg_sim_tanh_wide(x)
                         : x > -160.0f && x < 128.0f ? xg_sim_exp2_wide(x)
                                                     : (double)xg_sim_ex2(x);
    const double bent = xg_sim_farthest(exact, which, (xg_sim_approx)(imm >> XG_SIM_H_BENT), xg_f32_bits(x) >> 13);
    return xg_sim_pack(xg_sim_unpack(xg_f64_bits(bent), XG_SIM_IS_F64), brain ? XG_SIM_IS_BF16 : XG_SIM_IS_F16,
        bent > exact ? XG_SIM_RM : XG_SIM_RP, false);
}
XG_FN uint32_t xg_sim_half(uint32_t a, uint32_t b, uint32_t c, uint32_t imm) {
    xg_sim_format f = imm & XG_SIM_H_BF16 ? XG_SIM_IS_BF16 : XG_SIM_IS_F16;
    uint64_t r;
    if (imm & XG_SIM_H_FTZ && f == XG_SIM_IS_F16) {
        a = xg_sim_half_flush(a);
        b = xg_sim_half_flush(b);
        c = xg_sim_half_flush(c);
    }
    switch (imm & XG_SIM_H_OP) {
    case XG_SIM_H_ADD: r = xg_sim_soft_add(f, a, b, XG_SIM_RN); break;
    case XG_SIM_H_SUB: r = xg_sim_soft_sub(f, a, b, XG_SIM_RN); break;
    case XG_SIM_H_MUL: r = xg_sim_soft_mul(f, a, b, XG_SIM_RN); break;
    case XG_SIM_H_FMA: r = xg_sim_soft_fma(f, a, b, c, XG_SIM_RN); break;
    case XG_SIM_H_EX2:
    case XG_SIM_H_TANH: {
        float x = xg_f32_of_bits((uint32_t)xg_sim_pack(xg_sim_unpack(a, f), XG_SIM_IS_F32, XG_SIM_RN, false));
        if (imm >> XG_SIM_H_BENT && x - x == 0 && x != 0) {
            r = xg_sim_half_bent(x, imm);
            break;
        }
        x = (imm & XG_SIM_H_OP) == XG_SIM_H_EX2 ? xg_sim_ex2(x) : xg_sim_tanh(x);
        r = xg_sim_pack(xg_sim_unpack(xg_f32_bits(x), XG_SIM_IS_F32), f, XG_SIM_RN, false);
        break;
    }
    default: r = xg_sim_half_minmax(a, b, imm);
    }
    if (imm & XG_SIM_H_FTZ && f == XG_SIM_IS_F16) r = xg_sim_half_flush((uint32_t)r);
    if (imm & XG_SIM_H_RELU && (r & 0x7FFF) <= xg_sim_layouts[f].max + 1 && r & 0x8000) r = 0;
    if (imm & XG_SIM_H_SAT)
        r = (r & 0x7FFF) > xg_sim_layouts[f].max + 1 || r & 0x8000 ? 0
                                                                   : XG_MIN(r, f == XG_SIM_IS_F16 ? 0x3C00u : 0x3F80u);
    return (uint32_t)r;
}
XG_FN uint32_t xg_sim_halves(uint32_t a, uint32_t b, uint32_t c, uint32_t imm) {
    return xg_sim_half(a & 0xFFFF, b & 0xFFFF, c & 0xFFFF, imm) | xg_sim_half(a >> 16, b >> 16, c >> 16, imm) << 16;
}
/* op: 0 add, 1 min, 2 max of packed 16-bit integers; bit 2: signed. */
XG_FN uint32_t xg_sim_int16x2(uint32_t a, uint32_t b, uint32_t imm) {
    uint32_t i, r = 0;
    for (i = 0; i < 2; i++) {
        int32_t x = xg_sim_part(a, i, 16, (imm & 4) != 0), y = xg_sim_part(b, i, 16, (imm & 4) != 0),
                v = (imm & 3) == 0   ? x + y
                    : (imm & 3) == 1 ? XG_MIN(x, y)
                                     : XG_MAX(x, y);
        r |= ((uint32_t)v & 0xFFFF) << (16 * i);
    }
    return r;
}
/* imm: low 4 bits operator, H_BF16, 32: flush */
XG_FN int32_t xg_sim_half_compare(uint32_t a, uint32_t b, uint32_t imm) {
    float x, y;
    bool nan, r;
    if (imm & 32) {
        a = xg_sim_half_flush(a);
        b = xg_sim_half_flush(b);
    }
    x = xg_f32_of_bits(imm & 16 ? a << 16 : xg_sim_f16_to_f32(a));
    y = xg_f32_of_bits(imm & 16 ? b << 16 : xg_sim_f16_to_f32(b));
    nan = x != x || y != y;
    switch (imm & 7) {
    case 0: r = x == y; break;
    case 1: r = x < y || x > y; break;
    case 2: r = x < y; break;
    case 3: r = x <= y; break;
    case 4: r = x > y; break;
    case 5: r = x >= y; break;
    case 6: return nan ? 0 : -1;
    default: return nan ? -1 : 0;
    }
    return r || (nan && imm & 8) ? -1 : 0;
}

/* ---- conversions of any kind ---- */

/* What imm says: source and destination: format or integer width; rounding; saturation. imm2: the same for the
 * source. */
enum {
    XG_SIM_CVT_INT = 16,
    XG_SIM_CVT_SIGNED = 32,
    XG_SIM_CVT_SAT = 1 << 10,
    XG_SIM_CVT_SATFINITE = 1 << 11,
    XG_SIM_CVT_RELU = 1 << 12,
    XG_SIM_CVT_INTEGRAL = 1 << 13,
    XG_SIM_CVT_FTZ = 1 << 14
};
/* NaN as an integer (PTX ISA 9.0, cvt): 0, but its highest bit where the source is f64 or the integer has 64 bits. */
XG_FN uint64_t xg_sim_cvt_nan(xg_sim_format from, uint32_t bits) {
    return from == XG_SIM_IS_F64 || bits == 64 ? (uint64_t)1 << (bits - 1) : 0;
}
/* Layout: bits 0-3 format, or with INT log2 of the bytes; bit 5 signed; bits 6-8 rounding mode. */
XG_FN uint64_t xg_sim_cvt_one(uint64_t v, uint32_t to, uint32_t from) {
    xg_sim_round mode = (xg_sim_round)(to >> 6 & 7);
    xg_sim_num n;
    uint32_t bits;
    if (from & XG_SIM_CVT_INT) {
        bits = 8u << (from & 15);
        if (bits < 64) v &= ((uint64_t)1 << bits) - 1;
        if (from & XG_SIM_CVT_SIGNED && v >> (bits - 1) & 1) {
            if (bits < 64) v |= ~(uint64_t)0 << bits;
            n = xg_sim_num_s64((int64_t)v);
        } else
            n = xg_sim_num_u64(v);
    } else {
        xg_sim_format f = (xg_sim_format)(from & 15);
        if (from & XG_SIM_CVT_FTZ && f == XG_SIM_IS_F32 && !(v & 0x7F800000u)) v &= 0x80000000u;
        n = xg_sim_unpack(v, f);
    }
    if (to & XG_SIM_CVT_INT) {
        bits = 8u << (to & 15);
        if (from & XG_SIM_CVT_INT && !(to & XG_SIM_CVT_SAT)) return v; /* cut by the store */
        if (n.kind == XG_SIM_NAN) return xg_sim_cvt_nan((xg_sim_format)(from & 15), bits);
        return xg_sim_num_to_int(n, mode, bits, (to & XG_SIM_CVT_SIGNED) != 0);
    }
    if (to & XG_SIM_CVT_INTEGRAL) {
        v = xg_sim_soft_integral((xg_sim_format)(to & 15), v, mode);
        n = xg_sim_unpack(v, (xg_sim_format)(to & 15));
    }
    if (to & XG_SIM_CVT_RELU && n.neg && n.kind != XG_SIM_NAN) n = xg_sim_num_make(0, 0, 0);
    if (to & XG_SIM_CVT_SAT) {
        if (n.kind == XG_SIM_NAN || n.neg)
            n = xg_sim_num_make(0, 0, 0);
        else if (n.kind == XG_SIM_INF || (n.kind == XG_SIM_FINITE && n.exp + 63 - xg_sim_clz64(n.sig) >= 0))
            n = xg_sim_num_make(0, 1, 0);
    }
    v = xg_sim_pack(n, (xg_sim_format)(to & 15), mode, (to & XG_SIM_CVT_SATFINITE) != 0);
    if (to & XG_SIM_CVT_FTZ && (to & 15) == XG_SIM_IS_F32 && !(v & 0x7F800000u)) v &= 0x80000000u;
    return v;
}
/* Two f32 to a pair of narrow floats: a goes to the upper half. */
XG_FN uint32_t xg_sim_cvt_pair(uint32_t hi, uint32_t lo, uint32_t to, uint32_t from, uint32_t width) {
    uint32_t mask = (1u << width) - 1;
    return ((uint32_t)xg_sim_cvt_one(hi, to, from) & mask) << width | ((uint32_t)xg_sim_cvt_one(lo, to, from) & mask);
}
/* A pair of narrow floats to a pair of wider ones. */
XG_FN uint32_t xg_sim_cvt_unpair(uint32_t v, uint32_t to, uint32_t from, uint32_t width) {
    uint32_t mask = (1u << width) - 1;
    return (uint32_t)xg_sim_cvt_one(v >> width & mask, to, from) << 16 |
           ((uint32_t)xg_sim_cvt_one(v & mask, to, from) & 0xFFFF);
}
XG_FN uint32_t xg_sim_cvt_pack(uint32_t a, uint32_t b, uint32_t c, uint32_t to, uint32_t from, uint32_t bits) {
    uint64_t mask = ((uint64_t)1 << bits) - 1, x = xg_sim_cvt_one(a, to, from) & mask,
             y = xg_sim_cvt_one(b, to, from) & mask;
    return (uint32_t)((uint64_t)c << (2 * bits) | x << bits | y);
}

/* ---- the list ---- */

#define XG_SIM_MODE ((xg_sim_round)imm)
/* clang-format off */
#define XG_S_MODES(S2, S3, S1, t, u, F) \
    S2(addm_##t, u, u, u, r = (xg_sim_e_##u)xg_sim_soft_add(XG_SIM_IS_##F, a, b, XG_SIM_MODE)) \
    S2(subm_##t, u, u, u, r = (xg_sim_e_##u)xg_sim_soft_sub(XG_SIM_IS_##F, a, b, XG_SIM_MODE)) \
    S2(mulm_##t, u, u, u, r = (xg_sim_e_##u)xg_sim_soft_mul(XG_SIM_IS_##F, a, b, XG_SIM_MODE)) \
    S2(divm_##t, u, u, u, r = (xg_sim_e_##u)xg_sim_soft_div(XG_SIM_IS_##F, a, b, XG_SIM_MODE)) \
    S3(fmam_##t, u, u, u, u, r = (xg_sim_e_##u)xg_sim_soft_fma(XG_SIM_IS_##F, a, b, c, XG_SIM_MODE)) \
    S1(sqrtm_##t, u, u, r = (xg_sim_e_##u)xg_sim_soft_sqrt(XG_SIM_IS_##F, a, XG_SIM_MODE))
/* clang-format on */

/* clang-format off */
#define XG_SIM_SCALAR_OPS(S1, S2, S3, S4) \
    XG_S_MODES(S2, S3, S1, f32, u32, F32) \
    XG_S_MODES(S2, S3, S1, f64, u64, F64) \
    S1(lg2_f32, f32, f32, r = xg_sim_lg2(a)) \
    S1(sin_f32, f32, f32, r = xg_sim_sincos(a, 0)) \
    S1(cos_f32, f32, f32, r = xg_sim_sincos(a, 1)) \
    S1(bent_f32, f32, f32, r = xg_sim_bent(a, imm)) \
    S2(bentdiv_f32, f32, f32, f32, r = xg_sim_bent_div(a, b, imm)) \
    S1(rcpcoarse_f64, f64, f64, r = xg_sim_coarse_rcp(a)) \
    S1(rsqrtcoarse_f64, f64, f64, r = xg_sim_coarse_rsqrt(a)) \
    S1(rsqrt_f64, f64, f64, r = a < 0 ? xg_f64_of_bits(0xFFF8000000000000u) : 1.0 / xg_sqrt(a)) \
    S2(mulh_u64, u64, u64, u64, r = xg_sim_mulh_u(a, b)) \
    S2(mulh_s64, u64, u64, u64, r = xg_sim_mulh_s(a, b)) \
    S2(div_u16, u16, u16, u16, r = (uint16_t)xg_sim_div_u(a, b)) \
    S2(div_u32, u32, u32, u32, r = (uint32_t)xg_sim_div_u(a, b)) \
    S2(div_u64, u64, u64, u64, r = xg_sim_div_u(a, b)) \
    S2(div_s16, s16, s16, s16, r = (int16_t)xg_sim_div_s(a, b)) \
    S2(div_s32, s32, s32, s32, r = (int32_t)xg_sim_div_s(a, b)) \
    S2(div_s64, s64, s64, s64, r = xg_sim_div_s(a, b)) \
    S2(rem_u16, u16, u16, u16, r = (uint16_t)xg_sim_rem_u(a, b)) \
    S2(rem_u32, u32, u32, u32, r = (uint32_t)xg_sim_rem_u(a, b)) \
    S2(rem_u64, u64, u64, u64, r = xg_sim_rem_u(a, b)) \
    S2(rem_s16, s16, s16, s16, r = (int16_t)xg_sim_rem_s(a, b)) \
    S2(rem_s32, s32, s32, s32, r = (int32_t)xg_sim_rem_s(a, b)) \
    S2(rem_s64, s64, s64, s64, r = xg_sim_rem_s(a, b)) \
    S2(addsat_s32, s32, s32, s32, const int64_t x = (int64_t)a + b; r = (int32_t)XG_MAX(XG_MIN(x, INT32_MAX), INT32_MIN)) \
    S2(subsat_s32, s32, s32, s32, const int64_t x = (int64_t)a - b; r = (int32_t)XG_MAX(XG_MIN(x, INT32_MAX), INT32_MIN)) \
    S3(madhisat_s32, s32, s32, s32, s32, const int64_t x = ((int64_t)a * b >> 32) + c; r = (int32_t)XG_MAX(XG_MIN(x, INT32_MAX), INT32_MIN)) \
    S2(mul24lo_u32, u32, u32, u32, r = (a & 0xFFFFFFu) * (b & 0xFFFFFFu)) \
    S2(mul24hi_u32, u32, u32, u32, r = (uint32_t)((uint64_t)(a & 0xFFFFFFu) * (b & 0xFFFFFFu) >> 16)) \
    S2(mul24lo_s32, u32, u32, u32, r = (uint32_t)((int64_t)xg_sim_szext(a, 24, 2) * (int32_t)xg_sim_szext(b, 24, 2))) \
    S2(mul24hi_s32, u32, u32, u32, r = (uint32_t)((int64_t)(int32_t)xg_sim_szext(a, 24, 2) * (int32_t)xg_sim_szext(b, 24, 2) >> 16)) \
    S4(addc_u32, u32, u32, u32, u32, u32, const uint64_t x = (uint64_t)a + b + (imm & 1 ? c : 0); r = (uint32_t)x; q = (uint32_t)(x >> 32)) \
    S4(subc_u32, u32, u32, u32, u32, u32, const uint64_t x = (uint64_t)a - b - (imm & 1 ? c : 0); r = (uint32_t)x; q = (uint32_t)(x >> 63)) \
    S4(addc_u64, u64, u64, u64, u32, u32, const uint64_t x = a + b; const uint64_t y = x + (imm & 1 ? c : 0); r = y; q = (x < a) | (y < x)) \
    S4(subc_u64, u64, u64, u64, u32, u32, const uint64_t k = imm & 1 ? c : 0; r = a - b - k; q = (a < b) | (a - b < k)) \
    S1(popc_b32, u32, u32, r = xg_sim_popc(a)) \
    S1(popc_b64, u32, u64, r = xg_sim_popc(a)) \
    S1(clz_b32, u32, u32, r = (uint32_t)xg_sim_clz32(a)) \
    S1(clz_b64, u32, u64, r = (uint32_t)xg_sim_clz64(a)) \
    S1(brev_b32, u32, u32, r = (uint32_t)xg_sim_brev(a, 32)) \
    S1(brev_b64, u64, u64, r = xg_sim_brev(a, 64)) \
    S1(cnot_b16, u16, u16, r = a == 0) \
    S1(cnot_b32, u32, u32, r = a == 0) \
    S1(cnot_b64, u64, u64, r = a == 0) \
    S3(bfe_u32, u32, u32, u32, u32, r = (uint32_t)xg_sim_bfe(a, b, c, 32, false)) \
    S3(bfe_s32, u32, u32, u32, u32, r = (uint32_t)xg_sim_bfe(a, b, c, 32, true)) \
    S3(bfe_u64, u64, u64, u32, u32, r = xg_sim_bfe(a, b, c, 64, false)) \
    S3(bfe_s64, u64, u64, u32, u32, r = xg_sim_bfe(a, b, c, 64, true)) \
    S4(bfi_b32, u32, u32, u32, u32, u32, r = (uint32_t)xg_sim_bfi(a, b, c, e, 32); q = 0) \
    S4(bfi_b64, u64, u64, u64, u32, u32, r = xg_sim_bfi(a, b, c, e, 64); q = 0) \
    S1(bfind_u32, u32, u32, r = xg_sim_bfind(a, 32, false, imm != 0)) \
    S1(bfind_s32, u32, u32, r = xg_sim_bfind(a, 32, true, imm != 0)) \
    S1(bfind_u64, u32, u64, r = xg_sim_bfind(a, 64, false, imm != 0)) \
    S1(bfind_s64, u32, u64, r = xg_sim_bfind(a, 64, true, imm != 0)) \
    S3(prmt_b32, u32, u32, u32, u32, r = xg_sim_prmt(a, b, c, imm)) \
    S3(lop3_b32, u32, u32, u32, u32, r = (uint32_t)xg_sim_lop3(a, b, c, imm)) \
    S3(shf_b32, u32, u32, u32, u32, r = xg_sim_shf(a, b, c, imm & 1, imm & 2)) \
    S3(sad_u16, u16, u16, u16, u16, r = (uint16_t)(c + (a > b ? a - b : b - a))) \
    S3(sad_s16, s16, s16, s16, s16, r = (int16_t)(c + (a > b ? a - b : b - a))) \
    S3(sad_u32, u32, u32, u32, u32, r = c + (a > b ? a - b : b - a)) \
    S3(sad_s32, u32, s32, s32, u32, r = c + (a > b ? (uint32_t)a - (uint32_t)b : (uint32_t)b - (uint32_t)a)) \
    S3(sad_u64, u64, u64, u64, u64, r = c + (a > b ? a - b : b - a)) \
    S3(sad_s64, u64, s64, s64, u64, r = c + (a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a)) \
    S3(dp4a_b32, u32, u32, u32, u32, r = xg_sim_dp4a(a, b, c, imm)) \
    S3(dp2a_b32, u32, u32, u32, u32, r = xg_sim_dp2a(a, b, c, imm)) \
    S3(fns_b32, u32, u32, u32, s32, r = xg_sim_fns(a, b, c)) \
    S2(bmsk_b32, u32, u32, u32, r = xg_sim_bmsk(a, b, imm)) \
    S2(szext_b32, u32, u32, u32, r = xg_sim_szext(a, b, imm)) \
    S1(testp_f32, s32, u32, r = xg_sim_testp(a, XG_SIM_IS_F32, imm)) \
    S1(testp_f64, s32, u64, r = xg_sim_testp(a, XG_SIM_IS_F64, imm)) \
    S3(half_16, u16, u16, u16, u16, r = (uint16_t)xg_sim_half(a, b, c, imm)) \
    S3(half_x2, u32, u32, u32, u32, r = xg_sim_halves(a, b, c, imm)) \
    S2(int_x2, u32, u32, u32, r = xg_sim_int16x2(a, b, imm)) \
    S2(set_f16, s32, u16, u16, r = xg_sim_half_compare(a, b, imm)) \
    S4(set_f16x2, s32, u32, u32, u32, u32, r = xg_sim_half_compare(a & 0xFFFF, b & 0xFFFF, imm); q = (uint32_t)xg_sim_half_compare(a >> 16, b >> 16, imm)) \
    S1(cvt_16_16, u16, u16, r = (uint16_t)xg_sim_cvt_one(a, imm, in->imm2)) \
    S1(cvt_16_32, u16, u32, r = (uint16_t)xg_sim_cvt_one(a, imm, in->imm2)) \
    S1(cvt_16_64, u16, u64, r = (uint16_t)xg_sim_cvt_one(a, imm, in->imm2)) \
    S1(cvt_32_16, u32, u16, r = (uint32_t)xg_sim_cvt_one(a, imm, in->imm2)) \
    S1(cvt_32_32, u32, u32, r = (uint32_t)xg_sim_cvt_one(a, imm, in->imm2)) \
    S1(cvt_32_64, u32, u64, r = (uint32_t)xg_sim_cvt_one(a, imm, in->imm2)) \
    S1(cvt_64_16, u64, u16, r = xg_sim_cvt_one(a, imm, in->imm2)) \
    S1(cvt_64_32, u64, u32, r = xg_sim_cvt_one(a, imm, in->imm2)) \
    S1(cvt_64_64, u64, u64, r = xg_sim_cvt_one(a, imm, in->imm2)) \
    S2(pair_32, u32, u32, u32, r = xg_sim_cvt_pair(a, b, imm, in->imm2, 16)) \
    S2(pair_16, u16, u32, u32, r = (uint16_t)xg_sim_cvt_pair(a, b, imm, in->imm2, 8)) \
    S2(pair_8, u16, u32, u32, r = (uint16_t)xg_sim_cvt_pair(a, b, imm, in->imm2, 4)) \
    S1(pair_x2, u16, u32, r = (uint16_t)xg_sim_cvt_pair(a >> 16, a & 0xFFFF, imm, in->imm2, 8)) \
    S1(unpair_8, u32, u16, r = xg_sim_cvt_unpair(a, imm, in->imm2, 8)) \
    S1(unpair_4, u32, u16, r = xg_sim_cvt_unpair(a, imm, in->imm2, 4)) \
    S3(video_b32, u32, u32, u32, u32, r = xg_sim_video(a, b, c, imm, in->imm2)) \
    S3(videos_b32, u32, u32, u32, u32, r = xg_sim_videos(a, b, c, imm, in->imm2)) \
    S3(pack_small, u32, u32, u32, u32, const uint32_t n = imm & 7; r = c << (2 * n) | ((uint32_t)(uint64_t)xg_sim_video_clamp((int32_t)a, n, (imm & 8) != 0) & ((1u << n) - 1)) << n | ((uint32_t)(uint64_t)xg_sim_video_clamp((int32_t)b, n, (imm & 8) != 0) & ((1u << n) - 1))) \
    S3(mad24hisat_s32, u32, u32, u32, u32, r = (uint32_t)xg_sim_video_clamp(((int64_t)(int32_t)xg_sim_szext(a, 24, 2) * (int32_t)xg_sim_szext(b, 24, 2) >> 16) + (int32_t)c, 32, true)) \
    S3(pack_cvt, u32, u32, u32, u32, r = xg_sim_cvt_pack(a, b, c, imm & 0xFFFF, in->imm2, imm >> 16))
/* clang-format on */

#define XG_S_GET(x, T) \
    xg_sim_e_##T x; \
    memcpy(&x, p##x + i * sizeof(x), sizeof(x));
#define XG_S_HEAD(name) \
    XG_FN void xg_sim_##name(XG_SIM_ROW) { \
        const uint32_t imm = in->imm; \
        size_t i; \
        (void)imm;
#define XG_S_LOOP \
    XG_SIM_WARPS \
    for (i = 0; i < XG_SIM_WARP; i++) {
#define XG_S_PUT(T) \
    memcpy(pd + i * sizeof(xg_sim_e_##T), &r, sizeof r); \
    } \
    XG_SIM_NEXT
#define XG_S_1(name, T, A, ...) \
    XG_S_HEAD(name) XG_SIM_SOURCE(a) XG_S_LOOP XG_S_GET(a, A) xg_sim_e_##T r; \
    __VA_ARGS__; \
    XG_S_PUT(T) XG_SIM_STEP(a) XG_SIM_WARPS_END \
    }
#define XG_S_2(name, T, A, B, ...) \
    XG_S_HEAD(name) XG_SIM_SOURCE(a) XG_SIM_SOURCE(b) XG_S_LOOP XG_S_GET(a, A) XG_S_GET(b, B) xg_sim_e_##T r; \
    __VA_ARGS__; \
    XG_S_PUT(T) XG_SIM_STEP(a) XG_SIM_STEP(b) XG_SIM_WARPS_END \
    }
#define XG_S_3(name, T, A, B, C, ...) \
    XG_S_HEAD(name) \
    XG_SIM_SOURCE(a) \
    XG_SIM_SOURCE(b) XG_SIM_SOURCE(c) XG_S_LOOP XG_S_GET(a, A) XG_S_GET(b, B) XG_S_GET(c, C) xg_sim_e_##T r; \
    __VA_ARGS__; \
    XG_S_PUT(T) XG_SIM_STEP(a) XG_SIM_STEP(b) XG_SIM_STEP(c) XG_SIM_WARPS_END \
    }
/* Four sources or two destinations (q, 32 bits, where dst2 is set). */
#define XG_S_4(name, T, A, B, C, E, ...) \
    XG_S_HEAD(name) \
    XG_SIM_DEST_q XG_SIM_SOURCE(a) XG_SIM_SOURCE(b) XG_SIM_SOURCE(c) XG_SIM_SOURCE(e) XG_S_LOOP XG_S_GET(a, A) \
        XG_S_GET(b, B) XG_S_GET(c, C) XG_S_GET(e, E) xg_sim_e_##T r; \
    uint32_t q; \
    (void)c; \
    (void)e; \
    __VA_ARGS__; \
    if (pq) { memcpy(pq + i * 4, &q, 4); } \
    XG_S_PUT(T) \
    XG_SIM_NEXT_TOO \
    XG_SIM_STEP(a) \
    XG_SIM_STEP(b) \
    XG_SIM_STEP(c) \
    XG_SIM_STEP(e) \
    XG_SIM_WARPS_END \
    }
XG_SIM_SCALAR_OPS(XG_S_1, XG_S_2, XG_S_3, XG_S_4)

/* ---- the table of all arithmetic functions ---- */

#define XG_SIM_SNAME1(name, T, A, ...) XG_SIM_X(name)
#define XG_SIM_SNAME2(name, T, A, B, ...) XG_SIM_X(name)
#define XG_SIM_SNAME3(name, T, A, B, C, ...) XG_SIM_X(name)
#define XG_SIM_SNAME4(name, T, A, B, C, E, ...) XG_SIM_X(name)
#define XG_SIM_SCALAR_NAMES XG_SIM_SCALAR_OPS(XG_SIM_SNAME1, XG_SIM_SNAME2, XG_SIM_SNAME3, XG_SIM_SNAME4)

typedef enum xg_sim_f {
    XG_SIM_F_none,
#define XG_SIM_X(name) XG_SIM_F_##name,
    XG_SIM_VECTOR_NAMES XG_SIM_F_VECTORS,
    XG_SIM_F_BEFORE = XG_SIM_F_VECTORS - 1,
    XG_SIM_SCALAR_NAMES
#undef XG_SIM_X
        XG_SIM_F_COUNT
} xg_sim_f;
#if XG_SIM_X86
/* Registers that the operating system saves when it changes threads: bit 1 XMM, 2 YMM, 5 to 7 those of AVX-512. */
static uint32_t xg_sim_saved_state(void) {
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}
#endif
/* By the words of cpuid (Intel's manual, volume 2A): __builtin_cpu_supports would link 4 KB of libgcc. */
XG_SIM_FN xg_sim_unit xg_sim_unit_best(void) {
#if XG_SIM_X86
    const uint32_t first = 1u << 12 | 1u << 27 | 1u << 28 | 1u << 29; /* FMA, OSXSAVE, AVX, F16C in ecx of leaf 1 */
    const uint32_t wide = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31;  /* AVX-512 F, DQ, BW, VL in ebx of leaf 7 */
    uint32_t a, b, c, d, saved;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & first) != first) return XG_SIM_UNIT_BASE;
    saved = xg_sim_saved_state();
    if ((saved & 0x06) != 0x06 || !__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & 1u << 5)) return XG_SIM_UNIT_BASE;
    return XG_SIM_AVX512 && (b & wide) == wide && (saved & 0xE6) == 0xE6 ? XG_SIM_UNIT_AVX512 : XG_SIM_UNIT_AVX2;
#else
    return XG_SIM_UNIT_BASE;
#endif
}
XG_SIM_FN const char *xg_sim_unit_name(xg_sim_unit unit) {
    XG_TABLE const char *const names[XG_SIM_UNIT_COUNT] = {
#define X(name, text) text,
        XG_SIM_UNITS(X)
#undef X
    };
    return names[unit];
}
/* Each unit has the functions of lanes.c; those of this file are the same for all. Each is a switch: a table of
 * pointers would take 32 bytes an entry with its relocation, a case takes 12. */
#define XG_SIM_X(name) \
    case XG_SIM_F_##name: \
        return XG_SIM_T(name);
#define XG_SIM_T(name) xg_sim_base_##name
static xg_sim_lane_fn xg_sim_base_fn(xg_sim_f f) {
    switch (f) {
        XG_SIM_VECTOR_NAMES
    default: return NULL;
    }
}
#undef XG_SIM_T
#if XG_SIM_X86
#define XG_SIM_T(name) xg_sim_avx2_##name
XG_APART static xg_sim_lane_fn xg_sim_avx2_fn(xg_sim_f f) {
    switch (f) {
        XG_SIM_WIDE_NAMES
    default: return xg_sim_base_fn(f);
    }
}
#undef XG_SIM_T
#endif
#if XG_SIM_AVX512
#define XG_SIM_T(name) xg_sim_avx512_##name
static xg_sim_lane_fn xg_sim_avx512_fn(xg_sim_f f) {
    switch (f) {
        XG_SIM_VECTOR_NAMES
    default: return NULL;
    }
}
#undef XG_SIM_T
#endif
#define XG_SIM_T(name) xg_sim_##name
XG_APART static xg_sim_lane_fn xg_sim_scalar_fn(xg_sim_f f) {
    switch (f) {
        XG_SIM_SCALAR_NAMES
    default: return NULL;
    }
}
#undef XG_SIM_T
#undef XG_SIM_X
XG_FN xg_sim_lane_fn xg_sim_fn_of(xg_sim_unit unit, xg_sim_f f) {
    if ((uint32_t)f >= (uint32_t)XG_SIM_F_VECTORS) return xg_sim_scalar_fn(f);
#if XG_SIM_AVX512
    if (unit == XG_SIM_UNIT_AVX512) return xg_sim_avx512_fn(f);
#endif
#if XG_SIM_X86
    if (unit == XG_SIM_UNIT_AVX2) return xg_sim_avx2_fn(f);
#endif
    (void)unit;
    return xg_sim_base_fn(f);
}

#endif /* XG_SIM_SCALAR_C */
