/* expand/library_rewriter.c -- transforms and factorisations that cuFFT and cuSOLVER make, as custom calls of theirs
 * (api/executable.h), where --libraries names the library and it is estimated to be faster than kernels of our own.
 *
 * What the libraries leave undone stays HLO behind the call, where it is fused with its readers: the division of an
 * inverse transform, the zeros of a factor's other triangle, the NaN of a matrix that is not positive definite. So each
 * call with what is behind it equals the operation that it replaces. Calls of cuSOLVER are in place: an operand that is
 * read later is copied by the plan. */
#ifndef XG_EXPAND_LIBRARY_REWRITER_C
#define XG_EXPAND_LIBRARY_REWRITER_C
#include "../api/executable.h"
#include "expand.h"
#include "library_forms.c"
#include "solver_calls.c"
#include "vendor.c"

enum {
    XG_CUFFT_ONE_PASS_MAX = 1 << 14, /* elements of a line that one of its kernels transforms, sm_80 and newer */
    XG_CUFFT_SMOOTH_MAX = 127,       /* larger prime factors take Bluestein's way, of several passes */
    XG_BLUESTEIN_PASSES = 6,         /* of cuFFT's: two transforms of twice the length and products around them */
    XG_OWN_BLUESTEIN_PASSES = 8,     /* of ours (fft_expander.c) */
    /* The next three are reasoned, not measured. */
    XG_CUSOLVER_STEP_NS = 20000,     /* a step over a panel: launches that wait for each other */
    XG_CUSOLVER_RATE_PERMILLE = 500, /* of the device's multiply-adds, that large factorisations reach */
    XG_BLOCK_RATE_PERMILLE = 250     /* of a multiprocessor's, that our blocks reach: one makes a matrix */
};
/* X(name, operands, results, multiply-adds in thousandths of rows * columns * the smaller, columns of a step) */
/* clang-format off */
#define XG_CUSOLVER_CALLS(X) \
    X(potrf, 1, 2, 167, 32) \
    X(getrf, 1, 3, 333, 32) \
    X(geqrf, 1, 2, 667, 32) \
    X(orgqr, 2, 1, 667, 32) \
    X(syevd, 1, 3, 4500, 1) \
    X(gesvd, 1, 5, 10000, 1)
#define XG_CUSOLVER_TARGETS(X) \
    X("cusolver_potrf_ffi", potrf) \
    X("lapack_?potrf_ffi", potrf) \
    X("cusolver_getrf_ffi", getrf) \
    X("cublas_getrf_batched_ffi", getrf) \
    X("lapack_?getrf_ffi", getrf) \
    X("cusolver_geqrf_ffi", geqrf) \
    X("cublas_geqrf_batched_ffi", geqrf) \
    X("lapack_?geqrf_ffi", geqrf) \
    X("cusolver_orgqr_ffi", orgqr) \
    X("lapack_?orgqr_ffi", orgqr) \
    X("lapack_?ungqr_ffi", orgqr) \
    X("cusolver_syevd_ffi", syevd) \
    X("lapack_?syevd_ffi", syevd) \
    X("lapack_?heevd_ffi", syevd) \
    X("cusolver_gesvd_ffi", gesvd)
/* clang-format on */
typedef enum xg_cusolver_call {
#define X(name, operands, results, work, columns) XG_CUSOLVER_##name,
    XG_CUSOLVER_CALLS(X)
#undef X
    XG_CUSOLVER_NONE
} xg_cusolver_call;
typedef struct xg_cusolver_row {
    const char *name;
    uint32_t operands, results;
    int64_t work, columns;
} xg_cusolver_row;
XG_FN const xg_cusolver_row *xg_cusolver_row_of(xg_cusolver_call call) {
    XG_TABLE const xg_cusolver_row rows[] = {
#define X(name, operands, results, work, columns) {#name, operands, results, work, columns},
        XG_CUSOLVER_CALLS(X)
#undef X
    };
    return &rows[call];
}

XG_FN bool xg_vendor_takes_type(xlagpu_type t) {
    return t == XLAGPU_F32 || t == XLAGPU_F64 || t == XLAGPU_C64 || t == XLAGPU_C128;
}

/* ---- cuFFT ---- */

XG_FN int64_t xg_fft_largest_factor(int64_t n) {
    int64_t k, largest = 1;
    for (k = 2; k * k <= n; k++)
        while (n % k == 0) {
            largest = k;
            n /= k;
        }
    return XG_MAX(n, largest);
}
/* Kernels that read and write everything, of cuFFT's and of ours. */
XG_FN int64_t xg_cufft_passes(const xg_inst *i) {
    xg_ints n = xg_attr_ints(i, XG_A_fft_length);
    int64_t passes = 0;
    uint32_t k;
    for (k = 0; k < n.n; k++)
        passes += xg_fft_largest_factor(n.p[k]) > XG_CUFFT_SMOOTH_MAX ? XG_BLUESTEIN_PASSES
                  : n.p[k] > XG_CUFFT_ONE_PASS_MAX                    ? 2
                                                                      : 1;
    return passes;
}
XG_FN int64_t xg_fft_own_passes(const xg_inst *i) {
    xg_ints n = xg_attr_ints(i, XG_A_fft_length);
    int64_t passes = 0;
    uint32_t last, k;
    if (xg_fft_is_kernel(i)) return 1;
    last = xg_fft_last_pass(i);
    for (k = 0; k < last; k++) {
        int64_t first = xg_fft_first_pass(n.p[k], xg_type_bits(xg_type_real(i->shape->type)) / 4);
        passes += first == 1 ? 1 : first ? 2 : XG_OWN_BLUESTEIN_PASSES;
    }
    return passes + (last < n.n);
}
XG_FN bool xg_cufft_takes(const xg_inst *i) {
    const xg_module *m = i->comp->module;
    const xg_shape *from = XG_OPERAND(i, 0)->shape, *to = i->shape;
    xg_ints n = xg_attr_ints(i, XG_A_fft_length);
    int64_t dims;
    if (!xg_vendor_allows(m, XG_EXE_LIBRARY_CUFFT) || to->dynamic || from->dynamic || !to->elements ||
        !from->elements || xg_inst_attr(i, XG_A_backend_config))
        return false;
    dims = n.n;
    if (!xg_fft_call_is_plain(from, to, dims)) return false;
    return m->libraries & XG_EXE_LIBRARY_ALWAYS || xg_cufft_passes(i) < xg_fft_own_passes(i);
}
XG_FN xg_inst *xg_cufft_rewrite(const xg_hb *b, xg_inst *i) {
    xg_module *m = b->comp->module;
    xg_inst *x = XG_OPERAND(i, 0), *y;
    xg_ints n = xg_attr_ints(i, XG_A_fft_length);
    xg_str type = xg_attr_str(i, XG_A_fft_type);
    bool to_real = xg_str_is(type, "IRFFT"), inverse = to_real || xg_str_is(type, "IFFT");
    const xg_shape *from = xg_vendor_laid_out(m, x->shape, false), *shapes[2];
    char config[64];
    double scale = 1;
    uint32_t k;
    shapes[0] = xg_vendor_laid_out(m, i->shape, false);
    shapes[1] = from;
    xg_format(config, sizeof config, "{rank = %u : i64, inverse = %s}", n.n, inverse ? "true" : "false");
    y = xg_vendor_call(b, XG_EXE_FFT_TARGET, config, to_real ? xg_shape_tuple(m, shapes, 2) : shapes[0], &x, &from, 1,
        to_real ? 1 : -1);
    if (to_real) y = xg_hb_element(b, y, 0);
    if (!inverse) return y;
    for (k = 0; k < n.n; k++) scale /= (double)n.p[k];
    return xg_hb_mul(b, y, xg_linear_number(b, y->shape->type, scale, y->shape->dims, y->shape->rank));
}

/* ---- cuSOLVER ---- */

/* What cuSOLVER sees of a gesvd, which wants no more columns than rows. */
XG_FN bool xg_gesvd_turned(const xg_inst *i) { return xg_call_flag(i, "transposed", false); }
XG_FN bool xg_gesvd_is_plain(const xg_inst *i, const xg_matrices *m) {
    const xg_shape *const *e = i->shape->elems;
    int64_t rows = xg_gesvd_turned(i) ? m->columns : m->rows, columns = xg_gesvd_turned(i) ? m->rows : m->columns;
    uint32_t k;
    if (rows < columns || !xg_solver_part(e[1], XGT_F, m->count * columns)) return false;
    if (!xg_call_flag(i, "compute_uv", true)) return true;
    for (k = 2; k < 4; k++)
        if (!xg_shape_is_array(e[k]) || e[k]->type != e[0]->type || e[k]->rank != e[0]->rank || e[k]->dynamic)
            return false;
    return e[3]->elements == m->count * columns * columns &&
           e[2]->elements == m->count * rows * (xg_call_flag(i, "full_matrices", false) ? rows : columns);
}
/* Results behind the first, of the call's form. */
XG_APART XG_FN bool xg_cusolver_is_plain(const xg_inst *i, xg_cusolver_call call, xg_matrices *m) {
    const xg_cusolver_row *row = xg_cusolver_row_of(call);
    const xg_shape *const *e = i->shape->elems, *last;
    int64_t least;
    if (i->n_operands != row->operands || !xg_solver_dense(xg_solver_in(i, 0), m) ||
        !xg_vendor_takes_type(xg_solver_in(i, 0)->type))
        return false;
    least = XG_MIN(m->rows, m->columns);
    if (call == XG_CUSOLVER_orgqr)
        return m->rows >= m->columns && xg_solver_same(i->shape, xg_solver_in(i, 0)) && xg_solver_reflectors(i, m) > 0;
    if (!xg_solver_tuple(i, row->operands, row->results) || !xg_solver_same(e[0], xg_solver_in(i, 0))) return false;
    last = e[row->results - 1];
    if (call == XG_CUSOLVER_geqrf)
        return last->type == e[0]->type && xg_solver_part(last, XGT_F | XGT_C, m->count * least);
    if (last->type != XLAGPU_S32 || !xg_solver_part(last, XGT_I, m->count)) return false;
    switch (call) {
    case XG_CUSOLVER_potrf: return m->rows == m->columns;
    case XG_CUSOLVER_getrf: return e[1]->type == XLAGPU_S32 && xg_solver_part(e[1], XGT_I, m->count * least);
    case XG_CUSOLVER_syevd: return m->rows == m->columns && xg_solver_part(e[1], XGT_F, m->count * least);
    default: return xg_gesvd_is_plain(i, m);
    }
}
/* Nanoseconds, ours and the library's. */
XG_FN bool xg_cusolver_is_faster(const xg_module *module, xg_cusolver_call call, const xg_matrices *m, xlagpu_type t) {
    const xg_cusolver_row *row = xg_cusolver_row_of(call);
    const xg_device *d = &module->device;
    bool wide = xg_type_real(t) == XLAGPU_F64, complex_ = xg_type_class(t) == XGT_C;
    double least = (double)XG_MIN(m->rows, m->columns), sms = (double)XG_MAX(d->sm_count, (int64_t)1);
    double work = (double)m->rows * (double)m->columns * least * (double)row->work / 1000 * (complex_ ? 4 : 1);
    double clock = (double)XG_MAX(d->clock_mhz, (int64_t)1) / 1000;
    double each = work / (double)XG_MAX(wide ? d->f64_rate : d->f32_rate, (int64_t)1) / clock;
    double own = ceil((double)m->count / sms) * each * 1000 / (double)XG_BLOCK_RATE_PERMILLE;
    double steps = ceil(least / (double)row->columns);
    double busy = each / sms * 1000 / (double)XG_CUSOLVER_RATE_PERMILLE;
    double theirs = (double)m->count * (steps * (double)XG_CUSOLVER_STEP_NS + busy);
    return theirs < own;
}
XG_FN xg_cusolver_call xg_cusolver_call_of(const xg_inst *i) {
    static const struct {
        const char *target;
        xg_cusolver_call call;
    } rows[] = {
#define X(target, word) {target, XG_CUSOLVER_##word},
        XG_CUSOLVER_TARGETS(X)
#undef X
    };
    uint32_t k;
    for (k = 0; i->op == XG_CUSTOM_CALL && k < XG_COUNT(rows); k++)
        if (xg_call_is(xg_attr_str(i, XG_A_custom_call_target), rows[k].target)) return rows[k].call;
    return XG_CUSOLVER_NONE;
}
XG_FN bool xg_cusolver_takes(const xg_inst *i) {
    const xg_module *module = i->comp->module;
    const xg_shape *s;
    xg_cusolver_call call = i->op == XG_CHOLESKY ? XG_CUSOLVER_potrf : xg_cusolver_call_of(i);
    xg_matrices m;
    if (call == XG_CUSOLVER_NONE || !xg_vendor_allows(module, XG_EXE_LIBRARY_CUSOLVER)) return false;
    s = xg_solver_in(i, 0);
    if (i->op == XG_CHOLESKY ? !xg_solver_dense(s, &m) || !xg_vendor_takes_type(s->type)
                             : !xg_cusolver_is_plain(i, call, &m))
        return false;
    return module->libraries & XG_EXE_LIBRARY_ALWAYS || xg_cusolver_is_faster(module, call, &m, s->type);
}
/* (factor, info), with zeros in the other triangle, and NaN where info is not zero, as our kernels have it. */
XG_FN void xg_cusolver_potrf(const xg_hb *b, xg_inst *x, bool lower, bool turned, xg_inst **out) {
    xg_module *m = b->comp->module;
    const xg_shape *laid_out = xg_vendor_laid_out(m, x->shape, turned), *shapes[2];
    int64_t dims[XG_RANK_MAX];
    uint32_t rank = x->shape->rank, k;
    xg_inst *call, *nan, *failed;
    for (k = 0; k < rank; k++) dims[k] = k;
    shapes[0] = laid_out;
    shapes[1] = xg_hb_shape(b, XLAGPU_S32, x->shape->dims, rank - 2);
    call = xg_vendor_call(b, XG_EXE_SOLVER_TARGET "potrf", lower ? "{lower = true}" : "{lower = false}",
        xg_shape_tuple(m, shapes, 2), &x, &laid_out, 1, 0);
    x = xg_vendor_plain(b, xg_hb_element(b, call, 0));
    out[1] = xg_hb_element(b, call, 1);
    nan = xg_linear_number(b, x->shape->type, xg_f64_nan(), x->shape->dims, rank);
    failed = xg_hb_compare(b, "NE", out[1], xg_hb_int_like(b, out[1], 0));
    out[1] = xg_hb_convert(b, failed, XLAGPU_S32);
    failed = rank > 2 ? xg_hb_broadcast(b, failed, x->shape->dims, rank, dims, rank - 2)
                      : xg_hb_splat(b, failed, x->shape->dims, rank);
    x = xg_hb_select(b, failed, nan, x);
    out[0] = xg_linear_masked(b, x, lower ? "GE" : "LE");
}
XG_FN xg_inst *xg_cusolver_rewrite(const xg_hb *b, xg_inst *i) {
    xg_module *m = b->comp->module;
    xg_cusolver_call call = i->op == XG_CHOLESKY ? XG_CUSOLVER_potrf : xg_cusolver_call_of(i);
    const xg_cusolver_row *row = xg_cusolver_row_of(call);
    bool turned = call != XG_CUSOLVER_gesvd || !xg_gesvd_turned(i);
    const xg_shape *shapes[5], *laid_out[2];
    char target[32], config[96];
    xg_inst *out[5], *in[2], *made;
    uint32_t k;
    if (i->op == XG_CHOLESKY) {
        xg_cusolver_potrf(b, XG_OPERAND(i, 0), xg_attr_or_0(i, XG_A_lower) != 0, false, out);
        return out[0];
    }
    if (call == XG_CUSOLVER_potrf) {
        xg_cusolver_potrf(b, XG_OPERAND(i, 0), xg_call_choice(i, "lower", "uplo", "L", false),
            i->shape->elems[0]->layout && !i->shape->elems[0]->layout->descending, out);
        return xg_hb_tuple(b, out, 2);
    }
    for (k = 0; k < row->operands; k++) {
        in[k] = XG_OPERAND(i, k);
        laid_out[k] = xg_vendor_laid_out(m, in[k]->shape, turned && !k);
    }
    for (k = 0; k < row->results; k++) {
        const xg_shape *s = i->shape->type == XLAGPU_TUPLE ? i->shape->elems[k] : i->shape;
        shapes[k] = xg_vendor_laid_out(m, s, turned && (k == 0 || (call == XG_CUSOLVER_gesvd && (k == 2 || k == 3))));
    }
    xg_format(target, sizeof target, "%s%s", XG_EXE_SOLVER_TARGET, row->name);
    xg_format(config, sizeof config, "{lower = %s, transposed = %s, compute_uv = %s, full_matrices = %s}",
        xg_call_choice(i, "lower", "uplo", "L", true) ? "true" : "false", turned ? "false" : "true",
        xg_call_flag(i, "compute_uv", true) ? "true" : "false",
        xg_call_flag(i, "full_matrices", false) ? "true" : "false");
    made = xg_vendor_call(b, target, config, row->results > 1 ? xg_shape_tuple(m, shapes, row->results) : shapes[0], in,
        laid_out, row->operands, 0);
    if (row->results == 1) return made;
    for (k = 0; k < row->results; k++) out[k] = xg_hb_element(b, made, k);
    return xg_hb_tuple(b, out, row->results);
}

/* ---- their work ---- */

XG_FN uint64_t xg_fft_flops(const xg_shape *from, const xg_shape *to, uint32_t dims) {
    const xg_shape *whole = from->elements > to->elements ? from : to;
    uint64_t volume = 1, bits = 0, real = from->type != to->type ? 1 : 2;
    uint32_t k;
    for (k = 0; k < dims; k++) volume *= (uint64_t)whole->dims[whole->rank - 1 - k];
    for (; volume > 1; volume /= 2) bits++;
    return (uint64_t)whole->elements * 5 * real * bits / 2;
}
XG_FN uint64_t xg_library_call_flops(const xg_inst *i) {
    const xg_shape *to = i->shape->type == XLAGPU_TUPLE ? i->shape->elems[0] : i->shape;
    xg_str target = xg_attr_str(i, XG_A_custom_call_target);
    int64_t rank = xg_call_number(xg_call_option(i, "rank"));
    xg_matrices m;
    uint32_t k;
    if (xg_str_is(target, XG_EXE_FFT_TARGET))
        return xg_fft_call_is_plain(XG_OPERAND(i, 0)->shape, to, rank)
                   ? xg_fft_flops(XG_OPERAND(i, 0)->shape, to, (uint32_t)rank)
                   : 0;
    if (xg_str_is(target, XG_EXE_DNN_TARGET)) return (uint64_t)XG_MAX(xg_library_number(i, "flops", 0), 0.0);
    for (k = 0; k < XG_CUSOLVER_NONE && xg_solver_dense(to, &m); k++) {
        const xg_cusolver_row *row = xg_cusolver_row_of((xg_cusolver_call)k);
        if (target.n == strlen(XG_EXE_SOLVER_TARGET) + 5 && memcmp(target.p + target.n - 5, row->name, 5) == 0)
            return (uint64_t)((double)to->elements * (double)XG_MIN(m.rows, m.columns) * (double)row->work / 500);
    }
    return 0;
}

/* ---- the pass ---- */

XG_FN bool xg_vendor_matches(const xg_inst *i) { return i->op == XG_FFT ? xg_cufft_takes(i) : xg_cusolver_takes(i); }
XG_FN xg_inst *xg_vendor_rewrite(const xg_hb *b, xg_inst *i) {
    return i->op == XG_FFT ? xg_cufft_rewrite(b, i) : xg_cusolver_rewrite(b, i);
}
XG_FN bool xg_expand_library_rewriter(xg_module *m) {
    if (!xg_vendor_allows(m, XG_EXE_LIBRARY_CUFFT) && !xg_vendor_allows(m, XG_EXE_LIBRARY_CUSOLVER)) return false;
    return (m->made[XG_FFT] || m->made[XG_CHOLESKY] || m->made[XG_CUSTOM_CALL]) &&
           xg_opt_expand(m, xg_vendor_matches, xg_vendor_rewrite);
}

#endif /* XG_EXPAND_LIBRARY_REWRITER_C */
