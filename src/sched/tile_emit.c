/* sched/tile_emit.c -- emits the kernel of a tile plan.
 *
 *     main loop over the steps of K                    <- tile_mma.c; by warp groups: tile_wgmma.c
 *     for each part of the rows of the threads' sums:
 *         store the sums to shared memory; barrier; epilogue, in the order of the result; barrier */
#ifndef XG_SCHED_TILE_EMIT_C
#define XG_SCHED_TILE_EMIT_C
#include "tile_pack.h"

enum {
    XG_TILE_TOTAL_UNROLL = 16, /* slices whose sums are loaded together */
    XG_TILE_TOTAL_CHAINS = 4   /* independent chains of their additions, whose latencies overlap */
};

/* ---- multiply ---- */

enum {
    XG_TILE_READ_PLACE, /* the thread's row, or column, among the block's threads */
    XG_TILE_READ_BUFFER,
    XG_TILE_READ_SLICE,
    XG_TILE_READ_OUTER,
    XG_TILE_READ_INNER,
    XG_TILE_READ_DIMS
};
/* True if the device multiplies two f32 in one instruction: pairs of sums are words of eight bytes. */
XG_FN bool xg_tile_is_paired(const xg_tile_plan *p) { return p->lanes == XG_TILE_PAIR; }
XG_FN xg_kval *xg_tile_bits_as(xg_tile_kernel *w, xg_kval *v, xg_kelem e, int64_t n) {
    const xg_ktype *t = n > 1 ? xg_kir_vector(w->s.b.m, e, n) : xg_kir_scalar(w->s.b.m, e);
    return xg_kir_of(&w->s.b, XG_K_OP_BITCAST, v, t);
}
/* Broadcasts a value to all columns of a vector of sums. */
XG_FN xg_kval *xg_tile_spread(xg_tile_kernel *w, xg_kval *v) {
    v = xg_kir_of(&w->s.b, XG_K_OP_BROADCAST, v, xg_kir_vector(w->s.b.m, v->type->elem, w->p->lanes));
    return xg_tile_is_paired(w->p) ? xg_tile_bits_as(w, v, XG_E_I64, 1) : v;
}
/* Loads a thread's fragment of one side for one k: groups of `quad` neighbouring rows or columns, a fixed distance
 * apart in the tile. */
XG_FN void xg_tile_fragment(xg_tile_kernel *w, uint32_t side, xg_kval **v, int64_t *counts, xg_elem *out) {
    const xg_tile_plan *p = w->p;
    const xg_tile_fetch *t = &p->fetch[side];
    xg_aff_ctx *x = w->s.b.m->aff;
    int64_t own = side ? p->shape.tn : p->shape.tm, part, j;
    const xg_ktype *elem = xg_kir_scalar(w->s.b.m, xg_kelem_of(p->form.sum)), *type;
    const xg_aff *at = xg_aff_dim(x, XG_TILE_READ_PLACE), *k;
    int64_t quad = side ? p->quad_n : p->quad, each = side && xg_tile_is_paired(p) ? quad / XG_TILE_PAIR : quad,
            row = t->by_rows ? t->pitch : 1;
    xg_kval *o[2], *vector;
    counts[XG_TILE_READ_PLACE] = side ? p->columns : p->rows;
    v[XG_TILE_READ_PLACE] = w->own[side];
    k = xg_aff_add_dim(x, xg_aff_dim(x, XG_TILE_READ_INNER), XG_TILE_READ_OUTER, counts[XG_TILE_READ_INNER]);
    /* slices take neighbouring k, so that the lanes of a warp read contiguous words */
    k = xg_aff_add_mul(x, xg_aff_dim(x, XG_TILE_READ_SLICE), k, p->shape.slices);
    at = xg_aff_add_mul(x, xg_aff_mul(x, k, t->by_rows ? 1 : t->pitch), at, quad * row);
    at = xg_aff_add_dim(x, at, XG_TILE_READ_BUFFER, xg_tile_buffer(p, side));
    for (part = 0; part < own / quad; part++) {
        const xg_aff *first = xg_aff_add_k(x, at, t->offset + part * (t->rows / (own / quad)) * row);
        if ((xg_type_class(p->form.sum) & XGT_C) || quad == 1 || t->by_rows || (p->lanes > XG_TILE_PAIR && !side)) {
            for (j = 0; j < quad; j++) {
                o[0] = xg_tile_apply(w, counts, XG_TILE_READ_DIMS, xg_aff_add_k(x, first, j * row), v);
                out[part * quad + j] = xg_emit_split(&w->s.b, xg_kextract(&w->s.b, w->shared, o, 1));
            }
            continue;
        }
        type = xg_kir_vector(w->s.b.m, elem->elem, quad);
        o[0] = w->shared;
        o[1] = xg_tile_apply(w, counts, XG_TILE_READ_DIMS, first, v);
        vector = xg_kir_value(&w->s.b, XG_K_OP_READ, o, 2, type);
        if (p->lanes > XG_TILE_PAIR) {
            out[part] = xg_elem_real(vector);
            continue;
        }
        if (each < quad) vector = xg_tile_bits_as(w, vector, XG_E_I64, each);
        type = xg_kir_scalar(w->s.b.m, vector->type->elem);
        for (j = 0; j < each; j++) {
            o[0] = vector;
            o[1] = xg_elem_index(&w->s, j);
            out[part * each + j] = xg_elem_real(xg_kir_value(&w->s.b, XG_K_OP_VEXTRACT, o, 2, type));
        }
    }
}
XG_FN void xg_tile_multiply_one(xg_tile_kernel *w, xg_kval **v, int64_t *counts) {
    const xg_tile_plan *p = w->p;
    int64_t i, j, across = p->shape.tn / p->lanes;
    xg_elem *a = XG_NEW_N(w->e->arena, xg_elem, p->shape.tm), *b = XG_NEW_N(w->e->arena, xg_elem, p->shape.tn);
    xg_contract_site site;
    memset(&site, 0, sizeof site);
    site.sum = p->form.sum;
    xg_tile_fragment(w, 0, v, counts, a);
    xg_tile_fragment(w, 1, v, counts, b);
    for (i = 0; i < p->shape.tm; i++) {
        if (p->lanes > 1) a[i].v = xg_tile_spread(w, a[i].v);
        for (j = 0; j < across; j++) xg_contract_add(&w->s, &site, a[i], b[j], &w->sums[i * across + j]);
    }
}
/* Multiplies one step's operands, of the thread's slice, and accumulates into the sums. */
XG_FN void xg_tile_multiply(xg_tile_kernel *w, xg_kval *buffer) {
    const xg_tile_plan *p = w->p;
    int64_t own = p->shape.k / p->shape.slices, inner;
    int64_t counts[XG_TILE_READ_DIMS];
    xg_kval *v[XG_TILE_READ_DIMS], *zero = xg_elem_index_0(&w->s), *many;
    xg_flow outer = xg_flow_begin(&w->s), f = outer;
    int64_t k;
    inner = xg_tile_unrolled(p);
    counts[XG_TILE_READ_BUFFER] = p->shape.stages;
    counts[XG_TILE_READ_SLICE] = p->shape.slices;
    counts[XG_TILE_READ_OUTER] = own / inner;
    counts[XG_TILE_READ_INNER] = inner;
    v[XG_TILE_READ_BUFFER] = buffer;
    v[XG_TILE_READ_SLICE] = w->slice;
    for (k = 0; k < p->n_sums; k++) xg_flow_elem(&outer, &w->sums[k]);
    outer.rolled = true;
    many = xg_elem_index(&w->s, own / inner);
    v[XG_TILE_READ_OUTER] = xg_flow_for(&outer, zero, many, 1, own / inner);
    outer.op->flags |= KL_STEP_POINTERS;
    for (k = 0; k < p->n_sums; k++) xg_flow_elem(&f, &w->sums[k]);
    many = xg_elem_index(&w->s, inner);
    v[XG_TILE_READ_INNER] = xg_flow_for(&f, zero, many, 1, inner);
    f.op->flags = KL_UNROLL_LOWERED | KL_READS_AHEAD;
    xg_tile_multiply_one(w, v, counts);
    xg_flow_end(&f);
    xg_flow_end(&outer);
}

/* ---- the result ---- */

/* Stores part `part` of each thread's rows of sums to shared memory, as a matrix with the tile's columns. */
XG_FN void xg_tile_show(xg_tile_kernel *w, int64_t part) {
    const xg_tile_plan *p = w->p;
    xg_aff_ctx *x = w->s.b.m->aff;
    const xg_aff *at;
    int64_t n = p->shape.tm / p->parts, rows = p->shape.m / p->parts / (n / p->quad); /* of one quad of all threads */
    int64_t i, h, j, across = p->shape.tn / p->quad_n, counts[3];
    xg_kval *v[3];
    bool apart = (xg_type_class(p->form.sum) & XGT_C) || p->quad_n == 1;
    xg_kelem elem = xg_kelem_of(p->form.sum), one = xg_tile_is_paired(p) ? XG_E_I64 : elem;
    int64_t each = p->lanes > XG_TILE_PAIR ? 0 : p->quad_n / p->lanes;
    const xg_ktype *type = apart ? NULL : xg_kir_vector(w->s.b.m, one, XG_MAX(each, (int64_t)1));
    counts[0] = p->rows;
    counts[1] = p->columns;
    counts[2] = p->shape.slices;
    v[0] = w->own[0];
    v[1] = w->own[1];
    v[2] = w->slice;
    at = xg_aff_mul(x, xg_aff_dim_0(x), p->quad * p->shape.n + p->out_slant);
    at = xg_aff_add_dim(x, at, 1, p->quad_n);
    at = xg_aff_add_dim(x, at, 2, xg_tile_part_size(p));
    if (xg_tile_has_rows(p)) at = xg_aff_add_k(x, at, part * p->shape.slices * xg_tile_part_size(p));
    for (i = 0; i < n; i++)
        for (h = 0; h < across; h++) {
            const xg_elem *sums = &w->sums[((part * n + i) * p->shape.tn + h * p->quad_n) / p->lanes];
            int64_t row = i / p->quad * rows, place = (row + i % p->quad) * p->shape.n + row / p->quad * p->out_slant;
            const xg_aff *first = xg_aff_add_k(x, at, place + h * (p->shape.n / across));
            xg_kval *vector = apart ? NULL : each ? xg_kconst_bits(&w->s.b, type, 0) : sums->v, *o[3];
            for (j = 0; j < each; j++) {
                if (apart) {
                    xg_kval *spot = xg_tile_apply(w, counts, 3, xg_aff_add_k(x, first, j), v);
                    w->shared = xg_kinsert_at(&w->s.b, xg_emit_join(&w->s.b, sums[j]), w->shared, spot);
                    continue;
                }
                o[0] = sums[j].v;
                o[1] = vector;
                o[2] = xg_elem_index(&w->s, j);
                vector = xg_kir_value(&w->s.b, XG_K_OP_VINSERT, o, 3, type);
            }
            if (one != elem) vector = xg_tile_bits_as(w, vector, elem, p->quad_n);
            if (!apart) xg_tile_put_vector(w, vector, xg_tile_apply(w, counts, 3, first, v));
        }
}
enum {
    XG_TILE_OUT_ROW,    /* the thread's, in the first round */
    XG_TILE_OUT_COLUMN, /* counted in vectors */
    XG_TILE_OUT_ROUND,
    XG_TILE_OUT_LANE,
    XG_TILE_OUT_M,
    XG_TILE_OUT_N,
    XG_TILE_OUT_BATCH,
    XG_TILE_OUT_DIMS
};
typedef struct xg_tile_out {
    const xg_imap *map;                        /* to the hero's indices; its domain: where an element exists */
    const xg_aff *place, *row;                 /* place: in shared memory; row: in all of M */
    int64_t counts[XG_TILE_OUT_DIMS], threads; /* threads: of all blocks of the cluster, which share the part */
    bool swizzled;                             /* shared memory is swizzled as in tile_store.c */
} xg_tile_out;
/* How threads walk over `columns` columns of a part, from column `first` on. */
XG_FN xg_tile_out xg_tile_out_of(xg_tile_kernel *w, int64_t part, int64_t first, int64_t columns) {
    const xg_tile_plan *p = w->p;
    const xg_tile_form *f = &p->form;
    xg_aff_ctx *x = w->s.b.m->aff;
    int64_t rows = p->shape.m / p->parts, wide, pitch = xg_tile_is_apart(p) ? columns : p->out_pitch;
    int64_t pace = xg_tile_pace(p, 0, p->shape.m); /* the last view, of an odd number, has none beside */
    xg_tile_walk walk = xg_tile_walk_of(p, p->shape.halo ? XG_MIN(rows, pace - part * rows) : rows, columns);
    const xg_aff *row, *column, *linear[XG_TILE_ROLES];
    const xg_aff *round = xg_aff_dim(x, XG_TILE_OUT_ROUND);
    xg_tile_out o;
    xg_imap *m;
    uint32_t k;
    o.threads = walk.threads;
    o.swizzled = xg_tile_is_apart(p);
    o.counts[XG_TILE_OUT_COLUMN] = walk.columns;
    o.counts[XG_TILE_OUT_ROW] = walk.rows;
    wide = walk.line / walk.columns; /* rounds in a row */
    o.counts[XG_TILE_OUT_ROUND] = walk.rounds;
    o.counts[XG_TILE_OUT_LANE] = p->out_vector;
    o.counts[XG_TILE_OUT_M] = xg_tile_paces(p, 0);
    o.counts[XG_TILE_OUT_N] = p->tiles[1];
    o.counts[XG_TILE_OUT_BATCH] = p->batch;
    m = xg_tile_map(x, o.counts, XG_TILE_OUT_DIMS, f->rank);
    row = xg_aff_mul(x, xg_aff_div(x, round, wide), o.counts[XG_TILE_OUT_ROW]);
    row = xg_aff_add(x, row, xg_aff_dim(x, XG_TILE_OUT_ROW));
    column = xg_aff_mul(x, xg_aff_mod(x, round, wide), o.counts[XG_TILE_OUT_COLUMN]);
    column = xg_aff_mul(x, xg_aff_add(x, column, xg_aff_dim(x, XG_TILE_OUT_COLUMN)), p->out_vector);
    column = xg_aff_add(x, column, xg_aff_dim(x, XG_TILE_OUT_LANE));
    memset(linear, 0, sizeof linear);
    linear[XG_TILE_B] = xg_aff_dim(x, XG_TILE_OUT_BATCH);
    linear[XG_TILE_M] = xg_aff_mul(x, xg_aff_dim(x, XG_TILE_OUT_M), pace);
    linear[XG_TILE_M] = o.row = xg_aff_add(x, linear[XG_TILE_M], xg_aff_add_k(x, row, part * rows));
    linear[XG_TILE_N] = xg_aff_add_k(x, xg_aff_mul(x, xg_aff_dim(x, XG_TILE_OUT_N), p->shape.n), first);
    linear[XG_TILE_N] = xg_aff_add(x, linear[XG_TILE_N], column);
    xg_tile_set_variables(f, x, m, linear);
    o.place = xg_aff_add_k(x, xg_aff_add_mul(x, column, row, pitch), w->from);
    if (p->out_slant) o.place = xg_aff_add_mul(x, o.place, xg_aff_div(x, row, p->quad), p->out_slant);
    o.map = xg_imap_simplify(x, m);
    for (k = 0; (f->filled || xg_tile_halo_steps(p)) && k < f->rank; k++) /* boxes may reach beyond the result */
        o.map = xg_imap_with_constraint(x, o.map, m->results[k], xg_range_of(0, f->hero->shape->dims[k] - 1));
    if (p->tiles[0] * pace > f->group[XG_TILE_M].size && !xg_tile_is_ragged(p))
        o.map = xg_imap_with_constraint(x, o.map, linear[XG_TILE_M], xg_range_of(0, f->group[XG_TILE_M].size - 1));
    if (p->tiles[1] * p->shape.n > f->group[XG_TILE_N].size) { /* the first lane decides: sizes are whole vectors */
        linear[XG_TILE_N] = xg_aff_sub(x, linear[XG_TILE_N], xg_aff_dim(x, XG_TILE_OUT_LANE));
        o.map = xg_imap_with_constraint(
            x, o.map, linear[XG_TILE_N], xg_range_of(0, f->group[XG_TILE_N].size - p->out_vector));
    }
    o.map = xg_tile_pack_inside(p, x, o.map, xg_aff_sub(x, linear[XG_TILE_N], xg_aff_dim(x, XG_TILE_OUT_LANE)));
    return o;
}

XG_FN xg_elem xg_tile_shown(xg_tile_kernel *w, xg_kval *at) {
    return xg_emit_split(&w->s.b, xg_kextract(&w->s.b, w->shared, &at, 1));
}
XG_FN xg_elem xg_tile_plus(xg_tile_kernel *w, xg_elem a, xg_elem b) {
    xlagpu_type sum = w->p->form.sum;
    bool is_float = (xg_type_class(sum) & (XGT_F | XGT_C)) != 0;
    a.v = xg_k2(&w->s.b, is_float ? XG_K_OP_ADDF : XG_K_OP_ADDI, a.v, b.v);
    if (!is_float) a.v = xg_scalar_wrap(&w->s.b, a.v, sum);
    if (a.im) a.im = xg_k2(&w->s.b, XG_K_OP_ADDF, a.im, b.im);
    return a;
}
XG_FN xg_elem xg_tile_ended(xg_tile_kernel *w, xg_elem sum) {
    xg_contract_site site;
    memset(&site, 0, sizeof site);
    site.i = w->p->form.hero;
    site.sum = w->p->form.sum;
    return xg_contract_end(&w->s, &site, sum);
}
/* True if the epilogue adds up the slices: they are few. */
XG_FN bool xg_tile_adds_late(const xg_tile_kernel *w) { return !w->share && w->p->shape.slices <= XG_TILE_SLICES_LATE; }
/* Adds up one element's sums of all slices, in chains of fixed order. */
XG_FN xg_elem xg_tile_total(xg_tile_kernel *w, xg_kval *at) {
    const xg_tile_plan *p = w->p;
    int64_t inner = XG_MIN((int64_t)XG_TILE_TOTAL_UNROLL, (int64_t)p->shape.slices), many = p->shape.slices / inner,
            chains = inner % XG_TILE_TOTAL_CHAINS ? 1 : (int64_t)XG_TILE_TOTAL_CHAINS, counts[3], k;
    xg_flow outer = xg_flow_begin(&w->s), f = outer;
    xg_aff_ctx *x = w->s.b.m->aff;
    const xg_aff *place = xg_aff_add_dim(x, xg_aff_mul(x, xg_aff_dim_1(x), chains), 0, inner);
    xg_elem v[XG_TILE_TOTAL_CHAINS];
    xg_kval *zero = xg_elem_index_0(&w->s), *slice, *own, *of[3], *spot;
    counts[0] = many;
    counts[1] = inner / chains;
    counts[2] = xg_tile_part_size(p);
    for (k = 0; k < chains; k++) {
        v[k] = xg_tile_zero(w);
        xg_flow_elem(&outer, &v[k]);
        xg_flow_elem(&f, &v[k]);
    }
    place = xg_aff_add_mul(x, xg_aff_dim(x, 2), place, counts[2]);
    outer.rolled = true;
    slice = xg_flow_for(&outer, zero, xg_elem_index(&w->s, many), 1, many);
    own = xg_flow_for(&f, zero, xg_elem_index(&w->s, counts[1]), 1, counts[1]);
    f.op->flags = KL_UNROLL_LOWERED;
    of[0] = slice;
    of[1] = own;
    of[2] = at;
    for (k = 0; k < chains; k++) {
        spot = xg_tile_apply(w, counts, 3, xg_aff_add_k(x, place, k * counts[2]), of);
        v[k] = xg_tile_plus(w, v[k], xg_tile_shown(w, spot));
    }
    xg_flow_end(&f);
    xg_flow_end(&outer);
    for (; chains > 1; chains /= 2)
        for (k = 0; k < chains / 2; k++) v[k] = xg_tile_plus(w, v[k], v[k + chains / 2]);
    return v[0];
}
/* True if each thread adds up one element's slices and sends the total to its owner in the cluster. */
XG_FN bool xg_tile_hands_elements(const xg_tile_kernel *w) {
    xg_tile_inbox b = xg_tile_inbox_of(w->p);
    return w->inbox && w->p->shape.slices > 1 && b.owners * b.rounds == 1 &&
           b.vectors * w->p->out_vector <= w->p->threads;
}
/* Adds the sums of all slices into the first one's place; neighbouring threads take neighbouring elements. A few slices
 * are left to the epilogue instead. */
XG_FN void xg_tile_add_slices(xg_tile_kernel *w) {
    const xg_tile_plan *p = w->p;
    int64_t size = p->shape.m / p->parts * p->shape.n, rounds = xg_tile_over(size, p->threads);
    xg_flow f = xg_flow_of(&w->s, &w->shared), some = f;
    xg_kval *at = w->thread, *limit = xg_elem_index(&w->s, size), *last;
    if (p->shape.slices == 1 || xg_tile_adds_late(w) || xg_tile_hands_elements(w)) return;
    if (rounds > 1) {
        f.rolled = true;
        last = xg_elem_index(&w->s, rounds);
        at = xg_flow_for(&f, xg_elem_index_0(&w->s), last, 1, rounds);
        f.op->flags |= KL_STEP_POINTERS;
        at = xg_tile_join(w, at, p->threads, w->thread);
    }
    if (rounds * p->threads > size) xg_flow_if(&some, xg_kcmpi_(&w->s.b, XG_CI_SLT, at, limit));
    if (p->out_slant) {
        xg_kval *rows = xg_tile_quotient(w, at, p->quad * p->shape.n);
        at = xg_tile_join(w, rows, p->out_slant, at);
    }
    w->shared = xg_kinsert_at(&w->s.b, xg_emit_join(&w->s.b, xg_tile_total(w, at)), w->shared, at);
    xg_flow_end(&some);
    xg_flow_end(&f);
    if (!w->rank || w->inbox) xg_tile_wait(w);
}
/* One element's total over the cluster's blocks, in the order of their ranks. */
XG_FN xg_elem xg_tile_of_cluster(xg_tile_kernel *w, xg_kval *at) {
    xg_elem v = xg_emit_split(&w->s.b, xg_kextract(&w->s.b, w->peers[0], &at, 1));
    int64_t k;
    for (k = 1; k < w->p->shape.cluster; k++)
        v = xg_tile_plus(w, v, xg_emit_split(&w->s.b, xg_kextract(&w->s.b, w->peers[k], &at, 1)));
    return v;
}
/* The same from the inbox, to which the blocks have sent their sums. */
XG_FN xg_elem xg_tile_of_inbox(xg_tile_kernel *w, xg_kval *const *at) {
    const xg_tile_plan *p = w->p;
    xg_tile_inbox b = xg_tile_inbox_of(p);
    xg_aff_ctx *x = w->s.b.m->aff;
    const xg_aff *first = xg_aff_add_dim(x, xg_aff_dim_1(x), 0, b.own);
    int64_t counts[3], k;
    xg_kval *of[3];
    xg_elem v;
    counts[0] = b.rounds;
    counts[1] = p->threads;
    counts[2] = p->out_vector;
    of[0] = at[XG_TILE_OUT_ROUND];
    of[1] = w->thread;
    of[2] = at[XG_TILE_OUT_LANE];
    memset(&v, 0, sizeof v);
    first = xg_aff_add(x, xg_aff_mul(x, first, p->out_vector), xg_aff_dim(x, 2));
    for (k = 0; k < p->shape.cluster; k++) {
        const xg_aff *place = xg_aff_add_k(x, first, k * b.rounds * b.own * p->out_vector);
        xg_kval *spot = xg_tile_apply(w, counts, 3, place, of);
        xg_elem one = xg_emit_split(&w->s.b, xg_kextract(&w->s.b, w->inbox, &spot, 1));
        v = k ? xg_tile_plus(w, v, one) : one;
    }
    return v;
}
/* The index of a sum in shared memory, `behind` elements after its place. */
XG_FN xg_kval *xg_tile_out_spot(xg_tile_kernel *w, const xg_tile_out *o, xg_kval *const *at, int64_t behind) {
    const xg_aff *place = xg_aff_add_k(w->s.b.m->aff, o->place, behind);
    xg_tile_lined lined;
    if (!o->swizzled) return xg_tile_apply(w, o->counts, XG_TILE_OUT_DIMS, place, at);
    lined.bytes = xg_kelem_bytes(w->shared->type->elem);
    lined.elements = xg_tile_store_bytes(w->p) / lined.bytes;
    return xg_tile_group_spot(w, lined, o->counts, XG_TILE_OUT_DIMS, place, at);
}
/* One element's total over everything that holds a part of it: inbox, cluster, slices. */
XG_FN xg_elem xg_tile_out_sum(xg_tile_kernel *w, const xg_tile_out *o, xg_kval *const *at) {
    xg_kval *spot = xg_tile_out_spot(w, o, at, 0);
    xg_elem v = w->inbox ? xg_tile_of_inbox(w, at) : w->peers ? xg_tile_of_cluster(w, spot) : xg_tile_shown(w, spot);
    int64_t k;
    for (k = 1; k < w->p->shape.slices && xg_tile_adds_late(w); k++)
        v = xg_tile_plus(w, v, xg_tile_shown(w, xg_tile_out_spot(w, o, at, k * xg_tile_part_size(w->p))));
    return v;
}
/* A loop over the lanes of a vector. */
XG_FN void xg_tile_out_lanes(xg_tile_kernel *w, xg_flow *lanes, xg_kval **at) {
    xg_kval *last = xg_elem_index(&w->s, w->p->out_vector);
    at[XG_TILE_OUT_LANE] = xg_elem_index_0(&w->s);
    if (w->p->out_vector == 1) return;
    lanes->rolled = w->p->on_processor;
    at[XG_TILE_OUT_LANE] = xg_flow_for(lanes, at[XG_TILE_OUT_LANE], last, 1, w->p->out_vector);
    if (w->p->on_processor) lanes->op->flags |= KL_LANES;
}
/* Loads a vector's sums in front of the guard, where the loads of several rounds can be batched. */
XG_FN xg_kval *xg_tile_out_early(xg_tile_kernel *w, const xg_tile_out *o, xg_kval **at) {
    const xg_ktype *type = xg_kir_vector(w->s.b.m, w->shared->type->elem, w->p->out_vector);
    xg_kval *vector = xg_kconst_bits(&w->s.b, type, 0), *put[3];
    xg_flow lanes = xg_flow_of(&w->s, &vector);
    xg_tile_out_lanes(w, &lanes, at);
    put[0] = xg_tile_out_sum(w, o, at).v;
    put[1] = vector;
    put[2] = at[XG_TILE_OUT_LANE];
    vector = xg_kir_value(&w->s.b, XG_K_OP_VINSERT, put, 3, type);
    xg_flow_end(&lanes);
    return vector;
}
/* Computes one vector of the result: the sums, then the epilogue. */
XG_FN void xg_tile_out_vector(xg_tile_kernel *w, const xg_tile_out *o, xg_kval **at, xg_kval *round) {
    const xg_tile_form *f = &w->p->form;
    xg_kval *index[XG_TILE_VARS_MAX], *cond, *last, *early[2];
    xg_aff_ctx *x = w->s.b.m->aff;
    xg_flow lanes = xg_flow_begin(&w->s), guard = lanes;
    xg_heroes heroes;
    xg_elem v;
    at[XG_TILE_OUT_ROUND] = round;
    at[XG_TILE_OUT_LANE] = xg_elem_index_0(&w->s);
    cond = xg_tile_inside(w, o->map, xg_tile_map(x, o->counts, XG_TILE_OUT_DIMS, 0), at);
    if (xg_tile_is_ragged(w->p)) {
        last = xg_tile_ragged_has(w, xg_tile_apply(w, o->counts, XG_TILE_OUT_DIMS, o->row, at));
        cond = xg_elem_and(&w->s, cond, last);
    }
    early[0] = cond && !w->inbox && !w->p->on_processor && !(xg_type_class(f->sum) & XGT_C)
                   ? xg_tile_out_early(w, o, at)
                   : NULL;
    xg_flow_slots(&guard, w->dest, w->e->n_roots);
    xg_flow_if(&guard, cond);
    xg_flow_slots(&lanes, w->dest, w->e->n_roots);
    xg_tile_out_lanes(w, &lanes, at);
    xg_elem_apply(&w->s, o->map, at, index);
    if (early[0]) {
        early[1] = at[XG_TILE_OUT_LANE];
        v = xg_elem_real(
            xg_kir_value(&w->s.b, XG_K_OP_VEXTRACT, early, 2, xg_kir_scalar(w->s.b.m, early[0]->type->elem)));
    } else
        v = xg_tile_out_sum(w, o, at);
    heroes = w->p->heroes;
    if (w->p->shape.stores) /* shared memory already holds the root's elements */
        heroes.p = (const xg_inst **)w->e->roots;
    else
        v = xg_tile_result(w, xg_tile_shown_type(w->p) == f->sum ? xg_tile_ended(w, v) : v);
    xg_hero_write(&w->s, &heroes, f->hero->shape, &v, index, NULL, w->dest);
    xg_flow_end(&lanes);
    xg_flow_end(&guard);
}
/* Sets the coordinates of a thread, numbered over all blocks of the cluster. */
XG_FN void xg_tile_out_at(xg_tile_kernel *w, const xg_tile_out *o, xg_kval *thread, xg_kval **at) {
    int64_t vectors = o->counts[XG_TILE_OUT_ROW] * o->counts[XG_TILE_OUT_COLUMN]; /* of a round */
    at[XG_TILE_OUT_ROW] = xg_tile_quotient(w, thread, o->counts[XG_TILE_OUT_COLUMN]);
    if (vectors < o->threads) at[XG_TILE_OUT_ROW] = xg_tile_rest(w, at[XG_TILE_OUT_ROW], o->counts[XG_TILE_OUT_ROW]);
    at[XG_TILE_OUT_COLUMN] = xg_tile_rest(w, thread, o->counts[XG_TILE_OUT_COLUMN]);
    at[XG_TILE_OUT_M] = w->tile[0];
    at[XG_TILE_OUT_N] = w->tile[1];
    at[XG_TILE_OUT_BATCH] = w->batch;
}
XG_FN void xg_tile_out_chunk(xg_tile_kernel *w, int64_t part, int64_t first, int64_t columns) {
    xg_tile_out o = xg_tile_out_of(w, part, first, columns);
    xg_kval *at[XG_TILE_OUT_DIMS], *zero = xg_elem_index_0(&w->s), *last, *thread = w->thread;
    int64_t vectors = o.counts[XG_TILE_OUT_ROW] * o.counts[XG_TILE_OUT_COLUMN]; /* of a round */
    xg_flow f = xg_flow_begin(&w->s), some = f;
    if (w->rank) thread = xg_tile_join(w, w->rank, w->p->threads, thread);
    xg_flow_slots(&some, w->dest, w->e->n_roots);
    xg_flow_if(&some, vectors < o.threads ? xg_kcmpi_int(&w->s.b, XG_CI_SLT, thread, vectors) : NULL);
    xg_tile_out_at(w, &o, thread, at);
    if (o.counts[XG_TILE_OUT_ROUND] == 1) {
        xg_tile_out_vector(w, &o, at, zero);
        xg_flow_end(&some);
        return;
    }
    xg_flow_slots(&f, w->dest, w->e->n_roots);
    f.rolled = true;
    last = xg_elem_index(&w->s, o.counts[XG_TILE_OUT_ROUND]);
    xg_tile_out_vector(w, &o, at, xg_flow_for(&f, zero, last, 1, o.counts[XG_TILE_OUT_ROUND]));
    f.op->flags |= KL_STEP_POINTERS | KL_READS_TOGETHER;
    xg_flow_end(&f);
    xg_flow_end(&some);
}
/* A barrier of the cluster: all blocks have stored their sums, or have read the others'. */
XG_FN void xg_tile_meet(xg_tile_kernel *w) {
    int64_t k;
    if (!w->peers) w->peers = XG_NEW_N(w->e->arena, xg_kval *, w->p->shape.cluster);
    xg_cluster_wait(&w->s.b, &w->shared, 1);
    for (k = 0; k < w->p->shape.cluster; k++)
        w->peers[k] = xg_cluster_peer(&w->s.b, w->shared,
            w->pair ? xg_kcast(&w->s.b, XG_K_OP_INDEX_CAST, xg_kaddi_int(&w->s.b, w->pair, 2 * k), XG_E_I32)
                    : xg_kconst_i32(&w->s.b, k));
}
/* Sends one vector of sums into the inbox of the block that owns it; the inbox has a section for each sender. */
XG_FN void xg_tile_hand_vector(
    xg_tile_kernel *w, const xg_tile_out *o, xg_kval **at, xg_kval *round, const xg_tile_inbox *b, int64_t to) {
    const xg_tile_plan *p = w->p;
    xg_aff_ctx *x = w->s.b.m->aff;
    const xg_aff *place = xg_aff_add_dim(x, xg_aff_dim_1(x), 0, b->rounds);
    xg_flow guard = xg_flow_of(&w->s, &w->peers[to]), lanes;
    xg_kval *from, *spot, *of[4], *inside, *last = xg_elem_index(&w->s, p->out_vector), *v;
    bool elements = xg_tile_hands_elements(w);
    int64_t counts[4];
    counts[0] = p->shape.cluster;
    counts[1] = b->rounds;
    counts[2] = p->threads;
    counts[3] = p->out_vector;
    at[XG_TILE_OUT_ROUND] = of[1] = round;
    at[XG_TILE_OUT_LANE] = elements ? xg_tile_rest(w, w->thread, p->out_vector) : xg_elem_index_0(&w->s);
    inside = xg_tile_inside(w, o->map, xg_tile_map(x, o->counts, XG_TILE_OUT_DIMS, 0), at);
    xg_flow_if(&guard, inside); /* the map is defined only for elements of the result */
    lanes = xg_flow_of(&w->s, &w->peers[to]);
    if (p->out_vector > 1 && !elements)
        at[XG_TILE_OUT_LANE] = xg_flow_for(&lanes, at[XG_TILE_OUT_LANE], last, 1, p->out_vector);
    of[0] = w->rank;
    of[2] = elements ? xg_tile_quotient(w, w->thread, p->out_vector) : w->thread;
    of[3] = at[XG_TILE_OUT_LANE];
    place = xg_aff_add_mul(x, xg_aff_dim(x, 2), place, b->own);
    place = xg_aff_add(x, xg_aff_mul(x, place, p->out_vector), xg_aff_dim(x, 3));
    from = xg_tile_apply(w, o->counts, XG_TILE_OUT_DIMS, o->place, at);
    spot = xg_tile_apply(w, counts, 4, place, of);
    v = elements ? xg_emit_join(&w->s.b, xg_tile_total(w, from)) : xg_kextract(&w->s.b, w->shared, &from, 1);
    w->peers[to] = xg_kinsert_at(&w->s.b, v, w->peers[to], spot);
    xg_flow_end(&lanes);
    xg_flow_end(&guard);
}
/* Sends the block's sums of a part to their owners, all of which have started (an earlier barrier saw to it). After
 * the closing barrier each block has all sums of its elements, and no longer accesses the others' memory. */
XG_FN void xg_tile_hand_on(xg_tile_kernel *w) {
    const xg_tile_plan *p = w->p;
    xg_tile_out o = xg_tile_out_of(w, 0, 0, p->shape.n);
    xg_tile_inbox b = xg_tile_inbox_of(p);
    xg_kval *at[XG_TILE_OUT_DIMS], *zero = xg_elem_index_0(&w->s), *thread;
    xg_kval **arrays = XG_NEW_N(w->e->arena, xg_kval *, (size_t)b.owners + 1);
    int64_t k;
    for (k = 0; k < b.owners; k++) {
        xg_flow some = xg_flow_begin(&w->s), f;
        w->peers[k] = xg_cluster_peer(&w->s.b, w->inbox, xg_kconst_i32(&w->s.b, k));
        xg_flow_slot(&some, &w->peers[k]);
        thread = xg_tile_join(w, xg_elem_index(&w->s, k), p->threads, w->thread);
        if (xg_tile_hands_elements(w)) thread = xg_tile_quotient(w, w->thread, p->out_vector);
        if ((k + 1) * p->threads > b.vectors) xg_flow_if(&some, xg_kcmpi_int(&w->s.b, XG_CI_SLT, thread, b.vectors));
        xg_tile_out_at(w, &o, thread, at);
        f = xg_flow_of(&w->s, &w->peers[k]);
        f.rolled = true;
        xg_tile_hand_vector(w, &o, at,
            b.rounds == 1 ? zero : xg_flow_for(&f, zero, xg_elem_index(&w->s, b.rounds), 1, b.rounds), &b, k);
        xg_flow_end(&f);
        xg_flow_end(&some);
        arrays[k + 1] = w->peers[k];
    }
    arrays[0] = w->inbox;
    xg_cluster_wait(&w->s.b, arrays, (uint32_t)b.owners + 1);
    w->inbox = arrays[0];
}
/* Stores a part of the block's sums to shared memory, and adds up slices. */
XG_FN void xg_tile_show_part(xg_tile_kernel *w, int64_t part) {
    if (part && !w->rank) xg_tile_wait(w);
    if (w->p->unit == XG_TILE_NO_UNIT)
        xg_tile_show(w, part);
    else
        xg_tile_unit_show(w, part);
    if (w->p->shape.slices > 1 || !w->rank || w->inbox) xg_tile_wait(w);
    xg_tile_add_slices(w);
}
XG_FN void xg_tile_split_results(xg_tile_kernel *w) {
    xg_flow last = xg_flow_begin(&w->s);
    int64_t part;
    for (part = 0; part < w->p->parts; part++) {
        xg_tile_show_part(w, part);
        if (w->rank) xg_tile_meet(w);
        xg_tile_split_leave(w, part);
        if (w->rank) xg_tile_meet(w);
    }
    w->peers = NULL; /* the last block reads everything from global memory */
    xg_tile_split_meet(w, &last);
    for (part = 0; part < w->p->parts; part++) {
        if (part) xg_tile_wait(w);
        xg_tile_split_total(w, part);
        xg_tile_out_chunk(w, part, 0, w->p->shape.n);
    }
    xg_flow_end(&last);
}
XG_FN void xg_tile_all_results(xg_tile_kernel *w) {
    int64_t part;
    if (w->scratch) {
        xg_tile_split_results(w);
        return;
    }
    if (w->inbox) w->peers = XG_NEW_N(w->e->arena, xg_kval *, w->p->shape.cluster);
    for (part = 0; part < w->p->parts; part++) {
        xg_tile_show_part(w, part);
        if (w->inbox)
            xg_tile_hand_on(w);
        else if (w->rank)
            xg_tile_meet(w);
        xg_tile_out_chunk(w, part, 0, w->p->shape.n);
        if (w->rank && !w->inbox) xg_tile_meet(w);
    }
}

/* ---- the kernel ---- */

/* Assigns a tile to the block: by batch, then by groups of rows of tiles, column by column within a group. Blocks that
 * share a tile or an operand count as one in this order. */
XG_FN void xg_tile_stand(xg_tile_kernel *w, xg_kval *id) {
    const xg_tile_plan *p = w->p;
    int64_t rows = p->group_rows, each = p->tiles[0] * p->tiles[1], wide = p->tiles[1];
    uint32_t along = p->shape.multicast == 1;
    xg_kval *own, *in, *group;
    w->block = id;
    if (p->shape.multicast) {
        w->pair = xg_tile_rest(w, id, 2);
        id = xg_tile_quotient(w, id, 2);
        each /= 2;
        *(along ? &wide : &rows) /= 2;
    }
    if (xg_tile_is_two_pairs(p)) {
        w->next = xg_tile_rest(w, id, 2);
        id = xg_tile_quotient(w, id, 2);
        each /= 2;
        wide /= 2;
    }
    if (xg_tile_sharers(p) > 1) {
        w->share = xg_tile_rest(w, id, xg_tile_sharers(p));
        id = xg_tile_quotient(w, id, xg_tile_sharers(p));
    }
    if (p->shape.cluster > 1) w->rank = w->share;
    if (w->rank && p->shape.split > 1) { /* blocks that meet in memory are contiguous */
        w->rank = xg_tile_rest(w, w->share, p->shape.cluster);
        w->block = xg_tile_join(w, w->pair ? xg_tile_join(w, id, 2, w->pair) : id, p->shape.cluster, w->rank);
        w->block = xg_tile_join(w, w->block, p->shape.split, xg_tile_quotient(w, w->share, p->shape.cluster));
    }
    own = xg_tile_rest(w, id, each);
    in = xg_tile_rest(w, own, rows * wide);
    group = xg_tile_quotient(w, own, rows * wide);
    w->tile[0] = xg_tile_join(w, group, rows, xg_tile_rest(w, in, rows));
    w->tile[1] = xg_tile_quotient(w, in, rows);
    w->batch = xg_tile_quotient(w, id, each);
    if (xg_tile_is_ragged(p)) xg_tile_ragged_stand(w, w->tile[0]);
    if (p->shape.multicast && (along || !xg_tile_is_ragged(p)))
        w->tile[along] = xg_tile_join(w, w->tile[along], 2, w->pair);
    if (w->next) w->tile[1] = xg_tile_join(w, w->tile[1], 2, w->next);
}
/* A lane's row and column in its warp. `crossed` interleaves both, so that an access to shared memory needs half as
 * many distinct words of either side: neighbouring lanes share words of one side, lanes two apart those of the
 * other. */
XG_FN void xg_tile_lane(xg_tile_kernel *w, xg_kval *lane, xg_kval **own) {
    const xg_tile_plan *p = w->p;
    xg_kval *low, *high, *in[2];
    uint32_t k;
    if (!p->crossed) {
        own[0] = xg_tile_quotient(w, lane, p->lanes_n);
        own[1] = xg_tile_rest(w, lane, p->lanes_n);
        return;
    }
    low = xg_tile_rest(w, lane, 4);
    high = xg_tile_quotient(w, lane, 4);
    in[0] = xg_tile_quotient(w, low, 2);
    in[1] = xg_tile_rest(w, low, 2);
    own[0] = xg_tile_quotient(w, high, p->lanes_n / 2);
    own[1] = xg_tile_rest(w, high, p->lanes_n / 2);
    for (k = 0; k < 2; k++) own[k] = xg_tile_join(w, own[k], 2, in[k]);
}
/* Sets a thread's row and column, and its place in the copy of each side. */
XG_FN void xg_tile_threads(xg_tile_kernel *w) {
    const xg_tile_plan *p = w->p;
    xg_kval *lane, *warp, *in, *line, *own[2];
    int64_t whole = p->rows * p->columns; /* threads in a slice */
    uint32_t side;
    if (p->unit == XG_TILE_NO_UNIT) {
        int64_t lanes = xg_tile_slice_lanes(p);
        in = p->shape.slices > 1 ? xg_tile_rest(w, w->thread, whole) : w->thread;
        w->slice = p->shape.slices > 1 ? xg_tile_quotient(w, w->thread, whole) : xg_elem_index_0(&w->s);
        lane = xg_tile_rest(w, in, lanes);
        warp = xg_tile_quotient(w, in, lanes);
        xg_tile_lane(w, lane, own);
        w->own[0] = xg_tile_join(w, xg_tile_quotient(w, warp, p->warps_n), lanes / p->lanes_n, own[0]);
        w->own[1] = xg_tile_join(w, xg_tile_rest(w, warp, p->warps_n), p->lanes_n, own[1]);
    } else
        xg_tile_unit_threads(w);
    for (side = 0; side < XG_TILE_SIDES; side++) {
        xg_tile_rounds r = xg_tile_rounds_of(p, &p->fetch[side]);
        in = xg_tile_rest(w, w->thread, r.lines);
        line = xg_tile_quotient(w, w->thread, r.lines);
        if (p->unit != XG_TILE_NO_UNIT) line = xg_tile_unit_line(w, side, line);
        w->place[side][0] = xg_tile_rest(w, line, r.row_step);
        w->place[side][1] = xg_tile_join(w, xg_tile_quotient(w, line, r.row_step), r.lines, in);
    }
}
XG_FN void xg_tile_emit(xg_fusion_emission *e, const xg_tile_plan *p) {
    xg_kfunc *f = e->m->entry;
    const xg_ktype *type = xg_kir_tensor(e->m, xg_kelem_of(p->held), &p->shared, 1);
    xg_fusion_emission own, *all = e;
    xg_tile_kernel w;
    int64_t inbox;
    xg_flow busy;
    uint32_t k;
    memset(&w, 0, sizeof w);
    if (xg_tile_has_rows(p)) { /* the producers of the operands; tile_rows.c emits the rest of the fusion */
        own = *e;
        own.parts = p->rows_behind->operands;
        e = &own;
    }
    xg_emit_functions(e, false);
    f->async_copies = !p->bulk && (p->fetch[0].async || p->fetch[1].async);
    w.e = e;
    w.p = p;
    w.s = xg_emit_scope(e, f, 0);
    f->threads[0] = (uint32_t)(p->threads + p->producers);
    f->blocks[0] = (uint32_t)p->grid;
    f->longest = p->longest;
    f->idle = p->shape.stays ? 0 : (uint32_t)p->idle;
    f->cluster = (uint32_t)xg_tile_cluster_blocks(p);
    f->pairs = xg_tile_is_pair(p);
    f->threads[1] = f->threads[2] = f->blocks[1] = f->blocks[2] = 1;
    w.sums = XG_NEW_N(e->arena, xg_elem, (size_t)p->n_sums);
    for (k = 0; k < XG_TILE_SIDES; k++) w.staged[k] = XG_NEW_N(e->arena, xg_elem, (size_t)p->fetch[k].rounds);
    w.dest = XG_NEW_N(e->arena, xg_kval *, e->n_roots + 1);
    for (k = 0; k < e->n_roots; k++) w.dest[k] = &f->body->args[f->n_inputs + k];
    if (!p->bulk) {
        w.thread = xg_kthread_id(&w.s.b, 0, p->threads);
        xg_tile_threads(&w);
    }
    busy = xg_flow_begin(&w.s);
    xg_flow_slots(&busy, w.dest, e->n_roots);
    if (!p->shape.stays) {
        xg_tile_stand(&w, xg_kblock_id(&w.s.b, 0, p->grid));
        if (xg_tile_is_ragged(p)) xg_flow_if(&busy, xg_tile_ragged_has(&w, w.ragged.first));
    } else if (xg_tile_is_ragged(p))
        xg_tile_ragged_begin(&w);
#ifndef XLAGPU_SMALL /* small builds do not align copies to sectors */
    if (!p->bulk) xg_tile_shift(&w);
#endif
    w.steps = xg_tile_steps(&w);
    w.shared = xg_shared_of(&w.s.b, type);
    if (p->shape.grouped) w.shared->def->b = XG_KWGMMA_ALIGN;
    inbox = xg_tile_inbox_of(p).size;
    if (p->shape.split > 1) {
        w.scratch = &f->body->args[f->n_inputs + e->n_roots];
        w.counters = w.scratch + 1;
        w.count = xg_shared_array(&w.s.b, XG_E_I32, 1);
    }
    if (inbox) w.inbox = xg_shared_of(&w.s.b, xg_kir_tensor(e->m, xg_kelem_of(p->form.sum), &inbox, 1));
    if (p->bulk)
        xg_tile_bulk_kernel(&w, f);
    else {
        if (xg_tile_is_tensor(p))
            xg_tile_tensor_steps(&w);
        else if (p->shape.grouped)
            xg_tile_group_steps(&w);
        else
            xg_tile_unit_steps(&w);
        if (xg_tile_has_rows(p))
            xg_tile_rows_results(&w, all);
        else
            xg_tile_all_results(&w);
        if (xg_tile_is_tensor(p)) xg_tile_tensor_end(&w);
    }
    xg_flow_end(&busy);
    xg_kreturn(&w.s.b, w.dest, e->n_roots);
}
/* ---- the way ---- */

typedef struct xg_tile_way {
    xg_fusion_emission e;
    xg_tile_plan p;
} xg_tile_way;

/* A quick test: the fusion has a contraction. */
XG_FN bool xg_tile_may_be(const xg_inst *fusion) {
    const xg_comp *c = xg_attr_calls(fusion);
    if (!c || xg_fuse_is_phases(fusion)) return false;
    XG_FOR_INSTS(i, c)
        if (xg_tile_is_hero(NULL, i, true)) return true;
    return false;
}
/* Plans into job->form. False: tiles do not suit the fusion; *why may give the reason. */
XG_FN bool xg_tile_way_open(xg_way_job *job, xg_str *why) {
    const xg_device *m = &job->fusion->comp->module->device;
    xg_tile_way *w;
    if (!xg_tile_may_be(job->fusion)) return false;
    w = XG_NEW(job->arena, xg_tile_way);
    xg_emit_open_way(&w->e, job);
    if (!xg_tile_plan_of(&w->p, &w->e, m)) {
        const char *wants = w->p.form.hero ? xg_tile_store_refuses(&w->p, job->given, m) : NULL;
        if (!wants && xg_tile_is_named(job->given, "split"))
            wants =
                "split: no such tile's sum has so many parts that are not empty, or its blocks cannot meet in memory";
        if (wants && why) *why = xg_str_z(wants);
        return false;
    }
    job->form = w;
    w->e.record->launch.scratch = xg_tile_split_elements(&w->p) * xg_type_bytes(w->p.form.sum);
    if (w->p.shape.split > 1) w->e.record->launch.counters = w->p.blocks / w->p.shape.split;
    w->e.record->launch.shared = xg_tile_shared_bytes(&w->p);
    w->e.record->launch.resident = (uint32_t)(w->p.bulk ? xg_tile_bulk_resident(&w->p) : w->p.resident);
    return xg_emit_launch(&w->e, w->p.threads + w->p.producers, w->p.grid, xg_tile_cluster_blocks(&w->p));
}
XG_FN void xg_tile_way_say(const xg_way_job *job, xg_record *r, const char *name, int64_t v, int64_t none) {
    if (v != none) xg_record_put(job->arena, &r->form, name, &v, 1);
}
XG_FN void xg_tile_way_write(const xg_way_job *job, xg_record *r) {
    const xg_tile_way *w = (const xg_tile_way *)job->form;
    const xg_tile_shape *s = &w->p.shape;
    int64_t tile[3], part[2];
    bool unit = w->p.unit != XG_TILE_NO_UNIT;
    tile[0] = s->m;
    tile[1] = s->n;
    tile[2] = s->k;
    part[0] = s->tm;
    part[1] = s->tn;
    xg_record_put(job->arena, &r->form, "tile", tile, 3);
    if (s->grouped) part[0] = part[0] * XG_KWGMMA_M / XG_KMMA_M; /* in units of a warp group's four warps */
    xg_record_put(job->arena, &r->form, s->grouped ? "group_tile" : unit ? "warp_tile" : "thread_tile", part, 2);
    unit = unit || (job->given && xg_record_get(&job->given->form, "stages"));
    xg_tile_way_say(job, r, "stages", s->stages, unit ? 0 : XG_TILE_PLAIN_STAGES);
    xg_tile_way_say(job, r, "bulk", s->bulk, 0);
    xg_tile_way_say(job, r, "patch", s->patch, 0);
    xg_tile_way_say(job, r, "halo", s->halo, 0);
    xg_tile_way_say(job, r, "multicast", s->multicast, 0);
    xg_tile_way_say(job, r, "stays", s->stays, 0);
    xg_tile_way_say(job, r, "tensor_store", s->stores, 0);
    xg_tile_way_say(job, r, "slices", s->slices, 1);
    xg_tile_way_say(job, r, "cluster", s->cluster, 1);
    xg_tile_way_say(job, r, "split", s->split, 1);
    r->launch = w->e.record->launch;
}
/* In place: a thread reads an operand's element where it writes the result's, so results may replace operands. */
XG_FN bool xg_tile_way_plan(xg_way_job *job, xg_record *r, xg_way_times *times) {
    const xg_device *m = &job->fusion->comp->module->device;
    uint32_t n = (uint32_t)xg_shape_leaves(job->fusion->shape);
    const xg_tile_plan *p;
    xg_ints *over;
    if (!xg_tile_way_open(job, &r->why)) return false;
    xg_tile_way_write(job, r);
    over = XG_NEW_N(job->arena, xg_ints, n + (size_t)1);
    p = &((const xg_tile_way *)job->form)->p;
    /* where rows follow the product, other threads write */
    xg_fuse_over(job->arena, job->fusion, !xg_tile_has_rows(p), over);
    r->over = over;
    r->n_results = n;
    times->own = p->picoseconds;
    times->emitter = XG_MAX(xg_tile_loop_time(p, m), p->picoseconds + 1); /* the plan has already compared the two */
    return true;
}
/* Plans again, by the record; the result must not differ from it. */
XG_FN void xg_tile_way_obey(xg_way_job *job, const xg_record *r) {
    xg_record made;
    const char *which;
    memset(&made, 0, sizeof made);
    if (!xg_tile_way_open(job, NULL))
        xg_hlo_fail(job->fusion, XLAGPU_ERROR_INVALID, "leave the record out: it is decided then",
            "the record of this kernel: tiles do not suit it");
    xg_tile_way_write(job, &made);
    which = xg_record_disobeys(r, &made);
    if (which)
        xg_hlo_fail(job->fusion, XLAGPU_ERROR_INVALID, "leave out of the record what cannot be obeyed",
            "the record of this kernel: '%s' would be another", which);
    xg_emit_check_leaves(&((xg_tile_way *)job->form)->e);
}
XG_FN xg_kmodule *xg_tile_way_emit(xg_way_job *job, const xg_record *r, xg_str name) {
    xg_tile_way *w;
    int64_t elements;
    if (!job->form) xg_tile_way_obey(job, r);
    w = (xg_tile_way *)job->form;
    xg_emit_move(&w->e, job->arena, job->target);
    elements = xg_tile_split_elements(&w->p);
    if (elements) w->e.scratch = xg_kir_tensor(w->e.m, xg_kelem_of(w->p.form.sum), &elements, 1);
    xg_emit_entry(&w->e, name);
    xg_tile_emit(&w->e, &w->p);
    return w->e.m;
}

#endif /* XG_SCHED_TILE_EMIT_C */
