/* expand/ragged_dot.c -- ragged-dot whose groups share the sum or the batch, as a dot.
 *
 * Three kinds, by the ragged dimension of lhs:
 * - Free (a layer of experts): kernels have it as it is (sched/tile_ragged.c, elem/contract.c).
 * - Contracting (the gradient of such a layer): the groups are the batch. Both operands are the rows of the group from
 *   its first one on, and zeros behind its last one, so that the sum may stop there (sched/tile_plan.c).
 * - Batch: the groups share nothing; a plain dot does.
 * What does not belong to a group is picked away, not multiplied by zero, so that its infinities and NaNs stay where
 * they are. The gathers of rows may not become memory, where they would be many times as long as what they read:
 * sched/grouped.c has them read inside of the contraction. */
#ifndef XG_EXPAND_RAGGED_DOT_C
#define XG_EXPAND_RAGGED_DOT_C
#include "../eval/eval.h"
#include "expand.h"

typedef struct xg_dim_list {
    int64_t p[XG_RANK_MAX], size; /* size: the product of their extents */
    uint32_t n;
} xg_dim_list;
typedef struct xg_grouped {
    const xg_hb *b;
    int64_t dim;                  /* the ragged dimension of lhs */
    bool batch, own;              /* own: each place of what leads the group sizes has its own ones */
    int64_t groups, rows, places; /* places: of batch, and of what lies in front of the ragged dimension */
    xlagpu_type number;           /* of rows: 32 bits where these will do */
    xg_inst *begin, *end;         /* number[places, groups]: the rows of each group */
    xg_dot_dims d;
    xg_dim_list lead, summed, left, right; /* contracting dimensions in front of the ragged one, and behind it; free */
} xg_grouped;

XG_FN void xg_dim_list_add(xg_dim_list *l, const xg_shape *s, int64_t d) {
    if (!l->n) l->size = 1;
    l->p[l->n++] = d;
    l->size *= s->dims[d];
}
/* The dimension of rhs that goes with a contracting or batch dimension of lhs. */
XG_FN int64_t xg_grouped_right(const xg_grouped *f, int64_t d) {
    uint32_t k;
    for (k = 0; k < f->d.lc.n; k++)
        if (f->d.lc.p[k] == d) return f->d.rc.p[k];
    for (k = 0; f->d.lb.p[k] != d; k++) {}
    return f->d.rb.p[k];
}
XG_FN void xg_grouped_of(const xg_hb *b, const xg_inst *i, xg_grouped *f) {
    const xg_shape *l = XG_OPERAND(i, 0)->shape, *r = XG_OPERAND(i, 1)->shape, *sizes = XG_OPERAND(i, 2)->shape;
    bool behind = false;
    uint32_t k;
    memset(f, 0, sizeof *f);
    f->b = b;
    f->lead.size = f->summed.size = f->left.size = f->right.size = f->places = 1;
    f->d = xg_dot_dims_of(i);
    f->dim = xg_attr_ints(i, XG_A_lhs_ragged_dims).p[0];
    f->batch = xg_ints_has(f->d.lb, f->dim);
    f->groups = sizes->dims[sizes->rank - 1];
    f->rows = l->dims[f->dim];
    f->own = sizes->rank > 1;
    for (k = 0; k < l->rank; k++)
        if (!xg_ints_has(f->d.lc, k) && !xg_ints_has(f->d.lb, k)) xg_dim_list_add(&f->left, l, k);
    for (k = 0; k < r->rank; k++)
        if (!xg_ints_has(f->d.rc, k) && !xg_ints_has(f->d.rb, k)) xg_dim_list_add(&f->right, r, k);
    for (k = 0; k < f->d.lc.n; k++) {
        behind = behind || f->d.lc.p[k] == f->dim;
        if (f->d.lc.p[k] != f->dim) xg_dim_list_add(behind ? &f->summed : &f->lead, l, f->d.lc.p[k]);
    }
    for (k = 0; k < f->d.lb.n && f->d.lb.p[k] != f->dim; k++) f->places *= l->dims[f->d.lb.p[k]];
    if (!f->batch) f->places *= f->lead.size;
    f->number = xg_cost_mul(f->places, 2 * f->rows) <= INT32_MAX ? XLAGPU_S32 : XLAGPU_S64;
}

/* ---- numbers of rows ---- */

/* x of the dimensions `places` among those of a larger array. */
XG_FN xg_inst *xg_grouped_spread(const xg_grouped *f, xg_inst *x, int64_t n, int64_t m, bool last) {
    int64_t dims[3], at[2];
    dims[0] = f->places;
    dims[1] = n;
    dims[2] = m;
    at[0] = 0;
    at[1] = last ? 2 : 1;
    return xg_hb_broadcast(f->b, x, dims, 3, at, 2);
}
XG_FN xg_inst *xg_grouped_iota(const xg_grouped *f, int64_t n, int64_t m, uint32_t rank, int64_t dim) {
    int64_t dims[3];
    dims[0] = f->places;
    dims[1] = n;
    dims[2] = m;
    return xg_hb_iota(f->b, f->number, dims, rank, dim);
}
/* [places, groups]: of each group the sum over all up to it. */
XG_FN xg_inst *xg_grouped_sums(const xg_grouped *f, xg_inst *sizes) {
    int64_t g = f->groups, last = 2;
    xg_inst *to = xg_grouped_iota(f, g, g, 3, 1), *all = xg_grouped_spread(f, sizes, g, g, true);
    to = xg_hb_compare(f->b, "GE", to, xg_grouped_iota(f, g, g, 3, 2));
    all = xg_hb_select(f->b, to, all, xg_hb_int_like(f->b, all, 0));
    return xg_hb_sum(f->b, all, &last, 1);
}
/* The sizes are not negative; groups end with the rows. */
XG_FN void xg_grouped_groups(xg_grouped *f, xg_inst *sizes) {
    int64_t dims[2], one = 1;
    xg_inst *end, *begin;
    dims[0] = f->places;
    dims[1] = f->groups;
    sizes = xg_hb_convert(f->b, sizes, XLAGPU_S64);
    if (f->own)
        sizes = xg_hb_reshape(f->b, sizes, dims, 2);
    else
        sizes = xg_hb_broadcast(f->b, sizes, dims, 2, &one, 1);
    end = xg_grouped_sums(f, sizes);
    begin = xg_hb_2(f->b, XG_SUBTRACT, end, sizes);
    begin = xg_hb_2(f->b, XG_MINIMUM, begin, xg_hb_int_like(f->b, end, f->rows));
    end = xg_hb_2(f->b, XG_MINIMUM, end, xg_hb_int_like(f->b, end, f->rows));
    f->begin = xg_hb_convert(f->b, begin, f->number);
    f->end = xg_hb_convert(f->b, end, f->number);
}
/* [places, n]: of what `values` say of the one group whose numbers [from, to) hold `at`; 0 where there is none. */
XG_FN xg_inst *xg_grouped_look(const xg_grouped *f, xg_inst *at, xg_inst *from, xg_inst *to, xg_inst *values) {
    int64_t n = at->shape->dims[1], g = f->groups, last = 2;
    xg_inst *in, *below;
    at = xg_grouped_spread(f, at, n, g, false);
    in = xg_hb_compare(f->b, "GE", at, xg_grouped_spread(f, from, n, g, true));
    below = xg_hb_compare(f->b, "LT", at, xg_grouped_spread(f, to, n, g, true));
    in = xg_hb_2(f->b, XG_AND, in, below);
    values = xg_grouped_spread(f, values, n, g, true);
    return xg_hb_sum(f->b, xg_hb_select(f->b, in, values, xg_hb_int_like(f->b, values, 0)), &last, 1);
}
/* [places, ..]: the numbers of rows of all places, of numbers of one place's ones. */
XG_FN xg_inst *xg_grouped_of_all(const xg_grouped *f, xg_inst *at, int64_t each) {
    xg_inst *place = xg_hb_iota(f->b, f->number, at->shape->dims, at->shape->rank, 0);
    at = xg_hb_2(f->b, XG_MINIMUM, at, xg_hb_int_like(f->b, at, each - 1));
    place = xg_hb_2(f->b, XG_MULTIPLY, place, xg_hb_int_like(f->b, place, each));
    return xg_hb_2(f->b, XG_ADD, place, at);
}
/* ---- operands ---- */

typedef struct xg_order {
    int64_t perm[XG_RANK_MAX];
    uint32_t n;
} xg_order;
XG_FN void xg_order_add(xg_order *o, const int64_t *p, uint32_t n) {
    while (n--) o->perm[o->n++] = *p++;
}
XG_FN void xg_order_pairs(const xg_grouped *f, xg_order *o, const xg_dim_list *l) {
    uint32_t k;
    for (k = 0; k < l->n; k++) o->perm[o->n++] = xg_grouped_right(f, l->p[k]);
}
XG_FN xg_inst *xg_grouped_ordered(
    const xg_grouped *f, xg_inst *x, const xg_order *o, int64_t n0, int64_t n1, int64_t n2) {
    int64_t dims[3];
    dims[0] = n0;
    dims[1] = n1;
    dims[2] = n2;
    return xg_hb_reshape(f->b, xg_hb_transpose(f->b, x, o->perm), dims, 3);
}
/* The rows, each with what else there is: [all rows, summed, free]. */
XG_FN xg_inst *xg_grouped_left(const xg_grouped *f, xg_inst *l) {
    xg_order o;
    o.n = 0;
    xg_order_add(&o, f->d.lb.p, f->d.lb.n);
    xg_order_add(&o, f->lead.p, f->lead.n);
    xg_order_add(&o, &f->dim, 1);
    xg_order_add(&o, f->summed.p, f->summed.n);
    xg_order_add(&o, f->left.p, f->left.n);
    return xg_grouped_ordered(f, l, &o, f->places * f->rows, f->summed.size, f->left.size);
}
XG_FN xg_inst *xg_grouped_right_rows(const xg_grouped *f, xg_inst *r) {
    int64_t ragged = xg_grouped_right(f, f->dim);
    xg_order o;
    o.n = 0;
    xg_order_add(&o, f->d.rb.p, f->d.rb.n);
    xg_order_pairs(f, &o, &f->lead);
    xg_order_add(&o, &ragged, 1);
    xg_order_pairs(f, &o, &f->summed);
    xg_order_add(&o, f->right.p, f->right.n);
    return xg_grouped_ordered(f, r, &o, f->places * f->rows, f->summed.size, f->right.size);
}

/* ---- contracting ragged rows ---- */

/* The rows of each group from its first one on: [groups and batch, lead, rows, summed, free], without dimensions of one
 * element that are summed. */
XG_FN xg_inst *xg_grouped_group(const xg_grouped *f, xg_inst *x, int64_t behind) {
    const xg_hb *b = f->b;
    int64_t dims[5], at[3], n = 0, zero = 0;
    xg_inst *row = xg_grouped_iota(f, f->groups, f->rows, 3, 2), *from, *inside, *size;
    from = xg_hb_2(b, XG_ADD, xg_grouped_spread(f, f->begin, f->groups, f->rows, false), row);
    from = xg_grouped_of_all(f, from, f->rows);
    size = xg_grouped_spread(f, xg_hb_2(b, XG_SUBTRACT, f->end, f->begin), f->groups, f->rows, false);
    inside = xg_hb_compare(b, "LT", row, size);
    at[0] = 1;
    at[1] = 0;
    at[2] = 2;
    from = xg_hb_transpose(b, from, at);
    inside = xg_hb_transpose(b, inside, at);
    n = from->shape->elements;
    x = xg_hb_rows(f->b, x, xg_hb_reshape(b, from, &n, 1));
    inside = xg_hb_broadcast(b, xg_hb_reshape(b, inside, &n, 1), x->shape->dims, 3, &zero, 1);
    x = xg_hb_select(b, inside, x, xg_hb_int_like(b, x, 0));
    n = 0;
    dims[n++] = f->groups * (f->places / f->lead.size);
    if (f->lead.size > 1) dims[n++] = f->lead.size;
    dims[n++] = f->rows;
    if (f->summed.size > 1) dims[n++] = f->summed.size;
    dims[n++] = behind;
    return xg_hb_reshape(b, x, dims, (uint32_t)n);
}
XG_FN xg_inst *xg_grouped_groups_dot(const xg_grouped *f, xg_inst *i) {
    int64_t *dims = XG_NEW_N(f->b->comp->module->arena, int64_t, 4), k;
    xg_inst *l = xg_grouped_group(f, xg_grouped_left(f, XG_OPERAND(i, 0)), f->left.size), *r;
    xg_dot_dims d;
    r = xg_grouped_group(f, xg_grouped_right_rows(f, XG_OPERAND(i, 1)), f->right.size);
    for (k = 0; k < 4; k++) dims[k] = k;
    d.lb.p = d.rb.p = dims;
    d.lb.n = d.rb.n = 1;
    d.lc.p = d.rc.p = dims + 1;
    d.lc.n = d.rc.n = l->shape->rank - 2;
    return xg_hb_reshape(f->b, xg_hb_dot(f->b, l, r, d, i->shape->type, i), i->shape->dims, i->shape->rank);
}

/* ---- ragged batch dimensions ---- */

XG_FN xg_inst *xg_grouped_batch_dot(const xg_grouped *f, xg_inst *i) {
    const xg_hb *b = f->b;
    xg_inst *row = xg_grouped_iota(f, f->rows, 0, 2, 1), *some, *inside, *out;
    int64_t dims[XG_RANK_MAX], k, n = 0;
    some = xg_grouped_look(f, row, f->begin, f->end, xg_hb_int_like(b, f->begin, 1));
    inside = xg_hb_compare(b, "NE", some, xg_hb_int_like(b, some, 0));
    out = xg_hb_dot(b, XG_OPERAND(i, 0), XG_OPERAND(i, 1), f->d, i->shape->type, i);
    for (k = 0; f->d.lb.p[k] != f->dim; k++) dims[n++] = out->shape->dims[k];
    dims[n++] = f->rows;
    inside = xg_hb_reshape(b, inside, dims, (uint32_t)n);
    for (k = 0; k < n; k++) dims[k] = k;
    inside = xg_hb_broadcast(b, inside, out->shape->dims, out->shape->rank, dims, (uint32_t)n);
    return xg_hb_select(b, inside, out, xg_hb_int_like(b, out, 0));
}

XG_FN xg_inst *xg_grouped_expand(const xg_hb *b, xg_inst *i) {
    xg_grouped f;
    xg_grouped_of(b, i, &f);
    if (f.groups == 0 || i->shape->elements == 0 || XG_OPERAND(i, 0)->shape->elements == 0)
        return xg_hb_splat(b, xg_hb_int(b, i->shape->type, 0), i->shape->dims, i->shape->rank);
    xg_grouped_groups(&f, XG_OPERAND(i, 2));
    return f.batch ? xg_grouped_batch_dot(&f, i) : xg_grouped_groups_dot(&f, i);
}

#endif /* XG_EXPAND_RAGGED_DOT_C */
