/* rt/once.c -- what platforms share on which a call has run when it returns: order, command buffers, events. */
#ifndef XG_RT_ONCE_C
#define XG_RT_ONCE_C
#include "rt.h"

#ifdef XR_ONCE

XG_FN void xr_once_fill(void *to, uint32_t pattern, size_t bytes) {
    char *p = (char *)to;
    size_t k;
    for (k = 0; k + 4 <= bytes; k += 4) memcpy(p + k, &pattern, 4);
    memcpy(p + k, &pattern, bytes - k);
}
XG_FN xlagpu_status xr_once_wait(xlagpu_device *d, void *stream) {
    (void)d;
    (void)stream;
    return XLAGPU_OK;
}
XG_FN void xr_once_settle(xlagpu_device *d) { (void)d; }
XG_FN xlagpu_status xr_once_enter(xlagpu_execution *e) {
    (void)e;
    return XLAGPU_OK;
}
XG_FN void xr_once_leave(xlagpu_execution *e) { (void)e; }

/* ---- command buffers: the records themselves, replayed ---- */

XG_APART XG_FN xlagpu_status xr_once_replay_thunk(
    xlagpu_execution *e, const xr_command_buffer *b, const xr_record *r, uint32_t number) {
    const xlagpu_program *p = e->program;
    const xr_platform *f = p->device->platform;
    const xg_exe_thunk *t = &p->thunks[number];
    const xr_command *c = &b->commands[p->command_of[number]];
    const uint64_t *words = r->words + c->first;
    uint32_t slice = p->links[t->first_link];
    xlagpu_status s = XLAGPU_OK;
    if (xg_exe_thunk_row_of(t->kind)->flags & XG_EXE_CAPTURED) return xr_run_step(e, t, NULL);
    switch (t->kind) {
    case XG_EXE_THUNK_KERNEL:
        memcpy(e->args, words, (size_t)t->n_links * 8);
        s = xr_finish_args(e, t->kernel);
        if (s == XLAGPU_OK) s = f->launch(e, t->kernel, NULL);
        break;
    case XG_EXE_THUNK_COPY:
        if (p->slices[slice].bytes) s = f->copy(e, words[1], words[0], (size_t)p->slices[slice].bytes, NULL);
        break;
    case XG_EXE_THUNK_MEMSET:
        if (p->slices[slice].bytes) s = f->fill(e, words[0], t->value, (size_t)p->slices[slice].bytes, NULL);
        break;
    default: s = f->fill(e, words[0], (uint32_t)words[1], 4, NULL); break;
    }
    if (s != XLAGPU_OK)
        xr_note(&e->c, "\nwhile running HLO %s%s%s%s", p->strings + t->name,
            t->kind == XG_EXE_THUNK_KERNEL ? " (kernel " : "",
            t->kind == XG_EXE_THUNK_KERNEL ? p->kernels[t->kernel].name : "",
            t->kind == XG_EXE_THUNK_KERNEL ? ")" : "");
    return s;
}
XG_FN xlagpu_status xr_once_replay_below(
    xlagpu_execution *e, const xr_command_buffer *b, const xr_record *r, uint32_t number) {
    const xg_exe_thunk *t = &e->program->thunks[number];
    uint32_t n, k, slice = t->n_links ? e->program->links[t->first_link] : 0;
    const uint32_t *children = xr_children(e->program, t, &n);
    int32_t which = 1;
    xlagpu_status s = XLAGPU_OK;
    if (number != b->thunk && !xr_is_control(t->kind)) return xr_once_replay_thunk(e, b, r, number);
    if (t->kind == XG_EXE_THUNK_CONDITIONAL) {
        s = xr_read_decision(e, slice, NULL, &which);
        return s == XLAGPU_OK ? xr_once_replay_below(e, b, r, children[xr_branch(e, slice, which, n)]) : s;
    }
    if (t->kind == XG_EXE_THUNK_WHILE)
        for (;;) {
            s = xr_once_replay_below(e, b, r, children[0]);
            if (s == XLAGPU_OK) s = xr_read_decision(e, slice, NULL, &which);
            if (s != XLAGPU_OK || !which) return s;
            s = xr_once_replay_below(e, b, r, children[1]);
            if (s != XLAGPU_OK) return s;
        }
    for (k = 0; k < n && s == XLAGPU_OK; k++) s = xr_once_replay_below(e, b, r, children[k]);
    return s;
}
XG_FN xlagpu_status xr_once_build(xlagpu_execution *e, const xr_command_buffer *b, xr_record *r) {
    (void)e;
    (void)b;
    r->built = true;
    r->builds++;
    return XLAGPU_OK;
}
XG_FN xlagpu_status xr_once_update(xlagpu_execution *e, const xr_command_buffer *b, xr_record *r, uint32_t command) {
    (void)e;
    (void)b;
    (void)command;
    r->updates++;
    return XLAGPU_OK;
}
XG_FN xlagpu_status xr_once_replay(xlagpu_execution *e, const xr_command_buffer *b, xr_record *r, void *stream) {
    (void)stream;
    return xr_once_replay_below(e, b, r, b->thunk);
}
XG_FN void xr_once_forget(xlagpu_execution *e, xr_record *r) {
    (void)e;
    r->built = false;
}

/* ---- events: what is enqueued has run when the call returns, so an event is a time ---- */

XG_FN xlagpu_status xr_once_event_new(xlagpu_execution *e, bool timed, void **event) {
    double *t = timed ? (double *)xg_mem_alloc(&e->program->device->c, sizeof *t) : NULL;
    if (timed && !t) return xr_no_memory(&e->c);
    *event = t;
    return XLAGPU_OK;
}
XG_FN void xr_once_event_free(xlagpu_execution *e, void *event) { xg_mem_free(&e->program->device->c, event); }
XG_FN xlagpu_status xr_once_event_record(xlagpu_execution *e, void *event, void *stream) {
    (void)e;
    (void)stream;
    *(double *)event = xr_seconds();
    return XLAGPU_OK;
}
XG_FN xlagpu_status xr_once_event_wait(xlagpu_execution *e, void *event) {
    (void)e;
    (void)event;
    return XLAGPU_OK;
}
XG_FN xlagpu_status xr_once_event_done(xlagpu_execution *e, void *event, bool *done) {
    (void)e;
    (void)event;
    *done = true;
    return XLAGPU_OK;
}
XG_FN xlagpu_status xr_once_event_seconds(xlagpu_execution *e, void *before, void *after, double *seconds) {
    (void)e;
    *seconds = *(double *)after - *(double *)before;
    return XLAGPU_OK;
}

#endif /* XR_ONCE */
#endif /* XG_RT_ONCE_C */
