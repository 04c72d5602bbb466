/* emit/reduction_row.c -- what is reduced lies side by side: some lanes, warps, or a whole block take a row together.
 *
 *     `lanes` threads to a row, `rows` rows in a block: thread th is lane th mod lanes of row block * rows + th div
 *     lanes
 *     each lane:         acc = reducer over elements (round * lanes + lane) * vector + v: rounds in groups, without
 *                        tests; then the rest; then the row's end
 *     lanes of a warp:   shuffle_reduce
 *     more than a warp:  lane 0 of each warp writes shared[row][warp]; barrier; the row's first warp reads these and
 *                        shuffles
 *     lane 0 of the row writes the result
 *
 * All numbers are powers of two but the row's length and number.
 * Heroes that read arrays of their own may be walked one group after the other, each group in vectors as wide as a
 * single hero's: a thread has registers for what is on its way from memory of one group, not of all of them.
 * Where an array is the same for all rows (the vector of a product), the same lanes take `own` rows at a time, and read
 * it once for all of these; each row has partial results of its own.
 * A row whose elements lie in many short runs (the channels of a group, at each place of an image) is walked by groups
 * of its lanes, each of which takes a run of its own: `beside` runs side by side.
 * Rows whose length is no multiple of a vector begin anywhere: there the lanes start at the last whole sector before
 * the row, and what does not belong to it is left out of the first vectors and the last ones, element by element. */
#ifndef XG_EMIT_REDUCTION_ROW_C
#define XG_EMIT_REDUCTION_ROW_C
#include "emit.h"
#include "reduction_walk.c"

enum {
    XG_ROW_FEW = 8 /* lanes */,
    XG_ROW_LANES_MAX = 1024,
    XG_ROW_OWN_MAX = 8,
    XG_ROW_OWN = 4,           /* rows of the same lanes where they are worth it: ... */
    XG_ROW_OWN_VECTORS = 8,   /* of that many vectors for each thread that a device holds, */
    XG_ROW_OWN_LENGTH = 1024, /* and of rows so long */
    XG_ROW_GROUP = 4          /* rounds whose loads are in flight together */
};
enum {
    XG_ROW_LIGHT = 8 /* operations for an element of a hero that need few registers of their own */,
    XG_ROW_REGISTERS = 40 /* of a thread, for indices, addresses and what it computes */,
    XG_ROW_REGISTERS_MOST = 255,
    XG_ROW_HELD_LEAST = 8 /* words of a group */
};

typedef struct xg_row_plan {
    int64_t vector, lanes, rows;
    int64_t unit;     /* elements of a sector, if rows are entered at one; else 0 */
    int64_t together; /* rounds whose loads are in flight together */
    /* of each row: pieces that are walked one after the other, so that no index has to be divided; else one */
    int64_t length, pieces;
    int64_t beside; /* pieces that groups of lanes walk side by side; 0: one */
    int64_t own;    /* neighbouring rows of the same lanes; 0: one */
} xg_row_plan;

XG_FN int64_t xg_row_own(const xg_row_plan *p) { return XG_MAX(p->own, (int64_t)1); }
/* Lanes of one piece, and whether one round of theirs has all of it: then rounds go from piece to piece. */
XG_FN int64_t xg_row_lanes(const xg_row_plan *p) { return p->lanes / XG_MAX(p->beside, (int64_t)1); }
XG_FN bool xg_row_is_flat(const xg_row_plan *p) { return p->pieces > 1 && xg_row_lanes(p) * p->vector == p->length; }

/* Whether the same lanes may take so many rows at a time. */
XG_FN bool xg_row_may_own(const xg_reduction *r, const xg_row_plan *p, int64_t own) {
    return r->n_values == 1 && !p->unit && p->pieces == 1 && !r->pad && !xg_reduction_has_sides(r) &&
           r->n_kept % own == 0;
}
/* An array that is the same for neighbouring rows has an element for each of a row. */
XG_FN bool xg_row_has_vector(const xg_reduction *r) {
    int64_t side_by_side = 1;
    uint32_t k;
    for (k = 0; k < r->kept.n && side_by_side == 1; k++) side_by_side = r->kept.size[k];
    for (k = 0; side_by_side % 2 == 0 && k < r->e->comp->n_params; k++) {
        const xg_shape *s = r->e->comp->params[k]->shape;
        if (xg_shape_is_array(s) && s->elements >= r->n_reduced && s->elements <= r->in->elements / side_by_side)
            return true;
    }
    return false;
}
/* Large arrays keep the device busy with half of the threads, too, each of which has more loads on their way: then the
 * vector is read once for several rows. */
XG_APART XG_FN void xg_row_settle_own(const xg_reduction *r, xg_row_plan *p) {
    int64_t resident = r->e->target->resident_threads,
            enough = XG_MIN(XG_MIN(r->n_kept, resident) * p->lanes, resident) / 2;
    if (r->in->elements / p->vector < XG_ROW_OWN_VECTORS * resident || p->length < XG_ROW_OWN_LENGTH ||
        !xg_row_has_vector(r))
        return;
    for (p->own = XG_ROW_OWN; p->own > 1 && !xg_row_may_own(r, p, p->own); p->own /= 2) {}
    if (p->own == 1) p->own = 0;
    while (p->own && p->lanes < XG_LAUNCH_THREADS && r->n_kept / p->own * p->lanes < enough) p->lanes *= 2;
}

XG_APART XG_FN xg_row_plan xg_row_plan_of(const xg_reduction *r) {
    int64_t resident = r->e->target->resident_threads, vectors, wide, most;
    xg_row_plan p;
    for (p.vector = r->vector; r->minor % p.vector || (p.vector > 1 && !xg_walk_fits(r, XG_WALK_ROW, p.vector));
         p.vector /= 2) {}
    p.unit = 0;
    p.together = XG_ROW_GROUP;
    p.pieces = r->minor >= 8 * p.vector ? r->n_reduced / r->minor : 1;
    p.length = r->n_reduced / p.pieces;
    if (p.vector < r->vector && r->n_reduced == r->minor && !r->pad && !xg_reduction_has_sides(r) &&
        p.length >= 4 * r->vector && xg_walk_fits(r, XG_WALK_SHIFTED, r->vector)) {
        p.vector = r->vector;
        p.unit = XG_MAX(r->vector, XG_SECTOR_BYTES / r->bytes);
    }
    vectors = (p.length + p.vector - 1) / p.vector;
    /* each has registers for its partial results */
    for (most = XG_ROW_LANES_MAX;
         most > XG_LAUNCH_THREADS && most * (XG_ROW_REGISTERS + r->n_values) > XG_REDUCTION_REGISTERS_SM; most /= 2) {}
    wide = XG_MIN((int64_t)32, 8 * XG_MAX(r->vector / p.vector, (int64_t)1)); /* lanes whose accesses fill a line */
    for (p.lanes = 1; p.lanes < wide; p.lanes *= 2) { /* of short rows more lanes fold more than they read */
        int64_t least = p.unit ? 4 : p.lanes < XG_ROW_FEW ? 2 : 2 * XG_ROW_FEW;
        if (least * p.lanes > vectors) break;
    }
    if (r->n_reduced <= 4) p.lanes = 1;
    while (p.lanes < most && r->n_kept <= resident / p.lanes / 2 && p.length >= 32 * p.lanes) p.lanes *= 2;
    p.beside = p.own = 0;
    while (p.lanes < most && r->n_kept <= resident / p.lanes / 2 && r->n_reduced >= 32 * p.lanes &&
           2 * XG_MAX(p.beside, (int64_t)1) <= p.pieces) {
        p.beside = 2 * XG_MAX(p.beside, (int64_t)1);
        p.lanes *= 2;
    }
    xg_row_settle_own(r, &p);
    p.unit = XG_MIN(p.unit, p.lanes * p.vector); /* the first round reaches the row's begin */
    for (p.rows = XG_MAX(XG_LAUNCH_THREADS / p.lanes, (int64_t)1);
         p.rows > 1 && p.rows / 2 >= r->n_kept && p.rows * p.lanes > XG_WARP_LANES; p.rows /= 2) {}
    return p;
}

/* What follows from vector, lanes, rows, unit and pieces; NULL, or why they cannot be. */
XG_APART XG_FN const char *xg_row_complete(const xg_reduction *r, xg_row_plan *p) {
    bool shifted = p->unit != 0;
    if (!xg_form_power(p->vector, 16) || (!shifted && r->minor % p->vector)) return "vectors must divide the row";
    if (!xg_form_power(p->lanes, XG_ROW_LANES_MAX) || !xg_form_power(p->rows, XG_ROW_LANES_MAX) ||
        p->lanes * p->rows > XG_ROW_LANES_MAX || p->lanes * p->rows % XG_WARP_LANES)
        return "lanes and rows must be powers of two, together 32 to 1024 threads";
    if (p->pieces != 1 && p->pieces != r->n_reduced / r->minor) return "pieces must be 1, or the runs of the row";
    if (p->beside && (!xg_form_power(p->beside, p->lanes) || p->beside == 1 || p->beside > p->pieces))
        return "pieces side by side must be a power of two that divides the lanes, and as many as there are at most";
    if (p->own && (!xg_form_power(p->own, XG_ROW_OWN_MAX) || !xg_row_may_own(r, p, p->own)))
        return "own rows must be a power of two, at most 8, that divides the rows of one plain reduction";
    p->length = r->n_reduced / p->pieces;
    if (shifted && (r->n_reduced != r->minor || p->length < p->lanes * p->vector || r->pad ||
                       xg_reduction_has_sides(r) || p->vector != r->vector ||
                       p->unit != XG_MIN(XG_MAX(p->vector, XG_SECTOR_BYTES / r->bytes), p->lanes * p->vector) ||
                       !xg_walk_fits(r, XG_WALK_SHIFTED, p->vector)))
        return "rows cannot be entered at sectors";
    p->together = XG_ROW_GROUP;
    return NULL;
}

/* The map of all rows that the lanes have, one row's indices behind the other's; m->kept counts these sets of rows. */
XG_FN const xg_imap *xg_row_sets_map(const xg_reduction *r, const xg_row_plan *plan, xg_walk_map *m,
    const xg_imap *(*of)(const xg_reduction *, const xg_walk_map *)) {
    const xg_aff *all[XG_ROW_OWN_MAX * (int)XG_RANK_MAX], *set = m->kept;
    int64_t own = xg_row_own(plan), k;
    uint32_t n = 0, j;
    if (own == 1) return of(r, m);
    for (k = 0; k < own; k++) {
        const xg_imap *one;
        m->kept = xg_aff_add_k(m->x, xg_aff_mul(m->x, set, own), k);
        one = of(r, m);
        if (!xg_imap_ok(one)) return one;
        for (j = 0; j < one->n_results; j++) all[n++] = one->results[j];
    }
    m->kept = set;
    return xg_walk_map_end(r, m, all, n);
}
XG_FN void xg_row_walk(xg_reduction *r, const xg_imap *map, xg_partial *p) {
    xg_elem *x = XG_NEW_N(r->e->arena, xg_elem, r->n_values + 1);
    uint32_t own = p->n / r->n_values, k, j;
    xg_kval *at[XG_RANK_MAX];
    xg_walk w;
    if (map->state == XG_IMAP_EMPTY) return; /* none is there */
    w = xg_walk_begin(r, map, p);
    for (j = 0; j < own; j++) {
        for (k = 0; k < map->n_results / own; k++) at[k] = w.at + j * (map->n_results / own) + k;
        if (j) xg_emit_forget(&r->s); /* another row's elements */
        xg_reduction_elements(r, at, x);
        xg_reduction_merge(r, p->acc + j * r->n_values, x);
        xg_reduction_sides(r, at, p->dest);
    }
    xg_walk_end(r, &w);
}
/* Where the lanes are in rounds from `first` on, in groups. Gives the place in the row of each lane's first element. */
XG_FN const xg_aff *xg_row_places(
    const xg_reduction *r, const xg_row_plan *plan, xg_walk_map *m, int64_t first, int64_t groups, int64_t group) {
    int64_t beside = XG_MAX(plan->beside, (int64_t)1), lanes = xg_row_lanes(plan);
    const xg_aff *th = xg_aff_dim_0(m->x), *lane = xg_aff_mod(m->x, th, plan->lanes), *round, *start;
    bool flat = xg_row_is_flat(plan);
    if (plan->pieces > 1 && !flat) m->outer = xg_walk_sym(m, "piece", (plan->pieces + beside - 1) / beside);
    round = xg_aff_add_k(m->x, xg_aff_mul(m->x, xg_walk_sym(m, "group", groups), group), first);
    round = xg_aff_add(m->x, round, xg_walk_sym(m, "round", group));
    m->kept = xg_aff_add_dim(m->x, xg_aff_div(m->x, th, plan->lanes), 1, plan->rows);
    if (flat) {
        m->outer = round;
        round = xg_aff_const(m->x, 0);
    }
    if (m->outer) m->outer = xg_aff_add_mul(m->x, xg_aff_div(m->x, lane, lanes), m->outer, beside);
    start = xg_aff_add_mul(m->x, xg_aff_mod(m->x, lane, lanes), round, lanes);
    if (m->outer && !flat && plan->pieces % beside) xg_walk_require(m, m->outer, 0, plan->pieces - 1);
    start = xg_aff_mul(m->x, start, plan->vector);
    if (plan->unit) start = xg_aff_add(m->x, start, xg_walk_shift(r, m, plan->unit));
    m->lin = xg_aff_add(m->x, start, xg_walk_sym(m, "vector_index", plan->vector));
    xg_walk_require(m, m->kept, 0, r->n_kept / xg_row_own(plan) - 1);
    return start;
}
/* Rounds of which all elements are in the row; or else, when `last`, only those that are. */
XG_FN void xg_row_rounds(
    xg_reduction *r, const xg_row_plan *plan, int64_t first, int64_t groups, int64_t group, bool last, xg_partial *p) {
    xg_walk_map m = xg_walk_map_begin(r);
    const xg_imap *inside, *across;
    (void)xg_row_places(r, plan, &m, first, groups, group);
    if (last && xg_row_is_flat(plan))
        xg_walk_require(&m, m.outer, 0, plan->pieces - 1);
    else if (last)
        xg_walk_require(&m, m.lin, 0, plan->length - 1);
    if (xg_walk_split(r, &m, &inside, &across)) {
        xg_row_walk(r, inside, p);
        xg_row_walk(r, across, p);
    } else
        xg_row_walk(r, xg_row_sets_map(r, plan, &m, xg_walk_map_source), p);
}
/* Whole vectors of memory of which a part may belong to a neighbouring row: each element counts where its place, says
 * so. Its indices are those of the row that it is in. */
XG_FN void xg_row_masked(xg_reduction *r, xg_walk_map *m, bool at_begin, xg_partial *p) {
    xg_scope *s = &r->s;
    const xg_aff *place = m->lin, *memory = xg_aff_add_mul(m->x, place, m->kept, r->n_reduced),
                 *results[XG_RANK_MAX + 1];
    xg_elem *x = XG_NEW_N(r->e->arena, xg_elem, r->n_values + 1),
            *old = XG_NEW_N(r->e->arena, xg_elem, r->n_values + 1);
    xg_kval *at[XG_RANK_MAX], *counts;
    uint32_t rank = r->in->rank, k;
    const xg_imap *map;
    xg_walk w;
    m->kept = xg_aff_div(m->x, memory, r->n_reduced);
    m->lin = xg_aff_mod(m->x, memory, r->n_reduced);
    map = xg_walk_map_operand(r, m);
    for (k = 0; k < rank; k++) results[k] = map->results[k];
    results[rank] = place;
    map = xg_walk_map_end(r, m, results, rank + 1);
    if (map->state == XG_IMAP_EMPTY) return;
    w = xg_walk_begin(r, map, p);
    for (k = 0; k < rank; k++) at[k] = w.at + k;
    counts = at_begin ? xg_kcmpi_(&s->b, XG_CI_SGE, w.at + rank, xg_elem_index_0(s))
                      : xg_kcmpi_(&s->b, XG_CI_SLT, w.at + rank, xg_elem_index(s, r->n_reduced));
    xg_reduction_elements(r, at, x);
    memcpy(old, p->acc, r->n_values * sizeof *old);
    xg_reduction_merge(r, p->acc, x);
    for (k = 0; k < r->n_values; k++) {
        bool pair = old[k].im != NULL;
        p->acc[k].v = xg_kselect(&s->b, counts, p->acc[k].v, old[k].v);
        if (pair) p->acc[k].im = xg_kselect(&s->b, counts, p->acc[k].im, old[k].im);
    }
    xg_walk_end(r, &w);
}
/* The first round of rows that are entered before their begin. */
XG_FN void xg_row_begin(xg_reduction *r, const xg_row_plan *plan, xg_partial *p) {
    xg_walk_map whole = xg_walk_map_begin(r), parts = whole;
    const xg_aff *lane = xg_aff_mod(whole.x, xg_aff_dim_0(whole.x), plan->lanes);
    /* one path for all lanes where these are few */
    int64_t early = plan->lanes <= XG_ROW_FEW ? plan->lanes : plan->unit / plan->vector;
    (void)xg_row_places(r, plan, &whole, 0, 1, 1);
    (void)xg_row_places(r, plan, &parts, 0, 1, 1);
    xg_walk_require(&whole, lane, early, plan->lanes - 1);
    xg_walk_require(&parts, lane, 0, early - 1);
    if (early < plan->lanes) xg_row_walk(r, xg_walk_map_source(r, &whole), p);
    xg_row_masked(r, &parts, true, p);
}
/* The rounds behind the last one that is whole for all of them. The last vector of the array may not be there. */
XG_FN void xg_row_end(xg_reduction *r, const xg_row_plan *plan, int64_t first, int64_t rounds, xg_partial *p) {
    xg_walk_map whole = xg_walk_map_begin(r), parts = whole, single = whole;
    const xg_aff *start = xg_row_places(r, plan, &whole, first, 1, rounds), *memory;
    int64_t all = plan->length - plan->vector, total = r->n_kept * r->n_reduced;
    bool few = plan->lanes <= XG_ROW_FEW, cut = total % plan->vector != 0;
    (void)xg_row_places(r, plan, &parts, first, 1, rounds);
    (void)xg_row_places(r, plan, &single, first, 1, rounds);
    memory = xg_aff_add_mul(whole.x, start, whole.kept, r->n_reduced);
    xg_walk_require(&whole, start, INT64_MIN, all);
    xg_walk_require(&parts, start, few ? INT64_MIN : all + 1, plan->length - 1);
    if (cut) xg_walk_require(&parts, memory, INT64_MIN, total - plan->vector);
    xg_walk_require(&single, memory, total - plan->vector + 1, INT64_MAX);
    xg_walk_require(&single, single.lin, 0, plan->length - 1);
    if (!few) xg_row_walk(r, xg_walk_map_source(r, &whole), p);
    xg_row_masked(r, &parts, false, p);
    if (cut) xg_row_walk(r, xg_walk_map_source(r, &single), p);
}
XG_FN void xg_row_elements(xg_reduction *r, const xg_row_plan *plan, xg_partial *p) {
    int64_t step = xg_row_lanes(plan) * plan->vector, all = plan->length, first = plan->unit ? 1 : 0, whole, groups,
            rest;
    if (xg_row_is_flat(plan)) {
        step = XG_MAX(plan->beside, (int64_t)1);
        all = plan->pieces;
    }
    whole = all / step;
    groups = (whole - first) / plan->together;
    rest = (whole - first) % plan->together;
    if (plan->unit) xg_row_begin(r, plan, p);
    if (groups) xg_row_rounds(r, plan, first, groups, plan->together, false, p);
    if (rest) xg_row_rounds(r, plan, first + groups * plan->together, 1, rest, false, p);
    if (plan->unit)
        xg_row_end(r, plan, whole, (plan->length + plan->unit - 1 + step - 1) / step - whole, p);
    else if (all % step)
        xg_row_rounds(r, plan, whole, 1, 1, true, p);
}

/* ---- groups of heroes ---- */

XG_FN uint32_t xg_row_first(uint32_t *up, uint32_t h) {
    while (up[h] != h) h = up[h] = up[up[h]];
    return h;
}
/* Heroes that read an array together are one set: up[] leads from each of them to the set's first; bytes[] says by that
 * one what a thread reads for an element. What is the same for many elements joins none: each set reads it, and it
 * counts for one of them. */
XG_APART XG_FN void xg_row_sets(const xg_reduction *r, uint32_t *up, int64_t *bytes) {
    const xg_partition *p = r->e->parts;
    uint32_t *reader = XG_NEW_N(r->e->arena, uint32_t, p->n_insts + 1), h, k, j; /* by place: a hero, plus 1 */
    int64_t elements = r->heroes[0].sources[0]->shape->elements;
    for (h = 0; h < r->n_heroes; h++) {
        up[h] = h;
        reader[xg_partition_place(p, r->heroes[h].i)] = h + 1;
    }
    for (k = p->n_insts; k-- > 0;)
        for (j = 0; reader[k] && j < p->insts[k]->n_operands; j++) {
            const xg_inst *operand = XG_OPERAND(p->insts[k], j);
            uint32_t *its = &reader[xg_partition_place(p, operand)], a, b;
            if (!*its) {
                *its = reader[k];
                continue;
            }
            if (operand->shape->elements < elements || operand->op == XG_BROADCAST || operand->op == XG_IOTA) continue;
            a = xg_row_first(up, *its - 1);
            b = xg_row_first(up, reader[k] - 1);
            up[XG_MAX(a, b)] = XG_MIN(a, b);
        }
    for (k = 0; k < p->n_insts; k++) {
        const xg_shape *s = p->insts[k]->shape;
        if (reader[k] && p->insts[k]->op == XG_PARAMETER && xg_shape_is_array(s) && s->elements > 1)
            bytes[xg_row_first(up, reader[k] - 1)] += xg_type_bytes(s->type);
    }
}
/* Which heroes are walked together; gives the number of groups. */
XG_APART XG_FN uint32_t xg_row_groups(const xg_reduction *r, const xg_row_plan *plan, uint32_t *group) {
    uint32_t *up = XG_NEW_N(r->e->arena, uint32_t, r->n_heroes + 1), h, n = 0;
    int64_t *bytes = XG_NEW_N(r->e->arena, int64_t, r->n_heroes + 1), room, total = 0, share, held = 0,
            rounds = r->n_reduced / (plan->lanes * plan->vector);
    xg_row_sets(r, up, bytes);
    for (h = 0; h < r->n_heroes; h++) total += bytes[h] * plan->vector / 4;
    room = XG_MIN(XG_REDUCTION_REGISTERS_SM / (plan->lanes * plan->rows), (int64_t)XG_ROW_REGISTERS_MOST) -
           XG_ROW_REGISTERS - r->n_values;
    if (total <= room || xg_reduction_has_sides(r)) return 1;
    /* straight code: the assembler finds the order itself */
    if (rounds <= 1 ||
        (!plan->unit && rounds <= XG_ROW_GROUP && xg_emit_work(r->e->comp) <= XG_ROW_LIGHT * (int64_t)r->n_heroes))
        return 1;
    room = XG_MAX(room, (int64_t)XG_ROW_HELD_LEAST);
    share = total / ((total + room - 1) / room); /* groups of about the same size */
    for (h = 0; h < r->n_heroes; h++) {
        int64_t words = bytes[h] * plan->vector / 4;
        if (up[h] != h) {
            group[h] = group[xg_row_first(up, h)];
            continue;
        }
        if (held && held + words > share) {
            n++;
            held = 0;
        }
        group[h] = n;
        held += words;
    }
    return n + 1;
}
XG_FN void xg_row_group(
    xg_reduction *r, const xg_row_plan *plan, const uint32_t *group, uint32_t which, xg_partial *p) {
    xg_reduction part = *r;
    xg_partial own = xg_partial_new(r, r->n_values, NULL, 0);
    uint32_t h;
    part.heroes = XG_NEW_N(r->e->arena, xg_hero, r->n_heroes + 1);
    part.n_heroes = part.n_values = 0;
    for (h = 0; h < r->n_heroes; h++)
        if (group[h] == which) {
            xg_hero *hero = &part.heroes[part.n_heroes++];
            *hero = r->heroes[h];
            hero->first = part.n_values;
            memcpy(own.acc + hero->first, p->acc + r->heroes[h].first, hero->n * sizeof *own.acc);
            part.n_values += hero->n;
        }
    own.n = part.n_values;
    xg_row_elements(&part, plan, &own);
    part.n_heroes = 0;
    for (h = 0; h < r->n_heroes; h++)
        if (group[h] == which) {
            const xg_hero *hero = &part.heroes[part.n_heroes++];
            memcpy(p->acc + r->heroes[h].first, own.acc + hero->first, hero->n * sizeof *own.acc);
        }
    r->s = part.s;
}
XG_FN void xg_row_all(xg_reduction *r, const xg_row_plan *plan, xg_partial *p) {
    uint32_t *group = XG_NEW_N(r->e->arena, uint32_t, r->n_heroes + 1), n = xg_row_groups(r, plan, group), k;
    xg_row_plan single = *plan;
    single.together = 1;
    if (n == 1)
        xg_row_elements(r, plan, p);
    else
        for (k = 0; k < n; k++) xg_row_group(r, &single, group, k, p);
}

/* Lane 0 of each group of so many lanes gets all of their results. */
XG_FN void xg_row_shuffle(xg_reduction *r, int64_t lanes, xg_elem *acc) {
    xg_kval **v = XG_NEW_N(r->e->arena, xg_kval *, 2 * r->n_values + 1);
    const xg_ktype **types = XG_NEW_N(r->e->arena, const xg_ktype *, 2 * r->n_values + 1);
    uint32_t h, n, k;
    for (h = 0; lanes > 1 && h < r->n_heroes; h++) {
        xg_hero *hero = &r->heroes[h];
        xg_kop *op;
        if (!hero->combiner) hero->combiner = xg_hero_combiner(r, hero);
        n = xg_carry_values(acc + hero->first, hero->n, v);
        for (k = 0; k < n; k++) types[k] = v[k]->type;
        op = xg_kir_op(&r->s.b, XG_K_OP_SHUFFLE_REDUCE, v, n, types, n, 0);
        op->a = lanes / 2;
        op->p = hero->combiner;
        xg_carry_elems(op->results, acc + hero->first, hero->n);
    }
}

/* ... of so many values: sets of the heroes', one for each row. */
XG_FN void xg_row_shuffle_all(xg_reduction *r, int64_t lanes, xg_elem *acc, uint32_t values) {
    uint32_t k;
    for (k = 0; k < values; k += r->n_values) xg_row_shuffle(r, lanes, acc + k);
}

XG_FN void xg_row_write(xg_reduction *r, const xg_row_plan *plan, xg_partial *p) {
    xg_walk_map m = xg_walk_map_begin(r);
    const xg_aff *th = xg_aff_dim_0(m.x);
    xg_kval *at[XG_RANK_MAX];
    const xg_imap *map;
    xg_walk w;
    uint32_t own = (uint32_t)xg_row_own(plan), k, j;
    m.kept = xg_aff_add_dim(m.x, xg_aff_div(m.x, th, plan->lanes), 1, plan->rows);
    xg_walk_require(&m, xg_aff_mod(m.x, th, plan->lanes), 0, 0);
    xg_walk_require(&m, m.kept, 0, r->n_kept / own - 1);
    map = xg_row_sets_map(r, plan, &m, xg_walk_map_result);
    w = xg_walk_begin(r, map, p);
    for (j = 0; j < own; j++) {
        for (k = 0; k < map->n_results / own; k++) at[k] = w.at + j * (map->n_results / own) + k;
        if (j) xg_emit_forget(&r->s);
        xg_reduction_results(r, p->acc + j * r->n_values, at, p->dest);
    }
    xg_walk_end(r, &w);
}

XG_FN int64_t xg_row_shared_bytes(const xg_reduction *r, const xg_row_plan *plan) {
    return plan->lanes > XG_WARP_LANES
               ? xg_row_own(plan) * xg_reduction_shared(r, plan->rows * (plan->lanes / XG_WARP_LANES))
               : 0;
}
/* Warps of a row meet in shared memory. */
XG_APART XG_FN void xg_row_across_warps(xg_reduction *r, const xg_row_plan *plan, xg_partial *p) {
    int64_t dims[2];
    xg_walk_map m = xg_walk_map_begin(r);
    const xg_aff *th = xg_aff_dim_0(m.x), *out[2];
    xg_shared shared;
    xg_partial write;
    xg_kval **v, *at[2];
    xg_elem *like;
    xg_walk w;
    uint32_t values = p->n, k, n;
    v = XG_NEW_N(r->e->arena, xg_kval *, 2 * values + 1);
    like = XG_NEW_N(r->e->arena, xg_elem, values + 1);
    dims[0] = plan->rows;
    dims[1] = plan->lanes / XG_WARP_LANES;
    shared = xg_shared_new(&r->s, p->acc, values, dims, 2);
    n = xg_carry_values(p->acc, values, v);
    out[0] = xg_aff_div(m.x, th, plan->lanes);
    out[1] = xg_aff_div(m.x, xg_aff_mod(m.x, th, plan->lanes), XG_WARP_LANES);
    xg_walk_require(&m, xg_aff_mod(m.x, th, XG_WARP_LANES), 0, 0);
    write = xg_partial_new(r, 0, shared.arrays, shared.n);
    w = xg_walk_begin(r, xg_walk_map_end(r, &m, out, 2), &write);
    for (k = 0; k < 2; k++) at[k] = w.at + k;
    for (k = 0; k < n; k++) shared.arrays[k] = xg_kinsert(&r->s.b, v[k], shared.arrays[k], at, 2);
    xg_walk_end(r, &w);
    xg_shared_wait(&r->s.b, shared.arrays, shared.n);
    m = xg_walk_map_begin(r);
    out[1] = xg_aff_mod(m.x, th, dims[1]); /* lanes behind the last warp read what nothing uses */
    xg_walk_require(&m, xg_aff_mod(m.x, th, plan->lanes), 0, 31);
    memcpy(like, p->acc, values * sizeof *like);
    p->n = 0;
    w = xg_walk_begin(r, xg_walk_map_end(r, &m, out, 2), p);
    for (k = 0; k < 2; k++) at[k] = w.at + k;
    xg_shared_read(&r->s, &shared, at, 2, like, values, p->acc);
    xg_row_shuffle_all(r, dims[1], p->acc, values);
    p->n = values;
    xg_row_write(r, plan, p);
    p->n = 0;
    xg_walk_end(r, &w);
}

XG_FN void xg_row_emit(xg_reduction *r, const xg_row_plan *plan, xg_partial *p) {
    xg_row_all(r, plan, p);
    xg_row_shuffle_all(r, XG_MIN(plan->lanes, (int64_t)XG_WARP_LANES), p->acc, p->n);
    if (plan->lanes > XG_WARP_LANES)
        xg_row_across_warps(r, plan, p);
    else
        xg_row_write(r, plan, p);
}

#endif /* XG_EMIT_REDUCTION_ROW_C */
