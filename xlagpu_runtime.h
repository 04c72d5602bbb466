/* xlagpu_runtime.h -- all of it in one file; its version is XLAGPU_VERSION.
 * Generated from src/ by ./build.sh: edit src/ and run it again. */
/* xlagpu_runtime.h -- runs what xlagpu.h compiled: on an NVIDIA GPU through the driver opened at run time, or on a PTX
 * simulator. Public domain or MIT.
 *
 * Do this in ONE C or C++ file:
 *     #define XLAGPU_IMPLEMENTATION
 *     #include "xlagpu_runtime.h"
 * Link with -lm -ldl -lpthread (nothing on Windows). No CUDA header or library is needed to build; a machine without a
 * driver gets a clear status.
 *
 * WHAT IT DOES
 *     open a device -> load executable bytes -> run
 *
 *     xlagpu_device *d;
 *     xlagpu_rt_open(NULL, &d);                                   // GPU if there is a driver, else the simulator
 *     xlagpu_program *p = xlagpu_rt_load(d, bytes, size);
 *     if (!p || xlagpu_rt_run(p, inputs, n, outputs, k)) puts(xlagpu_rt_error(d));
 *     xlagpu_rt_close(d);                                         // frees programs, executions and buffers too
 *
 * or, in a program that owns its buffers and stream: xlagpu_rt_prepare once, then xlagpu_rt_execute every frame.
 *
 * MEMORY    Host memory through the device's allocator. xlagpu_rt_close frees all.
 * ERRORS    Statuses. xlagpu_rt_error has the message of the device's last failure; that of xlagpu_rt_execute is the
 *           execution's own
 *           (xlagpu_rt_execution_error) and names the kernel and the HLO instruction. A message stays until the next
 *           call on the same device or execution.
 * THREADS   xlagpu_rt_execute and xlagpu_rt_execution_error: each execution on one thread at a time, different ones, of
 *           one program or several, on different
 *           threads at once. All other calls: one thread at a time per device, and on "host" not while an execution of
 *           the device runs.
 *
 * CONFIGURATION
 *     XLAGPU_NO_SIMULATOR   only the cuda platform: a smaller object
 *     XLAGPU_STATIC, XLAGPU_ASSERT, XLAGPU_NO_EXTENSIONS as in xlagpu.h. None changes a public type. */
#ifndef XLAGPU_RUNTIME_H
#define XLAGPU_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* api/version.h -- the version, one for both headers, and the linkage of public functions.
 *
 * The two headers each carry a copy of this file; the first lines refuse copies of different releases. */
#if defined(XLAGPU_VERSION_NUMBER) && XLAGPU_VERSION_NUMBER != 100
#error "xlagpu.h and xlagpu_runtime.h are of different versions: take both from one release"
#endif
#ifndef XG_API_VERSION_H
#define XG_API_VERSION_H

#define XLAGPU_VERSION_MAJOR 0
#define XLAGPU_VERSION_MINOR 1
#define XLAGPU_VERSION_PATCH 0
#define XLAGPU_VERSION_NUMBER 100 /* major * 10000 + minor * 100 + patch; also above */
#define XLAGPU_VERSION "0.1.0"

#ifndef XLAGPU_DEF
#if !defined(XLAGPU_STATIC)
#define XLAGPU_DEF extern
#elif (defined(__GNUC__) || defined(__clang__)) && !defined(XLAGPU_NO_EXTENSIONS)
#define XLAGPU_DEF static __attribute__((unused))
#else
#define XLAGPU_DEF static
#endif
#endif

#endif /* XG_API_VERSION_H */
/* api/status.h -- what a call answers, the allocator and the element types: shared by both public headers.
 *
 * Each list is a macro; enum, names and the evaluation of widths are expansions of it. */
#ifndef XG_API_STATUS_H
#define XG_API_STATUS_H
#include <stddef.h>

/* X(NAME, text): the class of a failure; the message beside it says what, where, and what to do. */
/* clang-format off */
#define XLAGPU_STATUSES(X) \
    X(OK, "ok") \
    X(ERROR_SYNTAX, "the text does not follow the grammar") \
    X(ERROR_INVALID, "the input breaks a rule of its language") \
    X(ERROR_UNSUPPORTED, "correct, but not supported here") \
    X(ERROR_USAGE, "the call or its arguments are wrong") \
    X(ERROR_MEMORY, "out of memory") \
    X(ERROR_LIMIT, "over a limit of this implementation or of the context") \
    X(ERROR_DEVICE, "the device or its driver failed") \
    X(ERROR_NO_DEVICE, "no such device or driver here") \
    X(ERROR_FAULT, "the simulator found a fault in a kernel") \
    X(ERROR_CORRUPT, "the bytes of an executable are damaged or of another version") \
    X(ERROR_INTERNAL, "a bug in xlagpu; please report it")
/* clang-format on */

typedef enum xlagpu_status {
#define XLAGPU_X(name, text) XLAGPU_##name,
    XLAGPU_STATUSES(XLAGPU_X)
#undef XLAGPU_X
    XLAGPU_STATUS_COUNT
} xlagpu_status;

/* Memory comes from here and goes back here. All zero: malloc and free.
 * alloc returns NULL when there is no memory; bytes are never 0; the result is aligned for any object (16 bytes). */
typedef struct xlagpu_allocator {
    void *(*alloc)(void *user, size_t bytes);
    void (*release)(void *user, void *memory);
    void *user;
} xlagpu_allocator;

/* Element types of HLO. X(NAME, text, bits, class): class is PRED, SINT, UINT, FLOAT, COMPLEX or OTHER; bits is the
 * width of the value, 0 for what has none. Order is ours; the text form names them. */
/* clang-format off */
#define XLAGPU_TYPES(X) \
    X(INVALID, "invalid", 0, OTHER) \
    X(PRED, "pred", 8, PRED) \
    X(S1, "s1", 1, SINT) \
    X(S2, "s2", 2, SINT) \
    X(S4, "s4", 4, SINT) \
    X(S8, "s8", 8, SINT) \
    X(S16, "s16", 16, SINT) \
    X(S32, "s32", 32, SINT) \
    X(S64, "s64", 64, SINT) \
    X(U1, "u1", 1, UINT) \
    X(U2, "u2", 2, UINT) \
    X(U4, "u4", 4, UINT) \
    X(U8, "u8", 8, UINT) \
    X(U16, "u16", 16, UINT) \
    X(U32, "u32", 32, UINT) \
    X(U64, "u64", 64, UINT) \
    X(F4E2M1FN, "f4e2m1fn", 4, FLOAT) \
    X(F6E2M3FN, "f6e2m3fn", 6, FLOAT) \
    X(F6E3M2FN, "f6e3m2fn", 6, FLOAT) \
    X(F8E3M4, "f8e3m4", 8, FLOAT) \
    X(F8E4M3, "f8e4m3", 8, FLOAT) \
    X(F8E4M3FN, "f8e4m3fn", 8, FLOAT) \
    X(F8E4M3B11FNUZ, "f8e4m3b11fnuz", 8, FLOAT) \
    X(F8E4M3FNUZ, "f8e4m3fnuz", 8, FLOAT) \
    X(F8E5M2, "f8e5m2", 8, FLOAT) \
    X(F8E5M2FNUZ, "f8e5m2fnuz", 8, FLOAT) \
    X(F8E8M0FNU, "f8e8m0fnu", 8, FLOAT) \
    X(BF16, "bf16", 16, FLOAT) \
    X(F16, "f16", 16, FLOAT) \
    X(F32, "f32", 32, FLOAT) \
    X(F64, "f64", 64, FLOAT) \
    X(C64, "c64", 64, COMPLEX) \
    X(C128, "c128", 128, COMPLEX) \
    X(TUPLE, "tuple", 0, OTHER) \
    X(TOKEN, "token", 0, OTHER) \
    X(OPAQUE, "opaque", 0, OTHER) \
    X(BUFFER, "b", 0, OTHER)
/* clang-format on */

typedef enum xlagpu_type {
#define XLAGPU_X(name, text, bits, cls) XLAGPU_##name,
    XLAGPU_TYPES(XLAGPU_X)
#undef XLAGPU_X
    XLAGPU_TYPE_COUNT
} xlagpu_type;

#endif /* XG_API_STATUS_H */
/* api/counters.h -- what the simulator counts, and the classes of instructions it counts by. */
#ifndef XG_API_COUNTERS_H
#define XG_API_COUNTERS_H

/* X(name). A warp instruction is one instruction of up to 32 lanes; a lane instruction one of an active lane whose
 * guard is true.
 *   global_loads, global_stores, shared_loads, shared_stores   warp instructions, vectors count once; cp.async is a
 *       load and a store
 *   global_transactions   lines of 128 bytes that they touched, each counted once per instruction
 *   sectors, minimum_sectors   pieces of 32 bytes touched, and how few would have held as many bytes
 *   shared_transactions   passes over the banks: what the width asks for, and bank_conflicts more
 *   barriers   barriers that opened;  divergent_branches   branches where the lanes of a warp parted
 *   atomics, atomic_conflicts   warp instructions; lanes that had to wait because another lane of the warp changed the
 *                               same place
 *   tensor_operations   warp instructions on matrices: mma, wmma.mma, wgmma */
/* clang-format off */
#define XLAGPU_COUNTERS(X) \
    X(warp_instructions) \
    X(lane_instructions) \
    X(global_loads) \
    X(global_stores) \
    X(global_transactions) \
    X(sectors) \
    X(minimum_sectors) \
    X(shared_loads) \
    X(shared_stores) \
    X(shared_transactions) \
    X(bank_conflicts) \
    X(barriers) \
    X(atomics) \
    X(atomic_conflicts) \
    X(divergent_branches) \
    X(tensor_operations) \
    X(faults)
/* clang-format on */

/* X(NAME, text): what class_warps and class_lanes are indexed by. Arithmetic by its type; memory by the space that the
 * instruction names, generic addresses count as global. */
/* clang-format off */
#define XLAGPU_CLASSES(X) \
    X(INTEGER, "integer") \
    X(F32, "f32") \
    X(F64, "f64") \
    X(HALF, "half") \
    X(APPROXIMATION, "approximation") \
    X(CONVERSION, "conversion") \
    X(MOVE, "move") \
    X(GLOBAL, "global") \
    X(SHARED, "shared") \
    X(OTHER_MEMORY, "other_memory") \
    X(ATOMIC, "atomic") \
    X(CONTROL, "control") \
    X(BARRIER, "barrier") \
    X(WARP, "warp") \
    X(TENSOR, "tensor")
/* clang-format on */
typedef enum xlagpu_class {
#define XLAGPU_X(name, text) XLAGPU_CLASS_##name,
    XLAGPU_CLASSES(XLAGPU_X)
#undef XLAGPU_X
    XLAGPU_CLASS_COUNT
} xlagpu_class;

#endif /* XG_API_COUNTERS_H */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct xlagpu_device xlagpu_device;
typedef struct xlagpu_program xlagpu_program;
typedef struct xlagpu_execution xlagpu_execution;

/* ---- device ---- */

/* All zero is the default. */
typedef struct xlagpu_device_desc {
    const char *platform;       /* "auto" (or NULL), "cuda", "host" */
    int ordinal;                /* which GPU */
    xlagpu_allocator allocator; /* host memory; zero: malloc and free */
    uint32_t threads;           /* host: worker threads of the simulator; 0: one per processor */
    /* every kernel is launched by itself; on "cuda" otherwise runs of them are CUDA graphs */
    bool no_command_buffers;
    /* cuda: names the program and its steps for NVIDIA's profilers by their library, which CUDA 12 has and CUDA 13 has
     * not: see range, and xlagpu_rt_note */
    bool nvtx;
    const char *cache;  /* cuda: a folder in which machine code is kept, by PTX, driver and GPU; NULL: none */
    const char *driver; /* cuda: another driver library to open; NULL: the system's */
    /* host: called now and then in a launch, on the thread that made it; NULL: nobody asks */
    void (*progress)(void *user, const char *kernel, uint64_t done, uint64_t blocks);
    void *progress_user;
    /* cuda: a copy runs beside kernels that do not touch the same memory, on a stream of the execution's own; command
     * buffers with such copies are run step by step */
    bool copy_stream;
    /* cuda: kernels, copies and fills that do not touch the same memory run beside each other: as branches of command
     * buffers, else on two streams */
    bool concurrent;
    /* called when a program begins (name) and when it ends (NULL), in a profile also for each step, on the thread that
     * executes: for NVTX's header, Tracy, ITT ...; instead of nvtx */
    void (*range)(void *user, const char *name);
    void *range_user;
} xlagpu_device_desc;

/* Opens a device. On failure the status says why and *out is a device that only answers xlagpu_rt_error and
 * xlagpu_rt_close (NULL when there was no memory even for that). desc may be NULL. "auto" never fails for lack of a GPU
 * unless the simulator is compiled out. */
XLAGPU_DEF xlagpu_status xlagpu_rt_open(const xlagpu_device_desc *desc, xlagpu_device **out);
XLAGPU_DEF void xlagpu_rt_close(xlagpu_device *device); /* NULL is allowed; waits for what runs */
XLAGPU_DEF const char *xlagpu_rt_error(const xlagpu_device *device);
XLAGPU_DEF xlagpu_status xlagpu_rt_error_status(const xlagpu_device *device); /* its class */
XLAGPU_DEF const char *xlagpu_rt_note(const xlagpu_device *device); /* what was asked for and is not there; "": nothing */
XLAGPU_DEF const char *xlagpu_rt_platform(const xlagpu_device *device);       /* "cuda" or "host" */
XLAGPU_DEF const char *xlagpu_rt_name(const xlagpu_device *device);           /* "NVIDIA H200", "PTX simulator" */
XLAGPU_DEF const char *xlagpu_rt_target(const xlagpu_device *device);         /* what to compile for: "sm_90a" */

/* ---- buffers: device memory that the caller owns ---- */

typedef struct xlagpu_buffer {
    uint64_t address;
    size_t bytes;
} xlagpu_buffer; /* bytes 0: none */
XLAGPU_DEF xlagpu_status xlagpu_rt_alloc(
    xlagpu_device *device, size_t bytes, xlagpu_buffer *out); /* 256-byte aligned, contents undefined */
XLAGPU_DEF void xlagpu_rt_free(xlagpu_device *device, xlagpu_buffer buffer);
XLAGPU_DEF xlagpu_status xlagpu_rt_upload(
    xlagpu_device *device, xlagpu_buffer to, const void *from, size_t bytes); /* blocks */
XLAGPU_DEF xlagpu_status xlagpu_rt_download(
    xlagpu_device *device, void *to, xlagpu_buffer from, size_t bytes); /* blocks */

/* ---- functions that programs call ---- */

/* What a custom-call is given: its buffers, operands first, then results, leaf by leaf, in device layout. On "cuda" it
 * enqueues its work on the stream; it does not wait. */
typedef struct xlagpu_rt_call {
    const char *target, *config, *hlo; /* custom_call_target; backend_config; the instruction's name */
    const xlagpu_buffer *buffers;
    uint32_t n_operands, n_results;
    void *stream;
    xlagpu_device *device;
} xlagpu_rt_call;
typedef xlagpu_status (*xlagpu_rt_function)(void *user, const xlagpu_rt_call *call);
/* Under the name that modules call it by, before such a program is loaded. "infeed" fills its results, "outfeed" takes
 * its operands. */
XLAGPU_DEF xlagpu_status xlagpu_rt_register(
    xlagpu_device *device, const char *name, xlagpu_rt_function function, void *user);

/* ---- programs ---- */

/* Checks the bytes (damaged ones are refused with ERROR_CORRUPT), copies what it needs and loads the kernels. NULL on
 * failure. */
XLAGPU_DEF xlagpu_program *xlagpu_rt_load(xlagpu_device *device, const void *bytes, size_t size);
XLAGPU_DEF void xlagpu_rt_unload(xlagpu_program *program);

/* A parameter or a leaf of the result. minor_to_major is the order in device buffers; host tensors are row-major. */
/* alias: of a result, the parameter whose memory it shares, plus 1; size_of: of an s32[] that says how much there is of
 * a bounded dimension, that dimension of the array in front of it, plus 1 */
typedef struct xlagpu_rt_value {
    xlagpu_type type;
    uint32_t rank;
    const int64_t *dims, *minor_to_major;
    size_t bytes;
    const char *name;
    uint32_t alias, size_of;
} xlagpu_rt_value;
XLAGPU_DEF uint32_t xlagpu_rt_parameter_count(const xlagpu_program *program);
XLAGPU_DEF uint32_t xlagpu_rt_result_count(const xlagpu_program *program);
XLAGPU_DEF bool xlagpu_rt_parameter(const xlagpu_program *program, uint32_t index, xlagpu_rt_value *out);
XLAGPU_DEF bool xlagpu_rt_result(const xlagpu_program *program, uint32_t index, xlagpu_rt_value *out);

XLAGPU_DEF const char *xlagpu_rt_program_name(const xlagpu_program *program); /* of the HLO module */

/* A kernel of the program, as it is launched. */
typedef struct xlagpu_rt_kernel {
    const char *name;
    uint32_t grid[3], block[3];
    uint32_t shared_bytes;
} xlagpu_rt_kernel;
XLAGPU_DEF uint32_t xlagpu_rt_kernel_count(const xlagpu_program *program);
XLAGPU_DEF bool xlagpu_rt_kernel_info(const xlagpu_program *program, uint32_t index, xlagpu_rt_kernel *out);

/* Host arrays in, host arrays out, in logical row-major order; blocks. bytes of each must be exactly the value's. The
 * easy way. */
typedef struct xlagpu_rt_tensor {
    void *data;
    size_t bytes;
} xlagpu_rt_tensor;
XLAGPU_DEF xlagpu_status xlagpu_rt_run(xlagpu_program *program, const xlagpu_rt_tensor *inputs, uint32_t n_inputs,
    const xlagpu_rt_tensor *outputs, uint32_t n_outputs);

/* The same in an execution that is there (below): no temporary memory is made. */
XLAGPU_DEF xlagpu_status xlagpu_rt_run_with(xlagpu_execution *execution, const xlagpu_rt_tensor *inputs,
    uint32_t n_inputs, const xlagpu_rt_tensor *outputs, uint32_t n_outputs);

/* ---- executions: the fast way ---- */

/* All the memory one run needs beside parameters and results. NULL on failure. */
XLAGPU_DEF xlagpu_execution *xlagpu_rt_prepare(xlagpu_program *program);
XLAGPU_DEF void xlagpu_rt_finish(xlagpu_execution *execution); /* waits for the last run */
/* Enqueues one run on stream (a CUstream; NULL: the default one) and returns, without allocating or locking; on "host"
 * it runs in the call, on threads of its own. A program with loops or branches waits for the stream where what it
 * decides by is on the device. One buffer per parameter and per result, in order; in device layout, 16-byte aligned, of
 * at least each value's bytes; a result may not overlap another one or a parameter, except that one whose memory it
 * shares (xlagpu_rt_value.alias): given the same buffer, the parameter is given away; given another one, it is copied
 * there first. Results hold intermediate values until they are made. They must stay until the stream has passed, and so
 * must the execution: one that still runs may be enqueued again on the same stream only. */
XLAGPU_DEF xlagpu_status xlagpu_rt_execute(
    xlagpu_execution *execution, const xlagpu_buffer *parameters, const xlagpu_buffer *results, void *stream);
/* what replica-id and partition-id answer; 0 without it */
XLAGPU_DEF void xlagpu_rt_set_ids(xlagpu_execution *execution, uint32_t replica, uint32_t partition);
/* of its last xlagpu_rt_execute; "" when that was well */
XLAGPU_DEF const char *xlagpu_rt_execution_error(const xlagpu_execution *execution);
/* What is slower than it was asked to be, and why: a command buffer that the driver refused, say. "": nothing. */
XLAGPU_DEF const char *xlagpu_rt_execution_note(const xlagpu_execution *execution);
XLAGPU_DEF xlagpu_status xlagpu_rt_wait(xlagpu_device *device, void *stream);
XLAGPU_DEF xlagpu_status xlagpu_rt_execution_wait(xlagpu_execution *execution); /* for its last run alone */
XLAGPU_DEF xlagpu_status xlagpu_rt_execution_done(
    xlagpu_execution *execution, bool *done); /* has its last run ended? */

/* ---- profiles ---- */

/* One step of one run. start: since the profile began. flops and bytes: what the step computes, and moves at least.
 * instructions: of warps, on "host". */
typedef struct xlagpu_rt_event {
    const char *hlo, *kind, *kernel;
    uint32_t thunk;
    double start, seconds;
    uint64_t flops, bytes, instructions;
} xlagpu_rt_event;
/* From now on the execution's runs are timed step by step, up to so many events; 0 ends it. Steps then run one after
 * the other: sums are not the time of a plain run. */
XLAGPU_DEF xlagpu_status xlagpu_rt_profile(xlagpu_execution *execution, uint32_t capacity);
XLAGPU_DEF const xlagpu_rt_event *xlagpu_rt_profile_events(
    const xlagpu_execution *execution, uint32_t *n, uint64_t *dropped);

/* ---- counters of the simulator ---- */

typedef struct xlagpu_kernel_stats {
    const char *name;
    uint64_t launches;
#define XLAGPU_X(name) uint64_t name; /* XLAGPU_COUNTERS says what each is */
    XLAGPU_COUNTERS(XLAGPU_X)
#undef XLAGPU_X
    uint64_t class_warps[XLAGPU_CLASS_COUNT], class_lanes[XLAGPU_CLASS_COUNT]; /* instructions by xlagpu_class */
} xlagpu_kernel_stats;
XLAGPU_DEF const char *xlagpu_class_name(uint32_t class_index); /* "integer"; NULL beyond the last */
/* number of kernels; sums since loading; on "cuda" launches only */
XLAGPU_DEF uint32_t xlagpu_rt_stats(const xlagpu_program *program, xlagpu_kernel_stats *out, uint32_t capacity);

/* ---- PTX of any origin, without the compiler ----
 *
 *     xlagpu_ptx *k = xlagpu_rt_load_ptx(d, "add.ptx", text, size);            // NULL: xlagpu_rt_error has the line
 *         and what is wrong with it
 *     xlagpu_buffer b;
 *     xlagpu_rt_alloc(d, bytes, &b); xlagpu_rt_upload(d, b, data, bytes);
 *     struct { uint64_t p; uint32_t n; } args = {b.address, n};                // as the kernel declares its .param
 *         list
 *     xlagpu_ptx_launch l = {0};
 *     l.grid[0] = (n + 255) / 256; l.block[0] = 256; l.parameters = &args; l.parameter_bytes = 12;
 *     xlagpu_kernel_stats s;
 *     if (xlagpu_rt_run_ptx(k, &l, &s)) puts(xlagpu_rt_error(d));              // ERROR_FAULT: a check of the simulator
 *         found something
 *     printf("%llu sectors, %llu needed\n", s.sectors, s.minimum_sectors);
 *
 * On "host" every launch is checked: accesses out of bounds, misaligned, to freed or never written memory,
 * uninitialised shared memory and registers, data races in a block and between blocks, barriers in divergent code and
 * deadlocks, warp instructions that name sleeping lanes, copies that nobody waited for, memory barriers used wrongly,
 * and what the PTX's .target lacks. A fault names its kind, PTX line, kernel, block, thread, address and the nearest
 * buffer. .global variables keep their values from launch to launch. */
typedef struct xlagpu_ptx xlagpu_ptx;
/* copies the text; "cuda" reads it at each launch */
XLAGPU_DEF xlagpu_ptx *xlagpu_rt_load_ptx(xlagpu_device *device, const char *name, const char *text, size_t size);
XLAGPU_DEF void xlagpu_rt_unload_ptx(xlagpu_ptx *ptx); /* NULL is allowed; xlagpu_rt_close unloads what is left */

/* A launch: parameters are the raw bytes of the kernel's parameter block, addresses those of xlagpu_rt_alloc. A 0 in
 * grid, block and cluster counts as 1 (in all of cluster: as the kernel says); entry may be NULL on "host" when there
 * is just one. run waits for the end; stats may be NULL. */
typedef struct xlagpu_ptx_launch {
    const char *entry;
    uint32_t grid[3], block[3];
    uint32_t shared_bytes;
    const void *parameters;
    size_t parameter_bytes;
    uint32_t cluster[3];
} xlagpu_ptx_launch;
XLAGPU_DEF xlagpu_status xlagpu_rt_run_ptx(
    xlagpu_ptx *ptx, const xlagpu_ptx_launch *launch, xlagpu_kernel_stats *stats);
XLAGPU_DEF xlagpu_status xlagpu_rt_launch_ptx(xlagpu_device *device, const char *name, const char *ptx, size_t size,
    const xlagpu_ptx_launch *launch, xlagpu_kernel_stats *stats); /* loads, runs, unloads */
/* The kernel's parameters, to build that block: offset and size of the index-th one. False beyond the last. */
XLAGPU_DEF bool xlagpu_rt_ptx_parameter(xlagpu_device *device, const char *name, const char *ptx, size_t size,
    const char *entry, uint32_t index, uint32_t *offset, uint32_t *bytes);

/* A tensor in device memory and the boxes that cp.async.bulk.tensor moves: what cuTensorMapEncodeTiled takes, with its
 * numbers (data_type 0 is u8, 6 f16, 7 f32, 9 bf16; swizzle 0 none, 1, 2, 3 for 32, 64, 128 bytes; fill 1: NaN outside
 * of the tensor). dims and box begin with the dimension that is contiguous; strides are in bytes, that of dims[1]
 * first; a step of 0 counts as 1. encode writes the 128 bytes of the device's own format, for a parameter that is
 * aligned to 64. */
typedef struct xlagpu_tensor_map {
    uint64_t address, dims[5], strides[4];
    uint32_t data_type, rank, box[5], steps[5], swizzle, l2_promotion, fill;
} xlagpu_tensor_map;
XLAGPU_DEF xlagpu_status xlagpu_rt_encode_tensor_map(xlagpu_device *device, const xlagpu_tensor_map *map, void *out);

#ifdef __cplusplus
}
#endif
#endif /* XLAGPU_RUNTIME_H */

#if defined(XLAGPU_IMPLEMENTATION) && !defined(XLAGPU_RUNTIME_IMPLEMENTATION_DONE)
#define XLAGPU_RUNTIME_IMPLEMENTATION_DONE
/* rooms_runtime.h -- the implementation of the runtime, lower rooms first. base/ is the same as in xlagpu.h and
 * guarded, so both fit one unit. While developing, the simulator can be a unit of its own: XLAGPU_SPLIT_SIM leaves it
 * out here, and with XLAGPU_SPLIT_SIM_UNIT it is all there is. */
/* base/base.h -- what every room stands on: memory, failure, text, tables.
 *
 * Both public headers carry this room, so each of its files has a guard of its own.
 *
 * Laws
 * - Failure. A compiler function that cannot go on calls xg_fail*, which stores the first error in the context and
 *   jumps to the one protected call in force (xg_try). Code between may hold nothing but arena memory, so nothing
 *   leaks. The runtime uses the same context for its own parsing (PTX, executables) but returns status codes across its
 *   interface.
 * - Memory. An arena hands out zeroed, 16-byte aligned blocks and frees them all at once or back to a mark. No pass
 *   frees.
 * - Sizes. Every product or sum of sizes that can come from input goes through xg_mul/xg_add (size_t) or
 *   xg_mul64/xg_add64.
 * - Order. Tables are looked up by hash but never walked by it: output never depends on an address. */
#ifndef XG_BASE_H
#define XG_BASE_H
/* api/config.h -- the few things that depend on the compiler, decided once.
 *
 * Laws: everything here is usable from C99 to C17 and from C++11 on; no feature-test macro is needed before the
 * header is included; no macro changes a public type. Compiler extensions are used only through these names and all of
 * them vanish under XLAGPU_NO_EXTENSIONS. */
#ifndef XG_API_CONFIG_H
#define XG_API_CONFIG_H

#include <float.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if (defined(__GNUC__) || defined(__clang__)) && !defined(XLAGPU_NO_EXTENSIONS)
#define XG_UNUSED __attribute__((unused))
#define XG_NORETURN __attribute__((noreturn))
#define XG_PRINTF(text, first) __attribute__((format(__printf__, text, first)))
#define XG_LIKELY(x) __builtin_expect(!!(x), 1)
#define XG_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define XG_PREFETCH(p) __builtin_prefetch(p)
#define XG_NOINLINE __attribute__((noinline))
#define XG_INLINE static inline __attribute__((always_inline, unused))
#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 5 && !defined(__TINYC__))
#define XG_MUL_OVERFLOWS(a, b, out) __builtin_mul_overflow(a, b, out)
#endif
#else
#define XG_UNUSED
#define XG_PRINTF(text, first)
#define XG_LIKELY(x) (x)
#define XG_UNLIKELY(x) (x)
#define XG_PREFETCH(p) ((void)(p))
#define XG_NOINLINE
#define XG_INLINE static inline
#endif
#ifndef XG_NORETURN /* what the standards have; it stands first in a declaration */
#if defined(__cplusplus)
#define XG_NORETURN [[noreturn]]
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L && !defined(__TINYC__)
#define XG_NORETURN _Noreturn
#else
#define XG_NORETURN
#endif
#endif
#if defined(__MINGW32__) && !defined(XLAGPU_NO_EXTENSIONS)
#undef XG_PRINTF
#define XG_PRINTF(text, first) __attribute__((format(__gnu_printf__, text, first)))
#endif

/* A function whose plain reads and writes other threads may cross, on purpose: what is lost then only hides something
 * (sim/shadow.c). */
#if defined(__SANITIZE_THREAD__) || (defined(__has_feature) && !defined(XLAGPU_NO_EXTENSIONS))
#if defined(__SANITIZE_THREAD__)
#define XG_RACY __attribute__((no_sanitize("thread")))
#elif __has_feature(thread_sanitizer)
#define XG_RACY __attribute__((no_sanitize("thread")))
#endif
#endif
#ifndef XG_RACY
#define XG_RACY
#endif

/* Every internal function is XG_FN: static, and silent when a configuration leaves it unused. */
#define XG_FN static XG_UNUSED

#ifdef __cplusplus
#define XG_RESTRICT
#define XG_ALIGNOF(T) alignof(T)
#else
#define XG_RESTRICT restrict
#define XG_ALIGNOF(T) \
    offsetof( \
        struct { \
            char c; \
            T t; \
        }, \
        t)
#endif

/* For our own bugs only, never for what a user passes in. */
#ifndef XLAGPU_ASSERT
#ifdef XLAGPU_DEBUG
#include <assert.h>
#define XLAGPU_ASSERT(x) assert(x)
#else
#define XLAGPU_ASSERT(x) ((void)0)
#endif
#endif

/* Large blocks in few pages of 2 MiB where the system has them, instead of in hundreds of small ones that each cost a
 * fault. A plea, which may be refused. */
#if defined(__linux__) && !defined(XLAGPU_NO_EXTENSIONS)
#include <sys/mman.h>
#if !defined(MADV_HUGEPAGE) && !defined(__cplusplus) /* -std=c99 hides both */
extern int madvise(void *at, size_t bytes, int advice);
#define XG_MADV_HUGEPAGE 14
#elif defined(MADV_HUGEPAGE)
#define XG_MADV_HUGEPAGE MADV_HUGEPAGE
#endif
#endif
#ifdef XG_MADV_HUGEPAGE
#define XG_HUGE_PAGES(at, bytes) ((void)madvise((at), (bytes), XG_MADV_HUGEPAGE))
#else
#define XG_HUGE_PAGES(at, bytes) ((void)(at), (void)(bytes))
#endif

#define XG_COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define XG_MIN(a, b) ((a) < (b) ? (a) : (b))
#define XG_MAX(a, b) ((a) > (b) ? (a) : (b))

#endif /* XG_API_CONFIG_H */

/* ---- memory.c: the context, failure, arenas, checked arithmetic ------------------------------------------------ */

/* A text that errors point into. It outlives the context's error message only until that is composed. */
typedef struct xg_source {
    const char *name;
    const char *text;
    size_t size;
} xg_source;

enum {
    XG_MESSAGE_MAX = 2048
};
typedef struct xg_slab xg_slab;
typedef struct xg_ctx {
    xlagpu_allocator mem;
    jmp_buf *guard;               /* the protected call in force, NULL outside any */
    size_t live, limit;           /* bytes held now; limit 0 = none */
    xlagpu_status status;         /* the first failure since xg_try began */
    uint32_t line, column;        /* its position, 1-based; 0 when it has none */
    char message[XG_MESSAGE_MAX]; /* complete: "file:line:col: error: ...", source line, caret, hint */
    void *user;                   /* what the layer above wants to find from here */
    /* what chunks of arenas are cut from: those that have something to give, the last used first; and the others */
    xg_slab *slabs, *full_slabs;
    uint32_t n_slabs, n_idle; /* all, and those that hold none */
    /* by the owner, who calls xg_ctx_done; only with the default allocator and without a limit */
    bool slabs_wanted;
} xg_ctx;

/* Usage of the one setjmp of a public entry:
 *     jmp_buf here; if (setjmp(here)) { ...status is in c->status...; return; }
 *     jmp_buf *outer = xg_try(c, &here); ... work ...; xg_end(c, outer);
 * Locals changed after setjmp and read in the failure branch must be volatile. A failure restores c->guard to the outer
 * one. */
XG_FN void xg_ctx_init(xg_ctx *c, const xlagpu_allocator *mem, size_t limit);
XG_FN void xg_ctx_want_slabs(xg_ctx *c);
XG_FN void xg_ctx_done(xg_ctx *c); /* when all arenas are freed: gives back what was kept for the next one */
XG_FN jmp_buf *xg_try(xg_ctx *c, jmp_buf *here); /* clears the error, returns the outer guard */
XG_FN void xg_end(xg_ctx *c, jmp_buf *outer);

/* Never return (to the caller): they store the message and jump. */
XG_NORETURN XG_FN void xg_fail(xg_ctx *c, xlagpu_status status, const char *format, ...) XG_PRINTF(3, 4);
/* At a byte offset of a source: adds position, the line and a caret; hint may be NULL. */
XG_NORETURN XG_FN void xg_fail_at(xg_ctx *c, xlagpu_status status, const xg_source *src, size_t offset,
    const char *hint, const char *format, ...) XG_PRINTF(6, 7);
/* The same without a jump: only stores (for code that returns statuses). Keeps an earlier error. */
XG_FN void xg_error_set(xg_ctx *c, xlagpu_status status, const xg_source *src, size_t offset, const char *hint,
    const char *format, va_list args);

XG_FN void *xg_mem_alloc(xg_ctx *c, size_t bytes); /* NULL when there is none or the limit is reached */
XG_FN void xg_mem_free(xg_ctx *c, void *p);

typedef struct xg_chunk xg_chunk;
typedef struct xg_arena xg_arena;
struct xg_arena {
    xg_ctx *ctx;
    xg_chunk *chunk, *spare;
    char *at, *end;
    size_t grow;
    xg_arena *inner, *next;
};
typedef struct xg_mark {
    xg_chunk *chunk;
    char *at;
    xg_arena *inner;
} xg_mark;
XG_FN void xg_arena_init(xg_arena *a, xg_ctx *c);
XG_FN void xg_arena_free(xg_arena *a);
/* an arena that ends with this one, for work that is reset often */
XG_FN xg_arena *xg_arena_inner(xg_arena *a);
XG_FN void *xg_alloc(xg_arena *a, size_t bytes);     /* zeroed; fails through the context, never NULL */
XG_FN void *xg_alloc_raw(xg_arena *a, size_t bytes); /* not zeroed */
/* not zeroed, from the start of a cache line: for nodes whose first line holds what is read most */
XG_FN void *xg_alloc_lines(xg_arena *a, size_t bytes);
/* the newest block in place; false: it is not, or there is no room behind it */
XG_FN bool xg_arena_extend(xg_arena *a, const void *p, size_t bytes, size_t more);
XG_FN xg_mark xg_arena_mark(const xg_arena *a);
/* gives up all that was allocated since the mark; the memory is used again */
XG_FN void xg_arena_reset(xg_arena *a, xg_mark m);
/* of what was given up, so many bytes stay at hand; the rest serves other arenas */
XG_FN void xg_arena_trim(xg_arena *a, size_t keep);
XG_FN size_t xg_mul(xg_ctx *c, size_t a, size_t b); /* fail with ERROR_LIMIT on overflow */
XG_FN size_t xg_add(xg_ctx *c, size_t a, size_t b);
XG_FN bool xg_mul64(int64_t a, int64_t b, int64_t *out); /* false on overflow, *out untouched */
XG_FN bool xg_add64(int64_t a, int64_t b, int64_t *out);
#define XG_NEW(arena, T) ((T *)xg_alloc((arena), sizeof(T)))
#define XG_NEW_N(arena, T, n) ((T *)xg_alloc((arena), xg_mul((arena)->ctx, sizeof(T), (size_t)(n))))

/* A growable array: XG_VEC(int) v = {0}; xg_push(arena, int, &v, 7); v.p[i], v.n. The old block stays in the arena,
 * unless it grows where it is. */
#define XG_VEC(T) \
    struct { \
        T *p; \
        uint32_t n, cap; \
    }
#define xg_push(arena, T, v, x) \
    ((v)->n == (v)->cap ? (void)((v)->p = (T *)xg_vec_grow((arena), (v)->p, &(v)->cap, sizeof(T))) : (void)0, \
        (void)((v)->p[(v)->n++] = (x)))
XG_FN void *xg_vec_grow(xg_arena *a, const void *p, uint32_t *cap, size_t item);

/* ---- text.c: strings, formatting, interning, the nearest known word ------------------------------------------- */

/* A piece of text, not NUL-terminated unless it comes from a pool or xg_str_copy. */
typedef struct xg_str {
    const char *p;
    uint32_t n;
} xg_str;
#define XG_STR(literal) xg_str_of((literal), sizeof(literal) - 1)
XG_FN xg_str xg_str_of(const char *p, size_t n);
XG_FN xg_str xg_str_z(const char *z); /* NULL gives the empty string */
XG_FN bool xg_str_eq(xg_str a, xg_str b);
XG_FN bool xg_str_is(xg_str a, const char *z);
XG_FN xg_str xg_str_copy(xg_arena *a, xg_str s); /* NUL-terminated */
XG_FN uint32_t xg_hash(const void *p, size_t n);
XG_FN uint32_t xg_hash_mix(uint32_t h, uint64_t x);

/* Text that grows in an arena. Always NUL-terminated; p is valid until the next append. */
typedef struct xg_buf {
    xg_arena *arena;
    char *p;
    size_t n, cap;
} xg_buf;
XG_FN void xg_buf_init(xg_buf *b, xg_arena *a);
XG_FN void xg_put(xg_buf *b, const char *p, size_t n);
XG_FN void xg_puts(xg_buf *b, const char *z);
XG_FN void xg_put_str(xg_buf *b, xg_str s);
XG_FN void xg_putc(xg_buf *b, char c);
XG_FN void xg_put_i64(xg_buf *b, int64_t v);
XG_FN void xg_put_u64(xg_buf *b, uint64_t v);
XG_FN void xg_put_hex(xg_buf *b, uint64_t v, int digits); /* upper case, at least `digits` of them */
/* Locale-free subset of printf: %s %.*s %c %% %d %i %u %x %X with l, ll, z and width/zero padding. No floats:
 * number.h. */
XG_FN void xg_printf(xg_buf *b, const char *format, ...) XG_PRINTF(2, 3);
XG_FN size_t xg_vformat(char *out, size_t cap, const char *format, va_list args); /* as vsnprintf */
XG_FN size_t xg_format(char *out, size_t cap, const char *format, ...) XG_PRINTF(3, 4);

/* A long text in pieces, which lie one behind the other: it never moves while it grows. */
typedef struct xg_texts {
    xg_str *p;
    uint32_t n, cap;
    size_t bytes;
} xg_texts;
XG_FN void xg_texts_add(xg_texts *t, xg_arena *a, xg_str piece); /* which must stay */
XG_FN void xg_put_texts(xg_buf *b, const xg_texts *t);

/* Interned strings: equal text gives the same pointer for the pool's life. */
typedef struct xg_pool {
    xg_arena *arena;
    xg_str *slots;
    uint32_t n, cap;
} xg_pool;
XG_FN void xg_pool_init(xg_pool *p, xg_arena *a);
XG_FN xg_str xg_intern(xg_pool *p, xg_str s);

/* The candidate closest to `word` by edit distance if it is close enough to be a likely slip, else NULL.
 * names(user, i) returns the i-th candidate, NULL at the end. */
XG_FN const char *xg_nearest(xg_str word, const char *(*names)(const void *user, size_t i), const void *user);

/* ---- table.c: hash tables -------------------------------------------------------------------------------------- */

/* 64-bit key (an id, two packed ids, a pointer) to a pointer. */
typedef struct xg_map64 {
    xg_arena *arena;
    uint64_t *keys;
    void **vals;
    uint32_t n, cap;
} xg_map64;
XG_FN void xg_map64_init(xg_map64 *m, xg_arena *a);
XG_FN void *xg_map64_get(const xg_map64 *m, uint64_t key);     /* NULL when absent */
XG_FN void xg_map64_put(xg_map64 *m, uint64_t key, void *val); /* val may not be NULL */

/* A set of hash-consed nodes. find returns the slot of the node that equals `key` under eq, or an empty slot (*slot ==
 * NULL) where the caller stores the new node before any other call. */
typedef struct xg_set {
    xg_arena *arena;
    void **slots;
    uint32_t *hashes;
    uint32_t n, cap;
} xg_set;
XG_FN void xg_set_init(xg_set *s, xg_arena *a);
XG_FN void xg_set_reserve(xg_set *s, uint32_t n); /* of an empty set: room for so many without growing */
XG_FN void **xg_set_find(xg_set *s, uint32_t hash, bool (*eq)(const void *node, const void *key), const void *key);

/* Name to pointer, the names being any text (copied). */
typedef struct xg_dict_item {
    const char *name;
    void *val;
    uint32_t length, hash;
} xg_dict_item;
typedef struct xg_dict {
    xg_arena *arena;
    xg_dict_item *items;
    uint32_t *slots;
    uint32_t n, cap, item_cap;
} xg_dict;
XG_FN void xg_dict_init(xg_dict *d, xg_arena *a);
XG_FN void xg_dict_reserve(xg_dict *d, uint32_t n); /* of an empty one: room for so many without growing */
XG_FN void *xg_dict_get(const xg_dict *d, xg_str name);
XG_FN xg_str xg_dict_newest(const xg_dict *d); /* the name that came last */
/* false and no change when the name is there; val may not be NULL */
XG_FN bool xg_dict_put(xg_dict *d, xg_str name, void *val);
/* the same for a name that lasts as long as the table: it is not copied */
XG_FN bool xg_dict_put_lasting(xg_dict *d, xg_str name, void *val);

/* float_text.c */
XG_INLINE const char *xg_read_digits(const char *p, const char *end, uint64_t *w);
XG_INLINE bool xg_is_digit(char c);

/* number.c */
XG_FN double xg_f64_power_of_two(int e);
XG_FN double xg_f64_of_bits(uint64_t b);

/* memory.c */
XG_NORETURN XG_FN void xg_jump(xg_ctx *c);

/* text.c */
XG_FN char *xg_digits(char *end, uint64_t v, unsigned base, bool upper);
XG_FN char *xg_buf_room(xg_buf *b, size_t n);
#endif /* XG_BASE_H */
/* base/number.h -- the float formats of HLO and exact float text.
 *
 * A format is a row: sign, exponent and mantissa widths, bias, and what it has of infinities, NaNs and a negative zero.
 * Conversion from double rounds once, to nearest even. Text is exact both ways and independent of the locale. */
#ifndef XG_BASE_NUMBER_H
#define XG_BASE_NUMBER_H

/* ---- number.c ---- */
typedef struct xg_float_format {
    xlagpu_type type;
    int bits, exponent_bits, mantissa_bits, bias;
    bool has_sign, has_infinity, has_nan, nan_is_negative_zero /* FNUZ: 0x80 is NaN, no -0 */,
        has_zero /* f8e8m0 has none */;
    uint64_t nan_bits; /* the quiet NaN that a NaN becomes (positive sign) */
    uint64_t max_bits; /* the largest finite value */
    /* decimal digits always preserved (digits10), and enough to read back (max_digits10) */
    int digits_short, digits_full;
} xg_float_format;
XG_FN const xg_float_format *xg_float_format_of(xlagpu_type t); /* NULL for what is not a float */
XG_FN double xg_float_decode(xlagpu_type t, uint64_t bits);
/* Round to nearest even. Overflow: infinity if the format has it, else its NaN, f4/f6: the largest finite. NaN:
 * nan_bits (sign kept where the format has one). */
XG_FN uint64_t xg_float_encode(xlagpu_type t, double v);
XG_FN double xg_float_load(xlagpu_type t, const void *p); /* the element at p, in its literal bytes */
XG_FN void xg_float_store(xlagpu_type t, void *p, double v);
XG_FN float xg_bf16_to_f32(uint16_t b);
XG_FN uint16_t xg_f32_to_bf16(float v);
XG_FN float xg_f16_to_f32(uint16_t h);
XG_FN uint16_t xg_f32_to_f16(float v);

/* ---- float_text.c ---- */
/* Reads a decimal number ([-+]digits[.digits][e[-+]digits], also inf, nan, -inf) at p, at most n bytes. Returns the
 * bytes read, 0 if there is no number. The result is the double nearest to the decimal (ties to even); *overflow says
 * that a finite text became infinite. */
XG_FN size_t xg_float_parse(const char *p, size_t n, double *out, bool *overflow);
/* The same, rounded once to float (never through double). */
XG_FN size_t xg_float_parse32(const char *p, size_t n, float *out, bool *overflow);
/* As C's %.*g in the C locale, exact for any precision up to 40. */
XG_FN void xg_float_print_g(xg_buf *b, double v, int digits);
/* The text XLA prints: digits_short digits if they read back to the same value, else digits_full; nan, -nan, inf,
 * -inf. */
XG_FN void xg_float_print(xg_buf *b, xlagpu_type t, uint64_t bits);

/* Bits of a double. */
#define XG_F64_SIGN 0x8000000000000000u
#define XG_F64_HIDDEN 0x0010000000000000u
#define XG_F64_INFINITY 0x7FF0000000000000u
#define XG_F64_QUIET 0x0008000000000000u
#endif /* XG_BASE_NUMBER_H */
/* base/float_text.c -- decimal text to the nearest float and back, exactly, with integers only.
 *
 * Reading. The first 19 significant digits make an integer w and the text is w * 10^q. With p = the top 128 bits of
 * 5^q, the product w * p knows the value to about 2^-126, below and above: far more than the 53 bits to keep. Only when
 * a midpoint between two floats lies inside that narrow interval the text is compared with the midpoint in big
 * integers.
 * This is the idea of Lemire's and Clinger's readers. float and double are two calls of one function, so a float is
 * rounded once. Printing is the same product the other way around: v * 10^n as an integer and a rest that is known well
 * enough, or else digit by digit in big integers.
 *
 * Laws
 * - No floating-point arithmetic, no locale, no rounding mode.
 * - Time is linear in the text: digits after the first 800 cannot change more than "is there any that is not 0", since
 *   the midpoint of two doubles has at most 768 digits. */
#ifndef XG_BASE_FLOAT_TEXT_C
#define XG_BASE_FLOAT_TEXT_C

/* ---- 128-bit products ---- */

#if defined(__SIZEOF_INT128__) && !defined(XLAGPU_NO_EXTENSIONS)
__extension__ typedef unsigned __int128 xg_u128;
XG_INLINE uint64_t xg_mul_wide(uint64_t a, uint64_t b, uint64_t *low) {
    xg_u128 p = (xg_u128)a * b;
    *low = (uint64_t)p;
    return (uint64_t)(p >> 64);
}
#else
XG_INLINE uint64_t xg_mul_wide(uint64_t a, uint64_t b, uint64_t *low) {
    uint64_t al = a & 0xFFFFFFFFu, ah = a >> 32, bl = b & 0xFFFFFFFFu, bh = b >> 32;
    uint64_t ll = al * bl, lh = al * bh, hl = ah * bl, middle = (ll >> 32) + (lh & 0xFFFFFFFFu) + (hl & 0xFFFFFFFFu);
    *low = middle << 32 | (ll & 0xFFFFFFFFu);
    return ah * bh + (lh >> 32) + (hl >> 32) + (middle >> 32);
}
#endif

XG_INLINE int xg_leading_zeros(uint64_t v) { /* v is not 0 */
#if defined(__GNUC__) && !defined(XLAGPU_NO_EXTENSIONS)
    return __builtin_clzll(v);
#else
    int n = 0, step;
    for (step = 32; step; step /= 2)
        if (!(v >> (64 - step))) {
            v <<= step;
            n += step;
        }
    return n;
#endif
}

XG_INLINE int xg_trailing_zeros(uint64_t v) { /* v is not 0 */
#if defined(__GNUC__) && !defined(XLAGPU_NO_EXTENSIONS)
    return __builtin_ctzll(v);
#else
    return 63 - xg_leading_zeros(v & (0 - v));
#endif
}

/* ---- powers of ten ---- */

enum {
    XG_POW5_FIRST = -364,
    XG_POW5_STEP = 28,
    XG_POW5_EXACT = 27
};

/* The top 192 bits of every 28th power of five. Their products with the small powers, cut to 128 bits, equal the cut
 * 128 bits of all powers between (checked for each). */
static const uint64_t xg_pow5_steps[][3] = {
    {0xE1AFA13AFBD14D6Du, 0x82189C09A3A1EC21u, 0x7A43516213C7E04Cu}, /* 5^-364 */
    {0xE3E27A444D8D98B7u, 0xFD1B1B2308169B25u, 0x363B1F2C568DC3E2u}, /* 5^-336 */
    {0xE61ACF033D1A45DFu, 0x6FB92487298E33BDu, 0xADD7728C20B99BD1u}, /* 5^-308 */
    {0xE858AD248F5C22C9u, 0xD1B3400F8F9CFF68u, 0xF910F9F648232F14u}, /* 5^-280 */
    {0xEA9C227723EE8BCBu, 0x465E15A979C1CADCu, 0x0A0CE827EAC11F2Du}, /* 5^-252 */
    {0xECE53CEC4A314EBDu, 0xA4F8BF5635246428u, 0x4609AC5C7899CA36u}, /* 5^-224 */
    {0xEF340A98172AACE4u, 0x86FB897116C87C34u, 0x9C39C1DA4C49278Du}, /* 5^-196 */
    {0xF18899B1BC3F8CA1u, 0xDC44E6C3CB279AC1u, 0xF80F36174730CA34u}, /* 5^-168 */
    {0xF3E2F893DEC3F126u, 0x5A89DBA3C3EFCCFAu, 0xD8ECB58659BE9C90u}, /* 5^-140 */
    {0xF64335BCF065D37Du, 0x4D4617B5FF4A16D5u, 0xAA09501D5954A559u}, /* 5^-112 */
    {0xF8A95FCF88747D94u, 0x75A44C6397CE912Au, 0x33CCA6C06B07B74Du}, /* 5^-84 */
    {0xFB158592BE068D2Eu, 0xEED6E2F0F0D56712u, 0xAC2E4F162CFAD40Au}, /* 5^-56 */
    {0xFD87B5F28300CA0Du, 0x8BCA9D6E188853FCu, 0x76DCB60081CE0FA5u}, /* 5^-28 */
    {0x8000000000000000u, 0x0000000000000000u, 0x0000000000000000u}, /* 5^0 */
    {0x813F3978F8940984u, 0x4000000000000000u, 0x0000000000000000u}, /* 5^28 */
    {0x82818F1281ED449Fu, 0xBFF8F10E7A8921A4u, 0x2000000000000000u}, /* 5^56 */
    {0x83C7088E1AAB65DBu, 0x792667C6DA79E0FAu, 0x0861D3EE22D1CC53u}, /* 5^84 */
    {0x850FADC09923329Eu, 0x03E2CF6BC604DDB0u, 0x74A7EF0198791097u}, /* 5^112 */
    {0x865B86925B9BC5C2u, 0x0B8A2392BA45A9B2u, 0x5C6658D409FB8BF7u}, /* 5^140 */
    {0x87AA9AFF79042286u, 0x90FB44D2F05D0842u, 0xFB118FC9C217A1D2u}, /* 5^168 */
    {0x88FCF317F22241E2u, 0x441FECE3BDF81F03u, 0x12F274928400100Du}, /* 5^196 */
    {0x8A5296FFE33CC92Fu, 0x82BD6B70D99AAA6Fu, 0xBC10C5C5CDA97C8Du}, /* 5^224 */
    {0x8BAB8EEFB6409C1Au, 0x1AD089B6C2F7548Eu, 0x25C7B885BA466E37u}, /* 5^252 */
    {0x8D07E33455637EB2u, 0xDB0B487B6423E1E8u, 0x7EC63730F500B406u}, /* 5^280 */
    {0x8E679C2F5E44FF8Fu, 0x570F09EAA7EA7648u, 0x5961DB50C6D2B886u}, /* 5^308 */
    {0x8FCAC257558EE4E6u, 0x213A4F0AA5E8A7B1u, 0x949063D8A46F0C0Eu}, /* 5^336 */
};
static const uint64_t xg_pow5_small[XG_POW5_STEP] = {
    1u,
    5u,
    25u,
    125u,
    625u,
    3125u,
    15625u,
    78125u,
    390625u,
    1953125u,
    9765625u,
    48828125u,
    244140625u,
    1220703125u,
    6103515625u,
    30517578125u,
    152587890625u,
    762939453125u,
    3814697265625u,
    19073486328125u,
    95367431640625u,
    476837158203125u,
    2384185791015625u,
    11920928955078125u,
    59604644775390625u,
    298023223876953125u,
    1490116119384765625u,
    7450580596923828125u,
};

/* The top 128 bits (rounded down; the first bit is 1) of 10^q for -364 <= q < 364; with 0 <= q <= 27 they are exact and
 * low is 0. */
XG_INLINE uint64_t xg_pow10_top(int q, uint64_t *low) {
    const uint64_t *b = xg_pow5_steps[(unsigned)(q - XG_POW5_FIRST) / XG_POW5_STEP];
    uint64_t five = xg_pow5_small[(unsigned)(q - XG_POW5_FIRST) % XG_POW5_STEP], h0, h1, h2, l0, l1, l2;
    int n;
    if (five == 1) {
        *low = b[1];
        return b[0];
    }
    h0 = xg_mul_wide(b[0], five, &l0);
    h1 = xg_mul_wide(b[1], five, &l1);
    h2 = xg_mul_wide(b[2], five, &l2);
    l1 += h2;
    h1 += l1 < h2;
    l0 += h1;
    h0 += l0 < h1;
    n = xg_leading_zeros(h0); /* 1 <= n, for five < 2^63 */
    *low = l0 << n | l1 >> (64 - n);
    return h0 << n | l0 >> (64 - n);
}
XG_INLINE int xg_pow10_log2(int q) { return (q * 217706) >> 16; } /* floor(log2(10^q)) in that range */

/* ---- big integers: just enough of them ---- */

enum {
    XG_BIG_LIMBS = 112,
    XG_BIG_DIGITS = 800
}; /* 800 digits, or 54 bits times 5^1162, take 88 limbs */
typedef struct xg_big {
    int n;
    uint32_t limb[XG_BIG_LIMBS];
} xg_big;

XG_FN void xg_big_mul_add(xg_big *b, uint32_t factor, uint32_t carry) {
    uint64_t t = carry;
    int i;
    for (i = 0; i < b->n; i++) {
        t += (uint64_t)b->limb[i] * factor;
        b->limb[i] = (uint32_t)t;
        t >>= 32;
    }
    XLAGPU_ASSERT(!t || b->n < XG_BIG_LIMBS);
    if (t) b->limb[b->n++] = (uint32_t)t;
}
XG_FN void xg_big_set(xg_big *b, uint64_t v) {
    b->n = 0;
    while (v) {
        b->limb[b->n++] = (uint32_t)v;
        v >>= 32;
    }
}
XG_FN void xg_big_mul_pow5(xg_big *b, int n) {
    for (; n >= 13; n -= 13) xg_big_mul_add(b, 1220703125u, 0);
    while (n-- > 0) xg_big_mul_add(b, 5, 0);
}
XG_FN void xg_big_shift(xg_big *b, int bits) {
    int words = bits / 32, i;
    if (!b->n) return;
    xg_big_mul_add(b, (uint32_t)1 << (bits % 32), 0);
    XLAGPU_ASSERT(b->n + words <= XG_BIG_LIMBS);
    for (i = b->n; i-- > 0;) b->limb[i + words] = b->limb[i];
    memset(b->limb, 0, (size_t)words * 4);
    b->n += words;
}
XG_FN int xg_big_compare(const xg_big *a, const xg_big *b) {
    int i;
    if (a->n != b->n) return a->n < b->n ? -1 : 1;
    for (i = a->n; i-- > 0;)
        if (a->limb[i] != b->limb[i]) return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}
XG_FN void xg_big_subtract(xg_big *a, const xg_big *b) { /* a >= b */
    int64_t t = 0;
    int i;
    for (i = 0; i < a->n; i++) {
        t += (int64_t)a->limb[i] - (i < b->n ? (int64_t)b->limb[i] : 0);
        a->limb[i] = (uint32_t)t;
        t = t < 0 ? -1 : 0;
    }
    while (a->n && !a->limb[a->n - 1]) a->n--;
}

/* ---- scanning ---- */

typedef struct xg_decimal {
    uint64_t digits;  /* up to 19 significant ones */
    int64_t exponent; /* the value is digits * 10^exponent, or, if there are more, less than one unit above it */
    bool negative, more;
    const char *first, *end; /* if more: the digits in the text, point included */
    int64_t last_exponent;   /* of the last of them */
} xg_decimal;

XG_INLINE bool xg_is_digit(char c) { return (unsigned char)(c - '0') < 10; }

/* Eight digits at once; the first is in the lowest byte. */
XG_INLINE uint64_t xg_digits8_value(uint64_t v) {
    v -= 0x3030303030303030u;
    v = v * 10 + (v >> 8); /* pairs in every other byte */
    return (((v & 0x000000FF000000FFu) * 0x000F424000000064u) +
               ((v >> 16 & 0x000000FF000000FFu) * 0x0000271000000001u)) >>
           32;
}
/* Appends the digits at p to *w (modulo 2^64) and returns where they end. Runs of less than eight are read without a
 * branch on their length. */
XG_INLINE const char *xg_read_digits(const char *p, const char *end, uint64_t *w) {
    static const uint32_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
    while (end - p >= 8) {
        uint64_t eight, t;
        int n;
        memcpy(&eight, p, 8);
        t = eight ^ 0x3030303030303030u;
        /* the lowest bit marks the first byte that is no digit */
        t = (t | (t + 0x7676767676767676u)) & 0x8080808080808080u;
        if (t) {
            n = xg_trailing_zeros(t) >> 3;
            if (n) *w = *w * powers[n] + xg_digits8_value(eight << (64 - 8 * n) | 0x3030303030303030u >> (8 * n));
            return p + n;
        }
        *w = *w * 100000000u + xg_digits8_value(eight);
        p += 8;
    }
    while (p < end && xg_is_digit(*p)) *w = *w * 10 + (uint64_t)(*p++ - '0');
    return p;
}

/* More than 19 digits were written: keep the first 19 significant ones, if there are that many. */
XG_NOINLINE XG_FN void xg_decimal_cut(xg_decimal *d, const char *first, const char *end) {
    int64_t after = 0, n = 0;
    const char *p;
    while (first < end && (*first == '0' || *first == '.')) first++;
    d->digits = 0;
    d->first = first;
    d->end = end;
    for (p = first; p < end && n < 19; p++)
        if (*p != '.') {
            d->digits = d->digits * 10 + (uint64_t)(*p - '0');
            n++;
        }
    after = end - p;
    if (after && memchr(p, '.', (size_t)after)) after--;
    d->exponent += after;
    d->more = after > 0;
}

/* Returns the end of the number at p, or p when there is none. */
XG_INLINE const char *xg_decimal_scan(const char *p, const char *end, xg_decimal *d) {
    const char *start = p, *first, *point, *last;
    int64_t n;
    d->digits = 0;
    d->exponent = 0;
    d->more = false;
    d->first = d->end = NULL;
    if (p == end) return p;
    d->negative = *p == '-';
    p += d->negative | (*p == '+');
    first = p;
    if (p < end && xg_is_digit(*p)) { /* one digit in front of the point is the usual thing */
        d->digits = (uint64_t)(*p++ - '0');
        if (p < end && xg_is_digit(*p)) p = xg_read_digits(p, end, &d->digits);
    }
    n = p - first;
    if (p < end && *p == '.') {
        point = ++p;
        p = xg_read_digits(p, end, &d->digits);
        d->exponent = point - p;
        n += p - point;
    }
    if (n == 0) return start;
    last = p;
    if (p < end && (*p == 'e' || *p == 'E')) {
        const char *e = p + 1;
        bool minus = e < end && *e == '-';
        int64_t v = 0;
        if (e < end && (*e == '-' || *e == '+')) e++;
        if (e < end && xg_is_digit(*e)) {
            for (; e < end && xg_is_digit(*e); e++)
                if (v < (int64_t)1 << 56) v = v * 10 + (*e - '0');
            d->exponent += minus ? -v : v;
            p = e;
        }
    }
    d->last_exponent = d->exponent;
    if (XG_UNLIKELY(n > 19)) xg_decimal_cut(d, first, last);
    return p;
}

/* ---- decimal to binary ---- */

/* odd * 2^exponent, half way between two floats */
typedef struct xg_midpoint {
    uint64_t odd;
    int exponent;
} xg_midpoint;

/* The first XG_BIG_DIGITS digits of the text and a 1 for any others that are not 0; returns the exponent. */
XG_FN int64_t xg_decimal_to_big(const xg_decimal *d, xg_big *b) {
    int64_t exponent;
    const char *p;
    int n = 0;
    xg_big_set(b, 0);
    for (p = d->first; p < d->end && n < XG_BIG_DIGITS; p++)
        if (*p != '.') {
            xg_big_mul_add(b, 10, (uint32_t)(*p - '0'));
            n++;
        }
    exponent = d->last_exponent + (d->end - p);
    if (p < d->end && memchr(p, '.', (size_t)(d->end - p))) exponent--;
    while (p < d->end && (*p == '0' || *p == '.')) p++;
    if (p == d->end) return exponent;
    xg_big_mul_add(b, 10, 1);
    return exponent - 1;
}

/* The sign of d - m. */
XG_NOINLINE XG_FN int xg_decimal_compare(const xg_decimal *d, xg_midpoint m) {
    xg_big left, right;
    int64_t q = d->exponent;
    int shift;
    if (d->more)
        q = xg_decimal_to_big(d, &left);
    else
        xg_big_set(&left, d->digits);
    xg_big_set(&right, m.odd);
    if (q >= 0)
        xg_big_mul_pow5(&left, (int)q);
    else
        xg_big_mul_pow5(&right, (int)-q);
    shift = (int)q - m.exponent;
    xg_big_shift(shift > 0 ? &left : &right, shift > 0 ? shift : -shift);
    return xg_big_compare(&left, &right);
}

/* The bits of the nearest float of a format (infinity when the value is beyond), or false, the bits of the float below
 * and the midpoint to compare with. [high low, + error) holds the value in units of 2^unit, high having its first bit
 * set. */
XG_INLINE bool xg_decimal_round(const xg_decimal *d, int mantissa_bits, int bias, uint64_t *bits, xg_midpoint *middle) {
    uint64_t w = d->digits, high, low, top, carry, rest, half, kept, unused, error_high;
    int q, n, unit, drop, exponent;
    bool exact;
    *bits = 0;
    if (w == 0 || d->exponent < -343) return true;
    *bits = (uint64_t)(2 * bias + 1) << mantissa_bits;
    if (d->exponent > 308) return true;
    q = (int)d->exponent;
    n = xg_leading_zeros(w);
    w <<= n;
    top = xg_pow10_top(q, &carry);
    high = xg_mul_wide(w, top, &low);
    carry = xg_mul_wide(w, carry, &unused);
    low += carry;
    high += low < carry;
    unit = xg_pow10_log2(q) - n - 63;
    exact = q >= 0 && q <= XG_POW5_EXACT && !d->more;
    error_high = d->more ? (uint64_t)1 << (n + 1) : 0;
    if (!(high >> 63)) {
        high = high << 1 | low >> 63;
        low <<= 1;
        unit--;
    }
    exponent = unit + 127;
    if (exponent > bias) return true;
    *bits = 0;
    drop = 127 - mantissa_bits + (exponent < 1 - bias ? 1 - bias - exponent : 0);
    if (drop > 129) return true;
    middle->exponent = unit + drop - 1;
    middle->odd = 1;
    if (drop >= 128) return false;
    kept = high >> (drop - 64);
    middle->odd = 2 * kept + 1;
    *bits = kept + (exponent < 1 - bias ? 0 : (uint64_t)(exponent + bias - 1) << mantissa_bits);
    rest = high & (((uint64_t)1 << (drop - 64)) - 1);
    half = (uint64_t)1 << (drop - 65);
    if (rest >= half) {
        if (rest == half && low == 0) {
            *bits += exact && (kept & 1);
            return exact;
        }
        *bits += 1;
        return true;
    }
    if (exact) return true;
    rest += error_high + (low + 4 < 4);
    return rest < half || (rest == half && low + 4 == 0);
}

XG_INLINE uint64_t xg_decimal_bits(const xg_decimal *d, int mantissa_bits, int bias) {
    xg_midpoint middle;
    uint64_t bits;
    if (XG_UNLIKELY(!xg_decimal_round(d, mantissa_bits, bias, &bits, &middle))) {
        int side = xg_decimal_compare(d, middle);
        bits += side > 0 || (side == 0 && (middle.odd & 2));
    }
    return bits;
}

/* inf and nan, with a sign or without: the bytes read; *special is 1 or 2, *negative the sign. */
XG_FN size_t xg_float_word(const char *p, size_t n, int *special, bool *negative) {
    size_t at = n && (*p == '-' || *p == '+');
    *negative = at && *p == '-';
    if (n < at + 3) return 0;
    if (memcmp(p + at, "inf", 3) == 0)
        *special = 1;
    else if (memcmp(p + at, "nan", 3) == 0)
        *special = 2;
    else
        return 0;
    return at + 3;
}

XG_FN size_t xg_float_parse(const char *p, size_t n, double *out, bool *overflow) {
    xg_decimal d;
    const char *end = xg_decimal_scan(p, p + n, &d);
    uint64_t bits;
    int special = 0;
    *overflow = false;
    if (end == p) {
        n = xg_float_word(p, n, &special, &d.negative);
        if (!n) return 0;
        bits = special == 1 ? 0x7FF0000000000000u : 0x7FF8000000000000u;
        end = p + n;
    } else {
        bits = xg_decimal_bits(&d, 52, 1023);
        *overflow = bits == 0x7FF0000000000000u;
    }
    bits |= (uint64_t)d.negative << 63;
    memcpy(out, &bits, 8);
    return (size_t)(end - p);
}

XG_FN size_t xg_float_parse32(const char *p, size_t n, float *out, bool *overflow) {
    xg_decimal d;
    const char *end = xg_decimal_scan(p, p + n, &d);
    uint32_t bits;
    int special = 0;
    *overflow = false;
    if (end == p) {
        n = xg_float_word(p, n, &special, &d.negative);
        if (!n) return 0;
        bits = special == 1 ? 0x7F800000u : 0x7FC00000u;
        end = p + n;
    } else {
        bits = (uint32_t)xg_decimal_bits(&d, 23, 127);
        *overflow = bits == 0x7F800000u;
    }
    bits |= (uint32_t)d.negative << 31;
    memcpy(out, &bits, 4);
    return (size_t)(end - p);
}

/* ---- binary to decimal ---- */

enum {
    XG_DIGITS_FAST = 17,
    XG_DIGITS_MAX = 40
};

/* significand * 2^exponent = 0.d1d2d3... * 10^(k+1): the first `count` digits, rounded, as an integer; false when only
 * big integers can tell. */
XG_FN bool xg_float_digits_fast(uint64_t significand, int exponent, int count, uint64_t *digits, int *k) {
    static const uint64_t powers[] = {1u, 10u, 100u, 1000u, 10000u, 100000u, 1000000u, 10000000u, 100000000u,
        1000000000u, 10000000000u, 100000000000u, 1000000000000u, 10000000000000u, 100000000000000u, 1000000000000000u,
        10000000000000000u, 100000000000000000u};
    int n = xg_leading_zeros(significand), q, drop;
    uint64_t w = significand << n, high, low, top, carry, unused, rest, half;
    exponent -= n;
    *k = ((exponent + 63) * 78913) >> 18; /* floor(log10) or one less: then a second round */
    for (;; ++*k) {
        q = count - 1 - *k;
        top = xg_pow10_top(q, &carry);
        high = xg_mul_wide(w, top, &low);
        carry = xg_mul_wide(w, carry, &unused);
        low += carry;
        high += low < carry;
        drop = -(xg_pow10_log2(q) - 63 + exponent); /* 64 < drop < 128, since the integer part has 1 to 60 bits */
        *digits = high >> (drop - 64);
        rest = high & (((uint64_t)1 << (drop - 64)) - 1);
        half = (uint64_t)1 << (drop - 65);
        if (rest == half && low == 0) {
            if (q < 0 || q > XG_POW5_EXACT) return false;
            *digits += *digits & 1;
        } else if (rest >= half)
            ++*digits;
        else if (rest == half - 1 && low + 2 < 2 && !(q >= 0 && q <= XG_POW5_EXACT))
            return false;
        if (*digits < powers[count]) return true;
        if (*digits == powers[count]) {
            *digits = powers[count - 1];
            ++*k;
            return true;
        } /* 9.97 became 10.0 */
    }
}

/* The digits of n / d, which is at least 1 and less than 10, and then the rest decides how to round. Returns true if a
 * carry left the first digit. */
XG_FN bool xg_big_digits(xg_big *n, const xg_big *d, char *out, int count) {
    int i, side;
    for (i = 0; i < count; i++) {
        if (i) xg_big_mul_add(n, 10, 0);
        for (out[i] = '0'; xg_big_compare(n, d) >= 0; out[i]++) xg_big_subtract(n, d);
    }
    xg_big_mul_add(n, 2, 0);
    side = xg_big_compare(n, d);
    if (side < 0 || (side == 0 && !((out[count - 1] - '0') & 1))) return false;
    for (i = count; i-- > 0;) {
        if (out[i] != '9') {
            out[i]++;
            return false;
        }
        out[i] = '0';
    }
    out[0] = '1';
    return true;
}

XG_FN int xg_float_digits_slow(uint64_t significand, int exponent, int count, char *out) {
    int k = ((exponent + 63 - xg_leading_zeros(significand)) * 78913) >> 18;
    for (;; k++) {
        xg_big n, d, ten;
        xg_big_set(&n, significand);
        xg_big_set(&d, 1);
        xg_big_mul_pow5(k < 0 ? &n : &d, k < 0 ? -k : k);
        if (exponent > k)
            xg_big_shift(&n, exponent - k);
        else
            xg_big_shift(&d, k - exponent);
        ten = d;
        xg_big_mul_add(&ten, 10, 0);
        if (xg_big_compare(&n, &ten) < 0) return k + xg_big_digits(&n, &d, out, count);
    }
}

/* `count` digits of a finite v that is not 0, and the decimal exponent of the first. */
XG_FN int xg_float_digits(double v, int count, char *out) {
    uint64_t bits, significand, digits;
    int exponent, k, i;
    memcpy(&bits, &v, 8);
    exponent = (int)(bits >> 52 & 2047);
    significand = bits & 0xFFFFFFFFFFFFFu;
    if (exponent)
        significand |= (uint64_t)1 << 52;
    else
        exponent = 1;
    exponent -= 1075;
    if (count > XG_DIGITS_FAST || !xg_float_digits_fast(significand, exponent, count, &digits, &k))
        return xg_float_digits_slow(significand, exponent, count, out);
    for (i = count; i-- > 0; digits /= 10) out[i] = (char)('0' + digits % 10);
    return k;
}

/* Lays digits out as %g does: no zeros at the end, an exponent when it is below -4 or not below `count`. */
XG_FN void xg_float_put_digits(xg_buf *b, const char *digits, int count, int k) {
    char t[XG_DIGITS_MAX + 16];
    size_t n = 0;
    int used = count, i;
    while (used > 1 && digits[used - 1] == '0') used--;
    if (k < -4 || k >= count) {
        t[n++] = digits[0];
        if (used > 1) t[n++] = '.';
        for (i = 1; i < used; i++) t[n++] = digits[i];
        t[n++] = 'e';
        t[n++] = k < 0 ? '-' : '+';
        if (k < 0) k = -k;
        if (k >= 100) t[n++] = (char)('0' + k / 100);
        t[n++] = (char)('0' + k / 10 % 10);
        t[n++] = (char)('0' + k % 10);
    } else if (k < 0) {
        t[n++] = '0';
        t[n++] = '.';
        for (i = -1; i > k; i--) t[n++] = '0';
        for (i = 0; i < used; i++) t[n++] = digits[i];
    } else {
        for (i = 0; i < used || i <= k; i++) {
            if (i == k + 1) t[n++] = '.';
            t[n++] = i < used ? digits[i] : '0';
        }
    }
    xg_put(b, t, n);
}

XG_FN void xg_float_print_g(xg_buf *b, double v, int digits) {
    char t[XG_DIGITS_MAX];
    uint64_t bits;
    int k;
    memcpy(&bits, &v, 8);
    if (bits >> 63) xg_putc(b, '-');
    if (v != v) {
        xg_puts(b, "nan");
        return;
    }
    if (v == 0) {
        xg_putc(b, '0');
        return;
    }
    if ((bits >> 52 & 2047) == 2047) {
        xg_puts(b, "inf");
        return;
    }
    digits = XG_MAX(1, XG_MIN(digits, XG_DIGITS_MAX));
    k = xg_float_digits(v, digits, t);
    xg_float_put_digits(b, t, digits, k);
}

/* Whether the first `count` digits read back as the same f32 or f64. */
XG_FN bool xg_float_digits_suffice(const xg_float_format *f, uint64_t magnitude, const char *digits, int count, int k) {
    xg_decimal d;
    int i;
    memset(&d, 0, sizeof d);
    for (i = 0; i < count; i++) d.digits = d.digits * 10 + (uint64_t)(digits[i] - '0');
    d.exponent = k - count + 1;
    return xg_decimal_bits(&d, f->mantissa_bits, f->bias) == magnitude;
}

XG_FN void xg_float_print(xg_buf *b, xlagpu_type t, uint64_t bits) {
    const xg_float_format *f = xg_float_format_of(t);
    double v = xg_float_decode(t, bits);
    uint64_t fraction = bits & (((uint64_t)1 << f->mantissa_bits) - 1),
             magnitude = bits & (((uint64_t)1 << (f->bits - 1)) - 1);
    char digits[XG_DIGITS_MAX];
    if (v != v && f->has_infinity && fraction != (uint64_t)1 << (f->mantissa_bits - 1)) {
        xg_printf(b, bits >> (f->bits - 1) & 1 ? "-nan(0x%llx)" : "nan(0x%llx)", (unsigned long long)fraction);
        return;
    }
    if (f->digits_short < f->digits_full && magnitude && magnitude <= f->max_bits) {
        int k = xg_float_digits(v, f->digits_short, digits);
        if (xg_float_digits_suffice(f, magnitude, digits, f->digits_short, k)) {
            if (v < 0) xg_putc(b, '-');
            xg_float_put_digits(b, digits, f->digits_short, k);
            return;
        }
    }
    /* 5.9e-39 is a little more, which rounds up */
    if (f->type == XLAGPU_F8E8M0FNU && bits == 0) {
        xg_float_print_g(b, v, 17);
        return;
    }
    xg_float_print_g(b, v, f->digits_full);
}

#endif /* XG_BASE_FLOAT_TEXT_C */
/* base/memory.c -- contexts, failure, arenas, checked arithmetic.
 *
 * An arena is a list of chunks, newest first; allocation moves a pointer. Chunks double up to 1 MiB so that a module of
 * any size costs a handful of calls to the user's allocator. A mark is a position in that list; resetting to it sets
 * aside the chunks that came after, for the next ones: work that is done again and again stays in the same, warm
 * memory.
 *
 * A context that has the memory from malloc cuts chunks from slabs of 2 MiB, aligned to their size, once it holds
 * XG_SLAB_FROM bytes: a system with large pages then maps each slab at once. Only the first ones ask for it: large
 * pages that nobody has used for long are dear (a guest's have to come from its host), and who needs hundreds of them
 * gets such. Chunks that are given up serve other arenas; as many slabs as are in use are kept, and a few for the next
 * module of the context. */
#ifndef XG_BASE_MEMORY_C
#define XG_BASE_MEMORY_C

enum {
    XG_BLOCK_ALIGN = 16,
    XG_CHUNK_MIN = 16384,
    XG_CHUNK_MAX = 1 << 20
};

XG_FN void *xg_mem_default_alloc(void *user, size_t bytes) {
    (void)user;
    return malloc(bytes);
}
XG_FN void xg_mem_default_release(void *user, void *p) {
    (void)user;
    free(p);
}

XG_FN void xg_ctx_init(xg_ctx *c, const xlagpu_allocator *mem, size_t limit) {
    memset(c, 0, sizeof *c);
    if (mem && mem->alloc && mem->release)
        c->mem = *mem;
    else {
        c->mem.alloc = xg_mem_default_alloc;
        c->mem.release = xg_mem_default_release;
    }
    c->limit = limit;
}

XG_FN void xg_ctx_want_slabs(xg_ctx *c) { c->slabs_wanted = c->mem.alloc == xg_mem_default_alloc && !c->limit; }

XG_FN jmp_buf *xg_try(xg_ctx *c, jmp_buf *here) {
    jmp_buf *outer = c->guard;
    c->guard = here;
    c->status = XLAGPU_OK;
    c->line = c->column = 0;
    c->message[0] = 0;
    return outer;
}

XG_FN void xg_end(xg_ctx *c, jmp_buf *outer) { c->guard = outer; }

/* ---- failure ---- */

XG_FN size_t xg_line_start(const xg_source *s, size_t at) {
    while (at > 0 && s->text[at - 1] != '\n') at--;
    return at;
}

/* "name:line:col: error: " and afterwards the line with a caret; a long line shows a window around the column. */
XG_FN size_t xg_error_show_line(char *out, size_t cap, const xg_source *s, size_t at) {
    enum {
        WINDOW = 100,
        BEFORE = 60
    };
    size_t start = xg_line_start(s, at), end = at, n = 0, i;
    while (end < s->size && s->text[end] != '\n' && s->text[end] != '\r') end++;
    if (at - start > BEFORE) start = at - BEFORE;
    if (end - start > WINDOW) end = start + WINDOW;
    if (cap < (size_t)2 * WINDOW + 8) return 0;
    out[n++] = '\n';
    for (i = start; i < end; i++)
        out[n++] = (unsigned char)s->text[i] < 32 || (unsigned char)s->text[i] == 127 ? ' ' : s->text[i];
    out[n++] = '\n';
    for (i = start; i < at; i++) out[n++] = ' ';
    out[n++] = '^';
    out[n] = 0;
    return n;
}

XG_FN void xg_error_set(xg_ctx *c, xlagpu_status status, const xg_source *src, size_t offset, const char *hint,
    const char *format, va_list args) {
    size_t n = 0, cap = sizeof c->message, i;
    if (c->status != XLAGPU_OK) return;
    c->status = status;
    if (src && src->text) {
        if (offset > src->size) offset = src->size;
        c->line = 1;
        for (i = 0; i < offset; i++) c->line += src->text[i] == '\n';
        c->column = (uint32_t)(offset - xg_line_start(src, offset) + 1);
        n = xg_format(c->message, cap, "%s:%u:%u: error: ", src->name ? src->name : "input", c->line, c->column);
    }
    if (n < cap) n += xg_vformat(c->message + n, cap - n, format, args);
    if (n >= cap) n = cap - 1;
    if (src && src->text) n += xg_error_show_line(c->message + n, cap - n, src, offset);
    if (hint && n < cap) xg_format(c->message + n, cap - n, "\nhint: %s", hint);
}

XG_NORETURN XG_FN void xg_jump(xg_ctx *c) {
    XLAGPU_ASSERT(c->guard);
    longjmp(*c->guard, 1);
}

XG_NORETURN XG_FN void xg_fail(xg_ctx *c, xlagpu_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    xg_error_set(c, status, NULL, 0, NULL, format, args);
    va_end(args);
    xg_jump(c);
}

XG_NORETURN XG_FN void xg_fail_at(
    xg_ctx *c, xlagpu_status status, const xg_source *src, size_t offset, const char *hint, const char *format, ...) {
    va_list args;
    va_start(args, format);
    xg_error_set(c, status, src, offset, hint, format, args);
    va_end(args);
    xg_jump(c);
}

/* ---- the user's allocator ---- */

/* Each block carries its size in front, so that live bytes can be counted without asking the allocator. */
XG_FN void *xg_mem_alloc(xg_ctx *c, size_t bytes) {
    char *p;
    if (bytes > SIZE_MAX - XG_BLOCK_ALIGN) return NULL;
    if (c->limit && (bytes > c->limit || c->live > c->limit - bytes)) return NULL;
    p = (char *)c->mem.alloc(c->mem.user, bytes + XG_BLOCK_ALIGN);
    if (!p) return NULL;
    memcpy(p, &bytes, sizeof bytes);
    c->live += bytes;
    return p + XG_BLOCK_ALIGN;
}

XG_FN void xg_mem_free(xg_ctx *c, void *p) {
    size_t bytes;
    if (!p) return;
    memcpy(&bytes, (char *)p - XG_BLOCK_ALIGN, sizeof bytes);
    c->live -= bytes;
    c->mem.release(c->mem.user, (char *)p - XG_BLOCK_ALIGN);
}

/* ---- chunks ---- */

enum {
    XG_SLAB = 1 << 21,
    XG_SLAB_FROM = 1 << 19,
    XG_SLABS_KEPT = 8,
    XG_SLABS_TRIED = 8,
    XG_SLABS_LARGE = 64
};
struct xg_chunk {
    xg_chunk *older;
    char *end;
    xg_slab *slab;
};
struct xg_slab {
    xg_slab *prev, *next;
    char *memory, *at, *end;
    xg_chunk *unused;
    uint32_t used;
    bool full;
};
enum {
    XG_CHUNK_HEAD = (sizeof(xg_chunk) + XG_BLOCK_ALIGN - 1) / XG_BLOCK_ALIGN * XG_BLOCK_ALIGN,
    XG_SLAB_HEAD = (sizeof(xg_slab) + XG_BLOCK_ALIGN - 1) / XG_BLOCK_ALIGN * XG_BLOCK_ALIGN
};

XG_FN xg_chunk *xg_chunk_at(char *at, size_t room, xg_slab *slab) {
    xg_chunk *c = (xg_chunk *)(void *)at;
    c->older = NULL;
    c->end = at + room;
    c->slab = slab;
    return c;
}

/* A slab stands in the list of those that have something to give, or in that of the full ones. */
XG_FN void xg_slab_list(xg_ctx *c, xg_slab *s, bool full) {
    xg_slab **list = full ? &c->full_slabs : &c->slabs;
    s->full = full;
    s->prev = NULL;
    s->next = *list;
    if (s->next) s->next->prev = s;
    *list = s;
}
XG_FN void xg_slab_unlist(xg_ctx *c, xg_slab *s) {
    *(s->prev ? &s->prev->next : s->full ? &c->full_slabs : &c->slabs) = s->next;
    if (s->next) s->next->prev = s->prev;
}
XG_FN void xg_slab_set_full(xg_ctx *c, xg_slab *s, bool full) {
    if (s->full == full) return;
    xg_slab_unlist(c, s);
    xg_slab_list(c, s, full);
}

/* With room for `least` bytes; NULL when there is no memory. */
XG_FN xg_slab *xg_slab_new(xg_ctx *c, size_t least) {
    size_t bytes, align = XG_SLAB;
    char *memory;
    xg_slab *s;
    if (least > SIZE_MAX - 3 * align) return NULL;
    bytes = (least + XG_SLAB_HEAD + align - 1) / align * align;
    memory = (char *)malloc(bytes + align);
    if (!memory) return NULL;
    s = (xg_slab *)(void *)(memory + (align - (size_t)((uintptr_t)memory & (align - 1))));
    if (c->n_slabs < XG_SLABS_LARGE) XG_HUGE_PAGES((void *)s, bytes);
    c->n_slabs++;
    memset(s, 0, sizeof *s);
    s->memory = memory;
    s->at = (char *)s + XG_SLAB_HEAD;
    s->end = (char *)s + bytes;
    xg_slab_list(c, s, false);
    c->n_idle++;
    return s;
}
XG_FN void xg_slab_free(xg_ctx *c, xg_slab *s) {
    xg_slab_unlist(c, s);
    c->n_idle -= s->used == 0;
    c->n_slabs--;
    free(s->memory);
}

/* A chunk from the slab, of `least` bytes and of `room` if it has that much; NULL: it has not. */
XG_FN xg_chunk *xg_slab_take(xg_ctx *c, xg_slab *s, size_t least, size_t room) {
    xg_chunk **link = &s->unused, *k;
    while (
        *link && ((size_t)((*link)->end - (char *)*link) < least || (size_t)((*link)->end - (char *)*link) / 2 > room))
        link = &(*link)->older;
    k = *link;
    if (k)
        *link = k->older;
    else {
        size_t left = (size_t)(s->end - s->at);
        if (left < least || left < room / 2) return NULL;
        k = xg_chunk_at(s->at, XG_MIN(room, left), s);
        s->at = k->end;
    }
    c->n_idle -= s->used++ == 0;
    xg_slab_set_full(c, s, !s->unused && s->end - s->at < XG_CHUNK_MIN);
    return k;
}

/* Of `least` bytes, rather of `room`. */
XG_FN xg_chunk *xg_chunk_new(xg_ctx *c, size_t least, size_t room) {
    xg_slab *s, *next;
    xg_chunk *k = NULL;
    char *p;
    uint32_t tries = 0;
    if (c->slabs_wanted && c->live >= XG_SLAB_FROM) {
        for (s = c->slabs; s && !k && tries < XG_SLABS_TRIED; s = next, tries++) {
            next = s->next;
            k = xg_slab_take(c, s, least, room);
        }
        if (!k && (s = xg_slab_new(c, room)) != NULL) k = xg_slab_take(c, s, least, room);
        if (k) {
            c->live += (size_t)(k->end - (char *)k);
            return k;
        }
    }
    p = (char *)xg_mem_alloc(c, room);
    return p ? xg_chunk_at(p, room, NULL) : NULL;
}
XG_FN void xg_chunk_free(xg_ctx *c, xg_chunk *k) {
    xg_slab *s = k->slab;
    if (!s) {
        xg_mem_free(c, k);
        return;
    }
    c->live -= (size_t)(k->end - (char *)k);
    xg_slab_set_full(c, s, false);
    if (--s->used) {
        k->older = s->unused;
        s->unused = k;
        return;
    }
    s->unused = NULL;
    s->at = (char *)s + XG_SLAB_HEAD;
    c->n_idle++;
    if (c->n_idle > XG_MAX((uint32_t)XG_SLABS_KEPT, c->n_slabs / 2) || s->end - (char *)s > XG_SLAB) xg_slab_free(c, s);
}
XG_FN void xg_ctx_done(xg_ctx *c) {
    while (c->slabs) xg_slab_free(c, c->slabs);
    while (c->full_slabs) xg_slab_free(c, c->full_slabs);
}

/* ---- arenas ---- */

XG_FN void xg_arena_init(xg_arena *a, xg_ctx *c) {
    memset(a, 0, sizeof *a);
    a->ctx = c;
    a->grow = XG_CHUNK_MIN;
}

/* The first spare chunk that has room. NULL: none. */
XG_FN xg_chunk *xg_arena_take_spare(xg_arena *a, size_t room) {
    xg_chunk **link = &a->spare, *c;
    while (*link && (size_t)((*link)->end - (char *)*link) < room) link = &(*link)->older;
    c = *link;
    if (c) *link = c->older;
    return c;
}
XG_FN void xg_arena_trim(xg_arena *a, size_t keep) {
    xg_chunk **link = &a->spare, *c;
    while (*link && (size_t)((*link)->end - (char *)*link) <= keep) {
        keep -= (size_t)((*link)->end - (char *)*link);
        link = &(*link)->older;
    }
    while ((c = *link) != NULL) {
        *link = c->older;
        xg_chunk_free(a->ctx, c);
    }
}

XG_FN void xg_arena_reset(xg_arena *a, xg_mark m) {
    for (; a->inner != m.inner; a->inner = a->inner->next) xg_arena_free(a->inner);
    while (a->chunk != m.chunk) {
        xg_chunk *c = a->chunk;
        a->chunk = c->older;
        c->older = a->spare;
        a->spare = c;
    }
    a->at = m.at;
    a->end = a->chunk ? a->chunk->end : NULL;
}

XG_FN void xg_arena_free(xg_arena *a) {
    xg_mark none;
    memset(&none, 0, sizeof none);
    xg_arena_reset(a, none);
    xg_arena_trim(a, 0);
    a->grow = XG_CHUNK_MIN;
}
XG_FN xg_mark xg_arena_mark(const xg_arena *a) {
    xg_mark m;
    m.chunk = a->chunk;
    m.at = a->at;
    m.inner = a->inner;
    return m;
}

XG_FN xg_arena *xg_arena_inner(xg_arena *a) {
    xg_arena *inner = XG_NEW(a, xg_arena);
    xg_arena_init(inner, a->ctx);
    inner->next = a->inner;
    a->inner = inner;
    return inner;
}

XG_NOINLINE XG_FN void xg_arena_grow(xg_arena *a, size_t bytes) {
    size_t least = xg_add(a->ctx, bytes, XG_CHUNK_HEAD), room = XG_MAX(least, a->grow);
    xg_chunk *chunk = xg_arena_take_spare(a, least);
    if (!chunk) {
        if (a->grow < XG_CHUNK_MAX) a->grow *= 2;
        chunk = xg_chunk_new(a->ctx, least, room);
        if (!chunk && a->spare) {
            xg_arena_trim(a, 0);
            chunk = xg_chunk_new(a->ctx, least, room);
        }
    }
    if (!chunk)
        xg_fail(a->ctx, XLAGPU_ERROR_MEMORY, "out of memory: no %zu bytes beyond the %zu in use", room, a->ctx->live);
    chunk->older = a->chunk;
    a->chunk = chunk;
    a->at = (char *)chunk + XG_CHUNK_HEAD;
    a->end = chunk->end;
}

XG_NOINLINE XG_FN void *xg_alloc_far(xg_arena *a, size_t bytes) {
    char *p;
    if (bytes > SIZE_MAX - XG_BLOCK_ALIGN - XG_CHUNK_HEAD)
        xg_fail(a->ctx, XLAGPU_ERROR_LIMIT, "a block of %zu bytes cannot be addressed", bytes);
    bytes = (bytes + XG_BLOCK_ALIGN - 1) / XG_BLOCK_ALIGN * XG_BLOCK_ALIGN;
    xg_arena_grow(a, bytes);
    p = a->at;
    a->at += bytes;
    return p;
}
XG_FN void *xg_alloc_raw(xg_arena *a, size_t bytes) {
    char *p = a->at;
    size_t room = (bytes + XG_BLOCK_ALIGN - 1) / XG_BLOCK_ALIGN * XG_BLOCK_ALIGN;
    if (XG_UNLIKELY(room > (size_t)(a->end - p) || room < bytes)) return xg_alloc_far(a, bytes);
    a->at = p + room;
    return p;
}

XG_FN void *xg_alloc_lines(xg_arena *a, size_t bytes) {
    enum {
        LINE = 64
    };
    size_t pad = (size_t)(0 - (uintptr_t)a->at) & (LINE - 1);
    if (bytes > SIZE_MAX - 2 * LINE || pad + bytes > (size_t)(a->end - a->at)) {
        xg_arena_grow(a, xg_add(a->ctx, bytes, LINE));
        pad = (size_t)(0 - (uintptr_t)a->at) & (LINE - 1);
    }
    if (pad) (void)xg_alloc_raw(a, pad);
    return xg_alloc_raw(a, bytes);
}

XG_FN void *xg_alloc(xg_arena *a, size_t bytes) {
    void *p = xg_alloc_raw(a, bytes);
    if (bytes) memset(p, 0, bytes);
    return p;
}

XG_FN bool xg_arena_extend(xg_arena *a, const void *p, size_t bytes, size_t more) {
    size_t had = (bytes + XG_BLOCK_ALIGN - 1) / XG_BLOCK_ALIGN * XG_BLOCK_ALIGN,
           want = (more + XG_BLOCK_ALIGN - 1) / XG_BLOCK_ALIGN * XG_BLOCK_ALIGN;
    if (!p || (const char *)p + had != a->at || want < more || want - had > (size_t)(a->end - a->at)) return false;
    a->at += want - had;
    return true;
}

XG_FN void *xg_vec_grow(xg_arena *a, const void *p, uint32_t *cap, size_t item) {
    uint32_t bigger = *cap ? *cap * 2 : 8;
    size_t bytes;
    void *q = (void *)(uintptr_t)p;
    if (*cap > UINT32_MAX / 2) xg_fail(a->ctx, XLAGPU_ERROR_LIMIT, "a list of more than 2^31 items");
    bytes = xg_mul(a->ctx, bigger, item);
    if (!xg_arena_extend(a, p, *cap * item, bytes)) {
        q = xg_alloc_raw(a, bytes);
        if (*cap) memcpy(q, p, *cap * item);
    }
    memset((char *)q + *cap * item, 0, bytes - *cap * item);
    *cap = bigger;
    return q;
}

/* ---- sizes ---- */

XG_FN size_t xg_mul(xg_ctx *c, size_t a, size_t b) {
    if (XG_UNLIKELY((a | b) >> (sizeof(size_t) * 4)) && b && a > SIZE_MAX / b)
        xg_fail(c, XLAGPU_ERROR_LIMIT, "a size overflows: %zu times %zu", a, b);
    return a * b;
}
XG_FN size_t xg_add(xg_ctx *c, size_t a, size_t b) {
    if (a > SIZE_MAX - b) xg_fail(c, XLAGPU_ERROR_LIMIT, "a size overflows: %zu plus %zu", a, b);
    return a + b;
}
XG_FN bool xg_mul64(int64_t a, int64_t b, int64_t *out) {
#ifdef XG_MUL_OVERFLOWS
    int64_t r;
    if (XG_MUL_OVERFLOWS(a, b, &r)) return false;
    *out = r;
    return true;
#else
    if (a > 0   ? (b > 0 ? a > INT64_MAX / b : b < INT64_MIN / a)
        : a < 0 ? (b > 0 ? a < INT64_MIN / b : b < 0 && a < INT64_MAX / b)
                : false)
        return false;
    *out = a * b;
    return true;
#endif
}
XG_FN bool xg_add64(int64_t a, int64_t b, int64_t *out) {
    if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b) return false;
    *out = a + b;
    return true;
}

#endif /* XG_BASE_MEMORY_C */
/* base/number.c -- the float formats of HLO, one row each, and the conversions that all of them share.
 *
 * A format is described by a few numbers, and everything else follows from one idea: without its sign, the bits of a
 * float are an integer that grows with the value. So rounding works on that integer (a carry out of the mantissa moves
 * into the exponent by itself), overflow is "beyond max_bits", and what lies beyond max_bits is infinity (only the next
 * integer, where the format has one) or NaN.
 *
 * Laws
 * - Only integers are computed with: the result depends neither on the rounding mode nor on the FPU.
 * - Every conversion rounds once, to nearest, ties to even. f8e8m0fnu alone rounds ties up and has no zero: a positive
 *   value too small for it becomes the smallest, zero and negative values become NaN (all as XLA converts).
 * - A NaN keeps its sign where the format has signed NaNs. f4 and f6 have no NaN: they get what XLA gives, nan_bits. */
#ifndef XG_BASE_NUMBER_C
#define XG_BASE_NUMBER_C

/* X(TYPE, bits, exponent, mantissa, bias, sign, infinity, nan, fnuz, zero, nan_bits, max_bits, short, full): in the
 * order of XLAGPU_TYPES. full is 1 + ceil((mantissa + 1) * log10(2)); XLA tries the short form for f32 and f64 only. */
/* clang-format off */
#define XG_FLOAT_FORMATS(X) \
    X(F4E2M1FN,      4,  2,  1,  1,    1, 0, 0, 0, 1, 0x8,  0x7,  2, 2) \
    X(F6E2M3FN,      6,  2,  3,  1,    1, 0, 0, 0, 1, 0x20, 0x1F, 3, 3) \
    X(F6E3M2FN,      6,  3,  2,  3,    1, 0, 0, 0, 1, 0x20, 0x1F, 2, 2) \
    X(F8E3M4,        8,  3,  4,  3,    1, 1, 1, 0, 1, 0x78, 0x6F, 3, 3) \
    X(F8E4M3,        8,  4,  3,  7,    1, 1, 1, 0, 1, 0x7C, 0x77, 3, 3) \
    X(F8E4M3FN,      8,  4,  3,  7,    1, 0, 1, 0, 1, 0x7F, 0x7E, 3, 3) \
    X(F8E4M3B11FNUZ, 8,  4,  3,  11,   1, 0, 1, 1, 1, 0x80, 0x7F, 3, 3) \
    X(F8E4M3FNUZ,    8,  4,  3,  8,    1, 0, 1, 1, 1, 0x80, 0x7F, 3, 3) \
    X(F8E5M2,        8,  5,  2,  15,   1, 1, 1, 0, 1, 0x7E, 0x7B, 2, 2) \
    X(F8E5M2FNUZ,    8,  5,  2,  16,   1, 0, 1, 1, 1, 0x80, 0x7F, 2, 2) \
    X(F8E8M0FNU,     8,  8,  0,  127,  0, 0, 1, 0, 0, 0xFF, 0xFE, 2, 2) \
    X(BF16,          16, 8,  7,  127,  1, 1, 1, 0, 1, 0x7FC0, 0x7F7F, 4, 4) \
    X(F16,           16, 5,  10, 15,   1, 1, 1, 0, 1, 0x7E00, 0x7BFF, 5, 5) \
    X(F32,           32, 8,  23, 127,  1, 1, 1, 0, 1, 0x7FC00000, 0x7F7FFFFF, 6, 9) \
    X(F64,           64, 11, 52, 1023, 1, 1, 1, 0, 1, 0x7FF8000000000000u, 0x7FEFFFFFFFFFFFFFu, 15, 17)
/* clang-format on */

static const xg_float_format xg_float_formats[] = {
#define X(type, bits, e, m, bias, sign, inf, nan, fnuz, zero, nan_bits, max_bits, lo, hi) \
    {XLAGPU_##type, bits, e, m, bias, sign != 0, inf != 0, nan != 0, fnuz != 0, zero != 0, nan_bits, max_bits, lo, hi},
    XG_FLOAT_FORMATS(X)
#undef X
};

XG_FN const xg_float_format *xg_float_format_of(xlagpu_type t) {
    if (t < XLAGPU_F4E2M1FN || t > XLAGPU_F64) return NULL;
    XLAGPU_ASSERT(xg_float_formats[t - XLAGPU_F4E2M1FN].type == t);
    return &xg_float_formats[t - XLAGPU_F4E2M1FN];
}

XG_FN uint64_t xg_f64_bits(double v) {
    uint64_t b;
    memcpy(&b, &v, 8);
    return b;
}
XG_FN double xg_f64_of_bits(uint64_t b) {
    double v;
    memcpy(&v, &b, 8);
    return v;
}
XG_FN uint32_t xg_f32_bits(float v) {
    uint32_t b;
    memcpy(&b, &v, 4);
    return b;
}
XG_FN float xg_f32_of_bits(uint32_t b) {
    float v;
    memcpy(&v, &b, 4);
    return v;
}
XG_FN double xg_f64_power_of_two(int e) { return xg_f64_of_bits((uint64_t)(e + 1023) << 52); } /* normal ones only */

/* ---- one format to double ---- */

/* A value beyond the finite ones; payload bits of a NaN keep their place at the top of the mantissa. */
XG_FN double xg_float_decode_special(const xg_float_format *f, uint64_t sign, uint64_t magnitude) {
    uint64_t fraction = magnitude & (((uint64_t)1 << f->mantissa_bits) - 1);
    if (f->has_infinity && magnitude == f->max_bits + 1) return xg_f64_of_bits(sign | XG_F64_INFINITY);
    return xg_f64_of_bits(sign | XG_F64_INFINITY | XG_F64_QUIET | fraction << (52 - f->mantissa_bits));
}

XG_FN double xg_float_decode(xlagpu_type t, uint64_t bits) {
    const xg_float_format *f = xg_float_format_of(t);
    uint64_t magnitude, sign;
    int exponent;
    if (t == XLAGPU_F64) return xg_f64_of_bits(bits);
    magnitude = bits & (((uint64_t)1 << (f->bits - f->has_sign)) - 1);
    sign = f->has_sign && (bits >> (f->bits - 1) & 1) ? XG_F64_SIGN : 0;
    if (f->nan_is_negative_zero && sign && !magnitude) return xg_f64_of_bits(sign | XG_F64_INFINITY | XG_F64_QUIET);
    if (magnitude > f->max_bits) return xg_float_decode_special(f, sign, magnitude);
    exponent = (int)(magnitude >> f->mantissa_bits);
    if (exponent == 0 && f->has_zero) { /* zero or subnormal: an integer number of the smallest steps */
        double v = (double)(int64_t)magnitude * xg_f64_power_of_two(1 - f->bias - f->mantissa_bits);
        return xg_f64_of_bits(xg_f64_bits(v) | sign);
    }
    return xg_f64_of_bits(sign | ((magnitude << (52 - f->mantissa_bits)) + ((uint64_t)(1023 - f->bias) << 52)));
}

/* ---- double to one format ---- */

/* The magnitude bits of significand * 2^(exponent - 52), 2^52 <= significand < 2^53; may lie beyond max_bits. */
XG_FN uint64_t xg_float_round(const xg_float_format *f, uint64_t significand, int exponent) {
    int least = 1 - f->bias, drop = 52 - f->mantissa_bits + (exponent < least ? least - exponent : 0);
    uint64_t kept, rest, half;
    if (drop > 53) return 0; /* less than half of the smallest */
    kept = significand >> drop;
    rest = significand & (((uint64_t)1 << drop) - 1);
    half = drop ? (uint64_t)1 << (drop - 1) : 0;
    if (drop && (rest > half || (rest == half && (kept & 1)))) kept++;
    return exponent < least ? kept : kept + ((uint64_t)(exponent + f->bias - 1) << f->mantissa_bits);
}

/* f8e8m0fnu, a power of two: half and more rounds up, and between the two smallest values everything does. */
XG_FN uint64_t xg_float_round_scale(uint64_t significand, int exponent) {
    bool up = exponent == -127 ? significand > XG_F64_HIDDEN : (significand & (XG_F64_HIDDEN >> 1)) != 0;
    return exponent < -127 ? 0 : (uint64_t)XG_MIN(exponent + 127 + up, 255);
}

XG_FN uint64_t xg_float_encode(xlagpu_type t, double v) {
    const xg_float_format *f = xg_float_format_of(t);
    uint64_t bits = xg_f64_bits(v), sign, magnitude, significand = bits & (XG_F64_HIDDEN - 1);
    int exponent = (int)(bits >> 52 & 2047) - 1023;
    if (t == XLAGPU_F64) return bits;
    sign = f->has_sign ? bits >> 63 << (f->bits - 1) : 0;
    if (v != v) return f->nan_is_negative_zero ? f->nan_bits : f->nan_bits ^ sign;
    if (!f->has_sign && (bits >> 63 || v == 0)) return f->nan_bits;
    if (v == 0) return f->nan_is_negative_zero ? 0 : sign;
    if (exponent == -1023) { /* a subnormal double is far below the least value of the other formats */
        magnitude = 0;
    } else if (exponent == 1024)
        magnitude = f->max_bits + 1;
    else if (f->has_zero)
        magnitude = xg_float_round(f, significand | XG_F64_HIDDEN, exponent);
    else
        magnitude = xg_float_round_scale(significand | XG_F64_HIDDEN, exponent);
    if (magnitude > f->max_bits) {
        if (!f->has_nan) return sign | f->max_bits;
        if (!f->has_infinity) return f->nan_is_negative_zero ? f->nan_bits : f->nan_bits | sign;
        magnitude = f->max_bits + 1;
    }
    return magnitude == 0 && f->nan_is_negative_zero ? 0 : sign | magnitude;
}

XG_FN double xg_float_load(xlagpu_type t, const void *p) {
    uint64_t bits = 0;
    if (t == XLAGPU_F32) {
        float v;
        memcpy(&v, p, 4);
        return v;
    }
    if (t == XLAGPU_F64)
        memcpy(&bits, p, 8);
    else if (t == XLAGPU_BF16 || t == XLAGPU_F16) {
        uint16_t h;
        memcpy(&h, p, 2);
        bits = h;
    } else
        bits = *(const unsigned char *)p;
    return xg_float_decode(t, bits);
}

XG_FN void xg_float_store(xlagpu_type t, void *p, double v) {
    uint64_t bits;
    if (t == XLAGPU_F64) {
        memcpy(p, &v, 8);
        return;
    }
    bits = xg_float_encode(t, v);
    if (t == XLAGPU_F32) {
        uint32_t w = (uint32_t)bits;
        memcpy(p, &w, 4);
    } else if (t == XLAGPU_BF16 || t == XLAGPU_F16) {
        uint16_t h = (uint16_t)bits;
        memcpy(p, &h, 2);
    } else
        *(unsigned char *)p = (unsigned char)bits;
}

/* ---- the two 16-bit formats, for inner loops ---- */

XG_FN float xg_bf16_to_f32(uint16_t b) { return xg_f32_of_bits((uint32_t)b << 16); }

XG_FN uint16_t xg_f32_to_bf16(float v) {
    uint32_t b = xg_f32_bits(v);
    if ((b & 0x7FFFFFFFu) > 0x7F800000u) return (uint16_t)(b >> 31 << 15 | 0x7FC0u);
    return (uint16_t)((b + 0x7FFFu + (b >> 16 & 1)) >> 16);
}

XG_FN float xg_f16_to_f32(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16, magnitude = h & 0x7FFFu;
    if (magnitude >= 0x7C00u) return xg_f32_of_bits(sign | 0x7F800000u | (magnitude & 0x3FFu) << 13);
    if (magnitude < 0x400u)
        return xg_f32_of_bits(xg_f32_bits((float)magnitude * 5.9604644775390625e-8f) | sign); /* times 2^-24, exact */
    return xg_f32_of_bits(sign | ((magnitude << 13) + 0x38000000u));
}

XG_FN uint16_t xg_f32_to_f16(float v) {
    uint32_t b = xg_f32_bits(v), sign = b >> 16 & 0x8000u, magnitude = b & 0x7FFFFFFFu, kept;
    if (magnitude >= 0x477FF000u)
        return (uint16_t)(sign | (magnitude > 0x7F800000u ? 0x7E00u : 0x7C00u)); /* 65520 and more round away */
    if (magnitude >= 0x38800000u)
        return (uint16_t)(sign | ((magnitude - 0x38000000u + 0xFFFu + (magnitude >> 13 & 1)) >> 13));
    /* at most half of the smallest subnormal, whose bits are even below */
    if (magnitude <= 0x33000000u) return (uint16_t)sign;
    {
        uint32_t significand = (magnitude & 0x7FFFFFu) | 0x800000u, drop = 126 - (magnitude >> 23);
        kept = significand >> drop;
        significand &= ((uint32_t)1 << drop) - 1;
        kept += significand > (uint32_t)1 << (drop - 1) || (significand == (uint32_t)1 << (drop - 1) && (kept & 1));
    }
    return (uint16_t)(sign | kept);
}

#endif /* XG_BASE_NUMBER_C */
/* base/table.c -- open-addressing hash tables of power-of-two size, at most half full. */
#ifndef XG_BASE_TABLE_C
#define XG_BASE_TABLE_C

XG_FN uint32_t xg_table_next_cap(xg_ctx *c, uint32_t cap) {
    if (cap > UINT32_MAX / 4) xg_fail(c, XLAGPU_ERROR_LIMIT, "a table of more than 2^29 entries");
    return cap ? cap * 2 : 32;
}

/* ---- 64-bit keys ---- */

enum {
    XG_MAP64_FEW = 8
}; /* most have no more than half as many */

XG_FN void xg_map64_init(xg_map64 *m, xg_arena *a) {
    memset(m, 0, sizeof *m);
    m->arena = a;
}
XG_FN uint32_t xg_map64_slot(const xg_map64 *m, uint64_t key) {
    uint32_t at = xg_hash_mix(0, key) & (m->cap - 1);
    while (m->vals[at] && m->keys[at] != key) at = (at + 1) & (m->cap - 1);
    return at;
}
XG_FN void *xg_map64_get(const xg_map64 *m, uint64_t key) { return m->cap ? m->vals[xg_map64_slot(m, key)] : NULL; }
XG_FN void xg_map64_put(xg_map64 *m, uint64_t key, void *val) {
    uint32_t at;
    if (m->n * 2 >= m->cap) {
        xg_map64 old = *m;
        m->cap = old.cap ? xg_table_next_cap(m->arena->ctx, old.cap) : (uint32_t)XG_MAP64_FEW;
        m->keys = XG_NEW_N(m->arena, uint64_t, m->cap);
        m->vals = XG_NEW_N(m->arena, void *, m->cap);
        for (at = 0; at < old.cap; at++)
            if (old.vals[at]) {
                uint32_t to = xg_map64_slot(m, old.keys[at]);
                m->keys[to] = old.keys[at];
                m->vals[to] = old.vals[at];
            }
    }
    at = xg_map64_slot(m, key);
    m->n += !m->vals[at];
    m->keys[at] = key;
    m->vals[at] = val;
}

/* ---- hash-consed nodes ---- */

XG_FN void xg_set_init(xg_set *s, xg_arena *a) {
    memset(s, 0, sizeof *s);
    s->arena = a;
}
XG_FN void xg_set_reserve(xg_set *s, uint32_t n) {
    if (s->cap || n > UINT32_MAX / 8) return;
    for (s->cap = 32; s->cap < 2 * n; s->cap *= 2) {}
    s->slots = XG_NEW_N(s->arena, void *, s->cap);
    s->hashes = (uint32_t *)xg_alloc_raw(s->arena, xg_mul(s->arena->ctx, s->cap, sizeof *s->hashes));
}
XG_FN void **xg_set_find(xg_set *s, uint32_t hash, bool (*eq)(const void *node, const void *key), const void *key) {
    uint32_t at;
    if (s->n * 2 >= s->cap) {
        xg_set old = *s;
        s->cap = xg_table_next_cap(s->arena->ctx, old.cap);
        s->slots = XG_NEW_N(s->arena, void *, s->cap);
        s->hashes = XG_NEW_N(s->arena, uint32_t, s->cap);
        s->n = 0;
        for (at = 0; at < old.cap; at++) {
            uint32_t to;
            if (!old.slots[at]) continue;
            for (to = old.hashes[at] & (s->cap - 1); s->slots[to]; to = (to + 1) & (s->cap - 1)) {}
            s->slots[to] = old.slots[at];
            s->hashes[to] = old.hashes[at];
            s->n++;
        }
    }
    for (at = hash & (s->cap - 1); s->slots[at]; at = (at + 1) & (s->cap - 1))
        if (s->hashes[at] == hash && eq(s->slots[at], key)) return &s->slots[at];
    s->hashes[at] = hash;
    s->n++; /* the caller fills the slot; should it fail first, the entry only counts as used space */
    return &s->slots[at];
}

/* ---- names ---- */

/* Few names are looked through; only more than that get slots.
 *
 * Most names end with a number that counts, and who asks for one has asked for its neighbours just now: sixteen that
 * follow each other have their slots in one cache line (but each hundred begins a new one: two digits are all that is
 * looked at). Who finds his slot taken looks into the same place of the next lines, for a taken line is mostly taken as
 * a whole; then, so that all slots are met, into one after the other. */
enum {
    XG_DICT_FEW = 8,
    XG_DICT_LINE = 16,
    XG_DICT_LINES = 4
};

XG_FN void xg_dict_init(xg_dict *d, xg_arena *a) {
    memset(d, 0, sizeof *d);
    d->arena = a;
}
XG_FN bool xg_dict_is_digit(xg_str name, uint32_t n) { return n && name.p[n - 1] >= '0' && name.p[n - 1] <= '9'; }
XG_FN uint32_t xg_dict_hash(xg_str name) {
    uint32_t n = name.n, number;
    if (!xg_dict_is_digit(name, n)) return xg_hash(name.p, n);
    number = (uint32_t)(name.p[--n] - '0');
    if (xg_dict_is_digit(name, n)) number += 10 * (uint32_t)(name.p[--n] - '0');
    return (xg_hash(name.p, n) + number / XG_DICT_LINE * 0x9E3779B1u) * XG_DICT_LINE |
           number % XG_DICT_LINE; /* the lines of a hundred lie anywhere */
}
XG_FN uint32_t xg_dict_next(uint32_t at, uint32_t tried) {
    return at + (tried < XG_DICT_LINES ? (uint32_t)XG_DICT_LINE : 1u);
}
XG_FN bool xg_dict_is(const xg_dict_item *i, xg_str name, uint32_t hash) {
    return i->hash == hash && i->length == name.n && (i->name == name.p || memcmp(i->name, name.p, name.n) == 0);
}
XG_FN uint32_t xg_dict_slot(const xg_dict *d, xg_str name, uint32_t hash) {
    uint32_t at = hash & (d->cap - 1), tried = 0;
    for (; d->slots[at]; at = xg_dict_next(at, tried++) & (d->cap - 1))
        if (xg_dict_is(&d->items[d->slots[at] - 1], name, hash)) break;
    return at;
}
/* The item's number plus 1; 0: there is none. */
XG_FN uint32_t xg_dict_find(const xg_dict *d, xg_str name, uint32_t hash) {
    uint32_t k;
    if (d->cap) return d->slots[xg_dict_slot(d, name, hash)];
    for (k = 0; k < d->n; k++)
        if (xg_dict_is(&d->items[k], name, hash)) return k + 1;
    return 0;
}
XG_FN void *xg_dict_get(const xg_dict *d, xg_str name) {
    uint32_t found = d->n ? xg_dict_find(d, name, xg_dict_hash(name)) : 0;
    return found ? d->items[found - 1].val : NULL;
}
XG_FN void xg_dict_grow(xg_dict *d) {
    uint32_t i, at, tried;
    do d->cap = xg_table_next_cap(d->arena->ctx, d->cap);
    while (d->cap < 2 * d->n);
    d->slots = XG_NEW_N(d->arena, uint32_t, d->cap);
    for (i = 0; i < d->n; i++) { /* no two are equal */
        for (at = d->items[i].hash & (d->cap - 1), tried = 0; d->slots[at];
             at = xg_dict_next(at, tried++) & (d->cap - 1)) {}
        d->slots[at] = i + 1;
    }
}
XG_FN void xg_dict_reserve(xg_dict *d, uint32_t n) {
    if (d->n || d->item_cap || n > UINT32_MAX / 8) return;
    d->items = (xg_dict_item *)xg_alloc_raw(d->arena, xg_mul(d->arena->ctx, n, sizeof *d->items));
    d->item_cap = n;
    if (n <= XG_DICT_FEW) return;
    for (d->cap = 16; d->cap < 2 * n; d->cap *= 2) {}
    d->slots = XG_NEW_N(d->arena, uint32_t, d->cap);
}
XG_FN xg_str xg_dict_newest(const xg_dict *d) { return xg_str_of(d->items[d->n - 1].name, d->items[d->n - 1].length); }
XG_FN bool xg_dict_put_lasting(xg_dict *d, xg_str name, void *val) {
    uint32_t hash = xg_dict_hash(name), at = 0;
    if (d->n >= XG_DICT_FEW && d->n * 2 >= d->cap) xg_dict_grow(d);
    if (d->cap) {
        at = xg_dict_slot(d, name, hash);
        if (d->slots[at]) return false;
    } else if (xg_dict_find(d, name, hash))
        return false;
    if (d->n == d->item_cap) d->items = (xg_dict_item *)xg_vec_grow(d->arena, d->items, &d->item_cap, sizeof *d->items);
    d->items[d->n].name = name.p;
    d->items[d->n].length = name.n;
    d->items[d->n].hash = hash;
    d->items[d->n].val = val;
    d->n++;
    if (d->cap) d->slots[at] = d->n;
    return true;
}
XG_FN bool xg_dict_put(xg_dict *d, xg_str name, void *val) {
    if (!xg_dict_put_lasting(d, name, val)) return false;
    d->items[d->n - 1].name = xg_str_copy(d->arena, name).p;
    return true;
}

#endif /* XG_BASE_TABLE_C */
/* base/text.c -- strings, locale-free formatting, interning, the nearest known word. */
#ifndef XG_BASE_TEXT_C
#define XG_BASE_TEXT_C

XG_FN xg_str xg_str_of(const char *p, size_t n) {
    xg_str s;
    s.p = p;
    s.n = (uint32_t)n;
    return s;
}
XG_FN xg_str xg_str_z(const char *z) { return xg_str_of(z ? z : "", z ? strlen(z) : 0); }
XG_FN bool xg_str_eq(xg_str a, xg_str b) {
    return a.n == b.n && (a.n == 0 || a.p == b.p || memcmp(a.p, b.p, a.n) == 0);
}
XG_FN bool xg_str_is(xg_str a, const char *z) {
    size_t n = strlen(z);
    return a.n == n && (n == 0 || memcmp(a.p, z, n) == 0);
}
XG_FN xg_str xg_str_copy(xg_arena *a, xg_str s) {
    char *p = (char *)xg_alloc_raw(a, (size_t)s.n + 1);
    if (s.n) memcpy(p, s.p, s.n);
    p[s.n] = 0;
    return xg_str_of(p, s.n);
}

/* Xorshift-multiply over 8-byte words, of which the upper half is kept; quality is enough for tables, and it is the
 * same on every machine. */
XG_FN uint32_t xg_hash_mix(uint32_t h, uint64_t x) {
    uint64_t v = ((uint64_t)h + 0x9E3779B97F4A7C15u) ^ x;
    v ^= v >> 32;
    v *= 0xD6E8FEB86659FD93u;
    return (uint32_t)(v >> 32);
}
XG_FN uint32_t xg_hash(const void *data, size_t n) {
    const char *p = (const char *)data;
    uint32_t h = (uint32_t)n;
    uint64_t w;
    for (; n >= 8; n -= 8, p += 8) {
        memcpy(&w, p, 8);
        h = xg_hash_mix(h, w);
    }
    w = 0;
    if (n) memcpy(&w, p, n);
    return xg_hash_mix(h, w);
}

/* ---- growing text ---- */

XG_FN void xg_buf_init(xg_buf *b, xg_arena *a) {
    memset(b, 0, sizeof *b);
    b->arena = a;
}

XG_FN char *xg_buf_room(xg_buf *b, size_t n) {
    if (n >= b->cap - b->n || !b->p) {
        size_t need = xg_add(b->arena->ctx, xg_add(b->arena->ctx, b->n, n), 1), cap = b->cap ? b->cap : 256;
        char *p;
        if (cap < need) cap = xg_mul(b->arena->ctx, cap, 2);
        cap = XG_MAX(cap, need);
        if (!xg_arena_extend(b->arena, b->p, b->cap, cap)) {
            p = (char *)xg_alloc_raw(b->arena, cap);
            if (b->n) memcpy(p, b->p, b->n);
            b->p = p;
        }
        b->cap = cap;
    }
    return b->p + b->n;
}
XG_FN void xg_put(xg_buf *b, const char *p, size_t n) {
    char *at = xg_buf_room(b, n);
    if (n) memcpy(at, p, n);
    b->n += n;
    b->p[b->n] = 0;
}
XG_FN void xg_puts(xg_buf *b, const char *z) { xg_put(b, z, strlen(z)); }
XG_FN void xg_put_str(xg_buf *b, xg_str s) { xg_put(b, s.p, s.n); }
XG_FN void xg_putc(xg_buf *b, char c) {
    char *at = XG_LIKELY(b->n + 1 < b->cap) ? b->p + b->n : xg_buf_room(b, 1);
    at[0] = c;
    at[1] = 0;
    b->n++;
}

/* Digits of v before `end`, in base 10 or 16; returns their start. */
XG_FN char *xg_digits(char *end, uint64_t v, unsigned base, bool upper) {
    const char *set = upper ? "0123456789ABCDEF" : "0123456789abcdef";
    if (base == 10) {
        for (; v > UINT32_MAX; v /= 10) *--end = (char)('0' + v % 10);
        {
            uint32_t w = (uint32_t)v;
            do *--end = (char)('0' + w % 10);
            while ((w /= 10) != 0);
        }
        return end;
    }
    do *--end = set[v % base];
    while ((v /= base) != 0);
    return end;
}
XG_FN void xg_put_u64(xg_buf *b, uint64_t v) {
    char t[24], *e = t + sizeof t, *s = xg_digits(e, v, 10, false);
    xg_put(b, s, (size_t)(e - s));
}
XG_FN void xg_put_i64(xg_buf *b, int64_t v) {
    if (v < 0) xg_putc(b, '-');
    xg_put_u64(b, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}
XG_FN void xg_put_hex(xg_buf *b, uint64_t v, int digits) {
    char t[24], *e = t + sizeof t, *s = xg_digits(e, v, 16, true);
    while (e - s < digits && s > t) *--s = '0';
    xg_put(b, s, (size_t)(e - s));
}

/* One conversion of the subset; *f points behind '%' and is left behind the conversion. text gets where it is. */
XG_FN size_t xg_format_one(const char **f, va_list *args, char spare[72], const char **text) {
    const char *p = *f;
    bool zero = false, precise = false;
    int width = 0, precision = 0, longs = 0;
    char *end = spare + 72, *s = end;
    size_t n;
    if (*p == '0') {
        zero = true;
        p++;
    }
    if (*p == '*') {
        width = va_arg(*args, int);
        p++;
    } else
        while (*p >= '0' && *p <= '9') width = width * 10 + (*p++ - '0');
    if (*p == '.') {
        precise = true;
        if (*++p == '*') {
            precision = va_arg(*args, int);
            p++;
        } else
            while (*p >= '0' && *p <= '9') precision = precision * 10 + (*p++ - '0');
    }
    for (; *p == 'l' || *p == 'z'; p++) longs += *p == 'z' ? 8 : 1;
    if (*p == 's') {
        const char *z = va_arg(*args, const char *);
        if (!z) z = "(null)";
        for (n = 0; (!precise || n < (size_t)precision) && z[n]; n++) {}
        *text = z;
        *f = p + 1;
        return n;
    }
    if (*p == 'c')
        *--s = (char)va_arg(*args, int);
    else if (*p == 'd' || *p == 'i') {
        int64_t v = longs >= 8   ? (int64_t)va_arg(*args, ptrdiff_t)
                    : longs == 2 ? (int64_t)va_arg(*args, long long)
                    : longs == 1 ? (int64_t)va_arg(*args, long)
                                 : (int64_t)va_arg(*args, int);
        s = xg_digits(s, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, 10, false);
        while (zero && end - s < width - (v < 0)) *--s = '0';
        if (v < 0) *--s = '-';
    } else if (*p == 'u' || *p == 'x' || *p == 'X') {
        uint64_t v = longs >= 8   ? (uint64_t)va_arg(*args, size_t)
                     : longs == 2 ? (uint64_t)va_arg(*args, unsigned long long)
                     : longs == 1 ? (uint64_t)va_arg(*args, unsigned long)
                                  : (uint64_t)va_arg(*args, unsigned);
        s = xg_digits(s, v, *p == 'u' ? 10 : 16, *p == 'X');
        while (zero && end - s < width && s > spare + 1) *--s = '0';
    } else
        *--s = *p ? *p : '%';
    while (end - s < width && s > spare) *--s = ' ';
    *text = s;
    *f = *p ? p + 1 : p;
    return (size_t)(end - s);
}

XG_FN size_t xg_vformat(char *out, size_t cap, const char *format, va_list args) {
    size_t total = 0;
    char spare[72];
    va_list copy;
    va_copy(copy, args);
    while (*format) {
        const char *text = format;
        size_t n = 1;
        if (*format == '%') {
            format++;
            n = xg_format_one(&format, &copy, spare, &text);
        } else {
            while (format[n] && format[n] != '%') n++;
            format += n;
        }
        if (total + 1 < cap) memcpy(out + total, text, XG_MIN(n, cap - 1 - total));
        total += n;
    }
    va_end(copy);
    if (cap) out[total < cap ? total : cap - 1] = 0;
    return total;
}
XG_FN size_t xg_format(char *out, size_t cap, const char *format, ...) {
    va_list args;
    size_t n;
    va_start(args, format);
    n = xg_vformat(out, cap, format, args);
    va_end(args);
    return n;
}
XG_FN void xg_printf(xg_buf *b, const char *format, ...) {
    va_list args;
    size_t n;
    char *at = xg_buf_room(b, 120);
    va_start(args, format);
    n = xg_vformat(at, b->cap - b->n, format, args);
    va_end(args);
    if (n >= b->cap - b->n) {
        at = xg_buf_room(b, n + 1);
        va_start(args, format);
        n = xg_vformat(at, b->cap - b->n, format, args);
        va_end(args);
    }
    b->n += n;
}

XG_FN void xg_texts_add(xg_texts *t, xg_arena *a, xg_str piece) {
    xg_push(a, xg_str, t, piece);
    t->bytes += piece.n;
}
XG_FN void xg_put_texts(xg_buf *b, const xg_texts *t) {
    uint32_t k;
    (void)xg_buf_room(b, t->bytes);
    for (k = 0; k < t->n; k++) xg_put_str(b, t->p[k]);
}

/* ---- interning ---- */

XG_FN void xg_pool_init(xg_pool *p, xg_arena *a) {
    memset(p, 0, sizeof *p);
    p->arena = a;
}

XG_FN void xg_pool_grow(xg_pool *p) {
    uint32_t cap = p->cap ? p->cap * 2 : 256, i, at;
    xg_str *slots = XG_NEW_N(p->arena, xg_str, cap);
    for (i = 0; i < p->cap; i++) {
        if (!p->slots[i].p) continue;
        for (at = xg_hash(p->slots[i].p, p->slots[i].n) & (cap - 1); slots[at].p; at = (at + 1) & (cap - 1)) {}
        slots[at] = p->slots[i];
    }
    p->slots = slots;
    p->cap = cap;
}
XG_FN xg_str xg_intern(xg_pool *p, xg_str s) {
    uint32_t at;
    if (p->n * 2 >= p->cap) xg_pool_grow(p);
    for (at = xg_hash(s.p, s.n) & (p->cap - 1); p->slots[at].p; at = (at + 1) & (p->cap - 1))
        if (xg_str_eq(p->slots[at], s)) return p->slots[at];
    p->n++;
    return p->slots[at] = xg_str_copy(p->arena, s);
}

/* ---- the nearest word ---- */

enum {
    XG_NEAR_MAX = 40
};

/* Damerau-Levenshtein distance (adjacent swaps count one) of two short words. */
XG_FN uint32_t xg_edit_distance(xg_str a, xg_str b) {
    uint32_t rows[3][XG_NEAR_MAX + 1], i, j;
    for (j = 0; j <= b.n; j++) rows[0][j] = j;
    for (i = 1; i <= a.n; i++) {
        uint32_t *now = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        now[0] = i;
        for (j = 1; j <= b.n; j++) {
            uint32_t best = last[j - 1] + (a.p[i - 1] != b.p[j - 1]);
            best = XG_MIN(best, XG_MIN(last[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] && a.p[i - 2] == b.p[j - 1])
                best = XG_MIN(best, before[j - 2] + 1);
            now[j] = best;
        }
    }
    return rows[a.n % 3][b.n];
}

XG_FN const char *xg_nearest(xg_str word, const char *(*names)(const void *user, size_t i), const void *user) {
    uint32_t best = word.n <= 4 ? 2 : word.n / 3 + 2;
    const char *found = NULL, *name;
    size_t i;
    if (word.n == 0 || word.n > XG_NEAR_MAX) return NULL;
    for (i = 0; (name = names(user, i)) != NULL; i++) {
        xg_str s = xg_str_z(name);
        uint32_t d;
        if (s.n > XG_NEAR_MAX || s.n > word.n + best || word.n > s.n + best) continue;
        d = xg_edit_distance(word, s);
        if (d < best && d < word.n) {
            best = d;
            found = name;
        }
    }
    return found;
}

#endif /* XG_BASE_TEXT_C */
#if !defined(XLAGPU_NO_SIMULATOR) && (!defined(XLAGPU_SPLIT_SIM) || defined(XLAGPU_SPLIT_SIM_UNIT))
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
    XG_SIM_WINDOW = 24 /* log2 of a block's shared addresses */,
    XG_SIM_CLUSTER_MAX = 16
};

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

/* Fails through the context. Everything lives in the arena; the text must live as long as the module (faults quote it).
 * Uses the best unit, or any that the host has. */
XG_SIM_FN xg_sim_module *xg_sim_load(xg_ctx *c, xg_arena *a, const xg_source *ptx);
XG_SIM_FN xg_sim_module *xg_sim_load_for(xg_ctx *c, xg_arena *a, const xg_source *ptx, xg_sim_unit unit);
XG_SIM_FN uint32_t xg_sim_entries(const xg_sim_module *m);
XG_SIM_FN const xg_sim_entry *xg_sim_entry_at(const xg_sim_module *m, uint32_t i);
XG_SIM_FN const xg_sim_entry *xg_sim_find(const xg_sim_module *m, xg_str name); /* NULL when absent */
XG_SIM_FN const xg_sim_info *xg_sim_entry_info(const xg_sim_entry *e);

/* What device memory exists: sorted, disjoint. Not to be changed while blocks run. Each buffer gets a shadow that tells
 * who wrote and read each of its words (shadow.c), as long as all shadows together, twice as large as the buffers, stay
 * below shadow_limit; buffers beyond are checked for their bounds only. */
enum {
    XG_SIM_FREED = 32
};
typedef struct xg_sim_buffer {
    uint64_t base, bytes;
    const char *name;
    bool readonly;
    uint32_t *shadow; /* set by add */
} xg_sim_buffer;
typedef struct xg_sim_memory {
    xg_ctx *ctx;
    xg_sim_buffer *p;
    uint32_t n, cap;
    uint64_t shadow_bytes, shadow_limit; /* limit 0: 2^30 */
    xg_sim_buffer freed[XG_SIM_FREED];   /* the last ones that were removed, for the messages */
    uint32_t n_freed;                    /* counts on; the place is n_freed % XG_SIM_FREED */
    uint32_t wide_lock;                  /* held by an atomic of 128 bits */
    /* shadow.c: the next interval; launches under way; how often all tags were swept */
    uint32_t interval, running, sweeps;
} xg_sim_memory;
XG_SIM_FN void xg_sim_memory_init(xg_sim_memory *m, xg_ctx *c);
XG_SIM_FN void xg_sim_memory_free(xg_sim_memory *m);
/* MEMORY, or USAGE when it overlaps another */
XG_SIM_FN xlagpu_status xg_sim_memory_add(xg_sim_memory *m, const xg_sim_buffer *b);
XG_SIM_FN bool xg_sim_memory_remove(xg_sim_memory *m, uint64_t base);
XG_SIM_FN const xg_sim_buffer *xg_sim_memory_find(const xg_sim_memory *m, uint64_t address);
/* The host has written these bytes, or (from not 0) copied them from there: what nobody had written there counts as not
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
    X(DIVERGENCE, "barrier in divergent code") \
    X(BARRIER, "wrong use of a barrier") \
    X(DEADLOCK, "deadlock") \
    X(INACTIVE, "inactive lanes named") \
    X(ENDLESS, "no end") \
    X(TRAP, "trap") \
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
    /* warp instructions a block may execute before it counts as hung; 0 = 2^31, about a minute */
    uint64_t fuel;
    bool unchecked_shared;    /* do not report reads of shared memory that nobody wrote */
    bool unchecked_global;    /* ... of global memory that nobody wrote */
    bool unchecked_races;     /* do not report data races */
    bool unchecked_registers; /* do not report uses of registers that were not written */
    uint32_t sm_count;        /* what %nsmid says; 0 = 132 */
    uint32_t shared_limit;    /* bytes a block may have; 0: as the module's target says */
    /* set by xg_sim_prepare */
    uint32_t warps, threads, shared_bytes, shared_base_dynamic, local_bytes, stack_bytes, call_depth, cluster_blocks;
    int stop;       /* set when a worker faults: others stop at their next block */
    uint64_t taken; /* blocks that workers have taken */
    /* set by xg_sim_begin */
    uint32_t first_interval; /* 0: races are not looked for */
} xg_sim_launch;

/* Checks the launch against the entry and fills the lower part. On failure the message is in the context (no jump). */
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
/* True when blocks may run on several threads at once (the compiler gives us atomic read-modify-write). */
XG_SIM_FN bool xg_sim_threads_ok(void);

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
    XG_SIM_TYPE_COUNT
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
    XG_SIM_K_TILE /* async.c; matrix.c */
} xg_sim_kind;

typedef struct xg_sim_ins xg_sim_ins;

/* Where a record's operands are: of one warp, or of several that stand `stride` bytes apart. And who executes it, for
 * the functions of fast.c. */
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
    xg_sim_fn fn; /* of ALU; of other kinds the short way for whole warps, or NULL */
    uint8_t kind, flags, dbytes, d2bytes;
    uint16_t op; /* the function's number; or what a kind makes of it */
    uint16_t n;  /* items of list */
    uint32_t guard;
    uint32_t d, d2, a, b, c, e; /* operands: while decoding id*2 (+1 for a constant), later byte offsets (+1) */
    uint32_t list;              /* first of n more operands in module->list */
    uint32_t imm, imm2;         /* the executor's extra facts: see each kind */
    uint32_t at;                /* offset in the text */
    uint32_t before;            /* how many of the records before it count as instructions */
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
    xg_sim_info info;
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
    const xg_source *src;
    const struct xg_sim_moves *moves; /* of the unit that the module was loaded for */
    uint32_t version;
    xg_str target;
    xg_sim_func **funcs;
    uint32_t n_funcs;
    xg_sim_ins *code;
    uint32_t n_code;
    uint8_t *classes; /* of the records: an xlagpu_class */
    uint32_t *list;
    xg_sim_copy *copies;
    xg_sim_callsite *sites;
    char *consts; /* 64-byte aligned */
    uint32_t const_bytes;
    xg_sim_var *vars; /* .global and .const */
    uint32_t n_vars;
    /* the same, sorted for lookup; arena memory. Their shadows' tags are of the one memory that the module is launched
     * on */
    xg_sim_memory globals;
    uint32_t *swept;        /* shadow.c: which sweep of that memory they know of */
    bool copies_async;      /* there is a cp.async */
    uint32_t shared_common; /* of .shared variables that several functions use */
    uint32_t dynamic_at;    /* where dynamic shared memory starts when functions use it, else 0 */
};

#endif /* XG_SIM_H */
/* sim/text.c -- PTX text to tokens, names, types and constants.
 *
 * Names live in nested scopes; `.reg .b32 %r<100>` declares a range whose members come into being when first used.
 * Symbols are found by (name id, scope id) in one hash table; no list is walked per use except the chain of enclosing
 * scopes.
 *
 * Laws: every token has its offset, so every error shows its place. Nesting is bounded by XG_SIM_NEST. */
#ifndef XG_SIM_TEXT_C
#define XG_SIM_TEXT_C
/* sim/moves.c -- what memory accesses do with whole warps of addresses, words and tags: written for any host, and again
 * for AVX2.
 *
 * A table of functions is chosen with the unit when a module is loaded. Each looks at or moves one warp's worth of
 * something:
 *   beside32/64   do the 32 addresses of a slot stand `step` bytes apart?
 *   inside32/64   are all 32 addresses, once `add` is added, at least `base`, at most `base + limit`, and multiples of
 *                 align + 1? Their distances from base
 *   gather        the 4 bytes at each of 32 distances
 *   one_pass      do 32 words at distances in shared memory lie in different banks, or else at one place of a bank?
 *   shuffle       what shfl does to a whole warp
 *   within, fill  tags (shadow.c): do n words, a multiple of 4, all lie in [least, below)? set n words to one value
 *   rows_within   the same of the four words at each of 32 distances
 *   copy          bytes, a multiple of 32 (what a compiler makes of memcpy for so many can take ten times as long)
 *   split, join   32 pairs of items of `size` bytes to two rows of 32, and back: what .v2 needs, and twice of what .v4
 *                 needs
 *
 * Laws: nothing here is aligned; within looks at words as signed numbers, which tags never use. */
#ifndef XG_SIM_MOVES_C
#define XG_SIM_MOVES_C
/* sim/lanes.c -- the arithmetic that must be fast, written once and compiled once per instruction set of the host.
 *
 * XG_SIM_VECTOR_OPS is the list. A row gives name, how many lanes a step takes, the types of destination and sources,
 * and a statement that sets r from a, b, c with C operators on whole vectors. The list is expanded for each host
 * target: `base` (16-byte vectors: SSE2, NEON; single lanes without vector extensions), `avx2` (32 bytes, FMA, F16C)
 * and `avx512` (64 bytes), chosen when a module is loaded. Vectors exactly as wide as the target's are what matters:
 * wider ones are taken apart through memory.
 *
 * Columns of a step: H as many lanes as fill a vector with 16-bit items, W with 32-bit items, D with 64-bit items;
 * items of the other types then make shorter vectors. A predicate is s32 lanes of 0 or -1.
 *
 * Laws: no statement may trap or overflow in the C sense (integers are unsigned), no a*b+c in one function unless it
 * means FMA32/FMA64, which are exact on every target. f32 results that are NaN are 0x7FFFFFFF and f64 ones
 * 0xFFF8000000000000 (CANON), whatever the host makes of them. */
#ifndef XG_SIM_LANES_C
#define XG_SIM_LANES_C
/* sim/soft.c -- exact arithmetic in integers: every float format, every rounding mode.
 *
 * A number is sign, 64-bit significand and exponent: value = sig * 2^exp. Where bits had to be dropped the lowest bit
 * of sig is set ("sticky"), so that rounding later is right as long as two bits more than the target's precision are
 * left. All that is not plain round-to-nearest f32/f64 comes through here: directed rounding, conversions among
 * formats, FMA without the instruction, FMA of the 16-bit formats with its single rounding. Nothing here depends on the
 * host's floating point. */
#ifndef XG_SIM_SOFT_C
#define XG_SIM_SOFT_C

typedef enum xg_sim_round {
    XG_SIM_RN,
    XG_SIM_RZ,
    XG_SIM_RM,
    XG_SIM_RP,
    XG_SIM_RNA
} xg_sim_round;

/* X(NAME, exponent bits, mantissa bits, bits below the mantissa, has infinity, largest finite, NaN, all of them without
 * sign) */
/* clang-format off */
#define XG_SIM_FORMATS(X) \
    X(F16, 5, 10, 0, 1, 0x7BFFu, 0x7FFFu) \
    X(BF16, 8, 7, 0, 1, 0x7F7Fu, 0x7FFFu) \
    X(TF32, 8, 10, 13, 1, 0x3FBFFu, 0x3FFFFu) \
    X(F32, 8, 23, 0, 1, 0x7F7FFFFFu, 0x7FFFFFFFu) \
    X(F64, 11, 52, 0, 1, 0x7FEFFFFFFFFFFFFFu, 0xFFF8000000000000u) \
    X(E4M3, 4, 3, 0, 0, 0x7Eu, 0x7Fu) \
    X(E5M2, 5, 2, 0, 1, 0x7Bu, 0x7Fu) \
    X(E2M1, 2, 1, 0, 0, 7u, 7u) \
    X(E2M3, 2, 3, 0, 0, 0x1Fu, 0x1Fu) \
    X(E3M2, 3, 2, 0, 0, 0x1Fu, 0x1Fu) \
    X(UE8M0, 8, 0, 0, 0, 0xFEu, 0xFFu)
/* clang-format on */
typedef enum xg_sim_format {
#define X(name, e, m, low, inf, max, nan) XG_SIM_IS_##name,
    XG_SIM_FORMATS(X)
#undef X
    XG_SIM_FORMAT_COUNT
} xg_sim_format;
typedef struct xg_sim_layout {
    uint8_t ebits, mbits, low, inf;
    uint64_t max, nan;
} xg_sim_layout;
static const xg_sim_layout xg_sim_layouts[XG_SIM_FORMAT_COUNT] = {
#define X(name, e, m, low, inf, max, nan) {e, m, low, inf, max, nan},
    XG_SIM_FORMATS(X)
#undef X
};

enum {
    XG_SIM_ZERO,
    XG_SIM_FINITE,
    XG_SIM_INF,
    XG_SIM_NAN
};
typedef struct xg_sim_num {
    uint64_t sig;
    int32_t exp;
    uint8_t neg, kind;
} xg_sim_num;

XG_FN uint32_t xg_sim_bits_f32(float f) {
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}
XG_FN float xg_sim_f32_bits(uint32_t u) {
    float f;
    memcpy(&f, &u, 4);
    return f;
}
XG_FN uint64_t xg_sim_bits_f64(double f) {
    uint64_t u;
    memcpy(&u, &f, 8);
    return u;
}
XG_FN double xg_sim_f64_bits(uint64_t u) {
    double f;
    memcpy(&f, &u, 8);
    return f;
}

XG_FN int xg_sim_clz64(uint64_t x) {
    int n = 0;
    if (!x) return 64;
    if (!(x >> 32)) {
        n += 32;
        x <<= 32;
    }
    if (!(x >> 48)) {
        n += 16;
        x <<= 16;
    }
    if (!(x >> 56)) {
        n += 8;
        x <<= 8;
    }
    if (!(x >> 60)) {
        n += 4;
        x <<= 4;
    }
    if (!(x >> 62)) {
        n += 2;
        x <<= 2;
    }
    return n + !(x >> 63);
}
XG_FN int xg_sim_clz32(uint32_t x) { return xg_sim_clz64(x) - 32; }

XG_FN xg_sim_num xg_sim_num_make(int neg, uint64_t sig, int32_t exp) {
    xg_sim_num n;
    n.neg = (uint8_t)neg;
    n.kind = sig ? XG_SIM_FINITE : XG_SIM_ZERO;
    n.sig = sig;
    n.exp = exp;
    return n;
}
XG_FN xg_sim_num xg_sim_num_special(int neg, int kind) {
    xg_sim_num n = xg_sim_num_make(neg, 0, 0);
    n.kind = (uint8_t)kind;
    return n;
}
XG_FN xg_sim_num xg_sim_num_u64(uint64_t v) { return xg_sim_num_make(0, v, 0); }
XG_FN xg_sim_num xg_sim_num_s64(int64_t v) { return xg_sim_num_make(v < 0, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, 0); }

XG_FN xg_sim_num xg_sim_unpack(uint64_t bits, xg_sim_format format) {
    const xg_sim_layout *f = &xg_sim_layouts[format];
    uint32_t e;
    uint64_t m, top = ((uint64_t)1 << f->ebits) - 1;
    int neg;
    bits >>= f->low;
    if (format == XG_SIM_IS_UE8M0)
        return (bits & 0xFF) == 0xFF ? xg_sim_num_special(0, XG_SIM_NAN)
                                     : xg_sim_num_make(0, 1, (int32_t)(bits & 0xFF) - 127);
    neg = (int)(bits >> (f->ebits + f->mbits) & 1);
    e = (uint32_t)(bits >> f->mbits & top);
    m = bits & (((uint64_t)1 << f->mbits) - 1);
    if (e == top && f->inf) return xg_sim_num_special(neg, m ? XG_SIM_NAN : XG_SIM_INF);
    if (format == XG_SIM_IS_E4M3 && e == top && m == 7) return xg_sim_num_special(neg, XG_SIM_NAN);
    if (e)
        m |= (uint64_t)1 << f->mbits;
    else
        e = 1;
    return xg_sim_num_make(neg, m, (int32_t)e - (int32_t)((1 << (f->ebits - 1)) - 1) - f->mbits);
}

/* The overflow answer: infinity or the largest finite by mode; formats without infinity give NaN unless they
 * saturate. */
XG_FN uint64_t xg_sim_overflow(const xg_sim_layout *f, int neg, xg_sim_round mode, bool satfinite) {
    bool away = mode == XG_SIM_RN || mode == XG_SIM_RNA || (mode == XG_SIM_RP && !neg) || (mode == XG_SIM_RM && neg);
    if (satfinite || !away) return f->max;
    return f->inf ? (((uint64_t)1 << f->ebits) - 1) << f->mbits : f->nan;
}

XG_FN bool xg_sim_rounds_up(uint64_t kept, int half, int sticky, int neg, xg_sim_round mode) {
    switch (mode) {
    case XG_SIM_RN: return half && (sticky || (kept & 1));
    case XG_SIM_RNA: return half != 0;
    case XG_SIM_RM: return neg && (half || sticky);
    case XG_SIM_RP: return !neg && (half || sticky);
    default: return false;
    }
}

XG_FN uint64_t xg_sim_pack(xg_sim_num n, xg_sim_format format, xg_sim_round mode, bool satfinite) {
    const xg_sim_layout *f = &xg_sim_layouts[format];
    uint64_t sign = (uint64_t)n.neg << (f->ebits + f->mbits), kept, bits;
    int32_t e, emin = 2 - (1 << (f->ebits - 1)), drop;
    int half, sticky, shift;
    if (format == XG_SIM_IS_UE8M0) {
        sign = 0;
        emin = -127;
    }
    if (n.kind == XG_SIM_NAN) return f->nan << f->low;
    if (n.kind == XG_SIM_INF)
        return (sign | (f->inf && !satfinite      ? (((uint64_t)1 << f->ebits) - 1) << f->mbits
                           : satfinite || !f->inf ? f->max
                                                  : f->nan))
               << f->low;
    if (n.kind == XG_SIM_ZERO) return sign << f->low;
    shift = xg_sim_clz64(n.sig);
    n.sig <<= shift;
    e = n.exp - shift + 63;
    drop = 63 - f->mbits + (e < emin ? emin - e : 0);
    if (drop > 64) {
        kept = 0;
        half = 0;
        sticky = 1;
    } else if (drop == 64) {
        kept = 0;
        half = 1;
        sticky = n.sig << 1 != 0;
    } else {
        kept = n.sig >> drop;
        half = (int)(n.sig >> (drop - 1) & 1);
        sticky = (n.sig & (((uint64_t)1 << (drop - 1)) - 1)) != 0;
    }
    kept += xg_sim_rounds_up(kept, half, sticky, n.neg, mode);
    if (format == XG_SIM_IS_UE8M0) {
        int64_t code = (e < emin ? emin : e) + 127 + (kept > 1 ? 1 : 0);
        return code > 254 ? satfinite ? 254 : 255 : (uint64_t)code;
    }
    if (e - emin > 4096)
        bits = f->max + 1;
    else
        bits = ((uint64_t)(e > emin ? e - emin : 0) << f->mbits) + kept;
    if (bits > f->max) bits = xg_sim_overflow(f, n.neg, mode, satfinite);
    return (sign | bits) << f->low;
}

/* ---- 128-bit helpers ---- */

typedef struct xg_sim_wide {
    uint64_t hi, lo;
} xg_sim_wide;
XG_FN xg_sim_wide xg_sim_wide_mul(uint64_t a, uint64_t b) {
    uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32, ll = al * bl, lh = al * bh, hl = ah * bl,
             mid = (ll >> 32) + (uint32_t)lh + (uint32_t)hl;
    xg_sim_wide w;
    w.lo = mid << 32 | (uint32_t)ll;
    w.hi = ah * bh + (lh >> 32) + (hl >> 32) + (mid >> 32);
    return w;
}
XG_FN xg_sim_wide xg_sim_wide_left(xg_sim_wide w, int n) {
    if (n >= 64) {
        w.hi = w.lo << (n - 64);
        w.lo = 0;
    } else if (n > 0) {
        w.hi = w.hi << n | w.lo >> (64 - n);
        w.lo <<= n;
    }
    return w;
}
XG_FN xg_sim_wide xg_sim_wide_right_sticky(xg_sim_wide w, int64_t n) {
    uint64_t lost;
    if (n <= 0) return w;
    if (n >= 128) {
        w.lo = (w.hi | w.lo) != 0;
        w.hi = 0;
        return w;
    }
    if (n >= 64) {
        lost = w.lo | (n > 64 ? w.hi << (128 - n) : 0);
        w.lo = n > 64 ? w.hi >> (n - 64) : w.hi;
        w.hi = 0;
    } else {
        lost = w.lo << (64 - n);
        w.lo = w.lo >> n | w.hi << (64 - n);
        w.hi >>= n;
    }
    w.lo |= lost != 0;
    return w;
}
XG_FN int xg_sim_wide_clz(xg_sim_wide w) { return w.hi ? xg_sim_clz64(w.hi) : 64 + xg_sim_clz64(w.lo); }
XG_FN int xg_sim_wide_cmp(xg_sim_wide a, xg_sim_wide b) {
    return a.hi != b.hi ? (a.hi < b.hi ? -1 : 1) : a.lo != b.lo ? (a.lo < b.lo ? -1 : 1) : 0;
}

XG_FN xg_sim_num xg_sim_num_wide(int neg, xg_sim_wide w, int32_t exp) {
    int n = xg_sim_wide_clz(w);
    if (n >= 128) return xg_sim_num_make(neg, 0, 0);
    w = xg_sim_wide_left(w, n);
    return xg_sim_num_make(neg, w.hi | (w.lo != 0), exp - n + 64);
}

/* ---- a*b + c, a/b, sqrt a: exact up to a sticky bit ---- */

XG_FN xg_sim_num xg_sim_num_fma(xg_sim_num a, xg_sim_num b, xg_sim_num c, xg_sim_round mode) {
    int neg = a.neg ^ b.neg, order, pn, cn;
    xg_sim_wide p, q;
    int32_t pe, ce;
    if (a.kind == XG_SIM_NAN || b.kind == XG_SIM_NAN || c.kind == XG_SIM_NAN) return xg_sim_num_special(0, XG_SIM_NAN);
    if (a.kind == XG_SIM_INF || b.kind == XG_SIM_INF) {
        if (a.kind == XG_SIM_ZERO || b.kind == XG_SIM_ZERO || (c.kind == XG_SIM_INF && c.neg != neg))
            return xg_sim_num_special(0, XG_SIM_NAN);
        return xg_sim_num_special(neg, XG_SIM_INF);
    }
    if (c.kind == XG_SIM_INF) return c;
    if (a.kind == XG_SIM_ZERO || b.kind == XG_SIM_ZERO) {
        if (c.kind == XG_SIM_ZERO && c.neg != neg) c.neg = mode == XG_SIM_RM;
        return c;
    }
    p = xg_sim_wide_mul(a.sig, b.sig);
    pe = a.exp + b.exp;
    pn = xg_sim_wide_clz(p);
    if (c.kind == XG_SIM_ZERO) return xg_sim_num_wide(neg, p, pe);
    /* Both with their highest bit at 126, one of 128 left for the carry; the smaller one shifts right with a sticky
     * bit. */
    /* the product of 53-bit numbers has room: nothing is lost */
    p = xg_sim_wide_right_sticky(xg_sim_wide_left(p, pn), 1);
    pe = pe - pn + 1;
    cn = xg_sim_clz64(c.sig);
    q.hi = c.sig << cn >> 1;
    q.lo = (c.sig << cn & 1) << 63;
    ce = c.exp - cn - 64 + 1;
    if (pe >= ce) {
        q = xg_sim_wide_right_sticky(q, (int64_t)pe - ce);
        ce = pe;
    } else {
        p = xg_sim_wide_right_sticky(p, (int64_t)ce - pe);
    }
    if (neg == c.neg) {
        uint64_t lo = p.lo + q.lo;
        p.hi = p.hi + q.hi + (lo < p.lo);
        p.lo = lo;
        return xg_sim_num_wide(neg, p, ce);
    }
    order = xg_sim_wide_cmp(p, q);
    if (order == 0) return xg_sim_num_make(mode == XG_SIM_RM, 0, 0);
    if (order < 0) {
        xg_sim_wide t = p;
        p = q;
        q = t;
        neg = c.neg;
    }
    {
        uint64_t lo = p.lo - q.lo;
        p.hi = p.hi - q.hi - (p.lo < q.lo);
        p.lo = lo;
    }
    return xg_sim_num_wide(neg, p, ce);
}
XG_FN xg_sim_num xg_sim_num_mul(xg_sim_num a, xg_sim_num b) {
    xg_sim_num zero = xg_sim_num_make(a.neg ^ b.neg, 0, 0);
    return xg_sim_num_fma(a, b, zero, XG_SIM_RN);
}
XG_FN xg_sim_num xg_sim_num_add(xg_sim_num a, xg_sim_num b, xg_sim_round mode) {
    return xg_sim_num_fma(a, xg_sim_num_u64(1), b, mode);
}

XG_FN xg_sim_num xg_sim_num_div(xg_sim_num a, xg_sim_num b) {
    int neg = a.neg ^ b.neg, i;
    uint64_t q = 0, r;
    if (a.kind == XG_SIM_NAN || b.kind == XG_SIM_NAN || (a.kind == b.kind && a.kind != XG_SIM_FINITE))
        return xg_sim_num_special(0, XG_SIM_NAN);
    if (a.kind == XG_SIM_INF || b.kind == XG_SIM_ZERO) return xg_sim_num_special(neg, XG_SIM_INF);
    if (a.kind == XG_SIM_ZERO || b.kind == XG_SIM_INF) return xg_sim_num_make(neg, 0, 0);
    /* both in [2^62, 2^63): the remainder never overflows */
    i = xg_sim_clz64(a.sig);
    a.sig = a.sig << i >> 1;
    a.exp -= i - 1;
    i = xg_sim_clz64(b.sig);
    b.sig = b.sig << i >> 1;
    b.exp -= i - 1;
    r = a.sig;
    for (i = 0; i < 63; i++) {
        q = q << 1 | (r >= b.sig);
        if (r >= b.sig) r -= b.sig;
        r <<= 1;
    }
    return xg_sim_num_make(neg, q << 1 | (r != 0), a.exp - b.exp - 63);
}

XG_FN xg_sim_num xg_sim_num_sqrt(xg_sim_num a) {
    xg_sim_wide rest, test;
    uint64_t root = 0;
    int i, n;
    if (a.kind == XG_SIM_NAN || (a.neg && a.kind != XG_SIM_ZERO)) return xg_sim_num_special(0, XG_SIM_NAN);
    if (a.kind != XG_SIM_FINITE) return a;
    n = xg_sim_clz64(a.sig);
    a.sig <<= n;
    a.exp -= n;
    if (a.exp & 1) {
        a.sig >>= 1;
        a.exp += 1;
    } /* the formats leave the lowest bits zero */
    rest.hi = a.sig;
    rest.lo = 0; /* root of sig * 2^64 has 64 bits; 62 of them are more than enough */
    for (i = 63; i >= 2; i--) {
        uint64_t bit = (uint64_t)1 << i;
        /* test = (2 root + bit) * bit */
        test.hi = root >> (63 - i);
        test.lo = i + 1 >= 64 ? 0 : root << (i + 1);
        {
            xg_sim_wide sq;
            sq.hi = i >= 32 ? (uint64_t)1 << (2 * i - 64) : 0;
            sq.lo = i >= 32 ? 0 : (uint64_t)1 << (2 * i);
            test.lo += sq.lo;
            test.hi += sq.hi + (test.lo < sq.lo);
        }
        if (xg_sim_wide_cmp(rest, test) >= 0) {
            uint64_t lo = rest.lo - test.lo;
            rest.hi = rest.hi - test.hi - (rest.lo < test.lo);
            rest.lo = lo;
            root |= bit;
        }
    }
    return xg_sim_num_make(0, root | ((rest.hi | rest.lo) != 0), (a.exp - 64) / 2);
}

/* ---- rounding to integers ---- */

/* |n| rounded to an integer by mode, up to 2^64-1; true in *over when it is larger. */
XG_FN uint64_t xg_sim_num_int(xg_sim_num n, xg_sim_round mode, bool *over) {
    uint64_t kept;
    int half, sticky, drop;
    *over = false;
    if (n.kind == XG_SIM_ZERO) return 0;
    if (n.exp >= 0) {
        *over = n.exp > xg_sim_clz64(n.sig);
        return *over ? 0 : n.sig << n.exp;
    }
    drop = n.exp < -65 ? 65 : -n.exp;
    if (drop > 64) {
        kept = 0;
        half = 0;
        sticky = 1;
    } else if (drop == 64) {
        kept = 0;
        half = (int)(n.sig >> 63);
        sticky = n.sig << 1 != 0;
    } else {
        kept = n.sig >> drop;
        half = (int)(n.sig >> (drop - 1) & 1);
        sticky = (n.sig & (((uint64_t)1 << (drop - 1)) - 1)) != 0;
    }
    return kept + xg_sim_rounds_up(kept, half, sticky, n.neg, mode);
}

/* Saturating conversion to a `bits` wide integer; NaN gives 0. The result is sign- or zero-extended to 64 bits. */
XG_FN uint64_t xg_sim_num_to_int(xg_sim_num n, xg_sim_round mode, uint32_t bits, bool is_signed) {
    bool over;
    uint64_t v, limit;
    if (n.kind == XG_SIM_NAN) return 0;
    v = n.kind == XG_SIM_INF ? UINT64_MAX : xg_sim_num_int(n, mode, &over);
    if (n.kind != XG_SIM_INF && over) v = UINT64_MAX;
    if (!is_signed) {
        limit = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
        return n.neg ? 0 : XG_MIN(v, limit);
    }
    limit = ((uint64_t)1 << (bits - 1)) - (n.neg ? 0 : 1);
    v = XG_MIN(v, limit);
    return n.neg ? 0 - v : v;
}

/* ---- the operations on bits that the scalar functions use ---- */

XG_FN uint64_t xg_sim_soft_fma(xg_sim_format f, uint64_t a, uint64_t b, uint64_t c, xg_sim_round mode) {
    return xg_sim_pack(
        xg_sim_num_fma(xg_sim_unpack(a, f), xg_sim_unpack(b, f), xg_sim_unpack(c, f), mode), f, mode, false);
}
XG_FN uint64_t xg_sim_soft_add(xg_sim_format f, uint64_t a, uint64_t b, xg_sim_round mode) {
    return xg_sim_pack(xg_sim_num_add(xg_sim_unpack(a, f), xg_sim_unpack(b, f), mode), f, mode, false);
}
XG_FN uint64_t xg_sim_soft_sub(xg_sim_format f, uint64_t a, uint64_t b, xg_sim_round mode) {
    xg_sim_num n = xg_sim_unpack(b, f);
    n.neg ^= 1;
    return xg_sim_pack(xg_sim_num_add(xg_sim_unpack(a, f), n, mode), f, mode, false);
}
XG_FN uint64_t xg_sim_soft_mul(xg_sim_format f, uint64_t a, uint64_t b, xg_sim_round mode) {
    return xg_sim_pack(xg_sim_num_mul(xg_sim_unpack(a, f), xg_sim_unpack(b, f)), f, mode, false);
}
XG_FN uint64_t xg_sim_soft_div(xg_sim_format f, uint64_t a, uint64_t b, xg_sim_round mode) {
    return xg_sim_pack(xg_sim_num_div(xg_sim_unpack(a, f), xg_sim_unpack(b, f)), f, mode, false);
}
XG_FN uint64_t xg_sim_soft_sqrt(xg_sim_format f, uint64_t a, xg_sim_round mode) {
    return xg_sim_pack(xg_sim_num_sqrt(xg_sim_unpack(a, f)), f, mode, false);
}
/* Rounds to an integral value of the same format, keeping the sign of zero. */
XG_FN uint64_t xg_sim_soft_integral(xg_sim_format f, uint64_t a, xg_sim_round mode) {
    xg_sim_num n = xg_sim_unpack(a, f);
    bool over;
    uint64_t v;
    if (n.kind != XG_SIM_FINITE || n.exp >= 0) return n.kind == XG_SIM_NAN ? xg_sim_pack(n, f, mode, false) : a;
    v = xg_sim_num_int(n, mode, &over);
    return xg_sim_pack(xg_sim_num_make(n.neg, v, 0), f, mode, false);
}

/* Fast and exact: the product of two floats fits a double; the sum is rounded to odd, then to float. */
XG_FN float xg_sim_fma_f32(float a, float b, float c) {
    volatile double exact = (double)a * (double)b; /* volatile: must not be contracted with the sum */
    double p = exact, s = p + (double)c, t = s - p, err = (p - (s - t)) + ((double)c - t);
    uint64_t u;
    if (err != 0 && s - s == 0) {
        memcpy(&u, &s, 8);
        if (!(u & 1)) {
            u += (err > 0) == (s > 0) ? 1 : (uint64_t)-1;
            memcpy(&s, &u, 8);
        }
    }
    return (float)s;
}

XG_FN uint32_t xg_sim_f16_to_f32(uint32_t h) {
    uint32_t sign = (h & 0x8000u) << 16, m = h & 0x3FF, e = h >> 10 & 31;
    int n;
    if (e == 31) return m ? 0x7FFFFFFFu : sign | 0x7F800000u;
    if (e) return sign | (e + 112) << 23 | m << 13;
    if (!m) return sign;
    n = xg_sim_clz32(m) - 21;
    return sign | (uint32_t)(113 - n) << 23 | (m << n & 0x3FF) << 13;
}
XG_FN uint32_t xg_sim_f32_to_f16(uint32_t u) { /* to nearest even */
    uint32_t sign = u >> 16 & 0x8000u, a = u & 0x7FFFFFFFu, shift, m;
    if (a > 0x7F800000u) return 0x7FFF;
    if (a >= 0x477FF000u) return sign | 0x7C00;
    if (a >= 0x38800000u) return sign | ((a - 0x38000000u + 0xFFF + (a >> 13 & 1)) >> 13);
    if (a < 0x33000000u) return sign;
    shift = 126 - (a >> 23); /* 14..24 */
    m = (a & 0x7FFFFFu) | 0x800000u;
    return sign |
           ((m >> shift) + ((m >> (shift - 1) & 1) & (((m & ((1u << (shift - 1)) - 1)) != 0) | (m >> shift & 1))));
}

#endif /* XG_SIM_SOFT_C */

#if defined(__GNUC__) && !defined(XLAGPU_NO_EXTENSIONS) && (defined(__clang__) || __GNUC__ >= 9) && !defined(__TINYC__)
#define XG_SIM_VECTORS 1
#else
#define XG_SIM_VECTORS 0
#endif
#if XG_SIM_VECTORS && defined(__x86_64__)
#define XG_SIM_X86 1
#include <immintrin.h>
#else
#define XG_SIM_X86 0
#endif

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 8
#define XG_UNROLL_(n) _Pragma(#n)
#define XG_UNROLL(n) XG_UNROLL_(GCC unroll n)
#else
#define XG_UNROLL(n)
#endif

#define XG_SIM_CAT_(a, b) a##b
#define XG_SIM_CAT(a, b) XG_SIM_CAT_(a, b)

typedef uint8_t xg_sim_e_u8;
typedef uint16_t xg_sim_e_u16;
typedef uint32_t xg_sim_e_u32;
typedef uint64_t xg_sim_e_u64;
typedef int16_t xg_sim_e_s16;
typedef int32_t xg_sim_e_s32;
typedef int64_t xg_sim_e_s64;
typedef float xg_sim_e_f32;
typedef double xg_sim_e_f64;

/* Vector types of one target: H, W and D lanes of each element type. */
#if XG_SIM_VECTORS
#define XG_SIM_VTYPE(T, K, lanes, e) \
    typedef xg_sim_e_##e XG_SIM_CAT(xg_sim_##T##_, K##e) \
        __attribute__((vector_size(sizeof(xg_sim_e_##e) * lanes), may_alias));
#else
#define XG_SIM_VTYPE(T, K, lanes, e) typedef xg_sim_e_##e xg_sim_##T##_##K##e;
#endif
/* clang-format off */
#define XG_SIM_VTYPES(T, h, w, d) \
    enum { xg_sim_##T##_lanesH = h, xg_sim_##T##_lanesW = w, xg_sim_##T##_lanesD = d }; \
    XG_SIM_VTYPE(T, H, h, u16) XG_SIM_VTYPE(T, H, h, s16) \
    XG_SIM_VTYPE(T, W, w, u16) XG_SIM_VTYPE(T, W, w, s16) \
    XG_SIM_VTYPE(T, W, w, u32) XG_SIM_VTYPE(T, W, w, s32) XG_SIM_VTYPE(T, W, w, f32) \
    XG_SIM_VTYPE(T, D, d, u16) XG_SIM_VTYPE(T, D, d, s16) \
    XG_SIM_VTYPE(T, D, d, u32) XG_SIM_VTYPE(T, D, d, s32) XG_SIM_VTYPE(T, D, d, f32) \
    XG_SIM_VTYPE(T, D, d, u64) XG_SIM_VTYPE(T, D, d, s64) XG_SIM_VTYPE(T, D, d, f64)
/* clang-format on */
#if XG_SIM_VECTORS
XG_SIM_VTYPES(base, 8, 4, 2)
#else
XG_SIM_VTYPES(base, 1, 1, 1)
#endif
#if XG_SIM_X86
XG_SIM_VTYPES(avx2, 16, 8, 4)
XG_SIM_VTYPES(avx512, 32, 16, 8)
#endif

/* What a statement may use besides C. TO converts values, RAW/FLT/RAWD/FLTD reinterpret f32 and f64 bits, MASK makes a
 * comparison 0 or -1. */
#if XG_SIM_VECTORS
#define XG_V_TO(t, v) __builtin_convertvector(v, XG_SIM_T(t))
#define XG_V_RAW(v) ((XG_SIM_T(Wu32))(v))
#define XG_V_FLT(v) ((XG_SIM_T(Wf32))(v))
#define XG_V_RAWD(v) ((XG_SIM_T(Du64))(v))
#define XG_V_FLTD(v) ((XG_SIM_T(Df64))(v))
#define XG_V_MASK(t, cond) ((XG_SIM_T(t))(cond))
#define XG_SIM_GET(T, p, i, lanes) (*(const T *)(const void *)((p) + (size_t)(i) * (sizeof(T) / (lanes))))
#define XG_SIM_PUT(T, p, i, lanes, v) (*(T *)(void *)((p) + (size_t)(i) * (sizeof(T) / (lanes))) = (v))
#else
XG_INLINE uint32_t xg_sim_raw_f32(float v) {
    uint32_t u;
    memcpy(&u, &v, 4);
    return u;
}
XG_INLINE float xg_sim_flt_f32(uint32_t v) {
    float f;
    memcpy(&f, &v, 4);
    return f;
}
XG_INLINE uint64_t xg_sim_raw_f64(double v) {
    uint64_t u;
    memcpy(&u, &v, 8);
    return u;
}
XG_INLINE double xg_sim_flt_f64(uint64_t v) {
    double f;
    memcpy(&f, &v, 8);
    return f;
}
#define XG_V_TO(t, v) ((XG_SIM_T(t))(v))
#define XG_V_RAW(v) xg_sim_raw_f32(v)
#define XG_V_FLT(v) xg_sim_flt_f32((uint32_t)(v))
#define XG_V_RAWD(v) xg_sim_raw_f64(v)
#define XG_V_FLTD(v) xg_sim_flt_f64((uint64_t)(v))
#define XG_V_MASK(t, cond) ((XG_SIM_T(t))(-(int)(cond)))
#define XG_SIM_GET(T, p, i, lanes) (*(const T *)(const void *)((p) + (size_t)(i) * sizeof(T)))
#define XG_SIM_PUT(T, p, i, lanes, v) \
    do { \
        T put_v = (T)(v); \
        memcpy((p) + (size_t)(i) * sizeof(T), &put_v, sizeof(T)); \
    } while (0)
#endif

#define XG_V_SEL(m, x, y) (((x) & (m)) | ((y) & ~(m))) /* m is 0 or -1, all of one unsigned type */

/* ---- what differs by target ---- */

#define XG_SIM_T(n) XG_SIM_CAT(xg_sim_base_, n)
#if XG_SIM_VECTORS
XG_INLINE XG_SIM_T(Wf32) xg_sim_base_fma32(XG_SIM_T(Wf32) a, XG_SIM_T(Wf32) b, XG_SIM_T(Wf32) c) {
    XG_SIM_T(Wf32) r;
    int i;
    for (i = 0; i < 4; i++) r[i] = xg_sim_fma_f32(a[i], b[i], c[i]);
    return r;
}
XG_INLINE double xg_sim_fma_f64(double a, double b, double c) {
    return xg_sim_f64_bits(
        xg_sim_soft_fma(XG_SIM_IS_F64, xg_sim_bits_f64(a), xg_sim_bits_f64(b), xg_sim_bits_f64(c), XG_SIM_RN));
}
XG_INLINE XG_SIM_T(Df64) xg_sim_base_fma64(XG_SIM_T(Df64) a, XG_SIM_T(Df64) b, XG_SIM_T(Df64) c) {
    XG_SIM_T(Df64) r;
    int i;
    for (i = 0; i < 2; i++) r[i] = xg_sim_fma_f64(a[i], b[i], c[i]);
    return r;
}
/* Is any bit set? Used where a rare case has code of its own. */
XG_INLINE bool xg_sim_base_anyW(XG_SIM_T(Wu32) v) { return ((v[0] | v[1]) | (v[2] | v[3])) != 0; }
XG_INLINE bool xg_sim_base_anyD(XG_SIM_T(Du64) v) { return (v[0] | v[1]) != 0; }
#if defined(__aarch64__)
#define xg_sim_base_fma32 xg_sim_base_fma32_hw
#define xg_sim_base_fma64 xg_sim_base_fma64_hw
XG_INLINE XG_SIM_T(Wf32) xg_sim_base_fma32(XG_SIM_T(Wf32) a, XG_SIM_T(Wf32) b, XG_SIM_T(Wf32) c) {
    XG_SIM_T(Wf32) r;
    int i;
    for (i = 0; i < 4; i++) r[i] = __builtin_fmaf(a[i], b[i], c[i]);
    return r;
}
XG_INLINE XG_SIM_T(Df64) xg_sim_base_fma64(XG_SIM_T(Df64) a, XG_SIM_T(Df64) b, XG_SIM_T(Df64) c) {
    XG_SIM_T(Df64) r;
    int i;
    for (i = 0; i < 2; i++) r[i] = __builtin_fma(a[i], b[i], c[i]);
    return r;
}
#endif
XG_INLINE XG_SIM_T(Wu32) xg_sim_base_widen_u16(XG_SIM_T(Wu16) a) { return XG_V_TO(Wu32, a); }
XG_INLINE XG_SIM_T(Wu16) xg_sim_base_narrow_u16(XG_SIM_T(Wu32) a) { return XG_V_TO(Wu16, a); }
#define XG_SIM_LANEWISE(name, R, A, expr) \
    XG_INLINE XG_SIM_T(R) xg_sim_base_##name(XG_SIM_T(A) a) { \
        XG_SIM_T(R) r; \
        unsigned i; \
        for (i = 0; i < sizeof a / sizeof a[0]; i++) r[i] = expr; \
        return r; \
    }
XG_SIM_LANEWISE(sqrt32, Wf32, Wf32, sqrtf(a[i]))
XG_SIM_LANEWISE(sqrt64, Df64, Df64, sqrt(a[i]))
XG_SIM_LANEWISE(widen_f16, Wf32, Wu16, xg_sim_f32_bits(xg_sim_f16_to_f32(a[i])))
XG_SIM_LANEWISE(narrow_f16, Wu16, Wf32, (uint16_t)xg_sim_f32_to_f16(xg_sim_bits_f32(a[i])))
#undef XG_SIM_LANEWISE
#else
XG_INLINE float xg_sim_base_fma32(float a, float b, float c) { return xg_sim_fma_f32(a, b, c); }
XG_INLINE double xg_sim_base_fma64(double a, double b, double c) {
    return xg_sim_f64_bits(
        xg_sim_soft_fma(XG_SIM_IS_F64, xg_sim_bits_f64(a), xg_sim_bits_f64(b), xg_sim_bits_f64(c), XG_SIM_RN));
}
XG_INLINE bool xg_sim_base_anyW(uint32_t v) { return v != 0; }
XG_INLINE bool xg_sim_base_anyD(uint64_t v) { return v != 0; }
XG_INLINE uint32_t xg_sim_base_widen_u16(uint16_t a) { return a; }
XG_INLINE uint16_t xg_sim_base_narrow_u16(uint32_t a) { return (uint16_t)a; }
XG_INLINE float xg_sim_base_sqrt32(float a) { return sqrtf(a); }
XG_INLINE double xg_sim_base_sqrt64(double a) { return sqrt(a); }
XG_INLINE float xg_sim_base_widen_f16(uint16_t a) { return xg_sim_f32_bits(xg_sim_f16_to_f32(a)); }
XG_INLINE uint16_t xg_sim_base_narrow_f16(float a) { return (uint16_t)xg_sim_f32_to_f16(xg_sim_bits_f32(a)); }
#endif
/* The smaller and the larger of two numbers, not NaNs; -0 is below +0: the order of the bits as integers. */
#define XG_V_ORDER(name, op, U, S, F, raw, flt, sign) \
    XG_INLINE XG_SIM_T(F) xg_sim_base_##name(XG_SIM_T(F) a, XG_SIM_T(F) b) { \
        const XG_SIM_T(U) ab = raw(a), bb = raw(b); \
        const XG_SIM_T(S) as = XG_V_TO(S, ab), bs = XG_V_TO(S, bb); \
        const XG_SIM_T(S) ai = as ^ XG_V_TO(S, XG_V_TO(U, as >> sign) >> 1), \
                          bi = bs ^ XG_V_TO(S, XG_V_TO(U, bs >> sign) >> 1); \
        return flt(XG_V_SEL(XG_V_MASK(U, ai op bi), ab, bb)); \
    }
XG_INLINE XG_SIM_T(Wf32) xg_sim_base_clamp32(XG_SIM_T(Wf32) v, float lo, float hi) { /* a NaN stays */
    const XG_SIM_T(Wu32) none = XG_V_RAW(v) & 0, l = none + xg_sim_bits_f32(lo), h = none + xg_sim_bits_f32(hi);
    return XG_V_FLT(XG_V_SEL(XG_V_MASK(Wu32, v < lo), l, XG_V_SEL(XG_V_MASK(Wu32, v > hi), h, XG_V_RAW(v))));
}
XG_V_ORDER(min32, <, Wu32, Ws32, Wf32, XG_V_RAW, XG_V_FLT, 31)
XG_V_ORDER(max32, >, Wu32, Ws32, Wf32, XG_V_RAW, XG_V_FLT, 31)
XG_V_ORDER(min64, <, Du64, Ds64, Df64, XG_V_RAWD, XG_V_FLTD, 63)
XG_V_ORDER(max64, >, Du64, Ds64, Df64, XG_V_RAWD, XG_V_FLTD, 63)
#undef XG_V_ORDER
XG_INLINE XG_SIM_T(Wu32) xg_sim_base_unordered(XG_SIM_T(Wf32) a, XG_SIM_T(Wf32) b) {
    return XG_V_MASK(Wu32, a != a) | XG_V_MASK(Wu32, b != b);
} /* is one of them a NaN? */
XG_INLINE XG_SIM_T(Du64) xg_sim_base_widen_u32(XG_SIM_T(Du32) a) { return XG_V_TO(Du64, a); }
XG_INLINE XG_SIM_T(Du64) xg_sim_base_widen_s32(XG_SIM_T(Ds32) a) { return XG_V_TO(Du64, XG_V_TO(Ds64, a)); }
XG_INLINE XG_SIM_T(Du32) xg_sim_base_narrow_u64(XG_SIM_T(Du64) a) { return XG_V_TO(Du32, a); }
/* The whole product of the low halves. */
XG_INLINE XG_SIM_T(Du64) xg_sim_base_mulwide_u(XG_SIM_T(Du64) a, XG_SIM_T(Du64) b) { return a * b; }
XG_INLINE XG_SIM_T(Du64) xg_sim_base_mulwide_s(XG_SIM_T(Du64) a, XG_SIM_T(Du64) b) { return a * b; }
#undef XG_SIM_T

#if XG_SIM_X86
#define XG_SIM_AVX2_TARGET "avx2,fma,f16c"
#define XG_SIM_AVX512_TARGET "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c"
#define XG_SIM_X86_FN(unit) static inline __attribute__((always_inline, unused, target(unit)))
/* P: how Intel's functions begin. gcc makes four or five instructions of each of the widen and narrow functions when it
 * converts by itself. */
#define XG_SIM_X86_OPS(T, unit, P, F, D, I, half) \
    XG_SIM_X86_FN(unit) \
    xg_sim_##T##_Wf32 xg_sim_##T##_fma32(xg_sim_##T##_Wf32 a, xg_sim_##T##_Wf32 b, xg_sim_##T##_Wf32 c) { \
        return (xg_sim_##T##_Wf32)P##_fmadd_ps((F)a, (F)b, (F)c); \
    } \
    XG_SIM_X86_FN(unit) \
    xg_sim_##T##_Df64 xg_sim_##T##_fma64(xg_sim_##T##_Df64 a, xg_sim_##T##_Df64 b, xg_sim_##T##_Df64 c) { \
        return (xg_sim_##T##_Df64)P##_fmadd_pd((D)a, (D)b, (D)c); \
    } \
    XG_SIM_X86_FN(unit) xg_sim_##T##_Wf32 xg_sim_##T##_sqrt32(xg_sim_##T##_Wf32 a) { \
        return (xg_sim_##T##_Wf32)P##_sqrt_ps((F)a); \
    } \
    XG_SIM_X86_FN(unit) xg_sim_##T##_Df64 xg_sim_##T##_sqrt64(xg_sim_##T##_Df64 a) { \
        return (xg_sim_##T##_Df64)P##_sqrt_pd((D)a); \
    } \
    XG_SIM_X86_FN(unit) xg_sim_##T##_Wu32 xg_sim_##T##_widen_u16(xg_sim_##T##_Wu16 a) { \
        return (xg_sim_##T##_Wu32)P##_cvtepu16_epi32((half)a); \
    } \
    XG_SIM_X86_FN(unit) xg_sim_##T##_Du64 xg_sim_##T##_widen_u32(xg_sim_##T##_Du32 a) { \
        return (xg_sim_##T##_Du64)P##_cvtepu32_epi64((half)a); \
    } \
    XG_SIM_X86_FN(unit) xg_sim_##T##_Du64 xg_sim_##T##_widen_s32(xg_sim_##T##_Ds32 a) { \
        return (xg_sim_##T##_Du64)P##_cvtepi32_epi64((half)a); \
    } \
    XG_SIM_X86_FN(unit) xg_sim_##T##_Wf32 xg_sim_##T##_widen_f16(xg_sim_##T##_Wu16 a) { \
        return (xg_sim_##T##_Wf32)P##_cvtph_ps((half)a); \
    } \
    XG_SIM_X86_FN(unit) xg_sim_##T##_Wu16 xg_sim_##T##_narrow_f16(xg_sim_##T##_Wf32 a) { \
        xg_sim_##T##_Wu16 r = (xg_sim_##T##_Wu16)P##_cvtps_ph((F)a, 0), \
                          nan = (xg_sim_##T##_Wu16)((r & 0x7FFF) > 0x7C00); \
        return (r & ~nan) | (nan & 0x7FFF); \
    } \
    XG_SIM_X86_FN(unit) xg_sim_##T##_Wf32 xg_sim_##T##_clamp32(xg_sim_##T##_Wf32 v, float lo, float hi) { \
        return (xg_sim_##T##_Wf32)P##_min_ps(P##_set1_ps(hi), P##_max_ps(P##_set1_ps(lo), (F)v)); \
    } \
    XG_SIM_X86_FN(unit) xg_sim_##T##_Du64 xg_sim_##T##_mulwide_u(xg_sim_##T##_Du64 a, xg_sim_##T##_Du64 b) { \
        return (xg_sim_##T##_Du64)P##_mul_epu32((I)a, (I)b); \
    } \
    XG_SIM_X86_FN(unit) xg_sim_##T##_Du64 xg_sim_##T##_mulwide_s(xg_sim_##T##_Du64 a, xg_sim_##T##_Du64 b) { \
        return (xg_sim_##T##_Du64)P##_mul_epi32((I)a, (I)b); \
    } \
    /* the processor's answer for two zeros is the second one: ask both ways */ \
    XG_SIM_X86_FN(unit) xg_sim_##T##_Wf32 xg_sim_##T##_min32(xg_sim_##T##_Wf32 a, xg_sim_##T##_Wf32 b) { \
        return (xg_sim_##T##_Wf32)( \
            (xg_sim_##T##_Wu32)P##_min_ps((F)a, (F)b) | (xg_sim_##T##_Wu32)P##_min_ps((F)b, (F)a)); \
    } \
    XG_SIM_X86_FN(unit) xg_sim_##T##_Wf32 xg_sim_##T##_max32(xg_sim_##T##_Wf32 a, xg_sim_##T##_Wf32 b) { \
        return (xg_sim_##T##_Wf32)( \
            (xg_sim_##T##_Wu32)P##_max_ps((F)a, (F)b) & (xg_sim_##T##_Wu32)P##_max_ps((F)b, (F)a)); \
    } \
    XG_SIM_X86_FN(unit) xg_sim_##T##_Df64 xg_sim_##T##_min64(xg_sim_##T##_Df64 a, xg_sim_##T##_Df64 b) { \
        return (xg_sim_##T##_Df64)( \
            (xg_sim_##T##_Du64)P##_min_pd((D)a, (D)b) | (xg_sim_##T##_Du64)P##_min_pd((D)b, (D)a)); \
    } \
    XG_SIM_X86_FN(unit) xg_sim_##T##_Df64 xg_sim_##T##_max64(xg_sim_##T##_Df64 a, xg_sim_##T##_Df64 b) { \
        return (xg_sim_##T##_Df64)( \
            (xg_sim_##T##_Du64)P##_max_pd((D)a, (D)b) & (xg_sim_##T##_Du64)P##_max_pd((D)b, (D)a)); \
    }
XG_SIM_X86_OPS(avx2, XG_SIM_AVX2_TARGET, _mm256, __m256, __m256d, __m256i, __m128i)
XG_SIM_X86_OPS(avx512, XG_SIM_AVX512_TARGET, _mm512, __m512, __m512d, __m512i, __m256i)
XG_SIM_X86_FN(XG_SIM_AVX2_TARGET)
xg_sim_avx2_Wu16 xg_sim_avx2_narrow_u16(xg_sim_avx2_Wu32 a) { /* of values below 65536 */
    return (xg_sim_avx2_Wu16)_mm_packus_epi32(
        _mm256_castsi256_si128((__m256i)a), _mm256_extracti128_si256((__m256i)a, 1));
}
XG_SIM_X86_FN(XG_SIM_AVX2_TARGET) xg_sim_avx2_Wu32 xg_sim_avx2_unordered(xg_sim_avx2_Wf32 a, xg_sim_avx2_Wf32 b) {
    return (xg_sim_avx2_Wu32)_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_UNORD_Q);
}
XG_SIM_X86_FN(XG_SIM_AVX512_TARGET)
xg_sim_avx512_Wu32 xg_sim_avx512_unordered(xg_sim_avx512_Wf32 a, xg_sim_avx512_Wf32 b) {
    return (xg_sim_avx512_Wu32)_mm512_movm_epi32(_mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_UNORD_Q));
}
XG_SIM_X86_FN(XG_SIM_AVX2_TARGET) xg_sim_avx2_Du32 xg_sim_avx2_narrow_u64(xg_sim_avx2_Du64 a) {
    const __m256 v = _mm256_castsi256_ps((__m256i)a);
    return (xg_sim_avx2_Du32)_mm_castps_si128(
        _mm_shuffle_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1), 0x88));
}
XG_SIM_X86_FN(XG_SIM_AVX2_TARGET) bool xg_sim_avx2_anyW(xg_sim_avx2_Wu32 v) {
    return !_mm256_testz_si256((__m256i)v, (__m256i)v);
}
XG_SIM_X86_FN(XG_SIM_AVX2_TARGET) bool xg_sim_avx2_anyD(xg_sim_avx2_Du64 v) {
    return !_mm256_testz_si256((__m256i)v, (__m256i)v);
}
XG_SIM_X86_FN(XG_SIM_AVX512_TARGET) bool xg_sim_avx512_anyW(xg_sim_avx512_Wu32 v) {
    return _mm512_test_epi32_mask((__m512i)v, (__m512i)v) != 0;
}
XG_SIM_X86_FN(XG_SIM_AVX512_TARGET) bool xg_sim_avx512_anyD(xg_sim_avx512_Du64 v) {
    return _mm512_test_epi64_mask((__m512i)v, (__m512i)v) != 0;
}
XG_SIM_X86_FN(XG_SIM_AVX512_TARGET) xg_sim_avx512_Du32 xg_sim_avx512_narrow_u64(xg_sim_avx512_Du64 a) {
    return (xg_sim_avx512_Du32)_mm512_cvtepi64_epi32((__m512i)a);
}
XG_SIM_X86_FN(XG_SIM_AVX512_TARGET) xg_sim_avx512_Wu16 xg_sim_avx512_narrow_u16(xg_sim_avx512_Wu32 a) {
    return (xg_sim_avx512_Wu16)_mm512_cvtepi32_epi16((__m512i)a);
}
#endif

/* ---- pieces of statements ---- */

/* NaNs of a result are noticed as it is made, and made canonical when the row is done and there was one: rows F1 to F3
 * name the function that does it. */
#define XG_V_NANW(x) nan |= XG_V_MASK(Wu32, x != x)
#define XG_V_NAND(x) nan |= XG_V_MASK(Du64, x != x)
#define XG_V_CANON_FN(name, U, infinity, canonical) \
    XG_NOINLINE XG_FN void xg_sim_canon_##name(const xg_sim_lanes *L) { \
        char *p = L->dst; \
        U u; \
        uint32_t w, i; \
        for (w = 0; w < L->warps; w++, p += L->dstride) \
            for (i = 0; i < XG_SIM_WARP; i++) { \
                memcpy(&u, p + i * sizeof u, sizeof u); \
                if ((u & (U)((U) ~(U)0 >> 1)) > (U)(infinity)) { \
                    u = (U)(canonical); \
                    memcpy(p + i * sizeof u, &u, sizeof u); \
                } \
            } \
    }
XG_V_CANON_FN(f32, uint32_t, 0x7F800000u, 0x7FFFFFFFu)
XG_V_CANON_FN(f64, uint64_t, 0x7FF0000000000000u, 0xFFF8000000000000u)
XG_V_CANON_FN(bf16, uint16_t, 0x7F80u, 0x7FFFu)
#undef XG_V_CANON_FN
#define XG_V_FROM_BF16(v) XG_V_FLT(XG_SIM_T(widen_u16)(v) << 16)
#define XG_V_TO_BF16(r, v) \
    do { \
        const XG_SIM_T(Wu32) bf_m = XG_V_MASK(Wu32, v == v); \
        XG_SIM_T(Wu32) bf_u = XG_V_RAW(v); \
        bf_u = (bf_u + 0x7FFFu + ((bf_u >> 16) & 1u)) >> 16; \
        r = XG_SIM_T(narrow_u16)(XG_V_SEL(bf_m, bf_u, 0x7FFFu)); \
    } while (0)
/* Two bf16 stand in each 32 bits: one is the high half of a float already, the other is shifted there. A NaN that comes
 * from bf16 operands has no low bits, so that rounding leaves it a NaN. */
#define XG_V_BF16_ROUND(u) ((u) + 0x7FFFu + (((u) >> 16) & 1u))
#if XG_SIM_VECTORS
#define XG_V_BF16_K H
#define XG_V_BF16_OP(op) \
    const XG_SIM_T(Wu32) ap = (XG_SIM_T(Wu32))a, bp = (XG_SIM_T(Wu32))b; \
    const XG_SIM_T(Wf32) x = XG_V_FLT(ap << 16) op XG_V_FLT(bp << 16), \
                         y = XG_V_FLT(ap & 0xFFFF0000u) op XG_V_FLT(bp & 0xFFFF0000u); \
    nan |= XG_SIM_T(unordered)(x, y); \
    r = (XG_SIM_T(Hu16))((XG_V_BF16_ROUND(XG_V_RAW(x)) >> 16) | (XG_V_BF16_ROUND(XG_V_RAW(y)) & 0xFFFF0000u))
#else
#define XG_V_BF16_K W
#define XG_V_BF16_OP(op) \
    float x = XG_V_FROM_BF16(a), y = XG_V_FROM_BF16(b); \
    x = x op y; \
    XG_V_NANW(x); \
    r = (uint16_t)(XG_V_BF16_ROUND(XG_V_RAW(x)) >> 16)
#endif
#define XG_V_F16_OP(op) \
    XG_SIM_T(Wf32) x = XG_SIM_T(widen_f16)(a), y = XG_SIM_T(widen_f16)(b); \
    x = x op y; \
    r = XG_SIM_T(narrow_f16)(x)
#define XG_V_NARROW(cond) XG_V_TO(Ds32, XG_SIM_T(narrow_u64)(XG_V_MASK(Du64, cond)))
/* min and max: the other operand when one is NaN (NaN itself when `quiet`). */
#define XG_V_MINMAX(U, order, any, raw, flt, nan, quiet) \
    const XG_SIM_T(U) an = XG_V_MASK(U, a != a), bn = XG_V_MASK(U, b != b); \
    r = XG_SIM_T(order)(a, b); \
    if (XG_UNLIKELY(XG_SIM_T(any)(an | bn))) { \
        const XG_SIM_T(U) ab = raw(a), bb = raw(b); \
        XG_SIM_T(U) v = raw(r); \
        if (quiet) \
            v = XG_V_SEL(an | bn, ab * 0 + nan, v); \
        else { \
            v = XG_V_SEL(an, bb, v); \
            v = XG_V_SEL(bn, ab, v); \
            v = XG_V_SEL(an & bn, ab * 0 + nan, v); \
        } \
        r = flt(v); \
    }
#define XG_V_MINMAX32(order, quiet) XG_V_MINMAX(Wu32, order, anyW, XG_V_RAW, XG_V_FLT, 0x7FFFFFFFu, quiet)
#define XG_V_MINMAX64(order) XG_V_MINMAX(Du64, order, anyD, XG_V_RAWD, XG_V_FLTD, 0xFFF8000000000000u, 0)

/* 2^f for |f| <= 1/2, within 2^-38: f is a double or a vector of them. */
/* clang-format off */
#define XG_SIM_EXP2_SERIES(f) \
    (1.0 + f * (0.6931471805568324 + f * (0.24022650695888503 + f * (0.055504109063258665 + f * (0.00961812913523614 + \
    f * (0.0013333478473685416 + f * (0.00015403475186530786 + f * (1.5303700711365693e-05 + \
    f * 1.325080551750225e-06))))))))
/* clang-format on */
/* The approximate functions (math.c says how exact they are), in double, by the same operations on every host. */
#define XG_V_CLAMPD(x, lo, hi) \
    x = XG_V_FLTD(XG_V_SEL(XG_V_MASK(Du64, x > (hi)), XG_V_RAWD(XG_V_FLTD(XG_V_RAWD(x) & 0u) + (hi)), XG_V_RAWD(x))); \
    x = XG_V_FLTD(XG_V_SEL(XG_V_MASK(Du64, x < (lo)), XG_V_RAWD(XG_V_FLTD(XG_V_RAWD(x) & 0u) + (lo)), \
        XG_V_RAWD(x)))  /* not x * 0: x may be infinite */
#define XG_V_EXP2(y, x) /* y = 2^x, |x| < 1000; x changes */ \
    XG_SIM_T(Df64) y = x + 6755399441055744.0; \
    const XG_SIM_T(Du64) y##_bits = (XG_V_RAWD(y) << 52) + 0x3FF0000000000000u; \
    x = x - (y - 6755399441055744.0); \
    y = XG_SIM_EXP2_SERIES(x); \
    y = y * XG_V_FLTD(y##_bits)
#define XG_V_EX2_PARTS( \
    lo, hi) /* y = 2^fraction of x, within 1.3 ulp; t = 1.5 * 2^23 + the whole number nearest to x */ \
    const XG_SIM_T(Wf32) x = XG_SIM_T(clamp32)(a, lo, hi), t = x + 12582912.0f, f = x - (t - 12582912.0f); \
    XG_SIM_T(Wf32) y = f * 1.535335904918611e-4f; \
    y = y + 0.0013398875016719103f; \
    y = y * f; \
    y = y + 0.00961843691766262f; \
    y = y * f; \
    y = y + 0.055503323674201965f; \
    y = y * f; \
    y = y + 0.24022647738456726f; \
    y = y * f; \
    y = y + 0.6931471824645996f; \
    y = y * f; \
    y = y + 1.0f
#define XG_V_EX2 \
    XG_V_EX2_PARTS(-160.0f, 129.0f); \
    const XG_SIM_T(Ws32) n = (XG_SIM_T(Ws32))(XG_V_RAW(t) - 0x4B400000u), h = n >> 1, g = n - h; \
    r = y * XG_V_FLT((XG_SIM_T(Wu32))(h + 127) << 23); \
    r = r * XG_V_FLT((XG_SIM_T(Wu32))(g + 127) << 23); \
    XG_V_NANW(r)
#define XG_V_EX2FTZ /* 2^128 is the infinity by its bits; x - x is 0 or NaN */ \
    XG_V_EX2_PARTS(-126.0f, 128.0f); \
    const XG_SIM_T(Wu32) m = XG_V_MASK(Wu32, a < -126.0f); \
    const XG_SIM_T(Wf32) z = XG_V_FLT((XG_V_RAW(y) + (XG_V_RAW(t) << 23)) & ~m); \
    r = z + (x - x); \
    XG_V_NANW(r)
#define XG_V_TANH \
    XG_SIM_T(Df64) x = XG_V_TO(Df64, a); \
    XG_V_NAND(x); \
    XG_V_CLAMPD(x, -20.0, 20.0); \
    const XG_SIM_T(Df64) t = x * x, less = x * (1.0 - t * (1.0 / 3 - t * (2.0 / 15 - t * (17.0 / 315)))); \
    const XG_SIM_T(Du64) m = XG_V_MASK(Du64, t < 1e-4); \
    XG_SIM_T(Df64) z = x * 2.88539008177792681472; \
    XG_V_EXP2(y, z); \
    y = 1.0 - 2.0 / (y + 1.0); \
    r = XG_V_TO(Df32, XG_V_FLTD(XG_V_SEL(m, XG_V_RAWD(less), XG_V_RAWD(y))))
#define XG_V_FTZ(u) ((u)&XG_V_SEL(XG_V_MASK(Wu32, ((u)&0x7F800000u) == 0u), 0x80000000u, ~((u)&0u)))

/* A comparison of every ordered kind for one type; wide ones narrow their mask to 32 bits. */
#define XG_V_COMPARE(VC, t, K) \
    VC(eq, ==, K, t) VC(ne, !=, K, t) VC(lt, <, K, t) VC(le, <=, K, t) VC(gt, >, K, t) VC(ge, >=, K, t)

/* clang-format off */
#define XG_SIM_VECTOR_OPS(V1, V2, V3, F1, F2, F3, VC32, VC64, VC16) \
    V2(add_i16, H, u16, u16, u16, r = a + b) \
    V2(add_i32, W, u32, u32, u32, r = a + b) \
    V2(add_i64, D, u64, u64, u64, r = a + b) \
    V2(sub_i16, H, u16, u16, u16, r = a - b) \
    V2(sub_i32, W, u32, u32, u32, r = a - b) \
    V2(sub_i64, D, u64, u64, u64, r = a - b) \
    V2(mul_i16, W, u16, u16, u16, r = XG_V_TO(Wu16, XG_V_TO(Wu32, a) * XG_V_TO(Wu32, b))) \
    V2(mul_i32, W, u32, u32, u32, r = a * b) \
    V2(mul_i64, D, u64, u64, u64, r = a * b) \
    V2(and_b16, H, u16, u16, u16, r = a & b) \
    V2(and_b32, W, u32, u32, u32, r = a & b) \
    V2(and_b64, D, u64, u64, u64, r = a & b) \
    V2(or_b16, H, u16, u16, u16, r = a | b) \
    V2(or_b32, W, u32, u32, u32, r = a | b) \
    V2(or_b64, D, u64, u64, u64, r = a | b) \
    V2(xor_b16, H, u16, u16, u16, r = a ^ b) \
    V2(xor_b32, W, u32, u32, u32, r = a ^ b) \
    V2(xor_b64, D, u64, u64, u64, r = a ^ b) \
    V1(not_b16, H, u16, u16, r = ~a) \
    V1(not_b32, W, u32, u32, r = ~a) \
    V1(not_b64, D, u64, u64, r = ~a) \
    V1(mov_b16, H, u16, u16, r = a) \
    V1(mov_b32, W, u32, u32, r = a) \
    V1(mov_b64, D, u64, u64, r = a) \
    V1(neg_i16, H, u16, u16, r = 0 - a) \
    V1(neg_i32, W, u32, u32, r = 0 - a) \
    V1(neg_i64, D, u64, u64, r = 0 - a) \
    V1(abs_s16, W, u16, s16, const XG_SIM_T(Ws32) x = XG_V_TO(Ws32, a); const XG_SIM_T(Ws32) g = x >> 31; r = XG_V_TO(Wu16, (x ^ g) - g)) \
    V1(abs_s32, W, u32, s32, const XG_SIM_T(Wu32) g = XG_V_TO(Wu32, a >> 31); r = (XG_V_TO(Wu32, a) ^ g) - g) \
    V1(abs_s64, D, u64, s64, const XG_SIM_T(Du64) g = XG_V_TO(Du64, a >> 63); r = (XG_V_TO(Du64, a) ^ g) - g) \
    V2(shl_b16, W, u16, u16, u32, const XG_SIM_T(Wu32) m = XG_V_MASK(Wu32, b < 16u); r = XG_V_TO(Wu16, (XG_V_TO(Wu32, a) << (b & 15u)) & m)) \
    V2(shl_b32, W, u32, u32, u32, const XG_SIM_T(Wu32) m = XG_V_MASK(Wu32, b < 32u); r = (a << (b & 31u)) & m) \
    V2(shl_b64, D, u64, u64, u32, const XG_SIM_T(Du64) n = XG_SIM_T(widen_u32)(b); const XG_SIM_T(Du64) m = XG_V_MASK(Du64, n < 64u); r = (a << (n & 63u)) & m) \
    V2(shr_u16, W, u16, u16, u32, const XG_SIM_T(Wu32) m = XG_V_MASK(Wu32, b < 16u); r = XG_V_TO(Wu16, (XG_V_TO(Wu32, a) >> (b & 15u)) & m)) \
    V2(shr_u32, W, u32, u32, u32, const XG_SIM_T(Wu32) m = XG_V_MASK(Wu32, b < 32u); r = (a >> (b & 31u)) & m) \
    V2(shr_u64, D, u64, u64, u32, const XG_SIM_T(Du64) n = XG_SIM_T(widen_u32)(b); const XG_SIM_T(Du64) m = XG_V_MASK(Du64, n < 64u); r = (a >> (n & 63u)) & m) \
    V2(shr_s16, W, s16, s16, u32, const XG_SIM_T(Wu32) m = XG_V_MASK(Wu32, b < 16u); r = XG_V_TO(Ws16, XG_V_TO(Ws32, a) >> XG_V_TO(Ws32, XG_V_SEL(m, b, 15u)))) \
    V2(shr_s32, W, s32, s32, u32, const XG_SIM_T(Wu32) m = XG_V_MASK(Wu32, b < 32u); r = a >> XG_V_TO(Ws32, XG_V_SEL(m, b, 31u))) \
    V2(shr_s64, D, s64, s64, u32, const XG_SIM_T(Du64) n = XG_SIM_T(widen_u32)(b); const XG_SIM_T(Du64) m = XG_V_MASK(Du64, n < 64u); r = a >> XG_V_TO(Ds64, XG_V_SEL(m, n, 63u))) \
    V2(min_u16, H, u16, u16, u16, const XG_SIM_T(Hu16) m = XG_V_MASK(Hu16, a < b); r = XG_V_SEL(m, a, b)) \
    V2(max_u16, H, u16, u16, u16, const XG_SIM_T(Hu16) m = XG_V_MASK(Hu16, a > b); r = XG_V_SEL(m, a, b)) \
    V2(min_s16, H, s16, s16, s16, const XG_SIM_T(Hs16) m = XG_V_MASK(Hs16, a < b); r = XG_V_SEL(m, a, b)) \
    V2(max_s16, H, s16, s16, s16, const XG_SIM_T(Hs16) m = XG_V_MASK(Hs16, a > b); r = XG_V_SEL(m, a, b)) \
    V2(min_u32, W, u32, u32, u32, const XG_SIM_T(Wu32) m = XG_V_MASK(Wu32, a < b); r = XG_V_SEL(m, a, b)) \
    V2(max_u32, W, u32, u32, u32, const XG_SIM_T(Wu32) m = XG_V_MASK(Wu32, a > b); r = XG_V_SEL(m, a, b)) \
    V2(min_s32, W, s32, s32, s32, const XG_SIM_T(Ws32) m = XG_V_MASK(Ws32, a < b); r = XG_V_SEL(m, a, b)) \
    V2(max_s32, W, s32, s32, s32, const XG_SIM_T(Ws32) m = XG_V_MASK(Ws32, a > b); r = XG_V_SEL(m, a, b)) \
    V2(min_u64, D, u64, u64, u64, const XG_SIM_T(Du64) m = XG_V_MASK(Du64, a < b); r = XG_V_SEL(m, a, b)) \
    V2(max_u64, D, u64, u64, u64, const XG_SIM_T(Du64) m = XG_V_MASK(Du64, a > b); r = XG_V_SEL(m, a, b)) \
    V2(min_s64, D, s64, s64, s64, const XG_SIM_T(Ds64) m = XG_V_MASK(Ds64, a < b); r = XG_V_SEL(m, a, b)) \
    V2(max_s64, D, s64, s64, s64, const XG_SIM_T(Ds64) m = XG_V_MASK(Ds64, a > b); r = XG_V_SEL(m, a, b)) \
    V2(mulw_u16, W, u32, u16, u16, r = XG_V_TO(Wu32, a) * XG_V_TO(Wu32, b)) \
    V2(mulw_s16, W, u32, s16, s16, r = XG_V_TO(Wu32, a) * XG_V_TO(Wu32, b)) \
    V2(mulw_u32, D, u64, u32, u32, r = XG_SIM_T(mulwide_u)(XG_SIM_T(widen_u32)(a), XG_SIM_T(widen_u32)(b))) \
    V2(mulw_s32, D, u64, s32, s32, r = XG_SIM_T(mulwide_s)(XG_SIM_T(widen_s32)(a), XG_SIM_T(widen_s32)(b))) \
    V2(mulh_u16, W, u16, u16, u16, r = XG_V_TO(Wu16, (XG_V_TO(Wu32, a) * XG_V_TO(Wu32, b)) >> 16)) \
    V2(mulh_s16, W, u16, s16, s16, r = XG_V_TO(Wu16, (XG_V_TO(Wu32, a) * XG_V_TO(Wu32, b)) >> 16)) \
    V2(mulh_u32, D, u32, u32, u32, r = XG_SIM_T(narrow_u64)(XG_SIM_T(mulwide_u)(XG_SIM_T(widen_u32)(a), XG_SIM_T(widen_u32)(b)) >> 32)) \
    V2(mulh_s32, D, u32, s32, s32, r = XG_SIM_T(narrow_u64)(XG_SIM_T(mulwide_s)(XG_SIM_T(widen_s32)(a), XG_SIM_T(widen_s32)(b)) >> 32)) \
    V3(mad_i16, W, u16, u16, u16, u16, r = XG_V_TO(Wu16, XG_V_TO(Wu32, a) * XG_V_TO(Wu32, b) + XG_V_TO(Wu32, c))) \
    V3(mad_i32, W, u32, u32, u32, u32, r = a * b + c) \
    V3(mad_i64, D, u64, u64, u64, u64, r = a * b + c) \
    V3(madw_u16, W, u32, u16, u16, u32, r = XG_V_TO(Wu32, a) * XG_V_TO(Wu32, b) + c) \
    V3(madw_s16, W, u32, s16, s16, u32, r = XG_V_TO(Wu32, a) * XG_V_TO(Wu32, b) + c) \
    V3(madw_u32, D, u64, u32, u32, u64, r = XG_SIM_T(mulwide_u)(XG_SIM_T(widen_u32)(a), XG_SIM_T(widen_u32)(b)) + c) \
    V3(madw_s32, D, u64, s32, s32, u64, r = XG_SIM_T(mulwide_s)(XG_SIM_T(widen_s32)(a), XG_SIM_T(widen_s32)(b)) + c) \
    V3(sel_b16, W, u16, u16, u16, u32, const XG_SIM_T(Wu16) m = XG_V_TO(Wu16, c); r = XG_V_SEL(m, a, b)) \
    V3(sel_b32, W, u32, u32, u32, u32, r = XG_V_SEL(c, a, b)) \
    V3(sel_b64, D, u64, u64, u64, s32, const XG_SIM_T(Du64) m = XG_SIM_T(widen_s32)(c); r = XG_V_SEL(m, a, b)) \
    XG_V_COMPARE(VC16, s16, W) \
    XG_V_COMPARE(VC16, u16, W) \
    XG_V_COMPARE(VC32, s32, W) \
    XG_V_COMPARE(VC32, u32, W) \
    XG_V_COMPARE(VC64, s64, D) \
    XG_V_COMPARE(VC64, u64, D) \
    XG_V_COMPARE(VC32, f32, W) \
    XG_V_COMPARE(VC64, f64, D) \
    V2(uno_f32, W, s32, f32, f32, r = XG_V_MASK(Ws32, a != a) | XG_V_MASK(Ws32, b != b)) \
    V2(uno_f64, D, s32, f64, f64, r = XG_V_NARROW(a != a) | XG_V_NARROW(b != b)) \
    F2(add_f32, f32, W, f32, f32, f32, r = a + b; XG_V_NANW(r)) \
    F2(sub_f32, f32, W, f32, f32, f32, r = a - b; XG_V_NANW(r)) \
    F2(mul_f32, f32, W, f32, f32, f32, r = a * b; XG_V_NANW(r)) \
    F2(div_f32, f32, W, f32, f32, f32, r = a / b; XG_V_NANW(r)) \
    F3(fma_f32, f32, W, f32, f32, f32, f32, r = XG_SIM_T(fma32)(a, b, c); XG_V_NANW(r)) \
    F1(sqrt_f32, f32, W, f32, f32, r = XG_SIM_T(sqrt32)(a); XG_V_NANW(r)) \
    F1(rcp_f32, f32, W, f32, f32, r = 1.0f / a; XG_V_NANW(r)) \
    F1(rcpftz_f32, f32, W, f32, u32, XG_SIM_T(Wu32) u = XG_V_FTZ(a); r = 1.0f / XG_V_FLT(u); XG_V_NANW(r); u = XG_V_RAW(r); r = XG_V_FLT(XG_V_FTZ(u))) \
    F1(ex2_f32, f32, W, f32, f32, XG_V_EX2) \
    F1(ex2ftz_f32, f32, W, f32, f32, XG_V_EX2FTZ) \
    F1(tanh_f32, f32, D, f32, f32, XG_V_TANH) \
    F1(rsqrt_f32, f32, D, f32, f32, const XG_SIM_T(Df64) x = XG_V_TO(Df64, a); const XG_SIM_T(Df64) y = 1.0 / XG_SIM_T(sqrt64)(x); XG_V_NAND(y); r = XG_V_TO(Df32, y)) \
    V1(abs_f32, W, u32, u32, r = a & 0x7FFFFFFFu) \
    V1(neg_f32, W, u32, u32, r = a ^ 0x80000000u) \
    V2(copysign_f32, W, u32, u32, u32, r = (a & 0x80000000u) | (b & 0x7FFFFFFFu)) \
    V2(min_f32, W, f32, f32, f32, XG_V_MINMAX32(min32, 0)) \
    V2(max_f32, W, f32, f32, f32, XG_V_MINMAX32(max32, 0)) \
    V2(minn_f32, W, f32, f32, f32, XG_V_MINMAX32(min32, 1)) \
    V2(maxn_f32, W, f32, f32, f32, XG_V_MINMAX32(max32, 1)) \
    V1(ftz_f32, W, u32, u32, r = XG_V_FTZ(a)) \
    V1(sat_f32, W, u32, f32, const XG_SIM_T(Wu32) m = XG_V_MASK(Wu32, a > 0.0f); const XG_SIM_T(Wu32) n = XG_V_MASK(Wu32, a < 1.0f); r = XG_V_SEL(n, XG_V_RAW(a), 0x3F800000u) & m) \
    F2(add_f64, f64, D, f64, f64, f64, r = a + b; XG_V_NAND(r)) \
    F2(sub_f64, f64, D, f64, f64, f64, r = a - b; XG_V_NAND(r)) \
    F2(mul_f64, f64, D, f64, f64, f64, r = a * b; XG_V_NAND(r)) \
    F2(div_f64, f64, D, f64, f64, f64, r = a / b; XG_V_NAND(r)) \
    F3(fma_f64, f64, D, f64, f64, f64, f64, r = XG_SIM_T(fma64)(a, b, c); XG_V_NAND(r)) \
    F1(sqrt_f64, f64, D, f64, f64, r = XG_SIM_T(sqrt64)(a); XG_V_NAND(r)) \
    F1(rcp_f64, f64, D, f64, f64, r = 1.0 / a; XG_V_NAND(r)) \
    V1(abs_f64, D, u64, u64, r = a & 0x7FFFFFFFFFFFFFFFu) \
    V1(neg_f64, D, u64, u64, r = a ^ 0x8000000000000000u) \
    V2(copysign_f64, D, u64, u64, u64, r = (a & 0x8000000000000000u) | (b & 0x7FFFFFFFFFFFFFFFu)) \
    V2(min_f64, D, f64, f64, f64, XG_V_MINMAX64(min64)) \
    V2(max_f64, D, f64, f64, f64, XG_V_MINMAX64(max64)) \
    F2(add_bf16, bf16, XG_V_BF16_K, u16, u16, u16, XG_V_BF16_OP(+)) \
    F2(sub_bf16, bf16, XG_V_BF16_K, u16, u16, u16, XG_V_BF16_OP(-)) \
    F2(mul_bf16, bf16, XG_V_BF16_K, u16, u16, u16, XG_V_BF16_OP(*)) \
    V2(add_f16, W, u16, u16, u16, XG_V_F16_OP(+)) \
    V2(sub_f16, W, u16, u16, u16, XG_V_F16_OP(-)) \
    V2(mul_f16, W, u16, u16, u16, XG_V_F16_OP(*)) \
    V1(abs_f16, H, u16, u16, r = a & 0x7FFFu) \
    V1(neg_f16, H, u16, u16, r = a ^ 0x8000u) \
    V1(abs_f16x2, W, u32, u32, r = a & 0x7FFF7FFFu) \
    V1(neg_f16x2, W, u32, u32, r = a ^ 0x80008000u) \
    V1(f32_bf16, W, u32, u16, r = XG_SIM_T(widen_u16)(a) << 16) \
    V1(bf16_f32, W, u16, f32, XG_V_TO_BF16(r, a)) \
    F1(f32_f16, f32, W, f32, u16, r = XG_SIM_T(widen_f16)(a); XG_V_NANW(r)) \
    V1(f16_f32, W, u16, f32, r = XG_SIM_T(narrow_f16)(a)) \
    V1(f32_s32, W, f32, s32, r = XG_V_TO(Wf32, a)) \
    V1(f32_u32, W, f32, u32, r = XG_V_TO(Wf32, a)) \
    F1(f64_f32, f64, D, f64, f32, r = XG_V_TO(Df64, a); XG_V_NAND(r)) \
    F1(f32_f64, f32, D, f32, f64, XG_V_NAND(a); r = XG_V_TO(Df32, a)) \
    V1(f64_s32, D, f64, s32, r = XG_V_TO(Df64, a)) \
    V1(u16_u32, W, u16, u32, r = XG_V_TO(Wu16, a)) \
    V1(u16_u64, D, u16, u64, r = XG_V_TO(Du16, a)) \
    V1(u32_u16, W, u32, u16, r = XG_V_TO(Wu32, a)) \
    V1(s32_s16, W, s32, s16, r = XG_V_TO(Ws32, a)) \
    V1(u32_u64, D, u32, u64, r = XG_SIM_T(narrow_u64)(a)) \
    V1(u64_u32, D, u64, u32, r = XG_SIM_T(widen_u32)(a)) \
    V1(s64_s32, D, u64, s32, r = XG_SIM_T(widen_s32)(a)) \
    V1(u64_u16, D, u64, u16, r = XG_V_TO(Du64, a)) \
    V1(s64_s16, D, s64, s16, r = XG_V_TO(Ds64, a)) \
    V1(zext8_i16, H, u16, u16, r = a & 0xFFu) \
    V1(zext8_i32, W, u32, u32, r = a & 0xFFu) \
    V1(zext8_i64, D, u64, u64, r = a & 0xFFu) \
    V1(sext8_i16, W, s16, u16, r = XG_V_TO(Ws16, XG_V_TO(Ws32, XG_V_TO(Wu32, a) << 24) >> 24)) \
    V1(sext8_i32, W, s32, u32, r = XG_V_TO(Ws32, a << 24) >> 24) \
    V1(sext8_i64, D, s64, u64, r = XG_V_TO(Ds64, a << 56) >> 56) \
    V1(zext16_i32, W, u32, u32, r = a & 0xFFFFu) \
    V1(sext16_i32, W, s32, u32, r = XG_V_TO(Ws32, a << 16) >> 16) \
    V1(zext16_i64, D, u64, u64, r = a & 0xFFFFu) \
    V1(sext16_i64, D, s64, u64, r = XG_V_TO(Ds64, a << 48) >> 48) \
    V1(zext32_i64, D, u64, u64, r = a & 0xFFFFFFFFu) \
    V1(sext32_i64, D, s64, u64, r = XG_V_TO(Ds64, a << 32) >> 32) \
    V2(pack_b32, W, u32, u16, u16, r = XG_V_TO(Wu32, a) | XG_V_TO(Wu32, b) << 16) \
    V2(pack_b64, D, u64, u32, u32, r = XG_SIM_T(widen_u32)(a) | XG_SIM_T(widen_u32)(b) << 32) \
    V1(high_b32, W, u16, u32, r = XG_V_TO(Wu16, a >> 16)) \
    V1(high_b64, D, u32, u64, r = XG_SIM_T(narrow_u64)(a >> 32)) \
    V1(pred_b32, W, u32, u32, r = XG_V_MASK(Wu32, a != 0u))
/* clang-format on */

/* ---- a row becomes a function ---- */

#define XG_V_SOURCE(x) \
    const char *p##x = L->base[in->x & 1] + in->x; \
    const size_t s##x = L->stride[in->x & 1];
#define XG_V_LOAD(x, K, T) const XG_SIM_T(K##T) x = XG_SIM_GET(XG_SIM_T(K##T), p##x, i, XG_SIM_T(lanes##K));
#define XG_V_LOOP(K) \
    char *pd = L->dst; \
    uint32_t w = L->warps; \
    unsigned i; \
    do { \
        XG_UNROLL(8) for (i = 0; i < XG_SIM_WARP; i += XG_SIM_T(lanes##K)) {
#define XG_V_STORE(K, T) \
    XG_SIM_PUT(XG_SIM_T(K##T), pd, i, XG_SIM_T(lanes##K), r); \
    } \
    pd += L->dstride;
#define XG_V_HEAD(name) XG_SIM_TARGET static XG_UNUSED void XG_SIM_T(name)(const xg_sim_lanes *L, const xg_sim_ins *in)
#define XG_V_BODY1(K, T, A, ...) \
    XG_V_SOURCE(a) XG_V_LOOP(K) XG_V_LOAD(a, K, A) XG_SIM_T(K##T) r; \
    __VA_ARGS__; \
    XG_V_STORE(K, T) pa += sa; \
    } \
    while (--w) \
        ;
#define XG_V_BODY2(K, T, A, B, ...) \
    XG_V_SOURCE(a) XG_V_SOURCE(b) XG_V_LOOP(K) XG_V_LOAD(a, K, A) XG_V_LOAD(b, K, B) XG_SIM_T(K##T) r; \
    __VA_ARGS__; \
    XG_V_STORE(K, T) pa += sa; \
    pb += sb; \
    } \
    while (--w) \
        ;
#define XG_V_BODY3(K, T, A, B, C, ...) \
    XG_V_SOURCE(a) \
    XG_V_SOURCE(b) \
    XG_V_SOURCE(c) XG_V_LOOP(K) XG_V_LOAD(a, K, A) XG_V_LOAD(b, K, B) XG_V_LOAD(c, K, C) XG_SIM_T(K##T) r; \
    __VA_ARGS__; \
    XG_V_STORE(K, T) pa += sa; \
    pb += sb; \
    pc += sc; \
    } \
    while (--w) \
        ;
#define XG_V_1(name, K, T, A, ...) \
    XG_V_HEAD(name) { XG_V_BODY1(K, T, A, __VA_ARGS__) }
#define XG_V_2(name, K, T, A, B, ...) \
    XG_V_HEAD(name) { XG_V_BODY2(K, T, A, B, __VA_ARGS__) }
#define XG_V_3(name, K, T, A, B, C, ...) \
    XG_V_HEAD(name) { XG_V_BODY3(K, T, A, B, C, __VA_ARGS__) }
/* Floats, whose NaNs become canonical: K is W or D. */
#define XG_F_NAN(K) XG_SIM_T(XG_F_##K) nan = {0};
#define XG_F_END(K, fix) \
    if (XG_UNLIKELY(XG_SIM_T(XG_F_ANY_##K)(nan))) xg_sim_canon_##fix(L);
#define XG_F_W Wu32
#define XG_F_H Wu32
#define XG_F_ANY_W anyW
#define XG_F_ANY_H anyW
#define XG_F_ANY_D anyD
#define XG_F_D Du64
#define XG_F_1(name, fix, K, T, A, ...) \
    XG_V_HEAD(name) { XG_F_NAN(K) XG_V_BODY1(K, T, A, __VA_ARGS__) XG_F_END(K, fix) }
#define XG_F_2(name, fix, K, T, A, B, ...) \
    XG_V_HEAD(name) { XG_F_NAN(K) XG_V_BODY2(K, T, A, B, __VA_ARGS__) XG_F_END(K, fix) }
#define XG_F_3(name, fix, K, T, A, B, C, ...) \
    XG_V_HEAD(name) { XG_F_NAN(K) XG_V_BODY3(K, T, A, B, C, __VA_ARGS__) XG_F_END(K, fix) }
#define XG_V_C32(op, sym, K, t) XG_V_2(set_##op##_##t, K, s32, t, t, r = XG_V_MASK(Ws32, a sym b))
#define XG_V_C64(op, sym, K, t) XG_V_2(set_##op##_##t, K, s32, t, t, r = XG_V_NARROW(a sym b))
#define XG_V_C16(op, sym, K, t) \
    XG_V_2(set_##op##_##t, K, s32, t, t, const XG_SIM_T(Ws32) x = XG_V_TO(Ws32, a); \
           const XG_SIM_T(Ws32) y = XG_V_TO(Ws32, b); r = XG_V_MASK(Ws32, x sym y))

#define XG_SIM_T(n) XG_SIM_CAT(xg_sim_base_, n)
#define XG_SIM_TARGET
XG_SIM_VECTOR_OPS(XG_V_1, XG_V_2, XG_V_3, XG_F_1, XG_F_2, XG_F_3, XG_V_C32, XG_V_C64, XG_V_C16)
#undef XG_SIM_T
#undef XG_SIM_TARGET
#if XG_SIM_X86
#define XG_SIM_T(n) XG_SIM_CAT(xg_sim_avx2_, n)
#define XG_SIM_TARGET __attribute__((target(XG_SIM_AVX2_TARGET)))
XG_SIM_VECTOR_OPS(XG_V_1, XG_V_2, XG_V_3, XG_F_1, XG_F_2, XG_F_3, XG_V_C32, XG_V_C64, XG_V_C16)
#undef XG_SIM_T
#undef XG_SIM_TARGET
#define XG_SIM_T(n) XG_SIM_CAT(xg_sim_avx512_, n)
#define XG_SIM_TARGET __attribute__((target(XG_SIM_AVX512_TARGET)))
XG_SIM_VECTOR_OPS(XG_V_1, XG_V_2, XG_V_3, XG_F_1, XG_F_2, XG_F_3, XG_V_C32, XG_V_C64, XG_V_C16)
#undef XG_SIM_T
#undef XG_SIM_TARGET
#endif

/* The lists again as rows of a plain name: X(name). */
#define XG_SIM_NAME1(name, K, T, A, ...) XG_SIM_X(name)
#define XG_SIM_NAME2(name, K, T, A, B, ...) XG_SIM_X(name)
#define XG_SIM_NAME3(name, K, T, A, B, C, ...) XG_SIM_X(name)
#define XG_SIM_NAMEF1(name, ...) XG_SIM_X(name)
#define XG_SIM_NAMEF2(name, ...) XG_SIM_X(name)
#define XG_SIM_NAMEF3(name, ...) XG_SIM_X(name)
#define XG_SIM_NAMEC(op, sym, K, t) XG_SIM_X(set_##op##_##t)
#define XG_SIM_VECTOR_NAMES \
    XG_SIM_VECTOR_OPS(XG_SIM_NAME1, XG_SIM_NAME2, XG_SIM_NAME3, XG_SIM_NAMEF1, XG_SIM_NAMEF2, XG_SIM_NAMEF3, \
        XG_SIM_NAMEC, XG_SIM_NAMEC, XG_SIM_NAMEC)

#endif /* XG_SIM_LANES_C */

typedef enum xg_sim_shuffleop {
    XG_SIM_SHUFFLE_UP,
    XG_SIM_SHUFFLE_DOWN,
    XG_SIM_SHUFFLE_BFLY,
    XG_SIM_SHUFFLE_IDX
} xg_sim_shuffleop;
typedef struct xg_sim_moves {
    bool (*beside32)(const char *slot, uint32_t step);
    bool (*beside64)(const char *slot, uint64_t step);
    bool (*inside32)(uint32_t *off, const char *slot, uint32_t add, uint32_t limit, uint32_t align);
    bool (*inside64)(uint32_t *off, const char *slot, uint64_t add, uint64_t base, uint64_t limit, uint64_t align);
    void (*gather)(char *to, const char *from, const uint32_t *off);
    bool (*one_pass)(const uint32_t *off);
    void (*shuffle)(char *to, char *ok, const char *a, const char *b, const char *c, xg_sim_shuffleop op);
    bool (*within)(const uint32_t *p, size_t n, uint32_t least, uint32_t below);
    bool (*rows_within)(const uint32_t *p, const uint32_t *off, uint32_t least, uint32_t below);
    void (*fill)(uint32_t *p, size_t n, uint32_t word);
    void (*copy)(char *to, const char *from, size_t bytes);
    void (*split)(char *a, char *b, const char *from, uint32_t size);
    void (*join)(char *to, const char *a, const char *b, uint32_t size);
} xg_sim_moves;

XG_FN bool xg_sim_base_beside32(const char *slot, uint32_t step) {
    uint32_t a[XG_SIM_WARP], bad = 0, i;
    memcpy(a, slot, sizeof a);
    for (i = 1; i < XG_SIM_WARP; i++) bad |= (a[i] - a[i - 1]) ^ step;
    return !bad;
}
XG_FN bool xg_sim_base_beside64(const char *slot, uint64_t step) {
    uint64_t a[XG_SIM_WARP], bad = 0;
    uint32_t i;
    memcpy(a, slot, sizeof a);
    for (i = 1; i < XG_SIM_WARP; i++) bad |= (a[i] - a[i - 1]) ^ step;
    return !bad;
}
/* A distance below zero or beyond the limit has its sign bit, or that of what is left. */
XG_FN bool xg_sim_base_inside32(uint32_t *off, const char *slot, uint32_t add, uint32_t limit, uint32_t align) {
    uint32_t a[XG_SIM_WARP], bad = 0, odd = 0, i;
    memcpy(a, slot, sizeof a);
    for (i = 0; i < XG_SIM_WARP; i++) {
        uint32_t d = a[i] + add;
        bad |= d | (limit - d);
        odd |= d;
        off[i] = d;
    }
    return !(bad >> 31) && !(odd & align);
}
XG_FN bool xg_sim_base_inside64(
    uint32_t *off, const char *slot, uint64_t add, uint64_t base, uint64_t limit, uint64_t align) {
    uint64_t a[XG_SIM_WARP], bad = 0, odd = 0;
    uint32_t i;
    memcpy(a, slot, sizeof a);
    for (i = 0; i < XG_SIM_WARP; i++) {
        uint64_t d = a[i] + add - base;
        bad |= d | (limit - d);
        odd |= a[i] + add;
        off[i] = (uint32_t)d;
    }
    return !(bad >> 63) && !(odd & align);
}
XG_RACY XG_FN void xg_sim_base_gather(char *to, const char *from, const uint32_t *off) {
    uint32_t i;
    for (i = 0; i < XG_SIM_WARP; i++) memcpy(to + i * 4, from + off[i], 4);
}
/* each leaves its mark in its bank; does everybody find its own? */
XG_FN bool xg_sim_base_one_pass(const uint32_t *off) {
    uint32_t i, last[32], bad = 0;
    for (i = 0; i < XG_SIM_WARP; i++) last[off[i] >> 2 & 31] = off[i] >> 2;
    for (i = 0; i < XG_SIM_WARP; i++) bad |= last[off[i] >> 2 & 31] ^ off[i] >> 2;
    return !bad;
}
/* The lane that lane i reads, and whether that is another than itself by right. */
XG_FN uint32_t xg_sim_shuffle_from(xg_sim_shuffleop op, uint32_t i, uint32_t b, uint32_t c, uint32_t *ok) {
    uint32_t seg = c >> 8 & 31, top = (i & seg) | (c & 31 & ~seg), j;
    b &= 31;
    j = op == XG_SIM_SHUFFLE_UP     ? i - b
        : op == XG_SIM_SHUFFLE_DOWN ? i + b
        : op == XG_SIM_SHUFFLE_BFLY ? i ^ b
                                    : (i & seg) | (b & ~seg);
    *ok = op == XG_SIM_SHUFFLE_UP ? (int32_t)j >= (int32_t)top : j <= top;
    return *ok ? j : i;
}
XG_FN void xg_sim_base_shuffle(char *to, char *good, const char *a, const char *b, const char *c, xg_sim_shuffleop op) {
    uint32_t out[XG_SIM_WARP], ok[XG_SIM_WARP], i, x, y;
    for (i = 0; i < XG_SIM_WARP; i++) {
        memcpy(&x, b + i * 4, 4);
        memcpy(&y, c + i * 4, 4);
        memcpy(&out[i], a + 4 * xg_sim_shuffle_from(op, i, x, y, &ok[i]), 4);
        ok[i] = 0 - ok[i];
    }
    memcpy(to, out, sizeof out);
    if (good) memcpy(good, ok, sizeof ok);
}
#if XG_SIM_VECTORS
typedef int32_t xg_sim_word4 __attribute__((vector_size(16), may_alias, aligned(4)));
XG_RACY XG_FN bool xg_sim_base_within(const uint32_t *p, size_t n, uint32_t least, uint32_t below) {
    const int32_t lo = (int32_t)least, hi = (int32_t)below;
    const xg_sim_word4 l = {lo, lo, lo, lo}, h = {hi, hi, hi, hi};
    xg_sim_word4 bad = {0, 0, 0, 0};
    size_t i;
    for (i = 0; i < n; i += 4) {
        const xg_sim_word4 v = *(const xg_sim_word4 *)(const void *)(p + i);
        bad |= (v < l) | (v >= h);
    }
    return !(bad[0] | bad[1] | bad[2] | bad[3]);
}
XG_RACY XG_FN void xg_sim_base_fill(uint32_t *p, size_t n, uint32_t word) {
    const int32_t t = (int32_t)word;
    const xg_sim_word4 v = {t, t, t, t};
    size_t i;
    for (i = 0; i < n; i += 4) *(xg_sim_word4 *)(void *)(p + i) = v;
}
#else
XG_RACY XG_FN bool xg_sim_base_within(const uint32_t *p, size_t n, uint32_t least, uint32_t below) {
    size_t i;
    for (i = 0; i < n; i++)
        if (p[i] < least || p[i] >= below) return false;
    return true;
}
XG_RACY XG_FN void xg_sim_base_fill(uint32_t *p, size_t n, uint32_t word) {
    size_t i;
    for (i = 0; i < n; i++) p[i] = word;
}
#endif
XG_RACY XG_FN bool xg_sim_base_rows_within(const uint32_t *p, const uint32_t *off, uint32_t least, uint32_t below) {
    uint32_t i;
    for (i = 0; i < XG_SIM_WARP; i++)
        if (!xg_sim_base_within(p + off[i] / 4, 4, least, below)) return false;
    return true;
}
XG_FN void xg_sim_base_copy(char *to, const char *from, size_t bytes) {
    uint64_t x[4];
    for (; bytes; bytes -= 32, to += 32, from += 32) {
        memcpy(x, from, 32);
        memcpy(to, x, 32);
    }
}
#define XG_SIM_SPLIT(n) \
    for (i = 0; i < XG_SIM_WARP; i++) { \
        memcpy(a + i * n, from + i * 2 * n, n); \
        memcpy(b + i * n, from + i * 2 * n + n, n); \
    } \
    break
#define XG_SIM_JOIN(n) \
    for (i = 0; i < XG_SIM_WARP; i++) { \
        memcpy(to + i * 2 * n, a + i * n, n); \
        memcpy(to + i * 2 * n + n, b + i * n, n); \
    } \
    break
XG_FN void xg_sim_base_split(char *a, char *b, const char *from, uint32_t size) {
    size_t i;
    switch (size) {
    case 1: XG_SIM_SPLIT(1);
    case 2: XG_SIM_SPLIT(2);
    case 4: XG_SIM_SPLIT(4);
    case 8: XG_SIM_SPLIT(8);
    default: XG_SIM_SPLIT(16);
    }
}
XG_FN void xg_sim_base_join(char *to, const char *a, const char *b, uint32_t size) {
    size_t i;
    switch (size) {
    case 1: XG_SIM_JOIN(1);
    case 2: XG_SIM_JOIN(2);
    case 4: XG_SIM_JOIN(4);
    case 8: XG_SIM_JOIN(8);
    default: XG_SIM_JOIN(16);
    }
}
static const xg_sim_moves xg_sim_moves_base = {xg_sim_base_beside32, xg_sim_base_beside64, xg_sim_base_inside32,
    xg_sim_base_inside64, xg_sim_base_gather, xg_sim_base_one_pass, xg_sim_base_shuffle, xg_sim_base_within,
    xg_sim_base_rows_within, xg_sim_base_fill, xg_sim_base_copy, xg_sim_base_split, xg_sim_base_join};

#if XG_SIM_X86
#ifdef __SANITIZE_THREAD__
#define XG_M256_FN XG_RACY static __attribute__((unused, target(XG_SIM_AVX2_TARGET)))
#else
#define XG_M256_FN static inline __attribute__((always_inline, unused, target(XG_SIM_AVX2_TARGET)))
#endif
#define XG_M256_AT(p, i) _mm256_loadu_si256((const __m256i *)(const void *)((p) + (size_t)(i)*32))
#define XG_M256_PUT(p, i, v) _mm256_storeu_si256((__m256i *)(void *)((p) + (size_t)(i)*32), v)
#define XG_M256_NONE(v) (_mm256_testz_si256(v, v) != 0)
/* Row i is row 0 plus i times what eight or four lanes span. */
XG_M256_FN bool xg_sim_avx2_beside32(const char *slot, uint32_t step) {
    uint32_t first;
    __m256i want, more = _mm256_set1_epi32((int)(step * 8)), bad = _mm256_setzero_si256();
    int i;
    memcpy(&first, slot, 4);
    want = _mm256_add_epi32(_mm256_set1_epi32((int)first),
        _mm256_mullo_epi32(_mm256_set1_epi32((int)step), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)));
    XG_UNROLL(8) for (i = 0; i < 4; i++) {
        bad = _mm256_or_si256(bad, _mm256_xor_si256(want, XG_M256_AT(slot, i)));
        want = _mm256_add_epi32(want, more);
    }
    return XG_M256_NONE(bad);
}
XG_M256_FN bool xg_sim_avx2_beside64(const char *slot, uint64_t step) {
    uint64_t first, last;
    __m256i want, more = _mm256_set1_epi64x((long long)(step * 4)), bad = _mm256_setzero_si256();
    int i;
    memcpy(&first, slot, 8);
    memcpy(&last, slot + 8 * (XG_SIM_WARP - 1), 8);
    if (last - first != 31 * step) return false;
    want = _mm256_add_epi64(_mm256_set1_epi64x((long long)first),
        _mm256_mul_epu32(_mm256_set1_epi64x((long long)step), _mm256_setr_epi64x(0, 1, 2, 3)));
    XG_UNROLL(8) for (i = 0; i < 8; i++) {
        bad = _mm256_or_si256(bad, _mm256_xor_si256(want, XG_M256_AT(slot, i)));
        want = _mm256_add_epi64(want, more);
    }
    return XG_M256_NONE(bad);
}
/* Do both halves of the warp? */
XG_M256_FN bool xg_sim_avx2_beside64_halves(const char *slot, uint64_t step) {
    const __m256i steps = _mm256_mul_epu32(_mm256_set1_epi64x((long long)step), _mm256_setr_epi64x(0, 1, 2, 3)),
                  more = _mm256_set1_epi64x((long long)(step * 4));
    __m256i low =
                _mm256_add_epi64(steps, _mm256_broadcastq_epi64(_mm_loadl_epi64((const __m128i *)(const void *)slot))),
            high = _mm256_add_epi64(
                steps, _mm256_broadcastq_epi64(_mm_loadl_epi64((const __m128i *)(const void *)(slot + 128))));
    __m256i bad = _mm256_setzero_si256();
    int i;
    XG_UNROLL(4) for (i = 0; i < 4; i++) {
        bad = _mm256_or_si256(bad, _mm256_or_si256(_mm256_xor_si256(low, XG_M256_AT(slot, i)),
                                       _mm256_xor_si256(high, XG_M256_AT(slot, i + 4))));
        low = _mm256_add_epi64(low, more);
        high = _mm256_add_epi64(high, more);
    }
    return XG_M256_NONE(bad);
}
XG_M256_FN bool xg_sim_avx2_inside32(uint32_t *off, const char *slot, uint32_t add, uint32_t limit, uint32_t align) {
    __m256i a = _mm256_set1_epi32((int)add), l = _mm256_set1_epi32((int)limit), bad = _mm256_setzero_si256(), odd = bad;
    int i;
    XG_UNROLL(8) for (i = 0; i < 4; i++) {
        __m256i d = _mm256_add_epi32(XG_M256_AT(slot, i), a);
        bad = _mm256_or_si256(bad, _mm256_or_si256(d, _mm256_sub_epi32(l, d)));
        odd = _mm256_or_si256(odd, d);
        XG_M256_PUT((char *)off, i, d);
    }
    return !_mm256_movemask_ps(_mm256_castsi256_ps(bad)) &&
           XG_M256_NONE(_mm256_and_si256(odd, _mm256_set1_epi32((int)align)));
}
XG_M256_FN bool xg_sim_avx2_inside64(
    uint32_t *off, const char *slot, uint64_t add, uint64_t base, uint64_t limit, uint64_t align) {
    __m256i a = _mm256_set1_epi64x((long long)(add - base)), l = _mm256_set1_epi64x((long long)limit),
            bad = _mm256_setzero_si256(), odd = bad;
    int i;
    XG_UNROLL(8) for (i = 0; i < 4; i++) {
        __m256i x = _mm256_add_epi64(XG_M256_AT(slot, 2 * i), a), y = _mm256_add_epi64(XG_M256_AT(slot, 2 * i + 1), a);
        bad = _mm256_or_si256(bad,
            _mm256_or_si256(_mm256_or_si256(x, _mm256_sub_epi64(l, x)), _mm256_or_si256(y, _mm256_sub_epi64(l, y))));
        x = _mm256_permute4x64_epi64(
            _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(x), _mm256_castsi256_ps(y), 0x88)), 0xD8);
        odd = _mm256_or_si256(odd, _mm256_add_epi32(x, _mm256_set1_epi32((int)(uint32_t)base)));
        XG_M256_PUT((char *)off, i, x);
    }
    return !_mm256_movemask_pd(_mm256_castsi256_pd(bad)) &&
           XG_M256_NONE(_mm256_and_si256(odd, _mm256_set1_epi32((int)align)));
}
XG_M256_FN int xg_sim_avx2_word(const char *at) {
    int x;
    memcpy(&x, at, 4);
    return x;
}
/* Word by word, which is faster than the gather instruction of many processors. */
XG_M256_FN void xg_sim_avx2_gather(char *to, const char *from, const uint32_t *off) {
    int i;
#define X(k) xg_sim_avx2_word(from + off[k])
    XG_UNROLL(8)
    for (i = 0; i < 4; i++, off += 8)
        XG_M256_PUT(to, i, _mm256_setr_epi32(X(0), X(1), X(2), X(3), X(4), X(5), X(6), X(7)));
#undef X
}
/* The same of words `step` bytes apart. */
XG_M256_FN void xg_sim_avx2_gather_steps(char *to, const char *from, size_t step) {
    int i;
#define X(k) xg_sim_avx2_word(from + k * step)
    XG_UNROLL(8)
    for (i = 0; i < 4; i++, from += 8 * step)
        XG_M256_PUT(to, i, _mm256_setr_epi32(X(0), X(1), X(2), X(3), X(4), X(5), X(6), X(7)));
#undef X
}
/* The banks that words lie in, as bits, counted from that of the word at base. */
XG_M256_FN uint32_t xg_sim_avx2_banks(const uint32_t *off, uint32_t base) {
    __m256i seen = _mm256_setzero_si256();
    __m128i s;
    int i;
    XG_UNROLL(8)
    for (i = 0; i < 4; i++)
        seen = _mm256_or_si256(
            seen, _mm256_sllv_epi32(_mm256_set1_epi32(1),
                      _mm256_and_si256(
                          _mm256_srli_epi32(
                              _mm256_sub_epi32(XG_M256_AT((const char *)off, i), _mm256_set1_epi32((int)base)), 2),
                          _mm256_set1_epi32(31))));
    s = _mm_or_si128(_mm256_castsi256_si128(seen), _mm256_extracti128_si256(seen, 1));
    s = _mm_or_si128(s, _mm_srli_si128(s, 8));
    return (uint32_t)(_mm_cvtsi128_si32(s) | _mm_extract_epi32(s, 1));
}
XG_M256_FN bool xg_sim_avx2_all_banks(const uint32_t *off) { return xg_sim_avx2_banks(off, 0) == 0xFFFFFFFFu; }
/* The smallest distance; true when all are within 32 words that stand side by side, and so are in different banks,
 * however many lanes go to each. */
XG_M256_FN bool xg_sim_avx2_in_a_row(const uint32_t *off, uint32_t *least, uint32_t *words) {
    __m256i low = XG_M256_AT((const char *)off, 0), high = low;
    int i;
    XG_UNROLL(8) for (i = 1; i < 4; i++) {
        const __m256i o = XG_M256_AT((const char *)off, i);
        low = _mm256_min_epu32(low, o);
        high = _mm256_max_epu32(high, o);
    }
    low = _mm256_min_epu32(low, _mm256_permute2x128_si256(low, low, 1));
    high = _mm256_max_epu32(high, _mm256_permute2x128_si256(high, high, 1));
    low = _mm256_min_epu32(low, _mm256_shuffle_epi32(low, 0x4E));
    high = _mm256_max_epu32(high, _mm256_shuffle_epi32(high, 0x4E));
    low = _mm256_min_epu32(low, _mm256_shuffle_epi32(low, 0xB1));
    high = _mm256_max_epu32(high, _mm256_shuffle_epi32(high, 0xB1));
    *least = (uint32_t)_mm_cvtsi128_si32(_mm256_castsi256_si128(low));
    *words = ((uint32_t)_mm_cvtsi128_si32(_mm256_castsi256_si128(high)) >> 2) - (*least >> 2) + 1;
    return *words <= 32;
}
XG_M256_FN bool xg_sim_avx2_one_pass(const uint32_t *off) {
    uint32_t least, words;
    return xg_sim_avx2_all_banks(off) || xg_sim_avx2_in_a_row(off, &least, &words) || xg_sim_base_one_pass(off);
}
/* Of the 32 words of a slot, those that eight lanes name. */
XG_M256_FN __m256i xg_sim_avx2_pick(const char *slot, __m256i lane) {
    const __m256 bit3 = _mm256_castsi256_ps(_mm256_slli_epi32(lane, 28)),
                 bit4 = _mm256_castsi256_ps(_mm256_slli_epi32(lane, 27));
    __m256 row[4];
    int i;
    XG_UNROLL(8)
    for (i = 0; i < 4; i++) row[i] = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(XG_M256_AT(slot, i), lane));
    return _mm256_castps_si256(
        _mm256_blendv_ps(_mm256_blendv_ps(row[0], row[1], bit3), _mm256_blendv_ps(row[2], row[3], bit3), bit4));
}
/* The words at distances that are less than 128 bytes behind `base`. */
XG_M256_FN void xg_sim_avx2_gather_near(char *to, const char *from, const uint32_t *off, uint32_t base) {
    int i;
    XG_UNROLL(8)
    for (i = 0; i < 4; i++)
        XG_M256_PUT(to, i,
            xg_sim_avx2_pick(
                from + base, _mm256_srli_epi32(
                                 _mm256_sub_epi32(XG_M256_AT((const char *)off, i), _mm256_set1_epi32((int)base)), 2)));
}
XG_M256_FN void xg_sim_avx2_shuffle(
    char *to, char *good, const char *a, const char *b, const char *c, xg_sim_shuffleop op) {
    const __m256i low5 = _mm256_set1_epi32(31), none = _mm256_setzero_si256();
    __m256i out[4], ok[4];
    int k;
    for (k = 0; k < 4; k++) {
        const __m256i lane = _mm256_add_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(k * 8)),
                      x = _mm256_and_si256(XG_M256_AT(b, k), low5), y = XG_M256_AT(c, k);
        const __m256i seg = _mm256_and_si256(_mm256_srli_epi32(y, 8), low5), kept = _mm256_and_si256(lane, seg),
                      top = _mm256_or_si256(kept, _mm256_andnot_si256(seg, _mm256_and_si256(y, low5)));
        const __m256i j = op == XG_SIM_SHUFFLE_UP     ? _mm256_sub_epi32(lane, x)
                          : op == XG_SIM_SHUFFLE_DOWN ? _mm256_add_epi32(lane, x)
                          : op == XG_SIM_SHUFFLE_BFLY ? _mm256_xor_si256(lane, x)
                                                      : _mm256_or_si256(kept, _mm256_andnot_si256(seg, x));
        const __m256i not_ok = op == XG_SIM_SHUFFLE_UP ? _mm256_cmpgt_epi32(top, j) : _mm256_cmpgt_epi32(j, top);
        ok[k] = _mm256_cmpeq_epi32(not_ok, none);
        out[k] = xg_sim_avx2_pick(a, _mm256_blendv_epi8(j, lane, not_ok));
    }
    for (k = 0; k < 4; k++) {
        XG_M256_PUT(to, k, out[k]);
        if (good) XG_M256_PUT(good, k, ok[k]);
    }
}
XG_M256_FN bool xg_sim_avx2_within(const uint32_t *words, size_t n, uint32_t least, uint32_t below) {
    const char *p = (const char *)words;
    __m256i low, high;
    __m128i l = _mm_set1_epi32((int)least), h = _mm_set1_epi32((int)(below - 1));
    size_t i;
    low = _mm256_set1_epi32((int)least);
    high = low;
    XG_UNROLL(4) for (i = 0; i < n / 8; i++) {
        const __m256i v = XG_M256_AT(p, i);
        low = _mm256_min_epu32(low, v);
        high = _mm256_max_epu32(high, v);
    }
    if (n & 4) {
        const __m256i v = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)(words + n - 4)));
        low = _mm256_min_epu32(low, v);
        high = _mm256_max_epu32(high, v);
    }
    l = _mm_xor_si128(l, _mm_min_epu32(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1)));
    h = _mm_xor_si128(
        h, _mm_max_epu32(h, _mm_max_epu32(_mm256_castsi256_si128(high), _mm256_extracti128_si256(high, 1))));
    l = _mm_or_si128(l, h);
    return _mm_testz_si128(l, l) != 0;
}
XG_M256_FN bool xg_sim_avx2_rows_within(const uint32_t *p, const uint32_t *off, uint32_t least, uint32_t below) {
    __m128i low = _mm_set1_epi32((int)least), high = low;
    const __m128i l = low, h = _mm_set1_epi32((int)(below - 1));
    uint32_t i;
    XG_UNROLL(8) for (i = 0; i < XG_SIM_WARP; i++) {
        const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(p + off[i] / 4));
        low = _mm_min_epu32(low, x);
        high = _mm_max_epu32(high, x);
    }
    low = _mm_or_si128(_mm_xor_si128(low, l), _mm_xor_si128(_mm_max_epu32(high, h), h));
    return _mm_testz_si128(low, low) != 0;
}
XG_M256_FN void xg_sim_avx2_fill(uint32_t *words, size_t n, uint32_t word) {
    char *p = (char *)words;
    const __m256i v = _mm256_set1_epi32((int)word);
    size_t i;
    XG_UNROLL(4) for (i = 0; i < n / 8; i++) XG_M256_PUT(p, i, v);
    if (n & 4) _mm_storeu_si128((__m128i *)(void *)(words + n - 4), _mm256_castsi256_si128(v));
}
/* 32 times the same 4 or 8 bytes. */
XG_M256_FN void xg_sim_avx2_spread(char *to, const char *from, uint32_t size) {
    uint64_t x = 0;
    uint32_t i;
    __m256i v;
    memcpy(&x, from, size);
    v = size == 4 ? _mm256_set1_epi32((int)(uint32_t)x) : _mm256_set1_epi64x((long long)x);
    XG_UNROLL(4) for (i = 0; i < size; i++) XG_M256_PUT(to, i, v);
}
XG_M256_FN void xg_sim_avx2_copy(char *to, const char *from, size_t bytes) {
    size_t i;
    XG_UNROLL(4) for (i = 0; i < bytes / 32; i++) XG_M256_PUT(to, i, XG_M256_AT(from, i));
}
/* Two rows of pairs to a row of firsts and a row of seconds; within 128 bits first, then across. */
XG_M256_FN void xg_sim_avx2_split(char *a, char *b, const char *from, uint32_t size) {
    const __m256i bytes = _mm256_setr_epi8(
        0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15, 0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
    const __m256i halves = _mm256_setr_epi8(
        0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15, 0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15);
    uint32_t i;
    for (i = 0; i < size; i++) {
        __m256i x = XG_M256_AT(from, 2 * i), y = XG_M256_AT(from, 2 * i + 1), lo, hi;
        if (size == 16) {
            XG_M256_PUT(a, i, _mm256_permute2x128_si256(x, y, 0x20));
            XG_M256_PUT(b, i, _mm256_permute2x128_si256(x, y, 0x31));
            continue;
        }
        if (size <= 2) {
            x = _mm256_shuffle_epi8(x, size == 1 ? bytes : halves);
            y = _mm256_shuffle_epi8(y, size == 1 ? bytes : halves);
        }
        if (size == 4) {
            lo = _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(x), _mm256_castsi256_ps(y), 0x88));
            hi = _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(x), _mm256_castsi256_ps(y), 0xDD));
        } else {
            lo = _mm256_unpacklo_epi64(x, y);
            hi = _mm256_unpackhi_epi64(x, y);
        }
        XG_M256_PUT(a, i, _mm256_permute4x64_epi64(lo, 0xD8));
        XG_M256_PUT(b, i, _mm256_permute4x64_epi64(hi, 0xD8));
    }
}
XG_M256_FN void xg_sim_avx2_join(char *to, const char *a, const char *b, uint32_t size) {
    uint32_t i;
    for (i = 0; i < size; i++) {
        const __m256i x = XG_M256_AT(a, i), y = XG_M256_AT(b, i);
        __m256i lo, hi;
        switch (size) {
        case 1:
            lo = _mm256_unpacklo_epi8(x, y);
            hi = _mm256_unpackhi_epi8(x, y);
            break;
        case 2:
            lo = _mm256_unpacklo_epi16(x, y);
            hi = _mm256_unpackhi_epi16(x, y);
            break;
        case 4:
            lo = _mm256_unpacklo_epi32(x, y);
            hi = _mm256_unpackhi_epi32(x, y);
            break;
        case 8:
            lo = _mm256_unpacklo_epi64(x, y);
            hi = _mm256_unpackhi_epi64(x, y);
            break;
        default:
            lo = _mm256_permute2x128_si256(x, y, 0x20);
            hi = _mm256_permute2x128_si256(x, y, 0x31);
            XG_M256_PUT(to, 2 * i, lo);
            XG_M256_PUT(to, 2 * i + 1, hi);
            continue;
        }
        XG_M256_PUT(to, 2 * i, _mm256_permute2x128_si256(lo, hi, 0x20));
        XG_M256_PUT(to, 2 * i + 1, _mm256_permute2x128_si256(lo, hi, 0x31));
    }
}
static const xg_sim_moves xg_sim_moves_avx2 = {xg_sim_avx2_beside32, xg_sim_avx2_beside64, xg_sim_avx2_inside32,
    xg_sim_avx2_inside64, xg_sim_avx2_gather, xg_sim_avx2_one_pass, xg_sim_avx2_shuffle, xg_sim_avx2_within,
    xg_sim_avx2_rows_within, xg_sim_avx2_fill, xg_sim_avx2_copy, xg_sim_avx2_split, xg_sim_avx2_join};
#endif

XG_FN const xg_sim_moves *xg_sim_moves_of(xg_sim_unit unit) {
#if XG_SIM_X86
    if (unit != XG_SIM_UNIT_BASE) return &xg_sim_moves_avx2;
#endif
    (void)unit;
    return &xg_sim_moves_base;
}

#undef XG_SIM_SPLIT
#undef XG_SIM_JOIN
#endif /* XG_SIM_MOVES_C */

enum {
    XG_SIM_NEST = 64,
    XG_SIM_MODS = 24,
    XG_SIM_OPERANDS = 16,
    XG_SIM_VECTOR = 128
};

typedef enum xg_sim_tk {
    XG_SIM_TK_END,
    XG_SIM_TK_WORD,
    XG_SIM_TK_DOT,
    XG_SIM_TK_NUM,
    XG_SIM_TK_STR,
    XG_SIM_TK_PUNCT
} xg_sim_tk;
typedef struct xg_sim_tok {
    xg_sim_tk kind;
    xg_str text;
    uint32_t at;
    uint64_t value; /* of a number: an integer, or the bits of a float */
    uint8_t number; /* 0 integer, 4 f32 bits, 8 f64 bits */
} xg_sim_tok;

typedef enum xg_sim_symkind {
    XG_SIM_SYM_REG,
    XG_SIM_SYM_RANGE,
    XG_SIM_SYM_VECTOR,
    XG_SIM_SYM_VAR,
    XG_SIM_SYM_LABEL,
    XG_SIM_SYM_FUNC,
    XG_SIM_SYM_TARGETS,
    XG_SIM_SYM_PROTO
} xg_sim_symkind;
typedef struct xg_sim_sym {
    xg_sim_symkind kind;
    xg_sim_type type;
    xg_sim_space space;
    bool is_extern;
    xg_str name;
    uint32_t reg, count;    /* register, or size of a range */
    uint64_t offset, bytes; /* of a variable: address or offset in its space */
    uint32_t align, at;
    uint32_t record;      /* of a label */
    uint32_t users, user; /* of a shared variable: how many functions, the last one */
    xg_sim_func *func;
    uint32_t *targets, n_targets; /* of .branchtargets: label name ids */
    struct xg_sim_sym *members;   /* of a vector register: `count` registers */
    uint32_t scope;
} xg_sim_sym;

typedef struct xg_sim_const {
    uint64_t value;
    uint8_t bytes;
    xg_sim_sym *sym;
    uint32_t func;
    uint32_t offset;
} xg_sim_const;
/* name: where it stands in the text, 1-based; 0 for ours */
typedef struct xg_sim_vreg {
    uint8_t bytes;
    uint8_t local;
    uint32_t first, last, block, slot, name;
} xg_sim_vreg;
typedef struct xg_sim_fix {
    uint32_t record, name, scope, at, list;
} xg_sim_fix; /* a branch waiting for its label */

typedef enum xg_sim_ok {
    XG_SIM_O_REG,
    XG_SIM_O_NUM,
    XG_SIM_O_VAR,
    XG_SIM_O_FUNC,
    XG_SIM_O_LABEL,
    XG_SIM_O_VEC,
    XG_SIM_O_ADDR,
    XG_SIM_O_SREG,
    XG_SIM_O_SINK,
    XG_SIM_O_LIST
} xg_sim_ok;
typedef struct xg_sim_operand {
    xg_sim_ok kind;
    uint32_t at;
    bool inverted, minus; /* !p; -r of vmad */
    xg_str select;        /* r.b1, r.h10: parts of a register, of video instructions */
    uint8_t number;       /* as in xg_sim_tok */
    uint64_t value;       /* number; or what is added to a base */
    xg_sim_sym *sym;
    xg_str word;                  /* label or special register */
    struct xg_sim_operand *pair;  /* p|q; the coordinates behind a tensor map's address */
    struct xg_sim_operand *items; /* of a vector or list; the base of an address */
    uint32_t n;
} xg_sim_operand;

typedef struct xg_sim_stmt {
    uint32_t at;
    xg_str op;
    xg_str mods[XG_SIM_MODS];
    uint32_t mod_at[XG_SIM_MODS], n_mods, used; /* used: a bit per modifier that the decoder understood */
    xg_sim_operand o[XG_SIM_OPERANDS];
    uint32_t n;
    uint32_t guard; /* operand code of the predicate or XG_SIM_NOREG */
    bool guard_not;
    uint32_t first; /* its first record */
} xg_sim_stmt;

typedef struct xg_sim_asm {
    xg_ctx *c;
    xg_arena *a, scratch; /* the module's; what dies with the load */
    const xg_source *src;
    size_t pos;
    xg_sim_tok t;
    xg_sim_module *m;
    xg_sim_func *f;      /* the function being read */
    xg_dict names, rows; /* text to id; mnemonic to its row */
    xg_map64 syms;       /* (name id, scope id) to symbol */
    uint32_t n_names, n_scopes, scope, depth, parents_cap, *parents;
    uint32_t local; /* bytes of local memory of this function so far */
    XG_VEC(xg_sim_vreg) vregs;
    XG_VEC(xg_sim_const) consts;
    uint32_t consts_placed; /* how many have their offset */
    XG_VEC(xg_sim_fix) fixes;
    XG_VEC(xg_sim_ins) code;
    XG_VEC(uint32_t) list;
    XG_VEC(xg_sim_copy) copies;
    XG_VEC(xg_sim_callsite) sites;
    XG_VEC(uint32_t) calls; /* callee ids of this function */
    XG_VEC(xg_sim_func *) funcs;
    XG_VEC(xg_sim_var) vars;
    XG_VEC(xg_sim_sym *) shared;
    XG_VEC(uint32_t) labels; /* records that labels of this function stand at */
    xg_map64 const_map[3];   /* value to constant, by size */
    xg_sim_stmt *stmt;       /* the one being read */
    uint32_t carry;          /* the register of the carry flag of this function, NOREG until used */
    xg_sim_unit unit;        /* whose arithmetic functions the records get */
} xg_sim_asm;

XG_FN void xg_sim_decode(xg_sim_asm *p, xg_sim_stmt *s); /* decode.c */
XG_FN void xg_sim_function_end(xg_sim_asm *p);           /* flow.c */

#define XG_SIM_BAD(p, at, hint, ...) xg_fail_at((p)->c, XLAGPU_ERROR_SYNTAX, (p)->src, (at), (hint), __VA_ARGS__)
#define XG_SIM_UNSUPPORTED(p, at, hint, ...) \
    xg_fail_at((p)->c, XLAGPU_ERROR_UNSUPPORTED, (p)->src, (at), (hint), __VA_ARGS__)

/* ---- tokens ---- */

XG_FN bool xg_sim_is_word(char ch) {
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == '_' || ch == '$';
}
XG_FN bool xg_sim_is_digit(char ch) { return ch >= '0' && ch <= '9'; }

XG_FN void xg_sim_skip_line(xg_sim_asm *p) {
    while (p->pos < p->src->size && p->src->text[p->pos] != '\n') p->pos++;
}

XG_FN void xg_sim_skip_space(xg_sim_asm *p) {
    const char *s = p->src->text;
    size_t n = p->src->size;
    for (;;) {
        while (p->pos < n && (s[p->pos] == ' ' || (s[p->pos] >= '\t' && s[p->pos] <= '\r'))) p->pos++;
        if (p->pos + 1 < n && s[p->pos] == '/' && s[p->pos + 1] == '/')
            xg_sim_skip_line(p);
        else if (p->pos + 1 < n && s[p->pos] == '/' && s[p->pos + 1] == '*') {
            size_t start = p->pos;
            for (p->pos += 2; p->pos + 1 < n && !(s[p->pos] == '*' && s[p->pos + 1] == '/'); p->pos++) {}
            if (p->pos + 1 >= n) XG_SIM_BAD(p, start, "close it with */", "a comment without end");
            p->pos += 2;
        } else if (p->pos < n && s[p->pos] == '#' && (p->pos == 0 || s[p->pos - 1] == '\n'))
            xg_sim_skip_line(p);
        else
            return;
    }
}

XG_FN int xg_sim_hex(char ch) {
    return ch >= '0' && ch <= '9'   ? ch - '0'
           : ch >= 'a' && ch <= 'f' ? ch - 'a' + 10
           : ch >= 'A' && ch <= 'F' ? ch - 'A' + 10
                                    : 99;
}

/* 1.5, 2.5e-3, .5, 1e9: a float constant in decimal; the dot is at `dot`, or the last digit before an exponent is. */
XG_FN void xg_sim_decimal(xg_sim_asm *p, size_t dot) {
    const char *s = p->src->text + p->pos;
    size_t n = p->src->size - p->pos, i = dot + 1, sign;
    double d = 0;
    bool overflow;
    while (i < n && xg_sim_is_digit(s[i])) i++;
    if (i < n && (s[i] | 32) == 'e') {
        sign = i + 1 < n && (s[i + 1] == '+' || s[i + 1] == '-');
        if (i + 1 + sign < n && xg_sim_is_digit(s[i + 1 + sign]))
            for (i += 1 + sign; i < n && xg_sim_is_digit(s[i]); i++) {}
    }
    if (i < n && xg_sim_is_word(s[i])) XG_SIM_BAD(p, p->pos + i, NULL, "'%c' does not belong to a number", s[i]);
    if (!xg_float_parse(s, i, &d, &overflow)) XG_SIM_BAD(p, p->pos, NULL, "not a number");
    p->t.value = xg_sim_bits_f64(d);
    p->t.number = 8;
    p->t.kind = XG_SIM_TK_NUM;
    p->pos += i;
}

/* 0fXXXXXXXX, 0dXXXXXXXXXXXXXXXX, 0x, 0b, 0 octal, decimal with an optional U. */
XG_FN void xg_sim_number(xg_sim_asm *p) {
    const char *s = p->src->text + p->pos;
    size_t n = p->src->size - p->pos, i = 0, digits;
    int base = 10;
    uint64_t v = 0;
    char second = n > 1 ? (char)(s[1] | 32) : 0;
    p->t.number = 0;
    while (i < n && xg_sim_is_digit(s[i])) i++;
    if (i < n && s[i] == '.') {
        xg_sim_decimal(p, i);
        return;
    }
    if (i + 1 < n && (s[i] | 32) == 'e' && (xg_sim_is_digit(s[i + 1]) || s[i + 1] == '-' || s[i + 1] == '+')) {
        xg_sim_decimal(p, i - 1);
        return;
    }
    i = 0;
    if (s[0] == '0' && (second == 'f' || second == 'd' || second == 'x' || second == 'b')) {
        base = second == 'b' ? 2 : 16;
        if (second == 'f') p->t.number = 4;
        if (second == 'd') p->t.number = 8;
        i = 2;
    } else if (s[0] == '0')
        base = 8;
    for (digits = i; i < n && xg_sim_hex(s[i]) < base; i++) {
        if (v > (UINT64_MAX - (uint64_t)xg_sim_hex(s[i])) / (uint64_t)base)
            XG_SIM_BAD(p, p->pos, NULL, "the number does not fit 64 bits");
        v = v * (uint64_t)base + (uint64_t)xg_sim_hex(s[i]);
    }
    if (i == digits) XG_SIM_BAD(p, p->pos, NULL, "a number without digits");
    if (p->t.number && i - digits != (size_t)p->t.number * 2)
        XG_SIM_BAD(p, p->pos, "0f takes 8 hex digits, 0d takes 16", "a float constant with %zu digits", i - digits);
    if (!p->t.number && i < n && s[i] == 'U') i++;
    if (i < n && xg_sim_is_word(s[i])) XG_SIM_BAD(p, p->pos + i, NULL, "'%c' does not belong to a number", s[i]);
    p->t.value = v;
    p->t.kind = XG_SIM_TK_NUM;
    p->pos += i;
}

XG_FN void xg_sim_next(xg_sim_asm *p) {
    const char *s = p->src->text;
    size_t n = p->src->size, start;
    xg_sim_skip_space(p);
    start = p->pos;
    p->t.at = (uint32_t)start;
    if (start >= n) {
        p->t.kind = XG_SIM_TK_END;
        p->t.text = xg_str_of("end of text", 11);
        return;
    }
    if (xg_sim_is_digit(s[start]))
        xg_sim_number(p);
    else if (xg_sim_is_word(s[start]) || (s[start] == '%' && start + 1 < n && xg_sim_is_word(s[start + 1]))) {
        p->t.kind = XG_SIM_TK_WORD;
        for (p->pos++; p->pos < n && xg_sim_is_word(s[p->pos]); p->pos++) {}
    } else if (s[start] == '.' && start + 1 < n && xg_sim_is_word(s[start + 1])) {
        p->t.kind = XG_SIM_TK_DOT;
        for (p->pos++; p->pos < n; p->pos++) {
            if (s[p->pos] == ':' && p->pos + 2 < n && s[p->pos + 1] == ':' && xg_sim_is_word(s[p->pos + 2])) {
                p->pos += 2;
                continue;
            }
            if (!xg_sim_is_word(s[p->pos])) break;
        }
    } else if (s[start] == '"') {
        p->t.kind = XG_SIM_TK_STR;
        for (p->pos++; p->pos < n && s[p->pos] != '"' && s[p->pos] != '\n'; p->pos++) {}
        if (p->pos >= n || s[p->pos] != '"') XG_SIM_BAD(p, start, "close it with \"", "a string without end");
        p->pos++;
    } else {
        p->t.kind = XG_SIM_TK_PUNCT;
        p->pos++;
    }
    p->t.text = xg_str_of(s + start, p->pos - start);
}

XG_FN bool xg_sim_is(const xg_sim_asm *p, char ch) { return p->t.kind == XG_SIM_TK_PUNCT && p->t.text.p[0] == ch; }
XG_FN bool xg_sim_accept(xg_sim_asm *p, char ch) {
    if (!xg_sim_is(p, ch)) return false;
    xg_sim_next(p);
    return true;
}
XG_NORETURN XG_FN void xg_sim_unexpected(xg_sim_asm *p, const char *wanted) {
    XG_SIM_BAD(p, p->t.at, NULL, "expected %s, found '%.*s'", wanted, (int)XG_MIN(p->t.text.n, 60u), p->t.text.p);
}
XG_FN void xg_sim_expect(xg_sim_asm *p, char ch) {
    char what[4];
    what[0] = what[2] = '\'';
    what[1] = ch;
    what[3] = 0;
    if (!xg_sim_accept(p, ch)) xg_sim_unexpected(p, what);
}
XG_FN bool xg_sim_dot(const xg_sim_asm *p, const char *word) {
    return p->t.kind == XG_SIM_TK_DOT && p->t.text.n == strlen(word) + 1 &&
           memcmp(p->t.text.p + 1, word, p->t.text.n - 1) == 0;
}
XG_FN bool xg_sim_accept_dot(xg_sim_asm *p, const char *word) {
    if (!xg_sim_dot(p, word)) return false;
    xg_sim_next(p);
    return true;
}

/* ---- names and scopes ---- */

XG_FN uint32_t xg_sim_name(xg_sim_asm *p, xg_str s) {
    void *v = xg_dict_get(&p->names, s);
    if (!v) {
        v = (void *)(uintptr_t)++p->n_names;
        xg_dict_put(&p->names, s, v);
    }
    return (uint32_t)(uintptr_t)v;
}
XG_FN void xg_sim_scope_push(xg_sim_asm *p, uint32_t at) {
    if (++p->depth > XG_SIM_NEST)
        xg_fail_at(p->c, XLAGPU_ERROR_LIMIT, p->src, at, NULL, "blocks nest deeper than %d", (int)XG_SIM_NEST);
    p->n_scopes++;
    if (p->n_scopes >= p->parents_cap)
        p->parents = (uint32_t *)xg_vec_grow(&p->scratch, p->parents, &p->parents_cap, sizeof(uint32_t));
    p->parents[p->n_scopes] = p->scope;
    p->scope = p->n_scopes;
}
XG_FN void xg_sim_scope_pop(xg_sim_asm *p) {
    p->scope = p->parents[p->scope];
    p->depth--;
}

/* Ranges of registers have names of their own: %f<9> declares %f0, not %f. */
#define XG_SIM_RANGES 0x80000000u
XG_FN xg_sim_sym *xg_sim_lookup_id(const xg_sim_asm *p, uint32_t name, uint32_t scope, uint32_t ranges) {
    for (;;) {
        xg_sim_sym *s = (xg_sim_sym *)xg_map64_get(&p->syms, (uint64_t)name << 32 | scope | ranges);
        if (s || scope == 0) return s;
        scope = p->parents[scope];
    }
}
XG_FN xg_sim_sym *xg_sim_declare(xg_sim_asm *p, xg_str name, xg_sim_symkind kind, uint32_t scope, uint32_t at) {
    uint64_t key = (uint64_t)xg_sim_name(p, name) << 32 | scope;
    xg_sim_sym *s = (xg_sim_sym *)xg_map64_get(&p->syms, key);
    if (s && !(kind == XG_SIM_SYM_VAR && s->kind == XG_SIM_SYM_VAR && s->is_extern))
        XG_SIM_BAD(p, at, NULL, "'%.*s' is declared twice in this scope", (int)name.n, name.p);
    if (!s) {
        s = XG_NEW(&p->scratch, xg_sim_sym);
        xg_map64_put(&p->syms, key, s);
    }
    s->kind = kind;
    s->name = name;
    s->at = at;
    s->scope = scope;
    return s;
}
XG_FN uint32_t xg_sim_new_reg(xg_sim_asm *p, uint32_t bytes) { /* one of 16 bytes is two, one behind the other */
    xg_sim_vreg r;
    if (bytes == 16) {
        uint32_t low = xg_sim_new_reg(p, 8);
        xg_sim_new_reg(p, 8);
        return low;
    }
    memset(&r, 0, sizeof r);
    r.bytes = (uint8_t)(bytes == 1 ? 2 : bytes);
    r.first = XG_SIM_NOREG;
    if (p->vregs.n >= 1u << 30) xg_fail(p->c, XLAGPU_ERROR_LIMIT, "more than 2^30 registers");
    xg_push(&p->scratch, xg_sim_vreg, &p->vregs, r);
    return p->vregs.n - 1;
}

/* The symbol of a word; a member of a register range is made when first asked for. NULL when there is none. */
XG_FN xg_sim_sym *xg_sim_lookup(xg_sim_asm *p, xg_str w) {
    xg_sim_sym *s = NULL, *range;
    void *id = xg_dict_get(&p->names, w);
    uint32_t cut = w.n, i;
    uint64_t number = 0;
    if (id) s = xg_sim_lookup_id(p, (uint32_t)(uintptr_t)id, p->scope, 0);
    if (s) return s;
    while (cut > 1 && xg_sim_is_digit(w.p[cut - 1]) && w.n - cut < 9) cut--;
    for (; cut < w.n; cut++) { /* the longest number first: %r1<10> declares %r10 while %r<100> does too */
        id = xg_dict_get(&p->names, xg_str_of(w.p, cut));
        range = id ? xg_sim_lookup_id(p, (uint32_t)(uintptr_t)id, p->scope, XG_SIM_RANGES) : NULL;
        if (!range || (w.p[cut] == '0' && cut + 1 < w.n)) continue;
        for (number = 0, i = cut; i < w.n; i++) number = number * 10 + (uint64_t)(w.p[i] - '0');
        if (number >= range->count) continue;
        s = xg_sim_declare(p, w, XG_SIM_SYM_REG, range->scope & ~XG_SIM_RANGES, range->at);
        s->type = range->type;
        s->space = XG_SIM_REGS;
        s->reg = xg_sim_new_reg(p, range->bytes);
        p->vregs.p[s->reg].name = (uint32_t)(w.p - p->src->text) + 1;
        if (range->bytes == 16) p->vregs.p[s->reg + 1].name = p->vregs.p[s->reg].name;
        return s;
    }
    return NULL;
}

/* ---- types ---- */

typedef struct xg_sim_type_row {
    const char *text;
    uint8_t bytes, bits;
    char cls;
} xg_sim_type_row;
static const xg_sim_type_row xg_sim_types[XG_SIM_TYPE_COUNT] = {
#define X(name, text, bytes, bits, cls) {text, bytes, bits, #cls[0]},
    XG_SIM_TYPES(X)
#undef X
};
XG_FN xg_sim_type xg_sim_type_of(xg_str word) { /* without the dot; NONE when it is no type */
    int i;
    for (i = 1; i < XG_SIM_TYPE_COUNT; i++)
        if (xg_str_is(word, xg_sim_types[i].text)) return (xg_sim_type)i;
    return XG_SIM_NONE;
}
XG_FN xg_str xg_sim_undot(xg_str s) { return xg_str_of(s.p + 1, s.n - 1); }

XG_FN xg_sim_type xg_sim_parse_type(xg_sim_asm *p) {
    xg_sim_type t = p->t.kind == XG_SIM_TK_DOT ? xg_sim_type_of(xg_sim_undot(p->t.text)) : XG_SIM_NONE;
    if (t == XG_SIM_NONE) xg_sim_unexpected(p, "a type such as .b32");
    xg_sim_next(p);
    return t;
}

/* ---- constant expressions ---- */

/* All of C's operators on integers, which are signed until one of them is not: a literal with U or beyond 63 bits, a
 * cast. */
typedef struct xg_sim_value {
    uint64_t v;
    bool is_unsigned;
} xg_sim_value;
/* X(level, text): what binds more strongly has a higher level, what is longer stands first. */
/* clang-format off */
#define XG_SIM_BINARY(X) \
    X(1, "||") \
    X(2, "&&") \
    X(6, "==") \
    X(6, "!=") \
    X(8, "<<") \
    X(8, ">>") \
    X(7, "<=") \
    X(7, ">=") \
    X(7, "<") \
    X(7, ">") \
    X(3, "|") \
    X(4, "^") \
    X(5, "&") \
    X(9, "+") \
    X(9, "-") \
    X(10, "*") \
    X(10, "/") \
    X(10, "%")
/* clang-format on */
enum {
    XG_SIM_LEVEL_ALL = 0 /* with ?: */,
    XG_SIM_LEVEL_SHIFT = 8 /* what may stand before the '>' of a register range */,
    XG_SIM_LEVEL_UNARY = 11
};

typedef struct xg_sim_binary_row {
    int level;
    const char *text;
} xg_sim_binary_row;
static const xg_sim_binary_row xg_sim_binaries[] = {
#define X(level, text) {level, text},
    XG_SIM_BINARY(X)
#undef X
};

XG_FN xg_sim_value xg_sim_value_of(uint64_t v, bool is_unsigned) {
    xg_sim_value x;
    x.v = v;
    x.is_unsigned = is_unsigned;
    return x;
}
XG_FN xg_sim_value xg_sim_expr_value(xg_sim_asm *p, int level, int depth);
XG_FN xg_sim_value xg_sim_expr_one(xg_sim_asm *p, int depth) {
    xg_sim_value x;
    if (depth > 64)
        xg_fail_at(p->c, XLAGPU_ERROR_LIMIT, p->src, p->t.at, NULL, "the constant expression nests too deep");
    if (xg_sim_accept(p, '+')) return xg_sim_expr_one(p, depth + 1);
    if (xg_sim_accept(p, '-')) {
        x = xg_sim_expr_one(p, depth + 1);
        x.v = 0 - x.v;
        return x;
    }
    if (xg_sim_accept(p, '~')) {
        x = xg_sim_expr_one(p, depth + 1);
        x.v = ~x.v;
        return x;
    }
    if (xg_sim_accept(p, '!')) return xg_sim_value_of(!xg_sim_expr_one(p, depth + 1).v, false);
    if (xg_sim_accept(p, '(')) {
        if (p->t.kind == XG_SIM_TK_DOT) { /* a cast */
            const bool to_unsigned = p->t.text.n > 1 && p->t.text.p[1] == 'u';
            xg_sim_next(p);
            xg_sim_expect(p, ')');
            return xg_sim_value_of(xg_sim_expr_one(p, depth + 1).v, to_unsigned);
        }
        x = xg_sim_expr_value(p, XG_SIM_LEVEL_ALL, depth + 1);
        xg_sim_expect(p, ')');
        return x;
    }
    if (p->t.kind == XG_SIM_TK_WORD && xg_str_is(p->t.text, "WARP_SZ")) {
        xg_sim_next(p);
        return xg_sim_value_of(XG_SIM_WARP, false);
    }
    if (p->t.kind != XG_SIM_TK_NUM || p->t.number) xg_sim_unexpected(p, "an integer constant");
    x = xg_sim_value_of(p->t.value, p->t.value >> 63 || p->t.text.p[p->t.text.n - 1] == 'U');
    xg_sim_next(p);
    return x;
}
/* The operator that stands here: the first row that fits the text; NULL when none does or it binds less than
 * `level`. */
XG_FN const xg_sim_binary_row *xg_sim_binary_here(const xg_sim_asm *p, int level) {
    size_t i, n;
    if (p->t.kind != XG_SIM_TK_PUNCT) return NULL;
    for (i = 0; i < XG_COUNT(xg_sim_binaries); i++) {
        n = strlen(xg_sim_binaries[i].text);
        if (p->src->size - p->t.at >= n && memcmp(p->src->text + p->t.at, xg_sim_binaries[i].text, n) == 0)
            return xg_sim_binaries[i].level >= level ? &xg_sim_binaries[i] : NULL;
    }
    return NULL;
}
XG_FN uint64_t xg_sim_binary(
    xg_sim_asm *p, const char *op, xg_sim_value a, xg_sim_value b, bool is_unsigned, uint32_t at) {
    const bool both = is_unsigned || !((a.v | b.v) >> 63); /* signed and unsigned agree */
    const bool less = both ? a.v < b.v : (int64_t)a.v < (int64_t)b.v;
    if ((op[0] == '/' || op[0] == '%') && b.v == 0)
        XG_SIM_BAD(p, at, NULL, "division by zero in a constant expression");
    switch (op[0]) {
    case '|': return op[1] ? a.v || b.v : a.v | b.v;
    case '&': return op[1] ? a.v && b.v : a.v & b.v;
    case '^': return a.v ^ b.v;
    case '=': return a.v == b.v;
    case '!': return a.v != b.v;
    case '<': return op[1] == '<' ? (b.v > 63 ? 0 : a.v << b.v) : op[1] ? less || a.v == b.v : less;
    case '>':
        if (op[1] == '>')
            return a.is_unsigned || !(a.v >> 63) ? (b.v > 63 ? 0 : a.v >> b.v) : ~(b.v > 63 ? 0 : ~a.v >> b.v);
        return op[1] ? !less : !less && a.v != b.v;
    case '+': return a.v + b.v;
    case '-': return a.v - b.v;
    case '*': return a.v * b.v;
    default: {
        const uint64_t x = both || !(a.v >> 63) ? a.v : 0 - a.v, y = both || !(b.v >> 63) ? b.v : 0 - b.v;
        const bool minus = !both && (op[0] == '%' ? a.v >> 63 : (a.v ^ b.v) >> 63);
        const uint64_t r = op[0] == '/' ? x / y : x % y;
        return minus ? 0 - r : r;
    }
    }
}
XG_FN xg_sim_value xg_sim_expr_value(xg_sim_asm *p, int level, int depth) {
    const xg_sim_binary_row *row;
    xg_sim_value a = xg_sim_expr_one(p, depth), b, c;
    while ((row = xg_sim_binary_here(p, level)) != NULL) {
        const uint32_t at = p->t.at;
        const bool truth = row->level <= 2 || row->level == 6 || row->level == 7;
        xg_sim_next(p);
        if (row->text[1]) xg_sim_next(p);
        b = xg_sim_expr_value(p, row->level + 1, depth + 1);
        c.is_unsigned = a.is_unsigned || (b.is_unsigned && row->level != 8);
        c.v = xg_sim_binary(p, row->text, a, b, c.is_unsigned, at);
        a = xg_sim_value_of(c.v, c.is_unsigned && !truth);
    }
    if (level > XG_SIM_LEVEL_ALL || !xg_sim_accept(p, '?')) return a;
    b = xg_sim_expr_value(p, XG_SIM_LEVEL_ALL, depth + 1);
    xg_sim_expect(p, ':');
    c = xg_sim_expr_value(p, XG_SIM_LEVEL_ALL, depth + 1);
    return xg_sim_value_of(a.v ? b.v : c.v, b.is_unsigned || c.is_unsigned);
}
XG_FN uint64_t xg_sim_expr(xg_sim_asm *p, int level) { return xg_sim_expr_value(p, level, 0).v; }
XG_FN uint32_t xg_sim_small(xg_sim_asm *p, const char *what, uint32_t max) {
    uint32_t at = p->t.at;
    uint64_t v = xg_sim_expr(p, XG_SIM_LEVEL_SHIFT);
    if (v > max) XG_SIM_BAD(p, at, NULL, "%s may be at most %u", what, max);
    return (uint32_t)v;
}
XG_FN uint32_t xg_sim_align(xg_sim_asm *p) {
    uint32_t at = p->t.at, v = xg_sim_small(p, "an alignment", 1u << 20);
    if (!v || (v & (v - 1))) XG_SIM_BAD(p, at, NULL, "an alignment must be a power of two, not %u", v);
    return v;
}

#endif /* XG_SIM_TEXT_C */
/* sim/parse.c -- PTX text to statements: operands, variables, functions, directives.
 *
 * One pass, no tree: directives act at once (they declare symbols, lay out variables), an instruction is read into one
 * xg_sim_stmt and handed to xg_sim_decode. Labels may be used before they are defined: branches are resolved when the
 * function ends (flow.c). */
#ifndef XG_SIM_PARSE_C
#define XG_SIM_PARSE_C

/* ---- operands ---- */

/* + or - and a number, behind a variable's name. */
XG_FN uint64_t xg_sim_addend(xg_sim_asm *p) {
    const bool minus = xg_sim_is(p, '-');
    const uint64_t v = (xg_sim_next(p), xg_sim_expr(p, XG_SIM_LEVEL_UNARY - 1));
    return minus ? 0 - v : v;
}
/* .5, which was read as a word with a dot */
XG_FN void xg_sim_fraction(xg_sim_asm *p) {
    const uint32_t at = p->t.at;
    if (p->t.kind != XG_SIM_TK_DOT || !xg_sim_is_digit(p->t.text.p[1])) return;
    p->pos = at;
    xg_sim_decimal(p, 0);
    p->t.text = xg_str_of(p->src->text + at, p->pos - at);
}

/* A vector register is its registers in braces; with .x .y .z .w or .r .g .b .a behind it, one of them. */
XG_FN void xg_sim_operand_vector(xg_sim_asm *p, xg_sim_operand *o, xg_sim_sym *s) {
    static const char letters[] = "xyzwrgba";
    uint32_t i;
    xg_sim_next(p);
    if (p->t.kind == XG_SIM_TK_DOT) {
        const char *at = p->t.text.n == 2 ? strchr(letters, p->t.text.p[1]) : NULL;
        if (!at || (uint32_t)(at - letters) % 4 >= s->count) xg_sim_unexpected(p, "an element of the vector");
        o->kind = XG_SIM_O_REG;
        o->sym = &s->members[(at - letters) % 4];
        xg_sim_next(p);
        return;
    }
    o->kind = XG_SIM_O_VEC;
    o->n = s->count;
    o->items = XG_NEW_N(&p->scratch, xg_sim_operand, s->count);
    for (i = 0; i < s->count; i++) {
        o->items[i].kind = XG_SIM_O_REG;
        o->items[i].at = o->at;
        o->items[i].word = o->word;
        o->items[i].sym = &s->members[i];
    }
}
XG_FN void xg_sim_operand_word(xg_sim_asm *p, xg_sim_operand *o) {
    xg_sim_sym *s = xg_sim_lookup(p, p->t.text);
    o->word = p->t.text;
    o->sym = s;
    if (s && s->kind == XG_SIM_SYM_VECTOR) {
        xg_sim_operand_vector(p, o, s);
        return;
    }
    if (xg_str_is(p->t.text, "_"))
        o->kind = XG_SIM_O_SINK;
    else if (!s)
        o->kind = p->t.text.p[0] == '%' ? XG_SIM_O_SREG : XG_SIM_O_LABEL;
    else if (s->kind == XG_SIM_SYM_REG)
        o->kind = XG_SIM_O_REG;
    else if (s->kind == XG_SIM_SYM_VAR)
        o->kind = XG_SIM_O_VAR;
    else if (s->kind == XG_SIM_SYM_FUNC)
        o->kind = XG_SIM_O_FUNC;
    else
        o->kind = XG_SIM_O_LABEL;
    xg_sim_next(p);
    if (o->kind == XG_SIM_O_SREG && p->t.kind == XG_SIM_TK_DOT && p->t.text.n == 2) {
        o->word = xg_str_of(o->word.p, (size_t)(p->t.text.p + 2 - o->word.p));
        xg_sim_next(p);
    }
    if (o->kind == XG_SIM_O_REG && p->t.kind == XG_SIM_TK_DOT && p->stmt->op.n && p->stmt->op.p[0] == 'v') {
        o->select = p->t.text;
        xg_sim_next(p);
    }
    while (o->kind == XG_SIM_O_VAR && (xg_sim_is(p, '+') || xg_sim_is(p, '-'))) o->value += xg_sim_addend(p);
}
/* A float constant whose sign has been read. */
XG_FN void xg_sim_operand_float(xg_sim_asm *p, xg_sim_operand *o, bool minus) {
    o->kind = XG_SIM_O_NUM;
    o->number = p->t.number;
    o->value = minus ? p->t.value ^ (uint64_t)1 << (o->number * 8 - 1) : p->t.value;
    xg_sim_next(p);
}
/* A constant, or the -r of vmad. */
XG_FN void xg_sim_operand_number(xg_sim_asm *p, xg_sim_operand *o) {
    const bool minus = xg_sim_is(p, '-');
    const size_t back = p->pos;
    const xg_sim_tok t = p->t;
    if (minus) xg_sim_next(p);
    xg_sim_fraction(p);
    if (p->t.kind == XG_SIM_TK_NUM && p->t.number) {
        xg_sim_operand_float(p, o, minus);
        return;
    }
    if (minus && p->t.kind == XG_SIM_TK_WORD && xg_str_is(p->stmt->op, "vmad")) {
        xg_sim_operand_word(p, o);
        o->minus = true;
        return;
    }
    p->pos = back;
    p->t = t;
    o->kind = XG_SIM_O_NUM;
    o->value = xg_sim_expr(p, XG_SIM_LEVEL_ALL);
}

XG_FN void xg_sim_operand_read(xg_sim_asm *p, xg_sim_operand *o, int depth) {
    memset(o, 0, sizeof *o);
    o->at = p->t.at;
    if (depth > 2) XG_SIM_BAD(p, p->t.at, NULL, "operands nest too deep");
    if (xg_sim_is(p, '!') && p->pos < p->src->size &&
        (p->src->text[p->pos] == '%' || !xg_sim_is_digit(p->src->text[p->pos]))) {
        xg_sim_next(p);
        o->inverted = p->t.kind == XG_SIM_TK_WORD;
        if (!o->inverted) xg_sim_unexpected(p, "a predicate");
    }
    if (xg_sim_is(p, '{') || (depth == 0 && xg_sim_is(p, '(') && xg_str_is(p->stmt->op, "call"))) {
        bool vec = xg_sim_is(p, '{');
        XG_VEC(xg_sim_operand) v = {NULL, 0, 0};
        xg_sim_operand item;
        o->kind = vec ? XG_SIM_O_VEC : XG_SIM_O_LIST;
        xg_sim_next(p);
        while (!xg_sim_is(p, vec ? '}' : ')')) {
            xg_sim_operand_read(p, &item, depth + 1);
            if (v.n >= XG_SIM_VECTOR * 4)
                xg_fail_at(
                    p->c, XLAGPU_ERROR_LIMIT, p->src, o->at, NULL, "a vector of more than %d items", XG_SIM_VECTOR * 4);
            xg_push(&p->scratch, xg_sim_operand, &v, item);
            if (!xg_sim_accept(p, ',')) break;
        }
        xg_sim_expect(p, vec ? '}' : ')');
        o->items = v.p;
        o->n = v.n;
    } else if (xg_sim_accept(p, '[')) {
        o->kind = XG_SIM_O_ADDR;
        o->items = XG_NEW(&p->scratch, xg_sim_operand);
        o->n = 1;
        xg_sim_operand_read(p, o->items, depth + 1);
        if (o->items->kind != XG_SIM_O_REG && o->items->kind != XG_SIM_O_VAR && o->items->kind != XG_SIM_O_NUM)
            XG_SIM_BAD(p, o->items->at, "an address is [register], [register+offset], [variable+offset] or [number]",
                "not an address");
        if (xg_sim_is(p, '+') || xg_sim_is(p, '-')) {
            xg_sim_accept(p, '+');
            o->value = xg_sim_expr(p, XG_SIM_LEVEL_ALL);
        }
        if (xg_sim_accept(p, ',')) { /* a tensor map and the place of a box in it */
            o->pair = XG_NEW(&p->scratch, xg_sim_operand);
            xg_sim_operand_read(p, o->pair, depth + 1);
        }
        xg_sim_expect(p, ']');
    } else if (p->t.kind == XG_SIM_TK_WORD && !xg_str_is(p->t.text, "WARP_SZ"))
        xg_sim_operand_word(p, o);
    else if (p->t.kind == XG_SIM_TK_WORD || p->t.kind == XG_SIM_TK_NUM ||
             (p->t.kind == XG_SIM_TK_DOT && xg_sim_is_digit(p->t.text.p[1])) ||
             (p->t.kind == XG_SIM_TK_PUNCT && strchr("-+~!(", p->t.text.p[0])))
        xg_sim_operand_number(p, o);
    else
        xg_sim_unexpected(p, "an operand");
    if (depth == 0 && (o->kind == XG_SIM_O_REG || o->kind == XG_SIM_O_SINK) && xg_sim_accept(p, '|')) {
        o->pair = XG_NEW(&p->scratch, xg_sim_operand);
        xg_sim_operand_read(p, o->pair, 1);
    }
}

/* ---- variables ---- */

/* What a pointer to a function is: nothing that could be read. */
XG_FN uint64_t xg_sim_function_address(const xg_sim_func *f) {
    return (uint64_t)0x7F << 56 | (uint64_t)(f->id + 1) << 4;
}

/* An initial value that is an address: of a function, or of a variable defined before; generic(v) is the same here. */
XG_FN uint64_t xg_sim_initial_address(xg_sim_asm *p) {
    const bool generic = xg_str_is(p->t.text, "generic");
    xg_sim_sym *s;
    uint64_t v;
    if (generic) {
        xg_sim_next(p);
        xg_sim_expect(p, '(');
    }
    s = p->t.kind == XG_SIM_TK_WORD ? xg_sim_lookup(p, p->t.text) : NULL;
    if (s && s->kind == XG_SIM_SYM_FUNC)
        v = xg_sim_function_address(s->func);
    else if (s && s->kind == XG_SIM_SYM_VAR && (s->space == XG_SIM_GLOBAL || s->space == XG_SIM_CONST))
        v = s->offset;
    else
        XG_SIM_UNSUPPORTED(p, p->t.at, "only addresses of functions and of .global and .const variables defined before",
            "this initial value is not supported");
    xg_sim_next(p);
    if (generic) xg_sim_expect(p, ')');
    while (xg_sim_is(p, '+') || xg_sim_is(p, '-')) v += xg_sim_addend(p);
    return v;
}
XG_FN void xg_sim_put_value(xg_sim_asm *p, char *out, xg_sim_type type, uint64_t room) {
    uint32_t bytes = xg_sim_types[type].bytes;
    xg_sim_operand o;
    uint64_t v;
    if (bytes > room) XG_SIM_BAD(p, p->t.at, NULL, "more initial values than the variable has room for");
    memset(&o, 0, sizeof o);
    if (p->t.kind == XG_SIM_TK_WORD && !xg_str_is(p->t.text, "WARP_SZ"))
        v = xg_sim_initial_address(p);
    else {
        xg_sim_operand_number(p, &o);
        v = o.value;
        if (o.number == 8 && bytes == 4)
            v = xg_sim_pack(xg_sim_unpack(v, XG_SIM_IS_F64), XG_SIM_IS_F32, XG_SIM_RN, false);
        if (o.number == 4 && bytes == 8)
            v = xg_sim_pack(xg_sim_unpack(v, XG_SIM_IS_F32), XG_SIM_IS_F64, XG_SIM_RN, false);
        if (!o.number && v && xg_sim_accept(p, '(')) { /* 0xFF00(v): some bits of an address, moved down */
            uint64_t mask = v;
            v = xg_sim_initial_address(p) & mask;
            for (; !(mask & 1); mask >>= 1) v >>= 1;
            xg_sim_expect(p, ')');
        }
    }
    memcpy(out, &v, bytes > 8 ? 8 : bytes);
}

/* The dimensions of an array, the bytes of one element of each: a row begins where the one before ends, whether that is
 * full or not. */
enum {
    XG_SIM_DIMENSIONS = 16
};
typedef struct xg_sim_extent {
    uint64_t bytes, row[XG_SIM_DIMENSIONS];
    uint32_t n;
    bool open; /* the first one's length follows from the initial values */
} xg_sim_extent;

/* Values between braces, of row dimension `level`, the first brace being read. */
XG_FN void xg_sim_initialise_row(
    xg_sim_asm *p, char *out, uint64_t bytes, xg_sim_type type, const xg_sim_extent *shape, uint32_t level) {
    uint64_t at = 0, step = xg_sim_types[type].bytes, row = level < shape->n ? shape->row[level] : step;
    if (level > XG_SIM_DIMENSIONS) XG_SIM_BAD(p, p->t.at, NULL, "the initial values nest too deep");
    while (!xg_sim_is(p, '}')) {
        if (xg_sim_accept(p, '{')) {
            at = (at + row - 1) / row * row;
            if (at + row > bytes) XG_SIM_BAD(p, p->t.at, NULL, "more initial values than the variable has room for");
            xg_sim_initialise_row(p, out + at, row, type, shape, level + 1);
            at += row;
        } else {
            xg_sim_put_value(p, out + at, type, bytes - at);
            at += step;
        }
        if (!xg_sim_accept(p, ',')) break;
    }
    xg_sim_expect(p, '}');
}
XG_FN void xg_sim_initialise(xg_sim_asm *p, xg_sim_sym *s, xg_sim_type type, const xg_sim_extent *shape) {
    char *out = (char *)(uintptr_t)s->offset;
    if (xg_sim_accept(p, '{'))
        xg_sim_initialise_row(p, out, s->bytes, type, shape, 0);
    else
        xg_sim_put_value(p, out, type, s->bytes);
}
/* How many bytes the values behind '=' make of an array whose first dimension is left out. */
XG_FN uint64_t xg_sim_initial_bytes(xg_sim_asm *p, xg_sim_type type, const xg_sim_extent *shape) {
    const size_t back = p->pos;
    const xg_sim_tok t = p->t;
    uint64_t items = 0, row = shape->row[0], rows = 0;
    int depth = 0;
    bool item = false; /* something stands since the last comma or brace */
    xg_sim_next(p);
    do {
        if (p->t.kind == XG_SIM_TK_END || xg_sim_is(p, ';')) xg_sim_unexpected(p, "'}'");
        if (xg_sim_is(p, '{')) {
            if (depth++ == 1) rows++;
            item = false;
        } else if (xg_sim_is(p, '}') || xg_sim_is(p, ',')) {
            if (depth == 1 && item) items++;
            item = false;
            depth -= xg_sim_is(p, '}');
        } else
            item = depth == 1;
        xg_sim_next(p);
    } while (depth > 0);
    p->pos = back;
    p->t = t;
    return (rows + (items * xg_sim_types[type].bytes + row - 1) / row) * row;
}

XG_FN xg_sim_extent xg_sim_dimensions(xg_sim_asm *p, xg_sim_type type, uint32_t lanes) {
    uint64_t length[XG_SIM_DIMENSIONS];
    int64_t total = (int64_t)xg_sim_types[type].bytes * lanes;
    xg_sim_extent shape;
    uint32_t i;
    memset(&shape, 0, sizeof shape);
    for (; xg_sim_accept(p, '['); shape.n++) {
        uint32_t at = p->t.at;
        if (shape.n == XG_SIM_DIMENSIONS) XG_SIM_BAD(p, at, NULL, "more than %d dimensions", (int)XG_SIM_DIMENSIONS);
        length[shape.n] = 1;
        if (shape.n == 0 && xg_sim_is(p, ']'))
            shape.open = true;
        else {
            length[shape.n] = xg_sim_expr(p, XG_SIM_LEVEL_ALL);
            if (length[shape.n] > (uint64_t)1 << 40)
                xg_fail_at(p->c, XLAGPU_ERROR_LIMIT, p->src, at, NULL, "the variable is larger than 2^40 bytes");
        }
        xg_sim_expect(p, ']');
    }
    for (i = shape.n; i-- > 0;) {
        shape.row[i] = (uint64_t)total;
        if (!xg_mul64(total, (int64_t)length[i], &total) || total > (int64_t)1 << 40)
            xg_fail_at(p->c, XLAGPU_ERROR_LIMIT, p->src, p->t.at, NULL, "the variable is larger than 2^40 bytes");
    }
    shape.bytes = (uint64_t)total;
    return shape;
}

XG_FN uint32_t xg_sim_frame_local(xg_sim_asm *p, uint64_t bytes, uint32_t align, uint32_t at) {
    uint64_t start = ((uint64_t)p->local + align - 1) / align * align;
    if (start + bytes > 1u << 24)
        xg_fail_at(p->c, XLAGPU_ERROR_LIMIT, p->src, at, NULL, "more than 16 MiB of local memory a thread");
    p->local = (uint32_t)(start + bytes);
    return (uint32_t)start;
}

/* Gives a variable its place; the bytes of .global and .const ones live in the module's arena. */
XG_FN void xg_sim_place(xg_sim_asm *p, xg_sim_sym *s) {
    if (s->space == XG_SIM_SHARED) {
        s->offset = XG_SIM_NOREG;
        xg_push(&p->scratch, xg_sim_sym *, &p->shared, s);
    } else if (s->space == XG_SIM_LOCAL)
        s->offset = xg_sim_frame_local(p, s->bytes, s->align, s->at);
    else {
        xg_sim_var v;
        char *mem;
        if (s->bytes > 1u << 30)
            xg_fail_at(p->c, XLAGPU_ERROR_LIMIT, p->src, s->at, NULL, "a variable of more than 1 GiB");
        mem = (char *)xg_alloc(p->a, xg_add(p->c, (size_t)s->bytes, s->align));
        s->offset = ((uint64_t)(uintptr_t)mem + s->align - 1) / s->align * s->align;
        memset(&v, 0, sizeof v);
        v.name = xg_str_copy(p->a, s->name);
        v.address = s->offset;
        v.bytes = s->bytes;
        v.readonly = s->space == XG_SIM_CONST;
        xg_push(&p->scratch, xg_sim_var, &p->vars, v);
    }
}

/* (.managed), (.unified(1, 2)): where the driver would put it. */
XG_FN void xg_sim_skip_attribute(xg_sim_asm *p) {
    int depth = 0;
    do {
        if (p->t.kind == XG_SIM_TK_END) xg_sim_unexpected(p, "')'");
        depth += xg_sim_is(p, '(') - xg_sim_is(p, ')');
        xg_sim_next(p);
    } while (depth > 0);
}
/* `.shared .align 16 .b8 name[64] = {...}, other;` from the first word after the space. */
XG_FN void xg_sim_variables(xg_sim_asm *p, xg_sim_space space, bool is_extern) {
    uint32_t align = 0, lanes = 1;
    xg_sim_type type;
    for (;;) {
        if (xg_sim_accept_dot(p, "align"))
            align = xg_sim_align(p);
        else if (xg_sim_accept_dot(p, "v2"))
            lanes = 2;
        else if (xg_sim_accept_dot(p, "v4"))
            lanes = 4;
        else if (xg_sim_accept_dot(p, "attribute"))
            xg_sim_skip_attribute(p);
        else
            break;
    }
    type = xg_sim_parse_type(p);
    do {
        xg_sim_extent shape;
        xg_str name = p->t.text;
        uint32_t at = p->t.at;
        xg_sim_sym *s;
        if (p->t.kind != XG_SIM_TK_WORD) xg_sim_unexpected(p, "the name of a variable");
        s = xg_sim_declare(p, name, XG_SIM_SYM_VAR, p->scope, at);
        xg_sim_next(p);
        s->type = type;
        s->space = space;
        s->is_extern = is_extern;
        s->align = XG_MAX(align, XG_MAX(1u, xg_sim_types[type].bytes * lanes));
        shape = xg_sim_dimensions(p, type, lanes);
        s->bytes = shape.bytes;
        if (shape.open && space == XG_SIM_SHARED) {
            s->bytes = 0;
            s->is_extern = true;
        } else if (shape.open && xg_sim_is(p, '=') && shape.row[0])
            s->bytes = xg_sim_initial_bytes(p, type, &shape);
        else if (shape.open)
            XG_SIM_UNSUPPORTED(p, at, "give the array its size", "an array without size");
        if (is_extern && space != XG_SIM_SHARED)
            XG_SIM_UNSUPPORTED(p, at, "link the module that defines it", "the variable '%.*s' is defined elsewhere",
                (int)name.n, name.p);
        xg_sim_place(p, s);
        if (xg_sim_accept(p, '=')) {
            if (space != XG_SIM_GLOBAL && space != XG_SIM_CONST)
                XG_SIM_BAD(p, at, NULL, "only .global and .const variables can have initial values");
            xg_sim_initialise(p, s, type, &shape);
        }
    } while (xg_sim_accept(p, ','));
    xg_sim_expect(p, ';');
}

XG_FN void xg_sim_registers(xg_sim_asm *p) {
    xg_sim_type type;
    const uint32_t lanes = xg_sim_accept_dot(p, "v2") ? 2 : xg_sim_accept_dot(p, "v4") ? 4 : 1;
    uint32_t i;
    type = xg_sim_parse_type(p);
    do {
        xg_str name = p->t.text;
        xg_sim_sym *s;
        uint32_t at = p->t.at;
        if (p->t.kind != XG_SIM_TK_WORD) xg_sim_unexpected(p, "the name of a register");
        xg_sim_next(p);
        if (lanes > 1) {
            s = xg_sim_declare(p, name, XG_SIM_SYM_VECTOR, p->scope, at);
            s->count = lanes;
            s->members = XG_NEW_N(&p->scratch, xg_sim_sym, lanes);
            for (i = 0; i < lanes; i++) {
                xg_sim_sym *r = &s->members[i];
                r->kind = XG_SIM_SYM_REG;
                r->type = type;
                r->space = XG_SIM_REGS;
                r->name = name;
                r->at = at;
                r->scope = p->scope;
                r->bytes = xg_sim_types[type].bytes;
                r->reg = xg_sim_new_reg(p, xg_sim_types[type].bytes);
                p->vregs.p[r->reg].name = at + 1;
            }
        } else if (xg_sim_accept(p, '<')) {
            s = xg_sim_declare(p, name, XG_SIM_SYM_RANGE, p->scope | XG_SIM_RANGES, at);
            s->count = xg_sim_small(p, "a register count", 1u << 30);
            xg_sim_expect(p, '>');
        } else {
            s = xg_sim_declare(p, name, XG_SIM_SYM_REG, p->scope, at);
            s->reg = xg_sim_new_reg(p, xg_sim_types[type].bytes);
            p->vregs.p[s->reg].name = at + 1;
        }
        s->type = type;
        s->space = XG_SIM_REGS;
        s->bytes = xg_sim_types[type].bytes;
    } while (xg_sim_accept(p, ','));
    xg_sim_expect(p, ';');
}

/* ---- function bodies ---- */

XG_FN void xg_sim_modifiers(xg_sim_asm *p, xg_sim_stmt *s) {
    while (p->t.kind == XG_SIM_TK_DOT) {
        if (s->n_mods >= XG_SIM_MODS) XG_SIM_BAD(p, p->t.at, NULL, "more than %d modifiers", (int)XG_SIM_MODS);
        s->mods[s->n_mods] = xg_sim_undot(p->t.text);
        s->mod_at[s->n_mods++] = p->t.at;
        xg_sim_next(p);
    }
}

XG_FN void xg_sim_instruction(xg_sim_asm *p, uint32_t guard, bool guard_not) {
    xg_sim_stmt *s = p->stmt;
    memset(s, 0, sizeof *s);
    s->at = p->t.at;
    s->op = p->t.text;
    s->guard = guard;
    s->guard_not = guard_not;
    if (p->t.kind != XG_SIM_TK_WORD) xg_sim_unexpected(p, "an instruction");
    xg_sim_next(p);
    xg_sim_modifiers(p, s);
    while (!xg_sim_is(p, ';')) {
        if (s->n >= XG_SIM_OPERANDS) XG_SIM_BAD(p, p->t.at, NULL, "more than %d operands", (int)XG_SIM_OPERANDS);
        xg_sim_operand_read(p, &s->o[s->n++], 0);
        if (!xg_sim_accept(p, ',')) break;
    }
    xg_sim_expect(p, ';');
    s->first = p->code.n;
    xg_sim_decode(p, s);
}

XG_FN void xg_sim_label(xg_sim_asm *p, xg_str name, uint32_t at) {
    xg_sim_sym *s;
    if (xg_sim_dot(p, "branchtargets")) {
        XG_VEC(uint32_t) v = {NULL, 0, 0};
        s = xg_sim_declare(p, name, XG_SIM_SYM_TARGETS, p->scope, at);
        do {
            xg_sim_next(p);
            if (p->t.kind != XG_SIM_TK_WORD) xg_sim_unexpected(p, "a label");
            xg_push(&p->scratch, uint32_t, &v, xg_sim_name(p, p->t.text));
            xg_sim_next(p);
        } while (xg_sim_is(p, ','));
        xg_sim_expect(p, ';');
        s->targets = v.p;
        s->n_targets = v.n;
    } else if (xg_sim_dot(p, "callprototype") || xg_sim_dot(p, "calltargets")) {
        xg_sim_declare(p, name, XG_SIM_SYM_PROTO, p->scope, at);
        while (!xg_sim_is(p, ';') && p->t.kind != XG_SIM_TK_END) xg_sim_next(p);
        xg_sim_expect(p, ';');
    } else {
        s = xg_sim_declare(p, name, XG_SIM_SYM_LABEL, p->scope, at);
        s->record = p->code.n;
        xg_push(&p->scratch, uint32_t, &p->labels, p->code.n);
    }
}

XG_FN void xg_sim_body_directive(xg_sim_asm *p) {
    if (xg_sim_accept_dot(p, "reg"))
        xg_sim_registers(p);
    else if (xg_sim_accept_dot(p, "shared"))
        xg_sim_variables(p, XG_SIM_SHARED, false);
    else if (xg_sim_accept_dot(p, "local") || xg_sim_accept_dot(p, "param"))
        xg_sim_variables(p, XG_SIM_LOCAL, false);
    else if (xg_sim_accept_dot(p, "global"))
        xg_sim_variables(p, XG_SIM_GLOBAL, false);
    else if (xg_sim_accept_dot(p, "const"))
        xg_sim_variables(p, XG_SIM_CONST, false);
    else if (xg_sim_dot(p, "loc") || xg_sim_dot(p, "file")) {
        xg_sim_skip_line(p);
        xg_sim_next(p);
    } else if (xg_sim_accept_dot(p, "pragma")) {
        while (p->t.kind == XG_SIM_TK_STR || xg_sim_is(p, ',')) xg_sim_next(p);
        xg_sim_expect(p, ';');
    } else if (xg_sim_accept_dot(p, "extern")) {
        if (!xg_sim_accept_dot(p, "shared")) xg_sim_unexpected(p, ".shared");
        xg_sim_variables(p, XG_SIM_SHARED, true);
    } else
        XG_SIM_UNSUPPORTED(
            p, p->t.at, NULL, "the directive '%.*s' is not known inside a function", (int)p->t.text.n, p->t.text.p);
}

XG_FN void xg_sim_body(xg_sim_asm *p) { /* after '{', up to the matching '}' */
    uint32_t outer = p->depth;
    xg_sim_scope_push(p, p->t.at);
    while (p->depth > outer) {
        uint32_t guard = XG_SIM_NOREG, at = p->t.at;
        bool guard_not = false;
        if (p->t.kind == XG_SIM_TK_END) XG_SIM_BAD(p, at, "close it with }", "the function has no end");
        if (xg_sim_accept(p, '{')) {
            xg_sim_scope_push(p, at);
            continue;
        }
        if (xg_sim_is(p, '}')) {
            xg_sim_scope_pop(p);
            if (p->depth > outer) xg_sim_next(p);
            continue;
        }
        if (xg_sim_accept(p, ';')) continue;
        if (p->t.kind == XG_SIM_TK_DOT) {
            xg_sim_body_directive(p);
            continue;
        }
        if (xg_sim_accept(p, '@')) {
            xg_sim_sym *s;
            if (xg_sim_is(p, '@')) {
                xg_sim_skip_line(p);
                xg_sim_next(p);
                continue;
            }
            guard_not = xg_sim_accept(p, '!');
            s = p->t.kind == XG_SIM_TK_WORD ? xg_sim_lookup(p, p->t.text) : NULL;
            if (!s || s->kind != XG_SIM_SYM_REG || s->type != XG_SIM_PRED)
                XG_SIM_BAD(p, p->t.at, "@p or @!p with a .pred register", "'%.*s' is not a predicate", (int)p->t.text.n,
                    p->t.text.p);
            guard = s->reg << 1;
            xg_sim_next(p);
        } else if (p->t.kind == XG_SIM_TK_WORD) {
            xg_str name = p->t.text;
            size_t back = p->pos;
            xg_sim_tok t = p->t;
            xg_sim_next(p);
            if (xg_sim_accept(p, ':')) {
                xg_sim_label(p, name, at);
                continue;
            }
            p->pos = back;
            p->t = t;
        }
        xg_sim_instruction(p, guard, guard_not);
    }
    xg_sim_expect(p, '}');
}

/* ---- entries and functions ---- */

XG_FN void xg_sim_formal_param(
    xg_sim_asm *p, xg_sim_func *f, xg_sim_param *out, xg_sim_formal *formal, uint32_t *offset) {
    uint32_t align = 0, at;
    bool reg = xg_sim_accept_dot(p, "reg");
    xg_sim_type type;
    xg_sim_extent shape;
    xg_sim_sym *s;
    memset(out, 0, sizeof *out);
    memset(formal, 0, sizeof *formal);
    if (!reg && !xg_sim_accept_dot(p, "param")) xg_sim_unexpected(p, ".param");
    if (xg_sim_accept_dot(p, "align")) align = xg_sim_align(p);
    type = xg_sim_parse_type(p);
    while (p->t.kind == XG_SIM_TK_DOT) {
        if (xg_sim_accept_dot(p, "ptr"))
            out->pointer = true;
        else if (xg_sim_accept_dot(p, "align"))
            out->pointee_align = xg_sim_align(p);
        else if (xg_sim_accept_dot(p, "global") || xg_sim_accept_dot(p, "shared") || xg_sim_accept_dot(p, "const") ||
                 xg_sim_accept_dot(p, "local") || xg_sim_accept_dot(p, "generic") || xg_sim_accept_dot(p, "noalias")) {
        } else
            xg_sim_unexpected(p, "a parameter's name");
    }
    at = p->t.at;
    out->name = p->t.text;
    if (p->t.kind != XG_SIM_TK_WORD) xg_sim_unexpected(p, "a parameter's name");
    s = xg_sim_declare(p, p->t.text, reg ? XG_SIM_SYM_REG : XG_SIM_SYM_VAR, p->scope, at);
    xg_sim_next(p);
    s->type = type;
    s->align = XG_MAX(align, XG_MAX(1u, (uint32_t)xg_sim_types[type].bytes));
    shape = xg_sim_dimensions(p, type, 1);
    s->bytes = shape.bytes;
    if (shape.open || s->bytes > 32764)
        XG_SIM_UNSUPPORTED(p, at, NULL, "a parameter must have between 1 and 32764 bytes");
    if (reg) {
        s->space = XG_SIM_REGS;
        s->reg = xg_sim_new_reg(p, xg_sim_types[type].bytes);
        formal->reg = 1;
        formal->at = s->reg;
    } else if (f->entry) {
        s->space = XG_SIM_PARAM;
        *offset = (*offset + s->align - 1) / s->align * s->align;
        s->offset = *offset;
        *offset += (uint32_t)s->bytes;
        formal->at = (uint32_t)s->offset;
    } else {
        s->space = XG_SIM_LOCAL;
        xg_sim_place(p, s);
        formal->at = (uint32_t)s->offset;
    }
    formal->bytes = out->size = (uint32_t)s->bytes;
    formal->align = out->align = s->align;
    out->offset = (uint32_t)s->offset;
    if (*offset > 32764) XG_SIM_BAD(p, at, NULL, "more than 32764 bytes of parameters");
}

XG_FN xg_sim_formal *xg_sim_formals(xg_sim_asm *p, xg_sim_func *f, uint32_t *n, bool keep, uint32_t *offset) {
    XG_VEC(xg_sim_formal) formals = {NULL, 0, 0};
    XG_VEC(xg_sim_param) params = {NULL, 0, 0};
    xg_sim_expect(p, '(');
    while (!xg_sim_is(p, ')')) {
        xg_sim_formal formal;
        xg_sim_param param;
        xg_sim_formal_param(p, f, &param, &formal, offset);
        xg_push(p->a, xg_sim_formal, &formals, formal);
        xg_push(p->a, xg_sim_param, &params, param);
        if (!xg_sim_accept(p, ',')) break;
    }
    xg_sim_expect(p, ')');
    *n = formals.n;
    if (keep) {
        f->info.params = params.p;
        f->info.n_params = params.n;
    }
    return formals.p;
}

XG_FN void xg_sim_triple(xg_sim_asm *p, uint32_t out[3]) {
    uint32_t i = 0;
    out[0] = out[1] = out[2] = 1;
    do out[i++] = xg_sim_small(p, "a dimension", 0x7FFFFFFF);
    while (i < 3 && xg_sim_accept(p, ','));
}

XG_FN void xg_sim_performance(xg_sim_asm *p, xg_sim_func *f) {
    uint32_t one[3];
    for (;;) {
        if (xg_sim_accept_dot(p, "maxntid"))
            xg_sim_triple(p, f->info.maxntid);
        else if (xg_sim_accept_dot(p, "reqntid"))
            xg_sim_triple(p, f->info.reqntid);
        else if (xg_sim_accept_dot(p, "reqnctapercluster"))
            xg_sim_triple(p, f->info.cluster);
        else if (xg_sim_accept_dot(p, "minnctapersm") || xg_sim_accept_dot(p, "maxnctapersm") ||
                 xg_sim_accept_dot(p, "maxnreg") || xg_sim_accept_dot(p, "maxclusterrank"))
            xg_sim_triple(p, one);
        else if (xg_sim_accept_dot(p, "abi_preserve") || xg_sim_accept_dot(p, "abi_preserve_control"))
            xg_sim_small(p, "a register count", 0x7FFFFFFF); /* of no concern to what is computed */
        else if (xg_sim_dot(p, "blocksareclusters"))
            XG_SIM_UNSUPPORTED(
                p, p->t.at, "launch with a grid of blocks", "grids that count clusters are not supported");
        else if (xg_sim_accept_dot(p, "explicitcluster") || xg_sim_accept_dot(p, "noreturn")) {
        } else if (xg_sim_accept_dot(p, "pragma")) {
            while (p->t.kind == XG_SIM_TK_STR || xg_sim_is(p, ',')) xg_sim_next(p);
            xg_sim_expect(p, ';');
        } else
            return;
    }
}

XG_FN void xg_sim_function(xg_sim_asm *p, bool entry) {
    xg_sim_entry *whole;
    xg_sim_func *f, blank;
    xg_sim_sym *s;
    xg_str name;
    uint32_t at, bytes = 0, none = 0;
    xg_sim_formal *rets = NULL;
    uint32_t n_rets = 0;
    memset(&blank, 0, sizeof blank);
    blank.entry = entry;
    p->vregs.n = p->fixes.n = p->labels.n = p->calls.n = 0;
    p->carry = XG_SIM_NOREG;
    p->local = 0;
    p->f = &blank;
    xg_sim_scope_push(p, p->t.at);
    if (xg_sim_accept_dot(p, "attribute")) xg_sim_skip_attribute(p);
    if (!entry && xg_sim_is(p, '(')) rets = xg_sim_formals(p, &blank, &n_rets, false, &none);
    name = p->t.text;
    at = p->t.at;
    if (p->t.kind != XG_SIM_TK_WORD) xg_sim_unexpected(p, "the name of a function");
    s = (xg_sim_sym *)xg_map64_get(&p->syms, (uint64_t)xg_sim_name(p, name) << 32);
    if (s && (s->kind != XG_SIM_SYM_FUNC || s->func->entry != entry))
        XG_SIM_BAD(p, at, NULL, "'%.*s' is declared twice", (int)name.n, name.p);
    xg_sim_next(p);
    if (!s) {
        s = xg_sim_declare(p, name, XG_SIM_SYM_FUNC, 0, at);
        whole = XG_NEW(p->a, xg_sim_entry);
        s->func = &whole->f;
        s->func->id = p->funcs.n;
        s->func->entry = entry;
        s->func->at = at;
        s->func->info.name = xg_str_copy(p->a, name);
        xg_push(&p->scratch, xg_sim_func *, &p->funcs, s->func);
    }
    f = p->f = s->func;
    f->rets = rets;
    f->n_rets = n_rets;
    if (xg_sim_is(p, '(')) f->args = xg_sim_formals(p, f, &f->n_args, true, &bytes);
    f->info.param_bytes = bytes;
    xg_sim_performance(p, f);
    if (!xg_sim_accept(p, ';')) {
        if (f->defined) XG_SIM_BAD(p, at, NULL, "'%.*s' is defined twice", (int)name.n, name.p);
        if (!xg_sim_accept(p, '{')) xg_sim_unexpected(p, "'{' or ';'");
        f->defined = true;
        f->begin = p->code.n;
        xg_sim_body(p);
        xg_sim_function_end(p);
    }
    xg_sim_scope_pop(p);
    p->f = NULL;
}

/* ---- module level ---- */

/* .alias a, b; : whoever calls a calls b. */
XG_FN void xg_sim_alias(xg_sim_asm *p) {
    xg_sim_func *f[2];
    int i;
    for (i = 0; i < 2; i++) {
        xg_sim_sym *s = p->t.kind == XG_SIM_TK_WORD ? xg_sim_lookup(p, p->t.text) : NULL;
        if (!s || s->kind != XG_SIM_SYM_FUNC || s->func->entry || s->func->alias || s->func->defined != (i == 1))
            XG_SIM_BAD(p, p->t.at, ".alias A, B; where A is declared, B defined", "'%.*s' is no function for an alias",
                (int)XG_MIN(p->t.text.n, 60u), p->t.text.p);
        f[i] = s->func;
        xg_sim_next(p);
        xg_sim_expect(p, i ? ';' : ',');
    }
    if (f[0]->n_args != f[1]->n_args || f[0]->n_rets != f[1]->n_rets)
        XG_SIM_BAD(p, p->t.at, NULL, "an alias must have the parameters of its function");
    f[0]->alias = f[1];
}

XG_FN void xg_sim_skip_section(xg_sim_asm *p) { /* .section name { ... } */
    int depth = 0;
    while (p->t.kind != XG_SIM_TK_END && !xg_sim_is(p, '{')) xg_sim_next(p);
    do {
        if (p->t.kind == XG_SIM_TK_END) xg_sim_unexpected(p, "'}'");
        depth += xg_sim_is(p, '{') - xg_sim_is(p, '}');
        xg_sim_next(p);
    } while (depth);
}

XG_FN void xg_sim_header(xg_sim_asm *p) {
    if (xg_sim_dot(p, "version")) {
        const char *s = p->src->text;
        uint32_t major = 0, minor = 0;
        size_t at;
        xg_sim_skip_space(p); /* 8.0 is no token: read it by hand */
        p->t.at = (uint32_t)(at = p->pos);
        while (at < p->src->size && xg_sim_is_digit(s[at]) && major < 1000)
            major = major * 10 + (uint32_t)(s[at++] - '0');
        if (at + 1 >= p->src->size || s[at] != '.' || !xg_sim_is_digit(s[at + 1]) || !major)
            xg_sim_unexpected(p, "a version such as 8.0");
        minor = (uint32_t)(s[++at] - '0');
        p->pos = at + 1;
        p->m->version = major * 10 + minor;
        if (p->pos < p->src->size && xg_sim_is_word(s[p->pos]))
            XG_SIM_BAD(p, p->pos, NULL, "a version is one number, a dot and one digit");
        xg_sim_next(p);
    } else if (xg_sim_accept_dot(p, "target")) {
        if (p->t.kind != XG_SIM_TK_WORD) xg_sim_unexpected(p, "a target such as sm_90a");
        p->m->target = xg_str_copy(p->a, p->t.text);
        do xg_sim_next(p);
        while (p->t.kind == XG_SIM_TK_WORD || xg_sim_is(p, ','));
    } else {
        uint32_t at;
        xg_sim_next(p);
        at = p->t.at;
        if (xg_sim_small(p, "an address size", 64) != 64)
            XG_SIM_UNSUPPORTED(p, at, "write .address_size 64", "only 64-bit addresses are supported");
    }
}

XG_FN void xg_sim_module_item(xg_sim_asm *p) {
    bool is_extern = false;
    if (xg_sim_is(p, '@')) {
        xg_sim_skip_line(p);
        xg_sim_next(p);
        return;
    }
    if (p->t.kind != XG_SIM_TK_DOT) xg_sim_unexpected(p, "a directive");
    if (xg_sim_dot(p, "version") || xg_sim_dot(p, "target") || xg_sim_dot(p, "address_size")) {
        xg_sim_header(p);
        return;
    }
    if (!p->m->version)
        XG_SIM_BAD(p, p->t.at, "begin with .version 8.0, .target sm_90, .address_size 64",
            "the module does not begin with .version");
    if (xg_sim_dot(p, "file") || xg_sim_dot(p, "loc")) {
        xg_sim_skip_line(p);
        xg_sim_next(p);
        return;
    }
    if (xg_sim_dot(p, "section")) {
        xg_sim_skip_section(p);
        return;
    }
    if (xg_sim_accept_dot(p, "pragma")) {
        while (p->t.kind == XG_SIM_TK_STR || xg_sim_is(p, ',')) xg_sim_next(p);
        xg_sim_expect(p, ';');
        return;
    }
    if (xg_sim_accept_dot(p, "alias")) {
        xg_sim_alias(p);
        return;
    }
    for (;;) {
        if (xg_sim_accept_dot(p, "extern"))
            is_extern = true;
        else if (!xg_sim_accept_dot(p, "visible") && !xg_sim_accept_dot(p, "weak") && !xg_sim_accept_dot(p, "common"))
            break;
    }
    if (xg_sim_accept_dot(p, "entry"))
        xg_sim_function(p, true);
    else if (xg_sim_accept_dot(p, "func"))
        xg_sim_function(p, false);
    else if (xg_sim_accept_dot(p, "global"))
        xg_sim_variables(p, XG_SIM_GLOBAL, is_extern);
    else if (xg_sim_accept_dot(p, "const"))
        xg_sim_variables(p, XG_SIM_CONST, is_extern);
    else if (xg_sim_accept_dot(p, "shared"))
        xg_sim_variables(p, XG_SIM_SHARED, is_extern);
    else
        XG_SIM_UNSUPPORTED(p, p->t.at, NULL, "the directive '%.*s' is not known here", (int)p->t.text.n, p->t.text.p);
}

#endif /* XG_SIM_PARSE_C */
/* sim/math.c -- the approximate functions, more exact than any device.
 *
 * A GPU computes ex2, lg2, sin, cos, tanh and rsqrt from tables with documented error bounds; the tables are not
 * documented. Here each is computed in double and rounded once, by the same few operations on every host: results are
 * within 0.51 ulp of the exact value (ex2, which must be fast, is computed in f32: within 1.3 ulp; sin and cos: for |x|
 * below 2^20; beyond, where devices promise nothing either, the reduced argument loses bits). So a kernel whose result
 * depends on the last bits of an approximation differs from a device within the device's own error.
 *
 * ex2, tanh and rsqrt are in lanes.c; what stands here of them is for 16-bit floats. */
#ifndef XG_SIM_MATH_C
#define XG_SIM_MATH_C

XG_FN double xg_sim_scale(double v, int n) { return v * xg_sim_f64_bits((uint64_t)(1023 + n) << 52); } /* |n| <= 1022 */

XG_FN double xg_sim_exp2_wide(double x) { /* -1000 < x < 1000 */
    double n = x + 6755399441055744.0 - 6755399441055744.0, f = x - n;
    return xg_sim_scale(XG_SIM_EXP2_SERIES(f), (int)n);
}
XG_FN float xg_sim_ex2(float x) {
    if (x != x) return x;
    if (x >= 128.0f) return xg_sim_f32_bits(0x7F800000u);
    if (x < -160.0f) return 0.0f;
    return (float)xg_sim_exp2_wide(x);
}

XG_FN float xg_sim_lg2(float x) {
    uint32_t u = xg_sim_bits_f32(x);
    int e = 0;
    double m, s, z;
    if (x != x || (u >> 31 && u << 1)) return xg_sim_f32_bits(0x7FFFFFFFu);
    if (u << 1 == 0) return xg_sim_f32_bits(0xFF800000u);
    if (u == 0x7F800000u) return x;
    if (u < 0x00800000u) {
        u = xg_sim_bits_f32(x * 16777216.0f);
        e = -24;
    }
    e += (int)(u >> 23) - 127;
    m = xg_sim_f32_bits((u & 0x7FFFFFu) | 0x3F800000u);
    if (m > 1.41421356) {
        m *= 0.5;
        e++;
    }
    s = (m - 1.0) / (m + 1.0);
    z = s * s;
    s = s *
        (2.0 + z * (2.0 / 3 +
                       z * (2.0 / 5 +
                               z * (2.0 / 7 +
                                       z * (2.0 / 9 +
                                               z * (2.0 / 11 + z * (2.0 / 13 + z * (2.0 / 15 + z * (2.0 / 17)))))))));
    return (float)(s * 1.44269504088896340736 + e);
}

/* sin (quarter 0) or cos (quarter 1) of x: quadrant and remainder, then the short series. */
XG_FN float xg_sim_sincos(float x, int quarter) {
    double r = x, n, z;
    int q;
    if (x - x != 0) return xg_sim_f32_bits(0x7FFFFFFFu);
    if (r > 1e6 || r < -1e6) r = fmod(r, 6.28318530717958647693);
    n = r * 0.63661977236758134308 + 6755399441055744.0 - 6755399441055744.0;
    r = (r - n * 1.5707963267341256142) - n * 6.0771005065061922e-11; /* pi/2 in two parts, the first with 33 bits */
    q = (int)n + quarter;
    z = r * r;
    if (q & 1)
        r = 1.0 - z * (0.5 - z * (1.0 / 24 - z * (1.0 / 720 -
                                                     z * (1.0 / 40320 - z * (1.0 / 3628800 - z * (1.0 / 479001600))))));
    else
        r = r * (1.0 - z * (1.0 / 6 - z * (1.0 / 120 - z * (1.0 / 5040 - z * (1.0 / 362880 -
                                                                                 z * (1.0 / 39916800 -
                                                                                         z * (1.0 / 6227020800.0)))))));
    if (!quarter && x == 0) return x;
    return (float)(q & 2 ? -r : r);
}

XG_FN float xg_sim_tanh(float x) {
    double y = x, t;
    if (x != x) return xg_sim_f32_bits(0x7FFFFFFFu);
    if (y > 20 || y < -20) return y > 0 ? 1.0f : -1.0f;
    t = y * y;
    if (t < 1e-4) return x == 0 ? x : (float)(y * (1.0 - t * (1.0 / 3 - t * (2.0 / 15 - t * (17.0 / 315)))));
    t = xg_sim_exp2_wide(y * 2.88539008177792681472);
    return (float)(1.0 - 2.0 / (t + 1.0));
}
#endif /* XG_SIM_MATH_C */
/* sim/video.c -- the video instructions: parts of registers as small integers, saturated, then merged or combined with
 * a third operand.
 *
 * One function for those on one part, one for those on two or four. What to do stands in two words: imm (operation,
 * types, flags) and imm2 (selections), which decode_video.c fills. */
#ifndef XG_SIM_VIDEO_C
#define XG_SIM_VIDEO_C

typedef enum xg_sim_videoop {
    XG_SIM_V_ADD,
    XG_SIM_V_SUB,
    XG_SIM_V_ABSDIFF,
    XG_SIM_V_MIN,
    XG_SIM_V_MAX,
    XG_SIM_V_AVRG,
    XG_SIM_V_SET,
    XG_SIM_V_SHL,
    XG_SIM_V_SHR,
    XG_SIM_V_MAD
} xg_sim_videoop;
/* imm: operation in 4 bits, comparison in 3, then flags. SECOND: two bits, 1 add, 2 min, 3 max, to the third operand.
 * SCALE: two bits, 1 shr7, 2 shr15. */
enum {
    XG_SIM_V_COMPARE = 4,
    XG_SIM_V_DSIGNED = 1 << 7,
    XG_SIM_V_ASIGNED = 1 << 8,
    XG_SIM_V_BSIGNED = 1 << 9,
    XG_SIM_V_SAT = 1 << 10,
    XG_SIM_V_SECOND = 11,
    XG_SIM_V_WRAP = 1 << 13,
    XG_SIM_V_SCALE = 14,
    XG_SIM_V_PLUS_ONE = 1 << 16,
    XG_SIM_V_NEG_PRODUCT = 1 << 17,
    XG_SIM_V_NEG_C = 1 << 18,
    XG_SIM_V_FOUR = 1 << 19
};
/* imm2 of one part: what of d (bits 0-3), a (4-7), b (8-11): 0 all, 1-4 a byte, 5-6 a half. Of several: the lanes of d
 * (0-3), then 4 selectors of 3 bits of a (4-15), of b (16-27). */

XG_FN int64_t xg_sim_video_part(uint32_t x, uint32_t select, bool sgn) {
    if (select == 0) return sgn ? (int64_t)(int32_t)x : (int64_t)x;
    if (select <= 4) {
        x = x >> (8 * (select - 1)) & 255;
        return sgn ? (int64_t)(int8_t)x : (int64_t)x;
    }
    x = x >> (16 * (select - 5)) & 0xFFFF;
    return sgn ? (int64_t)(int16_t)x : (int64_t)x;
}
XG_FN bool xg_sim_video_compare(int64_t a, int64_t b, uint32_t op) {
    switch (op) {
    case 0: return a == b;
    case 1: return a != b;
    case 2: return a < b;
    case 3: return a <= b;
    case 4: return a > b;
    default: return a >= b;
    }
}
XG_FN int64_t xg_sim_video_clamp(int64_t x, uint32_t bits, bool sgn) {
    int64_t low = sgn ? -((int64_t)1 << (bits - 1)) : 0, high = ((int64_t)1 << (sgn ? bits - 1 : bits)) - 1;
    return x < low ? low : x > high ? high : x;
}
XG_FN int64_t xg_sim_video_op(int64_t a, int64_t b, uint32_t imm) {
    switch (imm & 15) {
    case XG_SIM_V_ADD: return a + b;
    case XG_SIM_V_SUB: return a - b;
    case XG_SIM_V_ABSDIFF: return a > b ? a - b : b - a;
    case XG_SIM_V_MIN: return XG_MIN(a, b);
    case XG_SIM_V_MAX: return XG_MAX(a, b);
    case XG_SIM_V_AVRG:
        a += b;
        a += a >= 0;
        return a >= 0 ? a / 2 : (a - 1) / 2; /* rounds away from zero */
    case XG_SIM_V_SET: return xg_sim_video_compare(a, b, imm >> XG_SIM_V_COMPARE & 7);
    default: break;
    }
    b = imm & XG_SIM_V_WRAP ? b & 31 : XG_MIN(b & 0xFFFFFFFF, 32);
    if ((imm & 15) == XG_SIM_V_SHL)
        return b == 32 ? (a > 0      ? INT64_MAX - 0xFFFFFFFF
                             : a < 0 ? INT64_MIN
                                     : 0)
                       : a * ((int64_t)1 << b); /* low bits zero, and far out of range */
    return a >= 0 ? a >> b : -((-a - 1) >> b) - 1;
}
XG_FN uint32_t xg_sim_video_mad(int64_t a, int64_t b, uint32_t c, uint32_t imm) {
    bool sgn = imm & (XG_SIM_V_ASIGNED | XG_SIM_V_BSIGNED | XG_SIM_V_NEG_PRODUCT | XG_SIM_V_NEG_C) ? true : false;
    uint32_t scale = (imm >> XG_SIM_V_SCALE & 3) == 1 ? 7 : (imm >> XG_SIM_V_SCALE & 3) == 2 ? 15 : 0;
    if (sgn) {
        int64_t x = a * b, k = (int64_t)(int32_t)c;
        if (imm & XG_SIM_V_NEG_PRODUCT) x = -x;
        x += imm & XG_SIM_V_NEG_C ? -k : k;
        x += imm & XG_SIM_V_PLUS_ONE ? 1 : 0;
        x = x >= 0 ? x >> scale : -((-x - 1) >> scale) - 1;
        return (uint32_t)(uint64_t)(imm & XG_SIM_V_SAT ? xg_sim_video_clamp(x, 32, true) : x);
    } else {
        uint64_t x = ((uint64_t)a * (uint64_t)b + c + (imm & XG_SIM_V_PLUS_ONE ? 1u : 0u)) >> scale;
        return imm & XG_SIM_V_SAT && x > 0xFFFFFFFFu ? 0xFFFFFFFFu : (uint32_t)x;
    }
}
/* One part. */
XG_FN uint32_t xg_sim_video(uint32_t a, uint32_t b, uint32_t c, uint32_t imm, uint32_t select) {
    uint32_t d = select & 15,
             bits = d == 0   ? 32
                    : d <= 4 ? 8
                             : 16,
             shift = d == 0   ? 0
                     : d <= 4 ? 8 * (d - 1)
                              : 16 * (d - 5),
             mask = bits == 32 ? 0xFFFFFFFFu : ((1u << bits) - 1) << shift, r;
    bool sgn = (imm & XG_SIM_V_DSIGNED) != 0;
    int64_t x = xg_sim_video_part(a, select >> 4 & 15, (imm & XG_SIM_V_ASIGNED) != 0),
            y = xg_sim_video_part(b, select >> 8 & 15, (imm & XG_SIM_V_BSIGNED) != 0);
    if ((imm & 15) == XG_SIM_V_MAD) return xg_sim_video_mad(x, y, c, imm);
    x = xg_sim_video_op(x, y, imm);
    if (imm & XG_SIM_V_SAT) x = xg_sim_video_clamp(x, bits, sgn);
    r = (uint32_t)(uint64_t)x;
    switch (imm >> XG_SIM_V_SECOND & 3) {
    case 1: return r + c;
    case 2: return sgn ? (uint32_t)XG_MIN((int32_t)r, (int32_t)c) : XG_MIN(r, c);
    case 3: return sgn ? (uint32_t)XG_MAX((int32_t)r, (int32_t)c) : XG_MAX(r, c);
    default: return d ? (r << shift & mask) | (c & ~mask) : r;
    }
}
/* Two halves or four bytes. */
XG_FN uint32_t xg_sim_videos(uint32_t a, uint32_t b, uint32_t c, uint32_t imm, uint32_t select) {
    uint32_t n = imm & XG_SIM_V_FOUR ? 4 : 2, bits = 32 / n, i, d = c, sum = c;
    uint64_t both = (uint64_t)b << 32 | a;
    for (i = 0; i < n; i++) {
        uint32_t from = n == 4 ? 1 : 5, pa = select >> (4 + 3 * i) & 7, pb = select >> (16 + 3 * i) & 7,
                 mask = ((1u << bits) - 1) << (bits * i);
        int64_t x = xg_sim_video_part((uint32_t)(both >> (bits * pa)), from, (imm & XG_SIM_V_ASIGNED) != 0),
                y = xg_sim_video_part((uint32_t)(both >> (bits * pb)), from, (imm & XG_SIM_V_BSIGNED) != 0);
        if (!(select >> i & 1)) continue;
        x = xg_sim_video_op(x, y, imm);
        if (imm & XG_SIM_V_SAT) x = xg_sim_video_clamp(x, bits, (imm & XG_SIM_V_DSIGNED) != 0);
        sum += (uint32_t)(uint64_t)x;
        d = ((uint32_t)(uint64_t)x << (bits * i) & mask) | (d & ~mask);
    }
    return (imm >> XG_SIM_V_SECOND & 3) == 1 ? sum : d;
}

#endif /* XG_SIM_VIDEO_C */
/* sim/scalar.c -- the arithmetic that need not be fast: one lane at a time, one copy for all hosts.
 *
 * A row of XG_SIM_SCALAR_OPS is a function of up to four sources a, b, c, e (and the immediate in->imm, here `imm`)
 * that sets r, and q where there is a second destination. The rules are those of lanes.c: no traps, whatever the
 * bits. */
#ifndef XG_SIM_SCALAR_C
#define XG_SIM_SCALAR_C

typedef uint32_t (*xg_sim_half2)(uint32_t, uint32_t, uint32_t);

XG_INLINE uint32_t xg_sim_popc(uint64_t x) {
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (uint32_t)(x * 0x0101010101010101u >> 56);
}
XG_FN uint64_t xg_sim_mulh_u(uint64_t a, uint64_t b) { return xg_sim_wide_mul(a, b).hi; }
XG_FN uint64_t xg_sim_mulh_s(uint64_t a, uint64_t b) {
    return xg_sim_mulh_u(a, b) - (a >> 63 ? b : 0) - (b >> 63 ? a : 0);
}
/* Division by zero gives all ones and the remainder gives the dividend, as devices do; MIN / -1 gives MIN. */
XG_FN uint64_t xg_sim_div_u(uint64_t a, uint64_t b) { return b ? a / b : UINT64_MAX; }
XG_FN uint64_t xg_sim_rem_u(uint64_t a, uint64_t b) { return b ? a % b : a; }
XG_FN int64_t xg_sim_div_s(int64_t a, int64_t b) { return b == 0 ? -1 : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b; }
XG_FN int64_t xg_sim_rem_s(int64_t a, int64_t b) { return b == 0 ? a : b == -1 ? 0 : a % b; }

XG_FN uint64_t xg_sim_brev(uint64_t x, int bits) {
    uint64_t r = 0;
    int i;
    for (i = 0; i < bits; i++) r |= (x >> i & 1) << (bits - 1 - i);
    return r;
}
XG_FN uint64_t xg_sim_bfe(uint64_t a, uint32_t pos, uint32_t len, uint32_t width, bool is_signed) {
    uint64_t r;
    uint32_t top;
    pos &= 0xFF;
    len &= 0xFF;
    top = pos + len - 1 < width - 1 ? pos + len - 1 : width - 1;
    if (len == 0) return 0;
    r = pos >= width ? 0 : a >> pos;
    if (len < 64) r &= ((uint64_t)1 << len) - 1;
    if (is_signed && (a >> top & 1)) {
        uint32_t have = pos >= width ? 0 : XG_MIN(len, width - pos);
        r |= have >= 64 ? 0 : ~(uint64_t)0 << have;
    }
    return r;
}
XG_FN uint64_t xg_sim_bfi(uint64_t a, uint64_t b, uint32_t pos, uint32_t len, uint32_t width) {
    uint64_t m;
    pos &= 0xFF;
    len &= 0xFF;
    if (pos >= width || len == 0) return b;
    m = (len >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << len) - 1) << pos;
    return (b & ~m) | ((a << pos) & m);
}
XG_FN uint32_t xg_sim_bfind(uint64_t a, uint32_t width, bool is_signed, bool shiftamt) {
    int top;
    if (is_signed && a >> (width - 1) & 1) a = ~a;
    if (width == 32) a &= 0xFFFFFFFFu;
    top = 63 - xg_sim_clz64(a);
    return top < 0 ? 0xFFFFFFFFu : shiftamt ? width - 1 - (uint32_t)top : (uint32_t)top;
}
XG_FN uint32_t xg_sim_prmt(uint32_t a, uint32_t b, uint32_t c, uint32_t mode) {
    /* f4e b4e rc8 ecl ecr rc16 by c & 3; a nibble per byte, lowest first from the right */
    static const uint16_t tables[6][4] = {{0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
        {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333}, {0x0000, 0x1110, 0x2210, 0x3210},
        {0x1010, 0x3232, 0x1010, 0x3232}};
    uint64_t both = (uint64_t)b << 32 | a;
    uint32_t sel = mode ? tables[mode - 1][c & 3] : c, r = 0, i;
    for (i = 0; i < 4; i++) {
        uint32_t n = sel >> (4 * i) & 15, byte = (uint32_t)(both >> (8 * (n & 7))) & 0xFF;
        if (n & 8) byte = byte & 0x80 ? 0xFF : 0;
        r |= byte << (8 * i);
    }
    return r;
}
XG_FN uint64_t xg_sim_lop3(uint64_t a, uint64_t b, uint64_t c, uint32_t lut) {
    uint64_t r = 0;
    uint32_t i;
    for (i = 0; i < 8; i++)
        if (lut >> i & 1) r |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return r;
}
XG_FN uint32_t xg_sim_shf(uint32_t lo, uint32_t hi, uint32_t n, uint32_t right, uint32_t clamp) {
    uint64_t v = (uint64_t)hi << 32 | lo;
    n = clamp ? XG_MIN(n, 32u) : n & 31;
    return right ? (uint32_t)(v >> n) : (uint32_t)((v << n) >> 32);
}
XG_FN int32_t xg_sim_part(uint32_t v, uint32_t i, uint32_t bits, bool is_signed) {
    uint32_t x = v >> (i * bits) & ((1u << bits) - 1);
    return is_signed && x >> (bits - 1) ? (int32_t)(x | ~0u << bits) : (int32_t)x;
}
/* imm: bit 0 a signed, bit 1 b signed, bit 2 the high half (dp2a). */
XG_FN uint32_t xg_sim_dp4a(uint32_t a, uint32_t b, uint32_t c, uint32_t imm) {
    uint32_t i;
    for (i = 0; i < 4; i++) c += (uint32_t)(xg_sim_part(a, i, 8, imm & 1) * xg_sim_part(b, i, 8, (imm & 2) != 0));
    return c;
}
XG_FN uint32_t xg_sim_dp2a(uint32_t a, uint32_t b, uint32_t c, uint32_t imm) {
    uint32_t i;
    for (i = 0; i < 2; i++)
        c += (uint32_t)xg_sim_part(a, i, 16, imm & 1) *
             (uint32_t)xg_sim_part(b, i + (imm & 4 ? 2 : 0), 8, (imm & 2) != 0);
    return c;
}
XG_FN uint32_t xg_sim_fns(uint32_t mask, uint32_t base, int32_t offset) {
    int32_t at = (int32_t)base, step = offset < 0 ? -1 : 1, want = offset < 0 ? -offset : offset;
    if (base > 31) return 0xFFFFFFFFu;
    if (offset == 0) return mask >> base & 1 ? base : 0xFFFFFFFFu;
    for (; at >= 0 && at < 32; at += step)
        if ((mask >> at & 1) && --want == 0) return (uint32_t)at;
    return 0xFFFFFFFFu;
}
XG_FN uint32_t xg_sim_bmsk(uint32_t a, uint32_t b, uint32_t clamp) {
    uint64_t m;
    if (clamp) {
        if (a > 31 || b == 0) return 0;
        m = b > 31 ? 0xFFFFFFFFu : ((uint64_t)1 << b) - 1;
        return (uint32_t)(m << a);
    }
    m = ((uint64_t)1 << (b & 31)) - 1;
    return (uint32_t)(m << (a & 31));
}
XG_FN uint32_t xg_sim_szext(uint32_t a, uint32_t n, uint32_t imm) { /* bit 0 clamp, bit 1 signed */
    n = imm & 1 ? XG_MIN(n, 32u) : n & 31;
    if (n == 0) return 0;
    if (n == 32) return a;
    a &= (1u << n) - 1;
    return imm & 2 && a >> (n - 1) ? a | ~0u << n : a;
}
enum {
    XG_SIM_TEST_FINITE,
    XG_SIM_TEST_INFINITE,
    XG_SIM_TEST_NUMBER,
    XG_SIM_TEST_NAN,
    XG_SIM_TEST_NORMAL,
    XG_SIM_TEST_SUBNORMAL
};
XG_FN int32_t xg_sim_testp(uint64_t bits, xg_sim_format f, uint32_t test) {
    const xg_sim_layout *l = &xg_sim_layouts[f];
    uint64_t m = bits & (((uint64_t)1 << l->mbits) - 1), top = ((uint64_t)1 << l->ebits) - 1,
             e = bits >> l->mbits & top;
    bool yes = test == XG_SIM_TEST_FINITE     ? e != top
               : test == XG_SIM_TEST_INFINITE ? e == top && !m
               : test == XG_SIM_TEST_NUMBER   ? !(e == top && m)
               : test == XG_SIM_TEST_NAN      ? e == top && m
               : test == XG_SIM_TEST_NORMAL   ? e != 0 && e != top
                                              : e == 0 && m;
    return yes ? -1 : 0;
}

/* ---- 16-bit floats ---- */

enum {
    XG_SIM_H_ADD,
    XG_SIM_H_SUB,
    XG_SIM_H_MUL,
    XG_SIM_H_FMA,
    XG_SIM_H_MIN,
    XG_SIM_H_MAX,
    XG_SIM_H_EX2,
    XG_SIM_H_TANH,
    XG_SIM_H_OP = 7,
    XG_SIM_H_BF16 = 8,
    XG_SIM_H_NAN = 16,
    XG_SIM_H_RELU = 32,
    XG_SIM_H_SAT = 64,
    XG_SIM_H_FTZ = 128,
    XG_SIM_H_XORSIGN = 256,
    XG_SIM_H_ABS = 512
};

XG_FN uint32_t xg_sim_half_minmax(uint32_t a, uint32_t b, uint32_t imm) {
    uint32_t inf = imm & XG_SIM_H_BF16 ? 0x7F80u : 0x7C00u, sign = (a ^ b) & 0x8000u, r;
    bool an = (a & 0x7FFF) > inf, bn = (b & 0x7FFF) > inf;
    int32_t x, y;
    if (imm & XG_SIM_H_ABS) {
        a &= 0x7FFF;
        b &= 0x7FFF;
    }
    if ((an && bn) || ((an || bn) && imm & XG_SIM_H_NAN)) return 0x7FFF;
    x = a & 0x8000 ? -(int32_t)(a & 0x7FFF) - 1 : (int32_t)a;
    y = b & 0x8000 ? -(int32_t)(b & 0x7FFF) - 1 : (int32_t)b;
    r = an ? b : bn ? a : ((imm & XG_SIM_H_OP) == XG_SIM_H_MIN ? x < y : x > y) ? a : b;
    return imm & XG_SIM_H_XORSIGN ? (r & 0x7FFF) | sign : r;
}
XG_FN uint32_t xg_sim_half_flush(uint32_t a) { return a & 0x7C00 ? a : a & 0x8000; }
XG_FN uint32_t xg_sim_half(uint32_t a, uint32_t b, uint32_t c, uint32_t imm) {
    xg_sim_format f = imm & XG_SIM_H_BF16 ? XG_SIM_IS_BF16 : XG_SIM_IS_F16;
    uint64_t r;
    if (imm & XG_SIM_H_FTZ && f == XG_SIM_IS_F16) {
        a = xg_sim_half_flush(a);
        b = xg_sim_half_flush(b);
        c = xg_sim_half_flush(c);
    }
    switch (imm & XG_SIM_H_OP) {
    case XG_SIM_H_ADD: r = xg_sim_soft_add(f, a, b, XG_SIM_RN); break;
    case XG_SIM_H_SUB: r = xg_sim_soft_sub(f, a, b, XG_SIM_RN); break;
    case XG_SIM_H_MUL: r = xg_sim_soft_mul(f, a, b, XG_SIM_RN); break;
    case XG_SIM_H_FMA: r = xg_sim_soft_fma(f, a, b, c, XG_SIM_RN); break;
    case XG_SIM_H_EX2:
    case XG_SIM_H_TANH: {
        float x = xg_sim_f32_bits((uint32_t)xg_sim_pack(xg_sim_unpack(a, f), XG_SIM_IS_F32, XG_SIM_RN, false));
        x = (imm & XG_SIM_H_OP) == XG_SIM_H_EX2 ? xg_sim_ex2(x) : xg_sim_tanh(x);
        r = xg_sim_pack(xg_sim_unpack(xg_sim_bits_f32(x), XG_SIM_IS_F32), f, XG_SIM_RN, false);
        break;
    }
    default: r = xg_sim_half_minmax(a, b, imm);
    }
    if (imm & XG_SIM_H_FTZ && f == XG_SIM_IS_F16) r = xg_sim_half_flush((uint32_t)r);
    if (imm & XG_SIM_H_RELU && (r & 0x7FFF) <= xg_sim_layouts[f].max + 1 && r & 0x8000) r = 0;
    if (imm & XG_SIM_H_SAT)
        r = (r & 0x7FFF) > xg_sim_layouts[f].max + 1 || r & 0x8000 ? 0
                                                                   : XG_MIN(r, f == XG_SIM_IS_F16 ? 0x3C00u : 0x3F80u);
    return (uint32_t)r;
}
XG_FN uint32_t xg_sim_halves(uint32_t a, uint32_t b, uint32_t c, uint32_t imm) {
    return xg_sim_half(a & 0xFFFF, b & 0xFFFF, c & 0xFFFF, imm) | xg_sim_half(a >> 16, b >> 16, c >> 16, imm) << 16;
}
/* op: 0 add, 1 min, 2 max of packed 16-bit integers; bit 2: signed. */
XG_FN uint32_t xg_sim_int16x2(uint32_t a, uint32_t b, uint32_t imm) {
    uint32_t i, r = 0;
    for (i = 0; i < 2; i++) {
        int32_t x = xg_sim_part(a, i, 16, (imm & 4) != 0), y = xg_sim_part(b, i, 16, (imm & 4) != 0),
                v = (imm & 3) == 0   ? x + y
                    : (imm & 3) == 1 ? XG_MIN(x, y)
                                     : XG_MAX(x, y);
        r |= ((uint32_t)v & 0xFFFF) << (16 * i);
    }
    return r;
}
/* imm: low 4 bits operator, H_BF16, 32: flush */
XG_FN int32_t xg_sim_half_compare(uint32_t a, uint32_t b, uint32_t imm) {
    float x, y;
    bool nan, r;
    if (imm & 32) {
        a = xg_sim_half_flush(a);
        b = xg_sim_half_flush(b);
    }
    x = xg_sim_f32_bits(imm & 16 ? a << 16 : xg_sim_f16_to_f32(a));
    y = xg_sim_f32_bits(imm & 16 ? b << 16 : xg_sim_f16_to_f32(b));
    nan = x != x || y != y;
    switch (imm & 7) {
    case 0: r = x == y; break;
    case 1: r = x < y || x > y; break;
    case 2: r = x < y; break;
    case 3: r = x <= y; break;
    case 4: r = x > y; break;
    case 5: r = x >= y; break;
    case 6: return nan ? 0 : -1;
    default: return nan ? -1 : 0;
    }
    return r || (nan && imm & 8) ? -1 : 0;
}

/* ---- conversions of any kind ---- */

/* What imm says: source and destination: format or integer width; rounding; saturation. imm2: the same for the
 * source. */
enum {
    XG_SIM_CVT_INT = 16,
    XG_SIM_CVT_SIGNED = 32,
    XG_SIM_CVT_SAT = 1 << 10,
    XG_SIM_CVT_SATFINITE = 1 << 11,
    XG_SIM_CVT_RELU = 1 << 12,
    XG_SIM_CVT_INTEGRAL = 1 << 13,
    XG_SIM_CVT_FTZ = 1 << 14
};
/* Layout: bits 0-3 format, or with INT log2 of the bytes; bit 5 signed; bits 6-8 rounding mode. */
XG_FN uint64_t xg_sim_cvt_one(uint64_t v, uint32_t to, uint32_t from) {
    xg_sim_round mode = (xg_sim_round)(to >> 6 & 7);
    xg_sim_num n;
    uint32_t bits;
    if (from & XG_SIM_CVT_INT) {
        bits = 8u << (from & 15);
        if (bits < 64) v &= ((uint64_t)1 << bits) - 1;
        if (from & XG_SIM_CVT_SIGNED && v >> (bits - 1) & 1) {
            if (bits < 64) v |= ~(uint64_t)0 << bits;
            n = xg_sim_num_s64((int64_t)v);
        } else
            n = xg_sim_num_u64(v);
    } else {
        xg_sim_format f = (xg_sim_format)(from & 15);
        if (from & XG_SIM_CVT_FTZ && f == XG_SIM_IS_F32 && !(v & 0x7F800000u)) v &= 0x80000000u;
        n = xg_sim_unpack(v, f);
    }
    if (to & XG_SIM_CVT_INT) {
        bits = 8u << (to & 15);
        if (from & XG_SIM_CVT_INT && !(to & XG_SIM_CVT_SAT)) return v; /* cut by the store */
        return xg_sim_num_to_int(n, mode, bits, (to & XG_SIM_CVT_SIGNED) != 0);
    }
    if (to & XG_SIM_CVT_INTEGRAL) {
        v = xg_sim_soft_integral((xg_sim_format)(to & 15), v, mode);
        n = xg_sim_unpack(v, (xg_sim_format)(to & 15));
    }
    if (to & XG_SIM_CVT_RELU && n.neg && n.kind != XG_SIM_NAN) n = xg_sim_num_make(0, 0, 0);
    if (to & XG_SIM_CVT_SAT) {
        if (n.kind == XG_SIM_NAN || n.neg)
            n = xg_sim_num_make(0, 0, 0);
        else if (n.kind == XG_SIM_INF || (n.kind == XG_SIM_FINITE && n.exp + 63 - xg_sim_clz64(n.sig) >= 0))
            n = xg_sim_num_make(0, 1, 0);
    }
    v = xg_sim_pack(n, (xg_sim_format)(to & 15), mode, (to & XG_SIM_CVT_SATFINITE) != 0);
    if (to & XG_SIM_CVT_FTZ && (to & 15) == XG_SIM_IS_F32 && !(v & 0x7F800000u)) v &= 0x80000000u;
    return v;
}
/* Two f32 to a pair of narrow floats: a goes to the upper half. */
XG_FN uint32_t xg_sim_cvt_pair(uint32_t hi, uint32_t lo, uint32_t to, uint32_t from, uint32_t width) {
    uint32_t mask = (1u << width) - 1;
    return ((uint32_t)xg_sim_cvt_one(hi, to, from) & mask) << width | ((uint32_t)xg_sim_cvt_one(lo, to, from) & mask);
}
/* A pair of narrow floats to a pair of wider ones. */
XG_FN uint32_t xg_sim_cvt_unpair(uint32_t v, uint32_t to, uint32_t from, uint32_t width) {
    uint32_t mask = (1u << width) - 1;
    return (uint32_t)xg_sim_cvt_one(v >> width & mask, to, from) << 16 |
           ((uint32_t)xg_sim_cvt_one(v & mask, to, from) & 0xFFFF);
}
XG_FN uint32_t xg_sim_cvt_pack(uint32_t a, uint32_t b, uint32_t c, uint32_t to, uint32_t from, uint32_t bits) {
    uint64_t mask = ((uint64_t)1 << bits) - 1, x = xg_sim_cvt_one(a, to, from) & mask,
             y = xg_sim_cvt_one(b, to, from) & mask;
    return (uint32_t)((uint64_t)c << (2 * bits) | x << bits | y);
}

/* ---- the list ---- */

#define XG_SIM_MODE ((xg_sim_round)imm)
/* clang-format off */
#define XG_S_MODES(S2, S3, S1, t, u, F) \
    S2(addm_##t, u, u, u, r = (xg_sim_e_##u)xg_sim_soft_add(XG_SIM_IS_##F, a, b, XG_SIM_MODE)) \
    S2(subm_##t, u, u, u, r = (xg_sim_e_##u)xg_sim_soft_sub(XG_SIM_IS_##F, a, b, XG_SIM_MODE)) \
    S2(mulm_##t, u, u, u, r = (xg_sim_e_##u)xg_sim_soft_mul(XG_SIM_IS_##F, a, b, XG_SIM_MODE)) \
    S2(divm_##t, u, u, u, r = (xg_sim_e_##u)xg_sim_soft_div(XG_SIM_IS_##F, a, b, XG_SIM_MODE)) \
    S3(fmam_##t, u, u, u, u, r = (xg_sim_e_##u)xg_sim_soft_fma(XG_SIM_IS_##F, a, b, c, XG_SIM_MODE)) \
    S1(sqrtm_##t, u, u, r = (xg_sim_e_##u)xg_sim_soft_sqrt(XG_SIM_IS_##F, a, XG_SIM_MODE))
/* clang-format on */

/* clang-format off */
#define XG_SIM_SCALAR_OPS(S1, S2, S3, S4) \
    XG_S_MODES(S2, S3, S1, f32, u32, F32) \
    XG_S_MODES(S2, S3, S1, f64, u64, F64) \
    S1(lg2_f32, f32, f32, r = xg_sim_lg2(a)) \
    S1(sin_f32, f32, f32, r = xg_sim_sincos(a, 0)) \
    S1(cos_f32, f32, f32, r = xg_sim_sincos(a, 1)) \
    S1(rsqrt_f64, f64, f64, r = a < 0 ? xg_sim_f64_bits(0xFFF8000000000000u) : 1.0 / sqrt(a)) \
    S2(mulh_u64, u64, u64, u64, r = xg_sim_mulh_u(a, b)) \
    S2(mulh_s64, u64, u64, u64, r = xg_sim_mulh_s(a, b)) \
    S2(div_u16, u16, u16, u16, r = (uint16_t)xg_sim_div_u(a, b)) \
    S2(div_u32, u32, u32, u32, r = (uint32_t)xg_sim_div_u(a, b)) \
    S2(div_u64, u64, u64, u64, r = xg_sim_div_u(a, b)) \
    S2(div_s16, s16, s16, s16, r = (int16_t)xg_sim_div_s(a, b)) \
    S2(div_s32, s32, s32, s32, r = (int32_t)xg_sim_div_s(a, b)) \
    S2(div_s64, s64, s64, s64, r = xg_sim_div_s(a, b)) \
    S2(rem_u16, u16, u16, u16, r = (uint16_t)xg_sim_rem_u(a, b)) \
    S2(rem_u32, u32, u32, u32, r = (uint32_t)xg_sim_rem_u(a, b)) \
    S2(rem_u64, u64, u64, u64, r = xg_sim_rem_u(a, b)) \
    S2(rem_s16, s16, s16, s16, r = (int16_t)xg_sim_rem_s(a, b)) \
    S2(rem_s32, s32, s32, s32, r = (int32_t)xg_sim_rem_s(a, b)) \
    S2(rem_s64, s64, s64, s64, r = xg_sim_rem_s(a, b)) \
    S2(addsat_s32, s32, s32, s32, const int64_t x = (int64_t)a + b; r = (int32_t)XG_MAX(XG_MIN(x, INT32_MAX), INT32_MIN)) \
    S2(subsat_s32, s32, s32, s32, const int64_t x = (int64_t)a - b; r = (int32_t)XG_MAX(XG_MIN(x, INT32_MAX), INT32_MIN)) \
    S3(madhisat_s32, s32, s32, s32, s32, const int64_t x = ((int64_t)a * b >> 32) + c; r = (int32_t)XG_MAX(XG_MIN(x, INT32_MAX), INT32_MIN)) \
    S2(mul24lo_u32, u32, u32, u32, r = (a & 0xFFFFFFu) * (b & 0xFFFFFFu)) \
    S2(mul24hi_u32, u32, u32, u32, r = (uint32_t)((uint64_t)(a & 0xFFFFFFu) * (b & 0xFFFFFFu) >> 16)) \
    S2(mul24lo_s32, u32, u32, u32, r = (uint32_t)((int64_t)xg_sim_szext(a, 24, 2) * (int32_t)xg_sim_szext(b, 24, 2))) \
    S2(mul24hi_s32, u32, u32, u32, r = (uint32_t)((int64_t)(int32_t)xg_sim_szext(a, 24, 2) * (int32_t)xg_sim_szext(b, 24, 2) >> 16)) \
    S4(addc_u32, u32, u32, u32, u32, u32, const uint64_t x = (uint64_t)a + b + (imm & 1 ? c : 0); r = (uint32_t)x; q = (uint32_t)(x >> 32)) \
    S4(subc_u32, u32, u32, u32, u32, u32, const uint64_t x = (uint64_t)a - b - (imm & 1 ? c : 0); r = (uint32_t)x; q = (uint32_t)(x >> 63)) \
    S4(addc_u64, u64, u64, u64, u32, u32, const uint64_t x = a + b; const uint64_t y = x + (imm & 1 ? c : 0); r = y; q = (x < a) | (y < x)) \
    S4(subc_u64, u64, u64, u64, u32, u32, const uint64_t k = imm & 1 ? c : 0; r = a - b - k; q = (a < b) | (a - b < k)) \
    S1(popc_b32, u32, u32, r = xg_sim_popc(a)) \
    S1(popc_b64, u32, u64, r = xg_sim_popc(a)) \
    S1(clz_b32, u32, u32, r = (uint32_t)xg_sim_clz32(a)) \
    S1(clz_b64, u32, u64, r = (uint32_t)xg_sim_clz64(a)) \
    S1(brev_b32, u32, u32, r = (uint32_t)xg_sim_brev(a, 32)) \
    S1(brev_b64, u64, u64, r = xg_sim_brev(a, 64)) \
    S1(cnot_b16, u16, u16, r = a == 0) \
    S1(cnot_b32, u32, u32, r = a == 0) \
    S1(cnot_b64, u64, u64, r = a == 0) \
    S3(bfe_u32, u32, u32, u32, u32, r = (uint32_t)xg_sim_bfe(a, b, c, 32, false)) \
    S3(bfe_s32, u32, u32, u32, u32, r = (uint32_t)xg_sim_bfe(a, b, c, 32, true)) \
    S3(bfe_u64, u64, u64, u32, u32, r = xg_sim_bfe(a, b, c, 64, false)) \
    S3(bfe_s64, u64, u64, u32, u32, r = xg_sim_bfe(a, b, c, 64, true)) \
    S4(bfi_b32, u32, u32, u32, u32, u32, r = (uint32_t)xg_sim_bfi(a, b, c, e, 32); q = 0) \
    S4(bfi_b64, u64, u64, u64, u32, u32, r = xg_sim_bfi(a, b, c, e, 64); q = 0) \
    S1(bfind_u32, u32, u32, r = xg_sim_bfind(a, 32, false, imm != 0)) \
    S1(bfind_s32, u32, u32, r = xg_sim_bfind(a, 32, true, imm != 0)) \
    S1(bfind_u64, u32, u64, r = xg_sim_bfind(a, 64, false, imm != 0)) \
    S1(bfind_s64, u32, u64, r = xg_sim_bfind(a, 64, true, imm != 0)) \
    S3(prmt_b32, u32, u32, u32, u32, r = xg_sim_prmt(a, b, c, imm)) \
    S3(lop3_b32, u32, u32, u32, u32, r = (uint32_t)xg_sim_lop3(a, b, c, imm)) \
    S3(shf_b32, u32, u32, u32, u32, r = xg_sim_shf(a, b, c, imm & 1, imm & 2)) \
    S3(sad_u16, u16, u16, u16, u16, r = (uint16_t)(c + (a > b ? a - b : b - a))) \
    S3(sad_s16, s16, s16, s16, s16, r = (int16_t)(c + (a > b ? a - b : b - a))) \
    S3(sad_u32, u32, u32, u32, u32, r = c + (a > b ? a - b : b - a)) \
    S3(sad_s32, u32, s32, s32, u32, r = c + (a > b ? (uint32_t)a - (uint32_t)b : (uint32_t)b - (uint32_t)a)) \
    S3(sad_u64, u64, u64, u64, u64, r = c + (a > b ? a - b : b - a)) \
    S3(sad_s64, u64, s64, s64, u64, r = c + (a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a)) \
    S3(dp4a_b32, u32, u32, u32, u32, r = xg_sim_dp4a(a, b, c, imm)) \
    S3(dp2a_b32, u32, u32, u32, u32, r = xg_sim_dp2a(a, b, c, imm)) \
    S3(fns_b32, u32, u32, u32, s32, r = xg_sim_fns(a, b, c)) \
    S2(bmsk_b32, u32, u32, u32, r = xg_sim_bmsk(a, b, imm)) \
    S2(szext_b32, u32, u32, u32, r = xg_sim_szext(a, b, imm)) \
    S1(testp_f32, s32, u32, r = xg_sim_testp(a, XG_SIM_IS_F32, imm)) \
    S1(testp_f64, s32, u64, r = xg_sim_testp(a, XG_SIM_IS_F64, imm)) \
    S3(half_16, u16, u16, u16, u16, r = (uint16_t)xg_sim_half(a, b, c, imm)) \
    S3(half_x2, u32, u32, u32, u32, r = xg_sim_halves(a, b, c, imm)) \
    S2(int_x2, u32, u32, u32, r = xg_sim_int16x2(a, b, imm)) \
    S2(set_f16, s32, u16, u16, r = xg_sim_half_compare(a, b, imm)) \
    S4(set_f16x2, s32, u32, u32, u32, u32, r = xg_sim_half_compare(a & 0xFFFF, b & 0xFFFF, imm); q = (uint32_t)xg_sim_half_compare(a >> 16, b >> 16, imm)) \
    S1(cvt_16_16, u16, u16, r = (uint16_t)xg_sim_cvt_one(a, imm, in->imm2)) \
    S1(cvt_16_32, u16, u32, r = (uint16_t)xg_sim_cvt_one(a, imm, in->imm2)) \
    S1(cvt_16_64, u16, u64, r = (uint16_t)xg_sim_cvt_one(a, imm, in->imm2)) \
    S1(cvt_32_16, u32, u16, r = (uint32_t)xg_sim_cvt_one(a, imm, in->imm2)) \
    S1(cvt_32_32, u32, u32, r = (uint32_t)xg_sim_cvt_one(a, imm, in->imm2)) \
    S1(cvt_32_64, u32, u64, r = (uint32_t)xg_sim_cvt_one(a, imm, in->imm2)) \
    S1(cvt_64_16, u64, u16, r = xg_sim_cvt_one(a, imm, in->imm2)) \
    S1(cvt_64_32, u64, u32, r = xg_sim_cvt_one(a, imm, in->imm2)) \
    S1(cvt_64_64, u64, u64, r = xg_sim_cvt_one(a, imm, in->imm2)) \
    S2(pair_32, u32, u32, u32, r = xg_sim_cvt_pair(a, b, imm, in->imm2, 16)) \
    S2(pair_16, u16, u32, u32, r = (uint16_t)xg_sim_cvt_pair(a, b, imm, in->imm2, 8)) \
    S2(pair_8, u16, u32, u32, r = (uint16_t)xg_sim_cvt_pair(a, b, imm, in->imm2, 4)) \
    S1(pair_x2, u16, u32, r = (uint16_t)xg_sim_cvt_pair(a >> 16, a & 0xFFFF, imm, in->imm2, 8)) \
    S1(unpair_8, u32, u16, r = xg_sim_cvt_unpair(a, imm, in->imm2, 8)) \
    S1(unpair_4, u32, u16, r = xg_sim_cvt_unpair(a, imm, in->imm2, 4)) \
    S3(video_b32, u32, u32, u32, u32, r = xg_sim_video(a, b, c, imm, in->imm2)) \
    S3(videos_b32, u32, u32, u32, u32, r = xg_sim_videos(a, b, c, imm, in->imm2)) \
    S3(pack_small, u32, u32, u32, u32, const uint32_t n = imm & 7; r = c << (2 * n) | ((uint32_t)(uint64_t)xg_sim_video_clamp((int32_t)a, n, (imm & 8) != 0) & ((1u << n) - 1)) << n | ((uint32_t)(uint64_t)xg_sim_video_clamp((int32_t)b, n, (imm & 8) != 0) & ((1u << n) - 1))) \
    S3(mad24hisat_s32, u32, u32, u32, u32, r = (uint32_t)xg_sim_video_clamp(((int64_t)(int32_t)xg_sim_szext(a, 24, 2) * (int32_t)xg_sim_szext(b, 24, 2) >> 16) + (int32_t)c, 32, true)) \
    S3(pack_cvt, u32, u32, u32, u32, r = xg_sim_cvt_pack(a, b, c, imm & 0xFFFF, in->imm2, imm >> 16))
/* clang-format on */

#define XG_S_SOURCE(x) \
    const char *p##x = L->base[in->x & 1] + in->x; \
    const size_t s##x = L->stride[in->x & 1];
#define XG_S_GET(x, T) \
    xg_sim_e_##T x; \
    memcpy(&x, p##x + i * sizeof(x), sizeof(x));
#define XG_S_HEAD(name) \
    XG_FN void xg_sim_##name(const xg_sim_lanes *L, const xg_sim_ins *in) { \
        const uint32_t imm = in->imm; \
        char *pd = L->dst; \
        uint32_t w = L->warps; \
        size_t i; \
        (void)imm;
#define XG_S_LOOP \
    do { \
        for (i = 0; i < XG_SIM_WARP; i++) {
#define XG_S_PUT(T) \
    memcpy(pd + i * sizeof(xg_sim_e_##T), &r, sizeof r); \
    } \
    pd += L->dstride;
#define XG_S_1(name, T, A, ...) \
    XG_S_HEAD(name) XG_S_SOURCE(a) XG_S_LOOP XG_S_GET(a, A) xg_sim_e_##T r; \
    __VA_ARGS__; \
    XG_S_PUT(T) pa += sa; \
    } \
    while (--w) \
        ; \
    }
#define XG_S_2(name, T, A, B, ...) \
    XG_S_HEAD(name) XG_S_SOURCE(a) XG_S_SOURCE(b) XG_S_LOOP XG_S_GET(a, A) XG_S_GET(b, B) xg_sim_e_##T r; \
    __VA_ARGS__; \
    XG_S_PUT(T) pa += sa; \
    pb += sb; \
    } \
    while (--w) \
        ; \
    }
#define XG_S_3(name, T, A, B, C, ...) \
    XG_S_HEAD(name) \
    XG_S_SOURCE(a) \
    XG_S_SOURCE(b) XG_S_SOURCE(c) XG_S_LOOP XG_S_GET(a, A) XG_S_GET(b, B) XG_S_GET(c, C) xg_sim_e_##T r; \
    __VA_ARGS__; \
    XG_S_PUT(T) pa += sa; \
    pb += sb; \
    pc += sc; \
    } \
    while (--w) \
        ; \
    }
/* Four sources or two destinations (q, 32 bits, where dst2 is set). */
#define XG_S_4(name, T, A, B, C, E, ...) \
    XG_S_HEAD(name) char *pq = L->dst2; \
    XG_S_SOURCE(a) \
    XG_S_SOURCE(b) \
    XG_S_SOURCE(c) XG_S_SOURCE(e) XG_S_LOOP XG_S_GET(a, A) XG_S_GET(b, B) XG_S_GET(c, C) XG_S_GET(e, E) \
        xg_sim_e_##T r; \
    uint32_t q; \
    (void)c; \
    (void)e; \
    __VA_ARGS__; \
    if (pq) { memcpy(pq + i * 4, &q, 4); } \
    XG_S_PUT(T) \
    pq += pq ? L->dstride : 0; \
    pa += sa; \
    pb += sb; \
    pc += sc; \
    pe += se; \
    } \
    while (--w) \
        ; \
    }
XG_SIM_SCALAR_OPS(XG_S_1, XG_S_2, XG_S_3, XG_S_4)

/* ---- the table of all arithmetic functions ---- */

#define XG_SIM_SNAME1(name, T, A, ...) XG_SIM_X(name)
#define XG_SIM_SNAME2(name, T, A, B, ...) XG_SIM_X(name)
#define XG_SIM_SNAME3(name, T, A, B, C, ...) XG_SIM_X(name)
#define XG_SIM_SNAME4(name, T, A, B, C, E, ...) XG_SIM_X(name)
#define XG_SIM_SCALAR_NAMES XG_SIM_SCALAR_OPS(XG_SIM_SNAME1, XG_SIM_SNAME2, XG_SIM_SNAME3, XG_SIM_SNAME4)

typedef enum xg_sim_f {
    XG_SIM_F_none,
#define XG_SIM_X(name) XG_SIM_F_##name,
    XG_SIM_VECTOR_NAMES XG_SIM_SCALAR_NAMES
#undef XG_SIM_X
        XG_SIM_F_COUNT
} xg_sim_f;
static const xg_sim_fn xg_sim_fns_base[XG_SIM_F_COUNT] = {NULL,
#define XG_SIM_X(name) xg_sim_base_##name,
    XG_SIM_VECTOR_NAMES
#undef XG_SIM_X
#define XG_SIM_X(name) xg_sim_##name,
        XG_SIM_SCALAR_NAMES
#undef XG_SIM_X
};
#if XG_SIM_X86
static const xg_sim_fn xg_sim_fns_avx2[XG_SIM_F_COUNT] = {NULL,
#define XG_SIM_X(name) xg_sim_avx2_##name,
    XG_SIM_VECTOR_NAMES
#undef XG_SIM_X
#define XG_SIM_X(name) xg_sim_##name,
        XG_SIM_SCALAR_NAMES
#undef XG_SIM_X
};
static const xg_sim_fn xg_sim_fns_avx512[XG_SIM_F_COUNT] = {NULL,
#define XG_SIM_X(name) xg_sim_avx512_##name,
    XG_SIM_VECTOR_NAMES
#undef XG_SIM_X
#define XG_SIM_X(name) xg_sim_##name,
        XG_SIM_SCALAR_NAMES
#undef XG_SIM_X
};
#endif
XG_SIM_FN xg_sim_unit xg_sim_unit_best(void) {
#if XG_SIM_X86
    /* F16C is older than both; clang 14 cannot ask for it */
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return XG_SIM_UNIT_BASE;
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
               ? XG_SIM_UNIT_AVX512
               : XG_SIM_UNIT_AVX2;
#else
    return XG_SIM_UNIT_BASE;
#endif
}
XG_SIM_FN const char *xg_sim_unit_name(xg_sim_unit unit) {
    static const char *const names[XG_SIM_UNIT_COUNT] = {
#define X(name, text) text,
        XG_SIM_UNITS(X)
#undef X
    };
    return names[unit];
}
XG_FN xg_sim_fn xg_sim_fn_of(xg_sim_unit unit, xg_sim_f f) {
#if XG_SIM_X86
    if (unit == XG_SIM_UNIT_AVX512) return xg_sim_fns_avx512[f];
    if (unit == XG_SIM_UNIT_AVX2) return xg_sim_fns_avx2[f];
#endif
    (void)unit;
    return xg_sim_fns_base[f];
}

#endif /* XG_SIM_SCALAR_C */
/* sim/convert.c -- bit operations, moves and conversions to records. */
#ifndef XG_SIM_CONVERT_C
#define XG_SIM_CONVERT_C
/* sim/decode_compare.c -- records for comparisons and selections: setp, set, selp, slct. */
#ifndef XG_SIM_DECODE_COMPARE_C
#define XG_SIM_DECODE_COMPARE_C
/* sim/decode.c -- arithmetic statements to records.
 *
 * XG_SIM_ROWS lists every mnemonic with the function that decodes it. A decoder takes the modifiers it understands
 * (what is left over is an error), fetches operands with the sizes the type asks for, and puts records. A modifier that
 * the arithmetic function does not know itself becomes a record of its own before or after (.ftz, .sat), on temporary
 * registers; the real destination is written by the last record only, so that sources which are the same register stay
 * readable.
 *
 * Operands in records are id*2 for registers and id*2+1 for constants until flow.c turns them into offsets. */
#ifndef XG_SIM_DECODE_C
#define XG_SIM_DECODE_C

/* ---- modifiers ---- */

XG_FN bool xg_sim_take(xg_sim_stmt *s, const char *word) {
    uint32_t i;
    for (i = 0; i < s->n_mods; i++)
        if (!(s->used >> i & 1) && xg_str_is(s->mods[i], word)) {
            s->used |= 1u << i;
            return true;
        }
    return false;
}
XG_FN xg_sim_type xg_sim_take_type(xg_sim_asm *p, xg_sim_stmt *s) { /* the first one left */
    uint32_t i;
    for (i = 0; i < s->n_mods; i++) {
        xg_sim_type t = s->used >> i & 1 ? XG_SIM_NONE : xg_sim_type_of(s->mods[i]);
        if (t != XG_SIM_NONE) {
            s->used |= 1u << i;
            return t;
        }
    }
    XG_SIM_BAD(p, s->at, "write it as in add.s32", "'%.*s' needs a type", (int)s->op.n, s->op.p);
}
/* One of the words, by its number; -1 when none is there. */
XG_FN int xg_sim_take_one(xg_sim_stmt *s, const char *const *words, int n) {
    int i;
    for (i = 0; i < n; i++)
        if (xg_sim_take(s, words[i])) return i;
    return -1;
}
XG_FN xg_sim_round xg_sim_take_round(xg_sim_stmt *s) {
    static const char *const words[] = {"rn", "rz", "rm", "rp"};
    int i = xg_sim_take_one(s, words, 4);
    return i < 0 ? XG_SIM_RN : (xg_sim_round)i;
}
XG_NORETURN XG_FN void xg_sim_no_type(xg_sim_asm *p, const xg_sim_stmt *s, xg_sim_type t) {
    XG_SIM_UNSUPPORTED(
        p, s->at, NULL, "'%.*s' has no form for .%s with these modifiers", (int)s->op.n, s->op.p, xg_sim_types[t].text);
}
XG_FN void xg_sim_operands(xg_sim_asm *p, const xg_sim_stmt *s, uint32_t least, uint32_t most) {
    if (s->n < least || s->n > most)
        XG_SIM_BAD(p, s->at, NULL, "'%.*s' takes %u operands here, not %u", (int)s->op.n, s->op.p,
            s->n < least ? least : most, s->n);
}

/* ---- records ---- */

XG_FN xg_sim_ins *xg_sim_put(xg_sim_asm *p, xg_sim_stmt *s, xg_sim_kind kind) {
    xg_sim_ins in;
    memset(&in, 0, sizeof in);
    in.kind = (uint8_t)kind;
    in.d = in.d2 = in.a = in.b = in.c = in.e = in.list = XG_SIM_NOREG;
    in.guard = s->guard;
    in.at = s->at;
    if (s->guard != XG_SIM_NOREG) in.flags |= XG_SIM_GUARDED;
    if (s->guard_not) in.flags |= XG_SIM_NOT;
    if (p->code.n == s->first) in.flags |= XG_SIM_FIRST;
    if (p->code.n >= 1u << 26) xg_fail_at(p->c, XLAGPU_ERROR_LIMIT, p->src, s->at, NULL, "more than 2^26 records");
    xg_push(&p->scratch, xg_sim_ins, &p->code, in);
    return &p->code.p[p->code.n - 1];
}
XG_FN xg_sim_ins *xg_sim_alu(
    xg_sim_asm *p, xg_sim_stmt *s, xg_sim_f f, uint32_t d, uint32_t a, uint32_t b, uint32_t c) {
    xg_sim_ins *in = xg_sim_put(p, s, XG_SIM_K_ALU);
    XLAGPU_ASSERT(f != XG_SIM_F_none);
    in->op = (uint16_t)f;
    in->d = d;
    in->a = a;
    in->b = b;
    in->c = c;
    return in;
}
XG_FN uint32_t xg_sim_temp(xg_sim_asm *p, uint32_t bytes) { return xg_sim_new_reg(p, bytes) << 1; }
XG_FN uint32_t xg_sim_bytes_of(const xg_sim_asm *p, uint32_t code) {
    return code & 1 ? p->consts.p[code >> 1].bytes : p->vregs.p[code >> 1].bytes;
}
XG_FN uint32_t xg_sim_via(
    xg_sim_asm *p, xg_sim_stmt *s, xg_sim_f f, uint32_t bytes, uint32_t a) { /* f(a) in a temporary */
    uint32_t t = xg_sim_temp(p, bytes);
    xg_sim_alu(p, s, f, t, a, XG_SIM_NOREG, XG_SIM_NOREG);
    return t;
}

/* ---- constants ---- */

XG_FN uint32_t xg_sim_constant(xg_sim_asm *p, uint64_t value, uint32_t bytes) {
    xg_map64 *m = &p->const_map[bytes <= 2 ? 0 : bytes == 4 ? 1 : 2];
    uint64_t key = bytes <= 2 ? value & 0xFFFF : bytes == 4 ? value & 0xFFFFFFFFu : value;
    void *found = xg_map64_get(m, key);
    xg_sim_const k;
    if (found) return (uint32_t)((uintptr_t)found - 1) << 1 | 1;
    memset(&k, 0, sizeof k);
    k.value = key;
    k.bytes = (uint8_t)(bytes <= 2 ? 2 : bytes == 4 ? 4 : 8);
    xg_push(&p->scratch, xg_sim_const, &p->consts, k);
    xg_map64_put(m, key, (void *)(uintptr_t)p->consts.n);
    return (p->consts.n - 1) << 1 | 1;
}
/* The address of a shared variable: known when all functions are. */
XG_FN uint32_t xg_sim_shared_address(xg_sim_asm *p, xg_sim_sym *v, uint64_t addend, uint32_t bytes) {
    xg_sim_const k;
    if (v->users == 0 || v->user != p->f->id) {
        v->users++;
        v->user = p->f->id;
    }
    memset(&k, 0, sizeof k);
    k.value = addend;
    k.bytes = (uint8_t)bytes;
    k.sym = v;
    k.func = p->f->id;
    xg_push(&p->scratch, xg_sim_const, &p->consts, k);
    return (p->consts.n - 1) << 1 | 1;
}
XG_FN uint32_t xg_sim_address_of(xg_sim_asm *p, xg_sim_stmt *s, xg_sim_sym *v, uint64_t addend, uint32_t bytes) {
    if (v->space == XG_SIM_SHARED) return xg_sim_shared_address(p, v, addend, bytes);
    if (v->space == XG_SIM_LOCAL && !p->f->entry) { /* the frame's place is known when running */
        uint32_t t = xg_sim_temp(p, bytes);
        xg_sim_ins *in = xg_sim_put(p, s, XG_SIM_K_LOCAL);
        in->d = t;
        in->imm = (uint32_t)(v->offset + addend);
        return t;
    }
    return xg_sim_constant(p, v->offset + addend, bytes);
}

/* ---- operands ---- */

/* X(text, size in bytes, number): what a warp reads; run.c computes them. */
/* clang-format off */
#define XG_SIM_SREGS(X) \
    X("%tid.x", TID_X, 4) \
    X("%tid.y", TID_Y, 4) \
    X("%tid.z", TID_Z, 4) \
    X("%ntid.x", NTID_X, 4) \
    X("%ntid.y", NTID_Y, 4) \
    X("%ntid.z", NTID_Z, 4) \
    X("%ctaid.x", CTAID_X, 4) \
    X("%ctaid.y", CTAID_Y, 4) \
    X("%ctaid.z", CTAID_Z, 4) \
    X("%nctaid.x", NCTAID_X, 4) \
    X("%nctaid.y", NCTAID_Y, 4) \
    X("%nctaid.z", NCTAID_Z, 4) \
    X("%laneid", LANEID, 4) \
    X("%warpid", WARPID, 4) \
    X("%nwarpid", NWARPID, 4) \
    X("%smid", SMID, 4) \
    X("%nsmid", NSMID, 4) \
    X("%gridid", GRIDID, 8) \
    X("%lanemask_eq", LANEMASK_EQ, 4) \
    X("%lanemask_lt", LANEMASK_LT, 4) \
    X("%lanemask_le", LANEMASK_LE, 4) \
    X("%lanemask_gt", LANEMASK_GT, 4) \
    X("%lanemask_ge", LANEMASK_GE, 4) \
    X("%clock", CLOCK, 4) \
    X("%clock_hi", CLOCK_HI, 4) \
    X("%clock64", CLOCK64, 8) \
    X("%globaltimer", GLOBALTIMER, 8) \
    X("%globaltimer_lo", GLOBALTIMER_LO, 4) \
    X("%globaltimer_hi", GLOBALTIMER_HI, 4) \
    X("%dynamic_smem_size", DYNAMIC_SMEM, 4) \
    X("%total_smem_size", TOTAL_SMEM, 4) \
    X("%cluster_ctarank", CLUSTER_CTARANK, 4) \
    X("%cluster_nctarank", CLUSTER_NCTARANK, 4) \
    X("%clusterid.x", CLUSTERID_X, 4) \
    X("%clusterid.y", CLUSTERID_Y, 4) \
    X("%clusterid.z", CLUSTERID_Z, 4) \
    X("%nclusterid.x", NCLUSTERID_X, 4) \
    X("%nclusterid.y", NCLUSTERID_Y, 4) \
    X("%nclusterid.z", NCLUSTERID_Z, 4) \
    X("%cluster_ctaid.x", CLUSTER_CTAID_X, 4) \
    X("%cluster_ctaid.y", CLUSTER_CTAID_Y, 4) \
    X("%cluster_ctaid.z", CLUSTER_CTAID_Z, 4) \
    X("%aggr_smem_size", AGGR_SMEM, 4) \
    X("%is_explicit_cluster", EXPLICIT_CLUSTER, 4) \
    X("%cluster_nctaid.x", CLUSTER_NCTAID_X, 4) \
    X("%cluster_nctaid.y", CLUSTER_NCTAID_Y, 4) \
    X("%cluster_nctaid.z", CLUSTER_NCTAID_Z, 4)
/* clang-format on */
typedef enum xg_sim_sreg {
#define X(text, name, bytes) XG_SIM_SREG_##name,
    XG_SIM_SREGS(X)
#undef X
    XG_SIM_SREG_COUNT
} xg_sim_sreg;
typedef struct xg_sim_sreg_row {
    const char *text;
    uint8_t bytes;
} xg_sim_sreg_row;
static const xg_sim_sreg_row xg_sim_sregs[XG_SIM_SREG_COUNT] = {
#define X(text, name, bytes) {text, bytes},
    XG_SIM_SREGS(X)
#undef X
};
XG_FN const char *xg_sim_sreg_name(const void *user, size_t i) {
    (void)user;
    return i < XG_SIM_SREG_COUNT ? xg_sim_sregs[i].text : NULL;
}

XG_NORETURN XG_FN void xg_sim_unknown_word(xg_sim_asm *p, const xg_sim_operand *o) {
    const char *near_name = o->word.p[0] == '%' ? xg_nearest(o->word, xg_sim_sreg_name, NULL) : NULL;
    char hint[80];
    if (near_name) xg_format(hint, sizeof hint, "did you mean %s?", near_name);
    XG_SIM_BAD(p, o->at, near_name ? hint : NULL, "'%.*s' is not declared", (int)o->word.n, o->word.p);
}
/* Counters and places of a driver that is not here: they are 0. */
XG_FN bool xg_sim_sreg_zero(xg_str w, uint32_t *bytes) {
    static const struct {
        const char *text;
        uint8_t n, bytes;
    } rows[] = {{"%envreg", 32, 4}, {"%pm", 8, 4}, {"%reserved_smem_offset_", 2, 4}};
    static const char *const others[] = {"%reserved_smem_offset_begin", "%reserved_smem_offset_end",
        "%reserved_smem_offset_cap", "%current_graph_exec", "%pm0_64", "%pm1_64", "%pm2_64", "%pm3_64", "%pm4_64",
        "%pm5_64", "%pm6_64", "%pm7_64"};
    static const char *const fourth[] = {"%tid.w", "%ntid.w", "%ctaid.w", "%nctaid.w", "%clusterid.w", "%nclusterid.w",
        "%cluster_ctaid.w", "%cluster_nctaid.w"};
    size_t i, k;
    for (i = 0; i < XG_COUNT(others); i++)
        if (xg_str_is(w, others[i])) {
            *bytes = i < 3 ? 4 : 8;
            return true;
        }
    for (i = 0; i < XG_COUNT(fourth); i++)
        if (xg_str_is(w, fourth[i])) {
            *bytes = 4;
            return true;
        }
    for (i = 0; i < XG_COUNT(rows); i++) {
        uint32_t number = 0;
        size_t n = strlen(rows[i].text);
        if (w.n <= n || w.n > n + 2 || memcmp(w.p, rows[i].text, n) != 0) continue;
        for (k = n; k < w.n && xg_sim_is_digit(w.p[k]); k++) number = number * 10 + (uint32_t)(w.p[k] - '0');
        *bytes = rows[i].bytes;
        if (k == w.n && number < rows[i].n) return true;
    }
    return false;
}
XG_FN uint32_t xg_sim_special(xg_sim_asm *p, xg_sim_stmt *s, const xg_sim_operand *o) {
    uint32_t i, t;
    xg_sim_ins *in;
    for (i = 0; i < XG_SIM_SREG_COUNT; i++)
        if (xg_str_is(o->word, xg_sim_sregs[i].text)) break;
    if (i == XG_SIM_SREG_COUNT && xg_sim_sreg_zero(o->word, &t)) return xg_sim_constant(p, 0, t);
    if (i == XG_SIM_SREG_COUNT) xg_sim_unknown_word(p, o);
    t = xg_sim_temp(p, xg_sim_sregs[i].bytes);
    in = xg_sim_put(p, s, XG_SIM_K_SREG);
    in->d = t;
    in->op = (uint16_t)i;
    return t;
}

XG_FN uint64_t xg_sim_number_as(const xg_sim_operand *o, xg_sim_type t) {
    if (o->number == 8 && xg_sim_types[t].bytes == 4)
        return xg_sim_pack(xg_sim_unpack(o->value, XG_SIM_IS_F64), XG_SIM_IS_F32, XG_SIM_RN, false);
    if (o->number == 4 && t == XG_SIM_F64)
        return xg_sim_pack(xg_sim_unpack(o->value, XG_SIM_IS_F32), XG_SIM_IS_F64, XG_SIM_RN, false);
    return o->value;
}

/* A source of `bytes` bytes; `wider` allows larger registers (ld, st, cvt). */
XG_FN uint32_t xg_sim_source_of(xg_sim_asm *p, xg_sim_stmt *s, const xg_sim_operand *o, xg_sim_type t, bool wider) {
    uint32_t bytes = xg_sim_types[t].bytes, have;
    uint32_t code;
    if (t == XG_SIM_PRED) {
        if (o->kind == XG_SIM_O_NUM && !o->number) return xg_sim_constant(p, o->value ? 0xFFFFFFFFu : 0, 4);
        if (o->kind == XG_SIM_O_SREG && xg_str_is(o->word, "%is_explicit_cluster")) return xg_sim_special(p, s, o);
        if (o->kind != XG_SIM_O_REG || o->sym->type != XG_SIM_PRED) XG_SIM_BAD(p, o->at, NULL, "expected a predicate");
        return o->inverted ? xg_sim_via(p, s, XG_SIM_F_not_b32, 4, o->sym->reg << 1) : o->sym->reg << 1;
    }
    if (o->inverted) XG_SIM_BAD(p, o->at, NULL, "'!' only stands before a predicate");
    switch (o->kind) {
    case XG_SIM_O_NUM: return xg_sim_constant(p, xg_sim_number_as(o, t), bytes);
    case XG_SIM_O_VAR: return xg_sim_address_of(p, s, o->sym, o->value, bytes == 4 ? 4 : 8);
    case XG_SIM_O_SREG: code = xg_sim_special(p, s, o); break;
    case XG_SIM_O_REG:
        if (o->sym->type == XG_SIM_PRED)
            XG_SIM_BAD(p, o->at, NULL, "'%.*s' is a predicate; a .%s is wanted", (int)o->word.n, o->word.p,
                xg_sim_types[t].text);
        code = o->sym->reg << 1;
        break;
    case XG_SIM_O_LABEL: xg_sim_unknown_word(p, o);
    default: XG_SIM_BAD(p, o->at, NULL, "expected a register or constant of type .%s", xg_sim_types[t].text);
    }
    have = xg_sim_bytes_of(p, code);
    if (have != XG_MAX(bytes, 2u) && !(wider && have > bytes)) {
        if (o->kind == XG_SIM_O_SREG && have == 4 && bytes == 2) return xg_sim_via(p, s, XG_SIM_F_u16_u32, 2, code);
        if (o->kind == XG_SIM_O_SREG && have == 4 && bytes == 8) return xg_sim_via(p, s, XG_SIM_F_u64_u32, 8, code);
        if (o->kind == XG_SIM_O_SREG && have == 8 && bytes == 4) return xg_sim_via(p, s, XG_SIM_F_u32_u64, 4, code);
        XG_SIM_BAD(p, o->at, NULL, "'%.*s' has %u bits; .%s needs %u", (int)o->word.n, o->word.p, have * 8,
            xg_sim_types[t].text, (uint32_t)xg_sim_types[t].bits);
    }
    return code;
}
XG_FN uint32_t xg_sim_source(xg_sim_asm *p, xg_sim_stmt *s, uint32_t i, xg_sim_type t) {
    return xg_sim_source_of(p, s, &s->o[i], t, false);
}

XG_FN uint32_t xg_sim_dest_of(xg_sim_asm *p, const xg_sim_operand *o, xg_sim_type t, bool wider) {
    uint32_t bytes = XG_MAX(xg_sim_types[t].bytes, 2u), have;
    if (o->kind == XG_SIM_O_SINK) return xg_sim_temp(p, bytes);
    if (o->kind == XG_SIM_O_LABEL || o->kind == XG_SIM_O_SREG) xg_sim_unknown_word(p, o);
    if (o->kind != XG_SIM_O_REG || o->inverted) XG_SIM_BAD(p, o->at, NULL, "the destination must be a register");
    have = p->vregs.p[o->sym->reg].bytes;
    if ((o->sym->type == XG_SIM_PRED) != (t == XG_SIM_PRED))
        XG_SIM_BAD(p, o->at, NULL, "'%.*s' is .%s; .%s is wanted", (int)o->word.n, o->word.p,
            xg_sim_types[o->sym->type].text, xg_sim_types[t].text);
    if (have != bytes && !(wider && have > bytes))
        XG_SIM_BAD(p, o->at, NULL, "'%.*s' has %u bits; .%s needs %u", (int)o->word.n, o->word.p, have * 8,
            xg_sim_types[t].text, (uint32_t)xg_sim_types[t].bits);
    return o->sym->reg << 1;
}
XG_FN uint32_t xg_sim_dest(xg_sim_asm *p, xg_sim_stmt *s, uint32_t i, xg_sim_type t) {
    return xg_sim_dest_of(p, &s->o[i], t, false);
}

/* ---- functions by type ---- */

typedef struct xg_sim_by_type {
    uint16_t u16, s16, u32, s32, u64, s64, f32, f64, f16, bf16;
} xg_sim_by_type;
#define XG_F(n) XG_SIM_F_##n
/* X(name, u16, s16, u32, s32, u64, s64, f32, f64, f16, bf16); none where there is no such form. */
/* clang-format off */
#define XG_SIM_BY_TYPE(X) \
    X(add, add_i16, add_i16, add_i32, add_i32, add_i64, add_i64, add_f32, add_f64, add_f16, add_bf16) \
    X(sub, sub_i16, sub_i16, sub_i32, sub_i32, sub_i64, sub_i64, sub_f32, sub_f64, sub_f16, sub_bf16) \
    X(mul, mul_i16, mul_i16, mul_i32, mul_i32, mul_i64, mul_i64, mul_f32, mul_f64, mul_f16, mul_bf16) \
    X(mulh, mulh_u16, mulh_s16, mulh_u32, mulh_s32, mulh_u64, mulh_s64, none, none, none, none) \
    X(mulw, mulw_u16, mulw_s16, mulw_u32, mulw_s32, none, none, none, none, none, none) \
    X(mad, mad_i16, mad_i16, mad_i32, mad_i32, mad_i64, mad_i64, none, none, none, none) \
    X(madw, madw_u16, madw_s16, madw_u32, madw_s32, none, none, none, none, none, none) \
    X(fma, none, none, none, none, none, none, fma_f32, fma_f64, none, none) \
    X(div, div_u16, div_s16, div_u32, div_s32, div_u64, div_s64, div_f32, div_f64, none, none) \
    X(rem, rem_u16, rem_s16, rem_u32, rem_s32, rem_u64, rem_s64, none, none, none, none) \
    X(min, min_u16, min_s16, min_u32, min_s32, min_u64, min_s64, min_f32, min_f64, none, none) \
    X(max, max_u16, max_s16, max_u32, max_s32, max_u64, max_s64, max_f32, max_f64, none, none) \
    X(abs, none, abs_s16, none, abs_s32, none, abs_s64, abs_f32, abs_f64, abs_f16, abs_f16) \
    X(neg, none, neg_i16, none, neg_i32, none, neg_i64, neg_f32, neg_f64, neg_f16, neg_f16) \
    X(and, and_b16, none, and_b32, none, and_b64, none, none, none, none, none) \
    X(or, or_b16, none, or_b32, none, or_b64, none, none, none, none, none) \
    X(xor, xor_b16, none, xor_b32, none, xor_b64, none, none, none, none, none) \
    X(not, not_b16, none, not_b32, none, not_b64, none, none, none, none, none) \
    X(cnot, cnot_b16, none, cnot_b32, none, cnot_b64, none, none, none, none, none) \
    X(shl, shl_b16, none, shl_b32, none, shl_b64, none, none, none, none, none) \
    X(shr, shr_u16, shr_s16, shr_u32, shr_s32, shr_u64, shr_s64, none, none, none, none) \
    X(mov, mov_b16, mov_b16, mov_b32, mov_b32, mov_b64, mov_b64, mov_b32, mov_b64, mov_b16, mov_b16) \
    X(sel, sel_b16, sel_b16, sel_b32, sel_b32, sel_b64, sel_b64, sel_b32, sel_b64, sel_b16, sel_b16) \
    X(sad, sad_u16, sad_s16, sad_u32, sad_s32, sad_u64, sad_s64, none, none, none, none) \
    X(addm, none, none, none, none, none, none, addm_f32, addm_f64, none, none) \
    X(subm, none, none, none, none, none, none, subm_f32, subm_f64, none, none) \
    X(mulm, none, none, none, none, none, none, mulm_f32, mulm_f64, none, none) \
    X(divm, none, none, none, none, none, none, divm_f32, divm_f64, none, none) \
    X(fmam, none, none, none, none, none, none, fmam_f32, fmam_f64, none, none) \
    X(sqrtm, none, none, none, none, none, none, sqrtm_f32, sqrtm_f64, none, none) \
    X(sqrt, none, none, none, none, none, none, sqrt_f32, sqrt_f64, none, none) \
    X(rcp, none, none, none, none, none, none, rcp_f32, rcp_f64, none, none) \
    X(rsqrt, none, none, none, none, none, none, rsqrt_f32, rsqrt_f64, none, none) \
    X(copysign, none, none, none, none, none, none, copysign_f32, copysign_f64, none, none) \
    X(testp, none, none, none, none, none, none, testp_f32, testp_f64, none, none) \
    X(eq, set_eq_u16, set_eq_s16, set_eq_u32, set_eq_s32, set_eq_u64, set_eq_s64, set_eq_f32, set_eq_f64, none, none) \
    X(ne, set_ne_u16, set_ne_s16, set_ne_u32, set_ne_s32, set_ne_u64, set_ne_s64, set_ne_f32, set_ne_f64, none, none) \
    X(lt, set_lt_u16, set_lt_s16, set_lt_u32, set_lt_s32, set_lt_u64, set_lt_s64, set_lt_f32, set_lt_f64, none, none) \
    X(le, set_le_u16, set_le_s16, set_le_u32, set_le_s32, set_le_u64, set_le_s64, set_le_f32, set_le_f64, none, none) \
    X(gt, set_gt_u16, set_gt_s16, set_gt_u32, set_gt_s32, set_gt_u64, set_gt_s64, set_gt_f32, set_gt_f64, none, none) \
    X(ge, set_ge_u16, set_ge_s16, set_ge_u32, set_ge_s32, set_ge_u64, set_ge_s64, set_ge_f32, set_ge_f64, none, none) \
    X(uno, none, none, none, none, none, none, uno_f32, uno_f64, none, none)
/* clang-format on */
typedef enum xg_sim_bt {
#define X(n, a, b, c, d, e, f, g, h, i, j) XG_SIM_BT_##n,
    XG_SIM_BY_TYPE(X)
#undef X
    XG_SIM_BT_COUNT
} xg_sim_bt;
static const xg_sim_by_type xg_sim_typed[XG_SIM_BT_COUNT] = {
#define X(n, a, b, c, d, e, f, g, h, i, j) \
    {XG_F(a), XG_F(b), XG_F(c), XG_F(d), XG_F(e), XG_F(f), XG_F(g), XG_F(h), XG_F(i), XG_F(j)},
    XG_SIM_BY_TYPE(X)
#undef X
};
XG_FN xg_sim_f xg_sim_pick_or_none(xg_sim_bt op, xg_sim_type t) {
    const xg_sim_by_type *r = &xg_sim_typed[op];
    switch (t) {
    case XG_SIM_B16:
    case XG_SIM_U16: return (xg_sim_f)r->u16;
    case XG_SIM_S16: return (xg_sim_f)r->s16;
    case XG_SIM_B32:
    case XG_SIM_U32:
    case XG_SIM_F16X2:
    case XG_SIM_BF16X2:
    case XG_SIM_U16X2:
    case XG_SIM_S16X2: return (xg_sim_f)r->u32;
    case XG_SIM_S32: return (xg_sim_f)r->s32;
    case XG_SIM_B64:
    case XG_SIM_U64:
    case XG_SIM_F32X2: return (xg_sim_f)r->u64;
    case XG_SIM_S64: return (xg_sim_f)r->s64;
    case XG_SIM_F32: return (xg_sim_f)r->f32;
    case XG_SIM_F64: return (xg_sim_f)r->f64;
    case XG_SIM_F16: return (xg_sim_f)r->f16;
    case XG_SIM_BF16: return (xg_sim_f)r->bf16;
    default: return XG_SIM_F_none;
    }
}
XG_FN xg_sim_f xg_sim_pick(xg_sim_asm *p, const xg_sim_stmt *s, xg_sim_bt op, xg_sim_type t) {
    xg_sim_f f = xg_sim_pick_or_none(op, t);
    if (f == XG_SIM_F_none) xg_sim_no_type(p, s, t);
    return f;
}
XG_FN bool xg_sim_is_float(xg_sim_type t) { return t == XG_SIM_F32 || t == XG_SIM_F64; }
XG_FN bool xg_sim_is_half(xg_sim_type t) {
    return t == XG_SIM_F16 || t == XG_SIM_BF16 || t == XG_SIM_F16X2 || t == XG_SIM_BF16X2;
}
XG_FN xg_sim_type xg_sim_bits_type(xg_sim_type t) { /* the .b type of the same size */
    return xg_sim_types[t].bytes == 2 ? XG_SIM_B16 : xg_sim_types[t].bytes == 4 ? XG_SIM_B32 : XG_SIM_B64;
}
XG_FN xg_sim_type xg_sim_twice(xg_sim_type t) {
    return t == XG_SIM_U16 ? XG_SIM_U32 : t == XG_SIM_S16 ? XG_SIM_S32 : t == XG_SIM_U32 ? XG_SIM_U64 : XG_SIM_S64;
}

/* ---- arithmetic ---- */

/* d = f(src) of f32 or f64 with .ftz and .sat around it; n sources. */
XG_FN void xg_sim_float_into(xg_sim_asm *p, xg_sim_stmt *s, xg_sim_f f, xg_sim_type t, uint32_t d, uint32_t *src,
    uint32_t n, bool ftz, bool sat, uint32_t imm) {
    uint32_t i, bytes = xg_sim_types[t].bytes, last = d;
    if ((ftz || sat) && t != XG_SIM_F32) xg_sim_no_type(p, s, t);
    if (ftz && (f == XG_SIM_F_ex2_f32 || f == XG_SIM_F_rcp_f32)) {
        f = f == XG_SIM_F_ex2_f32 ? XG_SIM_F_ex2ftz_f32 : XG_SIM_F_rcpftz_f32;
        ftz = false;
    } /* common */
    for (i = 0; i < n; i++)
        if (ftz) src[i] = xg_sim_via(p, s, XG_SIM_F_ftz_f32, 4, src[i]);
    if (ftz || sat) last = xg_sim_temp(p, bytes);
    xg_sim_alu(p, s, f, last, src[0], n > 1 ? src[1] : XG_SIM_NOREG, n > 2 ? src[2] : XG_SIM_NOREG)->imm = imm;
    if (ftz && sat) {
        i = xg_sim_temp(p, 4);
        xg_sim_alu(p, s, XG_SIM_F_ftz_f32, i, last, XG_SIM_NOREG, XG_SIM_NOREG);
        last = i;
        ftz = false;
    }
    if (ftz) xg_sim_alu(p, s, XG_SIM_F_ftz_f32, d, last, XG_SIM_NOREG, XG_SIM_NOREG);
    if (sat) xg_sim_alu(p, s, XG_SIM_F_sat_f32, d, last, XG_SIM_NOREG, XG_SIM_NOREG);
}
/* The sources follow the destination. Those before the last may be 16-bit floats (`narrow`), which become f32 first. */
XG_FN void xg_sim_float_of(xg_sim_asm *p, xg_sim_stmt *s, xg_sim_f f, xg_sim_type t, xg_sim_type narrow, uint32_t n,
    bool ftz, bool sat, uint32_t imm) {
    uint32_t src[3], i;
    for (i = 0; i < n; i++) {
        bool half = narrow != XG_SIM_NONE && (i == 0 || i + 1 < n);
        src[i] = xg_sim_source(p, s, i + 1, half ? narrow : t);
        if (half) src[i] = xg_sim_via(p, s, narrow == XG_SIM_F16 ? XG_SIM_F_f32_f16 : XG_SIM_F_f32_bf16, 4, src[i]);
    }
    xg_sim_float_into(p, s, f, t, xg_sim_dest(p, s, 0, t), src, n, ftz, sat, imm);
}
XG_FN void xg_sim_float(
    xg_sim_asm *p, xg_sim_stmt *s, xg_sim_f f, xg_sim_type t, uint32_t n, bool ftz, bool sat, uint32_t imm) {
    xg_sim_float_of(p, s, f, t, XG_SIM_NONE, n, ftz, sat, imm);
}
/* The type of 16-bit sources of an f32 result, such as add.f32.f16. */
XG_FN xg_sim_type xg_sim_take_narrow(xg_sim_stmt *s, xg_sim_type t) {
    return t != XG_SIM_F32          ? XG_SIM_NONE
           : xg_sim_take(s, "f16")  ? XG_SIM_F16
           : xg_sim_take(s, "bf16") ? XG_SIM_BF16
                                    : XG_SIM_NONE;
}
/* Two f32 in 64 bits, one after the other. */
XG_FN void xg_sim_float_x2(xg_sim_asm *p, xg_sim_stmt *s, xg_sim_f f, uint32_t n, bool ftz, uint32_t imm) {
    uint32_t src[3], part[3], r[2], i, half, d = xg_sim_dest(p, s, 0, XG_SIM_F32X2);
    for (i = 0; i < n; i++) src[i] = xg_sim_source(p, s, i + 1, XG_SIM_F32X2);
    for (half = 0; half < 2; half++) {
        r[half] = xg_sim_temp(p, 4);
        for (i = 0; i < n; i++) part[i] = xg_sim_via(p, s, half ? XG_SIM_F_high_b64 : XG_SIM_F_u32_u64, 4, src[i]);
        xg_sim_float_into(p, s, f, XG_SIM_F32, r[half], part, n, ftz, false, imm);
    }
    xg_sim_alu(p, s, XG_SIM_F_pack_b64, d, r[0], r[1], XG_SIM_NOREG);
}

/* 16-bit floats with whatever modifiers, scalar or packed. */
XG_FN void xg_sim_half_op(xg_sim_asm *p, xg_sim_stmt *s, xg_sim_type t, uint32_t n, uint32_t op) {
    uint32_t src[3] = {XG_SIM_NOREG, XG_SIM_NOREG, XG_SIM_NOREG}, i;
    bool packed = xg_sim_types[t].bytes == 4;
    if (t == XG_SIM_BF16 || t == XG_SIM_BF16X2) op |= XG_SIM_H_BF16;
    for (i = 0; i < n; i++) src[i] = xg_sim_source(p, s, i + 1, t);
    xg_sim_alu(p, s, packed ? XG_SIM_F_half_x2 : XG_SIM_F_half_16, xg_sim_dest(p, s, 0, t), src[0], src[1], src[2])
        ->imm = op;
}

XG_FN void xg_sim_carry(
    xg_sim_asm *p, xg_sim_stmt *s, xg_sim_f f, xg_sim_type t, uint32_t d, uint32_t a, uint32_t b, bool in, bool out) {
    xg_sim_ins *r;
    (void)t;
    if (p->carry == XG_SIM_NOREG) p->carry = xg_sim_temp(p, 4);
    r = xg_sim_alu(p, s, f, d, a, b, in ? p->carry : XG_SIM_NOREG);
    if (out) r->d2 = p->carry;
    r->imm = in;
}

/* add, sub (arg: BT_add or BT_sub), also addc, subc (arg + 1000). */
XG_FN void xg_sim_d_add(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    bool in = arg >= 1000, out = xg_sim_take(s, "cc"), sat, ftz;
    xg_sim_round mode;
    xg_sim_type t;
    xg_sim_bt op = (xg_sim_bt)(arg % 1000);
    bool sub = op == XG_SIM_BT_sub;
    xg_sim_operands(p, s, 3, 3);
    mode = xg_sim_take_round(s);
    ftz = xg_sim_take(s, "ftz");
    sat = xg_sim_take(s, "sat");
    t = xg_sim_take_type(p, s);
    if (t == XG_SIM_F32X2 && !in && !out && !sat)
        xg_sim_float_x2(p, s,
            mode == XG_SIM_RN ? (sub ? XG_SIM_F_sub_f32 : XG_SIM_F_add_f32)
            : sub             ? XG_SIM_F_subm_f32
                              : XG_SIM_F_addm_f32,
            2, ftz, mode);
    else if (in || out) {
        bool wide = xg_sim_types[t].bytes == 8;
        if (xg_sim_types[t].cls == 'F' || xg_sim_types[t].bytes < 4) xg_sim_no_type(p, s, t);
        xg_sim_carry(p, s,
            sub    ? (wide ? XG_SIM_F_subc_u64 : XG_SIM_F_subc_u32)
            : wide ? XG_SIM_F_addc_u64
                   : XG_SIM_F_addc_u32,
            t, xg_sim_dest(p, s, 0, t), xg_sim_source(p, s, 1, t), xg_sim_source(p, s, 2, t), in, out);
    } else if (xg_sim_is_float(t)) {
        xg_sim_bt modal = sub ? XG_SIM_BT_subm : XG_SIM_BT_addm;
        xg_sim_float_of(
            p, s, xg_sim_pick(p, s, mode == XG_SIM_RN ? op : modal, t), t, xg_sim_take_narrow(s, t), 2, ftz, sat, mode);
    } else if (xg_sim_is_half(t)) {
        if (mode != XG_SIM_RN) xg_sim_no_type(p, s, t);
        if (!ftz && !sat && xg_sim_types[t].bytes == 2)
            xg_sim_alu(p, s, xg_sim_pick(p, s, op, t), xg_sim_dest(p, s, 0, t), xg_sim_source(p, s, 1, t),
                xg_sim_source(p, s, 2, t), XG_SIM_NOREG);
        else
            xg_sim_half_op(
                p, s, t, 2, (sub ? XG_SIM_H_SUB : XG_SIM_H_ADD) | (ftz ? XG_SIM_H_FTZ : 0) | (sat ? XG_SIM_H_SAT : 0));
    } else if (t == XG_SIM_U16X2 || t == XG_SIM_S16X2) {
        if (sub) xg_sim_no_type(p, s, t);
        xg_sim_alu(p, s, XG_SIM_F_int_x2, xg_sim_dest(p, s, 0, t), xg_sim_source(p, s, 1, t), xg_sim_source(p, s, 2, t),
            XG_SIM_NOREG)
            ->imm = 0;
    } else {
        xg_sim_f f = sat ? (sub ? XG_SIM_F_subsat_s32 : XG_SIM_F_addsat_s32) : xg_sim_pick(p, s, op, t);
        if (ftz || (sat && t != XG_SIM_S32)) xg_sim_no_type(p, s, t);
        xg_sim_alu(
            p, s, f, xg_sim_dest(p, s, 0, t), xg_sim_source(p, s, 1, t), xg_sim_source(p, s, 2, t), XG_SIM_NOREG);
    }
}

XG_FN void xg_sim_d_mul(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    static const char *const parts[] = {"lo", "hi", "wide"};
    int part = xg_sim_take_one(s, parts, 3);
    xg_sim_round mode = xg_sim_take_round(s);
    bool ftz = xg_sim_take(s, "ftz"), sat = xg_sim_take(s, "sat");
    xg_sim_type t = xg_sim_take_type(p, s);
    (void)arg;
    xg_sim_operands(p, s, 3, 3);
    if (t == XG_SIM_F32X2 && !sat) {
        xg_sim_float_x2(p, s, mode == XG_SIM_RN ? XG_SIM_F_mul_f32 : XG_SIM_F_mulm_f32, 2, ftz, mode);
        return;
    }
    if (xg_sim_is_float(t)) {
        xg_sim_float(
            p, s, xg_sim_pick(p, s, mode == XG_SIM_RN ? XG_SIM_BT_mul : XG_SIM_BT_mulm, t), t, 2, ftz, sat, mode);
        return;
    }
    if (xg_sim_is_half(t)) {
        if (mode != XG_SIM_RN) xg_sim_no_type(p, s, t);
        if (!ftz && !sat && xg_sim_types[t].bytes == 2)
            xg_sim_alu(p, s, xg_sim_pick(p, s, XG_SIM_BT_mul, t), xg_sim_dest(p, s, 0, t), xg_sim_source(p, s, 1, t),
                xg_sim_source(p, s, 2, t), XG_SIM_NOREG);
        else
            xg_sim_half_op(p, s, t, 2, XG_SIM_H_MUL | (ftz ? XG_SIM_H_FTZ : 0) | (sat ? XG_SIM_H_SAT : 0));
        return;
    }
    if (part < 0)
        XG_SIM_BAD(p, s->at, "write mul.lo, mul.hi or mul.wide",
            "an integer 'mul' must say which part of the product it wants");
    if (ftz || sat) xg_sim_no_type(p, s, t);
    xg_sim_alu(p, s,
        xg_sim_pick(p, s,
            part == 0   ? XG_SIM_BT_mul
            : part == 1 ? XG_SIM_BT_mulh
                        : XG_SIM_BT_mulw,
            t),
        xg_sim_dest(p, s, 0, part == 2 ? xg_sim_twice(t) : t), xg_sim_source(p, s, 1, t), xg_sim_source(p, s, 2, t),
        XG_SIM_NOREG);
}

/* mad, fma; madc (arg 2). */
XG_FN void xg_sim_d_mad(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    static const char *const parts[] = {"lo", "hi", "wide"};
    int part = xg_sim_take_one(s, parts, 3);
    xg_sim_round mode = xg_sim_take_round(s);
    bool ftz = xg_sim_take(s, "ftz"), sat = xg_sim_take(s, "sat"), relu = xg_sim_take(s, "relu"), in = arg == 2,
         out = xg_sim_take(s, "cc");
    xg_sim_type t = xg_sim_take_type(p, s);
    uint32_t a, b, c, product;
    xg_sim_operands(p, s, 4, 4);
    if (t == XG_SIM_F32X2 && !relu && !in && !out && !sat && part < 0) {
        xg_sim_float_x2(p, s, mode == XG_SIM_RN ? XG_SIM_F_fma_f32 : XG_SIM_F_fmam_f32, 3, ftz, mode);
        return;
    }
    if (xg_sim_is_float(t) && !relu && !in && !out && part < 0) {
        xg_sim_float_of(p, s, xg_sim_pick(p, s, mode == XG_SIM_RN ? XG_SIM_BT_fma : XG_SIM_BT_fmam, t), t,
            xg_sim_take_narrow(s, t), 3, ftz, sat, mode);
        return;
    }
    if (xg_sim_is_half(t) && mode == XG_SIM_RN && arg == 1) {
        xg_sim_half_op(p, s, t, 3,
            XG_SIM_H_FMA | (ftz ? XG_SIM_H_FTZ : 0) | (sat ? XG_SIM_H_SAT : 0) | (relu ? XG_SIM_H_RELU : 0));
        return;
    }
    if (part < 0 || arg == 1 || ftz || relu) xg_sim_no_type(p, s, t);
    a = xg_sim_source(p, s, 1, t);
    b = xg_sim_source(p, s, 2, t);
    c = xg_sim_source(p, s, 3, part == 2 ? xg_sim_twice(t) : t);
    if (sat) {
        if (t != XG_SIM_S32 || part != 1 || in || out) xg_sim_no_type(p, s, t);
        xg_sim_alu(p, s, XG_SIM_F_madhisat_s32, xg_sim_dest(p, s, 0, t), a, b, c);
    } else if (part == 2) {
        if (in || out) xg_sim_no_type(p, s, t);
        xg_sim_alu(p, s, xg_sim_pick(p, s, XG_SIM_BT_madw, t), xg_sim_dest(p, s, 0, xg_sim_twice(t)), a, b, c);
    } else if (part == 0 && !in && !out)
        xg_sim_alu(p, s, xg_sim_pick(p, s, XG_SIM_BT_mad, t), xg_sim_dest(p, s, 0, t), a, b, c);
    else {
        bool wide = xg_sim_types[t].bytes == 8;
        product = xg_sim_temp(p, xg_sim_types[t].bytes);
        xg_sim_alu(p, s, xg_sim_pick(p, s, part ? XG_SIM_BT_mulh : XG_SIM_BT_mul, t), product, a, b, XG_SIM_NOREG);
        if (!in && !out)
            xg_sim_alu(p, s, xg_sim_pick(p, s, XG_SIM_BT_add, t), xg_sim_dest(p, s, 0, t), product, c, XG_SIM_NOREG);
        else if (xg_sim_types[t].bytes < 4)
            xg_sim_no_type(p, s, t);
        else
            xg_sim_carry(
                p, s, wide ? XG_SIM_F_addc_u64 : XG_SIM_F_addc_u32, t, xg_sim_dest(p, s, 0, t), product, c, in, out);
    }
}

XG_FN void xg_sim_d_mul24(xg_sim_asm *p, xg_sim_stmt *s, uint32_t mad) {
    bool hi = xg_sim_take(s, "hi"), sat = mad && hi && xg_sim_take(s, "sat"), sgn;
    xg_sim_type t;
    xg_sim_f f;
    uint32_t d;
    if (!hi && !xg_sim_take(s, "lo")) XG_SIM_BAD(p, s->at, NULL, "'%.*s' needs .lo or .hi", (int)s->op.n, s->op.p);
    t = xg_sim_take_type(p, s);
    if (t != XG_SIM_U32 && t != XG_SIM_S32) xg_sim_no_type(p, s, t);
    sgn = t == XG_SIM_S32;
    f = hi ? (sgn ? XG_SIM_F_mul24hi_s32 : XG_SIM_F_mul24hi_u32) : sgn ? XG_SIM_F_mul24lo_s32 : XG_SIM_F_mul24lo_u32;
    xg_sim_operands(p, s, 3 + mad, 3 + mad);
    if (sat) {
        if (!sgn) xg_sim_no_type(p, s, t);
        xg_sim_alu(p, s, XG_SIM_F_mad24hisat_s32, xg_sim_dest(p, s, 0, t), xg_sim_source(p, s, 1, t),
            xg_sim_source(p, s, 2, t), xg_sim_source(p, s, 3, t));
        return;
    }
    d = mad ? xg_sim_temp(p, 4) : xg_sim_dest(p, s, 0, t);
    xg_sim_alu(p, s, f, d, xg_sim_source(p, s, 1, t), xg_sim_source(p, s, 2, t), XG_SIM_NOREG);
    if (mad) xg_sim_alu(p, s, XG_SIM_F_add_i32, xg_sim_dest(p, s, 0, t), d, xg_sim_source(p, s, 3, t), XG_SIM_NOREG);
}

/* div, sqrt, rcp: .approx and .full are computed as exactly as the rounded forms. */
XG_FN void xg_sim_d_div(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    bool approx = xg_sim_take(s, "approx") || xg_sim_take(s, "full"), ftz = xg_sim_take(s, "ftz");
    xg_sim_round mode = xg_sim_take_round(s);
    xg_sim_type t = xg_sim_take_type(p, s);
    uint32_t n = arg == XG_SIM_BT_div ? 2 : 1;
    (void)approx;
    xg_sim_operands(p, s, n + 1, n + 1);
    if (xg_sim_is_float(t)) {
        if (t == XG_SIM_F64) ftz = false; /* rcp.approx.ftz.f64: f64 subnormals are within its error */
        if (mode == XG_SIM_RN)
            xg_sim_float(p, s, xg_sim_pick(p, s, (xg_sim_bt)arg, t), t, n, ftz, false, 0);
        else if (arg == XG_SIM_BT_div)
            xg_sim_float(p, s, xg_sim_pick(p, s, XG_SIM_BT_divm, t), t, n, ftz, false, mode);
        else if (arg == XG_SIM_BT_sqrt)
            xg_sim_float(p, s, xg_sim_pick(p, s, XG_SIM_BT_sqrtm, t), t, n, ftz, false, mode);
        else { /* rcp: 1 / a */
            uint32_t a = xg_sim_source(p, s, 1, t), q;
            if (ftz) a = xg_sim_via(p, s, XG_SIM_F_ftz_f32, 4, a);
            q = ftz ? xg_sim_temp(p, 4) : xg_sim_dest(p, s, 0, t);
            xg_sim_alu(p, s, xg_sim_pick(p, s, XG_SIM_BT_divm, t), q,
                xg_sim_constant(p, t == XG_SIM_F32 ? 0x3F800000u : 0x3FF0000000000000u, xg_sim_types[t].bytes), a,
                XG_SIM_NOREG)
                ->imm = mode;
            if (ftz) xg_sim_alu(p, s, XG_SIM_F_ftz_f32, xg_sim_dest(p, s, 0, t), q, XG_SIM_NOREG, XG_SIM_NOREG);
        }
        return;
    }
    if (arg != XG_SIM_BT_div || ftz || approx) xg_sim_no_type(p, s, t);
    xg_sim_alu(p, s, xg_sim_pick(p, s, XG_SIM_BT_div, t), xg_sim_dest(p, s, 0, t), xg_sim_source(p, s, 1, t),
        xg_sim_source(p, s, 2, t), XG_SIM_NOREG);
}

/* ex2, lg2, sin, cos, tanh, rsqrt of f32; ex2 and tanh of 16-bit floats too. */
XG_FN void xg_sim_d_approx(xg_sim_asm *p, xg_sim_stmt *s, uint32_t f) {
    bool ftz;
    xg_sim_type t;
    xg_sim_take(s, "approx");
    ftz = xg_sim_take(s, "ftz");
    t = xg_sim_take_type(p, s);
    xg_sim_operands(p, s, 2, 2);
    if (xg_sim_is_half(t) && (f == XG_SIM_F_ex2_f32 || f == XG_SIM_F_tanh_f32))
        xg_sim_half_op(p, s, t, 1, f == XG_SIM_F_ex2_f32 ? XG_SIM_H_EX2 : XG_SIM_H_TANH);
    else if (f == XG_SIM_F_rsqrt_f32 && t == XG_SIM_F64)
        xg_sim_float(p, s, XG_SIM_F_rsqrt_f64, t, 1, false, false, 0);
    else if (t == XG_SIM_F32)
        xg_sim_float(p, s, (xg_sim_f)f, t, 1, ftz, false, 0);
    else
        xg_sim_no_type(p, s, t);
}

/* abs, neg, rem, and, or, xor, not, cnot, copysign: one function per type, n sources. */
XG_FN void xg_sim_d_plain(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    xg_sim_bt op = (xg_sim_bt)arg;
    uint32_t n = op == XG_SIM_BT_abs || op == XG_SIM_BT_neg || op == XG_SIM_BT_not || op == XG_SIM_BT_cnot ? 1 : 2;
    bool ftz = xg_sim_take(s, "ftz");
    xg_sim_type t = xg_sim_take_type(p, s), u = t == XG_SIM_PRED ? XG_SIM_B32 : t;
    xg_sim_f f;
    xg_sim_operands(p, s, n + 1, n + 1);
    if (t == XG_SIM_PRED && (op == XG_SIM_BT_cnot || op == XG_SIM_BT_rem || op == XG_SIM_BT_abs))
        xg_sim_no_type(p, s, t);
    if (xg_sim_is_float(t)) {
        xg_sim_float(p, s, xg_sim_pick(p, s, op, t), t, n, ftz, false, 0);
        return;
    }
    if ((t == XG_SIM_F16X2 || t == XG_SIM_BF16X2) && (op == XG_SIM_BT_abs || op == XG_SIM_BT_neg))
        f = op == XG_SIM_BT_abs ? XG_SIM_F_abs_f16x2 : XG_SIM_F_neg_f16x2;
    else if (xg_sim_types[t].cls == 'V')
        xg_sim_no_type(p, s, t);
    else
        f = xg_sim_pick(p, s, op, u);
    if (ftz && !xg_sim_is_half(t)) xg_sim_no_type(p, s, t);
    if (xg_sim_types[t].cls != 'B' && t != XG_SIM_PRED &&
        (op == XG_SIM_BT_and || op == XG_SIM_BT_or || op == XG_SIM_BT_xor || op == XG_SIM_BT_not ||
            op == XG_SIM_BT_cnot))
        xg_sim_no_type(p, s, t);
    xg_sim_alu(p, s, f, xg_sim_dest(p, s, 0, t), xg_sim_source(p, s, 1, t),
        n == 2 ? xg_sim_source(p, s, 2, t) : XG_SIM_NOREG, XG_SIM_NOREG);
}

XG_FN void xg_sim_d_minmax(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    bool max = arg == XG_SIM_BT_max, ftz = xg_sim_take(s, "ftz"), nan = xg_sim_take(s, "NaN"),
         relu = xg_sim_take(s, "relu"), xorsign = xg_sim_take(s, "xorsign"), absolute = xg_sim_take(s, "abs");
    xg_sim_type t = xg_sim_take_type(p, s);
    uint32_t a, b, d, sign = XG_SIM_NOREG, r;
    bool three = t == XG_SIM_F32 && s->n == 4 && !xorsign;
    xg_sim_operands(p, s, three ? 4 : 3, three ? 4 : 3);
    if (xg_sim_is_half(t)) {
        xg_sim_half_op(p, s, t, 2,
            (max ? XG_SIM_H_MAX : XG_SIM_H_MIN) | (ftz ? XG_SIM_H_FTZ : 0) | (nan ? XG_SIM_H_NAN : 0) |
                (relu ? XG_SIM_H_RELU : 0) | (xorsign ? XG_SIM_H_XORSIGN : 0) | (absolute ? XG_SIM_H_ABS : 0));
        return;
    }
    a = xg_sim_source(p, s, 1, t);
    b = xg_sim_source(p, s, 2, t);
    d = xg_sim_dest(p, s, 0, t);
    if (t == XG_SIM_F32) {
        xg_sim_f f = nan ? (max ? XG_SIM_F_maxn_f32 : XG_SIM_F_minn_f32) : max ? XG_SIM_F_max_f32 : XG_SIM_F_min_f32;
        if (relu) xg_sim_no_type(p, s, t);
        if (ftz) {
            a = xg_sim_via(p, s, XG_SIM_F_ftz_f32, 4, a);
            b = xg_sim_via(p, s, XG_SIM_F_ftz_f32, 4, b);
        }
        if (xorsign) {
            sign = xg_sim_temp(p, 4);
            xg_sim_alu(p, s, XG_SIM_F_xor_b32, sign, a, b, XG_SIM_NOREG);
        }
        if (absolute) {
            a = xg_sim_via(p, s, XG_SIM_F_abs_f32, 4, a);
            b = xg_sim_via(p, s, XG_SIM_F_abs_f32, 4, b);
        }
        if (three) { /* of the first two, then of the third */
            uint32_t ab = xg_sim_temp(p, 4), c = xg_sim_source(p, s, 3, t);
            if (ftz) c = xg_sim_via(p, s, XG_SIM_F_ftz_f32, 4, c);
            if (absolute) c = xg_sim_via(p, s, XG_SIM_F_abs_f32, 4, c);
            xg_sim_alu(p, s, f, ab, a, b, XG_SIM_NOREG);
            a = ab;
            b = c;
        }
        r = xorsign ? xg_sim_temp(p, 4) : d;
        xg_sim_alu(p, s, f, r, a, b, XG_SIM_NOREG);
        if (xorsign) xg_sim_alu(p, s, XG_SIM_F_copysign_f32, d, sign, r, XG_SIM_NOREG);
        return;
    }
    if (ftz || nan || xorsign || absolute || (relu && t != XG_SIM_S32 && t != XG_SIM_S16X2)) xg_sim_no_type(p, s, t);
    if (t == XG_SIM_U16X2 || t == XG_SIM_S16X2) {
        r = relu ? xg_sim_temp(p, 4) : d;
        xg_sim_alu(p, s, XG_SIM_F_int_x2, r, a, b, XG_SIM_NOREG)->imm = (max ? 2u : 1u) | (t == XG_SIM_S16X2 ? 4u : 0u);
        if (relu) xg_sim_alu(p, s, XG_SIM_F_int_x2, d, r, xg_sim_constant(p, 0, 4), XG_SIM_NOREG)->imm = 2 | 4;
        return;
    }
    r = relu ? xg_sim_temp(p, 4) : d;
    xg_sim_alu(p, s, xg_sim_pick(p, s, (xg_sim_bt)arg, t), r, a, b, XG_SIM_NOREG);
    if (relu) xg_sim_alu(p, s, XG_SIM_F_max_s32, d, r, xg_sim_constant(p, 0, 4), XG_SIM_NOREG);
}

XG_FN void xg_sim_d_shift(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    xg_sim_type t = xg_sim_take_type(p, s);
    xg_sim_operands(p, s, 3, 3);
    xg_sim_alu(p, s, xg_sim_pick(p, s, (xg_sim_bt)arg, t), xg_sim_dest(p, s, 0, t), xg_sim_source(p, s, 1, t),
        xg_sim_source(p, s, 2, XG_SIM_U32), XG_SIM_NOREG);
}

#endif /* XG_SIM_DECODE_C */

/* op: 0 eq 1 ne 2 lt 3 le 4 gt 5 ge 6 num 7 nan */
typedef struct xg_sim_compare {
    const char *text;
    uint8_t op, unordered;
} xg_sim_compare;
static const xg_sim_compare xg_sim_compares[] = {{"eq", 0, 0}, {"ne", 1, 0}, {"lt", 2, 0}, {"le", 3, 0}, {"gt", 4, 0},
    {"ge", 5, 0}, {"lo", 2, 0}, {"ls", 3, 0}, {"hi", 4, 0}, {"hs", 5, 0}, {"equ", 0, 1}, {"neu", 1, 1}, {"ltu", 2, 1},
    {"leu", 3, 1}, {"gtu", 4, 1}, {"geu", 5, 1}, {"num", 6, 0}, {"nan", 7, 0}};

/* The mask of a comparison in register d, by what the vector functions have: == < ... are ordered, != is unordered. */
XG_FN void xg_sim_compare_into(
    xg_sim_asm *p, xg_sim_stmt *s, const xg_sim_compare *k, xg_sim_type t, uint32_t d, uint32_t a, uint32_t b) {
    static const uint8_t fns[6] = {XG_SIM_BT_eq, XG_SIM_BT_ne, XG_SIM_BT_lt, XG_SIM_BT_le, XG_SIM_BT_gt, XG_SIM_BT_ge};
    static const uint8_t inverse[6] = {1, 0, 5, 4, 3, 2};
    uint32_t x;
    if (!xg_sim_is_float(t)) {
        xg_sim_alu(p, s, xg_sim_pick(p, s, (xg_sim_bt)fns[k->op], t), d, a, b, XG_SIM_NOREG);
        return;
    }
    if (k->op == 7) {
        xg_sim_alu(p, s, xg_sim_pick(p, s, XG_SIM_BT_uno, t), d, a, b, XG_SIM_NOREG);
        return;
    }
    x = xg_sim_temp(p, 4);
    if (k->op == 6) {
        xg_sim_alu(p, s, xg_sim_pick(p, s, XG_SIM_BT_uno, t), x, a, b, XG_SIM_NOREG);
        xg_sim_alu(p, s, XG_SIM_F_not_b32, d, x, XG_SIM_NOREG, XG_SIM_NOREG);
        return;
    }
    if (k->op == 1 && !k->unordered) { /* a < b or a > b */
        uint32_t y = xg_sim_temp(p, 4);
        xg_sim_alu(p, s, xg_sim_pick(p, s, XG_SIM_BT_lt, t), x, a, b, XG_SIM_NOREG);
        xg_sim_alu(p, s, xg_sim_pick(p, s, XG_SIM_BT_gt, t), y, a, b, XG_SIM_NOREG);
        xg_sim_alu(p, s, XG_SIM_F_or_b32, d, x, y, XG_SIM_NOREG);
    } else if (k->op == 0 && k->unordered) {
        uint32_t y = xg_sim_temp(p, 4);
        xg_sim_alu(p, s, xg_sim_pick(p, s, XG_SIM_BT_eq, t), x, a, b, XG_SIM_NOREG);
        xg_sim_alu(p, s, xg_sim_pick(p, s, XG_SIM_BT_uno, t), y, a, b, XG_SIM_NOREG);
        xg_sim_alu(p, s, XG_SIM_F_or_b32, d, x, y, XG_SIM_NOREG);
    } else if (k->unordered && k->op != 1) {
        xg_sim_alu(p, s, xg_sim_pick(p, s, (xg_sim_bt)fns[inverse[k->op]], t), x, a, b, XG_SIM_NOREG);
        xg_sim_alu(p, s, XG_SIM_F_not_b32, d, x, XG_SIM_NOREG, XG_SIM_NOREG);
    } else
        xg_sim_alu(p, s, xg_sim_pick(p, s, (xg_sim_bt)fns[k->op], t), d, a, b, XG_SIM_NOREG);
}

XG_FN const xg_sim_compare *xg_sim_take_compare(xg_sim_asm *p, xg_sim_stmt *s) {
    size_t i;
    for (i = 0; i < XG_COUNT(xg_sim_compares); i++)
        if (s->n_mods && xg_str_is(s->mods[0], xg_sim_compares[i].text)) {
            s->used |= 1;
            return &xg_sim_compares[i];
        }
    XG_SIM_BAD(p, s->at, "such as setp.lt.s32", "the comparison must follow '%.*s'", (int)s->op.n, s->op.p);
}

/* p = cmp [boolop c], q = !cmp [boolop c]. */
XG_FN void xg_sim_boolean(xg_sim_asm *p, xg_sim_stmt *s, int boolop, uint32_t d, uint32_t x, uint32_t c) {
    static const xg_sim_f ops[3] = {XG_SIM_F_and_b32, XG_SIM_F_or_b32, XG_SIM_F_xor_b32};
    if (boolop < 0)
        xg_sim_alu(p, s, XG_SIM_F_mov_b32, d, x, XG_SIM_NOREG, XG_SIM_NOREG);
    else
        xg_sim_alu(p, s, ops[boolop], d, x, c, XG_SIM_NOREG);
}

XG_FN void xg_sim_d_setp(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    static const char *const boolops[] = {"and", "or", "xor"};
    const xg_sim_compare *k = xg_sim_take_compare(p, s);
    int boolop = xg_sim_take_one(s, boolops, 3);
    bool ftz = xg_sim_take(s, "ftz");
    xg_sim_type t = xg_sim_take_type(p, s);
    uint32_t a, b, d, q = XG_SIM_NOREG, x, y = XG_SIM_NOREG, c = XG_SIM_NOREG;
    (void)arg;
    xg_sim_operands(p, s, boolop < 0 ? 3 : 4, boolop < 0 ? 3 : 4);
    a = xg_sim_source(p, s, 1, t);
    b = xg_sim_source(p, s, 2, t);
    d = xg_sim_dest(p, s, 0, XG_SIM_PRED);
    if (s->o[0].pair) q = xg_sim_dest_of(p, s->o[0].pair, XG_SIM_PRED, false);
    if (boolop >= 0) c = xg_sim_source(p, s, 3, XG_SIM_PRED);
    x = boolop < 0 && q == XG_SIM_NOREG ? d : xg_sim_temp(p, 4);
    if (xg_sim_is_half(t)) {
        bool packed = xg_sim_types[t].bytes == 4;
        xg_sim_ins *in = xg_sim_alu(p, s, packed ? XG_SIM_F_set_f16x2 : XG_SIM_F_set_f16, x, a, b, XG_SIM_NOREG);
        if (packed && q == XG_SIM_NOREG) XG_SIM_BAD(p, s->at, "write p|q", "a packed comparison has two destinations");
        in->imm =
            k->op | (k->unordered ? 8u : 0) | (t == XG_SIM_BF16 || t == XG_SIM_BF16X2 ? 16u : 0) | (ftz ? 32u : 0);
        if (packed) { p->code.p[p->code.n - 1].d2 = y = xg_sim_temp(p, 4); }
    } else {
        if (ftz && t != XG_SIM_F32) xg_sim_no_type(p, s, t);
        if (ftz) {
            a = xg_sim_via(p, s, XG_SIM_F_ftz_f32, 4, a);
            b = xg_sim_via(p, s, XG_SIM_F_ftz_f32, 4, b);
        }
        xg_sim_compare_into(p, s, k, t, x, a, b);
    }
    if (x == d) return;
    if (q != XG_SIM_NOREG) {
        if (y == XG_SIM_NOREG) y = xg_sim_via(p, s, XG_SIM_F_not_b32, 4, x);
        if (c != XG_SIM_NOREG && (c == d || c == q)) c = xg_sim_via(p, s, XG_SIM_F_mov_b32, 4, c);
        xg_sim_boolean(p, s, boolop, q, y, c);
    }
    xg_sim_boolean(p, s, boolop, d, x, c);
}

/* Both halves: 1.0 or all ones in each. */
XG_FN void xg_sim_set_packed(xg_sim_asm *p, xg_sim_stmt *s, const xg_sim_compare *k, xg_sim_type dt, xg_sim_type t,
    int boolop, bool ftz, uint32_t a, uint32_t b) {
    uint32_t x = xg_sim_temp(p, 4), y = xg_sim_temp(p, 4), m = xg_sim_temp(p, 4);
    xg_sim_ins *in = xg_sim_alu(p, s, XG_SIM_F_set_f16x2, x, a, b, XG_SIM_NOREG);
    in->imm = k->op | (k->unordered ? 8u : 0) | (t == XG_SIM_BF16X2 ? 16u : 0) | (ftz ? 32u : 0);
    in->d2 = y;
    if (boolop >= 0) {
        uint32_t c = xg_sim_source(p, s, 3, XG_SIM_PRED), u = xg_sim_temp(p, 4), v = xg_sim_temp(p, 4);
        xg_sim_boolean(p, s, boolop, u, x, c);
        xg_sim_boolean(p, s, boolop, v, y, c);
        x = u;
        y = v;
    }
    xg_sim_alu(p, s, XG_SIM_F_pack_b32, m, xg_sim_via(p, s, XG_SIM_F_u16_u32, 2, x),
        xg_sim_via(p, s, XG_SIM_F_u16_u32, 2, y), XG_SIM_NOREG);
    xg_sim_alu(p, s, XG_SIM_F_and_b32, xg_sim_dest(p, s, 0, dt), m,
        xg_sim_constant(p,
            dt == XG_SIM_F16X2    ? 0x3C003C00u
            : dt == XG_SIM_BF16X2 ? 0x3F803F80u
                                  : 0xFFFFFFFFu,
            4),
        XG_SIM_NOREG);
}

XG_FN void xg_sim_d_set(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    static const char *const boolops[] = {"and", "or", "xor"};
    const xg_sim_compare *k = xg_sim_take_compare(p, s);
    int boolop = xg_sim_take_one(s, boolops, 3);
    bool ftz = xg_sim_take(s, "ftz");
    xg_sim_type dt = xg_sim_take_type(p, s), t = xg_sim_take_type(p, s);
    uint32_t a, b, x;
    (void)arg;
    xg_sim_operands(p, s, boolop < 0 ? 3 : 4, boolop < 0 ? 3 : 4);
    if (dt != XG_SIM_U32 && dt != XG_SIM_S32 && dt != XG_SIM_B32 && dt != XG_SIM_F32 &&
        ((dt != XG_SIM_F16 && dt != XG_SIM_BF16) || xg_sim_types[t].cls == 'V') &&
        (!xg_sim_is_half(t) || (dt != t && dt != XG_SIM_U16 && dt != XG_SIM_S16 && dt != XG_SIM_F16)))
        xg_sim_no_type(p, s, dt);
    a = xg_sim_source(p, s, 1, t);
    b = xg_sim_source(p, s, 2, t);
    x = xg_sim_temp(p, 4);
    if (xg_sim_is_half(t) && xg_sim_types[t].bytes == 4) {
        xg_sim_set_packed(p, s, k, dt, t, boolop, ftz, a, b);
        return;
    }
    if (t == XG_SIM_F16 || t == XG_SIM_BF16)
        xg_sim_alu(p, s, XG_SIM_F_set_f16, x, a, b, XG_SIM_NOREG)->imm =
            k->op | (k->unordered ? 8u : 0) | (t == XG_SIM_BF16 ? 16u : 0) | (ftz ? 32u : 0);
    else {
        if (ftz && t != XG_SIM_F32) xg_sim_no_type(p, s, t);
        if (ftz) {
            a = xg_sim_via(p, s, XG_SIM_F_ftz_f32, 4, a);
            b = xg_sim_via(p, s, XG_SIM_F_ftz_f32, 4, b);
        }
        xg_sim_compare_into(p, s, k, t, x, a, b);
    }
    if (boolop >= 0) {
        uint32_t y = xg_sim_temp(p, 4);
        xg_sim_boolean(p, s, boolop, y, x, xg_sim_source(p, s, 3, XG_SIM_PRED));
        x = y;
    }
    if (dt == XG_SIM_F32)
        xg_sim_alu(
            p, s, XG_SIM_F_and_b32, xg_sim_dest(p, s, 0, dt), x, xg_sim_constant(p, 0x3F800000u, 4), XG_SIM_NOREG);
    else if (xg_sim_types[dt].bytes == 2) {
        x = xg_sim_via(p, s, XG_SIM_F_u16_u32, 2, x);
        xg_sim_alu(p, s, XG_SIM_F_and_b16, xg_sim_dest(p, s, 0, dt), x,
            xg_sim_constant(p,
                dt == XG_SIM_F16    ? 0x3C00u
                : dt == XG_SIM_BF16 ? 0x3F80u
                                    : 0xFFFFu,
                2),
            XG_SIM_NOREG);
    } else
        xg_sim_alu(p, s, XG_SIM_F_mov_b32, xg_sim_dest(p, s, 0, dt), x, XG_SIM_NOREG, XG_SIM_NOREG);
}

XG_FN void xg_sim_d_selp(xg_sim_asm *p, xg_sim_stmt *s, uint32_t slct) {
    bool ftz = slct && xg_sim_take(s, "ftz");
    xg_sim_type t = xg_sim_take_type(p, s), ct;
    uint32_t c;
    xg_sim_operands(p, s, 4, 4);
    if (slct) { /* c >= 0 ? a : b */
        ct = xg_sim_take_type(p, s);
        if (ct != XG_SIM_S32 && ct != XG_SIM_F32) xg_sim_no_type(p, s, ct);
        c = xg_sim_source(p, s, 3, ct);
        if (ftz) c = xg_sim_via(p, s, XG_SIM_F_ftz_f32, 4, c);
        {
            uint32_t m = xg_sim_temp(p, 4);
            xg_sim_alu(p, s, ct == XG_SIM_S32 ? XG_SIM_F_set_ge_s32 : XG_SIM_F_set_ge_f32, m, c,
                xg_sim_constant(p, 0, 4), XG_SIM_NOREG);
            c = m;
        }
    } else
        c = xg_sim_source(p, s, 3, XG_SIM_PRED);
    xg_sim_alu(p, s, xg_sim_pick(p, s, XG_SIM_BT_sel, t), xg_sim_dest(p, s, 0, t), xg_sim_source(p, s, 1, t),
        xg_sim_source(p, s, 2, t), c);
}

#endif /* XG_SIM_DECODE_COMPARE_C */

/* ---- bits ---- */

typedef enum xg_sim_bit {
    XG_SIM_BIT_popc,
    XG_SIM_BIT_clz,
    XG_SIM_BIT_brev,
    XG_SIM_BIT_bfe,
    XG_SIM_BIT_bfi,
    XG_SIM_BIT_bfind,
    XG_SIM_BIT_prmt,
    XG_SIM_BIT_lop3,
    XG_SIM_BIT_shf,
    XG_SIM_BIT_sad,
    XG_SIM_BIT_dp4a,
    XG_SIM_BIT_dp2a,
    XG_SIM_BIT_fns,
    XG_SIM_BIT_bmsk,
    XG_SIM_BIT_szext,
    XG_SIM_BIT_testp
} xg_sim_bit;

XG_FN void xg_sim_d_count(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) { /* popc, clz, brev, bfind */
    bool shiftamt = arg == XG_SIM_BIT_bfind && xg_sim_take(s, "shiftamt"), wide, sgn;
    xg_sim_type t = xg_sim_take_type(p, s);
    xg_sim_f f;
    xg_sim_operands(p, s, 2, 2);
    wide = xg_sim_types[t].bytes == 8;
    sgn = xg_sim_types[t].cls == 'S';
    if (xg_sim_types[t].bytes < 4 || xg_sim_types[t].bytes > 8 || xg_sim_types[t].cls == 'F' ||
        xg_sim_types[t].cls == 'V')
        xg_sim_no_type(p, s, t);
    if ((xg_sim_types[t].cls == 'B') == (arg == XG_SIM_BIT_bfind)) xg_sim_no_type(p, s, t);
    if (arg == XG_SIM_BIT_popc)
        f = wide ? XG_F(popc_b64) : XG_F(popc_b32);
    else if (arg == XG_SIM_BIT_clz)
        f = wide ? XG_F(clz_b64) : XG_F(clz_b32);
    else if (arg == XG_SIM_BIT_brev)
        f = wide ? XG_F(brev_b64) : XG_F(brev_b32);
    else
        f = wide ? (sgn ? XG_F(bfind_s64) : XG_F(bfind_u64)) : sgn ? XG_F(bfind_s32) : XG_F(bfind_u32);
    xg_sim_alu(p, s, f, xg_sim_dest(p, s, 0, arg == XG_SIM_BIT_brev ? t : XG_SIM_U32), xg_sim_source(p, s, 1, t),
        XG_SIM_NOREG, XG_SIM_NOREG)
        ->imm = shiftamt;
}

XG_FN uint32_t xg_sim_literal(xg_sim_asm *p, const xg_sim_stmt *s, uint32_t i, uint32_t max) {
    if (i >= s->n || s->o[i].kind != XG_SIM_O_NUM || s->o[i].number || s->o[i].value > max)
        XG_SIM_BAD(p, i < s->n ? s->o[i].at : s->at, NULL, "expected an integer constant up to %u", max);
    return (uint32_t)s->o[i].value;
}

XG_FN void xg_sim_d_field(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) { /* bfe, bfi */
    xg_sim_type t = xg_sim_take_type(p, s);
    bool wide = xg_sim_types[t].bytes == 8, sgn = xg_sim_types[t].cls == 'S';
    xg_sim_ins *in;
    if (xg_sim_types[t].bytes < 4 || xg_sim_types[t].bytes > 8 || xg_sim_types[t].cls == 'F' ||
        xg_sim_types[t].cls == 'V')
        xg_sim_no_type(p, s, t);
    if (arg == XG_SIM_BIT_bfe) {
        if (xg_sim_types[t].cls == 'B') xg_sim_no_type(p, s, t);
        xg_sim_operands(p, s, 4, 4);
        xg_sim_alu(p, s,
            wide  ? (sgn ? XG_F(bfe_s64) : XG_F(bfe_u64))
            : sgn ? XG_F(bfe_s32)
                  : XG_F(bfe_u32),
            xg_sim_dest(p, s, 0, t), xg_sim_source(p, s, 1, t), xg_sim_source(p, s, 2, XG_SIM_U32),
            xg_sim_source(p, s, 3, XG_SIM_U32));
    } else {
        uint32_t a, b, c, e;
        if (xg_sim_types[t].cls != 'B') xg_sim_no_type(p, s, t);
        xg_sim_operands(p, s, 5, 5);
        a = xg_sim_source(p, s, 1, t);
        b = xg_sim_source(p, s, 2, t);
        c = xg_sim_source(p, s, 3, XG_SIM_U32);
        e = xg_sim_source(p, s, 4, XG_SIM_U32);
        in = xg_sim_alu(p, s, wide ? XG_F(bfi_b64) : XG_F(bfi_b32), xg_sim_dest(p, s, 0, t), a, b, c);
        in->e = e;
    }
}

/* ---- selections of bits: prmt, shf, lop3 ---- */

XG_FN bool xg_sim_known_value(
    const xg_sim_asm *p, uint32_t code, uint32_t *value) { /* of a constant that is known by now */
    const xg_sim_const *k = code & 1 ? &p->consts.p[code >> 1] : NULL;
    if (!k || k->sym) return false;
    *value = (uint32_t)k->value;
    return true;
}
XG_FN uint32_t xg_sim_selection(xg_sim_bit op, const uint32_t *v, uint32_t imm) {
    return op == XG_SIM_BIT_prmt  ? xg_sim_prmt(v[0], v[1], v[2], imm)
           : op == XG_SIM_BIT_shf ? xg_sim_shf(v[0], v[1], v[2], imm & 1, imm & 2)
                                  : (uint32_t)xg_sim_lop3(v[0], v[1], v[2], imm);
}
/* Compilers name a register that nobody wrote where a constant selector, distance or table takes no bit of it; such an
 * operand is not read: 0 stands for it. Each bit of a result is a function of at most one bit of each operand, and of
 * one place in it, so trying all zeros and all ones finds every use. */
XG_FN void xg_sim_drop_unselected(xg_sim_asm *p, xg_sim_bit op, uint32_t *src, uint32_t imm) {
    uint32_t v[3] = {0, 0, 0}, k, i, ones, selector;
    if (op != XG_SIM_BIT_lop3 && !xg_sim_known_value(p, src[2], &selector)) return;
    for (k = 0; k < 3; k++) {
        bool taken = src[k] & 1;
        for (ones = 0; ones < 8 && !taken; ones++) {
            uint32_t with;
            for (i = 0; i < 3; i++)
                if (!xg_sim_known_value(p, src[i], &v[i])) v[i] = ones >> i & 1 ? 0xFFFFFFFFu : 0;
            with = xg_sim_selection(op, v, imm);
            v[k] = ~v[k];
            taken = xg_sim_selection(op, v, imm) != with;
        }
        if (!taken) src[k] = xg_sim_constant(p, 0, 4);
    }
}

/* prmt, shf, dp4a, dp2a, fns: three 32-bit sources */
XG_FN void xg_sim_d_three(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    static const char *const modes[] = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
    xg_sim_f f;
    uint32_t imm = 0, src[3], i;
    if (arg == XG_SIM_BIT_prmt) {
        f = XG_F(prmt_b32);
        xg_sim_take(s, "b32");
        imm = (uint32_t)(xg_sim_take_one(s, modes, 6) + 1);
    } else if (arg == XG_SIM_BIT_shf) {
        f = XG_F(shf_b32);
        imm = xg_sim_take(s, "r") ? 1 : 0;
        if (!imm && !xg_sim_take(s, "l")) XG_SIM_BAD(p, s->at, NULL, "'shf' needs .l or .r");
        if (xg_sim_take(s, "clamp"))
            imm |= 2;
        else if (!xg_sim_take(s, "wrap"))
            XG_SIM_BAD(p, s->at, NULL, "'shf' needs .clamp or .wrap");
        xg_sim_take(s, "b32");
    } else if (arg == XG_SIM_BIT_fns) {
        f = XG_F(fns_b32);
        xg_sim_take(s, "b32");
    } else {
        xg_sim_type x, y;
        f = arg == XG_SIM_BIT_dp4a ? XG_F(dp4a_b32) : XG_F(dp2a_b32);
        if (arg == XG_SIM_BIT_dp2a) {
            if (xg_sim_take(s, "hi"))
                imm |= 4;
            else if (!xg_sim_take(s, "lo"))
                XG_SIM_BAD(p, s->at, NULL, "'dp2a' needs .lo or .hi");
        }
        x = xg_sim_take_type(p, s);
        y = xg_sim_take_type(p, s);
        imm |= (x == XG_SIM_S32 ? 1u : 0) | (y == XG_SIM_S32 ? 2u : 0);
    }
    xg_sim_operands(p, s, 4, 4);
    for (i = 0; i < 3; i++) src[i] = xg_sim_source(p, s, i + 1, XG_SIM_B32);
    if (arg == XG_SIM_BIT_prmt || arg == XG_SIM_BIT_shf) xg_sim_drop_unselected(p, (xg_sim_bit)arg, src, imm);
    xg_sim_alu(p, s, f, xg_sim_dest(p, s, 0, XG_SIM_B32), src[0], src[1], src[2])->imm = imm;
}
XG_FN void xg_sim_d_lop3(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    uint32_t src[3], d, x, i, q = XG_SIM_NOREG, table;
    int boolop = xg_sim_take(s, "or") ? 1 : xg_sim_take(s, "and") ? 0 : -1;
    (void)arg;
    xg_sim_take(s, "b32");
    xg_sim_operands(p, s, boolop < 0 ? 5 : 6, boolop < 0 ? 5 : 6);
    for (i = 0; i < 3; i++) src[i] = xg_sim_source(p, s, i + 1, XG_SIM_B32);
    d = xg_sim_dest(p, s, 0, XG_SIM_B32);
    table = xg_sim_literal(p, s, 4, 255);
    xg_sim_drop_unselected(p, XG_SIM_BIT_lop3, src, table);
    if (boolop >= 0) {
        if (!s->o[0].pair) XG_SIM_BAD(p, s->o[0].at, "write d|p", "'lop3' with .and or .or has two destinations");
        q = xg_sim_dest_of(p, s->o[0].pair, XG_SIM_PRED, false);
        x = xg_sim_temp(p, 4);
        xg_sim_alu(p, s, XG_F(lop3_b32), x, src[0], src[1], src[2])->imm = table;
        i = xg_sim_via(p, s, XG_F(pred_b32), 4, x);
        xg_sim_boolean(p, s, boolop == 0 ? 0 : 1, q, i, xg_sim_source(p, s, 5, XG_SIM_PRED));
        xg_sim_alu(p, s, XG_F(mov_b32), d, x, XG_SIM_NOREG, XG_SIM_NOREG);
    } else
        xg_sim_alu(p, s, XG_F(lop3_b32), d, src[0], src[1], src[2])->imm = table;
}
XG_FN void xg_sim_d_sad(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    xg_sim_type t = xg_sim_take_type(p, s);
    (void)arg;
    xg_sim_operands(p, s, 4, 4);
    xg_sim_alu(p, s, xg_sim_pick(p, s, XG_SIM_BT_sad, t), xg_sim_dest(p, s, 0, t), xg_sim_source(p, s, 1, t),
        xg_sim_source(p, s, 2, t), xg_sim_source(p, s, 3, t));
}
XG_FN void xg_sim_d_mask(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) { /* bmsk, szext */
    bool clamp = xg_sim_take(s, "clamp");
    xg_sim_type t;
    if (!clamp && !xg_sim_take(s, "wrap"))
        XG_SIM_BAD(p, s->at, NULL, "'%.*s' needs .clamp or .wrap", (int)s->op.n, s->op.p);
    t = xg_sim_take_type(p, s);
    xg_sim_operands(p, s, 3, 3);
    xg_sim_alu(p, s, arg == XG_SIM_BIT_bmsk ? XG_F(bmsk_b32) : XG_F(szext_b32), xg_sim_dest(p, s, 0, XG_SIM_B32),
        xg_sim_source(p, s, 1, XG_SIM_B32), xg_sim_source(p, s, 2, XG_SIM_B32), XG_SIM_NOREG)
        ->imm = (clamp ? 1u : 0) | (t == XG_SIM_S32 ? 2u : 0);
}
XG_FN void xg_sim_d_testp(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    static const char *const tests[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
    int test = xg_sim_take_one(s, tests, 6);
    xg_sim_type t = xg_sim_take_type(p, s);
    (void)arg;
    xg_sim_operands(p, s, 2, 2);
    if (test < 0) XG_SIM_BAD(p, s->at, "such as testp.finite.f32", "'testp' needs the property to test");
    xg_sim_alu(p, s, xg_sim_pick(p, s, XG_SIM_BT_testp, t), xg_sim_dest(p, s, 0, XG_SIM_PRED),
        xg_sim_source(p, s, 1, t), XG_SIM_NOREG, XG_SIM_NOREG)
        ->imm = (uint32_t)test;
}

/* ---- mov ---- */

XG_FN xg_sim_type xg_sim_part_type(xg_sim_asm *p, const xg_sim_operand *v, xg_sim_type whole) {
    uint32_t bytes = v->n ? xg_sim_types[whole].bytes / v->n : 0;
    if (v->n != 2 && v->n != 4) XG_SIM_BAD(p, v->at, NULL, "a mov takes vectors of 2 or 4 parts");
    if (bytes == 1) return XG_SIM_B8;
    if (bytes == 2) return XG_SIM_B16;
    if (bytes == 4) return XG_SIM_B32;
    XG_SIM_BAD(p, v->at, NULL, ".%s has no %u parts", xg_sim_types[whole].text, v->n);
}
XG_FN uint32_t xg_sim_join16(xg_sim_asm *p, xg_sim_stmt *s, uint32_t lo, uint32_t hi) {
    uint32_t t = xg_sim_temp(p, 4);
    xg_sim_alu(p, s, XG_F(pack_b32), t, lo, hi, XG_SIM_NOREG);
    return t;
}
XG_FN uint32_t xg_sim_join8(
    xg_sim_asm *p, xg_sim_stmt *s, uint32_t lo, uint32_t hi) { /* two bytes in 16-bit registers */
    uint32_t x = xg_sim_via(p, s, XG_F(zext8_i16), 2, lo), y = xg_sim_temp(p, 2), t = xg_sim_temp(p, 2);
    xg_sim_alu(p, s, XG_F(shl_b16), y, hi, xg_sim_constant(p, 8, 4), XG_SIM_NOREG);
    xg_sim_alu(p, s, XG_F(or_b16), t, x, y, XG_SIM_NOREG);
    return t;
}
XG_FN void xg_sim_mov_pack(xg_sim_asm *p, xg_sim_stmt *s, xg_sim_type t) {
    const xg_sim_operand *v = &s->o[1];
    xg_sim_type part = xg_sim_part_type(p, v, t);
    uint32_t x[4], i, d = xg_sim_dest(p, s, 0, t);
    for (i = 0; i < v->n; i++) x[i] = xg_sim_source_of(p, s, &v->items[i], part, false);
    if (part == XG_SIM_B8) {
        for (i = 0; i < v->n / 2; i++) x[i] = xg_sim_join8(p, s, x[2 * i], x[2 * i + 1]);
        if (v->n == 2) {
            xg_sim_alu(p, s, XG_F(mov_b16), d, x[0], XG_SIM_NOREG, XG_SIM_NOREG);
            return;
        }
        xg_sim_alu(p, s, XG_F(pack_b32), d, x[0], x[1], XG_SIM_NOREG);
    } else if (part == XG_SIM_B16 && v->n == 4) {
        uint32_t lo = xg_sim_join16(p, s, x[0], x[1]), hi = xg_sim_join16(p, s, x[2], x[3]);
        xg_sim_alu(p, s, XG_F(pack_b64), d, lo, hi, XG_SIM_NOREG);
    } else
        xg_sim_alu(p, s, part == XG_SIM_B16 ? XG_F(pack_b32) : XG_F(pack_b64), d, x[0], x[1], XG_SIM_NOREG);
}
XG_FN void xg_sim_mov_unpack(xg_sim_asm *p, xg_sim_stmt *s, xg_sim_type t) {
    const xg_sim_operand *v = &s->o[0];
    xg_sim_type part = xg_sim_part_type(p, v, t);
    uint32_t a = xg_sim_source(p, s, 1, t), d[4], i, lo, hi;
    for (i = 0; i < v->n; i++) d[i] = xg_sim_dest_of(p, &v->items[i], part, false);
    if (v->n == 2 && part != XG_SIM_B8) {
        bool wide = part == XG_SIM_B32;
        lo = xg_sim_via(p, s, wide ? XG_F(u32_u64) : XG_F(u16_u32), wide ? 4 : 2, a); /* first: d[0] may be a */
        xg_sim_alu(p, s, wide ? XG_F(high_b64) : XG_F(high_b32), d[1], a, XG_SIM_NOREG, XG_SIM_NOREG);
        xg_sim_alu(p, s, wide ? XG_F(mov_b32) : XG_F(mov_b16), d[0], lo, XG_SIM_NOREG, XG_SIM_NOREG);
        return;
    }
    for (i = 0; i < v->n; i++) { /* by shifting the whole down */
        uint32_t bits = xg_sim_types[part].bits * i, x = a;
        if (bits && t == XG_SIM_B16) {
            x = xg_sim_temp(p, 2);
            xg_sim_alu(p, s, XG_F(shr_u16), x, a, xg_sim_constant(p, bits, 4), XG_SIM_NOREG);
        } else if (bits && xg_sim_types[t].bytes == 4) {
            x = xg_sim_temp(p, 4);
            xg_sim_alu(p, s, XG_F(shr_u32), x, a, xg_sim_constant(p, bits, 4), XG_SIM_NOREG);
        } else if (bits) {
            x = xg_sim_temp(p, 8);
            xg_sim_alu(p, s, XG_F(shr_u64), x, a, xg_sim_constant(p, bits, 4), XG_SIM_NOREG);
        }
        hi = xg_sim_via(p, s,
            xg_sim_types[t].bytes == 8   ? XG_F(u16_u64)
            : xg_sim_types[t].bytes == 4 ? XG_F(u16_u32)
                                         : XG_F(mov_b16),
            2, x);
        xg_sim_alu(p, s, part == XG_SIM_B8 ? XG_F(zext8_i16) : XG_F(mov_b16), d[i], hi, XG_SIM_NOREG, XG_SIM_NOREG);
    }
}
/* The two halves of a 128-bit operand: a register's, or those of a vector. */
XG_FN void xg_sim_halves_of(xg_sim_asm *p, xg_sim_stmt *s, const xg_sim_operand *o, bool dest, uint32_t out[2]) {
    uint32_t i;
    if (o->kind == XG_SIM_O_SINK) {
        out[0] = xg_sim_temp(p, 8);
        out[1] = xg_sim_temp(p, 8);
        return;
    }
    if (o->kind == XG_SIM_O_VEC && o->n == 2) {
        for (i = 0; i < 2; i++)
            out[i] = dest ? xg_sim_dest_of(p, &o->items[i], XG_SIM_B64, false)
                          : xg_sim_source_of(p, s, &o->items[i], XG_SIM_B64, false);
        return;
    }
    if (o->kind != XG_SIM_O_REG || o->sym->type != XG_SIM_B128)
        XG_SIM_BAD(p, o->at, NULL, "expected a .b128 register, or two of 64 bits in braces");
    out[0] = o->sym->reg << 1;
    out[1] = (o->sym->reg + 1) << 1;
}
XG_FN void xg_sim_mov_wide(xg_sim_asm *p, xg_sim_stmt *s) {
    uint32_t from[2], to[2], first;
    xg_sim_halves_of(p, s, &s->o[1], false, from);
    xg_sim_halves_of(p, s, &s->o[0], true, to);
    first = xg_sim_via(p, s, XG_F(mov_b64), 8, from[0]); /* {a,b} may be the register's own halves in another order */
    xg_sim_alu(p, s, XG_F(mov_b64), to[1], from[1], XG_SIM_NOREG, XG_SIM_NOREG);
    xg_sim_alu(p, s, XG_F(mov_b64), to[0], first, XG_SIM_NOREG, XG_SIM_NOREG);
}
/* mov.v2 and .v4: register by register, by way of others since sides may overlap; or a special register with all its
 * parts. */
XG_FN void xg_sim_mov_vector(xg_sim_asm *p, xg_sim_stmt *s, uint32_t n) {
    const xg_sim_type t = xg_sim_take_type(p, s);
    uint32_t between[4], i;
    xg_sim_operands(p, s, 2, 2);
    if (s->o[0].kind != XG_SIM_O_VEC || s->o[0].n != n ||
        (s->o[1].kind != XG_SIM_O_SREG && (s->o[1].kind != XG_SIM_O_VEC || s->o[1].n != n)))
        xg_sim_no_type(p, s, t);
    for (i = 0; i < n; i++) {
        xg_sim_operand part = s->o[1];
        char name[64];
        if (part.kind == XG_SIM_O_VEC)
            part = part.items[i];
        else {
            xg_format(name, sizeof name, "%.*s.%c", (int)XG_MIN(part.word.n, 60u), part.word.p, "xyzw"[i]);
            part.word = xg_str_copy(&p->scratch, xg_str_z(name));
        }
        between[i] = xg_sim_via(p, s, (xg_sim_f)xg_sim_pick(p, s, XG_SIM_BT_mov, t), XG_MAX(2u, xg_sim_types[t].bytes),
            xg_sim_source_of(p, s, &part, t, false));
    }
    for (i = 0; i < n; i++)
        xg_sim_alu(p, s, xg_sim_pick(p, s, XG_SIM_BT_mov, t), xg_sim_dest_of(p, &s->o[0].items[i], t, false),
            between[i], XG_SIM_NOREG, XG_SIM_NOREG);
}
XG_FN void xg_sim_d_mov(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    const uint32_t lanes = xg_sim_take(s, "v2") ? 2 : xg_sim_take(s, "v4") ? 4 : 1;
    xg_sim_type t;
    (void)arg;
    if (lanes > 1) {
        xg_sim_mov_vector(p, s, lanes);
        return;
    }
    t = xg_sim_take_type(p, s);
    xg_sim_operands(p, s, 2, 2);
    if (t == XG_SIM_B128) {
        xg_sim_mov_wide(p, s);
        return;
    }
    if (s->o[1].kind == XG_SIM_O_VEC) {
        xg_sim_mov_pack(p, s, xg_sim_bits_type(t));
        return;
    }
    if (s->o[0].kind == XG_SIM_O_VEC) {
        xg_sim_mov_unpack(p, s, xg_sim_bits_type(t));
        return;
    }
    if (s->o[1].kind == XG_SIM_O_FUNC) {
        if (xg_sim_types[t].bytes != 8) xg_sim_no_type(p, s, t);
        xg_sim_alu(p, s, XG_F(mov_b64), xg_sim_dest(p, s, 0, t),
            xg_sim_constant(p, xg_sim_function_address(s->o[1].sym->func), 8), XG_SIM_NOREG, XG_SIM_NOREG);
        return;
    }
    if (t == XG_SIM_PRED) {
        xg_sim_alu(p, s, XG_F(mov_b32), xg_sim_dest(p, s, 0, t), xg_sim_source(p, s, 1, t), XG_SIM_NOREG, XG_SIM_NOREG);
        return;
    }
    xg_sim_alu(p, s, xg_sim_pick(p, s, XG_SIM_BT_mov, t), xg_sim_dest(p, s, 0, t), xg_sim_source(p, s, 1, t),
        XG_SIM_NOREG, XG_SIM_NOREG);
}

/* ---- cvt ---- */

XG_FN bool xg_sim_is_int(xg_sim_type t) { return xg_sim_types[t].cls == 'U' || xg_sim_types[t].cls == 'S'; }
XG_FN xg_sim_format xg_sim_format_of(xg_sim_asm *p, const xg_sim_stmt *s, xg_sim_type t) {
    switch (t) {
    case XG_SIM_F16:
    case XG_SIM_F16X2: return XG_SIM_IS_F16;
    case XG_SIM_BF16:
    case XG_SIM_BF16X2: return XG_SIM_IS_BF16;
    case XG_SIM_TF32: return XG_SIM_IS_TF32;
    case XG_SIM_F32: return XG_SIM_IS_F32;
    case XG_SIM_F64: return XG_SIM_IS_F64;
    case XG_SIM_E4M3:
    case XG_SIM_E4M3X2: return XG_SIM_IS_E4M3;
    case XG_SIM_E5M2:
    case XG_SIM_E5M2X2: return XG_SIM_IS_E5M2;
    case XG_SIM_E2M1X2: return XG_SIM_IS_E2M1;
    case XG_SIM_E2M3X2: return XG_SIM_IS_E2M3;
    case XG_SIM_E3M2X2: return XG_SIM_IS_E3M2;
    case XG_SIM_UE8M0X2: return XG_SIM_IS_UE8M0;
    default: xg_sim_no_type(p, s, t);
    }
}
XG_FN uint32_t xg_sim_log2(uint32_t bytes) { return bytes >= 8 ? 3 : bytes == 4 ? 2 : bytes == 2 ? 1 : 0; }
XG_FN uint32_t xg_sim_cvt_spec(xg_sim_asm *p, const xg_sim_stmt *s, xg_sim_type t) {
    if (xg_sim_is_int(t))
        return (uint32_t)XG_SIM_CVT_INT | xg_sim_log2(xg_sim_types[t].bytes) |
               (xg_sim_types[t].cls == 'S' ? (uint32_t)XG_SIM_CVT_SIGNED : 0u);
    return xg_sim_format_of(p, s, t);
}
XG_FN xg_sim_f xg_sim_cvt_general(uint32_t to_bytes, uint32_t from_bytes) {
    static const uint16_t f[3][3] = {{XG_F(cvt_16_16), XG_F(cvt_16_32), XG_F(cvt_16_64)},
        {XG_F(cvt_32_16), XG_F(cvt_32_32), XG_F(cvt_32_64)}, {XG_F(cvt_64_16), XG_F(cvt_64_32), XG_F(cvt_64_64)}};
    return (xg_sim_f)f[xg_sim_log2(to_bytes) - 1][xg_sim_log2(from_bytes) - 1];
}
/* Extends the low `bits` bits within a register; none when they fill it. */
XG_FN xg_sim_f xg_sim_extend(uint32_t bits, uint32_t bytes, bool sgn) {
    if (bits == 8)
        return bytes == 2   ? (sgn ? XG_F(sext8_i16) : XG_F(zext8_i16))
               : bytes == 4 ? (sgn ? XG_F(sext8_i32) : XG_F(zext8_i32))
               : sgn        ? XG_F(sext8_i64)
                            : XG_F(zext8_i64);
    if (bits == 16 && bytes > 2)
        return bytes == 4 ? (sgn ? XG_F(sext16_i32) : XG_F(zext16_i32)) : sgn ? XG_F(sext16_i64) : XG_F(zext16_i64);
    if (bits == 32 && bytes > 4) return sgn ? XG_F(sext32_i64) : XG_F(zext32_i64);
    return XG_SIM_F_none;
}
XG_FN xg_sim_f xg_sim_resize(uint32_t to, uint32_t from, bool sgn) {
    if (to == from) return to == 2 ? XG_F(mov_b16) : to == 4 ? XG_F(mov_b32) : XG_F(mov_b64);
    if (to == 2) return from == 4 ? XG_F(u16_u32) : XG_F(u16_u64);
    if (to == 4) return from == 8 ? XG_F(u32_u64) : sgn ? XG_F(s32_s16) : XG_F(u32_u16);
    return from == 2 ? (sgn ? XG_F(s64_s16) : XG_F(u64_u16)) : sgn ? XG_F(s64_s32) : XG_F(u64_u32);
}
/* Integer to integer: extend within the source if its type is narrower, change the size, extend within the
 * destination. */
XG_FN void xg_sim_cvt_ints(xg_sim_asm *p, xg_sim_stmt *s, xg_sim_type dt, xg_sim_type st, uint32_t d, uint32_t a) {
    uint32_t db = xg_sim_bytes_of(p, d), sb = xg_sim_bytes_of(p, a), dbits = xg_sim_types[dt].bits,
             sbits = xg_sim_types[st].bits;
    bool dsgn = xg_sim_types[dt].cls == 'S', ssgn = xg_sim_types[st].cls == 'S';
    xg_sim_f before = dbits > sbits ? xg_sim_extend(sbits, sb, ssgn) : XG_SIM_F_none,
             after = xg_sim_extend(dbits, db, dsgn), size = xg_sim_resize(db, sb, ssgn);
    if (before != XG_SIM_F_none) a = xg_sim_via(p, s, before, sb, a);
    if (after == XG_SIM_F_none) {
        xg_sim_alu(p, s, size, d, a, XG_SIM_NOREG, XG_SIM_NOREG);
        return;
    }
    if (db != sb) a = xg_sim_via(p, s, size, db, a);
    xg_sim_alu(p, s, after, d, a, XG_SIM_NOREG, XG_SIM_NOREG);
}
/* The vector functions for the common conversions without modifiers; none otherwise. */
XG_FN xg_sim_f xg_sim_cvt_fast(xg_sim_type dt, xg_sim_type st, xg_sim_round mode) {
    if (st == XG_SIM_BF16 && dt == XG_SIM_F32) return XG_F(f32_bf16);
    if (st == XG_SIM_F16 && dt == XG_SIM_F32) return XG_F(f32_f16);
    if (st == XG_SIM_F32 && dt == XG_SIM_F64) return XG_F(f64_f32);
    if (st == XG_SIM_S32 && dt == XG_SIM_F64) return XG_F(f64_s32);
    if (mode != XG_SIM_RN) return XG_SIM_F_none;
    if (st == XG_SIM_F32 && dt == XG_SIM_BF16) return XG_F(bf16_f32);
    if (st == XG_SIM_F32 && dt == XG_SIM_F16) return XG_F(f16_f32);
    if (st == XG_SIM_F64 && dt == XG_SIM_F32) return XG_F(f32_f64);
    if (st == XG_SIM_S32 && dt == XG_SIM_F32) return XG_F(f32_s32);
    if (st == XG_SIM_U32 && dt == XG_SIM_F32) return XG_F(f32_u32);
    return XG_SIM_F_none;
}

XG_FN void xg_sim_cvt_packed(
    xg_sim_asm *p, xg_sim_stmt *s, xg_sim_type dt, xg_sim_type st, uint32_t to, uint32_t from) {
    uint32_t d;
    xg_sim_f f;
    if (st == XG_SIM_F32) { /* d, a (upper), b (lower) */
        uint32_t a, b;
        xg_sim_operands(p, s, 3, 3);
        a = xg_sim_source(p, s, 1, XG_SIM_F32);
        b = xg_sim_source(p, s, 2, XG_SIM_F32);
        f = xg_sim_types[dt].bits == 32 ? XG_F(pair_32) : xg_sim_types[dt].bits == 16 ? XG_F(pair_16) : XG_F(pair_8);
        d = xg_sim_dest_of(p, &s->o[0], dt, true);
        if (xg_sim_bytes_of(p, d) != XG_MAX(2u, xg_sim_types[dt].bytes)) xg_sim_no_type(p, s, dt);
        xg_sim_alu(p, s, f, d, a, b, XG_SIM_NOREG);
    } else {
        xg_sim_operands(p, s, 2, 2);
        if ((st == XG_SIM_F16X2 || st == XG_SIM_BF16X2) && xg_sim_types[dt].bytes == 2)
            f = XG_F(pair_x2);
        else if ((dt == XG_SIM_F16X2 || dt == XG_SIM_BF16X2) && xg_sim_types[st].bits == 16)
            f = XG_F(unpair_8);
        else if (dt == XG_SIM_F16X2 && xg_sim_types[st].bits == 8)
            f = XG_F(unpair_4);
        else
            xg_sim_no_type(p, s, dt);
        xg_sim_alu(p, s, f, xg_sim_dest(p, s, 0, dt), xg_sim_source(p, s, 1, st), XG_SIM_NOREG, XG_SIM_NOREG);
    }
    p->code.p[p->code.n - 1].imm = to;
    p->code.p[p->code.n - 1].imm2 = from;
}

XG_FN bool xg_sim_has_mod(const xg_sim_stmt *s, const char *word) {
    uint32_t i;
    for (i = 0; i < s->n_mods; i++)
        if (xg_str_is(s->mods[i], word)) return true;
    return false;
}
/* cvt.pack.sat.{u2,s2,u4,s4}.s32.b32 d, a, b, c */
XG_FN void xg_sim_cvt_pack_small(xg_sim_asm *p, xg_sim_stmt *s) {
    bool four = xg_sim_take(s, "u4"), four_signed = !four && xg_sim_take(s, "s4"),
         two = !four && !four_signed && xg_sim_take(s, "u2");
    uint32_t a, b, c;
    if (!four && !four_signed && !two) xg_sim_take(s, "s2");
    if (!xg_sim_take(s, "s32") || !xg_sim_take(s, "b32"))
        XG_SIM_BAD(p, s->at, "such as cvt.pack.sat.s4.s32.b32", "'cvt.pack' of small integers takes .s32 and .b32");
    xg_sim_operands(p, s, 4, 4);
    a = xg_sim_source(p, s, 1, XG_SIM_S32);
    b = xg_sim_source(p, s, 2, XG_SIM_S32);
    c = xg_sim_source(p, s, 3, XG_SIM_B32);
    xg_sim_alu(p, s, XG_F(pack_small), xg_sim_dest(p, s, 0, XG_SIM_B32), a, b, c)->imm =
        (four || four_signed ? 4u : 2u) | (four || two ? 0u : 8u);
}
XG_FN void xg_sim_cvt_pack_int(xg_sim_asm *p, xg_sim_stmt *s) { /* cvt.pack.sat.s8.s32[.b32] d, a, b[, c] */
    xg_sim_type dt, st;
    uint32_t a, b, c, to, from;
    xg_sim_ins *in;
    if (!xg_sim_take(s, "sat")) XG_SIM_BAD(p, s->at, NULL, "'cvt.pack' needs .sat");
    if (xg_sim_has_mod(s, "u4") || xg_sim_has_mod(s, "s4") || xg_sim_has_mod(s, "u2") || xg_sim_has_mod(s, "s2")) {
        xg_sim_cvt_pack_small(p, s);
        return;
    }
    dt = xg_sim_take_type(p, s);
    st = xg_sim_take_type(p, s);
    if (st != XG_SIM_S32 || !xg_sim_is_int(dt) || xg_sim_types[dt].bytes > 2) xg_sim_no_type(p, s, dt);
    xg_sim_take(s, "b32");
    xg_sim_operands(p, s, 3, 4);
    a = xg_sim_source(p, s, 1, st);
    b = xg_sim_source(p, s, 2, st);
    c = s->n == 4 ? xg_sim_source(p, s, 3, XG_SIM_B32) : xg_sim_constant(p, 0, 4);
    to = xg_sim_cvt_spec(p, s, dt) | XG_SIM_CVT_SAT;
    from = xg_sim_cvt_spec(p, s, st);
    in = xg_sim_alu(p, s, XG_F(pack_cvt), xg_sim_dest(p, s, 0, XG_SIM_B32), a, b, c);
    in->imm = to | (uint32_t)xg_sim_types[dt].bits << 16;
    in->imm2 = from;
}

XG_FN void xg_sim_d_cvt(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    static const char *const modes[] = {"rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi"};
    int m;
    bool ftz, sat, satfinite, relu, plain;
    xg_sim_type dt, st;
    uint32_t to, from, d, a;
    xg_sim_round mode;
    xg_sim_f f;
    xg_sim_ins *in;
    (void)arg;
    if (xg_sim_take(s, "pack")) {
        xg_sim_cvt_pack_int(p, s);
        return;
    }
    m = xg_sim_take_one(s, modes, 9);
    ftz = xg_sim_take(s, "ftz");
    sat = xg_sim_take(s, "sat");
    satfinite = xg_sim_take(s, "satfinite");
    relu = xg_sim_take(s, "relu");
    dt = xg_sim_take_type(p, s);
    st = xg_sim_take_type(p, s);
    if (xg_sim_types[dt].cls == 'B' || xg_sim_types[st].cls == 'B' || dt == XG_SIM_PRED || st == XG_SIM_PRED)
        XG_SIM_BAD(p, s->at, "use .u, .s or .f types", "'cvt' has no .b or .pred types");
    mode = m < 0 ? XG_SIM_RN : m < 5 ? (xg_sim_round)m : (xg_sim_round)(m - 5);
    to = xg_sim_cvt_spec(p, s, dt);
    from = xg_sim_cvt_spec(p, s, st);
    if (m < 0 && !xg_sim_is_int(dt) && (xg_sim_is_int(st) || xg_sim_types[dt].bits < xg_sim_types[st].bits))
        XG_SIM_BAD(p, s->at, "such as cvt.rn", "this conversion needs a rounding mode");
    if (m < 0 && xg_sim_is_int(dt) && !xg_sim_is_int(st))
        XG_SIM_BAD(p, s->at, "such as cvt.rzi", "this conversion needs an integer rounding mode");
    to |= (uint32_t)mode << 6;
    if (sat || (xg_sim_is_int(dt) && !xg_sim_is_int(st))) to |= XG_SIM_CVT_SAT;
    if (satfinite) to |= XG_SIM_CVT_SATFINITE;
    if (relu) to |= XG_SIM_CVT_RELU;
    if (ftz) {
        to |= XG_SIM_CVT_FTZ;
        from |= XG_SIM_CVT_FTZ;
    }
    if (m >= 5 && !xg_sim_is_int(dt)) to |= XG_SIM_CVT_INTEGRAL;
    if ((dt == XG_SIM_BF16 && xg_sim_is_int(st) && xg_sim_types[st].bytes == 1) ||
        (st == XG_SIM_BF16 && xg_sim_is_int(dt) && xg_sim_types[dt].bytes == 1))
        xg_sim_no_type(p, s, dt);
    if (xg_sim_types[dt].cls == 'V' || xg_sim_types[st].cls == 'V') {
        xg_sim_cvt_packed(p, s, dt, st, to, from);
        return;
    }
    xg_sim_operands(p, s, 2, 2);
    a = xg_sim_source_of(p, s, &s->o[1], st, true);
    d = xg_sim_dest_of(p, &s->o[0], dt, true);
    plain = !ftz && !sat && !satfinite && !relu;
    if (xg_sim_is_int(dt) && xg_sim_is_int(st) && plain) {
        xg_sim_cvt_ints(p, s, dt, st, d, a);
        return;
    }
    /* a float in a larger register: low bits, zeros above */
    if (!xg_sim_is_int(dt) && xg_sim_bytes_of(p, d) != xg_sim_types[dt].bytes) {
        uint32_t t = xg_sim_temp(p, xg_sim_types[dt].bytes);
        in = xg_sim_alu(
            p, s, xg_sim_cvt_general(xg_sim_types[dt].bytes, xg_sim_bytes_of(p, a)), t, a, XG_SIM_NOREG, XG_SIM_NOREG);
        in->imm = to;
        in->imm2 = from;
        xg_sim_alu(p, s, xg_sim_resize(xg_sim_bytes_of(p, d), xg_sim_types[dt].bytes, false), d, t, XG_SIM_NOREG,
            XG_SIM_NOREG);
        return;
    }
    if (plain && m < 5 && xg_sim_is_int(st) && xg_sim_types[st].bits < 32 &&
        (dt == XG_SIM_F32 || dt == XG_SIM_F64)) { /* through s32, exactly */
        uint32_t t = xg_sim_temp(p, 4);
        xg_sim_cvt_ints(p, s, XG_SIM_S32, st, t, a);
        a = t;
        st = XG_SIM_S32;
        mode = XG_SIM_RN;
    }
    f = plain && m < 5 && xg_sim_bytes_of(p, a) == XG_MAX(2u, xg_sim_types[st].bytes) ? xg_sim_cvt_fast(dt, st, mode)
                                                                                      : XG_SIM_F_none;
    if (f == XG_SIM_F_none) f = xg_sim_cvt_general(xg_sim_bytes_of(p, d), xg_sim_bytes_of(p, a));
    in = xg_sim_alu(p, s, f, d, a, XG_SIM_NOREG, XG_SIM_NOREG);
    in->imm = to;
    in->imm2 = from;
}

#endif /* XG_SIM_CONVERT_C */
/* sim/control.c -- memory, control flow and warp-wide statements to records. */
#ifndef XG_SIM_CONTROL_C
#define XG_SIM_CONTROL_C

/* ---- memory ---- */

/* imm2 of LD, ST, ATOM: what an access is. */
enum {
    XG_SIM_M_SPACE = 15,
    XG_SIM_M_SIZE = 4 /* log2 of an item's bytes, 3 bits */,
    XG_SIM_M_SIGNED = 1 << 7,
    XG_SIM_M_WIDE = 1 << 8 /* 64-bit address */,
    XG_SIM_M_FENCE = 1 << 9,
    XG_SIM_M_VECTOR = 10 /* log2 of items */,
    XG_SIM_M_STRONG = 1 << 12 /* volatile, relaxed, acquire, release */
};

XG_FN bool xg_sim_prefix(xg_str s, const char *prefix) {
    size_t n = strlen(prefix);
    return s.n >= n && memcmp(s.p, prefix, n) == 0;
}

/* Hints that change nothing here: caches, scopes, orders weaker than what the simulator does. */
XG_FN bool xg_sim_take_hints(xg_sim_stmt *s, bool *fence, bool *policy) {
    static const char *const words[] = {"weak", "volatile", "relaxed", "mmio", "ca", "cg", "cs", "lu", "cv", "wb", "wt",
        "nc", "unified", "cta", "cluster", "gpu", "sys", "gl"};
    uint32_t i;
    size_t j;
    for (i = 0; i < s->n_mods; i++) {
        if (s->used >> i & 1) continue;
        for (j = 0; j < XG_COUNT(words); j++)
            if (xg_str_is(s->mods[i], words[j])) s->used |= 1u << i;
        if (xg_str_is(s->mods[i], "acquire") || xg_str_is(s->mods[i], "release") || xg_str_is(s->mods[i], "acq_rel") ||
            xg_str_is(s->mods[i], "sc")) {
            s->used |= 1u << i;
            *fence = true;
        }
        if (xg_str_is(s->mods[i], "L2::cache_hint")) {
            s->used |= 1u << i;
            *policy = true;
        } else if (xg_sim_prefix(s->mods[i], "L1::") || xg_sim_prefix(s->mods[i], "L2::"))
            s->used |= 1u << i;
    }
    return true;
}
XG_FN bool xg_sim_strong(const xg_sim_stmt *s) { /* ordered by itself: no data race */
    static const char *const words[] = {"volatile", "relaxed", "mmio", "acquire", "release", "acq_rel", "sc"};
    uint32_t i;
    size_t j;
    for (i = 0; i < s->n_mods; i++)
        for (j = 0; j < XG_COUNT(words); j++)
            if (xg_str_is(s->mods[i], words[j])) return true;
    return false;
}
XG_FN xg_sim_space xg_sim_take_space(xg_sim_stmt *s) {
    if (xg_sim_take(s, "global")) return XG_SIM_GLOBAL;
    if (xg_sim_take(s, "shared") || xg_sim_take(s, "shared::cta") || xg_sim_take(s, "shared::cluster"))
        return XG_SIM_SHARED;
    if (xg_sim_take(s, "local")) return XG_SIM_LOCAL;
    if (xg_sim_take(s, "const")) return XG_SIM_CONST;
    if (xg_sim_take(s, "param") || xg_sim_take(s, "param::entry") || xg_sim_take(s, "param::func")) return XG_SIM_PARAM;
    return XG_SIM_GENERIC;
}

/* The address operand: base register or constant, what is added, the space it is in. */
XG_FN uint32_t xg_sim_address(
    xg_sim_asm *p, xg_sim_stmt *s, const xg_sim_operand *o, xg_sim_space *space, uint32_t *offset, bool *wide) {
    xg_sim_operand *base;
    uint64_t add;
    uint32_t code;
    if (o->kind != XG_SIM_O_ADDR) XG_SIM_BAD(p, o->at, "write [register+offset]", "expected an address");
    base = o->items;
    add = o->value + (base->kind == XG_SIM_O_VAR ? base->value : 0);
    *offset = 0;
    *wide = true;
    if (base->kind == XG_SIM_O_NUM) return xg_sim_constant(p, base->value + add, 8);
    if (base->kind == XG_SIM_O_VAR) {
        xg_sim_space is = base->sym->space;
        if (*space == XG_SIM_PARAM && is == XG_SIM_LOCAL) *space = XG_SIM_LOCAL;
        if (*space == XG_SIM_GENERIC) *space = is;
        if (*space != is)
            XG_SIM_BAD(p, base->at, NULL, "'%.*s' is not in the address space that the instruction names",
                (int)base->word.n, base->word.p);
        return xg_sim_address_of(p, s, base->sym, add, 8);
    }
    if (*space == XG_SIM_PARAM && !p->f->entry) *space = XG_SIM_LOCAL;
    code = base->sym->reg << 1;
    if (base->sym->type == XG_SIM_PRED) XG_SIM_BAD(p, base->at, NULL, "a predicate is no address");
    *wide = xg_sim_bytes_of(p, code) == 8;
    if (!*wide && (xg_sim_bytes_of(p, code) != 4 || *space == XG_SIM_GLOBAL || *space == XG_SIM_GENERIC))
        XG_SIM_BAD(p, base->at, "addresses of global and generic memory have 64 bits",
            "'%.*s' is too narrow for an address", (int)base->word.n, base->word.p);
    if ((int64_t)add != (int32_t)add) { /* a distance that the record cannot hold */
        uint32_t sum = xg_sim_temp(p, 8);
        if (!*wide) XG_SIM_BAD(p, o->at, NULL, "the offset does not fit 32 bits");
        xg_sim_alu(p, s, XG_F(add_i64), sum, code, xg_sim_constant(p, add, 8), XG_SIM_NOREG);
        return sum;
    }
    *offset = (uint32_t)add;
    return code;
}

XG_FN uint32_t xg_sim_list_begin(const xg_sim_asm *p) { return p->list.n; }
XG_FN void xg_sim_list_add(xg_sim_asm *p, uint32_t code) { xg_push(&p->scratch, uint32_t, &p->list, code); }

XG_FN uint32_t xg_sim_vector_of(xg_sim_asm *p, xg_sim_stmt *s, const xg_sim_operand *o, const xg_sim_operand **items) {
    uint32_t n = xg_sim_take(s, "v2") ? 2 : xg_sim_take(s, "v4") ? 4 : xg_sim_take(s, "v8") ? 8 : 1;
    if (n == 1) {
        *items = o;
        if (o->kind == XG_SIM_O_VEC && o->n != 1) XG_SIM_BAD(p, o->at, NULL, "a vector operand needs .v2, .v4 or .v8");
        if (o->kind == XG_SIM_O_VEC) *items = o->items;
        return 1;
    }
    if (o->kind != XG_SIM_O_VEC || o->n != n) XG_SIM_BAD(p, o->at, NULL, ".v%u needs %u registers in braces", n, n);
    *items = o->items;
    return n;
}

XG_FN bool xg_sim_has(const xg_sim_stmt *s, const char *word); /* decode_async.c */
XG_FN void xg_sim_st_async(xg_sim_asm *p, xg_sim_stmt *s, bool red);
XG_FN void xg_sim_st_bulk(xg_sim_asm *p, xg_sim_stmt *s);
/* Asynchronous towards shared memory; st.async.mmio.release and red.async.mmio.release to global memory are done when
 * they are issued. */
XG_FN bool xg_sim_take_async(xg_sim_stmt *s) {
    return xg_sim_take(s, "async") && !(xg_sim_has(s, "mmio") && xg_sim_has(s, "release") && xg_sim_has(s, "global"));
}
XG_FN void xg_sim_cluster_barrier(xg_sim_asm *p, xg_sim_stmt *s);

XG_FN void xg_sim_access(xg_sim_asm *p, xg_sim_stmt *s, uint32_t store) {
    bool fence = false, policy = false, wide;
    xg_sim_space space;
    xg_sim_type t;
    const xg_sim_operand *items, *data = &s->o[store ? 1 : 0], *where = &s->o[store ? 0 : 1];
    uint32_t n, i, list, address, offset, bytes = 0, code;
    xg_sim_ins *in;
    if (store && xg_sim_has(s, "bulk")) {
        xg_sim_st_bulk(p, s);
        return;
    }
    if (store && xg_sim_take_async(s)) {
        xg_sim_st_async(p, s, false);
        return;
    }
    xg_sim_take_hints(s, &fence, &policy);
    space = xg_sim_take_space(s);
    xg_sim_operands(p, s, policy ? 3 : 2, policy ? 3 : 2);
    n = xg_sim_vector_of(p, s, data, &items);
    t = xg_sim_take_type(p, s);
    if (t == XG_SIM_PRED || (t == XG_SIM_B128 && n > 1)) xg_sim_no_type(p, s, t);
    address = xg_sim_address(p, s, where, &space, &offset, &wide);
    if (n * xg_sim_types[t].bytes > 32) XG_SIM_BAD(p, s->at, NULL, "an access of more than 32 bytes");
    if (store && (space == XG_SIM_CONST || space == XG_SIM_PARAM))
        XG_SIM_BAD(p, s->at, NULL, "constants and kernel parameters cannot be written");
    {
        uint32_t codes[8];
        if (t == XG_SIM_B128) {
            xg_sim_halves_of(p, s, items, !store, codes);
            n = 2;
            t = XG_SIM_B64;
            bytes = 8;
        } else
            for (i = 0; i < n; i++) {
                if (store && n > 1 && items[i].kind == XG_SIM_O_NUM) {
                    codes[i] = XG_SIM_NOREG;
                    continue;
                } /* as wide as the registers beside it */
                code = store ? xg_sim_source_of(p, s, &items[i], t, true) : xg_sim_dest_of(p, &items[i], t, true);
                if (bytes && xg_sim_bytes_of(p, code) != bytes)
                    XG_SIM_UNSUPPORTED(p, items[i].at, NULL, "the registers of one access must have one size");
                bytes = xg_sim_bytes_of(p, code);
                codes[i] = code;
            }
        if (!bytes) bytes = XG_MAX(xg_sim_types[t].bytes, 2u);
        for (i = 0; store && i < n; i++)
            if (codes[i] == XG_SIM_NOREG) codes[i] = xg_sim_constant(p, xg_sim_number_as(&items[i], t), bytes);
        list = xg_sim_list_begin(p);
        for (i = 0; i < n; i++) xg_sim_list_add(p, codes[i]);
    }
    in = xg_sim_put(p, s, store ? XG_SIM_K_ST : XG_SIM_K_LD);
    if (!store && space == XG_SIM_PARAM && address & 1) {
        in->kind = XG_SIM_K_PARAM;
        in->imm = (uint32_t)p->consts.p[address >> 1].value;
        in->imm2 = 0;
    } else {
        in->a = address;
        in->imm = offset;
    }
    in->list = list;
    in->n = (uint16_t)n;
    in->dbytes = (uint8_t)bytes;
    in->imm2 = (uint32_t)space | xg_sim_log2(xg_sim_types[t].bytes) << XG_SIM_M_SIZE |
               (xg_sim_types[t].cls == 'S' ? (uint32_t)XG_SIM_M_SIGNED : 0u) | (wide ? (uint32_t)XG_SIM_M_WIDE : 0u) |
               (fence ? (uint32_t)XG_SIM_M_FENCE : 0u) | (xg_sim_strong(s) ? (uint32_t)XG_SIM_M_STRONG : 0u) |
               (n == 8      ? 3u
                   : n == 4 ? 2u
                   : n == 2 ? 1u
                            : 0u)
                   << XG_SIM_M_VECTOR;
    if (in->kind == XG_SIM_K_PARAM && in->imm + n * xg_sim_types[t].bytes > p->f->info.param_bytes)
        XG_SIM_BAD(p, where->at, NULL, "the access leaves the kernel's %u bytes of parameters", p->f->info.param_bytes);
}

/* X(NAME, text): the operation of atom and red. */
#define XG_SIM_ATOMS(X) \
    X(ADD, "add") \
    X(MIN, "min") \
    X(MAX, "max") X(AND, "and") X(OR, "or") X(XOR, "xor") X(EXCH, "exch") X(CAS, "cas") X(INC, "inc") X(DEC, "dec")
typedef enum xg_sim_atom {
#define X(name, text) XG_SIM_A_##name,
    XG_SIM_ATOMS(X)
#undef X
    XG_SIM_A_COUNT
} xg_sim_atom;

XG_FN void xg_sim_d_atom(xg_sim_asm *p, xg_sim_stmt *s, uint32_t red) {
    static const char *const ops[] = {
#define X(name, text) text,
        XG_SIM_ATOMS(X)
#undef X
    };
    bool fence = false, policy = false, wide;
    xg_sim_space space;
    int op;
    xg_sim_type t;
    uint32_t address, offset, b[8], c = XG_SIM_NOREG, d[8], want, i, n, list, at = red ? 0 : 1;
    const xg_sim_operand *items, *dests = NULL;
    xg_sim_ins *in;
    bool whole; /* 128 bits: the halves of B, then of C */
    if (red && xg_sim_take_async(s)) {
        xg_sim_st_async(p, s, true);
        return;
    }
    xg_sim_take_hints(s, &fence, &policy);
    space = xg_sim_take_space(s);
    op = xg_sim_take_one(s, ops, XG_SIM_A_COUNT);
    if (op < 0) XG_SIM_BAD(p, s->at, "such as atom.global.add.u32", "'%.*s' needs an operation", (int)s->op.n, s->op.p);
    xg_sim_take(s, "noftz");
    want = (red ? 2u : 3u) + (op == XG_SIM_A_CAS) + policy;
    xg_sim_operands(p, s, want, want);
    n = xg_sim_vector_of(p, s, &s->o[at + 1], &items);
    t = xg_sim_take_type(p, s);
    whole = t == XG_SIM_B128 && !red && n == 1 && (op == XG_SIM_A_EXCH || op == XG_SIM_A_CAS);
    if (xg_sim_types[t].bytes < 2 || (xg_sim_types[t].bytes > 8 && !whole) || t == XG_SIM_PRED ||
        (red && op >= XG_SIM_A_EXCH && op < XG_SIM_A_INC))
        xg_sim_no_type(p, s, t);
    if (xg_sim_types[t].cls == 'B' &&
        (op == XG_SIM_A_ADD || op == XG_SIM_A_MIN || op == XG_SIM_A_MAX || op >= XG_SIM_A_INC))
        xg_sim_no_type(p, s, t);
    if ((xg_sim_types[t].cls == 'F' || xg_sim_types[t].cls == 'V') && op > XG_SIM_A_MAX) xg_sim_no_type(p, s, t);
    if (op >= XG_SIM_A_INC && t != XG_SIM_U32) xg_sim_no_type(p, s, t);
    if (xg_sim_is_float(t) && op != XG_SIM_A_ADD) xg_sim_no_type(p, s, t);
    if (n > 1 && ((space != XG_SIM_GLOBAL && space != XG_SIM_GENERIC) || op > XG_SIM_A_MAX)) xg_sim_no_type(p, s, t);
    address = xg_sim_address(p, s, &s->o[at], &space, &offset, &wide);
    if (space != XG_SIM_GLOBAL && space != XG_SIM_SHARED && space != XG_SIM_GENERIC)
        XG_SIM_BAD(p, s->at, NULL, "atomics work on global and shared memory only");
    if (whole) {
        xg_sim_halves_of(p, s, &s->o[2], false, b);
        if (op == XG_SIM_A_CAS) xg_sim_halves_of(p, s, &s->o[3], false, b + 2);
        xg_sim_halves_of(p, s, &s->o[0], true, d);
    } else
        for (i = 0; i < n; i++) b[i] = xg_sim_source_of(p, s, &items[i], t, false);
    if (op == XG_SIM_A_CAS && !whole) c = xg_sim_source(p, s, at + 2, t);
    if (!red && !whole) {
        dests = &s->o[0];
        if (n > 1) {
            if (dests->kind != XG_SIM_O_VEC || dests->n != n)
                XG_SIM_BAD(p, dests->at, NULL, "the destination must have %u registers in braces", n);
            dests = dests->items;
        }
        for (i = 0; i < n; i++) d[i] = xg_sim_dest_of(p, &dests[i], t, false);
    }
    list = xg_sim_list_begin(p);
    if (whole) n = op == XG_SIM_A_CAS ? 4 : 2;
    for (i = 0; i < n; i++) xg_sim_list_add(p, b[i]);
    for (i = 0; i < (whole ? 2 : n) && !red; i++) xg_sim_list_add(p, d[i]);
    in = xg_sim_put(p, s, XG_SIM_K_ATOM);
    in->op = (uint16_t)op;
    in->list = list;
    in->n = (uint16_t)(p->list.n - list);
    in->d2bytes = (uint8_t)n;
    in->a = address;
    in->c = c;
    in->imm = offset;
    in->dbytes = whole ? 8 : xg_sim_types[t].bytes;
    in->e = XG_SIM_NOREG;
    in->flags |= fence ? XG_SIM_UNI : 0;
    in->imm2 = (uint32_t)space | xg_sim_log2(xg_sim_types[t].bytes) << XG_SIM_M_SIZE |
               (wide ? (uint32_t)XG_SIM_M_WIDE : 0u) | (fence ? (uint32_t)XG_SIM_M_FENCE : 0u) | (uint32_t)t << 16;
}

/* cvta, cvta.to, isspacep. imm: space, then 0 to generic, 1 from generic, 2 test. */
XG_FN void xg_sim_d_cvta(xg_sim_asm *p, xg_sim_stmt *s, uint32_t test) {
    bool to = !test && xg_sim_take(s, "to");
    xg_sim_space space = xg_sim_take_space(s);
    xg_sim_type t = test ? XG_SIM_U64 : xg_sim_take_type(p, s);
    uint32_t a, d;
    xg_sim_ins *in;
    xg_sim_operands(p, s, 2, 2);
    if (space == XG_SIM_GENERIC) XG_SIM_BAD(p, s->at, NULL, "'%.*s' needs an address space", (int)s->op.n, s->op.p);
    if (t != XG_SIM_U64) xg_sim_no_type(p, s, t);
    a = xg_sim_source_of(p, s, &s->o[1], t, false);
    d = xg_sim_dest(p, s, 0, test ? XG_SIM_PRED : t);
    if (!test && (space == XG_SIM_GLOBAL || space == XG_SIM_CONST)) {
        xg_sim_alu(p, s, XG_F(mov_b64), d, a, XG_SIM_NOREG, XG_SIM_NOREG);
        return;
    }
    if (space == XG_SIM_PARAM && !p->f->entry) space = XG_SIM_LOCAL;
    in = xg_sim_put(p, s, XG_SIM_K_SPACE);
    in->a = a;
    in->d = d;
    in->imm = (uint32_t)space | (test ? 2u : to ? 1u : 0u) << 8;
}

/* ---- control flow ---- */

XG_FN void xg_sim_branch_to(xg_sim_asm *p, uint32_t record, uint32_t name, uint32_t at, uint32_t list) {
    xg_sim_fix f;
    f.record = record;
    f.name = name;
    f.scope = p->scope;
    f.at = at;
    f.list = list;
    xg_push(&p->scratch, xg_sim_fix, &p->fixes, f);
}
XG_FN void xg_sim_d_bra(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    (void)arg;
    xg_sim_take(s, "uni");
    xg_sim_operands(p, s, 1, 1);
    if (s->o[0].kind != XG_SIM_O_LABEL) XG_SIM_BAD(p, s->o[0].at, NULL, "'bra' needs a label");
    xg_sim_put(p, s, XG_SIM_K_BRA);
    xg_sim_branch_to(p, p->code.n - 1, xg_sim_name(p, s->o[0].word), s->o[0].at, XG_SIM_NOREG);
}
XG_FN void xg_sim_d_brx(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    xg_sim_sym *t;
    uint32_t a, i;
    xg_sim_ins *in;
    (void)arg;
    if (!xg_sim_take(s, "idx")) XG_SIM_BAD(p, s->at, NULL, "'brx' is written brx.idx");
    xg_sim_take(s, "uni");
    xg_sim_operands(p, s, 2, 2);
    a = xg_sim_source(p, s, 0, XG_SIM_U32);
    t = s->o[1].kind == XG_SIM_O_LABEL ? s->o[1].sym : NULL;
    if (!t || t->kind != XG_SIM_SYM_TARGETS)
        XG_SIM_BAD(
            p, s->o[1].at, "name: .branchtargets L1, L2; before it", "expected the name of a .branchtargets list");
    in = xg_sim_put(p, s, XG_SIM_K_BRX);
    in->a = a;
    in->list = p->list.n;
    if (t->n_targets > 0xFFFF) xg_fail_at(p->c, XLAGPU_ERROR_LIMIT, p->src, s->at, NULL, "more than 65535 targets");
    in->n = (uint16_t)t->n_targets;
    for (i = 0; i < t->n_targets; i++) {
        xg_sim_branch_to(p, p->code.n - 1, t->targets[i], s->o[1].at, p->list.n);
        xg_sim_list_add(p, 0);
    }
}
XG_FN void xg_sim_d_exit(xg_sim_asm *p, xg_sim_stmt *s, uint32_t kind) {
    xg_sim_take(s, "uni");
    xg_sim_operands(p, s, 0, 0);
    xg_sim_put(p, s, (xg_sim_kind)kind);
    if (kind == XG_SIM_K_BRA) p->code.p[p->code.n - 1].op = 1; /* ret: a branch to the function's end */
}

XG_FN void xg_sim_call_args(
    xg_sim_asm *p, xg_sim_stmt *s, const xg_sim_operand *list, const xg_sim_formal *formals, uint32_t n, bool ret) {
    uint32_t i;
    if ((list ? list->n : 0) != n)
        XG_SIM_BAD(p, list ? list->at : s->at, NULL, "the function has %u %s, not %u", n,
            ret ? "results" : "parameters", list ? list->n : 0);
    for (i = 0; i < n; i++) {
        const xg_sim_operand *o = &list->items[i];
        xg_sim_copy c;
        uint32_t here;
        memset(&c, 0, sizeof c);
        c.reg = formals[i].reg;
        c.bytes = formals[i].bytes;
        if (c.reg) {
            uint32_t bytes = formals[i].bytes;
            if (o->kind == XG_SIM_O_REG)
                here = o->sym->reg << 1;
            else if (o->kind == XG_SIM_O_SINK && ret)
                here = xg_sim_temp(p, XG_MAX(bytes, 2u));
            else if (o->kind == XG_SIM_O_NUM && !ret)
                here = xg_sim_constant(p, o->value, bytes);
            else
                XG_SIM_BAD(p, o->at, NULL, "expected a register");
            if (xg_sim_bytes_of(p, here) != XG_MAX(bytes, 2u))
                XG_SIM_BAD(
                    p, o->at, NULL, "the parameter has %u bytes, the register %u", bytes, xg_sim_bytes_of(p, here));
            xg_sim_list_add(p, here);
        } else {
            if (o->kind != XG_SIM_O_VAR || o->sym->space != XG_SIM_LOCAL)
                XG_SIM_BAD(p, o->at, NULL, "expected a .param variable of this function");
            if (o->sym->bytes < c.bytes)
                XG_SIM_BAD(
                    p, o->at, NULL, "the variable has %u bytes; %u are needed", (uint32_t)o->sym->bytes, c.bytes);
            here = (uint32_t)o->sym->offset;
        }
        c.from = ret ? formals[i].at : here;
        c.to = ret ? here : formals[i].at;
        xg_push(&p->scratch, xg_sim_copy, &p->copies, c);
    }
}
/* A branch to a record that is known, or will be: taken when the register's mask is as `not` says; always when there is
 * none. */
XG_FN uint32_t xg_sim_jump(xg_sim_asm *p, xg_sim_stmt *s, uint32_t guard, bool inverted) {
    uint32_t had = s->guard;
    bool had_not = s->guard_not;
    s->guard = guard;
    s->guard_not = inverted;
    xg_sim_put(p, s, XG_SIM_K_BRA);
    s->guard = had;
    s->guard_not = had_not;
    return p->code.n - 1;
}
XG_FN void xg_sim_call_one(
    xg_sim_asm *p, xg_sim_stmt *s, xg_sim_func *callee, const xg_sim_operand *rets, const xg_sim_operand *args) {
    xg_sim_callsite site;
    xg_sim_ins *in;
    uint32_t list = xg_sim_list_begin(p);
    memset(&site, 0, sizeof site);
    site.callee = callee;
    site.first_arg = p->copies.n;
    xg_sim_call_args(p, s, args, callee->args, callee->n_args, false);
    site.n_args = p->copies.n - site.first_arg;
    site.first_ret = p->copies.n;
    xg_sim_call_args(p, s, rets, callee->rets, callee->n_rets, true);
    site.n_rets = p->copies.n - site.first_ret;
    in = xg_sim_put(p, s, XG_SIM_K_CALL);
    in->imm = p->sites.n;
    in->list = list;
    in->n = (uint16_t)(p->list.n - list);
    xg_push(&p->scratch, xg_sim_callsite, &p->sites, site);
    xg_push(&p->scratch, uint32_t, &p->calls, callee->id);
}
/* Could the operands be those of such formals? */
XG_FN bool xg_sim_call_fits(const xg_sim_asm *p, const xg_sim_operand *list, const xg_sim_formal *formals, uint32_t n) {
    uint32_t i;
    if ((list ? list->n : 0) != n) return false;
    for (i = 0; i < n; i++) {
        const xg_sim_operand *o = &list->items[i];
        if (formals[i].reg
                ? o->kind != XG_SIM_O_REG || p->vregs.p[o->sym->reg].bytes != XG_MAX(2u, formals[i].bytes)
                : o->kind != XG_SIM_O_VAR || o->sym->space != XG_SIM_LOCAL || o->sym->bytes != formals[i].bytes)
            return false;
    }
    return true;
}
/* A call through a register: one call by name for each function known here that fits, chosen by its address. */
XG_FN void xg_sim_call_indirect(
    xg_sim_asm *p, xg_sim_stmt *s, uint32_t pointer, const xg_sim_operand *rets, const xg_sim_operand *args) {
    XG_VEC(uint32_t) ends = {NULL, 0, 0};
    uint32_t i, k, next;
    for (i = 0; i < p->funcs.n; i++) {
        xg_sim_func *f = p->funcs.p[i];
        uint32_t other;
        if (f->entry || !xg_sim_call_fits(p, args, f->args, f->n_args) ||
            !xg_sim_call_fits(p, rets, f->rets, f->n_rets))
            continue;
        other = xg_sim_temp(p, 4);
        xg_sim_alu(
            p, s, XG_F(set_ne_u64), other, pointer, xg_sim_constant(p, xg_sim_function_address(f), 8), XG_SIM_NOREG);
        next = xg_sim_jump(p, s, other, false);
        xg_sim_call_one(p, s, f, rets, args);
        k = xg_sim_jump(p, s, XG_SIM_NOREG, false);
        xg_push(&p->scratch, uint32_t, &ends, k);
        p->code.p[next].imm = p->code.n;
    }
    xg_sim_put(p, s, XG_SIM_K_TRAP)->op = 1; /* no function of this kind */
    for (i = 0; i < ends.n; i++) p->code.p[ends.p[i]].imm = p->code.n;
}
/* call[.uni] [(rets),] name[, (args)][, prototype] */
XG_FN void xg_sim_d_call(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    uint32_t i = 0, around = XG_SIM_NOREG;
    const xg_sim_operand *rets = NULL, *args = NULL, *to;
    (void)arg;
    xg_sim_take(s, "uni");
    if (i < s->n && s->o[i].kind == XG_SIM_O_LIST) rets = &s->o[i++];
    to = i < s->n ? &s->o[i++] : NULL;
    if (!to || (to->kind != XG_SIM_O_FUNC && to->kind != XG_SIM_O_REG))
        XG_SIM_BAD(p, to ? to->at : s->at, "declare it with .func before", "expected the name of a function");
    if (to->kind == XG_SIM_O_FUNC && to->sym->func->entry) XG_SIM_BAD(p, s->at, NULL, "an .entry cannot be called");
    if (i < s->n && s->o[i].kind == XG_SIM_O_LIST) args = &s->o[i++];
    if (to->kind == XG_SIM_O_REG) {
        const xg_sim_operand *o = i < s->n ? &s->o[i++] : NULL;
        if (!o || o->kind != XG_SIM_O_LABEL || !o->sym || o->sym->kind != XG_SIM_SYM_PROTO)
            XG_SIM_BAD(p, o ? o->at : s->at, "name: .callprototype _ (.param .b32 _); before it",
                "a call through a register needs a prototype");
    }
    if (i != s->n) XG_SIM_BAD(p, s->at, NULL, "too many operands");
    if (s->guard != XG_SIM_NOREG) { /* a branch around it, so that its lanes meet the others behind it */
        around = xg_sim_jump(p, s, s->guard, !s->guard_not);
        s->guard = XG_SIM_NOREG;
        s->guard_not = false;
    }
    if (to->kind == XG_SIM_O_FUNC)
        xg_sim_call_one(p, s, to->sym->func, rets, args);
    else
        xg_sim_call_indirect(p, s, xg_sim_source_of(p, s, to, XG_SIM_U64, false), rets, args);
    if (around != XG_SIM_NOREG) p->code.p[around].imm = p->code.n;
}

/* ---- barriers and warp-wide operations ---- */

typedef enum xg_sim_warpop {
    XG_SIM_W_UP,
    XG_SIM_W_DOWN,
    XG_SIM_W_BFLY,
    XG_SIM_W_IDX,
    XG_SIM_W_ALL,
    XG_SIM_W_ANY,
    XG_SIM_W_UNI,
    XG_SIM_W_BALLOT,
    XG_SIM_W_ACTIVE,
    XG_SIM_W_MATCH_ANY,
    XG_SIM_W_MATCH_ALL,
    XG_SIM_W_ADD,
    XG_SIM_W_MIN,
    XG_SIM_W_MAX,
    XG_SIM_W_AND,
    XG_SIM_W_OR,
    XG_SIM_W_XOR,
    XG_SIM_W_ELECT,
    XG_SIM_W_SYNC
} xg_sim_warpop;
typedef enum xg_sim_barop {
    XG_SIM_BAR_SYNC,
    XG_SIM_BAR_ARRIVE,
    XG_SIM_BAR_POPC,
    XG_SIM_BAR_AND,
    XG_SIM_BAR_OR
} xg_sim_barop;

XG_FN void xg_sim_d_bar(xg_sim_asm *p, xg_sim_stmt *s, uint32_t barrier) {
    uint32_t a, b = XG_SIM_NOREG, c = XG_SIM_NOREG, d = XG_SIM_NOREG, i = 0;
    xg_sim_barop op = XG_SIM_BAR_SYNC;
    bool aligned = !barrier;
    xg_sim_ins *in;
    xg_sim_take(s, "cta");
    if (xg_sim_take(s, "warp")) {
        xg_sim_take(s, "sync");
        xg_sim_operands(p, s, 1, 1);
        a = xg_sim_source(p, s, 0, XG_SIM_U32);
        in = xg_sim_put(p, s, XG_SIM_K_WARP);
        in->op = XG_SIM_W_SYNC;
        in->e = a;
        return;
    }
    if (xg_sim_take(s, "cluster")) {
        xg_sim_cluster_barrier(p, s);
        return;
    }
    if (xg_sim_take(s, "sync")) {
    } else if (xg_sim_take(s, "arrive"))
        op = XG_SIM_BAR_ARRIVE;
    else if (xg_sim_take(s, "red")) {
        op = xg_sim_take(s, "popc")  ? XG_SIM_BAR_POPC
             : xg_sim_take(s, "and") ? XG_SIM_BAR_AND
             : xg_sim_take(s, "or")  ? XG_SIM_BAR_OR
                                     : XG_SIM_BAR_SYNC;
        if (op == XG_SIM_BAR_SYNC) XG_SIM_BAD(p, s->at, NULL, "a barrier reduction needs .popc, .and or .or");
        xg_sim_take(s, "u32");
        xg_sim_take(s, "pred");
    } else
        XG_SIM_BAD(p, s->at, "such as bar.sync 0", "'%.*s' needs .sync, .arrive or .red", (int)s->op.n, s->op.p);
    if (xg_sim_take(s, "aligned")) aligned = true;
    if (op >= XG_SIM_BAR_POPC) {
        xg_sim_operands(p, s, 3, 4);
        d = xg_sim_dest(p, s, 0, op == XG_SIM_BAR_POPC ? XG_SIM_U32 : XG_SIM_PRED);
        c = xg_sim_source(p, s, s->n - 1, XG_SIM_PRED);
        a = xg_sim_source(p, s, 1, XG_SIM_U32);
        if (s->n == 4) b = xg_sim_source(p, s, 2, XG_SIM_U32);
    } else {
        xg_sim_operands(p, s, op == XG_SIM_BAR_ARRIVE ? 2 : 1, 2);
        a = xg_sim_source(p, s, i, XG_SIM_U32);
        if (s->n == 2) b = xg_sim_source(p, s, 1, XG_SIM_U32);
    }
    in = xg_sim_put(p, s, XG_SIM_K_BAR);
    in->op = (uint16_t)op;
    in->a = a;
    in->b = b;
    in->c = c;
    in->d = d;
    in->imm = aligned;
}

XG_FN void xg_sim_d_shfl(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    static const char *const ops[] = {"up", "down", "bfly", "idx"};
    bool sync = xg_sim_take(s, "sync");
    int op = xg_sim_take_one(s, ops, 4);
    uint32_t a, b, c, e, d, d2 = XG_SIM_NOREG;
    xg_sim_ins *in;
    (void)arg;
    if (op < 0) XG_SIM_BAD(p, s->at, NULL, "'shfl' needs .up, .down, .bfly or .idx");
    xg_sim_take(s, "b32");
    xg_sim_operands(p, s, sync ? 5 : 4, sync ? 5 : 4);
    d = xg_sim_dest(p, s, 0, XG_SIM_B32);
    if (s->o[0].pair) d2 = xg_sim_dest_of(p, s->o[0].pair, XG_SIM_PRED, false);
    a = xg_sim_source(p, s, 1, XG_SIM_B32);
    b = xg_sim_source(p, s, 2, XG_SIM_B32);
    c = xg_sim_source(p, s, 3, XG_SIM_B32);
    e = sync ? xg_sim_source(p, s, 4, XG_SIM_B32) : XG_SIM_NOREG;
    in = xg_sim_put(p, s, XG_SIM_K_WARP);
    in->op = (uint16_t)op;
    in->d = d;
    in->d2 = d2;
    in->a = a;
    in->b = b;
    in->c = c;
    in->e = e;
    in->dbytes = 4;
}
XG_FN void xg_sim_d_vote(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    static const char *const ops[] = {"all", "any", "uni", "ballot"};
    bool sync = xg_sim_take(s, "sync");
    int op = xg_sim_take_one(s, ops, 4);
    uint32_t d, a, e;
    xg_sim_ins *in;
    (void)arg;
    if (op < 0) XG_SIM_BAD(p, s->at, NULL, "'vote' needs .all, .any, .uni or .ballot");
    xg_sim_take(s, op == 3 ? "b32" : "pred");
    xg_sim_operands(p, s, sync ? 3 : 2, sync ? 3 : 2);
    d = xg_sim_dest(p, s, 0, op == 3 ? XG_SIM_B32 : XG_SIM_PRED);
    a = xg_sim_source(p, s, 1, XG_SIM_PRED);
    e = sync ? xg_sim_source(p, s, 2, XG_SIM_B32) : XG_SIM_NOREG;
    in = xg_sim_put(p, s, XG_SIM_K_WARP);
    in->op = (uint16_t)(XG_SIM_W_ALL + op);
    in->d = d;
    in->a = a;
    in->e = e;
    in->dbytes = 4;
}
XG_FN void xg_sim_d_match(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    bool all = xg_sim_take(s, "all"), wide;
    xg_sim_type t;
    uint32_t d, d2 = XG_SIM_NOREG, a, e;
    xg_sim_ins *in;
    (void)arg;
    if (!all && !xg_sim_take(s, "any")) XG_SIM_BAD(p, s->at, NULL, "'match' needs .any or .all");
    if (!xg_sim_take(s, "sync")) XG_SIM_BAD(p, s->at, NULL, "'match' needs .sync");
    t = xg_sim_take_type(p, s);
    wide = xg_sim_types[t].bytes == 8;
    if (t != XG_SIM_B32 && t != XG_SIM_B64) xg_sim_no_type(p, s, t);
    xg_sim_operands(p, s, 3, 3);
    d = xg_sim_dest(p, s, 0, XG_SIM_B32);
    if (s->o[0].pair) d2 = xg_sim_dest_of(p, s->o[0].pair, XG_SIM_PRED, false);
    a = xg_sim_source(p, s, 1, t);
    e = xg_sim_source(p, s, 2, XG_SIM_B32);
    in = xg_sim_put(p, s, XG_SIM_K_WARP);
    in->op = all ? XG_SIM_W_MATCH_ALL : XG_SIM_W_MATCH_ANY;
    in->d = d;
    in->d2 = d2;
    in->a = a;
    in->e = e;
    in->imm = wide;
    in->dbytes = 4;
}
XG_FN void xg_sim_d_redux(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    static const char *const ops[] = {"add", "min", "max", "and", "or", "xor"};
    int op;
    bool absolute, nan;
    xg_sim_type t;
    uint32_t d, a, e;
    xg_sim_ins *in;
    (void)arg;
    if (!xg_sim_take(s, "sync")) XG_SIM_BAD(p, s->at, NULL, "'redux' needs .sync");
    op = xg_sim_take_one(s, ops, 6);
    absolute = xg_sim_take(s, "abs");
    nan = xg_sim_take(s, "NaN");
    t = xg_sim_take_type(p, s);
    if (op < 0 || xg_sim_types[t].bytes != 4 || xg_sim_types[t].cls == 'V' || (t == XG_SIM_F32 && op != 1 && op != 2) ||
        (t != XG_SIM_F32 && (absolute || nan)) || (t == XG_SIM_B32 && op < 3))
        xg_sim_no_type(p, s, t);
    xg_sim_operands(p, s, 3, 3);
    d = xg_sim_dest(p, s, 0, t);
    a = xg_sim_source(p, s, 1, t);
    if (absolute) a = xg_sim_via(p, s, XG_F(abs_f32), 4, a);
    e = xg_sim_source(p, s, 2, XG_SIM_B32);
    in = xg_sim_put(p, s, XG_SIM_K_WARP);
    in->op = (uint16_t)(XG_SIM_W_ADD + op);
    in->d = d;
    in->a = a;
    in->e = e;
    in->imm = t == XG_SIM_S32 ? 1 : t == XG_SIM_F32 ? (nan ? 3u : 2u) : 0;
    in->dbytes = 4;
}
XG_FN void xg_sim_d_active(xg_sim_asm *p, xg_sim_stmt *s, uint32_t elect) {
    uint32_t d, d2 = XG_SIM_NOREG, e = XG_SIM_NOREG;
    xg_sim_ins *in;
    xg_sim_take(s, elect ? "sync" : "b32");
    xg_sim_operands(p, s, elect ? 2 : 1, elect ? 2 : 1);
    d = xg_sim_dest(p, s, 0, XG_SIM_B32);
    if (elect) {
        if (!s->o[0].pair) XG_SIM_BAD(p, s->o[0].at, "write d|p or _|p", "'elect' has two destinations");
        d2 = xg_sim_dest_of(p, s->o[0].pair, XG_SIM_PRED, false);
        e = xg_sim_source(p, s, 1, XG_SIM_B32);
    }
    in = xg_sim_put(p, s, XG_SIM_K_WARP);
    in->op = elect ? XG_SIM_W_ELECT : XG_SIM_W_ACTIVE;
    in->d = d;
    in->d2 = d2;
    in->e = e;
    in->dbytes = 4;
}

#endif /* XG_SIM_CONTROL_C */
/* sim/decode_video.c -- the video instructions to records, and the names of instructions that are known but not
 * simulated. */
#ifndef XG_SIM_DECODE_VIDEO_C
#define XG_SIM_DECODE_VIDEO_C

/* ".b2" and ".h1" to 1-6; 0 when there is none. */
XG_FN uint32_t xg_sim_video_select(xg_sim_asm *p, const xg_sim_operand *o) {
    xg_str w = o->select;
    if (!w.n) return 0;
    if (w.n == 3 && w.p[1] == 'b' && w.p[2] >= '0' && w.p[2] <= '3') return 1u + (uint32_t)(w.p[2] - '0');
    if (w.n == 3 && w.p[1] == 'h' && (w.p[2] == '0' || w.p[2] == '1')) return 5u + (uint32_t)(w.p[2] - '0');
    XG_SIM_BAD(p, o->at, "a byte .b0 to .b3, or a half .h0 or .h1", "'%.*s' selects no part", (int)w.n, w.p);
}
XG_FN uint32_t xg_sim_video_types(xg_sim_asm *p, xg_sim_stmt *s, uint32_t n) {
    static const uint32_t flags[3] = {XG_SIM_V_DSIGNED, XG_SIM_V_ASIGNED, XG_SIM_V_BSIGNED};
    uint32_t i, imm = 0;
    for (i = 3 - n; i < 3; i++) {
        xg_sim_type t = xg_sim_take_type(p, s);
        if (t != XG_SIM_U32 && t != XG_SIM_S32) xg_sim_no_type(p, s, t);
        if (t == XG_SIM_S32) imm |= flags[i];
    }
    return imm;
}
XG_FN uint32_t xg_sim_video_compare_word(xg_sim_asm *p, xg_sim_stmt *s) {
    static const char *const words[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    int i = xg_sim_take_one(s, words, 6);
    if (i < 0) XG_SIM_BAD(p, s->at, "such as .lt", "'%.*s' needs a comparison", (int)s->op.n, s->op.p);
    return (uint32_t)i << XG_SIM_V_COMPARE;
}
XG_FN void xg_sim_d_video(xg_sim_asm *p, xg_sim_stmt *s, uint32_t op) {
    static const char *const seconds[] = {"add", "min", "max"};
    uint32_t imm = op, select, second, a, b, c = XG_SIM_NOREG, d, least = op == XG_SIM_V_MAD ? 4 : 3, i, neg;
    xg_sim_ins *in;
    if (op == XG_SIM_V_SET)
        imm |= xg_sim_video_types(p, s, 2) | xg_sim_video_compare_word(p, s);
    else
        imm |= xg_sim_video_types(p, s, 3);
    if (op != XG_SIM_V_SET && xg_sim_take(s, "sat")) imm |= XG_SIM_V_SAT;
    if (op == XG_SIM_V_SHL || op == XG_SIM_V_SHR) {
        if (xg_sim_take(s, "wrap"))
            imm |= XG_SIM_V_WRAP;
        else if (!xg_sim_take(s, "clamp"))
            XG_SIM_BAD(p, s->at, NULL, "'%.*s' needs .clamp or .wrap", (int)s->op.n, s->op.p);
    }
    if (op == XG_SIM_V_MAD)
        imm |= (xg_sim_take(s, "po") ? (uint32_t)XG_SIM_V_PLUS_ONE : 0u) | (xg_sim_take(s, "shr7")       ? 1u
                                                                               : xg_sim_take(s, "shr15") ? 2u
                                                                                                         : 0u)
                                                                               << XG_SIM_V_SCALE;
    second = op == XG_SIM_V_MAD ? 0 : (uint32_t)(xg_sim_take_one(s, seconds, 3) + 1);
    imm |= second << XG_SIM_V_SECOND;
    if (s->n && (second || s->o[0].select.n)) least = 4;
    xg_sim_operands(p, s, least, least);
    for (i = 1, neg = 0; i < s->n; i++)
        if (s->o[i].minus) {
            if (op != XG_SIM_V_MAD) XG_SIM_BAD(p, s->o[i].at, NULL, "only vmad takes negated operands");
            neg ^= i == 3 ? 2u : 1u;
        }
    if (neg == 3 || (neg && imm & XG_SIM_V_PLUS_ONE) || (neg & 1 && !(imm & (XG_SIM_V_ASIGNED | XG_SIM_V_BSIGNED))))
        XG_SIM_UNSUPPORTED(p, s->at, NULL, "these negations of 'vmad' are not simulated");
    imm |= (neg & 1 ? (uint32_t)XG_SIM_V_NEG_PRODUCT : 0u) | (neg & 2 ? (uint32_t)XG_SIM_V_NEG_C : 0u);
    select = xg_sim_video_select(p, &s->o[0]) | xg_sim_video_select(p, &s->o[1]) << 4 |
             xg_sim_video_select(p, &s->o[2]) << 8;
    a = xg_sim_source(p, s, 1, XG_SIM_U32);
    b = xg_sim_source(p, s, 2, XG_SIM_U32);
    c = least == 4 ? xg_sim_source(p, s, 3, XG_SIM_U32) : xg_sim_constant(p, 0, 4);
    d = xg_sim_dest(p, s, 0, XG_SIM_U32);
    in = xg_sim_alu(p, s, XG_F(video_b32), d, a, b, c);
    in->imm = imm;
    in->imm2 = select;
}

/* ".h10", ".b3210": digits, the highest lane first; `highest` is the largest digit. */
XG_FN uint32_t xg_sim_video_lanes(
    xg_sim_asm *p, const xg_sim_operand *o, uint32_t n, uint32_t first, uint32_t highest) {
    uint32_t i, r = 0;
    for (i = 0; i < n && !o->select.n; i++) r |= (first + i) << (3 * i);
    if (!o->select.n) return r;
    if (o->select.n != n + 2 || o->select.p[1] != (n == 4 ? 'b' : 'h'))
        XG_SIM_BAD(p, o->at, NULL, "'%.*s' does not select %u parts", (int)o->select.n, o->select.p, n);
    for (i = 0; i < n; i++) {
        uint32_t digit = (uint32_t)(o->select.p[n + 1 - i] - '0');
        if (digit > highest)
            XG_SIM_BAD(p, o->at, NULL, "'%.*s' does not select %u parts", (int)o->select.n, o->select.p, n);
        r |= digit << (3 * i);
    }
    return r;
}
XG_FN void xg_sim_d_videos(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) { /* arg: operation, 16: four parts */
    uint32_t n = arg & 16 ? 4 : 2, op = arg & 15, imm = op | (arg & 16 ? (uint32_t)XG_SIM_V_FOUR : 0u), mask = 0, i, a,
             b, c;
    xg_sim_ins *in;
    xg_str w;
    if (op == XG_SIM_V_SET)
        imm |= xg_sim_video_types(p, s, 2) | xg_sim_video_compare_word(p, s);
    else
        imm |= xg_sim_video_types(p, s, 3);
    if (xg_sim_take(s, "sat")) imm |= XG_SIM_V_SAT;
    if (xg_sim_take(s, "add")) imm |= 1u << XG_SIM_V_SECOND;
    xg_sim_operands(p, s, 4, 4);
    w = s->o[0].select;
    if (!w.n) mask = (1u << n) - 1;
    for (i = 2; i < w.n; i++) {
        if (w.p[i] < '0' || w.p[i] >= (char)('0' + n))
            XG_SIM_BAD(p, s->o[0].at, NULL, "'%.*s' is no mask of %u parts", (int)w.n, w.p, n);
        mask |= 1u << (w.p[i] - '0');
    }
    a = xg_sim_source(p, s, 1, XG_SIM_U32);
    b = xg_sim_source(p, s, 2, XG_SIM_U32);
    c = xg_sim_source(p, s, 3, XG_SIM_U32);
    in = xg_sim_alu(p, s, XG_F(videos_b32), xg_sim_dest(p, s, 0, XG_SIM_U32), a, b, c);
    in->imm = imm;
    in->imm2 = mask | xg_sim_video_lanes(p, &s->o[1], n, 0, 2 * n - 1) << 4 |
               xg_sim_video_lanes(p, &s->o[2], n, n, 2 * n - 1) << 16;
}

XG_FN void xg_sim_d_refused(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    static const char *const why[] = {"textures and surfaces are not simulated",
        "the tensor memory of sm_100 is not simulated", "memory of several devices is not simulated",
        "a stack that grows is not simulated", "launches that are cancelled are not simulated"};
    XG_SIM_UNSUPPORTED(p, s->at, NULL, "'%.*s': %s", (int)s->op.n, s->op.p, why[arg]);
}

#endif /* XG_SIM_DECODE_VIDEO_C */
/* sim/decode_async.c -- what works on memory beside the threads: cp.async, bulk copies, tensor maps, memory barriers,
 * clusters; hints and fences.
 *
 * Statements whose modifiers come in a fixed order are matched against patterns (xg_sim_form): a pattern is a row of
 * words, `a|b` a choice, a `?` behind a word allows to leave it out. Addresses of these records are whole: an offset
 * has been added before, and how to read the register stands in a byte of imm2 (xg_sim_spot). */
#ifndef XG_SIM_DECODE_ASYNC_C
#define XG_SIM_DECODE_ASYNC_C

/* op of K_ASYNC and K_WAIT. */
typedef enum xg_sim_asyncop {
    XG_SIM_Y_MB_INIT,
    XG_SIM_Y_MB_INVAL,
    XG_SIM_Y_MB_ARRIVE,
    XG_SIM_Y_MB_EXPECT,
    XG_SIM_Y_MB_COMPLETE,
    XG_SIM_Y_MB_PENDING,
    XG_SIM_Y_CP_ARRIVE,
    XG_SIM_Y_BULK,
    XG_SIM_Y_TENSOR,
    XG_SIM_Y_STORE,
    XG_SIM_Y_COMMIT,
    XG_SIM_Y_GROUPS,
    XG_SIM_Y_ARRIVE,
    XG_SIM_Y_MAPA,
    XG_SIM_Y_RANK,
    XG_SIM_Y_MAP_SET,
    XG_SIM_Y_MAP_COPY,
    XG_SIM_Y_FILL,
    XG_SIM_Y_MB_TEST,
    XG_SIM_Y_WAIT /* barrier.cluster.wait */
} xg_sim_asyncop;

/* imm of MB_ARRIVE and MB_TEST. */
enum {
    XG_SIM_MB_EXPECTS = 1,
    XG_SIM_MB_NO_COMPLETE = 2,
    XG_SIM_MB_DROP = 4,
    XG_SIM_MB_PARITY = 8
};

/* ---- patterns ---- */

XG_FN bool xg_sim_form_word(const char **pattern, xg_str mod, bool have, bool *optional) {
    const char *q = *pattern, *end = q + strcspn(q, " ");
    bool found = false;
    *optional = end > q && end[-1] == '?';
    while (q < end) {
        size_t n = strcspn(q, "| ?");
        if (have && mod.n == n && memcmp(mod.p, q, n) == 0) found = true;
        q += n;
        if (*q == '|')
            q++;
        else
            break;
    }
    *pattern = end + strspn(end, " ");
    return found;
}
/* True when the modifiers are those of the pattern, in its order; they then count as understood. */
XG_FN bool xg_sim_form(xg_sim_stmt *s, const char *pattern) {
    uint32_t i = 0;
    while (*pattern) {
        bool optional,
            found = xg_sim_form_word(&pattern, i < s->n_mods ? s->mods[i] : xg_str_z(""), i < s->n_mods, &optional);
        if (found)
            i++;
        else if (!optional)
            return false;
    }
    if (i != s->n_mods) return false;
    s->used = i >= 32 ? 0xFFFFFFFFu : (1u << i) - 1;
    return true;
}
XG_FN bool xg_sim_has(const xg_sim_stmt *s, const char *word) {
    uint32_t i;
    for (i = 0; i < s->n_mods; i++)
        if (xg_str_is(s->mods[i], word)) return true;
    return false;
}
XG_NORETURN XG_FN void xg_sim_no_form(xg_sim_asm *p, const xg_sim_stmt *s) {
    XG_SIM_UNSUPPORTED(p, s->at, NULL, "'%.*s' has no form with these modifiers", (int)s->op.n, s->op.p);
}

/* ---- addresses ---- */

typedef struct xg_sim_spot {
    uint32_t code;
    xg_sim_space space;
    bool wide;
} xg_sim_spot;

XG_FN xg_sim_spot xg_sim_spot_of(xg_sim_asm *p, xg_sim_stmt *s, const xg_sim_operand *o, xg_sim_space space) {
    xg_sim_spot a;
    uint32_t offset;
    a.space = space;
    a.code = xg_sim_address(p, s, o, &a.space, &offset, &a.wide);
    if (offset) {
        uint32_t t = xg_sim_temp(p, a.wide ? 8 : 4);
        xg_sim_alu(p, s, a.wide ? XG_F(add_i64) : XG_F(add_i32), t, a.code,
            xg_sim_constant(p, (uint64_t)(int64_t)(int32_t)offset, a.wide ? 8 : 4), XG_SIM_NOREG);
        a.code = t;
    }
    return a;
}
XG_FN uint32_t xg_sim_spot_bits(xg_sim_spot a) { return (uint32_t)a.space | (a.wide ? 16u : 0u); }
XG_FN xg_sim_ins *xg_sim_put_async(xg_sim_asm *p, xg_sim_stmt *s, xg_sim_asyncop op) {
    xg_sim_ins *in = xg_sim_put(p, s, op >= XG_SIM_Y_MB_TEST ? XG_SIM_K_WAIT : XG_SIM_K_ASYNC);
    in->op = (uint16_t)op;
    return in;
}
/* Shared memory as the modifiers name it; generic when they do not. */
XG_FN xg_sim_space xg_sim_shared_word(const xg_sim_stmt *s) {
    return xg_sim_has(s, "shared") || xg_sim_has(s, "shared::cta") || xg_sim_has(s, "shared::cluster") ? XG_SIM_SHARED
                                                                                                       : XG_SIM_GENERIC;
}

/* ---- hints and fences ---- */

/* X(mnemonic, modifiers, operands, kind). Operands: a an address, t one in parameters or constants too, r a 32-bit
 * source, n a number. */
/* clang-format off */
#define XG_SIM_HINTS(X) \
    X("membar", "cta|gl|sys", "", FENCE) \
    X("membar", "proxy alias|async", "", FENCE) \
    X("membar", "proxy async global|shared::cta|shared::cluster", "", FENCE) \
    X("fence", "sc|acq_rel|acquire|release? cta|cluster|gpu|sys", "", FENCE) \
    X("fence", "mbarrier_init release cluster", "", FENCE) \
    X("fence", "acquire sync_restrict::shared::cluster cluster", "", FENCE) \
    X("fence", "release sync_restrict::shared::cta cluster", "", FENCE) \
    X("fence", "proxy alias|async", "", FENCE) \
    X("fence", "proxy async global|shared::cta|shared::cluster", "", FENCE) \
    X("fence", "proxy tensormap::generic release cta|cluster|gpu|sys", "", FENCE) \
    X("fence", "proxy tensormap::generic acquire cta|cluster|gpu|sys", "an", FENCE) \
    X("fence", "proxy async::generic acquire sync_restrict::shared::cluster cluster", "", FENCE) \
    X("fence", "proxy async::generic release sync_restrict::shared::cta cluster", "", FENCE) \
    X("prefetch", "global|local? L1|L2", "a", NOP) \
    X("prefetch", "global L2::evict_last|L2::evict_normal", "a", NOP) \
    X("prefetch", "const|param|param::entry? tensormap", "t", NOP) \
    X("prefetchu", "L1", "a", NOP) \
    X("applypriority", "global? L2::evict_normal", "an", NOP) \
    X("discard", "global? L2", "an", NOP) \
    X("griddepcontrol", "launch_dependents|wait", "", NOP) \
    X("nanosleep", "u32", "r", NOP) \
    X("pmevent", "mask?", "n", NOP) \
    X("setmaxnreg", "inc|dec sync aligned u32", "n", NOP)
/* clang-format on */
typedef struct xg_sim_hint {
    const char *op, *form, *operands;
    xg_sim_kind kind;
} xg_sim_hint;
static const xg_sim_hint xg_sim_hints[] = {
#define X(op, form, operands, kind) {op, form, operands, XG_SIM_K_##kind},
    XG_SIM_HINTS(X)
#undef X
};

XG_FN void xg_sim_hint_operands(xg_sim_asm *p, xg_sim_stmt *s, const char *operands) {
    uint32_t i, n = (uint32_t)strlen(operands);
    xg_sim_operands(p, s, n, n);
    for (i = 0; i < n; i++) {
        if (operands[i] == 'r')
            xg_sim_source(p, s, i, XG_SIM_U32);
        else if (operands[i] == 'n')
            xg_sim_literal(p, s, i, 0xFFFF);
        else
            xg_sim_spot_of(p, s, &s->o[i],
                operands[i] == 't' && s->o[i].kind == XG_SIM_O_ADDR && s->o[i].items->kind == XG_SIM_O_VAR
                    ? s->o[i].items->sym->space
                : xg_sim_has(s, "global") ? XG_SIM_GLOBAL
                : xg_sim_has(s, "local")  ? XG_SIM_LOCAL
                                          : XG_SIM_GENERIC);
    }
}
XG_FN void xg_sim_d_hint(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    size_t i;
    (void)arg;
    for (i = 0; i < XG_COUNT(xg_sim_hints); i++) {
        const xg_sim_hint *h = &xg_sim_hints[i];
        if (!xg_str_is(s->op, h->op) || !xg_sim_form(s, h->form)) continue;
        xg_sim_hint_operands(p, s, h->operands);
        if (xg_str_is(s->op, "setmaxnreg") && (s->o[0].value % 8 || s->o[0].value < 24 || s->o[0].value > 256))
            XG_SIM_BAD(p, s->o[0].at, NULL, "a register count is a multiple of 8 from 24 to 256");
        xg_sim_put(p, s, h->kind);
        return;
    }
    xg_sim_no_form(p, s);
}
/* createpolicy: a number that the caches of a GPU understand; here nobody reads it. */
XG_FN void xg_sim_d_policy(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    static const char *const kinds[] = {"L2::evict_last", "L2::evict_normal", "L2::evict_first", "L2::evict_unchanged"};
    static const uint64_t bits[] = {0x14F0000000000000u, 0x1000000000000000u, 0x12F0000000000000u, 0x1400000000000000u};
    uint32_t i, d;
    (void)arg;
    if (xg_sim_form(s, "cvt L2 b64")) {
        xg_sim_operands(p, s, 2, 2);
        xg_sim_alu(p, s, XG_F(mov_b64), xg_sim_dest(p, s, 0, XG_SIM_B64), xg_sim_source(p, s, 1, XG_SIM_B64),
            XG_SIM_NOREG, XG_SIM_NOREG);
        return;
    }
    if (xg_sim_form(s, "fractional L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged "
                       "L2::evict_first|L2::evict_unchanged? b64")) {
        xg_sim_operands(p, s, 1, 2);
        if (s->n == 2) xg_sim_source(p, s, 1, XG_SIM_F32);
    } else if (xg_sim_form(s, "range global? L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged "
                              "L2::evict_first|L2::evict_unchanged? b64")) {
        xg_sim_operands(p, s, 4, 4);
        xg_sim_spot_of(p, s, &s->o[1], xg_sim_has(s, "global") ? XG_SIM_GLOBAL : XG_SIM_GENERIC);
        xg_sim_source(p, s, 2, XG_SIM_U32);
        xg_sim_source(p, s, 3, XG_SIM_U32);
    } else
        xg_sim_no_form(p, s);
    d = xg_sim_dest(p, s, 0, XG_SIM_B64);
    for (i = 0; !xg_sim_has(s, kinds[i]); i++) {}
    xg_sim_alu(p, s, XG_F(mov_b64), d, xg_sim_constant(p, bits[i], 8), XG_SIM_NOREG, XG_SIM_NOREG);
}

/* ---- memory barriers ---- */

XG_FN void xg_sim_mbarrier_arrive(xg_sim_asm *p, xg_sim_stmt *s, uint32_t flags) {
    bool count = s->n == 3;
    xg_sim_spot a;
    uint32_t b, d = XG_SIM_NOREG;
    xg_sim_ins *in;
    xg_sim_operands(p, s, flags & (XG_SIM_MB_EXPECTS | XG_SIM_MB_NO_COMPLETE) ? 3 : 2, 3);
    a = xg_sim_spot_of(p, s, &s->o[1], xg_sim_shared_word(s));
    b = count ? xg_sim_source(p, s, 2, XG_SIM_U32) : xg_sim_constant(p, 1, 4);
    if (s->o[0].kind != XG_SIM_O_SINK) {
        if (xg_sim_has(s, "shared::cluster"))
            XG_SIM_BAD(p, s->o[0].at, "write _", "an arrival at another block's barrier gives no state");
        d = xg_sim_dest(p, s, 0, XG_SIM_B64);
    }
    in = xg_sim_put_async(p, s, XG_SIM_Y_MB_ARRIVE);
    in->a = a.code;
    in->b = b;
    in->d = d;
    in->imm = flags;
    in->imm2 = xg_sim_spot_bits(a);
}
XG_FN void xg_sim_mbarrier_wait(xg_sim_asm *p, xg_sim_stmt *s, bool parity, bool hint) {
    xg_sim_spot a;
    uint32_t b, d;
    xg_sim_ins *in;
    xg_sim_operands(p, s, 3, hint ? 4 : 3);
    a = xg_sim_spot_of(p, s, &s->o[1], xg_sim_shared_word(s));
    b = xg_sim_source(p, s, 2, parity ? XG_SIM_U32 : XG_SIM_B64);
    if (s->n == 4) xg_sim_source(p, s, 3, XG_SIM_U32);
    d = xg_sim_dest(p, s, 0, XG_SIM_PRED);
    in = xg_sim_put_async(p, s, XG_SIM_Y_MB_TEST);
    in->a = a.code;
    in->b = b;
    in->d = d;
    in->imm = parity ? XG_SIM_MB_PARITY : 0;
    in->imm2 = xg_sim_spot_bits(a);
}
/* init, inval, expect_tx, complete_tx: an address and perhaps a number. */
XG_FN void xg_sim_mbarrier_plain(xg_sim_asm *p, xg_sim_stmt *s, xg_sim_asyncop op) {
    xg_sim_spot a;
    uint32_t n = op == XG_SIM_Y_MB_INVAL ? 1 : 2, b = XG_SIM_NOREG;
    xg_sim_ins *in;
    xg_sim_operands(p, s, n, n);
    a = xg_sim_spot_of(p, s, &s->o[0], xg_sim_shared_word(s));
    if (n == 2) b = xg_sim_source(p, s, 1, XG_SIM_U32);
    in = xg_sim_put_async(p, s, op);
    in->a = a.code;
    in->b = b;
    in->imm2 = xg_sim_spot_bits(a);
}
XG_FN void xg_sim_d_mbarrier(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    uint32_t drop;
    (void)arg;
    if (xg_sim_form(s, "init shared|shared::cta? b64"))
        xg_sim_mbarrier_plain(p, s, XG_SIM_Y_MB_INIT);
    else if (xg_sim_form(s, "inval shared|shared::cta? b64"))
        xg_sim_mbarrier_plain(p, s, XG_SIM_Y_MB_INVAL);
    else if (xg_sim_form(s, "expect_tx relaxed? cta|cluster? shared|shared::cta|shared::cluster? b64"))
        xg_sim_mbarrier_plain(p, s, XG_SIM_Y_MB_EXPECT);
    else if (xg_sim_form(s, "complete_tx relaxed? cta|cluster? shared|shared::cta|shared::cluster? b64"))
        xg_sim_mbarrier_plain(p, s, XG_SIM_Y_MB_COMPLETE);
    else if (xg_sim_form(s, "pending_count b64")) {
        xg_sim_ins *in;
        uint32_t a, d;
        xg_sim_operands(p, s, 2, 2);
        a = xg_sim_source(p, s, 1, XG_SIM_B64);
        d = xg_sim_dest(p, s, 0, XG_SIM_B32);
        in = xg_sim_put_async(p, s, XG_SIM_Y_MB_PENDING);
        in->a = a;
        in->d = d;
    } else {
        drop = xg_sim_has(s, "arrive_drop") ? XG_SIM_MB_DROP : 0;
        if (xg_sim_form(s, "arrive|arrive_drop release|relaxed? cta|cluster? shared|shared::cta|shared::cluster? b64"))
            xg_sim_mbarrier_arrive(p, s, drop);
        else if (xg_sim_form(s, "arrive|arrive_drop expect_tx release|relaxed? cta|cluster? "
                                "shared|shared::cta|shared::cluster? b64"))
            xg_sim_mbarrier_arrive(p, s, drop | XG_SIM_MB_EXPECTS);
        else if (xg_sim_form(s, "arrive|arrive_drop noComplete release? cta? shared|shared::cta? b64"))
            xg_sim_mbarrier_arrive(p, s, drop | XG_SIM_MB_NO_COMPLETE);
        else if (xg_sim_form(s, "test_wait|try_wait parity? acquire|relaxed? cta|cluster? shared|shared::cta? b64"))
            xg_sim_mbarrier_wait(p, s, xg_sim_has(s, "parity"), xg_sim_has(s, "try_wait"));
        else
            xg_sim_no_form(p, s);
    }
}

/* ---- clusters ---- */

XG_FN void xg_sim_cluster_barrier(xg_sim_asm *p, xg_sim_stmt *s) {
    xg_sim_operands(p, s, 0, 0);
    if (xg_sim_form(s, "cluster arrive release|relaxed? aligned?"))
        xg_sim_put_async(p, s, XG_SIM_Y_ARRIVE);
    else if (xg_sim_form(s, "cluster wait acquire? aligned?"))
        xg_sim_put_async(p, s, XG_SIM_Y_WAIT);
    else
        xg_sim_no_form(p, s);
}
/* mapa: the same place in another block's shared memory; getctarank: whose it is. */
XG_FN void xg_sim_d_mapa(xg_sim_asm *p, xg_sim_stmt *s, uint32_t rank) {
    bool window = xg_sim_has(s, "shared::cluster"), wide = xg_sim_has(s, "u64");
    uint32_t a, b = XG_SIM_NOREG, d;
    xg_sim_ins *in;
    if (!xg_sim_form(s, "shared::cluster? u32|u64")) xg_sim_no_form(p, s);
    if (!window && !wide) XG_SIM_BAD(p, s->at, "add .shared::cluster, or use .u64", "generic addresses have 64 bits");
    xg_sim_operands(p, s, rank ? 2 : 3, rank ? 2 : 3);
    a = xg_sim_source(p, s, 1, wide ? XG_SIM_U64 : XG_SIM_U32);
    if (!rank) b = xg_sim_source(p, s, 2, XG_SIM_U32);
    d = xg_sim_dest(p, s, 0, rank || !wide ? XG_SIM_U32 : XG_SIM_U64);
    in = xg_sim_put_async(p, s, rank ? XG_SIM_Y_RANK : XG_SIM_Y_MAPA);
    in->a = a;
    in->b = b;
    in->d = d;
    in->imm2 = (uint32_t)(window ? XG_SIM_SHARED : XG_SIM_GENERIC) | (wide ? 16u : 0u);
}

/* ---- cp.async ---- */

/* cp.async.{ca,cg}.shared.global [dst], [src], size[, src-size or ignore-src][, policy] */
XG_FN void xg_sim_cp_plain(xg_sim_asm *p, xg_sim_stmt *s) {
    bool policy = xg_sim_has(s, "L2::cache_hint");
    xg_sim_spot to, from;
    uint32_t size, c = XG_SIM_NOREG;
    xg_sim_ins *in;
    xg_sim_operands(p, s, policy ? 4 : 3, policy ? 5 : 4);
    to = xg_sim_spot_of(p, s, &s->o[0], XG_SIM_SHARED);
    from = xg_sim_spot_of(p, s, &s->o[1], XG_SIM_GLOBAL);
    size = xg_sim_literal(p, s, 2, 16);
    if (size != 4 && size != 8 && size != 16) XG_SIM_BAD(p, s->o[2].at, NULL, "cp.async copies 4, 8 or 16 bytes");
    if (xg_sim_has(s, "cg") && size != 16) XG_SIM_BAD(p, s->o[2].at, "use .ca", "cp.async.cg copies 16 bytes");
    if (s->n - policy == 4) {
        bool pred = s->o[3].kind == XG_SIM_O_REG && s->o[3].sym->type == XG_SIM_PRED;
        c = xg_sim_source(p, s, 3, pred ? XG_SIM_PRED : XG_SIM_U32);
        if (pred) { /* true means: read nothing */
            uint32_t t = xg_sim_temp(p, 4);
            xg_sim_alu(p, s, XG_F(sel_b32), t, xg_sim_constant(p, 0, 4), xg_sim_constant(p, size, 4), c);
            c = t;
        }
    }
    if (policy) xg_sim_source(p, s, s->n - 1, XG_SIM_B64);
    in = xg_sim_put(p, s, XG_SIM_K_CPASYNC);
    in->a = to.code;
    in->b = from.code;
    in->c = c;
    in->imm = size;
    in->imm2 = to.wide;
}

/* ---- bulk copies ---- */

/* imm of BULK and TENSOR: what is where. imm2: addresses of a, b, c, one byte each. */
enum {
    XG_SIM_BK_TO_GLOBAL = 1,
    XG_SIM_BK_MULTICAST = 2,
    XG_SIM_BK_IM2COL = 4,
    XG_SIM_BK_MASKED = 8,
    XG_SIM_BK_REDUCE = 1 << 8 /* | op << 4 */,
    XG_SIM_BK_OP = 4,
    XG_SIM_BK_TYPE = 16,
    XG_SIM_BK_RANK = 24
};

XG_FN int xg_sim_reduction(xg_sim_stmt *s) {
    static const char *const ops[] = {"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"};
    int i;
    for (i = 0; i < 10; i++)
        if (i != 6 && i != 7 && xg_sim_has(s, ops[i])) return i;
    return -1;
}
/* Operand i is the cache policy at the end. */
XG_FN void xg_sim_policy_at(xg_sim_asm *p, xg_sim_stmt *s, uint32_t i) {
    if (xg_sim_has(s, "L2::cache_hint")) xg_sim_source(p, s, i, XG_SIM_B64);
}

/* cp[.reduce].async.bulk between global and shared memory. */
XG_FN void xg_sim_bulk(xg_sim_asm *p, xg_sim_stmt *s, bool reduce) {
    bool load = false, inner = false, multicast = xg_sim_has(s, "multicast::cluster"),
         masked = xg_sim_has(s, "cp_mask");
    uint32_t n = 3 + xg_sim_has(s, "L2::cache_hint") + multicast + masked, at = 3, size, list;
    uint32_t third = XG_SIM_NOREG, mask = XG_SIM_NOREG;
    xg_sim_type t = XG_SIM_B32;
    xg_sim_spot to, from, bar;
    xg_sim_ins *in;
    int op = reduce ? xg_sim_reduction(s) : 0;
    memset(&bar, 0, sizeof bar);
    if (!reduce) {
        load = xg_sim_form(s, "async bulk shared::cluster|shared::cta global mbarrier::complete_tx::bytes "
                              "multicast::cluster? L2::cache_hint?");
        inner = !load && xg_sim_form(s, "async bulk shared::cluster shared::cta mbarrier::complete_tx::bytes");
        if (!load && !inner && !xg_sim_form(s, "async bulk global shared::cta bulk_group L2::cache_hint? cp_mask?"))
            xg_sim_no_form(p, s);
    } else {
        inner = xg_sim_form(s, "reduce async bulk shared::cluster shared::cta mbarrier::complete_tx::bytes "
                               "add|min|max|and|or|xor|inc|dec u32|s32|u64|s64|b32|b64");
        if (!inner && !xg_sim_form(s, "reduce async bulk global shared::cta bulk_group L2::cache_hint? "
                                      "add|min|max|and|or|xor|inc|dec noftz? f16|bf16|b32|u32|s32|b64|u64|s64|f32|f64"))
            xg_sim_no_form(p, s);
        t = xg_sim_type_of(s->mods[s->n_mods - 1]);
    }
    n += load || inner;
    xg_sim_operands(p, s, n, n);
    to = xg_sim_spot_of(p, s, &s->o[0], load || inner ? XG_SIM_SHARED : XG_SIM_GLOBAL);
    from = xg_sim_spot_of(p, s, &s->o[1], load ? XG_SIM_GLOBAL : XG_SIM_SHARED);
    size = xg_sim_source(p, s, 2, XG_SIM_U32);
    if (load || inner) {
        bar = xg_sim_spot_of(p, s, &s->o[at++], XG_SIM_SHARED);
        third = bar.code;
    }
    if (multicast) mask = xg_sim_source(p, s, at++, XG_SIM_B16);
    xg_sim_policy_at(p, s, at);
    if (masked) mask = xg_sim_source(p, s, n - 1, XG_SIM_B16);
    list = xg_sim_list_begin(p);
    xg_sim_list_add(p, size);
    in = xg_sim_put_async(p, s, XG_SIM_Y_BULK);
    in->a = to.code;
    in->b = from.code;
    in->c = third;
    in->e = mask;
    in->list = list;
    in->n = 1;
    in->imm = (load || inner ? 0u : (uint32_t)XG_SIM_BK_TO_GLOBAL) | (multicast ? (uint32_t)XG_SIM_BK_MULTICAST : 0u) |
              (masked ? (uint32_t)XG_SIM_BK_MASKED : 0u) |
              (reduce ? (uint32_t)XG_SIM_BK_REDUCE | (uint32_t)op << XG_SIM_BK_OP : 0u) | (uint32_t)t << XG_SIM_BK_TYPE;
    in->imm2 = xg_sim_spot_bits(to) | xg_sim_spot_bits(from) << 8 | xg_sim_spot_bits(bar) << 16;
}

/* The coordinates of a box, and the offsets of im2col, as sources of a list; how many. */
XG_FN uint32_t xg_sim_coordinates(xg_sim_asm *p, xg_sim_stmt *s, const xg_sim_operand *box,
    const xg_sim_operand *offsets, uint32_t rank, uint32_t *list) {
    uint32_t codes[8], i, n = 0;
    if (!box || box->kind != XG_SIM_O_VEC || box->n != rank)
        XG_SIM_BAD(
            p, box ? box->at : s->at, NULL, "a box of a tensor of rank %u needs %u coordinates in braces", rank, rank);
    for (i = 0; i < rank; i++) codes[n++] = xg_sim_source_of(p, s, &box->items[i], XG_SIM_S32, false);
    if (offsets) {
        if (offsets->kind != XG_SIM_O_VEC || offsets->n != rank - 2)
            XG_SIM_BAD(
                p, offsets->at, NULL, "im2col of a tensor of rank %u needs %u offsets in braces", rank, rank - 2);
        for (i = 0; i < rank - 2; i++) codes[n++] = xg_sim_source_of(p, s, &offsets->items[i], XG_SIM_U16, false);
    }
    *list = xg_sim_list_begin(p);
    for (i = 0; i < n; i++) xg_sim_list_add(p, codes[i]);
    return n;
}
/* cp[.reduce].async.bulk[.prefetch].tensor. */
XG_FN void xg_sim_tensor(xg_sim_asm *p, xg_sim_stmt *s, bool reduce, bool prefetch) {
    bool load = !reduce && !prefetch && xg_sim_has(s, "mbarrier::complete_tx::bytes"),
         im2col = xg_sim_has(s, "im2col") || xg_sim_has(s, "im2col_no_offs"),
         multicast = xg_sim_has(s, "multicast::cluster");
    bool offsets = im2col && (load || prefetch);
    uint32_t rank = xg_sim_has(s, "1d")   ? 1
                    : xg_sim_has(s, "2d") ? 2
                    : xg_sim_has(s, "3d") ? 3
                    : xg_sim_has(s, "4d") ? 4
                                          : 5,
             n, at, list, count, third = XG_SIM_NOREG, mask = XG_SIM_NOREG;
    int op = reduce ? xg_sim_reduction(s) : 0;
    const xg_sim_operand *map = prefetch || !load ? &s->o[0] : &s->o[1], *side = load ? &s->o[0] : &s->o[1];
    xg_sim_spot tensor, shared, bar;
    xg_sim_ins *in;
    memset(&bar, 0, sizeof bar);
    memset(&shared, 0, sizeof shared);
    if (!(prefetch ? xg_sim_form(s, "async bulk prefetch tensor 1d|2d|3d|4d|5d L2 global tile|im2col? L2::cache_hint?")
            : reduce ? xg_sim_form(s, "reduce async bulk tensor 1d|2d|3d|4d|5d global shared::cta "
                                      "add|min|max|inc|dec|and|or|xor tile|im2col_no_offs? bulk_group L2::cache_hint?")
            : load ? xg_sim_form(s, "async bulk tensor 1d|2d|3d|4d|5d shared::cluster|shared::cta global tile|im2col? "
                                    "mbarrier::complete_tx::bytes multicast::cluster? L2::cache_hint?")
                   : xg_sim_form(s, "async bulk tensor 1d|2d|3d|4d|5d global shared::cta tile|im2col_no_offs? "
                                    "bulk_group L2::cache_hint?")))
        xg_sim_no_form(p, s);
    if (im2col && rank < 3) XG_SIM_BAD(p, s->at, NULL, "im2col needs a tensor of rank 3, 4 or 5");
    n = (prefetch ? 1u : load ? 3u : 2u) + offsets + multicast + xg_sim_has(s, "L2::cache_hint");
    at = prefetch ? 1 : load ? 3 : 2;
    xg_sim_operands(p, s, n, n);
    if (map->kind != XG_SIM_O_ADDR || !map->pair)
        XG_SIM_BAD(p, map->at, "write [map, {x, y}]", "expected a tensor map and coordinates");
    tensor = xg_sim_spot_of(p, s, map, XG_SIM_GENERIC);
    if (!prefetch) shared = xg_sim_spot_of(p, s, side, XG_SIM_SHARED);
    if (load) {
        bar = xg_sim_spot_of(p, s, &s->o[2], XG_SIM_SHARED);
        third = bar.code;
    }
    count = xg_sim_coordinates(p, s, map->pair, offsets ? &s->o[at] : NULL, rank, &list);
    at += offsets;
    if (multicast) mask = xg_sim_source(p, s, at++, XG_SIM_B16);
    xg_sim_policy_at(p, s, at);
    if (prefetch) {
        xg_sim_put(p, s, XG_SIM_K_NOP);
        return;
    }
    in = xg_sim_put_async(p, s, XG_SIM_Y_TENSOR);
    in->a = shared.code;
    in->b = tensor.code;
    in->c = third;
    in->e = mask;
    in->list = list;
    in->n = (uint16_t)count;
    in->imm = (load ? 0u : (uint32_t)XG_SIM_BK_TO_GLOBAL) | (multicast ? (uint32_t)XG_SIM_BK_MULTICAST : 0u) |
              (im2col ? (uint32_t)XG_SIM_BK_IM2COL : 0u) |
              (reduce ? (uint32_t)XG_SIM_BK_REDUCE | (uint32_t)op << XG_SIM_BK_OP : 0u) | rank << XG_SIM_BK_RANK;
    in->imm2 = xg_sim_spot_bits(shared) | xg_sim_spot_bits(tensor) << 8 | xg_sim_spot_bits(bar) << 16;
}

/* The end of a group of copies, and the wait for all but n groups. imm: 1 bulk, 2 only their reads, 4 also for copies
 * in no group. */
XG_FN void xg_sim_groups(xg_sim_asm *p, xg_sim_stmt *s, bool wait, uint32_t flags, bool numbered) {
    xg_sim_ins *in;
    uint32_t n = 0;
    xg_sim_operands(p, s, numbered, numbered);
    if (numbered) n = xg_sim_literal(p, s, 0, 0x7FFFFFFF);
    in = xg_sim_put_async(p, s, wait ? XG_SIM_Y_GROUPS : XG_SIM_Y_COMMIT);
    in->imm = flags;
    in->imm2 = n;
}
XG_FN void xg_sim_d_cp(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    xg_sim_ins *in;
    (void)arg;
    if (xg_sim_form(s, "async commit_group"))
        xg_sim_groups(p, s, false, 0, false);
    else if (xg_sim_form(s, "async wait_group"))
        xg_sim_groups(p, s, true, 0, true);
    else if (xg_sim_form(s, "async wait_all"))
        xg_sim_groups(p, s, true, 4, false);
    else if (xg_sim_form(s, "async bulk commit_group"))
        xg_sim_groups(p, s, false, 1, false);
    else if (xg_sim_form(s, "async bulk wait_group read?"))
        xg_sim_groups(p, s, true, xg_sim_has(s, "read") ? 3 : 1, true);
    else if (xg_sim_form(s, "async ca|cg shared|shared::cta global L2::cache_hint? L2::64B|L2::128B|L2::256B?") ||
             xg_sim_form(s, "async ca|cg shared|shared::cta global L2::64B|L2::128B|L2::256B? L2::cache_hint?"))
        xg_sim_cp_plain(p, s);
    else if (xg_sim_form(s, "async mbarrier arrive noinc? shared|shared::cta? b64")) {
        xg_sim_spot a;
        xg_sim_operands(p, s, 1, 1);
        a = xg_sim_spot_of(p, s, &s->o[0], xg_sim_shared_word(s));
        in = xg_sim_put_async(p, s, XG_SIM_Y_CP_ARRIVE);
        in->a = a.code;
        in->imm = xg_sim_has(s, "noinc");
        in->imm2 = xg_sim_spot_bits(a);
    } else if (xg_sim_form(s, "async bulk prefetch L2 global L2::cache_hint?")) {
        xg_sim_operands(p, s, 2, 3);
        xg_sim_spot_of(p, s, &s->o[0], XG_SIM_GLOBAL);
        xg_sim_source(p, s, 1, XG_SIM_U32);
        xg_sim_policy_at(p, s, 2);
        xg_sim_put(p, s, XG_SIM_K_NOP);
    } else if (xg_sim_has(s, "tensor"))
        xg_sim_tensor(p, s, xg_sim_has(s, "reduce"), xg_sim_has(s, "prefetch"));
    else if (xg_sim_has(s, "bulk"))
        xg_sim_bulk(p, s, xg_sim_has(s, "reduce"));
    else
        xg_sim_no_form(p, s);
}

/* st.async and red.async: to another block's shared memory, counted by a memory barrier there. */
XG_FN void xg_sim_st_async(xg_sim_asm *p, xg_sim_stmt *s, bool red) {
    xg_sim_spot a, bar;
    xg_sim_type t;
    uint32_t n, i, codes[4], list;
    const xg_sim_operand *items;
    int op = 0;
    xg_sim_ins *in;
    if (red ? !xg_sim_form(s, "async relaxed? cluster? shared::cluster? mbarrier::complete_tx::bytes shared::cluster? "
                              "inc|dec|min|max|add|and|or|xor u32|s32|u64|b32|s64")
            : !xg_sim_form(s, "async weak? shared::cluster? mbarrier::complete_tx::bytes shared::cluster? v2|v4? "
                              "b32|b64|u32|u64|s32|s64|f32|f64"))
        xg_sim_no_form(p, s);
    if (red) op = xg_sim_reduction(s);
    t = xg_sim_type_of(s->mods[s->n_mods - 1]);
    xg_sim_operands(p, s, 3, 3);
    a = xg_sim_spot_of(p, s, &s->o[0], XG_SIM_SHARED);
    bar = xg_sim_spot_of(p, s, &s->o[2], XG_SIM_SHARED);
    s->used &= ~(xg_sim_has(s, "v2") || xg_sim_has(s, "v4") ? 1u << (s->n_mods - 2) : 0u);
    n = xg_sim_vector_of(p, s, &s->o[1], &items);
    for (i = 0; i < n; i++) codes[i] = xg_sim_source_of(p, s, &items[i], t, false);
    list = xg_sim_list_begin(p);
    for (i = 0; i < n; i++) xg_sim_list_add(p, codes[i]);
    in = xg_sim_put_async(p, s, XG_SIM_Y_STORE);
    in->a = a.code;
    in->c = bar.code;
    in->list = list;
    in->n = (uint16_t)n;
    in->imm = (red ? (uint32_t)XG_SIM_BK_REDUCE | (uint32_t)op << XG_SIM_BK_OP : 0u) | (uint32_t)t << XG_SIM_BK_TYPE;
    in->imm2 = xg_sim_spot_bits(a) | xg_sim_spot_bits(bar) << 16;
}

/* st.bulk: many bytes of shared memory become 0. */
XG_FN void xg_sim_st_bulk(xg_sim_asm *p, xg_sim_stmt *s) {
    xg_sim_spot a;
    uint32_t size;
    xg_sim_ins *in;
    if (!xg_sim_form(s, "bulk weak? shared::cta?")) xg_sim_no_form(p, s);
    xg_sim_operands(p, s, 3, 3);
    a = xg_sim_spot_of(p, s, &s->o[0], xg_sim_has(s, "shared::cta") ? XG_SIM_SHARED : XG_SIM_GENERIC);
    size = xg_sim_source(p, s, 1, XG_SIM_U64);
    if (s->o[2].kind != XG_SIM_O_NUM || s->o[2].value) XG_SIM_BAD(p, s->o[2].at, NULL, "st.bulk writes zeros only");
    in = xg_sim_put_async(p, s, XG_SIM_Y_FILL);
    in->a = a.code;
    in->b = size;
    in->imm2 = xg_sim_spot_bits(a);
}

/* ---- tensor maps that a kernel makes ---- */

/* X(field, text, bytes of the value, has an index) */
/* clang-format off */
#define XG_SIM_MAP_FIELDS(X) \
    X(ADDRESS, "global_address", 8, 0) \
    X(RANK, "rank", 4, 0) \
    X(BOX, "box_dim", 4, 1) \
    X(DIM, "global_dim", 4, 1) \
    X(STRIDE, "global_stride", 8, 1) \
    X(STEP, "element_stride", 4, 1) \
    X(TYPE, "elemtype", 4, 0) \
    X(INTERLEAVE, "interleave_layout", 4, 0) \
    X(SWIZZLE, "swizzle_mode", 4, 0) \
    X(ATOMICITY, "swizzle_atomicity", 4, 0) \
    X(FILL, "fill_mode", 4, 0)
/* clang-format on */
typedef enum xg_sim_map_field {
#define X(name, text, bytes, index) XG_SIM_MAP_##name,
    XG_SIM_MAP_FIELDS(X)
#undef X
    XG_SIM_MAP_FIELD_COUNT
} xg_sim_map_field;

XG_FN void xg_sim_d_tensormap(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    static const struct {
        const char *text;
        uint8_t bytes, index;
    } rows[XG_SIM_MAP_FIELD_COUNT] = {
#define X(name, text, bytes, index) {text, bytes, index},
        XG_SIM_MAP_FIELDS(X)
#undef X
    };
    xg_sim_spot a, from;
    xg_sim_ins *in;
    uint32_t i, b, index = 0;
    (void)arg;
    if (xg_sim_form(
            s, "cp_fenceproxy global shared::cta tensormap::generic release cta|cluster|gpu|sys sync aligned")) {
        xg_sim_operands(p, s, 3, 3);
        a = xg_sim_spot_of(p, s, &s->o[0], XG_SIM_GLOBAL);
        from = xg_sim_spot_of(p, s, &s->o[1], XG_SIM_SHARED);
        if (xg_sim_literal(p, s, 2, 128) != 128) XG_SIM_BAD(p, s->o[2].at, NULL, "a tensor map has 128 bytes");
        in = xg_sim_put_async(p, s, XG_SIM_Y_MAP_COPY);
        in->a = a.code;
        in->b = from.code;
        in->imm2 = xg_sim_spot_bits(a) | xg_sim_spot_bits(from) << 8;
        return;
    }
    for (i = 0; i < XG_SIM_MAP_FIELD_COUNT && !xg_sim_has(s, rows[i].text); i++) {}
    if (i == XG_SIM_MAP_FIELD_COUNT ||
        !xg_sim_form(s, "replace tile "
                        "rank|box_dim|global_dim|element_stride|global_address|global_stride|elemtype|interleave_"
                        "layout|swizzle_mode|swizzle_atomicity|fill_mode global|shared::cta? b1024 b32|b64") ||
        xg_sim_has(s, "b64") != (rows[i].bytes == 8))
        xg_sim_no_form(p, s);
    xg_sim_operands(p, s, 2 + rows[i].index, 2 + rows[i].index);
    a = xg_sim_spot_of(p, s, &s->o[0], xg_sim_has(s, "global") ? XG_SIM_GLOBAL : xg_sim_shared_word(s));
    if (rows[i].index) index = xg_sim_literal(p, s, 1, 4);
    b = xg_sim_source(p, s, 1u + rows[i].index, rows[i].bytes == 8 ? XG_SIM_B64 : XG_SIM_B32);
    in = xg_sim_put_async(p, s, XG_SIM_Y_MAP_SET);
    in->a = a.code;
    in->b = b;
    in->imm = i | index << 8;
    in->imm2 = xg_sim_spot_bits(a);
}

#endif /* XG_SIM_DECODE_ASYNC_C */
/* sim/decode_matrix.c -- statements on tiles of matrices: ldmatrix, stmatrix, movmatrix, mma, wmma, wgmma.
 *
 * A multiplication becomes one record. Its shape and element types stand in imm and imm2 (xg_sim_tile_of unpacks them),
 * its registers in the list: A, B, C, the metadata of a sparse A, then D. Which shapes and types go together is said by
 * the rows of XG_SIM_MMAS and XG_SIM_WMMAS. */
#ifndef XG_SIM_DECODE_MATRIX_C
#define XG_SIM_DECODE_MATRIX_C

/* X(NAME, text, bits of an element, float or integer): the elements of tiles. */
/* clang-format off */
#define XG_SIM_ELEMS(X) \
    X(F16, "f16", 16, 1) \
    X(BF16, "bf16", 16, 1) \
    X(TF32, "tf32", 32, 1) \
    X(F32, "f32", 32, 1) \
    X(F64, "f64", 64, 1) \
    X(E4M3, "e4m3", 8, 1) \
    X(E5M2, "e5m2", 8, 1) \
    X(S8, "s8", 8, 0) \
    X(U8, "u8", 8, 0) \
    X(S4, "s4", 4, 0) \
    X(U4, "u4", 4, 0) \
    X(B1, "b1", 1, 0) \
    X(S32, "s32", 32, 0)
/* clang-format on */
typedef enum xg_sim_elem {
#define X(name, text, bits, real) XG_SIM_EL_##name,
    XG_SIM_ELEMS(X)
#undef X
    XG_SIM_EL_COUNT
} xg_sim_elem;
typedef struct xg_sim_elem_row {
    const char *text;
    uint8_t bits, real;
} xg_sim_elem_row;
static const xg_sim_elem_row xg_sim_elems[XG_SIM_EL_COUNT] = {
#define X(name, text, bits, real) {text, bits, real},
    XG_SIM_ELEMS(X)
#undef X
};
XG_FN xg_sim_elem xg_sim_elem_of(xg_str word) {
    int i;
    for (i = 0; i < XG_SIM_EL_COUNT; i++)
        if (xg_str_is(word, xg_sim_elems[i].text)) return (xg_sim_elem)i;
    return XG_SIM_EL_COUNT;
}

/* op of K_TILE. */
typedef enum xg_sim_tileop {
    XG_SIM_T_LOAD,
    XG_SIM_T_STORE,
    XG_SIM_T_MOVE,
    XG_SIM_T_MMA,
    XG_SIM_T_VOLTA /* mma.m8n8k4 of f16 */,
    XG_SIM_T_WMMA,
    XG_SIM_T_WLOAD,
    XG_SIM_T_WSTORE,
    XG_SIM_T_WGMMA,
    XG_SIM_T_WGSYNC
} xg_sim_tileop;

/* Flags of a multiplication, and of the transfers. */
enum {
    XG_SIM_TF_SATURATE = 1,
    XG_SIM_TF_ACOL = 2,
    XG_SIM_TF_BROW = 4,
    XG_SIM_TF_XOR = 8,
    XG_SIM_TF_SPARSE = 16,
    XG_SIM_TF_ORDERED = 32,
    XG_SIM_TF_AREG = 64 /* wgmma: A in registers */,
    XG_SIM_TF_NEGA = 128,
    XG_SIM_TF_NEGB = 256
};
typedef struct xg_sim_tile {
    uint32_t m, n, k, flags, selector;
    xg_sim_elem a, b, c, d;
} xg_sim_tile;

/* imm: m, n and k, 10 bits each; imm2: four elements of 4 bits, 10 flags; selector: beside op. */
XG_FN void xg_sim_tile_put(xg_sim_ins *in, xg_sim_tileop op, const xg_sim_tile *t) {
    in->op = (uint16_t)((uint32_t)op | t->selector << 8);
    in->imm = t->m | t->n << 10 | t->k << 20;
    in->imm2 = (uint32_t)t->a | (uint32_t)t->b << 4 | (uint32_t)t->c << 8 | (uint32_t)t->d << 12 | t->flags << 16;
}
XG_FN xg_sim_tile xg_sim_tile_of(const xg_sim_ins *in) {
    xg_sim_tile t;
    t.m = in->imm & 1023;
    t.n = in->imm >> 10 & 1023;
    t.k = in->imm >> 20;
    t.a = (xg_sim_elem)(in->imm2 & 15);
    t.b = (xg_sim_elem)(in->imm2 >> 4 & 15);
    t.c = (xg_sim_elem)(in->imm2 >> 8 & 15);
    t.d = (xg_sim_elem)(in->imm2 >> 12 & 15);
    t.flags = in->imm2 >> 16;
    t.selector = in->op >> 8;
    return t;
}

/* ---- reading statements ---- */

/* "m16n8k16" to its numbers. */
XG_FN bool xg_sim_shape(xg_str w, xg_sim_tile *t) {
    static const char letters[3] = {'m', 'n', 'k'};
    uint32_t v[3] = {0, 0, 0}, i = 0, k;
    for (k = 0; k < 3; k++) {
        if (i >= w.n || w.p[i++] != letters[k]) return false;
        while (i < w.n && xg_sim_is_digit(w.p[i]) && v[k] < 1000) v[k] = v[k] * 10 + (uint32_t)(w.p[i++] - '0');
        if (!v[k] || v[k] > 512) return false;
    }
    t->m = v[0];
    t->n = v[1];
    t->k = v[2];
    return i == w.n;
}
XG_FN void xg_sim_take_shape(xg_sim_asm *p, xg_sim_stmt *s, xg_sim_tile *t) {
    uint32_t i;
    for (i = 0; i < s->n_mods; i++)
        if (!(s->used >> i & 1) && xg_sim_shape(s->mods[i], t)) {
            s->used |= 1u << i;
            return;
        }
    XG_SIM_BAD(p, s->at, "such as .m16n8k16", "'%.*s' needs a shape", (int)s->op.n, s->op.p);
}
/* The element types in their order; how many. */
XG_FN uint32_t xg_sim_take_elems(xg_sim_stmt *s, xg_sim_elem out[4]) {
    uint32_t i, n = 0;
    for (i = 0; i < s->n_mods && n < 4; i++) {
        xg_sim_elem e = s->used >> i & 1 ? XG_SIM_EL_COUNT : xg_sim_elem_of(s->mods[i]);
        if (e != XG_SIM_EL_COUNT) {
            s->used |= 1u << i;
            out[n++] = e;
        }
    }
    return n;
}
/* row or col, of A and then of B: true for the first one that is not what mma takes by itself. */
XG_FN void xg_sim_take_layouts(xg_sim_asm *p, xg_sim_stmt *s, xg_sim_tile *t) {
    uint32_t i, n = 0;
    for (i = 0; i < s->n_mods; i++) {
        bool row = xg_str_is(s->mods[i], "row");
        if (!row && !xg_str_is(s->mods[i], "col")) continue;
        s->used |= 1u << i;
        if (n == 0 && !row) t->flags |= XG_SIM_TF_ACOL;
        if (n == 1 && row) t->flags |= XG_SIM_TF_BROW;
        n++;
    }
    if (n != 2) XG_SIM_BAD(p, s->at, "such as .row.col", "'%.*s' needs the layouts of A and B", (int)s->op.n, s->op.p);
}
XG_FN bool xg_sim_in_choice(const char *choice, const char *word) {
    size_t n = strlen(word);
    const char *q = choice;
    while (*q) {
        size_t k = strcspn(q, "|");
        if (k == n && memcmp(q, word, n) == 0) return true;
        q += k;
        if (*q) q++;
    }
    return false;
}
/* The register type of elements. */
XG_FN xg_sim_type xg_sim_elem_type(xg_sim_elem e) {
    return e == XG_SIM_EL_F64 ? XG_SIM_F64 : e == XG_SIM_EL_F32 ? XG_SIM_F32 : XG_SIM_B32;
}

typedef struct xg_sim_regs {
    uint32_t codes[288], n;
} xg_sim_regs;
XG_FN void xg_sim_tile_operand(
    xg_sim_asm *p, xg_sim_stmt *s, uint32_t i, uint32_t n, xg_sim_elem e, bool dest, xg_sim_regs *r) {
    const xg_sim_operand *o = &s->o[i], *items = o->items;
    xg_sim_type t = xg_sim_elem_type(e);
    uint32_t k;
    if (o->kind != XG_SIM_O_VEC && n == 1)
        items = o; /* braces may be left out */
    else if (o->kind != XG_SIM_O_VEC || o->n != n)
        XG_SIM_BAD(p, o->at, NULL, "this tile of .%s takes %u registers in braces", xg_sim_elems[e].text, n);
    for (k = 0; k < n; k++)
        r->codes[r->n++] = dest ? xg_sim_dest_of(p, &items[k], t, false) : xg_sim_source_of(p, s, &items[k], t, false);
}
XG_FN xg_sim_ins *xg_sim_put_tile(xg_sim_asm *p, xg_sim_stmt *s, const xg_sim_regs *r, uint32_t dests) {
    uint32_t i, list = xg_sim_list_begin(p);
    xg_sim_ins *in;
    for (i = 0; i < r->n; i++) xg_sim_list_add(p, r->codes[i]);
    in = xg_sim_put(p, s, XG_SIM_K_TILE);
    in->list = list;
    in->n = (uint16_t)r->n;
    in->d2bytes = (uint8_t)dests;
    return in;
}

/* ---- ldmatrix, stmatrix, movmatrix ---- */

XG_FN void xg_sim_d_ldmatrix(xg_sim_asm *p, xg_sim_stmt *s, uint32_t store) {
    xg_sim_regs r;
    xg_sim_tile t;
    xg_sim_spot a;
    uint32_t n, i;
    const xg_sim_operand *o, *items;
    xg_sim_ins *in;
    memset(&t, 0, sizeof t);
    r.n = 0;
    if (xg_sim_has(s, "m16n16") || xg_sim_has(s, "m8n16") || xg_sim_has(s, "m16n8"))
        XG_SIM_UNSUPPORTED(p, s->at, "m8n8 with .b16 works", "'%.*s' of 8-bit and smaller elements is not simulated",
            (int)s->op.n, s->op.p);
    if (!xg_sim_form(s, "sync aligned m8n8 x1|x2|x4 trans? shared|shared::cta? b16")) xg_sim_no_form(p, s);
    n = xg_sim_has(s, "x4") ? 4 : xg_sim_has(s, "x2") ? 2 : 1;
    xg_sim_operands(p, s, 2, 2);
    a = xg_sim_spot_of(p, s, &s->o[store ? 0 : 1], xg_sim_shared_word(s));
    o = &s->o[store ? 1 : 0];
    items = o->kind == XG_SIM_O_VEC ? o->items : o;
    if ((o->kind == XG_SIM_O_VEC ? o->n : 1) != n)
        XG_SIM_BAD(p, o->at, NULL, ".x%u takes %u registers in braces", n, n);
    for (i = 0; i < n; i++)
        r.codes[r.n++] = store ? xg_sim_source_of(p, s, &items[i], XG_SIM_B32, false)
                               : xg_sim_dest_of(p, &items[i], XG_SIM_B32, false);
    in = xg_sim_put_tile(p, s, &r, store ? 0 : n);
    in->op = store ? XG_SIM_T_STORE : XG_SIM_T_LOAD;
    in->a = a.code;
    in->imm = xg_sim_has(s, "trans");
    in->imm2 = xg_sim_spot_bits(a);
}
XG_FN void xg_sim_d_movmatrix(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    uint32_t a, d;
    xg_sim_regs r;
    (void)arg;
    if (!xg_sim_form(s, "sync aligned m8n8 trans b16")) xg_sim_no_form(p, s);
    xg_sim_operands(p, s, 2, 2);
    a = xg_sim_source(p, s, 1, XG_SIM_B32);
    d = xg_sim_dest(p, s, 0, XG_SIM_B32);
    r.codes[0] = a;
    r.codes[1] = d;
    r.n = 2;
    xg_sim_put_tile(p, s, &r, 1)->op = XG_SIM_T_MOVE;
}

/* ---- mma ---- */

/* X(m, n, k, elements of A and B, elements of C and D, sparse): with a choice every pair of A and B is meant, except
 * for 16-bit floats. */
/* clang-format off */
#define XG_SIM_MMAS(X) \
    X(8, 8, 4, "f16", "f16|f32", 0) \
    X(16, 8, 8, "f16", "f16|f32", 0) \
    X(16, 8, 16, "f16", "f16|f32", 0) \
    X(16, 8, 8, "bf16", "f32", 0) \
    X(16, 8, 16, "bf16", "f32", 0) \
    X(16, 8, 4, "tf32", "f32", 0) \
    X(16, 8, 8, "tf32", "f32", 0) \
    X(8, 8, 4, "f64", "f64", 0) \
    X(16, 8, 4, "f64", "f64", 0) \
    X(16, 8, 8, "f64", "f64", 0) \
    X(16, 8, 16, "f64", "f64", 0) \
    X(8, 8, 16, "s8|u8", "s32", 0) \
    X(16, 8, 16, "s8|u8", "s32", 0) \
    X(16, 8, 32, "s8|u8", "s32", 0) \
    X(8, 8, 32, "s4|u4", "s32", 0) \
    X(16, 8, 32, "s4|u4", "s32", 0) \
    X(16, 8, 64, "s4|u4", "s32", 0) \
    X(8, 8, 128, "b1", "s32", 0) \
    X(16, 8, 128, "b1", "s32", 0) \
    X(16, 8, 256, "b1", "s32", 0) \
    X(16, 8, 16, "e4m3|e5m2", "f16|f32", 0) \
    X(16, 8, 32, "e4m3|e5m2", "f16|f32", 0) \
    X(16, 8, 16, "f16", "f16|f32", 1) \
    X(16, 8, 32, "f16", "f16|f32", 1) \
    X(16, 8, 16, "bf16", "f32", 1) \
    X(16, 8, 32, "bf16", "f32", 1) \
    X(16, 8, 8, "tf32", "f32", 1) \
    X(16, 8, 16, "tf32", "f32", 1) \
    X(16, 8, 32, "s8|u8", "s32", 1) \
    X(16, 8, 64, "s8|u8", "s32", 1) \
    X(16, 8, 64, "s4|u4", "s32", 1) \
    X(16, 8, 128, "s4|u4", "s32", 1) \
    X(16, 8, 64, "e4m3|e5m2", "f16|f32", 1)
/* clang-format on */
typedef struct xg_sim_mma_row {
    uint16_t m, n, k;
    const char *ab, *cd;
    uint8_t sparse;
} xg_sim_mma_row;
static const xg_sim_mma_row xg_sim_mmas[] = {
#define X(m, n, k, ab, cd, sparse) {m, n, k, ab, cd, sparse},
    XG_SIM_MMAS(X)
#undef X
};

XG_FN bool xg_sim_mma_known(const xg_sim_tile *t) {
    size_t i;
    for (i = 0; i < XG_COUNT(xg_sim_mmas); i++) {
        const xg_sim_mma_row *r = &xg_sim_mmas[i];
        if (r->m == t->m && r->n == t->n && r->k == t->k && r->sparse == ((t->flags & XG_SIM_TF_SPARSE) != 0) &&
            xg_sim_in_choice(r->ab, xg_sim_elems[t->a].text) && xg_sim_in_choice(r->ab, xg_sim_elems[t->b].text) &&
            xg_sim_in_choice(r->cd, xg_sim_elems[t->d].text) && xg_sim_in_choice(r->cd, xg_sim_elems[t->c].text))
            return true;
    }
    return false;
}
/* Registers that hold n elements of a warp's tile. */
XG_FN uint32_t xg_sim_tile_regs(uint32_t elements, xg_sim_elem e) {
    return XG_MAX(1u, elements * xg_sim_elems[e].bits / 32 / (e == XG_SIM_EL_F64 ? 64 : 32));
}

/* The selector of a sparse multiplication: which threads of four hold the metadata. */
XG_FN uint32_t xg_sim_selectors(const xg_sim_tile *t) { /* how many there are */
    uint32_t bits = t->a == XG_SIM_EL_TF32                         ? t->k * 2
                    : t->a == XG_SIM_EL_S4 || t->a == XG_SIM_EL_U4 ? t->k / 2
                                                                   : t->k; /* of metadata a row */
    return bits == 16 ? 4 : bits == 32 ? 2 : 1;
}
XG_FN void xg_sim_d_mma(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    xg_sim_tile t;
    xg_sim_elem e[4];
    xg_sim_regs r;
    uint32_t n = 0, dests, sparse;
    bool volta;
    xg_sim_ins *in;
    (void)arg;
    memset(&t, 0, sizeof t);
    r.n = 0;
    if (xg_sim_take(s, "sp")) t.flags |= XG_SIM_TF_SPARSE;
    if (xg_sim_take(s, "sp::ordered_metadata")) t.flags |= XG_SIM_TF_SPARSE | XG_SIM_TF_ORDERED;
    sparse = (t.flags & XG_SIM_TF_SPARSE) != 0;
    if (!xg_sim_take(s, "sync") || !xg_sim_take(s, "aligned"))
        XG_SIM_BAD(p, s->at, NULL, "'mma' is written mma.sync.aligned");
    xg_sim_take_shape(p, s, &t);
    xg_sim_take_layouts(p, s, &t);
    if (xg_sim_take(s, "satfinite")) t.flags |= XG_SIM_TF_SATURATE;
    if (xg_sim_take_elems(s, e) != 4)
        XG_SIM_BAD(p, s->at, "such as .f32.f16.f16.f32", "'mma' needs the types of D, A, B and C");
    t.d = e[0];
    t.a = e[1];
    t.b = e[2];
    t.c = e[3];
    if (t.a == XG_SIM_EL_B1) {
        if (xg_sim_take(s, "xor"))
            t.flags |= XG_SIM_TF_XOR;
        else if (!xg_sim_take(s, "and"))
            XG_SIM_BAD(p, s->at, NULL, "a multiplication of bits needs .xor.popc or .and.popc");
        if (!xg_sim_take(s, "popc"))
            XG_SIM_BAD(p, s->at, NULL, "a multiplication of bits needs .xor.popc or .and.popc");
    }
    volta = t.m == 8 && t.a == XG_SIM_EL_F16;
    if (!xg_sim_mma_known(&t) || (t.c != t.d && !(volta && t.d == XG_SIM_EL_F32)) ||
        (!volta && t.flags & (XG_SIM_TF_ACOL | XG_SIM_TF_BROW)) ||
        (t.flags & XG_SIM_TF_SATURATE && (xg_sim_elems[t.a].real || t.a == XG_SIM_EL_B1)))
        XG_SIM_UNSUPPORTED(p, s->at, NULL, "'mma' has no form for this shape with these types");
    xg_sim_operands(p, s, sparse ? 6 : 4, sparse ? 6 : 4);
    xg_sim_tile_operand(p, s, 1, volta ? 2 : xg_sim_tile_regs(t.m * t.k / (1 + sparse), t.a), t.a, false, &r);
    xg_sim_tile_operand(p, s, 2, volta ? 2 : xg_sim_tile_regs(t.k * t.n, t.b), t.b, false, &r);
    xg_sim_tile_operand(
        p, s, 3, volta ? (t.c == XG_SIM_EL_F16 ? 4 : 8) : xg_sim_tile_regs(t.m * t.n, t.c), t.c, false, &r);
    if (sparse) {
        r.codes[r.n++] = xg_sim_source(p, s, 4, XG_SIM_B32);
        t.selector = xg_sim_literal(p, s, 5, xg_sim_selectors(&t) - 1);
    }
    n = r.n;
    xg_sim_tile_operand(
        p, s, 0, volta ? (t.d == XG_SIM_EL_F16 ? 4 : 8) : xg_sim_tile_regs(t.m * t.n, t.d), t.d, true, &r);
    dests = r.n - n;
    in = xg_sim_put_tile(p, s, &r, dests);
    xg_sim_tile_put(in, volta ? XG_SIM_T_VOLTA : XG_SIM_T_MMA, &t);
}

/* ---- wmma ---- */

/* X(m, n, k, elements of A and B, of C and D, registers of A, B, 32-bit C) */
/* clang-format off */
#define XG_SIM_WMMAS(X) \
    X(16, 16, 16, "f16", "f16|f32", 8, 8, 8) \
    X(8, 32, 16, "f16", "f16|f32", 8, 8, 8) \
    X(32, 8, 16, "f16", "f16|f32", 8, 8, 8) \
    X(16, 16, 16, "bf16", "f32", 4, 4, 8) \
    X(8, 32, 16, "bf16", "f32", 2, 8, 8) \
    X(32, 8, 16, "bf16", "f32", 8, 2, 8) \
    X(16, 16, 8, "tf32", "f32", 4, 4, 8) \
    X(8, 8, 4, "f64", "f64", 1, 1, 2) \
    X(16, 16, 16, "s8|u8", "s32", 2, 2, 8) \
    X(8, 32, 16, "s8|u8", "s32", 1, 4, 8) \
    X(32, 8, 16, "s8|u8", "s32", 4, 1, 8) \
    X(8, 8, 32, "s4|u4", "s32", 1, 1, 2) \
    X(8, 8, 128, "b1", "s32", 1, 1, 2)
/* clang-format on */
typedef struct xg_sim_wmma_row {
    uint16_t m, n, k;
    const char *ab, *cd;
    uint8_t a, b, c;
} xg_sim_wmma_row;
static const xg_sim_wmma_row xg_sim_wmmas[] = {
#define X(m, n, k, ab, cd, ra, rb, rc) {m, n, k, ab, cd, ra, rb, rc},
    XG_SIM_WMMAS(X)
#undef X
};
/* The row of a shape: by the elements of A and B, or for a tile of C by those of C alone. */
XG_FN const xg_sim_wmma_row *xg_sim_wmma_find(
    xg_sim_asm *p, const xg_sim_stmt *s, const xg_sim_tile *t, xg_sim_elem ab, xg_sim_elem cd) {
    size_t i;
    for (i = 0; i < XG_COUNT(xg_sim_wmmas); i++) {
        const xg_sim_wmma_row *r = &xg_sim_wmmas[i];
        if (r->m == t->m && r->n == t->n && r->k == t->k &&
            (ab == XG_SIM_EL_COUNT || xg_sim_in_choice(r->ab, xg_sim_elems[ab].text)) &&
            (cd == XG_SIM_EL_COUNT || xg_sim_in_choice(r->cd, xg_sim_elems[cd].text)))
            return r;
    }
    XG_SIM_UNSUPPORTED(p, s->at, NULL, "'wmma' has no form for this shape with these types");
}
XG_FN uint32_t xg_sim_wmma_c(const xg_sim_wmma_row *r, xg_sim_elem e) { return e == XG_SIM_EL_F16 ? r->c / 2u : r->c; }

/* flags of WLOAD and WSTORE: bit 0: columns are contiguous; then which matrix, 0 A, 1 B, 2 C or D. */
XG_FN void xg_sim_wmma_transfer(xg_sim_asm *p, xg_sim_stmt *s, bool store) {
    static const char *const names[] = {"a", "b", "c"};
    xg_sim_tile t;
    xg_sim_elem e[4];
    xg_sim_regs r;
    xg_sim_spot a;
    int which = store ? 2 : xg_sim_take_one(s, names, 3);
    bool col;
    uint32_t stride, regs;
    const xg_sim_wmma_row *row;
    xg_sim_ins *in;
    memset(&t, 0, sizeof t);
    r.n = 0;
    if (which < 0 || (store && !xg_sim_take(s, "d")) || !xg_sim_take(s, "sync") || !xg_sim_take(s, "aligned"))
        xg_sim_no_form(p, s);
    col = xg_sim_take(s, "col");
    if (!col && !xg_sim_take(s, "row")) XG_SIM_BAD(p, s->at, NULL, "'wmma' needs the layout in memory, .row or .col");
    xg_sim_take_shape(p, s, &t);
    a.space = xg_sim_take_space(s);
    if (xg_sim_take_elems(s, e) != 1) XG_SIM_BAD(p, s->at, NULL, "'wmma' needs the type of the elements");
    row = xg_sim_wmma_find(p, s, &t, which < 2 ? e[0] : XG_SIM_EL_COUNT, which < 2 ? XG_SIM_EL_COUNT : e[0]);
    regs = which == 0 ? row->a : which == 1 ? row->b : xg_sim_wmma_c(row, e[0]);
    xg_sim_operands(p, s, 2, 3);
    a = xg_sim_spot_of(p, s, &s->o[store ? 0 : 1], a.space);
    stride = s->n == 3 ? xg_sim_source(p, s, 2, XG_SIM_U32) : XG_SIM_NOREG;
    xg_sim_tile_operand(p, s, store ? 1 : 0, regs, e[0], !store, &r);
    t.a = t.b = t.c = t.d = e[0];
    t.flags = (uint32_t)col | (uint32_t)which << 1;
    in = xg_sim_put_tile(p, s, &r, store ? 0 : regs);
    xg_sim_tile_put(in, store ? XG_SIM_T_WSTORE : XG_SIM_T_WLOAD, &t);
    in->a = a.code;
    in->b = stride;
    in->op = (uint16_t)(in->op | xg_sim_spot_bits(a) << 8);
}
XG_FN void xg_sim_d_wmma(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    xg_sim_tile t;
    xg_sim_elem e[4];
    xg_sim_regs r;
    uint32_t n, k;
    const xg_sim_wmma_row *row;
    (void)arg;
    if (xg_sim_take(s, "load")) {
        xg_sim_wmma_transfer(p, s, false);
        return;
    }
    if (xg_sim_take(s, "store")) {
        xg_sim_wmma_transfer(p, s, true);
        return;
    }
    memset(&t, 0, sizeof t);
    r.n = 0;
    if (xg_sim_take(s, "xor")) t.flags |= XG_SIM_TF_XOR;
    k = (t.flags & XG_SIM_TF_XOR) || xg_sim_take(s, "and") ? xg_sim_take(s, "popc") : 2u;
    if (!xg_sim_take(s, "mma") || !xg_sim_take(s, "sync") || !xg_sim_take(s, "aligned") || !k) xg_sim_no_form(p, s);
    xg_sim_take_shape(p, s, &t);
    xg_sim_take_layouts(p, s, &t);
    t.flags &= ~(uint32_t)(XG_SIM_TF_ACOL | XG_SIM_TF_BROW); /* the loads have seen to it */
    if (xg_sim_take(s, "satfinite")) t.flags |= XG_SIM_TF_SATURATE;
    n = xg_sim_take_elems(s, e);
    if (n != 4 && n != 2) XG_SIM_BAD(p, s->at, NULL, "'wmma.mma' needs the types of D and C, or of D, A, B and C");
    t.d = e[0];
    t.a = n == 2 ? XG_SIM_EL_F16 : e[1];
    t.b = n == 2 ? XG_SIM_EL_F16 : e[2];
    t.c = e[n - 1];
    if ((t.a == XG_SIM_EL_B1) != (k == 1) ||
        (t.flags & XG_SIM_TF_SATURATE && xg_sim_elems[t.a].real && t.a != XG_SIM_EL_F16) || (t.a != t.b))
        xg_sim_no_form(p, s);
    row = xg_sim_wmma_find(p, s, &t, t.a, t.d);
    xg_sim_wmma_find(p, s, &t, t.b, t.c);
    xg_sim_operands(p, s, 4, 4);
    xg_sim_tile_operand(p, s, 1, row->a, t.a, false, &r);
    xg_sim_tile_operand(p, s, 2, row->b, t.b, false, &r);
    xg_sim_tile_operand(p, s, 3, xg_sim_wmma_c(row, t.c), t.c, false, &r);
    xg_sim_tile_operand(p, s, 0, xg_sim_wmma_c(row, t.d), t.d, true, &r);
    xg_sim_tile_put(xg_sim_put_tile(p, s, &r, xg_sim_wmma_c(row, t.d)), XG_SIM_T_WMMA, &t);
}

/* ---- wgmma ---- */

/* One k of each element type, dense. */
XG_FN uint32_t xg_sim_wgmma_k(xg_sim_elem e) {
    return e == XG_SIM_EL_F16 || e == XG_SIM_EL_BF16 ? 16 : e == XG_SIM_EL_TF32 ? 8 : e == XG_SIM_EL_B1 ? 256 : 32;
}
XG_FN bool xg_sim_wgmma_known(const xg_sim_tile *t) {
    bool real = xg_sim_elems[t->a].real != 0, sparse = (t->flags & XG_SIM_TF_SPARSE) != 0;
    if (t->m != 64 || t->n % 8 || t->n < 8 || t->n > 256 || t->k != xg_sim_wgmma_k(t->a) << sparse) return false;
    if (!real && t->n > 32 && t->n % 16) return false;
    if (!real && t->n > 8 && t->n < 32 && t->n != 16 && t->n != 24) return false;
    switch (t->a) {
    case XG_SIM_EL_F16: return t->b == t->a && (t->d == XG_SIM_EL_F16 || t->d == XG_SIM_EL_F32);
    case XG_SIM_EL_BF16:
    case XG_SIM_EL_TF32: return t->b == t->a && t->d == XG_SIM_EL_F32;
    case XG_SIM_EL_E4M3:
    case XG_SIM_EL_E5M2:
        return (t->b == XG_SIM_EL_E4M3 || t->b == XG_SIM_EL_E5M2) && (t->d == XG_SIM_EL_F16 || t->d == XG_SIM_EL_F32);
    case XG_SIM_EL_S8:
    case XG_SIM_EL_U8: return (t->b == XG_SIM_EL_S8 || t->b == XG_SIM_EL_U8) && t->d == XG_SIM_EL_S32;
    case XG_SIM_EL_B1: return t->b == t->a && t->d == XG_SIM_EL_S32 && !sparse;
    default: return false;
    }
}
/* mma_async[.sp] d, a, b[, metadata, selector], scale-d[, imm-scale-a, imm-scale-b[, trans-a][, trans-b]] */
XG_FN void xg_sim_wgmma_mma(xg_sim_asm *p, xg_sim_stmt *s) {
    xg_sim_tile t;
    xg_sim_elem e[4];
    xg_sim_regs r;
    uint32_t at = 3, n, scale, descriptor_a = XG_SIM_NOREG, descriptor_b;
    bool sparse, half;
    xg_sim_ins *in;
    memset(&t, 0, sizeof t);
    r.n = 0;
    sparse = xg_sim_take(s, "sp") || xg_sim_take(s, "sp::ordered_metadata");
    if (sparse) t.flags |= XG_SIM_TF_SPARSE;
    if (!xg_sim_take(s, "sync") || !xg_sim_take(s, "aligned")) xg_sim_no_form(p, s);
    xg_sim_take_shape(p, s, &t);
    if (xg_sim_take_elems(s, e) != 3)
        XG_SIM_BAD(p, s->at, "such as .f32.bf16.bf16", "'wgmma' needs the types of D, A and B");
    t.d = t.c = e[0];
    t.a = e[1];
    t.b = e[2];
    if (xg_sim_take(s, "satfinite")) t.flags |= XG_SIM_TF_SATURATE;
    if (t.a == XG_SIM_EL_B1 && (!xg_sim_take(s, "and") || !xg_sim_take(s, "popc"))) xg_sim_no_form(p, s);
    if (!xg_sim_wgmma_known(&t) || (t.flags & XG_SIM_TF_SATURATE && t.d != XG_SIM_EL_S32))
        XG_SIM_UNSUPPORTED(p, s->at, NULL, "'wgmma' has no form for this shape with these types");
    half = t.a == XG_SIM_EL_F16 || t.a == XG_SIM_EL_BF16;
    if (s->n < 4) xg_sim_operands(p, s, 4, 10);
    if (s->o[1].kind == XG_SIM_O_VEC) {
        t.flags |= XG_SIM_TF_AREG;
        xg_sim_tile_operand(p, s, 1, 4, t.a, false, &r);
    } else
        descriptor_a = xg_sim_source(p, s, 1, XG_SIM_B64);
    descriptor_b = xg_sim_source(p, s, 2, XG_SIM_B64);
    if (sparse) {
        if (s->n < 6) xg_sim_operands(p, s, 6, 12);
        r.codes[r.n++] = xg_sim_source(p, s, at++, XG_SIM_B32);
        t.selector = xg_sim_literal(p, s, at++, xg_sim_selectors(&t) - 1);
    }
    scale = xg_sim_source(p, s, at++, XG_SIM_PRED);
    n = at + (xg_sim_elems[t.a].real ? 2u : 0u) + (half ? (t.flags & XG_SIM_TF_AREG ? 1u : 2u) : 0u);
    xg_sim_operands(p, s, n, n);
    if (xg_sim_elems[t.a].real) {
        uint32_t k;
        for (k = 0; k < 2; k++, at++) {
            const xg_sim_operand *o = &s->o[at];
            if (o->kind != XG_SIM_O_NUM || (o->value != 1 && o->value != ~(uint64_t)0))
                XG_SIM_BAD(p, o->at, NULL, "a factor of an operand is 1 or -1");
            if (o->value != 1) t.flags |= k ? XG_SIM_TF_NEGB : XG_SIM_TF_NEGA;
        }
    }
    if (half && !(t.flags & XG_SIM_TF_AREG) && xg_sim_literal(p, s, at++, 1)) t.flags |= XG_SIM_TF_ACOL;
    if (half && xg_sim_literal(p, s, at, 1)) t.flags |= XG_SIM_TF_BROW;
    n = xg_sim_tile_regs(16 * t.n, t.d);
    xg_sim_tile_operand(p, s, 0, n, t.d, false, &r);
    xg_sim_tile_operand(p, s, 0, n, t.d, true, &r);
    in = xg_sim_put_tile(p, s, &r, n);
    xg_sim_tile_put(in, XG_SIM_T_WGMMA, &t);
    in->a = descriptor_a;
    in->b = descriptor_b;
    in->c = scale;
}
XG_FN void xg_sim_d_wgmma(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    (void)arg;
    if (xg_sim_take(s, "mma_async")) {
        xg_sim_wgmma_mma(p, s);
        return;
    }
    if (xg_sim_form(s, "fence|commit_group sync aligned"))
        xg_sim_operands(p, s, 0, 0);
    else if (xg_sim_form(s, "wait_group sync aligned")) {
        xg_sim_operands(p, s, 1, 1);
        xg_sim_literal(p, s, 0, 7);
    } else
        xg_sim_no_form(p, s);
    xg_sim_put(p, s, XG_SIM_K_TILE)->op = XG_SIM_T_WGSYNC;
}

#endif /* XG_SIM_DECODE_MATRIX_C */
/* sim/targets.c -- what a target has: shared memory of a block, and which instructions from which compute capability
 * on.
 *
 * XG_SIM_NEEDS is a list of facts of the PTX manual, each "an instruction of this name with these words among its
 * modifiers needs that target"; a bar separates words of which one is enough. All facts that fit an instruction hold.
 * feature 'a': only targets with a letter (sm_100a, sm_120f) have it; '=': only this one target, with its letter.
 * Instructions that the oldest supported assembler takes for every target need no row. */
#ifndef XG_SIM_TARGETS_C
#define XG_SIM_TARGETS_C

/* X(instruction, words, compute capability, feature) */
/* clang-format off */
#define XG_SIM_NEEDS(X) \
    X("add", "f16|f16x2", 53, 0) \
    X("sub", "f16|f16x2", 53, 0) \
    X("mul", "f16|f16x2", 53, 0) \
    X("fma", "f16|f16x2", 53, 0) \
    X("setp", "f16|f16x2", 53, 0) \
    X("set", "f16|f16x2", 53, 0) \
    X("add", "bf16|bf16x2", 90, 0) \
    X("sub", "bf16|bf16x2", 90, 0) \
    X("mul", "bf16|bf16x2", 90, 0) \
    X("fma", "bf16|bf16x2", 80, 0) \
    X("setp", "bf16|bf16x2", 90, 0) \
    X("set", "bf16|bf16x2", 90, 0) \
    X("add", "f32x2", 100, 0) \
    X("sub", "f32x2", 100, 0) \
    X("mul", "f32x2", 100, 0) \
    X("fma", "f32x2", 100, 0) \
    X("fma", "relu", 80, 0) \
    X("min", "f16|f16x2|bf16|bf16x2", 80, 0) \
    X("max", "f16|f16x2|bf16|bf16x2", 80, 0) \
    X("min", "NaN", 80, 0) \
    X("max", "NaN", 80, 0) \
    X("min", "xorsign", 86, 0) \
    X("max", "xorsign", 86, 0) \
    X("min", "u16x2|s16x2", 90, 0) \
    X("max", "u16x2|s16x2", 90, 0) \
    X("add", "u16x2|s16x2", 90, 0) \
    X("abs", "bf16|bf16x2", 80, 0) \
    X("neg", "bf16|bf16x2", 80, 0) \
    X("tanh", "f32|f16|f16x2", 75, 0) \
    X("tanh", "bf16|bf16x2", 90, 0) \
    X("ex2", "f16|f16x2", 75, 0) \
    X("ex2", "bf16|bf16x2", 90, 0) \
    X("cvt", "bf16|bf16x2|tf32|relu", 80, 0) \
    X("cvt", "e4m3x2|e5m2x2", 89, 0) \
    X("cvt", "e2m1x2|e2m3x2|e3m2x2|ue8m0x2", 100, 'a') \
    X("match", "sync", 70, 0) \
    X("redux", "sync", 80, 0) \
    X("redux", "f32", 100, 'a') \
    X("elect", "sync", 90, 0) \
    X("nanosleep", "", 70, 0) \
    X("bmsk", "", 70, 0) \
    X("szext", "", 70, 0) \
    X("dp4a", "", 61, 0) \
    X("dp2a", "", 61, 0) \
    X("ld", "relaxed|acquire", 70, 0) \
    X("st", "relaxed|release", 70, 0) \
    X("fence", "", 70, 0) \
    X("ld", "L2::cache_hint", 80, 0) \
    X("st", "L2::cache_hint", 80, 0) \
    X("createpolicy", "", 80, 0) \
    X("discard", "", 80, 0) \
    X("applypriority", "", 80, 0) \
    X("ld", "v8", 100, 0) \
    X("st", "v8", 100, 0) \
    X("ld", "b128", 70, 0) \
    X("st", "b128", 70, 0) \
    X("st", "async", 90, 0) \
    X("st", "bulk", 100, 0) \
    X("red", "async", 90, 0) \
    X("ld", "shared::cluster", 90, 0) \
    X("st", "shared::cluster", 90, 0) \
    X("atom", "f16", 70, 0) \
    X("red", "f16", 70, 0) \
    X("atom", "f16x2|f64", 60, 0) \
    X("red", "f16x2|f64", 60, 0) \
    X("atom", "bf16|bf16x2", 90, 0) \
    X("red", "bf16|bf16x2", 90, 0) \
    X("atom", "v2|v4|v8|b128|shared::cluster|cluster", 90, 0) \
    X("red", "v2|v4|v8|cluster", 90, 0) \
    X("cp", "async", 80, 0) \
    X("cp", "bulk", 90, 0) \
    X("mbarrier", "", 80, 0) \
    X("mbarrier", "try_wait|expect_tx|complete_tx|cluster|shared::cluster", 90, 0) \
    X("mapa", "", 90, 0) \
    X("getctarank", "", 90, 0) \
    X("barrier", "cluster", 90, 0) \
    X("fence", "async|mbarrier_init|cluster", 90, 0) \
    X("ld", "cluster", 90, 0) \
    X("st", "cluster", 90, 0) \
    X("griddepcontrol", "", 90, 0) \
    X("tensormap", "replace", 90, 'a') \
    X("tensormap", "cp_fenceproxy", 90, 0) \
    X("setmaxnreg", "", 90, 'a') \
    X("wgmma", "", 90, '=') \
    X("isspacep", "shared::cluster", 90, 0) \
    X("ldmatrix", "", 75, 0) \
    X("stmatrix", "", 90, 0) \
    X("movmatrix", "", 75, 0) \
    X("wmma", "", 70, 0) \
    X("wmma", "bf16|tf32|f64", 80, 0) \
    X("wmma", "s8|u8|s4|u4|b1", 75, 0) \
    X("mma", "m8n8k4", 70, 0) \
    X("mma", "m16n8k8|m8n8k16|m8n8k32|m8n8k128", 75, 0) \
    X("mma", "m16n8k4|m16n8k16|m16n8k32|m16n8k64|m16n8k128|m16n8k256|f64|bf16|tf32|sp", 80, 0) \
    X("mma", "e4m3|e5m2", 89, 0)
/* clang-format on */

typedef struct xg_sim_need {
    const char *op, *words;
    uint16_t cc;
    char feature;
} xg_sim_need;
static const xg_sim_need xg_sim_needs[] = {
#define X(op, words, cc, feature) {op, words, cc, feature},
    XG_SIM_NEEDS(X)
#undef X
};

/* Does a fact fit the instruction? *word becomes the modifier that makes it so, empty when every modifier does. */
XG_FN bool xg_sim_need_fits(const xg_sim_need *n, const xg_sim_stmt *s, xg_str *word) {
    const char *p = n->words;
    uint32_t i;
    *word = xg_str_of("", 0);
    if (!xg_str_is(s->op, n->op)) return false;
    if (!*p) return true;
    while (*p) {
        size_t len = strcspn(p, "|");
        for (i = 0; i < s->n_mods; i++)
            if (s->mods[i].n == len && memcmp(s->mods[i].p, p, len) == 0) {
                *word = s->mods[i];
                return true;
            }
        p += len + (p[len] == '|');
    }
    return false;
}
/* "sm_90a" is 90 and 'a'; a name that is none is the newest target. */
XG_FN uint32_t xg_sim_target_number(xg_str name, char *letter) {
    uint32_t n = 0;
    size_t i = 3;
    *letter = 0;
    if (!xg_sim_prefix(name, "sm_")) return 9999;
    for (; i < name.n && xg_sim_is_digit(name.p[i]) && n < 1000; i++) n = n * 10 + (uint32_t)(name.p[i] - '0');
    if (i < name.n) *letter = name.p[i];
    return n ? n : 9999;
}
XG_FN bool xg_sim_target_letter(xg_str name) {
    char letter;
    xg_sim_target_number(name, &letter);
    return letter != 0;
}
XG_FN void xg_sim_need_check(xg_sim_asm *p, const xg_sim_stmt *s) {
    size_t i;
    char letter;
    uint32_t cc = xg_sim_target_number(p->m->target, &letter);
    xg_str word;
    for (i = 0; i < XG_COUNT(xg_sim_needs); i++) {
        const xg_sim_need *n = &xg_sim_needs[i];
        if (!xg_sim_need_fits(n, s, &word) ||
            (cc >= n->cc && (!n->feature || letter) && (n->feature != '=' || cc == n->cc)))
            continue;
        XG_SIM_UNSUPPORTED(p, s->at, NULL, "the target %.*s lacks '%.*s%s%.*s', which needs sm_%u%s",
            (int)p->m->target.n, p->m->target.p, (int)s->op.n, s->op.p, word.n ? "." : "", (int)word.n, word.p,
            (uint32_t)n->cc,
            n->feature == '=' ? "a and no other"
            : n->feature      ? "a or a later one with a letter"
                              : " or a later one");
    }
}

enum {
    XG_SIM_STATIC_SHARED = 49152
}; /* bytes, on every target without a letter */
/* Bytes of shared memory that a block of the target may have. */
XG_FN uint32_t xg_sim_target_shared(xg_str name) {
    char letter;
    uint32_t cc = xg_sim_target_number(name, &letter);
    if (cc < 70) return 49152;
    if (cc < 75) return 98304;
    if (cc < 80) return 65536;
    if (cc == 80 || cc == 87 || cc == 88) return 166912;
    if (cc < 90 || (cc >= 120 && cc < 9999)) return 101376;
    return 232448;
}

#endif /* XG_SIM_TARGETS_C */
/* sim/rows.c -- the table of all mnemonics.
 *
 * To add an instruction: a row of XG_SIM_ROWS, a decoder in one of the decoding files (arithmetic: decode.c, convert.c;
 * memory, branches, warps: control.c; copies and memory barriers: decode_async.c; tiles of matrices: decode_matrix.c),
 * and a function in lanes.c/scalar.c or a case of a kind in memory.c, warp.c, async.c or matrix.c. Nothing else knows
 * mnemonics. */
#ifndef XG_SIM_ROWS_C
#define XG_SIM_ROWS_C

/* ---- all mnemonics: R(text, decoder, argument) ---- */

/* clang-format off */
#define XG_SIM_ROWS(R) \
    R("add", add, XG_SIM_BT_add) \
    R("sub", add, XG_SIM_BT_sub) \
    R("addc", add, 1000 + XG_SIM_BT_add) \
    R("subc", add, 1000 + XG_SIM_BT_sub) \
    R("mul", mul, 0) \
    R("mad", mad, 0) \
    R("fma", mad, 1) \
    R("madc", mad, 2) \
    R("mul24", mul24, 0) \
    R("mad24", mul24, 1) \
    R("div", div, XG_SIM_BT_div) \
    R("rcp", div, XG_SIM_BT_rcp) \
    R("sqrt", div, XG_SIM_BT_sqrt) \
    R("rem", plain, XG_SIM_BT_rem) \
    R("rsqrt", approx, XG_F(rsqrt_f32)) \
    R("ex2", approx, XG_F(ex2_f32)) \
    R("lg2", approx, XG_F(lg2_f32)) \
    R("sin", approx, XG_F(sin_f32)) \
    R("cos", approx, XG_F(cos_f32)) \
    R("tanh", approx, XG_F(tanh_f32)) \
    R("abs", plain, XG_SIM_BT_abs) \
    R("neg", plain, XG_SIM_BT_neg) \
    R("and", plain, XG_SIM_BT_and) \
    R("or", plain, XG_SIM_BT_or) \
    R("xor", plain, XG_SIM_BT_xor) \
    R("not", plain, XG_SIM_BT_not) \
    R("cnot", plain, XG_SIM_BT_cnot) \
    R("copysign", plain, XG_SIM_BT_copysign) \
    R("min", minmax, XG_SIM_BT_min) \
    R("max", minmax, XG_SIM_BT_max) \
    R("shl", shift, XG_SIM_BT_shl) \
    R("shr", shift, XG_SIM_BT_shr) \
    R("popc", count, XG_SIM_BIT_popc) \
    R("clz", count, XG_SIM_BIT_clz) \
    R("brev", count, XG_SIM_BIT_brev) \
    R("bfind", count, XG_SIM_BIT_bfind) \
    R("bfe", field, XG_SIM_BIT_bfe) \
    R("bfi", field, XG_SIM_BIT_bfi) \
    R("prmt", three, XG_SIM_BIT_prmt) \
    R("shf", three, XG_SIM_BIT_shf) \
    R("dp4a", three, XG_SIM_BIT_dp4a) \
    R("dp2a", three, XG_SIM_BIT_dp2a) \
    R("fns", three, XG_SIM_BIT_fns) \
    R("lop3", lop3, 0) \
    R("sad", sad, 0) \
    R("bmsk", mask, XG_SIM_BIT_bmsk) \
    R("szext", mask, XG_SIM_BIT_szext) \
    R("testp", testp, 0) \
    R("setp", setp, 0) \
    R("set", set, 0) \
    R("selp", selp, 0) \
    R("slct", selp, 1) \
    R("mov", mov, 0) \
    R("cvt", cvt, 0) \
    R("cvta", cvta, 0) \
    R("isspacep", cvta, 1) \
    R("ld", access, 0) \
    R("ldu", access, 0) \
    R("st", access, 1) \
    R("atom", atom, 0) \
    R("red", atom, 1) \
    R("cp", cp, 0) \
    R("prefetch", hint, 0) \
    R("prefetchu", hint, 0) \
    R("applypriority", hint, 0) \
    R("discard", hint, 0) \
    R("membar", hint, 0) \
    R("fence", hint, 0) \
    R("griddepcontrol", hint, 0) \
    R("nanosleep", hint, 0) \
    R("pmevent", hint, 0) \
    R("ldmatrix", ldmatrix, 0) \
    R("stmatrix", ldmatrix, 1) \
    R("movmatrix", movmatrix, 0) \
    R("mma", mma, 0) \
    R("wmma", wmma, 0) \
    R("wgmma", wgmma, 0) \
    R("vadd", video, XG_SIM_V_ADD) \
    R("vsub", video, XG_SIM_V_SUB) \
    R("vabsdiff", video, XG_SIM_V_ABSDIFF) \
    R("vmin", video, XG_SIM_V_MIN) \
    R("vmax", video, XG_SIM_V_MAX) \
    R("vset", video, XG_SIM_V_SET) \
    R("vshl", video, XG_SIM_V_SHL) \
    R("vshr", video, XG_SIM_V_SHR) \
    R("vmad", video, XG_SIM_V_MAD) \
    R("vadd2", videos, XG_SIM_V_ADD) \
    R("vsub2", videos, XG_SIM_V_SUB) \
    R("vavrg2", videos, XG_SIM_V_AVRG) \
    R("vabsdiff2", videos, XG_SIM_V_ABSDIFF) \
    R("vmin2", videos, XG_SIM_V_MIN) \
    R("vmax2", videos, XG_SIM_V_MAX) \
    R("vset2", videos, XG_SIM_V_SET) \
    R("vadd4", videos, 16 + XG_SIM_V_ADD) \
    R("vsub4", videos, 16 + XG_SIM_V_SUB) \
    R("vavrg4", videos, 16 + XG_SIM_V_AVRG) \
    R("vabsdiff4", videos, 16 + XG_SIM_V_ABSDIFF) \
    R("vmin4", videos, 16 + XG_SIM_V_MIN) \
    R("vmax4", videos, 16 + XG_SIM_V_MAX) \
    R("vset4", videos, 16 + XG_SIM_V_SET) \
    R("tex", refused, 0) \
    R("tld4", refused, 0) \
    R("txq", refused, 0) \
    R("istypep", refused, 0) \
    R("suld", refused, 0) \
    R("sust", refused, 0) \
    R("sured", refused, 0) \
    R("suq", refused, 0) \
    R("tcgen05", refused, 1) \
    R("multimem", refused, 2) \
    R("stacksave", refused, 3) \
    R("stackrestore", refused, 3) \
    R("alloca", refused, 3) \
    R("clusterlaunchcontrol", refused, 4) \
    R("setmaxnreg", hint, 0) \
    R("createpolicy", policy, 0) \
    R("mbarrier", mbarrier, 0) \
    R("mapa", mapa, 0) \
    R("getctarank", mapa, 1) \
    R("tensormap", tensormap, 0) \
    R("bra", bra, 0) \
    R("brx", brx, 0) \
    R("call", call, 0) \
    R("ret", exit, XG_SIM_K_BRA) \
    R("exit", exit, XG_SIM_K_EXIT) \
    R("trap", exit, XG_SIM_K_TRAP) \
    R("brkpt", exit, XG_SIM_K_TRAP) \
    R("bar", bar, 0) \
    R("barrier", bar, 1) \
    R("shfl", shfl, 0) \
    R("vote", vote, 0) \
    R("match", match, 0) \
    R("redux", redux, 0) \
    R("activemask", active, 0) \
    R("elect", active, 1)
/* clang-format on */

#define xg_sim_d_access xg_sim_access
typedef struct xg_sim_row {
    const char *text;
    void (*decode)(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg);
    uint32_t arg;
} xg_sim_row;
static const xg_sim_row xg_sim_rows[] = {
#define R(text, decoder, arg) {text, xg_sim_d_##decoder, arg},
    XG_SIM_ROWS(R)
#undef R
};
#undef xg_sim_d_access
XG_FN const char *xg_sim_row_name(const void *user, size_t i) {
    (void)user;
    return i < XG_COUNT(xg_sim_rows) ? xg_sim_rows[i].text : NULL;
}

XG_FN void xg_sim_decode(xg_sim_asm *p, xg_sim_stmt *s) {
    const xg_sim_row *row = (const xg_sim_row *)xg_dict_get(&p->rows, s->op);
    uint32_t i;
    if (!row) {
        const char *near_name = xg_nearest(s->op, xg_sim_row_name, NULL);
        char hint[64];
        if (near_name) xg_format(hint, sizeof hint, "did you mean '%s'?", near_name);
        XG_SIM_UNSUPPORTED(p, s->at, near_name ? hint : NULL, "the instruction '%.*s' is not known",
            (int)XG_MIN(s->op.n, 60u), s->op.p);
    }
    row->decode(p, s, row->arg);
    if (xg_str_is(s->op, "mov") || xg_str_is(s->op, "selp"))
        for (i = s->first; i < p->code.n; i++)
            if (p->code.p[i].kind == XG_SIM_K_ALU) p->code.p[i].flags |= XG_SIM_COPIES;
    for (i = 0; i < s->n_mods; i++)
        if (!(s->used >> i & 1))
            XG_SIM_UNSUPPORTED(p, s->mod_at[i], NULL,
                "the modifier '.%.*s' is not known here, or does not go with the others",
                (int)XG_MIN(s->mods[i].n, 60u), s->mods[i].p);
    xg_sim_need_check(p, s);
}

#endif /* XG_SIM_ROWS_C */
/* sim/defined.c -- registers that a thread may read before it has written them.
 *
 * An analysis finds the registers that some path leaves unwritten before a use (a guarded write does not count).
 * Compilers leave such paths when they know that the program never takes them, so only running tells. For each of these
 * registers, and no other, a predicate is added that says which lanes have written it: false at the function's start,
 * true before each write, asked (K_INIT) before each use. A mov or selp may carry an unwritten value along, as the
 * joints of SSA form do; an operand of which a constant selector takes nothing is not used (convert.c).
 *
 * The analysis takes 64 registers at a time, so that its sets are single words; registers whose mentions all lie in one
 * block behind an unguarded write are not looked at. Its work is bounded by XG_SIM_WATCH_WORK visits of a block;
 * registers beyond are not watched. */
#ifndef XG_SIM_DEFINED_C
#define XG_SIM_DEFINED_C
/* sim/graph.c -- a function as blocks and edges; which operands of a record are read and which are written. */
#ifndef XG_SIM_GRAPH_C
#define XG_SIM_GRAPH_C

typedef struct xg_sim_block {
    uint32_t first, last, meet, n_next, next;
    bool join;
} xg_sim_block; /* next: its first edge */
typedef struct xg_sim_graph {
    xg_sim_block *b;
    uint32_t n, *edges, n_edges;
    uint32_t *of;             /* record - begin to block */
    uint32_t *from, *from_at; /* predecessors by block: from[from_at[i] .. from_at[i+1]) */
} xg_sim_graph;

XG_FN void xg_sim_resolve(xg_sim_asm *p) {
    uint32_t i;
    for (i = 0; i < p->fixes.n; i++) {
        xg_sim_fix *f = &p->fixes.p[i];
        xg_sim_sym *s = xg_sim_lookup_id(p, f->name, f->scope, 0);
        if (!s || s->kind != XG_SIM_SYM_LABEL) XG_SIM_BAD(p, f->at, NULL, "there is no such label in this function");
        if (f->list == XG_SIM_NOREG)
            p->code.p[f->record].imm = s->record;
        else
            p->list.p[f->list] = s->record;
    }
}

XG_FN bool xg_sim_ends_block(const xg_sim_ins *in) {
    return in->kind == XG_SIM_K_BRA || in->kind == XG_SIM_K_BRX || in->kind == XG_SIM_K_EXIT ||
           in->kind == XG_SIM_K_END || in->kind == XG_SIM_K_TRAP;
}

XG_FN void xg_sim_blocks(xg_sim_asm *p, xg_sim_graph *g) {
    uint32_t begin = p->f->begin, n = p->code.n - begin, i, k;
    char *leader = (char *)xg_alloc(&p->scratch, n + 1);
    leader[0] = leader[n - 1] = 1; /* END is a block of its own */
    for (i = 0; i < n; i++) {
        xg_sim_ins *in = &p->code.p[begin + i];
        if (in->kind == XG_SIM_K_BRA && in->op) in->imm = begin + n - 1;
        if (in->kind == XG_SIM_K_BRA) leader[in->imm - begin] = 1;
        if (in->kind == XG_SIM_K_BRX)
            for (k = 0; k < in->n; k++) leader[p->list.p[in->list + k] - begin] = 1;
        if (xg_sim_ends_block(in)) leader[i + 1] = 1;
    }
    g->of = XG_NEW_N(&p->scratch, uint32_t, n);
    for (i = 0; i < n; i++) {
        g->n += leader[i] != 0;
        g->of[i] = g->n - 1;
    }
    g->b = XG_NEW_N(&p->scratch, xg_sim_block, g->n);
    for (i = n; i-- > 0;) { g->b[g->of[i]].first = begin + i; }
    for (i = 0; i < n; i++) g->b[g->of[i]].last = begin + i;
}

XG_FN void xg_sim_edges(xg_sim_asm *p, xg_sim_graph *g) {
    XG_VEC(uint32_t) e = {NULL, 0, 0};
    uint32_t begin = p->f->begin, i, k;
    for (i = 0; i < g->n; i++) {
        xg_sim_ins *in = &p->code.p[g->b[i].last];
        bool falls = !xg_sim_ends_block(in) || (in->flags & XG_SIM_GUARDED);
        g->b[i].next = e.n;
        if (in->kind == XG_SIM_K_BRA) xg_push(&p->scratch, uint32_t, &e, g->of[in->imm - begin]);
        if (in->kind == XG_SIM_K_BRX)
            for (k = 0; k < in->n; k++) xg_push(&p->scratch, uint32_t, &e, g->of[p->list.p[in->list + k] - begin]);
        if (in->kind == XG_SIM_K_EXIT || in->kind == XG_SIM_K_TRAP) xg_push(&p->scratch, uint32_t, &e, g->n - 1);
        if (falls && i + 1 < g->n) xg_push(&p->scratch, uint32_t, &e, i + 1);
        g->b[i].n_next = e.n - g->b[i].next;
    }
    g->edges = e.p;
    g->n_edges = e.n;
    g->from_at = XG_NEW_N(&p->scratch, uint32_t, g->n + 2);
    g->from = XG_NEW_N(&p->scratch, uint32_t, e.n + 1);
    for (i = 0; i < e.n; i++) g->from_at[e.p[i] + 2]++;
    for (i = 2; i < g->n + 2; i++) g->from_at[i] += g->from_at[i - 1];
    for (i = 0; i < g->n; i++)
        for (k = 0; k < g->b[i].n_next; k++) g->from[g->from_at[e.p[g->b[i].next + k] + 1]++] = i;
}

/* ---- operands ---- */

/* How many of a record's list are sources; the rest are destinations. */
XG_FN uint32_t xg_sim_list_sources(const xg_sim_asm *p, const xg_sim_ins *in) {
    if (in->kind == XG_SIM_K_ST) return in->n;
    if (in->kind == XG_SIM_K_ATOM) return in->d2bytes;
    if (in->kind == XG_SIM_K_ASYNC || in->kind == XG_SIM_K_WAIT || in->kind == XG_SIM_K_TILE)
        return in->n - in->d2bytes;
    if (in->kind == XG_SIM_K_CALL) {
        const xg_sim_callsite *s = &p->sites.p[in->imm];
        uint32_t i, n = 0;
        for (i = 0; i < s->n_args; i++) n += p->copies.p[s->first_arg + i].reg;
        return n;
    }
    return 0;
}

#endif /* XG_SIM_GRAPH_C */

enum {
    XG_SIM_WATCH_WORK = 1 << 26
};

/* what: 0 a use, 1 a write under a guard, 2 a write */
typedef struct xg_sim_touch {
    uint32_t reg, record;
    uint8_t what;
} xg_sim_touch;
typedef XG_VEC(xg_sim_touch) xg_sim_touches;
typedef struct xg_sim_watch {
    uint32_t *first, *n; /* by register: its touches in `sorted` */
    xg_sim_touch *sorted;
    uint32_t *flag; /* by register: the predicate's operand code, 0 when it is not watched */
} xg_sim_watch;

XG_FN void xg_sim_touch_add(xg_sim_asm *p, xg_sim_touches *t, uint32_t code, uint32_t record, uint8_t what) {
    xg_sim_touch x;
    if (code == XG_SIM_NOREG || code & 1) return;
    x.reg = code >> 1;
    x.record = record;
    x.what = what;
    xg_push(&p->scratch, xg_sim_touch, t, x);
}
/* Sources first, then destinations. */
XG_FN void xg_sim_touches_of(xg_sim_asm *p, xg_sim_touches *t, uint32_t record) {
    const xg_sim_ins *in = &p->code.p[record];
    uint32_t sources = xg_sim_list_sources(p, in), k, n = in->kind == XG_SIM_K_BRX ? 0 : in->n;
    uint8_t write = in->flags & XG_SIM_GUARDED ? 1 : 2;
    xg_sim_touch_add(p, t, in->guard, record, 0);
    xg_sim_touch_add(p, t, in->c, record, 0); /* of a copy: what selp chooses by */
    if (!(in->kind == XG_SIM_K_ALU && in->flags & XG_SIM_COPIES)) {
        xg_sim_touch_add(p, t, in->a, record, 0);
        xg_sim_touch_add(p, t, in->b, record, 0);
        xg_sim_touch_add(p, t, in->e, record, 0);
        /* the old D is not used when its scale is false */
        if (in->kind == XG_SIM_K_TILE && (in->op & 255) == XG_SIM_T_WGMMA) sources -= in->d2bytes;
        for (k = 0; k < n && k < sources; k++) xg_sim_touch_add(p, t, p->list.p[in->list + k], record, 0);
    }
    for (k = sources; k < n; k++) xg_sim_touch_add(p, t, p->list.p[in->list + k], record, write);
    xg_sim_touch_add(p, t, in->d, record, write);
    xg_sim_touch_add(p, t, in->d2, record, write);
}

/* All touches sorted by register; in one register they keep the order of the text. */
XG_FN void xg_sim_touches_sort(xg_sim_asm *p, xg_sim_watch *w) {
    xg_sim_touches t = {NULL, 0, 0};
    uint32_t i, sum = 0, *at;
    for (i = p->f->begin; i < p->code.n; i++) xg_sim_touches_of(p, &t, i);
    w->first = XG_NEW_N(&p->scratch, uint32_t, p->vregs.n + 1);
    w->n = XG_NEW_N(&p->scratch, uint32_t, p->vregs.n + 1);
    w->sorted = XG_NEW_N(&p->scratch, xg_sim_touch, t.n + 1);
    at = XG_NEW_N(&p->scratch, uint32_t, p->vregs.n + 1);
    for (i = 0; i < t.n; i++) w->n[t.p[i].reg]++;
    for (i = 0; i < p->vregs.n; i++) {
        w->first[i] = at[i] = sum;
        sum += w->n[i];
    }
    for (i = 0; i < t.n; i++) w->sorted[at[t.p[i].reg]++] = t.p[i];
}
XG_FN bool xg_sim_plainly_defined(const xg_sim_asm *p, const xg_sim_graph *g, const xg_sim_watch *w, uint32_t reg) {
    const xg_sim_touch *t = w->sorted + w->first[reg];
    uint32_t n = w->n[reg], i, begin = p->f->begin, uses = 0;
    for (i = 0; i < n; i++) uses += t[i].what == 0;
    if (!uses) return true;
    if (t[0].what != 2) return false;
    return g->of[t[0].record - begin] == g->of[t[n - 1].record - begin] ||
           g->of[t[0].record - begin] == 0; /* the first block comes before all others */
}

/* For up to 64 registers: a bit for each that is used where it may be unwritten. Adds to *work. */
XG_FN uint64_t xg_sim_undefined_of(xg_sim_asm *p, const xg_sim_graph *g, const xg_sim_watch *w, const uint32_t *regs,
    uint32_t n, uint64_t args, uint64_t *in, uint64_t *gen, uint64_t *work) {
    uint32_t begin = p->f->begin, i, k;
    uint64_t bad = 0;
    bool moved = true;
    for (i = 0; i < g->n; i++) {
        in[i] = ~(uint64_t)0;
        gen[i] = 0;
    }
    for (k = 0; k < n; k++)
        for (i = 0; i < w->n[regs[k]]; i++) {
            const xg_sim_touch *t = &w->sorted[w->first[regs[k]] + i];
            if (t->what == 2) gen[g->of[t->record - begin]] |= (uint64_t)1 << k;
        }
    in[0] = args;
    while (moved && *work < XG_SIM_WATCH_WORK) {
        moved = false;
        for (i = 0; i < g->n; i++) {
            uint64_t out = in[i] | gen[i];
            for (k = 0; k < g->b[i].n_next; k++) {
                uint64_t *to = &in[g->edges[g->b[i].next + k]];
                if (*to & ~out) {
                    *to &= out;
                    moved = true;
                }
            }
        }
        *work += g->n;
    }
    if (moved) return 0;
    for (k = 0; k < n; k++) {
        const xg_sim_touch *t = w->sorted + w->first[regs[k]];
        uint32_t block = XG_SIM_NOREG;
        bool have = false;
        for (i = 0; i < w->n[regs[k]]; i++) {
            if (g->of[t[i].record - begin] != block) {
                block = g->of[t[i].record - begin];
                have = in[block] >> k & 1;
            }
            if (t[i].what == 2)
                have = true;
            else if (t[i].what == 0 && !have)
                bad |= (uint64_t)1 << k;
        }
    }
    return bad;
}

XG_FN bool xg_sim_is_argument(const xg_sim_asm *p, uint32_t reg) {
    uint32_t i;
    for (i = 0; i < p->f->n_args; i++)
        if (p->f->args[i].reg && p->f->args[i].at == reg) return true;
    return false;
}
/* Gives a predicate to each register that needs watching; how many. */
XG_FN uint32_t xg_sim_watched(xg_sim_asm *p, const xg_sim_graph *g, xg_sim_watch *w) {
    uint32_t regs[64], n = 0, i, k, found = 0, all = p->vregs.n;
    uint64_t *sets = XG_NEW_N(&p->scratch, uint64_t, xg_mul(p->c, g->n, 2)), args = 0, work = 0;
    w->flag = XG_NEW_N(&p->scratch, uint32_t, all + 1);
    for (i = 0; i <= all && work < XG_SIM_WATCH_WORK; i++) {
        if (i < all && (!w->n[i] || xg_sim_plainly_defined(p, g, w, i))) continue;
        if (i < all) {
            if (xg_sim_is_argument(p, i)) args |= (uint64_t)1 << n;
            regs[n++] = i;
        }
        if (n && (n == 64 || i == all)) {
            uint64_t bad = xg_sim_undefined_of(p, g, w, regs, n, args, sets, sets + g->n, &work);
            for (k = 0; k < n; k++)
                if (bad >> k & 1) {
                    w->flag[regs[k]] = xg_sim_new_reg(p, 4) << 1;
                    found++;
                }
            n = 0;
            args = 0;
        }
    }
    return found;
}

/* ---- putting the records in ---- */

XG_FN void xg_sim_insert(xg_sim_asm *p, const xg_sim_ins *beside, xg_sim_kind kind, uint32_t flag, uint32_t value,
    uint32_t reg, bool guarded) {
    xg_sim_ins in;
    memset(&in, 0, sizeof in);
    in.kind = (uint8_t)kind;
    in.d = in.d2 = in.a = in.b = in.c = in.e = in.list = in.guard = XG_SIM_NOREG;
    in.at = beside->at;
    if (guarded) {
        in.flags = beside->flags & (XG_SIM_GUARDED | XG_SIM_NOT);
        in.guard = beside->guard;
    }
    if (kind == XG_SIM_K_ALU) {
        in.op = XG_SIM_F_mov_b32;
        in.d = flag;
        in.a = value;
    } else {
        in.a = flag;
        in.imm = p->vregs.p[reg].name;
    }
    xg_push(&p->scratch, xg_sim_ins, &p->code, in);
}
XG_FN void xg_sim_insert_around(
    xg_sim_asm *p, const xg_sim_watch *w, const xg_sim_ins *in, const xg_sim_touches *t, uint32_t first, uint32_t yes) {
    uint32_t i;
    for (i = first; i < t->n; i++)
        if (t->p[i].what == 0 && w->flag[t->p[i].reg])
            xg_sim_insert(p, in, XG_SIM_K_INIT, w->flag[t->p[i].reg], 0, t->p[i].reg, t->p[i].reg << 1 != in->guard);
    for (i = first; i < t->n; i++)
        if (t->p[i].what != 0 && w->flag[t->p[i].reg])
            xg_sim_insert(p, in, XG_SIM_K_ALU, w->flag[t->p[i].reg], yes, t->p[i].reg, true);
}
/* True when records were put in: blocks and edges are to be found again. */
XG_FN bool xg_sim_watch_registers(xg_sim_asm *p, const xg_sim_graph *g) {
    uint32_t begin = p->f->begin, n = p->code.n - begin, i, k, *moved, no, yes, all = p->vregs.n;
    xg_sim_ins *old;
    xg_sim_watch w;
    xg_sim_touches *t;
    uint32_t *from;
    memset(&w, 0, sizeof w);
    xg_sim_touches_sort(p, &w);
    if (!xg_sim_watched(p, g, &w)) return false;
    no = xg_sim_constant(p, 0, 4);
    yes = xg_sim_constant(p, 0xFFFFFFFFu, 4);
    t = XG_NEW(&p->scratch, xg_sim_touches);
    from = XG_NEW_N(&p->scratch, uint32_t, n + 1);
    for (i = 0; i < n; i++) {
        from[i] = t->n;
        xg_sim_touches_of(p, t, begin + i);
    }
    from[n] = t->n;
    old = XG_NEW_N(&p->scratch, xg_sim_ins, n);
    moved = XG_NEW_N(&p->scratch, uint32_t, n);
    memcpy(old, p->code.p + begin, (size_t)n * sizeof *old);
    p->code.n = begin;
    for (k = 0; k < all; k++)
        if (w.flag[k])
            xg_sim_insert(p, &old[0], XG_SIM_K_ALU, w.flag[k], xg_sim_is_argument(p, k) ? yes : no, k, false);
    for (i = 0; i < n; i++) {
        xg_sim_touches some = *t;
        moved[i] = p->code.n;
        some.n = from[i + 1];
        xg_sim_insert_around(p, &w, &old[i], &some, from[i], yes);
        xg_push(&p->scratch, xg_sim_ins, &p->code, old[i]);
    }
    for (i = begin; i < p->code.n; i++) {
        xg_sim_ins *in = &p->code.p[i];
        if (in->kind == XG_SIM_K_BRA) in->imm = moved[in->imm - begin];
        if (in->kind == XG_SIM_K_BRX)
            for (k = 0; k < in->n; k++) p->list.p[in->list + k] = moved[p->list.p[in->list + k] - begin];
    }
    return true;
}

#endif /* XG_SIM_DEFINED_C */
/* sim/shadow.c -- who wrote and who read each word of memory: reads of what nobody has written, and data races.
 *
 * The idea. The time of a launch is cut into intervals. A block begins one when it starts, at every barrier that opens,
 * and whenever one of its warps executes a fence, an acquire or a release or finds a memory barrier's phase complete.
 * No two blocks share an interval, so its number says which launch, which block and which time between two barriers an
 * access belongs to. Each 4-byte word has two tags, of its last writer and its last reader: interval, warp, and which
 * part of the word. In global memory lines of 64 bytes that one access covers share their words' tags. Two accesses to
 * a word, one of them a write that
 * changes it, race when
 *   - they are of two warps of a block in the same interval, or
 *   - they are of two blocks of a launch, and the later block has executed no fence so far.
 *
 * Laws
 * - No false alarm: where two tags would be needed (several readers, two halves of a word) the tag says "several" or
 *   "mixed", and a race that is only possible is not reported. The lanes of a warp count as ordered. Atomics and
 *   volatile, relaxed, acquire and release accesses never race.
 * - A worker draws intervals in batches, so that workers need not meet; a block that cannot go on without a gap is not
 *   looked at further.
 * - Numbers are 22 bits wide. When half of them are spent, the next launch that finds itself alone sweeps all tags. */
#ifndef XG_SIM_SHADOW_C
#define XG_SIM_SHADOW_C
/* sim/classes.c -- how often each record ran, and what that makes for each class of instructions.
 *
 * Rows of records that whole warps execute are counted at their two ends only: one more from here, one less from there;
 * what each record ran follows when the run is over. Partly active and guarded ones are counted one by one. A record's
 * class is read off the PTX text. */
#ifndef XG_SIM_CLASSES_C
#define XG_SIM_CLASSES_C
/* sim/worker.c -- what a worker is, the registry of device memory, faults.
 *
 * Each worker remembers the buffer of its last access. A fault stops the worker; the others stop at their next
 * block. */
#ifndef XG_SIM_WORKER_C
#define XG_SIM_WORKER_C
/* sim/flow.c -- the end of a function: where paths meet again, registers to slots.
 *
 * Paths that part at a branch meet at the branch's immediate post-dominator; there a JOIN record is put in, the only
 * place where the executor looks at its stack of paths. Dominators are found on the reversed graph with Lengauer and
 * Tarjan's algorithm, in O(n log n) whatever the graph. Blocks that never reach the end (endless loops) meet at the END
 * record.
 *
 * A slot may be shared by registers whose lives do not overlap. A life is a range of record positions: [first, last]
 * mention, widened to whole loops (merged ranges of backward branches) unless the register lives inside one block and
 * is written there first without a guard. Suspended lanes never see another register in their slot, because writes
 * touch active lanes only. */
#ifndef XG_SIM_FLOW_C
#define XG_SIM_FLOW_C

/* ---- immediate post-dominators ---- */

typedef struct xg_sim_lt {
    uint32_t *semi, *vertex, *parent, *ancestor, *label, *idom, *bucket, *bucket_next, *stack;
} xg_sim_lt;

XG_FN uint32_t xg_sim_lt_eval(xg_sim_lt *t, uint32_t v) {
    uint32_t n = 0, u = v;
    if (t->ancestor[v] == XG_SIM_NOREG) return t->label[v];
    while (t->ancestor[t->ancestor[u]] != XG_SIM_NOREG) {
        t->stack[n++] = u;
        u = t->ancestor[u];
    }
    while (n > 0) {
        u = t->stack[--n];
        if (t->semi[t->label[t->ancestor[u]]] < t->semi[t->label[u]]) t->label[u] = t->label[t->ancestor[u]];
        t->ancestor[u] = t->ancestor[t->ancestor[u]];
    }
    return t->label[v];
}

/* Numbers the blocks that reach END in depth-first order of the reversed graph; returns how many. */
XG_FN uint32_t xg_sim_lt_number(xg_sim_lt *t, const xg_sim_graph *g, uint32_t *edge) {
    uint32_t n = 0, depth = 0, v = g->n - 1;
    t->semi[v] = n;
    t->vertex[n++] = v;
    t->stack[depth++] = v;
    edge[v] = g->from_at[v];
    while (depth) {
        v = t->stack[depth - 1];
        if (edge[v] == g->from_at[v + 1]) {
            depth--;
            continue;
        }
        {
            uint32_t w = g->from[edge[v]++];
            if (t->semi[w] != XG_SIM_NOREG) continue;
            t->semi[w] = n;
            t->vertex[n++] = w;
            t->parent[w] = v;
            edge[w] = g->from_at[w];
            t->stack[depth++] = w;
        }
    }
    return n;
}

XG_FN void xg_sim_meets(xg_sim_asm *p, xg_sim_graph *g) {
    xg_sim_lt t;
    uint32_t *mem = XG_NEW_N(&p->scratch, uint32_t, xg_mul(p->c, g->n, 10)), i, k, n;
    memset(mem, 0xFF, (size_t)g->n * 10 * sizeof *mem);
    t.semi = mem;
    t.vertex = mem + g->n;
    t.parent = mem + 2 * (size_t)g->n;
    t.ancestor = mem + 3 * (size_t)g->n;
    t.label = mem + 4 * (size_t)g->n;
    t.idom = mem + 5 * (size_t)g->n;
    t.bucket = mem + 6 * (size_t)g->n;
    t.bucket_next = mem + 7 * (size_t)g->n;
    t.stack = mem + 8 * (size_t)g->n;
    for (i = 0; i < g->n; i++) t.label[i] = i;
    n = xg_sim_lt_number(&t, g, mem + 9 * (size_t)g->n);
    for (i = n; i-- > 1;) {
        uint32_t w = t.vertex[i], v;
        for (k = 0; k < g->b[w].n_next; k++) { /* the predecessors in the reversed graph */
            uint32_t e = g->edges[g->b[w].next + k], u;
            if (t.semi[e] == XG_SIM_NOREG) continue;
            u = xg_sim_lt_eval(&t, e);
            if (t.semi[u] < t.semi[w]) t.semi[w] = t.semi[u];
        }
        v = t.vertex[t.semi[w]];
        t.bucket_next[w] = t.bucket[v];
        t.bucket[v] = w;
        t.ancestor[w] = t.parent[w];
        for (v = t.bucket[t.parent[w]]; v != XG_SIM_NOREG; v = t.bucket_next[v]) {
            uint32_t u = xg_sim_lt_eval(&t, v);
            t.idom[v] = t.semi[u] < t.semi[v] ? u : t.parent[w];
        }
        t.bucket[t.parent[w]] = XG_SIM_NOREG;
    }
    for (i = 1; i < n; i++) {
        uint32_t w = t.vertex[i];
        if (t.idom[w] != t.vertex[t.semi[w]]) t.idom[w] = t.idom[t.idom[w]];
    }
    for (i = 0; i < g->n; i++) {
        const xg_sim_ins *in = &p->code.p[g->b[i].last];
        g->b[i].meet = t.idom[i] == XG_SIM_NOREG ? g->n - 1 : t.idom[i];
        if (((in->kind == XG_SIM_K_BRA && (in->flags & XG_SIM_GUARDED)) || in->kind == XG_SIM_K_BRX) &&
            g->b[i].meet != g->n - 1)
            g->b[g->b[i].meet].join = true;
    }
}

/* ---- registers to slots ---- */

XG_FN void xg_sim_mention(xg_sim_asm *p, uint32_t code, uint32_t at, uint32_t block, bool full_write) {
    xg_sim_vreg *v;
    if (code == XG_SIM_NOREG || code & 1) return;
    v = &p->vregs.p[code >> 1];
    if (v->first == XG_SIM_NOREG) {
        v->first = at;
        v->block = block;
        v->local = full_write;
    }
    if (v->block != block) v->local = 0;
    v->last = at;
}
XG_FN void xg_sim_mentions(xg_sim_asm *p, const xg_sim_graph *g) {
    uint32_t begin = p->f->begin, i, k;
    for (i = begin; i < p->code.n; i++) {
        const xg_sim_ins *in = &p->code.p[i];
        uint32_t block = g->of[i - begin], sources = xg_sim_list_sources(p, in);
        bool full = !(in->flags & XG_SIM_GUARDED);
        xg_sim_mention(p, in->guard, i, block, false);
        xg_sim_mention(p, in->a, i, block, false);
        xg_sim_mention(p, in->b, i, block, false);
        xg_sim_mention(p, in->c, i, block, false);
        xg_sim_mention(p, in->e, i, block, false);
        if (in->kind != XG_SIM_K_BRX)
            for (k = 0; k < in->n; k++) xg_sim_mention(p, p->list.p[in->list + k], i, block, k >= sources && full);
        xg_sim_mention(p, in->d, i, block, full);
        xg_sim_mention(p, in->d2, i, block, full);
    }
    for (i = 0; i < p->f->n_args; i++)
        if (p->f->args[i].reg) {
            xg_sim_vreg *v = &p->vregs.p[p->f->args[i].at];
            if (v->first == XG_SIM_NOREG) v->last = begin;
            v->first = begin;
            v->local = 0;
        }
    for (i = 0; i < p->f->n_rets; i++)
        if (p->f->rets[i].reg) {
            xg_sim_vreg *v = &p->vregs.p[p->f->rets[i].at];
            if (v->first == XG_SIM_NOREG) v->first = begin;
            v->last = p->code.n - 1;
            v->local = 0;
        }
}

/* Lives that touch a loop cover it: start and end are the bounds of the merged loop around a position, end 0
 * outside. */
XG_FN void xg_sim_widen(xg_sim_asm *p) {
    uint32_t begin = p->f->begin, n = p->code.n - begin, i, k, *reach = XG_NEW_N(&p->scratch, uint32_t, n),
             *start = XG_NEW_N(&p->scratch, uint32_t, n), *end = XG_NEW_N(&p->scratch, uint32_t, n);
    for (i = 0; i < n; i++) {
        const xg_sim_ins *in = &p->code.p[begin + i];
        uint32_t count = in->kind == XG_SIM_K_BRA ? 1 : in->kind == XG_SIM_K_BRX ? in->n : 0;
        for (k = 0; k < count; k++) {
            uint32_t to = (in->kind == XG_SIM_K_BRA ? in->imm : p->list.p[in->list + k]) - begin;
            if (to <= i && reach[to] < i + 1) reach[to] = i + 1;
        }
    }
    for (i = 0; i < n;) {
        uint32_t stop = reach[i], from = i;
        if (!stop) {
            i++;
            continue;
        }
        for (; i < stop; i++)
            if (reach[i] > stop) stop = reach[i];
        for (k = from; k < stop; k++) {
            start[k] = from;
            end[k] = stop;
        }
    }
    for (i = 0; i < p->vregs.n; i++) {
        xg_sim_vreg *v = &p->vregs.p[i];
        uint32_t first, last;
        if (v->first == XG_SIM_NOREG || v->local) continue;
        first = v->first - begin;
        last = v->last - begin;
        if (end[first]) v->first = begin + start[first];
        if (end[last]) v->last = begin + end[last] - 1;
    }
}

XG_FN void xg_sim_slots(xg_sim_asm *p) {
    uint32_t begin = p->f->begin, n = p->code.n - begin, i, c, frame = 0;
    uint32_t *starts = XG_NEW_N(&p->scratch, uint32_t, n), *ends = XG_NEW_N(&p->scratch, uint32_t, n), *next_start,
             *next_end, *free_list[4], free_n[4] = {0, 0, 0, 0};
    next_start = XG_NEW_N(&p->scratch, uint32_t, p->vregs.n + 1);
    next_end = XG_NEW_N(&p->scratch, uint32_t, p->vregs.n + 1);
    for (c = 0; c < 4; c++) free_list[c] = XG_NEW_N(&p->scratch, uint32_t, p->vregs.n + 1);
    for (i = p->vregs.n; i-- > 0;) { /* lists hold index + 1 */
        xg_sim_vreg *v = &p->vregs.p[i];
        if (v->first == XG_SIM_NOREG) continue;
        next_start[i] = starts[v->first - begin];
        starts[v->first - begin] = i + 1;
        next_end[i] = ends[v->last - begin];
        ends[v->last - begin] = i + 1;
    }
    for (i = 0; i < n; i++) {
        uint32_t k;
        /* Those that end here free their slot first: a record reads its sources before it writes. Not those that also
         * start here. */
        for (k = ends[i]; k; k = next_end[k - 1]) {
            xg_sim_vreg *v = &p->vregs.p[k - 1];
            if (v->first - begin == i) continue;
            c = xg_sim_log2(v->bytes);
            free_list[c][free_n[c]++] = v->slot;
        }
        for (k = starts[i]; k; k = next_start[k - 1]) {
            xg_sim_vreg *v = &p->vregs.p[k - 1];
            c = xg_sim_log2(v->bytes);
            if (free_n[c])
                v->slot = free_list[c][--free_n[c]];
            else {
                v->slot = frame;
                frame += v->bytes * XG_SIM_WARP;
            }
            if (frame > 1u << 28)
                xg_fail_at(p->c, XLAGPU_ERROR_LIMIT, p->src, p->f->at, NULL, "the function needs too many registers");
        }
        for (k = ends[i]; k; k = next_end[k - 1]) {
            xg_sim_vreg *v = &p->vregs.p[k - 1];
            if (v->first - begin != i) continue;
            c = xg_sim_log2(v->bytes);
            free_list[c][free_n[c]++] = v->slot;
        }
    }
    p->f->frame = (frame + 1023) / 512 * 512; /* never empty: unused operands point at its start */
}

/* ---- rewriting ---- */

XG_FN uint32_t xg_sim_offset(xg_sim_asm *p, uint32_t code) {
    if (code == XG_SIM_NOREG) return 0;
    if (!(code & 1)) return p->vregs.p[code >> 1].slot;
    return p->consts.p[code >> 1].offset | 1;
}

/* Copies the function's records with JOINs put in and every position and operand final. */
XG_FN void xg_sim_rewrite(xg_sim_asm *p, const xg_sim_graph *g) {
    uint32_t begin = p->f->begin, n = p->code.n - begin, i, k, joins = 0, *moved = XG_NEW_N(&p->scratch, uint32_t, n);
    xg_sim_ins *old = XG_NEW_N(&p->scratch, xg_sim_ins, n), join;
    memcpy(old, p->code.p + begin, (size_t)n * sizeof *old);
    for (i = 0; i < n; i++) {
        moved[i] = begin + i + joins;
        joins += g->b[g->of[i]].join && g->b[g->of[i]].first == begin + i;
    }
    p->code.n = begin;
    memset(&join, 0, sizeof join);
    join.kind = XG_SIM_K_JOIN;
    for (i = 0; i < n; i++) {
        xg_sim_ins in = old[i];
        const xg_sim_block *b = &g->b[g->of[i]];
        uint32_t meet = b->meet == g->n - 1 ? begin + n - 1 + joins : moved[g->b[b->meet].first - begin];
        if (b->join && b->first == begin + i) {
            join.at = in.at;
            xg_push(&p->scratch, xg_sim_ins, &p->code, join);
        }
        if (in.kind == XG_SIM_K_BRA || in.kind == XG_SIM_K_BRX) in.imm2 = meet;
        if (in.kind == XG_SIM_K_BRA) in.imm = moved[in.imm - begin];
        for (k = 0; k < in.n; k++)
            p->list.p[in.list + k] = in.kind == XG_SIM_K_BRX ? moved[p->list.p[in.list + k] - begin]
                                                             : xg_sim_offset(p, p->list.p[in.list + k]);
        if (in.kind == XG_SIM_K_ALU) {
            in.dbytes = (uint8_t)xg_sim_bytes_of(p, in.d);
            in.d2bytes = in.d2 == XG_SIM_NOREG ? 0 : 4;
            in.fn = xg_sim_fn_of(p->unit, (xg_sim_f)in.op);
        } else if (in.kind == XG_SIM_K_SREG || in.kind == XG_SIM_K_LOCAL || in.kind == XG_SIM_K_SPACE ||
                   (in.kind == XG_SIM_K_ASYNC && in.d != XG_SIM_NOREG))
            in.dbytes = (uint8_t)xg_sim_bytes_of(p, in.d);
        else if (in.kind == XG_SIM_K_WARP)
            in.d2bytes = in.d2 == XG_SIM_NOREG ? 0 : 4;
        /* The special-purpose kinds tell an operand that is not there from the first slot by these bits. */
        if (in.kind != XG_SIM_K_ALU && in.kind != XG_SIM_K_BRX)
            in.flags = (uint8_t)(in.flags | (in.b != XG_SIM_NOREG ? 16 : 0) | (in.c != XG_SIM_NOREG ? 32 : 0) |
                                 (in.e != XG_SIM_NOREG ? 64 : 0) | (in.d != XG_SIM_NOREG ? 128 : 0));
        in.guard = xg_sim_offset(p, in.guard);
        in.d = xg_sim_offset(p, in.d);
        in.d2 = xg_sim_offset(p, in.d2);
        in.a = xg_sim_offset(p, in.a);
        in.b = xg_sim_offset(p, in.b);
        in.c = xg_sim_offset(p, in.c);
        in.e = xg_sim_offset(p, in.e);
        xg_push(&p->scratch, xg_sim_ins, &p->code, in);
    }
}

XG_FN void xg_sim_place_constants(xg_sim_asm *p) {
    uint32_t i;
    for (i = p->consts_placed; i < p->consts.n; i++) {
        xg_sim_const *k = &p->consts.p[i];
        k->offset = p->m->const_bytes;
        if (p->m->const_bytes > 1u << 30) xg_fail(p->c, XLAGPU_ERROR_LIMIT, "the module has too many constants");
        p->m->const_bytes += k->bytes * XG_SIM_WARP;
    }
    p->consts_placed = p->consts.n;
}

XG_FN void xg_sim_function_end(xg_sim_asm *p) {
    xg_sim_graph g;
    xg_sim_func *f = p->f;
    xg_sim_ins end;
    uint32_t i;
    memset(&g, 0, sizeof g);
    memset(&end, 0, sizeof end);
    end.kind = XG_SIM_K_END;
    end.guard = end.d = end.d2 = end.a = end.b = end.c = end.e = end.list = XG_SIM_NOREG;
    end.at = p->t.at;
    xg_push(&p->scratch, xg_sim_ins, &p->code, end);
    for (i = f->begin; i < p->code.n; i++) f->info.instructions += (p->code.p[i].flags & XG_SIM_FIRST) != 0;
    xg_sim_resolve(p);
    xg_sim_blocks(p, &g);
    xg_sim_edges(p, &g);
    if (xg_sim_watch_registers(p, &g)) {
        memset(&g, 0, sizeof g);
        xg_sim_blocks(p, &g);
        xg_sim_edges(p, &g);
    }
    xg_sim_meets(p, &g);
    xg_sim_mentions(p, &g);
    xg_sim_widen(p);
    xg_sim_slots(p);
    xg_sim_place_constants(p);
    xg_sim_rewrite(p, &g);
    for (i = 0; i < f->n_args; i++)
        if (f->args[i].reg) f->args[i].at = p->vregs.p[f->args[i].at].slot;
    for (i = 0; i < f->n_rets; i++)
        if (f->rets[i].reg) f->rets[i].at = p->vregs.p[f->rets[i].at].slot;
    f->end = p->code.n - 1;
    f->local = (p->local + 15) / 16 * 16;
    f->n_calls = p->calls.n;
    f->calls = XG_NEW_N(p->a, uint32_t, p->calls.n + 1);
    if (p->calls.n) memcpy(f->calls, p->calls.p, p->calls.n * sizeof *f->calls);
}

#endif /* XG_SIM_FLOW_C */

typedef enum xg_sim_state {
    XG_SIM_READY,
    XG_SIM_AT_JOIN,
    XG_SIM_AT_BARRIER,
    XG_SIM_AT_EVENT /* async.c: executes its record again when something has happened */,
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
} xg_sim_frame;
enum {
    XG_SIM_PATHS = 72
};

typedef struct xg_sim_warp {
    uint32_t live, mask; /* lanes that have not exited; lanes that execute now */
    uint32_t pc, meet;   /* where the active lanes join the others (XG_SIM_NOREG at the bottom) */
    char *regs;
    const xg_sim_func *f;
    uint32_t local; /* where this frame's local memory begins in each thread's */
    uint32_t id, depth, n_paths, join;
    xg_sim_state state;
    uint32_t barrier, result; /* what it waits for; what the barrier computed */
    bool released;
    uint32_t parked;         /* lanes that stand at a barrier while other lanes of the warp are on their way */
    uint32_t turns;          /* one after the other that ended because it spun */
    bool impatient;          /* a wait of this warp shall end now, with "not yet" */
    bool in_cluster_barrier; /* it has arrived and not yet gone on */
    uint32_t cluster_phase;  /* the phase it arrived in */
    xg_sim_frame *frames;
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
    XG_SIM_FAULT_MAX = 1024,
    XG_SIM_RECENT = 64
};

/* What the blocks of a cluster share: who they are, which copies are under way. */
typedef struct xg_sim_flight xg_sim_flight;
typedef struct xg_sim_cluster {
    xg_sim_worker **peers; /* by rank; a block without cluster is its own */
    uint32_t n, phase;     /* blocks; the phase of barrier.cluster */
    bool used;             /* a warp has arrived at that one */
    uint32_t stalls;       /* how often in a row nobody could move without being told "not yet" */
    xg_sim_flight *flights;
    uint32_t n_flights;
} xg_sim_cluster;

/* shadow.c: a read of shared memory whose tag is not yet noted: of n words, each `step` bytes behind the one before,
 * the first at `at`; of the words behind `at` that have a bit in `step`; or of 32 lanes, whose distances are the row
 * `at` of read_rows. */
typedef enum xg_sim_readshape {
    XG_SIM_READ_STEPS,
    XG_SIM_READ_BITS,
    XG_SIM_READ_LANES,
    XG_SIM_READ_TILES
} xg_sim_readshape;
typedef struct xg_sim_read {
    uint32_t mine, at, step;
    uint16_t n;
    uint16_t shape;
} xg_sim_read;
enum {
    XG_SIM_READS_KEPT = 256,
    XG_SIM_READ_ROWS = 128 /* what the warps of a block read of tiles from barrier to barrier */
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

struct xg_sim_worker {
    xg_sim_launch *l;
    const xg_sim_module *m;
    xg_sim_warp *warps;
    xg_sim_group *groups;
    uint32_t n_groups;
    char *regs;
    char *shared, *shadow, *local, *params; /* shadow: an xg_sim_fresh per byte of shared memory */
    uint32_t *marks;                  /* of the words of shared memory: their writers, then their readers (shadow.c) */
    xg_sim_copy_thread *copy_threads; /* NULL when the module has no cp.async */
    xg_sim_copy_word *copy_words;
    uint32_t *tid;            /* of each warp: 32 x, 32 y, 32 z */
    char *scratch, *scratch2; /* results of partly active warps, before blending */
    xg_sim_cluster *cluster;
    uint32_t rank; /* in the cluster */
    uint32_t ctaid[3];
    uint64_t block, fuel_end, clock;
    int32_t quantum;
    bool polls; /* since it began, a warp has asked memory that others may change */
    /* intervals (shadow.c): the launch's first, the block's first, the current one; the rest of this worker's batch */
    uint32_t launch_tag, block_tag, tag, next_interval, last_interval, batch;
    bool tracked, fenced; /* races are looked for in global memory; the block has executed a fence */
    bool unchecked;       /* nobody asks the shadows */
    xg_sim_read *reads;   /* of the current interval of shared memory, up to XG_SIM_READS_KEPT */
    uint32_t (*read_rows)[XG_SIM_WARP];
    uint32_t n_reads, n_rows;
    bool readers; /* some word's tag of readers may be of this interval */
    /* intervals of shared memory, which no other worker counts: the block's first, the current one */
    uint32_t shared_block, shared_tag;
    xg_sim_buffer last;                         /* the buffer of the last access */
    const xg_sim_buffer *recent[XG_SIM_RECENT]; /* fast.c: by record, the buffer it reached last */
    xg_sim_recent recent_at[XG_SIM_RECENT];     /* ... and by record and group, where */
    xg_sim_barrier bars[XG_SIM_BARRIERS];
    uint32_t bars_used; /* where a warp has arrived, by bits */
    xg_sim_stats stats;
    xg_sim_runs *runs; /* of each record, and one more */
    bool faulted;
    char fault[XG_SIM_FAULT_MAX];
};

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
    xg_mem_free(m->ctx, m->p);
    m->p = NULL;
    m->n = m->cap = 0;
}
/* A shadow: the tags of writers and of readers of each line of 64 bytes, then of each word. NULL when there is no room:
 * then nobody looks. The words' are only looked at where the line's says so (shadow.c), and need not be cleared: most
 * of them are never touched. */
XG_FN uint64_t xg_sim_shadow_lines(const xg_sim_buffer *b) { return b->bytes / 64 + 1; }
XG_FN uint64_t xg_sim_shadow_bytes(const xg_sim_buffer *b) { return xg_sim_shadow_lines(b) * (8 + 128); }
XG_FN void xg_sim_shadow_make(xg_sim_memory *m, xg_sim_buffer *b) {
    uint64_t limit = m->shadow_limit ? m->shadow_limit : (uint64_t)1 << 30,
             bytes = b->bytes < limit ? xg_sim_shadow_bytes(b) : 0;
    b->shadow = NULL;
    if (!bytes || b->base % 4 || bytes > limit - XG_MIN(limit, m->shadow_bytes)) return;
    b->shadow = (uint32_t *)xg_mem_alloc(m->ctx, (size_t)bytes);
    if (!b->shadow) return;
    m->shadow_bytes += bytes;
    memset(b->shadow, 0, (size_t)xg_sim_shadow_lines(b) * 8);
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
XG_SIM_FN const xg_sim_buffer *xg_sim_memory_find(const xg_sim_memory *m, uint64_t address) {
    uint32_t at = m ? xg_sim_memory_after(m, address) : 0;
    return at && address - m->p[at - 1].base < m->p[at - 1].bytes ? &m->p[at - 1] : NULL;
}

/* ---- faults ---- */

XG_FN const char *xg_sim_fault_name(xg_sim_faultkind kind) {
    static const char *const names[XG_SIM_FAULT_COUNT] = {
#define X(name, text) text,
        XG_SIM_FAULTS(X)
#undef X
    };
    return names[kind];
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
    const uint32_t *t = w->tid + (size_t)v->id * 96;
    for (i = 0; i < in->at && i < s->size; i++)
        if (s->text[i] == '\n') {
            line++;
            start = i + 1;
        }
    for (end = start; end < s->size && s->text[end] != '\n' && end - start < 120; end++) {}
    while (start < end && (s->text[start] == ' ' || s->text[start] == '\t')) start++;
    n = xg_format(w->fault, sizeof w->fault,
        "%s:%zu: fault in kernel '%.*s', block (%u,%u,%u), thread (%u,%u,%u): %s\n    %.*s\n",
        s->name ? s->name : "ptx", line, (int)XG_MIN(w->l->entry->f.info.name.n, 100u), w->l->entry->f.info.name.p,
        w->ctaid[0], w->ctaid[1], w->ctaid[2], t[lane], t[32 + lane], t[64 + lane], xg_sim_fault_name(kind),
        (int)(end - start), s->text + start);
    return XG_MIN(n, sizeof w->fault - 1);
}
XG_FN void xg_sim_fault(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane,
    xg_sim_faultkind kind, const char *format, ...) XG_PRINTF(6, 7);
XG_FN void xg_sim_fault(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane,
    xg_sim_faultkind kind, const char *format, ...) {
    va_list args;
    size_t n;
    if (w->faulted) return;
    w->faulted = true;
    w->stats.faults++;
    xg_sim_stop(w->l);
    n = xg_sim_fault_head(w, v, in, lane, kind);
    va_start(args, format);
    xg_vformat(w->fault + n, sizeof w->fault - n, format, args);
    va_end(args);
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
    int i, k;
    lists[0] = w->l->memory;
    lists[1] = &w->m->globals;
    best = xg_sim_memory_find(lists[0], a) ? NULL : xg_sim_freed_find(lists[0], a);
    if (best) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_FREED,
            "%s of %u bytes at 0x%llX, offset %llu of buffer '%s' of %llu bytes, which has been freed", what, bytes,
            (unsigned long long)a, (unsigned long long)(a - best->base), best->name ? best->name : "?",
            (unsigned long long)best->bytes);
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
    if (a < best->base)
        xg_sim_fault(w, v, in, lane, kind, "%s of %u bytes at 0x%llX, %llu bytes before buffer '%s' of %llu bytes",
            what, bytes, (unsigned long long)a, (unsigned long long)(best->base - a), best->name ? best->name : "?",
            (unsigned long long)best->bytes);
    else
        xg_sim_fault(w, v, in, lane, kind, "%s of %u bytes at 0x%llX, offset %llu of buffer '%s' of %llu bytes", what,
            bytes, (unsigned long long)a, (unsigned long long)(a - best->base), best->name ? best->name : "?",
            (unsigned long long)best->bytes);
}

#endif /* XG_SIM_WORKER_C */

/* X(instruction, CLASS): those whose class does not follow from a type. */
/* clang-format off */
#define XG_SIM_CLASSED(X) \
    X("ex2", APPROXIMATION) \
    X("lg2", APPROXIMATION) \
    X("sin", APPROXIMATION) \
    X("cos", APPROXIMATION) \
    X("tanh", APPROXIMATION) \
    X("rsqrt", APPROXIMATION) \
    X("rcp", APPROXIMATION) \
    X("sqrt", APPROXIMATION) \
    X("cvt", CONVERSION) \
    X("cvta", CONVERSION) \
    X("mov", MOVE) \
    X("selp", MOVE) \
    X("slct", MOVE) \
    X("prmt", MOVE) \
    X("cp", GLOBAL) \
    X("atom", ATOMIC) \
    X("red", ATOMIC) \
    X("bra", CONTROL) \
    X("brx", CONTROL) \
    X("call", CONTROL) \
    X("ret", CONTROL) \
    X("exit", CONTROL) \
    X("trap", CONTROL) \
    X("nanosleep", CONTROL) \
    X("bar", BARRIER) \
    X("barrier", BARRIER) \
    X("membar", BARRIER) \
    X("fence", BARRIER) \
    X("mbarrier", BARRIER) \
    X("griddepcontrol", BARRIER) \
    X("shfl", WARP) \
    X("vote", WARP) \
    X("match", WARP) \
    X("redux", WARP) \
    X("activemask", WARP) \
    X("elect", WARP) \
    X("mma", TENSOR) \
    X("wmma", TENSOR) \
    X("wgmma", TENSOR) \
    X("ldmatrix", SHARED) \
    X("stmatrix", SHARED) \
    X("movmatrix", WARP)
/* clang-format on */

typedef struct xg_sim_classed {
    const char *text;
    uint8_t cls;
} xg_sim_classed;
static const xg_sim_classed xg_sim_classes[] = {
#define X(text, name) {text, XLAGPU_CLASS_##name},
    XG_SIM_CLASSED(X)
#undef X
};

/* The class of the statement at an offset of the text, "add.rn.f32 ...". */
XG_FN uint8_t xg_sim_class_of(const xg_source *s, uint32_t at) {
    size_t end = at, i, from;
    xg_str op, word;
    bool memory;
    uint8_t cls = XLAGPU_CLASS_INTEGER;
    while (end < s->size && xg_sim_is_word(s->text[end])) end++;
    op = xg_str_of(s->text + at, end - at);
    for (i = 0; i < XG_COUNT(xg_sim_classes); i++)
        if (xg_str_is(op, xg_sim_classes[i].text)) return xg_sim_classes[i].cls;
    memory = xg_str_is(op, "ld") || xg_str_is(op, "ldu") || xg_str_is(op, "st");
    if (memory) cls = XLAGPU_CLASS_GLOBAL;
    while (end < s->size && s->text[end] == '.') { /* its modifiers */
        for (from = ++end; end < s->size && (xg_sim_is_word(s->text[end]) || s->text[end] == ':'); end++) {}
        word = xg_str_of(s->text + from, end - from);
        if (memory) {
            if (xg_sim_prefix(word, "shared")) return XLAGPU_CLASS_SHARED;
            if (xg_str_is(word, "local") || xg_str_is(word, "const") || xg_sim_prefix(word, "param"))
                return XLAGPU_CLASS_OTHER_MEMORY;
        } else if (xg_str_is(word, "f32") || xg_str_is(word, "f32x2"))
            cls = XLAGPU_CLASS_F32;
        else if (xg_str_is(word, "f64"))
            cls = XLAGPU_CLASS_F64;
        else if (xg_sim_prefix(word, "f16") || xg_sim_prefix(word, "bf16"))
            cls = XLAGPU_CLASS_HALF;
    }
    return cls;
}

/* What a worker's records ran, into its counters; the marks begin anew. */
XG_FN void xg_sim_fold_classes(xg_sim_worker *w, xg_sim_stats *to) {
    const xg_sim_module *m = w->m;
    uint64_t whole = 0;
    uint32_t i;
    for (i = 0; i < m->n_code; i++) {
        xg_sim_runs *r = &w->runs[i];
        whole += r->whole; /* a difference: it may wrap on the way */
        if (m->code[i].flags & XG_SIM_FIRST) {
            to->class_warps[m->classes[i]] += whole + r->warps;
            to->class_lanes[m->classes[i]] += whole * XG_SIM_WARP + r->lanes;
        }
        memset(r, 0, sizeof *r);
    }
    memset(&w->runs[i], 0, sizeof *w->runs);
}
XG_INLINE void xg_sim_ran(xg_sim_worker *w, uint32_t from, uint32_t to, uint32_t warps) {
    w->runs[from].whole += warps;
    w->runs[to].whole -= warps;
}

#endif /* XG_SIM_CLASSES_C */

/* A tag: interval << 9 | flags | part << 5 | warp. As a writer, 0 is nobody and OLD is the host. */
enum {
    XG_SIM_TAG_OLD = 1,
    XG_SIM_TAG_PART = 5,
    XG_SIM_TAG_SEVERAL = 1 << 7 /* warps of the block */,
    XG_SIM_TAG_FOREIGN = 1 << 8 /* also other blocks */,
    XG_SIM_TAG_INTERVAL = 9,
    XG_SIM_INTERVALS = 1 << 22
};
typedef enum xg_sim_wordpart {
    XG_SIM_PART_ALL,
    XG_SIM_PART_LOW,
    XG_SIM_PART_HIGH,
    XG_SIM_PART_MIXED
} xg_sim_wordpart;
/* A byte of shared memory: nobody wrote it, somebody did, a bulk copy is about to; it is part of a memory barrier; it
 * is written and a copy is about to read it; a thread's cp.async has been issued (copies.c). */
typedef enum xg_sim_fresh {
    XG_SIM_UNWRITTEN,
    XG_SIM_WRITTEN,
    XG_SIM_PENDING,
    XG_SIM_MBARRIER,
    XG_SIM_LENT,
    XG_SIM_COPYING,
    XG_SIM_COPIED /* only as an answer of copies.c */
} xg_sim_fresh;
/* With the tag of a writer of a word of shared memory: its bytes have states of their own. Without it all are written
 * or, where the tag is from before the block, none is. Such a tag is larger than all others, so that whoever looks at
 * many at once looks closer. */
#define XG_SIM_TAG_BYTES 0x80000000u

#if XG_SIM_ATOMICS
#define XG_SIM_COUNTER_ADD(p, n) __atomic_fetch_add(p, n, __ATOMIC_SEQ_CST)
#define XG_SIM_COUNTER_GET(p) __atomic_load_n(p, __ATOMIC_SEQ_CST)
#define XG_SIM_COUNTER_SET(p, x) __atomic_store_n(p, x, __ATOMIC_SEQ_CST)
XG_FN bool xg_sim_counter_swap(uint32_t *p, uint32_t from, uint32_t to) {
    return __atomic_compare_exchange_n(p, &from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
#else
#define XG_SIM_COUNTER_ADD(p, n) ((*(p) += (n)) - (n))
#define XG_SIM_COUNTER_GET(p) (*(p))
#define XG_SIM_COUNTER_SET(p, x) (*(p) = (x))
XG_FN bool xg_sim_counter_swap(uint32_t *p, uint32_t from, uint32_t to) {
    if (*p != from) return false;
    *p = to;
    return true;
}
#endif

/* Workers look at lines and words of one buffer at once. One of them splits a line, the others wait: whoever sees it
 * split sees its words filled in, and nobody fills them in again over what has been noted since. */
#if XG_SIM_ATOMICS
#define XG_SIM_LINE_GET(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define XG_SIM_LINE_SET(p, x) __atomic_store_n(p, x, __ATOMIC_RELEASE)
#else
#define XG_SIM_LINE_GET(p) (*(p))
#define XG_SIM_LINE_SET(p, x) (*(p) = (x))
#endif
enum {
    XG_SIM_LINE_WORDS = 16
};
#define XG_SIM_SPLIT_LINE 0xFFFFFFFFu /* the tag of a line whose words have their own */
#define XG_SIM_BUSY_LINE 0xFFFFFFFEu  /* ... are just being given theirs */

/* The parts of a buffer's shadow. The tags of a line stand side by side: line_w[2 * line] and line_r[2 * line]. */
typedef struct xg_sim_tags {
    uint32_t *line_w, *line_r, *w, *r;
} xg_sim_tags;
XG_FN xg_sim_tags xg_sim_tags_of(const xg_sim_buffer *b) {
    xg_sim_tags t;
    uint64_t lines = xg_sim_shadow_lines(b);
    t.line_w = b->shadow;
    t.line_r = t.line_w + 1;
    t.w = t.line_w + 2 * lines;
    t.r = t.w + lines * XG_SIM_LINE_WORDS;
    return t;
}
XG_RACY XG_FN uint32_t xg_sim_line_tag(const uint32_t *line) {
    uint32_t t;
    do t = XG_SIM_LINE_GET(line);
    while (t == XG_SIM_BUSY_LINE);
    return t;
}
XG_RACY XG_FN uint32_t xg_sim_tag_at(const uint32_t *lines, const uint32_t *words, uint64_t k) {
    uint32_t t = xg_sim_line_tag(&lines[2 * (k / XG_SIM_LINE_WORDS)]);
    return t == XG_SIM_SPLIT_LINE ? words[k] : t;
}
XG_RACY XG_FN void xg_sim_split(uint32_t *lines, uint32_t *words, uint64_t line) {
    uint32_t *tag = &lines[2 * line], t, i;
    do {
        t = xg_sim_line_tag(tag);
        if (t == XG_SIM_SPLIT_LINE) return;
    } while (!xg_sim_counter_swap(tag, t, XG_SIM_BUSY_LINE));
    for (i = 0; i < XG_SIM_LINE_WORDS; i++) words[line * XG_SIM_LINE_WORDS + i] = t;
    XG_SIM_LINE_SET(tag, XG_SIM_SPLIT_LINE);
}

/* ---- launches and intervals ---- */

XG_FN void xg_sim_sweep(const xg_sim_memory *m) {
    uint32_t i, k;
    for (i = 0; i < m->n; i++) {
        uint64_t lines = xg_sim_shadow_lines(&m->p[i]), l;
        xg_sim_tags t = xg_sim_tags_of(&m->p[i]);
        for (l = 0; m->p[i].shadow && l < lines; l++) {
            uint32_t *w = t.w + l * XG_SIM_LINE_WORDS;
            if (t.line_w[2 * l] != XG_SIM_SPLIT_LINE)
                t.line_w[2 * l] = t.line_w[2 * l] ? (uint32_t)XG_SIM_TAG_OLD : 0u;
            else
                for (k = 0; k < XG_SIM_LINE_WORDS; k++) w[k] = w[k] ? (uint32_t)XG_SIM_TAG_OLD : 0u;
            t.line_r[2 * l] = 0;
        }
    }
}
/* Once for each sweep of the memory: no launch is under way then that has not been here. */
XG_FN void xg_sim_sweep_globals(const xg_sim_module *m, uint32_t sweeps) {
    const uint32_t busy = 0xFFFFFFFFu;
    uint32_t s;
    while ((s = XG_SIM_COUNTER_GET(m->swept)) != sweeps) {
        if (s == busy || !xg_sim_counter_swap(m->swept, s, busy)) continue;
        xg_sim_sweep(&m->globals);
        XG_SIM_COUNTER_SET(m->swept, sweeps);
    }
}
XG_SIM_FN void xg_sim_begin(xg_sim_launch *l) {
    xg_sim_memory *m = l->memory;
    const uint32_t sweeping = 0xFFFFFFFFu;
    uint32_t n;
    l->first_interval = 0;
    if (!m || l->unchecked_races) return;
    for (;;) {
        n = XG_SIM_COUNTER_GET(&m->running);
        if (n == sweeping) continue;
        if (n || XG_SIM_COUNTER_GET(&m->interval) < XG_SIM_INTERVALS / 2) {
            if (xg_sim_counter_swap(&m->running, n, n + 1)) break;
        } else if (xg_sim_counter_swap(&m->running, 0, sweeping)) {
            xg_sim_sweep(m);
            m->sweeps++;
            XG_SIM_COUNTER_SET(&m->interval, 0);
            XG_SIM_COUNTER_SET(&m->running, 1);
            break;
        }
    }
    xg_sim_sweep_globals(l->module, m->sweeps);
    n = XG_SIM_COUNTER_ADD(&m->interval, 1);
    if (n < XG_SIM_INTERVALS - 1)
        l->first_interval = n + 1;
    else
        XG_SIM_COUNTER_SET(&m->interval, XG_SIM_INTERVALS);
}
XG_SIM_FN void xg_sim_end(xg_sim_launch *l) {
    if (l->memory && !l->unchecked_races) (void)XG_SIM_COUNTER_ADD(&l->memory->running, 0xFFFFFFFFu);
}

/* A new batch; true when it follows the old one without a gap. */
XG_FN bool xg_sim_batch(xg_sim_worker *w) {
    uint32_t at = XG_SIM_COUNTER_GET(&w->l->memory->interval), end = w->last_interval;
    w->batch = w->batch ? XG_MIN(w->batch * 2, 65536u) : 64;
    /* spent: the rest of the launch goes unseen */
    if (at >= XG_SIM_INTERVALS - w->batch) {
        w->tracked = false;
        return false;
    }
    at = XG_SIM_COUNTER_ADD(&w->l->memory->interval, w->batch);
    w->last_interval = XG_MIN(at + w->batch, (uint32_t)XG_SIM_INTERVALS);
    if (at != end) w->next_interval = at;
    if (w->next_interval >= w->last_interval) w->tracked = false;
    return at == end;
}
/* Shared memory is each worker's own, and so is its time. When its numbers are spent, all that is known is that words
 * are written. */
XG_FN void xg_sim_shared_next(xg_sim_worker *w) {
    uint32_t words = w->l->shared_bytes / 4 + 1, k;
    if (!w->l->shared_bytes) return;
    w->n_reads = w->n_rows = 0; /* what was read before the barrier races with nothing after it */
    w->readers = false;
    w->shared_tag += 1u << XG_SIM_TAG_INTERVAL;
    if (w->shared_tag < (uint32_t)(XG_SIM_INTERVALS - 2) << XG_SIM_TAG_INTERVAL) return;
    for (k = 0; k < words; k++) {
        uint32_t tag = w->marks[k] & ~XG_SIM_TAG_BYTES;
        w->marks[k] = tag < w->shared_block ? 0u : (1u << XG_SIM_TAG_INTERVAL) | (w->marks[k] & XG_SIM_TAG_BYTES);
        w->marks[words + k] = 0;
    }
    w->shared_block = 1u << XG_SIM_TAG_INTERVAL;
    w->shared_tag = 2u << XG_SIM_TAG_INTERVAL;
}
XG_FN void xg_sim_interval_block(xg_sim_worker *w) { /* a block starts */
    xg_sim_shared_next(w);
    w->shared_block = w->shared_tag;
    w->fenced = false;
    w->tracked = w->l->first_interval != 0;
    if (!w->tracked) return;
    if (w->next_interval + 8 > w->last_interval) xg_sim_batch(w);
    if (w->tracked) w->block_tag = w->tag = w->next_interval++ << XG_SIM_TAG_INTERVAL;
}
XG_FN void xg_sim_interval_next(xg_sim_worker *w) {
    xg_sim_shared_next(w);
    if (!w->tracked) return;
    if (w->next_interval >= w->last_interval && !xg_sim_batch(w)) {
        w->tracked = false;
        return;
    }
    if (w->tracked) w->tag = w->next_interval++ << XG_SIM_TAG_INTERVAL;
}
XG_FN void xg_sim_synchronised(xg_sim_worker *w) {
    w->fenced = true;
    xg_sim_interval_next(w);
} /* a fence, an acquire, a release */

/* ---- what the host does ---- */

/* The writers of words [k, k + n) of one line of d become those of s from `from` on, or the host when s is NULL. */
XG_RACY XG_FN void xg_sim_written_words(
    const xg_sim_buffer *d, uint64_t k, uint32_t n, const xg_sim_buffer *s, uint64_t from) {
    xg_sim_tags to = xg_sim_tags_of(d), old;
    uint32_t tags[XG_SIM_LINE_WORDS], i, same = 0;
    memset(&old, 0, sizeof old);
    if (s) old = xg_sim_tags_of(s);
    for (i = 0; i < n; i++) {
        tags[i] = !s || xg_sim_tag_at(old.line_w, old.w, from + i) ? (uint32_t)XG_SIM_TAG_OLD : 0u;
        same += tags[i] == tags[0];
    }
    if (n == XG_SIM_LINE_WORDS && same == n) {
        to.line_w[2 * (k / XG_SIM_LINE_WORDS)] = tags[0];
        return;
    }
    xg_sim_split(to.line_w, to.w, k / XG_SIM_LINE_WORDS);
    for (i = 0; i < n; i++) to.w[k + i] = tags[i];
}
XG_SIM_FN void xg_sim_memory_written(xg_sim_memory *m, uint64_t to, uint64_t bytes, uint64_t from) {
    const xg_sim_buffer *d = xg_sim_memory_find(m, to), *s = from ? xg_sim_memory_find(m, from) : NULL;
    uint64_t first, last, line, source = 0;
    if (!d || !d->shadow || !bytes) return;
    first = (to - d->base) / 4;
    last = XG_MIN(to - d->base + (bytes - 1), d->bytes - 1) / 4;
    if (!s || !s->shadow || to % 4 != from % 4)
        s = NULL;
    else {
        source = (from - s->base) / 4;
        last = XG_MIN(last, first + (s->bytes - 1) / 4 - source);
    }
    for (line = 0; line <= last / XG_SIM_LINE_WORDS - first / XG_SIM_LINE_WORDS;
         line++) { /* as memmove: they may overlap */
        uint64_t l = s && to > from ? last / XG_SIM_LINE_WORDS - line : first / XG_SIM_LINE_WORDS + line;
        uint64_t k = XG_MAX(first, l * XG_SIM_LINE_WORDS),
                 end = XG_MIN(last, l * XG_SIM_LINE_WORDS + XG_SIM_LINE_WORDS - 1);
        if (!s && end - k == XG_SIM_LINE_WORDS - 1)
            d->shadow[2 * l] = XG_SIM_TAG_OLD;
        else
            xg_sim_written_words(d, k, (uint32_t)(end - k + 1), s, source + (k - first));
    }
}

/* ---- words ---- */

typedef enum xg_sim_clashkind {
    XG_SIM_CLASH_NONE,
    XG_SIM_CLASH_UNWRITTEN,
    XG_SIM_CLASH_WRITE,
    XG_SIM_CLASH_READ
} xg_sim_clashkind;
typedef struct xg_sim_clash {
    uint64_t at;
    uint32_t tag;
    xg_sim_clashkind kind;
} xg_sim_clash; /* at: a byte; tag: the other access */
/* A piece of memory with the tags of its lines' and words' writers and readers (r NULL: nobody may write here). Tags
 * below floor do not matter any more; the block's are from block on, the interval's from tag on (0: time stands still).
 * A word whose writer is below least counts as unwritten when it is read. */
typedef struct xg_sim_marks {
    uint32_t *w, *r, *line_w /* NULL: there are no lines */, *line_r, floor, block, tag, least;
    bool races, fenced;
} xg_sim_marks;

XG_FN bool xg_sim_overlap(uint32_t tag, xg_sim_wordpart part) {
    xg_sim_wordpart other = (xg_sim_wordpart)(tag >> XG_SIM_TAG_PART & 3);
    return other != XG_SIM_PART_MIXED && part != XG_SIM_PART_MIXED &&
           (other == XG_SIM_PART_ALL || part == XG_SIM_PART_ALL || other == part);
}
/* Does an access of mine race with that of an earlier tag? */
XG_FN bool xg_sim_races(const xg_sim_marks *m, uint32_t tag, uint32_t mine, xg_sim_wordpart part) {
    if (tag < m->floor || !xg_sim_overlap(tag, part)) return false;
    if (tag < m->block || tag >= m->tag + (1u << XG_SIM_TAG_INTERVAL) || tag & XG_SIM_TAG_FOREIGN) {
        if (!m->fenced) return true;
        if (!(tag & XG_SIM_TAG_FOREIGN)) return false;
    }
    return !((tag ^ m->tag) >> XG_SIM_TAG_INTERVAL) && ((tag & XG_SIM_TAG_SEVERAL) || ((tag ^ mine) & 31));
}
XG_FN uint32_t xg_sim_with_part(uint32_t tag, xg_sim_wordpart part) { return tag | (uint32_t)part << XG_SIM_TAG_PART; }
/* The reader's tag after one more read. */
XG_FN uint32_t xg_sim_read_tag(const xg_sim_marks *m, uint32_t tag, uint32_t mine, xg_sim_wordpart part) {
    xg_sim_wordpart old = (xg_sim_wordpart)(tag >> XG_SIM_TAG_PART & 3), both = old == part ? part : XG_SIM_PART_MIXED;
    bool foreign;
    if (tag < m->floor) return xg_sim_with_part(mine, part);
    foreign = tag < m->block || tag >= m->tag + (1u << XG_SIM_TAG_INTERVAL) || tag & XG_SIM_TAG_FOREIGN;
    if (foreign)
        return xg_sim_with_part(mine | XG_SIM_TAG_FOREIGN, both) |
               (tag >= m->tag && !((tag ^ m->tag) >> XG_SIM_TAG_INTERVAL) &&
                           ((tag & XG_SIM_TAG_SEVERAL) || ((tag ^ mine) & 31))
                       ? (uint32_t)XG_SIM_TAG_SEVERAL
                       : 0u);
    if (tag < m->tag) return xg_sim_with_part(mine, part);
    if ((tag & XG_SIM_TAG_SEVERAL) || ((tag ^ mine) & 31))
        return xg_sim_with_part(m->tag | 31 | XG_SIM_TAG_SEVERAL, both); /* whoever reads next makes the same of it */
    return xg_sim_with_part(mine, old == part || part == XG_SIM_PART_MIXED ? old
                                  : part == XG_SIM_PART_ALL || old == XG_SIM_PART_ALL || old + part == 3
                                      ? XG_SIM_PART_ALL
                                      : part);
}
XG_FN uint32_t xg_sim_write_tag(const xg_sim_marks *m, uint32_t tag, uint32_t mine, xg_sim_wordpart part) {
    xg_sim_wordpart old = (xg_sim_wordpart)(tag >> XG_SIM_TAG_PART & 3);
    if (tag >= m->tag && !((tag ^ mine) & 31))
        part = old == part ? part : old + part == 3 || part == XG_SIM_PART_ALL ? XG_SIM_PART_ALL : old;
    else if (tag >= m->floor && old != part && part != XG_SIM_PART_ALL)
        part = XG_SIM_PART_MIXED;
    return xg_sim_with_part(mine, part);
}

/* One word; false when it clashes, and then nothing is noted. */
XG_RACY XG_FN bool xg_sim_track_word(
    const xg_sim_marks *m, uint64_t k, uint32_t mine, xg_sim_wordpart part, bool write, xg_sim_clash *out) {
    uint32_t bytes = m->line_w ? 0 : m->w[k] & XG_SIM_TAG_BYTES, wt = m->w[k] & ~bytes, rt = m->r ? m->r[k] : 0;
    out->at = k * 4 + (part == XG_SIM_PART_HIGH ? 2 : 0);
    if (!write && wt < m->least) {
        out->kind = XG_SIM_CLASH_UNWRITTEN;
        out->tag = 0;
        return false;
    }
    if (m->races) {
        if (xg_sim_races(m, wt, mine, part)) {
            out->kind = XG_SIM_CLASH_WRITE;
            out->tag = wt;
            return false;
        }
        if (write && xg_sim_races(m, rt, mine, part)) {
            out->kind = XG_SIM_CLASH_READ;
            out->tag = rt;
            return false;
        }
    }
    if (!write) {
        if (m->r && m->races) m->r[k] = xg_sim_read_tag(m, rt, mine, part);
    } else
        m->w[k] = m->tag ? xg_sim_write_tag(m, wt, mine, part) | bytes
                         : (uint32_t)XG_SIM_TAG_OLD; /* bytes: whoever wrote all of them has taken it away */
    return true;
}

/* ---- whole words, many at once ---- */

/* A tag that no access of mine races with: of the block's earlier intervals, or my own. */
XG_INLINE bool xg_sim_tag_mine(const xg_sim_marks *m, uint32_t tag, uint32_t mine) {
    return (tag - m->block < m->tag - m->block && !(tag & XG_SIM_TAG_FOREIGN)) || tag == mine;
}
/* The tags p[0..n) all from before the launch, from the block's past, or mine: nothing to race with. Tags of writers
 * are never FOREIGN, nor are any of shared memory. */
XG_RACY XG_FN bool xg_sim_tags_calm(const xg_sim_moves *v, const xg_sim_marks *m, const uint32_t *p, size_t n,
    uint32_t least, uint32_t mine, bool foreign) {
    uint32_t first = p[0];
    if (first < m->floor) return least < m->floor && v->within(p, n, least, m->floor);
    if (first == mine || foreign) return xg_sim_tag_mine(m, first, mine) && v->within(p, n, first, first + 1);
    return v->within(p, n, m->block, m->races ? m->tag : 0x7FFFFFFFu);
}
/* n whole words side by side, a multiple of 4; false when one of them needs a closer look, and then nothing is
 * noted. */
XG_RACY XG_FN bool xg_sim_track_quads(
    const xg_sim_moves *v, const xg_sim_marks *m, uint64_t k, size_t n, uint32_t mine, bool write) {
    uint32_t first = m->r ? m->r[k] : 0, *w = m->w + k, *r = m->r + k;
    bool foreign = m->floor != m->block;
    if (!m->tag) {
        if (!write) return v->within(w, n, m->least, 0x7FFFFFFFu);
        v->fill(w, n, XG_SIM_TAG_OLD);
        return true;
    }
    if (!xg_sim_tags_calm(v, m, w, n, write ? 0 : m->least, mine, false)) return false;
    if (!m->r) return !write;
    if (write) {
        if (m->races && !xg_sim_tags_calm(v, m, r, n, 0, mine, foreign)) return false;
        v->fill(w, n, mine);
    } else if (!m->races)
        return true;
    else if (first < m->floor ? v->within(r, n, 0, m->floor) : !foreign && first < m->tag && v->within(r, n, 0, m->tag))
        v->fill(r, n, mine);
    else if (v->within(r, n, first, first + 1)) {
        if (first != mine) v->fill(r, n, xg_sim_read_tag(m, first, mine, XG_SIM_PART_ALL));
    } else
        return false;
    return true;
}
/* n whole words, few, from k on; the same promise. */
XG_RACY XG_FN bool xg_sim_track_few(const xg_sim_marks *m, uint64_t k, size_t n, uint32_t mine, bool write) {
    size_t i;
    if (!m->tag || !m->races || !m->r) return false;
    for (i = 0; i < n; i++) {
        const uint32_t wt = m->w[k + i], rt = m->r[k + i];
        if (!(wt < m->floor || xg_sim_tag_mine(m, wt, mine)) || (!write && wt < m->least) ||
            (write && !(rt < m->floor || xg_sim_tag_mine(m, rt, mine))))
            return false;
    }
    for (i = 0; i < n; i++)
        if (write)
            m->w[k + i] = mine;
        else
            m->r[k + i] = xg_sim_read_tag(m, m->r[k + i], mine, XG_SIM_PART_ALL);
    return true;
}
/* A line; the same promise. Words that become all alike are a line again. */
XG_RACY XG_FN bool xg_sim_track_line(
    const xg_sim_moves *v, const xg_sim_marks *m, uint64_t line, uint32_t mine, bool write) {
    uint64_t k = line * XG_SIM_LINE_WORDS;
    uint32_t wt = xg_sim_line_tag(&m->line_w[2 * line]), rt = m->r ? xg_sim_line_tag(&m->line_r[2 * line]) : 0, next;
    if (wt == XG_SIM_SPLIT_LINE || rt == XG_SIM_SPLIT_LINE) {
        xg_sim_split(m->line_w, m->w, line);
        if (m->r) xg_sim_split(m->line_r, m->r, line);
        if (!xg_sim_track_quads(v, m, k, XG_SIM_LINE_WORDS, mine, write)) return false;
        if (write)
            XG_SIM_LINE_SET(&m->line_w[2 * line], m->w[k]);
        else if (m->r && m->races && m->tag)
            XG_SIM_LINE_SET(&m->line_r[2 * line], m->r[k]);
        return true;
    }
    if (!m->tag) {
        if (write) XG_SIM_LINE_SET(&m->line_w[2 * line], (uint32_t)XG_SIM_TAG_OLD);
        return write || wt >= m->least;
    }
    if (!(wt < m->floor || xg_sim_tag_mine(m, wt, mine)) || (!write && wt < m->least)) return false;
    if (!m->r) return !write;
    if (write) {
        if (m->races && !(rt < m->floor || xg_sim_tag_mine(m, rt, mine))) return false;
        if (wt != mine) XG_SIM_LINE_SET(&m->line_w[2 * line], mine);
    } else if (m->races) {
        next = xg_sim_read_tag(m, rt, mine, XG_SIM_PART_ALL);
        if (next != rt) XG_SIM_LINE_SET(&m->line_r[2 * line], next);
    }
    return true;
}

/* The words of 32 lanes, `off` bytes into the piece; the same promise. */
XG_RACY XG_FN void xg_sim_tags_put(uint32_t *tags, const uint32_t *off, uint32_t tag) {
    uint32_t i;
    for (i = 0; i < XG_SIM_WARP; i++) tags[off[i] / 4] = tag;
}
XG_RACY XG_FN bool xg_sim_track_lanes(
    const xg_sim_moves *v, const xg_sim_marks *m, const uint32_t *off, uint32_t mine, bool write) {
    uint32_t t[XG_SIM_WARP], i, next, line = XG_SIM_NOREG;
    bool foreign = m->floor != m->block;
    if (!m->tag || !m->races || !m->r) return false;
    for (i = 0; i < XG_SIM_WARP && m->line_w; i++) {
        if (off[i] / 64 == line) continue;
        line = off[i] / 64;
        xg_sim_split(m->line_w, m->w, line);
        xg_sim_split(m->line_r, m->r, line);
    }
    v->gather((char *)t, (const char *)m->w, off);
    if (!xg_sim_tags_calm(v, m, t, XG_SIM_WARP, write ? 0 : m->least, mine, false)) return false;
    v->gather((char *)t, (const char *)m->r, off);
    if (write) {
        if (!xg_sim_tags_calm(v, m, t, XG_SIM_WARP, 0, mine, foreign)) return false;
        xg_sim_tags_put(m->w, off, mine);
    } else if (v->within(t, XG_SIM_WARP, 0, foreign ? m->floor : m->tag))
        xg_sim_tags_put(m->r, off, mine);
    else if (v->within(t, XG_SIM_WARP, t[0], t[0] + 1)) {
        next = xg_sim_read_tag(m, t[0], mine, XG_SIM_PART_ALL);
        if (next != t[0]) xg_sim_tags_put(m->r, off, next);
    } else
        for (i = 0; i < XG_SIM_WARP; i++) m->r[off[i] / 4] = xg_sim_read_tag(m, t[i], mine, XG_SIM_PART_ALL);
    return true;
}

/* ---- shared memory ---- */

XG_FN xg_sim_marks xg_sim_marks_here(const xg_sim_worker *w) {
    xg_sim_marks m;
    m.line_w = m.line_r = NULL;
    m.w = w->marks;
    m.r = w->marks + w->l->shared_bytes / 4 + 1;
    m.floor = m.block = w->shared_block; /* what earlier blocks left here is gone */
    m.tag = w->shared_tag;
    m.least = w->l->unchecked_shared ? 0 : m.block;
    m.races = !w->l->unchecked_races;
    m.fenced = false;
    return m;
}
/* The readers' tags of n words side by side, a multiple of 4, after one more read. */
XG_FN void xg_sim_note_words(const xg_sim_worker *w, const xg_sim_marks *m, uint64_t k, uint32_t n, uint32_t mine) {
    uint32_t i;
    if (xg_sim_track_quads(w->m->moves, m, k, n, mine, false)) return;
    for (i = 0; i < n; i++) m->r[k + i] = xg_sim_read_tag(m, m->r[k + i], mine, XG_SIM_PART_ALL);
}
/* Reads of words that the block has written before this interval race with nothing so far. They are kept until somebody
 * needs the tags of readers: mostly a barrier comes first, and they are forgotten. */
XG_FN void xg_sim_shared_noted(xg_sim_worker *w) {
    const xg_sim_marks m = xg_sim_marks_here(w);
    uint32_t i, k;
    for (i = 0; i < w->n_reads; i++) {
        const xg_sim_read *read = &w->reads[i];
        if (read->shape == XG_SIM_READ_TILES) {
            for (k = 0; k < XG_SIM_WARP; k++) xg_sim_note_words(w, &m, w->read_rows[read->at][k] / 4, 4, read->mine);
            continue;
        }
        const uint32_t n = read->shape == XG_SIM_READ_BITS ? (uint32_t)XG_SIM_WARP : read->n,
                       step = read->shape == XG_SIM_READ_BITS ? 4 : read->step;
        if (read->shape == XG_SIM_READ_LANES) {
            xg_sim_track_lanes(w->m->moves, &m, w->read_rows[read->at], read->mine, false);
            continue;
        }
        if (read->shape == XG_SIM_READ_STEPS && step == 4 && !(n & 3)) {
            xg_sim_note_words(w, &m, read->at / 4, n, read->mine);
            continue;
        }
        for (k = 0; k < n; k++) {
            uint32_t *r = &m.r[(uint32_t)(read->at + k * step) / 4];
            if (read->shape == XG_SIM_READ_STEPS || read->step >> k & 1)
                *r = xg_sim_read_tag(&m, *r, read->mine, XG_SIM_PART_ALL);
        }
    }
    w->n_reads = w->n_rows = 0;
}
/* Keeps a read. */
XG_INLINE void xg_sim_shared_read(
    xg_sim_worker *w, uint32_t mine, xg_sim_readshape shape, uint32_t at, uint32_t n, uint32_t step) {
    xg_sim_read *read;
    if (w->n_reads == XG_SIM_READS_KEPT) {
        xg_sim_shared_noted(w);
        w->readers = true;
    }
    read = &w->reads[w->n_reads++];
    read->mine = mine;
    read->shape = (uint16_t)shape;
    read->at = at;
    read->n = (uint16_t)n;
    read->step = step;
}
/* One of 32 lanes, of a word or of 16 bytes each; the caller fills in their distances. */
XG_FN uint32_t *xg_sim_shared_read_row(xg_sim_worker *w, uint32_t mine, xg_sim_readshape shape) {
    if (w->n_rows == XG_SIM_READ_ROWS || w->n_reads == XG_SIM_READS_KEPT) {
        xg_sim_shared_noted(w);
        w->readers = true;
    }
    xg_sim_shared_read(w, mine, shape, w->n_rows, 0, 0);
    return w->read_rows[w->n_rows++];
}
XG_FN xg_sim_marks xg_sim_marks_shared(xg_sim_worker *w) {
    if (w->n_reads) xg_sim_shared_noted(w);
    w->readers = true; /* whoever asks may be about to note some */
    return xg_sim_marks_here(w);
}

/* ---- any bytes ---- */

/* The bytes [at, end) of a piece of memory are accessed by a warp; false at the first clash. */
XG_FN bool xg_sim_track_piece(const xg_sim_moves *v, const xg_sim_marks *m, uint64_t at, uint64_t end, uint32_t mine,
    bool write, xg_sim_clash *out) {
    while (at < end) {
        uint64_t k = at / 4, stop = XG_MIN(end, k * 4 + 4);
        xg_sim_wordpart part = stop - at == 4                ? XG_SIM_PART_ALL
                               : stop - at == 2 && !(at & 1) ? (at & 2 ? XG_SIM_PART_HIGH : XG_SIM_PART_LOW)
                                                             : XG_SIM_PART_MIXED;
        if (part == XG_SIM_PART_ALL && end - at >= 16 &&
            xg_sim_track_quads(v, m, k, (size_t)((end - at) / 16 * 4), mine, write)) {
            at += (end - at) / 16 * 16;
            continue;
        }
        do {
            if (!xg_sim_track_word(m, k, mine, part, write, out)) return false;
            at = stop;
            k++;
            stop = XG_MIN(end, at + 4);
        } while (part == XG_SIM_PART_ALL && stop - at == 4);
    }
    return true;
}
XG_FN bool xg_sim_track(const xg_sim_moves *v, const xg_sim_marks *m, uint64_t at, uint64_t end, uint32_t warp,
    bool write, xg_sim_clash *out) {
    uint32_t mine = m->tag | warp;
    uint64_t stop;
    if (!m->line_w) return xg_sim_track_piece(v, m, at, end, mine, write, out);
    for (; at < end; at = stop) {
        stop = XG_MIN(end, at / 64 * 64 + 64);
        if (stop - at == 64 && xg_sim_track_line(v, m, at / 64, mine, write)) continue;
        xg_sim_split(m->line_w, m->w, at / 64);
        if (m->r) xg_sim_split(m->line_r, m->r, at / 64);
        if (!xg_sim_track_piece(v, m, at, stop, mine, write, out)) return false;
    }
    return true;
}

XG_FN void xg_sim_clash_fault(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane,
    const xg_sim_marks *m, const xg_sim_clash *k, const char *what, bool write) {
    const char *verb = write ? "write" : "read", *other = k->kind == XG_SIM_CLASH_WRITE ? "write" : "read";
    unsigned long long at = (unsigned long long)k->at;
    if (k->kind == XG_SIM_CLASH_UNWRITTEN)
        xg_sim_fault(
            w, v, in, lane, XG_SIM_FAULT_UNWRITTEN, "read of %s, offset %llu, which nobody has written", what, at);
    else if (k->tag < m->block || k->tag >= m->tag + (1u << XG_SIM_TAG_INTERVAL) || (k->tag & XG_SIM_TAG_FOREIGN))
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_RACE,
            "on %s, offset %llu: this %s and a %s by another block of the launch; blocks run in any order", what, at,
            verb, other);
    else if (k->tag & XG_SIM_TAG_SEVERAL)
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_RACE,
            "on %s, offset %llu: this %s by warp %u and %ss by other warps of the block, with no barrier between them",
            what, at, verb, v->id, other);
    else
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_RACE,
            "on %s, offset %llu: this %s by warp %u and a %s by warp %u of the same block, with no barrier between "
            "them",
            what, at, verb, v->id, other, k->tag & 31);
}

#endif /* XG_SIM_SHADOW_C */
/* sim/copies.c -- has a thread waited for its cp.async?
 *
 * A cp.async moves its data at once; what it leaves behind is the state COPYING on its bytes, and for each word which
 * thread's copy it was and in which of the thread's groups. Who touches such a byte later asks here: the copy is done
 * when its thread has waited for the group (or has told a memory barrier to); another warp must besides have met that
 * thread at a barrier since.
 *
 * Law: groups are counted up for good, in 32 bits; nobody issues as many in a launch. */
#ifndef XG_SIM_COPIES_C
#define XG_SIM_COPIES_C

/* The states of the bytes of word k of a block's shared memory, made up where its tag says all. */
XG_FN char *xg_sim_word_bytes(xg_sim_worker *of, size_t k) {
    char *s = of->shadow + k * 4;
    uint32_t tag = of->marks[k];
    if ((tag & ~XG_SIM_TAG_BYTES) < of->shared_block)
        memset(s, XG_SIM_UNWRITTEN, 4);
    else if (!(tag & XG_SIM_TAG_BYTES))
        memset(s, XG_SIM_WRITTEN, 4);
    return s;
}
XG_FN xg_sim_fresh xg_sim_byte_state(xg_sim_worker *of, size_t at) {
    return (xg_sim_fresh)xg_sim_word_bytes(of, at / 4)[at % 4];
}
/* Sets states. settled: words that were unwritten get a tag that races with nothing; else the caller tags them. */
XG_FN void xg_sim_set_bytes(xg_sim_worker *of, size_t at, size_t n, xg_sim_fresh is, bool settled) {
    while (n) {
        size_t k = at / 4, some = XG_MIN(n, 4 - at % 4);
        char *s = xg_sim_word_bytes(of, k);
        uint32_t tag = of->marks[k] & ~XG_SIM_TAG_BYTES, states;
        memset(s + at % 4, (int)is, some);
        memcpy(&states, s, 4);
        if (settled && tag < of->shared_block) tag = xg_sim_with_part(of->shared_block, XG_SIM_PART_MIXED);
        of->marks[k] = states == XG_SIM_WRITTEN * 0x01010101u ? tag : tag | XG_SIM_TAG_BYTES;
        at += some;
        n -= some;
    }
}

/* What warp v finds at a byte that is COPYING. */
XG_FN xg_sim_fresh xg_sim_copy_state(xg_sim_worker *of, const xg_sim_warp *v, size_t at) {
    const xg_sim_copy_word *c = &of->copy_words[at / 4];
    const xg_sim_copy_thread *t = &of->copy_threads[c->thread];
    if (c->group >= t->done) return XG_SIM_COPYING;
    if (c->thread / XG_SIM_WARP != v->id && t->waited == of->shared_tag && c->group >= t->earlier &&
        !of->l->unchecked_races)
        return XG_SIM_COPIED; /* a later wait of the interval tells nothing of groups that were done before it */
    of->marks[at / 4] &= ~XG_SIM_TAG_BYTES; /* all of the word, which its copy has tagged */
    return XG_SIM_WRITTEN;
}
/* 16 bytes of one copy that warp v finds done are written from now on. */
XG_INLINE void xg_sim_copy_settle(xg_sim_worker *w, const xg_sim_warp *v, size_t at) {
    const uint64_t copying = XG_SIM_COPYING * 0x0101010101010101u;
    uint32_t *tags = w->marks + at / 4, i;
    uint64_t states[2], of[4];
    if (!(tags[0] & tags[1] & tags[2] & tags[3] & XG_SIM_TAG_BYTES)) return;
    memcpy(states, w->shadow + at, 16);
    memcpy(of, w->copy_words + at / 4, 32);
    if (states[0] != copying || states[1] != copying || of[0] != of[1] || of[0] != of[2] || of[0] != of[3]) return;
    if (xg_sim_copy_state(w, v, at) != XG_SIM_WRITTEN) return;
    for (i = 1; i < 4; i++) tags[i] &= ~XG_SIM_TAG_BYTES;
}
/* Nothing speaks against a copy by warp v to these words: they are neither read nor written in this interval by another
 * warp, and no copy to them is under way. Then they are tagged as written, by m.tag. */
XG_FN bool xg_sim_copy_claim(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_marks *m, size_t at, size_t n) {
    const uint32_t mine = m->tag | (v->id & 31), copying = XG_SIM_COPYING * 0x01010101u;
    size_t k;
    if (!m->races) return false;
    for (k = at / 4; k < (at + n) / 4; k++) {
        uint32_t wt = m->w[k], states;
        const uint32_t rt = m->r[k];
        if (wt & XG_SIM_TAG_BYTES) {
            memcpy(&states, w->shadow + k * 4, 4);
            if (states != copying || xg_sim_copy_state(w, v, k * 4) != XG_SIM_WRITTEN) return false;
            wt = m->w[k];
        }
        if (!(wt < m->floor || xg_sim_tag_mine(m, wt, mine)) || !(rt < m->floor || xg_sim_tag_mine(m, rt, mine)))
            return false;
    }
    for (k = at / 4; k < (at + n) / 4; k++) m->w[k] = mine;
    return true;
}
/* A lane has issued a copy to these bytes, whole words. */
XG_FN void xg_sim_copy_issue(xg_sim_worker *w, uint32_t thread, size_t at, size_t n) {
    const uint32_t states = XG_SIM_COPYING * 0x01010101u, group = w->copy_threads[thread].groups;
    size_t k;
    if (w->l->unchecked_shared) return;
    for (k = at / 4; k < (at + n) / 4; k++) {
        memcpy(w->shadow + k * 4, &states, 4);
        w->marks[k] |= XG_SIM_TAG_BYTES;
        w->copy_words[k].thread = thread;
        w->copy_words[k].group = group;
    }
}
XG_FN void xg_sim_copy_commit(xg_sim_worker *w, const xg_sim_warp *v, uint32_t mask) {
    uint32_t i;
    for (i = 0; i < XG_SIM_WARP && w->copy_threads; i++)
        if (mask >> i & 1) w->copy_threads[v->id * XG_SIM_WARP + i].groups++;
}
/* All but the last `keep` groups of the active lanes are done. */
XG_FN void xg_sim_copy_wait(xg_sim_worker *w, const xg_sim_warp *v, uint32_t mask, uint32_t keep) {
    uint32_t i;
    for (i = 0; i < XG_SIM_WARP && w->copy_threads; i++) {
        xg_sim_copy_thread *t = &w->copy_threads[v->id * XG_SIM_WARP + i];
        if (!(mask >> i & 1) || t->groups < keep || t->groups - keep <= t->done) continue;
        if (t->waited != w->shared_tag) t->earlier = t->done;
        t->done = t->groups - keep;
        t->waited = w->shared_tag;
    }
}
#endif /* XG_SIM_COPIES_C */
/* sim/memory.c -- every access to memory with its checks.
 *
 * An access first turns the addresses of the active lanes into host pointers (xg_sim_reach), checking space, bounds,
 * alignment and permission and counting; then the shadows are asked and told (shadow.c); then data moves. When all 32
 * lanes are active and stand side by side, which the hot kernels take care to be, one check covers the warp and the
 * data moves in straight loops. */
#ifndef XG_SIM_MEMORY_C
#define XG_SIM_MEMORY_C

/* ---- reaching memory ---- */

XG_INLINE const char *xg_sim_slot(const xg_sim_worker *w, const xg_sim_warp *v, uint32_t offset) {
    return offset & 1 ? w->m->consts + (offset - 1) : v->regs + offset;
}

XG_FN uint32_t xg_sim_first_lane(uint32_t mask) {
    uint32_t i = 0;
    while (i < 31 && !(mask >> i & 1)) i++;
    return i;
}

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
XG_INLINE char *xg_sim_reach_at(const xg_sim_reach *r, uint32_t lane) {
    switch (r->shape) {
    case XG_SIM_RUN: return r->at + (size_t)lane * r->bytes;
    case XG_SIM_ONE: return r->at;
    case XG_SIM_FEW: return r->at + r->to.off[lane];
    default: return r->to.p[lane];
    }
}

XG_FN bool xg_sim_in_last(const xg_sim_worker *w, uint64_t a, uint64_t bytes) {
    return w->last.bytes >= bytes && a - w->last.base <= w->last.bytes - bytes;
}

XG_FN bool xg_sim_find_buffer(xg_sim_worker *w, uint64_t a, uint64_t bytes) {
    const xg_sim_buffer *b = xg_sim_memory_find(w->l->memory, a);
    if (!b) b = xg_sim_memory_find(&w->m->globals, a);
    if (!b) return false;
    w->last = *b;
    return xg_sim_in_last(w, a, bytes);
}

/* Distinct pieces of 2^shift bytes that a scattered access touches. Where addresses only rise, a piece is new when it
 * is not the one before. */
XG_FN uint32_t xg_sim_count_pieces_any(const xg_sim_reach *r, uint32_t mask, uint32_t bytes, uint32_t shift) {
    uint64_t table[128], s, e, before = 0;
    uint32_t n = 0, i, k;
    memset(table, 0, sizeof table);
    for (i = 0; i < XG_SIM_WARP; i++) {
        if (!(mask >> i & 1)) continue;
        s = (uint64_t)(uintptr_t)xg_sim_reach_at(r, i) >> shift;
        e = ((uint64_t)(uintptr_t)xg_sim_reach_at(r, i) + bytes - 1) >> shift;
        for (; s <= e; s++) {
            if (s == before) continue;
            before = s;
            for (k = (uint32_t)(s ^ s >> 7) & 127; table[k] && table[k] != s; k = (k + 1) & 127) {}
            if (!table[k]) {
                table[k] = s;
                n++;
            }
        }
    }
    return n;
}
XG_FN uint32_t xg_sim_count_pieces(const xg_sim_reach *r, uint32_t mask, uint32_t bytes, uint32_t shift) {
    uint64_t before = 0, s;
    uint32_t n = 0, i, falls = 0;
    if (bytes > 32) return xg_sim_count_pieces_any(r, mask, bytes, shift);
    if (r->shape == XG_SIM_FEW) { /* lanes that sleep stand where the first one does */
        const uint32_t skip = (uint32_t)(uintptr_t)r->at & ((1u << shift) - 1), *off = r->to.off;
        uint32_t last = (off[0] + skip) >> shift, next;
        for (i = n = 1; i < XG_SIM_WARP; i++, last = next) {
            next = (off[i] + skip) >> shift;
            n += next != last;
            falls |= next - last;
        }
        return falls >> 31 ? xg_sim_count_pieces_any(r, mask, bytes, shift) : n;
    }
    for (i = 0; i < XG_SIM_WARP; i++) {
        if (!(mask >> i & 1)) continue;
        s = (uint64_t)(uintptr_t)xg_sim_reach_at(r, i) >> shift;
        if (s < before) return xg_sim_count_pieces_any(r, mask, bytes, shift);
        n += s != before;
        before = s;
    }
    return n;
}
/* Distinct places of the active lanes. */
XG_FN uint32_t xg_sim_count_places(const xg_sim_reach *r, uint32_t mask) {
    uint64_t table[64];
    uint32_t n = 0, i, k;
    if (r->shape == XG_SIM_ONE) return mask != 0;
    if (r->shape == XG_SIM_RUN) return xg_sim_popc(mask);
    memset(table, 0, sizeof table);
    for (i = 0; i < XG_SIM_WARP; i++) {
        uint64_t p;
        if (!(mask >> i & 1)) continue;
        p = (uint64_t)(uintptr_t)xg_sim_reach_at(r, i);
        for (k = (uint32_t)(p >> 2 ^ p >> 8) & 63; table[k] && table[k] != p; k = (k + 1) & 63) {}
        if (!table[k]) {
            table[k] = p;
            n++;
        }
    }
    return n;
}
/* Of a FEW. Extra passes: for each group of lanes that one pass serves, the largest number of different words in one
 * bank, less one. */
XG_FN uint32_t xg_sim_count_conflicts(const xg_sim_reach *r, const char *shared, uint32_t bytes, uint32_t mask) {
    uint32_t lanes = bytes <= 4    ? 32
                     : bytes <= 8  ? 16
                     : bytes <= 16 ? 8
                                   : 4,
             base, extra = 0, i, bank, word, from = (uint32_t)(r->at - shared) / 4;
    for (base = 0; base < XG_SIM_WARP; base += lanes) {
        uint32_t words[32][32], count[32], worst = 1, before = 0xFFFFFFFFu, j, k;
        if (bytes == 16 && !(from & 3)) { /* rows of tiles: usually in eight different places of the banks */
            uint32_t places = 0;
            for (i = base; i < base + lanes; i++) places |= 1u << ((from / 4 + r->to.off[i] / 16) & 7);
            if (places == 0xFF) continue;
        }
        memset(count, 0, sizeof count);
        for (i = base; i < base + lanes; i++) {
            word = from + r->to.off[i] / 4;
            if (word == before || !(mask >> i & 1)) continue;
            before = word;
            for (k = 0; k < (bytes + 3) / 4; k++, word++) {
                bank = word & 31;
                for (j = 0; j < count[bank] && words[bank][j] != word; j++) {}
                if (j == count[bank] && j < 32) {
                    words[bank][count[bank]++] = word;
                    if (count[bank] > worst) worst = count[bank];
                }
            }
        }
        extra += worst - 1;
    }
    return extra;
}

XG_INLINE uint64_t xg_sim_lane_address(const char *slot, uint32_t lane, bool wide, uint32_t offset) {
    uint64_t a = 0;
    memcpy(&a, slot + (size_t)lane * (wide ? 8 : 4), wide ? 8 : 4);
    return wide ? a + (uint64_t)(int64_t)(int32_t)offset : (uint32_t)(a + offset);
}

/* Distributed shared memory. The window of shared addresses has 2^24 bytes for this block and, behind them, as many for
 * each block of the cluster; generic addresses are host addresses as everywhere. NULL when the address is not another
 * block's. */
XG_FN char *xg_sim_reach_peer(const xg_sim_worker *w, xg_sim_space space, uint64_t a, uint64_t bytes) {
    const xg_sim_cluster *c = w->cluster;
    uint64_t rank = a >> XG_SIM_WINDOW, at = a & (((uint64_t)1 << XG_SIM_WINDOW) - 1), limit = w->l->shared_bytes;
    uint32_t i;
    if (space == XG_SIM_SHARED)
        return rank && rank <= c->n && at <= limit && limit - at >= bytes ? c->peers[rank - 1]->shared + at : NULL;
    for (i = 0; space == XG_SIM_GENERIC && i < c->n; i++) {
        at = a - (uint64_t)(uintptr_t)c->peers[i]->shared;
        if (at <= limit && limit - at >= bytes) return c->peers[i]->shared + at;
    }
    return NULL;
}
/* Whose shared memory a pointer leads to; NULL when nobody's. */
XG_FN xg_sim_worker *xg_sim_owner(const xg_sim_worker *w, const char *p) {
    uint32_t i;
    for (i = 0; i < w->cluster->n; i++)
        if ((uint64_t)(p - w->cluster->peers[i]->shared) < w->l->shared_bytes) return w->cluster->peers[i];
    return NULL;
}

/* One lane's address in a space to its pointer; NULL after a fault. */
XG_FN char *xg_sim_reach_lane(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane,
    xg_sim_space space, uint64_t a, uint32_t bytes, bool write) {
    uint64_t local = (uint64_t)(uintptr_t)w->local + ((uint64_t)v->id * XG_SIM_WARP + lane) * w->l->local_bytes;
    const char *what = write ? "write" : "read";
    if (a & (bytes - 1)) {
        if (space == XG_SIM_GLOBAL ||
            (space == XG_SIM_GENERIC && (xg_sim_memory_find(w->l->memory, a) || xg_sim_memory_find(&w->m->globals, a))))
            xg_sim_fault_address(w, v, in, lane, a, bytes, XG_SIM_FAULT_MISALIGNED, what);
        else
            xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_MISALIGNED, "%s of %u bytes at 0x%llX", what, bytes,
                (unsigned long long)a);
        return NULL;
    }
    if (w->cluster->n > 1 && space != XG_SIM_GLOBAL) {
        char *there = xg_sim_reach_peer(w, space, a, bytes);
        if (there) return there;
    }
    if (space == XG_SIM_GENERIC) {
        if (a - (uint64_t)(uintptr_t)w->shared < w->l->shared_bytes) {
            space = XG_SIM_SHARED;
            a -= (uint64_t)(uintptr_t)w->shared;
        } else if (a - local < w->l->local_bytes) {
            space = XG_SIM_LOCAL;
            a -= local;
        } else if (a - (uint64_t)(uintptr_t)w->params < w->l->param_bytes && !write) {
            space = XG_SIM_PARAM;
            a -= (uint64_t)(uintptr_t)w->params;
        }
    }
    switch (space) {
    case XG_SIM_SHARED:
        if (a > w->l->shared_bytes || w->l->shared_bytes - a < bytes) {
            xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_BOUNDS,
                "%s of %u bytes at offset %llu of shared memory, which has %u bytes", what, bytes,
                (unsigned long long)a, w->l->shared_bytes);
            return NULL;
        }
        return w->shared + a;
    case XG_SIM_LOCAL:
        if (a > w->l->local_bytes || w->l->local_bytes - a < bytes) {
            xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_BOUNDS,
                "%s of %u bytes at offset %llu of local memory, which has %u bytes", what, bytes, (unsigned long long)a,
                w->l->local_bytes);
            return NULL;
        }
        return (char *)(uintptr_t)(local + a);
    case XG_SIM_PARAM:
        if (a > w->l->param_bytes || w->l->param_bytes - a < bytes) {
            xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_BOUNDS,
                "%s of %u bytes at offset %llu of the parameters, which have %u bytes", what, bytes,
                (unsigned long long)a, (uint32_t)w->l->param_bytes);
            return NULL;
        }
        return w->params + a;
    default:
        if (!xg_sim_in_last(w, a, bytes) && !xg_sim_find_buffer(w, a, bytes)) {
            xg_sim_fault_address(w, v, in, lane, a, bytes, XG_SIM_FAULT_BOUNDS, write ? "write" : "read");
            return NULL;
        }
        if (write && w->last.readonly) {
            xg_sim_fault_address(w, v, in, lane, a, bytes, XG_SIM_FAULT_READONLY, "write");
            return NULL;
        }
        return (char *)(uintptr_t)a;
    }
}

/* All active lanes in one buffer or in shared memory, checked at once; false when each must be looked at. `room` is for
 * 32 addresses. */
XG_FN bool xg_sim_reach_many(xg_sim_worker *w, const xg_sim_moves *m, const char *slot, uint32_t offset, bool wide,
    xg_sim_space space, uint32_t mask, uint32_t bytes, bool write, xg_sim_reach *r, uint64_t *room) {
    uint32_t lane = mask & 1 ? 0 : xg_sim_first_lane(mask), i;
    uint64_t a = xg_sim_lane_address(slot, lane, wide, offset),
             add = wide ? (uint64_t)(int64_t)(int32_t)offset : offset, window = (uint64_t)(uintptr_t)w->shared,
             all = (uint64_t)bytes * XG_SIM_WARP;
    bool shared = space == XG_SIM_SHARED || (space == XG_SIM_GENERIC && a - window < w->l->shared_bytes);
    uint64_t base = space == XG_SIM_SHARED ? 0 : window, size = w->l->shared_bytes;
    if (!shared) {
        if (space == XG_SIM_GENERIC &&
            (a - (uint64_t)(uintptr_t)w->local < (uint64_t)w->l->local_bytes * w->l->threads ||
                a - (uint64_t)(uintptr_t)w->params < w->l->param_bytes))
            return false;
        if ((!xg_sim_in_last(w, a, bytes) && !xg_sim_find_buffer(w, a, bytes)) || (write && w->last.readonly))
            return false;
        base = w->last.base;
        size = w->last.bytes;
    }
    if (a - base > size || size - (a - base) < bytes || (!wide && !shared)) return false;
    r->shared = shared;
    r->bytes = bytes;
    r->at = (char *)(uintptr_t)(space == XG_SIM_SHARED ? a + window : a);
    if (mask == 0xFFFFFFFFu && !(a & (bytes - 1)) && size - (a - base) >= all &&
        (wide ? m->beside64(slot, bytes) : m->beside32(slot, bytes))) {
        r->shape = XG_SIM_RUN;
        return true;
    }
    if (mask != 0xFFFFFFFFu) { /* lanes that sleep go where the first one goes */
        char *to = (char *)room;
        uint32_t each = wide ? 8 : 4;
        for (i = 0; i < XG_SIM_WARP; i++)
            memcpy(to + (size_t)i * each, slot + (size_t)(mask >> i & 1 ? i : lane) * each, each);
        slot = to;
    }
    if (size >> 31) { /* distances have 31 bits: what is so far from the first lane is looked at alone */
        uint64_t skip = a - base > 1u << 30 ? (a - base - (1u << 30)) & ~(uint64_t)255 : 0;
        base += skip;
        size = XG_MIN(size - skip, (uint64_t)0x7FFFFFFF);
    }
    if (!(wide ? m->inside64(r->to.off, slot, add, base, size - bytes, bytes - 1)
               : m->inside32(r->to.off, slot, (uint32_t)add, (uint32_t)(size - bytes), bytes - 1)))
        return false;
    r->shape = (wide ? m->beside64(slot, 0) : m->beside32(slot, 0)) ? XG_SIM_ONE : XG_SIM_FEW;
    if (r->shape == XG_SIM_FEW) r->at = shared ? w->shared : (char *)(uintptr_t)base;
    return true;
}

XG_FN void xg_sim_count_access(
    xg_sim_worker *w, const xg_sim_reach *r, uint32_t mask, uint32_t active, uint32_t bytes) {
    uint32_t sectors, lines, least = (active * bytes + 31) / 32;
    if (r->shared) {
        w->stats.shared_transactions += bytes <= 4 ? 1 : (active * bytes + 127) / 128;
        if (r->shape == XG_SIM_FEW && !(bytes == 4 && w->m->moves->one_pass(r->to.off))) {
            uint32_t extra = xg_sim_count_conflicts(r, w->shared, bytes, mask);
            w->stats.bank_conflicts += extra;
            w->stats.shared_transactions += extra;
        }
        return;
    }
    if (r->shape == XG_SIM_RUN) {
        uintptr_t from = (uintptr_t)r->at, last = from + (uintptr_t)bytes * XG_SIM_WARP - 1;
        sectors = (uint32_t)((last >> 5) - (from >> 5) + 1);
        lines = (uint32_t)((last >> 7) - (from >> 7) + 1);
    } else if (r->shape == XG_SIM_ONE)
        sectors = lines = 1;
    else {
        sectors = xg_sim_count_pieces(r, mask, bytes, 5);
        lines = xg_sim_count_pieces(r, mask, bytes, 7);
    }
    w->stats.sectors += sectors;
    w->stats.minimum_sectors += XG_MIN(sectors, least);
    w->stats.global_transactions += lines;
}

/* The pointers of all active lanes; false after a fault. */
XG_FN bool xg_sim_reach_warp(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, const char *slot,
    uint32_t offset, bool wide, xg_sim_space space, uint32_t mask, uint32_t bytes, bool write, xg_sim_reach *r) {
    uint32_t i, n_shared = 0, n_global = 0;
    uint64_t room[XG_SIM_WARP];
    if (space <= XG_SIM_SHARED &&
        xg_sim_reach_many(w, w->m->moves, slot, offset, wide, space, mask, bytes, write, r, room)) {
        xg_sim_count_access(w, r, mask, mask == 0xFFFFFFFFu ? (uint32_t)XG_SIM_WARP : xg_sim_popc(mask), bytes);
        return true;
    }
    r->shape = XG_SIM_ANY;
    r->bytes = bytes;
    for (i = 0; i < XG_SIM_WARP; i++) {
        if (!(mask >> i & 1)) continue;
        r->to.p[i] = xg_sim_reach_lane(w, v, in, i, space, xg_sim_lane_address(slot, i, wide, offset), bytes, write);
        if (!r->to.p[i]) return false;
        if ((uint64_t)(r->to.p[i] - w->shared) < w->l->shared_bytes)
            n_shared++;
        else if (space == XG_SIM_GLOBAL || space == XG_SIM_GENERIC)
            n_global++;
    }
    r->shared = n_shared != 0;
    if ((n_shared != 0) != (n_global != 0)) xg_sim_count_access(w, r, mask, n_shared + n_global, bytes);
    return true;
}

/* ---- asking and telling the shadows ---- */

typedef enum xg_sim_does {
    XG_SIM_READS,
    XG_SIM_WRITES,
    XG_SIM_UPDATES /* an atomic */
} xg_sim_does;

/* Would the lane's store leave the bytes as they are? Then it disturbs nobody. */
XG_FN bool xg_sim_store_same(
    const xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane, const char *p) {
    uint32_t size = 1u << (in->imm2 >> XG_SIM_M_SIZE & 7), e;
    if (in->kind != XG_SIM_K_ST) return false;
    for (e = 0; e < in->n; e++)
        if (memcmp(p + e * size, xg_sim_slot(w, v, w->m->list[in->list + e]) + (size_t)lane * in->dbytes, size) != 0)
            return false;
    return true;
}
/* Bytes [at, at + n) of a piece of memory that lies at base; lanes of `each` bytes side by side from `lane` on. False
 * after a fault. */
XG_FN bool xg_sim_track_bytes(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane,
    uint32_t each, const xg_sim_marks *m, const char *base, uint64_t at, uint64_t n, bool write, const char *what) {
    uint64_t from = at;
    xg_sim_clash k;
    while (!xg_sim_track(w->m->moves, m, from, at + n, v->id & 31, write, &k)) {
        uint32_t of = lane + (uint32_t)((XG_MAX(k.at, at) - at) / each);
        if (!write || !xg_sim_store_same(w, v, in, of, base + at + (size_t)(of - lane) * each)) {
            xg_sim_clash_fault(w, v, in, of, m, &k, what, write);
            return false;
        }
        from = k.at / 4 * 4 + 4;
        if (from >= at + n) return true;
    }
    return true;
}

XG_FN xg_sim_marks xg_sim_marks_global(const xg_sim_worker *w) { /* of the buffer w->last */
    const xg_sim_buffer *b = &w->last;
    const xg_sim_tags t = xg_sim_tags_of(b);
    xg_sim_marks m;
    m.line_w = t.line_w;
    m.w = t.w;
    m.line_r = t.line_r;
    m.r = b->readonly ? NULL : t.r;
    m.floor = w->launch_tag;
    m.block = w->block_tag;
    m.tag = w->tracked ? w->tag : 0;
    m.least = w->l->unchecked_global ? 0 : 1;
    m.races = w->tracked;
    m.fenced = w->fenced;
    return m;
}

XG_FN void xg_sim_fresh_fault(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane,
    xg_sim_fresh is, size_t at, bool read) {
    const char *what = read ? "read" : "write";
    if (is == XG_SIM_PENDING || is == XG_SIM_COPYING)
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_ASYNC,
            "%s of shared memory at offset %zu, which an asynchronous copy is still to write: wait for it first", what,
            at);
    else if (is == XG_SIM_COPIED)
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_RACE,
            "%s of shared memory at offset %zu, which a cp.async of another warp writes: its thread has waited for it, "
            "but there was no barrier since",
            what, at);
    else if (is == XG_SIM_LENT)
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_ASYNC,
            "%s of shared memory at offset %zu, which an asynchronous copy is still to read: wait for it first", what,
            at);
    else if (is == XG_SIM_MBARRIER)
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_MBARRIER,
            "%s of shared memory at offset %zu, where a memory barrier is: only mbarrier instructions may touch it "
            "before mbarrier.inval",
            what, at);
    else
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_UNWRITTEN,
            "read of shared memory at offset %zu, which no thread of the block has written", at);
}
/* Is a word of shared memory written, all of it? */
XG_INLINE bool xg_sim_word_written(const xg_sim_worker *w, size_t at) {
    return w->marks[at / 4] - w->shared_block < XG_SIM_TAG_BYTES - w->shared_block;
}
/* May these bytes of the block `of`, which is w's or another one of its cluster, be read or written now? */
XG_FN bool xg_sim_fresh_bytes(xg_sim_worker *w, xg_sim_worker *of, const xg_sim_warp *v, const xg_sim_ins *in,
    uint32_t lane, uint32_t each, size_t at, size_t n, xg_sim_does does) {
    size_t i = at;
    if (w->l->unchecked_shared) return true;
    while (i < at + n) {
        xg_sim_fresh is;
        if (xg_sim_word_written(of, i)) {
            i = i / 4 * 4 + 4;
            continue;
        }
        is = xg_sim_byte_state(of, i);
        if (is == XG_SIM_COPYING && (is = xg_sim_copy_state(of, v, i)) == XG_SIM_WRITTEN) continue; /* with its word */
        if (is == XG_SIM_WRITTEN || (is == XG_SIM_UNWRITTEN && does == XG_SIM_WRITES) ||
            (is == XG_SIM_LENT && does == XG_SIM_READS)) {
            i++;
            continue;
        }
        xg_sim_fresh_fault(w, v, in, lane + (uint32_t)((i - at) / each), is, i, does == XG_SIM_READS);
        return false;
    }
    return true;
}
/* Reads are kept, not noted (shadow.c): all checks of shared memory are on. */
XG_INLINE bool xg_sim_keeps_reads(const xg_sim_worker *w) { return !w->l->unchecked_shared && !w->l->unchecked_races; }
XG_FN bool xg_sim_shadow_shared(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane,
    uint32_t each, size_t at, size_t n, xg_sim_does does, bool strong) {
    xg_sim_marks m;
    bool write = does == XG_SIM_WRITES;
    if (strong && n == 4 && !(at & 3) && xg_sim_word_written(w, at)) return true;
    if (does == XG_SIM_READS && !strong && !((at | n) & 15) && xg_sim_keeps_reads(w) &&
        w->m->moves->within(w->marks + at / 4, n / 4, w->shared_block, w->shared_tag)) {
        xg_sim_shared_read(w, w->shared_tag | (v->id & 31), XG_SIM_READ_STEPS, (uint32_t)at, (uint32_t)(n / 4), 4);
        return true;
    }
    m = xg_sim_marks_shared(w);
    if (!strong && !(at & 3)) {
        if (n & 15 ? !(n & 3) && xg_sim_track_few(&m, at / 4, n / 4, m.tag | (v->id & 31), write)
                   : xg_sim_track_quads(w->m->moves, &m, at / 4, n / 4, m.tag | (v->id & 31), write))
            return true;
    }
    if (!xg_sim_fresh_bytes(w, w, v, in, lane, each, at, n, does)) return false;
    if (strong) {
        if (does != XG_SIM_READS) xg_sim_set_bytes(w, at, n, XG_SIM_WRITTEN, true);
        return true;
    }
    if (write) xg_sim_set_bytes(w, at, n, XG_SIM_WRITTEN, false);
    m.least = 0;
    return xg_sim_track_bytes(w, v, in, lane, each, &m, w->shared, at, n, write, "shared memory");
}
/* In the buffer w->last. Atomics and strong accesses only need and leave written memory. */
XG_RACY XG_FN bool xg_sim_shadow_global(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane,
    uint32_t each, uint64_t address, uint64_t n, xg_sim_does does, bool strong) {
    const xg_sim_buffer *b = &w->last;
    uint64_t at = address - b->base, k;
    char what[160];
    xg_sim_marks m = xg_sim_marks_global(w);
    xg_sim_clash c;
    bool write = does == XG_SIM_WRITES;
    if (!b->shadow) return true;
    if (strong) {
        for (k = at / 4; k <= (at + n - 1) / 4; k++) {
            if (xg_sim_tag_at(m.line_w, m.w, k)) continue;
            if (write || !m.least) {
                xg_sim_split(m.line_w, m.w, k / XG_SIM_LINE_WORDS);
                m.w[k] = XG_SIM_TAG_OLD;
                continue;
            }
            c.at = k * 4;
            c.tag = 0;
            c.kind = XG_SIM_CLASH_UNWRITTEN;
            xg_format(what, sizeof what, "buffer '%s' of %llu bytes at 0x%llX", b->name ? b->name : "?",
                (unsigned long long)b->bytes, (unsigned long long)b->base);
            xg_sim_clash_fault(w, v, in, lane + (uint32_t)((XG_MAX(k * 4, at) - at) / each), &m, &c, what, false);
            return false;
        }
        return true;
    }
    if (xg_sim_track(w->m->moves, &m, at, at + n, v->id & 31, write, &c)) return true;
    xg_format(what, sizeof what, "buffer '%s' of %llu bytes at 0x%llX", b->name ? b->name : "?",
        (unsigned long long)b->bytes, (unsigned long long)b->base);
    return xg_sim_track_bytes(w, v, in, lane, each, &m, (const char *)(uintptr_t)b->base, at, n, write, what);
}
/* Scattered whole words of a FEW. */
XG_FN bool xg_sim_shadow_lanes(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_reach *r, bool write) {
    xg_sim_marks m;
    uint32_t bytes;
    size_t skip;
    if (r->shape != XG_SIM_FEW || r->bytes & 3 || (!r->shared && !w->last.shadow)) return false;
    m = r->shared ? xg_sim_marks_shared(w) : xg_sim_marks_global(w);
    skip = (size_t)((uint64_t)(uintptr_t)r->at - (r->shared ? (uint64_t)(uintptr_t)w->shared : w->last.base)) / 4;
    m.w += skip;
    if (m.r) m.r += skip;
    if (m.line_w) {
        m.line_w += 2 * (skip / XG_SIM_LINE_WORDS);
        m.line_r += 2 * (skip / XG_SIM_LINE_WORDS);
    } /* skip is whole lines */
    for (bytes = 0; bytes < r->bytes; bytes += 4, m.w++, m.r += m.r ? 1 : 0)
        /* the words before are noted, and will be again */
        if (!xg_sim_track_lanes(w->m->moves, &m, r->to.off, m.tag | (v->id & 31), write)) return false;
    return true;
}
/* Scattered reads of global memory, of which neighbouring lanes have whole lines: rows of tiles. */
XG_FN bool xg_sim_shadow_rows(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_reach *r, uint32_t mask) {
    const uint32_t lanes = 64 / r->bytes;
    xg_sim_marks m;
    uint32_t i, k, wrong = 0;
    if (r->shape != XG_SIM_FEW || r->shared || r->bytes < 4 || mask != 0xFFFFFFFFu || !w->last.shadow) return false;
    for (i = 0; i < XG_SIM_WARP; i += lanes) {
        wrong |= (uint32_t)((uint64_t)(uintptr_t)r->at - w->last.base + r->to.off[i]) & 63;
        for (k = 1; k < lanes; k++) wrong |= (r->to.off[i + k] - r->to.off[i]) ^ k * r->bytes;
    }
    if (wrong) return false;
    m = xg_sim_marks_global(w);
    for (i = 0; i < XG_SIM_WARP; i += lanes) {
        const uint64_t line = ((uint64_t)(uintptr_t)r->at - w->last.base + r->to.off[i]) / 64;
        if (!xg_sim_track_line(w->m->moves, &m, line, m.tag | (v->id & 31), false)) return false;
    }
    return true;
}
/* 16 bytes of each lane of what the block has written before this interval of shared memory: rows of tiles. */
XG_FN bool xg_sim_shadow_tiles(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_reach *r) {
    const uint32_t skip = (uint32_t)(r->at - w->shared);
    uint32_t off[XG_SIM_WARP], i, *row;
    if (r->shape != XG_SIM_FEW || !r->shared || r->bytes != 16 || !xg_sim_keeps_reads(w)) return false;
    for (i = 0; i < XG_SIM_WARP; i++) off[i] = skip + r->to.off[i];
    if (!w->m->moves->rows_within(w->marks, off, w->shared_block, w->shared_tag)) {
        for (i = 0; i < XG_SIM_WARP; i++) xg_sim_copy_settle(w, v, off[i]);
        if (!w->m->moves->rows_within(w->marks, off, w->shared_block, w->shared_tag)) return false;
    }
    row = xg_sim_shared_read_row(w, w->shared_tag | (v->id & 31), XG_SIM_READ_TILES);
    w->m->moves->copy((char *)row, (const char *)off, sizeof off);
    return true;
}
/* Atomics on scattered words of shared memory that are written: all there is to see. */
XG_FN bool xg_sim_shadow_strong(const xg_sim_worker *w, const xg_sim_reach *r, uint32_t bytes) {
    uint32_t i, bad = 0;
    if (r->shape != XG_SIM_FEW || !r->shared || bytes != 4) return false;
    for (i = 0; i < XG_SIM_WARP; i++) bad |= !xg_sim_word_written(w, r->to.off[i]);
    return !bad;
}
/* A whole access; false after a fault. */
XG_FN bool xg_sim_shadow(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, const xg_sim_reach *r,
    uint32_t mask, uint32_t bytes, xg_sim_does does, bool strong) {
    const char *before = NULL;
    uint32_t i, lanes = r->shape == XG_SIM_RUN ? XG_SIM_WARP : 1;
    if (r->shape == XG_SIM_ANY ? w->unchecked
        : r->shared            ? w->l->unchecked_shared && w->l->unchecked_races
                               : w->l->unchecked_global && !w->tracked)
        return true;
    if (r->shape == XG_SIM_RUN || (r->shape == XG_SIM_ONE && does != XG_SIM_WRITES)) {
        i = r->shape == XG_SIM_RUN ? 0 : xg_sim_first_lane(mask);
        if (r->shared)
            return xg_sim_shadow_shared(
                w, v, in, i, bytes, (size_t)(r->at - w->shared), (size_t)bytes * lanes, does, strong);
        return xg_sim_shadow_global(
            w, v, in, i, bytes, (uint64_t)(uintptr_t)r->at, (uint64_t)bytes * lanes, does, strong);
    }
    if (!strong && does == XG_SIM_READS && bytes >= 8 &&
        (r->shared ? xg_sim_shadow_tiles(w, v, r) : xg_sim_shadow_rows(w, v, r, mask)))
        return true;
    if (strong ? xg_sim_shadow_strong(w, r, bytes)
               : does != XG_SIM_UPDATES && xg_sim_shadow_lanes(w, v, r, does == XG_SIM_WRITES))
        return true;
    for (i = 0; i < XG_SIM_WARP; i++) {
        const char *p;
        if (!(mask >> i & 1)) continue;
        p = xg_sim_reach_at(r, i);
        if (p == before && does == XG_SIM_READS) continue;
        before = p;
        if ((uint64_t)(p - w->shared) < w->l->shared_bytes) {
            if (!xg_sim_shadow_shared(w, v, in, i, bytes, (size_t)(p - w->shared), bytes, does, strong)) return false;
        } else if (xg_sim_in_last(w, (uint64_t)(uintptr_t)p, bytes) ||
                   xg_sim_find_buffer(w, (uint64_t)(uintptr_t)p, bytes)) {
            if (!xg_sim_shadow_global(w, v, in, i, bytes, (uint64_t)(uintptr_t)p, bytes, does, strong)) return false;
        } else if (w->cluster->n > 1 && !w->l->unchecked_shared) { /* another block's shared memory */
            xg_sim_worker *of = xg_sim_owner(w, p);
            if (of && !xg_sim_fresh_bytes(w, of, v, in, i, bytes, (size_t)(p - of->shared), bytes, does)) return false;
            if (of && does == XG_SIM_WRITES)
                xg_sim_set_bytes(of, (size_t)(p - of->shared), bytes, XG_SIM_WRITTEN, true);
        }
    }
    return true;
}

/* ---- loads and stores ---- */

#define XG_SIM_COPY_RUN(M, R) \
    for (i = 0; i < XG_SIM_WARP; i++) { \
        M x; \
        R y; \
        memcpy(&x, run + (size_t)i * step, sizeof x); \
        y = (R)x; \
        memcpy(slot + i * sizeof y, &y, sizeof y); \
    } \
    return
#define XG_SIM_COPY_LANES(M, R) \
    for (i = 0; i < XG_SIM_WARP; i++) \
        if (mask >> i & 1) { \
            M x; \
            R y; \
            memcpy(&x, xg_sim_reach_at(r, i) + at, sizeof x); \
            y = (R)x; \
            memcpy(slot + i * sizeof y, &y, sizeof y); \
        } \
    return
#define XG_SIM_BY_SIZE(COPY) \
    switch (size << 8 | (sgn ? 16u : 0) | bytes) { \
    case 0x102: COPY(uint8_t, uint16_t); \
    case 0x104: COPY(uint8_t, uint32_t); \
    case 0x108: COPY(uint8_t, uint64_t); \
    case 0x112: COPY(int8_t, int16_t); \
    case 0x114: COPY(int8_t, int32_t); \
    case 0x118: COPY(int8_t, int64_t); \
    case 0x202: \
    case 0x212: COPY(uint16_t, uint16_t); \
    case 0x204: COPY(uint16_t, uint32_t); \
    case 0x208: COPY(uint16_t, uint64_t); \
    case 0x214: COPY(int16_t, int32_t); \
    case 0x218: COPY(int16_t, int64_t); \
    case 0x404: \
    case 0x414: COPY(uint32_t, uint32_t); \
    case 0x408: COPY(uint32_t, uint64_t); \
    case 0x418: COPY(int32_t, int64_t); \
    default: COPY(uint64_t, uint64_t); \
    }
XG_FN void xg_sim_load_run(
    const xg_sim_moves *m, char *slot, uint32_t bytes, const char *run, uint32_t step, uint32_t size, bool sgn) {
    uint32_t i;
    if (size == bytes && step == size) {
        m->copy(slot, run, (size_t)XG_SIM_WARP * size);
        return;
    }
    XG_SIM_BY_SIZE(XG_SIM_COPY_RUN)
}
XG_FN void xg_sim_load_lanes(
    char *slot, uint32_t bytes, const xg_sim_reach *r, uint32_t at, uint32_t mask, uint32_t size, bool sgn) {
    uint32_t i;
    XG_SIM_BY_SIZE(XG_SIM_COPY_LANES)
}

XG_FN void xg_sim_store_run(
    const xg_sim_moves *m, const char *slot, size_t stride, char *run, uint32_t step, uint32_t size) {
    uint32_t i;
    if (size == stride && step == size)
        m->copy(run, slot, (size_t)XG_SIM_WARP * size);
    else if (size == 1)
        for (i = 0; i < XG_SIM_WARP; i++) run[(size_t)i * step] = slot[i * stride];
    else if (size == 2)
        for (i = 0; i < XG_SIM_WARP; i++) memcpy(run + (size_t)i * step, slot + i * stride, 2);
    else if (size == 4)
        for (i = 0; i < XG_SIM_WARP; i++) memcpy(run + (size_t)i * step, slot + i * stride, 4);
    else
        for (i = 0; i < XG_SIM_WARP; i++) memcpy(run + (size_t)i * step, slot + i * stride, 8);
}
XG_FN void xg_sim_store_lanes(
    const char *slot, size_t stride, const xg_sim_reach *r, uint32_t at, uint32_t mask, uint32_t size) {
    uint32_t i;
    if (size == 4 && mask == 0xFFFFFFFFu && r->shape == XG_SIM_FEW) {
        for (i = 0; i < XG_SIM_WARP; i++) memcpy(r->at + r->to.off[i] + at, slot + i * stride, 4);
        return;
    }
    for (i = 0; i < XG_SIM_WARP; i++)
        if (mask >> i & 1) {
            char *p = xg_sim_reach_at(r, i) + at;
            if (size == 4)
                memcpy(p, slot + i * stride, 4);
            else if (size == 2)
                memcpy(p, slot + i * stride, 2);
            else if (size == 8)
                memcpy(p, slot + i * stride, 8);
            else
                *p = slot[i * stride];
        }
}
/* Two or four items a lane, side by side, each as wide as its register: rows of pairs are taken apart, once or
 * twice. */
XG_FN void xg_sim_load_vectors(
    const xg_sim_moves *m, char *regs, const uint32_t *list, uint32_t n, const char *run, uint32_t size) {
    char low[512], high[512];
    if (n == 2) {
        m->split(regs + list[0], regs + list[1], run, size);
        return;
    }
    m->split(low, high, run, 2 * size);
    m->split(regs + list[0], regs + list[1], low, size);
    m->split(regs + list[2], regs + list[3], high, size);
}
XG_FN void xg_sim_store_vectors(const xg_sim_moves *m, const char *const *slots, uint32_t n, char *run, uint32_t size) {
    char low[512], high[512];
    if (n == 2) {
        m->join(run, slots[0], slots[1], size);
        return;
    }
    m->join(low, slots[0], slots[1], size);
    m->join(high, slots[2], slots[3], size);
    m->join(run, low, high, 2 * size);
}

/* 32 times the same 4 or 8 bytes. */
XG_FN void xg_sim_fill_slot(const xg_sim_worker *w, char *slot, const char *value, uint32_t size) {
    uint32_t i;
    if (size == 4) {
        uint32_t x;
        memcpy(&x, value, 4);
        w->m->moves->fill((uint32_t *)(void *)slot, XG_SIM_WARP, x);
        return;
    }
    for (i = 0; i < 4; i++) memcpy(slot + i * 8, value, 8);
    w->m->moves->copy(slot + 32, slot, 32); /* doubling what is there */
    w->m->moves->copy(slot + 64, slot, 64);
    w->m->moves->copy(slot + 128, slot, 128);
}
XG_FN void xg_sim_full_fence(void) {
#if XG_SIM_ATOMICS
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

/* Lanes of one store that leave different values at one place: which one stays is not defined. */
XG_FN bool xg_sim_lanes_agree(
    xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, const xg_sim_reach *r, uint32_t mask, uint32_t size) {
    char there[4 * XG_SIM_WARP];
    uint32_t i, e;
    if (r->shape == XG_SIM_RUN || w->l->unchecked_races || in->imm2 & XG_SIM_M_STRONG ||
        (in->imm2 & XG_SIM_M_SPACE) > XG_SIM_SHARED)
        return true;
    for (e = 0; e < in->n; e++) {
        const char *slot = xg_sim_slot(w, v, w->m->list[in->list + e]);
        if (r->shape == XG_SIM_FEW && mask == 0xFFFFFFFFu && size == 4 && in->dbytes == 4) {
            w->m->moves->gather(there, r->at + e * size, r->to.off);
            if (memcmp(there, slot, sizeof there) == 0) continue;
        }
        for (i = 0; i < XG_SIM_WARP; i++) {
            if (!(mask >> i & 1) || memcmp(xg_sim_reach_at(r, i) + e * size, slot + (size_t)i * in->dbytes, size) == 0)
                continue;
            xg_sim_fault(w, v, in, i, XG_SIM_FAULT_RACE,
                "this write and another one by a lane of the same warp, with the same instruction, put different "
                "values at one place");
            return false;
        }
    }
    return true;
}

XG_FN void xg_sim_exec_access(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    bool store = in->kind == XG_SIM_K_ST;
    uint32_t size = 1u << (in->imm2 >> XG_SIM_M_SIZE & 7), n = in->n, total = size * n, e;
    const uint32_t *list = w->m->list + in->list;
    xg_sim_reach r;
    if (!xg_sim_reach_warp(w, v, in, xg_sim_slot(w, v, in->a), in->imm, (in->imm2 & XG_SIM_M_WIDE) != 0,
            (xg_sim_space)(in->imm2 & XG_SIM_M_SPACE), mask, total, store, &r))
        return;
    if ((in->imm2 & XG_SIM_M_SPACE) <= XG_SIM_SHARED &&
        !xg_sim_shadow(
            w, v, in, &r, mask, total, store ? XG_SIM_WRITES : XG_SIM_READS, (in->imm2 & XG_SIM_M_STRONG) != 0))
        return;
    if (r.shared) {
        if (store)
            w->stats.shared_stores++;
        else
            w->stats.shared_loads++;
    } else if ((in->imm2 & XG_SIM_M_SPACE) <= XG_SIM_GLOBAL) {
        if (store)
            w->stats.global_stores++;
        else
            w->stats.global_loads++;
    }
    if (in->imm2 & XG_SIM_M_FENCE) xg_sim_synchronised(w);
    if (in->imm2 & XG_SIM_M_FENCE && store) xg_sim_full_fence();
    if (r.shape == XG_SIM_RUN && (n == 2 || n == 4) && size == in->dbytes) {
        const char *slots[4];
        for (e = 0; store && e < n; e++) slots[e] = xg_sim_slot(w, v, list[e]);
        if (store)
            xg_sim_store_vectors(w->m->moves, slots, n, r.at, size);
        else
            xg_sim_load_vectors(w->m->moves, v->regs, list, n, r.at, size);
    } else
        for (e = 0; e < n; e++) {
            if (store) {
                const char *slot = xg_sim_slot(w, v, list[e]);
                if (r.shape == XG_SIM_RUN)
                    xg_sim_store_run(w->m->moves, slot, in->dbytes, r.at + e * size, total, size);
                else
                    xg_sim_store_lanes(slot, in->dbytes, &r, e * size, mask, size);
            } else {
                char *slot = v->regs + list[e];
                if (r.shape == XG_SIM_RUN)
                    xg_sim_load_run(
                        w->m->moves, slot, in->dbytes, r.at + e * size, total, size, (in->imm2 & XG_SIM_M_SIGNED) != 0);
                else if (r.shape == XG_SIM_FEW && size == 4 && in->dbytes == 4 && mask == 0xFFFFFFFFu)
                    w->m->moves->gather(slot, r.at + e * size, r.to.off);
                else if (r.shape == XG_SIM_ONE && size == in->dbytes && size >= 4 && mask == 0xFFFFFFFFu)
                    xg_sim_fill_slot(w, slot, r.at + e * size, size);
                else
                    xg_sim_load_lanes(slot, in->dbytes, &r, e * size, mask, size, (in->imm2 & XG_SIM_M_SIGNED) != 0);
            }
        }
    if (store && !xg_sim_lanes_agree(w, v, in, &r, mask, size)) return;
    if (in->imm2 & XG_SIM_M_FENCE && !store) xg_sim_full_fence();
}

/* ld.param of a kernel: the same bytes for every lane. */
XG_FN void xg_sim_exec_param(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    uint32_t size = 1u << (in->imm2 >> XG_SIM_M_SIZE & 7), e;
    xg_sim_reach r;
    r.shape = XG_SIM_ONE;
    for (e = 0; e < in->n; e++) {
        char *slot = v->regs + w->m->list[in->list + e];
        if (mask == 0xFFFFFFFFu && size == in->dbytes && size >= 4) {
            xg_sim_fill_slot(w, slot, w->params + in->imm + e * size, size);
            continue;
        }
        r.at = w->params + in->imm + e * size;
        xg_sim_load_lanes(slot, in->dbytes, &r, 0, mask, size, (in->imm2 & XG_SIM_M_SIGNED) != 0);
    }
}

#endif /* XG_SIM_MEMORY_C */
/* sim/atomics.c -- atomic operations, copies by cp.async and cvta: what reaches memory but is no load or store. */
#ifndef XG_SIM_ATOMICS_C
#define XG_SIM_ATOMICS_C

XG_FN uint64_t xg_sim_atomic_value(xg_sim_atom op, xg_sim_type t, uint64_t old, uint64_t b, uint64_t c) {
    bool sgn = xg_sim_types[t].cls == 'S';
    uint32_t bits = xg_sim_types[t].bits;
    if (xg_sim_types[t].cls == 'F' || xg_sim_types[t].cls == 'V') {
        if (op <= XG_SIM_A_MAX) {
            uint32_t h = (op == XG_SIM_A_ADD      ? XG_SIM_H_ADD
                             : op == XG_SIM_A_MIN ? XG_SIM_H_MIN
                                                  : XG_SIM_H_MAX) |
                         (t == XG_SIM_BF16 || t == XG_SIM_BF16X2 ? (uint32_t)XG_SIM_H_BF16 : 0u);
            if (t == XG_SIM_F32) return xg_sim_soft_add(XG_SIM_IS_F32, old, b, XG_SIM_RN);
            if (t == XG_SIM_F64) return xg_sim_soft_add(XG_SIM_IS_F64, old, b, XG_SIM_RN);
            return xg_sim_types[t].bytes == 4 ? xg_sim_halves((uint32_t)old, (uint32_t)b, 0, h)
                                              : xg_sim_half((uint32_t)old, (uint32_t)b, 0, h);
        }
    }
    switch (op) {
    case XG_SIM_A_ADD: return old + b;
    case XG_SIM_A_MIN:
    case XG_SIM_A_MAX: {
        bool less = sgn ? (int64_t)(old << (64 - bits)) < (int64_t)(b << (64 - bits)) : old < b;
        return less == (op == XG_SIM_A_MIN) ? old : b;
    }
    case XG_SIM_A_AND: return old & b;
    case XG_SIM_A_OR: return old | b;
    case XG_SIM_A_XOR: return old ^ b;
    case XG_SIM_A_EXCH: return b;
    case XG_SIM_A_CAS: return old == b ? c : old;
    case XG_SIM_A_INC: return old >= b ? 0 : old + 1;
    default: return old == 0 || old > b ? b : old - 1;
    }
}

#if XG_SIM_ATOMICS
#define XG_SIM_ATOMIC_AS(T) \
    do { \
        T old_, new_; \
        __atomic_load((T *)(void *)p, &old_, __ATOMIC_SEQ_CST); \
        do new_ = (T)xg_sim_atomic_value(op, t, old_, b, c); \
        while (!__atomic_compare_exchange((T *)(void *)p, &old_, &new_, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)); \
        return old_; \
    } while (0)
#else
#define XG_SIM_ATOMIC_AS(T) \
    do { \
        T old_, new_; \
        memcpy(&old_, p, sizeof old_); \
        new_ = (T)xg_sim_atomic_value(op, t, old_, b, c); \
        memcpy(p, &new_, sizeof new_); \
        return old_; \
    } while (0)
#endif
XG_FN uint64_t xg_sim_atomic(char *p, xg_sim_atom op, xg_sim_type t, uint64_t b, uint64_t c) {
    if (xg_sim_types[t].bytes == 2) XG_SIM_ATOMIC_AS(uint16_t);
    if (xg_sim_types[t].bytes == 4) XG_SIM_ATOMIC_AS(uint32_t);
    XG_SIM_ATOMIC_AS(uint64_t);
}

/* 32-bit additions in shared memory, which no other worker sees: histograms. */
XG_FN void xg_sim_atom_add32(
    xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, const xg_sim_reach *r, uint32_t mask) {
    const uint32_t *list = w->m->list + in->list;
    const char *b = xg_sim_slot(w, v, list[0]);
    uint32_t i, old, x;
    for (i = 0; i < XG_SIM_WARP; i++) {
        char *p;
        if (!(mask >> i & 1)) continue;
        p = xg_sim_reach_at(r, i);
        memcpy(&old, p, 4);
        memcpy(&x, b + i * 4, 4);
        x += old;
        memcpy(p, &x, 4);
        if (in->n > 1) memcpy(v->regs + list[1] + (size_t)i * 4, &old, 4);
    }
}
/* 128 bits: exch and cas, one worker at a time. */
XG_FN void xg_sim_atom_wide(
    xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, const xg_sim_reach *r, uint32_t mask) {
    const uint32_t *list = w->m->list + in->list, cas = in->op == XG_SIM_A_CAS;
    uint32_t *lock = w->l->memory ? &w->l->memory->wide_lock : NULL, i, e;
    for (i = 0; i < XG_SIM_WARP; i++) {
        uint64_t x[4], old[2];
        char *p;
        if (!(mask >> i & 1)) continue;
        p = xg_sim_reach_at(r, i);
        for (e = 0; e < in->d2bytes; e++) memcpy(&x[e], xg_sim_slot(w, v, list[e]) + (size_t)i * 8, 8);
        while (lock && !xg_sim_counter_swap(lock, 0, 1)) {}
        memcpy(old, p, 16);
        if (!cas || memcmp(old, x, 16) == 0) memcpy(p, x + 2 * cas, 16);
        if (lock) XG_SIM_COUNTER_SET(lock, 0);
        for (e = 0; e < 2; e++) memcpy(v->regs + list[in->d2bytes + e] + (size_t)i * 8, &old[e], 8);
    }
}
XG_FN void xg_sim_exec_atom(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    uint32_t bytes = in->dbytes, n = in->d2bytes, i, e, all;
    const uint32_t *list = w->m->list + in->list;
    xg_sim_type t = (xg_sim_type)(in->imm2 >> 16);
    xg_sim_reach r;
    all = t == XG_SIM_B128 ? 16 : bytes * n;
    if (!xg_sim_reach_warp(w, v, in, xg_sim_slot(w, v, in->a), in->imm, (in->imm2 & XG_SIM_M_WIDE) != 0,
            (xg_sim_space)(in->imm2 & XG_SIM_M_SPACE), mask, all, true, &r))
        return;
    if (!xg_sim_shadow(w, v, in, &r, mask, all, in->op == XG_SIM_A_EXCH ? XG_SIM_WRITES : XG_SIM_UPDATES, true)) return;
    if (in->imm2 & XG_SIM_M_FENCE) xg_sim_synchronised(w);
    w->stats.atomics++;
    w->stats.atomic_conflicts += xg_sim_popc(mask) - xg_sim_count_places(&r, mask);
    if (t == XG_SIM_B128) {
        xg_sim_atom_wide(w, v, in, &r, mask);
        return;
    }
    if (r.shared && r.shape != XG_SIM_ANY && in->op == XG_SIM_A_ADD && n == 1 && bytes == 4 &&
        (t == XG_SIM_U32 || t == XG_SIM_S32 || t == XG_SIM_B32)) {
        xg_sim_atom_add32(w, v, in, &r, mask);
        return;
    }
    for (i = 0; i < XG_SIM_WARP; i++) {
        char *p;
        uint64_t b[8], c = 0, old;
        if (!(mask >> i & 1)) continue;
        p = xg_sim_reach_at(&r, i);
        for (e = 0; e < n; e++) {
            b[e] = 0;
            memcpy(&b[e], xg_sim_slot(w, v, list[e]) + (size_t)i * bytes, bytes);
        }
        if (in->flags & 32) memcpy(&c, xg_sim_slot(w, v, in->c) + (size_t)i * bytes, bytes);
        for (e = 0; e < n; e++) {
            old = xg_sim_atomic(p + e * bytes, (xg_sim_atom)in->op, t, b[e], c);
            if (in->n > n) memcpy(v->regs + list[n + e] + (size_t)i * bytes, &old, bytes);
        }
    }
}

/* May these lanes write there? Lanes of one cp.async that name the same place agree or not: nothing tells. */
XG_FN bool xg_sim_copy_shadow(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, const xg_sim_reach *to,
    uint32_t mask, uint32_t size) {
    xg_sim_marks m;
    uint32_t i;
    if (w->l->unchecked_shared && w->l->unchecked_races) return true;
    m = xg_sim_marks_shared(w);
    for (i = 0; i < XG_SIM_WARP; i++) {
        const size_t at = mask >> i & 1 ? (size_t)(xg_sim_reach_at(to, i) - w->shared) : 0;
        if (!(mask >> i & 1) || xg_sim_copy_claim(w, v, &m, at, size)) continue;
        if (!xg_sim_shadow_shared(w, v, in, i, size, at, size, XG_SIM_WRITES, false)) return false;
    }
    return true;
}
/* cp.async: at once; what the source does not give is zero. */
XG_FN void xg_sim_exec_copy(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    xg_sim_reach to, from;
    uint32_t i, size = in->imm, reading = mask;
    uint32_t given[XG_SIM_WARP];
    for (i = 0; i < XG_SIM_WARP; i++) {
        given[i] = size;
        if (in->flags & 32) memcpy(&given[i], xg_sim_slot(w, v, in->c) + i * 4, 4);
        if (given[i] > size) {
            if (mask >> i & 1) {
                xg_sim_fault(w, v, in, i, XG_SIM_FAULT_OPERAND,
                    "cp.async with a source size of %u, more than its %u bytes", given[i], size);
                return;
            }
            given[i] = 0;
        }
        if (!given[i]) reading &= ~(1u << i);
    }
    if (!xg_sim_reach_warp(w, v, in, xg_sim_slot(w, v, in->a), 0, in->imm2 != 0, XG_SIM_SHARED, mask, size, true, &to))
        return;
    if (reading &&
        !xg_sim_reach_warp(w, v, in, xg_sim_slot(w, v, in->b), 0, true, XG_SIM_GLOBAL, reading, size, false, &from))
        return;
    if (reading && !xg_sim_shadow(w, v, in, &from, reading, size, XG_SIM_READS, false)) return;
    if (!xg_sim_copy_shadow(w, v, in, &to, mask, size)) return;
    w->stats.global_loads++;
    w->stats.shared_stores++;
    for (i = 0; i < XG_SIM_WARP; i++) {
        char *d;
        if (!(mask >> i & 1)) continue;
        d = xg_sim_reach_at(&to, i);
        xg_sim_copy_issue(w, v->id * XG_SIM_WARP + i, (size_t)(d - w->shared), size);
        if (given[i] == 16) {
            memcpy(d, xg_sim_reach_at(&from, i), 16);
            continue;
        }
        memset(d, 0, size);
        if (reading >> i & 1) memcpy(d, xg_sim_reach_at(&from, i), given[i]);
    }
}

/* cvta and isspacep. */
XG_FN void xg_sim_exec_space(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    const char *src = xg_sim_slot(w, v, in->a);
    char *dst = v->regs + in->d;
    xg_sim_space space = (xg_sim_space)(in->imm & 255);
    uint32_t how = in->imm >> 8, i;
    for (i = 0; i < XG_SIM_WARP; i++) {
        uint64_t a, base, bytes;
        if (!(mask >> i & 1)) continue;
        memcpy(&a, src + i * 8, 8);
        base = space == XG_SIM_SHARED  ? (uint64_t)(uintptr_t)w->shared
               : space == XG_SIM_PARAM ? (uint64_t)(uintptr_t)w->params
               : space == XG_SIM_LOCAL
                   ? (uint64_t)(uintptr_t)w->local + ((uint64_t)v->id * XG_SIM_WARP + i) * w->l->local_bytes
                   : 0;
        bytes = space == XG_SIM_SHARED  ? w->l->shared_bytes
                : space == XG_SIM_PARAM ? w->l->param_bytes
                                        : w->l->local_bytes;
        if (how == 2) {
            uint64_t shared = (uint64_t)(uintptr_t)w->shared,
                     local = (uint64_t)(uintptr_t)w->local + ((uint64_t)v->id * XG_SIM_WARP + i) * w->l->local_bytes;
            const xg_sim_buffer *g = xg_sim_memory_find(&w->m->globals, a);
            bool yes = base ? a - base < bytes
                            : a - shared >= w->l->shared_bytes && a - local >= w->l->local_bytes &&
                                  (space == XG_SIM_CONST) == (g && g->readonly);
            int32_t m = yes ? -1 : 0;
            memcpy(dst + i * 4, &m, 4);
        } else {
            a = how == 0 ? a + base : a - base;
            memcpy(dst + i * 8, &a, 8);
        }
    }
}

#endif /* XG_SIM_ATOMICS_C */
/* sim/fast.c -- loads, stores and shuffles of whole warps, the short way.
 *
 * Most accesses are of 32 lanes side by side, in one buffer and aligned, or scattered words of shared memory, and race
 * with nothing. For these all of memory.c is here in straight functions for hosts with AVX2, which serve all warps of a
 * group: the same questions, the same counters, the same tags. They are chosen when a module is loaded
 * (xg_sim_fast_choose in warp.c) and stand in the records as the functions of arithmetic do; a warp that is alone or
 * has sleeping lanes goes the long way.
 *
 * Law: where a function of one warp says false nothing has happened that memory.c would not do again; every case of
 * doubt is false, and every fault is found there. */
#ifndef XG_SIM_FAST_C
#define XG_SIM_FAST_C

#if XG_SIM_X86
#define XG_SIM_FAST_FN __attribute__((target(XG_SIM_AVX2_TARGET))) XG_FN

/* A record and the warps that execute it. */
typedef struct xg_sim_fast {
    xg_sim_worker *w;
    xg_sim_warp *v;
    const xg_sim_ins *in;
    const uint32_t *list;
    char *regs; /* of the first warp; the others' follow, stride bytes apart */
    size_t stride;
    uint32_t warps, n, size, each, all; /* items of a lane and bytes of an item, a lane, a warp */
    bool write;
} xg_sim_fast;

/* ---- moving ---- */

XG_M256_FN void xg_sim_fast_take(char *regs, const uint32_t *list, const char *at, uint32_t n, uint32_t size) {
    char low[512], high[512];
    if (n == 1) {
        xg_sim_avx2_copy(regs + list[0], at, (size_t)size * XG_SIM_WARP);
        return;
    }
    if (n == 2) {
        xg_sim_avx2_split(regs + list[0], regs + list[1], at, size);
        return;
    }
    xg_sim_avx2_split(low, high, at, 2 * size);
    xg_sim_avx2_split(regs + list[0], regs + list[1], low, size);
    xg_sim_avx2_split(regs + list[2], regs + list[3], high, size);
}
XG_M256_FN void xg_sim_fast_give(char *at, const char *const *from, uint32_t n, uint32_t size) {
    char low[512], high[512];
    if (n == 1) {
        xg_sim_avx2_copy(at, from[0], (size_t)size * XG_SIM_WARP);
        return;
    }
    if (n == 2) {
        xg_sim_avx2_join(at, from[0], from[1], size);
        return;
    }
    xg_sim_avx2_join(low, from[0], from[1], size);
    xg_sim_avx2_join(high, from[2], from[3], size);
    xg_sim_avx2_join(at, low, high, 2 * size);
}
/* Loops of a known length for each shape, in one function: inlined it would be most of the code. */
#define XG_SIM_FAST_SHAPES(X) \
    X(1, 1) X(1, 2) X(1, 4) X(1, 8) X(2, 1) X(2, 2) X(2, 4) X(2, 8) X(4, 1) X(4, 2) X(4, 4) X(4, 8)
XG_SIM_FAST_FN void xg_sim_fast_move(const xg_sim_fast *f, char *regs, char *at) {
    const uint32_t *list = f->list;
    if (!f->write) switch (f->n << 4 | f->size) {
#define X(n, size) \
    case n << 4 | size: xg_sim_fast_take(regs, list, at, n, size); break;
            XG_SIM_FAST_SHAPES(X)
#undef X
        }
    else {
        const char *from[4];
        uint32_t e;
        for (e = 0; e < f->n; e++) from[e] = list[e] & 1 ? f->w->m->consts + (list[e] - 1) : regs + list[e];
        switch (f->n << 4 | f->size) {
#define X(n, size) \
    case n << 4 | size: xg_sim_fast_give(at, from, n, size); break;
            XG_SIM_FAST_SHAPES(X)
#undef X
        }
    }
}

/* One word of each lane: most accesses. */
XG_M256_FN void xg_sim_fast_row(const xg_sim_fast *f, char *regs, char *at) {
    const uint32_t slot = f->list[0];
    if (!f->write)
        xg_sim_avx2_copy(regs + slot, at, 128);
    else
        xg_sim_avx2_copy(at, slot & 1 ? f->w->m->consts + (slot - 1) : regs + slot, 128);
}
XG_M256_FN bool xg_sim_fast_is_row(const xg_sim_fast *f) { return f->n == 1 && f->size == 4; }

/* ---- global memory ---- */

/* Two lines whose four tags are all from before the launch: the usual case. */
XG_M256_FN bool xg_sim_fast_two_lines(const xg_sim_marks *m, uint32_t *tags, uint32_t mine, bool write) {
    const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)tags),
                  least = _mm_setr_epi32(write ? 0 : (int)m->least, 0, write ? 0 : (int)m->least, 0);
    const __m128i wrong = _mm_or_si128(
        _mm_cmpeq_epi32(_mm_max_epu32(x, _mm_set1_epi32((int)m->floor)), x), _mm_xor_si128(_mm_max_epu32(x, least), x));
    if (!_mm_testz_si128(wrong, wrong)) return false;
    XG_SIM_LINE_SET(&tags[!write], mine);
    XG_SIM_LINE_SET(&tags[2 + !write], mine);
    return true;
}
XG_M256_FN bool xg_sim_fast_line(const xg_sim_marks *m, uint32_t *tags, uint32_t mine, bool write) {
    const uint32_t wt = XG_SIM_LINE_GET(&tags[0]), rt = XG_SIM_LINE_GET(&tags[1]), past = m->tag - m->block;
    uint32_t next;
    if (!(wt < m->floor || wt - m->block < past || wt == mine) || (!write && wt < m->least)) return false;
    if (write) {
        if (!(rt < m->floor || (rt - m->block < past && !(rt & XG_SIM_TAG_FOREIGN)) || rt == mine)) return false;
        if (wt != mine) XG_SIM_LINE_SET(&tags[0], mine);
        return true;
    }
    if (rt >= XG_SIM_BUSY_LINE) return false;
    next = rt == mine || rt < m->floor ? mine : xg_sim_read_tag(m, rt, mine, XG_SIM_PART_ALL);
    if (next != rt) XG_SIM_LINE_SET(&tags[1], next);
    return true;
}
/* Whole lines. */
XG_M256_FN bool xg_sim_fast_lines(const xg_sim_marks *m, uint64_t at, uint32_t bytes, uint32_t warp, bool write) {
    uint32_t *tags = m->line_w + 2 * (at / 64), *end = tags + 2 * (bytes / 64), mine = m->tag | warp;
    if ((at | bytes) & 63) return false;
    for (; end - tags >= 4 && xg_sim_fast_two_lines(m, tags, mine, write); tags += 4) {}
    for (; tags < end; tags += 2)
        if (!xg_sim_fast_line(m, tags, mine, write)) return false;
    return true;
}
/* Memory is far away. The lines that the group will reach at this record next time, if it goes on as it came here, are
 * asked for now; those that it is about to reach too, unless they were foreseen last time. */
XG_M256_FN void xg_sim_fast_ahead(const xg_sim_fast *f, const xg_sim_buffer *b, const char *slot) {
    xg_sim_recent *before = &f->w->recent_at[(f->in->e + f->v->id / XG_SIM_TOGETHER * 7) % XG_SIM_RECENT];
    const uint64_t first = xg_sim_lane_address(slot, 0, true, f->in->imm), step = first - before->at;
    const bool foreseen = step == before->step;
    uint32_t k, at;
    before->at = first;
    before->step = step;
    for (k = 0; k < f->warps; k++, slot += f->stride) {
        const uint64_t a = xg_sim_lane_address(slot, 0, true, f->in->imm), later = a + step;
        if (!foreseen && k)
            XG_UNROLL(2) for (at = 0; at < f->all; at += 64) __builtin_prefetch((const char *)(uintptr_t)(a + at));
        XG_UNROLL(2) for (at = 0; at < f->all; at += 64) __builtin_prefetch((const char *)(uintptr_t)(later + at));
        if (b && b->shadow && (a ^ later) >> 9 && later - b->base < b->bytes)
            __builtin_prefetch(b->shadow + 2 * ((later - b->base) / 64));
    }
}
/* A word of each lane, of which 16 and 16 stand side by side, as in a block of 16 by 16 threads: two lines of the
 * buffer b. */
XG_SIM_FAST_FN bool xg_sim_fast_halves(const xg_sim_fast *f, const xg_sim_buffer *b, const xg_sim_marks *m,
    const char *slot, char *regs, uint32_t warp, bool asked) {
    const uint64_t low = xg_sim_lane_address(slot, 0, true, f->in->imm),
                   high = xg_sim_lane_address(slot, 16, true, f->in->imm);
    const uint32_t at = f->list[0];
    const char *from;
    if ((low | high) & 63 || low == high || !xg_sim_avx2_beside64_halves(slot, 4) || high - b->base > b->bytes - 64)
        return false;
    if (asked && !(xg_sim_fast_lines(m, low - b->base, 64, warp, f->write) &&
                     xg_sim_fast_lines(m, high - b->base, 64, warp, f->write)))
        return false;
    f->w->stats.sectors += 4;
    f->w->stats.minimum_sectors += 4;
    f->w->stats.global_transactions += 1 + ((low ^ high) >> 7 != 0);
    if (f->write)
        f->w->stats.global_stores++;
    else
        f->w->stats.global_loads++;
    if (!f->write) {
        xg_sim_avx2_copy(regs + at, (const char *)(uintptr_t)low, 64);
        xg_sim_avx2_copy(regs + at + 64, (const char *)(uintptr_t)high, 64);
        return true;
    }
    from = at & 1 ? f->w->m->consts + (at - 1) : regs + at;
    xg_sim_avx2_copy((char *)(uintptr_t)low, from, 64);
    xg_sim_avx2_copy((char *)(uintptr_t)high, from + 64, 64);
    return true;
}
XG_M256_FN void xg_sim_fast_global(const xg_sim_fast *f) {
    xg_sim_worker *w = f->w;
    const xg_sim_buffer **cached = &w->recent[f->in->e % XG_SIM_RECENT], *b = *cached;
    const char *slot = f->regs + f->in->a;
    const uint32_t all = f->all;
    uint64_t sectors = 0, lines = 0;
    uint32_t k, done = 0;
    bool usable = false, asked = false; /* of b: nothing speaks against the short way; its shadow is to be asked */
    xg_sim_marks m;
    memset(&m, 0, sizeof m);
    m.floor = w->launch_tag;
    m.block = w->block_tag;
    m.tag = w->tag;
    m.least = w->l->unchecked_global ? 0 : 1;
    xg_sim_fast_ahead(f, b, slot);
    for (k = 0; k < f->warps; k++, slot += f->stride) {
        const uint64_t a = xg_sim_lane_address(slot, 0, true, f->in->imm);
        if (!usable || a - b->base > b->bytes - all) {
            if (!b || b->bytes < all || a - b->base > b->bytes - all) b = xg_sim_memory_find(w->l->memory, a);
            asked = b && b->shadow && !(w->l->unchecked_global && !w->tracked);
            usable = b && b->bytes >= all && a - b->base <= b->bytes - all && !(f->write && b->readonly) &&
                     (!asked || (w->tracked && !b->readonly));
            if (usable) {
                *cached = b;
                m.line_w = b->shadow;
            }
        }
        if (!usable || a & (f->each - 1) || !xg_sim_avx2_beside64(slot, f->each) ||
            (asked && !xg_sim_fast_lines(&m, a - b->base, all, (f->v->id + k) & 31, f->write))) {
            if (!(usable && xg_sim_fast_is_row(f) &&
                    xg_sim_fast_halves(f, b, &m, slot, f->regs + k * f->stride, (f->v->id + k) & 31, asked)))
                xg_sim_exec_access(w, &f->v[k], f->in, 0xFFFFFFFFu);
            continue;
        }
        sectors += f->each + ((a & 31) != 0);
        lines += ((a + all - 1) >> 7) - (a >> 7) + 1;
        done++;
        if (xg_sim_fast_is_row(f))
            xg_sim_fast_row(f, f->regs + k * f->stride, (char *)(uintptr_t)a);
        else
            xg_sim_fast_move(f, f->regs + k * f->stride, (char *)(uintptr_t)a);
    }
    w->stats.sectors += sectors;
    w->stats.global_transactions += lines;
    w->stats.minimum_sectors += (uint64_t)done * f->each;
    if (f->write)
        w->stats.global_stores += done;
    else
        w->stats.global_loads += done;
}

/* ---- shared memory ---- */

/* The tags of 32 scattered words all in [least, below)? */
XG_M256_FN bool xg_sim_fast_within(const uint32_t *tags, const uint32_t *off, uint32_t least, uint32_t below) {
    uint32_t found[XG_SIM_WARP];
    xg_sim_avx2_gather((char *)found, (const char *)tags, off);
    return xg_sim_avx2_within(found, XG_SIM_WARP, least, below);
}
/* What a warp does to words side by side, or to scattered ones: nothing to be seen is the usual case; else shadow.c is
 * asked. */
XG_M256_FN bool xg_sim_fast_words(xg_sim_worker *w, uint32_t k, uint32_t n, uint32_t warp, bool write) {
    const uint32_t mine = w->shared_tag | warp;
    uint32_t *writers = w->marks + k;
    xg_sim_marks m;
    if (!write && xg_sim_avx2_within(writers, n, w->shared_block, w->shared_tag)) {
        xg_sim_shared_read(w, mine, XG_SIM_READ_STEPS, 4 * k, n, 4);
        return true;
    }
    if (write && !w->n_reads && !w->readers && xg_sim_avx2_within(writers, n, 0, w->shared_tag)) {
        xg_sim_avx2_fill(writers, n, mine);
        return true;
    }
    m = xg_sim_marks_shared(w);
    return xg_sim_track_quads(&xg_sim_moves_avx2, &m, k, n, mine, write);
}
XG_SIM_FAST_FN bool xg_sim_fast_lanes(xg_sim_worker *w, const uint32_t *off, uint32_t warp, bool write) {
    const uint32_t mine = w->shared_tag | warp;
    xg_sim_marks m;
    if (!write && xg_sim_fast_within(w->marks, off, w->shared_block, w->shared_tag)) {
        if (xg_sim_avx2_beside32((const char *)off, off[1] - off[0]))
            xg_sim_shared_read(w, mine, XG_SIM_READ_STEPS, off[0], XG_SIM_WARP, off[1] - off[0]);
        else
            xg_sim_avx2_copy(
                (char *)xg_sim_shared_read_row(w, mine, XG_SIM_READ_LANES), (const char *)off, 4 * XG_SIM_WARP);
        return true;
    }
    m = xg_sim_marks_shared(w);
    return xg_sim_track_lanes(&xg_sim_moves_avx2, &m, off, mine, write);
}
/* A load of words of which some 32 side by side have all. */
XG_SIM_FAST_FN bool xg_sim_fast_near(
    xg_sim_worker *w, char *to, const uint32_t *off, uint32_t least, uint32_t words, uint32_t warp, bool asked) {
    const uint32_t base = XG_MIN(least, w->l->shared_bytes / 4 * 4 - 128); /* never behind the end */
    if (asked && xg_sim_avx2_within(w->marks + least / 4, (words + 3) & ~3u, w->shared_block, w->shared_tag))
        xg_sim_shared_read(w, w->shared_tag | warp, XG_SIM_READ_BITS, least, 0, xg_sim_avx2_banks(off, least));
    else if (asked && !xg_sim_fast_lanes(w, off, warp, false))
        return false;
    xg_sim_avx2_gather_near(to, w->shared, off, base);
    return true;
}
XG_SIM_FAST_FN bool xg_sim_fast_scattered(
    const xg_sim_fast *f, char *regs, const char *slot, uint32_t warp, bool asked) {
    xg_sim_worker *w = f->w;
    uint32_t off[XG_SIM_WARP], i, least, words;
    const char *from;
    bool apart;
    if (f->n != 1 || f->size != 4 || !xg_sim_avx2_inside32(off, slot, f->in->imm, w->l->shared_bytes - 4, 3))
        return false;
    if (!f->write && xg_sim_avx2_in_a_row(off, &least, &words) && w->l->shared_bytes >= 128)
        return xg_sim_fast_near(w, regs + f->list[0], off, least, words, warp, asked);
    apart = xg_sim_avx2_all_banks(off); /* no two lanes at one place */
    if (!apart && !xg_sim_avx2_one_pass(off)) return false;
    if (f->write && xg_sim_avx2_beside32(slot, 0)) return false;
    if (asked && !xg_sim_fast_lanes(w, off, warp, f->write)) return false;
    if (!f->write) {
        xg_sim_avx2_gather(regs + f->list[0], w->shared, off);
        return true;
    }
    from = f->list[0] & 1 ? w->m->consts + (f->list[0] - 1) : regs + f->list[0];
    for (i = 0; i < XG_SIM_WARP; i++) memcpy(w->shared + off[i], from + i * 4, 4);
    if (!w->l->unchecked_races && !apart)
        for (i = 0; i < XG_SIM_WARP; i++)
            if (memcmp(w->shared + off[i], from + i * 4, 4) != 0) return false;
    return true;
}
/* One word of each lane, `step` bytes apart, an odd number of words: no two are in one bank. */
XG_SIM_FAST_FN bool xg_sim_fast_steps(
    const xg_sim_fast *f, char *regs, uint32_t at, uint32_t step, uint32_t warp, bool asked) {
    xg_sim_worker *w = f->w;
    const uint32_t mine = w->shared_tag | warp;
    uint32_t tags[XG_SIM_WARP], i;
    const char *from;
    if (asked) {
        if (f->write && (w->n_reads || w->readers)) return false;
        xg_sim_avx2_gather_steps((char *)tags, (const char *)w->marks + at, step);
        if (!xg_sim_avx2_within(tags, XG_SIM_WARP, f->write ? 0 : w->shared_block, w->shared_tag)) return false;
        if (!f->write)
            xg_sim_shared_read(w, mine, XG_SIM_READ_STEPS, at, XG_SIM_WARP, step);
        else
            for (i = 0; i < XG_SIM_WARP; i++) w->marks[(at + i * step) / 4] = mine;
    }
    if (!f->write) {
        xg_sim_avx2_gather_steps(regs + f->list[0], w->shared + at, step);
        return true;
    }
    from = f->list[0] & 1 ? w->m->consts + (f->list[0] - 1) : regs + f->list[0];
    for (i = 0; i < XG_SIM_WARP; i++) memcpy(w->shared + at + i * step, from + i * 4, 4);
    return true;
}
/* Items of all lanes side by side. */
XG_M256_FN bool xg_sim_fast_beside(const xg_sim_fast *f, char *regs, uint32_t a, uint32_t warp, bool asked) {
    xg_sim_worker *w = f->w;
    if (a & (f->each - 1) || a & 3 || w->l->shared_bytes < f->all || a > w->l->shared_bytes - f->all) return false;
    if (asked && !xg_sim_fast_words(w, a / 4, f->all / 4, warp, f->write)) return false;
    if (xg_sim_fast_is_row(f))
        xg_sim_fast_row(f, regs, w->shared + a);
    else
        xg_sim_fast_move(f, regs, w->shared + a);
    return true;
}
XG_M256_FN void xg_sim_fast_shared(const xg_sim_fast *f) {
    xg_sim_worker *w = f->w;
    const bool asked = !(w->l->unchecked_shared && w->l->unchecked_races),
               half = w->l->unchecked_shared != w->l->unchecked_races;
    const uint64_t last = (uint64_t)w->l->shared_bytes - 4;
    const char *slot = f->regs + f->in->a;
    char *regs = f->regs;
    uint32_t k, done = 0;
    for (k = 0; k < f->warps && !half; k++, slot += f->stride, regs += f->stride) {
        const uint32_t a = (uint32_t)xg_sim_lane_address(slot, 0, false, f->in->imm),
                       step = (uint32_t)xg_sim_lane_address(slot, 1, false, f->in->imm) - a, warp = (f->v->id + k) & 31;
        bool good;
        if (!xg_sim_avx2_beside32(slot, step))
            good = xg_sim_fast_scattered(f, regs, slot, warp, asked);
        else if (step == f->each)
            good = xg_sim_fast_beside(f, regs, a, warp, asked);
        else
            good = (xg_sim_fast_is_row(f) && (step & 7) == 4 && !(a & 3) && w->l->shared_bytes >= 4 &&
                       a + (uint64_t)step * (XG_SIM_WARP - 1) <= last &&
                       xg_sim_fast_steps(f, regs, a, step, warp, asked)) ||
                   xg_sim_fast_scattered(f, regs, slot, warp, asked);
        if (good)
            done++;
        else
            xg_sim_exec_access(w, &f->v[k], f->in, 0xFFFFFFFFu);
    }
    for (; k < f->warps; k++) xg_sim_exec_access(w, &f->v[k], f->in, 0xFFFFFFFFu);
    w->stats.shared_transactions += (uint64_t)done * (f->each <= 4 ? 1 : f->each / 4);
    if (f->write)
        w->stats.shared_stores += done;
    else
        w->stats.shared_loads += done;
}
/* A load of shared memory from a constant address. */
XG_M256_FN void xg_sim_fast_one(const xg_sim_fast *f) {
    xg_sim_worker *w = f->w;
    const uint64_t a =
        xg_sim_lane_address(w->m->consts + (f->in->a - 1), 0, (f->in->imm2 & XG_SIM_M_WIDE) != 0, f->in->imm);
    const uint32_t words = f->size / 4;
    uint32_t k, i, done = 0;
    const bool asked = !(w->l->unchecked_shared && w->l->unchecked_races),
               half = w->l->unchecked_shared != w->l->unchecked_races;
    bool usual = !(half || a & (f->size - 1) || a > w->l->shared_bytes || w->l->shared_bytes - a < f->size);
    for (i = 0; usual && asked && i < words; i++) {
        const uint32_t t = w->marks[a / 4 + i];
        usual = t >= w->shared_block && t < w->shared_tag;
    }
    for (k = 0; k < f->warps; k++) {
        if (!usual) {
            xg_sim_exec_access(w, &f->v[k], f->in, 0xFFFFFFFFu);
            continue;
        }
        if (asked)
            xg_sim_shared_read(w, w->shared_tag | ((f->v->id + k) & 31), XG_SIM_READ_STEPS, (uint32_t)a, words, 4);
        xg_sim_avx2_spread(f->regs + k * f->stride + f->list[0], w->shared + a, f->size);
        done++;
    }
    w->stats.shared_loads += done;
    w->stats.shared_transactions += done;
}

/* ---- the functions of records ---- */

/* n items of `size` bytes a lane: constants for the shapes that have functions of their own. */
XG_M256_FN xg_sim_fast xg_sim_fast_of(
    const xg_sim_lanes *L, const xg_sim_ins *in, uint32_t n, uint32_t size, bool write) {
    xg_sim_fast f;
    f.w = L->w;
    f.v = L->v;
    f.in = in;
    f.list = L->w->m->list + in->list;
    f.regs = L->v->regs;
    f.stride = L->dstride;
    f.warps = L->warps;
    f.n = n;
    f.size = size;
    f.each = size * n;
    f.all = f.each * XG_SIM_WARP;
    f.write = write;
    return f;
}
#define XG_SIM_FAST_SIZE (1u << (in->imm2 >> XG_SIM_M_SIZE & 7))
/* clang-format off */
#define XG_SIM_FAST_FNS(X) \
    X(load_row, global, 1, 4, false) \
    X(store_row, global, 1, 4, true) \
    X(load, global, in->n, XG_SIM_FAST_SIZE, false) \
    X(store, global, in->n, XG_SIM_FAST_SIZE, true) \
    X(load_shared_row, shared, 1, 4, false) \
    X(store_shared_row, shared, 1, 4, true) \
    X(load_shared, shared, in->n, XG_SIM_FAST_SIZE, false) \
    X(store_shared, shared, in->n, XG_SIM_FAST_SIZE, true) \
    X(load_one, one, 1, XG_SIM_FAST_SIZE, false)
/* clang-format on */
#define X(name, how, n, size, write) \
    XG_SIM_FAST_FN void xg_sim_fast_##name(const xg_sim_lanes *L, const xg_sim_ins *in) { \
        const xg_sim_fast f = xg_sim_fast_of(L, in, n, size, write); \
        xg_sim_fast_##how(&f); \
    }
XG_SIM_FAST_FNS(X)
#undef X

/* The short way of a load or store; NULL: there is none. */
XG_FN xg_sim_fn xg_sim_fast_access(const xg_sim_ins *in) {
    const uint32_t space = in->imm2 & XG_SIM_M_SPACE, size = XG_SIM_FAST_SIZE;
    const bool wide = (in->imm2 & XG_SIM_M_WIDE) != 0, row = in->n == 1 && size == 4, write = in->kind == XG_SIM_K_ST;
    if (size != in->dbytes || !(in->n == 1 || in->n == 2 || in->n == 4) || size > 8 ||
        in->imm2 & (XG_SIM_M_FENCE | XG_SIM_M_STRONG))
        return NULL;
    if (space == XG_SIM_SHARED && in->a & 1) return !write && in->n == 1 && size >= 4 ? xg_sim_fast_load_one : NULL;
    if (in->a & 1) return NULL;
    if (space == XG_SIM_GLOBAL && wide)
        return row     ? (write ? xg_sim_fast_store_row : xg_sim_fast_load_row)
               : write ? xg_sim_fast_store
                       : xg_sim_fast_load;
    if (space == XG_SIM_SHARED && !wide)
        return row     ? (write ? xg_sim_fast_store_shared_row : xg_sim_fast_load_shared_row)
               : write ? xg_sim_fast_store_shared
                       : xg_sim_fast_load_shared;
    return NULL;
}

#undef XG_SIM_FAST_SHAPES
#undef XG_SIM_FAST_SIZE
#undef XG_SIM_FAST_FNS
#endif

#endif /* XG_SIM_FAST_C */
/* sim/warp.c -- special registers, operations across a warp, and the paths of a warp that diverges.
 *
 * Warp-wide instructions check what a GPU leaves undefined: the member mask must name the lanes that execute it (lanes
 * that have exited do not count), and a shuffle may not read a lane that does not take part. */
#ifndef XG_SIM_WARP_C
#define XG_SIM_WARP_C

XG_FN uint32_t xg_sim_lane_u32(const char *slot, uint32_t lane) {
    uint32_t x;
    memcpy(&x, slot + (size_t)lane * 4, 4);
    return x;
}
XG_FN void xg_sim_put_u32(char *slot, uint32_t lane, uint32_t x) { memcpy(slot + (size_t)lane * 4, &x, 4); }

/* The bits of a predicate. */
XG_INLINE uint32_t xg_sim_predicate(const char *slot) {
    uint32_t m = 0, i;
#if XG_SIM_X86
    for (i = 0; i < 2; i++) { /* 32 bits to 16, to 8, to 1 */
        const __m128i *p = (const __m128i *)(const void *)slot + i * 4;
        m |= (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(_mm_packs_epi32(_mm_load_si128(p), _mm_load_si128(p + 1)),
                 _mm_packs_epi32(_mm_load_si128(p + 2), _mm_load_si128(p + 3))))
             << (i * 16);
    }
#else
    for (i = 0; i < XG_SIM_WARP; i++) m |= (xg_sim_lane_u32(slot, i) >> 31) << i;
#endif
    return m;
}

/* dst = src in the lanes of mask. */
XG_FN void xg_sim_blend(char *dst, const char *src, uint32_t mask, uint32_t bytes) {
    uint32_t i;
    if (bytes == 4) {
        for (i = 0; i < XG_SIM_WARP; i++) {
            uint32_t a, b, m = 0 - (mask >> i & 1);
            memcpy(&a, dst + i * 4, 4);
            memcpy(&b, src + i * 4, 4);
            a = (a & ~m) | (b & m);
            memcpy(dst + i * 4, &a, 4);
        }
    } else
        for (i = 0; i < XG_SIM_WARP; i++)
            if (mask >> i & 1) memcpy(dst + (size_t)i * bytes, src + (size_t)i * bytes, bytes);
}

/* ---- special registers ---- */

XG_FN uint32_t xg_sim_sreg_value(xg_sim_worker *w, const xg_sim_warp *v, xg_sim_sreg r, uint32_t lane) {
    const xg_sim_launch *l = w->l;
    const uint32_t *t = w->tid + (size_t)v->id * 96, *cluster = l->cluster;
    uint32_t axis;
    switch (r) {
    case XG_SIM_SREG_TID_X: return t[lane];
    case XG_SIM_SREG_TID_Y: return t[32 + lane];
    case XG_SIM_SREG_TID_Z: return t[64 + lane];
    case XG_SIM_SREG_NTID_X:
    case XG_SIM_SREG_NTID_Y:
    case XG_SIM_SREG_NTID_Z: return l->block[r - XG_SIM_SREG_NTID_X];
    case XG_SIM_SREG_CTAID_X:
    case XG_SIM_SREG_CTAID_Y:
    case XG_SIM_SREG_CTAID_Z: return w->ctaid[r - XG_SIM_SREG_CTAID_X];
    case XG_SIM_SREG_NCTAID_X:
    case XG_SIM_SREG_NCTAID_Y:
    case XG_SIM_SREG_NCTAID_Z: return l->grid[r - XG_SIM_SREG_NCTAID_X];
    case XG_SIM_SREG_LANEID: return lane;
    case XG_SIM_SREG_WARPID: return v->id;
    case XG_SIM_SREG_NWARPID: return l->warps;
    case XG_SIM_SREG_NSMID: return l->sm_count;
    case XG_SIM_SREG_SMID: return (uint32_t)(w->block % l->sm_count);
    case XG_SIM_SREG_LANEMASK_EQ: return 1u << lane;
    case XG_SIM_SREG_LANEMASK_LT: return (1u << lane) - 1;
    case XG_SIM_SREG_LANEMASK_LE: return (2u << lane) - 1;
    case XG_SIM_SREG_LANEMASK_GT: return ~((2u << lane) - 1);
    case XG_SIM_SREG_LANEMASK_GE: return ~((1u << lane) - 1);
    case XG_SIM_SREG_DYNAMIC_SMEM: return l->dynamic_shared;
    case XG_SIM_SREG_TOTAL_SMEM:
    case XG_SIM_SREG_AGGR_SMEM: return l->shared_bytes;
    case XG_SIM_SREG_EXPLICIT_CLUSTER: return l->cluster_blocks > 1 ? 0xFFFFFFFFu : 0;
    case XG_SIM_SREG_CLUSTERID_X:
    case XG_SIM_SREG_CLUSTERID_Y:
    case XG_SIM_SREG_CLUSTERID_Z: axis = (uint32_t)(r - XG_SIM_SREG_CLUSTERID_X); return w->ctaid[axis] / cluster[axis];
    case XG_SIM_SREG_NCLUSTERID_X:
    case XG_SIM_SREG_NCLUSTERID_Y:
    case XG_SIM_SREG_NCLUSTERID_Z:
        axis = (uint32_t)(r - XG_SIM_SREG_NCLUSTERID_X);
        return l->grid[axis] / cluster[axis];
    case XG_SIM_SREG_CLUSTER_CTAID_X:
    case XG_SIM_SREG_CLUSTER_CTAID_Y:
    case XG_SIM_SREG_CLUSTER_CTAID_Z:
        axis = (uint32_t)(r - XG_SIM_SREG_CLUSTER_CTAID_X);
        return w->ctaid[axis] % cluster[axis];
    case XG_SIM_SREG_CLUSTER_NCTAID_X:
    case XG_SIM_SREG_CLUSTER_NCTAID_Y:
    case XG_SIM_SREG_CLUSTER_NCTAID_Z: return cluster[r - XG_SIM_SREG_CLUSTER_NCTAID_X];
    case XG_SIM_SREG_CLUSTER_NCTARANK: return l->cluster_blocks;
    case XG_SIM_SREG_CLUSTER_CTARANK: return w->rank;
    default: return 0; /* %gridid */
    }
}
/* Special registers that are the same for all threads of a warp, and do not count time. */
XG_FN bool xg_sim_sreg_same(xg_sim_sreg r) {
    return r > XG_SIM_SREG_TID_Z && r != XG_SIM_SREG_LANEID &&
           (r < XG_SIM_SREG_LANEMASK_EQ || r > XG_SIM_SREG_LANEMASK_GE) &&
           (r < XG_SIM_SREG_CLOCK || r > XG_SIM_SREG_GLOBALTIMER_HI);
}
XG_FN void xg_sim_exec_sreg(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    char *dst = v->regs + in->d;
    xg_sim_sreg r = (xg_sim_sreg)in->op;
    uint32_t i;
    /* time is the count of instructions: it moves, and runs repeat */
    if (r >= XG_SIM_SREG_CLOCK && r <= XG_SIM_SREG_GLOBALTIMER_HI) {
        uint64_t now = w->stats.warp_instructions * 4 + ++w->clock,
                 x = r == XG_SIM_SREG_CLOCK_HI || r == XG_SIM_SREG_GLOBALTIMER_HI ? now >> 32 : now;
        for (i = 0; i < XG_SIM_WARP; i++)
            if (mask >> i & 1) memcpy(dst + (size_t)i * in->dbytes, &x, in->dbytes);
        return;
    }
    if (mask == 0xFFFFFFFFu && r <= XG_SIM_SREG_TID_Z) {
        w->m->moves->copy(dst, (const char *)(w->tid + (size_t)v->id * 96 + 32 * (size_t)r), 128);
        return;
    }
    if (mask == 0xFFFFFFFFu && in->dbytes == 4 && xg_sim_sreg_same(r)) {
        uint32_t x = xg_sim_sreg_value(w, v, r, 0);
        w->m->moves->fill((uint32_t *)(void *)dst, XG_SIM_WARP, x);
        return;
    }
    for (i = 0; i < XG_SIM_WARP; i++) {
        uint64_t x = mask >> i & 1 ? xg_sim_sreg_value(w, v, r, i) : 0;
        if (mask >> i & 1) memcpy(dst + (size_t)i * in->dbytes, &x, in->dbytes);
    }
}
/* The address of a .local variable of this frame. */
XG_FN void xg_sim_exec_local(xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    uint64_t x = (uint64_t)v->local + in->imm;
    uint32_t i;
    for (i = 0; i < XG_SIM_WARP; i++)
        if (mask >> i & 1) memcpy(v->regs + in->d + (size_t)i * in->dbytes, &x, in->dbytes);
}

/* ---- across the warp ---- */

/* Of the lanes that are here, those that lane's member mask calls together; 0 after a fault. They must all be here,
 * with the same mask. */
XG_FN uint32_t xg_sim_members(
    xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask, uint32_t lane) {
    const char *slot = xg_sim_slot(w, v, in->e);
    uint32_t named = xg_sim_lane_u32(slot, lane), m = named & v->live, i;
    if (!(in->flags & 64)) return mask;
    if (!(m >> lane & 1)) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_INACTIVE,
            "lane %u is not in the member mask 0x%X of the instruction it executes", lane, named);
        return 0;
    }
    if (m & ~mask) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_INACTIVE,
            "the member mask 0x%X names lanes that are not here (0x%X execute it)", named, mask);
        return 0;
    }
    if (w->m->moves->beside32(slot, 0)) return m;
    for (i = 0; i < XG_SIM_WARP; i++) {
        if (!(m >> i & 1) || (xg_sim_lane_u32(slot, i) & v->live) == m) continue;
        xg_sim_fault(w, v, in, i, XG_SIM_FAULT_INACTIVE, "the member masks of lanes %u and %u differ: 0x%X and 0x%X",
            lane, i, named, xg_sim_lane_u32(slot, i));
        return 0;
    }
    return m;
}

/* The member mask names lane j, but the block has no such thread: what it gives is undefined. Reductions in blocks of
 * less than a warp read it and do not use it. */
XG_FN bool xg_sim_is_nobody(
    const xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t i, uint32_t j) {
    return in->flags & 64 && xg_sim_lane_u32(xg_sim_slot(w, v, in->e), i) >> j & 1 &&
           v->id * XG_SIM_WARP + j >= w->l->threads;
}
XG_FN void xg_sim_shuffle(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    const char *a = xg_sim_slot(w, v, in->a), *b = xg_sim_slot(w, v, in->b), *c = xg_sim_slot(w, v, in->c);
    uint32_t out[XG_SIM_WARP], ok[XG_SIM_WARP], i, j;
    if (mask == 0xFFFFFFFFu) {
        w->m->moves->shuffle(v->regs + in->d, in->d2bytes ? v->regs + in->d2 : NULL, a, b, c, (xg_sim_shuffleop)in->op);
        return;
    } /* nobody can miss */
    for (i = 0; i < XG_SIM_WARP; i++) {
        out[i] = ok[i] = 0;
        if (!(mask >> i & 1)) continue;
        j = xg_sim_shuffle_from((xg_sim_shuffleop)in->op, i, xg_sim_lane_u32(b, i), xg_sim_lane_u32(c, i), &ok[i]);
        if (mask >> j & 1) {
            out[i] = xg_sim_lane_u32(a, j);
            continue;
        }
        if (!xg_sim_is_nobody(w, v, in, i, j)) {
            xg_sim_fault(w, v, in, i, XG_SIM_FAULT_INACTIVE, "the shuffle reads lane %u, which does not take part", j);
            return;
        }
        out[i] = 0xFFFFFFFFu; /* a NaN, -1: whoever uses it shall see it */
    }
    for (i = 0; i < XG_SIM_WARP; i++) {
        if (!(mask >> i & 1)) continue;
        xg_sim_put_u32(v->regs + in->d, i, out[i]);
        if (in->d2bytes) xg_sim_put_u32(v->regs + in->d2, i, 0 - ok[i]);
    }
}
XG_FN void xg_sim_spread(xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask, uint32_t x) {
    uint32_t i;
    for (i = 0; i < XG_SIM_WARP; i++)
        if (mask >> i & 1) xg_sim_put_u32(v->regs + in->d, i, x);
}
XG_FN void xg_sim_match(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    const char *a = xg_sim_slot(w, v, in->a);
    size_t bytes = in->imm ? 8 : 4;
    uint32_t out[XG_SIM_WARP], i, k;
    bool same = true;
    for (i = 0; i < XG_SIM_WARP; i++) {
        out[i] = 0;
        for (k = 0; k < XG_SIM_WARP; k++)
            if ((mask >> i & 1) && (mask >> k & 1) && memcmp(a + i * bytes, a + k * bytes, bytes) == 0)
                out[i] |= 1u << k;
        if ((mask >> i & 1) && out[i] != mask) same = false;
    }
    for (i = 0; i < XG_SIM_WARP; i++) {
        if (!(mask >> i & 1)) continue;
        xg_sim_put_u32(v->regs + in->d, i, in->op == XG_SIM_W_MATCH_ANY ? out[i] : same ? mask : 0);
        if (in->d2bytes) xg_sim_put_u32(v->regs + in->d2, i, same ? 0xFFFFFFFFu : 0);
    }
}
XG_FN uint32_t xg_sim_reduce(const xg_sim_ins *in, uint32_t x, uint32_t y) {
    bool less;
    switch (in->op) {
    case XG_SIM_W_ADD: return x + y;
    case XG_SIM_W_AND: return x & y;
    case XG_SIM_W_OR: return x | y;
    case XG_SIM_W_XOR: return x ^ y;
    default: break;
    }
    if (in->imm >= 2) { /* f32 */
        int32_t i = (int32_t)(x ^ ((0 - (x >> 31)) >> 1)), k = (int32_t)(y ^ ((0 - (y >> 31)) >> 1));
        bool xn = (x & 0x7FFFFFFFu) > 0x7F800000u, yn = (y & 0x7FFFFFFFu) > 0x7F800000u;
        if ((xn || yn) && (in->imm == 3 || (xn && yn))) return 0x7FFFFFFFu;
        if (xn) return y;
        if (yn) return x;
        less = i < k;
    } else
        less = in->imm ? (int32_t)x < (int32_t)y : x < y;
    return less == (in->op == XG_SIM_W_MIN) ? x : y;
}
XG_FN void xg_sim_exec_members(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    uint32_t i, x, votes;
    switch (in->op) {
    case XG_SIM_W_SYNC: return;
    case XG_SIM_W_UP:
    case XG_SIM_W_DOWN:
    case XG_SIM_W_BFLY:
    case XG_SIM_W_IDX: xg_sim_shuffle(w, v, in, mask); return;
    case XG_SIM_W_ALL:
    case XG_SIM_W_ANY:
    case XG_SIM_W_UNI:
    case XG_SIM_W_BALLOT:
        votes = xg_sim_predicate(xg_sim_slot(w, v, in->a)) & mask;
        x = in->op == XG_SIM_W_BALLOT ? votes
                                      : 0u - (uint32_t)(in->op == XG_SIM_W_ALL   ? votes == mask
                                                        : in->op == XG_SIM_W_ANY ? votes != 0
                                                                                 : votes == mask || votes == 0);
        xg_sim_spread(v, in, mask, x);
        return;
    case XG_SIM_W_ACTIVE: xg_sim_spread(v, in, mask, mask); return;
    case XG_SIM_W_MATCH_ANY:
    case XG_SIM_W_MATCH_ALL: xg_sim_match(w, v, in, mask); return;
    case XG_SIM_W_ELECT:
        x = xg_sim_first_lane(mask);
        for (i = 0; i < XG_SIM_WARP; i++)
            if (mask >> i & 1) xg_sim_put_u32(v->regs + in->d2, i, i == x ? 0xFFFFFFFFu : 0);
        xg_sim_spread(v, in, mask, x);
        return;
    default: {
        const char *a = xg_sim_slot(w, v, in->a);
        i = xg_sim_first_lane(mask);
        x = xg_sim_lane_u32(a, i);
        for (i++; i < XG_SIM_WARP; i++)
            if (mask >> i & 1) x = xg_sim_reduce(in, x, xg_sim_lane_u32(a, i));
        if (in->imm >= 2 && (x & 0x7FFFFFFFu) > 0x7F800000u) x = 0x7FFFFFFFu;
        xg_sim_spread(v, in, mask, x);
    }
    }
}

/* Lanes that are here together may belong to several groups of members. */
XG_FN void xg_sim_exec_warp(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    uint32_t rest = mask, m;
    for (; rest && !w->faulted; rest &= ~m) {
        m = xg_sim_members(w, v, in, mask, xg_sim_first_lane(rest));
        if (!m) return;
        xg_sim_exec_members(w, v, in, m);
    }
}

#if XG_SIM_X86
/* For all warps of a group, as in fast.c: parameters, special registers that are the same for all threads, the threads'
 * numbers. */
XG_SIM_FAST_FN void xg_sim_fast_param(const xg_sim_lanes *L, const xg_sim_ins *in) {
    char *to = L->v->regs + L->w->m->list[in->list];
    const char *from = L->w->params + in->imm;
    uint32_t k;
    for (k = 0; k < L->warps; k++, to += L->dstride) {
        if (in->dbytes == 4)
            xg_sim_avx2_spread(to, from, 4);
        else
            xg_sim_avx2_spread(to, from, 8);
    }
}
XG_SIM_FAST_FN void xg_sim_fast_same(const xg_sim_lanes *L, const xg_sim_ins *in) {
    const uint32_t x = xg_sim_sreg_value(L->w, L->v, (xg_sim_sreg)in->op, 0);
    char *to = L->dst;
    uint32_t k;
    for (k = 0; k < L->warps; k++, to += L->dstride) xg_sim_avx2_fill((uint32_t *)(void *)to, XG_SIM_WARP, x);
}
XG_SIM_FAST_FN void xg_sim_fast_tid(const xg_sim_lanes *L, const xg_sim_ins *in) {
    const uint32_t *from = L->w->tid + (size_t)L->v->id * 96 + 32 * (size_t)in->op;
    char *to = L->dst;
    uint32_t k;
    for (k = 0; k < L->warps; k++, to += L->dstride, from += 96) xg_sim_avx2_copy(to, (const char *)from, 128);
}
/* Shuffles whose member mask is a constant that names all lanes: nobody can miss. */
XG_SIM_FAST_FN void xg_sim_fast_shuffle(const xg_sim_lanes *L, const xg_sim_ins *in) {
    const char *a = L->base[in->a & 1] + in->a, *b = L->base[in->b & 1] + in->b, *c = L->base[in->c & 1] + in->c;
    char *to = L->dst, *ok = L->dst2;
    uint32_t k;
    for (k = 0; k < L->warps; k++) {
        xg_sim_avx2_shuffle(to, ok, a, b, c, (xg_sim_shuffleop)in->op);
        a += L->stride[in->a & 1];
        b += L->stride[in->b & 1];
        c += L->stride[in->c & 1];
        to += L->dstride;
        if (ok) ok += L->dstride;
    }
}
/* The function that executes a record for whole warps. */
XG_FN xg_sim_fn xg_sim_fast_fn(const xg_sim_module *m, const xg_sim_ins *in) {
    const xg_sim_sreg r = (xg_sim_sreg)in->op;
    switch (in->kind) {
    case XG_SIM_K_LD:
    case XG_SIM_K_ST: return xg_sim_fast_access(in);
    case XG_SIM_K_PARAM:
        return in->n == 1 && 1u << (in->imm2 >> XG_SIM_M_SIZE & 7) == in->dbytes && (in->dbytes == 4 || in->dbytes == 8)
                   ? xg_sim_fast_param
                   : NULL;
    case XG_SIM_K_SREG:
        return in->dbytes != 4 || r == XG_SIM_SREG_WARPID ? NULL
               : r <= XG_SIM_SREG_TID_Z                   ? xg_sim_fast_tid
               : xg_sim_sreg_same(r)                      ? xg_sim_fast_same
                                                          : NULL;
    case XG_SIM_K_WARP:
        return in->op <= XG_SIM_W_IDX &&
                       (!(in->flags & 64) || (in->e & 1 && xg_sim_lane_u32(m->consts + (in->e - 1), 0) == 0xFFFFFFFFu))
                   ? xg_sim_fast_shuffle
                   : NULL;
    default: return NULL;
    }
}
#endif
/* Gives the records of a loaded module that are no arithmetic the short way where there is one; those of memory are
 * counted, for what a worker remembers of each. */
XG_FN void xg_sim_fast_choose(xg_sim_module *m) {
#if XG_SIM_X86
    uint32_t i, accesses = 0;
    for (i = 0; i < m->n_code && m->moves == &xg_sim_moves_avx2; i++) {
        xg_sim_ins *in = &m->code[i];
        if (in->kind == XG_SIM_K_ALU) continue;
        in->fn = xg_sim_fast_fn(m, in);
        if (in->fn && (in->kind == XG_SIM_K_LD || in->kind == XG_SIM_K_ST)) in->e = accesses++;
    }
#else
    (void)m;
#endif
}

/* ---- paths ---- */

XG_FN void xg_sim_path_push(xg_sim_warp *v, uint32_t pc, uint32_t meet, uint32_t mask) {
    xg_sim_path *p;
    XLAGPU_ASSERT(v->n_paths < XG_SIM_PATHS);
    p = &v->paths[v->n_paths++];
    p->pc = pc;
    p->meet = meet;
    p->mask = mask;
}
XG_FN uint32_t xg_sim_path_base(const xg_sim_warp *v) { return v->depth ? v->frames[v->depth - 1].base : 0; }

/* Goes on with the next path that has live lanes, leaving functions whose lanes are all gone; false when there is
 * none. */
XG_FN bool xg_sim_path_pop(xg_sim_warp *v) {
    while (v->n_paths) {
        const xg_sim_path *p;
        while (v->n_paths == xg_sim_path_base(v)) {
            const xg_sim_frame *f = &v->frames[--v->depth];
            v->regs = f->regs;
            v->local = f->local;
            v->f = f->f;
        }
        p = &v->paths[--v->n_paths];
        v->pc = p->pc;
        v->meet = p->meet;
        v->mask = p->mask & v->live;
        if (v->mask) return true;
    }
    v->mask = 0;
    return false;
}
/* The active lanes part: `taken` go to target, the others on to next; all meet at `meet`. */
XG_FN void xg_sim_diverge(xg_sim_warp *v, uint32_t taken, uint32_t target, uint32_t next, uint32_t meet) {
    uint32_t rest = v->mask & ~taken;
    if (v->meet != meet) {
        xg_sim_path_push(v, meet, v->meet, v->mask);
        v->meet = meet;
    }
    if (target == meet) {
        v->mask = rest;
        v->pc = next;
    } else if (next == meet) {
        v->mask = taken;
        v->pc = target;
    } else {
        xg_sim_path_push(v, next, meet, rest);
        v->mask = taken;
        v->pc = target;
    }
}

#endif /* XG_SIM_WARP_C */
/* sim/tensormap.c -- tensor maps: what a tensor in global memory looks like, and which bytes a box of it has.
 *
 * A GPU's encoding of the 128 bytes is secret, so the simulator has its own: the structure xg_sim_tensormap, at the
 * start of them. Programs make maps by xg_sim_tensormap_encode, whose rules are those of cuTensorMapEncodeTiled and
 * cuTensorMapEncodeIm2col, and kernels by tensormap.replace.
 *
 * A box is a number of rows. A row is box[0] elements side by side in memory (im2col: the channels of one pixel); rows
 * lie one after the other in shared memory, the lowest dimension first. Parts outside of the tensor read as the fill
 * and are not written.
 * Not here: interleaved layouts, the swizzles with atoms of 32 and 64 bytes, packed 4- and 6-bit elements. */
#ifndef XG_SIM_TENSORMAP_C
#define XG_SIM_TENSORMAP_C

#define XG_SIM_TENSORMAP_MAGIC 0x50414D524F534E54u /* "TNSORMAP" */

/* The bytes of an element and the simulator's type for reductions, by CUtensorMapDataType. */
static const struct {
    uint8_t bytes, type;
} xg_sim_map_types[] = {{1, XG_SIM_B8}, {2, XG_SIM_U16}, {4, XG_SIM_U32}, {4, XG_SIM_S32}, {8, XG_SIM_U64},
    {8, XG_SIM_S64}, {2, XG_SIM_F16}, {4, XG_SIM_F32}, {8, XG_SIM_F64}, {2, XG_SIM_BF16}, {4, XG_SIM_F32},
    {4, XG_SIM_F32}, {4, XG_SIM_F32}};
XG_FN uint32_t xg_sim_map_bytes(const xg_sim_tensormap *m) { return xg_sim_map_types[m->type].bytes; }

/* What is wrong with a map; NULL when nothing is. */
XG_FN const char *xg_sim_tensormap_check(const xg_sim_tensormap *m) {
    uint32_t i, inner;
    if (m->type >= XG_COUNT(xg_sim_map_types)) return "the element type is not simulated";
    if (m->rank < 1 || m->rank > 5 || (m->im2col && m->rank < 3))
        return "a tensor map has rank 1 to 5, for im2col 3 to 5";
    if (m->interleave) return "interleaved layouts are not simulated";
    if (m->swizzle > 3) return "this swizzle is not simulated";
    if (m->fill > 1 || m->promotion > 3) return "an unknown fill or promotion";
    if (m->base % 16) return "the tensor's address must be a multiple of 16";
    for (i = 0; i + 1 < m->rank; i++)
        if (m->stride[i] % 16 || m->stride[i] >> 40) return "a stride must be a multiple of 16 below 2^40";
    for (i = 0; i < m->rank; i++) {
        if (!m->im2col && (m->box[i] < 1 || m->box[i] > 256)) return "a box has 1 to 256 elements in each dimension";
        if (m->step[i] < 1 || m->step[i] > 8) return "an element stride is 1 to 8";
    }
    if (m->im2col && (m->channels < 1 || m->channels > 256 || m->pixels < 1 || m->pixels > 1024))
        return "im2col takes 1 to 256 channels and 1 to 1024 pixels";
    inner = (m->im2col ? m->channels : m->box[0]) * xg_sim_map_bytes(m);
    if (inner % 16) return "a row of a box must be a multiple of 16 bytes";
    if (m->swizzle && inner > 16u << m->swizzle) return "a row of a box is longer than the swizzle allows";
    return NULL;
}
XG_SIM_FN const char *xg_sim_tensormap_encode(const xg_sim_tensormap *m, void *out) {
    xg_sim_tensormap copy = *m;
    const char *wrong = xg_sim_tensormap_check(m);
    if (wrong) return wrong;
    copy.magic = XG_SIM_TENSORMAP_MAGIC;
    memset(out, 0, XG_SIM_TENSORMAP_BYTES);
    memcpy(out, &copy, sizeof copy);
    return NULL;
}
XG_FN bool xg_sim_tensormap_read(const void *bytes, xg_sim_tensormap *m) {
    memcpy(m, bytes, sizeof *m);
    return m->magic == XG_SIM_TENSORMAP_MAGIC;
}

/* tensormap.replace: one field; the same numbers as PTX gives them. False when the value is none of the field's. */
XG_FN bool xg_sim_tensormap_set(xg_sim_tensormap *m, xg_sim_map_field field, uint32_t index, uint64_t x) {
    switch (field) {
    case XG_SIM_MAP_ADDRESS: m->base = x; return true;
    case XG_SIM_MAP_RANK: m->rank = (uint8_t)(x + 1); return x < 5;
    case XG_SIM_MAP_BOX: m->box[index] = (uint16_t)x; return x >= 1 && x <= 256;
    case XG_SIM_MAP_DIM: m->dim[index] = (uint32_t)x - 1; return true;
    case XG_SIM_MAP_STRIDE:
        if (index < 4) m->stride[index] = x;
        return index < 4;
    case XG_SIM_MAP_STEP: m->step[index] = (uint8_t)x; return x >= 1 && x <= 8;
    case XG_SIM_MAP_TYPE: m->type = (uint8_t)x; return x < XG_COUNT(xg_sim_map_types);
    case XG_SIM_MAP_INTERLEAVE: m->interleave = (uint8_t)x; return x == 0;
    case XG_SIM_MAP_SWIZZLE: m->swizzle = (uint8_t)x; return x < 4;
    case XG_SIM_MAP_ATOMICITY: return x == 0;
    default: m->fill = (uint8_t)x; return x < 2;
    }
}

/* ---- boxes ---- */

typedef struct xg_sim_box {
    const xg_sim_tensormap *m;
    int64_t at[5];            /* of the first element */
    int64_t offset[3];        /* im2col: added to the pixels */
    uint32_t count[5];        /* elements, or with im2col count[0] channels and count[1] pixels */
    uint32_t item, row, rows; /* bytes of an element and of a row; rows */
} xg_sim_box;
/* Row r: where its first element would be, and which of its elements [first, last) are inside. */
typedef struct xg_sim_box_line {
    uint64_t address;
    uint32_t first, last;
} xg_sim_box_line;

XG_FN void xg_sim_box_make(xg_sim_box *b, const xg_sim_tensormap *m, const int32_t *at, const uint16_t *offset) {
    uint32_t i;
    memset(b, 0, sizeof *b);
    b->m = m;
    b->item = xg_sim_map_bytes(m);
    b->rows = 1;
    for (i = 0; i < m->rank; i++) {
        b->at[i] = at[i];
        b->count[i] = m->im2col ? 1u : i ? (m->box[i] + m->step[i] - 1u) / m->step[i] : m->box[i];
    }
    if (m->im2col) {
        b->count[0] = m->channels;
        b->count[1] = m->pixels;
        for (i = 0; offset && i + 2 < m->rank; i++) b->offset[i] = offset[i];
    }
    for (i = 1; i < m->rank; i++) b->rows *= b->count[i];
    b->row = b->count[0] * b->item;
}
/* The coordinates of im2col's pixel r: the bounding box is walked from the start, lowest dimension first, wrapping into
 * the next. */
XG_FN void xg_sim_box_pixel(const xg_sim_box *b, uint32_t r, int64_t *c) {
    const xg_sim_tensormap *m = b->m;
    uint32_t i;
    int64_t carry = r;
    for (i = 1; i + 1 < m->rank; i++) {
        int64_t low = m->lower[i - 1], high = (int64_t)m->dim[i] + m->upper[i - 1], n = (high - low) / m->step[i] + 1,
                k;
        if (n < 1) n = 1;
        k = (b->at[i] - low) / m->step[i] + carry;
        c[i] = low + k % n * m->step[i];
        carry = k / n;
    }
    c[m->rank - 1] = b->at[m->rank - 1] + carry;
    for (i = 1; i + 1 < m->rank; i++) c[i] += b->offset[i - 1];
}
XG_FN xg_sim_box_line xg_sim_box_row(const xg_sim_box *b, uint32_t r) {
    const xg_sim_tensormap *m = b->m;
    xg_sim_box_line l;
    int64_t c[5], first, last, n = b->count[0], dim = (int64_t)m->dim[0] + 1;
    bool inside = true;
    uint32_t i, rest = r;
    if (m->im2col)
        xg_sim_box_pixel(b, r, c);
    else
        for (i = 1; i < m->rank; i++) {
            c[i] = b->at[i] + (int64_t)(rest % b->count[i]) * m->step[i];
            rest /= b->count[i];
        }
    l.address = m->base;
    for (i = 1; i < m->rank; i++) {
        if (c[i] < 0 || c[i] > (int64_t)m->dim[i]) inside = false;
        l.address += (uint64_t)c[i] * m->stride[i - 1];
    }
    l.address += (uint64_t)(b->at[0] * (int64_t)b->item);
    first = b->at[0] < 0 ? -b->at[0] : 0;
    last = dim - b->at[0] < n ? dim - b->at[0] : n;
    if (!inside || first >= last) first = last = 0;
    l.first = (uint32_t)first;
    l.last = (uint32_t)last;
    return l;
}

/* The place of 16 bytes in shared memory: bits 4 to 6 of the address are mixed with those above. mode: 0 none, 1, 2, 3
 * for 32, 64, 128 bytes. */
XG_FN uint32_t xg_sim_swizzle(uint32_t at, uint32_t mode) {
    return mode == 3   ? at ^ (at >> 3 & 0x70u)
           : mode == 2 ? at ^ (at >> 3 & 0x30u)
           : mode == 1 ? at ^ (at >> 3 & 0x10u)
                       : at;
}
/* What the elements outside of the tensor are. */
XG_FN void xg_sim_box_fill(const xg_sim_box *b, char *row) {
    uint32_t i;
    memset(row, 0, b->row);
    if (!b->m->fill) return;
    for (i = 0; i < b->count[0]; i++) {
        uint64_t nan = b->item == 2 ? 0x7FFFu : b->item == 4 ? 0x7FFFFFFFu : 0x7FFFFFFFFFFFFFFFu;
        memcpy(row + (size_t)i * b->item, &nan, b->item);
    }
}
/* One row from global to shared memory, or back. shared: the block's memory; at: where the box lies in it. */
XG_FN void xg_sim_box_load(const xg_sim_box *b, uint32_t r, char *shared, uint32_t at) {
    char row[2048];
    uint32_t k;
    xg_sim_box_line l = xg_sim_box_row(b, r);
    xg_sim_box_fill(b, row);
    if (l.first < l.last)
        memcpy(row + l.first * b->item, (const char *)(uintptr_t)l.address + l.first * b->item,
            (l.last - l.first) * b->item);
    for (k = 0; (b->m->type == 10 || b->m->type == 12) && k < b->row; k += 4) { /* the types that flush */
        uint32_t x;
        memcpy(&x, row + k, 4);
        if (!(x & 0x7F800000u)) {
            x &= 0x80000000u;
            memcpy(row + k, &x, 4);
        }
    }
    for (k = 0; k < b->row; k += 16) memcpy(shared + xg_sim_swizzle(at + r * b->row + k, b->m->swizzle), row + k, 16);
}
XG_FN void xg_sim_box_store(
    const xg_sim_box *b, uint32_t r, const char *shared, uint32_t at, int op) { /* op: a reduction, or -1 */
    char row[2048];
    uint32_t k;
    xg_sim_box_line l = xg_sim_box_row(b, r);
    if (l.first >= l.last) return;
    for (k = 0; k < b->row; k += 16) memcpy(row + k, shared + xg_sim_swizzle(at + r * b->row + k, b->m->swizzle), 16);
    if (op < 0) {
        memcpy((char *)(uintptr_t)l.address + l.first * b->item, row + l.first * b->item, (l.last - l.first) * b->item);
        return;
    }
    for (k = l.first; k < l.last; k++) {
        uint64_t x = 0;
        memcpy(&x, row + k * b->item, b->item);
        xg_sim_atomic((char *)(uintptr_t)l.address + k * b->item, (xg_sim_atom)op,
            (xg_sim_type)xg_sim_map_types[b->m->type].type, x, 0);
    }
}

#endif /* XG_SIM_TENSORMAP_C */
/* sim/async.c -- what goes on beside the threads: memory barriers, bulk copies, clusters; and the waits for them.
 *
 * The idea. A bulk copy is checked when it is issued and noted as a flight; until it lands, the bytes it will write
 * count as pending and those it will read as lent (shadow.c), so that whoever touches them too early is found. All
 * flights of a cluster land as soon as somebody waits for anything, or nobody can move. A wait whose condition is not
 * met suspends its warp, which executes the record again after the next event; when nobody can move, waits that may
 * give up are told "not yet", some times in a row, before this counts as a deadlock.
 *
 * A memory barrier is 64 bits: arrivals a phase expects (20), arrivals still pending (20), bytes still to come (21,
 * signed), the phase's parity, and a bit that is always set. An arrival's state is the word before it. */
#ifndef XG_SIM_ASYNC_C
#define XG_SIM_ASYNC_C

enum {
    XG_SIM_FLIGHTS = 64,
    XG_SIM_STALLS = 64,
    XG_SIM_MB_MAX = (1 << 20) - 1
};
#define XG_SIM_MB_PHASE ((uint64_t)1 << 61)
#define XG_SIM_MB_LIVE ((uint64_t)1 << 62)

/* A copy under way. Of a tensor: box.m points to map. */
struct xg_sim_flight {
    char *dst, *src, *bar; /* bar: NULL for a bulk group */
    uint64_t bytes;
    uint32_t imm, mask, at; /* the record's imm; which bytes of each 16; where a box lies in shared memory */
    bool tensor;
    xg_sim_tensormap map;
    xg_sim_box box;
    xg_sim_worker *shared; /* whose shared memory the box is in */
};

/* ---- events ---- */

XG_FN void xg_sim_event(xg_sim_worker *w) {
    xg_sim_cluster *c = w->cluster;
    uint32_t r, i;
    c->stalls = 0;
    for (r = 0; r < c->n; r++)
        for (i = 0; i < w->l->warps; i++)
            if (c->peers[r]->warps[i].state == XG_SIM_AT_EVENT) c->peers[r]->warps[i].state = XG_SIM_READY;
}

/* ---- memory barriers ---- */

XG_FN uint64_t xg_sim_mb_get(const char *p) {
    uint64_t x;
    memcpy(&x, p, 8);
    return x;
}
XG_FN uint32_t xg_sim_mb_expected(uint64_t x) { return (uint32_t)x & XG_SIM_MB_MAX; }
XG_FN uint32_t xg_sim_mb_pending(uint64_t x) { return (uint32_t)(x >> 20) & XG_SIM_MB_MAX; }
XG_FN int32_t xg_sim_mb_tx(uint64_t x) { return (int32_t)((uint32_t)(x >> 40) << 11) >> 11; }
XG_FN uint64_t xg_sim_mb_make(uint32_t expected, uint32_t pending, int32_t tx, uint64_t phase) {
    return (uint64_t)expected | (uint64_t)pending << 20 | (uint64_t)((uint32_t)tx & 0x1FFFFFu) << 40 | phase |
           XG_SIM_MB_LIVE;
}
/* Stores a barrier's word; when nothing is missing the phase ends. */
XG_FN void xg_sim_mb_put(xg_sim_worker *w, char *p, uint32_t expected, uint32_t pending, int32_t tx, uint64_t phase) {
    uint64_t x;
    bool done = !pending && !tx;
    x = xg_sim_mb_make(expected, done ? expected : pending, tx, done ? phase ^ XG_SIM_MB_PHASE : phase);
    memcpy(p, &x, 8);
    if (done) xg_sim_event(w);
}
/* The barrier a lane's address names; NULL after a fault. */
XG_FN char *xg_sim_mb_at(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane, uint32_t code,
    uint32_t bits, bool init) {
    uint64_t a = xg_sim_lane_address(xg_sim_slot(w, v, code), lane, (bits & 16) != 0, 0);
    char *p = xg_sim_reach_lane(w, v, in, lane, (xg_sim_space)(bits & 15), a, 8, true);
    xg_sim_worker *of = p ? xg_sim_owner(w, p) : NULL;
    size_t at, i;
    uint32_t are = 0;
    if (!p) return NULL;
    if (!of) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_MBARRIER, "a memory barrier must be in shared memory");
        return NULL;
    }
    at = (size_t)(p - of->shared);
    for (i = 0; i < 8; i++) are += xg_sim_byte_state(of, at + i) == XG_SIM_MBARRIER;
    if (!init && are != 8) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_MBARRIER,
            "there is no memory barrier at offset %zu of shared memory: mbarrier.init has not been executed", at);
        return NULL;
    }
    if (init && are) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_MBARRIER,
            "mbarrier.init at offset %zu of shared memory, where a memory barrier is already: mbarrier.inval it first",
            at);
        return NULL;
    }
    return p;
}
XG_FN void xg_sim_mb_mark(const xg_sim_worker *w, const char *p, xg_sim_fresh is) {
    xg_sim_worker *of = xg_sim_owner(w, p);
    xg_sim_set_bytes(of, (size_t)(p - of->shared), 8, is, true);
}

/* Bytes that will come (more) or have come; false after a fault. */
XG_FN bool xg_sim_mb_bytes(
    xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane, char *p, int64_t more) {
    uint64_t x = xg_sim_mb_get(p);
    int64_t tx = xg_sim_mb_tx(x) + more;
    if (tx > XG_SIM_MB_MAX || tx < -XG_SIM_MB_MAX) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_MBARRIER,
            "a memory barrier counts at most 2^20-1 bytes; this would be %lld", (long long)tx);
        return false;
    }
    xg_sim_mb_put(w, p, xg_sim_mb_expected(x), xg_sim_mb_pending(x), (int32_t)tx, x & XG_SIM_MB_PHASE);
    return true;
}
XG_FN bool xg_sim_mb_arrive(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane, char *p,
    uint32_t count, uint32_t flags) {
    uint64_t x = xg_sim_mb_get(p);
    uint32_t expected = xg_sim_mb_expected(x), pending = xg_sim_mb_pending(x);
    if (count < 1 || count > pending) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_MBARRIER,
            "%u arrivals at a memory barrier whose phase waits for %u more (it expects %u)", count, pending, expected);
        return false;
    }
    if (flags & XG_SIM_MB_NO_COMPLETE && count == pending && !xg_sim_mb_tx(x)) {
        xg_sim_fault(
            w, v, in, lane, XG_SIM_FAULT_MBARRIER, "an arrival with .noComplete ends the memory barrier's phase");
        return false;
    }
    if (flags & XG_SIM_MB_DROP) expected -= count;
    xg_sim_mb_put(w, p, expected, pending - count, xg_sim_mb_tx(x), x & XG_SIM_MB_PHASE);
    return true;
}

XG_FN bool xg_sim_mb_lane(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane) {
    uint32_t b = in->flags & 16 ? xg_sim_lane_u32(xg_sim_slot(w, v, in->b), lane) : 0;
    char *p = xg_sim_mb_at(w, v, in, lane, in->a, in->imm2, in->op == XG_SIM_Y_MB_INIT);
    uint64_t state;
    if (!p) return false;
    switch (in->op) {
    case XG_SIM_Y_MB_INIT:
        if (b < 1 || b > XG_SIM_MB_MAX) {
            xg_sim_fault(
                w, v, in, lane, XG_SIM_FAULT_MBARRIER, "a memory barrier expects 1 to 2^20-1 arrivals, not %u", b);
            return false;
        }
        state = xg_sim_mb_make(b, b, 0, 0);
        memcpy(p, &state, 8);
        xg_sim_mb_mark(w, p, XG_SIM_MBARRIER);
        return true;
    case XG_SIM_Y_MB_INVAL: xg_sim_mb_mark(w, p, XG_SIM_UNWRITTEN); return true;
    case XG_SIM_Y_MB_EXPECT: return xg_sim_mb_bytes(w, v, in, lane, p, b);
    case XG_SIM_Y_MB_COMPLETE: return xg_sim_mb_bytes(w, v, in, lane, p, -(int64_t)b);
    case XG_SIM_Y_CP_ARRIVE:
        xg_sim_copy_commit(w, v, 1u << lane);
        xg_sim_copy_wait(w, v, 1u << lane, 0);
        /* without .noinc the arrival was not expected before: nothing changes */
        return !in->imm || xg_sim_mb_arrive(w, v, in, lane, p, 1, 0);
    default:
        state = xg_sim_mb_get(p);
        if (in->flags & 128) memcpy(v->regs + in->d + (size_t)lane * 8, &state, 8);
        if (in->imm & XG_SIM_MB_EXPECTS) { /* one step: the phase cannot end in between */
            int64_t tx = (int64_t)xg_sim_mb_tx(state) + b;
            if (tx > XG_SIM_MB_MAX) {
                xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_MBARRIER,
                    "a memory barrier counts at most 2^20-1 bytes; this would be %lld", (long long)tx);
                return false;
            }
            state = xg_sim_mb_make(
                xg_sim_mb_expected(state), xg_sim_mb_pending(state), (int32_t)tx, state & XG_SIM_MB_PHASE);
            memcpy(p, &state, 8);
            b = 1;
        }
        return xg_sim_mb_arrive(w, v, in, lane, p, b, in->imm);
    }
}

/* ---- flights ---- */

XG_FN void xg_sim_land_tensor(const xg_sim_flight *f) {
    uint32_t r;
    int op = f->imm & XG_SIM_BK_REDUCE ? (int)(f->imm >> XG_SIM_BK_OP & 15) : -1;
    xg_sim_box b = f->box;
    b.m = &f->map;
    for (r = 0; r < b.rows; r++)
        if (f->imm & XG_SIM_BK_TO_GLOBAL)
            xg_sim_box_store(&b, r, f->shared->shared, f->at, op);
        else
            xg_sim_box_load(&b, r, f->shared->shared, f->at);
    xg_sim_set_bytes(f->shared, f->at, (size_t)b.rows * b.row, XG_SIM_WRITTEN, true);
}
XG_FN void xg_sim_land_bulk(xg_sim_worker *w, const xg_sim_flight *f) {
    xg_sim_type t = (xg_sim_type)(f->imm >> XG_SIM_BK_TYPE & 255);
    xg_sim_worker *of;
    uint64_t k, x, step = xg_sim_types[t].bytes;
    if (f->imm & XG_SIM_BK_REDUCE)
        for (k = 0; k < f->bytes; k += step) {
            x = 0;
            memcpy(&x, f->src + k, (size_t)step);
            xg_sim_atomic(f->dst + k, (xg_sim_atom)(f->imm >> XG_SIM_BK_OP & 15), t, x, 0);
        }
    else if (f->imm & XG_SIM_BK_MASKED) {
        for (k = 0; k < f->bytes; k++)
            if (f->mask >> (k & 15) & 1) f->dst[k] = f->src[k];
    } else
        memmove(f->dst, f->src, (size_t)f->bytes);
    of = xg_sim_owner(w, f->dst);
    if (of) xg_sim_set_bytes(of, (size_t)(f->dst - of->shared), (size_t)f->bytes, XG_SIM_WRITTEN, true);
    of = xg_sim_owner(w, f->src);
    if (of) xg_sim_set_bytes(of, (size_t)(f->src - of->shared), (size_t)f->bytes, XG_SIM_WRITTEN, true);
}
/* All copies under way land, in the order of their issue. */
XG_FN void xg_sim_land(xg_sim_worker *w) {
    xg_sim_cluster *c = w->cluster;
    uint32_t i;
    for (i = 0; i < c->n_flights; i++) {
        xg_sim_flight *f = &c->flights[i];
        if (f->tensor)
            xg_sim_land_tensor(f);
        else
            xg_sim_land_bulk(w, f);
        if (f->bar) {
            uint64_t x = xg_sim_mb_get(f->bar);
            xg_sim_mb_put(w, f->bar, xg_sim_mb_expected(x), xg_sim_mb_pending(x), xg_sim_mb_tx(x) - (int32_t)f->bytes,
                x & XG_SIM_MB_PHASE);
        }
    }
    c->n_flights = 0;
}
XG_FN xg_sim_flight *xg_sim_take_off(xg_sim_worker *w, const xg_sim_ins *in) {
    xg_sim_cluster *c = w->cluster;
    xg_sim_flight *f;
    if (c->n_flights == XG_SIM_FLIGHTS) xg_sim_land(w);
    f = &c->flights[c->n_flights++];
    memset(f, 0, sizeof *f);
    f->imm = in->imm;
    return f;
}

/* `bytes` of shared or global memory at a lane's address, a multiple of `align`; NULL after a fault. */
XG_FN char *xg_sim_reach_bytes(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane,
    uint32_t code, uint32_t bits, uint64_t bytes, uint32_t align, bool write) {
    uint64_t a = xg_sim_lane_address(xg_sim_slot(w, v, code), lane, (bits & 16) != 0, 0);
    xg_sim_space space = (xg_sim_space)(bits & 15);
    char *p;
    if (a % align) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_MISALIGNED, "bulk copy: the address at 0x%llX is no multiple of %u",
            (unsigned long long)a, align);
        return NULL;
    }
    if (space == XG_SIM_SHARED || space == XG_SIM_GENERIC) {
        p = w->cluster->n > 1 ? xg_sim_reach_peer(w, space, a, bytes) : NULL;
        if (p) return p;
        if (space == XG_SIM_SHARED && a <= w->l->shared_bytes && w->l->shared_bytes - a >= bytes) return w->shared + a;
        if (space == XG_SIM_SHARED) {
            xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_BOUNDS,
                "bulk copy of %llu bytes at offset %llu of shared memory, which has %u bytes",
                (unsigned long long)bytes, (unsigned long long)a, w->l->shared_bytes);
            return NULL;
        }
    }
    if (!xg_sim_in_last(w, a, bytes) && !xg_sim_find_buffer(w, a, bytes)) {
        xg_sim_fault_address(
            w, v, in, lane, a, (uint32_t)bytes, XG_SIM_FAULT_BOUNDS, write ? "bulk write" : "bulk read");
        return NULL;
    }
    if (write && w->last.readonly) {
        xg_sim_fault_address(w, v, in, lane, a, (uint32_t)bytes, XG_SIM_FAULT_READONLY, "bulk write");
        return NULL;
    }
    return (char *)(uintptr_t)a;
}
/* Shared bytes that a flight will write become pending, those it will read lent. */
XG_FN bool xg_sim_claim(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane, const char *p,
    uint64_t bytes, bool write) {
    xg_sim_worker *of = xg_sim_owner(w, p);
    size_t at = of ? (size_t)(p - of->shared) : 0;
    if (!of) return true;
    if (!xg_sim_fresh_bytes(w, of, v, in, lane, 0x7FFFFFFF, at, (size_t)bytes, write ? XG_SIM_WRITES : XG_SIM_READS))
        return false;
    xg_sim_set_bytes(of, at, (size_t)bytes, write ? XG_SIM_PENDING : XG_SIM_LENT, true);
    return true;
}
XG_FN bool xg_sim_global_side(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane,
    uint64_t address, uint64_t bytes, xg_sim_does does) {
    return !bytes || xg_sim_shadow_global(w, v, in, lane, 0x7FFFFFFF, address, bytes, does, does == XG_SIM_UPDATES);
}

XG_FN bool xg_sim_bulk_to(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane, char *dst,
    char *src, char *bar, uint64_t bytes) {
    bool global = (in->imm & XG_SIM_BK_TO_GLOBAL) != 0, update = (in->imm & XG_SIM_BK_REDUCE) != 0;
    xg_sim_flight *f;
    if (!xg_sim_claim(w, v, in, lane, src, bytes, false)) return false;
    if (update && !global) { /* of values that are there already */
        xg_sim_worker *of = xg_sim_owner(w, dst);
        if (of && !xg_sim_fresh_bytes(
                      w, of, v, in, lane, 0x7FFFFFFF, (size_t)(dst - of->shared), (size_t)bytes, XG_SIM_READS))
            return false;
    }
    if (!global && !xg_sim_claim(w, v, in, lane, dst, bytes, true)) return false;
    f = xg_sim_take_off(w, in);
    f->dst = dst;
    f->src = src;
    f->bar = bar;
    f->bytes = bytes;
    if (in->imm & XG_SIM_BK_MASKED) {
        uint16_t m;
        memcpy(&m, xg_sim_slot(w, v, in->e) + (size_t)lane * 2, 2);
        f->mask = m;
    }
    return true;
}
/* The same place in the block of a rank. */
XG_FN char *xg_sim_in_peer(const xg_sim_worker *w, const char *p, uint32_t rank) {
    const xg_sim_worker *of = xg_sim_owner(w, p);
    return w->cluster->peers[rank]->shared + (p - of->shared);
}
/* The blocks a multicast goes to; 0 after a fault. */
XG_FN uint32_t xg_sim_multicast(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane) {
    uint16_t mask;
    memcpy(&mask, xg_sim_slot(w, v, in->e) + (size_t)lane * 2, 2);
    if (!mask || mask >> w->cluster->n) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_OPERAND, "a multicast to the blocks 0x%X of a cluster of %u", mask,
            w->cluster->n);
        return 0;
    }
    return mask;
}
XG_FN bool xg_sim_bulk_lane(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane) {
    uint64_t bytes = xg_sim_lane_u32(xg_sim_slot(w, v, w->m->list[in->list]), lane);
    bool global = (in->imm & XG_SIM_BK_TO_GLOBAL) != 0;
    uint32_t mask, r;
    char *dst, *src, *bar = NULL;
    if (bytes % 16) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_OPERAND, "a bulk copy moves a multiple of 16 bytes, not %llu",
            (unsigned long long)bytes);
        return false;
    }
    dst = xg_sim_reach_bytes(w, v, in, lane, in->a, in->imm2, bytes, 16, true);
    if (dst && global &&
        !xg_sim_global_side(w, v, in, lane, (uint64_t)(uintptr_t)dst, bytes,
            in->imm & XG_SIM_BK_REDUCE ? XG_SIM_UPDATES : XG_SIM_WRITES))
        return false;
    src = dst ? xg_sim_reach_bytes(w, v, in, lane, in->b, in->imm2 >> 8, bytes, 16, false) : NULL;
    if (!src) return false;
    if ((in->imm2 >> 8 & 15) == XG_SIM_GLOBAL &&
        !xg_sim_global_side(w, v, in, lane, (uint64_t)(uintptr_t)src, bytes, XG_SIM_READS))
        return false;
    if (in->flags & 32 && !(bar = xg_sim_mb_at(w, v, in, lane, in->c, in->imm2 >> 16, false))) return false;
    if (!(in->imm & XG_SIM_BK_MULTICAST)) return xg_sim_bulk_to(w, v, in, lane, dst, src, bar, bytes);
    mask = xg_sim_multicast(w, v, in, lane);
    for (r = 0; r < w->cluster->n; r++)
        if ((mask >> r & 1) &&
            !xg_sim_bulk_to(w, v, in, lane, xg_sim_in_peer(w, dst, r), src, xg_sim_in_peer(w, bar, r), bytes))
            return false;
    return mask != 0;
}

/* ---- boxes of tensors ---- */

XG_FN bool xg_sim_box_check(
    xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane, const xg_sim_box *b) {
    bool write = (in->imm & XG_SIM_BK_TO_GLOBAL) != 0;
    uint32_t r;
    for (r = 0; r < b->rows; r++) {
        xg_sim_box_line l = xg_sim_box_row(b, r);
        uint64_t a = l.address + (uint64_t)l.first * b->item, n = (uint64_t)(l.last - l.first) * b->item;
        if (!n) continue;
        if (!xg_sim_in_last(w, a, n) && !xg_sim_find_buffer(w, a, n)) {
            xg_sim_fault_address(w, v, in, lane, a, (uint32_t)n, XG_SIM_FAULT_BOUNDS,
                write ? "a tensor map's write" : "a tensor map's read");
            return false;
        }
        if (write && w->last.readonly) {
            xg_sim_fault_address(w, v, in, lane, a, (uint32_t)n, XG_SIM_FAULT_READONLY, "a tensor map's write");
            return false;
        }
        if (!xg_sim_global_side(w, v, in, lane, a, n,
                !write                       ? XG_SIM_READS
                : in->imm & XG_SIM_BK_REDUCE ? XG_SIM_UPDATES
                                             : XG_SIM_WRITES))
            return false;
    }
    return true;
}
/* The map's 128 bytes: in parameters, constants or global memory. */
XG_FN bool xg_sim_map_of(
    xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane, xg_sim_tensormap *m) {
    uint64_t a = xg_sim_lane_address(xg_sim_slot(w, v, in->b), lane, (in->imm2 >> 8 & 16) != 0, 0);
    xg_sim_space space = (xg_sim_space)(in->imm2 >> 8 & 15);
    char *p;
    const char *wrong;
    if (a % 64) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_MISALIGNED, "the tensor map at 0x%llX is not aligned to 64 bytes",
            (unsigned long long)a);
        return false;
    }
    /* mov of a parameter's name gives its offset */
    if (space == XG_SIM_GENERIC && a < w->l->param_bytes) space = XG_SIM_PARAM;
    p = xg_sim_reach_lane(w, v, in, lane, space, a, 64, false);
    if (!p || !xg_sim_reach_lane(w, v, in, lane, space, a + 64, 64, false)) return false;
    if (!xg_sim_tensormap_read(p, m)) {
        xg_sim_fault(
            w, v, in, lane, XG_SIM_FAULT_OPERAND, "these 128 bytes are no tensor map that the simulator has encoded");
        return false;
    }
    wrong = xg_sim_tensormap_check(m);
    if (wrong) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_OPERAND, "the tensor map is wrong: %s", wrong);
        return false;
    }
    if (m->rank != in->imm >> XG_SIM_BK_RANK || (m->im2col != 0) != ((in->imm & XG_SIM_BK_IM2COL) != 0)) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_OPERAND, "the tensor map is of rank %u%s; the instruction is not",
            m->rank, m->im2col ? ", im2col" : "");
        return false;
    }
    return true;
}
XG_FN bool xg_sim_tensor_to(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane,
    const xg_sim_box *b, const char *shared, char *bar) {
    xg_sim_flight *f;
    uint64_t bytes = (uint64_t)b->rows * b->row;
    if (!xg_sim_claim(w, v, in, lane, shared, bytes, !(in->imm & XG_SIM_BK_TO_GLOBAL))) return false;
    f = xg_sim_take_off(w, in);
    f->tensor = true;
    f->map = *b->m;
    f->box = *b;
    f->shared = xg_sim_owner(w, shared);
    f->at = (uint32_t)(shared - f->shared->shared);
    f->bar = bar;
    f->bytes = bytes;
    return true;
}
XG_FN bool xg_sim_tensor_lane(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane) {
    xg_sim_tensormap m;
    xg_sim_box b;
    int32_t at[5] = {0, 0, 0, 0, 0};
    uint16_t offset[3] = {0, 0, 0};
    uint32_t i, rank = in->imm >> XG_SIM_BK_RANK, mask, r;
    char *shared, *bar = NULL;
    if (!xg_sim_map_of(w, v, in, lane, &m)) return false;
    for (i = 0; i < rank; i++) at[i] = (int32_t)xg_sim_lane_u32(xg_sim_slot(w, v, w->m->list[in->list + i]), lane);
    for (; i < in->n; i++) memcpy(&offset[i - rank], xg_sim_slot(w, v, w->m->list[in->list + i]) + (size_t)lane * 2, 2);
    xg_sim_box_make(&b, &m, at, offset);
    shared = xg_sim_reach_bytes(w, v, in, lane, in->a, in->imm2, (uint64_t)b.rows * b.row, 128, true);
    if (!shared || !xg_sim_box_check(w, v, in, lane, &b)) return false;
    if (in->flags & 32 && !(bar = xg_sim_mb_at(w, v, in, lane, in->c, in->imm2 >> 16, false))) return false;
    if (!(in->imm & XG_SIM_BK_MULTICAST)) return xg_sim_tensor_to(w, v, in, lane, &b, shared, bar);
    mask = xg_sim_multicast(w, v, in, lane);
    for (r = 0; r < w->cluster->n; r++)
        if ((mask >> r & 1) &&
            !xg_sim_tensor_to(w, v, in, lane, &b, xg_sim_in_peer(w, shared, r), xg_sim_in_peer(w, bar, r)))
            return false;
    return mask != 0;
}

/* st.async and red.async: they land at once. */
XG_FN bool xg_sim_store_lane(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane) {
    xg_sim_type t = (xg_sim_type)(in->imm >> XG_SIM_BK_TYPE & 255);
    uint32_t bytes = xg_sim_types[t].bytes, i;
    char *p = xg_sim_reach_bytes(w, v, in, lane, in->a, in->imm2, (uint64_t)bytes * in->n, bytes * in->n, true), *bar;
    xg_sim_worker *of = p ? xg_sim_owner(w, p) : NULL;
    if (!of || !(bar = xg_sim_mb_at(w, v, in, lane, in->c, in->imm2 >> 16, false))) return false;
    if (!xg_sim_fresh_bytes(w, of, v, in, lane, 64, (size_t)(p - of->shared), (size_t)bytes * in->n,
            in->imm & XG_SIM_BK_REDUCE ? XG_SIM_READS : XG_SIM_WRITES))
        return false;
    xg_sim_set_bytes(of, (size_t)(p - of->shared), (size_t)bytes * in->n, XG_SIM_WRITTEN, true);
    for (i = 0; i < in->n; i++) {
        uint64_t x = 0;
        memcpy(&x, xg_sim_slot(w, v, w->m->list[in->list + i]) + (size_t)lane * bytes, bytes);
        if (in->imm & XG_SIM_BK_REDUCE)
            xg_sim_atomic(p, (xg_sim_atom)(in->imm >> XG_SIM_BK_OP & 15), t, x, 0);
        else
            memcpy(p + (size_t)i * bytes, &x, bytes);
    }
    return xg_sim_mb_bytes(w, v, in, lane, bar, -(int64_t)(bytes * in->n));
}

/* st.bulk. */
XG_FN bool xg_sim_fill_lane(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane) {
    uint64_t n;
    char *p;
    memcpy(&n, xg_sim_slot(w, v, in->b) + (size_t)lane * 8, 8);
    if (n % 8) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_OPERAND, "st.bulk of %llu bytes, which is no multiple of 8",
            (unsigned long long)n);
        return false;
    }
    if (!n) return true;
    p = xg_sim_reach_bytes(w, v, in, lane, in->a, in->imm2, n, 8, true);
    if (!p) return false;
    if (xg_sim_owner(w, p) != w) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_OPERAND, "st.bulk outside of the shared memory of its block");
        return false;
    }
    if (!w->unchecked &&
        !xg_sim_shadow_shared(w, v, in, lane, (uint32_t)n, (size_t)(p - w->shared), (size_t)n, XG_SIM_WRITES, false))
        return false;
    memset(p, 0, (size_t)n);
    return true;
}

/* ---- tensor maps in memory ---- */

XG_FN bool xg_sim_map_lane(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane) {
    xg_sim_tensormap m;
    uint64_t x = 0;
    char *p = xg_sim_reach_bytes(w, v, in, lane, in->a, in->imm2, XG_SIM_TENSORMAP_BYTES, 128, true);
    bool wide = (in->imm & 255) == XG_SIM_MAP_ADDRESS || (in->imm & 255) == XG_SIM_MAP_STRIDE;
    if (!p) return false;
    if (!xg_sim_tensormap_read(p, &m)) {
        xg_sim_fault(
            w, v, in, lane, XG_SIM_FAULT_OPERAND, "these 128 bytes are no tensor map that the simulator has encoded");
        return false;
    }
    memcpy(&x, xg_sim_slot(w, v, in->b) + (size_t)lane * (wide ? 8 : 4), wide ? 8 : 4);
    if (!xg_sim_tensormap_set(&m, (xg_sim_map_field)(in->imm & 255), in->imm >> 8, x)) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_OPERAND,
            "%llu is no value of this field of a tensor map, or is not simulated", (unsigned long long)x);
        return false;
    }
    memcpy(p, &m, sizeof m);
    return true;
}
XG_FN bool xg_sim_map_copy(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane) {
    char *to = xg_sim_reach_bytes(w, v, in, lane, in->a, in->imm2, XG_SIM_TENSORMAP_BYTES, 128, true), *from;
    if (!to || !xg_sim_global_side(w, v, in, lane, (uint64_t)(uintptr_t)to, XG_SIM_TENSORMAP_BYTES, XG_SIM_WRITES))
        return false;
    from = xg_sim_reach_bytes(w, v, in, lane, in->b, in->imm2 >> 8, XG_SIM_TENSORMAP_BYTES, 128, false);
    if (from) memcpy(to, from, XG_SIM_TENSORMAP_BYTES);
    return from != NULL;
}

/* ---- clusters ---- */

/* Ends the phase of barrier.cluster when all warps that live have arrived. */
XG_FN void xg_sim_cluster_check(xg_sim_worker *w) {
    xg_sim_cluster *c = w->cluster;
    uint32_t r, i, arrived = 0;
    if (!c->used) return;
    for (r = 0; r < c->n; r++)
        for (i = 0; i < w->l->warps; i++) {
            const xg_sim_warp *v = &c->peers[r]->warps[i];
            if (v->state == XG_SIM_DONE) continue;
            if (!v->in_cluster_barrier || v->cluster_phase != c->phase) return;
            arrived++;
        }
    if (!arrived) return;
    c->phase++;
    for (r = 0; r < c->n; r++) {
        c->peers[r]->stats.barriers += r == 0;
        xg_sim_synchronised(c->peers[r]);
    }
    xg_sim_event(w);
}
XG_FN void xg_sim_cluster_arrive(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    if (mask != v->live) {
        xg_sim_fault(w, v, in, xg_sim_first_lane(mask), XG_SIM_FAULT_DIVERGENCE,
            "barrier.cluster is reached by the lanes 0x%X of a warp whose live lanes are 0x%X; all threads of a "
            "cluster must reach it",
            mask, v->live);
        return;
    }
    if (v->in_cluster_barrier) {
        xg_sim_fault(w, v, in, xg_sim_first_lane(mask), XG_SIM_FAULT_BARRIER,
            "barrier.cluster.arrive twice without barrier.cluster.wait in between");
        return;
    }
    v->in_cluster_barrier = true;
    v->cluster_phase = w->cluster->phase;
    w->cluster->used = true;
    xg_sim_cluster_check(w);
}
XG_FN bool xg_sim_cluster_wait(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    if (mask != v->live) {
        xg_sim_fault(w, v, in, xg_sim_first_lane(mask), XG_SIM_FAULT_DIVERGENCE,
            "barrier.cluster is reached by the lanes 0x%X of a warp whose live lanes are 0x%X; all threads of a "
            "cluster must reach it",
            mask, v->live);
        return false;
    }
    if (!v->in_cluster_barrier) {
        xg_sim_fault(w, v, in, xg_sim_first_lane(mask), XG_SIM_FAULT_BARRIER,
            "barrier.cluster.wait without barrier.cluster.arrive before it");
        return false;
    }
    if (v->cluster_phase == w->cluster->phase) {
        v->state = XG_SIM_AT_EVENT;
        return false;
    }
    v->in_cluster_barrier = false;
    return true;
}
XG_FN bool xg_sim_map_address(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane) {
    bool wide = (in->imm2 & 16) != 0, window = (in->imm2 & 15) == XG_SIM_SHARED;
    uint64_t a = xg_sim_lane_address(xg_sim_slot(w, v, in->a), lane, wide, 0),
             at = a & (((uint64_t)1 << XG_SIM_WINDOW) - 1), x;
    const xg_sim_worker *of =
        window ? (a >> XG_SIM_WINDOW == 0                  ? w
                     : a >> XG_SIM_WINDOW <= w->cluster->n ? w->cluster->peers[(a >> XG_SIM_WINDOW) - 1]
                                                           : NULL)
               : xg_sim_owner(w, (const char *)(uintptr_t)a);
    if (!of) {
        xg_sim_fault(
            w, v, in, lane, XG_SIM_FAULT_OPERAND, "0x%llX is no address of shared memory", (unsigned long long)a);
        return false;
    }
    if (!window) at = a - (uint64_t)(uintptr_t)of->shared;
    x = of->rank;
    if (in->op == XG_SIM_Y_MAPA) {
        uint32_t rank = xg_sim_lane_u32(xg_sim_slot(w, v, in->b), lane);
        if (rank >= w->cluster->n) {
            xg_sim_fault(
                w, v, in, lane, XG_SIM_FAULT_OPERAND, "there is no block %u in a cluster of %u", rank, w->cluster->n);
            return false;
        }
        x = window ? at | (uint64_t)(rank + 1) << XG_SIM_WINDOW
                   : (uint64_t)(uintptr_t)w->cluster->peers[rank]->shared + at;
    }
    memcpy(v->regs + in->d + (size_t)lane * in->dbytes, &x, in->dbytes);
    return true;
}

/* ---- the records ---- */

XG_FN void xg_sim_exec_async(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    uint32_t i;
    bool ok = true;
    switch (in->op) {
    case XG_SIM_Y_COMMIT:
        if (!(in->imm & 1)) xg_sim_copy_commit(w, v, mask);
        return;
    case XG_SIM_Y_GROUPS:
        if (in->imm & 1) {
            xg_sim_land(w);
            return;
        }
        if (in->imm & 4) xg_sim_copy_commit(w, v, mask); /* wait_all: also those in no group */
        xg_sim_copy_wait(w, v, mask, in->imm2);
        return;
    case XG_SIM_Y_ARRIVE: xg_sim_cluster_arrive(w, v, in, mask); return;
    case XG_SIM_Y_MAP_COPY: xg_sim_map_copy(w, v, in, xg_sim_first_lane(mask)); return;
    default: break;
    }
    for (i = 0; i < XG_SIM_WARP && ok; i++) {
        if (!(mask >> i & 1)) continue;
        switch (in->op) {
        case XG_SIM_Y_MB_PENDING:
            xg_sim_put_u32(
                v->regs + in->d, i, xg_sim_mb_pending(xg_sim_mb_get(xg_sim_slot(w, v, in->a) + (size_t)i * 8)));
            break;
        case XG_SIM_Y_BULK: ok = xg_sim_bulk_lane(w, v, in, i); break;
        case XG_SIM_Y_TENSOR: ok = xg_sim_tensor_lane(w, v, in, i); break;
        case XG_SIM_Y_STORE: ok = xg_sim_store_lane(w, v, in, i); break;
        case XG_SIM_Y_FILL: ok = xg_sim_fill_lane(w, v, in, i); break;
        case XG_SIM_Y_MAPA:
        case XG_SIM_Y_RANK: ok = xg_sim_map_address(w, v, in, i); break;
        case XG_SIM_Y_MAP_SET: ok = xg_sim_map_lane(w, v, in, i); break;
        default: ok = xg_sim_mb_lane(w, v, in, i);
        }
    }
}
/* True when the warp may go on to the next record. */
XG_FN bool xg_sim_exec_wait(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    uint32_t i, done = 0;
    if (in->op == XG_SIM_Y_WAIT) return xg_sim_cluster_wait(w, v, in, mask);
    xg_sim_land(w);
    for (i = 0; i < XG_SIM_WARP; i++) {
        const char *p;
        uint64_t want, phase;
        if (!(mask >> i & 1)) continue;
        p = xg_sim_mb_at(w, v, in, i, in->a, in->imm2, false);
        if (!p) return false;
        phase = xg_sim_mb_get(p) & XG_SIM_MB_PHASE;
        if (in->imm & XG_SIM_MB_PARITY)
            want = xg_sim_lane_u32(xg_sim_slot(w, v, in->b), i) & 1 ? XG_SIM_MB_PHASE : 0;
        else
            want = xg_sim_mb_get(xg_sim_slot(w, v, in->b) + (size_t)i * 8) & XG_SIM_MB_PHASE;
        if (want != phase) done |= 1u << i;
    }
    if (!done && !v->impatient) {
        v->state = XG_SIM_AT_EVENT;
        return false;
    }
    v->impatient = false;
    for (i = 0; i < XG_SIM_WARP; i++)
        if (mask >> i & 1) xg_sim_put_u32(v->regs + in->d, i, done >> i & 1 ? 0xFFFFFFFFu : 0);
    if (done) xg_sim_synchronised(w);
    return true;
}

/* Nobody of the cluster can move. True when somebody can now: copies have landed, or waits have been told "not yet". */
XG_FN bool xg_sim_unstall(xg_sim_worker *w) {
    xg_sim_cluster *c = w->cluster;
    uint32_t r, i;
    bool moved = false;
    if (c->n_flights) {
        xg_sim_land(w);
        xg_sim_event(w);
        return true;
    }
    if (c->stalls++ >= XG_SIM_STALLS) return false;
    for (r = 0; r < c->n; r++)
        for (i = 0; i < w->l->warps; i++) {
            xg_sim_warp *v = &c->peers[r]->warps[i];
            if (v->state != XG_SIM_AT_EVENT || w->m->code[v->pc].op != XG_SIM_Y_MB_TEST) continue;
            v->impatient = moved = true;
            v->state = XG_SIM_READY;
        }
    return moved;
}
/* Who waits for what, when nothing will come of it. True when it was such a wait. */
XG_FN bool xg_sim_event_deadlock(xg_sim_worker *w) {
    uint32_t r, i;
    for (r = 0; r < w->cluster->n; r++)
        for (i = 0; i < w->l->warps; i++) {
            xg_sim_worker *of = w->cluster->peers[r];
            const xg_sim_warp *v = &of->warps[i];
            const xg_sim_ins *in = &w->m->code[v->pc];
            uint32_t lane = xg_sim_first_lane(v->mask);
            const char *p;
            uint64_t x;
            if (v->state != XG_SIM_AT_EVENT) continue;
            if (in->op == XG_SIM_Y_WAIT) {
                xg_sim_fault(of, v, in, lane, XG_SIM_FAULT_DEADLOCK,
                    "a warp waits at barrier.cluster, which others of the cluster never reach");
                return true;
            }
            p = xg_sim_mb_at(of, v, in, lane, in->a, in->imm2, false);
            if (!p) return true;
            x = xg_sim_mb_get(p);
            xg_sim_fault(of, v, in, lane, XG_SIM_FAULT_DEADLOCK,
                "a warp waits for a memory barrier (phase of parity %u, %u of %u arrivals and %d bytes missing), and "
                "nobody else can move",
                x & XG_SIM_MB_PHASE ? 1u : 0u, xg_sim_mb_pending(x), xg_sim_mb_expected(x), xg_sim_mb_tx(x));
            return true;
        }
    return false;
}

#endif /* XG_SIM_ASYNC_C */
/* sim/tiles.c -- the arithmetic of one tile: 16 x K times K x 8, and how packed elements become its numbers.
 *
 * The idea. Wherever packed elements of A or B come from, 16 bytes hold elements of one row of A (or one column of B)
 * side by side in k: in a register's slot, four lanes share a row; in shared memory, 16 bytes are what a swizzle leaves
 * together. So one function turns rows of 16 bytes into numbers, and it is all that depends on the element's type.
 * Floats become doubles, integers 16-bit words, which are multiplied in pairs.
 *
 * Numbers. Integers are exact and wrap or saturate once. Products of floats narrower than f64 are exact in double, so
 * that a fused multiply-add and a product with a sum are the same; a sum begins with C, adds the products in the order
 * of k in double precision and is rounded once. f64 is a chain of fused multiply-adds in the order of k. GPUs add in
 * another order and cut off low bits, so their f32 results differ in the last places. NaNs are 0x7FFFFFFF, 0x7FFF and,
 * of f64, 0xFFF8000000000000.
 *
 * Law: both tables of functions, for any host and for AVX2, give the same bits. */
#ifndef XG_SIM_TILES_C
#define XG_SIM_TILES_C

enum {
    XG_SIM_TILE_K = 256,     /* elements of a row, of integers of one bit */
    XG_SIM_TILE_REALS_K = 64 /* of a row of floats */
};
typedef struct xg_sim_real {
    double a[16][XG_SIM_TILE_REALS_K], b[XG_SIM_TILE_REALS_K][8], c[16][8];
} xg_sim_real;
/* b: pairs of elements side by side in k. */
typedef struct xg_sim_ints {
    int16_t a[16][XG_SIM_TILE_K], b[XG_SIM_TILE_K / 2][8][2];
    int64_t c[16][8];
} xg_sim_ints;

/* The functions of a unit. rows: `n` rows of packed elements, `step` bytes apart, to rows of numbers `stride` apart.
 * turn: columns of B to its rows. pair_rows, pair_turn: the same for integers. c_rows, d_rows: eight rows of C or D, of
 * f32, from and to the slots of the even and the odd columns; half_rows: D of f16 to one slot. */
typedef struct xg_sim_tile_fns {
    void (*rows)(double *to, size_t stride, const char *from, size_t step, uint32_t n, xg_sim_elem e);
    void (*turn)(double (*b)[8], const double (*columns)[XG_SIM_TILE_REALS_K], uint32_t k);
    void (*multiply)(xg_sim_real *r, uint32_t m, uint32_t k, bool f64);
    void (*pair_rows)(int16_t *to, size_t stride, const char *from, size_t step, uint32_t n, xg_sim_elem e);
    void (*pair_turn)(int16_t (*b)[8][2], const int16_t (*columns)[XG_SIM_TILE_K], uint32_t k);
    void (*pair_multiply)(xg_sim_ints *x, uint32_t m, uint32_t k);
    void (*c_rows)(double (*c)[8], const char *even, const char *odd);
    void (*d_rows)(const double (*c)[8], char *even, char *odd);
    void (*half_rows)(const double (*c)[8], char *slot);
} xg_sim_tile_fns;

/* ---- elements ---- */

XG_FN float xg_sim_tile_float(xg_sim_elem e, uint32_t x) {
    switch (e) {
    case XG_SIM_EL_F16: return xg_sim_f32_bits(xg_sim_f16_to_f32(x));
    case XG_SIM_EL_BF16: return xg_sim_f32_bits(x << 16);
    case XG_SIM_EL_TF32: return xg_sim_f32_bits(x & 0xFFFFE000u);
    case XG_SIM_EL_E5M2: return xg_sim_f32_bits(xg_sim_f16_to_f32(x << 8));
    case XG_SIM_EL_E4M3: {
        uint32_t m = x & 0x7F, sign = (x & 0x80) << 24;
        float f;
        if (m == 0x7F) return xg_sim_f32_bits(0x7FFFFFFFu);
        if (m >= 8) return xg_sim_f32_bits(sign | ((m << 20) + (120u << 23)));
        f = (float)m * 0.001953125f; /* 2^-9 */
        return sign ? -f : f;
    }
    default: return xg_sim_f32_bits(x);
    }
}
XG_FN int32_t xg_sim_tile_int(xg_sim_elem e, uint32_t x) {
    switch (e) {
    case XG_SIM_EL_S8: return (int32_t)(x << 24) >> 24;
    case XG_SIM_EL_U8: return (int32_t)(x & 255);
    case XG_SIM_EL_S4: return (int32_t)(x << 28) >> 28;
    case XG_SIM_EL_U4: return (int32_t)(x & 15);
    default: return (int32_t)(x & 1);
    }
}
/* Element number i of packed bytes, at most 32 bits of it. */
XG_FN uint32_t xg_sim_tile_element(const char *from, uint32_t i, uint32_t bits) {
    const uint32_t bytes = XG_MAX(1u, bits / 8);
    uint32_t x = 0;
    uint8_t parts[4] = {0, 0, 0, 0};
    memcpy(parts, from + (size_t)i * bits / 8, bytes);
    x = parts[0] | (uint32_t)parts[1] << 8 | (uint32_t)parts[2] << 16 | (uint32_t)parts[3] << 24;
    return bits < 8 ? x >> (i * bits % 8) & ((1u << bits) - 1) : x;
}
/* A sum as f16: rounded to f32 with an odd last bit where it is not exact, so that rounding again rounds once. */
XG_FN uint32_t xg_sim_tile_half(double x) {
    const float f = (float)x;
    uint32_t u = xg_sim_bits_f32(f);
    if (x != x) return 0x7FFF;
    if ((double)f != x && !(u & 1)) u += (x > (double)f) == (x > 0) ? 1u : 0xFFFFFFFFu;
    return xg_sim_f32_to_f16(u);
}

/* ---- for any host ---- */

XG_FN void xg_sim_base_tile_rows(double *to, size_t stride, const char *from, size_t step, uint32_t n, xg_sim_elem e) {
    const uint32_t bits = xg_sim_elems[e].bits, each = bits == 64 ? 4 : 128 / bits;
    uint32_t i;
    for (; n; n--, to += stride, from += step) {
        if (bits == 64)
            memcpy(to, from, 32);
        else
            for (i = 0; i < each; i++) to[i] = (double)xg_sim_tile_float(e, xg_sim_tile_element(from, i, bits));
    }
}
XG_FN void xg_sim_base_tile_turn(double (*b)[8], const double (*columns)[XG_SIM_TILE_REALS_K], uint32_t k) {
    uint32_t q, j;
    for (q = 0; q < k; q++)
        for (j = 0; j < 8; j++) b[q][j] = columns[j][q];
}
XG_FN void xg_sim_base_tile_multiply(xg_sim_real *r, uint32_t m, uint32_t k, bool f64) {
    uint32_t i, j, q;
    for (i = 0; i < m; i++)
        for (q = 0; q < k; q++) {
            const double a = r->a[i][q];
            if (f64)
                for (j = 0; j < 8; j++)
                    r->c[i][j] = xg_sim_f64_bits(xg_sim_soft_fma(XG_SIM_IS_F64, xg_sim_bits_f64(a),
                        xg_sim_bits_f64(r->b[q][j]), xg_sim_bits_f64(r->c[i][j]), XG_SIM_RN));
            else
                for (j = 0; j < 8; j++) r->c[i][j] += a * r->b[q][j];
        }
}
XG_FN void xg_sim_base_tile_pair_rows(
    int16_t *to, size_t stride, const char *from, size_t step, uint32_t n, xg_sim_elem e) {
    const uint32_t bits = xg_sim_elems[e].bits, each = 128 / bits;
    uint32_t i;
    for (; n; n--, to += stride, from += step)
        for (i = 0; i < each; i++) to[i] = (int16_t)xg_sim_tile_int(e, xg_sim_tile_element(from, i, bits));
}
XG_FN void xg_sim_base_tile_pair_turn(int16_t (*b)[8][2], const int16_t (*columns)[XG_SIM_TILE_K], uint32_t k) {
    uint32_t q, j;
    for (j = 0; j < 8; j++)
        for (q = 0; q < k / 2; q++) memcpy(b[q][j], &columns[j][2 * q], 4);
}
XG_FN void xg_sim_base_tile_pair_multiply(xg_sim_ints *x, uint32_t m, uint32_t k) {
    uint32_t i, j, q;
    for (i = 0; i < m; i++)
        for (q = 0; q < k; q++)
            for (j = 0; j < 8; j++) x->c[i][j] += x->a[i][q] * x->b[q / 2][j][q & 1];
}
XG_FN void xg_sim_base_tile_c_rows(double (*c)[8], const char *even, const char *odd) {
    uint32_t i, j;
    for (i = 0; i < 8; i++)
        for (j = 0; j < 4; j++) {
            c[i][2 * j] = (double)xg_sim_f32_bits(xg_sim_tile_element(even, 4 * i + j, 32));
            c[i][2 * j + 1] = (double)xg_sim_f32_bits(xg_sim_tile_element(odd, 4 * i + j, 32));
        }
}
XG_FN uint32_t xg_sim_tile_single(double x) { return x != x ? 0x7FFFFFFFu : xg_sim_bits_f32((float)x); }
XG_FN void xg_sim_base_tile_d_rows(const double (*c)[8], char *even, char *odd) {
    uint32_t i, j;
    for (i = 0; i < 8; i++)
        for (j = 0; j < 4; j++) {
            xg_sim_put_u32(even, 4 * i + j, xg_sim_tile_single(c[i][2 * j]));
            xg_sim_put_u32(odd, 4 * i + j, xg_sim_tile_single(c[i][2 * j + 1]));
        }
}
XG_FN void xg_sim_base_tile_half_rows(const double (*c)[8], char *slot) {
    uint32_t i, j;
    for (i = 0; i < 8; i++)
        for (j = 0; j < 4; j++)
            xg_sim_put_u32(slot, 4 * i + j, xg_sim_tile_half(c[i][2 * j]) | xg_sim_tile_half(c[i][2 * j + 1]) << 16);
}
static const xg_sim_tile_fns xg_sim_tile_fns_base = {xg_sim_base_tile_rows, xg_sim_base_tile_turn,
    xg_sim_base_tile_multiply, xg_sim_base_tile_pair_rows, xg_sim_base_tile_pair_turn, xg_sim_base_tile_pair_multiply,
    xg_sim_base_tile_c_rows, xg_sim_base_tile_d_rows, xg_sim_base_tile_half_rows};

/* ---- for AVX2 ---- */

#if XG_SIM_X86
/* Eight floats as doubles. */
XG_M256_FN void xg_sim_avx2_put_reals(double *to, __m256 f) {
    _mm256_storeu_pd(to, _mm256_cvtps_pd(_mm256_castps256_ps128(f)));
    _mm256_storeu_pd(to + 4, _mm256_cvtps_pd(_mm256_extractf128_ps(f, 1)));
}
/* Eight bytes in words of 16 bits, as f32. e4m3 has the exponent's place of f16 but one bit, and 2^8 less. */
XG_M256_FN __m256 xg_sim_avx2_e5m2(__m128i x) { return _mm256_cvtph_ps(_mm_slli_epi16(x, 8)); }
XG_M256_FN __m256 xg_sim_avx2_e4m3(__m128i x) {
    const __m128i low = _mm_and_si128(x, _mm_set1_epi16(0x7F)), nan = _mm_cmpeq_epi16(low, _mm_set1_epi16(0x7F));
    const __m128i half = _mm_or_si128(_mm_slli_epi16(_mm_and_si128(x, _mm_set1_epi16(0x80)), 8),
        _mm_or_si128(_mm_slli_epi16(low, 7), _mm_and_si128(nan, _mm_set1_epi16(0x7FFF))));
    return _mm256_mul_ps(_mm256_cvtph_ps(half), _mm256_set1_ps(256.0f));
}
XG_SIM_FAST_FN void xg_sim_avx2_tile_rows(
    double *to, size_t stride, const char *from, size_t step, uint32_t n, xg_sim_elem e) {
#define XG_SIM_TILE_ROWS(...) \
    for (; n; n--, to += stride, from += step) { \
        const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)from); \
        __VA_ARGS__; \
    } \
    break
    switch (e) {
    case XG_SIM_EL_F16: XG_SIM_TILE_ROWS(xg_sim_avx2_put_reals(to, _mm256_cvtph_ps(x)));
    case XG_SIM_EL_BF16:
        XG_SIM_TILE_ROWS(
            xg_sim_avx2_put_reals(to, _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(x), 16))));
    case XG_SIM_EL_TF32:
        XG_SIM_TILE_ROWS(_mm256_storeu_pd(
            to, _mm256_cvtps_pd(_mm_castsi128_ps(_mm_and_si128(x, _mm_set1_epi32((int)0xFFFFE000u))))));
    case XG_SIM_EL_E5M2:
        XG_SIM_TILE_ROWS(xg_sim_avx2_put_reals(to, xg_sim_avx2_e5m2(_mm_cvtepu8_epi16(x)));
                         xg_sim_avx2_put_reals(to + 8, xg_sim_avx2_e5m2(_mm_cvtepu8_epi16(_mm_srli_si128(x, 8)))));
    case XG_SIM_EL_E4M3:
        XG_SIM_TILE_ROWS(xg_sim_avx2_put_reals(to, xg_sim_avx2_e4m3(_mm_cvtepu8_epi16(x)));
                         xg_sim_avx2_put_reals(to + 8, xg_sim_avx2_e4m3(_mm_cvtepu8_epi16(_mm_srli_si128(x, 8)))));
    default: xg_sim_base_tile_rows(to, stride, from, step, n, e);
    }
#undef XG_SIM_TILE_ROWS
}
XG_SIM_FAST_FN void xg_sim_avx2_tile_turn(double (*b)[8], const double (*columns)[XG_SIM_TILE_REALS_K], uint32_t k) {
    uint32_t q, j;
    for (q = 0; q < k; q += 4)
        for (j = 0; j < 8; j += 4) {
            const __m256d c0 = _mm256_loadu_pd(&columns[j][q]), c1 = _mm256_loadu_pd(&columns[j + 1][q]);
            const __m256d c2 = _mm256_loadu_pd(&columns[j + 2][q]), c3 = _mm256_loadu_pd(&columns[j + 3][q]);
            const __m256d lo01 = _mm256_unpacklo_pd(c0, c1), hi01 = _mm256_unpackhi_pd(c0, c1);
            const __m256d lo23 = _mm256_unpacklo_pd(c2, c3), hi23 = _mm256_unpackhi_pd(c2, c3);
            _mm256_storeu_pd(&b[q][j], _mm256_permute2f128_pd(lo01, lo23, 0x20));
            _mm256_storeu_pd(&b[q + 1][j], _mm256_permute2f128_pd(hi01, hi23, 0x20));
            _mm256_storeu_pd(&b[q + 2][j], _mm256_permute2f128_pd(lo01, lo23, 0x31));
            _mm256_storeu_pd(&b[q + 3][j], _mm256_permute2f128_pd(hi01, hi23, 0x31));
        }
}
/* Four rows at once: eight sums that do not wait for each other. */
XG_SIM_FAST_FN void xg_sim_avx2_tile_multiply(xg_sim_real *r, uint32_t m, uint32_t k, bool f64) {
    uint32_t i, q;
    (void)f64;
    for (i = 0; i < m; i += 4) {
        double(*a)[XG_SIM_TILE_REALS_K] = &r->a[i], (*c)[8] = &r->c[i];
        __m256d c00 = _mm256_loadu_pd(c[0]), c01 = _mm256_loadu_pd(c[0] + 4);
        __m256d c10 = _mm256_loadu_pd(c[1]), c11 = _mm256_loadu_pd(c[1] + 4);
        __m256d c20 = _mm256_loadu_pd(c[2]), c21 = _mm256_loadu_pd(c[2] + 4);
        __m256d c30 = _mm256_loadu_pd(c[3]), c31 = _mm256_loadu_pd(c[3] + 4);
        for (q = 0; q < k; q++) {
            const __m256d b0 = _mm256_loadu_pd(r->b[q]), b1 = _mm256_loadu_pd(r->b[q] + 4);
            __m256d x = _mm256_broadcast_sd(&a[0][q]);
            c00 = _mm256_fmadd_pd(x, b0, c00);
            c01 = _mm256_fmadd_pd(x, b1, c01);
            x = _mm256_broadcast_sd(&a[1][q]);
            c10 = _mm256_fmadd_pd(x, b0, c10);
            c11 = _mm256_fmadd_pd(x, b1, c11);
            x = _mm256_broadcast_sd(&a[2][q]);
            c20 = _mm256_fmadd_pd(x, b0, c20);
            c21 = _mm256_fmadd_pd(x, b1, c21);
            x = _mm256_broadcast_sd(&a[3][q]);
            c30 = _mm256_fmadd_pd(x, b0, c30);
            c31 = _mm256_fmadd_pd(x, b1, c31);
        }
        _mm256_storeu_pd(c[0], c00);
        _mm256_storeu_pd(c[0] + 4, c01);
        _mm256_storeu_pd(c[1], c10);
        _mm256_storeu_pd(c[1] + 4, c11);
        _mm256_storeu_pd(c[2], c20);
        _mm256_storeu_pd(c[2] + 4, c21);
        _mm256_storeu_pd(c[3], c30);
        _mm256_storeu_pd(c[3] + 4, c31);
    }
}
XG_SIM_FAST_FN void xg_sim_avx2_tile_pair_rows(
    int16_t *to, size_t stride, const char *from, size_t step, uint32_t n, xg_sim_elem e) {
    if (e != XG_SIM_EL_S8 && e != XG_SIM_EL_U8) {
        xg_sim_base_tile_pair_rows(to, stride, from, step, n, e);
        return;
    }
    for (; n; n--, to += stride, from += step) {
        const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)from);
        XG_M256_PUT((char *)to, 0, e == XG_SIM_EL_S8 ? _mm256_cvtepi8_epi16(x) : _mm256_cvtepu8_epi16(x));
    }
}
/* The products of a row are at most 256 times 255 * 255: their sum fits 32 bits. */
XG_SIM_FAST_FN void xg_sim_avx2_tile_pair_multiply(xg_sim_ints *x, uint32_t m, uint32_t k) {
    uint32_t i, q;
    for (i = 0; i < m; i += 2) {
        __m256i s0 = _mm256_setzero_si256(), s1 = s0;
        for (q = 0; q < k / 2; q++) {
            const __m256i b = XG_M256_AT((const char *)x->b[q], 0);
            const int a0 = xg_sim_avx2_word((const char *)&x->a[i][2 * q]),
                      a1 = xg_sim_avx2_word((const char *)&x->a[i + 1][2 * q]);
            s0 = _mm256_add_epi32(s0, _mm256_madd_epi16(_mm256_set1_epi32(a0), b));
            s1 = _mm256_add_epi32(s1, _mm256_madd_epi16(_mm256_set1_epi32(a1), b));
        }
#define XG_SIM_TILE_ADD(c, v) \
    XG_M256_PUT((char *)(c), 0, _mm256_add_epi64(XG_M256_AT((const char *)(c), 0), _mm256_cvtepi32_epi64(v)))
        XG_SIM_TILE_ADD(x->c[i], _mm256_castsi256_si128(s0));
        XG_SIM_TILE_ADD(x->c[i] + 4, _mm256_extracti128_si256(s0, 1));
        XG_SIM_TILE_ADD(x->c[i + 1], _mm256_castsi256_si128(s1));
        XG_SIM_TILE_ADD(x->c[i + 1] + 4, _mm256_extracti128_si256(s1, 1));
#undef XG_SIM_TILE_ADD
    }
}
XG_SIM_FAST_FN void xg_sim_avx2_tile_c_rows(double (*c)[8], const char *even, const char *odd) {
    uint32_t i;
    for (i = 0; i < 8; i++) {
        const __m128 x = _mm_loadu_ps((const float *)(const void *)(even + 16 * i)),
                     y = _mm_loadu_ps((const float *)(const void *)(odd + 16 * i));
        _mm256_storeu_pd(c[i], _mm256_cvtps_pd(_mm_unpacklo_ps(x, y)));
        _mm256_storeu_pd(c[i] + 4, _mm256_cvtps_pd(_mm_unpackhi_ps(x, y)));
    }
}
XG_M256_FN __m128 xg_sim_avx2_single(__m256d x) {
    const __m128 f = _mm256_cvtpd_ps(x), nan = _mm_cmpunord_ps(f, f);
    return _mm_or_ps(_mm_andnot_ps(nan, f), _mm_and_ps(nan, _mm_castsi128_ps(_mm_set1_epi32(0x7FFFFFFF))));
}
XG_SIM_FAST_FN void xg_sim_avx2_tile_d_rows(const double (*c)[8], char *even, char *odd) {
    uint32_t i;
    for (i = 0; i < 8; i++) {
        const __m128 x = xg_sim_avx2_single(_mm256_loadu_pd(c[i])), y = xg_sim_avx2_single(_mm256_loadu_pd(c[i] + 4));
        _mm_storeu_ps((float *)(void *)(even + 16 * i), _mm_shuffle_ps(x, y, 0x88));
        _mm_storeu_ps((float *)(void *)(odd + 16 * i), _mm_shuffle_ps(x, y, 0xDD));
    }
}
/* Four sums as f32 with an odd last bit where they are not exact. */
XG_M256_FN __m128i xg_sim_avx2_to_odd(__m256d x) {
    const __m128 f = _mm256_cvtpd_ps(x);
    const __m256d back = _mm256_cvtps_pd(f), zero = _mm256_setzero_pd();
    const __m256d more = _mm256_cmp_pd(x, back, _CMP_GT_OQ), less = _mm256_cmp_pd(x, back, _CMP_LT_OQ),
                  up = _mm256_cmp_pd(x, zero, _CMP_GT_OQ);
    const __m256d away = _mm256_or_pd(_mm256_and_pd(more, up), _mm256_andnot_pd(up, less)),
                  inexact = _mm256_or_pd(more, less);
    const __m128i a = _mm256_castsi256_si128(_mm256_castps_si256(_mm256_castpd_ps(away))); /* low halves, for below */
    const __m128 wide_a = _mm_shuffle_ps(_mm_castsi128_ps(a),
                     _mm256_castps256_ps128(_mm256_castpd_ps(_mm256_permute2f128_pd(away, away, 1))), 0x88),
                 wide_i = _mm_shuffle_ps(_mm256_castps256_ps128(_mm256_castpd_ps(inexact)),
                     _mm256_castps256_ps128(_mm256_castpd_ps(_mm256_permute2f128_pd(inexact, inexact, 1))), 0x88);
    const __m128i u = _mm_castps_si128(f), one = _mm_set1_epi32(1);
    const __m128i step =
        _mm_or_si128(_mm_andnot_si128(_mm_castps_si128(wide_a), _mm_set1_epi32(-1)), one); /* 1 or -1 */
    const __m128i even = _mm_cmpeq_epi32(_mm_and_si128(u, one), _mm_setzero_si128());
    return _mm_add_epi32(u, _mm_and_si128(step, _mm_and_si128(even, _mm_castps_si128(wide_i))));
}
XG_SIM_FAST_FN void xg_sim_avx2_tile_half_rows(const double (*c)[8], char *slot) {
    uint32_t i;
    for (i = 0; i < 8; i++) {
        const __m128i x = xg_sim_avx2_to_odd(_mm256_loadu_pd(c[i])), y = xg_sim_avx2_to_odd(_mm256_loadu_pd(c[i] + 4));
        const __m256 f = _mm256_castsi256_ps(_mm256_set_m128i(y, x));
        const __m128i h = _mm256_cvtps_ph(f, 0), size = _mm_and_si128(h, _mm_set1_epi16(0x7FFF)),
                      nan = _mm_cmpgt_epi16(size, _mm_set1_epi16(0x7C00));
        _mm_storeu_si128((__m128i *)(void *)(slot + 16 * i),
            _mm_or_si128(_mm_andnot_si128(nan, h), _mm_and_si128(nan, _mm_set1_epi16(0x7FFF))));
    }
}
static const xg_sim_tile_fns xg_sim_tile_fns_avx2 = {xg_sim_avx2_tile_rows, xg_sim_avx2_tile_turn,
    xg_sim_avx2_tile_multiply, xg_sim_avx2_tile_pair_rows, xg_sim_base_tile_pair_turn, xg_sim_avx2_tile_pair_multiply,
    xg_sim_avx2_tile_c_rows, xg_sim_avx2_tile_d_rows, xg_sim_avx2_tile_half_rows};
#endif

/* Of the unit that the worker's module was loaded for; a wider unit has no functions of its own: the conversions around
 * the sums take as long as they do. */
XG_FN const xg_sim_tile_fns *xg_sim_tile_fns_of(const xg_sim_worker *w) {
#if XG_SIM_X86
    if (w->m->moves == &xg_sim_moves_avx2) return &xg_sim_tile_fns_avx2;
#else
    (void)w;
#endif
    return &xg_sim_tile_fns_base;
}

#endif /* XG_SIM_TILES_C */
/* sim/matrix.c -- tiles of matrices in the registers of a warp: ldmatrix, stmatrix, movmatrix, mma, wmma.
 *
 * The idea. A multiplication spreads its registers out into plain arrays, multiplies 16 x K by K x 8, and packs the
 * result (tiles.c). Where an element lies is said by small functions (xg_sim_at_a, _c), the same for every type: a
 * register of A holds 32 / bits elements side by side in k. The fragments of wmma are ours to choose, as PTX leaves
 * them open: a thread holds consecutive elements of the row-major tile; where there are more registers than elements
 * they repeat. */
#ifndef XG_SIM_MATRIX_C
#define XG_SIM_MATRIX_C

/* A multiplication being done. Which of them is used: the elements of A say. */
typedef struct xg_sim_work {
    xg_sim_tile t;
    union {
        xg_sim_real r;
        xg_sim_ints i;
    } u;
} xg_sim_work;

/* ---- elements ---- */

/* Element (row, col) of A or B gets the bits x. */
XG_FN void xg_sim_work_put(xg_sim_work *w, bool b, uint32_t row, uint32_t col, uint64_t x) {
    xg_sim_elem e = b ? w->t.b : w->t.a;
    if (!xg_sim_elems[e].real) {
        *(b ? &w->u.i.b[row / 2][col][row & 1] : &w->u.i.a[row][col]) = (int16_t)xg_sim_tile_int(e, (uint32_t)x);
        return;
    }
    *(b ? &w->u.r.b[row][col] : &w->u.r.a[row][col]) =
        e == XG_SIM_EL_F64 ? xg_sim_f64_bits(x) : (double)xg_sim_tile_float(e, (uint32_t)x);
}
XG_FN void xg_sim_work_put_c(xg_sim_work *w, uint32_t row, uint32_t col, uint64_t x) {
    if (w->t.c == XG_SIM_EL_S32)
        w->u.i.c[row][col] = (int32_t)(uint32_t)x;
    else
        w->u.r.c[row][col] =
            w->t.c == XG_SIM_EL_F64 ? xg_sim_f64_bits(x) : (double)xg_sim_tile_float(w->t.c, (uint32_t)x);
}
XG_FN uint64_t xg_sim_work_get(const xg_sim_work *w, uint32_t row, uint32_t col) {
    double x;
    uint32_t bits;
    if (w->t.d == XG_SIM_EL_S32) {
        int64_t i = w->u.i.c[row][col];
        return w->t.flags & XG_SIM_TF_SATURATE ? (uint32_t)(int32_t)XG_MAX(XG_MIN(i, INT32_MAX), INT32_MIN)
                                               : (uint32_t)(uint64_t)i;
    }
    x = w->u.r.c[row][col];
    if (w->t.d == XG_SIM_EL_F64) return x != x ? 0xFFF8000000000000u : xg_sim_bits_f64(x);
    if (w->t.d == XG_SIM_EL_F32) return xg_sim_tile_single(x);
    bits = xg_sim_tile_half(x);
    /* wmma of f16: infinities become the largest number */
    return w->t.flags & XG_SIM_TF_SATURATE && (bits & 0x7FFF) == 0x7C00 ? bits - 1 : bits;
}

/* C += A B. Exclusive or instead of the product, of single bits, has no function of its own. */
XG_FN void xg_sim_work_multiply(const xg_sim_tile_fns *fns, xg_sim_work *w) {
    const uint32_t m = XG_MIN(w->t.m, 16u), k = w->t.k;
    uint32_t i, j, q;
    if (xg_sim_elems[w->t.a].real)
        fns->multiply(&w->u.r, m, k, w->t.a == XG_SIM_EL_F64);
    else if (!(w->t.flags & XG_SIM_TF_XOR))
        fns->pair_multiply(&w->u.i, m, k);
    else
        for (i = 0; i < m; i++)
            for (q = 0; q < k; q++)
                for (j = 0; j < 8; j++) w->u.i.c[i][j] += w->u.i.a[i][q] ^ w->u.i.b[q / 2][j][q & 1];
}

/* ---- where elements lie: element e of register i of a lane ---- */

typedef struct xg_sim_at {
    uint32_t row, col;
} xg_sim_at;
XG_FN xg_sim_at xg_sim_at_a(
    uint32_t lane, uint32_t i, uint32_t e, uint32_t per, uint32_t m) { /* per: elements of a register */
    xg_sim_at p;
    p.row = lane / 4 + (m > 8 ? 8 * (i & 1) : 0);
    p.col = lane % 4 * per + e + 4 * per * (m > 8 ? i >> 1 : i);
    return p;
}
XG_FN xg_sim_at xg_sim_at_c(uint32_t lane, uint32_t v) { /* v: the number of the element, not of the register */
    xg_sim_at p;
    p.row = lane / 4 + 8 * (v >> 1);
    p.col = lane % 4 * 2 + (v & 1);
    return p;
}

/* Element e of a register of 32 bits, or the register of 64. */
XG_FN uint64_t xg_sim_tile_bits(const char *slot, uint32_t lane, xg_sim_elem el, uint32_t e) {
    uint32_t bits = xg_sim_elems[el].bits;
    uint64_t x;
    if (bits == 64) {
        memcpy(&x, slot + (size_t)lane * 8, 8);
        return x;
    }
    x = xg_sim_lane_u32(slot, lane);
    return bits == 32 ? x : x >> (e * bits) & ((1u << bits) - 1);
}
XG_INLINE uint32_t xg_sim_tile_per(xg_sim_elem e) { return e == XG_SIM_EL_F64 ? 1 : 32u / xg_sim_elems[e].bits; }

/* ---- sparse A ---- */

/* The metadata of row r: 4 bits for each group of four (tf32: two, s4 and u4: eight) elements of A. */
XG_FN uint64_t xg_sim_metadata(const char *slot, const xg_sim_tile *t, uint32_t r) {
    uint32_t quad = r % 8 * 4, half = r / 8, which = xg_sim_selectors(t), first;
    uint64_t x = 0;
    bool byrow = xg_sim_elems[t->a].bits <= 8; /* words hold one row; otherwise two halves hold rows r and r + 8 */
    if (which == 4) return xg_sim_lane_u32(slot, quad + t->selector) >> (16 * half) & 0xFFFF;
    first = quad + 2 * t->selector;
    if (!byrow)
        return (xg_sim_lane_u32(slot, first) >> (16 * half) & 0xFFFF) |
               (uint64_t)(xg_sim_lane_u32(slot, first + 1) >> (16 * half) & 0xFFFF) << 16;
    x = xg_sim_lane_u32(slot, quad + (which == 2 ? 2 * t->selector : 0) + half);
    return which == 2 ? x : x | (uint64_t)xg_sim_lane_u32(slot, quad + 2 + half) << 32;
}
/* Where element c of a packed row stands in the whole row; NOREG when the metadata is wrong. */
XG_FN uint32_t xg_sim_sparse_col(const xg_sim_tile *t, uint64_t meta, uint32_t c) {
    uint32_t four, lo, hi;
    if (t->a == XG_SIM_EL_TF32) { /* one of two */
        four = (uint32_t)(meta >> (4 * c)) & 15;
        return four == 14 ? 2 * c + 1 : four == 4 ? 2 * c : XG_SIM_NOREG;
    }
    if (t->a == XG_SIM_EL_S4 || t->a == XG_SIM_EL_U4) { /* pairs */
        uint32_t pair = c / 2, group = pair / 2;
        four = (uint32_t)(meta >> (4 * group)) & 15;
        lo = four & 3;
        hi = four >> 2;
        if (t->flags & XG_SIM_TF_ORDERED && lo >= hi) return XG_SIM_NOREG;
        return 8 * group + 2 * (pair & 1 ? hi : lo) + (c & 1);
    }
    four = (uint32_t)(meta >> (4 * (c / 2))) & 15;
    lo = four & 3;
    hi = four >> 2;
    if (t->flags & XG_SIM_TF_ORDERED && lo >= hi) return XG_SIM_NOREG;
    return 4 * (c / 2) + (c & 1 ? hi : lo);
}
/* Spreads the packed row-major A of 16 rows, k / 2 bits patterns each, over the whole k. */
XG_FN bool xg_sim_work_expand(
    xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, xg_sim_work *x, const char *meta) {
    uint32_t r, c, half = x->t.k / 2;
    bool real = xg_sim_elems[x->t.a].real != 0;
    for (r = 0; r < 16; r++) {
        uint64_t m = xg_sim_metadata(meta, &x->t, r);
        double f[XG_SIM_TILE_REALS_K];
        int16_t i[XG_SIM_TILE_K];
        for (c = 0; c < half; c++) {
            if (real) {
                f[c] = x->u.r.a[r][c];
                x->u.r.a[r][c] = 0;
            } else {
                i[c] = x->u.i.a[r][c];
                x->u.i.a[r][c] = 0;
            }
        }
        for (c = half; c < x->t.k; c++) {
            if (real)
                x->u.r.a[r][c] = 0;
            else
                x->u.i.a[r][c] = 0;
        }
        for (c = 0; c < half; c++) {
            uint32_t to = xg_sim_sparse_col(&x->t, m, c);
            if (to == XG_SIM_NOREG) {
                xg_sim_fault(w, v, in, r % 8 * 4, XG_SIM_FAULT_OPERAND,
                    "the metadata of row %u of a sparse tile is none: 0x%llX", r, (unsigned long long)m);
                return false;
            }
            if (real)
                x->u.r.a[r][to] = f[c];
            else
                x->u.i.a[r][to] = i[c];
        }
    }
    return true;
}

/* ---- mma ---- */

/* Four lanes have the elements of one row of A, or of one column of B, side by side: 16 bytes of a register's slot. */
XG_FN void xg_sim_work_load_a(
    xg_sim_work *x, const xg_sim_worker *w, const xg_sim_warp *v, const uint32_t *list, uint32_t regs) {
    const xg_sim_tile_fns *fns = xg_sim_tile_fns_of(w);
    const xg_sim_elem e = x->t.a;
    const uint32_t per = xg_sim_tile_per(e), step = e == XG_SIM_EL_F64 ? 32 : 16;
    uint32_t i;
    for (i = 0; i < regs; i++) {
        const xg_sim_at at = xg_sim_at_a(0, i, 0, per, x->t.m);
        const char *slot = xg_sim_slot(w, v, list[i]);
        if (xg_sim_elems[e].real)
            fns->rows(&x->u.r.a[at.row][at.col], XG_SIM_TILE_REALS_K, slot, step, 8, e);
        else
            fns->pair_rows(&x->u.i.a[at.row][at.col], XG_SIM_TILE_K, slot, step, 8, e);
    }
}
XG_FN void xg_sim_work_load_b(
    xg_sim_work *x, const xg_sim_worker *w, const xg_sim_warp *v, const uint32_t *list, uint32_t regs) {
    const xg_sim_tile_fns *fns = xg_sim_tile_fns_of(w);
    const xg_sim_elem e = x->t.b;
    const uint32_t per = xg_sim_tile_per(e), step = e == XG_SIM_EL_F64 ? 32 : 16;
    double reals[8][XG_SIM_TILE_REALS_K];
    int16_t ints[8][XG_SIM_TILE_K];
    uint32_t i;
    for (i = 0; i < regs; i++) {
        const char *slot = xg_sim_slot(w, v, list[i]);
        if (xg_sim_elems[e].real)
            fns->rows(&reals[0][4 * per * i], XG_SIM_TILE_REALS_K, slot, step, 8, e);
        else
            fns->pair_rows(&ints[0][4 * per * i], XG_SIM_TILE_K, slot, step, 8, e);
    }
    if (xg_sim_elems[e].real)
        fns->turn(x->u.r.b, (const double(*)[XG_SIM_TILE_REALS_K])reals, x->t.k);
    else
        fns->pair_turn(x->u.i.b, (const int16_t(*)[XG_SIM_TILE_K])ints, x->t.k);
}
/* A tile of C of 8 columns from its registers, and D back into them. */
XG_FN void xg_sim_work_load_c(
    xg_sim_work *x, const xg_sim_worker *w, const xg_sim_warp *v, const uint32_t *list, uint32_t regs) {
    const xg_sim_tile_fns *fns = xg_sim_tile_fns_of(w);
    uint32_t i, lane;
    if (x->t.c == XG_SIM_EL_F32) {
        for (i = 0; i < regs; i += 2)
            fns->c_rows(&x->u.r.c[4 * i], xg_sim_slot(w, v, list[i]), xg_sim_slot(w, v, list[i + 1]));
        return;
    }
    if (x->t.c == XG_SIM_EL_F16) {
        for (i = 0; i < regs; i++) fns->rows(x->u.r.c[8 * i], 8, xg_sim_slot(w, v, list[i]), 16, 8, XG_SIM_EL_F16);
        return;
    }
    for (i = 0; i < regs; i++) {
        const char *slot = xg_sim_slot(w, v, list[i]);
        for (lane = 0; lane < XG_SIM_WARP; lane++) {
            const uint32_t row = lane / 4 + 8 * (i / 2), col = lane % 4 * 2 + (i & 1);
            if (x->t.c == XG_SIM_EL_F64)
                memcpy(&x->u.r.c[row][col], slot + (size_t)lane * 8, 8);
            else
                x->u.i.c[row][col] = (int32_t)xg_sim_lane_u32(slot, lane);
        }
    }
}
XG_FN void xg_sim_work_store_d(
    const xg_sim_work *x, const xg_sim_worker *w, xg_sim_warp *v, const uint32_t *list, uint32_t regs) {
    const xg_sim_tile_fns *fns = xg_sim_tile_fns_of(w);
    const double(*c)[8] = (const double(*)[8])x->u.r.c;
    uint32_t i, lane;
    if (x->t.d == XG_SIM_EL_F32) {
        for (i = 0; i < regs; i += 2) fns->d_rows(c + 4 * i, v->regs + list[i], v->regs + list[i + 1]);
        return;
    }
    if (x->t.d == XG_SIM_EL_F16) {
        for (i = 0; i < regs; i++) fns->half_rows(c + 8 * i, v->regs + list[i]);
        return;
    }
    for (i = 0; i < regs; i++)
        for (lane = 0; lane < XG_SIM_WARP; lane++) {
            const uint32_t row = lane / 4 + 8 * (i / 2), col = lane % 4 * 2 + (i & 1);
            const uint64_t bits = xg_sim_work_get(x, row, col);
            memcpy(v->regs + list[i] + (size_t)lane * (x->t.d == XG_SIM_EL_F64 ? 8 : 4), &bits,
                x->t.d == XG_SIM_EL_F64 ? 8 : 4);
        }
}
XG_FN void xg_sim_exec_mma(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in) {
    xg_sim_work x;
    const uint32_t *list = w->m->list + in->list;
    uint32_t sparse, na, nb, nc;
    x.t = xg_sim_tile_of(in);
    sparse = (x.t.flags & XG_SIM_TF_SPARSE) != 0;
    na = xg_sim_tile_regs(x.t.m * x.t.k / (1 + sparse), x.t.a);
    nb = xg_sim_tile_regs(x.t.k * x.t.n, x.t.b);
    nc = xg_sim_tile_regs(x.t.m * x.t.n, x.t.c);
    xg_sim_work_load_a(&x, w, v, list, na);
    xg_sim_work_load_b(&x, w, v, list + na, nb);
    xg_sim_work_load_c(&x, w, v, list + na + nb, nc);
    if (sparse && !xg_sim_work_expand(w, v, in, &x, xg_sim_slot(w, v, list[na + nb + nc]))) return;
    xg_sim_work_multiply(xg_sim_tile_fns_of(w), &x);
    xg_sim_work_store_d(&x, w, v, list + in->n - in->d2bytes, in->d2bytes);
}

/* mma.m8n8k4 of f16: four multiplications, each by eight threads, those of two quads. */
XG_FN void xg_sim_exec_volta(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in) {
    xg_sim_work x;
    const uint32_t *list = w->m->list + in->list, *to = list + in->n - in->d2bytes;
    uint32_t group, k, i, lane, out[8][XG_SIM_WARP];
    x.t = xg_sim_tile_of(in);
    for (group = 0; group < 4; group++) {
        for (k = 0; k < 8; k++) {
            uint32_t high = 4 * (k / 4);
            lane = group * 4 + k % 4 + 16 * (k / 4);
            for (i = 0; i < 4; i++) {
                uint32_t a = (uint32_t)xg_sim_tile_bits(xg_sim_slot(w, v, list[i / 2]), lane, XG_SIM_EL_F16, i & 1),
                         b = (uint32_t)xg_sim_tile_bits(xg_sim_slot(w, v, list[2 + i / 2]), lane, XG_SIM_EL_F16, i & 1);
                if (x.t.flags & XG_SIM_TF_ACOL)
                    xg_sim_work_put(&x, false, i + high, lane % 4, a);
                else
                    xg_sim_work_put(&x, false, lane % 4 + high, i, a);
                if (x.t.flags & XG_SIM_TF_BROW)
                    xg_sim_work_put(&x, true, lane % 4, i + high, b);
                else
                    xg_sim_work_put(&x, true, i, lane % 4 + high, b);
            }
            for (i = 0; i < 8; i++) {
                if (x.t.c == XG_SIM_EL_F16)
                    xg_sim_work_put_c(&x, lane % 4 + high, i,
                        xg_sim_tile_bits(xg_sim_slot(w, v, list[4 + i / 2]), lane, XG_SIM_EL_F16, i & 1));
                else
                    xg_sim_work_put_c(&x, (lane & 1) + (i & 2) + high, (i & 4) + (lane & 2) + (i & 1),
                        xg_sim_tile_bits(xg_sim_slot(w, v, list[4 + i]), lane, XG_SIM_EL_F32, 0));
            }
        }
        xg_sim_work_multiply(xg_sim_tile_fns_of(w), &x);
        for (k = 0; k < 8; k++) {
            uint32_t high = 4 * (k / 4);
            lane = group * 4 + k % 4 + 16 * (k / 4);
            for (i = 0; i < in->d2bytes; i++) {
                if (x.t.d == XG_SIM_EL_F16)
                    out[i][lane] = (uint32_t)(xg_sim_work_get(&x, lane % 4 + high, 2 * i) |
                                              xg_sim_work_get(&x, lane % 4 + high, 2 * i + 1) << 16);
                else
                    out[i][lane] =
                        (uint32_t)xg_sim_work_get(&x, (lane & 1) + (i & 2) + high, (i & 4) + (lane & 2) + (i & 1));
            }
        }
    }
    for (i = 0; i < in->d2bytes; i++) memcpy(v->regs + to[i], out[i], sizeof out[i]);
}

/* ---- wmma ---- */

/* The element that number q of a lane is: rows * cols of them over 32 lanes, then again. */
XG_FN xg_sim_at xg_sim_at_wmma(uint32_t lane, uint32_t q, uint32_t rows, uint32_t cols) {
    uint32_t each = rows * cols / XG_SIM_WARP, n = lane * each + q % each;
    xg_sim_at p;
    p.row = n / cols;
    p.col = n % cols;
    return p;
}
/* Element (row, col). Of B with elements smaller than a byte a thread holds consecutive elements of the columns, as
 * memory has them. */
XG_FN uint64_t xg_sim_wmma_bits(const xg_sim_worker *w, const xg_sim_warp *v, const uint32_t *list, xg_sim_elem el,
    uint32_t rows, uint32_t cols, uint32_t row, uint32_t col, bool b) {
    uint32_t each = rows * cols / XG_SIM_WARP, n = b && xg_sim_elems[el].bits < 8 ? col * rows + row : row * cols + col,
             per = xg_sim_tile_per(el), q = n % each;
    return xg_sim_tile_bits(xg_sim_slot(w, v, list[q / per]), n / each, el, q % per);
}
/* One part of 16 x 8 of D (8 x 8 where a tile has no more rows). */
XG_FN void xg_sim_wmma_part(const xg_sim_worker *w, const xg_sim_warp *v, xg_sim_work *x, const uint32_t *list,
    uint32_t na, uint32_t nb, uint32_t row, uint32_t col) {
    uint32_t i, j, k, m = XG_MIN(x->t.m, 16u);
    for (k = 0; k < x->t.k; k++) {
        for (i = 0; i < m; i++)
            xg_sim_work_put(x, false, i, k, xg_sim_wmma_bits(w, v, list, x->t.a, x->t.m, x->t.k, row + i, k, false));
        for (j = 0; j < 8; j++)
            xg_sim_work_put(x, true, k, j, xg_sim_wmma_bits(w, v, list + na, x->t.b, x->t.k, x->t.n, k, col + j, true));
    }
    for (i = 0; i < m; i++)
        for (j = 0; j < 8; j++)
            xg_sim_work_put_c(
                x, i, j, xg_sim_wmma_bits(w, v, list + na + nb, x->t.c, x->t.m, x->t.n, row + i, col + j, false));
    xg_sim_work_multiply(xg_sim_tile_fns_of(w), x);
}
XG_FN void xg_sim_exec_wmma(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in) {
    xg_sim_work x;
    const uint32_t *list = w->m->list + in->list, *to = list + in->n - in->d2bytes;
    uint64_t out[32][32];
    uint32_t i, j, row, col, na, nb, q, lane, per, m;
    size_t r;
    x.t = xg_sim_tile_of(in);
    m = XG_MIN(x.t.m, 16u);
    na = nb = 0;
    for (r = 0; r < XG_COUNT(xg_sim_wmmas); r++) {
        const xg_sim_wmma_row *k = &xg_sim_wmmas[r];
        if (k->m == x.t.m && k->n == x.t.n && k->k == x.t.k && xg_sim_in_choice(k->ab, xg_sim_elems[x.t.a].text)) {
            na = k->a;
            nb = k->b;
        }
    }
    for (row = 0; row < x.t.m; row += m)
        for (col = 0; col < x.t.n; col += 8) {
            xg_sim_wmma_part(w, v, &x, list, na, nb, row, col);
            for (i = 0; i < m; i++)
                for (j = 0; j < 8; j++) out[row + i][col + j] = xg_sim_work_get(&x, i, j);
        }
    per = xg_sim_tile_per(x.t.d);
    for (i = 0; i < in->d2bytes; i++)
        for (lane = 0; lane < XG_SIM_WARP; lane++) {
            uint64_t bits = 0;
            for (q = 0; q < per; q++) {
                xg_sim_at at = xg_sim_at_wmma(lane, i * per + q, x.t.m, x.t.n);
                bits |= out[at.row][at.col] << (16 * q);
            }
            if (x.t.d == XG_SIM_EL_F64)
                memcpy(v->regs + to[i] + (size_t)lane * 8, &bits, 8);
            else
                xg_sim_put_u32(v->regs + to[i], lane, (uint32_t)bits);
        }
}

/* wmma.load and wmma.store: element by element; of elements smaller than a byte, register by register. */
XG_FN void xg_sim_exec_wmma_move(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, bool store) {
    xg_sim_tile t = xg_sim_tile_of(in);
    const uint32_t *list = w->m->list + in->list;
    uint32_t which = t.flags >> 1, rows = which == 1 ? t.k : t.m, cols = which == 0 ? t.k : t.n,
             bits = xg_sim_elems[t.a].bits, step = bits < 8 ? 32 / bits : 1, bytes = bits < 8 ? 4 : bits / 8;
    uint32_t where = in->op >> 8, lane, q, total = XG_MAX(1u, rows * cols / XG_SIM_WARP), regs = in->n,
             per = xg_sim_tile_per(t.a);
    bool col = (t.flags & 1) != 0;
    /* read before anything is written: a result may have its slot */
    uint32_t ld = in->flags & 16 ? xg_sim_lane_u32(xg_sim_slot(w, v, in->b), 0) : col ? rows : cols;
    uint64_t base = xg_sim_lane_address(xg_sim_slot(w, v, in->a), 0, (where & 16) != 0, 0);
    for (q = 0; q < regs * per; q += step) {
        xg_sim_reach r;
        if (store && q >= total) break;
        memset(&r, 0, sizeof r);
        r.shape = XG_SIM_ANY;
        r.bytes = bytes;
        for (lane = 0; lane < XG_SIM_WARP; lane++) {
            xg_sim_at at = xg_sim_at_wmma(lane, q, rows, cols);
            if (bits < 8 && which == 1) {
                uint32_t n = lane * total + q % total;
                at.col = n / rows;
                at.row = n % rows;
            } /* as xg_sim_wmma_bits has it */
            r.to.p[lane] = xg_sim_reach_lane(w, v, in, lane, (xg_sim_space)(where & 15),
                base + (uint64_t)(col ? at.col * (uint64_t)ld + at.row : at.row * (uint64_t)ld + at.col) * bits / 8,
                bytes, store);
            if (!r.to.p[lane]) return;
        }
        if (!xg_sim_shadow(w, v, in, &r, 0xFFFFFFFFu, bytes, store ? XG_SIM_WRITES : XG_SIM_READS, false)) return;
        for (lane = 0; lane < XG_SIM_WARP; lane++) {
            char *slot = store ? NULL : v->regs + list[q / per] + (size_t)lane * (bits == 64 ? 8 : 4);
            if (store)
                memcpy(r.to.p[lane],
                    xg_sim_slot(w, v, list[q / per]) + (size_t)lane * (bits == 64 ? 8 : 4) + (q % per) * bytes, bytes);
            else
                memcpy(slot + (q % per) * bytes, r.to.p[lane], bytes);
        }
    }
    if (xg_sim_owner(w, (const char *)(uintptr_t)base) || (where & 15) == XG_SIM_SHARED) {
        if (store)
            w->stats.shared_stores++;
        else
            w->stats.shared_loads++;
    } else if (store)
        w->stats.global_stores++;
    else
        w->stats.global_loads++;
}

/* ---- ldmatrix, stmatrix, movmatrix ---- */

/* Lanes 8j to 8j+7 give the rows of matrix j, 16 bytes each; a lane's register j holds elements 2c and 2c+1 of row lane
 * / 4, or transposed of the column: a register's slot is the matrix as it is, or turned. */
/* Eight rows of eight items of 16 bits, turned. */
XG_FN void xg_sim_turn_halves(char *to, const char *from) {
#if XG_SIM_X86
    const __m128i *p = (const __m128i *)(const void *)from;
    __m128i *q = (__m128i *)(void *)to, x[8], y[8];
    int i;
    for (i = 0; i < 4; i++) {
        const __m128i a = _mm_loadu_si128(p + i), b = _mm_loadu_si128(p + i + 4);
        x[2 * i] = _mm_unpacklo_epi16(a, b);
        x[2 * i + 1] = _mm_unpackhi_epi16(a, b);
    }
    for (i = 0; i < 4; i++) {
        y[2 * i] = _mm_unpacklo_epi16(x[i], x[i + 4]);
        y[2 * i + 1] = _mm_unpackhi_epi16(x[i], x[i + 4]);
    }
    for (i = 0; i < 4; i++) {
        _mm_storeu_si128(q + 2 * i, _mm_unpacklo_epi16(y[i], y[i + 4]));
        _mm_storeu_si128(q + 2 * i + 1, _mm_unpackhi_epi16(y[i], y[i + 4]));
    }
#else
    uint32_t i, k;
    for (i = 0; i < 8; i++)
        for (k = 0; k < 8; k++) memcpy(to + 16 * i + 2 * k, from + 16 * k + 2 * i, 2);
#endif
}
XG_FN void xg_sim_exec_ldmatrix(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, bool store) {
    const uint32_t *list = w->m->list + in->list;
    uint32_t n = in->n, mask = n == 4 ? 0xFFFFFFFFu : (1u << (8 * n)) - 1, j, row;
    char tiles[4][128];
    xg_sim_reach r;
    if (!xg_sim_reach_warp(w, v, in, xg_sim_slot(w, v, in->a), 0, (in->imm2 & 16) != 0, (xg_sim_space)(in->imm2 & 15),
            mask, 16, store, &r))
        return;
    if (!xg_sim_shadow(w, v, in, &r, mask, 16, store ? XG_SIM_WRITES : XG_SIM_READS, false)) return;
    if (!store) {
        w->stats.shared_loads++;
        for (row = 0; row < 8 * n; row++) memcpy(tiles[row / 8] + row % 8 * 16, xg_sim_reach_at(&r, row), 16);
        for (j = 0; j < n; j++)
            if (in->imm)
                xg_sim_turn_halves(v->regs + list[j], tiles[j]);
            else
                memcpy(v->regs + list[j], tiles[j], 128);
        return;
    }
    w->stats.shared_stores++;
    for (j = 0; j < n; j++)
        if (in->imm)
            xg_sim_turn_halves(tiles[j], xg_sim_slot(w, v, list[j]));
        else
            memcpy(tiles[j], xg_sim_slot(w, v, list[j]), 128);
    for (row = 0; row < 8 * n; row++) memcpy(xg_sim_reach_at(&r, row), tiles[row / 8] + row % 8 * 16, 16);
}
XG_FN void xg_sim_exec_movmatrix(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in) {
    const uint32_t *list = w->m->list + in->list;
    uint32_t lane, from[XG_SIM_WARP];
    memcpy(from, xg_sim_slot(w, v, list[0]), sizeof from);
    for (lane = 0; lane < XG_SIM_WARP; lane++) { /* element (row, col) is half col & 1 of lane 4 row + col / 2 */
        uint32_t row = lane / 4, col = lane % 4 * 2, lo = from[col * 4 + row / 2] >> (row & 1) * 16 & 0xFFFF,
                 hi = from[(col + 1) * 4 + row / 2] >> (row & 1) * 16 & 0xFFFF;
        xg_sim_put_u32(v->regs + list[1], lane, lo | hi << 16);
    }
}

#endif /* XG_SIM_MATRIX_C */
/* sim/wgmma.c -- multiplications of a warpgroup, with B and perhaps A in shared memory.
 *
 * The four warps of a group do not need each other here: each multiplies its 16 rows, when it comes to the instruction
 * (those that come together share the work on B), and fence, commit and wait have nothing left to do. A part of 8
 * columns of D is one multiplication of matrix.c.
 *
 * A matrix in shared memory is described by 64 bits: start, two strides, the swizzle. Element (mn, k), mn the row of A
 * or the column of B, lies at
 *   K-major:  start + mn/8 * SBO + mn%8 * W + bytes of k                          W = 128, 64, 32: the swizzle's span
 *   without swizzle: start + mn/8 * SBO + k/chunk * LBO + mn%8 * 16 + bytes of k%chunk      chunk: elements of 16 bytes
 *   MN-major: start + mn/span * LBO + k/8 * SBO + k%8 * W + bytes of mn%span               span: elements of W bytes
 *   without swizzle: start + mn/8 * SBO + k/8 * LBO + k%8 * 16 + bytes of mn%8
 * and then bits 4 to 6 of the address are mixed with bits 7 to 9, as the swizzle says. */
#ifndef XG_SIM_WGMMA_C
#define XG_SIM_WGMMA_C

typedef struct xg_sim_matrix {
    uint32_t start, lead, stride, base, swizzle;
} xg_sim_matrix; /* swizzle: as in tensormap.c */

XG_FN xg_sim_matrix xg_sim_matrix_of(uint64_t d) {
    static const uint8_t modes[4] = {0, 3, 2, 1};
    xg_sim_matrix m;
    m.start = (uint32_t)(d & 0x3FFF) << 4;
    m.lead = (uint32_t)(d >> 16 & 0x3FFF) << 4;
    m.stride = (uint32_t)(d >> 32 & 0x3FFF) << 4;
    m.base = (uint32_t)(d >> 49 & 7);
    m.swizzle = modes[d >> 62];
    return m;
}
/* The address of element k of row mn. */
XG_FN uint32_t xg_sim_matrix_at(const xg_sim_matrix *m, bool transposed, uint32_t mn, uint32_t k, uint32_t bits) {
    uint32_t span = 16u << m->swizzle, a;
    if (transposed) { /* elements of 16 bits */
        if (!m->swizzle) return m->start + mn / 8 * m->stride + k / 8 * m->lead + k % 8 * 16 + mn % 8 * 2;
        a = m->start + mn / (span / 2) * m->lead + k / 8 * m->stride + k % 8 * span + mn % (span / 2) * 2;
    } else {
        uint32_t b = k * bits / 8;
        if (!m->swizzle) return m->start + mn / 8 * m->stride + b / 16 * m->lead + mn % 8 * 16 + b % 16;
        a = m->start + mn / 8 * m->stride + mn % 8 * span + b;
    }
    return a ^ (xg_sim_swizzle(a - (m->base << 7), m->swizzle) ^ (a - (m->base << 7)));
}

/* 16 bytes of a matrix; NULL after a fault. */
XG_FN const char *xg_sim_matrix_row(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t at, bool b) {
    uint32_t i, written = 0;
    if (at + 16 > w->l->shared_bytes) {
        xg_sim_fault(w, v, in, 0, XG_SIM_FAULT_BOUNDS,
            "the matrix %s of wgmma reaches offset %u of shared memory, which has %u bytes", b ? "B" : "A", at,
            w->l->shared_bytes);
        return NULL;
    }
    for (i = 0; i < 16; i += 4) written += xg_sim_word_written(w, at + i);
    if (written < 4 && !xg_sim_fresh_bytes(w, w, v, in, 0, 0x7FFFFFFF, at, 16, XG_SIM_READS)) return NULL;
    return w->shared + at;
}
/* Eight rows from mn, `count` elements of k, into `to` and on: rows of numbers as tiles.c has them. False after a
 * fault. */
XG_FN bool xg_sim_matrix_reals(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, const xg_sim_work *x,
    const xg_sim_matrix *m, bool b, uint32_t mn, uint32_t count, double (*to)[XG_SIM_TILE_REALS_K]) {
    const xg_sim_tile_fns *fns = xg_sim_tile_fns_of(w);
    const xg_sim_elem e = b ? x->t.b : x->t.a;
    const uint32_t bits = xg_sim_elems[e].bits;
    const bool transposed = (x->t.flags & (b ? XG_SIM_TF_BROW : XG_SIM_TF_ACOL)) != 0;
    uint32_t i, k;
    for (k = 0; k < count; k += transposed ? 1 : 128 / bits)
        for (i = 0; i < (transposed ? 1u : 8u); i++) {
            const char *from =
                xg_sim_matrix_row(w, v, in, xg_sim_matrix_at(m, transposed, mn + i, k, bits) & 0x3FFFF, b);
            double row[8];
            uint32_t r;
            if (!from) return false;
            if (!transposed) {
                fns->rows(&to[i][k], XG_SIM_TILE_REALS_K, from, 16, 1, e);
                continue;
            }
            fns->rows(row, 8, from, 16, 1, e);
            for (r = 0; r < 8; r++) to[r][k] = row[r];
        }
    return true;
}
XG_FN bool xg_sim_matrix_ints(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, const xg_sim_work *x,
    const xg_sim_matrix *m, bool b, uint32_t mn, uint32_t count, int16_t (*to)[XG_SIM_TILE_K]) {
    const xg_sim_elem e = b ? x->t.b : x->t.a;
    const uint32_t bits = xg_sim_elems[e].bits;
    uint32_t i, k;
    for (k = 0; k < count; k += 128 / bits)
        for (i = 0; i < 8; i++) {
            const char *from = xg_sim_matrix_row(w, v, in, xg_sim_matrix_at(m, false, mn + i, k, bits) & 0x3FFFF, b);
            if (!from) return false;
            xg_sim_tile_fns_of(w)->pair_rows(&to[i][k], XG_SIM_TILE_K, from, 16, 1, e);
        }
    return true;
}
XG_FN void xg_sim_negate(double *p, uint32_t n) {
    uint32_t i;
    for (i = 0; i < n; i++) p[i] = -p[i];
}
/* Eight columns of B, from col on. */
XG_FN bool xg_sim_wgmma_b(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, xg_sim_work *x,
    const xg_sim_matrix *m, uint32_t col) {
    double reals[8][XG_SIM_TILE_REALS_K];
    int16_t ints[8][XG_SIM_TILE_K];
    uint32_t k;
    if (!xg_sim_elems[x->t.b].real) {
        if (!xg_sim_matrix_ints(w, v, in, x, m, true, col, x->t.k, ints)) return false;
        xg_sim_tile_fns_of(w)->pair_turn(x->u.i.b, (const int16_t(*)[XG_SIM_TILE_K])ints, x->t.k);
        return true;
    }
    if (x->t.flags & XG_SIM_TF_BROW) { /* rows of eight columns, as they are wanted */
        for (k = 0; k < x->t.k; k++) {
            const char *from = xg_sim_matrix_row(w, v, in, xg_sim_matrix_at(m, true, col, k, 16) & 0x3FFFF, true);
            if (!from) return false;
            xg_sim_tile_fns_of(w)->rows(x->u.r.b[k], 8, from, 16, 1, x->t.b);
        }
    } else {
        if (!xg_sim_matrix_reals(w, v, in, x, m, true, col, x->t.k, reals)) return false;
        xg_sim_tile_fns_of(w)->turn(x->u.r.b, (const double(*)[XG_SIM_TILE_REALS_K])reals, x->t.k);
    }
    if (x->t.flags & XG_SIM_TF_NEGB) xg_sim_negate(&x->u.r.b[0][0], 8 * x->t.k);
    return true;
}
XG_FN bool xg_sim_wgmma_a(
    xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, xg_sim_work *x, const uint32_t *list) {
    bool sparse = (x->t.flags & XG_SIM_TF_SPARSE) != 0;
    uint32_t i;
    if (x->t.flags & XG_SIM_TF_AREG)
        xg_sim_work_load_a(x, w, v, list, 4);
    else {
        xg_sim_matrix m = xg_sim_matrix_of(xg_sim_mb_get(xg_sim_slot(w, v, in->a)));
        const uint32_t row = v->id % 4 * 16, count = x->t.k >> sparse;
        const bool real = xg_sim_elems[x->t.a].real != 0;
        for (i = 0; i < 16; i += 8)
            if (real ? !xg_sim_matrix_reals(w, v, in, x, &m, false, row + i, count, &x->u.r.a[i])
                     : !xg_sim_matrix_ints(w, v, in, x, &m, false, row + i, count, &x->u.i.a[i]))
                return false;
    }
    if (sparse && !xg_sim_work_expand(w, v, in, x, xg_sim_slot(w, v, list[x->t.flags & XG_SIM_TF_AREG ? 4 : 0])))
        return false;
    if (x->t.flags & XG_SIM_TF_NEGA)
        for (i = 0; i < 16; i++) xg_sim_negate(x->u.r.a[i], x->t.k);
    return true;
}
/* Warps of a group multiply together when they name the same B: it is read and spread out once for all of them. */
XG_FN void xg_sim_exec_wgmma(xg_sim_worker *w, xg_sim_warp *v, uint32_t warps, const xg_sim_ins *in) {
    xg_sim_work x[XG_SIM_TOGETHER];
    const uint32_t *list = w->m->list + in->list, *to = list + in->n - in->d2bytes;
    const xg_sim_matrix m = xg_sim_matrix_of(xg_sim_mb_get(xg_sim_slot(w, v, in->b)));
    const xg_sim_tile_fns *fns = xg_sim_tile_fns_of(w);
    uint32_t col, regs, k;
    for (k = 0; k < warps; k++) {
        x[k].t = xg_sim_tile_of(in);
        x[k].t.m = 16;
        if (v[k].id / 4 * 4 + 4 > w->l->warps) {
            xg_sim_fault(w, &v[k], in, 0, XG_SIM_FAULT_OPERAND,
                "wgmma needs whole groups of four warps; the block has %u warps", w->l->warps);
            return;
        }
        if (!xg_sim_wgmma_a(w, &v[k], in, &x[k], list)) return;
    }
    regs = xg_sim_tile_regs(16 * 8, x->t.d);
    for (col = 0; col < x->t.n; col += 8) {
        const uint32_t *c = list + in->n - 2 * in->d2bytes + col / 8 * regs;
        if (!xg_sim_wgmma_b(w, v, in, &x[0], &m, col)) return;
        for (k = 0; k < warps; k++) {
            if (k && xg_sim_elems[x->t.b].real)
                memcpy(x[k].u.r.b, x->u.r.b, x->t.k * sizeof x->u.r.b[0]);
            else if (k)
                memcpy(x[k].u.i.b, x->u.i.b, x->t.k / 2 * sizeof x->u.i.b[0]);
            if (xg_sim_predicate(xg_sim_slot(w, &v[k], in->c)))
                xg_sim_work_load_c(&x[k], w, &v[k], c, regs);
            else if (x->t.d == XG_SIM_EL_S32)
                memset(x[k].u.i.c, 0, sizeof x->u.i.c);
            else
                memset(x[k].u.r.c, 0, sizeof x->u.r.c);
            xg_sim_work_multiply(fns, &x[k]);
            xg_sim_work_store_d(&x[k], w, &v[k], to + col / 8 * regs, regs);
        }
    }
}
/* The whole warps of a team execute a tile's record. True when it is a wgmma that they can execute together, and then
 * it is done. */
XG_FN bool xg_sim_tile_together(xg_sim_worker *w, xg_sim_warp *v, uint32_t warps, const xg_sim_ins *in) {
    uint32_t k;
    if ((in->op & 255) != XG_SIM_T_WGMMA || warps > XG_SIM_TOGETHER || in->flags & XG_SIM_GUARDED) return false;
    for (k = 0; k < warps; k++)
        if (v[k].mask != 0xFFFFFFFFu || v[k].live != 0xFFFFFFFFu ||
            xg_sim_mb_get(xg_sim_slot(w, &v[k], in->b)) != xg_sim_mb_get(xg_sim_slot(w, v, in->b)))
            return false;
    w->stats.tensor_operations += warps;
    xg_sim_exec_wgmma(w, v, warps, in);
    return true;
}

XG_FN void xg_sim_exec_tile(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    if (mask != 0xFFFFFFFFu || v->live != 0xFFFFFFFFu) {
        xg_sim_fault(w, v, in, xg_sim_first_lane(mask), XG_SIM_FAULT_INACTIVE,
            "all 32 threads of a warp must execute this instruction together; 0x%X do", mask);
        return;
    }
    switch (in->op & 255) {
    case XG_SIM_T_LOAD: xg_sim_exec_ldmatrix(w, v, in, false); return;
    case XG_SIM_T_STORE: xg_sim_exec_ldmatrix(w, v, in, true); return;
    case XG_SIM_T_MOVE: xg_sim_exec_movmatrix(w, v, in); return;
    case XG_SIM_T_WLOAD: xg_sim_exec_wmma_move(w, v, in, false); return;
    case XG_SIM_T_WSTORE: xg_sim_exec_wmma_move(w, v, in, true); return;
    case XG_SIM_T_WGSYNC: return;
    default: break;
    }
    w->stats.tensor_operations++;
    if ((in->op & 255) == XG_SIM_T_MMA)
        xg_sim_exec_mma(w, v, in);
    else if ((in->op & 255) == XG_SIM_T_VOLTA)
        xg_sim_exec_volta(w, v, in);
    else if ((in->op & 255) == XG_SIM_T_WMMA)
        xg_sim_exec_wmma(w, v, in);
    else
        xg_sim_exec_wgmma(w, v, 1, in);
}

#endif /* XG_SIM_WGMMA_C */
/* sim/run.c -- blocks, groups of warps, and the loop that executes records.
 *
 * A block's full warps stand in groups of XG_SIM_TOGETHER. A group whose warps are all whole (32 active lanes, no
 * suspended paths, the same record) runs each record once for all of them. When a branch splits it, each warp goes on
 * alone until it is whole again at the branch's JOIN; when all have come there, the group runs together again. Barriers
 * put it together too.
 *
 * xg_sim_exec is that loop, for one warp or a whole group. It returns when its warps wait, are done, split up, have
 * spent their quantum of branches (so that warps which spin on each other all move) or have faulted. */
#ifndef XG_SIM_RUN_C
#define XG_SIM_RUN_C

enum {
    XG_SIM_QUANTUM = 20000,
    XG_SIM_PATIENCE = 200 /* turns */
};
#define XG_SIM_ALL 0xFFFFFFFFu

/* ---- calls ---- */

XG_FN void xg_sim_exec_call(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask, uint32_t next) {
    const xg_sim_callsite *s = &w->m->sites[in->imm];
    const xg_sim_func *callee = s->callee;
    char *base = w->regs + (size_t)v->id * w->l->stack_bytes, *regs = v->regs + v->f->frame;
    uint32_t local = v->local + v->f->local, i, k, item = 0;
    xg_sim_frame *f;
    if (!callee->defined) {
        xg_sim_fault(w, v, in, xg_sim_first_lane(mask), XG_SIM_FAULT_OPERAND,
            "call of '%.*s', which the module only declares", (int)callee->info.name.n, callee->info.name.p);
        return;
    }
    if (v->depth >= w->l->call_depth || (size_t)(regs - base) + callee->frame > w->l->stack_bytes ||
        local + callee->local > w->l->local_bytes) {
        xg_sim_fault(
            w, v, in, xg_sim_first_lane(mask), XG_SIM_FAULT_OPERAND, "the calls nest too deep (%u)", v->depth + 1);
        return;
    }
    for (i = 0; i < s->n_args; i++) {
        const xg_sim_copy *c = &w->m->copies[s->first_arg + i];
        if (c->reg) {
            xg_sim_blend(
                regs + callee->args[i].at, xg_sim_slot(w, v, w->m->list[in->list + item]), mask, XG_MAX(2u, c->bytes));
            item++;
            continue;
        }
        for (k = 0; k < XG_SIM_WARP; k++) {
            char *t = w->local + ((size_t)v->id * XG_SIM_WARP + k) * w->l->local_bytes;
            if (mask >> k & 1) memcpy(t + local + callee->args[i].at, t + v->local + c->from, c->bytes);
        }
    }
    f = &v->frames[v->depth++];
    f->pc = next;
    f->meet = v->meet;
    f->site = in->imm;
    f->base = v->n_paths;
    f->regs = v->regs;
    f->local = v->local;
    f->f = v->f;
    v->regs = regs;
    v->local = local;
    v->f = callee;
    v->meet = XG_SIM_NOREG;
    v->mask = mask;
    v->pc = callee->begin;
}
XG_FN void xg_sim_exec_return(xg_sim_worker *w, xg_sim_warp *v) {
    const xg_sim_frame *f = &v->frames[--v->depth];
    const xg_sim_callsite *s = &w->m->sites[f->site];
    const xg_sim_ins *in = &w->m->code[f->pc - 1];
    uint32_t i, k, item = 0;
    for (i = 0; i < s->n_args; i++) item += w->m->copies[s->first_arg + i].reg;
    for (i = 0; i < s->n_rets; i++) {
        const xg_sim_copy *c = &w->m->copies[s->first_ret + i];
        if (c->reg) {
            xg_sim_blend(
                f->regs + w->m->list[in->list + item], v->regs + v->f->rets[i].at, v->mask, XG_MAX(2u, c->bytes));
            item++;
            continue;
        }
        for (k = 0; k < XG_SIM_WARP; k++) {
            char *t = w->local + ((size_t)v->id * XG_SIM_WARP + k) * w->l->local_bytes;
            if (v->mask >> k & 1) memcpy(t + f->local + c->to, t + v->local + v->f->rets[i].at, c->bytes);
        }
    }
    v->pc = f->pc;
    v->meet = f->meet;
    v->regs = f->regs;
    v->local = f->local;
    v->f = f->f;
}

/* ---- barriers ---- */

XG_FN void xg_sim_barrier_check(xg_sim_worker *w, uint32_t id) { /* releases all who wait when enough have come */
    xg_sim_barrier *b = &w->bars[id];
    uint32_t i, need = b->expected, live = 0;
    for (i = 0; i < w->l->warps; i++) live += w->warps[i].state != XG_SIM_DONE;
    if (!need) need = live * XG_SIM_WARP;
    if (!b->arrived || b->arrived < need) return;
    for (i = 0; i < w->l->warps; i++) {
        xg_sim_warp *v = &w->warps[i];
        const xg_sim_ins *in = &w->m->code[v->pc];
        if (v->state != XG_SIM_AT_BARRIER || v->barrier != id) continue;
        v->state = XG_SIM_READY;
        v->released = true;
        v->result = in->op == XG_SIM_BAR_POPC  ? b->value
                    : in->op == XG_SIM_BAR_AND ? 0 - (uint32_t)b->all
                                               : 0 - (uint32_t)b->any;
    }
    memset(b, 0, sizeof *b);
    w->bars_used &= ~(1u << id);
    w->cluster->stalls = 0;
    xg_sim_interval_next(w);
    w->stats.barriers++;
}
/* Not all lanes of a warp came to a barrier: where are the others? */
XG_FN void xg_sim_barrier_divergence(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    uint32_t missing = v->live & ~mask, lane = xg_sim_first_lane(missing), i;
    const uint32_t *t = w->tid + (size_t)v->id * 96;
    const xg_sim_ins *there = NULL;
    for (i = v->n_paths; i-- > 0 && !there;)
        if (v->paths[i].mask & missing) there = &w->m->code[v->paths[i].pc];
    if (missing & v->mask) there = NULL; /* the guard keeps them away */
    if (there)
        xg_sim_fault(w, v, in, xg_sim_first_lane(mask), XG_SIM_FAULT_DIVERGENCE,
            "the barrier is reached by %u lanes (0x%X) of a warp whose %u live lanes are 0x%X: thread (%u,%u,%u) and "
            "%u others took another way, which goes on at line %zu; "
            "all threads of a block must reach the same barriers",
            xg_sim_popc(mask), mask, xg_sim_popc(v->live), v->live, t[lane], t[32 + lane], t[64 + lane],
            xg_sim_popc(missing) - 1, xg_sim_line_of(w, there));
    else
        xg_sim_fault(w, v, in, xg_sim_first_lane(mask), XG_SIM_FAULT_DIVERGENCE,
            "the barrier is reached by %u lanes (0x%X) of a warp whose %u live lanes are 0x%X: its guard is false in "
            "thread (%u,%u,%u) and %u others; all threads of a block must reach the same barriers",
            xg_sim_popc(mask), mask, xg_sim_popc(v->live), v->live, t[lane], t[32 + lane], t[64 + lane],
            xg_sim_popc(missing) - 1);
}
/* Some lanes of a warp are at a barrier while others that took another way are not, because a third way between them
 * ends the kernel: only there would all meet. Those that stand at this barrier already join, those at the end of the
 * kernel have left; then the others go on. False when nobody can move. */
XG_FN bool xg_sim_gather(const xg_sim_worker *w, xg_sim_warp *v) {
    uint32_t base = xg_sim_path_base(v), i, n, on_their_way;
    for (i = n = base; i < v->n_paths; i++) { /* paths of this circle that stand here are taken out */
        if (v->paths[i].meet == v->meet && v->paths[i].pc == v->pc && v->paths[i].mask & v->live)
            v->mask |= v->paths[i].mask & v->live;
        else
            v->paths[n++] = v->paths[i];
    }
    v->n_paths = n;
    v->parked |= v->mask;
    for (on_their_way = v->mask, i = base; i < n; i++)
        if (v->paths[i].meet == v->meet) on_their_way |= v->paths[i].mask;
    if (!v->depth && v->meet != XG_SIM_NOREG && w->m->code[v->meet].kind == XG_SIM_K_END) v->live &= on_their_way;
    if (v->mask == v->live) return true;
    for (i = v->n_paths; i-- > base && v->paths[i].meet == v->meet;) {
        const xg_sim_path there = v->paths[i];
        if (!(there.mask & v->live & ~v->parked)) continue;
        v->paths[i].pc = v->pc;
        v->paths[i].mask = v->mask;
        v->pc = there.pc;
        v->mask = there.mask & v->live;
        return true;
    }
    return false;
}
/* True when the warp may go on to the next record. */
XG_FN bool xg_sim_exec_bar(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    uint32_t lane = xg_sim_first_lane(mask), id, count = 0;
    xg_sim_barrier *b;
    if (v->released) {
        v->released = false;
        if (in->flags & 128) xg_sim_spread(v, in, mask, v->result);
        return true;
    }
    if (mask != v->live && mask == v->mask && !(in->flags & XG_SIM_GUARDED) && xg_sim_gather(w, v)) {
        if (v->mask != v->live) return false; /* others first */
        mask = v->mask;
    }
    if (mask != v->live) {
        xg_sim_barrier_divergence(w, v, in, mask);
        return false;
    }
    v->parked = 0;
    id = xg_sim_lane_u32(xg_sim_slot(w, v, in->a), lane);
    if (in->flags & 16) count = xg_sim_lane_u32(xg_sim_slot(w, v, in->b), lane);
    if (id >= XG_SIM_BARRIERS) {
        xg_sim_fault(
            w, v, in, lane, XG_SIM_FAULT_BARRIER, "there is no barrier %u; a block has %d", id, (int)XG_SIM_BARRIERS);
        return false;
    }
    if (count % XG_SIM_WARP || (in->flags & 16 && !count)) {
        xg_sim_fault(
            w, v, in, lane, XG_SIM_FAULT_BARRIER, "a barrier's thread count must be a multiple of 32, not %u", count);
        return false;
    }
    b = &w->bars[id];
    if (!b->arrived) {
        b->expected = count;
        b->all = true;
    } else if (b->expected != count) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_BARRIER,
            "warps arrive at barrier %u with different thread counts, %u and %u", id, b->expected, count);
        return false;
    }
    b->arrived += XG_SIM_WARP;
    w->bars_used |= 1u << id;
    if (in->flags & 32) {
        uint32_t votes = xg_sim_predicate(xg_sim_slot(w, v, in->c)) & mask;
        b->value += xg_sim_popc(votes);
        b->any = b->any || votes;
        b->all = b->all && votes == mask;
    }
    if (in->op == XG_SIM_BAR_ARRIVE) {
        xg_sim_barrier_check(w, id);
        return true;
    }
    v->state = XG_SIM_AT_BARRIER;
    v->barrier = id;
    xg_sim_barrier_check(w, id);
    return false;
}

/* ---- one record for one warp ---- */

XG_FN void xg_sim_alu_masked(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    xg_sim_lanes L;
    bool full = mask == XG_SIM_ALL;
    L.base[0] = v->regs;
    L.base[1] = w->m->consts - 1;
    L.stride[0] = L.stride[1] = L.dstride = 0;
    L.warps = 1;
    L.w = w;
    L.v = v;
    L.dst = full ? v->regs + in->d : w->scratch;
    L.dst2 = !in->d2bytes ? NULL : full ? v->regs + in->d2 : w->scratch2;
    in->fn(&L, in);
    if (full) return;
    xg_sim_blend(v->regs + in->d, w->scratch, mask, in->dbytes);
    if (in->d2bytes) xg_sim_blend(v->regs + in->d2, w->scratch2, mask, in->d2bytes);
}

/* Lanes that are about to use a register must have written it. */
XG_FN void xg_sim_exec_init(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    uint32_t missing = mask & ~xg_sim_predicate(xg_sim_slot(w, v, in->a));
    const xg_source *s = w->m->src;
    size_t from = in->imm ? in->imm - 1 : 0, n = 1;
    if (!missing || w->l->unchecked_registers) return;
    while (in->imm && from + n < s->size && n < 60 && xg_sim_is_word(s->text[from + n])) n++;
    if (in->imm)
        xg_sim_fault(w, v, in, xg_sim_first_lane(missing), XG_SIM_FAULT_REGISTER,
            "register '%.*s' is used, but the thread has not written it", (int)n, s->text + from);
    else
        xg_sim_fault(w, v, in, xg_sim_first_lane(missing), XG_SIM_FAULT_REGISTER,
            "the carry flag is used, but the thread has not written it");
}

/* All kinds that neither branch nor wait. */
XG_FN void xg_sim_exec_one(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    switch (in->kind) {
    case XG_SIM_K_ALU: xg_sim_alu_masked(w, v, in, mask); break;
    case XG_SIM_K_LD:
    case XG_SIM_K_ST:
        w->polls = w->polls || in->imm2 & XG_SIM_M_STRONG;
        xg_sim_exec_access(w, v, in, mask);
        break;
    case XG_SIM_K_ATOM:
        w->polls = true;
        xg_sim_exec_atom(w, v, in, mask);
        break;
    case XG_SIM_K_PARAM: xg_sim_exec_param(w, v, in, mask); break;
    case XG_SIM_K_SREG: xg_sim_exec_sreg(w, v, in, mask); break;
    case XG_SIM_K_LOCAL: xg_sim_exec_local(v, in, mask); break;
    case XG_SIM_K_WARP: xg_sim_exec_warp(w, v, in, mask); break;
    case XG_SIM_K_CPASYNC: xg_sim_exec_copy(w, v, in, mask); break;
    case XG_SIM_K_SPACE: xg_sim_exec_space(w, v, in, mask); break;
    case XG_SIM_K_FENCE:
        xg_sim_full_fence();
        xg_sim_synchronised(w);
        break;
    case XG_SIM_K_INIT: xg_sim_exec_init(w, v, in, mask); break;
    case XG_SIM_K_ASYNC:
        w->polls = true;
        xg_sim_exec_async(w, v, in, mask);
        break;
    case XG_SIM_K_TILE: xg_sim_exec_tile(w, v, in, mask); break;
    case XG_SIM_K_TRAP:
        xg_sim_fault(w, v, in, xg_sim_first_lane(mask), XG_SIM_FAULT_TRAP,
            in->op ? "call of an address that is no function of this kind" : "the kernel executed a trap");
        break;
    default: break;
    }
}

XG_INLINE uint32_t xg_sim_guard(const xg_sim_warp *v, const xg_sim_ins *in) {
    uint32_t m = v->mask;
    if (in->flags & XG_SIM_GUARDED) {
        uint32_t g = xg_sim_predicate(v->regs + in->guard);
        m &= in->flags & XG_SIM_NOT ? ~g : g;
    }
    return m;
}

/* Lanes leave for good; false when the warp is done. */
XG_FN bool xg_sim_leave(xg_sim_worker *w, xg_sim_warp *v, uint32_t mask, uint32_t next) {
    uint32_t i;
    v->live &= ~mask;
    v->mask &= ~mask;
    v->pc = next;
    if (v->mask) return true;
    if (v->n_paths && xg_sim_path_pop(v)) return true;
    v->state = XG_SIM_DONE;
    w->cluster->stalls = 0;
    xg_sim_cluster_check(w);
    for (i = 0; w->bars_used >> i; i++)
        if (w->bars[i].arrived && !w->bars[i].expected) xg_sim_barrier_check(w, i);
    return false;
}

/* At a JOIN or END: goes on with a suspended path if the active lanes meet others here. */
XG_FN void xg_sim_join(xg_sim_warp *v, uint32_t here) {
    while (v->n_paths > xg_sim_path_base(v) && v->meet == here && v->pc == here) {
        if (!xg_sim_path_pop(v)) return;
        if (v->pc != here) return;
    }
}

XG_FN void xg_sim_branch_many(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) { /* brx.idx */
    const char *a = xg_sim_slot(w, v, in->a);
    uint32_t next = v->pc + 1, rest = mask, i;
    for (i = 0; i < XG_SIM_WARP; i++)
        if ((mask >> i & 1) && xg_sim_lane_u32(a, i) >= in->n) {
            xg_sim_fault(
                w, v, in, i, XG_SIM_FAULT_OPERAND, "branch to target %u of %u", xg_sim_lane_u32(a, i), (uint32_t)in->n);
            return;
        }
    if (mask != v->mask) { /* the guard lets some go on */
        w->stats.divergent_branches++;
        xg_sim_diverge(v, mask, v->pc, next, in->imm2);
        if (v->mask != mask) {
            rest = 0;
            v->pc = next;
        }
    }
    while (rest) {
        uint32_t lane = xg_sim_first_lane(rest), index = xg_sim_lane_u32(a, lane), same = 0,
                 target = w->m->list[in->list + index];
        for (i = lane; i < XG_SIM_WARP; i++)
            if ((rest >> i & 1) && xg_sim_lane_u32(a, i) == index) same |= 1u << i;
        if (same == rest) {
            v->pc = target;
            return;
        }
        w->stats.divergent_branches++;
        if (v->meet != in->imm2) {
            xg_sim_path_push(v, in->imm2, v->meet, v->mask);
            v->meet = in->imm2;
        }
        if (target != in->imm2) xg_sim_path_push(v, target, in->imm2, same);
        rest &= ~same;
        v->mask = rest;
    }
}

/* ---- the loop ---- */

typedef enum xg_sim_why {
    XG_SIM_WAITS,
    XG_SIM_SPLIT,
    XG_SIM_YIELD
} xg_sim_why;

/* Warps that execute a record together. While they do, only the first one's `pc` is kept; whoever stops them sets
 * all. */
typedef struct xg_sim_team {
    xg_sim_worker *w;
    xg_sim_warp *v;
    uint32_t n;
    xg_sim_why why; /* they stopped */
} xg_sim_team;

XG_FN bool xg_sim_team_stop(xg_sim_team *t, xg_sim_why why) {
    t->why = why;
    return false;
}
/* Each goes on alone, from its own `pc`, until all have come to `join`. */
XG_FN bool xg_sim_team_split(xg_sim_team *t, uint32_t join) {
    uint32_t k;
    for (k = 0; k < t->n; k++) t->v[k].join = join;
    return xg_sim_team_stop(t, XG_SIM_SPLIT);
}
XG_FN bool xg_sim_team_tired(xg_sim_team *t, uint32_t pc) { /* others want to run, too */
    uint32_t k;
    if (t->w->quantum-- > 0) return false;
    for (k = 0; k < t->n; k++) t->v[k].pc = pc;
    xg_sim_team_stop(t, XG_SIM_YIELD);
    return true;
}

/* The records of control. Each leaves in the first warp's `pc` where to go on; false: not now, `why` says the
 * reason. */

XG_FN bool xg_sim_step_join(xg_sim_team *t, uint32_t pc) {
    xg_sim_warp *v = t->v;
    v->pc = pc;
    if (t->n == 1) {
        xg_sim_join(v, pc);
        if (v->pc == pc && v->join == pc && v->mask == XG_SIM_ALL && !v->n_paths) {
            v->state = XG_SIM_AT_JOIN;
            v->pc++;
            return xg_sim_team_stop(t, XG_SIM_WAITS);
        }
    }
    if (v->pc == pc) v->pc++;
    return true;
}
XG_FN bool xg_sim_step_bra(xg_sim_team *t, const xg_sim_ins *in, uint32_t pc) {
    xg_sim_warp *v = t->v;
    uint32_t k, all = 0, none = 0, bits[XG_SIM_TOGETHER];
    if (xg_sim_team_tired(t, pc)) return false;
    v->pc = in->imm;
    if (!(in->flags & XG_SIM_GUARDED)) return true;
    for (k = 0; k < t->n; k++) {
        bits[k] = xg_sim_guard(&v[k], in);
        all += bits[k] == v[k].mask;
        none += bits[k] == 0;
    }
    if (all == t->n) return true;
    v->pc = pc + 1;
    if (none == t->n) return true;
    for (k = 0; k < t->n; k++) {
        v[k].pc = bits[k] ? in->imm : pc + 1;
        if (bits[k] && bits[k] != v[k].mask) {
            t->w->stats.divergent_branches++;
            xg_sim_diverge(&v[k], bits[k], in->imm, pc + 1, in->imm2);
        }
    }
    return t->n == 1 || xg_sim_team_split(t, in->imm2);
}
XG_FN bool xg_sim_step_brx(xg_sim_team *t, const xg_sim_ins *in, uint32_t pc) {
    uint32_t k, m;
    if (xg_sim_team_tired(t, pc)) return false;
    for (k = 0; k < t->n; k++) {
        t->v[k].pc = pc;
        m = xg_sim_guard(&t->v[k], in);
        if (m)
            xg_sim_branch_many(t->w, &t->v[k], in, m);
        else
            t->v[k].pc = pc + 1;
    }
    if (t->w->faulted) return xg_sim_team_stop(t, XG_SIM_WAITS);
    return t->n == 1 || xg_sim_team_split(t, in->imm2);
}
XG_FN bool xg_sim_step_call(xg_sim_team *t, const xg_sim_ins *in, uint32_t pc) {
    uint32_t k;
    for (k = 0; k < t->n; k++) {
        t->v[k].pc = pc + 1; /* never guarded: decoding put a branch around it */
        xg_sim_exec_call(t->w, &t->v[k], in, t->v[k].mask, pc + 1);
    }
    return !t->w->faulted || xg_sim_team_stop(t, XG_SIM_WAITS);
}
XG_FN bool xg_sim_step_end(xg_sim_team *t, uint32_t pc) {
    uint32_t k;
    for (k = 0; k < t->n; k++) {
        xg_sim_warp *v = &t->v[k];
        v->pc = pc;
        if (t->n == 1) xg_sim_join(v, pc);
        if (v->pc != pc) continue; /* another path of the same function */
        if (v->depth)
            xg_sim_exec_return(t->w, v);
        else
            xg_sim_leave(t->w, v, v->mask, pc);
    }
    return t->v->state != XG_SIM_DONE || xg_sim_team_stop(t, XG_SIM_WAITS);
}
XG_FN bool xg_sim_step_exit(xg_sim_team *t, const xg_sim_ins *in, uint32_t pc) {
    uint32_t k, m, left = 0;
    for (k = 0; k < t->n; k++) {
        t->v[k].pc = pc + 1;
        m = xg_sim_guard(&t->v[k], in);
        if (m) xg_sim_leave(t->w, &t->v[k], m, pc + 1);
        left += t->v[k].state == XG_SIM_DONE || t->v[k].live != XG_SIM_ALL;
    }
    if (t->n > 1 && left) return xg_sim_team_split(t, XG_SIM_NOREG);
    return t->v->state != XG_SIM_DONE || xg_sim_team_stop(t, XG_SIM_WAITS);
}
XG_FN bool xg_sim_step_barrier(xg_sim_team *t, const xg_sim_ins *in, uint32_t pc) { /* and all that waits */
    uint32_t k, m, through = 0;
    for (k = 0; k < t->n; k++) {
        xg_sim_warp *v = &t->v[k];
        v->pc = pc;
        m = xg_sim_guard(v, in);
        if (!m || (in->kind == XG_SIM_K_BAR ? xg_sim_exec_bar(t->w, v, in, m) : xg_sim_exec_wait(t->w, v, in, m))) {
            v->pc = pc + 1;
            through++;
        }
        if (t->w->faulted) return xg_sim_team_stop(t, XG_SIM_WAITS);
    }
    if (through == t->n) return true;
    return through ? xg_sim_team_split(t, XG_SIM_NOREG) : xg_sim_team_stop(t, XG_SIM_WAITS);
}
XG_FN bool xg_sim_step(xg_sim_team *t, const xg_sim_ins *in, uint32_t pc) {
    uint32_t k, m;
    switch (in->kind) {
    case XG_SIM_K_JOIN: return xg_sim_step_join(t, pc);
    case XG_SIM_K_BRA: return xg_sim_step_bra(t, in, pc);
    case XG_SIM_K_BRX: return xg_sim_step_brx(t, in, pc);
    case XG_SIM_K_CALL: return xg_sim_step_call(t, in, pc);
    case XG_SIM_K_END: return xg_sim_step_end(t, pc);
    case XG_SIM_K_EXIT: return xg_sim_step_exit(t, in, pc);
    case XG_SIM_K_BAR:
    case XG_SIM_K_WAIT: return xg_sim_step_barrier(t, in, pc);
    default:
        if (in->kind != XG_SIM_K_TILE || t->n == 1 || !xg_sim_tile_together(t->w, t->v, t->n, in))
            for (k = 0; k < t->n; k++) {
                m = xg_sim_guard(&t->v[k], in);
                if (m) xg_sim_exec_one(t->w, &t->v[k], in, m);
            }
        if (XG_UNLIKELY(t->w->faulted)) return xg_sim_team_stop(t, XG_SIM_WAITS);
        t->v->pc = pc + 1;
        return true;
    }
}

/* Counts one record that is executed for lanes which a guard or a branch chose. */
XG_FN uint64_t xg_sim_count_active(xg_sim_team *t, const xg_sim_ins *in, uint32_t pc) {
    uint64_t active = 0;
    uint32_t k, m;
    for (k = 0; k < t->n; k++) {
        m = xg_sim_guard(&t->v[k], in);
        active += m == XG_SIM_ALL ? (uint32_t)XG_SIM_WARP : m ? xg_sim_popc(m) : 0;
    }
    t->w->runs[pc].warps += t->n;
    t->w->runs[pc].lanes += active;
    return active;
}

/* Whole warps go from record to record by the functions of the records; what has none, is guarded, or steers, goes
 * through `xg_sim_step`. */
XG_FN xg_sim_why xg_sim_exec(xg_sim_worker *w, xg_sim_warp *v, uint32_t nw) {
    const xg_sim_ins *code = w->m->code, *in;
    uint32_t pc = v->pc;
    uint64_t warp_count = 0, lane_count = 0;
    xg_sim_team team;
    xg_sim_lanes L;
    char *regs = v->regs;
    bool whole = v->mask == XG_SIM_ALL;
    team.w = w;
    team.v = v;
    team.n = nw;
    team.why = XG_SIM_WAITS;
    L.base[0] = regs;
    L.base[1] = w->m->consts - 1;
    L.stride[0] = L.dstride = w->l->stack_bytes;
    L.stride[1] = 0;
    L.warps = nw;
    L.w = w;
    L.v = v;
    w->polls = false;
    /* sooner when other lanes of the warp stand still */
    w->quantum = v->n_paths ? XG_SIM_QUANTUM / 16 : XG_SIM_QUANTUM;
    for (;;) {
        in = &code[pc];
        if (XG_LIKELY(whole && in->fn && !(in->flags & XG_SIM_GUARDED))) {
            const uint32_t before = in->before;
            const uint32_t from = pc;
            do {
                L.dst = regs + in->d;
                L.dst2 = in->d2bytes ? regs + in->d2 : NULL;
                in->fn(&L, in);
                in++;
            } while (in->fn && !(in->flags & XG_SIM_GUARDED) &&
                     !w->faulted); /* every function ends with a record that has none */
            warp_count += (uint64_t)nw * (in->before - before);
            lane_count += (uint64_t)XG_SIM_WARP * nw * (in->before - before);
            pc = (uint32_t)(in - code);
            xg_sim_ran(w, from, pc, nw);
            if (XG_UNLIKELY(w->faulted)) break;
        }
        if (in->flags & XG_SIM_FIRST && !v->released &&
            (w->quantum > 0 || (in->kind != XG_SIM_K_BRA && in->kind != XG_SIM_K_BRX))) {
            warp_count += nw;
            if (whole && !(in->flags & XG_SIM_GUARDED)) {
                lane_count += (uint64_t)XG_SIM_WARP * nw;
                xg_sim_ran(w, pc, pc + 1, nw);
            } else
                lane_count += xg_sim_count_active(&team, in, pc);
        }
        if (!xg_sim_step(&team, in, pc)) break;
        pc = v->pc;
        L.base[0] = regs = v->regs;
        whole = v->mask == XG_SIM_ALL;
    }
    w->stats.warp_instructions += warp_count;
    w->stats.lane_instructions += lane_count;
    return team.why;
}

/* ---- a block ---- */

XG_FN uint64_t xg_sim_fuel(const xg_sim_launch *l) { return l->fuel ? l->fuel : (uint64_t)1 << 31; }
XG_FN void xg_sim_position(const xg_sim_launch *l, uint64_t block, uint32_t at[3]) {
    at[0] = (uint32_t)(block % l->grid[0]);
    at[1] = (uint32_t)(block / l->grid[0] % l->grid[1]);
    at[2] = (uint32_t)(block / l->grid[0] / l->grid[1]);
}
XG_FN void xg_sim_block_start(xg_sim_worker *w, uint64_t block) {
    const xg_sim_launch *l = w->l;
    const xg_sim_func *f = &l->entry->f;
    uint32_t i;
    if (block != w->block + 1 || ++w->ctaid[0] == l->grid[0])
        xg_sim_position(l, block, w->ctaid); /* divisions take longer than some blocks */
    w->block = block;
    if (w->bars_used) memset(w->bars, 0, sizeof w->bars);
    w->bars_used = 0;
    xg_sim_interval_block(w);
    for (i = 0; i < l->warps; i++) {
        xg_sim_warp *v = &w->warps[i];
        uint32_t threads = l->threads - i * XG_SIM_WARP;
        v->live = v->mask = threads >= XG_SIM_WARP ? XG_SIM_ALL : (1u << threads) - 1;
        v->pc = f->begin;
        v->meet = v->join = XG_SIM_NOREG;
        v->regs = w->regs + (size_t)i * l->stack_bytes;
        v->f = f;
        v->local = 0;
        v->depth = v->n_paths = v->turns = v->parked = 0;
        v->state = XG_SIM_READY;
        v->released = v->impatient = v->in_cluster_barrier = false;
    }
    for (i = 0; i < w->n_groups; i++) w->groups[i].together = w->groups[i].n > 1;
    w->fuel_end = w->stats.warp_instructions + (xg_sim_fuel(l));
}

/* A warp has spun for long while others of its lanes stand still: it goes on with those, which may be what it waits
 * for. Either a path to the same meeting point, or the lanes that have already come there: they go on without waiting
 * for the rest, which then is not there for a shuffle either. So a long loop of a few lanes must not be taken for
 * spinning: it spins if it asks memory that others may change, or goes on for ever. */
XG_FN void xg_sim_take_turns(const xg_sim_worker *w, xg_sim_warp *v) {
    uint32_t base = xg_sim_path_base(v), n, pc, mask;
    xg_sim_path *top = v->n_paths > base ? &v->paths[v->n_paths - 1] : NULL;
    if (!top) return;
    pc = v->pc;
    mask = v->mask;
    if (top->meet == v->meet) { /* the others in a circle */
        for (n = 1; v->n_paths - n > base && v->paths[v->n_paths - n - 1].meet == v->meet; n++) {}
        if (!(top->mask & v->live)) return;
        v->pc = top->pc;
        v->mask = top->mask & v->live;
        memmove(top - n + 2, top - n + 1, (n - 1) * sizeof *top);
        top = top - n + 1;
        top->pc = pc;
        top->mask = mask;
    } else if ((w->polls || ++v->turns >= XG_SIM_PATIENCE) && top->pc == v->meet && top->mask & v->live & ~v->mask) {
        v->pc = top->pc;
        v->mask = top->mask & v->live & ~v->mask;
        v->meet = top->meet;
        top->pc = pc;
        top->mask = mask;
    }
}

XG_FN bool xg_sim_whole(const xg_sim_warp *v, const xg_sim_warp *first) {
    return v->state == XG_SIM_READY && v->pc == first->pc && v->mask == XG_SIM_ALL && !v->n_paths &&
           v->depth == first->depth && v->f == first->f &&
           (v->depth == 0 || (v->frames[v->depth - 1].pc == first->frames[first->depth - 1].pc &&
                                 v->local == first->local && v->depth == 1));
}
/* Runs a group once; returns whether any of its warps moved. */
XG_FN bool xg_sim_visit(xg_sim_worker *w, xg_sim_group *g) {
    xg_sim_warp *v = &w->warps[g->first];
    uint32_t k, ready = 0, joined = 0;
    bool moved = false;
    if (!g->together && g->n > 1) {
        for (k = 0; k < g->n && xg_sim_whole(&v[k], v); k++) {}
        g->together = k == g->n;
    }
    if (g->together) {
        if (v->state != XG_SIM_READY) return false;
        if (xg_sim_exec(w, v, g->n) == XG_SIM_SPLIT) g->together = false;
        if (g->together && g->n > 1)
            for (k = 1; k < g->n; k++)
                if (v[k].state != v->state) g->together = false;
        return true;
    }
    for (k = 0; k < g->n && !w->faulted; k++)
        if (v[k].state == XG_SIM_READY) {
            if (xg_sim_exec(w, &v[k], 1) == XG_SIM_YIELD)
                xg_sim_take_turns(w, &v[k]);
            else
                v[k].turns = 0;
            moved = true;
        }
    for (k = 0; k < g->n; k++) {
        ready += v[k].state == XG_SIM_READY;
        joined += v[k].state == XG_SIM_AT_JOIN;
    }
    if (joined && !ready) /* all here: together again; others wait or are gone: go on alone */
        for (k = 0; k < g->n; k++)
            if (v[k].state == XG_SIM_AT_JOIN) {
                v[k].state = XG_SIM_READY;
                v[k].join = XG_SIM_NOREG;
                moved = true;
            }
    return moved;
}

/* Nobody can move: who waits, and what became of the others? */
XG_FN void xg_sim_deadlock(xg_sim_worker *w) {
    uint32_t i, waiting = 0, elsewhere = 0, gone = 0;
    const xg_sim_warp *first = NULL, *other = NULL;
    for (i = 0; i < w->l->warps; i++) {
        const xg_sim_warp *v = &w->warps[i];
        if (v->state == XG_SIM_DONE) {
            gone++;
            continue;
        }
        if (v->state != XG_SIM_AT_BARRIER) continue;
        waiting++;
        if (!first)
            first = v;
        else if (v->barrier != first->barrier) {
            elsewhere++;
            if (!other) other = v;
        }
    }
    if (!first || w->faulted) return;
    if (other)
        xg_sim_fault(w, first, &w->m->code[first->pc], xg_sim_first_lane(first->mask), XG_SIM_FAULT_DEADLOCK,
            "%u of %u warps wait at barriers that the others never reach (barrier %u has %u threads; warp %u and %u "
            "others wait at barrier %u, line %zu; %u warps have ended)",
            waiting, w->l->warps, first->barrier, w->bars[first->barrier].arrived, other->id, elsewhere - 1,
            other->barrier, xg_sim_line_of(w, &w->m->code[other->pc]), gone);
    else
        xg_sim_fault(w, first, &w->m->code[first->pc], xg_sim_first_lane(first->mask), XG_SIM_FAULT_DEADLOCK,
            "%u of %u warps wait at barriers that the others never reach (barrier %u has %u threads of the %u it waits "
            "for; %u warps have ended)",
            waiting, w->l->warps, first->barrier, w->bars[first->barrier].arrived,
            w->bars[first->barrier].expected ? w->bars[first->barrier].expected : (w->l->warps - gone) * XG_SIM_WARP,
            gone);
}

/* One round of a block's groups; true when a warp moved. Adds the warps that are done. */
XG_FN bool xg_sim_round_of(xg_sim_worker *w, uint32_t *done) {
    uint32_t i, ended = 0;
    bool moved = false;
    for (i = 0; i < w->n_groups && !w->faulted; i++) moved |= xg_sim_visit(w, &w->groups[i]);
    for (i = 0; i < w->l->warps; i++) ended += w->warps[i].state == XG_SIM_DONE;
    *done += ended;
    if (!w->faulted && ended < w->l->warps && w->stats.warp_instructions > w->fuel_end) {
        const xg_sim_warp *v = w->warps;
        while (v->state == XG_SIM_DONE) v++;
        xg_sim_fault(w, v, &w->m->code[v->pc], xg_sim_first_lane(v->mask), XG_SIM_FAULT_ENDLESS,
            "the block does not end: it has executed %llu warp instructions, the limit of this launch",
            (unsigned long long)xg_sim_fuel(w->l));
    }
    return moved;
}
/* A block with the others of its cluster, which is one block when there are no clusters. */
XG_FN void xg_sim_cluster_run(xg_sim_worker *w, const uint64_t *blocks) {
    xg_sim_cluster *c = w->cluster;
    uint32_t r;
    c->phase = c->stalls = c->n_flights = 0;
    c->used = false;
    for (r = 0; r < c->n; r++) xg_sim_block_start(c->peers[r], blocks[r]);
    for (;;) {
        uint32_t done = 0;
        bool moved = false, faulted = false;
        for (r = 0; r < c->n; r++) {
            moved |= xg_sim_round_of(c->peers[r], &done);
            faulted |= c->peers[r]->faulted;
        }
        if (!faulted && done < c->n * w->l->warps && !moved && !xg_sim_unstall(w)) {
            if (!xg_sim_event_deadlock(w))
                for (r = 0; r < c->n; r++) xg_sim_deadlock(c->peers[r]);
            faulted = true;
        }
        if (faulted || done == c->n * w->l->warps) break;
    }
    xg_sim_land(w);
    for (r = 1; r < c->n; r++) { /* the first of a cluster speaks for all */
        xg_sim_worker *peer = c->peers[r];
        if (peer->faulted && !w->faulted) {
            w->faulted = true;
            memcpy(w->fault, peer->fault, sizeof w->fault);
        }
        xg_sim_stats_add(&w->stats, &peer->stats);
        memset(&peer->stats, 0, sizeof peer->stats);
    }
}
/* The blocks of the cluster whose first one is `block`; false when it is not the first of one. */
XG_FN bool xg_sim_cluster_of(const xg_sim_launch *l, uint64_t block, uint64_t *blocks) {
    uint32_t at[3], x, y, z, n = 0;
    if (l->cluster_blocks == 1) {
        blocks[0] = block;
        return true;
    }
    xg_sim_position(l, block, at);
    if (at[0] % l->cluster[0] || at[1] % l->cluster[1] || at[2] % l->cluster[2]) return false;
    for (z = 0; z < l->cluster[2]; z++)
        for (y = 0; y < l->cluster[1]; y++)
            for (x = 0; x < l->cluster[0]; x++)
                blocks[n++] = block + x + (uint64_t)l->grid[0] * (y + (uint64_t)l->grid[1] * z);
    return true;
}

XG_SIM_FN xlagpu_status xg_sim_run(xg_sim_worker *w, uint64_t first, uint64_t last) {
    uint64_t i, blocks[XG_SIM_CLUSTER_MAX];
    for (i = first; i < last && !w->faulted; i++) {
        if (xg_sim_stopped(w->l)) return XLAGPU_OK;
        if (xg_sim_cluster_of(w->l, i, blocks)) xg_sim_cluster_run(w, blocks);
    }
    return w->faulted ? XLAGPU_ERROR_FAULT : XLAGPU_OK;
}

#endif /* XG_SIM_RUN_C */
/* sim/launch.c -- the interface: loading a module, checking a launch, a worker's memory. */
#ifndef XG_SIM_LAUNCH_C
#define XG_SIM_LAUNCH_C

/* ---- the end of loading ---- */

/* Shared variables: those of one entry come after the common ones, which several functions or a .func use. */
XG_FN void xg_sim_layout_shared(xg_sim_asm *p) {
    uint32_t i, common = 0, most = 0;
    uint64_t at;
    bool called_dynamic = false;
    for (i = 0; i < p->funcs.n; i++) p->funcs.p[i]->dynamic_align = 16;
    for (i = 0; i < p->shared.n; i++) {
        xg_sim_sym *s = p->shared.p[i];
        if (s->users == 0 || s->is_extern || s->offset != XG_SIM_NOREG || (s->users == 1 && p->funcs.p[s->user]->entry))
            continue;
        at = ((uint64_t)common + s->align - 1) / s->align * s->align;
        if (at + s->bytes > 1u << 24)
            xg_fail_at(p->c, XLAGPU_ERROR_LIMIT, p->src, s->at, NULL, "more than 16 MiB of shared memory");
        s->offset = at;
        common = (uint32_t)(at + s->bytes);
    }
    for (i = 0; i < p->funcs.n; i++) p->funcs.p[i]->shared_private = common;
    for (i = 0; i < p->shared.n; i++) {
        xg_sim_sym *s = p->shared.p[i];
        xg_sim_func *f = s->users ? p->funcs.p[s->user] : NULL;
        if (!f || s->is_extern || s->offset != XG_SIM_NOREG) continue;
        at = ((uint64_t)f->shared_private + s->align - 1) / s->align * s->align;
        if (at + s->bytes > 1u << 24)
            xg_fail_at(p->c, XLAGPU_ERROR_LIMIT, p->src, s->at, NULL, "more than 16 MiB of shared memory");
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
XG_FN uint32_t xg_sim_dynamic_at(const xg_sim_module *m, const xg_sim_func *f) {
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
    if (depth > XG_SIM_CHAIN)
        xg_fail_at(p->c, XLAGPU_ERROR_LIMIT, p->src, f->at, NULL, "calls nest deeper than %d", (int)XG_SIM_CHAIN);
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
    if (f->stack > 1u << 28 || f->deep_local > 1u << 26)
        xg_fail_at(p->c, XLAGPU_ERROR_LIMIT, p->src, f->at, NULL, "the function needs too much stack");
}

enum {
    XG_SIM_GLOBALS_SHADOWED = 1 << 26
}; /* bytes of a variable that gets a shadow */
XG_FN int xg_sim_by_base(const void *a, const void *b) {
    const xg_sim_buffer *x = (const xg_sim_buffer *)a, *y = (const xg_sim_buffer *)b;
    return x->base < y->base ? -1 : x->base > y->base;
}
XG_FN void xg_sim_finish(xg_sim_asm *p) {
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
    for (i = 0; i < m->n_code; i++) m->copies_async = m->copies_async || m->code[i].kind == XG_SIM_K_CPASYNC;
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
    }
    if (m->globals.n) qsort(m->globals.p, m->globals.n, sizeof *m->globals.p, xg_sim_by_base);
}

XG_FN void xg_sim_load_in(xg_sim_asm *p) {
    size_t i;
    xg_arena *s = &p->scratch;
    xg_dict_init(&p->names, s);
    xg_dict_init(&p->rows, s);
    xg_map64_init(&p->syms, s);
    for (i = 0; i < 3; i++) xg_map64_init(&p->const_map[i], s);
    for (i = 0; i < XG_COUNT(xg_sim_rows); i++)
        xg_dict_put(&p->rows, xg_str_z(xg_sim_rows[i].text), (void *)(uintptr_t)&xg_sim_rows[i]);
    p->parents = XG_NEW_N(s, uint32_t, 16);
    p->parents_cap = 16;
    p->stmt = XG_NEW(s, xg_sim_stmt);
    if (p->src->size > 0x7FFFFFFFu) xg_fail(p->c, XLAGPU_ERROR_LIMIT, "PTX text of more than 2 GiB");
    xg_sim_next(p);
    while (p->t.kind != XG_SIM_TK_END) xg_sim_module_item(p);
    if (!p->m->version)
        XG_SIM_BAD(p, 0, "begin with .version 8.0, .target sm_90, .address_size 64", "there is no PTX module here");
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
XG_SIM_FN xg_sim_module *xg_sim_load_for(xg_ctx *c, xg_arena *a, const xg_source *ptx, xg_sim_unit unit) {
    xg_sim_asm *p = XG_NEW(a, xg_sim_asm);
    p->c = c;
    p->a = a;
    p->src = ptx;
    p->unit = unit;
    p->m = XG_NEW(a, xg_sim_module);
    p->m->src = ptx;
    p->m->moves = xg_sim_moves_of(unit);
    xg_arena_init(&p->scratch, c);
    return xg_sim_load_guarded(p);
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
    if (f->info.static_shared > XG_SIM_STATIC_SHARED && !xg_sim_target_letter(l->module->target))
        return xg_sim_refuse(c, "kernel '%s' declares %u bytes of shared memory; more than %d must be dynamic", name,
            f->info.static_shared, (int)XG_SIM_STATIC_SHARED);
    l->shared_bytes = (uint32_t)at;
    l->threads = (uint32_t)threads;
    l->warps = (l->threads + XG_SIM_WARP - 1) / XG_SIM_WARP;
    l->local_bytes = (f->deep_local + 15) / 16 * 16;
    l->stack_bytes = (f->stack + 63) / 64 * 64;
    /* warps side by side shall not compete for the same cache lines */
    if (l->stack_bytes / 64 % 2 == 0) l->stack_bytes += 64;
    l->call_depth = f->depth;
    l->stop = 0;
    l->taken = 0;
    return XLAGPU_OK;
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
    w.params = xg_sim_carve_out(&c, l->param_bytes + 64);
    w.regs = xg_sim_carve_out(&c, (size_t)l->warps * l->stack_bytes);
    w.shared = xg_sim_carve_out(&c, (size_t)l->shared_bytes + 1024 + 64);
    w.shadow = xg_sim_carve_out(&c, l->shared_bytes + 64);
    w.marks = (uint32_t *)(void *)xg_sim_carve_out(&c, ((size_t)l->shared_bytes / 4 + 1) * 8);
    if (l->shared_bytes) {
        w.reads = (xg_sim_read *)(void *)xg_sim_carve_out(&c, XG_SIM_READS_KEPT * sizeof *w.reads);
        w.read_rows = (uint32_t(*)[XG_SIM_WARP])(void *)xg_sim_carve_out(&c, XG_SIM_READ_ROWS * sizeof *w.read_rows);
    }
    if (l->module->copies_async) {
        w.copy_threads =
            (xg_sim_copy_thread *)(void *)xg_sim_carve_out(&c, l->warps * XG_SIM_WARP * sizeof(xg_sim_copy_thread));
        w.copy_words = (xg_sim_copy_word *)(void *)xg_sim_carve_out(
            &c, ((size_t)l->shared_bytes / 4 + 1) * sizeof(xg_sim_copy_word));
    }
    w.local = xg_sim_carve_out(&c, (size_t)l->warps * XG_SIM_WARP * l->local_bytes + 64);
    {
        xg_sim_frame *frames =
            (xg_sim_frame *)(void *)xg_sim_carve_out(&c, (size_t)l->warps * (l->call_depth + 1) * sizeof(xg_sim_frame));
        uint32_t i;
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
    if (out) *out = k;
    return c.n;
}
XG_SIM_FN size_t xg_sim_worker_bytes(const xg_sim_launch *l) {
    return xg_sim_carve_cluster(NULL, NULL, l) + xg_sim_carve_worker(NULL, NULL, l) * l->cluster_blocks + 64;
}

XG_FN xg_sim_worker *xg_sim_worker_make(char *at, xg_sim_launch *l) {
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
    }
    return c->peers[0];
}
XG_SIM_FN uint64_t xg_sim_next_blocks(xg_sim_launch *l, uint64_t n) { return XG_SIM_COUNTER_ADD(&l->taken, n); }
XG_SIM_FN const xg_sim_stats *xg_sim_worker_stats(xg_sim_worker *w) {
    uint32_t r;
    for (r = 0; r < w->cluster->n; r++) xg_sim_fold_classes(w->cluster->peers[r], &w->stats);
    return &w->stats;
}
XG_SIM_FN size_t xg_sim_fault_text(const xg_sim_worker *w, char *out, size_t cap) {
    if (!w->faulted) {
        if (cap) out[0] = 0;
        return 0;
    }
    return xg_format(out, cap, "%s", w->fault);
}

#endif /* XG_SIM_LAUNCH_C */
#endif
#ifndef XLAGPU_SPLIT_SIM_UNIT
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
/* api/executable_read.c -- reading executable bytes without trusting them: used by both headers.
 *
 * xg_exe_check answers NULL when header, sections and checksum are whole; what records say is checked by whoever uses
 * them. */
#ifndef XG_API_EXECUTABLE_READ_C
#define XG_API_EXECUTABLE_READ_C
/* api/executable.h -- the one thing that compiler and runtime share: the bytes of an executable.
 *
 * Idea: what the compiler hands over IS its serialised form, so that saving, loading, embedding as a C array and
 * running at once are one path, always tested. The bytes are little-endian, position-independent, versioned and
 * checksummed; a reader trusts nothing.
 *
 * Layout: xg_exe_header, then n_sections xg_exe_section, then the sections, each 16-byte aligned, each an array of one
 * record type (or raw bytes). Records refer to each other by index, to names by offset into STRINGS (NUL-terminated),
 * to data by offset into DATA.
 *
 * Laws: a new field goes at the end of a record only together with a new XG_EXE_VERSION; unknown section kinds are an
 * error. */
#ifndef XG_API_EXECUTABLE_H
#define XG_API_EXECUTABLE_H

enum {
    XG_EXE_VERSION = 3,
    XG_EXE_ALIGN = 16,
    XG_EXE_MAX_PARAMS = 4096
};
#define XG_EXE_MAGIC "xlagpu\x1a\n" /* 8 bytes; the control characters catch text-mode copies */

/* X(NAME, record): the sections. */
/* clang-format off */
#define XG_EXE_SECTIONS(X) \
    X(STRINGS, char) \
    X(ALLOCATIONS, xg_exe_allocation) \
    X(SLICES, xg_exe_slice) \
    X(KERNELS, xg_exe_kernel) \
    X(THUNKS, xg_exe_thunk) \
    X(LINKS, uint32_t) \
    X(VALUES, xg_exe_value) \
    X(DIMS, int64_t) \
    X(DATA, unsigned char) \
    X(PTX, char) \
    X(HLO, char) \
    X(CUBIN, unsigned char)
/* clang-format on */
typedef enum xg_exe_section_kind {
#define X(name, record) XG_EXE_##name,
    XG_EXE_SECTIONS(X)
#undef X
    XG_EXE_SECTION_COUNT
} xg_exe_section_kind;

typedef struct xg_exe_header {
    char magic[8];
    uint32_t version, n_sections;
    uint64_t size;                    /* of everything */
    uint64_t checksum;                /* xg_exe_checksum of everything behind this field */
    uint32_t target;                  /* compute capability times 10, 900 for sm_90 */
    uint32_t name;                    /* string: the module's name */
    uint32_t n_params, n_results;     /* VALUES: parameters first, then the leaves of the result */
    uint64_t temp_bytes, host_bytes;  /* of the TEMP allocations in device memory, and in host memory */
    uint32_t target_name, root_thunk; /* string "sm_90a"; the thunk that is the program */
} xg_exe_header;
typedef struct xg_exe_section {
    uint32_t kind, count;
    uint64_t offset, bytes;
} xg_exe_section;

/* X(NAME, text): what an allocation is. */
#define XG_EXE_ALLOCATIONS_KINDS(X) \
    X(PARAMETER, "parameter") X(RESULT, "result") X(TEMP, "temp") X(CONSTANT, "constant")
typedef enum xg_exe_allocation_kind {
#define X(name, text) XG_EXE_ALLOC_##name,
    XG_EXE_ALLOCATIONS_KINDS(X)
#undef X
    XG_EXE_ALLOC_COUNT
} xg_exe_allocation_kind;
typedef struct xg_exe_allocation {
    uint32_t kind, index; /* parameter or result number */
    uint64_t bytes;
    uint64_t data;           /* CONSTANT: offset in DATA */
    uint64_t offset;         /* TEMP: place in the one temporary block of its kind of memory */
    uint32_t host, reserved; /* TEMP: 1: in host memory that the device can reach */
} xg_exe_allocation;
typedef struct xg_exe_slice {
    uint32_t allocation, reserved;
    uint64_t offset, bytes;
} xg_exe_slice;
typedef struct xg_exe_kernel {
    uint32_t name, shared_bytes, threads[3], blocks[3];
} xg_exe_kernel;

/* X(NAME, text): the kinds of thunks.
 *   KERNEL        kernel; links: one slice per parameter
 *   COPY          links: source slice, destination slice (equal bytes); within the device, between the device and host
 *                 memory, or within host memory
 *   MEMSET        value: a 32-bit pattern; links: destination slice
 *   SEQUENCE      links: thunks, run in order
 *   WHILE         links: a pred slice, the condition's thunk, the body's: condition, then while the pred is true body
 *                 and condition
 *   FOR           value: how often; links: the body's thunk
 *   CONDITIONAL   links: a pred or s32 slice, thunks of the branches: true runs the first, false the second; an index
 *                 out of range the last
 *   CUSTOM_CALL   kernel: string, the name of a registered function; value: string, its backend_config; links: operand
 *                 slices, then result slices
 *   REPLICA_ID, PARTITION_ID   links: a u32 slice
 *   INFEED        value: string, its config; links: slices that are filled      OUTFEED  the same; slices that are
 *                 given away
 *   RANDOM_STATE  value: by how much; links: a slice of 16 bytes: the execution's state of 128 bits, to which value is
 *                 added then
 *   COMMAND_BUFFER  links: thunks, run in order, by one command to the device where it can
 * A thunk names only thunks of smaller numbers. In a slice link of KERNEL and CUSTOM_CALL, bit 31 says that it is
 * written. */
/* clang-format off */
#define XG_EXE_THUNKS_KINDS(X) \
    X(KERNEL, "kernel") \
    X(COPY, "copy") \
    X(MEMSET, "memset") \
    X(SEQUENCE, "sequence") \
    X(WHILE, "while") \
    X(FOR, "for") \
    X(CONDITIONAL, "conditional") \
    X(CUSTOM_CALL, "custom-call") \
    X(REPLICA_ID, "replica-id") \
    X(PARTITION_ID, "partition-id") \
    X(INFEED, "infeed") \
    X(OUTFEED, "outfeed") \
    X(COMMAND_BUFFER, "command-buffer") \
    X(RANDOM_STATE, "rng-get-and-update-state")
/* clang-format on */
#define XG_EXE_WRITTEN 0x80000000u
#define XG_EXE_RANDOM_FIRST 0x7012395u /* XLA's first state of random numbers */
typedef enum xg_exe_thunk_kind {
#define X(name, text) XG_EXE_THUNK_##name,
    XG_EXE_THUNKS_KINDS(X)
#undef X
    XG_EXE_THUNK_COUNT
} xg_exe_thunk_kind;
typedef struct xg_exe_thunk {
    uint32_t kind, name, first_link, n_links, kernel, value; /* name: the HLO instruction */
    uint64_t flops, bytes; /* what one run computes, and moves at least: for profiles */
} xg_exe_thunk;

/* A parameter or a leaf of the result. Dims: logical sizes, then minor_to_major. alias: of a result that shares the
 * memory of a parameter, that parameter's number plus 1; bit 31: the caller must give both the same buffer (otherwise
 * the parameter is copied first). size_of: of an s32 that says how much there is of a bounded dimension, that dimension
 * of the array in front of it, plus 1. */
typedef struct xg_exe_value {
    uint32_t type, rank, first_dim, allocation, name, alias;
    uint64_t bytes;
    uint32_t size_of, reserved;
} xg_exe_value;
#define XG_EXE_MUST_ALIAS 0x80000000u

/* Two running sums of 32-bit words (Fletcher's idea), enough against truncation and damage; not against an adversary,
 * against whom every index and size is checked anyway. Four words go at once: the second sum has each of them as often
 * as it is there from then on. */
XG_FN uint64_t xg_exe_word(const unsigned char *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
XG_FN uint64_t xg_exe_checksum(const unsigned char *p, uint64_t n) {
    const unsigned char *end = p + n;
    uint64_t a = 1, b = 0;
    for (; end - p >= 16; p += 16) {
        uint64_t w0 = xg_exe_word(p), w1 = xg_exe_word(p + 4), w2 = xg_exe_word(p + 8), w3 = xg_exe_word(p + 12);
        b += 4 * a + 4 * w0 + 3 * w1 + 2 * w2 + w3;
        a += w0 + w1 + w2 + w3;
    }
    for (; end - p >= 4; p += 4) {
        a += xg_exe_word(p);
        b += a;
    }
    for (; p < end; p++) {
        a += *p;
        b += a;
    }
    return (a & 0xFFFFFFFFu) << 32 ^ b;
}

#endif /* XG_API_EXECUTABLE_H */

XG_FN size_t xg_exe_record_size(uint32_t kind) {
    static const uint8_t sizes[] = {
#define X(name, record) sizeof(record),
        XG_EXE_SECTIONS(X)
#undef X
    };
    return kind < XG_COUNT(sizes) ? sizes[kind] : 0;
}

/* What is wrong with the bytes, as half a sentence, or NULL. On success the header and the table of sections are copied
 * out. */
XG_FN const char *xg_exe_check(const unsigned char *p, size_t size, xg_exe_header *h, xg_exe_section *sections) {
    size_t body = offsetof(xg_exe_header, target);
    uint32_t k;
    if (!p || size < sizeof *h + XG_EXE_SECTION_COUNT * sizeof *sections) return "it is too short to be an executable";
    memcpy(h, p, sizeof *h);
    if (memcmp(h->magic, XG_EXE_MAGIC, sizeof h->magic) != 0)
        return "it is not an executable of xlagpu: its first bytes differ (was it copied as text?)";
    if (h->version != XG_EXE_VERSION) return "it is of another version of xlagpu: compile it again";
    if (h->size != size) return "it is truncated, or followed by other bytes";
    if (h->n_sections != XG_EXE_SECTION_COUNT) return "its table of sections is damaged";
    if (xg_exe_checksum(p + body, size - body) != h->checksum) return "its checksum is wrong: bytes are damaged";
    memcpy(sections, p + sizeof *h, XG_EXE_SECTION_COUNT * sizeof *sections);
    for (k = 0; k < XG_EXE_SECTION_COUNT; k++) {
        const xg_exe_section *s = &sections[k];
        if (s->kind != k || s->offset > size || s->bytes > size - s->offset || s->offset % XG_EXE_ALIGN)
            return "its table of sections is damaged";
        if (s->bytes / xg_exe_record_size(k) != s->count || s->bytes % xg_exe_record_size(k))
            return "a section has the wrong size";
    }
    k = XG_EXE_STRINGS;
    if (sections[k].bytes && p[sections[k].offset + sections[k].bytes - 1]) return "its strings are damaged";
    return NULL;
}

#endif /* XG_API_EXECUTABLE_READ_C */
#ifndef XLAGPU_NO_SIMULATOR
#endif

enum {
    XR_RANK_MAX = 64,
    XR_NESTING_MAX = 64,
    XR_NOTE_MAX = 512,
    XR_GRAPH_NODES_MAX = 1 << 16, /* more take longer to instantiate than they save */
    XR_WORKERS_MAX = 64
};

typedef struct xr_platform xr_platform;

/* device memory that the device frees at the end */
typedef struct xr_block {
    uint64_t address;
    size_t bytes;
    void *memory;
    bool host;
} xr_block;

typedef struct xr_function {
    char name[128];
    xlagpu_rt_function call;
    void *user;
    struct xr_function *next;
} xr_function;

struct xlagpu_device {
    xg_ctx c;
    xg_arena arena;
    const xr_platform *platform; /* NULL: failed to open */
    void *state;                 /* the platform's */
    char name[128], target[16];
    xlagpu_program *programs;
    xr_block *blocks; /* in the order in which they were made */
    uint32_t n_blocks, cap_blocks;
    uint32_t threads;
    bool no_command_buffers, copy_stream, concurrent;
    void (*progress)(void *user, const char *kernel, uint64_t done, uint64_t blocks);
    void *progress_user;
    void (*range)(void *user, const char *name);
    void *range_user;
    char note[XR_NOTE_MAX]; /* what was asked for and is not there; "": nothing */
    xlagpu_ptx *ptx;        /* those that are loaded */
    xr_function *functions; /* registered; they live as long as the device */
};

/* PTX that a caller has loaded. */
struct xlagpu_ptx {
    xlagpu_device *device;
    xlagpu_ptx *next;
    xg_arena arena;
    xg_source source;
    void *loaded;
};

/* handle: the platform's; n_params: buffers it takes */
typedef struct xr_kernel {
    const char *name;
    uint32_t shared_bytes, threads[3], blocks[3];
    const void *handle;
    uint32_t n_params;
} xr_kernel;

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
    void *graph, *exec;
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

struct xlagpu_program {
    xlagpu_device *device;
    xlagpu_program *prev, *next;
    xg_arena arena;
    xlagpu_execution *executions;
    const unsigned char *bytes; /* our copy */
    xg_source ptx;              /* inside the bytes */
    xg_exe_header head;
    xg_exe_section sections[XG_EXE_SECTION_COUNT];
    const char *strings;
    const xg_exe_allocation *allocations;
    const xg_exe_slice *slices;
    const xg_exe_thunk *thunks;
    const uint32_t *links;
    const xg_exe_value *values;
    const int64_t *dims;
    xr_kernel *kernels;
    uint32_t n_allocations, n_slices, n_thunks, n_kernels, most_links;
    uint64_t *constants;       /* address per allocation; 0: not a constant */
    const xr_function **calls; /* per thunk, of calls */
    xr_command_buffer *command_buffers;
    xr_command *commands;
    /* per thunk: its number among the command buffers, or as a command in one */
    uint32_t n_command_buffers, *command_of;
    bool has_control_commands, has_decisions; /* has_decisions: loops or branches that the host may have to decide */
    xr_lane *lanes;                           /* per thunk; NULL: all on one stream */
    uint32_t n_lane_events;
    uint8_t *depth;                /* per thunk: how many levels lie below it */
    void *module;                  /* the platform's */
    xlagpu_kernel_stats *finished; /* of executions that ended; per kernel */
};

struct xlagpu_execution {
    xg_ctx c; /* its own message; its allocator is not used */
    xlagpu_program *program;
    xlagpu_execution *prev, *next;
    uint64_t *base;      /* address per allocation */
    uint64_t temp, host; /* blocks of temporary memory */
    uint32_t replica, partition;
    uint64_t random[2]; /* what RANDOM_STATE gives next */
    uint64_t version;   /* grows when an address or one of these changes */
    xr_record *records; /* of command buffers */
    xr_profile profile;
    void *ended;                /* the platform's event behind the last run; NULL: none yet */
    bool running;               /* a run has been enqueued, and nobody has waited for it */
    void *aside, **lane_events; /* the copy stream; NULL: none. And its events */
    char note[XR_NOTE_MAX];     /* what is slower than it was asked to be, and why; "": nothing */
    uint64_t *args;             /* addresses of one launch */
    uint64_t *bound;            /* addresses of parameters, then results, that were checked for overlaps */
    bool bound_checked;
    xr_extent *extents; /* as many, for that check */
    void **arg_pointers;
    xlagpu_buffer *buffers;     /* of one call */
    xlagpu_kernel_stats *stats; /* per kernel */
    void *state;                /* the platform's: worker memory of the simulator */
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
    /* what launch_ptx gets as loaded; NULL after a failure. May be NULL: then loaded is */
    void *(*load_ptx)(xlagpu_device *d, xg_arena *a, const xg_source *ptx);
    xlagpu_status (*launch_ptx)(
        xlagpu_device *d, const xg_source *ptx, void *loaded, const xlagpu_ptx_launch *l, xlagpu_kernel_stats *stats);
    xlagpu_status (*encode_map)(xlagpu_device *d, const xlagpu_tensor_map *m, void *out);
};

/* ---- system.c: threads and shared libraries ---- */
XG_FN void *xr_library_open(const char *name);
XG_FN void *xr_library_symbol(void *library, const char *name);
XG_FN void xr_library_close(void *library);
XG_FN uint64_t xr_process(void); /* its number */
XG_FN uint32_t xr_processors(void);
XG_FN double xr_seconds(void); /* since some moment; only grows */
/* Runs job(user, 0..n-1), n at most XR_WORKERS_MAX, each on its own thread (the last one on the caller's); returns when
 * all are done. A thread that cannot be had is made up for by the caller's. */
XG_FN void xr_parallel(uint32_t n, void (*job)(void *user, uint32_t index), void *user);

/* ---- overlap.c ---- */
typedef bool (*xr_less)(const void *user, const void *a, const void *b);
XG_FN void xr_sort(void *list, size_t n, size_t bytes, xr_less less, const void *user); /* not stable */
XG_FN xlagpu_status xr_overlap_check(xlagpu_execution *e);
/* ---- device.c ---- */
XG_FN xlagpu_status xr_fail(xg_ctx *c, xlagpu_status s, const char *format, ...) XG_PRINTF(3, 4);
/* clears the message at the start of a public call */
XG_FN void xr_begin(xg_ctx *c);
XG_FN const xr_function *xr_function_find(const xlagpu_device *d, const char *name);
XG_FN void xr_note(xg_ctx *c, const char *format, ...) XG_PRINTF(2, 3); /* appends to the message */
/* ---- program.c ---- */
XG_FN xlagpu_status xr_damaged(xlagpu_program *p, const char *what);
/* ---- commands.c ---- */
XG_FN bool xr_is_control(uint32_t kind);
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
/* ---- profile.c ---- */
XG_FN void xr_range(xlagpu_device *d, const char *name);
/* ---- execute.c ---- */
XG_FN xlagpu_status xr_run_thunk(xlagpu_execution *e, uint32_t number, void *stream);
XG_FN uint64_t xr_address(const xlagpu_execution *e, uint32_t slice);
XG_FN xlagpu_status xr_read_decision(xlagpu_execution *e, uint32_t slice, void *stream, int32_t *out);
XG_FN uint32_t xr_branch(const xlagpu_execution *e, uint32_t slice, int32_t which, uint32_t branches);
/* ---- host.c, cuda.c ---- */
XG_FN const xr_platform *xr_host_platform(void); /* NULL when compiled out */
XG_FN const xr_platform *xr_cuda_platform(void);

#endif /* XG_RT_H */
/* rt/system.c -- what the operating system gives: shared libraries, processors, threads. POSIX and Windows. */
#ifndef XG_RT_SYSTEM_C
#define XG_RT_SYSTEM_C

#ifdef _WIN32
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

XG_FN void *xr_library_open(const char *name) { return (void *)LoadLibraryA(name); }
XG_FN void *xr_library_symbol(void *library, const char *name) {
    FARPROC f = GetProcAddress((HMODULE)library, name);
    void *p;
    memcpy(&p, &f, sizeof p);
    return p;
}
XG_FN void xr_library_close(void *library) {
    if (library) FreeLibrary((HMODULE)library);
}
XG_FN double xr_seconds(void) {
    LARGE_INTEGER now, each;
    QueryPerformanceCounter(&now);
    QueryPerformanceFrequency(&each);
    return (double)now.QuadPart / (double)each.QuadPart;
}
XG_FN uint64_t xr_process(void) { return GetCurrentProcessId(); }
XG_FN uint32_t xr_processors(void) {
    SYSTEM_INFO i;
    GetSystemInfo(&i);
    return i.dwNumberOfProcessors ? (uint32_t)i.dwNumberOfProcessors : 1;
}

typedef struct xr_thread {
    void (*job)(void *, uint32_t);
    void *user;
    uint32_t index;
    HANDLE handle;
} xr_thread;
static DWORD WINAPI xr_thread_main(LPVOID p) {
    xr_thread *t = (xr_thread *)p;
    t->job(t->user, t->index);
    return 0;
}
XG_FN bool xr_thread_start(xr_thread *t) {
    t->handle = CreateThread(NULL, 0, xr_thread_main, t, 0, NULL);
    return t->handle != NULL;
}
XG_FN void xr_thread_join(xr_thread *t) {
    WaitForSingleObject(t->handle, INFINITE);
    CloseHandle(t->handle);
}
#else
#include <dlfcn.h>
#include <pthread.h>
#include <sys/time.h>
#include <unistd.h>

XG_FN void *xr_library_open(const char *name) { return dlopen(name, RTLD_NOW | RTLD_LOCAL); }
XG_FN void *xr_library_symbol(void *library, const char *name) { return dlsym(library, name); }
XG_FN void xr_library_close(void *library) {
    if (library) dlclose(library);
}
#ifdef CLOCK_MONOTONIC
XG_FN double xr_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
#else /* strict C hides it */
XG_FN double xr_seconds(void) {
    struct timeval t;
    gettimeofday(&t, NULL);
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}
#endif
XG_FN uint64_t xr_process(void) { return (uint64_t)getpid(); }
XG_FN uint32_t xr_processors(void) {
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (uint32_t)n : 1;
}

typedef struct xr_thread {
    void (*job)(void *, uint32_t);
    void *user;
    uint32_t index;
    pthread_t handle;
} xr_thread;
static void *xr_thread_main(void *p) {
    xr_thread *t = (xr_thread *)p;
    t->job(t->user, t->index);
    return NULL;
}
XG_FN bool xr_thread_start(xr_thread *t) { return pthread_create(&t->handle, NULL, xr_thread_main, t) == 0; }
XG_FN void xr_thread_join(xr_thread *t) { pthread_join(t->handle, NULL); }
#endif

XG_FN void xr_parallel(uint32_t n, void (*job)(void *user, uint32_t index), void *user) {
    xr_thread threads[XR_WORKERS_MAX];
    uint32_t started = 0, k;
    if (n > XR_WORKERS_MAX) n = XR_WORKERS_MAX;
    for (k = 0; k + 1 < n; k++) {
        threads[started].job = job;
        threads[started].user = user;
        threads[started].index = k;
        if (!xr_thread_start(&threads[started])) break;
        started++;
    }
    for (; k < n; k++) job(user, k);
    for (k = 0; k < started; k++) xr_thread_join(&threads[k]);
}

#endif /* XG_RT_SYSTEM_C */
/* rt/overlap.c -- sorting without memory, and whether the buffers of a run lie over each other.
 *
 * Law: a result may share bytes with nothing but the parameter whose memory it takes, and with that one only from the
 * same address on. Parameters may share what they like: they are read. */
#ifndef XG_RT_OVERLAP_C
#define XG_RT_OVERLAP_C

/* ---- heap sort: no memory, and never more than n log n steps ---- */

XG_FN void xr_swap(char *a, char *b, size_t bytes) {
    size_t k;
    for (k = 0; k < bytes; k++) {
        char t = a[k];
        a[k] = b[k];
        b[k] = t;
    }
}
XG_FN void xr_sift(char *list, size_t at, size_t n, size_t bytes, xr_less less, const void *user) {
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= n) return;
        if (child + 1 < n && less(user, list + child * bytes, list + (child + 1) * bytes)) child++;
        if (!less(user, list + at * bytes, list + child * bytes)) return;
        xr_swap(list + at * bytes, list + child * bytes, bytes);
        at = child;
    }
}
XG_FN void xr_sort(void *list, size_t n, size_t bytes, xr_less less, const void *user) {
    char *l = (char *)list;
    size_t k;
    for (k = n / 2; k-- > 0;) xr_sift(l, k, n, bytes, less, user);
    for (k = n; k-- > 1;) {
        xr_swap(l, l + k * bytes, bytes);
        xr_sift(l, 0, k, bytes, less, user);
    }
}

/* ---- buffers ---- */

/* Those that begin at the same address: parameters first, so that a result meets the one that it shares with. */
XG_FN bool xr_extent_less(const void *user, const void *a, const void *b) {
    const xr_extent *x = (const xr_extent *)a, *y = (const xr_extent *)b;
    (void)user;
    return x->from != y->from ? x->from < y->from : x->value < y->value;
}

/* Of the extents met so far the two that reach furthest; value UINT32_MAX: none. */
typedef struct xr_reach {
    uint64_t to[2];
    uint32_t value[2];
} xr_reach;
XG_FN void xr_reach_add(xr_reach *r, const xr_extent *x) {
    uint32_t place = x->to > r->to[0] ? 0 : 1;
    if (x->to <= r->to[1]) return;
    r->to[1] = place ? x->to : r->to[0];
    r->value[1] = place ? x->value : r->value[0];
    if (place) return;
    r->to[0] = x->to;
    r->value[0] = x->value;
}
/* One that reaches behind `from` and is not `but`. */
XG_FN uint32_t xr_reach_over(const xr_reach *r, uint64_t from, uint32_t but) {
    uint32_t k = r->value[0] == but;
    return r->to[k] > from ? r->value[k] : UINT32_MAX;
}

XG_FN const char *xr_value_kind(const xlagpu_program *p, uint32_t *value) {
    if (*value < p->head.n_params) return "parameter";
    *value -= p->head.n_params;
    return "result";
}
XG_FN xlagpu_status xr_overlap_fail(xlagpu_execution *e, uint32_t a, uint32_t b) {
    const char *first = xr_value_kind(e->program, &a), *second = xr_value_kind(e->program, &b);
    return xr_fail(&e->c, XLAGPU_ERROR_USAGE,
        "the buffers of %s %u and %s %u overlap: a result needs memory of its own, or all that of a parameter that the "
        "module gives it",
        first, a, second, b);
}

/* Of the addresses in e->bound, parameters first. */
XG_FN xlagpu_status xr_overlap_check(xlagpu_execution *e) {
    const xlagpu_program *p = e->program;
    uint32_t all = p->head.n_params + p->head.n_results, n = 0, k, other;
    xr_reach params = {{0, 0}, {UINT32_MAX, UINT32_MAX}}, results = {{0, 0}, {UINT32_MAX, UINT32_MAX}};
    for (k = 0; k < all; k++) {
        if (!p->values[k].bytes) continue;
        e->extents[n].from = e->bound[k];
        e->extents[n].to = e->bound[k] + p->values[k].bytes;
        e->extents[n++].value = k;
    }
    xr_sort(e->extents, n, sizeof *e->extents, xr_extent_less, NULL);
    for (k = 0; k < n; k++) {
        const xr_extent *x = &e->extents[k];
        bool result = x->value >= p->head.n_params;
        uint32_t shares = result ? p->values[x->value].alias & ~XG_EXE_MUST_ALIAS : 0;
        uint32_t but = shares && e->bound[shares - 1] == x->from ? shares - 1 : UINT32_MAX - 1;
        other = xr_reach_over(&results, x->from, UINT32_MAX - 1);
        if (other == UINT32_MAX && result) other = xr_reach_over(&params, x->from, but);
        if (other != UINT32_MAX) return xr_overlap_fail(e, other, x->value);
        xr_reach_add(result ? &results : &params, x);
    }
    return XLAGPU_OK;
}

#endif /* XG_RT_OVERLAP_C */
/* rt/host.c -- the platform "host": kernels run on the PTX simulator, blocks spread over threads.
 *
 * Device memory is host memory, 256-byte aligned and known to the simulator, which refuses every access outside it; so
 * do copies and fills. Worker memory is measured when an execution is prepared, for the largest of its kernels. Each
 * worker takes one range of a launch's blocks. */
#ifndef XG_RT_HOST_C
#define XG_RT_HOST_C

#ifdef XLAGPU_NO_SIMULATOR
XG_FN const xr_platform *xr_host_platform(void) { return NULL; }
#else

typedef struct xr_host {
    xg_sim_memory memory;
} xr_host;

XG_FN xr_host *xr_host_of(xlagpu_device *d) { return (xr_host *)d->state; }

XG_FN xlagpu_status xr_host_open(xlagpu_device *d, const xlagpu_device_desc *desc) {
    xr_host *h = (xr_host *)xg_mem_alloc(&d->c, sizeof *h);
    if (!h) return xr_fail(&d->c, XLAGPU_ERROR_MEMORY, "out of memory");
    memset(h, 0, sizeof *h);
    xg_sim_memory_init(&h->memory, &d->c);
    d->state = h;
    d->threads = desc && desc->threads ? desc->threads : xr_processors();
    if (!xg_sim_threads_ok()) d->threads = 1;
    xg_format(d->name, sizeof d->name, "PTX simulator, %u threads", d->threads);
    xg_format(d->target, sizeof d->target, "sm_90a");
    return XLAGPU_OK;
}
XG_FN void xr_host_close(xlagpu_device *d) {
    xg_sim_memory_free(&xr_host_of(d)->memory);
    xg_mem_free(&d->c, d->state);
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
XG_FN xlagpu_status xr_host_wait(xlagpu_device *d, void *stream) {
    (void)d;
    (void)stream;
    return XLAGPU_OK;
}
XG_FN void xr_host_settle(xlagpu_device *d) { (void)d; }

/* ---- kernels ---- */

XG_FN xg_sim_module *xr_host_parse(xlagpu_device *d, xg_arena *a, const xg_source *ptx) {
    jmp_buf here, *outer;
    xg_sim_module *m;
    if (setjmp(here)) {
        d->c.guard = NULL;
        return NULL;
    }
    outer = xg_try(&d->c, &here);
    m = xg_sim_load(&d->c, a, ptx);
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
        if (xg_sim_entry_info(e)->param_bytes != 8 * p->kernels[k].n_params)
            return xr_fail(&p->device->c, XLAGPU_ERROR_CORRUPT, "kernel '%s' takes other parameters than buffers",
                p->kernels[k].name);
    }
    return XLAGPU_OK;
}
XG_FN void xr_host_unload(xlagpu_program *p) { (void)p; } /* lives in the program's arena */

typedef struct xr_host_run {
    xg_sim_launch launch;
    xg_sim_worker *workers[XR_WORKERS_MAX];
    uint64_t blocks, share;      /* a worker takes so many at a time */
    const xlagpu_device *device; /* whose progress is told */
    const char *name;
    uint32_t n;
    xlagpu_status status[XR_WORKERS_MAX];
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
    l->param_bytes = (size_t)8 * q->n_params;
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

XG_FN xlagpu_status xr_host_enter(xlagpu_execution *e) {
    (void)e;
    return XLAGPU_OK;
}
XG_FN void xr_host_leave(xlagpu_execution *e) { (void)e; }
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
    char *p = (char *)xr_host_pointer(to);
    size_t k;
    xlagpu_status s = xr_host_owns(&e->c, e->program->device, to, bytes);
    (void)stream;
    if (s != XLAGPU_OK) return s;
    for (k = 0; k + 4 <= bytes; k += 4) memcpy(p + k, &pattern, 4);
    memcpy(p + k, &pattern, bytes - k);
    xg_sim_memory_written(&xr_host_of(e->program->device)->memory, to, bytes, 0);
    return XLAGPU_OK;
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

/* Runs a prepared launch, messages to c; memory has room for `most` workers of xg_sim_worker_bytes each. */
XG_FN xlagpu_status xr_host_go(xg_ctx *c, xr_host_run *r, char *memory, uint32_t most, xlagpu_kernel_stats *stats) {
    size_t each = xg_sim_worker_bytes(&r->launch);
    uint32_t n, k;
    xlagpu_status s = XLAGPU_OK;
    r->blocks = (uint64_t)r->launch.grid[0] * XG_MAX(r->launch.grid[1], 1u) * XG_MAX(r->launch.grid[2], 1u);
    n = (uint32_t)XG_MIN((uint64_t)most,
        r->blocks < 64 && r->blocks * r->launch.warps < 64 ? 1 : r->blocks); /* little work is not worth a thread */
    r->n = n;
    r->share = XG_MAX(r->blocks / ((uint64_t)n * 32), 1u);
    xg_sim_begin(&r->launch);
    for (k = 0; k < n; k++) r->workers[k] = xg_sim_worker_init(memory + k * each, &r->launch);
    xr_parallel(n, xr_host_job, r);
    if (r->device->progress) r->device->progress(r->device->progress_user, r->name, r->blocks, r->blocks);
    xg_sim_end(&r->launch);
    for (k = 0; k < n; k++) {
        if (stats) xr_host_count(stats, xg_sim_worker_stats(r->workers[k]));
        if (r->status[k] != XLAGPU_OK && s == XLAGPU_OK) {
            char text[XG_MESSAGE_MAX - 128];
            xg_sim_fault_text(r->workers[k], text, sizeof text);
            s = xr_fail(c, r->status[k], "%s", text);
        }
    }
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

/* ---- command buffers: the records themselves, replayed ---- */

XG_FN xlagpu_status xr_host_replay_thunk(
    xlagpu_execution *e, const xr_command_buffer *b, const xr_record *r, uint32_t number) {
    const xlagpu_program *p = e->program;
    const xg_exe_thunk *t = &p->thunks[number];
    const xr_command *c = &b->commands[p->command_of[number]];
    const uint64_t *words = r->words + c->first;
    uint32_t slice = p->links[t->first_link];
    xlagpu_status s = XLAGPU_OK;
    switch (t->kind) {
    case XG_EXE_THUNK_KERNEL:
        memcpy(e->args, words, (size_t)t->n_links * 8);
        s = xr_host_launch(e, t->kernel, NULL);
        break;
    case XG_EXE_THUNK_COPY:
        if (p->slices[slice].bytes) s = xr_host_copy(e, words[1], words[0], (size_t)p->slices[slice].bytes, NULL);
        break;
    case XG_EXE_THUNK_MEMSET:
        if (p->slices[slice].bytes) s = xr_host_fill(e, words[0], t->value, (size_t)p->slices[slice].bytes, NULL);
        break;
    default: s = xr_host_fill(e, words[0], (uint32_t)words[1], 4, NULL); break;
    }
    if (s != XLAGPU_OK)
        xr_note(&e->c, "\nwhile running HLO %s%s%s%s", p->strings + t->name,
            t->kind == XG_EXE_THUNK_KERNEL ? " (kernel " : "",
            t->kind == XG_EXE_THUNK_KERNEL ? p->kernels[t->kernel].name : "",
            t->kind == XG_EXE_THUNK_KERNEL ? ")" : "");
    return s;
}
XG_FN xlagpu_status xr_host_replay_below(
    xlagpu_execution *e, const xr_command_buffer *b, const xr_record *r, uint32_t number) {
    const xg_exe_thunk *t = &e->program->thunks[number];
    uint32_t n, k, slice = t->n_links ? e->program->links[t->first_link] : 0;
    const uint32_t *children = xr_children(e->program, t, &n);
    int32_t which = 1;
    xlagpu_status s = XLAGPU_OK;
    if (number != b->thunk && !xr_is_control(t->kind)) return xr_host_replay_thunk(e, b, r, number);
    if (t->kind == XG_EXE_THUNK_CONDITIONAL) {
        s = xr_read_decision(e, slice, NULL, &which);
        return s == XLAGPU_OK ? xr_host_replay_below(e, b, r, children[xr_branch(e, slice, which, n)]) : s;
    }
    if (t->kind == XG_EXE_THUNK_WHILE)
        for (;;) {
            s = xr_host_replay_below(e, b, r, children[0]);
            if (s == XLAGPU_OK) s = xr_read_decision(e, slice, NULL, &which);
            if (s != XLAGPU_OK || !which) return s;
            s = xr_host_replay_below(e, b, r, children[1]);
            if (s != XLAGPU_OK) return s;
        }
    for (k = 0; k < n && s == XLAGPU_OK; k++) s = xr_host_replay_below(e, b, r, children[k]);
    return s;
}
XG_FN xlagpu_status xr_host_build(xlagpu_execution *e, const xr_command_buffer *b, xr_record *r) {
    (void)e;
    (void)b;
    r->built = true;
    r->builds++;
    return XLAGPU_OK;
}
XG_FN xlagpu_status xr_host_update(xlagpu_execution *e, const xr_command_buffer *b, xr_record *r, uint32_t command) {
    (void)e;
    (void)b;
    (void)command;
    r->updates++;
    return XLAGPU_OK;
}
XG_FN xlagpu_status xr_host_replay(xlagpu_execution *e, const xr_command_buffer *b, xr_record *r, void *stream) {
    (void)stream;
    return xr_host_replay_below(e, b, r, b->thunk);
}
XG_FN void xr_host_forget(xlagpu_execution *e, xr_record *r) {
    (void)e;
    r->built = false;
}

/* ---- events: what is enqueued has run when the call returns, so an event is a time ---- */

XG_FN xlagpu_status xr_host_event_new(xlagpu_execution *e, bool timed, void **event) {
    double *t = timed ? (double *)xg_mem_alloc(&e->program->device->c, sizeof *t) : NULL;
    if (timed && !t) return xr_fail(&e->c, XLAGPU_ERROR_MEMORY, "out of memory");
    *event = t;
    return XLAGPU_OK;
}
XG_FN void xr_host_event_free(xlagpu_execution *e, void *event) { xg_mem_free(&e->program->device->c, event); }
XG_FN xlagpu_status xr_host_event_record(xlagpu_execution *e, void *event, void *stream) {
    (void)e;
    (void)stream;
    *(double *)event = xr_seconds();
    return XLAGPU_OK;
}
XG_FN xlagpu_status xr_host_event_wait(xlagpu_execution *e, void *event) {
    (void)e;
    (void)event;
    return XLAGPU_OK;
}
XG_FN xlagpu_status xr_host_event_done(xlagpu_execution *e, void *event, bool *done) {
    (void)e;
    (void)event;
    *done = true;
    return XLAGPU_OK;
}
XG_FN xlagpu_status xr_host_event_seconds(xlagpu_execution *e, void *before, void *after, double *seconds) {
    (void)e;
    *seconds = *(double *)after - *(double *)before;
    return XLAGPU_OK;
}

/* ---- any PTX ---- */

XG_FN void *xr_host_load_ptx(xlagpu_device *d, xg_arena *a, const xg_source *ptx) { return xr_host_parse(d, a, ptx); }
XG_FN xlagpu_status xr_host_launch_ptx(
    xlagpu_device *d, const xg_source *ptx, void *loaded, const xlagpu_ptx_launch *l, xlagpu_kernel_stats *stats) {
    xr_host_run r;
    xlagpu_status s;
    void *memory = NULL;
    const xg_sim_module *m = (const xg_sim_module *)loaded;
    memset(&r, 0, sizeof r);
    r.launch.module = m;
    r.launch.entry = l->entry                 ? xg_sim_find(m, xg_str_z(l->entry))
                     : xg_sim_entries(m) == 1 ? xg_sim_entry_at(m, 0)
                                              : NULL;
    if (!r.launch.entry)
        return xr_fail(
            &d->c, XLAGPU_ERROR_USAGE, "%s has no kernel '%s'", ptx->name, l->entry ? l->entry : "(name one)");
    memcpy(r.launch.grid, l->grid, sizeof r.launch.grid);
    memcpy(r.launch.block, l->block, sizeof r.launch.block);
    memcpy(r.launch.cluster, l->cluster, sizeof r.launch.cluster);
    r.launch.dynamic_shared = l->shared_bytes;
    r.launch.memory = &xr_host_of(d)->memory;
    r.launch.params = l->parameters;
    r.launch.param_bytes = l->parameter_bytes;
    s = xg_sim_prepare(&d->c, &r.launch);
    if (s == XLAGPU_OK) s = xr_host_worker_memory(d, xg_sim_worker_bytes(&r.launch), &memory);
    if (s == XLAGPU_OK) {
        if (stats) {
            stats->name = l->entry ? l->entry : "kernel";
            stats->launches = 1;
        }
        r.device = d;
        r.name = l->entry ? l->entry : ptx->name;
        s = xr_host_go(&d->c, &r, (char *)memory, xr_host_workers(d), stats);
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
        xr_host_upload, xr_host_download, xr_host_wait, xr_host_settle, xr_host_load, xr_host_unload, xr_host_prepare,
        xr_host_finish, xr_host_enter, xr_host_leave, xr_host_copy, xr_host_fill, xr_host_read, xr_host_launch,
        xr_host_build, xr_host_update, xr_host_replay, xr_host_forget, xr_host_event_new, xr_host_event_free,
        xr_host_event_record, xr_host_event_wait, xr_host_event_done, xr_host_event_seconds, NULL, NULL, NULL, NULL,
        xr_host_load_ptx, xr_host_launch_ptx, xr_host_encode_map};
    return &host;
}
#endif /* XLAGPU_NO_SIMULATOR */

#endif /* XG_RT_HOST_C */
/* rt/cuda.c -- the platform "cuda": NVIDIA's driver API, found at run time.
 *
 * The driver's functions are rows of one table: their types are declared here, from the documented ABI, so no CUDA
 * header is needed. The device's primary context is used, so that buffers and streams of other code in the process (the
 * CUDA runtime, a game engine) are ours too. It is made current for each public call and put back afterwards. A driver
 * older than the PTX's version is told apart from a broken kernel in the message. */
#ifndef XG_RT_CUDA_C
#define XG_RT_CUDA_C

#if defined(_WIN32)
#define XR_CUDAAPI __stdcall
#else
#define XR_CUDAAPI
#endif

/* X(field, symbol, parameters): all return an int status, 0 for success. */
/* clang-format off */
#define XR_CUDA_FUNCTIONS(X) \
    X(init, "cuInit", (unsigned flags)) \
    X(driver_version, "cuDriverGetVersion", (int *version)) \
    X(device_get, "cuDeviceGet", (int *device, int ordinal)) \
    X(device_count, "cuDeviceGetCount", (int *count)) \
    X(device_name, "cuDeviceGetName", (char *name, int n, int device)) \
    X(device_attribute, "cuDeviceGetAttribute", (int *value, int attribute, int device)) \
    X(context_retain, "cuDevicePrimaryCtxRetain", (void **context, int device)) \
    X(context_release, "cuDevicePrimaryCtxRelease_v2", (int device)) \
    X(context_push, "cuCtxPushCurrent_v2", (void *context)) \
    X(context_pop, "cuCtxPopCurrent_v2", (void **context)) \
    X(alloc, "cuMemAlloc_v2", (uint64_t *address, size_t bytes)) \
    X(release, "cuMemFree_v2", (uint64_t address)) \
    X(alloc_host, "cuMemAllocHost_v2", (void **memory, size_t bytes)) \
    X(release_host, "cuMemFreeHost", (void *memory)) \
    X(upload, "cuMemcpyHtoD_v2", (uint64_t to, const void *from, size_t bytes)) \
    X(download, "cuMemcpyDtoH_v2", (void *to, uint64_t from, size_t bytes)) \
    X(copy, "cuMemcpyAsync", (uint64_t to, uint64_t from, size_t bytes, void *stream)) \
    X(fill32, "cuMemsetD32Async", (uint64_t to, unsigned value, size_t n, void *stream)) \
    X(fill8, "cuMemsetD8Async", (uint64_t to, unsigned char value, size_t n, void *stream)) \
    X(stream_wait, "cuStreamSynchronize", (void *stream)) \
    X(context_wait, "cuCtxSynchronize", (void)) \
    X(module_load, "cuModuleLoadDataEx", (void **module, const void *image, unsigned n, int *options, void **values)) \
    X(module_unload, "cuModuleUnload", (void *module)) \
    X(function, "cuModuleGetFunction", (void **function, void *module, const char *name)) \
    X(function_attribute, "cuFuncSetAttribute", (void *function, int attribute, int value)) \
    X(launch, "cuLaunchKernel", (void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream, void **params, void **extra)) \
    X(event_create, "cuEventCreate", (void **event, unsigned flags)) \
    X(event_destroy, "cuEventDestroy_v2", (void *event)) \
    X(event_record, "cuEventRecord", (void *event, void *stream)) \
    X(event_wait, "cuEventSynchronize", (void *event)) \
    X(event_query, "cuEventQuery", (void *event)) \
    X(event_elapsed, "cuEventElapsedTime", (float *milliseconds, void *before, void *after)) \
    X(error_name, "cuGetErrorName", (int error, const char **text)) \
    X(error_string, "cuGetErrorString", (int error, const char **text))
/* clang-format on */

/* Command buffers need the first list (CUDA 12), loops and branches in them the second one, too. */
/* clang-format off */
#define XR_CUDA_GRAPH_FUNCTIONS(X) \
    X(graph_create, "cuGraphCreate", (void **graph, unsigned flags)) \
    X(graph_destroy, "cuGraphDestroy", (void *graph)) \
    X(graph_kernel, "cuGraphAddKernelNode_v2", (void **node, void *graph, void *const *after, size_t n, const xr_kernel_node *p)) \
    X(graph_copy, "cuGraphAddMemcpyNode", (void **node, void *graph, void *const *after, size_t n, const xr_copy_node *p, void *context)) \
    X(graph_fill, "cuGraphAddMemsetNode", (void **node, void *graph, void *const *after, size_t n, const xr_fill_node *p, void *context)) \
    X(graph_instantiate, "cuGraphInstantiateWithFlags", (void **exec, void *graph, unsigned long long flags)) \
    X(graph_exec_destroy, "cuGraphExecDestroy", (void *exec)) \
    X(graph_set_kernel, "cuGraphExecKernelNodeSetParams_v2", (void *exec, void *node, const xr_kernel_node *p)) \
    X(graph_set_copy, "cuGraphExecMemcpyNodeSetParams", (void *exec, void *node, const xr_copy_node *p, void *context)) \
    X(graph_set_fill, "cuGraphExecMemsetNodeSetParams", (void *exec, void *node, const xr_fill_node *p, void *context)) \
    X(graph_launch, "cuGraphLaunch", (void *exec, void *stream))
/* clang-format on */
#define XR_CUDA_CONDITIONAL_FUNCTIONS(X) \
    X(graph_node, "cuGraphAddNode", (void **node, void *graph, void *const *after, size_t n, xr_conditional_node *p)) \
    X(graph_handle, "cuGraphConditionalHandleCreate", \
        (uint64_t * handle, void *graph, void *context, unsigned initial, unsigned flags))

/* For copies beside kernels: without them all is done in order. */
/* clang-format off */
#define XR_CUDA_STREAM_FUNCTIONS(X) \
    X(stream_create, "cuStreamCreate", (void **stream, unsigned flags)) \
    X(stream_destroy, "cuStreamDestroy_v2", (void *stream)) \
    X(stream_follow, "cuStreamWaitEvent", (void *stream, void *event, unsigned flags))
/* clang-format on */

/* To keep machine code: without them nothing is kept. */
/* clang-format off */
#define XR_CUDA_LINK_FUNCTIONS(X) \
    X(link_create, "cuLinkCreate_v2", (unsigned n, int *options, void **values, void **link)) \
    X(link_add, "cuLinkAddData_v2", (void *link, int type, void *data, size_t size, const char *name, unsigned n, int *options, void **values)) \
    X(link_complete, "cuLinkComplete", (void *link, void **code, size_t *bytes)) \
    X(link_destroy, "cuLinkDestroy", (void *link))
/* clang-format on */

/* Their arguments, as the driver's ABI has them. */
typedef struct xr_kernel_node {
    void *function;
    unsigned grid[3], block[3], shared;
    void **params, **extra;
    void *kernel, *context;
} xr_kernel_node;
typedef struct xr_fill_node {
    uint64_t to;
    size_t pitch;
    unsigned value, element;
    size_t width, height;
} xr_fill_node;
typedef struct xr_copy_side {
    size_t x, y, z, lod;
    int type;
    const void *host;
    uint64_t device;
    void *array, *reserved;
    size_t pitch, height;
} xr_copy_side;
typedef struct xr_copy_node {
    xr_copy_side from, to;
    size_t width, height, depth;
} xr_copy_node;
typedef struct xr_conditional_node {
    int type, reserved[3];
    union {
        struct {
            uint64_t handle;
            int type;
            unsigned size;
            void **graphs;
            void *context;
        } c;
        long long size_of_all[29];
    } u;
    long long reserved2;
} xr_conditional_node;

typedef struct xr_cuda {
    void *library, *context;
    int device, version;
    bool started, retained;
#define X(field, symbol, parameters) int(XR_CUDAAPI * field) parameters;
    XR_CUDA_FUNCTIONS(X)
    XR_CUDA_GRAPH_FUNCTIONS(X)
    XR_CUDA_CONDITIONAL_FUNCTIONS(X)
    XR_CUDA_LINK_FUNCTIONS(X)
    XR_CUDA_STREAM_FUNCTIONS(X)
#undef X
    bool graphs, conditionals, linker, streams;
    char *cache;                        /* the folder; NULL: none */
    void *condition_module, *condition; /* the kernel that sets a conditional node's handle; NULL: not loaded */
    void *nvtx;
    int(XR_CUDAAPI *nvtx_push)(const char *name);
    int(XR_CUDAAPI *nvtx_pop)(void);
} xr_cuda;

enum {
    XR_CUDA_CC_MAJOR = 75,
    XR_CUDA_CC_MINOR = 76,
    XR_CUDA_SHARED_OPTIN = 8
};
enum {
    XR_CUDA_JIT_INFO = 3,
    XR_CUDA_JIT_INFO_SIZE = 4,
    XR_CUDA_JIT_ERROR = 5,
    XR_CUDA_JIT_ERROR_SIZE = 6
};
enum {
    XR_CUDA_OUT_OF_MEMORY = 2,
    XR_CUDA_STUB_LIBRARY = 34, /* what stands in for the driver where programs are linked */
    XR_CUDA_NO_DEVICE = 100,
    XR_CUDA_UNSUPPORTED_PTX_VERSION = 222
};

XG_FN xr_cuda *xr_cuda_of(xlagpu_device *d) { return (xr_cuda *)d->state; }

/* An answer of the driver as a status, its message in c. */
XG_FN xlagpu_status xr_cuda_check(xg_ctx *c, const xr_cuda *u, int error, const char *what) {
    const char *name = NULL, *text = NULL;
    if (!error) return XLAGPU_OK;
    u->error_name(error, &name);
    u->error_string(error, &text);
    return xr_fail(c, error == XR_CUDA_OUT_OF_MEMORY ? XLAGPU_ERROR_MEMORY : XLAGPU_ERROR_DEVICE,
        "%s: %s (%s, error %d)", what, text ? text : "the driver failed", name ? name : "?", error);
}
#define XR_CUDA(d, call, what) xr_cuda_check(&(d)->c, xr_cuda_of(d), xr_cuda_of(d)->call, (what))

XG_FN xlagpu_status xr_cuda_push(xg_ctx *c, const xr_cuda *u) {
    return xr_cuda_check(c, u, u->context_push(u->context), "making the GPU's context current");
}
XG_FN void xr_cuda_pop(const xr_cuda *u) {
    void *context;
    u->context_pop(&context);
}

/* The library's name, then every function. */
XG_FN xlagpu_status xr_cuda_bind(xlagpu_device *d, const char *path) {
    static const char *const names[] = {
#ifdef _WIN32
        "nvcuda.dll",
#else
        "libcuda.so.1",
        "libcuda.so",
        "/usr/lib/wsl/lib/libcuda.so.1",
#endif
    };
    xr_cuda *u = xr_cuda_of(d);
    bool all = true;
    size_t k;
    void *f;
    if (path)
        u->library = xr_library_open(path);
    else
        for (k = 0; k < XG_COUNT(names) && !u->library; k++) u->library = xr_library_open(names[k]);
    if (!u->library)
        return xr_fail(&d->c, XLAGPU_ERROR_NO_DEVICE,
            "no NVIDIA driver here: %s cannot be opened; the platform \"host\" simulates", path ? path : names[0]);
#define X(field, symbol, parameters) \
    f = xr_library_symbol(u->library, symbol); \
    if (!f) return xr_fail(&d->c, XLAGPU_ERROR_UNSUPPORTED, "the NVIDIA driver has no %s: it is too old", symbol); \
    memcpy(&u->field, &f, sizeof f);
    XR_CUDA_FUNCTIONS(X)
#undef X
#define X(field, symbol, parameters) \
    f = xr_library_symbol(u->library, symbol); \
    memcpy(&u->field, &f, sizeof f); \
    all = all && f;
    XR_CUDA_GRAPH_FUNCTIONS(X)
    u->graphs = all;
    XR_CUDA_CONDITIONAL_FUNCTIONS(X)
    u->conditionals = all;
    all = true;
    XR_CUDA_LINK_FUNCTIONS(X)
    u->linker = all;
    all = true;
    XR_CUDA_STREAM_FUNCTIONS(X)
    u->streams = all;
#undef X
    return XLAGPU_OK;
}

/* NVIDIA's library of ranges. CUDA 13 has none: there NVTX is a header, which a caller's range function may use. */
XG_FN void xr_cuda_bind_nvtx(xlagpu_device *d) {
    xr_cuda *u = xr_cuda_of(d);
    static const char *const names[] = {"libnvToolsExt.so.1", "libnvToolsExt.so", "nvToolsExt64_1.dll"};
    void *push, *pop;
    size_t k;
    for (k = 0; k < XG_COUNT(names) && !u->nvtx; k++) u->nvtx = xr_library_open(names[k]);
    push = u->nvtx ? xr_library_symbol(u->nvtx, "nvtxRangePushA") : NULL;
    pop = u->nvtx ? xr_library_symbol(u->nvtx, "nvtxRangePop") : NULL;
    if (!push || !pop) {
        xg_format(d->note, sizeof d->note,
            "no NVTX ranges: %s cannot be opened (CUDA 13 does not have it); give the device a range function that "
            "calls NVTX's header",
            names[0]);
        return;
    }
    memcpy(&u->nvtx_push, &push, sizeof push);
    memcpy(&u->nvtx_pop, &pop, sizeof pop);
}

XG_FN xlagpu_status xr_cuda_describe(xlagpu_device *d) {
    xr_cuda *u = xr_cuda_of(d);
    int major = 0, minor = 0;
    xlagpu_status s = XR_CUDA(d, device_name(d->name, (int)sizeof d->name, u->device), "asking for the GPU's name");
    if (s == XLAGPU_OK)
        s = XR_CUDA(d, device_attribute(&major, XR_CUDA_CC_MAJOR, u->device), "asking for the compute capability");
    if (s == XLAGPU_OK)
        s = XR_CUDA(d, device_attribute(&minor, XR_CUDA_CC_MINOR, u->device), "asking for the compute capability");
    xg_format(d->target, sizeof d->target, "sm_%d%d%s", major, minor, major == 9 ? "a" : "");
    return s;
}

/* Only a machine without a GPU is XLAGPU_ERROR_NO_DEVICE, for which "auto" simulates. All else that is wrong (a driver
 * that does not fit the kernel's module, a GPU that is not ready) is the user's to know. */
XG_FN xlagpu_status xr_cuda_init(xlagpu_device *d) {
    xr_cuda *u = xr_cuda_of(d);
    int error;
    u->started = true;
    error = u->init(0);
    (void)xr_cuda_check(&d->c, u, error, "starting the NVIDIA driver");
    if (error == XR_CUDA_NO_DEVICE || error == XR_CUDA_STUB_LIBRARY) d->c.status = XLAGPU_ERROR_NO_DEVICE;
    return d->c.status;
}
XG_FN xlagpu_status xr_cuda_count(xlagpu_device *d, int ordinal) {
    int count = 0;
    xlagpu_status s = XR_CUDA(d, device_count(&count), "counting GPUs");
    if (s == XLAGPU_OK && (ordinal < 0 || ordinal >= count))
        s = xr_fail(&d->c, count > 0 ? XLAGPU_ERROR_USAGE : XLAGPU_ERROR_NO_DEVICE,
            "there is no GPU number %d: the driver knows %d", ordinal, count);
    return s;
}
XG_FN xlagpu_status xr_cuda_start(xlagpu_device *d, int ordinal) {
    xr_cuda *u = xr_cuda_of(d);
    xlagpu_status s = xr_cuda_init(d);
    if (s == XLAGPU_OK) s = XR_CUDA(d, driver_version(&u->version), "asking for the driver's version");
    if (s == XLAGPU_OK) s = xr_cuda_count(d, ordinal);
    if (s == XLAGPU_OK) s = XR_CUDA(d, device_get(&u->device, ordinal), "getting the GPU");
    if (s == XLAGPU_OK) s = xr_cuda_describe(d);
    if (s == XLAGPU_OK) s = XR_CUDA(d, context_retain(&u->context, u->device), "making a context on the GPU");
    u->retained = s == XLAGPU_OK;
    return s;
}

XG_FN void xr_cuda_close(xlagpu_device *d) {
    xr_cuda *u = xr_cuda_of(d);
    if (u->condition_module && !u->context_push(u->context)) {
        u->module_unload(u->condition_module);
        xr_cuda_pop(u);
    }
    if (u->retained) u->context_release(u->device);
    xr_library_close(u->nvtx);
    xg_mem_free(&d->c, u->cache);
    if (!u->started) xr_library_close(u->library); /* else it stays: a driver has threads, and other users */
    xg_mem_free(&d->c, u);
    d->state = NULL;
}

XG_FN xlagpu_status xr_cuda_open(xlagpu_device *d, const xlagpu_device_desc *desc) {
    xr_cuda *u = (xr_cuda *)xg_mem_alloc(&d->c, sizeof *u);
    xlagpu_status s;
    if (!u) return xr_fail(&d->c, XLAGPU_ERROR_MEMORY, "out of memory");
    memset(u, 0, sizeof *u);
    d->state = u;
    s = xr_cuda_bind(d, desc ? desc->driver : NULL);
    if (s == XLAGPU_OK && desc && desc->cache) {
        size_t n = strlen(desc->cache) + 1;
        u->cache = (char *)xg_mem_alloc(&d->c, n);
        if (u->cache)
            memcpy(u->cache, desc->cache, n);
        else
            s = xr_fail(&d->c, XLAGPU_ERROR_MEMORY, "out of memory");
    }
    if (s == XLAGPU_OK && desc && desc->nvtx) xr_cuda_bind_nvtx(d);
    if (s == XLAGPU_OK) s = xr_cuda_start(d, desc ? desc->ordinal : 0);
    if (s != XLAGPU_OK) xr_cuda_close(d);
    return s;
}

/* One operation inside the context. */
#define XR_CUDA_IN(d, call, what) \
    do { \
        xlagpu_status status_ = xr_cuda_push(&(d)->c, xr_cuda_of(d)); \
        if (status_ != XLAGPU_OK) return status_; \
        status_ = XR_CUDA(d, call, what); \
        xr_cuda_pop(xr_cuda_of(d)); \
        return status_; \
    } while (0)

XG_FN xlagpu_status xr_cuda_alloc_host(xlagpu_device *d, size_t bytes, xr_block *out) {
    XR_CUDA_IN(d, alloc_host(&out->memory, bytes), "allocating host memory");
}
XG_FN xlagpu_status xr_cuda_alloc_device(xlagpu_device *d, size_t bytes, xr_block *out) {
    XR_CUDA_IN(d, alloc(&out->address, bytes), "allocating device memory");
}
XG_FN xlagpu_status xr_cuda_alloc(xlagpu_device *d, size_t bytes, bool host, xr_block *out) {
    xlagpu_status s;
    out->bytes = bytes;
    out->memory = NULL;
    if (!host) return xr_cuda_alloc_device(d, bytes, out);
    s = xr_cuda_alloc_host(d, bytes, out);
    /* one address space: the device reaches it under the same address */
    out->address = (uint64_t)(uintptr_t)out->memory;
    return s;
}
XG_FN void xr_cuda_release(xlagpu_device *d, const xr_block *b) {
    if (xr_cuda_of(d)->context_push(xr_cuda_of(d)->context)) return;
    if (b->host)
        xr_cuda_of(d)->release_host(b->memory);
    else
        xr_cuda_of(d)->release(b->address);
    xr_cuda_pop(xr_cuda_of(d));
}
XG_FN xlagpu_status xr_cuda_upload(xlagpu_device *d, uint64_t to, const void *from, size_t bytes) {
    XR_CUDA_IN(d, upload(to, from, bytes), "copying to the GPU");
}
XG_FN xlagpu_status xr_cuda_download(xlagpu_device *d, void *to, uint64_t from, size_t bytes) {
    XR_CUDA_IN(d, download(to, from, bytes), "copying from the GPU");
}
XG_FN xlagpu_status xr_cuda_wait(xlagpu_device *d, void *stream) {
    XR_CUDA_IN(d, stream_wait(stream), "waiting for the GPU");
}
XG_FN void xr_cuda_settle(xlagpu_device *d) {
    if (xr_cuda_of(d)->context_push(xr_cuda_of(d)->context)) return;
    xr_cuda_of(d)->context_wait();
    xr_cuda_pop(xr_cuda_of(d));
}

/* ---- kernels ---- */

XG_FN xlagpu_status xr_cuda_module(xlagpu_device *d, const xg_source *ptx, void **module) {
    enum {
        LOG = 1536
    };
    char log[LOG] = "";
    int options[2] = {XR_CUDA_JIT_ERROR, XR_CUDA_JIT_ERROR_SIZE};
    void *values[2];
    int error;
    values[0] = log;
    values[1] = (void *)(uintptr_t)LOG;
    error = xr_cuda_of(d)->module_load(module, ptx->text, 2, options, values);
    log[LOG - 1] = 0;
    if (!error) return XLAGPU_OK;
    if (error == XR_CUDA_UNSUPPORTED_PTX_VERSION)
        return xr_fail(&d->c, XLAGPU_ERROR_DEVICE,
            "the driver (CUDA %d.%d) is older than this PTX: update it, or compile for an older target",
            xr_cuda_of(d)->version / 1000, xr_cuda_of(d)->version % 1000 / 10);
    if (log[0]) return xr_fail(&d->c, XLAGPU_ERROR_DEVICE, "the driver refused the PTX (error %d): %s", error, log);
    return xr_cuda_check(&d->c, xr_cuda_of(d), error, "loading the PTX");
}

XG_FN xlagpu_status xr_cuda_function(
    xlagpu_device *d, void *module, const char *name, uint32_t shared, const void **out) {
    void *f = NULL;
    xlagpu_status s = XR_CUDA(d, function(&f, module, name), "finding a kernel");
    if (s == XLAGPU_OK && shared > 49152)
        s = XR_CUDA(d, function_attribute(f, XR_CUDA_SHARED_OPTIN, (int)shared), "raising a kernel's shared memory");
    *out = f;
    return s;
}

/* How many parameters the PTX of a kernel declares: the driver trusts its caller in this, and bytes may be damaged. 0
 * when it is not found. */
XG_FN uint32_t xr_cuda_count_parameters(const xg_source *ptx, const char *name) {
    static const char entry[] = ".entry ", param[] = ".param";
    size_t n = strlen(name), k;
    uint32_t count = 0;
    for (k = 0; k + sizeof entry + n < ptx->size; k++) {
        const char *p = ptx->text + k;
        if (*p != '.' || memcmp(p, entry, sizeof entry - 1) != 0 || memcmp(p + sizeof entry - 1, name, n) != 0 ||
            (p[sizeof entry - 1 + n] != '(' && (unsigned char)p[sizeof entry - 1 + n] > ' '))
            continue;
        for (k += sizeof entry - 1 + n; k + sizeof param < ptx->size && ptx->text[k] != ')' && ptx->text[k] != '{'; k++)
            count += memcmp(ptx->text + k, param, sizeof param - 1) == 0;
        break;
    }
    return count;
}

XG_FN xlagpu_status xr_cuda_kernel(xlagpu_program *p, xr_kernel *k) {
    k->n_params = xr_cuda_count_parameters(&p->ptx, k->name);
    return xr_cuda_function(p->device, p->module, k->name, k->shared_bytes, &k->handle);
}
/* xlagpu_set_condition(handle, address, kind, branches, which): kind 0: the pred; 1: a pred that chooses branch 0 or 1,
 * is it `which`? 2: an index, is it `which`? */
static const char xr_condition_ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".extern .func cudaGraphSetConditional(.param .b64 a, .param .b32 b);\n"
    ".visible .entry xlagpu_set_condition(.param .u64 p0, .param .u64 p1, .param .u32 p2, .param .u32 p3, .param .u32 "
    "p4)\n{\n"
    "\t.reg .pred %p<8>;\n\t.reg .b32 %r<12>;\n\t.reg .b64 %rd<4>;\n"
    "\tld.param.u64 %rd1, [p0];\n\tld.param.u64 %rd2, [p1];\n\tld.param.u32 %r1, [p2];\n\tld.param.u32 %r2, "
    "[p3];\n\tld.param.u32 %r3, [p4];\n"
    "\tsetp.eq.u32 %p1, %r1, 2;\n\t@%p1 bra INDEX;\n"
    "\tld.global.u8 %r4, [%rd2];\n\tsetp.ne.u32 %p2, %r4, 0;\n\tselp.u32 %r5, 1, 0, %p2;\n"
    "\tsetp.eq.u32 %p3, %r1, 0;\n\t@%p3 bra SET;\n"
    "\txor.b32 %r6, %r5, 1;\n\tsetp.eq.u32 %p4, %r6, %r3;\n\tselp.u32 %r5, 1, 0, %p4;\n\tbra SET;\n"
    "INDEX:\n\tld.global.u32 %r7, [%rd2];\n\tsetp.lt.u32 %p5, %r7, %r2;\n\tsub.u32 %r8, %r2, 1;\n\tselp.u32 %r9, %r7, "
    "%r8, %p5;\n\tsetp.eq.u32 %p6, %r9, %r3;\n\tselp.u32 %r5, 1, 0, %p6;\n"
    "SET:\n\t{\n\t.param .b64 a;\n\t.param .b32 b;\n\tst.param.b64 [a], %rd1;\n\tst.param.b32 [b], %r5;\n\tcall.uni "
    "cudaGraphSetConditional, (a, b);\n\t}\n\tret;\n}\n";

/* Once for the device. A driver that cannot link it has no loops and branches in graphs: no failure. */
XG_FN void xr_cuda_load_condition(xr_cuda *u) {
    if (u->condition || !u->conditionals) return;
    if (u->module_load(&u->condition_module, xr_condition_ptx, 0, NULL, NULL)) {
        u->condition_module = NULL;
        u->conditionals = false;
        return;
    }
    if (u->function(&u->condition, u->condition_module, "xlagpu_set_condition")) {
        u->condition = NULL;
        u->conditionals = false;
    }
}

XG_FN void *xr_cache_read(xlagpu_device *d, const xg_source *ptx);
XG_FN void *xr_cache_make(xlagpu_device *d, const xg_source *ptx);

/* Machine code, if the executable has it for this very GPU or the cache has it; else the driver compiles the PTX. Code
 * that the driver does not take is as good as none. */
XG_FN xlagpu_status xr_cuda_load_module(xlagpu_program *p) {
    xlagpu_device *d = p->device;
    xr_cuda *u = xr_cuda_of(d);
    void *code;
    if (p->sections[XG_EXE_CUBIN].bytes && strcmp(p->strings + p->head.target_name, d->target) == 0 &&
        !u->module_load(&p->module, p->bytes + p->sections[XG_EXE_CUBIN].offset, 0, NULL, NULL))
        return XLAGPU_OK;
    code = xr_cache_read(d, &p->ptx);
    if (code && u->module_load(&p->module, code, 0, NULL, NULL)) p->module = NULL;
    xg_mem_free(&d->c, code);
    if (!p->module) p->module = xr_cache_make(d, &p->ptx);
    return p->module ? XLAGPU_OK : xr_cuda_module(d, &p->ptx, &p->module);
}
XG_FN xlagpu_status xr_cuda_load(xlagpu_program *p) {
    xlagpu_device *d = p->device;
    uint32_t k;
    xlagpu_status s = xr_cuda_push(&d->c, xr_cuda_of(d));
    if (s != XLAGPU_OK) return s;
    s = xr_cuda_load_module(p);
    for (k = 0; k < p->n_kernels && s == XLAGPU_OK; k++) s = xr_cuda_kernel(p, &p->kernels[k]);
    if (s == XLAGPU_OK && p->has_control_commands) xr_cuda_load_condition(xr_cuda_of(d));
    xr_cuda_pop(xr_cuda_of(d));
    return s;
}
XG_FN void xr_cuda_unload(xlagpu_program *p) {
    if (!p->module || xr_cuda_of(p->device)->context_push(xr_cuda_of(p->device)->context)) return;
    xr_cuda_of(p->device)->module_unload(p->module);
    xr_cuda_pop(xr_cuda_of(p->device));
}

/* ---- the way of a launch ---- */

/* Of a program with loops or branches an execution has a place in pinned memory for what they are decided by: one
 * asynchronous copy and one wait bring it there, on the stream alone. */
XG_FN xlagpu_status xr_cuda_prepare(xlagpu_execution *e) {
    enum {
        DECISION_BYTES = 16
    };
    xr_block b;
    xlagpu_status s;
    memset(&b, 0, sizeof b);
    if (!e->program->has_decisions) return XLAGPU_OK;
    s = xr_cuda_alloc_host(e->program->device, DECISION_BYTES, &b);
    e->state = b.memory;
    return s;
}
XG_FN void xr_cuda_finish(xlagpu_execution *e) {
    xr_block b;
    if (!e->state) return;
    memset(&b, 0, sizeof b);
    b.memory = e->state;
    b.host = true;
    xr_cuda_release(e->program->device, &b);
}

XG_FN xr_cuda *xr_cuda_under(const xlagpu_execution *e) { return xr_cuda_of(e->program->device); }
#define XR_CUDA_RUN(e, call, what) xr_cuda_check(&(e)->c, xr_cuda_under(e), xr_cuda_under(e)->call, (what))
XG_FN xlagpu_status xr_cuda_enter(xlagpu_execution *e) { return xr_cuda_push(&e->c, xr_cuda_under(e)); }
XG_FN void xr_cuda_leave(xlagpu_execution *e) { xr_cuda_pop(xr_cuda_under(e)); }
XG_FN xlagpu_status xr_cuda_copy(xlagpu_execution *e, uint64_t to, uint64_t from, size_t bytes, void *stream) {
    return XR_CUDA_RUN(e, copy(to, from, bytes, stream), "copying on the GPU");
}
XG_FN xlagpu_status xr_cuda_read(xlagpu_execution *e, void *to, uint64_t from, size_t bytes, void *stream) {
    uint64_t place = (uint64_t)(uintptr_t)e->state;
    xlagpu_status s = XR_CUDA_RUN(e, copy(place, from, bytes, stream), "reading a loop's or branch's decision");
    if (s == XLAGPU_OK) s = XR_CUDA_RUN(e, stream_wait(stream), "waiting for a loop's or branch's decision");
    if (s == XLAGPU_OK) memcpy(to, e->state, bytes);
    return s;
}
XG_FN xlagpu_status xr_cuda_fill(xlagpu_execution *e, uint64_t to, uint32_t pattern, size_t bytes, void *stream) {
    /* one byte four times: the loader checked it */
    if ((to | bytes) % 4) return XR_CUDA_RUN(e, fill8(to, (unsigned char)pattern, bytes, stream), "filling memory");
    return XR_CUDA_RUN(e, fill32(to, pattern, bytes / 4, stream), "filling memory");
}

/* ---- events ---- */

enum {
    XR_CUDA_EVENT_UNTIMED = 2,
    XR_CUDA_NOT_READY = 600
};
XG_FN xlagpu_status xr_cuda_event_new(xlagpu_execution *e, bool timed, void **event) {
    return XR_CUDA_RUN(e, event_create(event, timed ? 0 : XR_CUDA_EVENT_UNTIMED), "making an event");
}
XG_FN void xr_cuda_event_free(xlagpu_execution *e, void *event) { xr_cuda_under(e)->event_destroy(event); }
XG_FN xlagpu_status xr_cuda_event_record(xlagpu_execution *e, void *event, void *stream) {
    return XR_CUDA_RUN(e, event_record(event, stream), "recording an event");
}
XG_FN xlagpu_status xr_cuda_event_wait(xlagpu_execution *e, void *event) {
    return XR_CUDA_RUN(e, event_wait(event), "waiting for an event");
}
XG_FN xlagpu_status xr_cuda_event_done(xlagpu_execution *e, void *event, bool *done) {
    int error = xr_cuda_under(e)->event_query(event);
    *done = !error;
    return error == XR_CUDA_NOT_READY ? XLAGPU_OK
                                      : xr_cuda_check(&e->c, xr_cuda_under(e), error, "asking for an event");
}
enum {
    XR_CUDA_STREAM_NON_BLOCKING = 1
}; /* knows nothing of the default stream */
XG_FN xlagpu_status xr_cuda_stream_new(xlagpu_execution *e, void **stream) {
    *stream = NULL;
    return xr_cuda_under(e)->streams
               ? XR_CUDA_RUN(e, stream_create(stream, XR_CUDA_STREAM_NON_BLOCKING), "making a stream")
               : XLAGPU_OK;
}
XG_FN void xr_cuda_stream_free(xlagpu_execution *e, void *stream) { xr_cuda_under(e)->stream_destroy(stream); }
XG_FN xlagpu_status xr_cuda_stream_follow(xlagpu_execution *e, void *stream, void *event) {
    return XR_CUDA_RUN(e, stream_follow(stream, event, 0), "making a stream wait for an event");
}
XG_FN xlagpu_status xr_cuda_event_seconds(xlagpu_execution *e, void *before, void *after, double *seconds) {
    float milliseconds = 0;
    xlagpu_status s = XR_CUDA_RUN(e, event_elapsed(&milliseconds, before, after), "reading the time between events");
    *seconds = (double)milliseconds * 1e-3;
    return s;
}
XG_FN void xr_cuda_range(xlagpu_device *d, const char *name) {
    xr_cuda *u = xr_cuda_of(d);
    if (!u->nvtx_push) return;
    if (name)
        u->nvtx_push(name);
    else
        u->nvtx_pop();
}

XG_FN void *xr_cuda_handle(const void *handle) {
    void *p;
    memcpy(&p, &handle, sizeof p);
    return p;
}

XG_FN xlagpu_status xr_cuda_launch(xlagpu_execution *e, uint32_t kernel, void *stream) {
    const xr_kernel *k = &e->program->kernels[kernel];
    e->stats[kernel].launches++;
    return XR_CUDA_RUN(e,
        launch(xr_cuda_handle(k->handle), k->blocks[0], k->blocks[1], k->blocks[2], k->threads[0], k->threads[1],
            k->threads[2], k->shared_bytes, stream, e->arg_pointers, NULL),
        "launching a kernel");
}

/* ---- any PTX ---- */

/* What drivers before CUDA 12 lack: asked for when it is needed. */
typedef int(XR_CUDAAPI *xr_cuda_encode)(void *map, int type, uint32_t rank, void *address, const uint64_t *dims,
    const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave, int swizzle, int promotion,
    int fill);
typedef struct xr_cuda_attribute {
    int id;
    char pad[4];
    union {
        char room[64];
        unsigned cluster[3];
    } value;
} xr_cuda_attribute;
typedef struct xr_cuda_config {
    unsigned grid[3], block[3], shared;
    void *stream;
    xr_cuda_attribute *attributes;
    unsigned n;
} xr_cuda_config;
typedef int(XR_CUDAAPI *xr_cuda_launch_ex)(const xr_cuda_config *config, void *function, void **params, void **extra);
enum {
    XR_CUDA_CLUSTER_DIMENSION = 4
};

XG_FN xlagpu_status xr_cuda_newer(xlagpu_device *d, const char *symbol, void *out, size_t bytes) {
    void *f = xr_library_symbol(xr_cuda_of(d)->library, symbol);
    if (!f) return xr_fail(&d->c, XLAGPU_ERROR_UNSUPPORTED, "the NVIDIA driver has no %s: it is too old", symbol);
    memcpy(out, &f, bytes);
    return XLAGPU_OK;
}
XG_FN xlagpu_status xr_cuda_launch_cluster(xlagpu_device *d, void *f, const xlagpu_ptx_launch *l, void **extra) {
    xr_cuda_attribute a;
    xr_cuda_config c;
    xr_cuda_launch_ex launch = NULL;
    xlagpu_status s = xr_cuda_newer(d, "cuLaunchKernelEx", &launch, sizeof launch);
    int k;
    if (s != XLAGPU_OK) return s;
    memset(&a, 0, sizeof a);
    memset(&c, 0, sizeof c);
    a.id = XR_CUDA_CLUSTER_DIMENSION;
    for (k = 0; k < 3; k++) {
        a.value.cluster[k] = XG_MAX(1u, l->cluster[k]);
        c.grid[k] = l->grid[k];
        c.block[k] = l->block[k];
    }
    c.shared = l->shared_bytes;
    c.attributes = &a;
    c.n = 1;
    return xr_cuda_check(&d->c, xr_cuda_of(d), launch(&c, f, NULL, extra), l->entry);
}

/* Parameters as one block: the driver's "extra" list of (1, pointer), (2, size), end. */
XG_FN xlagpu_status xr_cuda_launch_ptx(
    xlagpu_device *d, const xg_source *ptx, void *loaded, const xlagpu_ptx_launch *l, xlagpu_kernel_stats *stats) {
    void *module = NULL, *extra[5];
    const void *f = NULL;
    size_t bytes = l->parameter_bytes;
    xlagpu_status s = xr_cuda_push(&d->c, xr_cuda_of(d));
    if (s != XLAGPU_OK) return s;
    (void)loaded;
    memcpy(&extra[1], &l->parameters, sizeof extra[1]);
    extra[0] = (void *)(uintptr_t)1;
    extra[2] = (void *)(uintptr_t)2;
    extra[3] = &bytes;
    extra[4] = NULL;
    if (!l->entry) s = xr_fail(&d->c, XLAGPU_ERROR_USAGE, "name the kernel to run");
    if (s == XLAGPU_OK) s = xr_cuda_module(d, ptx, &module);
    if (s == XLAGPU_OK) s = xr_cuda_function(d, module, l->entry, l->shared_bytes, &f);
    if (s == XLAGPU_OK && (l->cluster[0] || l->cluster[1] || l->cluster[2]))
        s = xr_cuda_launch_cluster(d, xr_cuda_handle(f), l, bytes ? extra : NULL);
    else if (s == XLAGPU_OK)
        s = XR_CUDA(d,
            launch(xr_cuda_handle(f), l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2],
                l->shared_bytes, NULL, NULL, bytes ? extra : NULL),
            l->entry);
    if (s == XLAGPU_OK) s = XR_CUDA(d, stream_wait(NULL), "running the kernel");
    if (module) xr_cuda_of(d)->module_unload(module);
    xr_cuda_pop(xr_cuda_of(d));
    if (stats) {
        memset(stats, 0, sizeof *stats);
        stats->name = l->entry;
        stats->launches = 1;
    }
    return s;
}

XG_FN xlagpu_status xr_cuda_encode_map(xlagpu_device *d, const xlagpu_tensor_map *m, void *out) {
    xr_cuda_encode encode = NULL;
    uint64_t memory[32],
        *aligned = memory + (64 - (uintptr_t)memory % 64) % 64 / 8; /* the driver wants 64-byte alignment */
    xlagpu_status s = xr_cuda_newer(d, "cuTensorMapEncodeTiled", &encode, sizeof encode);
    if (s != XLAGPU_OK) return s;
    s = xr_cuda_push(&d->c, xr_cuda_of(d));
    if (s != XLAGPU_OK) return s;
    s = xr_cuda_check(&d->c, xr_cuda_of(d),
        encode(aligned, (int)m->data_type, m->rank, (void *)(uintptr_t)m->address, m->dims, m->strides, m->box,
            m->steps, 0, (int)m->swizzle, (int)m->l2_promotion, (int)m->fill),
        "encoding a tensor map");
    xr_cuda_pop(xr_cuda_of(d));
    if (s == XLAGPU_OK) memcpy(out, aligned, 128);
    return s;
}

#endif /* XG_RT_CUDA_C */
/* rt/cuda_cache.c -- machine code kept in a folder that the user names, so that the driver compiles PTX only once.
 *
 * A file is named by a hash of the PTX, the driver's version and the GPU's target, and begins with these and a
 * checksum. What does not fit is as good as not there. A failure to read or write is none of the program's: then the
 * driver compiles as it does without a folder. Files are written under another name and renamed, so that nobody reads
 * half of one. */
#ifndef XG_RT_CUDA_CACHE_C
#define XG_RT_CUDA_CACHE_C
#include <stdio.h>

typedef struct xr_cached {
    char magic[8];
    uint64_t ptx, ptx_bytes, bytes, sum;
    int32_t driver;
    char target[20];
} xr_cached;

XG_FN uint64_t xr_cache_hash(const void *p, size_t n, uint64_t h) { /* FNV-1a */
    const unsigned char *c = (const unsigned char *)p;
    size_t k;
    for (k = 0; k < n; k++) h = (h ^ c[k]) * 0x100000001B3u;
    return h;
}

XG_FN bool xr_cache_key(xlagpu_device *d, const xg_source *ptx, xr_cached *key, char *path, size_t cap) {
    const xr_cuda *u = (const xr_cuda *)d->state;
    uint64_t h;
    if (!u->cache) return false;
    memset(key, 0, sizeof *key);
    memcpy(key->magic, "xgcubin", 8);
    key->ptx = xr_cache_hash(ptx->text, ptx->size, 0xCBF29CE484222325u);
    key->ptx_bytes = ptx->size;
    key->driver = u->version;
    memcpy(key->target, d->target, sizeof d->target);
    h = xr_cache_hash(&key->driver, sizeof key->driver + sizeof key->target, key->ptx);
    return xg_format(path, cap, "%s/xlagpu-%016llx.cubin", u->cache, (unsigned long long)h) < cap;
}

/* Has the file so many bytes behind its head, and no more? So that a damaged number asks for no memory. */
XG_FN bool xr_cache_holds(FILE *f, uint64_t bytes) {
    bool ok = bytes && bytes < (uint64_t)1 << 31 && fseek(f, 0, SEEK_END) == 0 &&
              (uint64_t)ftell(f) == sizeof(xr_cached) + bytes;
    return ok && fseek(f, (long)sizeof(xr_cached), SEEK_SET) == 0;
}

/* The machine code, from the device's allocator; NULL: there is none. */
XG_FN void *xr_cache_read(xlagpu_device *d, const xg_source *ptx) {
    xr_cached key, head;
    char path[1200];
    void *code = NULL;
    FILE *f;
    if (!xr_cache_key(d, ptx, &key, path, sizeof path)) return NULL;
    f = fopen(path, "rb");
    if (!f) return NULL;
    if (fread(&head, 1, sizeof head, f) == sizeof head) {
        key.bytes = head.bytes;
        key.sum = head.sum;
        if (memcmp(&key, &head, sizeof key) == 0 && xr_cache_holds(f, head.bytes))
            code = xg_mem_alloc(&d->c, (size_t)head.bytes);
    }
    if (code && (fread(code, 1, (size_t)head.bytes, f) != head.bytes ||
                    xr_cache_hash(code, (size_t)head.bytes, 1) != head.sum)) {
        xg_mem_free(&d->c, code);
        code = NULL;
    }
    fclose(f);
    return code;
}

XG_FN void xr_cache_write(xlagpu_device *d, const xg_source *ptx, const void *code, size_t bytes) {
    xr_cached head;
    char path[1200], other[1300]; /* a name that no other device has, in whatever process */
    FILE *f;
    bool ok;
    if (!xr_cache_key(d, ptx, &head, path, sizeof path)) return;
    head.bytes = bytes;
    head.sum = xr_cache_hash(code, bytes, 1);
    xg_format(
        other, sizeof other, "%s.%llx.%llx", path, (unsigned long long)xr_process(), (unsigned long long)(uintptr_t)d);
    f = fopen(other, "wb");
    if (!f) return;
    ok = fwrite(&head, 1, sizeof head, f) == sizeof head && fwrite(code, 1, bytes, f) == bytes;
    if (fclose(f) != 0) ok = false;
    if (ok) ok = rename(other, path) == 0;
    if (!ok) remove(other);
}

/* PTX to machine code by the driver's linker, into the folder and into a module; NULL: it did not work, and the driver
 * is to be asked for the module itself. */
XG_FN void *xr_cache_make(xlagpu_device *d, const xg_source *ptx) {
    enum {
        PTX = 1
    };
    xr_cuda *u = xr_cuda_of(d);
    void *link = NULL, *code = NULL, *module = NULL, *text;
    size_t bytes = 0;
    if (!u->cache || !u->linker || u->link_create(0, NULL, NULL, &link)) return NULL;
    memcpy(&text, &ptx->text, sizeof text);
    if (!u->link_add(link, PTX, text, ptx->size + 1, "xlagpu", 0, NULL, NULL) &&
        !u->link_complete(link, &code, &bytes) && bytes) {
        if (u->module_load(&module, code, 0, NULL, NULL))
            module = NULL;
        else
            xr_cache_write(d, ptx, code, bytes);
    }
    u->link_destroy(link); /* and the code with it */
    return module;
}

#endif /* XG_RT_CUDA_CACHE_C */
/* rt/cuda_graph.c -- command buffers as CUDA graphs, built node by node.
 *
 * Each command is a node that waits for the one before it; on a device opened with concurrent, only for those that it
 * conflicts with (lanes.c), of the last few, by as few edges as say so. Loops and branches are conditional nodes, which
 * wait for all before them as all behind them wait for them: a small kernel of ours reads what they ask and sets the
 * handle of the node; a branch has one node each. The condition of a loop stands before its node and again at the end
 * of its body.
 *
 * When addresses change, nodes are changed where they stand, in the bodies of loops and branches too: the executable
 * graph takes the nodes of the graphs inside the one that it was made of.
 *
 * Laws
 * - What a build made is taken back when one of its steps fails.
 * - A refusal is XLAGPU_ERROR_UNSUPPORTED unless memory is short or the context is lost: then the caller does without.
 */
#ifndef XG_RT_CUDA_GRAPH_C
#define XG_RT_CUDA_GRAPH_C

enum {
    XR_GRAPH_NODE_CONDITIONAL = 13,
    XR_GRAPH_IF = 0,
    XR_GRAPH_WHILE = 1,
    XR_GRAPH_ASSIGN_DEFAULT = 1,
    XR_GRAPH_HOST_MEMORY = 1,
    XR_GRAPH_DEVICE_MEMORY = 2
};

/* Answers behind which nothing in the context works any more, so that there is no other way to run. X(number), of
 * CUresult. */
#define XR_CUDA_LOST(X) \
    X(4 /* DEINITIALIZED */) \
    X(214 /* ECC_UNCORRECTABLE */) \
    X(220 /* NVLINK_UNCORRECTABLE */) \
    X(226 /* CONTAINED */) \
    X(700 /* ILLEGAL_ADDRESS */) \
    X(702 /* LAUNCH_TIMEOUT */) \
    X(709 /* CONTEXT_IS_DESTROYED */) \
    X(710 /* ASSERT */) \
    X(714 /* HARDWARE_STACK_ERROR */) \
    X(715 /* ILLEGAL_INSTRUCTION */) \
    X(716 /* MISALIGNED_ADDRESS */) \
    X(717 /* INVALID_ADDRESS_SPACE */) \
    X(718 /* INVALID_PC */) \
    X(719 /* LAUNCH_FAILED */) \
    X(721 /* TENSOR_MEMORY_LEAK */)

XG_FN bool xr_cuda_is_lost(int error) {
    switch (error) {
#define X(number) case number:
        XR_CUDA_LOST(X)
#undef X
        return true;
    default: return false;
    }
}
XG_FN xlagpu_status xr_graph_check(xlagpu_execution *e, int error, const char *what) {
    xlagpu_status s = xr_cuda_check(&e->c, xr_cuda_under(e), error, what);
    return s == XLAGPU_ERROR_DEVICE && !xr_cuda_is_lost(error) ? XLAGPU_ERROR_UNSUPPORTED : s;
}
#define XR_GRAPH(e, call, what) xr_graph_check((e), xr_cuda_under(e)->call, (what))

/* ---- what a command is ---- */

XG_FN void xr_graph_kernel(xlagpu_execution *e, const xg_exe_thunk *t, const uint64_t *words, xr_kernel_node *n) {
    const xr_kernel *k = &e->program->kernels[t->kernel];
    memset(n, 0, sizeof *n);
    memcpy(e->args, words, (size_t)t->n_links * 8);
    n->function = xr_cuda_handle(k->handle);
    memcpy(n->grid, k->blocks, sizeof n->grid);
    memcpy(n->block, k->threads, sizeof n->block);
    n->shared = k->shared_bytes;
    n->params = e->arg_pointers;
}
/* The executable graph keeps the kind of memory that it was made with: that of the allocation, device memory for all
 * that the caller brings. */
XG_FN void xr_graph_copy_side(const xlagpu_program *p, uint32_t slice, uint64_t address, xr_copy_side *side) {
    const xg_exe_allocation *a = &p->allocations[p->slices[slice].allocation];
    bool host = a->kind == XG_EXE_ALLOC_TEMP && a->host;
    side->type = host ? XR_GRAPH_HOST_MEMORY : XR_GRAPH_DEVICE_MEMORY;
    if (host)
        side->host = (const void *)(uintptr_t)address;
    else
        side->device = address;
}
XG_FN void xr_graph_copy(const xlagpu_program *p, const xg_exe_thunk *t, const uint64_t *words, xr_copy_node *n) {
    memset(n, 0, sizeof *n);
    xr_graph_copy_side(p, p->links[t->first_link], words[0], &n->from);
    xr_graph_copy_side(p, p->links[t->first_link + 1], words[1], &n->to);
    n->width = n->from.pitch = n->to.pitch = (size_t)p->slices[p->links[t->first_link]].bytes;
    n->height = n->depth = n->from.height = n->to.height = 1;
}
XG_FN void xr_graph_fill(const xlagpu_program *p, const xg_exe_thunk *t, const uint64_t *words, xr_fill_node *n) {
    size_t bytes = t->kind == XG_EXE_THUNK_MEMSET ? (size_t)p->slices[p->links[t->first_link]].bytes : 4;
    memset(n, 0, sizeof *n);
    n->to = words[0];
    n->value = t->kind == XG_EXE_THUNK_MEMSET ? t->value : (unsigned)words[1];
    n->element = (n->to | bytes) % 4 ? 1 : 4;
    if (n->element == 1) n->value &= 0xFF;
    n->width = bytes / n->element;
    n->height = 1;
}
XG_FN bool xr_graph_is_empty(const xlagpu_program *p, const xg_exe_thunk *t) {
    return (t->kind == XG_EXE_THUNK_COPY || t->kind == XG_EXE_THUNK_MEMSET) &&
           !p->slices[p->links[t->first_link]].bytes;
}

/* ---- building ---- */

/* A graph being filled. front: commands that the next one may run beside; below: a bit for each of the front that such
 * a one waits for, whether straight or not; base: the node that all of them wait for. */
enum {
    XR_GRAPH_FRONT = 64
};
typedef struct xr_graph_writer {
    xlagpu_execution *e;
    const xr_command_buffer *b;
    xr_record *r;
    void *graph, *base, *front[XR_GRAPH_FRONT];
    uint32_t thunks[XR_GRAPH_FRONT], n_front;
    uint64_t below[XR_GRAPH_FRONT];
} xr_graph_writer;

/* The nodes that a new one waits for, the latest first: of the front those that it conflicts with; without a thunk all.
 * What they wait for themselves is not named again. */
XG_FN uint32_t xr_graph_after(const xr_graph_writer *w, const uint32_t *thunk, void **after, uint64_t *below) {
    bool all = !thunk || !w->e->program->device->concurrent;
    uint32_t n = 0, k;
    *below = 0;
    for (k = w->n_front; k-- > 0;) {
        if (*below >> k & 1 || (!all && !xr_lanes_conflict(w->e->program, w->thunks[k], *thunk))) continue;
        after[n++] = w->front[k];
        *below |= w->below[k] | (uint64_t)1 << k;
    }
    if (!n && w->base) after[n++] = w->base;
    return n;
}
/* From here on all wait for this node, which waits for all. */
XG_FN void xr_graph_join(xr_graph_writer *w, void *node) {
    w->base = node;
    w->n_front = 0;
}

/* Remembers a node, for a command or, for the number behind the last one, a question. */
XG_FN xr_node *xr_graph_remember(xr_graph_writer *w, uint32_t command, void *node) {
    xr_record *r = w->r;
    xr_node *n = &r->nodes[r->n_nodes++];
    XLAGPU_ASSERT(r->n_nodes <= w->b->n_nodes);
    memset(n, 0, sizeof *n);
    n->node = node;
    n->next = r->first[command];
    r->first[command] = r->n_nodes;
    return n;
}

XG_FN xlagpu_status xr_graph_command(xr_graph_writer *w, uint32_t command) {
    xlagpu_execution *e = w->e;
    const xlagpu_program *p = e->program;
    xr_cuda *u = xr_cuda_under(e);
    uint32_t thunk = w->b->commands[command].thunk, n_after;
    bool full = w->n_front == XR_GRAPH_FRONT;
    const xg_exe_thunk *t = &p->thunks[thunk];
    const uint64_t *words = w->r->words + w->b->commands[command].first;
    void *node = NULL, *after[XR_GRAPH_FRONT];
    uint64_t below;
    xlagpu_status s;
    if (xr_graph_is_empty(p, t)) return XLAGPU_OK;
    n_after = xr_graph_after(w, full ? NULL : &thunk, after, &below);
    if (t->kind == XG_EXE_THUNK_KERNEL) {
        xr_kernel_node n;
        xr_graph_kernel(e, t, words, &n);
        s = XR_GRAPH(e, graph_kernel(&node, w->graph, after, n_after, &n), "adding a kernel to a graph");
    } else if (t->kind == XG_EXE_THUNK_COPY) {
        xr_copy_node n;
        xr_graph_copy(p, t, words, &n);
        s = XR_GRAPH(e, graph_copy(&node, w->graph, after, n_after, &n, u->context), "adding a copy to a graph");
    } else {
        xr_fill_node n;
        xr_graph_fill(p, t, words, &n);
        s = XR_GRAPH(e, graph_fill(&node, w->graph, after, n_after, &n, u->context), "adding a fill to a graph");
    }
    if (s != XLAGPU_OK) {
        xr_note(&e->c, "\nfor HLO %s", p->strings + t->name);
        return s;
    }
    (void)xr_graph_remember(w, command, node);
    if (full) {
        xr_graph_join(w, node);
        return s;
    }
    w->front[w->n_front] = node;
    w->thunks[w->n_front] = thunk;
    w->below[w->n_front++] = below;
    return s;
}

/* The kernel that sets a handle by what lies at the address. params: 5, which point into q. */
XG_FN void xr_graph_question(xlagpu_execution *e, xr_question *q, void **params, xr_kernel_node *n) {
    memset(n, 0, sizeof *n);
    n->function = xr_cuda_under(e)->condition;
    n->grid[0] = n->grid[1] = n->grid[2] = n->block[0] = n->block[1] = n->block[2] = 1;
    params[0] = &q->handle;
    params[1] = &q->address;
    params[2] = &q->kind;
    params[3] = &q->branches;
    params[4] = &q->which;
    n->params = params;
}
XG_FN xlagpu_status xr_graph_ask(
    xr_graph_writer *w, uint64_t handle, uint32_t slice, uint32_t kind, uint32_t branches, uint32_t which) {
    xr_kernel_node n;
    xr_question q;
    void *params[5], *node = NULL, *after[XR_GRAPH_FRONT];
    uint64_t below;
    uint32_t n_after = xr_graph_after(w, NULL, after, &below);
    xlagpu_status s;
    q.handle = handle;
    q.address = xr_address(w->e, slice);
    q.slice = slice;
    q.kind = kind;
    q.branches = branches;
    q.which = which;
    xr_graph_question(w->e, &q, params, &n);
    s = XR_GRAPH(w->e, graph_kernel(&node, w->graph, after, n_after, &n), "adding a condition to a graph");
    xr_graph_join(w, node);
    if (s == XLAGPU_OK) xr_graph_remember(w, w->b->n, node)->asks = q;
    return s;
}

/* A conditional node; the graph inside it comes back in `inside`. */
XG_FN xlagpu_status xr_graph_conditional(xr_graph_writer *w, int type, uint64_t handle, xr_graph_writer *inside) {
    xr_conditional_node n;
    void *node = NULL, *after[XR_GRAPH_FRONT];
    uint64_t below;
    uint32_t n_after = xr_graph_after(w, NULL, after, &below);
    xlagpu_status s;
    memset(&n, 0, sizeof n);
    n.type = XR_GRAPH_NODE_CONDITIONAL;
    n.u.c.handle = handle;
    n.u.c.type = type;
    n.u.c.size = 1;
    n.u.c.context = xr_cuda_under(w->e)->context;
    s = XR_GRAPH(w->e, graph_node(&node, w->graph, after, n_after, &n), "adding a loop or branch to a graph");
    if (s != XLAGPU_OK) return s;
    xr_graph_join(w, node);
    *inside = *w;
    inside->graph = n.u.c.graphs[0];
    xr_graph_join(inside, NULL);
    return s;
}
XG_FN xlagpu_status xr_graph_handle(xr_graph_writer *w, uint64_t *handle) {
    return XR_GRAPH(w->e, graph_handle(handle, w->graph, xr_cuda_under(w->e)->context, 0, XR_GRAPH_ASSIGN_DEFAULT),
        "making the handle of a loop or branch");
}

XG_FN xlagpu_status xr_graph_thunk(xr_graph_writer *w, uint32_t number);

XG_FN xlagpu_status xr_graph_while(xr_graph_writer *w, const uint32_t *children, uint32_t slice) {
    xr_graph_writer in;
    uint64_t handle = 0;
    xlagpu_status s = xr_graph_handle(w, &handle);
    if (s == XLAGPU_OK) s = xr_graph_thunk(w, children[0]);
    if (s == XLAGPU_OK) s = xr_graph_ask(w, handle, slice, 0, 0, 0);
    if (s == XLAGPU_OK) s = xr_graph_conditional(w, XR_GRAPH_WHILE, handle, &in);
    if (s == XLAGPU_OK) s = xr_graph_thunk(&in, children[1]);
    if (s == XLAGPU_OK) s = xr_graph_thunk(&in, children[0]);
    if (s == XLAGPU_OK) s = xr_graph_ask(&in, handle, slice, 0, 0, 0);
    return s;
}
/* All questions are asked before a branch runs: it may write over what they are about. */
XG_FN xlagpu_status xr_graph_branches(xr_graph_writer *w, const uint32_t *children, uint32_t n, uint32_t slice) {
    enum {
        MOST = 64
    };
    uint64_t handles[MOST];
    xr_graph_writer in;
    uint32_t k;
    xlagpu_status s = XLAGPU_OK;
    bool pred = w->e->program->slices[slice].bytes == 1;
    if (n > MOST)
        return xr_fail(&w->e->c, XLAGPU_ERROR_UNSUPPORTED, "a graph of %u branches; %d are the most", n, MOST);
    for (k = 0; k < n && s == XLAGPU_OK; k++) {
        s = xr_graph_handle(w, &handles[k]);
        if (s == XLAGPU_OK) s = xr_graph_ask(w, handles[k], slice, pred ? 1 : 2, n, k);
    }
    for (k = 0; k < n && s == XLAGPU_OK; k++) {
        s = xr_graph_conditional(w, XR_GRAPH_IF, handles[k], &in);
        if (s == XLAGPU_OK) s = xr_graph_thunk(&in, children[k]);
    }
    return s;
}
XG_FN xlagpu_status xr_graph_thunk(xr_graph_writer *w, uint32_t number) {
    const xlagpu_program *p = w->e->program;
    const xg_exe_thunk *t = &p->thunks[number];
    uint32_t n, k, slice = t->n_links ? p->links[t->first_link] : 0;
    const uint32_t *children = xr_children(p, t, &n);
    xlagpu_status s = XLAGPU_OK;
    if (number != w->b->thunk && !xr_is_control(t->kind)) return xr_graph_command(w, p->command_of[number]);
    if (t->kind == XG_EXE_THUNK_WHILE) return xr_graph_while(w, children, slice);
    if (t->kind == XG_EXE_THUNK_CONDITIONAL) return xr_graph_branches(w, children, n, slice);
    for (k = 0; k < n && s == XLAGPU_OK; k++) s = xr_graph_thunk(w, children[k]);
    return s;
}

XG_FN void xr_cuda_forget(xlagpu_execution *e, xr_record *r) {
    xr_cuda *u = xr_cuda_under(e);
    if (r->exec) u->graph_exec_destroy(r->exec);
    if (r->graph) u->graph_destroy(r->graph);
    r->exec = r->graph = NULL;
    r->built = false;
}

XG_FN xlagpu_status xr_cuda_build(xlagpu_execution *e, const xr_command_buffer *b, xr_record *r) {
    xr_graph_writer w;
    xlagpu_status s;
    if (!xr_cuda_under(e)->graphs) return XLAGPU_ERROR_UNSUPPORTED;
    if (b->control && !xr_cuda_under(e)->condition) return XLAGPU_ERROR_UNSUPPORTED;
    if (!b->n_nodes)
        return xr_fail(&e->c, XLAGPU_ERROR_UNSUPPORTED, "a graph of more than %d nodes", (int)XR_GRAPH_NODES_MAX);
    memset(r->first, 0, ((size_t)b->n + 1) * sizeof *r->first);
    r->n_nodes = 0;
    s = XR_GRAPH(e, graph_create(&r->graph, 0), "making a graph");
    memset(&w, 0, sizeof w);
    w.e = e;
    w.b = b;
    w.r = r;
    w.graph = r->graph;
    if (s == XLAGPU_OK) s = xr_graph_thunk(&w, b->thunk);
    if (s == XLAGPU_OK) s = XR_GRAPH(e, graph_instantiate(&r->exec, r->graph, 0), "making a graph executable");
    if (s != XLAGPU_OK) {
        xr_cuda_forget(e, r);
        return s;
    }
    r->built = true;
    r->builds++;
    return s;
}

/* All nodes of a command get what its words say now. */
XG_FN xlagpu_status xr_graph_update_kernel(xlagpu_execution *e, xr_record *r, uint32_t first, const xr_kernel_node *n) {
    xlagpu_status s = XLAGPU_OK;
    for (; first && s == XLAGPU_OK; first = r->nodes[first - 1].next)
        s = XR_GRAPH(e, graph_set_kernel(r->exec, r->nodes[first - 1].node, n), "changing a kernel of a graph");
    return s;
}
XG_FN xlagpu_status xr_graph_update_copy(xlagpu_execution *e, xr_record *r, uint32_t first, const xr_copy_node *n) {
    void *context = xr_cuda_under(e)->context;
    xlagpu_status s = XLAGPU_OK;
    for (; first && s == XLAGPU_OK; first = r->nodes[first - 1].next)
        s = XR_GRAPH(e, graph_set_copy(r->exec, r->nodes[first - 1].node, n, context), "changing a copy of a graph");
    return s;
}
XG_FN xlagpu_status xr_graph_update_fill(xlagpu_execution *e, xr_record *r, uint32_t first, const xr_fill_node *n) {
    void *context = xr_cuda_under(e)->context;
    xlagpu_status s = XLAGPU_OK;
    for (; first && s == XLAGPU_OK; first = r->nodes[first - 1].next)
        s = XR_GRAPH(e, graph_set_fill(r->exec, r->nodes[first - 1].node, n, context), "changing a fill of a graph");
    return s;
}
/* Questions about an address that has changed. */
XG_FN xlagpu_status xr_graph_update_questions(xlagpu_execution *e, xr_record *r, uint32_t first) {
    xlagpu_status s = XLAGPU_OK;
    for (; first && s == XLAGPU_OK; first = r->nodes[first - 1].next) {
        xr_node *node = &r->nodes[first - 1];
        xr_kernel_node n;
        void *params[5];
        if (node->asks.address == xr_address(e, node->asks.slice)) continue;
        node->asks.address = xr_address(e, node->asks.slice);
        xr_graph_question(e, &node->asks, params, &n);
        s = XR_GRAPH(e, graph_set_kernel(r->exec, node->node, &n), "changing a condition of a graph");
        r->updates++;
    }
    return s;
}

XG_FN xlagpu_status xr_cuda_update(xlagpu_execution *e, const xr_command_buffer *b, xr_record *r, uint32_t command) {
    const xlagpu_program *p = e->program;
    uint32_t first = r->first[command];
    const xg_exe_thunk *t;
    const uint64_t *words;
    xr_kernel_node kernel;
    xr_copy_node copy;
    xr_fill_node fill;
    if (command == b->n) return xr_graph_update_questions(e, r, first);
    t = &p->thunks[b->commands[command].thunk];
    words = r->words + b->commands[command].first;
    if (!first) return XLAGPU_OK; /* copies of nothing have no nodes */
    r->updates++;
    switch (t->kind) {
    case XG_EXE_THUNK_KERNEL:
        xr_graph_kernel(e, t, words, &kernel);
        return xr_graph_update_kernel(e, r, first, &kernel);
    case XG_EXE_THUNK_COPY: xr_graph_copy(p, t, words, &copy); return xr_graph_update_copy(e, r, first, &copy);
    default: xr_graph_fill(p, t, words, &fill); return xr_graph_update_fill(e, r, first, &fill);
    }
}

XG_FN xlagpu_status xr_cuda_replay(xlagpu_execution *e, const xr_command_buffer *b, xr_record *r, void *stream) {
    xlagpu_status s = XR_GRAPH(e, graph_launch(r->exec, stream), "launching a graph");
    uint32_t k;
    for (k = 0; k < b->n && s == XLAGPU_OK; k++) {
        const xg_exe_thunk *t = &e->program->thunks[b->commands[k].thunk];
        if (t->kind == XG_EXE_THUNK_KERNEL) e->stats[t->kernel].launches++;
    }
    return s;
}
#undef XR_GRAPH

#endif /* XG_RT_CUDA_GRAPH_C */
/* rt/cuda_platform.c -- the row of the platform "cuda". */
#ifndef XG_RT_CUDA_PLATFORM_C
#define XG_RT_CUDA_PLATFORM_C

XG_FN const xr_platform *xr_cuda_platform(void) {
    static const xr_platform cuda = {"cuda", xr_cuda_open, xr_cuda_close, xr_cuda_alloc, xr_cuda_release,
        xr_cuda_upload, xr_cuda_download, xr_cuda_wait, xr_cuda_settle, xr_cuda_load, xr_cuda_unload, xr_cuda_prepare,
        xr_cuda_finish, xr_cuda_enter, xr_cuda_leave, xr_cuda_copy, xr_cuda_fill, xr_cuda_read, xr_cuda_launch,
        xr_cuda_build, xr_cuda_update, xr_cuda_replay, xr_cuda_forget, xr_cuda_event_new, xr_cuda_event_free,
        xr_cuda_event_record, xr_cuda_event_wait, xr_cuda_event_done, xr_cuda_event_seconds, xr_cuda_stream_new,
        xr_cuda_stream_free, xr_cuda_stream_follow, xr_cuda_range, NULL, xr_cuda_launch_ptx, xr_cuda_encode_map};
    return &cuda;
}
#undef XR_CUDA
#undef XR_CUDA_IN
#undef XR_CUDA_RUN
#undef XR_CUDAAPI

#endif /* XG_RT_CUDA_PLATFORM_C */
/* rt/device.c -- opening devices, and buffers. */
#ifndef XG_RT_DEVICE_C
#define XG_RT_DEVICE_C

XG_FN xlagpu_status xr_fail(xg_ctx *c, xlagpu_status s, const char *format, ...) {
    va_list args;
    va_start(args, format);
    xg_error_set(c, s, NULL, 0, NULL, format, args);
    va_end(args);
    return s;
}
XG_FN void xr_begin(xg_ctx *c) {
    c->status = XLAGPU_OK;
    c->message[0] = 0;
}
XG_FN void xr_note(xg_ctx *c, const char *format, ...) {
    size_t n = strlen(c->message);
    va_list args;
    va_start(args, format);
    xg_vformat(c->message + n, sizeof c->message - n, format, args);
    va_end(args);
}

XG_FN const char *xr_thunk_name(uint32_t kind) {
    static const char *const names[] = {
#define X(name, text) text,
        XG_EXE_THUNKS_KINDS(X)
#undef X
    };
    return kind < XG_COUNT(names) ? names[kind] : "?";
}
XG_FN const char *xr_status_text(xlagpu_status s) {
    static const char *const texts[] = {
#define X(name, text) text,
        XLAGPU_STATUSES(X)
#undef X
    };
    return (size_t)s < XG_COUNT(texts) ? texts[s] : "unknown status";
}

XG_FN bool xr_wants(const char *wish, const char *platform) {
    return !wish || strcmp(wish, "auto") == 0 || strcmp(wish, platform) == 0;
}

XG_FN xlagpu_status xr_open_platform(xlagpu_device *d, const xlagpu_device_desc *desc) {
    const char *wish = desc ? desc->platform : NULL;
    const xr_platform *host = xr_host_platform();
    xlagpu_status s;
    bool automatic = xr_wants(wish, "");
    if (!automatic && strcmp(wish, "cuda") != 0 && strcmp(wish, "host") != 0)
        return xr_fail(&d->c, XLAGPU_ERROR_USAGE, "no platform is called '%s'; there are auto, cuda and host", wish);
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

XLAGPU_DEF xlagpu_status xlagpu_rt_open(const xlagpu_device_desc *desc, xlagpu_device **out) {
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
    d->copy_stream = desc && desc->copy_stream;
    d->concurrent = desc && desc->concurrent;
    if (desc) {
        d->progress = desc->progress;
        d->progress_user = desc->progress_user;
        d->range = desc->range;
        d->range_user = desc->range_user;
    }
    return xr_open_platform(d, desc);
}

XLAGPU_DEF void xlagpu_rt_close(xlagpu_device *d) {
    xlagpu_allocator mem;
    uint32_t k;
    if (!d) return;
    if (d->platform) d->platform->settle(d);
    while (d->programs) xlagpu_rt_unload(d->programs);
    while (d->ptx) xlagpu_rt_unload_ptx(d->ptx);
    for (k = d->n_blocks; k-- > 0;) d->platform->release(d, &d->blocks[k]);
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
XLAGPU_DEF const char *xlagpu_rt_target(const xlagpu_device *d) { return d ? d->target : ""; }

/* ---- buffers ---- */

XG_FN xlagpu_status xr_blocks_grow(xlagpu_device *d) {
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

XG_FN const xr_function *xr_function_find(const xlagpu_device *d, const char *name) {
    const xr_function *f = d->functions;
    while (f && strcmp(f->name, name) != 0) f = f->next;
    return f;
}
XLAGPU_DEF xlagpu_status xlagpu_rt_register(xlagpu_device *d, const char *name, xlagpu_rt_function call, void *user) {
    xr_function *f;
    if (!d || !d->platform) return XLAGPU_ERROR_USAGE;
    xr_begin(&d->c);
    if (!name || !*name || strlen(name) >= sizeof f->name || !call)
        return xr_fail(&d->c, XLAGPU_ERROR_USAGE, "a function needs a name of at most %u characters",
            (unsigned)sizeof f->name - 1);
    if (xr_function_find(d, name))
        return xr_fail(&d->c, XLAGPU_ERROR_USAGE, "a function is registered as '%s' already", name);
    f = (xr_function *)xg_mem_alloc(&d->c, sizeof *f);
    if (!f) return xr_fail(&d->c, XLAGPU_ERROR_MEMORY, "out of memory");
    xg_format(f->name, sizeof f->name, "%s", name);
    f->call = call;
    f->user = user;
    f->next = d->functions;
    d->functions = f;
    return XLAGPU_OK;
}

/* ---- any PTX ---- */

XLAGPU_DEF xlagpu_ptx *xlagpu_rt_load_ptx(xlagpu_device *d, const char *name, const char *text, size_t size) {
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
        xr_fail(&d->c, XLAGPU_ERROR_MEMORY, "out of memory");
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
XLAGPU_DEF void xlagpu_rt_unload_ptx(xlagpu_ptx *p) {
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
XLAGPU_DEF xlagpu_status xlagpu_rt_run_ptx(xlagpu_ptx *p, const xlagpu_ptx_launch *l, xlagpu_kernel_stats *stats) {
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

XLAGPU_DEF xlagpu_status xlagpu_rt_encode_tensor_map(xlagpu_device *d, const xlagpu_tensor_map *m, void *out) {
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

#ifdef XLAGPU_NO_SIMULATOR
XLAGPU_DEF bool xlagpu_rt_ptx_parameter(xlagpu_device *d, const char *name, const char *ptx, size_t size,
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
XLAGPU_DEF bool xlagpu_rt_ptx_parameter(xlagpu_device *d, const char *name, const char *ptx, size_t size,
    const char *entry, uint32_t index, uint32_t *offset, uint32_t *bytes) {
    xg_source src;
    xg_arena a;
    xg_sim_module *m;
    const xg_sim_entry *e;
    bool found = false;
    if (!d || !ptx || !offset || !bytes) return false;
    xr_begin(&d->c);
    src.name = name ? name : "ptx";
    src.text = ptx;
    src.size = size;
    xg_arena_init(&a, &d->c);
    m = xr_host_parse(d, &a, &src);
    e = !m ? NULL : entry ? xg_sim_find(m, xg_str_z(entry)) : xg_sim_entries(m) == 1 ? xg_sim_entry_at(m, 0) : NULL;
    if (m && !e) xr_fail(&d->c, XLAGPU_ERROR_USAGE, "%s has no kernel '%s'", src.name, entry ? entry : "(name one)");
    if (e && index < xg_sim_entry_info(e)->n_params) {
        *offset = xg_sim_entry_info(e)->params[index].offset;
        *bytes = xg_sim_entry_info(e)->params[index].size;
        found = true;
    }
    xg_arena_free(&a);
    return found;
}
#endif

#endif /* XG_RT_DEVICE_C */
/* rt/commands.c -- command buffers: many commands recorded once and given to the device as one.
 *
 * The program knows each buffer's commands; an execution has recorded, for each, the addresses it works on. When it is
 * run and an address has changed since, the record and the platform's own form of it (a CUDA graph) are brought up to
 * date, command by command; nothing is allocated for that here.
 *
 * Law: what a device refuses (XLAGPU_ERROR_UNSUPPORTED) costs speed, never a run. A refused change leads to one new
 * build, a refused build to thunks that run one by one from then on; the execution's note says why.
 *
 * Commands are the thunks that are no control flow, in the order of the tree; commands of a loop's condition and body,
 * and of branches, stand there as well, each once. */
#ifndef XG_RT_COMMANDS_C
#define XG_RT_COMMANDS_C

XG_FN bool xr_is_control(uint32_t kind) {
    return kind == XG_EXE_THUNK_WHILE || kind == XG_EXE_THUNK_CONDITIONAL || kind == XG_EXE_THUNK_SEQUENCE;
}

/* What a thunk runs: its thunk links, behind the slice that a loop or branch asks. */
XG_FN const uint32_t *xr_children(const xlagpu_program *p, const xg_exe_thunk *t, uint32_t *n) {
    uint32_t asks = t->kind == XG_EXE_THUNK_WHILE || t->kind == XG_EXE_THUNK_CONDITIONAL;
    *n = t->n_links - asks;
    return p->links + t->first_link + asks;
}

/* Writes down the commands below a thunk. False: something below cannot be a command. */
XG_FN bool xr_commands_list(xlagpu_program *p, uint32_t number, xr_command_buffer *b, xr_command *list) {
    const xg_exe_thunk *t = &p->thunks[number];
    const uint32_t *children;
    uint32_t n, k;
    if (number != b->thunk && !xr_is_control(t->kind)) {
        if (t->kind > XG_EXE_THUNK_MEMSET && t->kind != XG_EXE_THUNK_REPLICA_ID && t->kind != XG_EXE_THUNK_PARTITION_ID)
            return false;
        if (b->n_words > UINT32_MAX - 1 - t->n_links) return false; /* damaged thunks may all name the same links */
        list[b->n].thunk = number;
        list[b->n].first = b->n_words;
        p->command_of[number] = b->n;
        b->n++;
        b->n_words += t->n_links + (t->kind == XG_EXE_THUNK_REPLICA_ID || t->kind == XG_EXE_THUNK_PARTITION_ID);
        return true;
    }
    b->control = b->control || t->kind == XG_EXE_THUNK_WHILE || t->kind == XG_EXE_THUNK_CONDITIONAL;
    children = xr_children(p, t, &n);
    for (k = 0; k < n; k++)
        if (!xr_commands_list(p, children[k], b, list)) return false;
    return true;
}

/* How many graph nodes a thunk gives; above XR_GRAPH_NODES_MAX: too many. A loop has its condition twice, and asks
 * twice. */
XG_FN uint32_t xr_commands_nodes(const xlagpu_program *p, uint32_t number, const xr_command_buffer *b) {
    const xg_exe_thunk *t = &p->thunks[number];
    const uint32_t *children;
    uint64_t all = 0;
    uint32_t n, k;
    if (number != b->thunk && !xr_is_control(t->kind)) return 1;
    children = xr_children(p, t, &n);
    for (k = 0; k < n; k++) {
        uint32_t below = xr_commands_nodes(p, children[k], b);
        bool twice = t->kind == XG_EXE_THUNK_WHILE && k == 0;
        all += twice ? 2 * (uint64_t)below : below;
    }
    if (t->kind == XG_EXE_THUNK_WHILE) all += 2;
    if (t->kind == XG_EXE_THUNK_CONDITIONAL) all += n;
    return (uint32_t)XG_MIN(all, (uint64_t)XR_GRAPH_NODES_MAX + 1);
}

/* The arrays have room for as many as there are thunks. */
XG_FN xlagpu_status xr_commands_load(xlagpu_program *p) {
    uint32_t k, used = 0;
    for (k = 0; k < p->n_thunks; k++) {
        xr_command_buffer *b = &p->command_buffers[p->n_command_buffers];
        if (p->thunks[k].kind != XG_EXE_THUNK_COMMAND_BUFFER) continue;
        b->thunk = k;
        b->commands = p->commands + used;
        if (!xr_commands_list(p, k, b, p->commands + used))
            return xr_damaged(p, "a command buffer with what is no command");
        used += b->n;
        b->n_nodes = xr_commands_nodes(p, k, b);
        if (b->n_nodes > XR_GRAPH_NODES_MAX) b->n_nodes = 0;
        p->has_control_commands = p->has_control_commands || b->control;
        p->command_of[k] = p->n_command_buffers++;
    }
    return XLAGPU_OK;
}

/* ---- of an execution ---- */

/* Of the parts of a record, each a multiple of 8, so that words stay aligned. */
XG_FN uint64_t xr_commands_words_bytes(const xr_command_buffer *b) { return ((uint64_t)b->n_words + 1) * 8; }
XG_FN uint64_t xr_commands_nodes_bytes(const xr_command_buffer *b) {
    return ((uint64_t)b->n_nodes * sizeof(xr_node) + 7) / 8 * 8;
}
XG_FN uint64_t xr_commands_first_bytes(const xr_command_buffer *b) { return ((uint64_t)b->n / 2 + 1) * 8; }
XG_FN uint64_t xr_commands_bytes(const xlagpu_program *p) {
    uint64_t n = (uint64_t)p->n_command_buffers * sizeof(xr_record);
    uint32_t k;
    for (k = 0; k < p->n_command_buffers; k++) {
        const xr_command_buffer *b = &p->command_buffers[k];
        n += xr_commands_words_bytes(b) + xr_commands_nodes_bytes(b) + xr_commands_first_bytes(b);
    }
    return n;
}
XG_FN void xr_commands_place(xlagpu_execution *e, char *m) {
    const xlagpu_program *p = e->program;
    uint32_t k;
    e->records = (xr_record *)(void *)m;
    m += (size_t)p->n_command_buffers * sizeof(xr_record);
    for (k = 0; k < p->n_command_buffers; k++) {
        const xr_command_buffer *b = &p->command_buffers[k];
        e->records[k].words = (uint64_t *)(void *)m;
        m += (size_t)xr_commands_words_bytes(b);
        e->records[k].nodes = (xr_node *)(void *)m;
        m += (size_t)xr_commands_nodes_bytes(b);
        e->records[k].first = (uint32_t *)(void *)m;
        m += (size_t)xr_commands_first_bytes(b);
    }
}
XG_FN void xr_commands_finish(xlagpu_execution *e) {
    uint32_t k;
    for (k = 0; e->records && k < e->program->n_command_buffers; k++)
        e->program->device->platform->forget(e, &e->records[k]);
}

/* ---- a run ---- */

XG_FN bool xr_commands_set(uint64_t *at, uint64_t word) {
    bool changed = *at != word;
    *at = word;
    return changed;
}

/* Addresses as they are now; commands that are built already are told, and so is what asks for a changed address. */
XG_FN xlagpu_status xr_commands_record(xlagpu_execution *e, const xr_command_buffer *b, xr_record *r) {
    const xlagpu_program *p = e->program;
    uint32_t c, k;
    for (c = 0; c < b->n; c++) {
        const xr_command *m = &b->commands[c];
        const xg_exe_thunk *t = &p->thunks[m->thunk];
        bool changed = false;
        for (k = 0; k < t->n_links; k++)
            changed = xr_commands_set(
                          &r->words[m->first + k], xr_address(e, p->links[t->first_link + k] & ~XG_EXE_WRITTEN)) ||
                      changed;
        if (t->kind == XG_EXE_THUNK_REPLICA_ID)
            changed = xr_commands_set(&r->words[m->first + 1], e->replica) || changed;
        if (t->kind == XG_EXE_THUNK_PARTITION_ID)
            changed = xr_commands_set(&r->words[m->first + 1], e->partition) || changed;
        if (changed && r->built) {
            xlagpu_status s = p->device->platform->update(e, b, r, c);
            if (s != XLAGPU_OK) return s;
        }
    }
    return r->built && b->control ? p->device->platform->update(e, b, r, b->n) : XLAGPU_OK;
}

/* Brings the record up to date, builds what is not built, and runs it. */
XG_FN xlagpu_status xr_commands_try(xlagpu_execution *e, const xr_command_buffer *b, xr_record *r, void *stream) {
    const xr_platform *q = e->program->device->platform;
    xlagpu_status s = XLAGPU_OK;
    if (!r->built || r->version != e->version) {
        bool built = r->built;
        if (r->no_update) q->forget(e, r);
        s = xr_commands_record(e, b, r);
        r->no_update = r->no_update || (built && s == XLAGPU_ERROR_UNSUPPORTED);
        if (s == XLAGPU_OK && !r->built) s = q->build(e, b, r);
        if (s == XLAGPU_OK) r->version = e->version;
    }
    return s == XLAGPU_OK ? q->replay(e, b, r, stream) : s;
}

/* The refusal becomes the execution's note: the run goes on without it. */
XG_FN void xr_commands_refused(xlagpu_execution *e, const char *consequence) {
    const char *why = *e->c.message ? e->c.message : "the driver has no such graphs";
    xg_format(e->note, sizeof e->note, "%s: %s", consequence, why);
    xr_begin(&e->c);
}

XG_FN xlagpu_status xr_run_commands(xlagpu_execution *e, uint32_t number, void *stream, bool *done) {
    const xlagpu_program *p = e->program;
    const xr_platform *q = p->device->platform;
    const xr_command_buffer *b = &p->command_buffers[p->command_of[number]];
    xr_record *r = &e->records[p->command_of[number]];
    bool built = r->built;
    xlagpu_status s;
    *done = false;
    if (r->plain || p->device->no_command_buffers || e->profile.on) return XLAGPU_OK;
    s = xr_commands_try(e, b, r, stream);
    if (s == XLAGPU_ERROR_UNSUPPORTED && built) {
        q->forget(e, r);
        xr_commands_refused(e, "a command buffer is built anew where addresses change");
        s = xr_commands_try(e, b, r, stream);
    }
    *done = s != XLAGPU_ERROR_UNSUPPORTED;
    if (s == XLAGPU_OK) return s;
    q->forget(e, r);
    if (s == XLAGPU_ERROR_UNSUPPORTED) {
        xr_commands_refused(e, "a command buffer runs kernel by kernel");
        r->plain = true;
        return XLAGPU_OK;
    }
    xr_note(&e->c, "\nwhile running the command buffer that begins with HLO %s", p->strings + p->thunks[number].name);
    return s;
}

#endif /* XG_RT_COMMANDS_C */
/* rt/lanes.c -- what runs beside the rest: a second stream of the execution's own, and events where the two must wait
 * for each other. Off unless the device was opened with copy_stream, for copies, or concurrent, for all that is no
 * loop, branch or call.
 *
 * Ideas
 * - When a program is loaded, the thunks of each sequence are gone through once. Two of them conflict when they touch
 *   the same bytes and one writes; loops, branches and calls conflict with everything. A copy goes aside when something
 *   that it does not conflict with stands between its neighbours in conflict; all else keeps its order on the caller's
 *   stream.
 * - concurrent: a step goes where the last one is that it must wait for, if nothing stands behind that there; else to
 *   the lane that has been idle for longer. So chains stay together, and a second chain goes aside. Memory that the
 *   plan uses again is a conflict like any other: the second user waits for the first.
 * - Streams keep their own order, so whoever waits for a thunk has waited for all before it there: one event for the
 *   last conflict is enough, and none when an earlier wait covers it.
 * - A sequence begins with the copy stream waiting for the caller's, and ends the other way round: nothing outside of
 *   it needs to know.
 *
 * Laws: running allocates nothing; far conflicts are taken for granted beyond a window, so loading stays linear; after
 * a failure the streams meet again, too. */
#ifndef XG_RT_LANES_C
#define XG_RT_LANES_C

enum {
    XR_LANES_WINDOW = 256
};

typedef struct xr_access {
    uint32_t slice;
    bool written;
} xr_access;
XG_FN bool xr_lanes_plain(uint32_t kind) {
    return kind <= XG_EXE_THUNK_MEMSET || kind == XG_EXE_THUNK_REPLICA_ID || kind == XG_EXE_THUNK_PARTITION_ID;
}
XG_FN xr_access xr_lanes_access(const xlagpu_program *p, const xg_exe_thunk *t, uint32_t k) {
    xr_access a;
    uint32_t link = p->links[t->first_link + k];
    a.slice = link & ~XG_EXE_WRITTEN;
    a.written = t->kind == XG_EXE_THUNK_KERNEL ? (link & XG_EXE_WRITTEN) != 0 : t->kind != XG_EXE_THUNK_COPY || k == 1;
    return a;
}
XG_FN bool xr_lanes_meet(const xlagpu_program *p, uint32_t a, uint32_t b) {
    const xg_exe_slice *x = &p->slices[a], *y = &p->slices[b];
    return x->allocation == y->allocation && x->offset < y->offset + y->bytes && y->offset < x->offset + x->bytes;
}
XG_FN bool xr_lanes_conflict(const xlagpu_program *p, uint32_t a, uint32_t b) {
    const xg_exe_thunk *s = &p->thunks[a], *t = &p->thunks[b];
    uint32_t j, k;
    if (!xr_lanes_plain(s->kind) || !xr_lanes_plain(t->kind)) return true;
    for (j = 0; j < s->n_links; j++)
        for (k = 0; k < t->n_links; k++) {
            xr_access x = xr_lanes_access(p, s, j), y = xr_lanes_access(p, t, k);
            if ((x.written || y.written) && xr_lanes_meet(p, x.slice, y.slice)) return true;
        }
    return false;
}

/* Of the thunks at hand: the last before k, and the first behind it, that conflicts with it; UINT32_MAX and n: none. */
XG_FN uint32_t xr_lanes_before(const xlagpu_program *p, const uint32_t *list, uint32_t k) {
    uint32_t j;
    for (j = k; j-- > 0;)
        if (k - j > XR_LANES_WINDOW || xr_lanes_conflict(p, list[j], list[k])) return j;
    return UINT32_MAX;
}
XG_FN uint32_t xr_lanes_behind(const xlagpu_program *p, const uint32_t *list, uint32_t n, uint32_t k) {
    uint32_t j;
    for (j = k + 1; j < n && j - k <= XR_LANES_WINDOW && !xr_lanes_conflict(p, list[j], list[k]); j++) {}
    return j;
}

XG_FN uint32_t xr_lanes_event(xlagpu_program *p, uint32_t thunk) {
    if (!p->lanes[thunk].record) p->lanes[thunk].record = ++p->n_lane_events;
    return p->lanes[thunk].record;
}
/* Thunk k of the list waits for the last one on the other lane that it conflicts with. *met: how many of the list its
 * lane has waited for; gone: 1 + the last one of the other lane that is out of the window. */
XG_FN void xr_lanes_wait(xlagpu_program *p, const uint32_t *list, uint32_t k, uint32_t *met, uint32_t gone) {
    bool aside = p->lanes[list[k]].aside;
    uint32_t j = k;
    while (j > *met && k - j < XR_LANES_WINDOW &&
           (p->lanes[list[j - 1]].aside == aside || !xr_lanes_conflict(p, list[j - 1], list[k])))
        j--;
    if (k - j == XR_LANES_WINDOW) j = gone;
    if (j <= *met) return;
    p->lanes[list[k]].wait = xr_lanes_event(p, list[j - 1]);
    *met = j;
}
XG_FN void xr_lanes_copies(xlagpu_program *p, const uint32_t *list, uint32_t n) {
    uint32_t k;
    for (k = 0; k < n; k++) {
        const xg_exe_thunk *c = &p->thunks[list[k]];
        uint32_t before;
        if (c->kind != XG_EXE_THUNK_COPY || !p->slices[p->links[c->first_link]].bytes) continue;
        before = xr_lanes_before(p, list, k);
        /* else before and behind are its neighbours: nothing to run beside */
        p->lanes[list[k]].aside = xr_lanes_behind(p, list, n, k) - before > 2;
    }
}
/* ends: 1 + the last step of each lane. */
XG_FN void xr_lanes_chains(xlagpu_program *p, const uint32_t *list, uint32_t n) {
    uint32_t ends[2] = {0, 0}, k;
    for (k = 0; k < n; k++) {
        uint32_t before = xr_lanes_before(p, list, k) + 1;
        bool aside = xr_lanes_plain(p->thunks[list[k]].kind) && (before && before == ends[0]      ? false
                                                                    : before && before == ends[1] ? true
                                                                                                  : ends[1] < ends[0]);
        p->lanes[list[k]].aside = aside;
        ends[aside] = k + 1;
        /* whatever comes waits for it: the caller's stream goes on */
        if (!xr_lanes_plain(p->thunks[list[k]].kind)) ends[1] = k + 1;
    }
}
XG_FN void xr_lanes_sequence(xlagpu_program *p, uint32_t number) {
    const xg_exe_thunk *t = &p->thunks[number];
    const uint32_t *list = p->links + t->first_link;
    uint32_t n = t->n_links, met[2] = {0, 0}, gone[2] = {0, 0}, k;
    if (p->device->concurrent)
        xr_lanes_chains(p, list, n);
    else
        xr_lanes_copies(p, list, n);
    for (k = 0; k < n && !p->lanes[number].forks; k++)
        if (p->lanes[list[k]].aside) p->lanes[number].forks = ++p->n_lane_events;
    for (k = 0; k < n && p->lanes[number].forks; k++) {
        bool aside = p->lanes[list[k]].aside;
        if (k >= XR_LANES_WINDOW) gone[p->lanes[list[k - XR_LANES_WINDOW]].aside] = k - XR_LANES_WINDOW + 1;
        xr_lanes_wait(p, list, k, &met[aside], gone[!aside]);
    }
}

XG_FN void xr_lanes_load(xlagpu_program *p) {
    uint32_t k;
    for (k = 0; k < p->n_thunks; k++)
        if (p->thunks[k].kind == XG_EXE_THUNK_SEQUENCE || p->thunks[k].kind == XG_EXE_THUNK_COMMAND_BUFFER)
            xr_lanes_sequence(p, k);
}

/* ---- of an execution ---- */

XG_FN size_t xr_lanes_bytes(const xlagpu_program *p) { return (size_t)p->n_lane_events * sizeof(void *); }
XG_FN xlagpu_status xr_lanes_prepare(xlagpu_execution *e) {
    const xr_platform *q = e->program->device->platform;
    uint32_t k;
    xlagpu_status s = e->program->n_lane_events ? q->stream_new(e, &e->aside) : XLAGPU_OK;
    for (k = 0; k < e->program->n_lane_events && s == XLAGPU_OK; k++) s = q->event_new(e, false, &e->lane_events[k]);
    return s;
}
XG_FN void xr_lanes_finish(xlagpu_execution *e) {
    const xr_platform *q = e->program->device->platform;
    uint32_t k;
    for (k = 0; k < e->program->n_lane_events; k++)
        if (e->lane_events[k]) q->event_free(e, e->lane_events[k]);
    if (e->aside) q->stream_free(e, e->aside);
}

XG_FN bool xr_lanes_has(const xlagpu_execution *e, uint32_t number) {
    return e->aside && !e->profile.on && e->program->lanes[number].forks;
}

/* `to` waits for what `from` holds now. */
XG_FN xlagpu_status xr_lanes_meet_at(xlagpu_execution *e, uint32_t event, void *from, void *to) {
    const xr_platform *q = e->program->device->platform;
    xlagpu_status s = q->event_record(e, e->lane_events[event - 1], from);
    return s == XLAGPU_OK ? q->stream_follow(e, to, e->lane_events[event - 1]) : s;
}
XG_FN xlagpu_status xr_run_lanes(xlagpu_execution *e, uint32_t number, void *stream) {
    const xlagpu_program *p = e->program;
    const xr_platform *q = p->device->platform;
    const xg_exe_thunk *t = &p->thunks[number];
    const uint32_t *list = p->links + t->first_link;
    xlagpu_status s = xr_lanes_meet_at(e, p->lanes[number].forks, stream, e->aside), met;
    uint32_t k;
    for (k = 0; k < t->n_links && s == XLAGPU_OK; k++) {
        const xr_lane *l = &p->lanes[list[k]];
        void *on = l->aside ? e->aside : stream;
        if (l->wait) s = q->stream_follow(e, on, e->lane_events[l->wait - 1]);
        if (s == XLAGPU_OK) s = xr_run_thunk(e, list[k], on);
        if (s == XLAGPU_OK && l->record) s = q->event_record(e, e->lane_events[l->record - 1], on);
    }
    met = xr_lanes_meet_at(e, p->lanes[number].forks, e->aside, stream);
    return s == XLAGPU_OK ? met : s;
}

#endif /* XG_RT_LANES_C */
/* rt/program.c -- executable bytes to a program.
 *
 * Law: every index and size is checked here, before anything is used, so that running needs no check: slices lie in
 * their allocations, allocations of parameters and results are those that the caller's buffers are bound to, thunks
 * form a tree (what ran twice could run forever), kernels take as many buffers as they are given. What the PTX does is
 * not checked: on a GPU, bytes are as trusted as a program. */
#ifndef XG_RT_PROGRAM_C
#define XG_RT_PROGRAM_C

XG_FN xlagpu_status xr_damaged(xlagpu_program *p, const char *what) {
    return xr_fail(&p->device->c, XLAGPU_ERROR_CORRUPT, "the executable is damaged: %s", what);
}
XG_FN const unsigned char *xr_section(const xlagpu_program *p, xg_exe_section_kind k) {
    return p->bytes + p->sections[k].offset;
}
XG_FN bool xr_string_ok(const xlagpu_program *p, uint32_t offset) { return offset < p->sections[XG_EXE_STRINGS].bytes; }

XG_FN xlagpu_status xr_check_allocations(xlagpu_program *p) {
    uint32_t k;
    for (k = 0; k < p->n_allocations; k++) {
        const xg_exe_allocation *a = &p->allocations[k];
        if (a->kind >= XG_EXE_ALLOC_COUNT) return xr_damaged(p, "an allocation of unknown kind");
        if (a->kind == XG_EXE_ALLOC_CONSTANT &&
            (a->data > p->sections[XG_EXE_DATA].bytes || a->bytes > p->sections[XG_EXE_DATA].bytes - a->data))
            return xr_damaged(p, "a constant lies outside the data");
        if (a->kind == XG_EXE_ALLOC_PARAMETER && (a->index >= p->head.n_params || p->values[a->index].allocation != k))
            return xr_damaged(p, "an allocation of a parameter that is not there");
        if (a->kind == XG_EXE_ALLOC_RESULT &&
            (a->index >= p->head.n_results || p->values[p->head.n_params + a->index].allocation != k))
            return xr_damaged(p, "an allocation of a result that is not there");
        if (a->kind == XG_EXE_ALLOC_TEMP) {
            uint64_t block = a->host ? p->head.host_bytes : p->head.temp_bytes;
            if (a->host > 1 || a->offset > block || a->bytes > block - a->offset)
                return xr_damaged(p, "temporary memory");
        }
    }
    for (k = 0; k < p->n_slices; k++) {
        const xg_exe_slice *s = &p->slices[k];
        if (s->allocation >= p->n_allocations || s->offset > p->allocations[s->allocation].bytes ||
            s->bytes > p->allocations[s->allocation].bytes - s->offset)
            return xr_damaged(p, "a slice lies outside its allocation");
    }
    return XLAGPU_OK;
}

XG_FN uint64_t xr_element_bytes(uint32_t type) {
    static const uint8_t bits[] = {
#define X(name, text, bits, cls) bits,
        XLAGPU_TYPES(X)
#undef X
    };
    return ((uint64_t)bits[type] + 7) / 8;
}

/* Dims that multiply to the bytes, and a layout that is a permutation. */
XG_FN bool xr_shape_ok(const xlagpu_program *p, const xg_exe_value *v) {
    uint64_t bytes, n_dims = p->sections[XG_EXE_DIMS].count;
    bool seen[XR_RANK_MAX] = {false}, empty = false;
    const int64_t *dims;
    uint32_t d;
    if (v->type >= XLAGPU_TYPE_COUNT || v->rank > XR_RANK_MAX || v->first_dim > n_dims ||
        (uint64_t)2 * v->rank > n_dims - v->first_dim)
        return false;
    bytes = xr_element_bytes(v->type);
    dims = p->dims + v->first_dim;
    for (d = 0; d < v->rank; d++) {
        int64_t m = dims[v->rank + d];
        if (dims[d] < 0 || m < 0 || m >= (int64_t)v->rank || seen[m]) return false;
        seen[m] = true;
        empty = empty || dims[d] == 0;
    }
    for (d = 0; d < v->rank && !empty; d++) {
        if (bytes > (uint64_t)(SIZE_MAX / 2) / (uint64_t)dims[d]) return false;
        bytes *= (uint64_t)dims[d];
    }
    return v->bytes == (empty ? 0 : bytes);
}

/* A size is an s32 behind its array, or behind other sizes of that. */
XG_FN bool xr_size_ok(const xlagpu_program *p, uint32_t k, uint32_t first) {
    uint32_t of = k;
    while (of > first && p->values[of].size_of) of--;
    return !p->values[of].size_of && p->values[k].size_of <= p->values[of].rank &&
           (of == k || (p->values[k].type == XLAGPU_S32 && !p->values[k].rank));
}

/* Parameters and results agree with their allocations. */
XG_FN xlagpu_status xr_check_values(xlagpu_program *p) {
    uint64_t n = (uint64_t)p->head.n_params + p->head.n_results;
    uint32_t k;
    if (n != p->sections[XG_EXE_VALUES].count) return xr_damaged(p, "the number of parameters and results");
    for (k = 0; k < n; k++) {
        const xg_exe_value *v = &p->values[k];
        const xg_exe_allocation *a;
        bool result = k >= p->head.n_params;
        if (!xr_shape_ok(p, v)) return xr_damaged(p, "a value's shape");
        if (v->size_of && !xr_size_ok(p, k, result ? p->head.n_params : 0))
            return xr_damaged(p, "the size of a bounded dimension");
        if (!xr_string_ok(p, v->name) || v->allocation >= p->n_allocations) return xr_damaged(p, "a value's place");
        a = &p->allocations[v->allocation];
        if (a->bytes != v->bytes) return xr_damaged(p, "a value's allocation");
        if (v->alias) { /* a result in a parameter's memory */
            uint32_t param = (v->alias & ~XG_EXE_MUST_ALIAS) - 1;
            if (!result || param >= p->head.n_params || p->values[param].allocation != v->allocation)
                return xr_damaged(p, "a result that shares a parameter's memory");
        } else if (a->kind != (uint32_t)(result ? XG_EXE_ALLOC_RESULT : XG_EXE_ALLOC_PARAMETER) ||
                   a->index != (result ? k - p->head.n_params : k))
            return xr_damaged(p, "a value's allocation");
    }
    return XLAGPU_OK;
}

/* The thunks of a sequence: each stands before it and belongs to it alone. depth: 0 while nobody has it, else 1 + the
 * levels below it. */
XG_FN xlagpu_status xr_check_sequence(xlagpu_program *p, const xg_exe_thunk *t, uint32_t number, uint8_t *taken) {
    uint32_t k;
    for (k = 0; k < t->n_links; k++) {
        uint32_t link = p->links[t->first_link + k];
        if (link >= number || taken[link]) return xr_damaged(p, "the tree of thunks");
        taken[link] = 1;
        if (p->depth[link] >= XR_NESTING_MAX) return xr_damaged(p, "thunks nested too deep");
        p->depth[number] = XG_MAX(p->depth[number], (uint8_t)(p->depth[link] + 1));
    }
    return XLAGPU_OK;
}

/* A while (pred; condition, body), a for (body) or a conditional (pred or s32; branches): perhaps one slice, then
 * thunks, which are checked as a sequence's are. */
XG_FN xlagpu_status xr_check_control(xlagpu_program *p, const xg_exe_thunk *t, uint32_t number, uint8_t *taken) {
    xg_exe_thunk children = *t;
    uint32_t slice, asks = t->kind != XG_EXE_THUNK_FOR;
    if (t->n_links < 1 + asks || (t->kind == XG_EXE_THUNK_WHILE && t->n_links != 3) ||
        (t->kind == XG_EXE_THUNK_FOR && t->n_links != 1))
        return xr_damaged(p, "a loop or branch");
    slice = p->links[t->first_link];
    if (asks && (slice >= p->n_slices ||
                    (p->slices[slice].bytes != 1 && (t->kind == XG_EXE_THUNK_WHILE || p->slices[slice].bytes != 4))))
        return xr_damaged(p, "what a loop or branch asks");
    p->has_decisions = p->has_decisions || asks;
    children.first_link += asks;
    children.n_links -= asks;
    return xr_check_sequence(p, &children, number, taken);
}

/* a pattern of 32 bits needs whole words, unless it is one byte four times */
XG_FN bool xr_fill_ok(const xg_exe_slice *s, uint32_t value) {
    return (s->offset % 4 == 0 && s->bytes % 4 == 0) || value == (value & 0xFF) * 0x01010101u;
}

XG_FN xlagpu_status xr_check_thunk(xlagpu_program *p, uint32_t number, uint8_t *taken) {
    const xg_exe_thunk *t = &p->thunks[number];
    const uint32_t *links = p->links + t->first_link;
    uint32_t k;
    if (t->kind >= XG_EXE_THUNK_COUNT || !xr_string_ok(p, t->name) || t->first_link > p->sections[XG_EXE_LINKS].count ||
        t->n_links > p->sections[XG_EXE_LINKS].count - t->first_link)
        return xr_damaged(p, "a thunk");
    if (t->kind == XG_EXE_THUNK_SEQUENCE || t->kind == XG_EXE_THUNK_COMMAND_BUFFER)
        return xr_check_sequence(p, t, number, taken);
    if (t->kind == XG_EXE_THUNK_WHILE || t->kind == XG_EXE_THUNK_FOR || t->kind == XG_EXE_THUNK_CONDITIONAL)
        return xr_check_control(p, t, number, taken);
    for (k = 0; k < t->n_links; k++) {
        uint32_t link = t->kind == XG_EXE_THUNK_KERNEL || t->kind == XG_EXE_THUNK_CUSTOM_CALL
                            ? links[k] & ~XG_EXE_WRITTEN
                            : links[k];
        if (link >= p->n_slices) return xr_damaged(p, "a thunk's operand");
    }
    if (t->kind == XG_EXE_THUNK_KERNEL && t->kernel >= p->n_kernels) return xr_damaged(p, "a thunk's kernel");
    if (t->kind == XG_EXE_THUNK_COPY && (t->n_links != 2 || p->slices[links[0]].bytes != p->slices[links[1]].bytes))
        return xr_damaged(p, "a copy");
    if (t->kind == XG_EXE_THUNK_MEMSET && (t->n_links != 1 || !xr_fill_ok(&p->slices[links[0]], t->value)))
        return xr_damaged(p, "a fill");
    if ((t->kind == XG_EXE_THUNK_REPLICA_ID || t->kind == XG_EXE_THUNK_PARTITION_ID) &&
        (t->n_links != 1 || p->slices[links[0]].bytes != 4 || p->slices[links[0]].offset % 4))
        return xr_damaged(p, "the number of a replica or partition");
    if (t->kind == XG_EXE_THUNK_RANDOM_STATE &&
        (t->n_links != 1 || p->slices[links[0]].bytes != 16 || p->slices[links[0]].offset % 4))
        return xr_damaged(p, "a state of random numbers");
    if ((t->kind == XG_EXE_THUNK_CUSTOM_CALL && !xr_string_ok(p, t->kernel)) ||
        (t->kind >= XG_EXE_THUNK_CUSTOM_CALL && t->kind <= XG_EXE_THUNK_OUTFEED && !xr_string_ok(p, t->value)))
        return xr_damaged(p, "a call");
    p->most_links = XG_MAX(p->most_links, t->n_links);
    return XLAGPU_OK;
}

XG_FN xlagpu_status xr_check_kernels(xlagpu_program *p) {
    const xg_exe_kernel *records = (const xg_exe_kernel *)(const void *)xr_section(p, XG_EXE_KERNELS);
    uint32_t k, d;
    for (k = 0; k < p->n_kernels; k++) {
        xr_kernel *q = &p->kernels[k];
        if (!xr_string_ok(p, records[k].name)) return xr_damaged(p, "a kernel's name");
        q->name = p->strings + records[k].name;
        q->shared_bytes = records[k].shared_bytes;
        for (d = 0; d < 3; d++) {
            q->threads[d] = records[k].threads[d];
            q->blocks[d] = records[k].blocks[d];
            if (!q->threads[d] || q->threads[d] > 1024 || !q->blocks[d]) return xr_damaged(p, "a kernel's launch");
        }
        if (q->threads[0] * q->threads[1] * q->threads[2] > 1024) return xr_damaged(p, "a kernel's launch");
    }
    return XLAGPU_OK;
}

XG_FN xlagpu_status xr_check(xlagpu_program *p, uint8_t *taken) {
    uint32_t k;
    xlagpu_status s;
    if (!xr_string_ok(p, p->head.name) || !xr_string_ok(p, p->head.target_name) || p->head.root_thunk >= p->n_thunks ||
        p->head.temp_bytes > SIZE_MAX / 2 || p->head.host_bytes > SIZE_MAX / 2)
        return xr_damaged(p, "its head");
    s = xr_check_values(p);
    if (s == XLAGPU_OK) s = xr_check_allocations(p);
    if (s == XLAGPU_OK) s = xr_check_kernels(p);
    for (k = 0; k < p->n_thunks && s == XLAGPU_OK; k++) s = xr_check_thunk(p, k, taken);
    if (s == XLAGPU_OK) s = xr_commands_load(p);
    if (s == XLAGPU_OK && p->lanes) xr_lanes_load(p);
    return s;
}

/* The sections as arrays, in a copy that is ours. */
XG_FN void xr_view(xlagpu_program *p, const void *bytes, size_t size) {
    unsigned char *copy = (unsigned char *)xg_alloc_raw(&p->arena, size);
    memcpy(copy, bytes, size);
    p->bytes = copy;
    p->strings = (const char *)xr_section(p, XG_EXE_STRINGS);
    p->allocations = (const xg_exe_allocation *)(const void *)xr_section(p, XG_EXE_ALLOCATIONS);
    p->slices = (const xg_exe_slice *)(const void *)xr_section(p, XG_EXE_SLICES);
    p->thunks = (const xg_exe_thunk *)(const void *)xr_section(p, XG_EXE_THUNKS);
    p->links = (const uint32_t *)(const void *)xr_section(p, XG_EXE_LINKS);
    p->values = (const xg_exe_value *)(const void *)xr_section(p, XG_EXE_VALUES);
    p->dims = (const int64_t *)(const void *)xr_section(p, XG_EXE_DIMS);
    p->n_allocations = p->sections[XG_EXE_ALLOCATIONS].count;
    p->n_slices = p->sections[XG_EXE_SLICES].count;
    p->n_thunks = p->sections[XG_EXE_THUNKS].count;
    p->n_kernels = p->sections[XG_EXE_KERNELS].count;
    p->ptx.name = p->strings;
    p->ptx.text = (const char *)xr_section(p, XG_EXE_PTX);
    p->ptx.size = p->sections[XG_EXE_PTX].bytes ? (size_t)p->sections[XG_EXE_PTX].bytes - 1 : 0;
    p->kernels = XG_NEW_N(&p->arena, xr_kernel, (size_t)p->n_kernels + 1);
    p->finished = XG_NEW_N(&p->arena, xlagpu_kernel_stats, (size_t)p->n_kernels + 1);
    p->constants = XG_NEW_N(&p->arena, uint64_t, (size_t)p->n_allocations + 1);
    p->depth = XG_NEW_N(&p->arena, uint8_t, (size_t)p->n_thunks + 1);
    p->command_of = XG_NEW_N(&p->arena, uint32_t, (size_t)p->n_thunks + 1);
    p->command_buffers = XG_NEW_N(&p->arena, xr_command_buffer, (size_t)p->n_thunks + 1);
    p->commands = XG_NEW_N(&p->arena, xr_command, (size_t)p->n_thunks + 1);
    p->calls = XG_NEW_N(&p->arena, const xr_function *, (size_t)p->n_thunks + 1);
    if ((p->device->copy_stream || p->device->concurrent) && p->device->platform->stream_new)
        p->lanes = XG_NEW_N(&p->arena, xr_lane, (size_t)p->n_thunks + 1);
}

XG_FN xlagpu_status xr_upload_constants(xlagpu_program *p) {
    xlagpu_device *d = p->device;
    uint32_t k;
    bool any = false;
    xlagpu_status s = XLAGPU_OK;
    for (k = 0; k < p->n_allocations && s == XLAGPU_OK; k++) {
        const xg_exe_allocation *a = &p->allocations[k];
        if (a->kind != XG_EXE_ALLOC_CONSTANT) continue;
        s = xr_alloc(d, (size_t)a->bytes, &p->constants[k]);
        if (s == XLAGPU_OK && a->bytes) {
            s = d->platform->upload(d, p->constants[k], xr_section(p, XG_EXE_DATA) + a->data, (size_t)a->bytes);
            any = true;
        }
    }
    return s == XLAGPU_OK && any ? d->platform->wait(d, NULL) : s; /* runs on any stream may follow */
}

/* The kernels, then once more the thunks: now it is known how many buffers a kernel takes. */
XG_FN xlagpu_status xr_load_kernels(xlagpu_program *p) {
    xlagpu_status s;
    uint32_t k;
    if (!p->n_kernels) return XLAGPU_OK;
    if (!p->ptx.size || p->ptx.text[p->ptx.size]) return xr_damaged(p, "its PTX");
    p->ptx.name = p->strings + p->head.name;
    s = p->device->platform->load(p);
    for (k = 0; k < p->n_thunks && s == XLAGPU_OK; k++) {
        const xg_exe_thunk *t = &p->thunks[k];
        if (t->kind == XG_EXE_THUNK_KERNEL && t->n_links != p->kernels[t->kernel].n_params)
            return xr_damaged(p, "a kernel takes another number of buffers than it is given");
    }
    return s;
}

/* Each call's function, by its name; infeed and outfeed have their own. */
XG_FN xlagpu_status xr_find_calls(xlagpu_program *p) {
    uint32_t k;
    for (k = 0; k < p->n_thunks; k++) {
        const xg_exe_thunk *t = &p->thunks[k];
        const char *name = t->kind == XG_EXE_THUNK_CUSTOM_CALL ? p->strings + t->kernel
                           : t->kind == XG_EXE_THUNK_INFEED    ? "infeed"
                           : t->kind == XG_EXE_THUNK_OUTFEED   ? "outfeed"
                                                               : NULL;
        if (!name) continue;
        p->calls[k] = xr_function_find(p->device, name);
        if (!p->calls[k])
            return xr_fail(&p->device->c, XLAGPU_ERROR_UNSUPPORTED,
                "HLO %s calls '%s', and no function is registered under that name (xlagpu_rt_register, before loading)",
                p->strings + t->name, name);
    }
    return XLAGPU_OK;
}

XG_FN xlagpu_program *xr_program_new(xlagpu_device *d) {
    xlagpu_program *p = (xlagpu_program *)xg_mem_alloc(&d->c, sizeof *p);
    if (!p) {
        xr_fail(&d->c, XLAGPU_ERROR_MEMORY, "out of memory");
        return NULL;
    }
    memset(p, 0, sizeof *p);
    p->device = d;
    xg_arena_init(&p->arena, &d->c);
    p->next = d->programs;
    if (p->next) p->next->prev = p;
    d->programs = p;
    return p;
}

/* All that may jump, when there is no memory. */
XG_FN xlagpu_status xr_view_safely(xlagpu_program *p, const void *bytes, size_t size, uint8_t **taken) {
    xg_ctx *c = &p->device->c;
    jmp_buf here;
    if (setjmp(here)) {
        xg_end(c, NULL);
        return c->status;
    }
    xg_try(c, &here);
    xr_view(p, bytes, size);
    *taken = XG_NEW_N(&p->arena, uint8_t, (size_t)p->n_thunks + 1);
    xg_end(c, NULL);
    return XLAGPU_OK;
}

XLAGPU_DEF xlagpu_program *xlagpu_rt_load(xlagpu_device *d, const void *bytes, size_t size) {
    xlagpu_program *p;
    const char *wrong;
    uint8_t *taken = NULL;
    xlagpu_status s;
    if (!d || !d->platform) return NULL;
    xr_begin(&d->c);
    p = xr_program_new(d);
    if (!p) return NULL;
    wrong = xg_exe_check((const unsigned char *)bytes, size, &p->head, p->sections);
    s = wrong ? xr_fail(&d->c, XLAGPU_ERROR_CORRUPT, "the executable cannot be loaded: %s", wrong)
              : xr_view_safely(p, bytes, size, &taken);
    if (s == XLAGPU_OK) s = xr_check(p, taken);
    if (s == XLAGPU_OK) s = xr_find_calls(p);
    if (s == XLAGPU_OK) s = xr_load_kernels(p);
    if (s == XLAGPU_OK) s = xr_upload_constants(p);
    if (s != XLAGPU_OK) {
        xlagpu_rt_unload(p);
        return NULL;
    }
    return p;
}

XLAGPU_DEF void xlagpu_rt_unload(xlagpu_program *p) {
    xlagpu_device *d;
    uint32_t k;
    if (!p) return;
    d = p->device;
    while (p->executions) xlagpu_rt_finish(p->executions);
    for (k = p->constants ? p->n_allocations : 0; k-- > 0;) xr_release(d, p->constants[k]);
    if (p->module) d->platform->unload(p);
    if (p->prev)
        p->prev->next = p->next;
    else
        d->programs = p->next;
    if (p->next) p->next->prev = p->prev;
    xg_arena_free(&p->arena);
    xg_mem_free(&d->c, p);
}

/* ---- what it takes and gives ---- */

XG_FN bool xr_value(const xlagpu_program *p, uint32_t index, xlagpu_rt_value *out) {
    const xg_exe_value *v = &p->values[index];
    memset(out, 0, sizeof *out);
    out->type = (xlagpu_type)v->type;
    out->rank = v->rank;
    out->dims = p->dims + v->first_dim;
    out->minor_to_major = out->dims + v->rank;
    out->bytes = (size_t)v->bytes;
    out->name = p->strings + v->name;
    out->alias = v->alias & ~XG_EXE_MUST_ALIAS;
    out->size_of = v->size_of;
    return true;
}
XLAGPU_DEF uint32_t xlagpu_rt_parameter_count(const xlagpu_program *p) { return p ? p->head.n_params : 0; }
XLAGPU_DEF uint32_t xlagpu_rt_result_count(const xlagpu_program *p) { return p ? p->head.n_results : 0; }
XLAGPU_DEF bool xlagpu_rt_parameter(const xlagpu_program *p, uint32_t index, xlagpu_rt_value *out) {
    return p && out && index < p->head.n_params && xr_value(p, index, out);
}
XLAGPU_DEF const char *xlagpu_rt_program_name(const xlagpu_program *p) { return p ? p->strings + p->head.name : ""; }
XLAGPU_DEF uint32_t xlagpu_rt_kernel_count(const xlagpu_program *p) { return p ? p->n_kernels : 0; }
XLAGPU_DEF bool xlagpu_rt_kernel_info(const xlagpu_program *p, uint32_t index, xlagpu_rt_kernel *out) {
    const xr_kernel *k;
    if (!p || !out || index >= p->n_kernels) return false;
    k = &p->kernels[index];
    out->name = k->name;
    memcpy(out->grid, k->blocks, sizeof out->grid);
    memcpy(out->block, k->threads, sizeof out->block);
    out->shared_bytes = k->shared_bytes;
    return true;
}
XLAGPU_DEF bool xlagpu_rt_result(const xlagpu_program *p, uint32_t index, xlagpu_rt_value *out) {
    return p && out && index < p->head.n_results && xr_value(p, p->head.n_params + index, out);
}

#endif /* XG_RT_PROGRAM_C */
/* rt/profile.c -- how long each thunk takes.
 *
 * While an execution is profiled its thunks run one by one, without command buffers, each between two points of time:
 * events on "cuda", the clock on "host". What happened is a list of events of bounded length; sums are made from it by
 * whoever reads it. */
#ifndef XG_RT_PROFILE_C
#define XG_RT_PROFILE_C

XG_FN xlagpu_status xr_run_step(xlagpu_execution *e, const xg_exe_thunk *t, void *stream);

/* A range begins; with NULL the last one ends. */
XG_FN void xr_range(xlagpu_device *d, const char *name) {
    if (d->range)
        d->range(d->range_user, name);
    else if (d->platform->range)
        d->platform->range(d, name);
}

XG_FN void xr_profile_end(xlagpu_execution *e) {
    const xr_platform *q = e->program->device->platform;
    if (e->profile.before) q->event_free(e, e->profile.before);
    if (e->profile.after) q->event_free(e, e->profile.after);
    xg_mem_free(&e->program->device->c, e->profile.events);
    memset(&e->profile, 0, sizeof e->profile);
}

XLAGPU_DEF xlagpu_status xlagpu_rt_profile(xlagpu_execution *e, uint32_t capacity) {
    xlagpu_device *d;
    xlagpu_status s;
    if (!e) return XLAGPU_ERROR_USAGE;
    d = e->program->device;
    xr_begin(&e->c);
    s = d->platform->enter(e);
    if (s != XLAGPU_OK) return s;
    xr_profile_end(e);
    if (capacity) {
        e->profile.events = (uint64_t)capacity * sizeof *e->profile.events > SIZE_MAX / 2
                                ? NULL
                                : (xlagpu_rt_event *)xg_mem_alloc(&d->c, (size_t)capacity * sizeof *e->profile.events);
        if (!e->profile.events)
            s = xr_fail(&e->c, XLAGPU_ERROR_MEMORY, "out of memory: a profile of %u events", capacity);
        if (s == XLAGPU_OK) s = d->platform->event_new(e, true, &e->profile.before);
        if (s == XLAGPU_OK) s = d->platform->event_new(e, true, &e->profile.after);
        e->profile.capacity = capacity;
        e->profile.on = s == XLAGPU_OK;
        e->profile.begin = xr_seconds();
        if (s != XLAGPU_OK) xr_profile_end(e);
    }
    d->platform->leave(e);
    return s;
}

/* One step, timed. On "cuda" it waits: what is measured is the device's time, not that of the launch. */
XG_FN xlagpu_status xr_profile_step(xlagpu_execution *e, const xg_exe_thunk *t, void *stream) {
    const xlagpu_program *p = e->program;
    const xr_platform *q = p->device->platform;
    xlagpu_kernel_stats *k = t->kind == XG_EXE_THUNK_KERNEL ? &e->stats[t->kernel] : NULL;
    uint64_t instructions = k ? k->warp_instructions : 0;
    double start = xr_seconds(), took = 0;
    xlagpu_rt_event *v;
    xlagpu_status s = q->event_record(e, e->profile.before, stream);
    xr_range(p->device, p->strings + t->name);
    if (s == XLAGPU_OK) s = xr_run_step(e, t, stream);
    xr_range(p->device, NULL);
    if (s == XLAGPU_OK) s = q->event_record(e, e->profile.after, stream);
    if (s == XLAGPU_OK) s = q->event_wait(e, e->profile.after);
    if (s == XLAGPU_OK) s = q->event_seconds(e, e->profile.before, e->profile.after, &took);
    if (s != XLAGPU_OK) return s;
    if (e->profile.n == e->profile.capacity) {
        e->profile.dropped++;
        return s;
    }
    v = &e->profile.events[e->profile.n++];
    v->hlo = p->strings + t->name;
    v->kind = xr_thunk_name(t->kind);
    v->kernel = k ? p->kernels[t->kernel].name : "";
    v->thunk = (uint32_t)(t - p->thunks);
    v->start = start - e->profile.begin;
    v->seconds = took;
    v->flops = t->flops;
    v->bytes = t->bytes;
    v->instructions = k ? k->warp_instructions - instructions : 0;
    return s;
}

XLAGPU_DEF const xlagpu_rt_event *xlagpu_rt_profile_events(const xlagpu_execution *e, uint32_t *n, uint64_t *dropped) {
    if (n) *n = e ? e->profile.n : 0;
    if (dropped) *dropped = e ? e->profile.dropped : 0;
    return e ? e->profile.events : NULL;
}

#endif /* XG_RT_PROFILE_C */
/* rt/execute.c -- running a program: the thunk tree, and the easy way with host arrays. */
#ifndef XG_RT_EXECUTE_C
#define XG_RT_EXECUTE_C

/* ---- executions ---- */

/* An execution is one block from the allocator: its head, then these parts. */
enum {
    XR_PART_BASE,
    XR_PART_BOUND,
    XR_PART_EXTENTS,
    XR_PART_ARGS,
    XR_PART_STATS,
    XR_PART_BUFFERS,
    XR_PART_RECORDS,
    XR_PART_LANES,
    XR_PART_POINTERS,
    XR_PART_COUNT
};
/* The bytes of each, multiples of 8; gives their sum. */
XG_FN uint64_t xr_execution_parts(const xlagpu_program *p, uint64_t bytes[XR_PART_COUNT]) {
    uint64_t values = (uint64_t)p->head.n_params + p->head.n_results, all = 0;
    uint32_t k;
    bytes[XR_PART_BASE] = (uint64_t)p->n_allocations * 8;
    bytes[XR_PART_BOUND] = values * 8;
    bytes[XR_PART_EXTENTS] = values * sizeof(xr_extent);
    bytes[XR_PART_ARGS] = (uint64_t)p->most_links * 8 + 8;
    bytes[XR_PART_STATS] = (uint64_t)p->n_kernels * sizeof(xlagpu_kernel_stats);
    bytes[XR_PART_BUFFERS] = (uint64_t)p->most_links * sizeof(xlagpu_buffer);
    bytes[XR_PART_RECORDS] = xr_commands_bytes(p);
    bytes[XR_PART_LANES] = xr_lanes_bytes(p);
    bytes[XR_PART_POINTERS] = (uint64_t)p->most_links * sizeof(void *) + 8;
    for (k = 0; k < XR_PART_COUNT; k++) {
        bytes[k] = (bytes[k] + 7) / 8 * 8;
        all += bytes[k];
    }
    return all;
}
XG_FN xlagpu_execution *xr_execution_new(xlagpu_program *p) {
    uint64_t bytes[XR_PART_COUNT], head = (sizeof(xlagpu_execution) + 15) / 16 * 16,
                                   all = head + xr_execution_parts(p, bytes);
    char *m = all > SIZE_MAX / 2 ? NULL : (char *)xg_mem_alloc(&p->device->c, (size_t)all);
    xlagpu_execution *e = (xlagpu_execution *)(void *)m;
    void *part[XR_PART_COUNT];
    uint32_t k;
    if (!m) return NULL;
    memset(m, 0, (size_t)all);
    m += head;
    for (k = 0; k < XR_PART_COUNT; k++) {
        part[k] = m;
        m += (size_t)bytes[k];
    }
    e->c.mem = p->device->c.mem;
    e->program = p;
    e->base = (uint64_t *)part[XR_PART_BASE];
    e->bound = (uint64_t *)part[XR_PART_BOUND];
    e->extents = (xr_extent *)part[XR_PART_EXTENTS];
    e->args = (uint64_t *)part[XR_PART_ARGS];
    e->stats = (xlagpu_kernel_stats *)part[XR_PART_STATS];
    e->buffers = (xlagpu_buffer *)part[XR_PART_BUFFERS];
    xr_commands_place(e, (char *)part[XR_PART_RECORDS]);
    e->lane_events = (void **)part[XR_PART_LANES];
    e->arg_pointers = (void **)part[XR_PART_POINTERS];
    for (k = 0; k < p->most_links; k++) e->arg_pointers[k] = &e->args[k];
    for (k = 0; k < p->n_kernels; k++) e->stats[k].name = p->kernels[k].name;
    return e;
}

/* The event that says when a run has ended, and what a second stream needs. */
XG_FN xlagpu_status xr_prepare_event(xlagpu_execution *e) {
    const xr_platform *q = e->program->device->platform;
    xlagpu_status s = q->enter(e);
    if (s == XLAGPU_OK) {
        s = q->event_new(e, false, &e->ended);
        if (s == XLAGPU_OK) s = xr_lanes_prepare(e);
        q->leave(e);
    }
    return s == XLAGPU_OK ? s : xr_fail(&e->program->device->c, s, "%s", e->c.message);
}

XLAGPU_DEF xlagpu_execution *xlagpu_rt_prepare(xlagpu_program *p) {
    xlagpu_execution *e;
    xlagpu_device *d;
    xlagpu_status s = XLAGPU_OK;
    uint32_t k;
    if (!p) return NULL;
    d = p->device;
    xr_begin(&d->c);
    e = xr_execution_new(p);
    if (!e) {
        xr_fail(&d->c, XLAGPU_ERROR_MEMORY, "out of memory");
        return NULL;
    }
    e->next = p->executions;
    if (e->next) e->next->prev = e;
    p->executions = e;
    if (p->head.temp_bytes) s = xr_alloc(d, (size_t)p->head.temp_bytes, &e->temp);
    if (s == XLAGPU_OK && p->head.host_bytes) s = xr_alloc_in(d, (size_t)p->head.host_bytes, true, &e->host);
    for (k = 0; k < p->n_allocations; k++) {
        if (p->allocations[k].kind == XG_EXE_ALLOC_CONSTANT) e->base[k] = p->constants[k];
        if (p->allocations[k].kind == XG_EXE_ALLOC_TEMP)
            e->base[k] = (p->allocations[k].host ? e->host : e->temp) + p->allocations[k].offset;
    }
    e->version = 1;
    e->random[0] = XG_EXE_RANDOM_FIRST;
    if (s == XLAGPU_OK) s = d->platform->prepare(e);
    if (s == XLAGPU_OK) s = xr_prepare_event(e);
    if (s != XLAGPU_OK) {
        xlagpu_rt_finish(e);
        return NULL;
    }
    return e;
}

XG_FN void xr_stats_add(xlagpu_kernel_stats *to, const xlagpu_kernel_stats *s) {
    uint32_t i;
    to->name = s->name;
    to->launches += s->launches;
#define X(name) to->name += s->name;
    XLAGPU_COUNTERS(X)
#undef X
    for (i = 0; i < XLAGPU_CLASS_COUNT; i++) {
        to->class_warps[i] += s->class_warps[i];
        to->class_lanes[i] += s->class_lanes[i];
    }
}

XLAGPU_DEF void xlagpu_rt_finish(xlagpu_execution *e) {
    xlagpu_program *p;
    uint32_t k;
    if (!e) return;
    p = e->program;
    if (p->device->platform->enter(e) == XLAGPU_OK) {
        /* what runs still uses what is released here */
        if (e->running) (void)p->device->platform->event_wait(e, e->ended);
        xr_commands_finish(e);
        xr_profile_end(e);
        if (e->ended) p->device->platform->event_free(e, e->ended);
        xr_lanes_finish(e);
        p->device->platform->leave(e);
    }
    xg_mem_free(&p->device->c, e->profile.events);
    p->device->platform->finish(e);
    xr_release(p->device, e->host);
    xr_release(p->device, e->temp);
    for (k = 0; k < p->n_kernels; k++) xr_stats_add(&p->finished[k], &e->stats[k]);
    if (e->prev)
        e->prev->next = e->next;
    else
        p->executions = e->next;
    if (e->next) e->next->prev = e->prev;
    xg_mem_free(&p->device->c, e);
}

XLAGPU_DEF const char *xlagpu_class_name(uint32_t class_index) {
    static const char *const names[XLAGPU_CLASS_COUNT] = {
#define X(name, text) text,
        XLAGPU_CLASSES(X)
#undef X
    };
    return class_index < XLAGPU_CLASS_COUNT ? names[class_index] : NULL;
}
XLAGPU_DEF uint32_t xlagpu_rt_stats(const xlagpu_program *p, xlagpu_kernel_stats *out, uint32_t capacity) {
    const xlagpu_execution *e;
    uint32_t k;
    if (!p) return 0;
    for (k = 0; out && k < p->n_kernels && k < capacity; k++) {
        out[k] = p->finished[k];
        out[k].name = p->kernels[k].name;
        for (e = p->executions; e; e = e->next) xr_stats_add(&out[k], &e->stats[k]);
    }
    return p->n_kernels;
}

/* ---- one run ---- */

XG_FN uint64_t xr_address(const xlagpu_execution *e, uint32_t slice) {
    const xg_exe_slice *s = &e->program->slices[slice];
    return e->base[s->allocation] + s->offset;
}

XG_FN xlagpu_status xr_run_kernel(xlagpu_execution *e, const xg_exe_thunk *t, const uint32_t *links, void *stream) {
    uint32_t k;
    for (k = 0; k < t->n_links; k++) e->args[k] = xr_address(e, links[k] & ~XG_EXE_WRITTEN);
    return e->program->device->platform->launch(e, t->kernel, stream);
}

/* A function of the caller's, with its buffers: those it reads, then those it writes. */
XG_FN xlagpu_status xr_run_call(xlagpu_execution *e, const xg_exe_thunk *t, const uint32_t *links, void *stream) {
    const xlagpu_program *p = e->program;
    const xr_function *f = p->calls[t - p->thunks];
    xlagpu_rt_call c;
    xlagpu_status s;
    uint32_t k;
    memset(&c, 0, sizeof c);
    c.target = f->name;
    c.config = p->strings + t->value;
    c.hlo = p->strings + t->name;
    c.buffers = e->buffers;
    c.stream = stream;
    c.device = p->device;
    for (k = 0; k < t->n_links; k++) {
        uint32_t slice = links[k] & ~XG_EXE_WRITTEN;
        bool written =
            t->kind == XG_EXE_THUNK_INFEED || (t->kind == XG_EXE_THUNK_CUSTOM_CALL && links[k] & XG_EXE_WRITTEN);
        e->buffers[k].address = xr_address(e, slice);
        e->buffers[k].bytes = (size_t)p->slices[slice].bytes;
        if (written)
            c.n_results++;
        else
            c.n_operands++;
    }
    s = f->call(f->user, &c);
    return s == XLAGPU_OK ? s : xr_fail(&e->c, s, "the function '%s' failed: %s", f->name, xr_status_text(s));
}

/* Each run goes on where the last one ended. */
XG_FN xlagpu_status xr_run_random_state(xlagpu_execution *e, uint64_t to, uint32_t delta, void *stream) {
    xlagpu_status s = XLAGPU_OK;
    uint32_t k;
    for (k = 0; k < 4 && s == XLAGPU_OK; k++)
        s = e->program->device->platform->fill(e, to + 4 * k, (uint32_t)(e->random[k / 2] >> (k % 2 * 32)), 4, stream);
    e->random[0] += delta;
    if (e->random[0] < delta) e->random[1]++;
    return s;
}

/* One step that is no sequence; a failure names it. */
XG_FN xlagpu_status xr_run_step(xlagpu_execution *e, const xg_exe_thunk *t, void *stream) {
    const xlagpu_program *p = e->program;
    const xr_platform *q = p->device->platform;
    const uint32_t *links = p->links + t->first_link;
    xlagpu_status s = XLAGPU_OK;
    switch (t->kind) {
    case XG_EXE_THUNK_KERNEL: s = xr_run_kernel(e, t, links, stream); break;
    case XG_EXE_THUNK_COPY:
        if (p->slices[links[0]].bytes)
            s = q->copy(e, xr_address(e, links[1]), xr_address(e, links[0]), (size_t)p->slices[links[0]].bytes, stream);
        break;
    case XG_EXE_THUNK_MEMSET:
        if (p->slices[links[0]].bytes)
            s = q->fill(e, xr_address(e, links[0]), t->value, (size_t)p->slices[links[0]].bytes, stream);
        break;
    case XG_EXE_THUNK_REPLICA_ID: s = q->fill(e, xr_address(e, links[0]), e->replica, 4, stream); break;
    case XG_EXE_THUNK_PARTITION_ID: s = q->fill(e, xr_address(e, links[0]), e->partition, 4, stream); break;
    case XG_EXE_THUNK_RANDOM_STATE: s = xr_run_random_state(e, xr_address(e, links[0]), t->value, stream); break;
    default: s = xr_run_call(e, t, links, stream); break;
    }
    if (s != XLAGPU_OK && t->kind == XG_EXE_THUNK_KERNEL)
        xr_note(&e->c, "\nwhile running HLO %s (kernel %s)", p->strings + t->name, p->kernels[t->kernel].name);
    else if (s != XLAGPU_OK)
        xr_note(&e->c, "\nwhile running HLO %s", p->strings + t->name);
    return s;
}

/* Reads a decision from the device: waits for the stream. A pred gives 1 or 0. */
XG_FN xlagpu_status xr_read_decision(xlagpu_execution *e, uint32_t slice, void *stream, int32_t *out) {
    size_t bytes = (size_t)e->program->slices[slice].bytes;
    unsigned char raw[4] = {0, 0, 0, 0};
    xlagpu_status s = e->program->device->platform->read(e, raw, xr_address(e, slice), bytes, stream);
    memcpy(out, raw, 4);
    if (bytes == 1) *out = raw[0] != 0;
    return s;
}

XG_FN xlagpu_status xr_run_while(xlagpu_execution *e, const uint32_t *links, void *stream) {
    int32_t more = 1;
    xlagpu_status s;
    for (;;) {
        s = xr_run_thunk(e, links[1], stream);
        if (s == XLAGPU_OK) s = xr_read_decision(e, links[0], stream, &more);
        if (s != XLAGPU_OK || !more) return s;
        s = xr_run_thunk(e, links[2], stream);
        if (s != XLAGPU_OK) return s;
    }
}

/* A pred chooses branch 0 when true and 1 when false; an index outside the branches the last one. */
XG_FN uint32_t xr_branch(const xlagpu_execution *e, uint32_t slice, int32_t which, uint32_t branches) {
    if (e->program->slices[slice].bytes == 1) which = !which;
    return which < 0 || (uint32_t)which >= branches ? branches - 1 : (uint32_t)which;
}
XG_FN xlagpu_status xr_run_conditional(xlagpu_execution *e, const uint32_t *links, uint32_t branches, void *stream) {
    int32_t which = 0;
    xlagpu_status s = xr_read_decision(e, links[0], stream, &which);
    return s == XLAGPU_OK ? xr_run_thunk(e, links[1 + xr_branch(e, links[0], which, branches)], stream) : s;
}

/* The loader has seen to it that thunks are a tree, at most XR_NESTING_MAX high. */
XG_FN xlagpu_status xr_run_thunk(xlagpu_execution *e, uint32_t number, void *stream) {
    const xg_exe_thunk *t = &e->program->thunks[number];
    const uint32_t *links = e->program->links + t->first_link;
    xlagpu_status s = XLAGPU_OK;
    uint32_t k;
    if (t->kind == XG_EXE_THUNK_WHILE) return xr_run_while(e, links, stream);
    if (t->kind == XG_EXE_THUNK_CONDITIONAL) return xr_run_conditional(e, links, t->n_links - 1, stream);
    if (t->kind == XG_EXE_THUNK_FOR) {
        for (k = 0; k < t->value && s == XLAGPU_OK; k++) s = xr_run_thunk(e, links[0], stream);
        return s;
    }
    /* its branches are concurrent themselves; copies that go aside do not wait for it */
    if (t->kind == XG_EXE_THUNK_COMMAND_BUFFER && (e->program->device->concurrent || !xr_lanes_has(e, number))) {
        bool done;
        s = xr_run_commands(e, number, stream, &done);
        if (done || s != XLAGPU_OK) return s;
    }
    if (xr_lanes_has(e, number)) return xr_run_lanes(e, number, stream);
    if (t->kind != XG_EXE_THUNK_COMMAND_BUFFER && t->kind != XG_EXE_THUNK_SEQUENCE)
        return e->profile.on ? xr_profile_step(e, t, stream) : xr_run_step(e, t, stream);
    for (k = 0; k < t->n_links && s == XLAGPU_OK; k++) s = xr_run_thunk(e, links[k], stream);
    return s;
}

XG_FN void xr_bind_base(xlagpu_execution *e, uint32_t allocation, uint64_t address) {
    e->version += e->base[allocation] != address;
    e->base[allocation] = address;
}
XG_FN xlagpu_status xr_bind(xlagpu_execution *e, const xlagpu_buffer *given, bool results) {
    const xlagpu_program *p = e->program;
    uint32_t n = results ? p->head.n_results : p->head.n_params, first = results ? p->head.n_params : 0, k;
    const char *what = results ? "result" : "parameter";
    if (!given && n) return xr_fail(&e->c, XLAGPU_ERROR_USAGE, "no buffers are given for the %u %ss", n, what);
    for (k = 0; k < n; k++) {
        const xg_exe_value *v = &p->values[first + k];
        if (given[k].bytes < v->bytes)
            return xr_fail(&e->c, XLAGPU_ERROR_USAGE, "the buffer of %s %u has %zu bytes; it needs %zu", what, k,
                given[k].bytes, (size_t)v->bytes);
        if (v->bytes && !given[k].address)
            return xr_fail(&e->c, XLAGPU_ERROR_USAGE, "the buffer of %s %u has no address", what, k);
        if (v->bytes && given[k].address % 16)
            return xr_fail(&e->c, XLAGPU_ERROR_USAGE, "the buffer of %s %u is not 16-byte aligned", what, k);
        if (!v->alias) xr_bind_base(e, v->allocation, given[k].address);
        if (e->bound[first + k] != given[k].address) e->bound_checked = false;
        e->bound[first + k] = given[k].address;
    }
    return XLAGPU_OK;
}
/* Both sides; whether they overlap is asked when an address has changed. */
XG_FN xlagpu_status xr_bind_all(xlagpu_execution *e, const xlagpu_buffer *parameters, const xlagpu_buffer *results) {
    xlagpu_status s = xr_bind(e, parameters, false);
    if (s == XLAGPU_OK) s = xr_bind(e, results, true);
    if (s == XLAGPU_OK && !e->bound_checked) s = xr_overlap_check(e);
    e->bound_checked = s == XLAGPU_OK;
    return s;
}

/* Results that share a parameter's memory: the caller gives both one buffer, and so gives the parameter away; or
 * another one, into which the parameter is copied first. */
XG_FN xlagpu_status xr_bind_shared(xlagpu_execution *e, const xlagpu_buffer *results, void *stream) {
    const xlagpu_program *p = e->program;
    uint32_t k;
    xlagpu_status s = XLAGPU_OK;
    for (k = 0; k < p->head.n_results && s == XLAGPU_OK; k++) {
        const xg_exe_value *v = &p->values[p->head.n_params + k];
        uint64_t from = e->base[v->allocation];
        if (!v->alias || from == results[k].address || !v->bytes) continue;
        if (v->alias & XG_EXE_MUST_ALIAS)
            return xr_fail(&e->c, XLAGPU_ERROR_USAGE,
                "result %u must have the buffer of parameter %u: the module says that the two share their memory", k,
                (v->alias & ~XG_EXE_MUST_ALIAS) - 1);
        s = p->device->platform->copy(e, results[k].address, from, (size_t)v->bytes, stream);
        xr_bind_base(e, v->allocation, results[k].address);
    }
    return s;
}

XLAGPU_DEF xlagpu_status xlagpu_rt_execute(
    xlagpu_execution *e, const xlagpu_buffer *parameters, const xlagpu_buffer *results, void *stream) {
    const xr_platform *q;
    xlagpu_status s, recorded;
    if (!e) return XLAGPU_ERROR_USAGE;
    xr_begin(&e->c);
    q = e->program->device->platform;
    s = xr_bind_all(e, parameters, results);
    if (s == XLAGPU_OK) s = q->enter(e);
    if (s != XLAGPU_OK) return s;
    e->running = true;
    xr_range(e->program->device, e->program->strings + e->program->head.name);
    s = xr_bind_shared(e, results, stream);
    if (s == XLAGPU_OK) s = xr_run_thunk(e, e->program->head.root_thunk, stream);
    /* after a failure, too: what was enqueued before it runs */
    recorded = e->ended ? q->event_record(e, e->ended, stream) : XLAGPU_OK;
    if (s == XLAGPU_OK) s = recorded;
    xr_range(e->program->device, NULL);
    q->leave(e);
    return s;
}
XLAGPU_DEF void xlagpu_rt_set_ids(xlagpu_execution *e, uint32_t replica, uint32_t partition) {
    if (!e) return;
    e->version += e->replica != replica || e->partition != partition;
    e->replica = replica;
    e->partition = partition;
}

/* ---- waiting for one execution ---- */

XLAGPU_DEF xlagpu_status xlagpu_rt_execution_wait(xlagpu_execution *e) {
    xlagpu_status s;
    if (!e) return XLAGPU_ERROR_USAGE;
    xr_begin(&e->c);
    s = e->program->device->platform->enter(e);
    if (s != XLAGPU_OK) return s;
    s = e->program->device->platform->event_wait(e, e->ended);
    e->running = e->running && s != XLAGPU_OK;
    e->program->device->platform->leave(e);
    return s;
}
XLAGPU_DEF xlagpu_status xlagpu_rt_execution_done(xlagpu_execution *e, bool *done) {
    xlagpu_status s;
    if (done) *done = false;
    if (!e || !done) return XLAGPU_ERROR_USAGE;
    xr_begin(&e->c);
    s = e->program->device->platform->enter(e);
    if (s != XLAGPU_OK) return s;
    s = e->program->device->platform->event_done(e, e->ended, done);
    e->program->device->platform->leave(e);
    return s;
}
XLAGPU_DEF const char *xlagpu_rt_execution_error(const xlagpu_execution *e) {
    return e ? e->c.message : "there is no execution";
}
XLAGPU_DEF const char *xlagpu_rt_execution_note(const xlagpu_execution *e) { return e ? e->note : ""; }

/* ---- the easy way ---- */

/* Copies between logical row-major order and the buffer's, element by element; in: row-major to buffer. */
XG_FN void xr_permute(const xlagpu_rt_value *v, const char *from, char *to, bool in) {
    int64_t stride[XR_RANK_MAX], index[XR_RANK_MAX], step = 1;
    size_t elements = 1, size, k;
    uint32_t d;
    for (d = 0; d < v->rank; d++) {
        stride[v->minor_to_major[d]] = step;
        step *= v->dims[v->minor_to_major[d]];
        index[d] = 0;
        elements *= (size_t)v->dims[d];
    }
    if (!elements) return;
    size = v->bytes / elements;
    for (k = 0; k < elements; k++) {
        size_t place = 0;
        for (d = 0; d < v->rank; d++) place += (size_t)(index[d] * stride[d]);
        if (in)
            memcpy(to + place * size, from + k * size, size);
        else
            memcpy(to + k * size, from + place * size, size);
        for (d = v->rank; d-- > 0;) {
            if (++index[d] < v->dims[d]) break;
            index[d] = 0;
        }
    }
}
XG_FN bool xr_is_row_major(const xlagpu_rt_value *v) {
    uint32_t d;
    for (d = 0; d < v->rank; d++)
        if (v->minor_to_major[d] != (int64_t)v->rank - 1 - d) return false;
    return true;
}

XG_FN xlagpu_status xr_move_tensor(
    xlagpu_device *d, const xlagpu_rt_value *v, const xlagpu_rt_tensor *t, const xlagpu_buffer *b, bool in) {
    char *spare;
    xlagpu_status s;
    if (!v->bytes) return XLAGPU_OK;
    if (xr_is_row_major(v))
        return in ? d->platform->upload(d, b->address, t->data, v->bytes)
                  : d->platform->download(d, t->data, b->address, v->bytes);
    spare = (char *)xg_mem_alloc(&d->c, v->bytes);
    if (!spare) return xr_fail(&d->c, XLAGPU_ERROR_MEMORY, "out of memory: %zu bytes to change a layout", v->bytes);
    if (in) {
        xr_permute(v, (const char *)t->data, spare, true);
        s = d->platform->upload(d, b->address, spare, v->bytes);
    } else {
        s = d->platform->download(d, spare, b->address, v->bytes);
        if (s == XLAGPU_OK) xr_permute(v, spare, (char *)t->data, false);
    }
    xg_mem_free(&d->c, spare);
    return s;
}

XG_FN xlagpu_status xr_check_tensors(xlagpu_program *p, const xlagpu_rt_tensor *t, uint32_t n, bool results) {
    uint32_t want = results ? p->head.n_results : p->head.n_params, k;
    const char *what = results ? "output" : "input";
    xlagpu_rt_value v;
    if (n != want)
        return xr_fail(
            &p->device->c, XLAGPU_ERROR_USAGE, "%u %s%s given; the program has %u", n, what, n == 1 ? "" : "s", want);
    if (!t && n) return xr_fail(&p->device->c, XLAGPU_ERROR_USAGE, "there are no %ss", what);
    for (k = 0; k < n; k++) {
        xr_value(p, results ? p->head.n_params + k : k, &v);
        if (t[k].bytes != v.bytes)
            return xr_fail(
                &p->device->c, XLAGPU_ERROR_USAGE, "%s %u has %zu bytes; it needs %zu", what, k, t[k].bytes, v.bytes);
        if (!t[k].data && v.bytes) return xr_fail(&p->device->c, XLAGPU_ERROR_USAGE, "%s %u has no data", what, k);
    }
    return XLAGPU_OK;
}

/* Once, in buffers that are there, and waits; the message of the execution becomes the device's. */
XG_FN xlagpu_status xr_run_once(xlagpu_execution *e, const xlagpu_buffer *parameters, const xlagpu_buffer *results) {
    xlagpu_device *d = e->program->device;
    xlagpu_status s = xlagpu_rt_execute(e, parameters, results, NULL);
    if (s != XLAGPU_OK) return xr_fail(&d->c, s, "%s", xlagpu_rt_execution_error(e));
    s = d->platform->wait(d, NULL);
    e->running = s != XLAGPU_OK;
    return s;
}

/* A result that shares a parameter's memory has its buffer: the program's copy of the input is ours to give away. */
XG_FN xlagpu_status xr_run_tensors(xlagpu_execution *e, const xlagpu_rt_tensor *inputs, uint32_t n_inputs,
    const xlagpu_rt_tensor *outputs, uint32_t n_outputs, xlagpu_buffer *b) {
    xlagpu_program *p = e->program;
    xlagpu_device *d = p->device;
    xlagpu_rt_value v;
    xlagpu_status s = XLAGPU_OK;
    uint32_t k, n = n_inputs + n_outputs;
    for (k = 0; k < n && s == XLAGPU_OK; k++) {
        xr_value(p, k, &v);
        if (v.alias) {
            b[k] = b[v.alias - 1];
            continue;
        }
        s = xr_alloc(d, v.bytes, &b[k].address);
        b[k].bytes = v.bytes;
        if (s == XLAGPU_OK && k < n_inputs) s = xr_move_tensor(d, &v, &inputs[k], &b[k], true);
    }
    if (s == XLAGPU_OK) s = xr_run_once(e, b, b + n_inputs);
    for (k = 0; k < n_outputs && s == XLAGPU_OK; k++) {
        xr_value(p, n_inputs + k, &v);
        s = xr_move_tensor(d, &v, &outputs[k], &b[n_inputs + k], false);
    }
    for (k = n; k-- > 0;) {
        xr_value(p, k, &v);
        if (!v.alias) xr_release(d, b[k].address);
    }
    return s;
}

XLAGPU_DEF xlagpu_status xlagpu_rt_run_with(xlagpu_execution *e, const xlagpu_rt_tensor *inputs, uint32_t n_inputs,
    const xlagpu_rt_tensor *outputs, uint32_t n_outputs) {
    xlagpu_device *d;
    xlagpu_buffer *b;
    xlagpu_status s;
    if (!e) return XLAGPU_ERROR_USAGE;
    d = e->program->device;
    xr_begin(&d->c);
    s = xr_check_tensors(e->program, inputs, n_inputs, false);
    if (s == XLAGPU_OK) s = xr_check_tensors(e->program, outputs, n_outputs, true);
    if (s != XLAGPU_OK) return s;
    b = (xlagpu_buffer *)xg_mem_alloc(&d->c, ((size_t)n_inputs + n_outputs + 1) * sizeof *b);
    if (!b) return xr_fail(&d->c, XLAGPU_ERROR_MEMORY, "out of memory");
    memset(b, 0, ((size_t)n_inputs + n_outputs + 1) * sizeof *b);
    s = xr_run_tensors(e, inputs, n_inputs, outputs, n_outputs, b);
    xg_mem_free(&d->c, b);
    return s;
}

XLAGPU_DEF xlagpu_status xlagpu_rt_run(xlagpu_program *p, const xlagpu_rt_tensor *inputs, uint32_t n_inputs,
    const xlagpu_rt_tensor *outputs, uint32_t n_outputs) {
    xlagpu_execution *e;
    xlagpu_status s;
    if (!p) return XLAGPU_ERROR_USAGE;
    xr_begin(&p->device->c);
    s = xr_check_tensors(p, inputs, n_inputs, false);
    if (s == XLAGPU_OK) s = xr_check_tensors(p, outputs, n_outputs, true);
    if (s != XLAGPU_OK) return s;
    e = xlagpu_rt_prepare(p);
    if (!e) return p->device->c.status;
    s = xlagpu_rt_run_with(e, inputs, n_inputs, outputs, n_outputs);
    xlagpu_rt_finish(e);
    return s;
}

#endif /* XG_RT_EXECUTE_C */
#endif
#endif

/*
This software is available under two licenses; choose whichever you prefer.
------------------------------------------------------------------------------
ALTERNATIVE A - MIT License

Copyright (c) 2026 the xlagpu authors

Permission is hereby granted, free of charge, to any person obtaining a copy of
this software and associated documentation files (the "Software"), to deal in
the Software without restriction, including without limitation the rights to
use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies
of the Software, and to permit persons to whom the Software is furnished to do
so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
------------------------------------------------------------------------------
ALTERNATIVE B - Public Domain (www.unlicense.org)

This is free and unencumbered software released into the public domain.

Anyone is free to copy, modify, publish, use, compile, sell, or distribute this
software, either in source code form or as a compiled binary, for any purpose,
commercial or non-commercial, and by any means.

In jurisdictions that recognize copyright laws, the author or authors of this
software dedicate any and all copyright interest in the software to the public
domain. We make this dedication for the benefit of the public at large and to
the detriment of our heirs and successors. We intend this dedication to be an
overt act of relinquishment in perpetuity of all present and future rights to
this software under copyright law.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN
ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION
WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
*/
