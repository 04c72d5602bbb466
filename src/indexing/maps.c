/* indexing/maps.c -- the question about one instruction, and the answers of the opcodes that move elements.
 *
 * An answer is a function of a query: instruction, output, operand, direction. Each
 * begins with a map whose dims are the indices of where it starts (xg_index_begin), fills in results and constraints,
 * and is simplified by the dispatcher, so the functions read like the definitions of the opcodes. */
#ifndef XG_INDEXING_MAPS_C
#define XG_INDEXING_MAPS_C
#include "indexing.h"

/* ---- small words for maps ---- */

XG_FN xg_imap *xg_index_begin(const xg_index_query *q, uint32_t n_syms, uint32_t n_rts, uint32_t n_constraints) {
    xg_imap *m = xg_imap_new(q->x, q->from->rank, n_syms, n_rts, q->to->rank, n_constraints);
    uint32_t k;
    for (k = 0; k < q->from->rank; k++) m->dims[k].range = xg_range_of(0, q->from->dims[k] - 1);
    return m;
}
XG_FN const xg_aff *xg_index_sym(const xg_index_query *q, xg_imap *m, uint32_t which, int64_t size) {
    m->syms[which].range = xg_range_of(0, size - 1);
    return xg_aff_sym(q->x, which);
}
XG_FN const xg_aff *xg_index_dim(const xg_index_query *q, uint32_t which) { return xg_aff_dim(q->x, which); }
XG_FN void xg_index_require(xg_imap *m, uint32_t *n, const xg_aff *e, int64_t lo, int64_t hi) {
    m->constraints[*n].expr = e;
    m->constraints[(*n)++].range = xg_range_of(lo, hi);
}
XG_FN const xg_imap *xg_index_identity(const xg_index_query *q) {
    xg_imap *m = xg_index_begin(q, 0, 0, 0);
    uint32_t k;
    if (q->from->rank != q->to->rank) return xg_imap_undefined(q->x);
    for (k = 0; k < q->to->rank; k++) m->results[k] = xg_index_dim(q, k);
    return m;
}
/* Between anything and a scalar that takes part in all of it. */
XG_FN const xg_imap *xg_index_scalar(const xg_index_query *q) {
    xg_imap *m = xg_index_begin(q, q->to->rank, 0, 0);
    uint32_t k;
    for (k = 0; k < q->to->rank; k++) m->results[k] = xg_index_sym(q, m, k, q->to->dims[k]);
    return m;
}
XG_FN const xg_imap *xg_index_nothing(const xg_index_query *q) {
    return xg_imap_empty(q->x, q->from->rank, q->to->rank);
}

/* A runtime symbol: the element of a scalar instruction, whatever the index. */
XG_FN const xg_aff *xg_index_scalar_rt(
    const xg_index_query *q, xg_imap *m, uint32_t which, const xg_inst *source, int64_t most) {
    xg_imap *place = xg_imap_of_dims(q->x, m->n_dims, 0);
    uint32_t k;
    for (k = 0; k < m->n_dims; k++) place->dims[k] = m->dims[k];
    m->syms[m->n_syms + which].range = xg_range_of(0, most);
    m->rts[which].source = source;
    m->rts[which].map = place;
    return xg_aff_sym(q->x, m->n_syms + which);
}

/* ---- element by element, sources, tuples ---- */

/* What has no map, on purpose. Each word is a reason; xg_indexing_why_unknown has it as a sentence. */
XG_FN const xg_imap *xg_index_by_value(const xg_index_query *q) { return xg_imap_undefined(q->x); }
XG_FN const xg_imap *xg_index_by_control(const xg_index_query *q) { return xg_imap_undefined(q->x); }
XG_FN const xg_imap *xg_index_by_device(const xg_index_query *q) { return xg_imap_undefined(q->x); }
XG_FN const xg_imap *xg_index_by_outsider(const xg_index_query *q) { return xg_imap_undefined(q->x); }
XG_FN const xg_imap *xg_index_handle(const xg_index_query *q) { return xg_imap_undefined(q->x); }

XG_FN const xg_imap *xg_index_all(const xg_index_query *q) { return xg_index_scalar(q); }
XG_FN const xg_imap *xg_index_same(const xg_index_query *q) { return xg_index_identity(q); }
XG_FN const xg_imap *xg_index_first(const xg_index_query *q) {
    return q->operand == 0 ? xg_index_identity(q) : xg_index_nothing(q);
}
/* A size that is set decides about every element. */
XG_FN const xg_imap *xg_index_resize(const xg_index_query *q) {
    return q->operand == 0 ? xg_index_identity(q) : xg_index_scalar(q);
}
XG_FN const xg_imap *xg_index_source(const xg_index_query *q) { return xg_index_nothing(q); }
XG_FN const xg_imap *xg_index_pointwise(const xg_index_query *q) {
    return q->in->rank == 0 && q->out->rank ? xg_index_scalar(q) : xg_index_identity(q);
}
XG_FN const xg_imap *xg_index_tuple(const xg_index_query *q) {
    return q->output == q->operand ? xg_index_identity(q) : xg_index_nothing(q);
}
XG_FN const xg_imap *xg_index_tuple_element(const xg_index_query *q) { return xg_index_identity(q); }

/* ---- pure movement ---- */

XG_FN const xg_imap *xg_index_bitcast(const xg_index_query *q) { return xg_indexing_bitcast(q->x, q->from, q->to); }
XG_FN const xg_imap *xg_index_reshape(const xg_index_query *q) {
    return xg_indexing_reshape(q->x, q->from->dims, q->from->rank, q->to->dims, q->to->rank);
}

/* A narrower type adds a minor dimension that counts the parts of an element. */
XG_FN const xg_imap *xg_index_bitcast_convert(const xg_index_query *q) {
    uint32_t from = q->from->rank, to = q->to->rank, k;
    xg_imap *m = xg_index_begin(q, to > from ? 1 : 0, 0, 0);
    if (from > to + 1 || to > from + 1) return xg_imap_undefined(q->x);
    for (k = 0; k < XG_MIN(from, to); k++) m->results[k] = xg_index_dim(q, k);
    if (to > from) m->results[from] = xg_index_sym(q, m, 0, q->to->dims[from]);
    return m;
}

XG_FN const xg_imap *xg_index_broadcast(const xg_index_query *q) {
    xg_ints dims = xg_attr_dims(q->i);
    xg_imap *m;
    uint32_t k, at, n = 0;
    if (q->back) {
        m = xg_index_begin(q, 0, 0, 0);
        for (k = 0; k < q->in->rank; k++) m->results[k] = xg_index_dim(q, (uint32_t)dims.p[k]);
        return m;
    }
    m = xg_index_begin(q, q->out->rank - q->in->rank, 0, 0);
    for (k = 0; k < q->out->rank; k++)
        m->results[k] = xg_ints_at(dims, k, &at) ? xg_index_dim(q, at) : xg_index_sym(q, m, n++, q->out->dims[k]);
    return m;
}

XG_FN const xg_imap *xg_index_transpose(const xg_index_query *q) {
    xg_ints perm = xg_attr_dims(q->i);
    xg_imap *m = xg_index_begin(q, 0, 0, 0);
    uint32_t k;
    for (k = 0; k < q->out->rank; k++) {
        if (q->back)
            m->results[perm.p[k]] = xg_index_dim(q, k);
        else
            m->results[k] = xg_index_dim(q, (uint32_t)perm.p[k]);
    }
    return m;
}

XG_FN const xg_imap *xg_index_reverse(const xg_index_query *q) {
    xg_ints dims = xg_attr_dims(q->i);
    xg_imap *m = xg_index_begin(q, 0, 0, 0);
    uint32_t k;
    for (k = 0; k < q->to->rank; k++) {
        m->results[k] = xg_index_dim(q, k);
        if (xg_ints_at(dims, k, NULL))
            m->results[k] = xg_aff_sub(q->x, xg_aff_const(q->x, q->to->dims[k] - 1), m->results[k]);
    }
    return m;
}

/* Between index a of a short side and b of a long one: b = first + a * step, a in [0, count - 1]. Slices are short on
 * the output's side, pads on the input's. */
XG_FN void xg_index_strided(const xg_index_query *q, xg_imap *m, uint32_t k, uint32_t *n, bool from_short,
    int64_t first, int64_t step, int64_t count, int64_t long_size) {
    const xg_aff *d = xg_index_dim(q, k), *off;
    if (from_short) {
        m->results[k] = xg_aff_add_k(q->x, xg_aff_mul(q->x, d, step), first);
        xg_index_require(m, n, m->results[k], 0, long_size - 1);
        return;
    }
    off = first == INT64_MIN ? NULL : xg_aff_add_k(q->x, d, -first);
    m->results[k] = xg_aff_div(q->x, off, step);
    xg_index_require(m, n, m->results[k], 0, count - 1);
    if (step > 1) xg_index_require(m, n, xg_aff_mod(q->x, off, step), 0, 0);
}

XG_FN const xg_imap *xg_index_slice(const xg_index_query *q) {
    const xg_slices *s = xg_inst_attr(q->i, XG_A_slice)->v.slices;
    xg_imap *m = xg_index_begin(q, 0, 0, q->out->rank * 2);
    uint32_t k, n = 0;
    for (k = 0; k < q->out->rank; k++)
        xg_index_strided(q, m, k, &n, q->back, s->p[k].start, s->p[k].stride, q->out->dims[k], q->in->dims[k]);
    m->n_constraints = n;
    return m;
}

/* The padding value has a place in every element, as far as a map can say; where the input's map does not apply, it is
 * the value. */
XG_FN const xg_imap *xg_index_pad(const xg_index_query *q) {
    const xg_pads *p = xg_inst_attr(q->i, XG_A_padding)->v.pads;
    xg_imap *m;
    uint32_t k, n = 0;
    if (q->operand == 1) return xg_index_scalar(q);
    m = xg_index_begin(q, 0, 0, q->out->rank * 2);
    for (k = 0; k < q->out->rank; k++) {
        int64_t step;
        if (!xg_add64(p->p[k].interior, 1, &step)) return xg_imap_undefined(q->x);
        xg_index_strided(q, m, k, &n, !q->back, p->p[k].low, step, q->in->dims[k], q->out->dims[k]);
    }
    m->n_constraints = n;
    return m;
}

XG_FN const xg_imap *xg_index_concatenate(const xg_index_query *q) {
    int64_t dim = xg_attr_dims(q->i).p[0], offset = 0;
    xg_imap *m = xg_index_begin(q, 0, 0, 1);
    uint32_t k, n = 0;
    for (k = 0; k < q->operand; k++) offset += XG_OPERAND(q->i, k)->shape->dims[dim];
    for (k = 0; k < q->to->rank; k++) m->results[k] = xg_index_dim(q, k);
    m->results[dim] = xg_aff_add_k(q->x, m->results[dim], q->back ? -offset : offset);
    xg_index_require(m, &n, m->results[dim], 0, q->to->dims[dim] - 1);
    return m;
}

/* ---- movement by values ---- */

/* The instruction and element that hold the start in dimension k: one scalar operand a dimension, or (as it was once
 * written) one vector. */
XG_FN const xg_aff *xg_index_start(const xg_index_query *q, xg_imap *m, uint32_t k, uint32_t first, int64_t most) {
    const xg_inst *i = q->i, *source;
    if (i->n_operands > first && XG_OPERAND(i, first)->shape->rank == 1) {
        const xg_aff *e = xg_index_scalar_rt(q, m, k, XG_OPERAND(i, first), most);
        const xg_aff *place = xg_aff_const(q->x, k);
        m->rts[k].map = xg_imap_with_results(q->x, m->rts[k].map, &place, 1);
        return e;
    }
    source = XG_OPERAND(i, first + k);
    return xg_index_scalar_rt(q, m, k, source, most);
}

/* The index operands: scalars, or a vector of which every element is read. */
XG_FN const xg_imap *xg_index_start_operand(const xg_index_query *q) { return xg_index_scalar(q); }

/* part[d] = whole[d + start]; from the whole to the part only where it lies in it. */
XG_FN const xg_imap *xg_index_window_at(
    const xg_index_query *q, const xg_shape *whole, const xg_shape *part, bool from_part, uint32_t first_index) {
    uint32_t rank = whole->rank, k, n = 0;
    xg_imap *m = xg_index_begin(q, 0, rank, rank);
    for (k = 0; k < rank; k++) {
        const xg_aff *start = xg_index_start(q, m, k, first_index, whole->dims[k] - part->dims[k]),
                     *d = xg_index_dim(q, k);
        m->results[k] = from_part ? xg_aff_add(q->x, d, start) : xg_aff_sub(q->x, d, start);
        if (!from_part) xg_index_require(m, &n, m->results[k], 0, part->dims[k] - 1);
    }
    m->n_constraints = n;
    return m;
}

XG_FN const xg_imap *xg_index_dynamic_slice(const xg_index_query *q) {
    if (q->operand > 0) return xg_index_start_operand(q);
    return xg_index_window_at(q, q->in, q->out, q->back, 1);
}

/* Operand 0 answers for every element, also those that the update replaces: which ones these are is known at run time
 * only. */
XG_FN const xg_imap *xg_index_dynamic_update_slice(const xg_index_query *q) {
    if (q->operand == 0) return xg_index_identity(q);
    if (q->operand > 1) return xg_index_start_operand(q);
    return xg_index_window_at(q, q->out, q->in, !q->back, 2);
}

/* ---- asking ---- */

XG_FN uint32_t xg_indexing_n_outputs(const xg_inst *i) {
    return i->shape->type == XLAGPU_TUPLE ? i->shape->n_elems : 1;
}
XG_FN const xg_shape *xg_indexing_output_shape(const xg_inst *i, uint32_t output) {
    return i->shape->type == XLAGPU_TUPLE ? i->shape->elems[output] : i->shape;
}

/* A tuple goes through as it is: each of its elements to the same element of the result. */
XG_FN bool xg_index_hands_on(const xg_inst *i) { return i->op == XG_OPT_BARRIER || i->op == XG_DOMAIN; }

XG_FN bool xg_index_is_plain_array(const xg_shape *s) {
    uint32_t k;
    if (!xg_shape_is_array(s)) return false;
    for (k = 0; s->dynamic && k < s->rank; k++)
        if (s->dynamic[k] == XG_DIM_UNBOUNDED) return false;
    return true;
}

typedef const xg_imap *(*xg_index_fn)(const xg_index_query *q);
/* The words of the column `index`: a switch over these is a third as long as one over all opcodes. */
/* clang-format off */
#define XG_INDEX_WORDS(X) \
    X(pointwise) X(source) X(bitcast) X(bitcast_convert) X(reshape) X(broadcast) X(transpose) X(reverse) \
    X(slice) X(pad) X(concatenate) X(dynamic_slice) X(dynamic_update_slice) X(by_value) X(gather) X(scatter) \
    X(resize) X(dot) X(scaled_dot) X(convolution) X(fft) X(cholesky) X(triangular_solve) X(reduce) \
    X(reduce_window) X(select_and_scatter) X(along) X(scan) X(batch_norm) X(tuple) X(tuple_element) X(call) \
    X(by_control) X(fusion) X(by_outsider) X(same) X(handle) X(first) X(all) X(by_device)
/* clang-format on */
enum {
#define X(word) XG_INDEX_##word,
    XG_INDEX_WORDS(X)
#undef X
};
XG_FN xg_index_fn xg_index_handler(xg_opcode op) {
    XG_TABLE const uint8_t words[] = {
#define X(name, text, lo, hi, flags, types, infer, index, eval, elem, fuse, attrs) XG_INDEX_##index,
        XG_OPS(X)
#undef X
    };
    switch (op < XG_OPCODE_COUNT ? words[op] : (uint8_t)XG_INDEX_by_value) {
#define X(word) \
    case XG_INDEX_##word: return xg_index_##word;
        XG_INDEX_WORDS(X)
#undef X
    }
    return xg_index_by_value;
}
#undef XG_INDEX_WORDS

XG_FN const char *xg_indexing_why_unknown(xg_opcode op) {
    xg_index_fn f = xg_index_handler(op);
    return f == xg_index_by_value      ? "values decide which element it is, in a way that no runtime symbol can say"
           : f == xg_index_by_control  ? "the computations that run decide"
           : f == xg_index_by_device   ? "elements come from other devices"
           : f == xg_index_by_outsider ? "code or a device outside of the module decides"
           : f == xg_index_handle      ? "what it makes or takes is a handle, whose parts have no elements of their own"
                                       : NULL;
}

XG_FN const xg_imap *xg_index_ask(xg_aff_ctx *x, const xg_inst *i, uint32_t output, uint32_t operand, bool back) {
    xg_index_query q;
    q.x = x;
    q.i = i;
    q.output = output;
    q.operand = operand;
    q.back = back;
    q.out = xg_indexing_output_shape(i, output);
    q.in = XG_OPERAND(i, operand)->shape;
    if ((i->op == XG_GET_TUPLE_ELEMENT || xg_index_hands_on(i)) && q.in->type == XLAGPU_TUPLE) q.in = q.out;
    q.from = back ? q.out : q.in;
    q.to = back ? q.in : q.out;
    if (!xg_index_is_plain_array(q.in) || !xg_index_is_plain_array(q.out)) return xg_imap_undefined(x);
    if (q.from->elements == 0 || q.to->elements == 0) return xg_index_nothing(&q);
    return xg_imap_simplify(x, xg_index_handler(i->op)(&q));
}

XG_FN const xg_imap *xg_indexing_output_to_operand(xg_aff_ctx *x, const xg_inst *i, uint32_t output, uint32_t operand) {
    return xg_index_ask(x, i, output, operand, true);
}
XG_FN const xg_imap *xg_indexing_operand_to_output(xg_aff_ctx *x, const xg_inst *i, uint32_t operand, uint32_t output) {
    return xg_index_ask(x, i, output, operand, false);
}
XG_FN const xg_imap *xg_indexing_operand(xg_aff_ctx *x, const xg_inst *i, uint32_t operand) {
    return xg_index_ask(x, i, 0, operand, true);
}

#endif /* XG_INDEXING_MAPS_C */
