/* emit/scattered.c -- select-and-scatter whose selection is known (opt/select_and_scatter_expander.c): a thread makes a
 * box of elements, and asks each window that covers any of them once.
 *
 * A box is `stride` elements long in the dimensions in which windows move by more than one (with the padding in front,
 * element x is number x + pad = box * stride + r), a few elements in the first of the others, and 1 in all the rest and
 * where that would be too much. The windows around a box stand at the same distances whatever its number is, so which
 * element is at which position of which window is known when the kernel is made: a window costs two reads, an element
 * that it covers a compare and a select. Windows come in their own order. The hero is the instruction or a slice of it,
 * whose elements are a part of its own. */
#ifndef XG_EMIT_SCATTERED_C
#define XG_EMIT_SCATTERED_C
#include "emit.h"

enum {
    XG_SCATTERED_BOX_MAX = 16,
    XG_SCATTERED_RUN = 4,
    XG_SCATTERED_PAIRS_MAX = 320 /* of windows and elements: straight code */
};

/* step: windows from box to box, 0 where a box is shorter than a step; windows: around a box, the first one `first`
 * beyond the last that begins with it or before; number: of box 0, counted with the padding; start: its element 0 */
typedef struct xg_boxes_side {
    int64_t size, step, windows, first, number, start;
} xg_boxes_side;
typedef struct xg_boxes {
    xg_fusion_emission *e;
    const xg_inst *i, *shown; /* the instruction; it or its slice */
    xg_heroes heroes;
    xg_window w;
    int64_t elements; /* of a box */
    xg_kval *const *at;
    xg_section section;
    xg_shape walk;                 /* boxes */
    int64_t from[XG_RANK_MAX];     /* of the slice */
    int64_t distance[XG_RANK_MAX]; /* of the window that is read */
    xg_boxes_side box[XG_RANK_MAX];
} xg_boxes;

/* ---- the form ---- */

XG_FN void xg_boxes_dim(xg_boxes *d, uint32_t k, int64_t size) {
    const xg_window_dim *w = &d->w.p[k];
    int64_t pad = w->pad_low + d->from[k];
    xg_boxes_side *x = &d->box[k];
    x->size = size;
    x->step = size / w->stride;
    x->first = -((w->size - 1) / w->stride);
    x->windows = XG_MAX(x->step, (int64_t)1) - x->first;
    x->number = xg_floor_div(pad, size);
    x->start = x->number * size - pad;
}
XG_APART XG_FN bool xg_boxes_plan(xg_boxes *d, const xg_inst *shown) {
    const xg_slices *cut = shown->op == XG_SLICE ? xg_inst_attr(shown, XG_A_slice)->v.slices : NULL;
    int64_t pairs = 1;
    bool run = false;
    uint32_t k;
    d->shown = shown;
    d->i = cut ? XG_OPERAND(shown, 0) : shown;
    d->w = xg_emit_window(d->i);
    d->elements = 1;
    if (d->w.n != d->i->shape->rank || d->i->shape->dynamic || !XG_OPERAND(d->i, 1)->shape->elements) return false;
    for (k = 0; k < d->w.n; k++) {
        const xg_window_dim *w = &d->w.p[k];
        int64_t size = w->stride, covered = 0, r;
        if (cut && cut->p[k].stride != 1) return false;
        if (w->size > XG_SCATTERED_PAIRS_MAX || w->stride > INT32_MAX || w->pad_low > INT32_MAX ||
            w->pad_low < -INT32_MAX || d->i->shape->dims[k] > INT32_MAX)
            return false;
        d->from[k] = cut ? cut->p[k].start : 0;
        if (size == 1 && w->size > 1 && !run) {
            size = XG_MIN((int64_t)(w->size > XG_SCATTERED_RUN * XG_SCATTERED_RUN ? 2 : 1) * XG_SCATTERED_RUN,
                shown->shape->dims[k]);
            run = true;
        }
        if (size > XG_SCATTERED_BOX_MAX / d->elements)
            for (size = XG_MIN((int64_t)XG_SCATTERED_RUN, XG_SCATTERED_BOX_MAX / d->elements); w->stride % size;
                 size--) {}
        xg_boxes_dim(d, k, size);
        for (r = 0; r < size; r++)
            covered += d->box[k].step ? (w->size - 1 - r % w->stride) / w->stride + (r % w->stride < w->size)
                                      : d->box[k].windows;
        d->elements *= size;
        pairs *= XG_MAX(covered, (int64_t)1);
        if (pairs > XG_SCATTERED_PAIRS_MAX) return false;
    }
    return true;
}
XG_FN bool xg_boxes_is_hero(void *data, const xg_inst *i, bool first) {
    xg_boxes *d = (xg_boxes *)data;
    const xg_inst *source = i->op == XG_SLICE ? XG_OPERAND(i, 0) : i;
    if (source->op != XG_SELECT_AND_SCATTER || source->n_operands != 4) return false;
    return first ? xg_boxes_plan(d, i) : i == d->shown;
}
XG_FN bool xg_boxes_make(xg_boxes *d, const xg_fusion_emission *e) {
    memset(d, 0, sizeof *d);
    d->e = (xg_fusion_emission *)e;
    return xg_heroes_find(e, xg_boxes_is_hero, d, &d->heroes) && d->heroes.n == 1;
}
/* ---- elements ---- */

/* From the box's number to the window's place among the sources, with the conditions that there is one. */
XG_FN const xg_imap *xg_boxes_window(const xg_boxes *d) {
    xg_aff_ctx *x = d->e->m->aff;
    const xg_shape *source = XG_OPERAND(d->i, 1)->shape;
    xg_imap *m = xg_imap_new(x, d->w.n, 0, 0, d->w.n, d->w.n);
    uint32_t k, n = 0;
    for (k = 0; k < d->w.n; k++) {
        m->dims[k].range = xg_range_of(0, d->walk.dims[k] - 1);
        m->results[k] = xg_aff_add_k(x, xg_aff_dim(x, k), d->box[k].number);
        m->results[k] = d->box[k].step ? xg_aff_mul(x, m->results[k], d->box[k].step)
                                       : xg_aff_div(x, xg_aff_mul(x, m->results[k], d->box[k].size), d->w.p[k].stride);
        m->results[k] = xg_aff_add_k(x, m->results[k], d->box[k].first + d->distance[k]);
        xg_index_require(m, &n, m->results[k], 0, source->dims[k] - 1);
    }
    m->n_constraints = n;
    return xg_imap_simplify(x, m);
}
/* Element r of the box: its indices in the hero, or in the instruction. asked: with the conditions that the hero has
 * such an element; only where they hold such a map may be applied. */
XG_FN const xg_imap *xg_boxes_element(const xg_boxes *d, const int64_t *r, bool whole, bool asked) {
    xg_aff_ctx *x = d->e->m->aff;
    xg_imap *m = xg_imap_new(x, d->w.n, 0, 0, d->w.n, d->w.n);
    uint32_t k, n = 0;
    for (k = 0; k < d->w.n; k++) {
        m->dims[k].range = xg_range_of(0, d->walk.dims[k] - 1);
        m->results[k] = xg_aff_add_k(
            x, xg_aff_mul(x, xg_aff_dim(x, k), d->box[k].size), d->box[k].start + r[k] + (whole ? d->from[k] : 0));
        if (asked) xg_index_require(m, &n, m->results[k], 0, d->shown->shape->dims[k] - 1);
    }
    m->n_constraints = n;
    return xg_imap_simplify(x, m);
}

typedef struct xg_boxes_read {
    xg_boxes *d;
    const xg_imap *map;
} xg_boxes_read;
XG_FN void xg_boxes_load(xg_scope *s, void *data, xg_kval *const *at, xg_elem *c) {
    xg_boxes_read *r = (xg_boxes_read *)data;
    xg_kval *out[XG_RANK_MAX];
    (void)at;
    xg_elem_apply(s, r->map, r->d->at, out);
    c[0] = xg_elem_of(s, XG_OPERAND(r->d->i, 3), out);
    c[1] = xg_elem_of(s, XG_OPERAND(r->d->i, 1), out);
}

/* Whether the window that is read may cover element r of the box. */
XG_FN bool xg_boxes_covers(const xg_boxes *d, const int64_t *r) {
    uint32_t k;
    for (k = 0; k < d->w.n; k++) {
        const xg_window_dim *w = &d->w.p[k];
        int64_t position = r[k] - (d->distance[k] - (w->size - 1) / w->stride) * w->stride;
        if (d->box[k].step && (position < 0 || position >= w->size)) return false;
    }
    return true;
}
XG_FN bool xg_boxes_next(const xg_boxes *d, int64_t *at, bool windows) {
    uint32_t k;
    for (k = d->w.n; k-- > 0;) {
        if (++at[k] < (windows ? d->box[k].windows : d->box[k].size)) return true;
        at[k] = 0;
    }
    return false;
}

/* The window's source goes to those of the box's elements that it selected: numbers[e] is what it would say. */
XG_FN void xg_boxes_ask(xg_boxes *d, xg_scope *s, xg_kval *const *numbers, xg_elem *acc) {
    xg_boxes_read read;
    int64_t r[XG_RANK_MAX];
    xg_elem c[2], args[2], sum;
    xg_kval *mine;
    uint32_t e = 0;
    read.d = d;
    read.map = xg_boxes_window(d);
    if (read.map->state != XG_IMAP_OK) return;
    c[0] = xg_elem_real(xg_kconst_int(&s->b, xg_kelem_of(XG_OPERAND(d->i, 3)->shape->type), -1));
    c[1] = acc[0]; /* any element: it is not used */
    xg_elem_when(s, xg_elem_in_domain(s, read.map, &d->walk, NULL, d->at), xg_boxes_load, &read, d->at, c, 2);
    memset(r, 0, sizeof r);
    do {
        if (xg_boxes_covers(d, r)) {
            mine = xg_kcmpi_(&s->b, XG_CI_EQ, c[0].v, numbers[e]);
            args[0] = acc[e];
            args[1] = c[1];
            xg_elem_call_comp(s, xg_attr_comp(d->i, XG_A_scatter), args, &sum, 1);
            if (sum.im) acc[e].im = xg_kselect(&s->b, mine, sum.im, acc[e].im);
            acc[e].v = xg_kselect(&s->b, mine, sum.v, acc[e].v);
        }
        e++;
    } while (xg_boxes_next(d, r, false));
}

XG_FN void xg_boxes_box(xg_scope *s, void *data, uint32_t which, xg_kval *const *at, xg_kval **dest) {
    xg_boxes *d = (xg_boxes *)data;
    xg_elem *acc = XG_NEW_N(d->e->arena, xg_elem, (size_t)d->elements + 1);
    xg_kval **numbers = XG_NEW_N(d->e->arena, xg_kval *, (size_t)d->elements + 1), *here[XG_RANK_MAX], *cond;
    int64_t r[XG_RANK_MAX];
    uint32_t e = 0, k;
    (void)which;
    d->at = at;
    memset(r, 0, sizeof r);
    do {
        xg_elem_apply(s, xg_boxes_element(d, r, true, false), at, here);
        numbers[e] = xg_select_number(s, d->i, here, xg_kelem_of(XG_OPERAND(d->i, 3)->shape->type));
        acc[e++] = xg_elem_of(s, XG_OPERAND(d->i, 2), at);
    } while (xg_boxes_next(d, r, false));
    memset(d->distance, 0, sizeof d->distance);
    do xg_boxes_ask(d, s, numbers, acc);
    while (xg_boxes_next(d, d->distance, true));
    memset(r, 0, sizeof r);
    e = 0;
    do {
        const xg_imap *map = xg_boxes_element(d, r, false, true);
        if (map->state == XG_IMAP_OK) {
            cond = xg_elem_in_domain(s, map, &d->walk, NULL, at);
            xg_elem_apply(s, xg_boxes_element(d, r, false, false), at, here);
            for (k = 0; cond && k < d->w.n; k++) {
                int64_t last = d->shown->shape->dims[k] - 1, lo = d->box[k].start + r[k],
                        hi = lo + (d->walk.dims[k] - 1) * d->box[k].size;
                if (hi > last) here[k] = xg_k2_int(&s->b, XG_K_OP_MINSI, here[k], last);
                if (lo < 0) here[k] = xg_k2_int(&s->b, XG_K_OP_MAXSI, here[k], 0);
                if (hi > last || lo < 0) xg_kval_set_range(here[k], xg_range_of(0, last));
            }
            xg_hero_write(s, &d->heroes, d->shown->shape, &acc[e], here, cond, dest);
        }
        e++;
    } while (xg_boxes_next(d, r, false));
}

XG_FN bool xg_emit_scattered_plan(xg_fusion_emission *e) {
    xg_boxes *d = XG_NEW(e->arena, xg_boxes);
    int64_t *dims;
    uint32_t k;
    if (!xg_boxes_make(d, e)) return false;
    dims = XG_NEW_N(e->arena, int64_t, XG_RANK_MAX);
    d->walk = *d->shown->shape;
    d->walk.dims = dims;
    d->walk.elements = 1;
    for (k = 0; k < d->w.n; k++) {
        dims[k] = (d->shown->shape->dims[k] - d->box[k].start + d->box[k].size - 1) / d->box[k].size;
        d->walk.elements *= dims[k];
    }
    d->section.shape = &d->walk;
    d->section.unroll = 1;
    e->form = d;
    return xg_sections_launch(e, &d->section, 1);
}
XG_FN void xg_emit_scattered(xg_fusion_emission *e) {
    xg_boxes *d = (xg_boxes *)e->form;
    xg_emit_sections(e, &d->section, 1, xg_boxes_box, d);
}

#endif /* XG_EMIT_SCATTERED_C */
