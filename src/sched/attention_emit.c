/* sched/attention_emit.c -- the kernel of a plan for attention.
 *
 *     bring the tile's rows of Q into shared memory
 *     for each step of keys:
 *         wait; bring K and V; wait
 *         s = Q K, of which stages make scores
 *         m' = max(m, scores), scale = exp(m - m'), p = exp(scores - m'), l = l scale + p
 *         o = o scale + p V
 *     c = exp(m - the module's shift); the result is made of o c, of l c and of m
 *
 * A warp has 16 rows. A thread has row g and row g + 8, where g is a quarter of its lane's number, and of eight columns
 * two neighbours, as a matrix unit spreads sums; so what makes scores and results is the same with it and without. The
 * unit takes the weights from the registers that had the scores; without it they go through shared memory. */
#ifndef XG_SCHED_ATTENTION_EMIT_C
#define XG_SCHED_ATTENTION_EMIT_C
#include "attention.h"

XG_FN xg_kb *xg_attention_b(xg_attention_kernel *w) { return &w->t.s.b; }
XG_FN xg_kelem xg_attention_sum_type(const xg_attention_kernel *w) { return xg_kelem_of(w->f->sum); }
XG_FN xg_kval *xg_attention_number(xg_attention_kernel *w, double v) {
    return xg_kconst_float(xg_attention_b(w), xg_attention_sum_type(w), v);
}
/* base + more, which counts so much. */
XG_FN xg_kval *xg_attention_at(xg_attention_kernel *w, xg_kval *base, int64_t count, int64_t more) {
    xg_aff_ctx *x = w->t.e->m->aff;
    return more ? xg_tile_apply(&w->t, &count, 1, xg_aff_add_k(x, xg_aff_dim(x, 0), more), &base) : base;
}

/* A loop of so many rounds around what changes the flow's variables; its number. */
XG_FN xg_kval *xg_attention_loop(xg_attention_kernel *w, xg_flow *f, int64_t rounds) {
    xg_kval *zero = xg_elem_index(&w->t.s, 0), *end = xg_elem_index(&w->t.s, rounds);
    return xg_flow_for(f, zero, end, 1, rounds);
}

/* ---- stages ---- */

/* A stage's element; what it is given stands in memo places of `given`. */
typedef struct xg_attention_given {
    const xg_inst *of;
    xg_elem v;
} xg_attention_given;
XG_FN xg_elem xg_attention_element(xg_attention_kernel *w, xg_attention_part part, xg_kval *const *at,
    const xg_attention_given *given, uint32_t n, xg_kval **index) {
    const xg_attention_stage *stage = &w->f->stages[part];
    xg_scope s = w->scopes[part];
    xg_elem v;
    uint32_t k;
    s.b = w->t.s.b;
    s.memo = XG_NEW_N(w->t.e->arena, xg_memo, stage->parts->n_insts + (size_t)1);
    for (k = 0; k < n; k++)
        if (xg_attention_reached(stage, given[k].of)) xg_hero_give(&s, given[k].of, given[k].v);
    xg_elem_apply(&s, stage->map, at, index);
    v = xg_elem_of(&s, stage->root, index);
    w->t.s.b = s.b;
    return v;
}
XG_FN void xg_attention_numbers(xg_attention_kernel *w, xg_kval **at) {
    uint32_t k;
    for (k = 0; k < XG_ATTENTION_DIMS; k++) at[k] = xg_elem_index(&w->t.s, 0);
    at[XG_ATTENTION_BATCH] = w->batch;
}
XG_FN xg_kval *xg_attention_converted_to(xg_attention_kernel *w, xg_elem v, xlagpu_type from, xlagpu_type to) {
    return xg_elem_convert_to(&w->t.s, v, from, to).v;
}

/* ---- into shared memory ---- */

typedef struct xg_attention_fetch {
    xg_attention_part part;
    int64_t rows, width, pitch; /* of the tile; with what fills the last piece; in shared memory */
    int64_t extent, limit;      /* of the array: along the third extent; rows or keys */
    int64_t pieces, all, rounds;
    uint32_t number; /* which rows are */
    xg_kval *first, *buffer;
    xg_kval **to;
    xg_kval **staged; /* by round: what goes through registers */
} xg_attention_fetch;
/* v, where the array has so many; else its last one. */
XG_FN xg_kval *xg_attention_clamp(xg_attention_kernel *w, xg_kval *v, int64_t limit) {
    xg_kval *last;
    if (xg_kval_range(v).hi < limit) return v;
    last = xg_elem_index(&w->t.s, limit - 1);
    v = xg_k2(xg_attention_b(w), XG_K_OP_MINSI, v, last);
    xg_kval_set_range(v, xg_range_of(0, limit - 1));
    return v;
}
/* Whether v is one of so many; NULL: always. */
XG_FN xg_kval *xg_attention_below(xg_attention_kernel *w, xg_kval *v, int64_t limit) {
    if (xg_kval_range(v).hi < limit) return NULL;
    return xg_kcmpi_(xg_attention_b(w), XG_CI_SLT, v, xg_elem_index(&w->t.s, limit));
}
XG_FN xg_kval *xg_attention_fetched(xg_attention_kernel *w, const xg_attention_fetch *t, xg_kval **at) {
    xlagpu_type type = w->f->stages[t->part].root->shape->type;
    const xg_inst *dot = t->part == XG_ATTENTION_VALUES ? w->f->match.out_dot : w->f->match.scores_dot;
    xg_kval *index[XG_RANK_MAX];
    xg_elem v = xg_attention_element(w, t->part, at, NULL, 0, index);
    xlagpu_type rounded = xg_contract_rounding(dot, type);
    v = xg_elem_convert_to(&w->t.s, v, type, rounded);
    return xg_attention_converted_to(w, v, rounded, w->f->held);
}
/* Which piece of which row a thread brings in a round; false: the last round, of which some threads have none. */
typedef struct xg_attention_piece {
    xg_kval *row, *piece, *has, *cond, *at[XG_ATTENTION_DIMS];
} xg_attention_piece;
XG_FN void xg_attention_piece_of(
    xg_attention_kernel *w, const xg_attention_fetch *t, xg_kval *round, xg_attention_piece *o) {
    const xg_attention_stage *s = &w->f->stages[t->part];
    xg_kval *flat = xg_tile_join(&w->t, round, w->p->threads, w->thread), *in;
    o->has = t->all % w->p->threads ? xg_attention_below(w, flat, t->all) : NULL;
    flat = xg_attention_clamp(w, flat, t->all);
    o->row = s->turned ? xg_tile_rest(&w->t, flat, t->rows) : xg_tile_quotient(&w->t, flat, t->pieces);
    o->piece = s->turned ? xg_tile_quotient(&w->t, flat, t->rows) : xg_tile_rest(&w->t, flat, t->pieces);
    in = xg_k2(xg_attention_b(w), XG_K_OP_ADDI, t->first, o->row);
    o->cond = xg_attention_below(w, in, t->limit);
    o->cond = xg_elem_and(&w->t.s, o->cond, xg_attention_below(w, o->piece, t->extent / s->lanes));
    xg_attention_numbers(w, o->at);
    o->at[t->number] = xg_attention_clamp(w, in, t->limit);
    o->at[XG_ATTENTION_VECTOR] = xg_attention_clamp(w, o->piece, t->extent / s->lanes);
}
XG_FN xg_kval *xg_attention_nothing(xg_attention_kernel *w, int64_t lanes) {
    xg_kmodule *m = w->t.e->m;
    xg_kelem e = xg_kelem_of(w->f->held);
    return xg_kconst_bits(xg_attention_b(w), lanes > 1 ? xg_kir_vector(m, e, lanes) : xg_kir_scalar(m, e), 0);
}
/* One vector of a row, zeros where the array has none. */
XG_FN xg_kval *xg_attention_fetch_vector(
    xg_attention_kernel *w, const xg_attention_fetch *t, xg_attention_piece *piece) {
    int64_t lanes = w->f->stages[t->part].lanes;
    xg_kval *v = xg_attention_nothing(w, lanes), *o[3];
    xg_flow guard = xg_flow_of(&w->t.s, &v), loop = xg_flow_of(&w->t.s, NULL);
    xg_flow_if(&guard, xg_elem_and(&w->t.s, piece->has, piece->cond));
    if (lanes > 1) {
        xg_flow_slot(&loop, &v);
        piece->at[XG_ATTENTION_LANE] = xg_attention_loop(w, &loop, lanes);
        o[0] = xg_attention_fetched(w, t, piece->at);
        o[1] = v;
        o[2] = piece->at[XG_ATTENTION_LANE];
        v = xg_kir_value(xg_attention_b(w), XG_K_OP_VINSERT, o, 3, v->type);
        xg_flow_end(&loop);
    } else
        v = xg_attention_fetched(w, t, piece->at);
    xg_flow_end(&guard);
    return v;
}
/* Where a lane of a piece goes: one expression, so that the passes see how pieces are aligned. */
XG_FN xg_kval *xg_attention_spot(
    xg_attention_kernel *w, const xg_attention_fetch *t, const xg_attention_piece *piece, xg_kval *lane) {
    enum {
        AT_BUFFER,
        AT_ROW,
        AT_PIECE,
        AT_LANE,
        AT_DIMS
    };
    int64_t lanes = w->f->stages[t->part].lanes, counts[AT_DIMS], pitch[AT_DIMS];
    xg_aff_ctx *x = w->t.e->m->aff;
    const xg_aff *at = xg_aff_const(x, 0);
    xg_kval *v[AT_DIMS];
    uint32_t k;
    v[AT_BUFFER] = t->buffer ? t->buffer : xg_elem_index(&w->t.s, 0);
    v[AT_ROW] = piece->row;
    v[AT_PIECE] = piece->piece;
    v[AT_LANE] = lane ? lane : xg_elem_index(&w->t.s, 0);
    counts[AT_BUFFER] = t->buffer ? w->p->stages : 1;
    counts[AT_ROW] = t->rows;
    counts[AT_PIECE] = t->pieces;
    counts[AT_LANE] = lanes;
    pitch[AT_BUFFER] = t->rows * t->pitch;
    pitch[AT_ROW] = t->pitch;
    pitch[AT_PIECE] = lanes;
    pitch[AT_LANE] = 1;
    for (k = 0; k < AT_DIMS; k++) at = xg_aff_add(x, at, xg_aff_mul(x, xg_aff_dim(x, k), pitch[k]));
    return xg_tile_apply(&w->t, counts, AT_DIMS, at, v);
}
XG_FN void xg_attention_put_vector(xg_attention_kernel *w, const xg_attention_fetch *t, xg_kval *v, xg_kval *spot) {
    xg_kval *o[3];
    if (v->type->kind != XG_TK_VECTOR) {
        *t->to = xg_kinsert(xg_attention_b(w), v, *t->to, &spot, 1);
        return;
    }
    o[0] = v;
    o[1] = *t->to;
    o[2] = spot;
    *t->to = xg_kir_value(xg_attention_b(w), XG_K_OP_WRITE, o, 3, (*t->to)->type);
}
/* Each element where it goes, so that all that lies between is a load and a store (kir/async_copies.c). */
XG_FN void xg_attention_copy_vector(xg_attention_kernel *w, const xg_attention_fetch *t, xg_attention_piece *piece) {
    int64_t lanes = w->f->stages[t->part].lanes;
    xg_flow guard = xg_flow_of(&w->t.s, t->to), loop = xg_flow_of(&w->t.s, NULL);
    xg_kval *v, *spot;
    xg_flow_if(&guard, piece->cond);
    if (lanes > 1) {
        xg_flow_slot(&loop, t->to);
        piece->at[XG_ATTENTION_LANE] = xg_attention_loop(w, &loop, lanes);
    }
    v = xg_attention_fetched(w, t, piece->at);
    spot = xg_attention_spot(w, t, piece, piece->at[XG_ATTENTION_LANE]);
    *t->to = xg_kinsert(xg_attention_b(w), v, *t->to, &spot, 1);
    xg_flow_end(&loop);
    if (piece->cond) {
        xg_flow_else(&guard);
        v = xg_attention_nothing(w, lanes);
        xg_attention_put_vector(w, t, v, xg_attention_spot(w, t, piece, NULL));
    }
    xg_flow_end(&guard);
}
/* All of a tile: neighbouring threads bring what lies side by side in memory. */
XG_FN void xg_attention_copy_tile(xg_attention_kernel *w, const xg_attention_fetch *t) {
    xg_kval *round = xg_elem_index(&w->t.s, 0);
    xg_flow f = xg_flow_of(&w->t.s, t->to), some = f;
    xg_attention_piece piece;
    if (t->rounds > 1) {
        round = xg_attention_loop(w, &f, t->rounds);
        f.op->flags = KL_UNROLL_LOWERED;
    }
    xg_attention_piece_of(w, t, round, &piece);
    xg_flow_if(&some, piece.has);
    xg_attention_copy_vector(w, t, &piece);
    xg_flow_end(&some);
    xg_flow_end(&f);
}
/* The same through registers: first all that is asked of memory, then all that is put. */
XG_FN void xg_attention_ask(xg_attention_kernel *w, xg_attention_fetch *t) {
    int64_t round;
    t->staged = XG_NEW_N(w->t.e->arena, xg_kval *, (size_t)t->rounds);
    for (round = 0; round < t->rounds; round++) {
        xg_attention_piece piece;
        xg_attention_piece_of(w, t, xg_elem_index(&w->t.s, round), &piece);
        t->staged[round] = xg_attention_fetch_vector(w, t, &piece);
    }
}
XG_FN void xg_attention_put(xg_attention_kernel *w, const xg_attention_fetch *t) {
    int64_t round;
    for (round = 0; round < t->rounds; round++) {
        xg_attention_piece piece;
        xg_flow some = xg_flow_of(&w->t.s, t->to);
        xg_attention_piece_of(w, t, xg_elem_index(&w->t.s, round), &piece);
        xg_flow_if(&some, piece.has);
        xg_attention_put_vector(w, t, t->staged[round], xg_attention_spot(w, t, &piece, NULL));
        xg_flow_end(&some);
    }
}
XG_FN void xg_attention_fetch_sizes(xg_attention_kernel *w, xg_attention_fetch *t) {
    t->pieces = t->width / w->f->stages[t->part].lanes;
    t->all = t->rows * t->pieces;
    t->rounds = xg_tile_over(t->all, w->p->threads);
}
XG_FN void xg_attention_bring_query(xg_attention_kernel *w) {
    xg_attention_fetch t;
    memset(&t, 0, sizeof t);
    t.part = XG_ATTENTION_QUERY;
    t.rows = w->p->tile;
    t.width = w->p->depth;
    t.pitch = w->p->pitch;
    t.extent = w->f->depth;
    t.limit = w->f->rows;
    t.number = XG_ATTENTION_ROW;
    t.first = xg_tile_join(&w->t, w->tile, w->p->tile, xg_elem_index(&w->t.s, 0));
    t.to = &w->query;
    xg_attention_fetch_sizes(w, &t);
    xg_attention_ask(w, &t);
    xg_attention_put(w, &t);
}
/* The keys' tile of a step, or that of the values, in that buffer. */
XG_FN xg_attention_fetch xg_attention_fetch_of(
    xg_attention_kernel *w, xg_attention_part part, xg_kval *step, xg_kval *buffer) {
    bool values = part == XG_ATTENTION_VALUES;
    xg_kval *zero = xg_elem_index(&w->t.s, 0);
    xg_attention_fetch t;
    memset(&t, 0, sizeof t);
    t.part = part;
    t.rows = w->p->shape.step;
    t.width = values ? w->p->columns : w->p->depth;
    t.pitch = values ? w->p->value_pitch : w->p->pitch;
    t.extent = values ? w->f->columns : w->f->depth;
    t.limit = w->f->keys;
    t.number = XG_ATTENTION_KEY;
    t.first = xg_tile_join(&w->t, step, w->p->shape.step, zero);
    t.buffer = buffer;
    t.to = values ? &w->values : &w->keys;
    xg_attention_fetch_sizes(w, &t);
    return t;
}
XG_FN void xg_attention_bring_step(xg_attention_kernel *w, xg_kval *step, xg_kval *buffer) {
    xg_attention_fetch keys = xg_attention_fetch_of(w, XG_ATTENTION_KEYS, step, buffer);
    xg_attention_fetch values = xg_attention_fetch_of(w, XG_ATTENTION_VALUES, step, buffer);
    if (w->p->copied) {
        xg_attention_copy_tile(w, &keys);
        xg_attention_copy_tile(w, &values);
        xg_kir_op(xg_attention_b(w), XG_K_OP_ASYNC_COMMIT, NULL, 0, NULL, 0, 0);
        return;
    }
    xg_attention_ask(w, &keys);
    xg_attention_ask(w, &values);
    xg_attention_put(w, &keys);
    xg_attention_put(w, &values);
}
/* The copies of all steps but the last so many are there. */
XG_FN void xg_attention_await(xg_attention_kernel *w, int64_t but) {
    if (w->p->copied) xg_kir_op(xg_attention_b(w), XG_K_OP_ASYNC_WAIT_GROUP, NULL, 0, NULL, 0, 0)->b = but;
}
XG_FN void xg_attention_wait(xg_attention_kernel *w) {
    xg_kval *v[5], **all[5], **slot[5];
    const xg_ktype *types[5];
    xg_kop *op;
    uint32_t n = 0, k;
    memset(v, 0, sizeof v);
    memset(types, 0, sizeof types);
    all[0] = &w->query;
    all[1] = &w->keys;
    all[2] = &w->values;
    all[3] = &w->weights;
    all[4] = &w->ends;
    for (k = 0; k < XG_COUNT(all); k++)
        if (*all[k]) slot[n++] = all[k];
    for (k = 0; k < n; k++) {
        v[k] = *slot[k];
        types[k] = v[k]->type;
    }
    op = xg_kir_op(xg_attention_b(w), XG_K_OP_SYNC, v, n, types, n, 0);
    for (k = 0; k < n; k++) *slot[k] = &op->results[k];
}
XG_FN void xg_attention_carry_shared(xg_attention_kernel *w, xg_flow *f) {
    xg_flow_slot(f, &w->query);
    xg_flow_slot(f, &w->keys);
    xg_flow_slot(f, &w->values);
    xg_flow_slot(f, &w->weights);
    xg_flow_slot(f, &w->ends);
}

/* ---- products without a matrix unit ---- */

XG_FN xg_kval *xg_attention_read(xg_attention_kernel *w, xg_kval *from, xg_kval *spot, int64_t lanes) {
    xg_kval *o[2];
    o[0] = from;
    o[1] = spot;
    return xg_kir_value(
        xg_attention_b(w), XG_K_OP_READ, o, 2, xg_kir_vector(w->t.e->m, xg_kelem_of(w->f->held), lanes));
}
XG_FN xg_kval *xg_attention_lane(xg_attention_kernel *w, xg_kval *vector, int64_t lane) {
    xg_kval *o[2];
    o[0] = vector;
    o[1] = xg_elem_index(&w->t.s, lane);
    return xg_kir_value(xg_attention_b(w), XG_K_OP_VEXTRACT, o, 2, xg_kir_scalar(w->t.e->m, vector->type->elem));
}
/* sum += the products of two vectors' lanes, one after the other. */
XG_FN void xg_attention_dot(xg_attention_kernel *w, xg_kval *x, xg_kval *y, int64_t lanes, xg_kval **sum) {
    int64_t k;
    for (k = 0; k < lanes; k++) {
        xg_kval *a = xg_attention_lane(w, x, k), *b = xg_attention_lane(w, y, k);
        *sum = xg_k3(xg_attention_b(w), XG_K_OP_FMA, a, b, *sum);
    }
}
XG_FN int64_t xg_attention_vector(const xg_attention_kernel *w) {
    return XG_TILE_ACCESS_BYTES / xg_type_bytes(w->f->held);
}
XG_FN void xg_attention_plain_scores(xg_attention_kernel *w) {
    int64_t lanes = xg_attention_vector(w), rounds = w->p->depth / lanes, pitch = w->p->pitch, half, c;
    int64_t columns = w->p->own / XG_ATTENTION_BESIDE, size;
    xg_kval *query, *key, *along, *x[XG_ATTENTION_HALVES], *y;
    xg_flow f = xg_flow_of(&w->t.s, NULL);
    for (half = 0; half < XG_ATTENTION_HALVES; half++)
        for (c = 0; c < columns; c++) xg_flow_slot(&f, &w->scores[half][c]);
    f.rolled = true;
    along = xg_attention_loop(w, &f, rounds);
    along = xg_tile_join(&w->t, along, lanes, xg_elem_index(&w->t.s, 0));
    query = xg_tile_join(&w->t, w->across, XG_ATTENTION_ROWS, w->group);
    query = xg_tile_join(&w->t, query, pitch, along);
    key = xg_tile_join(&w->t, w->buffer, pitch, xg_tile_join(&w->t, w->beside, XG_ATTENTION_PAIR * pitch, along));
    size = w->p->tile * pitch;
    for (half = 0; half < XG_ATTENTION_HALVES; half++)
        x[half] =
            xg_attention_read(w, w->query, xg_attention_at(w, query, size, half * XG_ATTENTION_EIGHT * pitch), lanes);
    size = w->p->stages * w->p->shape.step * pitch;
    for (c = 0; c < columns; c++) {
        int64_t column = c / XG_ATTENTION_PAIR * XG_ATTENTION_EIGHT + c % XG_ATTENTION_PAIR;
        y = xg_attention_read(w, w->keys, xg_attention_at(w, key, size, column * pitch), lanes);
        for (half = 0; half < XG_ATTENTION_HALVES; half++) xg_attention_dot(w, x[half], y, lanes, &w->scores[half][c]);
    }
    xg_flow_end(&f);
}
XG_FN int64_t xg_attention_weights_size(const xg_attention_plan *p) {
    return (int64_t)p->shape.warps * p->shape.parts * XG_ATTENTION_ROWS * p->weight_pitch;
}
/* The weights into shared memory; a warp reads its own alone. */
XG_FN void xg_attention_show_weights(xg_attention_kernel *w) {
    int64_t columns = w->p->own / XG_ATTENTION_BESIDE, pitch = w->p->weight_pitch, half, c;
    xg_kval *row = xg_tile_join(&w->t, w->warp, XG_ATTENTION_ROWS, w->group), *first, *at;
    first = xg_tile_join(&w->t, w->beside, XG_ATTENTION_PAIR, xg_elem_index(&w->t.s, 0));
    first = xg_tile_join(&w->t, row, pitch, first);
    for (half = 0; half < XG_ATTENTION_HALVES; half++)
        for (c = 0; c < columns; c++) {
            int64_t column = c / XG_ATTENTION_PAIR * XG_ATTENTION_EIGHT + c % XG_ATTENTION_PAIR;
            at = xg_attention_at(w, first, xg_attention_weights_size(w->p), half * XG_ATTENTION_EIGHT * pitch + column);
            w->weights = xg_kinsert(xg_attention_b(w), w->scores[half][c], w->weights, &at, 1);
        }
    xg_attention_await(w, 1);
    xg_attention_wait(w);
}
XG_FN void xg_attention_plain_out(xg_attention_kernel *w) {
    int64_t lanes = xg_attention_vector(w), rounds = w->p->own / lanes, half, c, k, size;
    int64_t columns = w->p->columns / XG_ATTENTION_BESIDE, pitch = w->p->value_pitch;
    xg_kval *along, *weight, *value, *x[XG_ATTENTION_HALVES], *y = NULL;
    xg_flow f = xg_flow_of(&w->t.s, NULL);
    xg_attention_show_weights(w);
    for (half = 0; half < XG_ATTENTION_HALVES; half++)
        for (c = 0; c < columns; c++) xg_flow_slot(&f, &w->out[half][c]);
    f.rolled = true;
    along = xg_attention_loop(w, &f, rounds);
    along = xg_tile_join(&w->t, along, lanes, xg_elem_index(&w->t.s, 0));
    weight = xg_tile_join(&w->t, w->warp, XG_ATTENTION_ROWS, w->group);
    weight = xg_tile_join(&w->t, weight, w->p->weight_pitch, along);
    value = xg_tile_join(&w->t, w->beside, XG_ATTENTION_PAIR, xg_elem_index(&w->t.s, 0));
    value = xg_tile_join(&w->t, along, pitch, value);
    value = xg_tile_join(&w->t, w->buffer, pitch, value);
    size = xg_attention_weights_size(w->p);
    for (half = 0; half < XG_ATTENTION_HALVES; half++)
        x[half] = xg_attention_read(
            w, w->weights, xg_attention_at(w, weight, size, half * XG_ATTENTION_EIGHT * w->p->weight_pitch), lanes);
    size = w->p->stages * w->p->shape.step * pitch;
    for (k = 0; k < lanes; k++)
        for (c = 0; c < columns; c++) {
            if (c % XG_ATTENTION_PAIR == 0) {
                int64_t place = k * pitch + c / XG_ATTENTION_PAIR * XG_ATTENTION_EIGHT;
                y = xg_attention_read(w, w->values, xg_attention_at(w, value, size, place), XG_ATTENTION_PAIR);
            }
            for (half = 0; half < XG_ATTENTION_HALVES; half++) {
                xg_kval *a = xg_attention_lane(w, x[half], k), *b = xg_attention_lane(w, y, c % XG_ATTENTION_PAIR);
                w->out[half][c] = xg_k3(xg_attention_b(w), XG_K_OP_FMA, a, b, w->out[half][c]);
            }
        }
    xg_flow_end(&f);
}

/* ---- scores ---- */

XG_FN xg_kval *xg_attention_combine(xg_attention_kernel *w, xg_kopcode op, xg_kval *v) {
    int64_t apart;
    for (apart = 1; apart < XG_ATTENTION_BESIDE; apart *= 2) {
        xg_kval *by = xg_kconst_int(xg_attention_b(w), XG_E_I32, apart);
        v = xg_k2(xg_attention_b(w), op, v, xg_kshuffle(xg_attention_b(w), XG_K_OP_SHFLBFLY, v, by));
    }
    return v;
}
/* exp(x - shift). What is rounded to 16 bits afterwards takes the device's power of two as it is. */
XG_FN xg_kval *xg_attention_exp(xg_attention_kernel *w, xg_kval *x, xg_kval *shift) {
    static const double log2_of_e = 1.4426950408889634;
    xg_kb *b = xg_attention_b(w);
    x = xg_k2(b, XG_K_OP_SUBF, x, shift);
    if (w->f->unit == XG_TILE_NO_UNIT) return xg_k1(b, XG_K_OP_EXP, x);
    return xg_k1(b, XG_K_OP_EX2A, xg_k2(b, XG_K_OP_MULF, x, xg_attention_number(w, log2_of_e)));
}
XG_FN xg_kval *xg_attention_shift(xg_attention_kernel *w, xg_kval *most) {
    xg_kval *least = xg_attention_number(w, -INFINITY), *zero = xg_attention_number(w, 0);
    return xg_kselect(xg_attention_b(w), xg_kcmpf_(xg_attention_b(w), XG_CF_OEQ, most, least), zero, most);
}
/* The numbers of column c of a step, for a thread's row. */
XG_FN xg_kval *xg_attention_key(xg_attention_kernel *w, int64_t c) {
    int64_t column = c / XG_ATTENTION_PAIR * XG_ATTENTION_EIGHT + c % XG_ATTENTION_PAIR;
    xg_kval *key = xg_tile_join(&w->t, w->beside, XG_ATTENTION_PAIR, w->first_key);
    key = xg_tile_join(&w->t, w->part, w->p->own, key);
    return xg_attention_at(w, key, w->p->steps * w->p->shape.step - column, column);
}
XG_FN void xg_attention_score(xg_attention_kernel *w, int64_t half, int64_t c) {
    const xg_attention *a = &w->f->match;
    xg_kval *at[XG_ATTENTION_DIMS], *index[XG_RANK_MAX], *key = xg_attention_key(w, c), *cond, *v;
    xg_attention_given given;
    given.of = a->scores_dot;
    given.v = xg_elem_convert_to(&w->t.s, xg_elem_real(w->scores[half][c]), w->f->sum, a->scores_dot->shape->type);
    xg_attention_numbers(w, at);
    at[XG_ATTENTION_ROW] = w->row[half];
    at[XG_ATTENTION_KEY] = xg_attention_clamp(w, key, w->f->keys);
    v = xg_attention_converted_to(w, xg_attention_element(w, XG_ATTENTION_SCORES, at, &given, 1, index),
        w->f->stages[XG_ATTENTION_SCORES].root->shape->type, w->f->sum);
    cond = xg_attention_below(w, key, w->f->keys);
    if (cond) v = xg_kselect(xg_attention_b(w), cond, v, xg_attention_number(w, -INFINITY));
    w->scores[half][c] = v;
}
/* A weight as the second dot takes it, without its row's factors. */
XG_FN void xg_attention_weight(xg_attention_kernel *w, int64_t half, int64_t c, xg_kval *p) {
    const xg_attention *a = &w->f->match;
    const xg_inst *root = w->f->stages[XG_ATTENTION_WEIGHTS].root;
    xlagpu_type rounded = xg_contract_rounding(a->out_dot, root->shape->type);
    xg_attention_given given[XG_ATTENTION_FACTORS + 1];
    xg_kval *at[XG_ATTENTION_DIMS], *index[XG_RANK_MAX];
    xg_elem v;
    uint32_t k;
    given[0].of = a->exp;
    given[0].v = xg_elem_convert_to(&w->t.s, xg_elem_real(p), w->f->sum, a->exp->shape->type);
    for (k = 0; k < a->n_factors; k++) {
        xlagpu_type t = a->factors[k].of->shape->type;
        given[k + 1].of = a->factors[k].of;
        given[k + 1].v = xg_elem_convert_to(&w->t.s, xg_elem_real(xg_attention_number(w, 1)), w->f->sum, t);
    }
    xg_attention_numbers(w, at);
    at[XG_ATTENTION_ROW] = w->row[half];
    at[XG_ATTENTION_KEY] = xg_attention_clamp(w, xg_attention_key(w, c), w->f->keys);
    v = xg_attention_element(w, XG_ATTENTION_WEIGHTS, at, given, a->n_factors + 1, index);
    v = xg_elem_convert_to(&w->t.s, v, root->shape->type, rounded);
    w->scores[half][c] = xg_attention_converted_to(w, v, rounded, w->f->held);
}
/* Maximum, sum and what they scale, of a thread's row. */
XG_FN void xg_attention_row(xg_attention_kernel *w, int64_t half) {
    int64_t columns = w->p->own / XG_ATTENTION_BESIDE, c;
    xg_kb *b = xg_attention_b(w);
    xg_kval *most = w->most[half], *shift, *scale;
    for (c = 0; c < columns; c++) {
        xg_attention_score(w, half, c);
        most = xg_k2(b, XG_K_OP_MAXF, most, w->scores[half][c]);
    }
    most = xg_attention_combine(w, XG_K_OP_MAXF, most);
    shift = xg_attention_shift(w, most);
    scale = xg_attention_exp(w, w->most[half], shift);
    w->most[half] = most;
    w->sum[half] = xg_k2(b, XG_K_OP_MULF, w->sum[half], scale);
    for (c = 0; c < columns; c++) {
        xg_kval *p = xg_attention_exp(w, w->scores[half][c], shift);
        w->sum[half] = xg_k2(b, XG_K_OP_ADDF, w->sum[half], p);
        xg_attention_weight(w, half, c, p);
    }
    for (c = 0; c < w->p->columns / XG_ATTENTION_BESIDE; c++)
        w->out[half][c] = xg_k2(b, XG_K_OP_MULF, w->out[half][c], scale);
}

/* ---- all steps ---- */

/* The next step's keys are asked for while this one's are used, if there are buffers for both. */
XG_FN void xg_attention_bring_next(xg_attention_kernel *w, xg_kval *step) {
    xg_kval *next = xg_k2(xg_attention_b(w), XG_K_OP_ADDI, step, xg_elem_index(&w->t.s, 1));
    xg_flow f = xg_flow_of(&w->t.s, &w->keys);
    xg_flow_slot(&f, &w->values);
    xg_flow_if(&f, xg_kcmpi_(xg_attention_b(w), XG_CI_SLT, next, xg_elem_index(&w->t.s, w->p->steps)));
    next = xg_attention_clamp(w, next, w->p->steps);
    xg_attention_bring_step(w, next, xg_tile_rest(&w->t, next, w->p->stages));
    xg_flow_end(&f);
}
XG_FN void xg_attention_step(xg_attention_kernel *w, xg_kval *step) {
    int64_t columns = w->p->own / XG_ATTENTION_BESIDE, half, c;
    xg_kval *zero = xg_attention_number(w, 0);
    w->first_key = xg_tile_join(&w->t, step, w->p->shape.step, xg_elem_index(&w->t.s, 0));
    if (w->p->stages == 1) {
        xg_attention_wait(w);
        xg_attention_bring_step(w, step, NULL);
        xg_attention_await(w, 0);
        xg_attention_wait(w);
        w->buffer = xg_tile_join(&w->t, w->part, w->p->own, xg_elem_index(&w->t.s, 0));
    } else {
        xg_attention_await(w, 0);
        xg_attention_wait(w);
        xg_attention_bring_next(w, step);
        w->buffer = xg_tile_rest(&w->t, step, w->p->stages);
        w->buffer = xg_tile_join(
            &w->t, w->part, w->p->own, xg_tile_join(&w->t, w->buffer, w->p->shape.step, xg_elem_index(&w->t.s, 0)));
    }
    for (half = 0; half < XG_ATTENTION_HALVES; half++)
        for (c = 0; c < columns; c++) w->scores[half][c] = zero;
    if (w->f->unit == XG_TILE_NO_UNIT)
        xg_attention_plain_scores(w);
    else
        xg_attention_unit_scores(w);
    for (half = 0; half < XG_ATTENTION_HALVES; half++) xg_attention_row(w, half);
    if (w->f->unit == XG_TILE_NO_UNIT)
        xg_attention_plain_out(w);
    else
        xg_attention_unit_out(w);
}
XG_FN void xg_attention_steps(xg_attention_kernel *w) {
    int64_t columns = w->p->columns / XG_ATTENTION_BESIDE, half, c;
    const xg_inst *init = XG_OPERAND(w->f->match.max, 1);
    xg_flow f = xg_flow_of(&w->t.s, NULL);
    for (half = 0; half < XG_ATTENTION_HALVES; half++) {
        w->most[half] = xg_attention_number(w, xg_literal_get_float(init->literal, 0));
        w->sum[half] = xg_attention_number(w, 0);
        for (c = 0; c < columns; c++) w->out[half][c] = w->sum[half];
        xg_flow_slot(&f, &w->most[half]);
        xg_flow_slot(&f, &w->sum[half]);
        for (c = 0; c < columns; c++) xg_flow_slot(&f, &w->out[half][c]);
    }
    if (w->p->stages > 1) {
        xg_kval *first = xg_elem_index(&w->t.s, 0);
        xg_attention_bring_step(w, first, first);
    }
    xg_attention_keep_query(w);
    xg_attention_carry_shared(w, &f);
    f.rolled = true;
    xg_attention_step(w, xg_attention_loop(w, &f, w->p->steps));
    xg_flow_end(&f);
}

/* ---- keys in parts ---- */

/* Where a warp's maximum of a thread's row lies; its sum behind it; the sums of columns behind those of all warps. */
XG_FN xg_kval *xg_attention_end_at(xg_attention_kernel *w, xg_kval *warp, int64_t half, bool sum) {
    int64_t lanes = XG_TILE_LANES, place = (2 * half + sum) * lanes;
    xg_kval *at = xg_tile_join(&w->t, warp, 2 * XG_ATTENTION_HALVES * lanes, w->lane);
    return xg_attention_at(w, at, xg_attention_ends_size(w->p), place);
}
XG_FN xg_kval *xg_attention_column_at(xg_attention_kernel *w, xg_kval *warp, int64_t half, xg_kval *column) {
    int64_t warps = (int64_t)w->p->shape.warps * w->p->shape.parts, pitch = w->p->sum_pitch;
    int64_t place = warps * 2 * XG_ATTENTION_HALVES * XG_TILE_LANES + half * XG_ATTENTION_EIGHT * pitch;
    xg_kval *row = xg_tile_join(&w->t, warp, XG_ATTENTION_ROWS, w->group);
    row = xg_tile_join(&w->t, row, pitch, column);
    return xg_attention_at(w, row, xg_attention_ends_size(w->p), place);
}
/* The warp that has part k of the keys for the same rows. */
XG_FN xg_kval *xg_attention_peer(xg_attention_kernel *w, int64_t k) {
    return xg_attention_at(w, w->across, (int64_t)w->p->shape.warps * w->p->shape.parts, k * w->p->shape.warps);
}
XG_FN xg_kval *xg_attention_end_of(xg_attention_kernel *w, int64_t k, int64_t half, bool sum) {
    xg_kval *at = xg_attention_end_at(w, xg_attention_peer(w, k), half, sum);
    return xg_kextract(xg_attention_b(w), w->ends, &at, 1);
}
/* All parts' sum of a column of a thread's row, in their order. */
XG_FN xg_kval *xg_attention_total(xg_attention_kernel *w, int64_t half, xg_kval *column) {
    xg_kval *total = NULL, *v, *at;
    int64_t k;
    for (k = 0; k < w->p->shape.parts; k++) {
        at = xg_attention_column_at(w, xg_attention_peer(w, k), half, column);
        v = xg_kextract(xg_attention_b(w), w->ends, &at, 1);
        total = total ? xg_k2(xg_attention_b(w), XG_K_OP_ADDF, total, v) : v;
    }
    return total;
}
/* The maximum of all parts, and what each had relative to its own. */
XG_FN void xg_attention_join_row(xg_attention_kernel *w, int64_t half) {
    xg_kb *b = xg_attention_b(w);
    xg_kval *most = NULL, *sum = NULL, *shift, *scale, *v, *at, *first, *column;
    int64_t k, c;
    for (k = 0; k < w->p->shape.parts; k++) {
        v = xg_attention_end_of(w, k, half, false);
        most = most ? xg_k2(b, XG_K_OP_MAXF, most, v) : v;
    }
    shift = xg_attention_shift(w, most);
    for (k = 0; k < w->p->shape.parts; k++) {
        scale = xg_attention_exp(w, xg_attention_end_of(w, k, half, false), shift);
        v = xg_k2(b, XG_K_OP_MULF, xg_attention_end_of(w, k, half, true), scale);
        sum = sum ? xg_k2(b, XG_K_OP_ADDF, sum, v) : v;
    }
    scale = xg_attention_exp(w, w->most[half], shift);
    w->most[half] = most;
    w->sum[half] = sum;
    first = xg_tile_join(&w->t, w->beside, XG_ATTENTION_PAIR, xg_elem_index(&w->t.s, 0));
    for (c = 0; c < w->p->columns / XG_ATTENTION_BESIDE; c++) {
        int64_t place = c / XG_ATTENTION_PAIR * XG_ATTENTION_EIGHT + c % XG_ATTENTION_PAIR;
        column = xg_attention_at(w, first, w->p->columns - place, place);
        at = xg_attention_column_at(w, w->warp, half, column);
        v = xg_k2(b, XG_K_OP_MULF, w->out[half][c], scale);
        w->ends = xg_kinsert(b, v, w->ends, &at, 1);
    }
}
XG_FN void xg_attention_join_parts(xg_attention_kernel *w) {
    int64_t half;
    xg_kval *at;
    for (half = 0; half < XG_ATTENTION_HALVES; half++) {
        at = xg_attention_end_at(w, w->warp, half, false);
        w->ends = xg_kinsert(xg_attention_b(w), w->most[half], w->ends, &at, 1);
        at = xg_attention_end_at(w, w->warp, half, true);
        w->ends = xg_kinsert(xg_attention_b(w), w->sum[half], w->ends, &at, 1);
    }
    xg_attention_wait(w);
    for (half = 0; half < XG_ATTENTION_HALVES; half++) xg_attention_join_row(w, half);
    xg_attention_wait(w);
}

/* ---- the result ---- */

/* What a thread's row has, in the module's own terms. */
typedef struct xg_attention_ends {
    xg_attention_given given[3]; /* maximum, sum, an element of the second dot */
    uint32_t n;
    xg_kval *factor; /* of the sums in out */
} xg_attention_ends;
XG_FN xg_kval *xg_attention_row_value(
    xg_attention_kernel *w, xg_attention_part part, xg_kval **at, const xg_attention_ends *ends) {
    xg_kval *index[XG_RANK_MAX];
    xg_elem v = xg_attention_element(w, part, at, ends->given, ends->n, index);
    return xg_attention_converted_to(w, v, w->f->stages[part].root->shape->type, w->f->sum);
}
XG_FN void xg_attention_end_row(xg_attention_kernel *w, int64_t half, xg_attention_ends *ends) {
    const xg_attention *a = &w->f->match;
    xg_kb *b = xg_attention_b(w);
    xg_kval *at[XG_ATTENTION_DIMS], *shift, *v;
    uint32_t k;
    memset(ends, 0, sizeof *ends);
    xg_attention_numbers(w, at);
    at[XG_ATTENTION_ROW] = w->row[half];
    ends->given[0].of = a->max;
    ends->given[0].v = xg_elem_convert_to(&w->t.s, xg_elem_real(w->most[half]), w->f->sum, a->max->shape->type);
    ends->n = 1;
    shift = xg_attention_row_value(w, XG_ATTENTION_SHIFT, at, ends);
    ends->factor = xg_attention_exp(w, xg_attention_shift(w, w->most[half]), shift);
    if (a->sum) {
        v = xg_k2(b, XG_K_OP_MULF, w->sum[half], ends->factor);
        ends->given[1].of = a->sum;
        ends->given[1].v = xg_elem_convert_to(&w->t.s, xg_elem_real(v), w->f->sum, a->sum->shape->type);
        ends->n = 2;
    }
    for (k = 0; k < a->n_factors; k++) {
        v = xg_attention_row_value(w, (xg_attention_part)(XG_ATTENTION_FACTOR0 + k), at, ends);
        ends->factor = xg_k2(b, a->factors[k].divides ? XG_K_OP_DIVF : XG_K_OP_MULF, ends->factor, v);
    }
}
/* One element of the result, made of its sum. */
XG_FN void xg_attention_write(
    xg_attention_kernel *w, int64_t half, xg_kval *column, xg_kval *sum, const xg_attention_ends *row) {
    const xg_inst *root = w->f->stages[XG_ATTENTION_RESULT].root, *dot = w->f->match.out_dot;
    xg_kval *at[XG_ATTENTION_DIMS], *index[XG_RANK_MAX];
    xg_attention_ends ends = *row;
    xg_flow f = xg_flow_of(&w->t.s, &w->dest);
    xg_elem v;
    xg_flow_if(&f, xg_attention_below(w, column, w->f->columns));
    xg_attention_numbers(w, at);
    at[XG_ATTENTION_ROW] = w->row[half];
    at[XG_ATTENTION_VECTOR] = xg_attention_clamp(w, column, w->f->columns);
    v = xg_elem_real(xg_k2(xg_attention_b(w), XG_K_OP_MULF, sum, ends.factor));
    ends.given[ends.n].of = dot;
    ends.given[ends.n++].v = xg_elem_convert_to(&w->t.s, v, w->f->sum, dot->shape->type);
    v = xg_attention_element(w, XG_ATTENTION_RESULT, at, ends.given, ends.n, index);
    w->dest = xg_emit_insert(xg_attention_b(w), v, w->dest, root->shape, index);
    xg_flow_end(&f);
}
/* A thread writes the columns of its sums; with keys in parts, each warp every so many eights. */
XG_FN void xg_attention_write_row(xg_attention_kernel *w, int64_t half, const xg_attention_ends *ends) {
    int64_t parts = w->p->shape.parts, eights = xg_tile_over(w->p->columns / XG_ATTENTION_EIGHT, parts), k, c;
    xg_kval *first = xg_tile_join(&w->t, w->beside, XG_ATTENTION_PAIR, xg_elem_index(&w->t.s, 0)), *column, *sum;
    if (parts > 1) first = xg_tile_join(&w->t, w->part, XG_ATTENTION_EIGHT, first);
    for (k = 0; k < eights; k++)
        for (c = 0; c < XG_ATTENTION_PAIR; c++) {
            int64_t place = k * parts * XG_ATTENTION_EIGHT + c, all = eights * parts * XG_ATTENTION_EIGHT;
            column = xg_attention_at(w, first, all - place, place);
            sum = parts > 1 ? xg_attention_total(w, half, xg_attention_clamp(w, column, w->p->columns))
                            : w->out[half][XG_ATTENTION_PAIR * k + c];
            xg_attention_write(w, half, column, sum, ends);
        }
}
XG_FN void xg_attention_results(xg_attention_kernel *w) {
    int64_t half;
    for (half = 0; half < XG_ATTENTION_HALVES; half++)
        w->sum[half] = xg_attention_combine(w, XG_K_OP_ADDF, w->sum[half]);
    if (w->p->shape.parts > 1) xg_attention_join_parts(w);
    for (half = 0; half < XG_ATTENTION_HALVES; half++) {
        xg_attention_ends ends;
        xg_kval *row = xg_tile_join(&w->t, w->across, XG_ATTENTION_ROWS, w->group);
        xg_flow f = xg_flow_of(&w->t.s, &w->dest);
        xg_attention_end_row(w, half, &ends);
        row = xg_tile_join(&w->t, w->tile, w->p->tile, row);
        row = xg_attention_at(w, row, w->p->tiles * w->p->tile - XG_ATTENTION_EIGHT, half * XG_ATTENTION_EIGHT);
        xg_flow_if(&f, xg_attention_below(w, row, w->f->rows));
        xg_attention_write_row(w, half, &ends);
        xg_flow_end(&f);
    }
}

/* ---- the kernel ---- */

XG_FN void xg_attention_stage_functions(xg_attention_kernel *w) {
    uint32_t k;
    for (k = 0; k < XG_ATTENTION_PARTS; k++) {
        xg_fusion_emission *e = &w->parts[k];
        if (!w->f->stages[k].root) continue;
        *e = *w->t.e;
        e->parts = w->f->stages[k].parts;
        e->n_roots = e->parts->n_roots;
        e->roots = e->parts->roots;
        xg_emit_functions(e, false);
        w->scopes[k] = xg_emit_scope(e, w->t.e->m->entry, 0);
    }
}
XG_FN xg_kval *xg_attention_shared(xg_attention_kernel *w, xlagpu_type t, int64_t n) {
    const xg_ktype *type = xg_kir_tensor(w->t.e->m, xg_kelem_of(t), &n, 1);
    return xg_kir_op(xg_attention_b(w), XG_K_OP_ALLOC_SHARED, NULL, 0, &type, 1, 0)->results;
}
XG_FN void xg_attention_places(xg_attention_kernel *w) {
    const xg_attention_plan *p = w->p;
    xg_kval *id = xg_kblock_id(xg_attention_b(w), 0, p->blocks), *row;
    int64_t half;
    w->thread = xg_kthread_id(xg_attention_b(w), 0, p->threads);
    w->lane = xg_tile_rest(&w->t, w->thread, XG_TILE_LANES);
    w->warp = xg_tile_quotient(&w->t, w->thread, XG_TILE_LANES);
    w->group = xg_tile_quotient(&w->t, w->lane, XG_ATTENTION_BESIDE);
    w->beside = xg_tile_rest(&w->t, w->lane, XG_ATTENTION_BESIDE);
    w->tile = xg_tile_rest(&w->t, id, p->tiles);
    w->batch = xg_tile_quotient(&w->t, id, p->tiles);
    w->across = xg_tile_rest(&w->t, w->warp, p->shape.warps);
    w->part = xg_tile_quotient(&w->t, w->warp, p->shape.warps);
    row = xg_tile_join(&w->t, w->across, XG_ATTENTION_ROWS, w->group);
    row = xg_tile_join(&w->t, w->tile, p->tile, row);
    for (half = 0; half < XG_ATTENTION_HALVES; half++)
        w->row[half] = xg_attention_clamp(
            w, xg_attention_at(w, row, p->tiles * p->tile - XG_ATTENTION_EIGHT, half * XG_ATTENTION_EIGHT), w->f->rows);
}
XG_FN void xg_attention_emit(xg_fusion_emission *e, const xg_attention_plan *p) {
    xg_attention_kernel *w = XG_NEW(e->arena, xg_attention_kernel);
    xg_kfunc *f = e->m->entry;
    int64_t keys;
    uint32_t k;
    f->async_copies = p->copied;
    w->p = p;
    w->f = &p->form;
    w->t.e = e;
    w->t.s = xg_emit_scope(e, f, 0);
    f->threads[0] = (uint32_t)p->threads;
    f->blocks[0] = (uint32_t)p->blocks;
    f->threads[1] = f->threads[2] = f->blocks[1] = f->blocks[2] = 1;
    w->dest = &f->body->args[f->n_inputs];
    for (k = 0; k < XG_ATTENTION_HALVES; k++) {
        w->out[k] = XG_NEW_N(e->arena, xg_kval *, (size_t)p->columns);
        w->scores[k] = XG_NEW_N(e->arena, xg_kval *, (size_t)p->own);
    }
    xg_attention_stage_functions(w);
    xg_attention_places(w);
    keys = p->stages * p->shape.step;
    w->query = xg_attention_shared(w, w->f->held, p->tile * p->pitch);
    w->keys = xg_attention_shared(w, w->f->held, keys * p->pitch);
    w->values = xg_attention_shared(w, w->f->held, keys * p->value_pitch);
    if (w->f->unit == XG_TILE_NO_UNIT) w->weights = xg_attention_shared(w, w->f->held, xg_attention_weights_size(p));
    if (p->shape.parts > 1) w->ends = xg_attention_shared(w, w->f->sum, xg_attention_ends_size(p));
    xg_attention_bring_query(w);
    xg_attention_steps(w);
    xg_attention_results(w);
    xg_kreturn(xg_attention_b(w), &w->dest, 1);
}

#endif /* XG_SCHED_ATTENTION_EMIT_C */
