/* expand/contract_expander.c -- ragged-dot and scaled-dot, and the calls that stand for them, as plain dots.
 *
 * ragged-dot: a loop over the groups, each round one dot over all rows. With a free ragged dimension the rows of the
 * group are taken from its result; with a contracting one all other rows of both operands are made zero; with a batch
 * one a single dot does, since the groups share nothing. What does not belong to a group is picked away, not multiplied
 * by zero, so that its infinities and NaNs stay where they are. Rows behind the last group give zeros. scaled-dot: each
 * operand times its scale, in f32, which holds every product of 8-bit floats by powers of two. */
#ifndef XG_EXPAND_CONTRACT_EXPANDER_C
#define XG_EXPAND_CONTRACT_EXPANDER_C
#include "expand.h"

/* ---- ragged-dot ---- */

typedef struct xg_ragged_form {
    xg_dot_dims d;
    int64_t dim, group_dim; /* the ragged dimension of lhs; the group dimension of rhs */
    int64_t prefix[XG_RANK_MAX];
    uint32_t n; /* dimensions of lhs that lead the group sizes */
    int64_t groups;
    bool contracting, batch;
} xg_ragged_form;

XG_FN bool xg_ints_hold(xg_ints v, int64_t d) {
    uint32_t k;
    for (k = 0; k < v.n; k++)
        if (v.p[k] == d) return true;
    return false;
}
XG_FN void xg_ragged_form_of(const xg_inst *i, xg_ragged_form *f) {
    const xg_shape *sizes = XG_OPERAND(i, 2)->shape;
    uint32_t k;
    f->d = xg_dot_dims_of(i);
    f->dim = xg_attr_ints(i, XG_A_lhs_ragged_dims).p[0];
    f->contracting = xg_ints_hold(f->d.lc, f->dim);
    f->batch = xg_ints_hold(f->d.lb, f->dim);
    f->group_dim = f->contracting || f->batch ? -1 : xg_attr_ints(i, XG_A_rhs_group_dims).p[0];
    f->groups = sizes->dims[sizes->rank - 1];
    f->n = 0;
    if (sizes->rank == 1) return;
    for (k = 0; k < f->d.lb.n && f->d.lb.p[k] != f->dim; k++) f->prefix[f->n++] = f->d.lb.p[k];
    if (f->contracting)
        for (k = 0; k < f->d.lc.n && f->d.lc.p[k] != f->dim; k++) f->prefix[f->n++] = f->d.lc.p[k];
    if (!f->contracting && !f->batch)
        for (k = 0; k < (uint32_t)f->dim; k++)
            if (!xg_ints_hold(f->d.lc, k) && !xg_ints_hold(f->d.lb, k)) f->prefix[f->n++] = k;
}
/* The dimension of rhs that goes with dimension d of lhs, or -1; the dimension of the dot's result that it becomes, or
 * -1. */
XG_FN int64_t xg_ragged_right(const xg_ragged_form *f, int64_t d) {
    uint32_t k;
    for (k = 0; k < f->d.lc.n; k++)
        if (f->d.lc.p[k] == d) return f->d.rc.p[k];
    for (k = 0; k < f->d.lb.n; k++)
        if (f->d.lb.p[k] == d) return f->d.rb.p[k];
    return -1;
}
XG_FN int64_t xg_ragged_result(const xg_ragged_form *f, int64_t d) {
    int64_t n = f->d.lb.n, k;
    if (xg_ints_hold(f->d.lc, d)) return -1;
    for (k = 0; k < (int64_t)f->d.lb.n; k++)
        if (f->d.lb.p[k] == d) return k;
    for (k = 0; k < d; k++)
        if (!xg_ints_hold(f->d.lc, k) && !xg_ints_hold(f->d.lb, k)) n++;
    return n;
}
/* Where each group ends: s64 of the sizes' dimensions. */
XG_FN xg_inst *xg_ragged_ends(const xg_hb *b, xg_inst *sizes) {
    uint32_t rank = sizes->shape->rank, k;
    int64_t dims[XG_RANK_MAX + 1], places[XG_RANK_MAX + 1], last = rank;
    xg_inst *to, *all;
    if (rank == XG_RANK_MAX) return NULL;
    for (k = 0; k < rank; k++) dims[k] = sizes->shape->dims[k];
    dims[rank] = dims[rank - 1];
    for (k = 0; k + 1 < rank; k++) places[k] = k;
    places[rank - 1] = rank; /* [.., end, group] */
    all = xg_hb_broadcast(b, xg_hb_convert(b, sizes, XLAGPU_S64), dims, rank + 1, places, rank);
    to = xg_hb_iota(b, XLAGPU_S32, dims, rank + 1, (int64_t)rank - 1);
    to = xg_hb_compare(b, "GE", to, xg_hb_iota(b, XLAGPU_S32, dims, rank + 1, rank));
    all = xg_hb_select(b, to, all, xg_hb_int_like(b, all, 0));
    return xg_hb_sum(b, all, &last, 1);
}
/* pred of x's dimensions: index along dim (direction) the limit, which is of the prefix's dimensions; those are
 * dimensions at[..] of x. */
XG_FN xg_inst *xg_ragged_side(const xg_hb *b, const xg_inst *x, int64_t dim, const char *direction, xg_inst *limit,
    const int64_t *at, uint32_t n) {
    xg_inst *i = xg_hb_iota(b, XLAGPU_S64, x->shape->dims, x->shape->rank, dim);
    return xg_hb_compare(b, direction, i, xg_hb_broadcast(b, limit, x->shape->dims, x->shape->rank, at, n));
}
/* x where its index along dim is in the group [from, to), and `otherwise` elsewhere. side: 0 lhs, 1 rhs, 2 result. */
XG_FN xg_inst *xg_ragged_member(
    const xg_hb *b, const xg_ragged_form *f, xg_inst *x, int side, xg_inst *from, xg_inst *to, xg_inst *otherwise) {
    int64_t at[XG_RANK_MAX], dim = side == 0   ? f->dim
                                   : side == 1 ? xg_ragged_right(f, f->dim)
                                               : xg_ragged_result(f, f->dim);
    xg_inst *in;
    uint32_t k;
    for (k = 0; k < f->n; k++)
        at[k] = side == 0   ? f->prefix[k]
                : side == 1 ? xg_ragged_right(f, f->prefix[k])
                            : xg_ragged_result(f, f->prefix[k]);
    in = xg_ragged_side(b, x, dim, "LT", to, at, f->n);
    if (from) in = xg_hb_2(b, XG_AND, in, xg_ragged_side(b, x, dim, "GE", from, at, f->n));
    return xg_hb_select(b, in, x, otherwise);
}
/* x[.., k, ..] along one dimension, which goes. */
XG_FN xg_inst *xg_ragged_pick(const xg_hb *b, xg_inst *x, int64_t dim, xg_inst *k) {
    int64_t sizes[XG_RANK_MAX], rest[XG_RANK_MAX];
    xg_inst *starts[XG_RANK_MAX], *zero = xg_hb_int(b, XLAGPU_S32, 0);
    uint32_t d, n = 0;
    for (d = 0; d < x->shape->rank; d++) {
        starts[d] = (int64_t)d == dim ? k : zero;
        sizes[d] = (int64_t)d == dim ? 1 : x->shape->dims[d];
        if ((int64_t)d != dim) rest[n++] = sizes[d];
    }
    return xg_hb_reshape(b, xg_hb_dynamic_slice(b, x, starts, sizes), rest, n);
}
/* Without the group dimension of rhs. */
XG_FN xg_dot_dims xg_ragged_dims(const xg_hb *b, const xg_ragged_form *f) {
    xg_dot_dims d = f->d;
    int64_t *c = XG_NEW_N(b->comp->module->arena, int64_t, d.rc.n + 1),
            *p = XG_NEW_N(b->comp->module->arena, int64_t, d.rb.n + 1);
    uint32_t k;
    for (k = 0; k < d.rc.n; k++) c[k] = d.rc.p[k] - (d.rc.p[k] > f->group_dim);
    for (k = 0; k < d.rb.n; k++) p[k] = d.rb.p[k] - (d.rb.p[k] > f->group_dim);
    d.rc.p = c;
    d.rb.p = p;
    return d;
}
XG_FN xg_inst *xg_ragged_zeros(const xg_hb *b, const xg_shape *s) {
    xg_inst *zero = xg_hb_int(b, xg_type_real(s->type), 0);
    return xg_hb_splat(b, xg_hb_convert(b, zero, s->type), s->dims, s->rank);
}
XG_FN xg_inst *xg_ragged_expand(const xg_hb *b, xg_inst *i) {
    const xg_shape *s = i->shape;
    xg_inst *l = XG_OPERAND(i, 0), *r = XG_OPERAND(i, 1), *ends = xg_ragged_ends(b, XG_OPERAND(i, 2)), *state[5], *from,
            *to, *part;
    int64_t last = (int64_t)XG_OPERAND(i, 2)->shape->rank - 1;
    xg_ragged_form f;
    xg_loop loop;
    if (!ends) return NULL;
    xg_ragged_form_of(i, &f);
    state[0] = xg_ragged_zeros(b, s);
    if (f.groups == 0) return state[0];
    if (f.batch) {
        to = xg_ragged_pick(b, ends, last, xg_hb_int(b, XLAGPU_S32, f.groups - 1));
        return xg_ragged_member(b, &f, xg_hb_dot(b, l, r, f.d, s->type, i), 2, NULL, to, state[0]);
    }
    state[1] = l;
    state[2] = r;
    state[3] = ends;
    state[4] = xg_hb_2(b, XG_SUBTRACT, ends, xg_hb_convert(b, XG_OPERAND(i, 2), XLAGPU_S64));
    loop = xg_hb_loop(b, state, 5, f.groups);
    to = xg_ragged_pick(&loop.b, loop.state[3], last, loop.k);
    from = xg_ragged_pick(&loop.b, loop.state[4], last, loop.k);
    l = loop.state[1];
    r = loop.state[2];
    if (f.contracting) {
        xg_inst *starts[XG_RANK_MAX];
        int64_t dims[XG_RANK_MAX];
        uint32_t k;
        l = xg_ragged_member(&loop.b, &f, l, 0, from, to, xg_ragged_zeros(&loop.b, l->shape));
        r = xg_ragged_member(&loop.b, &f, r, 1, from, to, xg_ragged_zeros(&loop.b, r->shape));
        part = xg_hb_dot(&loop.b, l, r, f.d, s->type, i);
        starts[0] = loop.k;
        dims[0] = 1;
        for (k = 1; k < s->rank; k++) {
            starts[k] = k > 1 ? starts[1] : xg_hb_int(&loop.b, XLAGPU_S32, 0);
            dims[k] = s->dims[k];
        }
        loop.state[0] =
            xg_hb_dynamic_update_slice(&loop.b, loop.state[0], xg_hb_reshape(&loop.b, part, dims, s->rank), starts);
    } else {
        r = xg_ragged_pick(&loop.b, r, f.group_dim, loop.k);
        part = xg_hb_dot(&loop.b, l, r, xg_ragged_dims(&loop.b, &f), s->type, i);
        loop.state[0] = xg_ragged_member(&loop.b, &f, part, 2, from, to, loop.state[0]);
    }
    xg_hb_loop_end(b, &loop);
    return loop.state[0];
}

/* ---- scaled-dot ---- */

/* scale[.., s, ..] -> [.., s * block, ..] */
XG_FN xg_inst *xg_scaled_spread(const xg_hb *b, xg_inst *scale, const xg_shape *to) {
    uint32_t d, k;
    if (!scale->shape->rank) return xg_hb_splat(b, scale, to->dims, to->rank);
    for (d = 0; d < to->rank; d++) {
        int64_t dims[XG_RANK_MAX + 1], places[XG_RANK_MAX], have = scale->shape->dims[d];
        if (have == to->dims[d]) continue;
        for (k = 0; k < to->rank; k++) {
            places[k] = k + (k > d);
            dims[places[k]] = scale->shape->dims[k];
        }
        dims[d + 1] = to->dims[d] / have;
        scale = xg_hb_broadcast(b, scale, dims, to->rank + 1, places, to->rank);
        for (k = 0; k < to->rank; k++)
            dims[k] = k < d ? scale->shape->dims[k] : k == d ? to->dims[d] : scale->shape->dims[k + 1];
        scale = xg_hb_reshape(b, scale, dims, to->rank);
    }
    return scale;
}
XG_FN xg_inst *xg_scaled_value(const xg_hb *b, xg_inst *x, xg_inst *scale, xlagpu_type t) {
    xg_inst *wide = xg_hb_convert(b, x, t);
    return xg_hb_2(b, XG_MULTIPLY, wide, xg_scaled_spread(b, xg_hb_convert(b, scale, t), x->shape));
}
XG_FN xg_inst *xg_scaled_dot_of(const xg_hb *b, xg_inst *i, xg_dot_dims d) {
    xlagpu_type t = XLAGPU_F32;
    xg_inst *l, *r;
    uint32_t k;
    for (k = 0; k < 4; k++)
        if (XG_OPERAND(i, k)->shape->type == XLAGPU_F64) t = XLAGPU_F64;
    if (i->shape->type == XLAGPU_F64) t = XLAGPU_F64;
    l = xg_scaled_value(b, XG_OPERAND(i, 0), XG_OPERAND(i, 2), t);
    r = xg_scaled_value(b, XG_OPERAND(i, 1), XG_OPERAND(i, 3), t);
    return xg_hb_convert(b, xg_hb_dot(b, l, r, d, t, i->op == XG_SCALED_DOT ? i : NULL), i->shape->type);
}
/* Does the scale have an element for each block of x? */
XG_FN bool xg_scaled_fits(const xg_shape *x, const xg_shape *scale) {
    uint32_t d;
    if (!xg_shape_is_array(x) || !xg_shape_is_array(scale) || x->dynamic || scale->dynamic ||
        xg_type_class(x->type) != XGT_F || xg_type_class(scale->type) != XGT_F)
        return false;
    if (scale->rank && scale->rank != x->rank) return false;
    for (d = 0; d < scale->rank; d++)
        if (scale->dims[d] != x->dims[d] && (scale->dims[d] <= 0 || x->dims[d] % scale->dims[d])) return false;
    return x->rank < XG_RANK_MAX;
}
/* jax.nn.scaled_matmul: both operands contract their last dimension; a first one of three is the batch. */
XG_FN bool xg_scaled_is_call(const xg_inst *i) {
    const xg_shape *l, *r, *s = i->shape;
    uint32_t n;
    if (i->op != XG_CUSTOM_CALL || i->n_operands != 4 ||
        !xg_str_is(xg_attr_str(i, XG_A_custom_call_target), "__op$block_scaled_dot"))
        return false;
    l = XG_OPERAND(i, 0)->shape;
    r = XG_OPERAND(i, 1)->shape;
    if (!xg_scaled_fits(l, XG_OPERAND(i, 2)->shape) || !xg_scaled_fits(r, XG_OPERAND(i, 3)->shape) ||
        !xg_shape_is_array(s) || xg_type_class(s->type) != XGT_F)
        return false;
    n = l->rank;
    if (n < 2 || n > 3 || r->rank != n || s->rank != n || l->dims[n - 1] != r->dims[n - 1] ||
        s->dims[n - 2] != l->dims[n - 2] || s->dims[n - 1] != r->dims[n - 2])
        return false;
    return n == 2 || (l->dims[0] == r->dims[0] && l->dims[0] == s->dims[0]);
}
XG_FN xg_inst *xg_scaled_expand_call(const xg_hb *b, xg_inst *i) {
    int64_t *dims = XG_NEW_N(b->comp->module->arena, int64_t, 2);
    xg_dot_dims d;
    dims[0] = 0;
    dims[1] = (int64_t)i->shape->rank - 1;
    d.lb.p = d.rb.p = dims;
    d.lb.n = d.rb.n = i->shape->rank - 2;
    d.lc.p = d.rc.p = dims + 1;
    d.lc.n = d.rc.n = 1;
    return xg_scaled_dot_of(b, i, d);
}

XG_FN bool xg_contract_matches(const xg_inst *i) {
    if (i->op == XG_SCALED_DOT)
        return xg_scaled_fits(XG_OPERAND(i, 0)->shape, XG_OPERAND(i, 2)->shape) &&
               xg_scaled_fits(XG_OPERAND(i, 1)->shape, XG_OPERAND(i, 3)->shape);
    if (i->op == XG_RAGGED_DOT)
        return !XG_OPERAND(i, 0)->shape->dynamic && !XG_OPERAND(i, 1)->shape->dynamic &&
               !XG_OPERAND(i, 2)->shape->dynamic;
    return xg_scaled_is_call(i);
}
XG_FN xg_inst *xg_contract_expand(const xg_hb *b, xg_inst *i) {
    return i->op == XG_RAGGED_DOT   ? xg_ragged_expand(b, i)
           : i->op == XG_SCALED_DOT ? xg_scaled_dot_of(b, i, xg_dot_dims_of(i))
                                    : xg_scaled_expand_call(b, i);
}
XG_FN bool xg_expand_contract_expander(xg_module *m) {
    return (m->made[XG_SCALED_DOT] || m->made[XG_RAGGED_DOT] || m->made[XG_CUSTOM_CALL]) &&
           xg_opt_expand(m, xg_contract_matches, xg_contract_expand);
}

#endif /* XG_EXPAND_CONTRACT_EXPANDER_C */
