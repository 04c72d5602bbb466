/* algsimp/move.c -- rules about where elements lie. What they promise stands in algsimp.h.
 *
 * The way things go: constants and iotas as broadcasts of something smaller; reshape and transpose above broadcast, so
 * that broadcasts, which cost nothing, come last; slices towards the parameters. */
#ifndef XG_ALGSIMP_MOVE_C
#define XG_ALGSIMP_MOVE_C
#include "algsimp.h"

#define RULE(name) XG_FN xg_inst *xg_alg_##name(xg_alg *a, xg_inst *i)
#define P(k) XG_OPERAND(i, k)
#define DIMS(x) (x)->shape->dims
#define RANK(x) (x)->shape->rank

/* ---- sources ---- */

/* An array whose elements are all the same bits is a broadcast of one. */
RULE(constant_splat) {
    const xg_literal *l = i->literal;
    size_t bytes, n;
    xg_literal *one;
    if (!xg_shape_is_array(i->shape) || l->elided || i->shape->elements < 2 || !l->data) return NULL;
    bytes = (size_t)xg_type_bytes(i->shape->type);
    n = (size_t)i->shape->elements * bytes;
    if (memcmp(l->data, (const char *)l->data + bytes, n - bytes) != 0) return NULL;
    one = xg_literal_new(a->m->arena, xg_shape_scalar(a->m, i->shape->type));
    memcpy(one->data, l->data, bytes);
    return xg_hb_splat(&a->b, xg_hb_literal(&a->b, one), DIMS(i), RANK(i));
}
/* Integers that count from 0, as NumPy's arange: attention reads off an iota what a mask leaves out. */
RULE(constant_iota) {
    enum {
        LEAST = 8 /* elements: rules know constants of fewer ones by their values */
    };
    const xg_shape *s = i->shape;
    uint32_t dim = 0;
    int64_t k, v;
    if (!xg_shape_is_array(s) || xg_type_class(s->type) != XGT_I || i->literal->elided || s->elements < LEAST)
        return NULL;
    while (s->dims[dim] == 1) dim++;
    if (s->dims[dim] != s->elements) return NULL;
    for (k = 0; k < s->elements; k++)
        if (!xg_literal_get_int(i->literal, k, &v) || v != k) return NULL;
    return xg_hb_iota(&a->b, s->type, s->dims, s->rank, dim);
}
RULE(iota_one) { return DIMS(i)[xg_attr_or_0(i, XG_A_iota_dimension)] == 1 ? xg_hb_int_like(&a->b, i, 0) : NULL; }

/* ---- ones: dimensions of size 1 ---- */

/* For the reshape from `from` to `to` that only puts in and leaves out ones: place[k] is where dimension k of `from`
 * goes, -1 for ones. */
XG_FN bool xg_alg_only_ones(const xg_shape *from, const xg_shape *to, int64_t *place) {
    uint32_t k, j = 0;
    for (k = 0; k < from->rank; k++) {
        place[k] = -1;
        if (from->dims[k] == 1) continue;
        while (j < to->rank && to->dims[j] == 1) j++;
        if (j == to->rank || to->dims[j] != from->dims[k]) return false;
        place[k] = j++;
    }
    while (j < to->rank && to->dims[j] == 1) j++;
    return j == to->rank;
}
/* x without the ones whose flag is set. */
XG_FN xg_inst *xg_alg_drop_ones(xg_alg *a, xg_inst *x, const bool *drop) {
    int64_t dims[XG_RANK_MAX];
    uint32_t k, n = 0;
    for (k = 0; k < RANK(x); k++)
        if (!drop[k]) dims[n++] = DIMS(x)[k];
    return xg_hb_reshape(&a->b, x, dims, n);
}

/* ---- reshape ---- */

/* In layout-sensitive times a reshape to the same dimensions may still move data. */
RULE(reshape_same) {
    (void)a;
    return P(0)->shape->plain == i->shape->plain ? P(0) : NULL;
}
RULE(reshape_reshape) {
    return P(0)->op == XG_RESHAPE ? xg_hb_reshape(&a->b, XG_OPERAND(P(0), 0), DIMS(i), RANK(i)) : NULL;
}
/* reshape(broadcast(x)): of a scalar, and where only ones come and go. */
RULE(reshape_broadcast) {
    xg_inst *b = P(0), *x;
    int64_t place[XG_RANK_MAX], to[XG_RANK_MAX];
    bool drop[XG_RANK_MAX];
    xg_ints at;
    uint32_t k, n = 0;
    if (b->op != XG_BROADCAST) return NULL;
    x = XG_OPERAND(b, 0);
    if (RANK(x) == 0) return xg_hb_splat(&a->b, x, DIMS(i), RANK(i));
    if (!xg_alg_only_ones(b->shape, i->shape, place)) return NULL;
    at = xg_attr_dims(b);
    for (k = 0; k < at.n; k++) {
        drop[k] = DIMS(x)[k] == 1;
        if (drop[k]) continue;
        if (place[at.p[k]] < 0) return NULL;
        to[n++] = place[at.p[k]];
    }
    return xg_hb_broadcast(&a->b, xg_alg_drop_ones(a, x, drop), DIMS(i), RANK(i), to, n);
}
RULE(reshape_iota) {
    int64_t place[XG_RANK_MAX], dim;
    if (P(0)->op != XG_IOTA || !xg_alg_only_ones(P(0)->shape, i->shape, place)) return NULL;
    dim = place[xg_attr_int(P(0), XG_A_iota_dimension, 0)];
    return dim < 0 ? NULL : xg_hb_iota(&a->b, i->shape->type, DIMS(i), RANK(i), dim);
}

/* ---- transpose ---- */

RULE(transpose_same) {
    (void)a;
    return xg_perm_is_identity(xg_attr_dims(i).p, RANK(i)) ? P(0) : NULL;
}
RULE(transpose_transpose) {
    int64_t perm[XG_RANK_MAX];
    xg_ints outer = xg_attr_dims(i), inner;
    uint32_t k;
    if (P(0)->op != XG_TRANSPOSE) return NULL;
    inner = xg_attr_dims(P(0));
    for (k = 0; k < outer.n; k++) perm[k] = inner.p[outer.p[k]];
    return xg_hb_transpose(&a->b, XG_OPERAND(P(0), 0), perm);
}
XG_FN void xg_alg_inverse(xg_ints perm, int64_t *inverse) {
    uint32_t k;
    for (k = 0; k < perm.n; k++) inverse[perm.p[k]] = k;
}
RULE(transpose_broadcast) {
    int64_t inverse[XG_RANK_MAX], to[XG_RANK_MAX];
    xg_ints at;
    uint32_t k;
    if (P(0)->op != XG_BROADCAST) return NULL;
    xg_alg_inverse(xg_attr_dims(i), inverse);
    at = xg_attr_dims(P(0));
    for (k = 0; k < at.n; k++) to[k] = inverse[at.p[k]];
    return xg_hb_broadcast(&a->b, XG_OPERAND(P(0), 0), DIMS(i), RANK(i), to, at.n);
}
RULE(transpose_iota) {
    int64_t inverse[XG_RANK_MAX];
    if (P(0)->op != XG_IOTA) return NULL;
    xg_alg_inverse(xg_attr_dims(i), inverse);
    return xg_hb_iota(&a->b, i->shape->type, DIMS(i), RANK(i), inverse[xg_attr_int(P(0), XG_A_iota_dimension, 0)]);
}
RULE(transpose_reshape) { /* only ones change places */
    xg_ints perm = xg_attr_dims(i);
    int64_t last = -1;
    uint32_t k;
    for (k = 0; k < perm.n; k++) {
        if (DIMS(i)[k] == 1) continue;
        if (perm.p[k] < last) return NULL;
        last = perm.p[k];
    }
    return xg_hb_reshape(&a->b, P(0), DIMS(i), RANK(i));
}
/* All readers are products that have one for each index of the dimension, or take the elements as they lie. */
XG_FN bool xg_alg_wants_rows(const xg_inst *i, int64_t dim) {
    const xg_use *u;
    for (u = i->first_use; u; u = u->next) {
        const xg_inst *to = u->user;
        if (to->op != XG_RESHAPE &&
            (to->op != XG_DOT ||
                !xg_ints_at(XG_OPERAND(to, 0) == i ? xg_dot_dims_of(to).lb : xg_dot_dims_of(to).rb, dim, NULL)))
            return false;
    }
    return i->first_use != NULL;
}
/* transpose(dot(x, y)) that exchanges what is free in x with what is free in y is dot(y, x). Where it brings what is
 * free in x innermost, for readers that want such rows, it is that and a transpose of what is left to move. */
RULE(transpose_dot) {
    xg_inst *d = P(0);
    xg_ints perm = xg_attr_dims(i);
    int64_t to[XG_RANK_MAX];
    xg_dot_dims was, now;
    uint32_t batch, lhs, rhs, k;
    int64_t minor = 0;
    if (d->op != XG_DOT || !xg_opt_has_one_user(d) || !xg_dot_is_symmetric(d)) return NULL;
    was = xg_dot_dims_of(d);
    batch = was.lb.n;
    lhs = RANK(XG_OPERAND(d, 0)) - batch - was.lc.n;
    rhs = RANK(XG_OPERAND(d, 1)) - batch - was.rc.n;
    if (lhs == 0 || rhs == 0 || perm.p[perm.n - 1] != batch + lhs - 1) return NULL;
    for (k = 0; k < perm.n; k++) {
        to[k] = perm.p[k] + (perm.p[k] < batch ? 0 : perm.p[k] < batch + lhs ? (int64_t)rhs : -(int64_t)lhs);
        if (perm.p[k] == perm.n - 1) minor = k;
    }
    if (!xg_perm_is_identity(to, perm.n) && !xg_alg_wants_rows(i, minor)) return NULL;
    now.lb = was.rb;
    now.lc = was.rc;
    now.rb = was.lb;
    now.rc = was.lc;
    return xg_hb_transpose(&a->b, xg_hb_dot(&a->b, XG_OPERAND(d, 1), XG_OPERAND(d, 0), now, i->shape->type, d), to);
}

/* ---- broadcast ---- */

RULE(broadcast_same) {
    (void)a;
    return xg_perm_is_identity(xg_attr_dims(i).p, RANK(P(0))) && P(0)->shape->plain == i->shape->plain ? P(0) : NULL;
}
RULE(broadcast_broadcast) {
    int64_t to[XG_RANK_MAX];
    xg_ints outer = xg_attr_dims(i), inner;
    uint32_t k;
    if (P(0)->op != XG_BROADCAST) return NULL;
    inner = xg_attr_dims(P(0));
    for (k = 0; k < inner.n; k++) to[k] = outer.p[inner.p[k]];
    return xg_hb_broadcast(&a->b, XG_OPERAND(P(0), 0), DIMS(i), RANK(i), to, inner.n);
}
RULE(broadcast_transpose) {
    int64_t to[XG_RANK_MAX];
    xg_ints outer = xg_attr_dims(i), perm;
    uint32_t k;
    if (P(0)->op != XG_TRANSPOSE) return NULL;
    perm = xg_attr_dims(P(0));
    for (k = 0; k < perm.n; k++) to[perm.p[k]] = outer.p[k];
    return xg_hb_broadcast(&a->b, XG_OPERAND(P(0), 0), DIMS(i), RANK(i), to, perm.n);
}
RULE(broadcast_iota) {
    if (P(0)->op != XG_IOTA) return NULL;
    return xg_hb_iota(
        &a->b, i->shape->type, DIMS(i), RANK(i), xg_attr_dims(i).p[xg_attr_int(P(0), XG_A_iota_dimension, 0)]);
}
RULE(broadcast_reshape) { /* ones that a reshape has put in need not be there */
    int64_t place[XG_RANK_MAX], to[XG_RANK_MAX];
    bool drop[XG_RANK_MAX];
    xg_ints at = xg_attr_dims(i);
    xg_inst *x;
    uint32_t k, n = 0;
    if (P(0)->op != XG_RESHAPE) return NULL;
    x = XG_OPERAND(P(0), 0);
    if (RANK(x) >= RANK(P(0)) || !xg_alg_only_ones(x->shape, P(0)->shape, place)) return NULL;
    for (k = 0; k < RANK(x); k++) {
        drop[k] = DIMS(x)[k] == 1;
        if (!drop[k]) to[n++] = at.p[place[k]];
    }
    return xg_hb_broadcast(&a->b, xg_alg_drop_ones(a, x, drop), DIMS(i), RANK(i), to, n);
}
/* A broadcast that makes nothing bigger and only changes the order is a transpose. */
RULE(broadcast_permutes) {
    xg_ints at = xg_attr_dims(i);
    int64_t perm[XG_RANK_MAX];
    if (RANK(i) != RANK(P(0)) || xg_perm_is_identity(at.p, at.n)) return NULL;
    xg_alg_inverse(at, perm);
    return xg_hb_transpose(&a->b, P(0), perm);
}
/* One that makes nothing bigger and keeps the order is a reshape. */
RULE(broadcast_ones) {
    xg_ints at = xg_attr_dims(i);
    uint32_t k;
    if (i->shape->elements != P(0)->shape->elements || RANK(i) == RANK(P(0)) || i->shape->elements == 0) return NULL;
    for (k = 1; k < at.n; k++)
        if (at.p[k] < at.p[k - 1]) return NULL;
    return xg_hb_reshape(&a->b, P(0), DIMS(i), RANK(i));
}

/* ---- bitcast ---- */

RULE(bitcast_same) {
    (void)a;
    return P(0)->shape == i->shape ? P(0) : NULL;
}
RULE(bitcast_bitcast) {
    return P(0)->op == XG_BITCAST ? xg_hb_op(&a->b, XG_BITCAST, i->shape, &XG_OPERAND(P(0), 0), 1) : NULL;
}

/* ---- reverse ---- */

RULE(reverse_ones) {
    xg_ints at = xg_attr_dims(i);
    int64_t kept[XG_RANK_MAX];
    uint32_t k, n = 0;
    for (k = 0; k < at.n; k++)
        if (DIMS(i)[at.p[k]] != 1) kept[n++] = at.p[k];
    return n < at.n ? xg_hb_reverse(&a->b, P(0), kept, n) : n == 0 ? P(0) : NULL;
}
RULE(reverse_reverse) { /* what both turn stays */
    xg_ints outer = xg_attr_dims(i), inner;
    int64_t dims[XG_RANK_MAX];
    uint32_t times[XG_RANK_MAX], k, n = 0;
    if (P(0)->op != XG_REVERSE) return NULL;
    inner = xg_attr_dims(P(0));
    memset(times, 0, sizeof times);
    for (k = 0; k < outer.n; k++) times[outer.p[k]]++;
    for (k = 0; k < inner.n; k++) times[inner.p[k]]++;
    for (k = 0; k < RANK(i); k++)
        if (times[k] == 1) dims[n++] = k;
    return xg_hb_reverse(&a->b, XG_OPERAND(P(0), 0), dims, n);
}
/* Where each dimension of a broadcast comes from: the operand's dimension, or -1. */
XG_FN void xg_alg_broadcast_sources(const xg_inst *b, int64_t *source) {
    xg_ints at = xg_attr_dims(b);
    uint32_t k;
    for (k = 0; k < RANK(b); k++) source[k] = -1;
    for (k = 0; k < at.n; k++) source[at.p[k]] = k;
}
RULE(reverse_broadcast) { /* all elements along a dimension are the same */
    xg_ints at = xg_attr_dims(i);
    int64_t source[XG_RANK_MAX], kept[XG_RANK_MAX];
    uint32_t k, n = 0;
    if (P(0)->op != XG_BROADCAST) return NULL;
    xg_alg_broadcast_sources(P(0), source);
    for (k = 0; k < at.n; k++)
        if (source[at.p[k]] >= 0) kept[n++] = at.p[k];
    return n < at.n ? xg_hb_reverse(&a->b, P(0), kept, n) : NULL;
}

/* ---- slice ---- */

XG_FN const xg_slice_dim *xg_alg_slices(const xg_inst *i) { return xg_inst_attr(i, XG_A_slice)->v.slices->p; }
RULE(slice_same) {
    (void)a;
    return P(0)->shape->plain == i->shape->plain ? P(0) : NULL;
}
RULE(slice_slice) {
    const xg_slice_dim *outer = xg_alg_slices(i), *inner;
    xg_slice_dim d[XG_RANK_MAX];
    uint32_t k;
    if (P(0)->op != XG_SLICE || i->shape->elements == 0) return NULL;
    inner = xg_alg_slices(P(0));
    for (k = 0; k < RANK(i); k++) {
        d[k].start = inner[k].start + outer[k].start * inner[k].stride;
        if (!xg_mul64(inner[k].stride, outer[k].stride, &d[k].stride)) return NULL;
        d[k].limit = d[k].start + (DIMS(i)[k] - 1) * d[k].stride + 1;
    }
    return xg_hb_slice(&a->b, XG_OPERAND(P(0), 0), d);
}
/* The one part of a concatenation that a slice is of, and where it begins; NULL: it is of several. */
XG_FN xg_inst *xg_alg_sliced_part(const xg_inst *i, int64_t *at) {
    const xg_slice_dim *s;
    xg_inst *c = i->op == XG_SLICE ? P(0) : NULL;
    int64_t dim, size, begin = 0;
    uint32_t k;
    if (!c || c->op != XG_CONCATENATE || i->shape->elements == 0) return NULL;
    dim = xg_attr_dims(c).p[0];
    s = &xg_alg_slices(i)[dim];
    for (k = 0; k < c->n_operands; begin += size, k++) {
        size = DIMS(XG_OPERAND(c, k))[dim];
        if (s->start >= begin + size) continue;
        *at = begin;
        return s->start + (DIMS(i)[dim] - 1) * s->stride < begin + size ? XG_OPERAND(c, k) : NULL;
    }
    return NULL;
}
/* All of it from one of the parts. What is a concatenation itself is not made again beside the whole: of a border in
 * two dimensions, slices without the second one would have the first one chosen by each of them. */
RULE(slice_concatenate) {
    xg_slice_dim d[XG_RANK_MAX];
    int64_t at, dim, other;
    xg_inst *part = xg_alg_sliced_part(i, &at);
    if (!part) return NULL;
    if (part->op == XG_CONCATENATE)
        XG_FOR_USES(u, P(0))
            if (!xg_alg_sliced_part(u->user, &other)) return NULL;
    dim = xg_attr_dims(P(0)).p[0];
    memcpy(d, xg_alg_slices(i), RANK(i) * sizeof *d);
    d[dim].start -= at;
    d[dim].limit = d[dim].start + (DIMS(i)[dim] - 1) * d[dim].stride + 1;
    return xg_hb_slice(&a->b, part, d);
}
/* Within the padded array, or within the padding, of edges only. */
RULE(slice_pad) {
    const xg_slice_dim *s = xg_alg_slices(i);
    const xg_pad_dim *p;
    xg_slice_dim d[XG_RANK_MAX];
    bool within = true;
    uint32_t k;
    if (P(0)->op != XG_PAD || i->shape->elements == 0) return NULL;
    p = xg_inst_attr(P(0), XG_A_padding)->v.pads->p;
    for (k = 0; k < RANK(i); k++) {
        int64_t from = p[k].low, to = p[k].low + DIMS(XG_OPERAND(P(0), 0))[k],
                last = s[k].start + (DIMS(i)[k] - 1) * s[k].stride;
        if (p[k].low < 0 || p[k].high < 0 || p[k].interior) return NULL;
        if (last < from || s[k].start >= to) return xg_hb_splat(&a->b, XG_OPERAND(P(0), 1), DIMS(i), RANK(i));
        within = within && s[k].start >= from && last < to;
        d[k].start = s[k].start - from;
        d[k].limit = last - from + 1;
        d[k].stride = s[k].stride;
    }
    return within ? xg_hb_slice(&a->b, XG_OPERAND(P(0), 0), d) : NULL;
}
/* The operand's part of a slice or dynamic-slice of a broadcast. */
RULE(slice_broadcast) {
    const xg_slice_dim *s = xg_alg_slices(i);
    xg_slice_dim d[XG_RANK_MAX];
    xg_ints at;
    uint32_t k;
    if (P(0)->op != XG_BROADCAST) return NULL;
    at = xg_attr_dims(P(0));
    for (k = 0; k < at.n; k++) d[k] = s[at.p[k]];
    return xg_hb_broadcast(&a->b, xg_hb_slice(&a->b, XG_OPERAND(P(0), 0), d), DIMS(i), RANK(i), at.p, at.n);
}
RULE(slice_reshape) { /* ones come and go behind the slice */
    const xg_slice_dim *s = xg_alg_slices(i);
    xg_slice_dim d[XG_RANK_MAX];
    int64_t place[XG_RANK_MAX];
    xg_inst *x;
    uint32_t k;
    if (P(0)->op != XG_RESHAPE || i->shape->elements == 0 || !xg_opt_has_one_user(P(0))) return NULL;
    x = XG_OPERAND(P(0), 0);
    if (!xg_alg_only_ones(x->shape, P(0)->shape, place)) return NULL;
    for (k = 0; k < RANK(x); k++) {
        d[k].start = 0;
        d[k].limit = DIMS(x)[k];
        d[k].stride = 1;
        if (place[k] >= 0) d[k] = s[place[k]];
    }
    return xg_hb_reshape(&a->b, xg_hb_slice(&a->b, x, d), DIMS(i), RANK(i));
}
RULE(slice_transpose) {
    const xg_slice_dim *s = xg_alg_slices(i);
    xg_slice_dim d[XG_RANK_MAX];
    xg_ints perm;
    uint32_t k;
    if (P(0)->op != XG_TRANSPOSE || !xg_opt_has_one_user(P(0))) return NULL;
    perm = xg_attr_dims(P(0));
    for (k = 0; k < perm.n; k++) d[perm.p[k]] = s[k];
    return xg_hb_transpose(&a->b, xg_hb_slice(&a->b, XG_OPERAND(P(0), 0), d), perm.p);
}

/* ---- pad ---- */

XG_FN const xg_pad_dim *xg_alg_pads(const xg_inst *i) { return xg_inst_attr(i, XG_A_padding)->v.pads->p; }
RULE(pad_same) { /* nothing is added: interior padding of one element is none */
    const xg_pad_dim *p = xg_alg_pads(i);
    uint32_t k;
    (void)a;
    for (k = 0; k < RANK(i); k++)
        if (p[k].low || p[k].high || (p[k].interior && DIMS(P(0))[k] > 1)) return NULL;
    return P(0);
}
/* Negative edges are a slice of what the other edges make; the cut comes after the interior padding. */
RULE(pad_negative) {
    const xg_pad_dim *p = xg_alg_pads(i);
    xg_pad_dim grow[XG_RANK_MAX];
    xg_slice_dim cut[XG_RANK_MAX];
    xg_inst *padded;
    bool any = false;
    uint32_t k;
    if (i->shape->elements == 0) return NULL;
    for (k = 0; k < RANK(i); k++) {
        any = any || p[k].low < 0 || p[k].high < 0;
        grow[k].low = XG_MAX(p[k].low, 0);
        grow[k].high = XG_MAX(p[k].high, 0);
        grow[k].interior = p[k].interior;
    }
    if (!any) return NULL;
    padded = xg_hb_pad(&a->b, P(0), P(1), grow);
    for (k = 0; k < RANK(i); k++) {
        cut[k].start = XG_MAX(-p[k].low, 0);
        cut[k].limit = cut[k].start + DIMS(i)[k];
        cut[k].stride = 1;
    }
    return xg_hb_slice(&a->b, padded, cut);
}
RULE(pad_pad) { /* with the same value; edges add up */
    const xg_pad_dim *outer = xg_alg_pads(i), *inner;
    xg_pad_dim d[XG_RANK_MAX];
    xg_inst *in = P(0);
    const xg_inst *u, *v;
    uint32_t k;
    if (in->op != XG_PAD) return NULL;
    u = xg_alg_scalar(P(1));
    v = xg_alg_scalar(XG_OPERAND(in, 1));
    if (P(1) != XG_OPERAND(in, 1) &&
        !(u && v && memcmp(u->literal->data, v->literal->data, (size_t)xg_type_bytes(u->shape->type)) == 0))
        return NULL;
    inner = xg_alg_pads(in);
    for (k = 0; k < RANK(i); k++) {
        if (outer[k].low < 0 || outer[k].high < 0 || outer[k].interior || inner[k].low < 0 || inner[k].high < 0)
            return NULL;
        d[k] = inner[k];
        d[k].low += outer[k].low;
        d[k].high += outer[k].high;
    }
    return xg_hb_pad(&a->b, XG_OPERAND(in, 0), P(1), d);
}
RULE(pad_broadcast) { /* the padding is what is padded; or there is nothing but padding */
    const xg_inst *x = xg_alg_scalar(P(0)), *v = xg_alg_scalar(P(1));
    if (P(0)->shape->elements == 0 ||
        (x && v && memcmp(x->literal->data, v->literal->data, (size_t)xg_type_bytes(i->shape->type)) == 0))
        return xg_hb_splat(&a->b, P(1), DIMS(i), RANK(i));
    return NULL;
}

/* ---- concatenate ---- */

RULE(concatenate_one) { /* the only one; parts without elements leave */
    int64_t dim = xg_attr_dims(i).p[0];
    xg_inst **kept;
    uint32_t k, n = 0;
    if (i->shape->elements == 0) return NULL;
    for (k = 0; k < i->n_operands; k++) n += P(k)->shape->elements != 0;
    if (n == i->n_operands && n > 1) return NULL;
    kept = XG_NEW_N(a->m->arena, xg_inst *, n + 1);
    for (k = 0, n = 0; k < i->n_operands; k++)
        if (P(k)->shape->elements) kept[n++] = P(k);
    return xg_hb_concat(&a->b, kept, n, dim);
}
RULE(concatenate_flat) { /* parts that are such concatenations themselves, and are nothing else's */
    int64_t dim = xg_attr_dims(i).p[0];
    xg_inst **parts;
    uint32_t k, j, n = 0, flat = 0;
    for (k = 0; k < i->n_operands; k++) {
        bool opens = P(k)->op == XG_CONCATENATE && xg_attr_dims(P(k)).p[0] == dim && xg_opt_has_one_user(P(k));
        flat += opens;
        n += opens ? P(k)->n_operands : 1;
    }
    if (!flat || n > 255) return NULL;
    parts = XG_NEW_N(a->m->arena, xg_inst *, n);
    for (k = 0, n = 0; k < i->n_operands; k++) {
        if (P(k)->op == XG_CONCATENATE && xg_attr_dims(P(k)).p[0] == dim && xg_opt_has_one_user(P(k)))
            for (j = 0; j < P(k)->n_operands; j++) parts[n++] = XG_OPERAND(P(k), j);
        else
            parts[n++] = P(k);
    }
    return xg_hb_concat(&a->b, parts, n, dim);
}
/* y continues x along the dimension: both are slices of one array, without gaps. */
XG_FN bool xg_alg_continues(const xg_inst *x, const xg_inst *y, int64_t dim) {
    const xg_slice_dim *s, *t;
    uint32_t k;
    if (x->op != XG_SLICE || y->op != XG_SLICE || XG_OPERAND(x, 0) != XG_OPERAND(y, 0)) return false;
    s = xg_alg_slices(x);
    t = xg_alg_slices(y);
    for (k = 0; k < RANK(x); k++) {
        if (s[k].stride != 1 || t[k].stride != 1) return false;
        if ((int64_t)k == dim ? s[k].limit != t[k].start : s[k].start != t[k].start || s[k].limit != t[k].limit)
            return false;
    }
    return true;
}
RULE(concatenate_slices) {
    int64_t dim = xg_attr_dims(i).p[0];
    xg_inst **parts = NULL;
    uint32_t k, n = 0, runs = i->n_operands > 0;
    for (k = 1; k < i->n_operands; k++) runs += !xg_alg_continues(P(k - 1), P(k), dim);
    if (runs == i->n_operands) return NULL;
    parts = XG_NEW_N(a->m->arena, xg_inst *, runs);
    for (k = 0; k < i->n_operands;) {
        uint32_t end = k + 1;
        while (end < i->n_operands && xg_alg_continues(P(end - 1), P(end), dim)) end++;
        parts[n] = P(k);
        if (end > k + 1) {
            xg_slice_dim d[XG_RANK_MAX];
            memcpy(d, xg_alg_slices(P(k)), RANK(i) * sizeof *d);
            d[dim].limit = xg_alg_slices(P(end - 1))[dim].limit;
            parts[n] = xg_hb_slice(&a->b, XG_OPERAND(P(k), 0), d);
        }
        n++;
        k = end;
    }
    return xg_hb_concat(&a->b, parts, n, dim);
}
RULE(concatenate_broadcasts) { /* of one scalar */
    uint32_t k;
    for (k = 0; k < i->n_operands; k++)
        if (P(k)->op != XG_BROADCAST || RANK(XG_OPERAND(P(k), 0)) || XG_OPERAND(P(k), 0) != XG_OPERAND(P(0), 0))
            return NULL;
    return xg_hb_splat(&a->b, XG_OPERAND(P(0), 0), DIMS(i), RANK(i));
}

/* ---- dynamic slices, gather, scatter ---- */

XG_FN bool xg_alg_scalar_starts(const xg_inst *i, uint32_t from) {
    return i->n_operands - from == RANK(i) && (RANK(i) == 0 || RANK(P(from)) == 0);
}
RULE(dynamic_slice_whole) {
    (void)a;
    return P(0)->shape->plain == i->shape->plain ? P(0) : NULL;
}
RULE(dynamic_slice_constant) { /* at a place that is known; it is clamped */
    xg_slice_dim d[XG_RANK_MAX];
    uint32_t k;
    if (!xg_alg_scalar_starts(i, 1)) return NULL;
    for (k = 0; k < RANK(i); k++) {
        const xg_inst *c = xg_alg_scalar(P(1 + k));
        int64_t at = 0, room = DIMS(P(0))[k] - DIMS(i)[k];
        if (room && (!c || !xg_literal_get_int(c->literal, 0, &at))) return NULL;
        if (room && c->shape->type == XLAGPU_U64 && at < 0) at = INT64_MAX;
        d[k].start = XG_MIN(XG_MAX(at, 0), room);
        d[k].limit = d[k].start + DIMS(i)[k];
        d[k].stride = 1;
    }
    return xg_hb_slice(&a->b, P(0), d);
}
RULE(dynamic_slice_broadcast) {
    xg_inst *starts[XG_RANK_MAX];
    int64_t sizes[XG_RANK_MAX];
    xg_ints at;
    xg_inst *x;
    uint32_t k;
    if (P(0)->op != XG_BROADCAST || !xg_alg_scalar_starts(i, 1)) return NULL;
    x = XG_OPERAND(P(0), 0);
    at = xg_attr_dims(P(0));
    for (k = 0; k < at.n; k++) {
        starts[k] = P(1 + at.p[k]);
        sizes[k] = DIMS(i)[at.p[k]];
    }
    return xg_hb_broadcast(
        &a->b, at.n ? xg_hb_dynamic_slice(&a->b, x, starts, sizes) : x, DIMS(i), RANK(i), at.p, at.n);
}
RULE(dynamic_update_slice_whole) {
    (void)a;
    if (P(1)->shape->elements == 0 && i->shape->elements) return P(0);
    return P(1)->shape->plain == i->shape->plain ? P(1) : NULL;
}
RULE(gather_broadcast) {
    return P(0)->op == XG_BROADCAST && RANK(XG_OPERAND(P(0), 0)) == 0
               ? xg_hb_splat(&a->b, XG_OPERAND(P(0), 0), DIMS(i), RANK(i))
               : NULL;
}
/* One index vector: a dynamic-slice, clamped in the same way. */
RULE(gather_one) {
    xg_ints map = xg_attr_ints(i, XG_A_start_index_map), sizes = xg_attr_ints(i, XG_A_slice_sizes);
    xg_inst *x = P(0), *indices = P(1), *starts[XG_RANK_MAX], *flat;
    int64_t n = map.n;
    uint32_t k;
    if (n == 0 || indices->shape->elements != n || xg_attr_ints(i, XG_A_operand_batching_dims).n ||
        i->shape->elements == 0 || sizes.n != RANK(x) || xg_type_bits(indices->shape->type) < 32)
        return NULL;
    flat = xg_hb_reshape(&a->b, indices, &n, 1);
    for (k = 0; k < RANK(x); k++) starts[k] = NULL;
    for (k = 0; k < map.n; k++)
        starts[map.p[k]] = xg_hb_reshape(&a->b, xg_hb_slice_dim(&a->b, flat, 0, k, k + 1), NULL, 0);
    for (k = 0; k < RANK(x); k++)
        if (!starts[k]) starts[k] = xg_hb_int(&a->b, indices->shape->type, 0);
    /* What is left of the slice has the order of the result: offset dimensions keep theirs, and all others are ones. */
    return xg_hb_reshape(&a->b, xg_hb_dynamic_slice(&a->b, x, starts, sizes.p), DIMS(i), RANK(i));
}
RULE(scatter_nothing) { /* no updates */
    (void)a;
    if (i->n_operands != 3 || i->shape->elements == 0) return NULL;
    return P(2)->shape->elements == 0 ? P(0) : NULL;
}
#undef RULE
#undef P
#undef DIMS
#undef RANK

#endif /* XG_ALGSIMP_MOVE_C */
