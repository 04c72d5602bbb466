/* rt/execute.c -- running a program: the thunk tree, and the easy way with host arrays. */
#ifndef XG_RT_EXECUTE_C
#define XG_RT_EXECUTE_C
#include "rt.h"
#include "calls.c"
#include "profile.c"
#include "program.c"

/* ---- executions ---- */

/* An execution is one block from the allocator: its head, then these parts. */
enum {
    XR_PART_BASE,
    XR_PART_BOUND,
    XR_PART_EXTENTS,
    XR_PART_ARGS,
    XR_PART_STATS,
    XR_PART_BUFFERS,
    XR_PART_CALLS,
    XR_PART_RECORDS,
    XR_PART_LANES,
    XR_PART_MET,
    XR_PART_POINTERS,
    XR_PART_MAPS,
    XR_PART_COUNT
};
/* Sets the bytes of each part, multiples of 8; gives their sum. */
XG_FN uint64_t xr_execution_parts(const xlagpu_program *p, uint64_t bytes[XR_PART_COUNT]) {
    uint64_t values = (uint64_t)p->head.n_params + p->head.n_results, all = 0;
    uint32_t k;
    bytes[XR_PART_BASE] = (uint64_t)p->n_allocations * 8;
    bytes[XR_PART_BOUND] = values * 8;
    bytes[XR_PART_EXTENTS] = values * sizeof(xr_extent);
    bytes[XR_PART_ARGS] =
        (uint64_t)p->most_links * 8 + 2 * XR_MAP_ALIGN + (p->n_maps ? (uint64_t)XR_KERNEL_MAPS_MAX : 0) * XR_MAP_BYTES;
    bytes[XR_PART_MAPS] = (uint64_t)p->n_maps * sizeof(xr_map);
    bytes[XR_PART_STATS] = (uint64_t)p->n_kernels * sizeof(xlagpu_kernel_stats);
    bytes[XR_PART_BUFFERS] = (uint64_t)p->most_links * sizeof(xlagpu_buffer);
    bytes[XR_PART_CALLS] = p->has_calls ? (uint64_t)p->n_thunks * sizeof(xr_call_state) : 0;
    bytes[XR_PART_RECORDS] = xr_commands_bytes(p);
    bytes[XR_PART_LANES] = xr_lanes_bytes(p);
    bytes[XR_PART_MET] = xr_met_bytes(p);
    bytes[XR_PART_POINTERS] = ((uint64_t)p->most_links + XR_KERNEL_MAPS_MAX) * sizeof(void *) + 8;
    for (k = 0; k < XR_PART_COUNT; k++) {
        bytes[k] = (bytes[k] + 7) / 8 * 8;
        all += bytes[k];
    }
    return all;
}
XG_FN xlagpu_execution *xr_execution_new(xlagpu_program *p) {
    uint64_t bytes[XR_PART_COUNT], head = (sizeof(xlagpu_execution) + 15) / 16 * 16,
                                   all = head + xr_execution_parts(p, bytes);
    char *m = all > SIZE_MAX / 2 ? NULL : (char *)xg_mem_alloc(&p->device->c, (size_t)all);
    xlagpu_execution *e = (xlagpu_execution *)(void *)m;
    void *part[XR_PART_COUNT];
    uint32_t k;
    if (!m) return NULL;
    memset(m, 0, (size_t)all);
    m += head;
    for (k = 0; k < XR_PART_COUNT; k++) {
        part[k] = m;
        m += (size_t)bytes[k];
    }
    e->c.mem = p->device->c.mem;
    e->program = p;
    e->base = (uint64_t *)part[XR_PART_BASE];
    e->bound = (uint64_t *)part[XR_PART_BOUND];
    e->extents = (xr_extent *)part[XR_PART_EXTENTS];
    e->args = (uint64_t *)part[XR_PART_ARGS];
    e->args += (XR_MAP_ALIGN - (uintptr_t)e->args % XR_MAP_ALIGN) % XR_MAP_ALIGN / 8;
    e->maps = (xr_map *)part[XR_PART_MAPS];
    e->stats = (xlagpu_kernel_stats *)part[XR_PART_STATS];
    e->buffers = (xlagpu_buffer *)part[XR_PART_BUFFERS];
    e->calls = (xr_call_state *)part[XR_PART_CALLS];
    xr_commands_place(e, (char *)part[XR_PART_RECORDS]);
    e->lane_events = (void **)part[XR_PART_LANES];
    e->met = (void **)part[XR_PART_MET];
    e->arg_pointers = (void **)part[XR_PART_POINTERS];
    for (k = 0; k < p->n_kernels; k++) e->stats[k].name = p->kernels[k].name;
    return e;
}

/* Zeroes the counters: kernels leave them at zero, but a failed run may not. Waits if no stream is given, since other
 * streams do not wait for the default one. */
XG_FN xlagpu_status xr_clear_counters(xlagpu_execution *e, void *stream) {
    const xlagpu_program *p = e->program;
    const xr_platform *q = p->device->platform;
    xlagpu_status s = XLAGPU_OK;
    uint32_t k;
    for (k = 0; k < p->n_allocations && s == XLAGPU_OK; k++) {
        if (p->allocations[k].kind != XG_EXE_ALLOC_COUNTERS) continue;
        s = q->fill(e, e->base[k], 0, (size_t)p->allocations[k].bytes, stream);
        if (s == XLAGPU_OK && !stream) s = q->wait(p->device, NULL);
    }
    e->spoiled = s != XLAGPU_OK;
    return s;
}
/* Prepares counters, the event that marks the end of a run, and what a second stream needs. */
XG_FN xlagpu_status xr_prepare_event(xlagpu_execution *e) {
    const xr_platform *q = e->program->device->platform;
    xlagpu_status s = q->enter(e);
    if (s == XLAGPU_OK) {
        s = xr_clear_counters(e, NULL);
        if (s == XLAGPU_OK) s = q->event_new(e, false, &e->ended);
        if (s == XLAGPU_OK) s = xr_lanes_prepare(e);
        if (s == XLAGPU_OK) s = xr_met_prepare(e);
        q->leave(e);
    }
    return s == XLAGPU_OK ? s : xr_fail(&e->program->device->c, s, "%s", e->c.message);
}

XG_ONE_COPY XG_FN void xr_random_reset(xlagpu_execution *e) {
    e->random[0] = XG_EXE_RANDOM_FIRST;
    e->random[1] = 0;
}

XLAGPU_DEF XG_COLD xlagpu_execution *xlagpu_rt_prepare(xlagpu_program *p) {
    xlagpu_execution *e;
    xlagpu_device *d;
    xlagpu_status s = XLAGPU_OK;
    uint32_t k;
    if (!p) return NULL;
    d = p->device;
    xr_begin(&d->c);
    e = xr_execution_new(p);
    if (!e) {
        xr_no_memory(&d->c);
        return NULL;
    }
    e->next = p->executions;
    if (e->next) e->next->prev = e;
    p->executions = e;
    if (p->head.temp_bytes) s = xr_alloc(d, (size_t)p->head.temp_bytes, &e->temp);
    if (s == XLAGPU_OK && p->head.host_bytes) s = xr_alloc_in(d, (size_t)p->head.host_bytes, true, &e->host);
    for (k = 0; k < p->n_allocations; k++) {
        if (p->allocations[k].kind == XG_EXE_ALLOC_CONSTANT) e->base[k] = p->constants[k];
        if (xg_exe_is_temporary(p->allocations[k].kind))
            e->base[k] = (p->allocations[k].host ? e->host : e->temp) + p->allocations[k].offset;
    }
    e->version = 1;
    e->replica = p->rank / p->head.partitions;
    e->partition = p->rank % p->head.partitions;
    xr_random_reset(e);
    if (s == XLAGPU_OK) s = d->platform->prepare(e);
    if (s == XLAGPU_OK) s = xr_prepare_event(e);
    if (s == XLAGPU_OK) s = xr_calls_prepare(e);
    if (s != XLAGPU_OK) {
        xlagpu_rt_finish(e);
        return NULL;
    }
    return e;
}

XG_FN void xr_stats_add(xlagpu_kernel_stats *to, const xlagpu_kernel_stats *s) {
    uint32_t i;
    to->name = s->name;
    to->launches += s->launches;
#define X(name) to->name += s->name;
    XLAGPU_COUNTERS(X)
#undef X
    for (i = 0; i < XLAGPU_CLASS_COUNT; i++) {
        to->class_warps[i] += s->class_warps[i];
        to->class_lanes[i] += s->class_lanes[i];
    }
    to->predicted_ns += s->predicted_ns;
    if (!s->predicted_ns) return;
    to->limit = s->limit;
    to->peak_permille = s->peak_permille;
}

XG_FN xlagpu_status xr_wait_ended(xlagpu_execution *e) {
    const xlagpu_clique *q = e->program->clique;
    return q && q->nccl ? xr_nccl_wait(e) : e->program->device->platform->event_wait(e, e->ended);
}
XLAGPU_DEF XG_COLD void xlagpu_rt_finish(xlagpu_execution *e) {
    xlagpu_program *p;
    bool entered;
    uint32_t k;
    if (!e) return;
    p = e->program;
    entered = p->device->platform->enter(e) == XLAGPU_OK;
    if (entered) {
        /* a run in progress still uses what is released here */
        if (e->running) (void)xr_wait_ended(e);
        xr_commands_finish(e);
        xr_profile_end(e);
        if (e->ended) p->device->platform->event_free(e, e->ended);
        xr_lanes_finish(e);
        xr_met_finish(e);
    }
    xr_calls_finish(e);
    if (entered) p->device->platform->leave(e);
    xg_mem_free(&p->device->c, e->profile.events);
    p->device->platform->finish(e);
    xr_easy_finish(e);
    xr_release(p->device, e->host);
    xr_release(p->device, e->temp);
    for (k = 0; k < p->n_kernels; k++) xr_stats_add(&p->finished[k], &e->stats[k]);
    if (e->prev)
        e->prev->next = e->next;
    else
        p->executions = e->next;
    if (e->next) e->next->prev = e->prev;
    xg_mem_free(&p->device->c, e);
}

XLAGPU_DEF const char *xlagpu_class_name(uint32_t class_index) {
    XG_TABLE const char names[] =
#define X(name, text) text "\0"
        XLAGPU_CLASSES(X)
#undef X
        ;
    return xg_text_nth(names, class_index);
}
XLAGPU_DEF uint32_t xlagpu_rt_stats(const xlagpu_program *p, xlagpu_kernel_stats *out, uint32_t capacity) {
    const xlagpu_execution *e;
    uint32_t k;
    if (!p) return 0;
    for (k = 0; out && k < p->n_kernels && k < capacity; k++) {
        out[k] = p->finished[k];
        out[k].name = p->kernels[k].name;
        for (e = p->executions; e; e = e->next) xr_stats_add(&out[k], &e->stats[k]);
    }
    return p->n_kernels;
}

/* ---- one run ---- */

XG_FN uint64_t xr_address(const xlagpu_execution *e, uint32_t slice) {
    const xg_exe_slice *s = &e->program->slices[slice];
    return e->base[s->allocation] + s->offset;
}

XG_FN uint32_t xr_param_bytes(const xr_kernel *k) {
    uint32_t bytes = 8 * (k->n_params - k->n_maps);
    if (k->n_maps) bytes = (bytes + XR_MAP_ALIGN - 1) / XR_MAP_ALIGN * XR_MAP_ALIGN;
    return bytes + k->n_maps * XR_MAP_BYTES;
}
/* Encodes a tensor map again when its array's address has changed since the last launch. */
XG_FN xlagpu_status xr_encode_map(xlagpu_execution *e, const xg_exe_map *m, xr_map *own) {
    xlagpu_tensor_map t;
    uint32_t k;
    xlagpu_status s;
    memset(&t, 0, sizeof t);
    t.address = e->args[m->link];
    if (own->address == t.address) return XLAGPU_OK;
    memcpy(t.dims, m->dims, sizeof t.dims);
    memcpy(t.strides, m->strides, sizeof t.strides);
    memcpy(t.box, m->box, sizeof t.box);
    t.data_type = m->type;
    t.rank = m->rank;
    t.swizzle = m->swizzle;
    t.l2_promotion = XR_MAP_PROMOTION;
    for (k = 0; k < XG_COUNT(t.steps); k++) t.steps[k] = 1;
    own->address = 0;
    s = e->program->device->platform->encode_map(e->program->device, &t, own->words);
    if (s == XLAGPU_OK)
        own->address = t.address;
    else
        (void)xr_fail(&e->c, s, "%s", e->program->device->c.message);
    return s;
}
XG_FN xlagpu_status xr_finish_args(xlagpu_execution *e, uint32_t kernel) {
    const xr_kernel *q = &e->program->kernels[kernel];
    uint32_t k, n = q->n_params - q->n_maps, at = (xr_param_bytes(q) - q->n_maps * XR_MAP_BYTES) / 8;
    xlagpu_status s = XLAGPU_OK;
    for (k = 0; k < n; k++) e->arg_pointers[k] = &e->args[k];
    for (k = 0; k < q->n_maps && s == XLAGPU_OK; k++, at += XR_MAP_BYTES / 8) {
        xr_map *own = &e->maps[q->first_map + k];
        s = xr_encode_map(e, &e->program->maps[q->first_map + k], own);
        memcpy(&e->args[at], own->words, XR_MAP_BYTES);
        e->arg_pointers[n + k] = &e->args[at];
    }
    return s;
}
XG_FN xlagpu_status xr_run_kernel(xlagpu_execution *e, const xg_exe_thunk *t, const uint32_t *links, void *stream) {
    xlagpu_status s;
    uint32_t k;
    for (k = 0; k < t->n_links; k++) e->args[k] = xr_address(e, links[k] & ~XG_EXE_WRITTEN);
    s = xr_finish_args(e, t->kernel);
    return s == XLAGPU_OK ? e->program->device->platform->launch(e, t->kernel, stream) : s;
}

/* Writes the state of the random generator; each run continues where the last one ended. */
XG_FN xlagpu_status xr_run_random_state(xlagpu_execution *e, uint64_t to, uint32_t delta, void *stream) {
    xlagpu_status s = XLAGPU_OK;
    uint32_t k;
    for (k = 0; k < 4 && s == XLAGPU_OK; k++)
        s = e->program->device->platform->fill(e, to + 4 * k, (uint32_t)(e->random[k / 2] >> (k % 2 * 32)), 4, stream);
    e->random[0] += delta;
    if (e->random[0] < delta) e->random[1]++;
    return s;
}

XG_FN uint32_t xr_own_number(const xlagpu_execution *e, const xg_exe_thunk *t) {
    return t->kind == XG_EXE_THUNK_REPLICA_ID ? e->replica : e->partition;
}

/* Runs one step that has no children; a failure names it. */
XG_FN xlagpu_status xr_run_step(xlagpu_execution *e, const xg_exe_thunk *t, void *stream) {
    const xlagpu_program *p = e->program;
    const xr_platform *q = p->device->platform;
    const uint32_t *links = p->links + t->first_link;
    xlagpu_status s = XLAGPU_OK;
    switch (t->kind) {
    case XG_EXE_THUNK_KERNEL: s = xr_run_kernel(e, t, links, stream); break;
    case XG_EXE_THUNK_COPY:
        if (p->slices[links[0]].bytes)
            s = q->copy(e, xr_address(e, links[1]), xr_address(e, links[0]), (size_t)p->slices[links[0]].bytes, stream);
        break;
    case XG_EXE_THUNK_MEMSET:
        if (p->slices[links[0]].bytes)
            s = q->fill(e, xr_address(e, links[0]), t->value, (size_t)p->slices[links[0]].bytes, stream);
        break;
    case XG_EXE_THUNK_REPLICA_ID:
    case XG_EXE_THUNK_PARTITION_ID: s = q->fill(e, xr_address(e, links[0]), xr_own_number(e, t), 4, stream); break;
    case XG_EXE_THUNK_COLLECTIVE: s = xr_run_collective(e, t, stream); break;
    case XG_EXE_THUNK_RANDOM_STATE: s = xr_run_random_state(e, xr_address(e, links[0]), t->value, stream); break;
    default: s = xr_run_call(e, t, stream); break;
    }
    if (s != XLAGPU_OK && t->kind == XG_EXE_THUNK_KERNEL)
        xr_note(&e->c, "\nwhile running HLO %s (kernel %s)", p->strings + t->name, p->kernels[t->kernel].name);
    else if (s != XLAGPU_OK)
        xr_note(&e->c, "\nwhile running HLO %s", p->strings + t->name);
    return s;
}

/* Reads a decision from the device: waits for the stream. A pred gives 1 or 0. */
XG_FN xlagpu_status xr_read_decision(xlagpu_execution *e, uint32_t slice, void *stream, int32_t *out) {
    size_t bytes = (size_t)e->program->slices[slice].bytes;
    unsigned char raw[4] = {0, 0, 0, 0};
    xlagpu_status s = xr_met_has(e->program) ? xr_nccl_pause(e, stream) : XLAGPU_OK;
    if (s == XLAGPU_OK) s = e->program->device->platform->read(e, raw, xr_address(e, slice), bytes, stream);
    memcpy(out, raw, 4);
    if (bytes == 1) *out = raw[0] != 0;
    return s;
}

XG_FN xlagpu_status xr_run_while(xlagpu_execution *e, const uint32_t *links, void *stream) {
    int32_t more = 1;
    xlagpu_status s;
    for (;;) {
        s = xr_run_thunk(e, links[1], stream);
        if (s == XLAGPU_OK) s = xr_read_decision(e, links[0], stream, &more);
        if (s != XLAGPU_OK || !more) return s;
        s = xr_run_thunk(e, links[2], stream);
        if (s != XLAGPU_OK) return s;
    }
}

/* A pred chooses branch 0 when true and 1 when false; an index outside the branches the last one. */
XG_FN uint32_t xr_branch(const xlagpu_execution *e, uint32_t slice, int32_t which, uint32_t branches) {
    if (e->program->slices[slice].bytes == 1) which = !which;
    return which < 0 || (uint32_t)which >= branches ? branches - 1 : (uint32_t)which;
}
XG_FN xlagpu_status xr_run_conditional(xlagpu_execution *e, const uint32_t *links, uint32_t branches, void *stream) {
    int32_t which = 0;
    xlagpu_status s = xr_read_decision(e, links[0], stream, &which);
    return s == XLAGPU_OK ? xr_run_thunk(e, links[1 + xr_branch(e, links[0], which, branches)], stream) : s;
}

/* Recursion is bounded: the loader has checked that thunks are a tree of at most XR_NESTING_MAX levels. */
XG_FN xlagpu_status xr_run_thunk(xlagpu_execution *e, uint32_t number, void *stream) {
    const xg_exe_thunk *t = &e->program->thunks[number];
    const uint32_t *links = e->program->links + t->first_link;
    xlagpu_status s = XLAGPU_OK;
    uint32_t k;
    if (t->kind == XG_EXE_THUNK_WHILE) return xr_run_while(e, links, stream);
    if (t->kind == XG_EXE_THUNK_CONDITIONAL) return xr_run_conditional(e, links, t->n_links - 1, stream);
    if (t->kind == XG_EXE_THUNK_FOR) {
        for (k = 0; k < t->value && s == XLAGPU_OK; k++) s = xr_run_thunk(e, links[0], stream);
        return s;
    }
    /* a command buffer has branches of its own for what is concurrent; with a copy stream alone, a list that has copies
     * for it runs step by step */
    if (t->kind == XG_EXE_THUNK_COMMAND_BUFFER &&
        (e->program->device->concurrent || !e->program->device->copy_stream || !xr_lanes_has(e, number))) {
        bool done;
        s = xr_run_commands(e, number, stream, &done);
        if (done || s != XLAGPU_OK) return s;
    }
    if (xr_lanes_has(e, number)) return xr_run_lanes(e, number, stream);
    if (!xr_is_list(t->kind)) return e->profile.on ? xr_profile_step(e, t, stream) : xr_run_step(e, t, stream);
    for (k = 0; k < t->n_links && s == XLAGPU_OK; k++) s = xr_run_thunk(e, links[k], stream);
    return s;
}

XG_FN void xr_bind_base(xlagpu_execution *e, uint32_t allocation, uint64_t address) {
    e->version += e->base[allocation] != address;
    e->base[allocation] = address;
}
XG_FN xlagpu_status xr_bind(xlagpu_execution *e, const xlagpu_buffer *given, bool results) {
    const xlagpu_program *p = e->program;
    uint32_t n = results ? p->head.n_results : p->head.n_params, first = results ? p->head.n_params : 0, k;
    const char *what = results ? "result" : "parameter";
    if (!given && n) return xr_fail(&e->c, XLAGPU_ERROR_USAGE, "no buffers are given for the %u %ss", n, what);
    for (k = 0; k < n; k++) {
        const xg_exe_value *v = &p->values[first + k];
        if (given[k].bytes < v->bytes)
            return xr_fail(&e->c, XLAGPU_ERROR_USAGE, "the buffer of %s %u has %zu bytes; it needs %zu", what, k,
                given[k].bytes, (size_t)v->bytes);
        if (v->bytes && !given[k].address)
            return xr_fail(&e->c, XLAGPU_ERROR_USAGE, "the buffer of %s %u has no address", what, k);
        if (v->bytes && given[k].address % 16)
            return xr_fail(&e->c, XLAGPU_ERROR_USAGE, "the buffer of %s %u is not 16-byte aligned", what, k);
        if (!v->alias) xr_bind_base(e, v->allocation, given[k].address);
        if (e->bound[first + k] != given[k].address) e->bound_checked = false;
        e->bound[first + k] = given[k].address;
    }
    return XLAGPU_OK;
}
/* Binds parameters and results; checks for overlaps only if an address has changed. */
XG_FN xlagpu_status xr_bind_all(xlagpu_execution *e, const xlagpu_buffer *parameters, const xlagpu_buffer *results) {
    xlagpu_status s = xr_bind(e, parameters, false);
    if (s == XLAGPU_OK) s = xr_bind(e, results, true);
    if (s == XLAGPU_OK && !e->bound_checked) s = xr_overlap_check(e);
    e->bound_checked = s == XLAGPU_OK;
    return s;
}

/* Results that alias a parameter: either the caller passes one buffer for both, which donates the parameter, or the
 * parameter is copied into the result's buffer first. */
XG_FN xlagpu_status xr_bind_shared(xlagpu_execution *e, const xlagpu_buffer *results, void *stream) {
    const xlagpu_program *p = e->program;
    uint32_t k;
    xlagpu_status s = XLAGPU_OK;
    for (k = 0; k < p->head.n_results && s == XLAGPU_OK; k++) {
        const xg_exe_value *v = &p->values[p->head.n_params + k];
        uint64_t from = e->base[v->allocation];
        if (!v->alias || from == results[k].address || !v->bytes) continue;
        if (v->alias & XG_EXE_MUST_ALIAS)
            return xr_fail(&e->c, XLAGPU_ERROR_USAGE,
                "result %u must have the buffer of parameter %u: the module says that the two share their memory", k,
                (v->alias & ~XG_EXE_MUST_ALIAS) - 1);
        s = p->device->platform->copy(e, results[k].address, from, (size_t)v->bytes, stream);
        xr_bind_base(e, v->allocation, results[k].address);
    }
    return s;
}

XLAGPU_DEF xlagpu_status xlagpu_rt_execute(
    xlagpu_execution *e, const xlagpu_buffer *parameters, const xlagpu_buffer *results, void *stream) {
    const xr_platform *q;
    xlagpu_status s, recorded;
    if (!e) return XLAGPU_ERROR_USAGE;
    xr_begin(&e->c);
    q = e->program->device->platform;
    s = xr_bind_all(e, parameters, results);
    if (s == XLAGPU_OK) s = q->enter(e);
    if (s != XLAGPU_OK) return s;
    s = xr_clique_enter(e);
    if (s != XLAGPU_OK) {
        q->leave(e);
        return s;
    }
    e->running = true;
    xr_range(e->program->device, e->program->strings + e->program->head.name);
    if (e->spoiled) s = xr_clear_counters(e, stream);
    if (s == XLAGPU_OK) s = xr_bind_shared(e, results, stream);
    if (s == XLAGPU_OK) s = xr_run_thunk(e, e->program->head.root_thunk, stream);
    /* after a failure, too: earlier steps are still running */
    recorded = e->ended ? q->event_record(e, e->ended, stream) : XLAGPU_OK;
    if (s == XLAGPU_OK) s = recorded;
    e->spoiled |= s != XLAGPU_OK;
    xr_range(e->program->device, NULL);
    q->leave(e);
    if (e->program->clique && !e->program->clique->together)
        xr_clique_leave(e->program->clique, e->program->rank, s, e->c.message);
    return s;
}
XLAGPU_DEF void xlagpu_rt_set_ids(xlagpu_execution *e, uint32_t replica, uint32_t partition) {
    if (!e) return;
    e->version += e->replica != replica || e->partition != partition;
    e->replica = replica;
    e->partition = partition;
}

/* ---- waiting for one execution ---- */

XLAGPU_DEF xlagpu_status xlagpu_rt_execution_wait(xlagpu_execution *e) {
    xlagpu_status s;
    if (!e) return XLAGPU_ERROR_USAGE;
    xr_begin(&e->c);
    s = e->program->device->platform->enter(e);
    if (s != XLAGPU_OK) return s;
    s = xr_wait_ended(e);
    e->running = e->running && s != XLAGPU_OK;
    e->program->device->platform->leave(e);
    return s;
}
XLAGPU_DEF xlagpu_status xlagpu_rt_execution_done(xlagpu_execution *e, bool *done) {
    xlagpu_status s;
    if (done) *done = false;
    if (!e || !done) return XLAGPU_ERROR_USAGE;
    xr_begin(&e->c);
    s = e->program->device->platform->enter(e);
    if (s != XLAGPU_OK) return s;
    s = e->program->device->platform->event_done(e, e->ended, done);
    e->program->device->platform->leave(e);
    return s;
}
XLAGPU_DEF const char *xlagpu_rt_execution_error(const xlagpu_execution *e) {
    return e ? e->c.message : "there is no execution";
}
XLAGPU_DEF const char *xlagpu_rt_execution_note(const xlagpu_execution *e) { return e ? e->note : ""; }

#endif /* XG_RT_EXECUTE_C */
