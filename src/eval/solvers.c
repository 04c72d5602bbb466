/* eval/solvers.c -- the direct factorisations behind JAX's calls: Cholesky, LU, QR, tridiagonal.
 *
 * Results are in LAPACK's forms, since what JAX exports around the calls takes them apart: packed LU with pivots
 * counted from one, reflectors below the diagonal with their taus. A batch is a leading product of dimensions; matrices
 * are row-major complex doubles whatever the type. */
#ifndef XG_EVAL_SOLVERS_C
#define XG_EVAL_SOLVERS_C
#include "eval.h"

XG_FN bool xg_solver_matrices(const xg_shape *s, xg_matrices *m) {
    uint32_t d;
    if (!xg_shape_is_array(s) || s->rank < 2 || !(xg_type_class(s->type) & (XGT_F | XGT_C))) return false;
    m->rows = s->dims[s->rank - 2];
    m->columns = s->dims[s->rank - 1];
    for (m->count = 1, d = 0; d + 2 < s->rank; d++) m->count *= s->dims[d];
    return true;
}

/* Is result k a tensor of the batch times n elements (0 <= n)? */
XG_FN bool xg_solver_result(const xg_inst *i, uint32_t k, int class_mask, int64_t elements) {
    const xg_shape *s = i->shape->elems[k];
    return xg_shape_is_array(s) && (xg_type_class(s->type) & class_mask) && s->elements == elements;
}
XG_FN bool xg_solver_tuple(const xg_inst *i, uint32_t operands, uint32_t n) {
    return i->n_operands == operands && i->shape->type == XLAGPU_TUPLE && i->shape->n_elems == n;
}

/* Complex doubles, zeros. */
XG_FN xg_value *xg_solver_values(xg_eval_run *r, int64_t n) {
    xg_value *v = xg_eval_scratch(r, xg_mul(r->ctx, (size_t)n, sizeof(xg_complex)));
    memset(v->data, 0, (size_t)n * sizeof(xg_complex));
    return v;
}
XG_FN xg_value *xg_solver_zeros(xg_eval_run *r, const xg_shape *s) { return xg_solver_values(r, s->elements); }

XG_FN void xg_complex_sub_mul(xg_complex *to, xg_complex a, xg_complex b) {
    to->re -= a.re * b.re - a.im * b.im;
    to->im -= a.re * b.im + a.im * b.re;
}

/* ---- Cholesky ---- */

XG_FN xg_value *xg_call_potrf(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    xg_value *outs[2];
    xg_matrices m;
    if (!xg_solver_tuple(i, 1, 2) || !xg_solver_matrices(in[0]->shape, &m) || m.rows != m.columns ||
        !xg_solver_result(i, 0, XGT_F | XGT_C, in[0]->shape->elements) || !xg_solver_result(i, 1, XGT_I, m.count) ||
        i->shape->elems[1]->type != XLAGPU_S32)
        return NULL;
    outs[1] = xg_eval_zero(r, i->shape->elems[1]);
    outs[0] = xg_linear_factor(
        r, i->shape->elems[0], in, xg_call_choice(i, "lower", "uplo", "L", false), (int32_t *)(void *)outs[1]->data);
    return xg_eval_new_tuple(r, i->shape, outs);
}

/* (R, w) -> the upper triangular R' of R'T R' = RT R + w wT, and w rotated to zero: one Givens rotation a row. */
XG_FN void xg_cholesky_add(xg_complex *a, xg_complex *w, int64_t n) {
    int64_t k, j;
    for (k = 0; k < n; k++) {
        double x = a[k * n + k].re, y = w[k].re, size = hypot(x, y), c = size > 0 ? x / size : 1,
               s = size > 0 ? y / size : 0;
        for (j = k; j < n; j++) {
            double p = a[k * n + j].re, q = w[j].re;
            a[k * n + j].re = c * p + s * q;
            w[j].re = c * q - s * p;
        }
    }
}

XG_FN xg_value *xg_call_cholesky_update(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    xg_value *outs[2], *a, *w;
    xg_matrices m;
    if (!xg_solver_tuple(i, 2, 2) || !xg_solver_matrices(in[0]->shape, &m) || m.count != 1 || m.rows != m.columns ||
        xg_type_class(in[0]->shape->type) != XGT_F)
        return NULL;
    if (!xg_shape_is_array(in[1]->shape) || in[1]->shape->elements != m.rows ||
        in[1]->shape->type != in[0]->shape->type || i->shape->elems[0]->plain != in[0]->shape->plain ||
        i->shape->elems[1]->plain != in[1]->shape->plain)
        return NULL;
    a = xg_linear_widen(r, &in[0]);
    w = xg_linear_widen(r, &in[1]);
    xg_eval_spend_each(r, m.rows, m.rows);
    xg_cholesky_add(xg_linear_data(a), xg_linear_data(w), m.rows);
    outs[0] = xg_linear_narrow(r, i->shape->elems[0], a);
    outs[1] = xg_linear_narrow(r, i->shape->elems[1], w);
    return xg_eval_new_tuple(r, i->shape, outs);
}

/* (A, C, alpha, beta) -> alpha A AT + beta C, or alpha AT A + beta C. cuBLAS writes one triangle; here both are. */
XG_APART XG_FN void xg_syrk(
    const xg_complex *a, const xg_matrices *m, bool transpose, double alpha, double beta, xg_complex *c, int64_t n) {
    int64_t depth = transpose ? m->rows : m->columns, step = transpose ? m->columns : 1,
            line = transpose ? 1 : m->columns, p, q, k;
    for (p = 0; p < n; p++)
        for (q = 0; q < n; q++) {
            double s = 0;
            for (k = 0; k < depth; k++) s += a[p * line + k * step].re * a[q * line + k * step].re;
            c[p * n + q].re = alpha * s + (beta != 0 ? beta * c[p * n + q].re : 0);
        }
}

XG_FN xg_value *xg_call_syrk(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    bool transpose = xg_call_flag(i, "transpose", false);
    xlagpu_type t;
    xg_value *a, *c;
    xg_matrices m, mc;
    int64_t n, b;
    if (i->n_operands != 4 || !xg_solver_matrices(in[0]->shape, &m) || !xg_solver_matrices(in[1]->shape, &mc) ||
        i->shape->plain != in[1]->shape->plain || mc.count != m.count)
        return NULL;
    t = i->shape->type;
    n = transpose ? m.columns : m.rows;
    if (mc.rows != n || mc.columns != n || xg_type_class(t) != XGT_F || in[0]->shape->type != t ||
        !xg_shape_is_scalar(in[2]->shape) || !xg_shape_is_scalar(in[3]->shape) || in[2]->shape->type != t ||
        in[3]->shape->type != t)
        return NULL;
    a = xg_linear_widen(r, &in[0]);
    c = xg_linear_widen(r, &in[1]);
    for (b = 0; b < m.count; b++) {
        xg_eval_spend_each(r, m.rows * m.columns, n);
        xg_syrk(xg_linear_data(a) + b * m.rows * m.columns, &m, transpose, xg_float_load(t, in[2]->data),
            xg_float_load(t, in[3]->data), xg_linear_data(c) + b * n * n, n);
    }
    xg_eval_drop(r, a);
    return xg_linear_narrow(r, i->shape, c);
}

/* ---- LU with partial pivoting ---- */

/* In place; gives the pivots, from one. Returns LAPACK's info: the first zero on the diagonal, from one, or 0. */
XG_APART XG_FN int64_t xg_lu(xg_complex *a, int64_t rows, int64_t columns, int64_t *pivots) {
    int64_t j, i, k, info = 0;
    for (j = 0; j < XG_MIN(rows, columns); j++) {
        int64_t best = j;
        double most = -1;
        for (i = j; i < rows; i++) {
            double v = fabs(a[i * columns + j].re) + fabs(a[i * columns + j].im);
            if (v > most) {
                most = v;
                best = i;
            }
        }
        pivots[j] = best + 1;
        if (!(most > 0)) {
            if (!info) info = j + 1;
            continue;
        }
        if (best != j)
            for (k = 0; k < columns; k++) {
                xg_complex t = a[j * columns + k];
                a[j * columns + k] = a[best * columns + k];
                a[best * columns + k] = t;
            }
        for (i = j + 1; i < rows; i++) {
            xg_complex f = a[i * columns + j] = xg_complex_div(a[i * columns + j], a[j * columns + j]);
            for (k = j + 1; k < columns; k++) xg_complex_sub_mul(&a[i * columns + k], f, a[j * columns + k]);
        }
    }
    return info;
}

XG_FN xg_value *xg_call_getrf(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    xg_value *outs[3], *wide, *space;
    xg_matrices m;
    int64_t b, k, n, *pivots;
    if (!xg_solver_tuple(i, 1, 3) || !xg_solver_matrices(in[0]->shape, &m)) return NULL;
    n = XG_MIN(m.rows, m.columns);
    if (!xg_solver_result(i, 0, XGT_F | XGT_C, in[0]->shape->elements) || !xg_solver_result(i, 1, XGT_I, m.count * n) ||
        !xg_solver_result(i, 2, XGT_I, m.count))
        return NULL;
    wide = xg_linear_widen(r, &in[0]);
    space = xg_eval_scratch(r, xg_mul(r->ctx, (size_t)n, sizeof *pivots));
    pivots = (int64_t *)(void *)space->data;
    outs[1] = xg_eval_new(r, i->shape->elems[1]);
    outs[2] = xg_eval_new(r, i->shape->elems[2]);
    for (b = 0; b < m.count; b++) {
        xg_eval_spend_each(r, n, m.rows * m.columns);
        k = xg_lu(xg_linear_data(wide) + b * m.rows * m.columns, m.rows, m.columns, pivots);
        xg_eval_store_int(
            outs[2]->shape->type, outs[2]->data + (size_t)b * (size_t)xg_type_bytes(outs[2]->shape->type), k);
        for (k = 0; k < n; k++)
            xg_eval_store_int(outs[1]->shape->type,
                outs[1]->data + (size_t)(b * n + k) * (size_t)xg_type_bytes(outs[1]->shape->type), pivots[k]);
    }
    xg_eval_drop(r, space);
    outs[0] = xg_linear_narrow(r, i->shape->elems[0], wide);
    return xg_eval_new_tuple(r, i->shape, outs);
}

/* Pivots from zero to the permutation that they make of 0 .. n-1. */
XG_FN xg_value *xg_call_pivots(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    const xg_shape *s = in[0]->shape, *t = i->shape;
    int64_t k, n, b, count = 1;
    uint32_t d;
    xg_value *out;
    int32_t *p;
    if (i->n_operands != 1 || !xg_shape_is_array(t) || t->type != XLAGPU_S32 || s->type != XLAGPU_S32 ||
        t->rank != s->rank || s->rank < 1)
        return NULL;
    for (d = 0; d + 1 < s->rank; d++) {
        if (s->dims[d] != t->dims[d]) return NULL;
        count *= s->dims[d];
    }
    out = xg_eval_new(r, t);
    k = s->dims[s->rank - 1];
    n = t->dims[s->rank - 1];
    p = (int32_t *)(void *)out->data;
    for (b = 0; b < count; b++, p += n) {
        int64_t j;
        for (j = 0; j < n; j++) p[j] = (int32_t)j;
        for (j = 0; j < k; j++) {
            int64_t to = xg_eval_int_at(in[0], b * k + j);
            int32_t swap;
            if (j >= n || to < 0 || to >= n) continue; /* as undefined as on the device */
            swap = p[j];
            p[j] = p[to];
            p[to] = swap;
        }
    }
    return out;
}

/* ---- QR: reflectors H = 1 - tau v v*, v[0] = 1 ---- */

XG_FN xg_complex xg_qr_reflector(xg_complex *x, int64_t n, int64_t step, xg_complex *tau) {
    double tail = 0, norm;
    xg_complex alpha = x[0], scale;
    int64_t k;
    for (k = 1; k < n; k++) tail = hypot(tail, hypot(x[k * step].re, x[k * step].im));
    *tau = xg_complex_of(0, 0);
    if (tail == 0 && alpha.im == 0) return alpha;
    norm = hypot(hypot(alpha.re, alpha.im), tail);
    if (alpha.re > 0) norm = -norm;
    *tau = xg_complex_of((norm - alpha.re) / norm, -alpha.im / norm);
    scale = xg_complex_div(xg_complex_of(1, 0), xg_complex_of(alpha.re - norm, alpha.im));
    for (k = 1; k < n; k++) x[k * step] = xg_complex_mul(x[k * step], scale);
    return xg_complex_of(norm, 0);
}

XG_FN void xg_qr_reflect(xg_complex *c, int64_t rows, int64_t columns, int64_t row_step, int64_t column_step,
    const xg_complex *v, int64_t v_step, xg_complex tau) {
    int64_t j, k;
    if (tau.re == 0 && tau.im == 0) return;
    for (j = 0; j < columns; j++) {
        xg_complex *x = c + j * column_step, s = x[0];
        for (k = 1; k < rows; k++) {
            xg_complex p = xg_complex_mul(xg_complex_conj(v[k * v_step]), x[k * row_step]);
            s.re += p.re;
            s.im += p.im;
        }
        s = xg_complex_mul(s, tau);
        x[0].re -= s.re;
        x[0].im -= s.im;
        for (k = 1; k < rows; k++) xg_complex_sub_mul(&x[k * row_step], s, v[k * v_step]);
    }
}

XG_FN xg_value *xg_call_geqrf(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    xg_value *outs[2], *wide, *taus;
    xg_matrices m;
    int64_t b, j, n;
    if (!xg_solver_tuple(i, 1, 2) || !xg_solver_matrices(in[0]->shape, &m)) return NULL;
    n = XG_MIN(m.rows, m.columns);
    if (!xg_solver_result(i, 0, XGT_F | XGT_C, in[0]->shape->elements) ||
        !xg_solver_result(i, 1, XGT_F | XGT_C, m.count * n))
        return NULL;
    wide = xg_linear_widen(r, &in[0]);
    taus = xg_solver_zeros(r, i->shape->elems[1]);
    for (b = 0; b < m.count; b++)
        for (j = 0; j < n; j++) {
            xg_complex *a = xg_linear_data(wide) + (b * m.rows + j) * m.columns + j,
                       *tau = xg_linear_data(taus) + b * n + j, beta;
            xg_eval_spend(r, (m.rows - j) * (m.columns - j));
            beta = xg_qr_reflector(a, m.rows - j, m.columns, tau);
            xg_qr_reflect(a + 1, m.rows - j, m.columns - j - 1, m.columns, 1, a, m.columns, xg_complex_conj(*tau));
            *a = beta;
        }
    outs[0] = xg_linear_narrow(r, i->shape->elems[0], wide);
    outs[1] = xg_linear_narrow(r, i->shape->elems[1], taus);
    return xg_eval_new_tuple(r, i->shape, outs);
}

/* (A) -> (reflectors, order, taus), or (A, order, ...): each step takes the longest column that is left. What the
 * operand says of the order is not looked at: all columns are free to move. */
XG_FN xg_value *xg_call_geqp3(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    xg_value *outs[3], *wide, *taus;
    xg_matrices m;
    int64_t b, j, k, p, n, best, size;
    if (i->n_operands < 1 || i->n_operands > 2 || !xg_solver_tuple(i, i->n_operands, 3) ||
        !xg_solver_matrices(in[0]->shape, &m))
        return NULL;
    n = XG_MIN(m.rows, m.columns);
    if (!xg_solver_result(i, 0, XGT_F | XGT_C, in[0]->shape->elements) ||
        !xg_solver_result(i, 1, XGT_I, m.count * m.columns) || !xg_solver_result(i, 2, XGT_F | XGT_C, m.count * n))
        return NULL;
    wide = xg_linear_widen(r, &in[0]);
    outs[1] = xg_eval_new(r, i->shape->elems[1]);
    taus = xg_solver_zeros(r, i->shape->elems[2]);
    size = xg_type_bytes(outs[1]->shape->type);
    for (b = 0; b < m.count; b++) {
        xg_complex *a = xg_linear_data(wide) + b * m.rows * m.columns;
        unsigned char *order = outs[1]->data + b * m.columns * size;
        for (j = 0; j < m.columns; j++) xg_eval_store_int(outs[1]->shape->type, order + j * size, j + 1);
        for (j = 0; j < n; j++) {
            double most = -1;
            xg_complex beta, *tau = xg_linear_data(taus) + b * n + j;
            xg_eval_spend(r, (m.rows - j) * (m.columns - j));
            for (best = p = j; p < m.columns; p++) {
                double length = 0;
                for (k = j; k < m.rows; k++)
                    length = hypot(length, hypot(a[k * m.columns + p].re, a[k * m.columns + p].im));
                if (length > most) {
                    most = length;
                    best = p;
                }
            }
            for (k = 0; k < m.rows; k++) {
                xg_complex t = a[k * m.columns + j];
                a[k * m.columns + j] = a[k * m.columns + best];
                a[k * m.columns + best] = t;
            }
            p = xg_eval_int_at(outs[1], b * m.columns + j);
            xg_eval_store_int(outs[1]->shape->type, order + j * size, xg_eval_int_at(outs[1], b * m.columns + best));
            xg_eval_store_int(outs[1]->shape->type, order + best * size, p);
            beta = xg_qr_reflector(a + j * m.columns + j, m.rows - j, m.columns, tau);
            xg_qr_reflect(a + j * m.columns + j + 1, m.rows - j, m.columns - j - 1, m.columns, 1, a + j * m.columns + j,
                m.columns, xg_complex_conj(*tau));
            a[j * m.columns + j] = beta;
        }
    }
    outs[0] = xg_linear_narrow(r, i->shape->elems[0], wide);
    outs[2] = xg_linear_narrow(r, i->shape->elems[2], taus);
    return xg_eval_new_tuple(r, i->shape, outs);
}
/* (A) -> (H* A H, Hessenberg, with the reflectors below its subdiagonal; taus), and info if it is asked for. */
XG_FN xg_value *xg_call_gehrd(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    xg_value *outs[3], *wide, *taus;
    xg_matrices m;
    int64_t b, k, p, q, n;
    uint32_t results = i->shape->type == XLAGPU_TUPLE ? i->shape->n_elems : 0;
    if (results < 2 || results > 3 || !xg_solver_tuple(i, 1, results) || !xg_solver_matrices(in[0]->shape, &m) ||
        m.rows != m.columns || m.rows < 2)
        return NULL;
    n = m.rows;
    if (!xg_solver_result(i, 0, XGT_F | XGT_C, in[0]->shape->elements) ||
        !xg_solver_result(i, 1, XGT_F | XGT_C, m.count * (n - 1)))
        return NULL;
    if (results == 3 && (!xg_solver_result(i, 2, XGT_I, m.count) || !xg_call_is_number(i, "low", 1) ||
                            !xg_call_is_number(i, "high", n)))
        return NULL;
    wide = xg_linear_widen(r, &in[0]);
    taus = xg_solver_zeros(r, i->shape->elems[1]);
    for (b = 0; b < m.count; b++)
        for (k = 0; k + 1 < n; k++) {
            xg_complex *a = xg_linear_data(wide) + b * n * n, *x = a + (k + 1) * n + k,
                       *tau = xg_linear_data(taus) + b * (n - 1) + k, beta;
            int64_t rest = n - k - 1;
            xg_eval_spend(r, 2 * n * rest);
            beta = xg_qr_reflector(x, rest, n, tau);
            xg_qr_reflect(x + 1, rest, rest, n, 1, x, n, xg_complex_conj(*tau));
            for (q = 0; q < 2; q++) { /* from the right, by way of the conjugates */
                if (q) xg_qr_reflect(a + k + 1, rest, n, 1, n, x, n, xg_complex_conj(*tau));
                for (p = 0; p < n * n; p++)
                    if (p % n > k) a[p] = xg_complex_conj(a[p]);
            }
            *x = beta;
        }
    outs[0] = xg_linear_narrow(r, i->shape->elems[0], wide);
    outs[1] = xg_linear_narrow(r, i->shape->elems[1], taus);
    if (results == 3) outs[2] = xg_eval_zero(r, i->shape->elems[2]);
    return xg_eval_new_tuple(r, i->shape, outs);
}

/* The first columns of H1 H2 ... Hk: built from the last reflector to the first, over the reflectors themselves. */
XG_FN xg_value *xg_call_orgqr(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    xg_value *wide, *taus;
    xg_matrices m;
    int64_t b, j, k, n;
    if (i->n_operands != 2 || !xg_solver_matrices(in[0]->shape, &m) || i->shape->plain != in[0]->shape->plain ||
        m.rows < m.columns || in[1]->shape->rank != in[0]->shape->rank - 1 || in[1]->shape->type != in[0]->shape->type)
        return NULL;
    n = in[1]->shape->dims[in[1]->shape->rank - 1];
    if (n > m.columns || in[1]->shape->elements != n * m.count) return NULL;
    wide = xg_linear_widen(r, &in[0]);
    taus = xg_linear_widen(r, &in[1]);
    for (b = 0; b < m.count; b++) {
        xg_complex *a = xg_linear_data(wide) + b * m.rows * m.columns;
        for (j = m.columns; j-- > 0;) {
            xg_complex tau = j < n ? xg_linear_data(taus)[b * n + j] : xg_complex_of(0, 0), *at = a + j * m.columns + j;
            xg_eval_spend(r, (m.rows - j) * (m.columns - j));
            xg_qr_reflect(at + 1, m.rows - j, m.columns - j - 1, m.columns, 1, at, m.columns, tau);
            for (k = 0; k < j; k++) a[k * m.columns + j] = xg_complex_of(0, 0);
            for (k = 1; k < m.rows - j; k++)
                at[k * m.columns] =
                    j < n ? xg_complex_mul(at[k * m.columns], xg_complex_of(-tau.re, -tau.im)) : xg_complex_of(0, 0);
            *at = xg_complex_of(1 - tau.re, -tau.im);
        }
    }
    xg_eval_drop(r, taus);
    return xg_linear_narrow(r, i->shape, wide);
}

/* (reflectors, taus, C) -> Q C, Q* C, C Q or C Q*. */
XG_FN xg_value *xg_call_ormqr(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    bool left = xg_call_choice(i, "left", "side", "L", true),
         transpose = xg_call_choice(i, "transpose", "trans", "TC", false);
    xg_value *a, *taus, *c;
    xg_matrices m, mc;
    int64_t b, j, k, n, t;
    if (i->n_operands != 3 || !xg_solver_matrices(in[0]->shape, &m) || !xg_solver_matrices(in[2]->shape, &mc) ||
        i->shape->plain != in[2]->shape->plain || mc.count != m.count || in[1]->shape->rank < 1)
        return NULL;
    n = in[1]->shape->dims[in[1]->shape->rank - 1];
    if (n > XG_MIN(m.rows, m.columns) || in[1]->shape->elements != n * m.count ||
        m.rows != (left ? mc.rows : mc.columns))
        return NULL;
    a = xg_linear_widen(r, &in[0]);
    taus = xg_linear_widen(r, &in[1]);
    c = xg_linear_widen(r, &in[2]);
    for (b = 0; b < m.count; b++)
        for (t = 0; t < n; t++) {
            xg_complex *v, *x = xg_linear_data(c) + b * mc.rows * mc.columns, tau;
            j = left == transpose ? t : n - 1 - t;
            v = xg_linear_data(a) + (b * m.rows + j) * m.columns + j;
            tau = xg_linear_data(taus)[b * n + j];
            if (transpose) tau = xg_complex_conj(tau);
            xg_eval_spend(r, mc.rows * mc.columns);
            if (left) {
                xg_qr_reflect(x + j * mc.columns, m.rows - j, mc.columns, mc.columns, 1, v, m.columns, tau);
                continue;
            }
            /* From the right: the conjugate transpose of C sees the conjugate reflector. */
            for (k = 0; k < mc.rows * mc.columns; k++) x[k] = xg_complex_conj(x[k]);
            xg_qr_reflect(x + j, m.rows - j, mc.rows, 1, mc.columns, v, m.columns, xg_complex_conj(tau));
            for (k = 0; k < mc.rows * mc.columns; k++) x[k] = xg_complex_conj(x[k]);
        }
    xg_eval_drop(r, a);
    xg_eval_drop(r, taus);
    return xg_linear_narrow(r, i->shape, c);
}

/* ---- triangular systems ---- */

/* (A, B) -> X of op(A) X = B or X op(A) = B. */
XG_FN xg_value *xg_call_trsm(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    bool left = xg_call_choice(i, "left", "side", "L", true);
    xg_matrices m, mx;
    if (i->n_operands != 2 || !xg_solver_matrices(in[0]->shape, &m) || !xg_solver_matrices(in[1]->shape, &mx) ||
        i->shape->plain != in[1]->shape->plain || in[0]->shape->type != i->shape->type)
        return NULL;
    if (m.rows != m.columns || m.count != mx.count || m.rows != (left ? mx.rows : mx.columns)) return NULL;
    return xg_linear_solve(r, i->shape, in, left, xg_call_choice(i, "lower", "uplo", "L", true),
        xg_call_choice(i, "unit", "diag", "U", false),
        xg_call_choice(i, "transpose", "trans_x", "T", false) ? 't'
        : xg_call_choice(i, "adjoint", "trans_x", "C", false) ? 'a'
                                                              : 'n');
}

/* ---- tridiagonal ---- */

/* (lower, main, upper diagonal; right sides) -> solutions, by elimination with partial pivoting: u2 is the second
 * diagonal above that it makes. */
XG_APART XG_FN void xg_tridiagonal(
    int64_t n, int64_t columns, const xg_complex *dl, xg_complex *d, xg_complex *du, xg_complex *u2, xg_complex *b) {
    int64_t k, j;
    for (k = 0; k + 1 < n; k++) {
        xg_complex low = dl[k + 1], f;
        u2[k] = xg_complex_of(0, 0);
        if (hypot(low.re, low.im) > hypot(d[k].re, d[k].im)) {
            xg_complex t = d[k];
            d[k] = low;
            low = t;
            t = du[k];
            du[k] = d[k + 1];
            d[k + 1] = t;
            if (k + 2 < n) {
                u2[k] = du[k + 1];
                du[k + 1] = xg_complex_of(0, 0);
            }
            for (j = 0; j < columns; j++) {
                t = b[k * columns + j];
                b[k * columns + j] = b[(k + 1) * columns + j];
                b[(k + 1) * columns + j] = t;
            }
        }
        f = xg_complex_div(low, d[k]);
        xg_complex_sub_mul(&d[k + 1], f, du[k]);
        if (k + 2 < n) xg_complex_sub_mul(&du[k + 1], f, u2[k]);
        for (j = 0; j < columns; j++) xg_complex_sub_mul(&b[(k + 1) * columns + j], f, b[k * columns + j]);
    }
    for (k = n; k-- > 0;)
        for (j = 0; j < columns; j++) {
            xg_complex *x = &b[k * columns + j];
            if (k + 1 < n) xg_complex_sub_mul(x, du[k], b[(k + 1) * columns + j]);
            if (k + 2 < n) xg_complex_sub_mul(x, u2[k], b[(k + 2) * columns + j]);
            *x = xg_complex_div(*x, d[k]);
        }
}

XG_FN xg_value *xg_call_gtsv(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    bool lapack = xg_solver_tuple(i, 4, 5); /* gives the diagonals, too, whose contents mean nothing, and info */
    const xg_shape *s = lapack ? i->shape->elems[3] : i->shape;
    xg_value *v[4], *outs[5], *u2;
    xg_matrices m;
    int64_t b;
    uint32_t k;
    if (i->n_operands != 4 || !xg_solver_matrices(in[3]->shape, &m) || s->plain != in[3]->shape->plain) return NULL;
    if (lapack && !xg_solver_result(i, 4, XGT_I, m.count)) return NULL;
    for (k = 0; k < 3; k++) {
        if (!xg_shape_is_array(in[k]->shape) || in[k]->shape->type != s->type ||
            in[k]->shape->elements != m.count * m.rows)
            return NULL;
        if (lapack && i->shape->elems[k]->plain != in[k]->shape->plain) return NULL;
    }
    for (k = 0; lapack && k < 3; k++) {
        outs[k] = xg_eval_new(r, i->shape->elems[k]);
        memcpy(
            outs[k]->data, xg_eval_dense(r, &in[k]), (size_t)in[k]->shape->elements * (size_t)xg_type_bytes(s->type));
    }
    for (k = 0; k < 4; k++) v[k] = xg_linear_widen(r, &in[k]);
    u2 = xg_eval_scratch(r, xg_mul(r->ctx, (size_t)m.rows, sizeof(xg_complex)));
    for (b = 0; b < m.count; b++) {
        xg_eval_spend(r, m.rows * m.columns);
        xg_tridiagonal(m.rows, m.columns, xg_linear_data(v[0]) + b * m.rows, xg_linear_data(v[1]) + b * m.rows,
            xg_linear_data(v[2]) + b * m.rows, xg_linear_data(u2), xg_linear_data(v[3]) + b * m.rows * m.columns);
    }
    for (k = 0; k < 3; k++) xg_eval_drop(r, v[k]);
    xg_eval_drop(r, u2);
    outs[3] = xg_linear_narrow(r, s, v[3]);
    if (!lapack) return outs[3];
    outs[4] = xg_eval_zero(r, i->shape->elems[4]);
    return xg_eval_new_tuple(r, i->shape, outs);
}

#endif /* XG_EVAL_SOLVERS_C */
