/* sim/launch.c -- the interface: loading a module, checking a launch, a worker's memory. */
#ifndef XG_SIM_LAUNCH_C
#define XG_SIM_LAUNCH_C
#include "blocks.c"

/* ---- the end of loading ---- */

/* Shared variables: those of one entry come after the common ones, which several functions or a .func use. */
XG_APART XG_FN void xg_sim_layout_shared(xg_sim_asm *p) {
    uint32_t i, common = 0, most = 0;
    uint64_t at;
    bool called_dynamic = false;
    for (i = 0; i < p->funcs.n; i++) p->funcs.p[i]->dynamic_align = 16;
    for (i = 0; i < p->shared.n; i++) {
        xg_sim_sym *s = p->shared.p[i];
        if (s->users == 0 || s->is_extern || s->offset != XG_SIM_NOREG || (s->users == 1 && p->funcs.p[s->user]->entry))
            continue;
        at = ((uint64_t)common + s->align - 1) / s->align * s->align;
        if (at + s->bytes > 1u << 24) xg_sim_limit(p, s->at, "more than 16 MiB of shared memory");
        s->offset = at;
        common = (uint32_t)(at + s->bytes);
    }
    for (i = 0; i < p->funcs.n; i++) p->funcs.p[i]->shared_private = common;
    for (i = 0; i < p->shared.n; i++) {
        xg_sim_sym *s = p->shared.p[i];
        xg_sim_func *f = s->users ? p->funcs.p[s->user] : NULL;
        if (!f || s->is_extern || s->offset != XG_SIM_NOREG) continue;
        at = ((uint64_t)f->shared_private + s->align - 1) / s->align * s->align;
        if (at + s->bytes > 1u << 24) xg_sim_limit(p, s->at, "more than 16 MiB of shared memory");
        s->offset = at;
        f->shared_private = (uint32_t)(at + s->bytes);
    }
    for (i = 0; i < p->consts.n; i++) {
        const xg_sim_const *k = &p->consts.p[i];
        xg_sim_func *f = k->sym ? p->funcs.p[k->func] : NULL;
        if (!f || !k->sym->is_extern) continue;
        f->dynamic_align = XG_MAX(f->dynamic_align, k->sym->align);
        called_dynamic = called_dynamic || !f->entry;
        most = XG_MAX(most, f->dynamic_align);
    }
    for (i = 0; i < p->funcs.n; i++) {
        xg_sim_func *f = p->funcs.p[i];
        f->info.static_shared = f->shared_private;
        if (called_dynamic) p->m->dynamic_at = XG_MAX(p->m->dynamic_at, (f->shared_private + most - 1) / most * most);
    }
}
XG_ONE_COPY XG_FN uint32_t xg_sim_dynamic_at(const xg_sim_module *m, const xg_sim_func *f) {
    return m->dynamic_at ? m->dynamic_at
                         : (f->shared_private + f->dynamic_align - 1) / f->dynamic_align * f->dynamic_align;
}

XG_FN void xg_sim_fill_constants(xg_sim_asm *p) {
    uint32_t i, lane;
    char *mem = (char *)xg_alloc(p->a, xg_add(p->c, p->m->const_bytes, 64 + 256));
    p->m->consts = mem + (64 - (uintptr_t)mem % 64) % 64;
    for (i = 0; i < p->consts.n; i++) {
        const xg_sim_const *k = &p->consts.p[i];
        uint64_t v = k->value;
        if (k->sym) v += k->sym->is_extern ? xg_sim_dynamic_at(p->m, p->funcs.p[k->func]) : k->sym->offset;
        for (lane = 0; lane < XG_SIM_WARP; lane++)
            memcpy(p->m->consts + k->offset + (size_t)lane * k->bytes, &v, k->bytes);
    }
}

/* What a function needs with all it calls. Recursion gets a budget of XG_SIM_RECURSION frames. */
enum {
    XG_SIM_RECURSION = 24,
    XG_SIM_CHAIN = 200
};
XG_FN void xg_sim_walk(xg_sim_asm *p, xg_sim_func *f, uint32_t depth) {
    uint32_t i;
    if (f->mark == 2) return;
    if (f->mark == 1) {
        f->recursive = true;
        return;
    }
    if (depth > XG_SIM_CHAIN) xg_sim_limit(p, f->at, "calls nest deeper than %d", (int)XG_SIM_CHAIN);
    f->mark = 1;
    for (i = 0; i < f->n_calls; i++) {
        xg_sim_func *g = p->funcs.p[f->calls[i]];
        if (g->alias) g = g->alias;
        xg_sim_walk(p, g, depth + 1);
        if (g->recursive) f->recursive = true; /* a cycle, or above one: both get the budget */
        f->stack = XG_MAX(f->stack, g->stack);
        f->deep_local = XG_MAX(f->deep_local, g->deep_local);
        f->depth = XG_MAX(f->depth, g->depth);
    }
    f->mark = 2;
    f->stack += f->frame * (f->recursive && !f->entry ? (uint32_t)XG_SIM_RECURSION : 1u);
    f->deep_local += f->local * (f->recursive && !f->entry ? (uint32_t)XG_SIM_RECURSION : 1u);
    f->depth += f->recursive && !f->entry ? (uint32_t)XG_SIM_RECURSION : 1u;
    if (f->stack > 1u << 28 || f->deep_local > 1u << 26) xg_sim_limit(p, f->at, "the function needs too much stack");
}

enum {
    XG_SIM_GLOBALS_SHADOWED = 1 << 26
}; /* bytes of a variable that gets a shadow */
XG_FN int xg_sim_by_base(const void *a, const void *b) {
    const xg_sim_buffer *x = (const xg_sim_buffer *)a, *y = (const xg_sim_buffer *)b;
    return x->base < y->base ? -1 : x->base > y->base;
}
XG_APART XG_FN void xg_sim_finish(xg_sim_asm *p) {
    xg_sim_module *m = p->m;
    uint32_t i;
    xg_sim_layout_shared(p);
    xg_sim_fill_constants(p);
    for (i = 0; i < p->sites.n; i++)
        if (p->sites.p[i].callee->alias) p->sites.p[i].callee = p->sites.p[i].callee->alias;
    m->n_funcs = p->funcs.n;
    m->funcs = XG_NEW_N(p->a, xg_sim_func *, p->funcs.n + 1);
    for (i = 0; i < p->funcs.n; i++) m->funcs[i] = p->funcs.p[i];
    for (i = 0; i < p->funcs.n; i++)
        if (p->funcs.p[i]->entry) xg_sim_walk(p, p->funcs.p[i], 0);
    m->n_code = p->code.n;
    m->code = XG_NEW_N(p->a, xg_sim_ins, p->code.n + 1);
    if (p->code.n) memcpy(m->code, p->code.p, p->code.n * sizeof *m->code);
    m->classes = XG_NEW_N(p->a, uint8_t, m->n_code + 1);
    for (i = 0; i < m->n_code; i++)
        if (m->code[i].flags & XG_SIM_FIRST) m->classes[i] = xg_sim_class_of(m->src, m->code[i].at);
    for (i = 0; i < p->sites.n; i++) {
        xg_sim_provided what = xg_sim_provided_of(p->sites.p[i].callee);
        m->heap = m->heap || what == XG_SIM_P_ALLOC || what == XG_SIM_P_FREE;
        m->prints = m->prints || what == XG_SIM_P_PRINT;
    }
    for (i = 0; i < m->n_code; i++) {
        m->copies_async = m->copies_async || m->code[i].kind == XG_SIM_K_CPASYNC;
        m->multiplies_async = m->multiplies_async || xg_sim_is_wgmma(&m->code[i]);
    }
    for (i = 0; i < m->n_code; i++) {
        const xg_sim_ins *in = &m->code[i];
        const bool load = xg_sim_is_load(in), access = load || in->kind == XG_SIM_K_ST || in->kind == XG_SIM_K_ATOM;
        if (!access || (in->imm2 & XG_SIM_M_SPACE) > XG_SIM_GLOBAL) continue;
        m->constants = m->constants || (load && in->imm2 & XG_SIM_M_CONSTANT);
        m->textures = m->textures || in->kind == XG_SIM_K_TEX;
        m->narrow = m->narrow || in->imm2 & XG_SIM_M_NARROW;
    }
    for (i = 1; i < m->n_code; i++)
        m->code[i].before = m->code[i - 1].before + ((m->code[i - 1].flags & XG_SIM_FIRST) != 0);
    m->list = XG_NEW_N(p->a, uint32_t, p->list.n + 1);
    if (p->list.n) memcpy(m->list, p->list.p, p->list.n * sizeof *m->list);
    m->copies = XG_NEW_N(p->a, xg_sim_copy, p->copies.n + 1);
    if (p->copies.n) memcpy(m->copies, p->copies.p, p->copies.n * sizeof *m->copies);
    m->sites = XG_NEW_N(p->a, xg_sim_callsite, p->sites.n + 1);
    if (p->sites.n) memcpy(m->sites, p->sites.p, p->sites.n * sizeof *m->sites);
    m->n_vars = p->vars.n;
    m->vars = XG_NEW_N(p->a, xg_sim_var, p->vars.n + 1);
    m->globals.p = XG_NEW_N(p->a, xg_sim_buffer, p->vars.n + 1);
    for (i = 0; i < p->vars.n; i++) {
        xg_sim_buffer *b;
        m->vars[i] = p->vars.p[i];
        if (!m->vars[i].bytes) continue;
        b = &m->globals.p[m->globals.n++];
        b->base = m->vars[i].address;
        b->bytes = m->vars[i].bytes;
        b->name = m->vars[i].name.p;
        b->readonly = m->vars[i].readonly;
    }
    m->swept = XG_NEW(p->a, uint32_t);
    for (i = 0; i < m->globals.n; i++) { /* all of it counts as written */
        xg_sim_buffer *b = &m->globals.p[i];
        uint64_t lines = xg_sim_shadow_lines(b), l;
        if (b->readonly || b->bytes > XG_SIM_GLOBALS_SHADOWED || b->base % 4) continue;
        b->shadow = (uint32_t *)xg_alloc_raw(p->a, (size_t)xg_sim_shadow_bytes(b));
        for (l = 0; l < 2 * lines; l++) b->shadow[l] = l % 2 == 0;
        memset(xg_sim_shadow_launches(b), 0, 8);
    }
    if (m->globals.n) qsort(m->globals.p, m->globals.n, sizeof *m->globals.p, xg_sim_by_base);
}

XG_APART XG_FN void xg_sim_load_in(xg_sim_asm *p) {
    size_t i;
    const char *name = xg_sim_row_names;
    xg_arena *s = &p->scratch;
    xg_dict_init(&p->names, s);
    xg_dict_init(&p->rows, s);
    xg_map64_init(&p->syms, s);
    for (i = 0; i < 3; i++) xg_map64_init(&p->const_map[i], s);
    for (i = 0; i < XG_COUNT(xg_sim_row_args); i++, name += strlen(name) + 1)
        xg_dict_put(&p->rows, xg_str_z(name), (void *)(uintptr_t)(i + 1));
    p->parents = XG_NEW_N(s, uint32_t, 16);
    p->parents_cap = 16;
    p->stmt = XG_NEW(s, xg_sim_stmt);
    if (p->src->size > 0x7FFFFFFFu) xg_fail(p->c, XLAGPU_ERROR_LIMIT, "PTX text of more than 2 GiB");
    xg_sim_next(p);
    while (p->t.kind != XG_SIM_TK_END) xg_sim_module_item(p);
    if (!p->m->version)
        xg_sim_bad(p, 0, "begin with .version 8.0, .target sm_90, .address_size 64", "there is no PTX module here");
    xg_sim_finish(p);
    xg_sim_fast_choose(p->m);
}

/* The scratch arena must go away also when loading fails: catch, free, and fail on. */
XG_FN xg_sim_module *xg_sim_load_guarded(xg_sim_asm *p) {
    jmp_buf here, *outer = p->c->guard;
    if (setjmp(here)) {
        xg_arena_free(&p->scratch);
        p->c->guard = outer;
        longjmp(*outer, 1);
    }
    p->c->guard = &here;
    xg_sim_load_in(p);
    p->c->guard = outer;
    xg_arena_free(&p->scratch);
    return p->m;
}
/* Words of kernels that may look at the ranks in shared addresses; in all others these have none. */
XG_FN bool xg_sim_says_ranks(const xg_source *ptx) {
    XG_TABLE const char *const words[] = {"mapa", "multicast::cluster", "cta_group::2", "cluster_ctarank"};
    size_t i, k;
    for (i = 0; i < ptx->size; i++)
        for (k = 0; k < XG_COUNT(words) && (ptx->text[i] == 'm' || ptx->text[i] == 'c'); k++)
            if (xg_sim_prefix(xg_str_of(ptx->text + i, ptx->size - i), words[k])) return true;
    return false;
}
XG_SIM_FN xg_sim_module *xg_sim_load_as(
    xg_ctx *c, xg_arena *a, const xg_source *ptx, xg_sim_unit unit, xg_sim_approx approx) {
    xg_sim_asm *p = XG_NEW(a, xg_sim_asm);
    p->c = c;
    p->a = a;
    p->src = ptx;
    p->unit = unit;
    p->approx = approx;
    p->m = XG_NEW(a, xg_sim_module);
    p->m->src = ptx;
    p->m->moves = xg_sim_moves_of(unit);
    p->m->ranks = xg_sim_says_ranks(ptx);
    xg_arena_init(&p->scratch, c);
    return xg_sim_load_guarded(p);
}
XG_SIM_FN xg_sim_module *xg_sim_load_for(xg_ctx *c, xg_arena *a, const xg_source *ptx, xg_sim_unit unit) {
    return xg_sim_load_as(c, a, ptx, unit, XG_SIM_APPROX_USUAL);
}
XG_SIM_FN xg_sim_module *xg_sim_load(xg_ctx *c, xg_arena *a, const xg_source *ptx) {
    return xg_sim_load_for(c, a, ptx, xg_sim_unit_best());
}

/* ---- questions ---- */

XG_SIM_FN uint32_t xg_sim_entries(const xg_sim_module *m) {
    uint32_t i, n = 0;
    for (i = 0; i < m->n_funcs; i++) n += m->funcs[i]->entry && m->funcs[i]->defined;
    return n;
}
XG_SIM_FN const xg_sim_entry *xg_sim_entry_at(const xg_sim_module *m, uint32_t at) {
    uint32_t i;
    for (i = 0; i < m->n_funcs; i++)
        if (m->funcs[i]->entry && m->funcs[i]->defined && at-- == 0) return (const xg_sim_entry *)m->funcs[i];
    return NULL;
}
XG_SIM_FN const xg_sim_entry *xg_sim_find(const xg_sim_module *m, xg_str name) {
    uint32_t i;
    for (i = 0; i < m->n_funcs; i++)
        if (m->funcs[i]->entry && m->funcs[i]->defined && xg_str_eq(m->funcs[i]->info.name, name))
            return (const xg_sim_entry *)m->funcs[i];
    return NULL;
}
XG_SIM_FN const xg_sim_info *xg_sim_entry_info(const xg_sim_entry *e) { return &e->f.info; }
XG_SIM_FN void xg_sim_stats_add(xg_sim_stats *sum, const xg_sim_stats *more) {
    uint32_t i;
#define X(name) sum->name += more->name;
    XLAGPU_COUNTERS(X)
#undef X
    for (i = 0; i < XLAGPU_CLASS_COUNT; i++) {
        sum->class_warps[i] += more->class_warps[i];
        sum->class_lanes[i] += more->class_lanes[i];
    }
}

/* ---- launching ---- */

XG_FN xlagpu_status xg_sim_refuse(xg_ctx *c, const char *format, ...) XG_PRINTF(2, 3);
XG_FN xlagpu_status xg_sim_refuse(xg_ctx *c, const char *format, ...) {
    va_list args;
    va_start(args, format);
    c->status = XLAGPU_OK;
    xg_error_set(c, XLAGPU_ERROR_USAGE, NULL, 0, NULL, format, args);
    va_end(args);
    return XLAGPU_ERROR_USAGE;
}

/* A number that is prime to that of the blocks, by the seed. */
XG_FN uint64_t xg_sim_block_step(const xg_sim_launch *l) {
    const uint64_t n = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    uint64_t step = (l->seed * 0x9E3779B97F4A7C15u >> 33) % n + 1;
    for (;; step++) {
        uint64_t a = n, b = step;
        while (b) {
            const uint64_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1) return step;
    }
}
/* The heap that malloc gives from, where a kernel calls it. */
XG_FN xlagpu_status xg_sim_prepare_heap(xg_ctx *c, const xg_sim_launch *l) {
    if (!l->module->heap || !l->memory || xg_sim_heap_make(l->memory)) return XLAGPU_OK;
    (void)xg_sim_refuse(c, "out of memory: kernel '%s' needs the heap of malloc", l->entry->f.info.name.p);
    return c->status = XLAGPU_ERROR_MEMORY;
}
XG_SIM_FN xlagpu_status xg_sim_prepare(xg_ctx *c, xg_sim_launch *l) {
    const xg_sim_func *f = &l->entry->f;
    uint64_t threads = 1, at;
    int i;
    const char *name = f->info.name.p;
    for (i = 0; i < 3; i++) {
        if (!l->grid[i]) l->grid[i] = 1;
        if (!l->block[i]) l->block[i] = 1;
        threads = threads > 4096 || l->block[i] > 4096 ? 4097 : threads * l->block[i];
    }
    if (threads > 1024)
        return xg_sim_refuse(c, "kernel '%s': a block of %ux%ux%u has more than 1024 threads", name, l->block[0],
            l->block[1], l->block[2]);
    if (l->grid[1] > 65535 || l->grid[2] > 65535 || l->grid[0] > 0x7FFFFFFFu)
        return xg_sim_refuse(
            c, "kernel '%s': a grid of %ux%ux%u is too large", name, l->grid[0], l->grid[1], l->grid[2]);
    for (i = 0; i < 3; i++)
        if (f->info.reqntid[0] && f->info.reqntid[i] != l->block[i])
            return xg_sim_refuse(c, "kernel '%s' must be launched with blocks of %ux%ux%u, not %ux%ux%u", name,
                f->info.reqntid[0], f->info.reqntid[1], f->info.reqntid[2], l->block[0], l->block[1], l->block[2]);
    if (f->info.maxntid[0] && threads > (uint64_t)f->info.maxntid[0] * f->info.maxntid[1] * f->info.maxntid[2])
        return xg_sim_refuse(c, "kernel '%s' allows blocks of %u threads, not %u", name,
            f->info.maxntid[0] * f->info.maxntid[1] * f->info.maxntid[2], (uint32_t)threads);
    if (l->param_bytes != f->info.param_bytes)
        return xg_sim_refuse(
            c, "kernel '%s' has %u bytes of parameters, not %zu", name, f->info.param_bytes, l->param_bytes);
    l->cluster_blocks = 1;
    for (i = 0; i < 3; i++) {
        if (f->info.cluster[i] && l->cluster[i] && f->info.cluster[i] != l->cluster[i])
            return xg_sim_refuse(c, "kernel '%s' has clusters of %ux%ux%u blocks", name, f->info.cluster[0],
                f->info.cluster[1], f->info.cluster[2]);
        if (!l->cluster[i]) l->cluster[i] = XG_MAX(1u, f->info.cluster[i]);
        if (l->cluster[i] > XG_SIM_CLUSTER_MAX || (l->cluster_blocks *= l->cluster[i]) > XG_SIM_CLUSTER_MAX)
            return xg_sim_refuse(c, "kernel '%s': a cluster has at most %d blocks", name, (int)XG_SIM_CLUSTER_MAX);
        if (l->grid[i] % l->cluster[i])
            return xg_sim_refuse(c, "kernel '%s': a grid of %ux%ux%u is no multiple of the clusters", name, l->grid[0],
                l->grid[1], l->grid[2]);
    }
    if (!l->sm_count) l->sm_count = 132;
    if (!l->shared_limit) l->shared_limit = xg_sim_target_shared(l->module->target);
    l->shared_base_dynamic = xg_sim_dynamic_at(l->module, f);
    at = l->dynamic_shared ? (uint64_t)l->shared_base_dynamic + l->dynamic_shared : f->info.static_shared;
    if (at > l->shared_limit)
        return xg_sim_refuse(c, "kernel '%s' needs %u bytes of shared memory; a block of the target %.*s has %u", name,
            (uint32_t)XG_MIN(at, 0xFFFFFFFFu), (int)l->module->target.n, l->module->target.p, l->shared_limit);
    if (f->info.static_shared > XG_SHARED_STATIC_BYTES && !xg_sim_target_letter(l->module->target))
        return xg_sim_refuse(c, "kernel '%s' declares %u bytes of shared memory; more than %d must be dynamic", name,
            f->info.static_shared, (int)XG_SHARED_STATIC_BYTES);
    l->shared_bytes = (uint32_t)at;
    l->threads = (uint32_t)threads;
    l->warps = (l->threads + XG_SIM_WARP - 1) / XG_SIM_WARP;
    l->alloca_bytes = l->module->allocas ? XG_SIM_ALLOCA_BYTES : 0;
    l->local_bytes = (f->deep_local + 15) / 16 * 16 + l->alloca_bytes;
    l->stack_bytes = (f->stack + 63) / 64 * 64;
    /* warps side by side shall not compete for the same cache lines */
    if (l->stack_bytes / 64 % 2 == 0) l->stack_bytes += 64;
    l->call_depth = f->depth;
    l->stop = 0;
    l->taken = 0;
    l->block_step = xg_sim_block_step(l);
    return xg_sim_prepare_heap(c, l);
}

/* A worker's memory, part after part; with memory NULL only the size is counted. */
typedef struct xg_sim_carve {
    char *at;
    size_t n;
} xg_sim_carve;
XG_FN char *xg_sim_carve_out(xg_sim_carve *c, size_t bytes) {
    char *p = c->at ? c->at + c->n : NULL;
    c->n += (bytes + 63) / 64 * 64;
    return p;
}
XG_FN size_t xg_sim_carve_worker(xg_sim_worker *out, char *memory, const xg_sim_launch *l) {
    xg_sim_carve c;
    xg_sim_worker w;
    uint32_t i;
    memset(&w, 0, sizeof w);
    c.at = memory;
    c.n = 0;
    xg_sim_carve_out(&c, sizeof(xg_sim_worker));
    w.warps = (xg_sim_warp *)(void *)xg_sim_carve_out(&c, l->warps * sizeof(xg_sim_warp));
    if (memory) memset(w.warps, 0, l->warps * sizeof(xg_sim_warp));
    w.groups = (xg_sim_group *)(void *)xg_sim_carve_out(&c, l->warps * sizeof(xg_sim_group));
    w.tid = (uint32_t *)(void *)xg_sim_carve_out(&c, (size_t)l->warps * 96 * 4);
    w.scratch = xg_sim_carve_out(&c, 512);
    w.scratch2 = xg_sim_carve_out(&c, 512);
    w.runs = (xg_sim_runs *)(void *)xg_sim_carve_out(&c, ((size_t)l->module->n_code + 1) * sizeof(xg_sim_runs));
    w.faults = (xg_sim_kept *)(void *)xg_sim_carve_out(&c, XG_MAX(l->max_faults, 1u) * sizeof *w.faults);
    w.sides = (xg_sim_search *)(void *)xg_sim_carve_out(&c, XG_MAX(l->max_faults, 1u) * sizeof *w.sides);
    w.params = xg_sim_carve_out(&c, l->param_bytes + 64);
    w.regs = xg_sim_carve_out(&c, (size_t)l->warps * l->stack_bytes);
    w.shared = xg_sim_carve_out(&c, (size_t)l->shared_bytes + 1024 + 64);
    w.shadow = xg_sim_carve_out(&c, l->shared_bytes + 64);
    w.marks = (uint32_t *)(void *)xg_sim_carve_out(&c, ((size_t)l->shared_bytes / 4 + 1) * 8);
    if (l->shared_bytes) {
        const uint32_t stores = l->warps * XG_SIM_STORED;
        uint32_t *off, k;
        w.stored = (xg_sim_stored *)(void *)xg_sim_carve_out(&c, stores * sizeof *w.stored);
        off = (uint32_t *)(void *)xg_sim_carve_out(&c, stores * sizeof *off * XG_SIM_WARP);
        for (k = 0; memory && k < stores; k++) w.stored[k].off = off + k * XG_SIM_WARP;
        w.reads = (xg_sim_read *)(void *)xg_sim_carve_out(&c, XG_SIM_READS_KEPT * sizeof *w.reads);
        w.read_rows = (uint32_t(*)[XG_SIM_WARP])(void *)xg_sim_carve_out(&c, XG_SIM_READ_ROWS * sizeof *w.read_rows);
    }
    if (l->module->copies_async) {
        w.copy_threads =
            (xg_sim_copy_thread *)(void *)xg_sim_carve_out(&c, l->warps * XG_SIM_WARP * sizeof(xg_sim_copy_thread));
        w.copy_words = (xg_sim_copy_word *)(void *)xg_sim_carve_out(
            &c, ((size_t)l->shared_bytes / 4 + 1) * sizeof(xg_sim_copy_word));
    }
    if (l->module->multiplies_async) {
        xg_sim_late *late = (xg_sim_late *)(void *)xg_sim_carve_out(&c, l->warps * XG_SIM_LATE * sizeof *late);
        for (i = 0; memory && i < l->warps; i++) w.warps[i].late = late + i * XG_SIM_LATE;
    }
    if (l->module->tensor_memory) {
        xg_sim_tensor_block t, *at = (xg_sim_tensor_block *)(void *)xg_sim_carve_out(&c, sizeof t);
        memset(&t, 0, sizeof t);
        t.cells = (uint32_t *)(void *)xg_sim_carve_out(&c, XG_SIM_TENSOR_CELLS * sizeof *t.cells);
        t.states = (uint32_t *)(void *)xg_sim_carve_out(&c, XG_SIM_TENSOR_CELLS * sizeof *t.states);
        t.lent = (uint32_t *)(void *)xg_sim_carve_out(&c, XG_SIM_TENSOR_CELLS * sizeof *t.lent);
        t.a = (double *)(void *)xg_sim_carve_out(&c, XG_SIM_UMMA_ROWS * XG_SIM_UMMA_K * sizeof *t.a);
        t.b = (double *)(void *)xg_sim_carve_out(&c, (size_t)XG_SIM_UMMA_K * XG_SIM_UMMA_N * sizeof *t.b);
        if (memory) *at = t;
        w.tensor = at;
    }
    if (l->module->allocas)
        w.stack = (uint32_t *)(void *)xg_sim_carve_out(&c, l->warps * XG_SIM_WARP * sizeof *w.stack);
    w.local = xg_sim_carve_out(&c, (size_t)l->warps * XG_SIM_WARP * l->local_bytes + 64);
    {
        xg_sim_frame *frames =
            (xg_sim_frame *)(void *)xg_sim_carve_out(&c, (size_t)l->warps * (l->call_depth + 1) * sizeof(xg_sim_frame));
        for (i = 0; memory && i < l->warps; i++) {
            w.warps[i].frames = frames + (size_t)i * (l->call_depth + 1);
            w.warps[i].id = i;
        }
    }
    /* shared addresses keep their alignment when generic */
    if (out) {
        w.shared += (1024 - (uintptr_t)w.shared % 1024) % 1024;
        *out = w;
    }
    return c.n + 64;
}
/* What the blocks of a cluster share lies before them. */
XG_FN size_t xg_sim_carve_cluster(xg_sim_cluster *out, char *memory, const xg_sim_launch *l) {
    xg_sim_carve c;
    xg_sim_cluster k;
    c.at = memory;
    c.n = 0;
    memset(&k, 0, sizeof k);
    xg_sim_carve_out(&c, sizeof(xg_sim_cluster));
    k.n = l->cluster_blocks;
    k.peers = (xg_sim_worker **)(void *)xg_sim_carve_out(&c, k.n * sizeof *k.peers);
    k.flights = (xg_sim_flight *)(void *)xg_sim_carve_out(&c, XG_SIM_FLIGHTS * sizeof *k.flights);
    if (l->module->tensor_memory)
        k.leases = (xg_sim_lease *)(void *)xg_sim_carve_out(&c, XG_SIM_LEASES * sizeof *k.leases);
    if (out) *out = k;
    return c.n;
}
XG_SIM_FN size_t xg_sim_worker_bytes(const xg_sim_launch *l) {
    return xg_sim_carve_cluster(NULL, NULL, l) + xg_sim_carve_worker(NULL, NULL, l) * l->cluster_blocks + 64;
}

XG_APART XG_FN xg_sim_worker *xg_sim_worker_make(char *at, xg_sim_launch *l) {
    xg_sim_worker *w = (xg_sim_worker *)(void *)at;
    uint32_t i, full = l->threads / XG_SIM_WARP;
    xg_sim_carve_worker(w, at, l);
    w->l = l;
    w->m = l->module;
    w->block = (uint64_t)0 - 2; /* no block comes after it */
    w->unchecked = l->unchecked_shared && l->unchecked_global && l->unchecked_races;
    if (l->param_bytes) memcpy(w->params, l->params, l->param_bytes);
    memset(w->runs, 0, ((size_t)l->module->n_code + 1) * sizeof *w->runs);
    memset(w->regs, 0, (size_t)l->warps * l->stack_bytes);
    if (w->copy_threads) memset(w->copy_threads, 0, l->warps * XG_SIM_WARP * sizeof *w->copy_threads);
    if (l->shared_bytes) {
        memset(w->shadow, 0, l->shared_bytes);
        memset(w->marks, 0, ((size_t)l->shared_bytes / 4 + 1) * 8);
    }
    w->launch_tag = l->first_interval << XG_SIM_TAG_INTERVAL;
    for (i = 0; i < l->warps * XG_SIM_WARP; i++) {
        uint32_t *t = w->tid + (size_t)(i / XG_SIM_WARP) * 96 + i % XG_SIM_WARP;
        t[0] = i % l->block[0];
        t[32] = i / l->block[0] % l->block[1];
        t[64] = i / l->block[0] / l->block[1];
    }
    for (i = 0; i < l->warps; w->n_groups++) {
        xg_sim_group *g = &w->groups[w->n_groups];
        g->first = i;
        g->n = i < full ? XG_MIN((uint32_t)XG_SIM_TOGETHER, full - i) : 1;
        i += g->n;
    }
    return w;
}
XG_SIM_FN xg_sim_worker *xg_sim_worker_init(void *memory, xg_sim_launch *l) {
    char *at = (char *)memory + (64 - (uintptr_t)memory % 64) % 64;
    xg_sim_cluster *c = (xg_sim_cluster *)(void *)at;
    size_t each = xg_sim_carve_worker(NULL, NULL, l);
    uint32_t r;
    at += xg_sim_carve_cluster(c, at, l);
    for (r = 0; r < c->n; r++, at += each) {
        c->peers[r] = xg_sim_worker_make(at, l);
        c->peers[r]->cluster = c;
        c->peers[r]->rank = r;
        if (c->n > 1 && l->module->ranks) c->peers[r]->window = XG_SIM_RANKED | r << XG_SIM_WINDOW;
        if (l->trace) c->peers[r]->tracer = &l->trace->tracers[l->trace->taken++ % l->trace->n_tracers];
    }
    return c->peers[0];
}
XG_SIM_FN uint64_t xg_sim_next_blocks(xg_sim_launch *l, uint64_t n) { return XG_SIM_COUNTER_ADD(&l->taken, n); }
XG_SIM_FN const xg_sim_stats *xg_sim_worker_stats(xg_sim_worker *w) {
    uint32_t r;
    for (r = 0; r < w->cluster->n; r++) xg_sim_fold_classes(w->cluster->peers[r], &w->stats);
    return &w->stats;
}
XG_SIM_FN const xg_sim_kept *xg_sim_fault_at(const xg_sim_worker *w, uint32_t i) {
    return i < w->n_faults ? &w->faults[i] : NULL;
}
XG_SIM_FN size_t xg_sim_fault_text(const xg_sim_worker *w, char *out, size_t cap) {
    if (cap) out[0] = 0;
    return w->n_faults ? xg_format(out, cap, "%s", w->faults[0].text) : 0;
}
XG_SIM_FN XG_COLD const xg_sim_entry *xg_sim_find_plain(const xg_sim_module *m, xg_str name) {
    const xg_sim_entry *found = xg_sim_find(m, name), *e;
    const uint32_t all = found ? 0 : xg_sim_entries(m);
    char plain[XG_SIM_PLACE_MAX];
    uint32_t i;
    for (i = 0; i < all; i++) {
        size_t n;
        e = xg_sim_entry_at(m, i);
        n = xg_sim_demangle(xg_sim_entry_info(e)->name, plain, sizeof plain);
        /* a template is also called without its arguments: app::race of app::race<...> */
        if (!xg_str_eq(name, xg_str_of(plain, n)) &&
            !(name.n < n && plain[name.n] == '<' && xg_str_eq(name, xg_str_of(plain, name.n))))
            continue;
        if (found) return NULL;
        found = e;
    }
    return found;
}
XG_SIM_FN size_t xg_sim_kernel_names(const xg_sim_module *m, char *out, size_t cap) {
    enum {
        SHOWN = 8
    };
    const uint32_t all = xg_sim_entries(m);
    uint32_t i;
    size_t n = 0;
    if (cap) out[0] = 0;
    for (i = 0; i < all && i < SHOWN && n + 1 < cap; i++) {
        const xg_str name = xg_sim_entry_info(xg_sim_entry_at(m, i))->name;
        char plain[XG_SIM_PLACE_MAX];
        const size_t k = xg_sim_demangle(name, plain, sizeof plain);
        const char *before = i == 0 ? "" : i + 1 == all ? " and " : ", ";
        n += xg_format(out + n, cap - n, "%s%.*s", before, (int)XG_MIN(name.n, 200u), name.p);
        if (n + 1 < cap && !xg_str_eq(name, xg_str_of(plain, k))) n += xg_format(out + n, cap - n, " (%s)", plain);
    }
    if (all > SHOWN && n + 1 < cap) n += xg_format(out + n, cap - n, " and %u more", all - SHOWN);
    return XG_MIN(n, cap ? cap - 1 : 0);
}

#endif /* XG_SIM_LAUNCH_C */
