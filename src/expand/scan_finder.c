/* expand/scan_finder.c -- AssociativeScanFinder: a scan that is written out as slices, combinations and concatenations
 * becomes one cumulative reduce-window.
 *
 * jax.lax.associative_scan, and whoever scans by doubling, leaves a ladder of some 2 log n levels, each with slices of
 * stride 1 or 2, a combination f, pads and concatenations. XLA makes a few kernels of it, which read each element again
 * and again; as a running sum (emit/scan.c) it is read and written once.
 *
 * - Which arrays are the scan is proved in scan_ladder.c.
 * - A ladder says in which tree elements are combined, a running sum takes another one. So f has to be associative: a
 *   sum, product, maximum ..., as of a reduce; or it is so for numbers that are tried, in f64: small ones, and some of
 *   the size of each constant in f, at which it may behave differently (a sum that is clamped).
 * - reduce-window needs an init value, f need not have a neutral element. One is adjoined: beside the values goes
 *   whether there are any. (l, has l) o (r, has r) = (both ? f(l, r) : has r ? r : l,  has l or has r)
 * - A gradient asks for what was combined on the way, so the ladder of y[t] = a[t] y[t-1] + b[t], or of a product,
 *   would stay, and another one lead back. Of cotangents d of y, those of b are g[t] = d[t] + a[t+1] g[t+1], a running
 *   sum from the other end, and those of a are g[t] y[t-1]: arrays that are proved to be these are replaced. */
#ifndef XG_EXPAND_SCAN_FINDER_C
#define XG_EXPAND_SCAN_FINDER_C
#include "../eval/eval.h"
#include "expand.h"
#include "scan_expander.c"
#include "scan_ladder.c"

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
    return scalar || !form.n ? s : xg_shape_default_layout(f->m, xg_shape_plain(f->m, t, &form.n, 1));
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
XG_APART XG_FN xg_literal *xg_find_numbers(
    xg_arena *a, const xg_shape *shape, const xg_find_sizes *sizes, uint32_t seed) {
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

/* Are all of x reversed along the dimension? Then what is reversed is scanned, from the other end. */
XG_FN bool xg_find_is_reversed(const xg_finder *f) {
    uint32_t k;
    for (k = 0; k < f->n; k++) {
        xg_ints d = xg_attr_dims(f->x[k]);
        if (f->x[k]->op != XG_REVERSE || d.n != 1 || d.p[0] != (int64_t)f->dim) return false;
    }
    return true;
}
/* x in the order of memory, and back: all of f's x are reversed, or none is. */
XG_FN xg_inst *xg_find_turned(const xg_finder *f, const xg_hb *b, xg_inst *x, bool turn) {
    int64_t dim = f->dim;
    return !turn ? x : xg_find_value(f, x) >= 0 ? XG_OPERAND(x, 0) : xg_hb_reverse(b, x, &dim, 1);
}
XG_FN int64_t xg_find_place(const xg_inst *i) { return (int64_t)(uintptr_t)i->scratch; }
/* Moves i, and what it is made of, in front of `before`; false, and nothing is moved, if that is among it. */
XG_FN bool xg_find_precedes(
    const xg_finder *f, const xg_inst *i, const xg_inst *before, xg_map64 *seen, int64_t *budget) {
    uint32_t k;
    for (k = 0; k < XG_FIND_VALUES; k++)
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
XG_FN xg_inst *xg_find_position(const xg_finder *f, xg_inst *const *x, uint32_t n) {
    xg_inst *before = NULL;
    int64_t budget = XG_FIND_ROOM;
    xg_map64 seen;
    uint32_t v;
    for (v = 0; v < XG_FIND_VALUES; v++)
        if (f->scans[v] && (!before || xg_find_place(f->scans[v]) < xg_find_place(before))) before = f->scans[v];
    xg_map64_init(&seen, f->a);
    for (v = 0; v < n; v++)
        if (!xg_find_precedes(f, x[v], before, &seen, &budget)) return NULL;
    for (v = 0; v < n; v++) xg_find_move(x[v], before);
    return before;
}
/* What is new in front of `before` has its place. */
XG_FN void xg_find_settle(const xg_inst *before) {
    xg_inst *made;
    for (made = before->prev; made && !made->scratch; made = made->prev)
        made->scratch = (void *)(uintptr_t)(xg_find_place(before) - 1);
}
/* false: f is not associative. */
XG_APART XG_FN bool xg_find_rewrite(xg_finder *f) {
    xg_inst *before = xg_find_position(f, f->x, f->n), *in[2 * (XG_FIND_VALUES + 1)], *neutral, *r;
    bool backwards = xg_find_is_reversed(f);
    xg_find_form scalars = {0, true, backwards};
    uint32_t n, v;
    xg_hb b;
    if (!before) return false;
    b = xg_hb_at(before);
    neutral = xg_find_is_plain(f) ? xg_scan_neutral(&b, f->f[0]->op, f->f[0]->shape->type) : NULL;
    n = neutral ? 1 : f->n + 1;
    if (!neutral && !xg_find_is_associative(f, &b)) return false;
    for (v = 0; v < f->n; v++) {
        in[v] = xg_find_turned(f, &b, f->x[v], backwards);
        in[n + v] = neutral
                        ? neutral
                        : xg_hb_literal(&b, xg_literal_new(f->m->arena, xg_shape_scalar(f->m, f->x[v]->shape->type)));
    }
    if (!neutral) {
        in[f->n] = xg_hb_splat(&b, xg_hb_int(&b, XLAGPU_PRED, 1), in[0]->shape->dims, in[0]->shape->rank);
        in[n + f->n] = xg_hb_zero(&b, XLAGPU_PRED);
    }
    r = xg_hb_done(xg_hb_scan(&b, in, n,
        neutral ? xg_hb_reducer(&b, f->f[0]->op, f->f[0]->shape->type) : xg_find_comp(f, &b, scalars), f->dim,
        backwards));
    for (v = 0; v < f->n; v++)
        if (f->scans[v])
            xg_opt_replace(f->scans[v], xg_find_turned(f, &b, neutral ? r : xg_hb_element(&b, r, v), backwards));
    xg_find_settle(before);
    return true;
}

/* ---- gradients ---- */

/* The array that is sliced, and multiplied by something of the ladder: the cotangents of y. */
XG_FN xg_inst *xg_find_cotangents(const xg_finder *f) {
    uint32_t k, o;
    for (k = 0; k < f->n_found; k++)
        XG_FOR_USES(u, f->found[k])
            for (o = 0; u->user->op == XG_MULTIPLY && o < 2; o++) {
                xg_inst *from = XG_OPERAND(u->user, o), *d = from;
                while (!xg_find_known(f, d) && (d->op == XG_SLICE || d->op == XG_PAD) &&
                       d->shape->plain != f->x[0]->shape->plain)
                    d = XG_OPERAND(d, 0);
                if (d != from && !xg_find_known(f, d) && d->shape->plain == f->x[0]->shape->plain) return d;
            }
    return NULL;
}
/* The numbers of y, g and g[t] y[t-1]. */
XG_FN void xg_find_aim(xg_finder *f, const xg_ladder *a, const xg_ladder *b, const xg_ladder *d) {
    xg_ladder *to[XG_FIND_TARGETS];
    int64_t y = !b, g = 0, t;
    uint32_t k;
    for (k = 0; k < XG_FIND_TARGETS; k++) f->target[k] = to[k] = xg_find_new(f, 0, f->length);
    for (t = 0; t < f->length; t++) {
        to[XG_FIND_DA]->at[t].lo = (int32_t)y;
        y = (a->at[t].lo * y + (b ? b->at[t].lo : 0)) % XG_FIND_PRIME;
        to[XG_FIND_Y]->at[t].lo = (int32_t)y;
    }
    while (t--) {
        g = (a->at[t + 1].lo * g + d->at[t].lo) % XG_FIND_PRIME;
        to[XG_FIND_DB]->at[t].lo = (int32_t)g;
        to[XG_FIND_DA]->at[t].lo = (int32_t)(to[XG_FIND_DA]->at[t].lo * g % XG_FIND_PRIME);
    }
}
/* Everything that follows from x, and d if there is one, by numbers. */
XG_FN void xg_find_follow(xg_finder *f, uint32_t a, xg_inst *d) {
    uint32_t k;
    f->n_targets = d ? XG_FIND_TARGETS : 1;
    xg_find_begin(f);
    f->target[0] = xg_find_known(f, f->x[0]); /* as good as none */
    if (d)
        xg_find_aim(
            f, xg_find_known(f, f->x[a]), f->n == 2 ? xg_find_known(f, f->x[!a]) : NULL, xg_find_root(f, d, f->n));
    for (k = 0; k < f->n_found; k++)
        if (xg_find_known(f, f->found[k])->value - 1 >= XG_FIND_TARGETS) xg_find_tell(f, f->found[k], 0);
}
/* x moved on by one place: down, or up. */
XG_FN xg_inst *xg_find_shifted(const xg_finder *f, const xg_hb *b, xg_inst *x, bool up, int64_t value) {
    xg_pad_dim p[XG_RANK_MAX];
    memset(p, 0, sizeof p);
    p[f->dim].low = up ? 1 : -1;
    p[f->dim].high = -p[f->dim].low;
    return xg_hb_pad(b, x, xg_hb_int(b, x->shape->type, value), p);
}
/* y[t] = a[t] y[t-1] + x[t], y[t+1] if backwards; in f32 at least. */
XG_FN xg_inst *xg_find_linear(xg_finder *f, const xg_hb *b, xg_inst *a, xg_inst *x, bool backwards) {
    xlagpu_type narrow = a->shape->type,
                type = xg_type_class(narrow) == XGT_F && xg_type_bits(narrow) < 32 ? XLAGPU_F32 : narrow;
    const xg_shape *scalar = xg_shape_scalar(f->m, type);
    xg_comp *c = xg_comp_new(f->m, XG_STR("combine"), b->comp);
    xg_hb e = xg_hb_end(c, NULL);
    xg_inst *in[4], *p[4], *out[2];
    uint32_t last = backwards ? 0 : 2, k;
    for (k = 0; k < 4; k++) p[k] = xg_comp_add_param(c, scalar, XG_STR("p"));
    out[0] = xg_hb_mul(&e, p[0], p[2]);
    out[1] = xg_hb_mul(&e, p[3 - last], p[last]); /* what is earlier in memory comes first */
    out[1] = xg_hb_add(&e, out[1], p[last + 1]);
    c->root = xg_hb_tuple(&e, out, 2);
    in[0] = xg_hb_convert(b, a, type);
    in[1] = xg_hb_convert(b, x, type);
    for (k = 0; k < 2; k++) in[2 + k] = xg_hb_int(b, type, !k);
    return xg_hb_convert(b, xg_hb_element(b, xg_hb_done(xg_hb_scan(b, in, 2, c, f->dim, backwards)), 1), narrow);
}
XG_FN void xg_find_replace(xg_finder *f, uint32_t target, xg_inst *y) {
    uint32_t k;
    for (k = 0; k < f->n_found; k++)
        if (xg_find_known(f, f->found[k])->value == target + 1) xg_opt_replace(f->found[k], y);
}
/* The first array of each target from that one on. */
XG_FN void xg_find_hits(xg_finder *f, uint32_t first) {
    uint32_t k, v;
    memset(f->scans, 0, sizeof f->scans);
    for (k = 0; k < f->n_found; k++) {
        v = xg_find_known(f, f->found[k])->value - 1;
        if (v < XG_FIND_TARGETS && v >= first &&
            (!f->scans[v] || xg_find_place(f->found[k]) < xg_find_place(f->scans[v])))
            f->scans[v] = f->found[k];
    }
}
XG_APART XG_FN bool xg_find_gradient(xg_finder *f) {
    bool backwards = xg_find_is_reversed(f);
    xg_inst *d, *before, *decay, *y, *g, *in[2];
    uint32_t a;
    xg_hb b;
    if (f->n > 2 || f->x[0]->shape->type == XLAGPU_PRED) return false;
    xg_find_follow(f, 0, NULL);
    d = xg_find_cotangents(f);
    for (a = 0;; a++) {
        if (!d || a == f->n) return false;
        xg_find_follow(f, a, d);
        xg_find_hits(f, XG_FIND_DB);
        if ((f->scans[XG_FIND_DB] || f->scans[XG_FIND_DA]) && xg_find_is_private(f)) break;
    }
    xg_find_hits(f, XG_FIND_Y);
    before = xg_find_position(f, f->x, f->n);
    if (!before) return false;
    b = xg_hb_at(before);
    in[0] = decay = xg_find_turned(f, &b, f->x[a], backwards);
    in[1] = f->n == 2 ? xg_find_turned(f, &b, f->x[!a], backwards) : xg_hb_int(&b, d->shape->type, 1);
    y = f->n == 2
            ? xg_find_linear(f, &b, decay, in[1], backwards)
            : xg_hb_done(xg_hb_scan(&b, in, 1, xg_hb_reducer(&b, XG_MULTIPLY, d->shape->type), f->dim, backwards));
    xg_find_replace(f, XG_FIND_Y, xg_find_turned(f, &b, y, backwards));
    xg_find_settle(before);
    xg_find_hits(f, XG_FIND_DB);
    before = xg_find_position(f, &d, 1);
    if (!before) return true;
    b = xg_hb_at(before);
    d = xg_find_turned(f, &b, d, backwards);
    decay = xg_find_shifted(f, &b, decay, backwards, 0);
    g = xg_find_linear(f, &b, decay, d, !backwards);
    xg_find_replace(f, XG_FIND_DB, xg_find_turned(f, &b, g, backwards));
    y = xg_find_shifted(f, &b, y, !backwards, f->n == 1);
    g = xg_hb_mul(&b, g, y);
    xg_find_replace(f, XG_FIND_DA, xg_find_turned(f, &b, g, backwards));
    xg_find_settle(before);
    return true;
}
XG_FN bool xg_find_scan(xg_inst *i, xg_map64 *done) {
    uint32_t k;
    xg_finder f;
    if (xg_map64_get(done, (uint64_t)i->id + 1)) return false;
    memset(&f, 0, sizeof f);
    f.m = i->comp->module;
    f.a = f.m->work;
    if (!xg_find_start(&f, i)) return false;
    for (k = 0; k < f.n; k++)
        xg_map64_put(done, (uint64_t)f.f[k]->id + 1, f.f[k]); /* one try for all of a combination */
    if (!(xg_find_order(&f, 0) ? xg_find_rewrite(&f) : xg_find_gradient(&f))) return false;
    for (k = 0; k < f.n_found; k++) xg_map64_put(done, (uint64_t)f.found[k]->id + 1, f.found[k]);
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
