/* sched/owners.c -- a kernel's memory has owners: what a thread reads, it can see.
 *
 * The text of a nest is run in order, the blocks of a grid and the threads of a block side by side. Where an element of
 * shared memory is written by one block of the grid and read by another one, or an element of registers by two threads,
 * the text says something that no kernel does; likewise where several threads go on with one sum. So each array is
 * checked before it becomes one per block or per thread: for each axis that does not share it, the instance that reads
 * an element has to be the one that wrote it. Three things show that for a writer and a reader:
 *   everywhere   the writer does not depend on the axis: each instance writes all of it
 *   told         the indices of both tell the instance in the same way, so that equal elements mean equal instances
 *   covered      in each round of the loops around both, an instance writes a box that holds what it reads
 * Where none does, the nest is refused by name. */
#ifndef XG_SCHED_OWNERS_C
#define XG_SCHED_OWNERS_C
#include "sched.h"
#include "host.c"
#include "flat.c"

enum {
    XG_NAXES = XG_NK_THREAD_Z - XG_NK_BLOCK_X + 1
};
typedef struct xg_nowners {
    xg_loopnest *n;
    const xg_nstmt *first, *last; /* the statements of one kernel */
    int64_t extent[XG_NAXES];     /* of the kernel's axes */
    const xg_aff *var[XG_NAXES];  /* what stands for the axis; NULL: there is one instance */
    xg_nsubst axes;
} xg_nowners;
/* Where a block touches an array: as one of what it reads (out < 0), or as one of its results. */
typedef struct xg_ntouch {
    xg_nstmt *s;
    const xg_aff *const *at;
    int out;
} xg_ntouch;
typedef XG_VEC(xg_ntouch) xg_ntouches;

XG_FN xg_nowners xg_nowners_of(xg_loopnest *n, const xg_nstmt *first, const xg_nstmt *last) {
    const xg_nstmt *longest[XG_NK_COUNT], *t;
    xg_nowners o;
    uint32_t k;
    memset(&o, 0, sizeof o);
    o.n = n;
    o.first = first;
    o.last = last;
    xg_nest_longest_axes(first, last, longest);
    xg_nsubst_begin(&o.axes, n);
    for (k = 0; k < XG_NAXES; k++) {
        t = longest[XG_NK_BLOCK_X + k];
        o.extent[k] = t ? t->extent : 1;
        if (o.extent[k] > 1) o.var[k] = xg_nest_dim(n, t->var);
    }
    for (t = first; t != last->next; t = t->next) xg_nest_unify_under(n, t, longest, XG_NS_LOCAL, &o.axes);
    return o;
}
/* How many instances of the axis come to the block. */
XG_FN int64_t xg_nowners_instances(const xg_nowners *o, const xg_nstmt *s, uint32_t axis) {
    int64_t least = o->extent[axis];
    for (; s; s = s->parent)
        if (s->op == XG_N_LOOP && s->kind == (xg_nkind)(XG_NK_BLOCK_X + axis)) least = XG_MIN(least, s->extent);
    return least;
}
XG_FN bool xg_nowners_any_uses(xg_nowners *o, const xg_aff *const *e, uint32_t count, const xg_aff *var) {
    uint32_t k;
    for (k = 0; k < count; k++)
        if (xg_aff_uses(xg_nsubst_of(&o->axes, e[k]), var)) return true;
    return false;
}
XG_FN bool xg_nowners_where_uses(xg_nowners *o, const xg_constraint *where, uint32_t count, const xg_aff *var) {
    uint32_t k;
    for (k = 0; k < count; k++)
        if (xg_nowners_any_uses(o, &where[k].expr, 1, var)) return true;
    return false;
}
/* Does what the block writes, or where, depend on the axis? An element that is computed is one value wherever that is
 * done; of one that is summed up, the instances may have different parts. */
XG_APART XG_FN bool xg_nowners_depends(xg_nowners *o, const xg_ntouch *w, uint32_t axis) {
    const xg_nblock *b = w->s->block;
    const xg_aff *var = o->var[axis];
    uint32_t k;
    if (xg_nowners_any_uses(o, w->at, b->outs[w->out].buf->rank, var)) return true;
    if (xg_nowners_where_uses(o, b->where, b->n_where, var)) return true;
    for (k = 0; k < b->n_args && b->combine && !b->lanes; k++) {
        const xg_narg *a = &b->args[k];
        uint32_t rank = a->kind == XG_NA_LOAD ? a->buf->rank : a->kind == XG_NA_INDEX ? 1 : 0;
        if (xg_nowners_any_uses(o, a->at, rank, var) || xg_nowners_where_uses(o, a->where, a->n_where, var))
            return true;
    }
    return false;
}
/* The reader has that constraint as well. */
XG_FN bool xg_nowners_where_same(xg_nowners *o, const xg_nblock *b, const xg_constraint *c) {
    const xg_aff *e = xg_nsubst_of(&o->axes, c->expr);
    uint32_t k;
    for (k = 0; k < b->n_where; k++)
        if (xg_nsubst_of(&o->axes, b->where[k].expr) == e && b->where[k].range.lo == c->range.lo &&
            b->where[k].range.hi == c->range.hi)
            return true;
    return false;
}
/* An element tells which instance of these axes writes it, and tells of the reader the same: by indices that are of one
 * form in both, and by constraints of both that leave a single value. */
XG_FN bool xg_nowners_told(
    xg_nowners *o, const xg_ntouch *w, const xg_ntouch *r, const xg_aff *const *vars, uint32_t n_vars) {
    const xg_nblock *b = w->s->block;
    uint32_t rank = b->outs[w->out].buf->rank, count = 0, k;
    const xg_aff **one = xg_nsubst_affs(&o->axes, w->at, rank), **two = xg_nsubst_affs(&o->axes, r->at, rank);
    const xg_aff **known = XG_NEW_N(o->n->arena, const xg_aff *, rank + b->n_where);
    xg_aff_env env = xg_nest_env(o->n);
    for (k = 0; k < rank; k++)
        if (xg_nest_same_instance(o->n, one + k, two + k, 1, vars, n_vars)) known[count++] = one[k];
    for (k = 0; k < b->n_where; k++)
        if (xg_range_is_point(b->where[k].range) && xg_nowners_where_same(o, r->s->block, &b->where[k]))
            known[count++] = xg_nsubst_of(&o->axes, b->where[k].expr);
    return xg_iter_tells(&env, o->n->arena, known, count, vars, n_vars);
}
/* Which variables stand still in a box: those of axes that do not share the array, and of the loops around both. */
XG_FN void xg_nowners_sets(
    xg_nowners *o, const xg_nstmt *s, xg_nscope scope, const xg_nstmt *around, bool *fixed, bool *moving) {
    const xg_nstmt *p;
    memset(fixed, 0, o->n->vars.n * sizeof *fixed);
    memset(moving, 0, o->n->vars.n * sizeof *moving);
    for (p = s->parent; p; p = p->parent) {
        const xg_aff *to = p->op == XG_N_LOOP ? o->axes.to[p->var] : NULL;
        bool axis = p->kind >= XG_NK_BLOCK_X && p->kind <= XG_NK_THREAD_Z, shares = scope == XG_NS_SHARED;
        bool still = axis ? !(shares && xg_nkind_is_thread(p->kind)) : xg_nstmt_inside(around, p);
        if (to) (still ? fixed : moving)[to->kind == XG_AFF_DIM ? to->n : p->var] = true;
    }
}
/* The dimensions of what is written move apart from each other: each place of the box is one. (The diagonal of an array
 * is no box.) */
XG_FN bool xg_nowners_is_box(xg_nowners *o, const xg_ntouch *w, const xg_nbuf *buf, const bool *fixed) {
    const xg_aff **at = xg_nsubst_affs(&o->axes, w->at, buf->rank);
    xg_aff_env env = xg_nest_env(o->n);
    const char *why;
    xg_nsubst still;
    uint32_t k, d, in;
    xg_nsubst_begin(&still, o->n);
    for (k = 0; k < o->n->vars.n; k++)
        if (fixed[k]) xg_nsubst_put(&still, k, xg_aff_const(o->n->aff, 0));
    at = xg_nsubst_affs(&still, at, buf->rank);
    for (k = 0; k < o->n->vars.n; k++) {
        for (d = in = 0; d < buf->rank; d++) in += xg_aff_uses(at[d], xg_nest_dim(o->n, k));
        if (in > 1) return xg_detect_iter_map(&env, o->n->arena, at, buf->rank, XG_IC_SURJECTIVE, &why) != NULL;
    }
    return true;
}
XG_FN bool xg_nowners_box(
    xg_nowners *o, const xg_ntouch *t, const xg_nbuf *buf, const xg_nstmt *around, xg_nspan *out) {
    const xg_aff **at = xg_nsubst_affs(&o->axes, t->at, buf->rank);
    bool *fixed = XG_NEW_N(o->n->arena, bool, o->n->vars.n), *moving = XG_NEW_N(o->n->arena, bool, o->n->vars.n);
    xg_aff_env env = xg_nest_env(o->n);
    uint32_t d;
    xg_nowners_sets(o, t->s, buf->scope, around, fixed, moving);
    for (d = 0; d < buf->rank; d++)
        if (!xg_nspan_of(&env, at[d], fixed, moving, &out[d])) return false;
    return t->out < 0 || xg_nowners_is_box(o, t, buf, fixed);
}
/* The ranges of variables where a block runs: those that its constraints and short loops of axes leave. */
XG_FN xg_aff_env xg_nowners_ranges_at(xg_nowners *o, const xg_nstmt *s) {
    xg_range *ranges = XG_NEW_N(o->n->arena, xg_range, o->n->vars.n + 1);
    const xg_nblock *b = s->block;
    const xg_nstmt *p;
    uint32_t k;
    memcpy(ranges, o->n->ranges.p, o->n->vars.n * sizeof *ranges);
    for (k = 0; k < b->n_where; k++) {
        const xg_aff *e = xg_nsubst_of(&o->axes, b->where[k].expr);
        if (e->kind == XG_AFF_DIM) ranges[e->n] = xg_range_meet(ranges[e->n], b->where[k].range);
    }
    for (p = s->parent; p; p = p->parent) {
        const bool axis = p->op == XG_N_LOOP && xg_nkind_is_axis(p->kind) && p->kind < XG_NK_VTHREAD_X;
        k = axis ? (uint32_t)(p->kind - XG_NK_BLOCK_X) : (uint32_t)XG_NAXES;
        if (k < XG_NAXES && o->var[k])
            ranges[o->var[k]->n] = xg_range_meet(ranges[o->var[k]->n], xg_range_of(0, p->extent - 1));
    }
    return xg_aff_env_of(o->n->aff, ranges, o->n->vars.n, NULL, 0);
}
/* Where the reader runs, the writer's constraints hold: they are the buffer's edges, or follow from the reader's own.
 */
XG_FN bool xg_nowners_where_holds(xg_nowners *o, const xg_ntouch *w, const xg_ntouch *r, const xg_nbuf *buf) {
    const xg_nblock *b = w->s->block, *reader = r->s->block;
    const xg_aff **at = xg_nsubst_affs(&o->axes, w->at, buf->rank);
    xg_aff_env env = xg_nowners_ranges_at(o, r->s);
    uint32_t k, d, j;
    for (k = 0; k < b->n_where; k++) {
        const xg_aff *e = xg_nsubst_of(&o->axes, b->where[k].expr);
        if (xg_range_within(xg_aff_range(&env, e), b->where[k].range)) continue;
        for (d = 0; d < buf->rank; d++)
            if (e == at[d] && xg_range_within(xg_range_of(0, buf->dims[d] - 1), b->where[k].range)) break;
        for (j = 0; j < reader->n_where && d == buf->rank; j++)
            if (xg_nsubst_of(&o->axes, reader->where[j].expr) == e &&
                xg_range_within(reader->where[j].range, b->where[k].range))
                break;
        if (d == buf->rank && j == reader->n_where) return false;
    }
    return true;
}
XG_FN bool xg_nowners_covered(xg_nowners *o, const xg_ntouch *w, const xg_ntouch *r) {
    const xg_nbuf *buf = w->s->block->outs[w->out].buf;
    const xg_nstmt *around = xg_nstmt_common(w->s, r->s);
    xg_nspan wrote[XG_RANK_MAX], read[XG_RANK_MAX];
    if (w->s == r->s || !xg_nstmt_precedes(o->n, w->s, r->s)) return false;
    return xg_nowners_where_holds(o, w, r, buf) && xg_nowners_box(o, w, buf, around, wrote) &&
           xg_nowners_box(o, r, buf, around, read) && xg_nspans_hold(o->n, wrote, read, buf->rank);
}
XG_NORETURN XG_FN void xg_nowners_fail(
    const xg_nowners *o, const xg_ntouch *w, const xg_ntouch *r, uint32_t axis, const xg_nbuf *buf) {
    xg_nkind kind = (xg_nkind)(XG_NK_BLOCK_X + axis);
    const char *who = xg_nkind_is_thread(kind) ? "thread of a block" : "block of the grid";
    const xg_str reader = r->s->block->name, writer = w->s->block->name;
    if (w->s == r->s)
        xg_fail(o->n->ctx, XLAGPU_ERROR_UNSUPPORTED,
            "loop nest '%.*s': more than one %s (%s) would make the same element of '%.*s' step by step in '%.*s'",
            (int)o->n->name.n, o->n->name.p, who, xg_nkind_text(kind), (int)buf->name.n, buf->name.p, (int)writer.n,
            writer.p);
    xg_fail(o->n->ctx, XLAGPU_ERROR_UNSUPPORTED,
        "loop nest '%.*s': '%.*s' needs of '%.*s', in %s memory, what another %s (%s) makes in '%.*s'",
        (int)o->n->name.n, o->n->name.p, (int)reader.n, reader.p, (int)buf->name.n, buf->name.p,
        xg_nscope_text(buf->scope), who, xg_nkind_text(kind), (int)writer.n, writer.p);
}
/* A writer and what reads or updates its elements, of an array that the axes from `from` up to `to` do not share.
 * alone: one instance has to make an element; copies of the same value in all of them would meet. */
XG_FN void xg_nowners_check_pair(
    xg_nowners *o, const xg_ntouch *w, const xg_ntouch *r, const xg_nbuf *buf, uint32_t from, uint32_t to, bool alone) {
    const xg_aff *vars[XG_NAXES];
    uint32_t n_vars = 0, axis, open = XG_NAXES;
    bool fewer = false;
    for (axis = from; axis < to; axis++) {
        int64_t wrote = xg_nowners_instances(o, w->s, axis), read = xg_nowners_instances(o, r->s, axis);
        if (!o->var[axis] || (wrote == 1 && read == 1)) continue;
        if (!alone && wrote >= read && !xg_nowners_depends(o, w, axis)) continue;
        if (open == XG_NAXES) open = axis;
        fewer |= wrote < read;
        vars[n_vars++] = o->var[axis];
    }
    if (!n_vars || xg_nowners_told(o, w, r, vars, n_vars)) return;
    if (!alone && !fewer && xg_nowners_covered(o, w, r)) return;
    xg_nowners_fail(o, w, r, open, buf);
}
XG_FN void xg_nowners_touches(const xg_nowners *o, const xg_nbuf *buf, xg_ntouches *v, uint32_t *writers) {
    const xg_nstmt *t;
    xg_nstmt *s;
    xg_ntouch place;
    uint32_t k;
    *writers = 0;
    for (t = o->first; t != o->last->next; t = t->next)
        for (s = (xg_nstmt *)t; s; s = xg_nstmt_next(s, t)) {
            if (s->op != XG_N_BLOCK) continue;
            place.s = s;
            place.out = -1;
            for (k = 0; k < s->block->n_args; k++) {
                if (s->block->args[k].kind != XG_NA_LOAD || s->block->args[k].buf != buf) continue;
                place.at = s->block->args[k].at;
                xg_push(o->n->arena, xg_ntouch, v, place);
            }
            for (k = 0; k < s->block->n_outs; k++) {
                if (s->block->outs[k].buf != buf) continue;
                place.at = s->block->outs[k].at;
                place.out = (int)k;
                xg_push(o->n->arena, xg_ntouch, v, place);
                ++*writers;
            }
        }
}
XG_FN bool xg_ntouch_updates(const xg_ntouch *t) { return t->out >= 0 && t->s->block->combine && !t->s->block->lanes; }
XG_APART XG_FN void xg_nowners_check_buf(xg_nowners *o, const xg_nbuf *buf) {
    const uint32_t threads = XG_NK_THREAD_X - XG_NK_BLOCK_X;
    bool global = buf->scope == XG_NS_GLOBAL;
    uint32_t own = buf->scope == XG_NS_LOCAL || global ? (uint32_t)XG_NAXES : threads, k, j, writers;
    xg_ntouches v;
    memset(&v, 0, sizeof v);
    xg_nowners_touches(o, buf, &v, &writers);
    for (k = 0; k < v.n; k++) {
        const xg_ntouch *w = &v.p[k];
        if (w->out < 0) continue;
        if (xg_ntouch_updates(w) && buf->scope != XG_NS_LOCAL)
            xg_nowners_check_pair(o, w, w, buf, global ? 0 : threads, XG_NAXES, true);
        for (j = 0; j < v.n; j++) /* what only writes needs nothing; in global memory it would be in the way */
            if (v.p[j].s != w->s && (v.p[j].out < 0 || xg_ntouch_updates(&v.p[j]) || global))
                xg_nowners_check_pair(o, w, &v.p[j], buf, 0, own, global && writers > 1);
    }
}
XG_FN void xg_nest_check_owners(xg_loopnest *n) {
    const xg_nstmt *first, *last;
    uint32_t k;
    for (first = n->root->first; first; first = last->next) {
        xg_nowners o;
        last = xg_nhost_last(n, first);
        o = xg_nowners_of(n, first, last);
        for (k = 0; k < n->bufs.n; k++) xg_nowners_check_buf(&o, n->bufs.p[k]);
    }
}

/* ---- arrays as small as what is used of them ---- */

XG_FN void xg_nest_compact(xg_loopnest *n) {
    uint32_t k;
    xg_nest_check_owners(n);
    for (k = 0; k < n->bufs.n; k++)
        if (!n->bufs.p[k]->param && n->bufs.p[k]->scope != XG_NS_GLOBAL) xg_nest_compact_buf(n, n->bufs.p[k]);
}

#endif /* XG_SCHED_OWNERS_C */
