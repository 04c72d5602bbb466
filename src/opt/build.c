/* opt/build.c -- making instructions: what expanders and simplifications write programs with.
 *
 * A builder stands in front of an instruction (or at the end of a computation) and gives what it makes that
 * instruction's metadata and place in the source. Shapes come from inference and have descending layouts. What would
 * change nothing (a reshape to the same dimensions, an identity transpose) is not made. */
#ifndef XG_OPT_BUILD_C
#define XG_OPT_BUILD_C
#include "../eval/eval.h"
#include "opt.h"

XG_FN xg_hb xg_hb_at(xg_inst *i) {
    xg_hb b;
    b.comp = i->comp;
    b.before = i;
    b.from = i;
    return b;
}
XG_FN xg_hb xg_hb_end(xg_comp *c, const xg_inst *from) {
    xg_hb b;
    b.comp = c;
    b.before = NULL;
    b.from = from;
    return b;
}

/* Without a shape: what inference says, once the attributes are there (xg_hb_done). */
XG_FN xg_inst *xg_hb_op(const xg_hb *b, xg_opcode op, const xg_shape *shape, xg_inst *const *operands, uint32_t n) {
    xg_inst *i = xg_inst_new(b->comp, op, shape, operands, n, b->before, XG_STR(""));
    const xg_attr *metadata = b->from ? xg_inst_attr(b->from, XG_A_metadata) : NULL;
    if (metadata) xg_inst_set_attr(i, *metadata);
    i->source_at = b->from ? b->from->source_at : 0;
    return i;
}
XG_ONE_COPY XG_FN xg_inst *xg_hb_of(const xg_hb *b, xg_opcode op, const xg_shape *shape, xg_inst *x) {
    return xg_hb_op(b, op, shape, &x, 1);
}
XG_FN xg_inst *xg_hb_done(xg_inst *i) {
    i->shape = xg_hlo_infer(i->comp->module, i);
    return i;
}
XG_FN const xg_shape *xg_hb_shape(const xg_hb *b, xlagpu_type t, const int64_t *dims, uint32_t rank) {
    xg_module *m = b->comp->module;
    return xg_shape_default_layout(m, xg_shape_plain(m, t, dims, rank));
}

/* ---- elementwise ---- */

XG_FN xg_inst *xg_hb_1(const xg_hb *b, xg_opcode op, xg_inst *x) { return xg_hb_done(xg_hb_of(b, op, x->shape, x)); }
XG_FN xg_inst *xg_hb_2(const xg_hb *b, xg_opcode op, xg_inst *x, xg_inst *y) {
    xg_inst *in[2];
    in[0] = x;
    in[1] = y;
    return xg_hb_done(xg_hb_op(b, op, x->shape, in, 2));
}
#define X(name, op) \
    XG_ONE_COPY XG_FN xg_inst *xg_hb_##name(const xg_hb *b, xg_inst *x, xg_inst *y) { return xg_hb_2(b, op, x, y); }
X(add, XG_ADD)
X(sub, XG_SUBTRACT)
X(mul, XG_MULTIPLY)
X(div, XG_DIVIDE)
#undef X
XG_FN xg_inst *xg_hb_select(const xg_hb *b, xg_inst *p, xg_inst *x, xg_inst *y) {
    xg_inst *in[3];
    in[0] = p;
    in[1] = x;
    in[2] = y;
    return xg_hb_done(xg_hb_op(b, XG_SELECT, x->shape, in, 3));
}
XG_FN xg_inst *xg_hb_compare(const xg_hb *b, const char *direction, xg_inst *x, xg_inst *y) {
    xg_inst *in[2], *i;
    in[0] = x;
    in[1] = y;
    i = xg_hb_op(b, XG_COMPARE, x->shape, in, 2);
    xg_inst_set_text(i, XG_A_direction, direction);
    return xg_hb_done(i);
}
XG_FN xg_inst *xg_hb_convert(const xg_hb *b, xg_inst *x, xlagpu_type t) {
    if (x->shape->type == t) return x;
    return xg_hb_of(b, XG_CONVERT, xg_hb_shape(b, t, x->shape->dims, x->shape->rank), x);
}
XG_FN xg_inst *xg_hb_bitcast_convert(const xg_hb *b, xg_inst *x, xlagpu_type t) {
    if (x->shape->type == t) return x;
    return xg_hb_of(b, XG_BITCAST_CONVERT, xg_hb_shape(b, t, x->shape->dims, x->shape->rank), x);
}

/* ---- constants ---- */

XG_FN xg_inst *xg_hb_literal(const xg_hb *b, const xg_literal *l) {
    xg_inst *i = xg_hb_op(b, XG_CONSTANT, l->shape, NULL, 0);
    i->literal = l;
    return i;
}
XG_FN xg_inst *xg_hb_int(const xg_hb *b, xlagpu_type t, int64_t v) {
    xg_literal *l = xg_literal_new(b->comp->module->arena, xg_shape_scalar(b->comp->module, t));
    int class_of = xg_type_class(t);
    if (class_of == XGT_I || class_of == XGT_P)
        xg_literal_set_int(l, 0, v);
    else
        xg_literal_set_float(l, 0, (double)v);
    return xg_hb_literal(b, l);
}
XG_ONE_COPY XG_FN xg_inst *xg_hb_zero(const xg_hb *b, xlagpu_type t) { return xg_hb_int(b, t, 0); }
XG_FN xg_inst *xg_hb_float(const xg_hb *b, xlagpu_type t, double v) {
    xg_literal *l = xg_literal_new(b->comp->module->arena, xg_shape_scalar(b->comp->module, t));
    xg_literal_set_float(l, 0, v);
    return xg_hb_literal(b, l);
}
XG_ONE_COPY XG_FN xg_inst *xg_hb_splat(const xg_hb *b, xg_inst *scalar, const int64_t *dims, uint32_t rank) {
    return rank ? xg_hb_broadcast(b, scalar, dims, rank, NULL, 0) : scalar;
}
XG_FN xg_inst *xg_hb_int_like(const xg_hb *b, const xg_inst *x, int64_t v) {
    return xg_hb_splat(b, xg_hb_int(b, x->shape->type, v), x->shape->dims, x->shape->rank);
}
XG_FN xg_inst *xg_hb_float_like(const xg_hb *b, const xg_inst *x, double v) {
    return xg_hb_splat(b, xg_hb_float(b, x->shape->type, v), x->shape->dims, x->shape->rank);
}
XG_FN xg_inst *xg_hb_iota(const xg_hb *b, xlagpu_type t, const int64_t *dims, uint32_t rank, int64_t dim) {
    xg_inst *i = xg_hb_op(b, XG_IOTA, xg_hb_shape(b, t, dims, rank), NULL, 0);
    xg_inst_set_int(i, XG_A_iota_dimension, dim);
    return i;
}

/* ---- movement ---- */

XG_FN bool xg_ints_equal(xg_ints a, xg_ints b) {
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n * sizeof *a.p) == 0);
}

XG_FN bool xg_dims_equal(const xg_shape *s, const int64_t *dims, uint32_t rank) {
    return s->rank == rank && (rank == 0 || memcmp(s->dims, dims, rank * sizeof *dims) == 0);
}
XG_FN xg_inst *xg_hb_in_dims(const xg_hb *b, xg_opcode op, xg_inst *x, const int64_t *dims, uint32_t rank) {
    if (xg_dims_equal(x->shape, dims, rank)) return x;
    return xg_hb_of(b, op, xg_hb_shape(b, x->shape->type, dims, rank), x);
}
XG_FN xg_inst *xg_hb_reshape(const xg_hb *b, xg_inst *x, const int64_t *dims, uint32_t rank) {
    return xg_hb_in_dims(b, XG_RESHAPE, x, dims, rank);
}
XG_FN xg_inst *xg_hb_broadcast(
    const xg_hb *b, xg_inst *x, const int64_t *dims, uint32_t rank, const int64_t *places, uint32_t n) {
    xg_inst *i;
    uint32_t k = 0;
    while (k < n && places[k] == (int64_t)k) k++;
    if (k == n && xg_dims_equal(x->shape, dims, rank)) return x;
    i = xg_hb_of(b, XG_BROADCAST, xg_hb_shape(b, x->shape->type, dims, rank), x);
    xg_inst_set_ints(i, XG_A_dimensions, places, n);
    return i;
}
XG_FN bool xg_perm_is_identity(const int64_t *perm, uint32_t n) {
    uint32_t k = 0;
    while (k < n && perm[k] == (int64_t)k) k++;
    return k == n;
}
XG_FN xg_inst *xg_hb_transpose(const xg_hb *b, xg_inst *x, const int64_t *perm) {
    int64_t dims[XG_RANK_MAX];
    uint32_t k;
    xg_inst *i;
    if (xg_perm_is_identity(perm, x->shape->rank)) return x;
    for (k = 0; k < x->shape->rank; k++) dims[k] = x->shape->dims[perm[k]];
    i = xg_hb_of(b, XG_TRANSPOSE, xg_hb_shape(b, x->shape->type, dims, x->shape->rank), x);
    xg_inst_set_ints(i, XG_A_dimensions, perm, x->shape->rank);
    return i;
}
XG_FN xg_inst *xg_hb_reverse(const xg_hb *b, xg_inst *x, const int64_t *dims, uint32_t n) {
    xg_inst *i;
    if (n == 0) return x;
    i = xg_hb_of(b, XG_REVERSE, x->shape, x);
    xg_inst_set_ints(i, XG_A_dimensions, dims, n);
    return xg_hb_done(i);
}
XG_FN xg_inst *xg_hb_slice(const xg_hb *b, xg_inst *x, const xg_slice_dim *d) {
    xg_module *m = b->comp->module;
    uint32_t rank = x->shape->rank, k;
    xg_slice_dim *copy = XG_NEW_N(m->arena, xg_slice_dim, rank + 1);
    xg_slices *s = XG_NEW(m->arena, xg_slices);
    int64_t dims[XG_RANK_MAX];
    bool all = true;
    xg_attr a = xg_attr_make(XG_A_slice);
    xg_inst *i;
    for (k = 0; k < rank; k++) {
        copy[k] = d[k];
        dims[k] = (d[k].limit - d[k].start + d[k].stride - 1) / d[k].stride;
        all = all && d[k].start == 0 && d[k].stride == 1 && d[k].limit == x->shape->dims[k];
    }
    if (all) return x;
    s->n = rank;
    s->p = copy;
    a.v.slices = s;
    i = xg_hb_of(b, XG_SLICE, xg_hb_shape(b, x->shape->type, dims, rank), x);
    xg_inst_set_attr(i, a);
    return i;
}
/* x[.., start:limit, ..] along one dimension. */
XG_FN xg_inst *xg_hb_slice_dim(const xg_hb *b, xg_inst *x, uint32_t dim, int64_t start, int64_t limit) {
    xg_slice_dim d[XG_RANK_MAX];
    uint32_t k;
    for (k = 0; k < x->shape->rank; k++) {
        d[k].start = 0;
        d[k].limit = x->shape->dims[k];
        d[k].stride = 1;
    }
    d[dim].start = start;
    d[dim].limit = limit;
    return xg_hb_slice(b, x, d);
}
XG_FN xg_inst *xg_hb_pad(const xg_hb *b, xg_inst *x, xg_inst *value, const xg_pad_dim *d) {
    xg_module *m = b->comp->module;
    uint32_t rank = x->shape->rank, k;
    xg_pad_dim *copy = XG_NEW_N(m->arena, xg_pad_dim, rank + 1);
    xg_pads *p = XG_NEW(m->arena, xg_pads);
    xg_attr a = xg_attr_make(XG_A_padding);
    bool none = true;
    xg_inst *in[2], *i;
    for (k = 0; k < rank; k++) {
        copy[k] = d[k];
        none = none && d[k].low == 0 && d[k].high == 0 && d[k].interior == 0;
    }
    if (none) return x;
    p->n = rank;
    p->p = copy;
    a.v.pads = p;
    in[0] = x;
    in[1] = value;
    i = xg_hb_op(b, XG_PAD, x->shape, in, 2);
    xg_inst_set_attr(i, a);
    return xg_hb_done(i);
}
XG_FN xg_inst *xg_hb_concat(const xg_hb *b, xg_inst *const *in, uint32_t n, int64_t dim) {
    xg_inst *i;
    if (n == 1) return in[0];
    i = xg_hb_op(b, XG_CONCATENATE, in[0]->shape, in, n);
    xg_inst_set_one(i, XG_A_dimensions, dim);
    return xg_hb_done(i);
}
XG_FN xg_inst *xg_hb_dynamic_slice(const xg_hb *b, xg_inst *x, xg_inst *const *starts, const int64_t *sizes) {
    uint32_t rank = x->shape->rank, k;
    xg_inst **in = XG_NEW_N(b->comp->module->arena, xg_inst *, rank + 1), *i;
    in[0] = x;
    for (k = 0; k < rank; k++) in[1 + k] = starts[k];
    i = xg_hb_op(b, XG_DYNAMIC_SLICE, xg_hb_shape(b, x->shape->type, sizes, rank), in, rank + 1);
    xg_inst_set_ints(i, XG_A_dynamic_slice_sizes, sizes, rank);
    return i;
}
XG_FN xg_inst *xg_hb_rows(const xg_hb *b, xg_inst *x, xg_inst *numbers) {
    int64_t offset[XG_RANK_MAX], sizes[XG_RANK_MAX], dims[XG_RANK_MAX], zero = 0;
    xg_inst *in[2], *i;
    uint32_t k;
    in[0] = x;
    in[1] = numbers;
    for (k = 0; k < x->shape->rank; k++) {
        offset[k] = (int64_t)k + 1;
        sizes[k] = k ? x->shape->dims[k] : 1;
        dims[k] = k ? x->shape->dims[k] : numbers->shape->dims[0];
    }
    i = xg_hb_op(b, XG_GATHER, xg_hb_shape(b, x->shape->type, dims, x->shape->rank), in, 2);
    xg_inst_set_ints(i, XG_A_offset_dims, offset, x->shape->rank - 1);
    xg_inst_set_one(i, XG_A_collapsed_slice_dims, zero);
    xg_inst_set_one(i, XG_A_start_index_map, zero);
    xg_inst_set_int(i, XG_A_index_vector_dim, 1);
    xg_inst_set_ints(i, XG_A_slice_sizes, sizes, x->shape->rank);
    return i;
}
XG_FN xg_inst *xg_hb_scan(const xg_hb *b, xg_inst *const *in, uint32_t n, xg_comp *c, uint32_t dim, bool reverse) {
    xg_module *m = b->comp->module;
    uint32_t rank = in[0]->shape->rank, k;
    const xg_shape **shapes = XG_NEW_N(m->arena, const xg_shape *, n + (size_t)1);
    xg_window *w = XG_NEW(m->arena, xg_window);
    xg_window_dim *p = XG_NEW_N(m->arena, xg_window_dim, rank + 1);
    xg_attr a = xg_attr_make(XG_A_window);
    xg_inst *r;
    for (k = 0; k < n; k++) shapes[k] = in[k]->shape;
    for (k = 0; k < rank; k++) p[k].size = p[k].stride = p[k].base_dilation = p[k].window_dilation = 1;
    p[dim].size = in[0]->shape->dims[dim];
    *(reverse ? &p[dim].pad_high : &p[dim].pad_low) = p[dim].size - 1;
    w->n = rank;
    w->p = p;
    a.v.window = w;
    r = xg_hb_op(b, XG_REDUCE_WINDOW, n == 1 ? shapes[0] : xg_shape_tuple(m, shapes, n), in, 2 * n);
    xg_inst_set_attr(r, a);
    xg_inst_set_comp(r, XG_A_to_apply, c);
    return r;
}
XG_FN xg_inst *xg_hb_dynamic_update_slice(const xg_hb *b, xg_inst *x, xg_inst *update, xg_inst *const *starts) {
    uint32_t rank = x->shape->rank, k;
    xg_inst **in = XG_NEW_N(b->comp->module->arena, xg_inst *, rank + 2);
    in[0] = x;
    in[1] = update;
    for (k = 0; k < rank; k++) in[2 + k] = starts[k];
    return xg_hb_done(xg_hb_op(b, XG_DYNAMIC_UPDATE_SLICE, x->shape, in, rank + 2));
}

/* ---- reductions, contractions ---- */

/* to_apply of a reduction: two scalars and one operation. It goes in front of the builder's computation. */
XG_FN xg_comp *xg_hb_reducer(const xg_hb *b, xg_opcode op, xlagpu_type t) {
    xg_module *m = b->comp->module;
    char name[64];
    bool listed = b->comp->next || m->last == b->comp; /* one that is still being read is not */
    xg_comp *c;
    xg_inst *in[2];
    xg_format(name, sizeof name, "%s_%s", xg_op_name(op), xg_type_name(t));
    c = xg_comp_new(m, xg_str_z(name), listed ? b->comp : NULL);
    in[0] = xg_comp_add_param(c, xg_shape_scalar(m, t), XG_STR("x"));
    in[1] = xg_comp_add_param(c, xg_shape_scalar(m, t), XG_STR("y"));
    c->root = xg_inst_new(c, op, in[0]->shape, in, 2, NULL, XG_STR(""));
    return c;
}
XG_FN xg_inst *xg_hb_reduce(
    const xg_hb *b, xg_inst *x, xg_inst *init, const int64_t *dims, uint32_t n, xg_comp *to_apply) {
    xg_inst *in[2], *i;
    in[0] = x;
    in[1] = init;
    i = xg_hb_op(b, XG_REDUCE, x->shape, in, 2);
    xg_inst_set_ints(i, XG_A_dimensions, dims, n);
    xg_inst_set_comp(i, XG_A_to_apply, to_apply);
    return xg_hb_done(i);
}
XG_FN xg_inst *xg_hb_sum(const xg_hb *b, xg_inst *x, const int64_t *dims, uint32_t n) {
    xg_inst *zero = xg_hb_int(b, x->shape->type, 0);
    return xg_hb_reduce(b, x, zero, dims, n, xg_hb_reducer(b, XG_ADD, x->shape->type));
}
/* Attributes that say how exactly to multiply come from `like`, which may be NULL. */
XG_FN xg_inst *xg_hb_dot(const xg_hb *b, xg_inst *l, xg_inst *r, xg_dot_dims d, xlagpu_type t, const xg_inst *like) {
    xg_inst *in[2], *i;
    const xg_attr *a;
    in[0] = l;
    in[1] = r;
    i = xg_hb_op(b, XG_DOT, xg_shape_scalar(b->comp->module, t), in, 2); /* says the type of the products */
    if (d.lb.n) xg_inst_set_ints(i, XG_A_lhs_batch_dims, d.lb.p, d.lb.n);
    if (d.lc.n) xg_inst_set_ints(i, XG_A_lhs_contracting_dims, d.lc.p, d.lc.n);
    if (d.rb.n) xg_inst_set_ints(i, XG_A_rhs_batch_dims, d.rb.p, d.rb.n);
    if (d.rc.n) xg_inst_set_ints(i, XG_A_rhs_contracting_dims, d.rc.p, d.rc.n);
    if (like && (a = xg_inst_attr(like, XG_A_operand_precision)) != NULL) xg_inst_set_attr(i, *a);
    if (like && (a = xg_inst_attr(like, XG_A_algorithm)) != NULL) xg_inst_set_attr(i, *a);
    (void)xg_hb_done(i);
    i->shape = xg_hb_shape(b, t, i->shape->dims, i->shape->rank);
    return i;
}
XG_FN xg_dot_dims xg_dot_dims_of(const xg_inst *dot) {
    xg_dot_dims d;
    d.lb = xg_attr_ints(dot, XG_A_lhs_batch_dims);
    d.lc = xg_attr_ints(dot, XG_A_lhs_contracting_dims);
    d.rb = xg_attr_ints(dot, XG_A_rhs_batch_dims);
    d.rc = xg_attr_ints(dot, XG_A_rhs_contracting_dims);
    return d;
}

/* ---- tuples and control ---- */

XG_FN xg_inst *xg_hb_tuple(const xg_hb *b, xg_inst *const *in, uint32_t n) {
    return xg_hb_done(xg_hb_op(b, XG_TUPLE, xg_shape_tuple(b->comp->module, NULL, 0), in, n));
}
/* The k-th element of a tuple value; of a tuple instruction its operand. */
XG_FN xg_inst *xg_hb_element(const xg_hb *b, xg_inst *tuple, int64_t k) {
    xg_inst *i;
    if (tuple->op == XG_TUPLE) return XG_OPERAND(tuple, k);
    i = xg_hb_of(b, XG_GET_TUPLE_ELEMENT, tuple->shape->elems[k], tuple);
    xg_inst_set_int(i, XG_A_index, k);
    return i;
}
/* The value in the layouts of `shape`, which has its dimensions; of a tuple, element by element. */
XG_FN xg_inst *xg_hb_as(const xg_hb *b, xg_inst *x, const xg_shape *shape) {
    xg_inst **all;
    uint32_t k;
    if (x->shape == shape || (shape->type != XLAGPU_TUPLE && !xg_shape_is_array(shape))) return x;
    if (shape->type != XLAGPU_TUPLE) return xg_hb_of(b, XG_COPY, shape, x);
    all = XG_NEW_N(b->comp->module->arena, xg_inst *, shape->n_elems + 1);
    for (k = 0; k < shape->n_elems; k++) all[k] = xg_hb_as(b, xg_hb_element(b, x, k), shape->elems[k]);
    return xg_hb_tuple(b, all, shape->n_elems);
}
/* The value with the dynamic dimensions of `shape`, in whatever layout. */
XG_FN xg_inst *xg_hb_as_dynamic(const xg_hb *b, xg_inst *x, const xg_shape *shape) {
    return !b->comp->module->has_dynamic || xg_shape_compatible(x->shape, shape) ? x : xg_hb_as(b, x, shape);
}
XG_FN xg_inst *xg_hb_while(const xg_hb *b, xg_inst *init, xg_comp *condition, xg_comp *body) {
    xg_inst *i = xg_hb_of(b, XG_WHILE, init->shape, init);
    xg_inst_set_comp(i, XG_A_condition, condition);
    xg_inst_set_comp(i, XG_A_body, body);
    return i;
}

/* for (k = 0; k < count; k++): condition and body with the state tuple (s32 k, elems...). The body's builder stands at
 * its end; it must be closed. */
XG_FN xg_loop xg_hb_loop(const xg_hb *b, xg_inst *const *state, uint32_t n, int64_t count) {
    xg_module *m = b->comp->module;
    xg_inst **all = XG_NEW_N(m->arena, xg_inst *, n + 1), *param;
    const xg_shape *shape;
    xg_comp *condition = xg_comp_new(m, XG_STR("loop_condition"), b->comp),
            *body = xg_comp_new(m, XG_STR("loop_body"), b->comp);
    xg_hb c = xg_hb_end(condition, b->from);
    xg_loop l;
    uint32_t k;
    all[0] = xg_hb_int(b, XLAGPU_S32, 0);
    for (k = 0; k < n; k++) all[1 + k] = state[k];
    l.init = xg_hb_tuple(b, all, n + 1);
    shape = l.init->shape;
    param = xg_comp_add_param(condition, shape, XG_STR("state"));
    l.k = xg_hb_element(&c, param, 0);
    condition->root = xg_hb_compare(&c, "LT", l.k, xg_hb_int(&c, XLAGPU_S32, count));
    param = xg_comp_add_param(body, shape, XG_STR("state"));
    l.condition = condition;
    l.b = xg_hb_end(body, b->from);
    l.n = n;
    l.state = XG_NEW_N(m->arena, xg_inst *, n + 1);
    l.k = xg_hb_element(&l.b, param, 0);
    for (k = 0; k < n; k++) l.state[k] = xg_hb_element(&l.b, param, 1 + k);
    return l;
}
/* Closes the body with the state of the next round (in l->state) and makes the loop; l->state are its results then. */
XG_FN void xg_hb_loop_end(const xg_hb *b, xg_loop *l) {
    xg_inst **all = XG_NEW_N(b->comp->module->arena, xg_inst *, l->n + 1), *loop;
    uint32_t k;
    all[0] = xg_hb_2(&l->b, XG_ADD, l->k, xg_hb_int(&l->b, XLAGPU_S32, 1));
    for (k = 0; k < l->n; k++) all[1 + k] = l->state[k];
    l->b.comp->root = xg_hb_tuple(&l->b, all, l->n + 1);
    loop = xg_hb_while(b, l->init, l->condition, l->b.comp);
    for (k = 0; k < l->n; k++) l->state[k] = xg_hb_element(b, loop, 1 + k);
}

/* ---- putting it in place ---- */

/* Does the user read an array by the indices of its elements, whatever their order in memory? */
XG_FN bool xg_opt_reads_by_index(const xg_inst *user) {
    switch (user->op) {
    case XG_BITCAST:
    case XG_FUSION:
    case XG_CALL:
    case XG_WHILE:
    case XG_CONDITIONAL:
    case XG_CUSTOM_CALL:
    case XG_TUPLE:
    case XG_GET_TUPLE_ELEMENT:
    case XG_OPT_BARRIER:
    case XG_DOMAIN:
    case XG_ADD_DEPENDENCY: return false;
    default: return !(xg_op_flags(user->op) & (XGF_EFFECT | XGF_COLL | XGF_START | XGF_DONE));
    }
}
/* Every use of `from` becomes `to`, which has the same dimensions; readers that care about the layout of `from`, and
 * the root, gets a copy in that layout. */
XG_FN void xg_opt_replace(xg_inst *from, xg_inst *to) {
    xg_inst *copy = NULL;
    xg_use *u, *next;
    if (to->shape == from->shape || !xg_shape_is_array(to->shape)) {
        xg_inst_replace(from, to);
        return;
    }
    for (u = from->first_use; u; u = next) {
        next = u->next;
        if (u->user == to) continue;
        if (!xg_opt_reads_by_index(u->user) && !copy)
            copy = xg_inst_new(from->comp, XG_COPY, from->shape, &to, 1, from, XG_STR("copy"));
        xg_inst_set_operand(u->user, XG_USE_INDEX(u), xg_opt_reads_by_index(u->user) ? to : copy);
    }
    if (from->comp->root == from) {
        if (!copy) copy = xg_inst_new(from->comp, XG_COPY, from->shape, &to, 1, from, XG_STR("copy"));
        from->comp->root = copy;
    }
}

/* The same for a tuple: values[k], in any layout, for its k-th element. */
XG_FN void xg_opt_replace_tuple(xg_inst *from, xg_inst *const *values) {
    xg_hb b = xg_hb_at(from);
    uint32_t n = from->shape->n_elems, k;
    xg_inst **all, *whole;
    xg_use *u, *next;
    for (u = from->first_use; u; u = next) {
        xg_inst *element = u->user;
        next = u->next;
        if (element->op != XG_GET_TUPLE_ELEMENT || element == element->comp->root) continue;
        xg_opt_replace(element, values[xg_attr_index(element)]);
        xg_inst_remove(element);
    }
    if (!from->first_use && from != from->comp->root) return;
    all = XG_NEW_N(from->comp->module->arena, xg_inst *, n + 1);
    for (k = 0; k < n; k++)
        all[k] = values[k]->shape == from->shape->elems[k]
                     ? values[k]
                     : xg_hb_op(&b, XG_COPY, from->shape->elems[k], (xg_inst *const *)&values[k], 1);
    whole = xg_hb_tuple(&b, all, n);
    xg_inst_replace(from, whole);
}

XG_FN int xg_opt_target_in(const xg_inst *i, const char *targets) {
    int k;
    for (k = 0; i->op == XG_CUSTOM_CALL && *targets; k++, targets += strlen(targets) + 1)
        if (xg_call_is(xg_attr_str(i, XG_A_custom_call_target), targets)) return k;
    return -1;
}
/* Every instruction of the module that `matches` is expanded: `expand` gives the value that takes its place, or of a
 * tuple its elements. */
XG_FN bool xg_opt_expand(
    xg_module *m, bool (*matches)(const xg_inst *i), xg_inst *(*expand)(const xg_hb *b, xg_inst *i)) {
    bool changed = false;
    xg_comp *c;
    for (c = m->first; c; c = xg_comp_behind(c)) {
        xg_inst *i = c->first, *next;
        for (; i; i = next) {
            xg_hb b;
            xg_inst *made;
            next = xg_inst_behind(i);
            if (!matches(i)) continue;
            b = xg_hb_at(i);
            made = expand(&b, i);
            next = xg_inst_behind(i); /* its elements may have stood there, and are gone */
            if (!made) continue;
            if (i->shape->type != XLAGPU_TUPLE)
                xg_opt_replace(i, made);
            else {
                xg_inst **values = XG_NEW_N(m->arena, xg_inst *, made->n_operands + 1);
                uint32_t k;
                for (k = 0; k < made->n_operands; k++) values[k] = XG_OPERAND(made, k);
                xg_opt_replace_tuple(i, values);
            }
            next = i->next; /* its elements may have stood there, and are gone */
            xg_inst_remove(i);
            if (made->op == XG_TUPLE && !made->first_use && made != c->root) xg_inst_remove(made);
            changed = true;
        }
    }
    return changed;
}
XG_FN bool xg_opt_expand_made(
    xg_module *m, bool (*matches)(const xg_inst *i), xg_inst *(*expand)(const xg_hb *b, xg_inst *i), xg_opcode opcode) {
    return m->made[opcode] && xg_opt_expand(m, matches, expand);
}

XG_FN bool xg_dot_is_symmetric(const xg_inst *dot) {
    const xg_attr *precision = xg_inst_attr(dot, XG_A_operand_precision);
    if (xg_inst_attr(dot, XG_A_algorithm)) return false;
    return !precision || precision->v.words->n != 2 || xg_str_eq(precision->v.words->p[0], precision->v.words->p[1]);
}
/* y, where x is y == 0, 1, 2 ... along a dimension on which the broadcast y does not depend; else NULL. */
XG_FN xg_inst *xg_opt_label(const xg_inst *x, int64_t dim) {
    uint32_t k;
    for (k = 0; k < 2 && x->op == XG_COMPARE && xg_str_is(xg_attr_str(x, XG_A_direction), "EQ"); k++) {
        const xg_inst *n = XG_OPERAND(x, 1 - k), *y = XG_OPERAND(x, k);
        if (n->op == XG_IOTA && y->op == XG_BROADCAST && xg_type_class(n->shape->type) == XGT_I &&
            xg_type_bits(n->shape->type) >= 32 && dim == xg_attr_or_0(n, XG_A_iota_dimension) &&
            !xg_ints_at(xg_attr_dims(y), dim, NULL))
            return XG_OPERAND(x, k);
    }
    return NULL;
}
XG_FN bool xg_opt_has_one_user(const xg_inst *x) { return x->first_use && !x->first_use->next && x != x->comp->root; }

#endif /* XG_OPT_BUILD_C */
