/* kir/inline.c -- calls become the bodies of the functions that they call; then only the entry is left.
 *
 * A call's copy of the body is made in front of it, and where the body calls in turn, the copy of that body comes at
 * once: whatever is copied finds its operands there, with what is known of them. A function that is asked twice for the
 * same element is computed once: a question that was asked before, in a region around, gets the same answer. So each
 * copy is one that the entry needs, and functions that all read the one before them take linear time. That asks for
 * equal operands to be one value: copies that are equal to what was made before are merged at once, what the bodies
 * share with the entry's own operations afterwards. Functions that call each other several times over with other
 * arguments could still grow without end; a budget makes that a named error. */
#ifndef XG_KIR_INLINE_C
#define XG_KIR_INLINE_C
#include "kir.h"
#include "cse.c"

enum {
    XG_KINLINE_OPS_MAX = 1 << 20,
    XG_KINLINE_DEPTH_MAX = 1000
};
enum {
    XG_KINLINE_NEW,
    XG_KINLINE_OPEN,
    XG_KINLINE_DONE
};

/* What was asked, where, and what came of it: the results stand behind the operands. */
typedef struct xg_kasked {
    const xg_kfunc *callee;
    const xg_kregion *region;
    uint32_t n;
    xg_kval **values;
} xg_kasked;
struct xg_kinliner {
    xg_kmodule *m;
    uint64_t ops;
    uint32_t depth;
    xg_set asked, made;
};

/* Merges what is equal in a function and in those that it calls, and sees that none calls itself. Gives the calls of
 * the first. */
XG_FN xg_kops xg_kinline_prepare(xg_kinliner *in, xg_kfunc *f) {
    xg_kops calls;
    uint32_t k;
    memset(&calls, 0, sizeof calls);
    f->mark = XG_KINLINE_OPEN;
    if (++in->depth > XG_KINLINE_DEPTH_MAX)
        xg_fail(in->m->ctx, XLAGPU_ERROR_LIMIT, "functions of a fused computation call each other deeper than %d",
            (int)XG_KINLINE_DEPTH_MAX);
    xg_kir_cse_func(in->m, f);
    xg_kops_collect_of(in->m->temp, &calls, f->body, XG_K_OP_CALL, XG_K_OP_CALL);
    for (k = 0; k < calls.n; k++) {
        xg_kfunc *callee = (xg_kfunc *)calls.p[k]->p;
        if (callee->mark == XG_KINLINE_OPEN)
            xg_fail(in->m->ctx, XLAGPU_ERROR_INTERNAL, "kernel IR function @%.*s calls itself", (int)callee->name.n,
                callee->name.p);
        if (callee->mark == XG_KINLINE_NEW) (void)xg_kinline_prepare(in, callee);
    }
    f->mark = XG_KINLINE_DONE;
    in->depth--;
    return calls;
}

/* ---- what was asked ---- */

XG_FN bool xg_kasked_equal(const void *node, const void *key) {
    const xg_kasked *x = (const xg_kasked *)node, *y = (const xg_kasked *)key;
    return x->callee == y->callee && x->n == y->n && memcmp(x->values, y->values, x->n * sizeof *x->values) == 0;
}
XG_FN uint32_t xg_kasked_hash(const xg_kasked *a) {
    uint32_t h = xg_hash(a->callee->name.p, a->callee->name.n), k;
    for (k = 0; k < a->n; k++) h = xg_hash_mix(h, a->values[k]->id);
    return h;
}

/* A copy of the callee's body at a place of the entry; its results go behind the operands. */
XG_FN void xg_kinline_body(xg_kinliner *in, xg_kb b, xg_kasked *a) {
    const xg_kregion *body = a->callee->body;
    xg_kop *op, *end = xg_kregion_end(body);
    uint32_t k;
    in->ops += xg_kregion_count(body);
    if (in->ops > XG_KINLINE_OPS_MAX)
        xg_fail(in->m->ctx, XLAGPU_ERROR_LIMIT,
            "a fused computation needs more than %d operations once its functions are inlined; split the fusion",
            (int)XG_KINLINE_OPS_MAX);
    xg_kclone_begin(body);
    for (k = 0; k < a->n; k++) xg_kclone_put(&body->args[k], a->values[k]);
    for (op = body->first; op && op != end; op = op->next) {
        b.loc = op->loc;
        xg_kop_clone(&b, op);
    }
    for (k = 0; k < end->n_operands; k++) a->values[a->n + k] = xg_kclone_value(end->operands[k].value);
}
/* What the call gives, made at a place of the entry; operands are those of the copy. */
XG_FN xg_kval **xg_kinline_call(xg_kinliner *in, const xg_kb *b, const xg_kop *call) {
    xg_kasked *a = XG_NEW(in->m->temp, xg_kasked);
    void **slot;
    uint32_t hash, k;
    a->callee = (const xg_kfunc *)call->p;
    a->region = b->region;
    a->n = call->n_operands;
    a->values = XG_NEW_N(in->m->temp, xg_kval *, (size_t)a->n + call->n_results);
    for (k = 0; k < a->n; k++) a->values[k] = xg_kclone_value(call->operands[k].value);
    hash = xg_kasked_hash(a);
    slot = xg_set_find(&in->asked, hash, xg_kasked_equal, a);
    if (*slot && xg_kregion_inside(b->region, ((const xg_kasked *)*slot)->region))
        return ((const xg_kasked *)*slot)->values + a->n;
    *slot = a; /* nothing asks for it before it is there: no function calls itself */
    xg_kinline_body(in, *b, a);
    return a->values + a->n;
}
XG_FN bool xg_kclone_call(xg_kb *b, const xg_kop *call) {
    xg_kval **results = xg_kinline_call(b->m->inliner, b, call);
    uint32_t k;
    for (k = 0; k < call->n_results; k++) xg_kclone_put(&call->results[k], results[k]);
    return true;
}

/* ---- what constants decide ---- */
/* Copies of indices that are known are numbers, and of a branch that is known only what is taken is copied. So one
 * place that is asked for in different ways is one question; and a function of pieces (a concatenation), asked for one
 * of them, does not ask in turn for what the others are made of: of chains of such functions code would double with
 * every step. */

enum {
    XG_KINLINE_INDICES_MAX = 16
};

XG_FN bool xg_kclone_known_indices(xg_kb *b, const xg_kop *op) {
    const xg_imap *m = (const xg_imap *)op->p;
    int64_t at[XG_KINLINE_INDICES_MAX], out[XG_KINLINE_INDICES_MAX];
    uint32_t k;
    if (m->n_rts || op->n_operands > XG_KINLINE_INDICES_MAX || op->n_results > XG_KINLINE_INDICES_MAX) return false;
    for (k = 0; k < op->n_operands; k++)
        if (!xg_kval_is_const(xg_kclone_value(op->operands[k].value), &at[k])) return false;
    if (!xg_imap_eval(m, at, at + m->n_dims, out)) return false;
    for (k = 0; k < op->n_results; k++)
        xg_kclone_put(&op->results[k], xg_kconst_bits(b, op->results[k].type, (uint64_t)out[k]));
    return true;
}
XG_FN bool xg_kclone_known_comparison(xg_kb *b, const xg_kop *op) {
    int64_t x, y;
    bool r;
    if (op->results[0].type->kind != XG_TK_SCALAR || !xg_kval_is_const(xg_kclone_value(op->operands[0].value), &x) ||
        !xg_kval_is_const(xg_kclone_value(op->operands[1].value), &y))
        return false;
    if (!xg_kfold_cmpi(op->flags, op->operands[0].value->type->elem, x, y, &r)) return false;
    xg_kclone_put(&op->results[0], xg_kconst_bits(b, op->results[0].type, r));
    return true;
}
XG_FN bool xg_kclone_known_branch(xg_kb *b, const xg_kop *op) {
    const xg_kregion *taken;
    const xg_kop *o, *end;
    int64_t c;
    uint32_t k;
    if (!xg_kval_is_const(xg_kclone_value(op->operands[0].value), &c) || (!c && op->n_regions < 2)) return false;
    taken = op->regions[c ? 0 : 1];
    end = xg_kregion_end(taken);
    for (o = taken->first; o && o != end; o = o->next) xg_kop_clone(b, o);
    for (k = 0; k < op->n_results; k++) xg_kclone_put(&op->results[k], xg_kclone_value(end->operands[k].value));
    return true;
}
XG_FN bool xg_kclone_instead(xg_kb *b, const xg_kop *op) {
    switch (op->op) {
    case XG_K_OP_CALL: return xg_kclone_call(b, op);
    case XG_K_OP_APPLY: return xg_kclone_known_indices(b, op);
    case XG_K_OP_CMPI: return xg_kclone_known_comparison(b, op);
    case XG_K_OP_IF: return xg_kclone_known_branch(b, op);
    default: return false;
    }
}

/* ---- what was made ---- */

XG_FN bool xg_kinline_same(const void *node, const void *key) {
    return xg_kcse_equal((const xg_kop *)node, (const xg_kop *)key);
}
XG_FN void xg_kclone_merge(xg_kb *b, const xg_kop *op, xg_kop *copy) {
    void **slot;
    xg_kop *earlier;
    uint32_t k;
    if (!(xg_kop_flags(op->op) & KF_PURE)) return;
    slot = xg_set_find(&b->m->inliner->made, xg_kcse_hash(copy), xg_kinline_same, copy);
    earlier = (xg_kop *)*slot;
    if (!earlier || !xg_kregion_inside(b->region, earlier->parent)) {
        *slot = copy;
        return;
    }
    for (k = 0; k < op->n_results; k++) xg_kclone_put(&op->results[k], &earlier->results[k]);
    xg_kop_remove(copy);
}

/* ---- the pass ---- */

XG_APART XG_FN void xg_kinline_func(xg_kinliner *in, xg_kfunc *f) {
    xg_kops calls = xg_kinline_prepare(in, f);
    uint32_t k, j;
    xg_set_init(&in->asked, in->m->temp);
    xg_set_init(&in->made, in->m->temp);
    for (k = 0; k < calls.n; k++) {
        xg_kop *call = calls.p[k];
        xg_kb b = xg_kb_before(in->m, call);
        xg_kval **results;
        for (j = 0; j < call->n_operands; j++) call->operands[j].value->scratch = NULL; /* they stand for themselves */
        results = xg_kinline_call(in, &b, call);
        for (j = 0; j < call->n_results; j++) xg_kval_replace(&call->results[j], results[j]);
        xg_kop_remove(call);
    }
    if (calls.n) xg_kir_cse_func(in->m, f);
}

XG_FN void xg_kir_inline(xg_kmodule *m) {
    xg_kinliner in;
    xg_kfunc *f, *next;
    memset(&in, 0, sizeof in);
    in.m = m;
    m->inliner = &in;
    for (f = m->first; f; f = f->next) f->mark = XG_KINLINE_NEW;
    for (f = m->first; f; f = f->next)
        if (f->entry || !m->entry) xg_kinline_func(&in, f);
    m->inliner = NULL;
    for (f = m->first; f; f = next) {
        next = f->next;
        if (m->entry && !f->entry) xg_kir_func_remove(f);
    }
}

#endif /* XG_KIR_INLINE_C */
