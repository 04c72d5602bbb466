/* rt/library.c -- vendor libraries, found at run time: what a LIBRARY_CALL calls.
 *
 * A library is a row of XG_EXE_LIBRARIES, a table of its functions, declared here from the documented ABI, and a
 * function with a beginning and an end, as a caller could register one (calls.c). It is opened when a program is loaded
 * that calls it. Its handle lives as long as an execution that uses it. */
#ifndef XG_RT_LIBRARY_C
#define XG_RT_LIBRARY_C
#include "rt.h"
#include "device.c"

/* X(field, symbol, result, parameters) */
/* clang-format off */
#define XR_LT_FUNCTIONS(X) \
    X(version, "cublasLtGetVersion", size_t, (void)) \
    X(create, "cublasLtCreate", int, (void **handle)) \
    X(destroy, "cublasLtDestroy", int, (void *handle)) \
    X(desc_new, "cublasLtMatmulDescCreate", int, (void **desc, int compute, int scale)) \
    X(desc_set, "cublasLtMatmulDescSetAttribute", int, (void *desc, int attribute, const void *value, size_t bytes)) \
    X(desc_free, "cublasLtMatmulDescDestroy", int, (void *desc)) \
    X(layout_new, "cublasLtMatrixLayoutCreate", int, (void **layout, int type, uint64_t rows, uint64_t columns, int64_t lead)) \
    X(layout_set, "cublasLtMatrixLayoutSetAttribute", int, (void *layout, int attribute, const void *value, size_t bytes)) \
    X(layout_free, "cublasLtMatrixLayoutDestroy", int, (void *layout)) \
    X(wish_new, "cublasLtMatmulPreferenceCreate", int, (void **wish)) \
    X(wish_set, "cublasLtMatmulPreferenceSetAttribute", int, (void *wish, int attribute, const void *value, size_t bytes)) \
    X(wish_free, "cublasLtMatmulPreferenceDestroy", int, (void *wish)) \
    X(choose, "cublasLtMatmulAlgoGetHeuristic", int, (void *handle, void *desc, void *a, void *b, void *c, void *d, void *wish, int wanted, xr_lt_choice *choices, int *n)) \
    X(matmul, "cublasLtMatmul", int, (void *handle, void *desc, const void *alpha, const void *a, void *la, const void *b, void *lb, const void *beta, const void *c, void *lc, void *d, void *ld, const uint64_t *algorithm, void *workspace, size_t bytes, void *stream))
/* clang-format on */
typedef struct xr_lt_choice {
    uint64_t algorithm[8];
    size_t workspace;
    int status;
    float waves;
    int reserved[4];
} xr_lt_choice;
enum {
    XR_LT_OLDEST = 11000, /* CUDA 11: batches and epilogues as they are used here */
    XR_LT_TRANS_A = 3,    /* of a product's attributes */
    XR_LT_TRANS_B = 4,
    XR_LT_EPILOGUE = 7,
    XR_LT_BIAS = 8,
    XR_LT_BATCH = 5, /* of a matrix's */
    XR_LT_STRIDE = 6,
    XR_LT_WORKSPACE = 1, /* of a preference's */
    XR_LT_REDUCTIONS = 3,
    XR_LT_IN_ORDER = 6, /* parts of a sum are added by a kernel of its own, not in the order in which they come */
    XR_LT_NO_MEMORY = 3,
    XR_LT_NOT_SUPPORTED = 15
};
struct xr_libraries {
    xr_function cublaslt;
    void *library, *handle;
    uint32_t users; /* calls that are prepared */
#define X(field, symbol, result, parameters) result(*field) parameters;
    XR_LT_FUNCTIONS(X)
#undef X
};
typedef struct xr_lt_state {
    void *desc, *layouts[3], *wish; /* layouts of A, B, D */
    xr_lt_choice choice;
    union {
        float f32[2];
        double f64[2];
        int32_t s32;
    } one, zero;
} xr_lt_state;

XG_FN XG_COLD xlagpu_status xr_lt_failed(const xlagpu_rt_call *c, const char *what, int error) {
    xg_format(c->error, c->error_bytes, "%s: status %d of cuBLAS", what, error);
    return error == XR_LT_NO_MEMORY       ? XLAGPU_ERROR_MEMORY
           : error == XR_LT_NOT_SUPPORTED ? XLAGPU_ERROR_UNSUPPORTED
                                          : XLAGPU_ERROR_DEVICE;
}
/* Unless something failed before: the call, and what failed. */
#define XR_LT(call, symbol) \
    if (!e && (e = (call)) != 0) what = (symbol)

/* ---- one call ---- */

/* What it is told; NULL: not as this version of the compiler writes it. */
XG_FN XG_COLD const int64_t *xr_lt_fields(const xlagpu_rt_call *c) {
    const xlagpu_rt_attribute *a = xlagpu_rt_attribute_of(c, "matmul", XLAGPU_ATTRIBUTE_ARRAY, XLAGPU_S64);
    const int64_t *m = a && a->count == XG_EXE_MATMUL_COUNT ? (const int64_t *)a->data : NULL;
    int64_t n = c->n_operands;
    return m && c->n_results && m[XG_EXE_MATMUL_operand_a] >= 0 && m[XG_EXE_MATMUL_operand_a] < n &&
                   m[XG_EXE_MATMUL_operand_b] >= 0 && m[XG_EXE_MATMUL_operand_b] < n &&
                   m[XG_EXE_MATMUL_operand_bias] >= -1 && m[XG_EXE_MATMUL_operand_bias] < n
               ? m
               : NULL;
}
XG_FN XG_COLD size_t xr_lt_workspace(const xlagpu_rt_call *c) {
    return c->n_results > 1 ? c->buffers[c->n_operands + c->n_results - 1].bytes : 0;
}
XG_FN XG_COLD void xr_lt_free(xlagpu_device *d, xr_lt_state *s) {
    struct xr_libraries *l = d->libraries;
    uint32_t k;
    if (s->wish) l->wish_free(s->wish);
    for (k = 0; k < 3; k++)
        if (s->layouts[k]) l->layout_free(s->layouts[k]);
    if (s->desc) l->desc_free(s->desc);
    xg_mem_free(&d->c, s);
    if (--l->users) return;
    if (l->handle) l->destroy(l->handle);
    l->handle = NULL;
}
XG_FN XG_COLD void xr_lt_numbers(xr_lt_state *s, const int64_t *m) {
    bool is_double = m[XG_EXE_MATMUL_compute] == 70, is_int = m[XG_EXE_MATMUL_compute] == 72;
    if (is_double)
        s->one.f64[0] = 1;
    else if (is_int)
        s->one.s32 = 1;
    else
        s->one.f32[0] = 1;
}
/* Matrix `side` (0 A, 1 B, 2 D) as it lies in memory. */
XG_FN XG_COLD int xr_lt_layout(
    const struct xr_libraries *l, xr_lt_state *s, const int64_t *m, int side, const char **which) {
    int64_t rows = m[side == 1 ? XG_EXE_MATMUL_depth : XG_EXE_MATMUL_rows],
            columns = m[side == 0 ? XG_EXE_MATMUL_depth : XG_EXE_MATMUL_columns],
            stride = m[XG_EXE_MATMUL_stride_a + side];
    bool turned = side < 2 && m[XG_EXE_MATMUL_trans_a + side];
    int32_t batch = (int32_t)m[XG_EXE_MATMUL_batch];
    void **layout = &s->layouts[side];
    const char *what = NULL;
    int e = 0;
    XR_LT(l->layout_new(layout, (int)m[XG_EXE_MATMUL_type_a + side], (uint64_t)(turned ? columns : rows),
              (uint64_t)(turned ? rows : columns), m[XG_EXE_MATMUL_lead_a + side]),
        "cublasLtMatrixLayoutCreate");
    if (batch > 1) {
        XR_LT(l->layout_set(*layout, XR_LT_BATCH, &batch, sizeof batch), "cublasLtMatrixLayoutSetAttribute");
        XR_LT(l->layout_set(*layout, XR_LT_STRIDE, &stride, sizeof stride), "cublasLtMatrixLayoutSetAttribute");
    }
    *which = what;
    return e;
}
/* The product, its matrices, and the algorithm that the library advises for this workspace. */
XG_FN XG_COLD int xr_lt_choose(
    const struct xr_libraries *l, xr_lt_state *s, const int64_t *m, uint64_t workspace, const char **which) {
    int32_t trans[2];
    uint32_t epilogue = (uint32_t)m[XG_EXE_MATMUL_epilogue], in_order = XR_LT_IN_ORDER;
    const char *what = NULL;
    int e = 0, n = 0, k;
    trans[0] = m[XG_EXE_MATMUL_trans_a] != 0;
    trans[1] = m[XG_EXE_MATMUL_trans_b] != 0;
    XR_LT(
        l->desc_new(&s->desc, (int)m[XG_EXE_MATMUL_compute], (int)m[XG_EXE_MATMUL_scale]), "cublasLtMatmulDescCreate");
    for (k = 0; k < 2; k++)
        XR_LT(l->desc_set(s->desc, XR_LT_TRANS_A + k, &trans[k], sizeof trans[k]), "cublasLtMatmulDescSetAttribute");
    XR_LT(l->desc_set(s->desc, XR_LT_EPILOGUE, &epilogue, sizeof epilogue), "cublasLtMatmulDescSetAttribute");
    for (k = 0; k < 3 && !e; k++) e = xr_lt_layout(l, s, m, k, &what);
    XR_LT(l->wish_new(&s->wish), "cublasLtMatmulPreferenceCreate");
    XR_LT(l->wish_set(s->wish, XR_LT_WORKSPACE, &workspace, sizeof workspace), "cublasLtMatmulPreferenceSetAttribute");
    if (m[XG_EXE_MATMUL_deterministic])
        XR_LT(
            l->wish_set(s->wish, XR_LT_REDUCTIONS, &in_order, sizeof in_order), "cublasLtMatmulPreferenceSetAttribute");
    XR_LT(l->choose(l->handle, s->desc, s->layouts[0], s->layouts[1], s->layouts[2], s->layouts[2], s->wish, 1,
              &s->choice, &n),
        "cublasLtMatmulAlgoGetHeuristic");
    if (!e && !n) e = XR_LT_NOT_SUPPORTED;
    *which = what ? what : "cublasLtMatmulAlgoGetHeuristic knows no algorithm";
    return e;
}
XG_FN XG_COLD xlagpu_status xr_lt_prepare(void *user, xlagpu_rt_call *c) {
    xlagpu_device *d = (xlagpu_device *)user;
    struct xr_libraries *l = d->libraries;
    const int64_t *m = xr_lt_fields(c);
    xr_lt_state *s;
    const char *what = NULL;
    int e = 0;
    if (!m) {
        xg_format(c->error, c->error_bytes, "the executable is damaged: a library call");
        return XLAGPU_ERROR_CORRUPT;
    }
    s = (xr_lt_state *)xg_mem_alloc(&d->c, sizeof *s);
    if (!s) return XLAGPU_ERROR_MEMORY;
    memset(s, 0, sizeof *s);
    l->users++;
    xr_lt_numbers(s, m);
    if (!l->handle) XR_LT(l->create(&l->handle), "cublasLtCreate");
    if (!e) e = xr_lt_choose(l, s, m, xr_lt_workspace(c), &what);
    if (e) {
        xr_lt_free(d, s);
        return xr_lt_failed(c, what, e);
    }
    c->state = s;
    return XLAGPU_OK;
}
XG_FN XG_COLD void xr_lt_finish(void *user, const xlagpu_rt_call *c) {
    xr_lt_free((xlagpu_device *)user, (xr_lt_state *)c->state);
}
XG_FN void *xr_lt_pointer(const xlagpu_rt_call *c, int64_t k) { return (void *)(uintptr_t)c->buffers[k].address; }
XG_FN xlagpu_status xr_lt_call(void *user, const xlagpu_rt_call *c) {
    const struct xr_libraries *l = ((xlagpu_device *)user)->libraries;
    const int64_t *m = xr_lt_fields(c);
    xr_lt_state *s = (xr_lt_state *)c->state;
    void *out = xr_lt_pointer(c, c->n_operands), *bias;
    const char *what = NULL;
    int e = 0;
    if (m[XG_EXE_MATMUL_operand_bias] >= 0) {
        bias = xr_lt_pointer(c, m[XG_EXE_MATMUL_operand_bias]);
        XR_LT(l->desc_set(s->desc, XR_LT_BIAS, &bias, sizeof bias), "cublasLtMatmulDescSetAttribute");
    }
    XR_LT(l->matmul(l->handle, s->desc, &s->one, xr_lt_pointer(c, m[XG_EXE_MATMUL_operand_a]), s->layouts[0],
              xr_lt_pointer(c, m[XG_EXE_MATMUL_operand_b]), s->layouts[1], &s->zero, out, s->layouts[2], out,
              s->layouts[2], s->choice.algorithm,
              xr_lt_workspace(c) ? xr_lt_pointer(c, c->n_operands + c->n_results - 1) : NULL, xr_lt_workspace(c),
              c->stream),
        "cublasLtMatmul");
    return e ? xr_lt_failed(c, what, e) : XLAGPU_OK;
}

/* ---- opening ---- */

XG_FN XG_COLD void *xr_library_find(const xlagpu_device *d) {
    static const char *const names[] = {
#ifdef _WIN32
        "cublasLt64_13.dll", "cublasLt64_12.dll", "cublasLt64_11.dll"
#else
        "libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11", "libcublasLt.so"
#endif
    };
    char path[1024];
    void *library = NULL;
    size_t k;
    for (k = 0; k < XG_COUNT(names) && !library; k++) {
        xg_format(path, sizeof path, "%s%s%s", d->library_folder ? d->library_folder : "", d->library_folder ? "/" : "",
            names[k]);
        library = xr_library_open(path);
    }
    return library;
}
XG_FN XG_COLD xlagpu_status xr_library_bind(xlagpu_device *d, struct xr_libraries *l) {
    void *f;
    l->library = xr_library_find(d);
    if (!l->library)
        return xr_fail(&d->c, XLAGPU_ERROR_UNSUPPORTED,
            "cuBLASLt cannot be opened (libcublasLt.so.13, .12 or .11): install it, name its folder, or compile with "
            "--libraries=none");
#define X(field, symbol, result, parameters) \
    f = xr_library_symbol(l->library, symbol); \
    if (!f) return xr_fail(&d->c, XLAGPU_ERROR_UNSUPPORTED, "cuBLASLt has no %s: it is too old", symbol); \
    memcpy(&l->field, &f, sizeof f);
    XR_LT_FUNCTIONS(X)
#undef X
    if (l->version() >= XR_LT_OLDEST) return XLAGPU_OK;
    return xr_fail(&d->c, XLAGPU_ERROR_UNSUPPORTED, "cuBLASLt is of version %zu: 11 is needed", l->version());
}
XG_FN XG_COLD void xr_libraries_close(xlagpu_device *d) {
    if (d->libraries && d->libraries->library) xr_library_close(d->libraries->library);
    xg_mem_free(&d->c, d->libraries);
    d->libraries = NULL;
}
XG_FN XG_COLD const xr_function *xr_library_function(xlagpu_device *d, const char *name) {
    struct xr_libraries *l = d->libraries;
    if (l) return &l->cublaslt;
    if (strcmp(name, "cublaslt") != 0 || (d->platform != xr_cuda_platform() && !d->library_folder)) {
        xr_fail(&d->c, XLAGPU_ERROR_UNSUPPORTED,
            "the library '%s' is not there on the platform \"%s\": compile with --libraries=none", name,
            d->platform->name);
        return NULL;
    }
    l = d->libraries = (struct xr_libraries *)xg_mem_alloc(&d->c, sizeof *l);
    if (!l) {
        xr_fail(&d->c, XLAGPU_ERROR_MEMORY, "out of memory");
        return NULL;
    }
    memset(l, 0, sizeof *l);
    xg_format(l->cublaslt.name, sizeof l->cublaslt.name, "%s", name);
    l->cublaslt.desc.call = xr_lt_call;
    l->cublaslt.desc.prepare = xr_lt_prepare;
    l->cublaslt.desc.finish = xr_lt_finish;
    l->cublaslt.desc.user = d;
    if (xr_library_bind(d, l) == XLAGPU_OK) return &l->cublaslt;
    xr_libraries_close(d);
    return NULL;
}
XLAGPU_DEF XG_COLD const char *xlagpu_rt_libraries(xlagpu_device *d) {
    const char *found;
    if (!d || !d->platform) return "";
    found = xr_library_function(d, "cublaslt") ? "cublaslt" : "";
    xr_begin(&d->c);
    return found;
}
#undef XR_LT

#endif /* XG_RT_LIBRARY_C */
