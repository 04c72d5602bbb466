/* sched/flat.c -- the last steps of a nest before it is code: blocks say what they do by the loops around them; arrays
 * are as large as one block of threads, or one thread, needs; barriers. */
#ifndef XG_SCHED_FLAT_C
#define XG_SCHED_FLAT_C
#include "sched.h"
#include "at.c"

/* ---- flatten ---- */

XG_FN void xg_nest_flatten_block(xg_loopnest *n, xg_nblock *b) {
    XG_VEC(xg_constraint) begin = {NULL, 0, 0};
    xg_aff_env env = xg_nest_env(n);
    xg_nsubst s;
    uint32_t k;
    for (k = 0; k < b->n_iters && b->init && !b->across; k++) {
        xg_constraint c;
        memset(&c, 0, sizeof c);
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
/* An outermost dimension more; the indices at its places are the caller's to change. */
XG_FN void xg_nest_add_dim(xg_loopnest *n, xg_nbuf *buf, int64_t size) {
    int64_t *dims = XG_NEW_N(n->arena, int64_t, buf->rank + 1);
    xg_naligned *aligned = XG_NEW_N(n->arena, xg_naligned, buf->n_aligned + 1);
    uint32_t d;
    dims[0] = size;
    for (d = 0; d < buf->rank; d++) dims[d + 1] = buf->dims[d];
    for (d = 0; d < buf->n_aligned; d++) {
        aligned[d] = buf->aligned[d];
        aligned[d].axis++;
    }
    buf->aligned = aligned;
    buf->dims = dims;
    buf->rank++;
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
                xg_nplace p;
                memset(&p, 0, sizeof p);
                p.s = s;
                p.at = (const xg_aff ***)&s->block->args[k].at;
                xg_push(n->arena, xg_nplace, v, p);
            }
        for (k = 0; k < s->block->n_outs; k++)
            if (s->block->outs[k].buf == buf) {
                xg_nplace p;
                memset(&p, 0, sizeof p);
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
/* Of each kind, the loop with the most rounds in the statements from first to last. */
XG_FN void xg_nest_longest_axes(const xg_nstmt *first, const xg_nstmt *last, const xg_nstmt **longest) {
    const xg_nstmt *t, *s;
    memset((void *)longest, 0, XG_NK_COUNT * sizeof *longest);
    for (t = first; t && t != last->next; t = t->next)
        for (s = t; s; s = xg_nstmt_next(s, t))
            if (s->op == XG_N_LOOP && (!longest[s->kind] || longest[s->kind]->extent < s->extent)) longest[s->kind] = s;
}
XG_FN void xg_nest_unify_under(
    xg_loopnest *n, const xg_nstmt *top, const xg_nstmt *const *longest, xg_nscope scope, xg_nsubst *to) {
    const xg_nstmt *s;
    uint32_t k;
    for (s = top; s; s = xg_nstmt_next(s, top)) {
        k = s->op == XG_N_LOOP ? s->kind : XG_NK_SERIAL;
        if (k < XG_NK_BLOCK_X || k > XG_NK_THREAD_Z || xg_nkind_shared((xg_nkind)k, scope)) continue;
        if (s->extent > 1) xg_nsubst_put(to, s->var, xg_nest_dim(n, longest[k]->var));
    }
}
/* Loops of one axis give a thread the same number: of those that do not share the array, one variable stands for all.
 */
XG_FN void xg_nest_unify_axes(xg_loopnest *n, xg_nscope scope, xg_nsubst *to) {
    const xg_nstmt *longest[XG_NK_COUNT];
    xg_nest_longest_axes(n->root, n->root, longest);
    xg_nsubst_begin(to, n);
    xg_nest_unify_under(n, n->root, longest, scope, to);
}
/* Which loops stand still while the array is in use, and which run. */
XG_FN void xg_nplace_sets(
    const xg_nplace *v, const xg_nstmt *home, xg_nscope scope, const xg_nsubst *axes, bool *fixed, bool *moving) {
    const xg_nstmt *p;
    for (p = v->s->parent; p; p = p->parent) {
        bool shared, still;
        if (p->op != XG_N_LOOP) continue;
        shared = xg_nkind_shared(p->kind, scope);
        still = !shared && (xg_nstmt_inside(home, p) || (p->kind >= XG_NK_BLOCK_X && p->kind <= XG_NK_THREAD_Z));
        (still ? fixed : moving)[axes->to[p->var]->kind == XG_AFF_DIM ? axes->to[p->var]->n : p->var] = true;
    }
}
XG_APART XG_FN void xg_nest_compact_buf(xg_loopnest *n, xg_nbuf *buf) {
    xg_nplaces v;
    xg_nshare *shares = XG_NEW_N(n->arena, xg_nshare, buf->rank);
    bool *fixed = XG_NEW_N(n->arena, bool, n->vars.n), *moving = XG_NEW_N(n->arena, bool, n->vars.n), known = true;
    int64_t *dims = XG_NEW_N(n->arena, int64_t, buf->rank);
    const xg_aff ***at;
    xg_aff_env env = xg_nest_env(n);
    const xg_nstmt *p, *home;
    xg_nsubst axes;
    uint32_t k, d;
    memset(&v, 0, sizeof v);
    xg_nest_places(n, buf, &v);
    if (!v.n) return;
    home = xg_nplaces_home(&v);
    xg_nest_unify_axes(n, buf->scope, &axes);
    at = XG_NEW_N(n->arena, const xg_aff **, v.n);
    for (k = 0; k < v.n && known; k++) {
        at[k] = xg_nsubst_affs(&axes, *v.p[k].at, buf->rank);
        memset(fixed, 0, n->vars.n * sizeof *fixed);
        memset(moving, 0, n->vars.n * sizeof *moving);
        xg_nplace_sets(&v.p[k], home, buf->scope, &axes, fixed, moving);
        for (d = 0; d < buf->rank && known; d++) {
            xg_nspan span;
            known = xg_nspan_of(&env, at[k][d], fixed, moving, &span) && xg_nshare_join(n, &shares[d], &span);
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
        for (d = 0; d < buf->rank; d++) {
            const xg_aff *base = shares[d].base;
            bool whole = base->kind == XG_AFF_CONST && !base->k && !shares[d].lo; /* the loops' own variables stay */
            at[k][d] = xg_aff_add_scaled(&env, whole ? (*v.p[k].at)[d] : at[k][d], base, -1);
            at[k][d] = at[k][d] ? xg_aff_add_k(n->aff, at[k][d], -shares[d].lo) : NULL;
            if (!at[k][d])
                xg_fail(n->ctx, XLAGPU_ERROR_LIMIT, "an index of the loop nest '%.*s' has grown too large",
                    (int)n->name.n, n->name.p);
        }
        *v.p[k].at = at[k];
    }
    buf->dims = dims;
}

/* How an array lies: row-major, but for the axes whose stride is asked to be something more than a multiple. */
XG_FN int64_t xg_nbuf_size(const xg_loopnest *n, const xg_nbuf *buf, int64_t *strides) {
    int64_t next = 1;
    uint32_t d, k;
    for (d = buf->rank; d-- > 0;) {
        for (k = 0; k < buf->n_aligned; k++)
            if (buf->aligned[k].axis == d) {
                int64_t factor = buf->aligned[k].factor, offset = buf->aligned[k].offset % factor;
                next += (offset - next % factor + factor) % factor;
            }
        if (strides) strides[d] = next;
        if (!xg_mul64(next, buf->dims[d], &next))
            xg_fail(n->ctx, XLAGPU_ERROR_UNSUPPORTED, "loop nest '%.*s': there is no room for '%.*s'", (int)n->name.n,
                n->name.p, (int)buf->name.n, buf->name.p);
    }
    return next;
}

/* ---- barriers ---- */

/* The same array, or one in its place. */
XG_FN bool xg_nbufs_overlap(const xg_loopnest *n, const xg_nbuf *a, const xg_nbuf *b) {
    if (a == b) return true;
    if (a->type != b->type || !a->placed || !b->placed || a->scope != b->scope) return false;
    return a->place < b->place + xg_nbuf_size(n, b, NULL) && b->place < a->place + xg_nbuf_size(n, a, NULL);
}
typedef struct xg_nsync {
    xg_loopnest *n;
    xg_nsubst axes; /* one variable for each thread axis */
    const xg_aff *threads[3];
    uint32_t n_threads;
    bool same_round; /* of all loops around both: their variables have one value each */
} xg_nsync;
XG_FN bool xg_isplit_is_of(const xg_isplit *x, const xg_aff *const *vars, uint32_t n_vars) {
    uint32_t k;
    for (k = 0; k < n_vars; k++)
        if (x->mark->var == vars[k]) return true;
    return false;
}
/* The value of the sum tells the split by its scale alone: value floordiv scale mod extent. */
XG_FN bool xg_isum_shows(const xg_isum *s, uint32_t which) {
    const xg_isplit *x = &s->p[which];
    int64_t below = 0;
    uint32_t k;
    if (s->base || x->scale < 0) return false;
    for (k = 0; k < s->n; k++) {
        if (k < which && s->p[k].scale % (x->scale * x->extent)) return false;
        if (k <= which) continue;
        if (s->p[k].scale < 0) return false;
        below += s->p[k].scale * (s->p[k].extent - 1);
    }
    return below < x->scale;
}
/* Whatever the other variables are: where both touch the same element, these have the same values. */
XG_FN bool xg_nest_same_instance(xg_loopnest *n, const xg_aff *const *one, const xg_aff *const *two, uint32_t rank,
    const xg_aff *const *vars, uint32_t n_vars) {
    xg_aff_env env = xg_nest_env(n);
    uint32_t d, k, j;
    for (d = 0; d < rank; d++) {
        xg_isum a, b;
        if (one[d] == two[d]) continue;
        if (!xg_iter_sum_of(&env, n->arena, one[d], &a) || !xg_iter_sum_of(&env, n->arena, two[d], &b)) return false;
        for (k = 0; k < a.n; k++) {
            if (!a.p[k].mark->var) return false; /* they may be in the sum */
            if (!xg_isplit_is_of(&a.p[k], vars, n_vars)) continue;
            for (j = 0; j < b.n && !(b.p[j].mark->var == a.p[k].mark->var && b.p[j].lower == a.p[k].lower &&
                                       b.p[j].extent == a.p[k].extent && b.p[j].scale == a.p[k].scale);
                 j++) {}
            if (j == b.n || !xg_isum_shows(&a, k) || !xg_isum_shows(&b, j)) return false;
        }
    }
    return true;
}
/* Two indices that are never equal where their variables are: apart by a number, also among versions that come round.
 */
XG_FN bool xg_nsync_differ(const xg_nsync *y, xg_aff_env *env, const xg_aff *a, const xg_aff *b) {
    const xg_aff *apart;
    uint32_t k;
    bool round = a->kind == XG_AFF_MOD && b->kind == XG_AFF_MOD && a->k == b->k;
    for (k = 0; k < y->n_threads; k++) /* two threads have two values of these */
        if (xg_aff_uses(a, y->threads[k]) || xg_aff_uses(b, y->threads[k])) return false;
    apart = round ? xg_aff_add_scaled(env, a->of, b->of, -1) : xg_aff_add_scaled(env, a, b, -1);
    return apart && apart->kind == XG_AFF_CONST && (round ? xg_floor_mod(apart->k, a->k) : apart->k) != 0;
}
/* Two places of an array: no element is touched at both, or only by one thread. */
XG_FN bool xg_nsync_apart(
    xg_nsync *y, const xg_nbuf *a, const xg_aff *const *at, const xg_nbuf *b, const xg_aff *const *bt) {
    const xg_aff **one, **two;
    xg_aff_env env = xg_nest_env(y->n);
    uint32_t d;
    if (a != b) return !xg_nbufs_overlap(y->n, a, b);
    one = xg_nsubst_affs(&y->axes, at, a->rank);
    two = xg_nsubst_affs(&y->axes, bt, a->rank);
    for (d = 0; d < a->rank; d++) {
        xg_range r = xg_aff_range(&env, one[d]), s = xg_aff_range(&env, two[d]);
        if (xg_range_known(r) && xg_range_known(s) && (r.hi < s.lo || s.hi < r.lo)) return true;
        if (y->same_round && xg_nsync_differ(y, &env, one[d], two[d])) return true;
    }
    return xg_iter_tells(&env, y->n->arena, one, a->rank, y->threads, y->n_threads) &&
           xg_nest_same_instance(y->n, one, two, a->rank, y->threads, y->n_threads);
}
/* Does the one write what the other reads or writes, in memory that the threads of a block share? */
XG_FN bool xg_nsync_hands(xg_nsync *y, const xg_nblock *a, const xg_nblock *b) {
    uint32_t k, j;
    for (k = 0; k < a->n_outs; k++) {
        const xg_nout *o = &a->outs[k];
        if (o->buf->scope != XG_NS_SHARED) continue;
        for (j = 0; j < b->n_args; j++)
            if (b->args[j].kind == XG_NA_LOAD && !xg_nsync_apart(y, o->buf, o->at, b->args[j].buf, b->args[j].at))
                return true;
        for (j = 0; j < b->n_outs; j++)
            if (!xg_nsync_apart(y, o->buf, o->at, b->outs[j].buf, b->outs[j].at)) return true;
    }
    return false;
}
XG_FN bool xg_nsync_meet(xg_nsync *y, const xg_nblock *a, const xg_nblock *b) {
    return xg_nsync_hands(y, a, b) || xg_nsync_hands(y, b, a);
}
/* The variable that stands for each thread axis; loops of an axis that are shorter count as it. */
XG_FN xg_nsync xg_nsync_of(xg_loopnest *n) {
    xg_nsync y;
    const xg_nstmt *s, *first[3];
    uint32_t k;
    memset(&y, 0, sizeof y);
    memset(first, 0, sizeof first);
    y.n = n;
    xg_nest_unify_axes(n, XG_NS_LOCAL, &y.axes);
    for (s = n->root; s; s = xg_nstmt_next(s, n->root)) {
        k = s->op == XG_N_LOOP && xg_nkind_is_thread(s->kind) ? (uint32_t)(s->kind - XG_NK_THREAD_X) : 3;
        if (k < 3 && (!first[k] || first[k]->extent < s->extent)) first[k] = s;
    }
    for (k = 0; k < 3; k++)
        if (first[k] && first[k]->extent > 1) y.threads[y.n_threads++] = xg_nest_dim(n, first[k]->var);
    return y;
}
/* Is there a barrier on the way from behind a to b, both in `top` (a NULL: from its beginning; b NULL: to its end)? */
XG_FN bool xg_nsync_between(const xg_nstmt *a, const xg_nstmt *b, const xg_nstmt *top) {
    const xg_nstmt *s;
    bool on = a == NULL;
    for (s = top->first; s; s = xg_nstmt_next(s, top)) {
        if (on && s->sync) return true;
        if (s == a) on = true;
        if (s == b) return false;
    }
    return false;
}
/* All threads come to the barrier, or none. */
XG_FN void xg_nsync_check_all(const xg_loopnest *n, const xg_nstmt *s) {
    const xg_nstmt *p, *t;
    for (p = s->parent; p; p = p->parent) {
        if (p->op != XG_N_LOOP || !xg_nkind_is_thread(p->kind)) continue;
        for (t = n->root; t; t = xg_nstmt_next(t, n->root))
            if (t->op == XG_N_LOOP && t->kind == p->kind && t->extent > p->extent)
                xg_fail(n->ctx, XLAGPU_ERROR_UNSUPPORTED,
                    "loop nest '%.*s': threads wait for each other in the loop '%s', where only %lld of %lld of %s are",
                    (int)n->name.n, n->name.p, xg_sched_var(n, p), (long long)p->extent, (long long)t->extent,
                    xg_nkind_text(p->kind));
    }
}
XG_FN void xg_nest_sync(xg_loopnest *n) {
    XG_VEC(xg_nstmt *) v = {NULL, 0, 0};
    xg_nsync y = xg_nsync_of(n);
    xg_nstmt *s, *l;
    uint32_t a, b;
    for (s = n->root->first; s; s = xg_nstmt_next(s, n->root))
        if (s->op == XG_N_BLOCK) xg_push(n->arena, xg_nstmt *, &v, s);
    y.same_round = true;
    for (b = 0; b < v.n; b++)
        for (a = b; a-- > 0;) {
            xg_nstmt *top = xg_nstmt_common(v.p[a], v.p[b]);
            if (xg_nsync_meet(&y, v.p[a]->block, v.p[b]->block) && !xg_nsync_between(v.p[a], v.p[b], top))
                xg_nstmt_branch(v.p[b], top)->sync = true;
        }
    y.same_round = false; /* from one round of a loop to the next: from a to its end, and from its beginning to b */
    for (b = 0; b < v.n; b++)
        for (a = v.n; a-- > 0;) {
            if (a == b || !xg_nsync_meet(&y, v.p[a]->block, v.p[b]->block)) continue;
            for (l = xg_nstmt_common(v.p[a], v.p[b]); l->op == XG_N_LOOP; l = l->parent)
                if (!xg_nkind_is_axis(l->kind) && l->extent > 1 && !xg_nsync_between(v.p[a], NULL, l) &&
                    !xg_nsync_between(NULL, v.p[b], l))
                    xg_nstmt_branch(v.p[b], l)->sync = true;
        }
    for (s = n->root->first; s; s = xg_nstmt_next(s, n->root))
        if (s->sync) xg_nsync_check_all(n, s);
}

#endif /* XG_SCHED_FLAT_C */
