/* sim/sim.h -- the PTX simulator: PTX text in, the bytes a GPU would write out, and what it noticed on the way.
 *
 *     text ──parse.c──▶ statements ──decode*.c──▶ records over virtual registers ──flow.c──▶ records over slots
 *                                                                                                 │
 *     xg_sim_run: blocks ──run.c──▶ warps ──▶ lanes.c / scalar.c (arithmetic), memory.c (loads, stores, atomics)
 *
 * The idea. An instruction is decoded once, into one record or a short row of records, each with a function that is
 * already specialised for its types and for the host's vectors. A register is a slot of 32 lanes; a predicate is 32
 * lanes of 0 or -1; a constant is a slot that all warps share. Up to XG_SIM_TOGETHER warps of a block run each record
 * together as long as none of them diverges; a warp that diverges runs alone, with a stack of paths that meet again at
 * the immediate post-dominator.
 *
 * Laws
 * - Nothing is ignored: an unknown instruction, modifier or operand form is an error at load time, with its place.
 * - Arithmetic functions compute all 32 lanes and know nothing of masks; the executor blends. So they may never trap.
 * - No allocation while running: a worker's memory is measured by xg_sim_worker_bytes and given by the caller.
 * - A device address is a host address. Shared and local addresses are offsets in their windows; generic ones are host
 *   addresses.
 * - The module is read-only while blocks run, except for the bytes of its .global variables. Besides those workers
 *   share only device memory and its shadow, whose words may be lost to a race of workers: that can hide a fault of the
 *   kernel, never make one up.
 * - Results do not depend on the host: FMA is exact with or without hardware, NaNs are canonical where PTX makes them
 *   so, the approximate functions are our own code (math.c states their error).
 *
 * Everything declared XG_SIM_FN is for the runtime; with XLAGPU_SPLIT_SIM these have external linkage, so that the room
 * can be its own translation unit. */
#ifndef XG_SIM_H
#define XG_SIM_H
#include "../base/base.h"
#include "../base/number.h"
#include "../api/counters.h"
#include "../api/texture.h"
#include "../cost/cost.h"

#ifndef XG_SIM_FN
#ifdef XLAGPU_SPLIT_SIM
#define XG_SIM_FN
#else
#define XG_SIM_FN XG_FN
#endif
#endif

enum {
    XG_SIM_TOGETHER = 4,
    XG_SIM_WARP = 32,
    XG_SIM_BARRIERS = 16,
    XG_SIM_WINDOW = 24,      /* log2 of a block's shared addresses */
    XG_SIM_RANKED = 1 << 28, /* with a shared address that says its block's rank in bits 24 to 27 */
    XG_SIM_CLUSTER_MAX = 16
};

/* ---- the places that a warp's access reaches: memory.c, trace.c ------------------------------------------------- */

typedef enum xg_sim_pattern {
    XG_SIM_RUN, /* all 32 lanes, one after the other, from at on */
    XG_SIM_ONE, /* all active lanes at one place, at */
    XG_SIM_FEW, /* in one window: at + off[lane]; lanes that sleep have a place of an active one */
    XG_SIM_ANY  /* each active lane somewhere, p[lane]: in different spaces or buffers */
} xg_sim_pattern;
typedef struct xg_sim_reach {
    xg_sim_pattern shape;
    bool shared;    /* it is shared memory; of ANY: some of it */
    uint32_t bytes; /* of a lane */
    char *at;
    union {
        uint32_t off[XG_SIM_WARP];
        char *p[XG_SIM_WARP];
    } to;
} xg_sim_reach;
XG_INLINE_FAST char *xg_sim_reach_at(const xg_sim_reach *r, uint32_t lane) {
    switch (r->shape) {
    case XG_SIM_RUN: return r->at + (size_t)lane * r->bytes;
    case XG_SIM_ONE: return r->at;
    case XG_SIM_FEW: return r->at + r->to.off[lane];
    default: return r->to.p[lane];
    }
}

/* ---- the interface: load.c, launch.c, memory.c ----------------------------------------------------------------- */

typedef struct xg_sim_module xg_sim_module;
typedef struct xg_sim_entry xg_sim_entry;

typedef struct xg_sim_param {
    xg_str name;
    uint32_t offset, size, align; /* in the parameter block */
    bool pointer;                 /* declared with .ptr */
    uint32_t pointee_align;
} xg_sim_param;

typedef struct xg_sim_info {
    xg_str name;
    uint32_t n_params, param_bytes;
    const xg_sim_param *params;
    uint32_t static_shared;                      /* bytes */
    uint32_t reqntid[3], maxntid[3], cluster[3]; /* 0 where not given */
    uint32_t resident, registers;                /* .minnctapersm and .maxnreg, the same */
    uint32_t instructions;                       /* PTX instructions of the entry */
} xg_sim_info;

/* X(NAME, text): the host's vector units that lanes.c is compiled for, slower ones first. */
#define XG_SIM_UNITS(X) X(BASE, "base") X(AVX2, "AVX2") X(AVX512, "AVX-512")
typedef enum xg_sim_unit {
#define X(name, text) XG_SIM_UNIT_##name,
    XG_SIM_UNITS(X)
#undef X
    XG_SIM_UNIT_COUNT
} xg_sim_unit;
XG_SIM_FN xg_sim_unit xg_sim_unit_best(void); /* that this host has */
XG_SIM_FN const char *xg_sim_unit_name(xg_sim_unit unit);

/* X(NAME, text): what approximate instructions return (math.c): what devices usually do, or the least, the greatest or
 * either value that their documented error allows. */
#define XG_SIM_APPROXES(X) X(USUAL, "usual") X(LOW, "low") X(HIGH, "high") X(MIXED, "mixed")
typedef enum xg_sim_approx {
#define X(name, text) XG_SIM_APPROX_##name,
    XG_SIM_APPROXES(X)
#undef X
    XG_SIM_APPROX_COUNT
} xg_sim_approx;

/* Fails through the context. Everything lives in the arena; the text must live as long as the module (faults quote it).
 * Uses the best unit, or any that the host has. */
XG_SIM_FN xg_sim_module *xg_sim_load(xg_ctx *c, xg_arena *a, const xg_source *ptx);
XG_SIM_FN xg_sim_module *xg_sim_load_for(xg_ctx *c, xg_arena *a, const xg_source *ptx, xg_sim_unit unit);
XG_SIM_FN xg_sim_module *xg_sim_load_as(
    xg_ctx *c, xg_arena *a, const xg_source *ptx, xg_sim_unit unit, xg_sim_approx approx);
XG_SIM_FN uint32_t xg_sim_entries(const xg_sim_module *m);
XG_SIM_FN const xg_sim_entry *xg_sim_entry_at(const xg_sim_module *m, uint32_t i);
XG_SIM_FN const xg_sim_entry *xg_sim_find(const xg_sim_module *m, xg_str name); /* NULL when absent */
/* the same, or the only one that C++ calls so: scale for _Z5scalePf */
XG_SIM_FN const xg_sim_entry *xg_sim_find_plain(const xg_sim_module *m, xg_str name);
XG_SIM_FN const xg_sim_info *xg_sim_entry_info(const xg_sim_entry *e);

/* What device memory exists: sorted, disjoint. Not to be changed while blocks run. Each buffer gets a shadow that tells
 * which warps wrote and read each of its words (shadow.c), as long as all shadows together, twice as large as the
 * buffers, stay below shadow_limit; buffers beyond are checked for their bounds only. */
enum {
    XG_SIM_FREED = 32
};
enum {
    XG_SIM_ARRAY_RANK = 8
};
/* What a buffer is to the caller, for the messages: a name, the bytes of an element (0: unknown), its dimensions. */
typedef struct xg_sim_array {
    char name[200];
    uint32_t item, rank;
    uint64_t dims[XG_SIM_ARRAY_RANK];
} xg_sim_array;
typedef struct xg_sim_buffer {
    uint64_t base, bytes;
    const char *name;
    bool readonly;
    const xg_sim_array *array; /* the caller's, NULL: only the name is known */
    /* Of a multicast object: where as many bytes of each member lie; the caller's. Its own bytes hold what multimem has
     * read or written last. */
    const uint64_t *members;
    uint32_t n_members;
    uint32_t *shadow; /* set by add */
} xg_sim_buffer;
typedef struct xg_sim_memory {
    xg_ctx *ctx;
    xg_sim_buffer *p;
    uint32_t n, cap;
    uint64_t shadow_bytes, shadow_limit; /* limit 0: 2^30 */
    uint32_t n_freed;                    /* counts on; the place is n_freed % XG_SIM_FREED */
    uint64_t heap;                       /* what malloc of kernels gives out (provided.c); 0: none yet */
    void *heap_block;
    uint32_t heap_lock;
    uint32_t wide_lock; /* held by an atomic of 128 bits */
    /* shadow.c: the next interval; launches under way; how often all tags were swept */
    uint32_t interval, running, sweeps;
    xg_sim_buffer freed[XG_SIM_FREED]; /* the last ones that were removed, for the messages */
} xg_sim_memory;
XG_SIM_FN void xg_sim_memory_init(xg_sim_memory *m, xg_ctx *c);
XG_SIM_FN void xg_sim_memory_free(xg_sim_memory *m);
/* MEMORY, or USAGE when it overlaps another */
XG_SIM_FN xlagpu_status xg_sim_memory_add(xg_sim_memory *m, const xg_sim_buffer *b);
XG_SIM_FN bool xg_sim_memory_remove(xg_sim_memory *m, uint64_t base);
XG_SIM_FN const xg_sim_buffer *xg_sim_memory_find(const xg_sim_memory *m, uint64_t address);
XG_SIM_FN void xg_sim_memory_unwritten(xg_sim_memory *m, uint64_t base); /* the buffer counts as never written */
/* The buffer becomes a multicast object of these, which stay the caller's. */
XG_SIM_FN void xg_sim_memory_members(xg_sim_memory *m, uint64_t base, const uint64_t *members, uint32_t n);
XG_SIM_FN void xg_sim_memory_describe(xg_sim_memory *m, uint64_t base, const xg_sim_array *array);
/* The host has written these bytes, or (from not 0) copied them from there: what was never written there counts as not
 * written here. */
XG_SIM_FN void xg_sim_memory_written(xg_sim_memory *m, uint64_t to, uint64_t bytes, uint64_t from);

/* A tensor map, as cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col describe one; numbers as in CUtensorMapDataType
 * and so on. dim: elements less one. encode writes the 128 bytes that kernels take (tensormap.c says how), or says what
 * is wrong. */
enum {
    XG_SIM_TENSORMAP_BYTES = 128
};
typedef struct xg_sim_tensormap {
    uint64_t magic, base, stride[4]; /* stride[i]: bytes from one element of dimension i + 1 to the next */
    uint32_t dim[5];
    uint16_t box[5], channels, pixels;
    int16_t lower[3], upper[3]; /* im2col: the corners of the bounding box, of the middle dimensions */
    uint8_t step[5], type, rank, interleave, swizzle, promotion, fill, im2col;
} xg_sim_tensormap;
XG_SIM_FN const char *xg_sim_tensormap_encode(const xg_sim_tensormap *m, void *out);

/* A texture. encode writes the object whose address in global memory is the handle, or says what is wrong. */
enum {
    XG_SIM_TEXTURE_BYTES = 8 + sizeof(xlagpu_texture)
};
XG_SIM_FN const char *xg_sim_texture_encode(const xlagpu_texture *t, void *out);

/* What a run counts: api/counters.h. */
typedef struct xg_sim_stats {
#define X(name) uint64_t name;
    XLAGPU_COUNTERS(X)
#undef X
    uint64_t class_warps[XLAGPU_CLASS_COUNT], class_lanes[XLAGPU_CLASS_COUNT];
} xg_sim_stats;
XG_SIM_FN void xg_sim_stats_add(xg_sim_stats *sum, const xg_sim_stats *more);

/* X(NAME, text): what a fault is; its text begins with place, kernel, block, thread and this name. */
/* clang-format off */
#define XG_SIM_FAULTS(X) \
    X(BOUNDS, "out of bounds") \
    X(FREED, "freed memory") \
    X(MISALIGNED, "misaligned address") \
    X(READONLY, "write to read-only memory") \
    X(UNWRITTEN, "uninitialised memory") \
    X(REGISTER, "uninitialised register") \
    X(RACE, "data race") \
    X(ASYNC, "copy not waited for") \
    X(MBARRIER, "wrong use of a memory barrier") \
    X(PROXY, "missing proxy fence") \
    X(CONSTANT, "read-only load of written memory") \
    X(SCOPE, "scope too narrow") \
    X(DIVERGENCE, "barrier in divergent code") \
    X(BARRIER, "wrong use of a barrier") \
    X(DEADLOCK, "deadlock") \
    X(INACTIVE, "inactive lanes named") \
    X(ENDLESS, "no end") \
    X(TRAP, "trap") \
    X(ASSERT, "failed assertion") \
    X(OPERAND, "invalid operand")
/* clang-format on */
typedef enum xg_sim_faultkind {
#define X(name, text) XG_SIM_FAULT_##name,
    XG_SIM_FAULTS(X)
#undef X
    XG_SIM_FAULT_COUNT
} xg_sim_faultkind;

/* One kernel launch; zero is the default of all that may be left out. It must stay in place while workers use it. */
typedef struct xg_sim_launch {
    const xg_sim_module *module;
    const xg_sim_entry *entry;
    uint32_t grid[3], block[3]; /* a 0 counts as 1 */
    uint32_t cluster[3];        /* blocks of a cluster; 0: as the kernel says */
    uint32_t dynamic_shared;    /* bytes */
    const void *params;         /* info.param_bytes of them */
    size_t param_bytes;
    xg_sim_memory *memory;
    /* 0 counts as 1. With more, a fault takes away its threads, and the others go on to where they need them (run.c);
     * the launch goes on until it has so many of different kinds or PTX lines */
    uint32_t max_faults;
    bool unchecked_shared;      /* do not report reads of shared memory that was never written */
    bool unchecked_global;      /* ... of global memory that was never written */
    bool unchecked_races;       /* do not report data races */
    bool unchecked_registers;   /* do not report uses of registers that were not written */
    struct xg_sim_trace *trace; /* not NULL: counts for the model of time, slower */
    /* set by xg_sim_prepare */
    uint32_t warps, threads, shared_bytes, shared_base_dynamic, local_bytes, stack_bytes, call_depth, cluster_blocks;
    int stop;              /* set when a worker faults: others stop at their next block */
    uint64_t taken;        /* blocks that workers have taken */
    uint64_t block_step;   /* with a seed: from one block to the next, prime to their number */
    uint32_t alloca_bytes; /* the end of a thread's local memory, for alloca */
    /* set by xg_sim_begin */
    uint32_t first_interval; /* 0: races are not looked for */
    /* Of the launch again, what few ask for. Warp instructions that a block may execute before it counts as hung;
     * 0 = 2^31, about a minute */
    uint64_t fuel;
    /* not 0: blocks, warps and the lanes of an atomic operation come in an order that it decides, so that results which
     * depend on it show; one worker gives the same result each time */
    uint64_t seed;
    uint32_t sm_count; /* what %nsmid says; 0 = 132 */
    uint64_t *ran; /* not NULL: of each record two sums, to which stats that are asked for add its warps and lanes */
    uint32_t registers; /* of a thread, for the model of time; 0: not known */
    /* what the kernel prints, on the workers' threads; with one worker in the order of the blocks */
    void (*print)(void *user, const char *text, size_t bytes);
    void *print_user;
    uint32_t shared_limit; /* bytes a block may have; 0: as the module's target says */
} xg_sim_launch;

/* Checks the launch against the entry and fills what it sets. On failure the message is in the context (no jump). */
XG_SIM_FN xlagpu_status xg_sim_prepare(xg_ctx *c, xg_sim_launch *l);
typedef struct xg_sim_worker xg_sim_worker;
/* Around all of a launch's runs; workers are initialised between them. Both may be called by several threads for one
 * memory. */
XG_SIM_FN void xg_sim_begin(xg_sim_launch *l);
XG_SIM_FN void xg_sim_end(xg_sim_launch *l);
XG_SIM_FN size_t xg_sim_worker_bytes(const xg_sim_launch *l); /* for one worker; includes room to align */
XG_SIM_FN xg_sim_worker *xg_sim_worker_init(void *memory, xg_sim_launch *l);
/* The first of the next n blocks, which are the caller's now: workers share a launch by asking until there are none
 * left. */
XG_SIM_FN uint64_t xg_sim_next_blocks(xg_sim_launch *l, uint64_t n);
/* Runs blocks [first, last) of the grid in order, x fastest. OK or ERROR_FAULT. */
XG_SIM_FN xlagpu_status xg_sim_run(xg_sim_worker *w, uint64_t first, uint64_t last);
XG_SIM_FN const xg_sim_stats *xg_sim_worker_stats(xg_sim_worker *w);
XG_SIM_FN size_t xg_sim_fault_text(
    const xg_sim_worker *w, char *out, size_t cap); /* length, 0 when there was no fault */
/* The worker's faults in the order in which they were found: text, and what tells them apart. NULL behind the last. */
typedef struct xg_sim_kept {
    uint32_t at, kind; /* the place in the PTX; an xg_sim_faultkind */
    char text[1024];
} xg_sim_kept;
XG_SIM_FN const xg_sim_kept *xg_sim_fault_at(const xg_sim_worker *w, uint32_t i);
/* The names of a module's kernels, as C++ source has them: "a, b and 3 more". */
XG_SIM_FN size_t xg_sim_kernel_names(const xg_sim_module *m, char *out, size_t cap);
/* True when blocks may run on several threads at once (the compiler gives us atomic read-modify-write). */
XG_SIM_FN bool xg_sim_threads_ok(void);

/* ---- trace.c: what a launch does, for the model of time ---- */
typedef struct xg_sim_trace xg_sim_trace;
/* For a prepared launch on so many workers; NULL without memory. The launch takes it by its field; device stays. */
XG_SIM_FN xg_sim_trace *xg_sim_trace_new(xg_ctx *c, const xg_sim_launch *l, const xg_device *d, uint32_t workers);
XG_SIM_FN void xg_sim_trace_free(xg_sim_trace *t); /* NULL is allowed */
/* When all workers' stats have been asked for; stats is their sum. */
XG_SIM_FN void xg_sim_trace_counts(
    const xg_sim_trace *t, const xg_sim_launch *l, const xg_sim_stats *stats, xg_cost_counts *out);

/* ---- inside the room: types
 * ----------------------------------------------------------------------------------------- */

/* X(NAME, text, bytes of the register it needs, bits, class): B bits, U and S integers, F floats, P predicate, V packed
 * floats. */
/* clang-format off */
#define XG_SIM_TYPES(X) \
    X(NONE, "?", 0, 0, B) \
    X(PRED, "pred", 4, 32, P) \
    X(B8, "b8", 1, 8, B) \
    X(B16, "b16", 2, 16, B) \
    X(B32, "b32", 4, 32, B) \
    X(B64, "b64", 8, 64, B) \
    X(B128, "b128", 16, 128, B) \
    X(U8, "u8", 1, 8, U) \
    X(U16, "u16", 2, 16, U) \
    X(U32, "u32", 4, 32, U) \
    X(U64, "u64", 8, 64, U) \
    X(S8, "s8", 1, 8, S) \
    X(S16, "s16", 2, 16, S) \
    X(S32, "s32", 4, 32, S) \
    X(S64, "s64", 8, 64, S) \
    X(F16, "f16", 2, 16, F) \
    X(BF16, "bf16", 2, 16, F) \
    X(TF32, "tf32", 4, 32, F) \
    X(F32, "f32", 4, 32, F) \
    X(F64, "f64", 8, 64, F) \
    X(F16X2, "f16x2", 4, 32, V) \
    X(BF16X2, "bf16x2", 4, 32, V) \
    X(F32X2, "f32x2", 8, 64, V) \
    X(U16X2, "u16x2", 4, 32, V) \
    X(S16X2, "s16x2", 4, 32, V) \
    X(E4M3, "e4m3", 1, 8, F) \
    X(E5M2, "e5m2", 1, 8, F) \
    X(E4M3X2, "e4m3x2", 2, 16, V) \
    X(E5M2X2, "e5m2x2", 2, 16, V) \
    X(E2M1X2, "e2m1x2", 1, 8, V) \
    X(E2M3X2, "e2m3x2", 2, 16, V) \
    X(E3M2X2, "e3m2x2", 2, 16, V) \
    X(UE8M0X2, "ue8m0x2", 2, 16, V)
/* clang-format on */
typedef enum xg_sim_type {
#define X(name, text, bytes, bits, cls) XG_SIM_##name,
    XG_SIM_TYPES(X)
#undef X
    XG_SIM_TYPE_COUNT,
    XG_SIM_NO_TYPE = XG_SIM_TYPE_COUNT /* there is no such operand */
} xg_sim_type;

typedef enum xg_sim_space {
    XG_SIM_GENERIC,
    XG_SIM_GLOBAL,
    XG_SIM_SHARED,
    XG_SIM_LOCAL,
    XG_SIM_CONST,
    XG_SIM_PARAM, /* the launch's parameter block; the .param variables of functions are LOCAL */
    XG_SIM_REGS
} xg_sim_space;

/* What the executor does with a record. ALU: call fn and blend. The rest: run.c, memory.c, warp.c; or fn, when all
 * lanes of all warps are there. */
typedef enum xg_sim_kind {
    XG_SIM_K_ALU,
    XG_SIM_K_JOIN,
    XG_SIM_K_BRA,
    XG_SIM_K_BRX,
    XG_SIM_K_EXIT,
    XG_SIM_K_END,
    XG_SIM_K_TRAP,
    XG_SIM_K_NOP,
    XG_SIM_K_CALL,
    XG_SIM_K_LD,
    XG_SIM_K_ST,
    XG_SIM_K_ATOM,
    XG_SIM_K_PARAM,
    XG_SIM_K_SREG,
    XG_SIM_K_LOCAL,
    XG_SIM_K_BAR,
    XG_SIM_K_WARP,
    XG_SIM_K_CPASYNC,
    XG_SIM_K_FENCE,
    XG_SIM_K_SPACE,
    XG_SIM_K_INIT,
    XG_SIM_K_ASYNC,
    XG_SIM_K_WAIT,
    XG_SIM_K_TILE, /* async.c; matrix.c */
    XG_SIM_K_TENSOR /* umma.c */,
    XG_SIM_K_TEX /* texture.c */
} xg_sim_kind;

typedef struct xg_sim_ins xg_sim_ins;

/* Where a record's operands are: of one warp, or of several that stand `stride` bytes apart. And which lanes execute
 * it, for the functions of fast.c. */
typedef struct xg_sim_lanes {
    char *dst, *dst2;
    size_t dstride;      /* bytes from one warp's destination to the next one's */
    const char *base[2]; /* of registers, and of constants less one (a constant's offset has its low bit set) */
    size_t stride[2];    /* the same for sources; stride[1] is 0 */
    uint32_t warps;
    struct xg_sim_worker *w;
    struct xg_sim_warp *v; /* the first of them */
} xg_sim_lanes;
typedef void (*xg_sim_fn)(const xg_sim_lanes *, const xg_sim_ins *);

enum {
    XG_SIM_NOT = 1,
    XG_SIM_FIRST = 2 /* counts as an instruction */,
    XG_SIM_GUARDED = 4,
    XG_SIM_UNI = 8,
    XG_SIM_COPIES = 16 /* ALU: moves a value without using it */
};
#define XG_SIM_NOREG 0xFFFFFFFFu

struct xg_sim_ins {
    /* operands, and c, d, d2, e: while decoding id*2 (+1 for a constant), later byte offsets (+1) */
    uint32_t a, b;
    xg_sim_fn fn; /* of ALU, an xg_sim_lane_fn; of other kinds the short way for whole warps, or NULL */
    uint8_t kind, flags, dbytes, d2bytes;
    uint16_t op; /* the function's number; or what a kind makes of it */
    uint16_t n;  /* items of list */
    uint32_t guard;
    uint32_t d, d2, c, e;
    uint32_t list;      /* first of n more operands in module->list */
    uint32_t imm, imm2; /* the executor's extra facts: see each kind */
    uint32_t at;        /* offset in the text */
    uint32_t before;    /* how many of the records before it count as instructions */
};

typedef struct xg_sim_func xg_sim_func;

typedef struct xg_sim_copy {
    uint32_t from, to, bytes;
    uint8_t reg;
} xg_sim_copy; /* an argument or result of a call */
typedef struct xg_sim_callsite {
    xg_sim_func *callee;
    uint32_t first_arg, n_args, first_ret, n_rets;
} xg_sim_callsite;

/* A formal parameter of a function: bytes of its frame's local memory, or a register. */
typedef struct xg_sim_formal {
    uint32_t at, bytes, align;
    uint8_t reg;
} xg_sim_formal;

struct xg_sim_func {
    bool entry, defined;
    uint32_t id, at;
    uint32_t begin, end;               /* records [begin, end]; the last is END */
    uint32_t frame, local;             /* bytes of registers and of local memory a warp/thread needs here */
    uint32_t stack, deep_local, depth; /* the same with all it calls; depth in calls */
    uint8_t mark;                      /* while walking the call graph */
    bool recursive;
    uint32_t *calls, n_calls;
    xg_sim_func *alias; /* .alias: this one is executed instead */
    xg_sim_formal *args, *rets;
    uint32_t n_args, n_rets;
    uint32_t shared_private;
    uint32_t dynamic_align;
    xg_sim_info info;
};
struct xg_sim_entry {
    xg_sim_func f;
};

typedef struct xg_sim_var {
    xg_str name;
    uint64_t address, bytes;
    bool readonly;
} xg_sim_var;

struct xg_sim_module {
    const struct xg_sim_moves *moves; /* of the unit that the module was loaded for */
    xg_sim_ins *code;
    uint32_t *list;
    uint32_t n_code;
    xg_sim_func **funcs;
    const xg_source *src;
    uint32_t version;
    xg_str target;
    uint32_t n_funcs;
    uint8_t *classes; /* of the records: an xlagpu_class */
    xg_sim_copy *copies;
    xg_sim_callsite *sites;
    char *consts; /* 64-byte aligned */
    uint32_t const_bytes;
    xg_sim_var *vars; /* .global and .const */
    uint32_t n_vars;
    uint32_t *swept;        /* shadow.c: which sweep of that memory they know of */
    bool copies_async;      /* there is a cp.async */
    bool multiplies_async;  /* there is a wgmma */
    bool constants;         /* there is a load with .nc or a tex */
    bool textures;          /* there is a tex */
    bool narrow;            /* there is an atomic or strong access of scope .cta to global memory */
    bool tensor_memory;     /* there is a tcgen05 */
    bool ranks;             /* its text may look at the ranks in shared addresses */
    bool allocas;           /* there is an alloca or stacksave */
    bool cancels;           /* there is a clusterlaunchcontrol.try_cancel */
    bool heap, prints;      /* malloc or free, vprintf is called */
    uint32_t shared_common; /* of .shared variables that several functions use */
    uint32_t dynamic_at;    /* where dynamic shared memory starts when functions use it, else 0 */
    /* the same, sorted for lookup; arena memory. Their shadows' tags are of the one memory that the module is launched
     * on */
    xg_sim_memory globals;
};

#endif /* XG_SIM_H */
