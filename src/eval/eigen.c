/* eval/eigen.c -- eigenvalues and singular values behind JAX's calls.
 *
 * Chosen for being short and accurate, not fast: Jacobi rotations for Hermitian matrices and for singular values
 * (one-sided), a shifted QR iteration on the complex Hessenberg form for general matrices. Vectors are unique only up
 * to a phase (and within equal eigenvalues up to a rotation), so they may differ from a library's by that; values and
 * products agree. Not converging is LAPACK's info > 0. */
#ifndef XG_EVAL_EIGEN_C
#define XG_EVAL_EIGEN_C
#include "eval.h"

enum {
    XG_JACOBI_SWEEPS = 60,
    XG_QR_STEPS = 300
};

XG_FN double xg_complex_size(xg_complex z) { return hypot(z.re, z.im); }

/* Columns p and q of a (n rows): (p, q) := (c p - conj(s) q, s p + c q). */
XG_FN void xg_jacobi_columns(xg_complex *a, int64_t n, int64_t step, int64_t p, int64_t q, double c, xg_complex s) {
    int64_t k;
    for (k = 0; k < n; k++) {
        xg_complex x = a[k * step + p], y = a[k * step + q], t = xg_complex_mul(xg_complex_conj(s), y),
                   u = xg_complex_mul(s, x);
        a[k * step + p] = xg_complex_of(c * x.re - t.re, c * x.im - t.im);
        a[k * step + q] = xg_complex_of(u.re + c * y.re, u.im + c * y.im);
    }
}

/* The rotation that makes [[app, apq], [conj(apq), aqq]] diagonal. */
XG_FN void xg_jacobi_angle(double app, double aqq, xg_complex apq, double *c, xg_complex *s) {
    double size = xg_complex_size(apq), theta = (aqq - app) / (2 * size),
           t = 1 / (fabs(theta) + sqrt(theta * theta + 1));
    if (theta < 0) t = -t;
    *c = 1 / sqrt(t * t + 1);
    *s = xg_complex_of(t * *c * apq.re / size, t * *c * apq.im / size);
}

/* Orders n values with their columns, ascending or descending; `work` holds n pairs. */
typedef struct xg_ranked {
    double value;
    int64_t at;
} xg_ranked;
XG_FN void xg_rank_columns(xg_ranked *w, int64_t n, bool descending) {
    int64_t i, j;
    for (i = 1; i < n; i++) {
        xg_ranked t = w[i];
        for (j = i; j > 0 && (descending ? w[j - 1].value < t.value : w[j - 1].value > t.value); j--) w[j] = w[j - 1];
        w[j] = t;
    }
}

/* ---- Hermitian ---- */

/* a (n x n, changed) -> eigenvalues on its diagonal, vectors in the columns of v. */
XG_FN bool xg_eigen_hermitian(xg_eval_run *r, xg_complex *a, xg_complex *v, int64_t n) {
    int64_t sweep, p, q, k;
    for (k = 0; k < n * n; k++) v[k] = xg_complex_of(k / n == k % n, 0);
    for (sweep = 0; sweep < XG_JACOBI_SWEEPS; sweep++) {
        double off = 0, on = 0;
        for (p = 0; p < n; p++) {
            on += a[p * n + p].re * a[p * n + p].re;
            for (q = p + 1; q < n; q++) {
                double size = xg_complex_size(a[p * n + q]);
                off += size * size;
            }
        }
        if (!(off > on * 1e-32)) return off == off;
        xg_eval_spend_each(r, n, n * n);
        for (p = 0; p < n; p++)
            for (q = p + 1; q < n; q++) {
                double c;
                xg_complex s;
                if (xg_complex_size(a[p * n + q]) <= 1e-300) continue;
                xg_jacobi_angle(a[p * n + p].re, a[q * n + q].re, a[p * n + q], &c, &s);
                xg_jacobi_columns(a, n, n, p, q, c, s);
                for (k = 0; k < n; k++) { /* and the rows, by the conjugate */
                    xg_complex x = a[p * n + k], y = a[q * n + k], t = xg_complex_mul(s, y),
                               u = xg_complex_mul(xg_complex_conj(s), x);
                    a[p * n + k] = xg_complex_of(c * x.re - t.re, c * x.im - t.im);
                    a[q * n + k] = xg_complex_of(u.re + c * y.re, u.im + c * y.im);
                }
                xg_jacobi_columns(v, n, n, p, q, c, s);
            }
    }
    return false;
}

/* (vectors, eigenvalues ascending, info); the triangle that `lower` names is read. */
XG_FN xg_value *xg_call_syevd(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    bool lower = xg_call_choice(i, "lower", "uplo", "L", true);
    xg_value *outs[3], *wide, *vectors, *values, *space;
    xg_matrices m;
    int64_t b, n, p, q;
    if (!xg_solver_tuple(i, 1, 3) || !xg_solver_matrices(in[0]->shape, &m) || m.rows != m.columns) return NULL;
    n = m.rows;
    if (!xg_solver_result(i, 0, XGT_F | XGT_C, in[0]->shape->elements) || !xg_solver_result(i, 1, XGT_F, m.count * n) ||
        !xg_solver_result(i, 2, XGT_I, m.count))
        return NULL;
    wide = xg_linear_widen(r, &in[0]);
    vectors = xg_solver_zeros(r, in[0]->shape);
    values = xg_solver_zeros(r, i->shape->elems[1]);
    space = xg_eval_scratch(
        r, xg_mul(r->ctx, (size_t)(n * n), sizeof(xg_complex)) + xg_mul(r->ctx, (size_t)n, sizeof(xg_ranked)));
    outs[2] = xg_eval_zero(r, i->shape->elems[2]);
    for (b = 0; b < m.count; b++) {
        xg_complex *a = xg_linear_data(wide) + b * n * n, *v = xg_linear_data(space),
                   *out = xg_linear_data(vectors) + b * n * n;
        xg_ranked *rank = (xg_ranked *)(void *)(v + n * n);
        for (p = 0; p < n; p++) {
            a[p * n + p].im = 0;
            for (q = p + 1; q < n; q++) {
                if (lower)
                    a[p * n + q] = xg_complex_conj(a[q * n + p]);
                else
                    a[q * n + p] = xg_complex_conj(a[p * n + q]);
            }
        }
        if (!xg_eigen_hermitian(r, a, v, n))
            xg_eval_store_int(
                outs[2]->shape->type, outs[2]->data + (size_t)b * (size_t)xg_type_bytes(outs[2]->shape->type), 1);
        for (p = 0; p < n; p++) {
            rank[p].value = a[p * n + p].re;
            rank[p].at = p;
        }
        xg_rank_columns(rank, n, false);
        for (p = 0; p < n; p++) {
            xg_linear_data(values)[b * n + p] = xg_complex_of(rank[p].value, 0);
            for (q = 0; q < n; q++) out[q * n + p] = v[q * n + rank[p].at];
        }
    }
    xg_eval_drop(r, wide);
    xg_eval_drop(r, space);
    outs[0] = xg_linear_narrow(r, i->shape->elems[0], vectors);
    outs[1] = xg_linear_narrow(r, i->shape->elems[1], values);
    return xg_eval_new_tuple(r, i->shape, outs);
}

/* (reflectors below or above, d, e, taus, info): A = Q T Q*, LAPACK's unblocked order for each triangle. */
XG_FN xg_value *xg_call_sytrd(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    bool lower = xg_call_choice(i, "lower", "uplo", "L", true);
    xg_value *outs[5], *wide, *parts[3];
    xg_matrices m;
    int64_t b, n, k, p, q;
    uint32_t o;
    if (!xg_solver_tuple(i, 1, 5) || !xg_solver_matrices(in[0]->shape, &m) || m.rows != m.columns || m.rows < 1 ||
        !lower)
        return NULL;
    n = m.rows;
    if (!xg_solver_result(i, 0, XGT_F | XGT_C, in[0]->shape->elements) || !xg_solver_result(i, 1, XGT_F, m.count * n) ||
        !xg_solver_result(i, 4, XGT_I, m.count))
        return NULL;
    for (o = 2; o < 4; o++)
        if (!xg_solver_result(i, o, XGT_F | XGT_C, m.count * (n - 1))) return NULL;
    wide = xg_linear_widen(r, &in[0]);
    for (o = 0; o < 3; o++) parts[o] = xg_solver_zeros(r, i->shape->elems[o + 1]);
    for (b = 0; b < m.count; b++) {
        xg_complex *a = xg_linear_data(wide) + b * n * n, *d = xg_linear_data(parts[0]) + b * n,
                   *e = xg_linear_data(parts[1]) + b * (n - 1), *tau = xg_linear_data(parts[2]) + b * (n - 1);
        xg_value *full = xg_eval_scratch(r, (size_t)(n * n) * sizeof(xg_complex));
        xg_complex *f = xg_linear_data(full);
        for (p = 0; p < n; p++)
            for (q = 0; q < n; q++)
                f[p * n + q] = q < p   ? a[p * n + q]
                               : q > p ? xg_complex_conj(a[q * n + p])
                                       : xg_complex_of(a[p * n + p].re, 0);
        for (k = 0; k + 1 < n; k++) {
            xg_complex *x = f + (k + 1) * n + k, *block = f + (k + 1) * n + k + 1, beta;
            int64_t rest = n - k - 1;
            xg_eval_spend(r, rest * rest);
            beta = xg_qr_reflector(x, rest, n, &tau[k]);
            /* H* A, then A H by way of the adjoint, which is itself Hermitian */
            xg_qr_reflect(block, rest, rest, n, 1, x, n, xg_complex_conj(tau[k]));
            for (p = 0; p < rest; p++)
                for (q = 0; q <= p; q++) {
                    xg_complex t = xg_complex_conj(block[p * n + q]);
                    block[p * n + q] = xg_complex_conj(block[q * n + p]);
                    block[q * n + p] = t;
                }
            xg_qr_reflect(block, rest, rest, n, 1, x, n, xg_complex_conj(tau[k]));
            e[k] = beta;
            for (p = 0; p < rest; p++) a[(k + 1 + p) * n + k] = p ? x[p * n] : beta;
        }
        for (k = 0; k < n; k++) {
            d[k] = xg_complex_of(f[k * n + k].re, 0);
            a[k * n + k] = d[k];
        }
        xg_eval_drop(r, full);
    }
    outs[0] = xg_linear_narrow(r, i->shape->elems[0], wide);
    for (o = 0; o < 3; o++) outs[o + 1] = xg_linear_narrow(r, i->shape->elems[o + 1], parts[o]);
    outs[4] = xg_eval_zero(r, i->shape->elems[4]);
    return xg_eval_new_tuple(r, i->shape, outs);
}

/* ---- singular values ---- */

/* One matrix a (m x n, m >= n, changed): a becomes U S by rotating its columns until they are orthogonal; the same
 * rotations make v from 1. */
XG_FN bool xg_svd_jacobi(xg_eval_run *r, xg_complex *a, xg_complex *v, int64_t m, int64_t n) {
    int64_t sweep, p, q, k;
    for (k = 0; k < n * n; k++) v[k] = xg_complex_of(k / n == k % n, 0);
    for (sweep = 0; sweep < XG_JACOBI_SWEEPS; sweep++) {
        bool rotated = false;
        xg_eval_spend_each(r, n, m * n);
        for (p = 0; p < n; p++)
            for (q = p + 1; q < n; q++) {
                double pp = 0, qq = 0, c;
                xg_complex pq = xg_complex_of(0, 0), s;
                for (k = 0; k < m; k++) {
                    xg_complex x = a[k * n + p], y = a[k * n + q], t = xg_complex_mul(xg_complex_conj(x), y);
                    pp += x.re * x.re + x.im * x.im;
                    qq += y.re * y.re + y.im * y.im;
                    pq.re += t.re;
                    pq.im += t.im;
                }
                if (pp + qq != pp + qq) return false;
                if (!(xg_complex_size(pq) > 1e-16 * sqrt(pp) * sqrt(qq)) || xg_complex_size(pq) < 1e-300) continue;
                rotated = true;
                xg_jacobi_angle(pp, qq, pq, &c, &s);
                xg_jacobi_columns(a, m, n, p, q, c, s);
                xg_jacobi_columns(v, n, n, p, q, c, s);
            }
        if (!rotated) return true;
    }
    return false;
}

/* Makes column `at` of u (m x columns, row-major) a unit vector orthogonal to the `at` columns before it: the best of
 * the unit axes. */
XG_FN void xg_svd_complete(xg_complex *u, int64_t m, int64_t columns, int64_t at) {
    int64_t axis, best = 0, j, k, pass;
    double most = -1, norm = 0;
    for (axis = 0; axis < m; axis++) {
        double left = 1;
        for (j = 0; j < at; j++) {
            double s = xg_complex_size(u[axis * columns + j]);
            left -= s * s;
        }
        if (left > most) {
            most = left;
            best = axis;
        }
    }
    for (k = 0; k < m; k++) u[k * columns + at] = xg_complex_of(k == best, 0);
    for (pass = 0; pass < 2; pass++)
        for (j = 0; j < at; j++) {
            xg_complex dot = xg_complex_of(0, 0);
            for (k = 0; k < m; k++) {
                xg_complex t = xg_complex_mul(xg_complex_conj(u[k * columns + j]), u[k * columns + at]);
                dot.re += t.re;
                dot.im += t.im;
            }
            for (k = 0; k < m; k++) xg_complex_sub_mul(&u[k * columns + at], dot, u[k * columns + j]);
        }
    for (k = 0; k < m; k++) norm = hypot(norm, xg_complex_size(u[k * columns + at]));
    for (k = 0; k < m; k++) {
        u[k * columns + at].re /= norm;
        u[k * columns + at].im /= norm;
    }
}

/* a (rows x columns) -> its singular values, descending; left vectors u (rows x u_columns) and right ones v (columns x
 * v_columns), completed to bases. */
XG_FN bool xg_svd(xg_eval_run *r, const xg_complex *a, int64_t rows, int64_t columns, double *s, xg_complex *u,
    int64_t u_columns, xg_complex *v, int64_t v_columns) {
    bool tall = rows >= columns, good;
    int64_t m = tall ? rows : columns, n = tall ? columns : rows, p, k, from;
    xg_value *space = xg_eval_scratch(r, xg_add(r->ctx, xg_mul(r->ctx, (size_t)(m * n + n * n), sizeof(xg_complex)),
                                             xg_mul(r->ctx, (size_t)n, sizeof(xg_ranked))));
    xg_complex *w = xg_linear_data(space), *z = w + m * n, *left = tall ? u : v, *right = tall ? v : u;
    int64_t lc = tall ? u_columns : v_columns, rc = tall ? v_columns : u_columns;
    xg_ranked *rank = (xg_ranked *)(void *)(z + n * n);
    for (p = 0; p < m; p++)
        for (k = 0; k < n; k++) w[p * n + k] = tall ? a[p * n + k] : xg_complex_conj(a[k * columns + p]);
    good = xg_svd_jacobi(r, w, z, m, n);
    for (p = 0; p < n; p++) {
        double size = 0;
        for (k = 0; k < m; k++) size = hypot(size, xg_complex_size(w[k * n + p]));
        rank[p].value = size;
        rank[p].at = p;
    }
    xg_rank_columns(rank, n, true);
    for (p = 0; p < n; p++) s[p] = rank[p].value;
    for (p = 0; p < lc; p++) {
        from = p < n ? rank[p].at : 0;
        if (p < n && rank[p].value > rank[0].value * 1e-300 && rank[p].value > 0)
            for (k = 0; k < m; k++)
                left[k * lc + p] =
                    xg_complex_of(w[k * n + from].re / rank[p].value, w[k * n + from].im / rank[p].value);
        else
            xg_svd_complete(left, m, lc, p);
    }
    for (p = 0; p < rc; p++) {
        if (p < n)
            for (k = 0; k < n; k++) right[k * rc + p] = z[k * n + rank[p].at];
        else
            xg_svd_complete(right, n, rc, p);
    }
    xg_eval_drop(r, space);
    return good;
}

/* (A destroyed, values, U, V or V*, info). The matrix of which they are: the operand, or its transpose as the call's
 * attribute says. */
XG_FN xg_value *xg_svd_call(xg_eval_run *r, const xg_inst *i, xg_value **in, bool adjoint_v) {
    bool transposed = adjoint_v && xg_call_flag(i, "transposed", false),
         vectors = xg_call_choice(i, "compute_uv", "mode", "AS", true);
    const xg_shape *us, *vs;
    xg_value *outs[5], *wide, *values, *u, *v;
    xg_matrices m, mu, mv;
    int64_t b, n, k, j, rows, columns, uc = 0, vc = 0;
    if (!xg_solver_tuple(i, 1, 5) || !xg_solver_matrices(in[0]->shape, &m)) return NULL;
    n = XG_MIN(m.rows, m.columns);
    us = i->shape->elems[transposed ? 3 : 2];
    vs = i->shape->elems[transposed ? 2 : 3];
    if (!xg_solver_result(i, 0, XGT_F | XGT_C, in[0]->shape->elements) || !xg_solver_result(i, 1, XGT_F, m.count * n) ||
        !xg_solver_result(i, 4, XGT_I, m.count))
        return NULL;
    if (vectors || !adjoint_v) { /* gesvdj always gives them */
        if (!xg_solver_matrices(us, &mu) || !xg_solver_matrices(vs, &mv) || mu.count != m.count || mv.count != m.count)
            return NULL;
        uc = mu.columns;
        vc = adjoint_v ? mv.rows : mv.columns;
        if (mu.rows != m.rows || (adjoint_v ? mv.columns : mv.rows) != m.columns || uc < n || vc < n || uc > m.rows ||
            vc > m.columns)
            return NULL;
    }
    rows = m.rows;
    columns = m.columns;
    wide = xg_linear_widen(r, &in[0]);
    values = xg_eval_scratch(r, xg_mul(r->ctx, (size_t)(m.count * n), sizeof(double)));
    u = xg_eval_scratch(r, xg_mul(r->ctx, (size_t)(m.count * rows * uc), sizeof(xg_complex)));
    v = xg_eval_scratch(r, xg_mul(r->ctx, (size_t)(m.count * columns * vc), sizeof(xg_complex)));
    outs[4] = xg_eval_zero(r, i->shape->elems[4]);
    for (b = 0; b < m.count; b++) {
        xg_complex *ub = xg_linear_data(u) + b * rows * uc, *vb = xg_linear_data(v) + b * columns * vc;
        if (!xg_svd(r, xg_linear_data(wide) + b * rows * columns, rows, columns, (double *)(void *)values->data + b * n,
                ub, uc, vb, vc))
            xg_eval_store_int(
                outs[4]->shape->type, outs[4]->data + (size_t)b * (size_t)xg_type_bytes(outs[4]->shape->type), 1);
    }
    if (adjoint_v && vc) {
        xg_value *t = xg_eval_scratch(r, xg_mul(r->ctx, (size_t)(m.count * columns * vc), sizeof(xg_complex)));
        for (b = 0; b < m.count; b++)
            for (k = 0; k < vc; k++)
                for (j = 0; j < columns; j++)
                    xg_linear_data(t)[(b * vc + k) * columns + j] =
                        xg_complex_conj(xg_linear_data(v)[(b * columns + j) * vc + k]);
        xg_eval_drop(r, v);
        v = t;
    }
    outs[0] = xg_linear_narrow(r, i->shape->elems[0], wide);
    outs[1] = xg_eval_new(r, i->shape->elems[1]);
    xg_eval_convert_block(i->shape->elems[1]->type, outs[1]->data, XLAGPU_F64, values->data, (size_t)(m.count * n));
    xg_eval_drop(r, values);
    if (uc) {
        outs[transposed ? 3 : 2] = xg_linear_narrow(r, us, u);
        outs[transposed ? 2 : 3] = xg_linear_narrow(r, vs, v);
    } else {
        xg_eval_drop(r, u);
        xg_eval_drop(r, v);
        outs[2] = xg_eval_zero(r, i->shape->elems[2]);
        outs[3] = xg_eval_zero(r, i->shape->elems[3]);
    }
    return xg_eval_new_tuple(r, i->shape, outs);
}
XG_FN xg_value *xg_call_gesvd(xg_eval_run *r, const xg_inst *i, xg_value **in) { return xg_svd_call(r, i, in, true); }
XG_FN xg_value *xg_call_gesvdj(xg_eval_run *r, const xg_inst *i, xg_value **in) { return xg_svd_call(r, i, in, false); }

/* ---- general matrices ---- */

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

/* Eigenvector `at` of triangular t, times q, of length one, into x; y is scratch. */
XG_FN void xg_eigen_vector(
    const xg_complex *t, const xg_complex *q, int64_t n, int64_t at, xg_complex *x, xg_complex *y) {
    xg_complex value = t[at * n + at];
    double norm = 0, scale = 0;
    int64_t k, j;
    for (k = 0; k < n; k++) scale = XG_MAX(scale, xg_complex_size(t[k * n + k]));
    for (k = 0; k < n; k++) y[k] = xg_complex_of(k == at, 0);
    for (k = at; k-- > 0;) {
        xg_complex sum = xg_complex_of(0, 0), d = xg_complex_of(t[k * n + k].re - value.re, t[k * n + k].im - value.im);
        for (j = k + 1; j <= at; j++) xg_complex_sub_mul(&sum, t[k * n + j], y[j]);
        if (xg_complex_size(d) < 2.3e-16 * scale) d = xg_complex_of(2.3e-16 * (scale > 0 ? scale : 1), 0);
        y[k] = xg_complex_div(sum, d);
    }
    for (k = 0; k < n; k++) {
        x[k] = xg_complex_of(0, 0);
        for (j = 0; j <= at; j++) {
            xg_complex p = xg_complex_mul(q[k * n + j], y[j]);
            x[k].re += p.re;
            x[k].im += p.im;
        }
        norm = hypot(norm, xg_complex_size(x[k]));
    }
    for (k = 0; k < n; k++) {
        x[k].re /= norm;
        x[k].im /= norm;
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

/* (A destroyed, values, left vectors, right vectors, info). Vectors of a real matrix are packed: a conjugate pair takes
 * two columns, real and imaginary part. */
XG_FN xg_value *xg_call_geev(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    bool right = xg_call_flag(i, "right", true), real;
    xg_value *outs[5], *wide, *values, *vectors, *space;
    xg_matrices m;
    int64_t b, n, k, j;
    if (!xg_solver_tuple(i, 1, 5) || !xg_solver_matrices(in[0]->shape, &m) || m.rows != m.columns ||
        xg_call_flag(i, "left", false))
        return NULL;
    n = m.rows;
    real = xg_type_class(in[0]->shape->type) == XGT_F;
    if (!xg_solver_result(i, 0, XGT_F | XGT_C, in[0]->shape->elements) || !xg_solver_result(i, 1, XGT_C, m.count * n) ||
        !xg_solver_result(i, 4, XGT_I, m.count))
        return NULL;
    if (!xg_solver_result(i, 2, XGT_F | XGT_C, in[0]->shape->elements) ||
        !xg_solver_result(i, 3, XGT_F | XGT_C, in[0]->shape->elements))
        return NULL;
    wide = xg_linear_widen(r, &in[0]);
    values = xg_solver_zeros(r, i->shape->elems[1]);
    vectors = xg_solver_zeros(r, i->shape->elems[3]);
    space = xg_eval_scratch(r, xg_add(r->ctx, xg_mul(r->ctx, (size_t)(n * n + 2 * n), sizeof(xg_complex)),
                                   xg_mul(r->ctx, (size_t)n, sizeof(int64_t) + sizeof(bool))));
    outs[4] = xg_eval_zero(r, i->shape->elems[4]);
    for (b = 0; b < m.count; b++) {
        xg_complex *a = xg_linear_data(wide) + b * n * n, *out = xg_linear_data(vectors) + b * n * n,
                   *q = xg_linear_data(space), *x = q + n * n, *y = x + n;
        int64_t *order = (int64_t *)(void *)(y + n);
        xg_eigen_hessenberg(a, q, x, n);
        if (n && !xg_eigen_triangular(r, a, q, n)) {
            xg_eval_store_int(
                outs[4]->shape->type, outs[4]->data + (size_t)b * (size_t)xg_type_bytes(outs[4]->shape->type), 1);
            for (k = 0; k < n; k++) a[k * n + k] = xg_complex_of(NAN, NAN);
        }
        if (real)
            xg_eigen_pair(a, n, order);
        else
            for (k = 0; k < n; k++) order[k] = k;
        for (k = 0; k < n; k++) {
            xg_complex value = a[order[k] * n + order[k]], phase;
            int64_t top = 0;
            xg_linear_data(values)[b * n + k] = value;
            if (!right) continue;
            xg_eigen_vector(a, q, n, order[k], x, y);
            for (j = 1; j < n; j++)
                if (xg_complex_size(x[j]) > xg_complex_size(x[top]) * (1 + 1e-12)) top = j;
            phase = xg_complex_div(
                xg_complex_of(xg_complex_size(x[top]), 0), x[top]); /* makes its largest component real */
            for (j = 0; j < n; j++) {
                xg_complex z = xg_complex_mul(x[j], phase);
                if (!real || value.im == 0)
                    out[j * n + k] = real ? xg_complex_of(z.re, 0) : z;
                else {
                    out[j * n + k] = xg_complex_of(z.re, 0);
                    if (k + 1 < n) out[j * n + k + 1] = xg_complex_of(z.im, 0);
                }
            }
            if (real && value.im != 0 && value.im == value.im) {
                k++;
                if (k < n) xg_linear_data(values)[b * n + k] = xg_complex_conj(value);
            }
        }
    }
    xg_eval_drop(r, space);
    outs[0] = xg_linear_narrow(r, i->shape->elems[0], wide);
    outs[1] = xg_linear_narrow(r, i->shape->elems[1], values);
    outs[2] = xg_eval_zero(r, i->shape->elems[2]);
    outs[3] = xg_linear_narrow(r, i->shape->elems[3], vectors);
    return xg_eval_new_tuple(r, i->shape, outs);
}

/* (A) -> (T, Z, values, info) in complex doubles: A = Z T Z*; or, if vectors are asked for, eigenvectors in the place
 * of Z, those of a real matrix in pairs. */
XG_FN xg_value *xg_general_call(xg_eval_run *r, const xg_inst *i, xg_value **in, bool vectors) {
    xg_value *outs[4], *wide, *z, *values, *space;
    xg_matrices m;
    int64_t b, n, k, j, top;
    if (!xg_solver_tuple(i, 1, 4) || !xg_solver_matrices(in[0]->shape, &m) || m.rows != m.columns || m.rows < 1 ||
        !xg_solver_result(i, 3, XGT_I, m.count))
        return NULL;
    n = m.rows;
    for (k = 0; k < 3; k++)
        if (!xg_solver_result(i, (uint32_t)k, XGT_C, k < 2 ? m.count * n * n : m.count * n)) return NULL;
    wide = xg_linear_widen(r, &in[0]);
    z = xg_solver_zeros(r, i->shape->elems[1]);
    values = xg_solver_zeros(r, i->shape->elems[2]);
    space = xg_eval_scratch(r, xg_add(r->ctx, xg_mul(r->ctx, (size_t)(n * n + 2 * n), sizeof(xg_complex)),
                                   xg_mul(r->ctx, (size_t)n, sizeof(int64_t) + sizeof(bool))));
    outs[3] = xg_eval_zero(r, i->shape->elems[3]);
    for (b = 0; b < m.count; b++) {
        xg_complex *a = xg_linear_data(wide) + b * n * n, *out = xg_linear_data(z) + b * n * n,
                   *q = vectors ? xg_linear_data(space) : out, *x = xg_linear_data(space) + n * n, *y = x + n;
        int64_t *order = (int64_t *)(void *)(y + n);
        xg_eigen_hessenberg(a, q, x, n);
        if (!xg_eigen_triangular(r, a, q, n))
            xg_eval_store_int(
                outs[3]->shape->type, outs[3]->data + (size_t)b * (size_t)xg_type_bytes(outs[3]->shape->type), 1);
        for (k = 0; k < n; k++)
            for (j = 0; j < k; j++) a[k * n + j] = xg_complex_of(0, 0);
        for (k = 0; k < n; k++) order[k] = k;
        if (vectors && xg_type_class(in[0]->shape->type) == XGT_F) xg_eigen_pair(a, n, order);
        for (k = 0; k < n; k++) {
            xg_linear_data(values)[b * n + k] = a[order[k] * n + order[k]];
            if (!vectors) continue;
            xg_eigen_vector(a, q, n, order[k], x, y);
            for (top = 0, j = 1; j < n; j++)
                if (xg_complex_size(x[j]) > xg_complex_size(x[top]) * (1 + 1e-12)) top = j;
            y[0] = xg_complex_div(xg_complex_of(xg_complex_size(x[top]), 0), x[top]);
            for (j = 0; j < n; j++) out[j * n + k] = xg_complex_mul(x[j], y[0]);
        }
    }
    xg_eval_drop(r, space);
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

#endif /* XG_EVAL_EIGEN_C */
