/* elem/gather.c -- gather and scatter, one element of the result at a time.
 *
 * gather reads the start indices of its slice, clamps each so that the slice lies inside, and reads one element.
 * scatter is turned round: an element of the result starts from the operand's and goes through all positions of the
 * indices in order, taking the update of those whose window covers it; a window that does not lie inside the operand is
 * left out as a whole. That is deterministic and needs no atomic operation, and costs elements times positions. */
#ifndef XG_ELEM_GATHER_C
#define XG_ELEM_GATHER_C
#include "elem.h"

/* Component k of the start index at a position. */
XG_FN xg_kval *xg_window_component(xg_scope *s, const xg_windows *w, xg_kval *const *position, int32_t k) {
    xg_kval *idx[XG_RANK_MAX];
    uint32_t d;
    if (w->vector_dim < (int64_t)w->indices->shape->rank) idx[w->vector_dim] = xg_elem_index(s, k);
    for (d = 0; d < w->n_positions; d++) idx[w->place[d]] = position[d];
    return xg_elem_of(s, w->indices, idx).v;
}

XG_FN xg_elem xg_elem_gather(xg_scope *s, const xg_inst *i, xg_kval *const *at) {
    xg_windows w = xg_windows_of(i);
    xg_kval *position[XG_RANK_MAX], *idx[XG_RANK_MAX];
    uint32_t k;
    for (k = 0; k < w.n_positions; k++) position[k] = at[w.position[k]];
    for (k = 0; k < w.whole->rank; k++) {
        int64_t slack = w.whole->dims[k] - w.size[k];
        xg_kval *start, *inside = w.inside[k] >= 0 ? at[w.inside[k]] : NULL;
        idx[k] = w.batch[k] >= 0 ? position[w.batch[k]] : inside ? inside : xg_elem_index_0(s);
        if (w.start[k] < 0 || slack == 0) continue;
        start = xg_elem_clamped(s, xg_window_component(s, &w, position, w.start[k]), w.indices->shape->type, slack);
        if (!inside) {
            idx[k] = start;
            continue;
        }
        idx[k] = xg_kaddi(&s->b, start, inside);
        xg_kval_set_range(idx[k], xg_range_of(0, w.whole->dims[k] - 1));
    }
    return xg_elem_of(s, XG_OPERAND(i, 0), idx);
}

/* ---- scatter ---- */

static const int64_t XG_SCATTER_STEPS_MAX = (int64_t)1 << 36; /* elements times positions: seconds on a large device */

typedef struct xg_scatter_site {
    const xg_inst *i;
    uint32_t n; /* arrays */
    xg_windows w;
    xg_kval *const *at;
    uint32_t n_loops;
    int64_t counts[XG_RANK_MAX];  /* of the loops */
    int32_t loop_of[XG_RANK_MAX]; /* by position: its loop; -1: it runs with a dim of the operand */
    xg_kval *position[XG_RANK_MAX], *inside[XG_RANK_MAX];
} xg_scatter_site;

XG_FN void xg_scatter_take(xg_scope *s, void *data, xg_kval *const *at, xg_elem *acc) {
    xg_scatter_site *d = (xg_scatter_site *)data;
    xg_elem *args = XG_NEW_N(s->e->arena, xg_elem, 2 * d->n + 1);
    xg_kval *idx[XG_RANK_MAX];
    uint32_t k;
    (void)at;
    for (k = 0; k < d->w.whole->rank; k++)
        if (d->w.inside[k] >= 0) idx[d->w.inside[k]] = d->inside[k];
    for (k = 0; k < d->w.n_positions; k++) idx[d->w.position[k]] = d->position[k];
    for (k = 0; k < d->n; k++) {
        args[k] = acc[k];
        args[d->n + k] = xg_elem_of(s, XG_OPERAND(d->i, d->n + 1 + k), idx);
    }
    xg_elem_call_comp(s, xg_attr_to_apply(d->i), args, acc, d->n);
}

/* An index element as a wide signed position; u64 beyond all arrays becomes -1, which is inside of none. */
XG_FN xg_kval *xg_scatter_start(xg_scope *s, xg_kval *v, xlagpu_type t) {
    if (xg_kelem_bits(v->type->elem) < 64)
        v = xg_kcast(&s->b, xg_type_signed(t) ? XG_K_OP_EXTSI : XG_K_OP_EXTUI, v, XG_E_I64);
    return v;
}

/* One position of the indices. With start the first element of the window, ours is in it if 0 <= element - start <
 * size, for every dimension; the window counts only if 0 <= start <= bound - size. */
XG_FN void xg_scatter_position(xg_scope *s, void *data, xg_kval *const *at, xg_elem *acc) {
    xg_scatter_site *d = (xg_scatter_site *)data;
    const xg_windows *w = &d->w;
    xg_kval *covers = NULL;
    uint32_t k;
    for (k = 0; k < w->n_positions; k++)
        if (d->loop_of[k] >= 0) d->position[k] = at[d->loop_of[k]];
    for (k = 0; k < w->whole->rank; k++) {
        xg_kval *start, *mine, *off;
        if (w->batch[k] >= 0) continue;
        d->inside[k] = d->at[k];
        if (w->start[k] < 0) { /* starts at 0 */
            if (w->size[k] < w->whole->dims[k])
                covers = xg_elem_and(s, covers, xg_kcmpi_int(&s->b, XG_CI_SLT, d->at[k], w->size[k]));
            continue;
        }
        start = xg_scatter_start(s, xg_window_component(s, w, d->position, w->start[k]), w->indices->shape->type);
        covers = xg_elem_and(s, covers, xg_kcmpi_int(&s->b, XG_CI_ULE, start, w->whole->dims[k] - w->size[k]));
        mine = xg_kcast_index(&s->b, d->at[k], XG_E_I64);
        if (w->size[k] == 1) {
            covers = xg_elem_and(s, covers, xg_kcmpi_(&s->b, XG_CI_EQ, start, mine));
            d->inside[k] = xg_elem_index_0(s);
            continue;
        }
        off = xg_ksubi(&s->b, mine, start);
        covers = xg_elem_and(s, covers, xg_kcmpi_int(&s->b, XG_CI_ULT, off, w->size[k]));
        d->inside[k] = xg_kcast_index(&s->b, off, XG_E_INDEX);
        xg_kval_set_range(d->inside[k], xg_range_of(0, w->size[k] - 1));
    }
    xg_elem_when(s, covers, xg_scatter_take, d, at, acc, d->n);
}

XG_FN xg_elem xg_elem_scatter(xg_scope *s, const xg_inst *i, xg_kval *const *at) {
    xg_scatter_site d;
    xg_elem *acc = XG_NEW_N(s->e->arena, xg_elem, i->n_operands + 1);
    int64_t steps = XG_OPERAND(i, 0)->shape->elements;
    uint32_t k;
    memset(&d, 0, sizeof d);
    d.i = i;
    d.n = i->n_operands / 2;
    d.w = xg_windows_of(i);
    d.at = at;
    for (k = 0; k < d.w.whole->rank; k++)
        if (d.w.batch[k] >= 0) d.position[d.w.batch[k]] = at[k];
    for (k = 0; k < d.w.n_positions; k++) {
        d.loop_of[k] = d.position[k] ? -1 : (int32_t)d.n_loops;
        if (d.position[k]) continue;
        d.counts[d.n_loops++] = d.w.counts[k];
        if (!xg_mul64(steps, d.w.counts[k], &steps)) steps = INT64_MAX;
    }
    if (steps > XG_SCATTER_STEPS_MAX)
        xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, "split the updates, or run it with --platform=interpreter",
            "a scatter of %lld elements times index positions; at most %lld are supported in kernels", (long long)steps,
            (long long)XG_SCATTER_STEPS_MAX);
    for (k = 0; k < d.n; k++) acc[k] = xg_elem_of(s, XG_OPERAND(i, k), at);
    if (d.w.part->elements) xg_elem_nest(s, d.counts, d.n_loops, xg_scatter_position, &d, acc, d.n);
    return i->shape->type == XLAGPU_TUPLE ? xg_elem_give(s, acc, d.n) : acc[0];
}

#endif /* XG_ELEM_GATHER_C */
