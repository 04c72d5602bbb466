/* hlo/windows.c -- the roles of dimensions in gathers and scatters.
 *
 * Both move windows between a whole array and an array of windows, its part, to and from where an array of index
 * vectors says: a gather makes its part (the result) from the whole (operand 0), a scatter puts its parts (the updates)
 * into the whole (its results). Their attributes say the same under two names; here they are read, once for all
 * callers, and turned round: what a dimension of the whole is. The evaluator alone reads them for itself: it is there
 * to be compared with. */
#ifndef XG_HLO_WINDOWS_C
#define XG_HLO_WINDOWS_C
#include "hlo.h"

XG_FN bool xg_ints_at(xg_ints list, int64_t v, uint32_t *at) {
    uint32_t k;
    for (k = 0; k < list.n; k++)
        if (list.p[k] == v) {
            if (at) *at = k;
            return true;
        }
    return false;
}

/* All updates of a scatter have the dimensions of the first. */
XG_FN xg_windows xg_windows_of(const xg_inst *i) {
    bool scatter = i->op == XG_SCATTER;
    uint32_t arrays = scatter ? i->n_operands / 2 : 1, d, at, next = 0;
    xg_ints inside = xg_attr_ints(i, scatter ? XG_A_update_window_dims : XG_A_offset_dims),
            gone = xg_attr_ints(i, scatter ? XG_A_inserted_window_dims : XG_A_collapsed_slice_dims);
    xg_ints starts = xg_attr_ints(i, scatter ? XG_A_scatter_dims_to_operand_dims : XG_A_start_index_map),
            sizes = xg_attr_ints(i, XG_A_slice_sizes);
    xg_ints batch = xg_attr_ints(i, scatter ? XG_A_input_batching_dims : XG_A_operand_batching_dims),
            with = xg_attr_ints(i, scatter ? XG_A_scatter_indices_batching_dims : XG_A_start_indices_batching_dims);
    xg_windows w;
    memset(&w, 0, sizeof w);
    w.indices = XG_OPERAND(i, arrays);
    w.whole = XG_OPERAND(i, 0)->shape;
    w.part = scatter ? XG_OPERAND(i, arrays + 1)->shape : i->shape;
    w.vector_dim = xg_attr_or_0(i, XG_A_index_vector_dim);
    w.n_starts = starts.n;
    w.positions = 1;
    for (d = 0; d < w.indices->shape->rank; d++) {
        if ((int64_t)d == w.vector_dim) continue;
        w.place[w.n_positions] = d;
        w.counts[w.n_positions++] = w.indices->shape->dims[d];
        if (!xg_mul64(w.positions, w.indices->shape->dims[d], &w.positions)) w.positions = INT64_MAX;
    }
    for (d = 0; d < w.part->rank; d++)
        if (!xg_ints_at(inside, d, NULL)) w.position[next++] = d;
    for (next = d = 0; d < w.whole->rank; d++) {
        w.batch[d] = w.inside[d] = w.start[d] = -1;
        if (xg_ints_at(batch, d, &at))
            w.batch[d] = (int32_t)(with.p[at] > w.vector_dim ? with.p[at] - 1 : with.p[at]);
        else if (!xg_ints_at(gone, d, NULL))
            w.inside[d] = (int32_t)inside.p[next++];
        if (xg_ints_at(starts, d, &at)) w.start[d] = (int32_t)at;
        w.size[d] = w.batch[d] >= 0 ? 1 : !scatter ? sizes.p[d] : w.inside[d] >= 0 ? w.part->dims[w.inside[d]] : 1;
    }
    return w;
}

#endif /* XG_HLO_WINDOWS_C */
