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
 *           execution's own (xlagpu_rt_execution_error) and names the kernel and the HLO instruction. A message stays
 *           until the next call on the same device or execution.
 * THREADS   xlagpu_rt_execute and xlagpu_rt_execution_error: each execution on one thread at a time, different ones, of
 *           one program or several, on different threads at once. All other calls: one thread at a time per device, and
 *           on "host" not while an execution of the device runs.
 *
 * CONFIGURATION
 *     XLAGPU_NO_SIMULATOR   only the cuda platform: a smaller object
 *     XLAGPU_USE_LLVM_CPU   the platform "llvm-cpu": object code for this processor (x86-64 from v3 on, aarch64; gcc or
 *                           clang), which a compiler with XLAGPU_USE_LLVM has made; needs no LLVM
 *     XLAGPU_USE_NCCL       several GPUs meet by NCCL, which is found at run time (cliques, below)
 *     XLAGPU_STATIC, XLAGPU_ASSERT, XLAGPU_NO_EXTENSIONS as in xlagpu.h. None changes a public type. */
#ifndef XLAGPU_RUNTIME_H
#define XLAGPU_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/version.h"
#include "api/status.h"
#include "api/counters.h"
#include "api/target.h"
#include "api/texture.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct xlagpu_device xlagpu_device;
typedef struct xlagpu_program xlagpu_program;
typedef struct xlagpu_execution xlagpu_execution;

/* What one launch on "host" did with an instruction of its kernel. */
typedef struct xlagpu_rt_line {
    const char *kernel, *text; /* its place in the PTX, up to the end of which the line goes on; no 0 behind it */
    uint32_t length, line;     /* the first line is 1 */
    uint32_t target;           /* of a branch: the line of the instruction that it leads to; else 0 */
    uint32_t class_index;      /* an xlagpu_class */
    uint64_t warps, lanes;     /* so many executed it */
} xlagpu_rt_line;

/* ---- device ---- */

/* All zero is the default. */
typedef struct xlagpu_device_desc {
    const char *platform;       /* "auto" (or NULL), "cuda", "host", "llvm-cpu" */
    int ordinal;                /* which GPU */
    xlagpu_allocator allocator; /* host memory; zero: malloc and free */
    uint32_t threads;           /* of the simulator, and for loading kernels on "cuda"; 0: one per processor */
    /* every kernel is launched by itself; on "cuda" otherwise runs of them are CUDA graphs */
    bool no_command_buffers;
    /* cuda: names the program and its steps for NVIDIA's profilers by their library, which CUDA 12 has and CUDA 13 has
     * not: see range, and xlagpu_rt_note */
    bool nvtx;
    bool predict; /* host: launches are counted for the model of time: slower */
    /* ... as if grids had so many times the blocks, and these so many times the memory: a small grid stands for a large
     * one; 0: 1, and the first */
    uint32_t predict_scale, predict_memory_scale;
    const char *part;   /* host: the GPU that it stands for, "H200"; NULL: the usual one of "sm_90a" */
    const char *cache;  /* cuda: a folder in which machine code is kept, by PTX, driver and GPU; NULL: none */
    const char *driver; /* cuda: another driver library to open; NULL: the system's */
    /* where vendor libraries lie that a program calls (cuBLASLt ..); NULL: cuda: where the system looks; host: none. On
     * "host" they are imitations, which compute in host memory. The text must stay while the device is open */
    const char *library_folder;
    /* host: called now and then in a launch, on the thread that made it; NULL: not asked */
    void (*progress)(void *user, const char *kernel, uint64_t done, uint64_t blocks);
    void *progress_user;
    /* host: what kernels print by printf, in pieces, on the thread that runs them; NULL: it is dropped */
    void (*print)(void *user, const char *text, size_t bytes);
    void *print_user;
    /* host: called behind each launch for each instruction that was executed, in the order of the PTX; NULL: not asked
     */
    void (*line)(void *user, const xlagpu_rt_line *line);
    void *line_user;
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
    /* cuda: what the driver's compiler says of a program's kernels (registers, spills) and how long it took, for each
     * part that it compiles; the cache is not asked then */
    void (*jit_log)(void *user, const char *program, double milliseconds, const char *text);
    void *jit_log_user;
    /* host: what approximate instructions (ex2.approx and so on) return: 0 what devices usually do, 1 the least, 2 the
     * greatest value that their documented error allows, 3 one of these two, by the operand */
    uint32_t approximations;
} xlagpu_device_desc;

/* Opens a device. On failure the status says why and *out is a device that only answers xlagpu_rt_error and
 * xlagpu_rt_close (NULL when there was no memory even for that). desc may be NULL. "auto" never fails for lack of a GPU
 * unless the simulator is compiled out. */
XLAGPU_DEF xlagpu_status xlagpu_rt_open(const xlagpu_device_desc *desc, xlagpu_device **out);
XLAGPU_DEF void xlagpu_rt_close(xlagpu_device *device); /* NULL is allowed; waits for what runs */
XLAGPU_DEF const char *xlagpu_rt_error(const xlagpu_device *device);
XLAGPU_DEF xlagpu_status xlagpu_rt_error_status(const xlagpu_device *device); /* its class */
XLAGPU_DEF const char *xlagpu_rt_note(
    const xlagpu_device *device); /* what was asked for and is not there; "": nothing */
XLAGPU_DEF const char *xlagpu_rt_platform(const xlagpu_device *device); /* "cuda", "host" or "llvm-cpu" */
XLAGPU_DEF const char *xlagpu_rt_name(const xlagpu_device *device);     /* "NVIDIA H200", "PTX simulator" */
XLAGPU_DEF const char *xlagpu_rt_target(const xlagpu_device *device);   /* what to compile for: "sm_90a" */
/* The same with all figures, as the driver gives them, for xlagpu_compile_desc: a kernel is made for this very GPU.
 * What a driver does not know is that of the part. The simulator's is that of its target. */
XLAGPU_DEF xlagpu_status xlagpu_rt_target_desc(const xlagpu_device *device, xlagpu_target_desc *out);

/* The vendor libraries that are there and can be called, "cublaslt,cufft" or "": for xlagpu_compile_desc.libraries. */
XLAGPU_DEF const char *xlagpu_rt_libraries(xlagpu_device *device);

/* ---- buffers: device memory that the caller owns ---- */

typedef struct xlagpu_buffer {
    uint64_t address;
    size_t bytes;
} xlagpu_buffer; /* bytes 0: none */
XLAGPU_DEF xlagpu_status xlagpu_rt_alloc(
    xlagpu_device *device, size_t bytes, xlagpu_buffer *out); /* 256-byte aligned, contents undefined */
/* The address must be the one that xlagpu_rt_alloc gave; others, and buffers that are freed already, are ignored. */
XLAGPU_DEF void xlagpu_rt_free(xlagpu_device *device, xlagpu_buffer buffer);
XLAGPU_DEF xlagpu_status xlagpu_rt_upload(
    xlagpu_device *device, xlagpu_buffer to, const void *from, size_t bytes); /* blocks */
XLAGPU_DEF xlagpu_status xlagpu_rt_download(
    xlagpu_device *device, void *to, xlagpu_buffer from, size_t bytes); /* blocks */

/* ---- functions that programs call ---- */

/* A parameter, a leaf of the result, or an array of a call. minor_to_major is the order in device buffers, the
 * contiguous dimension first; host tensors are row-major. */
/* alias: of a result, the parameter (operand of the call) whose memory it shares, plus 1; size_of: of an s32[] that
 * says how much there is of a bounded dimension, that dimension of the array in front of it, plus 1 */
typedef struct xlagpu_rt_value {
    xlagpu_type type;
    uint32_t rank;
    const int64_t *dims, *minor_to_major;
    size_t bytes;
    const char *name;
    uint32_t alias, size_of;
} xlagpu_rt_value;

/* An attribute of a call. A scalar has a count of 1; elements lie at data as C has them, a pred as one byte. A string
 * has count characters and a zero behind them. The members of a dictionary are const xlagpu_rt_attribute[count]; a list
 * is a dictionary whose members are called "". */
typedef struct xlagpu_rt_attribute {
    const char *name;
    xlagpu_attribute_kind kind;
    xlagpu_type type;
    uint32_t count;
    const void *data;
} xlagpu_rt_attribute;

/* What a custom-call is given: its buffers, operands first, then results, leaf by leaf without tokens, in device
 * layout, and of each its array. On "cuda" the function enqueues its work on the stream and does not wait; the GPU's
 * context is current. On "host" an address is a pointer: (float *)(uintptr_t)call->buffers[0].address. */
typedef struct xlagpu_rt_call {
    const char *target, *config, *hlo; /* custom_call_target; backend_config; the instruction's name */
    const xlagpu_buffer *buffers;
    uint32_t n_operands, n_results;
    void *stream; /* a CUstream; NULL: the default one, and on "host" */
    xlagpu_device *device;
    const xlagpu_rt_value *arrays;         /* of each buffer: its type, dimensions and layout */
    const xlagpu_rt_attribute *attributes; /* of a backend_config that is a dictionary, {n = 3 : i64, s = "x"} */
    uint32_t n_attributes;
    xlagpu_buffer scratch; /* the device memory that prepare has asked for; its contents are undefined */
    void *state;           /* what prepare has left there */
    char *error;           /* room for a message of why it fails, which the caller sees with the HLO's name */
    size_t error_bytes;
} xlagpu_rt_call;
typedef xlagpu_status (*xlagpu_rt_function)(void *user, const xlagpu_rt_call *call);
/* Registers a function under the name that modules call it by, before such a program is loaded; a name once. "infeed"
 * fills its results, "outfeed" takes its operands. An executable may be run by several executions at once: then so is
 * the function. */
XLAGPU_DEF xlagpu_status xlagpu_rt_register(
    xlagpu_device *device, const char *name, xlagpu_rt_function function, void *user);

/* A function with a beginning and an end. prepare runs in xlagpu_rt_prepare, once for each call of the program: it may
 * refuse, ask for memory by call->scratch.bytes, and leave something in call->state; buffers have their sizes and no
 * addresses yet. finish runs in xlagpu_rt_finish for each call that was prepared. Either may be NULL. */
typedef struct xlagpu_rt_function_desc {
    const char *name;
    xlagpu_rt_function call;
    xlagpu_status (*prepare)(void *user, xlagpu_rt_call *call);
    void (*finish)(void *user, const xlagpu_rt_call *call);
    void *user;
} xlagpu_rt_function_desc;
XLAGPU_DEF xlagpu_status xlagpu_rt_register_function(xlagpu_device *device, const xlagpu_rt_function_desc *desc);

/* The attribute of that name and kind, of elements of that type (XLAGPU_INVALID: any); NULL: the call has none. */
XLAGPU_DEF const xlagpu_rt_attribute *xlagpu_rt_attribute_of(
    const xlagpu_rt_call *call, const char *name, xlagpu_attribute_kind kind, xlagpu_type type);

/* ---- programs ---- */

/* Checks the bytes (damaged ones are refused with ERROR_CORRUPT), copies what it needs and loads the kernels. Of
 * several executables, one behind the other, it takes the one for the newest target that runs on the device. NULL on
 * failure; the message names all functions that the program calls and that are not registered. */
XLAGPU_DEF xlagpu_program *xlagpu_rt_load(xlagpu_device *device, const void *bytes, size_t size);
XLAGPU_DEF void xlagpu_rt_unload(xlagpu_program *program); /* and finishes its executions; NULL is allowed */
XLAGPU_DEF uint32_t xlagpu_rt_parameter_count(const xlagpu_program *program);
XLAGPU_DEF uint32_t xlagpu_rt_result_count(const xlagpu_program *program);
XLAGPU_DEF bool xlagpu_rt_parameter(const xlagpu_program *program, uint32_t index, xlagpu_rt_value *out);
XLAGPU_DEF bool xlagpu_rt_result(const xlagpu_program *program, uint32_t index, xlagpu_rt_value *out);

XLAGPU_DEF const char *xlagpu_rt_program_name(const xlagpu_program *program); /* of the HLO module */
/* what it was compiled for: "sm_90a" */
XLAGPU_DEF const char *xlagpu_rt_program_target(const xlagpu_program *program);

/* A kernel of the program, as it is launched. */
typedef struct xlagpu_rt_kernel {
    const char *name;
    uint32_t grid[3], block[3];
    uint32_t shared_bytes;
} xlagpu_rt_kernel;
XLAGPU_DEF uint32_t xlagpu_rt_kernel_count(const xlagpu_program *program);
XLAGPU_DEF bool xlagpu_rt_kernel_info(const xlagpu_program *program, uint32_t index, xlagpu_rt_kernel *out);

/* Host arrays in, host arrays out, in logical row-major order; blocks. bytes of each must be exactly the value's. The
 * easy way. Device buffers are kept for the next run until the program is unloaded. */
typedef struct xlagpu_rt_tensor {
    void *data;
    size_t bytes;
} xlagpu_rt_tensor;
XLAGPU_DEF xlagpu_status xlagpu_rt_run(xlagpu_program *program, const xlagpu_rt_tensor *inputs, uint32_t n_inputs,
    const xlagpu_rt_tensor *outputs, uint32_t n_outputs);

/* The same in an execution that is there (below), which keeps its buffers for the next run until it is finished. */
XLAGPU_DEF xlagpu_status xlagpu_rt_run_with(xlagpu_execution *execution, const xlagpu_rt_tensor *inputs,
    uint32_t n_inputs, const xlagpu_rt_tensor *outputs, uint32_t n_outputs);

/* ---- executions: the fast way ---- */

/* All the memory one run needs beside parameters and results. NULL on failure. */
XLAGPU_DEF xlagpu_execution *xlagpu_rt_prepare(xlagpu_program *program);
XLAGPU_DEF void xlagpu_rt_finish(xlagpu_execution *execution); /* waits for the last run; NULL is allowed */
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

/* ---- cliques: several devices that run one program together ---- */

/* Devices of one process, each run on a thread of its own: GPUs from device.ordinal on, or simulators, each with memory
 * of its own. They meet in the program's collectives. A program that was compiled for several devices says which part
 * of its parameters and results each has.
 *
 *     desc.device.platform = "host"; desc.devices = 8;
 *     if (!xlagpu_rt_clique_open(&desc, &c) && (p = xlagpu_rt_clique_load(c, bytes, size)) != NULL)
 *         status = xlagpu_rt_clique_run(p, inputs, n, outputs, k);        // whole arrays
 *
 * Results do not depend on which device comes first. When a device fails, all do, and the message is that of the first;
 * where devices would wait for each other for ever, it says which device waits in which HLO instruction. The allocator
 * is called from several threads.
 *
 * GPUs meet by NCCL (2.14 or newer), found at run time: in device.library_folder, or where the system looks. One that
 * waits for longer than the timeout gives up; then, as after every failure in which a device was waiting, the clique
 * is of no use any more but to be closed. Who enqueues runs by xlagpu_rt_execute learns of such failures by
 * xlagpu_rt_execution_wait only: on a stream, devices wait for as long as it takes. */
typedef struct xlagpu_clique xlagpu_clique;
typedef struct xlagpu_rt_clique_desc {
    xlagpu_device_desc device; /* of each; threads are shared among them */
    uint32_t devices;
    /* seconds that a device waits for another one in a collective, where the caller runs them (xlagpu_rt_execute); 0:
     * 60 */
    double timeout;
    /* cuda: this process is one of several, each with so many devices of its own; device k of process p is number
     * p * devices + k. Which one, of how many (0: one), and where process 0 waits for the others, "host:port" */
    uint32_t process, processes;
    const char *address;
    /* cuda: all that is what torchrun, mpirun or srun say: RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT and their names
     * with OMPI_, PMI_ and SLURM_; GPUs are counted from LOCAL_RANK * devices on. One process where they say nothing */
    bool environment;
    /* instead of an address: gives what process 0 has in bytes to all others; every process calls it as often. Not
     * XLAGPU_OK: it failed */
    xlagpu_status (*share)(void *user, void *bytes, size_t size);
    void *share_user;
} xlagpu_rt_clique_desc;
/* On failure *out only answers xlagpu_rt_clique_error and xlagpu_rt_clique_close (NULL: no memory even for that). */
XLAGPU_DEF xlagpu_status xlagpu_rt_clique_open(const xlagpu_rt_clique_desc *desc, xlagpu_clique **out);
XLAGPU_DEF void xlagpu_rt_clique_close(xlagpu_clique *clique); /* frees its devices and their programs, too */
XLAGPU_DEF const char *xlagpu_rt_clique_error(const xlagpu_clique *clique);
XLAGPU_DEF xlagpu_device *xlagpu_rt_clique_device(xlagpu_clique *clique, uint32_t index); /* NULL: there is none */
/* On how many devices together these bytes run; 0: they are damaged. */
XLAGPU_DEF uint32_t xlagpu_rt_devices(const void *bytes, size_t size);
/* Loads the program on all devices; gives that of device 0, NULL on failure. Devices are numbered replica * partitions
 * + partition. */
XLAGPU_DEF xlagpu_program *xlagpu_rt_clique_load(xlagpu_clique *clique, const void *bytes, size_t size);
/* The program of another device. Prepared and executed by the caller, on a thread for each device, they meet, too. */
XLAGPU_DEF xlagpu_program *xlagpu_rt_clique_program(xlagpu_program *program, uint32_t index);
/* As xlagpu_rt_parameter and xlagpu_rt_result, but of the whole array: dims and bytes. */
XLAGPU_DEF bool xlagpu_rt_clique_parameter(const xlagpu_program *program, uint32_t index, xlagpu_rt_value *out);
XLAGPU_DEF bool xlagpu_rt_clique_result(const xlagpu_program *program, uint32_t index, xlagpu_rt_value *out);
/* Runs it on all devices: whole host arrays in, whole host arrays out. What every replica has is that of replica 0. Of
 * several processes, each has the whole inputs and fills in what its own devices have of the outputs. */
XLAGPU_DEF xlagpu_status xlagpu_rt_clique_run(xlagpu_program *program, const xlagpu_rt_tensor *inputs,
    uint32_t n_inputs, const xlagpu_rt_tensor *outputs, uint32_t n_outputs);
/* Behind such a run, on every process: process 0 has the whole outputs then. One process has them already. Not where
 * processes share by a function. */
XLAGPU_DEF xlagpu_status xlagpu_rt_clique_gather(
    xlagpu_program *program, const xlagpu_rt_tensor *outputs, uint32_t n_outputs);
/* How many processes torchrun, mpirun or srun say there are, and which one this is. 1: they say nothing, or the runtime
 * has no NCCL; 0: what they say makes no sense, and xlagpu_rt_clique_open with `environment` says why. */
XLAGPU_DEF uint32_t xlagpu_rt_processes(uint32_t *process);

/* ---- profiles ---- */

/* One step of one run. start: since the profile began. flops and bytes: what the step computes, and moves at least.
 * instructions: of warps, on "host". */
typedef struct xlagpu_rt_event {
    const char *hlo, *kind, *kernel;
    uint32_t thunk;
    double start, seconds;
    uint64_t flops, bytes, instructions;
    double predicted; /* seconds on the GPU that the simulator stands for, if it predicts; 0: not known */
    uint32_t limit;   /* what limits it then: xlagpu_limit_name */
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
    /* by the model of time, if the device was opened to predict: nanoseconds of all launches; of the last one, what
     * limits it (xlagpu_limit_name), and thousandths of the device's best bandwidth or rate that it reaches */
    uint64_t predicted_ns;
    uint32_t limit, peak_permille;
} xlagpu_kernel_stats;
XLAGPU_DEF const char *xlagpu_limit_name(uint32_t limit);       /* "memory", "f32", "latency" ... */
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
 * deadlocks, warp instructions that name sleeping lanes, copies that were not waited for, memory barriers used wrongly,
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
    uint64_t instructions; /* host: warp instructions that a block may execute; 0: 2^31, about a minute */
    /* host: not 0: decides in which order blocks, warps and the lanes of atomic operations come. With one thread a seed
     * gives the same result each time; results that differ between seeds depend on an order that no GPU promises */
    uint64_t seed;
    uint32_t max_faults; /* host: how many different faults to look for; 0: 1 */
    uint32_t registers;  /* of a thread, for the model of time; 0: estimated */
} xlagpu_ptx_launch;
XLAGPU_DEF xlagpu_status xlagpu_rt_run_ptx(
    xlagpu_ptx *ptx, const xlagpu_ptx_launch *launch, xlagpu_kernel_stats *stats);
/* The faults of the device's last such launch, each a text of several lines; NULL behind the last one. */
XLAGPU_DEF const char *xlagpu_rt_fault(const xlagpu_device *device, uint32_t index);
/* host: what a buffer is, for the texts of faults: "argument 2, out:b.npy, f32[3,4]", the bytes of an element, its
 * dimensions. And that it counts as never written. Elsewhere these do nothing. */
XLAGPU_DEF xlagpu_status xlagpu_rt_describe_buffer(xlagpu_device *device, xlagpu_buffer buffer, const char *name,
    uint32_t item_bytes, const int64_t *dims, uint32_t rank);
XLAGPU_DEF void xlagpu_rt_forget_contents(xlagpu_device *device, xlagpu_buffer buffer);
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
/* host: the object of an xlagpu_texture (its fields stand at the beginning of this header). Its buffer's address is the
 * cudaTextureObject_t that a kernel takes; xlagpu_rt_free ends it. Elsewhere ERROR_UNSUPPORTED: the objects of a GPU
 * are its driver's, by cuTexObjectCreate. */
XLAGPU_DEF xlagpu_status xlagpu_rt_make_texture(
    xlagpu_device *device, const xlagpu_texture *texture, xlagpu_buffer *object);

#ifdef __cplusplus
}
#endif
#endif /* XLAGPU_RUNTIME_H */

#if defined(XLAGPU_IMPLEMENTATION) && !defined(XLAGPU_RUNTIME_IMPLEMENTATION_DONE)
#define XLAGPU_RUNTIME_IMPLEMENTATION_DONE
#include "rooms_runtime.h"
#endif
