/* emit/transpose.c -- fusions whose hero moves the minor dimension: through shared memory, so that reads and writes are both coalesced.
 *
 * The heroes are transposes and copies between layouts. Seen in memory order, without dimensions of one element and with neighbours that stay together
 * merged, each is a permutation of a few dimensions; all heroes of a fusion have the same one. With A the operand's minor dimension and B the result's, a block
 * takes a tile of A and B at one place of the others:
 *   - it walks over the tile along A: whatever is fused in front of the heroes is computed there, and so are the fusion's other results, at their own
 *     place in memory; each hero's elements go to a tile of its own in shared memory;
 *   - behind a barrier it walks along B: heroes are read from there, and what is fused behind them is computed and written.
 *
 * Units. A thread moves units of V x V elements: V vectors of V elements are read along A, turned in registers and stored as V vectors along B. V = 1 unless
 * A and B are multiples of it and the device stays busy.
 * Banks. Neither a walk along A nor one along B meets a bank twice. With V = 1 that is because a row of the tile is a word longer than needed; else because the
 * V rows of a unit are as far apart as there are units, and unit b of row a begins at place (b + a) mod (units of a row). */
#ifndef XG_EMIT_TRANSPOSE_C
#define XG_EMIT_TRANSPOSE_C
#include "emit.h"

enum { XG_TRANSPOSE_THREADS = 128, XG_TRANSPOSE_TILE = 32, XG_TRANSPOSE_LANES = 32, XG_TRANSPOSE_WORK_MAX = 256, XG_TRANSPOSE_SHARED_MAX = 48 << 10 };

/* A permutation in memory order: dims of the operand, and which of them is the result's k-th. */
typedef struct xg_permutation { uint32_t rank; int64_t dims[XG_RANK_MAX]; uint32_t from[XG_RANK_MAX]; } xg_permutation;

XG_FN uint32_t xg_shape_major(const xg_shape *s, uint32_t k) { return s->layout ? (uint32_t)s->layout->minor_to_major[s->rank - 1 - k] : k; }

/* False for what is no permutation of elements, or keeps their order. */
XG_FN bool xg_permutation_of(const xg_inst *i, xg_permutation *p) {
    const xg_shape *to = i->shape, *from;
    uint32_t place[XG_RANK_MAX], order[XG_RANK_MAX], n = 0, k;
    if ((i->op != XG_TRANSPOSE && i->op != XG_COPY) || !xg_shape_is_array(to)) return false;
    from = XG_OPERAND(i, 0)->shape;
    if (!xg_index_has_order(from) || !xg_index_has_order(to)) return false;
    p->rank = 0;
    for (k = 0; k < from->rank; k++) if (from->dims[xg_shape_major(from, k)] != 1) { place[xg_shape_major(from, k)] = n; p->dims[n++] = from->dims[xg_shape_major(from, k)]; }
    for (n = 0, k = 0; k < to->rank; k++) {
        uint32_t d = xg_shape_major(to, k);
        if (to->dims[d] != 1) order[n++] = place[i->op == XG_TRANSPOSE ? (uint32_t)xg_attr_ints(i, XG_A_dimensions).p[d] : d];
    }
    for (k = 0; k < n; k++) { /* runs that stay together become one dimension: the first of each stands for it */
        if (k && order[k] == order[k - 1] + 1) { p->dims[p->from[p->rank - 1]] *= p->dims[order[k]]; p->dims[order[k]] = 0; order[k] = order[k - 1] + 1; }
        else p->from[p->rank++] = order[k];
    }
    for (k = 0; k < p->rank; k++) {
        uint32_t before = 0, j;
        for (j = 0; j < p->from[k]; j++) before += p->dims[j] != 0;
        order[k] = before;
    }
    memcpy(p->from, order, p->rank * sizeof *order);
    for (n = 0, k = 0; n < p->rank; k++) if (p->dims[k]) p->dims[n++] = p->dims[k];
    return p->rank > 1;
}
XG_FN bool xg_permutation_equal(const xg_permutation *a, const xg_permutation *b) {
    return a->rank == b->rank && memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0 && memcmp(a->from, b->from, a->rank * sizeof *a->from) == 0;
}
XG_FN bool xg_permutation_moves_minor(const xg_permutation *p) { return p->from[p->rank - 1] != p->rank - 1; }
XG_FN uint32_t xg_permutation_b(const xg_permutation *p) { return p->from[p->rank - 1]; }

/* A plain shape with these dims in memory order. */
XG_FN const xg_shape *xg_permutation_shape(xg_fusion_emission *e, const xg_permutation *p, bool result, const xg_shape *like) {
    xg_shape *s = XG_NEW(e->arena, xg_shape);
    int64_t *dims = XG_NEW_N(e->arena, int64_t, p->rank);
    uint32_t k;
    for (k = 0; k < p->rank; k++) dims[k] = p->dims[result ? p->from[k] : k];
    s->type = like->type;
    s->rank = p->rank;
    s->dims = dims;
    s->elements = like->elements;
    return s;
}

/* ---- the fusion: heroes, what is behind them, what is beside them ---- */

typedef struct xg_transpose {
    xg_fusion_emission *e;
    xg_permutation p;
    xg_heroes heroes;
    /* the tile */
    uint32_t a, b;            /* which of p's dims */
    int64_t v, tile;          /* of A and B alike */
    int64_t counts[XG_RANK_MAX], blocks;
} xg_transpose;

XG_FN bool xg_transpose_is_hero(void *data, const xg_inst *i, bool first) {
    xg_transpose *t = (xg_transpose *)data;
    xg_permutation q;
    if (!xg_permutation_of(i, &q) || !xg_permutation_moves_minor(&q) || !(first || xg_permutation_equal(&q, &t->p))) return false;
    t->p = q;
    return true;
}

/* ---- the tile ---- */

XG_FN int64_t xg_transpose_bytes(const xg_transpose *t) {
    int64_t bytes = 0;
    uint32_t k;
    for (k = 0; k < t->heroes.n; k++) bytes = XG_MAX(bytes, xg_kelem_bytes(xg_kelem_of(t->heroes.p[k]->shape->type)));
    return bytes;
}
XG_FN void xg_transpose_set(xg_transpose *t, int64_t v, int64_t tile) {
    uint32_t k;
    t->v = v;
    t->tile = tile;
    t->blocks = 1;
    for (k = 0; k < t->p.rank; k++) {
        t->counts[k] = k == t->a || k == t->b ? (t->p.dims[k] + tile - 1) / tile : t->p.dims[k];
        t->blocks *= t->counts[k];
    }
}
/* A tile of n x n units; the heroes' tiles have one form. */
XG_FN bool xg_transpose_fits(const xg_transpose *t, int64_t v, int64_t n) {
    int64_t bytes = xg_transpose_bytes(t), a = t->p.dims[t->a], b = t->p.dims[t->b], tile = n * v;
    uint32_t k;
    if (a % v || b % v || a < tile || b < tile || v * v * xg_emit_work(t->e->comp) > XG_TRANSPOSE_WORK_MAX || tile * tile * bytes * t->heroes.n > XG_TRANSPOSE_SHARED_MAX) return false;
    for (k = 0; k < t->heroes.n; k++) if (xg_kelem_bytes(xg_kelem_of(t->heroes.p[k]->shape->type)) != bytes) return false;
    return true;
}
/* The widest unit, then the largest tile, that leave every multiprocessor a block. A vector has 4 to 16 bytes. */
XG_FN void xg_transpose_choose(xg_transpose *t) {
    int64_t bytes = xg_transpose_bytes(t), sms = t->e->target->resident_threads / 2048, v, n;
    for (v = bytes >= 16 ? 1 : bytes == 8 ? 2 : 4; v > 1 && v * bytes >= 4; v /= 2) for (n = v * bytes == 4 ? 32 : 16; n >= 16; n /= 2) {
        if (!xg_transpose_fits(t, v, n)) continue;
        xg_transpose_set(t, v, n * v);
        if (t->blocks >= sms) return;
    }
    xg_transpose_set(t, 1, XG_TRANSPOSE_TILE);
}

/* Small dimensions leave most of a tile empty; then the loop emitter is no worse. */
XG_FN bool xg_transpose_pays(const xg_transpose *t) {
    int64_t a = t->p.dims[t->a], b = t->p.dims[t->b];
    return (a >= 16 && b >= 16) || (a >= 8 && b >= 8 && a * b >= 8192);
}
XG_FN bool xg_transpose_make(xg_transpose *t, xg_fusion_emission *e) {
    memset(t, 0, sizeof *t);
    t->e = e;
    if (!xg_heroes_find(e, xg_transpose_is_hero, t, &t->heroes)) return false;
    t->a = t->p.rank - 1;
    t->b = xg_permutation_b(&t->p);
    if (!xg_transpose_pays(t)) return false;
    xg_transpose_choose(t);
    return t->blocks <= INT32_MAX && XG_TRANSPOSE_TILE * (XG_TRANSPOSE_TILE + 1) * xg_transpose_bytes(t) * t->heroes.n <= XG_TRANSPOSE_SHARED_MAX;
}
XG_FN bool xg_emit_transpose_match(const xg_fusion_emission *e) {
    xg_transpose t;
    return xg_transpose_make(&t, (xg_fusion_emission *)e);
}

/* ---- maps ---- */

/* Where a thread is in its tile: first along `fast`, then the loop over i. The places are those of the first element of a unit. */
typedef struct xg_transpose_place { const xg_aff *a, *b; int64_t rounds; } xg_transpose_place;
XG_FN xg_transpose_place xg_transpose_at(xg_transpose *t, bool along_a) {
    xg_aff_ctx *x = t->e->m->aff;
    int64_t lanes = XG_MIN(t->tile / t->v, (int64_t)XG_TRANSPOSE_LANES), rows = XG_TRANSPOSE_THREADS / lanes;
    const xg_aff *fast = xg_aff_mul(x, xg_aff_mod(x, xg_aff_dim(x, 0), lanes), t->v);
    const xg_aff *slow = xg_aff_mul(x, xg_aff_add(x, xg_aff_div(x, xg_aff_dim(x, 0), lanes), xg_aff_mul(x, xg_aff_sym(x, 0), rows)), t->v);
    xg_transpose_place r;
    r.a = along_a ? fast : slow;
    r.b = along_a ? slow : fast;
    r.rounds = XG_MAX(t->tile / t->v / rows, (int64_t)1);
    return r;
}

/* (th_x, bl_x)[i, j] -> an index of p's dims, in the order of the operand or of the result: those of the
 * first element of a unit. */
XG_FN xg_imap *xg_transpose_canonical(xg_transpose *t, const xg_transpose_place *at, bool result) {
    xg_aff_ctx *x = t->e->m->aff;
    uint32_t n = t->p.rank, k;
    bool cut_a = t->p.dims[t->a] % t->tile != 0, cut_b = t->p.dims[t->b] % t->tile != 0;
    xg_imap *m = xg_imap_new(x, 2, 2, 0, n, (uint32_t)cut_a + cut_b);
    const xg_aff *index[XG_RANK_MAX], *rest = xg_aff_dim(x, 1);
    m->dims[0].name = XG_STR("th_x");
    m->dims[0].range = xg_range_of(0, XG_TRANSPOSE_THREADS - 1);
    m->dims[1].name = XG_STR("bl_x");
    m->dims[1].range = xg_range_of(0, t->blocks - 1);
    m->syms[0].name = XG_STR("i");
    m->syms[0].range = xg_range_of(0, at->rounds - 1);
    m->syms[1].name = XG_STR("j");
    for (k = n; k-- > 0;) {
        const xg_aff *block = k ? xg_aff_mod(x, rest, t->counts[k]) : rest;
        rest = xg_aff_div(x, rest, t->counts[k]);
        index[k] = k == t->a ? xg_aff_add(x, xg_aff_mul(x, block, t->tile), at->a) : k == t->b ? xg_aff_add(x, xg_aff_mul(x, block, t->tile), at->b) : block;
    }
    for (k = 0; k < n; k++) m->results[k] = index[result ? t->p.from[k] : k];
    if (cut_a) { m->constraints[0].expr = index[t->a]; m->constraints[0].range = xg_range_of(0, t->p.dims[t->a] - t->v); }
    if (cut_b) { m->constraints[cut_a].expr = index[t->b]; m->constraints[cut_a].range = xg_range_of(0, t->p.dims[t->b] - t->v); }
    return m;
}

/* The map's results, then others over the same variables. */
XG_FN const xg_imap *xg_transpose_append(xg_transpose *t, const xg_imap *m, const xg_aff *const *more, uint32_t n) {
    const xg_aff **all = XG_NEW_N(t->e->arena, const xg_aff *, m->n_results + n + 1);
    memcpy(all, m->results, m->n_results * sizeof *all);
    memcpy(all + m->n_results, more, n * sizeof *all);
    return xg_imap_with_results(t->e->m->aff, m, all, m->n_results + n);
}
/* Indices of the tile: row a, element b of it; the tile has the result's dims, of which only these two are longer than one. */
XG_FN void xg_transpose_tile_index(xg_transpose *t, const xg_aff *a, const xg_aff *b, const xg_aff **out) {
    uint32_t n = t->p.rank, k;
    for (k = 0; k < n; k++) out[k] = t->p.from[k] == t->a ? a : k == n - 1 ? b : xg_aff_const(t->e->m->aff, 0);
}
XG_FN const xg_ktype *xg_transpose_tile_type(xg_transpose *t, const xg_inst *hero) {
    int64_t dims[XG_RANK_MAX];
    uint32_t n = t->p.rank, k;
    for (k = 0; k < n; k++) dims[k] = t->p.from[k] == t->a ? t->tile : k == n - 1 ? t->tile + (t->v == 1 ? XG_MAX(4 / xg_kelem_bytes(xg_kelem_of(hero->shape->type)), (int64_t)1) : 0) : 1;
    return xg_kir_tensor(t->e->m, xg_kelem_of(hero->shape->type), dims, n);
}

/* ---- loops ---- */

/* A loop over a map that is being filled: what it gives, and what it carries. */
typedef struct xg_transpose_loop { xg_kop *op; xg_kb outer; xg_kval *results, *carried; uint32_t n; } xg_transpose_loop;
XG_FN xg_transpose_loop xg_transpose_begin(xg_scope *s, const xg_imap *map, xg_kval *const *dims, xg_kval *const *inits, uint32_t n) {
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
    xg_kval *ids[2];          /* thread, block */
    xg_kval **tiles, **dest;  /* the heroes' tiles, the fusion's results */
} xg_transpose_walk;

/* What result k of a walk over units runs through. */
XG_FN xg_range xg_transpose_range(const xg_transpose *t, bool result, uint32_t k) {
    uint32_t dim = k < t->p.rank ? (result ? t->p.from[k] : k) : k;
    if (k >= t->p.rank) return xg_range_of(0, k == t->p.rank ? t->tile / t->v - 1 : t->tile - t->v);
    return xg_range_of(0, t->p.dims[dim] - (dim == t->a || dim == t->b ? t->v : 1));
}

/* Units: dims are p's index, the first row of the unit in the tile and its place in that row; symbols j and k count the unit's elements with the given steps
 * of A and B, k the faster one. Results: indices of `shape`, whose elements lie in the order of the operand or of the result, then the element's place in the tile,
 * then its lane in the registers, which are in the order of rows. */
XG_FN const xg_imap *xg_transpose_unit(xg_transpose *t, bool result, const xg_shape *shape, bool a_is_faster) {
    xg_aff_ctx *x = t->e->m->aff;
    uint32_t n = t->p.rank, k;
    xg_imap *m = xg_imap_new(x, n + 2, 2, 0, n, 0);
    const xg_aff *a = xg_aff_sym(x, a_is_faster ? 1 : 0), *b = xg_aff_sym(x, a_is_faster ? 0 : 1), *more[XG_RANK_MAX + 1];
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
    xg_transpose_tile_index(t, xg_aff_add(x, xg_aff_dim(x, n), xg_aff_mul(x, a, t->tile / t->v)), xg_aff_add(x, xg_aff_dim(x, n + 1), b), more);
    more[n] = xg_aff_add(x, xg_aff_mul(x, a, t->v), b);
    return xg_transpose_append(t, xg_imap_compose(x, xg_imap_simplify(x, m), xg_emit_same_place(x, xg_permutation_shape(t->e, &t->p, result, shape), shape)), more, n + 1);
}
/* The first results of a unit's map stand for indices of `shape`; these are those of another array at the same place. */
XG_FN void xg_transpose_index_of(xg_transpose_walk *w, const xg_shape *shape, const xg_shape *to, xg_kval *at, xg_kval **out) {
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
XG_FN void xg_transpose_roots(xg_transpose_walk *w, bool behind, const xg_shape *shape, xg_kval *at, xg_kval *carried, uint32_t n, xg_kval **out) {
    xg_kval *indices[XG_RANK_MAX];
    xg_memo *memo = w->s->memo;
    uint32_t k;
    for (k = 0; k < shape->rank; k++) indices[k] = at + k;
    for (k = 0; k < n; k++) out[k] = carried + k;
    if (!behind) w->s->memo = XG_NEW_N(w->t->e->arena, xg_memo, w->t->e->parts->n_insts + 1); /* what the heroes' elements are made of was made elsewhere */
    xg_hero_roots(w->s, &w->t->heroes, behind, shape, indices, out);
    w->s->memo = memo;
}
XG_FN uint32_t xg_transpose_gather_roots(xg_transpose_walk *w, bool behind, xg_kval **out) {
    uint32_t n = 0, k;
    for (k = 0; k < w->t->e->n_roots; k++) if (w->t->heroes.behind[k] == behind) out[n++] = w->dest[k];
    return n;
}
XG_FN void xg_transpose_scatter_roots(xg_transpose_walk *w, bool behind, xg_kval *const *from) {
    uint32_t n = 0, k;
    for (k = 0; k < w->t->e->n_roots; k++) if (w->t->heroes.behind[k] == behind) w->dest[k] = from[n++];
}

/* The tile's element at the indices that stand behind those of the array. */
XG_FN xg_kval *xg_transpose_put(xg_transpose_walk *w, xg_kval *v, xg_kval *tile, xg_kval *at) {
    xg_kval *idx[XG_RANK_MAX];
    uint32_t k;
    for (k = 0; k < w->t->p.rank; k++) idx[k] = at + k;
    return xg_kinsert(&w->s->b, v, tile, idx, w->t->p.rank);
}
XG_FN xg_kval *xg_transpose_get(xg_transpose_walk *w, xg_kval *tile, xg_kval *at) {
    xg_kval *idx[XG_RANK_MAX];
    uint32_t k;
    for (k = 0; k < w->t->p.rank; k++) idx[k] = at + k;
    return xg_kextract(&w->s->b, tile, idx, w->t->p.rank);
}

/* One unit: its elements into registers, then from there into the tiles. vals: tiles, then the roots beside the heroes. */
XG_FN void xg_transpose_load_unit(xg_transpose_walk *w, xg_kval *const *at, xg_kval **vals, uint32_t n) {
    xg_transpose *t = w->t;
    const xg_shape *shape = XG_OPERAND(t->heroes.p[0], 0)->shape;
    uint32_t heroes = t->heroes.n, places = shape->rank, k;
    xg_kval **inner = XG_NEW_N(t->e->arena, xg_kval *, n + 1), *lane[3];
    xg_transpose_loop l;
    for (k = 0; k < heroes; k++) inner[k] = xg_kconst_bits(&w->s->b, xg_kir_vector(t->e->m, vals[k]->type->elem, t->v * t->v), 0);
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
        vals[k] = xg_transpose_put(w, xg_kir_op(&w->s->b, XG_K_OP_VEXTRACT, lane, 2, &type, 1, 0)->results, &l.carried[k], l.results + places);
    }
    xg_transpose_end(w->s, &l, vals);
}

/* The map of a walk: over elements if V is 1, indices of `shape` and places in the tile; else over units. */
XG_FN const xg_imap *xg_transpose_map(xg_transpose *t, bool result, const xg_shape *shape) {
    xg_aff_ctx *x = t->e->m->aff;
    xg_transpose_place at = xg_transpose_at(t, !result);
    const xg_imap *m = xg_imap_simplify(x, xg_transpose_canonical(t, &at, result));
    const xg_aff *more[XG_RANK_MAX];
    if (t->v == 1) {
        xg_transpose_tile_index(t, at.a, at.b, more);
        return xg_transpose_append(t, xg_imap_compose(x, m, xg_emit_same_place(x, xg_permutation_shape(t->e, &t->p, result, shape), shape)), more, t->p.rank);
    }
    more[0] = xg_aff_div(x, at.a, t->v);
    more[1] = xg_aff_mul(x, xg_aff_mod(x, xg_aff_add(x, xg_aff_div(x, at.b, t->v), xg_aff_div(x, at.a, t->v)), t->tile / t->v), t->v);
    return xg_transpose_append(t, m, more, 2);
}

XG_FN void xg_transpose_names(xg_transpose_walk *w, const xg_transpose_loop *l, uint32_t rank, const char *index) {
    uint32_t k;
    xg_kmodule *m = w->t->e->m;
    if (w->t->v != 1) return;
    for (k = 0; k < rank; k++) xg_emit_name(m, &l->results[k], index, k);
    for (k = 0; k < w->t->p.rank; k++) xg_emit_name(m, &l->results[rank + k], "shmem_dim%u", k);
}
XG_FN void xg_transpose_of_unit(xg_transpose *t, bool result, xg_kval *results, xg_kval **at) {
    uint32_t k;
    for (k = 0; k < t->p.rank + 2; k++) { at[k] = &results[k]; xg_kval_set_range(at[k], xg_transpose_range(t, result, k)); }
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
    if (t->v == 1) {
        for (k = 0; k < heroes; k++) vals[k] = xg_transpose_put(w, xg_emit_join(&w->s->b, xg_transpose_operand(w, k, l.results)), &l.carried[k], l.results + shape->rank);
        xg_transpose_roots(w, false, shape, l.results, l.carried + heroes, n - heroes, vals + heroes);
    } else {
        for (k = 0; k < n; k++) vals[k] = &l.carried[k];
        xg_transpose_of_unit(t, false, l.results, at);
        xg_transpose_load_unit(w, at, vals, n);
    }
    xg_transpose_end(w->s, &l, vals);
    memcpy(w->tiles, vals, heroes * sizeof *vals);
    xg_transpose_scatter_roots(w, false, vals + heroes);
}

/* ---- along B: out of the tile, compute, write ---- */

/* Heroes are what stands in the tiles; the roots behind them follow. */
XG_FN void xg_transpose_results(xg_transpose_walk *w, const xg_shape *shape, xg_kval *results, xg_kval *carried, uint32_t n, xg_kval **out) {
    uint32_t k;
    for (k = 0; k < w->t->heroes.n; k++) {
        xg_hero_give(w->s, w->t->heroes.p[k], xg_emit_split(&w->s->b, xg_transpose_get(w, w->tiles[k], results + shape->rank)));
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
    if (t->v == 1) xg_transpose_results(w, shape, l.results, l.carried, n, vals);
    else {
        for (k = 0; k < n; k++) vals[k] = &l.carried[k];
        xg_transpose_of_unit(t, true, l.results, at);
        inner = xg_transpose_begin(w->s, xg_transpose_unit(t, true, shape, false), at, vals, n);
        xg_transpose_results(w, shape, inner.results, inner.carried, n, vals);
        xg_transpose_end(w->s, &inner, vals);
    }
    xg_transpose_end(w->s, &l, vals);
    xg_transpose_scatter_roots(w, true, vals);
}

XG_FN void xg_transpose_barrier(xg_transpose_walk *w) {
    uint32_t n = w->t->heroes.n, k;
    const xg_ktype **types = XG_NEW_N(w->t->e->arena, const xg_ktype *, n + 1);
    xg_kop *op;
    for (k = 0; k < n; k++) types[k] = w->tiles[k]->type;
    op = xg_kir_op(&w->s->b, XG_K_OP_SYNC, w->tiles, n, types, n, 0);
    for (k = 0; k < n; k++) { w->tiles[k] = &op->results[k]; w->tiles[k]->name = XG_STR("synced_tensor"); }
}

XG_FN void xg_emit_transpose(xg_fusion_emission *e) {
    xg_kfunc *f = e->m->entry;
    xg_transpose t;
    xg_transpose_walk w;
    xg_scope s;
    uint32_t k;
    (void)xg_transpose_make(&t, e);
    f->threads[0] = XG_TRANSPOSE_THREADS;
    f->blocks[0] = (uint32_t)t.blocks;
    for (k = 1; k < 3; k++) f->threads[k] = f->blocks[k] = 1;
    xg_emit_functions(e, false);
    s = xg_emit_scope(e, f, UINT32_MAX);
    s.b.loc = e->fusion->id + 1;
    memset(&w, 0, sizeof w);
    w.t = &t;
    w.s = &s;
    w.dest = XG_NEW_N(e->arena, xg_kval *, e->n_roots + 1);
    w.tiles = XG_NEW_N(e->arena, xg_kval *, t.heroes.n + 1);
    for (k = 0; k < e->n_roots; k++) w.dest[k] = &f->body->args[e->comp->n_params + k];
    w.ids[0] = xg_kthread_id(&s.b, 0, XG_TRANSPOSE_THREADS);
    w.ids[1] = xg_kblock_id(&s.b, 0, t.blocks);
    for (k = 0; k < t.heroes.n; k++) {
        const xg_ktype *type = xg_transpose_tile_type(&t, t.heroes.p[k]);
        w.tiles[k] = xg_kir_op(&s.b, XG_K_OP_ALLOC_SHARED, NULL, 0, &type, 1, 0)->results;
        xg_emit_name(e->m, w.tiles[k], t.heroes.n == 1 ? "shmem" : "shmem%u", k);
    }
    xg_transpose_along_a(&w);
    xg_transpose_barrier(&w);
    xg_transpose_along_b(&w);
    xg_kreturn(&s.b, w.dest, e->n_roots);
}

#endif /* XG_EMIT_TRANSPOSE_C */
