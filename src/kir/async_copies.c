/* kir/async_copies.c -- what is loaded from global memory only to be stored to shared memory is copied by cp.async.
 *
 *     %v = llvm.load %g; llvm.store %v, %s   ==>   cp.async %s, %g
 *
 * of 4, 8 or 16 bytes, also with a bitcast between, in kernels that ask for it (xg_kfunc.async_copies): the thread goes
 * on, needs no registers for what is on its way, and waits in front of the next barrier, unless the kernel says itself
 * for which of them.
 *
 *     if %c { cp.async %s, %g } else { llvm.store zero, %s }   ==>   cp.async %s, %g, (%c ? bytes : 0)
 *
 * which needs no branch: an instruction that reads no bytes writes zeros.
 *
 * Requires: pointers; comes last. The load has to be an invariant one (nothing in the kernel writes there), so it may
 * be done later. Keeps: everything else. */
#ifndef XG_KIR_ASYNC_COPIES_C
#define XG_KIR_ASYNC_COPIES_C
#include "kir.h"
#include "hoist.c"

/* The vector that a chain of insertions puts together again, lane by lane, maybe as elements of another type. */
XG_FN xg_kval *xg_kasync_whole(xg_kval *v) {
    xg_kval *from = NULL, *at = v;
    int64_t lane, k, seen = 0;
    for (; xg_kval_by(at, XG_K_OP_VINSERT); at = XG_KOPERAND(at->def, 1)) {
        xg_kval *x = XG_KOPERAND(at->def, 0);
        if (xg_kval_by(x, XG_K_OP_BITCAST)) x = XG_KOPERAND(x->def, 0);
        if (!xg_kval_by(x, XG_K_OP_VEXTRACT) || (from && from != XG_KOPERAND(x->def, 0))) return v;
        from = XG_KOPERAND(x->def, 0);
        if (!xg_kval_is_const(XG_KOPERAND(at->def, 2), &lane) || !xg_kval_is_const(XG_KOPERAND(x->def, 1), &k))
            return v;
        if (lane != k || lane > 31 || (seen >> lane & 1)) return v;
        seen |= (int64_t)1 << lane;
    }
    return from && from->type->elements == v->type->elements && seen == ((int64_t)1 << v->type->elements) - 1 ? from
                                                                                                              : v;
}
XG_FN int64_t xg_kasync_bytes(const xg_kval *v) {
    return (v->type->kind == XG_TK_VECTOR ? v->type->elements : 1) * xg_kelem_bytes(v->type->elem);
}
XG_FN bool xg_kasync_copy(xg_kmodule *m, xg_kop *store) {
    xg_kval *v = xg_kasync_whole(XG_KOPERAND(store, 0)), *o[2];
    int64_t bytes = xg_kasync_bytes(v);
    xg_kb b;
    while (xg_kval_by(v, XG_K_OP_BITCAST)) v = XG_KOPERAND(v->def, 0); /* the same bytes */
    if (XG_KOPERAND(store, 1)->type->space != XG_SPACE_SHARED || !xg_kval_by(v, XG_K_OP_LOAD)) return false;
    if (bytes != 4 && bytes != 8 && bytes != 16) return false;
    if (!(v->def->flags & KM_INVARIANT) || v->def->parent != store->parent || v->def->a < bytes || store->a < bytes)
        return false;
    o[0] = XG_KOPERAND(store, 1);
    o[1] = XG_KOPERAND(v->def, 0);
    if (o[1]->type->space != XG_SPACE_GLOBAL) return false;
    b = xg_kb_before(m, store);
    xg_kir_do(&b, XG_K_OP_ASYNC_COPY, o, 2)->a = bytes;
    xg_kop_remove(store); /* what it stored has no reader left, and goes with what nothing reads */
    return true;
}

/* ---- under a guard ---- */

/* The one operation of a region that does something; what makes its addresses may stand in front of the region as well.
 * NULL: there are several, or others may not. */
XG_FN xg_kop *xg_kasync_only(const xg_kregion *r, uint32_t cluster) {
    xg_kop *op, *before, *only = NULL;
    for (op = r->last; op; op = before) {
        before = op->prev;
        if (xg_kop_flags(op->op) & KF_TERM) continue;
        if (xg_kop_is_dead(op)) {
            xg_kop_remove(op);
            continue;
        }
        if (xg_khoist_may(op, true) && xg_khoist_is_harmless(op, cluster)) continue;
        if (only || (op->op != XG_K_OP_ASYNC_COPY && op->op != XG_K_OP_STORE)) return NULL;
        only = op;
    }
    return only;
}
XG_FN bool xg_kasync_same_place(const xg_kval *a, const xg_kval *b) {
    const xg_kop *x = a->def, *y = b->def;
    if (a == b) return true;
    return x && y && x->op == XG_K_OP_PTR_ADD && y->op == x->op && x->a == y->a && x->b == y->b &&
           XG_KOPERAND(x, 0) == XG_KOPERAND(y, 0) && XG_KOPERAND(x, 1) == XG_KOPERAND(y, 1);
}
typedef struct xg_kasync {
    xg_kmodule *m;
    xg_map64 given; /* cond ? bytes : 0, by the condition's id and bytes */
} xg_kasync;

/* Made once, behind the condition. */
XG_FN xg_kval *xg_kasync_given(xg_kasync *y, xg_kval *cond, xg_kop *guard, int64_t bytes) {
    uint64_t key = (uint64_t)cond->id * 32 + (uint64_t)bytes;
    xg_kval *v = (xg_kval *)xg_map64_get(&y->given, key), *all, *none;
    xg_kb b;
    if (v) return v;
    b = cond->def ? xg_kb_after(y->m, cond->def) : xg_kb_before(y->m, guard);
    none = xg_kconst_i32(&b, 0);
    all = xg_kconst_i32(&b, bytes);
    v = xg_kselect(&b, cond, all, none);
    if (cond->def) xg_map64_put(&y->given, key, v);
    return v;
}
XG_FN void xg_kasync_guarded(xg_kasync *y, xg_kop *guard) {
    uint32_t cluster = guard->parent->func->cluster;
    xg_kop *copy, *clear, *end;
    xg_kval *o[3];
    int64_t bits;
    xg_kb b;
    if (guard->n_results || !guard->regions[0]->first || !guard->regions[1]->first) return;
    copy = xg_kasync_only(guard->regions[0], cluster);
    clear = copy && copy->op == XG_K_OP_ASYNC_COPY ? xg_kasync_only(guard->regions[1], cluster) : NULL;
    if (!clear || clear->op != XG_K_OP_STORE || copy->n_operands > 2) return;
    if (!xg_kval_is_const(XG_KOPERAND(clear, 0), &bits) || bits) return;
    if (xg_kasync_bytes(XG_KOPERAND(clear, 0)) != copy->a) return;
    if (!xg_kasync_same_place(XG_KOPERAND(copy, 0), XG_KOPERAND(clear, 1))) return;
    o[0] = XG_KOPERAND(copy, 0);
    o[1] = XG_KOPERAND(copy, 1);
    o[2] = xg_kasync_given(y, XG_KOPERAND(guard, 0), guard, copy->a);
    b = xg_kb_before(y->m, copy);
    xg_kir_do(&b, XG_K_OP_ASYNC_COPY, o, 3)->a = copy->a;
    xg_kop_remove(copy);
    end = xg_kregion_end(guard->regions[0]);
    if (end) xg_kop_remove(end);
    xg_kregion_take(guard->regions[0], guard);
    xg_kop_remove(guard);
}

/* ---- the pass ---- */

/* Blocks of a cluster that only wait for each other's begin show each other nothing. */
XG_FN bool xg_kasync_only_meets(const xg_kop *op) { return op->a == XG_KTEAM_CLUSTER && op->b == XG_KTEAM_RELAXED; }

/* Whether copies may be on their way behind the region, if some were in front of it. */
XG_FN bool xg_kasync_region(xg_kasync *y, xg_kregion *r, bool pending) {
    xg_kop *op, *next;
    uint32_t k;
    for (op = r->first; op; op = next) {
        bool behind = pending;
        next = op->next;
        if (op->op == XG_K_OP_STORE && xg_kasync_copy(y->m, op)) pending = true;
        if (op->op == XG_K_OP_ASYNC_WAIT || op->op == XG_K_OP_ASYNC_WAIT_GROUP) pending = false;
        if (op->op == XG_K_OP_BARRIER && pending && !xg_kasync_only_meets(op)) {
            xg_kb b = xg_kb_before(y->m, op);
            xg_kir_do_0(&b, XG_K_OP_ASYNC_WAIT);
            pending = false;
        }
        for (k = 0; k < op->n_regions; k++) behind = xg_kasync_region(y, op->regions[k], pending) || behind;
        if (!op->n_regions) continue;
        if (op->op == XG_K_OP_IF) xg_kasync_guarded(y, op);
        if (behind && !pending && op->op != XG_K_OP_IF) /* from one round to the next */
            for (k = 0; k < op->n_regions; k++) (void)xg_kasync_region(y, op->regions[k], true);
        pending = behind;
    }
    return pending;
}

/* ---- addresses ---- */

/* Whether a value is there in front of the wait; what makes it may move there, if it is no long chain: such ones are
 * computed while others wait for memory. Behind the wait scratch is the wait, or, of what has to stay, its own
 * operation. */
XG_FN bool xg_kasync_raise(const xg_kval *v, xg_kop *wait, uint32_t depth) {
    xg_kop *op = v->def;
    bool may;
    uint32_t k;
    if (!op) return v->region == wait->parent || !xg_kregion_inside(v->region, wait->parent);
    if (op->scratch != wait) return !op->scratch;
    may = depth && xg_khoist_may(op, false) && xg_khoist_is_harmless(op, wait->parent->func->cluster);
    for (k = 0; k < op->n_operands && may; k++) may = xg_kasync_raise(op->operands[k].value, wait, depth - 1);
    op->scratch = may ? NULL : op;
    if (may) xg_kop_move_before(op, wait);
    return may;
}
XG_FN void xg_kasync_mark(xg_kop *op, void *mark) {
    for (; op; op = op->next) {
        op->scratch = mark;
        if (op->op == XG_K_OP_IF) xg_kasync_mark(op->regions[0]->first, mark);
    }
}
XG_FN void xg_kasync_addresses(const xg_kop *op, xg_kop *wait) {
    enum {
        DEPTH = 8
    };
    uint32_t k;
    for (; op; op = op->next) {
        for (k = 0; k < 2 && (op->op == XG_K_OP_LDMATRIX || op->op == XG_K_OP_ASYNC_COPY) && k < op->n_operands; k++)
            (void)xg_kasync_raise(op->operands[k].value, wait, DEPTH);
        if (op->op == XG_K_OP_IF) xg_kasync_addresses(op->regions[0]->first, wait);
    }
}
/* Where a round's copies and fragments lie is computed in front of the first product, or the wait for them. Plain cores
 * have other work then, and it would be all threads' where only some copy. */
XG_FN void xg_kasync_early(xg_kmodule *m, xg_kop *loop) {
    xg_kop *first = loop->regions[0]->first, *wait = first, *product = first;
    (void)m;
    while (wait && wait->op != XG_K_OP_ASYNC_WAIT_GROUP) wait = wait->next;
    while (product && product->op != XG_K_OP_MMA) product = product->next;
    if (!wait || !product) return;
    while (first != wait && first != product) first = first->next;
    xg_kasync_mark(first->next, first);
    xg_kasync_addresses(first->next, first);
    xg_kasync_mark(first->next, NULL);
}
/* Copies of straight code follow all that is computed for them: none waits for the next one's address or guard. */
XG_FN void xg_kasync_gather(xg_kregion *r) {
    xg_kop *op, *before, *to;
    uint32_t k;
    for (op = r->last; op; op = before) {
        before = op->prev;
        for (k = 0; k < op->n_regions; k++) xg_kasync_gather(op->regions[k]);
        if (op->op != XG_K_OP_ASYNC_COPY) continue;
        for (to = op->next; to && (xg_kop_flags(to->op) & (KF_PURE | KF_CONV)) == KF_PURE && !to->n_regions;)
            to = to->next;
        if (to && to != op->next) xg_kop_move_before(op, to);
    }
}
XG_FN void xg_kir_async_copies(xg_kmodule *m) {
    xg_kasync y;
    if (!m->entry || !m->entry->async_copies) return;
    y.m = m;
    xg_map64_init(&y.given, m->temp);
    (void)xg_kasync_region(&y, m->entry->body, false);
    xg_kops_each_of(m, XG_K_OP_FOR, xg_kasync_early);
    xg_kasync_gather(m->entry->body);
}

#endif /* XG_KIR_ASYNC_COPIES_C */
