/* algsimp/unpack.c -- nibble-unpacking: elements of 4 bits that shifts and masks take out of bytes or words, in front
 * of a dot, become those of a bitcast-convert, of which only the order changes.
 *
 *     and(shift-right(broadcast(w), 0 4 8 .. along a dimension), 15)    all of a word, side by side
 *     concatenate(and(w, 15), shift-right(w, 4))                        stacked, interleaved by a reshape, or halves
 *
 *     ==>  convert(transpose(bitcast-convert(w)))
 *
 * Pieces of a concatenation may all be converted, and have the same number subtracted or added, first. A kernel then
 * knows where an element's bits are, whatever the spelling. Differences of such integers that become floats which have
 * them exactly are taken of floats: kernels subtract zero points by pairs. */
#ifndef XG_ALGSIMP_UNPACK_C
#define XG_ALGSIMP_UNPACK_C
#include "algsimp.h"
#include "ranges.c"

enum {
    XG_UNPACK_BITS = 4,
    XG_UNPACK_MOST = 8, /* of a word */
    XG_UNPACK_DEPTH = 24
};
/* Elements of 4 bits out of `from`, by their place along a dimension. */
typedef struct xg_unpack {
    xg_inst *from;
    int64_t order[XG_UNPACK_MOST], n;
    bool is_signed;
} xg_unpack;

/* ---- which bits ---- */

/* The number of a shift's amount, if it is the same everywhere: a scalar's; -1: it is not. */
XG_FN int64_t xg_unpack_amount(const xg_inst *x) {
    const xg_inst *c = xg_alg_scalar(x);
    int64_t v;
    return c && xg_literal_get_int(c->literal, 0, &v) && v >= 0 && v % XG_UNPACK_BITS == 0 ? v : -1;
}
XG_FN bool xg_unpack_masks(const xg_inst *x) { return xg_alg_is(x, (1 << XG_UNPACK_BITS) - 1); }
XG_FN bool xg_unpack_shifts(const xg_inst *x) {
    return x->op == XG_SHIFT_RIGHT_LOGICAL || x->op == XG_SHIFT_RIGHT_ARITHMETIC;
}
/* What a word was widened from, without a change of its low bits. */
XG_FN xg_inst *xg_unpack_narrow(xg_inst *x, int64_t bits) {
    while (x->op == XG_CONVERT && xg_type_class(XG_OPERAND(x, 0)->shape->type) == XGT_I &&
           xg_type_bits(XG_OPERAND(x, 0)->shape->type) >= bits)
        x = XG_OPERAND(x, 0);
    return x;
}
/* The bits that a word may have: those of an unsigned one that it was widened from. */
XG_FN int64_t xg_unpack_width(xg_inst *x, int64_t left) {
    const xg_inst *narrow = left ? x : xg_unpack_narrow(x, XG_UNPACK_BITS);
    return xg_type_bits((xg_type_signed(narrow->shape->type) ? x : narrow)->shape->type);
}
/* One element of 4 bits of each of p's: which; -1: it is none. */
XG_FN int64_t xg_unpack_of(xg_inst *x, xg_unpack *p) {
    int64_t shift = 0, left = 0;
    bool masked = x->op == XG_AND && xg_unpack_masks(XG_OPERAND(x, 1));
    if (xg_type_class(x->shape->type) != XGT_I) return -1;
    if (masked) x = XG_OPERAND(x, 0);
    p->is_signed = false;
    if (xg_unpack_shifts(x)) {
        bool arithmetic = x->op == XG_SHIFT_RIGHT_ARITHMETIC;
        shift = xg_unpack_amount(XG_OPERAND(x, 1));
        x = XG_OPERAND(x, 0);
        if (!masked && x->op == XG_SHIFT_LEFT) {
            left = xg_unpack_amount(XG_OPERAND(x, 1));
            x = XG_OPERAND(x, 0);
        }
        if (shift < 0 || left < 0 || (!masked && shift != xg_unpack_width(x, left) - XG_UNPACK_BITS)) return -1;
        p->is_signed = !masked && arithmetic && shift + XG_UNPACK_BITS == xg_type_bits(x->shape->type);
    } else if (!masked)
        return -1;
    p->from = x;
    return (shift - left) / XG_UNPACK_BITS;
}

/* ---- what they become ---- */

/* The order is one of the bits of a place, from either end: order[k] is the sum of those of k's, or what it lacks. */
XG_FN bool xg_unpack_is_of_bits(const xg_unpack *p) {
    int64_t seen = 0, sum, k, b;
    for (k = 0; k < p->n; k++) {
        b = p->order[k] ^ p->order[0];
        if (!(k & (k - 1)) && (b & (b - 1))) return false; /* several bits for one */
        for (sum = p->order[0], b = 1; b < p->n; b *= 2) sum ^= k & b ? p->order[b] ^ p->order[0] : 0;
        if (p->order[k] != sum || sum >= p->n) return false;
        seen |= (int64_t)1 << sum;
    }
    return seen == ((int64_t)1 << p->n) - 1 && (!p->order[0] || p->order[0] == p->n - 1);
}
/* Those of all in front of dimension `dim`, or, with halves, of which each has that dimension, as one. In another
 * order a dimension for each bit moves there. */
XG_FN xg_inst *xg_unpack_make(const xg_hb *b, const xg_unpack *p, uint32_t dim, const xg_shape *to) {
    int64_t dims[XG_RANK_MAX], perm[XG_RANK_MAX], last = p->from->shape->rank, v, by;
    bool plain = (p->order[1] ^ p->order[0]) == 1 && (p->order[p->n / 2] ^ p->order[0]) == p->n / 2;
    uint32_t rank = p->from->shape->rank, n = rank, k, at = 0;
    xg_inst *x = p->from;
    memcpy(dims, x->shape->dims, rank * sizeof *dims);
    dims[rank] = p->n;
    x = xg_hb_of(b, XG_BITCAST_CONVERT, xg_hb_shape(b, p->is_signed ? XLAGPU_S4 : XLAGPU_U4, dims, rank + 1), x);
    if (p->order[0]) x = xg_hb_reverse(b, x, &last, 1);
    for (k = 0; k <= rank; k++) {
        for (v = k == dim ? p->n / 2 : 0; v; v /= dims[n++]) { /* the highest first: where it lies in the word */
            dims[n] = plain ? p->n : 2;
            for (by = p->n / 2, perm[at] = rank; by > (p->order[v] ^ p->order[0]); by /= 2) perm[at]++;
            at++;
        }
        if (k < rank) perm[at++] = k;
    }
    x = xg_hb_transpose(b, xg_hb_reshape(b, x, dims, n), perm);
    return xg_hb_convert(b, xg_hb_reshape(b, x, to->dims, to->rank), to->type);
}

/* ---- what is looked for ---- */

/* All of a word's along a dimension, by shifts; the dimension, or XG_RANK_MAX. */
XG_FN uint32_t xg_unpack_shifted(xg_inst *i, xg_unpack *p) {
    xg_inst *x = XG_OPERAND(i, 0), *w;
    uint32_t d, k, rank = i->shape->rank;
    xg_progression q;
    if (!xg_unpack_masks(XG_OPERAND(i, 1)) || !xg_unpack_shifts(x)) return XG_RANK_MAX;
    w = XG_OPERAND(x, 0);
    if (w->op != XG_BROADCAST || XG_OPERAND(w, 0)->shape->rank + 1 != rank || rank >= XG_RANK_MAX - 2)
        return XG_RANK_MAX;
    for (d = 0; d + 1 < rank && xg_attr_dims(w).p[d] == (int64_t)d; d++) {}
    for (k = d; k + 1 < rank; k++)
        if (xg_attr_dims(w).p[k] != (int64_t)k + 1) return XG_RANK_MAX;
    p->n = i->shape->dims[d];
    p->from = xg_unpack_narrow(XG_OPERAND(w, 0), p->n * XG_UNPACK_BITS);
    for (k = 0; p->n <= XG_UNPACK_MOST && k < p->n; k++) {
        if (!xg_progression_at(XG_OPERAND(x, 1), d, k, 0, &q) || q.dim >= 0 || q.first % XG_UNPACK_BITS)
            return XG_RANK_MAX;
        p->order[k] = q.first / XG_UNPACK_BITS;
    }
    return d;
}
/* A piece's operation on what is unpacked that others may have, too; NULL: it is none. */
XG_FN xg_inst *xg_unpack_inner(xg_inst *x) {
    bool numbers = x->op == XG_SUBTRACT || x->op == XG_ADD;
    return x->op == XG_CONVERT || (numbers && xg_alg_scalar(XG_OPERAND(x, 1))) ? XG_OPERAND(x, 0) : NULL;
}
/* Of pieces, with what all do behind it: `tail` is the first one's. */
XG_FN bool xg_unpack_pieces(const xg_inst *i, xg_unpack *p, xg_inst **tail) {
    xg_unpack one = {NULL, {0}, 0, false}, first;
    uint32_t k;
    p->n = i->n_operands;
    if (p->n > XG_UNPACK_MOST || i->shape->rank >= XG_RANK_MAX - 2) return false;
    for (k = 0; k < p->n; k++) {
        xg_inst *x = XG_OPERAND(i, k), *y, *in;
        if (x->op == XG_RESHAPE) x = XG_OPERAND(x, 0);
        if (!k) *tail = x;
        for (y = *tail; (in = xg_unpack_inner(x)) != NULL && xg_unpack_of(x, &one) < 0; x = in, y = XG_OPERAND(y, 0))
            if (x->op != y->op || x->shape != y->shape ||
                (x->op != XG_CONVERT && xg_alg_scalar(XG_OPERAND(x, 1)) != xg_alg_scalar(XG_OPERAND(y, 1))))
                return false;
        p->order[k] = xg_unpack_of(x, &one);
        if (p->order[k] < 0 || xg_unpack_of(y, &first) < 0) return false;
        one.from = xg_unpack_narrow(one.from, p->n * XG_UNPACK_BITS);
        if (k && (one.from != p->from || one.is_signed != p->is_signed || x->shape->type != y->shape->type))
            return false;
        p->from = one.from;
        p->is_signed = one.is_signed;
    }
    return true;
}
/* Each piece is the words' shape, with or without another dimension of one. */
XG_FN bool xg_unpack_joins(const xg_inst *i, const xg_unpack *p) {
    const xg_shape *s = XG_OPERAND(i, 0)->shape, *w = p->from->shape;
    uint32_t d = (uint32_t)xg_attr_dims(i).p[0], stacked = s->rank > w->rank, k;
    if (s->rank != w->rank + stacked || (stacked && s->dims[d] != 1)) return false;
    for (k = 0; k < w->rank; k++)
        if (s->dims[k + (stacked && k >= d)] != w->dims[k]) return false;
    return true;
}
/* The dot that it goes into, each element once; NULL: there is none. Zero points of few columns are spread, and stay
 * the few instructions that they are, but for pieces. */
XG_FN const xg_inst *xg_unpack_leads(const xg_inst *i) {
    const xg_inst *from = i, *other;
    bool joined = i->op == XG_CONCATENATE, spread = false;
    uint32_t depth;
    for (depth = 0; depth < XG_UNPACK_DEPTH && i->first_use; depth++, from = i) {
        i = i->first_use->user;
        if (i->op == XG_DOT) return xg_dot_dims_of(i).lc.n == 1 && i->shape->elements ? i : NULL;
        if (!spread && i->n_operands == 2 && (xg_op_flags(i->op) & XGF_EW)) { /* each weight's own number is no scale */
            for (other = XG_OPERAND(i, XG_OPERAND(i, 0) == from); other->op == XG_RESHAPE || other->op == XG_CONVERT;)
                other = XG_OPERAND(other, 0);
            if (other->op != XG_BROADCAST) return NULL;
        }
        spread |= i->op == XG_BROADCAST;
        if (!(joined && i->op == XG_BROADCAST) && !(xg_op_flags(i->op) & XGF_EW) && i->op != XG_RESHAPE &&
            i->op != XG_TRANSPOSE && i->op != XG_COPY &&
            !(i->op == XG_GATHER && XG_OPERAND(i, 0)->shape->elements == 1 << XG_UNPACK_BITS))
            return NULL;
    }
    return NULL;
}
/* Rows, or columns, of the other side of that dot; 0: there is none, or tiles take no packed weights for so many. */
XG_FN int64_t xg_unpack_rows(const xg_inst *i) {
    const xg_inst *dot = xg_unpack_leads(i);
    const xg_shape *x;
    int64_t rows;
    if (!dot) return 0;
    x = XG_OPERAND(dot, 0)->shape;
    rows = xg_cost_mul(dot->shape->elements, x->dims[xg_dot_dims_of(dot).lc.p[0]]) /
           XG_MAX(i->shape->elements, (int64_t)1);
    return rows <= xg_dot_packed_rows(dot) ? rows : 0;
}
/* A vector by a small matrix stays a reduction, which unpacks as it stands; so do weights of many rows, of which a
 * kernel of its own makes 16 bits, but for pieces that it would put together one by one. */
XG_FN bool xg_unpack_pays(const xg_inst *i, bool is_signed) {
    enum {
        VECTOR_LEAST = 1 << 22
    };
    int64_t rows = xg_unpack_rows(i);
    if (!rows) return i->op == XG_CONCATENATE && !is_signed && xg_unpack_leads(i);
    return rows > (i->shape->elements < VECTOR_LEAST);
}
XG_FN bool xg_unpack_suits(const xg_unpack *p) {
    return xg_type_class(p->from->shape->type) == XGT_I && !p->from->shape->dynamic &&
           xg_type_bits(p->from->shape->type) == p->n * XG_UNPACK_BITS && (p->n == 2 || p->n == XG_UNPACK_MOST) &&
           xg_unpack_is_of_bits(p);
}
/* The tail's operations on x. */
XG_FN xg_inst *xg_unpack_redo(const xg_hb *b, xg_inst *tail, xg_inst *x) {
    xg_unpack one;
    xg_inst *in = xg_unpack_inner(tail);
    if (!in || xg_unpack_of(tail, &one) >= 0) return xg_hb_convert(b, x, tail->shape->type);
    x = xg_unpack_redo(b, in, x);
    if (tail->op == XG_CONVERT) return xg_hb_convert(b, x, tail->shape->type);
    in = XG_OPERAND(tail, 1); /* the same number everywhere */
    if (in->op == XG_BROADCAST) in = XG_OPERAND(in, 0);
    return xg_hb_2(b, tail->op, x, xg_hb_splat(b, xg_hb_reshape(b, in, NULL, 0), x->shape->dims, x->shape->rank));
}
XG_FN xg_inst *xg_unpack_rewritten(const xg_hb *b, xg_inst *i) {
    xg_inst *tail = NULL;
    xg_unpack p;
    uint32_t dim = XG_RANK_MAX;
    memset(&p, 0, sizeof p);
    if (i->op == XG_AND)
        dim = xg_unpack_shifted(i, &p);
    else if (i->op == XG_CONCATENATE && xg_unpack_pieces(i, &p, &tail) && xg_unpack_joins(i, &p))
        dim = (uint32_t)xg_attr_dims(i).p[0];
    if (dim == XG_RANK_MAX || !xg_unpack_suits(&p) || !xg_unpack_pays(i, p.is_signed)) return NULL;
    if (!tail) return xg_unpack_make(b, &p, dim, i->shape);
    return xg_unpack_redo(
        b, tail, xg_unpack_make(b, &p, dim, xg_shape_with_type(b->comp->module, i->shape, p.from->shape->type)));
}
/* Integers between these are floats of any type, and so are their differences. */
XG_FN bool xg_unpack_is_small(xg_alg *a, const xg_inst *x, xg_bounds *v) {
    return xg_alg_range(a, x, v) && v->lo >= -((int64_t)1 << 7) && v->hi <= (int64_t)1 << 7;
}
/* A small integer as a float: float(x - y) is float(x) - float(y) where x - y does not wrap, and moves come behind. */
XG_FN xg_inst *xg_unpack_float(xg_alg *a, const xg_hb *b, xg_inst *x, xlagpu_type t, uint32_t depth) {
    xg_bounds v[3];
    xg_inst *in[2];
    uint32_t k;
    if (x->op == XG_CONVERT && xg_unpack_is_small(a, XG_OPERAND(x, 0), v) && xg_bounds_fit(x->shape->type, v))
        return xg_hb_convert(b, XG_OPERAND(x, 0), t);
    if (depth && x->op == XG_RESHAPE && (in[0] = xg_unpack_float(a, b, XG_OPERAND(x, 0), t, depth - 1)) != NULL)
        return xg_hb_reshape(b, in[0], x->shape->dims, x->shape->rank);
    if (!depth || (x->op != XG_SUBTRACT && x->op != XG_ADD)) return NULL;
    for (k = 0; k < 2; k++)
        if (!xg_unpack_is_small(a, XG_OPERAND(x, k), &v[k])) return NULL;
    if (!xg_bounds_of_binary(x->op, &v[0], &v[1], &v[2]) || !xg_bounds_fit(x->shape->type, &v[2])) return NULL;
    for (k = 0; k < 2; k++) {
        in[k] = xg_unpack_float(a, b, XG_OPERAND(x, k), t, depth - 1);
        if (!in[k]) in[k] = xg_hb_convert(b, XG_OPERAND(x, k), t);
    }
    return xg_hb_2(b, x->op, in[0], in[1]);
}
XG_FN bool xg_unpack_comp(xg_comp *c) {
    enum {
        STEPS = 4 /* between an element of 4 bits and its float */
    };
    xg_alg *a = XG_NEW(c->module->work, xg_alg);
    bool changed = false;
    xg_inst *i, *next, *made;
    a->m = c->module;
    for (i = c->first; i; i = next) {
        xg_hb b = xg_hb_at(i);
        next = xg_inst_behind(i);
        made = xg_unpack_rewritten(&b, i);
        if (!made && changed && i->op == XG_CONVERT && xg_type_class(i->shape->type) == XGT_F &&
            xg_type_bits(i->shape->type) >= 16 && xg_alg_is_int(XG_OPERAND(i, 0))) {
            if (xg_unpack_rows(i)) made = xg_unpack_float(a, &b, XG_OPERAND(i, 0), i->shape->type, STEPS);
        }
        if (!made) continue;
        xg_opt_replace(i, made);
        changed = true;
    }
    return changed;
}
XG_FN bool xg_alg_unpack(xg_module *m) {
    bool shifts = m->made[XG_SHIFT_RIGHT_LOGICAL] || m->made[XG_SHIFT_RIGHT_ARITHMETIC];
    bool units = m->device.async_bytes && m->device.tensor_f16; /* sched/tile_pack.c needs both */
    return m->made[XG_DOT] && shifts && units && xg_opt_each_sequence(m, xg_unpack_comp);
}

#endif /* XG_ALGSIMP_UNPACK_C */
