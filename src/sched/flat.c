/* sched/flat.c -- the last steps of a nest before it is code: blocks say what they do by the loops around them; arrays
 * are as large as one block of threads, or one thread, needs; barriers. */
#ifndef XG_SCHED_FLAT_C
#define XG_SCHED_FLAT_C
#include "sched.h"
#include "at.c"

/* ---- flatten ---- */

XG_FN void xg_nest_flatten_block(xg_loopnest *n, xg_nblock *b) {
    XG_VEC(xg_constraint) begin = {0};
    xg_aff_env env = xg_nest_env(n);
    xg_nsubst s;
    uint32_t k;
    for (k = 0; k < b->n_iters && b->init; k++) {
        xg_constraint c = {0};
        if (b->iters[k].kind != 'R') continue;
        c.expr = b->iters[k].binding;
        c.range = xg_range_of(0, 0);
        if (!xg_range_within(xg_aff_range(&env, c.expr), c.range)) xg_push(n->arena, xg_constraint, &begin, c);
    }
    xg_nsubst_begin(&s, n);
    for (k = 0; k < b->n_iters; k++) xg_nsubst_put(&s, b->iters[k].var, b->iters[k].binding);
    xg_nsubst_args(&s, b);
    b->begin = begin.p;
    b->n_begin = begin.n;
    b->n_iters = 0;
}
/* A block around others: what it holds takes its place, with its iterators written out and under its constraints. */
XG_FN void xg_nest_open_block(xg_loopnest *n, xg_nstmt *s) {
    xg_nblock *b = s->block;
    xg_nsubst subst;
    xg_nstmt *t;
    uint32_t k;
    xg_nsubst_begin(&subst, n);
    for (k = 0; k < b->n_iters; k++) xg_nsubst_put(&subst, b->iters[k].var, b->iters[k].binding);
    xg_nsubst_bindings(&subst, s->first);
    for (t = s->first->next; t; t = t->next) xg_nsubst_bindings(&subst, t);
    for (t = s->first; t; t = xg_nstmt_next(t, s)) {
        if (t->op == XG_N_BLOCK)
            for (k = 0; k < b->n_where; k++) xg_nblock_require(n, t->block, b->where[k].expr, b->where[k].range);
    }
    while (s->first) {
        t = s->first;
        xg_nstmt_detach(t);
        xg_nstmt_insert(s, t);
    }
    xg_nstmt_detach(s);
    s->gone = true;
}
XG_FN void xg_nest_flatten(xg_loopnest *n) {
    xg_nstmt *s, *next;
    for (s = n->root->first; s; s = next) {
        if (s->op == XG_N_BLOCK && !s->block->body) {
            next = s->first;
            xg_nest_open_block(n, s);
            continue;
        }
        next = xg_nstmt_next(s, n->root);
    }
    for (s = n->root->first; s; s = xg_nstmt_next(s, n->root))
        if (s->op == XG_N_BLOCK) xg_nest_flatten_block(n, s->block);
    n->flat = true;
}

/* ---- compact ---- */

/* Every place where a buffer is read or written. */
typedef struct xg_nplace {
    xg_nstmt *s;
    const xg_aff ***at;
} xg_nplace;
typedef XG_VEC(xg_nplace) xg_nplaces;
XG_FN void xg_nest_places(xg_loopnest *n, const xg_nbuf *buf, xg_nplaces *v) {
    xg_nstmt *s;
    uint32_t k;
    for (s = n->root->first; s; s = xg_nstmt_next(s, n->root)) {
        if (s->op != XG_N_BLOCK) continue;
        for (k = 0; k < s->block->n_args; k++)
            if (s->block->args[k].kind == XG_NA_LOAD && s->block->args[k].buf == buf) {
                xg_nplace p = {0};
                p.s = s;
                p.at = (const xg_aff ***)&s->block->args[k].at;
                xg_push(n->arena, xg_nplace, v, p);
            }
        for (k = 0; k < s->block->n_outs; k++)
            if (s->block->outs[k].buf == buf) {
                xg_nplace p = {0};
                p.s = s;
                p.at = (const xg_aff ***)&s->block->outs[k].at;
                xg_push(n->arena, xg_nplace, v, p);
            }
    }
}
/* The loop in which all of them are: the array is made anew in each of its rounds. */
XG_FN xg_nstmt *xg_nplaces_home(const xg_nplaces *v) {
    xg_nstmt *home = v->p[0].s->parent;
    uint32_t k;
    for (k = 1; k < v->n; k++) home = xg_nstmt_common(home, v->p[k].s);
    return home;
}
XG_FN void xg_nest_compact_buf(xg_loopnest *n, xg_nbuf *buf) {
    xg_nplaces v = {0};
    xg_nshare *shares = XG_NEW_N(n->arena, xg_nshare, buf->rank);
    bool *fixed = XG_NEW_N(n->arena, bool, n->vars.n), *moving = XG_NEW_N(n->arena, bool, n->vars.n), known = true;
    int64_t *dims = XG_NEW_N(n->arena, int64_t, buf->rank);
    xg_aff_env env = xg_nest_env(n);
    const xg_nstmt *p, *home;
    uint32_t k, d;
    xg_nest_places(n, buf, &v);
    if (!v.n) return;
    home = xg_nplaces_home(&v);
    for (k = 0; k < v.n && known; k++) {
        memset(fixed, 0, n->vars.n * sizeof *fixed);
        memset(moving, 0, n->vars.n * sizeof *moving);
        for (p = v.p[k].s->parent; p; p = p->parent)
            if (p->op == XG_N_LOOP)
                (xg_nstmt_inside(home, p) && !xg_nkind_shared(p->kind, buf->scope) ? fixed : moving)[p->var] = true;
        for (d = 0; d < buf->rank && known; d++) {
            xg_nspan span;
            known = xg_nspan_of(&env, (*v.p[k].at)[d], fixed, moving, &span) && xg_nshare_join(n, &shares[d], &span);
            for (p = v.p[k].s->parent; p && known; p = p->parent)
                if (p->op == XG_N_LOOP && xg_nstmt_inside(home, p) && xg_nkind_shared(p->kind, buf->scope) &&
                    xg_aff_uses(shares[d].base, xg_nest_dim(n, p->var)))
                    known = false;
        }
    }
    if (!known) return;
    for (d = 0; d < buf->rank; d++) {
        dims[d] = XG_MIN(shares[d].hi - shares[d].lo + 1, buf->dims[d]);
        if (dims[d] == buf->dims[d]) {
            shares[d].base = xg_aff_const(n->aff, 0);
            shares[d].lo = 0;
        }
    }
    for (k = 0; k < v.n; k++) {
        const xg_aff **at = XG_NEW_N(n->arena, const xg_aff *, buf->rank);
        for (d = 0; d < buf->rank; d++) {
            at[d] = xg_aff_add_scaled(&env, (*v.p[k].at)[d], shares[d].base, -1);
            at[d] = at[d] ? xg_aff_add_k(n->aff, at[d], -shares[d].lo) : NULL;
            if (!at[d])
                xg_fail(n->ctx, XLAGPU_ERROR_LIMIT, "an index of the loop nest '%.*s' has grown too large",
                    (int)n->name.n, n->name.p);
        }
        *v.p[k].at = at;
    }
    buf->dims = dims;
}
XG_FN void xg_nest_compact(xg_loopnest *n) {
    uint32_t k;
    for (k = 0; k < n->bufs.n; k++)
        if (!n->bufs.p[k]->param && n->bufs.p[k]->scope != XG_NS_GLOBAL) xg_nest_compact_buf(n, n->bufs.p[k]);
}

/* ---- barriers ---- */

typedef struct xg_nsync {
    xg_nstmt **leaves;
    uint32_t *at;
    uint32_t n;
} xg_nsync; /* blocks in the order of the text */
XG_FN bool xg_nblock_meets(const xg_nblock *a, const xg_nblock *b) {
    uint32_t k;
    for (k = 0; k < a->n_outs; k++)
        if (a->outs[k].buf->scope == XG_NS_SHARED &&
            (xg_nblock_reads(b, a->outs[k].buf) || xg_nblock_writes(b, a->outs[k].buf)))
            return true;
    for (k = 0; k < b->n_outs; k++)
        if (b->outs[k].buf->scope == XG_NS_SHARED && xg_nblock_reads(a, b->outs[k].buf)) return true;
    return false;
}
/* Is there a barrier on the way from behind a to b, both in `top` (a NULL: from its beginning; b NULL: to its end)? */
XG_FN bool xg_nsync_between(const xg_loopnest *n, const xg_nstmt *a, const xg_nstmt *b, const xg_nstmt *top) {
    const xg_nstmt *s;
    bool on = a == NULL;
    for (s = top->first; s; s = xg_nstmt_next(s, top)) {
        if (on && s->sync) return true;
        if (s == a) on = true;
        if (s == b) return false;
    }
    (void)n;
    return false;
}
XG_FN void xg_nest_sync(xg_loopnest *n) {
    XG_VEC(xg_nstmt *) v = {0};
    xg_nstmt *s, *l;
    uint32_t a, b;
    for (s = n->root->first; s; s = xg_nstmt_next(s, n->root))
        if (s->op == XG_N_BLOCK) xg_push(n->arena, xg_nstmt *, &v, s);
    for (b = 0; b < v.n; b++)
        for (a = b; a-- > 0;) {
            xg_nstmt *top = xg_nstmt_common(v.p[a], v.p[b]);
            if (xg_nblock_meets(v.p[a]->block, v.p[b]->block) && !xg_nsync_between(n, v.p[a], v.p[b], top))
                xg_nstmt_branch(v.p[b], top)->sync = true;
        }
    /* from one round of a loop to the next: what comes later in the text, before what comes earlier */
    for (b = 0; b < v.n; b++)
        for (a = b; a < v.n; a++) {
            if (a == b || !xg_nblock_meets(v.p[a]->block, v.p[b]->block)) continue;
            for (l = xg_nstmt_common(v.p[a], v.p[b]); l->op == XG_N_LOOP; l = l->parent)
                if (!xg_nkind_is_axis(l->kind) && l->extent > 1 && !xg_nsync_between(n, v.p[a], NULL, l) &&
                    !xg_nsync_between(n, NULL, v.p[b], l))
                    xg_nstmt_branch(v.p[b], l)->sync = true;
        }
}

#endif /* XG_SCHED_FLAT_C */
