/* algsimp/reduce.c -- rules about reductions and contractions. What they promise stands in algsimp.h. */
#ifndef XG_ALGSIMP_REDUCE_C
#define XG_ALGSIMP_REDUCE_C
#include "../eval/eval.h"
#include "algsimp.h"
#include "move.c"
#include "arith.c"

#define RULE(name) XG_FN xg_inst *xg_alg_##name(xg_alg *a, xg_inst *i)
#define P(k) XG_OPERAND(i, k)
#define DIMS(x) (x)->shape->dims
#define RANK(x) (x)->shape->rank
enum {
    XG_ALG_FEW = 8
};

XG_FN void xg_alg_flags(xg_ints dims, bool *flag, uint32_t rank) {
    uint32_t k;
    memset(flag, 0, rank * sizeof *flag);
    for (k = 0; k < dims.n; k++) flag[dims.p[k]] = true;
}
XG_FN int xg_alg_reducer(const xg_inst *i) { return i->n_operands == 2 ? xg_reducer_opcode(xg_attr_to_apply(i)) : -1; }
XG_FN xg_inst *xg_alg_reduce_again(xg_alg *a, xg_inst *i, xg_inst *x, const int64_t *dims, uint32_t n) {
    return xg_hb_reduce(&a->b, x, P(1), dims, n, xg_attr_to_apply(i));
}

/* ---- reduce ---- */

RULE(reduce_nothing) { /* no elements: the initial value */
    if (i->n_operands != 2 || P(0)->shape->elements || i->shape->elements == 0) return NULL;
    return xg_hb_splat(&a->b, P(1), DIMS(i), RANK(i));
}
/* Along ones there is one element to combine with the initial value; along no dimension likewise. */
RULE(reduce_ones) {
    xg_ints dims = xg_attr_dims(i);
    int64_t kept[XG_RANK_MAX];
    int op = xg_alg_reducer(i);
    uint32_t k, n = 0;
    if (op < 0) return NULL;
    for (k = 0; k < dims.n; k++)
        if (DIMS(P(0))[dims.p[k]] != 1) kept[n++] = dims.p[k];
    if (n && n == dims.n) return NULL;
    if (n == 0) {
        xg_inst *x = xg_hb_reshape(&a->b, P(0), DIMS(i), RANK(i));
        return xg_hb_2(&a->b, (xg_opcode)op, x, xg_hb_splat(&a->b, P(1), DIMS(i), RANK(i)));
    }
    {
        bool ones[XG_RANK_MAX];
        int64_t shifted[XG_RANK_MAX];
        uint32_t j;
        xg_alg_flags(dims, ones, RANK(P(0)));
        for (k = 0; k < RANK(P(0)); k++) ones[k] = ones[k] && DIMS(P(0))[k] == 1;
        for (k = 0; k < n; k++) {
            shifted[k] = kept[k];
            for (j = 0; j < kept[k]; j++) shifted[k] -= ones[j];
        }
        return xg_alg_reduce_again(a, i, xg_alg_drop_ones(a, P(0), ones), shifted, n);
    }
}
/* reduce(reshape(x)) where the reshape splits and merges dimensions that are all reduced or all kept, and what is kept
 * stays as it is: the elements meet in the same order. Groups: the shortest runs of dimensions on both sides with equal
 * products. */
RULE(reduce_reshape) {
    xg_inst *r = P(0), *x;
    int64_t dims[XG_RANK_MAX];
    bool gone[XG_RANK_MAX];
    uint32_t j = 0, k = 0, n = 0;
    if (r->op != XG_RESHAPE || i->n_operands != 2 || r->shape->elements == 0) return NULL;
    x = XG_OPERAND(r, 0);
    xg_alg_flags(xg_attr_dims(i), gone, RANK(r));
    while (j < RANK(x) || k < RANK(r)) {
        uint32_t j0 = j, k0 = k, t;
        int64_t p = 1, q = 1;
        bool all_gone = true, none_gone = true;
        do {
            if (p <= q && j < RANK(x) && !(p == q && j > j0))
                p *= DIMS(x)[j++];
            else if (k < RANK(r))
                q *= DIMS(r)[k++];
            else if (j < RANK(x))
                p *= DIMS(x)[j++];
            else
                return NULL;
        } while (p != q);
        for (t = k0; t < k; t++) {
            if (gone[t])
                none_gone = false;
            else
                all_gone = false;
        }
        if (k == k0) return NULL; /* ones that the reshape has left out: better so */
        if (all_gone)
            for (t = j0; t < j; t++) dims[n++] = t;
        else if (!none_gone || j - j0 != 1 || k - k0 != 1)
            return NULL;
    }
    return xg_alg_reduce_again(a, i, x, dims, n);
}
/* reduce(transpose(x)): along the same dimensions of x; what is kept may have to change places then. */
RULE(reduce_transpose) {
    xg_ints dims = xg_attr_dims(i), perm;
    int64_t of[XG_RANK_MAX], rank_of[XG_RANK_MAX], order[XG_RANK_MAX];
    bool gone[XG_RANK_MAX];
    xg_inst *reduced;
    uint32_t k, n = 0;
    if (P(0)->op != XG_TRANSPOSE || i->n_operands != 2) return NULL;
    perm = xg_attr_dims(P(0));
    for (k = 0; k < dims.n; k++) of[k] = perm.p[dims.p[k]];
    for (k = 1; k < dims.n; k++) { /* in order, as the text wants them */
        int64_t v = of[k];
        uint32_t at = k;
        for (; at > 0 && of[at - 1] > v; at--) of[at] = of[at - 1];
        of[at] = v;
    }
    xg_alg_flags(dims, gone, RANK(P(0)));
    for (k = 0; k < RANK(P(0)); k++) rank_of[k] = 0;
    for (k = 0; k < RANK(P(0)); k++)
        if (!gone[k]) rank_of[perm.p[k]] = 1;
    for (k = 1; k < RANK(P(0)); k++) rank_of[k] += rank_of[k - 1]; /* how many kept dimensions of x there are up to k */
    for (k = 0; k < RANK(P(0)); k++)
        if (!gone[k]) order[n++] = rank_of[perm.p[k]] - 1;
    reduced = xg_alg_reduce_again(a, i, XG_OPERAND(P(0), 0), of, dims.n);
    return xg_hb_transpose(&a->b, reduced, order);
}
/* Along a dimension that a broadcast made all elements are the same: once is enough where op(x, x) is x, and n times is
 * a product where arithmetic is exact. */
RULE(reduce_broadcast) {
    xg_ints dims = xg_attr_dims(i), at;
    int op = xg_alg_reducer(i);
    int64_t source[XG_RANK_MAX], left[XG_RANK_MAX], times = 1, extents[XG_RANK_MAX], to[XG_RANK_MAX];
    bool gone[XG_RANK_MAX];
    uint32_t k, n = 0, m = 0, rank = 0;
    xg_inst *b = P(0), *x;
    bool idempotent = op == XG_MAXIMUM || op == XG_MINIMUM || op == XG_AND || op == XG_OR || xg_alg_is_pred(i);
    if (b->op != XG_BROADCAST || op < 0 || op == XG_XOR || b->shape->elements == 0) return NULL;
    if (!idempotent && !(op == XG_ADD && xg_alg_is_int(i) && xg_alg_is(P(1), 0.0))) return NULL;
    xg_alg_broadcast_sources(b, source);
    xg_alg_flags(dims, gone, RANK(b));
    for (k = 0; k < dims.n; k++)
        if (source[dims.p[k]] < 0) {
            gone[dims.p[k]] = false;
            source[dims.p[k]] = -2;
            if (!xg_mul64(times, DIMS(b)[dims.p[k]], &times)) return NULL;
        }
    at = xg_attr_dims(b);
    for (k = 0, n = 0; k < RANK(b); k++) {
        if (source[k] == -2) {
            m++;
            continue;
        }
        if (gone[k]) left[n++] = rank;
        extents[rank] = DIMS(b)[k];
        source[k] = source[k] < 0 ? -1 : (int64_t)rank;
        rank++;
    }
    if (m == 0) return NULL;
    for (k = 0; k < at.n; k++) to[k] = source[at.p[k]];
    x = xg_hb_broadcast(&a->b, XG_OPERAND(b, 0), extents, rank, to, at.n);
    if (n == 0) {
        x = op == XG_ADD && !idempotent ? x
                                        : xg_hb_2(&a->b, (xg_opcode)op, x, xg_hb_splat(&a->b, P(1), DIMS(i), RANK(i)));
    } else
        x = xg_alg_reduce_again(a, i, x, left, n);
    return op == XG_ADD && !idempotent ? xg_hb_2(&a->b, XG_MULTIPLY, x, xg_hb_int_like(&a->b, i, times)) : x;
}
/* Whether x is a broadcast that has the same value all along what i reduces; and that in the shape of i. */
XG_FN bool xg_alg_is_kept(const xg_inst *i, const xg_inst *x) {
    xg_ints dims = xg_attr_dims(i);
    int64_t source[XG_RANK_MAX];
    uint32_t k;
    if (x->op != XG_BROADCAST) return false;
    xg_alg_broadcast_sources(x, source);
    for (k = 0; k < dims.n; k++)
        if (source[dims.p[k]] >= 0) return false;
    return true;
}
/* The broadcast x at one place along the dimension that i reduces, any of them if it does not change along these. */
XG_FN xg_inst *xg_alg_kept(xg_alg *a, const xg_inst *i, const xg_inst *x, uint32_t at) {
    int64_t source[XG_RANK_MAX], place[XG_RANK_MAX], left[XG_RANK_MAX], next = 0;
    bool gone[XG_RANK_MAX];
    xg_ints dims = xg_attr_dims(x);
    xg_inst *y = XG_OPERAND(x, 0);
    uint32_t k, n = 0;
    xg_alg_flags(xg_attr_dims(i), gone, RANK(x));
    for (k = 0; k < RANK(x); k++) {
        place[k] = next;
        next += !gone[k];
    }
    for (k = 0; k < dims.n; k++) {
        if (gone[dims.p[k]])
            y = xg_hb_slice_dim(&a->b, y, k, at, at + 1);
        else {
            left[n] = DIMS(y)[k];
            source[n++] = place[dims.p[k]];
        }
    }
    if (n < dims.n) y = xg_hb_reshape(&a->b, y, left, n);
    return xg_hb_broadcast(&a->b, y, DIMS(i), RANK(i), source, n);
}
/* The same for sums of floats: one rounding for many. Where the number of them is none of the type's, the sum stays. */
RULE(reduce_broadcast_sum) {
    xg_ints dims = xg_attr_dims(i);
    int64_t times = 1;
    xg_inst *b = P(0), *many, *x, *init;
    uint32_t k;
    if (!xg_alg_is_kept(i, b) || xg_alg_reducer(i) != XG_ADD || xg_type_class(i->shape->type) != XGT_F ||
        b->shape->elements == 0 || i->shape->type != XG_OPERAND(b, 0)->shape->type)
        return NULL;
    for (k = 0; k < dims.n; k++)
        if (!xg_mul64(times, DIMS(b)[dims.p[k]], &times)) return NULL;
    if (times > (int64_t)1 << 24) return NULL;
    many = xg_hb_float(&a->b, i->shape->type, (double)times);
    if (xg_literal_get_float(many->literal, 0) != (double)times) return NULL;
    x = xg_alg_kept(a, i, b, 0);
    init = xg_hb_splat(&a->b, P(1), DIMS(i), RANK(i));
    return xg_hb_2(&a->b, XG_ADD, xg_hb_2(&a->b, XG_MULTIPLY, x, xg_hb_splat(&a->b, many, DIMS(i), RANK(i))), init);
}
/* The label that x compares with places along the one dimension that i sums up; NULL: it does not. */
XG_FN xg_inst *xg_alg_label(const xg_inst *i, const xg_inst *x) {
    xg_ints dims = xg_attr_dims(i);
    return dims.n == 1 ? xg_opt_label(x, dims.p[0]) : NULL;
}
/* Whether x has, in so many steps at most, one value where `hot` is true and one where it is not: the only label, one
 * hot, that it is made of. */
XG_FN bool xg_alg_has_two(const xg_inst *i, xg_inst *x, xg_inst **hot, uint32_t steps) {
    uint32_t k;
    if (xg_alg_is_kept(i, x)) return true;
    if (xg_alg_label(i, x)) {
        if (!*hot) *hot = x;
        return *hot == x;
    }
    if (!steps || !(xg_op_flags(x->op) & XGF_EW)) return false;
    for (k = 0; k < x->n_operands; k++) /* bounds and predicates may be scalars */
        if (RANK(XG_OPERAND(x, k)) != RANK(x) || !xg_alg_has_two(i, XG_OPERAND(x, k), hot, steps - 1)) return false;
    return true;
}
/* That value, or the one at a place along the dimension that i reduces, in the shape of i. */
XG_FN xg_inst *xg_alg_where(xg_alg *a, xg_inst *i, xg_inst *x, const xg_inst *hot, uint32_t at) {
    xg_inst *in[3], *made;
    uint32_t k;
    if (x == hot) return xg_hb_splat(&a->b, xg_hb_int(&a->b, XLAGPU_PRED, at), DIMS(i), RANK(i));
    if (x->op == XG_BROADCAST) return xg_alg_kept(a, i, x, at);
    for (k = 0; k < x->n_operands; k++) in[k] = xg_alg_where(a, i, XG_OPERAND(x, k), hot, at);
    made = xg_inst_clone(x, i->comp, in, i);
    made->shape = xg_hb_shape(&a->b, x->shape->type, DIMS(i), RANK(i));
    return made;
}
/* Sums of labels, one hot each, smoothed and weighted: one value where the label is, and as often as there are other
 * places another, which is asked for by itself since it may be infinite or NaN. Gradients of log-softmax. */
RULE(reduce_one_hot) {
    enum {
        STEPS = 6
    };
    xg_inst *hot = NULL, *y, *in, *x[2], *many[2];
    int64_t n;
    uint32_t k;
    if (!xg_reducer_sums_from_zero(i) || xg_type_class(i->shape->type) == XGT_C || xg_type_bits(i->shape->type) < 32 ||
        !xg_alg_has_two(i, P(0), &hot, STEPS) || !hot)
        return NULL;
    n = DIMS(P(0))[xg_attr_dims(i).p[0]];
    if (n < 2 || n > 1 << 24) return NULL;
    y = xg_alg_kept(a, i, xg_alg_label(i, hot), 0);
    in = xg_hb_compare(&a->b, "GE", y, xg_hb_int_like(&a->b, y, 0));
    y = xg_hb_compare(&a->b, "LT", y, xg_hb_int_like(&a->b, y, n));
    in = xg_hb_2(&a->b, XG_AND, in, y);
    for (k = 0; k < 2; k++) {
        x[k] = xg_alg_where(a, i, P(0), hot, k);
        many[k] = xg_hb_2(&a->b, XG_MULTIPLY, x[0], xg_hb_int_like(&a->b, i, n - k));
    }
    y = xg_hb_2(&a->b, XG_ADD, x[1], many[1]);
    return xg_hb_select(&a->b, in, y, many[0]);
}
/* Along the dimension of a concatenation of a few single elements: they are combined one by one. */
RULE(reduce_concatenate) {
    xg_ints dims = xg_attr_dims(i);
    xg_inst *c = P(0), *x;
    int op = xg_alg_reducer(i);
    uint32_t k;
    if (c->op != XG_CONCATENATE || op < 0 || c->n_operands > XG_ALG_FEW || dims.n != 1 ||
        dims.p[0] != xg_attr_dims(c).p[0] || i->shape->elements == 0)
        return NULL;
    if (i->shape->type != c->shape->type ||
        (xg_type_class(i->shape->type) == XGT_F && xg_type_bits(i->shape->type) < 32 && op == XG_ADD))
        return NULL; /* such sums are carried in a wider type */
    for (k = 0; k < c->n_operands; k++)
        if (DIMS(XG_OPERAND(c, k))[dims.p[0]] != 1) return NULL;
    x = xg_hb_splat(&a->b, P(1), DIMS(i), RANK(i));
    for (k = 0; k < c->n_operands; k++) {
        xg_inst *y = xg_hb_reshape(&a->b, XG_OPERAND(c, k), DIMS(i), RANK(i));
        x = xg_hb_2(&a->b, (xg_opcode)op, x, y);
    }
    return x;
}
/* Whether x is made, by so many operations at most, of broadcasts of much smaller arrays. */
XG_FN bool xg_alg_is_spread(const xg_inst *x, uint32_t rank, uint32_t *most) {
    uint32_t k;
    if (RANK(x) != rank) return false;
    if (x->op == XG_BROADCAST) return XG_OPERAND(x, 0)->shape->elements <= x->shape->elements / XG_ALG_FEW;
    if (!(xg_op_flags(x->op) & XGF_EW) || !*most) return false;
    --*most;
    for (k = 0; k < x->n_operands; k++)
        if (!xg_alg_is_spread(XG_OPERAND(x, k), rank, most)) return false;
    return x->n_operands > 0;
}
/* Along a few places of what is made of pairs, as the distance of two points is: one after the other, so that what
 * reads it can make it again. */
RULE(reduce_few) {
    enum {
        OPERATIONS = 64
    };
    xg_ints dims = xg_attr_dims(i);
    xg_inst *x;
    int op = xg_alg_reducer(i);
    uint32_t k, n, most;
    if (op < 0 || dims.n != 1 || i->shape->type != P(0)->shape->type ||
        (xg_type_class(i->shape->type) == XGT_F && xg_type_bits(i->shape->type) < 32 && op == XG_ADD))
        return NULL;
    n = (uint32_t)XG_MIN(DIMS(P(0))[dims.p[0]], (int64_t)XG_ALG_FEW + 1);
    most = OPERATIONS / XG_MAX(n, 1u);
    if (!n || n > XG_ALG_FEW || P(0)->op == XG_BROADCAST || !xg_alg_is_spread(P(0), RANK(P(0)), &most)) return NULL;
    x = xg_hb_splat(&a->b, P(1), DIMS(i), RANK(i));
    for (k = 0; k < n; k++) x = xg_hb_2(&a->b, (xg_opcode)op, x, xg_alg_where(a, i, P(0), NULL, k));
    return x;
}
/* Padding with the initial value along reduced dimensions adds nothing. */
RULE(reduce_pad) {
    xg_inst *p = P(0);
    const xg_inst *v, *init = xg_alg_scalar(P(1));
    const xg_pad_dim *d;
    bool gone[XG_RANK_MAX];
    int op = xg_alg_reducer(i);
    uint32_t k;
    if (p->op != XG_PAD || op < 0 || XG_OPERAND(p, 0)->shape->elements == 0) return NULL;
    v = xg_alg_scalar(XG_OPERAND(p, 1));
    if (!v || !init || !xg_alg_is_identity(v, (xg_opcode)op) ||
        memcmp(v->literal->data, init->literal->data, (size_t)xg_type_bytes(v->shape->type)) != 0)
        return NULL;
    xg_alg_flags(xg_attr_dims(i), gone, RANK(p));
    d = xg_alg_pads(p);
    for (k = 0; k < RANK(p); k++)
        if ((d[k].low || d[k].high || d[k].interior) && (!gone[k] || d[k].low < 0 || d[k].high < 0)) return NULL;
    return xg_alg_reduce_again(a, i, XG_OPERAND(p, 0), xg_attr_dims(i).p, xg_attr_dims(i).n);
}
/* One after the other is both at once, if the first began with nothing. */
RULE(reduce_reduce) {
    xg_inst *in = P(0);
    int op = xg_alg_reducer(i);
    int64_t dims[XG_RANK_MAX];
    bool gone[XG_RANK_MAX], outer[XG_RANK_MAX];
    uint32_t k, n = 0, kept = 0;
    if (in->op != XG_REDUCE || op < 0 || xg_alg_reducer(in) != op ||
        !xg_alg_is_identity(XG_OPERAND(in, 1), (xg_opcode)op) || !xg_opt_has_one_user(in))
        return NULL;
    xg_alg_flags(xg_attr_dims(in), gone, RANK(XG_OPERAND(in, 0)));
    xg_alg_flags(xg_attr_dims(i), outer, RANK(in));
    for (k = 0; k < RANK(XG_OPERAND(in, 0)); k++) {
        if (gone[k] || outer[kept]) dims[n++] = k;
        if (!gone[k]) kept++;
    }
    return xg_alg_reduce_again(a, i, XG_OPERAND(in, 0), dims, n);
}
/* The maximum of x, or of x converted to a type that holds its values, along the same dimensions; NULL: there is
 * none. */
XG_FN const xg_inst *xg_alg_maximum_of(const xg_inst *x, xg_ints dims, uint32_t depth) {
    const xg_inst *found = NULL;
    XG_FOR_USES(u, x) {
        const xg_inst *m = u->user;
        xg_ints own = xg_attr_dims(m);
        bool wider = m->op == XG_CONVERT && xg_type_class(m->shape->type) == XGT_F &&
                     xg_type_bits(m->shape->type) > xg_type_bits(x->shape->type);
        if (wider && depth && !found) found = xg_alg_maximum_of(m, dims, depth - 1);
        if (m->op == XG_REDUCE && xg_alg_reducer(m) == XG_MAXIMUM && XG_OPERAND(m, 0) == x && own.n == dims.n &&
            memcmp(own.p, dims.p, own.n * sizeof *own.p) == 0 && xg_alg_is_extreme(XG_OPERAND(m, 1), false))
            return m;
    }
    return found;
}
/* Whether all x are -inf, or some are not: their maximum, which is made anyway, says it. NaN is the maximum of what has
 * one. PyTorch asks so for rows without a key. */
RULE(reduce_all_least) {
    int op = xg_alg_reducer(i);
    const xg_inst *m;
    xg_str direction;
    xg_inst *x, *init;
    if ((op != XG_AND && op != XG_OR) || P(0)->op != XG_COMPARE || !xg_alg_is(P(1), op == XG_AND)) return NULL;
    direction = xg_attr_str(P(0), XG_A_direction);
    x = XG_OPERAND(P(0), 0);
    if (!xg_str_is(direction, op == XG_AND ? "EQ" : "NE") || !xg_alg_is(XG_OPERAND(P(0), 1), -HUGE_VAL) ||
        xg_type_class(x->shape->type) != XGT_F)
        return NULL;
    m = xg_alg_maximum_of(x, xg_attr_dims(i), 1);
    if (!m) return NULL;
    x = xg_hb_convert(&a->b, x, m->shape->type); /* it may stand behind i: equal ones become one */
    init = xg_hb_float(&a->b, m->shape->type, -HUGE_VAL);
    x = xg_hb_reduce(&a->b, x, init, xg_attr_dims(m).p, xg_attr_dims(m).n, xg_attr_to_apply(m));
    return xg_hb_compare(&a->b, op == XG_AND ? "EQ" : "NE", x, xg_hb_float_like(&a->b, x, -HUGE_VAL));
}

/* ---- softmax of rows that may have nothing ---- */

/* exp(x - m) / s, with its parts; s, a sum of exp, may have been converted. */
typedef struct xg_alg_weights {
    xg_inst *divide, *exp, *difference, *sum, *divisor; /* divisor: what is broadcast */
} xg_alg_weights;
XG_FN bool xg_alg_used_once(const xg_inst *i) { return i->first_use && !i->first_use->next; }
/* Rows of the array: broadcast along the same dimensions as `like`. */
XG_FN bool xg_alg_spreads_as(const xg_inst *x, const xg_inst *like) {
    xg_ints d = xg_attr_dims(x), e = xg_attr_dims(like);
    return x->op == XG_BROADCAST && d.n == e.n && memcmp(d.p, e.p, d.n * sizeof *d.p) == 0 &&
           xg_shape_same_dims(x->shape, like->shape);
}
XG_FN bool xg_alg_is_weights(xg_alg_weights *w, xg_inst *i, const xg_inst *rows) {
    xg_inst *x;
    while (i->op == XG_CONVERT && xg_alg_used_once(i)) i = XG_OPERAND(i, 0);
    w->divide = i;
    if (i->op != XG_DIVIDE || !xg_alg_used_once(i) || !xg_alg_spreads_as(XG_OPERAND(i, 1), rows)) return false;
    w->exp = XG_OPERAND(i, 0);
    w->sum = w->divisor = XG_OPERAND(XG_OPERAND(i, 1), 0);
    while (w->sum->op == XG_CONVERT) w->sum = XG_OPERAND(w->sum, 0);
    if (w->exp->op != XG_EXPONENTIAL || w->sum->op != XG_REDUCE || xg_alg_reducer(w->sum) != XG_ADD) return false;
    x = XG_OPERAND(w->sum, 0);
    if (x->op == XG_CONVERT && xg_alg_used_once(x)) x = XG_OPERAND(x, 0);
    w->difference = XG_OPERAND(w->exp, 0);
    XG_FOR_USES(u, w->exp)
        if (u->user != i && u->user != w->sum && XG_OPERAND(w->sum, 0) != u->user) return false;
    return x == w->exp && w->difference->op == XG_SUBTRACT && xg_alg_spreads_as(XG_OPERAND(w->difference, 1), rows);
}
XG_FN xg_inst *xg_alg_spread_like(xg_alg *a, xg_inst *x, const xg_inst *like) {
    xg_ints d = xg_attr_dims(like);
    return xg_hb_broadcast(&a->b, x, DIMS(like), RANK(like), d.p, d.n);
}
/* select(max(x) == -inf, 0, softmax(x)), for rows: such a row's exp(x - m) is exp(-inf - 0), and its divisor 1. Then
 * rows alone are selected, and attention is what it always is. */
RULE(select_masked_rows) {
    xg_inst *c = P(0)->op == XG_BROADCAST ? XG_OPERAND(P(0), 0) : P(0), *m, *x, *by, *e;
    xg_alg_weights w;
    if (c->op != XG_COMPARE || !xg_attr_is(c, XG_A_direction, "EQ") || !xg_alg_is(P(1), 0)) return NULL;
    m = XG_OPERAND(c, 0);
    if (m->op != XG_REDUCE || xg_alg_reducer(m) != XG_MAXIMUM || !xg_alg_is(XG_OPERAND(c, 1), -HUGE_VAL)) return NULL;
    if (P(0)->op != XG_BROADCAST || !xg_alg_is_weights(&w, P(2), P(0))) return NULL;
    by = XG_OPERAND(w.difference, 1);
    x = XG_OPERAND(w.difference, 0);
    if (XG_OPERAND(by, 0) != m || XG_OPERAND(m, 0) != x) return NULL;
    m = xg_hb_select(&a->b, c, xg_hb_float_like(&a->b, m, 0), m);
    e = xg_hb_1(&a->b, XG_EXPONENTIAL, xg_hb_2(&a->b, XG_SUBTRACT, x, xg_alg_spread_like(a, m, by)));
    x = xg_hb_convert(&a->b, e, w.sum->shape->type);
    x = xg_hb_reduce(
        &a->b, x, XG_OPERAND(w.sum, 1), xg_attr_dims(w.sum).p, xg_attr_dims(w.sum).n, xg_attr_to_apply(w.sum));
    x = xg_hb_convert(&a->b, x, w.divisor->shape->type);
    x = xg_hb_select(&a->b, c, xg_hb_float_like(&a->b, x, 1), x);
    x = xg_hb_2(&a->b, XG_DIVIDE, e, xg_alg_spread_like(a, x, by));
    return xg_hb_convert(&a->b, x, i->shape->type);
}

/* ---- dot ---- */

XG_FN bool xg_alg_plain_dot(const xg_inst *i) { return !xg_inst_attr(i, XG_A_algorithm); }
RULE(dot_nothing) {
    return i->shape->elements && (P(0)->shape->elements == 0 || P(1)->shape->elements == 0)
               ? xg_hb_int_like(&a->b, i, 0)
               : NULL;
}

/* Contracting dimensions and batch dimensions of size 1 do nothing: they leave both operands. */
XG_FN void xg_alg_dims_without(xg_ints dims, const bool *drop, int64_t *out, uint32_t *n) {
    uint32_t k;
    int64_t j;
    for (k = 0, *n = 0; k < dims.n; k++) {
        if (drop[dims.p[k]]) continue;
        out[*n] = dims.p[k];
        for (j = 0; j < dims.p[k]; j++) out[*n] -= drop[j];
        ++*n;
    }
}
RULE(dot_ones) {
    xg_dot_dims d = xg_dot_dims_of(i), now;
    bool l[XG_RANK_MAX], r[XG_RANK_MAX];
    int64_t lists[4][XG_RANK_MAX];
    uint32_t k, n[4];
    bool any = false;
    xg_inst *x, *y;
    memset(l, 0, sizeof l);
    memset(r, 0, sizeof r);
    for (k = 0; k < d.lb.n; k++)
        if (DIMS(P(0))[d.lb.p[k]] == 1) any = l[d.lb.p[k]] = r[d.rb.p[k]] = true;
    if (d.lc.n > 1)
        for (k = 0; k < d.lc.n; k++)
            if (DIMS(P(0))[d.lc.p[k]] == 1) any = l[d.lc.p[k]] = r[d.rc.p[k]] = true;
    if (!any) return NULL;
    for (k = 0; d.lc.n > 1 && k < d.lc.n && l[d.lc.p[k]]; k++) {}
    /* one of them stays: a contraction has something to contract */
    if (d.lc.n > 1 && k == d.lc.n) l[d.lc.p[0]] = r[d.rc.p[0]] = false;
    xg_alg_dims_without(d.lb, l, lists[0], &n[0]);
    xg_alg_dims_without(d.lc, l, lists[1], &n[1]);
    xg_alg_dims_without(d.rb, r, lists[2], &n[2]);
    xg_alg_dims_without(d.rc, r, lists[3], &n[3]);
    now.lb.p = lists[0];
    now.lb.n = n[0];
    now.lc.p = lists[1];
    now.lc.n = n[1];
    now.rb.p = lists[2];
    now.rb.n = n[2];
    now.rc.p = lists[3];
    now.rc.n = n[3];
    x = xg_alg_drop_ones(a, P(0), l);
    y = xg_alg_drop_ones(a, P(1), r);
    return xg_hb_reshape(&a->b, xg_hb_dot(&a->b, x, y, now, i->shape->type, i), DIMS(i), RANK(i));
}

/* dot(transpose(x), y): which dimensions meet is said in the dot, as long as the free ones keep their order. */
XG_FN bool xg_alg_fold_transpose(xg_inst *i, uint32_t side) {
    XG_TABLE const xg_attr_key keys[2][2] = {
        {XG_A_lhs_batch_dims, XG_A_lhs_contracting_dims}, {XG_A_rhs_batch_dims, XG_A_rhs_contracting_dims}};
    xg_inst *t = P(side);
    xg_ints perm;
    bool taken[XG_RANK_MAX];
    int64_t last = -1, mapped[XG_RANK_MAX];
    uint32_t k, list;
    if (t->op != XG_TRANSPOSE) return false;
    perm = xg_attr_dims(t);
    memset(taken, 0, sizeof taken);
    for (list = 0; list < 2; list++) {
        xg_ints d = xg_attr_ints(i, keys[side][list]);
        for (k = 0; k < d.n; k++) taken[d.p[k]] = true;
    }
    for (k = 0; k < perm.n; k++) {
        if (taken[k]) continue;
        if (perm.p[k] < last) return false;
        last = perm.p[k];
    }
    for (list = 0; list < 2; list++) {
        xg_ints d = xg_attr_ints(i, keys[side][list]);
        for (k = 0; k < d.n; k++) mapped[k] = perm.p[d.p[k]];
        if (d.n) xg_inst_set_ints(i, keys[side][list], mapped, d.n);
    }
    xg_inst_set_operand(i, side, XG_OPERAND(t, 0));
    return true;
}
RULE(dot_transpose) {
    bool changed;
    (void)a;
    changed = xg_alg_fold_transpose(i, 0);
    changed = xg_alg_fold_transpose(i, 1) || changed;
    return changed ? i : NULL;
}
/* x in the 16 bits that it was converted from, behind moves; NULL: it was not. */
XG_FN xg_inst *xg_alg_narrowed(xg_alg *a, xg_inst *x, uint32_t depth) {
    xg_inst *n = x->n_operands ? XG_OPERAND(x, 0) : NULL;
    xg_ints d;
    if (x->shape->type != XLAGPU_F32 || !n || !depth) return NULL;
    if (x->op == XG_CONVERT) return n->shape->type == XLAGPU_BF16 || n->shape->type == XLAGPU_F16 ? n : NULL;
    if (x->op != XG_RESHAPE && x->op != XG_TRANSPOSE && x->op != XG_BROADCAST) return NULL;
    n = xg_alg_narrowed(a, n, depth - 1);
    if (!n || x->op == XG_RESHAPE) return n ? xg_hb_reshape(&a->b, n, DIMS(x), RANK(x)) : NULL;
    d = xg_attr_dims(x);
    if (x->op == XG_TRANSPOSE) return xg_hb_transpose(&a->b, n, d.p);
    return xg_hb_broadcast(&a->b, n, DIMS(x), RANK(x), d.p, d.n);
}
/* dot(convert(x), y): products and sums are of f32 anyway. A conversion that stood by itself could end up in the kernel
 * that makes x, which then would write twice as much and hide what matrix units take. */
RULE(dot_widened) {
    enum {
        MOVES = 4 /* one behind the other */
    };
    bool changed = false;
    uint32_t k;
    for (k = 0; k < 2 && i->shape->type == XLAGPU_F32 && xg_alg_plain_dot(i); k++) {
        xg_inst *x = xg_alg_narrowed(a, P(k), MOVES + 1);
        if (!x) continue;
        xg_inst_set_operand(i, k, x);
        changed = true;
    }
    return changed ? i : NULL;
}
/* Nothing to sum up: a product of broadcasts. (Which zero a sum of one -0 is, is not promised.) */
RULE(dot_outer) {
    xg_dot_dims d = xg_dot_dims_of(i);
    int64_t lhs[XG_RANK_MAX], rhs[XG_RANK_MAX];
    bool ones[2][XG_RANK_MAX];
    xg_inst *x, *y;
    uint32_t k, n = 0, m = 0, at;
    xlagpu_type t = i->shape->type;
    if (!xg_alg_plain_dot(i) || i->shape->elements == 0 || xg_type_class(t) == XGT_C) return NULL;
    for (k = 0; k < d.lc.n; k++)
        if (DIMS(P(0))[d.lc.p[k]] != 1) return NULL;
    if (!xg_alg_lossless(P(0)->shape->type, t) || !xg_alg_lossless(P(1)->shape->type, t)) return NULL;
    memset(ones, 0, sizeof ones);
    for (k = 0; k < d.lc.n; k++) ones[0][d.lc.p[k]] = ones[1][d.rc.p[k]] = true;
    /* Of each operand's dimensions that stay: where they go. */
    for (k = 0, at = d.lb.n; k < RANK(P(0)); k++) {
        uint32_t j;
        for (j = 0; j < d.lb.n && d.lb.p[j] != (int64_t)k; j++) {}
        if (!ones[0][k]) lhs[n++] = j < d.lb.n ? j : at++;
    }
    for (k = 0; k < RANK(P(1)); k++) {
        uint32_t j;
        for (j = 0; j < d.rb.n && d.rb.p[j] != (int64_t)k; j++) {}
        if (!ones[1][k]) rhs[m++] = j < d.rb.n ? j : at++;
    }
    x = xg_hb_convert(&a->b, xg_alg_drop_ones(a, P(0), ones[0]), t);
    y = xg_hb_convert(&a->b, xg_alg_drop_ones(a, P(1), ones[1]), t);
    x = xg_hb_broadcast(&a->b, x, DIMS(i), RANK(i), lhs, n);
    return xg_hb_2(&a->b, XG_MULTIPLY, x, xg_hb_broadcast(&a->b, y, DIMS(i), RANK(i), rhs, m));
}

/* ---- windows, map ---- */

RULE(reduce_window_same) { /* windows of one element, one for each: op(init, x) */
    const xg_window *w = xg_inst_attr(i, XG_A_window) ? xg_inst_attr(i, XG_A_window)->v.window : NULL;
    int op = xg_alg_reducer(i);
    uint32_t k;
    if (op < 0 || P(0)->shape->plain != i->shape->plain) return NULL;
    for (k = 0; w && k < w->n; k++)
        if (w->p[k].size != 1 || w->p[k].stride != 1 || w->p[k].pad_low || w->p[k].pad_high ||
            w->p[k].base_dilation != 1)
            return NULL;
    return xg_hb_2(&a->b, (xg_opcode)op, P(0), xg_hb_splat(&a->b, P(1), DIMS(i), RANK(i)));
}
/* Windows side by side along the innermost dimension, wide enough that neighbouring threads would read apart:
 * reduce(reshape(x)). Not of floats so narrow that another order of a few dozen is another result altogether. */
RULE(reduce_window_apart) {
    enum {
        WIDE = 32
    };
    const xg_window *w = xg_inst_attr(i, XG_A_window) ? xg_inst_attr(i, XG_A_window)->v.window : NULL;
    const xg_shape *out = i->shape->type == XLAGPU_TUPLE ? i->shape->elems[0] : i->shape;
    int64_t dims[XG_RANK_MAX], places[XG_RANK_MAX];
    uint32_t rank = 0, n = 0, minor, k, j;
    xg_slice_dim part[XG_RANK_MAX];
    xg_inst **in, *r;
    if (!w || w->n == 0 || xg_shape_has_dynamic(i->shape) || P(0)->shape->dynamic || out->elements == 0) return NULL;
    for (minor = w->n - 1; minor > 0 && P(0)->shape->dims[minor] == 1; minor--) {}
    if (w->p[minor].size < WIDE) return NULL;
    for (j = 0; j < i->n_operands; j++)
        if (xg_type_class(P(j)->shape->type) == XGT_F && xg_type_bits(P(j)->shape->type) < 16) return NULL;
    for (k = 0; k < w->n; k++) {
        const xg_window_dim *d = &w->p[k];
        if (d->pad_low || d->pad_high || d->base_dilation != 1 || d->window_dilation != 1 || d->reversal ||
            (d->stride != d->size && out->dims[k] > 1) || rank + 2 > XG_RANK_MAX)
            return NULL;
        part[k].start = 0;
        part[k].stride = 1;
        part[k].limit = out->dims[k] * d->size;
        dims[rank++] = out->dims[k];
        if (d->size == 1) continue;
        places[n++] = rank;
        dims[rank++] = d->size;
    }
    in = XG_NEW_N(a->m->arena, xg_inst *, i->n_operands + (size_t)1);
    for (j = 0; j < i->n_operands; j++)
        in[j] = j < i->n_operands / 2 ? xg_hb_reshape(&a->b, xg_hb_slice(&a->b, P(j), part), dims, rank) : P(j);
    r = xg_hb_op(&a->b, XG_REDUCE, i->shape, in, i->n_operands);
    xg_inst_set_ints(r, XG_A_dimensions, places, n);
    xg_inst_set_comp(r, XG_A_to_apply, xg_attr_to_apply(i));
    return xg_hb_done(r);
}
/* Long windows of more than one dimension that overlap, by a dimension first and then by the others: fewer steps, which
 * are worth an array more in memory. Not of sums so narrow that they would be rounded once more. */
RULE(reduce_window_split) {
    enum {
        LONG = 144,     /* places of a window */
        MUCH = 1 << 21, /* of all windows, for a multiprocessor: beside them a kernel more is little */
    };
    const xg_window *w = xg_inst_attr(i, XG_A_window) ? xg_inst_attr(i, XG_A_window)->v.window : NULL;
    int op = xg_alg_reducer(i);
    bool sum = op == XG_ADD && xg_reducer_sums_from_zero(i) &&
               (xg_type_class(i->shape->type) != XGT_F || xg_type_bits(i->shape->type) >= 32);
    int64_t places = 1, dims[XG_RANK_MAX];
    uint32_t k, j, first = XG_RANK_MAX;
    xg_inst *in[2];
    if (!w || !(sum || op == XG_MAXIMUM || op == XG_MINIMUM) || xg_shape_has_dynamic(i->shape)) return NULL;
    for (k = 0; k < w->n; k++) {
        if (w->p[k].stride != 1 || w->p[k].base_dilation != 1 || w->p[k].window_dilation != 1 ||
            !xg_mul64(places, w->p[k].size, &places))
            return NULL;
        if (first == XG_RANK_MAX && w->p[k].size > 1) first = k;
        dims[k] = k == first ? DIMS(i)[k] : DIMS(P(0))[k];
    }
    if (places < LONG || places == w->p[first].size ||
        i->shape->elements < (int64_t)MUCH * a->m->device.sm_count / places)
        return NULL;
    for (in[0] = P(0), in[1] = P(1), j = 0; j < 2; j++) {
        xg_attr kept = xg_attr_make(XG_A_window);
        xg_window *made = XG_NEW(a->m->arena, xg_window);
        xg_window_dim *now = XG_NEW_N(a->m->arena, xg_window_dim, w->n);
        for (k = 0; k < w->n; k++) {
            now[k] = w->p[k];
            if ((k == first) == (j == 0)) continue;
            now[k].size = 1;
            now[k].pad_low = now[k].pad_high = 0;
        }
        made->n = w->n;
        made->p = now;
        kept.v.window = made;
        in[0] = xg_inst_clone(i, i->comp, in, i);
        if (!j) in[0]->shape = xg_hb_shape(&a->b, i->shape->type, dims, RANK(i));
        xg_inst_set_attr(in[0], kept);
    }
    return in[0];
}
/* A window that is all of the operand, in some dimensions, is a reduction, which many threads can share. Small ones
 * stay windows, into which contractions are folded. */
RULE(reduce_window_whole) {
    enum {
        SMALL = 64
    };
    const xg_window *w = xg_inst_attr(i, XG_A_window) ? xg_inst_attr(i, XG_A_window)->v.window : NULL;
    int64_t dims[XG_RANK_MAX], size = 1;
    uint32_t k, n = 0;
    if (!w || i->n_operands != 2) return NULL;
    for (k = 0; k < w->n; k++) {
        const xg_window_dim *d = &w->p[k];
        if (d->pad_low || d->pad_high || d->base_dilation != 1 || d->window_dilation != 1 ||
            d->size != (DIMS(i)[k] == DIMS(P(0))[k] ? 1 : DIMS(P(0))[k]))
            return NULL;
        if (d->size == 1) continue;
        dims[n++] = k;
        size *= d->size;
    }
    return size > SMALL ? xg_hb_reshape(&a->b, xg_alg_reduce_again(a, i, P(0), dims, n), DIMS(i), RANK(i)) : NULL;
}
/* r with other windows, of another operand. */
XG_FN xg_inst *xg_alg_with_windows(xg_inst *i, xg_inst *r, xg_inst *x, const xg_window_dim *windows) {
    xg_attr kept = xg_attr_make(XG_A_window);
    xg_window *made = XG_NEW(i->comp->module->arena, xg_window);
    xg_inst *in[2];
    made->n = RANK(r);
    made->p = windows;
    kept.v.window = made;
    in[0] = x;
    in[1] = XG_OPERAND(r, 1);
    r = xg_inst_clone(r, i->comp, in, i);
    r->shape = i->shape;
    xg_inst_set_attr(r, kept);
    return r;
}
/* Sums that begin at the other end, of what was turned for that and is turned back. */
RULE(reverse_reduce_window) {
    xg_inst *r = P(0), *x = r->n_operands == 2 ? XG_OPERAND(r, 0) : r;
    xg_ints dims = xg_attr_dims(i);
    xg_window_dim *now;
    uint32_t k;
    if (r->op != XG_REDUCE_WINDOW || x->op != XG_REVERSE || !xg_ints_equal(xg_attr_dims(x), dims) ||
        xg_alg_reducer(r) < 0 || !xg_inst_attr(r, XG_A_window) || !xg_opt_has_one_user(r))
        return NULL;
    now = XG_NEW_N(a->m->arena, xg_window_dim, RANK(r));
    memcpy(now, xg_inst_attr(r, XG_A_window)->v.window->p, RANK(r) * sizeof *now);
    for (k = 0; k < dims.n; k++) {
        xg_window_dim *w = &now[dims.p[k]];
        int64_t low = w->pad_low;
        if (w->stride != 1 || w->base_dilation != 1) return NULL;
        w->pad_low = w->pad_high;
        w->pad_high = low;
    }
    return xg_alg_with_windows(i, r, XG_OPERAND(x, 0), now);
}
/* The windows that a slice keeps are made of what they cover. A running sum makes all of its elements at the price of
 * one: of that only the last of those, or the other dimensions. */
RULE(slice_reduce_window) {
    xg_inst *r = P(0), *x;
    const xg_slice_dim *s = xg_inst_attr(i, XG_A_slice)->v.slices->p;
    xg_slice_dim d[XG_RANK_MAX];
    xg_window_dim *now;
    uint32_t scanned = UINT32_MAX, k;
    bool reverse;
    if (r->op != XG_REDUCE_WINDOW || !xg_inst_attr(r, XG_A_window) || r->n_operands != 2 || !xg_opt_has_one_user(r) ||
        i->shape->elements == 0)
        return NULL;
    (void)xg_window_is_scan(r, &scanned, &reverse);
    x = XG_OPERAND(r, 0);
    now = XG_NEW_N(a->m->arena, xg_window_dim, RANK(r));
    for (k = 0; k < RANK(r); k++) {
        const xg_window_dim *w = &xg_inst_attr(r, XG_A_window)->v.window->p[k];
        int64_t count = DIMS(i)[k], from = s[k].start * w->stride - w->pad_low,
                to = from + (count - 1) * s[k].stride * w->stride + w->size;
        now[k] = *w;
        d[k].start = 0;
        d[k].limit = DIMS(x)[k];
        d[k].stride = 1;
        if (count == DIMS(r)[k]) continue;
        if (w->base_dilation != 1 || w->window_dilation != 1 || (k == scanned && count > 1)) return NULL;
        if (w->size == 1 && w->stride == 1 && !w->pad_low && !w->pad_high) {
            d[k] = s[k];
            continue;
        }
        d[k].start = XG_MAX(from, (int64_t)0);
        d[k].limit = XG_MIN(to, DIMS(x)[k]);
        if (d[k].start >= d[k].limit) return NULL;
        now[k].stride = count == 1 ? 1 : w->stride * s[k].stride;
        now[k].size = count == 1 ? d[k].limit - d[k].start : w->size;
        now[k].pad_low = count == 1 ? 0 : d[k].start - from;
        now[k].pad_high = count == 1 ? 0 : to - d[k].limit;
    }
    return xg_alg_with_windows(i, r, xg_hb_slice(&a->b, x, d), now);
}
/* The computation of a map, if it is elementwise all through, on whole arrays. */
RULE(map_inline) {
    const xg_comp *c = xg_attr_to_apply(i);
    xg_map64 made;
    uint32_t k;
    if (c->n_insts > 64) return NULL;
    XG_FOR_INSTS(s, c)
        if (s->op != XG_PARAMETER && s->op != XG_CONSTANT && !(xg_op_flags(s->op) & XGF_EW)) return NULL;
    xg_map64_init(&made, a->m->arena);
    XG_FOR_INSTS(s, c) {
        xg_inst *now, *in[3];
        if (s->op == XG_PARAMETER)
            now = P(s->number);
        else if (s->op == XG_CONSTANT)
            now = xg_hb_splat(&a->b, xg_hb_literal(&a->b, s->literal), DIMS(i), RANK(i));
        else {
            for (k = 0; k < s->n_operands; k++) in[k] = (xg_inst *)xg_map64_get(&made, XG_OPERAND(s, k)->id);
            now = xg_inst_clone(s, i->comp, in, i);
            now->shape = xg_hb_shape(&a->b, s->shape->type, DIMS(i), RANK(i));
        }
        xg_map64_put(&made, s->id, now);
    }
    return (xg_inst *)xg_map64_get(&made, c->root->id);
}
#undef RULE
#undef P
#undef DIMS
#undef RANK

#endif /* XG_ALGSIMP_REDUCE_C */
