/* emit/transpose_plan.c -- whether a fusion has transposes that go through shared memory, by tiles of equal sides, by
 * boxes of whole sectors (box.c) or by boxes whose runs begin inside of sectors (skew.c), and of what size they are.
 *
 * The record says "walk": "tile" with "vector" and "tile", or "box" or "skewed" with the extents of the "box". */
#ifndef XG_EMIT_TRANSPOSE_PLAN_C
#define XG_EMIT_TRANSPOSE_PLAN_C
#include "emit.h"
#include "skew.c"
#include "loop.c"

enum {
    XG_TRANSPOSE_THREADS = 128,
    XG_TRANSPOSE_TILE = 32,
    XG_TRANSPOSE_UNROLL =
        4 /* elements of a thread, by which the loop emitter is no worse where it reads whole sectors */,
    XG_TRANSPOSE_ROUNDS = 32 /* that become straight code */,
    XG_TRANSPOSE_WORK_MAX = 256,
    XG_TRANSPOSE_WORK = 10 /* of an element, which takes longer than its sectors */,
    XG_TRANSPOSE_ROW = 8192 /* bytes: longer ones lose little where they are torn */
};

/* ---- the fusion: heroes, what is behind them, what is beside them ---- */

/* Whether a transpose walks by boxes, or by skewed ones. A small build has tiles of equal sides alone. */
#ifdef XLAGPU_SMALL
#define XG_TRANSPOSE_BOXES 0
#else
#define XG_TRANSPOSE_BOXES 1
#endif
#define XG_TRANSPOSE_IS(t, walk) (XG_TRANSPOSE_BOXES && (t)->walk)
typedef struct xg_transpose {
    xg_fusion_emission *e;
    xg_permutation p;
    xg_heroes heroes;
    /* the tile */
    uint32_t a, b;   /* which of p's dims */
    int64_t v, tile; /* of A and B alike */
    bool boxed;      /* or a box: v is 1 */
    xg_box box;
    bool skewed; /* or a box whose runs begin inside of sectors: v is 1 */
    xg_skew skew;
    int64_t tiles[XG_RANK_MAX], counts[XG_RANK_MAX], blocks, threads;
    uint32_t places; /* dimensions of the tile in shared memory */
} xg_transpose;

/* Rows that begin inside of sectors are torn by every access of the loop emitter: long ones in a small array may be. */
XG_FN bool xg_transpose_splits(const xg_inst *i, const xg_permutation *p) {
    int64_t bytes = xg_type_bytes(i->shape->type);
    return xg_permutation_splits_sectors(p, bytes) &&
           (p->dims[p->rank - 1] < XG_TRANSPOSE_ROW / bytes || i->shape->elements >= XG_SKEW_WORTH / bytes);
}
XG_FN bool xg_transpose_is_hero(void *data, const xg_inst *i, bool first) {
    xg_transpose *t = (xg_transpose *)data;
    xg_permutation q;
    if (!xg_permutation_of(i, &q) || !(xg_permutation_moves_minor(&q) || xg_transpose_splits(i, &q)) ||
        !(first || xg_permutation_equal(&q, &t->p)))
        return false;
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
    t->threads = XG_TRANSPOSE_THREADS;
    t->places = XG_TRANSPOSE_IS(t, boxed) ? 1 : t->p.rank;
    for (k = 0; k < t->p.rank; k++) {
        t->tiles[k] = XG_TRANSPOSE_IS(t, boxed) ? t->box.tile[k] : k == t->a || k == t->b ? tile : 1;
        t->counts[k] = (t->p.dims[k] + t->tiles[k] - 1) / t->tiles[k];
        t->blocks *= t->counts[k];
    }
}
/* A tile of n x n units; the heroes' tiles have one form. */
XG_FN bool xg_transpose_fits(const xg_transpose *t, int64_t v, int64_t n) {
    int64_t bytes = xg_transpose_bytes(t), a = t->p.dims[t->a], b = t->p.dims[t->b], tile = n * v;
    uint32_t k;
    if (a % v || b % v || a < tile || b < tile || v * v * xg_emit_work(t->e->comp) > XG_TRANSPOSE_WORK_MAX ||
        tile * tile * bytes * t->heroes.n > XG_SHARED_STATIC_BYTES)
        return false;
    for (k = 0; k < t->heroes.n; k++)
        if (xg_kelem_bytes(xg_kelem_of(t->heroes.p[k]->shape->type)) != bytes) return false;
    return true;
}
/* The widest unit, then the largest tile, that leave every multiprocessor a block. A vector has 4 to 16 bytes. */
XG_FN void xg_transpose_choose(xg_transpose *t) {
    int64_t bytes = xg_transpose_bytes(t), sms = t->e->target->sms, v, n;
    for (v = bytes >= 16 ? 1 : bytes == 8 ? 2 : 4; v > 1 && v * bytes >= 4; v /= 2)
        for (n = v * bytes == 4 ? 32 : 16; n >= 16; n /= 2) {
            if (!xg_transpose_fits(t, v, n)) continue;
            xg_transpose_set(t, v, n * v);
            if (t->blocks >= sms) return;
        }
    xg_transpose_set(t, 1, XG_TRANSPOSE_TILE);
}

/* Small dimensions would leave most of a tile empty. */
XG_FN bool xg_transpose_is_wide(const xg_transpose *t) {
    int64_t a = t->p.dims[t->a], b = t->p.dims[t->b];
    return t->a != t->b && ((a >= 16 && b >= 16) || (a >= 8 && b >= 8 && a * b >= 8192));
}
/* The sectors of a first warp that walks over the result as the loop emitter does: it reads the operand in as few as
 * need be. */
XG_FN bool xg_transpose_reads_whole(const xg_transpose *t, int64_t unroll) {
    xg_aff_ctx *x = t->e->m->aff;
    const xg_inst *hero = t->heroes.p[0];
    int64_t bytes = xg_type_bytes(hero->shape->type), sectors = 0, least = 0, syms[1];
    const xg_imap *m = xg_indexing_thread(
        x, hero->shape, XG_TRANSPOSE_THREADS, xg_launch_linear(t->e, hero->shape->elements, unroll).blocks[0], unroll);
    m = xg_indexing_flatten(x, xg_imap_compose(x, m, xg_indexing_operand(x, hero, 0)), XG_OPERAND(hero, 0)->shape);
    if (!xg_imap_ok(m) || m->n_syms > 1) return true;
    for (syms[0] = 0; syms[0] < unroll; syms[0]++) {
        xg_warp_access a = xg_indexing_warp(m, 1, NULL, syms, bytes);
        if (!a.known) return true;
        sectors += a.sectors;
        least += a.least_sectors;
    }
    return sectors * 16 <= least * 17;
}
/* Sectors touched for a thousand that are needed by rows of a tile of equal sides. */
XG_FN int64_t xg_transpose_waste(const xg_transpose *t, uint32_t dim, int64_t bytes) {
    int64_t row = XG_MIN(t->tile, t->p.dims[dim]) * bytes;
    return (row + XG_SECTOR_BYTES - xg_gcd(xg_gcd(row, t->p.dims[dim] * bytes), XG_SECTOR_BYTES)) * 1000 / row;
}
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
        int64_t bytes = xg_kelem_bytes(xg_kelem_of(t->heroes.p[k]->shape->type));
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
XG_FN int64_t xg_transpose_tile_waste(const xg_transpose *t, const xg_box_ask *ask) {
    return xg_transpose_waste(t, t->a, ask->least) + xg_transpose_waste(t, t->b, ask->least);
}
/* filled: there are tiles of equal sides, which are left only for boxes of whole sectors, or that touch a fifth
 * fewer. */
XG_FN bool xg_transpose_make_box(xg_transpose *t, const xg_box_ask *ask, bool filled) {
    if (!xg_box_tile(ask, &t->box)) return false;
    if (filled) {
        int64_t waste = xg_transpose_tile_waste(t, ask);
        if (t->box.waste > (t->box.waste < 2040 ? waste - 40 : waste * 4 / 5)) return false;
    }
    t->boxed = true;
    xg_transpose_set(t, 1, 1);
    return true;
}
XG_FN void xg_transpose_set_skewed(xg_transpose *t) {
    t->boxed = false;
    t->skewed = true;
    t->v = t->places = 1;
    t->blocks = t->skew.blocks;
    t->threads = t->skew.threads;
}
/* Fewer sectors are touched, by a fifth if so much is computed, or in a small array so many lanes stay idle, that it is
 * not they that take the time; and an eighth of the multiprocessors have a block. What is small and has a box keeps it:
 * fewer instructions count for more. A box whose walks meet banks twice is left for what is no worse. */
XG_FN bool xg_transpose_make_skewed(xg_transpose *t, const xg_box_ask *ask) {
    const xg_fusion_emission *e = t->e;
    bool worth = t->heroes.p[0]->shape->elements * ask->least >= XG_SKEW_WORTH;
    int64_t waste = t->boxed ? t->box.waste : xg_transpose_tile_waste(t, ask),
            most = ask->work < XG_TRANSPOSE_WORK ? waste - 20 : waste * 4 / 5, idle = worth ? most : waste * 4 / 5;
    if (t->boxed && !worth) return false;
    if (t->box.meets) most = idle = waste;
    if (!xg_skew_make(ask, e->target->shared / 2 - XG_SKEW_REST, ask->sms / 8, idle, &t->skew)) return false;
    if (t->skew.waste > (xg_skew_idles(&t->skew) ? idle : most)) return false;
    xg_transpose_set_skewed(t);
    return true;
}
/* Tiles of equal sides leave less than half of themselves empty. */
XG_FN bool xg_transpose_is_filled(const xg_transpose *t, uint32_t dim) {
    return t->counts[dim] * t->tile * 5 <= t->p.dims[dim] * 8;
}
/* ---- the form ---- */

enum {
    XG_TRANSPOSE_SQUARE, /* tiles of equal sides */
    XG_TRANSPOSE_BOX,
    XG_TRANSPOSE_SKEW,
    XG_TRANSPOSE_WALKS
};
static const char *const xg_transpose_walks[] = {"tile", "box", "skewed"};

/* Tiles as ordered, or as chosen where the order leaves them open; NULL, or why not. */
XG_FN const char *xg_transpose_order_tile(xg_transpose *t) {
    int64_t v = t->v, tile = t->tile;
    (void)xg_form_number(t->e, "vector", &v);
    (void)xg_form_number(t->e, "tile", &tile);
    if (v == t->v && tile == t->tile) return NULL;
    if (!xg_form_power(v, 4) || !xg_form_power(tile, XG_TRANSPOSE_TILE * 4) || tile / v < 16 || tile / v > 32)
        return "vector must be 1, 2 or 4, and a tile 16 or 32 of them wide";
    if (v > 1 ? !xg_transpose_fits(t, v, tile / v) : tile != XG_TRANSPOSE_TILE)
        return "tiles of such vectors do not fit its dimensions or shared memory";
    xg_transpose_set(t, v, tile);
    return NULL;
}
/* A box as ordered, or as found; NULL, or why not. */
XG_FN const char *xg_transpose_order_box(xg_transpose *t, const xg_box_ask *ask) {
    const xg_numbers *box = xg_record_get(&t->e->given->form, "box");
    bool found = xg_box_tile(ask, &t->box);
    if (box && (box->n != t->p.rank || !xg_box_set(ask, &t->box, box->p))) return "there is no such box";
    if (!box && !found) return "no box of whole sectors is small enough";
    t->boxed = true;
    xg_transpose_set(t, 1, 1);
    xg_box_layout(t->e->arena, ask, &t->box);
    return NULL;
}
/* There are two at most: one in which all lanes work, and one of fewer sectors in which some may not. */
XG_FN const char *xg_transpose_order_skew(xg_transpose *t, const xg_box_ask *ask) {
    const xg_numbers *box = xg_record_get(&t->e->given->form, "box");
    int64_t idle[2] = {INT64_MAX, 0};
    uint32_t k;
    for (k = 0; k < 2; k++) {
        if (!xg_skew_make(ask, t->e->target->shared / 2 - XG_SKEW_REST, ask->sms / 8, idle[k], &t->skew)) continue;
        if (box && (box->n != t->p.rank || memcmp(box->p, t->skew.tile, box->n * sizeof *box->p) != 0)) continue;
        xg_transpose_set_skewed(t);
        return NULL;
    }
    return box ? "there is no such skewed box" : "it has no runs that a skewed box would enter at whole sectors";
}
XG_FN bool xg_transpose_obey(xg_transpose *t, uint32_t walk, bool wide) {
    xg_box_ask ask = xg_transpose_ask(t);
    const char *why;
    if (walk != XG_TRANSPOSE_SQUARE && !XG_TRANSPOSE_BOXES)
        why = "walks by boxes were left out of this build (XLAGPU_SMALL)";
    else if (walk != XG_TRANSPOSE_SQUARE)
        why = walk == XG_TRANSPOSE_BOX ? xg_transpose_order_box(t, &ask) : xg_transpose_order_skew(t, &ask);
    else if (!wide)
        why = "its dimensions are too small for tiles of equal sides";
    else
        why = xg_transpose_order_tile(t);
    return why ? xg_emit_refuse(t->e, why) : true;
}
XG_FN void xg_transpose_write(const xg_transpose *t) {
    xg_fusion_emission *e = t->e;
    uint32_t walk = XG_TRANSPOSE_IS(t, skewed)  ? XG_TRANSPOSE_SKEW
                    : XG_TRANSPOSE_IS(t, boxed) ? XG_TRANSPOSE_BOX
                                                : XG_TRANSPOSE_SQUARE;
    xg_form_write_walk(e, xg_transpose_walks[walk]);
    if (walk == XG_TRANSPOSE_SQUARE) {
        xg_form_put(e, "vector", t->v);
        xg_form_put(e, "tile", t->tile);
        return;
    }
    xg_record_put(
        e->arena, &e->record->form, "box", XG_TRANSPOSE_IS(t, skewed) ? t->skew.tile : t->box.tile, t->p.rank);
    if (XG_TRANSPOSE_IS(t, skewed)) xg_form_put(e, "parts", t->skew.parts);
}
XG_FN bool xg_transpose_make(xg_transpose *t, xg_fusion_emission *e) {
    bool wide, filled = false, boxed;
    int64_t unroll;
    xg_box_ask ask;
    uint32_t walk = xg_form_walk(e, xg_transpose_walks, XG_TRANSPOSE_WALKS);
    memset(t, 0, sizeof *t);
    t->e = e;
    if (!xg_heroes_find(e, xg_transpose_is_hero, t, &t->heroes)) return false;
    t->a = t->p.rank - 1;
    t->b = xg_permutation_b(&t->p);
    wide = xg_transpose_is_wide(t);
    if (walk < XG_TRANSPOSE_WALKS) {
        if (wide) xg_transpose_choose(t);
        return xg_transpose_obey(t, walk, wide);
    }
    if (wide) {
        xg_transpose_choose(t);
        filled = xg_transpose_is_filled(t, t->a) && xg_transpose_is_filled(t, t->b);
    }
    unroll = xg_loop_unroll(e, t->heroes.p[0]->shape->elements);
    if (!filled && unroll >= XG_TRANSPOSE_UNROLL && xg_transpose_reads_whole(t, unroll)) return false;
    if (XG_TRANSPOSE_BOXES &&
        t->heroes.p[0]->shape->elements >= XG_BOX_WORTH) { /* less is a few blocks, most of whose time is the launch */
        ask = xg_transpose_ask(t);
        boxed = xg_transpose_make_box(t, &ask, filled);
        if ((boxed || wide) && xg_transpose_make_skewed(t, &ask)) return true;
        if (boxed) {
            xg_box_layout(e->arena, &ask, &t->box);
            if (t->box.meets && xg_transpose_make_skewed(t, &ask)) return true;
        }
        if (boxed) return true;
    }
    if (!wide) return false;
    return t->blocks <= INT32_MAX &&
           XG_TRANSPOSE_TILE * (XG_TRANSPOSE_TILE + 1) * xg_transpose_bytes(t) * t->heroes.n <= XG_SHARED_STATIC_BYTES;
}

#endif /* XG_EMIT_TRANSPOSE_PLAN_C */
