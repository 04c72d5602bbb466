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

typedef struct xg_transpose_way xg_transpose_way;
typedef struct xg_transpose {
    xg_fusion_emission *e;
    xg_heroes heroes;
    const xg_transpose_way *way;
    /* of tiles of equal sides: which of p's dims these are; how long, and how many of each are a thread's unit */
    uint32_t a, b;
    int64_t v, side;
    uint32_t places; /* dimensions of the tile in shared memory */
    xg_permutation p;
    xg_box box; /* what a block takes, and how threads walk over it */
} xg_transpose;

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
 * elements: at what the map gives, xg_transpose_element for each element. */
struct xg_transpose_way {
    const char *name;
    const char *(*order)(xg_transpose *t, const xg_box_ask *ask);
    void (*write)(const xg_transpose *t);
    uint32_t (*room)(const xg_transpose *t, int64_t bytes, int64_t *dims);
    const xg_imap *(*map)(xg_transpose *t, bool result, const xg_shape *shape);
    void (*elements)(xg_transpose_walk *w, xg_kval *at);
};

XG_FN int64_t xg_transpose_hero_bytes(const xg_transpose *t, uint32_t k) {
    return xg_kelem_bytes(xg_kelem_of(t->heroes.p[k]->shape->type));
}

/* ---- maps ---- */

/* (th_x, bl_x)[i, j] -> an index of p's dims, in the order of the operand or of the result. `place`: for each of p's
 * dims the index within the tile of the first of the elements that a thread has in it, `held`: their number; NULL: the
 * tile has one element of it. */
XG_FN xg_imap *xg_transpose_canonical(
    xg_transpose *t, const xg_aff *const *place, int64_t held, int64_t rounds, bool result) {
    xg_aff_ctx *x = t->e->m->aff;
    const xg_shared_tile *tile = &t->box.t;
    uint32_t n = t->p.rank, cuts = 0, k;
    xg_imap *m;
    const xg_aff *index[XG_RANK_MAX];
    for (k = 0; k < n; k++) cuts += place[k] && t->p.dims[k] % tile->extent[k] != 0;
    m = xg_imap_new(x, 2, 2, 0, n, cuts);
    xg_imap_counts(&m->dims[0], "th_x", tile->threads);
    xg_imap_counts(&m->dims[1], "bl_x", tile->blocks);
    xg_imap_counts(&m->syms[0], "i", rounds);
    m->syms[1].name = XG_STR("j");
    (void)xg_shared_block(x, tile, xg_aff_dim_1(x), index);
    for (cuts = 0, k = n; k-- > 0;) {
        if (!place[k]) continue;
        index[k] = xg_aff_add_mul(x, place[k], index[k], tile->extent[k]);
        if (t->p.dims[k] % tile->extent[k] == 0) continue;
        m->constraints[cuts].expr = index[k];
        m->constraints[cuts++].range = xg_range_of(0, t->p.dims[k] - held);
    }
    for (k = 0; k < n; k++) m->results[k] = index[result ? t->p.from[k] : k];
    return m;
}

/* The map's results, then others over the same variables. */
XG_FN const xg_imap *xg_transpose_append(xg_transpose *t, const xg_imap *m, const xg_aff *const *more, uint32_t n) {
    const xg_aff **all = XG_NEW_N(t->e->arena, const xg_aff *, m->n_results + n + 1);
    memcpy(all, m->results, m->n_results * sizeof *all);
    memcpy(all + m->n_results, more, n * sizeof *all);
    return xg_imap_with_results(t->e->m->aff, m, all, m->n_results + n);
}

/* ---- elements ---- */

/* Into a loop over the map, which changes the roots that this walk writes, and `arrays`: the map's results. */
XG_FN xg_kval *xg_transpose_enter(xg_transpose_walk *w, xg_flow *f, xg_kval **arrays, uint32_t n_arrays, bool roots,
    const xg_imap *map, xg_kval *const *dims) {
    uint32_t k;
    *f = xg_flow_begin(w->s);
    xg_flow_slots(f, arrays, n_arrays);
    for (k = 0; roots && k < w->t->e->n_roots; k++)
        if (w->t->heroes.behind[k] == w->result) xg_flow_slot(f, &w->dest[k]);
    return xg_flow_walk(f, map, dims) + map->n_syms;
}
/* The same of a loop in a walk, which fills the tiles unless it is in the result's order. */
XG_FN xg_kval *xg_transpose_inside(xg_transpose_walk *w, xg_flow *f, const xg_imap *map, xg_kval *const *dims) {
    return xg_transpose_enter(w, f, w->tiles, w->result ? 0 : w->t->heroes.n, true, map, dims);
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
/* Hero h's operand at the index of hero 0's. */
XG_FN xg_elem xg_transpose_operand(xg_transpose_walk *w, uint32_t h, xg_kval *at) {
    xg_transpose *t = w->t;
    xg_kval *here[XG_RANK_MAX];
    xg_transpose_index_of(w, XG_OPERAND(t->heroes.p[0], 0)->shape, XG_OPERAND(t->heroes.p[h], 0)->shape, at, here);
    return xg_elem_of(w->s, XG_OPERAND(t->heroes.p[h], 0), here);
}
/* The roots that this walk writes, at an index of its shape. */
XG_FN void xg_transpose_roots(xg_transpose_walk *w, xg_kval *at) {
    xg_kval *indices[XG_RANK_MAX];
    xg_memo *memo = w->s->memo;
    uint32_t k;
    for (k = 0; k < w->shape->rank; k++) indices[k] = at + k;
    /* what the heroes' elements are made of was made elsewhere */
    if (!w->result) xg_emit_forget(w->s);
    xg_hero_roots(w->s, &w->t->heroes, w->result, w->shape, indices, w->dest);
    w->s->memo = memo;
}
/* Into hero h's tile, at a place of it. */
XG_FN void xg_transpose_put(xg_transpose_walk *w, uint32_t h, xg_kval *v, xg_kval *at) {
    xg_kval *idx[XG_RANK_MAX];
    uint32_t k;
    for (k = 0; k < w->t->places; k++) idx[k] = at + k;
    w->tiles[h] = xg_kinsert(&w->s->b, v, w->tiles[h], idx, w->t->places);
}
XG_FN xg_kval *xg_transpose_get(xg_transpose_walk *w, uint32_t h, xg_kval *at) {
    xg_kval *idx[XG_RANK_MAX], *tile = w->tiles[h];
    uint32_t k;
    if (w->rank) tile = xg_cluster_peer(&w->s->b, tile, xg_kcast(&w->s->b, XG_K_OP_INDEX_CAST, w->rank, XG_E_I32));
    for (k = 0; k < w->t->places; k++) idx[k] = at + k;
    return xg_kextract(&w->s->b, tile, idx, w->t->places);
}
/* at: the element's index in the walk's shape, then its place in the tile. In the operand's order each hero's operand
 * goes into its tile; in the result's order heroes are what stands there. Then the roots. */
XG_FN void xg_transpose_element(xg_transpose_walk *w, xg_kval *at) {
    xg_kb *b = &w->s->b;
    xg_kval *place = at + w->shape->rank;
    uint32_t k;
    for (k = 0; k < w->t->heroes.n; k++)
        if (w->result)
            xg_hero_give(w->s, w->t->heroes.p[k], xg_emit_split(b, xg_transpose_get(w, k, place)));
        else
            xg_transpose_put(w, k, xg_emit_join(b, xg_transpose_operand(w, k, at)), place);
    xg_transpose_roots(w, at);
}
/* The elements that one loop more gives. */
XG_FN void xg_transpose_elements(xg_transpose_walk *w, const xg_imap *map, xg_kval *const *dims) {
    xg_flow f;
    xg_transpose_element(w, xg_transpose_inside(w, &f, map, dims));
    xg_flow_end(&f);
}

#endif /* XG_EMIT_TRANSPOSE_WALK_C */
