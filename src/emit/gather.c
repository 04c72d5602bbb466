/* emit/gather.c -- gather and scatter, one element of the result at a time.
 *
 * gather reads the start indices of its slice, clamps each so that the slice lies inside, and reads one element. scatter is turned round: an element of
 * the result starts from the operand's and goes through all positions of the indices in order, taking the update of those whose window covers it; a window that
 * does not lie inside the operand is left out as a whole. That is deterministic and needs no atomic operation, and costs elements times positions. */
#ifndef XG_EMIT_GATHER_C
#define XG_EMIT_GATHER_C
#include "emit.h"

XG_FN bool xg_gather_has(xg_ints s, int64_t v, uint32_t *at) {
    uint32_t k;
    for (k = 0; k < s.n; k++) if (s.p[k] == v) { if (at) *at = k; return true; }
    return false;
}

/* Component k of the start index at a position; the position counts the dims of the indices without the vector one. */
XG_FN xg_kval *xg_gather_component(xg_scope *s, const xg_inst *indices, int64_t vector_dim, xg_kval *const *position, uint32_t k) {
    xg_kval *idx[XG_RANK_MAX];
    uint32_t d, next = 0;
    for (d = 0; d < indices->shape->rank; d++) idx[d] = (int64_t)d == vector_dim ? xg_elem_index(s, k) : position[next++];
    return xg_elem_of(s, indices, idx).v;
}

XG_FN xg_elem xg_elem_gather(xg_scope *s, const xg_inst *i, xg_kval *const *at) {
    const xg_inst *operand = XG_OPERAND(i, 0), *indices = XG_OPERAND(i, 1);
    xg_ints offset = xg_attr_ints(i, XG_A_offset_dims), collapsed = xg_attr_ints(i, XG_A_collapsed_slice_dims), starts = xg_attr_ints(i, XG_A_start_index_map);
    xg_ints batch = xg_attr_ints(i, XG_A_operand_batching_dims), index_batch = xg_attr_ints(i, XG_A_start_indices_batching_dims), sizes = xg_attr_ints(i, XG_A_slice_sizes);
    int64_t vector_dim = xg_attr_int(i, XG_A_index_vector_dim, 0);
    xg_kval *position[XG_RANK_MAX], *idx[XG_RANK_MAX];
    uint32_t k, which, n = 0, next = 0;
    for (k = 0; k < i->shape->rank; k++) if (!xg_gather_has(offset, k, NULL)) position[n++] = at[k];
    for (k = 0; k < operand->shape->rank; k++) {
        int64_t slack = operand->shape->dims[k] - sizes.p[k];
        xg_kval *start, *inside = NULL;
        if (xg_gather_has(batch, k, &which)) {
            int64_t d = index_batch.p[which];
            idx[k] = position[d > vector_dim ? d - 1 : d];
            continue;
        }
        if (!xg_gather_has(collapsed, k, NULL)) inside = at[offset.p[next++]];
        idx[k] = inside ? inside : xg_elem_index(s, 0);
        if (!xg_gather_has(starts, k, &which) || slack == 0) continue;
        start = xg_elem_clamped(s, xg_gather_component(s, indices, vector_dim, position, which), indices->shape->type, slack);
        if (!inside) { idx[k] = start; continue; }
        idx[k] = xg_k2(&s->b, XG_K_OP_ADDI, start, inside);
        idx[k]->lo = 0;
        idx[k]->hi = operand->shape->dims[k] - 1;
    }
    return xg_elem_of(s, operand, idx);
}

/* ---- scatter ---- */

static const int64_t XG_SCATTER_STEPS_MAX = (int64_t)1 << 36; /* elements times positions: seconds on a large device */

typedef struct xg_scatter_site {
    const xg_inst *i, *indices;
    uint32_t n, rank;             /* arrays; of the operand */
    xg_ints window, inserted, map, batch, index_batch;
    int64_t vector_dim;
    xg_kval *const *at;
    uint32_t n_positions, n_loops;
    int64_t counts[XG_RANK_MAX];  /* of the loops */
    int32_t loop_of[XG_RANK_MAX]; /* by position: its loop; -1: batch_at */
    xg_kval *batch_at[XG_RANK_MAX], *position[XG_RANK_MAX], *inside[XG_RANK_MAX];
} xg_scatter_site;

XG_FN void xg_scatter_take(xg_scope *s, void *data, xg_kval *const *at, xg_elem *acc) {
    xg_scatter_site *d = (xg_scatter_site *)data;
    const xg_shape *update = XG_OPERAND(d->i, d->n + 1)->shape;
    xg_elem *args = XG_NEW_N(s->e->arena, xg_elem, 2 * d->n + 1);
    xg_kval *idx[XG_RANK_MAX], *inside[XG_RANK_MAX];
    uint32_t k, next = 0, windowed = 0;
    (void)at;
    for (k = 0; k < d->rank; k++) if (d->inside[k]) inside[windowed++] = d->inside[k];
    for (windowed = 0, k = 0; k < update->rank; k++) {
        uint32_t which;
        if (xg_gather_has(d->window, k, &which)) idx[k] = inside[which];
        else idx[k] = d->position[next++];
    }
    for (k = 0; k < d->n; k++) { args[k] = acc[k]; args[d->n + k] = xg_elem_of(s, XG_OPERAND(d->i, d->n + 1 + k), idx); }
    xg_elem_call_comp(s, xg_attr_comp(d->i, XG_A_to_apply), args, acc, d->n);
}

/* An index element as a wide signed position; u64 beyond all arrays becomes -1, which is inside of none. */
XG_FN xg_kval *xg_scatter_start(xg_scope *s, xg_kval *v, xlagpu_type t) {
    if (xg_kelem_bits(v->type->elem) < 64) v = xg_kcast(&s->b, xg_type_signed(t) ? XG_K_OP_EXTSI : XG_K_OP_EXTUI, v, XG_E_I64);
    return v;
}

/* One position of the indices. With start the first element of the window, ours is in it if 0 <= element - start < size, for every dimension; the window
 * counts only if 0 <= start <= bound - size. */
XG_FN void xg_scatter_position(xg_scope *s, void *data, xg_kval *const *at, xg_elem *acc) {
    xg_scatter_site *d = (xg_scatter_site *)data;
    const xg_shape *operand = XG_OPERAND(d->i, 0)->shape, *update = XG_OPERAND(d->i, d->n + 1)->shape;
    xg_kval *covers = NULL;
    uint32_t k, which, next = 0;
    for (k = 0; k < d->n_positions; k++) d->position[k] = d->loop_of[k] < 0 ? d->batch_at[k] : at[d->loop_of[k]];
    for (k = 0; k < d->rank; k++) {
        int64_t size = 1;
        xg_kval *start, *mine, *off;
        d->inside[k] = NULL;
        if (xg_gather_has(d->batch, k, NULL)) continue;
        if (!xg_gather_has(d->inserted, k, NULL)) { size = update->dims[d->window.p[next++]]; d->inside[k] = d->at[k]; }
        if (!xg_gather_has(d->map, k, &which)) { /* starts at 0 */
            if (size < operand->dims[k]) covers = xg_elem_and(s, covers, xg_kcmpi_(&s->b, XG_CI_SLT, d->at[k], xg_elem_index(s, size)));
            continue;
        }
        start = xg_scatter_start(s, xg_gather_component(s, d->indices, d->vector_dim, d->position, which), d->indices->shape->type);
        covers = xg_elem_and(s, covers, xg_kcmpi_(&s->b, XG_CI_ULE, start, xg_kconst_int(&s->b, XG_E_I64, operand->dims[k] - size)));
        mine = xg_kcast(&s->b, XG_K_OP_INDEX_CAST, d->at[k], XG_E_I64);
        if (size == 1) {
            covers = xg_elem_and(s, covers, xg_kcmpi_(&s->b, XG_CI_EQ, start, mine));
            if (d->inside[k]) d->inside[k] = xg_elem_index(s, 0);
            continue;
        }
        off = xg_k2(&s->b, XG_K_OP_SUBI, mine, start);
        covers = xg_elem_and(s, covers, xg_kcmpi_(&s->b, XG_CI_ULT, off, xg_kconst_int(&s->b, XG_E_I64, size)));
        d->inside[k] = xg_kcast(&s->b, XG_K_OP_INDEX_CAST, off, XG_E_INDEX);
        d->inside[k]->lo = 0;
        d->inside[k]->hi = size - 1;
    }
    xg_elem_when(s, covers, xg_scatter_take, d, at, acc, d->n);
}

XG_FN xg_elem xg_elem_scatter(xg_scope *s, const xg_inst *i, xg_kval *const *at) {
    xg_scatter_site d;
    xg_elem *acc = XG_NEW_N(s->e->arena, xg_elem, i->n_operands + 1);
    int64_t steps = XG_OPERAND(i, 0)->shape->elements;
    uint32_t k, which;
    memset(&d, 0, sizeof d);
    d.i = i;
    d.n = i->n_operands / 2;
    d.indices = XG_OPERAND(i, d.n);
    d.rank = XG_OPERAND(i, 0)->shape->rank;
    d.window = xg_attr_ints(i, XG_A_update_window_dims);
    d.inserted = xg_attr_ints(i, XG_A_inserted_window_dims);
    d.map = xg_attr_ints(i, XG_A_scatter_dims_to_operand_dims);
    d.batch = xg_attr_ints(i, XG_A_input_batching_dims);
    d.index_batch = xg_attr_ints(i, XG_A_scatter_indices_batching_dims);
    d.vector_dim = xg_attr_int(i, XG_A_index_vector_dim, 0);
    d.at = at;
    for (k = 0; k < d.indices->shape->rank; k++) {
        if ((int64_t)k == d.vector_dim) continue;
        d.loop_of[d.n_positions] = -1;
        if (xg_gather_has(d.index_batch, k, &which)) d.batch_at[d.n_positions] = at[d.batch.p[which]];
        else {
            d.loop_of[d.n_positions] = (int32_t)d.n_loops;
            d.counts[d.n_loops++] = d.indices->shape->dims[k];
            if (!xg_mul64(steps, d.indices->shape->dims[k], &steps)) steps = INT64_MAX;
        }
        d.n_positions++;
    }
    if (steps > XG_SCATTER_STEPS_MAX)
        xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, "split the updates, or run it with --platform=interpreter", "a scatter of %lld elements times index positions; at most %lld are supported in kernels", (long long)steps, (long long)XG_SCATTER_STEPS_MAX);
    for (k = 0; k < d.n; k++) acc[k] = xg_elem_of(s, XG_OPERAND(i, k), at);
    if (XG_OPERAND(i, d.n + 1)->shape->elements) xg_elem_nest(s, d.counts, d.n_loops, xg_scatter_position, &d, acc, d.n);
    return i->shape->type == XLAGPU_TUPLE ? xg_elem_give(s, acc, d.n) : acc[0];
}

#endif /* XG_EMIT_GATHER_C */
