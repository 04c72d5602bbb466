/* emit/emitters.h -- the table of emitters, in order of priority: the first whose `match` accepts the fusion emits it.
 *
 * X(NAME, text, match, emit)
 *   match   bool (const xg_fusion_emission *e)   whether it can and should
 *   emit    void (xg_fusion_emission *e)         writes the entry function and the launch dimensions into
 * e->m->entry */
#ifndef XG_EMITTERS_H
#define XG_EMITTERS_H
/* clang-format off */
#define XG_EMITTERS(X) \
    X(MERGE, "merge", xg_emit_merge_match, xg_emit_merge) \
    X(TOPK, "topk", xg_emit_topk_match, xg_emit_topk) \
    X(SORT, "sort", xg_emit_sort_match, xg_emit_sort) \
    X(FFT, "fft", xg_emit_fft_match, xg_emit_fft) \
    X(TRIANGULAR, "triangular", xg_emit_triangular_match, xg_emit_triangular) \
    X(SOLVER, "solver", xg_emit_solver_match, xg_emit_solver) \
    X(ROWS, "rows", xg_emit_rows_match, xg_emit_rows) \
    X(REDUCTION, "reduction", xg_emit_reduction_match, xg_emit_reduction) \
    X(TRANSPOSE, "transpose", xg_emit_transpose_match, xg_emit_transpose) \
    X(SCATTER, "scatter", xg_emit_scatter_match, xg_emit_scatter) \
    X(UPDATE, "in-place-dynamic-update-slice", xg_emit_update_match, xg_emit_update) \
    X(SLICES, "input-slices", xg_emit_slices_match, xg_emit_slices) \
    X(CONCATENATE, "concatenate", xg_emit_concatenate_match, xg_emit_concatenate) \
    X(SCAN, "scan", xg_emit_scan_match, xg_emit_scan) \
    X(SCATTERED, "scattered-windows", xg_emit_scattered_match, xg_emit_scattered) \
    X(SLIDING_ROWS, "sliding-rows", xg_emit_sliding_rows_match, xg_emit_sliding_rows) \
    X(SLIDING, "sliding-windows", xg_emit_sliding_match, xg_emit_sliding) \
    X(LOOP, "loop", xg_emit_loop_match, xg_emit_loop)
/* clang-format on */
#endif
