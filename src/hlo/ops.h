/* hlo/ops.h -- THE opcode table and THE attribute table. Everything that is said about an opcode is said in its row.
 *
 * X(NAME, text, lo, hi, flags, types, infer, index, eval, elem, fuse, attributes)
 *   lo, hi      number of operands (hi 255: any)
 *   flags       XGF_*, see below
 *   types       element types that the operands may have (XGT_*)
 *   infer       the result's shape:  hlo/infer_*.c has    xg_infer_<word>
 *   index       the indexing maps:   indexing/ has        xg_index_<word>
 *   eval        the value:           eval/ has            xg_eval_<word>
 *   elem        one element as kernel IR: emit/ has       xg_elem_<word>
 *   fuse        its part in fusions: kernel (a kernel can make it, alone or with others), free (costs nothing, is
 *               made again wherever it is used), none
 *   attributes  names of the attributes it may carry beside the common ones; '!' marks a required one
 * Words are pasted on each room's own prefix, so a word without a handler does not compile; `none` is a handler that
 * refuses by name. There is no `none` among the indexing maps: what has no map says why (by_value, by_control,
 * by_device, by_outsider, handle). The table depends on nothing. */
#ifndef XG_HLO_OPS_H
#define XG_HLO_OPS_H

enum {
    XGF_EW = 1, /* elementwise: each result element depends on the operands' elements at the same index (or scalars) */
    XGF_COMM = 2,    /* commutative in its first two operands */
    XGF_SHAPE = 4,   /* the text must state the result's shape */
    XGF_ACC = 8,     /* may carry result_accuracy */
    XGF_EFFECT = 16, /* has side effects: neither removed nor merged nor moved past another one */
    XGF_COLL = 32,   /* talks to other devices */
    XGF_START = 64,  /* begins an asynchronous pair */
    XGF_DONE = 128   /* ends one */
};
enum {
    XGT_P = 1,
    XGT_I = 2,
    XGT_F = 4,
    XGT_C = 8,
    XGT_ANY = 255
};

/* clang-format off */
#define XG_OPS(X) \
    /* elementwise, one operand */ \
    X(ABS, "abs", 1, 1, XGF_EW, XGT_I | XGT_F | XGT_C, real_part, pointwise, elementwise, unary, kernel, "") \
    X(NEGATE, "negate", 1, 1, XGF_EW, XGT_I | XGT_F | XGT_C, same, pointwise, elementwise, unary, kernel, "") \
    X(SIGN, "sign", 1, 1, XGF_EW, XGT_I | XGT_F | XGT_C, same, pointwise, elementwise, unary, kernel, "") \
    X(NOT, "not", 1, 1, XGF_EW, XGT_P | XGT_I, same, pointwise, elementwise, unary, kernel, "") \
    X(POPCNT, "popcnt", 1, 1, XGF_EW, XGT_I, same, pointwise, elementwise, unary, kernel, "") \
    X(COUNT_LEADING_ZEROS, "count-leading-zeros", 1, 1, XGF_EW, XGT_I, same, pointwise, elementwise, unary, kernel, "") \
    X(FLOOR, "floor", 1, 1, XGF_EW, XGT_F, same, pointwise, elementwise, unary, kernel, "") \
    X(CEIL, "ceil", 1, 1, XGF_EW, XGT_F, same, pointwise, elementwise, unary, kernel, "") \
    X(ROUND_NEAREST_AFZ, "round-nearest-afz", 1, 1, XGF_EW, XGT_F, same, pointwise, elementwise, unary, kernel, "") \
    X(ROUND_NEAREST_EVEN, "round-nearest-even", 1, 1, XGF_EW, XGT_F, same, pointwise, elementwise, unary, kernel, "") \
    X(IS_FINITE, "is-finite", 1, 1, XGF_EW, XGT_F, pred, pointwise, elementwise, unary, kernel, "") \
    X(REAL, "real", 1, 1, XGF_EW, XGT_F | XGT_C, real_part, pointwise, elementwise, unary, kernel, "") \
    X(IMAG, "imag", 1, 1, XGF_EW, XGT_F | XGT_C, real_part, pointwise, elementwise, unary, kernel, "") \
    X(EXPONENTIAL, "exponential", 1, 1, XGF_EW | XGF_ACC, XGT_F | XGT_C, same, pointwise, elementwise, unary, kernel, "result_accuracy") \
    X(EXPONENTIAL_MINUS_ONE, "exponential-minus-one", 1, 1, XGF_EW | XGF_ACC, XGT_F | XGT_C, same, pointwise, elementwise, unary, kernel, "result_accuracy") \
    X(LOG, "log", 1, 1, XGF_EW | XGF_ACC, XGT_F | XGT_C, same, pointwise, elementwise, unary, kernel, "result_accuracy") \
    X(LOG_PLUS_ONE, "log-plus-one", 1, 1, XGF_EW | XGF_ACC, XGT_F | XGT_C, same, pointwise, elementwise, unary, kernel, "result_accuracy") \
    X(LOGISTIC, "logistic", 1, 1, XGF_EW | XGF_ACC, XGT_F | XGT_C, same, pointwise, elementwise, unary, kernel, "result_accuracy") \
    X(SQRT, "sqrt", 1, 1, XGF_EW | XGF_ACC, XGT_F | XGT_C, same, pointwise, elementwise, unary, kernel, "result_accuracy") \
    X(RSQRT, "rsqrt", 1, 1, XGF_EW | XGF_ACC, XGT_F | XGT_C, same, pointwise, elementwise, unary, kernel, "result_accuracy") \
    X(CBRT, "cbrt", 1, 1, XGF_EW | XGF_ACC, XGT_F, same, pointwise, elementwise, unary, kernel, "result_accuracy") \
    X(TANH, "tanh", 1, 1, XGF_EW | XGF_ACC, XGT_F | XGT_C, same, pointwise, elementwise, unary, kernel, "result_accuracy") \
    X(TAN, "tan", 1, 1, XGF_EW | XGF_ACC, XGT_F | XGT_C, same, pointwise, elementwise, unary, kernel, "result_accuracy") \
    X(SINE, "sine", 1, 1, XGF_EW | XGF_ACC, XGT_F | XGT_C, same, pointwise, elementwise, unary, kernel, "result_accuracy") \
    X(COSINE, "cosine", 1, 1, XGF_EW | XGF_ACC, XGT_F | XGT_C, same, pointwise, elementwise, unary, kernel, "result_accuracy") \
    X(ERF, "erf", 1, 1, XGF_EW | XGF_ACC, XGT_F, same, pointwise, elementwise, unary, kernel, "result_accuracy") \
    X(ACOS, "acos", 1, 1, XGF_EW | XGF_ACC, XGT_F | XGT_C, same, pointwise, elementwise, unary, kernel, "result_accuracy") \
    X(ACOSH, "acosh", 1, 1, XGF_EW | XGF_ACC, XGT_F | XGT_C, same, pointwise, elementwise, unary, kernel, "result_accuracy") \
    X(ASIN, "asin", 1, 1, XGF_EW | XGF_ACC, XGT_F | XGT_C, same, pointwise, elementwise, unary, kernel, "result_accuracy") \
    X(ASINH, "asinh", 1, 1, XGF_EW | XGF_ACC, XGT_F | XGT_C, same, pointwise, elementwise, unary, kernel, "result_accuracy") \
    X(ATANH, "atanh", 1, 1, XGF_EW | XGF_ACC, XGT_F | XGT_C, same, pointwise, elementwise, unary, kernel, "result_accuracy") \
    X(SINH, "sinh", 1, 1, XGF_EW | XGF_ACC, XGT_F | XGT_C, same, pointwise, elementwise, unary, kernel, "result_accuracy") \
    X(COSH, "cosh", 1, 1, XGF_EW | XGF_ACC, XGT_F | XGT_C, same, pointwise, elementwise, unary, kernel, "result_accuracy") \
    X(COPY, "copy", 1, 1, XGF_EW, XGT_P | XGT_I | XGT_F | XGT_C, copy, pointwise, elementwise, identity, kernel, "") \
    X(CONVERT, "convert", 1, 1, XGF_EW | XGF_SHAPE, XGT_P | XGT_I | XGT_F | XGT_C, convert, pointwise, elementwise, convert, kernel, "") \
    X(REDUCE_PRECISION, "reduce-precision", 1, 1, XGF_EW | XGF_SHAPE, XGT_F, same, pointwise, elementwise, reduce_precision, kernel, "exponent_bits! mantissa_bits!") \
    /* elementwise, two and three operands */ \
    X(ADD, "add", 2, 2, XGF_EW | XGF_COMM, XGT_P | XGT_I | XGT_F | XGT_C, same, pointwise, elementwise, binary, kernel, "") \
    X(SUBTRACT, "subtract", 2, 2, XGF_EW, XGT_I | XGT_F | XGT_C, same, pointwise, elementwise, binary, kernel, "") \
    X(MULTIPLY, "multiply", 2, 2, XGF_EW | XGF_COMM, XGT_P | XGT_I | XGT_F | XGT_C, same, pointwise, elementwise, binary, kernel, "") \
    X(MULHI, "mulhi", 2, 2, XGF_EW | XGF_COMM, XGT_I, same, pointwise, elementwise, binary, kernel, "") \
    X(DIVIDE, "divide", 2, 2, XGF_EW, XGT_I | XGT_F | XGT_C, same, pointwise, elementwise, binary, kernel, "") \
    X(REMAINDER, "remainder", 2, 2, XGF_EW, XGT_I | XGT_F, same, pointwise, elementwise, binary, kernel, "") \
    X(POWER, "power", 2, 2, XGF_EW, XGT_I | XGT_F | XGT_C, same, pointwise, elementwise, binary, kernel, "") \
    X(ATAN2, "atan2", 2, 2, XGF_EW, XGT_F | XGT_C, same, pointwise, elementwise, binary, kernel, "") \
    X(MAXIMUM, "maximum", 2, 2, XGF_EW | XGF_COMM, XGT_P | XGT_I | XGT_F | XGT_C, same, pointwise, elementwise, binary, kernel, "") \
    X(MINIMUM, "minimum", 2, 2, XGF_EW | XGF_COMM, XGT_P | XGT_I | XGT_F | XGT_C, same, pointwise, elementwise, binary, kernel, "") \
    X(AND, "and", 2, 2, XGF_EW | XGF_COMM, XGT_P | XGT_I, same, pointwise, elementwise, binary, kernel, "") \
    X(OR, "or", 2, 2, XGF_EW | XGF_COMM, XGT_P | XGT_I, same, pointwise, elementwise, binary, kernel, "") \
    X(XOR, "xor", 2, 2, XGF_EW | XGF_COMM, XGT_P | XGT_I, same, pointwise, elementwise, binary, kernel, "") \
    X(SHIFT_LEFT, "shift-left", 2, 2, XGF_EW, XGT_I, same, pointwise, elementwise, binary, kernel, "") \
    X(SHIFT_RIGHT_ARITHMETIC, "shift-right-arithmetic", 2, 2, XGF_EW, XGT_I, same, pointwise, elementwise, binary, kernel, "") \
    X(SHIFT_RIGHT_LOGICAL, "shift-right-logical", 2, 2, XGF_EW, XGT_I, same, pointwise, elementwise, binary, kernel, "") \
    X(COMPLEX, "complex", 2, 2, XGF_EW, XGT_F, complex, pointwise, elementwise, binary, kernel, "") \
    X(COMPARE, "compare", 2, 2, XGF_EW, XGT_P | XGT_I | XGT_F | XGT_C, compare, pointwise, elementwise, compare, kernel, "direction! type") \
    X(STOCHASTIC_CONVERT, "stochastic-convert", 2, 2, XGF_EW | XGF_SHAPE, XGT_F, stochastic_convert, pointwise, elementwise, stochastic_convert, kernel, "") \
    X(SELECT, "select", 3, 3, XGF_EW, XGT_P | XGT_I | XGT_F | XGT_C, select, pointwise, elementwise, select, kernel, "") \
    X(CLAMP, "clamp", 3, 3, XGF_EW, XGT_I | XGT_F | XGT_C | XGT_P, clamp, pointwise, elementwise, clamp, kernel, "") \
    /* sources */ \
    X(CONSTANT, "constant", 0, 0, XGF_SHAPE, XGT_ANY, given, source, constant, constant, free, "") \
    X(IOTA, "iota", 0, 0, XGF_SHAPE, XGT_I | XGT_F | XGT_C, iota, source, iota, iota, free, "iota_dimension!") \
    X(PARAMETER, "parameter", 0, 0, XGF_SHAPE, XGT_ANY, given, source, parameter, none, none, "parameter_replication") \
    X(PARTITION_ID, "partition-id", 0, 0, 0, XGT_ANY, id, source, partition_id, none, none, "") \
    X(REPLICA_ID, "replica-id", 0, 0, 0, XGT_ANY, id, source, replica_id, none, none, "") \
    X(RNG_GET_AND_UPDATE_STATE, "rng-get-and-update-state", 0, 0, XGF_SHAPE | XGF_EFFECT, XGT_I, given, source, rng_get_and_update_state, none, none, "delta!") \
    /* movement */ \
    X(BITCAST, "bitcast", 1, 1, XGF_SHAPE, XGT_ANY, bitcast, bitcast, bitcast, identity, free, "") \
    X(BITCAST_CONVERT, "bitcast-convert", 1, 1, XGF_SHAPE, XGT_P | XGT_I | XGT_F | XGT_C, bitcast_convert, bitcast_convert, bitcast_convert, bitcast_convert, kernel, "") \
    X(RESHAPE, "reshape", 1, 1, XGF_SHAPE, XGT_ANY, reshape, reshape, reshape, identity, kernel, "inferred_dimension") \
    X(BROADCAST, "broadcast", 1, 1, 0, XGT_ANY, broadcast, broadcast, broadcast, identity, free, "dimensions") \
    X(TRANSPOSE, "transpose", 1, 1, 0, XGT_ANY, transpose, transpose, transpose, identity, kernel, "dimensions!") \
    X(REVERSE, "reverse", 1, 1, 0, XGT_ANY, reverse, reverse, reverse, identity, kernel, "dimensions!") \
    X(SLICE, "slice", 1, 1, XGF_SHAPE, XGT_ANY, slice, slice, slice, identity, kernel, "slice!") \
    X(PAD, "pad", 2, 2, 0, XGT_ANY, pad, pad, pad, pad, kernel, "padding!") \
    X(CONCATENATE, "concatenate", 1, 255, 0, XGT_ANY, concatenate, concatenate, concatenate, concatenate, kernel, "dimensions!") \
    X(DYNAMIC_SLICE, "dynamic-slice", 1, 255, XGF_SHAPE, XGT_ANY, dynamic_slice, dynamic_slice, dynamic_slice, dynamic_slice, kernel, "dynamic_slice_sizes!") \
    X(DYNAMIC_UPDATE_SLICE, "dynamic-update-slice", 2, 255, XGF_SHAPE, XGT_ANY, dynamic_update_slice, dynamic_update_slice, dynamic_update_slice, dynamic_update_slice, kernel, "") \
    X(DYNAMIC_RESHAPE, "dynamic-reshape", 1, 255, XGF_SHAPE, XGT_ANY, dynamic_reshape, by_value, dynamic_reshape, none, none, "") \
    X(GATHER, "gather", 2, 2, 0, XGT_ANY, gather, gather, gather, gather, kernel, "offset_dims! collapsed_slice_dims! start_index_map! index_vector_dim! slice_sizes! operand_batching_dims start_indices_batching_dims indices_are_sorted") \
    X(SCATTER, "scatter", 3, 255, 0, XGT_ANY, scatter, scatter, scatter, scatter, kernel, "update_window_dims! inserted_window_dims! scatter_dims_to_operand_dims! index_vector_dim! to_apply! input_batching_dims scatter_indices_batching_dims indices_are_sorted unique_indices") \
    X(GET_DIMENSION_SIZE, "get-dimension-size", 1, 1, 0, XGT_ANY, get_dimension_size, source, get_dimension_size, dimension_size, none, "dimensions!") \
    X(SET_DIMENSION_SIZE, "set-dimension-size", 2, 2, 0, XGT_ANY, set_dimension_size, resize, set_dimension_size, none, none, "dimensions!") \
    /* contraction */ \
    X(DOT, "dot", 2, 2, 0, XGT_P | XGT_I | XGT_F | XGT_C, dot, dot, dot, dot, kernel, "lhs_contracting_dims rhs_contracting_dims lhs_batch_dims rhs_batch_dims operand_precision algorithm") \
    X(RAGGED_DOT, "ragged-dot", 3, 3, 0, XGT_P | XGT_I | XGT_F | XGT_C, ragged_dot, dot, ragged_dot, ragged_dot, kernel, "lhs_contracting_dims rhs_contracting_dims lhs_batch_dims rhs_batch_dims operand_precision algorithm lhs_ragged_dims! rhs_group_dims") \
    X(SCALED_DOT, "scaled-dot", 4, 4, 0, XGT_P | XGT_I | XGT_F | XGT_C, scaled_dot, scaled_dot, scaled_dot, none, none, "lhs_contracting_dims rhs_contracting_dims lhs_batch_dims rhs_batch_dims operand_precision algorithm") \
    X(CONVOLUTION, "convolution", 2, 2, 0, XGT_P | XGT_I | XGT_F | XGT_C, convolution, convolution, convolution, convolution, kernel, "window dim_labels! feature_group_count batch_group_count convolution_kind operand_precision algorithm sparsity_config") \
    X(FFT, "fft", 1, 1, 0, XGT_F | XGT_C, fft, fft, fft, none, none, "fft_type! fft_length!") \
    X(CHOLESKY, "cholesky", 1, 1, 0, XGT_F | XGT_C, same, cholesky, cholesky, none, none, "lower") \
    X(TRIANGULAR_SOLVE, "triangular-solve", 2, 2, 0, XGT_F | XGT_C, triangular_solve, triangular_solve, triangular_solve, none, none, "left_side lower unit_diagonal transpose_a") \
    /* reductions and windows */ \
    X(REDUCE, "reduce", 2, 255, 0, XGT_ANY, reduce, reduce, reduce, reduce, kernel, "dimensions! to_apply!") \
    X(REDUCE_WINDOW, "reduce-window", 2, 255, 0, XGT_ANY, reduce_window, reduce_window, reduce_window, reduce_window, kernel, "window to_apply!") \
    X(SELECT_AND_SCATTER, "select-and-scatter", 3, 4, 0, XGT_ANY, select_and_scatter, select_and_scatter, select_and_scatter, select_and_scatter, kernel, "select! scatter! window") \
    X(MAP, "map", 1, 255, 0, XGT_ANY, map, pointwise, map, map, kernel, "to_apply! dimensions") \
    X(SORT, "sort", 1, 255, 0, XGT_ANY, sort, along, sort, whole, none, "dimensions! is_stable to_apply!") \
    X(TOPK, "topk", 1, 1, 0, XGT_I | XGT_F, topk, along, topk, whole, none, "k! largest is_stable") \
    X(SCAN, "scan", 1, 255, 0, XGT_ANY, scan, scan, scan, none, none, "dimensions! num_carries! is_reverse is_associative to_apply!") \
    X(BATCH_NORM_TRAINING, "batch-norm-training", 3, 3, 0, XGT_F, batch_norm_training, batch_norm, batch_norm_training, none, none, "epsilon! feature_index!") \
    X(BATCH_NORM_INFERENCE, "batch-norm-inference", 5, 5, 0, XGT_F, batch_norm_inference, batch_norm, batch_norm_inference, none, none, "epsilon! feature_index!") \
    X(BATCH_NORM_GRAD, "batch-norm-grad", 5, 5, 0, XGT_F, batch_norm_grad, batch_norm, batch_norm_grad, none, none, "epsilon! feature_index!") \
    /* control and tuples */ \
    X(TUPLE, "tuple", 0, 255, 0, XGT_ANY, tuple, tuple, tuple, tuple, none, "") \
    X(GET_TUPLE_ELEMENT, "get-tuple-element", 1, 1, 0, XGT_ANY, get_tuple_element, tuple_element, get_tuple_element, get_tuple_element, none, "index!") \
    X(CALL, "call", 0, 255, 0, XGT_ANY, call, call, call, call, none, "to_apply! is_composite output_to_operand_aliasing") \
    X(WHILE, "while", 1, 1, 0, XGT_ANY, while, by_control, while, none, none, "condition! body!") \
    X(CONDITIONAL, "conditional", 2, 255, 0, XGT_ANY, conditional, by_control, conditional, none, none, "true_computation false_computation branch_computations") \
    X(FUSION, "fusion", 0, 255, XGF_SHAPE, XGT_ANY, fusion, fusion, fusion, none, none, "kind! calls! output_to_operand_aliasing") \
    X(CUSTOM_CALL, "custom-call", 0, 255, XGF_SHAPE | XGF_EFFECT, XGT_ANY, given, by_outsider, custom_call, none, none, "custom_call_target! api_version schedule operand_layout_constraints custom_call_has_side_effect called_computations to_apply window dim_labels feature_group_count batch_group_count padding_type literal operand_precision output_to_operand_aliasing") \
    X(OPT_BARRIER, "opt-barrier", 1, 1, 0, XGT_ANY, same_any, same, opt_barrier, none, none, "") \
    X(DOMAIN, "domain", 1, 1, 0, XGT_ANY, same_any, same, opt_barrier, none, none, "domain") \
    X(AFTER_ALL, "after-all", 0, 255, 0, XGT_ANY, after_all, handle, after_all, none, none, "") \
    X(ADD_DEPENDENCY, "add-dependency", 2, 2, 0, XGT_ANY, add_dependency, first, add_dependency, none, none, "") \
    /* random numbers */ \
    X(RNG, "rng", 2, 2, XGF_SHAPE | XGF_EFFECT, XGT_ANY, given, all, rng, none, none, "distribution!") \
    X(RNG_BIT_GENERATOR, "rng-bit-generator", 1, 1, XGF_SHAPE, XGT_I, rng_bit_generator, all, rng_bit_generator, random_bits, none, "algorithm!") \
    /* between devices */ \
    X(ALL_REDUCE, "all-reduce", 1, 255, XGF_SHAPE | XGF_COLL, XGT_ANY, all_reduce, by_device, collective, none, none, "replica_groups channel_id mode constrain_layout use_global_device_ids to_apply!") \
    X(ALL_REDUCE_START, "all-reduce-start", 1, 255, XGF_SHAPE | XGF_COLL | XGF_START, XGT_ANY, all_reduce, by_device, collective, none, none, "replica_groups channel_id mode constrain_layout use_global_device_ids to_apply!") \
    X(ALL_REDUCE_DONE, "all-reduce-done", 1, 1, XGF_SHAPE | XGF_COLL | XGF_DONE, XGT_ANY, given, by_device, pass, none, none, "") \
    X(REDUCE_SCATTER, "reduce-scatter", 1, 255, XGF_SHAPE | XGF_COLL, XGT_ANY, reduce_scatter, by_device, collective, none, none, "replica_groups channel_id mode constrain_layout use_global_device_ids dimensions! to_apply!") \
    X(ALL_GATHER, "all-gather", 1, 255, XGF_SHAPE | XGF_COLL, XGT_ANY, all_gather, by_device, collective, none, none, "replica_groups channel_id mode constrain_layout use_global_device_ids dimensions!") \
    X(ALL_GATHER_START, "all-gather-start", 1, 255, XGF_SHAPE | XGF_COLL | XGF_START, XGT_ANY, given, by_device, collective, none, none, "replica_groups channel_id mode constrain_layout use_global_device_ids dimensions!") \
    X(ALL_GATHER_DONE, "all-gather-done", 1, 1, XGF_SHAPE | XGF_COLL | XGF_DONE, XGT_ANY, given, by_device, async_done, none, none, "") \
    X(ALL_TO_ALL, "all-to-all", 1, 255, XGF_SHAPE | XGF_COLL, XGT_ANY, all_to_all, by_device, collective, none, none, "replica_groups channel_id mode constrain_layout dimensions") \
    X(RAGGED_ALL_TO_ALL, "ragged-all-to-all", 6, 6, XGF_SHAPE | XGF_COLL, XGT_ANY, ragged_all_to_all, by_device, collective, none, none, "replica_groups channel_id mode ") \
    X(COLLECTIVE_BROADCAST, "collective-broadcast", 1, 255, XGF_SHAPE | XGF_COLL, XGT_ANY, collective_same, by_device, collective, none, none, "replica_groups channel_id mode has_dynamic_root") \
    X(COLLECTIVE_PERMUTE, "collective-permute", 1, 255, XGF_SHAPE | XGF_COLL, XGT_ANY, collective_permute, by_device, collective, none, none, "source_target_pairs! channel_id slice_sizes") \
    X(COLLECTIVE_PERMUTE_START, "collective-permute-start", 1, 255, XGF_SHAPE | XGF_COLL | XGF_START, XGT_ANY, given, by_device, collective, none, none, "source_target_pairs! channel_id slice_sizes") \
    X(COLLECTIVE_PERMUTE_DONE, "collective-permute-done", 1, 1, XGF_SHAPE | XGF_COLL | XGF_DONE, XGT_ANY, given, by_device, async_done, none, none, "") \
    /* asynchronous and host */ \
    X(ASYNC_START, "async-start", 0, 255, XGF_SHAPE | XGF_START, XGT_ANY, async_start, handle, async_start, none, none, "calls! async_execution_thread output_to_operand_aliasing") \
    X(ASYNC_UPDATE, "async-update", 1, 1, XGF_SHAPE, XGT_ANY, async_update, handle, pass, none, none, "calls async_execution_thread") \
    X(ASYNC_DONE, "async-done", 1, 1, XGF_SHAPE | XGF_DONE, XGT_ANY, async_done, handle, async_done, none, none, "calls async_execution_thread") \
    X(COPY_START, "copy-start", 1, 1, XGF_SHAPE | XGF_START, XGT_ANY, given, handle, copy_start, none, none, "cross_program_prefetch_index") \
    X(COPY_DONE, "copy-done", 1, 1, XGF_SHAPE | XGF_DONE, XGT_ANY, given, handle, copy_done, none, none, "") \
    X(SEND, "send", 2, 2, XGF_SHAPE | XGF_EFFECT, XGT_ANY, given, by_outsider, send, none, none, "channel_id is_host_transfer") \
    X(SEND_DONE, "send-done", 1, 1, XGF_SHAPE | XGF_EFFECT, XGT_ANY, given, by_outsider, send_done, none, none, "channel_id is_host_transfer") \
    X(RECV, "recv", 1, 1, XGF_SHAPE | XGF_EFFECT, XGT_ANY, given, by_outsider, recv, none, none, "channel_id is_host_transfer") \
    X(RECV_DONE, "recv-done", 1, 1, XGF_SHAPE | XGF_EFFECT, XGT_ANY, given, by_outsider, recv_done, none, none, "channel_id is_host_transfer") \
    X(INFEED, "infeed", 1, 1, XGF_SHAPE | XGF_EFFECT, XGT_ANY, given, by_outsider, infeed, none, none, "infeed_config") \
    X(OUTFEED, "outfeed", 2, 2, XGF_SHAPE | XGF_EFFECT, XGT_ANY, given, by_outsider, outfeed, none, none, "outfeed_config outfeed_shape")
/* clang-format on */

/* X(NAME, text, KIND): attributes; the kind names the parser and printer (xg_attr_parse_<KIND>, xg_attr_print_<KIND>)
 * and the member of xg_attr that holds the value. Rows are in the order in which they are printed.
 *   INT BOOL FLOAT       one value                        (i, i, d)
 *   WORD                 an identifier, kept as text       (str)
 *   STR                  a quoted string                   (str)
 *   RAW                  braces or a token, kept as text after a check of its nesting (str)
 *   INTS                 {1,2} or a single 1               (ints)
 *   INTLISTS             {{0,1},{2,3}} or {0,1}            (lists)
 *   WORDS                {default,highest}                 (words)
 *   COMP COMPS           computations                      (comp, comps)
 *   INSTS                instructions of the same computation (insts)
 *   SLICE PADDING WINDOW DIM_LABELS SHAPE SHAPES LITERAL GROUPS ALIASES SHARDING METADATA CONFIG   see hlo.h */
/* clang-format off */
#define XG_ATTRS(X) \
    X(dimensions, "dimensions", INTS) \
    X(inferred_dimension, "inferred_dimension", INT) \
    X(iota_dimension, "iota_dimension", INT) \
    X(slice, "slice", SLICE) \
    X(padding, "padding", PADDING) \
    X(dynamic_slice_sizes, "dynamic_slice_sizes", INTS) \
    X(index, "index", INT) \
    X(direction, "direction", WORD) \
    X(type, "type", WORD) \
    X(exponent_bits, "exponent_bits", INT) \
    X(mantissa_bits, "mantissa_bits", INT) \
    X(delta, "delta", INT) \
    X(offset_dims, "offset_dims", INTS) \
    X(collapsed_slice_dims, "collapsed_slice_dims", INTS) \
    X(start_index_map, "start_index_map", INTS) \
    X(operand_batching_dims, "operand_batching_dims", INTS) \
    X(start_indices_batching_dims, "start_indices_batching_dims", INTS) \
    X(update_window_dims, "update_window_dims", INTS) \
    X(inserted_window_dims, "inserted_window_dims", INTS) \
    X(scatter_dims_to_operand_dims, "scatter_dims_to_operand_dims", INTS) \
    X(input_batching_dims, "input_batching_dims", INTS) \
    X(scatter_indices_batching_dims, "scatter_indices_batching_dims", INTS) \
    X(index_vector_dim, "index_vector_dim", INT) \
    X(slice_sizes, "slice_sizes", INTLISTS) \
    X(indices_are_sorted, "indices_are_sorted", BOOL) \
    X(unique_indices, "unique_indices", BOOL) \
    X(lhs_batch_dims, "lhs_batch_dims", INTS) \
    X(lhs_contracting_dims, "lhs_contracting_dims", INTS) \
    X(rhs_batch_dims, "rhs_batch_dims", INTS) \
    X(rhs_contracting_dims, "rhs_contracting_dims", INTS) \
    X(lhs_ragged_dims, "lhs_ragged_dims", INTS) \
    X(rhs_group_dims, "rhs_group_dims", INTS) \
    X(window, "window", WINDOW) \
    X(dim_labels, "dim_labels", DIM_LABELS) \
    X(feature_group_count, "feature_group_count", INT) \
    X(batch_group_count, "batch_group_count", INT) \
    X(convolution_kind, "convolution_kind", WORD) \
    X(padding_type, "padding_type", WORD) \
    X(operand_precision, "operand_precision", WORDS) \
    X(algorithm, "algorithm", WORD) \
    X(sparsity_config, "sparsity_config", RAW) \
    X(fft_type, "fft_type", WORD) \
    X(fft_length, "fft_length", INTS) \
    X(lower, "lower", BOOL) \
    X(left_side, "left_side", BOOL) \
    X(unit_diagonal, "unit_diagonal", BOOL) \
    X(transpose_a, "transpose_a", WORD) \
    X(num_carries, "num_carries", INT) \
    X(is_reverse, "is_reverse", BOOL) \
    X(is_associative, "is_associative", BOOL) \
    X(is_stable, "is_stable", BOOL) \
    X(k, "k", INT) \
    X(largest, "largest", BOOL) \
    X(epsilon, "epsilon", FLOAT) \
    X(feature_index, "feature_index", INT) \
    X(distribution, "distribution", WORD) \
    X(replica_groups, "replica_groups", GROUPS) \
    X(channel_id, "channel_id", INT) \
    X(mode, "mode", WORD) \
    X(constrain_layout, "constrain_layout", BOOL) \
    X(use_global_device_ids, "use_global_device_ids", BOOL) \
    X(source_target_pairs, "source_target_pairs", INTLISTS) \
    X(has_dynamic_root, "has_dynamic_root", BOOL) \
    X(is_host_transfer, "is_host_transfer", BOOL) \
    X(cross_program_prefetch_index, "cross_program_prefetch_index", INT) \
    X(infeed_config, "infeed_config", STR) \
    X(outfeed_config, "outfeed_config", STR) \
    X(outfeed_shape, "outfeed_shape", SHAPE) \
    X(kind, "kind", WORD) \
    X(domain, "domain", RAW) \
    X(custom_call_target, "custom_call_target", STR) \
    X(api_version, "api_version", WORD) \
    X(schedule, "schedule", WORD) \
    X(operand_layout_constraints, "operand_layout_constraints", SHAPES) \
    X(custom_call_has_side_effect, "custom_call_has_side_effect", BOOL) \
    X(literal, "literal", LITERAL) \
    X(output_to_operand_aliasing, "output_to_operand_aliasing", ALIASES) \
    X(is_composite, "is_composite", BOOL) \
    X(condition, "condition", COMP) \
    X(body, "body", COMP) \
    X(select, "select", COMP) \
    X(scatter, "scatter", COMP) \
    X(to_apply, "to_apply", COMP) \
    X(calls, "calls", COMP) \
    X(true_computation, "true_computation", COMP) \
    X(false_computation, "false_computation", COMP) \
    X(branch_computations, "branch_computations", COMPS) \
    X(called_computations, "called_computations", COMPS) \
    X(async_execution_thread, "async_execution_thread", STR) \
    X(parameter_replication, "parameter_replication", RAW) \
    XG_COMMON_ATTRS(X)
/* clang-format on */
/* Those that any instruction may carry. */
/* clang-format off */
#define XG_COMMON_ATTRS(X) \
    X(sharding, "sharding", SHARDING) \
    X(frontend_attributes, "frontend_attributes", RAW) \
    X(control_predecessors, "control-predecessors", INSTS) \
    X(statistics, "statistics", RAW) \
    X(result_accuracy, "result_accuracy", RAW) \
    X(origin, "origin", RAW) \
    X(metadata, "metadata", METADATA) \
    X(backend_config, "backend_config", CONFIG)
/* clang-format on */

#endif /* XG_HLO_OPS_H */
