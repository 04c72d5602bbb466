/* kir/cse.c -- common subexpressions: an operation equal to one that dominates it is replaced by that one.
 *
 * One walk in program order with a table of the last operation of each kind. Pure operations are equal when opcode,
 * attributes, types and operands are (the operands of commutative ones in either order, maps by content). If the region
 * of the one in the table is around the new one, it dominates. If not, and the operation is cheap integer work such as
 * an address, the first one moves out to the innermost region around both (its operands are there, since both see
 * them), and forgets what was known of it under its conditions. Anything else takes the place in the table. Loads count
 * too: those marked invariant always, others while nothing was written between, known by a number that each write
 * raises (entering and leaving a region that writes raises it as well).
 * Constants gather at the head of the function, each once. What nobody else reads makes its reader unlike all others:
 * that one enters the table when the value takes the place of another one. Linear in operations; the depth of regions
 * is paid on a hit. */
#ifndef XG_KIR_CSE_C
#define XG_KIR_CSE_C
#include "kir.h"
#include "build.c"

typedef struct xg_kcse_entry {
    xg_kop *op;
    uint32_t hash, epoch;
} xg_kcse_entry;
typedef struct xg_kcse {
    xg_kmodule *m;
    xg_kregion *body;
    xg_kcse_entry *seen; /* an operation each, in the order in which they came */
    uint32_t n_seen, mask;
    uint32_t
        *slots; /* number + 1 of an entry, by hash; twice as many as operations, a power of two: all to be cleared */
    xg_set *constants, own; /* of the module for the entry, else its own */
    xg_kop *last_constant;  /* of those gathered at the head */
    uint32_t epoch;
    void *alone; /* scratch of operations that have been left out of the table */
} xg_kcse;

/* ---- equality ---- */

XG_FN bool xg_kcse_has_map(const xg_kop *op) { return op->op == XG_K_OP_APPLY || op->op == XG_K_OP_LOOP; }
XG_FN bool xg_kcse_swapped(const xg_kop *op) {
    return (xg_kop_flags(op->op) & KF_COMM) && op->operands[0].value->id > op->operands[1].value->id;
}
XG_FN const xg_kval *xg_kcse_operand(const xg_kop *op, uint32_t k, bool swapped) {
    return op->operands[swapped ? 1 - k : k].value;
}

/* Where operands lie is enough: what is equal is found, whatever else has its hash. */
XG_FN uint32_t xg_kcse_hash(const xg_kop *op) {
    uint32_t h = xg_hash_mix((uint32_t)op->op | op->flags << 16, (uint64_t)op->a + (uint64_t)op->b * 31), k;
    const xg_kuse *o = op->operands;
    if (xg_kop_flags(op->op) & KF_COMM)
        h = xg_hash_mix(h, (uint64_t)(uintptr_t)o[0].value + (uintptr_t)o[1].value);
    else
        for (k = 0; k < op->n_operands; k++) h = xg_hash_mix(h, (uintptr_t)o[k].value);
    if (xg_kcse_has_map(op)) h = xg_hash_mix(h, xg_imap_hash((const xg_imap *)op->p));
    /* the functions of a fusion are called with the same tensors */
    if (op->op == XG_K_OP_CALL) {
        const xg_str name = ((const xg_kfunc *)op->p)->name;
        h = xg_hash_mix(h, xg_hash(name.p, name.n));
    }
    return h;
}
XG_FN bool xg_kcse_same_symbol(const xg_kop *x, const xg_kop *y) {
    if (x->p == y->p) return true;
    if (xg_kcse_has_map(x)) return xg_imap_equal((const xg_imap *)x->p, (const xg_imap *)y->p);
    return x->op == XG_K_OP_SHARED_PTR && x->p && y->p && xg_str_eq(*(const xg_str *)x->p, *(const xg_str *)y->p);
}
XG_FN bool xg_kcse_equal(const xg_kop *x, const xg_kop *y) {
    bool sx, sy;
    uint32_t k;
    if (x->op != y->op || x->flags != y->flags || x->a != y->a || x->b != y->b || x->n_operands != y->n_operands ||
        x->n_results != y->n_results)
        return false;
    sx = xg_kcse_swapped(x);
    sy = xg_kcse_swapped(y);
    for (k = 0; k < x->n_operands; k++)
        if (xg_kcse_operand(x, k, sx) != xg_kcse_operand(y, k, sy)) return false;
    for (k = 0; k < x->n_results; k++)
        if (x->results[k].type != y->results[k].type) return false;
    return xg_kcse_same_symbol(x, y);
}

/* ---- the table ---- */

/* A load that may move over nothing that writes: it is only equal to one of the same time. */
XG_FN bool xg_kcse_timed(const xg_kop *op) { return op->op == XG_K_OP_LOAD && !(op->flags & KM_INVARIANT); }
/* Work that may be done where it is not needed: cheap, and nothing depends on where it stands. */
XG_FN bool xg_kcse_may_leave(const xg_kop *op) {
    if (op->op == XG_K_OP_PTR_ADD || op->op == XG_K_OP_CMPI) return true;
    if (op->op >= XG_K_OP_ADDI && op->op <= XG_K_OP_MINUI) return op->op < XG_K_OP_DIVSI || op->op > XG_K_OP_REMUI;
    return op->op >= XG_K_OP_EXTSI && op->op <= XG_K_OP_TRUNCI;
}
/* Moves `first` out to where it dominates region r as well. */
XG_FN void xg_kcse_lift(xg_kop *first, const xg_kregion *r) {
    xg_kop *around = first;
    uint32_t d = xg_kregion_depth(first->parent), e = xg_kregion_depth(r);
    for (; e > d; e--) r = r->owner->parent;
    for (; d > e; d--) around = around->parent->owner;
    for (; around->parent != r; r = r->owner->parent) around = around->parent->owner;
    if (around == first) return;
    xg_kop_move_before(first, around);
    first->results[0].lo = 1;
    first->results[0].hi = 0;
    xg_kop_infer_range(first);
}

/* The entry of an operation equal to this one; a new one if there is none. */
XG_FN xg_kcse_entry *xg_kcse_entry_of(xg_kcse *c, xg_kop *op) {
    bool timed = xg_kcse_timed(op);
    uint32_t hash = timed ? xg_hash_mix(xg_kcse_hash(op), c->epoch) : xg_kcse_hash(op), at = hash & c->mask;
    xg_kcse_entry *e;
    for (; c->slots[at]; at = (at + 1) & c->mask) {
        e = &c->seen[c->slots[at] - 1];
        if (e->hash == hash && (!timed || e->epoch == c->epoch) && xg_kcse_equal(e->op, op)) return e;
    }
    e = &c->seen[c->n_seen++];
    c->slots[at] = c->n_seen;
    e->op = op;
    e->hash = hash;
    e->epoch = c->epoch;
    return e;
}
/* The operation to use instead of op; op itself, which is entered, if there is none. */
XG_FN xg_kop *xg_kcse_find(xg_kcse *c, xg_kop *op) {
    xg_kcse_entry *e = xg_kcse_entry_of(c, op);
    if (xg_kregion_inside(op->parent, e->op->parent)) return e->op;
    if (xg_kcse_may_leave(op)) {
        xg_kcse_lift(e->op, op->parent);
        return e->op;
    }
    return e->op = op;
}

/* No other operation reads all that it reads. */
XG_FN bool xg_kcse_is_alone(const xg_kop *op) {
    uint32_t k;
    for (k = 0; k < op->n_operands; k++) {
        const xg_kval *v = op->operands[k].value;
        if (v->first_use == v->last_use && !(v->def && v->def->op == XG_K_OP_CONST)) return !xg_kcse_timed(op);
    }
    return false;
}
/* The results of `same` take the place of those of op. */
XG_FN void xg_kcse_merge(xg_kcse *c, xg_kop *op, xg_kop *same) {
    uint32_t k;
    for (k = 0; k < op->n_results; k++) {
        xg_kval *v = &same->results[k];
        xg_kop *reader = v->first_use ? v->first_use->user : NULL;
        xg_kval_replace(&op->results[k], v);
        if (!reader || reader->scratch != c->alone || xg_kcse_is_alone(reader)) continue;
        reader->scratch = NULL;
        (void)xg_kcse_entry_of(c, reader);
    }
    xg_kop_remove(op);
}

/* ---- constants ---- */

XG_FN void xg_kcse_constant(xg_kcse *c, xg_kop *op) {
    void **slot = xg_kconst_slot(c->constants, op->results[0].type, op->a, op->b, c->body);
    xg_kop *at;
    if (*slot == op) return;
    if (*slot) {
        xg_kval_replace(op->results, ((xg_kop *)*slot)->results);
        xg_kop_remove(op);
        return;
    }
    *slot = op;
    at = c->last_constant && c->last_constant->parent == c->body ? c->last_constant->next : c->body->first;
    if (at != op) xg_kop_move_before(op, at);
    c->last_constant = op;
}

/* ---- the walk ---- */

/* Whether memory may have been written when a region was left, or when it is entered again. What writes comes last:
 * from there it is soon found. */
XG_FN bool xg_kcse_writes(const xg_kregion *r) {
    const xg_kop *op;
    uint32_t k;
    for (op = r->last; op; op = op->prev) {
        if (xg_kop_flags(op->op) & KF_WRITE) return true;
        for (k = 0; k < op->n_regions; k++)
            if (xg_kcse_writes(op->regions[k])) return true;
    }
    return false;
}

/* writes: something in the region may write. */
XG_FN void xg_kcse_region(xg_kcse *c, xg_kregion *r, bool writes) {
    uint32_t k;
    xg_kop *op, *next, *same;
    for (op = r->first; op; op = next) {
        uint32_t flags = xg_kop_flags(op->op);
        bool here = (flags & KF_WRITE) != 0;
        next = op->next;
        if (op->op == XG_K_OP_CONST) {
            xg_kcse_constant(c, op);
            continue;
        }
        if (((flags & KF_PURE) || (op->op == XG_K_OP_LOAD && !(op->flags & KM_VOLATILE))) && op->n_regions == 0) {
            if (xg_kcse_is_alone(op)) {
                op->scratch = c->alone;
                continue;
            }
            same = xg_kcse_find(c, op);
            if (same != op) xg_kcse_merge(c, op, same);
            continue;
        }
        for (k = 0; k < op->n_regions && writes; k++) here = here || xg_kcse_writes(op->regions[k]);
        c->epoch += here;
        for (k = 0; k < op->n_regions; k++) {
            xg_kcse_region(c, op->regions[k], here);
            c->epoch += here;
        }
    }
}

XG_FN void xg_kir_cse_func(xg_kmodule *m, xg_kfunc *f) {
    xg_kcse c;
    uint64_t count = f == m->entry ? m->n_ops : xg_kregion_count(f->body);
    memset(&c, 0, sizeof c);
    c.m = m;
    c.body = f->body;
    c.alone = (void *)(uintptr_t)++m->n_walks; /* no address, nor of another time */
    xg_set_init(&c.own, m->temp);
    c.constants = f == m->entry ? &m->constants : &c.own;
    if (!c.constants->arena) xg_set_init(c.constants, m->arena);
    if (f == m->entry) c.last_constant = m->last_constant;
    if (count > UINT32_MAX / 4) xg_fail(m->ctx, XLAGPU_ERROR_LIMIT, "a kernel of more than 2^30 operations");
    for (c.mask = 31; c.mask < 2 * count; c.mask = 2 * c.mask + 1) {}
    c.slots = XG_NEW_N(m->temp, uint32_t, (size_t)c.mask + 1);
    c.seen = (xg_kcse_entry *)xg_alloc_raw(m->temp, xg_mul(m->ctx, sizeof *c.seen, (size_t)count + 1));
    xg_kcse_region(&c, f->body, true);
    if (f == m->entry) m->last_constant = c.last_constant;
}
XG_FN void xg_kir_cse(xg_kmodule *m) {
    xg_kfunc *f;
    for (f = m->first; f; f = f->next) xg_kir_cse_func(m, f);
}

#endif /* XG_KIR_CSE_C */
