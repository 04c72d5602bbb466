/* sched/attention.h -- attention as one kernel: softmax(f(Q K)) V without scores in memory.
 *
 * Ideas (online softmax: Milakov and Gimelshein 2018; tiles of it: Dao et al., "FlashAttention", 2022)
 * - A block has a tile of rows (queries) and walks over the keys in steps. Of each row it keeps the maximum m of the
 *   scores so far, the sum l of exp(s - m), and the sum o of exp(s - m) V; when m grows, l and o are scaled.
 * - What stands between the two dots is any HLO: it is cut into stages (attention_form.c), each one instruction of the
 *   fusion made of what is given (a score, exp, m, l), and emitted element by element where the kernel has that.
 * - Everything is counted by five numbers: batch, row, key, and a vector and its lane along the third extent, which is
 *   that of the first sum (depth), or of V's columns. Indexing maps lead from there to each stage's indices, so
 * bitcasts and transposes anywhere need no case of their own.
 *
 * Laws: sums are f32, or f64 where the module's are; made in the same order in every run. A row without a finite score
 * gives what the module gives: exp is of s - m, or of s where m is -inf, and c = exp(m - g(m)) with the module's own
 * shift g(m) makes good for it at the end (NaN for -inf less -inf). */
#ifndef XG_SCHED_ATTENTION_H
#define XG_SCHED_ATTENTION_H
#include "tile.h"
#include "../opt/opt.h"

/* What elements are counted by. */
enum {
    XG_ATTENTION_BATCH,
    XG_ATTENTION_ROW,
    XG_ATTENTION_KEY,
    XG_ATTENTION_VECTOR,
    XG_ATTENTION_LANE,
    XG_ATTENTION_DIMS
};
/* X(NAME): what is emitted element by element. */
#define XG_ATTENTION_STAGES(X) \
    X(QUERY) \
    X(KEYS) \
    X(VALUES) \
    X(SCORES) \
    X(BARE) \
    X(MASKED) \
    X(WEIGHTS) X(SHIFT) X(RESULT) X(FACTOR0) X(FACTOR1) X(FACTOR2) X(FACTOR3) X(READ0) X(READ1) X(READ2) X(READ3)
typedef enum xg_attention_part {
#define X(name) XG_ATTENTION_##name,
    XG_ATTENTION_STAGES(X)
#undef X
    XG_ATTENTION_PARTS
} xg_attention_part;

typedef struct xg_attention_stage {
    xg_inst *root;
    xg_partition *parts;
    const xg_imap *map; /* of the five numbers, to the root's indices */
    int64_t lanes;      /* of a vector: neighbours in memory; 1: there are none, or they are not asked for */
    bool turned;        /* rows or keys lie side by side in memory */
} xg_attention_stage;

/* Keys or values as tensor copies bring them: a map of the parameter that has them, whose first coordinates are column
 * and key; what each of the others is of the batch; what column and key begin at. */
typedef struct xg_attention_box {
    bool is_made;
    xg_kmap tensor;
    const xg_aff *batch[XG_KMAP_RANK];
    int64_t first[XG_KMAP_RANK];
} xg_attention_box;

enum {
    XG_ATTENTION_STATS = 2 /* of a row: maximum and sum */
};
/* Keys that masks leave to a row: up to, or from, `at` plus the integers that some stages read, with their factors. */
enum {
    XG_ATTENTION_BOUNDS = 4,
    XG_ATTENTION_READS = XG_ATTENTION_READ3 - XG_ATTENTION_READ0 + 1,
    XG_ATTENTION_BOUND_READS = 2,
    XG_ATTENTION_BOUND_LIMIT = 1 << 29 /* integers beyond it bound nothing: the module's sums of them might wrap */
};
typedef struct xg_attention_bound {
    const xg_aff *at; /* of batch and row */
    int64_t least;    /* that it can be */
    int slope;        /* 1: it rises with rows, -1: it falls, 0: it stays */
    bool upper;
    uint32_t n;
    xg_attention_part part[XG_ATTENTION_BOUND_READS];
    int64_t scale[XG_ATTENTION_BOUND_READS];
} xg_attention_bound;

typedef struct xg_attention_form {
    xg_attention match;
    const xg_comp *comp;
    xg_tile_form dots[2]; /* scores, out */
    uint32_t query;       /* operand of the first dot that has rows */
    int64_t batch, rows, keys, depth, columns;
    xlagpu_type sum;
    int32_t unit; /* xg_kmma, or XG_TILE_NO_UNIT */
    xlagpu_type held;
    xg_attention_stage stages[XG_ATTENTION_PARTS];
    xg_attention_box boxes[XG_TILE_SIDES]; /* keys, values */
    uint32_t n_stats;                      /* further results: a row's maximum, its sum */
    const xg_inst *stats[XG_ATTENTION_STATS];
    const xg_imap *stat_map[XG_ATTENTION_STATS];
    uint32_t n_bounds, n_reads;
    xg_attention_bound bounds[XG_ATTENTION_BOUNDS];
    bool votes;    /* whether masked scores are finite: then each row's maximum says whether their weights are 0 */
    double masked; /* no masked score is larger, if so */
} xg_attention_form;

enum {
    XG_ATTENTION_ROWS = 16,       /* of a warp: as a matrix unit has it */
    XG_ATTENTION_BESIDE = 4,      /* lanes that share a row */
    XG_ATTENTION_EXTENT_MAX = 256 /* of depth and columns: a thread keeps its rows' columns in registers */
};

enum {
    XG_ATTENTION_HALVES = 2, /* rows of a thread */
    XG_ATTENTION_EIGHT = 8,  /* columns that four threads share; rows between a thread's two */
    XG_ATTENTION_PAIR = 2    /* neighbours of a thread */
};

/* Of a block: warps side by side along rows, and along keys; keys of a step, of all of them. */
typedef struct xg_attention_shape {
    int32_t warps, parts, step;
    bool grouped; /* four warps together multiply by matrices in shared memory, which tensor copies bring */
} xg_attention_shape;
typedef struct xg_attention_plan {
    xg_attention_form form;
    xg_attention_shape shape;
    bool bounded;      /* masks leave out steps */
    bool votes;        /* and the kernel looks whether that is right */
    bool copied;       /* elements are as they lie in memory: brought without registers */
    int64_t stages;    /* steps' keys in shared memory: the next one is brought while one is used */
    int64_t own;       /* keys of a step that a warp has */
    int64_t producers; /* threads beside the others, which ask for tensor copies */
    int64_t tile, tiles, steps, walked, threads, blocks; /* walked: of the steps, on average */
    int64_t depth, columns;                              /* with what fills the last piece */
    int64_t pitch, value_pitch, weight_pitch, sum_pitch; /* of rows in shared memory */
    int64_t shared;                                      /* bytes */
    int64_t picoseconds;
    bool is_made;      /* the plan could be made */
    int64_t key_parts; /* of all keys, each with blocks of its own; 0: not asked */
} xg_attention_plan;

/* Where maps are made. */
typedef struct xg_attention_site {
    xg_attention_form *f;
    xg_arena *arena;
    xg_aff_ctx *x;
    int64_t counts[XG_ATTENTION_DIMS];
} xg_attention_site;

/* ---- attention_stage.c ---- */
XG_FN bool xg_attention_reached(const xg_attention_stage *s, const xg_inst *i); /* the stage needs it */
/* The stage of one instruction, made of what is given. Neither dot nor exp may be made again. */
XG_FN bool xg_attention_cut(
    xg_attention_site *w, xg_attention_part part, xg_inst *root, xg_inst *const *given, uint32_t n);
/* The five numbers, of which the last two count elements of one extent. */
XG_FN void xg_attention_count(xg_attention_site *w, int64_t extent, int64_t lanes);
/* The map's results do not depend on one of the numbers. */
XG_FN bool xg_attention_ignores(const xg_attention_site *w, const xg_imap *m, uint32_t number);

/* ---- attention_mask.c ---- */
XG_FN void xg_attention_bounds(xg_attention_site *w);              /* into the form, of whose scores there is a stage */
XG_FN uint32_t xg_attention_masked(const xg_inst *i);              /* the operand of a mask that is the scores */
XG_FN int64_t xg_attention_mean_steps(const xg_attention_plan *p); /* of a block, as far as masks are known */

/* ---- attention_box.c ---- */
/* offset: where an element of the parameter lies, of the five numbers. */
XG_FN xg_attention_box xg_attention_box_of(xg_attention_site *w, const xg_inst *from, const xg_imap *offset);

/* ---- attention_form.c ---- */
XG_FN bool xg_attention_may_be(const xg_comp *c);
/* The computation is attention and nothing else. */
XG_FN bool xg_attention_form_of(xg_attention_form *f, xg_arena *a, xg_aff_ctx *x, const xg_comp *c, const xg_device *m);

/* ---- attention_plan.c ---- */
XG_FN int64_t xg_attention_ends_size(const xg_attention_plan *p); /* of shared memory, where keys are in parts */
XG_FN int64_t xg_attention_registers(const xg_attention_plan *p); /* of a thread with rows */
XG_FN bool xg_attention_keeps_query(const xg_attention_plan *p);
XG_FN bool xg_attention_plan_of(xg_attention_plan *p, const xg_device *m, const xg_record *given);
/* The dots alone, and scores that go to memory and back. */
XG_FN int64_t xg_attention_apart_time(const xg_attention_plan *p, const xg_device *m);
/* Whether it is faster than what else would be made, or spares too much memory to ask. */
XG_FN bool xg_attention_pays(const xg_attention_plan *p, const xg_device *m);

/* ---- dnn_attention.c ---- */
/* Picoseconds that cuDNN takes; INT64_MAX: it may not be called, or does not take it. */
XG_FN int64_t xg_dnn_attention_time(xg_attention_form *f, xg_arena *a, xg_aff_ctx *x, const xg_module *m);
XG_FN int64_t xg_dnn_attention_own(const xg_attention_plan *p); /* that our kernel takes, to be compared with it */
XG_FN bool xg_dnn_attention_plan(xg_way_job *job, xg_record *r, xg_way_times *times); /* see xg_way */

/* ---- attention_pass.c ---- */
XG_FN bool xg_attention_fuse(xg_module *m); /* the pass attention-fusion */
/* What the pass would make of it, if it is the second dot of attention; NULL: it is not, or cannot be made. `known`, by
 * fingerprint: what computes alike (the layers of a model) has one plan. */
XG_FN xg_attention_plan *xg_attention_look(xg_dict *known, xg_arena *work, xg_inst *dot, xg_attention *a);

/* ---- attention_split.c ---- */
XG_FN bool xg_attention_split(xg_module *m); /* the pass attention-split */

/* ---- of a kernel ---- */

/* By what a lane of an array that a block holds is told. */
enum {
    XG_ATTENTION_AT_BUFFER,
    XG_ATTENTION_AT_ROW,
    XG_ATTENTION_AT_PIECE,
    XG_ATTENTION_AT_LANE,
    XG_ATTENTION_AT_DIMS
};
typedef struct xg_attention_kernel {
    xg_tile_kernel t; /* scope and builder */
    const xg_attention_plan *p;
    const xg_attention_form *f;
    xg_fusion_emission parts[XG_ATTENTION_PARTS]; /* as if each stage were a fusion */
    xg_scope scopes[XG_ATTENTION_PARTS];
    xg_kval *thread, *lane, *warp, *group, *beside, *tile, *batch;
    xg_kval *across, *part; /* of a warp: among those along rows, and along keys */
    xg_kval *buffer;        /* of the step: the first of its keys in shared memory */
    xg_kval *row[XG_ATTENTION_HALVES];
    xg_kval *inner[2];  /* steps from the first on, and before the second, need no masks; NULL: all need them */
    xg_kval *from, *to; /* steps: the first, and behind the last; beyond all steps they begin again */
    xg_kval *query, *keys, *values, *weights, *ends, *votes; /* in shared memory */
    xg_kval *most[XG_ATTENTION_HALVES], *sum[XG_ATTENTION_HALVES];
    xg_kval **out[XG_ATTENTION_HALVES];    /* sums of V's columns */
    xg_kval **scores[XG_ATTENTION_HALVES]; /* of a step; then the weights */
    xg_kval *first_key, *place;            /* of the step; its place among all */
    xg_kval *barriers, *begin; /* of tensor copies: in shared memory; the step of which the first one was asked */
    xg_kval **kept;            /* words of the tile's rows in registers; NULL: they are read in each step */
    xg_kval *dest[XG_ATTENTION_STATS + 1];
} xg_attention_kernel;

/* What a stage is given instead of computing it. */
typedef struct xg_attention_given {
    const xg_inst *of;
    xg_elem v;
} xg_attention_given;

/* ---- attention_kernel.c ---- */
XG_FN xg_kb *xg_attention_b(xg_attention_kernel *w);
XG_FN xg_kelem xg_attention_sum_type(const xg_attention_kernel *w);
XG_FN xg_kval *xg_attention_number(xg_attention_kernel *w, double v); /* of the sums' type */
/* base + more, which counts so much. */
XG_FN xg_kval *xg_attention_at(xg_attention_kernel *w, xg_kval *base, int64_t count, int64_t more);
/* A loop of so many rounds around what changes the flow's variables; its number. */
XG_FN xg_kval *xg_attention_loop(xg_attention_kernel *w, xg_flow *f, int64_t rounds);
/* v, where the array has so many; else its last one. */
XG_FN xg_kval *xg_attention_clamp(xg_attention_kernel *w, xg_kval *v, int64_t limit);
/* Whether v is one of so many; NULL: always. */
XG_FN xg_kval *xg_attention_below(xg_attention_kernel *w, xg_kval *v, int64_t limit);
/* A stage's element at the five numbers; index: room for its own indices. */
XG_FN xg_elem xg_attention_element(xg_attention_kernel *w, xg_attention_part part, xg_kval *const *at,
    const xg_attention_given *given, uint32_t n, xg_kval **index);
XG_FN void xg_attention_numbers(xg_attention_kernel *w, xg_kval **at); /* the block's batch, zeros else */
/* The scores of a bare one: through what stands between masks. */
XG_FN xg_elem xg_attention_scores_of(xg_attention_kernel *w, const xg_inst *i, xg_elem bare);
XG_FN xg_kval *xg_attention_converted_to(xg_attention_kernel *w, xg_elem v, xlagpu_type from, xlagpu_type to);
XG_FN xg_kval *xg_attention_lane(xg_attention_kernel *w, xg_kval *vector, int64_t lane);
XG_FN void xg_attention_await(xg_attention_kernel *w, int64_t but); /* copies of all steps but the last so many */
XG_FN void xg_attention_wait(xg_attention_kernel *w);               /* for all threads of the block */
XG_FN void xg_attention_carry_shared(xg_attention_kernel *w, xg_flow *f);
/* op over the lanes that share a row */
XG_FN xg_kval *xg_attention_combine(xg_attention_kernel *w, xg_kopcode op, xg_kval *v);
XG_FN xg_kval *xg_attention_exp(xg_attention_kernel *w, xg_kval *x, xg_kval *shift); /* exp(x - shift) */
XG_FN xg_kval *xg_attention_shift(xg_attention_kernel *w, xg_kval *most);            /* most, or 0 where it is -inf */

/* ---- attention_bring.c: into shared memory ---- */
XG_FN void xg_attention_bring_query(xg_attention_kernel *w);
XG_FN void xg_attention_bring_step(xg_attention_kernel *w, xg_kval *step, xg_kval *buffer);

/* ---- attention_plain.c, attention_mma.c: the two products ---- */
XG_FN int64_t xg_attention_weights_size(const xg_attention_plan *p);
XG_FN void xg_attention_plain_scores(xg_attention_kernel *w);
XG_FN void xg_attention_plain_out(xg_attention_kernel *w);
XG_FN void xg_attention_unit_scores(xg_attention_kernel *w);
XG_FN void xg_attention_keep_query(xg_attention_kernel *w);
XG_FN void xg_attention_unit_out(xg_attention_kernel *w);
enum {
    XG_ATTENTION_SUMS = 4 /* of a fragment of 16 rows and eight columns that a thread has */
};
XG_FN xg_kval *xg_attention_no_sums(xg_attention_kernel *w);
XG_FN xg_kval *xg_attention_out_sums(xg_attention_kernel *w, int64_t fragment); /* of V's columns */
XG_FN void xg_attention_take(xg_attention_kernel *w, xg_kval **to[XG_ATTENTION_HALVES], int64_t fragment, xg_kval *v);
XG_FN xg_kval *xg_attention_packed(xg_attention_kernel *w, int64_t k); /* 16 keys' weights, as units take them */

/* ---- attention_group.c: by warp groups ---- */
enum {
    XG_ATTENTION_TEAM = 2 /* the barrier of all threads, which come to it by two ways */
};
XG_FN int64_t xg_attention_lines(int64_t extent); /* of 128 bytes that a row of so many elements has */
XG_FN int64_t xg_attention_barriers(const xg_attention_plan *p);
XG_FN int64_t xg_attention_group_bytes(const xg_attention_plan *p); /* of shared memory */
XG_FN int64_t xg_attention_group_resident(const xg_attention_plan *p);
XG_FN void xg_attention_group_arrays(xg_attention_kernel *w);
XG_FN void xg_attention_group_step(xg_attention_kernel *w, xg_kval *step);
XG_FN void xg_attention_group_kernel(xg_attention_kernel *w);
/* Where a lane of a piece lies, of numbers that count so much: buffer, row, piece, lane. */
XG_FN xg_kval *xg_attention_group_spot(xg_attention_kernel *w, const int64_t *counts, int64_t rows, xg_kval *const *at);

/* ---- attention_walk.c ---- */
XG_FN void xg_attention_walk_of(xg_attention_kernel *w); /* the steps of the block's tile: w->from, w->to */
/* Behind them: the others, if their weights may not be 0. Threads that have no rows ask the others. */
XG_FN void xg_attention_walk_on(xg_attention_kernel *w, bool has_rows);

XG_FN bool xg_attention_has_inner(const xg_attention_kernel *w); /* masks, or the end of keys, are not for all steps */
XG_FN void xg_attention_inner_of(xg_attention_kernel *w);

/* ---- attention_ends.c ---- */
XG_FN void xg_attention_results(xg_attention_kernel *w);

/* ---- attention_emit.c ---- */
XG_FN xg_kval *xg_attention_wrapped(xg_attention_kernel *w, xg_kval *step); /* the step's place among all */
XG_FN void xg_attention_begin_step(xg_attention_kernel *w, xg_kval *step);  /* which keys it has */
XG_FN xg_kval *xg_attention_shared(xg_attention_kernel *w, xlagpu_type t, int64_t n);
XG_FN void xg_attention_weigh(xg_attention_kernel *w); /* sums to scores to weights */
XG_FN void xg_attention_steps(xg_attention_kernel *w);
/* The tile's steps, then, where masks do not say enough, the others. `walk` goes through w->from to w->to. */
XG_FN void xg_attention_walk_all(xg_attention_kernel *w, bool has_rows, void (*walk)(xg_attention_kernel *w));
XG_FN void xg_attention_emit(xg_fusion_emission *e, const xg_attention_plan *p);

/* ---- attention_way.c ---- */
XG_FN bool xg_attention_way_plan(xg_way_job *job, xg_record *r, xg_way_times *times); /* see xg_way */
XG_FN xg_kmodule *xg_attention_way_emit(xg_way_job *job, const xg_record *r, xg_str name);

#endif /* XG_SCHED_ATTENTION_H */
