/* fuse/combine_operands.c -- a fusion that reads several arrays only to combine them element by element gets the
 * combination from the fusion that makes one of them.
 *
 * When x and f(x) lie in memory and a product of matrices reads x * f(x), the multiplication moves to where f(x) is
 * made: one array is written and read in place of two, and nothing is computed again. Fusion itself does not see this:
 * it moves whole kernels, and a multiplication goes into its reader before f, which is dearer, can go into it.
 *
 * Laws: the reader uses the arrays for nothing else; the one in whose place the result comes has no other reader, and
 * ends in an elementwise operation; its fusion has the other arrays already, as outputs or as operands, or gets them as
 * operands: those that were made before it and that only the reader reads. So no array lives longer but for operands
 * that it had, by no step more than the fusion itself, and what it gets is free from then on. */
#ifndef XG_FUSE_COMBINE_OPERANDS_C
#define XG_FUSE_COMBINE_OPERANDS_C
#include "fuse.h"

enum {
    XG_COMBINE_OPERANDS_MAX = 4
}; /* of an elementwise operation */

typedef struct xg_combine {
    xg_inst *reader, *inner; /* a fusion, and the operation inside it */
    /* by operand of the operation: the reader's parameter behind it, or NULL: a constant */
    xg_inst *params[XG_COMBINE_OPERANDS_MAX];
    xg_inst *value, *maker; /* what the result takes the place of, and the fusion that makes it */
    int64_t leaf;           /* which of its outputs */
} xg_combine;

/* ---- what it reads ---- */

XG_FN bool xg_combine_is_splat(const xg_inst *i) {
    if (i->op == XG_BROADCAST) i = XG_OPERAND(i, 0);
    return i->op == XG_CONSTANT && i->shape->rank == 0;
}
/* The parameter that the operand is another name of, each name with one use. */
XG_FN xg_inst *xg_combine_param(xg_inst *operand, const xg_inst *user) {
    xg_inst *i = operand;
    for (;;) {
        XG_FOR_USES(u, i)
            if (u->user != user) return NULL;
        if (i == i->comp->root || i->op == XG_PARAMETER) break;
        if (!xg_in_place_renames(i)) return NULL;
        user = i;
        i = XG_OPERAND(i, 0);
    }
    return i->op == XG_PARAMETER && i != i->comp->root && xg_shape_is_array(i->shape) ? i : NULL;
}
/* How many parameters the operation is alone in using; 0: it reads something else as well. */
XG_FN uint32_t xg_combine_reads(xg_combine *w) {
    const xg_inst *i = w->inner;
    uint32_t k, j, n = 0;
    if (i == i->comp->root || !(xg_op_flags(i->op) & XGF_EW) || !xg_shape_is_array(i->shape) ||
        i->n_operands > XG_COMBINE_OPERANDS_MAX || xg_inst_order(i))
        return 0;
    XG_FOR_USES(u, i)
        if (u->user->op == XG_TUPLE) return 0;
    for (k = 0; k < i->n_operands; k++) {
        xg_inst *o = XG_OPERAND(i, k);
        w->params[k] = xg_combine_is_splat(o) ? NULL : xg_combine_param(o, i);
        if (!w->params[k]) {
            if (xg_combine_is_splat(o)) continue;
            return 0;
        }
        if (w->params[k]->shape->elements != i->shape->elements) return 0;
        for (j = 0; j < k && w->params[j] != w->params[k]; j++) {}
        n += j == k;
    }
    return n;
}

/* ---- its producer ---- */

XG_FN xg_inst *xg_combine_maker_of(xg_inst *value, int64_t *leaf) {
    xg_inst *maker = value->op == XG_GET_TUPLE_ELEMENT ? XG_OPERAND(value, 0) : value;
    *leaf = maker == value ? 0 : xg_attr_index(value);
    return maker->op == XG_FUSION && (maker == value) == xg_shape_is_array(maker->shape) ? maker : NULL;
}
/* The value as the maker's computation knows it: one of its roots, or a parameter. */
XG_FN xg_inst *xg_combine_inside(const xg_inst *maker, xg_inst *value) {
    const xg_comp *c = xg_attr_calls(maker);
    int64_t leaf;
    uint32_t k;
    if (xg_combine_maker_of(value, &leaf) == maker) return xg_fuse_leaf(c, (uint32_t)leaf);
    for (k = 0; k < maker->n_operands; k++)
        if (XG_OPERAND(maker, k) == value) return c->params[k];
    return NULL;
}
XG_FN xg_inst *xg_combine_value(const xg_combine *w, uint32_t k) { return XG_OPERAND(w->reader, w->params[k]->number); }

/* Its place in the computation, if fusions may get operands. */
XG_FN uintptr_t xg_combine_place(const xg_inst *i) { return (uintptr_t)i->scratch; }
/* An array that the maker does not have: may it read it, so that the reader needs it no more? */
XG_FN bool xg_combine_may_get(const xg_combine *w, const xg_inst *value) {
    const xg_inst *from = value->op == XG_GET_TUPLE_ELEMENT ? XG_OPERAND(value, 0) : value;
    if (value->op == XG_PARAMETER || value->op == XG_CONSTANT || value == value->comp->root ||
        !xg_shape_is_array(value->shape))
        return false;
    XG_FOR_USES(u, value)
        if (u->user != w->reader) return false;
    return xg_combine_place(from) < xg_combine_place(w->maker) &&
           w->maker->n_operands + (uint64_t)xg_shape_leaves(w->maker->shape) + XG_COMBINE_OPERANDS_MAX <
               XG_FUSE_BUFFERS_MAX;
}

XG_FN bool xg_combine_fits(xg_combine *w, uint32_t k) {
    const xg_inst *root;
    uint32_t j;
    w->value = xg_combine_value(w, k);
    w->maker = xg_combine_maker_of(w->value, &w->leaf);
    if (!w->maker || w->value == w->value->comp->root || xg_inst_attr(w->maker, XG_A_output_to_operand_aliasing) ||
        xg_inst_order(w->maker))
        return false;
    XG_FOR_USES(u, w->value)
        if (u->user != w->reader || XG_USE_INDEX(u) != (uint32_t)w->params[k]->number) return false;
    if (w->maker != w->value)
        XG_FOR_USES(u, w->maker)
            if (u->user->op != XG_GET_TUPLE_ELEMENT || (u->user != w->value && xg_attr_index(u->user) == w->leaf))
                return false;
    root = xg_fuse_leaf(xg_attr_calls(w->maker), (uint32_t)w->leaf);
    if (!root || !(xg_op_flags(root->op) & XGF_EW)) return false;
    for (j = 0; j < w->inner->n_operands; j++)
        if (w->params[j] && !xg_combine_inside(w->maker, xg_combine_value(w, j)) &&
            !xg_combine_may_get(w, xg_combine_value(w, j)))
            return false;
    return true;
}

/* ---- moving it ---- */

/* A maker that has the array as an operand, too, in place of the one that has not. */
XG_APART XG_FN void xg_combine_get(xg_combine *w, xg_inst *value) {
    xg_inst *was = w->maker, **operands = XG_NEW_N(was->comp->module->arena, xg_inst *, (size_t)was->n_operands + 1),
            *made;
    uint32_t k;
    for (k = 0; k < was->n_operands; k++) operands[k] = XG_OPERAND(was, k);
    operands[k] = value;
    if (xg_combine_place(value) > xg_combine_place(was))
        xg_inst_move_before(value, was); /* a name of what stands there */
    (void)xg_comp_add_param(xg_attr_calls(was), value->shape, XG_STR("param"));
    made = xg_inst_new(was->comp, XG_FUSION, was->shape, operands, k + 1, was, was->name);
    xg_inst_take_attrs(made, was);
    made->scratch = was->scratch;
    if (w->value == was) w->value = made;
    w->maker = made;
    xg_inst_replace(was, made);
    xg_inst_remove(was);
}

XG_APART XG_FN xg_inst *xg_combine_operand(const xg_combine *w, const xg_hb *b, uint32_t k) {
    xg_inst *o = XG_OPERAND(w->inner, k), *there, *scalar;
    if (!w->params[k]) {
        if (o->op == XG_CONSTANT) return xg_inst_clone(o, b->comp, NULL, b->before);
        scalar = xg_inst_clone(XG_OPERAND(o, 0), b->comp, NULL, b->before);
        return xg_inst_clone(o, b->comp, &scalar, b->before);
    }
    there = xg_combine_inside(w->maker, xg_combine_value(w, k));
    return there->shape == o->shape ? there : xg_hb_of(b, XG_BITCAST, o->shape, there);
}
/* With the constants and the names of parameters that only it used. */
XG_FN void xg_combine_remove(xg_inst *i) {
    xg_inst *operands[XG_COMBINE_OPERANDS_MAX] = {NULL, NULL, NULL, NULL}, *o, *next;
    uint32_t k, j, n = i->n_operands;
    for (k = 0; k < n; k++) operands[k] = XG_OPERAND(i, k);
    xg_inst_remove(i);
    for (k = 0; k < n; k++) {
        for (j = 0; j < k && operands[j] != operands[k]; j++) {}
        for (o = j < k ? NULL : operands[k]; o && !o->first_use && (xg_in_place_renames(o) || xg_combine_is_splat(o));
             o = next) {
            next = o->n_operands ? XG_OPERAND(o, 0) : NULL;
            xg_inst_remove(o);
        }
    }
}
XG_APART XG_FN void xg_combine_move(xg_combine *w) {
    xg_comp *c = xg_attr_calls(w->maker);
    bool several = w->maker != w->value;
    xg_inst *operands[XG_COMBINE_OPERANDS_MAX] = {NULL, NULL, NULL, NULL}, *made, *param = NULL;
    xg_hb b = xg_hb_end(c, w->inner);
    uint32_t k;
    for (k = 0; k < w->inner->n_operands; k++)
        if (w->params[k] && !xg_combine_inside(w->maker, xg_combine_value(w, k)))
            xg_combine_get(w, xg_combine_value(w, k));
    if (several) b.before = c->root;
    for (k = 0; k < w->inner->n_operands; k++) operands[k] = xg_combine_operand(w, &b, k);
    made = xg_inst_clone(w->inner, c, operands, b.before);
    if (!several) {
        c->root = made;
        w->maker->shape = made->shape;
    } else {
        const xg_shape **shapes = XG_NEW_N(c->module->arena, const xg_shape *, (size_t)c->root->n_operands + 1);
        xg_inst_set_operand(c->root, (uint32_t)w->leaf, made);
        for (k = 0; k < c->root->n_operands; k++) shapes[k] = XG_OPERAND(c->root, k)->shape;
        c->root->shape = w->maker->shape = xg_shape_tuple(c->module, shapes, c->root->n_operands);
        w->value->shape = made->shape;
    }
    for (k = 0; k < w->inner->n_operands; k++)
        if (w->params[k] && xg_combine_value(w, k) == w->value) param = w->params[k];
    xg_inst_replace(w->inner, param);
    xg_combine_remove(w->inner);
    param->shape = made->shape;
}

/* ---- the pass ---- */

/* Does it read what a fusion makes for it alone? Else xg_combine_fits refuses all that is in it. */
XG_FN bool xg_combine_is_given(const xg_inst *reader) {
    int64_t leaf;
    uint32_t k;
    for (k = 0; k < reader->n_operands; k++) {
        xg_inst *value = XG_OPERAND(reader, k);
        const xg_use *u = value->first_use;
        if (!xg_combine_maker_of(value, &leaf)) continue;
        while (u && u->user == reader) u = u->next;
        if (!u) return true;
    }
    return false;
}
XG_FN bool xg_combine_reader(xg_inst *reader) {
    xg_comp *c = xg_attr_calls(reader);
    xg_inst *i, *next;
    bool changed = false;
    uint32_t k;
    if (c->n_params != reader->n_operands || xg_inst_attr(reader, XG_A_output_to_operand_aliasing)) return false;
    for (i = c->first; i; i = next) {
        xg_combine w;
        next = xg_inst_behind(i);
        memset(&w, 0, sizeof w);
        w.reader = reader;
        w.inner = i;
        if (xg_combine_reads(&w) < 2) continue;
        for (k = 0; k < i->n_operands && !(w.params[k] && xg_combine_fits(&w, k)); k++) {}
        if (k == i->n_operands) continue;
        xg_combine_move(&w);
        changed = true;
    }
    if (changed) (void)xg_dce_fusion_params(reader);
    return changed;
}
/* Numbers the instructions by place, unless an order is given that may name a fusion that would be made anew; and lists
 * the fusions, before any of them changes. */
XG_FN bool xg_combine_comp(xg_comp *c) {
    XG_VEC(xg_inst *) fusions = {NULL, 0, 0};
    bool changed = false, ordered = false, any = false; /* does any read what another one makes? */
    uintptr_t place = 0;
    int64_t leaf;
    uint32_t k;
    XG_FOR_INSTS(i, c) {
        i->scratch = (void *)++place;
        if (i->op == XG_FUSION) xg_push(c->module->work, xg_inst *, &fusions, i);
        for (k = 0; !any && i->op == XG_FUSION && k < i->n_operands; k++)
            any = xg_combine_maker_of(XG_OPERAND(i, k), &leaf) != NULL;
        ordered = ordered || xg_inst_order(i);
    }
    if (ordered)
        XG_FOR_INSTS(i, c) i->scratch = NULL;
    for (k = 0; any && k < fusions.n; k++)
        changed = (xg_combine_is_given(fusions.p[k]) && xg_combine_reader(fusions.p[k])) || changed;
    return changed;
}
XG_FN bool xg_fuse_combine_operands(xg_module *m) {
    return m->made[XG_FUSION] && xg_opt_each_sequence(m, xg_combine_comp);
}

#endif /* XG_FUSE_COMBINE_OPERANDS_C */
