/* spmd/propagate.c -- sharding-propagation: what few annotations say, said of every array.
 *
 * Arrays that are the same (elements of tuples, the state of a loop) are one variable. Shardings spread along the
 * factors of each instruction, forward and backward, level by level, each level to its fixed point:
 *   0  elementwise instructions, reshapes, transposes, and what hands values on
 *   1  all instructions whose factors pass through; broadcasts backward only
 *   2  sums, too
 *   3  broadcasts forward, too
 * Rules of conflicts: a dimension is only split further, never otherwise; what is annotated stays, but for dimensions
 * that are left open; along a factor the longest list of axes wins if the others are its beginnings, else what they
 * have in common; an axis that the array uses elsewhere, or that is manual there, ends the list; there are at most as
 * many tiles as elements. Earlier dimensions and earlier instructions come first, so that the result is the same each
 * time.
 *
 * The entry's parameters are what they are annotated with, replicated where they are not; a result that is not
 * annotated is replicated, too, and stays so, but in modules that leave their results open.
 *
 * Who asks for stages of the compilation gets each step as a line of the stage "propagation_log". */
#ifndef XG_SPMD_PROPAGATE_C
#define XG_SPMD_PROPAGATE_C
#include "spmd.h"

typedef struct xg_prop_var { /* an array; of those that are the same, the first one's counts */
    uint32_t same;
    const xg_inst *inst;
    const xg_shape *shape;
    xg_sharding *s;     /* NULL: nothing is known */
    xg_axis_set manual; /* it lies in a region that is manual along these */
    bool fixed;         /* annotated: only open dimensions may be split further */
} xg_prop_var;

typedef struct xg_prop_op { /* variables that a rule or a border of a manual region joins */
    const xg_inst *inst;
    const xg_spmd_rule *rule; /* NULL: a border; vars[0] outside, vars[1] inside */
    uint32_t n, *vars;        /* by array of the rule; UINT32_MAX: none */
    uint32_t level;           /* from which on it takes part */
    bool backward;            /* below the last level, results are left alone */
} xg_prop_op;

enum {
    XG_PROP_LEVELS = 4,
    XG_PROP_ROUNDS = 1000 /* of a level: each makes some list longer, and most modules need three or four */
};

typedef struct xg_prop {
    xg_module *m;
    xg_arena *arena;
    const xg_spmd_mesh *mesh;
    XG_VEC(xg_prop_var) vars;
    uint32_t *first; /* by instruction's id: the variable of its first leaf */
    XG_VEC(xg_prop_op) ops;
    xg_map64 groups; /* shard_as and shard_like: 1 + the first variable of a group */
    xg_buf log;      /* of its steps, where m->dump takes it */
    const xg_prop_op *step;
    uint32_t level;
} xg_prop;

XG_FN uint32_t xg_prop_find(xg_prop *p, uint32_t v) {
    while (p->vars.p[v].same != v) v = p->vars.p[v].same = p->vars.p[p->vars.p[v].same].same;
    return v;
}
XG_FN void xg_prop_join(xg_prop *p, uint32_t a, uint32_t b) {
    a = xg_prop_find(p, a);
    b = xg_prop_find(p, b);
    p->vars.p[XG_MAX(a, b)].same = XG_MIN(a, b);
}
XG_FN void xg_prop_join_leaves(xg_prop *p, uint32_t a, uint32_t b, int64_t n) {
    int64_t k;
    for (k = 0; k < n; k++) xg_prop_join(p, a + (uint32_t)k, b + (uint32_t)k);
}

/* ---- what belongs together ---- */

XG_FN void xg_prop_add(xg_prop *p, const xg_inst *i, const xg_spmd_rule *r, const uint32_t *vars, uint32_t n,
    uint32_t level, bool backward) {
    xg_prop_op op;
    op.inst = i;
    op.rule = r;
    op.n = n;
    op.vars = (uint32_t *)memcpy(XG_NEW_N(p->arena, uint32_t, (size_t)n + 1), vars, n * sizeof *vars);
    op.level = level;
    op.backward = backward;
    xg_push(p->arena, xg_prop_op, &p->ops, op);
}
/* Two arrays of one shape that should have one sharding. */
XG_FN void xg_prop_edge(xg_prop *p, uint32_t a, uint32_t b) {
    const xg_shape *shape = p->vars.p[a].shape;
    xg_spmd_rule *r;
    uint32_t vars[2], d, t;
    if (!xg_shape_is_array(shape) || !xg_shape_same_dims(shape, p->vars.p[b].shape)) return;
    r = XG_NEW(p->arena, xg_spmd_rule);
    r->n_operands = r->n_results = 1;
    r->known = true;
    r->n_factors = shape->rank;
    r->factors = XG_NEW_N(p->arena, xg_factor, (size_t)shape->rank + 1);
    r->arrays = XG_NEW_N(p->arena, xg_spmd_rule_array, 2);
    for (t = 0; t < 2; t++) {
        xg_spmd_rule_begin_array(p->arena, &r->arrays[t], shape);
        r->arrays[t].factors = XG_NEW_N(p->arena, uint32_t, (size_t)shape->rank + 1);
        for (d = 0; d <= shape->rank; d++) r->arrays[t].first[d] = r->arrays[t].factors[d] = d;
    }
    for (d = 0; d < shape->rank; d++) r->factors[d].size = shape->dims[d];
    vars[0] = a;
    vars[1] = b;
    xg_prop_add(p, NULL, r, vars, 2, 0, false);
}
XG_FN void xg_prop_edges(xg_prop *p, uint32_t a, uint32_t b, int64_t n) {
    int64_t k;
    for (k = 0; k < n; k++) xg_prop_edge(p, a + (uint32_t)k, b + (uint32_t)k);
}

XG_FN void xg_prop_border(xg_prop *p, const xg_inst *i, bool enters) {
    uint32_t vars[2];
    vars[0] = p->first[enters ? XG_OPERAND(i, 0)->id : i->id];
    vars[1] = p->first[enters ? i->id : XG_OPERAND(i, 0)->id];
    xg_prop_add(p, i, NULL, vars, 2, 0, false);
}

XG_FN void xg_prop_rule(xg_prop *p, const xg_inst *i) {
    const xg_spmd_rule *r = xg_spmd_rule_of(p->arena, i);
    uint32_t *vars = XG_NEW_N(p->arena, uint32_t, (size_t)r->n_operands + r->n_results + 1), k;
    bool simple = (xg_op_flags(i->op) & XGF_EW) || i->op == XG_RESHAPE || i->op == XG_TRANSPOSE;
    for (k = 0; k < r->n_operands; k++)
        vars[k] = xg_shape_is_array(XG_OPERAND(i, k)->shape) ? p->first[XG_OPERAND(i, k)->id] : UINT32_MAX;
    for (k = 0; k < r->n_results; k++) vars[r->n_operands + k] = p->first[i->id] + k;
    xg_prop_add(p, i, r, vars, r->n_operands + r->n_results, simple ? 0 : 1, i->op == XG_BROADCAST);
}

XG_FN void xg_prop_control(xg_prop *p, const xg_inst *i) {
    xg_comps comps = xg_opt_control_comps(p->arena, i);
    int64_t n = i->shape->leaves;
    uint32_t k;
    if (i->op == XG_WHILE) {
        const xg_inst *root = xg_attr_comp(i, XG_A_body)->root;
        for (k = 0; k < comps.n; k++) xg_prop_join_leaves(p, p->first[i->id], p->first[comps.p[k]->params[0]->id], n);
        xg_prop_edges(p, p->first[XG_OPERAND(i, 0)->id], p->first[i->id], n);
        xg_prop_edges(p, p->first[root->id], p->first[i->id], n);
        return;
    }
    for (k = 0; k < comps.n; k++) {
        const xg_inst *operand = XG_OPERAND(i, k + 1);
        xg_prop_edges(p, p->first[operand->id], p->first[comps.p[k]->params[0]->id], operand->shape->leaves);
        xg_prop_edges(p, p->first[comps.p[k]->root->id], p->first[i->id], n);
    }
}

/* Its computation may be that of other calls, too: propagation has them in place, and batch.c asks for no more. */
XG_FN void xg_prop_call(xg_prop *p, const xg_inst *i) {
    const xg_comp *c = xg_attr_to_apply(i);
    uint32_t k;
    for (k = 0; k < i->n_operands; k++)
        xg_prop_edges(p, p->first[XG_OPERAND(i, k)->id], p->first[c->params[k]->id], c->params[k]->shape->leaves);
    xg_prop_edges(p, p->first[c->root->id], p->first[i->id], i->shape->leaves);
}

XG_FN void xg_prop_inst(xg_prop *p, const xg_inst *i) {
    uint32_t at = p->first[i->id], k;
    xg_str target = i->op == XG_CUSTOM_CALL ? xg_attr_str(i, XG_A_custom_call_target) : xg_str_of(NULL, 0);
    switch (i->op) {
    case XG_TUPLE:
        for (k = 0; k < i->n_operands; at += (uint32_t)XG_OPERAND(i, k++)->shape->leaves) {
            if (i == p->m->entry->root)
                xg_prop_edges(p, p->first[XG_OPERAND(i, k)->id], at, XG_OPERAND(i, k)->shape->leaves);
            else
                xg_prop_join_leaves(p, p->first[XG_OPERAND(i, k)->id], at, XG_OPERAND(i, k)->shape->leaves);
        }
        return;
    case XG_GET_TUPLE_ELEMENT: {
        const xg_inst *tuple = XG_OPERAND(i, 0);
        uint32_t leaf = xg_shape_leaf_at(tuple->shape, xg_attr_index(i));
        xg_prop_join_leaves(p, p->first[tuple->id] + leaf, at, i->shape->leaves);
        return;
    }
    case XG_OPT_BARRIER:
    case XG_DOMAIN: xg_prop_join_leaves(p, p->first[XG_OPERAND(i, 0)->id], at, i->shape->leaves); return;
    case XG_WHILE:
    case XG_CONDITIONAL: xg_prop_control(p, i); return;
    case XG_CALL: xg_prop_call(p, i); return;
    default: break;
    }
    if (xg_str_is(target, "Sharding"))
        xg_prop_edges(p, p->first[XG_OPERAND(i, 0)->id], at, i->shape->leaves);
    else if (xg_word_in("SPMDFullToShardShape SPMDShardToFullShape", target) >= 0)
        xg_prop_border(p, i, xg_str_is(target, "SPMDFullToShardShape"));
    else
        xg_prop_rule(p, i);
}

/* ---- what is annotated ---- */

XG_FN void xg_prop_group(xg_prop *p, uint32_t v, uint32_t group) {
    void *first = xg_map64_get(&p->groups, group);
    if (first)
        xg_prop_edge(p, (uint32_t)((uintptr_t)first - 1), v);
    else
        xg_map64_put(&p->groups, group, (void *)((uintptr_t)v + 1));
}
XG_APART XG_FN void xg_prop_seed(xg_prop *p, const xg_inst *i) {
    xg_sharding **said = xg_sharding_of(p->arena, p->mesh, i);
    bool param = i->op == XG_PARAMETER && i->comp == p->m->entry;
    bool enters = i->op == XG_CUSTOM_CALL && xg_attr_is(i, XG_A_custom_call_target, "SPMDFullToShardShape");
    int64_t k;
    for (k = 0; k < i->shape->leaves; k++) {
        xg_prop_var *v = &p->vars.p[xg_prop_find(p, p->first[i->id] + (uint32_t)k)];
        if (said && said[k]->group) xg_prop_group(p, p->first[i->id] + (uint32_t)k, said[k]->group);
        v = &p->vars.p[xg_prop_find(p, p->first[i->id] + (uint32_t)k)];
        if (v->fixed || !xg_shape_is_array(v->shape)) continue;
        if (said && said[k]->kind == XG_SHARDING_TILED) {
            v->s = xg_sharding_copy(p->arena, said[k]);
            v->s->devices = NULL;
            v->manual |= v->s->manual;
            v->fixed = !enters;
        } else if (param)
            v->fixed = true;
    }
}

/* Results lie in the manual region that their operands lie in. */
XG_APART XG_FN void xg_prop_regions(xg_prop *p) {
    uint32_t round, k, t;
    bool again = true;
    for (round = 0; again && round < XG_PROP_ROUNDS; round++)
        for (again = false, k = 0; k < p->ops.n; k++) {
            const xg_prop_op *op = &p->ops.p[k];
            xg_axis_set all = 0;
            uint32_t inputs = op->rule ? op->rule->n_operands : 0;
            for (t = 0; t < inputs; t++)
                if (op->vars[t] != UINT32_MAX) all |= p->vars.p[xg_prop_find(p, op->vars[t])].manual;
            for (t = inputs; t < op->n && op->rule; t++) {
                xg_prop_var *v = &p->vars.p[xg_prop_find(p, op->vars[t])];
                again = again || (all & ~v->manual);
                v->manual |= all;
            }
        }
}

/* ---- a step ---- */

XG_FN void xg_prop_log(xg_prop *p, const xg_prop_var *v, uint32_t dim) {
    const xg_inst *by = p->step->inst;
    if (!p->m->dump) return;
    xg_printf(&p->log, "level %u: by %s %.*s, dimension %u of %.*s: ", p->level, xg_op_name(by->op), (int)by->name.n,
        by->name.p, dim, (int)v->inst->name.n, v->inst->name.p);
    xg_sharding_print(&p->log, p->mesh, v->s, XG_SHARDING_IOTA);
    xg_putc(&p->log, '\n');
}
/* Splits a dimension of an array further, as far as that can be. */
XG_FN bool xg_prop_extend(xg_prop *p, uint32_t var, uint32_t dim, const xg_axes_list *want) {
    xg_prop_var *v = &p->vars.p[xg_prop_find(p, var)];
    xg_axes_list has;
    xg_axis_set used;
    uint32_t n;
    int64_t tiles;
    if (v->fixed && (!v->s || !(v->s->open >> dim & 1))) return false;
    if (!v->s) v->s = xg_sharding_new(p->arena, v->shape->rank);
    has = xg_sharding_axes_of(v->s, dim);
    if (!xg_axes_begin(want, &has)) return false;
    used = xg_sharding_used(v->s) | v->manual | v->s->replicated | v->s->unreduced;
    tiles = xg_axes_size(p->mesh, &has);
    for (n = has.n; n < want->n; n++) {
        tiles *= p->mesh->size[want->p[n]];
        if ((used >> want->p[n] & 1) || tiles > v->shape->dims[dim]) break;
        used |= (xg_axis_set)1 << want->p[n];
    }
    if (n == has.n) return false;
    has = xg_axes_cut(want, 0, n);
    xg_sharding_set_axes(v->s, dim, &has);
    xg_prop_log(p, v, dim);
    return true;
}

/* What all arrays say of each factor; a list that contradicts another ends where they part. */
XG_FN void xg_prop_collect(xg_prop *p, const xg_prop_op *op, xg_axes_list *lists, int64_t *weight) {
    const xg_spmd_rule *r = op->rule;
    bool *parted = XG_NEW_N(p->arena, bool, (size_t)r->n_factors + 1);
    xg_axes_list has[XG_SPMD_AXES_MAX];
    uint32_t t, d, k;
    for (t = 0; t < op->n; t++) {
        const xg_spmd_rule_array *a = &r->arrays[t];
        const xg_sharding *s = op->vars[t] == UINT32_MAX ? NULL : p->vars.p[xg_prop_find(p, op->vars[t])].s;
        for (d = 0; s && d < a->rank; d++) {
            if (a->first[d + 1] - a->first[d] > XG_SPMD_AXES_MAX) continue;
            xg_spmd_split_project(p->mesh, r, a, d, s, has);
            for (k = a->first[d]; k < a->first[d + 1]; k++) {
                xg_axes_list *l = &lists[a->factors[k]], *h = &has[k - a->first[d]];
                if (!h->n) continue;
                weight[a->factors[k]] = XG_MAX(weight[a->factors[k]], a->shape->elements);
                if (xg_axes_begin(h, l) && !parted[a->factors[k]])
                    *l = *h;
                else if (!xg_axes_begin(l, h)) {
                    l->n = xg_axes_common(l, h);
                    parted[a->factors[k]] = true;
                }
            }
        }
    }
}
/* What a dimension shall have. */
XG_FN xg_axes_list xg_prop_want(xg_prop *p, const xg_prop_op *op, const xg_spmd_rule_array *a, uint32_t d,
    const xg_axes_list *lists, uint32_t level) {
    xg_axes_list want;
    uint32_t k;
    for (want.n = 0, k = a->first[d]; k < a->first[d + 1]; k++) {
        const xg_factor *f = &op->rule->factors[a->factors[k]];
        xg_axes_list l = lists[a->factors[k]];
        if (f->kind == XG_FACTOR_NEED || (f->kind == XG_FACTOR_REDUCE && level < 2)) break;
        while (l.n && a->first[d + 1] - a->first[d] > 1 && f->size % xg_axes_size(p->mesh, &l)) l.n--;
        if (want.n + l.n <= XG_SPMD_AXES_MAX) xg_axes_append(&want, &l);
        if (xg_axes_size(p->mesh, &l) != f->size) break;
    }
    return want;
}
/* The dimensions of an array; first those whose factors come from the largest arrays: where two want an axis, moving
 * the smaller array costs less. */
XG_FN void xg_prop_order(const xg_spmd_rule_array *a, const int64_t *weight, uint32_t *order) {
    uint32_t d, k;
    for (d = 0; d < a->rank; d++) {
        int64_t w = a->first[d] < a->first[d + 1] ? weight[a->factors[a->first[d]]] : 0;
        for (k = d; k > 0; k--) {
            uint32_t before = order[k - 1];
            if ((a->first[before] < a->first[before + 1] ? weight[a->factors[a->first[before]]] : 0) >= w) break;
            order[k] = before;
        }
        order[k] = d;
    }
}
XG_FN bool xg_prop_spread(xg_prop *p, const xg_prop_op *op, uint32_t level) {
    const xg_spmd_rule *r = op->rule;
    xg_axes_list *lists = XG_NEW_N(p->arena, xg_axes_list, (size_t)r->n_factors + 1);
    int64_t *weight = XG_NEW_N(p->arena, int64_t, (size_t)r->n_factors + 1);
    uint32_t next, k, dims[XG_RANK_MAX];
    bool changed = false;
    xg_prop_collect(p, op, lists, weight);
    for (next = 0; next < op->n; next++) { /* results first */
        uint32_t t = (next + r->n_operands) % op->n;
        const xg_spmd_rule_array *a = &r->arrays[t];
        if (op->vars[t] == UINT32_MAX || (t >= r->n_operands && op->backward && level + 1 < XG_PROP_LEVELS)) continue;
        xg_prop_order(a, weight, dims);
        for (k = 0; k < a->rank; k++) {
            xg_axes_list want = xg_prop_want(p, op, a, dims[k], lists, level);
            if (want.n && xg_prop_extend(p, op->vars[t], dims[k], &want)) changed = true;
        }
    }
    return changed;
}
/* Outside, manual axes come first in each dimension. */
XG_APART XG_FN bool xg_prop_cross(xg_prop *p, const xg_prop_op *op) {
    const xg_prop_var *out = &p->vars.p[xg_prop_find(p, op->vars[0])], *in = &p->vars.p[xg_prop_find(p, op->vars[1])];
    xg_axis_set manual = in->manual & ~out->manual;
    bool changed = false;
    uint32_t d, k;
    if (!manual) return false; /* nothing in the region says what it is: a constant */
    for (d = 0; d < out->shape->rank; d++) {
        xg_axes_list outer, inner, want;
        outer.n = inner.n = want.n = 0;
        if (out->s) outer = xg_sharding_axes_of(out->s, d);
        for (k = 0; k < outer.n; k++) {
            xg_axes_list *to = manual >> outer.p[k] & 1 ? &want : &inner;
            to->p[to->n++] = outer.p[k];
        }
        if (inner.n) changed = xg_prop_extend(p, op->vars[1], d, &inner) || changed;
        if (in->s) inner = xg_sharding_axes_of(in->s, d);
        if (want.n + inner.n > XG_SPMD_AXES_MAX) continue;
        xg_axes_append(&want, &inner);
        if (want.n) changed = xg_prop_extend(p, op->vars[0], d, &want) || changed;
    }
    return changed;
}
XG_APART XG_FN bool xg_prop_step(xg_prop *p, const xg_prop_op *op, uint32_t level) {
    if (op->level > level) return false;
    p->step = op;
    p->level = level;
    return op->rule ? xg_prop_spread(p, op, level) : xg_prop_cross(p, op);
}
XG_FN void xg_prop_level(xg_prop *p, uint32_t level) {
    uint32_t round, k;
    bool again = true;
    for (round = 0; again && round < XG_PROP_ROUNDS; round++) {
        again = false;
        for (k = 0; k < p->ops.n; k++) again = xg_prop_step(p, &p->ops.p[k], level) || again;
        for (k = p->ops.n; k-- > 0;) again = xg_prop_step(p, &p->ops.p[k], level) || again;
    }
}

/* ---- writing ---- */

XG_FN bool xg_prop_is_open(xg_prop *p, const xg_inst *i) { /* a dimension of its annotation */
    xg_sharding **said = xg_sharding_of(p->arena, p->mesh, i);
    int64_t k;
    for (k = 0; k < i->shape->leaves; k++)
        if (said[k]->open) return true;
    return false;
}
XG_APART XG_FN void xg_prop_annotate(xg_prop *p, xg_inst *i) {
    int64_t n = i->shape->leaves, k;
    const xg_attr *was = xg_inst_attr(i, XG_A_sharding);
    xg_sharding **leaves = XG_NEW_N(p->arena, xg_sharding *, (size_t)n + 1);
    bool any = false, said = was != NULL;
    if (i->op == XG_PARAMETER && i->comp == p->m->entry && said) return;
    if (i == p->m->entry->root && !(said ? xg_prop_is_open(p, i) : xg_spmd_results_are_open(p->m))) return;
    if (i->op == XG_CUSTOM_CALL && xg_attr_is(i, XG_A_custom_call_target, "SPMDFullToShardShape")) return;
    for (k = 0; k < n; k++) {
        const xg_prop_var *v = &p->vars.p[xg_prop_find(p, p->first[i->id] + (uint32_t)k)];
        leaves[k] = v->s ? xg_sharding_copy(p->arena, v->s)
                         : xg_sharding_new(p->arena, xg_shape_is_array(v->shape) ? v->shape->rank : 0);
        leaves[k]->open = 0;
        leaves[k]->group = 0;
        any = any || leaves[k]->start[leaves[k]->rank];
    }
    if (any || said) xg_spmd_annotate(i, p->mesh, leaves, n);
}

/* Variables and what joins them. */
XG_FN void xg_prop_begin(xg_prop *p, xg_module *m, const xg_spmd_mesh *mesh) {
    xg_comp *c;
    memset(p, 0, sizeof *p);
    p->m = m;
    p->arena = m->work;
    p->mesh = mesh;
    p->first = XG_NEW_N(p->arena, uint32_t, (size_t)m->n_ids + 1);
    xg_map64_init(&p->groups, p->arena);
    xg_buf_init(&p->log, p->arena);
    for (c = m->first; c; c = c->next)
        XG_FOR_INSTS(i, c) {
            const xg_shape **leaves = xg_shape_leaf_list(p->arena, i->shape);
            int64_t k;
            p->first[i->id] = p->vars.n;
            for (k = 0; k < i->shape->leaves; k++) {
                xg_prop_var v;
                memset(&v, 0, sizeof v);
                v.same = p->vars.n;
                v.inst = i;
                v.shape = leaves[k];
                xg_push(p->arena, xg_prop_var, &p->vars, v);
            }
        }
    for (c = m->first; c; c = c->next)
        XG_FOR_INSTS(i, c) xg_prop_inst(p, i);
}

XG_FN bool xg_spmd_sharding_propagation(xg_module *m) {
    xg_spmd_mesh mesh;
    xg_prop p;
    xg_comp *c;
    uint32_t level;
    if (!xg_spmd_has_shardings(m)) return false;
    mesh = xg_mesh_of_module(m);
    xg_spmd_import(m, &mesh);
    xg_spmd_prepare(m);
    xg_prop_begin(&p, m, &mesh);
    for (c = m->first; c; c = c->next)
        XG_FOR_INSTS(i, c) xg_prop_seed(&p, i);
    xg_prop_regions(&p);
    for (level = 0; level < XG_PROP_LEVELS; level++) xg_prop_level(&p, level);
    for (c = m->first; c; c = c->next)
        XG_FOR_INSTS(i, c) xg_prop_annotate(&p, i);
    m->num_partitions = mesh.devices;
    if (p.log.n) {
        xg_putc(&p.log, 0);
        m->dump(m->dump_user, "propagation_log", p.log.p, p.log.n - 1);
    }
    return true;
}

#endif /* XG_SPMD_PROPAGATE_C */
