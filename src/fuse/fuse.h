/* fuse/fuse.h -- which instructions become one kernel, and how one fused computation is cut into functions.
 *
 * Ideas
 * - Fusion decides one thing: which values lie in memory. A kernel makes one of them (or several) and computes whatever
 *   it needs, back to others that lie in memory. So what two kernels compute twice needs no copies while the decision
 *   is open, and what meets again in one kernel is computed once.
 * - Only when all is decided, kernels become fusion instructions (fusions.c). What is left alone is wrapped by wrap.c;
 *   fusions that the module brings are kept. */
#ifndef XG_FUSE_H
#define XG_FUSE_H
#include "../indexing/indexing.h"
#include "../expand/expand.h"

/* ---- wrap.c ---- */
/* wraps what needs a kernel into fusions; true when it changed something */
XG_FN bool xg_fuse_wrap(xg_module *m);
XG_FN bool xg_fuse_hoist_constants(xg_module *m); /* array constants inside fusions become their operands */
XG_FN bool xg_fuse_is_splat(const xg_inst *constant);
/* 32 bits that fill so many bytes as it does; false: none do */
XG_FN bool xg_fuse_pattern(const xg_inst *constant, int64_t bytes, uint32_t *pattern);
XG_FN bool xg_fuse_is_fill(const xg_inst *i, uint32_t *pattern); /* a constant everywhere that needs no kernel */

/* ---- combine_operands.c ---- */
/* arrays that a fusion only combines element by element are combined where one of them is made */
XG_FN bool xg_fuse_combine_operands(xg_module *m);

/* ---- double_buffer.c ---- */
/* two rounds of a loop in one, where that spares copies and the user asks for it */
XG_FN bool xg_fuse_double_buffer(xg_module *m);

/* ---- rematerialize.c ---- */
XG_FN bool xg_fuse_rematerialize(xg_module *m); /* what is made out of nothing is made by its readers */

/* ---- sort_order.c: what order a comparator asks for ---- */
typedef enum xg_sort_form {
    XG_SORT_BY_ELEMENT,
    XG_SORT_BY_ENTRY,
    XG_SORT_BY_KEY,
    XG_SORT_BY_COMPARATOR
} xg_sort_form;
enum {
    XG_SORT_KEYS = 8
};
typedef struct xg_sort_key {
    /* what the comparator compares of its first element, NULL: the element itself (topk) */
    const xg_inst *key;
    uint32_t keyed;   /* of this operand */
    xlagpu_type type; /* the key's */
    bool descending, total;
    int bits; /* as an integer */
} xg_sort_key;
typedef struct xg_sort_order {
    const xg_inst *sort; /* a sort or topk */
    xg_sort_form form;
    xg_sort_key keys[XG_SORT_KEYS]; /* those behind the first are asked where all before are equal */
    uint32_t n_keys;
    bool exact; /* the key tells all about the element */
    int bits;   /* of all keys as one integer; 0: there is none */
    /* in shared memory for each place: what is sorted, and what lies there beside it */
    int64_t entry_bytes, beside_bytes;
} xg_sort_order;
XG_FN xg_sort_order xg_fuse_sort_order(const xg_inst *sort);
XG_FN bool xg_sort_slice_is_of_rows(const xg_inst *slice, uint32_t dim); /* whole rows but for a stretch of dim */
XG_FN bool xg_order_asks_for(const xg_inst *sort, uint32_t k);           /* whether the comparator looks at operand k */
XG_FN int64_t xg_fuse_sort_run(const xg_sort_order *o);                  /* elements that one block sorts */

/* ---- sort_passes.c ---- */
enum {
    XG_SORT_ROW_MAX =
        8192 /* what one block sorts at most: four bytes each in 48 KiB, rounded down to a power of two */,
    XG_TOPK_SELECTED_MAX = 1024
};
XG_FN bool xg_fuse_split_ffts(xg_module *m);  /* fft_passes.c: transforms that no block can hold, as several */
XG_FN bool xg_fuse_ffts(xg_module *m);        /* fft_fusion.c: small transforms that do not wait for each other */
XG_FN bool xg_fuse_split_sorts(xg_module *m); /* sorts of longer rows become passes */
XG_FN bool xg_fuse_topk_splitter(
    xg_module *m); /* the best few of few long rows: of their parts, and of what these have */
XG_FN bool xg_fuse_sort_slices(xg_module *m); /* sort_slices.c: sorts of which parts are taken write those only */
/* sort_networks.c: sorts of short rows of which a few places are taken, as minima and maxima */
XG_FN bool xg_fuse_sort_networks(xg_module *m);
/* whether it is a pass: runs of `from` sorted elements become runs of `to` */
XG_FN bool xg_fuse_sorted_runs(const xg_inst *sort, int64_t *from, int64_t *to);
XG_FN bool xg_fuse_topk_selects(const xg_inst *i);

/* ---- scatter_operands.c ---- */
XG_FN bool xg_fuse_scatter_operands(xg_module *m); /* scatters into constants get memory that is filled before */

/* ---- record.c: how a kernel is made, as backend_config has it ---- */
typedef struct xg_numbers {
    xg_str name;
    uint32_t n;
    const int64_t *p;
    xg_str word; /* instead of numbers */
} xg_numbers;
typedef XG_VEC(xg_numbers) xg_numbers_list;
/* X(field, text): numbers of a launch beside its extents; 0: none.
 *   cluster            blocks that reach each other's shared memory
 *   shared             bytes of shared memory that its form takes
 *   resident           blocks that a multiprocessor is to hold at once: registers of a thread are aimed at by that; 0:
 *                      the code says
 *   scratch, counters  memory beside operands and results: bytes that blocks leave for each other; words that are 0
 *                      when the kernel begins, and when it ends */
#define XG_LAUNCH_NUMBERS(X) \
    X(cluster, "cluster") \
    X(shared, "shared_bytes") X(resident, "resident") X(scratch, "scratch_bytes") X(counters, "counters")
typedef struct xg_launch {
    uint32_t threads[3], blocks[3]; /* threads[0] 0: not decided */
#define X(field, text) int64_t field;
    XG_LAUNCH_NUMBERS(X)
#undef X
} xg_launch;
typedef struct xg_record {
    xg_launch launch;
    xg_numbers_list form; /* by names of the way's own */
    xg_str kind, way;     /* "emitter", "loop" */
    xg_str why;
    uint32_t n_results; /* by result: operands that it may be written over; none at all: not decided */
    const xg_ints *over;
    xg_str backend;            /* that prints it, "ptx" or "llvm"; empty: the compilation's */
    xg_numbers_list estimates; /* by way: picoseconds */
    xg_numbers_list open;      /* walks that its emitter cannot tell apart, until choice/ has: in no text */
} xg_record;
XG_FN const xg_record *xg_record_read(xg_arena *a, const xg_inst *fusion); /* NULL: it has none */
/* The same out of a text that is an order for this fusion; messages name places in `from`. */
XG_FN xg_record *xg_record_read_from(xg_arena *a, const xg_inst *fusion, const xg_source *from, xg_str text);
XG_FN void xg_record_write(xg_inst *fusion, const xg_record *r); /* beside what else its backend_config has */
XG_FN void xg_record_remove(xg_inst *fusion);
XG_FN void xg_record_print(xg_buf *b, const xg_record *r);
XG_FN void xg_record_print_item(xg_buf *b, const xg_numbers *i); /* what it says, without its name */
XG_FN void xg_record_print_way(xg_buf *b, const xg_record *r);   /* what code depends on: way, form, launch */
XG_FN void xg_record_print_list(xg_buf *b, const char *key, const xg_numbers_list *list); /* ,"key":{...} */
XG_FN void xg_record_put(xg_arena *a, xg_numbers_list *to, const char *name, const int64_t *p, uint32_t n);
XG_FN void xg_record_put_word(xg_arena *a, xg_numbers_list *to, const char *name, const char *word);
/* The one number of that name, if there is one, is *p from now on, which stays the caller's. */
XG_FN void xg_record_change(xg_numbers_list *in, const char *name, const int64_t *p);
XG_FN const xg_numbers *xg_record_get(const xg_numbers_list *from, const char *name); /* NULL: it is not there */
/* Records of many fusions, each text read once. Without a record (no kernel is made of it) in_place.c answers. */
typedef struct xg_records {
    xg_arena *arena;
    xg_map64 known; /* by the text's address: equal attributes are interned */
} xg_records;
XG_FN void xg_records_open(xg_records *r, xg_arena *a);
XG_FN const xg_record *xg_records_of(xg_records *r, const xg_inst *fusion);
XG_FN bool xg_records_may_share(xg_records *r, const xg_inst *fusion, uint32_t operand, uint32_t leaf);
XG_FN bool xg_record_is_whole(const xg_record *r); /* it leaves nothing open: way, launch, over */
/* What of an order was not obeyed; NULL: nothing. */
XG_FN const char *xg_record_disobeys(const xg_record *given, const xg_record *made);
XG_FN bool xg_record_may_share(const xg_record *r, uint32_t operand, uint32_t leaf);

/* ---- in_place.c: what a leaf of a fusion's result does with the memory of an operand; the arena is for work ---- */
XG_FN bool xg_fuse_may_share(
    xg_arena *a, const xg_inst *fusion, uint32_t operand, uint32_t leaf); /* it may be written over the operand */
XG_FN bool xg_fuse_may_share_in_walk(
    xg_arena *a, const xg_inst *fusion, uint32_t operand, uint32_t leaf); /* it may if the loop emitter makes it */
/* For each leaf of the result, over[leaf]: the operands that it may be written over; in_walk: by the loop emitter. */
XG_FN void xg_fuse_over(xg_arena *a, const xg_inst *fusion, bool in_walk, xg_ints *over);
/* The same of a fusion of fusions, made in so many parts; members: their records, in the order of xg_fuse_phases. */
XG_FN void xg_fuse_over_phases(
    xg_arena *a, const xg_inst *fusion, int64_t parts, const xg_record *members, xg_ints *over);
/* the operand that it must be written over; -1: none. The operand's contents are there when the kernel starts */
XG_FN int64_t xg_fuse_in_place(xg_arena *a, const xg_inst *fusion, uint32_t leaf);

/* the instruction that gives a leaf of the fusion's result */
XG_FN xg_inst *xg_fuse_leaf(const xg_comp *c, uint32_t leaf);
/* another name for the same elements in the same order */
XG_FN bool xg_in_place_renames(const xg_inst *i);
/* lies in memory from the first to the last, and nothing is made over it */
XG_FN bool xg_fuse_lasts(const xg_inst *i);
/* what its output_to_operand_aliasing says of the leaf, or -1 */
XG_FN int64_t xg_fuse_said(const xg_inst *i, uint32_t leaf);

/* ---- partition.c ---- */
/* A fused computation as functions. Function 0 gives one element per root of the fusion that is near the first (has as
 * many elements), at the indices of the first root; each other function has one instruction as its root, and gives one
 * element per output of it. Every instruction of a function is reached through exactly one indexing map from the
 * function's indices, so it is emitted once; an instruction that is reached through several becomes the root of a
 * function of its own, and code size stays linear. */
typedef struct xg_part {
    xg_inst *root;
    uint32_t size;
} xg_part; /* root NULL: function 0 */
typedef struct xg_partition {
    uint32_t n_insts;
    uint32_t n_roots;
    xg_inst **roots; /* the root, or the operands of a root tuple */
    uint32_t n_parts;
    const xg_part *parts;
    xg_inst **insts;   /* the computation's, in order */
    xg_map64 places;   /* instruction id -> place in insts, plus 1 */
    uint32_t *part_of; /* by place: function it is emitted in; UINT32_MAX: nothing uses it */
    /* by place: the function's indices to its own; NULL for what is emitted wherever it is used */
    const xg_imap **map_of;
    bool *given; /* by place: the caller has its element, what it is made of is not needed; NULL: none */
} xg_partition;
XG_FN xg_partition *xg_fuse_partition(xg_arena *a, xg_aff_ctx *x, const xg_comp *comp);
/* Of one instruction of the computation (NULL: its roots), made of what is given and what else it needs. */
XG_FN xg_partition *xg_fuse_partition_of(
    xg_arena *a, xg_aff_ctx *x, const xg_comp *comp, xg_inst *root, xg_inst *const *given, uint32_t n_given);
/* The same of these roots, at maps from the first one's indices (NULL: of the same place in memory); roots NULL: the
 * computation's. */
XG_FN xg_partition *xg_fuse_partition_at(xg_arena *a, xg_aff_ctx *x, const xg_comp *comp, xg_inst **roots,
    const xg_imap *const *maps, uint32_t n_roots, xg_inst *const *given, uint32_t n_given);
/* Whether all that is made of what is given stands in function 0: one element of each is all that it needs. */
XG_FN bool xg_partition_gives(const xg_partition *p);
XG_FN bool xg_partition_is_near(const xg_partition *p, uint32_t root); /* root 0 and those with as many elements */
/* indices of root 0 to those of a near root at the same place in memory */
XG_FN const xg_imap *xg_partition_root_map(xg_aff_ctx *x, const xg_partition *p, uint32_t root);
XG_FN uint32_t xg_partition_place(const xg_partition *p, const xg_inst *i);
XG_FN bool xg_partition_is_root(const xg_partition *p, uint32_t place); /* of a function other than 0 */
XG_FN void xg_partition_print(xg_buf *b, const xg_partition *p);

/* ---- rounds.c: a whole loop as one kernel ---- */
typedef enum xg_round_kind {
    XG_ROUND_KEPT,
    XG_ROUND_COUNTS,
    XG_ROUND_STACKED,
    XG_ROUND_CARRIED
} xg_round_kind;
typedef struct xg_round_state { /* an element of the loop's state, in one round: before and behind it */
    xg_round_kind kind;
    xg_inst *inst, *next, *init;
    int64_t first, step; /* of one that counts */
    bool covered;        /* of a stacked one: the rounds fill it */
    bool result;
} xg_round_state;
typedef enum xg_round_role { /* in the order in which a round comes to them */
    XG_ROUND_SUM,            /* `given` of `made` by neighbouring lanes */
    XG_ROUND_PIECE,          /* `made` is written by `update` */
    XG_ROUND_NEXT            /* `made` is `given` in the next round; NULL: it says whether there is one */
} xg_round_role;
typedef struct xg_round_value { /* of a thread */
    xg_round_role role;
    uint32_t state; /* to which it belongs, but of a sum */
    xg_inst *given, *made;
    const xg_inst *update;
    /* the thread's indices -> of what is made; of what is given; index of a piece -> of its update */
    const xg_imap *map, *own, *to;
} xg_round_value;
typedef struct xg_rounds {
    xg_arena *arena;
    xg_aff_ctx *aff;
    xg_inst *loop;
    xg_comp *comp; /* a round, at the end of the module: its parameters are those of the fused computation */
    int64_t trips;
    xg_inst *again; /* where that is not known (-1): whether there is another round */
    uint32_t n;
    xg_round_state *state;
    XG_VEC(xg_round_value) values;
    const xg_shape *shape; /* of the threads' indices */
    bool sums;
    XG_VEC(xg_inst *) roots, given;
    XG_VEC(const xg_imap *) maps; /* by root */
    xg_partition *parts;
    XG_VEC(uint32_t) results; /* by result of the fused computation: the element of the state */
    bool *reads;              /* by place: a round finds it in memory by what counts */
} xg_rounds;
/* NULL: a thread would need what others have. */
XG_FN xg_rounds *xg_rounds_open(xg_arena *a, xg_aff_ctx *x, const xg_comp *c);
XG_FN int64_t xg_fuse_trips(const xg_inst *loop); /* known rounds; -1: not known */
XG_FN xg_inst *xg_rounds_loop(const xg_comp *c);  /* the first loop in it; NULL: there is none */
XG_FN bool xg_fuse_loops(xg_module *m);           /* the pass while-loop-fusion */

/* ---- cost.c: what a kernel costs ---- */
/* Bytes: that come from device memory; that the second cache gives, for each walk over an array anew; and the first,
 * for each load. */
typedef struct xg_cost_traffic {
    int64_t memory, asked, loaded;
} xg_cost_traffic;
typedef struct xg_cost {
    const xg_device *device;
    int64_t blocks, written;
    xg_cost_traffic read;
} xg_cost;
XG_FN int64_t xg_cost_blocks(const xg_device *m, int64_t threads); /* that so many elements are worth */
/* neighbours read neighbours; or through shared memory; or each a sector of its own */
typedef enum xg_cost_way {
    XG_COST_NEIGHBOURS,
    XG_COST_TURNED,
    XG_COST_APART
} xg_cost_way;
/* of an array of so many bytes, elements of which are asked for, again where another walk does */
XG_FN xg_cost_traffic xg_cost_read(
    const xg_device *m, int64_t blocks, const xg_shape *s, int64_t reads, int64_t walked, xg_cost_way way);
XG_FN xg_cost_traffic xg_cost_both(xg_cost_traffic a, xg_cost_traffic b);
XG_FN xg_cost_traffic xg_cost_less(xg_cost_traffic a, xg_cost_traffic b);
XG_FN int64_t xg_cost_time(const xg_cost *c, int64_t instructions); /* picoseconds, the launch with it */
XG_FN int64_t xg_cost_step(const xg_inst *i); /* instructions for one step of the loop inside of it */
XG_FN int64_t xg_cost_bytes(const xg_shape *s);

/* ---- kernels.c: the kernels of one computation while they grow ---- */

/* What a kernel reads. The same key and number of sites: at the same indices. */
typedef struct xg_kernel xg_kernel;
typedef struct xg_kernel_input {
    xg_kernel *from;
    uint32_t key;        /* 0: at the kernel's own indices */
    uint32_t sites : 24; /* at how many different indices */
    /* element for element in the order of the kernel; neighbours by neighbours; inside of a contraction */
    uint32_t aligned : 1, coalesced : 1, contracted : 1;
    uint32_t refused : 1;
    uint32_t turn;  /* see xg_access, of all on the way; 0: none */
    uint32_t order; /* in which the walks over it follow each other; equal ones are one walk. 0: that of the kernel */
    int64_t reads;  /* elements, all in all */
    int64_t walked; /* the same, but once of all that one walk reads */
    int64_t gain;   /* of the kernel, if `from` were computed inside of it */
    xg_cost_traffic moved; /* asked -1: not known yet */
} xg_kernel_input;

typedef enum xg_fuse_class {
    XG_FUSE_OTHER,
    XG_FUSE_FREE,
    XG_FUSE_KERNEL
} xg_fuse_class;

/* An instruction, and the kernel that makes it, if there is one. There is one for each instruction at the same time:
 * three cache lines, of which the first two are what is asked of producers and readers again and again while the queue
 * of priority fusion runs, in whatever order that takes them. */
struct xg_kernel {
    xg_inst *inst;
    /* changed in place while producers move in; a caller that may take a change back gives the kernel others */
    xg_kernel_input *inputs;
    XG_VEC(xg_kernel *) readers; /* kernels that read it, and some that did */
    uint32_t n_readers;          /* those that do */
    uint32_t n_inputs, inputs_cap, place;
    /* as a producer, while the queue runs */
    int64_t gain;       /* of computing it in all its readers instead */
    uint16_t n_refused; /* readers that refuse, of XG_FUSE_READERS_MAX at most */
    uint16_t updates;   /* updates of slices in it, as many as can be counted */
    uint32_t ops;       /* size of the code */
    /* the second line */
    uint8_t kind; /* xg_fuse_class */
    bool candidate;
    bool pinned; /* something that is no kernel reads it: it has to lie in memory */
    bool live;   /* a kernel makes it; false: its readers compute it */
    bool shared; /* its kernel computes what another one computes too */
    bool turns;  /* moves the minor dimension: wants tiles in shared memory */
    bool loops;  /* folds windows, or what a hero of another walk folds, element by element */
    bool is_update_in_place : 1;
    bool moves : 1;            /* into the fusion that is being made, which is the only one that computes it */
    bool lasts : 1;            /* xg_fuse_lasts */
    bool is_concatenation : 1; /* as the queue asks again and again: instructions lie elsewhere */
    /* a row program (rows.c): several reductions over the same rows, and what is made of them */
    bool rows : 1;
    uint32_t turn;  /* the way that tiles serve: that of the first input that is turned; 0: of none */
    uint32_t epoch; /* the last walk that met it */
    /* in that walk: the next operand to go to; then, plus 1, how it is read (its place in `seen`). Or the list of
     * inputs that was looked through, and where in it this is */
    uint32_t at;
    uint32_t level; /* greater than that of all that its kernel reads */
    const xg_inst *hero;
    int64_t elements; /* of its root */
    int64_t instructions, blocks, time;
    /* the rest */
    const xg_shape *shape;     /* of inst, which lies elsewhere */
    xg_cost_traffic moved;     /* of all that it reads */
    xg_kernel *leader;         /* of several roots in one kernel: the one that has the figures; itself */
    XG_VEC(xg_kernel *) roots; /* of a leader of several, itself first */
    uint32_t members;          /* operations that it computes, at most: what comes with two producers counts twice */
    uint32_t limit;            /* least level of its users that are no kernels */
};

/* A question that the model of time was asked, and its answer. */
typedef struct xg_cost_asked {
    int64_t blocks, written, instructions, time; /* instructions: -1 where none was asked */
    xg_cost_traffic read;
} xg_cost_asked;
typedef struct xg_kernels {
    xg_module *m;
    xg_comp *comp;
    xg_arena *arena, *lists; /* lists: of inputs, which fusions are not made of */
    uint32_t n, epoch;
    xg_kernel *nodes; /* by place in the computation; an instruction's scratch is its node */
    /* places of what it reads: those of node k from operands_at[k] to operands_at[k + 1] */
    XG_VEC(uint32_t) operands;
    uint32_t *operands_at;
    XG_VEC(xg_kernel *) order, stack, found;
    /* by place, once the queue is empty: those that are live then. None becomes live afterwards */
    XG_VEC(xg_kernel *) kernels;
    XG_VEC(xg_kernel_input) seen; /* while a kernel is walked: how what was met so far is read */
    const xg_kernel *listed;      /* whose inputs were listed, by the last epoch */
    bool forgets;                 /* no change is taken back any more: lists of readers lose those that are gone */
    /* while fusions are made, by place: what has its value in memory, if that is new; its copy in the computation that
     * is being made */
    xg_inst **values, **inner;
    xg_buf *log;
    xg_cost_asked *times; /* the last question of each hash; layers of a model ask the same ones */
    uint32_t times_mask;
    /* arrays of inputs that are free, by the power of two that they have room for; the next one is `from` of the
     * first */
    xg_kernel_input *unused[32];
    xg_device device;
    xg_dict row_forms; /* rows.c, while it runs: its answers, by fingerprint */
} xg_kernels;
enum {
    XG_ROWS_LANES_MAX = 1024 /* threads of a row */,
    XG_FUSE_OPS_MAX = 6000 /* of a kernel */,
    XG_FUSE_PART_MAX =
        1500 /* operations of a function of it; a chain that is cut there would go on as functions of one each */,
    XG_FUSE_BUFFERS_MAX = 96,
    XG_FUSE_READERS_MAX = 64
};
/* every operation a kernel of its own, but what is free */
XG_FN void xg_kernels_open(xg_kernels *g, xg_comp *c);
XG_FN void xg_kernel_bring(const xg_kernel *k);         /* asks for its lines of memory */
XG_FN void xg_kernel_walk(xg_kernels *g, xg_kernel *k); /* the figures of a kernel, from what it computes */
XG_FN xg_kernel_input *xg_kernel_find_input(const xg_kernel *k, const xg_kernel *from);
/* for callers that ask again and again which inputs it has, until it changes */
XG_FN void xg_kernel_list(xg_kernels *g, const xg_kernel *k);
XG_FN bool xg_kernel_is_near(const xg_kernel *a, const xg_kernel *b); /* they walk over the same indices */
XG_FN int64_t xg_kernel_time_with(
    xg_kernels *g, const xg_kernel *c, const xg_kernel_input *in, uint32_t *buffers); /* of c with in->from inside */
/* size of the code of c with in->from inside */
XG_FN uint64_t xg_kernel_ops_with(const xg_kernel *c, const xg_kernel_input *in);
XG_FN xg_kernel_input *xg_kernel_inputs_new(xg_kernels *g, uint32_t n, uint32_t *cap);
XG_FN void xg_kernel_inputs_give(xg_kernels *g, xg_kernel_input *p, uint32_t cap);
XG_FN void xg_kernel_inputs_drop(xg_kernels *g, xg_kernel *k);
XG_FN void xg_kernel_take(xg_kernels *g, xg_kernel *c, xg_kernel *p);       /* c computes p, which is no longer live */
XG_FN bool xg_kernel_computes(const xg_kernel *leader, const xg_kernel *o); /* inside, when it needs it */
XG_FN uint32_t xg_kernel_n_outputs(const xg_kernel *k);

/* ---- permutation.c ---- */
/* In memory order: dims of the operand, and which of them is the result's k-th. */
typedef struct xg_permutation {
    uint32_t rank;
    int64_t dims[XG_RANK_MAX];
    uint32_t from[XG_RANK_MAX];
} xg_permutation;
/* false for what is no permutation of elements, or keeps their order */
XG_FN bool xg_permutation_of(const xg_inst *i, xg_permutation *p);
XG_FN uint32_t xg_permutation_turn(const xg_inst *i);

/* ---- legality.c: what may be in one kernel, whatever it costs ---- */
typedef enum xg_access_kind {
    XG_ACCESS_SAME,
    XG_ACCESS_ALIGNED,
    XG_ACCESS_MOVED,
    XG_ACCESS_LOOP,
    XG_ACCESS_CONTRACTED
} xg_access_kind;
enum {
    XG_TURN_ELSEWHERE = 2
}; /* of what is gathered: neighbours may stay neighbours, but no tile of it serves what turns it before */
/* num/den elements of the operand for one of the result; turn: which way the minor dimension moves, 0 if it stays */
typedef struct xg_access {
    xg_access_kind kind;
    int64_t num, den;
    bool coalesced;
    uint32_t turn;
} xg_access;
XG_FN xg_access xg_fuse_access(const xg_inst *user, uint32_t operand);
XG_FN xg_fuse_class xg_fuse_class_of(const xg_inst *i);
XG_FN bool xg_fuse_absorbs(const xg_inst *user, uint32_t operand);
XG_FN bool xg_fuse_is_hero(const xg_inst *i);
XG_FN bool xg_fuse_is_update_in_place(const xg_inst *i);
/* elements that a loop inside of it reads for one of its result */
XG_FN int64_t xg_fuse_steps(const xg_inst *i);
XG_FN int64_t xg_fuse_window_size(const xg_inst *i); /* elements of one window */
XG_FN int64_t xg_fuse_elements(const xg_inst *i);
/* a contraction inside of windows that do not meet */
XG_FN bool xg_fuse_folds_once(const xg_kernel *p, const xg_kernel *c, const xg_kernel_input *in);
XG_FN bool xg_fuse_unpacks(const xg_inst *w, const xg_kernel *c);
XG_FN bool xg_fuse_is_scale(const xg_kernel *p, const xg_kernel *c);
XG_FN const char *xg_fuse_refusal(const xg_kernel *p, const xg_kernel *c, const xg_kernel_input *in); /* NULL: it may */

/* ---- fusions.c: kernels become fusion instructions ---- */
XG_FN bool xg_kernels_close(xg_kernels *g);

/* ---- multi_output.c ---- */
XG_FN void xg_multi_levels(xg_kernels *g); /* once, before any kernel has several roots */
XG_FN void xg_multi_run(xg_kernels *g);    /* kernels become one kernel of several outputs where that pays */

/* ---- rows.c: row programs ---- */
/* Instructions of which those that depend on reductions are each needed at one index for each (row, column) of one
 * array of rows: a map gives it. */
typedef struct xg_row_form {
    xg_aff_ctx *x;
    int64_t rows, cols;
    uint32_t n, n_reduces, n_stages;
    xg_inst *const *insts; /* in program order */
    xg_map64 places;       /* instruction id + 1 -> place in insts, plus 1 */
    uint32_t *stage;       /* by place: reductions one behind the other; a reduction's own with it */
    /* by place, of what depends on reductions and is needed: (row, column) -> its indices */
    const xg_imap **maps;
} xg_row_form;
XG_FN bool xg_fuse_row_form(xg_row_form *f, xg_arena *a, xg_aff_ctx *x, xg_inst *const *insts, uint32_t n,
    xg_inst *const *roots, uint32_t n_roots); /* x NULL: one of its own */
/* asked once for what is equal; takes back what it allocated */
XG_FN uint32_t xg_row_place(const xg_row_form *f, const xg_inst *i); /* UINT32_MAX: not among them */
/* an element for each column; false: one for each row */
XG_FN bool xg_row_is_wide(const xg_row_form *f, uint32_t place);
/* arrays of one form, of types that partial results may have; numbers narrower than a byte stay with the loop
 * emitter */
XG_FN bool xg_fuse_reduce_has_values(const xg_inst *i);
/* the pass row-fusion: xg_rows_run goes along when priority fusion runs, while kernels are what it knows of them */
XG_FN bool xg_fuse_allow_rows(xg_module *m);
XG_FN void xg_rows_run(xg_kernels *g); /* kernels become row programs where that pays */

/* ---- outer.c: computations that may be made in parts, along the outermost dimension of their results ---- */
enum {
    XG_WHOLE = -1,
    XG_CUT = 1
};
/* how many parts there may be, and by place in program order the dimension that is cut (NULL: not asked); 0: none */
XG_FN int64_t xg_fuse_outer(xg_arena *a, const xg_comp *c, int32_t *dims);
/* the same, and by parameter whether a part needs the same part of it or any */
XG_FN int64_t xg_fuse_outer_params(xg_arena *a, const xg_comp *c, int32_t *params);
/* parts lie one behind the other under any other name, too */
XG_FN bool xg_fuse_outer_in_order(const xg_shape *s);
XG_FN const xg_shape *xg_fuse_outer_shape(
    xg_module *m, const xg_shape *s, int64_t parts); /* of one part; of a tuple, each element's */
XG_FN xg_comp *xg_fuse_outer_part(xg_arena *a, const xg_comp *c, int64_t parts); /* a new computation, of one part */

/* ---- phases.c: fusions of fusions, which one block makes one after the other ---- */
/* by member: how many others it waits for, one behind the other */
typedef struct xg_phase_list {
    uint32_t n, levels;
    const xg_inst **members;
    uint32_t *level;
} xg_phase_list;
XG_FN bool xg_fuse_join_small(xg_module *m);            /* the pass small-kernel-joining */
XG_FN void xg_fuse_mark(xg_inst *fusion, bool phases);  /* by its kind: kCustom is one of these, kLoop none */
XG_FN bool xg_fuse_is_phases(const xg_inst *fusion);    /* it is marked as one */
XG_FN void xg_fuse_check_phases(const xg_inst *fusion); /* fails where one that is marked holds anything else */
XG_FN bool xg_fuse_keeps_phases(const xg_inst *fusion); /* and the pass could have made it */
/* the member that makes a leaf of the result; of others, the fusion itself */
XG_FN const xg_inst *xg_fuse_phase_of(const xg_inst *fusion, uint32_t leaf);
XG_FN xg_phase_list xg_fuse_phases(xg_arena *a, const xg_comp *c);
/* bytes of shared memory for what only members read */
XG_FN int64_t xg_fuse_phases_shared(const xg_comp *c);
/* how many; if more than one, each makes a part of all (outer.c), and by parameter whether it needs one, too */
XG_FN int64_t xg_fuse_phases_blocks(xg_arena *a, const xg_comp *c, int32_t *params);
/* the same for so many parts; 0: it cannot be cut into these */
XG_FN int64_t xg_fuse_phases_parts(xg_arena *a, const xg_comp *c, int64_t parts, int32_t *params);
/* the fusion of one part, in a computation of its own at the end of the module */
XG_FN xg_inst *xg_fuse_phases_part(xg_arena *a, const xg_inst *fusion, int64_t parts, const int32_t *params);

XG_FN int64_t xg_fuse_time(xg_arena *a, const xg_comp *c, int64_t threads); /* picoseconds, by so many threads */

/* ---- priority.c ---- */
XG_FN bool xg_fuse_priority(xg_module *m);

/* ---- fingerprint.c ---- */
/* appends bytes that are equal for computations that do the same; writes over their scratch */
XG_FN bool xg_fingerprint_ignores(xg_attr_key key);               /* it says nothing of what is computed */
XG_FN void xg_fuse_fingerprint_inst(xg_buf *b, const xg_inst *i); /* all but its operands */
XG_FN void xg_fuse_fingerprint(xg_buf *b, const xg_comp *c);
/* the same, whatever the order of instructions, and however arrays are cut into dimensions where that tells nothing */
XG_FN void xg_fuse_fingerprint_kernel(xg_buf *b, xg_arena *a, const xg_comp *c);
XG_FN void xg_fuse_fingerprint_part(
    xg_buf *b, xg_arena *a, xg_inst *const *insts, uint32_t n, xg_inst *const *roots, uint32_t n_roots); /* the same of
instructions in program order; parameters, and what is not among them, count by their shapes, tuples not at all */

/* in_place.c */
XG_FN const xg_inst *xg_in_place_strip(const xg_inst *i);
XG_FN bool xg_in_place_same_shape(const xg_shape *a, const xg_shape *b);

/* permutation.c */
XG_FN bool xg_permutation_equal(const xg_permutation *a, const xg_permutation *b);
XG_FN bool xg_permutation_moves_minor(const xg_permutation *p);

/* legality.c */
XG_FN uint32_t xg_fuse_minor(const xg_shape *s);

/* rows.c */
XG_FN uint32_t xg_row_stage(const xg_row_form *f, const xg_inst *i);
XG_FN const xg_imap *xg_row_map(xg_row_form *f, const xg_shape *s);
#endif /* XG_FUSE_H */
