/* sched/shared.c -- shared memory by liveness: arrays of a type that are not in use at the same time share their place.
 *
 * An array is in use from the first to the last block of the text that touches it. Where that is a loop that does not
 * hold all of its uses, the whole loop counts, for its rounds come again; and where the first use is a read, what is
 * read comes from the round before, so that the loop that holds all of its uses counts as a whole. Places are given the
 * largest array first, each the lowest that is free. Barriers come afterwards: where an array follows another one in
 * its place, the threads have to be done with that one. */
#ifndef XG_SCHED_SHARED_C
#define XG_SCHED_SHARED_C
#include "sched.h"
#include "loops.c"
#include "stage.c"
#include "flat.c"

typedef struct xg_nlife {
    xg_nbuf *buf;
    uint32_t from, to; /* blocks of the text */
    int64_t size;
} xg_nlife;

/* The number of each block in the text; of a statement, those of the first and the last block in it. */
XG_FN void xg_nlife_of_stmt(const xg_loopnest *n, const xg_nstmt *top, uint32_t *from, uint32_t *to) {
    const xg_nstmt *s;
    uint32_t at = 0;
    bool any = false;
    for (s = n->root; s; s = xg_nstmt_next(s, n->root)) {
        if (s->op != XG_N_BLOCK) continue;
        if (xg_nstmt_inside(s, top)) {
            if (!any) *from = at;
            *to = at;
            any = true;
        }
        at++;
    }
}
XG_FN xg_nlife xg_nlife_of(xg_loopnest *n, xg_nbuf *buf) {
    xg_nplaces v;
    xg_nstmt *home;
    xg_nlife l;
    uint32_t k, from = 0, to = 0;
    memset(&v, 0, sizeof v);
    memset(&l, 0, sizeof l);
    l.buf = buf;
    l.size = xg_nbuf_size(n, buf, NULL);
    xg_nest_places(n, buf, &v);
    if (!v.n) return l;
    home = xg_nplaces_home(&v);
    l.from = UINT32_MAX;
    for (k = 0; k < v.n; k++) {
        xg_nlife_of_stmt(n, xg_nstmt_branch(v.p[k].s, home), &from, &to);
        l.from = XG_MIN(l.from, from);
        l.to = XG_MAX(l.to, to);
    }
    if (xg_nblock_reads(v.p[0].s->block, buf) && home->op == XG_N_LOOP) xg_nlife_of_stmt(n, home, &l.from, &l.to);
    return l;
}
XG_FN bool xg_nlives_meet(const xg_nlife *a, const xg_nlife *b) { return a->from <= b->to && b->from <= a->to; }
/* The lowest place that no array in use at the same time has. */
XG_FN int64_t xg_nlife_place(const xg_nlife *l, const xg_nlife *given, uint32_t count) {
    enum {
        STEP = 16 /* elements: a vector may begin at each place */
    };
    int64_t at = 0;
    bool moved = true;
    uint32_t k;
    while (moved) {
        moved = false;
        for (k = 0; k < count; k++) {
            const xg_nlife *o = &given[k];
            if (o->buf->type != l->buf->type || !xg_nlives_meet(l, o)) continue;
            if (at >= o->buf->place + o->size || o->buf->place >= at + l->size) continue;
            at = (o->buf->place + o->size + STEP - 1) / STEP * STEP;
            moved = true;
        }
    }
    return at;
}
XG_FN void xg_nest_merge_shared(xg_loopnest *n) {
    XG_VEC(xg_nlife) v = {NULL, 0, 0};
    uint32_t k, j;
    if (!n->flat) xg_sched_fail(n, "merge_shared: the nest is not flat");
    for (k = 0; k < n->bufs.n; k++) {
        xg_nlife l;
        if (n->bufs.p[k]->scope != XG_NS_SHARED || n->bufs.p[k]->param) continue;
        l = xg_nlife_of(n, n->bufs.p[k]);
        for (j = v.n; j > 0 && v.p[j - 1].size < l.size; j--) {}
        xg_push(n->arena, xg_nlife, &v, l);
        memmove(v.p + j + 1, v.p + j, (v.n - 1 - j) * sizeof *v.p);
        v.p[j] = l;
    }
    for (k = 0; k < v.n; k++) {
        v.p[k].buf->place = xg_nlife_place(&v.p[k], v.p, k);
        v.p[k].buf->placed = true;
    }
}

#endif /* XG_SCHED_SHARED_C */
