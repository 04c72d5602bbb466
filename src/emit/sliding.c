/* emit/sliding.c -- windows that overlap: a thread makes several neighbours along the outermost dimension of the
 * window, since these share most of what they fold.
 *
 * Of `count` windows of `size` places, each `stride` further than the one before, places 0 .. size + (count - 1) *
 * stride - 1 are read once, not `size` for each.
 *     before = places 0 .. (count - 1) * stride - 1, left out by later windows;  core = places of all windows;  after =
 *     places that earlier windows do not reach
 * Sums, products, maxima and their like (opt/reducer.c) are joined from parts: the core, once for all, the tails of
 * `before` and the heads of `after`, each one element longer than the last:
 *     window u = tail[u] o core o head[u]
 * so a window costs about size / count + 3 steps. No two elements change places; only the brackets move. Of other
 * computations, and sums of narrow floats, each window is folded in its own order, bit for bit as by one thread an
 * element; only reads are shared.
 * Places in the padding are left out. What is behind the windows (hero.c) is made for each of them. */
#ifndef XG_EMIT_SLIDING_C
#define XG_EMIT_SLIDING_C
#include "emit.h"

enum {
    XG_SLIDING_MANY = 8,
    XG_SLIDING_FEW = 4 /* windows of a thread; few where a place of the dimension is itself long */,
    XG_SLIDING_CODE_MAX = 256
};

typedef struct xg_sliding {
    xg_fusion_emission *e;
    const xg_inst *i; /* the reduce-window */
    xg_heroes heroes; /* it, or elements of it */
    xg_window w;
    const xg_shape *shape; /* of the result */
    uint32_t dim, n;       /* n: arrays that are folded together */
    int64_t count, inner;  /* inner: places of the other dimensions */
    bool joint;            /* parts are joined; else each window is folded by itself */
    /* while elements are made */
    xg_fold fold;
    const xg_imap *map;
    xg_section section; /* the walk over the result */
    uint32_t windows;   /* how many of the carried ones take what is read */
    bool take;          /* what is read replaces what is carried */
    /* emit/sliding_rows.c: the elements in shared memory, and the number of this thread's share */
    xg_kval **tile, *own;
    int64_t first; /* what is being read begins so far behind that */
    xg_shape walk; /* of the threads: `dim` in groups of `count` */
    int64_t counts[XG_RANK_MAX];
    xg_kval *vars[2 * XG_RANK_MAX];
} xg_sliding;

/* ---- the form ---- */

XG_FN bool xg_sliding_plan(xg_sliding *d, const xg_inst *i) {
    const xg_window_dim *w;
    uint32_t k;
    int64_t most, extent;
    d->i = i;
    d->w = xg_emit_window(i);
    d->shape = xg_indexing_output_shape(i, 0);
    d->n = i->n_operands / 2;
    if (d->w.n != d->shape->rank || d->shape->dynamic || XG_OPERAND(i, 0)->shape->dynamic ||
        !XG_OPERAND(i, 0)->shape->elements)
        return false;
    for (d->dim = 0; d->dim < d->w.n && d->w.p[d->dim].size == 1; d->dim++) {}
    if (d->dim == d->w.n) return false;
    w = &d->w.p[d->dim];
    if (w->base_dilation != 1 || w->window_dilation != 1) return false;
    for (d->inner = 1, k = d->dim + 1; k < d->w.n; k++)
        if (!xg_mul64(d->inner, d->w.p[k].size, &d->inner)) return false;
    extent = d->shape->dims[d->dim];
    most =
        XG_MIN((w->size - 1) / w->stride + 1, (int64_t)(d->inner > XG_SLIDING_MANY ? XG_SLIDING_FEW : XG_SLIDING_MANY));
    most = XG_MIN(most, extent);
    d->joint = xg_reducer_start_plain(i) != XG_REDUCER_UNKNOWN &&
               xg_reducer_wide(xg_attr_to_apply(i), d->shape->type) == XLAGPU_INVALID;
    /* each takes what it alone has by code of its own */
    while (!d->joint && most > 1 &&
           (most * (most - 1) * w->stride + most) * xg_emit_work(xg_attr_to_apply(i)) > XG_SLIDING_CODE_MAX)
        most--;
    if (most < 2) return false;
    for (d->count = most; d->count > (most + 1) / 2 && extent % d->count; d->count--) {}
    if (extent % d->count) d->count = most;
    return true;
}

XG_FN const xg_inst *xg_sliding_source(const xg_inst *i) {
    return i->op == XG_GET_TUPLE_ELEMENT ? XG_OPERAND(i, 0) : i;
}
XG_FN bool xg_sliding_is_hero(void *data, const xg_inst *i, bool first) {
    xg_sliding *d = (xg_sliding *)data;
    const xg_inst *source = xg_sliding_source(i);
    if (source->op != XG_REDUCE_WINDOW || !xg_shape_is_array(i->shape)) return false;
    return first ? xg_sliding_plan(d, source) : source == d->i;
}
XG_FN bool xg_sliding_make(xg_sliding *d, const xg_fusion_emission *e) {
    memset(d, 0, sizeof *d);
    d->e = (xg_fusion_emission *)e;
    if (!xg_heroes_find(e, xg_sliding_is_hero, d, &d->heroes)) return false;
    /* those of another one would be folded from the beginning in each of the thread's places */
    XG_FOR_INSTS(i, e->comp)
        if (i->op == XG_REDUCE_WINDOW && i != d->i) return false;
    return true;
}
/* ---- reading ---- */

/* From the walk's indices, and symbols for the window, to the operand's indices: place `first` of the dimension and, if
 * there are more, symbol `dim` beyond it. */
XG_FN const xg_imap *xg_sliding_map(xg_sliding *d, int64_t first, int64_t places) {
    xg_aff_ctx *x = d->e->m->aff;
    uint32_t rank = d->w.n, k, n = 0;
    const xg_shape *in = XG_OPERAND(d->i, 0)->shape;
    xg_imap *m = xg_imap_new(x, rank, rank, 0, rank, 2 * rank);
    for (k = 0; k < rank; k++) {
        const xg_window_dim *w = &d->w.p[k];
        int64_t step = k == d->dim ? w->stride * d->count : w->stride;
        const xg_aff *at = xg_aff_add_k(x,
            xg_aff_add_mul(x, xg_aff_mul(x, xg_aff_dim(x, k), step), xg_aff_sym(x, k), w->window_dilation),
            (k == d->dim ? first : 0) - w->pad_low);
        d->counts[k] = k == d->dim ? places : w->size;
        m->dims[k].range = xg_range_of(0, d->walk.dims[k] - 1);
        m->syms[k].range = xg_range_of(0, d->counts[k] - 1);
        m->results[k] = xg_aff_div(x, at, w->base_dilation);
        xg_index_require(m, &n, m->results[k], 0, in->dims[k] - 1);
        if (w->base_dilation > 1) xg_index_require(m, &n, xg_aff_mod(x, at, w->base_dilation), 0, 0);
    }
    m->n_constraints = n;
    return xg_imap_simplify(x, m);
}

/* Places in shared memory leave a gap after those of a thread, if they are an even number, which keeps the banks
 * apart. */
XG_FN const xg_aff *xg_sliding_padded(xg_aff_ctx *x, const xg_aff *place, int64_t each) {
    return each % 2 ? place : xg_shared_gapped(x, place, each, 1);
}
/* The element of operand k in shared memory, at the place that the window's symbol has: as far from the thread's own
 * first one for all threads. */
XG_FN xg_elem xg_sliding_close(xg_sliding *d, xg_scope *s, uint32_t k) {
    xg_aff_ctx *x = s->b.m->aff;
    xg_imap *m = xg_imap_of_dims(x, 2, 1);
    int64_t each = d->count * d->w.p[d->dim].stride;
    xg_kval *dims[2], *at;
    dims[0] = d->own;
    dims[1] = d->vars[d->w.n + d->dim];
    m->dims[0].range = xg_kval_range(d->own);
    m->dims[1].range = xg_range_of(0, d->counts[d->dim] - 1);
    m->results[0] = xg_aff_mul(x, xg_aff_dim_0(x), each % 2 ? each : each + 1);
    m->results[0] =
        xg_aff_add(x, m->results[0], xg_sliding_padded(x, xg_aff_add_k(x, xg_aff_dim_1(x), d->first), each));
    xg_elem_apply(s, xg_imap_simplify(x, m), dims, &at);
    return xg_emit_split(&s->b, xg_kextract(&s->b, d->tile[k], &at, 1));
}
XG_FN void xg_sliding_take(xg_scope *s, void *data, xg_kval *const *at, xg_elem *acc) {
    xg_sliding *d = (xg_sliding *)data;
    xg_kval *idx[XG_RANK_MAX];
    xg_elem *x = XG_NEW_N(s->e->arena, xg_elem, d->n + 1);
    uint32_t k, u;
    (void)at;
    if (d->tile)
        for (k = 0; k < d->n; k++) x[k] = xg_sliding_close(d, s, k);
    else {
        xg_elem_apply(s, d->map, d->vars, idx);
        for (k = 0; k < d->n; k++) x[k] = xg_elem_of(s, XG_OPERAND(d->i, k), idx);
    }
    if (d->take) {
        memcpy(acc, x, d->n * sizeof *x);
        return;
    }
    for (u = 0; u < d->windows; u++) {
        memcpy(d->fold.args + d->n, x, d->n * sizeof *x);
        xg_fold_step(s, &d->fold, acc + u * d->n);
    }
}
XG_FN void xg_sliding_body(xg_scope *s, void *data, xg_kval *const *at, xg_elem *acc) {
    xg_sliding *d = (xg_sliding *)data;
    uint32_t k;
    for (k = 0; k < d->w.n; k++) d->vars[d->w.n + k] = at[k];
    xg_elem_when(
        s, xg_elem_in_domain(s, d->map, &d->walk, d->counts, d->vars), xg_sliding_take, d, at, acc, d->windows * d->n);
}
/* What stands at `places` places from `first` on is folded into each of some windows that follow each other. */
XG_FN void xg_sliding_read(xg_sliding *d, xg_scope *s, int64_t first, int64_t places, xg_elem *acc, uint32_t windows) {
    if (!places || !windows) return;
    if (d->inner == 1 && places > 8 && places % 8) { /* a loop that is unrolled, and what is left */
        xg_sliding_read(d, s, first, places - places % 8, acc, windows);
        first += places - places % 8;
        places %= 8;
    }
    d->map = xg_sliding_map(d, first, places);
    d->first = first;
    d->windows = windows;
    if (d->map->state == XG_IMAP_OK) xg_elem_nest(s, d->counts, d->w.n, xg_sliding_body, d, acc, windows * d->n);
}

/* ---- folding ---- */

/* Each window in its own order. */
XG_FN void xg_sliding_apart(xg_sliding *d, xg_scope *s, xg_elem *acc) {
    int64_t size = d->w.p[d->dim].size, stride = d->w.p[d->dim].stride, before = (d->count - 1) * stride, p;
    for (p = 0; p < before; p++) xg_sliding_read(d, s, p, 1, acc, (uint32_t)(p / stride + 1));
    xg_sliding_read(d, s, before, size - before, acc, (uint32_t)d->count);
    for (p = size; p < size + before; p++)
        xg_sliding_read(
            d, s, p, 1, acc + ((p - size) / stride + 1) * d->n, (uint32_t)(d->count - 1 - (p - size) / stride));
}

XG_FN void xg_sliding_nothing(xg_sliding *d, xg_scope *s, xg_elem *acc) {
    xlagpu_type t = xg_type_real(d->shape->type);
    double v = xg_reducer_neutral(d->fold.comp);
    if (xg_reducer_start_of(d->i, d->e->arena) == XG_REDUCER_FROM_INIT) {
        *acc = xg_elem_of(s, XG_OPERAND(d->i, d->n), d->vars);
        return;
    }
    acc->v = xg_kelem_is_float(xg_kelem_of(t)) ? xg_kconst_float(&s->b, xg_kelem_of(t), v)
                                               : xg_kconst_int(&s->b, xg_kelem_of(t), (int64_t)v);
    acc->im = xg_type_class(d->shape->type) == XGT_C ? acc->v : NULL;
}
XG_FN xg_elem xg_sliding_join(xg_sliding *d, xg_scope *s, xg_elem a, xg_elem b) {
    xg_elem args[2];
    args[0] = a;
    args[1] = b;
    xg_elem_call_comp(s, d->fold.comp, args, args, 1);
    return args[0];
}
/* What stands at some places, by itself. One element may do without what the others start from. */
XG_FN xg_elem xg_sliding_part(xg_sliding *d, xg_scope *s, int64_t first, int64_t places, bool started) {
    xg_elem acc;
    xg_sliding_nothing(d, s, &acc);
    d->take = !started && places * d->inner == 1;
    xg_sliding_read(d, s, first, places, &acc, 1);
    d->take = false;
    return acc;
}
XG_FN void xg_sliding_together(xg_sliding *d, xg_scope *s, xg_elem *acc) {
    int64_t size = d->w.p[d->dim].size, stride = d->w.p[d->dim].stride, before = (d->count - 1) * stride, p, u;
    const bool late = xg_reducer_start_of(d->i, d->e->arena) != XG_REDUCER_FROM_INIT;
    xg_elem core = xg_sliding_part(d, s, before, size - before, !late /* the init value belongs to every window */),
            tail = core, head = core, init = acc[0];
    for (u = d->count - 1; u >= 0; u--) {
        acc[u] = tail;
        for (p = u * stride - 1; p >= (u - 1) * stride && p >= 0; p--)
            tail = xg_sliding_join(d, s, xg_sliding_part(d, s, p, 1, false), tail);
    }
    for (u = 1; u < d->count; u++) {
        for (p = size + (u - 1) * stride; p < size + u * stride; p++)
            head = u == 1 && p == size ? xg_sliding_part(d, s, p, 1, false)
                                       : xg_sliding_join(d, s, head, xg_sliding_part(d, s, p, 1, false));
        acc[u] = xg_sliding_join(d, s, acc[u], head);
    }
    for (u = 0; late && u < d->count; u++) acc[u] = xg_sliding_join(d, s, init, acc[u]);
}

/* ---- results ---- */

/* Window u of the thread, if the dimension goes on so far. */
XG_FN void xg_sliding_write(
    xg_sliding *d, xg_scope *s, int64_t u, const xg_elem *acc, xg_kval *const *at, xg_kval **dest) {
    int64_t extent = d->shape->dims[d->dim], last = (d->walk.dims[d->dim] - 1) * d->count + u;
    xg_elem *values = XG_NEW_N(d->e->arena, xg_elem, d->heroes.n + 1);
    xg_kval *here[XG_RANK_MAX], *beyond, *cond = NULL;
    uint32_t k;
    beyond = XG_KOP2(&s->b, XG_K_OP_ADDI, xg_k2_int(&s->b, XG_K_OP_MULI, at[d->dim], d->count), xg_elem_index(s, u));
    xg_kval_set_range(beyond, xg_range_of(u, last));
    memcpy(here, at, d->w.n * sizeof *here);
    here[d->dim] = beyond;
    if (last >= extent) {
        cond = xg_kcmpi_int(&s->b, XG_CI_SLT, beyond, extent);
        here[d->dim] = xg_k2_int(&s->b, XG_K_OP_MINSI, beyond, extent - 1);
        xg_kval_set_range(here[d->dim], xg_range_of(0, extent - 1));
    }
    for (k = 0; k < d->heroes.n; k++)
        values[k] = acc[d->heroes.p[k]->op == XG_GET_TUPLE_ELEMENT ? xg_attr_index(d->heroes.p[k]) : 0];
    xg_hero_write(s, &d->heroes, d->shape, values, here, cond, dest);
}

/* All windows of a thread; at: indices of its walk. */
XG_FN void xg_sliding_fold(xg_sliding *d, xg_scope *s, xg_elem *acc, xg_kval *const *at) {
    int64_t u;
    uint32_t k;
    memcpy(d->vars, at, d->w.n * sizeof *at);
    d->fold = xg_fold_begin(s, d->i, acc, at);
    for (u = 1; u < d->count; u++)
        for (k = 0; k < d->n; k++) acc[u * d->n + k] = acc[k];
    if (d->joint)
        xg_sliding_together(d, s, acc);
    else
        xg_sliding_apart(d, s, acc);
}
XG_FN void xg_sliding_element(xg_scope *s, void *data, uint32_t which, xg_kval *const *at, xg_kval **dest) {
    xg_sliding *d = (xg_sliding *)data;
    xg_elem *acc = XG_NEW_N(s->e->arena, xg_elem, (size_t)d->count * d->n + 1);
    int64_t u;
    (void)which;
    xg_sliding_fold(d, s, acc, at);
    for (u = 0; u < d->count; u++) xg_sliding_write(d, s, u, acc + u * d->n, at, dest);
}
/* The walk of the threads. */
XG_FN void xg_sliding_walk(xg_sliding *d) {
    int64_t *dims = XG_NEW_N(d->e->arena, int64_t, XG_RANK_MAX);
    memcpy(dims, d->shape->dims, d->shape->rank * sizeof *dims);
    d->walk = *d->shape;
    d->walk.dims = dims;
    d->walk.elements = d->shape->elements / dims[d->dim];
    dims[d->dim] = (dims[d->dim] + d->count - 1) / d->count;
    d->walk.elements *= dims[d->dim];
}
XG_FN bool xg_emit_sliding_plan(xg_fusion_emission *e) {
    xg_sliding *d = XG_NEW(e->arena, xg_sliding);
    if (!xg_sliding_make(d, e)) return false;
    xg_sliding_walk(d);
    d->section.shape = &d->walk;
    d->section.unroll = 1;
    e->form = d;
    return xg_sections_launch(e, &d->section, 1);
}
XG_FN void xg_emit_sliding(xg_fusion_emission *e) {
    xg_sliding *d = (xg_sliding *)e->form;
    xg_emit_sections(e, &d->section, 1, xg_sliding_element, d);
}

#endif /* XG_EMIT_SLIDING_C */
