/* opt/conditional_code_motion.c -- the pass conditional-code-motion: out of each conditional goes what its branches
 * have in common, to the front (conditional_hoisting.c), or, where nothing is, to behind it (conditional_sinking.c). */
#ifndef XG_OPT_CONDITIONAL_CODE_MOTION_C
#define XG_OPT_CONDITIONAL_CODE_MOTION_C
#include "opt.h"
#include "conditional_hoisting.c"
#include "conditional_sinking.c"

XG_FN bool xg_hoist_from(xg_module *m, xg_inst *i) {
    xg_hoist h;
    uint32_t *numbers, n = 0, k, b;
    memset(&h, 0, sizeof h);
    h.m = m;
    h.i = i;
    h.branches = xg_opt_control_comps(m->arena, i);
    if (xg_inst_order(i) || !xg_hoist_reads(&h)) return false;
    h.cse.m = m;
    h.cse.class_of = XG_NEW_N(m->work, const xg_comp *, m->n_comp_ids + 1);
    h.cse.place = XG_NEW_N(m->work, uint32_t, m->n_ids + 1);
    xg_cse_classes(&h.cse);
    memset(h.cse.place, 0, m->n_ids * sizeof *h.cse.place);
    h.cse.inside = true;
    h.value = XG_NEW_N(m->work, xg_inst *, XG_HOIST_INSTS + 1);
    h.outside = XG_NEW_N(m->work, xg_inst *, XG_HOIST_INSTS + 1);
    h.branches_with = XG_NEW_N(m->work, uint32_t, XG_HOIST_INSTS + 1);
    numbers = XG_NEW_N(m->work, uint32_t, XG_HOIST_INSTS + 1);
    for (b = 0; b < h.branches.n; b++) xg_hoist_number_branch(&h, b);
    for (k = 1; k <= h.n_numbers; k++)
        if (h.branches_with[k] == h.branches.n && xg_while_worth_moving(h.value[k])) numbers[n++] = k;
    if (n == 0) return xg_sink_from(&h);
    xg_hoist_rebuild(&h, numbers, n);
    return true;
}
XG_FN bool xg_opt_conditional_code_motion(xg_module *m) {
    bool changed = false;
    xg_comp *c;
    uint32_t n_comps = m->n_comp_ids;
    for (c = m->made[XG_CONDITIONAL] ? m->first : NULL; c; c = c->next) {
        xg_inst *i = c->first, *next;
        if (c->id >= n_comps) continue; /* made here: the next round's */
        for (; i; i = next) {
            next = xg_inst_behind(i);
            if (i->op == XG_CONDITIONAL) changed = xg_hoist_from(m, i) || changed;
        }
    }
    return changed;
}

#endif /* XG_OPT_CONDITIONAL_CODE_MOTION_C */
