/* rt/profile.c -- how long each thunk takes.
 *
 * While an execution is profiled its thunks run one by one, without command buffers, each between two points of time:
 * events on "cuda", the clock on "host". What happened is a list of events of bounded length; sums are made from it by
 * whoever reads it. */
#ifndef XG_RT_PROFILE_C
#define XG_RT_PROFILE_C
#include "rt.h"
#include "device.c"

XG_FN xlagpu_status xr_run_step(xlagpu_execution *e, const xg_exe_thunk *t, void *stream);

/* A range begins; with NULL the last one ends. */
XG_FN XG_COLD void xr_range(xlagpu_device *d, const char *name) {
    if (d->range)
        d->range(d->range_user, name);
    else if (d->platform->range)
        d->platform->range(d, name);
}

XG_FN XG_COLD void xr_profile_end(xlagpu_execution *e) {
    const xr_platform *q = e->program->device->platform;
    if (e->profile.before) q->event_free(e, e->profile.before);
    if (e->profile.after) q->event_free(e, e->profile.after);
    xg_mem_free(&e->program->device->c, e->profile.events);
    memset(&e->profile, 0, sizeof e->profile);
}

XLAGPU_DEF XG_COLD xlagpu_status xlagpu_rt_profile(xlagpu_execution *e, uint32_t capacity) {
    xlagpu_device *d;
    xlagpu_status s;
    if (!e) return XLAGPU_ERROR_USAGE;
    d = e->program->device;
    xr_begin(&e->c);
    s = d->platform->enter(e);
    if (s != XLAGPU_OK) return s;
    xr_profile_end(e);
    if (capacity) {
        e->profile.events = (uint64_t)capacity * sizeof *e->profile.events > SIZE_MAX / 2
                                ? NULL
                                : (xlagpu_rt_event *)xg_mem_alloc(&d->c, (size_t)capacity * sizeof *e->profile.events);
        if (!e->profile.events)
            s = xr_fail(&e->c, XLAGPU_ERROR_MEMORY, "out of memory: a profile of %u events", capacity);
        if (s == XLAGPU_OK) s = d->platform->event_new(e, true, &e->profile.before);
        if (s == XLAGPU_OK) s = d->platform->event_new(e, true, &e->profile.after);
        e->profile.capacity = capacity;
        e->profile.on = s == XLAGPU_OK;
        e->profile.begin = xr_seconds();
        if (s != XLAGPU_OK) xr_profile_end(e);
    }
    d->platform->leave(e);
    return s;
}

/* One step, timed. On "cuda" it waits: what is measured is the device's time, not that of the launch. */
XG_FN XG_COLD xlagpu_status xr_profile_step(xlagpu_execution *e, const xg_exe_thunk *t, void *stream) {
    const xlagpu_program *p = e->program;
    const xr_platform *q = p->device->platform;
    xlagpu_kernel_stats *k = t->kind == XG_EXE_THUNK_KERNEL ? &e->stats[t->kernel] : NULL;
    uint64_t instructions = k ? k->warp_instructions : 0, predicted = k ? k->predicted_ns : 0;
    double start = xr_seconds(), took = 0;
    xlagpu_rt_event *v;
    xlagpu_status s = q->event_record(e, e->profile.before, stream);
    xr_range(p->device, p->strings + t->name);
    if (s == XLAGPU_OK) s = xr_run_step(e, t, stream);
    xr_range(p->device, NULL);
    if (s == XLAGPU_OK) s = q->event_record(e, e->profile.after, stream);
    if (s == XLAGPU_OK) s = q->event_wait(e, e->profile.after);
    if (s == XLAGPU_OK) s = q->event_seconds(e, e->profile.before, e->profile.after, &took);
    if (s != XLAGPU_OK) return s;
    if (e->profile.n == e->profile.capacity) {
        e->profile.dropped++;
        return s;
    }
    v = &e->profile.events[e->profile.n++];
    v->hlo = p->strings + t->name;
    v->kind = xg_exe_thunk_name(t->kind);
    v->kernel = k ? p->kernels[t->kernel].name : "";
    v->thunk = (uint32_t)(t - p->thunks);
    v->start = start - e->profile.begin;
    v->seconds = took;
    v->flops = t->flops;
    v->bytes = t->bytes;
    v->instructions = k ? k->warp_instructions - instructions : 0;
    v->predicted = k ? (double)(k->predicted_ns - predicted) * 1e-9 : 0;
    v->limit = k ? k->limit : 0;
    return s;
}

XLAGPU_DEF XG_COLD const xlagpu_rt_event *xlagpu_rt_profile_events(
    const xlagpu_execution *e, uint32_t *n, uint64_t *dropped) {
    if (n) *n = e ? e->profile.n : 0;
    if (dropped) *dropped = e ? e->profile.dropped : 0;
    return e ? e->profile.events : NULL;
}

#endif /* XG_RT_PROFILE_C */
