/* sched/attention.h -- attention as one kernel: softmax(f(Q K)) V without scores in memory.
 *
 * Ideas (online softmax: Milakov and Gimelshein 2018; tiles of it: Dao et al., "FlashAttention", 2022)
 * - A block has a tile of rows (queries) and walks over the keys in steps. Of each row it keeps the maximum m of the
 *   scores so far, the sum l of exp(s - m), and the sum o of exp(s - m) V; when m grows, l and o are scaled.
 * - What stands between the two dots is any HLO: it is cut into stages (attention_form.c), each one instruction of the
 *   fusion made of what is given (a score, exp, m, l), and emitted element by element where the kernel has that.
 * - Everything is counted by five numbers: batch, row, key, and a vector and its lane along the third extent, which is
 *   that of the first sum (depth), or of V's columns. Indexing maps lead from there to each stage's indices, so
 *   bitcasts and transposes anywhere need no case of their own.
 *
 * Gradients are two kernels of the same kind (attention_back_*.c), which make the scores again; what they call rows are
 * queries in one, keys in the other.
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
    X(GRAD) \
    X(SOFT) \
    X(DELTA) \
    X(SECOND) \
    X(LINE0) \
    X(LINE1) \
    X(LINE2) \
    X(LINE3) \
    X(LINE4) \
    X(LINE5) \
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
    bool anywhere;      /* the same wherever it stands: of what is given alone, element by element */
} xg_attention_stage;

/* Keys or values as tensor copies bring them: a map of the parameter that has them, whose first coordinates are column
 * and key; what each of the others is of the batch; what column and key begin at. */
typedef struct xg_attention_box {
    bool is_made;
    xg_kmap tensor;
    const xg_aff *batch[XG_KMAP_RANK];
    int64_t first[XG_KMAP_RANK];
    int64_t period; /* the second coordinate is the key modulo it, another one the quotient; 0: it is the key */
} xg_attention_box;

enum {
    XG_ATTENTION_LINE = 64,       /* elements of 16 bits: 128 bytes, what a line of a swizzled matrix has */
    XG_ATTENTION_STATS = 2,       /* of a row: maximum and sum */
    XG_ATTENTION_PIECES_ISSUE = 3 /* instructions more for each piece of a weight: words and rests of two numbers */
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
    int64_t period;   /* ... of so many rows, and begins again: queries that share keys; 0: of all */
    bool upper;
    uint32_t n;
    xg_attention_part part[XG_ATTENTION_BOUND_READS];
    int64_t scale[XG_ATTENTION_BOUND_READS];
} xg_attention_bound;

/* Of a row of the backward pass: maximum and sum of its weights, and their sum with dP. */
enum {
    XG_ATTENTION_GRAD_SUM = XG_ATTENTION_STATS,
    XG_ATTENTION_BACK_STATS,
    XG_ATTENTION_REFERENCE = XG_ATTENTION_BACK_STATS /* of warp groups: see attention_tensor.c */
};
/* The backward pass: what its kernels have beside the scores (attention_back_form.c). */
enum {
    XG_ATTENTION_LINES = XG_ATTENTION_LINE5 - XG_ATTENTION_LINE0 + 1
};
typedef struct xg_attention_back {
    bool is;       /* a kernel of the backward pass */
    bool turned;   /* its rows are the module's keys: it makes dK and dV; else dQ and what rows have */
    bool together; /* maximum, sum and the sum over dP are found in one walk */
    bool boxed;    /* there are `boxes` of all lines */
    /* Where dS goes through memory: the kernel of dK and dV has it as a further result, of which a product makes dQ;
     * the other one has no dots but those of scores and dP, and makes what rows have. */
    bool rows_only, shows;
    bool once;        /* dQ may be made in one walk (attention_back_once.c) */
    uint32_t n_lines; /* broadcasts of what each of the module's rows has one of */
    uint32_t soft;    /* the second dot's operand that is made of the weights */
    xg_inst *second;  /* the dot that makes dV; NULL: there is none */
    xg_inst *delta;   /* of each row the sum over weights and dP */
    uint32_t fixed;   /* its operand that has rows */
    uint32_t n_kept;  /* further results: values of lines */
    /* Where dQ is made in one walk: lines, by bits, that are factors of dS, and of dP alone; the one added to dP. */
    uint32_t factors, of_grads, rest;
    xg_attention_gradient match;
    const xg_imap *second_map;          /* to the indices of the second dot's other operand */
    xg_inst *lines[XG_ATTENTION_LINES]; /* the stage LINEk is the operand */
    bool late[XG_ATTENTION_LINES];      /* it is made of the sum over weights and dP */
    xg_inst *kept[XG_ATTENTION_LINES];
    const xg_imap *kept_map[XG_ATTENTION_LINES];
    xg_tile_form grad;                          /* dO V */
    xg_attention_box boxes[XG_ATTENTION_LINES]; /* of lines, where rows are keys */
    const xg_imap *shown_map;                   /* to the indices of dS in memory */
} xg_attention_back;

typedef struct xg_attention_form { /* the most read members come first */
    xlagpu_type sum;
    int32_t unit; /* xg_kmma, or XG_TILE_NO_UNIT */
    xlagpu_type held;
    uint32_t query;   /* operand of the first dot that has rows */
    uint32_t n_stats; /* further results: a row's maximum, its sum */
    uint32_t n_bounds, n_reads;
    bool votes;   /* whether masked scores are finite: then each row's maximum says whether their weights are 0 */
    bool is_lazy; /* any number may stand for the maximum, and an early one mostly serves for all keys */
    const xg_comp *comp;
    int64_t batch, rows, keys, depth, columns;
    int64_t pieces[2]; /* that weights of f32 are taken in, or 1; of the backward pass: dS, weights */
    xg_attention_back back;
    xg_attention match;
    int64_t counted[3]; /* a tile's rows, keys of a step: how many steps it was found to have on average */
    const xg_inst *stats[XG_ATTENTION_STATS];
    const xg_imap *stat_map[XG_ATTENTION_STATS];
    int64_t key_period; /* bounds are of keys modulo it, where rows are keys: as a row's period; 0: they are of keys */
    double masked;      /* no masked score is larger, where scores vote */
    /* Scores, but for masks of -inf, are the first dot's sums times a number: powers take it in. NULL: they are not. */
    const xg_inst *scaled;
    double scale;
    xg_attention_bound bounds[XG_ATTENTION_BOUNDS];
    xg_attention_box boxes[XG_TILE_SIDES]; /* keys, values */
    xg_attention_stage stages[XG_ATTENTION_PARTS];
    xg_tile_form dots[2]; /* scores, out */
} xg_attention_form;

enum {
    XG_ATTENTION_ROWS = 16,       /* of a warp: as a matrix unit has it */
    XG_ATTENTION_BESIDE = 4,      /* lanes that share a row */
    XG_ATTENTION_EXTENT_MAX = 256 /* of depth and columns: a thread keeps its rows' columns in registers */
};

enum {
    XG_ATTENTION_HALVES = 2,     /* rows of a thread, of each 16 of its warp */
    XG_ATTENTION_HALVES_MAX = 4, /* of warps that have 32 rows */
    XG_ATTENTION_POWERS = 8,     /* pairs of which some have powers by multiply-adds */
    XG_ATTENTION_EIGHT = 8,      /* columns that four threads share; rows between a thread's two */
    XG_ATTENTION_PAIR = 2,       /* neighbours of a thread */
    XG_ATTENTION_SHOWN = 4       /* ... of dS, which it writes at once */
};

/* Of a block: warps side by side along rows, and along keys; keys of a step, of all of them. */
typedef struct xg_attention_shape {
    uint8_t warps, parts, step;
    uint8_t blocks; /* of 16 rows, that a warp has: 1 or 2, which share what is read of keys and values */
    bool grouped;   /* four warps together multiply by matrices in shared memory, which tensor copies bring */
    bool in_turns;  /* one buffer of keys and one of values: each is brought while the other one is used */
    bool in_tensor; /* ... or rather one thread for them: scores, weights and sums lie in tensor memory */
    bool once;      /* of gradients: dQ is made in one walk (attention_back_once.c) */
} xg_attention_shape;
typedef struct xg_attention_plan { /* the most read members come first */
    xg_attention_shape shape;
    bool bounded;     /* masks leave out steps */
    bool votes;       /* and the kernel looks whether that is right */
    bool copied;      /* elements are as they lie in memory: brought without registers */
    bool in_turns;    /* as the shape says, where there are several steps */
    bool swizzled;    /* the tile's rows have no padding: pieces of 16 bytes of eight rows go round */
    bool apart;       /* of gradients: wide dK and dV, for whose sums at once there is no room, have a walk each */
    bool keeps_rows;  /* ...: the tile's rows are in registers, or in tensor memory; through the steps' buffers */
    bool keeps_grads; /* ... likewise, of the second operand */
    bool trades;      /* a pair's warps multiply by one of both, and give each other scores and dP */
    bool is_whole;    /* without masks and edges: see xg_attention_registers */
    bool is_made;     /* the plan could be made */
    int64_t stages;   /* steps' keys in shared memory: the next one is brought while one is used */
    int64_t own;      /* keys of a step that a warp has */
    int64_t halves;   /* rows of a thread */
    int64_t depth, columns; /* with what fills the last piece */
    int64_t cluster; /* blocks that share the keys of a tile's rows, and join what they have; 1: it is one block's */
    int64_t tile, steps, walked, threads, blocks; /* walked: of the steps, on average */
    xg_attention_form form;
    int64_t producers; /* threads beside the others, which ask for tensor copies */
    int64_t shared;    /* bytes */
    int64_t tiles, value_pitch;
    int64_t powers; /* of XG_ATTENTION_POWERS that multiply-adds make: the pipe of powers makes the others */
    int64_t query_pitch, pitch, weight_pitch, sum_pitch; /* of rows in shared memory; value_pitch, too */
    int64_t span;                                        /* steps of a period of keys; else all */
    int64_t ramp, together; /* tiles of a head's queries; heads whose blocks begin together: by falling work, where
                             * masks leave out steps */
    int64_t longest;        /* see xg_cost_counts */
    int64_t warp_rows;      /* of gradients: of a warp */
    int64_t picoseconds;
    int64_t key_parts; /* of all keys, each with blocks of its own; 0: not asked */
} xg_attention_plan;

/* Where maps are made. */
/* Maps by so many vectors and lanes, which lead to most others. */
typedef struct xg_attention_known {
    int64_t vectors, lanes;
    const xg_imap *weights, *exp;
} xg_attention_known;
typedef struct xg_attention_site {
    xg_attention_form *f;
    xg_arena *arena;
    xg_aff_ctx *x;
    int64_t counts[XG_ATTENTION_DIMS];
    xg_attention_known known[2]; /* of single elements, of several */
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
XG_FN void xg_attention_find_scale(xg_attention_form *f);          /* the same */
XG_FN xg_inst *xg_attention_unmoved(xg_inst *i);                   /* what it has, maybe elsewhere */
XG_FN uint32_t xg_attention_masked(const xg_inst *i);              /* the operand of a mask that is the scores */
XG_FN bool xg_attention_constant(const xg_inst *i, double *v);     /* v: the float that all elements of i are */
XG_FN const xg_inst *xg_attention_uniform(const xg_inst *i);       /* the constant that has it, or NULL */
XG_FN int64_t xg_attention_mean_steps(const xg_attention_plan *p); /* of a block, as far as masks are known */
XG_FN bool xg_attention_grows(const xg_attention_form *f);         /* the last rows see most keys */
XG_FN void xg_attention_order(xg_attention_plan *p, const xg_device *m); /* in which blocks begin, where they differ */

/* ---- attention_box.c ---- */
/* offset: where an element of the parameter lies, of the five numbers. */
XG_FN xg_attention_box xg_attention_box_of(xg_attention_site *w, const xg_inst *from, const xg_imap *offset);
/* The same of an array that has one f32 for each key. */
XG_FN xg_attention_box xg_attention_box_line(xg_attention_site *w, const xg_inst *from, const xg_imap *offset);

/* ---- attention_form.c ---- */
XG_FN bool xg_attention_may_be(const xg_comp *c);
/* The computation is attention and nothing else. */
XG_FN bool xg_attention_form_of(xg_attention_form *f, xg_arena *a, xg_aff_ctx *x, const xg_comp *c, const xg_device *m);

/* Parts of it, for the backward pass. */
XG_FN bool xg_attention_extents(xg_attention_form *f);
XG_FN const xg_imap *xg_attention_variables(xg_attention_site *w, bool columns); /* of the second dot, all */
XG_FN const xg_imap *xg_attention_operand(xg_attention_site *w, uint32_t operand, bool columns);
XG_FN const xg_imap *xg_attention_at_weights(xg_attention_site *w);
XG_FN const xg_imap *xg_attention_at_exp(xg_attention_site *w);
XG_FN const xg_imap *xg_attention_inside(
    xg_attention_site *w, const xg_attention_stage *s, const xg_imap *map, const xg_inst *given);
XG_FN const xg_imap *xg_attention_dot_operand(
    xg_attention_site *w, const xg_tile_form *dot, const xg_imap *m, uint32_t operand);
XG_FN const xg_imap *xg_attention_first_operand(xg_attention_site *w, uint32_t operand);
XG_FN const xg_imap *xg_attention_grad_operand(xg_attention_site *w, bool fixed); /* of dO V: the one with rows */
XG_FN xg_inst *xg_attention_narrow(const xg_inst *dot, uint32_t operand, xlagpu_type *held);
/* In how many pieces the dot's weights are taken; their type becomes that of what they are multiplied by. rounded: the
 * sums, at once. */
XG_FN int64_t xg_attention_pieces(
    const xg_inst *dot, xlagpu_type *weights, xlagpu_type other, const xg_device *m, bool rounded);
/* From an operation's indices to those of what is made of it, element by element. */
XG_FN const xg_imap *xg_attention_onward(
    xg_attention_site *w, const xg_inst *i, const xg_inst *from, const xg_imap *at);
XG_FN bool xg_attention_result_map(xg_attention_site *w);
XG_FN bool xg_attention_operand_maps(xg_attention_site *w);
XG_FN void xg_attention_lanes(xg_attention_site *w, xg_attention_part part);

/* ---- attention_back_form.c: a kernel of the backward pass ---- */
XG_FN xg_inst *xg_attention_back_dot(xg_inst *i); /* that this is, but for conversions and moves */
XG_FN bool xg_attention_back_may_be(const xg_comp *c);
XG_FN xg_inst *xg_attention_back_value(const xg_attention_form *f, uint32_t k); /* of a line */
XG_FN xg_inst *xg_attention_back_root(const xg_comp *c, uint32_t k);            /* a result; NULL: there are fewer */
XG_FN bool xg_attention_back_keeps_bare(const xg_attention_form *f);     /* dS is made of the first dot's sums, too */
XG_FN bool xg_attention_back_has_unit(xg_inst *dot, const xg_device *m); /* a matrix unit that the kernels know */
XG_FN bool xg_attention_back_form_of(
    xg_attention_form *f, xg_arena *a, xg_aff_ctx *x, const xg_comp *c, const xg_device *m);

/* ---- attention_plan.c ---- */
enum {
    XG_ATTENTION_PAD_BYTES = 16,     /* behind each row: eight rows that are read at once lie in different banks */
    XG_ATTENTION_LAUNCH_PS = 2500000 /* of a kernel more, and its way to memory and back */
};
XG_FN bool xg_attention_reads(const xg_attention_form *f);    /* what has something for each key, beside scores */
XG_FN bool xg_attention_meets(const xg_attention_plan *p);    /* threads without rows learn what the others vote */
XG_FN int64_t xg_attention_votes(const xg_attention_plan *p); /* elements of shared memory for them */
/* Of shared memory, for each warp, where keys are in parts; and what a cluster's block shows the others. */
XG_FN int64_t xg_attention_end_size(const xg_attention_plan *p);
XG_FN int64_t xg_attention_warps(const xg_attention_plan *p);          /* that have rows */
XG_FN int64_t xg_attention_registers(const xg_attention_plan *p);      /* of a thread with rows */
XG_FN int64_t xg_attention_back_registers(const xg_attention_plan *p); /* ... of gradients */
XG_FN bool xg_attention_keeps_query(const xg_attention_plan *p);
XG_FN bool xg_attention_has_boxes(const xg_attention_form *f, const xg_attention_shape *s);
XG_FN bool xg_attention_back_may_group(const xg_attention_form *f, const xg_attention_shape *s, const xg_device *m);
XG_FN int64_t xg_attention_held_columns(const xg_attention_plan *p); /* whose sums threads have while they walk */
XG_FN void xg_attention_settle(xg_attention_plan *p, const xg_attention_shape *s, const xg_device *m);
XG_FN bool xg_attention_is_ordered(
    const xg_record *given, const xg_attention_shape *s, int64_t cluster, int64_t powers); /* no order names others */
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
enum {
    XG_ATTENTION_MEMBERS = 160,    /* operations of a fusion */
    XG_ATTENTION_TURNED = 1 << 15, /* elements of a bias that a kernel in front turns */
    XG_ATTENTION_EPILOGUE = 16,    /* operations behind the second dot */
    XG_ATTENTION_GENERATED = 24,   /* operations of what depends on no array */
    XG_ATTENTION_CHEAP_DEPTH = 12  /* operations one behind the other that an operand is made of */
};
typedef struct xg_attention_members {
    const xg_attention *a;
    xg_arena *arena;
    xg_map64 known; /* by id: the copy inside, or, while members are gathered, the instruction */
    uint32_t n;
    xg_inst *root;
    xg_inst *stats[XG_ATTENTION_STATS]; /* maximum and sum, where they are read outside: further results */
    uint32_t n_stats;
    bool once;   /* what they read is computed once: more of it is cheap */
    bool shared; /* it is read by others: what is computed of arrays lies in memory anyway */
    xg_inst *p[XG_ATTENTION_MEMBERS];
    bool stays[XG_ATTENTION_MEMBERS]; /* it is read outside */
} xg_attention_members;
XG_FN void xg_attention_none(xg_attention_members *w, const xg_attention *a, xg_arena *arena);
XG_FN bool xg_attention_has(const xg_attention_members *w, const xg_inst *i);
XG_FN bool xg_attention_add(xg_attention_members *w, xg_inst *i);
XG_FN bool xg_attention_gather(xg_attention_members *w, xg_inst *i); /* and what it is made of, down to the first dot */
XG_FN void xg_attention_take_cheap(xg_attention_members *w, xg_inst *i, uint32_t depth);
XG_FN xg_inst *xg_attention_clone(const xg_inst *dot, xg_inst *i, xg_comp *to, xg_inst *const *operands);
XG_FN xg_inst *xg_attention_make(xg_attention_members *w);
XG_FN void xg_attention_unmake(xg_inst *fusion);
XG_FN void xg_attention_record(xg_arena *a, xg_inst *fusion, bool library); /* its rule is attention, or cuDNN */
XG_FN bool xg_attention_fuse(xg_module *m);                                 /* the pass attention-fusion */
/* What the pass would make of it, if it is the second dot of attention; NULL: it is not, or cannot be made. `known`, by
 * fingerprint: what computes alike (the layers of a model) has one plan. */
/* The plan of a computation's kernel, forward or backward; of equal ones (`known`, by fingerprint) it is made once. */
XG_FN xg_attention_plan *xg_attention_planned(xg_dict *known, xg_arena *work, const xg_comp *c, bool back);
XG_FN xg_attention_plan *xg_attention_look(xg_dict *known, xg_arena *work, xg_inst *dot, xg_attention *a);
XG_FN bool xg_attention_will_take(xg_inst *dot); /* the pass will fuse this second dot */

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
typedef struct xg_attention_kernel { /* the most read members come first: see xg_tile_plan */
    const xg_attention_plan *p;
    const xg_attention_form *f;
    xg_tile_kernel *t;      /* scope and builder */
    bool dots;              /* the walk of who asks for products makes sums */
    bool keys_only;         /* the walk needs no dP */
    bool skips[2];          /* it makes no sums of dS; of the second dot's weights */
    bool placed[2];         /* `places` have been asked for */
    xg_kval *from, *to;     /* steps: the first, and behind the last; beyond all steps they begin again */
    xg_kval *across, *part; /* of a warp: among those along rows, and along keys */
    xg_kval *query, *keys, *values, *ends; /* in shared memory */
    xg_kval *turn;                         /* of warp groups: how many steps the block has gone through */
    xg_kval *thread, *beside;
    xg_kval **scores[XG_ATTENTION_HALVES_MAX];                           /* of a step; then the weights */
    xg_kval *stat[XG_ATTENTION_HALVES_MAX][XG_ATTENTION_BACK_STATS + 1]; /* maximum, sum, sum over dP; reference */
    xg_kval *lane, *warp, *group, *tile, *batch;
    xg_kval *weights, *votes;       /* in shared memory */
    xg_kval *rank, *shown, **peers; /* of the block in its cluster, NULL: there is none; what it shows; that of all */
    xg_kval **scales[XG_ATTENTION_HALVES_MAX]; /* by rank: of a block's sums */
    xg_kval *buffer;                           /* of the step: the first of its keys in shared memory */
    xg_kval *row[XG_ATTENTION_HALVES_MAX];
    xg_kval *lanes;    /* of tensor memory: where a round's rows begin; NULL: with the warp's own lanes */
    xg_kval *inner[2]; /* steps from the first on, and before the second, need no masks; NULL: all need them */
    xg_kval *walk;     /* which one of two it is */
    xg_kval *most[XG_ATTENTION_HALVES_MAX], *sum[XG_ATTENTION_HALVES_MAX]; /* no most: the reference stands for it */
    xg_kval **out[XG_ATTENTION_HALVES_MAX];                                /* sums of V's columns */
    xg_kval *first_key, *place;              /* of a thread in the step; its place among all */
    xg_kval *step;                           /* of warp groups of gradients: the walk's */
    int64_t shared;                          /* of these: how often threads have shown what their rows have */
    xg_kval *done;                           /* turns in earlier walks; NULL: this is the first one */
    xg_kval **asked[2], **asked_sums[2];     /* products that are on their way: scores and dP; of dS, of the weights */
    xg_kval **soft[XG_ATTENTION_HALVES_MAX]; /* weights of the second dot */
    xg_kval **bare[XG_ATTENTION_HALVES_MAX]; /* of gradients: the step's sums that scores are made of */
    xg_kval *barriers, *begin; /* of tensor copies: in shared memory; the step of which the first one was asked */
    xg_kval **kept;            /* words of the tile's rows in registers; NULL: they are read in each step */
    xg_kval **kept_grad;       /* ... of the second operand */
    /* The backward pass: the second operand with rows, and a step's lines, in shared memory; dP, then dS; sums of the
     * second dot; of a thread's rows the lines, what is subtracted from scores, and what reductions make. */
    xg_kval *grad, *columns[XG_ATTENTION_LINES];
    xg_kval **grads[XG_ATTENTION_HALVES_MAX], **second[XG_ATTENTION_HALVES_MAX];
    xg_kval **step_line[XG_ATTENTION_LINES];           /* by a thread's column of the step */
    xg_kval *grown, *shrinks[XG_ATTENTION_HALVES_MAX]; /* whether references have changed; what sums are scaled by */
    /* Of warp groups, by rows' references: what makes exponents of scores. */
    xg_kval *by[XG_ATTENTION_HALVES_MAX], *less[XG_ATTENTION_HALVES_MAX];
    const xg_inst *scaled; /* of the form, where scores and maxima are without it */
    xg_kval *dest[XG_ATTENTION_LINES + 2];
    const xg_imap *places[2]; /* of both results: where pairs lie, once that is asked */
    /* Of dQ in one walk: see attention_back_once.c; a thread's sums before the step. */
    xg_kval *share, *pivot[XG_ATTENTION_HALVES_MAX], *before[XG_ATTENTION_HALVES_MAX];
    xg_kval *line[XG_ATTENTION_HALVES_MAX][XG_ATTENTION_LINES], *shift[XG_ATTENTION_HALVES_MAX];
    xg_kval *farthest; /* the largest size of a row's exponents in a step, of powers that multiply-adds make */
    xg_kval *digits[XG_ATTENTION_EIGHT], *no_sums; /* numbers of lanes; a fragment's sums of nothing */
    xg_scope scopes[XG_ATTENTION_PARTS];
    xg_fusion_emission parts[XG_ATTENTION_PARTS]; /* as if each stage were a fusion */
} xg_attention_kernel;

/* What a stage is given instead of computing it. */
typedef struct xg_attention_given {
    const xg_inst *of;
    xg_elem v;
} xg_attention_given;

/* Products of a warp's rows with a step's keys, both of so many columns; kept: the rows' words, or NULL. */
typedef struct xg_attention_product {
    xg_kval *fixed, *step, **kept;
    int64_t fixed_pitch, pitch, width;
    bool held;        /* of warp groups: the rows lie in tensor memory */
    int64_t fixed_at; /* ... bytes in front of the rows, or columns */
    int64_t at;       /* ... whose sums lie in tensor memory: the first column of these */
    xg_kval *rows[2]; /* of warps: where their keys of the step begin, and those of a pair's other one, or NULL */
    xg_kval **to[XG_ATTENTION_HALVES_MAX];
} xg_attention_product;
/* Sums += a step's weights times its rows of so many columns. */
typedef struct xg_attention_summed {
    xg_kval **weights[XG_ATTENTION_HALVES_MAX], **to[XG_ATTENTION_HALVES_MAX], *step;
    int64_t pitch, width, pieces;
    int64_t at, weights_at; /* in tensor memory: the first columns of sums and weights */
    xg_kval *rows[2];       /* as of a product */
} xg_attention_summed;

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
/* A stage's element at the five numbers; index: room for its own indices, which one that is the same anywhere lacks. */
XG_FN xg_elem xg_attention_element(xg_attention_kernel *w, xg_attention_part part, xg_kval *const *at,
    const xg_attention_given *given, uint32_t n, xg_kval **index);
XG_FN void xg_attention_numbers(xg_attention_kernel *w, xg_kval **at); /* the block's batch, zeros else */
/* The element of a thread's row, and of its column of the step, unless that is negative. */
XG_FN xg_elem xg_attention_row_element(xg_attention_kernel *w, xg_attention_part part, int64_t half, int64_t c,
    const xg_attention_given *given, uint32_t n);
/* The scores of a bare one: through what stands between masks. */
XG_FN xg_elem xg_attention_scores_of(xg_attention_kernel *w, const xg_inst *i, xg_elem bare);
XG_FN xg_kval *xg_attention_converted_to(xg_attention_kernel *w, xg_elem v, xlagpu_type from, xlagpu_type to);
XG_FN xg_kval *xg_attention_lane(xg_attention_kernel *w, xg_kval *vector, int64_t lane);
XG_FN xg_kval *xg_attention_insert(xg_attention_kernel *w, xg_kval *v, xg_kval *vector, int64_t lane);
XG_FN void xg_attention_await(xg_attention_kernel *w, int64_t but); /* copies of all steps but the last so many */
XG_FN void xg_attention_wait(xg_attention_kernel *w);               /* for all threads of the block */
XG_FN void xg_attention_carry_shared(xg_attention_kernel *w, xg_flow *f);
/* op over the lanes that share a row, of n rows: while one is asked for, so are the others */
XG_FN void xg_attention_combine(xg_attention_kernel *w, xg_kopcode op, xg_kval **v, int64_t n, int64_t lanes);
/* Pieces are tf32, where what they are multiplied by is f16. */
XG_INLINE bool xg_attention_splits(const xg_attention_form *f) { return f->held == XLAGPU_F16; }
/* Products of a number, in the time of those of 16 bits. */
XG_INLINE int64_t xg_attention_times(const xg_attention_form *f, bool second) {
    return f->pieces[second] << (f->pieces[second] > 1 && xg_attention_splits(f));
}
/* The backward pass takes weights and dS at once, not in pieces. */
XG_INLINE bool xg_attention_back_is_whole(const xg_attention_form *f) { return f->pieces[0] == 1 && f->pieces[1] == 1; }
/* Sums are results, or more bits of weights count than 16-bit floats have. */
XG_INLINE bool xg_attention_is_fine(const xg_attention_form *f) {
    const xg_inst *root = f->stages[XG_ATTENTION_RESULT].root;
    return f->n_stats > 0 || f->pieces[0] > 1 || (root && root->shape->type == XLAGPU_F32);
}
XG_FN double xg_attention_scale(const xg_attention_kernel *w); /* by which scores and maxima are too small */
XG_FN xg_kval *xg_attention_added(xg_attention_kernel *w, xg_kval *x, xg_kval *z);
XG_FN xg_kval *xg_attention_exp(xg_attention_kernel *w, xg_kval *x, xg_kval *shift);          /* exp(x - shift) */
XG_FN void xg_attention_exps(xg_attention_kernel *w, xg_kval **x, int64_t n, xg_kval *shift); /* of a row, in place */
XG_FN void xg_attention_exps_by(xg_attention_kernel *w, xg_kval **x, int64_t n, xg_kval *by, xg_kval *less);
XG_FN bool xg_attention_is_made(
    const xg_attention_kernel *w, int64_t c); /* ... the power of column c, by multiply-adds */
XG_FN xg_kval *xg_attention_largest(xg_attention_kernel *w, xg_kopcode three, xg_kval *const *of, xg_kval *first);
XG_FN void xg_attention_raise(xg_attention_kernel *w, int64_t half, bool masks);
XG_FN void xg_attention_refer_to(xg_attention_kernel *w, int64_t half, xg_kval *most);
XG_INLINE xg_kval *xg_attention_most_of(const xg_attention_kernel *w, int64_t half) {
    return w->most[half] ? w->most[half] : w->stat[half][XG_ATTENTION_REFERENCE];
}
XG_FN xg_kval *xg_attention_both(xg_attention_kernel *w, xg_kval *const *x);                /* an i64 of two f32 */
XG_FN void xg_attention_each(xg_attention_kernel *w, xg_kval *v, xg_kelem e, xg_kval **to); /* and back */
enum {
    XG_ATTENTION_ALIKE = 4 /* operations behind each other that are made of two numbers at once: of dS three */
};
XG_FN xg_kval *xg_attention_alike(xg_attention_kernel *w, xg_kval *const *x, int64_t depth); /* such an i64 */
XG_FN void xg_attention_pair_up(xg_attention_kernel *w, xg_kval **x);
XG_FN xg_kval *xg_attention_other_factor(xg_attention_kernel *w, const xg_kval *x, double constant);
XG_FN xg_kval *xg_attention_shift(xg_attention_kernel *w, xg_kval *most); /* most, or 0 where it is -inf */
XG_FN xg_attention_product xg_attention_scores_product(xg_attention_kernel *w);
XG_FN xg_attention_summed xg_attention_out_summed(xg_attention_kernel *w);

/* ---- attention_bring.c: into shared memory ---- */
/* The tile's rows of an operand, of so many columns, to an array of rows of that pitch. */
typedef struct xg_attention_fixed {
    xg_attention_part part;
    int64_t extent, width, pitch;
    xg_kval **to;
} xg_attention_fixed;
XG_FN void xg_attention_bring_fixed(xg_attention_kernel *w, const xg_attention_fixed *o);
XG_FN void xg_attention_bring_query(xg_attention_kernel *w);
XG_FN void xg_attention_bring_rows(xg_attention_kernel *w);  /* of both operands that have the tile's rows */
XG_FN void xg_attention_bring_grads(xg_attention_kernel *w); /* of the second one */
XG_FN void xg_attention_bring_step(xg_attention_kernel *w, xg_kval *step, xg_kval *buffer);
XG_FN void xg_attention_bring_side(xg_attention_kernel *w, xg_attention_part part, xg_kval *step); /* keys, or values */

/* ---- attention_plain.c, attention_mma.c: the two products ---- */
XG_FN int64_t xg_attention_weights_size(const xg_attention_plan *p);
XG_FN void xg_attention_plain_scores(xg_attention_kernel *w);
XG_FN void xg_attention_plain_out(xg_attention_kernel *w);
XG_FN void xg_attention_plain_product(xg_attention_kernel *w, const xg_attention_product *o);
XG_FN void xg_attention_plain_sum(xg_attention_kernel *w, const xg_attention_summed *o);
XG_FN void xg_attention_unit_scores(xg_attention_kernel *w);
XG_FN void xg_attention_keep_query(xg_attention_kernel *w);
/* Sixteen of the warp's rows, from a place on: of lines of so many elements, whose pieces of 16 bytes go round, the
 * k-th sixteen columns. */
XG_FN xg_kval *xg_attention_lined_words(xg_attention_kernel *w, xg_kval *from, int64_t pitch, int64_t place, int64_t k);
/* Words of the warp's rows of an array, of so many columns; side: of a pair's one (attention_back_pair.c), or NULL. */
XG_FN xg_kval **xg_attention_kept_words(
    xg_attention_kernel *w, xg_kval *from, xg_kval *side, int64_t pitch, int64_t width);
XG_FN void xg_attention_unit_out(xg_attention_kernel *w);
XG_FN void xg_attention_unit_product(xg_attention_kernel *w, const xg_attention_product *o);
XG_FN void xg_attention_unit_sum(xg_attention_kernel *w, const xg_attention_summed *o);
enum {
    XG_ATTENTION_SUMS = 4 /* of a fragment of 16 rows and eight columns that a thread has */
};
XG_FN xg_kval *xg_attention_no_sums(xg_attention_kernel *w);
XG_FN xg_kval *xg_attention_out_sums(
    xg_attention_kernel *w, xg_kval **const *out, int64_t fragment); /* of V's columns */
XG_FN void xg_attention_take(xg_attention_kernel *w, xg_kval ***to, int64_t fragment, xg_kval *v);
XG_FN bool xg_attention_packs(const xg_attention_form *f);                     /* weights of f32, two at a time */
XG_FN xg_kval *xg_attention_word(xg_attention_kernel *w, xg_kval *const *two); /* of two weights */
XG_FN void xg_attention_make_words(xg_attention_kernel *w, xg_kval **row);     /* of a step's weights, in their place */
/* 16 keys' weights, as units take them. */
XG_FN xg_kval *xg_attention_packed(xg_attention_kernel *w, xg_kval **const *weights, int64_t k);
XG_FN xg_kval *xg_attention_packed_piece(
    xg_attention_kernel *w, xg_kval **const *weights, int64_t k, int64_t piece, int64_t pieces);

/* ---- attention_group.c: by warp groups ---- */
enum {
    XG_ATTENTION_TEAM = 2 /* the barrier of all threads, which come to it by two ways */
};
XG_FN int64_t xg_attention_group_threads(const xg_attention_plan *p); /* that share rows of tensor memory */
XG_FN int64_t xg_attention_grad_at(const xg_attention_plan *p); /* lines of a row in front of the second operand's */
XG_FN int64_t xg_attention_lines(int64_t extent);               /* of 128 bytes that a row of so many elements has */
XG_FN int64_t xg_attention_barriers(const xg_attention_plan *p);
XG_FN int64_t xg_attention_group_bytes(const xg_attention_plan *p); /* of shared memory */
/* Blocks that a multiprocessor is to hold, as its registers allow; 0: what the code looks like decides. */
XG_FN int64_t xg_attention_resident(const xg_attention_plan *p, const xg_device *m);
XG_FN void xg_attention_group_arrays(xg_attention_kernel *w);
XG_FN void xg_attention_group_step(xg_attention_kernel *w, xg_kval *step);
XG_FN bool xg_attention_is_behind(const xg_attention_plan *p); /* a step's sums are asked for in the next one */
XG_FN bool xg_attention_is_lazy(const xg_attention_plan *p); /* steps have no maxima, but where weights become large */
XG_FN bool xg_attention_is_near(const xg_attention_plan *p); /* ... or exponents are far from 0 */
XG_FN void xg_attention_group_last(xg_attention_kernel *w);
XG_FN void xg_attention_group_kernel(xg_attention_kernel *w);
/* Where a lane of a piece lies, of numbers that count so much: buffer, row, piece, lane. */
XG_FN xg_kval *xg_attention_group_spot(xg_attention_kernel *w, const int64_t *counts, int64_t rows, xg_kval *const *at);
/* A group's products of a step: its rows with the keys, its weights with the values. sums: n vectors, where threads
 * have them. */
XG_FN void xg_attention_group_scores_of(
    xg_attention_kernel *w, const xg_attention_product *o, xg_kval *turn, xg_kval **sums, uint32_t n);
XG_FN void xg_attention_group_out_of(
    xg_attention_kernel *w, const xg_attention_summed *o, xg_kval *turn, xg_kval **sums, uint32_t n);
XG_FN void xg_attention_group_begin(xg_attention_kernel *w, xg_kval *thread); /* barriers, and the tile's rows */
XG_FN void xg_attention_group_maps(xg_attention_kernel *w, xg_kfunc *f);
/* What all threads do, before those with rows part from the one that asks; of n results. Gives the thread's number. */
XG_FN xg_kval *xg_attention_group_open(xg_attention_kernel *w, xg_flow *part, uint32_t n);
XG_FN void xg_attention_group_begin_again(xg_attention_kernel *w, const xg_attention_kernel *before);
XG_FN void xg_attention_group_registers(xg_attention_kernel *w, xg_kopcode op, int64_t n);
XG_FN void xg_attention_release(xg_attention_kernel *w, uint32_t side, xg_kval *turn); /* the group has read it */
XG_FN void xg_attention_ask_all(xg_attention_kernel *w);
XG_FN void xg_attention_walked(xg_attention_kernel *w, xg_kval *to); /* w->done counts the walk's steps from here on */
XG_FN xg_kval *xg_attention_turn(xg_attention_kernel *w, xg_kval *step); /* steps that the block has gone through */
enum {
    XG_ATTENTION_SIDE_KEYS,
    XG_ATTENTION_SIDE_VALUES
};
typedef enum xg_attention_state {
    XG_ATTENTION_FULL,
    XG_ATTENTION_EMPTY,
    XG_ATTENTION_STATES
} xg_attention_state;
XG_FN xg_kval *xg_attention_barrier(xg_attention_kernel *w, uint32_t side, xg_attention_state state, xg_kval *buffer);
XG_FN void xg_attention_meet_voters(xg_attention_kernel *w); /* all threads have come so far in the walk */
XG_FN void xg_attention_await_side(
    xg_attention_kernel *w, uint32_t side, xg_attention_state state, xg_kval *turn, int64_t ahead);

/* ---- attention_tensor.c: sums in tensor memory ---- */
XG_FN void xg_attention_refer(xg_attention_kernel *w, xg_kval *const *most); /* changes rows' references */
/* Its parts: what a row's maximum may grow to without that; what changes where maxima become references; what is done
 * there. */
XG_FN xg_kval *xg_attention_may_grow(xg_attention_kernel *w, int64_t half);
XG_FN void xg_attention_refer_flow(xg_attention_kernel *w, xg_flow *f);
XG_FN void xg_attention_refer_rows(xg_attention_kernel *w, xg_kval *const *most);
XG_FN void xg_attention_refer_sums(xg_attention_kernel *w); /* ... and sums that threads have */
enum {
    XG_ATTENTION_MADE,   /* barriers: scores of a step */
    XG_ATTENTION_SUMMED, /* ... and sums; of gradients: dP */
    XG_ATTENTION_DONE,   /* everything */
    XG_ATTENTION_READY,  /* weights, of all threads; of gradients: the place of scores, for what comes next */
    XG_ATTENTION_TAKEN,  /* scores, by all threads; of gradients: the place of dP likewise */
    XG_ATTENTION_LEFT,   /* tensor memory, by all threads: of the first group, for all; before that, what these show */
    XG_ATTENTION_TELLS = 6,  /* barriers of a group, behind those of the buffers; in one walk of gradients one more: */
    XG_ATTENTION_SEEN = 6,   /* scores, by all threads: their place is free */
    XG_ATTENTION_PLACED = 16 /* bytes in which the address of tensor memory is told */
};
XG_FN int64_t xg_attention_tensor_columns(const xg_attention_plan *p);     /* that a block allocates */
XG_FN bool xg_attention_is_ahead(const xg_attention_plan *p);              /* scores are made while weights are */
XG_FN int64_t xg_attention_tells(const xg_attention_plan *p);              /* of all groups */
XG_FN int64_t xg_attention_told(const xg_attention_plan *p, int64_t tell); /* arrivals that one waits for */
/* x times what lies in shared memory, to so many of the group's columns, or with `more` added to these; out: of V. */
XG_FN void xg_attention_tensor_product(
    xg_attention_kernel *w, xg_kval *x, xg_kval *y, int64_t to, int64_t columns, bool out, bool more);
/* Where 16 keys' weights, or a piece of them, lie, of those that begin there. */
XG_FN xg_kval *xg_attention_tensor_weights(xg_attention_kernel *w, int64_t at, int64_t k, int64_t piece);
XG_FN int64_t xg_attention_sums_at(const xg_attention_plan *p); /* the first of their columns */
XG_FN int64_t xg_attention_weights_at(const xg_attention_plan *p);
XG_FN void xg_attention_read_all(xg_attention_kernel *w, int64_t first, int64_t columns, xg_kval ***to);
XG_FN void xg_attention_mask_scores(xg_attention_kernel *w, const xg_elem *bare);
XG_FN void xg_attention_write_back(xg_attention_kernel *w, xg_kval **const *rows, int64_t at, int64_t pieces);
XG_FN xg_kval *xg_attention_cell(xg_attention_kernel *w, int64_t lane, int64_t column, int64_t parts);
XG_FN void xg_attention_write_cells(xg_attention_kernel *w, xg_kval **v, int64_t n);
XG_FN void xg_attention_tell(xg_attention_kernel *w, int64_t tell);
XG_FN void xg_attention_await_tell(xg_attention_kernel *w, int64_t tell, xg_kval *turn, int64_t ahead);
XG_FN void xg_attention_leave_side(xg_attention_kernel *w, uint32_t side, xg_kval *turn);
XG_FN void xg_attention_ask_scores(xg_attention_kernel *w, xg_kval *step, bool grads);
XG_FN void xg_attention_ask_products(xg_attention_kernel *w); /* of all steps */
XG_FN void xg_attention_ask_last(xg_attention_kernel *w);     /* there are no more */
XG_FN void xg_attention_tensor_begin(xg_attention_kernel *w); /* sums are 0 */
/* Sums times numbers, or plus those so many columns on times these. */
XG_FN void xg_attention_shrink(
    xg_attention_kernel *w, int64_t first, int64_t columns, xg_kval *const *by, int64_t apart);
XG_FN void xg_attention_tensor_step(xg_attention_kernel *w, xg_kval *step);
XG_FN void xg_attention_tensor_take(xg_attention_kernel *w); /* all has been summed up */
XG_FN xg_kval *xg_attention_read_by(
    xg_attention_kernel *w, xg_flow *loop, int64_t first, int64_t columns, int64_t *n, xg_kval **to);
XG_FN xg_kval *xg_attention_read_sum(xg_attention_kernel *w, xg_kval *const *from, int64_t half, int64_t c);
XG_FN void xg_attention_tensor_end(xg_attention_kernel *w); /* the memory is given back */

/* ---- attention_walk.c ---- */
XG_FN void xg_attention_walk_of(xg_attention_kernel *w); /* the steps of the block's tile: w->from, w->to */
/* Behind them: the others, if their weights may not be 0. Threads that have no rows ask the others. */
XG_FN void xg_attention_walk_on(xg_attention_kernel *w, bool has_rows);

XG_FN double xg_attention_enough(
    const xg_attention_form *f); /* rows with a larger maximum have no weights of masked keys */
XG_FN xg_kval *xg_attention_least(xg_attention_kernel *w, bool has_rows); /* of all rows' maxima */
XG_FN bool xg_attention_has_inner(const xg_attention_plan *p); /* masks, or the end of keys, are not for all steps */
XG_FN void xg_attention_inner_of(xg_attention_kernel *w);

/* ---- attention_ends.c ---- */
XG_FN xg_kval *xg_attention_paired(xg_attention_kernel *w, xg_kval *const *sums); /* two numbers as a vector */
/* Which columns a thread makes of a row: of every so many eights the own one, and a pair of that. */
typedef struct xg_attention_turns {
    int64_t eights, all; /* of a thread; columns, with what lies behind the last one */
    int64_t apart;
    xg_kval *own, *first, *has; /* own: the share; has: the thread has one; NULL: each has */
    xg_kval *place;             /* in a result's memory: of the row's first one */
} xg_attention_turns;
/* What a thread's row has, in the module's own terms. */
typedef struct xg_attention_ends {
    xg_attention_given given[3]; /* maximum, sum, an element of the second dot */
    uint32_t n;
    xg_kval *factor; /* of the sums in out */
} xg_attention_ends;
/* Two neighbours of a result; row: what makes results of sums; NULL: nothing does. */
XG_FN void xg_attention_write_pair(xg_attention_kernel *w, xg_attention_turns *s, int64_t half, int64_t k,
    xg_kval *const *sums, const xg_attention_ends *row, bool second);
XG_FN void xg_attention_results(xg_attention_kernel *w);

/* ---- attention_emit.c ---- */
XG_FN xg_kop *xg_attention_last(xg_attention_kernel *w);                    /* the last operation so far */
XG_FN xg_kval *xg_attention_wrapped(xg_attention_kernel *w, xg_kval *step); /* the step's place among all */
XG_FN void xg_attention_begin_step(xg_attention_kernel *w, xg_kval *step);  /* which keys it has */
XG_FN xg_kval *xg_attention_shared(xg_attention_kernel *w, xlagpu_type t, int64_t n);
XG_FN void xg_attention_weigh(xg_attention_kernel *w); /* sums to scores to weights */
/* Maxima of a thread's rows, of the halves `from` to `to`, with those of the step. */
XG_FN void xg_attention_peaks(xg_attention_kernel *w, xg_kval **most);
XG_FN void xg_attention_add_up(xg_attention_kernel *w, int64_t half); /* a row's sum += its weights */
XG_FN void xg_attention_all_scores(xg_attention_kernel *w);
XG_FN void xg_attention_open_step(xg_attention_kernel *w, xg_kval *step); /* its keys lie in shared memory then */
XG_FN void xg_attention_bring_walked(xg_attention_kernel *w, xg_kval *step);
XG_FN xg_kval *xg_attention_key(xg_attention_kernel *w, int64_t c); /* a thread's column of the step */
/* The kernel's launch, n results, the stages' functions, and where its threads stand. */
XG_FN xg_attention_kernel *xg_attention_begin(xg_fusion_emission *e, const xg_attention_plan *p, uint32_t n);
XG_FN void xg_attention_stand_rows(xg_attention_kernel *w, xg_kval *block); /* of a thread's halves, from a block on */
XG_FN void xg_attention_steps(xg_attention_kernel *w);
XG_FN xg_kval *xg_attention_after(xg_attention_kernel *w, xg_kval *step); /* the next one */
/* The tile's steps, then, where masks do not say enough, the others. `walk` goes through w->from to w->to. */
XG_FN void xg_attention_walk_all(xg_attention_kernel *w, bool has_rows, void (*walk)(xg_attention_kernel *w));
XG_FN void xg_attention_emit(xg_fusion_emission *e, const xg_attention_plan *p);

/* ---- attention_back_plan.c ---- */
XG_FN int64_t xg_attention_back_second_width(const xg_attention_plan *p); /* columns of further sums */
XG_FN bool xg_attention_is_paired(const xg_attention_plan *p); /* two warps have the same rows: attention_back_pair.c */
XG_FN int64_t xg_attention_side_rows(const xg_attention_plan *p);      /* of a step's operands in shared memory, each */
XG_FN bool xg_attention_back_in_turn(const xg_attention_plan *p);      /* ... through the keys' array, one by one */
XG_FN int64_t xg_attention_back_keys_size(const xg_attention_plan *p); /* of that array */
XG_FN bool xg_attention_back_through_keys(const xg_attention_plan *p); /* both of the tile's operands, to registers */
XG_FN int64_t xg_attention_pair_vectors(const xg_attention_plan *p);   /* that a lane of a pair shows */
XG_FN bool xg_attention_back_plan_of(xg_attention_plan *p, const xg_device *m, const xg_record *given);
XG_FN int64_t xg_attention_back_elements(const xg_attention_form *f); /* of the scores */
XG_FN int64_t xg_attention_back_product_time(
    const xg_attention_plan *p, const xg_device *m); /* of dQ by dS in memory */
/* The same by dots and what stands between them; first: the kernel of dQ, other: that of dK and dV, or NULL. */
XG_FN int64_t xg_attention_back_apart(
    const xg_attention_plan *first, const xg_attention_plan *other, const xg_device *m);

/* ---- attention_back_group.c: by warp groups ---- */
XG_FN xg_attention_product xg_attention_back_product(xg_attention_kernel *w, bool grads); /* scores, or dP */
/* A step's scores, and dP, which is on its way until it is taken. */
XG_FN void xg_attention_back_group_ask(xg_attention_kernel *w, bool grads);
XG_FN void xg_attention_back_group_take(xg_attention_kernel *w);
/* Sums += weights times the step's rows, which are on their way until the end. */
XG_FN void xg_attention_back_group_sum(xg_attention_kernel *w, const xg_attention_summed *o, bool second);
XG_FN void xg_attention_back_group_end(xg_attention_kernel *w);
XG_FN void xg_attention_back_group_kernel(xg_attention_kernel *w, uint32_t n);

/* ---- attention_back_tensor.c: with sums in tensor memory ---- */
XG_FN int64_t xg_attention_back_sums_at(const xg_attention_plan *p, bool second);
XG_FN int64_t xg_attention_back_rows_at(const xg_attention_plan *p); /* of the tile's rows, where they are there */
XG_FN void xg_attention_back_tensor_keep(xg_attention_kernel *w);    /* brings them there */
XG_FN void xg_attention_back_tensor_kept(xg_attention_kernel *w);    /* of the thread that asks: they are there */
XG_FN void xg_attention_back_tensor_take(xg_attention_kernel *w, bool grads); /* scores, or dP */
/* The place of scores, or of dP, has weights that are summed up, or nothing (NULL): the next step's may come there. */
XG_FN void xg_attention_back_tensor_next(xg_attention_kernel *w, const xg_attention_summed *o, bool grads);
XG_FN void xg_attention_back_tensor_walked(xg_attention_kernel *w);
XG_FN void xg_attention_back_ask_step(xg_attention_kernel *w, xg_kval *next);
/* What rows have, of both parts of the keys: maximum, sum, sum over dP, from one of them on. */
XG_FN void xg_attention_back_tensor_share(xg_attention_kernel *w, int64_t first, int64_t end);
XG_FN int64_t xg_attention_back_ends(const xg_attention_plan *p); /* numbers in shared memory for that */

/* ---- attention_back_pair.c: by pairs of warps ---- */
XG_FN void xg_attention_pair_keep(xg_attention_kernel *w);     /* the rows that the dots' walk needs */
XG_FN void xg_attention_pair_products(xg_attention_kernel *w); /* scores and dP of the warp's own keys */
XG_FN void xg_attention_pair_sum(xg_attention_kernel *w);
XG_FN void xg_attention_pair_join(xg_attention_kernel *w); /* dQ's sums of both, of each half of the columns */

/* ---- attention_back_show.c: dS to memory ---- */
XG_FN xg_kval *xg_attention_back_row(xg_attention_kernel *w, int64_t half); /* a thread's, though it be beyond all */
XG_FN void xg_attention_back_show(xg_attention_kernel *w);                  /* a step's dS, if it is a result */

/* ---- attention_back_once.c: dQ in one walk ---- */
XG_FN void xg_attention_once_find(xg_attention_form *f, const xg_inst *weights); /* whether dS is such that it may be */
XG_FN bool xg_attention_once_may(const xg_attention_plan *p);
XG_FN int64_t xg_attention_once_seldom(int64_t steps); /* steps for each that looks for another r0 */
XG_FN void xg_attention_once_carry(xg_attention_kernel *w, xg_flow *f, int64_t half);
XG_FN void xg_attention_back_walk_once(xg_attention_kernel *w);
XG_FN void xg_attention_once_end(xg_attention_kernel *w);
XG_FN xg_kval *xg_attention_once_join(xg_attention_kernel *w, int64_t half, xg_kval *sum, xg_kval *second);

/* ---- attention_back_emit.c ---- */
/* Where an element stands: a thread's row, and its column of the step. */
typedef struct xg_attention_back_spot {
    int64_t half, c;
    xg_kval *exp, *grad; /* NULL: the stage does not ask */
} xg_attention_back_spot;
XG_FN xg_kval *xg_attention_back_real(xg_attention_kernel *w, xg_attention_part part, const xg_attention_back_spot *s);
XG_FN xg_kval *xg_attention_back_weight(/* what a dot takes of it */
    xg_attention_kernel *w, xg_attention_part part, const xg_inst *dot, const xg_attention_back_spot *s);
XG_FN void xg_attention_back_pair_up(xg_attention_kernel *w, int64_t half, int64_t c);
XG_FN xg_attention_summed xg_attention_back_summed(xg_attention_kernel *w, bool second);
XG_FN void xg_attention_back_products(
    xg_attention_kernel *w, bool grads, void (*row)(xg_attention_kernel *w, int64_t half));
XG_FN void xg_attention_back_grads(xg_attention_kernel *w); /* dP is there */
XG_FN void xg_attention_back_delta_row(xg_attention_kernel *w, int64_t half);
XG_FN void xg_attention_back_sum(xg_attention_kernel *w, bool second);
XG_FN void xg_attention_back_leave(xg_attention_kernel *w);
XG_FN void xg_attention_back_walk(xg_attention_kernel *w, void (*body)(xg_attention_kernel *w));
XG_FN void xg_attention_back_carry(xg_attention_kernel *w, xg_flow *f);
XG_FN void xg_attention_back_all(xg_attention_kernel *w, uint32_t n); /* what threads with rows do */
XG_FN void xg_attention_back_vote(xg_attention_kernel *w);            /* on steps that all rows leave out */
XG_FN void xg_attention_back_bounds(xg_attention_kernel *w, bool has_rows);
/* The walk over maxima is over: the next one's votes, and steps, are others. */
XG_FN void xg_attention_back_end_walks(xg_attention_kernel *w);
XG_FN void xg_attention_back_emit(xg_fusion_emission *e, const xg_attention_plan *p);

/* ---- attention_back_pass.c ---- */
XG_FN bool xg_attention_back_fuse(xg_module *m); /* the pass attention-backward-fusion */

/* ---- attention_way.c ---- */
XG_FN bool xg_attention_way_plan(xg_way_job *job, xg_record *r, xg_way_times *times); /* see xg_way */
XG_FN xg_kmodule *xg_attention_way_emit(xg_way_job *job, const xg_record *r, xg_str name);

#endif /* XG_SCHED_ATTENTION_H */
