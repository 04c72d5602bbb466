/* opt/entry_layout.c -- what the caller hands over and gets back has the layouts of entry_computation_layout. Needs: tuple simplification.
 *
 * A parameter takes its layout on. Operations that read elements by index do not care; whoever cares (a bitcast, a computation with parameters of its own,
 * another name for the same memory) gets a copy in the old layout. A result whose layout differs is copied into the right one, leaf by leaf. */
#ifndef XG_OPT_ENTRY_LAYOUT_C
#define XG_OPT_ENTRY_LAYOUT_C
#include "opt.h"

XG_FN xg_inst *xg_entry_element(xg_inst *tuple, uint32_t k, xg_inst *before) {
    xg_inst *made = xg_inst_new(tuple->comp, XG_GET_TUPLE_ELEMENT, tuple->shape->elems[k], &tuple, 1, before, XG_STR(""));
    xg_inst_set_attr(made, xg_attr_make_int(XG_A_index, k));
    return made;
}

/* The value in the layouts of `want`, made in front of `before` (NULL: last); itself when it has them. */
XG_FN xg_inst *xg_entry_fix(xg_inst *value, const xg_shape *want, xg_inst *before) {
    xg_inst **elems;
    uint32_t k;
    if (value->shape == want || (want->type != XLAGPU_TUPLE && !xg_shape_is_array(want))) return value;
    if (want->type != XLAGPU_TUPLE) return xg_inst_new(value->comp, XG_COPY, want, &value, 1, before, value->name);
    elems = XG_NEW_N(value->comp->module->arena, xg_inst *, want->n_elems + (size_t)1);
    for (k = 0; k < want->n_elems; k++) elems[k] = xg_entry_fix(value->op == XG_TUPLE ? XG_OPERAND(value, k) : xg_entry_element(value, k, before), want->elems[k], before);
    return xg_inst_new(value->comp, XG_TUPLE, want, elems, want->n_elems, before, value->name);
}

XG_FN bool xg_entry_takes_over(const xg_inst *value, const xg_inst *user) {
    if (user == value->comp->root && user->op == XG_TUPLE) return true; /* the result is set right afterwards */
    return value->shape->type == XLAGPU_TUPLE ? user->op == XG_GET_TUPLE_ELEMENT : xg_opt_reads_by_index(user);
}

/* Gives a value that lies in a parameter another layout, and those who care the old one. */
XG_FN void xg_entry_relayout(xg_inst *value, const xg_shape *want) {
    const xg_shape *old = value->shape;
    xg_inst *after = value->next, *copy = NULL;
    xg_use *u, *next;
    if (old == want) return;
    value->shape = want;
    for (u = value->first_use; u; u = next) {
        xg_inst *user = u->user;
        next = u->next;
        if (user->op == XG_GET_TUPLE_ELEMENT) { xg_entry_relayout(user, want->elems[xg_attr_int(user, XG_A_index, 0)]); continue; }
        if (xg_entry_takes_over(value, user)) continue;
        if (!copy) copy = xg_entry_fix(value, old, after);
        xg_inst_set_operand(user, u->index, copy);
    }
}

/* A tuple at the root is not asked for its shape: its operands may have new layouts. */
XG_FN xg_inst *xg_entry_result(xg_inst *root, const xg_shape *want) {
    xg_inst **elems;
    bool same = true;
    uint32_t k;
    if (root->op != XG_TUPLE) return xg_entry_fix(root, want, NULL);
    elems = XG_NEW_N(root->comp->module->arena, xg_inst *, want->n_elems + (size_t)1);
    for (k = 0; k < want->n_elems; k++) {
        elems[k] = xg_entry_fix(XG_OPERAND(root, k), want->elems[k], NULL);
        same = same && elems[k] == XG_OPERAND(root, k);
    }
    if (!same) return xg_inst_new(root->comp, XG_TUPLE, want, elems, want->n_elems, NULL, root->name);
    root->shape = want;
    return root;
}

XG_FN bool xg_opt_entry_layout(xg_module *m) {
    xg_comp *e = m->entry;
    xg_inst *root = e->root;
    bool changed = root->shape != m->entry_result;
    uint32_t k;
    for (k = 0; k < e->n_params; k++) {
        changed = changed || e->params[k]->shape != m->entry_params->elems[k];
        xg_entry_relayout(e->params[k], m->entry_params->elems[k]);
    }
    e->root = xg_entry_result(root, m->entry_result);
    if (e->root == root) return changed;
    if (root->op == XG_TUPLE && !root->first_use) xg_inst_remove(root);
    return true;
}

#endif /* XG_OPT_ENTRY_LAYOUT_C */
