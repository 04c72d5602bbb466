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

/* X(opcode, its name here, what writes its properties: stable_props.c has xg_stable_<props>) */
/* clang-format off */
#define XG_STABLE_OPS(X) \
    X(ABS, "stablehlo.abs", none) X(ADD, "stablehlo.add", none) X(AND, "stablehlo.and", none) \
    X(ATAN2, "stablehlo.atan2", none) X(CBRT, "stablehlo.cbrt", accuracy) X(CEIL, "stablehlo.ceil", none) \
    X(CLAMP, "stablehlo.clamp", none) X(COMPARE, "stablehlo.compare", compare) X(COMPLEX, "stablehlo.complex", none) \
    X(CONVERT, "stablehlo.convert", none) X(COSINE, "stablehlo.cosine", accuracy) \
    X(COUNT_LEADING_ZEROS, "stablehlo.count_leading_zeros", none) X(DIVIDE, "stablehlo.divide", none) \
    X(EXPONENTIAL, "stablehlo.exponential", accuracy) \
    X(EXPONENTIAL_MINUS_ONE, "stablehlo.exponential_minus_one", accuracy) X(FLOOR, "stablehlo.floor", none) \
    X(IMAG, "stablehlo.imag", none) X(IS_FINITE, "stablehlo.is_finite", none) X(LOG, "stablehlo.log", accuracy) \
    X(LOG_PLUS_ONE, "stablehlo.log_plus_one", accuracy) X(LOGISTIC, "stablehlo.logistic", accuracy) \
    X(MAXIMUM, "stablehlo.maximum", none) X(MINIMUM, "stablehlo.minimum", none) \
    X(MULTIPLY, "stablehlo.multiply", none) X(NEGATE, "stablehlo.negate", none) X(NOT, "stablehlo.not", none) \
    X(OR, "stablehlo.or", none) X(POPCNT, "stablehlo.popcnt", none) X(POWER, "stablehlo.power", none) \
    X(REAL, "stablehlo.real", none) X(REDUCE_PRECISION, "stablehlo.reduce_precision", reduce_precision) \
    X(REMAINDER, "stablehlo.remainder", none) X(ROUND_NEAREST_AFZ, "stablehlo.round_nearest_afz", none) \
    X(ROUND_NEAREST_EVEN, "stablehlo.round_nearest_even", none) X(RSQRT, "stablehlo.rsqrt", accuracy) \
    X(SELECT, "stablehlo.select", none) X(SHIFT_LEFT, "stablehlo.shift_left", none) \
    X(SHIFT_RIGHT_ARITHMETIC, "stablehlo.shift_right_arithmetic", none) \
    X(SHIFT_RIGHT_LOGICAL, "stablehlo.shift_right_logical", none) X(SIGN, "stablehlo.sign", none) \
    X(SINE, "stablehlo.sine", accuracy) X(SQRT, "stablehlo.sqrt", accuracy) X(SUBTRACT, "stablehlo.subtract", none) \
    X(TAN, "stablehlo.tan", accuracy) X(TANH, "stablehlo.tanh", accuracy) X(XOR, "stablehlo.xor", none) \
    X(ERF, "chlo.erf", none) X(ACOS, "chlo.acos", none) X(ACOSH, "chlo.acosh", none) X(ASIN, "chlo.asin", none) \
    X(ASINH, "chlo.asinh", none) X(ATANH, "chlo.atanh", none) X(COSH, "chlo.cosh", none) X(SINH, "chlo.sinh", none) \
    X(MULHI, "chlo.mulhi", none) X(TOPK, "chlo.top_k", top_k) \
    X(IOTA, "stablehlo.iota", iota) X(PARTITION_ID, "stablehlo.partition_id", none) \
    X(REPLICA_ID, "stablehlo.replica_id", none) X(AFTER_ALL, "stablehlo.after_all", none) \
    X(BITCAST_CONVERT, "stablehlo.bitcast_convert", none) X(BROADCAST, "stablehlo.broadcast_in_dim", broadcast) \
    X(CONCATENATE, "stablehlo.concatenate", concatenate) X(RESHAPE, "stablehlo.reshape", none) \
    X(TRANSPOSE, "stablehlo.transpose", transpose) X(REVERSE, "stablehlo.reverse", reverse) \
    X(SLICE, "stablehlo.slice", slice) X(PAD, "stablehlo.pad", pad) \
    X(DYNAMIC_SLICE, "stablehlo.dynamic_slice", dynamic_slice) \
    X(DYNAMIC_UPDATE_SLICE, "stablehlo.dynamic_update_slice", none) X(GATHER, "stablehlo.gather", gather) \
    X(SCATTER, "stablehlo.scatter", scatter) X(GET_DIMENSION_SIZE, "stablehlo.get_dimension_size", dimension) \
    X(SET_DIMENSION_SIZE, "stablehlo.set_dimension_size", dimension) X(DOT, "stablehlo.dot_general", dot) \
    X(CONVOLUTION, "stablehlo.convolution", convolution) X(FFT, "stablehlo.fft", fft) \
    X(CHOLESKY, "stablehlo.cholesky", cholesky) X(TRIANGULAR_SOLVE, "stablehlo.triangular_solve", triangular_solve) \
    X(REDUCE, "stablehlo.reduce", reduce) X(REDUCE_WINDOW, "stablehlo.reduce_window", reduce_window) \
    X(SELECT_AND_SCATTER, "stablehlo.select_and_scatter", select_and_scatter) X(MAP, "stablehlo.map", reduce) \
    X(SORT, "stablehlo.sort", sort) X(BATCH_NORM_TRAINING, "stablehlo.batch_norm_training", batch_norm) \
    X(BATCH_NORM_INFERENCE, "stablehlo.batch_norm_inference", batch_norm) \
    X(BATCH_NORM_GRAD, "stablehlo.batch_norm_grad", batch_norm) X(OPT_BARRIER, "stablehlo.optimization_barrier", none) \
    X(RNG, "stablehlo.rng", rng) X(RNG_BIT_GENERATOR, "stablehlo.rng_bit_generator", rng_bit_generator) \
    X(ALL_GATHER, "stablehlo.all_gather", all_gather) X(ALL_REDUCE, "stablehlo.all_reduce", groups) \
    X(REDUCE_SCATTER, "stablehlo.reduce_scatter", reduce_scatter) X(ALL_TO_ALL, "stablehlo.all_to_all", all_to_all) \
    X(COLLECTIVE_PERMUTE, "stablehlo.collective_permute", collective_permute) \
    X(COLLECTIVE_BROADCAST, "stablehlo.collective_broadcast", groups) \
    X(CUSTOM_CALL, "stablehlo.custom_call", custom_call)
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
    xg_ctx *ctx;
    xg_arena *arena;
    const xg_module *m;
    xg_buf b;
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
