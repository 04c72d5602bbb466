/* opt/layout_assignment.c -- layout-assignment: layouts that let transposes be bitcasts. Greedy: down from operands to
 * users, up to what has no operands, copies at conflicts.
 *
 * - Fixed are parameters, results, what control flow, fusions and custom calls carry, and whatever has its own idea of
 *   memory (dot, convolution, sort, gather, scatter, updates in place, reshapes): it keeps the layouts it came with.
 * - Down: a transpose takes the layout in which it moves nothing, if no reader is fixed; an operation that keeps
 *   indices takes the layout that its operands agree upon, or else the one that its only reader asks for by a copy, if
 *   an operand has it.
 * - Rows stay rows: what a softmax or a norm is made of (reduced over its innermost dimensions, then combined with the
 *   results) is one kernel of rows, fuse/rows.c; with these dimensions elsewhere each reduction is a kernel. So a
 *   transpose in front of it moves what it says.
 * - Up: broadcasts and iotas take the layout that their readers agree upon; a dot takes the one in which the transpose
 *   or copy that is its only reader moves nothing, if neighbours in memory stay neighbours, or if that only exchanges
 *   rows and columns: so do the operands then (layout_normalization.c).
 * - At a conflict stands a copy: in front of an operation for an operand of another layout, behind one for a reader
 *   that is fixed. A copy that changes nothing goes. */
#ifndef XG_OPT_LAYOUT_ASSIGNMENT_C
#define XG_OPT_LAYOUT_ASSIGNMENT_C
#include "opt.h"
#include "layout_normalization.c"

XG_FN bool xg_assign_is_moved(const xg_shape *s) { return xg_layout_is_known(s) && s->rank > 1; }

/* The result has the dimensions' order of the operands. */
XG_FN bool xg_assign_keeps(const xg_inst *i) {
    if (!xg_assign_is_moved(i->shape) || i->op == XG_COPY) return false;
    switch (i->op) {
    case XG_REVERSE:
    case XG_PAD:
    case XG_SLICE:
    case XG_CONCATENATE:
    case XG_DYNAMIC_SLICE: return true;
    case XG_REDUCE_WINDOW: return i->n_operands == 2;
    default: return (xg_op_flags(i->op) & XGF_EW) != 0;
    }
}
XG_FN bool xg_assign_reads_any(const xg_inst *user) {
    return xg_assign_keeps(user) || user->op == XG_TRANSPOSE || user->op == XG_COPY ||
           (user->op == XG_REDUCE && user->n_operands == 2);
}
XG_FN bool xg_assign_has_own(const xg_inst *o) {
    return o->op != XG_BROADCAST && o->op != XG_IOTA && o->op != XG_CONSTANT;
}

XG_FN bool xg_assign_readers_are_free(const xg_inst *i) {
    if (i == i->comp->root) return false;
    XG_FOR_USES(u, i)
        if (!xg_assign_reads_any(u->user)) return false;
    return true;
}

/* What is written over its first operand has the layout of that. */
XG_FN bool xg_assign_updates(const xg_inst *i) {
    return (i->op == XG_DYNAMIC_UPDATE_SLICE || (i->op == XG_SCATTER && i->n_operands == 3)) &&
           xg_assign_is_moved(i->shape) && xg_assign_is_moved(XG_OPERAND(i, 0)->shape) &&
           xg_assign_has_own(XG_OPERAND(i, 0));
}

/* The layout in which the transpose moves nothing. */
XG_FN const xg_layout *xg_assign_transposed(const xg_inst *i) {
    const xg_shape *from = XG_OPERAND(i, 0)->shape;
    xg_ints perm = xg_attr_dims(i);
    int32_t order[XG_RANK_MAX], at[XG_RANK_MAX];
    uint32_t k;
    for (k = 0; k < perm.n; k++) at[perm.p[k]] = (int32_t)k;
    for (k = 0; k < perm.n; k++)
        order[k] = at[from->layout ? (uint32_t)from->layout->minor_to_major[k] : perm.n - 1 - k];
    return xg_layout_make(i->comp->module, order, perm.n, from->layout ? from->layout->memory_space : 0,
        from->layout ? from->layout->element_bits : 0, xg_str_of("", 0));
}

enum {
    XG_ASSIGN_LOOKS = 16 /* readers that are asked */
};
XG_FN bool xg_assign_is_plain(const xg_shape *s) {
    uint32_t k;
    for (k = 0; s->layout && k < s->rank; k++)
        if (s->layout->minor_to_major[k] != (int32_t)(s->rank - 1 - k)) return false;
    return true;
}
/* The first so many dimensions, in order. */
XG_FN bool xg_assign_leads(xg_ints dims, uint32_t n) { return dims.n == n && xg_perm_is_identity(dims.p, n); }
/* Does the reduce go over the innermost dimensions, and is what it reads combined with one value for each of its
 * results? */
XG_APART XG_FN bool xg_assign_is_row_reduce(const xg_inst *reduce) {
    xg_ints dims = xg_attr_dims(reduce);
    const xg_inst *x = XG_OPERAND(reduce, 0);
    uint32_t kept = reduce->shape->rank, looks = 0, k;
    if (reduce->n_operands != 2 || !xg_shape_is_array(reduce->shape) || kept == 0 || !xg_assign_is_plain(x->shape))
        return false;
    for (k = 0; k < dims.n; k++)
        if (dims.p[k] < (int64_t)kept) return false;
    XG_FOR_USES(u, x) {
        if (looks++ == XG_ASSIGN_LOOKS) return false;
        if (!(xg_op_flags(u->user->op) & XGF_EW)) continue;
        for (k = 0; k < u->user->n_operands; k++) {
            const xg_inst *b = XG_OPERAND(u->user, k);
            if (b->op == XG_BROADCAST && XG_OPERAND(b, 0)->op != XG_PARAMETER && xg_assign_leads(xg_attr_dims(b), kept))
                return true;
        }
    }
    return false;
}
/* By instruction id: what a reduction over rows reads, and what that is made of element for element. */
XG_FN unsigned char *xg_assign_rows(const xg_comp *c) {
    unsigned char *rows = XG_NEW_N(c->module->work, unsigned char, c->module->n_ids + 1);
    xg_inst *i;
    uint32_t k;
    for (i = c->module->made[XG_REDUCE] ? c->last : NULL; i; i = xg_inst_before(i)) {
        if (i->op == XG_REDUCE && xg_assign_is_row_reduce(i))
            rows[XG_OPERAND(i, 0)->id] = 1;
        else if (rows[i->id] && xg_assign_keeps(i))
            for (k = 0; k < i->n_operands; k++) rows[XG_OPERAND(i, k)->id] = 1;
    }
    return rows;
}

/* The layout of the operand in which the transpose or copy moves nothing. */
XG_FN const xg_layout *xg_assign_for_reader(const xg_inst *i) {
    const xg_shape *to = i->shape, *from = XG_OPERAND(i, 0)->shape;
    int32_t order[XG_RANK_MAX];
    xg_ints perm;
    uint32_t k;
    if (i->op == XG_COPY) return to->layout;
    perm = xg_attr_dims(i);
    for (k = 0; k < perm.n; k++)
        order[k] = (int32_t)perm.p[to->layout ? (uint32_t)to->layout->minor_to_major[k] : perm.n - 1 - k];
    return xg_layout_make(i->comp->module, order, perm.n, from->layout ? from->layout->memory_space : 0,
        from->layout ? from->layout->element_bits : 0, xg_str_of("", 0));
}
/* Where operands do not agree: the layout that the copy which is the only reader asks for, or of a concatenation the
 * transpose, if one of the operands has it; else NULL. */
XG_FN const xg_layout *xg_assign_asked(const xg_inst *i) {
    const xg_inst *reader = i->first_use && !i->first_use->next ? i->first_use->user : NULL;
    const xg_layout *l;
    uint32_t k;
    if (!reader || (reader->op != XG_COPY && !(reader->op == XG_TRANSPOSE && i->op == XG_CONCATENATE)) ||
        i == i->comp->root)
        return NULL;
    l = xg_assign_for_reader(reader);
    for (k = 0; k < i->n_operands; k++)
        if (XG_OPERAND(i, k)->shape->rank == i->shape->rank && xg_assign_has_own(XG_OPERAND(i, k)) &&
            XG_OPERAND(i, k)->shape->layout == l)
            return l;
    return NULL;
}
/* What the operands that have a layout of their own agree upon; NULL: nothing. */
XG_FN const xg_layout *xg_assign_agreed(const xg_inst *i) {
    const xg_layout *l = NULL;
    uint32_t k;
    for (k = 0; k < i->n_operands; k++) {
        const xg_inst *o = XG_OPERAND(i, k);
        if (o->shape->rank != i->shape->rank || !xg_assign_has_own(o)) continue;
        if (!xg_assign_is_moved(o->shape)) return NULL;
        if (l && l != o->shape->layout) return xg_assign_asked(i);
        l = o->shape->layout;
    }
    return l;
}

XG_FN const xg_layout *xg_assign_wanted(const xg_inst *i) {
    const xg_layout *l = NULL;
    XG_FOR_USES(u, i) {
        if (!xg_assign_keeps(u->user) || u->user->shape->rank != i->shape->rank || (l && l != u->user->shape->layout))
            return NULL;
        l = u->user->shape->layout;
    }
    return l;
}

/* Readers that are fixed get the old layout back. */
XG_FN bool xg_assign_set(xg_inst *i, const xg_layout *l) {
    const xg_shape *old = i->shape;
    xg_inst *copy = NULL;
    xg_use *u, *next;
    if (!l || l == old->layout) return false;
    i->shape = xg_shape_with_layout(i->comp->module, old, l);
    for (u = i->first_use; u; u = next) {
        next = u->next;
        if (u->user == copy || xg_assign_reads_any(u->user)) continue;
        if (!copy) copy = xg_inst_new(i->comp, XG_COPY, old, &i, 1, i->next, XG_STR("copy"));
        xg_inst_set_operand(u->user, XG_USE_INDEX(u), copy);
    }
    if (i == i->comp->root)
        i->comp->root = copy ? copy : xg_inst_new(i->comp, XG_COPY, old, &i, 1, i->next, XG_STR("copy"));
    return true;
}

/* Copies in front of what keeps indices, for operands of another layout. */
XG_FN bool xg_assign_settle(xg_inst *i) {
    bool changed = false;
    uint32_t k;
    for (k = 0; k < i->n_operands; k++) {
        xg_inst *o = XG_OPERAND(i, k);
        if (o->shape->rank != i->shape->rank || o->shape->layout == i->shape->layout || !xg_assign_is_moved(o->shape))
            continue;
        xg_inst_set_operand(i, k,
            xg_inst_new(i->comp, XG_COPY, xg_shape_with_layout(i->comp->module, o->shape, i->shape->layout), &o, 1, i,
                XG_STR("copy")));
        changed = true;
    }
    return changed;
}

/* A matrix, or a batch of them, column by column. */
XG_FN bool xg_assign_exchanges(const xg_inst *dot, const xg_layout *l) {
    xg_dot_dims d = xg_dot_dims_of(dot);
    uint32_t n = d.lb.n, rank = dot->shape->rank, k;
    if (rank != n + 2 || XG_OPERAND(dot, 0)->shape->rank != n + d.lc.n + 1 || !xg_dot_is_symmetric(dot)) return false;
    for (k = 0; k < n; k++)
        if (l->minor_to_major[rank - 1 - k] != (int32_t)k) return false;
    return l->minor_to_major[0] == (int32_t)n;
}
XG_FN bool xg_assign_dot(xg_inst *dot) {
    const xg_inst *reader = dot->first_use ? dot->first_use->user : NULL;
    const xg_layout *l;
    int32_t minor;
    if (!reader || dot->first_use->next || dot == dot->comp->root ||
        (reader->op != XG_TRANSPOSE && reader->op != XG_COPY))
        return false;
    if (!xg_assign_is_moved(dot->shape) || !xg_assign_is_moved(reader->shape)) return false;
    l = xg_assign_for_reader(reader);
    minor = dot->shape->layout ? dot->shape->layout->minor_to_major[0] : (int32_t)dot->shape->rank - 1;
    if (!l || (l->minor_to_major[0] != minor && !xg_assign_exchanges(dot, l))) return false;
    return xg_assign_set(dot, l);
}
XG_FN bool xg_assign_remove_copy(xg_inst *i) {
    const xg_inst *x = i->op == XG_COPY ? XG_OPERAND(i, 0) : NULL;
    if (!x || x->shape != i->shape || xg_inst_order(i)) return false;
    if (i == i->comp->root && x->op != XG_DOT) return false;
    xg_inst_replace(i, XG_OPERAND(i, 0));
    xg_inst_remove(i);
    return true;
}

/* A transpose, wherever its operand lies, may say by its layout alone what it does. */
XG_FN bool xg_assign_may_rename(const xg_inst *i) {
    return xg_assign_is_moved(i->shape) && xg_assign_is_moved(XG_OPERAND(i, 0)->shape) && xg_assign_readers_are_free(i);
}

XG_APART XG_FN bool xg_assign_all(xg_comp *c) {
    const bool *made = c->module->made;
    xg_inst *i;
    bool changed = false;
    const unsigned char *rows = made[XG_TRANSPOSE] ? xg_assign_rows(c) : NULL; /* no transpose is made here */
    for (i = c->first; i; i = xg_inst_behind(i)) {
        if (i->op == XG_TRANSPOSE)
            changed = (!rows[i->id] && xg_assign_may_rename(i) && xg_assign_set(i, xg_assign_transposed(i))) || changed;
        else if (xg_assign_keeps(i))
            changed = xg_assign_set(i, xg_assign_agreed(i)) || changed;
        else if (xg_assign_updates(i))
            changed = xg_assign_set(i, XG_OPERAND(i, 0)->shape->layout) || changed;
    }
    for (i = made[XG_BROADCAST] || made[XG_IOTA] ? c->last : NULL; i; i = xg_inst_before(i))
        if ((i->op == XG_BROADCAST || i->op == XG_IOTA) && xg_assign_is_moved(i->shape) && i != c->root)
            changed = xg_assign_set(i, xg_assign_wanted(i)) || changed;
    for (i = made[XG_DOT] ? c->last : NULL; i; i = xg_inst_before(i))
        if (i->op == XG_DOT) changed = xg_assign_dot(i) || changed;
    for (i = c->first; i; i = xg_inst_behind(i))
        if (xg_assign_keeps(i)) changed = xg_assign_settle(i) || changed;
    return changed;
}
XG_FN bool xg_assign_remove_copies(xg_comp *c) {
    xg_inst *i, *next;
    bool changed = false;
    for (i = c->module->made[XG_COPY] ? c->first : NULL; i; i = next) {
        next = xg_inst_behind(i);
        changed = xg_assign_remove_copy(i) || changed;
    }
    return changed;
}
/* Without transposes, and with the usual layouts alone, there is nothing to assign. Copies that change nothing go
 * first, too: they would hide the layout that is asked for. */
XG_FN bool xg_assign_comp(xg_comp *c) {
    const xg_module *m = c->module;
    bool changed = xg_assign_remove_copies(c);
    if (!m->made[XG_TRANSPOSE] && !m->made_layout) return changed;
    changed = xg_assign_all(c) || changed;
    return xg_assign_remove_copies(c) || changed;
}

XG_FN bool xg_opt_layout_assignment(xg_module *m) { return xg_opt_each_sequence(m, xg_assign_comp); }

#endif /* XG_OPT_LAYOUT_ASSIGNMENT_C */
