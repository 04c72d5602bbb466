/* opt/simplify_fp_conversions.c -- SimplifyFPConversions: floats that are rounded to a narrower type only to come back
 * at once stay what they were.
 *
 *     f32 convert(bf16 convert(f32 x))  ==>  x
 *
 * The module asks for that rounding, so its result is another one: the pass does something only where the user allows
 * more precision than the module has (xg_module.excess_precision, --xla_allow_excess_precision). Chains of rounding
 * lose all but the last type; through integers nothing is left out. reduce-precision stays: whoever writes it means it.
 * What changes no result at all is algsimp's rule convert_convert, which always applies. */
#ifndef XG_OPT_SIMPLIFY_FP_CONVERSIONS_C
#define XG_OPT_SIMPLIFY_FP_CONVERSIONS_C
#include "opt.h"

XG_FN bool xg_fp_is_rounding(const xg_inst *i) {
    return i->op == XG_CONVERT && xg_type_class(i->shape->type) == XGT_F &&
           xg_type_class(XG_OPERAND(i, 0)->shape->type) == XGT_F;
}
/* At least as many values: none that the narrower type has is rounded by going through the wider one. */
XG_FN bool xg_fp_holds(xlagpu_type wide, xlagpu_type narrow) {
    const xg_float_format *w = xg_float_format_of(wide), *n = xg_float_format_of(narrow);
    return w && n && xg_float_holds(w, n) && w->has_infinity;
}
/* The first convert of the chain goes to a type that cannot hold what its operand can, and the last comes back to one
 * that holds it. */
XG_FN bool xg_fp_matches(const xg_inst *i) {
    const xg_inst *in;
    if (!xg_fp_is_rounding(i) || !xg_fp_is_rounding(in = XG_OPERAND(i, 0))) return false;
    return xg_fp_holds(i->shape->type, in->shape->type) &&
           xg_fp_holds(XG_OPERAND(in, 0)->shape->type, in->shape->type) && !XG_OPERAND(in, 0)->shape->dynamic;
}
XG_FN xg_inst *xg_fp_expand(const xg_hb *b, xg_inst *i) {
    return xg_hb_convert(b, XG_OPERAND(XG_OPERAND(i, 0), 0), i->shape->type);
}
XG_FN bool xg_opt_simplify_fp_conversions(xg_module *m) {
    return m->excess_precision && m->made[XG_CONVERT] && xg_opt_expand(m, xg_fp_matches, xg_fp_expand);
}

#endif /* XG_OPT_SIMPLIFY_FP_CONVERSIONS_C */
