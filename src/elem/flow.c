/* elem/flow.c -- loops and conditions around code that changes variables.
 *
 * Kernel IR has values, emitters think in variables: what a loop or a condition changes goes in as a carried value and
 * comes out as a result. Here a variable is the place where its present value is kept (a slot). Within the region the
 * slots hold the region's values, behind it its results; the scope's builder goes inside and comes back. */
#ifndef XG_ELEM_FLOW_C
#define XG_ELEM_FLOW_C
#include "elem.h"

XG_FN void xg_flow_slot(xg_flow *f, xg_kval **slot) {
    if (*slot) xg_push(f->s->e->arena, xg_kval **, &f->slots, slot);
}
XG_ONE_COPY XG_FN xg_flow xg_flow_begin(xg_scope *s) {
    xg_flow f;
    memset(&f, 0, sizeof f);
    f.s = s;
    return f;
}
XG_FN xg_flow xg_flow_of(xg_scope *s, xg_kval **slot) {
    xg_flow f = xg_flow_begin(s);
    if (slot) xg_flow_slot(&f, slot);
    return f;
}
XG_FN void xg_flow_elem(xg_flow *f, xg_elem *e) {
    xg_flow_slot(f, &e->v);
    xg_flow_slot(f, &e->im);
}
XG_FN void xg_flow_slots(xg_flow *f, xg_kval **slots, uint32_t n) {
    uint32_t k;
    for (k = 0; k < n; k++) xg_flow_slot(f, &slots[k]);
}
XG_FN void xg_flow_elems(xg_flow *f, xg_elem *e, uint32_t n) {
    uint32_t k;
    for (k = 0; k < n; k++) xg_flow_elem(f, &e[k]);
}
XG_FN xg_kval **xg_flow_values(const xg_flow *f) {
    xg_kval **v = XG_NEW_N(f->s->e->arena, xg_kval *, f->slots.n + 1);
    uint32_t k;
    for (k = 0; k < f->slots.n; k++) v[k] = *f->slots.p[k];
    return v;
}
XG_FN void xg_flow_give(const xg_flow *f, xg_kval *v) {
    uint32_t k;
    for (k = 0; k < f->slots.n; k++) {
        const xg_ktype *t = (*f->slots.p[k])->type;
        if (f->limit && t->kind == XG_TK_SCALAR && xg_kelem_is_int(t->elem))
            xg_kval_set_range(&v[k], xg_range_of(-f->limit, f->limit));
        *f->slots.p[k] = &v[k];
    }
}
/* The scope goes into a region of the operation. */
XG_FN void xg_flow_enter(xg_flow *f, uint32_t region) {
    f->s->b = xg_kb_end(f->s->e->m, f->op->regions[region]);
    f->s->b.loc = f->outer.loc;
}
XG_FN xg_kval *xg_flow_for(xg_flow *f, xg_kval *lo, xg_kval *hi, int64_t step, int64_t limit) {
    xg_kval *by = xg_elem_index(f->s, step);
    f->op = xg_kfor(&f->s->b, lo, hi, by, xg_flow_values(f), f->slots.n);
    f->op->flags = f->rolled ? KL_UNROLLED : 0;
    f->outer = f->s->b;
    f->var = &f->op->regions[0]->args[0];
    xg_kval_set_range(f->var, xg_range_of(XG_MAX(xg_kval_range(lo).lo, (int64_t)0), limit - 1));
    xg_flow_give(f, &f->op->regions[0]->args[1]);
    xg_flow_enter(f, 0);
    return f->var;
}
XG_FN xg_kval *xg_flow_count(xg_flow *f, int64_t n) {
    xg_kval *lo = xg_elem_index_0(f->s);
    return xg_flow_for(f, lo, xg_elem_index(f->s, n), 1, n);
}
XG_FN xg_kval *xg_flow_walk(xg_flow *f, const xg_imap *map, xg_kval *const *dims) {
    xg_kval *args;
    uint32_t k;
    f->op = xg_kloop(&f->s->b, map, dims, xg_flow_values(f), f->slots.n);
    f->outer = f->s->b;
    args = f->op->regions[0]->args;
    for (k = 0; k < map->n_syms; k++) args[k].name = map->syms[k].name;
    xg_flow_give(f, args + map->n_syms + map->n_results);
    xg_flow_enter(f, 0);
    return args;
}
XG_FN void xg_flow_if(xg_flow *f, xg_kval *cond) {
    const xg_ktype **types = XG_NEW_N(f->s->e->arena, const xg_ktype *, f->slots.n + 1);
    uint32_t k;
    if (!cond) return;
    f->before = xg_flow_values(f);
    for (k = 0; k < f->slots.n; k++) types[k] = f->before[k]->type;
    f->op = xg_kif(&f->s->b, cond, types, f->slots.n);
    f->outer = f->s->b;
    xg_flow_enter(f, 0);
}
XG_FN void xg_flow_else(xg_flow *f) {
    uint32_t k;
    xg_kyield(&f->s->b, xg_flow_values(f), f->slots.n);
    for (k = 0; k < f->slots.n; k++) *f->slots.p[k] = f->before[k];
    xg_flow_enter(f, 1);
}
XG_FN void xg_flow_once(xg_flow *f, uint32_t n) {
    uint32_t slots = f->slots.n, k;
    const xg_ktype **types = XG_NEW_N(f->s->e->arena, const xg_ktype *, slots + n + 1);
    f->before = xg_flow_values(f);
    for (k = 0; k < slots + n; k++) types[k] = f->before[k < slots ? k : 0]->type;
    f->op = xg_kir_op(&f->s->b, XG_K_OP_WHILE, f->before, slots, types, slots + n, 2);
    f->op->a = 1;
    f->outer = f->s->b;
    xg_kir_region_args(&f->outer, f->op, 0, types, slots);
    xg_flow_give(f, f->op->regions[0]->args);
    xg_flow_enter(f, 0);
}
XG_FN void xg_flow_again(xg_flow *f, xg_kval *cond, xg_kval *const *values) {
    uint32_t slots = f->slots.n, n = f->op->n_results, k;
    xg_kval **v = XG_NEW_N(f->s->e->arena, xg_kval *, n + 1);
    const xg_ktype **types = XG_NEW_N(f->s->e->arena, const xg_ktype *, n + 1);
    v[0] = cond;
    for (k = 0; k < n; k++) {
        v[1 + k] = k < slots ? *f->slots.p[k] : values[k - slots];
        f->op->results[k].type = types[k] = v[1 + k]->type;
    }
    xg_kir_do(&f->s->b, XG_K_OP_CONDITION, v, n + 1);
    xg_kir_region_args(&f->outer, f->op, 1, types, n);
    xg_flow_give(f, f->op->regions[1]->args);
    xg_flow_enter(f, 1);
}
XG_FN void xg_flow_end(xg_flow *f) {
    if (!f->op) return; /* a condition that always holds */
    if (f->op->op == XG_K_OP_IF && f->s->b.region == f->op->regions[0]) xg_flow_else(f); /* otherwise nothing changes */
    xg_kyield(&f->s->b, xg_flow_values(f), f->slots.n);
    f->s->b = f->outer;
    xg_flow_give(f, f->op->results);
}
XG_FN xg_kop *xg_flow_wait(xg_flow *f) {
    xg_kval **v = xg_flow_values(f);
    xg_kop *op = xg_shared_wait(&f->s->b, v, f->slots.n);
    uint32_t k;
    for (k = 0; k < f->slots.n; k++) *f->slots.p[k] = v[k];
    return op;
}

#endif /* XG_ELEM_FLOW_C */
