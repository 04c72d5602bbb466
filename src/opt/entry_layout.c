/* opt/entry_layout.c -- layouts where values are handed on: to and from the caller, into loops and branches, in tuples.
 * Needs: tuple simplification, computations of their own.
 *
 * - The parameters and results of the entry have the layouts of entry_computation_layout. A parameter takes its layout
 *   on. Operations that read elements by index take any; another one (a bitcast, another name for the same memory)
 *   gets a copy in the old layout. A result whose layout differs is copied into the right one, leaf by leaf.
 * - A tuple has the layouts of what it is made of, an element that of its place in the tuple, the parameter of a branch
 *   that of the operand.
 * - The state of a loop has the layouts that the text gives to the loop, but an element that the body hands on
 *   unchanged has the layout in which it comes: nothing is copied for it. What begins and what ends a round is copied
 *   where it differs.
 * - A started copy that is a result (two arrays and a context) is the tuple of what it moves.
 * - The operands of custom calls have the layouts of operand_layout_constraints.
 *
 * Layouts that the text gives to values inside say nothing: xg_opt_forget_layouts makes them descending, unless the
 * module was laid out before (it has bitcasts or fusions, or a schedule). What custom calls read and give keeps the
 * layouts that the text says. */
#ifndef XG_OPT_ENTRY_LAYOUT_C
#define XG_OPT_ENTRY_LAYOUT_C
#include "opt.h"

/* The value in the layouts of `want`, made in front of `before` (NULL: last); itself when it has them. */
XG_ONE_COPY XG_FN xg_inst *xg_entry_fix(xg_inst *value, const xg_shape *want, xg_inst *before) {
    xg_hb b;
    b.comp = value->comp;
    b.before = before;
    b.from = value;
    return xg_hb_as(&b, value, want);
}

/* Those that hand it on are set right afterwards. */
XG_FN bool xg_entry_takes_over(const xg_inst *value, const xg_inst *user) {
    switch (user->op) {
    case XG_TUPLE:
    case XG_GET_TUPLE_ELEMENT:
    case XG_OPT_BARRIER:
    case XG_DOMAIN:
    case XG_ADD_DEPENDENCY:
    case XG_COPY_DONE:
    case XG_WHILE:
    case XG_CONDITIONAL: return true;
    default: return value->shape->type != XLAGPU_TUPLE && xg_opt_reads_by_index(user);
    }
}

/* Gives a value that lies in a parameter another layout, and readers that care the old one. */
XG_FN void xg_entry_relayout(xg_inst *value, const xg_shape *want) {
    const xg_shape *old = value->shape;
    xg_inst *after = value->next, *copy = NULL;
    xg_use *u, *next;
    if (old == want) return;
    value->shape = want;
    for (u = value->first_use; u; u = next) {
        xg_inst *user = u->user;
        next = u->next;
        if (user->op == XG_GET_TUPLE_ELEMENT) {
            xg_entry_relayout(user, want->elems[xg_attr_index(user)]);
            continue;
        }
        if (xg_entry_takes_over(value, user)) continue;
        if (!copy) copy = xg_entry_fix(value, old, after);
        xg_inst_set_operand(user, XG_USE_INDEX(u), copy);
    }
}

/* The root in the layouts of `want`. */
XG_FN bool xg_entry_set_root(xg_comp *c, const xg_shape *want) {
    xg_inst *root = c->root;
    if (root->shape == want || root->shape->plain != want->plain) return false;
    c->root = xg_entry_fix(root, want, NULL);
    if (root->op == XG_TUPLE && !root->first_use) xg_inst_remove(root);
    return true;
}

/* ---- inside ---- */

XG_FN bool xg_entry_follow(xg_inst *i, const xg_shape *s) {
    if (s == i->shape || s->plain != i->shape->plain) return false;
    xg_entry_relayout(i, s);
    return true;
}
XG_FN bool xg_entry_set_operand(xg_inst *user, uint32_t k, const xg_shape *want) {
    xg_inst *o = XG_OPERAND(user, k);
    if (o->shape == want || o->shape->plain != want->plain) return false;
    xg_inst_set_operand(user, k, xg_entry_fix(o, want, user));
    return true;
}
XG_FN const xg_shape *xg_entry_tuple_of(const xg_inst *i) {
    const xg_shape **shapes = XG_NEW_N(i->comp->module->arena, const xg_shape *, i->n_operands + (size_t)1);
    uint32_t k;
    for (k = 0; k < i->n_operands; k++) shapes[k] = XG_OPERAND(i, k)->shape;
    return xg_shape_tuple(i->comp->module, shapes, i->n_operands);
}
XG_FN const xg_shape *xg_entry_state(const xg_inst *loop) {
    const xg_comp *body = xg_attr_comp(loop, XG_A_body);
    const xg_inst *root = body->root;
    const xg_shape *begin = XG_OPERAND(loop, 0)->shape, **shapes;
    uint32_t k;
    if (loop->shape->type != XLAGPU_TUPLE || root->op != XG_TUPLE || begin->plain != loop->shape->plain)
        return loop->shape;
    shapes = XG_NEW_N(body->module->arena, const xg_shape *, root->n_operands + (size_t)1);
    for (k = 0; k < root->n_operands; k++) {
        const xg_inst *next = XG_OPERAND(root, k);
        bool unchanged = next->op == XG_GET_TUPLE_ELEMENT && XG_OPERAND(next, 0) == body->params[0] &&
                         xg_attr_index(next) == (int64_t)k;
        shapes[k] = (unchanged ? begin : loop->shape)->elems[k];
    }
    return xg_shape_tuple(body->module, shapes, root->n_operands);
}
XG_FN bool xg_entry_settle(xg_comp *c);
XG_FN bool xg_entry_settle_control(xg_inst *i) {
    xg_comps called = xg_opt_control_comps(i->comp->module->arena, i);
    bool loop = i->op == XG_WHILE, changed = false;
    uint32_t k;
    if (loop) {
        const xg_shape *state = xg_entry_state(i);
        changed = xg_entry_set_operand(i, 0, state);
        changed = xg_entry_follow(i, state) || changed;
    }
    for (k = 0; k < called.n; k++) {
        const xg_shape *given = XG_OPERAND(i, loop ? 0 : 1 + k)->shape;
        if (called.p[k]->n_params == 1) changed = xg_entry_follow(called.p[k]->params[0], given) || changed;
        changed = xg_entry_settle(called.p[k]) || changed;
        changed = xg_entry_set_root(called.p[k], i->shape) || changed; /* a condition's is a pred: nothing to do */
    }
    return changed;
}
XG_FN bool xg_entry_settle_call(xg_inst *i) {
    const xg_attr *a = xg_inst_attr(i, XG_A_operand_layout_constraints);
    bool changed = false;
    uint32_t k;
    for (k = 0; a && k < i->n_operands; k++) changed = xg_entry_set_operand(i, k, a->v.shapes->p[k]) || changed;
    return changed;
}
/* (to, from, context): bytes are moved as they lie, so what is copied has the order of dimensions of the copy. */
XG_FN bool xg_entry_settle_copy(xg_inst *i) {
    xg_module *m = i->comp->module;
    const xg_shape *to = xg_shape_fill_layout(m, i->shape->elems[0]), *parts[3];
    const xg_shape *from = xg_shape_fill_layout(m, XG_OPERAND(i, 0)->shape);
    const xg_layout *l = from->layout;
    bool changed = false;
    if (i->shape->n_elems != XG_COUNT(parts) || !xg_shape_is_array(to) || to->plain != from->plain) return false;
    if (memcmp(to->layout->minor_to_major, l->minor_to_major, to->rank * sizeof *l->minor_to_major) != 0) {
        l = xg_layout_make(m, to->layout->minor_to_major, to->rank, l->memory_space, l->element_bits, l->extras);
        changed = xg_entry_set_operand(i, 0, xg_shape_with_layout(m, from, l));
    }
    parts[0] = i->shape->elems[0];
    parts[1] = XG_OPERAND(i, 0)->shape;
    parts[2] = i->shape->elems[2];
    return xg_entry_follow(i, xg_shape_tuple(m, parts, XG_COUNT(parts))) || changed;
}
/* A started copy as the result: the copy once it has ended, what was copied, and 0 for the context. */
XG_FN bool xg_entry_settle_start(xg_comp *c) {
    xg_module *m = c->module;
    xg_inst *start = c->root, *parts[3];
    const xg_shape *shapes[XG_COUNT(parts)];
    xg_hb b = xg_hb_end(c, start);
    uint32_t k;
    if (start->op != XG_COPY_START || !start->first_use || start->shape->n_elems != XG_COUNT(parts) ||
        !xg_shape_is_array(start->shape->elems[2]))
        return false;
    parts[0] = start->first_use->user;
    parts[1] = XG_OPERAND(start, 0);
    parts[2] = xg_hb_literal(&b, xg_literal_new(m->arena, start->shape->elems[2]));
    for (k = 0; k < XG_COUNT(parts); k++) shapes[k] = parts[k]->shape;
    c->root = xg_hb_op(&b, XG_TUPLE, xg_shape_tuple(m, shapes, XG_COUNT(parts)), parts, XG_COUNT(parts));
    return true;
}
XG_FN bool xg_entry_settle(xg_comp *c) {
    bool changed = false;
    XG_FOR_INSTS(i, c) switch (i->op) {
        case XG_TUPLE: changed = xg_entry_follow(i, xg_entry_tuple_of(i)) || changed; break;
        case XG_GET_TUPLE_ELEMENT:
            changed = xg_entry_follow(i, XG_OPERAND(i, 0)->shape->elems[xg_attr_index(i)]) || changed;
            break;
        case XG_OPT_BARRIER:
        case XG_DOMAIN:
        case XG_ADD_DEPENDENCY: changed = xg_entry_follow(i, XG_OPERAND(i, 0)->shape) || changed; break;
        case XG_COPY_START: changed = xg_entry_settle_copy(i) || changed; break;
        case XG_COPY_DONE: changed = xg_entry_follow(i, XG_OPERAND(i, 0)->shape->elems[0]) || changed; break;
        case XG_WHILE:
        case XG_CONDITIONAL: changed = xg_entry_settle_control(i) || changed; break;
        case XG_CUSTOM_CALL: changed = xg_entry_settle_call(i) || changed; break;
        default: break;
        }
    return xg_entry_settle_start(c) || changed;
}

XG_FN bool xg_opt_entry_layout(xg_module *m) {
    xg_comp *e = m->entry;
    bool changed = false;
    uint32_t k;
    for (k = 0; k < e->n_params; k++) changed = xg_entry_follow(e->params[k], m->entry_params->elems[k]) || changed;
    changed = xg_entry_settle(e) || changed;
    return xg_entry_set_root(e, m->entry_result) || changed;
}

/* ---- layouts that say nothing ---- */

XG_FN const xg_shape *xg_forget_shape(xg_module *m, const xg_shape *s) {
    const xg_layout *l = s->layout;
    int32_t order[XG_RANK_MAX];
    uint32_t k;
    if (s->type == XLAGPU_TUPLE) {
        const xg_shape **elems = XG_NEW_N(m->arena, const xg_shape *, s->n_elems + (size_t)1);
        for (k = 0; k < s->n_elems; k++) elems[k] = xg_forget_shape(m, s->elems[k]);
        return xg_shape_tuple(m, elems, s->n_elems);
    }
    if (!l || l->descending || l->extras.n) return s;
    for (k = 0; k < s->rank; k++) order[k] = (int32_t)(s->rank - 1 - k);
    return xg_shape_with_layout(
        m, s, xg_layout_make(m, order, s->rank, l->memory_space, l->element_bits, xg_str_of("", 0)));
}
XG_FN bool xg_forget_is_laid_out(const xg_module *m) {
    const xg_comp *c;
    for (c = m->made[XG_BITCAST] || m->made[XG_FUSION] ? m->first : NULL; c; c = c->next)
        XG_FOR_INSTS(i, c)
            if (i->op == XG_BITCAST || i->op == XG_FUSION) return true;
    return false;
}
XG_FN bool xg_forget_in(xg_comp *c) {
    xg_inst *i = c->first, *next;
    bool changed = false;
    for (; i; i = next) {
        next = xg_inst_behind(i); /* not the copies made here: they have the old layouts for readers that want them */
        if ((i->op == XG_PARAMETER && c == c->module->entry) ||
            (xg_op_flags(i->op) & (XGF_EFFECT | XGF_COLL | XGF_START | XGF_DONE)))
            continue;
        changed = xg_entry_follow(i, xg_forget_shape(c->module, i->shape)) || changed;
    }
    return changed;
}
XG_FN bool xg_opt_forget_layouts(xg_module *m) {
    return m->made_layout && !m->is_scheduled && !xg_forget_is_laid_out(m) && xg_opt_each_sequence(m, xg_forget_in);
}

#endif /* XG_OPT_ENTRY_LAYOUT_C */
