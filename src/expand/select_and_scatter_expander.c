/* expand/select_and_scatter_expander.c -- SelectAndScatterExpander: select-and-scatter as two steps without atomics,
 * the same in every run.
 *
 *     selected[o] = where the element stands that window o selects (its number in the operand, -1 for none): a
 *     reduce-window over pairs (element, number)
 *     result[x]   = init, into which the sources of those windows are scattered that cover x and selected it
 *
 * The second is a select-and-scatter again, to which the selection is given as a fourth operand; its kernel has no
 * atomics either. Where windows have holes, it is made of other operations: few windows cover an element: along a
 * dimension, those at q, q - 1, .. of q = (x + pad) / stride. Each such distance is one view of `selected` and of the
 * source, shifted by it and repeated `stride` times, and no view needs more than a compare and a select. A few views
 * are straight code, the windows in their own order. Many (long windows that move in short steps) are one array with
 * the distances as further dimensions, which a reduce folds; then order must not matter. What stays is asked for in a
 * loop by its kernel (elem/window.c). */
#ifndef XG_EXPAND_SELECT_AND_SCATTER_EXPANDER_C
#define XG_EXPAND_SELECT_AND_SCATTER_EXPANDER_C
#include "expand.h"

enum {
    XG_SCATTERED_VIEWS_MAX = 32
};

typedef struct xg_scattered {
    const xg_hb *b;
    const xg_inst *i;
    const xg_shape *shape, *source;
    xg_window w;
    int64_t views[XG_RANK_MAX]; /* distances along a dimension */
    /* windows in front of the first one that q is counted from, so that none is negative */
    int64_t skip[XG_RANK_MAX];
    int64_t whole[XG_RANK_MAX]; /* how many q there are */
    bool many;                  /* views: they are folded in a loop */
} xg_scattered;

/* The numbers of dimension k; false when they are so large that those made of them may not fit. all, views: elements of
 * the largest array that is made, and views. */
XG_FN bool xg_scattered_dim(xg_scattered *d, uint32_t k, int64_t *all, int64_t *views) {
    const xg_window_dim *w = &d->w.p[k];
    int64_t last;
    if (w->reversal || XG_MAX(XG_MAX(w->size, w->stride), XG_MAX(w->base_dilation, w->window_dilation)) > INT32_MAX)
        return false;
    if (XG_MAX(w->pad_low, -w->pad_low) > INT32_MAX || d->shape->dims[k] > INT32_MAX) return false;
    d->views[k] = (w->size - 1) * w->window_dilation / w->stride + 1;
    d->skip[k] = w->pad_low < 0 ? (w->stride - 1 - w->pad_low) / w->stride : 0;
    last = (d->shape->dims[k] - 1) * w->base_dilation + w->pad_low + d->skip[k] * w->stride;
    d->whole[k] = last / w->stride + 1;
    return xg_mul64(*views, d->views[k], views) && xg_mul64(*all, d->views[k] + 1, all) &&
           xg_mul64(*all, d->whole[k] + d->views[k], all) && xg_mul64(*all, w->stride, all);
}
/* Windows without holes. */
XG_FN bool xg_scattered_is_plain(const xg_scattered *d) {
    uint32_t k;
    for (k = 0; k < d->w.n; k++)
        if (d->w.p[k].base_dilation != 1 || d->w.p[k].window_dilation != 1) return false;
    return true;
}
/* False when the instruction has to stay. */
XG_FN bool xg_scattered_make(xg_scattered *d, const xg_inst *i) {
    const xg_attr *a = xg_inst_attr(i, XG_A_window);
    const xg_comp *c;
    int64_t all = 16, views = 1;
    uint32_t k;
    memset(d, 0, sizeof *d);
    d->i = i;
    if (i->op != XG_SELECT_AND_SCATTER || !a || i->n_operands != 3) return false;
    d->shape = XG_OPERAND(i, 0)->shape;
    d->source = XG_OPERAND(i, 1)->shape;
    d->w = *a->v.window;
    if (d->shape->dynamic || d->source->dynamic || !d->shape->elements || !d->source->elements ||
        3 * d->w.n > XG_RANK_MAX)
        return false;
    for (k = 0; k < d->w.n; k++)
        if (!xg_scattered_dim(d, k, &all, &views)) return false;
    d->many = views > XG_SCATTERED_VIEWS_MAX && !xg_scattered_is_plain(d);
    c = xg_attr_comp(i, XG_A_scatter);
    return !d->many ||
           (xg_reducer_is_plain(c) && (xg_op_flags(c->root->op) & XGF_COMM)); /* a reduce takes them in its own order */
}
XG_FN bool xg_scattered_matches(const xg_inst *i) {
    xg_scattered d;
    return xg_scattered_make(&d, i);
}

/* ---- which element a window selects ---- */

XG_FN xlagpu_type xg_scattered_number(const xg_scattered *d) {
    return d->shape->elements > INT32_MAX ? XLAGPU_S64 : XLAGPU_S32;
}
XG_FN xg_inst *xg_scattered_numbers(const xg_scattered *d) {
    int64_t n = d->shape->elements;
    return xg_hb_reshape(d->b, xg_hb_iota(d->b, xg_scattered_number(d), &n, 1, 0), d->shape->dims, d->shape->rank);
}
/* (kept, its number, x, its number) -> kept if there is one and select(kept, x), else x. */
XG_APART XG_FN xg_comp *xg_scattered_selector(const xg_scattered *d) {
    const xg_comp *select = xg_attr_comp(d->i, XG_A_select);
    xg_comp *c = xg_comp_new(d->b->comp->module, XG_STR("select_first"), d->b->comp);
    xg_hb b = xg_hb_end(c, d->i);
    const xg_shape *value = xg_shape_scalar(c->module, d->shape->type),
                   *number = xg_shape_scalar(c->module, xg_scattered_number(d));
    xg_inst *p[4], *args[2], *keep, *out[2];
    uint32_t k;
    for (k = 0; k < 4; k++) p[k] = xg_comp_add_param(c, k % 2 ? number : value, k % 2 ? XG_STR("number") : XG_STR("x"));
    args[0] = p[0];
    args[1] = p[2];
    keep = xg_opt_inline(select, c, NULL, args);
    keep = xg_hb_2(&b, XG_AND, xg_hb_compare(&b, "GE", p[1], xg_hb_zero(&b, number->type)), keep);
    for (k = 0; k < 2; k++) out[k] = xg_hb_select(&b, keep, p[k], p[2 + k]);
    c->root = xg_hb_tuple(&b, out, 2);
    return c;
}
XG_FN xg_inst *xg_scattered_selected(const xg_scattered *d) {
    xg_inst *in[4], *i;
    in[0] = XG_OPERAND(d->i, 0);
    in[1] = xg_scattered_numbers(d);
    in[2] = xg_hb_zero(d->b, d->shape->type); /* a number of -1 makes it nothing */
    in[3] = xg_hb_int(d->b, in[1]->shape->type, -1);
    i = xg_hb_op(d->b, XG_REDUCE_WINDOW, d->shape, in, 4);
    xg_inst_set_attr(i, *xg_inst_attr(d->i, XG_A_window));
    xg_inst_set_comp(i, XG_A_to_apply, xg_scattered_selector(d));
    return xg_hb_element(d->b, xg_hb_done(i), 1);
}

/* ---- which windows an element belongs to ---- */

/* [lead.., q ..] -> [lead.., x ..]: each q stands for `stride` neighbours, and of these positions the elements take
 * theirs. */
XG_FN xg_inst *xg_scattered_spread(const xg_scattered *d, xg_inst *v, uint32_t lead) {
    xg_slice_dim cut[2 * XG_RANK_MAX];
    int64_t spread[3 * XG_RANK_MAX], joint[2 * XG_RANK_MAX], places[2 * XG_RANK_MAX];
    uint32_t rank = v->shape->rank, n = 0, k;
    for (k = 0; k < rank; k++) {
        const xg_window_dim *w = k < lead ? NULL : &d->w.p[k - lead];
        int64_t stride = w ? w->stride : 1;
        joint[k] = v->shape->dims[k] * stride;
        cut[k].start = w ? w->pad_low + d->skip[k - lead] * stride : 0;
        cut[k].stride = w ? w->base_dilation : 1;
        cut[k].limit = w ? cut[k].start + (d->shape->dims[k - lead] - 1) * w->base_dilation + 1 : joint[k];
        places[k] = n;
        spread[n++] = v->shape->dims[k];
        if (stride > 1) spread[n++] = stride;
    }
    if (n > rank) v = xg_hb_reshape(d->b, xg_hb_broadcast(d->b, v, spread, n, places, rank), joint, rank);
    return xg_hb_slice(d->b, v, cut);
}
/* v of the window that stands `distance` in front of the last one that begins at or before x; `none` where there is no
 * such window. */
XG_FN xg_inst *xg_scattered_view(const xg_scattered *d, xg_inst *v, xg_inst *none, const int64_t *distance) {
    xg_pad_dim pad[XG_RANK_MAX];
    uint32_t k;
    memset(pad, 0, sizeof pad);
    for (k = 0; k < d->w.n; k++) {
        pad[k].low = distance[k] + d->skip[k];
        pad[k].high = d->whole[k] - d->source->dims[k] - pad[k].low;
        pad[k].interior = 0;
    }
    return xg_scattered_spread(d, xg_hb_pad(d->b, v, none, pad), 0);
}
/* Dimension k of v, of n elements, as [views, n - views + 1]: place q of row c is place q + c. n + 1 elements further
 * in rows of n are one row and one element further. */
XG_FN xg_inst *xg_scattered_skew(const xg_scattered *d, xg_inst *v, uint32_t k, int64_t views) {
    int64_t dims[2 * XG_RANK_MAX], places[2 * XG_RANK_MAX], n = v->shape->dims[k];
    uint32_t rank = v->shape->rank, j;
    for (j = 0; j < rank; j++) {
        places[j] = j + (j >= k);
        dims[places[j]] = v->shape->dims[j];
    }
    dims[k] = views + 1;
    v = xg_hb_broadcast(d->b, v, dims, rank + 1, places, rank);
    for (j = 0; j < rank; j++) dims[j] = v->shape->dims[j + (j > k)];
    dims[k] = (views + 1) * n;
    v = xg_hb_slice_dim(d->b, xg_hb_reshape(d->b, v, dims, rank), k, 0, views * (n + 1));
    for (j = rank; j > k; j--) dims[j] = v->shape->dims[j - 1];
    dims[k] = views;
    dims[k + 1] = n + 1;
    return xg_hb_slice_dim(d->b, xg_hb_reshape(d->b, v, dims, rank + 1), k + 1, 0, n - views + 1);
}
/* All views at once, [views .., x ..], the farthest windows first. */
XG_FN xg_inst *xg_scattered_all_views(const xg_scattered *d, xg_inst *v, xg_inst *none) {
    xg_pad_dim pad[XG_RANK_MAX];
    int64_t perm[2 * XG_RANK_MAX];
    uint32_t n = d->w.n, k;
    memset(pad, 0, sizeof pad);
    memset(perm, 0, sizeof perm);
    for (k = 0; k < n; k++) {
        pad[k].low = d->views[k] - 1 + d->skip[k];
        pad[k].high = d->whole[k] + d->views[k] - 1 - d->source->dims[k] - pad[k].low;
        pad[k].interior = 0;
        perm[k] = 2 * k;
        perm[n + k] = 2 * k + 1;
    }
    v = xg_hb_pad(d->b, v, none, pad);
    for (k = 0; k < n; k++) v = xg_scattered_skew(d, v, 2 * k, d->views[k]);
    return xg_scattered_spread(d, xg_hb_transpose(d->b, v, perm), n);
}

/* ---- what is scattered into an element ---- */

XG_FN bool xg_scattered_is_sum(const xg_scattered *d) {
    return xg_reducer_is_sum(xg_attr_comp(d->i, XG_A_scatter)) && xg_type_class(d->shape->type) != XGT_C;
}
/* scatter(x, y), element by element. */
XG_FN xg_inst *xg_scattered_apply(const xg_scattered *d, xg_inst *x, xg_inst *y) {
    xg_inst *in[2], *i;
    if (xg_scattered_is_sum(d)) return xg_hb_add(d->b, x, y);
    in[0] = x;
    in[1] = y;
    i = xg_hb_op(d->b, XG_MAP, x->shape, in, 2);
    xg_inst_set_comp(i, XG_A_to_apply, xg_attr_comp(d->i, XG_A_scatter));
    return xg_hb_done(i);
}
/* The next vector of distances, the last dimension fastest: windows in their own order. */
XG_APART XG_FN bool xg_scattered_next(const xg_scattered *d, int64_t *distance) {
    uint32_t k;
    for (k = d->w.n; k-- > 0;) {
        if (distance[k]-- > 0) return true;
        distance[k] = d->views[k] - 1;
    }
    return false;
}
XG_FN xg_inst *xg_scattered_straight(const xg_scattered *d, xg_inst *selected, xg_inst *none, xg_inst *zero) {
    xg_inst *numbers = xg_scattered_numbers(d),
            *acc = xg_hb_splat(d->b, XG_OPERAND(d->i, 2), d->shape->dims, d->shape->rank);
    int64_t distance[XG_RANK_MAX];
    uint32_t k;
    for (k = 0; k < d->w.n; k++) distance[k] = d->views[k] - 1;
    do {
        xg_inst *mine = xg_hb_compare(d->b, "EQ", xg_scattered_view(d, selected, none, distance), numbers);
        acc = xg_hb_select(
            d->b, mine, xg_scattered_apply(d, acc, xg_scattered_view(d, XG_OPERAND(d->i, 1), zero, distance)), acc);
    } while (xg_scattered_next(d, distance));
    return acc;
}

/* (a, whether there is one, b, whether there is one) -> scatter(a, b), or the one that there is. */
XG_FN xg_comp *xg_scattered_joiner(const xg_scattered *d) {
    xg_comp *c = xg_comp_new(d->b->comp->module, XG_STR("scatter_some"), d->b->comp);
    const xg_shape *value = xg_shape_scalar(c->module, d->shape->type), *pred = xg_shape_scalar(c->module, XLAGPU_PRED);
    xg_hb b = xg_hb_end(c, d->i);
    xg_inst *p[4], *args[2], *out[2], *both, *one;
    uint32_t k;
    for (k = 0; k < 4; k++) p[k] = xg_comp_add_param(c, k % 2 ? pred : value, k % 2 ? XG_STR("some") : XG_STR("x"));
    args[0] = p[0];
    args[1] = p[2];
    both = xg_hb_2(&b, XG_AND, p[1], p[3]);
    one = xg_hb_select(&b, p[3], p[2], p[0]);
    out[0] = xg_hb_select(&b, both, xg_opt_inline(xg_attr_comp(d->i, XG_A_scatter), c, NULL, args), one);
    out[1] = xg_hb_2(&b, XG_OR, p[1], p[3]);
    c->root = xg_hb_tuple(&b, out, 2);
    return c;
}
XG_APART XG_FN xg_inst *xg_scattered_reduce(const xg_scattered *d, xg_inst *selected, xg_inst *none, xg_inst *zero) {
    xg_inst *views = xg_scattered_all_views(d, selected, none),
            *source = xg_scattered_all_views(d, XG_OPERAND(d->i, 1), zero), *mine, *in[4], *i, *init;
    int64_t places[XG_RANK_MAX], dims[XG_RANK_MAX];
    uint32_t k;
    for (k = 0; k < d->w.n; k++) {
        dims[k] = k;
        places[k] = d->w.n + k;
    }
    mine = xg_hb_compare(d->b, "EQ", views,
        xg_hb_broadcast(d->b, xg_scattered_numbers(d), views->shape->dims, views->shape->rank, places, d->w.n));
    if (xg_scattered_is_sum(d)) {
        xg_comp *c = xg_attr_comp(d->i, XG_A_scatter);
        xg_inst *neutral =
            xg_type_class(d->shape->type) == XGT_F ? xg_hb_float(d->b, d->shape->type, xg_reducer_neutral(c)) : zero;
        return xg_hb_reduce(d->b,
            xg_hb_select(d->b, mine, source, xg_hb_splat(d->b, neutral, source->shape->dims, source->shape->rank)),
            XG_OPERAND(d->i, 2), dims, d->w.n, c);
    }
    in[0] = source;
    in[1] = mine;
    in[2] = zero;
    in[3] = xg_hb_zero(d->b, XLAGPU_PRED);
    i = xg_hb_op(d->b, XG_REDUCE, source->shape, in, 4);
    xg_inst_set_ints(i, XG_A_dimensions, dims, d->w.n);
    xg_inst_set_comp(i, XG_A_to_apply, xg_scattered_joiner(d));
    (void)xg_hb_done(i);
    init = xg_hb_splat(d->b, XG_OPERAND(d->i, 2), d->shape->dims, d->shape->rank);
    source = xg_hb_element(d->b, i, 0);
    i = xg_hb_element(d->b, i, 1);
    return xg_hb_select(d->b, i, xg_scattered_apply(d, init, source), init);
}

/* Windows without holes: the selection goes back into a select-and-scatter, whose kernel (emit/scattered.c) asks few
 * windows for many elements. */
XG_FN xg_inst *xg_scattered_given(const xg_scattered *d, xg_inst *selected, xg_inst *zero) {
    XG_TABLE const xg_attr_key keys[] = {XG_A_window, XG_A_select, XG_A_scatter};
    xg_inst *in[4], *r;
    size_t k;
    in[0] = xg_hb_splat(d->b, zero, d->shape->dims, d->shape->rank);
    for (k = 1; k < 3; k++) in[k] = XG_OPERAND(d->i, k);
    in[3] = selected;
    r = xg_hb_op(d->b, XG_SELECT_AND_SCATTER, d->shape, in, 4);
    for (k = 0; k < XG_COUNT(keys); k++) xg_inst_set_attr(r, *xg_inst_attr(d->i, keys[k]));
    return xg_hb_done(r);
}

XG_FN xg_inst *xg_scattered_expand(const xg_hb *b, xg_inst *i) {
    xg_scattered d;
    xg_inst *selected, *none, *zero;
    if (!xg_scattered_make(&d, i)) return NULL;
    d.b = b;
    selected = xg_scattered_selected(&d);
    none = xg_hb_int(b, selected->shape->type, -1);
    zero = xg_hb_zero(b, d.shape->type);
    if (xg_scattered_is_plain(&d)) return xg_scattered_given(&d, selected, zero);
    return d.many ? xg_scattered_reduce(&d, selected, none, zero) : xg_scattered_straight(&d, selected, none, zero);
}
XG_FN bool xg_expand_select_and_scatter_expander(xg_module *m) {
    return xg_opt_expand_made(m, xg_scattered_matches, xg_scattered_expand, XG_SELECT_AND_SCATTER);
}

#endif /* XG_EXPAND_SELECT_AND_SCATTER_EXPANDER_C */
