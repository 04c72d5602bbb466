/* emit/emitters.h -- the table of emitters, in order of priority: the first whose plan takes the fusion emits it.
 *
 * X(NAME, text, plan, emit)
 *   plan    bool (xg_fusion_emission *e)   whether it can and should: then the launch and the form into e->record, and
 *                                          into e->form what emit needs of them; else e->record->why may say why not
 *   emit    void (xg_fusion_emission *e)   the body of e->m->entry, by e->form: decides nothing again */
#ifndef XG_EMITTERS_H
#define XG_EMITTERS_H
/* clang-format off */
#define XG_EMITTERS(X) \
    XG_WHOLE(X(ROUNDS, "rounds", xg_emit_rounds_plan, xg_emit_rounds)) \
    XG_WHOLE(X(PHASES, "phases", xg_emit_phases_plan, xg_emit_phases)) \
    XG_WHOLE(X(MERGE, "merge", xg_emit_merge_plan, xg_emit_merge)) \
    XG_WHOLE(X(TOPK, "topk", xg_emit_topk_plan, xg_emit_topk)) \
    XG_WHOLE(X(SORT, "sort", xg_emit_sort_plan, xg_emit_sort)) \
    XG_WHOLE(X(FFT, "fft", xg_emit_fft_plan, xg_emit_fft)) \
    XG_WHOLE(X(TRIANGULAR, "triangular", xg_emit_triangular_plan, xg_emit_triangular)) \
    XG_WHOLE(X(SOLVER, "solver", xg_emit_solver_plan, xg_emit_solver)) \
    XG_WHOLE(X(ROWS, "rows", xg_emit_rows_plan, xg_emit_rows)) \
    X(REDUCTION, "reduction", xg_emit_reduction_plan, xg_emit_reduction) \
    X(TRANSPOSE, "transpose", xg_emit_transpose_plan, xg_emit_transpose) \
    X(SCATTER, "scatter", xg_emit_scatter_plan, xg_emit_scatter) \
    X(UPDATE, "in-place-dynamic-update-slice", xg_emit_update_plan, xg_emit_update) \
    X(SLICES, "input-slices", xg_emit_slices_plan, xg_emit_slices) \
    X(CONCATENATE, "concatenate", xg_emit_concatenate_plan, xg_emit_concatenate) \
    XG_WHOLE(X(SCAN, "scan", xg_emit_scan_plan, xg_emit_scan)) \
    XG_WHOLE(X(SCATTERED, "scattered-windows", xg_emit_scattered_plan, xg_emit_scattered)) \
    XG_WHOLE(X(SLIDING_ROWS, "sliding-rows", xg_emit_sliding_rows_plan, xg_emit_sliding_rows)) \
    XG_WHOLE(X(SLIDING, "sliding-windows", xg_emit_sliding_plan, xg_emit_sliding)) \
    XG_WHOLE(X(CONVOLUTION, "convolution", xg_emit_convolution_plan, xg_emit_convolution)) \
    X(LOOP, "loop", xg_emit_loop_plan, xg_emit_loop)
/* clang-format on */
#endif
