/* expand/ragged_finder.c -- RaggedDotFinder: a ragged-dot that is written out as masked dots becomes one again.
 *
 * JAX writes lax.ragged_dot and its gradients, but for TPUs, as dots with all groups, G times the work:
 *
 *     mask[g,m] = start[g] <= m && m < end[g]         end = running sum of sizes, start = end one group later
 *     dot(select(mask, x[m,k], 0), w[g,k,n]) over g, k                         ==>  ragged-dot(x, w, sizes)
 *     dot(select(mask, x[m,k], 0), select(mask, y[m,n], 0)) over m, for each g ==>  ragged-dot(x, y, sizes)
 *
 * Groups follow one another only if no size is negative, so that has to be known: a count is a sum of ones. */
#ifndef XG_EXPAND_RAGGED_FINDER_C
#define XG_EXPAND_RAGGED_FINDER_C
#include "expand.h"

/* An operand: x by rows, behind a mask of groups. */
typedef struct xg_ragged_mask {
    xg_inst *x, *sizes;
    uint32_t group, row; /* dimensions of the masked array */
    uint32_t x_row, x_deep;
} xg_ragged_mask;

XG_FN bool xg_ragged_is_zero(const xg_inst *i) {
    while (i->op == XG_BROADCAST || i->op == XG_RESHAPE) i = XG_OPERAND(i, 0);
    return i->op == XG_CONSTANT && !i->literal->elided && i->shape->elements == 1 &&
           !(xg_type_class(i->shape->type) & XGT_C) && xg_literal_get_float(i->literal, 0) == 0;
}
/* So much an element is at most, where none is less than 0 and no sum on the way wraps around; -1: not known. */
XG_FN int64_t xg_ragged_most(const xg_inst *i, uint32_t depth) {
    xlagpu_type t = i->shape->type;
    int64_t most = 0, each, k;
    if (t == XLAGPU_PRED) return 1;
    if (!depth || xg_type_class(t) != XGT_I) return -1;
    switch (i->op) {
    case XG_CONSTANT:
        for (k = 0; k < i->shape->elements; k++) {
            if (i->literal->elided || !xg_literal_get_int(i->literal, k, &each) || each < 0) return -1;
            most = XG_MAX(most, each);
        }
        break;
    case XG_CONVERT:
    case XG_BROADCAST:
    case XG_RESHAPE:
    case XG_SLICE: most = xg_ragged_most(XG_OPERAND(i, 0), depth - 1); break;
    case XG_CLAMP:
        if (xg_ragged_most(XG_OPERAND(i, 0), depth - 1) < 0) return -1;
        most = xg_ragged_most(XG_OPERAND(i, 2), depth - 1);
        break;
    case XG_SCATTER:
    case XG_REDUCE:
        k = i->op == XG_SCATTER ? 2 : 1; /* of a scatter what is added, of a reduce what the sum begins with */
        if (i->n_operands != k + 1 || xg_reducer_opcode(xg_attr_to_apply(i)) != (int)XG_ADD) return -1;
        most = xg_ragged_most(XG_OPERAND(i, k == 2 ? 0 : 1), depth - 1);
        each = xg_ragged_most(XG_OPERAND(i, k == 2 ? 2 : 0), depth - 1);
        if (most < 0 || each < 0) return -1;
        most = xg_cost_add_mul(most, each, XG_OPERAND(i, k == 2 ? 2 : 0)->shape->elements);
        break;
    default: return -1;
    }
    k = xg_type_bits(t) - (xg_type_signed(t) ? 1 : 0);
    return k < 63 && most >> k ? -1 : most;
}
/* What is the same along all dimensions but this one, where it has numbers of its own; NULL: it is not. */
XG_FN xg_inst *xg_ragged_along(const xg_inst *i, uint32_t *dim) {
    if (i->op != XG_BROADCAST || XG_OPERAND(i, 0)->shape->rank != 1) return NULL;
    *dim = (uint32_t)xg_attr_dims(i).p[0];
    return XG_OPERAND(i, 0);
}
/* A running sum's numbers; NULL: it is none. */
XG_FN xg_inst *xg_ragged_summed(const xg_inst *sum) {
    const xg_attr *a = sum->op == XG_REDUCE_WINDOW && sum->n_operands == 2 ? xg_inst_attr(sum, XG_A_window) : NULL;
    const xg_window_dim *d;
    int64_t n = sum->shape->elements;
    if (!a || sum->shape->rank != 1 || a->v.window->n != 1 || !xg_ragged_is_zero(XG_OPERAND(sum, 1)) ||
        xg_reducer_opcode(xg_attr_to_apply(sum)) != (int)XG_ADD)
        return NULL;
    d = &a->v.window->p[0];
    if (d->size != n || d->pad_low != n - 1 || d->pad_high || d->stride != 1 || d->base_dilation != 1 ||
        d->window_dilation != 1 || d->reversal)
        return NULL;
    return XG_OPERAND(sum, 0);
}
/* The running sum with 0 in front, without its last number. */
XG_FN bool xg_ragged_starts(const xg_inst *start, const xg_inst *end) {
    const xg_inst *rest = start->op == XG_CONCATENATE && start->n_operands == 2 ? XG_OPERAND(start, 1) : NULL;
    return rest && rest->op == XG_SLICE && XG_OPERAND(rest, 0) == end && XG_OPERAND(start, 0)->shape->elements == 1 &&
           xg_ragged_is_zero(XG_OPERAND(start, 0)) && xg_inst_attr(rest, XG_A_slice)->v.slices->p[0].start == 0 &&
           xg_inst_attr(rest, XG_A_slice)->v.slices->p[0].stride == 1;
}
/* One side of the mask: a row's number compared with its group's bound. */
XG_FN xg_inst *xg_ragged_bound(const xg_inst *i, bool ends, xg_ragged_mask *m) {
    const xg_inst *row;
    xg_inst *bound;
    if (i->op != XG_COMPARE || !xg_str_is(xg_attr_str(i, XG_A_direction), ends ? "LT" : "LE")) return NULL;
    row = xg_ragged_along(XG_OPERAND(i, !ends), &m->row);
    bound = xg_ragged_along(XG_OPERAND(i, ends), &m->group);
    return row && row->op == XG_IOTA && bound && m->row != m->group ? bound : NULL;
}
XG_APART XG_FN bool xg_ragged_masks(const xg_inst *i, xg_ragged_mask *m) {
    xg_inst *start, *end;
    xg_ragged_mask other;
    if (i->op != XG_AND) return false;
    start = xg_ragged_bound(XG_OPERAND(i, 0), false, m);
    end = xg_ragged_bound(XG_OPERAND(i, 1), true, &other);
    if (!start || !end || m->row != other.row || m->group != other.group || !xg_ragged_starts(start, end)) return false;
    m->sizes = xg_ragged_summed(end);
    return m->sizes != NULL;
}
/* select(mask, x for all groups, 0), of x with rows and columns. */
XG_FN bool xg_ragged_masked(const xg_inst *i, xg_ragged_mask *m) {
    enum {
        DEPTH = 8 /* operations one behind the other that sizes are made of */
    };
    const xg_inst *all = i->op == XG_SELECT ? XG_OPERAND(i, 1) : NULL;
    int64_t most;
    xg_ints d;
    uint32_t k;
    if (!all || i->shape->rank != 3 || i->shape->dynamic || all->op != XG_BROADCAST || all->shape->rank != 3 ||
        !xg_ragged_is_zero(XG_OPERAND(i, 2)) || !xg_ragged_masks(XG_OPERAND(i, 0), m))
        return false;
    m->x = XG_OPERAND(all, 0);
    d = xg_attr_dims(all);
    if (d.n != 2 || xg_ints_has(d, m->group) || !xg_ints_at(d, m->row, &k)) return false;
    m->x_row = k;
    m->x_deep = 1 - k;
    most = xg_ragged_most(m->sizes, DEPTH); /* ends are sums of all */
    return most >= 0 && xg_cost_mul(most, m->sizes->shape->elements) < (int64_t)1
                                                                           << (xg_type_bits(m->sizes->shape->type) - 2);
}
XG_FN xg_inst *xg_ragged_made(
    const xg_hb *b, xg_inst *dot, const xg_ragged_mask *m, xg_inst *y, uint32_t deep, uint32_t y_deep, int64_t group) {
    const xg_attr *precision = xg_inst_attr(dot, XG_A_operand_precision);
    xg_inst *in[3], *made;
    int64_t v;
    in[0] = m->x;
    in[1] = y;
    in[2] = m->sizes;
    made = xg_hb_op(b, XG_RAGGED_DOT, dot->shape, in, 3);
    v = deep;
    xg_inst_set_one(made, XG_A_lhs_contracting_dims, v);
    v = y_deep;
    xg_inst_set_one(made, XG_A_rhs_contracting_dims, v);
    v = m->x_row;
    xg_inst_set_one(made, XG_A_lhs_ragged_dims, v);
    if (group >= 0) xg_inst_set_one(made, XG_A_rhs_group_dims, group);
    if (precision) xg_inst_set_attr(made, *precision);
    return made;
}
/* The ragged-dot that a dot is; NULL: it is none. */
XG_APART XG_FN xg_inst *xg_ragged_found(const xg_hb *b, xg_inst *dot) {
    xg_dot_dims d = xg_dot_dims_of(dot);
    xg_ragged_mask m, other;
    uint32_t k, deep;
    if (XG_OPERAND(dot, 1)->shape->rank != 3 || XG_OPERAND(dot, 1)->shape->dynamic ||
        xg_inst_attr(dot, XG_A_algorithm) || !xg_ragged_masked(XG_OPERAND(dot, 0), &m))
        return NULL;
    deep = 3 - m.group - m.row;
    if (d.lb.n == 0 && d.lc.n == 2 && xg_ints_at(d.lc, m.group, &k) && xg_ints_has(d.lc, deep))
        return xg_ragged_made(b, dot, &m, XG_OPERAND(dot, 1), m.x_deep, (uint32_t)d.rc.p[1 - k], d.rc.p[k]);
    if (d.lb.n != 1 || d.lb.p[0] != (int64_t)m.group || d.lc.n != 1 || d.lc.p[0] != (int64_t)m.row) return NULL;
    if (!xg_ragged_masked(XG_OPERAND(dot, 1), &other) || other.sizes != m.sizes || d.rb.p[0] != (int64_t)other.group ||
        d.rc.p[0] != (int64_t)other.row)
        return NULL;
    return xg_ragged_made(b, dot, &m, other.x, m.x_row, other.x_row, -1);
}
XG_FN bool xg_ragged_find_in(xg_comp *c) {
    bool changed = false;
    xg_inst *i = c->first, *next, *made;
    for (; i; i = next) {
        xg_hb b = xg_hb_at(i);
        next = i->next;
        made = i->op == XG_DOT ? xg_ragged_found(&b, i) : NULL;
        if (!made) continue;
        xg_opt_replace(i, made);
        xg_inst_remove(i);
        changed = true;
    }
    return changed;
}
XG_FN bool xg_expand_ragged_finder(xg_module *m) {
    return m->made[XG_DOT] && m->made[XG_REDUCE_WINDOW] && xg_opt_each_sequence(m, xg_ragged_find_in);
}

#endif /* XG_EXPAND_RAGGED_FINDER_C */
