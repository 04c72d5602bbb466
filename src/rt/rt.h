/* rt/rt.h -- devices, programs, executions.
 *
 * Ideas
 * - A platform ("cuda", "host") is one row of functions over addresses; everything above it is the same for both.
 * - A program is checked executable bytes plus loaded kernels and uploaded constants; it does not change. An execution
 *   has its own temporary block, table of base addresses and parameter scratch, so a run allocates nothing.
 * - A run walks the thunk tree and calls the platform.
 *
 * Laws
 * - Functions return statuses and leave the message in the context they are given: the device's, or on the way of a
 *   launch the execution's own, so that executions on several threads share nothing that changes. The first error of a
 *   call stays. Nothing here jumps, except inside protected calls around the PTX parser and the first view of the
 *   bytes.
 * - What a program's bytes say is checked once, when they are loaded; running trusts it. */
#ifndef XG_RT_H
#define XG_RT_H
#include "../xlagpu_runtime.h"
#include "../api/executable_read.c"
#include "../base/base.h"
#include "../cost/cost.h"
#ifndef XLAGPU_NO_SIMULATOR
#include "../sim/sim.h"
#endif
#if !defined(XLAGPU_NO_SIMULATOR) || defined(XLAGPU_USE_LLVM_CPU)
#define XR_ONCE /* there are platforms on which calls run at once */
#endif
#if !defined(XLAGPU_NO_SIMULATOR) || defined(XLAGPU_USE_NCCL)
#define XR_CLIQUES /* there are devices that may meet */
#endif

enum {
    XR_RANK_MAX = 64,
    XR_NESTING_MAX = 64,
    XR_NOTE_MAX = 512,
    XR_KERNEL_MAPS_MAX = 8,
    XR_MAP_BYTES = 128,
    XR_MAP_ALIGN = 64,
    XR_MAP_PROMOTION = 2,         /* lines of 128 bytes are fetched into the second cache, as boxes have them */
    XR_GRAPH_NODES_MAX = 1 << 16, /* more take longer to instantiate than they save */
    XR_WORKERS_MAX = 64,
    XR_DEVICES_MAX = 1 << 12, /* of a clique; each is a thread */
    XR_PEER_REACHES = 1,      /* bits of a clique's table `reach` */
    XR_PEER_OURS = 2,
    XR_PEERS_MULTIMEM = 1, /* the second way of peers.c */
    XR_PEERS_WAYS = 2,
    XR_CLIQUE_SECONDS = 60 /* that a device waits for others when the caller does not say */
};

typedef struct xr_platform xr_platform;
typedef struct xr_thread xr_thread; /* system.c */
typedef struct xr_lock xr_lock;
typedef struct xr_comm xr_comm; /* nccl.c */

/* A multicast object: as many bytes of each member behind an address, which is the same for all members but on the
 * host. handle: the driver's. */
typedef struct xr_cast_part {
    xlagpu_device *device;
    uint64_t handle, address, all;
} xr_cast_part;
typedef struct xr_cast {
    struct xr_cast *next;
    uint64_t bytes, handle;
    uint32_t n;
    xr_cast_part parts[XG_EXE_PEERS_MAX];
    uint64_t members[XG_EXE_PEERS_MAX]; /* host: the parts' addresses */
} xr_cast;

/* X(NAME, text): what devices do together. */
#define XR_COLLECTIVES(X) \
    X(ALL_REDUCE, "all-reduce") \
    X(ALL_GATHER, "all-gather") \
    X(REDUCE_SCATTER, "reduce-scatter") \
    X(ALL_TO_ALL, "all-to-all") \
    X(PERMUTE, "collective-permute") X(BROADCAST, "collective-broadcast") X(RAGGED, "ragged-all-to-all")
typedef enum xr_collective_kind {
#define X(name, text) XR_COLLECTIVE_##name,
    XR_COLLECTIVES(X)
#undef X
    XR_COLLECTIVE_COUNT
} xr_collective_kind;
/* label: by device, 1 + its group; 0: in none. Group g is ids[first[g]] .. ids[first[g + 1]], in the order of its
 * members. PERMUTE: devices that send each other have one label; ids is by device, 1 + whose operands it gets, 0:
 * zeros. */
typedef struct xr_collective {
    xr_collective_kind kind;
    uint32_t reducer; /* add, multiply, minimum, maximum */
    uint32_t row;     /* RAGGED: bytes */
    xlagpu_type type; /* of elements, of offsets (RAGGED), of the root (BROADCAST; INVALID: the first member is it) */
    uint32_t n_in, n_out, n_groups;
    uint32_t *ids, *first, *label;
    const xr_comm *comm; /* nccl.c; NULL: devices meet on the host */
    /* peers.c: of each way for each operand the number of a kernel, as text; whether devices reach each other for it;
     * and the memory that a device's group shares, NULL: none */
    const char *kernels[XR_PEERS_WAYS];
    uint32_t n_kernels[XR_PEERS_WAYS];
    bool by_peers;
    const xr_cast *cast;
} xr_collective;

/* device memory that the device frees at the end */
typedef struct xr_block {
    uint64_t address;
    size_t bytes;
    void *memory;
    bool host;
} xr_block;

typedef struct xr_function {
    xlagpu_rt_function_desc desc;
    struct xr_function *next;
    char name[128];
} xr_function;

/* A call of an execution: what its function has asked for. */
typedef struct xr_call_state {
    xlagpu_buffer scratch;
    void *state;
    bool prepared;
} xr_call_state;

struct xlagpu_device {
    const xr_platform *platform;    /* NULL: failed to open */
    void *state;                    /* the platform's */
    struct xr_libraries *libraries; /* library.c; NULL: none is open */
    xlagpu_program *programs;
    xr_block *blocks; /* in the order in which they were made */
    uint32_t n_blocks, cap_blocks;
    uint32_t threads, approximations;
    bool no_command_buffers, copy_stream, concurrent;
    bool meets;             /* other devices: collectives run beside the rest */
    xr_function *functions; /* registered; they live as long as the device */
    xlagpu_ptx *ptx;        /* those that are loaded */
    xg_ctx c;
    uint32_t predict_scale, predict_memory_scale;
    bool predict; /* launches of the simulator are counted for the model of time */
    void (*progress)(void *user, const char *kernel, uint64_t done, uint64_t blocks);
    void *progress_user;
    void (*print)(void *user, const char *text, size_t bytes);
    void *print_user;
    void (*line)(void *user, const xlagpu_rt_line *line);
    void *line_user;
    void *range_user;
    void (*jit_log)(void *user, const char *program, double milliseconds, const char *text);
    void *jit_log_user;
    const char *library_folder;
    xg_arena arena;
    char found_libraries[64]; /* those that there are, as they are given to the compiler */
    char name[128], target[16];
    void (*range)(void *user, const char *name);
    xg_device figures;      /* of the GPU; of the simulator: what it stands for */
    char note[XR_NOTE_MAX]; /* what was asked for and is not there; "": nothing */
};

/* PTX that a caller has loaded. */
struct xlagpu_ptx {
    xlagpu_device *device;
    xlagpu_ptx *next;
    xg_arena arena;
    xg_source source;
    void *loaded;
};

/* handle: the platform's; n_params: buffers it takes; found: while loading, in the PTX */
typedef struct xr_kernel {
    const char *name;
    uint32_t shared_bytes, threads[3], blocks[3];
    const void *handle;
    uint32_t n_params;
    bool found;
    uint32_t first_map, n_maps; /* behind its buffers */
} xr_kernel;

/* A tensor map of an execution, and for which address it was encoded; aligned inside. */
typedef struct xr_map {
    uint64_t address, words[16];
} xr_map;

/* The bytes of a parameter or result of a run; value: parameters first. */
typedef struct xr_extent {
    uint64_t from, to;
    uint32_t value;
} xr_extent;

typedef struct xr_command {
    uint32_t thunk, first;
} xr_command; /* first: of its words in a record */
/* n_nodes: graph nodes that stand for commands and questions; 0: too many, or none. */
typedef struct xr_command_buffer {
    uint32_t thunk, n, n_words, n_nodes;
    bool control;
    xr_command *commands;
} xr_command_buffer;

/* What loops and branches ask: the value of a slice, and by kind whether it is true (0), the pred that chooses branch
 * `which` (1), or the index that does (2). */
typedef struct xr_question {
    uint64_t handle, address;
    uint32_t slice, kind, branches, which;
} xr_question;

/* A graph node of a command, or of a question. next: 1 + the next node of the same command, or the next question. The
 * condition of a loop stands in front of it and in its body, so a command may have several nodes. */
typedef struct xr_node {
    void *node;
    uint32_t next;
    xr_question asks;
} xr_node;

/* A command buffer of an execution. graph, exec, nodes: the platform's. first: of each command 1 + its first node, then
 * the same of the questions. plain: the thunks run one by one. no_update: the driver refuses changes of what is built.
 */
typedef struct xr_record {
    uint64_t *words;
    xr_node *nodes;
    uint32_t *first, n_nodes;
    void *graph, *exec, *stream; /* stream: what libraries enqueue is captured from it; NULL: none yet */
    uint64_t version;
    uint32_t builds, updates;
    bool built, plain, no_update;
} xr_record;

/* Of a thunk: whether it runs on the copy stream; the event (plus 1) that it waits for, and that is recorded behind it;
 * of a sequence with such thunks, the event of its ends. */
typedef struct xr_lane {
    bool aside;
    uint32_t wait, record, forks;
} xr_lane;

typedef struct xr_profile {
    bool on;
    uint32_t capacity, n;
    uint64_t dropped;
    xlagpu_rt_event *events;
    double begin;
    void *before, *after;
} xr_profile; /* before, after: the platform's events */

/* The programs of all devices that were loaded together. */
typedef struct xr_peers {
    struct xr_peers *next;
    xlagpu_program **programs;
} xr_peers;
typedef enum xr_seat_state {
    XR_SEAT_AWAY, /* its program does not run */
    XR_SEAT_RUNS,
    XR_SEAT_WAITS, /* in a collective */
    XR_SEAT_SERVED /* the last one of its group works for it */
} xr_seat_state;
typedef struct xr_seat { /* of a device of a clique */
    xr_seat_state state;
    const xlagpu_execution *execution; /* that waits: its args are the addresses */
    const xg_exe_thunk *thunk;
    bool spoilt; /* its run failed */
} xr_seat;
struct xlagpu_clique {
    uint32_t n;
    xlagpu_device **devices;
    xr_lock *lock; /* for the seats, for `failed`, and for what stands behind `broken` */
    xr_seat *seats;
    xr_thread *threads;
    xr_peers *loads;
    uint32_t first, all; /* the number of our first device, and how many all processes have */
    xlagpu_status failed;
    uint8_t *reach; /* peers.c: by device and other device, whether it reaches the other's memory; NULL: none does */
    xr_cast *casts; /* peers.c */
    xg_ctx c;
    double timeout; /* seconds that a device waits for others */
    uint32_t process, processes;
    int *sockets; /* rendezvous.c: process 0 has one to each other process, these have one to it */
    xlagpu_status (*share)(void *user, void *bytes, size_t size);
    void *share_user;
    struct xr_nccl *nccl; /* NULL: not opened */
    xr_comm *comms;       /* all devices first */
    bool broken;          /* with the lock: communicators were given up */
    bool together;        /* all devices run now: if none goes on, none ever will */
    char why[XG_MESSAGE_MAX];
};

struct xlagpu_program {
    xlagpu_device *device;
    const xg_exe_thunk *thunks;
    const uint32_t *links;
    const xg_exe_value *values;
    const xg_exe_slice *slices;
    xr_kernel *kernels;
    uint32_t n_maps, n_allocations, n_slices, n_thunks, n_kernels, most_links;
    xr_lane *lanes; /* per thunk; NULL: all on one stream */
    const char *strings;
    xlagpu_clique *clique; /* NULL: it runs alone */
    xr_peers *peers;
    uint32_t rank; /* of its device */
    xg_arena arena;
    xlagpu_program *prev, *next;
    xr_collective *collectives;          /* one after the other */
    xr_collective **collective_of;       /* by thunk */
    xlagpu_execution *executions, *easy; /* easy: of xlagpu_rt_run; NULL: none yet */
    const unsigned char *bytes;          /* our copy */
    xg_source ptx;                       /* inside the bytes */
    const xg_exe_allocation *allocations;
    const int64_t *dims;
    const xg_exe_map *maps;
    uint64_t *constants;       /* address per allocation; 0: not a constant */
    const xr_function **calls; /* per thunk, of calls */
    xlagpu_rt_value *arrays;   /* of calls: the VALUES behind results */
    xlagpu_rt_attribute *attributes;
    bool has_calls;
    uint32_t n_collectives;
    uint64_t met, said; /* nccl.c: device and host memory for what collectives must know; 0: none */
    xr_command_buffer *command_buffers;
    xr_command *commands;
    /* per thunk: its number among the command buffers, or as a command in one */
    uint32_t n_command_buffers, *command_of;
    bool has_control_commands, has_decisions; /* has_decisions: loops or branches that the host may have to decide */
    uint32_t n_lane_events;
    uint8_t *depth;                /* per thunk: how many levels lie below it */
    void *module;                  /* the platform's */
    xlagpu_kernel_stats *finished; /* of executions that ended; per kernel */
    xg_exe_header head;
    xg_exe_section sections[XG_EXE_SECTION_COUNT];
};

struct xlagpu_execution {
    xlagpu_program *program;
    xlagpu_execution *prev, *next;
    uint64_t *base;      /* address per allocation */
    uint64_t *args;      /* addresses of one launch; then, aligned, its tensor maps */
    xlagpu_buffer *kept; /* of the easy way: parameters, then results; NULL: none yet */
    uint64_t temp, host; /* blocks of temporary memory */
    uint32_t replica, partition;
    uint64_t version;           /* grows when an address or one of these changes */
    xr_record *records;         /* of command buffers */
    void *ended;                /* the platform's event behind the last run; NULL: none yet */
    bool running;               /* a run has been enqueued, and no call has waited for it */
    bool spoiled;               /* a run has failed: counters need not be zero */
    bool capturing;             /* what is enqueued becomes a part of a graph */
    void *aside, **lane_events; /* the copy stream; NULL: none. And its events */
    xg_ctx c;                   /* its own message; its allocator is not used */
    uint64_t random[2];         /* what RANDOM_STATE gives next */
    void **met;                 /* two events for each collective: all before it is done, it is done */
    xr_map *maps;               /* as the program has them */
    void *spare;                /* memory to change layouts in */
    size_t spare_bytes;
    uint64_t *bound; /* addresses of parameters, then results, that were checked for overlaps */
    bool bound_checked;
    xr_extent *extents; /* as many, for that check */
    void **arg_pointers;
    xlagpu_buffer *buffers;     /* of one call */
    xr_call_state *calls;       /* per thunk, if the program has calls */
    xlagpu_kernel_stats *stats; /* per kernel */
    void *state;                /* the platform's: worker memory of the simulator */
    xr_profile profile;
    char note[XR_NOTE_MAX]; /* what is slower than it was asked to be, and why; "": nothing */
};

/* One row per platform. */
struct xr_platform {
    const char *name;
    xlagpu_status (*open)(xlagpu_device *d, const xlagpu_device_desc *desc);
    void (*close)(xlagpu_device *d);
    /* host: memory of the host that the device can reach */
    xlagpu_status (*alloc)(xlagpu_device *d, size_t bytes, bool host, xr_block *out);
    void (*release)(xlagpu_device *d, const xr_block *b);
    /* In the order of the default stream. `from` may change at once, but the bytes have landed only after a wait. */
    xlagpu_status (*upload)(xlagpu_device *d, uint64_t to, const void *from, size_t bytes);
    xlagpu_status (*download)(xlagpu_device *d, void *to, uint64_t from, size_t bytes);
    xlagpu_status (*wait)(xlagpu_device *d, void *stream);
    void (*settle)(xlagpu_device *d);         /* waits for all that runs; failures do not matter any more */
    xlagpu_status (*load)(xlagpu_program *p); /* fills kernels[].handle and n_params */
    void (*unload)(xlagpu_program *p);
    xlagpu_status (*prepare)(xlagpu_execution *e);
    void (*finish)(xlagpu_execution *e);
    /* The way of a launch: neither allocates nor locks on cuda; messages go to the execution. The last four between
     * enter and leave. */
    xlagpu_status (*enter)(xlagpu_execution *e);
    void (*leave)(xlagpu_execution *e);
    xlagpu_status (*copy)(xlagpu_execution *e, uint64_t to, uint64_t from, size_t bytes, void *stream);
    xlagpu_status (*fill)(xlagpu_execution *e, uint64_t to, uint32_t pattern, size_t bytes, void *stream);
    /* what the stream has written so far; blocks */
    xlagpu_status (*read)(xlagpu_execution *e, void *to, uint64_t from, size_t bytes, void *stream);
    xlagpu_status (*launch)(xlagpu_execution *e, uint32_t kernel, void *stream);
    /* Command buffers; all inside enter and leave. XLAGPU_ERROR_UNSUPPORTED: the device refuses, and is none the worse
     * for it. update: of a command, or, for the number behind the last command, of what loops and branches ask. */
    xlagpu_status (*build)(xlagpu_execution *e, const xr_command_buffer *b, xr_record *r);
    xlagpu_status (*update)(xlagpu_execution *e, const xr_command_buffer *b, xr_record *r, uint32_t command);
    xlagpu_status (*replay)(xlagpu_execution *e, const xr_command_buffer *b, xr_record *r, void *stream);
    void (*forget)(xlagpu_execution *e, xr_record *r);
    /* Events: points in a stream. */
    xlagpu_status (*event_new)(xlagpu_execution *e, bool timed, void **event);
    void (*event_free)(xlagpu_execution *e, void *event);
    xlagpu_status (*event_record)(xlagpu_execution *e, void *event, void *stream);
    xlagpu_status (*event_wait)(xlagpu_execution *e, void *event);
    xlagpu_status (*event_done)(xlagpu_execution *e, void *event, bool *done);
    xlagpu_status (*event_seconds)(xlagpu_execution *e, void *before, void *after, double *seconds);
    /* Streams; NULL: there is one order only. follow: what is enqueued from now on waits for the event. */
    xlagpu_status (*stream_new)(xlagpu_execution *e, void **stream);
    void (*stream_free)(xlagpu_execution *e, void *stream);
    xlagpu_status (*stream_follow)(xlagpu_execution *e, void *stream, void *event);
    void (*range)(xlagpu_device *d, const char *name); /* NVTX: begins a range; NULL ends it. May be NULL */
    /* Whether the device reaches the other's memory from now on; ours: it did not before, and unreach takes it back. A
     * refusal is no failure. NULL: nobody does. */
    bool (*reach)(xlagpu_device *d, xlagpu_device *other, bool *ours);
    void (*unreach)(xlagpu_device *d, xlagpu_device *other);
    /* Memory of another device that kernels may read from now on, or no more; NULL: reach says so for good. */
    xlagpu_status (*lend)(xlagpu_device *d, uint64_t address, size_t bytes, bool on);
    /* Makes the object of the parts' devices, of so many bytes at least; a refusal is no failure. uncast: also of one
     * that was refused half way. NULL: there are none. */
    bool (*cast)(xr_cast *c);
    void (*uncast)(xr_cast *c);
    /* what launch_ptx gets as loaded; NULL after a failure. May be NULL: then loaded is */
    void *(*load_ptx)(xlagpu_device *d, xg_arena *a, const xg_source *ptx);
    xlagpu_status (*launch_ptx)(
        xlagpu_device *d, const xg_source *ptx, void *loaded, const xlagpu_ptx_launch *l, xlagpu_kernel_stats *stats);
    xlagpu_status (*encode_map)(xlagpu_device *d, const xlagpu_tensor_map *m, void *out);
    /* Before a function is given these bytes, and after it has written them. NULL: it need not be known */
    xlagpu_status (*touch)(xlagpu_execution *e, uint64_t address, size_t bytes, bool written);
};

/* ---- system.c: threads and shared libraries ---- */
XG_FN void *xr_library_open(const char *name);
XG_FN void *xr_library_symbol(void *library, const char *name);
XG_FN void xr_library_close(void *library);
XG_FN uint64_t xr_process(void); /* its number */
XG_FN uint32_t xr_processors(void);
XG_FN double xr_seconds(void); /* since some moment; only grows */
XG_FN void xr_nap(uint32_t microseconds);
/* Runs job(user, 0..n-1), n at most XR_WORKERS_MAX, each on its own thread (the last one on the caller's); returns when
 * all are done. A thread that cannot be had is made up for by the caller's. */
XG_FN void xr_parallel(uint32_t n, void (*job)(void *user, uint32_t index), void *user);

#ifdef XLAGPU_USE_LLVM_CPU
/* Memory that is filled, then sealed: from then on it can be run, or read alone. In pages. */
XG_FN size_t xr_page(void);
XG_FN void *xr_pages_new(size_t bytes); /* NULL: there are none */
XG_FN bool xr_pages_seal(void *p, size_t bytes, bool runs);
XG_FN void xr_pages_free(void *p, size_t bytes);
#endif

/* On a thread of its own; false: it cannot be had. */
XG_FN bool xr_thread_begin(xr_thread *t, void (*job)(void *user, uint32_t index), void *user, uint32_t index);
XG_FN void xr_thread_join(xr_thread *t);
/* A lock, and something to wait for with it, at most a second. */
XG_FN xr_lock *xr_lock_new(xg_ctx *c);
XG_FN void xr_lock_free(xr_lock *l);
XG_FN void xr_enter_lock(xr_lock *l);
XG_FN void xr_leave_lock(xr_lock *l);
XG_FN void xr_wake(xr_lock *l);
XG_FN void xr_wait_lock(xr_lock *l);

/* ---- overlap.c ---- */
typedef bool (*xr_less)(const void *user, const void *a, const void *b);
XG_FN void xr_sort(void *list, size_t n, size_t bytes, xr_less less, const void *user); /* not stable */
XG_FN xlagpu_status xr_overlap_check(xlagpu_execution *e);
/* ---- device.c ---- */
XG_FN xlagpu_status xr_fail(xg_ctx *c, xlagpu_status s, const char *format, ...) XG_PRINTF(3, 4);
XG_FN xlagpu_status xr_no_memory(xg_ctx *c);
/* clears the message at the start of a public call */
XG_FN void xr_begin(xg_ctx *c);
XG_FN const xr_function *xr_function_find(const xlagpu_device *d, const char *name);
XG_FN void xr_note(xg_ctx *c, const char *format, ...) XG_PRINTF(2, 3); /* appends to the message */
XG_FN void xr_release(xlagpu_device *d, uint64_t address);
XG_FN xlagpu_status xr_alloc(xlagpu_device *d, size_t bytes, uint64_t *address);
/* ---- program.c ---- */
XG_FN xlagpu_status xr_damaged(xlagpu_program *p, const char *what);
XG_FN uint64_t xr_element_bytes(uint32_t type);
/* ---- collectives.c ---- */
XG_FN xlagpu_status xr_collectives_load(xlagpu_program *p);
XG_FN xlagpu_status xr_run_collective(xlagpu_execution *e, const xg_exe_thunk *t, void *stream);
XG_FN xlagpu_status xr_clique_enter(xlagpu_execution *e);
XG_FN void xr_clique_leave(xlagpu_clique *q, uint32_t rank, xlagpu_status s, const char *message);
#ifdef XR_CLIQUES
XG_FN xlagpu_status xr_clique_failed(xlagpu_clique *q, xg_ctx *c); /* some device of this process has */
XG_FN uint64_t xr_link_bytes(const xlagpu_program *p, const xg_exe_thunk *t, uint32_t k);
XG_FN uint32_t xr_collective_group(const xr_collective *q, uint32_t device, const uint32_t **ids);
XG_FN uint64_t xr_load_int(xlagpu_type t, const char *p);
#endif
#ifdef XR_CLIQUES
/* ---- peers.c ---- */
XG_FN bool xr_peers_fit(const xlagpu_program *p, const xr_collective *q);
XG_FN xlagpu_status xr_peers_open(xlagpu_clique *q); /* who reaches whom */
XG_FN void xr_peers_close(xlagpu_clique *q);
XG_FN void xr_peers_load(xlagpu_clique *q, xr_peers *peers);
XG_FN bool xr_peers_take(const xlagpu_execution *e, const xg_exe_thunk *t);
XG_FN xlagpu_status xr_peers_all_reduce(xlagpu_execution *e, const xg_exe_thunk *t, void *stream);
#endif
/* ---- rendezvous.c ---- */
XG_FN xlagpu_status xr_rendezvous(xlagpu_clique *q, const xlagpu_rt_clique_desc *desc, xlagpu_device_desc *device);
XG_FN void xr_rendezvous_end(xlagpu_clique *q);
/* ---- nccl.c ---- */
XG_FN xlagpu_status xr_nccl_open(xlagpu_clique *q, const char *folder);
XG_FN void xr_nccl_close(xlagpu_clique *q);
XG_FN xlagpu_status xr_nccl_load(xlagpu_clique *q, xr_peers *peers);
XG_FN xlagpu_status xr_nccl_collective(xlagpu_execution *e, const xg_exe_thunk *t, void *stream);
/* Until the last run has ended; a clique's devices look after each other meanwhile. */
XG_FN xlagpu_status xr_nccl_wait(xlagpu_execution *e);
XG_FN xlagpu_status xr_nccl_pause(xlagpu_execution *e, void *stream); /* ... until the stream has come so far */
XG_FN void xr_nccl_leave(xlagpu_execution *e);                        /* its device meets the others no more */
XG_FN bool xr_met_has(const xlagpu_program *p);                       /* collectives by NCCL */
XG_FN size_t xr_met_bytes(const xlagpu_program *p);
XG_FN xlagpu_status xr_met_prepare(xlagpu_execution *e);
XG_FN void xr_met_finish(xlagpu_execution *e);
#ifdef XR_CLIQUES
/* ---- clique.c ---- */
/* job(user, k) for each device, on a thread of its own; the first failure is the clique's */
XG_FN xlagpu_status xr_clique_all(xlagpu_clique *q, void (*job)(void *user, uint32_t k), void *user);
#endif
/* ---- commands.c ---- */
XG_FN bool xr_is_list(uint32_t kind);    /* a sequence or command buffer */
XG_FN bool xr_is_command(uint32_t kind); /* in a command buffer, and runs no thunks */
XG_FN bool xr_is_control(uint32_t kind); /* in a command buffer, and runs thunks */
XG_FN const uint32_t *xr_children(const xlagpu_program *p, const xg_exe_thunk *t, uint32_t *n); /* the thunks below */
XG_FN xlagpu_status xr_commands_load(xlagpu_program *p);
XG_FN uint64_t xr_commands_bytes(const xlagpu_program *p);  /* what an execution needs for its records, */
XG_FN void xr_commands_place(xlagpu_execution *e, char *m); /* and where it has it */
XG_FN void xr_commands_finish(xlagpu_execution *e);
XG_FN xlagpu_status xr_run_commands(
    xlagpu_execution *e, uint32_t number, void *stream, bool *done); /* not done: run the thunks one by one */
/* ---- lanes.c ---- */
/* two thunks: do they touch the same bytes, and one writes? */
XG_FN bool xr_lanes_conflict(const xlagpu_program *p, uint32_t a, uint32_t b);
XG_FN void xr_lanes_load(xlagpu_program *p);
XG_FN size_t xr_lanes_bytes(const xlagpu_program *p);
XG_FN xlagpu_status xr_lanes_prepare(xlagpu_execution *e);
XG_FN void xr_lanes_finish(xlagpu_execution *e);
XG_FN bool xr_lanes_has(const xlagpu_execution *e, uint32_t number); /* does this sequence run on both streams? */
XG_FN xlagpu_status xr_run_lanes(xlagpu_execution *e, uint32_t number, void *stream);
/* ---- execute.c ---- */
/* The parameters of a launch, whose addresses are in args: what else the kernel takes, and where all of it stands. */
XG_FN xlagpu_status xr_finish_args(xlagpu_execution *e, uint32_t kernel);
XG_FN uint32_t xr_param_bytes(const xr_kernel *k);
/* ---- profile.c ---- */
XG_FN void xr_range(xlagpu_device *d, const char *name);
/* ---- execute.c ---- */
XG_FN void xr_random_reset(xlagpu_execution *e);
XG_FN xlagpu_status xr_run_thunk(xlagpu_execution *e, uint32_t number, void *stream);
XG_FN xlagpu_status xr_run_step(xlagpu_execution *e, const xg_exe_thunk *t, void *stream); /* one that runs no thunks */
XG_FN xlagpu_status xr_wait_ended(xlagpu_execution *e);                                    /* inside enter and leave */
XG_FN uint64_t xr_address(const xlagpu_execution *e, uint32_t slice);
/* What a thunk that fills in a number of the run (XG_EXE_OWN) fills in. */
XG_FN uint32_t xr_own_number(const xlagpu_execution *e, const xg_exe_thunk *t);
XG_FN xlagpu_status xr_read_decision(xlagpu_execution *e, uint32_t slice, void *stream, int32_t *out);
XG_FN uint32_t xr_branch(const xlagpu_execution *e, uint32_t slice, int32_t which, uint32_t branches);
/* ---- easy.c ---- */
XG_FN void xr_easy_finish(xlagpu_execution *e);
/* ---- calls.c ---- */
XG_FN xlagpu_status xr_calls_prepare(xlagpu_execution *e);
XG_FN void xr_calls_finish(xlagpu_execution *e);
XG_FN xlagpu_status xr_run_call(xlagpu_execution *e, const xg_exe_thunk *t, void *stream);
/* ---- library.c ---- */
/* NULL: it is not there, or too old; the device's message says so */
XG_FN const xr_function *xr_library_function(xlagpu_device *d, const char *name);
XG_FN void xr_libraries_close(xlagpu_device *d);
/* ---- host.c, cpu.c, cuda.c ---- */
XG_FN const xr_platform *xr_host_platform(void); /* NULL when compiled out */
XG_FN const xr_platform *xr_cpu_platform(void);  /* likewise */
XG_FN const xr_platform *xr_cuda_platform(void);

#endif /* XG_RT_H */
