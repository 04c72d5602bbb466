/* algsimp/index.c -- rules about gathers, scatters and slices whose places are known. What they promise stands in
 * algsimp.h. */
#ifndef XG_ALGSIMP_INDEX_C
#define XG_ALGSIMP_INDEX_C
#include "algsimp.h"
#include "move.c"

#define RULE(name) XG_FN xg_inst *xg_alg_##name(xg_alg *a, xg_inst *i)
#define P(k) XG_OPERAND(i, k)
#define DIMS(x) (x)->shape->dims
#define RANK(x) (x)->shape->rank

/* ---- gather ---- */

/* Along every dimension windows begin where it is known: all at one place, or each one step further than the one before
 * it. A slice, turned round where it goes down, and repeated along what numbers windows that are the same. A start is
 * clamped; so it is no matter along what windows fill, while what counts must do so inside. */
RULE(gather_known) {
    xg_windows w;
    xg_slice_dim d[XG_RANK_MAX];
    int64_t kept[XG_RANK_MAX], places[XG_RANK_MAX], turned[XG_RANK_MAX];
    bool taken[XG_RANK_MAX] = {false};
    uint32_t k, n = 0, turns = 0;
    xg_inst *x;
    if (i->shape->elements == 0) return NULL;
    w = xg_windows_of(i);
    memset(d, 0, sizeof d); /* gcc does not see that a scalar's is not read */
    for (k = 0; k < RANK(P(0)); k++) {
        int64_t room = DIMS(P(0))[k] - w.size[k], count = 1, last;
        int32_t runs = w.batch[k];
        xg_progression p = {0, 1, -1};
        if (runs < 0) p.step = 0;
        if (w.start[k] >= 0 && room && !xg_progression_of(&w, w.start[k], &p)) return NULL;
        if (p.dim >= 0) runs = p.dim;
        if (runs >= 0) {
            if (taken[runs] || w.size[k] != 1) return NULL;
            taken[runs] = true;
            count = w.counts[runs];
        } else
            p.first = XG_MAX((int64_t)0, XG_MIN(p.first, room));
        last = p.first + (count - 1) * p.step;
        if (p.first > room || last > room) return NULL; /* some are clamped */
        if (p.step < 0) turned[turns++] = k;
        d[k].start = XG_MIN(p.first, last);
        d[k].limit = XG_MAX(p.first, last) + w.size[k];
        d[k].stride = p.step ? XG_MAX(p.step, -p.step) : 1;
        if (runs < 0 && w.inside[k] < 0) continue;
        kept[n] = runs >= 0 ? count : w.size[k];
        places[n++] = runs >= 0 ? (int64_t)w.position[runs] : w.inside[k];
    }
    x = xg_hb_reverse(&a->b, xg_hb_slice(&a->b, P(0), d), turned, turns);
    return xg_hb_broadcast(&a->b, xg_hb_reshape(&a->b, x, kept, n), DIMS(i), RANK(i), places, n);
}

/* ---- windows ---- */

enum {
    XG_ALG_WINDOWS_LEAST = 16 /* of fewer, to choose one takes no longer than to say which it is */
};
/* The slice that a window is, which may have a dimension of 1 more, along which it is joined. */
XG_FN const xg_inst *xg_alg_window(const xg_inst *o, int64_t dim) {
    const xg_inst *s = o->op == XG_RESHAPE ? XG_OPERAND(o, 0) : o;
    int64_t k;
    if (s->op != XG_SLICE || (s != o && (RANK(o) != RANK(s) + 1 || DIMS(o)[dim] != 1))) return NULL;
    for (k = 0; s != o && k < (int64_t)RANK(s); k++)
        if (DIMS(s)[k] != DIMS(o)[k + (k >= dim)]) return NULL;
    return s;
}
/* Of windows that begin in equal steps along one dimension of one array: the first, the dimension and the step. */
XG_FN const xg_inst *xg_alg_windows(const xg_inst *i, int64_t dim, int64_t *along, int64_t *step) {
    const xg_inst *s = xg_alg_window(P(0), dim), *t;
    uint32_t k, j;
    *along = -1;
    *step = 0;
    for (k = 1; s && k < i->n_operands; k++) {
        t = xg_alg_window(P(k), dim);
        if (!t || XG_OPERAND(t, 0) != XG_OPERAND(s, 0) || !xg_dims_equal(P(k)->shape, DIMS(P(0)), RANK(P(0))) ||
            !xg_dims_equal(t->shape, DIMS(s), RANK(s)))
            return NULL;
        for (j = 0; j < RANK(s); j++) {
            const xg_slice_dim *from = &xg_alg_slices(s)[j], *to = &xg_alg_slices(t)[j];
            int64_t moved = to->start - from->start;
            if (k == 1 && *along < 0 && moved) {
                *along = j;
                *step = moved;
            }
            if (from->stride != 1 || to->stride != 1 || moved != (j == *along ? k * *step : 0)) return NULL;
        }
    }
    return *along < 0 ? NULL : s;
}
/* Many of them as a gather: one load at a place that is computed, where each element of a concatenation would be looked
 * for among all parts. */
RULE(concatenate_windows) {
    int64_t dim = xg_attr_dims(i).p[0], n = i->n_operands, offset[XG_RANK_MAX], dims[XG_RANK_MAX + 1], along, step;
    const xg_inst *s = n < XG_ALG_WINDOWS_LEAST ? NULL : xg_alg_windows(i, dim, &along, &step);
    xg_slice_dim d[XG_RANK_MAX];
    xg_inst *in[2], *made;
    uint32_t k;
    if (!s || RANK(s) == XG_RANK_MAX || XG_OPERAND(s, 0)->shape->elements > INT32_MAX) return NULL;
    memcpy(d, xg_alg_slices(s), RANK(s) * sizeof *d);
    d[along].start += XG_MIN(step, (int64_t)0) * (n - 1);
    d[along].limit += XG_MAX(step, (int64_t)0) * (n - 1);
    in[0] = xg_hb_slice(&a->b, XG_OPERAND(s, 0), d);
    in[1] = xg_hb_iota(&a->b, XLAGPU_S32, &n, 1, 0);
    made = xg_hb_int_like(&a->b, in[1], step);
    in[1] = xg_hb_2(&a->b, XG_MULTIPLY, in[1], made);
    made = xg_hb_int_like(&a->b, in[1], XG_MIN(step, (int64_t)0) * (1 - n));
    in[1] = xg_hb_2(&a->b, XG_ADD, in[1], made);
    for (k = 0; k < RANK(s); k++) {
        offset[k] = k + (k >= dim);
        dims[offset[k]] = DIMS(s)[k];
    }
    dims[dim] = n;
    made = xg_hb_op(&a->b, XG_GATHER, xg_hb_shape(&a->b, i->shape->type, dims, k + 1), in, 2);
    xg_inst_set_ints(made, XG_A_offset_dims, offset, k);
    xg_inst_set_ints(made, XG_A_collapsed_slice_dims, offset, 0);
    xg_inst_set_one(made, XG_A_start_index_map, along);
    xg_inst_set_int(made, XG_A_index_vector_dim, 1);
    xg_inst_set_ints(made, XG_A_slice_sizes, DIMS(s), k);
    return xg_hb_reshape(&a->b, made, DIMS(i), RANK(i));
}

/* ---- scatter ---- */

/* What the update and the element before become: the update, or a binary operation of both. */
XG_FN bool xg_alg_combines(const xg_inst *scatter) {
    const xg_comp *c = xg_attr_to_apply(scatter);
    const xg_inst *r = c->root;
    if (r == c->params[1]) return true;
    if (r->n_operands != 2 || !(xg_op_flags(r->op) & XGF_EW) || r->shape->type != scatter->shape->type) return false;
    return (XG_OPERAND(r, 0) == c->params[0] && XG_OPERAND(r, 1) == c->params[1]) ||
           (XG_OPERAND(r, 0) == c->params[1] && XG_OPERAND(r, 1) == c->params[0]);
}
XG_FN xg_inst *xg_alg_combined(xg_alg *a, const xg_inst *scatter, xg_inst *was, xg_inst *update) {
    const xg_comp *c = xg_attr_to_apply(scatter);
    const xg_inst *r = c->root;
    if (r == c->params[1]) return update;
    return XG_OPERAND(r, 0) == c->params[0] ? xg_hb_2(&a->b, r->op, was, update) : xg_hb_2(&a->b, r->op, update, was);
}
/* The box of those sizes written there, where `inside` says so (NULL: it does); else what was there before. */
XG_FN xg_inst *xg_alg_write_box(
    xg_alg *a, const xg_inst *i, xg_inst *u, xg_inst *const *starts, const int64_t *sizes, xg_inst *inside) {
    xg_inst *was = P(0);
    if (inside || xg_attr_to_apply(i)->root != xg_attr_to_apply(i)->params[1])
        was = xg_hb_dynamic_slice(&a->b, P(0), starts, sizes);
    u = xg_alg_combined(a, i, was, u);
    if (inside) u = xg_hb_select(&a->b, xg_hb_splat(&a->b, inside, sizes, RANK(i)), u, was);
    return xg_hb_dynamic_update_slice(&a->b, P(0), u, starts);
}
/* Along every dimension windows begin where it is known, and side by side: they are one box, which goes where the first
 * of them goes, or nowhere. */
RULE(scatter_known) {
    xg_inst *x = P(0), *starts[XG_RANK_MAX], *u;
    xg_windows w;
    int64_t at[XG_RANK_MAX], box[XG_RANK_MAX], perm[XG_RANK_MAX] = {0}, turned[XG_RANK_MAX];
    bool taken[XG_RANK_MAX] = {false}, used[XG_RANK_MAX] = {false}, beyond = false;
    uint32_t k, n = 0, turns = 0;
    if (i->n_operands != 3 || i->shape->elements == 0 || P(2)->shape->elements == 0 ||
        xg_type_class(P(1)->shape->type) != XGT_I || !xg_alg_combines(i))
        return NULL;
    w = xg_windows_of(i);
    for (k = 0; k < RANK(x); k++) {
        int32_t runs = w.batch[k], from = w.inside[k];
        xg_progression p = {0, 1, -1};
        if (w.start[k] >= 0 && !xg_progression_of(&w, w.start[k], &p)) return NULL;
        if (p.dim >= 0) runs = p.dim;
        if (runs >= 0) {
            if (taken[runs] || w.size[k] != 1 || (p.step != 1 && p.step != -1)) return NULL;
            taken[runs] = true;
            from = (int32_t)w.position[runs];
        }
        box[k] = runs >= 0 ? w.counts[runs] : w.size[k];
        at[k] = runs >= 0 && p.step < 0 ? p.first - box[k] + 1 : p.first;
        if (runs >= 0 && p.step < 0) turned[turns++] = k;
        if (at[k] < 0 || at[k] > DIMS(x)[k] - box[k]) {
            if (runs >= 0) return NULL;
            beyond = true;
        } /* some of them, or all */
        else if (at[k] > INT32_MAX)
            return NULL;
        if (from >= 0) {
            perm[n++] = from;
            used[from] = true;
        }
    }
    for (k = 0; k < w.n_positions; k++)
        if (!taken[k] && w.counts[k] != 1) return NULL;
    if (beyond) return x;
    for (k = 0; k < RANK(P(2)); k++)
        if (!used[k]) perm[n++] = k;
    for (k = 0; k < RANK(x); k++) starts[k] = xg_hb_int(&a->b, XLAGPU_S32, at[k]);
    u = xg_hb_reshape(&a->b, xg_hb_transpose(&a->b, P(2), perm), box, RANK(x));
    return xg_alg_write_box(a, i, xg_hb_reverse(&a->b, u, turned, turns), starts, box, NULL);
}
/* One window for the only index vector. */
XG_FN bool xg_alg_one_window(const xg_inst *i, xg_windows *w) {
    uint32_t k;
    if (i->n_operands != 3 || i->shape->elements == 0 || P(2)->shape->elements == 0) return false;
    *w = xg_windows_of(i);
    for (k = 0; k < RANK(i); k++)
        if (w->batch[k] >= 0) return false;
    return w->positions == 1 && xg_type_class(P(1)->shape->type) == XGT_I && xg_alg_combines(i);
}
/* One window at a place that is computed: what lies there, or, if the window is not inside as a whole, would lie there
 * if it were moved inside, is read and written. */
RULE(scatter_window) {
    xg_inst *x = P(0), *flat, *starts[XG_RANK_MAX], *inside = NULL;
    xg_windows w;
    int64_t n = xg_attr_ints(i, XG_A_scatter_dims_to_operand_dims).n;
    uint32_t k, side;
    xlagpu_type t;
    if (n == 0 || !xg_alg_one_window(i, &w)) return NULL;
    for (k = 0; k < RANK(x); k++)
        if (w.size[k] > DIMS(x)[k]) return x;
    for (k = 0; k < RANK(x); k++)
        if (DIMS(x)[k] > INT32_MAX) return NULL; /* not every type of index can say it */
    t = xg_type_bits(P(1)->shape->type) < 32 ? XLAGPU_S32 : P(1)->shape->type;
    flat = xg_hb_convert(&a->b, xg_hb_reshape(&a->b, P(1), &n, 1), t);
    for (k = 0; k < RANK(x); k++) {
        int64_t which = w.start[k];
        if (which < 0) {
            starts[k] = xg_hb_int(&a->b, t, 0);
            continue;
        }
        starts[k] = xg_hb_reshape(&a->b, xg_hb_slice_dim(&a->b, flat, 0, which, which + 1), NULL, 0);
        for (side = 0; side < 2; side++) {
            xg_inst *bound = xg_hb_int(&a->b, t, side ? DIMS(x)[k] - w.size[k] : 0), *within;
            if (!side && !xg_type_signed(t)) continue;
            within = xg_hb_compare(&a->b, side ? "LE" : "GE", starts[k], bound);
            inside = inside ? xg_hb_2(&a->b, XG_AND, inside, within) : within;
        }
    }
    return xg_alg_write_box(a, i, xg_hb_reshape(&a->b, P(2), w.size, RANK(x)), starts, w.size, inside);
}

/* Array x, whose dimension k lies along dimension to[k] of the shape (-1: along none, and is 1), repeated over that
 * shape. */
XG_FN xg_inst *xg_alg_spread(xg_alg *a, xg_inst *x, const int64_t *to, const xg_shape *s) {
    int64_t perm[XG_RANK_MAX], dims[XG_RANK_MAX], places[XG_RANK_MAX];
    uint32_t k, d, n, at = 0;
    for (d = 0; d < s->rank; d++)
        for (k = 0; k < RANK(x); k++)
            if (to[k] == (int64_t)d) {
                places[at] = d;
                dims[at] = DIMS(x)[k];
                perm[at++] = k;
            }
    for (k = 0, n = at; k < RANK(x); k++)
        if (to[k] < 0) perm[n++] = k;
    return xg_hb_broadcast(
        &a->b, xg_hb_reshape(&a->b, xg_hb_transpose(&a->b, x, perm), dims, at), s->dims, s->rank, places, at);
}
/* Of one value everywhere, in each row (of batching dimensions) one element is set, as in the gradient of a loss that
 * picks an element of each row: a comparison of the place with the index, which whoever reads the result makes itself.
 * Windows may be whole along dimensions that no index is for. */
RULE(scatter_one_hot) {
    xg_windows w;
    int64_t batch_of[XG_RANK_MAX], index_to[XG_RANK_MAX], update_to[XG_RANK_MAX], vector;
    xg_inst *indices = P(1), *hit = NULL, *u;
    uint32_t k;
    xlagpu_type t;
    if (i->n_operands != 3 || xg_attr_ints(i, XG_A_input_batching_dims).n == 0 || P(0)->op != XG_BROADCAST ||
        RANK(XG_OPERAND(P(0), 0)) || i->shape->elements == 0 || P(2)->shape->elements == 0)
        return NULL;
    if (xg_type_class(indices->shape->type) != XGT_I || !xg_alg_combines(i)) return NULL;
    w = xg_windows_of(i);
    vector = w.vector_dim;
    for (k = 0; k < w.n_positions; k++) batch_of[k] = -1;
    for (k = 0; k < RANK(i); k++) {
        if (DIMS(i)[k] > INT32_MAX) return NULL;
        if (w.batch[k] >= 0)
            batch_of[w.batch[k]] = k;
        else if (w.size[k] != (w.start[k] >= 0 ? 1 : DIMS(i)[k]))
            return NULL; /* without an index: the first places along it alone */
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
        one = vector < (int64_t)RANK(indices)
                  ? xg_hb_slice_dim(&a->b, indices, (uint32_t)vector, w.start[k], w.start[k] + 1)
                  : indices;
        place = xg_hb_iota(&a->b, t, DIMS(i), RANK(i), k);
        met = xg_hb_compare(&a->b, "EQ", place, xg_alg_spread(a, one, index_to, i->shape));
        hit = hit ? xg_hb_2(&a->b, XG_AND, hit, met) : met;
    }
    if (!hit) return NULL;
    u = xg_alg_combined(a, i, P(0), xg_alg_spread(a, P(2), update_to, i->shape));
    return xg_hb_select(&a->b, hit, u, P(0));
}

/* x + scatter-add(y, ..) is scatter-add(x + y, ..), as XLA has it. y is most often zeros: a table that a model reads
 * twice, as an embedding and as the last matrix, has a gradient of two parts, and then it need not be filled before the
 * scatter and read again after it. An element is the same numbers summed with as many roundings; narrow floats, of
 * which a large one swallows small ones, are left alone. x + 0 stays where it is no x (-0): it is made with x. */
RULE(add_scatter) {
    const xg_comp *sum;
    xg_inst *in[3];
    uint32_t k;
    for (k = 0; k < 2; k++) {
        xg_inst *s = P(k);
        if (s->op != XG_SCATTER || s->n_operands != 3 || s->shape != i->shape || !xg_opt_has_one_user(s) ||
            P(0) == P(1))
            continue;
        sum = xg_attr_to_apply(s);
        if (!xg_reducer_is_sum(sum) || sum->root->shape->type != i->shape->type || i->shape->type == XLAGPU_PRED ||
            xg_reducer_wide(sum, i->shape->type) != XLAGPU_INVALID)
            continue;
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
    if (P(0)->op != XG_REVERSE || !xg_opt_has_one_user(P(0)) || i->shape->elements == 0) return NULL;
    turned = xg_attr_dims(P(0));
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
    if ((s[dim].start || s[dim].stride != 1) &&
        (xg_type_class(i->shape->type) != XGT_I || (uint64_t)DIMS(P(0))[dim] > xg_int_type_max(i->shape->type)))
        return NULL;
    count = xg_hb_iota(&a->b, i->shape->type, DIMS(i), RANK(i), dim);
    if (s[dim].stride != 1) count = xg_hb_2(&a->b, XG_MULTIPLY, count, xg_hb_int_like(&a->b, count, s[dim].stride));
    return s[dim].start ? xg_hb_2(&a->b, XG_ADD, count, xg_hb_int_like(&a->b, count, s[dim].start)) : count;
}
RULE(dynamic_slice_iota) {
    xg_inst *at, *room, *zero;
    int64_t dim, most;
    if (P(0)->op != XG_IOTA || xg_type_class(i->shape->type) != XGT_I || !xg_alg_scalar_starts(i, 1) ||
        i->shape->elements == 0)
        return NULL;
    dim = xg_attr_int(P(0), XG_A_iota_dimension, 0);
    at = P(1 + dim);
    most = DIMS(P(0))[dim] - DIMS(i)[dim];
    if (xg_type_bits(at->shape->type) < 32 || xg_type_bits(i->shape->type) < 32 || most > INT32_MAX) return NULL;
    zero = xg_hb_int(&a->b, at->shape->type, 0);
    room = xg_hb_int(&a->b, at->shape->type, most);
    {
        xg_inst *in[3], *from, *count = xg_hb_iota(&a->b, i->shape->type, DIMS(i), RANK(i), dim);
        in[0] = zero;
        in[1] = at;
        in[2] = room;
        from = xg_hb_convert(&a->b, xg_hb_done(xg_hb_op(&a->b, XG_CLAMP, at->shape, in, 3)), i->shape->type);
        return xg_hb_2(&a->b, XG_ADD, count, xg_hb_splat(&a->b, from, DIMS(i), RANK(i)));
    }
}
#undef RULE
#undef P
#undef DIMS
#undef RANK

#endif /* XG_ALGSIMP_INDEX_C */
