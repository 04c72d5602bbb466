/* rt/device.c -- opening devices, and buffers. */
#ifndef XG_RT_DEVICE_C
#define XG_RT_DEVICE_C
#include "rt.h"
#include "host.c"

XG_FN XG_COLD xlagpu_status xr_fail(xg_ctx *c, xlagpu_status s, const char *format, ...) {
    va_list args;
    va_start(args, format);
    xg_error_set(c, s, NULL, 0, NULL, format, args);
    va_end(args);
    return s;
}
XG_ONE_COPY XG_FN XG_COLD xlagpu_status xr_no_memory(xg_ctx *c) {
    return xr_fail(c, XLAGPU_ERROR_MEMORY, "out of memory");
}
XG_ONE_COPY XG_FN void xr_begin(xg_ctx *c) {
    c->status = XLAGPU_OK;
    c->message[0] = 0;
}
XG_FN XG_COLD void xr_note(xg_ctx *c, const char *format, ...) {
    size_t n = strlen(c->message);
    va_list args;
    va_start(args, format);
    xg_vformat(c->message + n, sizeof c->message - n, format, args);
    va_end(args);
}

XG_FN XG_COLD bool xr_wants(const char *wish, const char *platform) {
    return !wish || strcmp(wish, "auto") == 0 || strcmp(wish, platform) == 0;
}

XG_FN XG_COLD xlagpu_status xr_open_platform(xlagpu_device *d, const xlagpu_device_desc *desc) {
    const char *wish = desc ? desc->platform : NULL;
    const xr_platform *host = xr_host_platform();
    xlagpu_status s;
    bool automatic = xr_wants(wish, "");
    if (wish && strcmp(wish, "llvm-cpu") == 0) {
        host = xr_cpu_platform();
        if (!host)
            return xr_fail(&d->c, XLAGPU_ERROR_NO_DEVICE,
                "the platform llvm-cpu is not in this build: define XLAGPU_USE_LLVM_CPU, for x86-64 or aarch64");
        s = host->open(d, desc);
        if (s == XLAGPU_OK) d->platform = host;
        return s;
    }
    if (wish && !automatic && strcmp(wish, "cuda") != 0 && strcmp(wish, "host") != 0)
        return xr_fail(&d->c, XLAGPU_ERROR_USAGE,
            "no platform is called '%s'; there are auto, cuda, host (the simulator) and llvm-cpu", wish);
    if (xr_wants(wish, "cuda")) {
        s = xr_cuda_platform()->open(d, desc);
        if (s == XLAGPU_OK) {
            d->platform = xr_cuda_platform();
            return s;
        }
        if (!automatic || s != XLAGPU_ERROR_NO_DEVICE || !host) return s;
        xr_begin(&d->c);
        d->note[0] = 0;
    }
    if (!host) return xr_fail(&d->c, XLAGPU_ERROR_NO_DEVICE, "the simulator was compiled out (XLAGPU_NO_SIMULATOR)");
    s = host->open(d, desc);
    if (s == XLAGPU_OK) d->platform = host;
    return s;
}

XLAGPU_DEF XG_COLD xlagpu_status xlagpu_rt_open(const xlagpu_device_desc *desc, xlagpu_device **out) {
    const xlagpu_allocator *mem = desc && desc->allocator.alloc && desc->allocator.release ? &desc->allocator : NULL;
    xlagpu_device *d;
    if (!out) return XLAGPU_ERROR_USAGE;
    d = (xlagpu_device *)(mem ? mem->alloc(mem->user, sizeof *d) : malloc(sizeof *d));
    *out = d;
    if (!d) return XLAGPU_ERROR_MEMORY;
    memset(d, 0, sizeof *d);
    xg_ctx_init(&d->c, mem, 0);
    xg_arena_init(&d->arena, &d->c);
    d->no_command_buffers = desc && desc->no_command_buffers;
    d->predict = desc && desc->predict;
    d->predict_scale = desc && desc->predict_scale ? desc->predict_scale : 1;
    d->predict_memory_scale = desc && desc->predict_memory_scale ? desc->predict_memory_scale : d->predict_scale;
    d->copy_stream = desc && desc->copy_stream;
    d->concurrent = desc && desc->concurrent;
    if (desc) {
        d->library_folder = desc->library_folder;
        d->progress = desc->progress;
        d->progress_user = desc->progress_user;
        d->print = desc->print;
        d->print_user = desc->print_user;
        d->line = desc->line;
        d->line_user = desc->line_user;
        d->range = desc->range;
        d->range_user = desc->range_user;
        d->jit_log = desc->jit_log;
        d->jit_log_user = desc->jit_log_user;
    }
    return xr_open_platform(d, desc);
}

XLAGPU_DEF XG_COLD void xlagpu_rt_close(xlagpu_device *d) {
    xlagpu_allocator mem;
    uint32_t k;
    if (!d) return;
    if (d->platform) d->platform->settle(d);
    while (d->programs) xlagpu_rt_unload(d->programs);
    while (d->ptx) xlagpu_rt_unload_ptx(d->ptx);
    for (k = d->n_blocks; k-- > 0;) d->platform->release(d, &d->blocks[k]);
    xr_libraries_close(d);
    if (d->platform) d->platform->close(d);
    while (d->functions) {
        xr_function *f = d->functions;
        d->functions = f->next;
        xg_mem_free(&d->c, f);
    }
    xg_mem_free(&d->c, d->blocks);
    xg_arena_free(&d->arena);
    mem = d->c.mem;
    mem.release(mem.user, d);
}

XLAGPU_DEF const char *xlagpu_rt_error(const xlagpu_device *d) { return d ? d->c.message : "out of memory"; }
XLAGPU_DEF xlagpu_status xlagpu_rt_error_status(const xlagpu_device *d) {
    return d ? d->c.status : XLAGPU_ERROR_MEMORY;
}
XLAGPU_DEF const char *xlagpu_rt_note(const xlagpu_device *d) { return d ? d->note : ""; }
XLAGPU_DEF const char *xlagpu_rt_platform(const xlagpu_device *d) {
    return d && d->platform ? d->platform->name : "none";
}
XLAGPU_DEF const char *xlagpu_rt_name(const xlagpu_device *d) { return d ? d->name : ""; }
XLAGPU_DEF const char *xlagpu_limit_name(uint32_t limit) { return xg_cost_limit_name(limit); }
XLAGPU_DEF const char *xlagpu_rt_target(const xlagpu_device *d) { return d ? d->target : ""; }
XLAGPU_DEF XG_COLD xlagpu_status xlagpu_rt_target_desc(const xlagpu_device *d, xlagpu_target_desc *out) {
    memset(out, 0, sizeof *out);
    if (!d || !d->platform) return XLAGPU_ERROR_USAGE;
    xg_device_describe(&d->figures, out);
    out->name = d->target;
    return XLAGPU_OK;
}

/* ---- buffers ---- */

XG_FN XG_COLD xlagpu_status xr_blocks_grow(xlagpu_device *d) {
    uint32_t cap = d->cap_blocks ? d->cap_blocks * 2 : 16;
    xr_block *bigger;
    if (d->n_blocks < d->cap_blocks) return XLAGPU_OK;
    bigger = (xr_block *)xg_mem_alloc(&d->c, cap * sizeof *bigger);
    if (!bigger) return xr_fail(&d->c, XLAGPU_ERROR_MEMORY, "out of memory: the table of buffers");
    if (d->n_blocks) memcpy(bigger, d->blocks, d->n_blocks * sizeof *bigger);
    xg_mem_free(&d->c, d->blocks);
    d->blocks = bigger;
    d->cap_blocks = cap;
    return XLAGPU_OK;
}

XG_FN xlagpu_status xr_alloc_in(xlagpu_device *d, size_t bytes, bool host, uint64_t *address) {
    xlagpu_status s = xr_blocks_grow(d);
    *address = 0;
    if (s == XLAGPU_OK) d->blocks[d->n_blocks].host = host;
    if (s == XLAGPU_OK) s = d->platform->alloc(d, bytes ? bytes : 1, host, &d->blocks[d->n_blocks]);
    if (s == XLAGPU_OK) *address = d->blocks[d->n_blocks++].address;
    return s;
}
XG_FN xlagpu_status xr_alloc(xlagpu_device *d, size_t bytes, uint64_t *address) {
    return xr_alloc_in(d, bytes, false, address);
}
/* Looks from the end: what was made last is released first, as a rule. */
XG_FN void xr_release(xlagpu_device *d, uint64_t address) {
    uint32_t k = d->n_blocks;
    while (k > 0 && d->blocks[k - 1].address != address) k--;
    if (!address || !k--) return;
    d->platform->release(d, &d->blocks[k]);
    memmove(&d->blocks[k], &d->blocks[k + 1], (d->n_blocks - k - 1) * sizeof *d->blocks);
    d->n_blocks--;
}

XLAGPU_DEF xlagpu_status xlagpu_rt_alloc(xlagpu_device *d, size_t bytes, xlagpu_buffer *out) {
    xlagpu_status s;
    if (out) memset(out, 0, sizeof *out);
    if (!d || !d->platform || !out) return XLAGPU_ERROR_USAGE;
    xr_begin(&d->c);
    s = xr_alloc(d, bytes, &out->address);
    out->bytes = s == XLAGPU_OK ? bytes : 0;
    return s;
}
XLAGPU_DEF void xlagpu_rt_free(xlagpu_device *d, xlagpu_buffer b) {
    if (d && d->platform) xr_release(d, b.address);
}
XLAGPU_DEF xlagpu_status xlagpu_rt_upload(xlagpu_device *d, xlagpu_buffer to, const void *from, size_t bytes) {
    xlagpu_status s;
    if (!d || !d->platform) return XLAGPU_ERROR_USAGE;
    xr_begin(&d->c);
    if (bytes > to.bytes)
        return xr_fail(&d->c, XLAGPU_ERROR_USAGE, "uploading %zu bytes into a buffer of %zu", bytes, to.bytes);
    if (!from && bytes) return xr_fail(&d->c, XLAGPU_ERROR_USAGE, "uploading %zu bytes from nowhere", bytes);
    if (!bytes) return XLAGPU_OK;
    s = d->platform->upload(d, to.address, from, bytes);
    return s == XLAGPU_OK ? d->platform->wait(d, NULL) : s; /* work on any stream may follow */
}
XLAGPU_DEF xlagpu_status xlagpu_rt_download(xlagpu_device *d, void *to, xlagpu_buffer from, size_t bytes) {
    if (!d || !d->platform) return XLAGPU_ERROR_USAGE;
    xr_begin(&d->c);
    if (bytes > from.bytes)
        return xr_fail(&d->c, XLAGPU_ERROR_USAGE, "downloading %zu bytes from a buffer of %zu", bytes, from.bytes);
    if (!to && bytes) return xr_fail(&d->c, XLAGPU_ERROR_USAGE, "downloading %zu bytes to nowhere", bytes);
    return bytes ? d->platform->download(d, to, from.address, bytes) : XLAGPU_OK;
}
XLAGPU_DEF xlagpu_status xlagpu_rt_wait(xlagpu_device *d, void *stream) {
    if (!d || !d->platform) return XLAGPU_ERROR_USAGE;
    xr_begin(&d->c);
    return d->platform->wait(d, stream);
}

/* ---- functions that programs call ---- */

XG_FN XG_COLD const xr_function *xr_function_find(const xlagpu_device *d, const char *name) {
    const xr_function *f = d->functions;
    while (f && strcmp(f->name, name) != 0) f = f->next;
    return f;
}
XLAGPU_DEF XG_COLD xlagpu_status xlagpu_rt_register_function(xlagpu_device *d, const xlagpu_rt_function_desc *desc) {
    xr_function *f;
    const char *name = desc ? desc->name : NULL;
    if (!d || !d->platform) return XLAGPU_ERROR_USAGE;
    xr_begin(&d->c);
    if (!name || !*name || strlen(name) >= sizeof f->name || !desc->call)
        return xr_fail(&d->c, XLAGPU_ERROR_USAGE, "a function needs a name of 1 to %u characters, and its address",
            (unsigned)sizeof f->name - 1);
    if (xr_function_find(d, name))
        return xr_fail(&d->c, XLAGPU_ERROR_USAGE, "a function is registered as '%s' already", name);
    f = (xr_function *)xg_mem_alloc(&d->c, sizeof *f);
    if (!f) return xr_no_memory(&d->c);
    xg_format(f->name, sizeof f->name, "%s", name);
    f->desc = *desc;
    f->desc.name = f->name;
    f->next = d->functions;
    d->functions = f;
    return XLAGPU_OK;
}
XLAGPU_DEF XG_COLD xlagpu_status xlagpu_rt_register(
    xlagpu_device *d, const char *name, xlagpu_rt_function call, void *user) {
    xlagpu_rt_function_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.name = name;
    desc.call = call;
    desc.user = user;
    return xlagpu_rt_register_function(d, &desc);
}

/* ---- any PTX ---- */

XLAGPU_DEF XG_COLD xlagpu_ptx *xlagpu_rt_load_ptx(xlagpu_device *d, const char *name, const char *text, size_t size) {
    xlagpu_ptx *p;
    char *copy, *label;
    if (!d || !d->platform) return NULL;
    xr_begin(&d->c);
    if (!text) {
        xr_fail(&d->c, XLAGPU_ERROR_USAGE, "there is no PTX");
        return NULL;
    }
    if (!name) name = "ptx";
    p = (xlagpu_ptx *)xg_mem_alloc(&d->c, sizeof *p);
    copy = size < SIZE_MAX ? (char *)xg_mem_alloc(&d->c, size + 1) : NULL;
    label = (char *)xg_mem_alloc(&d->c, strlen(name) + 1);
    if (!p || !copy || !label) {
        xg_mem_free(&d->c, p);
        xg_mem_free(&d->c, copy);
        xg_mem_free(&d->c, label);
        xr_no_memory(&d->c);
        return NULL;
    }
    memset(p, 0, sizeof *p);
    memcpy(copy, text, size);
    copy[size] = 0;
    memcpy(label, name, strlen(name) + 1);
    p->device = d;
    p->source.name = label;
    p->source.text = copy;
    p->source.size = size;
    xg_arena_init(&p->arena, &d->c);
    p->next = d->ptx;
    d->ptx = p;
    if (d->platform->load_ptx && !(p->loaded = d->platform->load_ptx(d, &p->arena, &p->source))) {
        xlagpu_rt_unload_ptx(p);
        return NULL;
    }
    return p;
}
XLAGPU_DEF XG_COLD void xlagpu_rt_unload_ptx(xlagpu_ptx *p) {
    xlagpu_ptx **at;
    xg_ctx *c;
    if (!p) return;
    c = &p->device->c;
    for (at = &p->device->ptx; *at != p; at = &(*at)->next) {}
    *at = p->next;
    xg_arena_free(&p->arena);
    xg_mem_free(c, (void *)(uintptr_t)p->source.text);
    xg_mem_free(c, (void *)(uintptr_t)p->source.name);
    xg_mem_free(c, p);
}
XLAGPU_DEF XG_COLD xlagpu_status xlagpu_rt_run_ptx(
    xlagpu_ptx *p, const xlagpu_ptx_launch *l, xlagpu_kernel_stats *stats) {
    xlagpu_ptx_launch whole;
    int k;
    if (stats) memset(stats, 0, sizeof *stats);
    if (!p) return XLAGPU_ERROR_USAGE;
    xr_begin(&p->device->c);
    if (!l) return xr_fail(&p->device->c, XLAGPU_ERROR_USAGE, "there is no launch");
    if (!l->parameters && l->parameter_bytes)
        return xr_fail(&p->device->c, XLAGPU_ERROR_USAGE, "%zu bytes of parameters from nowhere", l->parameter_bytes);
    whole = *l;
    for (k = 0; k < 3; k++) {
        if (!whole.grid[k]) whole.grid[k] = 1;
        if (!whole.block[k]) whole.block[k] = 1;
    }
    return p->device->platform->launch_ptx(p->device, &p->source, p->loaded, &whole, stats);
}
XLAGPU_DEF xlagpu_status xlagpu_rt_launch_ptx(xlagpu_device *d, const char *name, const char *ptx, size_t size,
    const xlagpu_ptx_launch *l, xlagpu_kernel_stats *stats) {
    xlagpu_ptx *p;
    xlagpu_status s;
    if (stats) memset(stats, 0, sizeof *stats);
    if (!d || !d->platform) return XLAGPU_ERROR_USAGE;
    xr_begin(&d->c);
    if (!ptx || !l) return xr_fail(&d->c, XLAGPU_ERROR_USAGE, "there is no %s", ptx ? "launch" : "PTX");
    p = xlagpu_rt_load_ptx(d, name, ptx, size);
    if (!p) return d->c.status;
    s = xlagpu_rt_run_ptx(p, l, stats);
    xlagpu_rt_unload_ptx(p);
    return s;
}

XLAGPU_DEF XG_COLD xlagpu_status xlagpu_rt_encode_tensor_map(xlagpu_device *d, const xlagpu_tensor_map *m, void *out) {
    xlagpu_tensor_map whole;
    int k;
    if (!d || !d->platform) return XLAGPU_ERROR_USAGE;
    xr_begin(&d->c);
    if (!m || !out)
        return xr_fail(&d->c, XLAGPU_ERROR_USAGE, "there is no %s", m ? "room for the tensor map" : "tensor");
    if (m->rank < 1 || m->rank > 5)
        return xr_fail(&d->c, XLAGPU_ERROR_USAGE, "a tensor map has rank 1 to 5, not %u", m->rank);
    whole = *m;
    for (k = 0; k < 5; k++)
        if (!whole.steps[k]) whole.steps[k] = 1;
    return d->platform->encode_map(d, &whole, out);
}

XLAGPU_DEF XG_COLD xlagpu_status xlagpu_rt_make_texture(
    xlagpu_device *d, const xlagpu_texture *t, xlagpu_buffer *object) {
    if (!d || !d->platform) return XLAGPU_ERROR_USAGE;
    xr_begin(&d->c);
    if (!t || !object)
        return xr_fail(&d->c, XLAGPU_ERROR_USAGE, "there is no %s", t ? "room for the texture object" : "texture");
    memset(object, 0, sizeof *object);
#ifndef XLAGPU_NO_SIMULATOR
    if (d->platform == xr_host_platform()) {
        char bytes[XG_SIM_TEXTURE_BYTES];
        const char *wrong = xg_sim_texture_encode(t, bytes);
        xlagpu_status s =
            wrong ? xr_fail(&d->c, XLAGPU_ERROR_USAGE, "%s", wrong) : xlagpu_rt_alloc(d, sizeof bytes, object);
        return s == XLAGPU_OK ? xlagpu_rt_upload(d, *object, bytes, sizeof bytes) : s;
    }
#endif
    return xr_fail(&d->c, XLAGPU_ERROR_UNSUPPORTED,
        "textures are made for the simulator only: cuTexObjectCreate makes those of a GPU");
}

#ifdef XLAGPU_NO_SIMULATOR
XLAGPU_DEF XG_COLD const char *xlagpu_rt_fault(const xlagpu_device *d, uint32_t index) {
    (void)d;
    (void)index;
    return NULL;
}
XLAGPU_DEF xlagpu_status xlagpu_rt_describe_buffer(
    xlagpu_device *d, xlagpu_buffer buffer, const char *name, uint32_t item_bytes, const int64_t *dims, uint32_t rank) {
    (void)buffer;
    (void)item_bytes;
    return d && name && (dims || !rank) ? XLAGPU_OK : XLAGPU_ERROR_USAGE;
}
XLAGPU_DEF XG_COLD void xlagpu_rt_forget_contents(xlagpu_device *d, xlagpu_buffer buffer) {
    (void)d;
    (void)buffer;
}
XLAGPU_DEF XG_COLD bool xlagpu_rt_ptx_parameter(xlagpu_device *d, const char *name, const char *ptx, size_t size,
    const char *entry, uint32_t index, uint32_t *offset, uint32_t *bytes) {
    (void)name;
    (void)ptx;
    (void)size;
    (void)entry;
    (void)index;
    (void)offset;
    (void)bytes;
    if (d)
        xr_fail(
            &d->c, XLAGPU_ERROR_UNSUPPORTED, "the simulator, which reads PTX, was compiled out (XLAGPU_NO_SIMULATOR)");
    return false;
}
#else
XLAGPU_DEF XG_COLD bool xlagpu_rt_ptx_parameter(xlagpu_device *d, const char *name, const char *ptx, size_t size,
    const char *entry, uint32_t index, uint32_t *offset, uint32_t *bytes) {
    const xlagpu_ptx *p;
    xg_source src;
    xg_arena a;
    const xg_sim_module *m;
    const xg_sim_entry *e;
    bool found = false;
    if (!d || !ptx || !offset || !bytes) return false;
    xr_begin(&d->c);
    src.name = name ? name : "ptx";
    src.text = ptx;
    src.size = size;
    xg_arena_init(&a, &d->c);
    /* the text is parsed once where it is loaded already */
    for (p = d->ptx; p && (!p->loaded || p->source.size != size || memcmp(p->source.text, ptx, size) != 0);
         p = p->next) {}
    m = p && d->platform == xr_host_platform() ? (const xg_sim_module *)p->loaded : xr_host_parse(d, &a, &src);
    e = !m                       ? NULL
        : entry                  ? xg_sim_find_plain(m, xg_str_z(entry))
        : xg_sim_entries(m) == 1 ? xg_sim_entry_at(m, 0)
                                 : NULL;
    if (m && !e) xr_host_no_kernel(&d->c, src.name, m, entry);
    if (e && index < xg_sim_entry_info(e)->n_params) {
        *offset = xg_sim_entry_info(e)->params[index].offset;
        *bytes = xg_sim_entry_info(e)->params[index].size;
        found = true;
    }
    xg_arena_free(&a);
    return found;
}

/* ---- what the simulator says and is told ---- */

XLAGPU_DEF XG_COLD const char *xlagpu_rt_fault(const xlagpu_device *d, uint32_t index) {
    const xr_host *h = d && d->platform == xr_host_platform() ? (const xr_host *)d->state : NULL;
    return h && index < h->n_faults ? h->faults[index].text : NULL;
}
XLAGPU_DEF xlagpu_status xlagpu_rt_describe_buffer(
    xlagpu_device *d, xlagpu_buffer buffer, const char *name, uint32_t item_bytes, const int64_t *dims, uint32_t rank) {
    xg_sim_array *a;
    jmp_buf here, *outer;
    uint32_t i;
    if (!d || !d->platform || !name || (rank && !dims)) return XLAGPU_ERROR_USAGE;
    if (d->platform != xr_host_platform()) return XLAGPU_OK;
    xr_begin(&d->c);
    if (setjmp(here)) {
        d->c.guard = NULL;
        return d->c.status;
    }
    outer = xg_try(&d->c, &here);
    a = XG_NEW(&d->arena, xg_sim_array); /* lives as long as the device: messages name freed buffers, too */
    xg_end(&d->c, outer);
    xg_format(a->name, sizeof a->name, "%s", name);
    a->item = rank <= XG_SIM_ARRAY_RANK ? item_bytes : 0;
    a->rank = XG_MIN(rank, (uint32_t)XG_SIM_ARRAY_RANK);
    for (i = 0; i < a->rank; i++) a->dims[i] = dims[i] > 0 ? (uint64_t)dims[i] : 0;
    xg_sim_memory_describe(&xr_host_of(d)->memory, buffer.address, a);
    return XLAGPU_OK;
}
XLAGPU_DEF XG_COLD void xlagpu_rt_forget_contents(xlagpu_device *d, xlagpu_buffer buffer) {
    if (d && d->platform == xr_host_platform()) xg_sim_memory_unwritten(&xr_host_of(d)->memory, buffer.address);
}
#endif

#endif /* XG_RT_DEVICE_C */
