/* sim/math.c -- the approximate functions, as exact as the PTX ISA says and no more.
 *
 * A GPU computes ex2, lg2, sin, cos, tanh, rcp, rsqrt and sqrt from tables with documented error bounds; the tables are
 * not documented. Here each is computed in double by the same few operations on every host. What becomes of that value
 * is the module's choice (xg_sim_approx):
 *   usual   rounded so that it keeps what the bound promises and no bits that no device has: tanh has 11 bits behind
 *           its first one, sin and cos are multiples of 2^-21, lg2 of 2^-22 near 1, rcp and rsqrt of f64 have 32 bits.
 *           The others, whose bounds are a few units in the last place, are rounded once (ex2, which must be fast, is
 *           computed in f32: within 1.3 ulp).
 *   low, high   the smallest and the largest value that the bound allows.
 *   mixed       one of these, chosen by the operand's bits.
 * Values that the manual lists (of zeros, infinities and NaNs, and of subnormals where it says so) are exact in all.
 *
 * The bounds are the rows of XG_SIM_APPROXIMATIONS. Beyond 100 pi, where devices promise nothing for sin and cos, they
 * have that of smaller arguments. ex2, tanh and rsqrt of f32 are in lanes.c. */
#ifndef XG_SIM_MATH_C
#define XG_SIM_MATH_C
#include "parse.c"

XG_FN double xg_sim_scale(double v, int n) { return v * xg_f64_of_bits((uint64_t)(1023 + n) << 52); } /* |n| <= 1022 */

XG_FN double xg_sim_exp2_wide(double x) { /* -1000 < x < 1000 */
    double n = x + 6755399441055744.0 - 6755399441055744.0, f = x - n;
    return xg_sim_scale(XG_SIM_EXP2_SERIES(f), (int)n);
}
XG_FN float xg_sim_ex2(float x) {
    if (x != x) return x;
    if (x >= 128.0f) return xg_f32_of_bits(0x7F800000u);
    if (x < -160.0f) return 0.0f;
    return (float)xg_sim_exp2_wide(x);
}

/* |v| < 2^50, rounded to a multiple of 2^-n. */
XG_FN double xg_sim_grid(double v, int n) {
    const double far_away = xg_sim_scale(6755399441055744.0, -n);
    return v + far_away - far_away;
}

XG_FN double xg_sim_lg2_wide(float x) { /* x > 0, finite */
    uint32_t u = xg_f32_bits(x);
    int e = 0;
    double m, s, z;
    if (u < 0x00800000u) {
        u = xg_f32_bits(x * 16777216.0f);
        e = -24;
    }
    e += (int)(u >> 23) - 127;
    m = xg_f32_of_bits((u & 0x7FFFFFu) | 0x3F800000u);
    if (m > 1.41421356) {
        m *= 0.5;
        e++;
    }
    s = (m - 1.0) / (m + 1.0);
    z = s * s;
    s = s *
        (2.0 + z * (2.0 / 3 +
                       z * (2.0 / 5 +
                               z * (2.0 / 7 +
                                       z * (2.0 / 9 +
                                               z * (2.0 / 11 + z * (2.0 / 13 + z * (2.0 / 15 + z * (2.0 / 17)))))))));
    return s * 1.44269504088896340736 + e;
}
XG_FN float xg_sim_lg2(float x) {
    uint32_t u = xg_f32_bits(x);
    if (x != x || (u >> 31 && u << 1)) return xg_f32_of_bits(0x7FFFFFFFu);
    if (u << 1 == 0) return xg_f32_of_bits(0xFF800000u);
    if (u == 0x7F800000u) return x;
    return (float)(x > 0.5f && x < 2.0f ? xg_sim_grid(xg_sim_lg2_wide(x), 22) : xg_sim_lg2_wide(x));
}

/* sin (quarter 0) or cos (quarter 1) of x: quadrant and remainder, then the short series. */
XG_FN double xg_sim_sincos_wide(float x, int quarter) { /* x finite */
    double r = x, n, z;
    int q;
    if (r > 1e6 || r < -1e6) r = fmod(r, 6.28318530717958647693);
    n = r * 0.63661977236758134308 + 6755399441055744.0 - 6755399441055744.0;
    r = (r - n * 1.5707963267341256142) - n * 6.0771005065061922e-11; /* pi/2 in two parts, the first with 33 bits */
    q = (int)n + quarter;
    z = r * r;
    if (q & 1)
        r = 1.0 - z * (0.5 - z * (1.0 / 24 - z * (1.0 / 720 -
                                                     z * (1.0 / 40320 - z * (1.0 / 3628800 - z * (1.0 / 479001600))))));
    else
        r = r * (1.0 - z * (1.0 / 6 - z * (1.0 / 120 - z * (1.0 / 5040 - z * (1.0 / 362880 -
                                                                                 z * (1.0 / 39916800 -
                                                                                         z * (1.0 / 6227020800.0)))))));
    return q & 2 ? -r : r;
}
XG_FN float xg_sim_sincos(float x, int quarter) {
    if (x - x != 0) return xg_f32_of_bits(0x7FFFFFFFu);
    if (!quarter && x == 0) return x;
    return (float)xg_sim_grid(xg_sim_sincos_wide(x, quarter), 21);
}

XG_FN double xg_sim_tanh_wide(float x) {
    const double y = x, t = y * y;
    if (y > 20 || y < -20) return y > 0 ? 1.0 : -1.0;
    if (t < 1e-4) return y * (1.0 - t * (1.0 / 3 - t * (2.0 / 15 - t * (17.0 / 315))));
    return 1.0 - 2.0 / (xg_sim_exp2_wide(y * 2.88539008177792681472) + 1.0);
}
XG_FN float xg_sim_tanh(float x) { /* the nearest: 16-bit floats round it */
    if (x != x) return xg_f32_of_bits(0x7FFFFFFFu);
    return x == 0 ? x : (float)xg_sim_tanh_wide(x);
}

/* ---- f64: the upper 32 bits of the operand in, the upper 32 bits of the result out; subnormals are flushed ---- */

XG_FN double xg_sim_upper(double x) {
    uint64_t u = xg_f64_bits(x) & 0xFFFFFFFF00000000u;
    if (!(u >> 52 & 0x7FF)) u &= (uint64_t)1 << 63;
    return xg_f64_of_bits(u);
}
XG_FN double xg_sim_coarse_rcp(double a) {
    if (a != a) return xg_f64_of_bits(0xFFF8000000000000u);
    return xg_sim_upper(1.0 / xg_sim_upper(a));
}
XG_FN double xg_sim_coarse_rsqrt(double a) {
    a = xg_sim_upper(a);
    if (a != a || a < 0) return xg_f64_of_bits(0xFFF8000000000000u);
    return xg_sim_upper(1.0 / xg_sqrt(a)); /* of -0: -infinity */
}

/* ---- the bounds ---- */

/* X(NAME, relative error, absolute error, units in the last place): how far a result may be from the exact value. */
/* clang-format off */
#define XG_SIM_APPROXIMATIONS(X) \
    X(EX2, 1.6858739404357614e-7 /* 2^-22.5 */, 0, 0) \
    X(LG2, 2.384185791015625e-7 /* 2^-22, outside of (0.5, 2) */, 0, 0) \
    X(LG2_NEAR, 0, 2.384185791015625e-7, 0) \
    X(SIN, 0, 6.743495761743046e-7 /* 2^-20.5, up to pi */, 0) \
    X(COS, 0, 6.743495761743046e-7, 0) \
    X(SIN_FAR, 0, 3.7568391e-5 /* 2^-14.7, up to 100 pi */, 0) \
    X(COS_FAR, 0, 3.7568391e-5, 0) \
    X(TANH, 4.8828125e-4 /* 2^-11 */, 0, 0) \
    X(RCP, 0, 0, 1) \
    X(RSQRT, 1.2777e-7 /* 2^-22.9 */, 0, 0) \
    X(SQRT, 1.1920928955078125e-7 /* 2^-23 */, 0, 0) \
    X(DIV, 0, 0, 2) \
    X(EX2_F16, 1.0466e-3 /* 2^-9.9 */, 0, 0) \
    X(EX2_BF16, 7.8125e-3 /* 2^-7 */, 0, 0) \
    X(TANH_F16, 0, 4.927e-4 /* 2^-10.987 */, 0) \
    X(TANH_BF16, 0, 3.90625e-3 /* 2^-8 */, 0)
/* clang-format on */
typedef enum xg_sim_approximation {
#define X(name, relative, absolute, ulps) XG_SIM_AP_##name,
    XG_SIM_APPROXIMATIONS(X)
#undef X
    XG_SIM_AP_COUNT
} xg_sim_approximation;
typedef struct xg_sim_bound {
    double relative, absolute;
    int ulps;
} xg_sim_bound;
XG_TABLE const xg_sim_bound xg_sim_bounds[XG_SIM_AP_COUNT] = {
#define X(name, relative, absolute, ulps) {relative, absolute, ulps},
    XG_SIM_APPROXIMATIONS(X)
#undef X
};

/* The farthest value that a bound allows, towards +infinity or -infinity. salt: the operand's bits, for mixed. */
XG_FN double xg_sim_farthest(double exact, xg_sim_approximation which, xg_sim_approx mode, uint32_t salt) {
    const xg_sim_bound *b = &xg_sim_bounds[which];
    const double size = exact < 0 ? -exact : exact;
    double far_away = size * b->relative + b->absolute;
    if (b->ulps) { /* of f32 */
        const uint32_t e = xg_f32_bits((float)size) >> 23 & 255;
        far_away += b->ulps * xg_sim_scale(1.0, (int)XG_MAX(e, 1u) - 150);
    }
    if (mode == XG_SIM_APPROX_MIXED)
        mode = (salt ^ salt >> 7 ^ salt >> 16) * 0x9E3779B9u >> 31 ? XG_SIM_APPROX_HIGH : XG_SIM_APPROX_LOW;
    return mode == XG_SIM_APPROX_LOW ? exact - far_away : exact + far_away;
}
/* The same as f32, rounded towards the exact value so that it stays within the bound. */
XG_FN float xg_sim_farthest_f32(double exact, xg_sim_approximation which, xg_sim_approx mode, uint32_t salt) {
    const double bent = xg_sim_farthest(exact, which, mode, salt);
    float f = (float)bent;
    uint32_t u = xg_f32_bits(f);
    if ((bent > exact ? (double)f > bent : (double)f < bent) && u << 1)
        u += (f > 0) == (bent > exact) ? 0xFFFFFFFFu : 1u;
    return xg_f32_of_bits(u);
}

/* imm of these functions: an xg_sim_approximation, and 256 times an xg_sim_approx that is not the usual one. */
XG_APART XG_FN float xg_sim_bent(float a, uint32_t imm) {
    xg_sim_approximation which = (xg_sim_approximation)(imm & 255);
    const xg_sim_approx mode = (xg_sim_approx)(imm >> 8);
    const uint32_t salt = xg_f32_bits(a);
    double exact;
    if (a - a != 0 || !(salt & 0x7F800000u) || (salt >> 31 && which >= XG_SIM_AP_RSQRT) ||
        (salt >> 31 && which == XG_SIM_AP_LG2)) { /* the manual's list */
        switch (which) {
        case XG_SIM_AP_EX2: return xg_sim_ex2(a);
        case XG_SIM_AP_LG2: return xg_sim_lg2(a);
        case XG_SIM_AP_SIN: return xg_sim_sincos(a, 0);
        case XG_SIM_AP_COS: return xg_sim_sincos(a, 1);
        case XG_SIM_AP_TANH: return xg_sim_tanh(a);
        case XG_SIM_AP_RCP: return a != a ? xg_f32_of_bits(0x7FFFFFFFu) : 1.0f / a;
        default: break;
        }
        if (a != a || a < 0) return xg_f32_of_bits(0x7FFFFFFFu);
        return which == XG_SIM_AP_SQRT ? (float)sqrt((double)a) : (float)(1.0 / sqrt((double)a));
    }
    switch (which) {
    case XG_SIM_AP_EX2:
        if (a >= 128.0f || a < -149.0f) return xg_sim_ex2(a);
        exact = xg_sim_exp2_wide(a);
        break;
    case XG_SIM_AP_LG2:
        exact = xg_sim_lg2_wide(a);
        if (a > 0.5f && a < 2.0f) which = XG_SIM_AP_LG2_NEAR;
        break;
    case XG_SIM_AP_SIN:
    case XG_SIM_AP_COS:
        exact = xg_sim_sincos_wide(a, which == XG_SIM_AP_COS);
        if (a > 3.14159265f || a < -3.14159265f) which = which == XG_SIM_AP_COS ? XG_SIM_AP_COS_FAR : XG_SIM_AP_SIN_FAR;
        break;
    case XG_SIM_AP_TANH: exact = xg_sim_tanh_wide(a); break;
    case XG_SIM_AP_RCP: exact = 1.0 / a; break;
    case XG_SIM_AP_RSQRT: exact = 1.0 / sqrt((double)a); break;
    default: exact = sqrt((double)a);
    }
    return xg_sim_farthest_f32(exact, which, mode, salt);
}
XG_FN float xg_sim_bent_div(float a, float b, uint32_t imm) {
    const float usual = a / b;
    if (usual != usual) return xg_f32_of_bits(0x7FFFFFFFu);
    if (usual - usual != 0 || usual == 0) return usual;
    return xg_sim_farthest_f32(
        (double)a / (double)b, XG_SIM_AP_DIV, (xg_sim_approx)(imm >> 8), xg_f32_bits(a) ^ xg_f32_bits(b) << 1);
}
#endif /* XG_SIM_MATH_C */
