/* sched/tile.h -- contractions (dot, convolution) as tiles: one rule for every layout, type, prologue and epilogue.
 *
 * Ideas
 * - A contraction is a sum over K of A[batch, m, k] * B[batch, n, k]. Each of the four names stands for a group of
 *   axes: dimensions of the hero's result, or summed ones. A convolution is one as well (implicit GEMM): m runs over
 *   batch and positions, k over window and features; its indexing map says where an element of the input lies, and
 *   where there is none.
 * - A block of threads makes a tile of the result. It brings a step of K of both operands into shared memory while it
 *   works on the step before (two buffers, one barrier a step); each thread keeps a smaller tile in registers, and
 *   multiplies row and column fragments that it reads 16 bytes at a time.
 * - An operand's element is whatever the fusion computes there (emit/elemental.c), the result's element goes through
 *   shared memory to the fusion's epilogue in the order of the result's memory; so the rule knows no opcode.
 * - The plan is made once and has all that the kernel depends on; the estimate in tile_plan.c compares plans.
 *
 * Laws: sums are made in the order of k, so results are the same in every run. No atomics. */
#ifndef XG_SCHED_TILE_H
#define XG_SCHED_TILE_H
#include "../emit/emit.h"

enum {
    XG_TILE_VARS_MAX = 2 * XG_RANK_MAX + 2, /* of a hero: dimensions of its result, and summed ones */
    XG_TILE_SIDES = 2
};

typedef enum xg_tile_role {
    XG_TILE_B,
    XG_TILE_M,
    XG_TILE_N,
    XG_TILE_K,
    XG_TILE_ROLES
} xg_tile_role;

/* Its index times `scale` is added to variable `of`: a dimension of the hero's result, or, behind those, a summed one.
 */
typedef struct xg_tile_axis {
    int64_t extent, scale;
    uint32_t of;
} xg_tile_axis;
typedef struct xg_tile_group {
    uint32_t n;
    xg_tile_axis axes[XG_TILE_VARS_MAX]; /* outermost first */
    int64_t size;
} xg_tile_group;

typedef struct xg_tile_form {
    const xg_inst *hero;
    xlagpu_type sum;
    uint32_t rank, n_vars;             /* of the hero's result; with the summed dimensions */
    uint32_t operand[XG_TILE_SIDES];   /* of the hero: the one that has M, the one that has N */
    const xg_imap *map[XG_TILE_SIDES]; /* (variables) -> indices of that operand, where there is an element */
    xg_tile_group group[XG_TILE_ROLES];
} xg_tile_form;

/* A block's tile is m by n and works on k at a time; a thread's is tm by tn. */
typedef struct xg_tile_shape {
    int32_t m, n, k, tm, tn;
} xg_tile_shape;

/* How an operand's part of a step is brought: `vector` neighbours along k, or along rows, each time. */
typedef struct xg_tile_fetch {
    bool along_k;
    bool async;             /* element for element as it lies in memory: copied without registers */
    int64_t bytes;          /* of an element in memory */
    int64_t vector, beside; /* beside: so many vectors of one row by neighbouring threads, when it goes along k */
    int64_t rows, pitch;    /* of the tile; of shared memory, from one k to the next */
    int64_t vectors, rounds;
    int64_t offset;     /* of the first buffer, in elements */
    const xg_imap *map; /* see xg_tile_fetch_map */
} xg_tile_fetch;

typedef struct xg_tile_plan {
    xg_tile_form form;
    xg_tile_shape shape;
    int64_t threads, blocks, quad; /* quad: elements that lie side by side in a fragment */
    int64_t warps_n, lanes_n;      /* of the threads of a block, along n */
    int64_t rows, columns;         /* threads of a block, along m and n */
    int64_t tiles[XG_TILE_SIDES], steps, batch, group_rows;
    int64_t out_vector; /* elements of the result that a thread writes at a time */
    int64_t shared;     /* elements of shared memory */
    xg_tile_fetch fetch[XG_TILE_SIDES];
    xg_heroes heroes;
    int64_t picoseconds; /* by the estimate */
} xg_tile_plan;

/* ---- tile_form.c ---- */
XG_FN bool xg_tile_form_of(xg_tile_form *f, xg_aff_ctx *x, const xg_inst *hero); /* false: it is no such sum */
/* The hero's variables at linear indices by role (NULL: 0), under the ranges of env. */
XG_FN void xg_tile_variables(const xg_tile_form *f, xg_aff_env *env, const xg_aff *const *linear, const xg_aff **vars);

enum {
    XG_TILE_LANES = 32 /* of a warp */
};

/* ---- tile_plan.c ---- */
XG_FN int64_t xg_tile_over(int64_t a, int64_t b); /* a / b, rounded up */
XG_FN int64_t xg_tile_loop_time(
    const xg_tile_form *f, const xg_device *m);   /* picoseconds by a thread for each element */
XG_FN bool xg_tile_may_be(const xg_inst *fusion); /* before a closer look: it has a contraction */
XG_FN bool xg_tile_plan_of(
    xg_tile_plan *p, const xg_fusion_emission *e, const xg_device *m); /* false: by other means */

XG_FN bool xg_tile_is_worth(const xg_tile_form *f); /* it is large enough, and has rows and columns */
/* The parts of a plan, for others that estimate: how operands are brought; the best tile, of all sizes as they are. */
XG_FN void xg_tile_choose_fetch(xg_tile_plan *p, xg_aff_ctx *x, const xg_device *m, uint32_t side);
/* The shape of the least time among those that a record, if one is given, allows. */
XG_FN void xg_tile_choose(xg_tile_plan *p, const xg_record *given, const xg_device *m, int64_t out_bytes);

/* ---- split_k.c ---- */
XG_FN bool xg_tile_split_k(xg_module *m); /* the pass split-k */

/* ---- tile_emit.c ---- */
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
XG_FN const xg_imap *xg_tile_fetch_map(
    const xg_tile_plan *p, xg_aff_ctx *x, uint32_t side); /* to the operand's indices */
/* Whether the guards of a map say the same of all lanes of a vector. */
XG_FN bool xg_tile_lanes_agree(xg_aff_ctx *x, const xg_imap *m, int64_t lanes);
XG_FN void xg_tile_emit(xg_fusion_emission *e, const xg_tile_plan *p);
XG_FN bool xg_tile_way_plan(xg_way_job *job, xg_record *r, xg_way_times *times); /* see xg_way */
XG_FN xg_kmodule *xg_tile_way_emit(xg_way_job *job, const xg_record *r, xg_str name);

#endif /* XG_SCHED_TILE_H */
