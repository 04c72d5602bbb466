/* emit/flow.c -- loops and conditions around code that changes variables.
 *
 * Kernel IR has values, emitters think in variables: what a loop or a condition changes goes in as a carried value and comes out as a result. Here a variable is the place where its
 * present value is kept (a slot). Within the region the slots hold the region's values, behind it its results; the scope's builder goes inside and comes back. */
#ifndef XG_EMIT_FLOW_C
#define XG_EMIT_FLOW_C
#include "emit.h"

XG_FN void xg_flow_slot(xg_flow *f, xg_kval **slot) { /* a slot that is empty stays so */
    if (!*slot) return;
    XLAGPU_ASSERT(f->n < XG_FLOW_SLOTS);
    f->slots[f->n++] = slot;
}
XG_FN void xg_flow_elem(xg_flow *f, xg_elem *e) { xg_flow_slot(f, &e->v); xg_flow_slot(f, &e->im); }
XG_FN void xg_flow_gather(const xg_flow *f, xg_kval **v) {
    uint32_t k;
    for (k = 0; k < f->n; k++) v[k] = *f->slots[k];
}
XG_FN void xg_flow_give(const xg_flow *f, xg_kval *v) {
    uint32_t k;
    for (k = 0; k < f->n; k++) {
        if (xg_kelem_is_int(f->slots[k][0]->type->elem) && f->slots[k][0]->type->kind == XG_TK_SCALAR && f->limit) xg_kval_set_range(&v[k], xg_range_of(-f->limit, f->limit));
        *f->slots[k] = &v[k];
    }
}
XG_FN xg_kval *xg_flow_for(xg_scope *s, xg_flow *f, xg_kval *lo, xg_kval *hi, int64_t step, int64_t limit) {
    xg_kval *v[XG_FLOW_SLOTS], *by = xg_elem_index(s, step), *var;
    xg_flow_gather(f, v);
    f->op = xg_kfor(&s->b, lo, hi, by, v, f->n);
    f->op->flags = f->rolled ? KL_UNROLLED : 0;
    f->outer = s->b;
    var = &f->op->regions[0]->args[0];
    xg_kval_set_range(var, xg_range_of(XG_MAX(xg_kval_range(lo).lo, (int64_t)0), limit - 1));
    xg_flow_give(f, &f->op->regions[0]->args[1]);
    s->b = xg_kb_end(s->e->m, f->op->regions[0]);
    s->b.loc = f->outer.loc;
    return var;
}
XG_FN void xg_flow_if(xg_scope *s, xg_flow *f, xg_kval *cond) {
    const xg_ktype *types[XG_FLOW_SLOTS];
    uint32_t k;
    xg_flow_gather(f, f->before);
    for (k = 0; k < f->n; k++) types[k] = f->before[k]->type;
    f->op = xg_kif(&s->b, cond, types, f->n);
    f->outer = s->b;
    s->b = xg_kb_end(s->e->m, f->op->regions[0]);
    s->b.loc = f->outer.loc;
}
XG_FN void xg_flow_yield(xg_scope *s, const xg_flow *f) {
    xg_kval *v[XG_FLOW_SLOTS] = {NULL};
    xg_flow_gather(f, v);
    xg_kyield(&s->b, v, f->n);
}
XG_FN void xg_flow_else(xg_scope *s, xg_flow *f) {
    uint32_t k;
    xg_flow_yield(s, f);
    for (k = 0; k < f->n; k++) *f->slots[k] = f->before[k];
    s->b = xg_kb_end(s->e->m, f->op->regions[1]);
    s->b.loc = f->outer.loc;
}
XG_FN void xg_flow_end(xg_scope *s, xg_flow *f) {
    if (f->op->op == XG_K_OP_IF && s->b.region == f->op->regions[0]) xg_flow_else(s, f); /* otherwise nothing changes */
    xg_flow_yield(s, f);
    s->b = f->outer;
    xg_flow_give(f, f->op->results);
}

#endif /* XG_EMIT_FLOW_C */
