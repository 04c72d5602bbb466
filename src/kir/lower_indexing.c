/* kir/lower_indexing.c -- apply_indexing becomes arithmetic on index.
 *
 * floordiv and mod of what cannot be negative are the unsigned operations; by a power of two they are shifts and masks whatever the sign. What may be
 * negative is divided by way of its complement: floor(x / k) = -1 - floor((-1 - x) / k).
 * The terms of a sum are added in the order in which their variables are defined, outermost first, the constant last: so what does not change in a
 * loop is a partial sum that can leave it, equal partial sums meet in CSE, and constants end in the address. */
#ifndef XG_KIR_LOWER_INDEXING_C
#define XG_KIR_LOWER_INDEXING_C
#include "kir.h"

typedef struct xg_kaffine {
    xg_kmodule *m;
    xg_kb b;
    const xg_kop *op;
    const xg_imap *map;
    xg_aff_env env;
    xg_map64 made;        /* id of an expression -> its value; only of those that may be met again */
    bool single;          /* the map has one result: its sum is met once */
    uint32_t *levels;     /* by operand: how many regions are around its definition */
} xg_kaffine;

XG_FN uint32_t xg_kval_level(const xg_kval *v) {
    const xg_kregion *r = v->def ? v->def->parent : v->region;
    uint32_t n = 0;
    for (; r && r->owner; r = r->owner->parent) n++;
    return n;
}
XG_FN uint32_t xg_kaffine_var(const xg_kaffine *x, const xg_aff *e) { return e->kind == XG_AFF_DIM ? e->n : x->map->n_dims + e->n; }
XG_FN uint32_t xg_kaffine_level(const xg_kaffine *x, const xg_aff *e) {
    uint32_t level = 0, k;
    switch (e->kind) {
    case XG_AFF_CONST: return 0;
    case XG_AFF_DIM: case XG_AFF_SYM: return x->levels[xg_kaffine_var(x, e)];
    case XG_AFF_DIV: case XG_AFF_MOD: return xg_kaffine_level(x, e->of);
    default: break;
    }
    for (k = 0; k < e->n; k++) { uint32_t l = xg_kaffine_level(x, e->terms[k].of); level = XG_MAX(level, l); }
    return level;
}

XG_FN xg_kval *xg_kaffine_value(xg_kaffine *x, const xg_aff *e);
XG_FN xg_kval *xg_kaffine_const(xg_kaffine *x, int64_t v) { return xg_kconst_int(&x->b, XG_E_INDEX, v); }

/* x, or -1 - x where x is negative; either way it is its own inverse, given the same x. */
XG_FN xg_kval *xg_kaffine_fold_sign(xg_kaffine *x, xg_kval *negative, xg_kval *v) {
    return xg_kselect(&x->b, negative, xg_k2(&x->b, XG_K_OP_SUBI, xg_kaffine_const(x, -1), v), v);
}
XG_FN xg_kval *xg_kaffine_floordiv(xg_kaffine *x, const xg_aff *of, int64_t k) {
    xg_kval *v = xg_kaffine_value(x, of), *negative;
    bool nonnegative = xg_aff_range(&x->env, of).lo >= 0;
    int shift = xg_klog2(k);
    if (shift >= 0) return xg_k2(&x->b, nonnegative ? XG_K_OP_SHRUI : XG_K_OP_SHRSI, v, xg_kaffine_const(x, shift));
    if (nonnegative) return xg_k2(&x->b, XG_K_OP_DIVUI, v, xg_kaffine_const(x, k));
    negative = xg_kcmpi_(&x->b, XG_CI_SLT, v, xg_kaffine_const(x, 0));
    return xg_kaffine_fold_sign(x, negative, xg_k2(&x->b, XG_K_OP_DIVUI, xg_kaffine_fold_sign(x, negative, v), xg_kaffine_const(x, k)));
}
XG_FN xg_kval *xg_kaffine_mod(xg_kaffine *x, const xg_aff *of, int64_t k) {
    xg_kval *v = xg_kaffine_value(x, of);
    if (xg_klog2(k) >= 0) return xg_k2(&x->b, XG_K_OP_ANDI, v, xg_kaffine_const(x, k - 1));
    if (xg_aff_range(&x->env, of).lo >= 0) return xg_k2(&x->b, XG_K_OP_REMUI, v, xg_kaffine_const(x, k));
    return xg_k2(&x->b, XG_K_OP_SUBI, v, xg_k2(&x->b, XG_K_OP_MULI, xg_kaffine_floordiv(x, of, k), xg_kaffine_const(x, k)));
}
XG_FN xg_kval *xg_kaffine_sum(xg_kaffine *x, const xg_aff *e) {
    uint32_t *order = XG_NEW_N(x->m->arena, uint32_t, e->n + 1), *level = XG_NEW_N(x->m->arena, uint32_t, e->n + 1), k, i;
    xg_kval *sum = NULL;
    for (k = 0; k < e->n; k++) level[k] = xg_kaffine_level(x, e->terms[k].of);
    for (k = 0; k < e->n; k++) { /* insertion keeps equal levels in order; a sum has a handful of terms */
        for (i = k; i > 0 && level[order[i - 1]] > level[k]; i--) order[i] = order[i - 1];
        order[i] = k;
    }
    for (k = 0; k < e->n; k++) {
        const xg_term *t = &e->terms[order[k]];
        xg_kval *v = xg_kaffine_value(x, t->of);
        if (sum && t->scale == -1) { sum = xg_k2(&x->b, XG_K_OP_SUBI, sum, v); continue; }
        if (t->scale != 1) v = xg_k2(&x->b, XG_K_OP_MULI, v, xg_kaffine_const(x, t->scale));
        sum = sum ? xg_k2(&x->b, XG_K_OP_ADDI, sum, v) : v;
    }
    if (e->k && sum) sum = xg_k2(&x->b, XG_K_OP_ADDI, sum, xg_kaffine_const(x, e->k));
    return sum ? sum : xg_kaffine_const(x, e->k);
}
XG_FN xg_kval *xg_kaffine_value(xg_kaffine *x, const xg_aff *e) {
    xg_kval *v;
    xg_range known, r;
    bool once;
    if (e->kind == XG_AFF_CONST) return xg_kaffine_const(x, e->k);
    if (e->kind == XG_AFF_DIM || e->kind == XG_AFF_SYM) return x->op->operands[xg_kaffine_var(x, e)].value;
    once = x->single && e == x->map->results[0];
    v = once ? NULL : (xg_kval *)xg_map64_get(&x->made, e->id);
    if (v) return v;
    if (e->kind == XG_AFF_DIV) v = xg_kaffine_floordiv(x, e->of, e->k);
    else if (e->kind == XG_AFF_MOD) v = xg_kaffine_mod(x, e->of, e->k);
    else v = xg_kaffine_sum(x, e);
    r = xg_aff_range(&x->env, e);
    known = xg_kval_range(v);
    if (v->def && v->def->op != XG_K_OP_CONST) xg_kval_set_range(v, xg_range_meet(known, r));
    if (!once) xg_map64_put(&x->made, e->id, v);
    return v;
}

XG_FN void xg_kaffine_lower(xg_kmodule *m, xg_kop *op) {
    xg_kaffine x;
    uint32_t k;
    memset(&x, 0, sizeof x);
    x.m = m;
    x.b = xg_kb_before(m, op);
    x.op = op;
    x.map = (const xg_imap *)op->p;
    x.single = x.map->n_results == 1;
    xg_map64_init(&x.made, m->arena);
    x.levels = XG_NEW_N(m->arena, uint32_t, op->n_operands + 1);
    for (k = 0; k < op->n_operands; k++) x.levels[k] = xg_kval_level(op->operands[k].value);
    if (xg_imap_ok(x.map)) x.env = xg_imap_env(m->aff, x.map);
    for (k = 0; k < op->n_results; k++) {
        xg_kval *r = &op->results[k], *v = xg_imap_ok(x.map) ? xg_kaffine_value(&x, x.map->results[k]) : xg_kaffine_const(&x, 0); /* an empty domain: never computed */
        if (r->name.n && v->def && v->def->op != XG_K_OP_CONST && !v->name.n) v->name = r->name;
        xg_kval_replace(r, v);
    }
    xg_kop_remove(op);
}
XG_FN void xg_kir_lower_indexing(xg_kmodule *m) {
    xg_kfunc *f;
    for (f = m->first; f; f = f->next) {
        xg_kops ops;
        uint32_t k;
        memset(&ops, 0, sizeof ops);
        xg_kops_collect_of(m->arena, &ops, f->body, XG_K_OP_APPLY);
        for (k = 0; k < ops.n; k++) xg_kaffine_lower(m, ops.p[k]);
    }
}

#endif /* XG_KIR_LOWER_INDEXING_C */
