/* indexing/by_index.c -- gather and scatter, which move windows between a whole array and a part, where an array of
 * indices says.
 *
 * hlo/windows.c says what each dimension is, of either; so both ask the same two maps: from the part to the whole and
 * back. A gather clamps a start so that the window fits; a scatter leaves out a window that does not fit. */
#ifndef XG_INDEXING_BY_INDEX_C
#define XG_INDEXING_BY_INDEX_C
#include "indexing.h"
#include "maps.c"

/* The index into the indices for this element of the part; component is what stands in the vector dimension. */
XG_FN void xg_index_windows_place(
    const xg_windows *w, const xg_aff *const *position, const xg_aff *component, const xg_aff **results) {
    uint32_t k;
    if (w->vector_dim < (int64_t)w->indices->shape->rank) results[w->vector_dim] = component;
    for (k = 0; k < w->n_positions; k++) results[w->place[k]] = position[k];
}

XG_FN const xg_imap *xg_index_part_to_whole(const xg_index_query *q, const xg_windows *w) {
    xg_imap *m = xg_index_begin(q, 0, w->n_starts, 0);
    const xg_aff *position[XG_RANK_MAX], *place[XG_RANK_MAX];
    uint32_t k;
    for (k = 0; k < w->n_positions; k++) position[k] = xg_index_dim(q, w->position[k]);
    for (k = 0; k < w->whole->rank; k++) {
        int32_t at = w->start[k];
        if (w->batch[k] >= 0) {
            m->results[k] = position[w->batch[k]];
            continue;
        }
        m->results[k] = w->inside[k] >= 0 ? xg_index_dim(q, (uint32_t)w->inside[k]) : xg_aff_const(q->x, 0);
        if (at >= 0) {
            const xg_aff *start = xg_index_scalar_rt(q, m, (uint32_t)at, w->indices, w->whole->dims[k] - w->size[k]);
            xg_index_windows_place(w, position, xg_aff_const(q->x, at), place);
            m->rts[at].map = xg_imap_with_results(q->x, m->rts[at].map, place, w->indices->shape->rank);
            m->results[k] = xg_aff_add(q->x, m->results[k], start);
        }
    }
    return m;
}

/* Symbols: the windows, by the dims of the part that number them; those that run with a dim of the whole are that
 * dim. */
XG_FN const xg_imap *xg_index_whole_to_part(const xg_index_query *q, const xg_windows *w) {
    xg_imap *m = xg_index_begin(q, w->n_positions, w->n_starts, w->whole->rank);
    const xg_aff *position[XG_RANK_MAX], *place[XG_RANK_MAX];
    uint32_t k, j, n = 0;
    for (k = 0; k < w->n_positions; k++) position[k] = xg_index_sym(q, m, k, w->counts[k]);
    for (k = 0; k < w->whole->rank; k++)
        if (w->batch[k] >= 0) position[w->batch[k]] = xg_index_dim(q, k);
    for (k = 0; k < w->n_positions; k++) m->results[w->position[k]] = position[k];
    for (k = 0; k < w->whole->rank; k++) {
        const xg_aff *e = xg_index_dim(q, k);
        int32_t at = w->start[k];
        if (w->batch[k] >= 0) continue;
        if (at >= 0) {
            xg_imap *where = xg_imap_new(q->x, m->n_dims, m->n_syms, 0, 0, 0);
            e = xg_aff_sub(q->x, e, xg_index_scalar_rt(q, m, (uint32_t)at, w->indices, w->whole->dims[k] - w->size[k]));
            for (j = 0; j < m->n_dims; j++) where->dims[j] = m->dims[j];
            for (j = 0; j < m->n_syms; j++) where->syms[j] = m->syms[j];
            xg_index_windows_place(w, position, xg_aff_const(q->x, at), place);
            m->rts[at].map = xg_imap_with_results(q->x, where, place, w->indices->shape->rank);
        }
        xg_index_require(m, &n, e, 0, w->size[k] - 1);
        if (w->inside[k] >= 0) m->results[w->inside[k]] = e;
    }
    m->n_constraints = n;
    return m;
}

/* ---- gather ---- */

XG_FN const xg_imap *xg_index_gather_indices(const xg_index_query *q, const xg_windows *w) {
    bool has_vector = w->vector_dim < (int64_t)q->in->rank;
    xg_imap *m = xg_index_begin(q, has_vector ? 1 : 0, 0, 0);
    const xg_aff *position[XG_RANK_MAX];
    uint32_t k;
    for (k = 0; k < w->n_positions; k++) position[k] = xg_index_dim(q, w->position[k]);
    xg_index_windows_place(
        w, position, has_vector ? xg_index_sym(q, m, 0, q->in->dims[w->vector_dim]) : NULL, m->results);
    return m;
}
/* Symbols: the window. */
XG_FN const xg_imap *xg_index_gather_from_indices(const xg_index_query *q, const xg_windows *w) {
    xg_imap *m = xg_index_begin(q, q->out->rank - w->n_positions, 0, 0);
    uint32_t k, n = 0;
    for (k = 0; k < w->whole->rank; k++)
        if (w->inside[k] >= 0) m->results[w->inside[k]] = xg_index_sym(q, m, n++, q->out->dims[w->inside[k]]);
    for (k = 0; k < w->n_positions; k++) m->results[w->position[k]] = xg_index_dim(q, w->place[k]);
    return m;
}

XG_FN const xg_imap *xg_index_gather(const xg_index_query *q) {
    xg_windows w = xg_windows_of(q->i);
    w.part = q->out; /* its layout may be another one */
    if (!q->back) return q->operand == 0 ? xg_index_whole_to_part(q, &w) : xg_index_gather_from_indices(q, &w);
    return q->operand == 0 ? xg_index_part_to_whole(q, &w) : xg_index_gather_indices(q, &w);
}

/* ---- scatter ---- */

/* Any index may name any element, within its batch. */
XG_FN const xg_imap *xg_index_scatter_indices(const xg_index_query *q, const xg_windows *w) {
    xg_imap *m;
    int32_t with[XG_RANK_MAX];
    uint32_t k, n = 0;
    for (k = 0; k < q->to->rank; k++) with[k] = -1;
    for (k = 0; k < w->whole->rank; k++) {
        if (w->batch[k] < 0) continue;
        if (q->back)
            with[w->place[w->batch[k]]] = (int32_t)k;
        else
            with[k] = (int32_t)w->place[w->batch[k]];
        n++;
    }
    m = xg_index_begin(q, q->to->rank - n, 0, 0);
    for (k = n = 0; k < q->to->rank; k++)
        m->results[k] = with[k] >= 0 ? xg_index_dim(q, (uint32_t)with[k]) : xg_index_sym(q, m, n++, q->to->dims[k]);
    return m;
}

/* Inputs first: what no update meets stays; the computation is given all of them at one place. */
XG_FN const xg_imap *xg_index_scatter(const xg_index_query *q) {
    uint32_t n = q->i->n_operands / 2;
    xg_windows w;
    if (q->operand < n) return xg_index_identity(q);
    w = xg_windows_of(q->i);
    if (q->operand == n) return xg_index_scatter_indices(q, &w);
    return q->back ? xg_index_whole_to_part(q, &w) : xg_index_part_to_whole(q, &w);
}

#endif /* XG_INDEXING_BY_INDEX_C */
