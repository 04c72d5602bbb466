/* opt/algsimp_index.c -- rules about gathers, scatters and slices whose places are known. What they promise stands in algsimp.h. */
#ifndef XG_OPT_ALGSIMP_INDEX_C
#define XG_OPT_ALGSIMP_INDEX_C
#include "algsimp.h"

#define RULE(name) XG_FN xg_inst *xg_alg_##name(xg_alg *a, xg_inst *i)
#define P(k) XG_OPERAND(i, k)
#define DIMS(x) (x)->shape->dims
#define RANK(x) (x)->shape->rank

enum { XG_ALG_INDICES = 4096 };

/* ---- gather ---- */

/* The slices are as large as the operand along all dimensions that indices are for: wherever one says to begin, it is clamped to the beginning. */
RULE(gather_whole) {
    xg_windows w;
    xg_slice_dim d[XG_RANK_MAX];
    int64_t kept[XG_RANK_MAX], places[XG_RANK_MAX];
    uint32_t k, n = 0;
    if (i->shape->elements == 0) return NULL;
    w = xg_windows_of(i);
    for (k = 0; k < RANK(P(0)); k++) {
        if (w.start[k] >= 0 && w.size[k] != DIMS(P(0))[k]) return NULL;
        d[k].start = 0; d[k].stride = 1; d[k].limit = w.batch[k] >= 0 ? DIMS(P(0))[k] : w.size[k];
        if (w.batch[k] < 0 && w.inside[k] < 0) continue;
        kept[n] = d[k].limit;
        places[n++] = w.batch[k] >= 0 ? (int64_t)w.position[w.batch[k]] : w.inside[k];
    }
    return xg_hb_broadcast(&a->b, xg_hb_reshape(&a->b, xg_hb_slice(&a->b, P(0), d), kept, n), DIMS(i), RANK(i), places, n);
}

/* The numbers of an array with one dimension that is not 1, in order: first, first + step, ... Numbers that wrapped are none. */
XG_FN bool xg_alg_progression(const xg_inst *x, int64_t *first, int64_t *step) {
    const xg_inst *c;
    int64_t k, v, last = 0, f, s;
    uint32_t side;
    if (xg_type_class(x->shape->type) != XGT_I || x->shape->elements < 2 || x->shape->elements > INT32_MAX) return false;
    switch (x->op) {
    case XG_RESHAPE: return xg_alg_progression(XG_OPERAND(x, 0), first, step);
    case XG_IOTA:
        *first = 0;
        *step = 1;
        return x->shape->dims[xg_attr_int(x, XG_A_iota_dimension, 0)] == x->shape->elements;
    case XG_CONSTANT:
        if (x->literal->elided || x->shape->elements > XG_ALG_INDICES) return false;
        for (k = 0; k < x->shape->elements; k++, last = v) {
            if (!xg_literal_get_int(x->literal, k, &v) || v < 0 || v > INT32_MAX) return false;
            if (k == 0) *first = v;
            if (k == 1) *step = v - last;
            if (k > 1 && v - last != *step) return false;
        }
        return true;
    case XG_ADD: case XG_MULTIPLY:
        for (side = 0; side < 2; side++) {
            c = xg_alg_scalar(XG_OPERAND(x, 1 - side));
            if (!c || !xg_literal_get_int(c->literal, 0, &v) || v < 0 || v > INT32_MAX || !xg_alg_progression(XG_OPERAND(x, side), &f, &s)) continue;
            if (x->op == XG_ADD ? !xg_add64(f, v, &f) : !xg_mul64(f, v, &f) || !xg_mul64(s, v, &s)) return false;
            if (!xg_mul64(s, x->shape->elements - 1, &last) || !xg_add64(last, f, &last)) return false;
            if (f < 0 || last < 0 || f > (int64_t)XG_MIN(xg_int_type_max(x->shape->type), (uint64_t)INT64_MAX) || last > (int64_t)XG_MIN(xg_int_type_max(x->shape->type), (uint64_t)INT64_MAX)) return false;
            *first = f;
            *step = s;
            return true;
        }
        return false;
    default: return false;
    }
}
/* Single places along one dimension, at equal distances: a slice, turned round where they go down. */
RULE(gather_progression) {
    xg_windows w;
    xg_inst *x = P(0), *cut;
    xg_slice_dim d[XG_RANK_MAX];
    int64_t dim = -1, first, step, last, perm[XG_RANK_MAX], seen[XG_RANK_MAX];
    uint32_t k, j, n = 0;
    if (a->layouts || i->shape->elements == 0 || xg_attr_ints(i, XG_A_start_index_map).n != 1) return NULL;
    w = xg_windows_of(i);
    for (k = 0; k < RANK(x); k++) {
        if (w.batch[k] >= 0) return NULL;
        if (w.start[k] >= 0) dim = k;
        d[k].start = 0; d[k].stride = 1; d[k].limit = w.size[k];
    }
    for (k = 1; k < w.n_positions; k++) if (w.position[k] != w.position[0] + k) return NULL;
    if (w.n_positions == 0 || w.size[dim] != 1 || !xg_alg_progression(P(1), &first, &step) || step == 0) return NULL;
    last = first + step * (P(1)->shape->elements - 1);
    if (first < 0 || last < 0 || first >= DIMS(x)[dim] || last >= DIMS(x)[dim]) return NULL; /* some are clamped */
    d[dim].start = XG_MIN(first, last);
    d[dim].limit = XG_MAX(first, last) + 1;
    d[dim].stride = step < 0 ? -step : step;
    cut = xg_hb_slice(&a->b, x, d);
    if (step < 0) cut = xg_hb_reverse(&a->b, cut, &dim, 1);
    for (k = 0; k < RANK(x); k++) seen[k] = 0;
    for (k = 0; k < RANK(i); k++) { /* in the order of the result: where the positions are, the dimension, and the others; of those that are not there each is 1 */
        for (j = 0; j < RANK(x) && (k == w.position[0] ? (int64_t)j != dim : w.inside[j] != (int32_t)k || (int64_t)j == dim); j++) {}
        if (j < RANK(x) && !seen[j]) { perm[n++] = j; seen[j] = 1; }
    }
    for (k = 0; k < RANK(x); k++) if (!seen[k]) perm[n++] = k;
    return xg_hb_reshape(&a->b, xg_hb_transpose(&a->b, cut, perm), DIMS(i), RANK(i));
}

/* ---- scatter ---- */

/* What the update and the element before become: the update, or a binary operation of both. */
XG_FN bool xg_alg_combines(const xg_inst *scatter) {
    const xg_comp *c = xg_attr_comp(scatter, XG_A_to_apply);
    const xg_inst *r = c->root;
    if (r == c->params[1]) return true;
    if (r->n_operands != 2 || !(xg_op_flags(r->op) & XGF_EW) || r->shape->type != scatter->shape->type) return false;
    return (XG_OPERAND(r, 0) == c->params[0] && XG_OPERAND(r, 1) == c->params[1]) || (XG_OPERAND(r, 0) == c->params[1] && XG_OPERAND(r, 1) == c->params[0]);
}
XG_FN xg_inst *xg_alg_combined(xg_alg *a, const xg_inst *scatter, xg_inst *was, xg_inst *update) {
    const xg_comp *c = xg_attr_comp(scatter, XG_A_to_apply);
    const xg_inst *r = c->root;
    if (r == c->params[1]) return update;
    return XG_OPERAND(r, 0) == c->params[0] ? xg_hb_2(&a->b, r->op, was, update) : xg_hb_2(&a->b, r->op, update, was);
}
/* One window for the only index vector. */
XG_FN bool xg_alg_one_window(const xg_inst *i, xg_windows *w) {
    uint32_t k;
    if (i->n_operands != 3 || i->shape->elements == 0 || P(2)->shape->elements == 0) return false;
    *w = xg_windows_of(i);
    for (k = 0; k < RANK(i); k++) if (w->batch[k] >= 0) return false;
    return w->positions == 1 && xg_type_class(P(1)->shape->type) == XGT_I && xg_alg_combines(i);
}
/* That window written there, where `inside` says so (NULL: it does); else what was there before. */
XG_FN xg_inst *xg_alg_write_window(xg_alg *a, const xg_inst *i, xg_inst *const *starts, const int64_t *sizes, xg_inst *inside) {
    const xg_comp *c = xg_attr_comp(i, XG_A_to_apply);
    xg_inst *u = xg_hb_reshape(&a->b, P(2), sizes, RANK(i)), *was = P(0);
    if (inside || c->root != c->params[1]) was = xg_hb_dynamic_slice(&a->b, P(0), starts, sizes);
    u = xg_alg_combined(a, i, was, u);
    if (inside) u = xg_hb_select(&a->b, xg_hb_splat(&a->b, inside, sizes, RANK(i)), u, was);
    return xg_hb_dynamic_update_slice(&a->b, P(0), u, starts);
}
/* One window at a place that is known: a dynamic-update-slice there, or nothing where it does not lie inside as a whole. */
RULE(scatter_one) {
    xg_inst *x = P(0), *starts[XG_RANK_MAX];
    const xg_inst *c = P(1)->op == XG_CONSTANT ? P(1) : P(1)->op == XG_BROADCAST ? xg_alg_scalar(P(1)) : NULL;
    xg_windows w;
    int64_t at[XG_RANK_MAX];
    uint32_t k;
    if (!c || c->literal->elided || !xg_alg_one_window(i, &w)) return NULL;
    for (k = 0; k < RANK(x); k++) {
        at[k] = 0;
        if (w.start[k] >= 0 && !xg_literal_get_int(c->literal, c == P(1) ? w.start[k] : 0, &at[k])) return NULL;
        if (at[k] < 0 || at[k] > DIMS(x)[k] - w.size[k]) return x; /* as a number without sign it is beyond, too */
    }
    for (k = 0; k < RANK(x); k++) if (at[k] > INT32_MAX) return NULL;
    for (k = 0; k < RANK(x); k++) starts[k] = xg_hb_int(&a->b, XLAGPU_S32, at[k]);
    return xg_alg_write_window(a, i, starts, w.size, NULL);
}
/* One window at a place that is computed: what lies there, or, if the window is not inside as a whole, would lie there if it were moved inside, is read and written. */
RULE(scatter_window) {
    xg_inst *x = P(0), *flat, *starts[XG_RANK_MAX], *inside = NULL;
    xg_windows w;
    int64_t n = xg_attr_ints(i, XG_A_scatter_dims_to_operand_dims).n;
    uint32_t k, side;
    xlagpu_type t;
    if (n == 0 || !xg_alg_one_window(i, &w)) return NULL;
    for (k = 0; k < RANK(x); k++) if (w.size[k] > DIMS(x)[k]) return x;
    for (k = 0; k < RANK(x); k++) if (DIMS(x)[k] > INT32_MAX) return NULL; /* not every type of index can say it */
    t = xg_type_bits(P(1)->shape->type) < 32 ? XLAGPU_S32 : P(1)->shape->type;
    flat = xg_hb_convert(&a->b, xg_hb_reshape(&a->b, P(1), &n, 1), t);
    for (k = 0; k < RANK(x); k++) {
        int64_t which = w.start[k];
        if (which < 0) { starts[k] = xg_hb_int(&a->b, t, 0); continue; }
        starts[k] = xg_hb_reshape(&a->b, xg_hb_slice_dim(&a->b, flat, 0, which, which + 1), NULL, 0);
        for (side = 0; side < 2; side++) {
            xg_inst *bound = xg_hb_int(&a->b, t, side ? DIMS(x)[k] - w.size[k] : 0), *within;
            if (!side && !xg_type_signed(t)) continue;
            within = xg_hb_compare(&a->b, side ? "LE" : "GE", starts[k], bound);
            inside = inside ? xg_hb_2(&a->b, XG_AND, inside, within) : within;
        }
    }
    return xg_alg_write_window(a, i, starts, w.size, inside);
}

/* Array x, whose dimension k lies along dimension to[k] of the shape (-1: along none, and is 1), repeated over that shape. */
XG_FN xg_inst *xg_alg_spread(xg_alg *a, xg_inst *x, const int64_t *to, const xg_shape *s) {
    int64_t perm[XG_RANK_MAX], dims[XG_RANK_MAX], places[XG_RANK_MAX];
    uint32_t k, d, n, at = 0;
    for (d = 0; d < s->rank; d++) for (k = 0; k < RANK(x); k++) if (to[k] == (int64_t)d) { places[at] = d; dims[at] = DIMS(x)[k]; perm[at++] = k; }
    for (k = 0, n = at; k < RANK(x); k++) if (to[k] < 0) perm[n++] = k;
    return xg_hb_broadcast(&a->b, xg_hb_reshape(&a->b, xg_hb_transpose(&a->b, x, perm), dims, at), s->dims, s->rank, places, at);
}
/* Of one value everywhere, in each row (of batching dimensions) one element is set, as in the gradient of a loss that picks an element of each row: a comparison of the place
 * with the index, which whoever reads the result makes itself. Windows may be whole along dimensions that no index is for. */
RULE(scatter_one_hot) {
    xg_windows w;
    int64_t batch_of[XG_RANK_MAX], index_to[XG_RANK_MAX], update_to[XG_RANK_MAX], vector;
    xg_inst *indices = P(1), *hit = NULL, *u;
    uint32_t k;
    xlagpu_type t;
    if (i->n_operands != 3 || xg_attr_ints(i, XG_A_input_batching_dims).n == 0 || P(0)->op != XG_BROADCAST || RANK(XG_OPERAND(P(0), 0)) || i->shape->elements == 0 || P(2)->shape->elements == 0) return NULL;
    if (xg_type_class(indices->shape->type) != XGT_I || !xg_alg_combines(i)) return NULL;
    w = xg_windows_of(i);
    vector = w.vector_dim;
    for (k = 0; k < w.n_positions; k++) batch_of[k] = -1;
    for (k = 0; k < RANK(i); k++) {
        if (DIMS(i)[k] > INT32_MAX) return NULL;
        if (w.batch[k] >= 0) batch_of[w.batch[k]] = k;
        else if (w.size[k] != (w.start[k] >= 0 ? 1 : DIMS(i)[k])) return NULL; /* without an index: the first places along it alone */
        if (w.inside[k] >= 0) update_to[w.inside[k]] = w.start[k] >= 0 ? -1 : (int64_t)k;
    }
    for (k = 0; k < RANK(indices); k++) index_to[k] = -1;
    for (k = 0; k < w.n_positions; k++) { /* one index vector for each place along the batching dimensions */
        if (batch_of[k] < 0 && w.counts[k] != 1) return NULL;
        index_to[w.place[k]] = update_to[w.position[k]] = batch_of[k];
    }
    t = xg_type_bits(indices->shape->type) < 32 ? XLAGPU_S32 : indices->shape->type;
    indices = xg_hb_convert(&a->b, indices, t);
    for (k = 0; k < RANK(i); k++) {
        xg_inst *one, *place, *met;
        if (w.start[k] < 0) continue;
        one = vector < (int64_t)RANK(indices) ? xg_hb_slice_dim(&a->b, indices, (uint32_t)vector, w.start[k], w.start[k] + 1) : indices;
        place = xg_hb_iota(&a->b, t, DIMS(i), RANK(i), k);
        met = xg_hb_compare(&a->b, "EQ", place, xg_alg_spread(a, one, index_to, i->shape));
        hit = hit ? xg_hb_2(&a->b, XG_AND, hit, met) : met;
    }
    if (!hit) return NULL;
    u = xg_alg_combined(a, i, P(0), xg_alg_spread(a, P(2), update_to, i->shape));
    return xg_hb_select(&a->b, hit, u, P(0));
}

/* x + scatter-add(y, ..) is scatter-add(x + y, ..), as XLA has it. y is most often zeros: a table that a model reads twice, as an embedding and as the last matrix, has a gradient
 * of two parts, and then it need not be filled before the scatter and read again after it. An element is the same numbers summed with as many roundings; narrow floats, of which a
 * large one swallows small ones, are left alone. x + 0 stays where it is no x (-0): it is made with x. */
RULE(add_scatter) {
    const xg_comp *sum;
    xg_inst *in[3];
    uint32_t k;
    for (k = 0; k < 2; k++) {
        xg_inst *s = P(k);
        if (s->op != XG_SCATTER || s->n_operands != 3 || s->shape != i->shape || !xg_alg_one_user(s) || P(0) == P(1)) continue;
        sum = xg_attr_comp(s, XG_A_to_apply);
        if (!xg_reducer_is_sum(sum) || sum->root->shape->type != i->shape->type || i->shape->type == XLAGPU_PRED || xg_reducer_wide(sum, i->shape->type) != XLAGPU_INVALID) continue;
        in[0] = xg_hb_2(&a->b, XG_ADD, xg_alg_other(i, k), XG_OPERAND(s, 0));
        in[1] = XG_OPERAND(s, 1);
        in[2] = XG_OPERAND(s, 2);
        return xg_inst_clone(s, i->comp, in, i);
    }
    return NULL;
}

/* ---- slices ---- */

XG_FN const xg_slice_dim *xg_alg_slice_dims(const xg_inst *i) { return xg_inst_attr(i, XG_A_slice)->v.slices->p; }
RULE(slice_reverse) { /* the other end, turned round: less to turn */
    const xg_slice_dim *s = xg_alg_slice_dims(i);
    xg_ints turned;
    xg_slice_dim d[XG_RANK_MAX];
    uint32_t k;
    if (P(0)->op != XG_REVERSE || !xg_alg_one_user(P(0)) || i->shape->elements == 0) return NULL;
    turned = xg_attr_ints(P(0), XG_A_dimensions);
    memcpy(d, s, RANK(i) * sizeof *d);
    for (k = 0; k < turned.n; k++) {
        int64_t dim = turned.p[k], n = DIMS(P(0))[dim], last = s[dim].start + (DIMS(i)[dim] - 1) * s[dim].stride;
        d[dim].start = n - 1 - last;
        d[dim].limit = n - s[dim].start;
    }
    return xg_hb_reverse(&a->b, xg_hb_slice(&a->b, XG_OPERAND(P(0), 0), d), turned.p, turned.n);
}
/* Of numbers that count: a shorter count, from elsewhere and by other steps where that is no rounding. */
RULE(slice_iota) {
    const xg_slice_dim *s = xg_alg_slice_dims(i);
    xg_inst *count;
    int64_t dim;
    if (P(0)->op != XG_IOTA || i->shape->elements == 0) return NULL;
    dim = xg_attr_int(P(0), XG_A_iota_dimension, 0);
    if ((s[dim].start || s[dim].stride != 1) && (xg_type_class(i->shape->type) != XGT_I || (uint64_t)DIMS(P(0))[dim] > xg_int_type_max(i->shape->type))) return NULL;
    count = xg_hb_iota(&a->b, i->shape->type, DIMS(i), RANK(i), dim);
    if (s[dim].stride != 1) count = xg_hb_2(&a->b, XG_MULTIPLY, count, xg_hb_int_like(&a->b, count, s[dim].stride));
    return s[dim].start ? xg_hb_2(&a->b, XG_ADD, count, xg_hb_int_like(&a->b, count, s[dim].start)) : count;
}
RULE(dynamic_slice_iota) {
    xg_inst *at, *room, *zero;
    int64_t dim, most;
    if (P(0)->op != XG_IOTA || xg_type_class(i->shape->type) != XGT_I || !xg_alg_scalar_starts(i, 1) || i->shape->elements == 0) return NULL;
    dim = xg_attr_int(P(0), XG_A_iota_dimension, 0);
    at = P(1 + dim);
    most = DIMS(P(0))[dim] - DIMS(i)[dim];
    if (xg_type_bits(at->shape->type) < 32 || xg_type_bits(i->shape->type) < 32 || most > INT32_MAX) return NULL;
    zero = xg_hb_int(&a->b, at->shape->type, 0);
    room = xg_hb_int(&a->b, at->shape->type, most);
    {
        xg_inst *in[3], *from, *count = xg_hb_iota(&a->b, i->shape->type, DIMS(i), RANK(i), dim);
        in[0] = zero; in[1] = at; in[2] = room;
        from = xg_hb_convert(&a->b, xg_hb_done(xg_hb_op(&a->b, XG_CLAMP, at->shape, in, 3)), i->shape->type);
        return xg_hb_2(&a->b, XG_ADD, count, xg_hb_splat(&a->b, from, DIMS(i), RANK(i)));
    }
}
#undef RULE
#undef P
#undef DIMS
#undef RANK

#endif /* XG_OPT_ALGSIMP_INDEX_C */
