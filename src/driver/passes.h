/* driver/passes.h -- every pass of every room, in the order in which it runs. This list is the pipeline.
 *
 * XG_HLO_PASSES: X(text, function, kind)   bool function(xg_module *)
 *     CLEAN    optimisation: --xla_disable_all_hlo_passes and --xla_disable_hlo_passes=name leave it out
 *     LOWER    needed to make kernels: always runs
 * XG_KIR_PASSES: X(text, function)         void function(xg_kmodule *), once per kernel */
#ifndef XG_DRIVER_PASSES_H
#define XG_DRIVER_PASSES_H

enum { XG_PASS_CLEAN = 0, XG_PASS_LOWER = 1 };

#define XG_HLO_PASSES(X) \
    X("call-inliner", xg_opt_call_inliner, XG_PASS_LOWER) \
    X("tuple-simplifier", xg_opt_tuple_simplifier, XG_PASS_LOWER) \
    X("constant-folding", xg_opt_constant_folding, XG_PASS_CLEAN) \
    X("dce", xg_opt_dce, XG_PASS_CLEAN) \
    X("flatten-call-graph", xg_opt_flatten_call_graph, XG_PASS_LOWER) \
    X("entry-layout", xg_opt_entry_layout, XG_PASS_LOWER) \
    X("constant-hoister", xg_fuse_hoist_constants, XG_PASS_LOWER) \
    X("fusion-wrapper", xg_fuse_wrap, XG_PASS_LOWER) \
    X("memory-scheduler", xg_plan_schedule, XG_PASS_LOWER)

#define XG_KIR_PASSES(X) \
    X("inline", xg_kir_inline) \
    X("canonicalize", xg_kir_canonicalize) \
    X("cse", xg_kir_cse) \
    X("lower-loops", xg_kir_lower_loops) \
    X("flatten-tensors", xg_kir_flatten_tensors) \
    X("simplify-indexing", xg_kir_simplify_indexing) \
    X("canonicalize", xg_kir_canonicalize) \
    X("cse", xg_kir_cse) \
    X("hoist", xg_kir_hoist) \
    X("vectorize-loads-stores", xg_kir_vectorize) \
    X("unroll-loops", xg_kir_unroll) \
    X("simplify-indexing", xg_kir_simplify_indexing) \
    X("canonicalize", xg_kir_canonicalize) \
    X("cse", xg_kir_cse) \
    X("lower-tensors", xg_kir_lower_tensors) \
    X("lower-indexing", xg_kir_lower_indexing) \
    X("canonicalize", xg_kir_canonicalize) \
    X("cse", xg_kir_cse) \
    X("hoist", xg_kir_hoist) \
    X("convert-index", xg_kir_convert_index) \
    X("canonicalize", xg_kir_canonicalize) \
    X("cse", xg_kir_cse)

#endif /* XG_DRIVER_PASSES_H */
