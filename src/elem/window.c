/* elem/window.c -- reduce-window and select-and-scatter, one element at a time.
 *
 * reduce-window folds the elements that its window covers; positions in the padding or between dilated elements are
 * left out. select-and-scatter is read the other way round: an element of the result asks each window that covers it,
 * later windows' sources last, whether it is the one that was selected there. */
#ifndef XG_ELEM_WINDOW_C
#define XG_ELEM_WINDOW_C
#include "elem.h"
#include "reduce.c"

XG_FN xg_window xg_emit_window(const xg_inst *i) {
    const xg_attr *a = xg_inst_attr(i, XG_A_window);
    xg_window none;
    none.n = 0;
    none.p = NULL;
    return a ? *a->v.window : none;
}

/* ---- reduce-window ---- */

typedef struct xg_window_site {
    xg_fold fold;
    const xg_imap *map;
    uint32_t rank;
    int64_t counts[XG_RANK_MAX];
    xg_kval *vars[2 * XG_RANK_MAX];
} xg_window_site;

XG_FN void xg_window_take(xg_scope *s, void *data, xg_kval *const *at, xg_elem *acc) {
    xg_window_site *d = (xg_window_site *)data;
    xg_kval *idx[XG_RANK_MAX];
    uint32_t k;
    (void)at;
    xg_elem_apply(s, d->map, d->vars, idx);
    for (k = 0; k < d->fold.n; k++) d->fold.args[d->fold.n + k] = xg_elem_of(s, XG_OPERAND(d->fold.i, k), idx);
    xg_fold_step(s, &d->fold, acc);
}
XG_FN void xg_window_body(xg_scope *s, void *data, xg_kval *const *at, xg_elem *acc) {
    xg_window_site *d = (xg_window_site *)data;
    uint32_t k;
    for (k = 0; k < d->rank; k++) d->vars[d->rank + k] = at[k];
    xg_elem_when(s, xg_elem_in_domain(s, d->map, xg_indexing_output_shape(d->fold.i, 0), d->counts, d->vars),
        xg_window_take, d, at, acc, d->fold.n);
}

XG_FN xg_elem xg_elem_reduce_window(xg_scope *s, const xg_inst *i, xg_kval *const *at) {
    xg_window w = xg_emit_window(i);
    xg_elem *acc = XG_NEW_N(s->e->arena, xg_elem, i->n_operands + 1);
    xg_window_site d;
    uint32_t k;
    memset(&d, 0, sizeof d);
    d.fold = xg_fold_begin(s, i, acc, at);
    d.map = xg_indexing_operand(s->e->m->aff, i, 0);
    d.rank = w.n;
    if (d.map->state == XG_IMAP_UNDEFINED)
        xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, NULL, "a window whose indices are not known");
    for (k = 0; k < w.n; k++) {
        d.counts[k] = w.p[k].size;
        d.vars[k] = at[k];
    }
    if (d.map->state != XG_IMAP_EMPTY) xg_elem_nest(s, d.counts, w.n, xg_window_body, &d, acc, d.fold.n);
    return xg_fold_end(s, &d.fold, acc);
}

/* ---- select-and-scatter ---- */

typedef struct xg_select_site {
    const xg_inst *i;
    xg_window w;
    xg_kval *const *at;          /* the result's element */
    xg_kval *place[XG_RANK_MAX]; /* its position in the window that is being asked */
    xg_kval *out[XG_RANK_MAX];   /* that window's place among the sources */
    xg_kval *other[XG_RANK_MAX]; /* the position that is compared */
} xg_select_site;

/* lo <= v < hi with both sides tested. */
XG_FN xg_kval *xg_select_between(xg_scope *s, xg_kval *v, int64_t lo, int64_t hi) {
    return XG_KOP2(&s->b, XG_K_OP_ANDI, XG_KCMPI(&s->b, XG_CI_SGE, v, xg_elem_index(s, lo)),
        XG_KCMPI(&s->b, XG_CI_SLT, v, xg_elem_index(s, hi)));
}
/* a * scale + b * other + k. */
XG_FN xg_kval *xg_select_linear(xg_scope *s, xg_kval *a, int64_t scale, xg_kval *b, int64_t other, int64_t k) {
    xg_kval *x = scale == 1 ? a : xg_k2_int(&s->b, XG_K_OP_MULI, a, scale),
            *y = other == 1 ? b : xg_k2_int(&s->b, XG_K_OP_MULI, b, other);
    x = xg_kaddi(&s->b, x, y);
    return k ? xg_kaddi_int(&s->b, x, k) : x;
}

/* carried: the element kept so far, whether there is one, and whether it is ours. */
XG_FN void xg_select_keep(xg_scope *s, void *data, xg_kval *const *at, xg_elem *c) {
    xg_select_site *d = (xg_select_site *)data;
    xg_kval *idx[XG_RANK_MAX], *same = NULL, *keep;
    xg_elem x, args[2], chosen;
    uint32_t k;
    (void)at;
    for (k = 0; k < d->w.n; k++) {
        const xg_window_dim *w = &d->w.p[k];
        idx[k] = xg_select_linear(s, d->out[k], w->stride, d->other[k], w->window_dilation, -w->pad_low);
        xg_kval_set_range(idx[k], xg_range_of(0, XG_OPERAND(d->i, 0)->shape->dims[k] - 1));
        same = xg_elem_and(s, same, xg_kcmpi_(&s->b, XG_CI_EQ, d->other[k], d->place[k]));
    }
    if (!same) same = xg_kconst_int(&s->b, XG_E_I1, 1);
    x = xg_elem_of(s, XG_OPERAND(d->i, 0), idx);
    args[0] = c[0];
    args[1] = x;
    xg_elem_call_comp(s, xg_attr_comp(d->i, XG_A_select), args, &chosen, 1);
    keep = xg_kandi(&s->b, c[1].v, chosen.v);
    c[0].v = xg_kselect(&s->b, keep, c[0].v, x.v);
    if (x.im) c[0].im = xg_kselect(&s->b, keep, c[0].im, x.im);
    c[1].v = xg_kconst_int(&s->b, XG_E_I1, 1);
    c[2].v = XG_KOP2(&s->b, XG_K_OP_ORI, XG_KOP2(&s->b, XG_K_OP_ANDI, keep, c[2].v),
        XG_KOP2(&s->b, XG_K_OP_ANDI, XG_KOP2(&s->b, XG_K_OP_XORI, keep, xg_kconst_int(&s->b, XG_E_I1, 1)), same));
}
XG_FN void xg_select_compare(xg_scope *s, void *data, xg_kval *const *at, xg_elem *c) {
    xg_select_site *d = (xg_select_site *)data;
    xg_kval *inside = NULL;
    uint32_t k;
    for (k = 0; k < d->w.n; k++) {
        const xg_window_dim *w = &d->w.p[k];
        d->other[k] = at[k];
        inside = xg_elem_and(s, inside,
            xg_select_between(s, xg_select_linear(s, d->out[k], w->stride, at[k], w->window_dilation, -w->pad_low), 0,
                XG_OPERAND(d->i, 0)->shape->dims[k]));
    }
    xg_elem_when(s, inside, xg_select_keep, d, at, c, 3);
}

/* The window at d->out covers our element at d->place: if it selects it, its source is scattered into ours. */
XG_FN void xg_select_scatter(xg_scope *s, void *data, xg_kval *const *at, xg_elem *acc) {
    xg_select_site *d = (xg_select_site *)data;
    xg_elem args[2];
    (void)at;
    args[0] = acc[0];
    args[1] = xg_elem_of(s, XG_OPERAND(d->i, 1), d->out);
    xg_elem_call_comp(s, xg_attr_comp(d->i, XG_A_scatter), args, acc, 1);
}
/* The number of an element in row-major order, as an integer of the type in which selections come; also of one that is
 * not there. */
XG_FN xg_kval *xg_select_number(xg_scope *s, const xg_inst *i, xg_kval *const *at, xg_kelem e) {
    xg_aff_ctx *x = s->e->m->aff;
    xg_imap *m = xg_imap_of_dims(x, i->shape->rank, 1);
    const xg_aff *n = xg_aff_const(x, 0);
    xg_kval *r;
    uint32_t k;
    for (k = 0; k < i->shape->rank; k++) {
        m->dims[k].range = xg_range_of(at[k]->lo, at[k]->hi);
        n = xg_aff_add_mul(x, xg_aff_dim(x, k), n, i->shape->dims[k]);
    }
    m->results[0] = n;
    xg_elem_apply(s, xg_imap_simplify(x, m), at, &r);
    return xg_kcast_index(&s->b, r, e);
}
XG_FN void xg_select_ask(xg_scope *s, void *data, xg_kval *const *at, xg_elem *acc) {
    xg_select_site *d = (xg_select_site *)data;
    int64_t counts[XG_RANK_MAX];
    xg_elem c[3];
    uint32_t k;
    if (d->i->n_operands == 4) {
        xg_kval *chosen = xg_elem_of(s, XG_OPERAND(d->i, 3), d->out).v;
        xg_elem_when(s, xg_kcmpi_(&s->b, XG_CI_EQ, chosen, xg_select_number(s, d->i, d->at, chosen->type->elem)),
            xg_select_scatter, d, at, acc, 1);
        return;
    }
    for (k = 0; k < d->w.n; k++) counts[k] = d->w.p[k].size;
    c[0] = xg_elem_of(s, XG_OPERAND(d->i, 0), d->at); /* any element: nothing is kept yet */
    c[1] = c[2] = xg_elem_real(xg_kconst_int(&s->b, XG_E_I1, 0));
    xg_elem_nest(s, counts, d->w.n, xg_select_compare, d, c, 3);
    xg_elem_when(s, c[2].v, xg_select_scatter, d, at, acc, 1);
}

/* Position at[] of the window, counted from its end so that windows come in their own order: window o covers us if o *
 * stride = element + pad - position * dilation. */
XG_FN void xg_select_window(xg_scope *s, void *data, xg_kval *const *at, xg_elem *acc) {
    xg_select_site *d = (xg_select_site *)data;
    xg_kval *covers = NULL;
    uint32_t k;
    for (k = 0; k < d->w.n; k++) {
        const xg_window_dim *w = &d->w.p[k];
        const xg_shape *source = XG_OPERAND(d->i, 1)->shape;
        xg_kval *room, *stride = xg_elem_index(s, w->stride), *safe;
        d->place[k] = xg_ksubi(&s->b, xg_elem_index(s, w->size - 1), at[k]);
        xg_kval_set_range(d->place[k], xg_range_of(0, w->size - 1));
        room = xg_select_linear(s, d->at[k], 1, d->place[k], -w->window_dilation, w->pad_low);
        covers = xg_elem_and(s, covers, xg_kcmpi_int(&s->b, XG_CI_SGE, room, 0));
        safe = xg_k2_int(&s->b, XG_K_OP_MAXSI, room, 0);
        d->out[k] = w->stride == 1 ? safe : xg_k2(&s->b, XG_K_OP_DIVSI, safe, stride);
        if (w->stride != 1)
            covers = xg_elem_and(
                s, covers, XG_KCMPI(&s->b, XG_CI_EQ, XG_KOP2(&s->b, XG_K_OP_REMSI, safe, stride), xg_elem_index_0(s)));
        covers = xg_elem_and(s, covers, xg_kcmpi_int(&s->b, XG_CI_SLT, d->out[k], source->dims[k]));
    }
    xg_elem_when(s, covers, xg_select_ask, d, at, acc, 1);
}

XG_FN xg_elem xg_elem_select_and_scatter(xg_scope *s, const xg_inst *i, xg_kval *const *at) {
    int64_t counts[XG_RANK_MAX];
    xg_select_site d;
    xg_elem acc;
    uint32_t k;
    memset(&d, 0, sizeof d);
    d.i = i;
    d.w = xg_emit_window(i);
    d.at = at;
    for (k = 0; k < d.w.n; k++) {
        counts[k] = d.w.p[k].size;
        if (d.w.p[k].base_dilation != 1)
            xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, NULL,
                "select-and-scatter with a dilated base is not supported in kernels");
    }
    acc = xg_elem_of(s, XG_OPERAND(i, 2), at);
    if (XG_OPERAND(i, 1)->shape->elements) xg_elem_nest(s, counts, d.w.n, xg_select_window, &d, &acc, 1);
    return acc;
}

#endif /* XG_ELEM_WINDOW_C */
