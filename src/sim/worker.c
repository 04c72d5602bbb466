/* sim/worker.c -- what a worker is, the registry of device memory, faults.
 *
 * Each worker remembers the buffer of its last access. A fault stops the worker; the others stop at their next
 * block. */
#ifndef XG_SIM_WORKER_C
#define XG_SIM_WORKER_C
#include "places.c"

typedef enum xg_sim_state {
    XG_SIM_READY,
    XG_SIM_AT_JOIN,
    XG_SIM_AT_BARRIER,
    XG_SIM_AT_EVENT /* async.c: executes its record again when something has happened */,
    XG_SIM_LEFT_OUT /* lanes of it have faulted, and it is where it would need them: it never moves again */,
    XG_SIM_DONE
} xg_sim_state;
typedef struct xg_sim_path {
    uint32_t pc, meet, mask;
} xg_sim_path;
typedef struct xg_sim_frame {
    uint32_t pc, meet, site, base;
    char *regs;
    uint32_t local;
    const xg_sim_func *f;
    uint32_t stack[XG_SIM_WARP]; /* what the threads had taken by alloca */
} xg_sim_frame;
enum {
    XG_SIM_PATHS = 72,
    XG_SIM_LATE = 32
};
/* late.c: a wgmma, and how many groups its warp has committed since. What it reads of shared memory: matrices as
 * wgmma.c describes them, and the bytes [first, end) that each lies in; end 0: none. */
typedef struct xg_sim_late {
    uint32_t record, groups;
    uint64_t matrix[2];
    uint32_t first[2], end[2];
} xg_sim_late;

typedef struct xg_sim_warp {
    uint32_t id, depth, n_paths, join;
    uint32_t live, mask; /* lanes that have not exited; lanes that execute now */
    uint32_t pc, meet;   /* where the active lanes join the others (XG_SIM_NOREG at the bottom) */
    char *regs;
    const xg_sim_func *f;
    uint32_t local; /* where this frame's local memory begins in each thread's */
    xg_sim_state state;
    uint32_t barrier, result; /* what it waits for; what the barrier computed */
    bool released;
    uint32_t n_stored;       /* access.c: stores to shared memory since its lanes last met */
    const char *awaits;      /* the memory barrier that it asked last */
    uint32_t n_late;         /* of late, oldest first */
    bool touched;            /* a register of wgmma has been written since the last wgmma.fence */
    uint32_t proxy_own;      /* shared_tag when it last executed fence.proxy.async */
    uint32_t parked;         /* lanes that stand at a barrier while other lanes of the warp are on their way */
    uint32_t turns;          /* one after the other that ended because it spun */
    bool maimed;             /* lanes of it have faulted and are gone */
    bool impatient;          /* a wait of this warp shall end now, with "not yet" */
    bool in_cluster_barrier; /* it has arrived and not yet gone on */
    uint32_t cluster_phase;  /* the phase it arrived in */
    xg_sim_frame *frames;
    xg_sim_late *late; /* XG_SIM_LATE; NULL: the module has no wgmma */
    xg_sim_path paths[XG_SIM_PATHS];
} xg_sim_warp;

typedef struct xg_sim_group {
    uint32_t first, n;
    bool together;
} xg_sim_group;
typedef struct xg_sim_barrier {
    uint32_t arrived, expected, value;
    bool any, all;
} xg_sim_barrier;

enum {
    XG_SIM_RECENT = 64
};

/* tensor.c: a thread that issues operations on tensor memory, how many, and how many of them are complete. */
typedef struct xg_sim_issuer {
    uint32_t thread, issued, done;
} xg_sim_issuer;
/* umma.c: what an operation reads of shared memory, of its block and perhaps the other one of the pair. */
typedef struct xg_sim_lease {
    xg_sim_worker *of[2];
    uint64_t a, b; /* descriptors */
    uint32_t issuer, operation;
    uint16_t a_rows, a_chunks, b_rows, b_chunks;
    bool a_transposed, b_transposed;
} xg_sim_lease;
enum {
    XG_SIM_ISSUERS = 32,
    XG_SIM_LEASES = 256
};
typedef struct xg_sim_tensor_block xg_sim_tensor_block; /* tensor.c */

/* What the blocks of a cluster share: their ranks, the copies under way. */
typedef struct xg_sim_flight xg_sim_flight;
typedef struct xg_sim_cluster {
    xg_sim_worker **peers; /* by rank; a block without cluster is its own */
    uint32_t n, phase;     /* blocks; the phase of barrier.cluster */
    bool used;             /* a warp has arrived at that one */
    uint32_t stalls;       /* how often in a row no warp could move without being told "not yet" */
    xg_sim_flight *flights;
    uint32_t n_flights;
    xg_sim_lease *leases;
    uint32_t n_issuers, n_leases;
    xg_sim_issuer issuers[XG_SIM_ISSUERS];
} xg_sim_cluster;

/* shadow.c: a read of shared memory whose tag is not yet noted: of n words, each `step` bytes behind the one before,
 * the first at `at`; of the words behind `at` that have a bit in `step`; or of 32 lanes, whose distances are the row
 * `at` of read_rows: a word each, 16 bytes, or n bytes of a word. */
typedef enum xg_sim_readshape {
    XG_SIM_READ_STEPS,
    XG_SIM_READ_BITS,
    XG_SIM_READ_LANES,
    XG_SIM_READ_TILES,
    XG_SIM_READ_PARTS
} xg_sim_readshape;
typedef struct xg_sim_read {
    uint32_t mine, at, step;
    uint16_t n;
    uint16_t shape;
} xg_sim_read;
enum {
    XG_SIM_READS_KEPT = 256,
    XG_SIM_READ_ROWS = 256, /* what the warps of a block read of tiles from barrier to barrier */
    XG_SIM_READ_PIECE = 128,
    XG_SIM_READ_WORDS = 32 /* a bit each for the pieces of shared memory; the last one stands for all behind it */
};

/* fast.c: where a group's first lane was, and how far from the time before. */
typedef struct xg_sim_recent {
    uint64_t at, step;
} xg_sim_recent;
/* classes.c: how often a record ran: whole warps as differences, others counted. */
typedef struct xg_sim_runs {
    uint64_t whole, warps, lanes;
} xg_sim_runs;
/* copies.c: a thread's groups of cp.async so far; those it has waited for; the interval of its last wait, and those it
 * had waited for before that interval. And whose copy a word was. */
typedef struct xg_sim_copy_thread {
    uint32_t groups, done, waited, earlier;
} xg_sim_copy_thread;
typedef struct xg_sim_copy_word {
    uint32_t thread, group;
} xg_sim_copy_word;

/* A word that two warps of a block raced for. The block is run once more (run.c) to see which instruction of the other
 * warp it was: the last one before the faulting warp `mine` comes to the record pc. warp NOREG: any other. */
typedef struct xg_sim_search {
    uint64_t at;
    uint32_t warp, mine, pc, found; /* found: a record, or NOREG */
    bool write, wanted, running, over;
} xg_sim_search;

/* access.c: a warp's store to shared memory: `bytes` of each lane of mask, at `at` and on, or at the 32 offsets off
 * points to, which few stores need: they lie elsewhere, so that what others write is near. */
enum {
    XG_SIM_STORED = 8 /* that a warp remembers */
};
typedef struct xg_sim_stored {
    uint32_t pc, mask, bytes, at, step;
    bool scattered;
    uint32_t *off;
} xg_sim_stored;

struct xg_sim_worker {
    xg_sim_launch *l;
    const xg_sim_module *m;
    char *shared, *shadow, *local, *params; /* shadow: an xg_sim_fresh per byte of shared memory */
    xg_sim_cluster *cluster;
    uint32_t *marks;              /* of the words of shared memory: their writers, then their readers (shadow.c) */
    struct xg_sim_tracer *tracer; /* trace.c; NULL: nothing is traced */
    /* intervals of shared memory, which no other worker counts: the block's first, the current one */
    uint32_t shared_block, shared_tag;
    xg_sim_tensor_block *tensor; /* NULL when the module has no tcgen05 */
    bool faulted;
    bool tracked; /* races are looked for in global memory */
    xg_sim_warp *warps;
    xg_sim_copy_thread *copy_threads; /* NULL when the module has no cp.async */
    xg_sim_copy_word *copy_words;
    uint32_t rank;   /* in the cluster */
    uint32_t window; /* what the addresses of its shared variables begin with: 0, or RANKED and the rank */
    xg_sim_search watch;
    xg_sim_group *groups;
    uint32_t n_groups;
    char *regs;
    uint32_t *stack;              /* by thread: bytes taken by alloca; NULL when the module has none */
    uint64_t range_at, range_end; /* the blocks that this worker has taken and not begun */
    uint32_t *tid;                /* of each warp: 32 x, 32 y, 32 z */
    char *scratch, *scratch2;     /* results of partly active warps, before blending */
    uint32_t ctaid[3];
    uint64_t block, fuel_end, clock;
    uint64_t dice; /* of a launch with a seed */
    int32_t quantum;
    bool polls; /* since it began, a warp has asked memory that others may change */
    /* intervals (shadow.c): the launch's first, the block's first, the current one; the rest of this worker's batch */
    uint32_t launch_tag, block_tag, tag, next_interval, last_interval, batch;
    bool fences, watches; /* the block has executed a fence wider than itself; has read what others may signal by */
    bool unchecked;       /* nothing asks the shadows */
    xg_sim_read *reads;   /* of the current interval of shared memory, up to XG_SIM_READS_KEPT */
    uint32_t (*read_rows)[XG_SIM_WARP];
    uint32_t n_reads, n_rows, n_mapped;
    uint64_t read_map[XG_SIM_READ_WORDS]; /* pieces that the first n_mapped of them touch */
    bool lates;                           /* some warp has executed a wgmma */
    bool readers;                         /* some word's tag of readers may be of this interval */
    /* when the block's warps last met; before the meeting behind which one of them executed fence.proxy.async */
    uint32_t shared_met, proxy_all;
    uint32_t global_seen,
        maps_seen;         /* tag at the block's last fence.proxy.async, .tensormap acquire for global memory */
    xg_sim_buffer last;    /* the buffer of the last access */
    uint32_t bars_used;    /* where a warp has arrived, by bits */
    uint32_t ended;        /* warps of the block that are done */
    xg_sim_runs *runs;     /* of each record, and one more */
    xg_sim_stored *stored; /* XG_SIM_STORED of each warp; NULL: there is no shared memory */
    bool hurt;             /* the block has faulted and gone on */
    uint32_t fault_warps;  /* of the record: those that faulted, by bits */
    uint8_t fault_lanes[XG_SIM_WARP]; /* ... and in which lane */
    xg_sim_kept *faults;              /* all that are different */
    xg_sim_search *sides;             /* of each, what its other side is looked for by */
    uint32_t n_faults, n_sides;       /* n_sides: of earlier blocks */
    xg_sim_barrier bars[XG_SIM_BARRIERS];
    xg_sim_stats stats;
    const xg_sim_buffer *recent[XG_SIM_RECENT]; /* fast.c: by record, the buffer it reached last */
    xg_sim_recent recent_at[XG_SIM_RECENT];     /* ... and by record and group, where */
    xg_sim_kept fault;                          /* the last one */
};

/* ---- trace.c ---- */
struct xg_sim_reach;
XG_FN void xg_sim_trace_fold(xg_sim_worker *w, uint32_t record, uint64_t ran);
XG_FN void xg_sim_trace_access(
    xg_sim_worker *w, const xg_sim_ins *in, const struct xg_sim_reach *r, uint32_t mask, uint32_t bytes, bool write);

#if XG_SIM_VECTORS
#define XG_SIM_ATOMICS 1
#else
#define XG_SIM_ATOMICS 0
#endif
XG_SIM_FN bool xg_sim_threads_ok(void) { return XG_SIM_ATOMICS != 0; }
/* The one flag that workers share. */
#if XG_SIM_ATOMICS
XG_FN void xg_sim_stop(xg_sim_launch *l) { __atomic_store_n(&l->stop, 1, __ATOMIC_RELAXED); }
XG_FN bool xg_sim_stopped(const xg_sim_launch *l) { return __atomic_load_n(&l->stop, __ATOMIC_RELAXED) != 0; }
#else
XG_FN void xg_sim_stop(xg_sim_launch *l) { l->stop = 1; }
XG_FN bool xg_sim_stopped(const xg_sim_launch *l) { return l->stop != 0; }
#endif

/* ---- the registry of buffers ---- */

XG_SIM_FN void xg_sim_memory_init(xg_sim_memory *m, xg_ctx *c) {
    memset(m, 0, sizeof *m);
    m->ctx = c;
}
XG_SIM_FN void xg_sim_memory_free(xg_sim_memory *m) {
    uint32_t i;
    for (i = 0; i < m->n; i++) xg_mem_free(m->ctx, m->p[i].shadow);
    xg_mem_free(m->ctx, m->heap_block);
    m->heap = 0;
    m->heap_block = NULL;
    xg_mem_free(m->ctx, m->p);
    m->p = NULL;
    m->n = m->cap = 0;
}
/* A shadow: the tags of writers and of readers of each line of 64 bytes, then of each word. NULL when there is no room:
 * then nothing looks. The words' are only looked at where the line's says so (shadow.c), and need not be cleared: most
 * of them are never touched. */
XG_ONE_COPY XG_FN uint64_t xg_sim_shadow_lines(const xg_sim_buffer *b) { return b->bytes / 64 + 1; }
XG_FN uint64_t xg_sim_shadow_bytes(const xg_sim_buffer *b) { return xg_sim_shadow_lines(b) * (8 + 128) + 64; }
/* Behind the tags: the last launch that read the buffer by loads of constants, and by others. */
XG_FN uint32_t *xg_sim_shadow_launches(const xg_sim_buffer *b) { return b->shadow + xg_sim_shadow_lines(b) * 34; }
XG_FN void xg_sim_shadow_make(xg_sim_memory *m, xg_sim_buffer *b) {
    uint64_t limit = m->shadow_limit ? m->shadow_limit : (uint64_t)1 << 30,
             bytes = b->bytes < limit ? xg_sim_shadow_bytes(b) : 0;
    b->shadow = NULL;
    if (!bytes || b->base % 4 || bytes > limit - XG_MIN(limit, m->shadow_bytes)) return;
    b->shadow = (uint32_t *)xg_mem_alloc(m->ctx, (size_t)bytes);
    if (!b->shadow) return;
    m->shadow_bytes += bytes;
    memset(b->shadow, 0, (size_t)xg_sim_shadow_lines(b) * 8);
    memset(xg_sim_shadow_launches(b), 0, 8);
}

/* the first buffer that begins after the address */
XG_FN uint32_t xg_sim_memory_after(const xg_sim_memory *m, uint64_t address) {
    uint32_t lo = 0, hi = m->n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (m->p[mid].base <= address)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}
XG_SIM_FN xlagpu_status xg_sim_memory_add(xg_sim_memory *m, const xg_sim_buffer *b) {
    uint32_t at = xg_sim_memory_after(m, b->base);
    if (b->bytes == 0 || b->base + b->bytes < b->base) return XLAGPU_ERROR_USAGE;
    if ((at > 0 && m->p[at - 1].base + m->p[at - 1].bytes > b->base) ||
        (at < m->n && b->base + b->bytes > m->p[at].base))
        return XLAGPU_ERROR_USAGE;
    if (m->n == m->cap) {
        uint32_t cap = m->cap ? m->cap * 2 : 16;
        xg_sim_buffer *p = (xg_sim_buffer *)xg_mem_alloc(m->ctx, cap * sizeof *p);
        if (!p) return XLAGPU_ERROR_MEMORY;
        if (m->n) memcpy(p, m->p, m->n * sizeof *p);
        xg_mem_free(m->ctx, m->p);
        m->p = p;
        m->cap = cap;
    }
    memmove(m->p + at + 1, m->p + at, (m->n - at) * sizeof *m->p);
    m->p[at] = *b;
    m->n++;
    xg_sim_shadow_make(m, &m->p[at]);
    return XLAGPU_OK;
}
XG_SIM_FN bool xg_sim_memory_remove(xg_sim_memory *m, uint64_t base) {
    uint32_t at = xg_sim_memory_after(m, base);
    if (at == 0 || m->p[at - 1].base != base) return false;
    if (m->p[at - 1].shadow) m->shadow_bytes -= xg_sim_shadow_bytes(&m->p[at - 1]);
    xg_mem_free(m->ctx, m->p[at - 1].shadow);
    m->freed[m->n_freed++ % XG_SIM_FREED] = m->p[at - 1];
    m->n--;
    memmove(m->p + at - 1, m->p + at, (m->n - (at - 1)) * sizeof *m->p);
    return true;
}
XG_SIM_FN void xg_sim_memory_unwritten(xg_sim_memory *m, uint64_t base) {
    uint32_t at = xg_sim_memory_after(m, base);
    const xg_sim_buffer *b = at ? &m->p[at - 1] : NULL;
    if (b && b->base == base && b->shadow) memset(b->shadow, 0, (size_t)xg_sim_shadow_lines(b) * 8);
}
XG_SIM_FN void xg_sim_memory_describe(xg_sim_memory *m, uint64_t base, const xg_sim_array *array) {
    uint32_t at = xg_sim_memory_after(m, base);
    if (at && m->p[at - 1].base == base) m->p[at - 1].array = array;
}
XG_SIM_FN void xg_sim_memory_members(xg_sim_memory *m, uint64_t base, const uint64_t *members, uint32_t n) {
    uint32_t at = xg_sim_memory_after(m, base);
    if (!at || m->p[at - 1].base != base) return;
    m->p[at - 1].members = members;
    m->p[at - 1].n_members = n;
}
XG_SIM_FN const xg_sim_buffer *xg_sim_memory_find(const xg_sim_memory *m, uint64_t address) {
    uint32_t at = m ? xg_sim_memory_after(m, address) : 0;
    return at && address - m->p[at - 1].base < m->p[at - 1].bytes ? &m->p[at - 1] : NULL;
}

/* ---- faults ---- */

XG_FN const char *xg_sim_fault_name(xg_sim_faultkind kind) {
    XG_TABLE const char names[] =
#define X(name, text) text "\0"
        XG_SIM_FAULTS(X)
#undef X
        ;
    return xg_text_nth(names, kind);
}

XG_FN size_t xg_sim_line_of(const xg_sim_worker *w, const xg_sim_ins *in) {
    const xg_source *s = w->m->src;
    size_t line = 1, i;
    for (i = 0; i < in->at && i < s->size; i++) line += s->text[i] == '\n';
    return line;
}
XG_FN size_t xg_sim_fault_head(
    xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane, xg_sim_faultkind kind) {
    const xg_source *s = w->m->src;
    size_t n, line = 1, i, start = 0, end;
    char place[XG_SIM_PLACE_MAX], plain[XG_SIM_PLACE_MAX];
    const xg_str name = w->l->entry->f.info.name;
    const bool known = xg_str_eq(xg_str_of(plain, xg_sim_demangle(name, plain, sizeof plain)), name);
    const uint32_t *t = w->tid + (size_t)v->id * 96;
    for (i = 0; i < in->at && i < s->size; i++)
        if (s->text[i] == '\n') {
            line++;
            start = i + 1;
        }
    for (end = start; end < s->size && s->text[end] != '\n' && end - start < 120; end++) {}
    while (start < end && (s->text[start] == ' ' || s->text[start] == '\t')) start++;
    n = xg_format(w->fault.text, sizeof w->fault.text,
        "%s:%zu: fault in kernel '%.*s'%s%s%s, block (%u,%u,%u), thread (%u,%u,%u): %s\n    %.*s\n",
        s->name ? s->name : "ptx", line, (int)XG_MIN(name.n, 100u), name.p, known ? "" : " (", known ? "" : plain,
        known ? "" : ")", w->ctaid[0], w->ctaid[1], w->ctaid[2], t[lane], t[32 + lane], t[64 + lane],
        xg_sim_fault_name(kind), (int)(end - start), s->text + start);
    n = XG_MIN(n, sizeof w->fault.text - 1);
    if (xg_sim_source_place(s, in->at, place, sizeof place))
        n = XG_MIN(n + xg_format(w->fault.text + n, sizeof w->fault.text - n, "    from %s\n", place),
            sizeof w->fault.text - 1);
    return n;
}
XG_FN void xg_sim_fault(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane,
    xg_sim_faultkind kind, const char *format, ...) XG_PRINTF(6, 7);
XG_FN void xg_sim_fault(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane,
    xg_sim_faultkind kind, const char *format, ...) {
    va_list args;
    size_t n;
    w->fault_warps |= 1u << (v->id & 31);
    w->fault_lanes[v->id & 31] = (uint8_t)lane;
    if (w->faulted) return;
    w->faulted = true;
    if (w->watch.running) return; /* said already */
    w->stats.faults++;
    w->fault.at = in->at;
    w->fault.kind = (uint32_t)kind;
    n = xg_sim_fault_head(w, v, in, lane, kind);
    va_start(args, format);
    xg_vformat(w->fault.text + n, sizeof w->fault.text - n, format, args);
    va_end(args);
}

/* Keeps the fault if it is another one than those before; false when there is no room for more, or it was the last. */
XG_FN bool xg_sim_keep_fault(xg_sim_worker *w) {
    const uint32_t most = XG_MAX(w->l->max_faults, 1u);
    uint32_t i;
    for (i = 0; i < w->n_faults && (w->faults[i].at != w->fault.at || w->faults[i].kind != w->fault.kind); i++) {}
    if (i == w->n_faults && i < most) {
        w->faults[i] = w->fault;
        w->sides[i] = w->watch;
        w->n_faults++;
    }
    w->watch.wanted = false;
    return w->n_faults < most;
}

/* The last buffer that was freed and held these bytes; NULL when there is none. */
XG_FN const xg_sim_buffer *xg_sim_freed_find(const xg_sim_memory *m, uint64_t a) {
    uint32_t n = m ? XG_MIN(m->n_freed, (uint32_t)XG_SIM_FREED) : 0, i;
    for (i = 1; i <= n; i++) {
        const xg_sim_buffer *b = &m->freed[(m->n_freed - i) % XG_SIM_FREED];
        if (a - b->base < b->bytes) return b;
    }
    return NULL;
}
/* The buffer nearest to an address in words. */
XG_FN void xg_sim_fault_address(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane, uint64_t a,
    uint32_t bytes, xg_sim_faultkind kind, const char *what) {
    const xg_sim_memory *lists[2];
    const xg_sim_buffer *best = NULL;
    uint64_t distance = UINT64_MAX;
    char name[XG_SIM_PLACE_MAX], element[XG_SIM_PLACE_MAX];
    int i, k;
    lists[0] = w->l->memory;
    lists[1] = &w->m->globals;
    best = xg_sim_memory_find(lists[0], a) ? NULL : xg_sim_freed_find(lists[0], a);
    if (best) {
        xg_sim_buffer_text(best, false, name, sizeof name);
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_FREED,
            "%s of %u bytes at 0x%llX, offset %llu of %s, which has been freed", what, bytes, (unsigned long long)a,
            (unsigned long long)(a - best->base), name);
        return;
    }
    for (i = 0; i < 2; i++) {
        uint32_t at = lists[i] ? xg_sim_memory_after(lists[i], a) : 0;
        for (k = 0; lists[i] && k < 2; k++) {
            const xg_sim_buffer *b = k == 0             ? (at ? &lists[i]->p[at - 1] : NULL)
                                     : at < lists[i]->n ? &lists[i]->p[at]
                                                        : NULL;
            uint64_t faraway = !b                       ? UINT64_MAX
                               : a < b->base            ? b->base - a
                               : a - b->base < b->bytes ? 0
                                                        : a - b->base - b->bytes;
            if (faraway < distance) {
                distance = faraway;
                best = b;
            }
        }
    }
    if (!best) {
        xg_sim_fault(w, v, in, lane, kind, "%s of %u bytes at 0x%llX: there is no device memory at all", what, bytes,
            (unsigned long long)a);
        return;
    }
    xg_sim_buffer_text(best, false, name, sizeof name);
    if (a < best->base) {
        xg_sim_fault(w, v, in, lane, kind, "%s of %u bytes at 0x%llX, %llu bytes before %s", what, bytes,
            (unsigned long long)a, (unsigned long long)(best->base - a), name);
        return;
    }
    xg_sim_element_text(best, a - best->base, element, sizeof element);
    xg_sim_fault(w, v, in, lane, kind, "%s of %u bytes at 0x%llX, offset %llu of %s%s", what, bytes,
        (unsigned long long)a, (unsigned long long)(a - best->base), name, element);
}

#endif /* XG_SIM_WORKER_C */
