/* spmd/batch.c -- which dimension of a module's parameters is the batch, so that it can be split without a word of
 * annotation: data parallelism.
 *
 * Dimensions of arrays that instructions compute side by side (one factor of a rule, where it is the major one of the
 * dimension) are one class. A class is worth the points of all index spaces that it splits: a dot's is its multiply-
 * adds. The batch is the class that is worth most among those that
 *   - are worth half of all there is, or more: a dimension of one large layer is none;
 *   - stand at one and the same place in every parameter that has them: the dimension between two layers is a column of
 *     one matrix and a row of the next;
 *   - never meet themselves, as the positions of a text do in attention, where each looks at all. If all do, one that
 *     stands first: bodies that attract each other.
 * Of those that are worth as much to a tenth the earlier place counts, then the earlier parameter. */
#ifndef XG_SPMD_BATCH_C
#define XG_SPMD_BATCH_C
#include "spmd.h"
#include "propagate.c"

enum {
    XG_BATCH_LEAST = 2, /* parts of all points, of which a batch splits one or more */
    XG_BATCH_SAME = 10  /* worth as much: less by no more than one part of so many */
};

typedef struct xg_batch_class {
    double worth;
    uint32_t dim;  /* its place in parameters */
    uint32_t leaf; /* 1 + the first leaf of the parameters that has it; 0: none */
    bool mixed;    /* it has several places */
    bool meets;    /* it is two dimensions of one index space */
} xg_batch_class;
typedef struct xg_batch {
    uint32_t *base;          /* by variable: the number of its first dimension */
    uint32_t *same;          /* by dimension, as xg_prop_var.same */
    xg_batch_class *classes; /* by dimension: of those that are the class's first */
    double points;           /* of all index spaces */
    xg_prop p;
} xg_batch;

XG_FN uint32_t xg_batch_find(const xg_batch *b, uint32_t node) {
    while (b->same[node] != node) node = b->same[node] = b->same[b->same[node]];
    return node;
}
XG_FN uint32_t xg_batch_of(xg_batch *b, uint32_t var, uint32_t dim) {
    return xg_batch_find(b, b->base[xg_prop_find(&b->p, var)] + dim);
}
/* The dimensions whose major factor is f, joined; gives their class, or UINT32_MAX. */
XG_FN uint32_t xg_batch_factor(xg_batch *b, const xg_prop_op *op, uint32_t f, bool join) {
    uint32_t t, d, found = UINT32_MAX;
    for (t = 0; t < op->n; t++) {
        const xg_spmd_rule_array *a = &op->rule->arrays[t];
        for (d = 0; op->vars[t] != UINT32_MAX && d < a->rank; d++) {
            uint32_t node;
            if (a->first[d] == a->first[d + 1] || a->factors[a->first[d]] != f) continue;
            node = xg_batch_of(b, op->vars[t], d);
            if (join && found != UINT32_MAX && node != found) {
                b->same[XG_MAX(node, found)] = XG_MIN(node, found);
                node = XG_MIN(node, found);
            }
            found = node;
        }
    }
    return found;
}
XG_FN bool xg_batch_splits(const xg_factor *f) {
    return f->size > 1 && (f->kind == XG_FACTOR_PASS || f->kind == XG_FACTOR_REDUCE);
}
XG_FN void xg_batch_join(xg_batch *b) {
    uint32_t k, f;
    for (k = 0; k < b->p.ops.n; k++)
        for (f = 0; b->p.ops.p[k].rule && f < b->p.ops.p[k].rule->n_factors; f++)
            if (xg_batch_splits(&b->p.ops.p[k].rule->factors[f])) (void)xg_batch_factor(b, &b->p.ops.p[k], f, true);
}
XG_FN void xg_batch_weigh(xg_batch *b, const xg_prop_op *op) {
    const xg_spmd_rule *r = op->rule;
    uint32_t *seen = XG_NEW_N(b->p.arena, uint32_t, (size_t)r->n_factors + 1), f, j;
    double points = 1;
    for (f = 0; f < r->n_factors; f++) points *= (double)XG_MAX(r->factors[f].size, (int64_t)1);
    for (f = 0; f < r->n_factors; f++) {
        seen[f] = xg_batch_splits(&r->factors[f]) ? xg_batch_factor(b, op, f, false) : UINT32_MAX;
        if (seen[f] == UINT32_MAX) continue;
        for (j = 0; j < f && seen[j] != seen[f]; j++) {}
        if (j == f)
            b->classes[seen[f]].worth += points;
        else
            b->classes[seen[f]].meets = true;
    }
    b->points += points;
}
XG_FN void xg_batch_params(xg_batch *b) {
    const xg_comp *entry = b->p.m->entry;
    uint32_t k, d, leaf = 0;
    int64_t j;
    for (k = 0; k < entry->n_params; k++)
        for (j = 0; j < entry->params[k]->shape->leaves; j++, leaf++) {
            uint32_t var = b->p.first[entry->params[k]->id] + (uint32_t)j;
            const xg_shape *s = b->p.vars.p[var].shape;
            for (d = 0; xg_shape_is_array(s) && d < s->rank; d++) {
                xg_batch_class *c = &b->classes[xg_batch_of(b, var, d)];
                c->mixed = c->mixed || (c->leaf && c->dim != d);
                if (c->leaf) continue;
                c->leaf = leaf + 1;
                c->dim = d;
            }
        }
}
XG_APART XG_FN bool xg_batch_may(const xg_batch *b, const xg_batch_class *c) {
    return c->leaf && !c->mixed && !(c->meets && c->dim) && c->worth * (double)XG_BATCH_LEAST >= b->points;
}
XG_FN uint32_t xg_batch_best(const xg_batch *b, uint32_t n, bool meets) {
    uint32_t best = UINT32_MAX, k;
    double most = 0;
    for (k = 0; k < n; k++)
        if (xg_batch_may(b, &b->classes[k]) && b->classes[k].meets == meets) most = XG_MAX(most, b->classes[k].worth);
    for (k = 0; k < n; k++) {
        const xg_batch_class *c = &b->classes[k], *than = best == UINT32_MAX ? NULL : &b->classes[best];
        if (!xg_batch_may(b, c) || c->meets != meets ||
            c->worth * (double)XG_BATCH_SAME < most * (double)(XG_BATCH_SAME - 1))
            continue;
        if (!than || c->dim < than->dim || (c->dim == than->dim && c->leaf < than->leaf)) best = k;
    }
    return best;
}
XG_FN uint32_t xg_batch_class_of(xg_module *m, xg_batch *b, const xg_spmd_mesh *mesh) {
    uint32_t n = 0, k, best;
    xg_prop_begin(&b->p, m, mesh);
    b->base = XG_NEW_N(m->work, uint32_t, (size_t)b->p.vars.n + 1);
    for (k = 0; k < b->p.vars.n; k++) {
        b->base[k] = n;
        if (xg_shape_is_array(b->p.vars.p[k].shape)) n += b->p.vars.p[k].shape->rank;
    }
    b->same = XG_NEW_N(m->work, uint32_t, (size_t)n + 1);
    b->classes = XG_NEW_N(m->work, xg_batch_class, (size_t)n + 1);
    for (k = 0; k < n; k++) b->same[k] = k;
    xg_batch_join(b);
    for (k = 0; k < b->p.ops.n; k++)
        if (b->p.ops.p[k].inst && b->p.ops.p[k].rule && b->p.ops.p[k].rule->known) xg_batch_weigh(b, &b->p.ops.p[k]);
    xg_batch_params(b);
    best = xg_batch_best(b, n, false);
    if (best == UINT32_MAX) best = xg_batch_best(b, n, true);
    if (best == UINT32_MAX)
        xg_fail(m->ctx, XLAGPU_ERROR_USAGE,
            "module %.*s: no dimension of its parameters is that of a batch; say by shardings what is split",
            (int)m->name.n, m->name.p);
    return best;
}

/* Splits the leaves of the class that nothing splits yet. */
XG_FN void xg_batch_annotate(
    xg_batch *b, uint32_t wanted, xg_inst *i, const xg_spmd_mesh *mesh, const xg_axes_list *axes) {
    xg_sharding **said = xg_spmd_said(mesh, i, i == b->p.m->entry->root);
    bool any = false;
    int64_t j;
    uint32_t d, k;
    for (j = 0; j < i->shape->leaves; j++) {
        uint32_t var = b->p.first[i->id] + (uint32_t)j;
        const xg_shape *s = b->p.vars.p[var].shape;
        for (d = 0; xg_shape_is_array(s) && said[j]->kind == XG_SHARDING_TILED && d < s->rank; d++) {
            if (xg_batch_of(b, var, d) != wanted || said[j]->start[d] != said[j]->start[d + 1]) continue;
            if (s->dims[d] < xg_axes_size(mesh, axes))
                xg_hlo_fail(i, XLAGPU_ERROR_USAGE, NULL,
                    "the batch, dimension %u of leaf %lld, has %lld elements, fewer than the %lld devices that split "
                    "it",
                    d, (long long)j, (long long)s->dims[d], (long long)xg_axes_size(mesh, axes));
            for (k = 0; k < axes->n && !(xg_sharding_used(said[j]) >> axes->p[k] & 1); k++) {}
            if (k < axes->n) continue;
            xg_sharding_set_axes(said[j], d, axes);
            any = true;
            break;
        }
    }
    if (any) xg_spmd_annotate(i, mesh, said, i->shape->leaves);
}

XG_FN void xg_spmd_split_batch(xg_module *m, const xg_spmd_mesh *mesh, const xg_axes_list *axes) {
    xg_batch b;
    uint32_t wanted, k;
    memset(&b, 0, sizeof b);
    wanted = xg_batch_class_of(m, &b, mesh);
    for (k = 0; k < m->entry->n_params; k++) xg_batch_annotate(&b, wanted, m->entry->params[k], mesh, axes);
    if (m->entry->root->op != XG_PARAMETER) xg_batch_annotate(&b, wanted, m->entry->root, mesh, axes);
}

#endif /* XG_SPMD_BATCH_C */
