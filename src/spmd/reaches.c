/* spmd/reaches.c -- which elements of a split dimension an instruction needs for the part of the result that a device
 * has. One affine function of the device's tile for each opcode: it says what halo.c has to bring, and, before anything
 * is written, how many bytes that is.
 *
 * Ranges are counted in the dilated dimension: pads between elements (interior padding, base dilation) count as
 * positions. */
#ifndef XG_SPMD_REACHES_C
#define XG_SPMD_REACHES_C
#include "spmd.h"

/* An instruction whose factors are split. */
typedef struct xg_halo_reaching {
    xg_arena *arena;
    const xg_spmd_mesh *mesh;
    const xg_inst *i;
    const xg_spmd_rule *r;
    const xg_assignment *x;
    uint32_t operand, dim;
    xg_axes_list has; /* of the operand's dimension */
    xg_halo_reach *out;
} xg_halo_reaching;

XG_FN bool xg_window_is_trivial(const xg_window_dim *w) {
    return w->size == 1 && w->stride == 1 && !w->pad_low && !w->pad_high && w->base_dilation == 1;
}
XG_FN xg_axes_list xg_halo_reach_axes(const xg_halo_reaching *q, uint32_t array, uint32_t dim) {
    const xg_spmd_rule_array *t = &q->r->arrays[array];
    xg_axes_list l;
    uint32_t k;
    l.n = 0;
    for (k = t->first[dim]; k < t->first[dim + 1]; k++) xg_axes_append(&l, &q->x->factors[t->factors[k]]);
    return l;
}
/* The part of a dimension that a device has. */
typedef struct xg_halo_reach_tiles {
    xg_axes_list axes;
    int64_t size;
} xg_halo_reach_tiles;
XG_FN xg_halo_reach_tiles xg_halo_reach_tiles_of(const xg_halo_reaching *q, uint32_t array, uint32_t dim) {
    xg_halo_reach_tiles t;
    t.axes = xg_halo_reach_axes(q, array, dim);
    t.size = xg_tile_size(q->r->arrays[array].shape->dims[dim], xg_axes_size(q->mesh, &t.axes));
    return t;
}
XG_FN xg_halo_reach_tiles xg_halo_reach_result(const xg_halo_reaching *q, uint32_t dim) {
    return xg_halo_reach_tiles_of(q, q->r->n_operands, dim);
}
/* begin += tile * step + plus */
XG_FN void xg_halo_reach_add(const xg_halo_reaching *q, const xg_halo_reach_tiles *t, int64_t step, int64_t plus) {
    int64_t d;
    if (!q->out->begin) q->out->begin = XG_NEW_N(q->arena, int64_t, q->mesh->devices);
    for (d = 0; d < q->mesh->devices; d++) q->out->begin[d] += xg_halo_tile(q->mesh, &t->axes, d) * step + plus;
}
/* Of the result's part, element k needs `scale * k - minus` and the size - 1 behind it. */
XG_FN bool xg_halo_reach_windows(
    const xg_halo_reaching *q, int64_t scale, int64_t minus, int64_t size, int64_t dilation) {
    xg_halo_reach_tiles t = xg_halo_reach_result(q, q->dim);
    if (!t.axes.n && !q->has.n) return false;
    xg_halo_reach_add(q, &t, t.size * scale, -minus);
    q->out->size = (t.size - 1) * scale + size;
    q->out->dilation = dilation;
    return true;
}

XG_FN bool xg_halo_reach_slice(const xg_halo_reaching *q) {
    const xg_slice_dim *s = &xg_inst_attr(q->i, XG_A_slice)->v.slices->p[q->dim];
    return xg_halo_reach_windows(q, s->stride, -s->start, 1, 1);
}
XG_FN bool xg_halo_reach_pad(const xg_halo_reaching *q) {
    const xg_pad_dim *p = &xg_inst_attr(q->i, XG_A_padding)->v.pads->p[q->dim];
    return q->operand == 0 && xg_halo_reach_windows(q, 1, p->low, 1, p->interior + 1);
}
XG_FN bool xg_halo_reach_reverse(const xg_halo_reaching *q) {
    xg_halo_reach_tiles t = xg_halo_reach_result(q, q->dim);
    if (!xg_ints_at(xg_attr_dims(q->i), q->dim, NULL) || !t.axes.n) return false;
    xg_halo_reach_add(q, &t, -t.size, q->i->shape->dims[q->dim] - t.size);
    q->out->size = t.size;
    return true;
}
XG_FN bool xg_halo_reach_concatenate(const xg_halo_reaching *q) {
    int64_t before = 0;
    uint32_t k;
    if (!xg_ints_at(xg_attr_dims(q->i), q->dim, NULL)) return false;
    for (k = 0; k < q->operand; k++) before += XG_OPERAND(q->i, k)->shape->dims[q->dim];
    return q->has.n > 0 && xg_halo_reach_windows(q, 1, before, 1, 1);
}
XG_FN bool xg_halo_reach_reduce_window(const xg_halo_reaching *q) {
    const xg_window_dim *w = &xg_inst_attr(q->i, XG_A_window)->v.window->p[q->dim];
    if (q->operand >= q->i->n_operands / 2 || xg_window_is_trivial(w)) return false;
    return xg_halo_reach_windows(q, w->stride, w->pad_low, (w->size - 1) * w->window_dilation + 1, w->base_dilation);
}
/* Windows that cover an element of the result's part, and all that these cover. */
XG_FN bool xg_halo_reach_select_and_scatter(const xg_halo_reaching *q) {
    const xg_attr *a = xg_inst_attr(q->i, XG_A_window);
    const xg_window_dim *w = a ? &a->v.window->p[q->dim] : NULL;
    xg_halo_reach_tiles t = xg_halo_reach_result(q, q->dim);
    int64_t count = 1, d;
    if (!w || q->operand > 1 || xg_window_is_trivial(w) || !t.axes.n) return false;
    xg_halo_reach_add(q, &t, t.size, w->pad_low);
    for (d = 0; d < q->mesh->devices; d++) {
        int64_t first = -xg_floor_div(w->size - 1 - q->out->begin[d], w->stride);
        count = XG_MAX(count, xg_floor_div(q->out->begin[d] + t.size - 1, w->stride) - first + 1);
        q->out->begin[d] = q->operand == 0 ? first * w->stride - w->pad_low : first;
    }
    q->out->size = q->operand == 0 ? (count - 1) * w->stride + w->size : count;
    return true;
}
/* The result's part and the kernel's part both move the range. */
XG_FN bool xg_halo_reach_convolution(const xg_halo_reaching *q) {
    const xg_dim_labels *l = xg_inst_attr(q->i, XG_A_dim_labels)->v.labels;
    const xg_attr *a = xg_inst_attr(q->i, XG_A_window);
    const xg_window_dim *w;
    xg_halo_reach_tiles out, kernel;
    uint32_t k;
    if (q->operand || !a || !xg_ints_at(l->input_spatial, q->dim, &k)) return false;
    w = &a->v.window->p[k];
    out = xg_halo_reach_result(q, (uint32_t)l->output_spatial.p[k]);
    kernel = xg_halo_reach_tiles_of(q, 1, (uint32_t)l->kernel_spatial.p[k]);
    if (xg_window_is_trivial(w) || (!out.axes.n && !kernel.axes.n && !q->has.n)) return false;
    xg_halo_reach_add(q, &out, out.size * w->stride, -w->pad_low);
    if (w->reversal)
        xg_halo_reach_add(q, &kernel, -kernel.size * w->window_dilation, (w->size - kernel.size) * w->window_dilation);
    else
        xg_halo_reach_add(q, &kernel, kernel.size * w->window_dilation, 0);
    q->out->size = (out.size - 1) * w->stride + (kernel.size - 1) * w->window_dilation + 1;
    q->out->dilation = w->base_dilation;
    return true;
}

/* ---- reshapes ---- */

XG_FN bool xg_reshape_group_next(const xg_shape *in, const xg_shape *out, xg_reshape_group *g) {
    int64_t a = 1, b = 1;
    g->in = g->in_end;
    g->out = g->out_end;
    if (g->in == in->rank && g->out == out->rank) return false;
    while (g->in_end == g->in || g->out_end == g->out || a != b) {
        if (g->in_end < in->rank && (a <= b || g->out_end == out->rank))
            a *= in->dims[g->in_end++];
        else if (g->out_end < out->rank)
            b *= out->dims[g->out_end++];
        else
            break;
    }
    while (g->in_end < in->rank && in->dims[g->in_end] == 1) g->in_end++;
    while (g->out_end < out->rank && out->dims[g->out_end] == 1) g->out_end++;
    g->size = XG_MAX(a, b);
    while (g->in < g->in_end && in->dims[g->in] == 1) g->in++;
    while (g->out < g->out_end && out->dims[g->out] == 1) g->out++;
    return true;
}
XG_FN bool xg_halo_reach_reshape(const xg_halo_reaching *q) {
    const xg_shape *in = q->r->arrays[0].shape, *out = q->i->shape;
    xg_reshape_group g;
    if (!q->r->other || !q->has.n) return false;
    memset(&g, 0, sizeof g);
    while (xg_reshape_group_next(in, out, &g)) {
        xg_halo_reach_tiles t;
        int64_t inner = 1;
        uint32_t k;
        if (g.in != q->dim || g.in == g.in_end || g.out == g.out_end) continue;
        t = xg_halo_reach_result(q, g.out);
        for (k = g.out + 1; k < g.out_end; k++) inner *= out->dims[k];
        xg_halo_reach_add(q, &t, t.size * inner, 0);
        q->out->size = t.size * inner;
        q->out->n = g.size;
        for (k = g.in + 1; k < g.in_end; k++) q->out->inner *= in->dims[k];
        return q->out->inner != inner || in->dims[g.in] != out->dims[g.out];
    }
    return false;
}

XG_FN bool xg_halo_reach_of(xg_arena *a, const xg_spmd_mesh *mesh, const xg_inst *i, const xg_spmd_rule *r,
    const xg_assignment *x, uint32_t operand, uint32_t dim, xg_halo_reach *out) {
    xg_halo_reaching q;
    memset(out, 0, sizeof *out);
    q.arena = a;
    q.mesh = mesh;
    q.i = i;
    q.r = r;
    q.x = x;
    q.operand = operand;
    q.dim = dim;
    q.has = xg_halo_reach_axes(&q, operand, dim);
    q.out = out;
    out->dilation = out->inner = 1;
    out->n = r->arrays[operand].shape->dims[dim];
    switch (i->op) {
    case XG_SLICE: return xg_halo_reach_slice(&q);
    case XG_PAD: return xg_halo_reach_pad(&q);
    case XG_REVERSE: return xg_halo_reach_reverse(&q);
    case XG_CONCATENATE: return xg_halo_reach_concatenate(&q);
    case XG_REDUCE_WINDOW: return xg_halo_reach_reduce_window(&q);
    case XG_SELECT_AND_SCATTER: return xg_halo_reach_select_and_scatter(&q);
    case XG_CONVOLUTION: return xg_halo_reach_convolution(&q);
    case XG_RESHAPE: return xg_halo_reach_reshape(&q);
    default: return false;
    }
}

/* The elements themselves: which of them lie in the range, from where on, and how many at most. */
XG_FN xg_halo xg_halo_reach_halo(
    xg_arena *a, const xg_spmd_mesh *mesh, const xg_halo_reach *g, uint32_t dim, const xg_axes_list *axes) {
    xg_halo h;
    int64_t *begin = XG_NEW_N(a, int64_t, mesh->devices), *end = XG_NEW_N(a, int64_t, mesh->devices), d;
    h.dim = dim;
    h.axes = *axes;
    h.n = g->n;
    h.tile = xg_tile_size(g->n / g->inner, xg_axes_size(mesh, axes)) * g->inner;
    h.size = 0;
    for (d = 0; d < mesh->devices; d++) {
        begin[d] = -xg_floor_div(-g->begin[d], g->dilation);
        end[d] = xg_floor_div(g->begin[d] + g->size - 1, g->dilation) + 1;
        h.size = XG_MAX(h.size, end[d] - begin[d]);
    }
    h.begin = begin;
    h.end = end;
    return h;
}

XG_FN double xg_halo_reach_bytes(xg_arena *a, const xg_spmd_mesh *mesh, const xg_inst *i, const xg_spmd_rule *r,
    const xg_assignment *x, uint32_t operand, double part) {
    const xg_spmd_rule_array *t = &r->arrays[operand];
    double bytes = 0;
    uint32_t d, k;
    for (d = 0; d < t->rank; d++) {
        xg_halo_reach g;
        xg_halo h;
        xg_axes_list axes;
        int64_t n;
        axes.n = 0;
        for (k = t->first[d]; k < t->first[d + 1]; k++) xg_axes_append(&axes, &x->factors[t->factors[k]]);
        if (!axes.n || !xg_halo_reach_of(a, mesh, i, r, x, operand, d, &g)) continue;
        h = xg_halo_reach_halo(a, mesh, &g, d, &axes);
        n = xg_halo_elements(a, mesh, &h);
        if (n < 0) return HUGE_VAL;
        if (n) bytes += part * (double)n / (double)h.tile;
    }
    return bytes;
}

#endif /* XG_SPMD_REACHES_C */
