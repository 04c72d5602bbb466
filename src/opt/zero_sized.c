/* opt/zero_sized.c -- ZeroSizedHloElimination: what has no elements is a constant without elements. And what is
 * gathered from an array without elements, or in windows without elements, is zero, as XLA has it: there is nothing
 * that a kernel may read. */
#ifndef XG_OPT_ZERO_SIZED_C
#define XG_OPT_ZERO_SIZED_C
#include "opt.h"

XG_FN bool xg_zero_matches(const xg_inst *i) {
    if (!xg_shape_is_array(i->shape) || i->shape->elements || i->shape->dynamic || i->op == XG_CONSTANT ||
        i->op == XG_PARAMETER)
        return false;
    if (xg_op_flags(i->op) & (XGF_EFFECT | XGF_COLL | XGF_START | XGF_DONE)) return false;
    return !xg_opt_is_control(i) && i->op != XG_CALL && i->op != XG_FUSION && !xg_inst_order(i);
}
XG_FN xg_inst *xg_zero_expand(const xg_hb *b, xg_inst *i) {
    return xg_hb_literal(b, xg_literal_new(b->comp->module->arena, i->shape));
}
XG_FN bool xg_opt_zero_sized(xg_module *m) {
    return m->made_empty && xg_opt_expand(m, xg_zero_matches, xg_zero_expand);
}

/* Windows of no elements along a dimension that collapses still make elements. */
XG_FN bool xg_zero_gathers(const xg_inst *i) {
    return i->op == XG_GATHER && i->shape->elements && !i->shape->dynamic &&
           (!XG_OPERAND(i, 0)->shape->elements || xg_ints_has(xg_attr_ints(i, XG_A_slice_sizes), 0));
}
XG_FN xg_inst *xg_zero_gather(const xg_hb *b, xg_inst *i) {
    return xg_hb_splat(b, xg_hb_int(b, i->shape->type, 0), i->shape->dims, i->shape->rank);
}
XG_FN bool xg_opt_zero_sized_gather(xg_module *m) {
    return xg_opt_expand_made(m, xg_zero_gathers, xg_zero_gather, XG_GATHER);
}

#endif /* XG_OPT_ZERO_SIZED_C */
