/* opt/fft_expander.c -- fft as contractions, which kernels can be made of.
 *
 * - Small transforms, over all their dimensions together, are one dot with a constant matrix: entry (j, k) is the product of the roots of each dimension. Of real
 *   to half-complex and back the matrix has only the columns or rows that are wanted; back to real, the missing half is its mirror image, so
 *   each entry counts twice, but the first and (for even lengths) the last.
 * - Others go dimension by dimension. A length n = p q is a transform of length p, a twist by roots of n, a transform of length q (Cooley and Tukey): x[q j1 + j2]
 *   gives y[k1 + p k2]. A large prime length becomes a cyclic convolution, by transforms of a power of two (Bluestein).
 * - Roots are literals, each rounded once, as long as they are few; else they are computed where they are needed, from iotas in integers modulo n. */
#ifndef XG_OPT_FFT_EXPANDER_C
#define XG_OPT_FFT_EXPANDER_C
#include "../eval/eval.h"
#include "opt.h"

enum { XG_FFT_WHOLE = 1 << 16, XG_FFT_DIRECT = 64, XG_FFT_PRIME = 512, XG_FFT_LITERAL = 1 << 18 };
typedef struct xg_fft { const xg_hb *b; xlagpu_type type, real; double sign; } xg_fft; /* type: of the complex numbers */

/* ---- roots ---- */

XG_FN xg_inst *xg_fft_literal(const xg_fft *f, const xg_complex *v, const int64_t *dims, uint32_t rank) {
    xg_literal *l = xg_literal_new(f->b->comp->module->arena, xg_hb_shape(f->b, f->type, dims, rank));
    int64_t k;
    for (k = 0; k < l->shape->elements; k++) {
        if (f->real == XLAGPU_F64) { ((double *)l->data)[2 * k] = v[k].re; ((double *)l->data)[2 * k + 1] = v[k].im; }
        else { ((float *)l->data)[2 * k] = (float)v[k].re; ((float *)l->data)[2 * k + 1] = (float)v[k].im; }
    }
    return xg_hb_literal(f->b, l);
}
/* exp(sign 2 pi i turns / n), turns in 0 .. n - 1, integers. */
XG_FN xg_inst *xg_fft_computed(const xg_fft *f, xg_inst *turns, int64_t n) {
    xg_inst *angle = xg_hb_convert(f->b, turns, f->real), *cosine;
    angle = xg_hb_2(f->b, XG_MULTIPLY, angle, xg_hb_float_like(f->b, angle, f->sign * 6.28318530717958647693 / (double)n));
    cosine = xg_hb_1(f->b, XG_COSINE, angle);
    return xg_hb_2(f->b, XG_COMPLEX, cosine, xg_hb_1(f->b, XG_SINE, angle));
}
/* The array [rows, columns] of exp(sign 2 pi i j k / n). */
XG_FN xg_inst *xg_fft_waves(const xg_fft *f, int64_t rows, int64_t columns, int64_t n) {
    xg_arena *temp; /* numbers twice as wide as the literal's need not stay */
    int64_t dims[2], j, k;
    xg_complex *v, *roots;
    xg_inst *turns, *made;
    dims[0] = rows;
    dims[1] = columns;
    if (rows > XG_FFT_LITERAL / columns) {
        turns = xg_hb_iota(f->b, XLAGPU_S64, dims, 2, 0);
        turns = xg_hb_2(f->b, XG_MULTIPLY, turns, xg_hb_iota(f->b, XLAGPU_S64, dims, 2, 1));
        return xg_fft_computed(f, xg_hb_2(f->b, XG_REMAINDER, turns, xg_hb_int_like(f->b, turns, n)), n);
    }
    temp = xg_arena_inner(f->b->comp->module->arena);
    roots = XG_NEW_N(temp, xg_complex, n + 1);
    v = XG_NEW_N(temp, xg_complex, rows * columns + 1);
    for (k = 0; k < XG_MIN(n, rows * columns); k++) roots[k] = xg_fft_root(k, n, f->sign);
    for (j = 0; j < rows; j++) for (k = 0; k < columns; k++) v[j * columns + k] = n <= rows * columns ? roots[j * k % n] : xg_fft_root(j * k % n, n, f->sign);
    made = xg_fft_literal(f, v, dims, 2);
    xg_arena_free(temp);
    return made;
}

/* ---- one dimension: lines [count, n] ---- */

XG_FN xg_inst *xg_fft_dot(const xg_fft *f, xg_inst *x, xg_inst *matrix, int64_t contracted) {
    static const int64_t first[1] = {0};
    xg_dot_dims d;
    memset(&d, 0, sizeof d);
    d.lc.p = &contracted;
    d.rc.p = first;
    d.lc.n = d.rc.n = 1;
    return xg_hb_dot(f->b, x, matrix, d, f->type, NULL);
}
XG_FN xg_inst *xg_fft_reshape(const xg_fft *f, xg_inst *x, int64_t a, int64_t b, int64_t c) {
    int64_t dims[3];
    dims[0] = a; dims[1] = b; dims[2] = c;
    return xg_hb_reshape(f->b, x, dims, c ? 3 : 2);
}
XG_FN xg_inst *xg_fft_lines(const xg_fft *f, xg_inst *x, int64_t n);

/* x[count, p q] */
XG_FN xg_inst *xg_fft_split(const xg_fft *f, xg_inst *x, int64_t p, int64_t q) {
    static const int64_t swap[3] = {0, 2, 1}, inner[2] = {1, 2};
    int64_t count = x->shape->dims[0];
    xg_inst *waves = xg_fft_waves(f, p, p, p), *twist = xg_fft_waves(f, q, p, p * q);
    xg_inst *y = xg_fft_dot(f, xg_fft_reshape(f, x, count, p, q), waves, 1); /* [count, j2, k1] */
    y = xg_hb_2(f->b, XG_MULTIPLY, y, xg_hb_broadcast(f->b, twist, y->shape->dims, 3, inner, 2));
    y = xg_fft_lines(f, xg_fft_reshape(f, xg_hb_transpose(f->b, y, swap), count * p, q, 0), q); /* [count k1, k2] */
    y = xg_hb_transpose(f->b, xg_fft_reshape(f, y, count, p, q), swap);
    return xg_fft_reshape(f, y, count, p * q, 0);
}
/* With w[j] = exp(sign pi i j^2 / n): y[k] = w[k] sum over j of (x[j] w[j]) conj(w[k - j]). */
XG_FN xg_inst *xg_fft_convolved(const xg_fft *f, xg_inst *x, int64_t n) {
    static const int64_t last[1] = {1};
    int64_t m = 1, dims[2], start[2];
    xg_fft forward = *f, backward = *f;
    xg_inst *turns, *w, *conj, *mirror, *a, *c, *zero, *parts[3], *imag;
    xg_pad_dim pad[2];
    while (m < 2 * n - 1) m *= 2;
    forward.sign = -1;
    backward.sign = 1;
    dims[0] = 1; dims[1] = n;
    turns = xg_hb_iota(f->b, XLAGPU_S64, dims, 2, 1);
    turns = xg_hb_2(f->b, XG_MULTIPLY, turns, turns);
    turns = xg_hb_2(f->b, XG_REMAINDER, turns, xg_hb_int_like(f->b, turns, 2 * n));
    w = xg_fft_computed(f, turns, 2 * n);
    imag = xg_hb_1(f->b, XG_IMAG, w);
    a = xg_hb_1(f->b, XG_REAL, w);
    conj = xg_hb_2(f->b, XG_COMPLEX, a, xg_hb_1(f->b, XG_NEGATE, imag));
    zero = xg_hb_convert(f->b, xg_hb_int(f->b, f->real, 0), f->type);
    dims[1] = m - 2 * n + 1;
    start[0] = 1;
    mirror = xg_hb_reverse(f->b, xg_hb_slice_dim(f->b, conj, 1, start[0], n), last, 1);
    parts[0] = conj; parts[1] = xg_hb_splat(f->b, zero, dims, 2); parts[2] = mirror;
    c = xg_fft_lines(&forward, xg_hb_concat(f->b, parts, 3, 1), m); /* [1, m] */
    c = xg_hb_reshape(f->b, c, &m, 1);
    memset(pad, 0, sizeof pad);
    pad[1].high = m - n;
    w = xg_hb_reshape(f->b, w, &n, 1);
    a = xg_hb_2(f->b, XG_MULTIPLY, x, xg_hb_broadcast(f->b, w, x->shape->dims, 2, last, 1));
    a = xg_fft_lines(&forward, xg_hb_pad(f->b, a, zero, pad), m);
    a = xg_hb_2(f->b, XG_MULTIPLY, a, xg_hb_broadcast(f->b, c, a->shape->dims, 2, last, 1));
    a = xg_hb_slice_dim(f->b, xg_fft_lines(&backward, a, m), 1, 0, n);
    c = xg_hb_convert(f->b, xg_hb_float(f->b, f->real, 1.0 / (double)m), f->type);
    a = xg_hb_2(f->b, XG_MULTIPLY, a, xg_hb_splat(f->b, c, a->shape->dims, 2));
    return xg_hb_2(f->b, XG_MULTIPLY, a, xg_hb_broadcast(f->b, w, x->shape->dims, 2, last, 1));
}
/* The largest divisor of n that is small enough for one dot, 1 when there is none. */
XG_FN int64_t xg_fft_divisor(int64_t n) {
    int64_t p = XG_FFT_DIRECT;
    while (n % p) p--;
    if (p > 1) return p;
    for (p = XG_FFT_DIRECT + 1; p <= XG_FFT_PRIME && p * p <= n; p++) if (n % p == 0) return p;
    return 1;
}
XG_FN xg_inst *xg_fft_lines(const xg_fft *f, xg_inst *x, int64_t n) {
    int64_t p;
    if (n <= XG_FFT_DIRECT) return n == 1 ? x : xg_fft_dot(f, x, xg_fft_waves(f, n, n, n), 1);
    p = xg_fft_divisor(n);
    if (p > 1 && p < n) return xg_fft_split(f, x, p, n / p);
    return n <= XG_FFT_PRIME ? xg_fft_dot(f, x, xg_fft_waves(f, n, n, n), 1) : xg_fft_convolved(f, x, n);
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

typedef struct xg_fft_sizes { uint32_t n; int64_t length[3], in[3], out[3], inputs, outputs; double scale; bool to_real, from_real; } xg_fft_sizes;

XG_FN xg_fft_sizes xg_fft_sizes_of(const xg_inst *i) {
    const xg_shape *s = XG_OPERAND(i, 0)->shape;
    xg_ints n = xg_attr_ints(i, XG_A_fft_length);
    xg_str type = xg_attr_str(i, XG_A_fft_type);
    xg_fft_sizes z;
    uint32_t k;
    memset(&z, 0, sizeof z);
    z.n = n.n;
    z.to_real = xg_str_is(type, "IRFFT");
    z.from_real = xg_str_is(type, "RFFT");
    z.inputs = z.outputs = 1;
    z.scale = 1;
    for (k = 0; k < n.n; k++) {
        z.length[k] = n.p[k];
        z.in[k] = s->dims[s->rank - n.n + k];
        z.out[k] = i->shape->dims[s->rank - n.n + k];
        z.inputs *= z.in[k];
        z.outputs *= z.out[k];
        if (z.to_real || xg_str_is(type, "IFFT")) z.scale /= (double)n.p[k];
    }
    return z;
}
/* What element j of dimension d adds to element k of its transform, [in, out]. */
XG_FN const xg_complex *xg_fft_factor(const xg_fft *f, xg_arena *temp, const xg_fft_sizes *z, uint32_t d) {
    int64_t in = z->in[d], out = z->out[d], n = z->length[d], j, k, t;
    xg_complex *roots = XG_NEW_N(temp, xg_complex, n), *v = XG_NEW_N(temp, xg_complex, in * out);
    double scale = d == 0 ? z->scale : 1;
    for (k = 0; k < n; k++) roots[k] = xg_fft_root(k, n, f->sign);
    for (j = 0; j < in; j++) {
        double s = z->to_real && d == z->n - 1 && j && 2 * j != n ? 2 * scale : scale;
        for (k = 0, t = 0; k < out; k++, t = (t + j) % n) v[j * out + k] = xg_complex_of(s * roots[t].re, s * roots[t].im);
    }
    return v;
}
/* [inputs, outputs]: what each input adds to each output, the product of the dimensions' factors. */
XG_FN xg_inst *xg_fft_matrix(const xg_fft *f, const xg_fft_sizes *z) {
    xg_arena *temp = xg_arena_inner(f->b->comp->module->arena);
    const xg_complex *v = xg_fft_factor(f, temp, z, 0);
    xg_inst *made;
    int64_t rows = z->in[0], columns = z->out[0], dims[2], r, c, j, k;
    uint32_t d;
    for (d = 1; d < z->n; d++) {
        const xg_complex *w = xg_fft_factor(f, temp, z, d);
        int64_t in = z->in[d], out = z->out[d];
        xg_complex *grown = (xg_complex *)xg_alloc_raw(temp, (size_t)(rows * columns * in * out) * sizeof *grown), *to = grown;
        for (r = 0; r < rows; r++) for (j = 0; j < in; j++) for (c = 0; c < columns; c++) for (k = 0; k < out; k++, to++) {
            const xg_complex p = v[r * columns + c], q = w[j * out + k];
            to->re = p.re * q.re - p.im * q.im;
            to->im = p.re * q.im + p.im * q.re;
        }
        v = grown;
        rows *= in;
        columns *= out;
    }
    dims[0] = rows;
    dims[1] = columns;
    made = xg_fft_literal(f, v, dims, 2);
    xg_arena_free(temp);
    return made;
}
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
    xg_fft_sizes z = xg_fft_sizes_of(i);
    uint32_t rank = x->shape->rank, k;
    xg_fft f;
    if (x->shape->elements == 0 || i->shape->elements == 0) return xg_hb_int_like(b, i, 0);
    f.b = b;
    f.type = z.to_real ? x->shape->type : i->shape->type;
    f.real = xg_type_real(f.type);
    f.sign = xg_str_is(xg_attr_str(i, XG_A_fft_type), "FFT") || z.from_real ? -1 : 1;
    x = xg_hb_convert(b, x, f.type);
    if (z.inputs <= XG_FFT_WHOLE && z.outputs <= XG_FFT_WHOLE / z.inputs) {
        int64_t flat[2];
        flat[0] = x->shape->elements / z.inputs;
        flat[1] = z.inputs;
        x = xg_hb_reshape(b, x, flat, 2);
        x = xg_fft_dot(&f, x, xg_fft_matrix(&f, &z), 1);
        if (z.to_real) x = xg_hb_1(b, XG_REAL, x);
        return xg_hb_reshape(b, x, i->shape->dims, rank);
    }
    for (k = 0; k + 1 < z.n; k++) x = xg_fft_along(&f, x, rank - z.n + k);
    if (z.to_real) x = xg_fft_mirror(&f, x, z.length[z.n - 1]);
    x = xg_fft_along(&f, x, rank - 1);
    if (z.from_real) x = xg_hb_slice_dim(b, x, rank - 1, 0, i->shape->dims[rank - 1]);
    if (z.to_real) x = xg_hb_1(b, XG_REAL, x);
    if (z.scale != 1) {
        xg_inst *scale = xg_hb_convert(b, xg_hb_float(b, f.real, z.scale), x->shape->type);
        x = xg_hb_2(b, XG_MULTIPLY, x, xg_hb_splat(b, scale, x->shape->dims, rank));
    }
    return x;
}

XG_FN bool xg_fft_is_kernel(const xg_inst *i) {
    xg_ints n = xg_attr_ints(i, XG_A_fft_length);
    return i->shape->elements && XG_OPERAND(i, 0)->shape->elements && xg_fft_fits(n.p, n.n, 1, xg_type_bits(xg_type_real(i->shape->type)) / 4);
}
XG_FN bool xg_fft_matches(const xg_inst *i) { return i->op == XG_FFT && !i->shape->dynamic && xg_attr_ints(i, XG_A_fft_length).n > 0 && !xg_fft_is_kernel(i); }
XG_FN bool xg_opt_fft_expander(xg_module *m) { return m->made[XG_FFT] && xg_opt_expand(m, xg_fft_matches, xg_fft_expand); }

#endif /* XG_OPT_FFT_EXPANDER_C */
