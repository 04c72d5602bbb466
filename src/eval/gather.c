/* eval/gather.c -- gather and scatter.
 *
 * Both walk the positions of the start indices; each names a window of the operand. Gather clamps a start so that the
 * window fits and copies it; scatter skips a window that does not fit, and combines it with the update's. Windows are
 * strided boxes. */
#ifndef XG_EVAL_GATHER_C
#define XG_EVAL_GATHER_C
#include "eval.h"

/* How index positions map to operand starts; built from either opcode's attributes. */
typedef struct xg_starts {
    const xg_value *indices;
    uint32_t rank; /* of the indices without the vector dimension */
    int64_t dims[XG_RANK_MAX], strides[XG_RANK_MAX];
    int64_t vector_stride;
    xg_ints map;                        /* operand dimension of each component */
    xg_ints operand_batch, index_batch; /* operand dimension and index dimension, paired */
    int64_t vector_dim;
} xg_starts;

XG_FN void xg_starts_init(xg_starts *s, const xg_value *indices, int64_t vector_dim, xg_ints map, xg_ints operand_batch,
    xg_ints index_batch) {
    int64_t strides[XG_RANK_MAX] = {0};
    uint32_t d;
    memset(s, 0, sizeof *s);
    s->indices = indices;
    s->map = map;
    s->operand_batch = operand_batch;
    s->index_batch = index_batch;
    s->vector_dim = vector_dim;
    xg_eval_row_strides(indices->shape, strides);
    if (vector_dim < (int64_t)indices->shape->rank) s->vector_stride = strides[vector_dim];
    for (d = 0; d < indices->shape->rank; d++) {
        if ((int64_t)d == vector_dim) continue;
        s->dims[s->rank] = indices->shape->dims[d];
        s->strides[s->rank++] = strides[d];
    }
}

/* The start in the operand for index position at[]; saturated to int64, not clamped. */
XG_FN void xg_starts_at(const xg_starts *s, const int64_t *at, uint32_t operand_rank, int64_t *start) {
    int64_t base = 0;
    uint32_t d, k;
    for (d = 0; d < s->rank; d++) base += at[d] * s->strides[d];
    for (d = 0; d < operand_rank; d++) start[d] = 0;
    for (k = 0; k < s->map.n; k++) {
        int64_t v = xg_eval_int_at(s->indices, base + (int64_t)k * s->vector_stride);
        if (v < 0 && s->indices->shape->type == XLAGPU_U64) v = INT64_MAX;
        start[s->map.p[k]] = v;
    }
    for (k = 0; k < s->operand_batch.n; k++) {
        int64_t dim = s->index_batch.p[k];
        start[s->operand_batch.p[k]] = at[dim > s->vector_dim ? dim - 1 : dim];
    }
}

XG_FN bool xg_starts_next(const xg_starts *s, int64_t *at) {
    uint32_t d;
    for (d = s->rank; d-- > 0;) {
        if (++at[d] < s->dims[d]) return true;
        at[d] = 0;
    }
    return false;
}

XG_FN bool xg_starts_empty(const xg_starts *s) {
    uint32_t d;
    for (d = 0; d < s->rank; d++)
        if (s->dims[d] == 0) return true;
    return false;
}

/* The window's dimensions in the array of slices (in order: those of `window`) beside the operand's that are not
 * dropped. Strides of slices go to box->to, of the operand to box->from; batch[] are the strides of the index positions
 * in the slices. */
XG_FN void xg_window_box(xg_strided *box, const xg_shape *operand, const xg_shape *slices, xg_ints window,
    xg_ints dropped, xg_ints batching, int64_t *batch) {
    int64_t os[XG_RANK_MAX], ss[XG_RANK_MAX];
    uint32_t d, k = 0, b = 0;
    xg_eval_row_strides(operand, os);
    xg_eval_row_strides(slices, ss);
    box->rank = 0;
    box->bytes = (size_t)xg_type_bytes(operand->type);
    for (d = 0; d < operand->rank; d++) {
        if (xg_ints_has(dropped, d) || xg_ints_has(batching, d)) continue;
        box->dims[box->rank] = slices->dims[window.p[k]];
        box->to[box->rank] = ss[window.p[k]];
        box->from[box->rank++] = os[d];
        k++;
    }
    for (d = 0; d < slices->rank; d++)
        if (!xg_ints_has(window, d)) batch[b++] = ss[d];
}

XG_FN xg_value *xg_eval_gather(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    xg_ints sizes = xg_attr_ints(i, XG_A_slice_sizes);
    const xg_shape *operand = in[0]->shape;
    xg_value *out = xg_eval_new(r, i->shape);
    const unsigned char *data = xg_eval_dense(r, &in[0]);
    int64_t at[XG_RANK_MAX], start[XG_RANK_MAX], batch[XG_RANK_MAX], os[XG_RANK_MAX];
    xg_starts s;
    xg_strided box;
    uint32_t d;
    xg_starts_init(&s, in[1], xg_attr_or_0(i, XG_A_index_vector_dim), xg_attr_ints(i, XG_A_start_index_map),
        xg_attr_ints(i, XG_A_operand_batching_dims), xg_attr_ints(i, XG_A_start_indices_batching_dims));
    xg_window_box(&box, operand, i->shape, xg_attr_ints(i, XG_A_offset_dims),
        xg_attr_ints(i, XG_A_collapsed_slice_dims), s.operand_batch, batch);
    xg_eval_row_strides(operand, os);
    memset(at, 0, sizeof at);
    if (i->shape->elements == 0) return out;
    xg_eval_spend(r, i->shape->elements);
    if (operand->elements == 0 || xg_ints_has(sizes, 0)) { /* there is nothing to read */
        memset(out->data, 0, xg_eval_bytes(r, i->shape));
        return out;
    }
    do {
        int64_t from = 0, to = 0;
        xg_starts_at(&s, at, operand->rank, start);
        for (d = 0; d < operand->rank; d++)
            from += XG_MAX((int64_t)0, XG_MIN(start[d], operand->dims[d] - sizes.p[d])) * os[d];
        for (d = 0; d < s.rank; d++) to += at[d] * batch[d];
        xg_eval_copy(&box, out->data + (size_t)to * box.bytes, data + (size_t)from * box.bytes);
    } while (xg_starts_next(&s, at));
    return out;
}

/* ---- scatter ---- */

typedef struct xg_scatter {
    const xg_comp *comp;
    uint32_t n;
    bool replace; /* the combiner just returns the update */
    xg_value *outs[XG_RANK_MAX];
    const unsigned char *updates[XG_RANK_MAX];
    size_t bytes[XG_RANK_MAX];
} xg_scatter;

XG_FN bool xg_scatter_replaces(const xg_comp *c) { return c->n_params == 2 && c->root == c->params[1]; }

/* Combines one window; box.to are strides in the updates, box.from in the operand. */
XG_FN void xg_scatter_window(
    xg_eval_run *r, const xg_scatter *s, const xg_strided *box, int64_t operand_at, int64_t update_at) {
    unsigned char *acc[XG_RANK_MAX];
    const unsigned char *x[XG_RANK_MAX];
    xg_strided to = *box, from = *box;
    int64_t count = 1;
    uint32_t k, d;
    for (d = 0; d < box->rank; d++) count *= box->dims[d];
    for (k = 0; k < s->n; k++) {
        acc[k] = s->outs[k]->data + (size_t)operand_at * s->bytes[k];
        x[k] = s->updates[k] + (size_t)update_at * s->bytes[k];
    }
    memcpy(from.from, box->to, sizeof from.from);
    if (s->replace) {
        memcpy(to.to, box->from, sizeof to.to);
        memcpy(to.from, box->to, sizeof to.from);
        xg_eval_copy(&to, acc[0], x[0]);
    } else if (count == 1)
        xg_reduce_fold(r, s->comp, s->n, acc, x, 1);
    else
        xg_reduce_box(r, s->comp, s->n, acc, &to, x, &from, s->bytes);
}

XG_FN xg_value *xg_eval_scatter(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    const xg_shape *operand, *update;
    int64_t at[XG_RANK_MAX], start[XG_RANK_MAX], batch[XG_RANK_MAX], os[XG_RANK_MAX], extent[XG_RANK_MAX];
    xg_ints inserted = xg_attr_ints(i, XG_A_inserted_window_dims);
    uint32_t n = (i->n_operands - 1) / 2, k, d;
    xg_scatter job;
    xg_starts s;
    xg_strided box;
    if (n > XG_RANK_MAX)
        xg_hlo_fail(
            i, XLAGPU_ERROR_UNSUPPORTED, NULL, "more than %d arrays at once are not evaluated", (int)XG_RANK_MAX);
    operand = XG_OPERAND(i, 0)->shape;
    update = XG_OPERAND(i, n + 1)->shape;
    job.comp = xg_attr_to_apply(i);
    job.n = n;
    job.replace = xg_scatter_replaces(job.comp);
    for (k = 0; k < n; k++) {
        job.updates[k] = xg_eval_dense(r, &in[n + 1 + k]);
        job.outs[k] = xg_eval_own(r, &in[k]);
        job.bytes[k] = (size_t)xg_type_bytes(job.outs[k]->shape->type);
    }
    xg_starts_init(&s, in[n], xg_attr_or_0(i, XG_A_index_vector_dim),
        xg_attr_ints(i, XG_A_scatter_dims_to_operand_dims), xg_attr_ints(i, XG_A_input_batching_dims),
        xg_attr_ints(i, XG_A_scatter_indices_batching_dims));
    xg_window_box(&box, operand, update, xg_attr_ints(i, XG_A_update_window_dims), inserted, s.operand_batch, batch);
    xg_eval_row_strides(operand, os);
    for (d = k = 0; d < operand->rank; d++)
        extent[d] = xg_ints_has(inserted, d) || xg_ints_has(s.operand_batch, d) ? 1 : box.dims[k++];
    memset(at, 0, sizeof at);
    if (update->elements == 0 || xg_starts_empty(&s)) return xg_eval_results(r, i, job.outs);
    xg_eval_spend(r, update->elements);
    do {
        int64_t operand_at = 0, update_at = 0;
        bool inside = true;
        xg_starts_at(&s, at, operand->rank, start);
        for (d = 0; d < operand->rank; d++) {
            if (start[d] < 0 || start[d] > operand->dims[d] - extent[d]) {
                inside = false;
                break;
            }
            operand_at += start[d] * os[d];
        }
        if (!inside) continue;
        for (d = 0; d < s.rank; d++) update_at += at[d] * batch[d];
        xg_scatter_window(r, &job, &box, operand_at, update_at);
    } while (xg_starts_next(&s, at));
    return xg_eval_results(r, i, job.outs);
}

#endif /* XG_EVAL_GATHER_C */
