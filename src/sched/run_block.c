/* sched/run_block.c -- what the statements of a loop nest mean: they run in the order of the text, element by element.
 *
 * Each element remembers what wrote it: nothing, everything, a block of threads or one thread, by its scope. So a
 * schedule that lets a thread read what it cannot see is found out though all threads run one behind the other here.
 * What threads combine with each other (a reduced iterator bound to a thread axis) belongs to their block after it. */
#ifndef XG_SCHED_RUN_BLOCK_C
#define XG_SCHED_RUN_BLOCK_C
#include "sched.h"

enum {
    XG_NRUN_ALL = INT32_MAX,
    XG_NRUN_OUTS = 8,
    XG_NRUN_CELL = 16 /* bytes that hold any scalar */
};
/* owner: 0 none, ALL, or 1 + a block's or thread's number */
typedef struct xg_nmem {
    unsigned char *data;
    uint32_t *owner;
    size_t bytes;
    int64_t elements; /* of one of them, if each thread has its own */
} xg_nmem;
typedef struct xg_nrun {
    xg_loopnest *n;
    xg_arena *arena;
    const xg_literal *const *args;
    const xg_literal **results;
    bool threads; /* what a thread can see counts */
    xg_eval_run *r;
    xg_nmem *mems;                                 /* by buffer */
    int64_t *values;                               /* by variable */
    bool together;                                 /* threads combine what they have: together.c */
    const xg_nblock *block;                        /* being run */
    int64_t axis[XG_NK_COUNT];                     /* the values of thread axes around */
    int64_t extent[XG_NK_COUNT], threads_of_block; /* of the axes, the most in the nest */
} xg_nrun;

XG_NORETURN XG_FN void xg_nrun_fail(const xg_nrun *x, const char *what, const xg_nbuf *buf) {
    xg_fail(x->n->ctx, XLAGPU_ERROR_INTERNAL, "loop nest '%.*s', block '%.*s': %s '%.*s'", (int)x->n->name.n,
        x->n->name.p, (int)x->block->name.n, x->block->name.p, what, (int)buf->name.n, buf->name.p);
}
XG_FN int64_t xg_nrun_value(const xg_nrun *x, const xg_aff *e) {
    int64_t v = 0;
    if (!xg_aff_eval(e, x->values, NULL, &v))
        xg_fail(x->n->ctx, XLAGPU_ERROR_INTERNAL, "loop nest '%.*s': an expression overflows", (int)x->n->name.n,
            x->n->name.p);
    return v;
}
XG_FN bool xg_nrun_holds(const xg_nrun *x, const xg_constraint *c, uint32_t n) {
    uint32_t k;
    for (k = 0; k < n; k++) {
        int64_t v = xg_nrun_value(x, c[k].expr);
        if (v < c[k].range.lo || v > c[k].range.hi) return false;
    }
    return true;
}
/* The number of the block of threads that runs now, or of the thread, or of its warp: 1 + block * (all threads + 1) for
 * a block, and behind that its threads. */
XG_FN int64_t xg_nrun_number(const xg_nrun *x, xg_nkind first) {
    return (x->axis[first + 2] * x->extent[first + 1] + x->axis[first + 1]) * x->extent[first] + x->axis[first];
}
XG_FN size_t xg_nrun_place(const xg_nrun *x, const xg_nbuf *buf, const xg_aff *const *at) {
    int64_t flat = 0;
    uint32_t k;
    for (k = 0; k < buf->rank; k++) {
        int64_t v = xg_nrun_value(x, at[k]);
        if (v < 0 || v >= buf->dims[k]) xg_nrun_fail(x, "an index leaves the buffer", buf);
        flat = flat * buf->dims[k] + v;
    }
    if (x->together && buf->scope == XG_NS_LOCAL) flat += xg_nrun_number(x, XG_NK_THREAD_X) * x->mems[buf->id].elements;
    return (size_t)flat;
}
XG_FN uint32_t xg_nrun_owner(const xg_nrun *x, xg_nscope scope) {
    int64_t thread = xg_nrun_number(x, XG_NK_THREAD_X),
            of_block = 1 + xg_nrun_number(x, XG_NK_BLOCK_X) * (x->threads_of_block + 1);
    if (scope == XG_NS_GLOBAL) return XG_NRUN_ALL;
    if (scope == XG_NS_SHARED) return (uint32_t)of_block;
    return (uint32_t)(of_block + 1 + (scope == XG_NS_WARP ? thread / 32 * 32 : thread));
}
XG_FN bool xg_nrun_sees(const xg_nrun *x, const xg_nbuf *buf, uint32_t owner) {
    return !x->threads || owner == XG_NRUN_ALL || owner == xg_nrun_owner(x, buf->scope) ||
           owner == xg_nrun_owner(x, XG_NS_SHARED);
}
XG_FN void xg_nrun_read(const xg_nrun *x, const xg_narg *a, unsigned char *to) {
    const xg_nmem *m;
    size_t at;
    if (a->kind == XG_NA_CONST || (a->kind == XG_NA_LOAD && !xg_nrun_holds(x, a->where, a->n_where))) {
        memcpy(to, a->value->data, (size_t)xg_type_bytes(a->type));
        return;
    }
    if (a->kind == XG_NA_HOLDS) {
        *to = xg_nrun_holds(x, a->where, a->n_where);
        return;
    }
    if (a->kind == XG_NA_INDEX) {
        xg_eval_store_int(a->type, to, xg_nrun_value(x, a->at[0]));
        return;
    }
    m = &x->mems[a->buf->id];
    at = xg_nrun_place(x, a->buf, a->at);
    if (!m->owner[at]) xg_nrun_fail(x, "it reads what nobody has written of", a->buf);
    if (!xg_nrun_sees(x, a->buf, m->owner[at])) xg_nrun_fail(x, "it reads what only another thread can see of", a->buf);
    memcpy(to, m->data + at * m->bytes, m->bytes);
}
/* Whether threads combine what they have: a reduced iterator depends on a thread axis. */
XG_FN bool xg_nrun_crosses(const xg_loopnest *n, const xg_nstmt *s) {
    const xg_nstmt *p;
    uint32_t k;
    for (p = s->parent; p; p = p->parent)
        if (p->op == XG_N_LOOP && xg_nkind_is_thread(p->kind)) {
            for (k = 0; k < s->block->n_begin; k++)
                if (xg_aff_uses(s->block->begin[k].expr, xg_aff_dim(n->aff, p->var))) return true;
            for (k = 0; k < s->block->n_iters; k++)
                if (s->block->iters[k].kind == 'R' &&
                    xg_aff_uses(s->block->iters[k].binding, xg_aff_dim(n->aff, p->var)))
                    return true;
        }
    return false;
}
XG_FN bool xg_nrun_first(const xg_nrun *x, const xg_nblock *b) {
    uint32_t k;
    for (k = 0; k < b->n_iters; k++)
        if (b->iters[k].kind == 'R' && x->values[b->iters[k].var]) return false;
    return xg_nrun_holds(x, b->begin, b->n_begin);
}
/* What the block computes at this point, without what its results hold. */
XG_FN void xg_nrun_values(const xg_nrun *x, const xg_nblock *b, void *const *out) {
    const void **in = XG_NEW_N(&x->r->stack, const void *, b->n_args + 1);
    unsigned char *cells = XG_NEW_N(&x->r->stack, unsigned char, XG_NRUN_CELL *(size_t)b->n_args);
    uint32_t k;
    if (b->n_outs > XG_NRUN_OUTS)
        xg_fail(x->n->ctx, XLAGPU_ERROR_LIMIT, "block '%.*s' has more than %d results", (int)b->name.n, b->name.p,
            XG_NRUN_OUTS);
    for (k = 0; k < b->n_args; k++, cells += XG_NRUN_CELL) {
        xg_nrun_read(x, &b->args[k], cells);
        in[k] = cells;
    }
    xg_eval_apply(x->r, b->body, in, out, 1);
}
/* crosses: a thread's own array becomes its block's. */
XG_FN void xg_nrun_store(const xg_nrun *x, const xg_nblock *b, void *const *values, bool crosses) {
    uint32_t k;
    for (k = 0; k < b->n_outs; k++) {
        xg_nbuf *buf = b->outs[k].buf;
        xg_nmem *m = &x->mems[buf->id];
        size_t at = xg_nrun_place(x, buf, b->outs[k].at);
        memcpy(m->data + at * m->bytes, values[k], m->bytes);
        m->owner[at] = xg_nrun_owner(x, crosses && buf->scope == XG_NS_LOCAL ? XG_NS_SHARED : buf->scope);
    }
}
XG_FN void xg_nrun_body(xg_nrun *x, const xg_nstmt *s) {
    const xg_nblock *b = s->block;
    unsigned char cells[2 * XG_NRUN_OUTS * XG_NRUN_CELL];
    const void *in[2 * XG_NRUN_OUTS];
    void *out[XG_NRUN_OUTS], *next[XG_NRUN_OUTS];
    bool crosses = xg_nrun_crosses(x->n, s), first = b->init && xg_nrun_first(x, b);
    uint32_t k;
    for (k = 0; k < b->n_outs && k < XG_NRUN_OUTS; k++) {
        out[k] = cells + (size_t)k * XG_NRUN_CELL;
        next[k] = cells + (size_t)(XG_NRUN_OUTS + k) * XG_NRUN_CELL;
    }
    xg_nrun_values(x, b, out);
    for (k = 0; k < b->n_outs && b->combine; k++) {
        xg_nmem *m = &x->mems[b->outs[k].buf->id];
        size_t at = xg_nrun_place(x, b->outs[k].buf, b->outs[k].at);
        in[b->n_outs + k] = out[k];
        in[k] = m->data + at * m->bytes;
        if (first)
            memcpy(m->data + at * m->bytes, b->init[k]->data, m->bytes);
        else if (!m->owner[at])
            xg_nrun_fail(x, "it updates what nobody has written of", b->outs[k].buf);
        else if (!crosses && !xg_nrun_sees(x, b->outs[k].buf, m->owner[at]))
            xg_nrun_fail(x, "it updates what only another thread can see of", b->outs[k].buf);
    }
    if (b->combine) xg_eval_apply(x->r, b->combine, in, next, 1);
    xg_nrun_store(x, b, b->combine ? next : out, crosses);
}
/* Are we at a point of the block? Its iterators get their values. */
XG_FN bool xg_nrun_enter(const xg_nrun *x, const xg_nblock *b) {
    uint32_t k;
    if (!xg_nrun_holds(x, b->where, b->n_where)) return false;
    for (k = 0; k < b->n_iters; k++) {
        int64_t v = xg_nrun_value(x, b->iters[k].binding);
        if (v < 0 || v >= b->iters[k].extent)
            xg_fail(x->n->ctx, XLAGPU_ERROR_INTERNAL,
                "loop nest '%.*s', block '%.*s': iterator '%.*s' leaves its extent", (int)x->n->name.n, x->n->name.p,
                (int)b->name.n, b->name.p, (int)x->n->vars.p[b->iters[k].var].name.n,
                x->n->vars.p[b->iters[k].var].name.p);
        x->values[b->iters[k].var] = v;
    }
    return true;
}
XG_FN void xg_nrun_stmts(xg_nrun *x, const xg_nstmt *parent);
XG_FN void xg_nrun_block(xg_nrun *x, const xg_nstmt *s) {
    const xg_nblock *b = s->block;
    xg_mark mark = xg_arena_mark(&x->r->stack);
    x->block = b;
    if (!xg_nrun_enter(x, b)) return;
    if (b->body)
        xg_nrun_body(x, s);
    else
        xg_nrun_stmts(x, s);
    xg_arena_reset(&x->r->stack, mark);
}
XG_FN void xg_nrun_stmts(xg_nrun *x, const xg_nstmt *parent) {
    const xg_nstmt *s;
    for (s = parent->first; s; s = s->next) {
        int64_t v, outer = x->axis[s->kind];
        if (s->op == XG_N_BLOCK) {
            xg_nrun_block(x, s);
            continue;
        }
        for (v = 0; v < s->extent; v++) {
            x->values[s->var] = v;
            if (xg_nkind_is_axis(s->kind)) x->axis[s->kind] = v;
            xg_nrun_stmts(x, s);
        }
        x->axis[s->kind] = outer;
    }
}

#endif /* XG_SCHED_RUN_BLOCK_C */
