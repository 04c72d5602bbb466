/* opt/dot_dimensions.c -- DotDimensionSorter and DotDimensionMerger: contractions with as few dimensions as they can be
 * written with.
 *
 * Sorter: the order in which contracting dimensions are listed is free; they are listed as they lie in the left
 * operand, or in the right one if only that makes both ascend.
 * Merger: neighbouring dimensions that play the same part (both free; both contracted, or both batch, with neighbours
 * of the same order on the other side) become one, by a reshape that moves nothing. Sums are taken in the same order.
 * Multiplying matrices is what is left of most of what frameworks export. */
#ifndef XG_OPT_DOT_DIMENSIONS_C
#define XG_OPT_DOT_DIMENSIONS_C
#include "opt.h"

/* ---- sorter ---- */

XG_FN bool xg_dot_ascends(const int64_t *p, uint32_t n) {
    uint32_t k;
    for (k = 1; k < n; k++)
        if (p[k] < p[k - 1]) return false;
    return true;
}
/* Sorts `by` and carries `along`. */
XG_FN void xg_dot_sort(int64_t *by, int64_t *along, uint32_t n) {
    uint32_t k, at;
    for (k = 1; k < n; k++)
        for (at = k; at > 0 && by[at - 1] > by[at]; at--) {
            int64_t t = by[at];
            by[at] = by[at - 1];
            by[at - 1] = t;
            t = along[at];
            along[at] = along[at - 1];
            along[at - 1] = t;
        }
}
XG_FN bool xg_opt_dot_dimension_sorter(xg_module *m) {
    bool changed = false;
    xg_comp *c;
    for (c = m->made[XG_DOT] ? m->first : NULL; c; c = c->next)
        XG_FOR_INSTS(i, c) {
            int64_t l[XG_RANK_MAX], r[XG_RANK_MAX];
            xg_dot_dims d;
            if (i->op != XG_DOT) continue;
            d = xg_dot_dims_of(i);
            /* as good as it gets, or the other side would suffer */
            if (d.lc.n < 2 || xg_dot_ascends(d.lc.p, d.lc.n) || xg_dot_ascends(d.rc.p, d.rc.n)) continue;
            memcpy(l, d.lc.p, d.lc.n * sizeof *l);
            memcpy(r, d.rc.p, d.rc.n * sizeof *r);
            xg_dot_sort(l, r, d.lc.n);
            xg_inst_set_ints(i, XG_A_lhs_contracting_dims, l, d.lc.n);
            xg_inst_set_ints(i, XG_A_rhs_contracting_dims, r, d.rc.n);
            changed = true;
        }
    return changed;
}

/* ---- merger ---- */

/* The part of a dimension of one operand: its place in the list of batch or contracting dimensions (+ FREE of those),
 * or FREE. */
enum {
    XG_DOT_FREE = -1,
    XG_DOT_CONTRACTED = 1000
};
typedef struct xg_dot_side {
    xg_inst *x;
    int64_t part[XG_RANK_MAX], group[XG_RANK_MAX];
    uint32_t n_groups;
    int64_t dims[XG_RANK_MAX];
} xg_dot_side;

XG_FN void xg_dot_parts(xg_dot_side *s, xg_inst *x, xg_ints batch, xg_ints contracted) {
    uint32_t k;
    s->x = x;
    for (k = 0; k < x->shape->rank; k++) s->part[k] = XG_DOT_FREE;
    for (k = 0; k < batch.n; k++) s->part[batch.p[k]] = k;
    for (k = 0; k < contracted.n; k++) s->part[contracted.p[k]] = XG_DOT_CONTRACTED + k;
}
/* Does the dimension that plays the part follow the one that plays the part before it? */
XG_FN bool xg_dot_follows(const xg_dot_side *s, int64_t part) {
    uint32_t k;
    for (k = 1; k < s->x->shape->rank; k++)
        if (s->part[k] == part) return s->part[k - 1] == part - 1;
    return false;
}
XG_FN void xg_dot_groups(xg_dot_side *s, const xg_dot_side *other) {
    uint32_t k;
    s->n_groups = 0;
    for (k = 0; k < s->x->shape->rank; k++) {
        bool joins =
            k && (s->part[k] == XG_DOT_FREE ? s->part[k - 1] == XG_DOT_FREE
                                            : s->part[k - 1] == s->part[k] - 1 && s->part[k - 1] != XG_DOT_FREE &&
                                                  xg_dot_follows(other, s->part[k]));
        if (!joins) s->dims[s->n_groups++] = 1;
        s->group[k] = s->n_groups - 1;
        s->dims[s->n_groups - 1] *= s->x->shape->dims[k];
    }
}
/* The list of dimensions of one kind, as groups; each once. */
XG_FN uint32_t xg_dot_group_list(const xg_dot_side *s, xg_ints list, int64_t *out) {
    uint32_t k, n = 0;
    for (k = 0; k < list.n; k++)
        if (n == 0 || out[n - 1] != s->group[list.p[k]]) out[n++] = s->group[list.p[k]];
    return n;
}
XG_FN bool xg_dot_merges(const xg_inst *i) {
    return i->op == XG_DOT && !i->shape->dynamic && i->shape->elements && XG_OPERAND(i, 0)->shape->elements &&
           !XG_OPERAND(i, 0)->shape->dynamic && !XG_OPERAND(i, 1)->shape->dynamic;
}
XG_FN xg_inst *xg_dot_merge(const xg_hb *b, xg_inst *i) {
    xg_dot_dims d = xg_dot_dims_of(i), now;
    int64_t lists[4][XG_RANK_MAX];
    xg_dot_side l, r;
    xg_inst *x, *y;
    xg_dot_parts(&l, XG_OPERAND(i, 0), d.lb, d.lc);
    xg_dot_parts(&r, XG_OPERAND(i, 1), d.rb, d.rc);
    xg_dot_groups(&l, &r);
    xg_dot_groups(&r, &l);
    if (l.n_groups == l.x->shape->rank && r.n_groups == r.x->shape->rank) return NULL;
    now.lb.n = xg_dot_group_list(&l, d.lb, lists[0]);
    now.lb.p = lists[0];
    now.lc.n = xg_dot_group_list(&l, d.lc, lists[1]);
    now.lc.p = lists[1];
    now.rb.n = xg_dot_group_list(&r, d.rb, lists[2]);
    now.rb.p = lists[2];
    now.rc.n = xg_dot_group_list(&r, d.rc, lists[3]);
    now.rc.p = lists[3];
    x = xg_hb_reshape(b, l.x, l.dims, l.n_groups);
    y = xg_hb_reshape(b, r.x, r.dims, r.n_groups);
    x = xg_hb_dot(b, x, y, now, i->shape->type, i);
    return xg_hb_reshape(b, x, i->shape->dims, i->shape->rank);
}
XG_FN bool xg_opt_dot_dimension_merger(xg_module *m) {
    return xg_opt_expand_made(m, xg_dot_merges, xg_dot_merge, XG_DOT);
}

#endif /* XG_OPT_DOT_DIMENSIONS_C */
