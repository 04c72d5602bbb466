/* sched/inline.c -- compute_inline and reverse_compute_inline: what a block makes is computed where it is read, or what
 * is done to it is done where it is made; the array between them is gone. */
#ifndef XG_SCHED_INLINE_C
#define XG_SCHED_INLINE_C
#include "sched.h"
#include "stage.c"

/* The indices are all different iterators of b and nothing else, of the array's extents, and every iterator is one of
 * them unless it counts to 1: which iterator each is. */
XG_FN bool xg_nblock_plain(
    const xg_loopnest *n, const xg_nblock *b, const xg_nbuf *buf, const xg_aff *const *at, uint32_t *which) {
    bool *used = XG_NEW_N(n->arena, bool, b->n_iters);
    uint32_t k, d;
    for (d = 0; d < buf->rank; d++) {
        for (k = 0; k < b->n_iters && at[d] != xg_aff_dim(n->aff, b->iters[k].var); k++) {}
        if (k == b->n_iters && buf->dims[d] == 1 && at[d] == xg_aff_const(n->aff, 0)) {
            which[d] = UINT32_MAX;
            continue;
        }
        if (k == b->n_iters || used[k] || b->iters[k].extent != buf->dims[d]) return false;
        used[k] = true;
        which[d] = k;
    }
    for (k = 0; k < b->n_iters; k++)
        if (!used[k] && b->iters[k].extent != 1) return false;
    return true;
}
/* Every point of the block is run: its loops are those of its iterators, one for one. */
XG_FN void xg_sched_check_whole(const xg_loopnest *n, const char *primitive, const xg_nstmt *s) {
    if (s->block->n_where)
        xg_sched_fail(n, "%s: '%.*s' does not run at all points of its loops", primitive, (int)s->block->name.n,
            s->block->name.p);
}
/* In front of an argument that may be another block's: its value for these indices of the iterators. */
XG_APART XG_FN xg_inst *xg_ninline_value(
    xg_nbody *y, const xg_nblock *p, const uint32_t *which, const xg_narg *load, const xg_nbuf *buf) {
    xg_inst **params = XG_NEW_N(y->n->arena, xg_inst *, p->n_args);
    xg_nsubst s;
    uint32_t k, d;
    xg_nsubst_begin(&s, y->n);
    for (k = 0; k < p->n_iters; k++) xg_nsubst_put(&s, p->iters[k].var, xg_aff_const(y->n->aff, 0));
    for (d = 0; d < buf->rank; d++)
        if (which[d] != UINT32_MAX) xg_nsubst_put(&s, p->iters[which[d]].var, load->at[d]);
    for (k = 0; k < p->n_args; k++) {
        xg_narg a = xg_nsubst_arg(&s, &p->args[k]);
        a = xg_narg_within(y->n, &a, load->where, load->n_where); /* nothing is read where the element itself is not */
        params[k] = xg_nbody_arg(y, &a);
    }
    return xg_nbody_where(y, load->where, load->n_where, xg_nbody_copy(y, p->body, params), load->value);
}
XG_FN void xg_ninline_into(xg_loopnest *n, xg_nblock *reader, const xg_nblock *p, const uint32_t *which) {
    xg_nbuf *buf = p->outs[0].buf;
    xg_inst **params = XG_NEW_N(n->arena, xg_inst *, reader->n_args);
    xg_nbody y;
    uint32_t k;
    xg_nbody_begin(&y, n, reader->name);
    for (k = 0; k < reader->n_args; k++) {
        const xg_narg *a = &reader->args[k];
        params[k] =
            a->kind == XG_NA_LOAD && a->buf == buf ? xg_ninline_value(&y, p, which, a, buf) : xg_nbody_arg(&y, a);
    }
    xg_nbody_end(&y, reader, xg_nbody_copy(&y, reader->body, params));
}
/* The block makes one result, each element at once. */
XG_FN void xg_ninline_check(const xg_loopnest *n, const char *who, const xg_nblock *b, const char *why) {
    if (xg_nblock_class(b) != XG_NC_COMPLETE)
        xg_sched_fail(n, "%s: '%.*s' is not complete: it %s", who, (int)b->name.n, b->name.p, why);
    if (b->n_outs != 1) xg_sched_fail(n, "%s: '%.*s' has %u results", who, (int)b->name.n, b->name.p, b->n_outs);
}
XG_FN void xg_do_compute_inline(xg_loopnest *n, xg_nstmt *producer) {
    const xg_nblock *p;
    xg_nbuf *buf;
    uint32_t which[XG_RANK_MAX], readers = 0;
    xg_nstmt *s, *w;
    xg_sched_check_block(n, "compute_inline", producer);
    p = producer->block;
    xg_ninline_check(n, "compute_inline", p, "updates what it writes");
    buf = p->outs[0].buf;
    if (buf->param) xg_sched_fail(n, "compute_inline: '%.*s' makes a result of the nest", (int)p->name.n, p->name.p);
    if (xg_nest_writers(n, buf, &w, 1) != 1)
        xg_sched_fail(n, "compute_inline: '%.*s' is written by other blocks too", (int)buf->name.n, buf->name.p);
    if (!xg_nblock_plain(n, p, buf, p->outs[0].at, which))
        xg_sched_fail(n, "compute_inline: the indices of '%.*s' are not the iterators of '%.*s'", (int)buf->name.n,
            buf->name.p, (int)p->name.n, p->name.p);
    xg_sched_check_whole(n, "compute_inline", producer);
    for (s = n->root; s; s = xg_nstmt_next(s, n->root))
        if (s->op == XG_N_BLOCK && s->block->body && xg_nblock_reads(s->block, buf)) {
            readers++;
            xg_ninline_into(n, s->block, p, which);
        }
    if (!readers) xg_sched_fail(n, "compute_inline: nobody reads '%.*s'", (int)buf->name.n, buf->name.p);
    xg_nstmt_unlink(producer);
    xg_nest_drop_bufs(n);
}
/* What else the block reads is there already where the producer of buf stands. */
XG_FN void xg_ninline_check_reads(xg_loopnest *n, const xg_nblock *c, const xg_nbuf *buf, const xg_nstmt *producer) {
    uint32_t k;
    for (k = 0; k < c->n_args; k++) {
        xg_nstmt *writers[8];
        uint32_t count = c->args[k].kind == XG_NA_LOAD && c->args[k].buf != buf
                             ? xg_nest_writers(n, c->args[k].buf, writers, XG_COUNT(writers))
                             : 0,
                 i;
        for (i = 0; i < count; i++)
            if (i >= XG_COUNT(writers) || xg_nstmt_common(writers[i], producer)->op == XG_N_LOOP ||
                !xg_nstmt_precedes(n, writers[i], producer))
                xg_sched_fail(n,
                    "reverse_compute_inline: '%.*s', which '%.*s' reads, is not there yet where '%.*s' is made",
                    (int)c->args[k].buf->name.n, c->args[k].buf->name.p, (int)c->name.n, c->name.p, (int)buf->name.n,
                    buf->name.p);
    }
}
/* The producer p of buf computes at once what c makes of it, and writes that instead; which: c's iterators, by index of
 * buf. */
XG_FN void xg_ninline_behind(
    xg_loopnest *n, const xg_nblock *c, xg_nblock *p, const xg_nbuf *buf, const uint32_t *which) {
    xg_inst **params, **own;
    xg_nsubst subst;
    xg_nbody y;
    xg_nout *out;
    uint32_t k, d;
    xg_nsubst_begin(&subst, n);
    for (k = 0; k < c->n_iters; k++) xg_nsubst_put(&subst, c->iters[k].var, xg_aff_const(n->aff, 0));
    for (d = 0; d < buf->rank; d++)
        if (which[d] != UINT32_MAX) xg_nsubst_put(&subst, c->iters[which[d]].var, p->outs[0].at[d]);
    xg_nbody_begin(&y, n, p->name);
    own = XG_NEW_N(n->arena, xg_inst *, p->n_args);
    params = XG_NEW_N(n->arena, xg_inst *, c->n_args);
    for (k = 0; k < p->n_args; k++) own[k] = xg_nbody_arg(&y, &p->args[k]);
    for (k = 0; k < c->n_args; k++) {
        xg_narg a;
        if (c->args[k].kind == XG_NA_LOAD && c->args[k].buf == buf) {
            params[k] = xg_nbody_copy(&y, p->body, own);
            continue;
        }
        a = xg_nsubst_arg(&subst, &c->args[k]);
        params[k] = xg_nbody_arg(&y, &a);
    }
    xg_nbody_end(&y, p, xg_nbody_copy(&y, c->body, params));
    out = XG_NEW(n->arena, xg_nout);
    out->buf = c->outs[0].buf;
    out->at = xg_nsubst_affs(&subst, c->outs[0].at, out->buf->rank);
    p->outs = out;
}
XG_FN void xg_do_reverse_compute_inline(xg_loopnest *n, xg_nstmt *consumer) {
    const xg_nblock *c;
    xg_nblock *p;
    xg_nbuf *buf = NULL;
    xg_nstmt *producer = NULL, *s;
    uint32_t which[XG_RANK_MAX], k, readers;
    const xg_aff *const *at;
    xg_sched_check_block(n, "reverse_compute_inline", consumer);
    c = consumer->block;
    xg_ninline_check(n, "reverse_compute_inline", c, "updates what it writes");
    for (k = 0; k < c->n_args; k++) {
        if (c->args[k].kind != XG_NA_LOAD || c->args[k].buf->param || xg_nest_writers(n, c->args[k].buf, &s, 1) != 1)
            continue;
        if (buf && buf != c->args[k].buf)
            xg_sched_fail(
                n, "reverse_compute_inline: '%.*s' reads what more than one block makes", (int)c->name.n, c->name.p);
        buf = c->args[k].buf;
        producer = s;
    }
    if (!buf)
        xg_sched_fail(
            n, "reverse_compute_inline: '%.*s' reads nothing that one block makes", (int)c->name.n, c->name.p);
    at = xg_nblock_place(n, "reverse_compute_inline", c, buf, false);
    readers = xg_nest_readers(n, buf, &s, 1);
    if (readers != 1)
        xg_sched_fail(n, "reverse_compute_inline: '%.*s' is read by %u blocks", (int)buf->name.n, buf->name.p, readers);
    p = producer->block;
    xg_ninline_check(n, "reverse_compute_inline", p, "is not done before the last update");
    if (!xg_nblock_plain(n, c, buf, at, which))
        xg_sched_fail(n, "reverse_compute_inline: the indices of '%.*s' are not the iterators of '%.*s'",
            (int)buf->name.n, buf->name.p, (int)c->name.n, c->name.p);
    xg_sched_check_whole(n, "reverse_compute_inline", consumer);
    xg_ninline_check_reads(n, c, buf, producer);
    xg_ninline_behind(n, c, p, buf, which);
    xg_nstmt_unlink(consumer);
    xg_nest_drop_bufs(n);
}

#endif /* XG_SCHED_INLINE_C */
