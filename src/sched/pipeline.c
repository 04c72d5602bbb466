/* sched/pipeline.c -- software pipelines: the statements of a loop run for different rounds of it at a time.
 *
 * The loop is annotated with a stage and a place in the order for each of its statements. A statement of stage s runs s
 * rounds later than one of stage 0; so what stage 0 makes has to stay for s rounds. The result is
 *
 *     rounds 0 .. last stage - 1 of the statements that have begun        written out
 *     the loop, in which all statements run, each for its own round
 *     what is left                                                        written out
 *
 * An array that is read later than the next overwrites it gets as many versions as are alive at a time, one behind the
 * other, and each round uses the next one. Registers have to be told apart by number: with versions of those the loop
 * runs as many rounds at a time. */
#ifndef XG_SCHED_PIPELINE_C
#define XG_SCHED_PIPELINE_C
#include "sched.h"
#include "flat.c"
#include "host.c"
#include "loops.c"

typedef struct xg_npipe {
    xg_loopnest *n;
    uint32_t count;
    int64_t *versions; /* by buffer; 0: it is not of this pipeline */
    int64_t rounds;    /* at a time, in the loop */
    xg_nstmt *loop, *stmts[XG_NNOTE_INTS];
    int64_t stage[XG_NNOTE_INTS], order[XG_NNOTE_INTS], last;
} xg_npipe;

XG_FN void xg_npipe_read(xg_npipe *p) {
    const xg_nnote *stage = xg_nstmt_note(p->loop, "software_pipeline_stage");
    const xg_nnote *order = xg_nstmt_note(p->loop, "software_pipeline_order");
    const char *name = xg_sched_var(p->n, p->loop);
    bool seen[XG_NNOTE_INTS];
    xg_nstmt *s;
    uint32_t k;
    int stages = xg_nnote_ints(stage->value, p->stage, XG_NNOTE_INTS);
    int orders = order ? xg_nnote_ints(order->value, p->order, XG_NNOTE_INTS) : stages;
    for (s = p->loop->first; s; s = s->next) {
        if (p->count == XG_NNOTE_INTS) xg_sched_fail(p->n, "pipeline: the loop '%s' holds too many statements", name);
        p->stmts[p->count++] = s;
    }
    if (stages != (int)p->count || orders != (int)p->count)
        xg_sched_fail(p->n, "pipeline: the loop '%s' holds %u statements, but has %d stages and %d places", name,
            p->count, stages, orders);
    memset(seen, 0, sizeof seen);
    for (k = 0; k < p->count; k++) {
        if (!order) p->order[k] = k;
        if (p->order[k] < 0 || p->order[k] >= (int64_t)p->count || seen[p->order[k]])
            xg_sched_fail(p->n, "pipeline: the places of the loop '%s' are no order", name);
        seen[p->order[k]] = true;
        p->last = XG_MAX(p->last, p->stage[k]);
    }
}
XG_FN bool xg_npipe_inside(const xg_npipe *p, const xg_nbuf *buf) {
    const xg_nstmt *s;
    for (s = p->n->root; s; s = xg_nstmt_next(s, p->n->root))
        if (s->op == XG_N_BLOCK && (xg_nblock_reads(s->block, buf) || xg_nblock_writes(s->block, buf)) &&
            !xg_nstmt_inside(s, p->loop))
            return false;
    return true;
}
/* Which stage makes what for which: never for an earlier one; and how many versions are alive. */
XG_FN void xg_npipe_versions(xg_npipe *p) {
    uint32_t w, r, k;
    p->rounds = 1;
    p->versions = XG_NEW_N(p->n->arena, int64_t, p->n->bufs.n + 1);
    for (k = 0; k < p->n->bufs.n; k++) {
        const xg_nbuf *buf = p->n->bufs.p[k];
        for (w = 0; w < p->count; w++) {
            if (!xg_nstmt_touches(p->stmts[w], buf, true)) continue;
            for (r = 0; r < p->count; r++) {
                bool writes = r != w && xg_nstmt_touches(p->stmts[r], buf, true);
                int64_t need, apart = p->stage[r] - p->stage[w];
                if (r == w || (!xg_nstmt_touches(p->stmts[r], buf, false) && !writes)) continue;
                if (r > w ? apart < 0 || (apart == 0 && p->order[r] < p->order[w]) : apart > 0)
                    xg_sched_fail(
                        p->n, "pipeline: '%.*s' would be read before it is made", (int)buf->name.n, buf->name.p);
                if (apart == 0) continue;
                if (r < w || buf->param || !xg_npipe_inside(p, buf))
                    xg_sched_fail(p->n, "pipeline: rounds of the loop '%s' hand '%.*s' to each other",
                        xg_sched_var(p->n, p->loop), (int)buf->name.n, buf->name.p);
                need = apart + (p->order[w] < p->order[r]);
                p->versions[k] = XG_MAX(p->versions[k], need);
            }
        }
        if (p->versions[k] > 1 && buf->scope > XG_NS_SHARED) p->rounds = XG_MAX(p->rounds, p->versions[k]);
    }
    for (k = 0; k < p->n->bufs.n; k++) /* registers in step with the rounds at a time */
        if (p->versions[k] > 1 && p->n->bufs.p[k]->scope > XG_NS_SHARED) p->versions[k] = p->rounds;
}
/* Each place of a buffer with versions says which: the round's. */
XG_FN void xg_npipe_widen(xg_npipe *p) {
    xg_loopnest *n = p->n;
    xg_aff_env env = xg_nest_env(n);
    uint32_t k, j, d;
    for (k = 0; k < n->bufs.n; k++) {
        xg_nbuf *buf = n->bufs.p[k];
        xg_nplaces v;
        memset(&v, 0, sizeof v);
        if (p->versions[k] < 2) continue;
        xg_nest_places(n, buf, &v);
        for (j = 0; j < v.n; j++) {
            const xg_aff **at = XG_NEW_N(n->arena, const xg_aff *, buf->rank + 1);
            at[0] = xg_aff_mod_in(&env, xg_nest_dim(n, p->loop->var), p->versions[k]);
            for (d = 0; d < buf->rank; d++) at[d + 1] = (*v.p[j].at)[d];
            *v.p[j].at = at;
        }
        xg_nest_add_dim(n, buf, p->versions[k]);
    }
}
/* The statements of time t, in their order, in front of `before`: time is a number, or base + rounds of the new loop.
 */
XG_FN void xg_npipe_time(xg_npipe *p, int64_t t, const xg_nstmt *steady, xg_nstmt *parent, xg_nstmt *before) {
    xg_loopnest *n = p->n;
    uint32_t place, k;
    for (place = 0; place < p->count; place++) {
        xg_nstmt *made;
        xg_nsubst to;
        int64_t round;
        for (k = 0; p->order[k] != (int64_t)place; k++) {}
        round = t - p->stage[k];
        if (!steady && (round < 0 || round >= p->loop->extent)) continue;
        xg_nsubst_begin(&to, n);
        xg_nsubst_put(&to, p->loop->var,
            steady && steady->extent > 1
                ? xg_aff_add_k(n->aff, xg_aff_mul(n->aff, xg_nest_dim(n, steady->var), p->rounds), round)
                : xg_aff_const(n->aff, round));
        made = xg_nstmt_copy(n, p->stmts[k], &to);
        if (before)
            xg_nstmt_insert(before, made);
        else
            xg_nstmt_append(parent, made);
    }
}
XG_FN void xg_nest_pipeline_loop(xg_loopnest *n, xg_nstmt *loop) {
    xg_npipe p;
    int64_t t, steady, end;
    xg_nstmt *body;
    memset(&p, 0, sizeof p);
    p.n = n;
    p.loop = loop;
    if (loop->op != XG_N_LOOP || (loop->kind != XG_NK_SERIAL && loop->kind != XG_NK_UNROLLED))
        xg_sched_fail(n, "pipeline: only a serial loop can be one");
    xg_npipe_read(&p);
    xg_npipe_versions(&p);
    xg_npipe_widen(&p);
    end = loop->extent + p.last;
    steady = loop->extent > p.last ? (loop->extent - p.last) / p.rounds : 0;
    for (t = 0; t < p.last; t++) xg_npipe_time(&p, t, NULL, loop->parent, loop);
    if (steady) {
        body = xg_nest_loop(n, xg_nest_var(n, n->vars.p[loop->var].name, steady), steady, loop->kind);
        xg_nstmt_insert(loop, body);
        for (t = 0; t < p.rounds; t++) xg_npipe_time(&p, p.last + t, body, body, NULL);
    }
    for (t = p.last + steady * p.rounds; t < end; t++) xg_npipe_time(&p, t, NULL, loop->parent, loop);
    xg_nstmt_unlink(loop);
}
XG_FN void xg_nest_pipeline(xg_loopnest *n) {
    xg_nstmt *s, *inner;
    if (!n->flat) xg_sched_fail(n, "pipeline: the nest is not flat");
    for (;;) { /* inner ones first */
        inner = NULL;
        for (s = n->root->first; s; s = xg_nstmt_next(s, n->root))
            if (xg_nstmt_note(s, "software_pipeline_stage")) inner = s;
        if (!inner) return;
        xg_nest_pipeline_loop(n, inner);
    }
}

#endif /* XG_SCHED_PIPELINE_C */
