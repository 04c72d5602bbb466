/* eval/math.c -- scalar functions that the C library lacks: integer helpers and complex functions.
 *
 * Complex functions work in double for c64 and c128 alike: c64 gets results that are right to the last bit but one,
 * c128 a few ulp where the formulas are well conditioned. The formulas avoid cancellation and overflow by cases; branch
 * cuts and signed zeros follow C99's Annex G. C's own <complex.h> is not used: C++ does not have it. */
#ifndef XG_EVAL_MATH_C
#define XG_EVAL_MATH_C
#include "eval.h"

#define XG_PI_2 1.57079632679489661923
#define XG_PI_4 0.785398163397448309616
#define XG_PI 3.14159265358979323846
#define XG_LN2 0.693147180559945309417

/* ---- angles ---- */

XG_FN const uint64_t *xg_two_over_pi(void) {
    XG_TABLE const uint64_t words[XG_TWO_OVER_PI] = {0x00000000A2F9836Eu, 0x4E441529FC2757D1u, 0xF534DDC0DB629599u,
        0x3C439041FE5163ABu, 0xDEBBC561B7246E3Au, 0x424DD2E006492EEAu, 0x09D1921CFE1DEB1Cu, 0xB129A73EE88235F5u,
        0x2EBB4484E99C7026u, 0xB45F7E413991D639u, 0x835339F49C845F8Bu, 0xBDF9283B1FF897FFu, 0xDE05980FEF2F118Bu,
        0x5A0A6D1F6D367ECFu, 0x27CB09B74F463F66u, 0x9E5FEA2D7527BAC7u, 0xEBE5F17B3D0739F7u, 0x8A5292EA6BFB5FB1u,
        0x1F8D5D0856033046u};
    return words;
}

#ifdef __MINGW32__
/* The C library of MinGW takes angles apart with the 66 bits of pi that the x87 has: beyond 2^22 too few. Payne and
 * Hanek's way: |x| = m 2^e times three words of 2/pi, of whose product the bits about the point are kept. r in
 * [-pi/4, pi/4]; the quarter turns modulo 4. */
XG_FN int xg_angle_far(double x, double *r) {
    const uint64_t *v = xg_two_over_pi();
    uint64_t bits, m, w[3], mid, top, carry, high, low;
    int from, left, k, q;
    memcpy(&bits, &x, sizeof bits);
    m = (bits & 0x000FFFFFFFFFFFFFu) | 0x0010000000000000u;
    from = (int)(bits >> 52 & 2047) - 1045;
    v += from >> 6;
    left = from & 63;
    for (k = 0; k < 3; k++) w[k] = v[k] << left | v[k + 1] >> 1 >> (63 - left);
    carry = xg_eval_mulhi(m, w[2], 64, false);
    mid = m * w[1] + carry;
    top = m * w[0] + xg_eval_mulhi(m, w[1], 64, false) + (mid < carry);
    q = (int)(top >> 62);
    high = top << 2 | mid >> 62;
    low = mid << 2;
    if (high >> 63) { /* nearer to the next quarter turn */
        q++;
        low = 0 - low;
        high = ~high + (low == 0);
        *r = -XG_PI_2 * (ldexp((double)high, -64) + ldexp((double)low, -128));
    } else
        *r = XG_PI_2 * (ldexp((double)high, -64) + ldexp((double)low, -128));
    if (bits >> 63) {
        *r = -*r;
        q = -q;
    }
    return q & 3;
}
XG_FN bool xg_angle_is_far(double x) { return fabs(x) >= 4194304.0 && x - x == 0; }
XG_FN double xg_sin(double x) {
    double r;
    int q;
    if (!xg_angle_is_far(x)) return sin(x);
    q = xg_angle_far(x, &r);
    return (q & 2 ? -1 : 1) * (q & 1 ? cos(r) : sin(r));
}
XG_FN double xg_cos(double x) {
    double r;
    int q;
    if (!xg_angle_is_far(x)) return cos(x);
    q = xg_angle_far(x, &r);
    return (q == 1 || q == 2 ? -1 : 1) * (q & 1 ? sin(r) : cos(r));
}
XG_FN double xg_tan(double x) { return xg_angle_is_far(x) ? xg_sin(x) / xg_cos(x) : tan(x); }
#endif

/* ---- integers ---- */

/* The high half of the product of two `bits` wide numbers (sign- or zero-extended to 64 bits). */
XG_FN uint64_t xg_eval_mulhi(uint64_t a, uint64_t b, int bits, bool is_signed) {
    uint64_t al = a & 0xffffffffu, ah = a >> 32, bl = b & 0xffffffffu, bh = b >> 32, mid, high;
    if (bits <= 32) return is_signed ? (uint64_t)((int64_t)(a * b) >> bits) : (a * b) >> bits;
    mid = ah * bl + ((al * bl) >> 32);
    high = ah * bh + (mid >> 32) + ((al * bh + (mid & 0xffffffffu)) >> 32);
    if (is_signed) {
        if (a >> 63) high -= b;
        if (b >> 63) high -= a;
    }
    return high;
}

/* Wraps like repeated multiplication. A negative exponent gives the truncated fraction: 0, except for bases 1 and -1.
 * As XLA has it on every platform, only the low six bits of the exponent count. */
XG_FN uint64_t xg_eval_int_power(uint64_t base, uint64_t exponent, int bits) {
    uint64_t result = 1, ones = UINT64_MAX >> (64 - bits);
    if (exponent >> (bits - 1) & 1) {
        if ((base & ones) == 1) return 1;
        if ((base & ones) == ones) return exponent & 1 ? UINT64_MAX : 1;
        return 0;
    }
    for (exponent &= 63; exponent; exponent >>= 1, base *= base)
        if (exponent & 1) result *= base;
    return result;
}

/* ---- complex arithmetic ---- */

XG_FN xg_complex xg_complex_of(double re, double im) {
    xg_complex z;
    z.re = re;
    z.im = im;
    return z;
}
XG_ONE_COPY XG_FN bool xg_is_finite(double x) { return x - x == 0; }
XG_ONE_COPY XG_FN bool xg_is_inf(double x) { return x == HUGE_VAL || x == -HUGE_VAL; }
XG_FN bool xg_is_nan(double x) { return x != x; }

XG_FN xg_complex xg_complex_mul(xg_complex a, xg_complex b) {
    return xg_complex_of(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}

/* Scaled by a power of two so that nothing overflows or vanishes on the way; zeros and infinities as in Annex G. */
XG_FN xg_complex xg_complex_div(xg_complex a, xg_complex b) {
    double big = fmax(fabs(b.re), fabs(b.im)), bre = b.re, bim = b.im, den, re, im;
    int scale = 0;
    if (xg_is_finite(big) && big != 0) {
        (void)frexp(big, &scale);
        bre = ldexp(bre, -scale);
        bim = ldexp(bim, -scale);
    }
    den = bre * bre + bim * bim;
    re = ldexp((a.re * bre + a.im * bim) / den, -scale);
    im = ldexp((a.im * bre - a.re * bim) / den, -scale);
    if (xg_is_finite(re) && xg_is_finite(im)) return xg_complex_of(re, im);
    if (den == 0 && (!xg_is_nan(a.re) || !xg_is_nan(a.im))) {
        double inf = copysign(HUGE_VAL, b.re);
        return xg_complex_of(inf * a.re, inf * a.im);
    }
    if ((xg_is_inf(a.re) || xg_is_inf(a.im)) && xg_is_finite(b.re) && xg_is_finite(b.im)) {
        double p = copysign(xg_is_inf(a.re) ? 1.0 : 0.0, a.re), q = copysign(xg_is_inf(a.im) ? 1.0 : 0.0, a.im);
        return xg_complex_of(HUGE_VAL * (p * b.re + q * b.im), HUGE_VAL * (q * b.re - p * b.im));
    }
    if (xg_is_inf(big) && xg_is_finite(a.re) && xg_is_finite(a.im)) {
        double p = copysign(xg_is_inf(b.re) ? 1.0 : 0.0, b.re), q = copysign(xg_is_inf(b.im) ? 1.0 : 0.0, b.im);
        return xg_complex_of(0.0 * (a.re * p + a.im * q), 0.0 * (a.im * p - a.re * q));
    }
    /* the numerator overflowed: do it at a quarter of the size */
    if (xg_is_finite(a.re) && xg_is_finite(a.im) && xg_is_finite(big)) {
        double ar = ldexp(a.re, -2), ai = ldexp(a.im, -2);
        return xg_complex_of(
            ldexp((ar * bre + ai * bim) / den, 2 - scale), ldexp((ai * bre - ar * bim) / den, 2 - scale));
    }
    return xg_complex_of(re, im);
}

/* ---- exponentials and their kin ---- */

/* exp(x) * f without overflow of exp(x) alone, where exp(x) * f is finite. */
XG_FN double xg_exp_times(double x, double f) {
    if (x > 700 && xg_is_finite(x)) {
        double half = exp(x * 0.5);
        return half * f * half;
    }
    return exp(x) * f;
}

XG_FN xg_complex xg_complex_exp(xg_complex z) {
    if (z.im == 0) return xg_complex_of(exp(z.re), z.im);
    if (!xg_is_finite(z.im)) {
        if (z.re == -HUGE_VAL) return xg_complex_of(0, 0);
        if (z.re == HUGE_VAL) return xg_complex_of(z.re, z.im - z.im);
        return xg_complex_of(z.im - z.im, z.im - z.im);
    }
    return xg_complex_of(xg_exp_times(z.re, xg_cos(z.im)), xg_exp_times(z.re, xg_sin(z.im)));
}

XG_FN xg_complex xg_complex_expm1(xg_complex z) {
    xg_complex e;
    double s;
    if (z.im == 0) return xg_complex_of(expm1(z.re), z.im);
    if (!(fabs(z.re) < 700) || !xg_is_finite(z.im)) {
        e = xg_complex_exp(z);
        e.re -= 1;
        return e;
    }
    s = xg_sin(z.im * 0.5);
    e.re = expm1(z.re) * xg_cos(z.im) - 2 * s * s;
    e.im = exp(z.re) * xg_sin(z.im);
    return e;
}

/* log|1 + x + iy| for small x and y: half of log1p(2x + xx + yy), that sum in twice the precision. */
XG_FN double xg_log1p_abs(double x, double y) {
    double p = x * x, pe = fma(x, x, -p), q = y * y, qe = fma(y, y, -q), s, b, e, t;
    s = 2 * x + p;
    b = s - 2 * x;
    e = (2 * x - (s - b)) + (p - b);
    t = s + q;
    b = t - s;
    e += (s - (t - b)) + (q - b);
    return 0.5 * log1p(t + (e + pe + qe));
}

XG_FN double xg_log_abs(double x, double y) {
    double a = fmax(fabs(x), fabs(y)), b = fmin(fabs(x), fabs(y));
    int e;
    if (xg_is_inf(x) || xg_is_inf(y)) return HUGE_VAL;
    if (xg_is_nan(x) || xg_is_nan(y)) return x + y;
    if (a == 0) return -HUGE_VAL;
    if (a > 0.5 && a < 2 && b < 2) return xg_log1p_abs(a - 1, b);
    if (a > 1e150 || a < 1e-150) {
        (void)frexp(a, &e);
        return log(hypot(ldexp(a, -e), ldexp(b, -e))) + e * XG_LN2;
    }
    return log(hypot(a, b));
}

XG_FN xg_complex xg_complex_log(xg_complex z) { return xg_complex_of(xg_log_abs(z.re, z.im), atan2(z.im, z.re)); }

XG_FN xg_complex xg_complex_log1p(xg_complex z) {
    double im = atan2(z.im, 1 + z.re);
    if (z.im == 0 && z.re >= -1) return xg_complex_of(log1p(z.re), im);
    if (fabs(z.re) < 1 && fabs(z.im) < 1 && !(z.re < -0.5)) return xg_complex_of(xg_log1p_abs(z.re, z.im), im);
    return xg_complex_of(xg_log_abs(1 + z.re, z.im), im);
}

XG_FN xg_complex xg_complex_sqrt(xg_complex z) {
    double x = z.re, y = z.im, t;
    int e = 0;
    if (x == 0 && y == 0) return xg_complex_of(0, y);
    if (xg_is_inf(y)) return xg_complex_of(HUGE_VAL, y);
    if (xg_is_nan(x)) return xg_complex_of(x, x);
    if (xg_is_inf(x))
        return x > 0 ? xg_complex_of(x, xg_is_nan(y) ? y : copysign(0.0, y))
                     : xg_complex_of(xg_is_nan(y) ? y : 0.0, copysign(HUGE_VAL, y));
    if (xg_is_nan(y)) return xg_complex_of(y, y);
    (void)frexp(fmax(fabs(x), fabs(y)), &e);
    e -= e & 1; /* even, so that the root scales exactly; near 1 nothing can go wrong */
    x = ldexp(x, -e);
    y = ldexp(y, -e);
    t = sqrt((fabs(x) + hypot(x, y)) * 0.5);
    if (x >= 0) return xg_complex_of(ldexp(t, e / 2), ldexp(y / (2 * t), e / 2));
    return xg_complex_of(ldexp(fabs(y) / (2 * t), e / 2), copysign(ldexp(t, e / 2), y));
}

XG_FN xg_complex xg_complex_rsqrt(xg_complex z) {
    if (z.re == 0 && z.im == 0) return xg_complex_of(HUGE_VAL, z.im != z.im ? z.im : copysign(0.0, -z.im));
    if ((xg_is_inf(z.re) || xg_is_inf(z.im)) && !xg_is_nan(z.re) && !xg_is_nan(z.im))
        return xg_complex_of(0, copysign(0.0, -z.im));
    return xg_complex_div(xg_complex_of(1, 0), xg_complex_sqrt(z));
}

XG_FN xg_complex xg_complex_pow(xg_complex a, xg_complex b) {
    if (b.re == 0 && b.im == 0) return xg_complex_of(1, 0);
    if (a.re == 0 && a.im == 0) {
        if (b.im == 0) return xg_complex_of(pow(0.0, b.re), 0);
        if (b.re > 0) return xg_complex_of(0, 0);
        return xg_complex_of(b.re - b.re == 0 ? xg_f64_nan() : b.re, xg_f64_nan());
    }
    if (b.im == 0 && b.re == 1) return a;
    return xg_complex_exp(xg_complex_mul(b, xg_complex_log(a)));
}

/* ---- hyperbolic and circular ---- */

/* sinh(x) * f and cosh(x) * f without overflow before the product. */
XG_FN double xg_sinh_times(double x, double f) {
    return fabs(x) > 700 && xg_is_finite(x) ? copysign(0.5, x) * xg_exp_times(fabs(x), f) : sinh(x) * f;
}
XG_FN double xg_cosh_times(double x, double f) {
    return fabs(x) > 700 && xg_is_finite(x) ? 0.5 * xg_exp_times(fabs(x), f) : cosh(x) * f;
}

XG_FN xg_complex xg_complex_sinh(xg_complex z) {
    if (z.im == 0) return xg_complex_of(sinh(z.re), z.im);
    if (z.re == 0) return xg_complex_of(xg_is_finite(z.im) ? z.re * xg_cos(z.im) : z.re, xg_sin(z.im));
    return xg_complex_of(xg_sinh_times(z.re, xg_cos(z.im)), xg_cosh_times(z.re, xg_sin(z.im)));
}

XG_FN xg_complex xg_complex_cosh(xg_complex z) {
    if (z.im == 0)
        return xg_complex_of(cosh(z.re), z.re == 0 || z.re != z.re ? z.im * (z.re == 0 ? copysign(1.0, z.re) : 1)
                                                                   : copysign(0.0, z.re) * copysign(1.0, z.im));
    if (z.re == 0) return xg_complex_of(xg_cos(z.im), xg_is_finite(z.im) ? z.re * xg_sin(z.im) : copysign(0.0, z.re));
    return xg_complex_of(xg_cosh_times(z.re, xg_cos(z.im)), xg_sinh_times(z.re, xg_sin(z.im)));
}

/* Kahan's formula: with t = tan y, s = sinh x: (cosh x sinh x (1 + tt) + i t) / (1 + (1 + tt) ss). */
XG_FN xg_complex xg_complex_tanh(xg_complex z) {
    double x = z.re, y = z.im, t, beta, s, rho, den;
    if (y == 0) return xg_complex_of(tanh(x), y);
    if (x == 0 && !xg_is_finite(y)) return xg_complex_of(x, y - y);
    if (fabs(x) > 22) {
        double im = xg_is_finite(y) ? 4 * xg_sin(y) * xg_cos(y) * exp(-2 * fabs(x)) : 0;
        if (xg_is_inf(x))
            im = xg_is_finite(y) ? copysign(0.0, xg_sin(2 * y)) : copysign(0.0, y);
        else if (!xg_is_finite(y))
            return xg_complex_of(y - y, y - y);
        return xg_complex_of(copysign(1.0, x), im);
    }
    t = xg_tan(y);
    beta = 1 + t * t;
    s = sinh(x);
    rho = sqrt(1 + s * s);
    if (xg_is_inf(t)) return xg_complex_of(rho / s, 1 / t);
    den = 1 + beta * s * s;
    return xg_complex_of(beta * rho * s / den, t / den);
}

/* f(iz) for the circular ones: sin z = -i sinh iz, cos z = cosh iz, tan z = -i tanh iz. */
XG_FN xg_complex xg_complex_times_i(xg_complex z) { return xg_complex_of(-z.im, z.re); }
XG_FN xg_complex xg_complex_times_minus_i(xg_complex z) { return xg_complex_of(z.im, -z.re); }
XG_FN xg_complex xg_complex_sin(xg_complex z) {
    return xg_complex_times_minus_i(xg_complex_sinh(xg_complex_times_i(z)));
}
XG_FN xg_complex xg_complex_cos(xg_complex z) { return xg_complex_cosh(xg_complex_times_i(z)); }
XG_FN xg_complex xg_complex_tan(xg_complex z) {
    return xg_complex_times_minus_i(xg_complex_tanh(xg_complex_times_i(z)));
}

XG_FN xg_complex xg_complex_logistic(xg_complex z) {
    xg_complex e = xg_complex_exp(xg_complex_of(-z.re, -z.im));
    if (xg_is_inf(e.re) || xg_is_inf(e.im)) return xg_complex_of(0, 0);
    e.re += 1;
    return xg_complex_div(xg_complex_of(1, 0), e);
}

/* ---- inverse functions: Hull, Fairgrieve and Tang's arcsine and arccosine ---- */

/* For x, y >= 0, what both need: *sine and *cosine are asin and acos of the real part, *height the size of the
 * imaginary one. */
XG_FN void xg_arc_parts(double x, double y, double *sine, double *cosine, double *height) {
    double r, s, a, b, am1, p;
    if (x > 1e150 || y > 1e150) { /* far out: asin z = atan(x/y) + i log 2|z| */
        *sine = atan2(x, y);
        *cosine = atan2(y, x);
        *height = XG_LN2 + xg_log_abs(x, y);
        return;
    }
    if (y < 1e-150 && fabs(x - 1) > 1e-150) { /* on the axis to all digits */
        if (x < 1) {
            *sine = asin(x);
            *cosine = acos(x);
            *height = y / sqrt((1 - x) * (1 + x));
        } else {
            *cosine = y / sqrt((x - 1) * (x + 1));
            *sine = XG_PI_2;
            *height = log1p((x - 1) + sqrt((x - 1) * (x + 1)));
        }
        return;
    }
    if (y < 1e-150) {
        *cosine = sqrt(y);
        *sine = XG_PI_2;
        *height = sqrt(y);
        return;
    }
    r = hypot(x + 1, y);
    s = hypot(x - 1, y);
    a = 0.5 * (r + s);
    b = x / a;
    p = x <= 1 ? 0.5 * (a + x) * (y * y / (r + x + 1) + (s + (1 - x)))
               : 0.5 * (a + x) * y * y * (1 / (r + x + 1) + 1 / (s + (x - 1)));
    p = sqrt(p);
    *sine = b <= 0.6417 ? asin(b) : atan2(x, p);
    *cosine = b <= 0.6417 ? acos(b) : atan2(p, x);
    am1 = x < 1 ? 0.5 * (y * y / (r + x + 1) + y * y / (s + (1 - x))) : 0.5 * (y * y / (r + x + 1) + (s + (x - 1)));
    *height = a <= 1.5 ? log1p(am1 + sqrt(am1 * (a + 1))) : log(a + sqrt(a * a - 1));
}

XG_FN xg_complex xg_complex_asin(xg_complex z) {
    double x = fabs(z.re), y = fabs(z.im), sine, cosine, height;
    if (xg_is_nan(x) || xg_is_nan(y)) {
        if (xg_is_inf(y)) return xg_complex_of(x, z.im);
        if (xg_is_inf(x)) return xg_complex_of(y, x);
        if (x == 0) return xg_complex_of(z.re, y);
        return xg_complex_of(x + y, x + y);
    }
    if (xg_is_inf(x) || xg_is_inf(y))
        return xg_complex_of(
            copysign(xg_is_inf(x) ? (xg_is_inf(y) ? XG_PI_4 : XG_PI_2) : 0.0, z.re), copysign(HUGE_VAL, z.im));
    xg_arc_parts(x, y, &sine, &cosine, &height);
    return xg_complex_of(copysign(sine, z.re), copysign(height, z.im));
}

XG_FN xg_complex xg_complex_acos(xg_complex z) {
    double x = fabs(z.re), y = fabs(z.im), sine, cosine, height;
    if (xg_is_nan(x) || xg_is_nan(y)) {
        if (xg_is_inf(x)) return xg_complex_of(y, z.re < 0 ? HUGE_VAL : -HUGE_VAL);
        if (xg_is_inf(y)) return xg_complex_of(x, -z.im);
        if (x == 0) return xg_complex_of(XG_PI_2, y);
        return xg_complex_of(x + y, x + y);
    }
    if (xg_is_inf(x) || xg_is_inf(y)) {
        double angle = !xg_is_inf(x)   ? XG_PI_2
                       : !xg_is_inf(y) ? (z.re > 0 ? 0 : XG_PI)
                       : z.re > 0      ? XG_PI_4
                                       : 3 * XG_PI_4;
        return xg_complex_of(angle, copysign(HUGE_VAL, -z.im));
    }
    xg_arc_parts(x, y, &sine, &cosine, &height);
    return xg_complex_of(z.re >= 0 ? cosine : XG_PI - cosine, copysign(height, -z.im));
}

XG_FN xg_complex xg_complex_acosh(xg_complex z) {
    xg_complex w = xg_complex_acos(z);
    return xg_complex_of(fabs(w.im), copysign(w.re, z.im));
}

XG_FN xg_complex xg_complex_asinh(xg_complex z) {
    return xg_complex_times_minus_i(xg_complex_asin(xg_complex_times_i(z)));
}

XG_FN xg_complex xg_complex_atanh(xg_complex z) {
    double x = fabs(z.re), y = fabs(z.im), re, im, d;
    if (xg_is_inf(y)) return xg_complex_of(copysign(0.0, z.re), copysign(XG_PI_2, z.im));
    if (xg_is_nan(y)) return xg_complex_of(xg_is_inf(x) || x == 0 ? copysign(0.0, z.re) : y, y);
    if (xg_is_nan(x)) return xg_complex_of(x, x);
    if (x > 1e150 || y > 1e150) {
        double h = fmax(x, y), u = x / h, v = y / h;
        return xg_complex_of(copysign(xg_is_inf(h) ? 0.0 : u / (u * u + v * v) / h, z.re), copysign(XG_PI_2, z.im));
    }
    d = (1 - x) * (1 - x) + y * y;
    if (x == 1 && y < 1e-150)
        re = y == 0 ? HUGE_VAL : 0.5 * (XG_LN2 - log(y));
    else
        re = 0.25 * log1p(4 * (x / d));
    im = x == 1 && y == 0 ? 0 : 0.5 * atan2(2 * y, (1 - x) * (1 + x) - y * y);
    return xg_complex_of(copysign(re, z.re), copysign(im, z.im));
}

/* atan2(a, b) = -i log((b + ia) / sqrt(aa + bb)). */
XG_FN xg_complex xg_complex_atan2(xg_complex a, xg_complex b) {
    xg_complex aa = xg_complex_mul(a, a), bb = xg_complex_mul(b, b), top = xg_complex_of(b.re - a.im, b.im + a.re);
    return xg_complex_times_minus_i(
        xg_complex_log(xg_complex_div(top, xg_complex_sqrt(xg_complex_of(aa.re + bb.re, aa.im + bb.im)))));
}

XG_FN xg_complex xg_complex_sign(xg_complex z) {
    double size;
    if (z.re == 0 && z.im == 0) return xg_complex_of(0, 0);
    size = hypot(z.re, z.im);
    return xg_complex_of(z.re / size, z.im / size);
}

/* Ordered by the real part, then by the imaginary one; whatever has a NaN in the way is not ordered. */
XG_FN bool xg_complex_least(xg_complex a, xg_complex b) { return a.re <= b.re; }
XG_FN bool xg_complex_less(xg_complex a, xg_complex b) { return a.re < b.re || (a.re == b.re && a.im < b.im); }

#undef XG_PI_2
#undef XG_PI_4
#undef XG_PI
#undef XG_LN2
#endif /* XG_EVAL_MATH_C */
