/* sched/verify.c -- the rules of a loop nest, checked after each step of a schedule in debug builds and tests. */
#ifndef XG_SCHED_VERIFY_C
#define XG_SCHED_VERIFY_C
#include "sched.h"

typedef struct xg_nverify {
    xg_loopnest *n;
    xg_aff_env env;
    bool *seen;
    bool *defined;
} xg_nverify;

XG_NORETURN XG_FN void xg_nverify_fail(const xg_nverify *v, const xg_nblock *b, const char *rule) {
    if (b)
        xg_fail(v->n->ctx, XLAGPU_ERROR_INTERNAL, "loop nest '%.*s', block '%.*s': %s", (int)v->n->name.n, v->n->name.p,
            (int)b->name.n, b->name.p, rule);
    xg_fail(v->n->ctx, XLAGPU_ERROR_INTERNAL, "loop nest '%.*s': %s", (int)v->n->name.n, v->n->name.p, rule);
}
/* All variables of e are among those that are seen. */
XG_FN bool xg_nverify_closed(const xg_nverify *v, const xg_aff *e, const bool *seen) {
    uint32_t k;
    switch (e->kind) {
    case XG_AFF_CONST: return true;
    case XG_AFF_DIM: return e->n < v->n->vars.n && seen[e->n];
    case XG_AFF_SYM: return false;
    case XG_AFF_SUM:
        for (k = 0; k < e->n; k++)
            if (!xg_nverify_closed(v, e->terms[k].of, seen)) return false;
        return true;
    default: return xg_nverify_closed(v, e->of, seen);
    }
}
XG_FN void xg_nverify_domain(
    const xg_nverify *v, const xg_nblock *b, const xg_constraint *c, uint32_t n, const bool *seen) {
    uint32_t k;
    for (k = 0; k < n; k++)
        if (!xg_nverify_closed(v, c[k].expr, seen))
            xg_nverify_fail(v, b, "a constraint uses a variable that is not seen there");
}
XG_FN void xg_nverify_place(
    xg_nverify *v, const xg_nblock *b, const xg_nbuf *buf, const xg_aff *const *at, const bool *seen, bool guarded) {
    uint32_t k;
    for (k = 0; k < buf->rank; k++) {
        xg_range r;
        if (!xg_nverify_closed(v, at[k], seen)) xg_nverify_fail(v, b, "an index uses what is no iterator of the block");
        r = xg_aff_range(&v->env, at[k]);
        if (!guarded && (r.lo < 0 || r.hi >= buf->dims[k])) xg_nverify_fail(v, b, "an index leaves its buffer");
    }
}
XG_FN void xg_nverify_body(xg_nverify *v, const xg_nblock *b, bool *own) {
    bool reduced = false;
    uint32_t k, j, d;
    if (b->body->n_params != b->n_args || !b->n_outs)
        xg_nverify_fail(v, b, "its computation does not take what the block reads");
    for (k = 0; k < b->n_args; k++) {
        const xg_narg *a = &b->args[k];
        if (b->body->params[k]->shape->type != a->type || b->body->params[k]->shape->rank)
            xg_nverify_fail(v, b, "a parameter of its computation is not of the type that the block reads");
        xg_nverify_domain(v, b, a->where, a->n_where, own);
        if (a->kind == XG_NA_LOAD) {
            if (a->n_where && !a->value) xg_nverify_fail(v, b, "a guarded read has no other value");
            xg_nverify_place(v, b, a->buf, a->at, own, a->n_where || b->n_where);
        }
        if (a->kind == XG_NA_INDEX && !xg_nverify_closed(v, a->at[0], own))
            xg_nverify_fail(v, b, "an index uses what is no iterator of the block");
    }
    for (k = 0; k < b->n_iters; k++) reduced |= b->iters[k].kind == 'R';
    if (reduced && !b->combine) xg_nverify_fail(v, b, "it has reduced iterators and no combiner");
    if (b->init && !b->combine) xg_nverify_fail(v, b, "it has initial values and no combiner");
    if (b->combine && b->combine->n_params != 2 * b->n_outs)
        xg_nverify_fail(v, b, "its combiner does not take its results");
    for (k = 0; k < b->n_outs; k++) {
        const xg_inst *value = b->n_outs == 1 ? b->body->root : XG_OPERAND(b->body->root, k);
        if (value->shape->type != b->outs[k].buf->type || value->shape->rank)
            xg_nverify_fail(v, b, "what it computes is not of the type of the buffer");
        if (b->outs[k].buf->param && !b->outs[k].buf->output) xg_nverify_fail(v, b, "it writes to an input");
        xg_nverify_place(v, b, b->outs[k].buf, b->outs[k].at, own, b->n_where != 0);
        for (j = 0; j < b->n_iters; j++)
            for (d = 0; d < b->outs[k].buf->rank; d++)
                if (b->iters[j].kind == 'R' && xg_aff_uses(b->outs[k].at[d], xg_nest_dim(v->n, b->iters[j].var)))
                    xg_nverify_fail(v, b, "a reduced iterator is in an index of what it writes");
    }
}
XG_APART XG_FN void xg_nverify_block(xg_nverify *v, xg_nstmt *s, bool *seen) {
    xg_nblock *b = s->block;
    bool *own = v->n->flat ? seen : XG_NEW_N(v->n->arena, bool, v->n->vars.n);
    xg_range bound;
    uint32_t k, j;
    xg_nverify_domain(v, b, b->where, b->n_where, seen);
    xg_nverify_domain(v, b, b->begin, b->n_begin, seen);
    if (v->n->flat && (b->n_iters || !b->body)) xg_nverify_fail(v, b, "a flat nest has no iterators");
    for (k = 0; k < b->n_iters; k++) {
        xg_niter *i = &b->iters[k];
        if (i->var >= v->n->vars.n || v->defined[i->var]) xg_nverify_fail(v, b, "an iterator is defined twice");
        if (v->n->ranges.p[i->var].hi != i->extent - 1)
            xg_nverify_fail(v, b, "the range of an iterator is not its extent");
        v->defined[i->var] = own[i->var] = true;
        if (!xg_nverify_closed(v, i->binding, seen))
            xg_nverify_fail(v, b, "an iterator is bound to a variable that is not seen there");
        bound = xg_aff_range(&v->env, i->binding);
        for (j = 0; j < b->n_where; j++)
            if (b->where[j].expr == i->binding) bound = xg_range_meet(bound, b->where[j].range);
        if (!b->n_where && (bound.lo < 0 || bound.hi >= i->extent))
            xg_nverify_fail(v, b, "an iterator is bound to what leaves its extent");
    }
    if (b->body)
        xg_nverify_body(v, b, own);
    else if (!s->first)
        xg_nverify_fail(v, b, "it is empty");
    v->seen = own;
}
XG_FN void xg_nverify_stmt(xg_nverify *v, xg_nstmt *s) {
    bool *seen = v->seen;
    xg_nstmt *c;
    if (s->op == XG_N_BLOCK) xg_nverify_block(v, s, seen);
    if (s->op == XG_N_LOOP) {
        if (!s->first) xg_nverify_fail(v, NULL, "a loop is empty");
        if (s->var >= v->n->vars.n || v->defined[s->var]) xg_nverify_fail(v, NULL, "two loops have the same variable");
        if (v->n->ranges.p[s->var].hi != s->extent - 1)
            xg_nverify_fail(v, NULL, "the range of a loop's variable is not its extent");
        v->defined[s->var] = seen[s->var] = true;
    }
    for (c = s->first; c; c = c->next) {
        if (c->parent != s || (c->next && c->next->prev != c) || (!c->next && s->last != c) || c->gone)
            xg_nverify_fail(v, NULL, "the tree of statements is not linked");
        xg_nverify_stmt(v, c);
    }
    if (s->op == XG_N_LOOP) seen[s->var] = false;
    v->seen = seen;
}
XG_FN void xg_nest_verify(xg_loopnest *n) {
    xg_nverify v;
    memset(&v, 0, sizeof v);
    v.n = n;
    v.env = xg_nest_env(n);
    v.seen = XG_NEW_N(n->arena, bool, n->vars.n);
    v.defined = XG_NEW_N(n->arena, bool, n->vars.n);
    xg_nverify_stmt(&v, n->root);
}

#endif /* XG_SCHED_VERIFY_C */
