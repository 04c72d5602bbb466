/* rt/lanes.c -- what runs beside the rest: a second stream of the execution's own, and events where the two must wait
 * for each other. Off unless the device was opened with copy_stream, for copies, or concurrent, for all that is no
 * loop, branch or call; on for collectives of GPUs.
 *
 * Ideas
 * - When a program is loaded, the thunks of each sequence are gone through once. Two of them conflict when they touch
 *   the same bytes and one writes; loops, branches and calls conflict with everything. A copy goes aside when something
 *   that it does not conflict with stands between its neighbours in conflict; all else keeps its order on the caller's
 *   stream.
 * - concurrent: a step goes where the last one is that it must wait for, if nothing stands behind that there; else to
 *   the lane that has been idle for longer. So chains stay together, and a second chain goes aside. Memory that the
 *   plan uses again is a conflict like any other: the second user waits for the first.
 * - Streams keep their own order, so whoever waits for a thunk has waited for all before it there: one event for the
 *   last conflict is enough, and none when an earlier wait covers it.
 * - A sequence begins with the copy stream waiting for the caller's, and ends the other way round: nothing outside of
 *   it needs to know.
 *
 * Laws: running allocates nothing; far conflicts are taken for granted beyond a window, so loading stays linear; after
 * a failure the streams meet again, too. */
#ifndef XG_RT_LANES_C
#define XG_RT_LANES_C
#include "rt.h"

enum {
    XR_LANES_WINDOW = 256
};

typedef struct xr_access {
    uint32_t slice;
    bool written;
} xr_access;
XG_FN XG_COLD xr_access xr_lanes_access(const xlagpu_program *p, const xg_exe_thunk *t, uint32_t k) {
    xr_access a;
    uint32_t link = p->links[t->first_link + k];
    a.slice = link & ~XG_EXE_WRITTEN;
    a.written = xg_exe_writes(t->kind, link, k, t->n_links);
    return a;
}
XG_FN XG_COLD bool xr_lanes_meet(const xlagpu_program *p, uint32_t a, uint32_t b) {
    const xg_exe_slice *x = &p->slices[a], *y = &p->slices[b];
    return x->allocation == y->allocation && x->offset < y->offset + y->bytes && y->offset < x->offset + x->bytes;
}
/* Is it known by its buffers what it conflicts with? */
XG_FN XG_COLD bool xr_lanes_known(const xlagpu_program *p, uint32_t kind) {
    if (kind == XG_EXE_THUNK_COLLECTIVE) return p->device->meets && !p->device->concurrent;
    return xr_is_command(kind) && !(xg_exe_thunk_row_of(kind)->flags & XG_EXE_CALLS);
}
XG_FN XG_COLD bool xr_lanes_conflict(const xlagpu_program *p, uint32_t a, uint32_t b) {
    const xg_exe_thunk *s = &p->thunks[a], *t = &p->thunks[b];
    uint32_t j, k;
    if (s->kind == XG_EXE_THUNK_COMMAND_BUFFER || t->kind == XG_EXE_THUNK_COMMAND_BUFFER) {
        bool first = s->kind == XG_EXE_THUNK_COMMAND_BUFFER; /* conflicts with what one of its commands does */
        const xg_exe_thunk *list = first ? s : t;
        if (p->device->concurrent || !p->device->meets) return true;
        for (k = 0; k < list->n_links; k++)
            if (xr_lanes_conflict(p, p->links[list->first_link + k], first ? b : a)) return true;
        return false;
    }
    if (!xr_lanes_known(p, s->kind) || !xr_lanes_known(p, t->kind)) return true;
    if (s->kind == XG_EXE_THUNK_COLLECTIVE && t->kind == s->kind) return true; /* all devices keep one order */
    for (j = 0; j < s->n_links; j++)
        for (k = 0; k < t->n_links; k++) {
            xr_access x = xr_lanes_access(p, s, j), y = xr_lanes_access(p, t, k);
            if ((x.written || y.written) && xr_lanes_meet(p, x.slice, y.slice)) return true;
        }
    return false;
}

/* Of the thunks at hand: the last before k, and the first behind it, that conflicts with it; UINT32_MAX and n: none. */
XG_FN XG_COLD uint32_t xr_lanes_before(const xlagpu_program *p, const uint32_t *list, uint32_t k) {
    uint32_t j;
    for (j = k; j-- > 0;)
        if (k - j > XR_LANES_WINDOW || xr_lanes_conflict(p, list[j], list[k])) return j;
    return UINT32_MAX;
}
XG_FN XG_COLD uint32_t xr_lanes_behind(const xlagpu_program *p, const uint32_t *list, uint32_t n, uint32_t k) {
    uint32_t j;
    for (j = k + 1; j < n && j - k <= XR_LANES_WINDOW && !xr_lanes_conflict(p, list[j], list[k]); j++) {}
    return j;
}

XG_FN XG_COLD uint32_t xr_lanes_event(xlagpu_program *p, uint32_t thunk) {
    if (!p->lanes[thunk].record) p->lanes[thunk].record = ++p->n_lane_events;
    return p->lanes[thunk].record;
}
/* Thunk k of the list waits for the last one on the other lane that it conflicts with. *met: how many of the list its
 * lane has waited for; gone: 1 + the last one of the other lane that is out of the window. */
XG_FN XG_COLD void xr_lanes_wait(xlagpu_program *p, const uint32_t *list, uint32_t k, uint32_t *met, uint32_t gone) {
    bool aside = p->lanes[list[k]].aside;
    uint32_t j = k;
    while (j > *met && k - j < XR_LANES_WINDOW &&
           (p->lanes[list[j - 1]].aside == aside || !xr_lanes_conflict(p, list[j - 1], list[k])))
        j--;
    if (k - j == XR_LANES_WINDOW) j = gone;
    if (j <= *met) return;
    p->lanes[list[k]].wait = xr_lanes_event(p, list[j - 1]);
    *met = j;
}
XG_FN XG_COLD void xr_lanes_copies(xlagpu_program *p, const uint32_t *list, uint32_t n) {
    uint32_t k;
    for (k = 0; k < n; k++) {
        const xg_exe_thunk *c = &p->thunks[list[k]];
        uint32_t before;
        if (c->kind != XG_EXE_THUNK_COPY || !p->slices[p->links[c->first_link]].bytes) continue;
        before = xr_lanes_before(p, list, k);
        /* else before and behind are its neighbours: nothing to run beside */
        p->lanes[list[k]].aside = xr_lanes_behind(p, list, n, k) - before > 2;
    }
}
/* All of a sequence or none: collectives keep their order on one stream. */
XG_FN XG_COLD void xr_lanes_collectives(xlagpu_program *p, const uint32_t *list, uint32_t n) {
    bool any = false;
    uint32_t k;
    for (k = 0; k < n && !any; k++)
        any = p->thunks[list[k]].kind == XG_EXE_THUNK_COLLECTIVE &&
              xr_lanes_behind(p, list, n, k) - xr_lanes_before(p, list, k) > 2;
    for (k = 0; k < n && any; k++)
        if (p->thunks[list[k]].kind == XG_EXE_THUNK_COLLECTIVE) p->lanes[list[k]].aside = true;
}
/* ends: 1 + the last step of each lane. */
XG_FN XG_COLD void xr_lanes_chains(xlagpu_program *p, const uint32_t *list, uint32_t n) {
    uint32_t ends[2] = {0, 0}, k;
    for (k = 0; k < n; k++) {
        uint32_t before = xr_lanes_before(p, list, k) + 1;
        bool aside =
            xr_lanes_known(p, p->thunks[list[k]].kind) && (before && before == ends[0]      ? false
                                                              : before && before == ends[1] ? true
                                                                                            : ends[1] < ends[0]);
        p->lanes[list[k]].aside = aside;
        ends[aside] = k + 1;
        /* whatever comes waits for it: the caller's stream goes on */
        if (!xr_lanes_known(p, p->thunks[list[k]].kind)) ends[1] = k + 1;
    }
}
XG_APART XG_FN XG_COLD void xr_lanes_sequence(xlagpu_program *p, uint32_t number) {
    const xg_exe_thunk *t = &p->thunks[number];
    const uint32_t *list = p->links + t->first_link;
    uint32_t n = t->n_links, met[2] = {0, 0}, gone[2] = {0, 0}, k;
    if (p->device->concurrent) xr_lanes_chains(p, list, n);
    if (p->device->copy_stream && !p->device->concurrent) xr_lanes_copies(p, list, n);
    if (p->device->meets && !p->device->concurrent) xr_lanes_collectives(p, list, n);
    for (k = 0; k < n && !p->lanes[number].forks; k++)
        if (p->lanes[list[k]].aside) p->lanes[number].forks = ++p->n_lane_events;
    for (k = 0; k < n && p->lanes[number].forks; k++) {
        bool aside = p->lanes[list[k]].aside;
        if (k >= XR_LANES_WINDOW) gone[p->lanes[list[k - XR_LANES_WINDOW]].aside] = k - XR_LANES_WINDOW + 1;
        xr_lanes_wait(p, list, k, &met[aside], gone[!aside]);
    }
}

XG_FN XG_COLD void xr_lanes_load(xlagpu_program *p) {
    uint32_t k;
    for (k = 0; k < p->n_thunks; k++)
        if (xr_is_list(p->thunks[k].kind)) xr_lanes_sequence(p, k);
}

/* ---- of an execution ---- */

XG_FN size_t xr_lanes_bytes(const xlagpu_program *p) { return (size_t)p->n_lane_events * sizeof(void *); }
XG_FN XG_COLD xlagpu_status xr_lanes_prepare(xlagpu_execution *e) {
    const xr_platform *q = e->program->device->platform;
    uint32_t k;
    xlagpu_status s = e->program->n_lane_events ? q->stream_new(e, &e->aside) : XLAGPU_OK;
    for (k = 0; k < e->program->n_lane_events && s == XLAGPU_OK; k++) s = q->event_new(e, false, &e->lane_events[k]);
    return s;
}
XG_FN XG_COLD void xr_lanes_finish(xlagpu_execution *e) {
    const xr_platform *q = e->program->device->platform;
    uint32_t k;
    for (k = 0; k < e->program->n_lane_events; k++)
        if (e->lane_events[k]) q->event_free(e, e->lane_events[k]);
    if (e->aside) q->stream_free(e, e->aside);
}

XG_FN bool xr_lanes_has(const xlagpu_execution *e, uint32_t number) {
    return e->aside && !e->profile.on && e->program->lanes[number].forks;
}

/* `to` waits for what `from` holds now. */
XG_FN xlagpu_status xr_lanes_meet_at(xlagpu_execution *e, uint32_t event, void *from, void *to) {
    const xr_platform *q = e->program->device->platform;
    xlagpu_status s = q->event_record(e, e->lane_events[event - 1], from);
    return s == XLAGPU_OK ? q->stream_follow(e, to, e->lane_events[event - 1]) : s;
}
XG_FN xlagpu_status xr_run_lanes(xlagpu_execution *e, uint32_t number, void *stream) {
    const xlagpu_program *p = e->program;
    const xr_platform *q = p->device->platform;
    const xg_exe_thunk *t = &p->thunks[number];
    const uint32_t *list = p->links + t->first_link;
    xlagpu_status s = xr_lanes_meet_at(e, p->lanes[number].forks, stream, e->aside), met;
    uint32_t k;
    for (k = 0; k < t->n_links && s == XLAGPU_OK; k++) {
        const xr_lane *l = &p->lanes[list[k]];
        void *on = l->aside ? e->aside : stream;
        if (l->wait) s = q->stream_follow(e, on, e->lane_events[l->wait - 1]);
        if (s == XLAGPU_OK) s = xr_run_thunk(e, list[k], on);
        if (s == XLAGPU_OK && l->record) s = q->event_record(e, e->lane_events[l->record - 1], on);
    }
    met = xr_lanes_meet_at(e, p->lanes[number].forks, e->aside, stream);
    return s == XLAGPU_OK ? met : s;
}

#endif /* XG_RT_LANES_C */
