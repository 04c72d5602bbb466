/* kir/async_copies.c -- what is loaded from global memory only to be stored to shared memory is copied by cp.async.
 *
 *     %v = llvm.load %g; llvm.store %v, %s   ==>   cp.async %s, %g
 *
 * of 4, 8 or 16 bytes, in kernels that ask for it (xg_kfunc.async_copies): the thread goes on, needs no registers for
 * what is on its way, and waits in front of the next barrier,
 * unless the kernel says itself for which of them. Requires: pointers; comes last. The load has to be an
 * invariant one (nothing in the kernel writes there), so it may be done later. Keeps: everything else. */
#ifndef XG_KIR_ASYNC_COPIES_C
#define XG_KIR_ASYNC_COPIES_C
#include "kir.h"

/* The vector that a chain of insertions puts together again, lane by lane. */
XG_FN xg_kval *xg_kasync_whole(xg_kval *v) {
    xg_kval *from = NULL, *at = v;
    int64_t lane, k, seen = 0;
    for (; xg_kval_by(at, XG_K_OP_VINSERT); at = XG_KOPERAND(at->def, 1)) {
        xg_kval *x = XG_KOPERAND(at->def, 0);
        if (!xg_kval_by(x, XG_K_OP_VEXTRACT) || (from && from != XG_KOPERAND(x->def, 0))) return v;
        from = XG_KOPERAND(x->def, 0);
        if (!xg_kval_is_const(XG_KOPERAND(at->def, 2), &lane) || !xg_kval_is_const(XG_KOPERAND(x->def, 1), &k))
            return v;
        if (lane != k || lane > 31 || (seen >> lane & 1)) return v;
        seen |= (int64_t)1 << lane;
    }
    return from && from->type == v->type && seen == ((int64_t)1 << v->type->elements) - 1 ? from : v;
}
XG_FN bool xg_kasync_copy(xg_kmodule *m, xg_kop *store) {
    xg_kval *v = xg_kasync_whole(XG_KOPERAND(store, 0)), *o[2];
    int64_t bytes = v->type->elements * xg_kelem_bytes(v->type->elem);
    xg_kb b;
    if (v->type->kind != XG_TK_VECTOR) bytes = xg_kelem_bytes(v->type->elem);
    if (XG_KOPERAND(store, 1)->type->space != XG_SPACE_SHARED || !xg_kval_by(v, XG_K_OP_LOAD)) return false;
    if (bytes != 4 && bytes != 8 && bytes != 16) return false;
    if (!(v->def->flags & KM_INVARIANT) || v->def->parent != store->parent || v->def->a < bytes || store->a < bytes)
        return false;
    o[0] = XG_KOPERAND(store, 1);
    o[1] = XG_KOPERAND(v->def, 0);
    if (o[1]->type->space != XG_SPACE_GLOBAL) return false;
    b = xg_kb_before(m, store);
    xg_kir_op(&b, XG_K_OP_ASYNC_COPY, o, 2, NULL, 0, 0)->a = bytes;
    xg_kop_remove(store); /* what it stored has no reader left, and goes with what nobody reads */
    return true;
}
/* Whether copies may be on their way behind the region, if some were in front of it. */
XG_FN bool xg_kasync_region(xg_kmodule *m, xg_kregion *r, bool pending) {
    xg_kop *op, *next;
    uint32_t k;
    for (op = r->first; op; op = next) {
        bool behind = pending;
        next = op->next;
        if (op->op == XG_K_OP_STORE && xg_kasync_copy(m, op)) pending = true;
        if (op->op == XG_K_OP_ASYNC_WAIT || op->op == XG_K_OP_ASYNC_WAIT_GROUP) pending = false;
        if (op->op == XG_K_OP_BARRIER && pending) {
            xg_kb b = xg_kb_before(m, op);
            xg_kir_op(&b, XG_K_OP_ASYNC_WAIT, NULL, 0, NULL, 0, 0);
            pending = false;
        }
        for (k = 0; k < op->n_regions; k++) behind = xg_kasync_region(m, op->regions[k], pending) || behind;
        if (!op->n_regions) continue;
        if (behind && !pending && op->op != XG_K_OP_IF) /* from one round to the next */
            for (k = 0; k < op->n_regions; k++) (void)xg_kasync_region(m, op->regions[k], true);
        pending = behind;
    }
    return pending;
}
XG_FN void xg_kir_async_copies(xg_kmodule *m) {
    if (m->entry->async_copies) (void)xg_kasync_region(m, m->entry->body, false);
}

#endif /* XG_KIR_ASYNC_COPIES_C */
