/* opt/collective_rules.c -- the algebra of collectives: a table of rules, each of which moves fewer bytes or lets fewer
 * devices meet. They run with the other collective optimisations, on modules of several devices.
 *
 *     dynamic-slice(all-gather(x)), the own part        ==>  x                              all-gather-dynamic-slice
 *     all-gather(broadcast(x))                          ==>  broadcast(all-gather(x))       all-gather-broadcast
 *     all-gather(convert(x)), widening                  ==>  convert(all-gather(x))         convert-outside
 *     convert(all-gather(x)), narrowing                 ==>  all-gather(convert(x))         convert-inside
 *     reduce-scatter(all-reduce(x)), other groups       ==>  all-reduce(reduce-scatter(x))  reduce-scatter-first
 *     collective-permute(collective-permute(x))         ==>  collective-permute(x)          permute-twice
 *     all-reduce(x), x the same on all devices          ==>  x, or x * their number         all-reduce-of-same
 *
 * all-to-all and collective-permute go past conversions as all-gather does. */
#ifndef XG_OPT_COLLECTIVE_RULES_C
#define XG_OPT_COLLECTIVE_RULES_C
#include "opt.h"
#include "reduce_scatter_creator.c"

/* The same collective of another array; it gives the shape. */
XG_FN xg_inst *xg_meet_of(const xg_hb *b, const xg_inst *like, xg_inst *x, const xg_shape *shape) {
    xg_inst *made = xg_hb_of(b, like->op, shape, x);
    xg_inst_take_attrs(made, like);
    return made;
}
XG_FN const xg_shape *xg_meet_shape(const xg_hb *b, const xg_shape *shape, xlagpu_type type) {
    return xg_shape_array(b->comp->module, type, shape->dims, shape->rank, NULL, shape->layout);
}
/* The user reads the collective's operand, and a collective without users goes: dce leaves collectives alone. */
XG_FN void xg_meet_drop(xg_inst *user, xg_inst *collective) {
    uint32_t k;
    for (k = 0; k < user->n_operands; k++)
        if (XG_OPERAND(user, k) == collective && xg_opt_has_one_user(collective)) {
            xg_inst_set_operand(user, k, XG_OPERAND(collective, 0));
            xg_inst_remove(collective);
            return;
        }
}
/* One array of one size on all devices, which no order of steps ties down. */
XG_FN bool xg_meet_is_plain(const xg_inst *i) {
    return i->n_operands == 1 && xg_shape_is_array(i->shape) && !i->shape->dynamic && !xg_inst_order(i) &&
           !xg_attr_or_0(i, XG_A_constrain_layout);
}
XG_FN bool xg_meet_moves(const xg_inst *i) { /* values go from device to device as they are */
    return (i->op == XG_ALL_GATHER || i->op == XG_ALL_TO_ALL || i->op == XG_COLLECTIVE_PERMUTE) && xg_meet_is_plain(i);
}

/* ---- slices of what was gathered ---- */

XG_FN bool xg_gather_slice_matches(const xg_inst *i) {
    const xg_inst *all = i->op == XG_DYNAMIC_SLICE ? XG_OPERAND(i, 0) : NULL;
    uint32_t dim, k;
    int64_t members;
    xg_groups g;
    if (!all || all->op != XG_ALL_GATHER || !xg_meet_is_plain(all) || xg_inst_order(i)) return false;
    dim = xg_shard_dim(i);
    if (dim == UINT32_MAX || xg_attr_dims(all).p[0] != dim || !xg_fold_groups(all, &g, &members) ||
        i->shape->dims[dim] != XG_OPERAND(all, 0)->shape->dims[dim])
        return false;
    for (k = 0; k < g.n; k++)
        if ((int64_t)g.p[k].n * i->shape->dims[dim] != all->shape->dims[dim]) return false;
    return xg_shard_is_own(all, &g, XG_OPERAND(i, 1 + dim), i->shape->dims[dim]);
}
XG_FN xg_inst *xg_gather_slice_expand(const xg_hb *b, xg_inst *i) {
    xg_inst *all = XG_OPERAND(i, 0), *x = XG_OPERAND(all, 0);
    (void)b;
    xg_meet_drop(i, all);
    return x;
}

/* ---- past broadcasts and conversions ---- */

XG_FN bool xg_gather_broadcast_matches(const xg_inst *i) {
    const xg_inst *wide = i->op == XG_ALL_GATHER && xg_meet_is_plain(i) ? XG_OPERAND(i, 0) : NULL;
    return wide && wide->op == XG_BROADCAST && XG_OPERAND(wide, 0)->shape->elements < wide->shape->elements &&
           xg_ints_at(xg_attr_dims(wide), xg_attr_dims(i).p[0], NULL);
}
XG_FN xg_inst *xg_gather_broadcast_expand(const xg_hb *b, xg_inst *i) {
    xg_inst *wide = XG_OPERAND(i, 0), *x = XG_OPERAND(wide, 0), *made;
    xg_ints map = xg_attr_dims(wide);
    int64_t dims[XG_RANK_MAX], to;
    uint32_t at = 0;
    (void)xg_ints_at(map, xg_attr_dims(i).p[0], &at);
    memcpy(dims, x->shape->dims, x->shape->rank * sizeof *dims);
    dims[at] = i->shape->dims[map.p[at]];
    made = xg_meet_of(b, i, x, xg_hb_shape(b, x->shape->type, dims, x->shape->rank));
    to = at;
    xg_inst_set_one(made, XG_A_dimensions, to);
    return xg_hb_broadcast(b, made, i->shape->dims, i->shape->rank, map.p, map.n);
}

XG_FN bool xg_convert_outside_matches(const xg_inst *i) {
    const xg_inst *x = xg_meet_moves(i) ? XG_OPERAND(i, 0) : NULL;
    return x && x->op == XG_CONVERT && xg_type_bits(XG_OPERAND(x, 0)->shape->type) < xg_type_bits(x->shape->type);
}
XG_FN xg_inst *xg_convert_outside_expand(const xg_hb *b, xg_inst *i) {
    xg_inst *x = XG_OPERAND(XG_OPERAND(i, 0), 0);
    return xg_hb_convert(b, xg_meet_of(b, i, x, xg_meet_shape(b, i->shape, x->shape->type)), i->shape->type);
}
XG_FN bool xg_convert_inside_matches(const xg_inst *i) {
    const xg_inst *all = i->op == XG_CONVERT ? XG_OPERAND(i, 0) : NULL;
    return all && xg_meet_moves(all) && xg_opt_has_one_user(all) &&
           xg_type_bits(i->shape->type) < xg_type_bits(all->shape->type);
}
XG_FN xg_inst *xg_convert_inside_expand(const xg_hb *b, xg_inst *i) {
    xg_inst *all = XG_OPERAND(i, 0), *x = xg_hb_convert(b, XG_OPERAND(all, 0), i->shape->type),
            *made = xg_meet_of(b, all, x, i->shape);
    xg_meet_drop(i, all);
    return made;
}

/* ---- sums ---- */

/* Which members are in a member's group, and at which place it stands there. */
typedef struct xg_meet_table {
    xg_groups groups;
    uint32_t *of;
    int64_t members;
} xg_meet_table;
XG_FN bool xg_meet_table_of(const xg_inst *i, xg_meet_table *t) {
    if (!xg_fold_groups(i, &t->groups, &t->members)) return false;
    t->of = XG_NEW_N(i->comp->module->work, uint32_t, (size_t)t->members + 1);
    return xg_fold_group_of(&t->groups, t->of, t->members);
}
XG_FN const xg_ints *xg_meet_group(const xg_meet_table *t, int64_t member) { return &t->groups.p[t->of[member]]; }
/* How often each member's value comes into what d gets by the inner groups first, then the outer ones. */
XG_FN void xg_meet_count(
    const xg_meet_table *inner, const xg_meet_table *outer, int64_t d, int32_t *count, int32_t by) {
    const xg_ints *o = xg_meet_group(outer, d);
    uint32_t k, j;
    for (k = 0; k < o->n; k++) {
        const xg_ints *in = xg_meet_group(inner, o->p[k]);
        for (j = 0; j < in->n; j++) count[in->p[j]] += by;
    }
}
/* Sums over both in either order are the same, and members that are summed over hold the same part. */
XG_FN bool xg_meet_commute(xg_module *m, const xg_meet_table *sum, const xg_meet_table *scatter) {
    int32_t *count = XG_NEW_N(m->work, int32_t, (size_t)sum->members + 1);
    int64_t d, k;
    for (d = 0; d < sum->members; d++) {
        const xg_ints *others = xg_meet_group(sum, d);
        uint32_t place = 0, at = 0, j;
        (void)xg_ints_at(*xg_meet_group(scatter, d), d, &place);
        for (j = 0; j < others->n; j++)
            if (!xg_ints_at(*xg_meet_group(scatter, others->p[j]), others->p[j], &at) || at != place) return false;
        xg_meet_count(sum, scatter, d, count, 1);
        xg_meet_count(scatter, sum, d, count, -1);
        for (k = 0; k < sum->members; k++)
            if (count[k]) return false;
    }
    return true;
}
XG_FN bool xg_scatter_first_matches(const xg_inst *i) {
    const xg_inst *sum = i->op == XG_REDUCE_SCATTER && xg_gang_may(i) ? XG_OPERAND(i, 0) : NULL;
    xg_meet_table a, b;
    if (!sum || sum->op != XG_ALL_REDUCE || !xg_gang_may(sum) || !xg_opt_has_one_user(sum) ||
        xg_team_mode_of(sum) != xg_team_mode_of(i) ||
        xg_reducer_opcode(xg_attr_to_apply(sum)) != xg_reducer_opcode(xg_attr_to_apply(i)))
        return false;
    return xg_meet_table_of(sum, &a) && xg_meet_table_of(i, &b) && a.members == b.members &&
           xg_meet_commute(i->comp->module, &a, &b);
}
XG_FN xg_inst *xg_scatter_first_expand(const xg_hb *b, xg_inst *i) {
    xg_inst *sum = XG_OPERAND(i, 0), *part = xg_meet_of(b, i, XG_OPERAND(sum, 0), i->shape),
            *made = xg_meet_of(b, sum, part, i->shape);
    xg_meet_drop(i, sum);
    return made;
}

enum {
    XG_MEET_DEPTH = 8 /* so far back is looked for what makes an array the same on all devices */
};
/* Do all members of all groups hold the same array? */
XG_FN bool xg_meet_is_same(const xg_inst *x, uint32_t depth) {
    uint32_t k;
    if (x->op == XG_CONSTANT || x->op == XG_IOTA) return true;
    if (x->op == XG_PARAMETER)
        return x->comp == x->comp->module->entry && xg_attr_is(x, XG_A_sharding, "{replicated}") &&
               x->comp->module->replica_count <= 1;
    if (!depth || !x->n_operands || !xg_shape_is_array(x->shape)) return false;
    if (!(xg_op_flags(x->op) & XGF_EW) && x->op != XG_BROADCAST && x->op != XG_RESHAPE && x->op != XG_TRANSPOSE &&
        x->op != XG_SLICE && x->op != XG_DOT)
        return false;
    for (k = 0; k < x->n_operands; k++)
        if (!xg_meet_is_same(XG_OPERAND(x, k), depth - 1)) return false;
    return true;
}
/* The members of each group; 0: groups of several sizes. */
XG_FN int64_t xg_meet_size(const xg_inst *i) {
    xg_meet_table t;
    uint32_t k;
    if (!xg_meet_table_of(i, &t)) return 0;
    for (k = 1; k < t.groups.n; k++)
        if (t.groups.p[k].n != t.groups.p[0].n) return 0;
    return t.groups.n ? t.groups.p[0].n : 0;
}
XG_FN bool xg_same_sum_matches(const xg_inst *i) {
    int64_t n;
    int op, cls;
    if (i->op != XG_ALL_REDUCE || !xg_gang_may(i) || !xg_meet_is_same(XG_OPERAND(i, 0), XG_MEET_DEPTH)) return false;
    op = xg_reducer_opcode(xg_attr_to_apply(i));
    if (op == XG_MAXIMUM || op == XG_MINIMUM || op == XG_AND || op == XG_OR) return true;
    n = xg_meet_size(i);
    cls = xg_type_class(i->shape->type); /* a product is rounded once, a sum of n numbers n - 1 times */
    return op == XG_ADD && n > 0 && (cls == XGT_I || cls == XGT_F);
}
XG_FN xg_inst *xg_same_sum_expand(const xg_hb *b, xg_inst *i) {
    xg_inst *x = XG_OPERAND(i, 0);
    int64_t n = xg_meet_size(i);
    if (xg_reducer_opcode(xg_attr_to_apply(i)) != XG_ADD) return x;
    return xg_hb_2(b, XG_MULTIPLY, x,
        xg_type_class(i->shape->type) == XGT_F ? xg_hb_float_like(b, x, (double)n) : xg_hb_int_like(b, x, n));
}

/* ---- permutes ---- */

XG_FN bool xg_permute_twice_matches(const xg_inst *i) {
    const xg_inst *first = i->op == XG_COLLECTIVE_PERMUTE && xg_meet_is_plain(i) ? XG_OPERAND(i, 0) : NULL;
    return first && first->op == XG_COLLECTIVE_PERMUTE && xg_meet_is_plain(first) && xg_opt_has_one_user(first) &&
           xg_team_mode_of(first) == xg_team_mode_of(i) && xg_inst_attr(i, XG_A_source_target_pairs) &&
           xg_inst_attr(first, XG_A_source_target_pairs);
}
XG_FN xg_inst *xg_permute_twice_expand(const xg_hb *b, xg_inst *i) {
    xg_inst *first = XG_OPERAND(i, 0), *made;
    const xg_int_lists *then = xg_inst_attr(i, XG_A_source_target_pairs)->v.lists,
                       *before = xg_inst_attr(first, XG_A_source_target_pairs)->v.lists;
    xg_arena *a = b->comp->module->arena;
    xg_int_lists *lists = XG_NEW(a, xg_int_lists);
    xg_ints *pairs = XG_NEW_N(a, xg_ints, (size_t)then->n + 1);
    xg_attr attr = xg_attr_make(XG_A_source_target_pairs);
    uint32_t k, j;
    for (k = 0; k < then->n; k++) /* a device that gets nothing by the first hands zeros on */
        for (j = 0; j < before->n; j++)
            if (before->p[j].p[1] == then->p[k].p[0]) {
                int64_t *pair = XG_NEW_N(a, int64_t, 2);
                pair[0] = before->p[j].p[0];
                pair[1] = then->p[k].p[1];
                pairs[lists->n].p = pair;
                pairs[lists->n++].n = 2;
            }
    lists->p = pairs;
    attr.v.lists = lists;
    made = xg_meet_of(b, i, XG_OPERAND(first, 0), i->shape);
    xg_inst_set_attr(made, attr);
    xg_meet_drop(i, first);
    return made;
}

/* THE table. X(NAME): its functions match, and write what stands for it. */
#define XG_COLLECTIVE_RULES(X) \
    X(gather_slice) \
    X(gather_broadcast) X(convert_outside) X(convert_inside) X(scatter_first) X(permute_twice) X(same_sum)

XG_FN bool xg_opt_collective_rules(xg_module *m) {
    bool changed = false;
    if (!xg_gang_devices(m)) return false;
#define X(name) changed = xg_opt_expand(m, xg_##name##_matches, xg_##name##_expand) || changed;
    XG_COLLECTIVE_RULES(X)
#undef X
    return changed;
}

#endif /* XG_OPT_COLLECTIVE_RULES_C */
