/* opt/scatter_simplifier.c -- ScatterSimplifier: scatters in their canonical form, which is that of gathers
 * (gather_simplifier.c says what it is and is for).
 *
 * The updates are the part that holds the windows; they are reshaped, never turned round. A component that windows fill
 * stays: a window that begins elsewhere lies outside and is left out. Where components count along all that numbers
 * windows, but for batching dims, no two windows are the same: unique_indices=true, and no update has to be atomic or
 * look for others, nor opt/scatter_winners.c for the last one of a place. */
#ifndef XG_OPT_SCATTER_SIMPLIFIER_C
#define XG_OPT_SCATTER_SIMPLIFIER_C
#include "opt.h"

/* Such a sum memory makes itself, in one step for each element: that moves half of what reading and writing does,
 * whether updates meet or not. */
XG_FN bool xg_scatter_adds_in_memory(const xg_inst *i) {
    xlagpu_type t = XG_OPERAND(i, 0)->shape->type;
    return i->n_operands == 3 && xg_reducer_is_sum(xg_attr_to_apply(i)) && xg_type_class(t) != XGT_C &&
           xg_type_bits(t) >= 32;
}
/* Windows of one place alone, or in steps of at least their size. */
XG_FN bool xg_scatter_is_apart(const xg_inst *i) {
    xg_windows w = xg_windows_of(i);
    bool told[XG_RANK_MAX] = {false};
    uint32_t d;
    if (xg_scatter_adds_in_memory(i)) return false;
    for (d = 0; d < w.whole->rank; d++) {
        xg_progression p;
        if (w.batch[d] >= 0) told[w.batch[d]] = true;
        if (w.start[d] < 0 || !xg_progression_of(&w, w.start[d], &p) || p.dim < 0) continue;
        if ((p.step < 0 ? -p.step : p.step) >= w.size[d]) told[p.dim] = true;
    }
    for (d = 0; d < w.n_positions; d++)
        if (!told[d] && w.counts[d] != 1) return false;
    return true;
}
XG_FN bool xg_scatter_matches(const xg_inst *i) {
    xg_index_form f;
    return i->op == XG_SCATTER &&
           (xg_index_form_of(i, &f) || (!xg_attr_or_0(i, XG_A_unique_indices) && xg_scatter_is_apart(i)));
}
XG_FN xg_inst *xg_scatter_simplify(const xg_hb *b, xg_inst *i) {
    xg_windows w = xg_windows_of(i);
    xg_index_form f;
    uint32_t n = i->n_operands / 2, k;
    xg_inst **in = XG_NEW_N(b->comp->module->arena, xg_inst *, i->n_operands + 1), *made;
    bool apart = xg_scatter_is_apart(i), other = xg_index_form_of(i, &f);
    for (k = 0; k < i->n_operands; k++) in[k] = XG_OPERAND(i, k);
    if (other) {
        in[n] = xg_index_form_indices(b, &w, &f);
        for (k = n + 1; k < i->n_operands; k++) in[k] = xg_hb_reshape(b, in[k], f.part, f.part_rank);
    }
    made = xg_inst_clone(i, b->comp, in, b->before);
    if (other) xg_index_form_set(made, &f);
    if (apart) xg_inst_set_int(made, XG_A_unique_indices, 1);
    if (made->shape->type != XLAGPU_TUPLE) return made;
    for (k = 0; k < n; k++) in[k] = xg_hb_element(b, made, k);
    return xg_hb_tuple(b, in, n);
}
XG_FN bool xg_opt_scatter_simplifier(xg_module *m) {
    return xg_opt_expand_made(m, xg_scatter_matches, xg_scatter_simplify, XG_SCATTER);
}

#endif /* XG_OPT_SCATTER_SIMPLIFIER_C */
