/* indexing/layout.c -- the order of elements in memory: linear offsets, what a bitcast and a reshape keep, which thread
 * takes which element.
 *
 * An element's offset is the sum of index times stride, the strides by layout. The way back divides by the stride and
 * takes the remainder by the size, minor dims first. A map between two shapes goes through the offset; the arithmetic
 * of affine/ then finds what of it is only renaming. */
#ifndef XG_INDEXING_LAYOUT_C
#define XG_INDEXING_LAYOUT_C
#include "indexing.h"

XG_FN void xg_index_order_push(xg_index_order *o, uint32_t dim, int64_t size) {
    o->dim[o->n] = dim;
    o->size[o->n] = size;
    /* a shape's element count is checked to fit */
    o->stride[o->n] = o->n ? o->stride[o->n - 1] * o->size[o->n - 1] : 1;
    o->n++;
}
XG_FN xg_index_order xg_index_order_of_shape(const xg_shape *s) {
    xg_index_order o;
    uint32_t k;
    o.n = 0;
    for (k = 0; k < s->rank; k++) {
        uint32_t d = s->layout ? (uint32_t)s->layout->minor_to_major[k] : s->rank - 1 - k;
        xg_index_order_push(&o, d, s->dims[d]);
    }
    return o;
}
/* Row-major order of dims [from, to). */
XG_FN xg_index_order xg_index_order_of_run(const int64_t *dims, uint32_t from, uint32_t to) {
    xg_index_order o;
    o.n = 0;
    while (to > from) {
        to--;
        xg_index_order_push(&o, to, dims[to]);
    }
    return o;
}

XG_FN const xg_aff *xg_index_linearise(xg_aff_ctx *x, const xg_index_order *o, const xg_aff *const *at) {
    const xg_aff *e = xg_aff_const(x, 0);
    uint32_t k;
    for (k = o->n; k-- > 0;)
        if (o->size[k] != 1) e = xg_aff_add_mul(x, e, at[o->dim[k]], o->stride[k]);
    return e;
}

/* The outermost index needs no remainder, given an offset that is in range. */
XG_FN void xg_index_delinearise(xg_aff_ctx *x, const xg_index_order *o, const xg_aff *linear, const xg_aff **at) {
    uint32_t k, top = o->n;
    while (top > 0 && o->size[top - 1] == 1) top--;
    for (k = 0; k < o->n; k++) {
        if (o->size[k] == 1) {
            at[o->dim[k]] = xg_aff_const(x, 0);
            continue;
        }
        at[o->dim[k]] = xg_aff_div(x, linear, o->stride[k]);
        if (k + 1 < top) at[o->dim[k]] = xg_aff_mod(x, at[o->dim[k]], o->size[k]);
    }
}

XG_FN xg_imap *xg_index_begin_at(
    xg_aff_ctx *x, const int64_t *dims, uint32_t rank, uint32_t n_results, const xg_aff **at) {
    xg_imap *m = xg_imap_of_dims(x, rank, n_results);
    uint32_t k;
    for (k = 0; k < rank; k++) {
        m->dims[k].range = xg_range_of(0, dims[k] - 1);
        at[k] = xg_aff_dim(x, k);
    }
    return m;
}

XG_FN bool xg_index_has_order(const xg_shape *s) { /* plain strides: no tiles */
    return xg_shape_is_array(s) && (!s->layout || s->layout->extras.n == 0);
}

XG_FN const xg_imap *xg_indexing_linear(xg_aff_ctx *x, const xg_shape *s) {
    const xg_aff *at[XG_RANK_MAX];
    xg_index_order o;
    xg_imap *m;
    if (!xg_index_has_order(s)) return xg_imap_undefined(x);
    if (s->elements == 0) return xg_imap_empty(x, s->rank, 1);
    o = xg_index_order_of_shape(s);
    m = xg_index_begin_at(x, s->dims, s->rank, 1, at);
    m->results[0] = xg_index_linearise(x, &o, at);
    return xg_imap_simplify(x, m);
}

XG_FN const xg_imap *xg_indexing_delinear(xg_aff_ctx *x, const xg_shape *s) {
    const xg_aff *at[1];
    xg_index_order o;
    xg_imap *m;
    if (!xg_index_has_order(s)) return xg_imap_undefined(x);
    if (s->elements == 0) return xg_imap_empty(x, 1, s->rank);
    o = xg_index_order_of_shape(s);
    m = xg_index_begin_at(x, &s->elements, 1, s->rank, at);
    xg_index_delinearise(x, &o, at[0], m->results);
    return xg_imap_simplify(x, m);
}

XG_FN const xg_imap *xg_indexing_flatten(xg_aff_ctx *x, const xg_imap *m, const xg_shape *s) {
    return xg_imap_compose(x, m, xg_indexing_linear(x, s));
}

XG_FN const xg_imap *xg_indexing_bitcast(xg_aff_ctx *x, const xg_shape *from, const xg_shape *to) {
    const xg_aff *at[XG_RANK_MAX];
    xg_index_order of, ot;
    xg_imap *m;
    if (!xg_index_has_order(from) || !xg_index_has_order(to) || from->elements != to->elements ||
        xg_type_bits(from->type) != xg_type_bits(to->type))
        return xg_imap_undefined(x);
    if (from->elements == 0) return xg_imap_empty(x, from->rank, to->rank);
    of = xg_index_order_of_shape(from);
    ot = xg_index_order_of_shape(to);
    m = xg_index_begin_at(x, from->dims, from->rank, to->rank, at);
    if (xg_shape_same_dims(from, to) && memcmp(of.dim, ot.dim, of.n * sizeof *of.dim) == 0)
        memcpy(m->results, at, from->rank * sizeof *at);
    else
        xg_index_delinearise(x, &ot, xg_index_linearise(x, &of, at), m->results);
    return xg_imap_simplify(x, m);
}

/* Dims are grouped from the major side into runs of equal products; a run of one dim on each side is only renamed, and
 * the arithmetic of one run does not see the others. */
XG_FN const xg_imap *xg_indexing_reshape(
    xg_aff_ctx *x, const int64_t *from, uint32_t from_rank, const int64_t *to, uint32_t to_rank) {
    const xg_aff *at[XG_RANK_MAX];
    xg_imap *m = xg_index_begin_at(x, from, from_rank, to_rank, at);
    uint32_t i = 0, j = 0;
    for (i = 0; i < from_rank; i++)
        if (from[i] == 0) return xg_imap_empty(x, from_rank, to_rank);
    for (i = 0; i < to_rank; i++)
        if (to[i] == 0) return xg_imap_empty(x, from_rank, to_rank);
    for (i = 0; i < from_rank || j < to_rank;) {
        uint32_t i0 = i, j0 = j;
        int64_t pi = i < from_rank ? from[i++] : 1, pj = j < to_rank ? to[j++] : 1;
        xg_index_order of, ot;
        while (pi != pj) {
            if (pi < pj ? i == from_rank : j == to_rank) return xg_imap_undefined(x);
            if (pi < pj)
                pi *= from[i++];
            else
                pj *= to[j++];
        }
        of = xg_index_order_of_run(from, i0, i);
        ot = xg_index_order_of_run(to, j0, j);
        xg_index_delinearise(x, &ot, xg_index_linearise(x, &of, at), m->results);
    }
    return xg_imap_simplify(x, m);
}

/* ---- threads ---- */

XG_FN const xg_aff *xg_indexing_thread_linear(xg_aff_ctx *x, int64_t threads, int64_t rounds, int64_t unroll) {
    const xg_aff *block = xg_aff_dim_1(x), *vector;
    if (rounds > 1) block = xg_aff_add_mul(x, xg_aff_sym(x, 0), block, rounds);
    vector = xg_aff_add_mul(x, xg_aff_dim_0(x), block, threads);
    return xg_aff_add_mul(x, xg_aff_sym(x, rounds > 1), vector, unroll);
}
XG_FN const xg_imap *xg_indexing_thread_rounds(
    xg_aff_ctx *x, const xg_shape *s, int64_t threads, int64_t blocks, int64_t rounds, int64_t unroll) {
    uint32_t n_syms = rounds > 1 ? 2 : 1;
    const xg_aff *linear = xg_indexing_thread_linear(x, threads, rounds, unroll);
    xg_index_order o;
    xg_imap *m;
    if (!xg_index_has_order(s)) return xg_imap_undefined(x);
    if (s->elements == 0) return xg_imap_empty(x, 2, s->rank);
    m = xg_imap_new(x, 2, n_syms, 0, s->rank, 1);
    xg_imap_counts(&m->dims[0], "th_x", threads);
    xg_imap_counts(&m->dims[1], "bl_x", blocks);
    xg_imap_counts(&m->syms[0], "round", rounds);
    xg_imap_counts(&m->syms[n_syms - 1], "vector_index", unroll);
    o = xg_index_order_of_shape(s);
    xg_index_delinearise(x, &o, linear, m->results);
    m->constraints[0].expr = linear;
    m->constraints[0].range = xg_range_of(0, s->elements - 1);
    return xg_imap_simplify(x, m);
}
XG_FN const xg_imap *xg_indexing_thread(
    xg_aff_ctx *x, const xg_shape *s, int64_t threads, int64_t blocks, int64_t unroll) {
    return xg_indexing_thread_rounds(x, s, threads, blocks, 1, unroll);
}

#endif /* XG_INDEXING_LAYOUT_C */
