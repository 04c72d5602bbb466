/* opt/defuser.c -- fusions that only XLA's own kernel generators know, and bitcasts that change the type of elements.
 *
 * A module that XLA has optimised for its libraries says kind=kCustom where Triton, or a library, was to make the
 * kernel. Such a fusion does not say how it is computed well (softmax behind a dot, several reductions over one row),
 * so it is taken apart, and with it all others: they were cut around it. The order of a schedule and the control edges
 * that kept it go, too: values do not change, so that only effects need an order. Fusions of a module without kCustom
 * stay as they were written, but for results that are tuples within a tuple: they give one flat tuple. */
#ifndef XG_OPT_DEFUSER_C
#define XG_OPT_DEFUSER_C
#include "opt.h"

XG_FN bool xg_defuse_is_foreign(const xg_inst *i) { return i->op == XG_FUSION && xg_attr_is(i, XG_A_kind, "kCustom"); }

XG_FN void xg_defuse_forget_order(xg_module *m) {
    xg_comp *c;
    m->is_scheduled = false;
    for (c = m->first; c; c = c->next)
        XG_FOR_INSTS(i, c) {
            const xg_attr *a = xg_inst_order(i);
            bool effects = (xg_op_flags(i->op) & (XGF_EFFECT | XGF_COLL)) != 0;
            uint32_t k;
            for (k = 0; a && !effects && k < a->v.insts->n; k++)
                effects = (xg_op_flags(a->v.insts->p[k]->op) & (XGF_EFFECT | XGF_COLL)) != 0;
            if (a && !effects) xg_inst_remove_attr(i, XG_A_control_predecessors);
        }
}
XG_FN void xg_defuse_all(xg_module *m) {
    xg_comp *c;
    /* computations stand before those that use them, so nothing nested is left inside */
    for (c = m->first; c; c = c->next) {
        xg_inst *i = c->first, *next;
        for (; i; i = next) {
            next = xg_inst_behind(i);
            if (i->op == XG_FUSION) xg_opt_unfuse(i);
        }
    }
}

/* ---- tuples within the tuple of a fusion's results: a reduce of several values beside others ---- */

XG_FN bool xg_defuse_is_nested(const xg_shape *s) {
    uint32_t k;
    if (s->type != XLAGPU_TUPLE) return false;
    for (k = 0; k < s->n_elems && s->elems[k]->type != XLAGPU_TUPLE; k++) {}
    return k < s->n_elems;
}
XG_FN uint32_t xg_defuse_leaves(const xg_shape *s) {
    uint32_t n = 0, k;
    if (s->type != XLAGPU_TUPLE) return 1;
    for (k = 0; k < s->n_elems; k++) n += xg_defuse_leaves(s->elems[k]);
    return n;
}
XG_FN void xg_defuse_take_leaves(const xg_hb *b, xg_inst *x, xg_inst **out, uint32_t *n) {
    uint32_t k;
    if (x->shape->type != XLAGPU_TUPLE) {
        out[(*n)++] = x;
        return;
    }
    for (k = 0; k < x->shape->n_elems; k++) xg_defuse_take_leaves(b, xg_hb_element(b, x, k), out, n);
}
XG_FN xg_inst *xg_defuse_nest(const xg_hb *b, xg_inst *flat, const xg_shape *s, uint32_t *n) {
    xg_inst **all;
    uint32_t k;
    if (s->type != XLAGPU_TUPLE) return xg_hb_element(b, flat, (*n)++);
    all = XG_NEW_N(b->comp->module->arena, xg_inst *, s->n_elems + (size_t)1);
    for (k = 0; k < s->n_elems; k++) all[k] = xg_defuse_nest(b, flat, s->elems[k], n);
    return xg_hb_tuple(b, all, s->n_elems);
}
/* Tuples that nothing takes apart any more. */
XG_FN void xg_defuse_drop_tuple(xg_inst *i) {
    xg_inst **in = XG_NEW_N(i->comp->module->arena, xg_inst *, i->n_operands + (size_t)1);
    uint32_t n = i->n_operands, k;
    if (i->op != XG_TUPLE || i->first_use || i == i->comp->root) return;
    for (k = 0; k < n; k++) in[k] = XG_OPERAND(i, k);
    xg_inst_remove(i);
    for (k = 0; k < n; k++)
        if (in[k]->op == XG_TUPLE) xg_defuse_drop_tuple(in[k]);
}
XG_APART XG_FN void xg_defuse_flatten_results(xg_inst *i) {
    xg_module *m = i->comp->module;
    xg_comp *c = xg_attr_calls(i);
    xg_inst **in = XG_NEW_N(m->arena, xg_inst *, i->n_operands + xg_defuse_leaves(i->shape) + (size_t)1), *made;
    xg_hb b = xg_hb_at(i);
    uint32_t n = 0, k;
    if (xg_defuse_is_nested(c->root->shape)) { /* once for all that share it */
        xg_inst *was = c->root;
        xg_hb end = xg_hb_end(c, was);
        xg_defuse_take_leaves(&end, was, in, &n);
        c->root = xg_hb_tuple(&end, in, n);
        xg_defuse_drop_tuple(was);
    }
    for (k = 0; k < i->n_operands; k++) in[k] = XG_OPERAND(i, k);
    made = xg_inst_new(i->comp, XG_FUSION, c->root->shape, in, i->n_operands, i, i->name);
    xg_inst_take_attrs(made, i);
    n = 0;
    xg_inst_replace(i, xg_defuse_nest(&b, made, i->shape, &n));
    xg_inst_remove(i);
}

XG_FN bool xg_opt_defuser(xg_module *m) {
    bool foreign = false, nested = false;
    xg_comp *c;
    for (c = m->made[XG_FUSION] ? m->first : NULL; c; c = c->next)
        XG_FOR_INSTS(i, c) {
            foreign = foreign || xg_defuse_is_foreign(i);
            nested = nested || (i->op == XG_FUSION && xg_defuse_is_nested(i->shape));
        }
    if (foreign) {
        xg_defuse_all(m);
        xg_defuse_forget_order(m);
        return true;
    }
    for (c = nested ? m->first : NULL; c; c = c->next) {
        xg_inst *i = c->first, *next;
        for (; i; i = next) {
            next = i->next;
            if (i->op == XG_FUSION && xg_defuse_is_nested(i->shape)) xg_defuse_flatten_results(i);
        }
    }
    return nested;
}

/* ---- bitcasts of types ---- */

XG_FN bool xg_bitcast_changes_type(const xg_inst *i) {
    const xg_shape *s, *t = i->shape;
    if (i->op != XG_BITCAST) return false;
    s = XG_OPERAND(i, 0)->shape;
    if (!xg_shape_is_array(s) || !xg_shape_is_array(t) || s->dynamic || t->dynamic || s->type == t->type ||
        !s->elements || (xg_type_class(s->type) == XGT_C) != (xg_type_class(t->type) == XGT_C))
        return false;
    return s->elements * xg_type_bits(s->type) == t->elements * xg_type_bits(t->type);
}
/* In the order of memory: elements in a row, each taken as several or several as one, and the result's dimensions. */
XG_FN xg_inst *xg_bitcast_expand(const xg_hb *b, xg_inst *i) {
    xg_inst *x = XG_OPERAND(i, 0);
    int from = xg_type_bits(x->shape->type), to = xg_type_bits(i->shape->type);
    int64_t dims[2];
    dims[0] = XG_MIN(x->shape->elements, i->shape->elements);
    dims[1] = from < to ? to / from : from / to;
    if (from == to && xg_shape_same_dims(x->shape, i->shape) &&
        xg_shape_with_layout(b->comp->module, x->shape, i->shape->layout) == x->shape) {
        x = xg_hb_of(b, XG_BITCAST_CONVERT, i->shape, x);
        return x;
    }
    x = xg_hb_of(b, XG_BITCAST, xg_hb_shape(b, x->shape->type, dims, from < to ? 2 : 1), x);
    x = xg_hb_of(b, XG_BITCAST_CONVERT, xg_hb_shape(b, i->shape->type, dims, from > to ? 2 : 1), x);
    return xg_hb_of(b, XG_BITCAST, i->shape, x);
}
XG_FN bool xg_opt_bitcast_types(xg_module *m) {
    return xg_opt_expand_made(m, xg_bitcast_changes_type, xg_bitcast_expand, XG_BITCAST);
}

#endif /* XG_OPT_DEFUSER_C */
