/* fuse/fuse.h -- which instructions become one kernel, and how one fused computation is cut into functions.
 *
 * Now: every operation of the entry that needs a kernel is wrapped into a fusion of its own (XLA's FusionWrapper); fusions that the
 * module brings are kept. */
#ifndef XG_FUSE_H
#define XG_FUSE_H
#include "../indexing/indexing.h"
#include "../opt/opt.h"

/* ---- wrap.c ---- */
XG_FN bool xg_fuse_wrap(xg_module *m);             /* wraps what needs a kernel into fusions; true when it changed something */
XG_FN bool xg_fuse_hoist_constants(xg_module *m);  /* array constants inside fusions become their operands */

/* ---- in_place.c: what a leaf of a fusion's result does with the memory of an operand; the arena is for work ---- */
XG_FN bool xg_fuse_may_share(xg_arena *a, const xg_inst *fusion, uint32_t operand, uint32_t leaf); /* it may be written over the operand */
XG_FN int64_t xg_fuse_in_place(xg_arena *a, const xg_inst *fusion, uint32_t leaf); /* the operand that it must be written over; -1: none. The operand's contents are there when the kernel starts */

XG_FN int64_t xg_fuse_said(const xg_inst *i, uint32_t leaf);                       /* what its output_to_operand_aliasing says of the leaf, or -1 */

/* ---- partition.c ---- */
/* A fused computation as functions. Function 0 gives one element per root of the fusion that is near the first (has as many elements), at the indices of the
 * first root; each other function has one instruction as its root, and gives one element per output of it. Every instruction of a function is reached through exactly one indexing map from the function's indices, so it is
 * emitted once; an instruction that is reached through several becomes the root of a function of its own, and code size stays linear. */
typedef struct xg_part { xg_inst *root; uint32_t size; } xg_part; /* root NULL: function 0 */
typedef struct xg_partition {
    uint32_t n_roots;
    xg_inst **roots;          /* the root, or the operands of a root tuple */
    uint32_t n_parts;
    const xg_part *parts;
    uint32_t n_insts;
    xg_inst **insts;          /* the computation's, in order */
    xg_map64 places;          /* instruction id -> place in insts, plus 1 */
    uint32_t *part_of;        /* by place: function it is emitted in; UINT32_MAX: nothing uses it */
    const xg_imap **map_of;   /* by place: the function's indices to its own; NULL for what is emitted wherever it is used */
} xg_partition;
XG_FN xg_partition *xg_fuse_partition(xg_arena *a, xg_aff_ctx *x, const xg_comp *comp);
XG_FN bool xg_partition_is_near(const xg_partition *p, uint32_t root); /* root 0 and those with as many elements */
XG_FN const xg_imap *xg_partition_root_map(xg_aff_ctx *x, const xg_partition *p, uint32_t root); /* indices of root 0 to those of a near root at the same place in memory */
XG_FN uint32_t xg_partition_place(const xg_partition *p, const xg_inst *i);
XG_FN bool xg_partition_is_root(const xg_partition *p, uint32_t place); /* of a function other than 0 */
XG_FN void xg_partition_print(xg_buf *b, const xg_partition *p);

#endif /* XG_FUSE_H */
