/* sched/attention_split.c -- attention of few rows and many keys, as a step of decoding has it: keys in parts.
 *
 *     m[s] = max over part s of x, p = exp(x - m[s]), l[s] = sum of p, o[s] = p V      one kernel: more blocks
 *     M = max over s of m[s], w = exp(m[s] - M), L = sum of l[s] w, O = sum of o[s] w  what follows, small
 *     c = exp(M - g(M)); what the module made of max, sum and the dot is made of M, L c and O c
 *
 * The parts are a further batch dimension of the second dot, and everything is HLO: the first line is attention whose
 * maximum and sum are read elsewhere (attention_pass.c), the second one is fused as any sums are. Where m[s] or M is
 * -inf, 0 stands for it in the differences. Parts are summed in their order. */
#ifndef XG_SCHED_ATTENTION_SPLIT_C
#define XG_SCHED_ATTENTION_SPLIT_C
#include "attention.h"

enum {
    XG_ATTENTION_PART_KEYS = 64,     /* of a part at least: a step */
    XG_ATTENTION_PARTS_MAX = 64,     /* the second step reads as many results */
    XG_ATTENTION_SPLIT_PERCENT = 95, /* of the time before: the estimate is no better than that */
    XG_ATTENTION_JOIN_PS = 2500000   /* of the second step's launch, and its way to memory and back */
};

typedef struct xg_attention_cut_keys {
    xg_hb b;
    const xg_attention *a;
    xlagpu_type t; /* of sums */
    uint32_t key;  /* the dimension of exp: its last */
    int64_t parts;
    xg_inst *weights; /* exp of a part's differences */
} xg_attention_cut_keys;

/* ---- into how many parts ---- */

XG_FN int64_t xg_attention_parts_time(xg_attention_plan *p, const xg_device *m, int64_t parts) {
    xg_attention_form *f = &p->form;
    int64_t moved = xg_cost_mul(xg_cost_mul(f->batch, f->rows), xg_cost_mul(parts, f->columns + 2)), time = INT64_MAX;
    uint32_t bounds = f->n_bounds;
    moved = xg_cost_scale(xg_cost_mul(2 * xg_type_bytes(f->sum), moved), 1000, xg_device_gbs(m->bandwidth));
    f->batch *= parts;
    f->keys /= parts;
    if (parts > 1) f->n_bounds = 0; /* parts that masks hide are not known */
    if (xg_attention_plan_of(p, m, NULL)) time = p->picoseconds;
    f->batch /= parts;
    f->keys *= parts;
    f->n_bounds = bounds;
    return parts > 1 ? xg_cost_add(time, xg_cost_add(moved, XG_ATTENTION_JOIN_PS)) : time;
}
/* And the time with these: p->picoseconds. */
XG_FN int64_t xg_attention_best_parts(xg_attention_plan *p, const xg_device *m) {
    int64_t whole = xg_attention_parts_time(p, m, 1), least = whole, best = 1, parts, time;
    for (parts = 2; parts <= XG_ATTENTION_PARTS_MAX; parts++) {
        if (p->form.keys % parts || p->form.keys / parts < XG_ATTENTION_PART_KEYS) continue;
        time = xg_attention_parts_time(p, m, parts);
        if (time >= least) continue;
        least = time;
        best = parts;
    }
    if (least >= xg_cost_scale(whole, XG_ATTENTION_SPLIT_PERCENT, 100)) best = 1;
    p->picoseconds = best > 1 ? least : whole;
    return best;
}
/* Tiles of rows alone fill the device: then there is nothing to gain. */
XG_FN bool xg_attention_fills(const xg_attention *a, const xg_device *m) {
    const xg_shape *s = a->exp->shape;
    int64_t keys = s->rank ? s->dims[s->rank - 1] : 1;
    return keys < 2 * (int64_t)XG_ATTENTION_PART_KEYS ||
           s->elements / keys >= xg_cost_mul(XG_ATTENTION_ROWS * (int64_t)XG_ATTENTION_BESIDE, m->sm_count);
}

/* ---- what has one value for each row ---- */

/* A broadcast along keys alone of what each row of exp has one of, in any order; NULL: it is something else. */
XG_FN const xg_inst *xg_attention_row_of(const xg_inst *i, uint32_t key) {
    while (i->op == XG_CONVERT) i = XG_OPERAND(i, 0);
    if (i->op != XG_BROADCAST || i->shape->rank != key + 1 || XG_OPERAND(i, 0)->shape->rank != key ||
        xg_ints_at(xg_attr_dims(i), key, NULL))
        return NULL;
    return i;
}
/* Its operand, in the order of exp's dimensions. */
XG_FN xg_inst *xg_attention_of_each_row(const xg_hb *b, const xg_inst *i, uint32_t key) {
    const xg_inst *from = xg_attention_row_of(i, key);
    xg_ints dims = xg_attr_dims(from);
    int64_t perm[XG_RANK_MAX];
    uint32_t k;
    for (k = 0; k < key; k++) perm[dims.p[k]] = k;
    return xg_perm_is_identity(perm, key) ? XG_OPERAND(from, 0) : xg_hb_transpose(b, XG_OPERAND(from, 0), perm);
}
/* By dimension of what the maximum is taken from: its place in exp. Between both there may be a transpose. */
XG_FN bool xg_attention_places_of(const xg_attention *a, int64_t *place) {
    const xg_inst *i = XG_OPERAND(a->difference, 0);
    uint32_t k;
    for (k = 0; k < i->shape->rank; k++) place[k] = k;
    for (; i != a->scored; i = XG_OPERAND(i, 0)) {
        if (i->op == XG_TRANSPOSE && XG_OPERAND(i, 0) == a->scored) {
            xg_ints perm = xg_attr_dims(i);
            for (k = 0; k < perm.n; k++) place[perm.p[k]] = k;
        } else if (i->op != XG_CONVERT)
            return false;
    }
    return true;
}
XG_FN bool xg_attention_same_dims(const xg_shape *x, const xg_shape *y) { return xg_dims_equal(x, y->dims, y->rank); }
/* The same elements in the same order: only dimensions of one element come and go. */
XG_FN bool xg_attention_same_order(const xg_shape *x, const xg_shape *y) {
    uint32_t j = 0, k;
    for (k = 0; k < x->rank; k++) {
        if (x->dims[k] == 1) continue;
        while (j < y->rank && y->dims[j] == 1) j++;
        if (j == y->rank || y->dims[j++] != x->dims[k]) return false;
    }
    while (j < y->rank && y->dims[j] == 1) j++;
    return j == y->rank;
}
XG_APART XG_FN bool xg_attention_may_split(const xg_attention *a) {
    const xg_shape *s = a->exp->shape;
    int64_t place[XG_RANK_MAX];
    uint32_t key = s->rank - 1, k;
    if (!s->rank || s->rank >= XG_RANK_MAX - 1 || s->dynamic ||
        !xg_attention_same_dims(s, XG_OPERAND(a->difference, 0)->shape) || !xg_attention_places_of(a, place) ||
        place[xg_attr_dims(a->max).p[0]] != (int64_t)key || (a->sum && xg_attr_dims(a->sum).p[0] != (int64_t)key))
        return false;
    if (!xg_attention_row_of(XG_OPERAND(a->difference, 1), key)) return false;
    for (k = 0; k < a->n_factors; k++)
        if (!xg_attention_row_of(a->factors[k].of, key)) return false;
    return xg_dot_dims_of(a->out_dot).lc.n == 1;
}

/* ---- the parts ---- */

XG_FN xg_inst *xg_attention_fold(const xg_attention_cut_keys *w, xg_opcode op, xg_inst *x, uint32_t dim) {
    int64_t dims = dim;
    xg_inst *init = xg_hb_float(&w->b, w->t, op == XG_MAXIMUM ? -INFINITY : 0);
    return xg_hb_reduce(&w->b, x, init, &dims, 1, xg_hb_reducer(&w->b, op, w->t));
}
/* x, or 0 where it is -inf */
XG_FN xg_inst *xg_attention_finite(const xg_attention_cut_keys *w, xg_inst *x) {
    xg_inst *least = xg_hb_float_like(&w->b, x, -INFINITY), *zero = xg_hb_float_like(&w->b, x, 0);
    return xg_hb_select(&w->b, xg_hb_compare(&w->b, "EQ", x, least), zero, x);
}
/* x, whose dimensions are all of s but `without`, in the shape of s */
XG_FN xg_inst *xg_attention_spread(const xg_attention_cut_keys *w, xg_inst *x, const xg_shape *s, uint32_t without) {
    int64_t places[XG_RANK_MAX];
    uint32_t k, n = 0;
    for (k = 0; k < s->rank; k++)
        if (k != without) places[n++] = k;
    return xg_hb_broadcast(&w->b, x, s->dims, s->rank, places, n);
}
/* A product or quotient of weights: by what a row has it is left out, it comes behind all sums. */
XG_FN xg_inst *xg_attention_scaled(const xg_attention_cut_keys *w, xg_inst *i, xg_inst *child, uint32_t k) {
    xg_inst *other = XG_OPERAND(i, 1 - k), *x = other;
    uint32_t j;
    if (!xg_attention_of_row(w->a, other))
        return k ? xg_hb_2(&w->b, i->op, other, child) : xg_hb_2(&w->b, i->op, child, other);
    while (x->op == XG_CONVERT) x = XG_OPERAND(x, 0);
    for (j = 0; j < w->a->n_factors; j++)
        if (w->a->factors[j].of == x && w->a->factors[j].divides == (i->op == XG_DIVIDE)) return child;
    return NULL;
}
/* What the module makes of exp until the second dot takes it, made of the parts' exp; NULL: it cannot be said. */
XG_FN xg_inst *xg_attention_weighed(const xg_attention_cut_keys *w, xg_inst *i) {
    xg_inst *child;
    uint32_t k = 0;
    if (i == w->a->exp) {
        child = xg_hb_reshape(&w->b, w->weights, i->shape->dims, i->shape->rank);
        return xg_hb_convert(&w->b, child, i->shape->type);
    }
    if (i->op == XG_MULTIPLY || i->op == XG_DIVIDE) k = xg_attention_leads(w->a, XG_OPERAND(i, 0)) ? 0 : 1;
    if (i->op == XG_SELECT) k = xg_attention_leads(w->a, XG_OPERAND(i, 1)) ? 1 : 2;
    child = xg_attention_weighed(w, XG_OPERAND(i, k));
    if (!child) return NULL;
    switch (i->op) {
    case XG_CONVERT: return xg_hb_convert(&w->b, child, i->shape->type);
    case XG_COPY: return child;
    case XG_BITCAST:
    case XG_RESHAPE:
        if (!xg_attention_same_order(i->shape, child->shape)) return NULL;
        return xg_hb_reshape(&w->b, child, i->shape->dims, i->shape->rank);
    case XG_SELECT:
        return k == 1 ? xg_hb_select(&w->b, XG_OPERAND(i, 0), child, XG_OPERAND(i, 2))
                      : xg_hb_select(&w->b, XG_OPERAND(i, 0), XG_OPERAND(i, 1), child);
    case XG_MULTIPLY:
    case XG_DIVIDE: return xg_attention_scaled(w, i, child, k);
    default: return NULL;
    }
}
/* The second dot of all parts: [batch, part, rows, columns], or columns first. */
XG_APART XG_FN xg_inst *xg_attention_parts_dot(const xg_attention_cut_keys *w, xg_inst *weights) {
    xg_inst *dot = w->a->out_dot, *in[2];
    xg_arena *a = dot->comp->module->arena;
    xg_dot_dims d = xg_dot_dims_of(dot), to;
    uint32_t l = (uint32_t)d.lc.p[0], r = (uint32_t)d.rc.p[0];
    in[0] = xg_split_operand(&w->b, w->a->weights ? XG_OPERAND(dot, 0) : weights, l, w->parts);
    in[1] = xg_split_operand(&w->b, w->a->weights ? weights : XG_OPERAND(dot, 1), r, w->parts);
    to.lb = xg_split_dims(a, d.lb, l, true);
    to.rb = xg_split_dims(a, d.rb, r, true);
    to.lc = xg_split_dims(a, d.lc, l, false);
    to.rc = xg_split_dims(a, d.rc, r, false);
    return xg_hb_dot(&w->b, in[0], in[1], to, w->t, dot);
}

/* ---- what follows ---- */

/* Instructions from `first` to the second dot that are made of `made` come behind it. */
XG_FN void xg_attention_bring_behind(const xg_attention_cut_keys *w, xg_inst *first, xg_inst *made) {
    xg_inst *dot = w->a->out_dot, *i = first, *next, *last = dot->prev;
    xg_map64 marked;
    uint32_t k;
    for (; i && i != dot; i = i->next) {}
    if (!i) return; /* they are behind it anyway */
    xg_map64_init(&marked, dot->comp->module->work);
    xg_map64_put(&marked, made->id, made);
    for (i = first; i; i = next) {
        bool is = false;
        next = i == last ? NULL : i->next;
        for (k = 0; k < i->n_operands; k++) is |= xg_map64_get(&marked, XG_OPERAND(i, k)->id) != NULL;
        if (!is) continue;
        xg_map64_put(&marked, i->id, i);
        xg_inst_move_before(i, dot);
    }
}
/* One of max and sum as the module has it, made of the parts', for all that reads it. */
XG_FN void xg_attention_stands_for(const xg_attention_cut_keys *w, xg_inst *stat, xg_inst *made) {
    xg_inst *first = stat->next;
    made = xg_hb_convert(&w->b, made, stat->shape->type);
    xg_opt_replace(stat, made);
    xg_attention_bring_behind(w, first, made);
}
/* What rows have, in exp's order, as [batch, part, rows] of the second dot; parts: there is one of each, in the last
 * dimension of x. */
XG_FN xg_inst *xg_attention_in_order(const xg_attention_cut_keys *w, xg_inst *x, bool parts) {
    const xg_inst *dot = w->a->out_dot;
    const xg_shape *s = XG_OPERAND(dot, w->a->weights)->shape;
    xg_dot_dims d = xg_dot_dims_of(dot);
    xg_ints batch = w->a->weights ? d.rb : d.lb, key = w->a->weights ? d.rc : d.lc;
    int64_t dims[XG_RANK_MAX], perm[XG_RANK_MAX];
    uint32_t k, n = 0, at = 0;
    memset(dims, 0, sizeof dims); /* gcc does not see that at least one is set */
    for (k = 0; k < s->rank; k++)
        if (key.p[0] != (int64_t)k) dims[n++] = s->dims[k];
    for (; at < batch.n; at++) perm[at] = batch.p[at] - (batch.p[at] > key.p[0]);
    if (parts) perm[at++] = n;
    for (k = 0; k < n; k++)
        if (!xg_ints_at(batch, (int64_t)k + ((int64_t)k >= key.p[0]), NULL)) perm[at++] = k;
    if (parts) dims[n++] = w->parts;
    x = xg_hb_reshape(&w->b, x, dims, n);
    return xg_perm_is_identity(perm, n) ? x : xg_hb_transpose(&w->b, x, perm);
}
/* The same in the shape of the second dot's result: [batch, part, rows, columns], or columns in front of rows. */
XG_FN xg_inst *xg_attention_along_rows(const xg_attention_cut_keys *w, xg_inst *x, const xg_shape *s, bool parts) {
    uint32_t batch = xg_dot_dims_of(w->a->out_dot).lb.n + parts, n, k;
    int64_t places[XG_RANK_MAX];
    x = xg_attention_in_order(w, x, parts);
    n = x->shape->rank;
    for (k = 0; k < n; k++) places[k] = k < batch || !w->a->weights ? k : k + s->rank - n;
    return xg_hb_broadcast(&w->b, x, s->dims, s->rank, places, n);
}
/* What each row of exp has one of, as the module's maximum has it. */
XG_FN xg_inst *xg_attention_as_max(const xg_attention_cut_keys *w, xg_inst *x) {
    int64_t place[XG_RANK_MAX], perm[XG_RANK_MAX];
    uint32_t k, n = 0;
    (void)xg_attention_places_of(w->a, place);
    for (k = 0; k <= w->key; k++)
        if (place[k] != (int64_t)w->key) perm[n++] = place[k];
    return xg_perm_is_identity(perm, n) ? x : xg_hb_transpose(&w->b, x, perm);
}
XG_APART XG_FN void xg_attention_join(xg_attention_cut_keys *w, xg_inst *most, xg_inst *sum, xg_inst *out) {
    const xg_attention *a = w->a;
    const xg_hb *b = &w->b;
    uint32_t batch = xg_dot_dims_of(a->out_dot).lb.n, k;
    xg_inst *all = xg_attention_fold(w, XG_MAXIMUM, most, w->key), *safe = xg_attention_finite(w, all), *scale, *by, *v;
    scale = xg_attention_spread(w, safe, most->shape, w->key);
    scale = xg_hb_1(b, XG_EXPONENTIAL, xg_hb_2(b, XG_SUBTRACT, most, scale));
    out = xg_hb_2(b, XG_MULTIPLY, out, xg_attention_along_rows(w, scale, out->shape, true));
    out = xg_attention_fold(w, XG_ADD, out, batch);
    xg_attention_stands_for(w, a->max, xg_attention_as_max(w, all));
    by = xg_hb_convert(b, xg_attention_of_each_row(b, XG_OPERAND(a->difference, 1), w->key), w->t);
    by = xg_hb_1(b, XG_EXPONENTIAL, xg_hb_2(b, XG_SUBTRACT, safe, by));
    if (a->sum) {
        v = xg_attention_fold(w, XG_ADD, xg_hb_2(b, XG_MULTIPLY, sum, scale), w->key);
        xg_attention_stands_for(w, a->sum, xg_hb_2(b, XG_MULTIPLY, v, by));
    }
    for (k = 0; k < a->n_factors; k++) {
        v = xg_hb_convert(b, xg_attention_of_each_row(b, a->factors[k].of, w->key), w->t);
        by = xg_hb_2(b, a->factors[k].divides ? XG_DIVIDE : XG_MULTIPLY, by, v);
    }
    out = xg_hb_2(b, XG_MULTIPLY, out, xg_attention_along_rows(w, by, out->shape, false));
    xg_opt_replace(a->out_dot, xg_hb_convert(b, out, a->out_dot->shape->type));
}
XG_APART XG_FN bool xg_attention_cut_into(const xg_attention *a, int64_t parts, xlagpu_type t) {
    xg_attention_cut_keys w;
    xg_inst *x, *most, *sum, *out;
    memset(&w, 0, sizeof w);
    w.b = xg_hb_at(a->out_dot);
    w.a = a;
    w.t = t;
    w.key = a->exp->shape->rank - 1;
    w.parts = parts;
    x = xg_hb_convert(&w.b, XG_OPERAND(a->difference, 0), t);
    x = xg_split_operand(&w.b, x, w.key, parts);
    most = xg_attention_fold(&w, XG_MAXIMUM, x, w.key + 1);
    x = xg_hb_2(&w.b, XG_SUBTRACT, x, xg_attention_spread(&w, xg_attention_finite(&w, most), x->shape, w.key + 1));
    w.weights = xg_hb_1(&w.b, XG_EXPONENTIAL, x);
    sum = a->sum ? xg_attention_fold(&w, XG_ADD, w.weights, w.key + 1) : NULL;
    out = xg_attention_weighed(&w, XG_OPERAND(a->out_dot, a->weights));
    if (!out) return false;
    xg_attention_join(&w, most, sum, xg_attention_parts_dot(&w, out));
    xg_inst_remove(a->out_dot);
    return true;
}

/* ---- the pass ---- */

/* Whether the second dot is in attention that is made as such: kept as it is, or cut into parts. */
XG_APART XG_FN bool xg_attention_split_dot(xg_dict *known, xg_inst *dot, xg_attention *a, bool *changed) {
    const xg_device *m = &dot->comp->module->device;
    xg_arena *work = dot->comp->module->work;
    xg_attention_plan *p;
    if (!xg_attention_find(dot, a) || xg_attention_fills(a, m)) return false;
    p = xg_attention_look(known, work, dot, a);
    if (!p) return false;
    if (!p->key_parts) p->key_parts = xg_attention_may_split(a) ? xg_attention_best_parts(p, m) : 1;
    if (!xg_attention_pays(p, m)) return false;
    *changed |= p->key_parts > 1 && xg_attention_cut_into(a, p->key_parts, p->form.sum);
    return true;
}
/* Dots with a vector that were left because they might become attention, and do not (opt/dot_strength_reduction.c). */
XG_FN bool xg_attention_give_up(xg_inst *dot) {
    xg_hb b = xg_hb_at(dot);
    if (!xg_dot_reduces(dot) || xg_dot_is_left(dot)) return false;
    xg_opt_replace(dot, xg_dot_reduce(&b, dot));
    xg_inst_remove(dot);
    return true;
}
XG_FN bool xg_attention_split_comp(xg_comp *c) {
    XG_VEC(xg_inst *) dots = {NULL, 0, 0};
    bool changed = false;
    xg_attention a;
    xg_dict known;
    uint32_t k, j;
    XG_FOR_INSTS(i, c)
        if (i->op == XG_DOT) xg_push(c->module->work, xg_inst *, &dots, i);
    if (dots.n < 2) return false;
    xg_dict_init(&known, c->module->work);
    for (k = dots.n; k-- > 0;) {
        if (!dots.p[k] || !xg_attention_split_dot(&known, dots.p[k], &a, &changed)) continue;
        dots.p[k] = NULL;
        for (j = 0; j < k; j++)
            if (dots.p[j] == a.scores_dot) dots.p[j] = NULL;
    }
    for (k = 0; k < dots.n; k++)
        if (dots.p[k]) changed |= xg_attention_give_up(dots.p[k]);
    return changed;
}
XG_FN bool xg_attention_split(xg_module *m) {
    return m->made[XG_DOT] && xg_opt_each_sequence(m, xg_attention_split_comp);
}

#endif /* XG_SCHED_ATTENTION_SPLIT_C */
