/* emit/scan.c -- running sums: a reduce-window that folds, for each element, all those before it along one dimension.
 * Linear work, each element read and written once.
 *
 * Where the dimension is innermost, lanes, warps or a whole block take a row together, a chunk of it at a time:
 *     each lane: `vector` neighbours x, their running sums y; the last of these goes to the lanes behind by shuffles
 *                (distance 1, 2, 4 ...)
 *     the warps' sums go through shared memory, where every warp scans them
 *     result = (everything before the chunk, the warp, the lane) o y
 *     what comes before the next chunk = what comes before this one o its sum
 * Else each thread takes a column, and neighbours take neighbours.
 * Partial results may be taken together with the init value any number of times (opt/reducer.c), so it stands wherever
 * there is nothing else. What is earlier in memory is always the first operand of the reducer, also where the sums run
 * backwards. What is made of a sum at its own place is made along with it. */
#ifndef XG_EMIT_SCAN_C
#define XG_EMIT_SCAN_C
#include "emit.h"
#include "reduction_walk.c"

enum {
    XG_RUNNING_LANES = 256,
    XG_RUNNING_VECTOR_MAX = 8,     /* elements */
    XG_RUNNING_THREADS_MAX = 1024, /* of a block */
    XG_RUNNING_GROUP = 8
};

typedef struct xg_running {
    xg_hero *h;
    /* the window's results, each the window itself or an element of its tuple, and the roots that are made of them */
    xg_heroes behind;
    const xg_shape *shape;
    uint32_t dim;
    bool reverse, row;
    int64_t length, kept, vector, lanes, rows;
    xg_kval *lane, *warp; /* of the thread in its row, by i32; lane in the warp */
    xg_reduction r;       /* the scope, threads and blocks; its one hero is the window */
    xg_index_order order; /* all dims but the scanned one */
} xg_running;

/* The window that i is, or is a result of; NULL: it is something else. */
XG_FN const xg_inst *xg_running_of(const xg_inst *i) {
    if (i->op == XG_GET_TUPLE_ELEMENT) i = XG_OPERAND(i, 0);
    return i->op == XG_REDUCE_WINDOW ? i : NULL;
}
XG_FN bool xg_running_is_hero(void *data, const xg_inst *i, bool first) {
    const xg_inst **window = (const xg_inst **)data, *w = xg_running_of(i);
    uint32_t dim;
    bool reverse;
    if (!w || !xg_window_is_scan(w, &dim, &reverse) || !xg_fuse_reduce_has_values(w)) return false;
    if (first) *window = w;
    return w == *window;
}
/* A fusion that makes one running sum, and at its place what is made of that. */
XG_FN const xg_inst *xg_running_find(const xg_fusion_emission *e, xg_heroes *h) {
    const xg_partition *p = e->parts;
    const xg_inst *window = NULL;
    uint32_t k;
    if (!xg_heroes_find(e, xg_running_is_hero, (void *)&window, h)) return NULL;
    for (k = 0; k < p->n_insts; k++)
        if (p->insts[k]->op == XG_REDUCE_WINDOW && p->insts[k] != window)
            return NULL; /* another walk would suit that */
    return xg_reducer_start_of(window, e->arena) == XG_REDUCER_FROM_INIT ? window : NULL;
}
/* ---- the form ---- */

XG_TABLE const xg_form_field xg_running_form[] = {
    {"vector", offsetof(xg_running, vector)},
    {"lanes", offsetof(xg_running, lanes)},
    {"rows", offsetof(xg_running, rows)},
};
/* Elements of a thread at once, and threads of a row: whole blocks where the device has room for those of all rows. */
XG_FN void xg_running_decide(xg_running *d) {
    enum {
        ROWS_FEW = 64
    };
    int64_t vectors, bytes = 1,
                     few = XG_MAX(d->r.e->target->resident_threads / XG_RUNNING_THREADS_MAX, (int64_t)ROWS_FEW);
    uint32_t k;
    for (k = 0; k < d->r.e->n_roots; k++)
        bytes =
            XG_MAX(bytes, (int64_t)xg_type_bytes(d->r.e->roots[k]->shape->type)); /* of the widest that is written */
    for (d->vector = XG_MIN(16 / bytes, (int64_t)8); d->length % d->vector; d->vector /= 2) {}
    if (d->vector == 1 && d->length >= 128) d->vector = 4; /* no accesses by vectors, but fewer steps */
    vectors = (d->length + d->vector - 1) / d->vector;
    few = d->kept < few ? XG_RUNNING_THREADS_MAX : XG_RUNNING_LANES;
    for (d->lanes = 1; d->lanes < few && d->lanes < vectors; d->lanes *= 2) {}
    d->rows = XG_MAX(XG_LAUNCH_THREADS / d->lanes, (int64_t)1);
}
/* Why rows cannot be run over like that; NULL: they can. */
XG_FN const char *xg_running_refuses(const xg_running *d) {
    if (!d->row) return d->vector || d->lanes || d->rows ? "a thread has a column" : NULL;
    if (!xg_form_power(d->vector, XG_RUNNING_VECTOR_MAX)) return "vector must be a power of two up to 8";
    if (!xg_form_power(d->lanes, XG_RUNNING_THREADS_MAX) || !xg_form_power(d->rows, XG_RUNNING_THREADS_MAX) ||
        d->lanes * d->rows > XG_RUNNING_THREADS_MAX || d->lanes * d->rows % XG_WARP_LANES)
        return "lanes and rows must be powers of two that make whole warps of a block";
    return NULL;
}
/* false: not as it is ordered. */
XG_FN bool xg_running_plan(xg_running *d) {
    xg_fusion_emission *e = d->r.e;
    const char *why;
    uint32_t k;
    for (k = 0; k < d->shape->rank; k++) {
        uint32_t which = xg_shape_minor(d->shape, k);
        if (which != d->dim) xg_index_order_push(&d->order, which, d->shape->dims[which]);
        if (which == d->dim)
            d->row = d->order.n == 0 || d->order.stride[d->order.n - 1] * d->order.size[d->order.n - 1] == 1;
    }
    d->length = d->shape->dims[d->dim];
    d->kept = d->shape->elements / d->length;
    if (d->row && !xg_form_is_whole(e)) xg_running_decide(d);
    xg_form_read(e, xg_running_form, XG_COUNT(xg_running_form), d);
    why = e->given ? xg_running_refuses(d) : NULL;
    if (why) return xg_emit_refuse(e, why);
    xg_form_write_walk(e, d->row ? "row" : "column");
    xg_form_write(e, xg_running_form, XG_COUNT(xg_running_form), d);
    d->r.threads = d->row ? d->lanes * d->rows : (int64_t)XG_LAUNCH_THREADS;
    k = d->row ? (uint32_t)d->rows : (uint32_t)XG_LAUNCH_THREADS;
    d->r.blocks = (d->kept + k - 1) / k;
    return true;
}

/* The element at place `at` of the scan, of which row or column `kept`; requires that there is one. */
XG_FN void xg_running_place(const xg_running *d, xg_walk_map *m, const xg_aff *kept, const xg_aff *at, bool tail) {
    m->at = XG_NEW_N(d->r.e->arena, const xg_aff *, d->shape->rank + 1);
    xg_index_delinearise(m->x, &d->order, kept, m->at);
    m->at[d->dim] = d->reverse ? xg_aff_sub(m->x, xg_aff_const(m->x, d->length - 1), at) : at;
    xg_walk_require(m, kept, 0, d->kept - 1);
    if (tail) xg_walk_require(m, at, 0, d->length - 1);
}
XG_FN void xg_running_elements(xg_running *d, xg_kval *const *at, xg_elem *x) {
    uint32_t k;
    for (k = 0; k < d->h->n; k++) x[k] = xg_hero_element(&d->r.s, d->h, k, at);
}
/* The roots at a place of the window's result, where its values are x. */
XG_FN void xg_running_store(xg_running *d, xg_kval *const *at, const xg_elem *x, xg_kval **dest) {
    xg_elem *results = XG_NEW_N(d->r.e->arena, xg_elem, d->behind.n + (size_t)1);
    uint32_t k;
    for (k = 0; k < d->behind.n; k++)
        results[k] = x[d->behind.p[k]->op == XG_GET_TUPLE_ELEMENT ? xg_attr_index(d->behind.p[k]) : 0];
    xg_hero_write(&d->r.s, &d->behind, d->shape, results, at, NULL, dest);
}
XG_FN void xg_running_indices(const xg_running *d, const xg_walk *w, xg_kval **at) {
    uint32_t k;
    for (k = 0; k < d->shape->rank; k++) at[k] = w->at + k;
}

/* out = earlier o later, two partial results in the order of the scan. */
XG_FN void xg_running_merge(xg_running *d, const xg_elem *earlier, const xg_elem *later, xg_elem *out) {
    xg_elem *first = XG_NEW_N(d->r.e->arena, xg_elem, d->h->n + 1);
    memcpy(first, d->reverse ? later : earlier, d->h->n * sizeof *first);
    xg_hero_merge(&d->r.s, d->h, first, d->reverse ? earlier : later);
    memcpy(out, first, d->h->n * sizeof *first);
}

/* ---- columns ---- */

XG_FN void xg_running_steps(xg_running *d, int64_t first, int64_t groups, int64_t group, xg_partial *p) {
    xg_walk_map m = xg_walk_map_begin(&d->r);
    const xg_aff *kept = xg_aff_add_dim(m.x, xg_aff_dim_0(m.x), 1, d->r.threads), *step;
    xg_elem *x = XG_NEW_N(d->r.e->arena, xg_elem, d->h->n + 1);
    xg_kval *at[XG_RANK_MAX];
    xg_walk w;
    step = xg_aff_add_k(m.x, xg_aff_mul(m.x, xg_walk_sym(&m, "group", groups), group), first);
    step = xg_aff_add(m.x, step, xg_walk_sym(&m, "step", group));
    xg_running_place(d, &m, kept, step, false);
    w = xg_walk_begin(&d->r, xg_walk_map_operand(&d->r, &m), p);
    xg_running_indices(d, &w, at);
    xg_running_elements(d, at, x);
    xg_running_merge(d, p->acc, x, p->acc);
    xg_running_store(d, at, p->acc, p->dest);
    xg_walk_end(&d->r, &w);
}
XG_FN void xg_running_columns(xg_running *d, xg_partial *p) {
    int64_t groups = d->length / XG_RUNNING_GROUP, rest = d->length % XG_RUNNING_GROUP;
    if (groups) xg_running_steps(d, 0, groups, XG_RUNNING_GROUP, p);
    if (rest) xg_running_steps(d, groups * XG_RUNNING_GROUP, 1, rest, p);
}

/* ---- lanes ---- */

XG_FN xg_kval *xg_running_i32(xg_running *d, int64_t v) { return xg_kconst_i32(&d->r.s.b, v); }
XG_FN void xg_running_shuffle(xg_running *d, xg_kopcode code, const xg_elem *x, xg_kval *lane, xg_elem *out) {
    uint32_t k;
    for (k = 0; k < d->h->n; k++) {
        out[k] = xg_elem_real(xg_kshuffle(&d->r.s.b, code, x[k].v, lane));
        if (x[k].im) out[k].im = xg_kshuffle(&d->r.s.b, code, x[k].im, lane);
    }
}
/* acc = cond ? earlier o acc : acc */
XG_FN void xg_running_join(xg_running *d, xg_kval *cond, const xg_elem *earlier, xg_elem *acc) {
    xg_elem *joint = XG_NEW_N(d->r.e->arena, xg_elem, d->h->n + 1);
    uint32_t k;
    xg_running_merge(d, earlier, acc, joint);
    for (k = 0; k < d->h->n; k++) {
        acc[k].v = cond ? xg_kselect(&d->r.s.b, cond, joint[k].v, acc[k].v) : joint[k].v;
        if (joint[k].im) acc[k].im = cond ? xg_kselect(&d->r.s.b, cond, joint[k].im, acc[k].im) : joint[k].im;
    }
}
/* What each of `lanes` neighbouring lanes has becomes that of all up to it; lane: its number among them. */
XG_FN void xg_running_across(xg_running *d, xg_kval *lane, int64_t lanes, xg_elem *acc) {
    xg_elem *other = XG_NEW_N(d->r.e->arena, xg_elem, d->h->n + 1);
    int64_t distance;
    for (distance = 1; distance < lanes; distance *= 2) {
        xg_running_shuffle(d, XG_K_OP_SHFLUP, acc, xg_running_i32(d, distance), other);
        xg_running_join(d, xg_kcmpi_(&d->r.s.b, XG_CI_SGE, lane, xg_running_i32(d, distance)), other, acc);
    }
}

/* ---- a chunk of rows ---- */

XG_FN const xg_aff *xg_running_row(const xg_running *d, xg_aff_ctx *x) {
    return xg_aff_add_dim(x, xg_aff_div(x, xg_aff_dim_0(x), d->lanes), 1, d->rows);
}
/* The loop over the lane's elements in the order of memory; back to front that is the other way round. */
XG_FN void xg_running_chunk_place(const xg_running *d, xg_walk_map *m, bool tail) {
    const xg_aff *at = xg_aff_add_dim(m->x, xg_aff_mod(m->x, xg_aff_dim_0(m->x), d->lanes), 2, d->lanes),
                 *v = xg_walk_sym(m, "vector_index", d->vector);
    at = xg_aff_mul(m->x, at, d->vector);
    at = xg_aff_add(m->x, at, d->reverse ? xg_aff_sub(m->x, xg_aff_const(m->x, d->vector - 1), v) : v);
    xg_running_place(d, m, xg_running_row(d, m->x), at, tail);
}
XG_FN int64_t xg_running_place_of(const xg_running *d, int64_t v) { return d->reverse ? d->vector - 1 - v : v; }
XG_FN xg_kval *xg_running_vector(xg_running *d, xg_kval *const *elements) {
    const xg_ktype *type = xg_kir_vector(d->r.e->m, elements[0]->type->elem, d->vector);
    xg_kval *vec = xg_kconst_bits(&d->r.s.b, type, 0), *o[3];
    int64_t v;
    for (v = 0; v < d->vector; v++) {
        o[0] = elements[v];
        o[1] = vec;
        o[2] = xg_elem_index(&d->r.s, v);
        vec = xg_kir_value(&d->r.s.b, XG_K_OP_VINSERT, o, 3, type);
    }
    return vec;
}
XG_FN xg_kval *xg_running_lane_of(xg_running *d, xg_kval *vec, xg_kval *lane) {
    xg_kval *o[2];
    o[0] = vec;
    o[1] = lane;
    return xg_kir_value(&d->r.s.b, XG_K_OP_VEXTRACT, o, 2, xg_kir_scalar(d->r.e->m, vec->type->elem));
}
/* Puts what lies in the map's domain into vectors. */
XG_FN void xg_running_read(xg_running *d, const xg_imap *map, xg_partial *vectors) {
    uint32_t n = d->h->n, k, part;
    xg_elem *one = XG_NEW_N(d->r.e->arena, xg_elem, n + 1);
    xg_walk w = xg_walk_begin(&d->r, map, vectors);
    xg_kval *at[XG_RANK_MAX];
    for (k = 0; k < map->n_results; k++) at[k] = w.at + k;
    xg_running_elements(d, at, one);
    for (k = 0; k < n; k++)
        for (part = 0; part < (one[k].im ? 2u : 1u); part++) {
            xg_kval **to = part ? &vectors->acc[k].im : &vectors->acc[k].v, *o[3];
            o[0] = part ? one[k].im : one[k].v;
            o[1] = *to;
            o[2] = w.syms;
            *to = xg_kir_value(&d->r.s.b, XG_K_OP_VINSERT, o, 3, (*to)->type);
        }
    xg_walk_end(&d->r, &w);
}
/* The scalar that value k is everywhere; NULL: its elements differ. */
XG_FN const xg_inst *xg_running_same(const xg_running *d, uint32_t k) {
    const xg_inst *x = d->h->sources[k];
    while (!d->r.pad && x->op == XG_BROADCAST) x = XG_OPERAND(x, 0);
    return x->op == XG_CONSTANT && x->shape->rank == 0 ? x : NULL;
}
/* x[v][value]: the lane's elements in the order of the scan, the init value where there are none. */
XG_FN void xg_running_load(xg_running *d, bool tail, xg_elem *x, xg_kval **dest) {
    uint32_t n = d->h->n, k;
    xg_partial vectors = xg_partial_new(&d->r, n, dest, 0);
    xg_kval **same = XG_NEW_N(d->r.e->arena, xg_kval *, d->vector + 1);
    xg_walk_map m = xg_walk_map_begin(&d->r);
    const xg_imap *inside, *across;
    int64_t v;
    for (k = 0; k < n; k++) {
        xg_elem init = xg_hero_init(&d->r.s, d->h, k);
        for (v = 0; v < d->vector; v++) same[v] = init.v;
        vectors.acc[k] = xg_elem_real(xg_running_vector(d, same));
        for (v = 0; v < d->vector; v++) same[v] = init.im;
        if (init.im) vectors.acc[k].im = xg_running_vector(d, same);
    }
    xg_running_chunk_place(d, &m, tail);
    if (xg_walk_split(&d->r, &m, &inside, &across)) {
        xg_running_read(d, inside, &vectors);
        xg_running_read(d, across, &vectors);
    } else
        xg_running_read(d, xg_walk_map_source(&d->r, &m), &vectors);
    for (v = 0; v < d->vector; v++)
        for (k = 0; k < n; k++) {
            xg_kval *lane = xg_elem_index(&d->r.s, xg_running_place_of(d, v));
            if (xg_running_same(d, k)) {
                x[v * n + k] = xg_elem_of(&d->r.s, xg_running_same(d, k), NULL);
                continue;
            }
            x[v * n + k] = xg_elem_real(xg_running_lane_of(d, vectors.acc[k].v, lane));
            if (vectors.acc[k].im) x[v * n + k].im = xg_running_lane_of(d, vectors.acc[k].im, lane);
        }
}
XG_FN void xg_running_write(xg_running *d, bool tail, const xg_elem *y, xg_kval **dest) {
    xg_arena *a = d->r.e->arena;
    uint32_t n = d->h->n, k;
    xg_partial out = xg_partial_new(&d->r, 0, dest, d->r.e->n_roots);
    xg_kval **vectors = XG_NEW_N(a, xg_kval *, 2 * n + 1), **same = XG_NEW_N(a, xg_kval *, d->vector + 1),
            *at[XG_RANK_MAX];
    xg_walk_map m = xg_walk_map_begin(&d->r);
    xg_elem *one = XG_NEW_N(a, xg_elem, n + 1);
    xg_walk w;
    int64_t v;
    for (k = 0; k < n; k++) {
        for (v = 0; v < d->vector; v++) same[xg_running_place_of(d, v)] = y[v * n + k].v;
        vectors[2 * k] = xg_running_vector(d, same);
        for (v = 0; v < d->vector; v++) same[xg_running_place_of(d, v)] = y[v * n + k].im;
        if (y[k].im) vectors[2 * k + 1] = xg_running_vector(d, same);
    }
    xg_running_chunk_place(d, &m, tail);
    w = xg_walk_begin(&d->r, xg_walk_map_operand(&d->r, &m), &out);
    xg_running_indices(d, &w, at);
    for (k = 0; k < n; k++) {
        one[k] = xg_elem_real(xg_running_lane_of(d, vectors[2 * k], w.syms));
        if (vectors[2 * k + 1]) one[k].im = xg_running_lane_of(d, vectors[2 * k + 1], w.syms);
    }
    xg_running_store(d, at, one, out.dest);
    xg_walk_end(&d->r, &w);
}

/* The sums of the warps of a row up to each: by number of the lane. */
XG_FN void xg_running_warps(xg_running *d, const xg_elem *total, xg_elem *sums) {
    int64_t dims[2];
    xg_walk_map m = xg_walk_map_begin(&d->r);
    const xg_aff *th = xg_aff_dim_0(m.x), *out[2];
    xg_kval **v = XG_NEW_N(d->r.e->arena, xg_kval *, 2 * d->h->n + 1), *at[2], *vars[3];
    xg_shared shared;
    xg_partial write;
    xg_walk w;
    uint32_t k;
    dims[0] = d->rows;
    dims[1] = d->lanes / XG_WARP_LANES;
    shared = xg_shared_new(&d->r.s, total, d->r.n_values, dims, 2);
    (void)xg_carry_values(total, d->h->n, v);
    out[0] = xg_aff_div(m.x, th, d->lanes);
    out[1] = xg_aff_div(m.x, xg_aff_mod(m.x, th, d->lanes), XG_WARP_LANES);
    xg_walk_require(&m, xg_aff_mod(m.x, th, XG_WARP_LANES), XG_WARP_LANES - 1, XG_WARP_LANES - 1);
    write = xg_partial_new(&d->r, 0, shared.arrays, shared.n);
    w = xg_walk_begin(&d->r, xg_walk_map_end(&d->r, &m, out, 2), &write);
    for (k = 0; k < 2; k++) at[k] = w.at + k;
    for (k = 0; k < shared.n; k++) shared.arrays[k] = xg_kinsert(&d->r.s.b, v[k], shared.arrays[k], at, 2);
    xg_walk_end(&d->r, &w);
    xg_shared_wait(&d->r.s.b, shared.arrays, shared.n);
    m = xg_walk_map_begin(&d->r);
    out[1] = xg_aff_mod(m.x, th, dims[1]);
    vars[0] = d->r.thread;
    vars[1] = d->r.block;
    vars[2] = d->r.round;
    xg_elem_apply(&d->r.s, xg_walk_map_end(&d->r, &m, out, 2), vars, at);
    xg_shared_read(&d->r.s, &shared, at, 2, total, d->h->n, sums);
    xg_shared_wait(&d->r.s.b, shared.arrays, shared.n); /* the next chunk writes there */
    xg_running_across(d, d->lane, dims[1], sums);
}

/* One chunk; before: what comes before it, and in the end before the next one (unless this is the last). */
XG_FN void xg_running_chunk(xg_running *d, bool tail, bool last, xg_elem *before, xg_kval **dest) {
    xg_arena *a = d->r.e->arena;
    xg_kb *b = &d->r.s.b;
    uint32_t n = d->h->n, k;
    int64_t lanes = XG_MIN(d->lanes, (int64_t)XG_WARP_LANES), v;
    xg_elem *y = XG_NEW_N(a, xg_elem, d->vector * n + 1), *total = XG_NEW_N(a, xg_elem, n + 1),
            *mine = XG_NEW_N(a, xg_elem, n + 1), *other = XG_NEW_N(a, xg_elem, n + 1),
            *sums = XG_NEW_N(a, xg_elem, n + 1);
    xg_running_load(d, tail, y, dest);
    for (v = 1; v < d->vector; v++) xg_running_join(d, NULL, y + (v - 1) * n, y + v * n);
    memcpy(total, y + (d->vector - 1) * n, n * sizeof *total);
    xg_running_across(d, d->lane, lanes, total);
    memcpy(mine, before, n * sizeof *mine);
    if (d->lanes > XG_WARP_LANES) {
        xg_running_warps(d, total, sums);
        xg_running_shuffle(d, XG_K_OP_SHFLIDX, sums, xg_k2(b, XG_K_OP_SUBI, d->warp, xg_running_i32(d, 1)), other);
        memcpy(mine, other, n * sizeof *mine);
        xg_running_join(d, NULL, before, mine);
        for (k = 0; k < n; k++) {
            xg_kval *first = xg_kcmpi_(b, XG_CI_EQ, d->warp, xg_running_i32(d, 0));
            mine[k].v = xg_kselect(b, first, before[k].v, mine[k].v);
            if (mine[k].im) mine[k].im = xg_kselect(b, first, before[k].im, mine[k].im);
        }
    }
    if (lanes > 1) { /* mine = mine o what the lanes before have */
        xg_elem *joint = XG_NEW_N(a, xg_elem, n + 1);
        xg_kval *some = xg_kcmpi_(b, XG_CI_SGE, d->lane, xg_running_i32(d, 1));
        xg_running_shuffle(d, XG_K_OP_SHFLUP, total, xg_running_i32(d, 1), other);
        xg_running_merge(d, mine, other, joint);
        for (k = 0; k < n; k++) {
            mine[k].v = xg_kselect(b, some, joint[k].v, mine[k].v);
            if (mine[k].im) mine[k].im = xg_kselect(b, some, joint[k].im, mine[k].im);
        }
    }
    for (v = 0; v < d->vector; v++) xg_running_join(d, NULL, mine, y + v * n);
    xg_running_write(d, tail, y, dest);
    if (last) return;
    if (d->lanes > XG_WARP_LANES)
        xg_running_shuffle(d, XG_K_OP_SHFLIDX, sums, xg_running_i32(d, d->lanes / XG_WARP_LANES - 1), other);
    else
        xg_running_shuffle(d, XG_K_OP_SHFLIDX, total,
            XG_KOP2(
                b, XG_K_OP_ORI, xg_kcast(b, XG_K_OP_INDEX_CAST, d->r.thread, XG_E_I32), xg_running_i32(d, lanes - 1)),
            other);
    xg_running_merge(d, before, other, before);
}
XG_FN void xg_running_rows(xg_running *d, xg_partial *p) {
    xg_kb *b = &d->r.s.b;
    int64_t step = d->lanes * d->vector, whole = d->length / step;
    bool tail = d->length % step != 0;
    xg_kval *th = xg_kcast(b, XG_K_OP_INDEX_CAST, d->r.thread, XG_E_I32);
    d->lane = xg_k2(b, XG_K_OP_ANDI, th, xg_running_i32(d, XG_MIN(d->lanes, (int64_t)XG_WARP_LANES) - 1));
    d->warp =
        XG_KOP2(b, XG_K_OP_SHRUI, xg_k2(b, XG_K_OP_ANDI, th, xg_running_i32(d, d->lanes - 1)), xg_running_i32(d, 5));
    d->r.rounds = whole + tail;
    if (whole > 1 || (whole && tail)) {
        xg_flow f = xg_partial_flow(&d->r, p);
        d->r.round = xg_flow_count(&f, whole);
        d->r.round->name = XG_STR("chunk");
        xg_running_chunk(d, false, false, p->acc, p->dest);
        xg_flow_end(&f);
        whole = 0;
    }
    if (!whole && !tail) return;
    d->r.round = xg_elem_index(&d->r.s, d->r.rounds - 1);
    xg_running_chunk(d, tail, true, p->acc, p->dest);
}

/* The sums of the warps: of the chunks of the loop, and of the last one behind it. */
XG_FN int64_t xg_running_shared_bytes(const xg_running *d) {
    int64_t step = d->lanes * d->vector, chunks;
    if (!d->row || d->lanes <= XG_WARP_LANES) return 0;
    chunks = d->length > step && d->length % step ? 2 : 1;
    return chunks * xg_reduction_shared(&d->r, d->rows * (d->lanes / XG_WARP_LANES));
}
XG_FN bool xg_emit_scan_plan(xg_fusion_emission *e) {
    xg_running *d = XG_NEW(e->arena, xg_running);
    const xg_inst *window = xg_running_find(e, &d->behind);
    uint32_t k;
    if (!window) return false;
    e->form = d;
    d->h = XG_NEW(e->arena, xg_hero);
    d->h->i = window;
    d->h->comp = xg_attr_to_apply(d->h->i);
    d->h->n = d->h->i->n_operands / 2;
    d->h->wide = XLAGPU_INVALID;
    d->h->sources = XG_NEW_N(e->arena, const xg_inst *, d->h->n + 1);
    d->h->pads = true;
    d->r.e = e;
    d->r.heroes = d->h;
    d->r.n_heroes = 1;
    d->r.n_values = d->h->n;
    d->r.epilogue = (uint8_t *)xg_alloc(e->arena, e->parts->n_insts + 1);
    /* roots that are not made of the window's results are written along with those that are */
    memset(d->r.epilogue, 1, e->parts->n_insts);
    d->shape = xg_indexing_output_shape(d->h->i, 0);
    (void)xg_window_is_scan(d->h->i, &d->dim, &d->reverse);
    d->r.in = d->shape;
    if (!xg_running_plan(d)) return false;
    if (d->row)
        xg_reduction_sources(&d->r);
    else
        for (k = 0; k < d->h->n; k++) d->h->sources[k] = XG_OPERAND(d->h->i, k);
    if (d->r.blocks > INT32_MAX)
        xg_hlo_fail(d->h->i, XLAGPU_ERROR_LIMIT, NULL, "%lld rows; at most 2147483647 are supported in kernels",
            (long long)d->r.blocks);
    e->record->launch.shared = xg_running_shared_bytes(d);
    return xg_emit_launch(e, d->r.threads, d->r.blocks, 0);
}
XG_FN void xg_emit_scan(xg_fusion_emission *e) {
    xg_running *d = (xg_running *)e->form;
    xg_partial p = xg_partial_enter(e, &d->r, d->h->n);
    uint32_t k;
    for (k = 0; k < d->h->n; k++) p.acc[k] = xg_hero_init(&d->r.s, d->h, k);
    if (d->row)
        xg_running_rows(d, &p);
    else
        xg_running_columns(d, &p);
    xg_kreturn(&d->r.s.b, p.dest, e->n_roots);
}

#endif /* XG_EMIT_SCAN_C */
