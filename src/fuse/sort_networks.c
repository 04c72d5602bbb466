/* fuse/sort_networks.c -- a sort of short rows of which few places are taken, as a network of minimum and maximum.
 *
 *     slice(sort(x), k:k+1)  ==>  minimum, maximum of slices of x, those that place k waits for
 *
 * So the median of a window, or a quantile of a few numbers, is elementwise: it fuses with what the rows are gathered
 * from, and neither rows nor sorted rows lie in memory. The network is Batcher's (Knuth 5.2.2, algorithm M), whose
 * exchanges no slice needs are dead.
 *
 * What is compared are integers, ordered as the keys of sort_order.c. Where the zeros are equal, and all NaNs, in a
 * stable sort, a zero gets an integer of its own by its number j in a row of n, 2 (j - n) and one more for a negative
 * one, for which all numbers below zero make room. That of NaNs stands behind that of infinity, so what bits a NaN has
 * is not kept.
 *
 * A reduce of what such a sort sorts (is one of them NaN?), or of what is computed of it, becomes one of the pieces, by
 * the way: beside a network lanes that share a row have nothing to do, and all else would be made twice. Pieces are
 * taken of the rows as they are: whether what makes them is made again for each piece, or lies in memory, is fusion's
 * to decide. Where rows were joined of pieces, what is computed of them is computed of the pieces. */
#ifndef XG_FUSE_SORT_NETWORKS_C
#define XG_FUSE_SORT_NETWORKS_C
#include "fuse.h"

enum {
    XG_NETWORK_ROW_MAX = 32,
    XG_NETWORK_TAKEN = 4,   /* places of it */
    XG_NETWORK_DEPTH = 4,   /* of what is computed of joined pieces */
    XG_NETWORK_OPERANDS = 3 /* of one of these */
};
/* How elements become keys. */
typedef struct xg_network {
    const xg_inst *sort;
    xg_hb b;
    xlagpu_type key;        /* what is compared */
    int64_t n, last;        /* of a row; the key of infinity */
    bool descending, alike; /* alike: zeros are, and NaNs */
    uint32_t dim;
} xg_network;

/* Whether a key of floats is the element with zeros, or NaNs (behind all else), made alike; which of them: 1, 2. */
XG_APART XG_FN int xg_network_makes_alike(const xg_inst *i) {
    int which = 0;
    for (; i->op == XG_SELECT; i = XG_OPERAND(i, 2)) {
        const xg_inst *is = XG_OPERAND(i, 0), *to = XG_OPERAND(i, 1), *x;
        double v;
        if (is->op != XG_COMPARE || to->op != XG_CONSTANT) return -1;
        x = XG_OPERAND(is, 0);
        v = xg_literal_get_float(to->literal, 0);
        if (x->op != XG_PARAMETER || xg_attr_is(is, XG_A_type, "TOTALORDER")) return -1;
        if (XG_OPERAND(is, 1) == x && xg_attr_is(is, XG_A_direction, "NE") && v != v && xg_f64_bits(v) >> 63 == 0)
            which |= 2;
        else if (XG_OPERAND(is, 1) == to && xg_attr_is(is, XG_A_direction, "EQ") && v == 0)
            which |= 1;
        else
            return -1;
    }
    return i->op == XG_PARAMETER ? which : -1;
}
XG_APART XG_FN bool xg_network_reads(xg_network *d, const xg_inst *sort) {
    xg_sort_order o = xg_fuse_sort_order(sort);
    xlagpu_type t = XG_OPERAND(sort, 0)->shape->type;
    int bits = xg_type_bits(t), alike;
    if (o.n_keys != 1 || xg_type_class(t) == XGT_C || o.keys[0].type != t) return false;
    d->sort = sort;
    d->dim = (uint32_t)xg_attr_dims(sort).p[0];
    d->n = sort->shape->dims[d->dim];
    d->key = bits < 32 ? XLAGPU_S32 : t;
    d->descending = o.keys[0].descending;
    d->alike = false;
    if (xg_type_class(t) != XGT_F) return o.exact && xg_type_class(t) == XGT_I && bits >= 8;
    alike = !o.keys[0].key ? 0 : xg_network_makes_alike(o.keys[0].key);
    if (bits < 16 || alike < 0 || (alike != (o.keys[0].total ? 3 : 0) && !o.exact)) return false;
    d->alike = !o.exact;
    d->key = bits == 64 ? XLAGPU_S64 : XLAGPU_S32;
    d->last = bits == 64 ? 0x7ffll << 52 : bits == 32 ? 0x7f800000 : t == XLAGPU_BF16 ? 0x7f80 : 0x7c00;
    return true;
}

/* ---- keys ---- */

XG_FN xg_inst *xg_network_with(const xg_network *d, xg_opcode op, xg_inst *x, int64_t v) {
    return xg_hb_2(&d->b, op, x, xg_hb_int_like(&d->b, x, v));
}
/* The integer with the bits of an element. */
XG_FN xlagpu_type xg_network_bits(const xg_network *d) {
    return xg_type_bits(d->sort->shape->type) == 16 ? XLAGPU_S16 : d->key;
}
XG_FN xg_inst *xg_network_sign(const xg_network *d, xg_inst *v) {
    return xg_network_with(d, XG_SHIFT_RIGHT_ARITHMETIC, v, xg_type_bits(d->key) - 1);
}
/* Integers in the order of floats of these bits; and back. */
XG_FN xg_inst *xg_network_turned(const xg_network *d, xg_inst *v) {
    int64_t most = INT64_MAX >> (64 - xg_type_bits(d->sort->shape->type));
    return xg_hb_2(&d->b, XG_XOR, v, xg_network_with(d, XG_AND, xg_network_sign(d, v), most));
}
/* (v compared with `than`) ? x : y */
XG_FN xg_inst *xg_network_where(
    const xg_network *d, const char *direction, xg_inst *v, int64_t than, xg_inst *x, xg_inst *y) {
    xg_inst *is = xg_hb_compare(&d->b, direction, v, xg_hb_int_like(&d->b, v, than));
    return xg_hb_select(&d->b, is, x, y);
}
/* Joined of as many pieces as a row has places. */
XG_FN bool xg_network_joins(const xg_inst *x, uint32_t dim) {
    uint32_t k;
    if (x->op != XG_CONCATENATE || xg_attr_dims(x).p[0] != dim || x->n_operands > XG_NETWORK_ROW_MAX) return false;
    for (k = 0; k < x->n_operands && XG_OPERAND(x, k)->shape->dims[dim] == 1; k++) {}
    return k == x->n_operands;
}
/* The rows of a network that came of none that are joined: what is computed of them is made of their pieces, too. */
XG_FN bool xg_network_has(const xg_inst *x, uint32_t dim) { return x->scratch == (void *)((uintptr_t)dim + 1); }
/* Whether it is joined of pieces, or computed of such. */
XG_FN bool xg_network_comes_of_joined(const xg_inst *x, uint32_t dim, uint32_t depth) {
    uint32_t k;
    if (xg_network_joins(x, dim) || xg_network_has(x, dim)) return true;
    if (depth == XG_NETWORK_DEPTH || !(xg_op_flags(x->op) & XGF_EW)) return false;
    for (k = 0; k < x->n_operands; k++)
        if (XG_OPERAND(x, k)->shape->rank && xg_network_comes_of_joined(XG_OPERAND(x, k), dim, depth + 1)) return true;
    return false;
}
/* Place j of a row, one wide: of what is joined of such, or computed of joined ones, without what joins them. */
XG_FN xg_inst *xg_network_piece(const xg_hb *b, xg_inst *x, uint32_t dim, int64_t j, uint32_t depth) {
    int64_t dims[XG_RANK_MAX];
    xg_inst *operands[XG_NETWORK_OPERANDS], *made;
    uint32_t k;
    if (xg_network_joins(x, dim)) return XG_OPERAND(x, j);
    if (xg_network_has(x, dim) || x->n_operands > XG_NETWORK_OPERANDS || !xg_network_comes_of_joined(x, dim, depth))
        return xg_hb_slice_dim(b, x, dim, j, j + 1);
    for (k = 0; k < x->n_operands; k++)
        operands[k] =
            XG_OPERAND(x, k)->shape->rank ? xg_network_piece(b, XG_OPERAND(x, k), dim, j, depth + 1) : XG_OPERAND(x, k);
    memcpy(dims, x->shape->dims, x->shape->rank * sizeof *dims);
    dims[dim] = 1;
    made = xg_inst_clone(x, x->comp, operands, b->before);
    made->shape = xg_hb_shape(b, x->shape->type, dims, x->shape->rank);
    return made;
}
/* The integer for x at place j. */
XG_APART XG_FN xg_inst *xg_network_key(const xg_network *d, xg_inst *x, int64_t j) {
    const xg_hb *b = &d->b;
    xg_inst *bits, *v, *sign, *zero, *is;
    if (xg_type_class(x->shape->type) == XGT_I) return xg_hb_convert(b, x, d->key);
    bits = xg_hb_convert(b, xg_hb_bitcast_convert(b, x, xg_network_bits(d)), d->key);
    v = xg_network_turned(d, bits);
    if (!d->alike) return v;
    sign = xg_network_sign(d, bits);
    v = xg_hb_2(b, XG_ADD, v, xg_network_with(d, XG_AND, sign, -2 * d->n));
    is = xg_hb_compare(b, "NE", x, x);
    v = xg_hb_select(b, is, xg_hb_int_like(b, v, d->last + 1), v);
    zero = xg_hb_int_like(b, v, 2 * (d->descending ? -1 - j : j - d->n));
    zero = xg_hb_2(b, XG_SUBTRACT, zero, sign);
    is = xg_hb_compare(b, "EQ", x, xg_hb_float_like(b, x, 0));
    return xg_hb_select(b, is, zero, v);
}
XG_FN xg_inst *xg_network_element(const xg_network *d, xg_inst *v) {
    const xg_hb *b = &d->b;
    xlagpu_type t = d->sort->shape->type;
    xg_inst *zero, *below;
    if (xg_type_class(t) == XGT_I) return xg_hb_convert(b, v, t);
    if (d->alike) {
        zero = xg_network_with(d, XG_AND, v, 1);
        zero = xg_hb_1(b, XG_NEGATE, zero);
        below = xg_network_with(d, XG_ADD, v, 2 * d->n);
        v = xg_network_where(d, "GE", v, 0, v, xg_network_where(d, "GE", v, -2 * d->n, zero, below));
    }
    return xg_hb_bitcast_convert(b, xg_hb_convert(b, xg_network_turned(d, v), xg_network_bits(d)), t);
}

/* ---- the network ---- */

XG_FN void xg_network_exchange(const xg_network *d, xg_inst **x, xg_inst **y) {
    xg_inst *less = xg_hb_2(&d->b, XG_MINIMUM, *x, *y), *more = xg_hb_2(&d->b, XG_MAXIMUM, *x, *y);
    *x = d->descending ? more : less;
    *y = d->descending ? less : more;
}
XG_FN void xg_network_sort(const xg_network *d, xg_inst **v) {
    int64_t top = 1, p, q, r, apart, i;
    while (2 * top < d->n) top *= 2;
    for (p = top; p; p /= 2)
        for (q = top, r = 0, apart = p;; apart = q - p, q /= 2, r = p) {
            for (i = 0; i + apart < d->n; i++)
                if ((i & p) == r) xg_network_exchange(d, &v[i], &v[i + apart]);
            if (q == p) break;
        }
}
/* One-element slices of rows, and few of them. */
XG_FN bool xg_network_pays(const xg_inst *sort) {
    uint32_t dim = (uint32_t)xg_attr_dims(sort).p[0], n = 0;
    if (sort->n_operands != 1 || sort == sort->comp->root || sort->shape->dynamic || xg_inst_order(sort) ||
        xg_inst_attr(sort, XG_A_backend_config) || sort->shape->dims[dim] > XG_NETWORK_ROW_MAX ||
        sort->shape->dims[dim] < 2)
        return false;
    XG_FOR_USES(u, sort)
        if (!xg_sort_slice_is_of_rows(u->user, dim) || u->user->shape->dims[dim] != 1 || ++n > XG_NETWORK_TAKEN)
            return false;
    return n != 0;
}
/* select(p, c, x), where p and c are the same in a row. */
XG_FN bool xg_network_is_of_rows(const xg_inst *x, uint32_t dim) {
    xg_ints dims;
    uint32_t k;
    if (x->op != XG_BROADCAST) return false;
    dims = xg_attr_dims(x);
    for (k = 0; k < dims.n && dims.p[k] != dim; k++) {}
    return k == dims.n;
}
XG_APART XG_FN void xg_network_build(xg_network *d, xg_inst *sort) {
    xg_inst *v[XG_NETWORK_ROW_MAX], *x = XG_OPERAND(sort, 0), *all = NULL, *is = NULL, *made;
    xg_hb *b = &d->b;
    int64_t j;
    *b = xg_hb_at(sort);
    if (x->op == XG_SELECT && xg_network_is_of_rows(XG_OPERAND(x, 0), d->dim) &&
        xg_network_is_of_rows(XG_OPERAND(x, 1), d->dim)) {
        is = xg_hb_slice_dim(b, XG_OPERAND(x, 0), d->dim, 0, 1);
        all = xg_hb_slice_dim(b, XG_OPERAND(x, 1), d->dim, 0, 1);
        x = XG_OPERAND(x, 2);
    }
    if (!xg_network_comes_of_joined(x, d->dim, 0)) x->scratch = (void *)((uintptr_t)d->dim + 1);
    for (j = 0; j < d->n; j++) v[j] = xg_network_key(d, xg_network_piece(b, x, d->dim, j, 0), j);
    xg_network_sort(d, v);
    XG_FOR_USES(u, sort) {
        made = xg_network_element(d, v[xg_inst_attr(u->user, XG_A_slice)->v.slices->p[d->dim].start]);
        if (is) made = xg_hb_select(b, is, all, made);
        xg_inst_replace(u->user, made);
    }
}

/* ---- reductions of what is joined ---- */

XG_APART XG_FN bool xg_network_reduce(xg_inst *i) {
    xg_inst *x = XG_OPERAND(i, 0), *v = XG_OPERAND(i, 1), *piece;
    xg_ints dims = xg_attr_dims(i);
    xg_hb b = xg_hb_at(i);
    int op = xg_reducer_opcode(xg_attr_to_apply(i));
    int64_t j;
    if (i->n_operands != 2 || dims.n != 1 || op < 0 || i->shape->dynamic || x->shape->dynamic ||
        (xg_type_class(v->shape->type) == XGT_F && xg_type_bits(v->shape->type) < 32) || /* a reduce carries f32 */
        !xg_network_comes_of_joined(x, (uint32_t)dims.p[0], 0))
        return false;
    v = xg_hb_splat(&b, v, i->shape->dims, i->shape->rank);
    for (j = 0; j < x->shape->dims[dims.p[0]]; j++) {
        piece = xg_network_piece(&b, x, (uint32_t)dims.p[0], j, 0);
        v = xg_hb_2(&b, (xg_opcode)op, v, xg_hb_reshape(&b, piece, i->shape->dims, i->shape->rank));
    }
    xg_inst_replace(i, v);
    return true;
}
XG_FN bool xg_network_comp(xg_comp *c) {
    xg_inst *i = c->first, *next;
    xg_network d;
    bool changed = false;
    XG_FOR_INSTS(k, c) k->scratch = NULL;
    for (; i; i = next) {
        next = xg_inst_behind(i);
        if (i->op != XG_SORT || !xg_network_pays(i) || !xg_network_reads(&d, i)) continue;
        xg_network_build(&d, i);
        changed = true;
    }
    for (i = c->first; i && changed; i = next) {
        next = xg_inst_behind(i);
        if (i->op == XG_REDUCE) xg_network_reduce(i);
    }
    return changed;
}
XG_FN bool xg_fuse_sort_networks(xg_module *m) {
    bool changed = m->made[XG_SORT] && m->made[XG_SLICE] && xg_opt_each_sequence(m, xg_network_comp);
    return changed ? (xg_opt_dce(m), true) : false;
}

#endif /* XG_FUSE_SORT_NETWORKS_C */
