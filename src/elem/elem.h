/* elem/elem.h -- the elements of a fused computation as kernel IR, and what every emitter writes with.
 *
 * The scalar meaning of every opcode is one function (elemental.c and its helpers) that turns operand elements into
 * result elements; movement is a change of indices by the opcode's indexing map. The partitioner (fuse/) cuts a fused
 * computation into functions, each of which is reached through one index map only; a function takes the computation's
 * parameters as tensors and the indices of its root, and gives one element per root.
 *
 * Tensors of kernel IR have the physical order of the buffers (major to minor); logical indices are permuted where a
 * tensor is touched, so no emitter knows layouts. An element of a real type is one value; a complex one is a pair. pred
 * is i1; integers under 8 bits are i8 and always hold their normalised value. */
#ifndef XG_ELEM_H
#define XG_ELEM_H
#include "../fuse/fuse.h"
#include "../kir/kir.h"

typedef struct xg_elem {
    xg_kval *v, *im;
} xg_elem; /* im only for complex */

/* What the emitters want to know of the device; figures are those of its description (cost.h). */
typedef struct xg_emit_target {
    int64_t resident_threads; /* of all multiprocessors */
    int64_t sms;              /* multiprocessors */
    int64_t max_unroll;       /* elements of a thread */
    int64_t max_vector;       /* ... that walks linearly, where they are narrow */
    int64_t shared;           /* bytes a block may have */
    int64_t cluster;          /* blocks that may reach each other's shared memory */
    int64_t red_bytes;        /* of neighbouring floats that one instruction adds to memory */
    bool deterministic;       /* no sums in the order in which threads come */
} xg_emit_target;

/* One parameter or result of the kernel, in the order of the entry function's parameters. */
typedef struct xg_kernel_arg {
    const xg_shape *shape;
} xg_kernel_arg;

/* An instruction's elements, one per output, and the region that they were made in. Parameters, which may be read at
 * several places, remember the last one. */
typedef struct xg_memo {
    xg_elem elem;
    const xg_elem *outs;
    xg_kregion *region;
    xg_kval **at;
} xg_memo;

/* A computation of scalars that is made in place, on given elements: what reduce, map, sort ... apply. */
typedef struct xg_applied {
    const xg_comp *comp;
    const xg_elem *args;
    xg_map64 places;
    xg_memo *memo;
} xg_applied;

typedef struct xg_fusion_emission {
    xg_arena *arena;
    xg_ctx *ctx;
    const xg_emit_target *target;
    const xg_comp *comp;   /* the fused computation */
    const xg_inst *fusion; /* the instruction that calls it */
    const xg_partition *parts;
    const xg_rounds *rounds; /* of a loop, one round of which is the computation; else NULL */
    xg_kmodule *m;
    xg_kfunc **funcs; /* by partition */
    uint32_t n_roots;
    xg_inst *const *roots;
    xg_memo *memo; /* by place in the partition */
    /* from an emitter's plan to what it emits */
    xg_str name;             /* of the kernel */
    const xg_record *given;  /* what the plan has to obey; NULL: nothing */
    xg_record *record;       /* what it decides: way, form, launch */
    void *form;              /* the same in a form of the emitter's own */
    const xg_ktype *scratch; /* of the launch's scratch memory; NULL: there is none */
    /* of a fusion of fusions: how its members are made, in the order of xg_fuse_phases */
    uint32_t n_members;
    xg_record *members;
    xg_comp *last; /* of the module: those behind it are of this emission alone */
} xg_fusion_emission;

/* A row of emitters.h. */
typedef struct xg_emitter {
    const char *name;
    bool (*plan)(xg_fusion_emission *e);
    void (*emit)(xg_fusion_emission *e);
} xg_emitter;
/* Where elements are being made: a function of the partition, its indices, and what was made already. */
typedef struct xg_scope {
    xg_kb b;
    xg_fusion_emission *e;
    uint32_t part;
    xg_kval **tensors;   /* the computation's parameters */
    xg_memo *memo;       /* by index of the instruction in its computation */
    xg_applied *applied; /* not NULL: instructions of that computation are being made, not of the fused one */
    const xg_elem *outs; /* what a handler of several outputs hands back, see xg_elem_give */
    uint32_t depth;
} xg_scope;

/* ---- scalar.c: one real element ---- */
/* brings an i8 back into the range of s1..s4, u1..u4 */
XG_FN xg_kval *xg_scalar_wrap(xg_kb *b, xg_kval *v, xlagpu_type t);
XG_FN xg_kval *xg_scalar_unary(xg_kb *b, const xg_inst *i, xlagpu_type t, xg_kval *x);
XG_FN xg_kval *xg_scalar_binary(xg_kb *b, const xg_inst *i, xlagpu_type t, xg_kval *x, xg_kval *y);
XG_FN xg_kval *xg_scalar_compare(xg_kb *b, const xg_inst *i, xlagpu_type t, xg_kval *x, xg_kval *y);
XG_FN xg_kval *xg_scalar_reduce_precision(xg_kb *b, xg_kval *x, int64_t exponent_bits, int64_t mantissa_bits);
/* integers in the total order of floats; ordered_small: of the bits of an 8-bit format */
XG_FN xg_kval *xg_scalar_ordered_bits(xg_kb *b, xg_kval *x);
XG_FN xg_kval *xg_scalar_ordered_small(xg_kb *b, xg_kval *x, const xg_float_format *f);
/* ---- convert.c ---- */
XG_FN xg_kval *xg_scalar_convert(xg_kb *b, xg_kval *x, xlagpu_type from, xlagpu_type to); /* real to real */
XG_FN xg_kval *xg_scalar_widen(xg_kb *b, xg_kval *x); /* f8, f6, f4 -> f32 (exact); others unchanged */
XG_FN xg_kval *xg_scalar_stochastic(xg_kb *b, xg_kval *x, xg_kval *random, xlagpu_type to);
/* ---- complex.c ---- */
XG_FN xg_elem xg_complex_unary(xg_kb *b, const xg_inst *i, xg_elem x);
XG_FN xg_elem xg_complex_binary(xg_kb *b, const xg_inst *i, xg_elem x, xg_elem y);
XG_FN xg_kval *xg_complex_compare(xg_kb *b, const xg_inst *i, xg_elem x, xg_elem y);
/* A small build has no complex arithmetic, and has refused what needs it. */
#ifdef XLAGPU_SMALL
#define XG_ELEM_IS_COMPLEX(x) false
#else
#define XG_ELEM_IS_COMPLEX(x) ((x).im != NULL)
#endif
XG_FN xg_kval *xg_cx_abs(xg_kb *b, xg_elem z);
XG_FN xg_elem xg_cx_mul(xg_kb *b, xg_elem z, xg_elem w);
XG_FN xg_elem xg_cx_div(xg_kb *b, xg_elem z, xg_elem w);
XG_FN xg_elem xg_cx_sqrt(xg_kb *b, xg_elem z);
/* ---- elemental.c ---- */
/* element of an instruction at logical indices */
XG_FN xg_elem xg_elem_of(xg_scope *s, const xg_inst *i, xg_kval *const *indices);
/* one per output of an instruction with a tuple shape */
XG_FN const xg_elem *xg_elem_outs(xg_scope *s, const xg_inst *i, xg_kval *const *indices);
XG_FN xg_elem xg_elem_give(xg_scope *s, const xg_elem *outs, uint32_t n); /* how a handler returns several outputs */
XG_FN xg_elem xg_elem_real(xg_kval *v);
XG_FN xg_elem xg_elem_operand(
    xg_scope *s, const xg_inst *i, uint32_t k, xg_kval *const *indices); /* of operand k, for result indices i */
XG_FN xg_kval *xg_elem_index(xg_scope *s, int64_t v);
XG_FN xg_kval *xg_elem_index_0(xg_scope *s);
XG_FN void xg_elem_apply(
    xg_scope *s, const xg_imap *map, xg_kval *const *indices, xg_kval **out); /* the map at these dims and symbols */
XG_FN xg_kval *xg_elem_and(xg_scope *s, xg_kval *p, xg_kval *q);              /* NULL is true */
/* Whether dims and symbols lie in the map's domain, given that dims are indices of the shape and symbol k in [0,
 * counts[k]-1]; NULL: always. */
XG_FN xg_kval *xg_elem_in_domain(
    xg_scope *s, const xg_imap *map, const xg_shape *shape, const int64_t *counts, xg_kval *const *indices);
/* an integer element as an index in [0, limit] */
XG_FN const xg_inst *xg_concat_whole(const xg_inst *i);
XG_FN xg_kval *xg_elem_clamped(xg_scope *s, xg_kval *v, xlagpu_type t, int64_t limit);
/* A handler for each word of the opcode table's column `elem`. */
/* clang-format off */
#define XG_ELEM_WORDS(X) \
    X(unary) X(identity) X(convert) X(reduce_precision) X(binary) X(compare) X(stochastic_convert) X(select) \
    X(clamp) X(constant) X(iota) X(none) X(bitcast_convert) X(pad) X(concatenate) X(dynamic_slice) \
    X(dynamic_update_slice) X(gather) X(scatter) X(dimension_size) X(dot) X(ragged_dot) X(convolution) X(reduce) \
    X(reduce_window) X(select_and_scatter) X(map) X(whole) X(tuple) X(get_tuple_element) X(call) X(random_bits)
/* clang-format on */
#define X(word) XG_FN xg_elem xg_elem_##word(xg_scope *s, const xg_inst *i, xg_kval *const *at);
XG_ELEM_WORDS(X)
#undef X
/* one function per partition; function 0 only if asked */
XG_FN void xg_emit_functions(xg_fusion_emission *e, bool with_roots);
/* at the end of a function that has the computation's parameters in front */
XG_FN xg_scope xg_emit_scope(xg_fusion_emission *e, xg_kfunc *f, uint32_t part);
/* A kernel's entry begins, with all functions in front of it; the arrays of the roots. */
XG_FN xg_kval **xg_emit_enter(xg_fusion_emission *e, xg_scope *s);
XG_FN void xg_emit_forget(xg_scope *s); /* what has been made: what comes is made at another index */
XG_FN const xg_ktype *xg_emit_tensor_type(xg_kmodule *m, const xg_shape *s); /* in physical order */
/* a name for the printed form; %u takes the number */
XG_FN void xg_emit_name(xg_kmodule *m, xg_kval *v, const char *format, uint32_t number);
XG_FN xg_elem xg_emit_split(xg_kb *b, xg_kval *v); /* a value read from a tensor as an element, and back */
XG_FN xg_kval *xg_emit_join(xg_kb *b, xg_elem e);
/* logical indices in the order of the buffer */
XG_FN void xg_emit_physical(const xg_shape *s, xg_kval *const *indices, xg_kval **out);
XG_FN xg_kval *xg_emit_insert(xg_kb *b, xg_elem v, xg_kval *tensor, const xg_shape *s, xg_kval *const *indices);
/* ---- apply.c: computations of scalars, loops and conditions over carried elements ---- */
XG_FN void xg_elem_call_comp(xg_scope *s, const xg_comp *comp, const xg_elem *args, xg_elem *results,
    uint32_t n); /* results may be among args */
XG_FN void xg_elem_call_inst(xg_scope *s, const xg_comp *comp, const xg_inst *root, const xg_elem *args,
    xg_elem *results, uint32_t n); /* the same of an instruction of it */
/* What is done to the carried elements at one place of a loop nest. */
typedef void (*xg_carry_fn)(xg_scope *s, void *data, xg_kval *const *at, xg_elem *carried);
/* For every index vector below counts, the last running fastest. Nothing when a count is 0. */
XG_FN void xg_elem_nest(
    xg_scope *s, const int64_t *counts, uint32_t n, xg_carry_fn body, void *data, xg_elem *carried, uint32_t n_carried);
/* Where cond holds (NULL: everywhere); elsewhere the carried elements stay. */
XG_FN void xg_elem_when(
    xg_scope *s, xg_kval *cond, xg_carry_fn body, void *data, xg_kval *const *at, xg_elem *carried, uint32_t n_carried);
XG_FN xg_elem xg_elem_convert_to(
    xg_scope *s, xg_elem x, xlagpu_type from, xlagpu_type to); /* real or complex to the same class */
/* the carried elements as values, and back; how many there are */
XG_FN uint32_t xg_carry_values(const xg_elem *carried, uint32_t n, xg_kval **out);
XG_FN void xg_carry_elems(xg_kval *values, xg_elem *carried, uint32_t n);
/* ---- flow.c: loops and conditions around code that changes variables ---- */
typedef struct xg_flow { /* of, then slots, then for or if, then the code inside, then end */
    xg_scope *s;
    xg_kop *op;
    xg_kb outer;
    xg_kval *var;  /* of a loop */
    bool rolled;   /* a loop that is not to become straight code */
    int64_t limit; /* not zero: what carried integers never exceed */
    XG_VEC(xg_kval **) slots;
    xg_kval **before; /* what they held in front of an if */
} xg_flow;
XG_FN xg_flow xg_flow_begin(xg_scope *s);              /* of no variables yet */
XG_FN xg_flow xg_flow_of(xg_scope *s, xg_kval **slot); /* of one; NULL: of none */
XG_FN void xg_flow_slot(xg_flow *f, xg_kval **slot);   /* a variable; NULL in it: there is none */
XG_FN void xg_flow_slots(xg_flow *f, xg_kval **slots, uint32_t n);
XG_FN xg_kval **xg_flow_values(const xg_flow *f); /* what the variables hold, in their order */
XG_FN void xg_flow_elem(xg_flow *f, xg_elem *e);
XG_FN void xg_flow_elems(xg_flow *f, xg_elem *e, uint32_t n);
XG_FN xg_kval *xg_flow_for(
    xg_flow *f, xg_kval *lo, xg_kval *hi, int64_t step, int64_t limit); /* its variable, below the limit */
XG_FN xg_kval *xg_flow_count(xg_flow *f, int64_t n);                    /* from 0 to n - 1 */
/* For every point of the map's domain at these dims: its symbols, then its results. */
XG_FN xg_kval *xg_flow_walk(xg_flow *f, const xg_imap *map, xg_kval *const *dims);
XG_FN void xg_flow_if(xg_flow *f, xg_kval *cond); /* NULL: always */
XG_FN void xg_flow_else(xg_flow *f);
/* Code that seldom is done once more: it comes first, then `again`, then what is to be done in between, then the end.
 * Its n values are the operation's last results. */
XG_FN void xg_flow_once(xg_flow *f, uint32_t n);
XG_FN void xg_flow_again(xg_flow *f, xg_kval *cond, xg_kval *const *values);
XG_FN void xg_flow_end(xg_flow *f);
XG_FN xg_kop *xg_flow_wait(xg_flow *f); /* a barrier: its variables are arrays in shared memory */
/* ---- shared.c: arrays in the shared memory of a block ---- */
enum {
    XG_SHARED_REST_BYTES = 8 << 10, /* what an emitter leaves to others than its tile */
    XG_SHARED_TILE_BYTES = XG_SHARED_STATIC_BYTES - XG_SHARED_REST_BYTES
};
typedef struct xg_shared { /* arrays of one form: one a value, complex parts apart */
    uint32_t n;
    xg_kval **arrays;
} xg_shared;
XG_FN xg_kval *xg_shared_of(xg_kb *b, const xg_ktype *type);            /* an array that nothing has been written to */
XG_FN xg_kval *xg_shared_array(xg_kb *b, xg_kelem e, int64_t elements); /* of one dimension */
/* A barrier; behind it the arrays are what all threads of the block, or of the cluster, have written. Shared memory
 * ends with its block: no thread leaves while one of another block reads there. */
XG_FN xg_kop *xg_shared_wait(xg_kb *b, xg_kval **arrays, uint32_t n);
XG_FN void xg_cluster_wait(xg_kb *b, xg_kval **arrays, uint32_t n);
XG_FN xg_kval *xg_cluster_peer(xg_kb *b, xg_kval *array, xg_kval *rank); /* the same array of another block of it */
XG_FN int64_t xg_shared_taken(const xg_kregion *r); /* bytes of all arrays that code in it allocates */
/* Sets of arrays for values like these, and the values at one place of it. */
XG_FN xg_shared xg_shared_new(xg_scope *s, const xg_elem *like, uint32_t n, const int64_t *dims, uint32_t rank);
XG_FN xg_shared xg_shared_of_peer(xg_scope *s, const xg_shared *from, xg_kval *rank);
XG_FN void xg_shared_read(xg_scope *s, const xg_shared *from, xg_kval *const *at, uint32_t rank, const xg_elem *like,
    uint32_t n, xg_elem *out);
/* A place where behind every `every` places `gap` are left free: strided walks meet other banks. */
XG_FN const xg_aff *xg_shared_gapped(xg_aff_ctx *x, const xg_aff *place, int64_t every, int64_t gap);
/* A tile: what a block has of an array. One walk over it fills shared memory, a barrier makes the threads of the block
 * or of the cluster wait, a second walk reads it in another order. */
typedef struct xg_shared_tile {
    uint32_t rank;
    int64_t extent[XG_RANK_MAX], counts[XG_RANK_MAX]; /* of each dimension: elements of a tile, tiles */
    int64_t elements, blocks, threads;
    int64_t parts;                     /* tiles of a cluster, whose blocks read from each other; 0 or 1: none do */
    uint32_t along;                    /* the dimension in which those of a cluster follow each other */
    int64_t stride[XG_RANK_MAX], room; /* in shared memory: places from neighbour to neighbour; places in all */
} xg_shared_tile;
/* Cuts an array of these dimensions into tiles of the given extents; false: into more than a launch has blocks. */
XG_FN bool xg_shared_cut(xg_shared_tile *t, const int64_t *dims);
/* Where a block's tile begins, in tiles of each dimension; answers which one of its cluster it is. */
XG_FN const xg_aff *xg_shared_block(xg_aff_ctx *x, const xg_shared_tile *t, const xg_aff *block, const xg_aff **first);
/* Between the walks: until all have filled their arrays. Behind them: shared memory ends with its block, where another
 * one of the cluster may read yet. */
XG_FN void xg_shared_meet(xg_kb *b, const xg_shared_tile *t, xg_kval **arrays, uint32_t n);
XG_FN void xg_shared_leave(xg_kb *b, const xg_shared_tile *t);
/* The place of an element; at: its index in each dimension of the tile, NULL: there is one only. */
XG_FN const xg_aff *xg_shared_place(xg_aff_ctx *x, const xg_shared_tile *t, const xg_aff *const *at);
/* ---- reduce.c: folding elements into accumulators ---- */
typedef struct xg_fold {
    const xg_inst *i;
    const xg_comp *comp;
    uint32_t n;
    xlagpu_type wide;
    xg_elem *args;
} xg_fold;
XG_FN xg_fold xg_fold_begin(xg_scope *s, const xg_inst *i, xg_elem *acc, xg_kval *const *at);
/* acc = reducer(acc, x), x in f->args[n..2n) */
XG_FN void xg_fold_step(xg_scope *s, xg_fold *f, xg_elem *acc);
XG_FN xg_elem xg_fold_end(xg_scope *s, const xg_fold *f, xg_elem *acc);
/* ---- gather.c ---- */
XG_FN xg_kval *xg_window_component(xg_scope *s, const xg_windows *w, xg_kval *const *position, int32_t k);
/* ---- window.c ---- */
XG_FN xg_window xg_emit_window(const xg_inst *i); /* without the attribute: of no dimensions */
/* the number of an element in row-major order, in the type in which selections come */
XG_FN xg_kval *xg_select_number(xg_scope *s, const xg_inst *i, xg_kval *const *at, xg_kelem e);
/* ---- random.c ---- */
/* of a rng-bit-generator, whose results differ in shape */
XG_FN xg_elem xg_random_output(xg_scope *s, const xg_inst *i, uint32_t output, xg_kval *const *at);
/* ---- launch.c ---- */
enum {
    XG_LAUNCH_THREADS = 128,  /* four warp schedulers times 32 lanes */
    XG_LAUNCH_ROUNDS = 1024,  /* threads of a block that is a loop, */
    XG_LAUNCH_LOOPS = 1 << 18 /* ... of so many elements: each worker has enough of them */
};
XG_FN int64_t xg_warps_whole(int64_t threads); /* at least so many threads, as whole warps */
/* min(128, n) threads, as many blocks as needed, in x then y */
XG_FN xg_launch xg_launch_linear(const xg_fusion_emission *e, int64_t elements, int64_t unroll);
XG_FN bool xg_emit_launch(
    xg_fusion_emission *e, int64_t threads, int64_t blocks, int64_t cluster); /* the end of a plan: true */
/* ---- form.c ---- */
typedef struct xg_form_field {
    char name[9]; /* with the 0 at its end */
    uint16_t at;  /* of an int64_t in the emitter's struct */
} xg_form_field;
XG_FN bool xg_form_is_whole(const xg_fusion_emission *e);   /* the order says all: nothing is left to decide */
XG_FN bool xg_form_is_ordered(const xg_fusion_emission *e); /* the order says something of the form */
/* One number of the order, if it says it; into the record, if it is not 0. */
XG_FN bool xg_form_number(const xg_fusion_emission *e, const char *name, int64_t *v);
XG_FN void xg_form_put(xg_fusion_emission *e, const char *name, int64_t v);
/* From the order, what it says; into the record, what is not 0. */
XG_FN void xg_form_read(const xg_fusion_emission *e, const xg_form_field *fields, uint32_t n, void *form);
XG_FN void xg_form_write(xg_fusion_emission *e, const xg_form_field *fields, uint32_t n, const void *form);
/* "walk", of an emitter with several: its number among the names, n if the order does not say or has none of them. */
XG_FN uint32_t xg_form_walk(const xg_fusion_emission *e, const char *names, uint32_t n);
XG_FN void xg_form_write_walk(xg_fusion_emission *e, const char *name);
/* One of several walks, first that of the form: each is made, and the one of the least estimated time taken. */
XG_FN void xg_form_leave_open(xg_fusion_emission *e, const char *name);
XG_FN bool xg_form_power(int64_t v, int64_t most);                 /* of two, from 1 on */
XG_FN bool xg_emit_refuse(xg_fusion_emission *e, const char *why); /* the end of a plan that does not take it: false */
/* elemental.c */
/* a start index of dynamic-slice or dynamic-update-slice, clamped */
XG_FN xg_kval *xg_elem_start(xg_scope *s, const xg_inst *i, uint32_t first, uint32_t k, int64_t limit);
XG_FN const xg_elem *xg_elem_make(xg_scope *s, const xg_inst *i, xg_memo *memo, xg_kval *const *indices);
XG_FN const xg_inst *xg_sort_of_root(const xg_inst *root); /* the sort or topk that the root is an output of, or NULL */
XG_FN xg_kval *xg_elem_within(xg_scope *s, xg_kval *v, xg_range r, xg_range known);

/* contract.c */
XG_FN xlagpu_type xg_contract_rounding(const xg_inst *i, xlagpu_type t);
/* An operand's element, as algorithm= rounds it: of type t, then of xg_contract_rounding's. */
XG_FN xg_elem xg_contract_round(xg_scope *s, const xg_inst *i, xg_elem x, xlagpu_type t);
XG_FN xlagpu_type xg_contract_sum_type(const xg_inst *i);
/* contract.c: a contraction while it is emitted by one thread for an element */
enum {
    XG_CONTRACT_PIECES_MAX = 4,
    XG_CONTRACT_CHAIN_MAX = 8
};
typedef struct xg_contract_site {
    const xg_inst *i;
    const xg_imap *maps[2];
    xlagpu_type sum, types[2];
    uint32_t rank, n_window, n; /* of the result; loops over window positions; all loops */
    int64_t counts[XG_RANK_MAX + 1];
    xg_kval *vars[2 * XG_RANK_MAX + 1];
    uint32_t n_pieces;                              /* of the innermost loop */
    int64_t cuts[XG_CONTRACT_PIECES_MAX + 1], from; /* where they begin; where the one at hand does */
} xg_contract_site;
/* A tile of neighbouring rows of one group of a ragged-dot: the group's number (rows behind the last group are one
 * more), its first row, the group's end, which lies in front of that where there are not so many tiles, and how many
 * tiles there are. Rows count the ragged dimension and what stands behind it on the left side (`behind` elements). A
 * tile of 0 rows is a group. `at`: the indices of sizes in front of the group's. */
typedef struct xg_ragged_tile {
    xg_kval *group, *first, *end, *all;
} xg_ragged_tile;
XG_FN bool xg_ragged_sums(const xg_inst *i, uint32_t *which); /* groups are parts of the sum: this summed dimension's */
XG_FN uint32_t xg_ragged_dim(const xg_inst *i);               /* the dimension of the result that is ragged */
XG_FN int64_t xg_ragged_groups(const xg_inst *i);
XG_FN xg_ragged_tile xg_ragged_find(
    xg_scope *s, const xg_inst *i, xg_kval *const *at, xg_kval *tile, int64_t rows, int64_t behind);
/* An element of operand k, by its map at the variables; as the sum takes it. */
XG_FN xg_elem xg_contract_read(xg_scope *s, const xg_contract_site *d, uint32_t k);
XG_FN xg_elem xg_contract_take(xg_scope *s, const xg_contract_site *d, uint32_t k, xg_elem x);
XG_FN void xg_contract_begin(xg_scope *s, xg_contract_site *d, const xg_inst *i, xg_kval *const *at);
XG_FN void xg_contract_add(xg_scope *s, const xg_contract_site *d, xg_elem x, xg_elem y, xg_elem *acc);
XG_FN xg_elem xg_contract_zero(xg_scope *s, xlagpu_type t);
XG_FN xg_elem xg_contract_end(xg_scope *s, const xg_contract_site *d, xg_elem acc);
#endif /* XG_ELEM_H */
