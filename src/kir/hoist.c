/* kir/hoist.c -- loop-invariant code moves in front of its loop, inner loops first, so that it climbs as far as it may.
 *
 * Any pure operation of the loop's own region whose operands come from outside; one that reads memory only if the loop surely runs and
 * nothing can have written there (a tensor value never changes; a load has to be marked invariant). Nothing leaves an `if`: there an
 * index may be outside its array, and ranges hold only inside.
 * Requires: nothing. Keeps: everything; values do not change. Linear in operations times depth of loops. */
#ifndef XG_KIR_HOIST_C
#define XG_KIR_HOIST_C
#include "kir.h"

XG_FN bool xg_khoist_may(const xg_kop *op, bool surely_runs) {
    uint32_t flags = xg_kop_flags(op->op);
    if (op->n_regions) return false;
    if (op->op == XG_K_OP_LOAD) return surely_runs && (op->flags & KM_INVARIANT);
    if (!(flags & KF_PURE)) return false;
    return surely_runs || !(flags & KF_READ);
}
XG_FN bool xg_khoist_invariant(const xg_kop *op, const xg_kregion *r) {
    uint32_t k;
    for (k = 0; k < op->n_operands; k++) {
        const xg_kval *v = op->operands[k].value;
        if (xg_kregion_inside(v->def ? v->def->parent : v->region, r)) return false;
    }
    return true;
}
XG_FN void xg_khoist_from(xg_kop *loop, xg_kregion *r, bool surely_runs) {
    xg_kop *op, *next;
    for (op = r->first; op; op = next) {
        next = op->next;
        if (xg_khoist_may(op, surely_runs) && xg_khoist_invariant(op, r)) xg_kop_move_before(op, loop);
    }
}
XG_FN void xg_khoist_region(xg_kregion *r) {
    xg_kop *op;
    uint32_t k;
    for (op = r->first; op; op = op->next) {
        for (k = 0; k < op->n_regions; k++) xg_khoist_region(op->regions[k]);
        if (op->op == XG_K_OP_FOR) xg_khoist_from(op, op->regions[0], xg_kfor_trips(op) > 0);
        else if (op->op == XG_K_OP_WHILE) {
            xg_khoist_from(op, op->regions[0], true);
            xg_khoist_from(op, op->regions[1], false);
        }
    }
}
XG_FN void xg_kir_hoist(xg_kmodule *m) {
    xg_kfunc *f;
    for (f = m->first; f; f = f->next) xg_khoist_region(f->body);
}

#endif /* XG_KIR_HOIST_C */
