/* emit/reduction_short.c -- rows or columns of a few elements, where rows begin inside of sectors: a thread takes one,
 * but memory is read side by side.
 *
 *     each thread:  shared[round * 128 + thread] = reducer over F neighbours of all rows of a block, which are one run
 *                   of memory; F: the largest power of two in the length
 *     barrier
 *     thread th:    acc = reducer over shared[row * length / F + j] for all j, then the result, for its rows th,
 *                   th + 128 ... Of longer rows each has some lanes
 *
 * Lanes of a row would mostly be idle or meet in shuffles, and a thread that read its row from memory would touch the
 * sectors of all rows beside it with each access. Through shared memory each sector is touched once. Of rows of an odd
 * length a thread moves a vector of elements as they are, whatever rows they belong to. As length / F is odd (or twice
 * that), the lanes of a warp find their elements in banks of their own (or two in one).
 * What is made of an element's place alone, as the numbers of an argmax are, is made where it is wanted, and does not
 * lie in shared memory; then neighbours are not combined in front of it, so that each element's number in its row is
 * known when the code is made. Rows whose length is a multiple of 4 combine: their elements would lie in four banks.
 * The same for columns: a block takes all columns of some slabs, which are one run of memory, too; `beside` columns of
 * a slab lie beside each other, element j of each `beside` behind the one before. Rows are slabs of one column. */
#ifndef XG_EMIT_REDUCTION_SHORT_C
#define XG_EMIT_REDUCTION_SHORT_C
#include "emit.h"
#include "reduction_row.c"

enum {
    XG_SHORT_FEW = 16 /* elements of rows of which a thread has several */,
    XG_SHORT_LENGTH = 63,
    XG_SHORT_ELEMENTS = 1 << 14 /* of an array that is worth it; less where lanes that meet have more to tell */,
    XG_SHORT_LANE = 32 /* of them in a lane, where rows have several */,
    XG_SHORT_STRAIGHT = 32 /* elements whose code is straight */,
    XG_SHORT_LENGTH_MAX = 1100,
    XG_SHORT_ROW_BYTES = 17 * 32 /* of which the sectors at the ends are too many */,
    XG_SHORT_COLUMN = 31 /* elements of columns that are too short for steps of whole sectors */
};

XG_FN xg_kelem xg_short_type(const xg_hero *h, uint32_t k) {
    return xg_kelem_of(h->wide != XLAGPU_INVALID ? h->wide : XG_OPERAND(h->i, k)->shape->type);
}

typedef struct xg_short_plan {
    int64_t vector /* elements that a thread moves at once; 0: the rows are not of this kind */,
        fold /* that many of them are one in shared memory: 1 or all */, length /* of a row there */,
        rows /* of a block */, lanes /* of a row */, beside /* see above */;
    bool *made /* by value: where it is wanted */;
} xg_short_plan;
enum {
    XG_SHORT_ASKED = 16 /* instructions */
};
/* Is it made of constants and its place? */
XG_FN bool xg_short_is_placed(const xg_inst *i, uint32_t *asked) {
    uint32_t k;
    if (++*asked > XG_SHORT_ASKED || i->op == XG_PARAMETER) return false;
    if (i->op == XG_IOTA || i->op == XG_CONSTANT) return true;
    if (i->op != XG_BROADCAST && i->op != XG_BITCAST && i->op != XG_RESHAPE && i->op != XG_COPY &&
        !(xg_op_flags(i->op) & XGF_EW))
        return false;
    for (k = 0; k < i->n_operands; k++)
        if (!xg_short_is_placed(XG_OPERAND(i, k), asked)) return false;
    return true;
}
/* Some values are, and some are not. */
XG_FN bool xg_short_find_made(const xg_reduction *r, bool *made) {
    uint32_t h, k, n = 0;
    for (h = 0; h < r->n_heroes; h++)
        for (k = 0; k < r->heroes[h].n; k++) {
            uint32_t asked = 0;
            bool *is = &made[r->heroes[h].first + k];
            *is = xg_short_is_placed(r->heroes[h].sources[k], &asked);
            n += *is;
        }
    return n && n < r->n_values;
}
/* Of an element, as vectors count them. */
XG_ONE_COPY XG_FN int64_t xg_short_bytes(const xg_reduction *r) {
    return XG_MIN(r->bytes, XG_ACCESS_BYTES / xg_reduction_columns(r));
}
/* Of columns: slabs for a result or two of each thread, which begin at whole sectors. bytes, widest: of what lies in
 * shared memory. */
XG_FN xg_short_plan xg_short_columns(const xg_reduction *r, int64_t bytes, int64_t widest) {
    int64_t slab = r->n_reduced * r->minor * xg_short_bytes(r), sms = r->e->target->sms,
            slabs = XG_SECTOR_BYTES / xg_gcd(XG_SECTOR_BYTES, slab),
            results = r->n_kept >= 2 * sms * XG_LAUNCH_THREADS ? 2 * XG_LAUNCH_THREADS : XG_LAUNCH_THREADS;
    xg_short_plan p;
    memset(&p, 0, sizeof p);
    p.fold = p.lanes = 1;
    p.beside = r->minor;
    p.length = r->n_reduced;
    p.rows = (results + r->minor * slabs - 1) / (r->minor * slabs) * slabs * r->minor;
    if (bytes * p.rows * p.length <= XG_SHARED_TILE_BYTES && r->n_kept / p.rows >= sms / 4)
        p.vector = XG_MAX(XG_MIN(xg_reduction_columns(r), XG_ACCESS_BYTES / widest), (int64_t)1);
    return p;
}
XG_APART XG_FN xg_short_plan xg_short_plan_of(const xg_reduction *r) {
    static const xg_short_plan none = {0, 0, 0, 0, 0, 0, NULL};
    xg_short_plan p;
    int64_t total = r->n_kept * r->n_reduced, bytes = 0, widest = 0;
    uint32_t h, k;
    if (r->pad || r->n_reduced < (r->row ? 3 : 2) || total < XG_SHORT_ELEMENTS / (r->n_values > 1 && r->row ? 16 : 1) ||
        xg_reduction_has_sides(r))
        return none;
    if (r->row
            ? r->n_reduced != r->minor
            : r->n_reduced > XG_SHORT_COLUMN || r->minor * r->bytes % XG_SECTOR_BYTES == 0 || !xg_reduction_is_stack(r))
        return none;
    for (h = 0; h < r->n_heroes; h++)
        for (k = 0; k < r->heroes[h].n; k++) {
            xg_kelem type = xg_short_type(&r->heroes[h], k);
            int64_t size = xg_kelem_bytes(type);
            if (xg_kelem_is_complex(type)) return none;
            bytes += size;
            widest = XG_MAX(widest, size);
        }
    if (!r->row) return xg_short_columns(r, bytes, widest);
    p.beside = 1;
    p.made = XG_NEW_N(r->e->arena, bool, r->n_values + (size_t)1);
    if (r->n_reduced % 4 == 0 || !xg_short_find_made(r, p.made)) p.made = NULL;
    p.fold = p.made ? 1 : xg_gcd(r->n_reduced, r->vector);
    for (bytes = widest = 0, h = 0; h < r->n_heroes; h++)
        for (k = 0; k < r->heroes[h].n; k++)
            if (!p.made || !p.made[r->heroes[h].first + k]) {
                bytes += xg_kelem_bytes(xg_short_type(&r->heroes[h], k));
                widest = XG_MAX(widest, (int64_t)xg_kelem_bytes(xg_short_type(&r->heroes[h], k)));
            }
    p.length = r->n_reduced / p.fold;
    if (p.length > XG_SHORT_LENGTH_MAX || p.length % 4 == 0 || p.length < 3) return none;
    /* a thread waits for each element that is gathered: too few of them to wait for the others' */
    if (r->gathered && r->n_kept / XG_LAUNCH_THREADS < r->e->target->sms / 2) return none;
    /* long enough, or too few, for a thread each */
    if (r->n_reduced * r->bytes % XG_SECTOR_BYTES == 0 &&
        (p.length > XG_SHORT_FEW || r->n_kept / XG_LAUNCH_THREADS < r->e->target->sms / 2))
        return none;
    /* a row is long enough for a warp, and touches little beside itself */
    if (p.length * r->bytes > XG_SHORT_ROW_BYTES && p.fold == 1 && r->bytes > 2) return none;
    for (p.lanes = 1; p.length > XG_SHORT_LENGTH && p.length > XG_SHORT_LANE * p.lanes; p.lanes *= 2) {}
    p.rows = XG_LAUNCH_THREADS / p.lanes;
    while (p.length < XG_SHORT_FEW && p.rows < 4 * XG_LAUNCH_THREADS && r->n_kept / p.rows >= 3 * r->e->target->sms / 2)
        p.rows *= 2;
    while (p.rows * r->n_reduced * r->bytes % XG_SECTOR_BYTES) p.rows *= 2;
    while (p.lanes > 1 && p.rows * p.lanes > XG_LAUNCH_THREADS && p.length <= XG_SHORT_LANE * p.lanes) p.lanes /= 2;
    if (bytes * p.rows * p.length > XG_SHARED_TILE_BYTES) return none;
    p.vector = p.fold > 1 ? p.fold : XG_MAX(XG_MIN(r->vector, XG_ACCESS_BYTES / widest), (int64_t)1);
    return p;
}
/* What follows from vector, fold, rows and lanes; NULL, or why they cannot be. */
XG_APART XG_FN const char *xg_short_complete(const xg_reduction *r, xg_short_plan *p) {
    int64_t bytes = 0, sectors;
    uint32_t h, k;
    if (r->pad || xg_reduction_has_sides(r) || (r->row ? r->n_reduced != r->minor : !xg_reduction_is_stack(r)))
        return "what is reduced is not one run of memory for each row";
    p->made = r->row ? XG_NEW_N(r->e->arena, bool, r->n_values + (size_t)1) : NULL;
    if (p->made && (r->n_reduced % 4 == 0 || !xg_short_find_made(r, p->made))) p->made = NULL;
    for (h = 0; h < r->n_heroes; h++)
        for (k = 0; k < r->heroes[h].n; k++) {
            xg_kelem type = xg_short_type(&r->heroes[h], k);
            if (xg_kelem_is_complex(type)) return "complex values do not lie in shared memory";
            if (!p->made || !p->made[r->heroes[h].first + k]) bytes += xg_kelem_bytes(type);
        }
    p->beside = r->row ? 1 : r->minor;
    if (!xg_form_power(p->vector, 16) || p->fold < 1 || r->n_reduced % p->fold ||
        (p->fold > 1 && p->fold != p->vector) || (p->made && p->fold > 1) || (!r->row && p->fold != 1))
        return "fold must be 1, or the vector and divide the row";
    p->length = r->n_reduced / p->fold;
    sectors = (r->row ? p->rows * r->n_reduced : p->rows / r->minor * r->n_reduced * r->minor) * xg_short_bytes(r);
    if (p->rows < 1 || p->rows > INT32_MAX / XG_MAX(r->n_reduced * r->bytes, (int64_t)1) || p->rows % p->beside ||
        sectors % XG_SECTOR_BYTES || p->rows * r->n_reduced % p->vector ||
        bytes * p->rows * p->length > XG_SHARED_TILE_BYTES)
        return "rows must be whole sectors, and vectors, that fit into shared memory";
    return xg_form_power(p->lanes, XG_WARP_LANES) && (r->row || p->lanes == 1)
               ? NULL
               : "lanes must be a power of two, at most a warp";
}

/* (th_x, bl_x)[round] -> which vector of the array, and which of the block's. */
XG_FN const xg_imap *xg_short_vectors(const xg_reduction *r, const xg_short_plan *plan) {
    int64_t v = plan->vector, all = plan->rows * r->n_reduced / v, total = r->n_kept * r->n_reduced / v;
    xg_walk_map m = xg_walk_map_begin(r);
    const xg_aff *out[2];
    out[1] = xg_aff_add_mul(m.x, xg_aff_dim_0(m.x),
        xg_walk_sym(&m, "round", (all + XG_LAUNCH_THREADS - 1) / XG_LAUNCH_THREADS), XG_LAUNCH_THREADS);
    out[0] = xg_aff_add_dim(m.x, out[1], 1, all);
    if (all % XG_LAUNCH_THREADS) xg_walk_require(&m, out[1], 0, all - 1);
    if (r->blocks * all != total) xg_walk_require(&m, out[0], 0, total - 1);
    return xg_walk_map_end(r, &m, out, 2);
}
/* The elements behind the last whole vector of the array, which is in the last block: the same, one for each thread. */
XG_FN const xg_imap *xg_short_rest(const xg_reduction *r, const xg_short_plan *plan) {
    int64_t total = r->n_kept * r->n_reduced, rest = total % plan->vector;
    xg_walk_map m = xg_walk_map_begin(r);
    const xg_aff *out[2];
    out[0] = xg_aff_add_k(m.x, xg_aff_dim_0(m.x), total - rest);
    out[1] = xg_aff_add_k(m.x, out[0], -(r->blocks - 1) * plan->rows * r->n_reduced);
    xg_walk_require(&m, xg_aff_dim_0(m.x), 0, rest - 1);
    xg_walk_require(&m, xg_aff_dim_1(m.x), r->blocks - 1, r->blocks - 1);
    return xg_walk_map_end(r, &m, out, 2);
}
/* (vector of the array, of the block)[vector_index] -> indices of the operand, and the place in shared memory. */
XG_FN const xg_imap *xg_short_elements(const xg_reduction *r, const xg_short_plan *plan) {
    xg_aff_ctx *x = r->e->m->aff;
    int64_t v = plan->vector;
    uint32_t rank = r->in->rank, k;
    xg_imap *m = xg_imap_new(x, 2, 1, 0, rank + 1, 0);
    const xg_aff *at[XG_RANK_MAX], *kept, *place = xg_aff_add_dim(x, xg_aff_sym(x, 0), 0, v);
    m->dims[0].range = xg_range_of(0, r->n_kept * r->n_reduced / v - 1);
    m->dims[1].range = xg_range_of(0, plan->rows * r->n_reduced / v - 1);
    xg_imap_counts(&m->syms[0], "vector_index", v);
    kept = xg_aff_add_mul(
        x, xg_aff_mod(x, place, plan->beside), xg_aff_div(x, place, r->n_reduced * plan->beside), plan->beside);
    xg_index_delinearise(x, &r->kept, kept, at);
    xg_index_delinearise(x, &r->reduced, xg_aff_mod(x, xg_aff_div(x, place, plan->beside), r->n_reduced), at);
    for (k = 0; k < rank; k++) m->results[k] = at[k];
    m->results[rank] = plan->fold > 1 ? xg_aff_dim_1(x) : xg_aff_add_dim(x, xg_aff_sym(x, 0), 1, v);
    return xg_imap_simplify(x, m);
}

/* All elements of the block's rows into shared memory, or only those of the rest. */
XG_FN void xg_short_fill(xg_reduction *r, const xg_short_plan *plan, const xg_imap *vectors, xg_shared *shared) {
    xg_elem *x = XG_NEW_N(r->e->arena, xg_elem, r->n_values + 1);
    xg_kval *thread = r->thread, *block = r->block, *at[XG_RANK_MAX], *place;
    xg_partial p = xg_partial_new(r, 0, shared->arrays, shared->n), one = xg_partial_new(r, r->n_values, NULL, 0);
    const xg_imap *map = xg_short_elements(r, plan);
    bool folds = plan->fold > 1;
    xg_walk outer, inner;
    uint32_t k, n;
    outer = xg_walk_begin(r, vectors, &p);
    for (k = 0; k < 2; k++) xg_kval_set_range(outer.at + k, map->dims[k].range);
    place = outer.at + 1;
    r->thread = outer.at; /* what stands for the map's dims */
    r->block = outer.at + 1;
    if (folds) xg_reduction_start(r, one.acc);
    inner = xg_walk_begin(r, map, folds ? &one : &p);
    for (k = 0; k <= r->in->rank; k++) at[k] = inner.at + k;
    xg_reduction_elements(r, at, x);
    if (folds) { /* the first is what it is: the straight code merges nothing with it */
        xg_kval *first = xg_kcmpi_int(&r->s.b, XG_CI_EQ, inner.syms, 0);
        xg_reduction_merge(r, one.acc, x);
        for (k = 0; k < r->n_values; k++) one.acc[k].v = xg_kselect(&r->s.b, first, x[k].v, one.acc[k].v);
    } else
        for (n = k = 0; k < r->n_values; k++)
            if (!plan->made || !plan->made[k]) {
                p.dest[n] = xg_kinsert_at(&r->s.b, x[k].v, p.dest[n], at[r->in->rank]);
                n++;
            }
    xg_walk_end(r, &inner);
    r->thread = thread;
    r->block = block;
    if (folds)
        for (k = 0; k < r->n_values; k++) p.dest[k] = xg_kinsert_at(&r->s.b, one.acc[k].v, p.dest[k], place);
    xg_walk_end(r, &outer);
}
/* Some of a lane's elements of a row: from element `from` on, every plan->lanes-th, which lie in the row unless they
 * are the last. */
XG_FN void xg_short_elements_of_row(xg_reduction *r, const xg_short_plan *plan, const xg_shared *shared,
    const xg_aff *row, const xg_aff *kept, int64_t from, int64_t n, xg_partial *p) {
    xg_elem *x = XG_NEW_N(r->e->arena, xg_elem, r->n_values + 1);
    bool row_ends = plan->rows * plan->lanes % XG_LAUNCH_THREADS != 0;
    xg_walk_map m = xg_walk_map_begin(r);
    const xg_aff *at[XG_RANK_MAX + 1], *place = xg_aff_mul(m.x, xg_walk_sym(&m, "element", n), plan->lanes);
    uint32_t h, k, array = 0;
    xg_walk w;
    place = xg_aff_add_k(m.x, xg_aff_add(m.x, place, xg_aff_mod(m.x, xg_aff_dim_0(m.x), plan->lanes)), from);
    xg_walk_require(&m, kept, 0, r->n_kept - 1);
    if (row_ends) xg_walk_require(&m, row, 0, plan->rows - 1);
    if (from + n * plan->lanes > plan->length) xg_walk_require(&m, place, 0, plan->length - 1);
    if (plan->made) { /* its elements are those of the row */
        xg_index_delinearise(m.x, &r->kept, kept, at + 1);
        xg_index_delinearise(m.x, &r->reduced, place, at + 1);
    }
    place = xg_aff_add_mul(m.x, xg_aff_mod(m.x, row, plan->beside), place, plan->beside);
    at[0] = xg_aff_add_mul(m.x, place, xg_aff_div(m.x, row, plan->beside), plan->length * plan->beside);
    w = xg_walk_begin(r, xg_walk_map_end(r, &m, at, plan->made ? r->in->rank + 1 : 1), p);
    for (h = 0; h < r->n_heroes; h++)
        for (k = 0; k < r->heroes[h].n; k++) {
            xg_kval *here[XG_RANK_MAX];
            uint32_t value = r->heroes[h].first + k, d;
            for (d = 0; plan->made && d < r->in->rank; d++) here[d] = w.at + 1 + d;
            x[value] = plan->made && plan->made[value]
                           ? xg_hero_element(&r->s, &r->heroes[h], k, here)
                           : xg_elem_real(xg_kextract(&r->s.b, shared->arrays[array++], &w.at, 1));
        }
    xg_reduction_merge(r, p->acc, x);
    xg_walk_end(r, &w);
}
/* One of a thread's rows: place `row` in the block, `kept` of all. */
XG_FN void xg_short_row(xg_reduction *r, const xg_short_plan *plan, const xg_shared *shared, const xg_aff *row,
    const xg_aff *kept, xg_partial *p) {
    int64_t whole = plan->length / plan->lanes, from;
    xg_walk_map m = xg_walk_map_begin(r);
    const xg_imap *map;
    xg_kval *at[XG_RANK_MAX];
    xg_walk w;
    uint32_t k;
    for (from = 0; from < whole; from += XG_SHORT_STRAIGHT)
        xg_short_elements_of_row(
            r, plan, shared, row, kept, from * plan->lanes, XG_MIN(whole - from, (int64_t)XG_SHORT_STRAIGHT), p);
    if (plan->length % plan->lanes) xg_short_elements_of_row(r, plan, shared, row, kept, whole * plan->lanes, 1, p);
    xg_row_shuffle(r, plan->lanes, p->acc);
    m.kept = kept;
    xg_walk_require(&m, kept, 0, r->n_kept - 1);
    if (plan->rows * plan->lanes % XG_LAUNCH_THREADS) xg_walk_require(&m, row, 0, plan->rows - 1);
    xg_walk_require(&m, xg_aff_mod(m.x, xg_aff_dim_0(m.x), plan->lanes), 0, 0);
    map = xg_walk_map_result(r, &m);
    w = xg_walk_begin(r, map, p);
    for (k = 0; k < map->n_results; k++) at[k] = w.at + k;
    xg_reduction_results(r, p->acc, at, p->dest);
    xg_walk_end(r, &w);
}
XG_FN int64_t xg_short_shared_bytes(const xg_reduction *r, const xg_short_plan *plan) {
    int64_t bytes = 0;
    uint32_t h, k;
    for (h = 0; h < r->n_heroes; h++)
        for (k = 0; k < r->heroes[h].n; k++)
            if (!plan->made || !plan->made[r->heroes[h].first + k])
                bytes += xg_shared_whole(plan->rows * plan->length * xg_kelem_bytes(xg_short_type(&r->heroes[h], k)));
    return bytes;
}
XG_APART XG_FN void xg_short_emit(xg_reduction *r, const xg_short_plan *plan, xg_partial *p) {
    xg_aff_ctx *x = r->e->m->aff;
    int64_t size = plan->rows * plan->length, first;
    xg_shared shared;
    uint32_t h, k;
    shared.n = 0;
    shared.arrays = XG_NEW_N(r->e->arena, xg_kval *, r->n_values + 1);
    for (h = 0; h < r->n_heroes; h++)
        for (k = 0; k < r->heroes[h].n; k++)
            if (!plan->made || !plan->made[r->heroes[h].first + k]) {
                shared.arrays[shared.n++] = xg_shared_array(&r->s.b, xg_short_type(&r->heroes[h], k), size);
            }
    xg_short_fill(r, plan, xg_short_vectors(r, plan), &shared);
    if (r->n_kept * r->n_reduced % plan->vector) {
        xg_short_plan one = *plan;
        one.vector = 1;
        xg_short_fill(r, &one, xg_short_rest(r, plan), &shared);
    }
    xg_shared_wait(&r->s.b, shared.arrays, shared.n);
    for (first = 0; first < plan->rows; first += XG_LAUNCH_THREADS / plan->lanes) {
        const xg_aff *row = xg_aff_add_k(x, xg_aff_div(x, xg_aff_dim_0(x), plan->lanes), first);
        if (first) xg_reduction_start(r, p->acc);
        xg_short_row(r, plan, &shared, row, xg_aff_add_dim(x, row, 1, plan->rows), p);
    }
}

#endif /* XG_EMIT_REDUCTION_SHORT_C */
