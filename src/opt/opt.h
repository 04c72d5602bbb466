/* opt/opt.h -- HLO to HLO, one pass a file. A pass is bool pass(xg_module *m): it changes the module and says whether
 * it did. It neither prints nor verifies nor times itself: the driver does (driver/passes.h lists them in order). */
#ifndef XG_OPT_H
#define XG_OPT_H
#include "../hlo/hlo.h"

/* a copy of the computation in front of `at`, its parameters replaced by `args`; its root */
XG_FN xg_inst *xg_opt_inline(const xg_comp *from, xg_comp *to, xg_inst *at, xg_inst *const *args);
XG_FN void xg_opt_unfuse(xg_inst *fusion);      /* what was fused instead of it */
XG_FN bool xg_opt_call_inliner(xg_module *m);   /* call_inliner.c: every call in place of its computation's copy */
XG_FN bool xg_opt_host_offloader(xg_module *m); /* host_offloader.c: what goes to the host and back, by copies */
/* tuple_simplifier.c: get-tuple-element of tuple, and through barriers */
XG_FN bool xg_opt_tuple_simplifier(xg_module *m);
XG_FN bool xg_opt_constant_folding(xg_module *m);          /* constant_folding.c: what depends on constants only */
XG_FN bool xg_opt_dce(xg_module *m);                       /* dce.c: instructions and computations that nothing needs */
XG_FN bool xg_dce_fusion_params(xg_inst *fusion);          /* those that nothing uses go, with the operands */
XG_FN unsigned char *xg_opt_acting_comps(xg_module *m);    /* by computation id: has it effects? */
XG_FN unsigned char *xg_opt_control_sources(xg_module *m); /* by instruction id: is it a control predecessor? */
XG_FN bool xg_opt_has_control(const xg_module *m);
/* control predecessors that have gone are forgotten: after each pass, by the driver */
XG_FN void xg_opt_settle_control(xg_module *m);
XG_FN void xg_opt_settle_fusion(xg_inst *fusion); /* what does not serve the root inside of it goes, parameters too */
/* in all of them, and each has a computation of its own: after each pass, by the driver, where a module came with
 * fusions */
XG_FN void xg_opt_settle_fusions(xg_module *m);
XG_FN bool xg_opt_taken_elements(
    const xg_inst *tuple, unsigned char *taken); /* by index; false: it is used as a whole */
/* canonical.c: one text for modules of one structure: order, names, without metadata */
XG_FN bool xg_opt_canonical_order(xg_module *m);
XG_FN bool xg_opt_canonical_names(xg_module *m);
XG_FN bool xg_opt_strip_metadata(xg_module *m);
XG_FN bool xg_opt_cse(xg_module *m);        /* cse.c: equal instructions become one */
XG_FN bool xg_cse_describes(xg_attr_key k); /* an attribute that says nothing about the value */
/* defuser.c: fusions for generators that are not here, taken apart */
XG_FN bool xg_opt_defuser(xg_module *m);
XG_FN bool xg_opt_operand_upcaster(xg_module *m); /* operand_upcaster.c: operations whose types differ */
/* fusion_legalizer.c: those that the module came with, as kernels can be made of them */
XG_FN bool xg_opt_fusion_legalizer(xg_module *m);
XG_FN bool xg_opt_tiled_layouts(xg_module *m);      /* tiled_layouts.c: arrays with tiles, as dense ones */
XG_FN bool xg_opt_bitcast_types(xg_module *m);      /* and bitcasts that change the type of elements */
XG_FN bool xg_opt_gather_simplifier(xg_module *m);  /* gather_simplifier.c: gathers in their canonical form */
XG_FN bool xg_opt_scatter_simplifier(xg_module *m); /* scatter_simplifier.c: scatters in theirs */
/* scatter_winners.c: of updates that overwrite each other the last one is written */
XG_FN bool xg_opt_scatter_winners(xg_module *m);
XG_FN bool xg_opt_concatenate_splitter(xg_module *m); /* concatenate_splitter.c */
XG_FN bool xg_opt_joined_splitter(xg_module *m);      /* joined_splitter.c */
XG_FN bool xg_opt_zero_sized(xg_module *m);           /* zero_sized.c */
XG_FN bool xg_opt_zero_sized_gather(xg_module *m);
XG_FN bool xg_opt_sort_simplifier(xg_module *m); /* sort_simplifier.c: operands that nothing needs sorted */
/* topk_rewriter.c: a comparator of (value, value, index, index) that orders as topk does, in front of a computation */
XG_FN xg_comp *xg_topk_comparator(const xg_inst *topk, xlagpu_type t, xg_comp *before);
XG_FN bool xg_opt_topk_rewriter(xg_module *m); /* topk_rewriter.c: sorts of which few elements are taken */
XG_FN bool xg_opt_topk_calls(xg_module *m);    /* and the custom call TopK */
/* conditional_simplifier.c: known branches, branches that are selects */
XG_FN bool xg_opt_conditional_simplifier(xg_module *m);
/* conditional_code_motion.c: what all branches compute, in front of them */
XG_FN bool xg_opt_conditional_code_motion(xg_module *m);
/* while_simplifier.c: trip counts, state, invariant code, unrolling */
typedef struct xg_while {
    xg_module *m;
    uint32_t n;                       /* elements of the state */
    xg_inst *loop, *init, *in, *test; /* in, test: the parameters of body and condition */
    xg_comp *body, *condition;
    unsigned char *invariant, *taken, *live;
    bool whole;          /* the result is used as a whole */
    int64_t first, step; /* of the element that counts, once its rounds are known */
} xg_while;
XG_FN bool xg_while_look(xg_while *w, xg_inst *i); /* false: no loop over a tuple that is taken apart */
/* An integer that begins as a constant, and to which each round adds one, or from which it takes one. */
XG_FN bool xg_while_counts(const xg_while *w, uint32_t k, int64_t *first, int64_t *step);
XG_FN bool xg_opt_while_simplifier(xg_module *m);
XG_FN bool xg_opt_trip_count_annotator(xg_module *m);
/* the element of the state that counts, and between which numbers it lies in the computation */
typedef struct xg_loop_counter {
    int64_t index, lo, hi;
} xg_loop_counter;
/* by id of bodies and conditions, of loops whose rounds are known and that share no computation */
XG_FN xg_map64 *xg_opt_loop_counters(xg_module *m);
/* dce.c: has it effects, given those of computations? */
XG_FN bool xg_dce_acts(const xg_inst *i, const unsigned char *acts);
/* the other way round of xg_opt_control_comps */
XG_FN void xg_opt_set_control_comps(xg_inst *i, const xg_comps *comps);
/* simplify_fp_conversions.c: roundings that are taken back at once, where that is allowed */
XG_FN bool xg_opt_simplify_fp_conversions(xg_module *m);
XG_FN bool xg_opt_dot_dimension_sorter(xg_module *m); /* dot_dimensions.c: contracting dimensions in order, */
XG_FN bool xg_opt_dot_dimension_merger(xg_module *m); /* and neighbours of the same part as one */
/* dot_strength_reduction.c: dots with a vector as multiply and reduce */
XG_FN bool xg_opt_dot_strength_reduction(xg_module *m);
XG_FN bool xg_opt_collective_simplifier(xg_module *m); /* collective_simplifier.c: collectives of one device */
/* collective_canonicalizer.c: each exchanges runs of bytes */
XG_FN bool xg_opt_collective_canonicalizer(xg_module *m);
XG_FN bool xg_opt_transfers_to_permutes(xg_module *m); /* send and recv as collective-permute */
XG_FN bool xg_opt_is_collective(const xg_inst *i);     /* and neither begins nor ends an asynchronous pair */
XG_FN bool xg_opt_is_canonical_collective(const xg_inst *i);
XG_FN int xg_opt_device_reducer(const xg_inst *i); /* the opcode by which devices reduce; -1: they cannot */
XG_FN int64_t xg_opt_group_size(const xg_inst *i); /* devices of the first group */
XG_FN void xg_opt_allow_tf32(xg_module *m);        /* allow_tf32.c: f32 products of the default precision */
XG_FN bool xg_opt_async_to_sync(xg_module *m);     /* async_to_sync.c: asynchronous pairs as one step */
/* collective_combiner.c: collectives of a kind as one, of at most so many bytes as `limit` says of the first; */
typedef int64_t (*xg_gang_limit)(const xg_inst *first);
XG_FN bool xg_opt_combine(xg_module *m, xg_opcode op, xg_gang_limit limit);
XG_FN int64_t xg_gang_bytes(const xg_inst *i);
XG_FN bool xg_opt_all_reduce_reassociate(xg_module *m); /* and sums of all-reduces as an all-reduce of sums */
XG_FN bool xg_opt_all_reduce_folder(xg_module *m);      /* all_reduce_folder.c: all-reduces of all-reduces */
XG_FN bool xg_opt_all_reduce_promotion(xg_module *m);   /* all_reduce_promotion.c: in wider types */
/* reduce_scatter_creator.c: of an all-reduce, each device's own part */
XG_FN bool xg_opt_reduce_scatter_creator(xg_module *m);
XG_FN bool xg_opt_collective_rules(xg_module *m); /* collective_rules.c: the algebra of collectives, a table */
/* while_all_reduce.c: what a loop adds up is summed over devices behind it, once */
XG_FN bool xg_opt_while_all_reduce(xg_module *m);
/* async_collectives.c: collectives as pairs of start and done, with what does not wait for them in between */
XG_FN bool xg_opt_async_collectives(xg_module *m);
XG_FN bool xg_opt_entry_layout(xg_module *m);   /* entry_layout.c: what is handed on has one layout at both ends */
XG_FN bool xg_opt_forget_layouts(xg_module *m); /* layouts that say nothing */

XG_FN bool xg_opt_flatten_call_graph(xg_module *m); /* flatten_call_graph.c: loops and branches share no computations */
XG_FN bool xg_opt_is_control(const xg_inst *i);     /* while or conditional */
/* the computations that the attribute names, by their ids */
XG_FN void xg_opt_mark_comps(const xg_attr *a, unsigned char *marks);
XG_FN xg_comps xg_opt_control_comps(xg_arena *a, const xg_inst *i); /* what it runs, in the order of its attributes */
XG_FN xg_comps xg_opt_sequences(xg_module *m); /* the entry, and what loops and branches run from there */
XG_FN bool xg_opt_each_sequence(xg_module *m, bool (*fn)(xg_comp *c));
XG_FN bool xg_opt_each_step(xg_module *m, bool (*fn)(xg_inst *i)); /* of them */
XG_FN bool xg_assign_keeps(const xg_inst *i);                      /* the result has the order of the operands */
XG_FN bool xg_opt_layout_assignment(xg_module *m);    /* layout_assignment.c: layouts that let transposes be bitcasts */
XG_FN bool xg_opt_layout_normalization(xg_module *m); /* layout_normalization.c: dimensions in the order of memory */
XG_FN xg_comp *xg_opt_clone_comp(const xg_comp *from, xg_comp *before);

/* ---- reducer.c: partial results of a reduce ---- */
/* what they may start from; NEUTRAL: init comes in once, at the end */
typedef enum xg_reducer_start {
    XG_REDUCER_UNKNOWN,
    XG_REDUCER_FROM_INIT,
    XG_REDUCER_FROM_NEUTRAL
} xg_reducer_start;
XG_FN xg_reducer_start xg_reducer_start_of(const xg_inst *reduce, xg_arena *a);
XG_FN bool xg_reducer_sums_from_zero(const xg_inst *reduce);
XG_FN bool xg_reducer_is_known(const xg_inst *reduce, xg_arena *a); /* it is not UNKNOWN: cheaper to ask */
XG_FN bool xg_reducer_is_plain(const xg_comp *c);  /* one operation of both parameters, in either order */
XG_FN bool xg_reducer_is_sum(const xg_comp *c);    /* add(p0, p1) in either order, of one type */
XG_FN double xg_reducer_neutral(const xg_comp *c); /* of a plain sum or product */
/* the type that a sum is carried in; INVALID: the reducer's own types */
XG_FN xlagpu_type xg_reducer_wide(const xg_comp *c, xlagpu_type t);
/* a reduce-window of which each result folds all elements up to it (reverse: from it on) along dim */
XG_FN bool xg_window_is_scan(const xg_inst *i, uint32_t *dim, bool *reverse);
XG_FN int xg_reducer_opcode(const xg_comp *c); /* the opcode of a computation f(x, y) = op(x, y), else -1 */
/* reduce_reuse.c: a reduction made from one of fewer dimensions, where both are wanted */
XG_FN bool xg_opt_reduce_reuse(xg_module *m);
/* row_splitter.c: dependent sums over rows that are too long to be kept, as sums of parts */
XG_FN bool xg_opt_row_splitter(xg_module *m);
/* tree_reduction.c: reductions for few blocks become two, one behind the other */
XG_FN bool xg_opt_tree_reduction(xg_module *m);

XG_FN bool xg_opt_scan_splitter(xg_module *m); /* scan_splitter.c: running sums for few threads become sums of parts */

/* ---- attention.c: softmax(f(Q K)) V ---- */
enum {
    XG_ATTENTION_FACTORS = 4 /* of a row, between exp and the second dot */
};
typedef struct xg_attention_share {
    xg_inst *of; /* a broadcast of what each row has one of */
    bool divides;
} xg_attention_share;
typedef struct xg_attention {
    xg_inst *scores_dot, *out_dot; /* of Q and K; of the weights and V */
    uint32_t weights;              /* the operand of out_dot that is made of exp */
    xg_inst *difference;           /* scores less what is made of their maximum: exp is that of it */
    xg_inst *scored;               /* what max is of, but for conversions */
    xg_inst *max, *exp, *sum;      /* sum NULL: there is none */
    uint32_t n_factors;
    xg_attention_share factors[XG_ATTENTION_FACTORS];
} xg_attention;
XG_FN bool xg_attention_find(xg_inst *dot, xg_attention *a);              /* whose second dot it is */
XG_FN bool xg_attention_depends(const xg_inst *x, const xg_inst *target); /* by what may stand inside of it */

/* The scratch of both dots of what looks like attention points to the mark, that of all others is NULL. */
XG_FN void xg_attention_mark(xg_module *m, void *mark);
/* x has what there is one of for each row: it is made of maximum or sum. */
XG_FN bool xg_attention_of_row(const xg_attention *a, const xg_inst *x);
XG_FN bool xg_attention_leads(const xg_attention *a, const xg_inst *x); /* exp itself, not its sum alone, is in x */
XG_FN bool xg_attention_moves(const xg_inst *i);                        /* its elements are those of its operand */
XG_FN bool xg_attention_passes(const xg_inst *i); /* a value goes on through it, one element at a time */
XG_FN bool xg_attention_is_zero(const xg_inst *i);
XG_FN bool xg_attention_reduces(
    const xg_inst *i, xg_opcode op, double init); /* by op, from init, along one dimension */
/* The first dot that gives so many elements. */
XG_FN xg_inst *xg_attention_find_dot(xg_inst *i, int64_t elements, uint32_t depth);

/* ---- attention_back.c: its gradients ---- */
enum {
    XG_ATTENTION_ASKED = 192,        /* instructions that one question may look at: several times what any model has */
    XG_ATTENTION_GRADIENT_STEPS = 16 /* operations one behind the other between exp and a dot */
};
typedef struct xg_attention_gradient {
    xg_inst *dot;                                      /* of what is made of exp, and a matrix */
    uint32_t made;                                     /* that operand */
    xg_inst *exp, *difference, *scores_dot, *grad_dot; /* grad_dot: dO V; NULL: what is multiplied is the weights */
} xg_attention_gradient;
XG_FN bool xg_attention_gradient_scores(xg_attention_gradient *g, xg_inst *exp); /* exp of scores less a row's */
XG_FN bool xg_attention_gradient_find(xg_inst *dot, xg_attention_gradient *g);
XG_FN bool xg_attention_has_gradient(xg_inst *exp);                     /* dQ, or dK, is made of it */
XG_FN bool xg_attention_gradient_leads(xg_inst *i, const xg_inst *exp); /* it is 0 where this exp is */

/* ---- build.c: making instructions ---- */
/* before NULL: at the end; from: whose metadata and place in the source, or NULL */
typedef struct xg_hb {
    xg_comp *comp;
    xg_inst *before;
    const xg_inst *from;
} xg_hb;
typedef struct xg_dot_dims {
    xg_ints lb, lc, rb, rc;
} xg_dot_dims;
typedef struct xg_loop {
    xg_hb b;
    xg_comp *condition;
    xg_inst *init, *k, **state;
    uint32_t n;
} xg_loop;
XG_FN xg_hb xg_hb_at(xg_inst *i); /* in front of i, with its metadata */
XG_FN xg_hb xg_hb_end(xg_comp *c, const xg_inst *from);
XG_FN xg_inst *xg_hb_op(const xg_hb *b, xg_opcode op, const xg_shape *shape, xg_inst *const *operands, uint32_t n);
XG_FN xg_inst *xg_hb_of(const xg_hb *b, xg_opcode op, const xg_shape *shape, xg_inst *x); /* of one operand */
XG_FN xg_inst *xg_hb_done(xg_inst *i); /* gives it the shape that inference says */
XG_FN const xg_shape *xg_hb_shape(const xg_hb *b, xlagpu_type t, const int64_t *dims, uint32_t rank);
XG_FN xg_inst *xg_hb_1(const xg_hb *b, xg_opcode op, xg_inst *x);
XG_FN xg_inst *xg_hb_2(const xg_hb *b, xg_opcode op, xg_inst *x, xg_inst *y);
XG_FN xg_inst *xg_hb_add(const xg_hb *b, xg_inst *x, xg_inst *y);
XG_FN xg_inst *xg_hb_sub(const xg_hb *b, xg_inst *x, xg_inst *y);
XG_FN xg_inst *xg_hb_mul(const xg_hb *b, xg_inst *x, xg_inst *y);
XG_FN xg_inst *xg_hb_div(const xg_hb *b, xg_inst *x, xg_inst *y);
XG_FN xg_inst *xg_hb_select(const xg_hb *b, xg_inst *p, xg_inst *x, xg_inst *y);
XG_FN xg_inst *xg_hb_compare(const xg_hb *b, const char *direction, xg_inst *x, xg_inst *y);
XG_FN xg_inst *xg_hb_convert(const xg_hb *b, xg_inst *x, xlagpu_type t);
XG_FN xg_inst *xg_hb_bitcast_convert(const xg_hb *b, xg_inst *x, xlagpu_type t); /* of the same width */
XG_FN xg_inst *xg_hb_literal(const xg_hb *b, const xg_literal *l);
XG_FN xg_inst *xg_hb_int(const xg_hb *b, xlagpu_type t, int64_t v); /* a scalar of any type */
XG_FN xg_inst *xg_hb_zero(const xg_hb *b, xlagpu_type t);
XG_FN xg_inst *xg_hb_float(const xg_hb *b, xlagpu_type t, double v);
XG_FN xg_inst *xg_hb_splat(const xg_hb *b, xg_inst *scalar, const int64_t *dims, uint32_t rank);
XG_FN xg_inst *xg_hb_int_like(const xg_hb *b, const xg_inst *x, int64_t v); /* everywhere, in the shape and type of x */
XG_FN xg_inst *xg_hb_float_like(const xg_hb *b, const xg_inst *x, double v);
XG_FN xg_inst *xg_hb_iota(const xg_hb *b, xlagpu_type t, const int64_t *dims, uint32_t rank, int64_t dim);
XG_FN bool xg_ints_equal(xg_ints a, xg_ints b);
XG_FN bool xg_dims_equal(const xg_shape *s, const int64_t *dims, uint32_t rank);
XG_FN bool xg_perm_is_identity(const int64_t *perm, uint32_t n);
XG_FN xg_inst *xg_hb_in_dims(const xg_hb *b, xg_opcode op, xg_inst *x, const int64_t *dims, uint32_t rank);
XG_FN xg_inst *xg_hb_reshape(const xg_hb *b, xg_inst *x, const int64_t *dims, uint32_t rank);
XG_FN xg_inst *xg_hb_broadcast(
    const xg_hb *b, xg_inst *x, const int64_t *dims, uint32_t rank, const int64_t *places, uint32_t n);
XG_FN xg_inst *xg_hb_transpose(const xg_hb *b, xg_inst *x, const int64_t *perm);
XG_FN xg_inst *xg_hb_reverse(const xg_hb *b, xg_inst *x, const int64_t *dims, uint32_t n);
XG_FN xg_inst *xg_hb_slice(const xg_hb *b, xg_inst *x, const xg_slice_dim *d);
XG_FN xg_inst *xg_hb_slice_dim(const xg_hb *b, xg_inst *x, uint32_t dim, int64_t start, int64_t limit);
XG_FN xg_inst *xg_hb_pad(const xg_hb *b, xg_inst *x, xg_inst *value, const xg_pad_dim *d);
XG_FN xg_inst *xg_hb_concat(const xg_hb *b, xg_inst *const *in, uint32_t n, int64_t dim);
XG_FN xg_inst *xg_hb_dynamic_slice(const xg_hb *b, xg_inst *x, xg_inst *const *starts, const int64_t *sizes);
/* x[numbers[k], ..] for the row numbers [n]; numbers outside are clamped */
XG_FN xg_inst *xg_hb_rows(const xg_hb *b, xg_inst *x, xg_inst *numbers);
/* Running sums of n arrays by c along a dimension, from its end if reverse; in: the arrays, and what sums begin with */
XG_FN xg_inst *xg_hb_scan(const xg_hb *b, xg_inst *const *in, uint32_t n, xg_comp *c, uint32_t dim, bool reverse);
XG_FN xg_inst *xg_hb_dynamic_update_slice(const xg_hb *b, xg_inst *x, xg_inst *update, xg_inst *const *starts);
XG_FN xg_comp *xg_hb_reducer(const xg_hb *b, xg_opcode op, xlagpu_type t);
XG_FN xg_inst *xg_hb_reduce(
    const xg_hb *b, xg_inst *x, xg_inst *init, const int64_t *dims, uint32_t n, xg_comp *to_apply);
XG_FN xg_inst *xg_hb_sum(const xg_hb *b, xg_inst *x, const int64_t *dims, uint32_t n);
XG_FN xg_inst *xg_hb_dot(const xg_hb *b, xg_inst *l, xg_inst *r, xg_dot_dims d, xlagpu_type t, const xg_inst *like);
XG_FN xg_dot_dims xg_dot_dims_of(const xg_inst *dot);
XG_FN bool xg_dot_reduces(const xg_inst *i); /* a dot with a vector, which may become multiply and reduce */
XG_FN xg_inst *xg_dot_reduce(const xg_hb *b, xg_inst *dot);
XG_FN bool xg_dot_is_packed(const xg_inst *x);
XG_FN int64_t xg_dot_packed_rows(const xg_inst *dot);   /* up to so many a product's tiles unpack such weights */
XG_FN const xg_inst *xg_dot_unscaled(const xg_inst *x); /* the matrix without conversions, zero points and scales */
XG_FN bool xg_dot_is_of_bytes(const xg_inst *dot);      /* with a vector, but rather one of tiles */
XG_FN bool xg_dot_is_of_tiles(const xg_inst *dot);      /* that, or another of which tiles are quicker */
XG_FN bool xg_dot_is_left(const xg_inst *dot);          /* such a one, which does not become a reduction */
XG_FN bool xg_dot_is_symmetric(const xg_inst *dot);     /* its operands may change places: one precision for both */
XG_FN xg_inst *xg_opt_label(const xg_inst *x, int64_t dim);
XG_FN int64_t xg_cost_op(const xg_inst *i);       /* instructions.c: what it executes for one element, about */
XG_FN bool xg_opt_has_one_user(const xg_inst *x); /* and it is not the root */
XG_FN xg_inst *xg_topk_make(const xg_hb *b, xg_inst *x, int64_t k, bool largest); /* topk_rewriter.c */
XG_FN xg_inst *xg_hb_tuple(const xg_hb *b, xg_inst *const *in, uint32_t n);
XG_FN xg_inst *xg_hb_element(const xg_hb *b, xg_inst *tuple, int64_t k);
XG_FN xg_inst *xg_hb_as(const xg_hb *b, xg_inst *x, const xg_shape *shape);
XG_FN xg_inst *xg_hb_as_dynamic(const xg_hb *b, xg_inst *x, const xg_shape *shape);
XG_FN xg_inst *xg_hb_while(const xg_hb *b, xg_inst *init, xg_comp *condition, xg_comp *body);
XG_FN xg_loop xg_hb_loop(const xg_hb *b, xg_inst *const *state, uint32_t n, int64_t count);
XG_FN void xg_hb_loop_end(const xg_hb *b, xg_loop *l);
XG_FN bool xg_opt_reads_by_index(const xg_inst *user);
/* what a parameter stands for: the operand, in the parameter's layout where something inside sees that */
XG_FN xg_inst *xg_opt_argument(const xg_hb *b, xg_inst *operand, const xg_inst *param);
XG_FN void xg_opt_replace(xg_inst *from, xg_inst *to); /* as xg_inst_replace, for arrays whose layouts may differ */
XG_FN void xg_opt_replace_tuple(xg_inst *from, xg_inst *const *values);
/* of a tuple `expand` gives a tuple instruction */
XG_FN bool xg_opt_expand(
    xg_module *m, bool (*matches)(const xg_inst *i), xg_inst *(*expand)(const xg_hb *b, xg_inst *i));
/* The same, where the module has ever had an instruction of the opcode. */
XG_FN bool xg_opt_expand_made(
    xg_module *m, bool (*matches)(const xg_inst *i), xg_inst *(*expand)(const xg_hb *b, xg_inst *i), xg_opcode opcode);
/* The number of a custom call's target in a list for xg_text_nth, or -1; `?` in a target is LAPACK's letter of the
 * type. */
XG_FN int xg_opt_target_in(const xg_inst *i, const char *targets);

/* ---- block_calls.c: calls that one kernel makes, a block for each matrix ---- */
XG_FN bool xg_is_block_call(const xg_inst *i);
/* an element of such a call in whose memory the kernel works, whether anything reads it or not */
XG_FN bool xg_block_needs(const xg_inst *element);
/* may the first result lie over the operand? Its elements are read before, by the same thread, and never again */
XG_FN bool xg_block_in_place(const xg_inst *i, uint32_t operand);
XG_FN bool xg_block_fits(const char *name, const xg_inst *a); /* whether there is a kernel for matrices of that size */
/* of the batch's matrices in a row */
XG_FN const xg_shape *xg_block_shape(const xg_hb *b, xlagpu_type t, int64_t batch, int64_t rows, int64_t columns);
XG_FN void xg_block_call_make(const xg_hb *b, const char *name, const char *config, xg_inst *const *in, uint32_t n,
    const xg_shape *const *shapes, uint32_t n_out, xg_inst **out);
XG_FN xg_str xg_block_call_name(const xg_inst *i); /* of such a call: what stands behind the prefix */

/* ---- conv_labels.c ---- */
enum {
    XG_CONV_INPUT,
    XG_CONV_KERNEL,
    XG_CONV_OUTPUT
};
typedef struct xg_conv_part {
    int64_t *first, *second;
    int64_t *spatial;
    const char *letters;
} xg_conv_part;
/* A copy of the labels whose lists may be written. */
XG_FN xg_dim_labels *xg_conv_labels(xg_module *m, const xg_inst *i, xg_conv_part part[3]);
XG_FN bool xg_conv_is_labelled(const xg_inst *i);
/* Dimension d becomes to[d]. */
XG_FN void xg_conv_renumber(xg_conv_part *p, uint32_t n, const int64_t *to);
XG_FN xg_attr xg_conv_attr(xg_module *m, xg_dim_labels *l, const xg_conv_part *part);

/* ---- progressions.c ---- */
/* first + step * place along dim; dim -1: first everywhere, and step 0 */
typedef struct xg_progression {
    int64_t first, step;
    int32_t dim;
} xg_progression;
XG_FN bool xg_progression_at(const xg_inst *x, int64_t vector, int64_t at, uint32_t depth, xg_progression *p);
XG_FN bool xg_progression_of(const xg_windows *w, int32_t component, xg_progression *p);

/* ---- gather_simplifier.c ---- */
typedef struct xg_index_form { /* what a gather or scatter becomes: arrays of dims, in the order of the attributes */
    uint32_t n_inside, n_starts, n_batch, part_rank, n_positions;
    int64_t inside[XG_RANK_MAX], starts[XG_RANK_MAX], whole_batch[XG_RANK_MAX], indices_batch[XG_RANK_MAX],
        part[XG_RANK_MAX], positions[XG_RANK_MAX];
    int32_t component[XG_RANK_MAX]; /* by new component: the old one */
} xg_index_form;
XG_FN bool xg_index_form_of(const xg_inst *i, xg_index_form *f); /* false: it has that form */
XG_FN xg_inst *xg_index_form_indices(const xg_hb *b, const xg_windows *w, const xg_index_form *f);
XG_FN void xg_index_form_set(xg_inst *i, const xg_index_form *f);

/* ---- float_normalization.c ---- */
/* X(HLO opcode, kernel IR operation): what is widened where the target lacks it. */
#define XG_FLOAT_OPS(X) \
    X(ADD, ADDF) \
    X(SUBTRACT, SUBF) \
    X(MULTIPLY, MULF) X(DIVIDE, DIVF) X(MAXIMUM, MAXF) X(MINIMUM, MINF) X(NEGATE, NEGF) X(ABS, ABSF) X(COMPARE, CMPF)
typedef enum xg_float_op_kind {
#define X(hlo, kir) XG_FLOAT_OP_##hlo,
    XG_FLOAT_OPS(X)
#undef X
    XG_FLOAT_OP_COUNT
} xg_float_op_kind;
/* X(type): a pass float-normalization-<type> each */
#define XG_FLOAT_NORMALIZATIONS(X) \
    X(BF16) \
    X(F8E5M2) X(F8E4M3) X(F8E4M3FN) X(F8E4M3B11FNUZ) X(F8E5M2FNUZ) X(F8E4M3FNUZ) X(F8E3M4) X(F4E2M1FN) X(F8E8M0FNU)
#define X(T) XG_FN bool xg_opt_float_normalization_##T(xg_module *m);
XG_FLOAT_NORMALIZATIONS(X)
#undef X
XG_FN bool xg_opt_scatter_sums(xg_module *m); /* float_normalization.c: of bf16, where memory does not add it */

/* ---- host_offloader.c ---- */
/* a copy-start and copy-done in front of at, into that memory */
XG_FN xg_inst *xg_offload_copy(xg_inst *at, xg_inst *x, int64_t space);

/* reducer.c */
XG_FN xg_reducer_start xg_reducer_start_plain(const xg_inst *reduce);
XG_FN bool xg_reducer_same_bits(const xg_literal *x, const xg_literal *y);

#endif /* XG_OPT_H */
