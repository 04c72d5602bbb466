/* emit/transpose_tile.c -- transposes by tiles of equal sides.
 *
 * With A the operand's minor dimension and B the result's, a block takes a tile of A and B at one place of the others,
 * walks over it along A, and behind a barrier along B.
 *
 * Units. A thread moves units of V x V elements: V vectors of V elements are read along A, turned in registers and
 * stored as V vectors along B. V = 1 unless A and B are multiples of it and the device stays busy.
 * Banks. Neither a walk along A nor one along B meets a bank twice. With V = 1 that is because a row of the tile is a
 * word longer than needed; else because the V rows of a unit are as far apart as there are units, and unit b of row a
 * begins at place (b + a) mod (units of a row).
 *
 * The record says "walk": "tile", with "vector" and "tile". */
#ifndef XG_EMIT_TRANSPOSE_TILE_C
#define XG_EMIT_TRANSPOSE_TILE_C
#include "transpose_walk.c"

enum {
    XG_TRANSPOSE_TILE = 32,
    XG_TRANSPOSE_WORK_MAX = 256
};

/* ---- the plan ---- */

XG_FN int64_t xg_transpose_bytes(const xg_transpose *t) {
    int64_t bytes = 0;
    uint32_t k;
    for (k = 0; k < t->heroes.n; k++) bytes = XG_MAX(bytes, xg_transpose_hero_bytes(t, k));
    return bytes;
}
XG_FN void xg_transpose_set(xg_transpose *t, int64_t v, int64_t tile) {
    xg_shared_tile *s = &t->box.t;
    t->v = v;
    t->side = tile;
    s->threads = XG_LAUNCH_THREADS;
    for (s->rank = 0; s->rank < t->p.rank; s->rank++) s->extent[s->rank] = 1;
    s->extent[t->a] = s->extent[t->b] = tile;
    (void)xg_shared_cut(s, t->p.dims);
}
/* A tile of n x n units; the heroes' tiles have one form. */
XG_FN bool xg_transpose_fits(const xg_transpose *t, int64_t v, int64_t n) {
    int64_t bytes = xg_transpose_bytes(t), a = t->p.dims[t->a], b = t->p.dims[t->b], tile = n * v;
    uint32_t k;
    if (a % v || b % v || a < tile || b < tile || v * v * xg_emit_work(t->e->comp) > XG_TRANSPOSE_WORK_MAX ||
        tile * tile * bytes * t->heroes.n > XG_SHARED_STATIC_BYTES)
        return false;
    for (k = 0; k < t->heroes.n; k++)
        if (xg_transpose_hero_bytes(t, k) != bytes) return false;
    return true;
}
/* The widest unit, then the largest tile, that leave every multiprocessor a block. A vector has 4 to 16 bytes. */
XG_FN void xg_transpose_choose(xg_transpose *t) {
    int64_t bytes = xg_transpose_bytes(t), sms = t->e->target->sms, v, n;
    for (v = bytes >= 16 ? 1 : bytes == 8 ? 2 : 4; v > 1 && v * bytes >= 4; v /= 2)
        for (n = v * bytes == 4 ? 32 : 16; n >= 16; n /= 2) {
            if (!xg_transpose_fits(t, v, n)) continue;
            xg_transpose_set(t, v, n * v);
            if (t->box.t.blocks >= sms) return;
        }
    xg_transpose_set(t, 1, XG_TRANSPOSE_TILE);
}
/* Small dimensions would leave most of a tile empty. */
XG_FN bool xg_transpose_is_wide(const xg_transpose *t) {
    int64_t a = t->p.dims[t->a], b = t->p.dims[t->b];
    return t->a != t->b && ((a >= 16 && b >= 16) || (a >= 8 && b >= 8 && a * b >= 8192));
}
/* Sectors touched for a thousand that are needed by rows of a tile of equal sides. */
XG_FN int64_t xg_transpose_waste(const xg_transpose *t, uint32_t dim, int64_t bytes) {
    int64_t row = XG_MIN(t->side, t->p.dims[dim]) * bytes;
    return (row + XG_SECTOR_BYTES - xg_gcd(xg_gcd(row, t->p.dims[dim] * bytes), XG_SECTOR_BYTES)) * 1000 / row;
}
XG_FN int64_t xg_transpose_tile_waste(const xg_transpose *t, const xg_box_ask *ask) {
    return xg_transpose_waste(t, t->a, ask->least) + xg_transpose_waste(t, t->b, ask->least);
}
/* Tiles of equal sides leave less than half of themselves empty. */
XG_FN bool xg_transpose_is_filled(const xg_transpose *t, uint32_t dim) {
    return t->box.t.counts[dim] * t->side * 5 <= t->p.dims[dim] * 8;
}
/* Tiles as ordered, or as chosen where the order leaves them open; NULL, or why not. */
XG_FN const char *xg_transpose_order_tile(xg_transpose *t, const xg_box_ask *ask) {
    int64_t v, tile;
    (void)ask;
    if (!xg_transpose_is_wide(t)) return "its dimensions are too small for tiles of equal sides";
    xg_transpose_choose(t);
    v = t->v;
    tile = t->side;
    (void)xg_form_number(t->e, "vector", &v);
    (void)xg_form_number(t->e, "tile", &tile);
    if (v == t->v && tile == t->side) return NULL;
    if (!xg_form_power(v, 4) || !xg_form_power(tile, XG_TRANSPOSE_TILE * 4) || tile / v < 16 || tile / v > 32)
        return "vector must be 1, 2 or 4, and a tile 16 or 32 of them wide";
    if (v > 1 ? !xg_transpose_fits(t, v, tile / v) : tile != XG_TRANSPOSE_TILE)
        return "tiles of such vectors do not fit its dimensions or shared memory";
    xg_transpose_set(t, v, tile);
    return NULL;
}
XG_FN void xg_transpose_write_tile(const xg_transpose *t) {
    xg_form_put(t->e, "vector", t->v);
    xg_form_put(t->e, "tile", t->side);
}

/* ---- in shared memory ---- */

/* Indices of the tile: row a, element b of it; the tile has the result's dims, of which only these two are longer than
 * one. */
XG_FN void xg_transpose_tile_index(xg_transpose *t, const xg_aff *a, const xg_aff *b, const xg_aff **out) {
    uint32_t n = t->p.rank, k;
    for (k = 0; k < n; k++) out[k] = t->p.from[k] == t->a ? a : k == n - 1 ? b : xg_aff_const(t->e->m->aff, 0);
}
XG_FN uint32_t xg_transpose_tile_room(const xg_transpose *t, int64_t bytes, int64_t *dims) {
    int64_t gap = t->v == 1 ? XG_MAX(XG_BANK_BYTES / bytes, (int64_t)1) : 0;
    uint32_t n = t->p.rank, k;
    for (k = 0; k < n; k++) dims[k] = t->p.from[k] == t->a ? t->side : k == n - 1 ? t->side + gap : 1;
    return n;
}

/* ---- the walk ---- */

/* Where a thread is in its tile: first along `fast`, then the loop over i. The places are those of the first element of
 * a unit. */
typedef struct xg_transpose_place {
    const xg_aff *a, *b;
    int64_t rounds;
} xg_transpose_place;
XG_FN xg_transpose_place xg_transpose_at(xg_transpose *t, bool along_a) {
    xg_aff_ctx *x = t->e->m->aff;
    int64_t lanes = XG_MIN(t->side / t->v, (int64_t)XG_WARP_LANES), rows = XG_LAUNCH_THREADS / lanes;
    const xg_aff *fast = xg_aff_mul(x, xg_aff_mod(x, xg_aff_dim_0(x), lanes), t->v);
    const xg_aff *slow =
        xg_aff_mul(x, xg_aff_add_mul(x, xg_aff_div(x, xg_aff_dim_0(x), lanes), xg_aff_sym(x, 0), rows), t->v);
    xg_transpose_place r;
    r.a = along_a ? fast : slow;
    r.b = along_a ? slow : fast;
    r.rounds = t->side / t->v / rows; /* of 16 or 32 units: two rounds or more */
    return r;
}
/* Over elements if V is 1: indices of `shape`, and places in the tile; else over units: p's index, the first row in the
 * tile, the place in that row. */
XG_FN const xg_imap *xg_transpose_tile_map(xg_transpose *t, bool result, const xg_shape *shape) {
    xg_aff_ctx *x = t->e->m->aff;
    xg_transpose_place at = xg_transpose_at(t, !result);
    const xg_imap *m;
    const xg_aff *more[XG_RANK_MAX], *place[XG_RANK_MAX];
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
        x, xg_aff_mod(x, xg_aff_add(x, xg_aff_div(x, at.b, t->v), xg_aff_div(x, at.a, t->v)), t->side / t->v), t->v);
    return xg_transpose_append(t, m, more, 2);
}
/* What result k of a walk over units runs through. */
XG_FN xg_range xg_transpose_range(const xg_transpose *t, bool result, uint32_t k) {
    uint32_t dim = k < t->p.rank ? (result ? t->p.from[k] : k) : k;
    if (k >= t->p.rank) return xg_range_of(0, k == t->p.rank ? t->side / t->v - 1 : t->side - t->v);
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
    xg_transpose_tile_index(
        t, xg_aff_add_mul(x, xg_aff_dim(x, n), a, t->side / t->v), xg_aff_add(x, xg_aff_dim(x, n + 1), b), more);
    more[n] = xg_aff_add_mul(x, b, a, t->v);
    return xg_transpose_append(t,
        xg_imap_compose(
            x, xg_imap_simplify(x, m), xg_emit_same_place(x, xg_permutation_shape(t->e, &t->p, result, shape), shape)),
        more, n + 1);
}
/* One unit: its elements into registers, then from there into the tiles. */
XG_FN void xg_transpose_load_unit(xg_transpose_walk *w, xg_kval *const *at) {
    xg_transpose *t = w->t;
    xg_kb *b = &w->s->b;
    uint32_t n = t->heroes.n, rank = w->shape->rank, k;
    xg_kval **unit = XG_NEW_N(t->e->arena, xg_kval *, n + 1), *lane[3], *in;
    xg_flow f;
    for (k = 0; k < n; k++)
        unit[k] = xg_kconst_bits(b, xg_kir_vector(t->e->m, w->tiles[k]->type->elem, t->v * t->v), 0);
    in = xg_transpose_enter(w, &f, unit, n, true, xg_transpose_unit(t, false, w->shape, true), at);
    for (k = 0; k < n; k++) {
        lane[0] = xg_emit_join(b, xg_transpose_operand(w, k, in));
        lane[1] = unit[k];
        lane[2] = in + rank + t->p.rank;
        unit[k] = xg_kir_value(b, XG_K_OP_VINSERT, lane, 3, unit[k]->type);
    }
    xg_transpose_roots(w, in);
    xg_flow_end(&f);
    in = xg_transpose_enter(w, &f, w->tiles, n, false, xg_transpose_unit(t, false, w->shape, false), at);
    for (k = 0; k < n; k++) {
        lane[0] = unit[k];
        lane[1] = in + rank + t->p.rank;
        xg_transpose_put(w, k,
            xg_kir_value(b, XG_K_OP_VEXTRACT, lane, 2, xg_kir_scalar(t->e->m, w->tiles[k]->type->elem)), in + rank);
    }
    xg_flow_end(&f);
}
XG_FN void xg_transpose_tile_names(const xg_transpose_walk *w, xg_kval *at) {
    uint32_t rank = w->shape->rank, k;
    for (k = 0; k < rank; k++) xg_emit_name(w->t->e->m, at + k, w->result ? "dim%u" : "input_dim%u", k);
    for (k = 0; k < w->t->p.rank; k++) xg_emit_name(w->t->e->m, at + rank + k, "shmem_dim%u", k);
}
XG_FN void xg_transpose_tile_elements(xg_transpose_walk *w, xg_kval *in) {
    xg_transpose *t = w->t;
    xg_kval *at[XG_RANK_MAX + 2];
    uint32_t k;
    if (t->v == 1) {
        xg_transpose_tile_names(w, in);
        xg_transpose_element(w, in);
        return;
    }
    for (k = 0; k < t->p.rank + 2; k++) xg_kval_set_range(at[k] = in + k, xg_transpose_range(t, w->result, k));
    if (w->result)
        xg_transpose_elements(w, xg_transpose_unit(t, true, w->shape, false), at);
    else
        xg_transpose_load_unit(w, at);
}

#endif /* XG_EMIT_TRANSPOSE_TILE_C */
