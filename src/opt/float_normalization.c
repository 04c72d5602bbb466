/* opt/float_normalization.c -- FloatNormalization: what the target does not compute on narrow floats, in f32 with
 * converts around it.
 *
 *     bf16 multiply(bf16 x, bf16 y)  ==>  bf16 convert(f32 multiply(f32 convert(x), f32 convert(y)))
 *
 * Kernels compute such operations in f32 anyhow (ptx/legalize.c), and round each result. The converts alone change no
 * bit and save nothing; but where two meet that the user does not insist on (xg_module.excess_precision),
 * simplify-fp-conversions takes them out, and a chain is rounded once, at its end, as XLA has it: the pipeline has
 * these passes there alone (kind EXCESS). On targets that convert in software a rounding costs more than what is
 * rounded.
 *
 * XG_FLOAT_OPS (opt.h) lists what is widened: operations that f32 and one more rounding give exactly, and that a target
 * may have of its own; which of them it has on bf16 the driver reads from the instruction table (xg_module.bf16_ops),
 * and no target has any on narrower types. Functions stay narrow: computed for the bits that bf16 keeps they are
 * shorter than what the rounding costs. So does the computation that a reduce applies: sums are carried in f32 there
 * without being asked to.
 *
 * Nor has a scatter to be asked for (scatter-sums): where memory does not add bf16, which is where the target does
 * not add it either, a sum takes a compare-and-swap for each element of the updates, and several where they meet. It is
 * made in f32, which memory adds everywhere, and rounded once. The wide array is written, read and rounded as a whole,
 * so the updates have to be a fair part of it. Sums in the order of the updates are no atomics, and stay. */
#ifndef XG_OPT_FLOAT_NORMALIZATION_C
#define XG_OPT_FLOAT_NORMALIZATION_C
#include "opt.h"

XG_FN int xg_float_op(xg_opcode op) {
    switch (op) {
#define X(hlo, kir) \
    case XG_##hlo: return XG_FLOAT_OP_##hlo;
        XG_FLOAT_OPS(X)
#undef X
    default: return -1;
    }
}
/* Is it computed on this type, which the target does not compute it on? */
XG_FN bool xg_float_widens(const xg_inst *i, xlagpu_type t) {
    int op = xg_float_op(i->op);
    if (op < 0 || !xg_shape_is_array(i->shape) || XG_OPERAND(i, 0)->shape->type != t || i->shape->dynamic) return false;
    return t != XLAGPU_BF16 || !(i->comp->module->bf16_ops >> op & 1);
}
XG_FN void xg_float_widen(xg_inst *i, xlagpu_type t) {
    xg_module *m = i->comp->module;
    xg_inst *in[3], *wide;
    xg_hb b;
    uint32_t k;
    b = xg_hb_at(i);
    for (k = 0; k < i->n_operands; k++) {
        in[k] = XG_OPERAND(i, k);
        if (in[k]->shape->type == t)
            in[k] = xg_hb_op(&b, XG_CONVERT, xg_shape_with_type(m, in[k]->shape, XLAGPU_F32), &XG_OPERAND(i, k), 1);
    }
    wide = xg_inst_clone(i, i->comp, in, i);
    if (i->op == XG_SCATTER) xg_inst_set_comp(wide, XG_A_to_apply, xg_hb_reducer(&b, XG_ADD, XLAGPU_F32));
    if (i->shape->type == t) {
        wide->shape = xg_shape_with_type(m, i->shape, XLAGPU_F32);
        wide = xg_hb_of(&b, XG_CONVERT, i->shape, wide);
    }
    xg_inst_replace(i, wide);
    xg_inst_remove(i);
}

XG_FN bool xg_float_normalize(xg_inst *i, xlagpu_type t) {
    if (!xg_float_widens(i, t)) return false;
    xg_float_widen(i, t);
    return true;
}

#define X(T) \
    XG_FN bool xg_float_widen_##T(xg_inst *i) { return xg_float_normalize(i, XLAGPU_##T); } \
    XG_FN bool xg_opt_float_normalization_##T(xg_module *m) { return xg_opt_each_step(m, xg_float_widen_##T); }
XG_FLOAT_NORMALIZATIONS(X)
#undef X

enum {
    XG_FLOAT_SUM_PART = 8 /* elements of the result for one of the updates: to swap takes as long as to round 10 */
};
XG_FN bool xg_float_widen_sum(xg_inst *i) {
    const xg_module *m = i->comp->module;
    if (i->op != XG_SCATTER || i->n_operands != 3 || i->shape->type != XLAGPU_BF16 || i->shape->dynamic ||
        m->deterministic || (m->bf16_ops >> XG_FLOAT_OP_ADD & 1) || xg_attr_or_0(i, XG_A_unique_indices) ||
        !xg_reducer_is_sum(xg_attr_to_apply(i)) ||
        i->shape->elements / XG_FLOAT_SUM_PART > XG_OPERAND(i, 2)->shape->elements)
        return false;
    xg_float_widen(i, XLAGPU_BF16);
    return true;
}
XG_FN bool xg_opt_scatter_sums(xg_module *m) { return m->made[XG_SCATTER] && xg_opt_each_step(m, xg_float_widen_sum); }

#endif /* XG_OPT_FLOAT_NORMALIZATION_C */
