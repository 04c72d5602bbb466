/* expand/fft_expander.c -- an fft that neither one block (fft_stages.c) nor a few kernels (fuse/fft_passes.c) can make,
 * as others that they can.
 *
 * - Of real numbers, whose last dimension is too long: the complex transform, cut off; back to real numbers: the
 *   missing half of the spectrum is its mirror image.
 * - A length with a large prime factor becomes a cyclic convolution, by transforms of a power of two (Bluestein, "A
 *   linear filtering approach to the computation of discrete Fourier transform", 1970). Its roots are computed where
 *   they are needed, from iotas in integers modulo n. */
#ifndef XG_EXPAND_FFT_EXPANDER_C
#define XG_EXPAND_FFT_EXPANDER_C
#include "../eval/eval.h"
#include "expand.h"

typedef struct xg_fft {
    const xg_hb *b;
    xlagpu_type type, real;
    double sign;
} xg_fft; /* type: of the complex numbers */

/* ---- roots ---- */

/* exp(sign 2 pi i turns / n), turns in 0 .. n - 1, integers. */
XG_FN xg_inst *xg_fft_computed(const xg_fft *f, xg_inst *turns, int64_t n) {
    xg_inst *angle = xg_hb_convert(f->b, turns, f->real), *cosine;
    angle = xg_hb_mul(f->b, angle, xg_hb_float_like(f->b, angle, f->sign * 6.28318530717958647693 / (double)n));
    cosine = xg_hb_1(f->b, XG_COSINE, angle);
    return xg_hb_2(f->b, XG_COMPLEX, cosine, xg_hb_1(f->b, XG_SINE, angle));
}
/* ---- one dimension: lines [count, n] ---- */

/* The transform of complex numbers as an instruction. */
XG_FN xg_inst *xg_fft_plain(const xg_fft *f, xg_inst *x, const int64_t *lengths, uint32_t n) {
    xg_inst *i = xg_hb_of(f->b, XG_FFT, x->shape, x);
    xg_inst_set_str(i, XG_A_fft_type, f->sign < 0 ? XG_STR("FFT") : XG_STR("IFFT"));
    xg_inst_set_ints(i, XG_A_fft_length, lengths, n);
    return i;
}
/* With w[j] = exp(sign pi i j^2 / n): y[k] = w[k] sum over j of (x[j] w[j]) conj(w[k - j]). */
XG_FN xg_inst *xg_fft_convolved(const xg_fft *f, xg_inst *x, int64_t n) {
    XG_TABLE const int64_t last[1] = {1};
    int64_t m = 1, dims[2], start[2];
    xg_fft forward = *f, backward = *f;
    xg_inst *turns, *w, *conj, *mirror, *a, *c, *zero, *parts[3], *imag;
    xg_pad_dim pad[2];
    while (m < 2 * n - 1) m *= 2;
    forward.sign = -1;
    backward.sign = 1;
    dims[0] = 1;
    dims[1] = n;
    turns = xg_hb_iota(f->b, XLAGPU_S64, dims, 2, 1);
    turns = xg_hb_mul(f->b, turns, turns);
    turns = xg_hb_2(f->b, XG_REMAINDER, turns, xg_hb_int_like(f->b, turns, 2 * n));
    w = xg_fft_computed(f, turns, 2 * n);
    imag = xg_hb_1(f->b, XG_IMAG, w);
    a = xg_hb_1(f->b, XG_REAL, w);
    conj = xg_hb_2(f->b, XG_COMPLEX, a, xg_hb_1(f->b, XG_NEGATE, imag));
    zero = xg_hb_convert(f->b, xg_hb_zero(f->b, f->real), f->type);
    dims[1] = m - 2 * n + 1;
    start[0] = 1;
    mirror = xg_hb_reverse(f->b, xg_hb_slice_dim(f->b, conj, 1, start[0], n), last, 1);
    parts[0] = conj;
    parts[1] = xg_hb_splat(f->b, zero, dims, 2);
    parts[2] = mirror;
    c = xg_fft_plain(&forward, xg_hb_concat(f->b, parts, 3, 1), &m, 1); /* [1, m] */
    c = xg_hb_reshape(f->b, c, &m, 1);
    memset(pad, 0, sizeof pad);
    pad[1].high = m - n;
    w = xg_hb_reshape(f->b, w, &n, 1);
    a = xg_hb_mul(f->b, x, xg_hb_broadcast(f->b, w, x->shape->dims, 2, last, 1));
    a = xg_fft_plain(&forward, xg_hb_pad(f->b, a, zero, pad), &m, 1);
    a = xg_hb_mul(f->b, a, xg_hb_broadcast(f->b, c, a->shape->dims, 2, last, 1));
    a = xg_hb_slice_dim(f->b, xg_fft_plain(&backward, a, &m, 1), 1, 0, n);
    if (f->sign > 0) {
        c = xg_hb_convert(f->b, xg_hb_float(f->b, f->real, 1.0 / (double)n), f->type);
        a = xg_hb_mul(f->b, a, xg_hb_splat(f->b, c, a->shape->dims, 2));
    }
    return xg_hb_mul(f->b, a, xg_hb_broadcast(f->b, w, x->shape->dims, 2, last, 1));
}
XG_FN xg_inst *xg_fft_lines(const xg_fft *f, xg_inst *x, int64_t n) {
    return xg_fft_first_pass(n, xg_type_bytes(f->type)) ? xg_fft_plain(f, x, &n, 1) : xg_fft_convolved(f, x, n);
}

/* Along dimension d of x, whatever the others are. */
XG_FN xg_inst *xg_fft_along(const xg_fft *f, xg_inst *x, uint32_t d) {
    int64_t perm[XG_RANK_MAX], dims[XG_RANK_MAX], flat[2];
    uint32_t rank = x->shape->rank, k;
    if (x->shape->dims[d] == 1) return x;
    for (k = 0; k < rank; k++) perm[k] = k;
    perm[d] = rank - 1;
    perm[rank - 1] = d;
    x = xg_hb_transpose(f->b, x, perm);
    memcpy(dims, x->shape->dims, rank * sizeof *dims);
    flat[1] = dims[rank - 1];
    flat[0] = x->shape->elements / flat[1];
    x = xg_fft_lines(f, xg_hb_reshape(f->b, x, flat, 2), flat[1]);
    return xg_hb_transpose(f->b, xg_hb_reshape(f->b, x, dims, rank), perm);
}

/* ---- the instruction ---- */

/* The other half of a spectrum of length n: conjugates, backwards. */
XG_FN xg_inst *xg_fft_mirror(const xg_fft *f, xg_inst *x, int64_t n) {
    uint32_t last = x->shape->rank - 1;
    int64_t dim = last;
    xg_inst *parts[2], *re, *im;
    parts[0] = x;
    if (n - x->shape->dims[last] <= 0) return x;
    parts[1] = xg_hb_reverse(f->b, xg_hb_slice_dim(f->b, x, last, 1, n - x->shape->dims[last] + 1), &dim, 1);
    re = xg_hb_1(f->b, XG_REAL, parts[1]);
    im = xg_hb_1(f->b, XG_IMAG, parts[1]);
    parts[1] = xg_hb_2(f->b, XG_COMPLEX, re, xg_hb_1(f->b, XG_NEGATE, im));
    return xg_hb_concat(f->b, parts, 2, dim);
}
XG_FN xg_inst *xg_fft_expand(const xg_hb *b, xg_inst *i) {
    xg_inst *x = XG_OPERAND(i, 0);
    xg_ints n = xg_attr_ints(i, XG_A_fft_length);
    xg_str type = xg_attr_str(i, XG_A_fft_type);
    bool to_real = xg_str_is(type, "IRFFT"), from_real = xg_str_is(type, "RFFT"), whole = !to_real;
    uint32_t rank = x->shape->rank, k;
    xg_fft f;
    if (x->shape->elements == 0 || i->shape->elements == 0) return xg_hb_int_like(b, i, 0);
    f.b = b;
    f.type = to_real ? x->shape->type : i->shape->type;
    f.real = xg_type_real(f.type);
    f.sign = xg_str_is(type, "FFT") || from_real ? -1 : 1;
    x = xg_hb_convert(b, x, f.type);
    for (k = 0; k < n.n; k++) whole = whole && xg_fft_first_pass(n.p[k], xg_type_bytes(f.type));
    if (whole)
        x = xg_fft_plain(&f, x, n.p, n.n);
    else {
        for (k = 0; k + 1 < n.n; k++) x = xg_fft_along(&f, x, rank - n.n + k);
        if (to_real) x = xg_fft_mirror(&f, x, n.p[n.n - 1]);
        x = xg_fft_along(&f, x, rank - 1);
    }
    if (from_real) x = xg_hb_slice_dim(b, x, rank - 1, 0, i->shape->dims[rank - 1]);
    return to_real ? xg_hb_1(b, XG_REAL, x) : x;
}

XG_FN bool xg_fft_matches(const xg_inst *i) {
    return i->op == XG_FFT && !i->shape->dynamic && xg_attr_ints(i, XG_A_fft_length).n > 0 && !xg_fft_is_kernel(i) &&
           !xg_fft_has_passes(i);
}
XG_FN bool xg_expand_fft_expander(xg_module *m) { return xg_opt_expand_made(m, xg_fft_matches, xg_fft_expand, XG_FFT); }

#endif /* XG_EXPAND_FFT_EXPANDER_C */
