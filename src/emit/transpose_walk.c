/* emit/transpose_walk.c -- what the walks of a transpose have in common: their places, loops, and the elements between.
 *
 * A way to walk is a row of xg_transpose_ways (transpose.c). Each takes a tile of the array for every block and goes
 * over it twice: in the operand's order into shared memory, in the result's order out of it. A walk is a map from
 * thread and block, by which a loop runs, and in it what gives single elements: their index in the array, and their
 * place in shared memory. */
#ifndef XG_EMIT_TRANSPOSE_WALK_C
#define XG_EMIT_TRANSPOSE_WALK_C
#include "emit.h"
#include "skew.c"

enum {
    XG_TRANSPOSE_THREADS = 128
};

typedef struct xg_transpose_way xg_transpose_way;
typedef struct xg_transpose {
    xg_fusion_emission *e;
    xg_heroes heroes;
    const xg_transpose_way *way;
    /* a tile of equal sides */
    uint32_t a, b;   /* which of p's dims */
    int64_t v, tile; /* of A and B alike */
    int64_t cluster; /* blocks that read from each other; 0: none do */
    uint32_t places; /* dimensions of the tile in shared memory */
    int64_t tiles[XG_RANK_MAX], counts[XG_RANK_MAX], blocks, threads;
    xg_permutation p;
    /* or a box, or one whose runs begin inside of sectors */
    xg_box box;
    xg_skew skew;
} xg_transpose;

/* A loop over a map that is being filled: what it gives, and what it carries. */
typedef struct xg_transpose_loop {
    xg_kop *op;
    xg_kb outer;
    xg_kval *results, *carried;
    uint32_t n;
} xg_transpose_loop;
/* One walk over the tile. */
typedef struct xg_transpose_walk {
    xg_transpose *t;
    xg_scope *s;
    bool result;             /* in the result's order */
    const xg_shape *shape;   /* the array whose elements it goes over: hero 0, or its operand */
    xg_kval *ids[2];         /* thread, block */
    xg_kval **tiles, **dest; /* the heroes' tiles, the fusion's results */
    xg_kval *rank;           /* the box of the cluster whose tiles are read; NULL: this one's */
} xg_transpose_walk;

/* name: in the record, as "walk".
 * order: the way's sizes as the record orders them, or the best where it leaves them open; NULL, or why not.
 * write: the sizes into the record.
 * room: an array in shared memory for elements of `bytes`; the number of its dims.
 * map: (th_x, bl_x)[..] -> what elements goes on from.
 * elements: within the loop over the map, xg_transpose_element for each element; vals: what the loop carries. */
struct xg_transpose_way {
    const char *name;
    const char *(*order)(xg_transpose *t, const xg_box_ask *ask);
    void (*write)(const xg_transpose *t);
    uint32_t (*room)(const xg_transpose *t, int64_t bytes, int64_t *dims);
    const xg_imap *(*map)(xg_transpose *t, bool result, const xg_shape *shape);
    void (*elements)(xg_transpose_walk *w, const xg_transpose_loop *l, xg_kval **vals, uint32_t n);
};

XG_FN int64_t xg_transpose_hero_bytes(const xg_transpose *t, uint32_t k) {
    return xg_kelem_bytes(xg_kelem_of(t->heroes.p[k]->shape->type));
}
/* Each block has a tile of so many elements of p's dims. */
XG_FN void xg_transpose_cut(xg_transpose *t, const int64_t *tiles) {
    uint32_t k;
    t->blocks = 1;
    t->threads = XG_TRANSPOSE_THREADS;
    for (k = 0; k < t->p.rank; k++) {
        t->tiles[k] = tiles[k];
        t->counts[k] = (t->p.dims[k] + t->tiles[k] - 1) / t->tiles[k];
        t->blocks *= t->counts[k];
    }
}

/* ---- maps ---- */

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

/* The map's results, then others over the same variables. */
XG_FN const xg_imap *xg_transpose_append(xg_transpose *t, const xg_imap *m, const xg_aff *const *more, uint32_t n) {
    const xg_aff **all = XG_NEW_N(t->e->arena, const xg_aff *, m->n_results + n + 1);
    memcpy(all, m->results, m->n_results * sizeof *all);
    memcpy(all + m->n_results, more, n * sizeof *all);
    return xg_imap_with_results(t->e->m->aff, m, all, m->n_results + n);
}

/* ---- loops ---- */

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

/* ---- elements ---- */

/* The first results of a unit's map stand for indices of `shape`; these are those of another array at the same
 * place. */
XG_FN void xg_transpose_index_of(
    xg_transpose_walk *w, const xg_shape *shape, const xg_shape *to, xg_kval *at, xg_kval **out) {
    xg_kval *from[XG_RANK_MAX];
    uint32_t k;
    for (k = 0; k < shape->rank; k++) from[k] = at + k;
    xg_elem_apply(w->s, xg_emit_same_place(w->t->e->m->aff, shape, to), from, out);
}
/* Hero h's operand at the index of hero 0's. */
XG_FN xg_elem xg_transpose_operand(xg_transpose_walk *w, uint32_t h, xg_kval *at) {
    xg_transpose *t = w->t;
    xg_kval *here[XG_RANK_MAX];
    xg_transpose_index_of(w, XG_OPERAND(t->heroes.p[0], 0)->shape, XG_OPERAND(t->heroes.p[h], 0)->shape, at, here);
    return xg_elem_of(w->s, XG_OPERAND(t->heroes.p[h], 0), here);
}
/* The roots of one kind at an index of `shape`, inserted into what is carried for each. */
XG_FN void xg_transpose_roots(xg_transpose_walk *w, xg_kval *at, xg_kval *carried, uint32_t n, xg_kval **out) {
    xg_kval *indices[XG_RANK_MAX];
    xg_memo *memo = w->s->memo;
    uint32_t k;
    for (k = 0; k < w->shape->rank; k++) indices[k] = at + k;
    for (k = 0; k < n; k++) out[k] = carried + k;
    /* what the heroes' elements are made of was made elsewhere */
    if (!w->result) w->s->memo = XG_NEW_N(w->t->e->arena, xg_memo, w->t->e->parts->n_insts + 1);
    xg_hero_roots(w->s, &w->t->heroes, w->result, w->shape, indices, out);
    w->s->memo = memo;
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
/* One element of each hero into its tile, and the roots beside them. vals: tiles, then these roots. */
XG_FN void xg_transpose_load(xg_transpose_walk *w, xg_kval *at, xg_kval *carried, xg_kval **vals, uint32_t n) {
    uint32_t heroes = w->t->heroes.n, k;
    for (k = 0; k < heroes; k++) {
        xg_kval *v = xg_emit_join(&w->s->b, xg_transpose_operand(w, k, at));
        vals[k] = xg_transpose_put(w, v, &carried[k], at + w->shape->rank);
    }
    xg_transpose_roots(w, at, carried + heroes, n - heroes, vals + heroes);
}
/* Heroes are what stands in the tiles; the roots behind them follow. */
XG_FN void xg_transpose_store(xg_transpose_walk *w, xg_kval *at, xg_kval *carried, xg_kval **vals, uint32_t n) {
    uint32_t k;
    for (k = 0; k < w->t->heroes.n; k++)
        xg_hero_give(
            w->s, w->t->heroes.p[k], xg_emit_split(&w->s->b, xg_transpose_get(w, w->tiles[k], at + w->shape->rank)));
    xg_transpose_roots(w, at, carried, n, vals);
}
/* at: the element's index in w->shape, then its place in the tile. carried: what the innermost loop carries; vals: what
 * it goes on with. */
XG_FN void xg_transpose_element(xg_transpose_walk *w, xg_kval *at, xg_kval *carried, xg_kval **vals, uint32_t n) {
    (w->result ? xg_transpose_store : xg_transpose_load)(w, at, carried, vals, n);
}
/* The elements that one loop more gives. */
XG_FN void xg_transpose_elements(
    xg_transpose_walk *w, const xg_imap *map, xg_kval *const *dims, xg_kval **vals, uint32_t n) {
    xg_transpose_loop l = xg_transpose_begin(w->s, map, dims, vals, n);
    xg_transpose_element(w, l.results, l.carried, vals, n);
    xg_transpose_end(w->s, &l, vals);
}

#endif /* XG_EMIT_TRANSPOSE_WALK_C */
