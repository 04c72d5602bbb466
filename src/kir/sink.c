/* kir/sink.c -- what only one branch of an `if` uses is computed in it.
 *
 *     %v = f(...); if (c) { use %v }      ==>      if (c) { %v = f(...); use %v }
 *
 * A warp of which no thread takes the branch then computes nothing, and %v takes no register where it is not used.
 * Several operations go together, with all of their users. A branch that is so short that its lines are predicated
 * stays so, unless much goes into it. Requires: nothing. Keeps: everything; values do not change. Linear in operations
 * and uses, times depth of branches. */
#ifndef XG_KIR_SINK_C
#define XG_KIR_SINK_C
#include "kir.h"

enum {
    XG_KSINK_SHORT = 4, /* operations of a branch whose lines are predicated (XG_PTX_PREDICATED_MAX) */
    XG_KSINK_WORK = 8   /* operations that are worth a jump around them */
};
/* Of an `if`: how many operations each of its branches is to get. */
typedef struct xg_ksink_counts {
    uint32_t n[2];
} xg_ksink_counts;

XG_FN bool xg_ksink_may(const xg_kop *op) {
    uint32_t k;
    if ((xg_kop_flags(op->op) & (KF_PURE | KF_READ | KF_CONV)) != KF_PURE || op->n_regions || !op->n_operands)
        return false;
    for (k = 0; k < op->n_results; k++)
        if (op->results[k].first_use) return true;
    return false;
}
/* The branch of an `if` of region r in which a use stands, or will: NULL: it is none. */
XG_FN xg_kregion *xg_ksink_branch(const xg_kuse *u, const xg_kregion *r) {
    xg_kregion *at = u->user->parent;
    if (at == r) return u->user->op == XG_K_OP_IF ? NULL : (xg_kregion *)u->user->scratch;
    while (at->owner && at->owner->parent != r) at = at->owner->parent;
    return at->owner && at->owner->op == XG_K_OP_IF ? at : NULL;
}
/* That of all uses. */
XG_FN xg_kregion *xg_ksink_target(const xg_kop *op) {
    xg_kregion *to = NULL, *one;
    const xg_kuse *u;
    uint32_t k;
    for (k = 0; k < op->n_results; k++)
        for (u = op->results[k].first_use; u; u = u->next) {
            one = xg_ksink_branch(u, op->parent);
            if (!one || (to && to != one)) return NULL;
            to = one;
        }
    return to;
}
XG_FN uint32_t *xg_ksink_count(const xg_kregion *branch) {
    return &((xg_ksink_counts *)branch->owner->scratch)->n[branch != branch->owner->regions[0]];
}
XG_FN bool xg_ksink_is_short(const xg_kregion *r) {
    uint32_t n = 0;
    XG_FOR_KOPS(op, r) {
        if (op->n_regions) return false;
        if (op->op != XG_K_OP_CONST && op->op != XG_K_OP_VEXTRACT && op->op != XG_K_OP_VINSERT) n++;
    }
    return n <= XG_KSINK_SHORT + 1; /* the last one ends it */
}
/* op->scratch: the branch it may go to; of an `if` its counts. From the last one on: users are seen first. nested:
 * operations with regions. */
XG_FN bool xg_ksink_mark(xg_kmodule *m, const xg_kregion *r, xg_kops *nested) {
    bool some = false, branches = false;
    xg_kop *op;
    for (op = r->last; op; op = op->prev) {
        op->scratch = NULL;
        if (op->n_regions) xg_push(m->temp, xg_kop *, nested, op);
        if (op->op == XG_K_OP_IF) {
            op->scratch = XG_NEW(m->temp, xg_ksink_counts);
            branches = true;
        } else if (branches && xg_ksink_may(op) && (op->scratch = xg_ksink_target(op)) != NULL) {
            ++*xg_ksink_count((xg_kregion *)op->scratch);
            some = true;
        }
    }
    return some;
}
/* From the last one on, so that they keep their order in front of what stands in the branch. */
XG_FN void xg_ksink_move(const xg_kregion *r) {
    xg_kop *op, *previous;
    for (op = r->last; op; op = previous) {
        xg_kregion *to = op->op == XG_K_OP_IF ? NULL : (xg_kregion *)op->scratch;
        previous = op->prev;
        if (to && (*xg_ksink_count(to) >= XG_KSINK_WORK || !xg_ksink_is_short(to))) xg_kop_move_before(op, to->first);
    }
}
/* Outer regions first: what goes into a branch may go on into one of its branches. */
XG_FN void xg_ksink_region(xg_kmodule *m, const xg_kregion *r) {
    xg_kops nested;
    uint32_t k;
    memset(&nested, 0, sizeof nested);
    if (xg_ksink_mark(m, r, &nested)) xg_ksink_move(r);
    while (nested.n--)
        for (k = 0; k < nested.p[nested.n]->n_regions; k++) xg_ksink_region(m, nested.p[nested.n]->regions[k]);
}
XG_FN void xg_kir_sink(xg_kmodule *m) {
    const xg_kfunc *f;
    for (f = m->first; f && m->made[XG_K_OP_IF]; f = f->next) xg_ksink_region(m, f->body);
}

#endif /* XG_KIR_SINK_C */
