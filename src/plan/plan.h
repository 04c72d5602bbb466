/* plan/plan.h -- from a module of fusions to an executable: order, memory, thunks, bytes.
 *
 * Ideas
 * - The schedule is the entry's textual order.
 * - Every array that the program handles is a slice of an allocation: parameters and results are the caller's, constants come with the
 *   executable, the rest shares one temporary block, where two values may lie on each other when their lifetimes do not meet.
 * - Tuples, get-tuple-element, bitcast and barriers make no code: they are other names for slices.
 * - A value that leaves the program is computed directly into the result's buffer; a parameter or constant that leaves, or a value that leaves
 *   twice, is copied. */
#ifndef XG_PLAN_H
#define XG_PLAN_H
#include "../api/executable.h"
#include "../fuse/fuse.h"
#include "../opt/opt.h"

typedef struct xg_buffer { /* the memory of one array */
    const xg_inst *owner;
    uint32_t leaf;              /* which leaf of the owner's shape */
    xg_exe_allocation_kind kind;
    uint32_t index;             /* parameter leaf or result leaf number; allocation number once placed */
    int64_t bytes;
    uint32_t first, last;       /* positions in the schedule between which it is needed */
    int64_t offset;             /* TEMP: place in the block */
    bool placed;                /* TEMP: offset is settled */
    uint32_t slice;             /* number of its slice in the executable */
} xg_buffer;

/* links are buffers; children are sequences: of a while its condition and body, of a conditional its branches. */
typedef struct xg_plan_step { xg_exe_thunk_kind kind; const xg_inst *inst; uint32_t kernel, value; uint32_t n_links; uint32_t *links; uint32_t n_children; uint32_t *children; } xg_plan_step;
typedef struct xg_plan_sequence { const xg_comp *comp; XG_VEC(uint32_t) steps; } xg_plan_sequence;
typedef struct xg_plan_kernel { xg_str name; uint32_t shared_bytes, threads[3], blocks[3]; } xg_plan_kernel;

typedef struct xg_plan {
    xg_module *m;
    xg_arena *arena;
    XG_VEC(xg_buffer *) buffers;
    xg_map64 of;                /* (instruction id << 32 | leaf) + 1 -> xg_buffer */
    xg_buffer **params;         /* parameter leaves */
    uint32_t n_params;
    xg_buffer **results;        /* result leaves */
    uint32_t n_results;
    int64_t temp_bytes;
    XG_VEC(xg_plan_step) steps;
    XG_VEC(xg_plan_sequence *) sequences; /* 0: the entry */
    XG_VEC(xg_plan_kernel) kernels;
    xg_str ptx, hlo, target_name;
    uint32_t target;
} xg_plan;

/* ---- buffers.c ---- */
XG_FN xg_plan *xg_plan_buffers(xg_arena *a, xg_module *m);  /* values to buffers; temporary memory packed */
XG_FN xg_buffer *xg_plan_value(const xg_plan *p, const xg_inst *i, uint32_t leaf); /* where a leaf of an instruction lies */
XG_FN xg_buffer *xg_plan_operand(const xg_plan *p, const xg_inst *fusion, uint32_t operand); /* what the kernel reads: the operand, or its copy in the result that is written over it */
XG_FN int64_t xg_plan_bytes(const xg_shape *s);             /* of an array in a buffer */
/* ---- thunks.c ---- */
/* Makes the steps; a fusion that needs a kernel is given to `kernel`, which returns its number in p->kernels. */
typedef uint32_t (*xg_plan_kernel_fn)(void *user, xg_plan *p, const xg_inst *fusion);
XG_FN void xg_plan_thunks(xg_plan *p, xg_plan_kernel_fn kernel, void *user);
XG_FN void xg_plan_print(xg_buf *b, const xg_plan *p);      /* the thunk sequence as text */
XG_FN void xg_plan_print_buffers(xg_buf *b, const xg_plan *p); /* the buffer assignment as text */
/* ---- bytes.c ---- */
XG_FN xg_str xg_plan_executable(xg_plan *p, bool fill_elided); /* the serialised executable */

#endif /* XG_PLAN_H */
