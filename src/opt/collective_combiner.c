/* opt/collective_combiner.c -- AllReduceCombiner, AllGatherCombiner, ReduceScatterCombiner: collectives of one kind,
 * over the same groups and with the same attributes, that do not wait for each other, become one of several arrays:
 * what they cost is mostly that devices meet. A combined one moves no more than so many bytes (plan/combiner.c).
 *
 * AllReduceReassociate: op(all-reduce(x), all-reduce(y)) of the same reduction over the same groups is all-reduce(op(x,
 * y)): one meeting for two. So for reduce-scatters.
 *
 * They run once, on modules of several devices; on one there is nothing to combine (collective_simplifier.c). */
#ifndef XG_OPT_COLLECTIVE_COMBINER_C
#define XG_OPT_COLLECTIVE_COMBINER_C
#include "opt.h"

enum {
    XG_GANG_MANY = 128
};

XG_FN bool xg_gang_kind(const xg_inst *i) {
    return i->op == XG_ALL_REDUCE || i->op == XG_ALL_GATHER || i->op == XG_REDUCE_SCATTER;
}
/* What may be combined at all: one array, of a reduction that is one operation. */
XG_FN bool xg_gang_may(const xg_inst *i) {
    if (!xg_gang_kind(i) || i->n_operands != 1 || !xg_shape_is_array(i->shape) || i->shape->dynamic || xg_inst_order(i))
        return false;
    return i->op == XG_ALL_GATHER || xg_reducer_opcode(xg_attr_to_apply(i)) >= 0;
}
XG_FN bool xg_gang_ints_equal(const xg_inst *x, const xg_inst *y, xg_attr_key k) {
    return xg_ints_equal(xg_attr_ints(x, k), xg_attr_ints(y, k));
}
XG_FN bool xg_gang_groups_equal(const xg_inst *x, const xg_inst *y) {
    const xg_attr *a = xg_inst_attr(x, XG_A_replica_groups), *b = xg_inst_attr(y, XG_A_replica_groups);
    uint32_t k, n = a ? a->v.groups->n : 0;
    if (n != (b ? b->v.groups->n : 0)) return false;
    for (k = 0; k < n; k++)
        if (!a->v.groups->p || !b->v.groups->p || !xg_ints_equal(a->v.groups->p[k], b->v.groups->p[k])) return false;
    return true;
}
/* All but the groups. */
XG_FN bool xg_gang_same_kind(const xg_inst *x, const xg_inst *y) {
    if (x->op != y->op || x->shape->type != y->shape->type || !xg_gang_ints_equal(x, y, XG_A_dimensions)) return false;
    if (!xg_inst_attr(x, XG_A_channel_id) != !xg_inst_attr(y, XG_A_channel_id) ||
        !xg_str_eq(xg_attr_str(x, XG_A_mode), xg_attr_str(y, XG_A_mode)))
        return false;
    if (xg_attr_or_0(x, XG_A_use_global_device_ids) != xg_attr_or_0(y, XG_A_use_global_device_ids) ||
        xg_attr_or_0(x, XG_A_constrain_layout) != xg_attr_or_0(y, XG_A_constrain_layout))
        return false;
    return x->op == XG_ALL_GATHER || xg_reducer_opcode(xg_attr_to_apply(x)) == xg_reducer_opcode(xg_attr_to_apply(y));
}
XG_FN bool xg_gang_alike(const xg_inst *x, const xg_inst *y) {
    return xg_gang_same_kind(x, y) && xg_gang_groups_equal(x, y);
}
XG_FN int64_t xg_gang_bytes(const xg_inst *i) {
    int64_t bytes;
    return xg_mul64(
               XG_MAX(i->shape->elements, XG_OPERAND(i, 0)->shape->elements), xg_type_bytes(i->shape->type), &bytes)
               ? bytes
               : INT64_MAX;
}

/* ---- combining ---- */

/* Those behind the first that may go with it; what comes after the first and waits for a member is marked, and is no
 * member. */
XG_FN uint32_t xg_gang_find(xg_inst *first, int64_t most, xg_inst **members) {
    int64_t bytes = xg_gang_bytes(first);
    uint32_t n = 1, k;
    xg_inst *i;
    members[0] = first;
    for (i = first->comp->first; i; i = i->next) i->scratch = NULL;
    first->scratch = first;
    for (i = first->next; i && n < XG_GANG_MANY; i = i->next) {
        for (k = 0; k < i->n_operands && !i->scratch; k++)
            if (XG_OPERAND(i, k)->scratch) i->scratch = first;
        if (i->scratch || !xg_gang_may(i) || !xg_gang_alike(first, i) || xg_gang_bytes(i) > most - bytes) continue;
        bytes += xg_gang_bytes(i);
        i->scratch = first;
        members[n++] = i;
    }
    return n;
}
XG_FN void xg_gang_make(xg_inst **members, uint32_t n) {
    xg_module *m = members[0]->comp->module;
    xg_inst *last = members[n - 1], *i, *next, **in = XG_NEW_N(m->arena, xg_inst *, n), *made;
    const xg_shape **shapes = XG_NEW_N(m->arena, const xg_shape *, n);
    xg_hb b = xg_hb_at(last);
    uint32_t k;
    for (k = 0; k < n; k++) {
        in[k] = XG_OPERAND(members[k], 0);
        shapes[k] = members[k]->shape;
    }
    made = xg_hb_op(&b, last->op, xg_shape_tuple(m, shapes, n), in, n);
    xg_inst_take_attrs(made, members[0]);
    for (k = 0; k < n; k++) {
        xg_inst *one = xg_hb_element(&b, made, k);
        one->scratch = NULL;
        xg_inst_replace(members[k], one);
    }
    made->scratch = NULL;
    for (i = members[0]; i != made; i = next) { /* what waits for a member goes behind its element, in its order */
        next = xg_inst_behind(i);
        for (k = 0; k < n && members[k] != i; k++) {}
        if (k == n && i->scratch) xg_inst_move_before(i, last);
    }
    for (k = 0; k < n; k++) xg_inst_remove(members[k]);
}
XG_FN bool xg_gang_comp(xg_comp *c, xg_opcode op, xg_gang_limit limit) {
    xg_inst *i = c->first, *members[XG_GANG_MANY];
    bool changed = false;
    while (i) {
        uint32_t n = i->op == op && xg_gang_may(i) ? xg_gang_find(i, limit(i), members) : 0;
        xg_inst *before = i->prev;
        if (n < 2) {
            i = i->next;
            continue;
        }
        xg_gang_make(members, n);
        i = before ? before->next : c->first; /* what stood behind the first member */
        changed = true;
    }
    return changed;
}
XG_FN bool xg_gang_devices(const xg_module *m) {
    return (m->replica_count > 1 || m->num_partitions > 1) && !m->is_scheduled;
}
XG_FN bool xg_opt_combine(xg_module *m, xg_opcode op, xg_gang_limit limit) {
    xg_comps all;
    bool changed = false;
    uint32_t k;
    if (!xg_gang_devices(m) || !m->made[op]) return false;
    all = xg_opt_sequences(m);
    for (k = 0; k < all.n; k++) changed = xg_gang_comp(all.p[k], op, limit) || changed;
    return changed;
}

/* ---- reassociation ---- */

XG_FN bool xg_reassociate_matches(const xg_inst *i) {
    const xg_inst *x, *y;
    if (i->n_operands != 2 || !(xg_op_flags(i->op) & XGF_EW) || !(xg_op_flags(i->op) & XGF_COMM)) return false;
    x = XG_OPERAND(i, 0);
    y = XG_OPERAND(i, 1);
    if ((x->op != XG_ALL_REDUCE && x->op != XG_REDUCE_SCATTER) || x == y || !xg_gang_may(x) || !xg_gang_may(y) ||
        !xg_gang_alike(x, y))
        return false;
    return xg_reducer_opcode(xg_attr_to_apply(x)) == (int)i->op && xg_opt_has_one_user(x) && xg_opt_has_one_user(y);
}
XG_FN xg_inst *xg_reassociate_expand(const xg_hb *b, xg_inst *i) {
    xg_inst *x = XG_OPERAND(i, 0), *y = XG_OPERAND(i, 1), *both = xg_hb_2(b, i->op, XG_OPERAND(x, 0), XG_OPERAND(y, 0)),
            *made = xg_hb_of(b, x->op, i->shape, both);
    uint32_t k;
    xg_inst_take_attrs(made, x);
    for (k = 0; k < 2; k++) xg_inst_set_operand(i, k, both); /* dce takes no meeting of devices away */
    xg_inst_remove(x);
    xg_inst_remove(y);
    return made;
}
XG_FN bool xg_opt_all_reduce_reassociate(xg_module *m) {
    return xg_gang_devices(m) && (m->made[XG_ALL_REDUCE] || m->made[XG_REDUCE_SCATTER]) &&
           xg_opt_expand(m, xg_reassociate_matches, xg_reassociate_expand);
}

#endif /* XG_OPT_COLLECTIVE_COMBINER_C */
