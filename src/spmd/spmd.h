/* spmd/spmd.h -- one program for many devices: shardings, their propagation, and the module that each device runs.
 *
 * Ideas
 * - One mesh a module. Its axes have prime sizes and are the digits of the device number, most significant first, so
 *   that every tiling that any annotation of the module writes is a list of axes for each dimension, and parts of an
 *   axis need no form of their own.
 * - A tiling of other devices than the digits say (a reversed list, another factorisation) is the same tiling with a
 *   table beside it: which device of the plain tiling each device stands for.
 * - Tiles are left-aligned: tile k of a dimension of n elements in t tiles covers [k*s, min(n, (k+1)*s)), s =
 * ceil(n/t). The storage of a tile always has s elements; those beyond the end have no defined value.
 *
 * Laws: an axis is used once in a sharding; the product of the mesh's axes is the number of devices. */
#ifndef XG_SPMD_H
#define XG_SPMD_H
#include "../affine/affine.h"
#include "../eval/eval.h"
#include "../opt/opt.h"

enum {
    XG_SPMD_AXES_MAX = 32 /* a device number is below 2^32 */
};
typedef uint32_t xg_axis_set; /* a bit for each axis */

typedef struct xg_spmd_mesh {
    uint32_t n;
    int64_t devices;
    int64_t size[XG_SPMD_AXES_MAX];   /* primes, most significant digit first */
    int64_t stride[XG_SPMD_AXES_MAX]; /* of the digit in a device number */
} xg_spmd_mesh;

/* Some axes in an order, major first. */
typedef struct xg_axes_list {
    uint32_t n;
    uint8_t p[XG_SPMD_AXES_MAX];
} xg_axes_list;

typedef enum xg_sharding_kind {
    XG_SHARDING_UNKNOWN, /* nothing is said */
    XG_SHARDING_TILED,   /* replicated and manual ones too: there are no axes in dimensions then */
    XG_SHARDING_MAXIMAL  /* one device has it all */
} xg_sharding_kind;

typedef struct xg_sharding {
    xg_sharding_kind kind;
    uint32_t rank;
    uint8_t axes[XG_SPMD_AXES_MAX]; /* major first */
    xg_axis_set manual, unreduced;  /* the shape is local along these; a value is a part of a sum along those */
    xg_axis_set replicated;         /* explicitly: no dimension may take them */
    uint64_t open;                  /* a bit for each dimension that propagation may still split */
    int64_t device;                 /* MAXIMAL */
    const int64_t *devices;         /* by device: the one of the plain tiling that it stands for; NULL: itself */
    uint32_t group;                 /* 1 + shard_as or shard_like, */
    bool group_as;                  /* and which of them; 0: in none */
    uint8_t start[XG_RANK_MAX + 1]; /* the axes of dimension d are axes[start[d]] .. axes[start[d + 1]] */
} xg_sharding;

/* ---- sharding.c: meshes, tiles ---- */
/* A tiling as text has it: a tile count for each dimension and subgroup, and the devices in row-major order. */
typedef struct xg_tiling {
    uint32_t rank, n; /* dimensions of the shape; those with subgroups behind them */
    int64_t devices, *list;
    char group[XG_RANK_MAX + 8]; /* of a subgroup: 'r'eplicated, 'R' explicitly so, 'm'anual, 'u'nreduced */
    int64_t tiles[XG_RANK_MAX + 8];
} xg_tiling;
XG_FN void xg_mesh_init(xg_spmd_mesh *mesh, int64_t devices);
/* places between digits that the mesh wants: each a product of its last axes */
XG_FN void xg_mesh_cut(xg_spmd_mesh *mesh, const xg_tiling *t);
XG_FN void xg_mesh_finish(xg_spmd_mesh *mesh); /* splits what is left into primes */
XG_FN int64_t xg_mesh_digit(const xg_spmd_mesh *mesh, uint32_t axis, int64_t device);
XG_FN xg_sharding *xg_sharding_new(xg_arena *a, uint32_t rank); /* replicated */
XG_FN xg_sharding *xg_sharding_of_tiling(xg_arena *a, const xg_spmd_mesh *mesh, const xg_tiling *t);
XG_FN xg_axes_list xg_sharding_axes_of(const xg_sharding *s, uint32_t dim);
XG_FN void xg_sharding_set_axes(xg_sharding *s, uint32_t dim, const xg_axes_list *axes);
XG_FN xg_axis_set xg_sharding_used(const xg_sharding *s); /* by dimensions */
XG_FN int64_t xg_sharding_tiles(const xg_spmd_mesh *mesh, const xg_sharding *s, uint32_t dim);
XG_FN int64_t xg_sharding_all_tiles(const xg_spmd_mesh *mesh, const xg_sharding *s);
/* which tile of the dimension the device has */
XG_FN int64_t xg_sharding_tile(const xg_spmd_mesh *mesh, const xg_sharding *s, uint32_t dim, int64_t device);
XG_FN int64_t xg_tile_size(int64_t n, int64_t tiles);                    /* ceil(n / tiles); at least 0 */
XG_FN bool xg_sharding_same(const xg_sharding *a, const xg_sharding *b); /* the same data on the same devices */
XG_FN bool xg_sharding_is_replicated(const xg_sharding *s);
XG_FN int64_t xg_axes_size(const xg_spmd_mesh *mesh, const xg_axes_list *l);

/* ---- sharding_text.c ---- */
typedef enum xg_sharding_form {
    XG_SHARDING_IOTA, /* [2,4]<=[8]; a list where the devices have no such form */
    XG_SHARDING_LIST, /* [2,4]0,1,2,3,4,5,6,7 */
    XG_SHARDING_NAMED /* mesh['a0'=2,'a1'=2], [{'a0'}, {'a1', ?}] */
} xg_sharding_form;
/* By leaf of the instruction's shape; NULL: it has no sharding. An array where it has one for all. */
XG_FN xg_sharding **xg_sharding_of(xg_arena *a, const xg_spmd_mesh *mesh, const xg_inst *i);
XG_FN void xg_sharding_print(xg_buf *b, const xg_spmd_mesh *mesh, const xg_sharding *s, xg_sharding_form form);

XG_FN void xg_mesh_add_cut(xg_spmd_mesh *mesh, int64_t cut);
typedef struct xg_shread { /* a text, and for whom it is read */
    xg_str s;
    xg_arena *arena;
    const xg_inst *inst;
    int64_t partitions;
} xg_shread;
typedef struct xg_named_mesh {
    uint32_t n;
    xg_str name[XG_SPMD_AXES_MAX];
    int64_t size[XG_SPMD_AXES_MAX], devices;
    int64_t *ids; /* by place; NULL: its own number */
} xg_named_mesh;
/* A tiling under construction: digits of the device number, in the order of the list. */
typedef struct xg_named_tiling {
    const xg_named_mesh *mesh;
    uint32_t n, tile[64]; /* digits, and the dimension that each belongs to */
    int64_t size[64], stride[64];
    bool open;
} xg_named_tiling;
/* as xg_sharding_of; cut: its places between digits go to the mesh instead */
XG_FN xg_sharding **xg_shread_inst(xg_arena *a, xg_spmd_mesh *mesh, const xg_inst *i, bool cut);
XG_FN void xg_shread_skip(xg_shread *r);
XG_FN bool xg_shread_is(xg_shread *r, const char *word);
XG_FN bool xg_shread_take(xg_shread *r, const char *word);
XG_FN xg_ints xg_shread_ints(xg_shread *r);                                   /* "1,2,3" */
XG_FN void xg_shread_mesh(xg_shread *r, xg_named_mesh *m, const char *close); /* behind "mesh[" */
XG_FN uint64_t xg_shread_named(xg_shread *r, const xg_named_mesh *m, xg_tiling *t, uint32_t rank);
XG_FN int64_t xg_named_axes(xg_shread *r, xg_named_tiling *t, uint32_t d);
XG_FN void xg_named_finish(xg_shread *r, const xg_named_tiling *n, xg_tiling *t);

/* ---- factors.c: which dimensions of an instruction's operands and results go together ---- */

/* X(KIND): what is to be done where a factor is split over devices.
 *   PASS     nothing: each device computes its part of the results from its parts of the operands
 *   REDUCE   results are parts, to be combined over these devices
 *   NEED     that cannot be: operands are gathered first, results cut up afterwards
 *   PERMUTE  each device needs elements of its neighbours */
#define XG_FACTOR_KINDS(X) X(PASS) X(REDUCE) X(NEED) X(PERMUTE)
typedef enum xg_factor_kind {
#define X(kind) XG_FACTOR_##kind,
    XG_FACTOR_KINDS(X)
#undef X
    XG_FACTOR_KIND_COUNT
} xg_factor_kind;

typedef struct xg_factor {
    xg_factor_kind kind;
    int64_t size;
} xg_factor;
/* An array that an instruction reads or gives, dimension d made of the factors factors[first[d]] .. [first[d + 1]),
 * major first. Tuples, tokens and scalars have rank 0. */
typedef struct xg_spmd_rule_array {
    const xg_shape *shape;
    uint32_t rank, *first, *factors;
} xg_spmd_rule_array;
typedef struct xg_spmd_rule {
    uint32_t n_factors, cap;
    xg_factor *factors;
    uint32_t n_operands, n_results; /* leaves of a result */
    xg_spmd_rule_array *arrays;     /* operands, then results */
    bool known;                     /* else every factor is NEED */
    bool other;                     /* reshape: the first dimensions of what is split or merged go together;
                                     * convolution: the input goes with the other one of kernel and result */
} xg_spmd_rule;
XG_FN xg_spmd_rule *xg_spmd_rule_of(xg_arena *a, const xg_inst *i);
/* Another rule that the partitioner may choose; NULL: none */
XG_FN xg_spmd_rule *xg_spmd_rule_other(xg_arena *a, const xg_inst *i);
XG_FN bool xg_window_is_trivial(const xg_window_dim *w);
/* How a select-and-scatter can be given elements that no window selects: 1 lowest, -1 highest; 0: it cannot. */
XG_FN int xg_select_never(const xg_inst *i);
XG_FN void xg_spmd_rule_begin_array(xg_arena *a, xg_spmd_rule_array *t, const xg_shape *s);
XG_FN void xg_spmd_rule_print(xg_buf *b, const xg_spmd_rule *r);
/* sharding_text.c: the arrays, tokens ... of a shape in order */
XG_FN const xg_shape **xg_shape_leaf_list(xg_arena *a, const xg_shape *s);

/* ---- the partitioner ---- */

/* An array of the module, as the devices have it. */
typedef struct xg_spmd_value {
    xg_inst *local;
    const xg_shape *global;
    const xg_sharding *s;
    struct xg_spmd_value *other; /* the same array in another sharding, in a ring; NULL: there is no other */
} xg_spmd_value;

typedef struct xg_spmd_table { /* a number by device */
    xg_inst *value;
    const int64_t *numbers;
    struct xg_spmd_table *next;
} xg_spmd_table;

typedef struct xg_spmd {
    xg_arena *arena;
    xg_module *m;
    xg_hb b; /* at the end of the computation that is being made */
    int64_t channel;
    xg_inst *id; /* of the partition, in that computation */
    xg_spmd_table *tables;
    xg_map64 parts; /* by instruction's id: its leaves, xg_spmd_value ** */
    xg_spmd_mesh mesh;
} xg_spmd;

/* ---- exchange.c: what devices send each other ---- */
XG_FN const xg_shape *xg_spmd_local_shape(
    xg_module *m, const xg_spmd_mesh *mesh, const xg_shape *global, const xg_sharding *s);
/* a scalar s32: the device's own */
XG_FN xg_inst *xg_spmd_by_device(xg_spmd *s, const int64_t *numbers);
XG_FN int64_t *xg_spmd_offsets(xg_spmd *s, const xg_sharding *sharding, uint32_t dim, int64_t step);
XG_FN xg_inst *xg_spmd_collective(xg_spmd *s, xg_opcode op, xg_inst *x, const int64_t *dims, const xg_axes_list *axes);
XG_FN xg_inst *xg_spmd_all_gather(xg_spmd *s, xg_inst *x, uint32_t dim, const xg_axes_list *axes);
/* combined by the computation over all devices that differ in these axes only */
XG_FN xg_inst *xg_spmd_all_reduce(xg_spmd *s, xg_inst *x, const xg_axes_list *axes, xg_comp *by);
XG_FN xg_inst *xg_spmd_reduce_scatter(xg_spmd *s, xg_inst *x, uint32_t dim, const xg_axes_list *axes, xg_comp *by);
/* source[d]: whose x device d gets; -1: zeros */
XG_FN xg_inst *xg_spmd_permute(xg_spmd *s, xg_inst *x, const int64_t *source);
/* x on one of the devices that differ in these axes, the scalar value on the others */
XG_FN xg_inst *xg_spmd_on_first(xg_spmd *s, xg_inst *x, const xg_axes_list *axes, xg_inst *value);
XG_FN xg_axes_list xg_axes_of_set(const xg_spmd_mesh *mesh, xg_axis_set set);
XG_FN xg_inst *xg_spmd_pad_sides(xg_spmd *s, xg_inst *x, uint32_t dim, int64_t low, int64_t high, xg_inst *value);
XG_FN xg_inst *xg_spmd_pad_dim(xg_spmd *s, xg_inst *x, uint32_t dim, int64_t to); /* with zeros behind */
/* x where lo <= offset + index < hi along the dimension, else the scalar value */
XG_FN xg_inst *xg_spmd_keep(
    xg_spmd *s, xg_inst *x, uint32_t dim, xg_inst *offset, int64_t lo, int64_t hi, xg_inst *value);
/* where the part is beyond the array's end along dim: value, a scalar */
XG_FN xg_inst *xg_spmd_mask(xg_spmd *s, xg_inst *x, const xg_spmd_value *like, uint32_t dim, xg_inst *value);

/* ---- halo.c: ranges of a split dimension ---- */
typedef struct xg_halo {
    uint32_t dim;
    int64_t n;            /* elements of the whole dimension */
    int64_t tile;         /* of a part; the last parts have fewer */
    int64_t size;         /* of each range */
    const int64_t *begin; /* by device: of its range; what lies outside [0, n) may be anything, */
    const int64_t *end;   /* as may what lies behind this in the range */
    xg_axes_list axes;    /* that split it */
} xg_halo;
XG_FN int64_t xg_halo_tile(const xg_spmd_mesh *mesh, const xg_axes_list *axes, int64_t device);
/* that a device receives; -1: too many to be worth it */
XG_FN int64_t xg_halo_elements(xg_arena *a, const xg_spmd_mesh *mesh, const xg_halo *h);
XG_FN xg_inst *xg_spmd_halo(xg_spmd *s, xg_inst *x, const xg_halo *h);
/* size elements from a place that is the device's own; what is not in x is the value */
XG_FN xg_inst *xg_spmd_take(xg_spmd *s, xg_inst *x, uint32_t dim, const int64_t *at, int64_t size, xg_inst *value);

/* ---- reshard.c ---- */
XG_FN xg_spmd_value *xg_spmd_part(xg_spmd *s, xg_inst *local, const xg_shape *global, const xg_sharding *sharding);
XG_FN double xg_spmd_bytes(const xg_spmd_mesh *mesh, const xg_shape *global, const xg_sharding *s); /* of a part */
/* bytes that a device sends to get from one sharding to the other */
XG_FN double xg_reshard_bytes(
    xg_arena *a, const xg_spmd_mesh *mesh, const xg_shape *global, const xg_sharding *from, const xg_sharding *to);
/* the least of all shardings that the array is in; *from: which one that is */
XG_FN double xg_spmd_value_bytes(
    xg_arena *a, const xg_spmd_mesh *mesh, const xg_spmd_value *p, const xg_sharding *to, const xg_spmd_value **from);
XG_FN xg_spmd_value *xg_spmd_reshard(xg_spmd *s, xg_spmd_value *p, const xg_sharding *to);
/* may the tiles of a dimension of n elements be cut into `more` each? */
XG_FN bool xg_tiles_nest(int64_t n, int64_t tiles, int64_t more);
XG_FN xg_sharding *xg_sharding_copy(xg_arena *a, const xg_sharding *s);
XG_FN bool xg_axes_begin(const xg_axes_list *l, const xg_axes_list *with); /* is `with` a prefix of l? */
XG_FN uint32_t xg_axes_common(const xg_axes_list *a, const xg_axes_list *b);
XG_FN xg_axes_list xg_axes_cut(const xg_axes_list *l, uint32_t from, uint32_t to);
XG_FN void xg_axes_append(xg_axes_list *l, const xg_axes_list *more);

/* ---- assign.c: which axes split which factors of an instruction ---- */
typedef struct xg_assignment {
    xg_axes_list *factors; /* by factor */
    double bytes;          /* that a device sends for it */
    int64_t tiles;         /* into so many the work is split */
    bool still;            /* PERMUTE factors are not split */
} xg_assignment;

/* ---- reaches.c: what an instruction needs of a split dimension ---- */
typedef struct xg_halo_reach { /* of a dimension with dilation - 1 pads between its elements */
    int64_t *begin;            /* by device */
    int64_t size, dilation;
    int64_t n, inner; /* elements; of them, that have no split between them */
} xg_halo_reach;
/* false: the operand's part is all that it needs there */
XG_FN bool xg_halo_reach_of(xg_arena *a, const xg_spmd_mesh *mesh, const xg_inst *i, const xg_spmd_rule *r,
    const xg_assignment *x, uint32_t operand, uint32_t dim, xg_halo_reach *out);
XG_FN xg_halo xg_halo_reach_halo(
    xg_arena *a, const xg_spmd_mesh *mesh, const xg_halo_reach *g, uint32_t dim, const xg_axes_list *axes);
/* that a device sends for the ranges of an operand, whose part has so many bytes */
XG_FN double xg_halo_reach_bytes(xg_arena *a, const xg_spmd_mesh *mesh, const xg_inst *i, const xg_spmd_rule *r,
    const xg_assignment *x, uint32_t operand, double part);
typedef struct xg_reshape_group { /* dimensions of both shapes with the same elements, without leading ones */
    uint32_t in, in_end, out, out_end;
    int64_t size;
} xg_reshape_group;
XG_FN bool xg_reshape_group_next(const xg_shape *in, const xg_shape *out, xg_reshape_group *g); /* from a cleared one */

/* What an instruction's arrays are like: operands as they are (values), results as they are wanted, NULL: any way. */
XG_FN xg_assignment xg_spmd_split(xg_arena *a, const xg_spmd_mesh *mesh, const xg_inst *i, const xg_spmd_rule *r,
    const xg_sharding *const *arrays, const xg_spmd_value *const *values);
/* The axes that a sharding gives to each factor of a dimension, by place in it, with those of NEED factors. */
XG_FN void xg_spmd_split_project(const xg_spmd_mesh *mesh, const xg_spmd_rule *r, const xg_spmd_rule_array *t,
    uint32_t dim, const xg_sharding *s, xg_axes_list *out);
/* of array t of the rule, under the assignment */
XG_FN xg_sharding *xg_assigned(xg_arena *a, const xg_spmd_rule *r, const xg_assignment *x, uint32_t t);
XG_FN xg_axes_list xg_assigned_sums(const xg_spmd_rule *r, const xg_assignment *x); /* axes of REDUCE factors */
/* Partial results over `sums`: the axes that a reduce-scatter can leave on a dimension, as `wanted` has them; n 0:
 * none.
 */
XG_FN xg_axes_list xg_spmd_split_scatter(const xg_spmd_mesh *mesh, const xg_shape *shape, const xg_sharding *natural,
    const xg_axes_list *sums, const xg_sharding *wanted, uint32_t *dim);

XG_FN bool xg_spmd_split_scatters(const xg_inst *i); /* may its result be scattered while it is combined? */
XG_FN void xg_axes_remove(xg_axes_list *l, const xg_axes_list *gone);

/* ---- top.c: topk of split rows ---- */
XG_FN bool xg_top_has_last(xlagpu_type t);
XG_FN xg_inst *xg_spmd_top(xg_spmd *s, const xg_inst *i, const xg_spmd_value *p, xg_inst *x); /* of the device's part */
XG_FN void xg_spmd_top_again(xg_spmd *s, const xg_inst *i, xg_inst **results, const xg_axes_list *sums); /* of all */

/* ---- local.c: an instruction on parts ---- */
XG_FN bool xg_local_starts_neutral(const xg_inst *i, const xg_axes_list *sums, xg_arena *a);
XG_FN xg_inst *xg_spmd_neutral(xg_spmd *s, int op, xlagpu_type t);
/* operands as the assignment wants them; the results, by leaf, with sums still to be combined */
XG_FN xg_inst *xg_spmd_local(
    xg_spmd *s, const xg_inst *i, const xg_spmd_rule *r, const xg_assignment *x, xg_spmd_value *const *operands);

/* ---- import.c, propagate.c ---- */
/* The mesh of the module's annotations; its devices are the module's partitions, or as many as the annotations name
 * where it says nothing of partitions. */
XG_FN xg_spmd_mesh xg_mesh_of_module(xg_module *m);
XG_FN xg_spmd_mesh xg_mesh_of(xg_module *m, const xg_named_mesh *also); /* with the axes of that one, too */
XG_FN void xg_spmd_annotate(xg_inst *i, const xg_spmd_mesh *mesh, xg_sharding *const *leaves, int64_t n);
XG_FN bool xg_spmd_results_are_open(const xg_module *m);
XG_FN xg_sharding **xg_spmd_said(const xg_spmd_mesh *mesh, const xg_inst *i, bool result);
XG_FN void xg_spmd_import(xg_module *m, const xg_spmd_mesh *mesh);
XG_FN void xg_spmd_prepare(xg_module *m);
XG_FN bool xg_spmd_sharding_propagation(xg_module *m);

/* ---- place.c, batch.c: what the caller says of the devices ---- */
typedef struct xg_place {
    int64_t replicas, partitions;         /* 0: as the module says */
    const char *mesh, *shardings, *batch; /* as place.c has them; NULL: nothing */
} xg_place;
XG_FN void xg_spmd_place(xg_module *m, const xg_place *p);
XG_FN void xg_spmd_split_batch(xg_module *m, const xg_spmd_mesh *mesh, const xg_axes_list *axes);

/* ---- partition.c ---- */
XG_FN bool xg_spmd_has_shardings(const xg_module *m);
XG_FN bool xg_spmd_partitioner(xg_module *m);

XG_FN const xg_sharding **xg_spmd_promised(xg_spmd *s, const xg_inst *i);

/* ---- devices.c: whole arrays and parts of them as values ---- */
/* The part of device d, in its storage; what lies beyond the array's end is NaN, or the least number of its type. */
XG_FN const xg_literal *xg_spmd_cut(xg_module *m, xg_arena *a, const xg_spmd_mesh *mesh, const xg_literal *whole,
    const xg_sharding *const *leaves, int64_t device);
/* The array of the devices' parts. */
XG_FN const xg_literal *xg_spmd_join(xg_module *m, xg_arena *a, const xg_spmd_mesh *mesh, const xg_shape *shape,
    const xg_literal *const *parts, const xg_sharding *const *leaves);
typedef struct xg_spmd_job { /* a module before and after it was partitioned */
    const xg_spmd_mesh *mesh;
    const xg_sharding *const *const *params; /* by parameter and leaf */
    const xg_sharding *const *results;
    const xg_shape *shape; /* of the result */
} xg_spmd_job;
/* Where arguments lie and results come to, as the module says before it is partitioned. */
XG_FN xg_spmd_job xg_spmd_job_of(xg_module *whole, xg_arena *a);
/* Evaluates the partitioned module on all devices: whole arguments, a whole result. */
XG_FN const xg_literal *xg_spmd_eval(const xg_spmd_job *job, xg_module *parts, xg_arena *a,
    const xg_literal *const *args, uint32_t n, const xg_eval_options *o);
typedef struct xg_spmd_traffic {
    double bytes; /* that a device sends, the most busy kind of ring */
    uint32_t collectives;
} xg_spmd_traffic;
XG_FN xg_spmd_traffic xg_spmd_traffic_of(const xg_module *m); /* each instruction counted once */

#endif /* XG_SPMD_H */
