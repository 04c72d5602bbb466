/* rt/peers.c -- small all-reduces without NCCL, by kernels that the executable brings along (plan/peers.c). All members
 * get the same bits.
 *
 * Ideas
 * - By one kernel a device reads the operands of its whole group, in the order of its members. By another it reduces
 *   its part of what all have put into memory behind one address, a multicast object, and gives it to all.
 * - No kernel waits for another device: streams do. A device records an event when its operand is ready, and its kernel
 *   waits for those of all members; then it records that it is done, and goes on when all are.
 * - A stream can wait only for what has been recorded: so the threads of the devices meet before each of the two waits.
 * - Objects are made when a program is loaded: one for each group, for all its all-reduces, which keep their order.
 * - On the host memory of other devices is lent to the simulator for the kernel alone.
 *
 * Laws: only where every device of the run has a thread of its own (xlagpu_rt_clique_run), and all members are devices
 * of one process that reach each other's memory; NCCL, or the host's exchange, does the others. Where an object is
 * refused, kernels that read all operands are next. Devices decide alike: by the executable and the clique. */
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
    if (!q->reach) return xr_no_memory(&q->c);
    memset(q->reach, 0, (size_t)n * n);
    for (k = 0; k < n * n; k++) {
        if (k / n == k % n || !f->reach(q->devices[k / n], q->devices[k % n], &ours)) continue;
        q->reach[k] = (uint8_t)(XR_PEER_REACHES | (ours ? XR_PEER_OURS : 0));
    }
    return XLAGPU_OK;
}
XG_FN XG_COLD void xr_cast_free(xlagpu_clique *q, xr_cast *c) {
    q->devices[0]->platform->uncast(c);
    xg_mem_free(&q->c, c);
}
XG_FN XG_COLD void xr_peers_close(xlagpu_clique *q) {
    uint32_t n = q->n, k;
    while (q->casts) {
        xr_cast *c = q->casts;
        q->casts = c->next;
        xr_cast_free(q, c);
    }
    for (k = 0; q->reach && k < n * n; k++)
        if (q->reach[k] & XR_PEER_OURS) q->devices[k / n]->platform->unreach(q->devices[k / n], q->devices[k % n]);
    xg_mem_free(&q->c, q->reach);
}
XG_FN bool xr_peers_reach(const xlagpu_clique *q, uint32_t a, uint32_t b) {
    return a == b || q->devices[0]->platform->lend || (q->reach && q->reach[(size_t)a * q->n + b]);
}

/* ---- which all-reduces ---- */

/* Groups of equal size, and a kernel that there is for each operand. */
XG_FN XG_COLD bool xr_peers_fit(const xlagpu_program *p, const xr_collective *c) {
    uint32_t members = c->n_groups ? c->first[1] : 0, number, k, w;
    for (w = 0; w < XR_PEERS_WAYS; w++) {
        const char *at = c->kernels[w];
        if (!at) continue;
        if (members < 2 || members > XG_EXE_PEERS_MAX || c->n_kernels[w] != c->n_out) return false;
        for (k = 0; k < c->n_groups; k++)
            if (c->first[k + 1] - c->first[k] != members) return false;
        for (k = 0; k < c->n_out; k++, at++)
            if (!xr_take_number(&at, &number) || number >= p->n_kernels) return false;
    }
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
/* Are there kernels of this way, of so many parameters each? */
XG_FN XG_COLD bool xr_peers_kernels(const xlagpu_program *p, const xr_collective *c, uint32_t way, uint32_t params) {
    const char *at = c->kernels[way];
    uint32_t k, number = 0;
    for (k = 0; k < c->n_kernels[way]; k++, at++)
        if (!xr_take_number(&at, &number) || p->kernels[number].n_params != params || p->kernels[number].n_maps)
            return false;
    return k > 0;
}
XG_FN XG_COLD bool xr_peers_may(const xlagpu_clique *q, const xlagpu_program *p, uint32_t thunk) {
    const xr_collective *c = p->collective_of[thunk];
    uint32_t k, j, g;
    if (!xr_peers_kernels(p, c, 0, c->first[1] + 1)) return false;
    for (g = 0; g < c->n_groups; g++)
        for (k = c->first[g]; k < c->first[g + 1]; k++)
            for (j = c->first[g]; j < c->first[g + 1]; j++)
                if (!xr_peers_reach(q, c->ids[k], c->ids[j])) return false;
    return xr_peers_apart(p, &p->thunks[thunk], c);
}
/* The bytes of an operand that each member reduces, in whole units; those of all operands. */
XG_FN uint64_t xr_cast_piece(const xlagpu_program *p, const xg_exe_thunk *t, uint32_t operand, uint32_t members) {
    enum {
        UNIT = 16
    };
    uint64_t all = (uint64_t)UNIT * members;
    return (xr_link_bytes(p, t, operand) + all - 1) / all * UNIT;
}
XG_FN XG_COLD uint64_t xr_cast_room(const xlagpu_program *p, const xg_exe_thunk *t, const xr_collective *c) {
    uint64_t bytes = 0;
    uint32_t k;
    for (k = 0; k < c->n_in; k++) bytes += c->first[1] * xr_cast_piece(p, t, k, c->first[1]);
    return bytes;
}
/* That of these devices; NULL: they can have none. */
XG_FN XG_COLD const xr_cast *xr_cast_of(xlagpu_clique *q, const uint32_t *ids, uint32_t n, uint64_t bytes) {
    xr_cast *c;
    uint32_t k;
    for (c = q->casts; c; c = c->next) {
        for (k = 0; c->n == n && c->bytes >= bytes && k < n && c->parts[k].device == q->devices[ids[k]]; k++) {}
        if (k == n) return c;
    }
    c = (xr_cast *)xg_mem_alloc(&q->c, sizeof *c);
    if (!c) return NULL;
    memset(c, 0, sizeof *c);
    c->bytes = bytes;
    for (c->n = 0; c->n < n; c->n++) c->parts[c->n].device = q->devices[ids[c->n]];
    if (!q->devices[0]->platform->cast(c)) {
        xr_cast_free(q, c);
        return NULL;
    }
    c->next = q->casts;
    q->casts = c;
    return c;
}
XG_FN XG_COLD void xr_casts_load(xlagpu_clique *q, xr_peers *peers, uint32_t thunk, uint64_t room) {
    const xlagpu_program *p = peers->programs[0];
    const xr_collective *c = p->collective_of[thunk];
    uint32_t g, k;
    if (!room || !p->device->platform->cast || !xr_peers_kernels(p, c, XR_PEERS_MULTIMEM, 1)) return;
    for (g = 0; g < c->n_groups; g++) {
        const xr_cast *cast = xr_cast_of(q, c->ids + c->first[g], c->first[1], room);
        for (k = c->first[g]; k < c->first[g + 1]; k++) peers->programs[c->ids[k]]->collective_of[thunk]->cast = cast;
    }
}
XG_FN XG_COLD void xr_peers_load(xlagpu_clique *q, xr_peers *peers) {
    const xlagpu_program *first = peers->programs[0];
    uint64_t room = 0;
    uint32_t k, j, all = q->processes < 2 && first->collective_of ? first->n_thunks : 0;
    for (j = 0; j < all; j++)
        if (first->collective_of[j] && first->collective_of[j]->n_kernels[XR_PEERS_MULTIMEM])
            room = XG_MAX(room, xr_cast_room(first, &first->thunks[j], first->collective_of[j]));
    for (j = 0; j < all; j++) {
        if (!first->collective_of[j]) continue;
        if (xr_peers_may(q, first, j))
            for (k = 0; k < q->n; k++) peers->programs[k]->collective_of[j]->by_peers = true;
        xr_casts_load(q, peers, j, room);
    }
}
XG_FN bool xr_peers_take(const xlagpu_execution *e, const xg_exe_thunk *t) {
    const xlagpu_program *p = e->program;
    const xr_collective *c = p->collective_of[t - p->thunks];
    return (c->by_peers || c->cast) && c->label[p->rank] && p->clique->together && !e->capturing;
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
XG_FN xlagpu_status xr_peers_go(const xr_peers_group *g, uint32_t kernel) {
    xlagpu_status s = xr_finish_args(g->e, kernel);
    return s == XLAGPU_OK ? g->e->program->device->platform->launch(g->e, kernel, g->stream) : s;
}
XG_FN xlagpu_status xr_peers_launch(const xr_peers_group *g, uint32_t operand, uint32_t kernel) {
    xlagpu_execution *e = g->e;
    xlagpu_status s = xr_peers_lend(g, operand, true), back;
    uint32_t k;
    for (k = 0; k < g->n; k++) e->args[k] = xr_peers_address(g, xr_peers_other(g, k), operand);
    e->args[k] = xr_peers_address(g, e, g->c->n_in + operand);
    if (s == XLAGPU_OK) s = xr_peers_go(g, kernel);
    back = xr_peers_lend(g, operand, false);
    return s == XLAGPU_OK ? back : s;
}
/* Between the shared memory and operands, or results. */
XG_FN xlagpu_status xr_cast_copy(const xr_peers_group *g, const xr_cast_part *part, bool out) {
    const xlagpu_program *p = g->e->program;
    uint64_t at = part->address;
    xlagpu_status s = XLAGPU_OK;
    uint32_t k;
    for (k = 0; k < g->c->n_in && s == XLAGPU_OK; k++) {
        uint64_t of = xr_peers_address(g, g->e, out ? g->c->n_in + k : k);
        s = p->device->platform->copy(g->e, out ? of : at, out ? at : of, (size_t)xr_link_bytes(p, g->t, k), g->stream);
        at += g->n * xr_cast_piece(p, g->t, k, g->n);
    }
    return s;
}
XG_FN xlagpu_status xr_peers_kernel(xr_peers_group *g, const xr_cast_part *part, uint32_t member) {
    const char *at = g->c->kernels[part ? XR_PEERS_MULTIMEM : 0];
    uint64_t place = part ? part->all : 0;
    xlagpu_status s = XLAGPU_OK;
    uint32_t k, kernel = 0;
    for (k = 0; k < g->c->n_in && s == XLAGPU_OK; k++, at++) {
        uint64_t piece = xr_cast_piece(g->e->program, g->t, k, g->n);
        (void)xr_take_number(&at, &kernel);
        g->e->args[0] = place + member * piece;
        s = part ? xr_peers_go(g, kernel) : xr_peers_launch(g, k, kernel);
        place += g->n * piece;
    }
    return s;
}
XG_FN xlagpu_status xr_peers_all_reduce(xlagpu_execution *e, const xg_exe_thunk *t, void *stream) {
    const xlagpu_program *p = e->program;
    const xr_cast_part *part;
    xr_peers_group g;
    xlagpu_status s = XLAGPU_OK;
    uint32_t member = 0;
    g.e = e;
    g.c = p->collective_of[t - p->thunks];
    g.t = t;
    g.n = xr_collective_group(g.c, p->rank, &g.ids);
    g.stream = stream;
    while (g.ids[member] != p->rank) member++;
    part = g.c->cast ? &g.c->cast->parts[member] : NULL;
    if (part) s = xr_cast_copy(&g, part, false);
    if (s == XLAGPU_OK) s = xr_peers_meet(&g, 0);
    if (s == XLAGPU_OK) s = xr_peers_kernel(&g, part, member);
    if (s == XLAGPU_OK) s = xr_peers_meet(&g, 1);
    if (s == XLAGPU_OK && part) s = xr_cast_copy(&g, part, true);
    if (s == XLAGPU_OK) return s;
    xr_clique_leave(p->clique, p->rank, s, e->c.message);
    xr_nccl_leave(e);
    return s;
}
#endif /* XR_CLIQUES */

#endif /* XG_RT_PEERS_C */
