/* kir/indexing.c -- one apply_indexing for each index: chains are composed, results split, expressions simplified with
 * all ranges.
 *
 * An operand that is itself an apply_indexing, a constant, or a sum or product by a constant of index type is taken
 * into the expression; what is left over are the leaves, each of them once, with the range of its value. The conditions
 * under which an inner map was made hold for the outer one too (a value is only used where it is defined) and help to
 * simplify; beyond a number they are dropped. A result that is a constant or a leaf needs no operation. What is no
 * longer used is left to dead code removal.
 *
 * Most results are sums of leaves and constants, and a loop that was unrolled has put constants into maps that are
 * simple already: these are put together term by term, in a few additions; the rules are asked only where a quotient, a
 * condition or a narrower range could give them something to do. */
#ifndef XG_KIR_INDEXING_C
#define XG_KIR_INDEXING_C
#include "kir.h"

enum {
    XG_KINDEX_LEAVES_MAX = 64,
    XG_KINDEX_CONSTRAINTS_MAX = 48,
    XG_KINDEX_DEPTH_MAX = 24,
    XG_KINDEX_SEEN = 16 /* inner maps that are remembered, since all results of one are made of the same */
};

typedef struct xg_kindexer {
    xg_kmodule *m;
    uint32_t n_leaves;
    uint32_t n_constraints, n_seen;
    bool failed;
    const xg_kop *from; /* the operation whose map the inner terms are of */
    uint32_t n_inner;
    int64_t constant;
    xg_aff_env env; /* the ranges of all leaves, for the rules */
    const xg_kop *seen[XG_KINDEX_SEEN];
    const xg_aff **operands[XG_KINDEX_SEEN]; /* of those seen, over the leaves */
    xg_kval *leaves[XG_KINDEX_LEAVES_MAX];
    xg_imap_var vars[XG_KINDEX_LEAVES_MAX];
    int64_t scales[XG_KINDEX_LEAVES_MAX]; /* of a sum that is put together term by term: by leaf, */
    bool inside[XG_KINDEX_LEAVES_MAX];    /* whether a quotient or remainder has it, */
    xg_term inner[XG_KINDEX_LEAVES_MAX];
    xg_constraint constraints[XG_KINDEX_CONSTRAINTS_MAX];
    xg_range ranges[XG_KINDEX_LEAVES_MAX]; /* of the leaves, once all are known */
} xg_kindexer;

XG_FN const xg_aff *xg_kindex_expr(xg_kindexer *x, xg_kval *v, const xg_imap_var *as, uint32_t depth);

XG_FN const xg_aff *xg_kindex_leaf(xg_kindexer *x, xg_kval *v, const xg_imap_var *as) {
    uint32_t k;
    xg_range r = xg_kval_range(v);
    for (k = 0; k < x->n_leaves && x->leaves[k] != v; k++) {}
    if (k == XG_KINDEX_LEAVES_MAX) {
        x->failed = true;
        return NULL;
    }
    if (k == x->n_leaves) {
        x->leaves[k] = v;
        x->vars[k].name = as ? as->name : xg_str_of(NULL, 0);
        x->vars[k].range = r;
        x->scales[k] = 0;
        x->inside[k] = false;
        x->n_leaves++;
    }
    if (as) x->vars[k].range = xg_range_meet(x->vars[k].range, as->range);
    return xg_aff_dim(x->m->aff, k);
}

XG_APART XG_FN void xg_kindex_constrain(xg_kindexer *x, const xg_aff *e, xg_range r) {
    if (!e || x->n_constraints == XG_KINDEX_CONSTRAINTS_MAX || e->kind == XG_AFF_DIM) return;
    if (r.lo == INT64_MIN && r.hi == INT64_MAX) return;
    x->constraints[x->n_constraints].expr = e;
    x->constraints[x->n_constraints].range = r;
    x->n_constraints++;
}

/* Simplified before: its constraints have done what they can, and if no operand can be taken in, there is nothing to
 * do. */
XG_FN bool xg_kindex_done(const xg_kop *op) { return op->a == 1; }
XG_FN bool xg_kindex_is_leaf(const xg_kval *v) {
    return !v->def || (v->def->op != XG_K_OP_APPLY && v->def->op != XG_K_OP_CONST && v->def->op != XG_K_OP_ADDI &&
                          v->def->op != XG_K_OP_SUBI && v->def->op != XG_K_OP_MULI);
}
XG_FN bool xg_kindex_nothing_to_do(const xg_kop *op) {
    uint32_t k;
    if (!xg_kindex_done(op)) return false;
    for (k = 0; k < op->n_operands; k++)
        if (!xg_kindex_is_leaf(op->operands[k].value)) return false;
    return true;
}

/* Its number among those seen; that of the next one where it is new. */
XG_FN uint32_t xg_kindex_find(const xg_kindexer *x, const xg_kop *op) {
    uint32_t k;
    for (k = 0; k < x->n_seen && x->seen[k] != op; k++) {}
    return k;
}
XG_FN void xg_kindex_saw(xg_kindexer *x, const xg_kop *op, const xg_aff **operands) {
    if (x->n_seen == XG_KINDEX_SEEN) return;
    x->seen[x->n_seen] = op;
    x->operands[x->n_seen++] = operands;
}
/* One result of an apply_indexing over the leaves. */
XG_FN const xg_aff *xg_kindex_apply(xg_kindexer *x, const xg_kop *op, uint32_t which, uint32_t depth) {
    const xg_imap *map = (const xg_imap *)op->p;
    uint32_t n = map->n_syms + map->n_rts, k = xg_kindex_find(x, op);
    bool known = k < x->n_seen;
    const xg_aff **vars = known ? x->operands[k] : XG_NEW_N(x->m->temp, const xg_aff *, map->n_dims + n + 1), *e;
    xg_aff_rewrite w;
    for (k = 0; k < map->n_dims + n && !known; k++) {
        const xg_imap_var *var = k < map->n_dims ? &map->dims[k] : &map->syms[k - map->n_dims];
        vars[k] = xg_kindex_expr(x, op->operands[k].value, var, depth + 1);
        if (!vars[k]) return NULL;
        xg_kindex_constrain(x, vars[k], var->range);
    }
    w = xg_aff_rewrite_begin(&x->env, vars, map->n_dims, vars + map->n_dims, n);
    e = xg_aff_rewrite_one(&w, map->results[which]);
    if (known) return e;
    xg_kindex_saw(x, op, vars);
    if (!xg_kindex_done(op))
        for (k = 0; k < map->n_constraints; k++)
            xg_kindex_constrain(x, xg_aff_rewrite_one(&w, map->constraints[k].expr), map->constraints[k].range);
    return e;
}

/* The expression of an operand; `as` is the variable of the map that it stands for. */
XG_FN const xg_aff *xg_kindex_expr(xg_kindexer *x, xg_kval *v, const xg_imap_var *as, uint32_t depth) {
    xg_kop *op = v->def;
    xg_aff_ctx *aff = x->m->aff;
    const xg_aff *l, *r;
    int64_t c;
    if (!op || v->type->elem != XG_E_INDEX || depth > XG_KINDEX_DEPTH_MAX) return xg_kindex_leaf(x, v, as);
    switch (op->op) {
    case XG_K_OP_CONST: return xg_aff_const(aff, op->a);
    case XG_K_OP_APPLY:
        if (xg_imap_ok((const xg_imap *)op->p)) return xg_kindex_apply(x, op, v->index, depth);
        break;
    case XG_K_OP_ADDI:
    case XG_K_OP_SUBI:
        if (v->lo > v->hi) break; /* it may wrap */
        l = xg_kindex_expr(x, op->operands[0].value, NULL, depth + 1);
        r = xg_kindex_expr(x, op->operands[1].value, NULL, depth + 1);
        return op->op == XG_K_OP_ADDI ? xg_aff_add(aff, l, r) : xg_aff_sub(aff, l, r);
    case XG_K_OP_MULI:
        if (v->lo > v->hi || !xg_kval_is_const(op->operands[1].value, &c)) break;
        l = xg_kindex_expr(x, op->operands[0].value, NULL, depth + 1);
        return xg_aff_mul(aff, l, c);
    default: break;
    }
    return xg_kindex_leaf(x, v, as);
}

/* The leaves of that expression. */
XG_FN void xg_kindex_collect(xg_kindexer *x, xg_kval *v, const xg_imap_var *as, uint32_t depth) {
    xg_kop *op = v->def;
    const xg_imap *map;
    uint32_t k;
    if (op && v->type->elem == XG_E_INDEX && depth <= XG_KINDEX_DEPTH_MAX) switch (op->op) {
        case XG_K_OP_CONST: return;
        case XG_K_OP_APPLY:
            map = (const xg_imap *)op->p;
            if (!xg_imap_ok(map)) break;
            if (xg_kindex_find(x, op) < x->n_seen) return;
            xg_kindex_saw(x, op, NULL);
            for (k = 0; k < op->n_operands && !x->failed; k++)
                xg_kindex_collect(
                    x, op->operands[k].value, k < map->n_dims ? &map->dims[k] : &map->syms[k - map->n_dims], depth + 1);
            return;
        case XG_K_OP_ADDI:
        case XG_K_OP_SUBI:
            if (v->lo > v->hi) break;
            for (k = 0; k < 2; k++) xg_kindex_collect(x, op->operands[k].value, NULL, depth + 1);
            return;
        case XG_K_OP_MULI:
            if (v->lo > v->hi || !xg_kval_is_const(op->operands[1].value, NULL)) break;
            xg_kindex_collect(x, op->operands[0].value, NULL, depth + 1);
            return;
        default: break;
        }
    (void)xg_kindex_leaf(x, v, as);
}

/* Leaves in the order of their definition: maps of one kernel then look alike. */
XG_FN void xg_kindex_sort(xg_kindexer *x) {
    uint32_t i, k;
    for (i = 1; i < x->n_leaves; i++) {
        xg_kval *leaf = x->leaves[i];
        xg_imap_var var = x->vars[i];
        int64_t scale = x->scales[i];
        bool inside = x->inside[i];
        for (k = i; k > 0 && x->leaves[k - 1]->id > leaf->id; k--) {
            x->leaves[k] = x->leaves[k - 1];
            x->vars[k] = x->vars[k - 1];
            x->scales[k] = x->scales[k - 1];
            x->inside[k] = x->inside[k - 1];
        }
        x->leaves[k] = leaf;
        x->vars[k] = var;
        x->scales[k] = scale;
        x->inside[k] = inside;
    }
}

/* Two leaves of one name would read as one. */
XG_FN void xg_kindex_unique_names(xg_kindexer *x) {
    uint32_t i, k;
    for (i = 0; i < x->n_leaves; i++)
        for (k = 0; k < i; k++) {
            if (x->vars[i].name.n && xg_str_eq(x->vars[i].name, x->vars[k].name))
                x->vars[i].name =
                    x->vars[i].name.n > 1 && x->leaves[i]->name.n ? x->leaves[i]->name : xg_str_of(NULL, 0);
        }
}

XG_FN const xg_imap *xg_kindex_map(xg_kindexer *x, const xg_aff *e) {
    xg_aff_ctx *aff = x->m->aff;
    xg_imap *map = xg_imap_new(aff, x->n_leaves, 0, 0, 1, x->n_constraints);
    uint32_t k;
    xg_kindex_unique_names(x);
    for (k = 0; k < x->n_leaves; k++) map->dims[k] = x->vars[k];
    for (k = 0; k < x->n_constraints; k++) map->constraints[k] = x->constraints[k];
    map->results[0] = e;
    xg_imap_fix_names(aff, map);
    return xg_imap_simplify_domain(aff, map);
}
/* Constraints on leaves that the result does not use say nothing of it any more: they only would keep the leaves
 * alive. */
XG_FN const xg_imap *xg_kindex_drop(xg_kmodule *m, const xg_imap *map, uint32_t *kept) {
    xg_imap *to;
    uint32_t k, i, n = 0;
    if (!map->n_constraints) return xg_imap_drop_unused_dims(m->aff, map, kept);
    to = xg_imap_copy(m->aff, map, 0);
    for (k = 0; k < map->n_constraints; k++) {
        bool keep = true;
        for (i = 0; i < map->n_dims && keep; i++) {
            const xg_aff *d = xg_aff_dim(m->aff, i);
            if (xg_aff_uses(map->constraints[k].expr, d) && !xg_aff_uses(map->results[0], d)) keep = false;
        }
        if (keep) to->constraints[n++] = map->constraints[k];
    }
    to->n_constraints = n;
    return xg_imap_drop_unused_dims(m->aff, to, kept);
}

/* ---- sums, term by term; each step answers false where only the rules know ---- */

XG_FN bool xg_kindex_sum_result(xg_kindexer *x, const xg_kop *op, uint32_t which, int64_t scale, uint32_t depth);
XG_FN bool xg_kindex_add(int64_t *sum, int64_t v, int64_t scale) {
    return xg_mul64(v, scale, &v) && xg_add64(*sum, v, sum);
}
/* Adds scale times an operand; it stands for the variable `as` of a map, whose range must not say more than is
 * known. */
XG_FN bool xg_kindex_sum_operand(xg_kindexer *x, xg_kval *v, const xg_imap_var *as, int64_t scale, uint32_t depth) {
    xg_kop *op = v->def;
    const xg_aff *leaf;
    int64_t c;
    if (op && v->type->elem == XG_E_INDEX && !xg_kindex_is_leaf(v)) {
        if (depth > XG_KINDEX_DEPTH_MAX || v->lo > v->hi || (as && (v->lo < as->range.lo || v->hi > as->range.hi)))
            return false;
        switch (op->op) {
        case XG_K_OP_CONST: return xg_kindex_add(&x->constant, op->a, scale);
        case XG_K_OP_APPLY:
            return xg_imap_ok((const xg_imap *)op->p) && xg_kindex_sum_result(x, op, v->index, scale, depth + 1);
        case XG_K_OP_MULI:
            return xg_kval_is_const(op->operands[1].value, &c) && xg_mul64(scale, c, &scale) &&
                   xg_kindex_sum_operand(x, op->operands[0].value, NULL, scale, depth + 1);
        default:
            c = op->op == XG_K_OP_SUBI ? -1 : 1;
            return xg_kindex_sum_operand(x, op->operands[0].value, NULL, scale, depth + 1) &&
                   xg_mul64(scale, c, &scale) &&
                   xg_kindex_sum_operand(x, op->operands[1].value, NULL, scale, depth + 1);
        }
    }
    leaf = xg_kindex_leaf(x, v, as);
    return leaf && xg_kindex_add(&x->scales[leaf->n], 1, scale);
}
/* What a quotient or remainder reads are leaves. */
XG_FN bool xg_kindex_sum_inside(xg_kindexer *x, const xg_kop *op, const xg_aff *e) {
    const xg_imap *map = (const xg_imap *)op->p;
    const xg_aff *leaf;
    uint32_t k;
    if (e->kind == XG_AFF_DIM) {
        xg_kval *v = op->operands[e->n].value;
        if (!xg_kindex_is_leaf(v) || (leaf = xg_kindex_leaf(x, v, &map->dims[e->n])) == NULL) return false;
        x->inside[leaf->n] = true;
        return true;
    }
    if (e->of) return xg_kindex_sum_inside(x, op, e->of);
    for (k = 0; k < e->n; k++)
        if (!xg_kindex_sum_inside(x, op, e->terms[k].of)) return false;
    return true;
}
/* Adds scale times a result. Quotients are those of one map that is simple already; where it is not, it must be without
 * conditions as well. */
XG_FN bool xg_kindex_sum_result(xg_kindexer *x, const xg_kop *op, uint32_t which, int64_t scale, uint32_t depth) {
    const xg_imap *map = (const xg_imap *)op->p;
    xg_linear l;
    int64_t s;
    uint32_t k;
    if (!map->results[which] || (!xg_kindex_done(op) && map->n_constraints)) return false;
    xg_aff_linear(map->results[which], &l);
    if (!xg_kindex_add(&x->constant, l.k, scale)) return false;
    for (k = 0; k < l.n; k++) {
        const xg_aff *of = l.terms[k].of;
        uint32_t var = of->kind == XG_AFF_SYM ? map->n_dims + of->n : of->n;
        if (!xg_mul64(l.terms[k].scale, scale, &s)) return false;
        if (of->kind == XG_AFF_DIM || of->kind == XG_AFF_SYM) {
            if (!xg_kindex_sum_operand(x, op->operands[var].value,
                    of->kind == XG_AFF_DIM ? &map->dims[of->n] : &map->syms[of->n], s, depth))
                return false;
            continue;
        }
        if (!xg_kindex_done(op) || map->n_syms || map->n_rts || (x->from && x->from != op) ||
            x->n_inner == XG_KINDEX_LEAVES_MAX || !xg_kindex_sum_inside(x, op, of))
            return false;
        x->from = op;
        x->inner[x->n_inner].of = of;
        x->inner[x->n_inner++].scale = s;
    }
    return true;
}
/* Leaves that the sum has, in their order; what a quotient reads must have the range that it was simplified under. */
XG_FN bool xg_kindex_sum_leaves(xg_kindexer *x) {
    uint32_t k, n = 0;
    xg_kindex_sort(x);
    for (k = 0; k < x->n_leaves; k++) {
        if (!x->scales[k] && !x->inside[k]) continue;
        if (x->vars[k].range.lo >= x->vars[k].range.hi) return false;
        x->leaves[n] = x->leaves[k];
        x->vars[n] = x->vars[k];
        x->scales[n] = x->scales[k];
        x->inside[n++] = x->inside[k];
    }
    x->n_leaves = n;
    return true;
}
/* The same expression over the leaves; NULL where their order is another one, or a range is narrower. */
XG_FN const xg_aff *xg_kindex_sum_renamed(xg_kindexer *x, const xg_aff *e) {
    const xg_imap *map = (const xg_imap *)x->from->p;
    xg_aff_ctx *aff = x->m->aff;
    xg_term terms[XG_KINDEX_LEAVES_MAX];
    const xg_aff *of;
    uint32_t k;
    if (e->kind == XG_AFF_DIM) {
        const xg_kval *v = x->from->operands[e->n].value;
        for (k = 0; x->leaves[k] != v; k++) {}
        return xg_range_equal(x->vars[k].range, map->dims[e->n].range) ? xg_aff_dim(aff, k) : NULL;
    }
    if (e->of)
        return (of = xg_kindex_sum_renamed(x, e->of)) != NULL ? of == e->of ? e : xg_aff_make(aff, e->kind, 0, e->k, of)
                                                              : NULL;
    if (e->n > XG_KINDEX_LEAVES_MAX) return NULL;
    for (k = 0; k < e->n; k++) {
        terms[k].scale = e->terms[k].scale;
        terms[k].of = xg_kindex_sum_renamed(x, e->terms[k].of);
        if (!terms[k].of || (k && xg_aff_compare(terms[k - 1].of, terms[k].of) >= 0)) return NULL;
    }
    return xg_aff_from_terms(aff, e->k, terms, e->n);
}
XG_FN const xg_aff *xg_kindex_sum_expr(xg_kindexer *x) {
    xg_term terms[2 * XG_KINDEX_LEAVES_MAX];
    uint32_t k, n = 0;
    for (k = 0; k < x->n_inner; k++) {
        terms[n].scale = x->inner[k].scale;
        terms[n++].of = xg_kindex_sum_renamed(x, x->inner[k].of);
        if (!terms[k].of || (k && xg_aff_compare(terms[k - 1].of, terms[k].of) >= 0)) return NULL;
    }
    for (k = 0; k < x->n_leaves; k++)
        if (x->scales[k]) {
            terms[n].scale = x->scales[k];
            terms[n++].of = xg_aff_dim(x->m->aff, k);
        }
    return xg_aff_from_terms(x->m->aff, x->constant, terms, n);
}
XG_ONE_COPY XG_FN void xg_kindex_begin(xg_kindexer *x, xg_kmodule *m) {
    x->m = m;
    x->n_leaves = x->n_constraints = x->n_inner = x->n_seen = 0;
    x->constant = 0;
    x->from = NULL;
    x->failed = false;
}
XG_FN xg_kval *xg_kindex_made(xg_kb *b, const xg_imap *map, xg_kval *const *vars, const xg_kval *old) {
    xg_kval *v = xg_kapply(b, map, vars)->results;
    v->def->a = 1;
    v->name = old->name;
    return v;
}
XG_FN xg_kval *xg_kindex_sum(xg_kmodule *m, xg_kindexer *x, xg_kop *op, uint32_t which) {
    xg_kb b = xg_kb_before(m, op);
    const xg_aff *e;
    xg_imap *map;
    uint32_t k;
    xg_kindex_begin(x, m);
    if (!xg_kindex_sum_result(x, op, which, 1, 0) || !xg_kindex_sum_leaves(x) || (e = xg_kindex_sum_expr(x)) == NULL)
        return NULL;
    if (e->kind == XG_AFF_CONST) return xg_kconst_int(&b, XG_E_INDEX, e->k);
    if (e->kind == XG_AFF_DIM) return x->leaves[e->n];
    xg_kindex_unique_names(x);
    map = xg_imap_of_dims(m->aff, x->n_leaves, 1);
    for (k = 0; k < x->n_leaves; k++) map->dims[k] = x->vars[k];
    map->results[0] = e;
    xg_imap_fix_names(m->aff, map);
    return xg_kindex_made(&b, map, x->leaves, &op->results[which]);
}

/* ---- by the rules ---- */

/* A value equal to result `which` of op, made in front of it; NULL: leave it. */
XG_FN xg_kval *xg_kindex_simplified(xg_kmodule *m, xg_kindexer *x, xg_kop *op, uint32_t which) {
    const xg_aff *e;
    const xg_imap *map;
    xg_kb b = xg_kb_before(m, op);
    uint32_t *kept, k;
    xg_kval **vars;
    xg_kindex_begin(x, m);
    xg_kindex_collect(x, &op->results[which], NULL, 0);
    if (x->failed) return NULL;
    xg_kindex_sort(x);
    for (k = 0; k < x->n_leaves; k++) x->ranges[k] = x->vars[k].range;
    x->env = xg_aff_env_of(m->aff, x->ranges, x->n_leaves, NULL, 0);
    x->n_seen = 0;
    e = xg_kindex_apply(x, op, which, 0);
    if (!e || x->failed) return NULL;
    map = xg_kindex_map(x, e);
    if (map->state == XG_IMAP_EMPTY) return xg_kconst_int(&b, XG_E_INDEX, 0); /* never computed */
    if (map->state != XG_IMAP_OK) return NULL;
    e = map->results[0];
    if (e->kind == XG_AFF_CONST) return xg_kconst_int(&b, XG_E_INDEX, e->k);
    if (e->kind == XG_AFF_DIM) return x->leaves[e->n];
    kept = XG_NEW_N(m->temp, uint32_t, map->n_dims + 1);
    map = xg_kindex_drop(m, map, kept);
    if (map->state != XG_IMAP_OK) return NULL;
    vars = XG_NEW_N(m->temp, xg_kval *, map->n_dims + 1);
    for (k = 0; k < map->n_dims; k++) vars[k] = x->leaves[kept[k]];
    return xg_kindex_made(&b, map, vars, &op->results[which]);
}

/* ---- the same map once more, of the same operands but for constants that are only added: loops that were unrolled and
 * tensors of one shape are full of these ---- */

typedef struct xg_kindex_known {
    const xg_kop *op; /* is of region `at`, but may be gone */
    uint32_t which;
    const xg_kregion *at;
    uint64_t added; /* operands that are constants and only added; */
    int64_t sum;    /* of these, as often as the map has them */
    xg_kval *value;
} xg_kindex_known;
XG_FN bool xg_kindex_known_same(const void *node, const void *key) {
    const xg_kindex_known *a = (const xg_kindex_known *)node, *b = (const xg_kindex_known *)key;
    uint32_t k;
    if (a->which != b->which || a->at != b->at || a->op->n_operands != b->op->n_operands || a->op->a != b->op->a ||
        a->added != b->added)
        return false;
    for (k = 0; k < a->op->n_operands; k++)
        if (a->op->operands[k].value != b->op->operands[k].value && !(k < 64 && a->added >> k & 1)) return false;
    return xg_imap_equal((const xg_imap *)a->op->p, (const xg_imap *)b->op->p);
}
/* Finds the constants that are only added; a map that has conditions may have them on these. */
XG_FN void xg_kindex_find_added(xg_kindex_known *x) {
    const xg_imap *map = (const xg_imap *)x->op->p;
    xg_linear l;
    uint32_t k, i;
    if (!xg_kindex_done(x->op) || map->n_syms || map->n_rts || !map->results[x->which]) return;
    xg_aff_linear(map->results[x->which], &l);
    for (k = 0; k < l.n; k++) {
        const xg_aff *var = l.terms[k].of;
        int64_t c;
        if (var->kind != XG_AFF_DIM || var->n >= 64 || !xg_kval_is_const(x->op->operands[var->n].value, &c) ||
            c < map->dims[var->n].range.lo || c > map->dims[var->n].range.hi)
            continue;
        for (i = 0; i < l.n && (l.terms[i].of->kind == XG_AFF_DIM || !xg_aff_uses(l.terms[i].of, var)); i++) {}
        if (i == l.n && xg_kindex_add(&x->sum, c, l.terms[k].scale)) x->added |= (uint64_t)1 << var->n;
    }
}
XG_FN xg_kval *xg_kir_index_plus(xg_kb *b, xg_kval *v, int64_t c, xg_str name) {
    const xg_kop *def = v->def;
    bool in = def && def->op == XG_K_OP_APPLY && xg_kindex_done(def) && def->n_operands <= XG_KINDEX_LEAVES_MAX;
    xg_kval *leaves[XG_KINDEX_LEAVES_MAX], *sum;
    const xg_aff *e = in ? ((const xg_imap *)def->p)->results[0] : xg_aff_dim_0(b->m->aff);
    xg_imap *map;
    uint32_t k, n = in ? def->n_operands : 1;
    if (c == 0) return v;
    e = xg_aff_add_k(b->m->aff, e, c);
    if (!e) return xg_kaddi_int(b, v, c);
    for (k = 0; k < n; k++) leaves[k] = in ? def->operands[k].value : v;
    if (e->kind == XG_AFF_DIM) return leaves[e->n];
    if (in)
        map = xg_imap_copy(b->m->aff, (const xg_imap *)def->p, 0);
    else {
        map = xg_imap_of_dims(b->m->aff, 1, 1);
        map->dims[0].range = xg_kval_range(v);
        map->dims[0].name = v->name;
    }
    map->results[0] = e;
    sum = xg_kir_value(b, XG_K_OP_APPLY, leaves, n, v->type);
    sum->def->p = map;
    sum->def->a = in;
    xg_kval_set_range(sum, xg_range_add(xg_kval_range(v), xg_range_of(c, c)));
    sum->name = name;
    return sum;
}
/* v + by in front of op; NULL: v is nothing that takes it in. */
XG_FN xg_kval *xg_kindex_shifted(xg_kmodule *m, xg_kop *op, const xg_kval *old, xg_kval *v, int64_t by) {
    xg_kb b = xg_kb_before(m, op);
    if (by == 0) return v;
    if (!v->def || v->def->op != XG_K_OP_APPLY || !xg_kindex_done(v->def) || v->lo > v->hi) return NULL;
    return xg_kir_index_plus(&b, v, by, old->name);
}
XG_FN xg_kval *xg_kindex_result(xg_kindexer *x, xg_kmodule *m, xg_set *known, xg_kop *op, uint32_t which) {
    xg_kindex_known key, *e;
    uint32_t h = xg_hash_mix(xg_imap_hash((const xg_imap *)op->p), which), k;
    xg_kval *v;
    int64_t by;
    void **slot;
    memset(&key, 0, sizeof key);
    key.op = op;
    key.which = which;
    key.at = op->parent;
    xg_kindex_find_added(&key);
    for (k = 0; k < op->n_operands; k++)
        if (!(k < 64 && key.added >> k & 1)) h = xg_hash_mix(h, op->operands[k].value->id);
    slot = xg_set_find(known, h, xg_kindex_known_same, &key);
    e = (xg_kindex_known *)*slot;
    if (e && !e->value && e->sum == key.sum) return NULL;
    by = key.sum;
    v = e && e->value && xg_kindex_add(&by, e->sum, -1) ? xg_kindex_shifted(m, op, &op->results[which], e->value, by)
                                                        : NULL;
    if (!v) v = xg_kindex_sum(m, x, op, which);
    if (!v) v = xg_kindex_simplified(m, x, op, which);
    if (!e) {
        e = XG_NEW(m->temp, xg_kindex_known);
        *slot = e;
        *e = key;
        e->value = v;
    }
    return v;
}

XG_FN xg_kval *xg_kir_simplify_index(xg_kmodule *m, xg_kval *v) {
    xg_kindexer x; /* large, and asked for often: it stays where memory is warm */
    xg_kop *op = v->def;
    xg_kval *to;
    if (!xg_imap_ok((const xg_imap *)op->p) || xg_kindex_nothing_to_do(op)) return v;
    to = xg_kindex_sum(m, &x, op, v->index);
    if (!to) to = xg_kindex_simplified(m, &x, op, v->index);
    if (!to) return v;
    xg_kval_replace(v, to);
    if (xg_kop_is_dead(op)) xg_kop_remove(op);
    return to;
}
/* One of several results that all go into one other map: composed there, it is asked for no more. */
XG_FN bool xg_kindex_is_inner(const xg_kop *op) {
    const xg_kop *user = op->results[0].first_use ? op->results[0].first_use->user : NULL;
    uint32_t k;
    if (op->n_results < 2 || !user || user->op != XG_K_OP_APPLY || !xg_imap_ok((const xg_imap *)user->p)) return false;
    for (k = 0; k < op->n_results; k++)
        if (!xg_kused_once(&op->results[k]) || op->results[k].first_use->user != user) return false;
    return true;
}
/* All results of op; false: they all have found something else, and it is gone. */
XG_FN bool xg_kindex_results(xg_kindexer *x, xg_kmodule *m, xg_set *known, xg_kop *op) {
    bool used = false;
    uint32_t i;
    for (i = 0; i < op->n_results; i++) {
        xg_kval *v = op->results[i].first_use ? xg_kindex_result(x, m, known, op, i) : NULL;
        if (v) xg_kval_replace(&op->results[i], v);
        used = used || op->results[i].first_use;
    }
    if (!used) xg_kop_remove(op);
    return used;
}
XG_FN void xg_kindex_all(xg_kindexer *x, xg_kmodule *m, const xg_kfunc *f) {
    xg_kops ops;
    xg_set known;
    uint32_t k;
    memset(&ops, 0, sizeof ops);
    xg_set_init(&known, m->temp);
    xg_kops_collect_of(m->temp, &ops, f->body, XG_K_OP_APPLY, XG_K_OP_APPLY);
    for (k = 0; k < ops.n; k++) {
        xg_kop *op = ops.p[k];
        op->scratch = xg_kindex_is_inner(op) ? op : NULL;
        if (op->scratch || !xg_imap_ok((const xg_imap *)op->p) || xg_kindex_nothing_to_do(op)) continue;
        if (!xg_kindex_results(x, m, &known, op)) ops.p[k] = NULL;
    }
    for (k = ops.n; k-- > 0;) { /* what others were made of, or could not be made of */
        if (!ops.p[k]) continue;
        if (xg_kop_is_dead(ops.p[k]))
            xg_kop_remove(ops.p[k]);
        else if (ops.p[k]->scratch && xg_imap_ok((const xg_imap *)ops.p[k]->p))
            (void)xg_kindex_results(x, m, &known, ops.p[k]);
    }
}
XG_FN void xg_kir_simplify_indexing(xg_kmodule *m) {
    xg_kindexer *x = (xg_kindexer *)xg_alloc_raw(m->temp, sizeof *x);
    xg_kfunc *f;
    for (f = m->first; f; f = f->next) xg_kindex_all(x, m, f);
}

#endif /* XG_KIR_INDEXING_C */
