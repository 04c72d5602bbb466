/* import/lower_move.c -- operations that move elements: shapes, slices, gathers. Dynamic operations are read where
 * their result's dimensions are known. */
#ifndef XG_IMPORT_LOWER_MOVE_C
#define XG_IMPORT_LOWER_MOVE_C
#include "lower.h"
#include "ir.c"
#include "lower_element.c"

XG_FN xg_inst *xg_lower_reshape(xg_low *w, const xg_ir_op *op) {
    xg_inst *x = xg_low_array_0(w, op);
    return xg_low_new(w, XG_RESHAPE, xg_low_shape(w, op, 0), &x, 1);
}
XG_FN xg_inst *xg_lower_dynamic_reshape(xg_low *w, const xg_ir_op *op) {
    const xg_shape *s = xg_low_shape(w, op, 0);
    if (s->dynamic)
        xg_ir_refuse(w->ir, op, XLAGPU_ERROR_UNSUPPORTED, NULL, "its result has dimensions that are not known");
    return xg_lower_reshape(w, op);
}
/* ---- broadcasts, in the form that XLA gives them ---- */

typedef struct xg_low_spreading { /* a broadcast_in_dim with those before it as one */
    xg_ir_value *from;
    uint32_t rank;
    int64_t places[XG_RANK_MAX];
} xg_low_spreading;
enum {
    XG_LOW_SPREADINGS = 8 /* broadcasts of broadcasts that become one; more in a row are several */
};
XG_FN bool xg_low_is_spreading(const xg_ir_op *op) {
    return op && (xg_ir_is(op, "broadcast_in_dim") || xg_ir_is(op, "dynamic_broadcast_in_dim")) && op->n_operands &&
           op->n_results == 1;
}
XG_FN bool xg_low_increasing(xg_ints v) {
    uint32_t k;
    for (k = 1; k < v.n; k++)
        if (v.p[k - 1] >= v.p[k]) return false;
    return true;
}
XG_FN xg_ir_value *xg_low_operand(const xg_ir_op *op) {
    xg_ir_value *v = op->operands[0];
    while (v->alias) v = v->alias;
    return v;
}
/* One that repeats nothing is a reshape, unless it continues another. */
XG_FN bool xg_low_is_reshape(xg_low *w, const xg_ir_op *op, uint32_t depth) {
    const xg_ir_value *x = xg_low_operand(op);
    const xg_shape *from = x->type->shape, *to = op->results[0].type->shape;
    if (!from || !to || from->elements != to->elements || from->dynamic || to->dynamic ||
        !xg_low_increasing(xg_low_ints(w, op, "broadcast_dimensions")))
        return false;
    return !depth || !xg_low_is_spreading(x->op) || xg_low_is_reshape(w, x->op, depth - 1);
}
XG_FN bool xg_low_spread_before(xg_low *w, xg_low_spreading *r, uint32_t depth) {
    const xg_ir_op *before = r->from->op;
    xg_low_spreading next;
    xg_ints v;
    uint32_t k;
    if (!xg_low_is_spreading(before) || xg_low_is_reshape(w, before, depth)) return false;
    next.from = xg_low_operand(before);
    if (!next.from->made || next.from->made->comp != w->b.comp || next.from->type->quant) return false;
    v = xg_low_ints(w, before, "broadcast_dimensions");
    for (k = 0; k < v.n; k++) {
        if (v.p[k] < 0 || v.p[k] >= (int64_t)r->rank) return false;
        next.places[k] = r->places[v.p[k]];
    }
    next.rank = v.n;
    *r = next;
    return true;
}
XG_FN xg_low_spreading xg_low_spread_from(xg_low *w, const xg_ir_op *op, xg_ints to) {
    xg_low_spreading r;
    uint32_t k, depth = XG_LOW_SPREADINGS;
    r.from = xg_low_operand(op);
    r.rank = to.n;
    for (k = 0; k < to.n; k++) r.places[k] = to.p[k];
    while (depth && xg_low_spread_before(w, &r, depth)) depth--;
    return r;
}
/* HLO's broadcast repeats whole arrays: dimensions of size 1 that grow are taken away first. What is known gets the
 * result's other dimensions before that, as XLA does it. */
XG_FN xg_inst *xg_low_spread_to(xg_low *w, xg_inst *x, const xg_shape *s, const xg_low_spreading *to) {
    int64_t all[XG_RANK_MAX], dims[XG_RANK_MAX], places[XG_RANK_MAX];
    bool known = !s->dynamic && !x->shape->dynamic;
    uint32_t n = 0, k;
    xg_inst *i;
    for (k = 0; k < s->rank; k++) all[k] = s->dims[k];
    for (k = 0; k < to->rank; k++) all[to->places[k]] = x->shape->dims[k];
    if (known) x = xg_hb_broadcast(&w->b, x, all, s->rank, to->places, to->rank);
    if (known && xg_dims_equal(s, all, s->rank)) return x;
    for (k = 0; k < (known ? s->rank : to->rank); k++) {
        int64_t place = known ? k : to->places[k];
        if (all[place] == 1 && s->dims[place] != 1) continue;
        dims[n] = all[place];
        places[n++] = place;
    }
    if (n < x->shape->rank) x = xg_hb_reshape(&w->b, x, dims, n);
    i = xg_low_new(w, XG_BROADCAST, s, &x, 1);
    xg_inst_set_ints(i, XG_A_dimensions, places, n);
    return i;
}
XG_FN xg_inst *xg_lower_broadcast_in_dim(xg_low *w, const xg_ir_op *op) {
    xg_inst *x = xg_low_array_0(w, op);
    const xg_shape *s = xg_low_shape(w, op, 0);
    xg_ints to = xg_low_dims(w, op, "broadcast_dimensions", s->rank);
    xg_low_spreading from;
    if (to.n != x->shape->rank)
        xg_ir_invalid(w->ir, op, "%u dimensions are named, the operand has %u", to.n, x->shape->rank);
    if (xg_low_number(x) && !s->dynamic) return xg_hb_splat(&w->b, xg_low_number(x), s->dims, s->rank);
    if (xg_low_is_reshape(w, op, XG_LOW_SPREADINGS)) return xg_hb_reshape(&w->b, x, s->dims, s->rank);
    from = xg_low_spread_from(w, op, to);
    return xg_low_spread_to(w, from.from->type->quant ? x : xg_low_value(w, from.from), s, &from);
}
XG_FN xg_inst *xg_lower_broadcast(xg_low *w, const xg_ir_op *op) { /* the operand's dimensions stay last */
    xg_inst *x = xg_low_array_0(w, op), *i;
    const xg_shape *s = xg_low_shape(w, op, 0);
    int64_t places[XG_RANK_MAX];
    uint32_t k;
    if (s->rank < x->shape->rank) xg_ir_invalid(w->ir, op, "its result has fewer dimensions");
    for (k = 0; k < x->shape->rank; k++) places[k] = s->rank - x->shape->rank + k;
    i = xg_low_new(w, XG_BROADCAST, s, &x, 1);
    xg_inst_set_ints(i, XG_A_dimensions, places, x->shape->rank);
    return i;
}
XG_FN xg_inst *xg_low_with_dims(xg_low *w, const xg_ir_op *op, xg_opcode opcode, const char *name) {
    xg_inst *x = xg_low_array_0(w, op), *i = xg_low_new(w, opcode, xg_low_shape(w, op, 0), &x, 1);
    xg_low_set_ints(i, XG_A_dimensions, xg_low_dims(w, op, name, x->shape->rank));
    return i;
}
XG_FN xg_inst *xg_lower_transpose(xg_low *w, const xg_ir_op *op) {
    return xg_low_with_dims(w, op, XG_TRANSPOSE, "permutation");
}
XG_FN xg_inst *xg_lower_reverse(xg_low *w, const xg_ir_op *op) {
    return xg_low_with_dims(w, op, XG_REVERSE, "dimensions");
}
XG_FN xg_inst *xg_low_along(xg_low *w, const xg_ir_op *op, xg_opcode opcode) {
    xg_inst *i = xg_low_make(w, op, opcode);
    int64_t dim = xg_low_dim(w, op, "dimension", xg_low_array_0(w, op)->shape->rank);
    xg_inst_set_one(i, XG_A_dimensions, dim);
    return i;
}
XG_FN xg_inst *xg_lower_concatenate(xg_low *w, const xg_ir_op *op) { return xg_low_along(w, op, XG_CONCATENATE); }

/* ---- slices ---- */

XG_FN xg_inst *xg_low_slice(xg_low *w, const xg_ir_op *op, xg_ints start, xg_ints limit, xg_ints stride) {
    xg_inst *x = xg_low_array_0(w, op), *i;
    uint32_t rank = x->shape->rank, k;
    xg_slice_dim *d = XG_NEW_N(w->arena, xg_slice_dim, rank + (size_t)1);
    xg_slices *s = XG_NEW(w->arena, xg_slices);
    xg_attr a = xg_attr_make(XG_A_slice);
    if (start.n != rank || limit.n != rank || stride.n != rank)
        xg_ir_invalid(w->ir, op, "the operand has %u dimensions", rank);
    for (k = 0; k < rank; k++) {
        d[k].start = start.p[k];
        d[k].limit = limit.p[k];
        d[k].stride = stride.p[k];
    }
    s->n = rank;
    s->p = d;
    a.v.slices = s;
    i = xg_low_new(w, XG_SLICE, xg_low_shape(w, op, 0), &x, 1);
    xg_inst_set_attr(i, a);
    return i;
}
XG_FN xg_inst *xg_lower_slice(xg_low *w, const xg_ir_op *op) {
    uint32_t rank = xg_low_array_0(w, op)->shape->rank;
    return xg_low_slice(w, op, xg_low_ints(w, op, "start_indices"), xg_low_ints(w, op, "limit_indices"),
        xg_low_ints_n(w, op, "strides", rank, 1));
}
XG_NORETURN XG_FN void xg_low_not_known(xg_low *w, const xg_ir_op *op, uint32_t k) {
    xg_ir_refuse(w->ir, op, XLAGPU_ERROR_UNSUPPORTED, "export the program with known dimensions",
        "operand %u must be a constant", k);
}
XG_FN xg_ints xg_low_known(xg_low *w, const xg_ir_op *op, uint32_t k) {
    xg_ints v;
    if (!xg_low_constant(w, op, k, &v)) xg_low_not_known(w, op, k);
    return v;
}
XG_FN xg_inst *xg_lower_real_dynamic_slice(xg_low *w, const xg_ir_op *op) {
    xg_ints start = xg_low_known(w, op, 1), limit = xg_low_known(w, op, 2);
    return xg_low_slice(w, op, start, limit, xg_low_known(w, op, 3));
}
XG_FN xg_inst *xg_lower_dynamic_slice(xg_low *w, const xg_ir_op *op) {
    xg_inst *i = xg_low_make(w, op, XG_DYNAMIC_SLICE);
    xg_low_set_ints(i, XG_A_dynamic_slice_sizes, xg_low_ints(w, op, "slice_sizes"));
    return i;
}
XG_FN xg_inst *xg_low_pad(xg_low *w, const xg_ir_op *op, xg_ints low, xg_ints high, xg_ints interior) {
    xg_inst *in[2], *i;
    uint32_t k, rank;
    xg_pad_dim *d;
    xg_pads *p = XG_NEW(w->arena, xg_pads);
    xg_attr a = xg_attr_make(XG_A_padding);
    in[0] = xg_low_array_0(w, op);
    in[1] = xg_low_in(w, op, 1);
    rank = in[0]->shape->rank;
    d = XG_NEW_N(w->arena, xg_pad_dim, rank + (size_t)1);
    if (low.n != rank || high.n != rank || interior.n != rank)
        xg_ir_invalid(w->ir, op, "the operand has %u dimensions", rank);
    for (k = 0; k < rank; k++) {
        d[k].low = low.p[k];
        d[k].high = high.p[k];
        d[k].interior = interior.p[k];
    }
    p->n = rank;
    p->p = d;
    a.v.pads = p;
    i = xg_low_new(w, XG_PAD, xg_low_shape(w, op, 0), in, 2);
    xg_inst_set_attr(i, a);
    return i;
}
XG_FN xg_inst *xg_lower_pad(xg_low *w, const xg_ir_op *op) {
    uint32_t rank = xg_low_array_0(w, op)->shape->rank;
    return xg_low_pad(w, op, xg_low_ints(w, op, "edge_padding_low"), xg_low_ints(w, op, "edge_padding_high"),
        xg_low_ints_n(w, op, "interior_padding", rank, 0));
}
XG_FN xg_inst *xg_lower_dynamic_pad(xg_low *w, const xg_ir_op *op) {
    xg_ints low = xg_low_known(w, op, 2), high = xg_low_known(w, op, 3);
    return xg_low_pad(w, op, low, high, xg_low_known(w, op, 4));
}

/* ---- gather, scatter ---- */

XG_FN void xg_low_set_list(xg_low *w, const xg_ir_op *op, xg_inst *i, xg_attr_key k, bool always) {
    xg_ints v = xg_low_ints(w, op, xg_attr_name(k));
    if (v.n || always) xg_low_set_ints(i, k, v);
}
XG_FN void xg_low_set_flag(const xg_ir_op *op, xg_inst *i, xg_attr_key k) {
    if (xg_low_flag(op, xg_attr_name(k))) xg_low_set_int(i, k, 1);
}
XG_FN xg_inst *xg_lower_gather(xg_low *w, const xg_ir_op *op) {
    xg_inst *in[2], *i;
    xg_ints sizes = op->n_operands == 3 ? xg_low_known(w, op, 2) : xg_low_ints(w, op, "slice_sizes");
    in[0] = xg_low_array_0(w, op);
    in[1] = xg_low_array(w, op, 1);
    i = xg_low_new(w, XG_GATHER, xg_low_shape(w, op, 0), in, 2);
    xg_low_set_list(w, op, i, XG_A_offset_dims, true);
    xg_low_set_list(w, op, i, XG_A_collapsed_slice_dims, true);
    xg_low_set_list(w, op, i, XG_A_start_index_map, true);
    xg_low_set_list(w, op, i, XG_A_operand_batching_dims, false);
    xg_low_set_list(w, op, i, XG_A_start_indices_batching_dims, false);
    xg_low_set_int(i, XG_A_index_vector_dim, xg_ir_int(op, "index_vector_dim", 0));
    xg_low_set_ints(i, XG_A_slice_sizes, sizes);
    xg_low_set_flag(op, i, XG_A_indices_are_sorted);
    return i;
}
/* Rows by number along `dim`; the first `batch_dims` dimensions run together. */
XG_FN xg_inst *xg_lower_torch_index_select(xg_low *w, const xg_ir_op *op) {
    xg_inst *in[2], *i;
    int64_t dim, batch, offset[XG_RANK_MAX], runs[XG_RANK_MAX], sizes[XG_RANK_MAX];
    uint32_t n = 0, k, rank, out_rank = xg_low_shape(w, op, 0)->rank;
    in[0] = xg_low_array_0(w, op);
    in[1] = xg_low_array(w, op, 1);
    rank = in[0]->shape->rank;
    dim = xg_low_dim(w, op, "dim", rank);
    batch = xg_ir_int(op, "batch_dims", 0);
    if (batch < 0 || batch > dim || batch > (int64_t)in[1]->shape->rank)
        xg_ir_invalid(w->ir, op, "batch_dims is not below dim");
    for (k = 0; k < rank; k++) sizes[k] = (int64_t)k < batch || (int64_t)k == dim ? 1 : in[0]->shape->dims[k];
    for (k = 0; k < out_rank; k++)
        if ((int64_t)k >= batch && ((int64_t)k < dim || (int64_t)k >= dim + (int64_t)in[1]->shape->rank - batch))
            offset[n++] = k;
    for (k = 0; k < (uint32_t)batch; k++) runs[k] = k;
    i = xg_low_new(w, XG_GATHER, xg_low_shape(w, op, 0), in, 2);
    xg_inst_set_ints(i, XG_A_offset_dims, offset, n);
    xg_inst_set_one(i, XG_A_collapsed_slice_dims, dim);
    xg_inst_set_one(i, XG_A_start_index_map, dim);
    if (batch) {
        xg_inst_set_ints(i, XG_A_operand_batching_dims, runs, (uint32_t)batch);
        xg_inst_set_ints(i, XG_A_start_indices_batching_dims, runs, (uint32_t)batch);
    }
    xg_low_set_int(i, XG_A_index_vector_dim, in[1]->shape->rank);
    xg_inst_set_ints(i, XG_A_slice_sizes, sizes, rank);
    return i;
}
XG_FN xg_inst *xg_lower_scatter(xg_low *w, const xg_ir_op *op) {
    xg_comp *c = xg_low_region(w, xg_low_region_at(w, op, 0));
    xg_inst *i = xg_low_make(w, op, XG_SCATTER);
    xg_low_set_list(w, op, i, XG_A_update_window_dims, true);
    xg_low_set_list(w, op, i, XG_A_inserted_window_dims, true);
    xg_low_set_list(w, op, i, XG_A_scatter_dims_to_operand_dims, true);
    xg_low_set_list(w, op, i, XG_A_input_batching_dims, false);
    xg_low_set_list(w, op, i, XG_A_scatter_indices_batching_dims, false);
    xg_low_set_int(i, XG_A_index_vector_dim, xg_ir_int(op, "index_vector_dim", 0));
    xg_low_set_flag(op, i, XG_A_indices_are_sorted);
    xg_low_set_flag(op, i, XG_A_unique_indices);
    xg_inst_set_comp(i, XG_A_to_apply, c);
    return i;
}
XG_FN xg_inst *xg_lower_get_dimension_size(xg_low *w, const xg_ir_op *op) {
    xg_inst *x = xg_low_array_0(w, op), *i;
    int64_t dim = xg_low_dim(w, op, "dimension", x->shape->rank);
    if (w->in_place && !x->shape->dynamic) return xg_hb_int(&w->b, XLAGPU_S32, x->shape->dims[dim]);
    i = xg_low_new(w, XG_GET_DIMENSION_SIZE, xg_low_shape(w, op, 0), &x, 1);
    xg_inst_set_one(i, XG_A_dimensions, dim);
    return i;
}
XG_FN xg_inst *xg_lower_set_dimension_size(xg_low *w, const xg_ir_op *op) {
    return xg_low_along(w, op, XG_SET_DIMENSION_SIZE);
}

#endif /* XG_IMPORT_LOWER_MOVE_C */
