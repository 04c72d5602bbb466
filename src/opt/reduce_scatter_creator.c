/* opt/reduce_scatter_creator.c -- ReduceScatterCreator: of an all-reduce each device takes its own part only: a
 * reduce-scatter, which moves half of it and keeps a part of it.
 *
 *     dynamic-slice(all-reduce(x), replica-id * n, 0)   ==>   reduce-scatter(x), dimensions={0}
 *
 * Where a device's part begins is some integer arithmetic on its number, often a look into a table of constants. It is
 * worked out for each device; the k-th of a group has to take the k-th part. Partitioners write this where an array
 * that is the same everywhere is handed to a reader that wants it sharded. */
#ifndef XG_OPT_REDUCE_SCATTER_CREATOR_C
#define XG_OPT_REDUCE_SCATTER_CREATOR_C
#include "../eval/eval.h"
#include "opt.h"
#include "all_reduce_folder.c"

enum {
    XG_SHARD_DEPTH = 16
};

/* An integer of one element on one device; false: it depends on something else. */
XG_FN bool xg_shard_number(const xg_inst *i, int64_t replica, int64_t partition, uint32_t depth, int64_t *v) {
    int64_t x[2], lo;
    uint32_t k;
    if (depth == 0 || !xg_shape_is_array(i->shape) || xg_type_class(i->shape->type) != XGT_I) return false;
    if (i->op == XG_DYNAMIC_SLICE) { /* a look into a table */
        const xg_inst *table = XG_OPERAND(i, 0);
        if (table->op != XG_CONSTANT || table->literal->elided || table->shape->rank != 1 || i->shape->elements != 1 ||
            !xg_shard_number(XG_OPERAND(i, 1), replica, partition, depth - 1, &lo))
            return false;
        return xg_literal_get_int(table->literal, XG_MAX(XG_MIN(lo, table->shape->elements - 1), (int64_t)0), v);
    }
    if (i->shape->elements != 1) return false;
    for (k = 0; k < i->n_operands; k++)
        if (k > 1 || !xg_shard_number(XG_OPERAND(i, k), replica, partition, depth - 1, &x[k])) return false;
    switch (i->op) {
    case XG_CONSTANT:
        if (i->literal->elided || !xg_literal_get_int(i->literal, 0, v)) return false;
        break;
    case XG_REPLICA_ID: *v = replica; break;
    case XG_PARTITION_ID: *v = partition; break;
    case XG_CONVERT:
    case XG_RESHAPE:
    case XG_BITCAST:
    case XG_COPY: *v = x[0]; break;
    case XG_ADD:
        if (!xg_add64(x[0], x[1], v)) return false;
        break;
    case XG_MULTIPLY:
        if (!xg_mul64(x[0], x[1], v)) return false;
        break;
    case XG_DIVIDE:
        if (x[0] < 0 || x[1] <= 0) return false;
        *v = x[0] / x[1];
        break;
    case XG_REMAINDER:
        if (x[0] < 0 || x[1] <= 0) return false;
        *v = x[0] % x[1];
        break;
    default: return false;
    }
    return *v >= xg_int_type_min(i->shape->type) &&
           (xg_type_bits(i->shape->type) == 64 || *v <= (int64_t)xg_int_type_max(i->shape->type)); /* nothing wraps */
}
/* The dimension of which parts are taken; UINT32_MAX: there is not exactly one. */
XG_FN uint32_t xg_shard_dim(const xg_inst *slice) {
    const xg_shape *from = XG_OPERAND(slice, 0)->shape;
    uint32_t k, dim = UINT32_MAX;
    for (k = 0; k < from->rank; k++) {
        if (slice->shape->dims[k] == from->dims[k]) continue;
        if (dim != UINT32_MAX || slice->shape->dims[k] == 0) return UINT32_MAX;
        dim = k;
    }
    return dim;
}
/* Does the j-th member of each group take part j? */
XG_FN bool xg_shard_is_own(const xg_inst *all, const xg_groups *g, const xg_inst *start, int64_t size) {
    const xg_module *m = all->comp->module;
    int64_t replicas = XG_MAX(m->replica_count, (int64_t)1), partitions = XG_MAX(m->num_partitions, (int64_t)1), r, p;
    xg_team_mode mode = xg_team_mode_of(all);
    uint32_t k, j;
    for (k = 0; k < g->n; k++)
        for (j = 0; j < g->p[k].n; j++) {
            int64_t id = g->p[k].p[j], at;
            for (r = 0; r < replicas; r++)
                for (p = 0; p < partitions; p++) {
                    if ((mode == XG_TEAM_PARTITIONS ? p : mode == XG_TEAM_FLAT ? r * partitions + p : r) != id)
                        continue;
                    if (!xg_shard_number(start, r, p, XG_SHARD_DEPTH, &at) || at != (int64_t)j * size) return false;
                }
        }
    return true;
}
XG_FN bool xg_shard_matches(const xg_inst *i) {
    const xg_inst *all = i->op == XG_DYNAMIC_SLICE ? XG_OPERAND(i, 0) : NULL;
    uint32_t *group, dim, k;
    int64_t members;
    xg_groups g;
    if (!all || all->op != XG_ALL_REDUCE || !xg_gang_may(all) || !xg_opt_has_one_user(all) ||
        xg_attr_or_0(all, XG_A_constrain_layout) || xg_inst_order(i))
        return false;
    dim = xg_shard_dim(i);
    if (dim == UINT32_MAX || !xg_fold_groups(all, &g, &members)) return false;
    group = XG_NEW_N(i->comp->module->work, uint32_t, (size_t)members + 1);
    if (!xg_fold_group_of(&g, group, members)) return false;
    for (k = 0; k < g.n; k++)
        if (g.p[k].n < 2 || (int64_t)g.p[k].n * i->shape->dims[dim] != all->shape->dims[dim]) return false;
    return xg_shard_is_own(all, &g, XG_OPERAND(i, 1 + dim), i->shape->dims[dim]);
}
XG_FN xg_inst *xg_shard_expand(const xg_hb *b, xg_inst *i) {
    xg_inst *all = XG_OPERAND(i, 0), *x = XG_OPERAND(all, 0), *made = xg_hb_of(b, XG_REDUCE_SCATTER, i->shape, x);
    int64_t dim = xg_shard_dim(i);
    xg_inst_take_attrs(made, all);
    xg_inst_set_one(made, XG_A_dimensions, dim);
    xg_inst_set_operand(i, 0, x);
    xg_inst_remove(all); /* one channel, one meeting */
    return made;
}
XG_FN bool xg_opt_reduce_scatter_creator(xg_module *m) {
    return xg_gang_devices(m) && m->made[XG_ALL_REDUCE] && xg_opt_expand(m, xg_shard_matches, xg_shard_expand);
}

#endif /* XG_OPT_REDUCE_SCATTER_CREATOR_C */
