/* sched/tile.h -- contractions (dot, convolution) as tiles: one rule for every layout, type, prologue and epilogue.
 *
 * Ideas
 * - A contraction is a sum over K of A[batch, m, k] * B[batch, n, k]. Each of the four names stands for a group of
 *   axes: dimensions of the hero's result, or summed ones. A convolution is one as well (implicit GEMM): m runs over
 *   batch and positions, k over window and features; the indexing map gives the place of an input's element, and its
 *   domain says where there is none (padding).
 * - A block of threads computes a tile of the result. It copies a step of K of both operands into shared memory while
 *   it multiplies the previous step (two buffers, one barrier a step); each thread accumulates a smaller tile in
 *   registers, from row and column fragments that it loads 16 bytes at a time.
 * - Where the device has matrix units for the operands' types, warps multiply 16 by 8 elements at a time with them
 *   (tile_unit.c, tile_mma.c); the copies and the epilogue stay the same.
 * - An operand's element is whatever the fusion computes there (elem/elemental.c), and the sums go through shared
 *   memory to the fusion's epilogue, in the order of the result's memory; so the rule knows no opcode.
 * - The plan has everything that the kernel depends on; the estimate in tile_plan.c compares plans.
 * - Where tiles are few and sums long, the blocks of a cluster share a tile: each sums a part of k and sends its sums
 *   to the blocks that own the results, into a place in their shared memory that serves nothing else. One barrier of
 *   the cluster runs at the start, while operands are copied, and one after all sums have been sent. Without room for
 *   such places, each block reads the others' sums instead. Nothing goes through global memory, and there is no second
 *   kernel. Without clusters, or with too small ones, such blocks meet in memory (tile_split.c).
 *
 * Laws: sums are added in the order of k; those of a step's slices in a few chains, those of a cluster in the order of
 * its blocks, those of a split tile in the order of its parts. So results are the same in every run. Atomics only count
 * blocks. */
#ifndef XG_SCHED_TILE_H
#define XG_SCHED_TILE_H
#include "../emit/emit.h"

enum {
    XG_TILE_VARS_MAX = 2 * XG_RANK_MAX + 2, /* of a hero: dimensions of its result, and summed ones */
    XG_TILE_SIDES = 2,
    XG_TILE_PIECES = 3 /* how many bf16 an f32 is split into (dot_algorithm.c) */
};

typedef enum xg_tile_role {
    XG_TILE_B,
    XG_TILE_M,
    XG_TILE_N,
    XG_TILE_K,
    XG_TILE_ROLES
} xg_tile_role;

/* An axis contributes its index times `scale` to variable `of`: a dimension of the hero's result, or, after these, a
 * summed one. */
typedef struct xg_tile_axis {
    int64_t extent, scale, first; /* the variable is first + scale * number */
    uint32_t of;
    const xg_aff *places; /* of K: how many are summed, by the index in the batch; NULL: all */
} xg_tile_axis;
typedef struct xg_tile_group {
    uint32_t n;
    xg_tile_axis axes[XG_TILE_VARS_MAX]; /* outermost first */
    int64_t size;
} xg_tile_group;

typedef struct xg_tile_form {
    const xg_inst *hero;
    xlagpu_type sum;
    uint32_t rank, n_vars;             /* of the hero's result; the same plus the summed dimensions */
    uint32_t operand[XG_TILE_SIDES];   /* the hero's operand with M, and that with N */
    const xg_imap *map[XG_TILE_SIDES]; /* (variables) -> indices of that operand; domain: where an element exists */
    xg_tile_group group[XG_TILE_ROLES];
    bool phased, filled;             /* some of the batch's axes are phases; these have places outside of the result */
    int64_t some_places, all_places; /* in phases K has on average some_places of all_places */
} xg_tile_form;

/* A block's tile is m by n, in steps of k; a thread's, or with matrix units a warp's, is tm by tn. stages: how many
 * steps' operands are in shared memory. */
typedef struct xg_tile_shape {
    int32_t m, n, k, tm, tn, stages;
    int32_t slices;  /* of a step's k: so many groups of threads each have the whole tile and sum one slice */
    bool grouped;    /* wgmma: four warps multiply 64 rows at a time by matrices in shared memory; tm = 16 of a warp */
    bool bulk;       /* tensor copies bring the operands */
    int8_t patch;    /* a patch of the picture serves all places of the window (tile_patch.c), so many in a step */
    int32_t cluster; /* blocks that share the tile and sum a part of k each; 1: one block has it */
    int32_t split;   /* the same for blocks that meet in memory (tile_split.c) */
    /* The operand whose boxes two neighbouring blocks share by multicast (1: the left one, for neighbours along n; 2:
     * the right one, along m; 0: none). With sums in tensor memory each block of a pair has half of the right operand,
     * which matrix units read from both (`cluster` then counts pairs); 3: two such pairs along n also share the left
     * one. */
    int8_t multicast;
    int8_t stays; /* persistent blocks; above 1: so many phases of one box (tile_halo.c) */
    bool stores;  /* tensor stores write the result */
    int32_t halo; /* how many steps one box of the picture serves, all places of a window (tile_halo.c); 0: one */
} xg_tile_shape;
/* A row of a table of shapes, from which variants are derived. For matrix units k is in bytes, equal for every type. */
enum {
    XG_TILE_ROW_GROUPED = 1,
    XG_TILE_ROW_BULK = 2,
    XG_TILE_ROW_PAIRS = 4, /* times 2 or 3: for persistent pairs (tile_pairs.c): what they share */
    XG_TILE_ROW_SUM = 4    /* for plain cores, times the bytes of a sum */
};
typedef struct xg_tile_row {
    int16_t m, n, k, tm, tn;
    uint8_t stages, slices, how;
} xg_tile_row;

/* How threads copy an operand's part of a step: `vector` neighbours along k, or along rows, at a time. */
typedef struct xg_tile_fetch {
    bool along_k;
    bool async;             /* copied asynchronously, unchanged: without registers */
    bool copied;            /* it may be copied so, if the pieces are large enough */
    bool raw;               /* held in registers as in memory, and converted when stored to shared memory */
    bool late;              /* ... or converted as a fragment: shared memory has the bytes of memory */
    bool by_rows;           /* in shared memory the k of a row are contiguous; else the rows of a k */
    bool odd;               /* rows may begin inside a sector */
    bool may_bulk;          /* tensor copies can bring it; `tensor` describes the array */
    xlagpu_type held;       /* of an element in shared memory */
    uint32_t row_dim;       /* the dimension of `boxes` along which the tile's rows lie, if any */
    const xg_inst *from;    /* the source of elements: the operand, or what it was converted from */
    int64_t bytes;          /* of an element in memory */
    int64_t touched;        /* sectors that a warp's loads of single elements touch; 0: those of vectors */
    int64_t vector, beside; /* beside: along k, so many neighbouring threads copy vectors of one row */
    int64_t brick;          /* a thread loads so many neighbours along k and transposes them; else 1 */
    int64_t shift; /* vectors in a sector: each row's threads begin with a whole one (xg_tile_settle_shift); 0: off */
    int64_t turns; /* the same for elements along rows: the period, in rounds of k, of their begins; 0: off */
    int64_t slant; /* additional elements between 16 rows and the next 16 */
    int64_t line;  /* elements in a swizzled line (tile_wgmma.c); 0: rows are a pitch apart */
    int64_t rows, pitch; /* rows of the tile; elements of shared memory from one k, or one row, to the next */
    int64_t vectors, rounds;
    int64_t offset;      /* of the first buffer, in elements */
    int64_t loads, work; /* arrays that an element is computed from, and instructions that compute it */
    int64_t branches;    /* in each round, to find an element's place: its loads are awaited there */
    /* Elements of memory from one row (along k) or k (along rows) to the next, from one batch to the next, and before
     * the first. row_pitch 0: not known. */
    int64_t row_pitch, batch_pitch, first_row;
    xg_kmap tensor;
    /* (variables) -> the dimensions of `tensor` at which a box of a picture begins (tile_box.c). NULL: the dimensions
     * are rows, k and batch. */
    const xg_imap *boxes;
    const xg_imap *first, *map; /* xg_tile_fetch_map: of all steps; of those after the first */
} xg_tile_fetch;

/* A row program that follows the product: see tile_rows.c. */
enum {
    XG_TILE_ROWS_VALUES = 4,        /* of the product that the program may read */
    XG_TILE_ROWS_COLUMNS_MAX = 1024 /* of a tile with all columns: two steps of more would not fit into shared memory */
};
typedef struct xg_tile_rows {
    xg_rows *program;
    /* The partitions of the operands, of each value computed from the product, and of the program that reads these. */
    const xg_partition *operands, *value[XG_TILE_ROWS_VALUES], *behind;
    int64_t rows; /* of a block, which has all their columns */
    bool fits;    /* the shape suits the program */
} xg_tile_rows;

/* A patch of pixels that a tile's positions read, from the first one's first to the last one's last: see
 * tile_patch.c. */
typedef struct xg_tile_patch {
    const xg_inst *source; /* the picture, a parameter */
    xg_tile_role of;       /* positions are the tile's rows (M), or its k */
    const xg_imap *map;    /* (axes, by role) -> offset of the element; domain: where one exists */
    const xg_imap *sees;   /* (axes of positions, of places) -> (); domain: where a pixel exists */
    int64_t places;        /* of the window; 0: there are no patches */
    int64_t together;      /* places of a step: one, or those of a line */
    int64_t part, parts;   /* channels of a patch; how many patches follow each other, if positions are rows */
    int64_t apart;         /* elements from one pixel to the next; `stride`: pixels between neighbouring rows */
    int64_t stride;
    int64_t first, channel;                                       /* the place of the first position's pixel */
    const xg_aff *base;                                           /* (axes of the batch) -> additional elements */
    int64_t by_row[XG_TILE_VARS_MAX], by_place[XG_TILE_VARS_MAX]; /* pixels, by axis of positions, of places */
    int64_t pixels, vectors, rounds; /* of a patch; rounds: in which all threads copy it, */
    int64_t each;                    /* each: of these, how many come with a step */
} xg_tile_patch;

/* What one warp executes in a step, and its clocks alone. late: those that the first step lacks, whose latency of
 * memory is counted with the block. */
typedef struct xg_tile_work {
    int64_t issued, multiplied, passes, clocks, late;
} xg_tile_work;
enum {
    XG_TILE_HALO_PHASE = 3, /* a dim */
    XG_TILE_SCALES = 2,     /* a zero point and a scale */
    XG_TILE_TABLE = 16      /* numbers of which elements of 4 bits choose */
};
/* A number is subtracted from what bytes are, or multiplies it; (variables) -> its indices. */
typedef struct xg_tile_scale {
    const xg_inst *op, *number;
    const xg_imap *map;
} xg_tile_scale;
struct xg_tile_pack;          /* tile_pack.h */
typedef struct xg_tile_plan { /* the most read members come first */
    xg_tile_shape shape;
    int32_t unit;           /* xg_kmma, or XG_TILE_NO_UNIT */
    xlagpu_type held;       /* of operands' elements in shared memory */
    xg_tile_role pixels_of; /* of boxes of a picture: M or K */
    bool on_processor;      /* a host's processor: lanes are a fragment's elements, and shared memory has no banks */
    bool may_group;         /* wgmma takes such elements ... */
    bool in_tensor;         /* ... or rather tcgen05: grouped shapes have their sums in tensor memory (tile_tensor.c) */
    bool bulk;              /* `producers` bring both operands by tensor copies */
    int64_t threads, blocks;
    int64_t steps; /* of a block */
    int64_t parts; /* of the tile's rows, which go through the epilogue one after the other */
    /* Places of the window that views of a box of a convolution's picture serve, or 0 (tile_halo.c). */
    int64_t halo;
    int64_t out_vector; /* elements of the result that a thread stores at a time ... */
    xg_tile_form form;
    bool skips;     /* phases have no steps for places that they lack (tile_limit.c) */
    bool may_store; /* tensor stores can write the result, which `result` describes; its argument is the first root's */
    bool crossed;   /* on plain cores: a lane's lowest bit belongs to its column, the next one to its row */
    bool reads;     /* the epilogue reads memory */
    int64_t mean;   /* of `steps`, on average */
    int64_t pixels; /* positions of a box of a convolution's picture; 0: the operand is a matrix */
    int64_t out_most;        /* as out_vector, if it can load so many at a time */
    int64_t all_steps;       /* of all blocks of a tile together */
    int64_t longest;         /* see xg_cost_counts */
    int64_t n_sums;          /* of a thread: scalars, or vectors of `lanes` */
    int64_t quad, quad_n;    /* contiguous elements of a fragment of rows, of columns */
    int64_t lanes;           /* columns of a thread whose sums are one value: a processor's vector, a pair; else 1 */
    int64_t producers;       /* additional threads that issue tensor copies */
    bool alone;              /* tiles are not shared by blocks that meet in memory */
    const xg_device *device; /* xg_tile_choose_unit */
    int64_t resident;        /* the number of blocks a multiprocessor is to hold; 0: as many as fit */
    int64_t grid;            /* launched blocks: one for each tile, or, if persistent, as many as run at a time */
    int64_t chains;          /* with matrix units: a step's k in so many parts with sums of their own */
    int64_t deep;      /* ...: fragments of k that are loaded together: two if those of the right side are bytes */
    int64_t out_pitch; /* elements from a row of such a part to the next, in shared memory */
    int64_t out_slant; /* on plain cores: additional elements between `quad` rows and the next ones */
    int64_t warps_n, lanes_n; /* of the threads of a slice, along n */
    int64_t rows, columns;    /* threads of a slice, along m and n */
    int64_t tiles[XG_TILE_SIDES], batch, group_rows;
    int64_t idle;   /* blocks beyond `blocks`: the worst case of a ragged-dot's groups needs them, too */
    bool adds;      /* the epilogue reads an array of the result's size, which is not cached */
    int64_t ends;   /* instructions of the epilogue for an element */
    int64_t shared; /* elements of shared memory */
    /* The right side's bytes, what numbers do to them, the last first (none: there are no bytes), and the result of
     * all; scale_run: how many consecutive k have the same numbers. See tile_scale.c. */
    const xg_inst *scaled, *product, *table; /* the numbers that bytes choose; NULL: they are themselves */
    const xg_imap *scaled_map, *product_map;
    xg_tile_scale scales[XG_TILE_SCALES];
    int64_t n_scales, scale_run;
    const struct xg_tile_pack *pack; /* NULL: no elements of 4 bits are packed */
    int64_t halo_across;             /* as `halo`, of the right side, or 1 (xg_tile_halo_cross) */
    /* Such a box's lines with border, and those from eight positions to the next eight. */
    int64_t halo_lines[XG_TILE_SIDES], halo_pitch[XG_TILE_SIDES];
    int64_t halo_moves[XG_TILE_SIDES][XG_TILE_VARS_MAX]; /* lines, by the window's axes */
    /* 1 and the variable of the pixels' columns, if rows may meet pixels one column before, too; how many lines before
     * they lie, where the box has that column; else 0. See xg_tile_halo_lead. */
    int64_t halo_column, halo_lead;
    int64_t halo_kinds, halo_strides[XG_TILE_VARS_MAX]; /* of such boxes, one for each place below a stride */
    int64_t halo_phases;                                /* that may have one box ... */
    const xg_aff *halo_phase; /* ..., in which that in dim XG_TILE_HALO_PHASE lies so many lines further on */
    bool halo_turned;         /* the first phase has more places than the last one, and comes last */
    /* ... from the first of its positions to the next sixteen */
    int64_t halo_at[XG_TILE_SIDES][(int)XG_KTENSOR_M / (int)XG_KMMA_M];
    xg_tile_patch patch;
    xg_heroes heroes;
    xg_tile_rows *rows_behind; /* NULL: no row program follows */
    int64_t picoseconds;       /* by the estimate */
    xg_tile_work work;         /* of the shape without sharing; its steps, blocks, sectors: see xg_tile_look */
    int64_t alone_steps, alone_blocks, sectors;
    int64_t roof;  /* picoseconds of the memory traffic that every shape has */
    uint64_t vain; /* a bit for each shape that is too slow however it is shared; kept for plans in more parts */
    xg_kmap result;
    const xg_imap *result_boxes; /* ... as `boxes` of a fetch; NULL: the result is a matrix */
    xg_tile_fetch fetch[XG_TILE_SIDES];
} xg_tile_plan;

/* ---- tile_form.c ---- */
XG_FN bool xg_tile_form_of(xg_tile_form *f, xg_aff_ctx *x, const xg_inst *hero); /* false: it is no such sum */
XG_FN bool xg_tile_is_wide(const xg_tile_form *f);                               /* of more than one row and column */
/* The same sum with phases of positions as axes of the batch: see there. */
XG_FN void xg_tile_form_phases(xg_tile_form *f, xg_aff_ctx *x);
XG_FN int64_t xg_tile_group_size(const xg_tile_group *g);
/* Of a convolution's elements that are read one by one: along k or along rows; at: (row, k, ..) -> an element. */
XG_FN void xg_tile_choose_way(const xg_tile_plan *p, xg_tile_fetch *t, const xg_imap *at);
/* The hero's variables at linear indices by role (NULL: 0), under the ranges of env. */
XG_FN void xg_tile_variables(const xg_tile_form *f, xg_aff_env *env, const xg_aff *const *linear, const xg_aff **vars);
/* ... as a map's results, the first ones of them; under its own ranges. */
XG_FN void xg_tile_set_variables(const xg_tile_form *f, xg_aff_ctx *x, xg_imap *m, const xg_aff *const *linear);

enum {
    XG_TILE_NO_UNIT = -1,
    XG_TILE_ACCESS_BYTES = 16, /* the widest access of a thread */
    XG_TILE_CPU_BYTES = 64,    /* ... on a host's processor: a line of its cache */
    XG_TILE_WORD_BYTES = 4,
    XG_TILE_PAIR = 2,             /* sums of f32 that one instruction adds to, where the device has it (tile_emit.c) */
    XG_TILE_REGISTERS = 64 << 10, /* of a multiprocessor */
    XG_TILE_OWN_REGISTERS = 40,   /* of a thread beside sums, fragments and what is on its way */
    XG_TILE_FEW_REGISTERS = 28,   /* ... on plain cores */
    XG_TILE_PLAIN_STAGES = 2,     /* of plain cores */
    XG_TILE_CPU_STAGES = 1,       /* of a host's processor, which makes one thread after the other */
    XG_TILE_WIDE_RATE = 32,       /* lanes a clock of a processor that has wide registers */
    XG_TILE_UNROLL_SUMS = 128,    /* multiply-adds that are written out: addresses and the loop are then 4 % of them */
    XG_TILE_UNROLL = 4,           /* steps of k that are written out at least */
    XG_TILE_MANY_SUMS = 64,       /* of a thread, which fills its registers with them: of so large products ... */
    XG_TILE_UNROLL_MANY = 16,     /* ... so many: 1,000 instructions, of which the loop would be 2 % */
    XG_TILE_CPU_UNROLL = 8,       /* ... of vectors: 16 take LLVM a fifth longer, and 3 % of the products' time less */
    XG_TILE_SLICES_LATE = 4,      /* up to here the epilogue reads each slice's sums */
    XG_TILE_UNIT_READ_CYCLES = 4, /* of shared memory, for 16 bytes to each of 32 lanes */
    XG_TILE_UNIT_READ_LATENCY = 33, /* clocks from ldmatrix to its fragment */
    XG_TILE_UNIT_SCHEDULERS = 4,    /* of a multiprocessor: each has a quarter of its unit */
    XG_TILE_UNIT_BITS = 8,          /* of the smallest elements that units take */
    XG_TILE_STEP_CYCLES = 60        /* of a step beside its arithmetic: barrier and addresses */
};

/* ---- tile_unit.c ---- */
XG_FN bool xg_tile_is_moved(const xg_inst *i);         /* its elements are those of a parameter, unchanged */
XG_FN const xg_inst *xg_tile_narrow(const xg_inst *i); /* what it was made of by conversions that keep each value */
XG_FN bool xg_tile_holds(xlagpu_type from, xlagpu_type to); /* each value of `from` is one of `to` */
/* The unit for elements of these types, whose sums are floats; *held: what they are converted to. */
XG_FN int32_t xg_tile_float_unit(xlagpu_type a, xlagpu_type b, const xg_device *m, xlagpu_type *held);
/* Which unit multiplies the operands' elements, and what lies in shared memory for it: sets unit, held, from. */
XG_FN void xg_tile_choose_unit(xg_tile_plan *p, const xg_record *given, const xg_device *m);
XG_FN const xg_tile_row *xg_tile_unit_row(const xg_tile_plan *p, size_t k); /* NULL behind the last */
/* Of what goes through shared memory to the epilogue: sums, or the hero's elements where one thread has whole sums. */
XG_FN xlagpu_type xg_tile_shown_type(const xg_tile_plan *p);
XG_FN bool xg_tile_unit_settle(xg_tile_plan *p, const xg_tile_shape *s, const int64_t *vectors);
XG_FN void xg_tile_unit_fetch(xg_tile_plan *p, uint32_t side, int64_t vector);
XG_FN bool xg_tile_unit_by_words(const xg_tile_plan *p, uint32_t side); /* fragments are read word by word */
XG_FN bool xg_tile_is_across(const xg_tile_plan *p, uint32_t side);     /* a k's rows lie side by side, as bytes */
XG_FN int64_t xg_tile_unit_registers(const xg_tile_plan *p, const xg_device *m); /* of a thread */
XG_FN int64_t xg_tile_unit_resident(const xg_tile_plan *p, const xg_device *m);
XG_FN int64_t xg_tile_unit_rate(const xg_tile_plan *p, const xg_device *m); /* multiply-adds in a thousand cycles */
XG_FN int64_t xg_tile_unit_each(const xg_tile_fetch *t);                    /* bytes of an element in shared memory */
XG_FN int64_t xg_tile_unit_reads(const xg_tile_plan *p);                    /* fragments that a warp reads in a step */
XG_FN int64_t xg_tile_put_passes(const xg_tile_plan *p);  /* of shared memory, to write a step's operands */
XG_FN int64_t xg_tile_unit_issue(const xg_tile_plan *p);  /* instructions of a warp that bring its part of a step */
XG_FN int64_t xg_tile_patch_issue(const xg_tile_plan *p); /* ... those that find rows in a patch */
XG_FN bool xg_tile_unit_reads_ahead(
    const xg_tile_plan *p); /* fragments of the next k, in front of this one's products */
XG_FN bool xg_tile_unit_reads_in_place(const xg_tile_plan *p); /* ... or each where one is read no more */
XG_FN int64_t xg_tile_unit_times(const xg_tile_plan *p); /* that a warp reads fragments in a step, of all chains */
XG_FN bool xg_tile_unit_carries(const xg_tile_plan *p);  /* fragments from step to step */
XG_FN int64_t xg_tile_unit_cycles(const xg_tile_plan *p, const xg_device *m, int64_t blocks);
XG_FN int64_t xg_tile_buffer(const xg_tile_plan *p, uint32_t side); /* elements of one step's operand */

/* ---- tile_time.c ---- */
XG_FN int64_t xg_tile_arithmetic(xlagpu_type sum);           /* multiply-adds of f32 that take as long as one */
XG_FN int64_t xg_tile_unrolled(const xg_tile_plan *p);       /* steps of k that are written out */
XG_FN int64_t xg_tile_cluster_clocks(const xg_tile_plan *p); /* that blocks of a cluster take for each other's sums */
XG_FN bool xg_tile_hangs_over(const xg_tile_plan *p);        /* tiles at the edges are not full */
XG_FN int64_t xg_tile_epilogue_clocks(const xg_tile_plan *p, const xg_device *m);
XG_FN bool xg_tile_unit_meets(const xg_tile_plan *p, uint32_t side); /* stores of a side meet in banks */
/* With mma.sync; or `most`, where it is no less. */
XG_FN int64_t xg_tile_unit_time(const xg_tile_plan *p, const xg_device *m, int64_t out_bytes, int64_t most);
XG_FN int64_t xg_tile_bulk_time(const xg_tile_plan *p, const xg_device *m, int64_t out_bytes,
    int64_t most); /* of tensor copies, with wgmma or in pairs */
/* With tcgen05, of single blocks; or `most`, where it is no less. */
XG_FN int64_t xg_tile_tensor_time(const xg_tile_plan *p, const xg_device *m, int64_t out_bytes, int64_t most);
XG_FN bool xg_tile_in_cycles(const xg_tile_plan *p); /* the estimate is by xg_tile_unit_cycles */
/* What a step takes at least, into `work`; and by it whether a shape can be better than `most` at all. */
XG_FN void xg_tile_look(xg_tile_plan *p, const xg_device *m);
XG_FN bool xg_tile_may_take(const xg_tile_plan *p, const xg_device *m, int64_t sharers, bool split, int64_t most);
XG_FN int64_t xg_tile_empty(const xg_device *m); /* picoseconds of an empty kernel, beside its launch */
XG_FN int64_t xg_tile_roof(const xg_tile_plan *p, const xg_device *m, int64_t out_bytes);
XG_FN int64_t xg_tile_plain_resident(const xg_tile_plan *p, const xg_device *m);
XG_FN int64_t xg_tile_plain_time(const xg_tile_plan *p, const xg_device *m, int64_t out_bytes);
XG_FN int64_t xg_tile_cpu_time(const xg_tile_plan *p, const xg_device *m);

XG_FN bool xg_tile_is_quicker(const xg_tile_plan *p, const xg_device *m); /* of little work: than a loop */

/* ---- tile_shapes.c ---- */
XG_FN const xg_tile_row *xg_tile_plain_row(const xg_tile_plan *p, int64_t bytes, size_t k);

/* ---- tile_plan.c ---- */
XG_FN bool xg_tile_is_paired(const xg_tile_plan *p); /* tile_emit.c */
XG_FN int64_t xg_tile_slice_lanes(const xg_tile_plan *p);
XG_FN int64_t xg_tile_part_size(const xg_tile_plan *p); /* elements of shared memory for a slice's part of the tile */
XG_FN int64_t xg_tile_over(int64_t a, int64_t b);       /* a / b, rounded up */
XG_FN int64_t xg_tile_power(int64_t n);                 /* the largest power of two that divides it */
XG_FN bool xg_tile_is_worth(const xg_tile_form *f); /* it is large enough, and has rows and columns, or a long sum */
XG_FN int64_t xg_tile_terms(const xg_inst *conv);   /* products that an element of its result is a sum of */
XG_FN bool xg_tile_few(const xg_inst *hero);        /* a convolution in groups, each of few features of the result */
XG_FN int64_t xg_tile_loop_time(
    const xg_tile_plan *p, const xg_device *m); /* picoseconds by a thread for each element */
XG_FN bool xg_tile_plan_of(
    xg_tile_plan *p, const xg_fusion_emission *e, const xg_device *m); /* of zeros; false: by other means */

/* What depends on the order of rows and k, and the shape. */
XG_FN void xg_tile_plan_order(xg_tile_plan *p, const xg_fusion_emission *e, const xg_device *m, int64_t out_bytes);
XG_FN bool xg_tile_is_sure(const xg_tile_form *f); /* so large that nothing else is compared */
/* The parts of a plan, for others that estimate: how operands are brought; the best tile, of all sizes as they are. */
XG_FN void xg_tile_choose_fetch(xg_tile_plan *p, xg_aff_ctx *x, const xg_device *m, uint32_t side);
/* The shape of the least time among those that a record, if one is given, allows. */
XG_FN void xg_tile_choose(xg_tile_plan *p, const xg_record *given, const xg_device *m, int64_t out_bytes);

XG_FN void xg_tile_settle_all(xg_tile_plan *p); /* what follows from the tile's extent alone */
XG_FN int64_t xg_tile_grid(const xg_tile_plan *p, const xg_device *m);
XG_FN int64_t xg_tile_cluster_blocks(const xg_tile_plan *p); /* of a cluster; 0: blocks are alone */
/* How the threads of all blocks of a cluster walk over rows of so many columns, vector by vector. */
typedef struct xg_tile_walk {
    int64_t threads, vector, line; /* elements of a vector; vectors of a row */
    int64_t columns, rows, rounds; /* of a round, in vectors; rounds */
} xg_tile_walk;
XG_FN xg_tile_walk xg_tile_walk_of(const xg_tile_plan *p, int64_t rows, int64_t columns);
/* Blocks of a cluster hand their sums on: each thread to the one that makes results of them. */
typedef struct xg_tile_inbox {
    int64_t vectors, owners, own, rounds; /* of a round; blocks that have some; of each; rounds */
    int64_t size;                         /* elements of shared memory; 0: blocks read each other's sums */
} xg_tile_inbox;
XG_FN xg_tile_inbox xg_tile_inbox_of(const xg_tile_plan *p);

/* (row / lanes, k / lanes, lane, batch) -> offset of the source's element, when lanes run along k, or along rows. */
XG_FN const xg_imap *xg_tile_probe(
    const xg_tile_form *f, xg_aff_ctx *x, uint32_t side, const xg_imap *to, const xg_shape *s, bool along_k, int64_t n);
/* Of a map to offsets, whose dim `lane` counts neighbours: 2 they lie in one aligned vector; 1 side by side; else 0. */
XG_FN int xg_tile_contiguous(xg_aff_ctx *x, const xg_imap *m, uint32_t lane, int64_t lanes);

/* The same of the result: (row, column / lanes, lane, batch). */
XG_FN const xg_imap *xg_tile_out_probe(const xg_tile_form *f, xg_aff_ctx *x, const xg_shape *root, int64_t n);

XG_FN bool xg_tile_is_hero(void *data, const xg_inst *i, bool first); /* see xg_heroes_find; in tile_form.c */

/* ---- tile_rows.c: row programs behind products; a small build has none ---- */
XG_FN bool xg_tile_has_rows(const xg_tile_plan *p);                         /* there is one behind this product */
XG_FN bool xg_tile_rows_find(xg_tile_plan *p, const xg_fusion_emission *e); /* sets rows_behind, form */
XG_FN const xg_tile_row *xg_tile_rows_row(const xg_tile_plan *p, size_t k, xg_tile_row *r); /* NULL behind the last */
XG_FN bool xg_tile_rows_may(const xg_tile_plan *p, const xg_tile_shape *s); /* a shape is worth a closer look */
XG_FN void xg_tile_rows_settle(xg_tile_plan *p);          /* by the shape, which may turn out not to suit it */
XG_FN int64_t xg_tile_rows_bytes(const xg_tile_plan *p);  /* of shared memory, beside p->shared */
XG_FN int64_t xg_tile_rows_clocks(const xg_tile_plan *p); /* of a block, behind the last step */
/* ---- tile_rows_pass.c: two fusions, a product and a row program that reads it, as one ---- */
typedef struct xg_behind {
    xg_inst *product, *rows;
    xg_arena *arena;
    bool keeps; /* the product is read elsewhere, too */
    xg_comp *to;
    xg_inst **outside;
    xg_map64 copies; /* by instruction id + 1 */
} xg_behind;
/* Of product, rows and arena: the fusion of both, read by none yet; NULL: one instruction cannot stand for both. */
XG_FN xg_inst *xg_behind_make(xg_behind *j);
XG_FN void xg_behind_unmake(xg_behind *j, xg_inst *fusion);
XG_FN void xg_behind_give(xg_behind *j, xg_inst *fusion); /* in the place of both, which are gone then */
XG_FN int64_t xg_behind_apart(
    const xg_behind *j, const xg_record *r); /* what a kernel of the rows takes by its record */

/* ---- dot_algorithm.c ---- */
XG_FN bool xg_tile_dot_algorithm(xg_module *m); /* the pass dot-algorithm-rewriter */

/* ---- byte_rows.c ---- */
XG_FN bool xg_tile_byte_rows(xg_module *m); /* the pass byte-operand-transposer */

/* ---- conv_columns.c ---- */
XG_FN bool xg_tile_conv_columns(xg_module *m); /* the pass convolution-to-columns */
/* ---- conv_layouts.c ---- */
XG_FN bool xg_tile_conv_layouts(xg_module *m); /* the pass convolution-layouts */

/* ---- split_k.c ---- */
XG_FN bool xg_tile_split_k(xg_module *m);        /* the pass split-k */
XG_FN bool xg_grouped_fusion_pass(xg_module *m); /* grouped.c: the pass grouped-contraction-fusion */
/* x with dimension `dim` as so many parts of equal length */
XG_FN xg_inst *xg_split_operand(const xg_hb *b, xg_inst *x, uint32_t dim, int64_t parts);
/* the dimensions' new numbers; with `more`, the parts behind them */
XG_FN xg_ints xg_split_dims(xg_arena *a, xg_ints d, uint32_t dim, bool more);

/* ---- tile_bring.c ---- */
/* The dims of maps that say what a thread brings: its row and k (of the units of a fetch: vectors in their direction),
 * rounds along rows and along k, lane of the vector; step, tile, batch. */
enum {
    XG_TILE_ROW,
    XG_TILE_KS,
    XG_TILE_ROW_ROUND,
    XG_TILE_K_ROUND,
    XG_TILE_LANE,
    XG_TILE_STEP,
    XG_TILE_TILE,
    XG_TILE_BATCH,
    XG_TILE_FETCH_DIMS
};
/* To the operand's indices, of the steps from `first` on. */
XG_FN const xg_imap *xg_tile_fetch_map(const xg_tile_plan *p, xg_aff_ctx *x, uint32_t side, int64_t first);
XG_FN int64_t xg_tile_lead(const xg_tile_plan *p); /* so many elements along k the first step has less than others */
/* Whether the threads of a row begin with a sector, up to a sector further on, where the row does not; those of the
 * last round go on at the step's beginning. So all instructions but that one touch whole sectors. */
XG_FN void xg_tile_settle_shift(xg_tile_plan *p, uint32_t side);
XG_FN void xg_tile_settle_turns(xg_tile_plan *p, uint32_t side); /* before it */
/* Whether the guards of a map say the same of all lanes of a vector. */
XG_FN bool xg_tile_lanes_agree(xg_aff_ctx *x, const xg_imap *m, int64_t lanes);

/* Arithmetic of places that was made before: op of a and b or by n; APPLY: an expression of one value that counts n. */
typedef struct xg_tile_made {
    xg_kopcode op;
    const xg_aff *e;
    int64_t n;
    const xg_kval *a, *b;
    xg_kval *v; /* NULL: it is made now */
} xg_tile_made;
enum {
    XG_TILE_MADE = 64 /* that are remembered: a power of two */
};
typedef struct xg_tile_kernel {
    xg_scope s;
    xg_fusion_emission *e;
    const xg_tile_plan *p;
    xg_kval *shared;
    xg_kval *thread;
    xg_kval *batch, *tile[XG_TILE_SIDES]; /* of a ragged-dot tile[0] is the first row */
    xg_kval *begin;                       /* steps that the block has done in tiles before this one */
    xg_kval *step, *own[XG_TILE_SIDES], *place[XG_TILE_SIDES][2]; /* see xg_tile_threads */
    int64_t from;   /* elements of `out` in front of the chunk that threads copy */
    xg_kval *all;   /* tiles of all blocks that stay; NULL: as many as the plan says */
    xg_kval *steps; /* of the block's sums */
    xg_kval *some;  /* whether there are any, where some have none; else NULL */
    xg_kval *rank;  /* of the block in its cluster; NULL: there is none */
    xg_kval *share; /* ..., or among others that have the tile */
    /* Of such: the block's number; what they leave for the last one, in memory; counters; how many have come, in shared
     * memory. */
    xg_kval *block, *scratch, *counters, *count;
    xg_kval **peers;   /* by rank: the sums that a block of the cluster shows, or where they are handed to it */
    xg_kval *inbox;    /* in shared memory: what the blocks of the cluster have handed to this one; NULL: they do not */
    xg_kval *barriers; /* in shared memory: tile_bulk.c */
    xg_kval *out;      /* the same, of results on their way: tile_store.c */
    xg_kval *pair;     /* of the two that share a side, the block's number */
    xg_kval *next;     /* of two pairs, its pair's number */
    xg_kval *turn;     /* tiles that the block has done before this one */
    xg_kval *shown;    /* ...: of boxes for all phases; whether this tile is the first of its box, */
    xg_kval *fresh, *last; /* ...: or the last one; NULL: tiles have boxes of their own */
    xg_kval *memory;       /* the address of the block's tensor memory; before it is known, where it will stand */
    xg_kval *picture;      /* the number of the box of the picture among all of the block, */
    xg_kval *view;         /* and of the window's place that it is read for (tile_halo.c) */
    xg_kval *pictures;     /* the number of the boxes of all kinds that it is one of, */
    int64_t kind;          /* and its own */
    xg_kval *taken; /* a barrier to tell when the sums have been taken of which the last ones are next; else NULL */
    int64_t team;   /* the barrier of the threads that multiply, if these are not all; else 0 */
    bool looping;   /* what is brought is no more the first step */
    xg_kval *slice; /* of a step's k, that the thread sums up */
    /* Of a patch: its parameter, flat; the first position's pixel, how much further on the patch begins, its channels;
     * the lane's k in a fragment; what its half of a warp adds to a row; pixels and channels that the batch adds. By
     * fragment: where its row lies, the bits of its places or the numbers of its place. */
    xg_kval *flat, *first_pixel, *shift, *channel, *now, *deep, *half, *base[2], **views, **masks;
    xg_kval *quarter, *column; /* of the thread's lane; of its warp among those along n */
    /* By matrix of the warp's right side: what its columns are multiplied by, or less, as words (of f32: numbers);
     * NULL: by nothing. As numbers, which are read a step before they are words: nobody waits for them then. */
    xg_kval **scale, **numbers;
    bool computes;           /* numbers are what is loaded for them, and not yet what comes of it */
    xg_kval *table;          /* a lane's number of it (tile_pack.c) */
    xg_kval *buffer, *spare; /* of a step, and of the one that it brings; NULL: they follow from its number */
    xg_kval **ahead;         /* fragments of the next step, so many; NULL: none are carried from step to step */
    int64_t n_ahead;
    xg_kval *show; /* with matrix units: where the thread's first sum goes for the epilogue */
    xg_kval **dest;
    xg_elem *sums;                  /* of a thread, by row and column */
    xg_elem *staged[XG_TILE_SIDES]; /* by round: a vector, or an element */
    xg_ragged_tile ragged;
    xg_tile_made made[XG_TILE_MADE];
} xg_tile_kernel;
/* A map of so many results, whose dims count so much. */
XG_FN xg_imap *xg_tile_map(xg_aff_ctx *x, const int64_t *counts, uint32_t n, uint32_t n_results);
/* Whether these values, of those of `all`, lie in the domain of a map; NULL: always. What is asked may not be taken as
 * known, so the expressions are computed without the map's constraints. */
XG_FN xg_kval *xg_tile_inside(xg_tile_kernel *w, const xg_imap *m, const xg_imap *all, xg_kval *const *at);
XG_FN xg_elem xg_tile_zero(xg_tile_kernel *w);
/* Of what a thread brings in one round, if it is more than an element; bricks are words. */
XG_FN const xg_ktype *xg_tile_staged_type(xg_tile_kernel *w, uint32_t side);
/* An expression of values that count so much. */
XG_FN xg_kval *xg_tile_apply(xg_tile_kernel *w, const int64_t *counts, uint32_t n, const xg_aff *e, xg_kval *const *at);
/* v / n, v mod n, v * n + more */
XG_FN xg_kval *xg_tile_by(xg_tile_kernel *w, xg_kopcode op, xg_kval *v, int64_t n);
XG_FN xg_kval *xg_tile_quotient(xg_tile_kernel *w, xg_kval *v, int64_t n);
XG_FN xg_kval *xg_tile_rest(xg_tile_kernel *w, xg_kval *v, int64_t n);
XG_FN xg_kval *xg_tile_join(xg_tile_kernel *w, xg_kval *v, int64_t n, xg_kval *more);
/* A step's operands: into registers, or on their way to a buffer; from registers into it. On a processor: in loops. */
XG_FN void xg_tile_bring_step(xg_tile_kernel *w, xg_kval *step, xg_kval *buffer);
XG_FN void xg_tile_put_step(xg_tile_kernel *w, xg_kval *buffer);
XG_FN void xg_tile_pass_step(xg_tile_kernel *w, xg_kval *step, xg_kval *buffer);
/* Where a window of 3 by 3 is a part of k, what is read 9 rounds further on lies one channel further on, and is there
 * under the same conditions. So indices and conditions are made for the rounds of one period alone, and others add
 * constants. Directions: along rows, along k. */
typedef struct xg_tile_repeats {
    int64_t rounds[2], period[2], *by[2]; /* by expression: what a period adds to it */
    uint32_t n;                           /* expressions; */
    xg_kval **made;                       /* by round of a period: their values, NULL where they are not made yet */
    int64_t now[2];                       /* a round, */
    size_t slot;                          /* and its place among those of a period */
} xg_tile_repeats;
/* Where rounds go in a buffer: of each lane of a vector. */
typedef struct xg_tile_spots {
    uint32_t side;
    xg_kval *buffer;
    const xg_aff **lanes;
    xg_tile_repeats q;
} xg_tile_spots;
XG_FN xg_kval *xg_tile_spots_at(xg_tile_kernel *w, xg_tile_spots *s, int64_t row_round, int64_t k_round, int64_t lane);
/* How the rounds of a fetch go: first `rows` of them along rows, each `row_step` units (vectors that lie along rows, or
 * rows) further on; then the same `k_step` units of k further on. */
typedef struct xg_tile_rounds {
    int64_t rows, ks, row_step, k_step;
    int64_t row_units, k_units; /* of the step */
    int64_t lines;              /* threads / lines: the place along rows, of vectors that lie along k */
} xg_tile_rounds;
XG_FN xg_tile_rounds xg_tile_rounds_of(const xg_tile_plan *p, const xg_tile_fetch *t);
XG_FN void xg_tile_carry_staged(xg_tile_kernel *w, xg_flow *f);
XG_FN void xg_tile_bring_nothing(xg_tile_kernel *w);
XG_FN void xg_tile_put_into(xg_tile_kernel *w, xg_kval **array, xg_kval *vector, xg_kval *spot);
XG_FN void xg_tile_put_vector(xg_tile_kernel *w, xg_kval *vector, xg_kval *spot); /* into the operands' array */
XG_FN void xg_tile_put_zeros(xg_tile_kernel *w, int64_t lanes, xg_kval *spot);
/* The place of a lane of a vector, whose elements go so far apart from the first one's. */
XG_FN xg_kval *xg_tile_lane_spot(xg_tile_kernel *w, xg_kval *first, xg_kval *lane, int64_t lanes, int64_t apart);
XG_FN void xg_tile_wait(xg_tile_kernel *w);
XG_FN xg_kval *xg_tile_unstage(xg_tile_kernel *w, uint32_t side, xg_kval *staged); /* words, as they are multiplied */
XG_FN void xg_tile_shift(xg_tile_kernel *w); /* w->place by what xg_tile_settle_shift says: the tile is known */

/* ---- tile_scale.c: weights of bytes that are multiplied ---- */
XG_FN void xg_tile_find_scale(xg_tile_plan *p, xg_aff_ctx *x); /* the unit is known; sets p->scales and their kin */
/* Steps of so many k have the same numbers, or two sets, of every other XG_TILE_PACK_KS of them; 0: more differ. */
XG_FN int64_t xg_tile_scale_sets(const xg_tile_plan *p, int64_t k);
XG_FN bool xg_tile_scale_varies(const xg_tile_plan *p);
XG_FN bool xg_tile_scale_is_wide(const xg_tile_plan *p); /* numbers of 32 bits */
enum {
    XG_TILE_SCALE_AHEAD = 2 /* steps whose numbers are on their way: a step is shorter than the way from memory */
};
XG_FN int64_t xg_tile_scale_numbers(const xg_tile_plan *p);
XG_FN void xg_tile_scale_read(xg_tile_kernel *w, xg_kval *step, xg_kval **numbers); /* or of the last one */
XG_FN void xg_tile_scale_spread(xg_tile_kernel *w, xg_kval *step);                  /* numbers into words */
XG_FN int64_t xg_tile_scale_issue(const xg_tile_plan *p);                           /* instructions of a word */
/* What numbers make of a word of two k of a column of the warp's matrix. */
XG_FN xg_kval *xg_tile_scale_word(/* a word of two, or two f32 */
    xg_tile_kernel *w, xg_kval *word, xg_kval *second, int64_t which, int64_t matrix);

/* ---- tile_limit.c ---- */
/* What a value's elements are those of; *m, to its indices, then leads there. */
XG_FN const xg_inst *xg_tile_moved_from(xg_aff_ctx *x, const xg_inst *i, const xg_imap **m);
XG_FN int64_t xg_tile_channels(const xg_tile_plan *p);
XG_FN void xg_tile_settle_steps(xg_tile_plan *p);                       /* sets idle, mean, skips; of groups more */
XG_FN xg_kval *xg_tile_steps(xg_tile_kernel *w);                        /* as many as the block's sums have */
XG_FN void xg_tile_some_of(xg_tile_kernel *w, xg_flow *f, int64_t all); /* a loop over so many, if all are steps */
XG_FN xg_kval *xg_tile_steps_for(xg_tile_kernel *w, xg_flow *f);        /* the loop over them */
XG_FN xg_elem xg_tile_result(xg_tile_kernel *w, xg_elem v);             /* of the hero; 0 where nothing is summed up */
/* A step of the block among those of its cluster. */
XG_FN xg_kval *xg_tile_own_step(xg_tile_kernel *w, xg_kval *step);

/* ---- tile_split.c: tiles of several blocks that meet in memory ---- */
enum {
    XG_TILE_SPLIT_WAVES = 3 /* so often they fill the device at most */
};
XG_FN int64_t xg_tile_sharers(const xg_tile_plan *p);        /* blocks that have a tile together, of whatever kind */
XG_FN int64_t xg_tile_split_elements(const xg_tile_plan *p); /* of scratch memory */
XG_FN int64_t xg_tile_split_clocks(const xg_tile_plan *p, const xg_device *m);
XG_FN int64_t xg_tile_split_each(const xg_tile_plan *p); /* of a block: to leave its sums */
/* ... of any such tile, of so many blocks, whose reads take at least so many. */
XG_FN int64_t xg_tile_split_least(const xg_tile_plan *p, const xg_device *m, int64_t split, int64_t reads);
/* Numbers of parts to be tried, for a plan that has been settled without; how many there are. */
XG_FN uint32_t xg_tile_splits(const xg_tile_plan *p, const xg_record *given, const xg_device *m, int32_t *parts);
XG_FN bool xg_tile_split_suits(const xg_tile_plan *p); /* one that has been settled: none is empty */
XG_FN bool xg_tile_clusters_run(const xg_tile_plan *p, const xg_device *m);
XG_FN void xg_tile_split_leave(xg_tile_kernel *w, int64_t part);
XG_FN void xg_tile_split_meet(xg_tile_kernel *w, xg_flow *last);
XG_FN void xg_tile_split_total(xg_tile_kernel *w, int64_t part);

/* ---- tile_ragged.c: tiles of groups of rows ---- */
XG_FN bool xg_tile_is_ragged(const xg_tile_plan *p);   /* rows are */
XG_FN bool xg_tile_sums_groups(const xg_tile_plan *p); /* the sum is */
XG_FN xg_kval *xg_tile_ragged_steps(xg_tile_kernel *w);
XG_FN int64_t xg_tile_summed(const xg_tile_plan *p);        /* all of k; of groups of a sum the usual part of it */
XG_FN int64_t xg_tile_ragged_places(const xg_tile_plan *p); /* of the batch, which have groups each */
XG_FN int64_t xg_tile_ragged_high(const xg_tile_plan *p);   /* tiles one above the other that are of one group */
XG_FN void xg_tile_ragged_settle(xg_tile_plan *p);
/* What tile[side] counts: so many rows (or columns) each; below so many. */
XG_FN int64_t xg_tile_pace(const xg_tile_plan *p, uint32_t side, int64_t rows);
XG_FN int64_t xg_tile_paces(const xg_tile_plan *p, uint32_t side);
XG_FN void xg_tile_ragged_stand(xg_tile_kernel *w, xg_kval *tile);  /* at one of those of w->batch, a place */
XG_FN void xg_tile_ragged_begin(xg_tile_kernel *w);                 /* of blocks that stay: sets `all` */
XG_FN xg_kval *xg_tile_ragged_has(xg_tile_kernel *w, xg_kval *row); /* whether the tile's group has this row */

/* ---- tile_emit.c ---- */
XG_FN void xg_tile_threads(xg_tile_kernel *w); /* where w->thread stands */
XG_FN void xg_tile_all_results(xg_tile_kernel *w);
XG_FN void xg_tile_stand(xg_tile_kernel *w, xg_kval *id); /* at the tile of this number */
/* The epilogue of some columns of a part's rows, which lie in w->shared swizzled, side by side. */
XG_FN void xg_tile_out_chunk(xg_tile_kernel *w, int64_t part, int64_t column, int64_t columns);
XG_FN xg_elem xg_tile_plus(xg_tile_kernel *w, xg_elem a, xg_elem b); /* two sums */
XG_FN xg_elem xg_tile_ended(xg_tile_kernel *w, xg_elem sum);         /* the hero's element */
XG_FN void xg_tile_emit(xg_fusion_emission *e, const xg_tile_plan *p);
XG_FN void xg_tile_multiply(xg_tile_kernel *w, xg_kval *buffer); /* what lies in a buffer, on plain cores */

XG_FN void xg_tile_show(xg_tile_kernel *w, int64_t part); /* a part of the thread's sums, in shared memory */
XG_FN void xg_tile_meet(xg_tile_kernel *w);               /* blocks of a cluster: all have come, w->peers */
XG_FN void xg_tile_rows_results(xg_tile_kernel *w, xg_fusion_emission *all); /* tile_rows.c */

/* ---- tile_wgmma.c: tiles that warp groups multiply ---- */
XG_FN bool xg_tile_may_group(const xg_tile_plan *p, const xg_device *m); /* the unit is known */
XG_FN const xg_tile_row *xg_tile_group_row(size_t k);                    /* NULL behind the last */
XG_FN bool xg_tile_group_fits(const xg_tile_plan *p);                    /* registers have room for it */
XG_FN int64_t xg_tile_group_cycles(const xg_tile_plan *p, const xg_device *m, int64_t blocks);
/* Where in shared memory, of so many elements of so many bytes, what would lie at a place without the swizzle lies: of
 * maps whose dims count so much. */
typedef struct xg_tile_lined {
    int64_t elements, bytes;
} xg_tile_lined;
XG_FN xg_kval *xg_tile_group_spot(
    xg_tile_kernel *w, xg_tile_lined in, const int64_t *counts, uint32_t n, const xg_aff *place, xg_kval *const *at);
XG_FN void xg_tile_group_steps(xg_tile_kernel *w);
/* The matrix of a side in a buffer, its first rows for this warp group; the same, so many bytes further on. */
XG_FN xg_kval *xg_tile_group_matrix(xg_tile_kernel *w, uint32_t side, xg_kval *buffer);
XG_FN xg_kval *xg_tile_group_on(xg_tile_kernel *w, xg_kval *matrix, int64_t bytes);
/* All sums are zero; begin to multiply what lies in a buffer; wait for all such groups but so many. */
XG_FN void xg_tile_group_none(xg_tile_kernel *w);
XG_FN void xg_tile_group_multiply(xg_tile_kernel *w, xg_kval *buffer);
XG_FN void xg_tile_group_await(xg_tile_kernel *w, int64_t but); /* for all copies but so many groups, for all threads */
XG_FN void xg_tile_group_wait(xg_tile_kernel *w, int64_t but);

/* ---- tile_box.c: pictures that come by tensor copies ---- */
XG_FN bool xg_tile_box_wants(const xg_tile_plan *p);            /* the plan of a convolution has none */
XG_FN bool xg_tile_box_may(xg_tile_plan *p, xg_tile_role role); /* sets pixels, and the order of positions */
/* In the order in which positions lie in memory, or that of boxes. */
XG_FN void xg_tile_box_plan(xg_tile_plan *p, const xg_fusion_emission *e, const xg_device *m, int64_t out_bytes);
XG_FN bool xg_tile_box_is_filled(const xg_tile_plan *p);
XG_FN bool xg_tile_box_describe(xg_tile_plan *p, xg_aff_ctx *x, uint32_t side, const xg_inst *from, const xg_imap *to);
XG_FN void xg_tile_box_result(xg_tile_plan *p, xg_aff_ctx *x, const xg_shape *root); /* sets may_store, result */
XG_FN void xg_tile_box_place(xg_tile_kernel *w, const xg_imap *boxes, const int64_t *counts, uint32_t n,
    const xg_aff *const *linear, const xg_aff **place);

/* ---- tile_patch.c: pictures that threads copy once for all places of the window ---- */
/* As xg_tile_box_plan, or with patches. */
XG_FN void xg_tile_patch_plan(xg_tile_plan *p, const xg_fusion_emission *e, const xg_device *m, int64_t out_bytes);
XG_FN bool xg_tile_patch_might(const xg_tile_plan *p); /* false: it surely cannot have patches */
XG_FN bool xg_tile_patch_may(xg_tile_plan *p, xg_aff_ctx *x, xg_tile_role of, int64_t bytes); /* sets patch */
XG_FN bool xg_tile_patch_suits(const xg_tile_plan *p, xg_tile_shape *s); /* patches and the shape, whose k they say */
XG_FN bool xg_tile_patch_settle(xg_tile_plan *p);                        /* false: the shape does not suit patches */
XG_FN int64_t xg_tile_patch_room(const xg_tile_plan *p);   /* elements of shared memory in front of the other side's */
XG_FN int64_t xg_tile_patch_brings(const xg_tile_plan *p); /* elements with a step, on average */
XG_FN void xg_tile_patch_begin(xg_tile_kernel *w);
XG_FN void xg_tile_patch_rows_begin(xg_tile_kernel *w);
XG_FN void xg_tile_patch_bring(xg_tile_kernel *w, xg_kval *buffer); /* with w->step */
XG_FN xg_kval *xg_tile_patch_at(xg_tile_kernel *w, int64_t k, xg_kval *along, int64_t first, xg_kval *buffer);
XG_FN void xg_tile_patch_look(xg_tile_kernel *w, xg_kval *step);

/* ---- tile_halo.c: boxes with a border, of which a window's places are views ---- */
XG_FN bool xg_tile_halo_may(
    xg_tile_plan *p, xg_tile_role role); /* sets halo, pixels, and the order of positions and of k */
XG_FN bool xg_tile_halo_cross(xg_tile_plan *p, xg_aff_ctx *x);    /* in front of that: both sides shall have views */
XG_FN bool xg_tile_halo_is(const xg_tile_plan *p, uint32_t side); /* it has */
/* The box is described. */
XG_FN bool xg_tile_halo_widen(xg_tile_plan *p, xg_aff_ctx *x, const xg_tile_form *axes, uint32_t side);
XG_FN int64_t xg_tile_halo_boxes(const xg_tile_plan *p);               /* that come at a time */
XG_FN int64_t xg_tile_halo_room(const xg_tile_plan *p, uint32_t side); /* lines of shared memory for one */
XG_FN int64_t xg_tile_halo_steps(const xg_tile_plan *p);               /* that they serve; 0: each step has its own */
XG_FN const xg_tile_row *xg_tile_halo_row_of(
    const xg_tile_plan *p, size_t k, xg_tile_row *r);     /* where rows are views */
XG_FN int64_t xg_tile_halo_stages(const xg_tile_plan *p); /* buffers for what comes at a time; 0: no views */
XG_FN int64_t xg_tile_bulk_lines(const xg_tile_plan *p, uint32_t side); /* of 128 bytes, of a side's buffer */
XG_FN bool xg_tile_bulk_keeps(
    const xg_tile_plan *p); /* what comes of the right side is there for all tiles of a block */
/* Elements from the left side's buffer to where the matrix of rows from this one on begins, a multiple of 64; from a
 * box to the view of a place of the window. */
XG_FN int64_t xg_tile_halo_row(const xg_tile_plan *p, int64_t row);
XG_FN const xg_aff *xg_tile_halo_moved(
    const xg_tile_plan *p, xg_aff_ctx *x, int64_t kind, const xg_aff *view, bool place); /* or the place itself */
XG_FN bool xg_tile_halo_phases(const xg_tile_plan *p);                 /* tiles may have one box for all phases */
XG_FN int64_t xg_tile_halo_views(const xg_tile_plan *p, int64_t kind); /* of a box; other kinds' that come before it: */
XG_FN int64_t xg_tile_halo_first(const xg_tile_plan *p, int64_t kind);
XG_FN int64_t xg_tile_halo_view(const xg_tile_plan *p, uint32_t side, int64_t place); /* lines; of a tile's rows */
XG_FN int64_t xg_tile_halo_next(const xg_tile_plan *p, uint32_t side, int64_t place); /* lines to the next */
XG_FN int64_t xg_tile_halo_on(
    const xg_tile_plan *p, uint32_t side, int64_t k); /* bytes to so many times 32 bytes of k */

/* ---- tile_bulk.c: tiles whose operands come by tensor copies ---- */
/* place: what xg_tile_probe says of the parameter's elements. Sets the fetch's may_bulk and tensor. */
XG_FN void xg_tile_bulk_describe(xg_tile_plan *p, xg_aff_ctx *x, uint32_t side, const xg_inst *from,
    const xg_imap *place, const xg_imap *to); /* to: (variables) -> its indices */
XG_FN bool xg_tile_may_bulk(const xg_tile_plan *p);
XG_FN bool xg_tile_bulk_is_shared(const xg_tile_plan *p, uint32_t side); /* its boxes are brought half by half */
XG_FN uint32_t xg_tile_map_type(xlagpu_type t);
/* The array is a matrix, or many: its place is that of xg_tile_probe, of which `inner` (0, 1) counts neighbours. */
XG_FN bool xg_tile_bulk_is_matrix(
    xg_kmap *m, xg_aff_ctx *x, const xg_imap *place, int64_t a, int64_t b, int64_t batch, uint32_t inner);
XG_FN bool xg_tile_bulk_dim(xg_kmap *m, int64_t size, int64_t stride); /* one more, if tensor maps have such ones */
XG_FN bool xg_tile_bulk_may_vary(const xg_tile_plan *p, const xg_device *m, const xg_tile_shape *s);
XG_FN size_t xg_tile_bulk_shapes(const xg_tile_plan *p);                    /* 0: other ways bring a side */
XG_FN const xg_tile_row *xg_tile_bulk_row(const xg_tile_plan *p, size_t k); /* NULL behind the last */
XG_FN void xg_tile_bulk_settle(xg_tile_plan *p);
XG_FN int64_t xg_tile_shared_bytes(const xg_tile_plan *p);  /* all that the kernel's form takes: tile_plan.c */
XG_FN int64_t xg_tile_bulk_barriers(const xg_tile_plan *p); /* of eight bytes each, beside p->shared */
XG_FN int64_t xg_tile_bulk_resident(const xg_tile_plan *p);
XG_FN void xg_tile_bulk_begin(xg_tile_kernel *w, xg_kval *thread); /* barriers, and tensor memory */
XG_FN void xg_tile_bulk_kernel(xg_tile_kernel *w, xg_kfunc *f);
enum {
    XG_TILE_BULK_GROUP = 128 /* threads of a warp group */
};
typedef enum xg_tile_bulk_state {
    XG_TILE_BULK_FULL,
    XG_TILE_BULK_EMPTY,
    XG_TILE_BULK_DONE, /* of tensor memory: one barrier, all sums are made */
    XG_TILE_BULK_SEEN, /* of a picture of which views are multiplied: full; empty */
    XG_TILE_BULK_BLANK
} xg_tile_bulk_state;
XG_FN xg_kval *xg_tile_bulk_barrier(xg_tile_kernel *w, xg_tile_bulk_state state, xg_kval *buffer);
XG_FN void xg_tile_bulk_await(xg_tile_kernel *w, xg_tile_bulk_state state, xg_kval *step, int64_t ahead);
/* What of shared memory something else than a thread writes, or reads. */
XG_FN xg_kval *xg_tile_bulk_at(xg_tile_kernel *w, xg_kval *array, xg_kval *place);
/* An operation on a barrier, by so much. */
XG_FN void xg_tile_bulk_tell(xg_tile_kernel *w, xg_kopcode op, xg_kval *barrier, int64_t amount);
/* The loops over the tiles of a block that stays, and over the steps of a tile. */
XG_FN void xg_tile_bulk_tiles(xg_tile_kernel *w, xg_flow *f);
XG_FN void xg_tile_bulk_tiles_end(xg_tile_kernel *w, xg_flow *f);
XG_FN xg_kval *xg_tile_bulk_steps(xg_tile_kernel *w, xg_flow *f);
/* The loop around them over the boxes of which a window's places are views, if there are any: w->picture. */
XG_FN void xg_tile_bulk_pictures(xg_tile_kernel *w, xg_flow *f);
/* ... and in it over their kinds, w->kind. */
XG_FN int64_t xg_tile_bulk_kinds(const xg_tile_kernel *w);
XG_FN void xg_tile_bulk_picture(xg_tile_kernel *w);
/* Until the round of a step's buffer, of so many, is over there; `ahead`: of the round before, which at the beginning
 * counts as over. */
XG_FN void xg_tile_bulk_await_round(xg_tile_kernel *w, xg_kval *barrier, xg_kval *step, int64_t stages, int64_t ahead);

/* ---- tile_store.c: results by way of shared memory of their own ---- */
XG_FN bool xg_tile_is_apart(const xg_tile_plan *p);             /* so it is */
XG_FN bool xg_tile_store_may(const xg_tile_plan *p, int64_t n); /* tensor stores take tiles of n columns */
XG_FN const char *xg_tile_store_refuses(const xg_tile_plan *p, const xg_record *given, const xg_device *m);
XG_FN bool xg_tile_is_named(
    const xg_record *given, const char *name); /* tile_plan.c: the record says something of it */
XG_FN void xg_tile_store_describe(xg_tile_plan *p, const xg_fusion_emission *e); /* sets may_store, result */
XG_FN void xg_tile_store_settle(xg_tile_plan *p);
XG_FN int64_t xg_tile_store_bytes(const xg_tile_plan *p);
XG_FN int64_t xg_tile_store_chunks(const xg_tile_plan *p); /* that a tile's result leaves in */
XG_FN int64_t xg_tile_store_columns(const xg_tile_plan *p);
XG_FN int64_t xg_tile_store_fragments(const xg_tile_plan *p);
XG_FN int64_t xg_tile_store_beside(const xg_tile_plan *p); /* of these, so many at a time */
XG_FN void xg_tile_store_begin(xg_tile_kernel *w);         /* w->out */
XG_FN void xg_tile_store_all(xg_tile_kernel *w);           /* of a tile */
XG_FN void xg_tile_store_end(xg_tile_kernel *w);           /* of a block */

/* ---- tile_tensor.c: tiles whose sums lie in tensor memory ---- */
XG_FN bool xg_tile_is_tensor(const xg_tile_plan *p);                          /* the shape's sums do */
XG_FN const xg_tile_row *xg_tile_tensor_row(size_t k);                        /* NULL behind the last */
XG_FN bool xg_tile_tensor_may_be(const xg_kmma_row *row, const xg_device *m); /* such products */
XG_FN bool xg_tile_tensor_fits(const xg_tile_plan *p);                        /* a shape that has been settled */
XG_FN int64_t xg_tile_tensor_halves(const xg_tile_plan *p);
XG_FN int64_t xg_tile_tensor_spared(const xg_tile_plan *p);  /* columns that the last 128 rows do not meet */
XG_FN int64_t xg_tile_tensor_columns(const xg_tile_plan *p); /* that a block allocates */
/* In front of a barrier, and behind it. */
XG_FN void xg_tile_tensor_begin(xg_tile_kernel *w, xg_kval *thread, int64_t columns);
XG_FN void xg_tile_tensor_place(xg_tile_kernel *w);
XG_FN void xg_tile_tensor_consume(xg_tile_kernel *w);
XG_FN void xg_tile_tensor_steps(xg_tile_kernel *w); /* of operands that threads bring */
XG_FN void xg_tile_tensor_stand(xg_tile_kernel *w, xg_kval **across);
/* Columns of each warp's sums of a fragment; some of them from a column on; where such lie in shared memory. */
XG_FN int64_t xg_tile_tensor_width(const xg_tile_plan *p, int64_t fragment);
XG_FN void xg_tile_tensor_read(xg_tile_kernel *w, int64_t fragment, int64_t column);
XG_FN xg_kval *xg_tile_tensor_show(xg_tile_kernel *w, int64_t fragment, int64_t column);
/* So many columns of a fragment, as sums from number `to` on; those of the next four warps lie so far apart. */
XG_FN void xg_tile_tensor_read_to(
    xg_tile_kernel *w, int64_t fragment, int64_t column, int64_t columns, int64_t apart, int64_t to);
XG_FN void xg_tile_tensor_tile(xg_tile_kernel *w); /* all products of a tile: of one thread */
XG_FN void xg_tile_tensor_end(xg_tile_kernel *w);

/* ---- tile_pairs.c: such blocks stay, in pairs ---- */
XG_FN bool xg_tile_is_pair(const xg_tile_plan *p);
XG_FN bool xg_tile_pairs_may_be(const xg_tile_plan *p, const xg_device *m, const xg_tile_shape *s);
XG_FN int64_t xg_tile_pairs_turns(const xg_tile_plan *p);   /* tiles whose sums tensor memory holds at a time */
XG_FN int64_t xg_tile_pairs_tellers(const xg_tile_plan *p); /* warps of both blocks that read them */
XG_FN void xg_tile_pairs_consume(xg_tile_kernel *w);
XG_FN void xg_tile_pairs_drain(xg_tile_kernel *w);
XG_FN void xg_tile_pairs_multiply(xg_tile_kernel *w, xg_kval *thread);
XG_FN void xg_tile_pairs_end(xg_tile_kernel *w, xg_kval *thread);
/* The sums of so many columns for each four warps, as fragments of 16 rows; the last ones of a tile are told of. */
XG_FN void xg_tile_pairs_take(xg_tile_kernel *w, int64_t columns);
XG_FN bool xg_tile_is_two_pairs(const xg_tile_plan *p);
XG_FN bool xg_tile_pair_stays(const xg_tile_plan *p);               /* others sum up a part of k */
XG_FN void xg_tile_pairs_tell(xg_tile_kernel *w, xg_kval *barrier); /* both blocks, of products that are made */
/* A box for this block and its neighbour in the other pair. */
XG_FN void xg_tile_pairs_share(xg_tile_kernel *w, uint32_t side, xg_kval **o, uint32_t n);
XG_FN int64_t xg_tile_pairs_cluster(const xg_tile_plan *p); /* blocks of it */
XG_FN int64_t xg_tile_pairs_all(const xg_tile_plan *p);     /* their bits */
/* The block of the pair that asks for products: of a barrier there; whether this is it. */
XG_FN xg_kval *xg_tile_pairs_first(xg_tile_kernel *w, xg_kval *barrier);
XG_FN xg_kval *xg_tile_pairs_is_first(xg_tile_kernel *w);

/* ---- tile_mma.c ---- */
XG_FN xg_kval *xg_tile_unit_twice(xg_tile_kernel *w, int64_t bits);
XG_FN xg_kval *xg_tile_unit_halves(xg_tile_kernel *w, xg_kval *x, bool is_signed, int bits);
XG_FN xg_kval *xg_tile_unit_take(xg_tile_kernel *w, xg_kval *words, int64_t k);
XG_FN xg_kval *xg_tile_unit_bytes(xg_tile_kernel *w, xg_kval *x, xg_kval *y, int64_t digits);
/* What several steps do: ask for the copies so far as a group; wait until all of them but so many are there; the first
 * steps, whose operands are on their way when the loop begins; the loop over all steps; shared memory becomes that of
 * sums. */
XG_FN bool xg_tile_unit_copies(const xg_tile_plan *p);
XG_FN void xg_tile_unit_commit(xg_tile_kernel *w);
XG_FN void xg_tile_unit_first(xg_tile_kernel *w, int64_t ahead);
XG_FN void xg_tile_unit_bring_next(xg_tile_kernel *w, xg_kval *next, xg_kval *spare);
XG_FN void xg_tile_unit_loop(xg_tile_kernel *w, void (*one)(xg_tile_kernel *w, xg_kval *step));
XG_FN void xg_tile_unit_end(xg_tile_kernel *w);
XG_FN void xg_tile_unit_threads(xg_tile_kernel *w);
/* The bricks of a side that a thread holds, into shared memory. */
XG_FN void xg_tile_unit_put_bricks(xg_tile_kernel *w, xg_tile_spots *s);
/* Which line of a side's pieces a thread brings: eight neighbours write to different banks. */
XG_FN xg_kval *xg_tile_unit_line(xg_tile_kernel *w, uint32_t side, xg_kval *line);
XG_FN void xg_tile_unit_steps(xg_tile_kernel *w);
/* A word of a side's bytes, if these are such floats, as two words of 16 bits: neighbours, or every other one. */
XG_FN bool xg_tile_unit_has_floats(const xg_tile_plan *p, xlagpu_type from); /* small ones, held as 16 bits */
XG_FN void xg_tile_unit_floats(xg_tile_kernel *w, uint32_t side, xg_kval *x, bool across, xg_kval **two);
XG_FN void xg_tile_unit_show(xg_tile_kernel *w, int64_t part);
XG_FN xg_kval *xg_tile_unit_pair(xg_tile_kernel *w, int64_t n, int64_t first); /* neighbours of sums n */

XG_FN bool xg_tile_way_plan(xg_way_job *job, xg_record *r, xg_way_times *times); /* see xg_way */
XG_FN xg_kmodule *xg_tile_way_emit(xg_way_job *job, const xg_record *r, xg_str name);

#endif /* XG_SCHED_TILE_H */
