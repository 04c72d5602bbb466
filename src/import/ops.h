/* import/ops.h -- THE table of operations that are read: what StableHLO, CHLO, func and sdy call them, how their pretty
 * form is written, and what they become in HLO.
 *
 * X(name, form, lower, opcode)
 *   name    as the dialect has it; operations of StableHLO (and the same of mhlo) without their prefix
 *   form    the pretty syntax:  mlir_op.c has  xg_mlir_form_<form>
 *             items  operands, words, `key = value`, attributes and brackets between commas, then types
 *             unread it is refused
 *   lower   the translation:    lower*.c have  xg_lower_<lower>
 *   opcode  of HLO, for translations that serve several operations; else of no meaning
 * An operation that has no row is refused by its name. */
#ifndef XG_IMPORT_OPS_H
#define XG_IMPORT_OPS_H

/* clang-format off */
#define XG_IR_OPS(X) \
    /* structure */ \
    X("builtin.module", module, none, TUPLE) \
    X("func.func", func, none, TUPLE) \
    X("func.call", items, call, CALL) \
    X("func.return", items, none, TUPLE) \
    X("return", items, none, TUPLE) \
    X("sdy.return", items, none, TUPLE) \
    X("composite", items, composite, CALL) \
    X("builtin.unrealized_conversion_cast", items, same, COPY) \
    /* elementwise */ \
    X("abs", items, simple, ABS) \
    X("add", items, simple, ADD) \
    X("and", items, simple, AND) \
    X("atan2", items, simple, ATAN2) \
    X("cbrt", items, accurate, CBRT) \
    X("ceil", items, simple, CEIL) \
    X("clamp", items, clamp, CLAMP) \
    X("compare", items, compare, COMPARE) \
    X("complex", items, simple, COMPLEX) \
    X("convert", items, convert, CONVERT) \
    X("cosine", items, accurate, COSINE) \
    X("count_leading_zeros", items, simple, COUNT_LEADING_ZEROS) \
    X("divide", items, simple, DIVIDE) \
    X("exponential", items, accurate, EXPONENTIAL) \
    X("exponential_minus_one", items, accurate, EXPONENTIAL_MINUS_ONE) \
    X("floor", items, simple, FLOOR) \
    X("imag", items, simple, IMAG) \
    X("is_finite", items, simple, IS_FINITE) \
    X("log", items, accurate, LOG) \
    X("log_plus_one", items, accurate, LOG_PLUS_ONE) \
    X("logistic", items, accurate, LOGISTIC) \
    X("maximum", items, extreme, MAXIMUM) \
    X("minimum", items, extreme, MINIMUM) \
    X("multiply", items, simple, MULTIPLY) \
    X("negate", items, simple, NEGATE) \
    X("not", items, simple, NOT) \
    X("or", items, simple, OR) \
    X("popcnt", items, simple, POPCNT) \
    X("power", items, simple, POWER) \
    X("real", items, simple, REAL) \
    X("reduce_precision", items, reduce_precision, REDUCE_PRECISION) \
    X("remainder", items, simple, REMAINDER) \
    X("round_nearest_afz", items, simple, ROUND_NEAREST_AFZ) \
    X("round_nearest_even", items, simple, ROUND_NEAREST_EVEN) \
    X("rsqrt", items, accurate, RSQRT) \
    X("select", items, select, SELECT) \
    X("shift_left", items, simple, SHIFT_LEFT) \
    X("shift_right_arithmetic", items, simple, SHIFT_RIGHT_ARITHMETIC) \
    X("shift_right_logical", items, simple, SHIFT_RIGHT_LOGICAL) \
    X("sign", items, simple, SIGN) \
    X("sine", items, accurate, SINE) \
    X("sqrt", items, accurate, SQRT) \
    X("subtract", items, simple, SUBTRACT) \
    X("tan", items, accurate, TAN) \
    X("tanh", items, accurate, TANH) \
    X("xor", items, simple, XOR) \
    X("uniform_quantize", items, quantize, CONVERT) \
    X("uniform_dequantize", items, dequantize, CONVERT) \
    /* sources */ \
    X("constant", items, constant, CONSTANT) \
    X("chlo.constant", items, constant, CONSTANT) \
    X("iota", items, iota, IOTA) \
    X("dynamic_iota", items, iota, IOTA) \
    X("partition_id", items, simple, PARTITION_ID) \
    X("replica_id", items, simple, REPLICA_ID) \
    X("create_token", items, simple, AFTER_ALL) \
    X("after_all", items, simple, AFTER_ALL) \
    /* movement */ \
    X("bitcast_convert", items, bitcast_convert, BITCAST_CONVERT) \
    X("broadcast", items, broadcast, BROADCAST) \
    X("broadcast_in_dim", items, broadcast_in_dim, BROADCAST) \
    X("dynamic_broadcast_in_dim", items, broadcast_in_dim, BROADCAST) \
    X("concatenate", items, concatenate, CONCATENATE) \
    X("reshape", items, reshape, RESHAPE) \
    X("dynamic_reshape", items, dynamic_reshape, RESHAPE) \
    X("transpose", items, transpose, TRANSPOSE) \
    X("reverse", items, reverse, REVERSE) \
    X("slice", items, slice, SLICE) \
    X("real_dynamic_slice", items, real_dynamic_slice, SLICE) \
    X("pad", items, pad, PAD) \
    X("dynamic_pad", items, dynamic_pad, PAD) \
    X("dynamic_slice", items, dynamic_slice, DYNAMIC_SLICE) \
    X("dynamic_update_slice", items, simple, DYNAMIC_UPDATE_SLICE) \
    X("gather", items, gather, GATHER) \
    X("dynamic_gather", items, gather, GATHER) \
    X("torch_index_select", items, torch_index_select, GATHER) \
    X("scatter", items, scatter, SCATTER) \
    X("get_dimension_size", items, get_dimension_size, GET_DIMENSION_SIZE) \
    X("set_dimension_size", items, set_dimension_size, SET_DIMENSION_SIZE) \
    /* contraction */ \
    X("dot", items, dot, DOT) \
    X("dot_general", items, dot_general, DOT) \
    X("convolution", items, convolution, CONVOLUTION) \
    X("dynamic_conv", items, convolution, CONVOLUTION) \
    X("einsum", items, unread, DOT) \
    X("unary_einsum", items, unread, DOT) \
    X("fft", items, fft, FFT) \
    X("cholesky", items, cholesky, CHOLESKY) \
    X("triangular_solve", items, triangular_solve, TRIANGULAR_SOLVE) \
    /* with regions */ \
    X("reduce", reduce, reduce, REDUCE) \
    X("reduce_window", items, reduce_window, REDUCE_WINDOW) \
    X("select_and_scatter", items, select_and_scatter, SELECT_AND_SCATTER) \
    X("map", items, map, MAP) \
    X("sort", items, sort, SORT) \
    X("while", while, while, WHILE) \
    X("if", items, if, CONDITIONAL) \
    X("case", items, case, CONDITIONAL) \
    X("batch_norm_training", items, batch_norm, BATCH_NORM_TRAINING) \
    X("batch_norm_inference", items, batch_norm, BATCH_NORM_INFERENCE) \
    X("batch_norm_grad", items, batch_norm, BATCH_NORM_GRAD) \
    /* tuples */ \
    X("tuple", items, simple, TUPLE) \
    X("get_tuple_element", items, get_tuple_element, GET_TUPLE_ELEMENT) \
    X("optimization_barrier", items, optimization_barrier, OPT_BARRIER) \
    /* random numbers */ \
    X("rng", items, rng, RNG) \
    X("rng_bit_generator", items, rng_bit_generator, RNG_BIT_GENERATOR) \
    /* between devices and the host */ \
    X("all_gather", items, all_gather, ALL_GATHER) \
    X("all_reduce", items, all_reduce, ALL_REDUCE) \
    X("reduce_scatter", items, reduce_scatter, REDUCE_SCATTER) \
    X("all_to_all", items, all_to_all, ALL_TO_ALL) \
    X("collective_permute", items, collective_permute, COLLECTIVE_PERMUTE) \
    X("collective_broadcast", items, collective_broadcast, COLLECTIVE_BROADCAST) \
    X("cross-replica-sum", items, cross_replica_sum, ALL_REDUCE) \
    X("infeed", items, infeed, INFEED) \
    X("outfeed", items, outfeed, OUTFEED) \
    X("send", items, send, SEND) \
    X("recv", items, recv, RECV) \
    X("custom_call", items, custom_call, CUSTOM_CALL) \
    /* mhlo: what HLO has and StableHLO has not */ \
    X("mhlo.acos", items, simple, ACOS) \
    X("mhlo.acosh", items, simple, ACOSH) \
    X("mhlo.asin", items, simple, ASIN) \
    X("mhlo.asinh", items, simple, ASINH) \
    X("mhlo.atanh", items, simple, ATANH) \
    X("mhlo.copy", items, simple, COPY) \
    X("mhlo.cosh", items, simple, COSH) \
    X("mhlo.erf", items, simple, ERF) \
    X("mhlo.sinh", items, simple, SINH) \
    X("mhlo.topk", items, topk, TOPK) \
    /* chlo */ \
    X("chlo.erf", items, simple, ERF) \
    X("chlo.tan", items, simple, TAN) \
    X("chlo.mulhi", items, simple, MULHI) \
    X("chlo.top_k", items, top_k, TOPK) \
    X("chlo.ragged_dot", items, ragged_dot, RAGGED_DOT) \
    X("chlo.scan", unread, unread, SCAN) \
    X("chlo.acos", items, formula, ACOS) \
    X("chlo.acosh", items, formula, ACOSH) \
    X("chlo.asin", items, formula, ASIN) \
    X("chlo.asinh", items, formula, ASINH) \
    X("chlo.atan", items, formula, ATAN2) \
    X("chlo.atanh", items, formula, ATANH) \
    X("chlo.cosh", items, formula, COSH) \
    X("chlo.sinh", items, formula, SINH) \
    X("chlo.square", items, formula, MULTIPLY) \
    X("chlo.conj", items, formula, COMPLEX) \
    X("chlo.is_inf", items, formula, COMPARE) \
    X("chlo.is_pos_inf", items, formula, COMPARE) \
    X("chlo.is_neg_inf", items, formula, COMPARE) \
    X("chlo.erfc", items, formula, ERF) \
    X("chlo.erf_inv", items, formula, ERF) \
    X("chlo.lgamma", items, formula, LOG) \
    X("chlo.digamma", items, formula, LOG) \
    X("chlo.polygamma", items, formula, LOG) \
    X("chlo.zeta", items, formula, LOG) \
    X("chlo.bessel_i1e", items, formula, ADD) \
    X("chlo.next_after", items, next_after, ADD) \
    X("chlo.constant_like", items, constant_like, CONSTANT) \
    X("chlo.broadcast_add", items, chlo_binary, ADD) \
    X("chlo.broadcast_and", items, chlo_binary, AND) \
    X("chlo.broadcast_atan2", items, chlo_binary, ATAN2) \
    X("chlo.broadcast_complex", items, chlo_binary, COMPLEX) \
    X("chlo.broadcast_divide", items, chlo_binary, DIVIDE) \
    X("chlo.broadcast_maximum", items, chlo_binary, MAXIMUM) \
    X("chlo.broadcast_minimum", items, chlo_binary, MINIMUM) \
    X("chlo.broadcast_multiply", items, chlo_binary, MULTIPLY) \
    X("chlo.broadcast_or", items, chlo_binary, OR) \
    X("chlo.broadcast_power", items, chlo_binary, POWER) \
    X("chlo.broadcast_remainder", items, chlo_binary, REMAINDER) \
    X("chlo.broadcast_shift_left", items, chlo_binary, SHIFT_LEFT) \
    X("chlo.broadcast_shift_right_arithmetic", items, chlo_binary, SHIFT_RIGHT_ARITHMETIC) \
    X("chlo.broadcast_shift_right_logical", items, chlo_binary, SHIFT_RIGHT_LOGICAL) \
    X("chlo.broadcast_subtract", items, chlo_binary, SUBTRACT) \
    X("chlo.broadcast_xor", items, chlo_binary, XOR) \
    X("chlo.broadcast_compare", items, chlo_compare, COMPARE) \
    X("chlo.broadcast_select", items, chlo_select, SELECT) \
    /* shardings */ \
    X("sdy.mesh", mesh, none, TUPLE) \
    X("sdy.sharding_constraint", items, sharding_constraint, COPY) \
    X("sdy.manual_computation", manual, manual_computation, CALL)
/* clang-format on */

/* X(left's type, right's type, sum's type, primitive operations, imprecise sums, HLO's name); f8: any of its formats */
/* clang-format off */
#define XG_IR_ALGORITHMS(X) \
    X("f8", "f8", "f32", 1, 0, "dot_any_f8_any_f8_f32") \
    X("f8", "f8", "f32", 1, 1, "dot_any_f8_any_f8_f32_fast_accum") \
    X("f16", "f16", "f16", 1, 0, "dot_f16_f16_f16") \
    X("f16", "f16", "f32", 1, 0, "dot_f16_f16_f32") \
    X("bf16", "bf16", "bf16", 1, 0, "dot_bf16_bf16_bf16") \
    X("bf16", "bf16", "f32", 1, 0, "dot_bf16_bf16_f32") \
    X("bf16", "bf16", "f32", 3, 0, "dot_bf16_bf16_f32_x3") \
    X("bf16", "bf16", "f32", 6, 0, "dot_bf16_bf16_f32_x6") \
    X("bf16", "bf16", "f32", 9, 0, "dot_bf16_bf16_f32_x9") \
    X("tf32", "tf32", "f32", 1, 0, "dot_tf32_tf32_f32") \
    X("tf32", "tf32", "f32", 3, 0, "dot_tf32_tf32_f32_x3") \
    X("f32", "f32", "f32", 1, 0, "dot_f32_f32_f32") \
    X("f64", "f64", "f64", 1, 0, "dot_f64_f64_f64")
/* The forms and translations that the rows name: a row keeps their numbers. */
#define XG_IR_FORMS(X) \
    X(module) X(func) X(items) X(reduce) X(while) X(unread) X(mesh) X(manual)
#define XG_IR_LOWERS(X) \
    X(none) X(call) X(composite) X(same) X(simple) X(accurate) X(clamp) X(compare) X(convert) X(extreme) \
    X(reduce_precision) X(select) X(quantize) X(dequantize) X(constant) X(iota) X(bitcast_convert) X(broadcast) \
    X(broadcast_in_dim) X(concatenate) X(reshape) X(dynamic_reshape) X(transpose) X(reverse) X(slice) \
    X(real_dynamic_slice) X(pad) X(dynamic_pad) X(dynamic_slice) X(gather) X(torch_index_select) X(scatter) \
    X(get_dimension_size) X(set_dimension_size) X(dot) X(dot_general) X(convolution) X(unread) X(fft) \
    X(cholesky) X(triangular_solve) X(reduce) X(reduce_window) X(select_and_scatter) X(map) X(sort) X(while) \
    X(if) X(case) X(batch_norm) X(get_tuple_element) X(optimization_barrier) X(rng) X(rng_bit_generator) \
    X(all_gather) X(all_reduce) X(reduce_scatter) X(all_to_all) X(collective_permute) X(collective_broadcast) \
    X(cross_replica_sum) X(infeed) X(outfeed) X(send) X(recv) X(custom_call) X(topk) X(top_k) X(ragged_dot) \
    X(formula) X(next_after) X(constant_like) X(chlo_binary) X(chlo_compare) X(chlo_select) \
    X(sharding_constraint) X(manual_computation)
/* clang-format on */
enum {
#define X(form) XG_IR_FORM_##form,
    XG_IR_FORMS(X)
#undef X
};
enum {
#define X(lower) XG_IR_LOWER_##lower,
    XG_IR_LOWERS(X)
#undef X
};

#endif /* XG_IMPORT_OPS_H */
