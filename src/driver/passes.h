/* driver/passes.h -- every pass of every room, in the order in which it runs. This list is the pipeline.
 *
 * XG_HLO_PHASES: X(NAME, text, ROUNDS)            a pipeline in XLA's sense, under XLA's name where it has one
 *     ROUNDS   1: its passes run once. More: they run again until none of them has anything to do, at most so many
 *              times.
 * XG_HLO_PASSES: X(PHASE, text, function, KIND)   bool function(xg_module *): changes the module to the pass's own
 *     fixed point and says whether it did
 *     OPTIONAL   optimisation: --xla_disable_all_hlo_passes and --xla_disable_hlo_passes=name leave it out, and a
 *                scheduled module is spared it
 *     EXCESS     as OPTIONAL, and left out unless more precision than the module asks for is allowed
 *                (--xla_allow_excess_precision): nothing comes of it otherwise
 *     NAMED      runs only where it is asked for by name: it makes another module, for other devices
 *                or to be compared
 *     REQUIRED   needed to make kernels: always runs, and to switch it off by name is an error
 *     A pass may stand in several phases; its name switches it off in all of them.
 * XG_KIR_PASSES: X(text, function, targets)       void function(xg_kmodule *), once per kernel; ALL, or GPU alone:
 *                                                 lanes of a processor are threads, whose addresses LLVM must see */
#ifndef XG_DRIVER_PASSES_H
#define XG_DRIVER_PASSES_H

enum {
    XG_PASS_OPTIONAL = 0,
    XG_PASS_REQUIRED = 1,
    XG_PASS_EXCESS = 2,
    XG_PASS_NAMED = 3
};

/* clang-format off */
#define XG_HLO_PHASES(X) \
    X(PRE, "pre-optimization", 1) \
    X(EXPAND, "optimization", 1) \
    X(SIMPLIFY, "simplification", 25) \
    X(CANON, "canonicalization", 1) \
    X(SIMPLIFY2, "simplification-2", 25) \
    X(COLLECTIVE, "collective-optimizations", 1) \
    X(LAYOUT, "layout-assignment", 1) \
    X(FUSION, "fusion", 1) \
    X(SCHEDULE, "scheduling", 1)
/* clang-format on */

/* clang-format off */
#define XG_HLO_PASSES(X) \
    XG_WHOLE(X(PRE, "sharding-propagation", xg_spmd_sharding_propagation, NAMED)) \
    XG_WHOLE(X(PRE, "spmd-partitioner", xg_spmd_partitioner, NAMED)) \
    XG_WHOLE(X(PRE, "canonical-order", xg_opt_canonical_order, NAMED)) \
    XG_WHOLE(X(PRE, "canonical-names", xg_opt_canonical_names, NAMED)) \
    XG_WHOLE(X(PRE, "strip-metadata", xg_opt_strip_metadata, NAMED)) \
    X(PRE, "tiled-layout-normalization", xg_opt_tiled_layouts, REQUIRED) \
    X(PRE, "library_calls", xg_expand_library_calls, REQUIRED) \
    X(PRE, "defuser", xg_opt_defuser, REQUIRED) \
    X(PRE, "bitcast_types", xg_opt_bitcast_types, REQUIRED) \
    X(PRE, "operand_upcaster", xg_opt_operand_upcaster, REQUIRED) \
    X(PRE, "zero-sized-gather", xg_opt_zero_sized_gather, REQUIRED) \
    XG_WHOLE(X(PRE, "host-offloader", xg_opt_host_offloader, REQUIRED)) \
    XG_WHOLE(X(PRE, "gpu-convert-async-collectives-to-sync", xg_opt_async_to_sync, REQUIRED)) \
    X(PRE, "call-inliner", xg_opt_call_inliner, REQUIRED) \
    XG_WHOLE(X(PRE, "transfers-to-permutes", xg_opt_transfers_to_permutes, REQUIRED)) \
    X(PRE, "fusion-legalizer", xg_opt_fusion_legalizer, REQUIRED) \
    X(PRE, "tuple-simplifier", xg_opt_tuple_simplifier, REQUIRED) \
    XG_WHOLE(X(EXPAND, "all-reduce-simp", xg_opt_collective_simplifier, REQUIRED)) \
    XG_WHOLE(X(EXPAND, "scan_expander", xg_expand_scan_expander, REQUIRED)) \
    XG_WHOLE(X(EXPAND, "associative-scan-finder", xg_expand_scan_finder, OPTIONAL)) \
    XG_WHOLE(X(EXPAND, "dynamic_padder", xg_expand_dynamic_padder, REQUIRED)) \
    XG_WHOLE(X(EXPAND, "library-rewriter", xg_expand_library_rewriter, REQUIRED)) \
    XG_WHOLE(X(EXPAND, "fft_expander", xg_expand_fft_expander, REQUIRED)) \
    XG_WHOLE(X(EXPAND, "cholesky_expander", xg_expand_linear_expander, REQUIRED)) \
    XG_WHOLE(X(EXPAND, "solver_calls", xg_expand_solver_calls, REQUIRED)) \
    XG_WHOLE(X(EXPAND, "topk-calls", xg_opt_topk_calls, REQUIRED)) \
    XG_WHOLE(X(EXPAND, "rng-expander", xg_expand_random_expander, REQUIRED)) \
    XG_WHOLE(X(EXPAND, "ragged-dot-finder", xg_expand_ragged_finder, OPTIONAL)) \
    XG_WHOLE(X(EXPAND, "ragged-dot-rewriter", xg_expand_contract_expander, REQUIRED)) \
    XG_WHOLE(X(EXPAND, "batch-norm-rewriter", xg_expand_batch_norm_rewriter, REQUIRED)) \
    X(EXPAND, "batchnorm_expander", xg_expand_batch_norm_expander, REQUIRED) \
    XG_WHOLE(X(EXPAND, "select_and_scatter_expander", xg_expand_select_and_scatter_expander, OPTIONAL)) \
    X(SIMPLIFY, "zero_sized_hlo_elimination", xg_opt_zero_sized, OPTIONAL) \
    X(SIMPLIFY, "algsimp", xg_algsimp, OPTIONAL) \
    XG_WHOLE(X(SIMPLIFY, "simplify-sorts", xg_opt_sort_simplifier, OPTIONAL)) \
    XG_WHOLE(X(SIMPLIFY, "topk-rewriter", xg_opt_topk_rewriter, OPTIONAL)) \
    X(SIMPLIFY, "tuple-simplifier", xg_opt_tuple_simplifier, REQUIRED) \
    XG_WHOLE(X(SIMPLIFY, "simplify-while-loops", xg_opt_while_simplifier, OPTIONAL)) \
    X(SIMPLIFY, "constant_folding", xg_opt_constant_folding, OPTIONAL) \
    XG_WHOLE(X(SIMPLIFY, "conditional-code-motion", xg_opt_conditional_code_motion, OPTIONAL)) \
    XG_WHOLE(X(SIMPLIFY, "simplify-conditional", xg_opt_conditional_simplifier, OPTIONAL)) \
    XG_WHOLE(X(SIMPLIFY, "gather_simplifier", xg_opt_gather_simplifier, OPTIONAL)) \
    XG_WHOLE(X(SIMPLIFY, "scatter_simplifier", xg_opt_scatter_simplifier, OPTIONAL)) \
    X(SIMPLIFY, "cse", xg_opt_cse, OPTIONAL) \
    X(SIMPLIFY, "dce", xg_opt_dce, OPTIONAL) \
    XG_WHOLE(X(CANON, "topk-splitter", xg_fuse_topk_splitter, OPTIONAL)) \
    XG_WHOLE(X(CANON, "sort-networks", xg_fuse_sort_networks, OPTIONAL)) \
    XG_WHOLE(X(CANON, "joined-splitter", xg_opt_joined_splitter, OPTIONAL)) \
    XG_WHOLE(X(CANON, "conv-rewriter", xg_expand_conv_rewriter, REQUIRED)) \
    XG_WHOLE(X(CANON, "scatter-winners", xg_opt_scatter_winners, OPTIONAL)) \
    XG_WHOLE(X(CANON, "scatter-sums", xg_opt_scatter_sums, OPTIONAL)) \
    XG_WHOLE(X(CANON, "nibble-unpacking", xg_alg_unpack, OPTIONAL)) \
    X(CANON, "dot_dimension_sorter", xg_opt_dot_dimension_sorter, OPTIONAL) \
    X(CANON, "dot_dimension_merger", xg_opt_dot_dimension_merger, OPTIONAL) \
    XG_WHOLE(X(CANON, "dot-strength-reduction", xg_opt_dot_strength_reduction, OPTIONAL)) \
    XG_WHOLE(X(CANON, "float-normalization-bf16", xg_opt_float_normalization_BF16, EXCESS)) \
    XG_WHOLE(X(CANON, "float-normalization-f8e5m2", xg_opt_float_normalization_F8E5M2, EXCESS)) \
    XG_WHOLE(X(CANON, "float-normalization-f8e4m3", xg_opt_float_normalization_F8E4M3, EXCESS)) \
    XG_WHOLE(X(CANON, "float-normalization-f8e4m3fn", xg_opt_float_normalization_F8E4M3FN, EXCESS)) \
    XG_WHOLE(X(CANON, "float-normalization-f8e4m3b11fnuz", xg_opt_float_normalization_F8E4M3B11FNUZ, EXCESS)) \
    XG_WHOLE(X(CANON, "float-normalization-f8e5m2fnuz", xg_opt_float_normalization_F8E5M2FNUZ, EXCESS)) \
    XG_WHOLE(X(CANON, "float-normalization-f8e4m3fnuz", xg_opt_float_normalization_F8E4M3FNUZ, EXCESS)) \
    XG_WHOLE(X(CANON, "float-normalization-f8e3m4", xg_opt_float_normalization_F8E3M4, EXCESS)) \
    XG_WHOLE(X(CANON, "float-normalization-f4e2m1fn", xg_opt_float_normalization_F4E2M1FN, EXCESS)) \
    XG_WHOLE(X(CANON, "float-normalization-f8e8m0fnu", xg_opt_float_normalization_F8E8M0FNU, EXCESS)) \
    XG_WHOLE(X(SIMPLIFY2, "simplify-fp-conversions", xg_opt_simplify_fp_conversions, EXCESS)) \
    X(SIMPLIFY2, "algsimp", xg_algsimp, OPTIONAL) \
    X(SIMPLIFY2, "constant_folding", xg_opt_constant_folding, OPTIONAL) \
    X(SIMPLIFY2, "cse", xg_opt_cse, OPTIONAL) \
    X(SIMPLIFY2, "dce", xg_opt_dce, OPTIONAL) \
    XG_WHOLE(X(COLLECTIVE, "all-reduce-simp", xg_opt_collective_simplifier, REQUIRED)) \
    XG_WHOLE(X(COLLECTIVE, "all-reduce-reassociate", xg_opt_all_reduce_reassociate, OPTIONAL)) \
    XG_WHOLE(X(COLLECTIVE, "all-reduce-folder", xg_opt_all_reduce_folder, OPTIONAL)) \
    XG_WHOLE(X(COLLECTIVE, "while-loop-all-reduce-code-motion", xg_opt_while_all_reduce, OPTIONAL)) \
    XG_WHOLE(X(COLLECTIVE, "reduce-scatter-creator", xg_opt_reduce_scatter_creator, OPTIONAL)) \
    XG_WHOLE(X(COLLECTIVE, "collective-rules", xg_opt_collective_rules, OPTIONAL)) \
    XG_WHOLE(X(COLLECTIVE, "all-reduce-promotion", xg_opt_all_reduce_promotion, REQUIRED)) \
    XG_WHOLE(X(COLLECTIVE, "windowed-einsum-handler", xg_plan_windowed_einsum, OPTIONAL)) \
    XG_WHOLE(X(COLLECTIVE, "windowed-einsum-everywhere", xg_plan_windowed_everywhere, NAMED)) \
    X(COLLECTIVE, "dce", xg_opt_dce, OPTIONAL) \
    XG_WHOLE(X(COLLECTIVE, "all-gather-combiner", xg_plan_all_gather_combiner, OPTIONAL)) \
    XG_WHOLE(X(COLLECTIVE, "all-reduce-combiner", xg_plan_all_reduce_combiner, OPTIONAL)) \
    XG_WHOLE(X(COLLECTIVE, "reduce-scatter-combiner", xg_plan_reduce_scatter_combiner, OPTIONAL)) \
    XG_WHOLE(X(COLLECTIVE, "collective-canonicalizer", xg_opt_collective_canonicalizer, REQUIRED)) \
    X(COLLECTIVE, "dce", xg_opt_dce, OPTIONAL) \
    XG_WHOLE(X(COLLECTIVE, "async-collective-creator", xg_opt_async_collectives, NAMED)) \
    XG_WHOLE(X(LAYOUT, "attention-split", xg_attention_split, OPTIONAL)) \
    XG_WHOLE(X(LAYOUT, "convolution-to-columns", xg_tile_conv_columns, OPTIONAL)) \
    XG_WHOLE(X(LAYOUT, "convolution-layouts", xg_tile_conv_layouts, OPTIONAL)) \
    XG_WHOLE(X(LAYOUT, "dot-algorithm-rewriter", xg_tile_dot_algorithm, OPTIONAL)) \
    XG_WHOLE(X(LAYOUT, "split-k", xg_tile_split_k, OPTIONAL)) \
    X(LAYOUT, "while_loop_trip_count_annotator", xg_opt_trip_count_annotator, OPTIONAL) \
    X(LAYOUT, "flatten-call-graph", xg_opt_flatten_call_graph, REQUIRED) \
    X(LAYOUT, "forget-layouts", xg_opt_forget_layouts, OPTIONAL) \
    X(LAYOUT, "entry-layout", xg_opt_entry_layout, REQUIRED) \
    X(LAYOUT, "layout-assignment", xg_opt_layout_assignment, OPTIONAL) \
    X(LAYOUT, "layout_normalization", xg_opt_layout_normalization, OPTIONAL) \
    XG_WHOLE(X(LAYOUT, "byte-operand-transposer", xg_tile_byte_rows, OPTIONAL)) \
    X(LAYOUT, "cse", xg_opt_cse, OPTIONAL) \
    X(LAYOUT, "dce", xg_opt_dce, OPTIONAL) \
    XG_WHOLE(X(FUSION, "attention-backward-fusion", xg_attention_back_fuse, OPTIONAL)) \
    XG_WHOLE(X(FUSION, "attention-fusion", xg_attention_fuse, OPTIONAL)) \
    XG_WHOLE(X(FUSION, "narrow-product-fusion", xg_f8_fuse, OPTIONAL)) \
    XG_WHOLE(X(FUSION, "grouped-contraction-fusion", xg_grouped_fusion_pass, OPTIONAL)) \
    X(FUSION, "dce", xg_opt_dce, OPTIONAL) \
    XG_WHOLE(X(FUSION, "while-loop-fusion", xg_fuse_loops, OPTIONAL)) \
    XG_WHOLE(X(FUSION, "reduce-reuse", xg_opt_reduce_reuse, OPTIONAL)) \
    XG_WHOLE(X(FUSION, "row-fusion", xg_fuse_allow_rows, OPTIONAL)) \
    XG_WHOLE(X(FUSION, "row-splitter", xg_opt_row_splitter, OPTIONAL)) \
    XG_WHOLE(X(FUSION, "tree-reduction-rewriter", xg_opt_tree_reduction, OPTIONAL)) \
    XG_WHOLE(X(FUSION, "scan-splitter", xg_opt_scan_splitter, OPTIONAL)) \
    X(FUSION, "concatenate-splitter", xg_opt_concatenate_splitter, REQUIRED) \
    X(FUSION, "constant-hoister", xg_fuse_hoist_constants, REQUIRED) \
    XG_WHOLE(X(FUSION, "sort-slices", xg_fuse_sort_slices, OPTIONAL)) \
    XG_WHOLE(X(FUSION, "scatter-operands", xg_fuse_scatter_operands, OPTIONAL)) \
    X(FUSION, "priority-fusion", xg_fuse_priority, OPTIONAL) \
    XG_WHOLE(X(FUSION, "fft-splitter", xg_fuse_split_ffts, REQUIRED)) \
    XG_WHOLE(X(FUSION, "fft-fusion", xg_fuse_ffts, OPTIONAL)) \
    XG_WHOLE(X(FUSION, "sort-splitter", xg_fuse_split_sorts, REQUIRED)) \
    X(FUSION, "fusion-wrapper", xg_fuse_wrap, REQUIRED) \
    X(FUSION, "tuple-simplifier", xg_opt_tuple_simplifier, REQUIRED) \
    XG_WHOLE(X(FUSION, "rematerialization", xg_fuse_rematerialize, OPTIONAL)) \
    XG_WHOLE(X(FUSION, "operand-combiner", xg_fuse_combine_operands, OPTIONAL)) \
    X(FUSION, "dce", xg_opt_dce, OPTIONAL) \
    XG_WHOLE(X(FUSION, "small-kernel-joining", xg_fuse_join_small, OPTIONAL)) \
    XG_WHOLE(X(SCHEDULE, "loop-double-buffer-transformer", xg_fuse_double_buffer, OPTIONAL)) \
    X(SCHEDULE, "tuple-simplifier", xg_opt_tuple_simplifier, REQUIRED) \
    X(SCHEDULE, "dce", xg_opt_dce, OPTIONAL) \
    XG_WHOLE(X(SCHEDULE, "schedule-reader", xg_schedule_kernels, REQUIRED)) \
    X(SCHEDULE, "kernel-choice", xg_choice_kernels, REQUIRED) \
    XG_WHOLE(X(SCHEDULE, "row-epilogue-fusion", xg_choice_rows, OPTIONAL)) \
    X(SCHEDULE, "memory-scheduler", xg_plan_schedule, REQUIRED) \
    XG_WHOLE(X(SCHEDULE, "hlo-rematerialization", xg_plan_rematerialize, REQUIRED))
/* clang-format on */

/* clang-format off */
#define XG_KIR_PASSES(X) \
    X("lower-shuffles", xg_kir_lower_shuffles, ALL) \
    X("inline", xg_kir_inline, ALL) \
    X("lower-loops", xg_kir_lower_loops, ALL) \
    X("flatten-tensors", xg_kir_flatten_tensors, ALL) \
    X("simplify-indexing", xg_kir_simplify_indexing, ALL) \
    X("hoist", xg_kir_hoist, ALL) \
    X("vectorize-loads-stores", xg_kir_vectorize, GPU) \
    X("unroll-loops", xg_kir_unroll, ALL) \
    X("simplify-indexing", xg_kir_simplify_indexing, ALL) \
    X("canonicalize", xg_kir_canonicalize, ALL) \
    X("cse", xg_kir_cse, ALL) \
    X("lower-tensors", xg_kir_lower_tensors, ALL) \
    X("lower-indexing", xg_kir_lower_indexing, ALL) \
    X("hoist", xg_kir_hoist, ALL) \
    X("convert-index", xg_kir_convert_index, ALL) \
    X("unroll-lowered-loops", xg_kir_unroll_lowered, ALL) \
    X("canonicalize", xg_kir_canonicalize, ALL) \
    X("cse", xg_kir_cse, ALL) \
    X("widen-loads", xg_kir_widen_loads, GPU) \
    X("step-pointers", xg_kir_step_pointers, GPU) \
    X("sink", xg_kir_sink, GPU) \
    X("async-copies", xg_kir_async_copies, GPU)
/* clang-format on */

#endif /* XG_DRIVER_PASSES_H */
