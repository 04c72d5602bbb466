/* sched/sched.h -- block-level code: a kernel as loop nests over buffers, and the schedules that change the order of
 * its work but never its results.
 *
 * Ideas (of TVM's TensorIR: Feng et al., "TensorIR: An Abstraction for Automatic Tensorized Program Optimization",
 * 2022)
 * - A nest is a tree of loops and blocks. A block says what is computed at a point of its own iteration space, nothing
 *   about order: each of its iterators has an extent and a kind, and is bound to an affine expression of the loops
 *   around it. What holds only at some points is a constraint of the block (where).
 * - Iterators are spatial (S: points of the result, in any order) or reduced (R: combined, in any order). A block with
 *   a combiner updates its results, out = combine(out, value), and init says what they hold before the first time;
 *   decompose_reduction makes a block of its own of that.
 * - What is computed of the elements that are read is a computation of scalars in HLO; so the evaluator, the emitters'
 *   scalar code and all opcodes serve here as they are.
 * - A schedule is a series of primitives; each checks first that the program keeps its meaning, and changes nothing if
 *   it does not.
 *
 * Laws
 * - A primitive fails through the context with a message that begins with its name; the nest is then as it was.
 * - Loops count from 0 to extent - 1; expressions are of the variables' ids (xg_aff_dim), which are never used again
 *   until xg_nest_tidy.
 * - Names of buffers and blocks are unique in a nest; names of variables are unique among those that are seen at one
 *   place.
 * - The order of the text is the order of execution, except of what a thread axis bears: its instances run side by
 *   side, and synchronisation is put in when the nest is lowered. */
#ifndef XG_SCHED_H
#define XG_SCHED_H
#include "../affine/affine.h"
#include "../eval/eval.h"
#include "../emit/emit.h"

typedef struct xg_loopnest xg_loopnest;
typedef struct xg_nbuf xg_nbuf;
typedef struct xg_nstmt xg_nstmt;
typedef struct xg_nblock xg_nblock;

enum {
    XG_NEST_VARS_MAX = XG_IMAP_VARS_MAX,
    XG_NEST_DEPTH_MAX = 64
};

/* Where a buffer lives: which threads see it. X(NAME, text) */
#define XG_NSCOPES(X) X(GLOBAL, "global") X(SHARED, "shared") X(WARP, "warp") X(LOCAL, "local")
typedef enum xg_nscope {
#define X(name, text) XG_NS_##name,
    XG_NSCOPES(X)
#undef X
    XG_NS_COUNT
} xg_nscope;

/* How a loop runs. X(NAME, text, bears a thread axis) */
/* clang-format off */
#define XG_NKINDS(X) \
    X(SERIAL, "serial", 0) \
    X(PARALLEL, "parallel", 0) \
    X(VECTORIZED, "vectorized", 0) \
    X(UNROLLED, "unrolled", 0) \
    X(BLOCK_X, "blockIdx.x", 1) \
    X(BLOCK_Y, "blockIdx.y", 1) \
    X(BLOCK_Z, "blockIdx.z", 1) \
    X(THREAD_X, "threadIdx.x", 1) \
    X(THREAD_Y, "threadIdx.y", 1) \
    X(THREAD_Z, "threadIdx.z", 1) \
    X(VTHREAD_X, "vthread.x", 1) \
    X(VTHREAD_Y, "vthread.y", 1) \
    X(VTHREAD_Z, "vthread.z", 1)
/* clang-format on */
typedef enum xg_nkind {
#define X(name, text, axis) XG_NK_##name,
    XG_NKINDS(X)
#undef X
    XG_NK_COUNT
} xg_nkind;

struct xg_nbuf {
    xg_str name;
    xlagpu_type type;
    uint32_t rank;
    const int64_t *dims;
    xg_nscope scope;
    bool padded;        /* it has places that no element of the array it was goes to: nothing writes them */
    bool param, output; /* of the nest: parameters, of which outputs come behind the inputs */
    uint32_t n_aligned;
    const struct xg_naligned *aligned; /* of its memory: storage_align */
    uint32_t id;                       /* its place in the nest's list */
    bool placed;                       /* of shared memory: merged, place is where it begins among those of its type */
    int64_t place;
};
/* the stride of that axis is offset more than a multiple of factor */
typedef struct xg_naligned {
    uint32_t axis;
    int64_t factor, offset;
} xg_naligned;

/* What a block's computation is given: an element, an index as a number, whether constraints hold, or a constant. */
typedef enum xg_narg_kind {
    XG_NA_LOAD,
    XG_NA_INDEX,
    XG_NA_HOLDS,
    XG_NA_CONST
} xg_narg_kind;
typedef struct xg_narg {
    xg_narg_kind kind;
    xlagpu_type type;
    xg_nbuf *buf;      /* LOAD */
    const xg_aff **at; /* LOAD: by dimension; INDEX: one */
    uint32_t n_where;  /* LOAD: it is read only there; elsewhere it is `value`. HOLDS: what is asked */
    const xg_constraint *where;
    const xg_literal *value; /* CONST; LOAD with where */
} xg_narg;

typedef struct xg_niter {
    uint32_t var;
    int64_t extent;
    char kind; /* S or R */
    const xg_aff *binding;
} xg_niter;
typedef struct xg_nout {
    xg_nbuf *buf;
    const xg_aff **at;
} xg_nout;
typedef struct xg_nnote {
    xg_str key, value;
} xg_nnote; /* an annotation */

struct xg_nblock {
    xg_str name;
    uint32_t n_iters;
    xg_niter *iters;
    uint32_t n_where;
    const xg_constraint *where; /* over the loops: the block runs only there */
    uint32_t n_args;
    const xg_narg *args;
    xg_comp *body; /* of the args: one scalar per output. NULL of a block around others */
    uint32_t n_outs;
    const xg_nout *outs;
    xg_comp *combine; /* of what the outputs hold, then the values: what they hold next; NULL: the values */
    const xg_literal *const *init; /* by output; NULL: none, or it is made by another block */
    bool regions;                  /* its text says what it reads and writes */
    /* Reductions among threads (0: it is none). across, bit k: the threads of axis threadIdx.x + k combine one value
     * each, and all have the result. lanes: so do aligned groups of so many lanes of a warp, and nothing begins it */
    uint32_t across, lanes;
    /* of a flat nest: init comes first where these hold; before, where all reduced iterators are 0 */
    uint32_t n_begin;
    const xg_constraint *begin;
    xg_str intrinsic; /* of a block around others: the machine operation that does the same; empty: none */
};

typedef enum xg_nstmt_op {
    XG_N_ROOT,
    XG_N_LOOP,
    XG_N_BLOCK
} xg_nstmt_op;
struct xg_nstmt {
    xg_nblock *block; /* BLOCK; what it holds, if it is around others, are its children */
    xg_nstmt_op op;
    xg_nstmt *parent, *prev, *next, *first, *last;
    uint32_t var;
    int64_t extent;
    xg_nkind kind; /* LOOP */
    uint32_t n_notes;
    const xg_nnote *notes;
    bool sync;         /* the threads of a block wait for each other in front of it */
    bool gone;         /* it was replaced: no primitive takes it any more */
    const char *label; /* its name in the trace; NULL: it has none yet */
};

typedef struct xg_nvar {
    xg_str name;
} xg_nvar;
struct xg_loopnest {
    xg_ctx *ctx;
    xg_arena *arena;
    xg_aff_ctx *aff;
    xg_module *module; /* where the computations of scalars live */
    xg_str name;
    XG_VEC(xg_nbuf *) bufs; /* parameters first */
    XG_VEC(xg_nvar) vars;   /* by id */
    XG_VEC(xg_range) ranges;
    bool flat; /* blocks have no iterators any more: what they read and write is said of the loops */
    xg_nstmt *root;
    struct xg_ntrace *trace; /* where primitives are recorded; NULL: nowhere */
    const xg_source *source; /* of the schedule that is applied, which messages show; NULL: they are of no text */
    size_t line;             /* where in it the primitive stands */
};

/* ---- nest.c: making and walking ---- */
XG_FN xg_loopnest *xg_nest_new(xg_module *m, xg_aff_ctx *aff, xg_str name);
XG_FN xg_nbuf *xg_nest_buf(xg_loopnest *n, xg_str name, xlagpu_type type, const int64_t *dims, uint32_t rank,
    xg_nscope scope); /* the name is made unique */
/* a new variable; the name is made unique among the loops */
XG_FN uint32_t xg_nest_var(xg_loopnest *n, xg_str name, int64_t extent);
XG_FN xg_nstmt *xg_nest_loop(xg_loopnest *n, uint32_t var, int64_t extent, xg_nkind kind); /* not yet in the tree */
XG_FN xg_nstmt *xg_nest_block(xg_loopnest *n, xg_str name); /* the same; no iterators yet; the name is made unique */
XG_FN void xg_nstmt_append(xg_nstmt *parent, xg_nstmt *s);
XG_FN void xg_nstmt_insert(xg_nstmt *before, xg_nstmt *s);
/* takes it out, with what it holds; a parent that is empty then goes too */
XG_FN void xg_nstmt_unlink(xg_nstmt *s);
XG_FN void xg_nstmt_detach(xg_nstmt *s); /* takes it out and leaves the parent as it is */
XG_FN void xg_nstmt_take_children(xg_nstmt *to, xg_nstmt *from);
/* the one behind it in a walk of all that is under top; NULL at the end */
XG_FN xg_nstmt *xg_nstmt_next(const xg_nstmt *s, const xg_nstmt *top);
XG_FN bool xg_nstmt_inside(const xg_nstmt *s, const xg_nstmt *outer);  /* s is outer or under it */
XG_FN xg_nstmt *xg_nstmt_common(const xg_nstmt *a, const xg_nstmt *b); /* the innermost that holds both */
XG_FN bool xg_nstmt_precedes(
    const xg_loopnest *n, const xg_nstmt *a, const xg_nstmt *b); /* in the text; neither holds the other */
XG_FN xg_comp *xg_nest_combiner(xg_loopnest *n, xg_opcode op, xlagpu_type t);
XG_FN const xg_aff **xg_nmap_apply(
    xg_loopnest *n, const xg_imap *map, const xg_aff *const *at); /* the map's results for these indices */
XG_FN xg_nstmt *xg_nest_find(xg_loopnest *n, xg_str block);       /* NULL when there is none */
XG_FN xg_nstmt *xg_nest_find_loop(xg_loopnest *n, xg_str var);    /* by its variable's name */
XG_FN xg_nbuf *xg_nest_find_buf(xg_loopnest *n, xg_str name);
/* those around it up to the next block or the root, outermost first */
XG_FN uint32_t xg_nest_loops(const xg_nstmt *s, xg_nstmt **out, uint32_t cap);
XG_FN xg_aff_env xg_nest_env(xg_loopnest *n);
XG_FN const xg_aff *xg_nest_dim(xg_loopnest *n, uint32_t var);
XG_FN bool xg_nkind_is_axis(xg_nkind k);
XG_FN bool xg_nkind_is_thread(xg_nkind k);
/* A wrong use of a primitive, or a nest that a step refuses: ends the compilation with the message. */
XG_NORETURN XG_FN void xg_sched_fail(const xg_loopnest *n, const char *format, ...) XG_PRINTF(2, 3);
XG_FN const char *xg_nkind_text(xg_nkind k);
XG_FN const char *xg_nscope_text(xg_nscope s);
/* Variables replaced: to[var] is what stands for it, NULL: it stays. One of these serves many expressions. */
typedef struct xg_nsubst {
    xg_loopnest *n;
    const xg_aff **to;
    xg_aff_env env;
    xg_aff_rewrite w;
} xg_nsubst;
XG_FN void xg_nsubst_begin(xg_nsubst *s, xg_loopnest *n);
XG_FN void xg_nsubst_put(xg_nsubst *s, uint32_t var, const xg_aff *e); /* before the first use */
XG_FN const xg_aff *xg_nsubst_of(xg_nsubst *s, const xg_aff *e);
XG_FN const xg_constraint *xg_nsubst_where(
    xg_nsubst *s, const xg_constraint *c, uint32_t n, uint32_t *kept); /* what always holds is left out */
XG_FN void xg_nsubst_args(xg_nsubst *s, xg_nblock *b);      /* what the block reads and writes (of its own iterators) */
XG_FN void xg_nsubst_bindings(xg_nsubst *s, xg_nstmt *top); /* of all blocks under it: bindings and where (of loops) */
/* one more constraint, unless it always holds */
XG_FN void xg_nblock_require(xg_loopnest *n, xg_nblock *b, const xg_aff *e, xg_range r);
XG_FN bool xg_nblock_reads(const xg_nblock *b, const xg_nbuf *buf);
XG_FN bool xg_nblock_writes(const xg_nblock *b, const xg_nbuf *buf);
XG_FN const xg_aff **xg_nest_copy_affs(xg_loopnest *n, const xg_aff *const *p, uint32_t count);
/* variables are numbered in the order of the text; those that are gone are no more */
XG_FN void xg_nest_tidy(xg_loopnest *n);
XG_FN void xg_nest_drop_bufs(xg_loopnest *n); /* those allocated that nothing reads or writes any more */

/* ---- text.c, parse.c, tensorize.c (xg_nest_parse) ---- */
XG_FN void xg_nest_print(xg_buf *b, const xg_loopnest *n);
/* from *at, which is moved behind it; fails with a position */
XG_FN xg_loopnest *xg_nest_parse(xg_ctx *c, xg_arena *a, xg_aff_ctx *aff, const xg_source *src, size_t *at);

/* ---- verify.c ---- */
XG_FN void xg_nest_verify(xg_loopnest *n); /* fails with ERROR_INTERNAL, naming the block and the rule */

/* ---- run.c: the meaning ---- */
/* Runs the nest in the order of its text. args: one literal a parameter that is no output; results: one an output, in
 * the arena. Fails where an element is read or written outside of its buffer, where what nothing wrote is read, and, if
 * threads count (a schedule may be on its way), where one reads what another one alone can see. */
XG_FN void xg_nest_run(
    xg_loopnest *n, xg_arena *a, const xg_literal *const *args, const xg_literal **results, bool threads);

/* ---- loops.c ---- */
/* outermost first; one may be -1: as many as it takes */
XG_FN void xg_sched_split(xg_loopnest *n, xg_nstmt *loop, const int64_t *factors, uint32_t count, xg_nstmt **out);
XG_FN xg_nstmt *xg_sched_fuse(xg_loopnest *n, xg_nstmt *const *loops, uint32_t count); /* outermost first */
XG_FN void xg_sched_reorder(xg_loopnest *n, xg_nstmt *const *loops, uint32_t count);   /* outermost first */
XG_FN void xg_sched_kind(xg_loopnest *n, xg_nstmt *loop, xg_nkind kind); /* bind, vectorize, unroll, parallel */
XG_FN void xg_sched_annotate(xg_loopnest *n, xg_nstmt *s, xg_str key, xg_str value);
XG_FN void xg_sched_unannotate(xg_loopnest *n, xg_nstmt *s, xg_str key);
XG_FN xg_nstmt *xg_sched_add_unit_loop(xg_loopnest *n, xg_nstmt *s);

/* ---- analysis.c ---- */
typedef enum xg_nclass {
    XG_NC_OTHER,
    XG_NC_COMPLETE,
    XG_NC_REDUCTION
} xg_nclass;
typedef struct xg_nshare { /* what an iterator or index runs over: base + lo .. base + hi; base NULL: all of it */
    const xg_aff *base;
    int64_t lo, hi;
} xg_nshare;
typedef struct xg_nspan { /* what of one dimension is touched: base + lo .. base + hi */
    const xg_aff *base;
    int64_t lo, hi;
    bool dense; /* every place of it */
} xg_nspan;
XG_FN bool xg_nblock_reduces(const xg_nblock *b); /* it has a reduced iterator */
/* COMPLETE: spatial only, no combiner, reads nothing that it writes; REDUCTION: combines, and has what it begins with
 * or combines over */
XG_FN xg_nclass xg_nblock_class(const xg_nblock *b);
/* an iterator of that kind is bound to the loop */
XG_FN bool xg_nblock_depends(const xg_loopnest *n, const xg_nblock *b, const xg_nstmt *loop, char kind);
/* the expressions' values together determine those of all iterators of that kind */
XG_FN bool xg_nest_tells(xg_loopnest *n, const xg_nblock *b, const xg_aff *const *at, uint32_t count, char kind);
/* each point of its spatial iterators writes elsewhere */
XG_FN bool xg_nest_writes_once(xg_loopnest *n, const xg_nblock *b);
/* these loops, the others standing still, come to each point once */
XG_FN bool xg_nblock_visits_once(xg_loopnest *n, const xg_nblock *b, xg_nstmt *const *loops, uint32_t count);
XG_FN uint32_t xg_nest_writers(
    xg_loopnest *n, const xg_nbuf *buf, xg_nstmt **out, uint32_t cap); /* how many there are; those that fit */
XG_FN uint32_t xg_nest_readers(xg_loopnest *n, const xg_nbuf *buf, xg_nstmt **out, uint32_t cap);
/* expressions of its iterators as such of the loops */
XG_FN const xg_aff **xg_nest_at_loops(xg_loopnest *n, const xg_nblock *b, const xg_aff *const *at, uint32_t rank);
/* What a block touches at these indices in one round of `inner` (NULL: ever). False: it is not known. */
XG_FN bool xg_nest_region(
    xg_loopnest *n, const xg_nstmt *s, const xg_aff *const *at, uint32_t rank, const xg_nstmt *inner, xg_nspan *out);
/* In each round of the loops from outer to inner, does w write all that r touches at these indices, and is that
 * complete then? */
XG_FN bool xg_nest_covers_place(xg_loopnest *n, xg_nstmt *w, uint32_t out, xg_nstmt *r, const xg_aff *const *at,
    const xg_nstmt *outer, const xg_nstmt *inner);
/* of a combiner of one operation: what changes nothing, of l's type. False: it is not known */
XG_FN bool xg_combiner_identity(const xg_comp *combine, xg_literal *l);
XG_FN bool xg_literal_is_identity(const xg_comp *combine, const xg_literal *l, xg_arena *a);

/* ---- itermap.c: what an index says of the variables that it is made of ---- */
typedef struct xg_isum xg_isum;
typedef struct xg_imark { /* IterMark: a variable, or a sum, that counts to extent */
    const xg_aff *var;    /* NULL: sum */
    const xg_isum *sum;
    int64_t extent;
} xg_imark;
typedef struct xg_isplit { /* IterSplit: (mark floordiv lower) mod extent, times scale */
    const xg_imark *mark;
    int64_t lower, extent, scale;
} xg_isplit;
struct xg_isum { /* IterSum: largest scale first */
    xg_isplit *p;
    uint32_t n;
    int64_t base;
};
typedef enum xg_icheck {
    XG_IC_NO_CHECK,
    XG_IC_INJECTIVE,
    XG_IC_SURJECTIVE,
    XG_IC_BIJECTIVE
} xg_icheck;
XG_FN bool xg_iter_sum_of(xg_aff_env *env, xg_arena *a, const xg_aff *e, xg_isum *out); /* false: e is no such sum */
XG_FN const xg_isum *xg_detect_iter_map(/* one for each index; NULL: *why says what is wrong with them */
    xg_aff_env *env, xg_arena *a, const xg_aff *const *at, uint32_t count, xg_icheck check, const char **why);
/* Do the values of the indices together determine those of the variables? */
XG_FN bool xg_iter_tells(
    xg_aff_env *env, xg_arena *a, const xg_aff *const *at, uint32_t count, const xg_aff *const *vars, uint32_t n_vars);
XG_FN void xg_isum_print(xg_buf *b, const xg_isum *s, const xg_imap *names);

/* ---- body.c: making a block's computation ---- */
typedef struct xg_nbody {
    xg_loopnest *n;
    xg_comp *comp;
    XG_VEC(xg_narg) args;
} xg_nbody;
XG_FN void xg_nbody_begin(xg_nbody *y, xg_loopnest *n, xg_str name);
XG_FN xg_inst *xg_nbody_arg(xg_nbody *y, const xg_narg *a); /* the parameter for it; equal ones share it */
XG_FN xg_inst *xg_nbody_copy(
    xg_nbody *y, const xg_comp *c, xg_inst *const *params); /* the computation's root for these, copied */
/* the block computes that now, of the arguments that are used */
XG_FN void xg_nbody_end(xg_nbody *y, xg_nblock *b, xg_inst *root);
XG_FN xg_narg xg_narg_load(xg_nbuf *buf, const xg_aff **at);
XG_FN xg_narg xg_narg_within(
    xg_loopnest *n, const xg_narg *a, const xg_constraint *where, uint32_t n_where); /* reads nothing elsewhere */
XG_FN xg_inst *xg_nbody_where(xg_nbody *y, const xg_constraint *where, uint32_t n_where, xg_inst *value,
    const xg_literal *otherwise); /* the value where the constraints hold */

/* ---- stage.c ---- */
/* the block that copies buf, whole; `block` reads the copy */
XG_FN xg_nstmt *xg_sched_cache_read(xg_loopnest *n, xg_nstmt *block, xg_nbuf *buf, xg_nscope scope);
/* the block that copies what `block` writes now to buf */
XG_FN xg_nstmt *xg_sched_cache_write(xg_loopnest *n, xg_nstmt *block, xg_nbuf *buf, xg_nscope scope);
/* between block and buf an array of the shape of the iterators that its index uses */
XG_FN xg_nstmt *xg_sched_reindex(xg_loopnest *n, xg_nstmt *block, xg_nbuf *buf, bool write);
XG_FN void xg_sched_set_scope(xg_loopnest *n, xg_nbuf *buf, xg_nscope scope);
XG_FN void xg_sched_storage_align(xg_loopnest *n, xg_nbuf *buf, uint32_t axis, int64_t factor, int64_t offset);
/* ---- inline.c ---- */
XG_FN void xg_sched_compute_inline(xg_loopnest *n, xg_nstmt *producer); /* into all that read what it makes */
XG_FN void xg_sched_reverse_compute_inline(
    xg_loopnest *n, xg_nstmt *consumer); /* into the block that makes what it reads */

/* ---- at.c ---- */
/* in front of the first in the loop that reads what it makes */
XG_FN void xg_sched_compute_at(xg_loopnest *n, xg_nstmt *block, xg_nstmt *loop, bool keep_unit);
/* behind the last in the loop that makes what it reads */
XG_FN void xg_sched_reverse_compute_at(xg_loopnest *n, xg_nstmt *block, xg_nstmt *loop, bool keep_unit);
/* ---- reduction.c ---- */
/* the block that writes the initial values, in front of the loop */
XG_FN xg_nstmt *xg_sched_decompose_reduction(xg_loopnest *n, xg_nstmt *block, xg_nstmt *loop);
/* the first of the two steps; block is the second */
XG_FN xg_nstmt *xg_sched_rfactor(xg_loopnest *n, xg_nstmt *block, xg_nstmt *loop, uint32_t axis);

/* ---- layout.c ---- */
/* map: old coordinates to new ones; padded: the new array may have places that no old one goes to */
XG_FN void xg_sched_transform_layout(xg_loopnest *n, xg_nbuf *buf, const xg_imap *map, bool padded);
/* old iterators to new ones, each of one kind */
XG_FN void xg_sched_transform_block_layout(xg_loopnest *n, xg_nstmt *block, const xg_imap *map);
/* by iterator: it counts to a multiple of that */
XG_FN void xg_sched_pad_einsum(xg_loopnest *n, xg_nstmt *block, const int64_t *multiples, uint32_t count);
/* ---- blocks.c ---- */
/* the same, marked as a machine operation of intrinsics.h that does what the loop holds */
XG_FN xg_nstmt *xg_sched_tensorize(xg_loopnest *n, xg_nstmt *loop, xg_str intrinsic);
XG_FN xg_nstmt *xg_do_tensorize(xg_loopnest *n, xg_nstmt *loop, xg_str intrinsic);
XG_FN xg_nstmt *xg_sched_blockize(xg_loopnest *n, xg_nstmt *loop); /* the block around all that the loop holds */

/* ---- flat.c: towards code ---- */
XG_FN void xg_nest_flatten(xg_loopnest *n); /* blocks lose their iterators; those around others go */
/* of a flat nest: arrays of a block's or thread's own shrink to what one of them has */
XG_FN void xg_nest_compact(xg_loopnest *n);
/* of a flat nest: barriers where threads read what others write, or write what others read */
XG_FN void xg_nest_sync(xg_loopnest *n);
/* ---- owners.c ---- */
/* of a flat nest that is not compact: fails where a kernel's thread needs what only another one can see */
XG_FN void xg_nest_check_owners(xg_loopnest *n);
/* ---- lower.c ---- */
/* flat, compact, with barriers; fails with ERROR_UNSUPPORTED where it cannot be one kernel */
XG_FN xg_kmodule *xg_nest_lower(xg_loopnest *n, xg_arena *a, xg_str name, const xg_emit_target *target);

/* ---- fusion.c: a fused computation as a nest ---- */
XG_FN const char *xg_nfusion_refuses(xg_arena *a, const xg_inst *fusion); /* why there is none; NULL: there is one */
XG_FN xg_loopnest *xg_nfusion_nest(xg_arena *a, const xg_inst *fusion, xg_str name);

/* ---- from_hlo.c ---- */
typedef struct xg_nfrom_memo {
    const xg_inst *of;
    const xg_aff *const *at;
    xg_inst *made;
} xg_nfrom_memo;
typedef struct xg_nfrom_kept {
    const xg_inst *of;
    xg_nbuf *buf; /* its elements, in the order of its layout */
} xg_nfrom_kept;
typedef struct xg_nfrom {
    xg_nbody y;
    xg_nbuf *const *params;    /* by number */
    const xg_nfrom_kept *kept; /* instructions that the nest has arrays for */
    uint32_t n_kept;
    uint32_t n_where;
    const xg_constraint *where; /* nothing is read elsewhere */
    XG_VEC(xg_nfrom_memo) memo;
} xg_nfrom;
/* ---- matmul.c ---- */
typedef struct xg_ntile {
    int64_t m, n, k, tm, tn;
} xg_ntile; /* of a block of threads; of a thread */
typedef struct xg_nmatmul {
    const xg_comp *comp;
    const xg_inst *dot, *root;
    xg_ints batch[2], contract[2];
    int64_t b, m, n, k;
    xlagpu_type sum;
    xg_ntile tile;
    uint32_t free[2][XG_RANK_MAX], n_free[2];
} xg_nmatmul;
/* is it a contraction that the rule takes? sms: how many tiles keep the device busy */
XG_FN bool xg_nmatmul_match(xg_nmatmul *w, xg_arena *a, const xg_inst *fusion, int64_t sms);
/* scheduled; the nest's parameters are those of the fusion, in their order */
XG_FN xg_loopnest *xg_nmatmul_nest(xg_arena *a, const xg_nmatmul *w, xg_str name);

/* ---- trace.c: schedules as text ---- */
typedef struct xg_ntrace {
    xg_buf text;
    xg_dict names;
} xg_ntrace;
XG_FN void xg_trace_begin(xg_loopnest *n); /* primitives are recorded from here on */
XG_FN xg_str xg_trace_text(const xg_loopnest *n);
/* Applies the primitives from there to the end of the text. Fails with a position, or as the primitive does. */
XG_FN void xg_trace_apply(xg_loopnest *n, const xg_source *src, size_t at);
/* What the loops and blocks of a primitive are called, before it changes them; and its line, when it is done. */
XG_FN const char *xg_trace_label(xg_loopnest *n, xg_nstmt *s);
XG_FN const char *xg_trace_labels(xg_loopnest *n, xg_nstmt *const *s, uint32_t count); /* each behind a blank */
XG_FN const char *xg_trace_ints(xg_loopnest *n, const int64_t *v, uint32_t count);     /* the same; -1 is "_" */
XG_FN const char *xg_trace_map(xg_loopnest *n, const xg_imap *map);
XG_FN void xg_trace_step(xg_loopnest *n, xg_nstmt *const *made, uint32_t n_made, const char *format, ...)
    XG_PRINTF(4, 5);

/* ---- the primitives without their record: record.c puts it around them, and primitives made of others use these ----
 */
XG_FN void xg_do_split(xg_loopnest *n, xg_nstmt *loop, const int64_t *factors, uint32_t count, xg_nstmt **out);
XG_FN xg_nstmt *xg_do_fuse(xg_loopnest *n, xg_nstmt *const *loops, uint32_t count);
XG_FN void xg_do_reorder(xg_loopnest *n, xg_nstmt *const *loops, uint32_t count);
XG_FN void xg_do_kind(xg_loopnest *n, xg_nstmt *loop, xg_nkind kind);
XG_FN void xg_do_annotate(xg_loopnest *n, xg_nstmt *s, xg_str key, xg_str value);
XG_FN void xg_do_unannotate(xg_loopnest *n, xg_nstmt *s, xg_str key);
XG_FN xg_nstmt *xg_do_add_unit_loop(xg_loopnest *n, xg_nstmt *s);
XG_FN xg_nstmt *xg_do_cache_read(xg_loopnest *n, xg_nstmt *block, xg_nbuf *buf, xg_nscope scope);
XG_FN xg_nstmt *xg_do_cache_write(xg_loopnest *n, xg_nstmt *block, xg_nbuf *buf, xg_nscope scope);
XG_FN xg_nstmt *xg_do_reindex(xg_loopnest *n, xg_nstmt *block, xg_nbuf *buf, bool write);
XG_FN void xg_do_set_scope(xg_loopnest *n, xg_nbuf *buf, xg_nscope scope);
XG_FN void xg_do_storage_align(xg_loopnest *n, xg_nbuf *buf, uint32_t axis, int64_t factor, int64_t offset);
XG_FN void xg_do_compute_inline(xg_loopnest *n, xg_nstmt *producer);
XG_FN void xg_do_reverse_compute_inline(xg_loopnest *n, xg_nstmt *consumer);
XG_FN void xg_do_compute_at(xg_loopnest *n, xg_nstmt *block, xg_nstmt *loop, bool keep_unit);
XG_FN void xg_do_reverse_compute_at(xg_loopnest *n, xg_nstmt *block, xg_nstmt *loop, bool keep_unit);
XG_FN xg_nstmt *xg_do_decompose_reduction(xg_loopnest *n, xg_nstmt *block, xg_nstmt *loop);
XG_FN xg_nstmt *xg_do_rfactor(xg_loopnest *n, xg_nstmt *block, xg_nstmt *loop, uint32_t axis);
XG_FN void xg_do_transform_layout(xg_loopnest *n, xg_nbuf *buf, const xg_imap *map, bool padded);
XG_FN void xg_do_transform_block_layout(xg_loopnest *n, xg_nstmt *block, const xg_imap *map);
XG_FN void xg_do_pad_einsum(xg_loopnest *n, xg_nstmt *block, const int64_t *multiples, uint32_t count);
XG_FN xg_nstmt *xg_do_blockize(xg_loopnest *n, xg_nstmt *loop);

/* ---- normalize.c: a nest as rules want it ---- */
enum {
    XG_NINFOS_MAX = 64
};
typedef struct xg_ninfo {
    xg_nstmt *block;
    uint32_t n;                  /* iterators, each with a loop of its own */
    char kinds[XG_RANK_MAX + 1]; /* S or R of each */
    int64_t extents[XG_RANK_MAX];
    xg_nstmt *loops[XG_NEST_DEPTH_MAX];
    bool reduction; /* it combines, and has what it begins with */
} xg_ninfo;
typedef struct xg_ninfos {
    xg_ninfo p[XG_NINFOS_MAX];
    uint32_t n;
} xg_ninfos;
XG_FN bool xg_nest_normalize(xg_loopnest *n, xg_ninfos *out, const char **why); /* false: why not */
XG_FN void xg_ninfo_print(xg_buf *b, const xg_ninfo *i);
XG_FN bool xg_ninfo_is_injective(const xg_ninfo *i);
XG_FN bool xg_ninfo_is_reduction(const xg_ninfo *i);
XG_FN bool xg_ninfo_sums(const xg_ninfo *i); /* a reduction of one result by addition */
XG_FN uint32_t xg_ninfo_is_gemv(xg_loopnest *n, const xg_ninfo *i, xg_nbuf **vectors, uint32_t cap); /* 0: it is none */
XG_FN bool xg_ninfo_is_broadcast(xg_loopnest *n, const xg_ninfo *block, const xg_ninfo *epilogue);
XG_FN const xg_narg *xg_detect_dominant_read(xg_loopnest *n, const xg_nblock *b, const xg_aff **place);
XG_FN uint32_t xg_nest_leaves(xg_loopnest *n, xg_nstmt **out, uint32_t cap);
XG_FN bool xg_sched_try(xg_loopnest *n, void (*fn)(xg_loopnest *n, xg_nstmt *s), xg_nstmt *s); /* false: refused */
XG_FN void xg_sched_try_inline(xg_loopnest *n, xg_nstmt **blocks, uint32_t count);
XG_FN void xg_sched_try_inline_contiguous_spatial(xg_loopnest *n, xg_ninfos *v);

/* ---- rules.c: schedules for kinds of nests ---- */
/* Of a product of matrices: rows and columns by a block, steps of k in shared memory, rows and columns by a thread. */
typedef struct xg_nrule_tile {
    int64_t m, n, k, tm, tn;
} xg_nrule_tile;
typedef struct xg_nrule_target {
    int64_t threads_max, shared_bytes; /* of a block */
    xg_nrule_tile tile;                /* m 0: the rule's own */
} xg_nrule_target;
/* The first rule that takes the nest: a scheduled copy with its trace, and which rule. NULL: none does. */
XG_FN xg_loopnest *xg_rule_apply(xg_loopnest *n, const xg_nrule_target *t, const char **rule);
XG_FN xg_loopnest *xg_rule_apply_one(xg_loopnest *n, const xg_nrule_target *t, xg_str rule); /* NULL: not taken */

/* ---- schedules.c: schedules as files ---- */
XG_FN void xg_schedules_print(xg_buf *b, xg_module *m); /* of each fusion its nest, and what the first rule does */
XG_FN bool xg_schedule_kernels(xg_module *m);           /* the pass schedule-reader: records by m->schedule */
XG_FN bool xg_schedule_way_plan(xg_way_job *job, xg_record *r, xg_way_times *times); /* see xg_way */
XG_FN xg_kmodule *xg_schedule_way_emit(xg_way_job *job, const xg_record *r, xg_str name);

/* ---- copy.c ---- */
XG_FN xg_loopnest *xg_nest_copy(const xg_loopnest *n); /* in the same arena; computations of scalars are shared */
/* A copy of the statement with new variables and blocks, not in the tree; to: what stands for the variables around. */
XG_FN xg_nstmt *xg_nstmt_copy(xg_loopnest *n, const xg_nstmt *s, xg_nsubst *to);

/* ---- allreduce.c ---- */
XG_FN void xg_nest_allreduce(xg_loopnest *n); /* reductions over loops of threads become collective blocks */
XG_FN void xg_nest_shuffles(xg_loopnest *n);  /* of a flat nest: collective blocks become shuffles and shared memory */

/* ---- regions.c: what a block reads and writes, in terms of its iterators ---- */
typedef struct xg_nregion {
    xg_nbuf *buf;
    xg_nshare *dims; /* base + lo .. base + hi */
    bool *whole;     /* all of the dimension */
} xg_nregion;
typedef struct xg_nregions {
    xg_nregion *p;
    uint32_t n, cap;
} xg_nregions;
XG_FN void xg_nest_regions_of(xg_loopnest *n, const xg_nstmt *block, bool writes, xg_nregions *out);
XG_FN void xg_nest_show_regions(xg_loopnest *n); /* blocks' texts say what they read and write from here on */
XG_FN void xg_nregions_print(xg_buf *b, xg_loopnest *n, const xg_nregions *v, const xg_imap *names);
XG_FN bool xg_nregion_covers(xg_loopnest *n, const xg_nregion *declared, const xg_nregion *r);

/* ---- tensorize.c ---- */
XG_FN const char *xg_nintrinsic_differs(
    xg_loopnest *n, xg_nstmt *from, xg_str name, bool *found); /* NULL: it is that */

/* ---- host.c: a scheduled nest as a program ---- */
enum {
    XG_NARRAY_CPU = 1,
    XG_NARRAY_CUDA = 2 /* DLPack's numbers */
};
typedef struct xg_narray { /* what a caller hands over */
    bool is_array;
    xlagpu_type type;
    uint32_t rank;
    const int64_t *dims, *strides; /* strides in elements; NULL: compact */
    uint64_t address, byte_offset;
    int64_t device, device_id;
} xg_narray;
typedef enum xg_nhcheck_kind {
    XG_NHC_COUNT,
    XG_NHC_KIND,
    XG_NHC_RANK,
    XG_NHC_TYPE,
    XG_NHC_SHAPE,
    XG_NHC_STRIDE,
    XG_NHC_OFFSET,
    XG_NHC_ALIGNMENT,
    XG_NHC_DEVICE,
    XG_NHC_SAME_DEVICE
} xg_nhcheck_kind;
typedef struct xg_nhcheck {
    xg_nhcheck_kind kind;
    uint32_t arg, dim;
    int64_t want;
} xg_nhcheck;
typedef struct xg_nkernel {
    xg_loopnest *nest;
    XG_VEC(uint32_t) args; /* of the host's arrays: those that it reads, then those that it writes */
    int64_t grid[3], block[3];
} xg_nkernel;
typedef struct xg_nhost {
    xg_str name;
    XG_VEC(xg_nbuf *) bufs; /* arguments, then what kernels hand to each other */
    uint32_t n_args, *of_buf;
    XG_VEC(xg_nhcheck) checks;
    XG_VEC(xg_nkernel) kernels; /* in the order of their launches */
} xg_nhost;
XG_FN xg_nhost *xg_nest_split(xg_loopnest *n); /* a kernel for each statement under the root */
XG_FN const xg_nhcheck *xg_nhost_check(const xg_nhost *h, const xg_narray *args, uint32_t count); /* NULL: all hold */
XG_FN void xg_nhcheck_print(xg_buf *b, const xg_nhost *h, const xg_nhcheck *c);
XG_FN void xg_nhost_print(xg_buf *b, const xg_nhost *h);

/* ---- annotate.c: annotations that are obeyed ---- */
enum {
    XG_NNOTE_INTS = 64 /* numbers in a list */
};
#define XG_NOTE_MAY_UNROLL "may_unroll" /* of a loop: the kernel's passes may write it out */
XG_FN void xg_nnote_check(const xg_loopnest *n, xg_str key, xg_str value); /* fails where the value means nothing */
XG_FN int xg_nnote_ints(xg_str value, int64_t *out, uint32_t cap);         /* how many; -1: it is no list of numbers */
XG_FN const xg_nnote *xg_nstmt_note(const xg_nstmt *s, const char *key);
XG_FN void xg_nest_unroll(xg_loopnest *n);   /* loops are written out as far as annotations say */
XG_FN void xg_nest_vthreads(xg_loopnest *n); /* of a flat nest: loops of virtual threads go inwards */
/* ---- warps.c ---- */
XG_FN void xg_nest_warps(xg_loopnest *n); /* of a flat nest: arrays of warps become parts of shared memory */
/* ---- pipeline.c ---- */
XG_FN void xg_nest_pipeline(xg_loopnest *n); /* of a flat, compact nest: annotated loops become pipelines */
/* ---- shared.c ---- */
XG_FN void xg_nest_merge_shared(xg_loopnest *n); /* of a flat, compact nest: shared memory by liveness */
XG_FN int64_t xg_nbuf_size(const xg_loopnest *n, const xg_nbuf *buf, int64_t *strides); /* elements with padding */

/* ---- lowering: THE steps from a schedule to a kernel, in order ---- */
#define XG_NEST_STEPS(X) \
    X(allreduce) X(flatten) X(shuffles) X(warps) X(vthreads) X(compact) X(pipeline) X(unroll) X(merge_shared) X(sync)
typedef struct xg_nest_step {
    const char *name;
    void (*run)(xg_loopnest *n);
} xg_nest_step;
XG_FN const xg_nest_step *xg_nest_steps(uint32_t *count);

#endif /* XG_SCHED_H */
