/* tools/flags.h -- THE table of command line flags: parsing, --help, the nearest-word hint, the manual page and the
 * completions of shells are expansions of it.
 *
 * X(field, text, kind, verbs, argument, help)
 *   kind    BOOL  --name, --name=true|false, --noname       STR  --name=V or --name V      INT, REAL  the same,
 *           checked; SIZE  an INT that is not
 *           negative      LIST  STR, may be repeated
 *   verbs   which verbs take it (FV_*) */
#ifndef XG_TOOLS_FLAGS_H
#define XG_TOOLS_FLAGS_H
#include <stdbool.h>

/* X(NAME, word, takes, help): what the tool does; verb_<word> in tool.h does it. */
/* clang-format off */
#define VERBS(X) \
    X(RUN, run, "M.hlo|M.xgx", "compile and run a module, compare its results") \
    X(COMPILE, compile, "M.hlo...", "write PTX, an executable or any stage between") \
    X(OPT, opt, "M.hlo", "run HLO passes, print the module") \
    X(SIM, sim, "K.ptx", "run a kernel of any origin on the PTX simulator") \
    X(CHECK, check, "M.hlo...", "read and verify modules, say what is wrong") \
    X(REDUCE, reduce, "M.hlo", "make a module smaller that shows the same failure") \
    X(DIFF, diff, "A.hlo B.hlo", "say whether two modules mean the same, and where they part") \
    X(BISECT, bisect, "M.hlo...", "find the pass or the kernel from which on results differ") \
    X(TUNE, tune, "M.hlo...", "try other forms of each kernel, write the records of those that are faster")
/* clang-format on */

enum {
#define X(name, word, takes, help) VERB_##name,
    VERBS(X)
#undef X
    VERB_COUNT
};
enum {
#define X(name, word, takes, help) FV_##name = 1 << VERB_##name,
    VERBS(X)
#undef X
    FV_HLO = FV_RUN | FV_COMPILE | FV_OPT,
    FV_ALL = (1 << VERB_COUNT) - 1
};

/* clang-format off */
#define FLAGS(X) \
    X(platform, "platform", STR, FV_RUN | FV_SIM | FV_BISECT | FV_TUNE, "auto|cuda|host|llvm-cpu|interpreter", "where to run; auto: the GPU if there is a driver, else the simulator; tune: else, or with `model`, the model of time") \
    X(devices, "devices", SIZE, FV_RUN | FV_COMPILE, "N", "N devices together, as the module's shardings say, each with its part of the arrays; run: compared with one device") \
    X(seconds, "seconds", REAL, FV_TUNE, "S", "how long to try forms of kernels at most, in all (60)") \
    X(num_partitions, "num_partitions", SIZE, FV_HLO, "N", "parts of which each device has one, where the module names another number, or none") \
    X(replicas, "replicas", SIZE, FV_HLO, "N", "so many times all partitions; each replica has the same arguments") \
    X(mesh, "mesh", STR, FV_HLO, "data=2,model=4", "axes of the partitions, for --shard and --auto-shard, major first; 2x4: axes x and y") \
    X(shard, "shard", LIST, FV_HLO, "w1=-,model", "for each dimension of a parameter (by name or arg0) or result (out0) the axes that split it: a+b with the major one first, - none; may be repeated, or several behind ;") \
    X(auto_shard, "auto-shard", STR, FV_HLO, "data|8", "data parallelism: split the batch, wherever parameters and results have it, along this axis of --mesh, or a mesh of its own") \
    X(device_timeout, "device-timeout", REAL, FV_RUN, "SECONDS", "how long devices and processes wait for each other (60)") \
    X(topology, "topology", STR, FV_COMPILE, "h200x8", "for so many devices of that part together: --gpu and --devices; 2x8, 2xh200x8: machines with so many each; --report has the bytes that a device sends by kind of collective, and what the time model says of them") \
    X(args, "args", LIST, FV_RUN | FV_COMPILE | FV_DIFF | FV_BISECT, "A.npz", "arguments from npz or safetensors: arg0, arg1 ..., or by the names of the parameters; may be repeated, the first file that has one counts; without it seeded random ones; compile --emit=c: weights, which go with the executable") \
    X(fill_args, "fill_args", BOOL, FV_RUN | FV_DIFF | FV_BISECT, "", "seeded random values for arguments that no file of --args has") \
    X(expect, "expect", STR, FV_RUN, "A.npz", "compare the results with out0, out1 ... of this file") \
    X(rtol, "rtol", REAL, FV_RUN | FV_DIFF | FV_BISECT, "R", "relative tolerance of comparisons; without both: the type's, or what the module's own rounding asks for") \
    X(atol, "atol", REAL, FV_RUN | FV_DIFF | FV_BISECT, "A", "absolute tolerance of comparisons") \
    X(int_atol, "int-atol", SIZE, FV_RUN | FV_DIFF | FV_BISECT, "N", "how far integers may differ: an image that is off by one") \
    X(out, "out", STR, FV_RUN, "O.npz", "write the results; -: to standard output") \
    X(save_args, "save_args", STR, FV_RUN, "A.npz", "write the arguments, to repeat a run elsewhere") \
    X(print_literals, "print_literals", BOOL, FV_RUN | FV_SIM, "", "print arguments and results as XLA prints literals; sim: what out: and inout: hold in the end") \
    X(quiet, "quiet", BOOL, FV_RUN | FV_DIFF | FV_BISECT | FV_TUNE, "", "no line that says the verdict") \
    X(reference_platform, "reference_platform", STR, FV_RUN, "interpreter", "what to compare with when --expect is not given; \"\" for nothing") \
    X(repeat, "repeat", SIZE, FV_RUN, "N", "run N times and report the least time") \
    X(dims, "dims", STR, FV_HLO | FV_DIFF | FV_BISECT | FV_CHECK | FV_TUNE, "b=8,h=64", "sizes of dimensions that StableHLO leaves open, by jax.export's names or by place: arg0.1=64") \
    X(seed, "seed", INT, FV_RUN | FV_SIM | FV_DIFF | FV_BISECT, "N", "run: seed of random arguments; sim: the order of blocks, warps and atomic operations, on one thread") \
    X(approx, "approx", STR, FV_RUN | FV_SIM, "usual|low|high|mixed", "simulator: what ex2.approx and the like return: what devices do, or the worst that their documented error allows") \
    X(max_faults, "max-faults", SIZE, FV_SIM, "N", "go on until N different faults are found (1)") \
    X(max_instructions, "max-instructions", SIZE, FV_SIM, "N", "warp instructions that a block may execute (2^31)") \
    X(stats, "stats", BOOL, FV_RUN | FV_SIM, "", "counters of the simulator, tab-separated: of each kernel, and of each of its loops") \
    X(summary, "summary", BOOL, FV_RUN | FV_SIM, "", "a readable report: run: compile time, kernels, speed, worst error; sim: time, counts with units") \
    X(profile, "profile", BOOL, FV_RUN, "", "time of each step, sorted by its share, with bytes, operations and the share of the device's peaks") \
    X(trace, "trace", STR, FV_RUN, "T.json", "write when each step ran, for Perfetto or Chrome") \
    X(cache, "cache", STR, FV_RUN, "DIR", "cuda: keep machine code in this folder") \
    X(jit_log, "jit-log", STR, FV_RUN, "FILE", \
        "cuda: append what the driver's compiler says of the kernels: registers, spills, time") \
    X(nvtx, "nvtx", BOOL, FV_RUN, "", "cuda: name the program and its steps for NVIDIA's profilers") \
    X(concurrent, "concurrent", BOOL, FV_RUN, "", "cuda: steps that do not touch the same memory run beside each other, on two streams or as branches of a command buffer") \
    X(copy_stream, "copy-stream", BOOL, FV_RUN, "", "cuda: only copies run beside kernels") \
    X(library_folder, "library-folder", STR, FV_RUN, "FOLDER", "cuda: where vendor libraries lie; otherwise where the system looks") \
    X(driver, "driver", STR, FV_RUN, "FILE", "cuda: another driver library than the system's") \
    X(no_command_buffers, "no-command-buffers", BOOL, FV_RUN | FV_COMPILE | FV_BISECT, "", "launch every kernel by itself") \
    X(command_buffer_least, "xla_gpu_graph_min_graph_size", SIZE, FV_RUN | FV_COMPILE, "N", "fewer commands than that are launched one by one (5)") \
    X(command_buffer_control, "command-buffer-control", BOOL, FV_RUN | FV_COMPILE, "", "put loops and branches into command buffers, too") \
    X(cubin, "cubin", BOOL, FV_COMPILE, "", "put machine code into the executable, too: calls ptxas") \
    X(target, "target", STR, FV_RUN | FV_COMPILE | FV_OPT | FV_BISECT | FV_TUNE, "sm_90a", "what to compile for; run: the device's own; compile -o F.xgx or F.c: several, sm_75,sm_90a; without it, and for portable, code for every GPU from sm_75 on") \
    X(gpu, "gpu", STR, FV_RUN | FV_COMPILE | FV_SIM | FV_BISECT | FV_TUNE, "H200", "the GPU whose figures hold: H100, H200, A100, L40 ... (?: all names); run on cuda: the device's own") \
    X(scale, "predict-scale", SIZE, FV_RUN | FV_SIM, "N", "predict times as if grids had N times the blocks") \
    X(memory_scale, "predict-memory-scale", SIZE, FV_RUN | FV_SIM, "N", "... and N times the memory, where that is not as much") \
    X(emit, "emit", STR, FV_COMPILE | FV_OPT, "ptx|hlo|pb|hlo.pb|stablehlo|dot|indexing|schedule|records|plan|buffers|thunks|ir|llvm|llvm-optimized|times|exe|c", "what to write; hlo, pb (HloModuleProto), hlo.pb (HloProto), stablehlo: the optimized module, with opt the one after --passes; times: how long each step takes by the model of time") \
    X(keep, "keep", STR, FV_REDUCE, "COMMAND", "what must go on with the same exit status; {} is the name of the module") \
    X(o, "o", STR, FV_COMPILE | FV_OPT | FV_REDUCE | FV_BISECT | FV_TUNE, "FILE", "where to; default and -: standard output, for exe the module's name with .xgx; a name with .ptx, .hlo, .pb, .mlir, .ll, .xgx or .c says what to emit") \
    X(symbol, "symbol", STR, FV_COMPILE, "NAME", "--emit=c: the name of the array, NAME_xgx, and of what its header defines; without it the file's") \
    X(weights, "weights", STR, FV_COMPILE, "in|beside", "--emit=c: the weights of --args in the C source, or in a file FILE.weights beside FILE.c") \
    X(viewer, "viewer", STR, FV_RUN | FV_COMPILE, "F.html", "write a page: graph, passes side by side, kernels with HLO, IR and PTX linked, memory, predicted times; run: measured ones, too") \
    X(ptx_file, "xla_gpu_ptx_file", STR, FV_RUN | FV_COMPILE, "K.ptx", "these kernels instead of those that are made: PTX of --emit=ptx, edited by hand") \
    X(report, "report", BOOL, FV_COMPILE, "", "one tab-separated line of figures a module") \
    X(passes, "passes", STR, FV_OPT, "a,b", "HLO passes to run; empty: parse, verify, print") \
    X(list_passes, "list-passes", BOOL, FV_OPT, "", "the names of all HLO passes") \
    X(entry, "entry", STR, FV_SIM, "E", "the kernel") \
    X(grid, "grid", STR, FV_SIM, "X,Y,Z", "blocks") \
    X(block, "block", STR, FV_SIM, "X,Y,Z", "threads") \
    X(registers, "registers", SIZE, FV_SIM, "N", "registers of a thread, as ptxas says them, for the predicted time") \
    X(shared, "shared", SIZE, FV_SIM, "N", "bytes of dynamic shared memory") \
    X(arg, "arg", LIST, FV_SIM, "ARG", "a parameter, in order: in:F.npy inout:IN.npy:OUT.npy out:DTYPE:SHAPE:F.npy tex:F.npy[,linear][,wrap|clamp|mirror|border][,normalized][,normfloat][,channels][,layers] same:K bytes:F value:F i32:V u32:V i64:V u64:V f32:V f64:V") \
    X(backend, "backend", STR, FV_RUN | FV_COMPILE, "ptx|llvm", "how kernels become PTX: our own printer, or LLVM (a build with XLAGPU_USE_LLVM)") \
    X(libraries, "libraries", STR, FV_RUN | FV_COMPILE | FV_TUNE, "auto|none|cublaslt,cufft,cudnn,cusolver[,always]", "vendor libraries that may be called where that is faster (always: wherever they can); none is the default; auto: run: those that the machine of the GPU has") \
    X(schedule, "schedule", STR, FV_RUN | FV_COMPILE, "FILE", "make kernels as this file says: what --emit=schedule writes, edited; fusions that it leaves out are made as without it") \
    X(libdevice, "libdevice", STR, FV_RUN | FV_COMPILE, "FILE", "with --backend=llvm: CUDA's libdevice.10.bc, whose functions (__nv_tanhf) replace ours") \
    X(tuned, "tuned", STR, FV_RUN | FV_COMPILE | FV_TUNE, "FILE", "records of kernels that were measured: what tune and --emit=records write") \
    X(memory_limit, "memory-limit", SIZE, FV_RUN | FV_COMPILE | FV_TUNE, "BYTES", "device memory of the program, arguments and results included: what is needed much later is computed again") \
    X(compiler_memory_limit, "compiler-memory-limit", SIZE, FV_HLO | FV_DIFF | FV_BISECT | FV_TUNE, "BYTES", "what the compiler may hold at a time") \
    X(dump_to, "xla_dump_to", STR, FV_HLO, "DIR", "write every stage under XLA's file names") \
    X(dump_pass_re, "xla_dump_hlo_pass_re", STR, FV_HLO, "RE", "with --xla_dump_to: also the module after passes whose name matches") \
    X(v, "v", SIZE, FV_ALL, "N", "5: print the IR after every pass") \
    X(disable_all, "xla_disable_all_hlo_passes", BOOL, FV_HLO | FV_BISECT, "", "only what is needed to make kernels") \
    X(disable, "xla_disable_hlo_passes", STR, FV_HLO | FV_BISECT, "a,b", "leave these passes out") \
    X(ftz, "xla_gpu_ftz", BOOL, FV_HLO | FV_BISECT | FV_TUNE, "", "flush subnormal floats to zero") \
    X(deterministic, "xla_gpu_deterministic_ops", BOOL, FV_HLO | FV_BISECT | FV_TUNE, "", "no sum depends on the order in which threads come") \
    X(allow_tf32, "allow-tf32", BOOL, FV_HLO | FV_BISECT | FV_TUNE, "", "f32 products whose precision is the default are those of tf32, as XLA makes them on GPUs") \
    X(excess_precision, "xla_allow_excess_precision", BOOL, FV_HLO | FV_BISECT | FV_TUNE, "", "floats rounded to a narrower type and back at once need not be rounded") \
    X(double_buffering, "xla_gpu_enable_while_loop_double_buffering", BOOL, FV_HLO | FV_BISECT, "", "loops do two rounds in one where that spares copies, long ones too") \
    X(combine_all_reduce, "xla_gpu_all_reduce_combine_threshold_bytes", SIZE, FV_HLO, "BYTES", "all-reduces become one up to so many bytes; 0: by the model of time") \
    X(combine_all_gather, "xla_gpu_all_gather_combine_threshold_bytes", SIZE, FV_HLO, "BYTES", "... all-gathers") \
    X(combine_reduce_scatter, "xla_gpu_reduce_scatter_combine_threshold_bytes", SIZE, FV_HLO, "BYTES", "... reduce-scatters") \
    X(fill_elided, "fill_elided_constants", BOOL, FV_HLO | FV_DIFF | FV_BISECT | FV_TUNE, "", "seeded values for constant({...})") \
    X(json, "json", BOOL, FV_CHECK | FV_DIFF, "", "check: what is wrong as JSON with lines and columns, for editors; diff: what it finds as an object") \
    X(threads, "threads", SIZE, FV_RUN | FV_SIM | FV_BISECT, "N", "worker threads of the simulator") \
    X(help, "help", BOOL, FV_ALL, "", "this text")
/* clang-format on */

typedef enum flag {
#define X(field, text, kind, verbs, argument, help) FLAG_##field,
    FLAGS(X)
#undef X
    FLAG_COUNT
} flag;

/* What ships runs everywhere: the baseline, then what kernels can gain from: asynchronous copies and matrices of bf16,
 * matrices of f8, warp groups. --target=portable is these. */
#define PORTABLE "sm_75,sm_80,sm_89,sm_90a"

enum {
    FLAG_LIST_MAX = 64,
    FLAG_FILES_MAX = 4096
};

/* What the kinds are in C. */
#define FLAG_OF_BOOL(field) bool field;
#define FLAG_OF_STR(field) const char *field;
#define FLAG_OF_INT(field) long long field;
#define FLAG_OF_SIZE(field) long long field;
#define FLAG_OF_REAL(field) double field;
#define FLAG_OF_LIST(field) \
    const char *field[FLAG_LIST_MAX]; \
    int n_##field;
typedef struct flag_values {
#define X(field, text, kind, verbs, argument, help) FLAG_OF_##kind(field)
    FLAGS(X)
#undef X
    bool set[FLAG_COUNT];      /* which were given */
    long long machine_devices; /* of --topology; 0: all */
    const char *files[FLAG_FILES_MAX];
    int n_files;
} flag_values;

/* ---- flags.c ---- */
bool flag_of_verb(const char *arg, int verb); /* "--name", "--name=value": does the verb take it? */
const char *verb_nearest(const char *word);   /* NULL: none is like it */
const char *flag_help(int row);               /* its column of the table */
extern const char *const verb_names[];        /* by verb; NULL at the end */
extern const char *const verb_takes[];        /* "M.hlo|M.xgx" */
extern const char *const verb_help[];
int flags_read(flag_values *f, int verb, int argc, char **argv); /* XLA_FLAGS, then argv[2..]: OK or BAD */
void flags_help(int verb);                                       /* -1: all of it */
void note_unknown_passes(const char *list);                      /* of --xla_disable_hlo_passes, on stderr */

#endif
