/* opt/all_reduce_promotion.c -- AllReducePromotion: sums of elements that no library reduces are made in a wider type.
 *
 *     all-reduce(x s16)   ==>   convert(all-reduce(convert(x) s32)) to s16
 *
 * and reduce-scatter alike. Integers wrap as they did: what a sum or product has beyond the narrow type's bits is cut
 * off in the end. Floats of 8 bits and fewer are added in f32 and rounded once. */
#ifndef XG_OPT_ALL_REDUCE_PROMOTION_C
#define XG_OPT_ALL_REDUCE_PROMOTION_C
#include "opt.h"

/* In which type devices reduce it; its own: as it is. */
XG_FN xlagpu_type xg_promotion_of(xlagpu_type t) {
    int bits = xg_type_bits(t);
    switch (xg_type_class(t)) {
    case XGT_I:
        if (bits == 16) return t == XLAGPU_S16 ? XLAGPU_S32 : XLAGPU_U32;
        return bits >= 8 ? t : xg_type_signed(t) ? XLAGPU_S8 : XLAGPU_U8;
    case XGT_F: return bits <= 8 ? XLAGPU_F32 : t;
    default: return t;
    }
}
XG_FN bool xg_promotion_wanted(const xg_inst *i) {
    const xg_comp *by = i->op == XG_ALL_REDUCE || i->op == XG_REDUCE_SCATTER ? xg_attr_to_apply(i) : NULL;
    xlagpu_type t;
    uint32_t k;
    if (!by || !i->n_operands || xg_opt_device_reducer(i) < 0) return false;
    t = XG_OPERAND(i, 0)->shape->type;
    for (k = 1; k < i->n_operands; k++)
        if (XG_OPERAND(i, k)->shape->type != t) return false;
    return xg_promotion_of(t) != t;
}
XG_APART XG_FN void xg_promotion_do(xg_inst *i) {
    xg_module *m = i->comp->module;
    xg_hb b = xg_hb_at(i);
    xlagpu_type t = XG_OPERAND(i, 0)->shape->type, wide = xg_promotion_of(t);
    bool tuple = i->shape->type == XLAGPU_TUPLE;
    xg_inst **in = XG_NEW_N(m->work, xg_inst *, (size_t)i->n_operands + 1), *made;
    const xg_shape **shapes = XG_NEW_N(m->work, const xg_shape *, (size_t)i->n_operands + 1);
    uint32_t k;
    for (k = 0; k < i->n_operands; k++) {
        in[k] = xg_hb_convert(&b, XG_OPERAND(i, k), wide);
        shapes[k] = xg_shape_with_type(m, tuple ? i->shape->elems[k] : i->shape, wide);
    }
    made = xg_hb_op(&b, i->op, tuple ? xg_shape_tuple(m, shapes, i->n_operands) : shapes[0], in, i->n_operands);
    xg_inst_take_attrs(made, i);
    xg_inst_set_comp(made, XG_A_to_apply, xg_hb_reducer(&b, (xg_opcode)xg_reducer_opcode(xg_attr_to_apply(i)), wide));
    for (k = 0; k < i->n_operands; k++) in[k] = xg_hb_convert(&b, tuple ? xg_hb_element(&b, made, k) : made, t);
    xg_inst_replace(i, tuple ? xg_hb_tuple(&b, in, i->n_operands) : in[0]);
    xg_inst_remove(i);
}

XG_FN bool xg_opt_all_reduce_promotion(xg_module *m) {
    bool changed = false;
    xg_comp *c;
    xg_inst *i, *next;
    if (!m->made[XG_ALL_REDUCE] && !m->made[XG_REDUCE_SCATTER]) return false;
    for (c = m->first; c; c = c->next)
        for (i = c->first; i; i = next) {
            next = xg_inst_behind(i);
            if (!xg_promotion_wanted(i)) continue;
            xg_promotion_do(i);
            changed = true;
        }
    return changed;
}

#endif /* XG_OPT_ALL_REDUCE_PROMOTION_C */
