/* expand/dnn.h -- graphs of operations that cuDNN makes: the writer of their words.
 *
 * cuDNN's graph API has one way to say everything: descriptors of a kind, with attributes that have a name, a type and
 * elements. So a call holds the descriptors themselves, a list of words (api/executable.h), which the runtime hands to
 * the library one after the other (rt/cudnn.c). What a convolution is stands in conv_rewriter.c, what attention is in
 * sched/dnn_attention.c, what norms are in
 * batch_norm_rewriter.c and sched/dnn_norm.c. Kinds, names and values are those of cudnn_graph.h of cuDNN 9.
 *
 * Tensors of the call's operands and results have their places as numbers, 1 first; other numbers are of values in
 * between, which lie nowhere, and of scalars that the call holds. */
#ifndef XG_EXPAND_DNN_H
#define XG_EXPAND_DNN_H
#include "../api/executable.h"
#include "expand.h"

enum {
    XG_DNN_RANK_MAX = 8,    /* of a tensor */
    XG_DNN_LAUNCH_NS = 4000 /* a call's kernels and what is done around them; reasoned, not measured */
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
    XG_DNN_OPERATION_REDUCTION = 22,
    XG_DNN_OPERATION_NORM = 29
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
    XG_DNN_IS_REDUCTION = 18,
    XG_DNN_IS_NORM_MODE = 27,
    XG_DNN_IS_NORM_PHASE = 28
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
    XG_DNN_OPERATION_REDUCTION_DESC = 1612,
    XG_DNN_OPERATION_NORM_MODE = 2000,
    XG_DNN_OPERATION_NORM_PHASE = 2001, /* 1: its statistics are results, too */
    XG_DNN_OPERATION_NORM_X = 2002,
    XG_DNN_OPERATION_NORM_MEAN = 2003,
    XG_DNN_OPERATION_NORM_INV_VARIANCE = 2004,
    XG_DNN_OPERATION_NORM_SCALE = 2005,
    XG_DNN_OPERATION_NORM_BIAS = 2006,
    XG_DNN_OPERATION_NORM_EPSILON = 2007,
    XG_DNN_OPERATION_NORM_Y = 2013
};
/* Values. */
enum {
    XG_DNN_CROSS_CORRELATION = 1,
    XG_DNN_ADD = 0,
    XG_DNN_MUL = 1,
    XG_DNN_DIV = 6,
    XG_DNN_SUB = 9,
    XG_DNN_EXP = 13,
    XG_DNN_LOG = 15,
    XG_DNN_IDENTITY = 21,
    XG_DNN_RELU = 100,
    XG_DNN_COMPARE_GE = 303,
    XG_DNN_INDEX = 501, /* along an axis */
    XG_DNN_SELECT = 601,
    XG_DNN_REDUCE_ADD = 0,
    XG_DNN_REDUCE_MAX = 3,
    XG_DNN_LAYER_NORM = 0,
    XG_DNN_BATCH_NORM = 2,
    XG_DNN_RMS_NORM = 4
};
/* Engines that are not taken, by cuDNN's numerical notes. */
enum {
    XG_DNN_NOTE_TENSOR_CORE = 1 << 0, /* for f32: products of 10 bits */
    XG_DNN_NOTE_NARROWER_INPUTS = 1 << 1,
    XG_DNN_NOTE_NARROWER_SUMS = 1 << 2,
    XG_DNN_NOTE_NONDETERMINISTIC = 1 << 4,
    XG_DNN_NOTE_WINOGRAD_13 = 1 << 8 /* loses several digits */
};

typedef struct xg_dnn_graph {
    xg_arena *arena;
    XG_VEC(int64_t) words;
    int64_t n, made; /* descriptors; numbers of values that no operand or result has */
    int64_t wide;    /* the type that is computed in, of cuDNN's */
    int64_t ops[16]; /* descriptors of operations */
    uint32_t n_ops;
} xg_dnn_graph;
/* One element by element: y = mode(x, b, t). b, t: -1: it has none. */
typedef struct xg_dnn_pointwise_op {
    int64_t mode, x, b, t, y;
    int64_t type; /* that it computes in */
    int64_t axis; /* of an index; -1: none */
    double clip;  /* of a ReLU; 0: none */
} xg_dnn_pointwise_op;

/* A norm's arrays. */
typedef struct xg_dnn_norm_arrays {
    int64_t x, scale, bias, y; /* bias -1: none */
    int64_t mean, share;       /* share: 1 / deviation; -1: they are not results */
} xg_dnn_norm_arrays;

/* ---- dnn.c ---- */
XG_FN void xg_dnn_begin(xg_dnn_graph *g, xg_arena *a, xlagpu_type wide);
XG_FN int64_t xg_dnn_type(xlagpu_type t);       /* cudnnDataType_t; -1: it has none */
XG_FN int64_t xg_dnn_bits(double v, bool wide); /* of a float or a double */
XG_FN int64_t xg_dnn_new(xg_dnn_graph *g, int64_t kind);
XG_FN void xg_dnn_list(xg_dnn_graph *g, int64_t name, int64_t type, const int64_t *p, uint32_t n);
XG_FN void xg_dnn_put(xg_dnn_graph *g, int64_t name, int64_t type, int64_t v);
XG_FN void xg_dnn_operation(xg_dnn_graph *g, int64_t desc);
/* place: of an operand or result, -1: a value in between. */
XG_FN int64_t xg_dnn_tensor(
    xg_dnn_graph *g, int64_t place, int64_t type, const int64_t *dims, const int64_t *strides, uint32_t rank);
XG_FN int64_t xg_dnn_scalar(xg_dnn_graph *g, double v, uint32_t rank); /* a number of the type that is computed in */
XG_FN void xg_dnn_pointwise(xg_dnn_graph *g, const xg_dnn_pointwise_op *op);
/* ... y = mode(x, b) with nothing else; b -1: it has none. type: that it computes in. */
XG_FN void xg_dnn_plain(xg_dnn_graph *g, int64_t mode, int64_t x, int64_t b, int64_t y, int64_t type);
XG_FN void xg_dnn_matmul(xg_dnn_graph *g, int64_t a, int64_t b, int64_t c); /* c = a b */
XG_FN void xg_dnn_reduce(xg_dnn_graph *g, int64_t op, int64_t x, int64_t y);
XG_FN void xg_dnn_norm_operation(xg_dnn_graph *g, int64_t mode, double epsilon, const xg_dnn_norm_arrays *a);
/* [outer, features, inner], or a vector along the features (outer and inner 1). */
XG_FN int64_t xg_dnn_features(
    xg_dnn_graph *g, int64_t place, xlagpu_type t, int64_t outer, int64_t features, int64_t inner);
XG_FN void xg_dnn_end(xg_dnn_graph *g);             /* the graph of all operations */
XG_FN int64_t xg_dnn_workspace(const xg_module *m); /* bytes that a call may work in */

#endif /* XG_EXPAND_DNN_H */
