/* emit/convolution.c -- convolutions that no tiles take, above all those of each channel by itself: a thread makes
 * several results along a dimension of the window, and of neighbouring channels, so that what it reads serves many
 * products.
 *
 *     result u takes place u * stride + t * dilation of a strip of the input by tap t
 *
 * Each place and each tap is read once for all results that they meet in: so many of them are straight code, all else
 * that is summed up are loops. What lies outside of the input counts as zeros, as on matrix units. */
#ifndef XG_EMIT_CONVOLUTION_C
#define XG_EMIT_CONVOLUTION_C
#include "emit.h"

enum {
    XG_STRIP_COUNT = 8,      /* results along the dimension; an order may ask for twice as many */
    XG_STRIP_TAPS = 32,      /* of a step, so many loads are under way */
    XG_STRIP_TAPS_LEAST = 8, /* of all steps: a window without such a divisor has a last step of fewer */
    XG_STRIP_LANES = 2,      /* neighbours in memory: more take registers from other warps */
    XG_STRIP_LANES_MAX = 16, /* that an order may ask for */
    XG_STRIP_WARPS = 8       /* of a multiprocessor, which are worth more than what results share */
};

typedef struct xg_strip {
    const xg_shape *shape;
    xg_window w;
    int64_t count, lanes, taps, first; /* taps of a step, and in front of the steps */
    uint32_t dim, minor;               /* of the window; of the result */
    const xg_fusion_emission *e;
    const xg_inst *i;
    const xg_dim_labels *labels;
    xg_heroes heroes;
    xg_section section;
    xg_shape walk, space;  /* of the threads; that, then steps of the window, then input features, then lanes */
    xg_contract_site site; /* while elements are made */
} xg_strip;

/* ---- the form ---- */

XG_FN int64_t xg_strip_extent(const xg_strip *d, uint32_t k) { return d->shape->dims[d->labels->output_spatial.p[k]]; }
XG_FN int64_t xg_strip_groups(const xg_strip *d) { return (xg_strip_extent(d, d->dim) + d->count - 1) / d->count; }
XG_FN bool xg_strip_is_hero(void *data, const xg_inst *i, bool first) {
    xg_strip *d = (xg_strip *)data;
    if (!first || i->op != XG_CONVOLUTION) return false;
    d->i = i;
    d->labels = xg_inst_attr(i, XG_A_dim_labels)->v.labels;
    d->w = xg_emit_window(i);
    d->shape = i->shape;
    return d->w.n && d->shape->rank + d->w.n + 2 <= XG_RANK_MAX && !d->shape->dynamic &&
           xg_type_class(xg_contract_sum_type(i)) != XGT_C && !xg_inst_attr(i, XG_A_sparsity_config) &&
           xg_imap_ok(xg_indexing_operand(d->e->m->aff, i, 0)) && xg_imap_ok(xg_indexing_operand(d->e->m->aff, i, 1));
}
/* The dimension where most is shared; what lies side by side in memory is for lanes, which it leaves where the window
 * slides along it: fewer results then, from so many sectors does a warp read. */
XG_FN void xg_strip_decide(xg_strip *d, bool slides) {
    int64_t least = d->e->target->sms * XG_STRIP_WARPS * XG_WARP_LANES, n = xg_strip_extent(d, d->dim);
    d->lanes = slides ? 1 : xg_gcd(d->shape->dims[d->minor], XG_STRIP_LANES);
    d->count = XG_STRIP_COUNT / (1 + (d->labels->output_spatial.p[d->dim] == d->minor));
    d->count = (n + xg_strip_groups(d) - 1) / xg_strip_groups(d);
    while (d->count > 1 && d->shape->elements / n * xg_strip_groups(d) < least)
        if (d->lanes > 1)
            d->lanes = 1;
        else
            d->count = (d->count + 1) / 2;
}
XG_TABLE const xg_form_field xg_strip_form[] = {
    {"count", offsetof(xg_strip, count)},
    {"lanes", offsetof(xg_strip, lanes)},
};
/* The walk of the threads, and what loops go over, with so many steps along the dimension. */
XG_FN void xg_strip_walk(xg_strip *d, int64_t steps) {
    uint32_t rank = d->shape->rank, k;
    int64_t *dims = XG_NEW_N(d->e->arena, int64_t, XG_RANK_MAX + 1);
    memcpy(dims, d->shape->dims, rank * sizeof *dims);
    d->walk = d->space = *d->shape;
    d->walk.dims = d->space.dims = dims;
    d->walk.elements = d->shape->elements / xg_strip_extent(d, d->dim) * xg_strip_groups(d) / d->lanes;
    dims[d->labels->output_spatial.p[d->dim]] = xg_strip_groups(d);
    dims[d->minor] /= d->lanes;
    for (k = 0; k < d->w.n; k++) dims[rank + k] = d->w.p[k].size;
    dims[rank + d->dim] = steps;
    dims[rank + k] = XG_OPERAND(d->i, 1)->shape->dims[d->labels->kernel_input];
    dims[rank + k + 1] = d->lanes;
}
XG_FN bool xg_emit_convolution_plan(xg_fusion_emission *e) {
    xg_strip *d = XG_NEW(e->arena, xg_strip);
    int64_t most = 0, n;
    uint32_t k;
    bool slides;
    d->e = e;
    e->form = d;
    if (!xg_heroes_find(e, xg_strip_is_hero, d, &d->heroes)) return false;
    d->minor = xg_shape_major(d->shape, d->shape->rank - 1);
    slides = xg_ints_has(d->labels->output_spatial, d->minor);
    for (k = 0; k < d->w.n; k++) {
        n = d->labels->output_spatial.p[k] == d->minor ? 1 : XG_MIN(d->w.p[k].size, xg_strip_extent(d, k));
        if (n <= most) continue;
        most = n;
        d->dim = k;
    }
    n = d->w.p[d->dim].size;
    for (d->taps = XG_MIN(n, (int64_t)XG_STRIP_TAPS); n % d->taps; d->taps--) {}
    if (d->taps < XG_MIN(n, (int64_t)XG_STRIP_TAPS_LEAST)) d->taps = XG_STRIP_TAPS;
    if (!xg_form_is_whole(e)) xg_strip_decide(d, slides);
    xg_form_read(e, xg_strip_form, XG_COUNT(xg_strip_form), d);
    if ((uint64_t)d->count - 1 >= XG_MIN(2 * XG_STRIP_COUNT, (uint64_t)xg_strip_extent(d, d->dim)) ||
        (uint64_t)d->lanes - 1 >= (slides ? 1 : XG_STRIP_LANES_MAX) || d->shape->dims[d->minor] % d->lanes)
        return xg_emit_refuse(e, "count and lanes must be 1 to 16, no more than there are, lanes divide the innermost "
                                 "dimension, if none slides");
    xg_form_write(e, xg_strip_form, XG_COUNT(xg_strip_form), d);
    xg_strip_walk(d, n / d->taps);
    d->section.shape = &d->walk;
    d->section.unroll = 1;
    return xg_sections_launch(e, &d->section, 1);
}

/* ---- products ---- */

/* From the space to indices of the result: result u of the threads' shares. */
XG_FN xg_imap *xg_strip_result(const xg_strip *d, int64_t u, uint32_t n_results) {
    xg_aff_ctx *x = d->e->m->aff;
    uint32_t rank = d->shape->rank, all = rank + d->w.n + 2, at = (uint32_t)d->labels->output_spatial.p[d->dim], k;
    xg_imap *m = xg_imap_new(x, all, 0, 0, n_results, 1);
    for (k = 0; k < all; k++) {
        m->dims[k].range = xg_range_of(0, d->space.dims[k] - 1);
        if (k < n_results) m->results[k] = xg_aff_dim(x, k);
    }
    m->results[d->minor] = xg_aff_add_dim(x, xg_aff_dim(x, all - 1), d->minor, d->lanes);
    m->results[at] = xg_aff_add_k(x, xg_aff_mul(x, m->results[at], d->count), u);
    m->constraints[0].expr = m->results[at];
    m->constraints[0].range = xg_range_of(0, d->shape->dims[at] - 1);
    return m;
}
/* To those of an operand: place `at` of the strip, or tap `at` of the step. */
XG_FN const xg_imap *xg_strip_map(const xg_strip *d, uint32_t operand, int64_t at) {
    xg_aff_ctx *x = d->e->m->aff;
    uint32_t rank = d->shape->rank, k, n = 0;
    xg_imap *first = xg_strip_result(d, 0, rank + d->w.n + 1),
            *m = xg_imap_copy(x, xg_imap_syms_to_dims(x, xg_indexing_operand(x, d->i, operand)), 0);
    first->n_constraints = m->n_constraints = 0; /* of places: they are said below */
    for (k = 0; k < m->n_dims; k++) m->dims[k].range = xg_range_of(INT64_MIN, INT64_MAX);
    m = xg_imap_copy(x, xg_imap_compose(x, first, m), 2 * d->w.n);
    n = m->n_constraints - 2 * d->w.n;
    for (k = 0; k < d->w.n; k++) {
        const xg_window_dim *w = &d->w.p[k];
        int64_t count = k == d->dim ? d->count : 1, taps = k == d->dim ? d->taps : 1, from = k == d->dim ? at : 0;
        const xg_aff *tap = xg_aff_mul(x, xg_aff_dim(x, rank + k), taps), *r;
        if (k == d->dim) tap = xg_aff_add_k(x, tap, d->first);
        if (operand) {
            tap = xg_aff_add_k(x, tap, from);
            if (w->reversal) tap = xg_aff_sub(x, xg_aff_const(x, w->size - 1), tap);
            m->results[d->labels->kernel_spatial.p[k]] = tap;
            continue;
        }
        r = xg_aff_mul(x, xg_aff_dim(x, (uint32_t)d->labels->output_spatial.p[k]), w->stride * count);
        r = xg_aff_add_k(x, xg_aff_add_mul(x, r, tap, w->window_dilation), from - w->pad_low);
        tap = m->results[d->labels->input_spatial.p[k]] = xg_aff_div(x, r, w->base_dilation);
        xg_index_require(m, &n, tap, 0, XG_OPERAND(d->i, 0)->shape->dims[d->labels->input_spatial.p[k]] - 1);
        xg_index_require(m, &n, xg_aff_mod(x, r, w->base_dilation), 0, 0);
    }
    m->n_constraints = n;
    return xg_imap_simplify(x, m);
}
/* The element of each lane: where it is none, x stays as it is. */
XG_FN void xg_strip_read(xg_strip *d, xg_scope *s, uint32_t operand, int64_t at, xg_elem *x) {
    const xg_imap *map = d->site.maps[operand] = xg_strip_map(d, operand, at);
    xg_kval **lane = d->site.vars + d->shape->rank + d->w.n + 1;
    xg_flow f = xg_flow_begin(s);
    int64_t v;
    if (xg_imap_ok(map)) {
        xg_flow_elems(&f, x, (uint32_t)d->lanes);
        xg_flow_if(&f, xg_elem_in_domain(s, map, &d->space, NULL, d->site.vars));
    }
    for (v = 0; v < d->lanes && xg_imap_ok(map); v++) {
        *lane = xg_elem_index(s, v);
        x[v] = xg_contract_read(s, &d->site, operand);
    }
    xg_flow_end(&f);
    for (v = 0; v < d->lanes; v++) x[v] = xg_contract_take(s, &d->site, operand, x[v]);
}
/* The first place from `place` on that some result takes: strides and dilations may leave many between them. */
XG_FN int64_t xg_strip_next(const xg_strip *d, int64_t place) {
    const xg_window_dim *w = &d->w.p[d->dim];
    int64_t next = INT64_MAX, u, t;
    for (u = 0; u < d->count; u++) {
        t = place > u * w->stride ? (place - u * w->stride - 1) / w->window_dilation + 1 : 0;
        if (t < d->taps) next = XG_MIN(next, u * w->stride + t * w->window_dilation);
    }
    return next;
}
XG_FN void xg_strip_step(xg_scope *s, void *data, xg_kval *const *at, xg_elem *acc) {
    xg_strip *d = (xg_strip *)data;
    const xg_window_dim *w = &d->w.p[d->dim];
    xg_elem taps[XG_STRIP_TAPS][XG_STRIP_LANES_MAX], x[XG_STRIP_LANES_MAX], zero;
    int64_t place, u, v, t;
    memcpy(d->site.vars + d->shape->rank, at, (d->w.n + 1) * sizeof *at);
    d->site.vars[d->shape->rank + d->w.n + 1] = xg_elem_index_0(s);
    memset(taps, 0, sizeof taps);
    for (t = 0; t < d->taps; t++) xg_strip_read(d, s, 1, t, taps[t]);
    zero = xg_contract_zero(s, d->site.types[0]);
    for (place = xg_strip_next(d, 0); place != INT64_MAX; place = xg_strip_next(d, place + 1)) {
        for (v = 0; v < d->lanes; v++) x[v] = zero;
        xg_strip_read(d, s, 0, place, x);
        for (u = 0; u < d->count; u++) {
            t = place - u * w->stride;
            if (t % w->window_dilation) continue;
            t /= w->window_dilation;
            for (v = 0; t >= 0 && t < d->taps && v < d->lanes; v++)
                xg_contract_add(s, &d->site, x[v], taps[t][v], acc + u * d->lanes + v);
        }
    }
}

/* ---- results ---- */

/* Result u, whose lanes are a loop: they become one access. */
XG_FN void xg_strip_write(xg_strip *d, xg_scope *s, int64_t u, const xg_elem *acc, xg_kval **dest) {
    const xg_imap *map = xg_imap_simplify(d->e->m->aff, xg_strip_result(d, u, d->shape->rank));
    xg_kval *here[XG_RANK_MAX], **lane = d->site.vars + d->shape->rank + d->w.n + 1;
    xg_flow f = xg_flow_begin(s), g = f;
    xg_elem value;
    int64_t v;
    xg_flow_slots(&f, dest, d->e->n_roots);
    xg_flow_if(&f, xg_elem_in_domain(s, map, &d->space, NULL, d->site.vars));
    xg_flow_slots(&g, dest, d->e->n_roots);
    *lane = xg_flow_count(&g, d->lanes);
    for (v = 0; v < d->lanes; v++) {
        xg_elem own = xg_contract_end(s, &d->site, acc[u * d->lanes + v]);
        value.v = v ? XG_KSELECT(&s->b, xg_kcmpi_int(&s->b, XG_CI_EQ, *lane, v), own.v, value.v) : own.v;
    }
    value.im = NULL;
    xg_elem_apply(s, map, d->site.vars, here);
    xg_hero_write(s, &d->heroes, d->shape, &value, here, NULL, dest);
    xg_flow_end(&g);
    xg_flow_end(&f);
    *lane = xg_elem_index_0(s);
}
XG_FN void xg_strip_element(xg_scope *s, void *data, uint32_t which, xg_kval *const *at, xg_kval **dest) {
    xg_strip *d = (xg_strip *)data;
    uint32_t n = (uint32_t)(d->count * d->lanes), rank = d->shape->rank, k;
    int64_t size = d->w.p[d->dim].size, taps = d->taps, last = size % taps;
    xg_elem acc[2 * XG_STRIP_COUNT * XG_STRIP_LANES_MAX];
    (void)which;
    xg_contract_begin(s, &d->site, d->i, at);
    for (k = 0; k < n; k++) acc[k] = xg_contract_zero(s, d->site.sum);
    xg_elem_nest(s, d->space.dims + rank, d->w.n + 1, xg_strip_step, d, acc, n);
    if (last) { /* taps, in one step */
        d->first = size - last;
        d->taps = last;
        xg_strip_walk(d, 1);
        xg_elem_nest(s, d->space.dims + rank, d->w.n + 1, xg_strip_step, d, acc, n);
        d->first = 0;
        d->taps = taps;
        xg_strip_walk(d, size / taps);
    }
    for (k = 0; k < d->w.n + 2; k++) d->site.vars[rank + k] = xg_elem_index_0(s);
    for (k = 0; k < (uint32_t)d->count; k++) xg_strip_write(d, s, k, acc, dest);
}
XG_FN void xg_emit_convolution(xg_fusion_emission *e) {
    xg_strip *d = (xg_strip *)e->form;
    xg_emit_sections(e, &d->section, 1, xg_strip_element, d);
}

#endif /* XG_EMIT_CONVOLUTION_C */
