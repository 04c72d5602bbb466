/* algsimp/matrix.c -- rules about matrices of which more is known than their elements: symmetric ones, and factors.
 * What they promise stands in algsimp.h.
 *
 * Front ends symmetrise what is symmetric already, and mask factors whose other triangle is zero already; each of these
 * costs a pass over memory and a second buffer. */
#ifndef XG_ALGSIMP_MATRIX_C
#define XG_ALGSIMP_MATRIX_C
#include "algsimp.h"

#define RULE(name) XG_FN xg_inst *xg_alg_##name(xg_alg *a, xg_inst *i)
#define P(k) XG_OPERAND(i, k)
#define RANK(x) (x)->shape->rank

/* ---- symmetry ---- */

enum {
    XG_MIRROR_STEPS = 48
};
/* Two dimensions that change places, and how many questions may still be asked. */
typedef struct xg_mirror {
    int64_t p, q;
    int steps;
} xg_mirror;

XG_FN int64_t xg_mirror_of(const xg_mirror *m, int64_t d) { return d == m->p ? m->q : d == m->q ? m->p : d; }
XG_FN bool xg_mirror_exchanges(const xg_mirror *m, xg_ints perm) {
    uint32_t k;
    for (k = 0; k < perm.n; k++)
        if (perm.p[k] != xg_mirror_of(m, k)) return false;
    return true;
}
/* Of complex numbers only sums do to the last bit: which of two with a NaN each is the larger depends on their
 * order. */
XG_APART XG_FN bool xg_mirror_commutes(const xg_inst *x) {
    if (x->op == XG_COMPARE) return xg_attr_is(x, XG_A_direction, "EQ") || xg_attr_is(x, XG_A_direction, "NE");
    return (xg_op_flags(x->op) & XGF_COMM) && (x->op == XG_ADD || !(xg_type_class(x->shape->type) & XGT_C));
}
/* Each product is made of the same two elements in both places, and the sums have one order. */
XG_FN bool xg_mirror_is_gram(const xg_mirror *m, const xg_inst *dot) {
    xg_dot_dims d = xg_dot_dims_of(dot);
    const xg_inst *x = XG_OPERAND(dot, 0);
    uint32_t k;
    if (x != XG_OPERAND(dot, 1) || (xg_type_class(dot->shape->type) & XGT_C) || RANK(x) != d.lb.n + d.lc.n + 1 ||
        !xg_dot_is_symmetric(dot))
        return false;
    for (k = 0; k < d.lb.n; k++)
        if (d.lb.p[k] != d.rb.p[k]) return false;
    for (k = 0; k < d.lc.n; k++)
        if (d.lc.p[k] != d.rc.p[k]) return false;
    return XG_MIN(m->p, m->q) == (int64_t)d.lb.n && XG_MAX(m->p, m->q) == (int64_t)d.lb.n + 1;
}
XG_FN bool xg_alg_mirrored(xg_mirror *m, const xg_inst *x, const xg_inst *y);
XG_FN bool xg_mirror_broadcasts(xg_mirror *m, const xg_inst *x, const xg_inst *y) {
    int64_t from[XG_RANK_MAX], to[XG_RANK_MAX];
    const xg_inst *source = XG_OPERAND(x, 0);
    xg_mirror inner = *m;
    bool same = true;
    uint32_t k;
    if (source != XG_OPERAND(y, 0)) return false;
    xg_alg_broadcast_sources(x, from);
    xg_alg_broadcast_sources(y, to);
    for (k = 0; k < RANK(x); k++) same = same && to[k] == from[xg_mirror_of(m, k)];
    if (same) return true;
    inner.p = from[m->p];
    inner.q = from[m->q];
    for (k = 0; k < RANK(x); k++)
        if (to[k] != from[k]) return false;
    same = inner.p >= 0 && inner.q >= 0 && xg_alg_mirrored(&inner, source, source);
    m->steps = inner.steps;
    return same;
}
/* The sign of a number of that type is apart from its size. */
XG_FN bool xg_mirror_has_sign(xlagpu_type t) {
    const xg_float_format *f = xg_float_format_of(t);
    return f ? f->has_sign : xg_type_class(t) == XGT_I && xg_type_signed(t);
}
/* Exchanged, a difference is the other way round; its size and its square are the same, of zeros, too. */
XG_FN bool xg_mirror_is_even(xg_mirror *m, const xg_inst *x) {
    const xg_inst *d =
        x->op == XG_ABS || (x->op == XG_MULTIPLY && XG_OPERAND(x, 0) == XG_OPERAND(x, 1)) ? XG_OPERAND(x, 0) : NULL;
    return d && d->op == XG_SUBTRACT && xg_mirror_has_sign(d->shape->type) &&
           xg_alg_mirrored(m, XG_OPERAND(d, 0), XG_OPERAND(d, 1));
}
/* Over dimensions that stay: each result is made of the same elements in the same order. */
XG_FN bool xg_mirror_reduces(xg_mirror *m, const xg_inst *x) {
    xg_ints over = xg_attr_dims(x);
    int64_t kept[XG_RANK_MAX];
    xg_mirror inner = *m;
    bool same;
    uint32_t d, k, n = 0;
    if (x->n_operands != 2) return false;
    for (d = 0; d < RANK(XG_OPERAND(x, 0)); d++) {
        for (k = 0; k < over.n && over.p[k] != (int64_t)d; k++) {}
        if (k == over.n) kept[n++] = d;
    }
    inner.p = kept[m->p];
    inner.q = kept[m->q];
    same = xg_alg_mirrored(&inner, XG_OPERAND(x, 0), XG_OPERAND(x, 0));
    m->steps = inner.steps;
    return same;
}
/* Is an element of x the same bits as the element of y at the place with both dimensions exchanged? Of x itself: is it
 * symmetric? */
XG_FN bool xg_alg_mirrored(xg_mirror *m, const xg_inst *x, const xg_inst *y) {
    uint32_t k;
    if (m->steps-- <= 0 || !xg_shape_is_array(x->shape) || !xg_shape_is_array(y->shape)) return false;
    if (RANK(x) == 0) return x == y;
    if (RANK(x) != RANK(y) || x->shape->dims[m->p] != x->shape->dims[m->q]) return false;
    if (x->op == XG_TRANSPOSE && XG_OPERAND(x, 0) == y) return xg_mirror_exchanges(m, xg_attr_dims(x));
    if (y->op == XG_TRANSPOSE && XG_OPERAND(y, 0) == x) return xg_mirror_exchanges(m, xg_attr_dims(y));
    if (x->op != y->op) return false;
    if (x->op == XG_IOTA)
        return xg_attr_or_0(x, XG_A_iota_dimension) == xg_mirror_of(m, xg_attr_or_0(y, XG_A_iota_dimension));
    if (x->op == XG_BROADCAST) return xg_mirror_broadcasts(m, x, y);
    if (x->op == XG_DOT) return x == y && xg_mirror_is_gram(m, x);
    if (x->op == XG_REDUCE) return x == y && xg_mirror_reduces(m, x);
    if (x == y && xg_mirror_is_even(m, x)) return true;
    if (!(xg_op_flags(x->op) & XGF_EW) || x->n_operands == 0 || (x != y && (x->n_attrs || y->n_attrs))) return false;
    for (k = 0; k < x->n_operands && xg_alg_mirrored(m, XG_OPERAND(x, k), XG_OPERAND(y, k)); k++) {}
    if (k == x->n_operands) return true;
    return xg_mirror_commutes(x) && xg_alg_mirrored(m, XG_OPERAND(x, 0), XG_OPERAND(y, 1)) &&
           (x == y || xg_alg_mirrored(m, XG_OPERAND(x, 1), XG_OPERAND(y, 0)));
}
/* What is symmetric is its own transpose. */
RULE(transpose_symmetric) {
    xg_ints perm = xg_attr_dims(i);
    xg_mirror m;
    (void)a;
    m.steps = XG_MIRROR_STEPS;
    for (m.p = 0; m.p < (int64_t)perm.n && perm.p[m.p] == m.p; m.p++) {}
    if (m.p == (int64_t)perm.n) return NULL;
    m.q = perm.p[m.p];
    return xg_mirror_exchanges(&m, perm) && xg_alg_mirrored(&m, P(0), P(0)) ? P(0) : NULL;
}

/* ---- factors ---- */

/* The cholesky whose matrices x has, whatever its leading dimensions are. */
XG_FN const xg_inst *xg_alg_factor(const xg_inst *x) {
    int64_t n;
    if (RANK(x) < 2) return NULL;
    n = x->shape->dims[RANK(x) - 1];
    for (; x->op == XG_RESHAPE; x = XG_OPERAND(x, 0))
        if (RANK(x) < 2 || x->shape->dims[RANK(x) - 1] != n || x->shape->dims[RANK(x) - 2] != n) return NULL;
    return x->op == XG_CHOLESKY && x->shape->dims[RANK(x) - 1] == n && x->shape->elements ? x : NULL;
}
/* Does an iota count up all the way? That of a narrow type wraps or is rounded. */
XG_FN bool xg_alg_counts(const xg_inst *x, int64_t dim) {
    return x->op == XG_IOTA && xg_alg_is_int(x) &&
           x->shape->dims[dim] - 1 <= (int64_t)XG_MIN(xg_int_type_max(x->shape->type), (uint64_t)INT64_MAX);
}
/* Is the predicate true exactly in the lower (upper) triangle of the last two dimensions, the diagonal included? */
XG_FN bool xg_alg_is_triangle(const xg_inst *mask, bool lower) {
    int64_t source[XG_RANK_MAX], row = (int64_t)RANK(mask) - 2, column = row + 1, first, second;
    xg_str d;
    if (row < 0) return false;
    if (mask->op == XG_BROADCAST) {
        xg_alg_broadcast_sources(mask, source);
        row = source[row];
        column = source[column];
        mask = XG_OPERAND(mask, 0);
    }
    if (row < 0 || column < 0 || mask->op != XG_COMPARE || !xg_alg_counts(XG_OPERAND(mask, 0), row) ||
        !xg_alg_counts(XG_OPERAND(mask, 1), column))
        return false;
    first = xg_attr_int(XG_OPERAND(mask, 0), XG_A_iota_dimension, 0);
    second = xg_attr_int(XG_OPERAND(mask, 1), XG_A_iota_dimension, 0);
    d = xg_attr_str(mask, XG_A_direction);
    if (xg_str_is(d, "GE")) return first == (lower ? row : column) && second == (lower ? column : row);
    return xg_str_is(d, "LE") && first == (lower ? column : row) && second == (lower ? row : column);
}
/* Is the predicate, which has a value for each matrix, true where the corner of the factor is a number? It is NaN where
 * there is no factor, as the whole triangle is. Values keep their order in all that is looked through here; flags of
 * libraries are integers. */
XG_FN bool xg_alg_is_factored(const xg_inst *p, const xg_inst *factor) {
    const xg_slice_dim *s;
    bool is = true;
    uint32_t k;
    if (p->op == XG_BROADCAST) {
        xg_ints at = xg_attr_dims(p);
        for (k = 0; k < at.n; k++)
            if (at.p[k] >= (int64_t)RANK(p) - 2 || (k && at.p[k] < at.p[k - 1])) return false;
        p = XG_OPERAND(p, 0);
    }
    if (p->shape->elements * factor->shape->dims[RANK(factor) - 1] * factor->shape->dims[RANK(factor) - 1] !=
        factor->shape->elements)
        return false;
    for (;; p = XG_OPERAND(p, 0)) {
        bool flag = p->op == XG_COMPARE && xg_alg_is_int(XG_OPERAND(p, 0)) && xg_alg_is(XG_OPERAND(p, 1), 0.0);
        if (flag && !xg_attr_is(p, XG_A_direction, "EQ") && !xg_attr_is(p, XG_A_direction, "NE")) return false;
        if (p->op == XG_NOT ? xg_alg_is_pred(p) : flag && xg_attr_is(p, XG_A_direction, "EQ"))
            is = !is;
        else if (!flag && p->op != XG_RESHAPE &&
                 !(p->op == XG_CONVERT && xg_alg_is_int(p) && xg_alg_is_pred(XG_OPERAND(p, 0))))
            break;
    }
    if (p->op != XG_COMPARE || XG_OPERAND(p, 0) != XG_OPERAND(p, 1) || xg_attr_is(p, XG_A_type, "TOTALORDER") ||
        !xg_attr_is(p, XG_A_direction, is ? "EQ" : "NE"))
        return false;
    p = XG_OPERAND(p, 0);
    if (p->op != XG_SLICE || XG_OPERAND(p, 0) != factor) return false;
    s = xg_inst_attr(p, XG_A_slice)->v.slices->p;
    for (k = 0; k < RANK(p); k++)
        if (s[k].start || (k < RANK(p) - 2 && p->shape->dims[k] != factor->shape->dims[k]) ||
            (k >= RANK(p) - 2 && p->shape->dims[k] != 1))
            return false;
    return true;
}
XG_FN bool xg_alg_is_nan(const xg_inst *x) {
    const xg_inst *c = xg_alg_scalar(x);
    return c && (xg_type_class(c->shape->type) & XGT_F) && isnan(xg_literal_get_float(c->literal, 0));
}
/* Within the triangle of a factor: a factor that is replaced by NaN where there is none. */
RULE(select_factored) {
    xg_inst *x = P(1);
    const xg_inst *factor =
        x->op == XG_SELECT && xg_alg_is_nan(XG_OPERAND(x, 2)) ? xg_alg_factor(XG_OPERAND(x, 1)) : NULL;
    if (!factor || !xg_alg_is_triangle(P(0), xg_attr_or_0(factor, XG_A_lower) != 0) ||
        !xg_alg_is_factored(XG_OPERAND(x, 0), factor))
        return NULL;
    return xg_hb_select(&a->b, P(0), XG_OPERAND(x, 1), P(2));
}
/* Outside of it a factor is zero. */
RULE(select_triangle) {
    const xg_inst *factor = xg_alg_is(P(2), 0.0) ? xg_alg_factor(P(1)) : NULL;
    (void)a;
    return factor && xg_alg_is_triangle(P(0), xg_attr_or_0(factor, XG_A_lower) != 0) ? P(1) : NULL;
}

#undef RULE
#undef P
#undef RANK
#endif /* XG_ALGSIMP_MATRIX_C */
