/* rt/host.c -- the platform "host": kernels run on the PTX simulator, blocks spread over threads.
 *
 * Device memory is host memory, 256-byte aligned and known to the simulator, which refuses every access outside it; so
 * do copies and fills. Worker memory is measured when an execution is prepared, for the largest of its kernels. Each
 * worker takes one range of a launch's blocks. */
#ifndef XG_RT_HOST_C
#define XG_RT_HOST_C
#include "rt.h"
#include "once.c"

#ifdef XLAGPU_NO_SIMULATOR
XG_FN const xr_platform *xr_host_platform(void) { return NULL; }
#else

enum {
    XR_HOST_CC = 90 /* the compute capability that the simulator stands for, as "sm_90a" */
};
typedef struct xr_host {
    xg_sim_memory memory;
    xg_sim_kept *faults; /* of the last launch of PTX */
    uint32_t n_faults;
} xr_host;

XG_FN xr_host *xr_host_of(xlagpu_device *d) { return (xr_host *)d->state; }

XG_FN void xr_host_close(xlagpu_device *d) {
    xg_sim_memory_free(&xr_host_of(d)->memory);
    xg_mem_free(&d->c, xr_host_of(d)->faults);
    xg_mem_free(&d->c, d->state);
}
XG_FN xlagpu_status xr_host_open(xlagpu_device *d, const xlagpu_device_desc *desc) {
    xr_host *h = (xr_host *)xg_mem_alloc(&d->c, sizeof *h);
    if (!h) return xr_no_memory(&d->c);
    memset(h, 0, sizeof *h);
    xg_sim_memory_init(&h->memory, &d->c);
    d->state = h;
    d->threads = desc && desc->threads ? desc->threads : xr_processors();
    d->approximations = desc ? XG_MIN(desc->approximations, (uint32_t)XG_SIM_APPROX_COUNT - 1) : 0;
    if (!xg_sim_threads_ok()) d->threads = 1;
    xg_format(d->name, sizeof d->name, "PTX simulator, %u threads", d->threads);
    if (!desc || !desc->part || !xg_device_of_part(xg_str_z(desc->part), &d->figures))
        (void)xg_device_of_cc(XR_HOST_CC, &d->figures);
    xg_format(d->target, sizeof d->target, "sm_%u%s", d->figures.cc, d->figures.cc >= XR_HOST_CC ? "a" : "");
    if (desc && desc->part && strcmp(desc->part, d->figures.part) != 0) {
        char known[XG_DEVICE_LIST_MAX];
        xr_host_close(d);
        xg_device_part_list(known, sizeof known);
        return xr_fail(&d->c, XLAGPU_ERROR_USAGE, "no device is called '%.40s'; known are %s", desc->part, known);
    }
    return XLAGPU_OK;
}

XG_FN xlagpu_status xr_host_alloc(xlagpu_device *d, size_t bytes, bool host, xr_block *out) {
    enum {
        ALIGN = 256
    };
    xg_sim_buffer b;
    xlagpu_status s;
    (void)host; /* all memory is */
    out->memory = bytes <= SIZE_MAX - ALIGN ? xg_mem_alloc(&d->c, bytes + ALIGN) : NULL;
    if (!out->memory) return xr_fail(&d->c, XLAGPU_ERROR_MEMORY, "out of memory: %zu bytes for a buffer", bytes);
    out->address = ((uint64_t)(uintptr_t)out->memory + ALIGN - 1) / ALIGN * ALIGN;
    out->bytes = bytes;
    memset(&b, 0, sizeof b);
    b.base = out->address;
    b.bytes = bytes;
    b.name = "buffer";
    s = xg_sim_memory_add(&xr_host_of(d)->memory, &b);
    if (s != XLAGPU_OK) {
        xg_mem_free(&d->c, out->memory);
        return xr_fail(&d->c, s, "out of memory: the table of buffers");
    }
    return XLAGPU_OK;
}
XG_FN void xr_host_release(xlagpu_device *d, const xr_block *b) {
    xg_sim_memory_remove(&xr_host_of(d)->memory, b->address);
    xg_mem_free(&d->c, b->memory);
}

/* Memory of this device, or a failure: an address that comes from elsewhere must not be followed. */
XG_FN xlagpu_status xr_host_owns(xg_ctx *c, xlagpu_device *d, uint64_t address, size_t bytes) {
    const xg_sim_buffer *b = xg_sim_memory_find(&xr_host_of(d)->memory, address);
    if (b && bytes <= b->bytes - (address - b->base)) return XLAGPU_OK;
    return xr_fail(c, XLAGPU_ERROR_USAGE, "%zu bytes at 0x%llx are not in a buffer of this device", bytes,
        (unsigned long long)address);
}
XG_FN void *xr_host_pointer(uint64_t address) { return (void *)(uintptr_t)address; }
XG_FN xlagpu_status xr_host_upload(xlagpu_device *d, uint64_t to, const void *from, size_t bytes) {
    xlagpu_status s = xr_host_owns(&d->c, d, to, bytes);
    if (s != XLAGPU_OK) return s;
    memcpy(xr_host_pointer(to), from, bytes);
    xg_sim_memory_written(&xr_host_of(d)->memory, to, bytes, 0);
    return s;
}
XG_FN xlagpu_status xr_host_download(xlagpu_device *d, void *to, uint64_t from, size_t bytes) {
    xlagpu_status s = xr_host_owns(&d->c, d, from, bytes);
    if (s == XLAGPU_OK) memcpy(to, xr_host_pointer(from), bytes);
    return s;
}
/* Read alone. One that two operands name is lent once. */
XG_FN xlagpu_status xr_host_lend(xlagpu_device *d, uint64_t address, size_t bytes, bool on) {
    xg_sim_memory *m = &xr_host_of(d)->memory;
    xg_sim_buffer b;
    xlagpu_status s;
    if (!on) {
        (void)xg_sim_memory_remove(m, address);
        return XLAGPU_OK;
    }
    if (xg_sim_memory_find(m, address)) return XLAGPU_OK;
    memset(&b, 0, sizeof b);
    b.base = address;
    b.bytes = bytes;
    b.name = "memory of another device";
    b.readonly = true;
    s = xg_sim_memory_add(m, &b);
    if (s == XLAGPU_OK) xg_sim_memory_written(m, address, bytes, 0);
    return s;
}
/* Each device has an address of its own for all members. */
XG_FN XG_COLD bool xr_host_cast(xr_cast *c) {
    uint32_t k;
    for (k = 0; k < c->n; k++) {
        xr_cast_part *p = &c->parts[k];
        if (xr_alloc(p->device, (size_t)c->bytes, &p->address) != XLAGPU_OK ||
            xr_alloc(p->device, (size_t)c->bytes, &p->all) != XLAGPU_OK)
            return false;
        c->members[k] = p->address;
        xg_sim_memory_members(&xr_host_of(p->device)->memory, p->all, c->members, c->n);
        xg_sim_memory_written(&xr_host_of(p->device)->memory, p->all, c->bytes, 0); /* it has no past of its own */
    }
    return true;
}
XG_FN XG_COLD void xr_host_uncast(xr_cast *c) {
    uint32_t k;
    for (k = 0; k < c->n; k++) {
        xr_release(c->parts[k].device, c->parts[k].all);
        xr_release(c->parts[k].device, c->parts[k].address);
    }
}
/* ---- kernels ---- */

XG_FN xg_sim_module *xr_host_parse(xlagpu_device *d, xg_arena *a, const xg_source *ptx) {
    jmp_buf here, *outer;
    xg_sim_module *m;
    if (setjmp(here)) {
        d->c.guard = NULL;
        return NULL;
    }
    outer = xg_try(&d->c, &here);
    m = xg_sim_load_as(&d->c, a, ptx, xg_sim_unit_best(), (xg_sim_approx)d->approximations);
    xg_end(&d->c, outer);
    return m;
}

XG_FN xlagpu_status xr_host_load(xlagpu_program *p) {
    xg_sim_module *m = xr_host_parse(p->device, &p->arena, &p->ptx);
    uint32_t k;
    if (!m) return p->device->c.status;
    p->module = m;
    for (k = 0; k < p->n_kernels; k++) {
        const xg_sim_entry *e = xg_sim_find(m, xg_str_z(p->kernels[k].name));
        if (!e)
            return xr_fail(
                &p->device->c, XLAGPU_ERROR_CORRUPT, "the executable's PTX has no kernel '%s'", p->kernels[k].name);
        p->kernels[k].handle = e;
        p->kernels[k].n_params = xg_sim_entry_info(e)->n_params;
        if (p->kernels[k].n_params < p->kernels[k].n_maps ||
            xg_sim_entry_info(e)->param_bytes != xr_param_bytes(&p->kernels[k]))
            return xr_fail(&p->device->c, XLAGPU_ERROR_CORRUPT, "kernel '%s' takes other parameters than buffers",
                p->kernels[k].name);
    }
    return XLAGPU_OK;
}
XG_FN void xr_host_unload(xlagpu_program *p) { (void)p; } /* lives in the program's arena */

typedef struct xr_host_run {
    uint64_t blocks, share;      /* a worker takes so many at a time */
    const xlagpu_device *device; /* whose progress is told */
    const char *name;
    uint32_t n;
    const uint32_t *faults; /* not NULL: they are kept with the device */
    xg_sim_launch launch;
    xlagpu_status status[XR_WORKERS_MAX];
    xg_sim_worker *workers[XR_WORKERS_MAX];
} xr_host_run;

XG_FN void xr_host_describe(const xlagpu_program *p, uint32_t k, xg_sim_launch *l) {
    const xr_kernel *q = &p->kernels[k];
    memset(l, 0, sizeof *l);
    l->module = (const xg_sim_module *)p->module;
    l->entry = (const xg_sim_entry *)q->handle;
    memcpy(l->grid, q->blocks, sizeof l->grid);
    memcpy(l->block, q->threads, sizeof l->block);
    l->dynamic_shared = q->shared_bytes;
    l->memory = &xr_host_of(p->device)->memory;
    l->param_bytes = xr_param_bytes(q);
}

XG_FN uint32_t xr_host_workers(const xlagpu_device *d) { return XG_MIN(d->threads, (uint32_t)XR_WORKERS_MAX); }

/* Memory for all workers of `each` bytes. */
XG_FN xlagpu_status xr_host_worker_memory(xlagpu_device *d, size_t each, void **out) {
    uint32_t n = xr_host_workers(d);
    *out = NULL;
    if (each > SIZE_MAX / n) return xr_fail(&d->c, XLAGPU_ERROR_LIMIT, "the simulator's memory overflows");
    *out = xg_mem_alloc(&d->c, each * n);
    return *out ? XLAGPU_OK
                : xr_fail(&d->c, XLAGPU_ERROR_MEMORY, "out of memory: %zu bytes for the simulator", each * n);
}

/* For the largest kernel. */
XG_FN xlagpu_status xr_host_prepare(xlagpu_execution *e) {
    xlagpu_device *d = e->program->device;
    size_t most = 0;
    uint32_t k;
    for (k = 0; k < e->program->n_kernels; k++) {
        xg_sim_launch l;
        xlagpu_status s;
        xr_host_describe(e->program, k, &l);
        l.params = e->args;
        s = xg_sim_prepare(&d->c, &l);
        if (s != XLAGPU_OK) return s;
        most = XG_MAX(most, xg_sim_worker_bytes(&l));
    }
    return most ? xr_host_worker_memory(d, most, &e->state) : XLAGPU_OK;
}
XG_FN void xr_host_finish(xlagpu_execution *e) { xg_mem_free(&e->program->device->c, e->state); }

/* ---- the way of a launch ---- */

XG_FN xlagpu_status xr_host_copy(xlagpu_execution *e, uint64_t to, uint64_t from, size_t bytes, void *stream) {
    xlagpu_status s = xr_host_owns(&e->c, e->program->device, to, bytes);
    (void)stream;
    if (s == XLAGPU_OK) s = xr_host_owns(&e->c, e->program->device, from, bytes);
    if (s != XLAGPU_OK) return s;
    memmove(xr_host_pointer(to), xr_host_pointer(from), bytes);
    xg_sim_memory_written(&xr_host_of(e->program->device)->memory, to, bytes, from);
    return s;
}
XG_FN xlagpu_status xr_host_read(xlagpu_execution *e, void *to, uint64_t from, size_t bytes, void *stream) {
    xlagpu_status s = xr_host_owns(&e->c, e->program->device, from, bytes);
    (void)stream;
    if (s == XLAGPU_OK) memcpy(to, xr_host_pointer(from), bytes);
    return s;
}
XG_FN xlagpu_status xr_host_fill(xlagpu_execution *e, uint64_t to, uint32_t pattern, size_t bytes, void *stream) {
    xlagpu_status s = xr_host_owns(&e->c, e->program->device, to, bytes);
    (void)stream;
    if (s != XLAGPU_OK) return s;
    xr_once_fill(xr_host_pointer(to), pattern, bytes);
    xg_sim_memory_written(&xr_host_of(e->program->device)->memory, to, bytes, 0);
    return XLAGPU_OK;
}

XG_FN xlagpu_status xr_host_touch(xlagpu_execution *e, uint64_t address, size_t bytes, bool written) {
    xlagpu_device *d = e->program->device;
    if (written) xg_sim_memory_written(&xr_host_of(d)->memory, address, bytes, 0);
    return written ? XLAGPU_OK : xr_host_owns(&e->c, d, address, bytes);
}

/* The last worker runs on the caller's thread and tells how far all are. */
XG_FN void xr_host_job(void *user, uint32_t index) {
    xr_host_run *r = (xr_host_run *)user;
    uint64_t first;
    r->status[index] = XLAGPU_OK;
    while (r->status[index] == XLAGPU_OK && (first = xg_sim_next_blocks(&r->launch, r->share)) < r->blocks) {
        r->status[index] = xg_sim_run(r->workers[index], first, XG_MIN(first + r->share, r->blocks));
        if (index + 1 == r->n && r->device->progress)
            r->device->progress(r->device->progress_user, r->name, first, r->blocks);
    }
}

XG_FN void xr_host_count(xlagpu_kernel_stats *to, const xg_sim_stats *s) {
    uint32_t i;
#define X(name) to->name += s->name;
    XLAGPU_COUNTERS(X)
#undef X
    for (i = 0; i < XLAGPU_CLASS_COUNT; i++) {
        to->class_warps[i] += s->class_warps[i];
        to->class_lanes[i] += s->class_lanes[i];
    }
}

/* A worker's faults that no other one has found. */
XG_FN void xr_host_collect(xr_host_run *r, uint32_t worker) {
    xr_host *h = (xr_host *)r->device->state;
    const xg_sim_kept *f;
    uint32_t i, k;
    for (i = 0; (f = xg_sim_fault_at(r->workers[worker], i)) != NULL; i++) {
        for (k = 0; k < h->n_faults && (h->faults[k].at != f->at || h->faults[k].kind != f->kind); k++) {}
        if (k == h->n_faults && k < XG_MAX(r->launch.max_faults, 1u)) h->faults[h->n_faults++] = *f;
    }
}
XG_FN void xr_host_predict(xr_host_run *r, const xg_sim_stats *sum, xlagpu_kernel_stats *stats) {
    xg_cost_counts counts;
    xg_cost_prediction p;
    xg_sim_trace_counts(r->launch.trace, &r->launch, sum, &counts);
    xg_cost_grow(&counts, r->device->predict_scale, r->device->predict_memory_scale);
    p = xg_cost_predict(&r->device->figures, &counts);
    stats->predicted_ns += (uint64_t)p.picoseconds / 1000;
    stats->limit = (uint32_t)p.limit;
    stats->peak_permille = (uint32_t)p.permille;
    xg_sim_trace_free(r->launch.trace);
    r->launch.trace = NULL;
}

/* The line of a place in the text. */
XG_APART XG_FN uint32_t xr_host_line_of(const char *text, uint32_t at) {
    uint32_t line = 1;
    while (at) line += text[--at] == '\n';
    return line;
}
/* What the launch's instructions did, one after the other; gives the memory back. */
XG_APART XG_FN void xr_host_lines(xg_ctx *c, xr_host_run *r, const char *kernel) {
    const xg_sim_module *m = r->launch.module;
    const char *text = m->src->text;
    const uint64_t *ran = r->launch.ran;
    uint32_t i, at = 0;
    xlagpu_rt_line l;
    memset(&l, 0, sizeof l);
    l.kernel = kernel;
    l.line = 1;
    for (i = 0; i < m->n_code; i++, ran += 2) {
        const xg_sim_ins *in = &m->code[i];
        if (!ran[0]) continue;
        l.line = in->at < at ? xr_host_line_of(text, in->at) : l.line + xr_host_line_of(text + at, in->at - at) - 1;
        at = in->at;
        l.text = text + at;
        for (l.length = 0; at + l.length < m->src->size && l.text[l.length] != '\n'; l.length++) {}
        l.target = in->kind == XG_SIM_K_BRA && !in->op ? xr_host_line_of(text, m->code[in->imm].at) : 0;
        l.class_index = m->classes[i];
        l.warps = ran[0];
        l.lanes = ran[1];
        r->device->line(r->device->line_user, &l);
    }
    xg_mem_free(c, r->launch.ran);
    r->launch.ran = NULL;
}

/* Runs a prepared launch, messages to c; memory has room for `most` workers of xg_sim_worker_bytes each. */
XG_FN xlagpu_status xr_host_go(xg_ctx *c, xr_host_run *r, char *memory, uint32_t most, xlagpu_kernel_stats *stats) {
    size_t each = xg_sim_worker_bytes(&r->launch);
    xg_sim_stats sum;
    uint32_t n, k;
    xlagpu_status s = XLAGPU_OK;
    memset(&sum, 0, sizeof sum);
    r->blocks = (uint64_t)r->launch.grid[0] * XG_MAX(r->launch.grid[1], 1u) * XG_MAX(r->launch.grid[2], 1u);
    if (r->launch.module->prints && r->device->print) {
        r->launch.print = r->device->print;
        r->launch.print_user = r->device->print_user;
        most = 1; /* text in the order of the blocks */
    }
    n = (uint32_t)XG_MIN((uint64_t)most,
        r->blocks < 64 && r->blocks * r->launch.warps < 64 ? 1 : r->blocks); /* little work is not worth a thread */
    r->n = n;
    r->share = XG_MAX(r->blocks / ((uint64_t)n * 32), 1u);
    if (r->device->line && stats) {
        size_t bytes = 2 * (size_t)r->launch.module->n_code * sizeof *r->launch.ran;
        r->launch.ran = (uint64_t *)xg_mem_alloc(c, bytes);
        if (!r->launch.ran) return xr_fail(c, XLAGPU_ERROR_MEMORY, "out of memory: counts by line");
        memset(r->launch.ran, 0, bytes);
    }
    if (r->device->predict && stats) r->launch.trace = xg_sim_trace_new(c, &r->launch, &r->device->figures, n);
    xg_sim_begin(&r->launch);
    for (k = 0; k < n; k++) r->workers[k] = xg_sim_worker_init(memory + k * each, &r->launch);
    xr_parallel(n, xr_host_job, r);
    if (r->device->progress) r->device->progress(r->device->progress_user, r->name, r->blocks, r->blocks);
    xg_sim_end(&r->launch);
    for (k = 0; k < n; k++) {
        if (r->faults) xr_host_collect(r, k);
        if (stats) xg_sim_stats_add(&sum, xg_sim_worker_stats(r->workers[k]));
        if (r->status[k] != XLAGPU_OK && s == XLAGPU_OK) {
            char text[XG_MESSAGE_MAX - 128];
            xg_sim_fault_text(r->workers[k], text, sizeof text);
            s = xr_fail(c, r->status[k], "%s", text);
        }
    }
    if (stats) xr_host_count(stats, &sum);
    if (r->launch.trace) xr_host_predict(r, &sum, stats);
    if (r->launch.ran) xr_host_lines(c, r, stats->name);
    return s;
}

XG_FN xlagpu_status xr_host_launch(xlagpu_execution *e, uint32_t kernel, void *stream) {
    xr_host_run r;
    xlagpu_status s;
    (void)stream;
    memset(&r, 0, sizeof r);
    xr_host_describe(e->program, kernel, &r.launch);
    r.launch.params = e->args;
    s = xg_sim_prepare(&e->c, &r.launch);
    if (s != XLAGPU_OK) return s;
    e->stats[kernel].launches++;
    r.device = e->program->device;
    r.name = e->program->kernels[kernel].name;
    return xr_host_go(&e->c, &r, (char *)e->state, xr_host_workers(e->program->device), &e->stats[kernel]);
}

/* ---- any PTX ---- */

XG_FN void *xr_host_load_ptx(xlagpu_device *d, xg_arena *a, const xg_source *ptx) { return xr_host_parse(d, a, ptx); }
/* There is no such kernel: which there are, and which is meant perhaps. */
XG_FN xlagpu_status xr_host_no_kernel(xg_ctx *c, const char *file, const xg_sim_module *m, const char *entry) {
    char names[XG_MESSAGE_MAX / 2];
    xg_sim_kernel_names(m, names, sizeof names);
    if (!names[0]) return xr_fail(c, XLAGPU_ERROR_USAGE, "%s has no kernels", file);
    if (!entry) return xr_fail(c, XLAGPU_ERROR_USAGE, "%s has several kernels, name one: %s", file, names);
    return xr_fail(c, XLAGPU_ERROR_USAGE, "%s has no kernel '%s'; it has %s", file, entry, names);
}
enum {
    XR_HOST_FAULTS = 1000
};
XG_FN xlagpu_status xr_host_fault_memory(xlagpu_device *d, uint32_t n) {
    xr_host *h = xr_host_of(d);
    xg_mem_free(&d->c, h->faults);
    h->n_faults = 0;
    h->faults = (xg_sim_kept *)xg_mem_alloc(&d->c, n * sizeof *h->faults);
    return h->faults ? XLAGPU_OK : xr_fail(&d->c, XLAGPU_ERROR_MEMORY, "out of memory: %u faults", n);
}
XG_FN xlagpu_status xr_host_launch_ptx(
    xlagpu_device *d, const xg_source *ptx, void *loaded, const xlagpu_ptx_launch *l, xlagpu_kernel_stats *stats) {
    xr_host_run r;
    xlagpu_status s;
    void *memory = NULL;
    const xg_sim_module *m = (const xg_sim_module *)loaded;
    memset(&r, 0, sizeof r);
    r.launch.module = m;
    r.launch.entry = l->entry                 ? xg_sim_find_plain(m, xg_str_z(l->entry))
                     : xg_sim_entries(m) == 1 ? xg_sim_entry_at(m, 0)
                                              : NULL;
    if (!r.launch.entry) return xr_host_no_kernel(&d->c, ptx->name, m, l->entry);
    memcpy(r.launch.grid, l->grid, sizeof r.launch.grid);
    memcpy(r.launch.block, l->block, sizeof r.launch.block);
    memcpy(r.launch.cluster, l->cluster, sizeof r.launch.cluster);
    r.launch.dynamic_shared = l->shared_bytes;
    r.launch.registers = l->registers;
    r.launch.memory = &xr_host_of(d)->memory;
    r.launch.params = l->parameters;
    r.launch.param_bytes = l->parameter_bytes;
    r.launch.fuel = l->instructions;
    r.launch.seed = l->seed;
    r.launch.max_faults = XG_MIN(l->max_faults, (uint32_t)XR_HOST_FAULTS);
    r.faults = &xr_host_of(d)->n_faults;
    s = xg_sim_prepare(&d->c, &r.launch);
    if (s == XLAGPU_OK) s = xr_host_fault_memory(d, XG_MAX(r.launch.max_faults, 1u));
    if (s == XLAGPU_OK) s = xr_host_worker_memory(d, xg_sim_worker_bytes(&r.launch), &memory);
    if (s == XLAGPU_OK) {
        if (stats) {
            stats->name = l->entry ? l->entry : "kernel";
            stats->launches = 1;
        }
        r.device = d;
        r.name = l->entry ? l->entry : ptx->name;
        s = xr_host_go(&d->c, &r, (char *)memory, l->seed ? 1 : xr_host_workers(d), stats);
    }
    xg_mem_free(&d->c, memory);
    return s;
}

XG_FN xlagpu_status xr_host_encode_map(xlagpu_device *d, const xlagpu_tensor_map *m, void *out) {
    xg_sim_tensormap t;
    const char *wrong = NULL;
    uint32_t k;
    memset(&t, 0, sizeof t);
    t.base = m->address;
    t.type = (uint8_t)XG_MIN(m->data_type, 255u);
    t.rank = (uint8_t)m->rank;
    t.swizzle = (uint8_t)XG_MIN(m->swizzle, 255u);
    t.promotion = (uint8_t)XG_MIN(m->l2_promotion, 255u);
    t.fill = (uint8_t)XG_MIN(m->fill, 255u);
    for (k = 0; k < m->rank && !wrong; k++) {
        if (!m->dims[k] || m->dims[k] > (uint64_t)1 << 32) wrong = "a dimension has 1 to 2^32 elements";
        t.dim[k] = (uint32_t)(m->dims[k] - 1);
        t.box[k] = (uint16_t)XG_MIN(m->box[k], 0xFFFFu);
        t.step[k] = (uint8_t)XG_MIN(m->steps[k], 255u);
        if (k + 1 < m->rank) t.stride[k] = m->strides[k];
    }
    if (!wrong) wrong = xg_sim_tensormap_encode(&t, out);
    return wrong ? xr_fail(&d->c, XLAGPU_ERROR_USAGE, "%s", wrong) : XLAGPU_OK;
}

XG_FN const xr_platform *xr_host_platform(void) {
    static const xr_platform host = {"host", xr_host_open, xr_host_close, xr_host_alloc, xr_host_release,
        xr_host_upload, xr_host_download, xr_once_wait, xr_once_settle, xr_host_load, xr_host_unload, xr_host_prepare,
        xr_host_finish, xr_once_enter, xr_once_leave, xr_host_copy, xr_host_fill, xr_host_read, xr_host_launch,
        xr_once_build, xr_once_update, xr_once_replay, xr_once_forget, xr_once_event_new, xr_once_event_free,
        xr_once_event_record, xr_once_event_wait, xr_once_event_done, xr_once_event_seconds, NULL, NULL, NULL, NULL,
        NULL, NULL, xr_host_lend, xr_host_cast, xr_host_uncast, xr_host_load_ptx, xr_host_launch_ptx,
        xr_host_encode_map, xr_host_touch};
    return &host;
}
#endif /* XLAGPU_NO_SIMULATOR */

#endif /* XG_RT_HOST_C */
