/* indexing/indexing.h -- which elements of an operand an element of the result comes from, as indexing maps; and what
 * follows from them for memory.
 *
 * Ideas
 * - Each opcode's map is one small function, named by the `index` column of hlo/ops.h: xg_index_<word>. It answers for
 *   one output, one operand and one direction, so a caller pays for what it asks.
 * - Maps are over logical indices; layouts come in only where elements are counted in memory order (bitcast, linear
 *   offsets, threads).
 * - A fusion may read an operand through several maps; then the answer is a set.
 *
 * Laws
 * - Dims of a map are the indices of the shape it starts from, in order, with the shape's bounds as intervals; results
 *   are the indices of the other shape.
 * - Range symbols are what is summed or repeated over (reduced dims, windows, broadcast dims going forward). The maps
 *   of the operands of one instruction number the same loop alike: dot, convolution.
 * - Runtime symbols: `source` is the xg_inst whose element is read (clamped into the symbol's interval; a scatter has
 *   no point where it lies outside); the place map says which element.
 * - Maps say what an element may depend on. Where values decide (sort, scatter) that is more than what it does depend
 *   on.
 * - EMPTY: no element is read, or the shape has none. UNDEFINED: there is such a relation, but not as a map of this
 *   kind; the opcode's word in the table is the reason (xg_indexing_why_unknown). */
#ifndef XG_INDEXING_H
#define XG_INDEXING_H
#include "../affine/affine.h"
#include "../hlo/hlo.h"

/* distinct maps, in the order they were found */
typedef struct xg_imaps {
    uint32_t n;
    const xg_imap *const *p;
} xg_imaps;

/* ---- maps.c: the question, and what moves elements ---- */
XG_FN const xg_imap *xg_indexing_operand(
    xg_aff_ctx *x, const xg_inst *i, uint32_t operand); /* from the (first) output to the operand */
/* fusions: UNDEFINED when several are needed */
XG_FN const xg_imap *xg_indexing_output_to_operand(xg_aff_ctx *x, const xg_inst *i, uint32_t output, uint32_t operand);
XG_FN const xg_imap *xg_indexing_operand_to_output(xg_aff_ctx *x, const xg_inst *i, uint32_t operand, uint32_t output);
/* an element of a tuple, or the shape itself */
XG_FN const xg_shape *xg_indexing_output_shape(const xg_inst *i, uint32_t output);
XG_FN uint32_t xg_indexing_n_outputs(const xg_inst *i);
/* the reason why an opcode has no map, on purpose; NULL: it has one */
XG_FN const char *xg_indexing_why_unknown(xg_opcode op);

/* ---- contract.c: dot, convolution, reduce, reduce-window ---- */
/* ---- by_index.c: gather, scatter ---- */
/* ---- whole.c: select-and-scatter, sort, topk, scan, fft, factorisations, norms ---- */

/* ---- text.c: for people ---- */
/* every map of the instruction, both ways, with the places of runtime symbols */
XG_FN void xg_indexing_print(xg_buf *b, xg_aff_ctx *x, const xg_inst *i);
XG_FN void xg_indexing_print_map(xg_buf *b, xg_aff_ctx *x, const char *before, const xg_imap *m);
/* the same of every instruction, under its computation's name */
XG_FN void xg_indexing_print_module(xg_buf *b, const xg_module *m);

/* ---- fusion.c: through computations ---- */
XG_FN xg_imaps xg_indexing_output_to_operand_set(
    xg_aff_ctx *x, const xg_inst *i, uint32_t output, uint32_t operand); /* any opcode; empty maps are left out */
XG_FN xg_imaps xg_indexing_operand_to_output_set(xg_aff_ctx *x, const xg_inst *i, uint32_t operand, uint32_t output);
/* For every instruction of a computation: the maps from an output of `from` to it. start is what comes before `from`
 * (its results are indices of that output), NULL: identity. */
typedef struct xg_indexing_group {
    xg_aff_ctx *x;
    const xg_comp *comp;
    xg_map64 sets;
} xg_indexing_group;
XG_FN xg_indexing_group *xg_indexing_group_back(
    xg_aff_ctx *x, const xg_inst *from, const xg_imap *start); /* towards operands */
/* one UNDEFINED map when they are too many or not known */
XG_FN xg_imaps xg_indexing_group_maps(const xg_indexing_group *g, const xg_inst *i, uint32_t output);

/* ---- layout.c: memory order and threads ---- */
XG_FN bool xg_index_has_order(const xg_shape *s); /* an array whose elements lie at plain strides */
XG_FN const xg_imap *xg_indexing_reshape(xg_aff_ctx *x, const int64_t *from, uint32_t from_rank, const int64_t *to,
    uint32_t to_rank); /* row-major order kept */
/* indices of `from` to the indices of `to` at the same offset; equal element counts */
XG_FN const xg_imap *xg_indexing_bitcast(xg_aff_ctx *x, const xg_shape *from, const xg_shape *to);
/* indices to the offset in elements, by layout */
XG_FN const xg_imap *xg_indexing_linear(xg_aff_ctx *x, const xg_shape *s);
XG_FN const xg_imap *xg_indexing_delinear(xg_aff_ctx *x, const xg_shape *s); /* (offset) to indices */
/* m's results are indices of s: the offset instead */
XG_FN const xg_imap *xg_indexing_flatten(xg_aff_ctx *x, const xg_imap *m, const xg_shape *s);
/* The loop emitter's map (th_x, bl_x)[vector_index] -> indices of s: element unroll * (th_x + threads * bl_x) +
 * vector_index in memory order, with the constraint that there is such an element unless threads * blocks * unroll is
 * exact. */
XG_FN const xg_imap *xg_indexing_thread(
    xg_aff_ctx *x, const xg_shape *s, int64_t threads, int64_t blocks, int64_t unroll);
XG_FN const xg_aff *xg_indexing_thread_linear(
    xg_aff_ctx *x, int64_t threads, int64_t rounds, int64_t unroll); /* which element that is */
/* The same in rounds, of which a symbol `round` counts more than one: in each the threads of a block have one piece of
 * memory. */
XG_FN const xg_imap *xg_indexing_thread_rounds(
    xg_aff_ctx *x, const xg_shape *s, int64_t threads, int64_t blocks, int64_t rounds, int64_t unroll);

/* ---- access.c: what an offset means for memory ---- */
/* How much e grows when var grows by one; false when that is not one number. */
XG_FN bool xg_indexing_stride(const xg_aff *e, const xg_aff *var, int64_t *stride);
/* The largest power of two up to `most` for which the last dims of the loop are aligned vectors of so many elements:
 * what one thread may move at once. m has one result, an offset. */
XG_FN int64_t xg_indexing_vector_width(xg_aff_ctx *x, const xg_imap *m, uint32_t symbol, int64_t most);
/* What one instruction of a warp touches: 32-byte sectors, and the least number that would hold as many distinct
 * elements; and the passes that shared memory of 32 four-byte banks needs (1: free of conflicts). */
typedef struct xg_warp_access {
    uint32_t lanes, sectors, least_sectors, lines, shared_passes;
    bool known;
} xg_warp_access;
/* Lanes are 32 successive values of dim 0 from `warp` * 32 on; the other variables have the given values (NULL: their
 * least). m has one result, an offset in elements; for an access by vectors, compose it so that it counts vectors. */
XG_FN xg_warp_access xg_indexing_warp(
    const xg_imap *m, int64_t warp, const int64_t *dims, const int64_t *syms, int64_t element_bytes);
/* Of the sectors that the first warp touches in its loop over the range symbols (the first few hundred accesses), at
 * least 9 in 10 were needed. */
XG_FN bool xg_indexing_is_coalesced(const xg_imap *m, int64_t element_bytes);

/* ---- inside the room ------------------------------------------------------------------------------------------- */

typedef struct xg_index_query {
    xg_aff_ctx *x;
    const xg_inst *i;
    uint32_t output, operand;
    bool back;                 /* from the output to the operand */
    const xg_shape *out, *in;  /* the output's shape, the operand's */
    const xg_shape *from, *to; /* where the map starts and ends: out, in or in, out */
} xg_index_query;
XG_FN const xg_imap *xg_index_ask(xg_aff_ctx *x, const xg_inst *i, uint32_t output, uint32_t operand, bool back);
XG_FN bool xg_index_is_plain_array(const xg_shape *s);
XG_FN bool xg_index_hands_on(const xg_inst *i);
XG_FN xg_imap *xg_index_begin(const xg_index_query *q, uint32_t n_syms, uint32_t n_rts,
    uint32_t n_constraints); /* dims are the indices of q->from */
XG_FN const xg_aff *xg_index_sym(
    const xg_index_query *q, xg_imap *m, uint32_t which, int64_t size); /* gives the symbol its interval */
XG_FN const xg_aff *xg_index_dim(const xg_index_query *q, uint32_t which);
XG_FN void xg_index_require(
    xg_imap *m, uint32_t *n, const xg_aff *e, int64_t lo, int64_t hi); /* constraint number (*n)++ */
XG_FN const xg_aff *xg_index_scalar_rt(
    const xg_index_query *q, xg_imap *m, uint32_t which, const xg_inst *source, int64_t most);
XG_FN const xg_imap *xg_index_nothing(const xg_index_query *q);
XG_FN const xg_imap *xg_index_scalar(const xg_index_query *q);
/* The words of hlo/ops.h that are not in maps.c. */
XG_FN const xg_imap *xg_index_dot(const xg_index_query *q);
XG_FN const xg_imap *xg_index_convolution(const xg_index_query *q);
XG_FN const xg_imap *xg_index_reduce(const xg_index_query *q);
XG_FN const xg_imap *xg_index_reduce_window(const xg_index_query *q);
XG_FN const xg_imap *xg_index_gather(const xg_index_query *q);
XG_FN const xg_imap *xg_index_fusion(const xg_index_query *q);
XG_FN const xg_imap *xg_index_call(const xg_index_query *q);
XG_FN const xg_imap *xg_index_scatter(const xg_index_query *q);
XG_FN const xg_imap *xg_index_scaled_dot(const xg_index_query *q);
XG_FN const xg_imap *xg_index_select_and_scatter(const xg_index_query *q);
XG_FN const xg_imap *xg_index_along(const xg_index_query *q);
XG_FN const xg_imap *xg_index_scan(const xg_index_query *q);
XG_FN const xg_imap *xg_index_fft(const xg_index_query *q);
XG_FN const xg_imap *xg_index_cholesky(const xg_index_query *q);
XG_FN const xg_imap *xg_index_triangular_solve(const xg_index_query *q);
XG_FN const xg_imap *xg_index_batch_norm(const xg_index_query *q);
/* What windows share. */
XG_FN xg_window xg_index_window_of(const xg_inst *i);
XG_FN const xg_aff *xg_index_window_input(const xg_index_query *q, xg_imap *m, uint32_t *n, const xg_window_dim *w,
    const xg_aff *o, const xg_aff *at, int64_t input_size);
XG_FN const xg_aff *xg_index_window_output(const xg_index_query *q, xg_imap *m, uint32_t *n, const xg_window_dim *w,
    const xg_aff *d, const xg_aff *at, int64_t output_size);

/* Dims from minor to major: (size, stride, which). */
typedef struct xg_index_order {
    uint32_t n;
    int64_t size[XG_RANK_MAX], stride[XG_RANK_MAX];
    uint32_t dim[XG_RANK_MAX];
} xg_index_order;

/* layout.c */
XG_FN xg_index_order xg_index_order_of_run(const int64_t *dims, uint32_t from, uint32_t to);
XG_FN void xg_index_order_push(xg_index_order *o, uint32_t dim, int64_t size);
XG_FN void xg_index_delinearise(xg_aff_ctx *x, const xg_index_order *o, const xg_aff *linear, const xg_aff **at);
XG_FN xg_index_order xg_index_order_of_shape(const xg_shape *s);
#endif /* XG_INDEXING_H */
