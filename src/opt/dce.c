/* opt/dce.c -- removes instructions without users and effects, last to first so that chains go at once, and computations that nothing calls. */
#ifndef XG_OPT_DCE_C
#define XG_OPT_DCE_C
#include "opt.h"

XG_FN bool xg_dce_needed(const xg_inst *i) {
    const xg_attr *a;
    if (i->first_use || i == i->comp->root || i->op == XG_PARAMETER || (xg_op_flags(i->op) & (XGF_COLL | XGF_START | XGF_DONE))) return true;
    if (i->op == XG_CUSTOM_CALL) return xg_attr_int(i, XG_A_custom_call_has_side_effect, 0) != 0;
    a = xg_inst_attr(i, XG_A_control_predecessors);
    return (xg_op_flags(i->op) & XGF_EFFECT) != 0 || a != NULL || i->op == XG_WHILE || i->op == XG_CONDITIONAL || i->op == XG_CALL || i->op == XG_AFTER_ALL;
}

XG_FN void xg_dce_mark_attr(const xg_attr *a, unsigned char *live) {
    uint32_t k;
    if (xg_attr_kind_of(a->key) == XG_K_COMP) live[a->v.comp->id] = 1;
    if (xg_attr_kind_of(a->key) == XG_K_COMPS) for (k = 0; k < a->v.comps->n; k++) live[a->v.comps->p[k]->id] = 1;
}

/* Callers come after callees, so one walk from the last computation to the first settles who is called. */
XG_FN bool xg_dce_computations(xg_module *m) {
    unsigned char *live = XG_NEW_N(m->arena, unsigned char, m->n_comp_ids + 1);
    xg_comp *c, *before;
    bool changed = false;
    uint32_t k;
    live[m->entry->id] = 1;
    for (c = m->last; c; c = before) {
        before = c->prev;
        if (!live[c->id]) { xg_comp_remove(c); changed = true; continue; }
        XG_FOR_INSTS(i, c) for (k = 0; k < i->n_attrs; k++) xg_dce_mark_attr(&i->attrs[k], live);
    }
    return changed;
}

XG_FN bool xg_opt_dce(xg_module *m) {
    bool changed = false;
    xg_comp *c;
    for (c = m->first; c; c = c->next) {
        xg_inst *i = c->last, *before;
        for (; i; i = before) {
            before = i->prev;
            if (!xg_dce_needed(i)) { xg_inst_remove(i); changed = true; }
        }
    }
    return xg_dce_computations(m) || changed;
}

#endif /* XG_OPT_DCE_C */
