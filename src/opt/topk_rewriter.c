/* opt/topk_rewriter.c -- TopkRewriter: a sort of which only the first elements of each row are taken, with their
 * places, is a topk.
 *
 *     slice(sort(x, iota), 0:k)  ==>  topk(x, k)
 *
 * The comparator has to be a comparison of x with itself, less or greater. topk takes the total order and keeps equal
 * elements in their order, as a stable sort does. So the comparison has to be total (integers, or floats with
 * type=TOTALORDER), or the sort must not be a stable one: then the zeros, which a partial comparison takes for equal,
 * may stand in any order, and where NaN goes is not defined by such a sort. A sort of values alone stays: it needs no
 * places beside them, and writes what is sliced off it.
 *
 * The custom call "TopK" of older exporters, the largest first, becomes the instruction; "ApproxTopK" and
 * "PartialReduce" become sorts, and these what they can. */
#ifndef XG_OPT_TOPK_REWRITER_C
#define XG_OPT_TOPK_REWRITER_C
#include "../eval/eval.h"
#include "opt.h"

typedef struct xg_topk {
    xg_inst *sort;
    uint32_t dim, which;
    int64_t length, k;
    bool largest;
} xg_topk; /* which: the operand that is compared */

XG_APART XG_FN bool xg_topk_read_comparator(xg_topk *t) {
    const xg_comp *c = xg_attr_to_apply(t->sort);
    const xg_inst *root = c->root, *x, *y;
    xg_str direction;
    int class_of;
    bool swapped;
    if (root->op != XG_COMPARE) return false;
    direction = xg_attr_str(root, XG_A_direction);
    x = XG_OPERAND(root, 0);
    y = XG_OPERAND(root, 1);
    if (xg_word_in("LT GT", direction) < 0 || x->op != XG_PARAMETER || y->op != XG_PARAMETER ||
        x->number / 2 != y->number / 2 || x == y)
        return false;
    class_of = xg_type_class(x->shape->type);
    if (class_of != XGT_I && class_of != XGT_F) return false;
    if (class_of == XGT_F && !xg_attr_is(root, XG_A_type, "TOTALORDER") && xg_attr_or_0(t->sort, XG_A_is_stable))
        return false;
    swapped = x->number > y->number;
    t->which = (uint32_t)(x->number / 2);
    t->largest = xg_str_is(direction, "GT") != swapped;
    return true;
}
/* Only the beginnings of rows are taken. */
XG_FN bool xg_topk_take(xg_topk *t, const xg_inst *array) {
    if (array == array->comp->root) return false;
    XG_FOR_USES(u, array) {
        const xg_slice_dim *d;
        if (u->user->op != XG_SLICE) return false;
        d = &xg_inst_attr(u->user, XG_A_slice)->v.slices->p[t->dim];
        t->k = XG_MAX(t->k, d->limit);
    }
    return true;
}
XG_FN bool xg_topk_is_iota(const xg_inst *x, uint32_t dim) {
    uint32_t own = dim;
    if (x->op == XG_BROADCAST) {
        xg_ints at = xg_attr_dims(x);
        for (own = 0; own < at.n && at.p[own] != (int64_t)dim; own++) {}
        if (own == at.n) return false;
        x = XG_OPERAND(x, 0);
    }
    return x->op == XG_IOTA && xg_attr_or_0(x, XG_A_iota_dimension) == (int64_t)own &&
           xg_type_class(x->shape->type) == XGT_I && xg_type_bits(x->shape->type) >= 32;
}
XG_APART XG_FN bool xg_topk_read(xg_topk *t, xg_inst *i) {
    const xg_shape *s;
    bool places = false;
    memset(t, 0, sizeof *t);
    t->sort = i;
    if (i->op != XG_SORT || i->n_operands < 2 || i == i->comp->root || xg_inst_order(i) ||
        xg_inst_attr(i, XG_A_backend_config))
        return false;
    s = XG_OPERAND(i, 0)->shape;
    t->dim = (uint32_t)xg_attr_dims(i).p[0];
    t->length = s->dims[t->dim];
    if (s->dynamic || t->dim + 1 != s->rank || t->length > INT32_MAX || s->elements == 0 || !xg_topk_read_comparator(t))
        return false;
    XG_FOR_USES(u, i) {
        uint32_t k;
        if (u->user->op != XG_GET_TUPLE_ELEMENT || !xg_topk_take(t, u->user)) return false;
        k = (uint32_t)xg_attr_index(u->user);
        if (k == t->which || !u->user->first_use) continue;
        if (!xg_topk_is_iota(XG_OPERAND(i, k), t->dim)) return false;
        places = true;
    }
    return places && 2 * t->k <= t->length;
}

XG_FN xg_inst *xg_topk_make(const xg_hb *b, xg_inst *x, int64_t k, bool largest) {
    xg_inst *i = xg_hb_of(b, XG_TOPK, x->shape, x);
    xg_inst_set_int(i, XG_A_k, k);
    xg_inst_set_int(i, XG_A_largest, largest);
    return xg_hb_done(i);
}
/* In place of each slice of an output of the sort: the same slice of the first k. */
XG_FN void xg_topk_give(xg_inst *array, xg_inst *few) {
    xg_use *u, *next;
    for (u = array->first_use; u; u = next) {
        xg_inst *slice = u->user;
        xg_hb b = xg_hb_at(slice);
        next = u->next;
        xg_opt_replace(slice, xg_hb_slice(&b, few, xg_inst_attr(slice, XG_A_slice)->v.slices->p));
        xg_inst_remove(slice);
    }
}
XG_APART XG_FN bool xg_topk_rewrite(xg_inst *i) {
    xg_topk t;
    xg_hb b;
    xg_inst *top;
    xg_use *u, *next;
    if (!xg_topk_read(&t, i)) return false;
    b = xg_hb_at(i);
    top = xg_topk_make(&b, XG_OPERAND(i, t.which), t.k, t.largest);
    for (u = i->first_use; u; u = next) {
        xg_inst *element = u->user;
        uint32_t k = (uint32_t)xg_attr_index(element);
        next = u->next;
        if (element->first_use)
            xg_topk_give(element, k == t.which
                                      ? xg_hb_element(&b, top, 0)
                                      : xg_hb_convert(&b, xg_hb_element(&b, top, 1), XG_OPERAND(i, k)->shape->type));
        xg_inst_remove(element);
    }
    xg_inst_remove(i);
    return true;
}
XG_FN bool xg_opt_topk_rewriter(xg_module *m) {
    bool changed = false;
    xg_comp *c;
    for (c = m->made[XG_SORT] && m->made[XG_SLICE] ? m->first : NULL; c; c = c->next) {
        XG_VEC(xg_inst *) sorts = {NULL, 0, 0}; /* the walk must not stand on what a rewrite removes */
        uint32_t k;
        XG_FOR_INSTS(i, c)
            if (i->op == XG_SORT) xg_push(m->work, xg_inst *, &sorts, i);
        for (k = 0; k < sorts.n; k++) changed = xg_topk_rewrite(sorts.p[k]) || changed;
    }
    return changed;
}

/* ---- the custom call ---- */

XG_FN bool xg_topk_is_call(const xg_inst *i) {
    const xg_attr *called;
    const xg_shape *s;
    uint32_t k;
    if (i->op != XG_CUSTOM_CALL || i->n_operands != 1 || i->shape->type != XLAGPU_TUPLE || i->shape->n_elems != 2)
        return false;
    if (!xg_attr_is(i, XG_A_custom_call_target, "TopK") && !xg_attr_is(i, XG_A_custom_call_target, "__gpu$TopK"))
        return false;
    called = xg_inst_attr(i, XG_A_called_computations);
    if (called && called->v.comps->n &&
        (called->v.comps->p[0]->root->op != XG_COMPARE ||
            !xg_attr_is(called->v.comps->p[0]->root, XG_A_direction, "GT")))
        return false;
    s = XG_OPERAND(i, 0)->shape;
    if (!xg_shape_is_array(s) || s->rank == 0 || s->dynamic ||
        (xg_type_class(s->type) != XGT_I && xg_type_class(s->type) != XGT_F))
        return false;
    if (i->shape->elems[0]->type != s->type || i->shape->elems[1]->type != XLAGPU_S32) return false;
    for (k = 0; k < 2; k++) {
        const xg_shape *e = i->shape->elems[k];
        if (e->rank != s->rank || e->dims[s->rank - 1] > s->dims[s->rank - 1] ||
            memcmp(e->dims, s->dims, (s->rank - 1) * sizeof *s->dims) != 0)
            return false;
    }
    return i->shape->elems[0]->dims[s->rank - 1] == i->shape->elems[1]->dims[s->rank - 1];
}
XG_FN xg_inst *xg_topk_expand_call(const xg_hb *b, xg_inst *i) {
    const xg_shape *s = i->shape->elems[0];
    xg_inst *top = xg_topk_make(b, XG_OPERAND(i, 0), s->dims[s->rank - 1], true), *out[2];
    out[0] = xg_hb_element(b, top, 0);
    out[1] = xg_hb_element(b, top, 1);
    return xg_hb_tuple(b, out, 2);
}

/* ApproxTopK and PartialReduce: the best few by a comparator, or almost: all that is asked for are the first of a
 * sort. */
XG_FN bool xg_topk_is_approximate(const xg_inst *i) {
    const xg_comp *comparator;
    if (i->op != XG_CUSTOM_CALL || (!xg_attr_is(i, XG_A_custom_call_target, "ApproxTopK") &&
                                       !xg_attr_is(i, XG_A_custom_call_target, "PartialReduce")))
        return false;
    return xg_call_best_dim(i, &comparator) >= 0;
}
XG_FN xg_inst *xg_topk_expand_approximate(const xg_hb *b, xg_inst *i) {
    xg_module *m = i->comp->module;
    uint32_t n = i->n_operands / 2, k;
    const xg_comp *comparator;
    int64_t dim = xg_call_best_dim(i, &comparator);
    xg_inst **in = XG_NEW_N(m->work, xg_inst *, n), **out = XG_NEW_N(m->work, xg_inst *, n), *sort;
    for (k = 0; k < n; k++) in[k] = XG_OPERAND(i, k);
    sort = xg_hb_op(b, XG_SORT, xg_shape_tuple(m, NULL, 0), in, n);
    xg_inst_set_one(sort, XG_A_dimensions, dim);
    xg_inst_set_comp(sort, XG_A_to_apply, (xg_comp *)(uintptr_t)comparator);
    (void)xg_hb_done(sort);
    for (k = 0; k < n; k++) {
        xg_inst *x = n == 1 ? sort : xg_hb_element(b, sort, k);
        out[k] = xg_hb_slice_dim(b, x, (uint32_t)dim, 0, i->shape->elems[k]->dims[dim]);
    }
    return xg_hb_tuple(b, out, n);
}
XG_FN bool xg_opt_topk_calls(xg_module *m) {
    bool changed = m->made[XG_CUSTOM_CALL] && xg_opt_expand(m, xg_topk_is_call, xg_topk_expand_call);
    return (m->made[XG_CUSTOM_CALL] && xg_opt_expand(m, xg_topk_is_approximate, xg_topk_expand_approximate)) || changed;
}

/* ---- the order of topk ---- */

/* (value, value, index, index) -> the first goes before the second, by the total order of values. */
XG_FN xg_comp *xg_topk_comparator(const xg_inst *topk, xlagpu_type t, xg_comp *before) {
    xg_module *m = topk->comp->module;
    xg_comp *c = xg_comp_new(m, XG_STR("compare_topk"), before);
    xg_hb b = xg_hb_end(c, topk);
    uint32_t k;
    c->n_params = 4;
    c->params = XG_NEW_N(m->arena, xg_inst *, 5);
    for (k = 0; k < 4; k++) {
        c->params[k] = xg_hb_op(&b, XG_PARAMETER, xg_shape_scalar(m, k < 2 ? t : XLAGPU_S32), NULL, 0);
        c->params[k]->number = k;
    }
    c->root = xg_hb_compare(&b, xg_attr_or_1(topk, XG_A_largest) ? "GT" : "LT", c->params[0], c->params[1]);
    if (xg_type_class(t) == XGT_F) xg_inst_set_text(c->root, XG_A_type, "TOTALORDER");
    return c;
}
#endif /* XG_OPT_TOPK_REWRITER_C */
