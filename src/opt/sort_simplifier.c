/* opt/sort_simplifier.c -- SortSimplifier: a sort of lines of one element is its operands; an operand that the
 * comparison does not look at, and whose sorted values nothing takes, is not sorted. */
#ifndef XG_OPT_SORT_SIMPLIFIER_C
#define XG_OPT_SORT_SIMPLIFIER_C
#include "opt.h"

XG_FN xg_inst *xg_sort_trivial(const xg_hb *b, xg_inst *i) {
    xg_inst **in;
    uint32_t k;
    if (XG_OPERAND(i, 0)->shape->dims[xg_attr_dims(i).p[0]] > 1) return NULL;
    if (i->n_operands == 1) return XG_OPERAND(i, 0);
    in = XG_NEW_N(b->comp->module->arena, xg_inst *, i->n_operands);
    for (k = 0; k < i->n_operands; k++) in[k] = XG_OPERAND(i, k);
    return xg_hb_tuple(b, in, i->n_operands);
}
/* The comparison with the parameters of the kept operands only. */
XG_FN xg_comp *xg_sort_comparison(const xg_inst *i, const unsigned char *keep) {
    const xg_comp *from = xg_attr_to_apply(i);
    xg_module *m = from->module;
    xg_comp *to = xg_comp_new(m, from->name, i->comp);
    xg_inst **args = XG_NEW_N(m->arena, xg_inst *, from->n_params + 1);
    uint32_t k;
    for (k = 0; k < from->n_params; k++)
        if (keep[k / 2]) args[k] = xg_comp_add_param(to, from->params[k]->shape, from->params[k]->name);
    to->root = xg_opt_inline(from, to, NULL, args);
    return to;
}
XG_FN xg_inst *xg_sort_narrow(const xg_hb *b, xg_inst *i) {
    xg_module *m = b->comp->module;
    const xg_comp *c = xg_attr_to_apply(i);
    uint32_t n = i->n_operands, k, n_kept = 0;
    unsigned char *keep;
    xg_inst **in, **out, *made;
    if (n < 2) return NULL;
    keep = XG_NEW_N(m->arena, unsigned char, n + 1);
    if (!xg_opt_taken_elements(i, keep)) return NULL;
    for (k = 0; k < 2 * n; k++)
        if (c->params[k]->first_use || c->params[k] == c->root) keep[k / 2] = 1;
    in = XG_NEW_N(m->arena, xg_inst *, n);
    out = XG_NEW_N(m->arena, xg_inst *, n);
    for (k = 0; k < n; k++)
        if (keep[k]) in[n_kept++] = XG_OPERAND(i, k);
    if (n_kept == n || n_kept == 0) return NULL;
    made = xg_hb_op(b, XG_SORT, i->shape, in, n_kept);
    xg_inst_take_attrs(made, i);
    xg_inst_set_comp(made, XG_A_to_apply, xg_sort_comparison(i, keep));
    (void)xg_hb_done(made);
    for (k = 0, n_kept = 0; k < n; k++) {
        out[k] = XG_OPERAND(i, k); /* nothing asks for it */
        if (keep[k]) out[k] = made->shape->type == XLAGPU_TUPLE ? xg_hb_element(b, made, n_kept) : made;
        n_kept += keep[k];
    }
    return xg_hb_tuple(b, out, n);
}
XG_FN bool xg_sort_matches(const xg_inst *i) { return i->op == XG_SORT && !XG_OPERAND(i, 0)->shape->dynamic; }
XG_FN xg_inst *xg_sort_expand(const xg_hb *b, xg_inst *i) {
    xg_inst *made = xg_sort_trivial(b, i);
    return made ? made : xg_sort_narrow(b, i);
}
XG_FN bool xg_opt_sort_simplifier(xg_module *m) {
    return xg_opt_expand_made(m, xg_sort_matches, xg_sort_expand, XG_SORT);
}

#endif /* XG_OPT_SORT_SIMPLIFIER_C */
