/* emit/transpose.c -- fusions whose hero moves the minor dimension: through shared memory, so that reads and writes are
 * both coalesced.
 *
 * The heroes are transposes and copies between layouts. Seen in memory order, without dimensions of one element and
 * with neighbours that stay together merged, each is a permutation of a few dimensions; all heroes of a fusion have the
 * same one. With A the operand's minor dimension and B the result's, a block takes a tile of A and B at one place of
 * the others:
 *   - it walks over the tile along A: whatever is fused in front of the heroes is computed there, and so are the
 *     fusion's other results, at their own place in memory; each hero's elements go to a tile of its own in shared
 *     memory;
 *   - behind a barrier it walks along B: heroes are read from there, and what is fused behind them is computed and
 *     written.
 *
 * Units. A thread moves units of V x V elements: V vectors of V elements are read along A, turned in registers and
 * stored as V vectors along B. V = 1 unless A and B are multiples of it and the device stays busy.
 * Banks. Neither a walk along A nor one along B meets a bank twice. With V = 1 that is because a row of the tile is a
 * word longer than needed; else because the V rows of a unit are as far apart as there are units, and unit b of row a
 * begins at place (b + a) mod (units of a row). */
#ifndef XG_EMIT_TRANSPOSE_C
#define XG_EMIT_TRANSPOSE_C
#include "emit.h"
#include "transpose_plan.c"

/* ---- maps ---- */

/* Where a thread is in its tile: first along `fast`, then the loop over i. The places are those of the first element of
 * a unit. */
typedef struct xg_transpose_place {
    const xg_aff *a, *b;
    int64_t rounds;
} xg_transpose_place;
XG_FN xg_transpose_place xg_transpose_at(xg_transpose *t, bool along_a) {
    xg_aff_ctx *x = t->e->m->aff;
    int64_t lanes = XG_MIN(t->tile / t->v, (int64_t)XG_WARP_LANES), rows = XG_TRANSPOSE_THREADS / lanes;
    const xg_aff *fast = xg_aff_mul(x, xg_aff_mod(x, xg_aff_dim(x, 0), lanes), t->v);
    const xg_aff *slow = xg_aff_mul(
        x, xg_aff_add(x, xg_aff_div(x, xg_aff_dim(x, 0), lanes), xg_aff_mul(x, xg_aff_sym(x, 0), rows)), t->v);
    xg_transpose_place r;
    r.a = along_a ? fast : slow;
    r.b = along_a ? slow : fast;
    r.rounds = XG_MAX(t->tile / t->v / rows, (int64_t)1);
    return r;
}

/* (th_x, bl_x)[i, j] -> an index of p's dims, in the order of the operand or of the result. `place`: for each of p's
 * dims the index within the tile of the first of the elements that a thread has in it, `held`: their number; NULL: the
 * tile has one element of it. */
XG_FN xg_imap *xg_transpose_canonical(
    xg_transpose *t, const xg_aff *const *place, int64_t held, int64_t rounds, bool result) {
    xg_aff_ctx *x = t->e->m->aff;
    uint32_t n = t->p.rank, cuts = 0, k;
    xg_imap *m;
    const xg_aff *index[XG_RANK_MAX], *rest = xg_aff_dim(x, 1);
    for (k = 0; k < n; k++) cuts += place[k] && t->p.dims[k] % t->tiles[k] != 0;
    m = xg_imap_new(x, 2, 2, 0, n, cuts);
    xg_imap_counts(&m->dims[0], "th_x", XG_TRANSPOSE_THREADS);
    xg_imap_counts(&m->dims[1], "bl_x", t->blocks);
    xg_imap_counts(&m->syms[0], "i", rounds);
    m->syms[1].name = XG_STR("j");
    for (k = n; k-- > 0;) {
        const xg_aff *block = k ? xg_aff_mod(x, rest, t->counts[k]) : rest;
        rest = xg_aff_div(x, rest, t->counts[k]);
        index[k] = place[k] ? xg_aff_add(x, xg_aff_mul(x, block, t->tiles[k]), place[k]) : block;
    }
    for (k = 0; k < n; k++) m->results[k] = index[result ? t->p.from[k] : k];
    for (cuts = 0, k = n; k-- > 0;) {
        if (!place[k] || t->p.dims[k] % t->tiles[k] == 0) continue;
        m->constraints[cuts].expr = index[k];
        m->constraints[cuts++].range = xg_range_of(0, t->p.dims[k] - held);
    }
    return m;
}
/* Indices within a box, from a number that counts its elements in one order. */
XG_FN void xg_transpose_box_places(const xg_transpose *t, bool result, const xg_aff *element, const xg_aff **place) {
    xg_aff_ctx *x = t->e->m->aff;
    int64_t n = t->box.elements;
    uint32_t k;
    memset(place, 0, XG_RANK_MAX * sizeof *place);
    for (k = 0; k < t->p.rank; k++) {
        uint32_t d = xg_box_dim(&t->p, result, k);
        if (t->tiles[d] == 1) continue;
        if (n != t->box.elements) element = xg_aff_mod(x, element, n);
        n /= t->tiles[d];
        place[d] = xg_aff_div(x, element, n);
    }
}
/* The place in shared memory, which is in the other order. */
XG_FN const xg_aff *xg_transpose_box_at(const xg_transpose *t, bool result, const xg_aff *element) {
    xg_aff_ctx *x = t->e->m->aff;
    const xg_aff *place[XG_RANK_MAX], *at = xg_aff_const(x, 0);
    uint32_t d;
    xg_transpose_box_places(t, result, element, place);
    for (d = t->p.rank; d-- > 0;)
        if (place[d]) at = xg_aff_add(x, at, xg_aff_mul(x, place[d], xg_box_stride(&t->p, &t->box, d)));
    return at;
}

/* The map's results, then others over the same variables. */
XG_FN const xg_imap *xg_transpose_append(xg_transpose *t, const xg_imap *m, const xg_aff *const *more, uint32_t n) {
    const xg_aff **all = XG_NEW_N(t->e->arena, const xg_aff *, m->n_results + n + 1);
    memcpy(all, m->results, m->n_results * sizeof *all);
    memcpy(all + m->n_results, more, n * sizeof *all);
    return xg_imap_with_results(t->e->m->aff, m, all, m->n_results + n);
}
/* Indices of the tile: row a, element b of it; the tile has the result's dims, of which only these two are longer than
 * one. */
XG_FN void xg_transpose_tile_index(xg_transpose *t, const xg_aff *a, const xg_aff *b, const xg_aff **out) {
    uint32_t n = t->p.rank, k;
    for (k = 0; k < n; k++) out[k] = t->p.from[k] == t->a ? a : k == n - 1 ? b : xg_aff_const(t->e->m->aff, 0);
}
XG_FN const xg_ktype *xg_transpose_tile_type(xg_transpose *t, const xg_inst *hero) {
    int64_t dims[XG_RANK_MAX];
    uint32_t n = t->p.rank, k;
    if (XG_TRANSPOSE_IS(t, boxed) || XG_TRANSPOSE_IS(t, skewed))
        return xg_kir_tensor(
            t->e->m, xg_kelem_of(hero->shape->type), XG_TRANSPOSE_IS(t, boxed) ? &t->box.room : &t->skew.room, 1);
    for (k = 0; k < n; k++)
        dims[k] =
            t->p.from[k] == t->a ? t->tile
            : k == n - 1
                ? t->tile + (t->v == 1 ? XG_MAX(4 / xg_kelem_bytes(xg_kelem_of(hero->shape->type)), (int64_t)1) : 0)
                : 1;
    return xg_kir_tensor(t->e->m, xg_kelem_of(hero->shape->type), dims, n);
}

/* ---- loops ---- */

/* A loop over a map that is being filled: what it gives, and what it carries. */
typedef struct xg_transpose_loop {
    xg_kop *op;
    xg_kb outer;
    xg_kval *results, *carried;
    uint32_t n;
} xg_transpose_loop;
XG_FN xg_transpose_loop xg_transpose_begin(
    xg_scope *s, const xg_imap *map, xg_kval *const *dims, xg_kval *const *inits, uint32_t n) {
    xg_transpose_loop l;
    xg_kregion *r;
    l.outer = s->b;
    l.op = xg_kloop(&s->b, map, dims, inits, n);
    r = l.op->regions[0];
    l.results = r->args + map->n_syms;
    l.carried = l.results + map->n_results;
    l.n = n;
    s->b = xg_kb_end(s->b.m, r);
    s->b.loc = l.outer.loc;
    return l;
}
/* vals: what is carried on; becomes the loop's results. */
XG_FN void xg_transpose_end(xg_scope *s, const xg_transpose_loop *l, xg_kval **vals) {
    uint32_t k;
    xg_kyield(&s->b, vals, l->n);
    s->b = l->outer;
    for (k = 0; k < l->n; k++) vals[k] = &l->op->results[k];
}

/* One walk over the tile. */
typedef struct xg_transpose_walk {
    xg_transpose *t;
    xg_scope *s;
    xg_kval *ids[2];         /* thread, block */
    xg_kval **tiles, **dest; /* the heroes' tiles, the fusion's results */
    xg_kval *rank;           /* the box of the cluster whose tiles are read; NULL: this one's */
} xg_transpose_walk;

/* What result k of a walk over units runs through. */
XG_FN xg_range xg_transpose_range(const xg_transpose *t, bool result, uint32_t k) {
    uint32_t dim = k < t->p.rank ? (result ? t->p.from[k] : k) : k;
    if (k >= t->p.rank) return xg_range_of(0, k == t->p.rank ? t->tile / t->v - 1 : t->tile - t->v);
    return xg_range_of(0, t->p.dims[dim] - (dim == t->a || dim == t->b ? t->v : 1));
}

/* Units: dims are p's index, the first row of the unit in the tile and its place in that row; symbols j and k count the
 * unit's elements with the given steps of A and B, k the faster one. Results: indices of `shape`, whose elements lie in
 * the order of the operand or of the result, then the element's place in the tile, then its lane in the registers,
 * which are in the order of rows. */
XG_FN const xg_imap *xg_transpose_unit(xg_transpose *t, bool result, const xg_shape *shape, bool a_is_faster) {
    xg_aff_ctx *x = t->e->m->aff;
    uint32_t n = t->p.rank, k;
    xg_imap *m = xg_imap_new(x, n + 2, 2, 0, n, 0);
    const xg_aff *a = xg_aff_sym(x, a_is_faster ? 1 : 0), *b = xg_aff_sym(x, a_is_faster ? 0 : 1),
                 *more[XG_RANK_MAX + 1];
    for (k = 0; k < n + 2; k++) m->dims[k].range = xg_transpose_range(t, result, k);
    for (k = 0; k < 2; k++) m->syms[k].range = xg_range_of(0, t->v - 1);
    m->syms[0].name = XG_STR("j");
    m->syms[1].name = XG_STR("k");
    for (k = 0; k < n; k++) {
        uint32_t dim = result ? t->p.from[k] : k;
        m->results[k] = xg_aff_dim(x, k);
        if (dim == t->a) m->results[k] = xg_aff_add(x, m->results[k], a);
        if (dim == t->b) m->results[k] = xg_aff_add(x, m->results[k], b);
    }
    xg_transpose_tile_index(t, xg_aff_add(x, xg_aff_dim(x, n), xg_aff_mul(x, a, t->tile / t->v)),
        xg_aff_add(x, xg_aff_dim(x, n + 1), b), more);
    more[n] = xg_aff_add(x, xg_aff_mul(x, a, t->v), b);
    return xg_transpose_append(t,
        xg_imap_compose(
            x, xg_imap_simplify(x, m), xg_emit_same_place(x, xg_permutation_shape(t->e, &t->p, result, shape), shape)),
        more, n + 1);
}
/* The first results of a unit's map stand for indices of `shape`; these are those of another array at the same
 * place. */
XG_FN void xg_transpose_index_of(
    xg_transpose_walk *w, const xg_shape *shape, const xg_shape *to, xg_kval *at, xg_kval **out) {
    xg_kval *from[XG_RANK_MAX];
    uint32_t k;
    for (k = 0; k < shape->rank; k++) from[k] = at + k;
    xg_elem_apply(w->s, xg_emit_same_place(w->t->e->m->aff, shape, to), from, out);
}

/* ---- along A: read, compute, put into the tile ---- */

/* Hero h's operand at the index of hero 0's. */
XG_FN xg_elem xg_transpose_operand(xg_transpose_walk *w, uint32_t h, xg_kval *at) {
    xg_transpose *t = w->t;
    xg_kval *here[XG_RANK_MAX];
    xg_transpose_index_of(w, XG_OPERAND(t->heroes.p[0], 0)->shape, XG_OPERAND(t->heroes.p[h], 0)->shape, at, here);
    return xg_elem_of(w->s, XG_OPERAND(t->heroes.p[h], 0), here);
}
/* The roots of one kind at an index of `shape`, inserted into what is carried for each. */
XG_FN void xg_transpose_roots(xg_transpose_walk *w, bool behind, const xg_shape *shape, xg_kval *at, xg_kval *carried,
    uint32_t n, xg_kval **out) {
    xg_kval *indices[XG_RANK_MAX];
    xg_memo *memo = w->s->memo;
    uint32_t k;
    for (k = 0; k < shape->rank; k++) indices[k] = at + k;
    for (k = 0; k < n; k++) out[k] = carried + k;
    /* what the heroes' elements are made of was made elsewhere */
    if (!behind) w->s->memo = XG_NEW_N(w->t->e->arena, xg_memo, w->t->e->parts->n_insts + 1);
    xg_hero_roots(w->s, &w->t->heroes, behind, shape, indices, out);
    w->s->memo = memo;
}
XG_FN uint32_t xg_transpose_gather_roots(xg_transpose_walk *w, bool behind, xg_kval **out) {
    uint32_t n = 0, k;
    for (k = 0; k < w->t->e->n_roots; k++)
        if (w->t->heroes.behind[k] == behind) out[n++] = w->dest[k];
    return n;
}
XG_FN void xg_transpose_scatter_roots(xg_transpose_walk *w, bool behind, xg_kval *const *from) {
    uint32_t n = 0, k;
    for (k = 0; k < w->t->e->n_roots; k++)
        if (w->t->heroes.behind[k] == behind) w->dest[k] = from[n++];
}

/* The tile's element at the indices that stand behind those of the array. */
XG_FN xg_kval *xg_transpose_put(xg_transpose_walk *w, xg_kval *v, xg_kval *tile, xg_kval *at) {
    xg_kval *idx[XG_RANK_MAX];
    uint32_t k;
    for (k = 0; k < w->t->places; k++) idx[k] = at + k;
    return xg_kinsert(&w->s->b, v, tile, idx, w->t->places);
}
XG_FN xg_kval *xg_transpose_get(xg_transpose_walk *w, xg_kval *tile, xg_kval *at) {
    xg_kval *idx[XG_RANK_MAX];
    uint32_t k;
    if (w->rank) tile = xg_cluster_peer(&w->s->b, tile, xg_kcast(&w->s->b, XG_K_OP_INDEX_CAST, w->rank, XG_E_I32));
    for (k = 0; k < w->t->places; k++) idx[k] = at + k;
    return xg_kextract(&w->s->b, tile, idx, w->t->places);
}

/* One unit: its elements into registers, then from there into the tiles. vals: tiles, then the roots beside the
 * heroes. */
XG_FN void xg_transpose_load_unit(xg_transpose_walk *w, xg_kval *const *at, xg_kval **vals, uint32_t n) {
    xg_transpose *t = w->t;
    const xg_shape *shape = XG_OPERAND(t->heroes.p[0], 0)->shape;
    uint32_t heroes = t->heroes.n, places = shape->rank, k;
    xg_kval **inner = XG_NEW_N(t->e->arena, xg_kval *, n + 1), *lane[3];
    xg_transpose_loop l;
    for (k = 0; k < heroes; k++)
        inner[k] = xg_kconst_bits(&w->s->b, xg_kir_vector(t->e->m, vals[k]->type->elem, t->v * t->v), 0);
    for (k = heroes; k < n; k++) inner[k] = vals[k];
    l = xg_transpose_begin(w->s, xg_transpose_unit(t, false, shape, true), at, inner, n);
    for (k = 0; k < heroes; k++) {
        lane[0] = xg_emit_join(&w->s->b, xg_transpose_operand(w, k, l.results));
        lane[1] = &l.carried[k];
        lane[2] = &l.results[places + t->p.rank];
        inner[k] = xg_kir_op(&w->s->b, XG_K_OP_VINSERT, lane, 3, &lane[1]->type, 1, 0)->results;
    }
    xg_transpose_roots(w, false, shape, l.results, l.carried + heroes, n - heroes, inner + heroes);
    xg_transpose_end(w->s, &l, inner);
    for (k = heroes; k < n; k++) vals[k] = inner[k];
    l = xg_transpose_begin(w->s, xg_transpose_unit(t, false, shape, false), at, vals, heroes);
    for (k = 0; k < heroes; k++) {
        const xg_ktype *type = xg_kir_scalar(t->e->m, vals[k]->type->elem);
        lane[0] = inner[k];
        lane[1] = &l.results[places + t->p.rank];
        vals[k] = xg_transpose_put(
            w, xg_kir_op(&w->s->b, XG_K_OP_VEXTRACT, lane, 2, &type, 1, 0)->results, &l.carried[k], l.results + places);
    }
    xg_transpose_end(w->s, &l, vals);
}

/* ---- boxes ---- */

/* The indices within a box of thread th_x, by slabs: i counts its turns, in so many times `at_once` rounds as are
 * needed, and j the rounds; *vector: which one that is of its round, *round: which round. */
XG_FN void xg_transpose_slab_places(const xg_transpose *t, bool result, const xg_box_slabs *s, int64_t at_once,
    const xg_aff **vector, const xg_aff **round, const xg_aff **place) {
    xg_aff_ctx *x = t->e->m->aff;
    int64_t v = t->box.v[result], slabs = s->step / s->slab, inner = s->slab * v;
    const xg_aff *turn = at_once < s->rounds ? xg_aff_mod(x, xg_aff_sym(x, 0), s->turns) : xg_aff_sym(x, 0);
    const xg_aff *own = xg_aff_add(x, xg_aff_dim(x, 0), xg_aff_mul(x, turn, XG_TRANSPOSE_THREADS)),
                 *in = slabs > 1 ? xg_aff_mod(x, own, s->slab) : own;
    uint32_t k;
    *vector = own;
    *round = xg_aff_sym(x, 1);
    if (at_once < s->rounds)
        *round = xg_aff_add(x, xg_aff_mul(x, xg_aff_div(x, xg_aff_sym(x, 0), s->turns), at_once), *round);
    memset(place, 0, XG_RANK_MAX * sizeof *place);
    for (k = 0; k < t->p.rank; k++) {
        uint32_t d = xg_box_dim(&t->p, result, k);
        if (t->tiles[d] == 1) continue;
        if (d == s->along)
            place[d] = xg_aff_add(
                x, xg_aff_mul(x, *round, slabs), slabs > 1 ? xg_aff_div(x, own, s->slab) : xg_aff_const(x, 0));
        else {
            const xg_aff *at = xg_aff_mul(x, in, v);
            if (inner != s->slab * v) at = xg_aff_mod(x, at, inner);
            inner /= t->tiles[d];
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
    const xg_aff *vector, *round, *place[XG_RANK_MAX], *at = xg_aff_const(x, 0), *both[2];
    const xg_imap *m;
    xg_imap *walk;
    uint32_t d;
    xg_transpose_slab_places(t, result, &s, at_once, &vector, &round, place);
    walk = xg_transpose_canonical(t, place, 1, s.turns * times, result);
    walk->syms[1].range = xg_range_of(0, at_once - 1);
    m = xg_imap_simplify(x, walk);
    if (s.step % XG_TRANSPOSE_THREADS) m = xg_imap_with_constraint(x, m, vector, xg_range_of(0, s.step - 1));
    if (t->box.elements / v % s.step || times * at_once != s.rounds)
        m = xg_imap_with_constraint(
            x, m, xg_aff_add(x, vector, xg_aff_mul(x, round, s.step)), xg_range_of(0, t->box.elements / v - 1));
    for (d = 0; d < t->p.rank; d++)
        if (place[d]) at = xg_aff_add(x, at, xg_aff_mul(x, place[d], xg_box_stride(&t->p, &t->box, d)));
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
    int64_t v = t->box.v[result], group = t->box.group, lanes = t->box.lanes[result], vectors = t->box.elements / v,
            step = lanes * (XG_TRANSPOSE_THREADS / group), rounds = (vectors + step - 1) / step;
    const xg_aff *thread = xg_aff_dim(x, 0), *lane = xg_aff_mod(x, thread, group), *vector, *place[XG_RANK_MAX],
                 *both[2];
    const xg_imap *m;
    if (t->box.slabs[result]) return xg_transpose_slab_map(t, result, shape);
    if (lanes != group) thread = xg_aff_add(x, lane, xg_aff_mul(x, xg_aff_div(x, thread, group), lanes));
    vector = xg_aff_add(x, thread, xg_aff_mul(x, xg_aff_sym(x, 0), step));
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
    if (!t->box.slabs[result]) return xg_range_of(0, t->box.elements / v - 1);
    return xg_range_of(0, t->box.whole[result] ? t->box.room / v - 1 : t->box.room - 1);
}
/* (vector of the array, of the box)[j] -> indices of `shape`, and the place in shared memory. */
XG_FN const xg_imap *xg_transpose_box_vector(xg_transpose *t, bool result, const xg_shape *shape) {
    xg_aff_ctx *x = t->e->m->aff;
    int64_t v = t->box.v[result];
    xg_imap *m = xg_imap_new(x, 2, 1, 0, 1, 0);
    const xg_aff *element = xg_aff_add(x, xg_aff_mul(x, xg_aff_dim(x, 1), v), xg_aff_sym(x, 0)), *at;
    uint32_t minor = t->p.rank - 1;
    xg_aff_env env;
    m->dims[0].range = xg_range_of(0, shape->elements / v - 1);
    m->dims[1].range = xg_transpose_box_range(t, result);
    xg_imap_counts(&m->syms[0], "v", v);
    m->results[0] = xg_aff_add(x, xg_aff_mul(x, xg_aff_dim(x, 0), v), xg_aff_sym(x, 0));
    env = xg_imap_env(x, m);
    while (t->tiles[xg_box_dim(&t->p, result, minor)] == 1) minor--;
    if (t->box.slabs[result])
        at =
            t->box.whole[result]
                ? element
                : xg_aff_add(x, xg_aff_dim(x, 1),
                      xg_aff_mul(x, xg_aff_sym(x, 0), xg_box_stride(&t->p, &t->box, xg_box_dim(&t->p, result, minor))));
    else if (t->box.order == (uint32_t)result && !t->box.spread)
        at = xg_aff_add(x, element, xg_aff_mul(x, xg_aff_div_in(&env, element, t->box.row), t->box.pad));
    else
        at = xg_transpose_box_at(t, result, element);
    return xg_transpose_append(t, xg_imap_compose(x, xg_imap_simplify(x, m), xg_indexing_delinear(x, shape)), &at, 1);
}

/* A walk's loop gives vectors of the array and of the box: the loop over one's elements. */
XG_FN xg_transpose_loop xg_transpose_begin_vector(
    xg_transpose_walk *w, bool result, const xg_shape *shape, xg_kval *vectors, xg_kval *const *inits, uint32_t n) {
    xg_kval *at[2];
    int64_t v = w->t->box.v[result];
    at[0] = vectors;
    at[1] = vectors + 1;
    xg_kval_set_range(at[0], xg_range_of(0, shape->elements / v - 1));
    xg_kval_set_range(at[1], xg_transpose_box_range(w->t, result));
    return xg_transpose_begin(w->s, xg_transpose_box_vector(w->t, result, shape), at, inits, n);
}

/* A skewed walk's loop gives where a thread begins. The elements of a phase of it: a loop that gives each, and within
 * it one that tells its indices and its place. */
typedef struct xg_transpose_phase {
    xg_transpose_loop elements, element;
} xg_transpose_phase;
XG_FN xg_transpose_phase xg_transpose_begin_skewed(xg_transpose_walk *w, bool result, const xg_skew_span *span,
    const xg_shape *shape, xg_kval *where, xg_kval *const *inits, uint32_t n) {
    xg_transpose *t = w->t;
    xg_aff_ctx *x = t->e->m->aff;
    uint32_t known = span->peers ? XG_SKEW_WHERE : XG_SKEW_WHERE - 1, k;
    xg_imap *m = xg_imap_new(x, known, 1, 0, 1, 0);
    xg_kval **vals = XG_NEW_N(t->e->arena, xg_kval *, n + 1), *at[XG_SKEW_VALUES];
    xg_transpose_phase r;
    const xg_aff *place[2];
    for (k = 0; k < xg_skew_values(&t->skew, result); k++)
        xg_kval_set_range(at[k] = where + k, xg_skew_begin_range(&t->p, &t->skew, result, shape->elements, k));
    r.elements = xg_transpose_begin(w->s, xg_skew_map(x, &t->p, &t->skew, result, span, shape->elements), at, inits, n);
    for (k = 0; k < n; k++) vals[k] = &r.elements.carried[k];
    for (k = 0; k < known; k++)
        xg_kval_set_range(at[k] = r.elements.results + k,
            m->dims[k].range = xg_skew_range(&t->skew, result, span, shape->elements, k));
    m->syms[0].range = xg_range_of(0, 0);
    m->syms[0].name = XG_STR("v");
    m->results[0] = xg_aff_dim(x, 0);
    xg_skew_place(x, &t->p, &t->skew, result, span, place);
    r.element = xg_transpose_begin(w->s,
        xg_transpose_append(
            t, xg_imap_compose(x, xg_imap_simplify(x, m), xg_indexing_delinear(x, shape)), place, span->peers ? 2 : 1),
        at, vals, n);
    return r;
}
XG_FN void xg_transpose_end_skewed(xg_transpose_walk *w, const xg_transpose_phase *r, xg_kval **vals) {
    xg_transpose_end(w->s, &r->element, vals);
    xg_transpose_end(w->s, &r->elements, vals);
}

/* The map of a walk: over elements if V is 1, indices of `shape` and places in the tile; else over units, vectors of a
 * box or elements of runs. */
XG_FN const xg_imap *xg_transpose_map(xg_transpose *t, bool result, const xg_shape *shape) {
    xg_aff_ctx *x = t->e->m->aff;
    xg_transpose_place at = xg_transpose_at(t, !result);
    const xg_imap *m;
    const xg_aff *more[XG_RANK_MAX], *place[XG_RANK_MAX];
    if (XG_TRANSPOSE_IS(t, boxed)) return xg_transpose_box_map(t, result, shape);
    if (XG_TRANSPOSE_IS(t, skewed)) return xg_skew_begin_map(x, &t->p, &t->skew, result);
    memset(place, 0, sizeof place);
    place[t->a] = at.a;
    place[t->b] = at.b;
    m = xg_imap_simplify(x, xg_transpose_canonical(t, place, t->v, at.rounds, result));
    if (t->v == 1) {
        xg_transpose_tile_index(t, at.a, at.b, more);
        return xg_transpose_append(t,
            xg_imap_compose(x, m, xg_emit_same_place(x, xg_permutation_shape(t->e, &t->p, result, shape), shape)), more,
            t->p.rank);
    }
    more[0] = xg_aff_div(x, at.a, t->v);
    more[1] = xg_aff_mul(
        x, xg_aff_mod(x, xg_aff_add(x, xg_aff_div(x, at.b, t->v), xg_aff_div(x, at.a, t->v)), t->tile / t->v), t->v);
    return xg_transpose_append(t, m, more, 2);
}

XG_FN void xg_transpose_names(xg_transpose_walk *w, const xg_transpose_loop *l, uint32_t rank, const char *index) {
    uint32_t k;
    xg_kmodule *m = w->t->e->m;
    if (w->t->v != 1 || XG_TRANSPOSE_IS(w->t, boxed) || XG_TRANSPOSE_IS(w->t, skewed)) return;
    for (k = 0; k < rank; k++) xg_emit_name(m, &l->results[k], index, k);
    for (k = 0; k < w->t->p.rank; k++) xg_emit_name(m, &l->results[rank + k], "shmem_dim%u", k);
}
XG_FN void xg_transpose_of_unit(xg_transpose *t, bool result, xg_kval *results, xg_kval **at) {
    uint32_t k;
    for (k = 0; k < t->p.rank + 2; k++) {
        at[k] = &results[k];
        xg_kval_set_range(at[k], xg_transpose_range(t, result, k));
    }
}

/* One element of each hero into its tile, and the roots beside them. */
XG_FN void xg_transpose_load(
    xg_transpose_walk *w, const xg_shape *shape, const xg_transpose_loop *l, xg_kval **vals, uint32_t n) {
    uint32_t heroes = w->t->heroes.n, k;
    for (k = 0; k < heroes; k++) {
        xg_kval *v = xg_emit_join(&w->s->b, xg_transpose_operand(w, k, l->results));
        vals[k] = xg_transpose_put(w, v, &l->carried[k], l->results + shape->rank);
    }
    xg_transpose_roots(w, false, shape, l->results, l->carried + heroes, n - heroes, vals + heroes);
}
XG_FN void xg_transpose_along_a(xg_transpose_walk *w) {
    xg_transpose *t = w->t;
    const xg_shape *shape = XG_OPERAND(t->heroes.p[0], 0)->shape;
    const xg_imap *map = xg_transpose_map(t, false, shape);
    uint32_t heroes = t->heroes.n, n, k;
    xg_kval **vals = XG_NEW_N(t->e->arena, xg_kval *, heroes + t->e->n_roots + 1), *at[XG_RANK_MAX + 2];
    xg_transpose_loop l;
    memcpy(vals, w->tiles, heroes * sizeof *vals);
    n = heroes + xg_transpose_gather_roots(w, false, vals + heroes);
    l = xg_transpose_begin(w->s, map, w->ids, vals, n);
    xg_transpose_names(w, &l, shape->rank, "input_dim%u");
    for (k = 0; k < n; k++) vals[k] = &l.carried[k];
    if (XG_TRANSPOSE_IS(t, skewed)) {
        xg_skew_span span[2];
        xg_transpose_phase inner;
        (void)xg_skew_spans(&t->skew, 0, span);
        inner = xg_transpose_begin_skewed(w, false, span, shape, l.results, vals, n);
        xg_transpose_load(w, shape, &inner.element, vals, n);
        xg_transpose_end_skewed(w, &inner, vals);
    } else if (XG_TRANSPOSE_IS(t, boxed)) {
        xg_transpose_loop inner = xg_transpose_begin_vector(w, false, shape, l.results, vals, n);
        xg_transpose_load(w, shape, &inner, vals, n);
        xg_transpose_end(w->s, &inner, vals);
    } else if (t->v == 1)
        xg_transpose_load(w, shape, &l, vals, n);
    else {
        xg_transpose_of_unit(t, false, l.results, at);
        xg_transpose_load_unit(w, at, vals, n);
    }
    xg_transpose_end(w->s, &l, vals);
    memcpy(w->tiles, vals, heroes * sizeof *vals);
    xg_transpose_scatter_roots(w, false, vals + heroes);
}

/* ---- along B: out of the tile, compute, write ---- */

/* Heroes are what stands in the tiles; the roots behind them follow. */
XG_FN void xg_transpose_results(
    xg_transpose_walk *w, const xg_shape *shape, xg_kval *results, xg_kval *carried, uint32_t n, xg_kval **out) {
    uint32_t k;
    for (k = 0; k < w->t->heroes.n; k++) {
        xg_hero_give(
            w->s, w->t->heroes.p[k], xg_emit_split(&w->s->b, xg_transpose_get(w, w->tiles[k], results + shape->rank)));
    }
    xg_transpose_roots(w, true, shape, results, carried, n, out);
}

XG_FN void xg_transpose_along_b(xg_transpose_walk *w) {
    xg_transpose *t = w->t;
    const xg_shape *shape = t->heroes.p[0]->shape;
    const xg_imap *map = xg_transpose_map(t, true, shape);
    uint32_t n, k;
    xg_kval **vals = XG_NEW_N(t->e->arena, xg_kval *, t->e->n_roots + 1), *at[XG_RANK_MAX + 2];
    xg_transpose_loop l, inner;
    n = xg_transpose_gather_roots(w, true, vals);
    l = xg_transpose_begin(w->s, map, w->ids, vals, n);
    xg_transpose_names(w, &l, shape->rank, "dim%u");
    for (k = 0; k < n; k++) vals[k] = &l.carried[k];
    if (XG_TRANSPOSE_IS(t, skewed)) {
        xg_skew_span span[2];
        uint32_t spans = xg_skew_spans(&t->skew, 1, span), i;
        for (i = 0; i < spans; i++) {
            xg_transpose_phase phase = xg_transpose_begin_skewed(w, true, &span[i], shape, l.results, vals, n);
            w->rank = span[i].peers ? phase.element.results + shape->rank + 1 : NULL;
            xg_transpose_results(w, shape, phase.element.results, phase.element.carried, n, vals);
            xg_transpose_end_skewed(w, &phase, vals);
        }
    } else if (XG_TRANSPOSE_IS(t, boxed)) {
        inner = xg_transpose_begin_vector(w, true, shape, l.results, vals, n);
        xg_transpose_results(w, shape, inner.results, inner.carried, n, vals);
        xg_transpose_end(w->s, &inner, vals);
    } else if (t->v == 1)
        xg_transpose_results(w, shape, l.results, l.carried, n, vals);
    else {
        xg_transpose_of_unit(t, true, l.results, at);
        inner = xg_transpose_begin(w->s, xg_transpose_unit(t, true, shape, false), at, vals, n);
        xg_transpose_results(w, shape, inner.results, inner.carried, n, vals);
        xg_transpose_end(w->s, &inner, vals);
    }
    xg_transpose_end(w->s, &l, vals);
    xg_transpose_scatter_roots(w, true, vals);
}

XG_FN bool xg_transpose_is_joined(const xg_transpose *t) { return XG_TRANSPOSE_IS(t, skewed) && t->skew.parts > 1; }
XG_FN void xg_transpose_barrier(xg_transpose_walk *w) {
    xg_kop *op = xg_shared_wait(&w->s->b, w->tiles, w->t->heroes.n);
    uint32_t k;
    if (xg_transpose_is_joined(w->t)) op->a = XG_KTEAM_CLUSTER;
    for (k = 0; k < w->t->heroes.n; k++) w->tiles[k]->name = XG_STR("synced_tensor");
}

XG_FN int64_t xg_transpose_shared_bytes(xg_transpose *t) {
    int64_t bytes = 0;
    uint32_t k;
    for (k = 0; k < t->heroes.n; k++) {
        const xg_ktype *type = xg_transpose_tile_type(t, t->heroes.p[k]);
        bytes += type->elements * xg_kelem_bytes(type->elem);
    }
    return bytes;
}
XG_FN bool xg_emit_transpose_plan(xg_fusion_emission *e) {
    xg_transpose *t = XG_NEW(e->arena, xg_transpose);
    e->form = t;
    if (!xg_transpose_make(t, e)) return false;
    xg_transpose_write(t);
    e->record->launch.shared = xg_transpose_shared_bytes(t);
    return xg_emit_launch(e, t->threads, t->blocks, xg_transpose_is_joined(t) ? t->skew.parts : 0);
}
XG_FN void xg_emit_transpose(xg_fusion_emission *e) {
    xg_kfunc *f = e->m->entry;
    xg_transpose *t = (xg_transpose *)e->form;
    xg_transpose_walk w;
    xg_scope s;
    uint32_t k;
    xg_emit_functions(e, false);
    s = xg_emit_scope(e, f, UINT32_MAX);
    s.b.loc = e->fusion->id + 1;
    memset(&w, 0, sizeof w);
    w.t = t;
    w.s = &s;
    w.dest = XG_NEW_N(e->arena, xg_kval *, e->n_roots + 1);
    w.tiles = XG_NEW_N(e->arena, xg_kval *, t->heroes.n + 1);
    for (k = 0; k < e->n_roots; k++) w.dest[k] = &f->body->args[e->comp->n_params + k];
    w.ids[0] = xg_kthread_id(&s.b, 0, t->threads);
    w.ids[1] = xg_kblock_id(&s.b, 0, t->blocks);
    for (k = 0; k < t->heroes.n; k++) {
        w.tiles[k] = xg_shared_of(&s.b, xg_transpose_tile_type(t, t->heroes.p[k]));
        xg_emit_name(e->m, w.tiles[k], t->heroes.n == 1 ? "shmem" : "shmem%u", k);
    }
    xg_transpose_along_a(&w);
    xg_transpose_barrier(&w);
    xg_transpose_along_b(&w);
    /* shared memory ends with its block, where another one may read yet */
    if (xg_transpose_is_joined(t)) xg_cluster_wait(&s.b, NULL, 0);
    xg_kreturn(&s.b, w.dest, e->n_roots);
}

#undef XG_TRANSPOSE_IS
#undef XG_TRANSPOSE_BOXES

#endif /* XG_EMIT_TRANSPOSE_C */
