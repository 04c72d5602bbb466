/* sim/math.c -- the approximate functions, more exact than any device.
 *
 * A GPU computes ex2, lg2, sin, cos, tanh and rsqrt from tables with documented error bounds; the tables are not
 * documented. Here each is computed in double and rounded once, by the same few operations on every host: results are
 * within 0.51 ulp of the exact value (ex2, which must be fast, is computed in f32: within 1.3 ulp; sin and cos: for |x|
 * below 2^20; beyond, where devices promise nothing either, the reduced argument loses bits). So a kernel whose result
 * depends on the last bits of an approximation differs from a device within the device's own error.
 *
 * ex2, tanh and rsqrt are in lanes.c; what stands here of them is for 16-bit floats. */
#ifndef XG_SIM_MATH_C
#define XG_SIM_MATH_C
#include "parse.c"

XG_FN double xg_sim_scale(double v, int n) { return v * xg_sim_f64_bits((uint64_t)(1023 + n) << 52); } /* |n| <= 1022 */

XG_FN double xg_sim_exp2_wide(double x) { /* -1000 < x < 1000 */
    double n = x + 6755399441055744.0 - 6755399441055744.0, f = x - n;
    return xg_sim_scale(XG_SIM_EXP2_SERIES(f), (int)n);
}
XG_FN float xg_sim_ex2(float x) {
    if (x != x) return x;
    if (x >= 128.0f) return xg_sim_f32_bits(0x7F800000u);
    if (x < -160.0f) return 0.0f;
    return (float)xg_sim_exp2_wide(x);
}

XG_FN float xg_sim_lg2(float x) {
    uint32_t u = xg_sim_bits_f32(x);
    int e = 0;
    double m, s, z;
    if (x != x || (u >> 31 && u << 1)) return xg_sim_f32_bits(0x7FFFFFFFu);
    if (u << 1 == 0) return xg_sim_f32_bits(0xFF800000u);
    if (u == 0x7F800000u) return x;
    if (u < 0x00800000u) {
        u = xg_sim_bits_f32(x * 16777216.0f);
        e = -24;
    }
    e += (int)(u >> 23) - 127;
    m = xg_sim_f32_bits((u & 0x7FFFFFu) | 0x3F800000u);
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
    return (float)(s * 1.44269504088896340736 + e);
}

/* sin (quarter 0) or cos (quarter 1) of x: quadrant and remainder, then the short series. */
XG_FN float xg_sim_sincos(float x, int quarter) {
    double r = x, n, z;
    int q;
    if (x - x != 0) return xg_sim_f32_bits(0x7FFFFFFFu);
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
    if (!quarter && x == 0) return x;
    return (float)(q & 2 ? -r : r);
}

XG_FN float xg_sim_tanh(float x) {
    double y = x, t;
    if (x != x) return xg_sim_f32_bits(0x7FFFFFFFu);
    if (y > 20 || y < -20) return y > 0 ? 1.0f : -1.0f;
    t = y * y;
    if (t < 1e-4) return x == 0 ? x : (float)(y * (1.0 - t * (1.0 / 3 - t * (2.0 / 15 - t * (17.0 / 315)))));
    t = xg_sim_exp2_wide(y * 2.88539008177792681472);
    return (float)(1.0 - 2.0 / (t + 1.0));
}
#endif /* XG_SIM_MATH_C */
