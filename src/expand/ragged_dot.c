/* expand/ragged_dot.c -- ragged-dot as one dot over pieces of groups, whose rows gathers bring.
 *
 * Three kinds, by the ragged dimension of lhs:
 * - Free (a layer of experts): the rows of each group are cut into pieces of equal length. A group's last piece runs
 *   over its end; what is computed there is read by none. The pieces are the batch of a dot: its lhs are the rows of a
 *   piece, its rhs the matrix of the piece's group. Each row of the result then is picked from its piece. There are at
 *   most as many pieces as groups that can have a row, and one more for each full piece of the other rows.
 * - Contracting (the gradient of such a layer): the groups are the batch. Both operands are the rows of the group from
 *   its first one on, and zeros behind its last one, so that the sum may stop there (sched/tile_plan.c).
 * - Batch: the groups share nothing; a plain dot does.
 * Rows behind the last group give zeros. What does not belong to a group is picked away, not multiplied by zero, so
 * that its infinities and NaNs stay where they are. Neither gather may become memory, where it would be many times as
 * long as what it reads: sched/grouped.c has them read inside of the contraction. */
#ifndef XG_EXPAND_RAGGED_DOT_C
#define XG_EXPAND_RAGGED_DOT_C
#include "../eval/eval.h"
#include "expand.h"

enum {
    XG_RAGGED_PIECE_MIN = 16, /* rows: the least that matrix units multiply */
    XG_RAGGED_PIECE_MAX = 128 /* rows of a large tile: longer pieces save no reads of the group's matrix */
};

typedef struct xg_dim_list {
    int64_t p[XG_RANK_MAX], size; /* size: the product of their extents */
    uint32_t n;
} xg_dim_list;
typedef struct xg_grouped {
    const xg_hb *b;
    int64_t dim, group_dim;       /* the ragged dimension of lhs; the group dimension of rhs */
    bool contracting, batch, own; /* own: each place of what leads the group sizes has its own ones */
    int64_t groups, rows, places; /* places: of batch, and of what lies in front of the ragged dimension */
    xlagpu_type number;           /* of rows and pieces: 32 bits where these will do */
    xg_inst *begin, *end;         /* number[places, groups]: the rows of each group */
    xg_dot_dims d;
    xg_dim_list lead, summed, left, right; /* lead: free, or contracting, dimensions in front of the ragged one; summed
                                              and left: those behind it */
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
XG_FN void xg_grouped_free(xg_grouped *f, const xg_shape *l, const xg_shape *r) {
    uint32_t k;
    for (k = 0; k < l->rank; k++) {
        if (k == f->dim || xg_ints_has(f->d.lc, k) || xg_ints_has(f->d.lb, k)) continue;
        xg_dim_list_add(!f->contracting && k < f->dim ? &f->lead : &f->left, l, k);
    }
    for (k = 0; k < r->rank; k++)
        if (k != f->group_dim && !xg_ints_has(f->d.rc, k) && !xg_ints_has(f->d.rb, k)) xg_dim_list_add(&f->right, r, k);
}
XG_FN void xg_grouped_of(const xg_hb *b, const xg_inst *i, xg_grouped *f) {
    const xg_shape *l = XG_OPERAND(i, 0)->shape, *r = XG_OPERAND(i, 1)->shape, *sizes = XG_OPERAND(i, 2)->shape;
    bool behind = false;
    int64_t most;
    uint32_t k;
    memset(f, 0, sizeof *f);
    f->b = b;
    f->lead.size = f->summed.size = f->left.size = f->right.size = f->places = 1;
    f->d = xg_dot_dims_of(i);
    f->dim = xg_attr_ints(i, XG_A_lhs_ragged_dims).p[0];
    f->contracting = xg_ints_has(f->d.lc, f->dim);
    f->batch = xg_ints_has(f->d.lb, f->dim);
    f->group_dim = f->contracting || f->batch ? -1 : xg_attr_ints(i, XG_A_rhs_group_dims).p[0];
    f->groups = sizes->dims[sizes->rank - 1];
    f->rows = l->dims[f->dim];
    f->own = sizes->rank > 1;
    xg_grouped_free(f, l, r);
    for (k = 0; k < f->d.lc.n; k++) {
        behind = behind || !f->contracting || f->d.lc.p[k] == f->dim;
        if (f->d.lc.p[k] != f->dim) xg_dim_list_add(behind ? &f->summed : &f->lead, l, f->d.lc.p[k]);
    }
    for (k = 0; k < f->d.lb.n && f->d.lb.p[k] != f->dim; k++) f->places *= l->dims[f->d.lb.p[k]];
    if (!f->batch) f->places *= f->lead.size;
    most = xg_cost_mul(f->places, f->rows + f->groups * XG_RAGGED_PIECE_MAX);
    f->number = most <= INT32_MAX ? XLAGPU_S32 : XLAGPU_S64;
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
/* The rows, each with what else there is: [all rows, behind, summed]. */
XG_FN xg_inst *xg_grouped_left(const xg_grouped *f, xg_inst *l) {
    xg_order o;
    o.n = 0;
    xg_order_add(&o, f->d.lb.p, f->d.lb.n);
    xg_order_add(&o, f->lead.p, f->lead.n);
    xg_order_add(&o, &f->dim, 1);
    if (f->contracting) xg_order_add(&o, f->summed.p, f->summed.n);
    xg_order_add(&o, f->left.p, f->left.n);
    if (!f->contracting) xg_order_add(&o, f->summed.p, f->summed.n);
    if (f->contracting) return xg_grouped_ordered(f, l, &o, f->places * f->rows, f->summed.size, f->left.size);
    return xg_grouped_ordered(f, l, &o, f->places * f->rows, f->left.size, f->summed.size);
}
/* Of free ragged rows: a matrix for each group and place of the batch, in whose memory `*across` says that the summed
 * dimension comes last. Of contracting ones as the left side. */
XG_FN xg_inst *xg_grouped_matrices(const xg_grouped *f, xg_inst *r, bool *across) {
    int64_t batch = f->places / f->lead.size;
    xg_order o;
    o.n = 0;
    xg_order_add(&o, &f->group_dim, 1);
    xg_order_add(&o, f->d.rb.p, f->d.rb.n);
    *across = xg_ints_has(f->d.rc, (int64_t)r->shape->rank - 1);
    if (*across) xg_order_add(&o, f->right.p, f->right.n);
    xg_order_pairs(f, &o, &f->summed);
    if (!*across) xg_order_add(&o, f->right.p, f->right.n);
    if (*across) return xg_grouped_ordered(f, r, &o, f->groups * batch, f->right.size, f->summed.size);
    return xg_grouped_ordered(f, r, &o, f->groups * batch, f->summed.size, f->right.size);
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

/* ---- free ragged rows ---- */

typedef struct xg_pieces {
    int64_t length, n;        /* of each; of a place */
    xg_inst *from, *to;       /* number[places, groups]: the pieces of each group */
    xg_inst *first;           /* the row at which a group's piece 0 would begin, had it that number */
    xg_inst *number, *matrix; /* number[places, n]: of a piece, or of the last one that has a row; its matrix */
} xg_pieces;

/* As long as a group has rows on average. */
XG_FN int64_t xg_grouped_piece(const xg_grouped *f) {
    int64_t rows = f->rows / f->groups, length = XG_RAGGED_PIECE_MIN;
    while (length < XG_RAGGED_PIECE_MAX && length * 2 <= rows) length *= 2;
    return length;
}
XG_FN void xg_grouped_cut(const xg_grouped *f, xg_pieces *p) {
    const xg_hb *b = f->b;
    xg_inst *count = xg_hb_2(b, XG_SUBTRACT, f->end, f->begin), *last, *group, *place;
    int64_t some = XG_MIN(f->groups, f->rows), batch = f->places / f->lead.size;
    xg_slice_dim cut[2];
    p->length = xg_grouped_piece(f);
    p->n = some + (f->rows - some) / p->length;
    count = xg_hb_2(b, XG_ADD, count, xg_hb_int_like(b, count, p->length - 1));
    count = xg_hb_2(b, XG_DIVIDE, count, xg_hb_int_like(b, count, p->length));
    p->to = xg_grouped_sums(f, count);
    p->from = xg_hb_2(b, XG_SUBTRACT, p->to, count);
    p->first = xg_hb_2(b, XG_MULTIPLY, p->from, xg_hb_int_like(b, p->from, p->length));
    p->first = xg_hb_2(b, XG_SUBTRACT, f->begin, p->first);
    memset(cut, 0, sizeof cut);
    cut[0].limit = f->places;
    cut[1].start = f->groups - 1;
    cut[1].limit = f->groups;
    cut[0].stride = cut[1].stride = 1;
    last = xg_hb_reshape(b, xg_hb_slice(b, p->to, cut), &f->places, 1);
    last = xg_hb_2(b, XG_SUBTRACT, last, xg_hb_int_like(b, last, 1));
    last = xg_hb_2(b, XG_MAXIMUM, last, xg_hb_int_like(b, last, 0));
    p->number = xg_grouped_iota(f, p->n, 0, 2, 1);
    cut[0].start = 0;
    last = xg_hb_broadcast(b, last, p->number->shape->dims, 2, &cut[0].start, 1);
    p->number = xg_hb_2(b, XG_MINIMUM, p->number, last);
    group = xg_grouped_look(f, p->number, p->from, p->to, xg_grouped_iota(f, f->groups, 0, 2, 1));
    place = xg_grouped_iota(f, p->n, 0, 2, 0);
    place = xg_hb_2(b, XG_DIVIDE, place, xg_hb_int_like(b, place, f->lead.size));
    group = xg_hb_2(b, XG_MULTIPLY, group, xg_hb_int_like(b, group, batch));
    p->matrix = xg_hb_2(b, XG_ADD, group, place);
}
/* The rows of each piece: [all pieces, rows and what is behind them, summed]. */
XG_FN xg_inst *xg_grouped_piece_rows(const xg_grouped *f, const xg_pieces *p, xg_inst *l) {
    const xg_hb *b = f->b;
    xg_inst *at = xg_grouped_look(f, p->number, p->from, p->to, p->first), *number;
    int64_t dims[3], k;
    number = xg_hb_2(b, XG_MULTIPLY, p->number, xg_hb_int_like(b, p->number, p->length));
    at = xg_grouped_spread(f, xg_hb_2(b, XG_ADD, at, number), p->n, p->length, false);
    at = xg_hb_2(b, XG_ADD, at, xg_grouped_iota(f, p->n, p->length, 3, 2));
    at = xg_grouped_of_all(f, at, f->rows);
    k = at->shape->elements;
    l = xg_hb_rows(f->b, l, xg_hb_reshape(b, at, &k, 1));
    dims[0] = f->places * p->n;
    dims[1] = p->length * f->left.size;
    dims[2] = f->summed.size;
    return xg_hb_reshape(b, l, dims, 3);
}
/* Each row of the result from its piece; zeros behind the last group. */
XG_FN xg_inst *xg_grouped_pick(const xg_grouped *f, const xg_pieces *p, xg_inst *out, const xg_shape *to) {
    const xg_hb *b = f->b;
    xg_inst *row = xg_grouped_iota(f, f->rows, 0, 2, 1), *at, *some, *inside;
    int64_t dims[2], zero = 0, n = f->places * f->rows;
    dims[0] = f->places * p->n * p->length;
    dims[1] = f->left.size * f->right.size;
    out = xg_hb_reshape(b, out, dims, 2);
    at = xg_hb_2(b, XG_SUBTRACT, row, xg_grouped_look(f, row, f->begin, f->end, p->first));
    at = xg_grouped_of_all(f, at, p->n * p->length);
    some = xg_grouped_look(f, row, f->begin, f->end, xg_hb_int_like(b, f->begin, 1));
    inside = xg_hb_compare(b, "NE", some, xg_hb_int_like(b, some, 0));
    out = xg_hb_rows(f->b, out, xg_hb_reshape(b, at, &n, 1));
    inside = xg_hb_broadcast(b, xg_hb_reshape(b, inside, &n, 1), out->shape->dims, 2, &zero, 1);
    out = xg_hb_select(b, inside, out, xg_hb_int_like(b, out, 0));
    return xg_hb_reshape(b, out, to->dims, to->rank);
}
XG_FN xg_dot_dims xg_grouped_batched(const xg_hb *b, int64_t left, int64_t right) {
    int64_t *dims = XG_NEW_N(b->comp->module->arena, int64_t, 3);
    xg_dot_dims d;
    dims[0] = 0;
    dims[1] = left;
    dims[2] = right;
    d.lb.p = d.rb.p = dims;
    d.lc.p = dims + 1;
    d.rc.p = dims + 2;
    d.lb.n = d.rb.n = d.lc.n = d.rc.n = 1;
    return d;
}
XG_APART XG_FN xg_inst *xg_grouped_rows_dot(const xg_grouped *f, xg_inst *i) {
    int64_t n;
    xg_inst *l, *r;
    xg_pieces p;
    bool across;
    xg_grouped_cut(f, &p);
    l = xg_grouped_piece_rows(f, &p, xg_grouped_left(f, XG_OPERAND(i, 0)));
    r = xg_grouped_matrices(f, XG_OPERAND(i, 1), &across);
    n = f->places * p.n;
    r = xg_hb_rows(f->b, r, xg_hb_reshape(f->b, p.matrix, &n, 1));
    r = xg_hb_dot(f->b, l, r, xg_grouped_batched(f->b, 2, across ? 2 : 1), i->shape->type, i);
    return xg_grouped_pick(f, &p, r, i->shape);
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
XG_APART XG_FN xg_inst *xg_grouped_groups_dot(const xg_grouped *f, xg_inst *i) {
    int64_t *summed = XG_NEW_N(f->b->comp->module->arena, int64_t, 3), k;
    xg_inst *l = xg_grouped_group(f, xg_grouped_left(f, XG_OPERAND(i, 0)), f->left.size), *r;
    xg_dot_dims d = xg_grouped_batched(f->b, 1, 1);
    r = xg_grouped_group(f, xg_grouped_right_rows(f, XG_OPERAND(i, 1)), f->right.size);
    d.lc.n = d.rc.n = l->shape->rank - 2;
    for (k = 0; k < (int64_t)d.lc.n; k++) summed[k] = k + 1;
    d.lc.p = d.rc.p = summed;
    return xg_hb_reshape(f->b, xg_hb_dot(f->b, l, r, d, i->shape->type, i), i->shape->dims, i->shape->rank);
}

/* ---- ragged batch dimensions ---- */

XG_APART XG_FN xg_inst *xg_grouped_batch_dot(const xg_grouped *f, xg_inst *i) {
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
    return f.batch         ? xg_grouped_batch_dot(&f, i)
           : f.contracting ? xg_grouped_groups_dot(&f, i)
                           : xg_grouped_rows_dot(&f, i);
}

#endif /* XG_EXPAND_RAGGED_DOT_C */
