/* kir/hoist.c -- loop-invariant code moves in front of its loop, inner loops first, so that it climbs as far as it may.
 *
 * Any pure operation of the loop's own region whose operands come from outside; one that reads memory only if the loop
 * surely runs and nothing can have written there (a tensor value never changes; a load has to be marked invariant). Of
 * an `if` in a loop that surely runs what makes addresses and conditions (an index may be outside of its array: its
 * user is still in there), but no elements, which may be much work for nothing, and nothing of one whose maker says
 * by a flag that few rounds take it. Requires: nothing. Keeps: everything; values do not change. Linear in
 * operations times depth of loops. */
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
/* Numbers and pointers, in a few instructions; not to a block that there may not be. */
XG_FN bool xg_khoist_is_harmless(const xg_kop *op, uint32_t cluster) {
    const xg_ktype *t = op->results->type;
    if (op->n_results != 1 || xg_kop_flags(op->op) & KF_READ || op->op == XG_K_OP_APPLY) return false;
    if (op->op == XG_K_OP_DIVSI || op->op == XG_K_OP_DIVUI || op->op == XG_K_OP_REMSI || op->op == XG_K_OP_REMUI ||
        op->op == XG_K_OP_SHLI || op->op == XG_K_OP_SHRSI || op->op == XG_K_OP_SHRUI)
        /* it may be the condition that keeps them from being undefined */
        if (!xg_kval_is_const(op->operands[1].value, NULL)) return false;
    if (op->op == XG_K_OP_MAPA) {
        xg_range rank = xg_kval_range(op->operands[1].value);
        return rank.lo >= 0 && rank.hi < (int64_t)cluster;
    }
    return t->kind == XG_TK_POINTER || (t->kind == XG_TK_SCALAR && xg_kelem_is_int(t->elem));
}
enum {
    XG_KHOIST_MATRICES = 8 /* of a loop: 16 registers */
};
typedef struct xg_khoist {
    xg_kop *loop;
    xg_kregion *body;
    bool surely_runs;
    uint32_t cluster, matrices; /* matrices: 0, they are not counted yet */
} xg_khoist;
/* A matrix that begins a little behind another one, as a warp group multiplies it: an addition where it is read, or two
 * registers all along. */
XG_APART XG_FN bool xg_khoist_is_matrix(const xg_kop *op) {
    return op->op == XG_K_OP_ADDI && op->results->first_use && op->results->first_use->user->op == XG_K_OP_WGMMA;
}
XG_FN bool xg_khoist_has_many(xg_khoist *h) {
    const xg_kop *op;
    if (!h->matrices)
        for (op = h->body->first; op; op = op->next)
            h->matrices += xg_khoist_is_matrix(op) && xg_khoist_invariant(op, h->body);
    return h->matrices > XG_KHOIST_MATRICES;
}
/* A loop that seldom goes on is as good as none. */
XG_FN bool xg_khoist_is_once(const xg_kop *op) { return op->op == XG_K_OP_WHILE && op->a; }
/* r: the loop's body, or a region of an `if` within it. */
XG_FN void xg_khoist_from(xg_khoist *h, xg_kregion *r) {
    xg_kop *op, *next;
    uint32_t k;
    for (op = r->first; op; op = next) {
        next = op->next;
        if (xg_khoist_may(op, h->surely_runs) && (r == h->body || xg_khoist_is_harmless(op, h->cluster)) &&
            xg_khoist_invariant(op, h->body) && !(xg_khoist_is_matrix(op) && xg_khoist_has_many(h)))
            xg_kop_move_before(op, h->loop);
        else if (((op->op == XG_K_OP_IF && !op->flags) || xg_khoist_is_once(op)) && h->surely_runs)
            for (k = 0; k < op->n_regions; k++) xg_khoist_from(h, op->regions[k]);
    }
}
XG_APART XG_FN void xg_khoist_body(xg_kop *loop, uint32_t region, bool surely_runs, uint32_t cluster) {
    xg_khoist h;
    h.loop = loop;
    h.body = loop->regions[region];
    h.surely_runs = surely_runs;
    h.cluster = cluster;
    h.matrices = 0;
    xg_khoist_from(&h, h.body);
}
XG_FN void xg_kir_hoist(xg_kmodule *m) {
    xg_kfunc *f;
    for (f = m->first; f; f = f->next) {
        xg_kops loops;
        uint32_t k;
        memset(&loops, 0, sizeof loops);
        xg_kops_collect_of(m->temp, &loops, f->body, XG_K_OP_FOR, XG_K_OP_WHILE);
        for (k = 0; k < loops.n; k++) {
            xg_kop *op = loops.p[k];
            bool always = op->op == XG_K_OP_WHILE;
            if (xg_khoist_is_once(op)) continue;
            xg_khoist_body(op, 0, always || xg_kfor_trips(op) > 0, f->cluster);
            if (always) xg_khoist_body(op, 1, false, f->cluster);
        }
    }
}

#endif /* XG_KIR_HOIST_C */
