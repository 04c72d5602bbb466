/* kir/inline.c -- calls become the bodies of the functions they call, callees first; then only the entry is left.
 *
 * Equal calls are merged before, and what the bodies share after: so a function that is asked twice for the same element is computed
 * once. It is seen to be the same only where indices are put together, and branches on known ones are gone: functions that have become long are
 * simplified so far at once, since each may stand several times in its callers. What still grows without end meets a budget, which is a named error. */
#ifndef XG_KIR_INLINE_C
#define XG_KIR_INLINE_C
#include "kir.h"

enum { XG_KINLINE_OPS_MAX = 1 << 20, XG_KINLINE_DEPTH_MAX = 1000, XG_KINLINE_OPS_MANY = 250 };
enum { XG_KINLINE_NEW, XG_KINLINE_OPEN, XG_KINLINE_DONE };

typedef struct xg_kinliner { xg_kmodule *m; uint64_t ops; uint32_t depth; } xg_kinliner;

XG_FN uint64_t xg_kregion_count(const xg_kregion *r) {
    uint64_t n = 0;
    const xg_kop *op;
    uint32_t k;
    for (op = r->first; op; op = op->next) {
        n++;
        for (k = 0; k < op->n_regions; k++) n += xg_kregion_count(op->regions[k]);
    }
    return n;
}

/* Puts a copy of the callee's body in front of the call. */
XG_FN void xg_kinline_call(xg_kinliner *in, xg_kop *call, xg_kfunc *callee) {
    xg_kb b = xg_kb_before(in->m, call);
    xg_kop *op, *end = xg_kregion_end(callee->body);
    uint32_t k;
    in->ops += xg_kregion_count(callee->body);
    if (in->ops > XG_KINLINE_OPS_MAX) xg_fail(in->m->ctx, XLAGPU_ERROR_LIMIT, "a fused computation needs more than %d operations once its functions are inlined; split the fusion", (int)XG_KINLINE_OPS_MAX);
    xg_kclone_begin(callee->body);
    for (k = 0; k < call->n_operands; k++) xg_kclone_put(&callee->body->args[k], call->operands[k].value);
    for (op = callee->body->first; op && op != end; op = op->next) {
        b.loc = op->loc;
        xg_kop_clone(&b, op);
    }
    for (k = 0; k < call->n_results; k++) xg_kval_replace(&call->results[k], xg_kclone_value(end->operands[k].value));
    xg_kop_remove(call);
}

XG_FN void xg_kinline_func(xg_kinliner *in, xg_kfunc *f) {
    xg_kops calls;
    uint32_t k;
    memset(&calls, 0, sizeof calls);
    f->mark = XG_KINLINE_OPEN;
    if (++in->depth > XG_KINLINE_DEPTH_MAX) xg_fail(in->m->ctx, XLAGPU_ERROR_LIMIT, "functions of a fused computation call each other deeper than %d", (int)XG_KINLINE_DEPTH_MAX);
    xg_kir_cse_func(in->m, f);
    xg_kops_collect_of(in->m->temp, &calls, f->body, XG_K_OP_CALL);
    for (k = 0; k < calls.n; k++) {
        xg_kfunc *callee = (xg_kfunc *)calls.p[k]->p;
        if (callee->mark == XG_KINLINE_OPEN) xg_fail(in->m->ctx, XLAGPU_ERROR_INTERNAL, "kernel IR function @%.*s calls itself", (int)callee->name.n, callee->name.p);
        if (callee->mark == XG_KINLINE_NEW) xg_kinline_func(in, callee);
        xg_kinline_call(in, calls.p[k], callee);
    }
    if (calls.n) {
        if (xg_kregion_count(f->body) > XG_KINLINE_OPS_MANY) { xg_kir_simplify_indexing_func(in->m, f); xg_kir_canonicalize_func(in->m, f); }
        xg_kir_cse_func(in->m, f);
    }
    f->mark = XG_KINLINE_DONE;
    in->depth--;
}

XG_FN void xg_kir_inline(xg_kmodule *m) {
    xg_kinliner in;
    xg_kfunc *f, *next;
    memset(&in, 0, sizeof in);
    in.m = m;
    for (f = m->first; f; f = f->next) f->mark = XG_KINLINE_NEW;
    for (f = m->first; f; f = f->next) if (f->mark == XG_KINLINE_NEW && (f->entry || !m->entry)) xg_kinline_func(&in, f);
    for (f = m->first; f; f = next) {
        next = f->next;
        if (m->entry && !f->entry) xg_kir_func_remove(f);
    }
}

#endif /* XG_KIR_INLINE_C */
