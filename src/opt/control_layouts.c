/* opt/control_layouts.c -- values have one layout on both sides of a border: what a loop or branch is given, gives back and hands from round to round, and what a custom call
 * was promised in operand_layout_constraints. HLO text may name another on each side (JAX writes results of solvers column by column); the difference becomes a copy.
 *
 * The body's parameter decides for a loop, the branch's parameter for what it is given, the conditional for what its branches give. It runs when no two of them share computations. */
#ifndef XG_OPT_CONTROL_LAYOUTS_C
#define XG_OPT_CONTROL_LAYOUTS_C
#include "opt.h"

XG_FN bool xg_layouts_operand(xg_inst *i, uint32_t k, const xg_shape *shape) {
    xg_hb b = xg_hb_at(i);
    if (XG_OPERAND(i, k)->shape == shape) return false;
    xg_inst_set_operand(i, k, xg_hb_as(&b, XG_OPERAND(i, k), shape));
    return true;
}
XG_FN bool xg_layouts_root(xg_comp *c, const xg_shape *shape) {
    xg_hb b = xg_hb_end(c, c->root);
    if (c->root->shape == shape) return false;
    c->root = xg_hb_as(&b, c->root, shape);
    return true;
}
/* The instruction itself gets the shape; those who use it see the one it had. */
XG_FN bool xg_layouts_value(xg_inst *i, const xg_shape *shape) {
    const xg_shape *had = i->shape;
    xg_hb b;
    xg_inst *as, *at;
    XG_VEC(xg_use *) uses = {NULL, 0, 0};
    xg_use *u;
    uint32_t k;
    if (had == shape) return false;
    for (u = i->first_use; u; u = u->next) xg_push(i->comp->module->arena, xg_use *, &uses, u);
    for (at = i->next; at && at->op == XG_PARAMETER;) at = at->next;
    i->shape = shape;
    b.comp = i->comp; b.before = at; b.from = i;
    as = xg_hb_as(&b, i, had);
    for (k = 0; k < uses.n; k++) xg_inst_set_operand(uses.p[k]->user, uses.p[k]->index, as);
    if (i->comp->root == i) i->comp->root = as;
    return true;
}
XG_FN bool xg_layouts_while(xg_inst *i) {
    xg_comp *body = xg_attr_comp(i, XG_A_body);
    const xg_shape *s = body->params[0]->shape;
    bool changed = xg_layouts_operand(i, 0, s);
    changed = xg_layouts_root(body, s) || changed;
    changed = xg_layouts_value(xg_attr_comp(i, XG_A_condition)->params[0], s) || changed;
    return xg_layouts_value(i, s) || changed;
}
XG_FN bool xg_layouts_conditional(xg_inst *i) {
    xg_comps c = xg_opt_control_comps(i->comp->module->arena, i);
    bool changed = false;
    uint32_t k;
    for (k = 0; k < c.n && k + 1 < i->n_operands; k++) {
        if (c.p[k]->n_params) changed = xg_layouts_operand(i, k + 1, c.p[k]->params[0]->shape) || changed;
        changed = xg_layouts_root(c.p[k], i->shape) || changed;
    }
    return changed;
}
XG_FN bool xg_layouts_call(xg_inst *i) {
    const xg_attr *a = xg_inst_attr(i, XG_A_operand_layout_constraints);
    bool changed = false;
    uint32_t k;
    if (!a || a->v.shapes->n != i->n_operands) return false;
    for (k = 0; k < i->n_operands; k++) if (a->v.shapes->p[k]->plain == XG_OPERAND(i, k)->shape->plain) changed = xg_layouts_operand(i, k, a->v.shapes->p[k]) || changed;
    return changed;
}
XG_FN bool xg_layouts_sequence(xg_comp *c) {
    bool changed = false;
    XG_FOR_INSTS(i, c) {
        if (i->op == XG_WHILE) changed = xg_layouts_while(i) || changed;
        if (i->op == XG_CONDITIONAL) changed = xg_layouts_conditional(i) || changed;
        if (i->op == XG_CUSTOM_CALL) changed = xg_layouts_call(i) || changed;
    }
    return changed;
}
XG_FN bool xg_opt_control_layouts(xg_module *m) { return xg_opt_each_sequence(m, xg_layouts_sequence); }

#endif /* XG_OPT_CONTROL_LAYOUTS_C */
