/* emit/transpose.c -- fusions whose hero moves the minor dimension: through shared memory, so that reads and writes are
 * both coalesced.
 *
 * The heroes are transposes and copies between layouts. Seen in memory order, without dimensions of one element and
 * with neighbours that stay together merged, each is a permutation of a few dimensions; all heroes of a fusion have the
 * same one. A block takes a tile of the array and walks over it twice:
 *   - in the operand's order: whatever is fused in front of the heroes is computed there, and so are the fusion's other
 *     results, at their own place in memory; each hero's elements go to a tile of its own in shared memory;
 *   - behind a barrier in the result's order: heroes are read from there, and what is fused behind them is computed and
 *     written.
 *
 * What a tile is, and how threads go over it, are the rows of xg_transpose_ways. */
#ifndef XG_EMIT_TRANSPOSE_C
#define XG_EMIT_TRANSPOSE_C
#include "loop.c"
#include "transpose_box.c"

enum {
    XG_TRANSPOSE_UNROLL =
        4 /* elements of a thread, by which the loop emitter is no worse where it reads whole sectors */,
    XG_TRANSPOSE_ROW = 8192 /* bytes: longer ones lose little where they are torn */
};

/* ---- the ways to walk ---- */

enum {
    XG_TRANSPOSE_BY_TILE, /* of equal sides */
    XG_TRANSPOSE_BY_BOX,
    XG_TRANSPOSE_BY_SKEWED_BOX
};
/* A small build has tiles of equal sides alone. */
XG_TABLE const xg_transpose_way xg_transpose_ways[] = {
    {"tile", xg_transpose_order_tile, xg_transpose_write_tile, xg_transpose_tile_room, xg_transpose_tile_map,
        xg_transpose_tile_elements},
#ifndef XLAGPU_SMALL
    {"box", xg_transpose_order_box, xg_transpose_write_box, xg_transpose_box_room, xg_transpose_box_map,
        xg_transpose_box_elements},
    {"skewed", xg_transpose_order_skew, xg_transpose_write_box, xg_transpose_box_room, xg_transpose_skew_map,
        xg_transpose_skew_elements},
#endif
};

/* ---- the choice ---- */

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
/* The sectors of a first warp that walks over the result as the loop emitter does: it reads the operand in as few as
 * need be. */
XG_APART XG_FN bool xg_transpose_reads_whole(const xg_transpose *t, int64_t unroll) {
    xg_aff_ctx *x = t->e->m->aff;
    const xg_inst *hero = t->heroes.p[0];
    int64_t bytes = xg_type_bytes(hero->shape->type), sectors = 0, least = 0, syms[1];
    const xg_imap *m = xg_indexing_thread(
        x, hero->shape, XG_LAUNCH_THREADS, xg_launch_linear(t->e, hero->shape->elements, unroll).blocks[0], unroll);
    m = xg_indexing_flatten(x, xg_imap_compose(x, m, xg_indexing_operand(x, hero, 0)), XG_OPERAND(hero, 0)->shape);
    if (!xg_imap_ok(m) || m->n_syms > 1) return true;
    for (syms[0] = 0; syms[0] < unroll; syms[0]++) {
        xg_warp_access a = xg_indexing_warp(m, 1, NULL, syms, bytes);
        if (!a.known) return true;
        sectors += a.sectors;
        least += a.least_sectors;
    }
    return sectors * 16 <= least * 17; /* a sixteenth more than there must be: rows that begin inside of a sector */
}
/* The way that is ordered; NULL: none, or an unknown one. */
XG_FN const xg_transpose_way *xg_transpose_ordered(const xg_fusion_emission *e) {
    const xg_numbers *walk = e->given ? xg_record_get(&e->given->form, "walk") : NULL;
    uint32_t k;
    for (k = 0; walk && k < XG_COUNT(xg_transpose_ways); k++)
        if (xg_str_is(walk->word, xg_transpose_ways[k].name)) return &xg_transpose_ways[k];
    return NULL;
}
XG_FN bool xg_transpose_obey(xg_transpose *t) {
    xg_box_ask ask = xg_transpose_ask(t);
    const char *why = t->way->order(t, &ask);
    return why ? xg_emit_refuse(t->e, why) : true;
}
XG_FN bool xg_transpose_take(xg_transpose *t, uint32_t way) {
    t->way = &xg_transpose_ways[way];
    return true;
}
/* A box, or a skewed one, where it is better than tiles of equal sides. Smaller arrays are a few blocks, most of whose
 * time is the launch. */
XG_APART XG_FN bool xg_transpose_make_any_box(xg_transpose *t, bool wide, bool filled) {
#ifndef XLAGPU_SMALL
    xg_box_ask ask;
    xg_box box;
    bool boxed;
    if (t->heroes.p[0]->shape->elements < XG_BOX_WORTH) return false;
    ask = xg_transpose_ask(t);
    boxed = xg_transpose_make_box(t, &ask, filled, &box);
    if ((boxed || wide) && xg_transpose_make_skewed(t, &ask, boxed ? &box : NULL))
        return xg_transpose_take(t, XG_TRANSPOSE_BY_SKEWED_BOX);
    if (!boxed) return false;
    xg_box_layout(t->e->arena, &ask, &box);
    if (box.meets && xg_transpose_make_skewed(t, &ask, &box)) return xg_transpose_take(t, XG_TRANSPOSE_BY_SKEWED_BOX);
    t->box = box;
    return xg_transpose_take(t, XG_TRANSPOSE_BY_BOX);
#else
    (void)t;
    (void)wide;
    (void)filled;
    return false;
#endif
}
XG_FN bool xg_transpose_make(xg_transpose *t, xg_fusion_emission *e) {
    bool wide, filled = false;
    int64_t unroll;
    t->a = t->p.rank - 1;
    t->b = xg_permutation_b(&t->p);
    t->way = xg_transpose_ordered(e);
    if (t->way) return xg_transpose_obey(t);
    wide = xg_transpose_is_wide(t);
    if (wide) {
        xg_transpose_choose(t);
        filled = xg_transpose_is_filled(t, t->a) && xg_transpose_is_filled(t, t->b);
    }
    unroll = xg_loop_unroll(e, t->heroes.p[0]->shape->elements);
    if (!filled && unroll >= XG_TRANSPOSE_UNROLL && xg_transpose_reads_whole(t, unroll)) return false;
    if (xg_transpose_make_any_box(t, wide, filled)) return true;
    return wide && xg_transpose_take(t, XG_TRANSPOSE_BY_TILE) && t->box.t.blocks <= INT32_MAX &&
           XG_TRANSPOSE_TILE * (XG_TRANSPOSE_TILE + 1) * xg_transpose_bytes(t) * t->heroes.n <= XG_SHARED_STATIC_BYTES;
}

/* ---- the plan ---- */

XG_FN const xg_ktype *xg_transpose_tile_type(const xg_transpose *t, const xg_inst *hero) {
    xg_kelem elem = xg_kelem_of(hero->shape->type);
    int64_t dims[XG_RANK_MAX];
    uint32_t rank = t->way->room(t, xg_kelem_bytes(elem), dims);
    return xg_kir_tensor(t->e->m, elem, dims, rank);
}
XG_FN int64_t xg_transpose_shared_bytes(const xg_transpose *t) {
    int64_t bytes = 0;
    uint32_t k;
    for (k = 0; k < t->heroes.n; k++) {
        const xg_ktype *type = xg_transpose_tile_type(t, t->heroes.p[k]);
        bytes += xg_shared_whole(type->elements * xg_kelem_bytes(type->elem));
    }
    return bytes;
}
XG_FN bool xg_emit_transpose_plan(xg_fusion_emission *e) {
    xg_transpose found, *t;
    int64_t dims[XG_RANK_MAX];
    found.e = e;
    memset(&found.p, 0, sizeof found.p);
    memset(&found.heroes, 0, sizeof found.heroes);
    if (!xg_heroes_find(e, xg_transpose_is_hero, &found, &found.heroes)) return false;
    t = XG_NEW(e->arena, xg_transpose); /* it is large, and plans are kept: not of what is none */
    t->e = e;
    t->p = found.p;
    t->heroes = found.heroes;
    e->form = t;
    if (!xg_transpose_make(t, e)) return false;
    t->places = t->way->room(t, 1, dims);
    xg_form_write_walk(e, t->way->name);
    t->way->write(t);
    e->record->launch.shared = xg_transpose_shared_bytes(t);
    return xg_emit_launch(e, t->box.t.threads, t->box.t.blocks, t->box.t.parts > 1 ? t->box.t.parts : 0);
}

/* ---- the kernel ---- */

/* The whole walk in the order of the operand, or of the result. */
XG_FN void xg_transpose_go(xg_transpose_walk *w, bool result) {
    xg_transpose *t = w->t;
    xg_flow f;
    w->result = result;
    w->shape = result ? t->heroes.p[0]->shape : XG_OPERAND(t->heroes.p[0], 0)->shape;
    t->way->elements(w, xg_transpose_inside(w, &f, t->way->map(t, result, w->shape), w->ids));
    xg_flow_end(&f);
}
XG_FN void xg_emit_transpose(xg_fusion_emission *e) {
    xg_transpose *t = (xg_transpose *)e->form;
    xg_transpose_walk w;
    xg_scope s;
    uint32_t k;
    memset(&w, 0, sizeof w);
    w.t = t;
    w.s = &s;
    w.dest = xg_emit_enter(e, &s);
    w.tiles = XG_NEW_N(e->arena, xg_kval *, t->heroes.n + 1);
    w.ids[0] = xg_kthread_id(&s.b, 0, t->box.t.threads);
    w.ids[1] = xg_kblock_id(&s.b, 0, t->box.t.blocks);
    for (k = 0; k < t->heroes.n; k++) {
        w.tiles[k] = xg_shared_of(&s.b, xg_transpose_tile_type(t, t->heroes.p[k]));
        xg_emit_name(e->m, w.tiles[k], t->heroes.n == 1 ? "shmem" : "shmem%u", k);
    }
    xg_transpose_go(&w, false);
    xg_shared_meet(&s.b, &t->box.t, w.tiles, t->heroes.n);
    for (k = 0; k < t->heroes.n; k++) w.tiles[k]->name = XG_STR("synced_tensor");
    xg_transpose_go(&w, true);
    xg_shared_leave(&s.b, &t->box.t);
    xg_kreturn(&s.b, w.dest, e->n_roots);
}

#endif /* XG_EMIT_TRANSPOSE_C */
