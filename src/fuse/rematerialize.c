/* fuse/rematerialize.c -- what a fusion makes out of nothing (an iota, a splat, simple arithmetic of these) lies in no
 * memory: each fusion that reads it makes it again.
 *
 * Priority fusion does so for readers that it can fuse into; this is for those that it leaves alone, a sort of keys
 * with their places above all. */
#ifndef XG_FUSE_REMATERIALIZE_C
#define XG_FUSE_REMATERIALIZE_C
#include "fuse.h"

enum {
    XG_REMAT_OPS_MAX = 8,
    XG_REMAT_COST_MAX = 2
};

/* Counts what the value is made of; false: of a parameter, or at some cost. */
XG_FN bool xg_remat_is_cheap(const xg_inst *i, uint32_t *ops) {
    bool free = i->op == XG_IOTA || i->op == XG_BROADCAST || (i->op == XG_CONSTANT && i->shape->rank == 0) ||
                xg_in_place_renames(i);
    uint32_t k;
    if (++*ops > XG_REMAT_OPS_MAX || !xg_shape_is_array(i->shape)) return false;
    if (!free && (!(xg_op_flags(i->op) & XGF_EW) || xg_cost_op(i) > XG_REMAT_COST_MAX)) return false;
    for (k = 0; k < i->n_operands; k++)
        if (!xg_remat_is_cheap(XG_OPERAND(i, k), ops)) return false;
    return true;
}
/* May the fusion make it itself? Not what it updates in place, and not what it only passes on. */
XG_FN bool xg_remat_takes(const xg_inst *fusion, const xg_inst *value) {
    const xg_comp *c;
    uint32_t k;
    if (fusion->op != XG_FUSION || xg_inst_attr(fusion, XG_A_output_to_operand_aliasing)) return false;
    c = xg_attr_calls(fusion);
    if (c->n_params != fusion->n_operands) return false;
    for (k = 0; k < fusion->n_operands; k++) {
        if (XG_OPERAND(fusion, k) != value) continue;
        if (c->params[k] == c->root) return false;
        XG_FOR_USES(u, c->params[k])
            if (u->user->op == XG_TUPLE || u->user->op == XG_DYNAMIC_UPDATE_SLICE || u->user->op == XG_SCATTER)
                return false;
    }
    return true;
}
XG_FN const xg_inst *xg_remat_source(const xg_inst *value) {
    const xg_inst *maker = value->op == XG_GET_TUPLE_ELEMENT ? XG_OPERAND(value, 0) : value;
    if (maker->op != XG_FUSION || !xg_shape_is_array(value->shape)) return NULL;
    if (maker == value && maker->n_operands) return NULL; /* which it is made of */
    return xg_fuse_leaf(xg_attr_calls(maker), (uint32_t)(maker == value ? 0 : xg_attr_index(value)));
}

XG_FN xg_inst *xg_remat_copy(xg_inst *i, xg_comp *to, xg_inst *before) {
    xg_inst **operands = XG_NEW_N(to->module->arena, xg_inst *, (size_t)i->n_operands + 1);
    uint32_t k;
    for (k = 0; k < i->n_operands; k++) operands[k] = xg_remat_copy(XG_OPERAND(i, k), to, before);
    return xg_inst_clone(i, to, operands, before);
}
XG_FN void xg_remat_into(xg_inst *fusion, const xg_inst *value, const xg_inst *source) {
    xg_comp *c = xg_attr_calls(fusion);
    xg_inst *before = c->first, *from;
    uint32_t k;
    while (before && before->op == XG_PARAMETER) before = before->next;
    memcpy(&from, &source, sizeof from);
    for (k = 0; k < fusion->n_operands; k++)
        if (XG_OPERAND(fusion, k) == value) xg_inst_replace(c->params[k], xg_remat_copy(from, c, before));
    (void)xg_dce_fusion_params(fusion);
}

XG_FN bool xg_remat_comp(xg_comp *c) {
    bool changed = false;
    XG_FOR_INSTS(value, c) {
        const xg_inst *source;
        uint32_t ops = 0;
        bool ok = value != c->root && value->first_use;
        XG_FOR_USES(u, value) ok = ok && u->user->op == XG_FUSION; /* what is asked next lies elsewhere */
        source = ok ? xg_remat_source(value) : NULL;
        ok = source && xg_remat_is_cheap(source, &ops);
        if (!ok) continue;
        XG_FOR_USES(u, value) ok = ok && xg_remat_takes(u->user, value);
        if (!ok) continue;
        while (value->first_use) xg_remat_into(value->first_use->user, value, source);
        changed = true;
    }
    return changed;
}
XG_FN bool xg_fuse_rematerialize(xg_module *m) {
    return (m->made[XG_IOTA] || m->made[XG_CONSTANT]) && xg_opt_each_sequence(m, xg_remat_comp);
}

#endif /* XG_FUSE_REMATERIALIZE_C */
