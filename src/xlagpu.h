/* xlagpu.h -- HLO text in, PTX out: a compiler for XLA modules in one C header. Public domain or MIT, see the end.
 *
 * Do this in ONE C or C++ file:
 *     #define XLAGPU_IMPLEMENTATION
 *     #include "xlagpu.h"
 * and include it without the define everywhere else. Link with -lm. `xlagpu_runtime.h` beside it runs what this one
 * compiles; the two work alone or together, in either order, in one file or in two.
 *
 * WHAT IT DOES
 *     context -> parse -> (verify) -> compile for a target -> executable bytes
 *
 *     xlagpu_context *c = xlagpu_create(NULL);
 *     xlagpu_module *m = xlagpu_parse(c, "model.hlo", text, size);
 *     xlagpu_bytes exe = m ? xlagpu_compile(m, NULL) : (xlagpu_bytes){0};
 *     if (!exe.data) puts(xlagpu_error(c));       // file:line:col: error: ..., the source line, a caret, a hint
 *     ... write exe.data[0..exe.size) to a file, or give it to xlagpu_rt_load ...
 *     xlagpu_destroy(c);                           // frees the module and the bytes too
 *
 * MEMORY    Everything comes from the context's allocator and is freed by xlagpu_destroy (a module and what was made of
 *           it also by xlagpu_module_destroy). Pointers handed out live as long as their module, or their context.
 * ERRORS    A call that can fail returns NULL, a zeroed value or a status, and leaves a message in the context until
 *           the next call. Nothing is printed, nothing aborts, whatever the input.
 * THREADS   One context is used by one thread at a time; contexts are independent. No global state. Executable bytes
 *           are immutable.
 * SAME IN, SAME OUT  Equal text, options and version give equal bytes.
 *
 * CONFIGURATION (define before including, the same wherever the implementation is)
 *     XLAGPU_STATIC         public functions become static: two libraries may carry their own copy
 *     XLAGPU_ASSERT(x)      checks of our own invariants; off by default
 *     XLAGPU_NO_EXTENSIONS  no compiler extensions (attributes, vectors): plain ISO C
 *     XLAGPU_SMALL          half the code: HLO text alone, one device, and none of solvers, sorts, random and complex
 *                           numbers, transforms, scans; attention and rows without fusions of their own; the evaluator
 *                           for elementwise operations and data movement. What it lacks it refuses by name
 * (xlagpu_runtime.h adds XLAGPU_NO_SIMULATOR.) None of them changes a public type. */
#ifndef XLAGPU_H
#define XLAGPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/version.h"
#include "api/status.h"
#include "api/counters.h"
#include "api/target.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct xlagpu_context xlagpu_context;
typedef struct xlagpu_module xlagpu_module;
typedef struct xlagpu_bytes {
    const unsigned char *data;
    size_t size;
} xlagpu_bytes;

/* ---- context ---- */

/* All zero is the default. */
typedef struct xlagpu_context_desc {
    xlagpu_allocator allocator; /* zero: malloc and free */
    /* bytes this context may hold at a time; 0: no limit. Beyond it calls fail with ERROR_MEMORY */
    size_t memory_limit;
} xlagpu_context_desc;

/* NULL only when there is no memory for the context itself. desc may be NULL. */
XLAGPU_DEF xlagpu_context *xlagpu_create(const xlagpu_context_desc *desc);
/* Frees all that was made through the context. NULL is allowed. */
XLAGPU_DEF void xlagpu_destroy(xlagpu_context *context);
/* The last failure: its message ("" when there was none), its class, its place (1-based; 0 when it has none). */
XLAGPU_DEF const char *xlagpu_error(const xlagpu_context *context);
XLAGPU_DEF xlagpu_status xlagpu_error_status(const xlagpu_context *context);
XLAGPU_DEF void xlagpu_error_position(const xlagpu_context *context, uint32_t *line, uint32_t *column);
/* "ok", "the text does not follow the grammar" ... */
XLAGPU_DEF const char *xlagpu_status_text(xlagpu_status status);
XLAGPU_DEF const char *xlagpu_type_text(xlagpu_type type); /* "f32" */

/* ---- module ---- */

/* Parses and verifies a module, told by its first bytes: HLO text as XLA dumps it and as jax.jit(f).lower(x)
 * .as_text("hlo") prints it, a whole module or one instruction; StableHLO as text or bytecode, a jax.export artifact,
 * an HLO protobuf. size excludes a NUL at the end of the text: strlen(text), sizeof text - 1.
 * name appears in messages. The text is copied. NULL on failure. */
XLAGPU_DEF xlagpu_module *xlagpu_parse(xlagpu_context *context, const char *name, const char *text, size_t size);
typedef enum xlagpu_source {
    XLAGPU_SOURCE_ANY, /* told by the first bytes */
    XLAGPU_SOURCE_HLO,
    XLAGPU_SOURCE_STABLEHLO, /* MLIR text, also of mhlo and chlo */
    XLAGPU_SOURCE_BYTECODE,  /* MLIR bytecode, a portable artifact */
    XLAGPU_SOURCE_EXPORT,    /* what jax.export's serialize() gives */
    XLAGPU_SOURCE_PROTO      /* HloModuleProto, HloProto, HloSnapshot */
} xlagpu_source;
/* On which devices a module runs, and what each of them has of its arrays, where the text does not say so, or
 * otherwise. All zero: as the text says. */
typedef struct xlagpu_placement {
    uint32_t replicas, partitions; /* with a mesh, as many partitions as it has devices */
    const char *mesh;              /* "data=2,model=4": axes and their sizes, major first; "2x4": axes x and y */
    /* "w1=-,model; arg0=data; out0=data": of parameters by name, and of leaves of all parameters (arg0) and results
     * (out0): for each dimension the axes that split it, a+b with the major one first, - where none does */
    const char *shardings;
    /* "data": axes along which the batch is split, wherever parameters and results have that dimension: data
     * parallelism. Without a mesh it is one: "8" */
    const char *batch;
} xlagpu_placement;
/* All zero but text and size is what xlagpu_parse does. Its texts are copied. */
typedef struct xlagpu_parse_desc {
    const char *name, *text;
    size_t size;
    /* "b=8,arg1.0=4": sizes of dimensions that StableHLO leaves open, tensor<?x8xf32>, by jax.export's names or by
     * argument and dimension; those that the program asserts to be the same need no word. NULL: none */
    const char *dims;
    xlagpu_placement placement;
    xlagpu_source format; /* the text is read as that, whatever it looks like */
    const char *entry;    /* the function of StableHLO that is the program; NULL: @main, or the only public one */
    /* "--xla_gpu_ftz=true --xla_disable_hlo_passes=cse": XLA's flags for all compilations of the module, beside what an
     * xlagpu_compile_desc asks for. xla_gpu_ftz, xla_gpu_deterministic_ops, xla_allow_excess_precision,
     * xla_gpu_enable_while_loop_double_buffering, xla_gpu_graph_min_graph_size, xla_disable_all_hlo_passes and
     * xla_disable_hlo_passes mean what the fields there do; xla_gpu_all_reduce_combine_threshold_bytes, and those of
     * all_gather and reduce_scatter, say how many bytes are combined at most (0: the model of time does); other flags
     * of XLA have no effect. NULL: none */
    const char *flags;
    /* Dots and convolutions of f32 whose operand_precision is the default take their operands for tf32, of 10 bits of
     * mantissa, as XLA lets them on GPUs, and as algorithm=dot_tf32_tf32_f32 says from then on: in xlagpu_evaluate, too
     */
    bool allow_tf32;
} xlagpu_parse_desc;
XLAGPU_DEF xlagpu_module *xlagpu_parse_with(xlagpu_context *context, const xlagpu_parse_desc *desc);
XLAGPU_DEF void xlagpu_module_destroy(xlagpu_module *module); /* with all bytes made of it; NULL is allowed */
/* The module as text, NUL-terminated (size excludes the NUL); parsing it again gives the same text. data NULL on
 * failure. */
XLAGPU_DEF xlagpu_bytes xlagpu_print(xlagpu_module *module);
/* The module in another form. What a form cannot say is an error that names it. */
typedef enum xlagpu_format {
    XLAGPU_FORMAT_HLO,       /* as xlagpu_print */
    XLAGPU_FORMAT_PROTO,     /* HloModuleProto, as compiler_ir("hlo").as_serialized_hlo_module_proto() gives it */
    XLAGPU_FORMAT_HLO_PROTO, /* HloProto around it, as XLA dumps it (.hlo.pb) */
    XLAGPU_FORMAT_STABLEHLO, /* StableHLO as MLIR text */
    XLAGPU_FORMAT_HLO_LONG   /* HLO in XLA's long form: percent signs, signatures of computations */
} xlagpu_format;
XLAGPU_DEF xlagpu_bytes xlagpu_print_as(xlagpu_module *module, xlagpu_format format);

/* after HloModule; lives as long as the module */
XLAGPU_DEF const char *xlagpu_module_name(const xlagpu_module *module);

/* The device that the text names, frontend_attributes={xlagpu.device="H100, sm_count=114"}, as a module has it that was
 * printed after it was optimised or planned. False: none. */
XLAGPU_DEF bool xlagpu_module_target(const xlagpu_module *module, xlagpu_target_desc *out);

/* A parameter or a leaf of the flattened result. dims live as long as the module. An array with bounded dimensions,
 * f32[<=10,4], is an array of its bounds, f32[10,4], and behind it an s32[] for each such dimension that says how much
 * of it there is; what stands beyond is of no meaning. size_of is 1 + that dimension in such an s32[], else 0. The same
 * for executables. */
typedef struct xlagpu_value_info {
    xlagpu_type type;
    uint32_t rank;
    const int64_t *dims;
    size_t bytes;
    const char *name;
    uint32_t size_of;
} xlagpu_value_info;
XLAGPU_DEF uint32_t xlagpu_parameter_count(const xlagpu_module *module); /* leaves, tuples flattened */
XLAGPU_DEF uint32_t xlagpu_result_count(const xlagpu_module *module);
XLAGPU_DEF bool xlagpu_parameter_info(const xlagpu_module *module, uint32_t index, xlagpu_value_info *out);
XLAGPU_DEF bool xlagpu_result_info(const xlagpu_module *module, uint32_t index, xlagpu_value_info *out);

/* ---- compiling ---- */

typedef struct xlagpu_compile_desc {
    xlagpu_target_desc target;
    bool disable_all_passes;       /* no HLO optimisation: each operation of the entry is a kernel of its own */
    const char *disable_passes;    /* comma-separated names, unknown ones are passed over; NULL: none */
    bool fill_elided_constants;    /* constant({...}) gets seeded values instead of being an error when run */
    bool ftz;                      /* flush subnormal floats to zero */
    bool keep_hlo;                 /* put the optimised HLO into the executable */
    bool no_command_buffers;       /* every kernel is launched by itself */
    uint32_t command_buffer_least; /* runs of fewer commands stay single launches; 0: 5 */
    /* loops and branches go into command buffers, too: the driver needs conditional graph nodes (CUDA 12.4), else it
     * runs them as before */
    bool command_buffer_control;
    /* Called for each stage that changed something, if set: stage is "hlo/<phase>.after_<pass>.before_<next>",
     * "kir/<kernel>/after_<pass>", "ptx", "thunks" ...; text is NUL-terminated and valid during the call. */
    void (*dump)(void *user, const char *stage, const char *text, size_t size);
    void *dump_user;
    /* floats are never added up in the order in which threads come, even where that is faster */
    bool deterministic_ops;
    /* Bytes of device memory that the program may need, arguments and results included; UINT64_MAX: any. What is needed
     * again much later is computed again until it fits; ERROR_LIMIT with a message of what holds the rest if it cannot.
     * 0: nine tenths of the device's memory, and no failure if the program needs more. What cuFFT and cuSOLVER work in
     * they say when an execution is prepared, which is an ERROR_LIMIT then. */
    uint64_t memory_limit;
    /* a float that the module rounds to a narrower type and takes back at once need not be rounded */
    bool allow_excess_precision;
    /* loops whose rounds end with copies do two rounds in one, without, however many launches are listed twice */
    bool double_buffer_loops;
    /* estimate how long each kernel takes on the target: the report has the sum, the dump "times" a row a step */
    bool predict_times;
    /* Of each fusion its loop nest and the primitives of the rule that takes it: the dump "schedule". Such a text, as
     * it is or edited, says how kernels are made; schedule_name stands in messages (NULL: "schedule"). */
    bool print_schedules;
    /* Of each fusion its record (docs/verbs.md, tune), with a key that says what it computes, and the device: the dump
     * "records". Such a text says how to make the kernels that it knows; a line that does not suit is passed over.
     * tuned_name stands in messages (NULL: "tuned"). The text has to live as long as the call. */
    bool print_records;
    const char *tuned, *tuned_name;
    size_t tuned_size;
    const char *schedule, *schedule_name;
    size_t schedule_size;
    /* How kernels become PTX. NULL, "ptx": our own printer. "llvm": LLVM's passes at O3 and its NVPTX, in a build that
     * defines XLAGPU_USE_LLVM (LLVM 16 or newer: llvm-config says which flags); ERROR_UNSUPPORTED in others. "llvm-ir":
     * as "ptx", and the dump gets the LLVM IR of each kernel as well (stage "llvm/before"). For a target
     * that is a processor of hosts ("x86-64-v3", "x86-64-v4", "aarch64") it is "llvm-cpu" in any case: object code for
     * the runtime's platform of that name, by LLVM, in the same builds. */
    const char *backend;
    /* For the backend "llvm": the bytes of CUDA's libdevice (libdevice.10.bc), whose functions (__nv_tanhf ..) then
     * stand where ours would: exp, log, sines, tangents and so on. They live as long as the call. NULL: ours. */
    const void *libdevice;
    size_t libdevice_size;
    /* Vendor libraries that may be called where that is estimated to be faster: "cublaslt,cufft,cudnn"; with
     * "always" among them wherever they can. NULL, "none", "auto": our own kernels alone. xlagpu_rt_libraries says what
     * a device has; the program does not load where one is missing. */
    const char *libraries;
    /* predict_times: so many neighbouring devices are one machine; 0: all of them */
    uint32_t machine_devices;
    /* The program is one for so many devices together, as the module's shardings say: what each has of parameters and
     * results stands in the executable (xlagpu_rt_clique_run). 0: as many as the module names. */
    uint32_t devices;
} xlagpu_compile_desc;

/* Compiles for desc->target (NULL: all defaults). The bytes live as long as the module; data NULL on failure. The
 * module is not changed: it may be compiled again for another target. */
XLAGPU_DEF xlagpu_bytes xlagpu_compile(xlagpu_module *module, const xlagpu_compile_desc *desc);

/* On how many devices together the module says that it runs: replicas times partitions. */
XLAGPU_DEF uint32_t xlagpu_module_devices(xlagpu_module *module);

/* What a compilation produced. made_again: kernels that run twice because of the memory limit; largest_live: the peak
 * of live temporary bytes, a lower bound on temp_bytes */
typedef struct xlagpu_report {
    uint32_t kernels, library_calls, copies, instructions;
    uint64_t temp_bytes, total_bytes, workspace_bytes, ptx_bytes, largest_live;
    uint32_t made_again;
    uint64_t predicted_ns; /* of a run, by the model of time, if predict_times was set; loops of unknown length once */
    uint64_t links_ns;     /* what collectives take of it */
    uint32_t collectives;  /* of the program of one device */
    /* bytes that a device sends in a run, by kind of collective, as rings do it; loops as above */
#define XLAGPU_X(name) uint64_t name##_bytes;
    XLAGPU_COLLECTIVES(XLAGPU_X)
#undef XLAGPU_X
} xlagpu_report;
XLAGPU_DEF bool xlagpu_compile_report(const xlagpu_module *module, xlagpu_report *out); /* of the last xlagpu_compile */

/* The same executable with machine code for its target beside the PTX (what ptxas made of it): a device of exactly that
 * target loads it at once. The bytes live as long as the module; data NULL on failure. */
XLAGPU_DEF xlagpu_bytes xlagpu_attach_cubin(xlagpu_module *module, xlagpu_bytes executable, xlagpu_bytes cubin);
/* The same executable with other PTX: of the same kernels, edited by hand, say. It runs with the launches and buffers
 * of the compiled one. */
XLAGPU_DEF xlagpu_bytes xlagpu_attach_ptx(xlagpu_module *module, xlagpu_bytes executable, xlagpu_bytes ptx);

/* The GPUs that are described: "T4", "A100" ...; NULL at the end. And the description of one, or of a target's usual
 * one: all figures. False: there is no such part or target. */
XLAGPU_DEF const char *xlagpu_part_name(uint32_t index);
XLAGPU_DEF bool xlagpu_target_describe(const char *name, xlagpu_target_desc *out);

/* What it can do at most, a second: bytes of device memory, and f32 operations. */
XLAGPU_DEF bool xlagpu_target_peak(const char *name, double *bandwidth, double *flops);

/* The PTX inside executable bytes, NUL-terminated, pointing into them; data NULL if they are damaged or hold none. Of
 * several executables that of the newest target without a letter. */
XLAGPU_DEF xlagpu_bytes xlagpu_executable_ptx(xlagpu_bytes executable);

/* ---- evaluating ---- */

/* A dense array in logical row-major order: pred as bytes 0 and 1, bf16 and f16 as their 16 bits, f8, f6 and f4 as one
 * byte of bits, integers under 8 bits as one byte by value, complex as (re, im). bytes must be the product of dims
 * times the element's size; data may begin at any address. */
typedef struct xlagpu_tensor {
    void *data;
    size_t bytes;
} xlagpu_tensor;

/* Of a module that was read from an HloSnapshot: its arguments into inputs and its result into outputs, leaves as for
 * xlagpu_evaluate; with n_outputs 0 the arguments alone. ERROR_UNSUPPORTED where the file is no snapshot, or holds no
 * result. */
XLAGPU_DEF xlagpu_status xlagpu_snapshot(xlagpu_module *module, const xlagpu_tensor *inputs, uint32_t n_inputs,
    const xlagpu_tensor *outputs, uint32_t n_outputs);

/* Computes the module with the reference evaluator: no GPU. inputs are the parameter leaves in order; outputs the
 * result leaves, whose data are filled. fill_elided: constant({...}) gets seeded values instead of being an error. */
XLAGPU_DEF xlagpu_status xlagpu_evaluate(xlagpu_module *module, const xlagpu_tensor *inputs, uint32_t n_inputs,
    const xlagpu_tensor *outputs, uint32_t n_outputs, bool fill_elided);

/* What devices sent each other. */
typedef struct xlagpu_traffic {
    uint32_t collectives; /* instructions of the partitioned module */
    double bytes;         /* that a device sends in them, as rings do it */
} xlagpu_traffic;
/* Computes the module on so many devices together with the reference evaluator: its shardings are propagated, it is
 * partitioned, whole inputs are cut into the devices' parts, with NaN behind the ends of uneven ones, and whole outputs
 * are joined of theirs. sent may be NULL. */
XLAGPU_DEF xlagpu_status xlagpu_evaluate_devices(xlagpu_module *module, uint32_t devices, const xlagpu_tensor *inputs,
    uint32_t n_inputs, const xlagpu_tensor *outputs, uint32_t n_outputs, bool fill_elided, xlagpu_traffic *sent);

/* The terms of the longest sum that an instruction of the module makes for one element (dot, convolution, reduce,
 * reduce-window, scatter, cholesky ...), loops counted once: what the rounding of float results grows with. 1: there is
 * none. */
XLAGPU_DEF uint64_t xlagpu_longest_sum(xlagpu_module *module);

/* One element as a double and back (rounded to nearest even, integers saturate), for types that programs seldom have:
 * bf16, f8e4m3fn ... Complex: the real part at `element`, the imaginary part half its bytes further, as the real type
 * (f32 or f64). */
XLAGPU_DEF double xlagpu_get_element(xlagpu_type type, const void *element);
XLAGPU_DEF void xlagpu_set_element(xlagpu_type type, void *element, double value);
XLAGPU_DEF size_t xlagpu_type_bytes(xlagpu_type type); /* of one element in a tensor; 0 for what has none */

/* Runs named HLO passes (comma-separated; "" none) on a copy of the module and gives its text; xlagpu_pass_name lists
 * the names. */
XLAGPU_DEF xlagpu_bytes xlagpu_optimize(xlagpu_module *module, const char *passes);
XLAGPU_DEF const char *xlagpu_pass_name(uint32_t index); /* NULL at the end */

#ifdef __cplusplus
}
#endif
#endif /* XLAGPU_H */

#if defined(XLAGPU_IMPLEMENTATION) && !defined(XLAGPU_IMPLEMENTATION_DONE)
#define XLAGPU_IMPLEMENTATION_DONE
#include "rooms.h"
#endif
