/* sim/trace.c -- what a launch does, for the model of time (cost/time.c): counted only where it is asked for.
 *
 * - Pipes: how often each record ran (classes.c) times what its instruction costs there, from a table over PTX's names.
 *   An instruction that the assembler expands counts as what it becomes.
 * - Levels of memory: a first cache of each block (lines of 128 bytes with four sectors each, least recently used goes,
 *   stores write through), whose misses go to the second cache; a bit for each sector of device memory says what was
 *   read and written at all, which is what device memory gives and takes.
 * - The time of a block that is alone: clocks.c.
 *
 * A traced launch runs its memory accesses by the long way, so it is slower; others do not notice. */
#ifndef XG_SIM_TRACE_C
#define XG_SIM_TRACE_C
#include "memory.c"

enum {
    XG_SIM_TRACE_LINE_BYTES = 128,
    XG_SIM_TRACE_SECTOR_BYTES = 32,
    XG_SIM_TRACE_SLOT_BYTES = 64,   /* of the smallest register */
    XG_SIM_TRACE_SCHEDULERS = 4,    /* of a multiprocessor: each has a part of every pipe (CUDA guide) */
    XG_SIM_TRACE_WAYS = 4,          /* lines of a set of the modelled first cache */
    XG_SIM_TRACE_LINES_MOST = 2048, /* 256 KiB */
    XG_SIM_TRACE_BLOCKS = 8,        /* whose clocks are kept */
    XG_SIM_TRACE_GROUPS = 8,        /* of asynchronous work that are remembered */
    XG_SIM_TRACE_EVENTS = 64,       /* memory barriers that are remembered */
    XG_SIM_TRACE_FLIGHT = 64,      /* registers that loads of straight code wait for at a time (SASS of ptxas 13: 65) */
    XG_SIM_TRACE_FLIGHT_SHARE = 2, /* ... and at most this part of what a thread can have */
    XG_SIM_TRACE_LINE_TENTHS = 34, /* lines that one access reaches in ten clocks (gpu-benches, strides on H200: 3.4) */
    XG_SIM_TRACE_ALU_CLOCKS = 4,   /* from a result to its first use (accel-sim on Volta: 4.1; all since) */
    XG_SIM_TRACE_SPECIAL_CLOCKS =
        20,                          /* accel-sim: 21; gpu-micro-bench on Turing: 15 to 16 and the multiply around it */
    XG_SIM_TRACE_F64_CLOCKS = 8,     /* accel-sim: 8.1 */
    XG_SIM_TRACE_WARP_CLOCKS = 24,   /* shuffles and votes (accel-sim: 22; 23 to 25 since) */
    XG_SIM_TRACE_TENSOR_CLOCKS = 33, /* accel-sim's wmma: 35; about 33 since */
    XG_SIM_TRACE_BARRIER_CLOCKS = 30, /* until the last warp has come (20 to 40) */
    XG_SIM_TRACE_ATOMIC_CLOCKS = 30   /* beyond the second cache's latency (accel-sim: 244 beside 215) */
};

/* X(instruction, PIPE, warp instructions that it becomes, latency): those that take more than their type says. A `v`
 * latency is that of arithmetic. Sources: SASS of ptxas 12 and 13 for sm_80 and sm_90. */
/* clang-format off */
#define XG_SIM_PRICES(X) \
    X("ex2", SPECIAL, 1, XG_SIM_TRACE_SPECIAL_CLOCKS) \
    X("lg2", SPECIAL, 1, XG_SIM_TRACE_SPECIAL_CLOCKS) \
    X("sin", SPECIAL, 1, XG_SIM_TRACE_SPECIAL_CLOCKS) \
    X("cos", SPECIAL, 1, XG_SIM_TRACE_SPECIAL_CLOCKS) \
    X("tanh", SPECIAL, 1, XG_SIM_TRACE_SPECIAL_CLOCKS) \
    X("rsqrt", SPECIAL, 1, XG_SIM_TRACE_SPECIAL_CLOCKS) \
    X("rcp", SPECIAL, 1, XG_SIM_TRACE_SPECIAL_CLOCKS) \
    X("sqrt", SPECIAL, 1, XG_SIM_TRACE_SPECIAL_CLOCKS) \
    X("popc", SPECIAL, 1, 10) \
    X("clz", SPECIAL, 1, 10) \
    X("bfind", SPECIAL, 1, 10) \
    X("brev", SPECIAL, 1, 10) \
    X("rem", INTEGER, 18, 60) \
    X("mov", NONE, 0, 0) \
    X("cvta", NONE, 0, 0) \
    X("ret", NONE, 0, 0) \
    X("exit", NONE, 0, 0)
/* clang-format on */

typedef struct xg_sim_price {
    uint8_t pipe;     /* an xg_cost_pipe; XG_PIPE_COUNT: none */
    uint8_t weight;   /* warp instructions */
    uint8_t pairs;    /* 1: each takes the pipe for two: f32x2 */
    uint16_t latency; /* clocks */
    uint16_t full;    /* the instruction's latency, of which a record may have nothing */
    uint8_t tensor;   /* an xg_cost_tensor, where there are macs */
    bool stays;       /* the assembler leaves it where it is */
    bool wide;        /* the matrix units read shared memory: wgmma, tcgen05 */
    uint16_t piped;   /* clocks that a scheduler's part of the pipe takes for it */
    uint32_t macs;    /* multiply-adds of a warp instruction */
    uint32_t clocks;  /* that a scheduler's matrix unit takes for them */
    uint32_t feed;    /* quarters of passes of shared memory that it reads for them */
} xg_sim_price;

typedef struct xg_sim_line {
    uint64_t tag;
    uint32_t used, sectors;
} xg_sim_line;
/* Asynchronous work of a warp in groups: when that of the group under way is done, how many groups were closed, and
 * when they and all before them were done. */
typedef struct xg_sim_groups_done {
    uint32_t now, n, at[XG_SIM_TRACE_GROUPS];
} xg_sim_groups_done;
typedef struct xg_sim_warp_clock {
    uint32_t now, unit; /* the warp's clock; when its matrix unit is free */
    /* of the straight code here: the last begin of an instruction, and of a store */
    uint32_t latest, stored;
    uint32_t since, piped[XG_PIPE_COUNT]; /* 1 + when it began to use pipes; clocks of each that it takes */
    uint32_t awaited, turns; /* when the value was ready that the last one waited for; slots that it gave out */
    uint32_t flight[XG_SIM_TRACE_FLIGHT], n_flight; /* when the last registers that loads set are ready, a ring */
    xg_sim_groups_done copies, bulk, tiles;
} xg_sim_warp_clock;
typedef struct xg_sim_event_clock {
    const char *bar; /* a memory barrier */
    uint32_t ready;  /* when the last of what it waits for was there */
} xg_sim_event_clock;
typedef struct xg_sim_tracer { /* a worker's part */
    xg_sim_line *lines;
    uint32_t *ready;             /* by warp and slot: clocks; NULL: none are kept of this block */
    xg_sim_warp_clock *warps;    /* then what ready points to */
    uint32_t tick, opened, umma; /* when the last barrier was; when tcgen05 has no more to do */
    uint64_t l1_tenths, l2_sectors, bulk_sectors, passes;    /* passes: beside the threads */
    uint64_t warp_clocks, warp_issued, warp_tensor, sampled; /* of the blocks whose clocks were kept */
    uint32_t level;                                          /* latency of the access under way */
    uint64_t began, tensor; /* warp instructions before the block; clocks of its matrix units */
    xg_sim_event_clock events[XG_SIM_TRACE_EVENTS];
    uint64_t pipes[XG_PIPE_COUNT], issued, macs[XG_TENSOR_COUNT], warp_macs[XG_TENSOR_COUNT];
} xg_sim_tracer;
typedef struct xg_sim_map {
    uint64_t base, bytes;
    uint64_t line; /* where its lines begin among all, however the host has spread them: the first cache goes by that */
    uint32_t *read, *written;
} xg_sim_map;
struct xg_sim_trace {
    xg_ctx *c;
    const xg_device *device;
    xg_sim_price *prices;
    xg_sim_map *maps;
    uint32_t n_maps, n_tracers, taken, lines, slots, most_flight;
    uint64_t every; /* clusters from one whose blocks' clocks are kept to the next */
    xg_sim_tracer *tracers;
    void *memory[4];
};

/* ---- prices ---- */

typedef struct xg_sim_priced {
    char text[6];
    uint8_t pipe, weight;
    uint16_t latency;
} xg_sim_priced;
#define XG_PIPE_NONE XG_PIPE_COUNT
XG_TABLE const xg_sim_priced xg_sim_prices[] = {
#define X(text, pipe, weight, latency) {text, XG_PIPE_##pipe, weight, latency},
    XG_SIM_PRICES(X)
#undef X
};
#undef XG_PIPE_NONE

/* One word of an instruction's name, ".f32"; false behind the last. */
XG_FN bool xg_sim_trace_word(const xg_source *s, size_t *at, xg_str *out) {
    size_t from = *at;
    if (from >= s->size) return false;
    if (s->text[from] == '.') from++;
    for (*at = from; *at < s->size && (xg_sim_is_word(s->text[*at]) || s->text[*at] == ':'); ++*at) {}
    *out = xg_str_of(s->text + from, *at - from);
    return out->n > 0;
}
XG_FN uint32_t xg_sim_trace_digits(xg_str w, size_t *k) {
    uint32_t n = 0;
    for (; *k < w.n && w.p[*k] >= '0' && w.p[*k] <= '9' && n < 100000; ++*k) n = n * 10 + (uint32_t)(w.p[*k] - '0');
    return n;
}
XG_FN uint8_t xg_sim_trace_tensor_of(xg_str type) {
    if (xg_sim_prefix(type, "f16") || xg_sim_prefix(type, "bf16")) return XG_TENSOR_F16;
    if (xg_str_is(type, "tf32")) return XG_TENSOR_TF32;
    if (xg_sim_prefix(type, "e4m3") || xg_sim_prefix(type, "e5m2")) return XG_TENSOR_F8;
    if (xg_sim_prefix(type, "e2m1") || xg_sim_prefix(type, "e2m3") || xg_sim_prefix(type, "e3m2")) return XG_TENSOR_F4;
    if (xg_str_is(type, "f64")) return XG_TENSOR_F64;
    return XG_TENSOR_I8;
}
/* "m16n8k16", and the type of A, which is the second of the types of mma and wgmma. */
XG_APART XG_FN void xg_sim_trace_price_tensor(const xg_source *s, size_t at, xg_sim_price *p, bool wide) {
    uint64_t macs = 1;
    uint32_t types = 0;
    xg_str w;
    p->pipe = XG_PIPE_COUNT;
    p->weight = 1;
    p->latency = XG_SIM_TRACE_TENSOR_CLOCKS;
    p->wide = wide;
    while (at < s->size && s->text[at] == '.' && xg_sim_trace_word(s, &at, &w)) {
        size_t k = 1;
        if (w.n > 4 && w.p[0] == 'm' && w.p[1] >= '0' && w.p[1] <= '9') {
            macs = xg_sim_trace_digits(w, &k);
            for (; k < w.n && (w.p[k] == 'n' || w.p[k] == 'k');) {
                k++;
                macs *= xg_sim_trace_digits(w, &k);
            }
        } else if (w.n > 1 && strchr("fbstue", w.p[0]) && w.p[w.n - 1] >= '0' && w.p[w.n - 1] <= '9' && ++types == 2)
            p->tensor = xg_sim_trace_tensor_of(w);
    }
    p->macs = (uint32_t)(macs > 1 ? macs / (wide ? 4 : 1) : 0); /* four warps give one wgmma */
}
XG_APART XG_FN void xg_sim_trace_price_typed(const xg_source *s, size_t at, xg_str op, xg_sim_price *p) {
    bool wide = false, rounded = false, integer = false;
    xg_str w, from = xg_str_of("", 0);
    p->pipe = XG_PIPE_INTEGER;
    p->weight = 1;
    p->latency = XG_SIM_TRACE_ALU_CLOCKS;
    while (at < s->size && s->text[at] == '.' && xg_sim_trace_word(s, &at, &w)) {
        p->pairs = xg_str_is(w, "f32x2");
        if (xg_str_is(w, "f32") || p->pairs)
            p->pipe = XG_PIPE_F32;
        else if (xg_str_is(w, "f64"))
            p->pipe = XG_PIPE_F64;
        else if (xg_sim_prefix(w, "f16") || xg_sim_prefix(w, "bf16"))
            p->pipe = XG_PIPE_HALF;
        else if (w.n == 3 && strchr("usb", w.p[0]) && w.p[1] == '6')
            wide = true;
        else if (xg_str_is(w, "rn"))
            rounded = true;
        if (w.n == 3 && strchr("us", w.p[0])) integer = true;
        from = w;
    }
    (void)from;
    if (xg_str_is(op, "cvt")) { /* between floats: one instruction of the integer pipe, or the half one */
        bool slow = integer && p->pipe != XG_PIPE_INTEGER;
        p->pipe = (uint8_t)(p->pipe == XG_PIPE_F64 ? XG_PIPE_F64 : slow ? XG_PIPE_CONVERT : XG_PIPE_INTEGER);
        p->latency = slow ? XG_SIM_TRACE_SPECIAL_CLOCKS : XG_SIM_TRACE_ALU_CLOCKS;
        return;
    }
    if (p->pipe == XG_PIPE_F64) p->latency = XG_SIM_TRACE_F64_CLOCKS;
    if (p->pipe == XG_PIPE_INTEGER && wide) p->weight = 2;
    if (p->pipe == XG_PIPE_INTEGER && xg_word_in("mad mul", op) >= 0) p->weight = wide ? 4 : 1;
    if (xg_str_is(op, "div")) {
        p->weight = (uint8_t)(p->pipe == XG_PIPE_INTEGER ? (wide ? 70 : 18) : rounded ? 10 : 2);
        p->latency = (uint8_t)(p->pipe == XG_PIPE_INTEGER ? 80 : 40);
    }
}
/* Clocks of a load from shared memory: ld.shared::cluster may be another block's. */
XG_FN int64_t xg_sim_trace_shared(const xg_source *s, size_t at, const xg_device *d) {
    xg_str word;
    while (at < s->size && s->text[at] == '.' && xg_sim_trace_word(s, &at, &word))
        if (xg_str_is(word, "shared::cluster")) return XG_COST_PEER_CLOCKS;
    return d->shared_latency;
}
XG_APART XG_FN void xg_sim_trace_price(
    const xg_source *s, const xg_device *d, uint32_t start, uint8_t cls, xg_sim_price *p) {
    size_t at = start, i;
    xg_str op;
    memset(p, 0, sizeof *p);
    while (at < s->size && xg_sim_is_word(s->text[at])) at++;
    op = xg_str_of(s->text + start, at - start);
    switch (cls) {
    case XLAGPU_CLASS_TENSOR: xg_sim_trace_price_tensor(s, at, p, xg_str_is(op, "wgmma")); return;
    case XLAGPU_CLASS_GLOBAL:
    case XLAGPU_CLASS_SHARED:
    case XLAGPU_CLASS_OTHER_MEMORY:
    case XLAGPU_CLASS_ATOMIC:
    case XLAGPU_CLASS_CONTROL:
    case XLAGPU_CLASS_BARRIER:
        p->pipe = XG_PIPE_COUNT;
        p->weight = cls != XLAGPU_CLASS_OTHER_MEMORY;
        p->latency = (uint16_t)(cls == XLAGPU_CLASS_OTHER_MEMORY ? 0
                                : cls == XLAGPU_CLASS_SHARED     ? xg_sim_trace_shared(s, at, d)
                                : cls == XLAGPU_CLASS_ATOMIC     ? d->l2_latency + XG_SIM_TRACE_ATOMIC_CLOCKS
                                                                 : (uint32_t)XG_SIM_TRACE_ALU_CLOCKS);
        break;
    case XLAGPU_CLASS_WARP:
        p->pipe = XG_PIPE_COUNT;
        p->weight = 1;
        p->latency = XG_SIM_TRACE_WARP_CLOCKS;
        break;
    default: xg_sim_trace_price_typed(s, at, op, p); break;
    }
    for (i = 0; i < XG_COUNT(xg_sim_prices); i++) {
        if (!xg_str_is(op, xg_sim_prices[i].text)) continue;
        p->pipe = xg_sim_prices[i].pipe;
        p->weight = xg_sim_prices[i].weight;
        p->latency = xg_sim_prices[i].latency;
    }
}

/* The matrix unit's part of a record: how long it takes, and what it reads of shared memory. */
XG_FN void xg_sim_trace_price_unit(const xg_device *d, const xg_sim_ins *in, xg_sim_price *p) {
    int64_t rate = xg_cost_tensor_rate(d, (xg_cost_tensor)p->tensor), schedulers = 4;
    int64_t permille = p->wide ? 1000 : XG_MAX(d->mma_permille, (int64_t)1);
    xg_sim_tile x;
    p->clocks = (uint32_t)(xg_cost_scale((int64_t)p->macs * schedulers, 1000, permille) / rate);
    if (in->kind != XG_SIM_K_TILE || (in->op & 255) != XG_SIM_T_WGMMA) return;
    x = xg_sim_tile_of(in); /* each of the four warps has a quarter of it */
    p->feed = (x.n + (x.flags & XG_SIM_TF_AREG ? 0 : x.m)) * x.k * xg_sim_elems[x.a].bits / 8 / XG_SIM_TRACE_LINE_BYTES;
}
/* What the assembler may bring forward in straight code: arithmetic, plain loads and stores. */
XG_FN bool xg_sim_trace_moves(const xg_sim_ins *in) {
    switch (in->kind) {
    case XG_SIM_K_TEX:
    case XG_SIM_K_LD: return !(in->imm2 & XG_SIM_M_STRONG);
    case XG_SIM_K_ALU:
    case XG_SIM_K_ST:
    case XG_SIM_K_PARAM:
    case XG_SIM_K_SREG:
    case XG_SIM_K_SPACE: return true;
    default: return false;
    }
}
/* Of an instruction's first record, which stands for all. */
XG_FN bool xg_sim_trace_stays(const xg_sim_module *m, uint32_t i) {
    uint32_t at = m->code[i].at;
    for (; i < m->n_code && m->code[i].at == at; i++)
        if (!xg_sim_trace_moves(&m->code[i])) return true;
    return false;
}
/* What a record costs: its instruction's first record issues, the last one has the latency, and so has each that is no
 * arithmetic: what comes before it makes its address. */
XG_APART XG_FN void xg_sim_trace_price_record(xg_sim_trace *t, const xg_sim_module *m, uint32_t i) {
    const xg_sim_ins *in = &m->code[i], *next = i + 1 < m->n_code ? in + 1 : NULL;
    xg_sim_price *p = &t->prices[i];
    bool last = !next || next->flags & XG_SIM_FIRST || next->at != in->at || next->kind == XG_SIM_K_JOIN;
    if (in->flags & XG_SIM_FIRST) {
        xg_sim_trace_price(m->src, t->device, in->at, m->classes[i], p);
        p->full = p->latency;
        p->stays = xg_sim_trace_stays(m, i);
    } else if (i && in->kind != XG_SIM_K_JOIN && in[-1].at == in->at) {
        p->full = p[-1].full;
        p->stays = p[-1].stays;
    } else
        p->stays = !xg_sim_trace_moves(in);
    p->latency = (uint16_t)(last || in->kind != XG_SIM_K_ALU ? p->full : 0);
    if (p->pipe < XG_PIPE_COUNT)
        p->piped = (uint16_t)xg_cost_scale(p->weight << p->pairs, (int64_t)XG_SIM_WARP * XG_SIM_TRACE_SCHEDULERS,
            xg_cost_rate(t->device, (xg_cost_pipe)p->pipe));
    if (p->macs) xg_sim_trace_price_unit(t->device, in, p);
}

/* ---- making ---- */

XG_SIM_FN void xg_sim_trace_free(xg_sim_trace *t) {
    uint32_t k;
    if (!t) return;
    for (k = 0; k < XG_COUNT(t->memory); k++) xg_mem_free(t->c, t->memory[k]);
    xg_mem_free(t->c, t);
}
XG_FN void *xg_sim_trace_alloc(xg_sim_trace *t, uint32_t which, uint64_t bytes) {
    void *p = bytes < SIZE_MAX / 2 ? xg_mem_alloc(t->c, (size_t)bytes + 1) : NULL;
    if (p) memset(p, 0, (size_t)bytes + 1);
    return t->memory[which] = p;
}
XG_FN bool xg_sim_trace_make_maps(xg_sim_trace *t, const xg_sim_memory *m) {
    uint64_t words = 0, line = 0;
    uint32_t k, *bits;
    for (k = 0; k < m->n; k++) words += 2 * (m->p[k].bytes / (XG_SIM_TRACE_SECTOR_BYTES * 32) + 2);
    bits = (uint32_t *)xg_sim_trace_alloc(t, 0, words * 4);
    t->maps = (xg_sim_map *)xg_sim_trace_alloc(t, 1, (uint64_t)m->n * sizeof *t->maps);
    if (!bits || !t->maps) return false;
    for (k = 0; k < m->n; k++) {
        uint64_t each = m->p[k].bytes / (XG_SIM_TRACE_SECTOR_BYTES * 32) + 2;
        t->maps[k].base = m->p[k].base / XG_SIM_TRACE_SECTOR_BYTES * XG_SIM_TRACE_SECTOR_BYTES;
        t->maps[k].bytes = m->p[k].bytes + XG_SIM_TRACE_SECTOR_BYTES;
        t->maps[k].line = line;
        line += t->maps[k].bytes / XG_SIM_TRACE_LINE_BYTES + 2;
        t->maps[k].read = bits;
        t->maps[k].written = bits + each;
        bits += 2 * each;
    }
    t->n_maps = m->n;
    return true;
}
XG_FN bool xg_sim_trace_make_tracers(xg_sim_trace *t, const xg_sim_launch *l) {
    uint64_t each = (uint64_t)l->warps * (t->slots * 4 + sizeof(xg_sim_warp_clock)),
             lines = (uint64_t)t->lines * sizeof(xg_sim_line);
    char *more = (char *)xg_sim_trace_alloc(t, 3, t->n_tracers * (each + lines + sizeof *t->tracers));
    uint32_t k;
    if (!more) return false;
    t->tracers = (xg_sim_tracer *)(void *)more;
    more += t->n_tracers * sizeof *t->tracers;
    for (k = 0; k < t->n_tracers; k++) {
        t->tracers[k].lines = (xg_sim_line *)(void *)more;
        t->tracers[k].warps = (xg_sim_warp_clock *)(void *)(more + lines);
        more += lines + each;
    }
    return true;
}
/* A block's share of the first cache: what its multiprocessor's shared memory leaves, between the blocks it has. */
XG_FN uint32_t xg_sim_trace_lines(const xg_device *d, const xg_sim_launch *l) {
    int64_t blocks = XG_MAX(d->threads_per_sm / XG_MAX((int64_t)l->threads, (int64_t)1), (int64_t)1), shared, room;
    shared = l->shared_bytes ? l->shared_bytes + d->shared_reserved : 0;
    if (shared) blocks = XG_MIN(blocks, XG_MAX(d->shared_per_sm / shared, (int64_t)1));
    blocks = XG_MIN(blocks, d->blocks_per_sm);
    room = XG_MAX(d->l1_bytes - blocks * shared, (int64_t)XG_SIM_TRACE_LINE_BYTES * XG_SIM_TRACE_WAYS) / blocks;
    room = XG_MIN(room / XG_SIM_TRACE_LINE_BYTES, (int64_t)XG_SIM_TRACE_LINES_MOST) / XG_SIM_TRACE_WAYS *
           XG_SIM_TRACE_WAYS;
    return (uint32_t)XG_MAX(room, (int64_t)XG_SIM_TRACE_WAYS);
}
/* Registers that loads of straight code may wait for: part of what a thread can have. */
XG_FN uint32_t xg_sim_trace_most_flight(const xg_device *d, const xg_sim_launch *l) {
    int64_t own = XG_MIN(d->registers_per_sm / XG_MAX((int64_t)l->threads, (int64_t)1), d->registers_per_thread);
    return (uint32_t)XG_MAX(XG_MIN(own / XG_SIM_TRACE_FLIGHT_SHARE, (int64_t)XG_SIM_TRACE_FLIGHT), (int64_t)1);
}
XG_APART XG_SIM_FN xg_sim_trace *xg_sim_trace_new(
    xg_ctx *c, const xg_sim_launch *l, const xg_device *d, uint32_t workers) {
    xg_sim_trace *t = (xg_sim_trace *)xg_mem_alloc(c, sizeof *t);
    const xg_sim_module *m = l->module;
    uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    uint32_t i;
    if (!t) return NULL;
    memset(t, 0, sizeof *t);
    t->c = c;
    t->device = d;
    t->n_tracers = workers * XG_MAX(l->cluster_blocks, 1u);
    t->lines = xg_sim_trace_lines(d, l);
    t->most_flight = xg_sim_trace_most_flight(d, l);
    t->slots = l->stack_bytes / XG_SIM_TRACE_SLOT_BYTES + 2;
    t->every = XG_MAX(blocks / XG_MAX(l->cluster_blocks, 1u) / XG_SIM_TRACE_BLOCKS, 1u);
    t->prices = (xg_sim_price *)xg_sim_trace_alloc(t, 2, (uint64_t)m->n_code * sizeof *t->prices);
    if (!t->prices || !xg_sim_trace_make_maps(t, l->memory) || !xg_sim_trace_make_tracers(t, l)) {
        xg_sim_trace_free(t);
        return NULL;
    }
    for (i = 0; i < m->n_code; i++) xg_sim_trace_price_record(t, m, i);
    return t;
}

/* ---- memory ---- */

XG_FN xg_sim_map *xg_sim_trace_map(xg_sim_trace *t, uint64_t at) {
    uint32_t lo = 0, hi = t->n_maps;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (t->maps[mid].base <= at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo && at - t->maps[lo - 1].base < t->maps[lo - 1].bytes ? &t->maps[lo - 1] : NULL;
}
/* Marks a sector; true if it was marked before. */
XG_FN bool xg_sim_trace_mark(uint32_t *bits, uint64_t sector) {
    uint32_t bit = 1u << (sector & 31), *word = bits + sector / 32;
    if (*word & bit) return true;
#if XG_SIM_ATOMICS
    return (__atomic_fetch_or(word, bit, __ATOMIC_RELAXED) & bit) != 0;
#else
    *word |= bit;
    return false;
#endif
}
/* Is the sector in the block's first cache? It is afterwards. */
XG_FN bool xg_sim_trace_cached(xg_sim_trace *t, xg_sim_tracer *r, uint64_t at) {
    uint64_t tag = at / XG_SIM_TRACE_LINE_BYTES + 1;
    uint32_t sets = t->lines / XG_SIM_TRACE_WAYS, bit = 1u << (at / XG_SIM_TRACE_SECTOR_BYTES % 4), k;
    xg_sim_line *set = r->lines + (size_t)(tag * 0x9E3779B97F4A7C15u >> 33) % sets * XG_SIM_TRACE_WAYS, *victim = set;
    bool hit;
    for (k = 0; k < XG_SIM_TRACE_WAYS && set[k].tag != tag; k++)
        if (set[k].used < victim->used) victim = &set[k];
    if (k < XG_SIM_TRACE_WAYS)
        victim = &set[k];
    else {
        victim->tag = tag;
        victim->sectors = 0;
    }
    hit = (victim->sectors & bit) != 0;
    victim->sectors |= bit;
    victim->used = ++r->tick;
    return hit;
}
/* One sector of an access: how far away is it? */
XG_FN void xg_sim_trace_sector(xg_sim_worker *w, uint64_t at, bool write, bool through_l1) {
    xg_sim_trace *t = w->l->trace;
    xg_sim_tracer *r = w->tracer;
    const xg_device *d = t->device;
    xg_sim_map *m = xg_sim_trace_map(t, at);
    uint64_t sector = m ? (at - m->base) / XG_SIM_TRACE_SECTOR_BYTES : 0;
    uint64_t line =
        m ? m->line * XG_SIM_TRACE_LINE_BYTES + at - m->base / XG_SIM_TRACE_LINE_BYTES * XG_SIM_TRACE_LINE_BYTES
          : at - (uint64_t)(uintptr_t)w->regs;
    uint32_t level = (uint32_t)d->l1_latency;
    if (write) {
        r->l2_sectors++;
        if (m) (void)xg_sim_trace_mark(m->written, sector);
        return;
    }
    if (!through_l1 || !xg_sim_trace_cached(t, r, line)) {
        bool there = m && (xg_sim_trace_mark(m->read, sector) || m->written[sector / 32] >> (sector & 31) & 1);
        r->l2_sectors++;
        level = (uint32_t)(there ? d->l2_latency : d->memory_latency);
    }
    r->level = XG_MAX(r->level, level);
}
/* Is it among the last few? It is from now on. */
typedef struct xg_sim_recents {
    uint64_t p[8];
    uint32_t n;
} xg_sim_recents;
XG_APART XG_FN bool xg_sim_trace_seen(xg_sim_recents *r, uint64_t what) {
    uint32_t k;
    for (k = 0; k < XG_MIN(r->n, (uint32_t)XG_COUNT(r->p)); k++)
        if (r->p[k] == what) return true;
    r->p[r->n++ % XG_COUNT(r->p)] = what;
    return false;
}
/* The sectors of an access of `bytes` by each lane of the mask; lanes that share one stand near each other. */
XG_FN void xg_sim_trace_access(
    xg_sim_worker *w, const xg_sim_ins *in, const xg_sim_reach *r, uint32_t mask, uint32_t bytes, bool write) {
    bool through_l1 = xg_sim_is_load(in) && !(in->imm2 & XG_SIM_M_STRONG), atomic = in->kind == XG_SIM_K_ATOM;
    xg_sim_recents sectors, lines;
    uint64_t at, last;
    uint32_t i;
    if (r->shared) return; /* counted as it is */
    sectors.n = lines.n = 0;
    for (i = 0; i < XG_SIM_WARP; i++) {
        if (!(mask >> i & 1)) continue;
        at = (uint64_t)(uintptr_t)xg_sim_reach_at(r, i);
        last = (at + bytes - 1) / XG_SIM_TRACE_SECTOR_BYTES;
        for (at /= XG_SIM_TRACE_SECTOR_BYTES; at <= last; at++) {
            if (xg_sim_trace_seen(&sectors, at)) continue;
            xg_sim_trace_sector(w, at * XG_SIM_TRACE_SECTOR_BYTES, write || atomic, through_l1);
            (void)xg_sim_trace_seen(&lines, at * XG_SIM_TRACE_SECTOR_BYTES / XG_SIM_TRACE_LINE_BYTES);
        }
    }
    w->tracer->l1_tenths += XG_MAX((uint64_t)sectors.n * XG_SIM_TRACE_SECTOR_BYTES * 10 / XG_SIM_TRACE_LINE_BYTES,
        (uint64_t)lines.n * 100 / XG_SIM_TRACE_LINE_TENTHS);
}
XG_FN void xg_sim_trace_bytes(xg_sim_worker *w, uint64_t at, uint64_t bytes, bool write) { /* of a bulk copy */
    uint64_t from = at / XG_SIM_TRACE_SECTOR_BYTES, last = (at + bytes - 1) / XG_SIM_TRACE_SECTOR_BYTES;
    uint64_t before = w->tracer->l2_sectors;
    w->tracer->passes += (bytes + XG_SIM_TRACE_LINE_BYTES - 1) / XG_SIM_TRACE_LINE_BYTES;
    for (; bytes && from <= last; from++) xg_sim_trace_sector(w, from * XG_SIM_TRACE_SECTOR_BYTES, write, false);
    w->tracer->bulk_sectors += w->tracer->l2_sectors - before;
}

/* ---- the sum ---- */

/* What record i ran, when a worker's records are counted. */
XG_APART XG_FN void xg_sim_trace_fold(xg_sim_worker *w, uint32_t i, uint64_t ran) {
    const xg_sim_price *p = &w->l->trace->prices[i];
    xg_sim_tracer *r = w->tracer;
    r->issued += ran * p->weight;
    if (p->pipe < XG_PIPE_COUNT) r->pipes[p->pipe] += ran * p->weight << p->pairs;
    r->passes += ran * p->feed / 4;
    if (p->macs) *(p->wide ? &r->macs[p->tensor] : &r->warp_macs[p->tensor]) += ran * p->macs;
}
XG_FN int64_t xg_sim_trace_marked(const uint32_t *bits, uint64_t sectors) {
    int64_t n = 0;
    uint64_t k;
    for (k = 0; k <= sectors / 32; k++) n += bits[k] ? xg_sim_popc(bits[k]) : 0;
    return n;
}
/* About what the assembler will take: the slots of registers whose lives overlap, as far as the kernel lets it. */
XG_FN int64_t xg_sim_trace_registers(const xg_sim_launch *l) {
    enum {
        REGISTER_BYTES = 4 * XG_SIM_WARP,
        LEAST = 16,
        MOST = 255,
        OF_BLOCK = 65536,
        PORTION = 8 /* of a thread: warps get 256 at a time */
    };
    int64_t n = l->entry->f.frame / REGISTER_BYTES, room = OF_BLOCK / XG_MAX((int64_t)l->threads, (int64_t)1);
    room = room / XG_MAX((int64_t)l->entry->f.info.resident, (int64_t)1) / PORTION * PORTION;
    if (l->entry->f.info.registers) room = XG_MIN(room, (int64_t)l->entry->f.info.registers);
    return XG_MAX(XG_MIN(XG_MIN(n, room), (int64_t)MOST), (int64_t)LEAST);
}
XG_APART XG_SIM_FN void xg_sim_trace_counts(
    const xg_sim_trace *t, const xg_sim_launch *l, const xg_sim_stats *s, xg_cost_counts *out) {
    uint32_t k, j;
    int64_t clocks = 0, issued = 0, tensor = 0, passes = 0, sampled = 0,
            blocks = (int64_t)l->grid[0] * l->grid[1] * l->grid[2];
    memset(out, 0, sizeof *out);
    out->blocks = blocks;
    out->threads = l->threads;
    out->shared_bytes = l->shared_bytes;
    out->registers = l->registers ? l->registers : xg_sim_trace_registers(l);
    for (k = 0; k < t->n_tracers; k++) {
        const xg_sim_tracer *r = &t->tracers[k];
        out->issued += (int64_t)r->issued;
        out->l1_passes += (int64_t)(r->l1_tenths / 10);
        out->l2_sectors += (int64_t)r->l2_sectors;
        out->bulk_sectors += (int64_t)r->bulk_sectors;
        for (j = 0; j < XG_PIPE_COUNT; j++) out->pipes[j] += (int64_t)r->pipes[j];
        for (j = 0; j < XG_TENSOR_COUNT; j++) {
            out->macs[j] += (int64_t)r->macs[j];
            out->warp_macs[j] += (int64_t)r->warp_macs[j];
        }
        clocks += (int64_t)r->warp_clocks;
        issued += (int64_t)r->warp_issued;
        tensor += (int64_t)r->warp_tensor;
        passes += (int64_t)r->passes;
        sampled += (int64_t)r->sampled;
    }
    /* shuffles go through the data path of shared memory, one pass each (quack) */
    out->shared_passes = (int64_t)(s->shared_transactions + s->class_warps[XLAGPU_CLASS_WARP]) + passes;
    out->unit_passes = passes;
    out->barriers = (int64_t)s->barriers / XG_MAX(blocks, (int64_t)1);
    out->warp_clocks = clocks / XG_MAX(sampled, (int64_t)1);
    out->warp_issued = issued / XG_MAX(sampled, (int64_t)1);
    out->warp_tensor = tensor / XG_MAX(sampled, (int64_t)1);
    for (k = 0; k < t->n_maps; k++) {
        uint64_t sectors = t->maps[k].bytes / XG_SIM_TRACE_SECTOR_BYTES;
        out->read_bytes += xg_sim_trace_marked(t->maps[k].read, sectors) * XG_SIM_TRACE_SECTOR_BYTES;
        out->written_bytes += xg_sim_trace_marked(t->maps[k].written, sectors) * XG_SIM_TRACE_SECTOR_BYTES;
    }
}

#endif /* XG_SIM_TRACE_C */
