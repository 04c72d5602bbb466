/* expand/scan_ladder.c -- what the arrays are that a scan by slices, combinations and concatenations goes through.
 *
 * - What is combined: f is what is first made of x[0::s] and x[1::s], s = 1 or 2, by elementwise operations; x are
 *   several arrays where f has several values.
 * - The proof: of each array of the ladder it is known which elements of x every place folds, as a span [lo, hi] by
 *   place. Slices, reverses, concatenations and pads move spans; f of the spans [a, b] and [b+1, c] is [a, c]; a pad's
 *   zeros are nothing, and added to something change nothing. Where the spans of an array of the length of x are [0,
 *   t], it is the scan, however it was made.
 * - Of gradients (scan_finder.c) a place is a number instead: every array between is made by sums and products, so it
 *   is a polynomial in the elements of x and d. For these numbers are drawn modulo a prime; polynomials that agree
 *   there are the same ones, but for a chance of n in 2^31. */
#ifndef XG_EXPAND_SCAN_LADDER_C
#define XG_EXPAND_SCAN_LADDER_C
#include "expand.h"

enum {
    XG_FIND_VALUES = 4,
    XG_FIND_LEAST = 16 /* elements: a shorter ladder fits one loop */,
    XG_FIND_MOST = 1 << 18,
    XG_FIND_NODES = 64 /* of f */,
    XG_FIND_DEPTH = 8,
    XG_FIND_ROOM = 4096 /* arrays */,
    XG_FIND_TRIES = 256,
    XG_FIND_PRIME = 2147483647,
    XG_FIND_ROOT = 9
};
enum {
    XG_FIND_Y,
    XG_FIND_DB,
    XG_FIND_DA,
    XG_FIND_TARGETS
};

typedef struct xg_span {
    int32_t lo, hi;
} xg_span; /* hi < lo: a pad's zero. Of gradients: lo is a number */
typedef struct xg_ladder {
    uint32_t value;
    int64_t n;
    xg_span *at;
} xg_ladder; /* what is known of an array */
typedef struct xg_find_slice {
    uint32_t dim;
    int64_t start, stride;
} xg_find_slice;
typedef struct xg_finder {
    uint32_t n, n_f, dim;
    xg_module *m;
    xg_arena *a;
    int64_t length, stride;
    xg_inst **found; /* the values, x first */
    uint32_t n_found;
    xg_inst *x[XG_FIND_VALUES], *f[XG_FIND_VALUES]; /* f[v] makes value v */
    xg_map64 known;                                 /* instruction id: xg_ladder */
    xg_inst *scans[XG_FIND_VALUES];
    int64_t budget;
    const xg_ladder *target[XG_FIND_TARGETS]; /* of gradients: what is looked for */
    uint32_t n_targets;
} xg_finder;
typedef struct xg_find_sides {
    xg_inst *p[2][XG_FIND_VALUES];
    uint32_t nodes;
} xg_find_sides; /* [right][value] */

/* ---- what is combined ---- */

/* A slice along one dimension. */
XG_FN bool xg_find_slice_of(const xg_inst *i, xg_find_slice *s) {
    const xg_shape *from;
    const xg_slices *d;
    bool found = false;
    uint32_t k;
    if (i->op != XG_SLICE) return false;
    from = XG_OPERAND(i, 0)->shape;
    d = xg_inst_attr(i, XG_A_slice)->v.slices;
    for (k = 0; k < from->rank; k++) {
        if (i->shape->dims[k] == from->dims[k]) continue;
        if (found) return false;
        found = true;
        s->dim = k;
        s->start = d->p[k].start;
        s->stride = d->p[k].stride;
    }
    return found;
}
/* x[0::stride] or x[1::stride], as many of the one as of the other. */
XG_FN bool xg_find_side(const xg_inst *i, xg_find_slice *s) {
    int64_t n;
    if (!xg_find_slice_of(i, s) || s->start > 1 || s->stride > 2) return false;
    n = XG_OPERAND(i, 0)->shape->dims[s->dim];
    return i->shape->dims[s->dim] == (s->stride == 1 ? n - 1 : n / 2);
}
/* The one value that i has everywhere; NULL: it is not known. */
XG_FN const xg_literal *xg_find_constant(const xg_inst *i) {
    if (i->op == XG_BROADCAST) i = XG_OPERAND(i, 0);
    return i->op == XG_CONSTANT && i->shape->elements == 1 && i->literal->data && !i->literal->elided ? i->literal
                                                                                                      : NULL;
}
XG_FN bool xg_find_is_zero(const xg_inst *i) {
    const xg_literal *l = xg_find_constant(i);
    int64_t k, bytes = l ? xg_type_bytes(l->shape->type) : 0;
    for (k = 0; k < bytes && !((const char *)l->data)[k]; k++) {}
    return l && k == bytes;
}
XG_FN int xg_find_value(const xg_finder *f, const xg_inst *x) {
    uint32_t k;
    for (k = 0; k < f->n; k++)
        if (f->x[k] == x) return (int)k;
    return -1;
}
/* Is i made of such slices by elementwise operations? Notes what is sliced. */
XG_FN bool xg_find_collect(xg_finder *f, xg_inst *i, uint32_t *nodes) {
    xg_find_slice s;
    uint32_t k;
    if (++*nodes > XG_FIND_NODES) return false;
    if (xg_find_constant(i)) return true;
    if (xg_find_side(i, &s)) {
        xg_inst *x = XG_OPERAND(i, 0);
        if (f->n == 0) {
            f->dim = s.dim;
            f->length = x->shape->dims[s.dim];
            f->stride = s.stride;
        } else if (s.dim != f->dim || s.stride != f->stride || !xg_shape_same_dims(x->shape, f->x[0]->shape))
            return false;
        if (xg_find_value(f, x) >= 0) return true;
        if (f->n == XG_FIND_VALUES) return false;
        f->x[f->n++] = x;
        return true;
    }
    if (!(xg_op_flags(i->op) & XGF_EW) || i->n_operands == 0) return false;
    for (k = 0; k < i->n_operands; k++)
        if (!xg_find_collect(f, XG_OPERAND(i, k), nodes)) return false;
    return true;
}
/* Combined values are moved on; what stands inside of a combination is not. */
XG_FN bool xg_find_is_moved(const xg_inst *i) {
    XG_FOR_USES(u, i)
        if (u->user->op == XG_SLICE || u->user->op == XG_PAD || u->user->op == XG_CONCATENATE) return true;
    return false;
}
/* The combined values that are made of i, a slice or an operation of a combination. */
XG_FN bool xg_find_combined(xg_finder *f, xg_inst *i, uint32_t *nodes) {
    XG_FOR_USES(u, i) {
        xg_inst *v = u->user;
        uint32_t k, seen = 0;
        if (++*nodes > 4 * XG_FIND_NODES) return false;
        if (!(xg_op_flags(v->op) & XGF_EW)) continue;
        for (k = 0; k < f->n_f && f->f[k] != v; k++) {}
        if (k < f->n_f) continue;
        if (xg_find_is_moved(v)) {
            if (!xg_find_collect(f, v, &seen)) continue;
            if (f->n_f == XG_FIND_VALUES) return false;
            f->f[f->n_f++] = v;
        } else if (!xg_find_combined(f, v, nodes))
            return false;
    }
    return true;
}
/* All values of the combination that i is one of, and the arrays that they are made of. */
XG_APART XG_FN bool xg_find_start(xg_finder *f, xg_inst *i) {
    uint32_t nodes = 0, k;
    xg_find_slice s;
    if (!(xg_op_flags(i->op) & XGF_EW) || i->n_operands < 2 || !xg_find_is_moved(i) || !xg_find_collect(f, i, &nodes) ||
        f->n == 0)
        return false;
    if (f->length < XG_FIND_LEAST || f->length > XG_FIND_MOST || f->x[0]->shape->dynamic) return false;
    for (k = 0; k < f->n; k++)
        XG_FOR_USES(u, f->x[k]) {
            nodes = 0;
            if (xg_find_side(u->user, &s) && s.dim == f->dim && s.stride == f->stride &&
                !xg_find_combined(f, u->user, &nodes))
                return false;
        }
    for (k = 0; k < f->n; k++)
        if (f->x[k]->shape->type == XLAGPU_TUPLE || f->n_f != f->n) return false;
    return true;
}

/* ---- the proof ---- */

XG_FN xg_ladder *xg_find_known(const xg_finder *f, const xg_inst *i) {
    return (xg_ladder *)xg_map64_get(&f->known, (uint64_t)i->id + 1);
}
XG_FN xg_ladder *xg_find_new(xg_finder *f, uint32_t value, int64_t n) {
    xg_ladder *l;
    if (n < 0 || n > 2 * f->length || (f->budget -= n + 1) < 0) return NULL;
    l = XG_NEW(f->a, xg_ladder);
    l->value = value;
    l->n = n;
    l->at = XG_NEW_N(f->a, xg_span, n + 1);
    return l;
}
XG_FN bool xg_find_attrs_equal(const xg_inst *a, const xg_inst *b) {
    uint32_t p = 0, q = 0;
    for (;; p++, q++) {
        const xg_attr *x, *y;
        while (p < a->n_attrs && xg_cse_describes(a->attrs[p].key)) p++;
        while (q < b->n_attrs && xg_cse_describes(b->attrs[q].key)) q++;
        if (p == a->n_attrs || q == b->n_attrs) return p == a->n_attrs && q == b->n_attrs;
        x = &a->attrs[p];
        y = &b->attrs[q];
        if (x->key != y->key) return false;
        switch (xg_attr_kind_of(x->key)) {
        case XG_K_INT:
        case XG_K_BOOL:
            if (x->v.i != y->v.i) return false;
            break;
        case XG_K_WORD:
        case XG_K_STR:
            if (!xg_str_eq(*x->v.str, *y->v.str)) return false;
            break;
        default: return false;
        }
    }
}
/* Is i the same operations as t, a part of f? What stands where t has slices goes into sides. */
XG_FN bool xg_find_same(const xg_finder *f, const xg_inst *t, xg_inst *i, xg_find_sides *sides) {
    xg_find_slice s;
    uint32_t k;
    if (++sides->nodes > XG_FIND_NODES || t->shape->type != i->shape->type) return false;
    if (xg_find_side(t, &s)) {
        xg_inst **side = &sides->p[s.start][xg_find_value(f, XG_OPERAND(t, 0))];
        if (!*side) *side = i;
        return *side == i;
    }
    if (xg_find_constant(t))
        return xg_find_constant(i) && xg_reducer_same_bits(xg_find_constant(t), xg_find_constant(i));
    if (t->op != i->op || t->n_operands != i->n_operands || !xg_find_attrs_equal(t, i)) return false;
    for (k = 0; k < t->n_operands; k++)
        if (!xg_find_same(f, XG_OPERAND(t, k), XG_OPERAND(i, k), sides)) return false;
    return true;
}
/* The spans of all values of one side: they have to be the same. */
XG_FN const xg_ladder *xg_find_agreed(const xg_finder *f, xg_inst *const *side) {
    const xg_ladder *l = NULL;
    uint32_t v;
    for (v = 0; v < f->n; v++) {
        const xg_ladder *k;
        if (!side[v]) continue;
        k = xg_find_known(f, side[v]);
        if (!k || k->value != v || (l && (l->n != k->n || memcmp(l->at, k->at, (size_t)k->n * sizeof *k->at))))
            return NULL;
        l = k;
    }
    return l;
}
XG_FN xg_ladder *xg_find_joined(
    xg_finder *f, const xg_ladder *l, const xg_ladder *r, uint32_t value, bool fold, bool zeros) {
    xg_ladder *out = l && r && l->n == r->n ? xg_find_new(f, value, l->n) : NULL;
    int64_t t;
    for (t = 0; out && t < l->n; t++) {
        xg_span p = l->at[t], q = r->at[t];
        if (p.hi >= p.lo && q.hi >= q.lo) {
            if (!fold || p.hi + 1 != q.lo) return NULL;
            out->at[t].lo = p.lo;
            out->at[t].hi = q.hi;
        } else if (!zeros)
            return NULL;
        else
            out->at[t] = p.hi >= p.lo ? p : q;
    }
    return out;
}
XG_FN xg_ladder *xg_find_combination(xg_finder *f, xg_inst *i) {
    uint32_t v;
    for (v = 0; v < f->n; v++) {
        bool swaps = f->n == 1 && f->f[0]->n_operands == 2 && xg_op_flags(f->f[0]->op) & XGF_COMM;
        xg_find_sides s;
        xg_ladder *l;
        memset(&s, 0, sizeof s);
        if (!xg_find_same(f, f->f[v], i, &s)) continue;
        l = xg_find_joined(f, xg_find_agreed(f, s.p[0]), xg_find_agreed(f, s.p[1]), v, true, false);
        if (!l && swaps) l = xg_find_joined(f, xg_find_agreed(f, s.p[1]), xg_find_agreed(f, s.p[0]), v, true, false);
        if (l) return l;
    }
    if ((i->op == XG_ADD || i->op == XG_OR) && i->n_operands == 2) { /* what pads have interleaved */
        const xg_ladder *l = xg_find_known(f, XG_OPERAND(i, 0)), *r = xg_find_known(f, XG_OPERAND(i, 1));
        if (l && r && l->value == r->value) return xg_find_joined(f, l, r, l->value, false, true);
    }
    return NULL;
}
XG_APART XG_FN xg_ladder *xg_find_moved(xg_finder *f, const xg_inst *i) {
    const xg_ladder *from = i->n_operands ? xg_find_known(f, XG_OPERAND(i, 0)) : NULL, *next;
    xg_ladder *to;
    int64_t n = i->shape->rank > f->dim ? i->shape->dims[f->dim] : -1, t, at = 0;
    xg_find_slice s;
    uint32_t k;
    if (!from || i->shape->rank != f->x[0]->shape->rank) return NULL;
    switch (i->op) {
    case XG_SLICE:
        if (!xg_find_slice_of(i, &s) || s.dim != f->dim) return NULL;
        to = xg_find_new(f, from->value, n);
        for (t = 0; to && t < n; t++) to->at[t] = from->at[s.start + t * s.stride];
        return to;
    case XG_REVERSE:
        if (xg_attr_dims(i).n != 1 || xg_attr_dims(i).p[0] != (int64_t)f->dim) return NULL;
        to = xg_find_new(f, from->value, n);
        for (t = 0; to && t < n; t++) to->at[t] = from->at[n - 1 - t];
        return to;
    case XG_CONCATENATE:
        if (xg_attr_dims(i).p[0] != (int64_t)f->dim) return NULL;
        for (k = 0; k < i->n_operands; k++)
            if (!(next = xg_find_known(f, XG_OPERAND(i, k))) || next->value != from->value) return NULL;
        to = xg_find_new(f, from->value, n);
        for (k = 0; to && k < i->n_operands; k++) {
            next = xg_find_known(f, XG_OPERAND(i, k));
            if (next->n) memcpy(to->at + at, next->at, (size_t)next->n * sizeof *to->at);
            at += next->n;
        }
        return to;
    case XG_PAD: {
        const xg_pads *p = xg_inst_attr(i, XG_A_padding)->v.pads;
        if (!xg_find_is_zero(XG_OPERAND(i, 1))) return NULL;
        for (k = 0; k < p->n; k++)
            if (k != f->dim && (p->p[k].low || p->p[k].high || p->p[k].interior)) return NULL;
        to = xg_find_new(f, from->value, n);
        for (t = 0; to && t < n; t++) {
            to->at[t].lo = 0;
            to->at[t].hi = -1;
        }
        for (t = 0; to && t < from->n; t++) {
            at = p->p[f->dim].low + t * (p->p[f->dim].interior + 1);
            if (at >= 0 && at < n) to->at[at] = from->at[t];
        }
        return to;
    }
    default: return NULL;
    }
}
XG_FN bool xg_find_is_scan(const xg_finder *f, const xg_ladder *l) {
    int64_t t;
    if (l->n != f->length) return false;
    for (t = 0; t < l->n; t++)
        if (l->at[t].lo != 0 || l->at[t].hi != t) return false;
    return true;
}
/* Zeros that are not known: what a cotangent is where nothing comes back. */
XG_FN bool xg_find_is_nothing(const xg_inst *i) {
    while (i->op == XG_PAD && xg_find_is_zero(XG_OPERAND(i, 1))) i = XG_OPERAND(i, 0);
    return i->shape->elements == 0 || xg_find_is_zero(i);
}
/* A sum or product by numbers, of anything but two whole arrays. */
XG_FN xg_ladder *xg_find_numbered(xg_finder *f, const xg_inst *i) {
    const xg_ladder *in[2];
    xg_ladder *to;
    int64_t t;
    uint32_t k;
    if (i->op != XG_ADD && i->op != XG_MULTIPLY) return NULL;
    for (k = 0; k < 2; k++) {
        in[k] = xg_find_known(f, XG_OPERAND(i, k));
        if (!in[k] && (i->op != XG_ADD || !xg_find_is_nothing(XG_OPERAND(i, k)))) return NULL;
    }
    if (in[0] && in[1] && (in[0]->n != in[1]->n || (in[0]->value && in[1]->value))) return NULL;
    to = xg_find_new(f, 0, (in[0] ? in[0] : in[1])->n);
    for (t = 0; to && t < to->n; t++) {
        int64_t x = in[0] ? in[0]->at[t].lo : 0, y = in[1] ? in[1]->at[t].lo : 0;
        to->at[t].lo = (int32_t)((i->op == XG_ADD ? x + y : x * y) % XG_FIND_PRIME);
    }
    return to;
}
/* 1 + which target these numbers are; 0: none. */
XG_FN uint32_t xg_find_target(const xg_finder *f, const xg_ladder *l) {
    uint32_t k;
    int64_t t;
    for (k = 0; l->n == f->length && k < f->n_targets; k++) {
        for (t = 0; t < l->n && l->at[t].lo == f->target[k]->at[t].lo; t++) {}
        if (t == l->n) return k + 1;
    }
    return 0;
}
/* What is known of i is known now: what can be said of its users, and of operations that it takes part in? */
XG_FN void xg_find_tell(xg_finder *f, xg_inst *i, uint32_t depth) {
    XG_FOR_USES(u, i) {
        xg_inst *v = u->user;
        xg_ladder *l;
        if (xg_find_known(f, v) || f->n_found == XG_FIND_ROOM || --f->budget < 0) continue;
        l = !(xg_op_flags(v->op) & XGF_EW) ? xg_find_moved(f, v)
            : f->n_targets                 ? xg_find_numbered(f, v)
                                           : xg_find_combination(f, v);
        if (!l && xg_op_flags(v->op) & XGF_EW && depth < XG_FIND_DEPTH && !f->n_targets) xg_find_tell(f, v, depth + 1);
        if (!l) continue;
        xg_map64_put(&f->known, (uint64_t)v->id + 1, l);
        if (f->n_targets) {
            l->value = xg_find_target(f, l);
            f->found[f->n_found++] = v;
        } else if (!f->scans[l->value] && xg_find_is_scan(f, l))
            f->scans[l->value] = v;
        else
            f->found[f->n_found++] = v;
    }
}
/* Does nothing else need i, a value of the ladder or a part of a combination? */
XG_FN bool xg_find_stays(const xg_finder *f, const xg_inst *i, uint32_t depth) {
    if (i == i->comp->root || depth == XG_FIND_DEPTH) return false;
    XG_FOR_USES(u, i)
        if (!xg_find_known(f, u->user) &&
            (!(xg_op_flags(u->user->op) & XGF_EW) || !xg_find_stays(f, u->user, depth + 1)))
            return false;
    return true;
}
/* Will nothing of the ladder be left, but for slices of x? A gradient asks for what was combined on the way; then a
 * running sum would be more work, not less. */
XG_FN bool xg_find_is_private(const xg_finder *f) {
    uint32_t k;
    for (k = f->n; k < f->n_found; k++)
        if (!(f->n_targets && xg_find_known(f, f->found[k])->value) &&
            (f->found[k]->op != XG_SLICE || xg_find_value(f, XG_OPERAND(f->found[k], 0)) < 0) &&
            !xg_find_stays(f, f->found[k], 0))
            return false;
    return true;
}
/* That of element t of a value. A square on the way: what is linear in places and values makes different sums of such
 * numbers the same. */
XG_FN int32_t xg_find_number(uint32_t value, int64_t t) {
    uint32_t h = xg_hash_mix(0, (uint64_t)value << 32 | (uint64_t)t);
    return (int32_t)(xg_hash_mix(h, (uint64_t)h * h) % XG_FIND_PRIME);
}
/* An array that the others are made of. */
XG_FN xg_ladder *xg_find_root(xg_finder *f, xg_inst *x, uint32_t value) {
    xg_ladder *l = xg_find_new(f, f->n_targets ? (uint32_t)XG_FIND_ROOT : value, f->length);
    int64_t t;
    for (t = 0; t < f->length; t++) l->at[t].lo = l->at[t].hi = f->n_targets ? xg_find_number(value, t) : (int32_t)t;
    xg_map64_put(&f->known, (uint64_t)x->id + 1, l);
    f->found[f->n_found++] = x;
    return l;
}
XG_FN void xg_find_begin(xg_finder *f) {
    uint32_t k;
    f->found = XG_NEW_N(f->a, xg_inst *, XG_FIND_ROOM);
    f->n_found = 0;
    xg_map64_init(&f->known, f->a);
    memset(f->scans, 0, sizeof f->scans);
    f->budget = 64 * f->length + 65536;
    for (k = 0; k < f->n; k++) (void)xg_find_root(f, f->x[k], k);
}
XG_FN bool xg_find_prove(xg_finder *f) {
    uint32_t k;
    bool any = false;
    xg_find_begin(f);
    for (k = 0; k < f->n_found; k++) xg_find_tell(f, f->found[k], 0);
    for (k = 0; k < f->n; k++) any = any || f->scans[k];
    return any && xg_find_is_private(f);
}
/* Which combined value is which of x, its arrays: the order in which there is a proof. */
XG_FN bool xg_find_order(xg_finder *f, uint32_t done) {
    uint32_t k;
    if (done == f->n) {
        for (k = 0; k < f->n; k++)
            if (f->f[k]->shape->type != f->x[k]->shape->type) return false;
        return xg_find_prove(f);
    }
    for (k = done; k < f->n; k++) {
        xg_inst *swap = f->f[done];
        f->f[done] = f->f[k];
        f->f[k] = swap;
        if (xg_find_order(f, done + 1)) return true;
        f->f[k] = f->f[done];
        f->f[done] = swap;
    }
    return false;
}

#endif /* XG_EXPAND_SCAN_LADDER_C */
