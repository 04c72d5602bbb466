/* opt/conditional_simplifier.c -- ConditionalSimplifier.
 *
 * - A branch that is known is inlined; so is the only one, and any of branches that are written alike (CSE has given
 *   those one computation).
 * - Branches of a few operations that cost no more than a look at memory are all computed, and the result selected: a
 *   conditional asks the host.
 * - Elements of the result that nothing takes are not made. */
#ifndef XG_OPT_CONDITIONAL_SIMPLIFIER_C
#define XG_OPT_CONDITIONAL_SIMPLIFIER_C
#include "opt.h"

enum {
    XG_COND_SELECT_INSTS = 24,
    XG_COND_SELECT_BRANCHES = 4,
    XG_COND_SELECT_ELEMENTS = 1 << 20
};

XG_FN xg_inst *xg_cond_inlined(const xg_hb *b, xg_inst *i, const xg_comp *branch, uint32_t which) {
    xg_inst *arg = XG_OPERAND(i, 1 + which), *root = xg_opt_inline(branch, b->comp, b->before, &arg), **all;
    uint32_t k;
    if (i->shape->type != XLAGPU_TUPLE || root->op == XG_TUPLE) return root;
    all = XG_NEW_N(b->comp->module->arena, xg_inst *, root->shape->n_elems + 1);
    for (k = 0; k < root->shape->n_elems; k++) all[k] = xg_hb_element(b, root, k);
    return xg_hb_tuple(b, all, root->shape->n_elems);
}
/* The branch that a constant chooses, -1: not known. */
XG_FN int64_t xg_cond_known(const xg_inst *i, const xg_comps *branches) {
    const xg_inst *p = XG_OPERAND(i, 0);
    int64_t v;
    uint32_t k;
    for (k = 1; k < branches->n && branches->p[k] == branches->p[0] && XG_OPERAND(i, 1 + k) == XG_OPERAND(i, 1); k++) {}
    if (k == branches->n) return 0;
    if (p->op != XG_CONSTANT || p->literal->elided || !xg_literal_get_int(p->literal, 0, &v)) return -1;
    if (p->shape->type == XLAGPU_PRED) return v ? 0 : 1;
    return v < 0 || v >= (int64_t)branches->n ? (int64_t)branches->n - 1 : v;
}

/* ---- all branches, and a select ---- */

XG_FN bool xg_cond_is_cheap(const xg_inst *i) {
    switch (i->op) {
    case XG_PARAMETER:
    case XG_CONSTANT:
    case XG_TUPLE:
    case XG_GET_TUPLE_ELEMENT: return true;
    case XG_IOTA:
    case XG_BROADCAST:
    case XG_RESHAPE:
    case XG_TRANSPOSE:
    case XG_SLICE:
    case XG_REVERSE:
    case XG_PAD:
    case XG_CONCATENATE:
    case XG_DYNAMIC_SLICE: break;
    default:
        if (!(xg_op_flags(i->op) & XGF_EW)) return false;
    }
    return i->shape->elements <= XG_COND_SELECT_ELEMENTS;
}
/* An array, or a tuple of arrays. */
XG_FN bool xg_cond_is_flat(const xg_shape *s) {
    uint32_t k;
    if (xg_shape_is_array(s)) return !s->dynamic;
    if (s->type != XLAGPU_TUPLE) return false;
    for (k = 0; k < s->n_elems; k++)
        if (!xg_shape_is_array(s->elems[k]) || s->elems[k]->dynamic) return false;
    return true;
}
XG_FN bool xg_cond_may_select(const xg_inst *i, const xg_comps *branches) {
    uint32_t k;
    if (branches->n > XG_COND_SELECT_BRANCHES || !xg_cond_is_flat(i->shape)) return false;
    for (k = 0; k < branches->n; k++) {
        if (branches->p[k]->n_insts > XG_COND_SELECT_INSTS) return false;
        XG_FOR_INSTS(s, branches->p[k])
            if (!xg_cond_is_cheap(s)) return false;
    }
    return true;
}
/* take is a pred scalar: x where it holds, else y. */
XG_FN xg_inst *xg_cond_choice(const xg_hb *b, xg_inst *take, xg_inst *x, xg_inst *y) {
    if (x == y) return x;
    return xg_hb_select(b, xg_hb_splat(b, take, x->shape->dims, x->shape->rank), x, y);
}
XG_FN xg_inst *xg_cond_selected(const xg_hb *b, xg_inst *i, const xg_comps *branches) {
    uint32_t n = i->shape->type == XLAGPU_TUPLE ? i->shape->n_elems : 1, k, j;
    xg_inst **out = XG_NEW_N(b->comp->module->arena, xg_inst *, n + 1), *p = XG_OPERAND(i, 0), *take;
    for (k = branches->n; k-- > 0;) {
        xg_inst *value = xg_cond_inlined(b, i, branches->p[k], k);
        take = p->shape->type == XLAGPU_PRED || k + 1 == branches->n
                   ? p
                   : xg_hb_compare(b, "EQ", p, xg_hb_int(b, p->shape->type, k));
        for (j = 0; j < n; j++) {
            xg_inst *x = i->shape->type == XLAGPU_TUPLE ? XG_OPERAND(value, j) : value;
            out[j] = k + 1 == branches->n ? x : xg_cond_choice(b, take, x, out[j]);
        }
    }
    return i->shape->type == XLAGPU_TUPLE ? xg_hb_tuple(b, out, n) : out[0];
}

/* ---- results that nothing takes ---- */

XG_FN xg_comp *xg_cond_narrow_branch(const xg_comp *from, xg_comp *before, const unsigned char *taken) {
    xg_comp *to = xg_opt_clone_comp(from, before);
    xg_inst *root = to->root, **kept = XG_NEW_N(to->module->arena, xg_inst *, root->n_operands + 1);
    xg_hb b = xg_hb_end(to, root);
    uint32_t k, n = 0;
    for (k = 0; k < root->n_operands; k++)
        if (taken[k]) kept[n++] = XG_OPERAND(root, k);
    to->root = xg_hb_tuple(&b, kept, n);
    xg_inst_remove(root);
    return to;
}
XG_FN xg_inst *xg_cond_narrow(const xg_hb *b, xg_inst *i, const xg_comps *branches) {
    xg_module *m = b->comp->module;
    uint32_t n = i->shape->n_elems, k, j, n_kept = 0, at;
    unsigned char *taken;
    xg_inst **out, *made;
    if (i->shape->type != XLAGPU_TUPLE) return NULL;
    taken = XG_NEW_N(m->arena, unsigned char, n + 1);
    if (!xg_opt_taken_elements(i, taken)) return NULL;
    for (k = 0; k < n; k++) n_kept += taken[k];
    if (n_kept == n || n_kept == 0) return NULL;
    for (k = 0; k < branches->n; k++)
        if (branches->p[k]->root->op != XG_TUPLE || branches->p[k]->root->first_use || !xg_cond_is_flat(i->shape))
            return NULL;
    out = XG_NEW_N(m->arena, xg_inst *, XG_MAX(n, i->n_operands) + 1);
    for (k = 0; k < i->n_operands; k++) out[k] = XG_OPERAND(i, k);
    made = xg_inst_clone(i, i->comp, out, i);
    for (k = 0; k < branches->n; k++) branches->p[k] = xg_cond_narrow_branch(branches->p[k], i->comp, taken);
    xg_opt_set_control_comps(made, branches);
    made->shape = branches->p[0]->root->shape;
    for (k = 0, at = 0; k < n; k++) out[k] = taken[k] ? xg_hb_element(b, made, at++) : NULL;
    for (k = 0; k < n; k++)
        if (!out[k])
            for (j = 0; j < n; j++)
                if (out[j]) out[k] = out[j]; /* stands for what nothing asks for */
    return xg_hb_tuple(b, out, n);
}

XG_FN xg_inst *xg_cond_expand(const xg_hb *b, xg_inst *i) {
    xg_comps branches = xg_opt_control_comps(b->comp->module->arena, i);
    int64_t known = xg_cond_known(i, &branches);
    if (known >= 0) return xg_cond_inlined(b, i, branches.p[known], (uint32_t)known);
    if (xg_cond_may_select(i, &branches)) return xg_cond_selected(b, i, &branches);
    return xg_cond_narrow(b, i, &branches);
}
XG_FN bool xg_cond_matches(const xg_inst *i) { return i->op == XG_CONDITIONAL && !xg_inst_order(i); }
XG_FN bool xg_opt_conditional_simplifier(xg_module *m) {
    return xg_opt_expand_made(m, xg_cond_matches, xg_cond_expand, XG_CONDITIONAL);
}

#endif /* XG_OPT_CONDITIONAL_SIMPLIFIER_C */
