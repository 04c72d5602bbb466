/* kir/lower_indexing.c -- apply_indexing becomes arithmetic on index.
 *
 * floordiv and mod of what cannot be negative are the unsigned operations; by a power of two they are shifts and masks
 * whatever the sign. What may be negative is divided by way of its complement: floor(x / k) = -1 - floor((-1 - x) / k).
 * The terms of a sum are added in the order in which their variables are defined, outermost first, the constant last:
 * so what does not change in a loop is a partial sum that can leave it, equal partial sums are one, and constants end
 * in the address.
 * An operation that was made before, where it is seen from here, is not made again: maps of one kernel have most of
 * their parts in common. */
#ifndef XG_KIR_LOWER_INDEXING_C
#define XG_KIR_LOWER_INDEXING_C
#include "kir.h"
#include "rules.c"

typedef struct xg_kaffine {
    xg_kmodule *m;
    xg_set *ops; /* made by this pass: the last one of each code and operands */
    bool shared; /* the last one was there before */
    xg_kb b;
    const xg_kop *op;
    const xg_imap *map;
    xg_aff_env env;
    xg_map64 made;    /* id of a quotient or remainder -> its value */
    uint32_t *levels; /* by operand: how many regions are around its definition */
} xg_kaffine;

XG_FN uint32_t xg_kval_level(const xg_kval *v) {
    const xg_kregion *r = v->def ? v->def->parent : v->region;
    uint32_t n = 0;
    for (; r && r->owner; r = r->owner->parent) n++;
    return n;
}
XG_FN uint32_t xg_kaffine_var(const xg_kaffine *x, const xg_aff *e) {
    return e->kind == XG_AFF_DIM ? e->n : x->map->n_dims + e->n;
}
XG_FN uint32_t xg_kaffine_level(const xg_kaffine *x, const xg_aff *e) {
    uint32_t level = 0, k;
    switch (e->kind) {
    case XG_AFF_CONST: return 0;
    case XG_AFF_DIM:
    case XG_AFF_SYM: return x->levels[xg_kaffine_var(x, e)];
    case XG_AFF_DIV:
    case XG_AFF_MOD: return xg_kaffine_level(x, e->of);
    default: break;
    }
    for (k = 0; k < e->n; k++) {
        uint32_t l = xg_kaffine_level(x, e->terms[k].of);
        level = XG_MAX(level, l);
    }
    return level;
}

XG_FN xg_kval *xg_kaffine_value(xg_kaffine *x, const xg_aff *e);
XG_FN xg_kval *xg_kaffine_const(xg_kaffine *x, int64_t v) { return xg_kconst_int(&x->b, XG_E_INDEX, v); }

typedef struct xg_kaffine_key {
    xg_kopcode code;
    const xg_kval *a, *b;
} xg_kaffine_key;
XG_FN bool xg_kaffine_same(const void *node, const void *key) {
    const xg_kop *op = (const xg_kop *)node;
    const xg_kaffine_key *k = (const xg_kaffine_key *)key;
    return op->op == k->code && op->operands[0].value == k->a && op->operands[1].value == k->b;
}
XG_FN xg_kval *xg_kaffine_op(xg_kaffine *x, xg_kopcode code, xg_kval *a, xg_kval *b) {
    xg_kaffine_key key;
    void **slot;
    xg_kval *v;
    key.code = code;
    key.a = a;
    key.b = b;
    slot = xg_set_find(x->ops, xg_hash_mix((uint32_t)code, (uint64_t)a->id << 32 | b->id), xg_kaffine_same, &key);
    x->shared = *slot && x->b.region == ((xg_kop *)*slot)->parent;
    if (x->shared) return ((xg_kop *)*slot)->results;
    v = xg_k2(&x->b, code, a, b);
    *slot = v->def;
    return v;
}
XG_FN xg_kval *xg_kaffine_scaled(xg_kaffine *x, xg_kval *v, int64_t scale) {
    int shift = xg_klog2(scale);
    return shift >= 0 ? xg_kaffine_op(x, XG_K_OP_SHLI, v, xg_kaffine_const(x, shift))
                      : xg_kaffine_op(x, XG_K_OP_MULI, v, xg_kaffine_const(x, scale));
}

/* x, or -1 - x where x is negative; either way it is its own inverse, given the same x. */
XG_FN xg_kval *xg_kaffine_fold_sign(xg_kaffine *x, xg_kval *negative, xg_kval *v) {
    xg_kval *folded = xg_kaffine_op(x, XG_K_OP_SUBI, xg_kaffine_const(x, -1), v);
    x->shared = false;
    return xg_kselect(&x->b, negative, folded, v);
}
XG_FN xg_kval *xg_kaffine_floordiv(xg_kaffine *x, const xg_aff *of, int64_t k) {
    xg_kval *v = xg_kaffine_value(x, of), *negative;
    bool nonnegative = xg_aff_range(&x->env, of).lo >= 0;
    int shift = xg_klog2(k);
    if (shift >= 0) return xg_kaffine_op(x, nonnegative ? XG_K_OP_SHRUI : XG_K_OP_SHRSI, v, xg_kaffine_const(x, shift));
    if (nonnegative) return xg_kaffine_op(x, XG_K_OP_DIVUI, v, xg_kaffine_const(x, k));
    negative = xg_kcmpi_(&x->b, XG_CI_SLT, v, xg_kaffine_const(x, 0));
    v = xg_kaffine_fold_sign(x, negative, v);
    return xg_kaffine_fold_sign(x, negative, xg_kaffine_op(x, XG_K_OP_DIVUI, v, xg_kaffine_const(x, k)));
}
XG_APART XG_FN xg_kval *xg_kaffine_mod(xg_kaffine *x, const xg_aff *of, int64_t k) {
    xg_kval *v = xg_kaffine_value(x, of), *q;
    if (xg_klog2(k) >= 0) return xg_kaffine_op(x, XG_K_OP_ANDI, v, xg_kaffine_const(x, k - 1));
    if (xg_aff_range(&x->env, of).lo >= 0) return xg_kaffine_op(x, XG_K_OP_REMUI, v, xg_kaffine_const(x, k));
    q = xg_kaffine_floordiv(x, of, k);
    q = xg_kaffine_op(x, XG_K_OP_MULI, q, xg_kaffine_const(x, k));
    return xg_kaffine_op(x, XG_K_OP_SUBI, v, q);
}
XG_FN xg_kval *xg_kaffine_sum(xg_kaffine *x, const xg_aff *e) {
    uint32_t *order = XG_NEW_N(x->m->temp, uint32_t, e->n + 1), *level = XG_NEW_N(x->m->temp, uint32_t, e->n + 1), k, i;
    xg_kval *sum = NULL;
    for (k = 0; k < e->n; k++) level[k] = xg_kaffine_level(x, e->terms[k].of);
    for (k = 0; k < e->n; k++) { /* insertion keeps equal levels in order; a sum has a handful of terms */
        for (i = k; i > 0 && level[order[i - 1]] > level[k]; i--) order[i] = order[i - 1];
        order[i] = k;
    }
    for (k = 0; k < e->n; k++) {
        const xg_term *t = &e->terms[order[k]];
        xg_kval *v = xg_kaffine_value(x, t->of);
        if (sum && t->scale == -1) {
            sum = xg_kaffine_op(x, XG_K_OP_SUBI, sum, v);
            continue;
        }
        if (t->scale != 1) v = xg_kaffine_scaled(x, v, t->scale);
        sum = sum ? xg_kaffine_op(x, XG_K_OP_ADDI, sum, v) : v;
    }
    if (e->k && sum) sum = xg_kaffine_op(x, XG_K_OP_ADDI, sum, xg_kaffine_const(x, e->k));
    return sum ? sum : xg_kaffine_const(x, e->k);
}
/* The ranges of the map's variables may say more of a value than its operands do. */
XG_FN xg_kval *xg_kaffine_narrowed(xg_kaffine *x, xg_kval *v, xg_range r) {
    xg_range known = xg_kval_range(v), both = xg_range_meet(known, r);
    if (!v->def || v->def->op == XG_K_OP_CONST || (v->lo <= v->hi && both.lo == known.lo && both.hi == known.hi))
        return v;
    if (x->shared)
        v = xg_k2(&x->b, v->def->op, v->def->operands[0].value,
            v->def->operands[1].value); /* not of the one that others have */
    xg_kval_set_range(v, both);
    return v;
}
XG_FN xg_kval *xg_kaffine_value(xg_kaffine *x, const xg_aff *e) {
    xg_kval *v;
    if (e->kind == XG_AFF_CONST) return xg_kaffine_const(x, e->k);
    if (e->kind == XG_AFF_DIM || e->kind == XG_AFF_SYM) return x->op->operands[xg_kaffine_var(x, e)].value;
    x->shared = false;
    if (e->kind == XG_AFF_SUM) return xg_kaffine_narrowed(x, xg_kaffine_sum(x, e), xg_aff_range(&x->env, e));
    v = (xg_kval *)xg_map64_get(&x->made, e->id);
    if (v) return v;
    v = xg_kaffine_narrowed(x,
        e->kind == XG_AFF_DIV ? xg_kaffine_floordiv(x, e->of, e->k) : xg_kaffine_mod(x, e->of, e->k),
        xg_aff_range(&x->env, e));
    xg_map64_put(&x->made, e->id, v);
    return v;
}

/* What is added to v + c becomes a part of v, and c comes last: while all are indices sums may change their order, and
 * the types that they get then do not hide that two of them differ by a constant. */
XG_FN void xg_kaffine_constant_last(xg_kmodule *m, xg_kval *v) {
    xg_kval *other, *sum;
    xg_kop *user;
    xg_kb b;
    for (; v->def && v->def->op == XG_K_OP_ADDI && xg_kused_once(v); v = user->results) {
        xg_kop *last = v->def;
        user = v->first_use->user;
        if (user->op != XG_K_OP_ADDI || !xg_kval_is_const(last->operands[1].value, NULL)) return;
        other = user->operands[user->operands[0].value == v].value;
        if (xg_kval_is_const(other, NULL)) return;
        b = xg_kb_before(m, user);
        sum = xg_kaddi(&b, last->operands[0].value, other);
        xg_kop_set_operand(user, 0, sum);
        xg_kop_set_operand(user, 1, last->operands[1].value);
    }
}
XG_APART XG_FN void xg_kaffine_lower(xg_kmodule *m, xg_set *made, xg_kop *op) {
    xg_kaffine x;
    uint32_t k;
    memset(&x, 0, sizeof x);
    x.m = m;
    x.ops = made;
    x.b = xg_kb_before(m, op);
    x.op = op;
    x.map = (const xg_imap *)op->p;
    xg_map64_init(&x.made, m->temp);
    x.levels = XG_NEW_N(m->temp, uint32_t, op->n_operands + 1);
    for (k = 0; k < op->n_operands; k++) x.levels[k] = xg_kval_level(op->operands[k].value);
    if (xg_imap_ok(x.map)) x.env = xg_imap_env(m->aff, x.map);
    for (k = 0; k < op->n_results; k++) {
        xg_kval *r = &op->results[k], *v = xg_imap_ok(x.map)
                                               ? xg_kaffine_value(&x, x.map->results[k])
                                               : xg_kaffine_const(&x, 0); /* an empty domain: never computed */
        if (r->name.n && v->def && v->def->op != XG_K_OP_CONST && !v->name.n) v->name = r->name;
        xg_kval_replace(r, v);
        xg_kaffine_constant_last(m, v);
    }
    xg_kop_remove(op);
}
XG_FN void xg_kir_lower_indexing(xg_kmodule *m) {
    xg_kfunc *f;
    for (f = m->first; f; f = f->next) {
        xg_kops ops;
        xg_set made;
        uint32_t k;
        memset(&ops, 0, sizeof ops);
        xg_set_init(&made, m->temp);
        xg_kops_collect_of(m->temp, &ops, f->body, XG_K_OP_APPLY, XG_K_OP_APPLY);
        for (k = 0; k < ops.n; k++) {
            if (xg_kop_is_dead(ops.p[k]))
                xg_kop_remove(ops.p[k]);
            else
                xg_kaffine_lower(m, &made, ops.p[k]);
        }
    }
}

#endif /* XG_KIR_LOWER_INDEXING_C */
