/* rt/calls.c -- the functions that a program calls: what each is given, from xlagpu_rt_prepare to xlagpu_rt_finish.
 *
 * A run allocates nothing: what a function needs beside its buffers it asks for when the execution is prepared. */
#ifndef XG_RT_CALLS_C
#define XG_RT_CALLS_C
#include "rt.h"
#include "device.c"

enum {
    XR_CALL_ERROR_MAX = 512 /* characters of a function's message */
};

/* The addresses are those of now. */
XG_FN void xr_call_of(xlagpu_execution *e, const xg_exe_thunk *t, xlagpu_rt_call *c, char *error) {
    const xlagpu_program *p = e->program;
    const uint32_t *links = p->links + t->first_link;
    const xr_call_state *state = &e->calls[t - p->thunks];
    uint32_t k;
    memset(c, 0, sizeof *c);
    c->target = p->calls[t - p->thunks]->name;
    c->config = p->strings + t->value;
    c->hlo = p->strings + t->name;
    c->buffers = e->buffers;
    c->arrays = p->arrays + t->first_value;
    c->attributes = p->attributes + t->first_attribute;
    c->n_attributes = t->n_attributes;
    c->device = p->device;
    c->scratch = state->scratch;
    c->state = state->state;
    c->error = error;
    c->error_bytes = XR_CALL_ERROR_MAX;
    error[0] = 0;
    for (k = 0; k < t->n_links; k++) {
        e->buffers[k].address = xr_address(e, links[k] & ~XG_EXE_WRITTEN);
        e->buffers[k].bytes = c->arrays[k].bytes;
        if (xg_exe_writes(t->kind, links[k], k, t->n_links))
            c->n_results++;
        else
            c->n_operands++;
    }
}
XG_FN xlagpu_status xr_call_failed(xg_ctx *c, const xlagpu_rt_call *call, xlagpu_status s) {
    if (s == XLAGPU_OK) return s;
    call->error[XR_CALL_ERROR_MAX - 1] = 0;
    return xr_fail(
        c, s, "the function '%s' failed: %s", call->target, call->error[0] ? call->error : xg_status_text(s));
}

/* ---- before the first run ---- */

/* Device memory of the program and of what its calls work in. */
XG_FN XG_COLD uint64_t xr_call_bytes(const xlagpu_execution *e) {
    const xlagpu_program *p = e->program;
    uint64_t bytes = p->head.temp_bytes;
    uint32_t k;
    for (k = 0; k < p->n_allocations; k++)
        if (!xg_exe_is_temporary(p->allocations[k].kind)) bytes += p->allocations[k].bytes;
    for (k = 0; k < p->n_thunks; k++) bytes += e->calls[k].scratch.bytes;
    return bytes;
}
/* It was compiled for a limit, of which what libraries ask for only now is a part. */
XG_FN XG_COLD xlagpu_status xr_call_limit(xlagpu_execution *e, const xlagpu_rt_call *c) {
    const xlagpu_rt_attribute *a = xlagpu_rt_attribute_of(c, XG_EXE_LIMIT, XLAGPU_ATTRIBUTE_SCALAR, XLAGPU_S64);
    uint64_t limit = a ? *(const uint64_t *)a->data : 0, used = a ? xr_call_bytes(e) : 0;
    if (!a || (used <= limit && c->scratch.bytes <= limit - used)) return XLAGPU_OK;
    return xr_fail(&e->program->device->c, XLAGPU_ERROR_LIMIT,
        "the function '%s' works in %zu bytes of device memory: beside %llu more, the limit is %llu; compile with "
        "--libraries=none or a larger --memory-limit",
        c->target, c->scratch.bytes, (unsigned long long)used, (unsigned long long)limit);
}

XG_FN XG_COLD xlagpu_status xr_call_prepare(xlagpu_execution *e, const xg_exe_thunk *t) {
    xlagpu_device *d = e->program->device;
    const xr_function *f = e->program->calls[t - e->program->thunks];
    xr_call_state *state = &e->calls[t - e->program->thunks];
    char error[XR_CALL_ERROR_MAX];
    xlagpu_rt_call c;
    xlagpu_status s = XLAGPU_OK;
    uint32_t k;
    if (!f->desc.prepare) return s;
    xr_call_of(e, t, &c, error);
    for (k = 0; k < t->n_links; k++) e->buffers[k].address = 0;
    s = d->platform->enter(e);
    if (s == XLAGPU_OK) {
        s = f->desc.prepare(f->desc.user, &c);
        d->platform->leave(e);
        state->prepared = s == XLAGPU_OK;
        state->state = c.state;
        s = xr_call_failed(&d->c, &c, s);
    } else
        xr_fail(&d->c, s, "%s", e->c.message);
    if (s == XLAGPU_OK && c.scratch.bytes) s = xr_call_limit(e, &c);
    if (s == XLAGPU_OK && c.scratch.bytes) s = xr_alloc(d, c.scratch.bytes, &state->scratch.address);
    state->scratch.bytes = c.scratch.bytes;
    if (s != XLAGPU_OK) xr_note(&d->c, "\nwhile preparing HLO %s", c.hlo);
    return s;
}
XG_FN xlagpu_status xr_calls_prepare(xlagpu_execution *e) {
    const xlagpu_program *p = e->program;
    xlagpu_status s = XLAGPU_OK;
    uint32_t k;
    for (k = 0; p->has_calls && k < p->n_thunks && s == XLAGPU_OK; k++)
        if (p->calls[k]) s = xr_call_prepare(e, &p->thunks[k]);
    return s;
}
XG_FN void xr_calls_finish(xlagpu_execution *e) {
    const xlagpu_program *p = e->program;
    char error[XR_CALL_ERROR_MAX];
    xlagpu_rt_call c;
    uint32_t k;
    for (k = p->has_calls ? p->n_thunks : 0; k-- > 0;) {
        const xr_function *f = p->calls[k];
        if (!f || !e->calls[k].prepared) continue;
        xr_call_of(e, &p->thunks[k], &c, error);
        if (f->desc.finish) f->desc.finish(f->desc.user, &c);
        xr_release(p->device, e->calls[k].scratch.address);
    }
}

/* ---- a run ---- */

/* What it may reach, and what it has written. */
XG_FN xlagpu_status xr_call_touch(xlagpu_execution *e, const xlagpu_rt_call *c, bool written) {
    const xr_platform *q = e->program->device->platform;
    xlagpu_status s = XLAGPU_OK;
    uint32_t k;
    for (k = written ? c->n_operands : 0; q->touch && s == XLAGPU_OK && k < c->n_operands + c->n_results; k++)
        if (c->buffers[k].bytes) s = q->touch(e, c->buffers[k].address, c->buffers[k].bytes, written);
    return s;
}
XG_FN xlagpu_status xr_run_call(xlagpu_execution *e, const xg_exe_thunk *t, void *stream) {
    const xr_function *f = e->program->calls[t - e->program->thunks];
    char error[XR_CALL_ERROR_MAX];
    xlagpu_rt_call c;
    xlagpu_status s;
    xr_call_of(e, t, &c, error);
    c.stream = stream;
    s = xr_call_touch(e, &c, false);
    if (s != XLAGPU_OK) return s;
    s = xr_call_failed(&e->c, &c, f->desc.call(f->desc.user, &c));
    return s == XLAGPU_OK ? xr_call_touch(e, &c, true) : s;
}

XLAGPU_DEF const xlagpu_rt_attribute *xlagpu_rt_attribute_of(
    const xlagpu_rt_call *call, const char *name, xlagpu_attribute_kind kind, xlagpu_type type) {
    uint32_t k;
    for (k = 0; call && name && k < call->n_attributes; k++) {
        const xlagpu_rt_attribute *a = &call->attributes[k];
        if (a->kind == kind && (type == XLAGPU_INVALID || a->type == type) && !strcmp(a->name, name)) return a;
    }
    return NULL;
}

#endif /* XG_RT_CALLS_C */
