/* eval/general.c -- eigenvalues, eigenvectors and Schur forms of general matrices behind JAX's calls.
 *
 * A shifted QR iteration on the Hessenberg form: of complex matrices one shift a step by rotations, of the real Schur
 * form both shifts of a conjugate pair at once by reflectors (Francis), so that nothing becomes complex. Eigenvectors
 * come from the complex triangular form by substitution. Their phase makes the largest component real, as LAPACK's
 * does; a Schur form is unique only up to the order and phases of its columns. Not converging is LAPACK's info > 0. */
#ifndef XG_EVAL_GENERAL_C
#define XG_EVAL_GENERAL_C
#include "eval.h"
#include "eigen.c"
#include "solvers.c"

enum {
    XG_QR_STEPS = 300 /* for one eigenvalue; three suffice as a rule */
};
#define XG_QR_EPSILON 2.3e-16 /* of doubles: elements this small beside the diagonal are zero */

/* What one matrix of n rows needs beside its results. */
typedef struct xg_general_space {
    xg_value *held;
    xg_complex *q;     /* n * n */
    xg_complex *x, *y; /* n each */
    int64_t *order;    /* n, and n flags behind them */
} xg_general_space;
XG_FN xg_general_space xg_general_space_of(xg_eval_run *r, int64_t n) {
    xg_general_space s;
    s.held = xg_eval_scratch(r, xg_add(r->ctx, xg_mul(r->ctx, (size_t)(n * n + 2 * n), sizeof(xg_complex)),
                                    xg_mul(r->ctx, (size_t)n, sizeof(int64_t) + sizeof(bool))));
    s.q = xg_linear_data(s.held);
    s.x = s.q + n * n;
    s.y = s.x + n;
    s.order = (int64_t *)(void *)(s.y + n);
    return s;
}

/* ---- complex matrices ---- */

/* a (n x n) to Hessenberg form by reflectors, gathered in q (from 1). */
XG_FN void xg_eigen_hessenberg(xg_complex *a, xg_complex *q, xg_complex *v, int64_t n) {
    int64_t k, j, p;
    for (k = 0; k < n * n; k++) q[k] = xg_complex_of(k / n == k % n, 0);
    for (k = 0; k + 2 < n; k++) {
        xg_complex tau, beta;
        int64_t rest = n - k - 1;
        for (j = 0; j < rest; j++) v[j] = a[(k + 1 + j) * n + k];
        beta = xg_qr_reflector(v, rest, 1, &tau);
        xg_qr_reflect(a + (k + 1) * n + k + 1, rest, n - k - 1, n, 1, v, 1, xg_complex_conj(tau));
        a[(k + 1) * n + k] = beta;
        for (j = 1; j < rest; j++) a[(k + 1 + j) * n + k] = xg_complex_of(0, 0);
        for (p = 0; p < 2; p++) { /* a := a H, q := q H, by way of their conjugates */
            xg_complex *x = p ? q : a;
            for (j = 0; j < n * n; j++) x[j] = xg_complex_conj(x[j]);
            xg_qr_reflect(x + k + 1, rest, n, 1, n, v, 1, xg_complex_conj(tau));
            for (j = 0; j < n * n; j++) x[j] = xg_complex_conj(x[j]);
        }
    }
}

/* The eigenvalue of the lower right 2 x 2 block that is nearer to its last element. */
XG_FN xg_complex xg_eigen_shift(const xg_complex *h, int64_t n, int64_t k) {
    xg_complex a = h[(k - 1) * n + k - 1], b = h[(k - 1) * n + k], c = h[k * n + k - 1], d = h[k * n + k], half,
               bc = xg_complex_mul(b, c), root, away;
    half = xg_complex_of((a.re - d.re) / 2, (a.im - d.im) / 2);
    root = xg_complex_mul(half, half);
    root = xg_complex_sqrt(xg_complex_of(root.re + bc.re, root.im + bc.im));
    away = xg_complex_of(half.re + root.re, half.im + root.im);
    if (half.re * root.re + half.im * root.im < 0) away = xg_complex_of(half.re - root.re, half.im - root.im);
    if (xg_complex_size(away) == 0) return d;
    bc = xg_complex_div(bc, away);
    return xg_complex_of(d.re - bc.re, d.im - bc.im);
}

/* h, Hessenberg, to triangular form by QR steps with rotations, gathered in q. */
XG_FN bool xg_eigen_triangular(xg_eval_run *r, xg_complex *h, xg_complex *q, int64_t n) {
    int64_t hi = n - 1, lo, k, j, steps = 0;
    double norm = 0;
    for (k = 0; k < n * n; k++) norm = XG_MAX(norm, xg_complex_size(h[k]));
    if (norm != norm) return false;
    while (hi > 0) {
        xg_complex shift;
        for (lo = hi; lo > 0; lo--) {
            double around = xg_complex_size(h[lo * n + lo]) + xg_complex_size(h[(lo - 1) * n + lo - 1]);
            if (xg_complex_size(h[lo * n + lo - 1]) <= 2.3e-16 * (around > 0 ? around : norm)) {
                h[lo * n + lo - 1] = xg_complex_of(0, 0);
                break;
            }
        }
        if (lo == hi) {
            hi--;
            steps = 0;
            continue;
        }
        if (++steps > XG_QR_STEPS) return false;
        xg_eval_spend(r, n * (hi - lo));
        shift = steps % 11 == 10
                    ? xg_complex_of(h[hi * n + hi].re + xg_complex_size(h[hi * n + hi - 1]), h[hi * n + hi].im)
                    : xg_eigen_shift(h, n, hi);
        for (k = lo; k < hi; k++) { /* the bulge is chased by rotations of rows and columns k, k + 1 */
            xg_complex x = k == lo ? xg_complex_of(h[k * n + k].re - shift.re, h[k * n + k].im - shift.im)
                                   : h[k * n + k - 1],
                       y = k == lo ? h[(k + 1) * n + k] : h[(k + 1) * n + k - 1], c, s;
            double size = hypot(xg_complex_size(x), xg_complex_size(y));
            if (size == 0) continue;
            c = xg_complex_of(x.re / size, x.im / size);
            s = xg_complex_of(y.re / size, y.im / size);
            for (j = XG_MAX(k - 1, (int64_t)0); j < n; j++) { /* G* from the left: G = [c, -conj(s); s, conj(c)] */
                xg_complex a = h[k * n + j], b = h[(k + 1) * n + j], t = xg_complex_mul(xg_complex_conj(c), a),
                           u = xg_complex_mul(xg_complex_conj(s), b), w = xg_complex_mul(c, b),
                           z = xg_complex_mul(s, a);
                h[k * n + j] = xg_complex_of(t.re + u.re, t.im + u.im);
                h[(k + 1) * n + j] = xg_complex_of(w.re - z.re, w.im - z.im);
            }
            for (j = 0; j < 2 * n; j++) { /* G from the right, on h and q */
                xg_complex *row = j < n ? h + j * n + k : q + (j - n) * n + k, a = row[0], b = row[1], t, u, w, z;
                if (j < n && j > XG_MIN(k + 2, hi)) continue;
                t = xg_complex_mul(a, c);
                u = xg_complex_mul(b, s);
                w = xg_complex_mul(b, xg_complex_conj(c));
                z = xg_complex_mul(a, xg_complex_conj(s));
                row[0] = xg_complex_of(t.re + u.re, t.im + u.im);
                row[1] = xg_complex_of(w.re - z.re, w.im - z.im);
            }
            if (k > lo) h[(k + 1) * n + k - 1] = xg_complex_of(0, 0);
        }
    }
    return true;
}

/* ---- eigenvectors ---- */

/* Substitution in triangular t: y with t y = value y, or y* t = value y*, whose element `at` is 1; value is that of
 * row `at`. */
XG_FN void xg_eigen_substitute(const xg_complex *t, int64_t n, int64_t at, bool left, xg_complex *y) {
    xg_complex value = t[at * n + at];
    double scale = 0;
    int64_t k, j, step = left ? 1 : -1;
    for (k = 0; k < n; k++) scale = XG_MAX(scale, xg_complex_size(t[k * n + k]));
    for (k = 0; k < n; k++) y[k] = xg_complex_of(k == at, 0);
    for (k = at + step; k >= 0 && k < n; k += step) {
        xg_complex sum = xg_complex_of(0, 0), d = xg_complex_of(t[k * n + k].re - value.re, t[k * n + k].im - value.im);
        for (j = at; j != k; j += step)
            xg_complex_sub_mul(&sum, left ? xg_complex_conj(t[j * n + k]) : t[k * n + j], y[j]);
        if (xg_complex_size(d) < XG_QR_EPSILON * scale || scale == 0)
            d = xg_complex_of(XG_QR_EPSILON * (scale > 0 ? scale : 1), 0);
        y[k] = xg_complex_div(sum, left ? xg_complex_conj(d) : d);
    }
}
/* Length one, the largest component real and positive. */
XG_FN void xg_eigen_normalize(xg_complex *x, int64_t n) {
    double norm = 0;
    xg_complex phase;
    int64_t k, top = 0;
    for (k = 0; k < n; k++) norm = hypot(norm, xg_complex_size(x[k]));
    for (k = 0; k < n; k++) x[k] = xg_complex_of(x[k].re / norm, x[k].im / norm);
    for (k = 1; k < n; k++)
        if (xg_complex_size(x[k]) > xg_complex_size(x[top]) * (1 + 1e-12)) top = k;
    phase = xg_complex_div(xg_complex_of(xg_complex_size(x[top]), 0), x[top]);
    for (k = 0; k < n; k++) x[k] = xg_complex_mul(x[k], phase);
}
/* Eigenvector `at` of q t q* into s->x. */
XG_FN void xg_eigen_vector(
    const xg_complex *t, const xg_complex *q, int64_t n, int64_t at, bool left, const xg_general_space *s) {
    int64_t k, j;
    xg_eigen_substitute(t, n, at, left, s->y);
    for (k = 0; k < n; k++) {
        s->x[k] = xg_complex_of(0, 0);
        for (j = left ? at : 0; j <= (left ? n - 1 : at); j++) {
            xg_complex p = xg_complex_mul(q[k * n + j], s->y[j]);
            s->x[k].re += p.re;
            s->x[k].im += p.im;
        }
    }
    xg_eigen_normalize(s->x, n);
}
/* All of them, as columns of out in the order of s->order; of a conjugate pair the second is the first's conjugate, of
 * a real value of a real matrix the vector is real. */
XG_FN void xg_eigen_vectors(const xg_complex *t, const xg_complex *q, int64_t n, bool left, bool real,
    const xg_general_space *s, xg_complex *out) {
    int64_t k, j;
    for (k = 0; k < n; k++) {
        xg_complex value = t[s->order[k] * n + s->order[k]];
        bool pair = real && value.im > 0 && k + 1 < n;
        xg_eigen_vector(t, q, n, s->order[k], left, s);
        for (j = 0; j < n; j++) {
            out[j * n + k] = real && value.im == 0 ? xg_complex_of(s->x[j].re, 0) : s->x[j];
            if (pair) out[j * n + k + 1] = xg_complex_conj(s->x[j]);
        }
        k += pair;
    }
}
/* cuSOLVER's vectors of a real matrix: a conjugate pair takes two columns, real and imaginary part. */
XG_FN void xg_eigen_pack(const xg_complex *values, int64_t n, xg_complex *x) {
    int64_t k, j;
    for (k = 0; k + 1 < n; k++) {
        if (!(values[k].im > 0)) continue;
        for (j = 0; j < n; j++) x[j * n + k + 1] = xg_complex_of(x[j * n + k].im, 0);
        k++;
    }
}
/* Real matrices: eigenvalues in conjugate pairs, the one with the positive imaginary part first; `order` tells which
 * computed one is where. */
XG_FN void xg_eigen_pair(xg_complex *t, int64_t n, int64_t *order) {
    double norm = 0;
    int64_t k, j, to = 0;
    bool *used = (bool *)(void *)(order + n);
    for (k = 0; k < n; k++) {
        norm = XG_MAX(norm, xg_complex_size(t[k * n + k]));
        used[k] = false;
    }
    for (k = 0; k < n; k++) {
        xg_complex v = t[k * n + k];
        int64_t best = -1;
        double least = 0;
        if (used[k]) continue;
        used[k] = true;
        if (fabs(v.im) > 1e-10 * norm)
            for (j = k + 1; j < n; j++) {
                double away = hypot(t[j * n + j].re - v.re, t[j * n + j].im + v.im);
                if (!used[j] && (best < 0 || away < least)) {
                    best = j;
                    least = away;
                }
            }
        if (best < 0 || least > fabs(v.im)) {
            t[k * n + k].im = 0;
            order[to++] = k;
            continue;
        }
        used[best] = true;
        order[to++] = v.im > 0 ? k : best;
        order[to++] = v.im > 0 ? best : k;
        t[order[to - 1] * n + order[to - 1]] = xg_complex_conj(t[order[to - 2] * n + order[to - 2]]);
    }
}

/* a (n x n, becomes triangular) -> its values in the order of s->order; q of the Schur form. False: not converged. */
XG_FN bool xg_eigen_values(xg_eval_run *r, xg_complex *a, xg_complex *q, int64_t n, bool pairs,
    const xg_general_space *s, xg_complex *values) {
    bool good;
    int64_t k, j;
    xg_eigen_hessenberg(a, q, s->x, n);
    good = !n || xg_eigen_triangular(r, a, q, n);
    for (k = 0; k < n; k++) {
        for (j = 0; j < k; j++) a[k * n + j] = xg_complex_of(0, 0);
        s->order[k] = k;
    }
    if (pairs) xg_eigen_pair(a, n, s->order);
    for (k = 0; k < n; k++) values[k] = a[s->order[k] * n + s->order[k]];
    return good;
}
XG_FN void xg_general_failed(xg_value *info, int64_t matrix) {
    xg_eval_store_int(info->shape->type, info->data + matrix * xg_type_bytes(info->shape->type), 1);
}

/* ---- the real Schur form ---- */

/* h := H h H and q := q H, H the reflector of m elements from k that v and factor make. */
XG_APART XG_FN void xg_francis_mirror(
    double *h, double *q, int64_t n, int64_t k, int64_t m, int64_t hi, const double *v) {
    double size = 0, sum;
    int64_t j, p;
    for (p = 0; p < m; p++) size += v[p] * v[p];
    for (j = XG_MAX(k - 1, (int64_t)0); j < n; j++) {
        for (sum = 0, p = 0; p < m; p++) sum += v[p] * h[(k + p) * n + j];
        for (p = 0; p < m; p++) h[(k + p) * n + j] -= 2 * sum / size * v[p];
    }
    for (j = 0; j < 2 * n; j++) {
        double *row = (j < n ? h + j * n : q + (j - n) * n) + k;
        if (j < n && j > XG_MIN(k + 3, hi)) continue;
        for (sum = 0, p = 0; p < m; p++) sum += v[p] * row[p];
        for (p = 0; p < m; p++) row[p] -= 2 * sum / size * v[p];
    }
}
/* One double step on rows lo to hi, three at least: the shifts are the eigenvalues of the last two rows; now and then
 * others, lest steps go round in circles. */
XG_APART XG_FN void xg_francis_double_step(double *h, double *q, int64_t n, int64_t lo, int64_t hi, bool odd) {
    const double *a = h + (hi - 1) * n + hi - 1, *b = h + lo * n + lo;
    double sum = a[0] + a[n + 1], product = a[0] * a[n + 1] - a[n] * a[1], v[3];
    int64_t k, p;
    if (odd) {
        sum = fabs(a[n]) + fabs(h[(hi - 1) * n + hi - 2]);
        product = sum * sum;
        sum *= 1.5;
    }
    v[0] = (b[0] - sum) * b[0] + b[1] * b[n] + product;
    v[1] = b[n] * (b[0] + b[n + 1] - sum);
    v[2] = b[n] * b[2 * n + 1];
    for (k = lo; k < hi; k++) {
        int64_t m = XG_MIN(hi - k + 1, (int64_t)3);
        double size = 0;
        for (p = 0; p < m; p++) {
            if (k > lo) v[p] = h[(k + p) * n + k - 1];
            size = hypot(size, v[p]);
        }
        if (size == 0) continue;
        v[0] += v[0] < 0 ? -size : size;
        xg_francis_mirror(h, q, n, k, m, hi, v);
        for (p = 1; k > lo && p < m; p++) h[(k + p) * n + k - 1] = 0;
    }
}
/* h, Hessenberg, to blocks of one and two rows, gathered in q. */
XG_FN bool xg_francis_blocks(xg_eval_run *r, double *h, double *q, int64_t n) {
    int64_t hi = n - 1, lo, k, steps = 0;
    double norm = 0;
    for (k = 0; k < n * n; k++) {
        if (h[k] != h[k]) return false;
        norm = XG_MAX(norm, fabs(h[k]));
    }
    while (hi > 0) {
        for (lo = hi; lo > 0; lo--) {
            double around = fabs(h[lo * n + lo]) + fabs(h[(lo - 1) * n + lo - 1]);
            if (fabs(h[lo * n + lo - 1]) <= XG_QR_EPSILON * (around > 0 ? around : norm)) {
                h[lo * n + lo - 1] = 0;
                break;
            }
        }
        if (lo + 1 >= hi) {
            hi = lo - 1;
            steps = 0;
            continue;
        }
        if (++steps > XG_QR_STEPS) return false;
        xg_eval_spend(r, n * (hi - lo));
        xg_francis_double_step(h, q, n, lo, hi, steps % 11 == 10);
    }
    return true;
}
/* The rotation that gives rows k, k + 1 LAPACK's form: a triangle where the block's eigenvalues are real (true), else
 * equal elements on the diagonal. */
XG_FN bool xg_francis_rotation(const double *block, int64_t n, double *c, double *s) {
    double p = (block[0] - block[n + 1]) / 2, z = p * p + block[1] * block[n], sum, size;
    *c = 1;
    *s = 0;
    if (z >= 0) {
        z = p + (p < 0 ? -sqrt(z) : sqrt(z));
        size = hypot(z, block[n]);
        *c = z / size;
        *s = block[n] / size;
        return true;
    }
    sum = block[1] + block[n];
    size = hypot(sum, 2 * p);
    if (size == 0) return false;
    *c = sqrt((1 + fabs(sum) / size) / 2);
    *s = -p / (size * *c) * (sum < 0 ? -1 : 1);
    return false;
}
XG_FN void xg_francis_rotate(double *x, int64_t step, int64_t other, int64_t count, double c, double s) {
    int64_t k;
    for (k = 0; k < count; k++, x += step) {
        double a = x[0], b = x[other];
        x[0] = c * a + s * b;
        x[other] = c * b - s * a;
    }
}
XG_FN void xg_francis_standardize(double *h, double *q, int64_t n) {
    int64_t k;
    for (k = 0; k + 1 < n; k++) {
        double *block = h + k * n + k, c, s;
        bool real;
        if (block[n] == 0) continue;
        real = xg_francis_rotation(block, n, &c, &s);
        xg_francis_rotate(block, 1, n, n - k, c, s);
        xg_francis_rotate(h + k, n, 1, k + 2, c, s);
        xg_francis_rotate(q + k, n, 1, n, c, s);
        if (real)
            block[n] = 0;
        else
            block[0] = block[n + 1] = (block[0] + block[n + 1]) / 2;
    }
}
/* a (n x n, real) -> t in its place, z, and the values; s->q holds both as doubles. */
XG_APART XG_FN bool xg_general_real_schur(
    xg_eval_run *r, xg_complex *a, xg_complex *z, int64_t n, const xg_general_space *s, xg_complex *values) {
    double *h = (double *)(void *)s->q, *q = h + n * n, most = 0, scale;
    int64_t k;
    bool good;
    int exponent = 0;
    for (k = 0; k < n * n; k++) most = XG_MAX(most, fabs(a[k].re));
    if (most > 0 && most * 0 == 0) (void)frexp(most, &exponent); /* squares must not leave the range */
    xg_eigen_hessenberg(a, z, s->x, n);
    for (k = 0; k < n * n; k++) {
        h[k] = k / n > k % n + 1 ? 0 : ldexp(a[k].re, -exponent);
        q[k] = z[k].re;
    }
    good = xg_francis_blocks(r, h, q, n);
    xg_francis_standardize(h, q, n);
    for (k = 0; k < n * n; k++) {
        a[k] = xg_complex_of(ldexp(h[k], exponent), 0);
        z[k] = xg_complex_of(q[k], 0);
    }
    for (k = 0; k < n; k++) {
        bool pair = k + 1 < n && h[(k + 1) * n + k] != 0;
        scale = pair ? ldexp(sqrt(fabs(h[k * n + k + 1])) * sqrt(fabs(h[(k + 1) * n + k])), exponent) : 0;
        values[k] = xg_complex_of(a[k * n + k].re, scale);
        if (pair) {
            values[k + 1] = xg_complex_of(a[k * n + k].re, -scale);
            k++;
        }
    }
    return good;
}

/* ---- the calls ---- */

/* Real or imaginary parts as results of their own. */
XG_FN xg_value *xg_general_part(xg_eval_run *r, const xg_shape *s, xg_value *values, bool imaginary) {
    xg_value *part = xg_solver_zeros(r, s);
    int64_t k;
    for (k = 0; k < s->elements; k++) {
        xg_complex z = xg_linear_data(values)[k];
        xg_linear_data(part)[k] = xg_complex_of(imaginary ? z.im : z.re, 0);
    }
    return xg_linear_narrow(r, s, part);
}
/* The results that hold values, `first` and on: one of complex numbers, or real and imaginary parts. */
XG_FN void xg_general_put_values(
    xg_eval_run *r, const xg_inst *i, uint32_t first, bool split, xg_value *values, xg_value **outs) {
    const xg_shape *const *e = i->shape->elems;
    if (split) {
        outs[first] = xg_general_part(r, e[first], values, false);
        outs[first + 1] = xg_general_part(r, e[first + 1], values, true);
        xg_eval_drop(r, values);
    } else
        outs[first] = xg_linear_narrow(r, e[first], values);
}
/* A matrix whose iteration did not converge has no eigenvectors: NaN, as its values. */
XG_FN void xg_general_spoil(xg_complex *x, int64_t n) {
    int64_t k;
    for (k = 0; k < n; k++) x[k] = xg_complex_of(xg_f64_nan(), xg_f64_nan());
}

/* cuSOLVER: (A destroyed, values, left vectors, right vectors, info), vectors of a real matrix packed. LAPACK and
 * MAGMA: (values, left, right, info), of a real matrix the values as two arrays, the vectors complex. */
XG_FN bool xg_geev_fits(const xg_inst *i, xg_value **in, bool cuda, xg_matrices *m) {
    const xg_shape *s = i->n_operands == 1 ? in[0]->shape : NULL;
    bool real = s && xg_shape_is_array(s) && xg_type_class(s->type) == XGT_F;
    uint32_t n = cuda || real ? 5 : 4, k;
    if (!s || !xg_solver_tuple(i, 1, n) || !xg_solver_matrices(s, m) || m->rows != m->columns ||
        !xg_solver_result(i, n - 1, XGT_I, m->count) || (cuda && !xg_solver_result(i, 0, XGT_F | XGT_C, s->elements)))
        return false;
    for (k = cuda; k < n - 3; k++)
        if (!xg_solver_result(i, k, real && !cuda ? XGT_F : XGT_C, m->count * m->rows)) return false;
    for (; k < n - 1; k++)
        if (!xg_solver_result(i, k, real && cuda ? XGT_F : XGT_C, s->elements)) return false;
    return true;
}
XG_FN xg_value *xg_call_geev(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    bool cuda = xg_attr_is(i, XG_A_custom_call_target, "cusolver_geev_ffi"), real, wanted[2];
    xg_value *outs[5], *wide, *values, *vectors[2];
    xg_general_space s;
    xg_matrices m;
    int64_t b, n;
    uint32_t last, k;
    if (!xg_geev_fits(i, in, cuda, &m)) return NULL;
    last = i->shape->n_elems - 1;
    n = m.rows;
    real = xg_type_class(in[0]->shape->type) == XGT_F;
    wanted[0] = xg_call_choice(i, "left", "compute_left", "V", false);
    wanted[1] = xg_call_choice(i, "right", "compute_right", "V", true);
    wide = xg_linear_widen(r, &in[0]);
    values = xg_solver_values(r, m.count * n);
    for (k = 0; k < 2; k++) vectors[k] = xg_solver_zeros(r, i->shape->elems[last - 2 + k]);
    s = xg_general_space_of(r, n);
    outs[last] = xg_eval_zero(r, i->shape->elems[last]);
    for (b = 0; b < m.count; b++) {
        xg_complex *a = xg_linear_data(wide) + b * n * n, *value = xg_linear_data(values) + b * n;
        bool good = xg_eigen_values(r, a, s.q, n, real, &s, value);
        for (k = 0; k < 2; k++) {
            xg_complex *out = xg_linear_data(vectors[k]) + b * n * n;
            if (wanted[k] && good) xg_eigen_vectors(a, s.q, n, k == 0, real, &s, out);
            if (wanted[k] && !good) xg_general_spoil(out, n * n);
            if (wanted[k] && cuda && real) xg_eigen_pack(value, n, out);
        }
        if (good) continue;
        xg_general_failed(outs[last], b);
        xg_general_spoil(value, n);
    }
    xg_eval_drop(r, s.held);
    if (cuda)
        outs[0] = xg_linear_narrow(r, i->shape->elems[0], wide);
    else
        xg_eval_drop(r, wide);
    xg_general_put_values(r, i, cuda, real && !cuda, values, outs);
    for (k = 0; k < 2; k++) outs[last - 2 + k] = xg_linear_narrow(r, i->shape->elems[last - 2 + k], vectors[k]);
    return xg_eval_new_tuple(r, i->shape, outs);
}

/* (T, vectors, values, how many were sorted, info), nothing sorted: A = V T V*. Of a real matrix the values are two
 * arrays, and T has blocks of two rows. */
XG_FN xg_value *xg_call_gees(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    const xg_shape *shape = i->n_operands == 1 ? in[0]->shape : NULL;
    bool real = shape && xg_shape_is_array(shape) && xg_type_class(shape->type) == XGT_F, good;
    uint32_t n_outs = real ? 6 : 5, k;
    xg_value *outs[6], *wide, *z, *values;
    xg_general_space s;
    xg_matrices m;
    int64_t b, n;
    if (!shape || !xg_solver_tuple(i, 1, n_outs) || !xg_solver_matrices(shape, &m) || m.rows != m.columns ||
        xg_call_choice(i, "sorted", "sort", "S", false))
        return NULL;
    n = m.rows;
    for (k = 0; k < n_outs; k++) {
        int64_t elements = k < 2 ? shape->elements : k < n_outs - 2 ? m.count * n : m.count;
        if (!xg_solver_result(i, k, k >= n_outs - 2 ? XGT_I : real ? XGT_F : XGT_C, elements)) return NULL;
    }
    wide = xg_linear_widen(r, &in[0]);
    z = xg_solver_zeros(r, i->shape->elems[1]);
    values = xg_solver_values(r, m.count * n);
    s = xg_general_space_of(r, n);
    for (k = n_outs - 2; k < n_outs; k++) outs[k] = xg_eval_zero(r, i->shape->elems[k]);
    for (b = 0; b < m.count; b++) {
        xg_complex *a = xg_linear_data(wide) + b * n * n, *q = xg_linear_data(z) + b * n * n,
                   *value = xg_linear_data(values) + b * n;
        good = real ? xg_general_real_schur(r, a, q, n, &s, value) : xg_eigen_values(r, a, q, n, false, &s, value);
        if (!good) xg_general_failed(outs[n_outs - 1], b);
    }
    xg_eval_drop(r, s.held);
    outs[0] = xg_linear_narrow(r, i->shape->elems[0], wide);
    outs[1] = xg_linear_narrow(r, i->shape->elems[1], z);
    xg_general_put_values(r, i, 2, real, values, outs);
    return xg_eval_new_tuple(r, i->shape, outs);
}

/* What opt/general_eigen_expander.c leaves to a kernel: (A) -> (T, Z, values, info) in complex doubles, A = Z T Z*; or,
 * if vectors are asked for, eigenvectors in the place of Z, those of a real matrix in pairs. */
XG_FN xg_value *xg_general_call(xg_eval_run *r, const xg_inst *i, xg_value **in, bool vectors) {
    bool pairs = vectors && xg_type_class(in[0]->shape->type) == XGT_F;
    xg_value *outs[4], *wide, *z, *values;
    xg_general_space s;
    xg_matrices m;
    int64_t b, n, k;
    if (!xg_solver_tuple(i, 1, 4) || !xg_solver_matrices(in[0]->shape, &m) || m.rows != m.columns || m.rows < 1 ||
        !xg_solver_result(i, 3, XGT_I, m.count))
        return NULL;
    n = m.rows;
    for (k = 0; k < 3; k++)
        if (!xg_solver_result(i, (uint32_t)k, XGT_C, k < 2 ? m.count * n * n : m.count * n)) return NULL;
    wide = xg_linear_widen(r, &in[0]);
    z = xg_solver_zeros(r, i->shape->elems[1]);
    values = xg_solver_values(r, m.count * n);
    s = xg_general_space_of(r, n);
    outs[3] = xg_eval_zero(r, i->shape->elems[3]);
    for (b = 0; b < m.count; b++) {
        xg_complex *a = xg_linear_data(wide) + b * n * n, *out = xg_linear_data(z) + b * n * n,
                   *q = vectors ? s.q : out;
        if (!xg_eigen_values(r, a, q, n, pairs, &s, xg_linear_data(values) + b * n)) xg_general_failed(outs[3], b);
        if (vectors) xg_eigen_vectors(a, q, n, false, false, &s, out);
    }
    xg_eval_drop(r, s.held);
    outs[0] = xg_linear_narrow(r, i->shape->elems[0], wide);
    outs[1] = xg_linear_narrow(r, i->shape->elems[1], z);
    outs[2] = xg_linear_narrow(r, i->shape->elems[2], values);
    return xg_eval_new_tuple(r, i->shape, outs);
}
XG_FN xg_value *xg_call_schur(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    return xg_general_call(r, i, in, false);
}
XG_FN xg_value *xg_call_eigenvectors(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    return xg_general_call(r, i, in, true);
}

#undef XG_QR_EPSILON
#endif /* XG_EVAL_GENERAL_C */
