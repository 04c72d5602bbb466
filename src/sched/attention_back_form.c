/* sched/attention_back_form.c -- a fused computation as a kernel of attention's backward pass.
 *
 *     rows are queries:  (dQ, what rows have ...)    of Q, dO and, step by step, of K, V; or without dQ
 *     rows are keys:     (dK, dV, or dS as well)     of K, V and, step by step, of Q, dO and what rows have
 *
 * Both are the form of attention_form.c, of which the second dot is that of dS: rows and the numbers that go by the
 * name of keys are that dot's. What each of the module's queries has one of enters scores, weights and dS by
 * broadcasts, the lines; the first kernel computes their values, the second reads them. */
#ifndef XG_SCHED_ATTENTION_BACK_FORM_C
#define XG_SCHED_ATTENTION_BACK_FORM_C
#include "attention.h"

/* ---- roots ---- */

XG_FN xg_inst *xg_attention_back_root(const xg_comp *c, uint32_t k) {
    if (c->root->op != XG_TUPLE) return k ? NULL : c->root;
    return k < c->root->n_operands ? XG_OPERAND(c->root, k) : NULL;
}
/* The dot that a result is, but for conversions and moves; NULL: it is none. */
XG_FN xg_inst *xg_attention_back_dot(xg_inst *i) {
    while (i && (i->op == XG_CONVERT || xg_attention_moves(i))) i = XG_OPERAND(i, 0);
    return i && i->op == XG_DOT ? i : NULL;
}
XG_FN bool xg_attention_back_reduces(const xg_comp *c) {
    XG_FOR_INSTS(i, c)
        if (i->op == XG_REDUCE) return true;
    return false;
}
XG_FN bool xg_attention_back_may_be(const xg_comp *c) {
    uint32_t dots = 0, exps = 0;
    xg_attention_gradient g;
    XG_FOR_INSTS(i, c) {
        dots += i->op == XG_DOT;
        exps += i->op == XG_EXPONENTIAL;
    }
    if (dots == 2)
        XG_FOR_INSTS(i, c)
            if (i->op == XG_DOT && xg_attention_gradient_find(i, &g)) return false; /* the forward pass */
    return dots >= 2 && dots <= 4 && exps > 0 && (dots > 2 || exps == 1);
}
/* Scores and dP of a kernel that sums up nothing else. */
XG_FN bool xg_attention_back_bare(const xg_comp *c, xg_attention_gradient *g) {
    XG_FOR_INSTS(i, c)
        if (i->op == XG_EXPONENTIAL && !xg_attention_gradient_scores(g, i)) return false;
    XG_FOR_INSTS(i, c)
        if (i->op == XG_DOT && i != g->scores_dot) g->grad_dot = i;
    return true;
}
XG_FN bool xg_attention_back_roots(xg_attention_form *f) {
    xg_attention_back *b = &f->back;
    xg_inst *first = xg_attention_back_dot(xg_attention_back_root(f->comp, 0)), *i;
    xg_attention_gradient g;
    uint32_t k = first != NULL;
    b->is = true;
    b->turned = !xg_attention_back_reduces(f->comp);
    b->rows_only = !first;
    if (!(first ? xg_attention_gradient_find(first, &b->match) : xg_attention_back_bare(f->comp, &b->match)) ||
        !b->match.grad_dot || (!first && b->turned))
        return false;
    i = xg_attention_back_root(f->comp, 1);
    if (b->turned && i) {
        b->second = xg_attention_back_dot(i);
        if (!b->second || !xg_attention_gradient_find(b->second, &g) || g.grad_dot || g.exp != b->match.exp)
            return false;
        b->soft = g.made;
        b->shows = xg_attention_back_root(f->comp, 2) != NULL;
        k = 2 + b->shows;
    }
    for (; (i = xg_attention_back_root(f->comp, k)) != NULL; k++) {
        if (b->turned || b->n_kept == XG_ATTENTION_LINES) return false;
        b->kept[b->n_kept++] = i;
    }
    f->match.scores_dot = b->match.scores_dot;
    f->match.out_dot = b->match.dot;
    if (first) f->match.weights = b->match.made;
    f->match.exp = b->match.exp;
    f->match.difference = b->match.difference;
    f->match.scored = XG_OPERAND(b->match.difference, 0);
    return true;
}

/* ---- what rows have ---- */

/* A reduction of what, along the scores, each row has one of: the maximum, the sum, the sum over dP. */
XG_FN bool xg_attention_back_stats(xg_attention_form *f) {
    xg_attention *a = &f->match;
    XG_FOR_INSTS(i, f->comp) {
        xg_inst *of = i->op == XG_REDUCE ? XG_OPERAND(i, 0) : NULL, **stat = &f->back.delta;
        if (!of) continue;
        while (of->op == XG_CONVERT) of = XG_OPERAND(of, 0);
        if (xg_attention_reduces(i, XG_MAXIMUM, 0))
            stat = &a->max;
        else if (!xg_attention_reduces(i, XG_ADD, 0))
            return false;
        else if (of == a->exp)
            stat = &a->sum;
        else if (!xg_attention_depends(of, f->back.match.grad_dot))
            return false;
        if (*stat) return false;
        *stat = i;
    }
    if (f->back.turned) return true;
    return f->back.delta && (!a->sum || a->max) && xg_attention_gradient_leads(XG_OPERAND(f->back.delta, 0), a->exp);
}
XG_FN bool xg_attention_back_is_line(const xg_attention_form *f, const xg_inst *i) {
    const xg_inst *of;
    if (i->op != XG_BROADCAST || i->shape->elements != f->match.exp->shape->elements) return false;
    of = XG_OPERAND(i, 0);
    if (of->shape->type != f->sum || of->shape->elements != f->batch * (f->back.turned ? f->keys : f->rows))
        return false;
    return f->back.turned ? of->op == XG_PARAMETER : of->op != XG_CONSTANT;
}
XG_FN xg_inst *xg_attention_back_value(const xg_attention_form *f, uint32_t k) {
    xg_inst *i = f->back.lines[k];
    bool read = i->op == XG_BROADCAST && i->shape->elements == f->match.exp->shape->elements;
    return read ? XG_OPERAND(i, 0) : i;
}
/* Those that are read; and what else rows have, as a result. */
XG_FN bool xg_attention_back_lines(xg_attention_form *f) {
    xg_attention_back *b = &f->back;
    uint32_t k, j;
    XG_FOR_INSTS(i, f->comp) {
        if (!xg_attention_back_is_line(f, i)) continue;
        if (b->n_lines == XG_ATTENTION_LINES) return false;
        b->late[b->n_lines] = b->delta && xg_attention_depends(i, b->delta);
        b->lines[b->n_lines++] = i;
    }
    for (k = 0; k < b->n_kept && b->rows_only; k++) {
        for (j = 0; j < b->n_lines && xg_attention_back_value(f, j) != b->kept[k]; j++) {}
        if (j < b->n_lines) continue;
        if (j == XG_ATTENTION_LINES) return false;
        b->late[j] = xg_attention_depends(b->kept[k], b->delta);
        b->lines[b->n_lines++] = b->kept[k];
    }
    return true;
}

/* A product of exp, of dP and of lines: then it can be summed up beside the maximum, its lines come behind the sum. */
XG_FN bool xg_attention_back_is_product(const xg_attention_form *f, const xg_inst *i) {
    uint32_t k;
    while (i->op == XG_CONVERT || xg_attention_moves(i)) i = XG_OPERAND(i, 0);
    for (k = 0; k < f->back.n_lines; k++)
        if (f->back.lines[k] == i) return true;
    if (i->op == XG_MULTIPLY)
        return xg_attention_back_is_product(f, XG_OPERAND(i, 0)) && xg_attention_back_is_product(f, XG_OPERAND(i, 1));
    return i == f->match.exp || i == f->back.match.grad_dot;
}

/* ---- stages ---- */

XG_FN bool xg_attention_back_cut(xg_attention_site *w, xg_attention_part part, xg_inst *root, bool exp, bool grad) {
    const xg_attention_back *b = &w->f->back;
    xg_inst *given[XG_ATTENTION_LINES + 3];
    uint32_t n = 0, k;
    if (part == XG_ATTENTION_WEIGHTS) given[n++] = b->match.scores_dot; /* of which dS makes a function's derivative */
    if (exp) given[n++] = b->match.exp;
    if (grad) given[n++] = b->match.grad_dot;
    for (k = 0; k < b->n_lines; k++) given[n++] = b->lines[k];
    if (!xg_attention_cut(w, part, root, given, n)) return false;
    if (!grad && xg_attention_reached(&w->f->stages[part], b->match.grad_dot)) return false;
    XG_FOR_INSTS(i, w->f->comp)
        if (i->op == XG_REDUCE && xg_attention_reached(&w->f->stages[part], i)) return false;
    return true;
}
XG_FN bool xg_attention_back_cut_line(xg_attention_site *w, uint32_t k) {
    const xg_attention_back *b = &w->f->back;
    xg_inst *given[3];
    uint32_t n = 0;
    if (w->f->match.max) given[n++] = w->f->match.max;
    if (w->f->match.sum) given[n++] = w->f->match.sum;
    if (b->delta) given[n++] = b->delta;
    return xg_attention_cut(w, (xg_attention_part)(XG_ATTENTION_LINE0 + k), xg_attention_back_value(w->f, k), given, n);
}
XG_FN bool xg_attention_back_cut_all(xg_attention_site *w) {
    xg_attention_form *f = w->f;
    xg_inst *dot = f->match.out_dot;
    uint32_t k;
    if (!xg_attention_cut(w, XG_ATTENTION_SCORES, XG_OPERAND(f->match.difference, 0), &f->match.scores_dot, 1) ||
        !xg_attention_back_cut(w, XG_ATTENTION_SHIFT, XG_OPERAND(f->match.difference, 1), false, false) ||
        (dot && !xg_attention_back_cut(w, XG_ATTENTION_WEIGHTS, XG_OPERAND(dot, f->match.weights), true, true)))
        return false;
    if (f->back.second &&
        !xg_attention_back_cut(w, XG_ATTENTION_SOFT, XG_OPERAND(f->back.second, f->back.soft), true, false))
        return false;
    if (f->back.delta && !xg_attention_back_cut(w, XG_ATTENTION_DELTA, XG_OPERAND(f->back.delta, 0), true, true))
        return false;
    for (k = 0; k < f->back.n_lines; k++) {
        if (!xg_attention_back_cut_line(w, k)) return false;
        /* the sum over dP is made of what does not depend on it */
        if (f->back.late[k] && xg_attention_reached(&f->stages[XG_ATTENTION_DELTA], f->back.lines[k])) return false;
    }
    f->back.together = f->match.max && xg_attention_back_is_product(f, XG_OPERAND(f->back.delta, 0));
    if (f->back.together && dot) xg_attention_once_find(f, XG_OPERAND(dot, f->match.weights));
    return !dot || xg_attention_cut(w, XG_ATTENTION_RESULT, xg_attention_back_root(f->comp, 0), &dot, 1);
}

/* ---- maps ---- */

/* Whether a reduction goes along keys, and from the five numbers to its own indices; at: to those of what it is of. */
XG_FN const xg_imap *xg_attention_back_along(xg_attention_site *w, const xg_imap *at, const xg_inst *stat) {
    const xg_aff *key = xg_aff_dim(w->x, XG_ATTENTION_KEY), *results[XG_RANK_MAX];
    uint32_t dim = (uint32_t)xg_attr_dims(stat).p[0], k, n = 0;
    if (!xg_imap_ok(at) || at->n_constraints || at->n_syms + at->n_rts) return xg_imap_undefined(w->x);
    if (XG_OPERAND(stat, 0)->shape->dims[dim] != w->f->keys) return xg_imap_undefined(w->x);
    for (k = 0; k < at->n_results; k++) {
        if (w->f->keys > 1 && (k == dim ? at->results[k] != key : xg_aff_uses(at->results[k], key)))
            return xg_imap_undefined(w->x);
        if (k != dim) results[n++] = at->results[k];
    }
    return xg_imap_with_results(w->x, at, results, n);
}
/* Where a row of what nothing reads lies: by the reduction that it is made of, or one behind the other, as for each of
 * them any element may be computed. */
XG_FN const xg_imap *xg_attention_back_unread(
    xg_attention_site *w, uint32_t k, const xg_inst *const *stat, const xg_imap *const *stats) {
    const xg_attention_stage *line = &w->f->stages[XG_ATTENTION_LINE0 + k];
    const xg_imap *all = xg_attention_variables(w, false);
    const xg_aff *at = xg_aff_dim(w->x, XG_ATTENTION_ROW);
    uint32_t j;
    for (j = 0; j < 3; j++)
        if (stat[j] && xg_attention_reached(line, stat[j]))
            return xg_attention_onward(w, line->root, stat[j], stats[j]);
    if (line->root->shape->elements != w->f->batch * w->f->rows) return xg_imap_undefined(w->x);
    at = xg_aff_add_dim(w->x, at, XG_ATTENTION_BATCH, w->f->rows);
    return xg_imap_compose(
        w->x, xg_imap_with_results(w->x, all, &at, 1), xg_indexing_delinear(w->x, line->root->shape));
}
/* Every stage that reads a line reads it at the same place, which is its row's. */
XG_FN bool xg_attention_back_line_map(xg_attention_site *w, uint32_t k, const xg_imap *const *stats) {
    static const xg_attention_part readers[] = {
        XG_ATTENTION_SHIFT, XG_ATTENTION_WEIGHTS, XG_ATTENTION_SOFT, XG_ATTENTION_DELTA};
    const xg_attention_back *b = &w->f->back;
    xg_attention_stage *line = &w->f->stages[XG_ATTENTION_LINE0 + k];
    const xg_imap *at = NULL;
    const xg_inst *of[3];
    uint32_t j;
    for (j = 0; j < XG_COUNT(readers); j++) {
        const xg_attention_stage *s = &w->f->stages[readers[j]];
        const xg_imap *one;
        if (!s->root || !xg_attention_reached(s, b->lines[k])) continue;
        one = xg_attention_inside(w, s, s->map, b->lines[k]);
        if (!xg_imap_ok(one) || (at && !xg_imap_equal(at, one))) return false;
        at = one;
    }
    of[0] = w->f->match.max;
    of[1] = w->f->match.sum;
    of[2] = b->delta;
    if (at) line->map = xg_imap_compose(w->x, at, xg_indexing_operand(w->x, b->lines[k], 0));
    if (!at) at = line->map = xg_attention_back_unread(w, k, of, stats);
    if (!xg_imap_ok(at) || !xg_attention_ignores(w, line->map, b->turned ? XG_ATTENTION_ROW : XG_ATTENTION_KEY))
        return false;
    for (j = 0; j < 3; j++)
        if (of[j] && xg_attention_reached(line, of[j]) &&
            !xg_imap_equal(xg_attention_inside(w, line, line->map, of[j]), stats[j]))
            return false;
    return true;
}
XG_FN bool xg_attention_back_stat_maps(xg_attention_site *w, const xg_imap **stats) {
    xg_attention_form *f = w->f;
    const xg_imap *exp = f->stages[XG_ATTENTION_SCORES].map, *at;
    if (f->match.max) {
        const xg_inst *of = XG_OPERAND(f->match.max, 0);
        while (of->op == XG_CONVERT) of = XG_OPERAND(of, 0);
        if (!xg_attention_reached(&f->stages[XG_ATTENTION_SCORES], of)) return false;
        at = xg_attention_inside(w, &f->stages[XG_ATTENTION_SCORES], exp, of);
        if (!xg_imap_ok(stats[0] = xg_attention_back_along(w, at, f->match.max))) return false;
    }
    if (f->match.sum && !xg_imap_ok(stats[1] = xg_attention_back_along(w, exp, f->match.sum))) return false;
    if (!f->back.delta) return true;
    at = xg_attention_inside(w, &f->stages[XG_ATTENTION_DELTA], exp, f->match.exp);
    return xg_imap_ok(at) && xg_imap_equal(at, exp) &&
           xg_dims_equal(XG_OPERAND(f->back.delta, 0)->shape, f->match.exp->shape->dims, f->match.exp->shape->rank) &&
           xg_imap_ok(stats[2] = xg_attention_back_along(w, exp, f->back.delta));
}
XG_FN bool xg_attention_back_keeps_bare(const xg_attention_form *f) {
    return f->back.is && xg_attention_reached(&f->stages[XG_ATTENTION_WEIGHTS], f->match.scores_dot);
}
XG_FN bool xg_attention_back_exp_maps(xg_attention_site *w) {
    xg_attention_stage *s = w->f->stages;
    xg_attention_count(w, 1, 1);
    if (!w->f->back.rows_only) s[XG_ATTENTION_WEIGHTS].map = xg_attention_at_weights(w);
    s[XG_ATTENTION_SCORES].map = xg_attention_at_exp(w);
    s[XG_ATTENTION_SHIFT].map = s[XG_ATTENTION_DELTA].map = s[XG_ATTENTION_SCORES].map;
    if (!xg_imap_ok(s[XG_ATTENTION_SCORES].map)) return false;
    return !xg_attention_back_keeps_bare(w->f) ||
           xg_imap_equal(
               xg_attention_inside(w, &s[XG_ATTENTION_WEIGHTS], s[XG_ATTENTION_WEIGHTS].map, w->f->match.scores_dot),
               xg_attention_inside(w, &s[XG_ATTENTION_SCORES], s[XG_ATTENTION_SCORES].map, w->f->match.scores_dot));
}
XG_FN bool xg_attention_back_inner_maps(xg_attention_site *w) {
    xg_attention_form *f = w->f;
    const xg_imap *stats[3] = {NULL, NULL, NULL};
    uint32_t k;
    xg_attention_count(w, 1, 1);
    if (!xg_attention_back_stat_maps(w, stats)) return false;
    for (k = 0; k < f->back.n_lines; k++)
        if (!xg_attention_back_line_map(w, k, stats)) return false;
    for (k = 0; k < f->back.n_kept; k++) {
        uint32_t j = 0;
        while (j < f->back.n_lines && xg_attention_back_value(f, j) != f->back.kept[k]) j++;
        if (j == f->back.n_lines) return false;
        f->back.kept_map[k] = f->stages[XG_ATTENTION_LINE0 + j].map;
    }
    return true;
}
/* The second dot counts what it sums up as the first one does: dots of several summed dimensions may order them
 * differently. */
XG_FN void xg_attention_back_turn(xg_attention_site *w) {
    xg_tile_group *keys = &w->f->dots[1].group[XG_TILE_K];
    xg_tile_axis first = keys->axes[0];
    uint32_t k;
    for (k = 0; k + 1 < keys->n; k++) keys->axes[k] = keys->axes[k + 1];
    if (keys->n) keys->axes[keys->n - 1] = first;
    memset(w->known, 0, sizeof w->known);
}
XG_FN bool xg_attention_back_agrees(xg_attention_site *w, const xg_imap *exp) {
    uint32_t turns;
    for (turns = 0; turns < XG_MAX(w->f->dots[1].group[XG_TILE_K].n, 1U); turns++) {
        if (xg_imap_equal(xg_attention_at_exp(w), exp)) return true;
        xg_attention_back_turn(w);
    }
    return false;
}
/* The second dot's stages, by the same numbers: as if it were the first one. */
XG_FN bool xg_attention_back_second(xg_attention_site *w) {
    xg_attention_form *f = w->f, *twin;
    xg_attention_site other = *w;
    if (!f->back.second) return true;
    twin = XG_NEW(w->arena, xg_attention_form);
    *twin = *f;
    other.f = twin;
    memset(other.known, 0, sizeof other.known);
    twin->match.out_dot = f->back.second;
    twin->match.weights = f->back.soft;
    twin->stages[XG_ATTENTION_WEIGHTS] = f->stages[XG_ATTENTION_SOFT];
    if (!xg_tile_form_of(&twin->dots[1], w->x, f->back.second) || !xg_attention_extents(twin) ||
        twin->batch != f->batch || twin->rows != f->rows || twin->keys != f->keys || twin->columns != f->columns)
        return false;
    xg_attention_count(&other, 1, 1);
    if (!xg_attention_back_agrees(&other, f->stages[XG_ATTENTION_SCORES].map)) return false;
    f->stages[XG_ATTENTION_SOFT].map = xg_attention_operand(&other, f->back.soft, false);
    twin->stages[XG_ATTENTION_WEIGHTS].map = f->stages[XG_ATTENTION_SOFT].map;
    if (!xg_attention_cut(&other, XG_ATTENTION_RESULT, xg_attention_back_root(f->comp, 1), &f->back.second, 1) ||
        !xg_attention_result_map(&other))
        return false;
    f->stages[XG_ATTENTION_SECOND] = twin->stages[XG_ATTENTION_RESULT];
    xg_attention_count(&other, f->columns, 1);
    f->back.second_map = xg_attention_operand(&other, 1 - f->back.soft, true);
    return true;
}
/* Rows are those of dQ, or of dK: of the dots that give scores and dP each has an operand. */
XG_FN bool xg_attention_back_sides(xg_attention_site *w) {
    xg_attention_back *b = &w->f->back;
    if (!xg_attention_operand_maps(w)) return false;
    xg_attention_count(w, w->f->columns, 1);
    for (b->fixed = 0; b->fixed < 2; b->fixed++)
        if (xg_attention_ignores(w, xg_attention_grad_operand(w, true), XG_ATTENTION_KEY) &&
            xg_attention_ignores(w, xg_attention_grad_operand(w, false), XG_ATTENTION_ROW))
            return true;
    return false;
}

/* ---- operands ---- */

/* What an operand is moved from. */
XG_FN const xg_inst *xg_attention_back_source(xg_attention_site *w, const xg_inst *i, const xg_imap **map) {
    while (xg_imap_ok(*map) && (i->op == XG_CONVERT || xg_attention_moves(i) || i->op == XG_BROADCAST)) {
        if (i->op == XG_CONVERT && !xg_tile_holds(XG_OPERAND(i, 0)->shape->type, i->shape->type)) break;
        *map = xg_imap_compose(w->x, *map, xg_indexing_operand(w->x, i, 0));
        i = XG_OPERAND(i, 0);
    }
    return i;
}
/* The matrix that weights are multiplied by is the one that a step has in shared memory anyway. */
XG_FN bool xg_attention_back_same(
    xg_attention_site *w, const xg_inst *x, const xg_imap *xm, const xg_inst *y, const xg_imap *ym) {
    x = xg_attention_back_source(w, x, &xm);
    y = xg_attention_back_source(w, y, &ym);
    return x == y && xg_imap_ok(xm) && xg_imap_ok(ym) && xg_imap_equal(xm, ym);
}
XG_FN bool xg_attention_back_shares(xg_attention_site *w) {
    xg_attention_form *f = w->f;
    const xg_inst *step = XG_OPERAND(f->match.scores_dot, 1 - f->query);
    const xg_imap *at;
    if (f->back.rows_only) return true;
    xg_attention_count(w, f->depth, 1);
    at = xg_attention_operand(w, 1 - f->match.weights, true);
    if (!xg_attention_back_same(w, step, xg_attention_first_operand(w, 1 - f->query),
            XG_OPERAND(f->match.out_dot, 1 - f->match.weights), at))
        return false;
    if (!f->back.second) return true;
    step = XG_OPERAND(f->back.match.grad_dot, 1 - f->back.fixed);
    xg_attention_count(w, f->columns, 1);
    return xg_attention_back_same(
        w, step, xg_attention_grad_operand(w, false), XG_OPERAND(f->back.second, 1 - f->back.soft), f->back.second_map);
}
/* The matrix unit of a dot, and what it holds: of 16 bits, or, of f32 throughout, none. False: another one. */
XG_FN bool xg_attention_back_unit(const xlagpu_type *t, const xg_device *m, int32_t *unit, xlagpu_type *held) {
    *unit = XG_TILE_NO_UNIT;
    *held = XLAGPU_F32;
    if (t[0] == XLAGPU_F32 && t[1] == XLAGPU_F32) return true;
    if (!m->tensor_f16) return false;
    *unit = xg_tile_float_unit(t[0], t[1], m, held);
    return *unit == XG_KMMA_F16 || *unit == XG_KMMA_BF16;
}
XG_FN bool xg_attention_back_has_unit(xg_inst *dot, const xg_device *m) {
    xlagpu_type t[2], held;
    int32_t unit;
    if (xg_inst_is_tf32(dot)) return false;
    (void)xg_attention_narrow(dot, 0, &t[0]);
    (void)xg_attention_narrow(dot, 1, &t[1]);
    return xg_attention_back_unit(t, m, &unit, &held);
}
/* One matrix unit makes all products, or none does. */
XG_FN bool xg_attention_back_types(xg_attention_form *f, const xg_device *m) {
    xg_inst *grad = f->back.match.grad_dot, *dots[4], *narrow;
    uint32_t side[4], n = 3, k;
    xlagpu_type t[2], held;
    int32_t unit;
    dots[0] = f->match.scores_dot;
    side[0] = f->query;
    dots[1] = grad;
    side[1] = f->back.fixed;
    dots[2] = f->match.out_dot;
    side[2] = f->match.weights;
    dots[3] = f->back.second;
    side[3] = f->back.soft;
    if (f->back.second) n = 4;
    if (f->back.rows_only) n = 2;
    if (f->sum != XLAGPU_F32) return false;
    f->pieces[0] = f->pieces[1] = 1;
    for (k = 0; k < n; k++) {
        static const xg_attention_part parts[4][2] = {{XG_ATTENTION_QUERY, XG_ATTENTION_KEYS},
            {XG_ATTENTION_GRAD, XG_ATTENTION_VALUES}, {XG_ATTENTION_WEIGHTS, XG_ATTENTION_PARTS},
            {XG_ATTENTION_SOFT, XG_ATTENTION_PARTS}};
        if (xg_inst_is_tf32(dots[k])) return false;
        f->stages[parts[k][0]].root = xg_attention_narrow(dots[k], side[k], &t[0]);
        narrow = xg_attention_narrow(dots[k], 1 - side[k], &t[1]);
        if (parts[k][1] != XG_ATTENTION_PARTS) f->stages[parts[k][1]].root = narrow;
        if (k >= 2)
            f->pieces[k - 2] = xg_attention_pieces(
                dots[k], &t[0], t[1], m, xg_type_bytes(xg_attention_back_root(f->comp, k - 2)->shape->type) == 2);
        if (!xg_attention_back_unit(t, m, &unit, &held) || (k && (unit != f->unit || held != f->held))) return false;
        f->unit = unit;
        f->held = held;
    }
    return true;
}

/* dS as a result: as the dot takes it, the module's queries side by side. */
XG_FN bool xg_attention_back_shown(xg_attention_site *w) {
    xg_attention_form *f = w->f;
    const xg_inst *from, *bare, *to = xg_attention_back_root(f->comp, 2);
    const xg_aff *key = xg_aff_dim(w->x, XG_ATTENTION_KEY), *last;
    const xg_imap *at;
    int64_t queries;
    if (!f->back.shows) return true;
    if (!to->shape->rank) return false;
    queries = to->shape->dims[to->shape->rank - 1]; /* of a head */
    from = XG_OPERAND(f->match.out_dot, f->match.weights);
    xg_attention_count(w, 1, 1);
    at = xg_attention_operand(w, f->match.weights, false);
    for (; xg_attention_moves(from); from = XG_OPERAND(from, 0))
        at = xg_imap_compose(w->x, at, xg_indexing_operand(w->x, from, 0));
    at = f->back.shown_map = xg_attention_onward(w, to, from, at);
    for (bare = to; bare != from && (bare->op == XG_CONVERT || xg_attention_moves(bare)); bare = XG_OPERAND(bare, 0)) {}
    if (!xg_imap_ok(at) || bare != from) return false; /* it is dS, not what is made of it */
    last = at->results[to->shape->rank - 1];
    return f->unit != XG_TILE_NO_UNIT && f->pieces[0] == 1 && to->shape->type == f->held && !at->n_constraints &&
           !at->n_syms && queries % XG_ATTENTION_SHOWN == 0 && (last == key || last == xg_aff_mod(w->x, key, queries));
}

/* Lines that tensor copies bring beside a step's operands. */
XG_FN void xg_attention_back_box_lines(xg_attention_site *w) {
    xg_attention_back *b = &w->f->back;
    uint32_t k;
    xg_attention_count(w, 1, 1);
    b->boxed = b->turned;
    for (k = 0; k < b->n_lines && b->boxed; k++) {
        const xg_inst *of = XG_OPERAND(b->lines[k], 0);
        b->boxed = xg_index_has_order(of->shape) && of->shape->type == XLAGPU_F32;
        if (!b->boxed) return;
        b->boxes[k] = xg_attention_box_line(
            w, of, xg_indexing_flatten(w->x, w->f->stages[XG_ATTENTION_LINE0 + k].map, of->shape));
        b->boxed = b->boxes[k].is_made && (!b->boxes[k].period || b->boxes[k].period == w->f->boxes[0].period);
    }
}

/* ---- the form ---- */

XG_FN bool xg_attention_back_extents(xg_attention_form *f) {
    if (!xg_attention_extents(f) || f->back.grad.sum != f->sum) return false;
    if (f->columns != f->depth && !f->back.rows_only) return false;
    f->columns = f->back.grad.group[XG_TILE_K].size;
    return true;
}
XG_FN bool xg_attention_back_result(xg_attention_site *w) {
    int64_t columns = w->f->columns;
    bool is;
    w->f->columns = w->f->depth;
    is = w->f->back.rows_only || xg_attention_result_map(w);
    w->f->columns = columns;
    return is;
}
XG_FN bool xg_attention_back_dots(xg_attention_form *f, xg_aff_ctx *x) {
    xg_inst *out = f->back.rows_only ? f->match.scores_dot : f->match.out_dot; /* which says what is a row, a key */
    return xg_tile_form_of(&f->dots[0], x, f->match.scores_dot) && xg_tile_form_of(&f->dots[1], x, out) &&
           xg_tile_form_of(&f->back.grad, x, f->back.match.grad_dot);
}
/* of: the operand of the first dot that has rows, where there is no other one to say it. */
XG_FN bool xg_attention_back_form_by(
    xg_attention_form *f, xg_arena *a, xg_aff_ctx *x, const xg_comp *c, const xg_device *m, uint32_t of) {
    static const xg_attention_part operands[] = {
        XG_ATTENTION_QUERY, XG_ATTENTION_KEYS, XG_ATTENTION_GRAD, XG_ATTENTION_VALUES};
    xg_attention_site w;
    uint32_t k;
    memset(f, 0, sizeof *f);
    memset(&w, 0, sizeof w);
    w.f = f;
    w.arena = a;
    w.x = x;
    f->comp = c;
    f->match.weights = of;
    if (!xg_attention_back_may_be(c) || !xg_attention_back_roots(f) || !xg_attention_back_dots(f, x) ||
        !xg_attention_back_extents(f) || !xg_attention_back_stats(f) || !xg_attention_back_lines(f))
        return false;
    if (!xg_attention_back_cut_all(&w)) return false;
    k = f->dots[1].group[XG_TILE_K].n;
    if (k > 1 && f->dots[1].group[XG_TILE_K].axes[0].extent > f->dots[1].group[XG_TILE_K].axes[k - 1].extent &&
        (m->warp_groups || m->tensor_memory))
        xg_attention_back_turn(&w); /* a tensor copy brings queries of one head */
    for (k = 0; !xg_attention_back_exp_maps(&w) || !xg_attention_back_second(&w); k++) {
        if (k >= f->dots[1].group[XG_TILE_K].n) return false;
        xg_attention_back_turn(&w);
    }
    if (!xg_attention_back_inner_maps(&w) || !xg_attention_back_result(&w) || !xg_attention_back_sides(&w) ||
        !xg_attention_back_shares(&w) || !xg_attention_back_types(f, m) || !xg_attention_back_shown(&w))
        return false;
    for (k = 0; k < XG_COUNT(operands); k++) {
        xg_attention_part part = operands[k];
        if (!xg_attention_cut(&w, part, f->stages[part].root, NULL, 0)) return false;
        xg_attention_lanes(&w, part);
        if (!xg_imap_ok(f->stages[part].map)) return false;
    }
    xg_attention_back_box_lines(&w);
    xg_attention_bounds(&w);
    xg_attention_find_scale(f);
    return true;
}
XG_FN bool xg_attention_back_form_of(
    xg_attention_form *f, xg_arena *a, xg_aff_ctx *x, const xg_comp *c, const xg_device *m) {
    return xg_attention_back_form_by(f, a, x, c, m, 0) ||
           (f->back.rows_only && xg_attention_back_form_by(f, a, x, c, m, 1));
}

#endif /* XG_SCHED_ATTENTION_BACK_FORM_C */
