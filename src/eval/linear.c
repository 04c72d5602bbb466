/* eval/linear.c -- cholesky, triangular-solve, fft, the batch normalisations.
 *
 * All compute on pairs of doubles (or doubles) whatever the element type, and round once at the end. */
#ifndef XG_EVAL_LINEAR_C
#define XG_EVAL_LINEAR_C
#include "eval.h"

/* The array as complex doubles. */
XG_FN xg_value *xg_linear_widen(xg_eval_run *r, xg_value **v) {
    const unsigned char *from = xg_eval_dense(r, v);
    size_t n = (size_t)(*v)->shape->elements;
    xg_value *out = xg_eval_scratch(r, xg_mul(r->ctx, n, sizeof(xg_complex)));
    xg_eval_convert_block(XLAGPU_C128, out->data, (*v)->shape->type, from, n);
    return out;
}
XG_FN xg_complex *xg_linear_data(const xg_value *v) { return (xg_complex *)(void *)v->data; }
XG_FN xg_complex xg_complex_conj(xg_complex z) { return xg_complex_of(z.re, -z.im); }

XG_FN xg_value *xg_linear_narrow(xg_eval_run *r, const xg_shape *shape, xg_value *wide) {
    xg_value *out = xg_eval_new(r, shape);
    xg_eval_convert_block(shape->type, out->data, XLAGPU_C128, wide->data, (size_t)shape->elements);
    xg_eval_drop(r, wide);
    return out;
}

/* ---- cholesky ---- */

/* In place, for n x n, from the lower triangle; false when the matrix is not positive definite. */
XG_FN bool xg_linear_cholesky(xg_complex *a, int64_t n) {
    int64_t i, j, k;
    for (j = 0; j < n; j++) {
        double d = a[j * n + j].re;
        for (k = 0; k < j; k++) d -= a[j * n + k].re * a[j * n + k].re + a[j * n + k].im * a[j * n + k].im;
        if (!(d > 0)) return false;
        d = xg_sqrt(d);
        a[j * n + j] = xg_complex_of(d, 0);
        for (i = j + 1; i < n; i++) {
            xg_complex s = a[i * n + j];
            for (k = 0; k < j; k++) {
                xg_complex p = xg_complex_mul(a[i * n + k], xg_complex_conj(a[j * n + k]));
                s.re -= p.re;
                s.im -= p.im;
            }
            a[i * n + j] = xg_complex_of(s.re / d, s.im / d);
        }
    }
    return true;
}

XG_FN void xg_linear_adjoint(xg_complex *a, int64_t n) {
    int64_t i, j;
    for (i = 0; i < n; i++)
        for (j = 0; j <= i; j++) {
            xg_complex t = xg_complex_conj(a[i * n + j]);
            a[i * n + j] = xg_complex_conj(a[j * n + i]);
            a[j * n + i] = t;
        }
}

/* Factors each matrix; the other triangle becomes zero. Where one is not positive definite, `failed` gets 1 and its
 * part NaN. */
XG_FN xg_value *xg_linear_factor(xg_eval_run *r, const xg_shape *shape, xg_value **in, bool lower, int32_t *failed) {
    int64_t n = shape->dims[shape->rank - 1], count = n ? shape->elements / (n * n) : 0, b, i, j;
    xg_value *wide = xg_linear_widen(r, in);
    for (b = 0; b < count; b++) {
        xg_complex *a = xg_linear_data(wide) + b * n * n;
        bool good;
        xg_eval_spend_each(r, n, n * n / 3 + 1);
        if (!lower) xg_linear_adjoint(a, n);
        good = xg_linear_cholesky(a, n);
        for (i = 0; i < n; i++)
            for (j = 0; j < n; j++) {
                if (!good && j <= i) a[i * n + j] = xg_complex_of(xg_f64_nan(), 0);
                if (j > i) a[i * n + j] = xg_complex_of(0, 0);
            }
        if (!lower) xg_linear_adjoint(a, n);
        if (failed) failed[b] = !good;
    }
    return xg_linear_narrow(r, shape, wide);
}

XG_FN xg_value *xg_eval_cholesky(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    return xg_linear_factor(r, i->shape, in, xg_attr_or_0(i, XG_A_lower) != 0, NULL);
}

/* ---- triangular-solve: op(a) x = b, or x op(a) = b ---- */

/* Element (row, column) of op(a). */
XG_FN xg_complex xg_solve_at(const xg_complex *a, int64_t n, int64_t row, int64_t column, char op) {
    xg_complex v = op == 'n' ? a[row * n + column] : a[column * n + row];
    return op == 'a' ? xg_complex_conj(v) : v;
}

/* One right side x[0..n), elements `step` apart, solved in place; the matrix is lower (as op sees it) or upper. */
XG_FN void xg_solve_one(
    const xg_complex *a, int64_t n, char op, bool lower, bool unit, bool swap, xg_complex *x, int64_t step) {
    int64_t t, k;
    for (t = 0; t < n; t++) {
        int64_t row = lower ? t : n - 1 - t, from = lower ? 0 : row + 1, to = lower ? row : n;
        xg_complex s = x[row * step];
        for (k = from; k < to; k++) {
            xg_complex p =
                xg_complex_mul(swap ? xg_solve_at(a, n, k, row, op) : xg_solve_at(a, n, row, k, op), x[k * step]);
            s.re -= p.re;
            s.im -= p.im;
        }
        x[row * step] = unit ? s : xg_complex_div(s, xg_solve_at(a, n, row, row, op));
    }
}

XG_FN xg_value *xg_linear_solve(
    xg_eval_run *r, const xg_shape *shape, xg_value **in, bool left, bool lower, bool unit, char op) {
    const xg_shape *sa = in[0]->shape, *sb = in[1]->shape;
    int64_t n = sa->dims[sa->rank - 1], rows = sb->dims[sb->rank - 2], columns = sb->dims[sb->rank - 1], count, b, k;
    xg_value *a, *x;
    if (shape->elements == 0) return xg_eval_new(r, shape);
    count = sb->elements / (rows * columns);
    a = xg_linear_widen(r, &in[0]);
    x = xg_linear_widen(r, &in[1]);
    if (op != 'n') lower = !lower;
    for (b = 0; b < count; b++) {
        const xg_complex *m = xg_linear_data(a) + b * n * n;
        xg_complex *y = xg_linear_data(x) + b * rows * columns;
        for (k = 0; k < (left ? columns : rows); k++) {
            xg_eval_spend(r, n * n);
            if (left)
                xg_solve_one(m, n, op, lower, unit, false, y + k, columns);
            else
                xg_solve_one(m, n, op, !lower, unit, true, y + k * columns, 1);
        }
    }
    xg_eval_drop(r, a);
    return xg_linear_narrow(r, shape, x);
}
XG_FN xg_value *xg_eval_triangular_solve(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    xg_str word = xg_attr_str(i, XG_A_transpose_a);
    return xg_linear_solve(r, i->shape, in, xg_attr_or_0(i, XG_A_left_side) != 0, xg_attr_or_0(i, XG_A_lower) != 0,
        xg_attr_or_0(i, XG_A_unit_diagonal) != 0,
        xg_str_is(word, "TRANSPOSE") ? 't'
        : xg_str_is(word, "ADJOINT") ? 'a'
                                     : 'n');
}

/* ---- fft ---- */

/* y[0..n) = the transform of x[0], x[step], ...: split by the smallest factor, which is itself done by its
 * definition. */
XG_FN void xg_fft_line(xg_complex *y, const xg_complex *x, int64_t n, int64_t step, const xg_complex *roots,
    int64_t turn, xg_complex *spare) {
    int64_t p = 2, m, k, q, j;
    while (p * p <= n && n % p) p++;
    if (n % p) p = n;
    if (n == 1) {
        y[0] = x[0];
        return;
    }
    m = n / p;
    for (q = 0; q < p; q++) xg_fft_line(spare + q * m, x + q * step, m, step * p, roots, turn * p, y + q * m);
    for (k = 0; k < n; k++) {
        xg_complex s = xg_complex_of(0, 0);
        for (q = 0; q < p; q++) {
            xg_complex t;
            j = q * k % n * turn;
            t = xg_complex_mul(spare[q * m + k % m], roots[j]);
            s.re += t.re;
            s.im += t.im;
        }
        y[k] = s;
    }
}

/* exp(2 pi i k / n), exact at the quarter turns: the angle is taken within its quadrant. */
XG_FN xg_complex xg_fft_root(int64_t k, int64_t n, double sign) {
    int64_t quadrant = 4 * k / n, rest = 4 * k % n;
    double t = 1.57079632679489661923 * (double)rest / (double)n, c = rest ? xg_cos(t) : 1, s = rest ? xg_sin(t) : 0;
    switch (quadrant & 3) {
    case 0: return xg_complex_of(c, sign * s);
    case 1: return xg_complex_of(-s, sign * c);
    case 2: return xg_complex_of(-c, -sign * s);
    default: return xg_complex_of(s, -sign * c);
    }
}

/* Transforms every line of length n, elements `inner` apart, in place. sign: -1 forward, 1 inverse (unscaled). */
XG_FN void xg_fft_dim(xg_eval_run *r, xg_complex *data, int64_t outer, int64_t n, int64_t inner, double sign) {
    xg_value *space = xg_eval_scratch(r, xg_mul(r->ctx, (size_t)n, 3 * sizeof(xg_complex)));
    xg_complex *roots = xg_linear_data(space), *y = roots + n, *spare = y + n;
    int64_t o, i, k, factors = 1; /* the sum of n's prime factors: operations an element */
    for (k = 0; k < n; k++) roots[k] = xg_fft_root(k, n, sign);
    for (k = 2, i = n; i > 1 && k * k <= i;)
        if (i % k)
            k++;
        else {
            i /= k;
            factors += k;
        }
    if (i > 1) factors += i;
    for (o = 0; o < outer; o++)
        for (i = 0; i < inner; i++) {
            xg_complex *x = data + o * n * inner + i;
            xg_eval_spend_each(r, n, factors);
            xg_fft_line(y, x, n, inner, roots, 1, spare);
            for (k = 0; k < n; k++) x[k * inner] = y[k];
        }
    xg_eval_drop(r, space);
}

/* The full spectrum of length n from its first half: element n-k is the conjugate of element k, over all transformed
 * dimensions. */
XG_FN xg_value *xg_fft_unfold(xg_eval_run *r, const xg_complex *half, int64_t lines, int64_t have, int64_t n) {
    xg_value *v = xg_eval_scratch(r, xg_mul(r->ctx, xg_mul(r->ctx, (size_t)lines, (size_t)n), sizeof(xg_complex)));
    xg_complex *full = xg_linear_data(v);
    int64_t l, k;
    for (l = 0; l < lines; l++)
        for (k = 0; k < n; k++)
            full[l * n + k] = k < have ? half[l * have + k] : xg_complex_conj(half[l * have + n - k]);
    return v;
}

/* backend_config={"fft_twiddle":{"dimension":"1","length":"6"}} */
XG_FN bool xg_fft_twiddle(const xg_inst *i, int64_t *dim, int64_t *length) {
    int64_t v[2];
    if (!xg_call_pair(i, "fft_twiddle", v)) return false;
    *dim = v[0];
    *length = v[1];
    if (xg_attr_ints(i, XG_A_fft_length).n != 1 || xg_type_class(i->shape->type) != XGT_C ||
        xg_type_class(XG_OPERAND(i, 0)->shape->type) != XGT_C)
        return false;
    return v[0] + 1 < (int64_t)i->shape->rank && v[1] > 0 && v[1] <= INT32_MAX &&
           v[1] == i->shape->dims[v[0]] * i->shape->dims[i->shape->rank - 1];
}
XG_APART XG_FN void xg_fft_twist_all(const xg_inst *i, xg_complex *x, double sign) {
    int64_t dim, length, inner = 1, n = i->shape->dims[i->shape->rank - 1], k;
    uint32_t d;
    if (!xg_fft_twiddle(i, &dim, &length)) return;
    for (d = (uint32_t)dim + 1; d < i->shape->rank; d++) inner *= i->shape->dims[d];
    for (k = 0; k < i->shape->elements; k++)
        x[k] = xg_complex_mul(x[k], xg_fft_root(k / inner % i->shape->dims[dim] * (k % n) % length, length, sign));
}

/* Of the last dims. scaled: an inverse one is divided by the number of elements. */
XG_FN xg_value *xg_fft_value(
    xg_eval_run *r, const xg_inst *i, const xg_shape *to, xg_value **in, uint32_t dims, bool inverse, bool scaled) {
    const xg_shape *s = in[0]->shape;
    bool to_real = xg_type_class(to->type) != XGT_C, from_real = xg_type_class(s->type) != XGT_C;
    const xg_shape *full = from_real ? s : to;
    int64_t outer, inner = 1, have, n, lines, l, k;
    double scale = 1;
    xg_value *wide, *out;
    uint32_t d, rank = s->rank;
    if (to->elements == 0 || s->elements == 0) {
        out = xg_eval_new(r, to);
        if (to->elements) memset(out->data, 0, xg_eval_bytes(r, to));
        return out;
    }
    wide = xg_linear_widen(r, &in[0]);
    n = dims ? full->dims[rank - 1] : 1;
    have = dims ? s->dims[rank - 1] : 1;
    if (i->op == XG_FFT) xg_fft_twist_all(i, xg_linear_data(wide), inverse ? 1.0 : -1.0);
    /* All dimensions but the last first; the last one last, when its half is unfolded or folded. */
    for (k = 1; k < (int64_t)dims; k++) {
        int64_t extent;
        d = rank - 1 - (uint32_t)k;
        inner *= s->dims[d + 1];
        extent = s->dims[d];
        outer = s->elements / (inner * extent);
        if (inverse) scale /= (double)extent;
        xg_fft_dim(r, xg_linear_data(wide), outer, extent, inner, inverse ? 1.0 : -1.0);
    }
    lines = s->elements / have;
    if (to_real) {
        out = xg_fft_unfold(r, xg_linear_data(wide), lines, have, n);
        xg_eval_drop(r, wide);
        wide = out;
    }
    if (dims) {
        if (inverse) scale /= (double)n;
        xg_fft_dim(r, xg_linear_data(wide), lines, n, 1, inverse ? 1.0 : -1.0);
    }
    if (from_real) {
        int64_t keep = to->dims[rank - 1];
        xg_complex *x = xg_linear_data(wide);
        for (l = 0; l < lines; l++)
            for (k = 0; k < keep; k++) x[l * keep + k] = x[l * n + k];
    }
    if (inverse && scaled)
        for (k = 0; k < to->elements; k++) {
            xg_complex *x = xg_linear_data(wide) + k;
            x->re *= scale;
            x->im *= scale;
        }
    return xg_linear_narrow(r, to, wide);
}
XG_FN xg_value *xg_eval_fft(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    xg_str type = xg_attr_str(i, XG_A_fft_type);
    return xg_fft_value(
        r, i, i->shape, in, xg_attr_ints(i, XG_A_fft_length).n, xg_word_in("IFFT IRFFT", type) >= 0, true);
}

/* The call of cuFFT (api/executable.h). */
XG_FN bool xg_fft_call_is_plain(const xg_shape *from, const xg_shape *to, int64_t rank) {
    bool to_real, from_real;
    uint32_t d;
    if (!xg_shape_is_array(from) || !xg_shape_is_array(to) || rank < 1 || rank > 3 || rank > (int64_t)from->rank ||
        from->rank != to->rank || xg_type_real(from->type) != xg_type_real(to->type) ||
        (xg_type_real(to->type) != XLAGPU_F32 && xg_type_real(to->type) != XLAGPU_F64))
        return false;
    to_real = xg_type_class(to->type) != XGT_C;
    from_real = xg_type_class(from->type) != XGT_C;
    for (d = 0; d + 1 < from->rank; d++)
        if (from->dims[d] != to->dims[d]) return false;
    return !(to_real && from_real) && (to_real        ? from->dims[d] == to->dims[d] / 2 + 1
                                          : from_real ? to->dims[d] == from->dims[d] / 2 + 1
                                                      : from->dims[d] == to->dims[d]);
}
XG_FN xg_value *xg_call_fft(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    const xg_shape *to = i->shape->type == XLAGPU_TUPLE ? i->shape->n_elems ? i->shape->elems[0] : NULL : i->shape;
    int64_t rank = xg_call_number(xg_call_option(i, "rank"));
    bool to_real;
    xg_value *out[2];
    if (i->n_operands != 1 || !to || !xg_fft_call_is_plain(in[0]->shape, to, rank)) return NULL;
    to_real = xg_type_class(to->type) != XGT_C;
    if (to_real != (i->shape->type == XLAGPU_TUPLE) ||
        (to_real && (i->shape->n_elems != 2 || i->shape->elems[1]->plain != in[0]->shape->plain)))
        return NULL;
    out[0] = xg_fft_value(r, i, to, in, (uint32_t)rank, xg_call_flag(i, "inverse", false), false);
    out[1] = to_real ? xg_eval_zero(r, i->shape->elems[1]) : NULL; /* what is lost may be anything */
    return to_real ? xg_eval_new_tuple(r, i->shape, out) : out[0];
}

/* ---- batch normalisation ---- */

typedef struct xg_norm {
    int64_t outer, features, inner, count;
    double epsilon;
} xg_norm;

XG_FN xg_norm xg_norm_of(const xg_inst *i, const xg_shape *s) {
    xg_norm n;
    uint32_t d, f = (uint32_t)xg_attr_or_0(i, XG_A_feature_index);
    n.outer = n.inner = 1;
    n.features = s->dims[f];
    for (d = 0; d < s->rank; d++) {
        if (d < f)
            n.outer *= s->dims[d];
        else if (d > f)
            n.inner *= s->dims[d];
    }
    n.count = n.outer * n.inner;
    n.epsilon = xg_inst_attr(i, XG_A_epsilon)->v.d;
    return n;
}

XG_FN double *xg_norm_doubles(xg_eval_run *r, xg_value **v, xg_value **hold) {
    const unsigned char *from = xg_eval_dense(r, v);
    *hold = xg_eval_scratch(r, xg_mul(r->ctx, (size_t)(*v)->shape->elements, sizeof(double)));
    xg_eval_convert_block(XLAGPU_F64, (*hold)->data, (*v)->shape->type, from, (size_t)(*v)->shape->elements);
    return (double *)(void *)(*hold)->data;
}

XG_FN double xg_norm_sum(const xg_norm *n, const double *x, const double *y, int64_t f, double shift) {
    double s = 0;
    int64_t o, k;
    for (o = 0; o < n->outer; o++)
        for (k = 0; k < n->inner; k++) {
            int64_t at = (o * n->features + f) * n->inner + k;
            s += y ? (x[at] - shift) * y[at] : x[at];
        }
    return s;
}

XG_FN xg_value *xg_norm_vector(xg_eval_run *r, const xg_shape *shape, const double *v) {
    xg_value *out = xg_eval_new(r, shape);
    xg_eval_convert_block(shape->type, out->data, XLAGPU_F64, v, (size_t)shape->elements);
    return out;
}

/* y = (x - mean) / sqrt(variance + epsilon) * scale + offset, over x. */
XG_FN void xg_norm_apply(const xg_norm *n, double *x, const double *mean, const double *variance, const double *scale,
    const double *offset) {
    int64_t o, f, k;
    for (o = 0; o < n->outer; o++)
        for (f = 0; f < n->features; f++) {
            double factor = scale[f] / sqrt(variance[f] + n->epsilon);
            double *line = x + (o * n->features + f) * n->inner;
            for (k = 0; k < n->inner; k++) line[k] = (line[k] - mean[f]) * factor + offset[f];
        }
}

XG_FN xg_value *xg_eval_batch_norm_inference(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    xg_norm n = xg_norm_of(i, in[0]->shape);
    xg_value *hold[5], *out;
    double *v[5];
    uint32_t k;
    xg_eval_spend(r, i->shape->elements);
    for (k = 0; k < 5; k++) v[k] = xg_norm_doubles(r, &in[k], &hold[k]);
    xg_norm_apply(&n, v[0], v[3], v[4], v[1], v[2]);
    out = xg_norm_vector(r, i->shape, v[0]);
    for (k = 0; k < 5; k++) xg_eval_drop(r, hold[k]);
    return out;
}

XG_FN xg_value *xg_eval_batch_norm_training(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    xg_norm n = xg_norm_of(i, in[0]->shape);
    xg_value *hold[3], *outs[3], *space = xg_eval_scratch(r, xg_mul(r->ctx, (size_t)n.features, 2 * sizeof(double)));
    double *v[3], *mean = (double *)(void *)space->data, *variance = mean + n.features;
    int64_t f, o, k;
    xg_eval_spend(r, in[0]->shape->elements);
    for (k = 0; k < 3; k++) v[k] = xg_norm_doubles(r, &in[k], &hold[k]);
    for (f = 0; f < n.features; f++) {
        mean[f] = xg_norm_sum(&n, v[0], NULL, f, 0) / (double)n.count;
        variance[f] = 0;
        for (o = 0; o < n.outer; o++)
            for (k = 0; k < n.inner; k++) {
                double d = v[0][(o * n.features + f) * n.inner + k] - mean[f];
                variance[f] += d * d;
            }
        variance[f] /= (double)n.count;
    }
    xg_norm_apply(&n, v[0], mean, variance, v[1], v[2]);
    outs[0] = xg_norm_vector(r, i->shape->elems[0], v[0]);
    outs[1] = xg_norm_vector(r, i->shape->elems[1], mean);
    outs[2] = xg_norm_vector(r, i->shape->elems[2], variance);
    for (k = 0; k < 3; k++) xg_eval_drop(r, hold[k]);
    xg_eval_drop(r, space);
    return xg_eval_new_tuple(r, i->shape, outs);
}

/* Operands: x, scale, mean, variance, dy. With xh = (x - mean) / s, s = sqrt(variance + epsilon):
 * doffset = sum dy, dscale = sum dy xh, dx = scale / s (dy - (doffset + xh dscale) / count). */
XG_FN xg_value *xg_eval_batch_norm_grad(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    xg_norm n = xg_norm_of(i, in[0]->shape);
    xg_value *hold[5], *outs[3], *space = xg_eval_scratch(r, xg_mul(r->ctx, (size_t)n.features, 2 * sizeof(double)));
    double *v[5], *dscale = (double *)(void *)space->data, *doffset = dscale + n.features;
    int64_t f, o, k;
    xg_eval_spend(r, in[0]->shape->elements);
    for (k = 0; k < 5; k++) v[k] = xg_norm_doubles(r, &in[k], &hold[k]);
    for (f = 0; f < n.features; f++) {
        double s = sqrt(v[3][f] + n.epsilon);
        doffset[f] = xg_norm_sum(&n, v[4], NULL, f, 0);
        dscale[f] = xg_norm_sum(&n, v[0], v[4], f, v[2][f]) / s;
        for (o = 0; o < n.outer; o++)
            for (k = 0; k < n.inner; k++) {
                int64_t at = (o * n.features + f) * n.inner + k;
                v[4][at] =
                    v[1][f] / s * (v[4][at] - (doffset[f] + (v[0][at] - v[2][f]) / s * dscale[f]) / (double)n.count);
            }
    }
    outs[0] = xg_norm_vector(r, i->shape->elems[0], v[4]);
    outs[1] = xg_norm_vector(r, i->shape->elems[1], dscale);
    outs[2] = xg_norm_vector(r, i->shape->elems[2], doffset);
    for (k = 0; k < 5; k++) xg_eval_drop(r, hold[k]);
    xg_eval_drop(r, space);
    return xg_eval_new_tuple(r, i->shape, outs);
}

#endif /* XG_EVAL_LINEAR_C */
