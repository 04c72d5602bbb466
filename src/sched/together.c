/* sched/together.c -- what a nest means once threads combine what they have: the threads of a block go together, block
 * by block of the text, so that each of them has its value when one of them wants all.
 *
 * A thread's own arrays are one for each thread here. A loop of a thread axis says which threads take part; all other
 * loops run once for all of them. */
#ifndef XG_SCHED_TOGETHER_C
#define XG_SCHED_TOGETHER_C
#include "run_block.c"

typedef struct xg_ntogether {
    xg_nrun *x;
    uint32_t vars[XG_NEST_DEPTH_MAX]; /* of the loops of thread axes around */
    xg_nkind kinds[XG_NEST_DEPTH_MAX];
    uint32_t n_bound;
    const xg_nstmt *outer[XG_NEST_DEPTH_MAX]; /* blocks around others */
    uint32_t n_outer;
    int64_t limit[3]; /* threads that take part, by axis */
} xg_ntogether;

/* Flat nests do, and those with a collective block, unless a reduction over threads is still one over a loop. */
XG_FN bool xg_nest_goes_together(const xg_loopnest *n) {
    const xg_nstmt *s;
    bool together = n->flat;
    for (s = n->root; s; s = xg_nstmt_next(s, n->root)) {
        if (s->op != XG_N_BLOCK) continue;
        if (s->block->across || s->block->lanes)
            together = true;
        else if (xg_nrun_crosses(n, s))
            return false;
    }
    return together;
}
/* The next thread; false: there was none. The first call has `at` all 0 and *begun false. */
XG_FN bool xg_ntogether_next(const xg_ntogether *g, int64_t *at, bool *begun) {
    uint32_t k;
    if (!*begun) {
        *begun = true;
        at[0] = at[1] = at[2] = 0;
        return true;
    }
    for (k = 0; k < 3; k++) {
        if (++at[k] < g->limit[k]) return true;
        at[k] = 0;
    }
    return false;
}
XG_FN int64_t xg_ntogether_number(const xg_nrun *x, const int64_t *at) {
    return (at[2] * x->extent[XG_NK_THREAD_Y] + at[1]) * x->extent[XG_NK_THREAD_X] + at[0];
}
/* That thread runs the block now: variables, iterators. False: it does not. */
XG_FN bool xg_ntogether_enter(xg_ntogether *g, const xg_nstmt *s, const int64_t *at) {
    xg_nrun *x = g->x;
    uint32_t k;
    for (k = 0; k < 3; k++) x->axis[XG_NK_THREAD_X + k] = at[k];
    for (k = 0; k < g->n_bound; k++) x->values[g->vars[k]] = at[g->kinds[k] - XG_NK_THREAD_X];
    for (k = 0; k < g->n_outer; k++)
        if (!xg_nrun_enter(x, g->outer[k]->block)) return false;
    return xg_nrun_enter(x, s->block);
}
/* All threads' values first, then those of each group together, then each thread gets the result of its group. */
XG_FN void xg_ntogether_collective(xg_ntogether *g, const xg_nstmt *s) {
    enum {
        CELL = 16
    };
    xg_nrun *x = g->x;
    const xg_nblock *b = s->block;
    size_t all = (size_t)x->threads_of_block, row = CELL * (size_t)b->n_outs, group, t;
    unsigned char *values = (unsigned char *)xg_alloc(&x->r->stack, all * row);
    unsigned char *sums = (unsigned char *)xg_alloc(&x->r->stack, all * row);
    unsigned char *next = (unsigned char *)xg_alloc(&x->r->stack, row);
    uint32_t *have = XG_NEW_N(&x->r->stack, uint32_t, all); /* of a group: values so far */
    size_t *of = XG_NEW_N(&x->r->stack, size_t, all);       /* the group of a thread, counted from 1; 0: it is not in */
    const void *in[2 * XG_NRUN_OUTS];
    void *out[XG_NRUN_OUTS];
    int64_t at[3], width = 1;
    bool begun = false;
    uint32_t k;
    for (k = 0; k < 3; k++)
        if (b->across >> k & 1) width *= x->extent[XG_NK_THREAD_X + k];
    if (b->lanes) width = b->lanes;
    while (xg_ntogether_next(g, at, &begun)) {
        t = (size_t)xg_ntogether_number(x, at);
        if (!xg_ntogether_enter(g, s, at)) continue;
        for (k = 0; k < b->n_outs; k++) out[k] = values + t * row + CELL * k;
        xg_nrun_values(x, b, out);
        group = t / (b->lanes ? b->lanes : 1);
        if (!b->lanes) {
            int64_t rest[3];
            for (k = 0; k < 3; k++) rest[k] = b->across >> k & 1 ? 0 : at[k];
            group = (size_t)xg_ntogether_number(x, rest);
        }
        of[t] = group + 1;
        for (k = 0; k < b->n_outs; k++) {
            if (!have[group] && b->init)
                memcpy(sums + group * row + CELL * k, b->init[k]->data, (size_t)xg_type_bytes(b->outs[k].buf->type));
            in[k] = sums + group * row + CELL * k;
            in[b->n_outs + k] = out[k];
            out[k] = next + CELL * k;
        }
        if (!have[group] && !b->init)
            memcpy(sums + group * row, values + t * row, row);
        else {
            xg_eval_apply(x->r, b->combine, in, out, 1);
            memcpy(sums + group * row, next, row);
        }
        have[group]++;
    }
    for (begun = false; xg_ntogether_next(g, at, &begun);) {
        t = (size_t)xg_ntogether_number(x, at);
        if (!of[t]) continue;
        group = of[t] - 1;
        if (have[group] != width) xg_nrun_fail(x, "some of the threads do not take part in the sum of", b->outs[0].buf);
        (void)xg_ntogether_enter(g, s, at);
        for (k = 0; k < b->n_outs; k++) out[k] = sums + group * row + CELL * k;
        xg_nrun_store(x, b, out, false);
    }
}
XG_FN void xg_ntogether_leaf(xg_ntogether *g, const xg_nstmt *s) {
    xg_mark mark = xg_arena_mark(&g->x->r->stack);
    bool begun = false;
    int64_t at[3];
    g->x->block = s->block;
    if (s->block->across || s->block->lanes)
        xg_ntogether_collective(g, s);
    else
        while (xg_ntogether_next(g, at, &begun))
            if (xg_ntogether_enter(g, s, at)) xg_nrun_body(g->x, s);
    xg_arena_reset(&g->x->r->stack, mark);
}
XG_FN void xg_ntogether_stmts(xg_ntogether *g, const xg_nstmt *parent);
XG_FN void xg_ntogether_loop(xg_ntogether *g, const xg_nstmt *s) {
    xg_nrun *x = g->x;
    int64_t v, outer = x->axis[s->kind];
    if (xg_nkind_is_thread(s->kind)) {
        int64_t *limit = &g->limit[s->kind - XG_NK_THREAD_X], before = *limit;
        if (g->n_bound == XG_NEST_DEPTH_MAX) xg_fail(x->n->ctx, XLAGPU_ERROR_LIMIT, "loops are nested too deep");
        g->vars[g->n_bound] = s->var;
        g->kinds[g->n_bound++] = s->kind;
        *limit = XG_MIN(before, s->extent);
        xg_ntogether_stmts(g, s);
        *limit = before;
        g->n_bound--;
        return;
    }
    for (v = 0; v < s->extent; v++) {
        x->values[s->var] = v;
        if (xg_nkind_is_axis(s->kind)) x->axis[s->kind] = v;
        xg_ntogether_stmts(g, s);
    }
    x->axis[s->kind] = outer;
}
XG_FN void xg_ntogether_stmts(xg_ntogether *g, const xg_nstmt *parent) {
    const xg_nstmt *s;
    for (s = parent->first; s; s = s->next) {
        if (s->op == XG_N_LOOP)
            xg_ntogether_loop(g, s);
        else if (s->block->body)
            xg_ntogether_leaf(g, s);
        else {
            g->outer[g->n_outer++] = s;
            xg_ntogether_stmts(g, s);
            g->n_outer--;
        }
    }
}
XG_FN void xg_nrun_together(xg_nrun *x) {
    xg_ntogether g;
    uint32_t k;
    memset(&g, 0, sizeof g);
    g.x = x;
    for (k = 0; k < 3; k++) g.limit[k] = x->extent[XG_NK_THREAD_X + k];
    xg_ntogether_stmts(&g, x->n->root);
}

#endif /* XG_SCHED_TOGETHER_C */
