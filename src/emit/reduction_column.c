/* emit/reduction_column.c -- emits reductions along columns as reduction_column_plan.c planned them: elements and
 * steps, then the results of a block and of a cluster, then rows that begin inside of sectors. */
#ifndef XG_EMIT_REDUCTION_COLUMN_C
#define XG_EMIT_REDUCTION_COLUMN_C
#include "reduction_column_plan.c"

/* ---- elements ---- */

/* The tile of a block, and which of the tile's blocks it is. */
XG_FN const xg_aff *xg_column_site(const xg_column_plan *plan, xg_aff_ctx *x) {
    return plan->parts > 1 ? xg_aff_div(x, xg_aff_dim_1(x), plan->parts) : xg_aff_dim_1(x);
}
XG_FN const xg_aff *xg_column_rank(const xg_column_plan *plan, xg_aff_ctx *x) {
    return plan->parts > 1 ? xg_aff_mod(x, xg_aff_dim_1(x), plan->parts) : xg_aff_const(x, 0);
}
/* The first row of a block's step. */
XG_FN const xg_aff *xg_column_row(const xg_column_plan *plan, xg_aff_ctx *x, const xg_aff *step) {
    return xg_aff_mul(x, xg_aff_add_mul(x, xg_column_rank(plan, x), step, plan->parts), plan->depth);
}
/* kept and lin of the thread's element v in a step; v NULL: of its first one. */
XG_FN void xg_column_place(
    const xg_reduction *r, const xg_column_plan *plan, xg_walk_map *m, const xg_aff *step, const xg_aff *v) {
    const xg_aff *th = xg_aff_dim_0(m->x), *bl = xg_column_site(plan, m->x),
                 *in_step = xg_aff_mul(m->x, th, plan->vector), *column;
    if (v) in_step = xg_aff_add(m->x, in_step, v);
    if (plan->way == XG_COLUMN_SERIAL) {
        m->kept = xg_aff_add_mul(m->x, in_step, bl, plan->width);
        m->lin = step;
        return;
    }
    if (plan->way == XG_COLUMN_SHIFTED) {
        m->lin = xg_aff_add(m->x, xg_column_row(plan, m->x, step), xg_aff_div(m->x, th, plan->window / plan->vector));
        return;
    }
    column = xg_aff_mod(m->x, in_step, plan->width);
    m->lin = xg_aff_add(m->x, xg_column_row(plan, m->x, step), xg_aff_div(m->x, in_step, plan->width));
    if (plan->way == XG_COLUMN_TILE)
        column = xg_aff_add_mul(m->x, column, xg_aff_mod(m->x, bl, plan->tiles), plan->width);
    m->kept = xg_aff_add_mul(m->x, column, xg_aff_div(m->x, bl, plan->tiles), r->minor);
}
/* Where the tile begins in row `row` of a step, counted from the sector in front of it; and the element of memory that
 * the first column of a thread is. */
XG_FN const xg_aff *xg_column_shift(
    const xg_reduction *r, const xg_column_plan *plan, xg_aff_ctx *x, const xg_aff *row) {
    row = xg_aff_add_mul(x, row, xg_aff_div(x, xg_column_site(plan, x), plan->tiles), r->n_reduced);
    return xg_aff_mod(x, xg_aff_mul(x, row, r->minor), plan->unit);
}
XG_FN const xg_aff *xg_column_memory(
    const xg_reduction *r, const xg_column_plan *plan, xg_aff_ctx *x, const xg_aff *step) {
    int64_t across = plan->window / plan->vector;
    const xg_aff *th = xg_aff_dim_0(x), *bl = xg_column_site(plan, x),
                 *row = xg_aff_add_mul(x, xg_aff_div(x, th, across), xg_aff_div(x, bl, plan->tiles), r->n_reduced);
    const xg_aff *at = xg_aff_mul(x, xg_aff_div(x, xg_aff_mul(x, row, r->minor), plan->unit), plan->unit);
    at = xg_aff_add_mul(x, at, xg_column_row(plan, x, step), r->minor);
    at = xg_aff_add_mul(x, at, xg_aff_mod(x, bl, plan->tiles), plan->width);
    return xg_aff_add_mul(x, at, xg_aff_mod(x, th, across), plan->vector);
}
/* The first column of a thread in its tile: not less than 1 - vector where one of its columns is in it. */
XG_FN const xg_aff *xg_column_first(const xg_reduction *r, const xg_column_plan *plan, xg_aff_ctx *x) {
    int64_t across = plan->window / plan->vector;
    const xg_aff *th = xg_aff_dim_0(x);
    return xg_aff_sub(x, xg_aff_mul(x, xg_aff_mod(x, th, across), plan->vector),
        xg_column_shift(r, plan, x, xg_aff_div(x, th, across)));
}

/* A column of a tile may lie behind the last. */
XG_FN void xg_column_inside(
    const xg_reduction *r, const xg_column_plan *plan, xg_walk_map *m, const xg_aff *column_in_tile) {
    const xg_aff *bl = xg_column_site(plan, m->x);
    if (plan->way == XG_COLUMN_SERIAL)
        xg_walk_require(m, m->kept, 0, r->n_kept - 1);
    else if (plan->tiles > 1 || plan->width > r->minor)
        xg_walk_require(
            m, xg_aff_add_mul(m->x, column_in_tile, xg_aff_mod(m->x, bl, plan->tiles), plan->width), 0, r->minor - 1);
}

/* The elements at the indices that the map gives for these variables, of which the last one counts the columns:
 * x[column][value]; or, without `all`, of one column, x[value]. Side outputs are written. A loop over the columns reads
 * them, so that it becomes one access; what it gives are vectors, whose lanes are known once it is unrolled. */
XG_FN void xg_column_lanes(xg_reduction *r, const xg_column_plan *plan, const xg_imap *map, xg_kval **vars,
    uint32_t n_vars, bool all, xg_elem *x, xg_partial *p) {
    xg_scope *s = &r->s;
    xg_arena *a = r->e->arena;
    uint32_t n_values = r->n_values, n = 0, k, v;
    xg_kval *at[XG_RANK_MAX], **vals = XG_NEW_N(a, xg_kval *, 2 * n_values + 1),
                              **parts = XG_NEW_N(a, xg_kval *, 2 * n_values + 1);
    xg_elem *one = XG_NEW_N(a, xg_elem, n_values + 1);
    xg_flow f = xg_flow_begin(s);
    if (all) {
        uint32_t h;
        for (h = 0; h < r->n_heroes; h++)
            for (k = 0; k < r->heroes[h].n; k++) {
                xlagpu_type t = xg_hero_type(&r->heroes[h], k);
                const xg_ktype *type = xg_kir_vector(r->e->m, xg_kelem_of(xg_type_real(t)), plan->vector);
                vals[n++] = xg_kconst_bits(&s->b, type, 0);
                if (xg_type_class(t) == XGT_C) {
                    vals[n] = vals[n - 1];
                    n++;
                }
            }
        xg_flow_slots(&f, vals, n);
        xg_flow_slots(&f, p->dest, p->n_dest);
        vars[n_vars] = xg_flow_count(&f, plan->vector);
        f.var->name = XG_STR("vector_index");
    }
    xg_elem_apply(s, map, vars, at);
    xg_reduction_elements(r, at, one);
    xg_reduction_sides(r, at, p->dest);
    if (!all) {
        memcpy(x, one, n_values * sizeof *x);
        return;
    }
    (void)xg_carry_values(one, n_values, parts);
    for (k = 0; k < n; k++) {
        xg_kval *o[3];
        o[0] = parts[k];
        o[1] = vals[k];
        o[2] = f.var;
        vals[k] = xg_kir_value(&s->b, XG_K_OP_VINSERT, o, 3, vals[k]->type);
    }
    xg_flow_end(&f);
    for (v = 0; v < plan->vector; v++)
        for (n = 0, k = 0; k < n_values; k++) {
            bool pair = one[k].im != NULL;
            uint32_t part;
            for (part = 0; part < (pair ? 2u : 1u); part++) {
                xg_kval *o[2], *e;
                o[0] = vals[n++];
                o[1] = xg_elem_index(s, v);
                e = xg_kir_value(&s->b, XG_K_OP_VEXTRACT, o, 2, xg_kir_scalar(r->e->m, o[0]->type->elem));
                if (part)
                    x[v * n_values + k].im = e;
                else
                    x[v * n_values + k] = xg_elem_real(e);
            }
        }
}

/* Those of all columns of a thread in one row, or of column `only` unless that is negative. */
XG_FN void xg_column_read(xg_reduction *r, const xg_column_plan *plan, const xg_walk_map *outer, const xg_aff *step,
    int64_t only, xg_kval *const *syms, xg_elem *x, xg_partial *p) {
    xg_walk_map m = *outer;
    const xg_aff *sym = plan->vector > 1 && only < 0 ? xg_walk_sym(&m, "vector_index", plan->vector) : NULL;
    xg_kval *vars[5];
    uint32_t k;
    xg_column_place(r, plan, &m, step, sym ? sym : xg_aff_const(m.x, XG_MAX(only, (int64_t)0)));
    vars[0] = r->thread;
    vars[1] = r->block;
    for (k = 0; k < outer->n_syms; k++) vars[2 + k] = syms[k];
    xg_column_lanes(r, plan, xg_walk_map_source(r, &m), vars, 2 + outer->n_syms, sym != NULL, x, p);
}

/* What a pad asks of the elements of some steps. */
XG_FN const xg_imap *xg_column_pad_map(
    const xg_reduction *r, const xg_column_plan *plan, int64_t first, int64_t steps) {
    xg_walk_map m = xg_walk_map_begin(r);
    const xg_aff *step = xg_aff_add_k(m.x, xg_walk_sym(&m, "step", steps), first);
    m.threads = plan->active;
    xg_column_place(r, plan, &m, step, xg_walk_sym(&m, "vector_index", plan->vector));
    return xg_walk_map_source(r, &m);
}
/* It parts the columns of a thread. */
XG_FN bool xg_column_is_parted(const xg_reduction *r, const xg_column_plan *plan, int64_t first, int64_t steps) {
    const xg_imap *map = xg_column_pad_map(r, plan, first, steps);
    uint32_t k;
    if (map->state == XG_IMAP_EMPTY) return false;
    if (map->state != XG_IMAP_OK || map->syms[1].range.lo != 0 || map->syms[1].range.hi != plan->vector - 1)
        return true;
    for (k = 0; k < map->n_constraints; k++)
        if (xg_aff_uses(map->constraints[k].expr, xg_aff_sym(r->e->m->aff, 1))) return true;
    return false;
}
/* Its one test as a test of the block alone: up to `most` all elements pass. */
typedef struct xg_column_cut {
    const xg_aff *block;
    int64_t most;
} xg_column_cut;
XG_FN bool xg_column_cut_of(
    const xg_reduction *r, const xg_column_plan *plan, int64_t first, int64_t steps, xg_column_cut *cut) {
    const xg_imap *map = xg_column_pad_map(r, plan, first, steps);
    xg_range rest;
    if (!xg_imap_ok(map) || map->n_constraints != 1 || map->constraints[0].range.hi == INT64_MAX) return false;
    cut->block = xg_walk_of_block(r->e->m->aff, map, map->constraints[0].expr, &rest);
    cut->most = map->constraints[0].range.hi - rest.hi;
    return cut->block->kind != XG_AFF_CONST && xg_range_known(rest);
}
/* Steps from `first` on, in groups; to the end of the columns when `last`; only < 0: of all columns of each thread.
 * With a cut: all columns in the blocks that a pad has nothing to do with, one column in the others. */
XG_FN void xg_column_steps(xg_reduction *r, const xg_column_plan *plan, int64_t first, int64_t groups, int64_t group,
    bool last, int64_t only, const xg_column_cut *cut, xg_partial *p) {
    xg_walk_map m = xg_walk_map_begin(r);
    const xg_aff *step;
    xg_elem *x = XG_NEW_N(r->e->arena, xg_elem, p->n + 1);
    xg_kval *syms[2];
    const xg_imap *map;
    xg_walk w;
    int64_t v;
    m.threads = plan->active;
    step = xg_aff_add_k(m.x, xg_aff_mul(m.x, xg_walk_sym(&m, "group", groups), group), first);
    step = xg_aff_add(m.x, step, xg_walk_sym(&m, "step", group));
    xg_column_place(r, plan, &m, step, NULL);
    xg_column_inside(r, plan, &m, xg_aff_mod(m.x, xg_aff_mul(m.x, xg_aff_dim_0(m.x), plan->vector), plan->width));
    if (last && plan->way == XG_COLUMN_LINEAR)
        xg_walk_require(&m,
            xg_aff_add_mul(m.x,
                xg_aff_add_k(m.x, xg_aff_mul(m.x, xg_aff_dim_0(m.x), plan->vector), XG_MAX(only, (int64_t)0)),
                xg_column_row(plan, m.x, step), plan->width),
            0, r->n_reduced * plan->width - 1);
    else if (last)
        xg_walk_require(&m, m.lin, 0, r->n_reduced - 1);
    if (cut && only < 0) xg_walk_require(&m, cut->block, INT64_MIN, cut->most);
    if (cut && only >= 0) xg_walk_require(&m, cut->block, cut->most + 1, INT64_MAX);
    map = xg_walk_map_end(r, &m, NULL, 0);
    if (r->pad && (!cut || only >= 0)) {
        if (only >= 0) xg_column_place(r, plan, &m, step, xg_aff_const(m.x, only));
        map = xg_imap_with_results(m.x, xg_walk_map_source(r, &m), NULL, 0);
    }
    if (map->state == XG_IMAP_EMPTY) return; /* none is there */
    w = xg_walk_begin(r, map, p);
    for (v = 0; v < 2; v++) syms[v] = w.syms + v;
    m.n_constraints = 0;
    xg_column_read(r, plan, &m, step, only, syms, x, p);
    if (only >= 0)
        xg_reduction_merge(r, p->acc + only * r->n_values, x);
    else
        for (v = 0; v < plan->vector; v++) xg_reduction_merge(r, p->acc + v * r->n_values, x + v * r->n_values);
    xg_walk_end(r, &w);
}

/* ---- results ---- */

/* The elements acc[v] become those of a loop over v; body: at v, with these elements. */
XG_FN void xg_column_pick(
    xg_reduction *r, const xg_column_plan *plan, const xg_elem *acc, xg_kval *lane, xg_elem *out) {
    uint32_t k, part;
    int64_t v;
    for (k = 0; k < r->n_values; k++)
        for (part = 0; part < (acc[k].im ? 2u : 1u); part++) {
            const xg_ktype *elem = acc[k].v->type, *type = xg_kir_vector(r->e->m, elem->elem, plan->vector);
            xg_kval *vec = xg_kconst_bits(&r->s.b, type, 0), *o[3];
            for (v = 0; v < plan->vector; v++) {
                o[0] = part ? acc[v * r->n_values + k].im : acc[v * r->n_values + k].v;
                o[1] = vec;
                o[2] = xg_elem_index(&r->s, v);
                vec = xg_kir_value(&r->s.b, XG_K_OP_VINSERT, o, 3, type);
            }
            o[0] = vec;
            o[1] = lane;
            vec = xg_kir_value(&r->s.b, XG_K_OP_VEXTRACT, o, 2, elem);
            if (part)
                out[k].im = vec;
            else
                out[k] = xg_elem_real(vec);
        }
}
XG_FN void xg_column_write_serial(xg_reduction *r, const xg_column_plan *plan, xg_partial *p) {
    xg_walk_map m = xg_walk_map_begin(r);
    xg_elem *acc = XG_NEW_N(r->e->arena, xg_elem, r->n_values + 1), *all = XG_NEW_N(r->e->arena, xg_elem, p->n + 1);
    xg_kval *at[XG_RANK_MAX];
    const xg_imap *map;
    xg_walk w;
    uint32_t k;
    xg_column_place(r, plan, &m, xg_aff_const(m.x, 0), xg_walk_sym(&m, "vector_index", plan->vector));
    xg_walk_require(&m, m.kept, 0, r->n_kept - 1);
    memcpy(all, p->acc, p->n * sizeof *all);
    map = xg_walk_map_result(r, &m);
    p->n = 0;
    w = xg_walk_begin(r, map, p);
    for (k = 0; k < map->n_results; k++) at[k] = w.at + k;
    if (plan->vector > 1) xg_column_pick(r, plan, all, w.syms, acc);
    xg_reduction_results(r, plan->vector > 1 ? acc : all, at, p->dest);
    xg_walk_end(r, &w);
}
XG_APART XG_FN void xg_column_share(
    xg_reduction *r, const xg_column_plan *plan, const xg_partial *p, xg_shared *shared) {
    xg_walk_map m = xg_walk_map_begin(r);
    xg_kval **v = XG_NEW_N(r->e->arena, xg_kval *, 2 * r->n_values + 1);
    xg_elem *acc = XG_NEW_N(r->e->arena, xg_elem, r->n_values + 1);
    const xg_aff *at = xg_aff_mul(m.x, xg_aff_dim_0(m.x), plan->vector);
    int64_t elements = plan->depth * plan->window;
    xg_partial write;
    xg_walk w;
    uint32_t k;
    *shared = xg_shared_new(&r->s, p->acc, r->n_values, &elements, 1);
    m.threads = plan->active;
    at = xg_aff_add(m.x, at, xg_walk_sym(&m, "vector_index", plan->vector));
    write = xg_partial_new(r, 0, shared->arrays, shared->n);
    w = xg_walk_begin(r, xg_walk_map_end(r, &m, &at, 1), &write);
    if (plan->vector > 1)
        xg_column_pick(r, plan, p->acc, w.syms, acc);
    else
        memcpy(acc, p->acc, r->n_values * sizeof *acc);
    (void)xg_carry_values(acc, r->n_values, v);
    for (k = 0; k < shared->n; k++) {
        xg_kval *index = w.at;
        shared->arrays[k] = xg_kinsert_at(&r->s.b, v[k], shared->arrays[k], index);
    }
    xg_walk_end(r, &w);
    xg_shared_wait(&r->s.b, shared->arrays, shared->n);
}

/* Place u + at of the partial results, as they lie in shared memory: those of tiles that rows enter early are behind
 * what was read before them, and only in the first round. */
XG_FN xg_kval *xg_column_spot(
    xg_reduction *r, const xg_column_plan *plan, bool entered, xg_kval *item, int64_t items, int64_t at) {
    xg_aff_ctx *x = r->e->m->aff;
    xg_imap *map = xg_imap_of_dims(x, entered ? 2 : 1, 1);
    const xg_aff *place = xg_aff_add_k(x, xg_aff_dim_0(x), at);
    xg_kval *vars[2];
    map->dims[0].range = xg_range_of(0, items - 1);
    if (entered) {
        const xg_aff *row = xg_aff_div(x, place, plan->width);
        place = xg_aff_add(x, xg_aff_add_mul(x, xg_aff_mod(x, place, plan->width), row, plan->window),
            xg_column_shift(r, plan, x, row));
        map->dims[1].range = xg_range_of(0, r->blocks - 1);
    }
    map->results[0] = place;
    vars[0] = item;
    vars[1] = r->block;
    return xg_kapply(&r->s.b, xg_imap_simplify(x, map), vars)->results;
}
/* Item u of a round: places u, u + items, u + 2 * items ... of what is there. */
XG_FN void xg_column_gather(xg_reduction *r, const xg_column_plan *plan, bool entered, const xg_shared *from,
    xg_kval *item, int64_t items, int64_t elements, const xg_elem *like, xg_elem *acc) {
    xg_scope *s = &r->s;
    xg_arena *a = r->e->arena;
    int64_t at;
    xg_kval *index = entered ? xg_column_spot(r, plan, true, item, items, 0) : item;
    xg_shared_read(&r->s, from, &index, 1, like, r->n_values, acc);
    for (at = items; at < elements; at += items) {
        xg_elem *x = XG_NEW_N(a, xg_elem, r->n_values + 1);
        bool guarded = at + items > elements;
        xg_flow f = xg_flow_begin(s);
        xg_flow_elems(&f, acc, r->n_values);
        xg_flow_if(&f, guarded ? xg_kcmpi_int(&s->b, XG_CI_SLT, item, elements - at) : NULL);
        index = xg_column_spot(r, plan, entered, item, guarded ? elements - at : items, at);
        xg_shared_read(&r->s, from, &index, 1, like, r->n_values, x);
        xg_reduction_merge(r, acc, x);
        xg_flow_end(&f);
    }
}
/* Rows that a round leaves of so many. */
XG_ONE_COPY XG_FN int64_t xg_column_next(int64_t depth) {
    return depth <= 2 * XG_COLUMN_RADIX ? 1 : (depth + XG_COLUMN_RADIX - 1) / XG_COLUMN_RADIX;
}
XG_FN int64_t xg_column_shared_bytes(const xg_reduction *r, const xg_column_plan *plan) {
    int64_t bytes = xg_reduction_shared(r, plan->depth * plan->window), depth = plan->depth;
    if (plan->way == XG_COLUMN_SERIAL) return 0;
    do {
        depth = xg_column_next(depth);
        if (depth > 1 || plan->parts > 1) bytes += xg_reduction_shared(r, depth * plan->width);
    } while (depth > 1);
    return bytes;
}
/* A round makes rows of `depth` rows; the last one writes the results. */
XG_FN void xg_column_rounds(
    xg_reduction *r, const xg_column_plan *plan, xg_shared *from, const xg_elem *like, xg_partial *p) {
    int64_t depth = plan->depth, items, next;
    bool entered = plan->way == XG_COLUMN_SHIFTED;
    xg_elem *acc = XG_NEW_N(r->e->arena, xg_elem, r->n_values + 1);
    xg_kval *at[XG_RANK_MAX + 1];
    bool last;
    do {
        xg_walk_map m = xg_walk_map_begin(r);
        const xg_aff *item, *sym;
        const xg_imap *map;
        xg_shared to;
        xg_partial write;
        xg_walk w;
        uint32_t k;
        next = xg_column_next(depth);
        last = next == 1 && plan->parts == 1;
        items = next * plan->width;
        sym = xg_walk_sym(&m, "item", (items + r->threads - 1) / r->threads);
        item = xg_aff_add_mul(m.x, xg_aff_dim_0(m.x), sym, r->threads);
        xg_walk_require(&m, item, 0, items - 1);
        if (last) {
            const xg_aff *bl = xg_column_site(plan, m.x), *column = item;
            xg_column_inside(r, plan, &m, item);
            if (plan->tiles > 1) column = xg_aff_add_mul(m.x, column, xg_aff_mod(m.x, bl, plan->tiles), plan->width);
            m.kept = xg_aff_add_mul(m.x, column, xg_aff_div(m.x, bl, plan->tiles), r->minor);
            map = xg_walk_map_result(r, &m);
            w = xg_walk_begin(r, map, p);
        } else {
            map = xg_walk_map_end(r, &m, &item, 1);
            to = xg_shared_new(&r->s, like, r->n_values, &items, 1);
            write = xg_partial_new(r, 0, to.arrays, to.n);
            w = xg_walk_begin(r, map, &write);
        }
        {
            xg_kval *vars[3];
            xg_walk_map only = m;
            only.n_constraints = 0;
            vars[0] = r->thread;
            vars[1] = r->block;
            vars[2] = w.syms;
            only.constraints[only.n_constraints].expr = item;
            only.constraints[only.n_constraints++].range = xg_range_of(0, items - 1);
            at[XG_RANK_MAX] = xg_kapply(&r->s.b, xg_walk_map_end(r, &only, &item, 1), vars)->results;
        }
        xg_column_gather(r, plan, entered, from, at[XG_RANK_MAX], items, depth * plan->width, like, acc);
        for (k = 0; k < map->n_results && k < XG_RANK_MAX; k++) at[k] = w.at + k;
        if (last) {
            xg_reduction_results(r, acc, at, p->dest);
            xg_walk_end(r, &w);
        } else {
            xg_kval **v = XG_NEW_N(r->e->arena, xg_kval *, 2 * r->n_values + 1);
            (void)xg_carry_values(acc, r->n_values, v);
            for (k = 0; k < to.n; k++) to.arrays[k] = xg_kinsert(&r->s.b, v[k], to.arrays[k], at, 1);
            xg_walk_end(r, &w);
            if (next > 1)
                xg_shared_wait(&r->s.b, to.arrays, to.n);
            else
                xg_cluster_wait(&r->s.b, to.arrays, to.n);
            *from = to;
        }
        depth = next;
        entered = false;
    } while (next > 1);
}
/* Each block of a cluster makes the results of its share of the tile's columns, of what all of them have. */
XG_FN void xg_column_cluster(
    xg_reduction *r, const xg_column_plan *plan, const xg_shared *from, const xg_elem *like, xg_partial *p) {
    int64_t share = (plan->width + plan->parts - 1) / plan->parts, part;
    xg_walk_map m = xg_walk_map_begin(r), only;
    xg_elem *acc = XG_NEW_N(r->e->arena, xg_elem, r->n_values + 1),
            *more = XG_NEW_N(r->e->arena, xg_elem, r->n_values + 1);
    const xg_aff *bl = xg_column_site(plan, m.x),
                 *of_share = xg_aff_add_mul(m.x, xg_aff_dim_0(m.x),
                     xg_walk_sym(&m, "item", (share + r->threads - 1) / r->threads), r->threads),
                 *item;
    xg_kval *vars[3], *at[XG_RANK_MAX], *place;
    xg_shared peer;
    const xg_imap *map;
    xg_walk w;
    uint32_t k;
    item = xg_aff_add_mul(m.x, of_share, xg_column_rank(plan, m.x), share);
    xg_walk_require(&m, of_share, 0, share - 1);
    if (share * plan->parts != plan->width) xg_walk_require(&m, item, 0, plan->width - 1);
    only = m;
    xg_column_inside(r, plan, &m, item);
    m.kept = xg_aff_add_mul(m.x, item, xg_aff_mod(m.x, bl, plan->tiles), plan->width);
    m.kept = xg_aff_add_mul(m.x, m.kept, xg_aff_div(m.x, bl, plan->tiles), r->minor);
    map = xg_walk_map_result(r, &m);
    w = xg_walk_begin(r, map, p);
    for (k = 0; k < map->n_results; k++) at[k] = w.at + k;
    vars[0] = r->thread;
    vars[1] = r->block;
    vars[2] = w.syms;
    place = xg_kapply(&r->s.b, xg_walk_map_end(r, &only, &item, 1), vars)->results;
    for (part = 0; part < plan->parts; part++) {
        peer = xg_shared_of_peer(&r->s, from, xg_kconst_i32(&r->s.b, part));
        xg_shared_read(&r->s, &peer, &place, 1, like, r->n_values, part ? more : acc);
        if (part) xg_reduction_merge(r, acc, more);
    }
    xg_reduction_results(r, acc, at, p->dest);
    xg_walk_end(r, &w);
    xg_cluster_wait(&r->s.b, NULL, 0);
}

/* Steps without an end. Where a pad may part the columns of a thread, only the blocks that it goes through read these
 * one at a time. */
XG_FN void xg_column_whole(
    xg_reduction *r, const xg_column_plan *plan, int64_t first, int64_t groups, int64_t group, xg_partial *p) {
    bool parted = r->pad && plan->vector > 1 && xg_column_is_parted(r, plan, first, groups * group), cuts;
    xg_column_cut cut;
    int64_t v;
    cuts = parted && xg_column_cut_of(r, plan, first, groups * group, &cut);
    if (cuts || !parted) xg_column_steps(r, plan, first, groups, group, false, -1, cuts ? &cut : NULL, p);
    for (v = 0; parted && v < plan->vector; v++)
        xg_column_steps(r, plan, first, groups, group, false, v, cuts ? &cut : NULL, p);
}
/* The steps at the end of the columns; one column at a time, where the end or a pad may part those of a thread. */
XG_FN void xg_column_end(xg_reduction *r, const xg_column_plan *plan, int64_t first, xg_partial *p) {
    bool parted = plan->way == XG_COLUMN_LINEAR && r->n_reduced * plan->width % plan->vector;
    int64_t v;
    if (r->pad && plan->vector > 1) parted = parted || xg_column_is_parted(r, plan, first, 1);
    if (!parted)
        xg_column_steps(r, plan, first, 1, 1, true, -1, NULL, p);
    else
        for (v = 0; v < plan->vector; v++) xg_column_steps(r, plan, first, 1, 1, true, v, NULL, p);
}
/* How many steps are read at a time: a number that leaves none over, if there is one. */
XG_ONE_COPY XG_FN int64_t xg_column_group(int64_t steps) {
    int64_t group = XG_COLUMN_GROUP;
    while (group > XG_COLUMN_GROUP / 2 && steps % group) group--;
    return steps % group ? (int64_t)XG_COLUMN_GROUP : group;
}
/* ---- rows that begin inside of sectors ---- */

/* What of some steps is read: the rows that there are; vectors in front of the array's end; of the one that goes beyond
 * it, lane `lane` (else -1); in the blocks all of whose rows have one behind them, or in the others. */
typedef enum xg_column_blocks {
    XG_COLUMN_ALL,
    XG_COLUMN_BEFORE_END,
    XG_COLUMN_AT_END
} xg_column_blocks;
typedef struct xg_column_part {
    bool rows, vectors;
    int64_t lane;
    xg_column_blocks blocks;
} xg_column_part;
XG_FN void xg_column_shifted_steps(xg_reduction *r, const xg_column_plan *plan, int64_t first, int64_t groups,
    int64_t group, const xg_column_part *part, xg_partial *p) {
    int64_t elements = xg_column_source(r)->elements, vectors = elements / plan->vector,
            full = (elements / r->minor - 1) / r->n_reduced, v;
    xg_walk_map m = xg_walk_map_begin(r);
    const xg_aff *step = xg_aff_add_k(m.x, xg_aff_mul(m.x, xg_walk_sym(&m, "group", groups), group), first),
                 *column = xg_column_first(r, plan, m.x), *bl = xg_column_site(plan, m.x), *at;
    bool one = part->lane >= 0;
    xg_elem *x = XG_NEW_N(r->e->arena, xg_elem, p->n + 1);
    const xg_imap *map;
    xg_kval *vars[2];
    xg_walk w;
    m.threads = plan->active;
    step = xg_aff_add(m.x, step, xg_walk_sym(&m, "step", group));
    at = xg_aff_div(m.x, xg_column_memory(r, plan, m.x, step), plan->vector);
    xg_column_place(r, plan, &m, step, NULL);
    xg_walk_require(&m, column, 1 - plan->vector, plan->width - 1);
    if (plan->tiles > 1)
        xg_walk_require(
            &m, xg_aff_add_mul(m.x, column, xg_aff_mod(m.x, bl, plan->tiles), plan->width), INT64_MIN, r->minor - 1);
    if (part->rows) xg_walk_require(&m, m.lin, 0, r->n_reduced - 1);
    if (part->vectors || one) xg_walk_require(&m, at, one ? vectors : 0, one ? vectors : vectors - 1);
    if (part->blocks == XG_COLUMN_BEFORE_END) xg_walk_require(&m, xg_aff_div(m.x, bl, plan->tiles), 0, full - 1);
    if (part->blocks == XG_COLUMN_AT_END) xg_walk_require(&m, xg_aff_div(m.x, bl, plan->tiles), full, INT64_MAX);
    map = xg_walk_map_end(r, &m, &at, 1);
    if (map->state == XG_IMAP_EMPTY) return; /* none is there */
    w = xg_walk_begin(r, map, p);
    xg_kval_set_range(w.at, xg_range_of(0, (elements - 1) / plan->vector));
    vars[0] = w.at;
    one = one || plan->vector == 1;
    xg_column_lanes(r, plan,
        xg_column_vector_map(r, plan->vector, one ? xg_aff_const(m.x, XG_MAX(part->lane, (int64_t)0)) : NULL), vars, 1,
        !one, x, p);
    if (one)
        xg_reduction_merge(r, p->acc + XG_MAX(part->lane, (int64_t)0) * r->n_values, x);
    else
        for (v = 0; v < plan->vector; v++) xg_reduction_merge(r, p->acc + v * r->n_values, x + v * r->n_values);
    xg_walk_end(r, &w);
}
XG_FN void xg_column_shifted_part(
    xg_reduction *r, const xg_column_plan *plan, int64_t steps, const xg_column_part *part, xg_partial *p) {
    int64_t group = xg_column_group(steps);
    if (steps / group) xg_column_shifted_steps(r, plan, 0, steps / group, group, part, p);
    if (steps % group) xg_column_shifted_steps(r, plan, steps / group * group, 1, steps % group, part, p);
}
/* Only the last row of the array has nothing behind it that a vector may reach into. Where a pad stands for rows, its
 * blocks ask for each vector. */
XG_APART XG_FN void xg_column_shifted_all(xg_reduction *r, const xg_column_plan *plan, xg_partial *p) {
    int64_t elements = xg_column_source(r)->elements, over = elements % plan->vector, rows = plan->depth * plan->parts,
            steps = (r->n_reduced - (over && !r->pad)) / rows;
    xg_column_part part = {false, false, -1, XG_COLUMN_ALL};
    if (r->pad) part.blocks = XG_COLUMN_BEFORE_END;
    if (steps) xg_column_shifted_part(r, plan, steps, &part, p);
    if (r->pad) {
        part.blocks = XG_COLUMN_AT_END;
        part.vectors = true;
        if (steps) xg_column_shifted_part(r, plan, steps, &part, p);
    }
    part.blocks = XG_COLUMN_ALL;
    part.rows = true;
    part.vectors = r->pad || over;
    if (steps * rows < r->n_reduced) xg_column_shifted_steps(r, plan, steps, 1, 1, &part, p);
    for (part.lane = 0; part.lane < over; part.lane++)
        xg_column_shifted_steps(r, plan, (elements / r->minor - 1) % r->n_reduced / rows, 1, 1, &part, p);
}

XG_APART XG_FN void xg_column_emit(xg_reduction *r, const xg_column_plan *plan, xg_partial *p) {
    int64_t rows = plan->depth * plan->parts, whole = r->n_reduced / rows, group = xg_column_group(whole),
            groups = whole / group, rest = whole % group, v;
    xg_partial all = xg_partial_new(r, (uint32_t)plan->vector * r->n_values, p->dest, p->n_dest);
    xg_shared shared;
    xg_elem *like;
    for (v = 0; v < plan->vector; v++) xg_reduction_start(r, all.acc + v * r->n_values);
    if (plan->way == XG_COLUMN_SHIFTED)
        xg_column_shifted_all(r, plan, &all);
    else {
        if (groups) xg_column_whole(r, plan, 0, groups, group, &all);
        if (rest) xg_column_whole(r, plan, groups * group, 1, rest, &all);
        if (r->n_reduced % rows) xg_column_end(r, plan, whole, &all);
    }
    if (plan->way == XG_COLUMN_SERIAL) {
        xg_column_write_serial(r, plan, &all);
        return;
    }
    like = XG_NEW_N(r->e->arena, xg_elem, r->n_values + 1);
    memcpy(like, all.acc, r->n_values * sizeof *like);
    xg_column_share(r, plan, &all, &shared);
    p->n = 0;
    xg_column_rounds(r, plan, &shared, like, p);
    if (plan->parts > 1) xg_column_cluster(r, plan, &shared, like, p);
}

#endif /* XG_EMIT_REDUCTION_COLUMN_C */
