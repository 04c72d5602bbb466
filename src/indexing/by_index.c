/* indexing/by_index.c -- gather and scatter, which move windows between a whole array and a part, where an array of indices says.
 *
 * A gather makes its part (the result) from the whole (operand 0); a scatter puts its parts (the updates) into the whole (its results). Both name the roles of dimensions
 * alike, so both ask the same two maps: from the part to the whole and back. A gather clamps a start so that the window fits; a scatter
 * leaves out a window that does not fit. */
#ifndef XG_INDEXING_BY_INDEX_C
#define XG_INDEXING_BY_INDEX_C
#include "indexing.h"

/* The roles of dims: which dims of the part are of the window and which number the windows. */
typedef struct xg_index_windows {
    const xg_inst *indices;
    const xg_shape *whole, *part;
    xg_ints offset, collapsed, starts, whole_batch, indices_batch;
    int64_t vector_dim, sizes[XG_RANK_MAX]; /* of a window, by dims of the whole */
    uint32_t n_batch, batch[XG_RANK_MAX];   /* dims of the part that number the windows, in order */
} xg_index_windows;

XG_FN void xg_index_windows_batch(xg_index_windows *g) {
    uint32_t k;
    g->n_batch = 0;
    for (k = 0; k < g->part->rank; k++) if (!xg_index_has(g->offset, k, NULL)) g->batch[g->n_batch++] = k;
}

XG_FN void xg_index_gather_windows(const xg_inst *i, const xg_shape *out, xg_index_windows *g) {
    xg_ints sizes = xg_attr_ints(i, XG_A_slice_sizes);
    uint32_t k;
    g->indices = XG_OPERAND(i, 1);
    g->whole = XG_OPERAND(i, 0)->shape;
    g->part = out;
    g->offset = xg_attr_ints(i, XG_A_offset_dims);
    g->collapsed = xg_attr_ints(i, XG_A_collapsed_slice_dims);
    g->starts = xg_attr_ints(i, XG_A_start_index_map);
    g->whole_batch = xg_attr_ints(i, XG_A_operand_batching_dims);
    g->indices_batch = xg_attr_ints(i, XG_A_start_indices_batching_dims);
    g->vector_dim = xg_attr_int(i, XG_A_index_vector_dim, 0);
    for (k = 0; k < g->whole->rank; k++) g->sizes[k] = sizes.p[k];
    xg_index_windows_batch(g);
}

/* n inputs, the indices, n updates; all updates have the roles of the first. */
XG_FN void xg_index_scatter_windows(const xg_inst *i, uint32_t update, xg_index_windows *g) {
    uint32_t k, next = 0;
    g->indices = XG_OPERAND(i, i->n_operands / 2);
    g->whole = XG_OPERAND(i, 0)->shape;
    g->part = XG_OPERAND(i, update)->shape;
    g->offset = xg_attr_ints(i, XG_A_update_window_dims);
    g->collapsed = xg_attr_ints(i, XG_A_inserted_window_dims);
    g->starts = xg_attr_ints(i, XG_A_scatter_dims_to_operand_dims);
    g->whole_batch = xg_attr_ints(i, XG_A_input_batching_dims);
    g->indices_batch = xg_attr_ints(i, XG_A_scatter_indices_batching_dims);
    g->vector_dim = xg_attr_int(i, XG_A_index_vector_dim, 0);
    for (k = 0; k < g->whole->rank; k++) {
        bool one = xg_index_has(g->collapsed, k, NULL) || xg_index_has(g->whole_batch, k, NULL);
        g->sizes[k] = one ? 1 : g->part->dims[g->offset.p[next++]];
    }
    xg_index_windows_batch(g);
}

/* The index into the indices for this element of the part; component is what stands in the vector dimension. */
XG_FN void xg_index_windows_place(const xg_index_query *q, const xg_index_windows *g, const xg_aff *component, const xg_aff **results) {
    uint32_t k, next = 0;
    for (k = 0; k < g->indices->shape->rank; k++) results[k] = (int64_t)k == g->vector_dim ? component : xg_index_dim(q, g->batch[next++]);
}

/* The dim of the part that runs with batching dim `which` of the whole. */
XG_FN uint32_t xg_index_windows_batch_dim(const xg_index_windows *g, uint32_t which) {
    int64_t d = g->indices_batch.p[which];
    return g->batch[d > g->vector_dim ? d - 1 : d];
}

XG_FN const xg_imap *xg_index_part_to_whole(const xg_index_query *q, const xg_index_windows *g) {
    xg_imap *m = xg_index_begin(q, 0, g->starts.n, 0);
    uint32_t k, at, next = 0;
    for (k = 0; k < g->whole->rank; k++) {
        if (xg_index_has(g->whole_batch, k, &at)) { m->results[k] = xg_index_dim(q, xg_index_windows_batch_dim(g, at)); continue; }
        m->results[k] = xg_index_has(g->collapsed, k, NULL) ? xg_aff_const(q->x, 0) : xg_index_dim(q, (uint32_t)g->offset.p[next++]);
        if (xg_index_has(g->starts, k, &at)) {
            const xg_aff *start = xg_index_scalar_rt(q, m, at, g->indices, g->whole->dims[k] - g->sizes[k]), *place[XG_RANK_MAX];
            xg_index_windows_place(q, g, xg_aff_const(q->x, at), place);
            m->rts[at].map = xg_imap_with_results(q->x, m->rts[at].map, place, g->indices->shape->rank);
            m->results[k] = xg_aff_add(q->x, m->results[k], start);
        }
    }
    return m;
}

/* Symbols: the windows, by the dims of the part that number them; those that run with a dim of the whole are that dim. */
XG_FN const xg_imap *xg_index_whole_to_part(const xg_index_query *q, const xg_index_windows *g) {
    xg_imap *m = xg_index_begin(q, g->n_batch, g->starts.n, g->whole->rank);
    const xg_aff *place[XG_RANK_MAX];
    uint32_t k, j, at, next = 0, n = 0;
    for (k = 0; k < g->n_batch; k++) m->results[g->batch[k]] = xg_index_sym(q, m, k, g->part->dims[g->batch[k]]);
    for (k = 0; k < g->whole_batch.n; k++) m->results[xg_index_windows_batch_dim(g, k)] = xg_index_dim(q, (uint32_t)g->whole_batch.p[k]);
    for (k = 0; k < g->whole->rank; k++) {
        const xg_aff *e = xg_index_dim(q, k);
        if (xg_index_has(g->whole_batch, k, NULL)) continue;
        if (xg_index_has(g->starts, k, &at)) {
            xg_imap *where = xg_imap_new(q->x, m->n_dims, m->n_syms, 0, 0, 0);
            uint32_t batch = 0;
            e = xg_aff_sub(q->x, e, xg_index_scalar_rt(q, m, at, g->indices, g->whole->dims[k] - g->sizes[k]));
            for (j = 0; j < m->n_dims; j++) where->dims[j] = m->dims[j];
            for (j = 0; j < m->n_syms; j++) where->syms[j] = m->syms[j];
            for (j = 0; j < g->indices->shape->rank; j++) place[j] = (int64_t)j == g->vector_dim ? xg_aff_const(q->x, at) : m->results[g->batch[batch++]];
            m->rts[at].map = xg_imap_with_results(q->x, where, place, g->indices->shape->rank);
        }
        xg_index_require(m, &n, e, 0, g->sizes[k] - 1);
        if (!xg_index_has(g->collapsed, k, NULL)) m->results[g->offset.p[next++]] = e;
    }
    m->n_constraints = n;
    return m;
}

/* ---- gather ---- */

XG_FN const xg_imap *xg_index_gather_indices(const xg_index_query *q, const xg_index_windows *g) {
    bool has_vector = g->vector_dim < (int64_t)q->in->rank;
    xg_imap *m = xg_index_begin(q, has_vector ? 1 : 0, 0, 0);
    xg_index_windows_place(q, g, has_vector ? xg_index_sym(q, m, 0, q->in->dims[g->vector_dim]) : NULL, m->results);
    return m;
}
/* Symbols: the window. */
XG_FN const xg_imap *xg_index_gather_from_indices(const xg_index_query *q, const xg_index_windows *g) {
    xg_imap *m = xg_index_begin(q, g->offset.n, 0, 0);
    uint32_t k, batch = 0;
    for (k = 0; k < g->offset.n; k++) m->results[g->offset.p[k]] = xg_index_sym(q, m, k, q->out->dims[g->offset.p[k]]);
    for (k = 0; k < q->in->rank; k++) if ((int64_t)k != g->vector_dim) m->results[g->batch[batch++]] = xg_index_dim(q, k);
    return m;
}

XG_FN const xg_imap *xg_index_gather(const xg_index_query *q) {
    xg_index_windows g;
    xg_index_gather_windows(q->i, q->out, &g);
    if (!q->back) return q->operand == 0 ? xg_index_whole_to_part(q, &g) : xg_index_gather_from_indices(q, &g);
    return q->operand == 0 ? xg_index_part_to_whole(q, &g) : xg_index_gather_indices(q, &g);
}

/* ---- scatter ---- */

/* Any index may name any element, within its batch. */
XG_FN const xg_imap *xg_index_scatter_indices(const xg_index_query *q, const xg_index_windows *g) {
    xg_ints from = q->back ? g->whole_batch : g->indices_batch, to = q->back ? g->indices_batch : g->whole_batch;
    xg_imap *m = xg_index_begin(q, q->to->rank - to.n, 0, 0);
    uint32_t k, at, n = 0;
    for (k = 0; k < q->to->rank; k++) m->results[k] = xg_index_has(to, k, &at) ? xg_index_dim(q, (uint32_t)from.p[at]) : xg_index_sym(q, m, n++, q->to->dims[k]);
    return m;
}

/* Inputs first: what no update meets stays; the computation is given all of them at one place. */
XG_FN const xg_imap *xg_index_scatter(const xg_index_query *q) {
    uint32_t n = q->i->n_operands / 2;
    xg_index_windows g;
    if (q->operand < n) return xg_index_identity(q);
    xg_index_scatter_windows(q->i, q->operand == n ? n + 1 : q->operand, &g);
    if (q->operand == n) return xg_index_scatter_indices(q, &g);
    return q->back ? xg_index_whole_to_part(q, &g) : xg_index_part_to_whole(q, &g);
}

#endif /* XG_INDEXING_BY_INDEX_C */
