/* fuse/wrap.c -- FusionWrapper: after it, what needs a kernel in the entry is a fusion, so that the emitters see
 * nothing else.
 *
 * A wrapped operation becomes computation wrapped_<op>_computation with one parameter per distinct array operand;
 * scalar constants are copied inside, where they become immediates. Array constants inside fusions go the other way:
 * out, as operands, since a kernel reads arrays from memory. */
#ifndef XG_FUSE_WRAP_C
#define XG_FUSE_WRAP_C
#include "fuse.h"

/* Handled by the plan itself: nothing is computed. So is what waits for others, which the plan refuses by name. */
XG_FN bool xg_fuse_needs_no_kernel(const xg_inst *i) {
    if (xg_is_block_call(i)) return false;
    if (i->shape->type == XLAGPU_TUPLE && i->shape->n_elems == 0) return true; /* a call for nothing */
    switch (i->op) {
    case XG_PARAMETER:
    case XG_CONSTANT:
    case XG_TUPLE:
    case XG_GET_TUPLE_ELEMENT:
    case XG_BITCAST:
    case XG_FUSION:
    case XG_OPT_BARRIER:
    case XG_DOMAIN:
    case XG_AFTER_ALL:
    case XG_ADD_DEPENDENCY:
    case XG_WHILE:
    case XG_CONDITIONAL:
    case XG_CUSTOM_CALL:
    case XG_REPLICA_ID:
    case XG_PARTITION_ID:
    case XG_RNG_GET_AND_UPDATE_STATE:
    case XG_INFEED:
    case XG_OUTFEED:
    case XG_COPY_START:
    case XG_COPY_DONE:
    case XG_ASYNC_UPDATE: return true;
    default: return (xg_op_flags(i->op) & (XGF_COLL | XGF_START | XGF_DONE | XGF_EFFECT)) != 0;
    }
}

XG_FN xg_str xg_fuse_name(xg_module *m, const char *format, xg_opcode op) {
    char text[96];
    size_t k;
    xg_format(text, sizeof text, format, xg_op_name(op));
    for (k = 0; text[k]; k++)
        if (text[k] == '-') text[k] = '_';
    return xg_intern(&m->pool, xg_str_z(text));
}

/* A root of several outputs becomes the tuple of them: emitters know roots that are arrays, and one tuple of them. */
XG_FN bool xg_fuse_untuple_root(xg_comp *c) {
    xg_module *m = c->module;
    xg_inst *root = c->root, **leaves;
    uint32_t n = root->shape->n_elems, k;
    if (root->shape->type != XLAGPU_TUPLE || root->op == XG_TUPLE) return false;
    leaves = XG_NEW_N(m->arena, xg_inst *, n + 1);
    for (k = 0; k < n; k++) {
        leaves[k] = xg_inst_new(c, XG_GET_TUPLE_ELEMENT, root->shape->elems[k], &root, 1, NULL,
            xg_fuse_name(m, "get-tuple-element", root->op));
        xg_inst_set_int(leaves[k], XG_A_index, k);
    }
    c->root = xg_inst_new(c, XG_TUPLE, root->shape, leaves, n, NULL, xg_fuse_name(m, "tuple", root->op));
    return true;
}

/* Fusions inside a fused computation give way to what they compute. */
XG_FN bool xg_fuse_flatten(xg_comp *c) {
    xg_inst *i = c->n_fusions ? c->first : NULL, *next;
    bool changed = false;
    for (; i; i = next) {
        next = xg_inst_behind(i);
        if (i->op != XG_FUSION) continue;
        (void)xg_fuse_flatten(xg_attr_calls(i));
        xg_opt_unfuse(i);
        changed = true;
    }
    return changed;
}

XG_FN bool xg_fuse_goes_inside(const xg_inst *o) {
    return o->op == XG_CONSTANT && o->shape->rank == 0 && xg_shape_is_array(o->shape);
}

XG_FN void xg_fuse_wrap_one(xg_inst *i) {
    xg_module *m = i->comp->module;
    xg_comp *c = xg_comp_new(m, xg_fuse_name(m, "wrapped_%s_computation", i->op), i->comp);
    xg_inst **inside = XG_NEW_N(m->work, xg_inst *, i->n_operands + 1),
            **outside = XG_NEW_N(m->work, xg_inst *, i->n_operands + 1), *fusion;
    uint32_t k, n = 0;
    if ((xg_op_flags(i->op) & XGF_COLL) && !xg_shape_is_array(i->shape)) /* others are refused by their elements */
        xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, "run it with --platform=interpreter",
            "%s is not supported in kernels yet", xg_op_name(i->op));
    xg_dict_reserve(&c->names, i->n_operands + 1);
    for (k = 0; k < i->n_operands; k++) XG_OPERAND(i, k)->scratch = NULL; /* what it is inside */
    for (k = 0; k < i->n_operands; k++) {
        xg_inst *o = XG_OPERAND(i, k);
        if (o->scratch) {
            inside[k] = (xg_inst *)o->scratch;
            continue;
        }
        if (xg_fuse_goes_inside(o)) {
            o->scratch = inside[k] = xg_inst_clone(o, c, NULL, NULL);
            continue;
        }
        o->scratch = inside[k] = xg_inst_new(c, XG_PARAMETER, o->shape, NULL, 0, NULL, xg_fuse_name(m, "param", i->op));
        inside[k]->number = n;
        outside[n++] = o;
    }
    c->params = XG_NEW_N(m->arena, xg_inst *, n + 1);
    c->n_params = n;
    XG_FOR_INSTS(p, c)
        if (p->op == XG_PARAMETER) c->params[p->number] = p;
    fusion = xg_inst_new(i->comp, XG_FUSION, i->shape, outside, n, i, xg_fuse_name(m, "wrapped_%s", i->op));
    xg_inst_set_text(fusion, XG_A_kind, "kLoop");
    xg_inst_set_comp(fusion, XG_A_calls, c);
    if (xg_inst_attr(i, XG_A_metadata)) xg_inst_set_attr(fusion, *xg_inst_attr(i, XG_A_metadata));
    xg_inst_replace(i, fusion);
    xg_inst_move(i, c, inside);
    c->root = i;
    (void)xg_fuse_untuple_root(c);
}

/* A bitcast-convert between arrays that lie in the order of their dimensions: the bytes stay, so it is another name for
 * them. */
XG_FN bool xg_fuse_keeps_bytes(const xg_inst *i) {
    const xg_shape *from, *to = i->shape;
    if (i->op != XG_BITCAST_CONVERT) return false;
    from = XG_OPERAND(i, 0)->shape;
    if (xg_type_bits(from->type) != 8 * xg_type_bytes(from->type) ||
        xg_type_bits(to->type) != 8 * xg_type_bytes(to->type))
        return false;
    return (!from->layout || from->layout->descending) && (!to->layout || to->layout->descending);
}
XG_FN void xg_fuse_rename(xg_inst *i) {
    xg_inst *bitcast = xg_inst_new(
        i->comp, XG_BITCAST, i->shape, &XG_OPERAND(i, 0), 1, i, xg_fuse_name(i->comp->module, "bitcast", i->op));
    xg_inst_replace(i, bitcast);
    xg_inst_remove(i);
}

/* What only fills memory is made for each tuple that has it: where loops begin, it would be copied. */
XG_FN void xg_fuse_fill_each(xg_inst *i) {
    const xg_use *u = i->first_use, *next;
    uint32_t pattern, k;
    if (i->op != XG_BROADCAST || !xg_fuse_is_fill(i, &pattern)) return;
    for (; u && i->first_use->next; u = next) {
        xg_inst *user = u->user;
        next = u->next;
        if (user->op != XG_TUPLE) continue;
        for (k = 0; XG_OPERAND(user, k) != i; k++) {}
        xg_inst_set_operand(user, k, xg_inst_clone(i, i->comp, &XG_OPERAND(i, 0), i->next));
    }
}
XG_FN bool xg_fuse_wrap_comp(xg_comp *c) {
    xg_inst *i = c->first, *next;
    bool changed = false;
    for (; i; i = next) {
        next = xg_inst_behind(i);
        xg_inst_bring_calls(i);
        if (i->op == XG_FUSION && !xg_fuse_keeps_phases(i)) {
            xg_comp *inside = xg_attr_calls(i);
            changed = xg_fuse_flatten(inside) || changed;
            changed = xg_fuse_untuple_root(inside) || changed;
            if (xg_fuse_is_phases(i)) xg_fuse_mark(i, false);
        }
        if (xg_fuse_needs_no_kernel(i)) continue;
        if (xg_fuse_keeps_bytes(i))
            xg_fuse_rename(i);
        else {
            xg_fuse_fill_each(i);
            next = xg_inst_behind(i);
            xg_fuse_wrap_one(i);
        }
        changed = true;
    }
    return changed;
}
XG_FN bool xg_fuse_wrap(xg_module *m) { return xg_opt_each_sequence(m, xg_fuse_wrap_comp); }

/* ---- fills ---- */

/* ---- array constants out of fusions ---- */

XG_FN bool xg_fuse_hoists(const xg_inst *i) {
    return i->op == XG_CONSTANT && i->shape->rank > 0 && xg_shape_is_array(i->shape) && !xg_fuse_is_splat(i);
}

/* A copy of the computation, which another fusion may share, in which array constants are parameters; and a fusion that
 * passes them. */
XG_FN void xg_fuse_hoist_from(xg_inst *fusion, uint32_t count) {
    xg_comp *from = xg_attr_calls(fusion), *to = xg_comp_new(from->module, from->name, fusion->comp);
    xg_arena *a = from->module->arena;
    xg_inst **operands = XG_NEW_N(a, xg_inst *, fusion->n_operands + count), *made;
    xg_map64 copy;
    uint32_t k;
    xg_map64_init(&copy, a);
    to->params = XG_NEW_N(a, xg_inst *, from->n_params + count);
    to->n_params = from->n_params;
    for (k = 0; k < fusion->n_operands; k++) operands[k] = XG_OPERAND(fusion, k);
    XG_FOR_INSTS(i, from) {
        xg_inst **mapped = XG_NEW_N(a, xg_inst *, i->n_operands + 1), *twin;
        for (k = 0; k < i->n_operands; k++) mapped[k] = (xg_inst *)xg_map64_get(&copy, XG_OPERAND(i, k)->id);
        if (xg_fuse_hoists(i)) {
            operands[to->n_params] = xg_inst_clone(i, fusion->comp, NULL, fusion);
            twin = xg_inst_new(to, XG_PARAMETER, i->shape, NULL, 0, NULL, i->name);
            twin->number = to->n_params++;
        } else
            twin = xg_inst_clone(i, to, mapped, NULL);
        if (twin->op == XG_PARAMETER) to->params[twin->number] = twin;
        if (i == from->root) to->root = twin;
        xg_map64_put(&copy, i->id, twin);
    }
    made = xg_inst_new(fusion->comp, XG_FUSION, fusion->shape, operands, to->n_params, fusion, fusion->name);
    xg_inst_take_attrs(made, fusion);
    xg_inst_set_comp(made, XG_A_calls, to);
    xg_inst_replace(fusion, made);
    xg_inst_remove(fusion);
}

XG_FN bool xg_fuse_hoist_comp(xg_comp *c) {
    xg_inst *i = c->first, *next;
    bool changed = false;
    for (; i; i = next) {
        uint32_t count = 0;
        next = xg_inst_behind(i);
        if (i->op != XG_FUSION) continue;
        XG_FOR_INSTS(k, xg_attr_calls(i)) count += xg_fuse_hoists(k);
        if (!count) continue;
        xg_fuse_hoist_from(i, count);
        changed = true;
    }
    return changed;
}
XG_FN bool xg_fuse_hoist_constants(xg_module *m) {
    return m->made[XG_FUSION] && xg_opt_each_sequence(m, xg_fuse_hoist_comp);
}

#endif /* XG_FUSE_WRAP_C */
