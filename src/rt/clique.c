/* rt/clique.c -- several devices that run one program together, each on a thread of its own: whole host arrays go in
 * and come out, of which each device has what the executable says. */
#ifndef XG_RT_CLIQUE_C
#define XG_RT_CLIQUE_C
#include "rt.h"
#include "system.c"
#include "collectives.c"
#include "easy.c"
#include "nccl.c"

XLAGPU_DEF uint32_t xlagpu_rt_devices(const void *bytes, size_t size) {
    xg_exe_header h;
    xg_exe_section s[XG_EXE_SECTION_COUNT];
    return xg_exe_check((const unsigned char *)bytes, size, &h, s) ? 0 : h.replicas * h.partitions;
}

#ifndef XR_CLIQUES
XLAGPU_DEF xlagpu_status xlagpu_rt_clique_open(const xlagpu_rt_clique_desc *desc, xlagpu_clique **out) {
    (void)desc;
    if (out) *out = NULL;
    return XLAGPU_ERROR_UNSUPPORTED;
}
XLAGPU_DEF void xlagpu_rt_clique_close(xlagpu_clique *q) { (void)q; }
XLAGPU_DEF const char *xlagpu_rt_clique_error(const xlagpu_clique *q) {
    return q ? "" : "cliques were compiled out: XLAGPU_NO_SIMULATOR without XLAGPU_USE_NCCL";
}
XLAGPU_DEF xlagpu_device *xlagpu_rt_clique_device(xlagpu_clique *q, uint32_t k) {
    (void)q;
    (void)k;
    return NULL;
}
XLAGPU_DEF xlagpu_program *xlagpu_rt_clique_load(xlagpu_clique *q, const void *bytes, size_t size) {
    (void)q;
    (void)bytes;
    (void)size;
    return NULL;
}
XLAGPU_DEF xlagpu_program *xlagpu_rt_clique_program(xlagpu_program *p, uint32_t k) {
    (void)p;
    (void)k;
    return NULL;
}
XLAGPU_DEF bool xlagpu_rt_clique_parameter(const xlagpu_program *p, uint32_t index, xlagpu_rt_value *out) {
    return xlagpu_rt_parameter(p, index, out);
}
XLAGPU_DEF bool xlagpu_rt_clique_result(const xlagpu_program *p, uint32_t index, xlagpu_rt_value *out) {
    return xlagpu_rt_result(p, index, out);
}
XLAGPU_DEF xlagpu_status xlagpu_rt_clique_run(xlagpu_program *p, const xlagpu_rt_tensor *inputs, uint32_t n_inputs,
    const xlagpu_rt_tensor *outputs, uint32_t n_outputs) {
    return p && inputs && n_inputs && outputs && n_outputs ? XLAGPU_ERROR_UNSUPPORTED : XLAGPU_ERROR_USAGE;
}
XLAGPU_DEF xlagpu_status xlagpu_rt_clique_gather(
    xlagpu_program *p, const xlagpu_rt_tensor *outputs, uint32_t n_outputs) {
    return xlagpu_rt_clique_run(p, outputs, n_outputs, outputs, n_outputs);
}
#else
/* ---- the clique ---- */

XG_FN xlagpu_status xr_clique_open(xlagpu_clique *q, const xlagpu_rt_clique_desc *desc) {
    xlagpu_device_desc d = desc->device;
    size_t n = desc->devices;
    xlagpu_status s;
    uint32_t k;
    if (!n || n > XR_DEVICES_MAX)
        return xr_fail(&q->c, XLAGPU_ERROR_USAGE, "a clique has 1 to %u devices, not %zu", (unsigned)XR_DEVICES_MAX, n);
    q->devices = (xlagpu_device **)xg_mem_alloc(&q->c, n * sizeof *q->devices);
    q->seats = (xr_seat *)xg_mem_alloc(&q->c, n * sizeof *q->seats);
    q->threads = (xr_thread *)xg_mem_alloc(&q->c, n * sizeof *q->threads);
    q->lock = xr_lock_new(&q->c);
    if (!q->devices || !q->seats || !q->threads || !q->lock) return xr_no_memory(&q->c);
    memset(q->seats, 0, n * sizeof *q->seats);
    q->timeout = desc->timeout > 0 ? desc->timeout : (double)XR_CLIQUE_SECONDS;
    d.threads = XG_MAX((d.threads ? d.threads : xr_processors()) / (uint32_t)n, 1u);
    memset(q->devices, 0, n * sizeof *q->devices);
    q->n = desc->devices;
    s = xr_rendezvous(q, desc, &d);
    for (k = 0; k < n && s == XLAGPU_OK; k++) {
        s = xlagpu_rt_open(&d, &q->devices[k]);
        if (s != XLAGPU_OK) return xr_fail(&q->c, s, "device %u: %s", q->first + k, xlagpu_rt_error(q->devices[k]));
        d.ordinal++;
    }
    for (k = 0; k < n && s == XLAGPU_OK; k++) q->devices[k]->meets = true;
    if (s == XLAGPU_OK) s = xr_peers_open(q);
    if (s == XLAGPU_OK && q->devices[0]->platform == xr_cuda_platform()) return xr_nccl_open(q, d.library_folder);
    if (s == XLAGPU_OK && q->processes > 1)
        s = xr_fail(&q->c, XLAGPU_ERROR_UNSUPPORTED, "devices of several processes meet on the platform \"cuda\" only");
    return s;
}
XLAGPU_DEF xlagpu_status xlagpu_rt_clique_open(const xlagpu_rt_clique_desc *desc, xlagpu_clique **out) {
    const xlagpu_allocator *mem =
        desc && desc->device.allocator.alloc && desc->device.allocator.release ? &desc->device.allocator : NULL;
    xlagpu_clique *q;
    if (!out || !desc) return XLAGPU_ERROR_USAGE;
    q = *out = (xlagpu_clique *)(mem ? mem->alloc(mem->user, sizeof *q) : malloc(sizeof *q));
    if (!q) return XLAGPU_ERROR_MEMORY;
    memset(q, 0, sizeof *q);
    xg_ctx_init(&q->c, mem, 0);
    return xr_clique_open(q, desc);
}
XLAGPU_DEF void xlagpu_rt_clique_close(xlagpu_clique *q) {
    xlagpu_allocator mem;
    uint32_t k;
    if (!q) return;
    for (k = 0; q->nccl && k < q->n; k++) /* communicators end when no graph holds their work */
        while (q->devices[k] && q->devices[k]->programs) xlagpu_rt_unload(q->devices[k]->programs);
    if (q->nccl) xr_nccl_close(q);
    xr_peers_close(q);
    for (k = q->n; k-- > 0;) xlagpu_rt_close(q->devices[k]);
    xr_rendezvous_end(q);
    while (q->loads) {
        xr_peers *l = q->loads;
        q->loads = l->next;
        xg_mem_free(&q->c, l);
    }
    xg_mem_free(&q->c, q->devices);
    xg_mem_free(&q->c, q->seats);
    xg_mem_free(&q->c, q->threads);
    if (q->lock) xr_lock_free(q->lock);
    xg_mem_free(&q->c, q->lock);
    mem = q->c.mem;
    mem.release(mem.user, q);
}
XLAGPU_DEF const char *xlagpu_rt_clique_error(const xlagpu_clique *q) { return q ? q->c.message : "out of memory"; }
XLAGPU_DEF xlagpu_device *xlagpu_rt_clique_device(xlagpu_clique *q, uint32_t k) {
    return q && k < q->n ? q->devices[k] : NULL;
}

/* ---- a job on all devices ---- */

typedef struct xr_clique_job {
    xlagpu_clique *clique;
    xr_peers *peers;
    const void *bytes;
    size_t size;
    const xlagpu_rt_tensor *inputs, *outputs;
} xr_clique_job;

XG_FN void xr_clique_load_one(void *user, uint32_t k) {
    xr_clique_job *j = (xr_clique_job *)user;
    xlagpu_program *p = j->peers->programs[k] = xlagpu_rt_load(j->clique->devices[k], j->bytes, j->size);
    const char *wrong = xlagpu_rt_error(j->clique->devices[k]);
    if (p) {
        p->clique = j->clique;
        p->peers = j->peers;
        p->rank = j->clique->first + k;
    }
    xr_clique_leave(
        j->clique, j->clique->first + k, p ? XLAGPU_OK : xlagpu_rt_error_status(j->clique->devices[k]), wrong);
}
XG_FN void xr_clique_run_one(void *user, uint32_t k) {
    xr_clique_job *j = (xr_clique_job *)user;
    xlagpu_program *p = j->peers->programs[k];
    xlagpu_status s = XLAGPU_OK;
    xr_begin(&p->device->c);
    if (!p->easy) p->easy = xlagpu_rt_prepare(p);
    if (!p->easy) s = p->device->c.status;
    if (s == XLAGPU_OK) xr_random_reset(p->easy);
    if (s == XLAGPU_OK) s = xr_run_tensors(p->easy, j->inputs, j->outputs, true);
    j->clique->seats[k].spoilt = s != XLAGPU_OK && p->easy;
    xr_clique_leave(j->clique, p->rank, s, p->device->c.message);
}
/* What failed goes when no device runs any more: others may read what it has. */
XG_FN XG_COLD void xr_clique_clear(xlagpu_clique *q, const xr_peers *peers) {
    uint32_t k;
    for (k = 0; k < q->n; k++) {
        xlagpu_device *d = q->devices[k];
        xlagpu_execution *e = peers->programs[k]->easy;
        if (!q->seats[k].spoilt || d->platform->enter(e) != XLAGPU_OK) continue;
        if (e->running) (void)xr_wait_ended(e);
        d->platform->leave(e);
        d->platform->settle(d);
    }
    for (k = 0; k < q->n; k++)
        if (q->seats[k].spoilt) xlagpu_rt_finish(peers->programs[k]->easy);
}
/* On a thread for each device; the first failure is the clique's. */
XG_FN xlagpu_status xr_clique_all(xlagpu_clique *q, void (*job)(void *user, uint32_t k), void *user) {
    uint32_t k, started;
    q->failed = XLAGPU_OK;
    q->together = true;
    for (k = 0; k < q->n; k++) {
        q->seats[k].state = XR_SEAT_RUNS;
        q->seats[k].spoilt = false;
    }
    for (started = 0; started + 1 < q->n; started++)
        if (!xr_thread_begin(&q->threads[started], job, user, started)) break;
    if (started + 1 == q->n)
        job(user, started);
    else
        for (k = started; k < q->n; k++)
            xr_clique_leave(q, q->first + k, XLAGPU_ERROR_MEMORY, "a thread cannot be had for it");
    for (k = 0; k < started; k++) xr_thread_join(&q->threads[k]);
    q->together = false;
    return q->failed == XLAGPU_OK ? XLAGPU_OK : xr_fail(&q->c, q->failed, "%s", q->why);
}

/* ---- programs ---- */

XLAGPU_DEF xlagpu_program *xlagpu_rt_clique_load(xlagpu_clique *q, const void *bytes, size_t size) {
    xr_clique_job j;
    xlagpu_status s;
    const xlagpu_program *p;
    if (!q || !q->n || !q->devices[q->n - 1] || !q->devices[q->n - 1]->platform) return NULL;
    xr_begin(&q->c);
    memset(&j, 0, sizeof j);
    j.clique = q;
    j.bytes = bytes;
    j.size = size;
    j.peers = (xr_peers *)xg_mem_alloc(&q->c, sizeof *j.peers + q->n * sizeof(xlagpu_program *));
    if (!j.peers) {
        xr_no_memory(&q->c);
        return NULL;
    }
    memset(j.peers, 0, sizeof *j.peers);
    j.peers->programs = (xlagpu_program **)(void *)(j.peers + 1);
    j.peers->next = q->loads;
    q->loads = j.peers;
    s = xr_clique_all(q, xr_clique_load_one, &j);
    p = j.peers->programs[0];
    if (s == XLAGPU_OK && p->head.replicas * p->head.partitions != q->all)
        s = xr_fail(&q->c, XLAGPU_ERROR_USAGE,
            "the program is for %u devices (%u replicas of %u partitions); the clique has %u "
            "(xlagpu_compile_desc.devices says for how many)",
            p->head.replicas * p->head.partitions, p->head.replicas, p->head.partitions, q->all);
    if (q->nccl) {
        xlagpu_status met = xr_nccl_load(q, j.peers);
        if (s == XLAGPU_OK) s = met;
    }
    if (s == XLAGPU_OK) xr_peers_load(q, j.peers);
    if (s != XLAGPU_OK) {
        uint32_t k;
        for (k = 0; k < q->n; k++) xlagpu_rt_unload(j.peers->programs[k]);
        q->loads = j.peers->next;
        xg_mem_free(&q->c, j.peers);
        return NULL;
    }
    return j.peers->programs[0];
}
XLAGPU_DEF xlagpu_program *xlagpu_rt_clique_program(xlagpu_program *p, uint32_t k) {
    return p && p->clique && k < p->clique->n ? p->peers->programs[k] : NULL;
}
XG_FN bool xr_clique_value(const xlagpu_program *p, uint32_t index, xlagpu_rt_value *out) {
    if (p->values[index].parts) xr_whole(p, index, out);
    return true;
}
XLAGPU_DEF bool xlagpu_rt_clique_parameter(const xlagpu_program *p, uint32_t index, xlagpu_rt_value *out) {
    return xlagpu_rt_parameter(p, index, out) && xr_clique_value(p, index, out);
}
XLAGPU_DEF bool xlagpu_rt_clique_result(const xlagpu_program *p, uint32_t index, xlagpu_rt_value *out) {
    return xlagpu_rt_result(p, index, out) && xr_clique_value(p, p->head.n_params + index, out);
}
XLAGPU_DEF xlagpu_status xlagpu_rt_clique_run(xlagpu_program *p, const xlagpu_rt_tensor *inputs, uint32_t n_inputs,
    const xlagpu_rt_tensor *outputs, uint32_t n_outputs) {
    xr_clique_job j;
    xlagpu_clique *q;
    xlagpu_status s;
    uint32_t k;
    if (!p) return XLAGPU_ERROR_USAGE;
    q = p->clique;
    xr_begin(q ? &q->c : &p->device->c);
    if (!q) return xr_fail(&p->device->c, XLAGPU_ERROR_USAGE, "a clique runs what xlagpu_rt_clique_load has loaded");
    for (k = 0; k < q->n; k++)
        if (!p->peers->programs[k])
            return xr_fail(&q->c, XLAGPU_ERROR_USAGE, "the program of device %u has been unloaded", k);
    s = xr_check_tensors(&q->c, p, inputs, n_inputs, false, true);
    if (s == XLAGPU_OK) s = xr_check_tensors(&q->c, p, outputs, n_outputs, true, true);
    if (s != XLAGPU_OK) return s;
    memset(&j, 0, sizeof j);
    j.clique = q;
    j.peers = p->peers;
    j.inputs = inputs;
    j.outputs = outputs;
    s = xr_clique_all(q, xr_clique_run_one, &j);
    if (s != XLAGPU_OK) xr_clique_clear(q, p->peers);
    return s;
}

/* ---- what other processes have ---- */

#ifdef XLAGPU_USE_NCCL
/* The first device that has this part of a value. */
XG_FN XG_COLD bool xr_part_is_first(const xlagpu_program *p, const xg_exe_value *v, uint32_t device) {
    size_t bytes = (v->rank + (size_t)1) * sizeof(int64_t);
    uint32_t n = p->head.partitions, k = 0;
    while (memcmp(xr_part(p, v, k % n), xr_part(p, v, device % n), bytes) != 0) k++;
    return k == device && *xr_part(p, v, device % n);
}
XG_FN XG_COLD xlagpu_status xr_gather_part(
    const xlagpu_program *p, uint32_t index, uint32_t device, const xlagpu_rt_tensor *whole) {
    xlagpu_clique *q = p->clique;
    const xg_exe_value *of = &p->values[index];
    const int64_t *at = xr_part(p, of, device % p->head.partitions) + 1;
    xlagpu_rt_value v;
    xlagpu_status s;
    char *part;
    xr_value(p, index, &v);
    if (!v.bytes || (q->process && q->process != device / q->n)) return XLAGPU_OK;
    part = (char *)xg_mem_alloc(&q->c, v.bytes);
    if (!part) return xr_fail(&q->c, XLAGPU_ERROR_MEMORY, "out of memory: %zu bytes for a part", v.bytes);
    memset(part, 0, v.bytes); /* a part may reach beyond the end of the whole */
    if (q->process) xr_part_copy(&v, xr_parts(p, of), at, (char *)whole->data, part, true);
    s = xr_send_home(q, device / q->n, part, v.bytes);
    if (!q->process && s == XLAGPU_OK) xr_part_copy(&v, xr_parts(p, of), at, (char *)whole->data, part, false);
    xg_mem_free(&q->c, part);
    return s;
}
#endif
/* All processes go through the same parts in the same order; each part comes from the first device that has it. */
XLAGPU_DEF xlagpu_status xlagpu_rt_clique_gather(
    xlagpu_program *p, const xlagpu_rt_tensor *outputs, uint32_t n_outputs) {
    xlagpu_status s;
    if (!p || !p->clique) return XLAGPU_ERROR_USAGE;
    xr_begin(&p->clique->c);
    s = xr_check_tensors(&p->clique->c, p, outputs, n_outputs, true, true);
#ifdef XLAGPU_USE_NCCL
    {
        uint32_t k, d;
        for (k = 0; k < n_outputs; k++) {
            uint32_t index = p->head.n_params + k;
            for (d = p->clique->n; p->values[index].parts && d < p->clique->all && s == XLAGPU_OK; d++)
                if (xr_part_is_first(p, &p->values[index], d)) s = xr_gather_part(p, index, d, &outputs[k]);
        }
    }
#endif
    return s;
}

#endif /* XR_CLIQUES */

#endif /* XG_RT_CLIQUE_C */
