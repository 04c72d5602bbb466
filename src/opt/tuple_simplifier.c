/* opt/tuple_simplifier.c -- TupleSimplifier: kernels see arrays.
 *
 *   get-tuple-element(tuple(a, b), index=k)                     the k-th operand
 *   tuple(gte(t, 0), gte(t, 1), ...) of all elements of t       t, unless it is the root: that one keeps saying what
 *                                                               the parts are
 *   constant((1, 2))                                            tuple(constant(1), constant(2)), and so on inside
 *   reduce(x, init) that gives a tuple of one array             tuple(reduce(x, init)); so reduce-window
 *   copy(t)                                                     t: only a change of layouts copies an element
 *   get-tuple-element(domain(t)), (add-dependency(t, token))    the same of t
 *   get-tuple-element(opt-barrier(tuple(..)))                   stays: the barrier holds values back; elements that
 *                                                               nothing takes leave it */
#ifndef XG_OPT_TUPLE_SIMPLIFIER_C
#define XG_OPT_TUPLE_SIMPLIFIER_C
#include "opt.h"

/* The tuple that the instruction puts together again, or NULL. */
XG_FN xg_inst *xg_tuple_whole(const xg_inst *i) {
    xg_inst *of = NULL;
    uint32_t k;
    for (k = 0; k < i->n_operands; k++) {
        const xg_inst *e = XG_OPERAND(i, k);
        if (e->op != XG_GET_TUPLE_ELEMENT || xg_attr_index(e) != (int64_t)k || (of && XG_OPERAND(e, 0) != of))
            return NULL;
        of = XG_OPERAND(e, 0);
    }
    return of && of->shape == i->shape ? of : NULL;
}

/* A barrier over a tuple of which only some elements are taken. */
XG_FN bool xg_tuple_shrink_barrier(xg_inst *barrier) {
    xg_inst *tuple = XG_OPERAND(barrier, 0), **kept;
    xg_hb b = xg_hb_at(barrier);
    xg_module *m = barrier->comp->module;
    uint32_t n = tuple->n_operands, k, n_kept = 0;
    unsigned char *taken;
    int64_t *place;
    if (tuple->op != XG_TUPLE) return false;
    taken = XG_NEW_N(m->arena, unsigned char, n + 1);
    if (!xg_opt_taken_elements(barrier, taken)) return false;
    kept = XG_NEW_N(m->arena, xg_inst *, n + 1);
    place = XG_NEW_N(m->arena, int64_t, n + 1);
    for (k = 0; k < n; k++)
        if (taken[k]) {
            place[k] = n_kept;
            kept[n_kept++] = XG_OPERAND(tuple, k);
        }
    if (n_kept == n || n_kept == 0) return false;
    xg_inst_set_operand(barrier, 0, xg_hb_tuple(&b, kept, n_kept));
    barrier->shape = XG_OPERAND(barrier, 0)->shape;
    XG_FOR_USES(u, barrier) xg_inst_set_int(u->user, XG_A_index, place[xg_attr_index(u->user)]);
    return true;
}

XG_FN xg_inst *xg_tuple_of_constants(const xg_hb *b, const xg_literal *l) {
    xg_inst **parts;
    uint32_t k;
    if (l->shape->type != XLAGPU_TUPLE) return xg_hb_literal(b, l);
    parts = XG_NEW_N(b->comp->module->work, xg_inst *, l->shape->n_elems);
    for (k = 0; k < l->shape->n_elems; k++) parts[k] = xg_tuple_of_constants(b, l->elems[k]);
    return xg_hb_tuple(b, parts, l->shape->n_elems);
}
/* A reducer whose root is a tuple of one scalar makes a tuple of one array: the same without tuples, in a tuple. */
XG_FN xg_inst *xg_tuple_of_one(xg_inst *i) {
    const xg_comp *reducer = xg_attr_to_apply(i);
    xg_comp *bare = xg_opt_clone_comp(reducer, i->comp);
    xg_hb b = xg_hb_at(i), end = xg_hb_end(bare, bare->root);
    xg_inst *in[2], *made, *was = bare->root;
    bare->root = was->op == XG_TUPLE ? XG_OPERAND(was, 0) : xg_hb_element(&end, was, 0);
    if (!was->first_use) xg_inst_remove(was);
    in[0] = XG_OPERAND(i, 0);
    in[1] = XG_OPERAND(i, 1);
    made = xg_hb_op(&b, i->op, i->shape->elems[0], in, 2);
    xg_inst_take_attrs(made, i);
    xg_inst_set_comp(made, XG_A_to_apply, bare);
    return xg_hb_tuple(&b, &made, 1);
}

XG_FN xg_inst *xg_tuple_simpler(xg_inst *i) {
    xg_inst *of;
    if ((i->op == XG_REDUCE || i->op == XG_REDUCE_WINDOW) && i->n_operands == 2 && i->shape->type == XLAGPU_TUPLE)
        return xg_tuple_of_one(i);
    if (i->op == XG_CONSTANT && i->shape->type == XLAGPU_TUPLE) {
        xg_hb b = xg_hb_at(i);
        return xg_tuple_of_constants(&b, i->literal);
    }
    if (i->op == XG_COPY && i->shape->type == XLAGPU_TUPLE) {
        xg_hb b = xg_hb_at(i);
        return xg_hb_as(&b, XG_OPERAND(i, 0), i->shape);
    }
    if (i->op == XG_TUPLE) return i == i->comp->root ? NULL : xg_tuple_whole(i);
    if (i->op != XG_GET_TUPLE_ELEMENT) return NULL;
    XG_PREFETCH((const char *)i->operands + 512); /* those of a few instructions on */
    of = XG_OPERAND(i, 0);
    if (of->op == XG_TUPLE) return XG_OPERAND(of, xg_attr_index(i));
    if (of->op == XG_DOMAIN || of->op == XG_ADD_DEPENDENCY)
        while (of->op == XG_DOMAIN || of->op == XG_ADD_DEPENDENCY) of = XG_OPERAND(of, 0);
    if (of != XG_OPERAND(i, 0) && of->op == XG_TUPLE) return XG_OPERAND(of, xg_attr_index(i));
    return NULL;
}

/* Operands come first, so chains fold in one walk. */
XG_FN bool xg_opt_tuple_simplifier(xg_module *m) {
    bool changed = false;
    xg_comp *c;
    for (c = m->made_tuple ? m->first : NULL; c; c = xg_comp_behind(c)) {
        xg_inst *i = c->first, *next;
        for (; i; i = next) {
            xg_inst *simpler = xg_tuple_simpler(i);
            next = xg_inst_behind(i);
            if (simpler) {
                xg_hb b = xg_hb_at(i);
                xg_opt_replace(i, xg_hb_as_dynamic(&b, simpler, i->shape));
                if (i->first_use || i == c->root) continue;
                xg_inst_remove(i);
                changed = true;
            } else if (i->op == XG_OPT_BARRIER) {
                changed = xg_tuple_shrink_barrier(i) || changed;
                next = xg_inst_behind(i); /* its elements may have stood there, and are gone */
            }
        }
    }
    return changed;
}

#endif /* XG_OPT_TUPLE_SIMPLIFIER_C */
