/* emit/transpose_box.c -- transposes by boxes of whole sectors (box.c), and by boxes whose runs begin inside of sectors
 * (skew.c).
 *
 * The record says "walk": "box" or "skewed", with the extents of the "box"; of skewed ones also the "parts" of a
 * cluster. */
#ifndef XG_EMIT_TRANSPOSE_BOX_C
#define XG_EMIT_TRANSPOSE_BOX_C
#include "transpose_tile.c"

enum {
    XG_TRANSPOSE_ROUNDS = 32 /* that become straight code */,
    XG_TRANSPOSE_WORK = 10 /* of an element, which takes longer than its sectors */
};

/* ---- boxes: the plan ---- */

XG_FN xg_box_ask xg_transpose_ask(const xg_transpose *t) {
    xg_fusion_emission *e = t->e;
    int64_t elements = t->heroes.p[0]->shape->elements;
    xg_box_ask ask;
    uint32_t k;
    memset(&ask, 0, sizeof ask);
    ask.p = &t->p;
    ask.work = xg_emit_work(e->comp);
    ask.sms = e->target->sms;
    for (k = 0; k < t->heroes.n; k++) {
        int64_t bytes = xg_transpose_hero_bytes(t, k);
        ask.sizes |= (uint32_t)bytes;
        ask.bytes += bytes;
        ask.widest = XG_MAX(ask.widest, bytes);
        ask.least = k ? XG_MIN(ask.least, bytes) : bytes;
    }
    ask.cluster = elements * ask.least < XG_SKEW_WORTH ? 1 : e->target->cluster;
    for (k = 0; k < e->comp->n_params; k++)
        if (e->comp->params[k]->shape->elements >= elements)
            ask.widest = XG_MAX(ask.widest, (int64_t)xg_type_bytes(e->comp->params[k]->shape->type));
    for (k = 0; k < e->n_roots; k++) ask.widest = XG_MAX(ask.widest, (int64_t)xg_type_bytes(e->roots[k]->shape->type));
    return ask;
}
/* filled: there are tiles of equal sides, which are left only for boxes of whole sectors, or that touch a fifth
 * fewer. */
XG_FN bool xg_transpose_make_box(xg_transpose *t, const xg_box_ask *ask, bool filled, xg_box *box) {
    enum {
        WHOLE_PERMILLE = 2040, /* of the least sectors, both sides together: a box below touches whole ones alone */
        GAIN_PERMILLE = 40,    /* that such a box has to spare */
        FEWER_OF = 5           /* ... any other one a part of this */
    };
    int64_t waste = filled ? xg_transpose_tile_waste(t, ask) : 0;
    memset(box, 0, sizeof *box);
    return xg_box_tile(ask, box) &&
           (!filled ||
               box->waste <= (box->waste < WHOLE_PERMILLE ? waste - GAIN_PERMILLE : waste * (FEWER_OF - 1) / FEWER_OF));
}
/* A box as ordered, or as found; NULL, or why not. */
XG_FN const char *xg_transpose_order_box(xg_transpose *t, const xg_box_ask *ask) {
    const xg_numbers *box = xg_record_get(&t->e->given->form, "box");
    bool found = xg_box_tile(ask, &t->box);
    if (box && (box->n != t->p.rank || !xg_box_set(ask, &t->box, box->p))) return "there is no such box";
    if (!box && !found) return "no box of whole sectors is small enough";
    xg_box_layout(t->e->arena, ask, &t->box);
    return NULL;
}
/* Skewed ones say of how many a cluster is. */
XG_FN void xg_transpose_write_box(const xg_transpose *t) {
    xg_record_put(t->e->arena, &t->e->record->form, "box", t->box.t.extent, t->p.rank);
    xg_form_put(t->e, "parts", t->box.t.parts);
}
XG_FN uint32_t xg_transpose_box_room(const xg_transpose *t, int64_t bytes, int64_t *dims) {
    (void)bytes;
    *dims = t->box.t.room;
    return 1;
}

/* ---- boxes: the walk ---- */

/* Indices within a box, from a number that counts its elements in one order. */
XG_FN void xg_transpose_box_places(const xg_transpose *t, bool result, const xg_aff *element, const xg_aff **place) {
    xg_aff_ctx *x = t->e->m->aff;
    int64_t n = t->box.t.elements;
    uint32_t k;
    memset(place, 0, XG_RANK_MAX * sizeof *place);
    for (k = 0; k < t->p.rank; k++) {
        uint32_t d = xg_box_dim(&t->p, result, k);
        if (t->box.t.extent[d] == 1) continue;
        if (n != t->box.t.elements) element = xg_aff_mod(x, element, n);
        n /= t->box.t.extent[d];
        place[d] = xg_aff_div(x, element, n);
    }
}
/* The place in shared memory, which is in the other order. */
XG_FN const xg_aff *xg_transpose_box_at(const xg_transpose *t, bool result, const xg_aff *element) {
    const xg_aff *place[XG_RANK_MAX];
    xg_transpose_box_places(t, result, element, place);
    return xg_shared_place(t->e->m->aff, &t->box.t, place);
}
/* The indices within a box of thread th_x, by slabs: i counts its turns, in so many times `at_once` rounds as are
 * needed, and j the rounds; *vector: which one that is of its round, *round: which round. */
XG_FN void xg_transpose_slab_places(const xg_transpose *t, bool result, const xg_box_slabs *s, int64_t at_once,
    const xg_aff **vector, const xg_aff **round, const xg_aff **place) {
    xg_aff_ctx *x = t->e->m->aff;
    int64_t v = t->box.v[result], slabs = s->step / s->slab, inner = s->slab * v;
    const xg_aff *turn = at_once < s->rounds ? xg_aff_mod(x, xg_aff_sym(x, 0), s->turns) : xg_aff_sym(x, 0);
    const xg_aff *own = xg_aff_add_mul(x, xg_aff_dim_0(x), turn, XG_LAUNCH_THREADS),
                 *in = slabs > 1 ? xg_aff_mod(x, own, s->slab) : own;
    uint32_t k;
    *vector = own;
    *round = xg_aff_sym(x, 1);
    if (at_once < s->rounds) *round = xg_aff_add_mul(x, *round, xg_aff_div(x, xg_aff_sym(x, 0), s->turns), at_once);
    memset(place, 0, XG_RANK_MAX * sizeof *place);
    for (k = 0; k < t->p.rank; k++) {
        uint32_t d = xg_box_dim(&t->p, result, k);
        if (t->box.t.extent[d] == 1) continue;
        if (d == s->along)
            place[d] = xg_aff_add_mul(x, slabs > 1 ? xg_aff_div(x, own, s->slab) : xg_aff_const(x, 0), *round, slabs);
        else {
            const xg_aff *at = xg_aff_mul(x, in, v);
            if (inner != s->slab * v) at = xg_aff_mod(x, at, inner);
            inner /= t->box.t.extent[d];
            place[d] = xg_aff_div(x, at, inner);
        }
    }
}
/* (th_x, bl_x)[i, j] -> which vector of the array, and its place in shared memory: counted in vectors where it is one
 * there, too. */
XG_FN const xg_imap *xg_transpose_slab_map(xg_transpose *t, bool result, const xg_shape *shape) {
    xg_aff_ctx *x = t->e->m->aff;
    int64_t v = t->box.v[result];
    xg_box_slabs s = xg_box_slabs_of(&t->p, &t->box, result, v);
    int64_t times = (s.rounds + XG_TRANSPOSE_ROUNDS - 1) / XG_TRANSPOSE_ROUNDS,
            at_once = (s.rounds + times - 1) / times;
    const xg_aff *vector, *round, *place[XG_RANK_MAX], *at, *both[2];
    const xg_imap *m;
    xg_imap *walk;
    xg_transpose_slab_places(t, result, &s, at_once, &vector, &round, place);
    walk = xg_transpose_canonical(t, place, 1, s.turns * times, result);
    walk->syms[1].range = xg_range_of(0, at_once - 1);
    m = xg_imap_simplify(x, walk);
    if (s.step % XG_LAUNCH_THREADS) m = xg_imap_with_constraint(x, m, vector, xg_range_of(0, s.step - 1));
    if (t->box.t.elements / v % s.step || times * at_once != s.rounds)
        m = xg_imap_with_constraint(
            x, m, xg_aff_add_mul(x, vector, round, s.step), xg_range_of(0, t->box.t.elements / v - 1));
    at = xg_shared_place(x, &t->box.t, place);
    m = xg_indexing_flatten(x, m, xg_permutation_shape(t->e, &t->p, result, shape));
    if (!xg_imap_ok(m)) return m;
    both[0] = xg_aff_div(x, m->results[0], v);
    both[1] = t->box.whole[result] ? xg_aff_div(x, at, v) : at;
    return xg_imap_with_results(x, m, both, 2);
}
/* (th_x, bl_x)[i] -> which vector of the array, and which of the box. With all lanes at work element V * (th_x + 128 *
 * i) of the box in this order is its first. */
XG_FN const xg_imap *xg_transpose_box_map(xg_transpose *t, bool result, const xg_shape *shape) {
    xg_aff_ctx *x = t->e->m->aff;
    int64_t v = t->box.v[result], group = t->box.group, lanes = t->box.lanes[result], vectors = t->box.t.elements / v,
            step = lanes * (XG_LAUNCH_THREADS / group), rounds = (vectors + step - 1) / step;
    const xg_aff *thread = xg_aff_dim_0(x), *lane = xg_aff_mod(x, thread, group), *vector, *place[XG_RANK_MAX],
                 *both[2];
    const xg_imap *m;
    if (t->box.slabs[result]) return xg_transpose_slab_map(t, result, shape);
    if (lanes != group) thread = xg_aff_add_mul(x, lane, xg_aff_div(x, thread, group), lanes);
    vector = xg_aff_add_mul(x, thread, xg_aff_sym(x, 0), step);
    xg_transpose_box_places(t, result, xg_aff_mul(x, vector, v), place);
    m = xg_imap_simplify(x, xg_transpose_canonical(t, place, 1, rounds, result));
    if (vectors % step) m = xg_imap_with_constraint(x, m, vector, xg_range_of(0, vectors - 1));
    if (lanes != group) m = xg_imap_with_constraint(x, m, lane, xg_range_of(0, lanes - 1));
    m = xg_indexing_flatten(x, m, xg_permutation_shape(t->e, &t->p, result, shape));
    if (!xg_imap_ok(m)) return m;
    both[0] = xg_aff_div(x, m->results[0], v);
    both[1] = vector;
    return xg_imap_with_results(x, m, both, 2);
}
/* What a walk's second result runs through. */
XG_FN xg_range xg_transpose_box_range(const xg_transpose *t, bool result) {
    int64_t v = t->box.v[result];
    if (!t->box.slabs[result]) return xg_range_of(0, t->box.t.elements / v - 1);
    return xg_range_of(0, t->box.whole[result] ? t->box.t.room / v - 1 : t->box.t.room - 1);
}
/* (vector of the array, of the box)[j] -> indices of `shape`, and the place in shared memory. */
XG_FN const xg_imap *xg_transpose_box_vector(xg_transpose *t, bool result, const xg_shape *shape) {
    xg_aff_ctx *x = t->e->m->aff;
    int64_t v = t->box.v[result];
    xg_imap *m = xg_imap_new(x, 2, 1, 0, 1, 0);
    const xg_aff *element = xg_aff_add_dim(x, xg_aff_sym(x, 0), 1, v), *at;
    uint32_t minor = t->p.rank - 1;
    xg_aff_env env;
    m->dims[0].range = xg_range_of(0, shape->elements / v - 1);
    m->dims[1].range = xg_transpose_box_range(t, result);
    xg_imap_counts(&m->syms[0], "v", v);
    m->results[0] = xg_aff_add_dim(x, xg_aff_sym(x, 0), 0, v);
    env = xg_imap_env(x, m);
    while (t->box.t.extent[xg_box_dim(&t->p, result, minor)] == 1) minor--;
    if (t->box.slabs[result])
        at = t->box.whole[result] ? element
                                  : xg_aff_add_mul(x, xg_aff_dim_1(x), xg_aff_sym(x, 0),
                                        t->box.t.stride[xg_box_dim(&t->p, result, minor)]);
    else if (t->box.order == (uint32_t)result && !t->box.spread)
        at = xg_aff_add_mul(x, element, xg_aff_div_in(&env, element, t->box.row), t->box.pad);
    else
        at = xg_transpose_box_at(t, result, element);
    return xg_transpose_append(t, xg_imap_compose(x, xg_imap_simplify(x, m), xg_indexing_delinear(x, shape)), &at, 1);
}
/* The loop over the map gives vectors of the array and of the box. */
XG_FN void xg_transpose_box_elements(xg_transpose_walk *w, xg_kval *in) {
    xg_kval *at[2];
    at[0] = in;
    at[1] = in + 1;
    xg_kval_set_range(at[0], xg_range_of(0, w->shape->elements / w->t->box.v[w->result] - 1));
    xg_kval_set_range(at[1], xg_transpose_box_range(w->t, w->result));
    xg_transpose_elements(w, xg_transpose_box_vector(w->t, w->result, w->shape), at);
}

/* ---- skewed boxes: the plan ---- */

XG_ONE_COPY XG_FN bool xg_transpose_find_skewed(
    const xg_transpose *t, const xg_box_ask *ask, int64_t idle, xg_box *box) {
    return xg_skew_make(ask, t->e->target->shared / 2 - XG_SKEW_REST, ask->sms / 8, idle, box);
}
/* Fewer sectors are touched, by a fifth if so much is computed, or in a small array so many lanes stay idle, that it is
 * not they that take the time; and an eighth of the multiprocessors have a block. What is small and has a box keeps it:
 * fewer instructions count for more. A box whose walks meet banks twice is left for what is no worse. */
XG_FN bool xg_transpose_make_skewed(xg_transpose *t, const xg_box_ask *ask, const xg_box *box) {
    bool worth = t->heroes.p[0]->shape->elements * ask->least >= XG_SKEW_WORTH;
    enum {
        SPARE_PERMILLE = 20, /* of the least sectors: what a skewed box has to gain where sectors are what counts */
        FEWER_OF = 5         /* ... else a part of this */
    };
    int64_t waste = box ? box->waste : xg_transpose_tile_waste(t, ask), fewer = waste * (FEWER_OF - 1) / FEWER_OF,
            most = ask->work < XG_TRANSPOSE_WORK ? waste - SPARE_PERMILLE : fewer, idle = worth ? most : fewer;
    xg_box skewed;
    if (box && !worth) return false;
    if (box && box->meets) most = idle = waste;
    if (!xg_transpose_find_skewed(t, ask, idle, &skewed)) return false;
    if (skewed.waste > (xg_skew_idles(&skewed) ? idle : most)) return false;
    t->box = skewed;
    return true;
}
/* There are two at most: one in which all lanes work, and one of fewer sectors in which some may not. */
XG_FN const char *xg_transpose_order_skew(xg_transpose *t, const xg_box_ask *ask) {
    const xg_numbers *box = xg_record_get(&t->e->given->form, "box");
    uint32_t k;
    for (k = 0; k < 2; k++) {
        if (!xg_transpose_find_skewed(t, ask, k ? 0 : INT64_MAX, &t->box)) continue;
        if (!box || (box->n == t->p.rank && memcmp(box->p, t->box.t.extent, box->n * sizeof *box->p) == 0)) return NULL;
    }
    return box ? "there is no such skewed box" : "it has no runs that a skewed box would enter at whole sectors";
}

/* ---- skewed boxes: the walk ---- */

XG_FN const xg_imap *xg_transpose_skew_map(xg_transpose *t, bool result, const xg_shape *shape) {
    (void)shape;
    return xg_skew_begin_map(t->e->m->aff, &t->p, &t->box, result);
}
/* The elements of a phase of the walk: a loop that gives each, and within it one that tells its index and its place.
 * where: what the loop over the map gives. */
XG_FN void xg_transpose_skew_phase(xg_transpose_walk *w, const xg_skew_span *span, xg_kval *where) {
    xg_transpose *t = w->t;
    const xg_box *box = &t->box;
    xg_aff_ctx *x = t->e->m->aff;
    int64_t elements = w->shape->elements;
    uint32_t known = span->peers ? XG_SKEW_WHERE : XG_SKEW_WHERE - 1, k;
    xg_imap *m = xg_imap_new(x, known, 1, 0, 1, 0);
    xg_kval *at[XG_SKEW_VALUES], *in;
    xg_flow outer, inner;
    const xg_aff *place[2];
    const xg_imap *each;
    for (k = 0; k < xg_skew_values(box, w->result); k++)
        xg_kval_set_range(at[k] = where + k, xg_skew_begin_range(&t->p, box, w->result, elements, k));
    in = xg_transpose_inside(w, &outer, xg_skew_map(x, &t->p, box, w->result, span, elements), at);
    for (k = 0; k < known; k++)
        xg_kval_set_range(at[k] = in + k, m->dims[k].range = xg_skew_range(box, w->result, span, elements, k));
    xg_imap_counts(&m->syms[0], "v", 1);
    m->results[0] = xg_aff_dim_0(x);
    xg_skew_place(x, &t->p, box, w->result, span, place);
    each = xg_imap_compose(x, xg_imap_simplify(x, m), xg_indexing_delinear(x, w->shape));
    in = xg_transpose_inside(w, &inner, xg_transpose_append(t, each, place, span->peers ? 2 : 1), at);
    w->rank = span->peers ? in + w->shape->rank + 1 : NULL;
    xg_transpose_element(w, in);
    xg_flow_end(&inner);
    xg_flow_end(&outer);
}
XG_FN void xg_transpose_skew_elements(xg_transpose_walk *w, xg_kval *in) {
    xg_skew_span span[2];
    uint32_t spans = xg_skew_spans(&w->t->box, w->result, span), k;
    for (k = 0; k < spans; k++) xg_transpose_skew_phase(w, &span[k], in);
}

#endif /* XG_EMIT_TRANSPOSE_BOX_C */
