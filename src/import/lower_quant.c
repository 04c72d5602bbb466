/* import/lower_quant.c -- quantised tensors, as StableHLO's specification defines them: an operation on them is the
 * operation on the numbers that they express, rounded back. They lie in memory as their storage type. */
#ifndef XG_IMPORT_LOWER_QUANT_C
#define XG_IMPORT_LOWER_QUANT_C
#include "lower.h"
#include "ir.c"

/* Scales or zero points in the shape of x: one number, or one for each index of the axis. */
XG_FN xg_inst *xg_quant_numbers(xg_low *w, const xg_inst *x, const xg_ir_quant *q, bool zeros) {
    xg_literal *l;
    int64_t n = q->n;
    uint32_t k;
    if (q->axis < 0) return xg_hb_float_like(&w->b, x, zeros ? (double)q->zeros[0] : q->scales[0]);
    if (q->axis >= (int64_t)x->shape->rank || x->shape->dims[q->axis] != n)
        xg_ir_invalid(w->ir, w->op, "%u scales for dimension %lld", q->n, (long long)q->axis);
    l = xg_literal_new(w->arena, xg_hb_shape(&w->b, x->shape->type, &n, 1));
    for (k = 0; k < q->n; k++) xg_literal_set_float(l, k, zeros ? (double)q->zeros[k] : q->scales[k]);
    return xg_hb_broadcast(&w->b, xg_hb_literal(&w->b, l), x->shape->dims, x->shape->rank, &q->axis, 1);
}
XG_FN xg_inst *xg_low_dequantise(xg_low *w, xg_inst *x, const xg_ir_quant *q) { /* (x - zero) * scale */
    xg_inst *zero, *scale;
    x = xg_hb_convert(&w->b, x, q->expressed);
    zero = xg_quant_numbers(w, x, q, true);
    x = xg_hb_sub(&w->b, x, zero);
    scale = xg_quant_numbers(w, x, q, false);
    return xg_hb_mul(&w->b, x, scale);
}
/* clamp(round(x / scale) + zero) */
XG_FN xg_inst *xg_low_quantise(xg_low *w, xg_inst *x, const xg_ir_quant *q) {
    xg_inst *in[3], *y;
    if (x->shape->type != q->expressed)
        xg_ir_invalid(w->ir, w->op, "its quantised result expresses %s, not %s", xg_type_name(q->expressed),
            xg_type_name(x->shape->type));
    y = xg_quant_numbers(w, x, q, false);
    x = xg_hb_div(&w->b, x, y);
    x = xg_hb_1(&w->b, XG_ROUND_NEAREST_EVEN, x);
    y = xg_quant_numbers(w, x, q, true);
    in[1] = xg_hb_add(&w->b, x, y);
    in[0] = xg_hb_float_like(&w->b, x, (double)q->low);
    in[2] = xg_hb_float_like(&w->b, x, (double)q->high);
    x = xg_low_new(w, XG_CLAMP, x->shape, in, 3);
    return xg_hb_convert(&w->b, x, q->storage);
}
/* The bits of a quantised tensor are those of its storage. */
XG_FN xg_inst *xg_lower_bitcast_convert(xg_low *w, const xg_ir_op *op) {
    xg_inst **in = xg_low_stored_ins(w, op);
    (void)xg_low_array_0(w, op);
    (void)xg_low_shape(w, op, 0);
    return xg_low_new(w, XG_BITCAST_CONVERT, op->results[0].type->shape, in, 1);
}
/* What is quantised or dequantised on the way in and out is all that they do. */
XG_FN xg_inst *xg_lower_quantize(xg_low *w, const xg_ir_op *op) {
    if (op->n_results != 1 || !op->results[0].type->quant) xg_ir_invalid(w->ir, op, "its result is not quantised");
    return xg_low_array_0(w, op);
}
XG_FN xg_inst *xg_lower_dequantize(xg_low *w, const xg_ir_op *op) { return xg_low_array_0(w, op); }

#endif /* XG_IMPORT_LOWER_QUANT_C */
