/* expand/scan_finder.c -- AssociativeScanFinder: a scan that is written out as slices, combinations and concatenations
 * becomes one cumulative reduce-window.
 *
 * jax.lax.associative_scan, and whoever scans by doubling, leaves a ladder of some 2 log n levels, each with slices of
 * stride 1 or 2, a combination f, pads and concatenations. XLA makes a few kernels of it, which read each element again
 * and again; as a running sum (emit/scan.c) it is read and written once.
 *
 * - What is combined: f is what is first made of x[0::s] and x[1::s], s = 1 or 2, by elementwise operations; x are
 *   several arrays where f has several values.
 * - The proof: of each array of the ladder it is known which elements of x every place folds, as a span [lo, hi] by
 *   place. Slices, reverses, concatenations and pads move spans; f of the spans [a, b] and [b+1, c] is [a, c]; a pad's
 *   zeros are nothing, and added to something change nothing. Where the spans of an array of the length of x are [0,
 *   t], it is the scan, however it was made.
 * - A ladder says in which tree elements are combined, a running sum takes another one. So f has to be associative: a
 *   sum, product, maximum ..., as of a reduce; or it is so for numbers that are tried, in f64: small ones, and some of
 *   the size of each constant in f, at which it may behave differently (a sum that is clamped).
 * - reduce-window needs an init value, f need not have a neutral element. One is adjoined: beside the values goes
 *   whether there are any. (l, has l) o (r, has r) = (both ? f(l, r) : has r ? r : l,  has l or has r) */
#ifndef XG_EXPAND_SCAN_FINDER_C
#define XG_EXPAND_SCAN_FINDER_C
#include "../eval/eval.h"
#include "expand.h"
#include "scan_expander.c"

enum {
    XG_FIND_VALUES = 4,
    XG_FIND_LEAST = 16 /* elements: a shorter ladder fits one loop */,
    XG_FIND_MOST = 1 << 18,
    XG_FIND_NODES = 64 /* of f */,
    XG_FIND_DEPTH = 8,
    XG_FIND_ROOM = 4096 /* arrays */,
    XG_FIND_TRIES = 256
};

typedef struct xg_span {
    int32_t lo, hi;
} xg_span; /* hi < lo: a pad's zero */
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
    xg_inst *x[XG_FIND_VALUES], *f[XG_FIND_VALUES]; /* f[v] makes value v */
    xg_map64 known;                                 /* instruction id: xg_ladder */
    xg_inst **found;                                /* those, x first */
    uint32_t n_found;
    xg_inst *scans[XG_FIND_VALUES];
    int64_t budget;
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
XG_FN bool xg_find_start(xg_finder *f, xg_inst *i) {
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
XG_FN bool xg_find_is_zero(const xg_inst *i) {
    const xg_literal *l = xg_find_constant(i);
    int64_t k, bytes = l ? xg_type_bytes(l->shape->type) : 0;
    for (k = 0; k < bytes && !((const char *)l->data)[k]; k++) {}
    return l && k == bytes;
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
/* What is known of i is known now: what can be said of its users, and of operations that it takes part in? */
XG_FN void xg_find_tell(xg_finder *f, xg_inst *i, uint32_t depth) {
    XG_FOR_USES(u, i) {
        xg_inst *v = u->user;
        xg_ladder *l;
        if (xg_find_known(f, v) || f->n_found == XG_FIND_ROOM || --f->budget < 0) continue;
        l = xg_op_flags(v->op) & XGF_EW ? xg_find_combination(f, v) : xg_find_moved(f, v);
        if (!l && xg_op_flags(v->op) & XGF_EW && depth < XG_FIND_DEPTH) xg_find_tell(f, v, depth + 1);
        if (!l) continue;
        xg_map64_put(&f->known, (uint64_t)v->id + 1, l);
        if (!f->scans[l->value] && xg_find_is_scan(f, l))
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
        if ((f->found[k]->op != XG_SLICE || xg_find_value(f, XG_OPERAND(f->found[k], 0)) < 0) &&
            !xg_find_stays(f, f->found[k], 0))
            return false;
    return true;
}
XG_FN bool xg_find_prove(xg_finder *f) {
    uint32_t k;
    bool any = false;
    int64_t t;
    f->found = XG_NEW_N(f->a, xg_inst *, XG_FIND_ROOM);
    f->n_found = 0;
    xg_map64_init(&f->known, f->a);
    memset(f->scans, 0, sizeof f->scans);
    f->budget = 64 * f->length + 65536;
    for (k = 0; k < f->n; k++) {
        xg_ladder *l = xg_find_new(f, k, f->length);
        if (!l) return false;
        for (t = 0; t < l->n; t++) l->at[t].lo = l->at[t].hi = (int32_t)t;
        xg_map64_put(&f->known, (uint64_t)f->x[k]->id + 1, l);
        f->found[f->n_found++] = f->x[k];
    }
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

/* ---- f as a computation ---- */

/* n: of vectors of so many, and all floats are f64; 0: of scalars. backwards: left and right are exchanged */
typedef struct xg_find_form {
    int64_t n;
    bool adjoin, backwards;
} xg_find_form;

XG_FN const xg_shape *xg_find_shape(const xg_finder *f, xg_find_form form, xlagpu_type t, bool scalar) {
    const xg_shape *s;
    if (form.n) t = xg_type_class(t) == XGT_F ? XLAGPU_F64 : xg_type_class(t) == XGT_C ? XLAGPU_C128 : t;
    s = xg_shape_scalar(f->m, t);
    return scalar || !form.n ? s : xg_shape_default_layout(f->m, xg_shape_array(f->m, t, &form.n, 1, NULL, NULL));
}
/* A copy of t with its slices replaced. */
XG_FN xg_inst *xg_find_copy(
    const xg_finder *f, const xg_hb *b, xg_map64 *made, const xg_inst *t, xg_inst *const *params, xg_find_form form) {
    xg_inst *now = (xg_inst *)xg_map64_get(made, (uint64_t)t->id + 1), *in[4];
    xg_find_slice s;
    uint32_t k;
    if (now) return now;
    if (xg_find_side(t, &s))
        return params[(form.backwards ? 1 - s.start : s.start) * (int64_t)(f->n + 1) +
                      xg_find_value(f, XG_OPERAND(t, 0))];
    if (xg_find_constant(t)) {
        xg_literal *l = xg_literal_new(f->m->arena, xg_shape_scalar(f->m, t->shape->type));
        memcpy(l->data, xg_find_constant(t)->data, (size_t)xg_type_bytes(t->shape->type));
        now = xg_hb_literal(b, l);
        if (form.n) now = xg_hb_convert(b, now, xg_find_shape(f, form, t->shape->type, true)->type);
        if (form.n && t->shape->rank) now = xg_hb_splat(b, now, &form.n, 1);
    } else {
        for (k = 0; k < t->n_operands; k++) in[k] = xg_find_copy(f, b, made, XG_OPERAND(t, k), params, form);
        now = xg_hb_op(b, t->op, xg_find_shape(f, form, t->shape->type, t->shape->rank == 0), in, t->n_operands);
        for (k = 0; k < t->n_attrs; k++)
            if (!xg_cse_describes(t->attrs[k].key)) xg_inst_set_attr(now, t->attrs[k]);
    }
    xg_map64_put(made, (uint64_t)t->id + 1, now);
    return now;
}
/* f as a computation of (l..., -, r..., -) in front of the builder's; with an element adjoined, the places of - are
 * whether there are values. */
XG_FN xg_comp *xg_find_comp(const xg_finder *f, const xg_hb *at, xg_find_form form) {
    xg_comp *c = xg_comp_new(f->m, XG_STR("combine"), at->comp);
    xg_inst *params[2 * (XG_FIND_VALUES + 1)], *out[XG_FIND_VALUES + 1], *has[2];
    uint32_t side, v;
    xg_map64 made;
    xg_hb b;
    memset(params, 0, sizeof params);
    b = xg_hb_end(c, NULL);
    for (side = 0; side < 2; side++)
        for (v = 0; v < f->n + form.adjoin; v++) {
            params[side * (f->n + 1) + v] =
                xg_comp_add_param(c, xg_find_shape(f, form, v < f->n ? f->x[v]->shape->type : XLAGPU_PRED, false),
                    side ? XG_STR("r") : XG_STR("l"));
        }
    xg_map64_init(&made, f->a);
    has[0] = params[f->n];
    has[1] = params[2 * f->n + 1];
    for (v = 0; v < f->n; v++) {
        out[v] = xg_find_copy(f, &b, &made, f->f[v], params, form);
        if (!form.adjoin) continue;
        out[v] = xg_hb_select(&b, has[0], out[v], params[f->n + 1 + v]);
        out[v] = xg_hb_select(&b, has[1], out[v], params[v]);
    }
    if (form.adjoin) out[f->n] = xg_hb_2(&b, XG_OR, has[0], has[1]);
    c->root = f->n + form.adjoin == 1 ? out[0] : xg_hb_tuple(&b, out, f->n + form.adjoin);
    return c;
}

/* ---- is it associative? ---- */

/* One operation of both sides. */
XG_FN bool xg_find_is_plain(const xg_finder *f) {
    const xg_inst *r = f->f[0];
    xg_find_slice s;
    return f->n == 1 && r->n_operands == 2 && (xg_op_flags(r->op) & XGF_COMM) && xg_find_side(XG_OPERAND(r, 0), &s) &&
           xg_find_side(XG_OPERAND(r, 1), &s);
}
/* What rounds to a width of its own, or reads bits, is not what it was in another type. */
XG_FN bool xg_find_may_widen(const xg_inst *i) {
    uint32_t k;
    if (i->op == XG_REDUCE_PRECISION || i->op == XG_BITCAST_CONVERT || i->op == XG_STOCHASTIC_CONVERT) return false;
    for (k = 0; i->op != XG_SLICE && k < i->n_operands; k++)
        if (!xg_find_may_widen(XG_OPERAND(i, k))) return false;
    return true;
}
/* Sizes at which f may behave differently: those of its constants. */
typedef struct xg_find_sizes {
    double p[XG_FIND_NODES];
    uint32_t n;
} xg_find_sizes;
XG_FN void xg_find_note_sizes(const xg_inst *i, xg_find_sizes *s) {
    const xg_literal *l = xg_find_constant(i);
    uint32_t k;
    if (l && s->n < XG_COUNT(s->p) && xg_type_class(l->shape->type) != XGT_P) {
        double d[2] = {0, 0}, size;
        xg_eval_convert_block(
            xg_type_class(l->shape->type) == XGT_C ? XLAGPU_C128 : XLAGPU_F64, d, l->shape->type, l->data, 1);
        size = fabs(d[0]) + fabs(d[1]);
        for (k = 0; k < s->n && s->p[k] != size; k++) {}
        if (k == s->n && size > 0 && isfinite(size)) s->p[s->n++] = size;
    }
    for (k = 0; !l && i->op != XG_SLICE && k < i->n_operands; k++) xg_find_note_sizes(XG_OPERAND(i, k), s);
}
/* In turn: a fraction, a small number, of which many are equal, another fraction, and one of the next of those sizes;
 * among integers, if there are none, any number. */
XG_FN xg_literal *xg_find_numbers(xg_arena *a, const xg_shape *shape, const xg_find_sizes *sizes, uint32_t seed) {
    xg_literal *l = xg_literal_new(a, shape);
    int64_t parts = shape->type == XLAGPU_C128 ? 2 : 1, t;
    for (t = 0; t < parts * shape->elements; t++) {
        uint32_t h = xg_hash_mix(xg_hash_mix(seed, 77), (uint64_t)t);
        int64_t turn = t / parts;
        double part = (double)(int32_t)h / 1073741824.0,
               size = turn % 4 == 3 && sizes->n ? sizes->p[turn / 4 % sizes->n] : 0;
        if (xg_type_class(shape->type) & (XGT_F | XGT_C))
            ((double *)l->data)[t] = size > 0 ? part * size : turn % 2 ? (double)(h % 7) - 3 : part;
        else if (shape->type == XLAGPU_PRED)
            xg_literal_set_int(l, t, (int64_t)(h >> 7 & 1));
        else if (turn % 4 == 3)
            xg_literal_set_int(l, t,
                size > 0 && size < 1e15 ? (int64_t)((xg_type_signed(shape->type) ? part : fabs(part)) * size)
                                        : (int64_t)(int32_t)h);
        else
            xg_literal_set_int(l, t, (int64_t)(h % 7) - (xg_type_signed(shape->type) ? 3 : 0));
    }
    return l;
}
/* Where both are finite, and they are somewhere, but for what is rounded off of the largest number on the way. */
XG_FN bool xg_find_equal(const xg_literal *p, const xg_literal *q, const double *largest) {
    const double *x = (const double *)p->data, *y = (const double *)q->data;
    int64_t parts = p->shape->type == XLAGPU_C128 ? 2 : 1, n = p->shape->elements * parts, finite = 0, t;
    if (!(xg_type_class(p->shape->type) & (XGT_F | XGT_C))) return xg_literal_equal(p, q);
    for (t = 0; t < n; t++) {
        if (!isfinite(x[t]) || !isfinite(y[t])) continue;
        finite++;
        if (fabs(x[t] - y[t]) > 1e-9 * (1 + largest[t / parts])) return false;
    }
    return finite >= n / 2;
}
XG_FN void xg_find_largest(const xg_literal *l, double *largest) {
    int64_t parts = l->shape->type == XLAGPU_C128 ? 2 : 1, t;
    if (!(xg_type_class(l->shape->type) & (XGT_F | XGT_C))) return;
    for (t = 0; t < l->shape->elements * parts; t++) {
        double x = fabs(((const double *)l->data)[t]);
        if (isfinite(x)) largest[t / parts] = XG_MAX(largest[t / parts], x);
    }
}
XG_FN void xg_find_apply(
    const xg_finder *f, xg_comp *c, const xg_literal *const *l, const xg_literal *const *r, const xg_literal **out) {
    const xg_literal *args[2 * XG_FIND_VALUES], *result;
    xg_eval_options o;
    uint32_t v;
    memset(&o, 0, sizeof o);
    for (v = 0; v < f->n; v++) {
        args[v] = l[v];
        args[f->n + v] = r[v];
    }
    result = xg_eval_comp(c, f->a, args, 2 * f->n, &o);
    for (v = 0; v < f->n; v++) out[v] = result->shape->type == XLAGPU_TUPLE ? result->elems[v] : result;
}
XG_APART XG_FN bool xg_find_is_associative(const xg_finder *f, const xg_hb *at) {
    /* three numbers, what the first two and the last two give, and each with the third */
    const xg_literal *x[7][XG_FIND_VALUES];
    static const uint8_t of[4][2] = {{0, 1}, {1, 2}, {3, 2}, {0, 4}};
    double *largest = XG_NEW_N(f->a, double, XG_FIND_TRIES);
    xg_find_form vectors = {XG_FIND_TRIES, false, false};
    xg_find_sizes sizes;
    uint32_t k, v;
    bool same = true;
    xg_comp *c;
    if (xg_find_is_plain(f)) return f->f[0]->op != XG_MULHI;
    sizes.n = 0;
    for (v = 0; v < f->n; v++)
        if (!xg_find_may_widen(f->f[v])) return false;
    for (v = 0; v < f->n; v++) xg_find_note_sizes(f->f[v], &sizes);
    c = xg_find_comp(f, at, vectors);
    for (k = 0; k < 3; k++)
        for (v = 0; v < f->n; v++) x[k][v] = xg_find_numbers(f->a, c->params[v]->shape, &sizes, k * XG_FIND_VALUES + v);
    for (k = 0; k < 4; k++) xg_find_apply(f, c, x[of[k][0]], x[of[k][1]], x[3 + k]);
    for (k = 0; k < 7; k++)
        for (v = 0; v < f->n; v++) xg_find_largest(x[k][v], largest);
    for (v = 0; v < f->n; v++) same = same && xg_find_equal(x[5][v], x[6][v], largest);
    xg_comp_remove(c);
    return same;
}

/* ---- the running sum ---- */

XG_FN xg_attr xg_find_window(const xg_finder *f, bool backwards) {
    xg_attr a = xg_attr_make(XG_A_window);
    xg_window *w = XG_NEW(f->m->arena, xg_window);
    xg_window_dim *p = XG_NEW_N(f->m->arena, xg_window_dim, f->x[0]->shape->rank + 1);
    uint32_t k;
    w->n = f->x[0]->shape->rank;
    w->p = p;
    for (k = 0; k < w->n; k++) p[k].size = p[k].stride = p[k].base_dilation = p[k].window_dilation = 1;
    p[f->dim].size = f->length;
    *(backwards ? &p[f->dim].pad_high : &p[f->dim].pad_low) = f->length - 1;
    a.v.window = w;
    return a;
}
/* Are all of x reversed along the dimension? Then what is reversed is scanned, from the other end. */
XG_FN bool xg_find_is_reversed(const xg_finder *f) {
    uint32_t k;
    for (k = 0; k < f->n; k++) {
        xg_ints d = xg_attr_dims(f->x[k]);
        if (f->x[k]->op != XG_REVERSE || d.n != 1 || d.p[0] != (int64_t)f->dim) return false;
    }
    return true;
}
XG_APART XG_FN bool xg_find_rewrite(xg_finder *f, xg_inst *before) {
    xg_hb b = xg_hb_at(before);
    bool backwards = xg_find_is_reversed(f);
    xg_inst *in[2 * (XG_FIND_VALUES + 1)],
        *neutral = xg_find_is_plain(f) ? xg_scan_neutral(&b, f->f[0]->op, f->f[0]->shape->type) : NULL, *r;
    uint32_t n = neutral ? 1 : f->n + 1, v;
    const xg_shape *shapes[XG_FIND_VALUES + 1];
    xg_find_form scalars = {0, true, backwards};
    if (!neutral && !xg_find_is_associative(f, &b)) return false;
    for (v = 0; v < f->n; v++) {
        in[v] = backwards ? XG_OPERAND(f->x[v], 0) : f->x[v];
        in[n + v] = neutral
                        ? neutral
                        : xg_hb_literal(&b, xg_literal_new(f->m->arena, xg_shape_scalar(f->m, f->x[v]->shape->type)));
        shapes[v] = in[v]->shape;
    }
    if (!neutral) {
        xg_inst *yes = xg_hb_int(&b, XLAGPU_PRED, 1);
        in[f->n] = xg_hb_splat(&b, yes, shapes[0]->dims, shapes[0]->rank);
        in[n + f->n] = xg_hb_int(&b, XLAGPU_PRED, 0);
        shapes[f->n] = in[f->n]->shape;
    }
    r = xg_hb_op(&b, XG_REDUCE_WINDOW, neutral ? shapes[0] : xg_shape_tuple(f->m, shapes, n), in, 2 * n);
    xg_inst_set_attr(r, xg_find_window(f, backwards));
    xg_inst_set_comp(r, XG_A_to_apply,
        neutral ? xg_hb_reducer(&b, f->f[0]->op, f->f[0]->shape->type) : xg_find_comp(f, &b, scalars));
    (void)xg_hb_done(r);
    for (v = 0; v < f->n; v++) {
        xg_inst *y = r;
        int64_t dim = f->dim;
        if (!f->scans[v]) continue;
        if (!neutral) y = xg_hb_element(&b, r, v);
        if (backwards) y = xg_hb_reverse(&b, y, &dim, 1);
        xg_opt_replace(f->scans[v], y);
    }
    return true;
}

XG_FN int64_t xg_find_place(const xg_inst *i) { return (int64_t)(uintptr_t)i->scratch; }
/* Moves i, and what it is made of, in front of `before`; false, and nothing is moved, if that is among it. */
XG_FN bool xg_find_precedes(
    const xg_finder *f, const xg_inst *i, const xg_inst *before, xg_map64 *seen, int64_t *budget) {
    uint32_t k;
    for (k = 0; k < f->n; k++)
        if (i == f->scans[k]) return false;
    if (xg_find_place(i) < xg_find_place(before) || xg_map64_get(seen, (uint64_t)i->id + 1)) return true;
    if (--*budget < 0) return false;
    xg_map64_put(seen, (uint64_t)i->id + 1, (void *)(uintptr_t)i);
    for (k = 0; k < i->n_operands; k++)
        if (!xg_find_precedes(f, XG_OPERAND(i, k), before, seen, budget)) return false;
    return !xg_inst_order(i);
}
XG_FN void xg_find_move(xg_inst *i, xg_inst *before) {
    uint32_t k;
    if (xg_find_place(i) < xg_find_place(before)) return;
    for (k = 0; k < i->n_operands; k++) xg_find_move(XG_OPERAND(i, k), before);
    xg_inst_move_before(i, before);
    i->scratch = (void *)(uintptr_t)(xg_find_place(before) - 1);
}
/* In front of which instruction the running sum is to stand, behind all of x; NULL: x depends on a scan. */
XG_FN xg_inst *xg_find_position(const xg_finder *f) {
    xg_inst *before = NULL;
    int64_t budget = XG_FIND_ROOM;
    xg_map64 seen;
    uint32_t v;
    for (v = 0; v < f->n; v++)
        if (f->scans[v] && (!before || xg_find_place(f->scans[v]) < xg_find_place(before))) before = f->scans[v];
    xg_map64_init(&seen, f->a);
    for (v = 0; v < f->n; v++)
        if (!xg_find_precedes(f, f->x[v], before, &seen, &budget)) return NULL;
    for (v = 0; v < f->n; v++) xg_find_move(f->x[v], before);
    return before;
}
XG_FN bool xg_find_scan(xg_inst *i, xg_map64 *done) {
    xg_inst *before, *made;
    uint32_t k;
    xg_finder f;
    if (xg_map64_get(done, (uint64_t)i->id + 1)) return false;
    memset(&f, 0, sizeof f);
    f.m = i->comp->module;
    f.a = f.m->work;
    if (!xg_find_start(&f, i)) return false;
    for (k = 0; k < f.n; k++)
        xg_map64_put(done, (uint64_t)f.f[k]->id + 1, f.f[k]); /* one try for all of a combination */
    if (!xg_find_order(&f, 0) || !(before = xg_find_position(&f)) || !xg_find_rewrite(&f, before)) return false;
    for (k = 0; k < f.n_found; k++) xg_map64_put(done, (uint64_t)f.found[k]->id + 1, f.found[k]);
    for (made = before->prev; made && !made->scratch; made = made->prev)
        made->scratch = (void *)(uintptr_t)(xg_find_place(before) - 1);
    return true;
}
XG_FN bool xg_find_scans(xg_comp *c) {
    bool changed = false;
    uintptr_t place = 0;
    xg_inst *next;
    xg_map64 done;
    xg_map64_init(&done, c->module->work);
    XG_FOR_INSTS(i, c) i->scratch = (void *)(place += 2);
    for (xg_inst *i = c->first; i; i = next) {
        next = i->next;
        changed = xg_find_scan(i, &done) || changed;
    }
    return changed;
}
XG_FN bool xg_expand_scan_finder(xg_module *m) {
    return m->made[XG_SLICE] && (m->made[XG_PAD] || m->made[XG_CONCATENATE]) && xg_opt_each_sequence(m, xg_find_scans);
}

#endif /* XG_EXPAND_SCAN_FINDER_C */
