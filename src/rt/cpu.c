/* rt/cpu.c -- the platform "llvm-cpu": kernels as object code for this host's processor (llvm/cpu.c makes them), blocks
 * spread over threads.
 *
 * Device memory is host memory, aligned to 256 bytes. Threads are made with the device and sleep between launches; each
 * takes a few blocks at a time. A launch that finds them at work for another execution runs on its caller's thread. */
#ifndef XG_RT_CPU_C
#define XG_RT_CPU_C
#include "object.c"
#include "once.c"

#ifndef XR_CPU
XG_FN const xr_platform *xr_cpu_platform(void) { return NULL; }
#else

enum {
    XR_CPU_ALIGN = 256,
    XR_CPU_SCRATCH_MOST = 1 << 30,
    XR_CPU_TABLE_MOST = (1 << 19) + 8, /* bytes: 8 for each number of 16 bits, and as many behind them */
    XR_CPU_TABLE_BEHIND = 4,           /* bytes: gathers read 32 bits */
    XR_CPU_LITTLE = 8192,              /* threads of all blocks: less work is done before a thread has woken up */
    XR_CPU_THREAD_BYTES = 16, /* of a block's scratch memory, which count as a thread: it goes over all of it */
    XR_CPU_SHARES = 8         /* that each worker's part of the blocks is cut into */
};
typedef struct xr_cpu_kernel {
    xr_object_code code, fill; /* fill: of the table that it looks numbers up in, or NULL */
    uint64_t scratch, table_bytes;
    void *table;
    bool filled; /* changes with the device's lock */
} xr_cpu_kernel;
typedef struct xr_cpu_module {
    xr_objects map;
    xr_cpu_kernel *kernels;
} xr_cpu_module;
/* What the workers do; all but lock and threads change with the lock. */
typedef struct xr_cpu {
    xr_lock *lock;
    xr_thread *threads;
    uint32_t n; /* workers, the caller's thread among them */
    bool busy, ends;
    uint32_t round, at_work; /* round: grows with each launch */
    const xr_cpu_kernel *kernel;
    const uint64_t *buffers;
    char *scratch;
    size_t each;
    uint64_t next, blocks, share;
} xr_cpu;

XG_FN xr_cpu *xr_cpu_of(const xlagpu_device *d) { return (xr_cpu *)d->state; }

/* ---- workers ---- */

/* With the lock, which it leaves while blocks run. */
XG_FN void xr_cpu_work(xr_cpu *c, uint32_t index) {
    while (c->next < c->blocks) {
        uint64_t first = c->next, end = XG_MIN(first + c->share, c->blocks);
        c->next = end;
        xr_leave_lock(c->lock);
        c->kernel->code(c->buffers, c->scratch + index * c->each, (uint32_t)first, (uint32_t)end);
        xr_enter_lock(c->lock);
    }
}
XG_FN void xr_cpu_worker(void *user, uint32_t index) {
    xr_cpu *c = (xr_cpu *)user;
    uint32_t seen = 0;
    xr_enter_lock(c->lock);
    while (!c->ends) {
        if (c->round == seen) {
            xr_wait_lock(c->lock);
            continue;
        }
        seen = c->round;
        c->at_work++;
        xr_cpu_work(c, index);
        if (!--c->at_work) xr_wake(c->lock);
    }
    xr_leave_lock(c->lock);
}
XG_FN void xr_cpu_run(xr_cpu *c, const xr_cpu_kernel *k, const uint64_t *buffers, char *scratch, size_t each,
    uint64_t blocks, uint32_t threads) {
    if (c->n > 1 && blocks > 1 && blocks * threads >= XR_CPU_LITTLE) {
        xr_enter_lock(c->lock);
        if (!c->busy) {
            c->busy = true;
            c->kernel = k;
            c->buffers = buffers;
            c->scratch = scratch;
            c->each = each;
            c->next = 0;
            c->blocks = blocks;
            c->share = XG_MAX(blocks / ((uint64_t)c->n * XR_CPU_SHARES), (uint64_t)1);
            c->round++;
            xr_wake(c->lock);
            xr_cpu_work(c, c->n - 1);
            while (c->at_work) xr_wait_lock(c->lock);
            c->busy = false;
            xr_leave_lock(c->lock);
            return;
        }
        xr_leave_lock(c->lock);
    }
    k->code(buffers, scratch, 0, (uint32_t)blocks);
}

/* ---- the device ---- */

/* What this processor has of those that there are targets for; NULL: less than all of them. */
XG_FN XG_COLD const char *xr_cpu_target(void) {
#ifdef __x86_64__
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi2"))
        return NULL;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd"))
        return "x86-64-v4";
    return "x86-64-v3";
#else
    return "aarch64";
#endif
}
XG_FN XG_COLD void xr_cpu_close(xlagpu_device *d) {
    xr_cpu *c = xr_cpu_of(d);
    uint32_t k;
    xr_enter_lock(c->lock);
    c->ends = true;
    xr_wake(c->lock);
    xr_leave_lock(c->lock);
    for (k = 0; k + 1 < c->n; k++) xr_thread_join(&c->threads[k]);
    xr_lock_free(c->lock);
    xg_mem_free(&d->c, c->lock);
    xg_mem_free(&d->c, c->threads);
    xg_mem_free(&d->c, c);
}
XG_FN XG_COLD xlagpu_status xr_cpu_open(xlagpu_device *d, const xlagpu_device_desc *desc) {
    const char *target = xr_cpu_target();
    uint32_t n = XG_MIN(desc && desc->threads ? desc->threads : xr_processors(), (uint32_t)XR_WORKERS_MAX);
    xr_cpu *c;
    if (!target)
        return xr_fail(
            &d->c, XLAGPU_ERROR_NO_DEVICE, "object code is for x86-64-v3 and newer; this processor is older");
    c = (xr_cpu *)xg_mem_alloc(&d->c, sizeof *c);
    if (c) memset(c, 0, sizeof *c);
    if (c) c->lock = xr_lock_new(&d->c);
    if (c && c->lock) c->threads = (xr_thread *)xg_mem_alloc(&d->c, n * sizeof *c->threads);
    d->state = c;
    if (!c || !c->threads) {
        if (c && c->lock) xr_lock_free(c->lock);
        if (c) xg_mem_free(&d->c, c->lock);
        xg_mem_free(&d->c, c);
        return xr_no_memory(&d->c);
    }
    for (c->n = 1; c->n < n && xr_thread_begin(&c->threads[c->n - 1], xr_cpu_worker, c, c->n - 1); c->n++) {}
    d->threads = c->n;
    (void)xg_device_of_cc(strcmp(target, "x86-64-v4") == 0 ? XG_DEVICE_WIDE_CPU_CC : XG_DEVICE_CPU_CC, &d->figures);
    d->figures.sm_count = c->n;
    xg_format(d->target, sizeof d->target, "%s", target);
    xg_format(d->name, sizeof d->name, "processor of this host, %u threads", c->n);
    return XLAGPU_OK;
}

XG_FN xlagpu_status xr_cpu_alloc(xlagpu_device *d, size_t bytes, bool host, xr_block *out) {
    (void)host;
    out->memory = bytes <= SIZE_MAX - XR_CPU_ALIGN ? xg_mem_alloc(&d->c, bytes + XR_CPU_ALIGN) : NULL;
    if (!out->memory) return xr_fail(&d->c, XLAGPU_ERROR_MEMORY, "out of memory: %zu bytes for a buffer", bytes);
    out->address = ((uint64_t)(uintptr_t)out->memory + XR_CPU_ALIGN - 1) / XR_CPU_ALIGN * XR_CPU_ALIGN;
    out->bytes = bytes;
    return XLAGPU_OK;
}
XG_FN void xr_cpu_release(xlagpu_device *d, const xr_block *b) { xg_mem_free(&d->c, b->memory); }
XG_FN void *xr_cpu_pointer(uint64_t address) { return (void *)(uintptr_t)address; }
XG_FN xlagpu_status xr_cpu_upload(xlagpu_device *d, uint64_t to, const void *from, size_t bytes) {
    (void)d;
    memcpy(xr_cpu_pointer(to), from, bytes);
    return XLAGPU_OK;
}
XG_FN xlagpu_status xr_cpu_download(xlagpu_device *d, void *to, uint64_t from, size_t bytes) {
    (void)d;
    memcpy(to, xr_cpu_pointer(from), bytes);
    return XLAGPU_OK;
}

/* ---- programs ---- */

XG_FN XG_COLD xlagpu_status xr_cpu_damaged(xlagpu_program *p) { return xr_damaged(p, "its object code"); }

/* The files of all kernels; the number of their sections, 0: they are not whole. */
XG_FN XG_COLD size_t xr_cpu_files(const xlagpu_program *p, xr_object *all) {
    const xg_exe_section *s = &p->sections[XG_EXE_CUBIN];
    uint64_t at = 0;
    size_t sections = 0;
    uint32_t k;
    for (k = 0; k < p->n_kernels; k++) {
        xg_exe_object head;
        if (s->bytes - at < sizeof head) return 0;
        memcpy(&head, p->bytes + s->offset + at, sizeof head);
        at += sizeof head;
        if (memcmp(head.magic, XG_EXE_OBJECT_MAGIC, sizeof head.magic) != 0 || head.bytes > s->bytes - at) return 0;
        memset(&all[k], 0, sizeof all[k]);
        all[k].file = p->bytes + s->offset + at;
        all[k].bytes = head.bytes;
        if (!xr_object_open(&all[k])) return 0;
        p->kernels[k].n_params = head.n_params;
        sections += all[k].n;
        at = XG_MIN((at + head.bytes + XG_EXE_ALIGN - 1) / XG_EXE_ALIGN * XG_EXE_ALIGN, s->bytes);
    }
    return sections;
}
/* Where everything lies; false: it cannot. */
XG_FN XG_COLD bool xr_cpu_layout(xr_object *all, uint32_t n, xr_objects *m) {
    uint64_t code, constants = 0, page = XG_MAX(xr_page(), (size_t)XR_OBJECT_ALIGN);
    uint32_t round, k;
    for (round = 0; round < 2; round++) {
        constants = round ? m->code : 0;
        code = 0;
        for (k = 0; k < n; k++)
            if (!xr_object_place(&all[k], &code, &constants)) return false;
        m->stubs = (size_t)((code + XR_OBJECT_STUB - 1) / XR_OBJECT_STUB * XR_OBJECT_STUB);
        m->code = (size_t)((m->stubs + XR_OBJECT_FUNCTION_COUNT * XR_OBJECT_STUB + page - 1) / page * page);
    }
    m->bytes = (size_t)((constants + page - 1) / page * page);
    return true;
}
/* How large the table of a kernel is, if it has one, and the code that fills it. */
XG_FN XG_COLD bool xr_cpu_find_table(const xr_object *o, const xr_objects *map, const char *name, xr_cpu_kernel *k) {
    char symbol[512], *bytes, *fill;
    uint64_t n = 0;
    xg_format(symbol, sizeof symbol, "%s.table", name);
    bytes = xr_object_find(o, map, symbol, false, sizeof n);
    if (!bytes) return true;
    memcpy(&n, bytes, sizeof n);
    xg_format(symbol, sizeof symbol, "%s.fill", name);
    fill = xr_object_find(o, map, symbol, true, 1);
    if (!fill || !n || n > XR_CPU_TABLE_MOST || k->scratch < sizeof k->table) return false;
    memcpy(&k->fill, &fill, sizeof fill);
    k->table_bytes = n;
    return true;
}
XG_FN XG_COLD bool xr_cpu_map(xlagpu_program *p, xr_object *all, xr_cpu_module *m) {
    uint32_t k;
    for (k = 0; k < p->n_kernels; k++) xr_object_copy(&all[k], &m->map);
    xr_object_stubs(m->map.base + m->map.stubs);
    for (k = 0; k < p->n_kernels; k++) {
        char name[512], *code, *scratch;
        if (!xr_object_link(&all[k], &m->map)) return false;
        xg_format(name, sizeof name, "%s.scratch", p->kernels[k].name);
        code = xr_object_find(&all[k], &m->map, p->kernels[k].name, true, 1);
        scratch = xr_object_find(&all[k], &m->map, name, false, sizeof m->kernels[k].scratch);
        if (!code || !scratch) return false;
        memcpy(&m->kernels[k].code, &code, sizeof code);
        memcpy(&m->kernels[k].scratch, scratch, sizeof m->kernels[k].scratch);
        if (m->kernels[k].scratch > XR_CPU_SCRATCH_MOST) return false;
        p->kernels[k].handle = &m->kernels[k];
        if (!xr_cpu_find_table(&all[k], &m->map, p->kernels[k].name, &m->kernels[k])) return false;
    }
    return xr_pages_seal(m->map.base, m->map.code, true) &&
           (m->map.bytes == m->map.code || xr_pages_seal(m->map.base + m->map.code, m->map.bytes - m->map.code, false));
}
XG_FN XG_COLD xlagpu_status xr_cpu_load_from(xlagpu_program *p, xr_object *all, xr_cpu_module *m) {
    xg_ctx *c = &p->device->c;
    size_t sections = xr_cpu_files(p, all), k;
    uint64_t *at = sections ? (uint64_t *)xg_mem_alloc(c, sections * sizeof *at) : NULL, *room = at;
    bool ok;
    if (!sections) return xr_cpu_damaged(p);
    if (!at) return xr_no_memory(c);
    for (k = 0; k < p->n_kernels; room += all[k++].n) all[k].at = room;
    ok = xr_cpu_layout(all, p->n_kernels, &m->map);
    if (ok) m->map.base = (char *)xr_pages_new(m->map.bytes);
    if (ok && m->map.base) ok = xr_cpu_map(p, all, m);
    xg_mem_free(c, at);
    if (ok && !m->map.base) return xr_fail(c, XLAGPU_ERROR_MEMORY, "out of memory: %zu bytes of code", m->map.bytes);
    if (!ok) return xr_cpu_damaged(p);
    for (k = 0; k < p->n_kernels; k++) {
        xr_cpu_kernel *own = &m->kernels[k];
        if (own->fill && !(own->table = xg_mem_alloc(c, (size_t)own->table_bytes + XR_CPU_TABLE_BEHIND)))
            return xr_fail(c, XLAGPU_ERROR_MEMORY, "out of memory: a table of kernel %s", p->kernels[k].name);
    }
    return XLAGPU_OK;
}
XG_FN XG_COLD xlagpu_status xr_cpu_load(xlagpu_program *p) {
    xg_ctx *c = &p->device->c;
    xr_object *all;
    xr_cpu_module *m;
    xlagpu_status s;
    if (!xg_exe_runs_on(p->strings + p->head.target_name, p->device->target))
        return xr_fail(c, XLAGPU_ERROR_DEVICE, "the executable is for another device");
    m = (xr_cpu_module *)xg_mem_alloc(c, sizeof *m);
    if (!m) return xr_no_memory(c);
    memset(m, 0, sizeof *m);
    p->module = m;
    m->kernels = (xr_cpu_kernel *)xg_mem_alloc(c, p->n_kernels * sizeof *m->kernels);
    if (m->kernels) memset(m->kernels, 0, p->n_kernels * sizeof *m->kernels);
    all = (xr_object *)xg_mem_alloc(c, p->n_kernels * sizeof *all);
    s = m->kernels && all ? xr_cpu_load_from(p, all, m) : xr_no_memory(c);
    xg_mem_free(c, all);
    return s;
}
XG_FN void xr_cpu_unload(xlagpu_program *p) {
    xr_cpu_module *m = (xr_cpu_module *)p->module;
    uint32_t k;
    for (k = 0; m->kernels && k < p->n_kernels; k++) xg_mem_free(&p->device->c, m->kernels[k].table);
    if (m->map.base) xr_pages_free(m->map.base, m->map.bytes);
    xg_mem_free(&p->device->c, m->kernels);
    xg_mem_free(&p->device->c, m);
}

/* ---- executions ---- */

/* Scratch memory of each worker for the largest kernel, in whole lines of the cache. */
XG_FN size_t xr_cpu_scratch(const xlagpu_program *p) {
    const xr_cpu_module *m = (const xr_cpu_module *)p->module;
    uint64_t most = 0;
    uint32_t k;
    for (k = 0; k < p->n_kernels; k++) most = XG_MAX(most, m->kernels[k].scratch);
    return (size_t)(most + XR_CPU_ALIGN) / XR_CPU_ALIGN * XR_CPU_ALIGN;
}
XG_FN char *xr_cpu_aligned(void *p) { return (char *)p + (XR_CPU_ALIGN - (uintptr_t)p % XR_CPU_ALIGN) % XR_CPU_ALIGN; }
XG_FN xlagpu_status xr_cpu_prepare(xlagpu_execution *e) {
    xlagpu_device *d = e->program->device;
    size_t each, n = xr_cpu_of(d)->n;
    if (!e->program->n_kernels) return XLAGPU_OK;
    each = xr_cpu_scratch(e->program);
    e->state = each <= (SIZE_MAX - XR_CPU_ALIGN) / n ? xg_mem_alloc(&d->c, each * n + XR_CPU_ALIGN) : NULL;
    return e->state ? XLAGPU_OK : xr_fail(&d->c, XLAGPU_ERROR_MEMORY, "out of memory: scratch memory of kernels");
}
XG_FN void xr_cpu_finish(xlagpu_execution *e) { xg_mem_free(&e->program->device->c, e->state); }
XG_FN xlagpu_status xr_cpu_copy(xlagpu_execution *e, uint64_t to, uint64_t from, size_t bytes, void *stream) {
    (void)e;
    (void)stream;
    memmove(xr_cpu_pointer(to), xr_cpu_pointer(from), bytes);
    return XLAGPU_OK;
}
XG_FN xlagpu_status xr_cpu_read(xlagpu_execution *e, void *to, uint64_t from, size_t bytes, void *stream) {
    (void)e;
    (void)stream;
    memcpy(to, xr_cpu_pointer(from), bytes);
    return XLAGPU_OK;
}
XG_FN xlagpu_status xr_cpu_fill(xlagpu_execution *e, uint64_t to, uint32_t pattern, size_t bytes, void *stream) {
    (void)e;
    (void)stream;
    xr_once_fill(xr_cpu_pointer(to), pattern, bytes);
    return XLAGPU_OK;
}
/* The table's address at the beginning of each worker's scratch memory; the table filled, by the first who needs it. */
XG_FN void xr_cpu_give_table(xr_cpu *c, xr_cpu_kernel *k, char *scratch, size_t each) {
    uint32_t i;
    for (i = 0; i < c->n; i++) memcpy(scratch + i * each, &k->table, sizeof k->table);
    xr_enter_lock(c->lock);
    if (!k->filled) k->fill(NULL, scratch, 0, 1);
    k->filled = true;
    xr_leave_lock(c->lock);
}
XG_FN xlagpu_status xr_cpu_launch(xlagpu_execution *e, uint32_t kernel, void *stream) {
    const xr_kernel *k = &e->program->kernels[kernel];
    xr_cpu_kernel *own = (xr_cpu_kernel *)k->handle;
    xr_cpu *c = xr_cpu_of(e->program->device);
    char *scratch = xr_cpu_aligned(e->state);
    size_t each = xr_cpu_scratch(e->program);
    uint32_t threads;
    uint64_t blocks = (uint64_t)k->blocks[0] * XG_MAX(k->blocks[1], 1u) * XG_MAX(k->blocks[2], 1u);
    (void)stream;
    if (blocks > UINT32_MAX) return xr_fail(&e->c, XLAGPU_ERROR_LIMIT, "kernel %s has more than 2^32 blocks", k->name);
    e->stats[kernel].launches++;
    if (own->fill) xr_cpu_give_table(c, own, scratch, each);
    threads = k->threads[0] * XG_MAX(k->threads[1], 1u) * XG_MAX(k->threads[2], 1u);
    xr_cpu_run(c, own, e->args, scratch, each, blocks, threads + (uint32_t)(own->scratch / XR_CPU_THREAD_BYTES));
    return XLAGPU_OK;
}

XG_FN XG_COLD xlagpu_status xr_cpu_launch_ptx(
    xlagpu_device *d, const xg_source *ptx, void *loaded, const xlagpu_ptx_launch *l, xlagpu_kernel_stats *stats) {
    (void)ptx;
    (void)loaded;
    (void)l;
    (void)stats;
    return xr_fail(&d->c, XLAGPU_ERROR_UNSUPPORTED, "llvm-cpu runs object code, not PTX; host and cuda do");
}
XG_FN XG_COLD xlagpu_status xr_cpu_encode_map(xlagpu_device *d, const xlagpu_tensor_map *m, void *out) {
    (void)m;
    (void)out;
    return xr_fail(&d->c, XLAGPU_ERROR_UNSUPPORTED, "llvm-cpu has no tensor maps; host and cuda do");
}

XG_FN const xr_platform *xr_cpu_platform(void) {
    static const xr_platform cpu = {"llvm-cpu", xr_cpu_open, xr_cpu_close, xr_cpu_alloc, xr_cpu_release, xr_cpu_upload,
        xr_cpu_download, xr_once_wait, xr_once_settle, xr_cpu_load, xr_cpu_unload, xr_cpu_prepare, xr_cpu_finish,
        xr_once_enter, xr_once_leave, xr_cpu_copy, xr_cpu_fill, xr_cpu_read, xr_cpu_launch, xr_once_build,
        xr_once_update, xr_once_replay, xr_once_forget, xr_once_event_new, xr_once_event_free, xr_once_event_record,
        xr_once_event_wait, xr_once_event_done, xr_once_event_seconds, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
        NULL, NULL, xr_cpu_launch_ptx, xr_cpu_encode_map, NULL};
    return &cpu;
}
#endif /* XR_CPU */

#endif /* XG_RT_CPU_C */
