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
int unwritable(const char *path); /* opening or writing it has just failed: says why, returns BAD */
double seconds(void);
char *text_copy(const char *text, size_t n);              /* malloc'ed, with a NUL behind; NULL: no memory */
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
    struct arrays_file *file;
} tensor; /* size_of: as in xlagpu_value_info; name: the parameter's, or NULL; file: whose memory data is, or NULL */
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
/* What no file has: drawn by the seed; or left as it is, and `given` says of each tensor whether a file had it, which
 * one at least must be; or BAD. */
typedef struct tensor_gaps {
    uint64_t *seed; /* or NULL */
    bool *given;    /* or NULL */
} tensor_gaps;
/* Of each tensor array `prefix``k` of the first file that has it, or the one that its name is (xlagpu_weights.h). The
 * tensors' data lie in the files, which stay mapped. */
int tensors_load(tensor *t, uint32_t n, const char *const *paths, int n_paths, const char *prefix, const char *what,
    tensor_gaps *gaps);
void tensor_array(const tensor *t, const char *name, npy_array *out); /* for writing; the data stay the tensor's */
/* Floats of fewer bits than f32 are added in f32, so one unit of theirs in the last place says nothing of a sum. */
#define NARROW_ULP 1e-5
/* What the flags say, else a part in so many as the type has; absolute of the largest value, at most of 1. `strict`: of
 * narrow floats half a part of the usual value. That is too little for some right results, which a judge acquits. */
void tolerance_of(const tensor *want, const flag_values *f, bool strict, double *rtol, double *atol);
difference tensor_compare(const tensor *want, const tensor *got, double rtol, double atol);
void tensor_show_index(const tensor *t, size_t index, char out[256]);
void tensor_show(const tensor *t, size_t index, char out[96]); /* an element as text, integers exactly */
/* As XLA prints literals: f32[2,2] {\n  { 1, 2 },\n  { 3, 4 }\n}; several as a tuple. */
void tensors_print(const tensor *t, uint32_t n);
bool tensor_same_shape(const tensor *a, const tensor *b);
/* "out0[3,5]: want 1.5, got 2" */
void difference_show(const tensor *want, const tensor *got, uint32_t k, size_t index, char out[600]);

/* ---- verdict.c: the bound of a comparison, from the module's own rounding ---- */
typedef struct judge judge;
/* Evaluates the module in float64 and, for the arguments and neighbours of theirs, in its own types. NULL when it does
 * not evaluate so. The module and the arguments are only read. */
judge *judge_new(xlagpu_module *m, const char *path, const tensor *in, uint32_t n_in, uint32_t n_out, bool fill);
void judge_free(judge *j); /* NULL is allowed */
/* Behind a comparison with the strict tolerance that found something. Without a judge the other tolerance counts. */
difference judge_compare(const judge *j, uint32_t which, const tensor *want, const tensor *got, const flag_values *f);
double error_in_ulp(xlagpu_type t, double want, double error); /* of integers the error itself */

/* ---- subject.c: a module that is evaluated and compared ---- */
typedef struct source {
    const char *path; /* or a name for messages */
    const flag_values *f;
    xlagpu_context *context;
    xlagpu_module *module;
    unsigned char *text;
    size_t n;
    double parse_time; /* seconds that the last source_parse took */
    bool is_fresh;     /* the module is as it was parsed */
} source;
xlagpu_module *module_parse(xlagpu_context *c, const flag_values *f, const char *path, const void *text, size_t n);
int source_open(source *s, const flag_values *f, const char *path); /* reads it */
int source_text(
    source *s, const flag_values *f, const char *name, const char *text); /* copies and parses it, silently */
int source_parse(source *s);
int source_failed(const source *s);
void source_close(source *s);
/* --xla_gpu_ptx_file: the kernels of this file into the executable */
int put_ptx(const flag_values *f, xlagpu_context *c, xlagpu_module *m, xlagpu_bytes *exe);

tensor *arrays_new(const xlagpu_module *m, bool results, uint32_t n);         /* zeroed; NULL: no memory */
void arrays_free(tensor *t, uint32_t n);                                      /* NULL is allowed */
int arrays_fill(tensor *in, uint32_t n, const flag_values *f, uint64_t seed); /* from --args, or drawn */
/* As arrays prefix0, prefix1 ...; sizes of dynamic dimensions travel in the arrays' own. */
int arrays_write(const tensor *t, uint32_t n, const char *prefix, const char *path);

typedef struct subject {
    source source;
    const flag_values *f;
    tensor *in, *out; /* out: of the last evaluation, without the sizes of dynamic dimensions: n_shown of them */
    uint32_t n_in, n_out, n_shown;
    judge *judge; /* for `in`; made when results are beyond the tolerance of their types */
    bool judged;
} subject;
int subject_open(subject *s, const flag_values *f, const char *path);
int subject_text(subject *s, const flag_values *f, const char *name, const char *text);
void subject_close(subject *s);
xlagpu_status subject_evaluate(subject *s, const tensor *in);
/* Are these results the subject's, which has been evaluated for its own arguments? why: the worst element. */
bool subject_agrees(subject *s, const tensor *got, uint32_t n, char why[700]);

/* ---- hlo_text.c: modules as the library prints them, line by line ---- */
typedef struct hlo_line {
    const char *name, *shape, *op; /* "  ROOT name = shape op(": shape may be a tuple in parentheses */
    size_t name_n, shape_n;
    bool root, parameter;
} hlo_line;
char *hlo_entry(char *text, char **end);            /* behind "ENTRY ... {\n"; end: the line that closes it */
bool hlo_line_split(const char *line, hlo_line *l); /* false: it is no instruction */
bool hlo_ends_name(char c);
bool hlo_is_op(const hlo_line *l, const char *opcode);
bool hlo_operand(
    const char **at, const char **name, size_t *n); /* the next; at first behind the opcode's parenthesis */
bool hlo_called(const hlo_line *l, const char *attribute, uint32_t which, char name[256]); /* the which-th of a list */
/* The module that computes one instruction of ENTRY; what it uses are parameters of their names, but for constants and
 * the beginnings of asynchronous pairs. malloc'ed; NULL: no memory. */
char *hlo_alone(char *text, const char *line);
char *hlo_all(char *text);                          /* whose result is every instruction of ENTRY that is arrays */
char *hlo_with_entry(char *text, const char *comp); /* whose ENTRY is that computation */
/* The module that computes the fusion of that name, wherever it stands, without its record; its parameters are those of
 * the fusion's computation. malloc'ed; NULL: no memory, or there is none. */
char *hlo_fusion_alone(char *text, const char *fusion);
uint32_t hlo_leaves(const hlo_line *l); /* arrays of its shape; UINT32_MAX: it has others */

/* ---- xla_tools.c: run_hlo_module and hlo-opt ---- */
bool xla_tool(int argc, char **argv, int *rc); /* false: it was not called by such a name */

/* ---- check.c ---- */
void json_string(const char *text, size_t n); /* in quotes, to standard output */

/* ---- dump.c: the compiler's stages, as files and on stderr ---- */
typedef struct dump_state {
    const flag_values *f;
    char base[256], module[256], target[16]; /* the file's name without its suffix; the module's; sm_9.0 */
    int file, number;                        /* which file of the command line; which pass */
    const char *want;                        /* a stage that is kept, or "ir": the last IR of each kernel */
    char *wanted;
    size_t wanted_n;
    char *schedule, *tuned, *libdevice; /* what --schedule, --tuned and --libdevice name */
    xlagpu_target_desc device;          /* that is compiled for, as far as it is known */
    struct viewer *viewer;              /* keeps every stage for --viewer; or NULL */
    bool unwritable;                    /* a file of --xla_dump_to could not be written */
} dump_state;
void dump_begin(dump_state *d, const flag_values *f, const char *path, int file, const char *want);
/* fills c from the flags; target NULL: there is no device */
/* What to compile for: what the flags say, or else the device, if there is one, or what the text names. */
xlagpu_target_desc dump_target(const flag_values *f, const xlagpu_module *m, const xlagpu_target_desc *device);
void dump_describe(dump_state *d, const xlagpu_module *m, const xlagpu_target_desc *target, xlagpu_compile_desc *c);
int dump_texts(dump_state *d,
    xlagpu_compile_desc *c); /* reads the files of --schedule, --tuned and --libdevice, if there are any */
void dump_end(dump_state *d);

/* ---- viewer.c: every stage as one page ---- */
typedef struct viewer viewer;
viewer *viewer_new(void); /* NULL: no memory */
void viewer_add(viewer *v, const char *stage, const char *text, size_t n);
int viewer_write(viewer *v, const char *path, const dump_state *d); /* and frees it; path NULL: only that */

/* ---- dot.c: a module's text as a graph ---- */
int dot_write(const char *path, const char *text, size_t n);

/* ---- embed.c: an executable as C ---- */
typedef struct embedding {
    const char *symbol, *module_name, *target;
    const xlagpu_module *module;
    xlagpu_bytes exe;
    const tensor *weights; /* by parameter; NULL: none */
    const bool *given;     /* which of them are there */
    bool beside;           /* they go into a file beside, not into the array */
} embedding;
/* The name of the array: what is given, or else the file's, as an identifier; false: what is given is none. */
bool embed_symbol(const char *given, const char *base, char out[256]);
int embed_write(const embedding *e, const char *path); /* FILE.c, FILE.h, FILE.weights; "-" or NULL: one text */

/* ---- manual.c ---- */
int write_manual(void);                   /* the manual page, for troff */
int write_completions(const char *shell); /* of bash, zsh or fish */

/* ---- sim.c ---- */
int approximations_of(const char *word); /* usual, low, high, mixed: 0 to 3; -1: another word; NULL is usual */

/* ---- stats.c ---- */
void stats_head(void);
void stats_line(const xlagpu_kernel_stats *s);
typedef struct line_counts line_counts;
void stats_watch(line_counts **counts, xlagpu_device_desc *d); /* before it is opened: counts by line, for the next */
void stats_loops(line_counts **counts);                        /* prints loops, and frees them */

/* ---- progress.c: how far the simulator is, on a terminal ---- */
typedef struct progress {
    const char *kernel;
    uint64_t done;
    double begin, shown;
    bool visible;
} progress;
void progress_begin(progress *p, xlagpu_device_desc *d); /* p must stay while the device is open */
void progress_end(progress *p);
void compiling_begin(const char *path); /* until compiling_end: which file is compiled, and for how long */
void compiling_end(void);
void print_text(void *user, const char *text, size_t bytes); /* what kernels print, to standard output */

/* ---- nvtx.c ---- */
bool nvtx_begin(xlagpu_device_desc *d); /* ranges for a profiler that waits for them; false: none does */

/* ---- profile.c ---- */
/* a table of the steps, sorted by their share of the time */
int profile_print(const xlagpu_execution *e, const char *target, bool host);
int profile_trace(const xlagpu_execution *e, const char *path, const char *module);
int profile_view(const xlagpu_execution *e, viewer *v, const char *module); /* the same for --viewer */

/* ---- estimate.c ---- */
/* that all threads together will execute, from the text and the launches */
double estimate_instructions(const xlagpu_program *p, const char *ptx, size_t size);

#endif
