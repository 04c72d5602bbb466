/* emit/rows.c -- row programs (fuse/rows.c): several reductions over the same rows, and what is computed from them; a
 * row belongs to some lanes, warps, or blocks.
 *
 *     for each stage:
 *         each lane:         acc = reducer over its elements (round * lanes + lane) * vector + v of the row
 *         lanes of a warp:   shuffle_reduce
 *         warps of a row:    shared[row][warp]; barrier; every lane combines all of them: all lanes have the result
 *         blocks of a row:   the same over the blocks' results in shared memory, after a barrier of the cluster
 *         every lane:        the values of the row that depend on the result
 *     then: every lane stores its elements of the roots; lane 0 those with one element a row
 *
 * - All numbers except the length and number of rows are powers of two. Lanes beyond the end of a row, or beyond the
 *   last row, compute elements that exist (indices wrap around) and leave them out of sums. So each stage is
 *   straight-line code without guards, and its values are still in registers in the next one (kir/cse.c).
 * - If a row is too long for that, the loops remain, and a lane keeps its elements in shared memory, or else each stage
 *   loads the row again, from a cache. emit/rows_plan.c chooses the number of lanes and what is in shared memory.
 * - Where rows begin inside a sector, the body of each, from its first whole sector on, is walked like that, and the
 *   edges at both ends, together as long in every row, by one more round of single elements. A lane touches only its
 *   own row.
 * - Around this, where they exist:
 *
 *     load vectors that all rows read into shared memory; barrier
 *     for group:    load rows of the group into shared memory; barrier; the above; barrier;
 *                   store results from shared memory */
#ifndef XG_EMIT_ROWS_C
#define XG_EMIT_ROWS_C
#include "emit.h"
#include "rows_plan.c"
#include "reduction_row.c"

enum {
    XG_ROWS_WARPS_FEW = 4 /* up to so many warps' results are combined by every lane itself */
};

XG_FN void xg_rows_heroes(xg_rows *w) {
    xg_arena *a = w->r.e->arena;
    uint32_t s, k, n = 0, first;
    w->heroes = XG_NEW_N(a, xg_hero, w->form.n_reduces + (size_t)1);
    for (s = 1; s <= w->form.n_stages; s++)
        for (first = n, k = 0; k < w->form.n; k++) {
            xg_hero *h = &w->heroes[n];
            if (w->form.insts[k]->op != XG_REDUCE || w->form.stage[k] != s || !w->form.maps[k]) continue;
            (void)xg_hero_set(h, w->form.insts[k], n - first, a);
            h->sources = XG_NEW(a, const xg_inst *);
            h->sources[0] = XG_OPERAND(h->i, 0);
            n++;
        }
    w->heroes[n].i = NULL;
}
/* Sets up the reduction of one stage. */
XG_FN void xg_rows_stage(xg_rows *w, uint32_t s) {
    xg_hero *h = w->heroes;
    while (h->i && w->form.stage[xg_row_place(&w->form, h->i)] < s) h++;
    w->r.heroes = h;
    w->r.before = (uint32_t)(h - w->heroes);
    for (w->r.n_heroes = 0; h->i && w->form.stage[xg_row_place(&w->form, h->i)] == s; h++) w->r.n_heroes++;
    w->r.n_values = w->r.n_heroes;
}

/* ---- places of lanes ---- */

XG_FN const xg_aff *xg_rows_row(const xg_rows *w, const xg_walk_map *m) {
    if (w->parts > 1) return xg_aff_div(m->x, xg_aff_dim_1(m->x), w->parts);
    return xg_aff_add_dim(m->x, xg_aff_div(m->x, xg_aff_dim_0(m->x), w->lanes), w->r.round ? 2 : 1, w->per_block);
}
/* The rank of this block among the row's. */
XG_FN const xg_aff *xg_rows_rank(const xg_rows *w, const xg_walk_map *m) {
    return xg_aff_mod(m->x, xg_aff_dim_1(m->x), w->parts);
}
XG_FN const xg_aff *xg_rows_wrapped(const xg_rows *w, const xg_walk_map *m, const xg_aff *row) {
    return w->form.rows % w->per_block ? xg_aff_mod(m->x, row, w->form.rows) : row;
}
/* The arguments of a walk's maps: thread, block, and the group of rows if a block walks over several. */
XG_FN uint32_t xg_rows_dims(const xg_rows *w, xg_kval **out) {
    out[0] = w->r.thread;
    out[1] = w->r.block;
    out[2] = w->r.round;
    return w->r.round ? 3 : 2;
}

/* Rounds over the vectors of a row's body, or over its edges; all vectors exist, except in the `last` rounds. */
typedef struct xg_rows_rounds {
    int64_t first, groups, group;
    bool last, edges;
} xg_rows_rounds;
XG_ONE_COPY XG_FN int64_t xg_rows_count(const xg_rows *w, const xg_rows_rounds *at) {
    return at->edges ? w->edges : w->vectors;
}

/* The first column of the row that begins a sector. */
XG_FN const xg_aff *xg_rows_body(const xg_rows *w, const xg_walk_map *m, const xg_aff *row) {
    const xg_aff *begin = xg_aff_mul(m->x, row, w->form.cols);
    return xg_aff_sub(
        m->x, xg_aff_mul(m->x, xg_aff_div(m->x, xg_aff_add_k(m->x, begin, w->unit - 1), w->unit), w->unit), begin);
}
/* The column of an element of the edges: first those before the body, then those after it. */
XG_FN const xg_aff *xg_rows_edge(const xg_rows *w, const xg_walk_map *m, const xg_aff *row, const xg_aff *edge) {
    int64_t reach = w->unit + w->edges;
    const xg_aff *behind = xg_aff_div(
        m->x, xg_aff_add_k(m->x, xg_aff_sub(m->x, edge, xg_rows_body(w, m, row)), reach), reach); /* 0 or 1 */
    return xg_aff_add_mul(m->x, edge, behind, w->vectors * w->vector);
}

/* Places: row, column, the number of the vector (possibly beyond the last), and the place in the block's tile or in the
 * lane's own memory. */
enum {
    XG_ROWS_ROW,
    XG_ROWS_COLUMN,
    XG_ROWS_VECTOR,
    XG_ROWS_LOCAL,
    XG_ROWS_PLACES
};
/* taken: in the last rounds, lanes without a vector take another one, whose number is a symbol. */
XG_FN xg_walk_map xg_rows_places(const xg_rows *w, const xg_rows_rounds *at, bool taken, const xg_aff **out) {
    xg_walk_map m = xg_walk_map_begin(&w->r);
    const xg_aff *round = xg_aff_mul(m.x, xg_walk_sym(&m, "group", at->groups), at->group), *v, *lane, *of_block;
    round = xg_aff_add_k(m.x, xg_aff_add(m.x, round, xg_walk_sym(&m, "round", at->group)), at->first);
    /* the vector's number among those of this block */
    of_block = xg_aff_add_mul(m.x, xg_aff_mod(m.x, xg_aff_dim_0(m.x), w->lanes), round, w->lanes);
    out[2] = v = w->parts == 1 ? of_block
                               : xg_aff_add_mul(m.x, xg_aff_mod(m.x, xg_aff_dim_0(m.x), w->lanes),
                                     xg_aff_add_mul(m.x, xg_rows_rank(w, &m), round, w->parts), w->lanes);
    out[0] = xg_rows_wrapped(w, &m, xg_rows_row(w, &m));
    lane = at->edges ? xg_aff_const(m.x, 0) : xg_walk_sym(&m, "vector_index", w->vector);
    if (taken) v = xg_walk_sym(&m, "taken", xg_rows_count(w, at));
    if (at->edges) {
        out[1] = xg_rows_edge(w, &m, out[0], v);
        out[3] = xg_aff_add_k(m.x, of_block, w->kept - w->lanes);
        return m;
    }
    out[1] = xg_aff_add_mul(m.x, lane, v, w->vector);
    if (w->unit) out[1] = xg_aff_add(m.x, out[1], xg_rows_body(w, &m, out[0]));
    out[3] = w->kept ? xg_aff_add_mul(m.x, lane, of_block, w->vector)
                     : xg_aff_add_mul(m.x, out[1], xg_aff_div(m.x, xg_aff_dim_0(m.x), w->lanes), w->form.cols);
    return m;
}
/* All rounds of a row. */
typedef void (*xg_rows_fn)(xg_rows *w, const xg_rows_rounds *at, xg_partial *p);
XG_FN void xg_rows_each_of(xg_rows *w, bool edges, xg_rows_fn body, xg_partial *p) {
    xg_rows_rounds at;
    int64_t whole;
    memset(&at, 0, sizeof at);
    at.edges = edges;
    whole = xg_rows_count(w, &at) / (w->lanes * w->parts);
    at.group = w->held || edges                                         ? whole
               : w->kept || whole / XG_ROWS_GROUP >= XG_ROWS_LOOP_TRIPS ? XG_MIN(whole, (int64_t)XG_ROWS_GROUP)
                                                                        : 1;
    at.groups = at.group ? whole / at.group : 0;
    if (at.groups) body(w, &at, p);
    at.first = at.groups * at.group;
    at.groups = 1;
    at.group = whole - at.first;
    if (at.group) body(w, &at, p);
    at.first = whole;
    at.group = 1;
    at.last = true;
    if (xg_rows_count(w, &at) % (w->lanes * w->parts)) body(w, &at, p);
}
XG_FN void xg_rows_each(xg_rows *w, xg_rows_fn body, xg_partial *p) {
    xg_rows_each_of(w, false, body, p);
    if (w->edges) xg_rows_each_of(w, true, body, p);
}

/* ---- elements ---- */

/* Begins a walk in which the row's values are known. */
XG_FN xg_walk xg_rows_begin(xg_rows *w, const xg_imap *map, xg_partial *p) {
    xg_walk walk = xg_walk_begin(&w->r, map, p);
    uint32_t k;
    for (k = 0; k < w->form.n; k++)
        if (w->form.stage[k] && w->form.maps[k] && !xg_row_is_wide(&w->form, k)) w->r.s.memo[k] = walk.memo[k];
    return walk;
}
/* Supplies values from the tile, or those that were kept. */
XG_FN void xg_rows_tile_give(xg_rows *w, xg_kval *const *place) {
    xg_scope *s = &w->r.s;
    xg_kval *here[XG_RANK_MAX];
    uint32_t k;
    for (k = 0; k < w->tile.n; k++)
        xg_hero_give(
            s, w->tile.values[k], xg_elem_real(xg_kextract(&s->b, w->tile.arrays[k], place + XG_ROWS_LOCAL, 1)));
    for (k = 0; k < w->tile.n_made; k++) {
        xg_elem_apply(s, xg_row_map(&w->form, w->tile.made[k]->shape), place, here);
        (void)xg_elem_make(s, w->tile.made[k], &s->memo[xg_partition_place(s->e->parts, w->tile.made[k])], here);
    }
}
XG_FN bool xg_rows_has_places(const xg_rows *w) { return w->tile.vector || w->kept || w->is_given; }
/* Begins a walk over rounds; if it stores, only existing elements. The places are the same with and without stores, so
 * that CSE recognises values of earlier stages. */
XG_FN xg_walk xg_rows_rounds_begin(xg_rows *w, const xg_rows_rounds *at, bool write, xg_partial *p, xg_kval **place) {
    const xg_aff *out[XG_ROWS_PLACES], *row;
    xg_walk_map m = xg_rows_places(w, at, at->last, out);
    const xg_imap *places = xg_walk_map_end(&w->r, &m, out, xg_rows_has_places(w) ? XG_ROWS_PLACES : XG_ROWS_LOCAL),
                  *vector;
    xg_kval *vars[3 + XG_COUNT(m.syms)], *taken;
    xg_walk walk;
    uint32_t k, n;
    m = xg_rows_places(w, at, false, out);
    vector = xg_walk_map_end(&w->r, &m, out + XG_ROWS_VECTOR, 1);
    row = xg_rows_row(w, &m);
    if (write && !w->tile.vector) xg_walk_require(&m, row, 0, w->form.rows - 1);
    if (write && at->last) xg_walk_require(&m, out[2], 0, xg_rows_count(w, at) - 1);
    walk = xg_rows_begin(w, xg_walk_map_end(&w->r, &m, out + 2, 1), p);
    n = xg_rows_dims(w, vars);
    for (k = 0; k < m.n_syms; k++) vars[n + k] = walk.syms + k;
    if (at->last) { /* lanes beyond the end take the last vector: one sector for a whole warp */
        xg_elem_apply(&w->r.s, vector, vars, &taken);
        vars[n + k] = XG_KOP2(&w->r.s.b, XG_K_OP_MINSI, taken, xg_elem_index(&w->r.s, xg_rows_count(w, at) - 1));
    }
    xg_elem_apply(&w->r.s, places, vars, place);
    if (w->tile.vector || w->is_given || (w->kept && w->now > 1)) xg_rows_tile_give(w, place);
    return walk;
}
XG_FN void xg_rows_mark(const xg_rows *w, bool *needed, const xg_inst *i) {
    uint32_t place = xg_row_place(&w->form, i);
    if (w->form.stage[place] && w->form.insts[place]->op != XG_REDUCE && xg_row_is_wide(&w->form, place))
        needed[place] = true;
}
/* Computes the marked instructions that depend on reductions, and their operands, at (row, column). */
XG_FN void xg_rows_make(xg_rows *w, bool *needed, xg_kval *const *at) {
    xg_kval *here[XG_RANK_MAX];
    uint32_t k, j;
    for (k = w->form.n; k-- > 0;)
        if (needed[k])
            for (j = 0; j < w->form.insts[k]->n_operands; j++) xg_rows_mark(w, needed, XG_OPERAND(w->form.insts[k], j));
    for (k = 0; k < w->form.n; k++)
        if (needed[k]) {
            xg_elem_apply(&w->r.s, w->form.maps[k], at, here);
            (void)xg_elem_make(&w->r.s, w->form.insts[k], &w->r.s.memo[k], here);
        }
}
XG_FN xg_elem xg_rows_element(xg_rows *w, const xg_inst *i, xg_kval *const *at, xg_kval **here) {
    xg_elem_apply(&w->r.s, xg_row_map(&w->form, i->shape), at, here);
    return xg_elem_of(&w->r.s, i, here);
}

/* Keeps the values of the first stage that later ones need. */
XG_FN void xg_rows_keep(xg_rows *w, xg_kval *const *place, xg_partial *p) {
    xg_kval *here[XG_RANK_MAX];
    uint32_t k;
    for (k = 0; k < w->tile.n; k++)
        p->dest[k] = xg_kinsert(
            &w->r.s.b, xg_rows_element(w, w->tile.values[k], place, here).v, p->dest[k], place + XG_ROWS_LOCAL, 1);
}
XG_FN void xg_rows_accumulate(xg_rows *w, const xg_rows_rounds *at, xg_partial *p) {
    xg_reduction *r = &w->r;
    xg_arena *a = r->e->arena;
    bool *needed = XG_NEW_N(a, bool, w->form.n + (size_t)1);
    xg_elem *x = XG_NEW_N(a, xg_elem, r->n_values + 1), *old = XG_NEW_N(a, xg_elem, r->n_values + 1);
    xg_kval *here[XG_RANK_MAX], *place[XG_ROWS_PLACES];
    xg_walk walk = xg_rows_rounds_begin(w, at, false, p, place);
    uint32_t h;
    if (w->kept && w->now == 1) xg_rows_keep(w, place, p);
    for (h = 0; h < r->n_heroes; h++) xg_rows_mark(w, needed, r->heroes[h].sources[0]);
    xg_rows_make(w, needed, place);
    for (h = 0; h < r->n_heroes; h++) {
        xg_elem_apply(&r->s, xg_row_map(&w->form, r->heroes[h].sources[0]->shape), place, here);
        x[h] = xg_hero_element(&r->s, &r->heroes[h], 0, here);
    }
    memcpy(old, p->acc, r->n_values * sizeof *old);
    xg_reduction_merge(r, p->acc, x);
    if (at->last) {
        xg_kval *counts = xg_kcmpi_int(&r->s.b, XG_CI_SLT, place[XG_ROWS_VECTOR], xg_rows_count(w, at));
        for (h = 0; h < r->n_values; h++) {
            p->acc[h].v = xg_kselect(&r->s.b, counts, p->acc[h].v, old[h].v);
            if (old[h].im) p->acc[h].im = xg_kselect(&r->s.b, counts, p->acc[h].im, old[h].im);
        }
    }
    xg_walk_end(r, &walk);
}
XG_FN void xg_rows_write(xg_rows *w, const xg_rows_rounds *at, xg_partial *p) {
    xg_fusion_emission *e = w->r.e;
    bool *needed = XG_NEW_N(e->arena, bool, w->form.n + (size_t)1);
    xg_elem *v = XG_NEW_N(e->arena, xg_elem, e->n_roots + 1);
    xg_kval *here[XG_RANK_MAX], *place[XG_ROWS_PLACES];
    xg_walk walk = xg_rows_rounds_begin(w, at, true, p, place);
    uint32_t k;
    for (k = 0; k < e->n_roots; k++)
        if (xg_rows_root_is_wide(w, k)) xg_rows_mark(w, needed, e->roots[k]);
    xg_rows_make(w, needed, place);
    for (k = 0; k < e->n_roots; k++)
        if (xg_rows_root_is_wide(w, k)) v[k] = xg_rows_element(w, e->roots[k], place, here);
    for (k = 0; k < e->n_roots; k++) {
        if (!xg_rows_root_is_wide(w, k)) continue;
        if (w->tile.vector) {
            p->dest[k] = xg_kinsert(&w->r.s.b, v[k].v, p->dest[k], place + XG_ROWS_LOCAL, 1);
            continue;
        }
        xg_elem_apply(&w->r.s, xg_row_map(&w->form, e->roots[k]->shape), place, here);
        p->dest[k] = xg_emit_insert(&w->r.s.b, v[k], p->dest[k], e->roots[k]->shape, here);
    }
    xg_walk_end(&w->r, &walk);
}
/* Stores roots with one element a row: lane 0 of the row's first block does. */
XG_FN void xg_rows_write_rows(xg_rows *w, xg_partial *p) {
    xg_fusion_emission *e = w->r.e;
    xg_walk_map m = xg_walk_map_begin(&w->r);
    const xg_aff *row = xg_rows_row(w, &m), *out[2];
    xg_kval *here[XG_RANK_MAX], *place[2];
    xg_walk walk;
    uint32_t k, n = 0;
    for (k = 0; k < e->n_roots; k++) n += !xg_rows_root_is_wide(w, k);
    if (!n) return;
    xg_walk_require(&m, xg_aff_mod(m.x, xg_aff_dim_0(m.x), w->lanes), 0, 0);
    if (w->parts > 1) xg_walk_require(&m, xg_rows_rank(w, &m), 0, 0);
    xg_walk_require(&m, row, 0, w->form.rows - 1);
    out[0] = xg_rows_wrapped(w, &m, row);
    out[1] = xg_aff_const(m.x, 0);
    walk = xg_rows_begin(w, xg_walk_map_end(&w->r, &m, out, 2), p);
    for (k = 0; k < 2; k++) place[k] = walk.at + k;
    for (k = 0; k < e->n_roots; k++) {
        xg_elem v;
        if (xg_rows_root_is_wide(w, k)) continue;
        v = xg_rows_element(w, e->roots[k], place, here);
        p->dest[k] = xg_emit_insert(&w->r.s.b, v, p->dest[k], e->roots[k]->shape, here);
    }
    xg_walk_end(&w->r, &walk);
}

/* ---- results of a stage ---- */

XG_FN xg_kval *xg_rows_of_thread(xg_rows *w, const xg_aff *e) {
    xg_walk_map m = xg_walk_map_begin(&w->r);
    xg_kval *dims[3];
    (void)xg_rows_dims(w, dims);
    return xg_kapply(&w->r.s.b, xg_walk_map_end(&w->r, &m, &e, 1), dims)->results;
}
/* Broadcasts the first lane's values to its group of `lanes`. */
XG_FN void xg_rows_tell_lanes(xg_rows *w, int64_t lanes, xg_elem *acc) {
    xg_aff_ctx *x = w->r.e->m->aff;
    const xg_aff *th = xg_aff_dim_0(x),
                 *first = xg_aff_sub(x, xg_aff_mod(x, th, XG_WARP_LANES), xg_aff_mod(x, th, lanes));
    xg_kval *lane;
    uint32_t k;
    if (lanes == 1) return;
    lane = xg_kcast(&w->r.s.b, XG_K_OP_INDEX_CAST, xg_rows_of_thread(w, first), XG_E_I32);
    for (k = 0; k < w->r.n_values; k++) {
        acc[k].v = xg_kshuffle(&w->r.s.b, XG_K_OP_SHFLIDX, acc[k].v, lane);
        if (acc[k].im) acc[k].im = xg_kshuffle(&w->r.s.b, XG_K_OP_SHFLIDX, acc[k].im, lane);
    }
}
/* Combines the results of many warps: each lane loads one, and shuffles combine them. */
XG_FN void xg_rows_fold_warps(
    xg_rows *w, const xg_shared *shared, int64_t warps, xg_kval **at, const xg_elem *like, xg_elem *acc) {
    xg_reduction *r = &w->r;
    xg_aff_ctx *x = r->e->m->aff;
    xg_elem *start = XG_NEW_N(r->e->arena, xg_elem, r->n_values + 1);
    xg_kval *lane, *counts;
    int64_t lanes = 1;
    uint32_t k;
    while (lanes < warps) lanes *= 2;
    at[1] = lane = xg_rows_of_thread(w, xg_aff_mod(x, xg_aff_dim_0(x), lanes));
    if (warps < lanes) at[1] = XG_KOP2(&r->s.b, XG_K_OP_MINSI, lane, xg_elem_index(&r->s, warps - 1));
    xg_shared_read(&r->s, shared, at, 2, like, r->n_values, acc);
    if (warps < lanes) {
        counts = xg_kcmpi_int(&r->s.b, XG_CI_SLT, lane, warps);
        xg_reduction_start(r, start);
        for (k = 0; k < r->n_values; k++) {
            acc[k].v = xg_kselect(&r->s.b, counts, acc[k].v, start[k].v);
            if (acc[k].im) acc[k].im = xg_kselect(&r->s.b, counts, acc[k].im, start[k].im);
        }
    }
    xg_row_shuffle(r, lanes, acc);
    xg_rows_tell_lanes(w, lanes, acc);
}
/* A barrier after which kept arrays count as new values, so that no stage holds in registers what it will load
 * again. */
XG_FN void xg_rows_sync_all(xg_rows *w, xg_shared *shared) {
    xg_shared all;
    uint32_t k;
    if (!w->kept) {
        xg_shared_wait(&w->r.s.b, shared->arrays, shared->n);
        return;
    }
    all.n = shared->n + w->tile.n;
    all.arrays = XG_NEW_N(w->r.e->arena, xg_kval *, all.n + (size_t)1);
    for (k = 0; k < all.n; k++) all.arrays[k] = k < shared->n ? shared->arrays[k] : w->tile.arrays[k - shared->n];
    xg_shared_wait(&w->r.s.b, all.arrays, all.n);
    for (k = 0; k < all.n; k++) *(k < shared->n ? &shared->arrays[k] : &w->tile.arrays[k - shared->n]) = all.arrays[k];
}
/* Combines the warps' results and gives them to all lanes of the row. */
XG_FN void xg_rows_tell_warps(xg_rows *w, xg_elem *acc) {
    xg_reduction *r = &w->r;
    xg_aff_ctx *x = r->e->m->aff;
    const xg_aff *th = xg_aff_dim_0(x), *out[2];
    xg_walk_map m = xg_walk_map_begin(r);
    xg_kval **v = XG_NEW_N(r->e->arena, xg_kval *, 2 * r->n_values + 1), *at[2];
    xg_elem *like = XG_NEW_N(r->e->arena, xg_elem, r->n_values + 1),
            *more = XG_NEW_N(r->e->arena, xg_elem, r->n_values + 1);
    int64_t dims[2], warp;
    xg_shared shared;
    xg_partial write;
    xg_walk walk;
    uint32_t k, n;
    dims[0] = w->per_block;
    dims[1] = w->lanes / XG_WARP_LANES;
    memcpy(like, acc, r->n_values * sizeof *like);
    shared = xg_shared_new(&r->s, acc, r->n_values, dims, 2);
    n = xg_carry_values(acc, r->n_values, v);
    out[0] = xg_aff_div(x, th, w->lanes);
    out[1] = xg_aff_div(x, xg_aff_mod(x, th, w->lanes), XG_WARP_LANES);
    xg_walk_require(&m, xg_aff_mod(x, th, XG_WARP_LANES), 0, 0);
    write = xg_partial_new(r, 0, shared.arrays, shared.n);
    walk = xg_walk_begin(r, xg_walk_map_end(r, &m, out, 2), &write);
    for (k = 0; k < 2; k++) at[k] = walk.at + k;
    for (k = 0; k < n; k++) shared.arrays[k] = xg_kinsert(&r->s.b, v[k], shared.arrays[k], at, 2);
    xg_walk_end(r, &walk);
    xg_rows_sync_all(w, &shared);
    at[0] = xg_rows_of_thread(w, out[0]);
    if (dims[1] > XG_ROWS_WARPS_FEW)
        xg_rows_fold_warps(w, &shared, dims[1], at, like, acc);
    else
        for (warp = 0; warp < dims[1]; warp++) {
            at[1] = xg_elem_index(&r->s, warp);
            xg_shared_read(&r->s, &shared, at, 2, like, r->n_values, warp ? more : acc);
            if (warp) xg_reduction_merge(r, acc, more);
        }
    /* the next pass stores there; otherwise another stage's barrier is in between */
    if (r->round && w->form.n_stages == 1) xg_shared_wait(&r->s.b, shared.arrays, shared.n);
}
/* Combines the blocks' results and gives them to all lanes of the row's blocks. */
XG_FN void xg_rows_tell_blocks(xg_rows *w, xg_elem *acc) {
    xg_reduction *r = &w->r;
    xg_aff_ctx *x = r->e->m->aff;
    xg_kval **v = XG_NEW_N(r->e->arena, xg_kval *, 2 * r->n_values + 1), *zero = xg_elem_index_0(&r->s), *rank;
    xg_elem *like = XG_NEW_N(r->e->arena, xg_elem, r->n_values + 1);
    xg_walk_map m = xg_walk_map_begin(r);
    int64_t one = 1;
    xg_shared shared;
    xg_partial write;
    xg_walk walk;
    uint32_t k, n;
    memcpy(like, acc, r->n_values * sizeof *like);
    shared = xg_shared_new(&r->s, acc, r->n_values, &one, 1);
    n = xg_carry_values(acc, r->n_values, v);
    xg_walk_require(&m, xg_aff_dim_0(x), 0, 0);
    write = xg_partial_new(r, 0, shared.arrays, shared.n);
    walk = xg_walk_begin(r, xg_walk_map_end(r, &m, NULL, 0), &write);
    for (k = 0; k < n; k++) shared.arrays[k] = xg_kinsert_at(&r->s.b, v[k], shared.arrays[k], zero);
    xg_walk_end(r, &walk);
    xg_cluster_wait(&r->s.b, shared.arrays, shared.n);
    rank =
        xg_kcast(&r->s.b, XG_K_OP_INDEX_CAST, xg_rows_of_thread(w, xg_aff_mod(x, xg_aff_dim_0(x), w->parts)), XG_E_I32);
    shared = xg_shared_of_peer(&r->s, &shared, rank);
    xg_shared_read(&r->s, &shared, &zero, 1, like, r->n_values, acc);
    xg_row_shuffle(r, w->parts, acc);
    xg_rows_tell_lanes(w, w->parts, acc);
}
/* Emits the stage's reductions, then the row's values that depend on them. */
XG_FN void xg_rows_stage_emit(xg_rows *w, uint32_t s, xg_kval *const *row) {
    xg_reduction *r = &w->r;
    xg_partial p;
    xg_kval *here[XG_RANK_MAX];
    uint32_t k;
    bool keeps;
    xg_rows_stage(w, s);
    w->now = s;
    keeps = w->kept && s == 1;
    p = xg_partial_new(r, r->n_values, w->tile.arrays, keeps ? w->tile.n : 0);
    xg_reduction_start(r, p.acc);
    xg_rows_each(w, xg_rows_accumulate, &p);
    xg_row_shuffle(r, XG_MIN(w->lanes, (int64_t)XG_WARP_LANES), p.acc);
    if (w->lanes > XG_WARP_LANES)
        xg_rows_tell_warps(w, p.acc);
    else
        xg_rows_tell_lanes(w, w->lanes, p.acc);
    if (w->parts > 1) xg_rows_tell_blocks(w, p.acc);
    for (k = 0; k < r->n_heroes; k++) {
        xg_hero_end(&r->s, &r->heroes[k], &p.acc[k]);
        xg_hero_give(&r->s, r->heroes[k].i, p.acc[k]);
    }
    for (k = 0; k < w->form.n; k++) {
        if (w->form.stage[k] != s || w->form.insts[k]->op == XG_REDUCE || !w->form.maps[k] ||
            xg_row_is_wide(&w->form, k))
            continue;
        xg_elem_apply(&r->s, w->form.maps[k], row, here);
        (void)xg_elem_make(&r->s, w->form.insts[k], &r->s.memo[k], here);
    }
}

/* ---- vectors that all rows read ---- */

/* (th_x, bl_x)[round, vector_index] -> indices of the tensor: the block's threads visit each element once. */
XG_FN const xg_imap *xg_rows_copy_map(const xg_rows *w, const xg_ktype *t) {
    xg_walk_map m = xg_walk_map_begin(&w->r);
    xg_index_order order = xg_index_order_of_run(t->dims, 0, t->rank);
    const xg_aff *at[XG_RANK_MAX], *v;
    int64_t widest = xg_gcd(t->elements, XG_ACCESS_BYTES / xg_kelem_bytes(t->elem)), vector = widest, all;
    /* unguarded rounds are straight-line code whose loads overlap; that matters where a block has only one pass */
    while (vector > 1 && w->passes == 1 && t->elements / vector % w->r.threads) vector /= 2;
    if (t->elements / vector % w->r.threads) vector = widest;
    all = t->elements / vector;
    v = xg_aff_add_mul(
        m.x, xg_aff_dim_0(m.x), xg_walk_sym(&m, "round", (all + w->r.threads - 1) / w->r.threads), w->r.threads);
    xg_walk_require(&m, v, 0, all - 1);
    xg_index_delinearise(m.x, &order, xg_aff_add_mul(m.x, xg_walk_sym(&m, "vector_index", vector), v, vector), at);
    return xg_walk_map_end(&w->r, &m, at, t->rank);
}
/* Copies the vectors that all rows read; from here on they are read there. */
XG_FN void xg_rows_share_vectors(xg_rows *w) {
    xg_reduction *r = &w->r;
    xg_scope *s = &r->s;
    uint32_t k, n = 0, j;
    xg_shared shared;
    if (!w->n_shared) return;
    shared.n = w->n_shared;
    shared.arrays = XG_NEW_N(r->e->arena, xg_kval *, w->n_shared + (size_t)1);
    for (k = 0; k < r->e->comp->n_params; k++) {
        const xg_ktype *t = s->tensors[k]->type;
        xg_kval *at[XG_RANK_MAX], *v;
        xg_partial p;
        xg_walk walk;
        if (!w->shares[k]) continue;
        shared.arrays[n] = xg_shared_of(&s->b, t);
        p = xg_partial_new(r, 0, &shared.arrays[n++], 1);
        walk = xg_walk_begin(r, xg_rows_copy_map(w, t), &p);
        for (j = 0; j < t->rank; j++) at[j] = walk.at + j;
        v = xg_kextract(&s->b, s->tensors[k], at, t->rank);
        p.dest[0] = xg_kinsert(&s->b, v, p.dest[0], at, t->rank);
        xg_walk_end(r, &walk);
    }
    xg_shared_wait(&r->s.b, shared.arrays, shared.n);
    for (n = 0, k = 0; k < r->e->comp->n_params; k++)
        if (w->shares[k]) s->tensors[k] = shared.arrays[n++];
}

/* ---- rows of a block as one run of memory ---- */

/* The map of the tile's vectors, in the array or behind it, to row, column and place in the tile. */
XG_FN const xg_imap *xg_rows_tile_map(const xg_rows *w, bool behind) {
    int64_t v = w->tile.vector, cols = w->form.cols, all = w->per_block * cols / v, total = w->form.rows * cols / v;
    xg_walk_map m = xg_walk_map_begin(&w->r);
    const xg_aff *vector, *lane, *of_array, *flat, *out[XG_ROWS_PLACES];
    vector = xg_aff_add_mul(
        m.x, xg_aff_dim_0(m.x), xg_walk_sym(&m, "round", (all + w->r.threads - 1) / w->r.threads), w->r.threads);
    lane = xg_walk_sym(&m, "vector_index", v);
    of_array = xg_aff_add_dim(m.x, vector, w->r.round ? 2 : 1, all);
    flat = xg_aff_add_mul(m.x, lane, of_array, v);
    xg_walk_require(&m, vector, 0, all - 1);
    if (w->groups * all > total) xg_walk_require(&m, of_array, behind ? total : 0, behind ? INT64_MAX : total - 1);
    out[XG_ROWS_ROW] = xg_aff_div(m.x, flat, cols);
    out[XG_ROWS_COLUMN] = xg_aff_mod(m.x, flat, cols);
    out[XG_ROWS_VECTOR] = xg_aff_const(m.x, 0);
    out[XG_ROWS_LOCAL] = xg_aff_add_mul(m.x, lane, vector, v);
    return xg_walk_map_end(&w->r, &m, out, XG_ROWS_PLACES);
}
/* The type of array k of the tile; XLAGPU_INVALID: a root without an array of its own. */
XG_FN xlagpu_type xg_rows_array_type(const xg_rows *w, uint32_t k) {
    uint32_t root = k - w->tile.n;
    if (k < w->tile.n) return w->tile.values[k]->shape->type;
    return xg_rows_root_is_wide(w, root) && w->tile.over[root] == UINT32_MAX ? w->r.e->roots[root]->shape->type
                                                                             : XLAGPU_INVALID;
}
XG_FN void xg_rows_tile_new(xg_rows *w) {
    int64_t size = w->per_block * w->form.cols;
    uint32_t k;
    w->tile.arrays = XG_NEW_N(w->r.e->arena, xg_kval *, w->tile.n + w->r.e->n_roots + (size_t)1);
    for (k = 0; k < w->tile.n + w->r.e->n_roots; k++) {
        xlagpu_type t = xg_rows_array_type(w, k);
        if (t != XLAGPU_INVALID) w->tile.arrays[k] = xg_shared_array(&w->r.s.b, xg_kelem_of(t), size);
    }
}
XG_FN void xg_rows_kept_new(xg_rows *w) {
    uint32_t k;
    w->tile.arrays = XG_NEW_N(w->r.e->arena, xg_kval *, w->tile.n + (size_t)1);
    for (k = 0; k < w->tile.n; k++)
        w->tile.arrays[k] = xg_shared_array(&w->r.s.b, xg_kelem_of(w->tile.values[k]->shape->type), w->kept);
}
/* Fills the tile; `behind`: with zeros where no rows are, since idle lanes load them, too. */
XG_FN void xg_rows_tile_fill(xg_rows *w, bool behind) {
    xg_reduction *r = &w->r;
    xg_partial p = xg_partial_new(r, 0, w->tile.arrays, w->tile.n);
    xg_kval *here[XG_RANK_MAX], *place[XG_ROWS_PLACES];
    xg_walk walk = xg_walk_begin(r, xg_rows_tile_map(w, behind), &p);
    uint32_t k;
    for (k = 0; k < XG_ROWS_PLACES; k++) place[k] = walk.at + k;
    for (k = 0; k < w->tile.n; k++) {
        const xg_inst *i = w->tile.values[k];
        xg_elem v =
            xg_elem_real(behind ? xg_kconst_bits(&r->s.b, xg_kir_scalar(r->e->m, p.dest[k]->type->elem), 0) : NULL);
        xg_elem_apply(&r->s, xg_row_map(&w->form, i->shape), place, here);
        if (!behind) v = xg_elem_of(&r->s, i, here);
        p.dest[k] = xg_kinsert(&r->s.b, v.v, p.dest[k], place + XG_ROWS_LOCAL, 1);
    }
    xg_walk_end(r, &walk);
}
/* Stores the rows' results to the tile; false if no root has elements for the columns. */
XG_FN bool xg_rows_tile_results(xg_rows *w, xg_partial *p) {
    uint32_t n_roots = w->r.e->n_roots, k, n = 0;
    xg_partial q = xg_partial_new(&w->r, 0, XG_NEW_N(w->r.e->arena, xg_kval *, n_roots + (size_t)1), n_roots);
    xg_kval **results = w->tile.arrays + w->tile.n;
    xg_shared wide;
    wide.arrays = XG_NEW_N(w->r.e->arena, xg_kval *, n_roots + (size_t)1);
    for (k = 0; k < n_roots; k++)
        q.dest[k] = !xg_rows_root_is_wide(w, k)     ? p->dest[k]
                    : w->tile.over[k] != UINT32_MAX ? w->tile.arrays[w->tile.over[k]]
                                                    : results[k];
    xg_rows_each(w, xg_rows_write, &q);
    for (k = 0; k < n_roots; k++) {
        if (xg_rows_root_is_wide(w, k))
            wide.arrays[n++] = q.dest[k];
        else
            p->dest[k] = q.dest[k];
    }
    wide.n = n;
    if (n) xg_shared_wait(&w->r.s.b, wide.arrays, wide.n);
    for (n = 0, k = 0; k < n_roots; k++)
        if (xg_rows_root_is_wide(w, k)) results[k] = wide.arrays[n++];
    return n > 0;
}
XG_FN void xg_rows_tile_write(xg_rows *w, xg_partial *p) {
    xg_reduction *r = &w->r;
    xg_kval *here[XG_RANK_MAX], *place[XG_ROWS_PLACES], *v;
    xg_walk walk = xg_walk_begin(r, xg_rows_tile_map(w, false), p);
    uint32_t k;
    for (k = 0; k < XG_ROWS_PLACES; k++) place[k] = walk.at + k;
    for (k = 0; k < r->e->n_roots; k++) {
        const xg_shape *s = r->e->roots[k]->shape;
        if (!xg_rows_root_is_wide(w, k)) continue;
        v = xg_kextract(&r->s.b, w->tile.arrays[w->tile.n + k], place + XG_ROWS_LOCAL, 1);
        xg_elem_apply(&r->s, xg_row_map(&w->form, s), place, here);
        p->dest[k] = xg_emit_insert(&r->s.b, xg_elem_real(v), p->dest[k], s, here);
    }
    xg_walk_end(r, &walk);
}

/* Emits one pass over the block's rows. */
XG_FN void xg_rows_pass(xg_rows *w, xg_partial *p) {
    xg_walk_map m = xg_walk_map_begin(&w->r);
    xg_kval *row[2];
    xg_shared tile;
    uint32_t k;
    row[0] = xg_rows_of_thread(w, xg_rows_wrapped(w, &m, xg_rows_row(w, &m)));
    row[1] = xg_elem_index_0(&w->r.s);
    if (w->tile.vector) {
        xg_rows_tile_new(w);
        xg_rows_tile_fill(w, false);
        if (w->form.rows % w->per_block) xg_rows_tile_fill(w, true);
        tile.n = w->tile.n;
        tile.arrays = w->tile.arrays;
        xg_shared_wait(&w->r.s.b, tile.arrays, tile.n);
    }
    if (w->kept) xg_rows_kept_new(w);
    for (k = 1; k <= w->form.n_stages; k++) xg_rows_stage_emit(w, k, row);
    w->now = k;
    if (!w->tile.vector)
        xg_rows_each(w, xg_rows_write, p);
    else if (xg_rows_tile_results(w, p))
        xg_rows_tile_write(w, p);
    xg_rows_write_rows(w, p);
}
XG_FN void xg_rows_passes(xg_rows *w, xg_partial *p) {
    xg_reduction *r = &w->r;
    xg_kval *from, *to, *at[2];
    bool even = w->groups % w->passes == 0;
    xg_flow f;
    if (w->passes == 1) {
        xg_rows_pass(w, p);
        return;
    }
    from = xg_elem_index_0(&r->s);
    to = xg_elem_index(&r->s, w->passes);
    if (!even) { /* the last block has fewer */
        from = xg_k2(&r->s.b, XG_K_OP_MULI, r->block, to);
        to = xg_k2(&r->s.b, XG_K_OP_ADDI, from, to);
        to = XG_KOP2(&r->s.b, XG_K_OP_MINSI, to, xg_elem_index(&r->s, w->groups));
    }
    f = xg_partial_flow(r, p);
    /* unrolled, it would load the rows of all passes at once */
    f.rolled = w->held && w->passes <= XG_KUNROLL_WAITS_MAX &&
               w->passes * w->held_bytes * (w->form.cols / w->lanes) > XG_ROWS_PASSES_BYTES;
    r->round = xg_flow_for(&f, from, to, 1, even ? w->passes : w->groups);
    r->round->name = XG_STR("group");
    if (even) {
        xg_imap *map = xg_imap_of_dims(r->e->m->aff, 2, 1);
        map->dims[0].range = xg_range_of(0, r->blocks - 1);
        map->dims[1].range = xg_range_of(0, w->passes - 1);
        map->results[0] = xg_aff_add_dim(r->e->m->aff, xg_aff_dim_1(r->e->m->aff), 0, w->passes);
        at[0] = r->block;
        at[1] = r->round;
        r->round = xg_kapply(&r->s.b, xg_imap_simplify(r->e->m->aff, map), at)->results;
    }
    xg_rows_pass(w, p);
    xg_flow_end(&f);
}

/* Shared memory for the results of a row's warps and blocks in each stage, for vectors that rows share, and for what is
 * kept of rows. */
XG_FN int64_t xg_rows_shared_bytes(const xg_rows *w) {
    int64_t warps = w->lanes > XG_WARP_LANES ? w->per_block * (w->lanes / XG_WARP_LANES) : 0,
            bytes = w->n_shared ? w->shared_bytes : 0;
    const xg_hero *h;
    uint32_t k;
    for (h = w->heroes; h->i; h++) bytes += xg_hero_shared(h, warps) + xg_hero_shared(h, w->parts > 1);
    for (k = 0; w->tile.vector && k < w->tile.n + w->r.e->n_roots; k++)
        if (xg_rows_array_type(w, k) != XLAGPU_INVALID)
            bytes += xg_shared_whole(w->per_block * w->form.cols * xg_type_bytes(xg_rows_array_type(w, k)));
    return w->kept ? bytes + w->kept_bytes : bytes;
}
XG_FN bool xg_emit_rows_plan(xg_fusion_emission *e) {
    xg_rows *w = XG_NEW(e->arena, xg_rows);
    e->form = w;
    if (!xg_rows_form(w, e)) return false;
    if (!xg_rows_plan(w)) return false;
    xg_rows_heroes(w);
    e->record->launch.shared = xg_rows_shared_bytes(w);
    if (w->r.blocks > INT32_MAX)
        xg_hlo_fail(e->fusion, XLAGPU_ERROR_LIMIT, NULL,
            "a row program of %lld rows needs %lld blocks; the limit is 2147483647", (long long)w->form.rows,
            (long long)w->r.blocks);
    return xg_emit_launch(e, w->r.threads, w->r.blocks, w->parts > 1 ? w->parts : 0);
}
XG_FN void xg_emit_rows(xg_fusion_emission *e) {
    xg_rows *w = (xg_rows *)e->form;
    xg_partial p = xg_partial_enter(e, &w->r, 0);
    xg_rows_share_vectors(w);
    xg_rows_passes(w, &p);
    if (w->parts > 1) xg_cluster_wait(&w->r.s.b, NULL, 0);
    xg_kreturn(&w->r.s.b, p.dest, e->n_roots);
}

/* ---- behind what another walk leaves in shared memory ---- */

XG_FN xg_rows *xg_rows_behind_open(const xg_fusion_emission *e, const xg_inst *from) {
    xg_rows *w = XG_NEW(e->arena, xg_rows);
    int64_t held, unit;
    uint32_t k;
    if (!xg_rows_form(w, e) || !xg_rows_find_tile(w, false, from)) return NULL;
    for (k = 0; k < w->tile.n; k++)
        if (w->tile.values[k]->shape->elements != w->form.rows * w->form.cols) return NULL;
    w->vector = xg_gcd(xg_rows_vector(w, &held, &unit), w->form.cols);
    w->vectors = w->form.cols / w->vector;
    w->work = xg_rows_work(w);
    w->is_given = w->held = true;
    w->parts = w->passes = 1;
    xg_rows_heroes(w);
    return w;
}
XG_APART XG_FN bool xg_rows_behind_fits(xg_rows *w, int64_t threads, int64_t rows) {
    int64_t each;
    w->lanes = threads / rows;
    w->per_block = rows;
    if (threads % rows || (w->lanes > XG_WARP_LANES ? w->lanes % XG_WARP_LANES : w->lanes & (w->lanes - 1)))
        return false;
    each = (w->vectors + w->lanes - 1) / w->lanes * w->vector;
    w->r.threads = threads;
    w->groups = w->r.rounds = w->r.blocks = w->form.rows / rows;
    return each * 4 <= XG_ROWS_HELD_BYTES && each * w->work <= XG_ROWS_HELD_WORK;
}
XG_FN int64_t xg_rows_behind_bytes(const xg_rows *w) {
    int64_t bytes = xg_rows_shared_bytes(w);
    uint32_t k;
    for (k = 0; k < w->tile.n; k++)
        bytes += xg_shared_whole(w->per_block * w->form.cols * xg_type_bytes(w->tile.values[k]->shape->type));
    return bytes;
}
XG_FN int64_t xg_rows_behind_columns(const xg_rows *w) { return w->form.cols; }
/* Clocks of a stage's combination: across the lanes of a warp, then across the warps of a row. */
XG_FN int64_t xg_rows_stage_clocks(int64_t lanes, const xg_device *m) {
    enum {
        LANES = 150, /* of five shuffles with combinations, and one more to broadcast */
        WARPS = 130  /* through shared memory, with a barrier */
    };
    return LANES + (lanes > XG_WARP_LANES ? WARPS + m->shared_latency : 0);
}
XG_FN int64_t xg_rows_behind_clocks(const xg_rows *w, const xg_device *m) {
    enum {
        WRITE = 40 /* of storing results, without computing their elements */
    };
    int64_t each = (w->vectors + w->lanes - 1) / w->lanes * w->vector;
    return w->form.n_stages * (xg_rows_stage_clocks(w->lanes, m) + m->shared_latency) + WRITE + m->l2_latency +
           each * w->work;
}
XG_FN const xg_inst *xg_rows_behind_value(const xg_rows *w, uint32_t k) {
    return k < w->tile.n ? w->tile.values[k] : NULL;
}
XG_FN const xg_imap *xg_rows_behind_map(xg_rows *w, const xg_inst *value) { return xg_row_map(&w->form, value->shape); }
XG_FN void xg_rows_behind(
    xg_rows *w, xg_fusion_emission *e, xg_kb *b, xg_kval *thread, xg_kval *block, xg_kval **arrays, xg_kval **dest) {
    xg_partial p;
    w->r.e = e;
    w->r.s = xg_emit_scope(e, e->m->entry, UINT32_MAX);
    w->r.s.b = *b;
    xg_emit_forget(&w->r.s);
    w->r.thread = thread;
    w->r.block = block;
    w->tile.arrays = arrays;
    p = xg_partial_new(&w->r, 0, dest, e->n_roots);
    xg_rows_pass(w, &p);
    *b = w->r.s.b;
}

#endif /* XG_EMIT_ROWS_C */
