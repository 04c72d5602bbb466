/* rt/peers.c -- small all-reduces without NCCL: each device reads the operands of its whole group, in the order of its
 * members, by one kernel that the executable brings along (plan/peers.c). All members get the same bits.
 *
 * Ideas
 * - No kernel waits for another device: streams do. A device records an event when its operand is ready, and its kernel
 *   waits for those of all members; then it records that it has read, and goes on when all have.
 * - A stream can wait only for what has been recorded: so the threads of the devices meet before each of the two waits.
 * - On the host memory of other devices is lent to the simulator for the kernel alone.
 *
 * Laws: only where every device of the run has a thread of its own (xlagpu_rt_clique_run), and all members are devices
 * of one process that reach each other's memory; NCCL, or the host's exchange, does the others. Devices decide alike:
 * by the executable and the clique. */
#ifndef XG_RT_PEERS_C
#define XG_RT_PEERS_C
#include "rt.h"
#include "collectives.c"
#include "lanes.c"

#ifdef XR_CLIQUES
enum {
    XR_PEERS_DEVICES_MAX = 64 /* of a clique whose devices are asked whom they reach */
};

/* ---- who reaches whom ---- */

XG_FN XG_COLD xlagpu_status xr_peers_open(xlagpu_clique *q) {
    const xr_platform *f = q->devices[0]->platform;
    uint32_t n = q->n, k;
    bool ours;
    if (!f->reach || n < 2 || n > XR_PEERS_DEVICES_MAX || q->processes > 1) return XLAGPU_OK;
    q->reach = (uint8_t *)xg_mem_alloc(&q->c, (size_t)n * n);
    if (!q->reach) return xr_fail(&q->c, XLAGPU_ERROR_MEMORY, "out of memory");
    memset(q->reach, 0, (size_t)n * n);
    for (k = 0; k < n * n; k++) {
        if (k / n == k % n || !f->reach(q->devices[k / n], q->devices[k % n], &ours)) continue;
        q->reach[k] = (uint8_t)(XR_PEER_REACHES | (ours ? XR_PEER_OURS : 0));
    }
    return XLAGPU_OK;
}
XG_FN XG_COLD void xr_peers_close(xlagpu_clique *q) {
    uint32_t n = q->n, k;
    for (k = 0; q->reach && k < n * n; k++)
        if (q->reach[k] & XR_PEER_OURS) q->devices[k / n]->platform->unreach(q->devices[k / n], q->devices[k % n]);
    xg_mem_free(&q->c, q->reach);
}
XG_FN bool xr_peers_reach(const xlagpu_clique *q, uint32_t a, uint32_t b) {
    return a == b || q->devices[0]->platform->lend || (q->reach && q->reach[(size_t)a * q->n + b]);
}

/* ---- which all-reduces ---- */

/* Groups of equal size, and kernels that there are. */
XG_FN XG_COLD bool xr_peers_fit(const xlagpu_program *p, const xr_collective *c) {
    const char *at = c->kernels;
    uint32_t members = c->n_groups ? c->first[1] : 0, number, k;
    if (members < 2 || members > XG_EXE_PEERS_MAX) return false;
    for (k = 0; k < c->n_groups; k++)
        if (c->first[k + 1] - c->first[k] != members) return false;
    for (k = 0; k < c->n_kernels; k++, at++)
        if (!xr_take_number(&at, &number) || number >= p->n_kernels) return false;
    return true;
}
/* No result lies over an operand, which others still read, and operands are lent one by one. */
XG_FN XG_COLD bool xr_peers_apart(const xlagpu_program *p, const xg_exe_thunk *t, const xr_collective *c) {
    const uint32_t *links = p->links + t->first_link;
    uint32_t k, j;
    for (k = 0; k < t->n_links; k++)
        for (j = 0; j < k; j++)
            if ((links[j] != links[k] || k >= c->n_in) &&
                xr_lanes_meet(p, links[j] & ~XG_EXE_WRITTEN, links[k] & ~XG_EXE_WRITTEN))
                return false;
    return true;
}
XG_FN XG_COLD bool xr_peers_may(const xlagpu_clique *q, const xlagpu_program *p, uint32_t thunk) {
    const xr_collective *c = p->collective_of[thunk];
    const char *at = c->kernels;
    uint32_t k, j, g, number = 0;
    for (k = 0; k < c->n_kernels; k++, at++)
        if (!xr_take_number(&at, &number) || p->kernels[number].n_params != c->first[1] + 1 ||
            p->kernels[number].n_maps)
            return false;
    for (g = 0; g < c->n_groups; g++)
        for (k = c->first[g]; k < c->first[g + 1]; k++)
            for (j = c->first[g]; j < c->first[g + 1]; j++)
                if (!xr_peers_reach(q, c->ids[k], c->ids[j])) return false;
    return xr_peers_apart(p, &p->thunks[thunk], c);
}
XG_FN XG_COLD void xr_peers_load(xlagpu_clique *q, xr_peers *peers) {
    const xlagpu_program *first = peers->programs[0];
    uint32_t k, j;
    for (j = 0; j < first->n_thunks && q->processes < 2; j++) {
        bool may = first->thunks[j].kind == XG_EXE_THUNK_COLLECTIVE && first->collective_of[j]->n_kernels &&
                   xr_peers_may(q, first, j);
        for (k = 0; k < q->n && may; k++) peers->programs[k]->collective_of[j]->by_peers = true;
    }
}
XG_FN bool xr_peers_take(const xlagpu_execution *e, const xg_exe_thunk *t) {
    const xlagpu_program *p = e->program;
    const xr_collective *c = p->collective_of[t - p->thunks];
    return c->by_peers && c->label[p->rank] && p->clique->together && !e->capturing;
}

/* ---- one all-reduce ---- */

typedef struct xr_peers_group {
    xlagpu_execution *e;
    const xr_collective *c;
    const xg_exe_thunk *t;
    const uint32_t *ids;
    uint32_t n;
    void *stream;
} xr_peers_group;

XG_FN const xlagpu_execution *xr_peers_other(const xr_peers_group *g, uint32_t member) {
    return g->e->program->clique->seats[g->ids[member]].execution;
}
XG_FN uint64_t xr_peers_address(const xr_peers_group *g, const xlagpu_execution *of, uint32_t link) {
    return xr_address(of, g->e->program->links[g->t->first_link + link] & ~XG_EXE_WRITTEN);
}
/* Event 0: it is ready; 1: it has read. The device records its own, threads meet, streams wait. */
XG_FN xlagpu_status xr_peers_meet(const xr_peers_group *g, uint32_t event) {
    const xlagpu_program *p = g->e->program;
    const xr_platform *f = p->device->platform;
    size_t at = 2 * (size_t)(g->c - p->collectives) + event;
    bool events = p->clique->nccl != NULL;
    xlagpu_status s = events ? f->event_record(g->e, g->e->met[at], g->stream) : XLAGPU_OK;
    uint32_t k;
    if (s == XLAGPU_OK) s = xr_meet(g->e, g->t, NULL);
    for (k = 0; k < g->n && s == XLAGPU_OK && events; k++)
        if (g->ids[k] != p->rank) s = f->stream_follow(g->e, g->stream, xr_peers_other(g, k)->met[at]);
    return s;
}
/* Operand `operand` of the others becomes memory that the device's kernels reach, or is so no more. */
XG_FN xlagpu_status xr_peers_lend(const xr_peers_group *g, uint32_t operand, bool on) {
    const xlagpu_program *p = g->e->program;
    const xr_platform *f = p->device->platform;
    xlagpu_status s = XLAGPU_OK;
    uint32_t k;
    for (k = 0; k < g->n && f->lend && s == XLAGPU_OK; k++)
        if (g->ids[k] != p->rank)
            s = f->lend(p->device, xr_peers_address(g, xr_peers_other(g, k), operand),
                (size_t)xr_link_bytes(p, g->t, operand), on);
    return s == XLAGPU_OK ? s : xr_fail(&g->e->c, s, "out of memory: the table of buffers");
}
XG_FN xlagpu_status xr_peers_launch(const xr_peers_group *g, uint32_t operand, uint32_t kernel) {
    xlagpu_execution *e = g->e;
    xlagpu_status s = xr_peers_lend(g, operand, true), back;
    uint32_t k;
    for (k = 0; k < g->n; k++) e->args[k] = xr_peers_address(g, xr_peers_other(g, k), operand);
    e->args[k] = xr_peers_address(g, e, g->c->n_in + operand);
    if (s == XLAGPU_OK) s = xr_finish_args(e, kernel);
    if (s == XLAGPU_OK) s = e->program->device->platform->launch(e, kernel, g->stream);
    back = xr_peers_lend(g, operand, false);
    return s == XLAGPU_OK ? back : s;
}
XG_FN xlagpu_status xr_peers_all_reduce(xlagpu_execution *e, const xg_exe_thunk *t, void *stream) {
    const xlagpu_program *p = e->program;
    xr_peers_group g;
    const char *at;
    xlagpu_status s;
    uint32_t k, kernel = 0;
    g.e = e;
    g.c = p->collective_of[t - p->thunks];
    g.t = t;
    g.n = xr_collective_group(g.c, p->rank, &g.ids);
    g.stream = stream;
    s = xr_peers_meet(&g, 0);
    for (k = 0, at = g.c->kernels; k < g.c->n_in && s == XLAGPU_OK; k++, at++) {
        (void)xr_take_number(&at, &kernel);
        s = xr_peers_launch(&g, k, kernel);
    }
    if (s == XLAGPU_OK) s = xr_peers_meet(&g, 1);
    if (s == XLAGPU_OK) return s;
    xr_clique_leave(p->clique, p->rank, s, e->c.message);
    xr_nccl_leave(e);
    return s;
}
#endif /* XR_CLIQUES */

#endif /* XG_RT_PEERS_C */
