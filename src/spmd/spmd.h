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
    uint8_t start[XG_RANK_MAX + 1]; /* the axes of dimension d are axes[start[d]] .. axes[start[d + 1]] */
    uint8_t axes[XG_SPMD_AXES_MAX]; /* major first */
    xg_axis_set manual, unreduced;  /* the shape is local along these; a value is a part of a sum along those */
    xg_axis_set replicated;         /* explicitly: no dimension may take them */
    uint64_t open;                  /* a bit for each dimension that propagation may still split */
    int64_t device;                 /* MAXIMAL */
    const int64_t *devices;         /* by device: the one of the plain tiling that it stands for; NULL: itself */
    uint32_t group;                 /* 1 + shard_as or shard_like, */
    bool group_as;                  /* and which of them; 0: in none */
} xg_sharding;

/* ---- sharding.c: meshes, tiles ---- */
/* A tiling as text has it: a tile count for each dimension and subgroup, and the devices in row-major order. */
typedef struct xg_tiling {
    uint32_t rank, n; /* dimensions of the shape; those with subgroups behind them */
    int64_t tiles[XG_RANK_MAX + 8];
    char group[XG_RANK_MAX + 8]; /* of a subgroup: 'r'eplicated, 'R' explicitly so, 'm'anual, 'u'nreduced */
    int64_t devices, *list;
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
/* The mesh of the module's annotations; its devices are the module's partitions, or as many as the annotations name
 * where it says nothing of partitions. */
XG_FN xg_spmd_mesh xg_mesh_of_module(xg_module *m);
/* By leaf of the instruction's shape; NULL: it has no sharding. An array where it has one for all. */
XG_FN xg_sharding **xg_sharding_of(xg_arena *a, const xg_spmd_mesh *mesh, const xg_inst *i);
XG_FN void xg_sharding_print(xg_buf *b, const xg_spmd_mesh *mesh, const xg_sharding *s, xg_sharding_form form);

#endif /* XG_SPMD_H */
