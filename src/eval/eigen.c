/* eval/eigen.c -- eigenvalues of Hermitian matrices and singular values behind JAX's calls.
 *
 * Chosen for being short and accurate, not fast: Jacobi rotations, one-sided for singular values. Vectors are unique
 * only up to a phase (and within equal eigenvalues up to a rotation), so they may differ from a library's by that;
 * values and products agree. Not converging is LAPACK's info > 0. */
#ifndef XG_EVAL_EIGEN_C
#define XG_EVAL_EIGEN_C
#include "eval.h"

enum {
    XG_JACOBI_SWEEPS = 60
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
XG_APART XG_FN bool xg_eigen_hermitian(xg_eval_run *r, xg_complex *a, xg_complex *v, int64_t n) {
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

/* (vectors, eigenvalues ascending), and info where it is asked for; the triangle that `lower` names is read. */
XG_FN xg_value *xg_call_syevd(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    bool lower = xg_call_lower(i), info = xg_solver_tuple(i, 1, 3);
    xg_value *outs[3], *wide, *vectors, *values, *space;
    xg_matrices m;
    int64_t b, n, p, q;
    if ((!info && !xg_solver_tuple(i, 1, 2)) || !xg_solver_matrices(in[0]->shape, &m) || m.rows != m.columns)
        return NULL;
    n = m.rows;
    if (!xg_solver_result(i, 0, XGT_F | XGT_C, in[0]->shape->elements) || !xg_solver_result(i, 1, XGT_F, m.count * n) ||
        (info && !xg_solver_result(i, 2, XGT_I, m.count)))
        return NULL;
    wide = xg_linear_widen(r, &in[0]);
    vectors = xg_solver_zeros(r, in[0]->shape);
    values = xg_solver_zeros(r, i->shape->elems[1]);
    space = xg_eval_scratch(
        r, xg_mul(r->ctx, (size_t)(n * n), sizeof(xg_complex)) + xg_mul(r->ctx, (size_t)n, sizeof(xg_ranked)));
    outs[2] = info ? xg_eval_zero(r, i->shape->elems[2]) : NULL;
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
        if (!xg_eigen_hermitian(r, a, v, n) && info)
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
XG_APART XG_FN bool xg_svd(xg_eval_run *r, const xg_complex *a, int64_t rows, int64_t columns, double *s, xg_complex *u,
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

#endif /* XG_EVAL_EIGEN_C */
