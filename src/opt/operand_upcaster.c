/* opt/operand_upcaster.c -- OperandUpcaster and ResultCaster: operations whose types differ, with conversions around
 * them.
 *
 *   reduce, reduce-window       operands and initial values that are floats of another precision than the reducer's
 *   dot, convolution            sums of floats that are stated as integers or pred: the wider float, converted
 *
 * Products of floats of several precisions, and results that are wider or narrower floats, need none: kernels convert
 * elements as they read and write them. */
#ifndef XG_OPT_OPERAND_UPCASTER_C
#define XG_OPT_OPERAND_UPCASTER_C
#include "opt.h"

XG_FN xlagpu_type xg_upcast_reduced(const xg_inst *i, uint32_t k) {
    uint32_t n = i->n_operands / 2;
    return i->shape->type == XLAGPU_TUPLE ? i->shape->elems[k % n]->type : i->shape->type;
}
XG_FN bool xg_upcast_reduces(const xg_inst *i) {
    uint32_t k;
    if (i->op != XG_REDUCE && i->op != XG_REDUCE_WINDOW) return false;
    for (k = 0; k < i->n_operands; k++)
        if (XG_OPERAND(i, k)->shape->type != xg_upcast_reduced(i, k)) return true;
    return false;
}
XG_FN bool xg_upcast_multiplies(const xg_inst *i) {
    xlagpu_type l, r;
    if (i->op != XG_DOT && i->op != XG_CONVOLUTION) return false;
    l = XG_OPERAND(i, 0)->shape->type;
    r = XG_OPERAND(i, 1)->shape->type;
    return (xg_type_class(l) == XGT_F || xg_type_class(r) == XGT_F) && xg_type_class(i->shape->type) < XGT_F;
}
/* The float of the product, f32 if it is narrower. */
XG_FN xlagpu_type xg_upcast_product(const xg_inst *i) {
    return XG_OPERAND(i, 0)->shape->type == XLAGPU_F64 || XG_OPERAND(i, 1)->shape->type == XLAGPU_F64 ? XLAGPU_F64
                                                                                                      : XLAGPU_F32;
}

XG_FN bool xg_opt_operand_upcaster(xg_module *m) {
    bool changed = false;
    xg_comp *c;
    if (!m->made[XG_REDUCE] && !m->made[XG_REDUCE_WINDOW] && !m->made[XG_DOT] && !m->made[XG_CONVOLUTION]) return false;
    for (c = m->first; c; c = c->next) {
        xg_inst *i, *next;
        for (i = c->first; i; i = next) {
            xg_hb b = xg_hb_at(i);
            uint32_t k;
            next = xg_inst_behind(i);
            if (xg_upcast_reduces(i)) {
                for (k = 0; k < i->n_operands; k++)
                    xg_inst_set_operand(i, k, xg_hb_convert(&b, XG_OPERAND(i, k), xg_upcast_reduced(i, k)));
            } else if (xg_upcast_multiplies(i)) {
                const xg_shape *wide = xg_shape_with_type(m, i->shape, xg_upcast_product(i));
                xg_inst *in[2], *made;
                in[0] = XG_OPERAND(i, 0);
                in[1] = XG_OPERAND(i, 1);
                made = xg_hb_op(&b, i->op, wide, in, 2);
                xg_inst_take_attrs(made, i);
                made = xg_hb_of(&b, XG_CONVERT, i->shape, made);
                xg_inst_replace(i, made);
                xg_inst_remove(i);
            } else
                continue;
            changed = true;
        }
    }
    return changed;
}

#endif /* XG_OPT_OPERAND_UPCASTER_C */
