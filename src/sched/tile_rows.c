/* sched/tile_rows.c -- a product whose rows are normalised behind it: one kernel.
 *
 *     x = A B + bias + residual;  mean and variance of the rows of x;  (x - mean) / deviation * scale + offset
 *
 * Idea: where a tile has all columns, its rows can be reduced before they go to memory. The block puts what the fusion
 * makes of the sums, element by element, into shared memory, and is then a row program (emit/rows.c), whose elements
 * lie there. The blocks of a cluster, which have summed up a part of k each, take some whole rows each.
 *
 * Law: the row program is the one that a kernel of its own would be, in the same order of stages. */
#ifndef XG_SCHED_TILE_ROWS_C
#define XG_SCHED_TILE_ROWS_C
#include "tile.h"

enum {
    XG_TILE_ROWS_LEAST = 8,         /* rows of a tile, at least */
    XG_TILE_ROWS_THREADS_MIN = 64,  /* of a block: fewer leave schedulers idle */
    XG_TILE_ROWS_THREADS_MAX = 512, /* ... and of more, each has too few registers for its sums */
    XG_TILE_ROWS_SLICED_MAX = 480   /* ... where slices wait for each other */
};

/* ---- whether it is one ---- */

/* (row, column) of the program are m (with the batch) and n of the product. */
XG_FN bool xg_tile_rows_agree(const xg_tile_form *f, xg_aff_ctx *x, const xg_imap *at) {
    const xg_aff *linear[XG_TILE_ROLES], *row = xg_aff_dim_0(x);
    xg_imap *m;
    uint32_t k;
    if (!xg_imap_ok(at) || at->n_dims != 2 || at->n_results != f->rank) return false;
    m = xg_imap_of_dims(x, 2, f->rank);
    for (k = 0; k < 2; k++) m->dims[k] = at->dims[k];
    memset(linear, 0, sizeof linear);
    linear[XG_TILE_B] = xg_aff_div(x, row, f->group[XG_TILE_M].size);
    linear[XG_TILE_M] = xg_aff_mod(x, row, f->group[XG_TILE_M].size);
    linear[XG_TILE_N] = xg_aff_dim_1(x);
    xg_tile_set_variables(f, x, m, linear);
    return xg_imap_equal(xg_imap_simplify(x, m), xg_imap_simplify(x, at));
}
XG_FN bool xg_tile_rows_values(xg_tile_rows *r, const xg_tile_form *f, const xg_fusion_emission *e, xg_inst *hero) {
    xg_inst *values[XG_TILE_ROWS_VALUES];
    const xg_inst *v;
    uint32_t n;
    for (n = 0; (v = xg_rows_behind_value(r->program, n)) != NULL; n++) {
        const xg_imap *at = xg_rows_behind_map(r->program, v), *in;
        if (n == XG_TILE_ROWS_VALUES || !at) return false;
        values[n] = (xg_inst *)v;
        r->value[n] = xg_fuse_partition_of(e->arena, e->m->aff, e->comp, values[n], &hero, 1);
        in = r->value[n]->map_of[xg_partition_place(r->value[n], hero)];
        if (!xg_partition_gives(r->value[n]) || !in) return false;
        if (!xg_tile_rows_agree(f, e->m->aff, xg_imap_compose(e->m->aff, at, in))) return false;
    }
    if (!n) return false;
    r->operands = xg_fuse_partition_of(e->arena, e->m->aff, e->comp, hero, NULL, 0);
    r->behind = xg_fuse_partition_of(e->arena, e->m->aff, e->comp, NULL, values, n);
    return true;
}
#ifdef XLAGPU_SMALL
XG_FN bool xg_tile_rows_find(xg_tile_plan *p, const xg_fusion_emission *e) {
    (void)p;
    (void)e;
    return false;
}
#else
XG_FN bool xg_tile_rows_find(xg_tile_plan *p, const xg_fusion_emission *e) {
    xg_tile_rows *r;
    xg_inst *hero = NULL;
    uint32_t n = 0, reduces = 0;
    XG_FOR_INSTS(i, e->comp) {
        reduces += i->op == XG_REDUCE;
        if (i->op != XG_DOT && i->op != XG_CONVOLUTION) continue;
        hero = i;
        n++;
    }
    if (n != 1 || !reduces || !xg_tile_form_of(&p->form, e->m->aff, hero)) return false;
    if (p->form.group[XG_TILE_N].size > XG_TILE_ROWS_COLUMNS_MAX || (xg_type_class(p->form.sum) & XGT_C)) return false;
    r = XG_NEW(e->arena, xg_tile_rows);
    r->program = xg_rows_behind_open(e, hero);
    if (!r->program || xg_rows_behind_columns(r->program) != p->form.group[XG_TILE_N].size) return false;
    if (!xg_tile_rows_values(r, &p->form, e, hero)) return false;
    p->rows_behind = r;
    return true;
}
#endif

/* ---- the plan ---- */

/* All columns, few rows: a block's m and thread's m and n by the table, k, and slices of it. */
XG_FN const xg_tile_row *xg_tile_rows_row(const xg_tile_plan *p, size_t k, xg_tile_row *r) {
    static const int16_t rows[] = {64, 32, 16, 8}, threads[][2] = {{8, 8}, {4, 8}, {4, 4}}, steps[] = {32, 16};
    static const uint8_t slices[] = {1, 2, 4};
    int64_t n = p->form.group[XG_TILE_N].size, line;
    size_t which = k;
    memset(r, 0, sizeof *r);
    r->slices = slices[which % XG_COUNT(slices)];
    which /= XG_COUNT(slices);
    r->k = steps[which % XG_COUNT(steps)];
    which /= XG_COUNT(steps);
    r->tm = threads[which % XG_COUNT(threads)][0];
    r->tn = threads[which % XG_COUNT(threads)][1];
    which /= XG_COUNT(threads);
    if (which == XG_COUNT(rows)) return NULL;
    r->m = rows[which];
    /* as many columns of threads as make warps of whole rows of them */
    line = (int64_t)r->tn * XG_MAX(XG_WARP_LANES / (r->m / r->tm), 8);
    r->n = (int16_t)((n + line - 1) / line * line);
    r->stages = XG_TILE_PLAIN_STAGES;
    return r;
}
/* Threads of a block are neither few nor more than registers are for; where there are that many rows, the blocks of all
 * clusters keep half of the device busy at least. */
XG_FN bool xg_tile_rows_may(const xg_tile_plan *p, const xg_tile_shape *s) {
    int64_t rows = p->form.group[XG_TILE_M].size, threads = (int64_t)(s->m / s->tm) * (s->n / s->tn) * s->slices;
    int64_t blocks = xg_cost_mul(p->form.group[XG_TILE_B].size, rows / s->m), most = p->device->blocks_per_cluster;
    if (rows % s->m || threads < XG_TILE_ROWS_THREADS_MIN ||
        threads > (s->slices > 1 ? XG_TILE_ROWS_SLICED_MAX : XG_TILE_ROWS_THREADS_MAX))
        return false;
    blocks = xg_cost_mul(blocks, XG_MAX(most, (int64_t)1));
    return s->m == XG_TILE_ROWS_LEAST || 2 * blocks >= (int64_t)p->device->sm_count;
}
/* The threads, of any number of warps, bring whole rounds of a side, or some of them all of it in one. */
XG_FN bool xg_tile_rows_brings(const xg_tile_plan *p, uint32_t side) {
    xg_tile_rounds r = xg_tile_rounds_of(p, &p->fetch[side]);
    return r.k_units % r.k_step == 0 || (p->fetch[side].vectors < p->threads && r.rows == 1);
}
XG_FN void xg_tile_rows_settle(xg_tile_plan *p) {
    xg_tile_rows *r = p->rows_behind;
    bool whole = p->form.group[XG_TILE_M].size % p->shape.m == 0 && p->tiles[1] == 1;
    r->rows = XG_MAX(p->shape.m / p->shape.cluster, 1);
    r->fits = xg_rows_behind_fits(r->program, p->threads, r->rows) && whole && p->shape.m % p->shape.cluster == 0 &&
              p->threads >= XG_TILE_ROWS_THREADS_MIN && xg_tile_rows_brings(p, 0) && xg_tile_rows_brings(p, 1);
}
XG_FN int64_t xg_tile_rows_bytes(const xg_tile_plan *p) {
    return p->rows_behind ? xg_rows_behind_bytes(p->rows_behind->program) : 0;
}
/* All sums into shared memory; what blocks and slices have of an element, and what the fusion reads beside it; the row
 * program. */
XG_FN int64_t xg_tile_rows_clocks(const xg_tile_plan *p) {
    enum {
        SHOW = 40,   /* clocks of a part of a thread's sums on their way into shared memory */
        READ = 8,    /* of one more sum of an element: reads are on their way together */
        BARRIER = 40 /* of a block */
    };
    const xg_device *m = p->device;
    int64_t vectors = p->rows_behind->rows * p->form.group[XG_TILE_N].size / p->out_vector, rounds, clocks;
    rounds = xg_tile_over(vectors, p->threads);
    clocks = p->parts * SHOW + rounds * (m->memory_latency + p->shape.cluster * p->shape.slices * READ);
    clocks += p->shape.cluster > 1 ? 2 * XG_COST_MEET_CLOCKS + XG_COST_PEER_CLOCKS : 2 * BARRIER + m->shared_latency;
    return clocks + xg_rows_behind_clocks(p->rows_behind->program, m);
}

/* ---- the code ---- */

enum {
    XG_TILE_ROWS_THREAD,
    XG_TILE_ROWS_ROUND,
    XG_TILE_ROWS_LANE,
    XG_TILE_ROWS_BLOCK,
    XG_TILE_ROWS_DIMS
};
/* What maps of vectors of the block's rows give. */
enum {
    XG_TILE_ROWS_ROW, /* of the whole array */
    XG_TILE_ROWS_COLUMN,
    XG_TILE_ROWS_SUM,  /* where the first slice's sum lies */
    XG_TILE_ROWS_SPOT, /* where the value goes */
    XG_TILE_ROWS_PLACES
};
XG_FN const xg_imap *xg_tile_rows_map(xg_tile_kernel *w, int64_t *counts) {
    const xg_tile_plan *p = w->p;
    xg_aff_ctx *x = w->s.b.m->aff;
    int64_t own = p->rows_behind->rows, n = p->form.group[XG_TILE_N].size, line = n / p->out_vector;
    int64_t rows = p->shape.m / p->parts, vectors = own * line;
    const xg_aff *v, *row, *column, *in, *place;
    xg_imap *m;
    counts[XG_TILE_ROWS_THREAD] = p->threads;
    counts[XG_TILE_ROWS_ROUND] = xg_tile_over(vectors, p->threads);
    counts[XG_TILE_ROWS_LANE] = p->out_vector;
    counts[XG_TILE_ROWS_BLOCK] = p->blocks;
    m = xg_tile_map(x, counts, XG_TILE_ROWS_DIMS, XG_TILE_ROWS_PLACES);
    v = xg_aff_add_dim(x, xg_aff_dim(x, XG_TILE_ROWS_THREAD), XG_TILE_ROWS_ROUND, p->threads);
    row = xg_aff_div(x, v, line);
    column = xg_aff_add_mul(x, xg_aff_dim(x, XG_TILE_ROWS_LANE), xg_aff_mod(x, v, line), p->out_vector);
    m->results[XG_TILE_ROWS_ROW] = xg_aff_add_dim(x, row, XG_TILE_ROWS_BLOCK, own);
    m->results[XG_TILE_ROWS_COLUMN] = column;
    m->results[XG_TILE_ROWS_SPOT] = xg_aff_add_mul(x, column, row, n);
    in = xg_aff_mod(x, xg_aff_dim(x, XG_TILE_ROWS_BLOCK), p->shape.cluster);
    in = xg_aff_add_mul(x, row, in, own); /* of the tile */
    place = xg_aff_mul(x, xg_aff_div(x, in, rows), p->shape.slices * xg_tile_part_size(p));
    in = xg_aff_mod(x, in, rows);
    place = xg_aff_add_mul(x, xg_aff_add(x, place, column), in, p->out_pitch);
    m->results[XG_TILE_ROWS_SUM] = xg_aff_add_mul(x, place, xg_aff_div(x, in, p->quad), p->out_slant);
    if (vectors % p->threads == 0) return xg_imap_simplify(x, m);
    return xg_imap_with_constraint(x, xg_imap_simplify(x, m), v, xg_range_of(0, vectors - 1));
}
/* What all blocks and slices have of a sum, in their order. */
XG_APART XG_FN xg_elem xg_tile_rows_sum(xg_tile_kernel *w, xg_kval *at) {
    const xg_tile_plan *p = w->p;
    xg_aff_ctx *x = w->s.b.m->aff;
    int64_t size = p->shared * xg_type_bytes(p->held) / xg_type_bytes(p->form.sum), k, slice;
    xg_elem v = xg_tile_zero(w);
    for (k = 0; k < p->shape.cluster; k++)
        for (slice = 0; slice < p->shape.slices; slice++) {
            const xg_aff *place = xg_aff_add_k(x, xg_aff_dim_0(x), slice * xg_tile_part_size(p));
            int64_t count = size - slice * xg_tile_part_size(p);
            xg_kval *spot = xg_tile_apply(w, &count, 1, place, &at), *from = w->rank ? w->peers[k] : w->shared;
            xg_elem one = xg_emit_split(&w->s.b, xg_kextract(&w->s.b, from, &spot, 1));
            v = k + slice ? xg_tile_plus(w, v, one) : one;
        }
    return v;
}
/* The values of one vector of the block's rows into their arrays. */
XG_APART XG_FN void xg_tile_rows_vector(
    xg_tile_kernel *w, xg_scope *scopes, const xg_imap *map, xg_kval **at, xg_kval **arrays, uint32_t n) {
    const xg_tile_form *f = &w->p->form;
    xg_rows *program = w->p->rows_behind->program;
    int64_t counts[XG_TILE_ROWS_DIMS];
    xg_kval *place[XG_TILE_ROWS_PLACES], *index[XG_RANK_MAX], *cond;
    xg_flow lanes = xg_flow_begin(&w->s), guard = lanes;
    xg_contract_site site;
    xg_elem v;
    uint32_t k;
    memset(&site, 0, sizeof site);
    site.i = f->hero;
    site.sum = f->sum;
    (void)xg_tile_rows_map(w, counts);
    at[XG_TILE_ROWS_LANE] = xg_elem_index_0(&w->s);
    cond = xg_tile_inside(w, map, xg_tile_map(w->s.b.m->aff, counts, XG_TILE_ROWS_DIMS, 0), at);
    xg_flow_slots(&guard, arrays, n);
    xg_flow_if(&guard, cond);
    xg_flow_slots(&lanes, arrays, n);
    if (w->p->out_vector > 1) {
        xg_kval *last = xg_elem_index(&w->s, w->p->out_vector);
        at[XG_TILE_ROWS_LANE] = xg_flow_for(&lanes, at[XG_TILE_ROWS_LANE], last, 1, w->p->out_vector);
    }
    xg_elem_apply(&w->s, map, at, place);
    v = xg_contract_end(&w->s, &site, xg_tile_rows_sum(w, place[XG_TILE_ROWS_SUM]));
    for (k = 0; k < n; k++) {
        const xg_inst *value = xg_rows_behind_value(program, k);
        xg_scope *s = &scopes[k];
        s->b = w->s.b;
        xg_emit_forget(s);
        xg_hero_give(s, f->hero, v);
        xg_elem_apply(s, xg_rows_behind_map(program, value), place, index);
        arrays[k] = xg_kinsert(&s->b, xg_elem_of(s, value, index).v, arrays[k], place + XG_TILE_ROWS_SPOT, 1);
        w->s.b = s->b;
    }
    xg_flow_end(&lanes);
    xg_flow_end(&guard);
}
/* All values that the block's rows have, behind a barrier. */
XG_FN void xg_tile_rows_fill(xg_tile_kernel *w, xg_scope *scopes, xg_kval **arrays, uint32_t n) {
    int64_t counts[XG_TILE_ROWS_DIMS], rounds;
    const xg_imap *map = xg_tile_rows_map(w, counts);
    xg_kval *at[XG_TILE_ROWS_DIMS], *zero = xg_elem_index_0(&w->s);
    xg_flow f = xg_flow_begin(&w->s);
    rounds = counts[XG_TILE_ROWS_ROUND];
    at[XG_TILE_ROWS_THREAD] = w->thread;
    at[XG_TILE_ROWS_BLOCK] = xg_kblock_id(&w->s.b, 0, w->p->blocks);
    at[XG_TILE_ROWS_ROUND] = zero;
    xg_flow_slots(&f, arrays, n);
    f.rolled = true;
    if (rounds > 1) {
        at[XG_TILE_ROWS_ROUND] = xg_flow_for(&f, zero, xg_elem_index(&w->s, rounds), 1, rounds);
        f.op->flags |= KL_STEP_POINTERS | KL_READS_TOGETHER;
    }
    xg_tile_rows_vector(w, scopes, map, at, arrays, n);
    xg_flow_end(&f);
    if (w->rank) /* the others have read what the block has shown */
        xg_cluster_wait(&w->s.b, arrays, n);
    else
        xg_shared_wait(&w->s.b, arrays, n);
}
/* all: of the whole fusion. */
XG_APART XG_FN void xg_tile_rows_results(xg_tile_kernel *w, xg_fusion_emission *all) {
    const xg_tile_rows *r = w->p->rows_behind;
    xg_fusion_emission *e = XG_NEW_N(w->e->arena, xg_fusion_emission, XG_TILE_ROWS_VALUES + 1);
    xg_scope scopes[XG_TILE_ROWS_VALUES];
    xg_kval *arrays[XG_TILE_ROWS_VALUES];
    const xg_inst *value;
    int64_t part;
    uint32_t n;
    for (part = 0; part < w->p->parts; part++) xg_tile_show(w, part);
    if (w->rank)
        xg_tile_meet(w);
    else
        xg_tile_wait(w);
    for (n = 0; (value = xg_rows_behind_value(r->program, n)) != NULL; n++) {
        e[n] = *all;
        e[n].parts = r->value[n];
        e[n].n_roots = 1;
        e[n].roots = r->value[n]->roots;
        xg_emit_functions(&e[n], false);
        scopes[n] = xg_emit_scope(&e[n], all->m->entry, 0);
        arrays[n] =
            xg_shared_array(&w->s.b, xg_kelem_of(value->shape->type), r->rows * w->p->form.group[XG_TILE_N].size);
    }
    xg_tile_rows_fill(w, scopes, arrays, n);
    e[n] = *all;
    e[n].parts = r->behind;
    xg_emit_functions(&e[n], false);
    xg_rows_behind(r->program, &e[n], &w->s.b, w->thread, xg_kblock_id(&w->s.b, 0, w->p->blocks), arrays, w->dest);
}

#endif /* XG_SCHED_TILE_ROWS_C */
