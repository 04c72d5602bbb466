/* rt/cublaslt.c -- products of matrices by cuBLASLt. */
#ifndef XG_RT_CUBLASLT_C
#define XG_RT_CUBLASLT_C
#include "library.h"

typedef struct xr_lt_state {
    void *desc, *layouts[4], *wish; /* layouts of A, B, D and C */
    xr_lt_choice choice;
    union {
        float f32[2];
        double f64[2];
        int32_t s32;
    } one, zero;
} xr_lt_state;

/* ---- one call ---- */

/* What it is told; NULL: not as this version of the compiler writes it. */
XG_FN XG_COLD const int64_t *xr_lt_fields(const xlagpu_rt_call *c) {
    const xlagpu_rt_attribute *a = xlagpu_rt_attribute_of(c, "matmul", XLAGPU_ATTRIBUTE_ARRAY, XLAGPU_S64);
    const int64_t *m = a && a->count == XG_EXE_MATMUL_COUNT ? (const int64_t *)a->data : NULL;
    int k;
    for (k = XG_EXE_MATMUL_operand_a; m && k <= XG_EXE_MATMUL_operand_c; k++)
        if (m[k] >= (int64_t)c->n_operands || m[k] < (k > XG_EXE_MATMUL_operand_b ? -1 : 0)) return NULL;
    return m && (int64_t)c->n_results > m[XG_EXE_MATMUL_largest] && m[XG_EXE_MATMUL_largest] >= 0 ? m : NULL;
}
XG_FN XG_COLD size_t xr_lt_workspace(const xlagpu_rt_call *c, const int64_t *m) {
    return c->n_results > 1 + (m[XG_EXE_MATMUL_largest] != 0) ? c->buffers[c->n_operands + c->n_results - 1].bytes : 0;
}
XG_FN XG_COLD void xr_lt_free(xlagpu_device *d, xr_lt_state *s) {
    const xr_lt *l = &d->libraries->lt;
    uint32_t k;
    if (s->wish) l->wish_free(s->wish);
    for (k = 0; k < 4; k++)
        if (s->layouts[k]) l->layout_free(s->layouts[k]);
    if (s->desc) l->desc_free(s->desc);
    xg_mem_free(&d->c, s);
    if (--d->libraries->lt_users) return;
    if (d->libraries->lt_handle) l->destroy(d->libraries->lt_handle);
    d->libraries->lt_handle = NULL;
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
/* Matrix `side` (0 A, 1 B, 2 D, 3 C) as it lies in memory. Where D is f8 the library has C, which is not there then, of
 * bf16. */
XG_FN XG_COLD int xr_lt_layout(const xr_lt *l, xr_lt_state *s, const int64_t *m, int side, const char **which) {
    int as = side == 3 ? 2 : side;
    int64_t rows = m[side == 1 ? XG_EXE_MATMUL_depth : XG_EXE_MATMUL_rows],
            columns = m[side == 0 ? XG_EXE_MATMUL_depth : XG_EXE_MATMUL_columns],
            stride = m[XG_EXE_MATMUL_stride_a + as], type = m[XG_EXE_MATMUL_type_a + as];
    bool turned = side < 2 && m[XG_EXE_MATMUL_trans_a + side];
    int32_t batch = (int32_t)m[XG_EXE_MATMUL_batch];
    void **layout = &s->layouts[side];
    const char *what = NULL;
    int e = 0;
    XR_DO(l->layout_new(layout, side == 3 && type == XR_LT_F8 ? XR_LT_BF16 : (int)type,
              (uint64_t)(turned ? columns : rows), (uint64_t)(turned ? rows : columns), m[XG_EXE_MATMUL_lead_a + as]),
        "cublasLtMatrixLayoutCreate");
    if (batch > 1) {
        XR_DO(l->layout_set(*layout, XR_LT_BATCH, &batch, sizeof batch), "cublasLtMatrixLayoutSetAttribute");
        XR_DO(l->layout_set(*layout, XR_LT_STRIDE, &stride, sizeof stride), "cublasLtMatrixLayoutSetAttribute");
    }
    *which = what;
    return e;
}
/* The product, its matrices, and the algorithm that the library advises for this workspace. */
XG_FN XG_COLD int xr_lt_choose(
    const xr_lt *l, void *handle, xr_lt_state *s, const int64_t *m, uint64_t workspace, const char **which) {
    int32_t trans[2];
    uint32_t epilogue = (uint32_t)m[XG_EXE_MATMUL_epilogue], in_order = XR_LT_IN_ORDER;
    const char *what = NULL;
    int e = 0, n = 0, k;
    trans[0] = m[XG_EXE_MATMUL_trans_a] != 0;
    trans[1] = m[XG_EXE_MATMUL_trans_b] != 0;
    XR_DO(
        l->desc_new(&s->desc, (int)m[XG_EXE_MATMUL_compute], (int)m[XG_EXE_MATMUL_scale]), "cublasLtMatmulDescCreate");
    for (k = 0; k < 2; k++)
        XR_DO(l->desc_set(s->desc, XR_LT_TRANS_A + k, &trans[k], sizeof trans[k]), "cublasLtMatmulDescSetAttribute");
    XR_DO(l->desc_set(s->desc, XR_LT_EPILOGUE, &epilogue, sizeof epilogue), "cublasLtMatmulDescSetAttribute");
    for (k = 0; k < 4 && !e; k++) e = xr_lt_layout(l, s, m, k, &what);
    XR_DO(l->wish_new(&s->wish), "cublasLtMatmulPreferenceCreate");
    XR_DO(l->wish_set(s->wish, XR_LT_WORKSPACE, &workspace, sizeof workspace), "cublasLtMatmulPreferenceSetAttribute");
    if (m[XG_EXE_MATMUL_deterministic])
        XR_DO(
            l->wish_set(s->wish, XR_LT_REDUCTIONS, &in_order, sizeof in_order), "cublasLtMatmulPreferenceSetAttribute");
    XR_DO(l->choose(
              handle, s->desc, s->layouts[0], s->layouts[1], s->layouts[3], s->layouts[2], s->wish, 1, &s->choice, &n),
        "cublasLtMatmulAlgoGetHeuristic");
    /* an algorithm that is marked as failed is none, and none may work in more than it was offered */
    if (!e && (!n || s->choice.status || s->choice.workspace > workspace)) e = XR_LT_NOT_SUPPORTED;
    *which = what ? what : "cublasLtMatmulAlgoGetHeuristic knows no algorithm";
    return e;
}
XG_FN XG_COLD xlagpu_status xr_lt_prepare(void *user, xlagpu_rt_call *c) {
    xlagpu_device *d = (xlagpu_device *)user;
    struct xr_libraries *all = d->libraries;
    const xr_lt *l = &all->lt;
    const int64_t *m = xr_lt_fields(c);
    xr_lt_state *s;
    const char *what = NULL;
    int e = 0;
    if (!m) return xr_library_damaged(c);
    s = (xr_lt_state *)xg_mem_alloc(&d->c, sizeof *s);
    if (!s) return XLAGPU_ERROR_MEMORY;
    memset(s, 0, sizeof *s);
    all->lt_users++;
    xr_lt_numbers(s, m);
    if (!all->lt_handle) XR_DO(l->create(&all->lt_handle), "cublasLtCreate");
    if (!e) e = xr_lt_choose(l, all->lt_handle, s, m, xr_lt_workspace(c, m), &what);
    if (e) {
        xr_lt_free(d, s);
        return xr_library_failed(c, "cuBLAS", what, e, XR_LT_NO_MEMORY, XR_LT_NOT_SUPPORTED);
    }
    c->state = s;
    return XLAGPU_OK;
}
XG_FN XG_COLD void xr_lt_finish(void *user, const xlagpu_rt_call *c) {
    xr_lt_free((xlagpu_device *)user, (xr_lt_state *)c->state);
}
XG_FN xlagpu_status xr_lt_call(void *user, const xlagpu_rt_call *c) {
    const struct xr_libraries *all = ((xlagpu_device *)user)->libraries;
    const xr_lt *l = &all->lt;
    const int64_t *m = xr_lt_fields(c);
    xr_lt_state *s = (xr_lt_state *)c->state;
    XG_TABLE const uint8_t places[] = {XG_EXE_MATMUL_operand_bias, XG_EXE_MATMUL_operand_scale_a,
        XG_EXE_MATMUL_operand_scale_b, XG_EXE_MATMUL_operand_scale_d};
    static const uint8_t attributes[] = {XR_LT_BIAS, XR_LT_SCALE_A, XR_LT_SCALE_A + 1, XR_LT_SCALE_D, XR_LT_LARGEST};
    void *out = xr_library_pointer(c, c->n_operands), *at;
    size_t workspace = xr_lt_workspace(c, m);
    bool adds = m[XG_EXE_MATMUL_operand_c] >= 0;
    const char *what = NULL;
    int e = 0, k;
    for (k = 0; k < 5; k++) {
        int64_t place = k < 4 ? m[places[k]] : m[XG_EXE_MATMUL_largest] ? (int64_t)c->n_operands + 1 : -1;
        if (place < 0) continue;
        at = xr_library_pointer(c, place);
        XR_DO(l->desc_set(s->desc, attributes[k], &at, sizeof at), "cublasLtMatmulDescSetAttribute");
    }
    XR_DO(l->matmul(all->lt_handle, s->desc, &s->one, xr_library_pointer(c, m[XG_EXE_MATMUL_operand_a]), s->layouts[0],
              xr_library_pointer(c, m[XG_EXE_MATMUL_operand_b]), s->layouts[1], adds ? &s->one : &s->zero,
              adds ? xr_library_pointer(c, m[XG_EXE_MATMUL_operand_c]) : out, s->layouts[3], out, s->layouts[2],
              s->choice.algorithm, workspace ? xr_library_pointer(c, c->n_operands + c->n_results - 1) : NULL,
              workspace, c->stream),
        "cublasLtMatmul");
    return e ? xr_library_failed(c, "cuBLAS", what, e, XR_LT_NO_MEMORY, XR_LT_NOT_SUPPORTED) : XLAGPU_OK;
}

#endif /* XG_RT_CUBLASLT_C */
