/* sched/attention_form.c -- a fused computation as the stages of attention, with the maps between them.
 *
 * The second dot says what batch, rows, columns and keys are (tile_form.c). From its operands maps lead back: to exp,
 * to the scores, to the first dot, and to that one's operands, which have to depend on rows or on keys, not on both. */
#ifndef XG_SCHED_ATTENTION_FORM_C
#define XG_SCHED_ATTENTION_FORM_C
#include "attention.h"

/* ---- stages ---- */

XG_ONE_COPY XG_FN xg_inst *xg_attention_root(const xg_comp *c, uint32_t k) {
    return c->root->op == XG_TUPLE ? XG_OPERAND(c->root, k) : c->root;
}
XG_FN uint32_t xg_attention_stats(const xg_attention *a, xg_inst **to) {
    to[0] = a->max;
    if (a->sum) to[1] = a->sum;
    return a->sum ? 2 : 1;
}
XG_FN bool xg_attention_cut_all(xg_attention_site *w) {
    xg_attention *a = &w->f->match;
    xg_inst *given[XG_ATTENTION_FACTORS + 1];
    uint32_t n, k;
    given[0] = a->scores_dot;
    if (!xg_attention_cut(w, XG_ATTENTION_SCORES, XG_OPERAND(a->difference, 0), given, 1)) return false;
    given[0] = a->max;
    if (!xg_attention_cut(w, XG_ATTENTION_SHIFT, XG_OPERAND(a->difference, 1), given, 1)) return false;
    given[0] = a->exp;
    for (k = 0; k < a->n_factors; k++) given[k + 1] = a->factors[k].of;
    if (!xg_attention_cut(w, XG_ATTENTION_WEIGHTS, XG_OPERAND(a->out_dot, a->weights), given, a->n_factors + 1))
        return false;
    n = xg_attention_stats(a, given);
    for (k = 0; k < a->n_factors; k++)
        if (!xg_attention_cut(w, (xg_attention_part)(XG_ATTENTION_FACTOR0 + k), a->factors[k].of, given, n))
            return false;
    given[n++] = a->out_dot;
    return xg_attention_cut(w, XG_ATTENTION_RESULT, xg_attention_root(w->f->comp, 0), given, n);
}

/* ---- maps ---- */

XG_FN const xg_aff *xg_attention_along(const xg_attention_site *w) {
    const xg_aff *v = xg_aff_dim(w->x, XG_ATTENTION_VECTOR);
    v = xg_aff_mul(w->x, v, w->counts[XG_ATTENTION_LANE]);
    return xg_aff_add(w->x, v, xg_aff_dim(w->x, XG_ATTENTION_LANE));
}
/* The role that rows, or columns, have in the second dot. */
XG_FN xg_tile_role xg_attention_role(const xg_attention_form *f, bool rows) {
    uint32_t side = f->dots[1].operand[0] == f->match.weights ? 0 : 1; /* without one: of the first, its own side */
    return (side == 0) == rows ? XG_TILE_M : XG_TILE_N;
}
XG_FN xg_tile_role xg_attention_key_role(const xg_attention_form *f) {
    return f->back.rows_only ? xg_attention_role(f, false) : XG_TILE_K;
}
/* To all variables of the second dot; columns count along the third extent, or are 0. */
XG_FN const xg_imap *xg_attention_variables(xg_attention_site *w, bool columns) {
    const xg_tile_form *dot = &w->f->dots[1];
    const xg_aff *linear[XG_TILE_ROLES];
    xg_imap *m = xg_imap_of_dims(w->x, XG_ATTENTION_DIMS, dot->n_vars);
    uint32_t k;
    for (k = 0; k < XG_ATTENTION_DIMS; k++) m->dims[k].range = xg_range_of(0, w->counts[k] - 1);
    memset(linear, 0, sizeof linear);
    linear[XG_TILE_B] = xg_aff_dim(w->x, XG_ATTENTION_BATCH);
    linear[xg_attention_key_role(w->f)] = xg_aff_dim(w->x, XG_ATTENTION_KEY);
    linear[xg_attention_role(w->f, true)] = xg_aff_dim(w->x, XG_ATTENTION_ROW);
    if (columns) linear[xg_attention_role(w->f, false)] = xg_attention_along(w);
    xg_tile_set_variables(dot, w->x, m, linear);
    return xg_imap_simplify(w->x, m);
}
/* To the indices of an operand of the second dot. */
XG_FN const xg_imap *xg_attention_operand(xg_attention_site *w, uint32_t operand, bool columns) {
    const xg_tile_form *dot = &w->f->dots[1];
    return xg_imap_compose(w->x, xg_attention_variables(w, columns), dot->map[dot->operand[0] == operand ? 0 : 1]);
}
/* From a stage's own indices, at which map leads there, to what is given. */
XG_FN const xg_imap *xg_attention_inside(
    xg_attention_site *w, const xg_attention_stage *s, const xg_imap *map, const xg_inst *given) {
    const xg_imap *in = s->parts->map_of[xg_partition_place(s->parts, given)];
    return in ? xg_imap_compose(w->x, map, in) : xg_imap_undefined(w->x);
}
XG_FN const xg_imap *xg_attention_onward(
    xg_attention_site *w, const xg_inst *i, const xg_inst *from, const xg_imap *at) {
    uint32_t k = 0;
    if (i == from) return at;
    while (k < i->n_operands && !xg_attention_depends(XG_OPERAND(i, k), from)) k++;
    if (k == i->n_operands) return xg_imap_undefined(w->x);
    at = xg_attention_onward(w, XG_OPERAND(i, k), from, at);
    return xg_imap_compose(w->x, at, xg_indexing_operand_to_output(w->x, i, k, 0));
}
XG_FN xg_attention_known *xg_attention_known_of(xg_attention_site *w) {
    int64_t vectors = w->counts[XG_ATTENTION_VECTOR], lanes = w->counts[XG_ATTENTION_LANE];
    xg_attention_known *k = &w->known[lanes > 1];
    if (k->vectors != vectors || k->lanes != lanes) k->weights = k->exp = NULL;
    k->vectors = vectors;
    k->lanes = lanes;
    return k;
}
/* To the weights' indices. */
XG_FN const xg_imap *xg_attention_at_weights(xg_attention_site *w) {
    xg_attention_known *k = xg_attention_known_of(w);
    if (!k->weights) k->weights = xg_attention_operand(w, w->f->match.weights, false);
    return k->weights;
}
/* To exp's indices. */
XG_FN const xg_imap *xg_attention_at_exp(xg_attention_site *w) {
    const xg_attention *a = &w->f->match;
    xg_attention_known *k = xg_attention_known_of(w);
    if (k->exp) return k->exp;
    if (w->f->back.rows_only) {
        const xg_imap *all = xg_attention_variables(w, false);
        all = xg_imap_with_results(w->x, all, all->results, w->f->dots[1].rank);
        k->exp = xg_attention_onward(w, a->exp, a->scores_dot, all);
    } else
        k->exp = xg_attention_inside(w, &w->f->stages[XG_ATTENTION_WEIGHTS], xg_attention_at_weights(w), a->exp);
    return k->exp;
}
/* To the indices of what maximum, or sum, is of; *dim: the one that it goes along. */
XG_FN const xg_imap *xg_attention_at_reduced(xg_attention_site *w, const xg_inst *stat, uint32_t *dim) {
    const xg_attention *a = &w->f->match;
    const xg_imap *m = xg_attention_at_exp(w);
    *dim = (uint32_t)xg_attr_dims(stat).p[0];
    if (stat == a->max) m = xg_attention_inside(w, &w->f->stages[XG_ATTENTION_SCORES], m, a->scored);
    return m;
}
/* To the indices of maximum or sum of the row. */
XG_FN const xg_imap *xg_attention_at_row(xg_attention_site *w, const xg_inst *stat) {
    uint32_t dim, k, n = 0;
    const xg_imap *m = xg_attention_at_reduced(w, stat, &dim);
    const xg_aff *results[XG_RANK_MAX];
    if (!xg_imap_ok(m)) return m;
    for (k = 0; k < m->n_results; k++)
        if (k != dim) results[n++] = m->results[k];
    return xg_imap_with_results(w->x, m, results, n);
}
/* To the indices of a dot's operand, from the map to the dot's own. */
XG_FN const xg_imap *xg_attention_dot_operand(
    xg_attention_site *w, const xg_tile_form *dot, const xg_imap *m, uint32_t operand) {
    const xg_aff *linear[XG_TILE_ROLES], *vars[XG_TILE_VARS_MAX];
    xg_aff_env env;
    uint32_t k;
    if (!xg_imap_ok(m) || m->n_syms + m->n_rts) return xg_imap_undefined(w->x);
    env = xg_imap_env(w->x, m);
    memset(linear, 0, sizeof linear);
    linear[XG_TILE_K] = xg_attention_along(w);
    xg_tile_variables(dot, &env, linear, vars);
    for (k = 0; k < dot->rank; k++) vars[k] = m->results[k];
    m = xg_imap_with_results(w->x, m, vars, dot->n_vars);
    return xg_imap_compose(w->x, m, dot->map[dot->operand[0] == operand ? 0 : 1]);
}
/* To the indices of the first dot's operand. */
XG_FN const xg_imap *xg_attention_first_operand(xg_attention_site *w, uint32_t operand) {
    const xg_imap *m =
        xg_attention_inside(w, &w->f->stages[XG_ATTENTION_SCORES], xg_attention_at_exp(w), w->f->match.scores_dot);
    return xg_attention_dot_operand(w, &w->f->dots[0], m, operand);
}
/* To the indices of an operand of dO V, of the backward pass. */
XG_FN const xg_imap *xg_attention_grad_operand(xg_attention_site *w, bool fixed) {
    const xg_attention_back *b = &w->f->back;
    const xg_attention_stage *s = &w->f->stages[b->rows_only ? XG_ATTENTION_DELTA : XG_ATTENTION_WEIGHTS];
    const xg_imap *at = b->rows_only ? xg_attention_at_exp(w) : xg_attention_at_weights(w);
    at = xg_attention_inside(w, s, at, b->match.grad_dot);
    return xg_attention_dot_operand(w, &b->grad, at, fixed ? b->fixed : 1 - b->fixed);
}
/* ---- neighbours in memory ---- */

/* The parameter that a stage's elements come from, moved or computed one by one; *map leads to its indices then. */
XG_FN const xg_inst *xg_attention_source(xg_attention_site *w, const xg_inst *i, const xg_imap **map) {
    while (i->op != XG_PARAMETER) {
        uint32_t k = 0;
        if (!(xg_op_flags(i->op) & XGF_EW) && i->op != XG_BITCAST && i->op != XG_RESHAPE && i->op != XG_TRANSPOSE &&
            i->op != XG_COPY && i->op != XG_BROADCAST && i->op != XG_SLICE)
            return NULL;
        while (k < i->n_operands && XG_OPERAND(i, k)->shape->elements < i->shape->elements) k++;
        if (k == i->n_operands) k = 0;
        if (!i->n_operands) return NULL;
        *map = xg_imap_compose(w->x, *map, xg_indexing_operand(w->x, i, k));
        if (!xg_imap_ok(*map)) return NULL;
        i = XG_OPERAND(i, k);
    }
    return i;
}
/* How far apart in memory neighbours by a number lie; 0: it is not known. */
XG_FN int64_t xg_attention_apart(xg_attention_site *w, const xg_imap *offset, uint32_t number) {
    int64_t stride;
    if (!xg_imap_ok(offset) || !xg_indexing_stride(offset->results[0], xg_aff_dim(w->x, number), &stride)) return 0;
    return stride;
}
XG_FN const xg_imap *xg_attention_stage_map(xg_attention_site *w, xg_attention_part part) {
    const xg_attention_form *f = w->f;
    if (f->back.is && (part == XG_ATTENTION_VALUES || part == XG_ATTENTION_GRAD))
        return xg_attention_grad_operand(w, part == XG_ATTENTION_GRAD);
    if (part == XG_ATTENTION_VALUES) return xg_attention_operand(w, 1 - f->match.weights, true);
    return xg_attention_first_operand(w, part == XG_ATTENTION_QUERY ? f->query : 1 - f->query);
}
/* As many elements as one access moves, if they lie side by side along the third extent. */
XG_FN void xg_attention_lanes(xg_attention_site *w, xg_attention_part part) {
    xg_attention_stage *s = &w->f->stages[part];
    bool fixed = part == XG_ATTENTION_QUERY || part == XG_ATTENTION_GRAD;
    int64_t extent = part == XG_ATTENTION_VALUES || part == XG_ATTENTION_GRAD ? w->f->columns : w->f->depth, lanes;
    const xg_inst *from;
    xg_aff_env env;
    xg_attention_count(w, extent, 1);
    s->map = xg_attention_stage_map(w, part);
    from = xg_attention_source(w, s->root, &s->map);
    if (from && xg_index_has_order(from->shape)) {
        const xg_imap *offset = xg_indexing_flatten(w->x, s->map, from->shape);
        if (w->f->unit != XG_TILE_NO_UNIT && !fixed && xg_tile_is_moved(s->root) && s->root->shape->type == w->f->held)
            w->f->boxes[part - XG_ATTENTION_KEYS] = xg_attention_box_of(w, from, offset);
        int64_t side = xg_attention_apart(w, offset, XG_ATTENTION_VECTOR);
        s->turned = side != 1 && xg_attention_apart(w, offset, fixed ? XG_ATTENTION_ROW : XG_ATTENTION_KEY) == 1;
        lanes = XG_TILE_ACCESS_BYTES / XG_MAX(xg_type_bytes(from->shape->type), (int64_t)1);
        env = xg_imap_env(w->x, offset);
        while (side == 1 && lanes > 1) {
            const xg_aff *rest = xg_aff_sub(w->x, offset->results[0], xg_aff_dim(w->x, XG_ATTENTION_VECTOR));
            if (extent % lanes == 0 && rest && xg_aff_divisor(xg_aff_simplify(&env, rest)) % lanes == 0) break;
            lanes /= 2;
        }
        s->lanes = side == 1 ? lanes : 1;
    }
    xg_attention_count(w, extent, s->lanes);
    s->map = xg_attention_stage_map(w, part);
}

/* ---- types ---- */

/* What is multiplied of an operand, and as which type: what it was converted from, if that keeps its values. */
XG_FN xg_inst *xg_attention_narrow(const xg_inst *dot, uint32_t operand, xlagpu_type *held) {
    xg_inst *o = XG_OPERAND(dot, operand), *narrow = o;
    xlagpu_type t = o->shape->type, rounded = xg_contract_rounding(dot, t);
    while (narrow->op == XG_CONVERT && xg_tile_holds(XG_OPERAND(narrow, 0)->shape->type, narrow->shape->type))
        narrow = XG_OPERAND(narrow, 0);
    *held = rounded;
    if (rounded != t && !xg_tile_holds(narrow->shape->type, rounded)) return o;
    *held = narrow->shape->type;
    return narrow;
}
/* Three bf16 have all bits of an f32 (dot_algorithm.c): products with bf16 are those of f32. Where nothing but rounding
 * to 16 bits follows, two are enough: what they leave out is 2^-17 of each product. */
XG_FN int64_t xg_attention_pieces(
    const xg_inst *dot, xlagpu_type *weights, xlagpu_type other, const xg_device *m, bool rounded) {
    bool may = other == XLAGPU_BF16 ? m->tensor_f16 : other == XLAGPU_F16 && m->tensor_tf32;
    if (*weights != XLAGPU_F32 || !may || xg_inst_attr(dot, XG_A_algorithm)) return 1;
    *weights = other;
    return XG_TILE_PIECES - rounded;
}
XG_FN void xg_attention_types(xg_attention_form *f, const xg_device *m) {
    const xg_attention *a = &f->match;
    xlagpu_type t[4], held[2] = {XLAGPU_INVALID, XLAGPU_INVALID};
    int32_t unit[2];
    int64_t pieces;
    f->stages[XG_ATTENTION_QUERY].root = xg_attention_narrow(a->scores_dot, f->query, &t[0]);
    f->stages[XG_ATTENTION_KEYS].root = xg_attention_narrow(a->scores_dot, 1 - f->query, &t[1]);
    f->stages[XG_ATTENTION_WEIGHTS].root = xg_attention_narrow(a->out_dot, a->weights, &t[2]);
    f->stages[XG_ATTENTION_VALUES].root = xg_attention_narrow(a->out_dot, 1 - a->weights, &t[3]);
    f->unit = XG_TILE_NO_UNIT;
    f->held = f->sum;
    f->pieces[0] = f->pieces[1] = 1;
    if (!m->tensor_f16 || f->sum != XLAGPU_F32) return;
    pieces = xg_attention_pieces(a->out_dot, &t[2], t[3], m, false);
    unit[0] = xg_tile_float_unit(t[0], t[1], m, &held[0]);
    unit[1] = xg_tile_float_unit(t[2], t[3], m, &held[1]);
    if (unit[0] != unit[1] || held[0] != held[1] || (unit[0] != XG_KMMA_F16 && unit[0] != XG_KMMA_BF16)) return;
    f->unit = unit[0];
    f->held = held[0];
    f->pieces[0] = pieces;
}

/* ---- the form ---- */

/* From the second dot's indices to the result's. */
XG_FN const xg_imap *xg_attention_forward(xg_attention_site *w, const xg_imap *map) {
    const xg_inst *i = w->f->match.out_dot;
    while (i != w->f->stages[XG_ATTENTION_RESULT].root) {
        const xg_use *u = i->first_use;
        if (!u || !xg_imap_ok(map)) return xg_imap_undefined(w->x);
        if (!(xg_op_flags(u->user->op) & XGF_EW) && u->user->op != XG_BITCAST && u->user->op != XG_RESHAPE &&
            u->user->op != XG_TRANSPOSE && u->user->op != XG_COPY)
            return xg_imap_undefined(w->x);
        map = xg_imap_compose(w->x, map, xg_indexing_operand_to_output(w->x, u->user, XG_USE_INDEX(u), 0));
        i = u->user;
    }
    return map;
}
/* What a stage asks of maximum and sum is that of the kernel's row. */
XG_FN bool xg_attention_asks_row(xg_attention_site *w, const xg_attention_stage *s) {
    xg_inst *stats[2];
    uint32_t n = xg_attention_stats(&w->f->match, stats), k;
    for (k = 0; k < n; k++)
        if (stats[k] && xg_attention_reached(s, stats[k]) &&
            !xg_imap_equal(xg_attention_inside(w, s, s->map, stats[k]), xg_attention_at_row(w, stats[k])))
            return false;
    return true;
}
XG_FN bool xg_attention_result_map(xg_attention_site *w) {
    xg_attention_stage *s = &w->f->stages[XG_ATTENTION_RESULT];
    const xg_tile_form *dot = &w->f->dots[1];
    const xg_imap *all, *at;
    xg_attention_count(w, w->f->columns, 1);
    all = xg_attention_variables(w, true);
    at = xg_imap_with_results(w->x, all, all->results, dot->rank);
    s->map = xg_attention_forward(w, at);
    return xg_imap_ok(s->map) && !s->map->n_constraints && !s->map->n_syms &&
           xg_imap_equal(xg_attention_inside(w, s, s->map, w->f->match.out_dot), at) && xg_attention_asks_row(w, s);
}
/* Keys are what maximum and sum go along. */
XG_FN bool xg_attention_goes_along(xg_attention_site *w, const xg_inst *stat) {
    const xg_aff *key = xg_aff_dim(w->x, XG_ATTENTION_KEY);
    uint32_t dim, k;
    const xg_imap *at = xg_attention_at_reduced(w, stat, &dim);
    if (!xg_imap_ok(at) || at->n_constraints || at->n_syms + at->n_rts) return false;
    for (k = 0; k < at->n_results && w->f->keys > 1; k++)
        if (k == dim ? at->results[k] != key : xg_aff_uses(at->results[k], key)) return false;
    return XG_OPERAND(stat, 0)->shape->dims[dim] == w->f->keys;
}
XG_FN bool xg_attention_keys_fit(xg_attention_site *w) {
    const xg_attention *a = &w->f->match;
    return xg_attention_goes_along(w, a->max) && (!a->sum || xg_attention_goes_along(w, a->sum));
}
XG_FN bool xg_attention_inner_maps(xg_attention_site *w) {
    xg_attention_form *f = w->f;
    const xg_imap *weights, *source;
    uint32_t k;
    xg_attention_count(w, 1, 1);
    weights = xg_attention_at_weights(w);
    f->stages[XG_ATTENTION_WEIGHTS].map = weights;
    f->stages[XG_ATTENTION_SCORES].map = f->stages[XG_ATTENTION_SHIFT].map = xg_attention_at_exp(w);
    if (!xg_attention_keys_fit(w) || !xg_attention_asks_row(w, &f->stages[XG_ATTENTION_SHIFT])) return false;
    for (k = 0; k < f->match.n_factors; k++) {
        xg_attention_stage *s = &f->stages[XG_ATTENTION_FACTOR0 + k];
        s->map = xg_attention_inside(w, &f->stages[XG_ATTENTION_WEIGHTS], weights, s->root);
        if (!xg_imap_ok(s->map) || !xg_attention_asks_row(w, s)) return false;
        source = xg_imap_compose(w->x, s->map, xg_indexing_operand(w->x, s->root, 0));
        if (!xg_attention_ignores(w, source, XG_ATTENTION_KEY)) return false;
    }
    return true;
}
/* Further results: each row's maximum, or sum. */
XG_FN bool xg_attention_stat_maps(xg_attention_site *w) {
    xg_attention_form *f = w->f;
    const xg_attention *a = &f->match;
    uint32_t k, n = f->comp->root->op == XG_TUPLE ? f->comp->root->n_operands : 1;
    if (n > XG_ATTENTION_STATS + 1) return false;
    for (k = 1; k < n; k++) {
        const xg_inst *stat = xg_attention_root(f->comp, k);
        if (stat != a->max && stat != a->sum) return false;
        f->stats[k - 1] = stat;
        f->stat_map[k - 1] = xg_attention_at_row(w, stat);
        if (!xg_imap_ok(f->stat_map[k - 1])) return false;
    }
    f->n_stats = n - 1;
    return true;
}
XG_FN bool xg_attention_operand_maps(xg_attention_site *w) {
    xg_attention_form *f = w->f;
    xg_attention_count(w, f->depth, 1);
    for (f->query = 0; f->query < 2; f->query++)
        if (xg_attention_ignores(w, xg_attention_first_operand(w, f->query), XG_ATTENTION_KEY) &&
            xg_attention_ignores(w, xg_attention_first_operand(w, 1 - f->query), XG_ATTENTION_ROW))
            break;
    return f->query < 2;
}
XG_FN bool xg_attention_extents(xg_attention_form *f) {
    const xg_tile_form *out = &f->dots[1];
    f->batch = out->group[XG_TILE_B].size;
    f->rows = out->group[xg_attention_role(f, true)].size;
    f->columns = out->group[xg_attention_role(f, false)].size;
    f->keys = out->group[xg_attention_key_role(f)].size;
    f->depth = f->dots[0].group[XG_TILE_K].size;
    f->sum = f->dots[0].sum;
    return f->dots[1].sum == f->sum && (f->sum == XLAGPU_F32 || f->sum == XLAGPU_F64);
}
/* i has the values of `of`, if in other places and rounded. */
XG_FN bool xg_attention_is_of(const xg_inst *i, const xg_inst *of) {
    while (i != of && (i->op == XG_CONVERT || i->op == XG_BROADCAST || xg_attention_moves(i))) i = XG_OPERAND(i, 0);
    return i == of;
}
/* Weights are divided by their sum, or the second dot is, and that is all. */
XG_FN bool xg_attention_is_quotient(const xg_attention_form *f) {
    const xg_attention *a = &f->match;
    const xg_inst *i = f->stages[XG_ATTENTION_RESULT].root;
    if (f->n_stats || !a->sum || a->n_factors > 1) return false;
    if (a->n_factors)
        return a->factors[0].divides && xg_attention_is_of(a->factors[0].of, a->sum) &&
               xg_attention_is_of(i, a->out_dot);
    while (i->op == XG_CONVERT || xg_attention_moves(i)) i = XG_OPERAND(i, 0);
    return i->op == XG_DIVIDE && xg_attention_is_of(XG_OPERAND(i, 0), a->out_dot) &&
           xg_attention_is_of(XG_OPERAND(i, 1), a->sum);
}
/* Scores are the first dot's sums by numbers, and masked: no bias grows along the keys. */
XG_FN bool xg_attention_is_steady(const xg_attention_form *f) {
    const xg_inst *i = f->stages[XG_ATTENTION_SCORES].root, *dot = f->match.scores_dot;
    double v;
    while (i != dot) {
        uint32_t k = i->op == XG_SELECT ? xg_attention_masked(i) : 0;
        if (i->op == XG_SELECT && !xg_attention_constant(XG_OPERAND(i, 3 - k), &v)) return false;
        if (i->op == XG_MULTIPLY || i->op == XG_DIVIDE) {
            k = i->op == XG_MULTIPLY && xg_attention_constant(XG_OPERAND(i, 0), &v);
            if (!xg_attention_constant(XG_OPERAND(i, 1 - k), &v)) return false;
        } else if (i->op != XG_SELECT && i->op != XG_CONVERT && i->op != XG_TANH && !xg_attention_moves(i))
            return false;
        i = XG_OPERAND(i, k);
    }
    return true;
}
XG_FN bool xg_attention_may_be(const xg_comp *c) {
    uint32_t dots = 0, exps = 0;
    XG_FOR_INSTS(i, c) {
        dots += i->op == XG_DOT;
        exps += i->op == XG_EXPONENTIAL;
    }
    return dots == 2 && exps > 0;
}
XG_FN bool xg_attention_form_of(
    xg_attention_form *f, xg_arena *a, xg_aff_ctx *x, const xg_comp *c, const xg_device *m) {
    xg_attention_site w;
    bool found = false;
    uint32_t k;
    memset(f, 0, sizeof *f);
    memset(&w, 0, sizeof w);
    w.f = f;
    w.arena = a;
    w.x = x;
    f->comp = c;
    if (!xg_attention_may_be(c)) return false;
    XG_FOR_INSTS(i, c)
        if (!found && i->op == XG_DOT) found = xg_attention_find(i, &f->match);
    if (!found || xg_inst_is_tf32(f->match.scores_dot) || xg_inst_is_tf32(f->match.out_dot) ||
        !xg_tile_form_of(&f->dots[0], x, f->match.scores_dot) || !xg_tile_form_of(&f->dots[1], x, f->match.out_dot) ||
        !xg_attention_extents(f))
        return false;
    if (!xg_attention_cut_all(&w) || !xg_attention_inner_maps(&w) || !xg_attention_stat_maps(&w) ||
        !xg_attention_result_map(&w) || !xg_attention_operand_maps(&w))
        return false;
    xg_attention_types(f, m);
    for (k = XG_ATTENTION_QUERY; k <= XG_ATTENTION_VALUES; k++) {
        if (!xg_attention_cut(&w, (xg_attention_part)k, f->stages[k].root, NULL, 0)) return false;
        xg_attention_lanes(&w, (xg_attention_part)k);
        if (!xg_imap_ok(f->stages[k].map)) return false;
    }
    xg_attention_bounds(&w);
    xg_attention_find_scale(f);
    f->is_lazy = xg_attention_is_quotient(f) && xg_attention_is_steady(f);
    return true;
}

#endif /* XG_SCHED_ATTENTION_FORM_C */
