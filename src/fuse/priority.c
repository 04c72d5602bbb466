/* fuse/priority.c -- priority-fusion: producers move into all of their readers, the most worthwhile first.
 *
 * Idea: the value of a producer lies in memory, or every reader computes it. For each producer the queue knows how much
 * time the second saves: its own kernel's, and for each reader the kernel's with and without it. The best goes first;
 * what it changes is estimated again: its readers, what they read, and what reads them. A producer with several readers
 * is computed in each of them, if that pays all in all and all of them may; else in none. Copies of its code have a
 * price.
 *
 * Laws: an estimate takes time linear in what the producer's kernel reads, and is made again only when one of its two
 * kernels changed. Ties go to the producer that comes first. A computation of more than XG_PRIORITY_WHOLE instructions
 * is gone through in stretches: layers of a model that are worth the same would else be gone through all together, once
 * for each of their instructions, and what lies in no cache is dear. */
#ifndef XG_FUSE_PRIORITY_C
#define XG_FUSE_PRIORITY_C
#include "fuse.h"
#include "cost.c"

enum {
    XG_PRIORITY_FETCH_PS = 200 /* an instruction */,
    XG_PRIORITY_HERO_PS = 3000, /* where all else is alike: what a hero has moved into moves no further */
    XG_QUEUE_ARITY = 4,
    XG_PRIORITY_MANY = 16 /* inputs */,
    XG_PRIORITY_WHOLE = 16384, /* instructions: their kernels take some MB */
    XG_PRIORITY_STRETCH = 2048 /* whose kernels stay near */
};

/* What an order of the queue is told by lies in the queue, and where each stands in an array of its own: kernels are
 * far apart in memory. */
typedef struct xg_queued {
    int64_t worth;
    uint32_t place;
} xg_queued;
typedef struct xg_queue {
    xg_kernels *g;
    XG_VEC(xg_queued) heap;
    uint32_t *at;                /* by place of the kernel: its place in the heap plus 1 */
    uint32_t end;                /* of the stretch: producers from this place on are not asked for yet */
    XG_VEC(xg_kernel *) readers; /* of the producer that is moving */
} xg_queue;

/* ---- the queue: a heap that knows where each kernel is, four to a parent ---- */

XG_FN xg_kernel *xg_queue_kernel(const xg_queue *q, uint32_t at) { return &q->g->nodes[q->heap.p[at].place]; }
/* Code is fetched before it runs: what is computed at many places, or by many readers, is worth a kernel of its own. */
XG_FN int64_t xg_priority_fetch(uint64_t ops) { return (int64_t)ops * XG_PRIORITY_FETCH_PS; }
/* What computing it in its readers saves, its own kernel with it. */
XG_FN int64_t xg_queue_worth(const xg_kernel *p) {
    return xg_cost_add(p->gain, xg_cost_add(p->time, xg_priority_fetch(p->ops)));
}
XG_FN bool xg_queue_before(const xg_queued *a, const xg_queued *b) {
    return a->worth != b->worth ? a->worth > b->worth : a->place < b->place;
}

XG_FN void xg_queue_set(xg_queue *q, uint32_t at, xg_queued k) {
    q->heap.p[at] = k;
    q->at[k.place] = at + 1;
}

XG_FN void xg_queue_sift(xg_queue *q, uint32_t at) {
    xg_queued *heap = q->heap.p, k = heap[at];
    while (at && xg_queue_before(&k, &heap[(at - 1) / XG_QUEUE_ARITY])) {
        xg_queue_set(q, at, heap[(at - 1) / XG_QUEUE_ARITY]);
        at = (at - 1) / XG_QUEUE_ARITY;
    }
    for (;;) {
        uint32_t best = XG_QUEUE_ARITY * at + 1, end = XG_MIN(best + XG_QUEUE_ARITY, q->heap.n), child;
        if (best >= q->heap.n) break;
        for (child = best + 1; child < end; child++)
            if (xg_queue_before(&heap[child], &heap[best])) best = child;
        if (!xg_queue_before(&heap[best], &k)) break;
        xg_queue_set(q, at, heap[best]);
        at = best;
    }
    xg_queue_set(q, at, k);
}

XG_FN void xg_queue_drop(xg_queue *q, const xg_kernel *k) {
    uint32_t at = q->at[k->place] - 1;
    xg_queued last = q->heap.p[--q->heap.n];
    q->at[k->place] = 0;
    if (last.place == k->place) return;
    xg_queue_set(q, at, last);
    xg_queue_sift(q, at);
}

/* Windows of a padded image read it at many places: while each is a kernel of its own, memory's time hides what
 * choosing an operand takes at each of them. The concatenation moves when they have met. */
XG_FN bool xg_queue_is_sliced(const xg_inst *i) {
    uint32_t n = 0;
    XG_FOR_USES(u, i) n += u->user->op == XG_SLICE;
    return n > 1;
}

/* Its gain changed: into the queue, to another place, or out. */
XG_FN void xg_queue_update(xg_queue *q, const xg_kernel *p) {
    xg_queued k;
    uint32_t at = q->at[p->place];
    bool wanted = p->place < q->end && p->candidate && p->live && p->n_refused == 0 &&
                  p->n_readers <= XG_FUSE_READERS_MAX && xg_queue_worth(p) > 0;
    if (!wanted) {
        if (at) xg_queue_drop(q, p);
        return;
    }
    k.worth = xg_queue_worth(p) - (p->hero ? XG_PRIORITY_HERO_PS : 0);
    if (p->is_concatenation && xg_queue_is_sliced(p->inst)) k.worth = 0;
    k.place = p->place;
    if (!at) {
        xg_push(q->g->arena, xg_queued, &q->heap, k);
        at = q->heap.n;
    } else if (q->heap.p[at - 1].worth == k.worth)
        return;
    q->heap.p[at - 1] = k;
    xg_queue_sift(q, at - 1);
}

/* ---- estimates ---- */

/* Why c may not compute what it reads; NULL: it may, and takes so long then. */
XG_FN const char *xg_priority_refusal(xg_kernels *g, const xg_kernel *c, const xg_kernel_input *in, int64_t *with) {
    const xg_kernel *p = in->from;
    const char *why = xg_fuse_refusal(p, c, in);
    uint64_t ops = why ? 0 : xg_kernel_ops_with(c, in);
    uint32_t buffers;
    if (why) return why;
    if (ops > XG_FUSE_OPS_MAX || (ops > XG_FUSE_PART_MAX && c->members + p->members > XG_FUSE_PART_MAX))
        return "the code would be too large";
    *with = xg_kernel_time_with(g, c, in, &buffers);
    return buffers > XG_FUSE_BUFFERS_MAX && buffers > c->n_inputs + xg_kernel_n_outputs(c)
               ? "the kernel would have too many buffers"
               : NULL;
}
XG_FN void xg_priority_estimate(xg_kernels *g, xg_kernel *c, xg_kernel_input *in) {
    xg_kernel *p = in->from;
    int64_t with;
    p->gain -= in->gain;
    p->n_refused -= in->refused;
    in->refused = xg_priority_refusal(g, c, in, &with) != NULL;
    in->gain = in->refused ? 0 : c->time - with - xg_priority_fetch((uint64_t)p->ops * in->sites);
    p->gain += in->gain;
    p->n_refused += in->refused;
}

/* Everything that c reads, after c changed. */
XG_FN void xg_priority_inputs(xg_queue *q, xg_kernel *c) {
    uint32_t j;
    for (j = 0; j < c->n_inputs; j++) xg_kernel_bring(c->inputs[j].from);
    if (c->n_inputs > XG_PRIORITY_MANY) xg_kernel_list(q->g, c); /* each is compared with all */
    for (j = 0; j < c->n_inputs; j++) {
        xg_kernel *p = c->inputs[j].from;
        if (!p->candidate || p->n_readers > XG_FUSE_READERS_MAX) continue;
        xg_priority_estimate(q->g, c, &c->inputs[j]);
        xg_queue_update(q, p);
    }
}

/* p in each of its readers, after p changed; forgets those that were readers once. */
XG_FN void xg_priority_readers(xg_queue *q, xg_kernel *p) {
    uint32_t n = 0, j;
    if (!p->candidate || p->n_readers > XG_FUSE_READERS_MAX) {
        if (p->candidate) xg_queue_update(q, p);
        return;
    }
    for (j = 0; j < p->readers.n; j++) xg_kernel_bring(p->readers.p[j]);
    for (j = 0; j < p->readers.n; j++) {
        xg_kernel *c = p->readers.p[j];
        xg_kernel_input *in = c->live ? xg_kernel_find_input(c, p) : NULL;
        if (!in) continue;
        p->readers.p[n++] = c;
        xg_priority_estimate(q->g, c, in);
    }
    p->readers.n = n;
    xg_queue_update(q, p);
}

/* ---- the log ---- */

XG_FN void xg_priority_log(
    const xg_kernels *g, const xg_kernel *c, const xg_kernel_input *in, const char *why, bool accepted) {
    const xg_kernel *p = in->from;
    int64_t apart = p->time + c->time, together = c->time - in->gain;
    if (!g->log) return;
    xg_printf(g->log, "priority-fusion %s: %s into %s: ", g->comp->name.p, p->inst->name.p, c->inst->name.p);
    if (why)
        xg_printf(g->log, "refused, %s\n", why);
    else
        xg_printf(g->log, "%s, apart %lld ns, together %lld ns%s\n", accepted ? "fused" : "refused",
            (long long)(apart / 1000), (long long)(together / 1000),
            accepted                             ? ""
            : p->n_refused                       ? "; another reader refuses"
            : p->n_readers > XG_FUSE_READERS_MAX ? "; too many readers"
                                                 : "; together with the other readers it does not pay");
}

/* The last word on each pair that stayed apart. */
XG_FN void xg_priority_log_rest(xg_kernels *g) {
    uint32_t k, j;
    for (k = 0; g->log && k < g->kernels.n; k++)
        for (j = 0; j < g->kernels.p[k]->n_inputs; j++) {
            const xg_kernel *c = g->kernels.p[k], *p = c->inputs[j].from;
            const char *why = NULL;
            int64_t with;
            if (!p->live) continue;
            if (!p->candidate)
                why = p->kind == XG_FUSE_KERNEL ? "something else needs the producer in memory"
                                                : "the producer is no kernel";
            else if (c->inputs[j].refused)
                why = xg_priority_refusal(g, c, &c->inputs[j], &with);
            xg_priority_log(g, c, &c->inputs[j], why, false);
        }
}

/* ---- the way ---- */

XG_FN void xg_priority_fuse(xg_queue *q, xg_kernel *p) {
    xg_kernels *g = q->g;
    xg_kernel **readers;
    uint32_t n, j;
    q->readers.n = 0;
    for (j = 0; j < p->readers.n; j++)
        if (p->readers.p[j]->live && xg_kernel_find_input(p->readers.p[j], p))
            xg_push(g->arena, xg_kernel *, &q->readers, p->readers.p[j]);
    readers = q->readers.p;
    n = q->readers.n;
    p->live = false;
    p->shared = p->shared || n > 1;
    for (j = 0; j < n; j++) xg_priority_log(g, readers[j], xg_kernel_find_input(readers[j], p), NULL, true);
    for (j = 0; j < p->n_inputs; j++) {
        xg_kernel *o = p->inputs[j].from; /* no longer read by p */
        o->n_readers--;
        o->gain -= p->inputs[j].gain;
        o->n_refused -= p->inputs[j].refused;
        xg_queue_update(q, o);
    }
    for (j = 0; j < n; j++) {
        xg_kernel *c = readers[j];
        uint32_t i;
        for (i = 0; i < c->n_inputs; i++) XG_PREFETCH(c->inputs[i].from);
        for (i = 0; i < c->n_inputs; i++) { /* what is taken back is estimated again below */
            c->inputs[i].from->gain -= c->inputs[i].gain;
            c->inputs[i].from->n_refused -= c->inputs[i].refused;
            c->inputs[i].gain = 0;
            c->inputs[i].refused = false;
        }
        xg_kernel_take(g, c, p);
    }
    for (j = 0; j < n; j++) {
        xg_priority_inputs(q, readers[j]);
        xg_priority_readers(q, readers[j]);
    }
    for (j = 0; j < p->n_inputs; j++)
        if (p->inputs[j].from->n_readers == XG_FUSE_READERS_MAX) xg_priority_readers(q, p->inputs[j].from);
    xg_kernel_inputs_drop(g, p);
}

/* While one moves: the one that is likely next, and those after it. */
XG_FN void xg_priority_bring_next(const xg_queue *q) {
    const xg_kernel *next;
    uint32_t j;
    for (j = 1; j <= XG_QUEUE_ARITY && j < q->heap.n; j++) xg_kernel_bring(xg_queue_kernel(q, j));
    if (!q->heap.n) return;
    next = xg_queue_kernel(q, 0);
    XG_PREFETCH(next->inputs);
    XG_PREFETCH(next->readers.p);
    if (next->readers.n) {
        xg_kernel_bring(next->readers.p[0]);
        XG_PREFETCH(next->readers.p[0]->inst);
    }
    for (j = 0; j < next->n_inputs && j < 4; j++) xg_kernel_bring(next->inputs[j].from);
}

XG_APART XG_FN void xg_priority_run(xg_kernels *g) {
    xg_queue q;
    uint32_t k = 0, stretch = g->n > XG_PRIORITY_WHOLE ? XG_PRIORITY_STRETCH : XG_PRIORITY_WHOLE;
    memset(&q, 0, sizeof q);
    q.g = g;
    q.at = XG_NEW_N(g->arena, uint32_t, (size_t)g->n + 1);
    q.heap.p = (xg_queued *)xg_alloc_raw(g->arena, xg_mul(g->m->ctx, (size_t)g->n + 1, sizeof *q.heap.p));
    q.heap.cap = g->n + 1;
    g->forgets = true;
    while (k < g->n) {
        q.end = k + XG_MIN(g->n - k, stretch);
        for (; k < q.end; k++)
            if (g->nodes[k].live) xg_priority_readers(&q, &g->nodes[k]);
        while (q.heap.n) {
            xg_kernel *best = xg_queue_kernel(&q, 0);
            xg_queue_drop(&q, best);
            xg_priority_bring_next(&q);
            xg_priority_fuse(&q, best);
        }
    }
    g->forgets = false;
    g->kernels.p = (xg_kernel **)(void *)q.heap.p; /* which is empty */
    g->kernels.cap = g->n;
    for (k = 0; k < g->n; k++)
        if (g->nodes[k].live) xg_push(g->arena, xg_kernel *, &g->kernels, &g->nodes[k]);
    xg_priority_log_rest(g);
}

XG_FN bool xg_priority_comp(xg_comp *c) {
    xg_mark none = xg_arena_mark(c->module->work);
    xg_kernels g;
    bool changed;
    xg_kernels_open(&g, c);
    xg_priority_run(&g);
#ifndef XLAGPU_SMALL
    xg_multi_levels(&g);
    if (g.m->row_programs) xg_rows_run(&g);
    xg_multi_run(&g);
#endif
    if (g.lists != g.arena) xg_arena_free(g.lists);
    changed = xg_kernels_close(&g);
    xg_arena_reset(g.arena, none);
    return changed;
}

XG_FN bool xg_fuse_priority(xg_module *m) { return xg_opt_each_sequence(m, xg_priority_comp); }

#endif /* XG_FUSE_PRIORITY_C */
