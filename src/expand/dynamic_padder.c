/* expand/dynamic_padder.c -- DynamicPadder: a module with bounded dynamic dimensions becomes one of fixed sizes. Needs:
 * no calls.
 *
 *     d: f32[<=10] set-dimension-size(x, n)          x: f32[10], n: s32[]
 *     reduce(d, 0), add                        ==>   reduce(select(iota < n, x, 0), 0), add
 *
 * Every array gets its bounds, every dynamic dimension an s32 that says how much of it there is (dynamic_values.c);
 * instructions for which padding would count get operands in which it does not (dynamic_rules.c). Loops, branches and
 * the entry take and give arrays with their sizes.
 *
 * Laws
 * - The module then computes what the evaluator says of the one before, element by element of what is there; padding in
 *   a result is of no meaning.
 * - What is declared to be static is: a result whose size follows from its operands, but whose shape says [10], has
 *   zeros behind it.
 * - Each instruction is visited once, in the order of the program. What cannot be done is refused by name. */
#ifndef XG_EXPAND_DYNAMIC_PADDER_C
#define XG_EXPAND_DYNAMIC_PADDER_C
#include "expand.h"
#include "dynamic_rules.c"

/* ---- results ---- */

/* value, an array of p->i's bounds whose sizes are p->out, stands for p->i from here on. */
XG_APART XG_FN void xg_dyn_settle(xg_dyn *p, xg_inst *value) {
    const xg_shape *was = p->i->shape, *now = xg_dyn_bounds(p->m, was);
    bool fixed[XG_RANK_MAX], any = false;
    xg_inst *i = p->i;
    uint32_t d;
    if (value == i) {
        i->shape = now;
        p->b.before = i->next;
    } else if (value->shape != now)
        value = xg_hb_of(&p->b, XG_COPY, now, value); /* of another layout */
    value->scratch = NULL;
    for (d = 0; d < was->rank; d++) {
        xg_dyn_set_size(p, value, d, p->out[d]);
        fixed[d] = p->out[d] && !xg_dyn_is_open(was, d);
        any = any || fixed[d];
    }
    if (any) {
        value = xg_dyn_zeroed(p, value, fixed);
        value->scratch = NULL;
        for (d = 0; d < was->rank; d++)
            if (!fixed[d]) xg_dyn_set_size(p, value, d, p->out[d]);
    }
    xg_inst_replace(i, value);
    if (!i->first_use && i != value) xg_inst_remove(i);
}
/* The same for a tuple: `from`, which may be p->i, has the elements, all of the sizes p->out; or is a tuple
 * instruction, of arrays with sizes of their own. */
XG_APART XG_FN void xg_dyn_settle_tuple(xg_dyn *p, xg_inst *from) {
    xg_inst *i = p->i, *whole, **out;
    const xg_shape *was = i->shape, **now;
    uint32_t n = was->n_elems, first = p->m->n_ids, k, d;
    xg_use *u, *next;
    out = XG_NEW_N(p->m->arena, xg_inst *, n + (size_t)1);
    now = XG_NEW_N(p->m->arena, const xg_shape *, n + (size_t)1);
    for (k = 0; k < n; k++) now[k] = xg_dyn_bounds(p->m, was->elems[k]);
    if (from == i) {
        i->shape = xg_shape_tuple(p->m, now, n);
        p->b.before = i->next;
    }
    for (k = 0; k < n; k++) {
        xg_inst *x = xg_hb_element(&p->b, from, k);
        for (d = 0; from->op != XG_TUPLE && d < was->elems[k]->rank; d++) xg_dyn_set_size(p, x, d, p->out[d]);
        out[k] = xg_dyn_pack(p, x, was->elems[k], "its result");
    }
    whole = xg_hb_tuple(&p->b, out, n);
    whole->scratch = p; /* packed */
    for (u = i->first_use; u; u = next) {
        next = u->next;
        if (u->user->id < first) xg_inst_set_operand(u->user, XG_USE_INDEX(u), whole);
    }
    if (i->comp->root == i) i->comp->root = whole;
    if (from->op == XG_TUPLE) xg_inst_remove(from);
    if (from != i) xg_inst_remove(i);
}
XG_FN void xg_dyn_settle_any(xg_dyn *p, xg_inst *value) {
    const xg_shape *was = p->i->shape;
    if (was->type == XLAGPU_TUPLE && (xg_shape_has_dynamic(was) || value->shape->n_elems != was->n_elems)) {
        xg_dyn_settle_tuple(p, value);
        return;
    }
    if (was->type == XLAGPU_TUPLE) {
        if (value != p->i) {
            xg_inst_replace(p->i, value);
            xg_inst_remove(p->i);
        }
        return;
    }
    if (value->shape->type == XLAGPU_TUPLE) value = xg_hb_element(&p->b, value, 0); /* one that carries marks */
    xg_dyn_settle(p, value);
}

/* ---- what passes values on ---- */

/* An instruction whose value crossed a border: it is packed now. */
XG_FN void xg_dyn_arrives(xg_dyn *p, xg_inst *i, const xg_shape *packed) {
    const xg_shape *was = i->shape;
    if (!xg_shape_has_dynamic(was)) return;
    i->shape = packed;
    i->scratch = p;
    xg_dyn_unpack(p, i, was);
}
XG_FN void xg_dyn_element(xg_dyn *p, xg_inst *i) {
    const xg_shape *have = XG_OPERAND(i, 0)->shape->elems[xg_attr_index(i)];
    xg_dyn_want(p, have, xg_dyn_packed_shape(p->m, i->shape), "the element");
    xg_dyn_arrives(p, i, have);
}
XG_FN void xg_dyn_pack_operand(xg_dyn *p, xg_inst *i, uint32_t k, const xg_shape *want) {
    xg_inst_set_operand(i, k, xg_dyn_pack(p, XG_OPERAND(i, k), want, "an operand"));
}
XG_FN void xg_dyn_tuple(xg_dyn *p, xg_inst *i) {
    const xg_shape *was = i->shape;
    uint32_t k;
    for (k = 0; k < i->n_operands; k++) xg_dyn_pack_operand(p, i, k, was->elems[k]);
    if (!xg_shape_has_dynamic(was)) return;
    (void)xg_hb_done(i);
    i->scratch = p;
}
/* What the parameter of a computation was declared to be: it may have been rewritten already. */
XG_FN const xg_shape *xg_dyn_declared(const xg_dyn *p, const xg_inst *param) {
    return param->id < p->n_was && p->was[param->id] ? p->was[param->id] : param->shape;
}
XG_FN void xg_dyn_branches(xg_dyn *p, xg_inst *i) {
    xg_comps comps = xg_opt_control_comps(p->m->arena, i);
    uint32_t k;
    for (k = 0; k < comps.n; k++) xg_dyn_pack_operand(p, i, 1 + k, xg_dyn_declared(p, comps.p[k]->params[0]));
    xg_dyn_arrives(p, i, xg_dyn_packed_shape(p->m, i->shape));
}

/* ---- the walk ---- */

/* Opcodes about sizes, even where all of these are fixed. */
XG_FN bool xg_dyn_is_about_sizes(const xg_inst *i) {
    xg_str target;
    if (i->op != XG_CUSTOM_CALL) return i->op == XG_SET_DIMENSION_SIZE || i->op == XG_DYNAMIC_RESHAPE;
    target = xg_attr_str(i, XG_A_custom_call_target);
    return xg_str_eq(target, XG_STR("SliceToDynamic")) || xg_str_eq(target, XG_STR("PadToStatic"));
}
XG_FN bool xg_dyn_touches(const xg_inst *i) {
    uint32_t k;
    if (xg_dyn_is_about_sizes(i) || xg_shape_has_dynamic(i->shape)) return true;
    for (k = 0; k < i->n_operands; k++)
        if (XG_OPERAND(i, k)->scratch) return true;
    return false;
}
XG_APART XG_FN void xg_dyn_compute(xg_dyn *p, xg_inst *i) {
    uint32_t k;
    if (!xg_dyn_touches(i)) return;
    for (k = 0; k < i->n_operands; k++)
        if (!xg_shape_is_array(XG_OPERAND(i, k)->shape) && XG_OPERAND(i, k)->scratch)
            xg_dyn_refuse(p, "dynamic dimensions in a tuple");
    memset(p->out, 0, sizeof p->out);
    xg_dyn_settle_any(p, xg_dyn_apply(p));
}
XG_APART XG_FN void xg_dyn_visit(xg_dyn *p, xg_inst *i) {
    p->i = i;
    p->b = xg_hb_at(i);
    switch (i->op) {
    case XG_PARAMETER: xg_dyn_arrives(p, i, xg_dyn_packed_shape(p->m, i->shape)); break;
    case XG_GET_TUPLE_ELEMENT: xg_dyn_element(p, i); break;
    case XG_TUPLE: xg_dyn_tuple(p, i); break;
    case XG_CONDITIONAL: xg_dyn_branches(p, i); break;
    case XG_AFTER_ALL: break;
    case XG_WHILE:
    case XG_OPT_BARRIER:
    case XG_DOMAIN:
    case XG_ADD_DEPENDENCY:
        xg_dyn_pack_operand(p, i, 0, i->shape);
        xg_dyn_arrives(p, i, xg_dyn_packed_shape(p->m, i->shape));
        break;
    default: xg_dyn_compute(p, i);
    }
}
/* Has the fusion, an operand or anything inside of it a dimension of dynamic size? */
XG_FN bool xg_dyn_fusion_is_touched(const xg_inst *fusion) {
    bool dynamic = xg_shape_has_dynamic(fusion->shape);
    uint32_t k;
    for (k = 0; k < fusion->n_operands; k++) dynamic = dynamic || xg_shape_has_dynamic(XG_OPERAND(fusion, k)->shape);
    XG_FOR_INSTS(i, xg_attr_calls(fusion)) dynamic = dynamic || xg_shape_has_dynamic(i->shape);
    return dynamic;
}
/* Fusions that are touched are taken apart first, while their computations are what they were. */
XG_APART XG_FN void xg_dyn_open_fusions(xg_comp *c) {
    xg_inst *i, *next, **args;
    uint32_t k;
    xg_hb b;
    for (i = c->first; i; i = next) {
        next = xg_inst_behind(i);
        if (i->op != XG_FUSION || !xg_dyn_fusion_is_touched(i)) continue;
        args = XG_NEW_N(c->module->arena, xg_inst *, i->n_operands + (size_t)1);
        b = xg_hb_at(i);
        for (k = 0; k < i->n_operands; k++)
            args[k] = xg_hb_as_dynamic(&b, XG_OPERAND(i, k), xg_attr_calls(i)->params[k]->shape);
        xg_inst_replace(i, xg_hb_as_dynamic(&b, xg_opt_inline(xg_attr_calls(i), c, i, args), i->shape));
        xg_inst_remove(i);
    }
}
XG_FN void xg_dyn_walk(xg_dyn *p, xg_comp *c) {
    const xg_shape *root = c->root->shape;
    xg_inst *i, *next;
    for (i = c->first; i; i = next) {
        next = xg_inst_behind(i);
        xg_dyn_visit(p, i);
    }
    p->i = c->root;
    p->b = xg_hb_end(c, c->root);
    c->root = xg_dyn_pack(p, c->root, root, "the result");
}

/* ---- the module ---- */

/* An array's memory is that of element 0 of what is packed. */
XG_FN xg_ints xg_dyn_alias_index(xg_module *m, const xg_shape *s, xg_ints index) {
    int64_t *longer = XG_NEW_N(m->arena, int64_t, index.n + (size_t)1);
    xg_ints r;
    uint32_t k;
    for (k = 0; k < index.n; k++) {
        longer[k] = index.p[k];
        s = s->elems[index.p[k]];
    }
    r.p = longer;
    r.n = index.n + xg_dyn_is_array(s);
    return r;
}
/* Which leaves are sizes, and of what: shapes say it no more afterwards. */
XG_FN void xg_dyn_note_sizes(const xg_shape *s, uint32_t *out, uint32_t *n) {
    uint32_t k;
    if (s->type == XLAGPU_TUPLE) {
        for (k = 0; k < s->n_elems; k++) xg_dyn_note_sizes(s->elems[k], out, n);
        return;
    }
    out[(*n)++] = 0;
    for (k = 0; k < s->rank; k++)
        if (xg_dyn_is_open(s, k)) out[(*n)++] = k + 1;
}
XG_FN uint32_t *xg_dyn_sizes(xg_module *m, const xg_shape *s) {
    uint32_t *out = XG_NEW_N(m->arena, uint32_t, (size_t)xg_shape_leaves(xg_dyn_packed_shape(m, s)) + 1), n = 0;
    xg_dyn_note_sizes(s, out, &n);
    return out;
}
XG_FN void xg_dyn_entry(xg_module *m) {
    xg_io_alias *aliases = XG_NEW_N(m->arena, xg_io_alias, m->n_aliases + (size_t)1);
    uint32_t k;
    for (k = 0; k < m->n_aliases; k++) {
        aliases[k] = m->aliases[k];
        aliases[k].output = xg_dyn_alias_index(m, m->entry_result, aliases[k].output);
        aliases[k].param_index =
            xg_dyn_alias_index(m, m->entry_params->elems[aliases[k].param], aliases[k].param_index);
    }
    m->aliases = aliases;
    m->param_sizes = xg_dyn_sizes(m, m->entry_params);
    m->result_sizes = xg_dyn_sizes(m, m->entry_result);
    {
        const xg_shape **params = XG_NEW_N(m->arena, const xg_shape *, m->entry_params->n_elems + (size_t)1);
        for (k = 0; k < m->entry_params->n_elems; k++) params[k] = xg_dyn_packed_shape(m, m->entry_params->elems[k]);
        m->entry_params = xg_shape_tuple(m, params, m->entry_params->n_elems);
    }
    m->entry_result = xg_dyn_packed_shape(m, m->entry_result);
}
XG_FN bool xg_dyn_lacks_bound(const xg_shape *s) {
    uint32_t k;
    if (s->type == XLAGPU_TUPLE)
        for (k = 0; k < s->n_elems; k++)
            if (xg_dyn_lacks_bound(s->elems[k])) return true;
    for (k = 0; s->dynamic && k < s->rank; k++)
        if (s->dynamic[k] == XG_DIM_UNBOUNDED) return true;
    return false;
}
XG_FN bool xg_dyn_has_work(xg_module *m) {
    bool any = false;
    xg_comp *c;
    for (c = m->first; c; c = c->next)
        XG_FOR_INSTS(i, c) {
            any = any || xg_dyn_is_about_sizes(i);
            if (i->shape->dynamic || i->shape->type == XLAGPU_TUPLE) any = any || xg_shape_has_dynamic(i->shape);
            if (xg_dyn_lacks_bound(i->shape))
                xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, "write a bound, <=N",
                    "a dimension without a bound has no place on a device");
        }
    return any;
}
XG_FN bool xg_expand_dynamic_padder(xg_module *m) {
    xg_comp *c;
    xg_dyn p;
    if (!m->has_dynamic && !m->made[XG_SET_DIMENSION_SIZE] && !m->made[XG_DYNAMIC_RESHAPE] && !m->made[XG_CUSTOM_CALL])
        return false;
    if (!xg_dyn_has_work(m)) return false;
    for (c = m->first; c; c = c->next) xg_dyn_open_fusions(c);
    memset(&p, 0, sizeof p);
    p.m = m;
    p.n_was = m->n_ids;
    p.was = XG_NEW_N(m->arena, const xg_shape *, m->n_ids + (size_t)1);
    for (c = m->first; c; c = c->next)
        XG_FOR_INSTS(i, c) {
            i->scratch = NULL;
            if (i->op == XG_PARAMETER) p.was[i->id] = i->shape;
        }
    for (c = m->first; c; c = c->next) xg_dyn_walk(&p, c);
    for (c = m->first; c; c = c->next)
        XG_FOR_INSTS(i, c) i->scratch = NULL;
    xg_dyn_entry(m);
    return true;
}

#endif /* XG_EXPAND_DYNAMIC_PADDER_C */
