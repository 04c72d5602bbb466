/* expand/solver_calls.c -- custom calls of solvers, under the names by which JAX asks cuSOLVER, cuBLAS, cuSPARSE and
 * LAPACK for them, and TensorFlow XLA, as loops.
 *
 * XG_SOLVER_CALLS: X(target, word): xg_solver_<word> gives the value, of several results a tuple, or NULL, having made
 * nothing, when the operands or results are not those of the target; the call then stays for a function that the user
 * registers. Results have LAPACK's forms: what JAX exports around the calls takes them apart. */
#ifndef XG_EXPAND_SOLVER_CALLS_C
#define XG_EXPAND_SOLVER_CALLS_C
#include "expand.h"
#include "../eval/eval.h"
#include "real_schur_expander.c"

/* clang-format off */
#define XG_SOLVER_CALLS(X) \
    X("Qr", geqrf) \
    X("ProductOfElementaryHouseholderReflectors", orgqr) \
    X("Eigh", syevd) \
    X("cusolver_potrf_ffi", potrf) \
    X("lapack_?potrf_ffi", potrf) \
    X("lapack_?trsm_ffi", trsm) \
    X("cusolver_getrf_ffi", getrf) \
    X("cublas_getrf_batched_ffi", getrf) \
    X("lapack_?getrf_ffi", getrf) \
    X("cu_lu_pivots_to_permutation", pivots) \
    X("cusolver_geqrf_ffi", geqrf) \
    X("cublas_geqrf_batched_ffi", geqrf) \
    X("lapack_?geqrf_ffi", geqrf) \
    X("cuhybrid_geqp3", geqp3) \
    X("lapack_?geqp3_ffi", geqp3) \
    X("cusolver_orgqr_ffi", orgqr) \
    X("lapack_?orgqr_ffi", orgqr) \
    X("lapack_?ungqr_ffi", orgqr) \
    X("cusolver_ormqr_ffi", ormqr) \
    X("lapack_?ormqr_ffi", ormqr) \
    X("lapack_?unmqr_ffi", ormqr) \
    X("cusolver_syevd_ffi", syevd) \
    X("lapack_?syevd_ffi", syevd) \
    X("lapack_?heevd_ffi", syevd) \
    X("cusolver_gesvd_ffi", gesvd) \
    X("cusolver_gesdd_ffi", gesvd) \
    X("lapack_?gesvd_ffi", gesvd) \
    X("lapack_?gesdd_ffi", gesvd) \
    X("cusolver_gesvdj_ffi", gesvdj) \
    X("cusolver_gesvdp_ffi", gesvdj) \
    X("cusolver_geev_ffi", geev) \
    X("lapack_?geev_ffi", geev) \
    X("cuhybrid_eig_real", geev) \
    X("cuhybrid_eig_comp", geev) \
    X("lapack_?gees_ffi", gees) \
    X("cusolver_sytrd_ffi", sytrd) \
    X("lapack_?sytrd_ffi", sytrd) \
    X("lapack_?hetrd_ffi", sytrd) \
    X("lapack_?gehrd_ffi", gehrd) \
    X("cusolver_syrk_ffi", syrk) \
    X("cu_cholesky_update_ffi", cholesky_update) \
    X("cusparse_gtsv2_ffi", gtsv) \
    X("lapack_?gtsv_ffi", gtsv)
/* clang-format on */

/* ---- forms of calls ---- */

XG_FN const xg_shape *xg_solver_in(const xg_inst *i, uint32_t k) { return XG_OPERAND(i, k)->shape; }
/* Matrices of floats, with elements, no dimension of which is dynamic. */
XG_FN bool xg_solver_dense(const xg_shape *s, xg_matrices *m) {
    return xg_shape_is_array(s) && !s->dynamic && s->elements && xg_solver_matrices(s, m);
}
/* An array of the class of types with the batch's elements times n. */
XG_FN bool xg_solver_part(const xg_shape *s, int class_of, int64_t elements) {
    return xg_shape_is_array(s) && !s->dynamic && (xg_type_class(s->type) & class_of) && s->elements == elements;
}
XG_FN bool xg_solver_same(const xg_shape *s, const xg_shape *t) { return xg_shape_is_array(s) && s->plain == t->plain; }
/* Real values for the matrix's type, or of that type. */
XG_FN xg_inst *xg_solver_flat(const xg_hb *b, const xg_inst *i, uint32_t k) {
    return xg_linear_flat(b, XG_OPERAND(i, k));
}
XG_FN xg_inst *xg_solver_vector(
    const xg_hb *b, const xg_inst *i, uint32_t k, int64_t batch, int64_t rows, int64_t columns) { /* of floats */
    xg_inst *x = XG_OPERAND(i, k);
    int64_t dims[3];
    dims[0] = batch;
    dims[1] = rows;
    dims[2] = columns;
    return xg_hb_convert(b, xg_hb_reshape(b, x, dims, 3), xg_linear_type(x->shape->type));
}
/* The results in the call's shapes. */
XG_FN xg_inst *xg_solver_tuple_of(const xg_hb *b, const xg_inst *i, xg_inst **out) {
    uint32_t k;
    for (k = 0; k < i->shape->n_elems; k++) out[k] = xg_linear_result(b, out[k], i->shape->elems[k]);
    return xg_hb_tuple(b, out, i->shape->n_elems);
}
XG_FN xg_inst *xg_solver_nothing(const xg_hb *b, const xg_shape *s) {
    return xg_linear_number(b, s->type, 0, s->dims, s->rank);
}

/* ---- triangular ---- */

XG_FN xg_inst *xg_solver_potrf(const xg_hb *b, xg_inst *i) {
    xg_matrices m;
    xg_inst *good, *out[2];
    if (!xg_solver_tuple(i, 1, 2) || !xg_solver_dense(xg_solver_in(i, 0), &m) || m.rows != m.columns ||
        !xg_solver_same(i->shape->elems[0], xg_solver_in(i, 0)) || !xg_solver_part(i->shape->elems[1], XGT_I, m.count))
        return NULL;
    out[0] = xg_linear_factored(b, XG_OPERAND(i, 0), xg_call_choice(i, "lower", "uplo", "L", false), &good);
    out[1] = xg_hb_1(b, XG_NOT, good);
    return xg_solver_tuple_of(b, i, out);
}
XG_FN xg_inst *xg_solver_trsm(const xg_hb *b, xg_inst *i) {
    bool left = xg_call_choice(i, "left", "side", "L", true);
    xg_matrices m, mx;
    if (i->n_operands != 2 || !xg_solver_dense(xg_solver_in(i, 0), &m) || !xg_solver_dense(xg_solver_in(i, 1), &mx) ||
        !xg_solver_same(i->shape, xg_solver_in(i, 1)) || xg_solver_in(i, 0)->type != i->shape->type)
        return NULL;
    if (m.rows != m.columns || m.count != mx.count || m.rows != (left ? mx.rows : mx.columns)) return NULL;
    return xg_linear_solution(b, i, left, xg_call_choice(i, "lower", "uplo", "L", true),
        xg_call_choice(i, "unit", "diag", "U", false),
        xg_call_choice(i, "transpose", "trans_x", "T", false) ? 't'
        : xg_call_choice(i, "adjoint", "trans_x", "C", false) ? 'a'
                                                              : 'n');
}

/* ---- LU ---- */

XG_FN xg_inst *xg_solver_getrf(const xg_hb *b, xg_inst *i) {
    xg_matrices m;
    xg_inst *out[3];
    if (!xg_solver_tuple(i, 1, 3) || !xg_solver_dense(xg_solver_in(i, 0), &m) ||
        !xg_solver_same(i->shape->elems[0], xg_solver_in(i, 0)))
        return NULL;
    if (!xg_solver_part(i->shape->elems[1], XGT_I, m.count * XG_MIN(m.rows, m.columns)) ||
        !xg_solver_part(i->shape->elems[2], XGT_I, m.count))
        return NULL;
    xg_linear_lu(b, xg_solver_flat(b, i, 0), out);
    return xg_solver_tuple_of(b, i, out);
}
XG_FN xg_inst *xg_solver_pivots(const xg_hb *b, xg_inst *i) {
    const xg_shape *s = i->n_operands == 1 ? xg_solver_in(i, 0) : NULL, *t = i->shape;
    int64_t dims[2];
    if (!s || !xg_shape_is_array(s) || !xg_shape_is_array(t) || s->dynamic || s->type != XLAGPU_S32 ||
        t->type != XLAGPU_S32 || s->rank < 1 || t->rank != s->rank || !s->elements || !t->elements)
        return NULL;
    if (memcmp(s->dims, t->dims, (s->rank - 1) * sizeof *s->dims) != 0) return NULL;
    dims[1] = s->dims[s->rank - 1];
    dims[0] = s->elements / dims[1];
    return xg_hb_reshape(b, xg_linear_permutation(b, xg_hb_reshape(b, XG_OPERAND(i, 0), dims, 2), t->dims[t->rank - 1]),
        t->dims, t->rank);
}
/* LAPACK's returns the diagonals, whose contents mean nothing, and info */
XG_FN xg_inst *xg_solver_gtsv(const xg_hb *b, xg_inst *i) {
    bool lapack = i->shape->type == XLAGPU_TUPLE;
    xg_matrices m;
    xg_inst *in[3], *out[5];
    uint32_t k;
    if (i->n_operands != 4 || !xg_solver_dense(xg_solver_in(i, 3), &m)) return NULL;
    if (lapack ? !xg_solver_tuple(i, 4, 5) || !xg_solver_part(i->shape->elems[4], XGT_I, m.count) : false) return NULL;
    if (!xg_solver_same(lapack ? i->shape->elems[3] : i->shape, xg_solver_in(i, 3))) return NULL;
    for (k = 0; k < 3; k++) {
        if (!xg_solver_part(xg_solver_in(i, k), XGT_F | XGT_C, m.count * m.rows) ||
            xg_solver_in(i, k)->type != xg_solver_in(i, 3)->type)
            return NULL;
        if (lapack && !xg_solver_same(i->shape->elems[k], xg_solver_in(i, k))) return NULL;
    }
    for (k = 0; k < 3; k++) {
        in[k] = xg_solver_vector(b, i, k, m.count, m.rows, 1);
        out[k] = XG_OPERAND(i, k);
    }
    out[3] = xg_linear_tridiagonal(b, in[0], in[1], in[2], xg_solver_flat(b, i, 3));
    if (!lapack) return xg_linear_unflat(b, out[3], i->shape);
    out[4] = xg_solver_nothing(b, i->shape->elems[4]);
    return xg_solver_tuple_of(b, i, out);
}

/* ---- QR ---- */

XG_FN xg_inst *xg_solver_geqrf(const xg_hb *b, xg_inst *i) {
    xg_matrices m;
    xg_inst *out[2];
    if (!xg_solver_tuple(i, 1, 2) || !xg_solver_dense(xg_solver_in(i, 0), &m) ||
        !xg_solver_same(i->shape->elems[0], xg_solver_in(i, 0)))
        return NULL;
    if (!xg_solver_part(i->shape->elems[1], XGT_F | XGT_C, m.count * XG_MIN(m.rows, m.columns)) ||
        i->shape->elems[1]->type != xg_solver_in(i, 0)->type)
        return NULL;
    out[0] = xg_linear_qr(b, xg_solver_flat(b, i, 0), &out[1]);
    return xg_solver_tuple_of(b, i, out);
}
XG_FN xg_inst *xg_solver_geqp3(const xg_hb *b, xg_inst *i) {
    xg_matrices m;
    xg_inst *out[3];
    if (!xg_solver_tuple(i, 2, 3) || !xg_solver_dense(xg_solver_in(i, 0), &m) ||
        !xg_solver_same(i->shape->elems[0], xg_solver_in(i, 0)) ||
        !xg_solver_part(i->shape->elems[1], XGT_I, m.count * m.columns))
        return NULL;
    if (!xg_solver_part(i->shape->elems[2], XGT_F | XGT_C, m.count * XG_MIN(m.rows, m.columns)) ||
        i->shape->elems[2]->type != xg_solver_in(i, 0)->type)
        return NULL;
    xg_linear_qr_pivoted(b, xg_solver_flat(b, i, 0), out);
    return xg_solver_tuple_of(b, i, out);
}
/* Are operands 0 and 1 reflectors and their taus? How many. */
XG_FN int64_t xg_solver_reflectors(const xg_inst *i, xg_matrices *m) {
    const xg_shape *s = xg_solver_in(i, 0), *t = xg_solver_in(i, 1);
    int64_t n;
    if (!xg_solver_dense(s, m) || !xg_shape_is_array(t) || t->dynamic || t->rank < 1 || t->type != s->type) return 0;
    n = t->dims[t->rank - 1];
    return n <= XG_MIN(m->rows, m->columns) && t->elements == n * m->count ? n : 0;
}
XG_FN xg_inst *xg_solver_orgqr(const xg_hb *b, xg_inst *i) {
    xg_matrices m;
    int64_t n = i->n_operands == 2 ? xg_solver_reflectors(i, &m) : 0;
    xg_inst *a, *taus;
    if (!n || !xg_solver_same(i->shape, xg_solver_in(i, 0)) || m.rows < m.columns) return NULL;
    a = xg_solver_flat(b, i, 0);
    taus = xg_solver_vector(b, i, 1, m.count, 1, n);
    return xg_linear_unflat(b, xg_linear_q(b, a, taus, m.columns), i->shape);
}
XG_FN xg_inst *xg_solver_ormqr(const xg_hb *b, xg_inst *i) {
    bool left = xg_call_choice(i, "left", "side", "L", true);
    xg_matrices m, mc;
    int64_t n = i->n_operands == 3 ? xg_solver_reflectors(i, &m) : 0;
    xg_inst *a, *taus;
    if (!n || !xg_solver_dense(xg_solver_in(i, 2), &mc) || !xg_solver_same(i->shape, xg_solver_in(i, 2)) ||
        i->shape->type != xg_solver_in(i, 0)->type || mc.count != m.count || m.rows != (left ? mc.rows : mc.columns))
        return NULL;
    a = xg_solver_flat(b, i, 0);
    taus = xg_solver_vector(b, i, 1, m.count, 1, n);
    a = xg_linear_reflect(
        b, a, taus, xg_solver_flat(b, i, 2), left, xg_call_choice(i, "transpose", "trans", "TC", false), 0);
    return xg_linear_unflat(b, a, i->shape);
}

/* (reflectors, taus, info), of the whole matrix. */
XG_FN xg_inst *xg_solver_gehrd(const xg_hb *b, xg_inst *i) {
    xg_matrices m;
    xg_inst *out[3];
    if (!xg_solver_tuple(i, 1, 3) || !xg_solver_dense(xg_solver_in(i, 0), &m) || m.rows != m.columns || m.rows < 2 ||
        !xg_solver_same(i->shape->elems[0], xg_solver_in(i, 0)) || !xg_solver_part(i->shape->elems[2], XGT_I, m.count))
        return NULL;
    if (!xg_solver_part(i->shape->elems[1], XGT_F | XGT_C, m.count * (m.rows - 1)) ||
        i->shape->elems[1]->type != xg_solver_in(i, 0)->type || !xg_call_is_number(i, "low", 1) ||
        !xg_call_is_number(i, "high", m.rows))
        return NULL;
    out[0] = xg_linear_hessenberg(b, xg_solver_flat(b, i, 0), &out[1]);
    out[2] = xg_solver_nothing(b, i->shape->elems[2]);
    return xg_solver_tuple_of(b, i, out);
}
/* (reflectors below the subdiagonal, diagonal, subdiagonal, taus, info), from the lower triangle. */
XG_FN xg_inst *xg_solver_sytrd(const xg_hb *b, xg_inst *i) {
    xg_matrices m;
    xg_inst *out[5], *a, *whole;
    uint32_t k;
    if (!xg_solver_tuple(i, 1, 5) || !xg_solver_dense(xg_solver_in(i, 0), &m) || m.rows != m.columns || m.rows < 2 ||
        !xg_solver_same(i->shape->elems[0], xg_solver_in(i, 0)) || !xg_call_choice(i, "lower", "uplo", "L", true))
        return NULL;
    for (k = 1; k < 4; k++)
        if (!xg_solver_part(i->shape->elems[k], k < 3 ? XGT_F : XGT_F | XGT_C, m.count * (m.rows - (k > 1))))
            return NULL;
    if (i->shape->elems[3]->type != xg_solver_in(i, 0)->type || !xg_solver_part(i->shape->elems[4], XGT_I, m.count))
        return NULL;
    a = xg_solver_flat(b, i, 0);
    whole = xg_linear_whole(b, a, true);
    out[0] = xg_linear_hessenberg(b, whole, &out[3]);
    out[1] = xg_linear_real(b, xg_linear_diagonal(b, out[0]));
    out[2] = xg_hb_slice_dim(b, xg_hb_slice_dim(b, out[0], 1, 1, m.rows), 2, 0, m.rows - 1);
    out[2] = xg_linear_real(b, xg_linear_diagonal(b, out[2]));
    out[0] = xg_hb_select(b, xg_linear_triangle(b, a, "GE"), out[0], a);
    out[4] = xg_solver_nothing(b, i->shape->elems[4]);
    return xg_solver_tuple_of(b, i, out);
}
/* (A, C, alpha, beta) -> alpha A A^T + beta C, or alpha A^T A + beta C. cuBLAS writes one triangle; here both are. C
 * counts only where beta is not zero. */
XG_FN xg_inst *xg_solver_syrk(const xg_hb *b, xg_inst *i) {
    bool transpose = xg_call_flag(i, "transpose", false);
    xg_matrices m, mc;
    xg_inst *a, *c, *beta, *alpha, *none;
    uint32_t k;
    if (i->n_operands != 4 || !xg_solver_dense(xg_solver_in(i, 0), &m) || !xg_solver_dense(xg_solver_in(i, 1), &mc) ||
        !xg_solver_same(i->shape, xg_solver_in(i, 1)) || mc.count != m.count || mc.rows != mc.columns)
        return NULL;
    if (mc.rows != (transpose ? m.columns : m.rows) || xg_type_class(i->shape->type) != XGT_F) return NULL;
    for (k = 0; k < 4; k++)
        if (xg_solver_in(i, k)->type != i->shape->type || (k > 1 && !xg_shape_is_scalar(xg_solver_in(i, k))))
            return NULL;
    a = xg_solver_flat(b, i, 0);
    if (transpose) a = xg_linear_swap(b, a);
    c = xg_solver_flat(b, i, 1);
    alpha = xg_hb_splat(b, xg_hb_convert(b, XG_OPERAND(i, 2), c->shape->type), c->shape->dims, 3);
    beta = xg_hb_splat(b, xg_hb_convert(b, XG_OPERAND(i, 3), c->shape->type), c->shape->dims, 3);
    none = xg_hb_compare(b, "NE", beta, xg_linear_zero_like(b, beta));
    c = xg_linear_kept(b, none, xg_hb_mul(b, beta, c));
    a = xg_linear_product(b, a, xg_linear_swap(b, a));
    a = xg_hb_mul(b, alpha, a);
    return xg_linear_unflat(b, xg_hb_add(b, a, c), i->shape);
}
/* (R, w) -> the upper triangular R' of R'^T R' = R^T R + w w^T, and w rotated to zero: one rotation a row. */
XG_FN xg_inst *xg_solver_cholesky_update(const xg_hb *b, xg_inst *i) {
    xg_matrices m;
    xg_inst *state[2], *out[2], *row, *x, *y, *size, *idle, *one;
    xg_loop l;
    if (!xg_solver_tuple(i, 2, 2) || !xg_solver_dense(xg_solver_in(i, 0), &m) || m.count != 1 || m.rows != m.columns ||
        xg_type_class(xg_solver_in(i, 0)->type) != XGT_F)
        return NULL;
    if (!xg_solver_part(xg_solver_in(i, 1), XGT_F, m.rows) || xg_solver_in(i, 1)->type != xg_solver_in(i, 0)->type ||
        !xg_solver_same(i->shape->elems[0], xg_solver_in(i, 0)) ||
        !xg_solver_same(i->shape->elems[1], xg_solver_in(i, 1)))
        return NULL;
    state[0] = xg_solver_flat(b, i, 0);
    state[1] = xg_solver_vector(b, i, 1, 1, 1, m.rows);
    l = xg_hb_loop(b, state, 2, m.rows);
    row = xg_linear_row(&l.b, l.state[0], l.k, 1);
    x = xg_linear_row(&l.b, row, l.k, 2);
    y = xg_linear_row(&l.b, l.state[1], l.k, 2);
    out[0] = x;
    out[1] = y;
    size = xg_linear_length(&l.b, xg_hb_concat(&l.b, out, 2, 2), 2);
    idle = xg_hb_compare(&l.b, "EQ", size, xg_linear_zero_like(&l.b, size));
    one = xg_linear_splat_like(&l.b, x, 1);
    x = xg_hb_select(&l.b, idle, one, xg_hb_div(&l.b, x, size));
    y = xg_hb_div(&l.b, y, size);
    y = xg_hb_select(&l.b, idle, xg_linear_zero_like(&l.b, y), y);
    out[0] = row;
    out[1] = l.state[1];
    one = xg_hb_1(&l.b, XG_NEGATE, y);
    xg_jacobi_mix(&l.b, &out[0], &out[1], x, one, one); /* (c row + s w, c w - s row) */
    idle = xg_linear_where_in(&l.b, row, 2, "GE", l.k);
    row = xg_hb_select(&l.b, idle, out[0], row);
    l.state[0] = xg_linear_set_row(&l.b, l.state[0], row, l.k, 1);
    l.state[1] = xg_hb_select(&l.b, idle, out[1], l.state[1]);
    xg_hb_loop_end(b, &l);
    out[0] = l.state[0];
    out[1] = l.state[1];
    return xg_solver_tuple_of(b, i, out);
}

/* ---- eigenvalues, singular values ---- */

XG_FN xg_inst *xg_solver_syevd(const xg_hb *b, xg_inst *i) {
    xg_matrices m;
    xg_inst *out[3];
    bool info = xg_solver_tuple(i, 1, 3);
    if ((!info && !xg_solver_tuple(i, 1, 2)) || !xg_solver_dense(xg_solver_in(i, 0), &m) || m.rows != m.columns ||
        !xg_solver_same(i->shape->elems[0], xg_solver_in(i, 0)))
        return NULL;
    if (!xg_solver_part(i->shape->elems[1], XGT_F, m.count * m.rows) ||
        (info && !xg_solver_part(i->shape->elems[2], XGT_I, m.count)))
        return NULL;
    xg_linear_eigh(b, xg_solver_flat(b, i, 0), xg_call_lower(i), out);
    return xg_solver_tuple_of(b, i, out);
}
/* (A destroyed, values, U, V or V*, info); the first two of the last three change places where the library saw the
 * transpose. */
XG_FN xg_inst *xg_solver_svd(const xg_hb *b, xg_inst *i, bool adjoint) {
    bool swapped = adjoint && xg_call_flag(i, "transposed", false),
         vectors = !adjoint || xg_call_choice(i, "compute_uv", "mode", "AS", true);
    uint32_t u = swapped ? 3 : 2, v = swapped ? 2 : 3;
    int64_t least, uc, vc;
    xg_matrices m, mu, mv;
    xg_inst *out[5], *made[4];
    if (!xg_solver_tuple(i, 1, 5) || !xg_solver_dense(xg_solver_in(i, 0), &m) ||
        !xg_solver_same(i->shape->elems[0], xg_solver_in(i, 0)))
        return NULL;
    least = uc = vc = XG_MIN(m.rows, m.columns);
    if (!xg_solver_part(i->shape->elems[1], XGT_F, m.count * least) ||
        !xg_solver_part(i->shape->elems[4], XGT_I, m.count))
        return NULL;
    if (vectors) {
        if (!xg_solver_dense(i->shape->elems[u], &mu) || !xg_solver_dense(i->shape->elems[v], &mv) ||
            mu.count != m.count || mv.count != m.count)
            return NULL;
        uc = mu.columns;
        vc = adjoint ? mv.rows : mv.columns;
        if (mu.rows != m.rows || (adjoint ? mv.columns : mv.rows) != m.columns || (uc != least && uc != m.rows) ||
            (vc != least && vc != m.columns))
            return NULL;
        if (i->shape->elems[u]->type != xg_solver_in(i, 0)->type ||
            i->shape->elems[v]->type != xg_solver_in(i, 0)->type)
            return NULL;
    } else if (!xg_shape_is_array(i->shape->elems[2]) || !xg_shape_is_array(i->shape->elems[3]))
        return NULL;
    xg_linear_svd(b, xg_solver_flat(b, i, 0), uc, vc, vectors, made);
    out[0] = XG_OPERAND(i, 0);
    out[1] = made[0];
    out[u] = vectors ? made[1] : xg_solver_nothing(b, i->shape->elems[u]);
    out[v] = !vectors ? xg_solver_nothing(b, i->shape->elems[v]) : adjoint ? xg_linear_hermitian(b, made[2]) : made[2];
    out[4] = made[3];
    return xg_solver_tuple_of(b, i, out);
}
XG_FN xg_inst *xg_solver_gesvd(const xg_hb *b, xg_inst *i) { return xg_solver_svd(b, i, true); }
XG_FN xg_inst *xg_solver_gesvdj(const xg_hb *b, xg_inst *i) { return xg_solver_svd(b, i, false); }

/* cuSOLVER: (A destroyed, values, left, right, info), the vectors of a real matrix packed. LAPACK and MAGMA: (values,
 * left, right, info), of a real matrix the values as two arrays and the vectors complex. */
XG_FN xg_inst *xg_solver_geev(const xg_hb *b, xg_inst *i) {
    bool cuda = xg_attr_is(i, XG_A_custom_call_target, "cusolver_geev_ffi"), real, split;
    uint32_t n = i->shape->type == XLAGPU_TUPLE ? i->shape->n_elems : 0, k, right = n - 2;
    const xg_shape *const *e = i->shape->elems, *s = i->n_operands == 1 ? xg_solver_in(i, 0) : NULL;
    bool left = xg_call_choice(i, "left", "compute_left", "V", false), packed;
    xg_matrices m;
    xg_inst *made[4], *out[5];
    if (!s || !xg_solver_dense(s, &m) || m.rows != m.columns) return NULL;
    real = xg_type_class(s->type) == XGT_F;
    split = real && !cuda;
    if (n != (cuda || real ? 5u : 4u) || (cuda && !xg_solver_same(e[0], s)) ||
        !xg_solver_part(e[n - 1], XGT_I, m.count))
        return NULL;
    for (k = cuda ? 1 : 0; k < n - 3; k++)
        if (!xg_solver_part(e[k], split ? XGT_F : XGT_C, m.count * m.rows)) return NULL;
    for (k = n - 3; k < n - 1; k++)
        if (!xg_solver_part(e[k], real && cuda ? XGT_F : XGT_C, s->elements)) return NULL;
    packed = real && cuda;
    xg_linear_eig(b, xg_solver_flat(b, i, 0), left, made);
    out[0] = cuda ? XG_OPERAND(i, 0) : split ? xg_hb_1(b, XG_REAL, made[0]) : made[0];
    if (cuda) out[1] = made[0];
    if (split) out[1] = xg_hb_1(b, XG_IMAG, made[0]);
    out[n - 3] = !left ? xg_solver_nothing(b, e[n - 3]) : packed ? xg_general_packed(b, made[0], made[3]) : made[3];
    out[right] = packed ? xg_general_packed(b, made[0], made[1]) : made[1];
    out[n - 1] = made[2];
    return xg_solver_tuple_of(b, i, out);
}

/* (T, vectors, values, how many were sorted, info), nothing sorted: A = V T V*. Of a real matrix the values are two
 * arrays, and T has blocks of two rows. */
XG_FN xg_inst *xg_solver_gees(const xg_hb *b, xg_inst *i) {
    const xg_shape *const *e = i->shape->elems, *s = i->n_operands == 1 ? xg_solver_in(i, 0) : NULL;
    xg_matrices m;
    xg_inst *out[6];
    bool real;
    uint32_t n, k;
    if (!s || !xg_solver_dense(s, &m) || m.rows != m.columns || xg_call_choice(i, "sorted", "sort", "S", false))
        return NULL;
    real = xg_type_class(s->type) == XGT_F;
    n = real ? 6 : 5;
    if (!xg_solver_tuple(i, 1, n) || !xg_solver_same(e[0], s) || !xg_solver_same(e[1], s)) return NULL;
    for (k = 2; k < n; k++)
        if (!xg_solver_part(e[k], k >= n - 2 ? XGT_I : real ? XGT_F : XGT_C, m.count * (k >= n - 2 ? 1 : m.rows)))
            return NULL;
    if (real)
        xg_linear_real_schur(b, xg_solver_flat(b, i, 0), out);
    else {
        out[0] = xg_general_schur(b, xg_solver_flat(b, i, 0), &out[1], &out[3]);
        out[2] = xg_linear_diagonal(b, out[0]);
    }
    out[n - 1] = out[n - 2];
    out[n - 2] = xg_solver_nothing(b, e[n - 2]);
    return xg_solver_tuple_of(b, i, out);
}

/* ---- the pass ---- */

XG_FN int xg_solver_row_of(const xg_inst *i) {
    XG_TABLE const char targets[] =
#define X(target, word) target "\0"
        XG_SOLVER_CALLS(X)
#undef X
        ;
    return xg_opt_target_in(i, targets);
}
XG_FN bool xg_solver_matches(const xg_inst *i) { return xg_solver_row_of(i) >= 0; }
XG_FN xg_inst *xg_solver_expand(const xg_hb *b, xg_inst *i) {
    XG_TABLE xg_inst *(*const expand[])(const xg_hb *b, xg_inst *i) = {
#define X(target, word) xg_solver_##word,
        XG_SOLVER_CALLS(X)
#undef X
    };
    return expand[xg_solver_row_of(i)](b, i);
}
XG_FN bool xg_expand_solver_calls(xg_module *m) {
    return xg_opt_expand_made(m, xg_solver_matches, xg_solver_expand, XG_CUSTOM_CALL);
}

#endif /* XG_EXPAND_SOLVER_CALLS_C */
