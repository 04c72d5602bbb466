/* opt/fusion_legalizer.c -- fusions that the module came with, as kernels can be made of them.
 * Needs: calls inlined.
 *
 * - A fusion is taken apart that no kernel can be: it takes or gives tuples or tokens, has dimensions of dynamic size,
 *   or holds an operation without elements (loops, effects, collectives, operations that other passes expand); and one
 *   inside of another fusion or of an applied computation; and one whose kernel would compute its instructions at so
 *   many places that code grows without bound: n halvings, each of which multiplies the two halves of what came before,
 *   read the first array at 2^n places. Taken apart, what is read often becomes an array in memory.
 * - The layout of a fusion's parameter is that of its operand, and the layout of its root that of its result. Where
 *   the text writes another one, only a bitcast inside sees the difference: it means the layout that is written where
 *   it stands, so a copy into that layout stands in front of the fusion, or behind it. So for each element of a root
 *   that is a tuple: the copy stands in front of the tuple. */
#ifndef XG_OPT_FUSION_LEGALIZER_C
#define XG_OPT_FUSION_LEGALIZER_C
#include "opt.h"

enum {
    XG_LEGAL_USES_LOOKED_AT = 64,
    XG_LEGAL_PLACES_MAX =
        8192 /* instructions times places, beyond one each: some ten lines of PTX each, so at most a megabyte */
};

XG_FN bool xg_legal_are_arrays(const xg_shape *s) {
    uint32_t k;
    if (s->type != XLAGPU_TUPLE) return xg_shape_is_array(s);
    for (k = 0; k < s->n_elems; k++)
        if (!xg_legal_are_arrays(s->elems[k])) return false;
    return true;
}
XG_FN bool xg_legal_inside(const xg_inst *i) {
    if (i->shape->dynamic) return false;
    if (i->op == XG_PARAMETER) return xg_shape_is_array(i->shape);
    return xg_op_has_elements(i->op) && xg_legal_are_arrays(i->shape);
}
/* It has been a kernel. */
XG_FN bool xg_legal_recorded(const xg_inst *i) {
    xg_str config = xg_config_object(i->comp->module->work, xg_attr_str(i, XG_A_backend_config));
    return xg_config_get(config, "xlagpu_kernel").n != 0;
}
XG_FN bool xg_legal_fusion(const xg_inst *i) {
    const xg_comp *c = xg_attr_calls(i);
    if (c->n_control) return xg_legal_recorded(i); /* a loop in one kernel (fuse/rounds.c) */
    XG_FOR_INSTS(x, c)
        if (!xg_legal_inside(x)) return false;
    return true;
}

/* At how many places an instruction's elements are computed for one element of the results. Elementwise users ask for
 * the element at their own place, so that those that share a place count once; any other user asks at a place of its
 * own for each of its places. */
typedef struct xg_legal_places {
    const xg_inst *same; /* the instruction whose places these are */
    uint64_t count;
} xg_legal_places;

XG_APART XG_FN bool xg_legal_asks_in_place(const xg_inst *user) {
    return (xg_op_flags(user->op) & XGF_EW) != 0 || user->op == XG_TUPLE ||
           ((user->op == XG_BITCAST_CONVERT || user->op == XG_BITCAST) &&
               xg_shape_same_dims(user->shape, XG_OPERAND(user, 0)->shape));
}
XG_FN bool xg_legal_asked_before(const xg_use *first, const xg_use *u) {
    const xg_inst *same = ((const xg_legal_places *)u->user->scratch)->same;
    for (; first != u; first = first->next)
        if (xg_legal_asks_in_place(first->user) && ((const xg_legal_places *)first->user->scratch)->same == same)
            return true;
    return false;
}
XG_APART XG_FN xg_legal_places xg_legal_places_of(const xg_inst *i) {
    xg_legal_places p;
    uint32_t groups = 0, uses = 0;
    p.same = i;
    p.count = 0;
    XG_FOR_USES(u, i) {
        const xg_legal_places *asks = (const xg_legal_places *)u->user->scratch;
        bool in_place = xg_legal_asks_in_place(u->user);
        if (++uses > XG_LEGAL_USES_LOOKED_AT) break; /* a lower bound will do */
        if (in_place && xg_legal_asked_before(i->first_use, u)) continue;
        p.count = XG_MIN(p.count + asks->count, (uint64_t)XG_LEGAL_PLACES_MAX + 1);
        p.same = in_place && !groups ? asks->same : i;
        groups++;
    }
    if (!groups) p.count = 1;
    return p;
}
/* A record says that the kernel is wanted as it is: so in a plan that is read back. */
XG_APART XG_FN bool xg_legal_grows(const xg_inst *fusion, xg_arena *work) {
    const xg_comp *c = xg_attr_calls(fusion);
    uint64_t all = 0, most = (uint64_t)XG_LEGAL_PLACES_MAX + c->n_insts;
    xg_inst *i;
    for (i = c->last; i && all <= most; i = i->prev) {
        xg_legal_places *p = XG_NEW(work, xg_legal_places);
        *p = xg_legal_places_of(i);
        i->scratch = p;
        all += i->op == XG_PARAMETER || i->op == XG_CONSTANT ? 0 : p->count;
    }
    return all > most && !xg_legal_recorded(fusion);
}

XG_FN bool xg_legal_settle_root(xg_inst *root) {
    xg_hb b = xg_hb_at(root);
    bool changed = false;
    uint32_t k;
    if (root->op != XG_TUPLE) return false;
    for (k = 0; k < root->n_operands; k++) {
        const xg_shape *want = root->shape->elems[k];
        xg_inst *x = XG_OPERAND(root, k);
        if (x->shape == want || x->shape->plain != want->plain) continue;
        xg_inst_set_operand(root, k, xg_hb_as(&b, x, want));
        changed = true;
    }
    return changed;
}
/* The shape of the root, in its own layouts, for a fusion that a copy follows. */
XG_FN bool xg_legal_settle_result(xg_inst *i) {
    const xg_shape *inside = xg_attr_calls(i)->root->shape, *outside = i->shape;
    xg_inst **in, *made;
    xg_hb b = xg_hb_at(i);
    uint32_t k;
    if (inside == outside || inside->plain != outside->plain) return false;
    in = XG_NEW_N(b.comp->module->arena, xg_inst *, i->n_operands + (size_t)1);
    for (k = 0; k < i->n_operands; k++) in[k] = XG_OPERAND(i, k);
    made = xg_inst_new(i->comp, XG_FUSION, inside, in, i->n_operands, i, i->name);
    xg_inst_take_attrs(made, i);
    made->source_at = i->source_at;
    xg_inst_replace(i, xg_hb_as(&b, made, outside));
    xg_inst_remove(i);
    return true;
}
XG_APART XG_FN bool xg_legal_settle_layouts(xg_inst *i) {
    const xg_comp *c = xg_attr_calls(i);
    xg_hb b = xg_hb_at(i);
    bool changed = xg_legal_settle_root(c->root);
    uint32_t k;
    for (k = 0; k < i->n_operands; k++) {
        const xg_shape *want = c->params[k]->shape;
        xg_inst *x = XG_OPERAND(i, k);
        if (x->shape == want || x->shape->plain != want->plain) continue;
        xg_inst_set_operand(i, k, xg_hb_as(&b, x, want));
        changed = true;
    }
    return xg_legal_settle_result(i) || changed;
}

XG_FN bool xg_opt_fusion_legalizer(xg_module *m) {
    xg_comps steps;
    unsigned char *is_step;
    bool changed = false;
    xg_comp *c;
    uint32_t k;
    if (!m->made[XG_FUSION]) return false;
    steps = xg_opt_sequences(m);
    is_step = XG_NEW_N(m->work, unsigned char, m->n_comp_ids + (size_t)1);
    for (k = 0; k < steps.n; k++) is_step[steps.p[k]->id] = 1;
    /* computations stand before those that use them: what is nested is taken apart first */
    for (c = m->first; c; c = c->next) {
        xg_inst *i = c->first, *next;
        for (; i; i = next) {
            next = xg_inst_behind(i);
            if (i->op != XG_FUSION) continue;
            if (!is_step[c->id] || !xg_legal_fusion(i) || xg_legal_grows(i, m->work)) {
                xg_opt_unfuse(i);
                changed = true;
            } else
                changed = xg_legal_settle_layouts(i) || changed;
        }
    }
    return changed;
}

#endif /* XG_OPT_FUSION_LEGALIZER_C */
