/* block/fft_butterfly.c -- what an fft computes in registers: roots of unity and transforms of few elements.
 *
 * - A root exp(sign 2 pi i k / n): k is an integer, so the angle is brought into the first eighth of the turn exactly,
 *   by differences of integers; what is left, at most pi/4, is rounded once, and sine and cosine are the sums of Taylor
 *   up to where the next term is below a quarter of an ulp.
 * - Of 2, 4 and 8 elements the textbook's butterflies; of an odd number p the sums and differences of elements j and p
 *   - j, so that each product of a real number serves two results (Rader and Brenner's form of the definition). Complex
 *   products use fused multiply-adds. */
#ifndef XG_BLOCK_FFT_BUTTERFLY_C
#define XG_BLOCK_FFT_BUTTERFLY_C
#include "block.h"
#include "../eval/eval.h"

XG_FN xg_kval *xg_fft_number(xg_kb *b, const xg_elem *like, double v) {
    return xg_kconst_float(b, like->v->type->elem, v);
}
XG_FN xg_elem xg_fft_plus(xg_kb *b, xg_elem x, xg_elem y) {
    x.v = xg_k2(b, XG_K_OP_ADDF, x.v, y.v);
    x.im = xg_k2(b, XG_K_OP_ADDF, x.im, y.im);
    return x;
}
XG_FN xg_elem xg_fft_minus(xg_kb *b, xg_elem x, xg_elem y) {
    x.v = xg_k2(b, XG_K_OP_SUBF, x.v, y.v);
    x.im = xg_k2(b, XG_K_OP_SUBF, x.im, y.im);
    return x;
}
/* x + sign i y */
XG_FN xg_elem xg_fft_plus_turned(xg_kb *b, xg_elem x, xg_elem y, double sign) {
    x.v = xg_k2(b, sign < 0 ? XG_K_OP_ADDF : XG_K_OP_SUBF, x.v, y.im);
    x.im = xg_k2(b, sign < 0 ? XG_K_OP_SUBF : XG_K_OP_ADDF, x.im, y.v);
    return x;
}
XG_FN xg_elem xg_fft_scaled(xg_kb *b, xg_elem x, double v) {
    xg_kval *s = xg_fft_number(b, &x, v);
    x.v = xg_kmulf(b, x.v, s);
    if (x.im) x.im = xg_kmulf(b, x.im, s);
    return x;
}
XG_FN xg_elem xg_fft_times(xg_kb *b, xg_elem x, xg_elem w) {
    xg_elem r;
    xg_kval *t = xg_k1(b, XG_K_OP_NEGF, xg_kmulf(b, x.im, w.im));
    r.v = xg_k3(b, XG_K_OP_FMA, x.v, w.v, t);
    t = xg_kmulf(b, x.im, w.v);
    r.im = xg_k3(b, XG_K_OP_FMA, x.v, w.im, t);
    return r;
}

/* ---- roots ---- */

/* 1 + z (c1 + z (c2 + ...)), term k having 1 over the factorial of 2 k + odd, with the sign of its place. */
XG_FN xg_kval *xg_fft_series(xg_kb *b, xg_kval *z, int terms, int odd) {
    double c[12], f = 1;
    xg_kval *r;
    int k;
    for (k = 1; k <= terms; k++) {
        f /= (double)(2 * k - 1 + odd) * (2 * k + odd) * -1.0;
        c[k] = f;
    }
    r = xg_kconst_float(b, z->type->elem, c[terms]);
    for (k = terms - 1; k >= 1; k--) r = xg_k3(b, XG_K_OP_FMA, z, r, xg_kconst_float(b, z->type->elem, c[k]));
    return r;
}
XG_FN xg_kval *xg_fft_fold(xg_kb *b, xg_kval **n, int64_t twice, int64_t above) { /* n > above: twice - n */
    xg_kval *is = xg_kcmpi_int(b, XG_CI_SGT, *n, above),
            *other = xg_ksubi(b, xg_kconst_int(b, (*n)->type->elem, twice), *n);
    *n = xg_kselect(b, is, other, *n);
    return is;
}
XG_FN xg_kval *xg_fft_negate_where(xg_kb *b, xg_kval *where, xg_kval *x) {
    return where ? xg_kselect(b, where, xg_k1(b, XG_K_OP_NEGF, x), x) : x;
}
XG_FN xg_elem xg_fft_root_at(xg_kb *b, xg_kval *k, int64_t most, int64_t n, double sign, xg_kelem real) {
    xg_kelem word = 4 * n <= INT32_MAX ? XG_E_I32 : XG_E_I64;
    xg_kval *t = xg_kcast_index(b, k, word), *lower = NULL, *left = NULL, *steep = NULL, *a, *z, *zc;
    bool wide = real == XG_E_F64;
    xg_elem w;
    /* in quarters of 1 / n of a turn, n of them a quarter turn */
    t = xg_k2_int(b, XG_K_OP_MULI, t, 4);
    xg_kval_set_range(t, xg_range_of(0, 4 * most));
    if (4 * most > 2 * n) lower = xg_fft_fold(b, &t, 4 * n, 2 * n);
    if (4 * most > n) left = xg_fft_fold(b, &t, 2 * n, n);
    if (8 * most > n) steep = xg_fft_fold(b, &t, n, n / 2);
    a = XG_KOP2(b, XG_K_OP_MULF, xg_kcast(b, XG_K_OP_SITOFP, t, real),
        xg_kconst_float(b, real, 1.57079632679489661923 / (double)n));
    z = xg_kmulf(b, a, a);
    zc = xg_fft_series(b, z, wide ? 8 : 5, 0);
    w.v = xg_k3(b, XG_K_OP_FMA, z, zc, xg_kconst_float(b, real, 1));
    zc = xg_kmulf(b, a, z);
    w.im = xg_k3(b, XG_K_OP_FMA, zc, xg_fft_series(b, z, wide ? 8 : 4, 1), a);
    if (steep) {
        a = xg_kselect(b, steep, w.im, w.v);
        w.im = xg_kselect(b, steep, w.v, w.im);
        w.v = a;
    }
    w.v = xg_fft_negate_where(b, left, w.v);
    w.im = xg_fft_negate_where(b, lower, w.im);
    if (sign < 0) w.im = xg_k1(b, XG_K_OP_NEGF, w.im);
    return w;
}

/* ---- transforms ---- */

XG_FN void xg_fft_of_2(xg_kb *b, xg_elem *x, xg_elem *y) {
    xg_elem s = xg_fft_plus(b, *x, *y);
    *y = xg_fft_minus(b, *x, *y);
    *x = s;
}
/* In the order x, y, z, w. */
XG_FN void xg_fft_of_4(xg_kb *b, xg_elem *x, xg_elem *y, xg_elem *z, xg_elem *w, double sign) {
    xg_elem d;
    xg_fft_of_2(b, x, z);
    xg_fft_of_2(b, y, w);
    xg_fft_of_2(b, x, y); /* x0, x2 */
    d = *z;
    *z = *y;
    *y = xg_fft_plus_turned(b, d, *w, sign);
    *w = xg_fft_plus_turned(b, d, *w, -sign);
}
XG_APART XG_FN void xg_fft_of_8(xg_kb *b, xg_elem *x, double sign) {
    xg_elem even[4], odd[4], t;
    int k;
    for (k = 0; k < 4; k++) {
        even[k] = x[2 * k];
        odd[k] = x[2 * k + 1];
    }
    xg_fft_of_4(b, &even[0], &even[1], &even[2], &even[3], sign);
    xg_fft_of_4(b, &odd[0], &odd[1], &odd[2], &odd[3], sign);
    odd[1] = xg_fft_scaled(
        b, xg_fft_plus_turned(b, odd[1], odd[1], sign), 0.70710678118654752440); /* (1 + sign i) / sqrt 2 */
    /* less than the product with the root by a sign */
    odd[3] = xg_fft_scaled(b, xg_fft_plus_turned(b, odd[3], odd[3], -sign), 0.70710678118654752440);
    for (k = 0; k < 4; k++) {
        if (k == 2) {
            x[2] = xg_fft_plus_turned(b, even[2], odd[2], sign);
            x[6] = xg_fft_plus_turned(b, even[2], odd[2], -sign);
            continue;
        }
        t = odd[k];
        x[k] = k == 3 ? xg_fft_minus(b, even[3], t) : xg_fft_plus(b, even[k], t);
        x[k + 4] = k == 3 ? xg_fft_plus(b, even[3], t) : xg_fft_minus(b, even[k], t);
    }
}
XG_APART XG_FN void xg_fft_of_odd(xg_kb *b, xg_elem *x, int64_t p, double sign) {
    xg_elem sum[XG_FFT_RADIX_MAX / 2 + 1], difference[XG_FFT_RADIX_MAX / 2 + 1], first = x[0], all = x[0];
    int64_t h = p / 2, k, j;
    for (j = 1; j <= h; j++) {
        sum[j] = xg_fft_plus(b, x[j], x[p - j]);
        difference[j] = xg_fft_minus(b, x[j], x[p - j]);
        all = xg_fft_plus(b, all, sum[j]);
    }
    x[0] = all;
    for (k = 1; k <= h; k++) {
        xg_elem across = first, along;
        along.v = along.im = NULL;
        for (j = 1; j <= h; j++) {
            xg_complex root = xg_fft_root(j * k % p, p, 1);
            xg_kval *c = xg_fft_number(b, &first, root.re), *s = xg_fft_number(b, &first, root.im);
            across.v = xg_k3(b, XG_K_OP_FMA, sum[j].v, c, across.v);
            across.im = xg_k3(b, XG_K_OP_FMA, sum[j].im, c, across.im);
            along.v = along.v ? xg_k3(b, XG_K_OP_FMA, difference[j].v, s, along.v) : xg_kmulf(b, difference[j].v, s);
            along.im =
                along.im ? xg_k3(b, XG_K_OP_FMA, difference[j].im, s, along.im) : xg_kmulf(b, difference[j].im, s);
        }
        x[k] = xg_fft_plus_turned(b, across, along, sign);
        x[p - k] = xg_fft_plus_turned(b, across, along, -sign);
    }
}
XG_FN void xg_fft_butterfly(xg_kb *b, xg_elem *x, int64_t radix, double sign) {
    switch (radix) {
    case 1: return;
    case 2: xg_fft_of_2(b, &x[0], &x[1]); return;
    case 4: xg_fft_of_4(b, &x[0], &x[1], &x[2], &x[3], sign); return;
    case 8: xg_fft_of_8(b, x, sign); return;
    default: xg_fft_of_odd(b, x, radix, sign); return;
    }
}

#endif /* XG_BLOCK_FFT_BUTTERFLY_C */
