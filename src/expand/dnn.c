/* expand/dnn.c -- graphs of operations that cuDNN makes: the writer of their words, and such graphs as custom calls. */
#ifndef XG_EXPAND_DNN_C
#define XG_EXPAND_DNN_C
#include "dnn.h"
#include "vendor.c"

enum {
    XG_DNN_WORKSPACE_BYTES = 64 << 20, /* for the engines that split sums or transpose their operands */
    XG_DNN_WORKSPACE_SHARE = 32,       /* of the program's memory limit, at most a 32nd */
    XG_DNN_WORKSPACE_ALIGN = 256
};

XG_FN int64_t xg_dnn_type(xlagpu_type t) {
    switch (t) {
    case XLAGPU_F32: return 0;
    case XLAGPU_F64: return 1;
    case XLAGPU_F16: return 2;
    case XLAGPU_S8: return 3;
    case XLAGPU_S32: return 4;
    case XLAGPU_BF16: return 9;
    case XLAGPU_PRED: return 11;
    default: return -1;
    }
}

/* ---- the writer ---- */

XG_FN void xg_dnn_word(xg_dnn_graph *g, int64_t v) { xg_push(g->arena, int64_t, &g->words, v); }
XG_FN int64_t xg_dnn_new(xg_dnn_graph *g, int64_t kind) {
    xg_dnn_word(g, XG_EXE_DNN_NEW);
    xg_dnn_word(g, kind);
    return g->n++;
}
XG_FN void xg_dnn_list(xg_dnn_graph *g, int64_t name, int64_t type, const int64_t *p, uint32_t n) {
    uint32_t k;
    xg_dnn_word(g, name);
    xg_dnn_word(g, type);
    xg_dnn_word(g, n);
    for (k = 0; k < n; k++) xg_dnn_word(g, p[k]);
}
XG_FN void xg_dnn_put(xg_dnn_graph *g, int64_t name, int64_t type, int64_t v) { xg_dnn_list(g, name, type, &v, 1); }
XG_FN int64_t xg_dnn_bits(double v, bool wide) {
    float narrow = (float)v;
    uint32_t half;
    int64_t bits;
    memcpy(&half, &narrow, sizeof half);
    memcpy(&bits, &v, sizeof bits);
    return wide ? bits : (int64_t)half;
}
XG_FN void xg_dnn_operation(xg_dnn_graph *g, int64_t desc) {
    if (g->n_ops < XG_COUNT(g->ops)) g->ops[g->n_ops++] = desc;
}
XG_FN int64_t xg_dnn_tensor(
    xg_dnn_graph *g, int64_t place, int64_t type, const int64_t *dims, const int64_t *strides, uint32_t rank) {
    int64_t t = xg_dnn_new(g, XG_DNN_TENSOR);
    xg_dnn_put(g, XG_DNN_TENSOR_TYPE, XG_DNN_IS_DATA_TYPE, type);
    xg_dnn_list(g, XG_DNN_TENSOR_DIMS, XG_DNN_IS_INT64, dims, rank);
    xg_dnn_list(g, XG_DNN_TENSOR_STRIDES, XG_DNN_IS_INT64, strides, rank);
    xg_dnn_put(g, XG_DNN_TENSOR_NUMBER, XG_DNN_IS_INT64, place < 0 ? XG_EXE_DNN_BETWEEN + g->made++ : place + 1);
    xg_dnn_put(g, XG_DNN_TENSOR_ALIGNMENT, XG_DNN_IS_INT64, 16);
    if (place < 0) xg_dnn_put(g, XG_DNN_TENSOR_IS_VIRTUAL, XG_DNN_IS_BOOLEAN, 1);
    return t;
}
XG_FN int64_t xg_dnn_scalar(xg_dnn_graph *g, double v, uint32_t rank) {
    int64_t ones[XG_DNN_RANK_MAX], t = xg_dnn_new(g, XG_DNN_TENSOR);
    uint32_t k;
    for (k = 0; k < rank; k++) ones[k] = 1;
    xg_dnn_put(g, XG_DNN_TENSOR_TYPE, XG_DNN_IS_DATA_TYPE, g->wide);
    xg_dnn_list(g, XG_DNN_TENSOR_DIMS, XG_DNN_IS_INT64, ones, rank);
    xg_dnn_list(g, XG_DNN_TENSOR_STRIDES, XG_DNN_IS_INT64, ones, rank);
    xg_dnn_put(g, XG_DNN_TENSOR_NUMBER, XG_DNN_IS_INT64, XG_EXE_DNN_BETWEEN + g->made++);
    xg_dnn_put(g, XG_DNN_TENSOR_ALIGNMENT, XG_DNN_IS_INT64, 16);
    xg_dnn_put(g, XG_DNN_TENSOR_IS_BY_VALUE, XG_DNN_IS_BOOLEAN, 1);
    xg_dnn_put(g, XG_EXE_DNN_VALUE, XG_DNN_IS_INT64, xg_dnn_bits(v, g->wide == xg_dnn_type(XLAGPU_F64)));
    return t;
}
XG_FN void xg_dnn_pointwise(xg_dnn_graph *g, const xg_dnn_pointwise_op *p) {
    int64_t desc = xg_dnn_new(g, XG_DNN_POINTWISE), op;
    xg_dnn_put(g, XG_DNN_POINTWISE_MODE, XG_DNN_IS_POINTWISE_MODE, p->mode);
    xg_dnn_put(g, XG_DNN_POINTWISE_PRECISION, XG_DNN_IS_DATA_TYPE, p->type);
    if (p->axis >= 0) xg_dnn_put(g, XG_DNN_POINTWISE_AXIS, XG_DNN_IS_INT64, p->axis);
    if (p->clip > 0) xg_dnn_put(g, XG_DNN_POINTWISE_UPPER_CLIP, XG_DNN_IS_DOUBLE, xg_dnn_bits(p->clip, true));
    op = xg_dnn_new(g, XG_DNN_OPERATION_POINTWISE);
    xg_dnn_put(g, XG_DNN_OPERATION_POINTWISE_DESC, XG_DNN_IS_DESCRIPTOR, desc);
    xg_dnn_put(g, XG_DNN_OPERATION_POINTWISE_X, XG_DNN_IS_DESCRIPTOR, p->x);
    if (p->b >= 0) xg_dnn_put(g, XG_DNN_OPERATION_POINTWISE_B, XG_DNN_IS_DESCRIPTOR, p->b);
    xg_dnn_put(g, XG_DNN_OPERATION_POINTWISE_Y, XG_DNN_IS_DESCRIPTOR, p->y);
    if (p->t >= 0) xg_dnn_put(g, XG_DNN_OPERATION_POINTWISE_T, XG_DNN_IS_DESCRIPTOR, p->t);
    xg_dnn_operation(g, op);
}
XG_FN void xg_dnn_plain(xg_dnn_graph *g, int64_t mode, int64_t x, int64_t b, int64_t y, int64_t type) {
    xg_dnn_pointwise_op op;
    memset(&op, 0, sizeof op);
    op.mode = mode;
    op.x = x;
    op.b = b;
    op.y = y;
    op.t = op.axis = -1;
    op.type = type;
    xg_dnn_pointwise(g, &op);
}
XG_FN void xg_dnn_matmul(xg_dnn_graph *g, int64_t a, int64_t b, int64_t c) {
    int64_t desc = xg_dnn_new(g, XG_DNN_MATMUL), op;
    xg_dnn_put(g, XG_DNN_MATMUL_PRECISION, XG_DNN_IS_DATA_TYPE, g->wide);
    op = xg_dnn_new(g, XG_DNN_OPERATION_MATMUL);
    xg_dnn_put(g, XG_DNN_OPERATION_MATMUL_A, XG_DNN_IS_DESCRIPTOR, a);
    xg_dnn_put(g, XG_DNN_OPERATION_MATMUL_B, XG_DNN_IS_DESCRIPTOR, b);
    xg_dnn_put(g, XG_DNN_OPERATION_MATMUL_C, XG_DNN_IS_DESCRIPTOR, c);
    xg_dnn_put(g, XG_DNN_OPERATION_MATMUL_DESC, XG_DNN_IS_DESCRIPTOR, desc);
    xg_dnn_operation(g, op);
}
XG_FN void xg_dnn_reduce(xg_dnn_graph *g, int64_t with, int64_t x, int64_t y) {
    int64_t desc = xg_dnn_new(g, XG_DNN_REDUCTION), op;
    xg_dnn_put(g, XG_DNN_REDUCTION_OPERATOR, XG_DNN_IS_REDUCTION, with);
    xg_dnn_put(g, XG_DNN_REDUCTION_PRECISION, XG_DNN_IS_DATA_TYPE, g->wide);
    op = xg_dnn_new(g, XG_DNN_OPERATION_REDUCTION);
    xg_dnn_put(g, XG_DNN_OPERATION_REDUCTION_X, XG_DNN_IS_DESCRIPTOR, x);
    xg_dnn_put(g, XG_DNN_OPERATION_REDUCTION_Y, XG_DNN_IS_DESCRIPTOR, y);
    xg_dnn_put(g, XG_DNN_OPERATION_REDUCTION_DESC, XG_DNN_IS_DESCRIPTOR, desc);
    xg_dnn_operation(g, op);
}
XG_FN void xg_dnn_norm_operation(xg_dnn_graph *g, int64_t mode, double epsilon, const xg_dnn_norm_arrays *a) {
    int64_t added = xg_dnn_scalar(g, epsilon, 4), op = xg_dnn_new(g, XG_DNN_OPERATION_NORM), in[6];
    XG_TABLE const int16_t names[] = {XG_DNN_OPERATION_NORM_X, XG_DNN_OPERATION_NORM_MEAN,
        XG_DNN_OPERATION_NORM_INV_VARIANCE, XG_DNN_OPERATION_NORM_SCALE, XG_DNN_OPERATION_NORM_BIAS,
        XG_DNN_OPERATION_NORM_Y};
    uint32_t k;
    in[0] = a->x;
    in[1] = a->mean;
    in[2] = a->share;
    in[3] = a->scale;
    in[4] = a->bias;
    in[5] = a->y;
    xg_dnn_put(g, XG_DNN_OPERATION_NORM_MODE, XG_DNN_IS_NORM_MODE, mode);
    xg_dnn_put(g, XG_DNN_OPERATION_NORM_PHASE, XG_DNN_IS_NORM_PHASE, a->share >= 0);
    xg_dnn_put(g, XG_DNN_OPERATION_NORM_EPSILON, XG_DNN_IS_DESCRIPTOR, added);
    for (k = 0; k < XG_COUNT(in); k++)
        if (in[k] >= 0) xg_dnn_put(g, names[k], XG_DNN_IS_DESCRIPTOR, in[k]);
    xg_dnn_operation(g, op);
}
XG_FN int64_t xg_dnn_features(
    xg_dnn_graph *g, int64_t place, xlagpu_type t, int64_t outer, int64_t features, int64_t inner) {
    int64_t dims[4], strides[4];
    dims[0] = outer;
    dims[1] = features;
    dims[2] = inner;
    dims[3] = 1;
    strides[0] = features * inner;
    strides[1] = inner;
    strides[2] = strides[3] = inner == 1 ? features : 1; /* with features innermost, as the library knows it */
    return xg_dnn_tensor(g, place, xg_dnn_type(t), dims, strides, 4);
}
XG_FN void xg_dnn_begin(xg_dnn_graph *g, xg_arena *a, xlagpu_type wide) {
    memset(g, 0, sizeof *g);
    g->arena = a;
    g->wide = xg_dnn_type(wide);
}
XG_FN void xg_dnn_end(xg_dnn_graph *g) {
    (void)xg_dnn_new(g, XG_DNN_GRAPH);
    xg_dnn_list(g, XG_DNN_GRAPH_OPERATIONS, XG_DNN_IS_DESCRIPTOR, g->ops, g->n_ops);
}

/* ---- the call ---- */

XG_ONE_COPY XG_FN int64_t xg_dnn_workspace(const xg_module *m) {
    int64_t limit = m->memory_limit > 0 ? m->memory_limit : m->device.memory_bytes;
    int64_t share = limit / XG_DNN_WORKSPACE_SHARE / XG_DNN_WORKSPACE_ALIGN * XG_DNN_WORKSPACE_ALIGN;
    return XG_MAX(XG_MIN((int64_t)XG_DNN_WORKSPACE_BYTES, share), (int64_t)XG_DNN_WORKSPACE_ALIGN);
}
/* The call of a graph whose results are `results`, each an array in the order of its dimensions; what it returns is a
 * tuple of them and of the memory that it works in. what: for its reader. */
XG_FN xg_inst *xg_dnn_call(const xg_hb *b, xg_dnn_graph *g, const char *what, uint64_t flops, int64_t notes,
    xg_inst *const *in, uint32_t n, const xg_shape *const *results, uint32_t n_results) {
    xg_module *m = b->comp->module;
    const xg_shape *shapes[4], *laid_out[8];
    int64_t workspace = xg_dnn_workspace(m);
    xg_buf config;
    uint32_t k;
    xg_dnn_end(g);
    for (k = 0; k < n; k++) laid_out[k] = xg_vendor_laid_out(m, in[k]->shape, false);
    for (k = 0; k < n_results; k++) shapes[k] = xg_vendor_laid_out(m, results[k], false);
    shapes[n_results] = xg_hb_shape(b, XLAGPU_U8, &workspace, 1);
    xg_buf_init(&config, m->arena);
    xg_printf(&config, "{what = \"%s\", flops = %llu : i64, refused_notes = %lld : i64, graph = array<i64", what,
        (unsigned long long)flops, (long long)(notes | (m->deterministic ? XG_DNN_NOTE_NONDETERMINISTIC : 0)));
    for (k = 0; k < g->words.n; k++) xg_printf(&config, "%s%lld", k ? ", " : ": ", (long long)g->words.p[k]);
    xg_puts(&config, ">}");
    return xg_vendor_call(
        b, XG_EXE_DNN_TARGET, config.p, xg_shape_tuple(m, shapes, n_results + 1), in, laid_out, n, -1);
}

#endif /* XG_EXPAND_DNN_C */
