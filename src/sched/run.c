/* sched/run.c -- what a loop nest means: its arrays are made, its statements are run, each result must be written. */
#ifndef XG_SCHED_RUN_C
#define XG_SCHED_RUN_C
#include "together.c"

/* How many threads and blocks there are, so that each has a number. */
XG_FN void xg_nrun_extents(xg_nrun *x) {
    const xg_nstmt *s;
    int64_t all = 1;
    uint32_t k;
    for (k = 0; k < XG_NK_COUNT; k++) x->extent[k] = 1;
    for (s = x->n->root; s; s = xg_nstmt_next(s, x->n->root))
        if (s->op == XG_N_LOOP) x->extent[s->kind] = XG_MAX(x->extent[s->kind], s->extent);
    x->threads_of_block = 1;
    for (k = XG_NK_BLOCK_X; k <= XG_NK_THREAD_Z; k++) {
        if (xg_nkind_is_thread((xg_nkind)k))
            x->threads_of_block = XG_MIN(x->threads_of_block, (int64_t)INT32_MAX) * x->extent[k];
        if (!xg_mul64(all, x->extent[k] + 1, &all) || all >= XG_NRUN_ALL)
            xg_fail(x->n->ctx, XLAGPU_ERROR_LIMIT, "loop nest '%.*s' has too many threads to be run one by one",
                (int)x->n->name.n, x->n->name.p);
    }
}
XG_FN void xg_nrun_work(xg_eval_run *r, void *data) {
    xg_nrun *x = (xg_nrun *)data;
    uint32_t k, arg = 0, result = 0;
    xg_nrun_extents(x);
    x->together = xg_nest_goes_together(x->n);
    x->r = r;
    x->values = XG_NEW_N(&r->mem, int64_t, x->n->vars.n);
    x->mems = XG_NEW_N(&r->mem, xg_nmem, x->n->bufs.n);
    for (k = 0; k < x->n->bufs.n; k++) {
        const xg_nbuf *b = x->n->bufs.p[k];
        const xg_shape *s = xg_shape_array(x->n->module, b->type, b->dims, b->rank, NULL, NULL);
        xg_nmem *m = &x->mems[b->id];
        size_t at, count = (size_t)s->elements;
        m->elements = s->elements;
        if (x->together && b->scope == XG_NS_LOCAL) count = xg_mul(r->ctx, count, (size_t)x->threads_of_block);
        m->bytes = (size_t)xg_type_bytes(b->type);
        m->owner = XG_NEW_N(&r->mem, uint32_t, count);
        if (b->output) {
            xg_literal *l = xg_literal_new(x->arena, s);
            m->data = (unsigned char *)l->data;
            x->results[result++] = l;
            continue;
        }
        m->data = (unsigned char *)xg_alloc(&r->mem, xg_mul(r->ctx, count, m->bytes));
        if (!b->param) continue;
        memcpy(m->data, x->args[arg++]->data, count * m->bytes);
        for (at = 0; at < count; at++) m->owner[at] = XG_NRUN_ALL;
    }
    if (x->together)
        xg_nrun_together(x);
    else
        xg_nrun_stmts(x, x->n->root);
    for (k = 0; k < x->n->bufs.n; k++) {
        const xg_nbuf *b = x->n->bufs.p[k];
        const xg_shape *s = xg_shape_array(x->n->module, b->type, b->dims, b->rank, NULL, NULL);
        int64_t at;
        if (b->output)
            for (at = 0; at < s->elements; at++)
                if (!x->mems[k].owner[at])
                    xg_fail(x->n->ctx, XLAGPU_ERROR_INTERNAL,
                        "loop nest '%.*s': element %lld of '%.*s' is never written", (int)x->n->name.n, x->n->name.p,
                        (long long)at, (int)b->name.n, b->name.p);
    }
}
XG_FN void xg_nest_run(
    xg_loopnest *n, xg_arena *a, const xg_literal *const *args, const xg_literal **results, bool threads) {
    xg_nrun x;
    memset(&x, 0, sizeof x);
    x.n = n;
    x.arena = a;
    x.args = args;
    x.results = results;
    x.threads = threads;
    xg_eval_with(n->module, xg_nrun_work, &x, NULL);
}

#endif /* XG_SCHED_RUN_C */
