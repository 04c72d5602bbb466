/* expand/dnn.c -- graphs of operations that cuDNN makes, as custom calls: the writer of their bytes.
 *
 * cuDNN's graph API has one way to say everything: descriptors of a kind, with attributes that have a name, a type and
 * elements. So a call holds the descriptors themselves, a list of words (api/executable.h), which the runtime hands to
 * the library one after the other (rt/cudnn.c). What a convolution or attention is stands here and in the files that
 * include this one. Kinds, names and values are those of cudnn_graph.h of cuDNN 9.
 *
 * Tensors of the call's operands and results have their places as numbers, 1 first; other numbers are of values in
 * between, which lie nowhere, and of scalars that the call holds. */
#ifndef XG_EXPAND_DNN_C
#define XG_EXPAND_DNN_C
#include "../api/executable.h"
#include "expand.h"
#include "vendor.c"

enum {
    XG_DNN_RANK_MAX = 8,               /* of a tensor */
    XG_DNN_WORKSPACE_BYTES = 64 << 20, /* for the engines that split sums or transpose their operands */
    XG_DNN_WORKSPACE_SHARE = 32,       /* of the program's memory limit, at most a 32nd */
    XG_DNN_WORKSPACE_ALIGN = 256
};
/* Descriptors. */
enum {
    XG_DNN_POINTWISE = 0,
    XG_DNN_CONVOLUTION = 1,
    XG_DNN_OPERATION_FORWARD = 10,
    XG_DNN_OPERATION_FILTER = 11,
    XG_DNN_OPERATION_DATA = 12,
    XG_DNN_OPERATION_POINTWISE = 13,
    XG_DNN_GRAPH = 15,
    XG_DNN_TENSOR = 17,
    XG_DNN_MATMUL = 18,
    XG_DNN_OPERATION_MATMUL = 19,
    XG_DNN_REDUCTION = 21,
    XG_DNN_OPERATION_REDUCTION = 22
};
/* Types of attributes. */
enum {
    XG_DNN_IS_DATA_TYPE = 1,
    XG_DNN_IS_BOOLEAN = 2,
    XG_DNN_IS_INT64 = 3,
    XG_DNN_IS_FLOAT = 4,
    XG_DNN_IS_DOUBLE = 5,
    XG_DNN_IS_CONVOLUTION_MODE = 7,
    XG_DNN_IS_POINTWISE_MODE = 14,
    XG_DNN_IS_DESCRIPTOR = 15,
    XG_DNN_IS_REDUCTION = 18
};
/* Attributes, by descriptor. */
enum {
    XG_DNN_POINTWISE_MODE = 0,
    XG_DNN_POINTWISE_PRECISION = 1,
    XG_DNN_POINTWISE_UPPER_CLIP = 4,
    XG_DNN_POINTWISE_AXIS = 9,
    XG_DNN_CONVOLUTION_PRECISION = 100,
    XG_DNN_CONVOLUTION_MODE = 101,
    XG_DNN_CONVOLUTION_DILATIONS = 102,
    XG_DNN_CONVOLUTION_STRIDES = 103,
    XG_DNN_CONVOLUTION_POST_PADDINGS = 104,
    XG_DNN_CONVOLUTION_PRE_PADDINGS = 105,
    XG_DNN_CONVOLUTION_SPATIAL_DIMS = 106,
    XG_DNN_OPERATION_POINTWISE_DESC = 750,
    XG_DNN_OPERATION_POINTWISE_X = 751,
    XG_DNN_OPERATION_POINTWISE_B = 752,
    XG_DNN_OPERATION_POINTWISE_Y = 753,
    XG_DNN_OPERATION_POINTWISE_T = 758,
    XG_DNN_GRAPH_OPERATIONS = 801,
    XG_DNN_TENSOR_ALIGNMENT = 900,
    XG_DNN_TENSOR_TYPE = 901,
    XG_DNN_TENSOR_DIMS = 902,
    XG_DNN_TENSOR_STRIDES = 903,
    XG_DNN_TENSOR_NUMBER = 906,
    XG_DNN_TENSOR_IS_VIRTUAL = 907,
    XG_DNN_TENSOR_IS_BY_VALUE = 908,
    XG_DNN_MATMUL_PRECISION = 1500,
    XG_DNN_OPERATION_MATMUL_A = 1520,
    XG_DNN_OPERATION_MATMUL_B = 1521,
    XG_DNN_OPERATION_MATMUL_C = 1522,
    XG_DNN_OPERATION_MATMUL_DESC = 1523,
    XG_DNN_REDUCTION_OPERATOR = 1600,
    XG_DNN_REDUCTION_PRECISION = 1601,
    XG_DNN_OPERATION_REDUCTION_X = 1610,
    XG_DNN_OPERATION_REDUCTION_Y = 1611,
    XG_DNN_OPERATION_REDUCTION_DESC = 1612
};
/* Values. */
enum {
    XG_DNN_CROSS_CORRELATION = 1,
    XG_DNN_ADD = 0,
    XG_DNN_MUL = 1,
    XG_DNN_IDENTITY = 21,
    XG_DNN_RELU = 100
};
/* Engines that are not taken, by cuDNN's numerical notes. */
enum {
    XG_DNN_NOTE_TENSOR_CORE = 1 << 0, /* for f32: products of 10 bits */
    XG_DNN_NOTE_NARROWER_INPUTS = 1 << 1,
    XG_DNN_NOTE_NARROWER_SUMS = 1 << 2,
    XG_DNN_NOTE_NONDETERMINISTIC = 1 << 4,
    XG_DNN_NOTE_WINOGRAD_13 = 1 << 8 /* loses several digits */
};

XG_FN int64_t xg_dnn_type(xlagpu_type t) { /* cudnnDataType_t; -1: it has none */
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

typedef struct xg_dnn_graph {
    xg_buf words;
    int64_t n, made; /* descriptors; numbers of values that no operand or result has */
    int64_t wide;    /* the type that is computed in, of cuDNN's */
    int64_t ops[16]; /* descriptors of operations */
    uint32_t n_ops;
} xg_dnn_graph;

XG_FN void xg_dnn_word(xg_dnn_graph *g, int64_t v) {
    xg_printf(&g->words, "%s%lld", g->words.n ? ", " : "", (long long)v);
}
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
XG_FN int64_t xg_dnn_bits(double v, bool wide) { /* of a float or a double */
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
/* place: of an operand or result, -1: a value in between. */
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
/* A number of the type that is computed in. */
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
/* y = mode(x, b); b or t: -1, it has none. clip: of a ReLU, 0: none. */
XG_FN void xg_dnn_pointwise(xg_dnn_graph *g, int64_t mode, int64_t x, int64_t b, int64_t y, double clip) {
    int64_t desc = xg_dnn_new(g, XG_DNN_POINTWISE), op;
    xg_dnn_put(g, XG_DNN_POINTWISE_MODE, XG_DNN_IS_POINTWISE_MODE, mode);
    xg_dnn_put(g, XG_DNN_POINTWISE_PRECISION, XG_DNN_IS_DATA_TYPE, g->wide);
    if (clip > 0) xg_dnn_put(g, XG_DNN_POINTWISE_UPPER_CLIP, XG_DNN_IS_DOUBLE, xg_dnn_bits(clip, true));
    op = xg_dnn_new(g, XG_DNN_OPERATION_POINTWISE);
    xg_dnn_put(g, XG_DNN_OPERATION_POINTWISE_DESC, XG_DNN_IS_DESCRIPTOR, desc);
    xg_dnn_put(g, XG_DNN_OPERATION_POINTWISE_X, XG_DNN_IS_DESCRIPTOR, x);
    if (b >= 0) xg_dnn_put(g, XG_DNN_OPERATION_POINTWISE_B, XG_DNN_IS_DESCRIPTOR, b);
    xg_dnn_put(g, XG_DNN_OPERATION_POINTWISE_Y, XG_DNN_IS_DESCRIPTOR, y);
    xg_dnn_operation(g, op);
}

/* ---- the call ---- */

XG_FN int64_t xg_dnn_workspace(const xg_module *m) {
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
    int64_t graph, workspace = xg_dnn_workspace(m);
    xg_buf config;
    uint32_t k;
    graph = xg_dnn_new(g, XG_DNN_GRAPH);
    (void)graph;
    xg_dnn_list(g, XG_DNN_GRAPH_OPERATIONS, XG_DNN_IS_DESCRIPTOR, g->ops, g->n_ops);
    for (k = 0; k < n; k++) laid_out[k] = xg_vendor_laid_out(m, in[k]->shape, false);
    for (k = 0; k < n_results; k++) shapes[k] = xg_vendor_laid_out(m, results[k], false);
    shapes[n_results] = xg_hb_shape(b, XLAGPU_U8, &workspace, 1);
    xg_buf_init(&config, m->arena);
    xg_printf(&config, "{what = \"%s\", flops = %llu : i64, refused_notes = %lld : i64, graph = array<i64: %.*s>}",
        what, (unsigned long long)flops, (long long)(notes | (m->deterministic ? XG_DNN_NOTE_NONDETERMINISTIC : 0)),
        (int)g->words.n, g->words.p);
    return xg_vendor_call(
        b, XG_EXE_DNN_TARGET, config.p, xg_shape_tuple(m, shapes, n_results + 1), in, laid_out, n, -1);
}

#endif /* XG_EXPAND_DNN_C */
