/* opt/allow_tf32.c -- what XLA does on its own on GPUs, and we when told to: products of f32 whose precision is the
 * default become those of tf32. The module says so itself afterwards, so that the evaluator, kernels and records agree.
 */
#ifndef XG_OPT_ALLOW_TF32_C
#define XG_OPT_ALLOW_TF32_C
#include "opt.h"

XG_FN bool xg_opt_may_be_tf32(const xg_inst *i) {
    const xg_attr *a = xg_inst_attr(i, XG_A_algorithm);
    return (i->op == XG_DOT || i->op == XG_RAGGED_DOT || i->op == XG_CONVOLUTION) &&
           XG_OPERAND(i, 0)->shape->type == XLAGPU_F32 && XG_OPERAND(i, 1)->shape->type == XLAGPU_F32 &&
           xg_inst_is_default_precision(i) && (!a || xg_str_is(*a->v.str, "unset"));
}
XG_FN void xg_opt_allow_tf32(xg_module *m) {
    xg_comp *c;
    for (c = m->first; c; c = c->next)
        XG_FOR_INSTS(i, c)
            if (xg_opt_may_be_tf32(i)) xg_inst_set_text(i, XG_A_algorithm, "dot_tf32_tf32_f32");
}

#endif /* XG_OPT_ALLOW_TF32_C */
