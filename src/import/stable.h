/* import/stable.h -- an HLO module as StableHLO: MLIR text that JAX, XLA and the reader here take.
 *
 * Ideas
 * - Operations are written in their generic form, which is the same for all of them; XG_STABLE_OPS has one row each.
 * - HLO has tuples where StableHLO has several results and operands. A value knows its parts; only what needs a tuple
 *   as a whole makes one.
 * - Computations that are called become functions, those that an operation applies become its regions. A fusion is a
 *   call of its computation; copies, domains and bitcasts that change no element are the value they copy.
 *
 * Law: an operation that StableHLO does not have is an error with its name. */
#ifndef XG_IMPORT_STABLE_H
#define XG_IMPORT_STABLE_H
#include "import.h"
#include "../hlo/text.h"
#include "ir.h"

/* X(opcode, its name here, in the dialect stablehlo unless it names one; what writes its properties: stable_props.c has
 * xg_stable_<props>) */
/* clang-format off */
#define XG_STABLE_OPS(X) \
    X(ABS, "abs", none) X(ADD, "add", none) X(AND, "and", none) \
    X(ATAN2, "atan2", none) X(CBRT, "cbrt", accuracy) X(CEIL, "ceil", none) \
    X(CLAMP, "clamp", none) X(COMPARE, "compare", compare) X(COMPLEX, "complex", none) \
    X(CONVERT, "convert", none) X(COSINE, "cosine", accuracy) \
    X(COUNT_LEADING_ZEROS, "count_leading_zeros", none) X(DIVIDE, "divide", none) \
    X(EXPONENTIAL, "exponential", accuracy) \
    X(EXPONENTIAL_MINUS_ONE, "exponential_minus_one", accuracy) X(FLOOR, "floor", none) \
    X(IMAG, "imag", none) X(IS_FINITE, "is_finite", none) X(LOG, "log", accuracy) \
    X(LOG_PLUS_ONE, "log_plus_one", accuracy) X(LOGISTIC, "logistic", accuracy) \
    X(MAXIMUM, "maximum", none) X(MINIMUM, "minimum", none) \
    X(MULTIPLY, "multiply", none) X(NEGATE, "negate", none) X(NOT, "not", none) \
    X(OR, "or", none) X(POPCNT, "popcnt", none) X(POWER, "power", none) \
    X(REAL, "real", none) X(REDUCE_PRECISION, "reduce_precision", reduce_precision) \
    X(REMAINDER, "remainder", none) X(ROUND_NEAREST_AFZ, "round_nearest_afz", none) \
    X(ROUND_NEAREST_EVEN, "round_nearest_even", none) X(RSQRT, "rsqrt", accuracy) \
    X(SELECT, "select", none) X(SHIFT_LEFT, "shift_left", none) \
    X(SHIFT_RIGHT_ARITHMETIC, "shift_right_arithmetic", none) \
    X(SHIFT_RIGHT_LOGICAL, "shift_right_logical", none) X(SIGN, "sign", none) \
    X(SINE, "sine", accuracy) X(SQRT, "sqrt", accuracy) X(SUBTRACT, "subtract", none) \
    X(TAN, "tan", accuracy) X(TANH, "tanh", accuracy) X(XOR, "xor", none) \
    X(ERF, "chlo.erf", none) X(ACOS, "chlo.acos", none) X(ACOSH, "chlo.acosh", none) X(ASIN, "chlo.asin", none) \
    X(ASINH, "chlo.asinh", none) X(ATANH, "chlo.atanh", none) X(COSH, "chlo.cosh", none) X(SINH, "chlo.sinh", none) \
    X(MULHI, "chlo.mulhi", none) X(TOPK, "chlo.top_k", top_k) \
    X(IOTA, "iota", iota) X(PARTITION_ID, "partition_id", none) \
    X(REPLICA_ID, "replica_id", none) X(AFTER_ALL, "after_all", none) \
    X(BITCAST_CONVERT, "bitcast_convert", none) X(BROADCAST, "broadcast_in_dim", broadcast) \
    X(CONCATENATE, "concatenate", concatenate) X(RESHAPE, "reshape", none) \
    X(TRANSPOSE, "transpose", transpose) X(REVERSE, "reverse", reverse) \
    X(SLICE, "slice", slice) X(PAD, "pad", pad) \
    X(DYNAMIC_SLICE, "dynamic_slice", dynamic_slice) \
    X(DYNAMIC_UPDATE_SLICE, "dynamic_update_slice", none) X(GATHER, "gather", gather) \
    X(SCATTER, "scatter", scatter) X(GET_DIMENSION_SIZE, "get_dimension_size", dimension) \
    X(SET_DIMENSION_SIZE, "set_dimension_size", dimension) X(DOT, "dot_general", dot) \
    X(CONVOLUTION, "convolution", convolution) X(FFT, "fft", fft) \
    X(CHOLESKY, "cholesky", cholesky) X(TRIANGULAR_SOLVE, "triangular_solve", triangular_solve) \
    X(REDUCE, "reduce", reduce) X(REDUCE_WINDOW, "reduce_window", reduce_window) \
    X(SELECT_AND_SCATTER, "select_and_scatter", select_and_scatter) X(MAP, "map", reduce) \
    X(SORT, "sort", sort) X(BATCH_NORM_TRAINING, "batch_norm_training", batch_norm) \
    X(BATCH_NORM_INFERENCE, "batch_norm_inference", batch_norm) \
    X(BATCH_NORM_GRAD, "batch_norm_grad", batch_norm) X(OPT_BARRIER, "optimization_barrier", none) \
    X(RNG, "rng", rng) X(RNG_BIT_GENERATOR, "rng_bit_generator", rng_bit_generator) \
    X(ALL_GATHER, "all_gather", all_gather) X(ALL_REDUCE, "all_reduce", groups) \
    X(REDUCE_SCATTER, "reduce_scatter", reduce_scatter) X(ALL_TO_ALL, "all_to_all", all_to_all) \
    X(COLLECTIVE_PERMUTE, "collective_permute", collective_permute) \
    X(COLLECTIVE_BROADCAST, "collective_broadcast", groups) \
    X(CUSTOM_CALL, "custom_call", custom_call)
/* X(opcode): the value of its first operand */
#define XG_STABLE_SAME(X) X(COPY) X(DOMAIN) X(ADD_DEPENDENCY) X(ASYNC_UPDATE) X(ASYNC_DONE) X(COPY_DONE)
/* X(opcode, the attribute of the computation): calls of functions */
#define XG_STABLE_CALLS(X) X(CALL, to_apply) X(FUSION, calls) X(ASYNC_START, calls)
/* clang-format on */

typedef struct xg_stable_value xg_stable_value;
struct xg_stable_value {
    xg_str name;            /* empty: there is no value that is the whole */
    xg_stable_value *parts; /* of a tuple; NULL: not taken apart yet */
};
typedef struct xg_stable {
    xg_buf b;
    xg_ctx *ctx;
    xg_arena *arena;
    const xg_module *m;
    xg_stable_value *values; /* by instruction */
    xg_str *funcs;           /* by computation: the function's name */
    uint32_t next;           /* name of a value */
    uint32_t depth;          /* of regions */
    uint32_t n_props;        /* of the operation that is written */
} xg_stable;

/* ---- stable_type.c ---- */
XG_FN void xg_stable_type(xg_stable *w, const xg_shape *s);
XG_FN void xg_stable_string(xg_buf *b, xg_str s);
XG_FN void xg_stable_literal(xg_stable *w, const xg_literal *l); /* dense<...> : tensor<...> */
/* ---- stable_props.c ---- */
XG_FN void xg_stable_props(xg_stable *w, const xg_inst *i); /* key = value, ... */
XG_FN void xg_stable_prop(xg_stable *w, const char *name);  /* ", name = " */
/* ---- stable.c ---- */
XG_NORETURN XG_FN void xg_stable_refuse(xg_stable *w, const xg_inst *i, const char *why);

#endif /* XG_IMPORT_STABLE_H */
