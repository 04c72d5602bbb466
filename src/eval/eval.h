/* eval/eval.h -- the reference evaluator: the meaning of every opcode, computed on the host by one thread.
 *
 * Ideas
 * - A value is counted by references. A frame (one execution of a computation) drops each value after its last use, so
 *   memory follows liveness; a handler that receives the only reference to an operand may write its result over it
 *   (elementwise results, dynamic-update-slice in loops). All values of a run hang on one list: a run that fails
 *   releases them there.
 * - An array whose elements are all equal may be kept as one element (`splat`): what HLO says with broadcast(constant).
 * - Elementwise instructions are prepared once (xg_ew: which kernel, which conversions around it) and then run over
 *   blocks of elements, never element by element. Small scalar computations (the to_apply of reduce, sort, scatter ...)
 *   run the same blocks over many elements at once (lift.c).
 * - Everything that moves data is a strided copy (move.c).
 * - The value of a bounded shape, f32[<=10], is an array of its real size: an instruction that touches one is evaluated
 *   as if it had been written for the sizes at hand (dynamic.c). This is what XLA's DynamicPadder arrives at with
 *   padding and masks.
 * - Several devices run in step: each instruction on all of them before the next one, so that collectives find their
 *   operands (team.c).
 *
 * Laws
 * - The module has been verified: handlers trust shapes and attributes. Whatever depends on data is checked or clamped
 *   here.
 * - Numbers: narrow floats (bf16, f16, f8 ...) are computed in f32 and rounded once per instruction; f32 functions are
 *   computed in double; integers wrap. Sums of floats and contractions accumulate in double and are rounded once.
 * - A handler is named xg_eval_<word> by the `eval` column of ops.h; `none` would be one that is missing: it does not
 *   compile.
 * - Recursion is as deep as computations call each other, at most XG_EVAL_DEPTH. */
#ifndef XG_EVAL_H
#define XG_EVAL_H
#include "../hlo/hlo.h"

enum {
    XG_EVAL_DEPTH = 256,
    XG_EVAL_BLOCK = 1024
};

/* A function for a custom-call: fills `result`, zeroed and of the call's shape. False: it failed. */
typedef struct xg_eval_target {
    const char *target;
    bool (*run)(void *user, const xg_inst *call, const xg_literal *const *operands, uint32_t n, xg_literal *result);
    void *user;
} xg_eval_target;

typedef struct xg_eval_options {
    bool fill_elided;            /* constant({...}) gets values made from seed; otherwise it is refused */
    uint64_t seed;               /* also of rng and rng-get-and-update-state */
    uint64_t max_work;           /* refuse with ERROR_LIMIT after about that many element operations; 0: no limit */
    bool may_refuse;             /* a refusal is no failure: the result is NULL (want of memory still fails) */
    uint64_t *spent;             /* how many there were, kept up to date; NULL: not asked */
    int64_t replica, partition;  /* what replica-id and partition-id say when one device is evaluated */
    const xg_eval_target *calls; /* asked before the calls that the evaluator knows */
    uint32_t n_calls;
    /* infeed and recv from the host: a literal of that shape, NULL: there is none. outfeed and send to the host: false:
     * it was not taken. */
    const xg_literal *(*from_host)(void *user, xg_arena *a, const xg_inst *i, uint32_t device, const xg_shape *shape);
    bool (*to_host)(void *user, const xg_inst *i, uint32_t device, const xg_literal *value);
    void *host;
} xg_eval_options;

typedef struct xg_value xg_value;
struct xg_value {
    const xg_shape *shape; /* NULL for scratch memory */
    unsigned char *data;   /* as in a literal; NULL for tuples and tokens; one element when splat */
    xg_value **elems;      /* of a tuple: shape->n_elems values, each counted */
    xg_value *owner;       /* the value in whose block data lies; NULL: its own, or borrowed */
    xg_value *prev, *next; /* all values of the run */
    uint32_t refs;
    bool splat, borrowed; /* borrowed: data belongs to a literal */
};

/* What a computation needs to run: its instructions by position, and the position of the last user of each. */
typedef struct xg_eval_plan {
    uint32_t n;
    const xg_inst **insts;
    uint32_t *last;
    struct xg_lift *lift;
    bool no_lift;
} xg_eval_plan;

typedef struct xg_eval_run xg_eval_run;
struct xg_eval_run {
    xg_arena stack; /* frames and scratch: marked and reset */
    xg_ctx *ctx;
    xg_module *module;
    uint32_t *position; /* by instruction id */
    uint32_t depth;
    /* device d is partition d % partitions of replica d / partitions; the one that runs now */
    uint32_t n_devices, partitions, device;
    xg_arena mem; /* plans and tables: as long as the run */
    xg_value *values;
    xg_eval_plan **plans; /* by computation id */
    uint64_t work;
    bool acts_known, acts; /* some instruction does more than give its value */
    bool dynamic;          /* some shape has dimensions without a fixed size */
    xg_inst **sized;       /* by instruction id: its form for the sizes that it last saw, once there is one */
    struct xg_device_state *devices;
    struct xg_sent *sent; /* by send, not yet received */
    xg_eval_options options;
    float *tables[XLAGPU_TYPE_COUNT]; /* the 256 values of 8-bit and narrower floats */
};

/* What a device remembers between instructions. */
typedef struct xg_device_state {
    uint64_t rng[2];
} xg_device_state;

/* ---- run.c: runs, values, frames; tuples, calls and control flow ----------------------------------------------- */

/* args: one literal a parameter of the entry, logical order. The result lies in the arena. o may be NULL. */
XG_FN const xg_literal *xg_eval_module(
    xg_module *m, xg_arena *a, const xg_literal *const *args, uint32_t n, const xg_eval_options *o);
XG_FN const xg_literal *xg_eval_comp(
    xg_comp *c, xg_arena *a, const xg_literal *const *args, uint32_t n, const xg_eval_options *o);
/* The value of one instruction, its operands' values given. */
XG_FN const xg_literal *xg_eval_inst_const(
    const xg_inst *i, xg_arena *a, const xg_literal *const *operands, const xg_eval_options *o);
/* What else is to be done with a run of its own: applying computations to elements (xg_eval_apply). What fails in it
 * leaves nothing behind. */
typedef void (*xg_eval_work)(xg_eval_run *r, void *data);
XG_FN void xg_eval_with(xg_module *m, xg_eval_work work, void *data, const xg_eval_options *o);
/* The module on n devices together (module->num_partitions of each replica): args[d][k] is argument k of device d; one
 * result a device. */
XG_FN const xg_literal *const *xg_eval_replicas(xg_module *m, xg_arena *a, const xg_literal *const *const *args,
    uint32_t n_args, uint32_t n_devices, const xg_eval_options *o);

/* an array, not zeroed; a token without data */
XG_FN xg_value *xg_eval_new(xg_eval_run *r, const xg_shape *shape);
XG_FN xg_value *xg_eval_new_splat(xg_eval_run *r, const xg_shape *shape);
XG_FN xg_value *xg_eval_new_tuple(
    xg_eval_run *r, const xg_shape *shape, xg_value *const *elems); /* takes over the elements' references */
XG_FN xg_value *xg_eval_scratch(xg_eval_run *r, size_t bytes);      /* bare memory in ->data, not zeroed */
XG_FN xg_value *xg_eval_share(
    xg_eval_run *r, const xg_shape *shape, xg_value *v); /* the same bytes under another shape */
XG_FN bool xg_eval_owned(const xg_value *v);             /* dense, and nothing else sees its bytes */
XG_FN xg_value *xg_eval_keep(xg_value *v);
XG_FN void xg_eval_drop(xg_eval_run *r, xg_value *v); /* NULL is allowed */
/* the data with every element; *v may be exchanged */
XG_FN const unsigned char *xg_eval_dense(xg_eval_run *r, xg_value **v);
/* a dense array with v's contents to write into; takes v */
XG_FN xg_value *xg_eval_own(xg_eval_run *r, xg_value **v);
XG_FN int64_t xg_eval_int_at(const xg_value *v, int64_t index); /* of an integer array */
XG_FN size_t xg_eval_bytes(xg_eval_run *r, const xg_shape *s);  /* of a dense array */
XG_FN void xg_eval_spend(xg_eval_run *r, int64_t operations);   /* counts against max_work */
XG_FN void xg_eval_spend_each(xg_eval_run *r, int64_t times, int64_t operations);
XG_FN xg_eval_plan *xg_eval_plan_of(xg_eval_run *r, const xg_comp *c);
/* runs c; takes over the references of args */
XG_FN xg_value *xg_eval_frame(xg_eval_run *r, const xg_comp *c, xg_value **args);
/* one instruction; drops what is left in `in` */
XG_FN xg_value *xg_eval_step(xg_eval_run *r, const xg_inst *i, xg_value **in);

XG_FN void xg_eval_operands(xg_eval_run *r, const xg_eval_plan *p, uint32_t at, xg_value **slots,
    xg_value **in);                                                        /* of the instruction at that place */
XG_FN uint32_t xg_eval_branch_of(const xg_inst *i, const xg_value *index); /* which branch of a conditional is taken */
XG_FN const xg_comp *xg_eval_branch(const xg_inst *i, uint32_t k);
typedef xg_value *(*xg_eval_handler)(xg_eval_run *r, const xg_inst *i, xg_value **in);
XG_FN xg_eval_handler xg_eval_handler_of(xg_opcode op);

/* The words of the opcode table's column `eval`: a pointer for each of these takes half of one for each opcode. */
/* clang-format off */
#define XG_EVAL_WORDS(X) \
    X(elementwise) X(constant) X(iota) X(parameter) X(partition_id) X(replica_id) X(rng_get_and_update_state) \
    X(bitcast) X(bitcast_convert) X(reshape) X(broadcast) X(transpose) X(reverse) X(slice) X(pad) X(concatenate) \
    X(dynamic_slice) X(dynamic_update_slice) X(dynamic_reshape) X(gather) X(scatter) X(get_dimension_size) \
    X(set_dimension_size) X(dot) X(ragged_dot) X(scaled_dot) X(convolution) X(fft) X(cholesky) X(triangular_solve) \
    X(reduce) X(reduce_window) X(select_and_scatter) X(map) X(sort) X(topk) X(scan) X(batch_norm_training) \
    X(batch_norm_inference) X(batch_norm_grad) X(tuple) X(get_tuple_element) X(call) X(while) X(conditional) \
    X(fusion) X(custom_call) X(opt_barrier) X(after_all) X(add_dependency) X(rng) X(rng_bit_generator) X(collective) \
    X(pass) X(async_done) X(async_start) X(copy_start) X(copy_done) X(send) X(send_done) X(recv) X(recv_done) \
    X(infeed) X(outfeed)
/* clang-format on */
/* Handlers return a counted value. in[k] is counted for the handler: it may take one over by storing NULL there. */
#define X(word) XG_FN xg_value *xg_eval_##word(xg_eval_run *r, const xg_inst *i, xg_value **in);
XG_EVAL_WORDS(X)
#undef X

/* ---- dynamic.c: arrays whose sizes are known only when they appear ---------------------------------------------- */
XG_FN const xg_shape *xg_sized_shape(xg_eval_run *r, xlagpu_type type, const int64_t *dims, uint32_t rank);
XG_FN bool xg_shape_has_dynamic(const xg_shape *s);                      /* it, or an element of it */
XG_FN const xg_shape *xg_eval_static(xg_eval_run *r, const xg_shape *s); /* bounds become sizes */
/* passes values on, or is about sizes: never rewritten */
XG_FN bool xg_sized_transparent(xg_opcode op);
/* an array with the sizes that i's shape says are fixed */
XG_FN xg_value *xg_eval_settle(xg_eval_run *r, const xg_inst *i, xg_value *v);
/* evaluates an instruction that touches dynamic dimensions */
XG_FN xg_value *xg_eval_sized(xg_eval_run *r, const xg_inst *i, xg_value **in);
/* cut off, or filled up with zeros, at the end of each dimension */
XG_FN xg_value *xg_eval_resize(xg_eval_run *r, xg_value **v, const int64_t *dims);

/* ---- team.c: many devices in step; collectives ------------------------------------------------------------------- */
/* Runs c on the active devices. args[k * n_devices + d]; takes over their references. */
XG_FN void xg_team_frame(xg_eval_run *r, const xg_comp *c, const bool *active, xg_value **args, xg_value **results);

/* ---- device.c
 * ----------------------------------------------------------------------------------------------------- */
XG_FN xg_value *xg_eval_zero(xg_eval_run *r, const xg_shape *s);
XG_FN xg_value *xg_eval_started(
    xg_eval_run *r, const xg_inst *i, xg_value *first, xg_value *second); /* (first, second, contexts...) */
XG_FN xg_value *xg_eval_import(xg_eval_run *r, const xg_literal *l);      /* a copy */
XG_FN const xg_literal *xg_eval_literal(xg_eval_run *r, xg_arena *a, const xg_value *v, uint32_t depth);

/* ---- random.c
 * ----------------------------------------------------------------------------------------------------- */
XG_FN void xg_random_begin(xg_eval_run *r);
XG_FN void xg_threefry(uint64_t counter, uint64_t key, uint32_t out[2]);

/* ---- math.c: scalar functions ---------------------------------------------------------------------------------- */
enum {
    XG_TWO_OVER_PI = 19 /* words of 64 bits: enough for every double, and for what PTX does the same with */
};
XG_FN const uint64_t *xg_two_over_pi(void); /* 32 zero bits, then 2/pi */
/* sin, cos, tan: the C library's, unless it fails for large angles. */
#ifdef __MINGW32__
XG_FN double xg_sin(double x);
XG_FN double xg_cos(double x);
XG_FN double xg_tan(double x);
#else
#define xg_sin sin
#define xg_cos cos
#define xg_tan tan
#endif
typedef struct xg_complex {
    double re, im;
} xg_complex;
XG_FN uint64_t xg_eval_mulhi(uint64_t a, uint64_t b, int bits, bool is_signed);
/* of the carrier, whose highest bit is a sign even of unsigned types, as in XLA */
XG_FN uint64_t xg_eval_int_power(uint64_t base, uint64_t exponent, int bits);
XG_FN xg_complex xg_complex_of(double re, double im);
/* a pass of a longer transform: element j is first multiplied by the root of that order to the power j times its index
 * in that dimension */
/* whether cuFFT's call takes and gives such arrays; rank: of the transform */
XG_FN bool xg_fft_call_is_plain(const xg_shape *from, const xg_shape *to, int64_t rank);
XG_FN bool xg_fft_twiddle(const xg_inst *i, int64_t *dim, int64_t *length);
XG_FN xg_complex xg_fft_root(int64_t k, int64_t n, double sign); /* exp(sign 2 pi i k / n), 0 <= k < n */
/* As XLA orders them: by the real, then by the imaginary part; but what is not strict (LE, GE, and so minimum, maximum,
 * clamp) sees the real part alone. */
XG_FN bool xg_complex_less(xg_complex a, xg_complex b);
XG_FN bool xg_complex_least(xg_complex a, xg_complex b);
XG_FN xg_complex xg_complex_mul(xg_complex a, xg_complex b);
XG_FN xg_complex xg_complex_div(xg_complex a, xg_complex b);
/* clang-format off */
#define X(name) XG_FN xg_complex xg_complex_##name(xg_complex z);
X(sign) X(exp) X(expm1) X(log) X(log1p) X(logistic) X(sqrt) X(rsqrt) X(sin)
X(cos) X(tan) X(asin) X(acos) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh)
#undef X
    /* clang-format on */
    XG_FN xg_complex xg_complex_pow(xg_complex a, xg_complex b);
XG_FN xg_complex xg_complex_atan2(xg_complex a, xg_complex b);

/* ---- kernels.c: loops over dense blocks of a carrier type ------------------------------------------------------ */

/* A prepared elementwise instruction. Carriers are the types that kernels compute in: the integers by width, f32, f64,
 * c64, c128. */
typedef struct xg_ew xg_ew;
/* false: it does not know the opcode (asked with n = 0) */
typedef bool (*xg_ew_kernel)(const xg_ew *e, void *out, const void *const *in, size_t n);
struct xg_ew {
    xg_opcode op;
    uint32_t n_in;
    xlagpu_type in_type[3], out_type;
    xg_ew_kernel kernel;
    const float *table;     /* of in_type, when it is 8 bits or narrower */
    bool decode[3], encode; /* around the kernel: narrow float <-> f32 */
    bool is_signed;
    int bits;      /* of in_type[0] */
    int direction; /* of compare: XG_DIR_* */
    int exponent_bits, mantissa_bits;
};
enum {
    XG_DIR_EQ,
    XG_DIR_NE,
    XG_DIR_GE,
    XG_DIR_GT,
    XG_DIR_LE,
    XG_DIR_LT
};
XG_FN bool xg_eval_kernel_select(const xg_ew *e, void *out, const void *const *in, size_t n);
XG_FN bool xg_eval_kernel_total_order(const xg_ew *e, void *out, const void *const *in, size_t n);
XG_FN bool xg_eval_kernel_complex(
    const xg_ew *e, void *out, const void *const *in, size_t n);          /* COMPLEX: floats to a complex */
XG_FN int64_t xg_eval_total_key(const xg_float_format *f, uint64_t bits); /* the place of a float in the total order */
XG_FN xg_ew_kernel xg_eval_kernel_of(xg_opcode op, xlagpu_type carrier);

/* ---- convert.c: between types ---------------------------------------------------------------------------------- */
XG_FN bool xg_eval_kernel_convert(const xg_ew *e, void *out, const void *const *in, size_t n);
XG_FN bool xg_eval_kernel_reduce_precision(const xg_ew *e, void *out, const void *const *in, size_t n);
XG_FN bool xg_eval_kernel_stochastic(const xg_ew *e, void *out, const void *const *in, size_t n);
XG_FN void xg_eval_convert_block(xlagpu_type to, void *out, xlagpu_type from, const void *in, size_t n);
XG_FN int64_t xg_eval_wrap(xlagpu_type t, int64_t v);            /* to the type's width and sign */
XG_FN int64_t xg_eval_load_int(xlagpu_type t, const void *p);    /* integers and pred */
XG_FN void xg_eval_store_int(xlagpu_type t, void *p, int64_t v); /* wraps */
XG_FN void xg_eval_narrow_decode(xlagpu_type t, const float *table, float *out, const void *in, size_t n);
XG_FN void xg_eval_narrow_encode(xlagpu_type t, void *out, const float *in, size_t n);

/* ---- element.c: elementwise instructions over arrays and over blocks ------------------------------------------- */
XG_FN void xg_ew_prepare(xg_eval_run *r, const xg_inst *i, xg_ew *e);
XG_FN void xg_ew_block(
    const xg_ew *e, void *out, const void *const *in, size_t n); /* n <= XG_EVAL_BLOCK; operands dense */

/* ---- move.c: strided copies and the opcodes that are nothing else ----------------------------------------------- */

/* Copies dims elements of `bytes` bytes each; strides are in elements and may be zero (source) or negative. The regions
 * do not overlap. */
typedef struct xg_strided {
    uint32_t rank;
    size_t bytes;
    int64_t dims[XG_RANK_MAX], to[XG_RANK_MAX], from[XG_RANK_MAX];
} xg_strided;
XG_FN void xg_eval_copy(const xg_strided *c, unsigned char *to, const unsigned char *from);
XG_FN void xg_eval_fill(unsigned char *to, const unsigned char *element, size_t bytes, size_t n);
XG_FN void xg_eval_row_strides(const xg_shape *s, int64_t *strides); /* logical row-major, in elements */
XG_FN void xg_eval_starts(const xg_inst *i, xg_value *const *in, uint32_t first, const int64_t *extent,
    int64_t *starts); /* clamped start indices of dynamic slices */

/* ---- lift.c: scalar computations over many elements at once ------------------------------------------------------ */

/* Applies c, whose parameters and results are scalars, to n elements: params[k] and results[k] are dense arrays of the
 * parameters' and results' types. results[k] may be params[k] (or no parameter's array), not another parameter's. */
XG_FN void xg_eval_apply(xg_eval_run *r, const xg_comp *c, const void *const *params, void *const *results, size_t n);
XG_FN xg_opcode xg_eval_single(const xg_comp *c); /* the opcode when c is op(p0, p1) or op(p1, p0), else PARAMETER */

/* ---- reduce.c: reduce, map, windows, scan ------------------------------------------------------------------------ */

/* For one dimension of a window at its position w: the outputs (first, first + step, ...; n of them) that see an
 * element of the base there, and the base index that the first sees, growing by base_step. */
typedef struct xg_reach {
    int64_t n, first, step, base, base_step;
} xg_reach;
XG_FN xg_reach xg_eval_reach(const xg_window_dim *d, int64_t w, int64_t base, int64_t outputs);
XG_FN bool xg_eval_next(int64_t *at, const xg_window *w); /* the next position of a window; false after the last */
XG_FN const xg_shape *xg_eval_result_shape(const xg_inst *i, uint32_t k); /* of an opcode with one or several results */
XG_FN xg_value *xg_eval_results(xg_eval_run *r, const xg_inst *i, xg_value **outs);
XG_FN void xg_eval_sort_arrays(
    xg_eval_run *r, xg_value **in, uint32_t n, uint32_t dim, const xg_comp *comp, xg_value **outs);
/* acc[k][e] = c(acc.., x..)[k] for n arrays: dense ones of count elements, and boxes inside arrays (strides in
 * `from`). */
XG_FN void xg_reduce_fold(xg_eval_run *r, const xg_comp *c, uint32_t n, unsigned char *const *acc,
    const unsigned char *const *x, size_t count);
XG_FN void xg_reduce_box(xg_eval_run *r, const xg_comp *c, uint32_t n, unsigned char *const *acc,
    const xg_strided *acc_box, const unsigned char *const *x, const xg_strided *x_box, const size_t *bytes);

XG_FN void xg_reduce_sum(xg_eval_run *r, xlagpu_type t, unsigned char *out, const unsigned char *in,
    const unsigned char *init, int64_t rows, int64_t n); /* floats, in double */

/* ---- calls.c, solvers.c, eigen.c, general.c: the custom calls that are known ------------------------------------- */
/* NULL: not with these operands and results */
typedef xg_value *(*xg_call_fn)(xg_eval_run *r, const xg_inst *i, xg_value **in);
/* in a name `?` is LAPACK's letter of the type: s, d, c or z */
XG_FN bool xg_call_is(xg_str target, const char *name);
/* of backend_config, in either of its notations */
XG_FN bool xg_call_flag(const xg_inst *i, const char *name, bool otherwise);
/* "NAME":{"a":"1","b":"2"}: is it there, and its two numbers */
XG_FN bool xg_call_pair(const xg_inst *i, const char *name, int64_t *v);
/* of ApproxTopK and PartialReduce: the dimension of the rows; -1: it is none */
XG_FN int64_t xg_call_best_dim(const xg_inst *i, const xg_comp **comparator);
XG_FN bool xg_call_is_number(const xg_inst *i, const char *name, int64_t v); /* is that option there, and v? */
/* LAPACK's: is option `name` one of the letters? Without it, the flag */
XG_FN bool xg_call_choice(const xg_inst *i, const char *flag, const char *name, const char *letters, bool otherwise);
XG_FN bool xg_call_lower(const xg_inst *i); /* is the lower triangle of a symmetric matrix read? */
/* Matrices of complex doubles, row-major. */
XG_FN xg_value *xg_linear_widen(xg_eval_run *r, xg_value **v);
XG_FN xg_complex *xg_linear_data(const xg_value *v);
XG_FN xg_complex xg_complex_conj(xg_complex z);
XG_FN xg_value *xg_linear_narrow(xg_eval_run *r, const xg_shape *shape, xg_value *wide); /* takes wide */
XG_FN xg_value *xg_linear_factor(xg_eval_run *r, const xg_shape *shape, xg_value **in, bool lower, int32_t *failed);
XG_FN xg_value *xg_linear_solve(xg_eval_run *r, const xg_shape *shape, xg_value **in, bool left, bool lower, bool unit,
    char op); /* op: 'n', 't', 'a' */
/* the last two dimensions of an array, and how many such matrices it has */
typedef struct xg_matrices {
    int64_t count, rows, columns;
} xg_matrices;
XG_FN bool xg_solver_matrices(const xg_shape *s, xg_matrices *m);                  /* false: no matrices of floats */
XG_FN bool xg_solver_tuple(const xg_inst *i, uint32_t operands, uint32_t results); /* is the call of that form? */
XG_FN bool xg_solver_result(const xg_inst *i, uint32_t k, int class_mask, int64_t elements);
XG_FN xg_value *xg_solver_values(xg_eval_run *r, int64_t n);               /* complex doubles, zeros */
XG_FN xg_value *xg_solver_zeros(xg_eval_run *r, const xg_shape *s);        /* as many as the shape has elements */
XG_FN void xg_complex_sub_mul(xg_complex *to, xg_complex a, xg_complex b); /* to -= a b */
/* LAPACK's larfg: x[1..n) becomes v; gives beta */
XG_FN xg_complex xg_qr_reflector(xg_complex *x, int64_t n, int64_t step, xg_complex *tau);
XG_FN void xg_qr_reflect(xg_complex *c, int64_t rows, int64_t columns, int64_t row_step, int64_t column_step,
    const xg_complex *v, int64_t v_step, xg_complex tau); /* c -= tau v (v* c), v[0] = 1 */

/* ---- team.c: devices together ------------------------------------------------------------------------------------ */
/* What the ids in replica_groups are: see xg_team_mode_of. */
typedef enum xg_team_mode {
    XG_TEAM_REPLICAS,
    XG_TEAM_PARTITIONS,
    XG_TEAM_BOTH,
    XG_TEAM_FLAT
} xg_team_mode;

/* calls.c */
XG_FN int64_t xg_call_number(xg_str v);
XG_FN xg_str xg_call_option(const xg_inst *i, const char *name);
XG_FN xg_str xg_call_option_of(
    xg_str config, const char *name); /* the same of a text, or of what is behind an option */
#ifdef XLAGPU_SMALL
XG_FN bool xg_eval_is_left_out(const xg_inst *i); /* a call that a small build has the name of alone */
#endif

/* device.c: the pairs of devices that an attribute of the front end names, and the next of them */
XG_FN bool xg_sent_pairs(const xg_inst *i, xg_str *list);
XG_FN bool xg_sent_pair(xg_str text, uint32_t *at, int64_t pair[2]);
/* team.c */
XG_FN xg_team_mode xg_team_mode_of(const xg_inst *i);
#endif /* XG_EVAL_H */
