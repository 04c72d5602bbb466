/* eval/small.h -- what the evaluator of a small build refuses by name. It is there for constants: elementwise
 * operations, data movement, reductions, control flow. A constant that would need more stays an instruction. */
#ifndef XG_EVAL_SMALL_H
#define XG_EVAL_SMALL_H
#include "eval.h"

#ifdef XLAGPU_SMALL

XG_COLD XG_FN xg_value *xg_eval_left_out(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    (void)r;
    (void)in;
    xg_hlo_left_out(i, "the evaluator of all but elementwise operations, data movement and reductions is");
}
#define XG_EVAL_LACKS_dot ~, xg_eval_left_out
#define XG_EVAL_LACKS_convolution ~, xg_eval_left_out
#define XG_EVAL_LACKS_ragged_dot ~, xg_eval_left_out
#define XG_EVAL_LACKS_scaled_dot ~, xg_eval_left_out
#define XG_EVAL_LACKS_gather ~, xg_eval_left_out
#define XG_EVAL_LACKS_scatter ~, xg_eval_left_out
#define XG_EVAL_LACKS_sort ~, xg_eval_left_out
#define XG_EVAL_LACKS_topk ~, xg_eval_left_out
#define XG_EVAL_LACKS_fft ~, xg_eval_left_out
#define XG_EVAL_LACKS_batch_norm_training ~, xg_eval_left_out
#define XG_EVAL_LACKS_batch_norm_inference ~, xg_eval_left_out
#define XG_EVAL_LACKS_batch_norm_grad ~, xg_eval_left_out
#define XG_EVAL_LACKS_rng ~, xg_eval_left_out
#define XG_EVAL_LACKS_rng_bit_generator ~, xg_eval_left_out
#define XG_EVAL_LACKS_rng_get_and_update_state ~, xg_eval_left_out
#define XG_EVAL_LACKS_select_and_scatter ~, xg_eval_left_out
#define XG_EVAL_LACKS_reduce_window ~, xg_eval_left_out
#define XG_EVAL_LACKS_scan ~, xg_eval_left_out
#define XG_EVAL_LACKS_collective ~, xg_eval_left_out
#define XG_EVAL_LACKS_send ~, xg_eval_left_out
#define XG_EVAL_LACKS_send_done ~, xg_eval_left_out
#define XG_EVAL_LACKS_recv ~, xg_eval_left_out
#define XG_EVAL_LACKS_recv_done ~, xg_eval_left_out
#define XG_EVAL_LACKS_infeed ~, xg_eval_left_out
#define XG_EVAL_LACKS_outfeed ~, xg_eval_left_out
#define XG_EVAL_LACKS_replica_id ~, xg_eval_left_out
#define XG_EVAL_LACKS_partition_id ~, xg_eval_left_out
#define XG_EVAL_LACKS_copy_start ~, xg_eval_left_out
#define XG_EVAL_LACKS_copy_done ~, xg_eval_left_out
#define XG_EVAL_LACKS_async_start ~, xg_eval_left_out
#define XG_EVAL_LACKS_async_done ~, xg_eval_left_out
#define XG_EVAL_LACKS_cholesky ~, xg_eval_left_out
#define XG_EVAL_LACKS_triangular_solve ~, xg_eval_left_out
#define XG_EVAL_LACKS_set_dimension_size ~, xg_eval_left_out
#define XG_EVAL_LACKS_dynamic_reshape ~, xg_eval_left_out
#define XG_EVAL_LACKS_map ~, xg_eval_left_out

/* Dimensions are what shapes say. */
#define XG_EVAL_IS_DYNAMIC(r) false

/* The function of a word of the column "eval" in ops.h: left_out, where there is a line for it above. */
#define XG_EVAL_SECOND(a, b, ...) b
#define XG_EVAL_PICK(lacks, otherwise) XG_EVAL_SECOND(lacks, otherwise, ~)
#define XG_EVAL_FUNCTION(word) XG_EVAL_PICK(XG_EVAL_LACKS_##word, xg_eval_##word)
#endif
#endif /* XG_EVAL_SMALL_H */
