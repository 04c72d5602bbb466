/* rt/cuda_load.c -- the kernels of a program: from its bytes, the cache or the driver's compiler to functions.
 *
 * One walk over the PTX finds all kernels. The driver compiles what is one text on one thread, so a large text is cut
 * between kernels into parts, which threads load side by side; kernels share nothing but the head of the text.
 *
 * Laws
 * - A part that fails is reported as the whole would be; of several the first one in the text.
 * - Threads call the driver only: memory, files and messages are the caller's. */
#ifndef XG_RT_CUDA_LOAD_C
#define XG_RT_CUDA_LOAD_C
#include "cuda_cache.c"

enum {
    XR_PART_BYTES = 128 << 10, /* of PTX: less compiles in a tenth of a second, which threads do not shorten much */
    XR_PARTS_MAX = 64,
    XR_PARTS_A_THREAD = 4, /* kernels differ in how long they take: smaller parts share the work better */
    XR_LOADERS_MAX = 16,   /* threads: each compiler takes some hundred megabytes */
    XR_JIT_ERROR_BYTES = 1536,
    XR_JIT_INFO_BYTES = 1 << 16
};

/* A kernel of the text: its number in the executable, and where the text that belongs to it begins. */
typedef struct xr_ptx_entry {
    uint32_t kernel;
    size_t begin;
} xr_ptx_entry;
typedef struct xr_ptx_part {
    xg_source ptx;
    void *module, *link;
    const void *code; /* machine code, of link */
    size_t code_bytes;
    int error;
    float milliseconds; /* of the driver's compiler, where its log was asked for */
    char *log, *info;   /* the driver's words for a failure, and about the kernels; info NULL: not asked for */
} xr_ptx_part;
/* A program's kernels while they are loaded, and its modules from then on. */
typedef struct xr_cuda_code {
    xlagpu_program *program;
    uint32_t n_parts, n_entries, threads;
    size_t head; /* bytes of the text before the first kernel */
    xr_ptx_part *parts;
    xr_ptx_entry *entries;       /* in the order of the text */
    uint32_t *by_name, *part_of; /* kernels sorted by name; the part of each kernel */
    void *texts, *logs;
} xr_cuda_code;

/* ---- the text ---- */

XG_FN bool xr_by_name_less(const void *user, const void *a, const void *b) {
    const xlagpu_program *p = (const xlagpu_program *)user;
    int order = strcmp(p->kernels[*(const uint32_t *)a].name, p->kernels[*(const uint32_t *)b].name);
    return order < 0 || (order == 0 && *(const uint32_t *)a < *(const uint32_t *)b);
}
/* The kernel of this name; UINT32_MAX: there is none. */
XG_FN XG_COLD uint32_t xr_kernel_find(const xr_cuda_code *c, const char *name, size_t n) {
    const xlagpu_program *p = c->program;
    uint32_t low = 0, high = p->n_kernels;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2, k = c->by_name[middle];
        int order = strncmp(p->kernels[k].name, name, n);
        if (!order) order = p->kernels[k].name[n] != 0;
        if (!order) return k;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return UINT32_MAX;
}
/* Skips a word and the blanks behind it. */
XG_FN XG_COLD bool xr_skip_word(const char **at, const char *end, const char *word) {
    size_t n = strlen(word);
    const char *p = *at;
    if ((size_t)(end - p) <= n || memcmp(p, word, n) != 0 || (unsigned char)p[n] > ' ') return false;
    for (p += n; p < end && (unsigned char)*p <= ' '; p++) {}
    *at = p;
    return true;
}
/* The words ".param" up to the end of a list of parameters. */
XG_FN XG_COLD uint32_t xr_count_parameters(const char *at, const char *end) {
    static const char word[] = ".param";
    uint32_t n = 0;
    for (; end - at > (ptrdiff_t)sizeof word && *at != ')' && *at != '{'; at++)
        n += memcmp(at, word, sizeof word - 1) == 0 && (unsigned char)at[sizeof word - 1] <= ' ';
    return n;
}
/* An entry at `at`, behind the word ".entry"; text that belongs to it begins at `begin`. */
XG_FN XG_COLD void xr_scan_entry(xr_cuda_code *c, const char *at, const char *end, size_t begin) {
    xlagpu_program *p = c->program;
    const char *name = at;
    uint32_t k;
    while (at < end && *at != '(' && *at != '{' && (unsigned char)*at > ' ') at++;
    k = xr_kernel_find(c, name, (size_t)(at - name));
    if (k == UINT32_MAX) {
        c->n_entries = UINT32_MAX; /* not our text: it is not cut */
        return;
    }
    p->kernels[k].n_params = xr_count_parameters(at, end);
    p->kernels[k].found = true;
    if (c->n_entries >= p->n_kernels) return;
    c->entries[c->n_entries].kernel = k;
    c->entries[c->n_entries++].begin = begin;
}
/* How many parameters each kernel has (the driver trusts its caller in this, and bytes may be damaged), and where it
 * stands. A kernel ends with a line "}", its text begins behind the one before. */
XG_FN XG_COLD void xr_scan(xr_cuda_code *c) {
    const xg_source *s = &c->program->ptx;
    const char *line = s->text, *end = s->text + s->size;
    size_t begin = 0;
    while (line < end) {
        const char *stop = (const char *)memchr(line, '\n', (size_t)(end - line)), *at = line;
        if (!stop) stop = end;
        while (at < stop && (*at == ' ' || *at == '\t')) at++;
        if (!xr_skip_word(&at, stop, ".visible")) (void)xr_skip_word(&at, stop, ".weak");
        if (xr_skip_word(&at, end, ".entry")) xr_scan_entry(c, at, end, begin);
        if (stop - line == 1 && *line == '}') begin = (size_t)(stop + 1 - s->text);
        if (xr_skip_word(&at, stop, ".address_size")) c->head = begin = (size_t)(stop + 1 - s->text);
        line = stop + 1;
    }
}
/* Damaged bytes may name one kernel twice. */
XG_FN XG_COLD xlagpu_status xr_scan_check(const xr_cuda_code *c) {
    xlagpu_program *p = c->program;
    uint32_t k;
    for (k = 0; k < p->n_kernels; k++) {
        xr_kernel *now = &p->kernels[c->by_name[k]], *before = k ? &p->kernels[c->by_name[k - 1]] : NULL;
        if (!now->found && before && strcmp(now->name, before->name) == 0) {
            now->n_params = before->n_params;
            now->found = before->found;
        }
        if (!now->found)
            return xr_fail(&p->device->c, XLAGPU_ERROR_CORRUPT, "the executable's PTX has no kernel '%s'", now->name);
    }
    return XLAGPU_OK;
}

/* ---- parts ---- */

XG_FN XG_COLD uint32_t xr_parts_wanted(const xr_cuda_code *c) {
    const xlagpu_program *p = c->program;
    uint64_t n = p->ptx.size / XR_PART_BYTES;
    bool ours = c->head && c->n_entries == p->n_kernels;
    n = XG_MIN(n, (uint64_t)c->threads * XR_PARTS_A_THREAD);
    n = XG_MIN(n, (uint64_t)p->n_kernels);
    n = XG_MIN(n, (uint64_t)XR_PARTS_MAX);
    return ours && c->threads > 1 && n > 1 ? (uint32_t)n : 1;
}
/* The text of the entries from..to behind the head; gives the end of what was written. */
XG_FN XG_COLD char *xr_part_text(xr_cuda_code *c, xr_ptx_part *part, uint32_t from, uint32_t to, char *at) {
    const xg_source *s = &c->program->ptx;
    size_t begin = c->entries[from].begin, end = to < c->n_entries ? c->entries[to].begin : s->size;
    memcpy(at, s->text, c->head);
    memcpy(at + c->head, s->text + begin, end - begin);
    part->ptx = *s;
    part->ptx.text = at;
    part->ptx.size = c->head + (end - begin);
    at[part->ptx.size] = 0;
    return at + part->ptx.size + 1;
}
/* Parts of about equal size; each has a kernel at least. */
XG_FN XG_COLD xlagpu_status xr_parts_cut(xr_cuda_code *c) {
    xlagpu_program *p = c->program;
    size_t share = p->ptx.size / c->n_parts;
    uint32_t part = 0, from = 0, to, k;
    char *at;
    if (c->n_parts == 1) {
        c->parts[0].ptx = p->ptx;
        return XLAGPU_OK;
    }
    c->texts = xg_mem_alloc(&p->device->c, p->ptx.size + (size_t)c->n_parts * (c->head + 1));
    if (!c->texts) return xr_fail(&p->device->c, XLAGPU_ERROR_MEMORY, "out of memory: the PTX in parts");
    at = (char *)c->texts;
    for (; from < c->n_entries; from = to, part++) {
        bool last = part + 1 == c->n_parts;
        for (to = from + 1; to < c->n_entries && (last || c->entries[to].begin < (part + 1) * share); to++) {}
        for (k = from; k < to; k++) c->part_of[c->entries[k].kernel] = part;
        at = xr_part_text(c, &c->parts[part], from, to, at);
    }
    c->n_parts = part; /* large kernels may have left none for the last ones */
    return XLAGPU_OK;
}

/* ---- the driver's compiler ---- */

XG_FN XG_COLD void xr_part_load(const xr_cuda *u, xr_ptx_part *part) {
    int options[6] = {XR_CUDA_JIT_ERROR, XR_CUDA_JIT_ERROR_SIZE, XR_CUDA_JIT_INFO, XR_CUDA_JIT_INFO_SIZE,
        XR_CUDA_JIT_VERBOSE, XR_CUDA_JIT_TIME};
    void *values[6];
    values[0] = part->log;
    values[1] = (void *)(uintptr_t)XR_JIT_ERROR_BYTES;
    values[2] = part->info;
    values[3] = (void *)(uintptr_t)XR_JIT_INFO_BYTES;
    values[4] = (void *)(uintptr_t)1;
    values[5] = NULL;
    part->error = u->module_load(&part->module, part->ptx.text, part->info ? 6 : 2, options, values);
    part->log[XR_JIT_ERROR_BYTES - 1] = 0;
    if (part->info) {
        part->info[XR_JIT_INFO_BYTES - 1] = 0;
        memcpy(&part->milliseconds, &values[5], sizeof part->milliseconds); /* the driver writes a float there */
    }
    if (part->error) part->module = NULL;
}
/* With a cache the machine code is wanted, too. Where that does not work the driver gets the PTX. */
XG_FN XG_COLD void xr_part_make(const xr_cuda *u, xr_ptx_part *part) {
    if (part->module) return;
    if (!part->info && xr_cache_link(u, &part->ptx, &part->link, &part->code, &part->code_bytes) &&
        u->module_load(&part->module, part->code, 0, NULL, NULL))
        part->module = NULL;
    if (!part->module) part->code = NULL;
    if (!part->module) xr_part_load(u, part);
}
XG_FN XG_COLD void xr_parts_job(void *user, uint32_t index) {
    xr_cuda_code *c = (xr_cuda_code *)user;
    const xr_cuda *u = xr_cuda_of(c->program->device);
    int error = u->context_push(u->context);
    uint32_t k;
    for (k = index; k < c->n_parts; k += c->threads)
        if (error)
            c->parts[k].error = error;
        else
            xr_part_make(u, &c->parts[k]);
    if (!error) xr_cuda_pop(u);
}
/* A part whose machine code the cache has needs no compiler. */
XG_FN XG_COLD void xr_part_cached(xlagpu_device *d, xr_ptx_part *part) {
    void *code = part->info ? NULL : xr_cache_read(d, &part->ptx);
    if (code && xr_cuda_of(d)->module_load(&part->module, code, 0, NULL, NULL)) part->module = NULL;
    xg_mem_free(&d->c, code);
}
XG_FN XG_COLD xlagpu_status xr_part_done(xlagpu_program *p, xr_ptx_part *part) {
    xlagpu_device *d = p->device;
    if (part->code) xr_cache_write(d, &part->ptx, part->code, part->code_bytes);
    if (part->link) xr_cuda_of(d)->link_destroy(part->link); /* and the code with it */
    if (part->info) d->jit_log(d->jit_log_user, p->strings + p->head.name, (double)part->milliseconds, part->info);
    part->link = NULL;
    part->code = NULL;
    return part->module ? XLAGPU_OK : xr_cuda_module_failed(d, part->error, part->log);
}
XG_FN XG_COLD xlagpu_status xr_parts_load(xr_cuda_code *c) {
    xlagpu_program *p = c->program;
    xlagpu_device *d = p->device;
    size_t each = XR_JIT_ERROR_BYTES + (d->jit_log ? (size_t)XR_JIT_INFO_BYTES : 0);
    uint32_t k;
    xlagpu_status s = XLAGPU_OK;
    c->logs = xg_mem_alloc(&d->c, c->n_parts * each);
    if (!c->logs) return xr_fail(&d->c, XLAGPU_ERROR_MEMORY, "out of memory: the log of the driver's compiler");
    memset(c->logs, 0, c->n_parts * each);
    for (k = 0; k < c->n_parts; k++) {
        c->parts[k].log = (char *)c->logs + k * each;
        c->parts[k].info = d->jit_log ? c->parts[k].log + XR_JIT_ERROR_BYTES : NULL;
        xr_part_cached(d, &c->parts[k]);
    }
    c->threads = XG_MIN(c->threads, c->n_parts);
    xr_parallel(c->threads, xr_parts_job, c);
    for (k = 0; k < c->n_parts; k++) {
        xlagpu_status one = xr_part_done(p, &c->parts[k]);
        if (s == XLAGPU_OK) s = one;
    }
    return s;
}

/* ---- a program ---- */

/* One block: the head, then lists by kernel, then parts. */
XG_FN XG_COLD xr_cuda_code *xr_code_new(xlagpu_program *p) {
    size_t n = p->n_kernels, parts = XR_PARTS_MAX * sizeof(xr_ptx_part), entries = n * sizeof(xr_ptx_entry);
    char *m = (char *)xg_mem_alloc(&p->device->c, sizeof(xr_cuda_code) + parts + entries + n * 8);
    xr_cuda_code *c = (xr_cuda_code *)(void *)m;
    uint32_t k;
    if (!m) {
        xr_fail(&p->device->c, XLAGPU_ERROR_MEMORY, "out of memory: the table of kernels");
        return NULL;
    }
    memset(m, 0, sizeof(xr_cuda_code) + parts + entries + n * 8);
    c->program = p;
    c->threads = XG_MIN(p->device->threads, (uint32_t)XR_LOADERS_MAX);
    c->parts = (xr_ptx_part *)(void *)(m + sizeof *c);
    c->entries = (xr_ptx_entry *)(void *)(m + sizeof *c + parts);
    c->by_name = (uint32_t *)(void *)(m + sizeof *c + parts + entries);
    c->part_of = c->by_name + n;
    for (k = 0; k < n; k++) c->by_name[k] = k;
    xr_sort(c->by_name, n, sizeof *c->by_name, xr_by_name_less, p);
    return c;
}
/* Machine code of the executable for this very GPU; a driver that does not take it gets the PTX. */
XG_FN XG_COLD bool xr_code_attached(xr_cuda_code *c) {
    const xlagpu_program *p = c->program;
    const xr_cuda *u = xr_cuda_of(p->device);
    if (!p->sections[XG_EXE_CUBIN].bytes || p->device->jit_log) return false;
    if (strcmp(p->strings + p->head.target_name, p->device->target) != 0) return false;
    c->n_parts = 1;
    if (!u->module_load(&c->parts[0].module, p->bytes + p->sections[XG_EXE_CUBIN].offset, 0, NULL, NULL)) return true;
    c->parts[0].module = NULL;
    return false;
}
XG_FN XG_COLD xlagpu_status xr_code_load(xr_cuda_code *c) {
    xlagpu_program *p = c->program;
    uint32_t k;
    xlagpu_status s;
    xr_scan(c);
    s = xr_scan_check(c);
    if (s == XLAGPU_OK && !xr_code_attached(c)) {
        c->n_parts = xr_parts_wanted(c);
        s = xr_parts_cut(c);
        if (s == XLAGPU_OK) s = xr_parts_load(c);
        xg_mem_free(&p->device->c, c->texts);
        xg_mem_free(&p->device->c, c->logs);
        c->texts = c->logs = NULL;
    }
    for (k = 0; k < p->n_kernels && s == XLAGPU_OK; k++) {
        xr_kernel *q = &p->kernels[k];
        s = xr_cuda_function(p->device, c->parts[c->part_of[k]].module, q->name, q->shared_bytes, &q->handle);
    }
    return s;
}

XG_FN XG_COLD xlagpu_status xr_cuda_load(xlagpu_program *p) {
    xlagpu_device *d = p->device;
    xr_cuda_code *c = xr_code_new(p);
    xlagpu_status s;
    if (!c) return d->c.status;
    p->module = c;
    s = xr_cuda_push(&d->c, xr_cuda_of(d));
    if (s != XLAGPU_OK) return s;
    s = xr_code_load(c);
    if (s == XLAGPU_OK && p->has_control_commands) xr_cuda_load_condition(xr_cuda_of(d));
    xr_cuda_pop(xr_cuda_of(d));
    return s;
}
XG_FN XG_COLD void xr_cuda_unload(xlagpu_program *p) {
    xr_cuda_code *c = (xr_cuda_code *)p->module;
    const xr_cuda *u = xr_cuda_of(p->device);
    uint32_t k;
    if (!c) return;
    if (!u->context_push(u->context)) {
        for (k = 0; k < c->n_parts; k++)
            if (c->parts[k].module) u->module_unload(c->parts[k].module);
        xr_cuda_pop(u);
    }
    xg_mem_free(&p->device->c, c);
}

#endif /* XG_RT_CUDA_LOAD_C */
