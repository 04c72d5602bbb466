/* tools/tool.h -- what the files of the command line share. Each verb is a file; they use the two public headers only.
 *
 * Exit status: 0 ran and equal where something was to compare; 1 compared and differed; 2 bad input or usage; 3 device
 * error; 4 the simulator found a fault. */
#ifndef XG_TOOLS_TOOL_H
#define XG_TOOLS_TOOL_H
#include "../src/xlagpu.h"
#include "../src/xlagpu_runtime.h"
#include "flags.h"
#include "npz.h"

enum {
    OK = 0,
    DIFFERS = 1,
    BAD = 2,
    DEVICE = 3,
    FAULT = 4
};

/* ---- xlagpu.c ---- */
#if defined(__GNUC__) && !defined(_WIN32)
__attribute__((format(printf, 2, 3)))
#endif
int fail(int code, const char *format, ...); /* prints a line on stderr, returns code */
int code_of(xlagpu_status s);
/* a message of the library; "path: error: " in front unless it has a place of its own */
int fail_in(const char *path, xlagpu_status s, const char *message);
int unreadable(const char *path); /* file_read has just failed: says why, returns BAD */
double seconds(void);
int worse(int a, int b);                                  /* of two exit statuses */
int write_out(const char *path, const void *p, size_t n); /* "-" or NULL: standard output */

/* ---- one file a verb ---- */
#define X(name, word, takes, help) int verb_##word(const flag_values *f);
VERBS(X)
#undef X

/* ---- tensor.c: arrays of a module's types: drawn, read, written, compared ---- */
typedef struct tensor {
    xlagpu_type type;
    uint32_t rank;
    const int64_t *dims;
    size_t bytes;
    unsigned char *data;
    uint32_t size_of;
    int64_t *own_dims;
    const char *name;
    bool borrowed;
} tensor; /* size_of: as in xlagpu_value_info; name: the parameter's, or NULL; borrowed: data are a file's */
/* A file of arrays; which of them are some tensor's; by_name: one was found by its parameter's name. */
typedef struct arrays_file {
    npz_file file;
    const char *path;
    bool *taken, by_name;
} arrays_file;
/* bad: elements over the tolerance; index: of the worst one, which is `error` off; bound: what a judge allowed at most
 */
typedef struct difference {
    size_t bad, index;
    double excess, error, bound;
} difference;
xlagpu_type tensor_real(xlagpu_type t); /* of a complex type its parts', else itself */
bool tensor_is_float(xlagpu_type t);    /* complex types are not: ask of tensor_real */
double tensor_ulp(xlagpu_type t);       /* the distance from 1 to the next value of a float type */
size_t tensor_count(const tensor *t);
int tensors_trim(tensor *t, uint32_t *n); /* arrays with sizes behind them become arrays of these sizes alone */
void tensor_random(tensor *t, uint64_t *seed);
void tensor_release(tensor *t);
bool arrays_open(arrays_file *f, const char *path); /* false: said why; arrays_close in either case */
void arrays_close(arrays_file *f);
/* Of each tensor array `prefix``k` of the first file that has it, or the one that its name is (xlagpu_weights.h). What
 * none has is drawn by the seed, or BAD without one. The files must stay open: the tensors' data are theirs. */
int tensors_load(
    tensor *t, uint32_t n, arrays_file *files, int n_files, const char *prefix, const char *what, uint64_t *seed);
void tensor_array(const tensor *t, const char *name, npy_array *out); /* for writing; the data stay the tensor's */
/* What the flags say, else a part in so many as the type has; absolute of the largest value, at most of 1. */
void tolerance_of(const tensor *want, const flag_values *f, double *rtol, double *atol);
difference tensor_compare(const tensor *want, const tensor *got, double rtol, double atol);
void tensor_show_index(const tensor *t, size_t index, char out[256]);
void tensor_show(const tensor *t, size_t index, char out[96]); /* an element as text, integers exactly */

/* ---- verdict.c: the bound of a comparison, from the module's own rounding ---- */
typedef struct judge judge;
/* Evaluates the module in float64 and, for the arguments and neighbours of theirs, in its own types. NULL when it does
 * not evaluate so. The module, its text and the arguments are only read. */
judge *judge_new(xlagpu_module *m, const char *path, const char *text, size_t n, const tensor *in, uint32_t n_in,
    uint32_t n_out, bool fill);
void judge_free(judge *j); /* NULL is allowed */
difference judge_compare(
    const judge *j, uint32_t which, const tensor *want, const tensor *got, double rtol, double atol);
double error_in_ulp(xlagpu_type t, double want, double error); /* of integers the error itself */

/* ---- dump.c: the compiler's stages, as files and on stderr ---- */
typedef struct dump_state {
    const flag_values *f;
    char base[256], module[256], target[16]; /* the file's name without its suffix; the module's; sm_9.0 */
    int file, number;                        /* which file of the command line; which pass */
    const char *want;                        /* a stage that is kept, or "ir": the last IR of each kernel */
    char *wanted;
    size_t wanted_n;
    struct viewer *viewer; /* keeps every stage for --viewer; or NULL */
} dump_state;
void dump_begin(dump_state *d, const flag_values *f, const char *path, int file, const char *want);
/* fills c from the flags; target NULL: there is no device */
/* What to compile for: what the flags say, or else the device, if there is one, or what the text names. */
xlagpu_target_desc dump_target(const flag_values *f, const xlagpu_module *m, const xlagpu_target_desc *device);
void dump_describe(dump_state *d, const xlagpu_module *m, const xlagpu_target_desc *target, xlagpu_compile_desc *c);
void dump_end(dump_state *d);

/* ---- viewer.c: every stage as one page ---- */
typedef struct viewer viewer;
viewer *viewer_new(void); /* NULL: no memory */
void viewer_add(viewer *v, const char *stage, const char *text, size_t n);
int viewer_write(viewer *v, const char *path, const dump_state *d); /* and frees it; path NULL: only that */

/* ---- embed.c: an executable as C ---- */
typedef struct embedding {
    const char *symbol, *module_name, *target;
    const xlagpu_module *module;
    xlagpu_bytes exe;
} embedding;
/* The name of the array: what is given, or else the file's, as an identifier; false: what is given is none. */
bool embed_symbol(const char *given, const char *base, char out[256]);
int embed_write(const embedding *e, const char *path); /* FILE.c and FILE.h; "-" or NULL: one text */

/* ---- manual.c ---- */
int write_manual(void);                   /* the manual page, for troff */
int write_completions(const char *shell); /* of bash, zsh or fish */

/* ---- sim.c ---- */
int approximations_of(const char *word); /* usual, low, high, mixed: 0 to 3; -1: another word; NULL is usual */

/* ---- run.c ---- */
void stats_head(void);
void stats_line(const xlagpu_kernel_stats *s);

/* ---- progress.c: how far the simulator is, on a terminal ---- */
typedef struct progress {
    const char *kernel;
    uint64_t done;
    double begin, shown;
    bool visible;
} progress;
void progress_begin(progress *p, xlagpu_device_desc *d); /* p must stay while the device is open */
void progress_end(progress *p);
void print_text(void *user, const char *text, size_t bytes); /* what kernels print, to standard output */

/* ---- nvtx.c ---- */
bool nvtx_begin(xlagpu_device_desc *d); /* ranges for a profiler that waits for them; false: none does */

/* ---- profile.c ---- */
/* a table of the steps, sorted by their share of the time */
int profile_print(const xlagpu_execution *e, const char *target, bool host);
int profile_trace(const xlagpu_execution *e, const char *path, const char *module);

/* ---- estimate.c ---- */
/* that all threads together will execute, from the text and the launches */
double estimate_instructions(const xlagpu_program *p, const char *ptx, size_t size);

#endif
