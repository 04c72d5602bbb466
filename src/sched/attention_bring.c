/* sched/attention_bring.c -- a tile's rows, and the keys and values of a step, into shared memory. */
#ifndef XG_SCHED_ATTENTION_BRING_C
#define XG_SCHED_ATTENTION_BRING_C
#include "attention.h"

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
XG_FN bool xg_attention_is_line(xg_attention_part part) {
    return part >= XG_ATTENTION_LINE0 && (int)part < (int)XG_ATTENTION_LINE0 + XG_ATTENTION_LINES;
}
XG_FN xg_kval *xg_attention_fetched(xg_attention_kernel *w, const xg_attention_fetch *t, xg_kval **at) {
    xlagpu_type type = w->f->stages[t->part].root->shape->type;
    const xg_inst *dot = w->f->match.scores_dot;
    xg_kval *index[XG_RANK_MAX];
    xg_elem v = xg_attention_element(w, t->part, at, NULL, 0, index);
    xlagpu_type rounded;
    if (xg_attention_is_line(t->part)) return v.v;
    if (t->part == XG_ATTENTION_VALUES || t->part == XG_ATTENTION_GRAD)
        dot = w->f->back.is ? w->f->back.match.grad_dot : w->f->match.out_dot;
    rounded = xg_contract_rounding(dot, type);
    v = xg_elem_convert_to(&w->t->s, v, type, rounded);
    return xg_attention_converted_to(w, v, rounded, w->f->held);
}
/* Which piece of which row a thread brings in a round; false: the last round, of which some threads have none. */
typedef struct xg_attention_piece {
    xg_kval *row, *piece, *has, *cond, *at[XG_ATTENTION_DIMS];
    xg_kval *own, *apart; /* the row is their sum, or the first alone; the second is whole eights of rows */
} xg_attention_piece;
XG_FN void xg_attention_piece_of(
    xg_attention_kernel *w, const xg_attention_fetch *t, xg_kval *round, xg_attention_piece *o) {
    const xg_attention_stage *s = &w->f->stages[t->part];
    xg_kval *flat = xg_tile_join(w->t, round, w->p->threads, w->thread), *in, *slow;
    int64_t fast = s->turned ? t->rows : t->pieces, rounds = w->p->threads / fast;
    /* threads bring the same piece of a row in all rounds, of rows as far apart */
    bool even = t->all % w->p->threads == 0 && w->p->threads % fast == 0;
    o->has = t->all % w->p->threads ? xg_attention_below(w, flat, t->all) : NULL;
    flat = even ? w->thread : xg_attention_clamp(w, flat, t->all);
    o->own = slow = xg_tile_quotient(w->t, flat, fast);
    flat = xg_tile_rest(w->t, flat, fast);
    o->apart = NULL;
    if (even) slow = xg_tile_join(w->t, round, rounds, slow);
    if (even && !s->turned && rounds % XG_ATTENTION_EIGHT == 0)
        o->apart = xg_tile_join(w->t, round, rounds, xg_elem_index_0(&w->t->s));
    o->row = s->turned ? flat : slow;
    o->piece = s->turned ? slow : flat;
    if (!o->apart) o->own = o->row;
    in = xg_k2(xg_attention_b(w), XG_K_OP_ADDI, t->first, o->row);
    o->cond = xg_attention_below(w, in, t->limit);
    o->cond = xg_elem_and(&w->t->s, o->cond, xg_attention_below(w, o->piece, t->extent / s->lanes));
    if (xg_attention_is_line(t->part)) o->cond = NULL; /* beyond the last key weights are 0, whatever it has */
    xg_attention_numbers(w, o->at);
    o->at[t->number] = xg_attention_clamp(w, in, t->limit);
    o->at[XG_ATTENTION_VECTOR] = xg_attention_clamp(w, o->piece, t->extent / s->lanes);
}
XG_FN xg_kval *xg_attention_nothing(xg_attention_kernel *w, xg_attention_part part) {
    xg_kmodule *m = w->t->s.b.m;
    int64_t lanes = w->f->stages[part].lanes;
    xg_kelem e = xg_kelem_of(xg_attention_is_line(part) ? w->f->sum : w->f->held);
    return xg_kconst_bits(xg_attention_b(w), lanes > 1 ? xg_kir_vector(m, e, lanes) : xg_kir_scalar(m, e), 0);
}
/* One vector of a row, zeros where the array has none. */
XG_FN xg_kval *xg_attention_fetch_vector(
    xg_attention_kernel *w, const xg_attention_fetch *t, xg_attention_piece *piece) {
    int64_t lanes = w->f->stages[t->part].lanes;
    xg_kval *v = xg_attention_nothing(w, t->part), *o[3];
    xg_flow guard = xg_flow_of(&w->t->s, &v), loop = xg_flow_begin(&w->t->s);
    xg_flow_if(&guard, xg_elem_and(&w->t->s, piece->has, piece->cond));
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
    int64_t lanes = w->f->stages[t->part].lanes, counts[XG_ATTENTION_AT_DIMS], pitch[XG_ATTENTION_AT_DIMS];
    xg_aff_ctx *x = w->t->s.b.m->aff;
    const xg_aff *at = xg_aff_const(x, 0);
    xg_kval *v[XG_ATTENTION_AT_DIMS];
    uint32_t k;
    v[XG_ATTENTION_AT_BUFFER] = t->buffer ? t->buffer : xg_elem_index_0(&w->t->s);
    v[XG_ATTENTION_AT_ROW] = piece->row;
    v[XG_ATTENTION_AT_PIECE] = piece->piece;
    v[XG_ATTENTION_AT_LANE] = lane ? lane : xg_elem_index_0(&w->t->s);
    counts[XG_ATTENTION_AT_BUFFER] = t->buffer ? w->p->stages : 1;
    counts[XG_ATTENTION_AT_ROW] = t->rows;
    counts[XG_ATTENTION_AT_PIECE] = t->pieces;
    counts[XG_ATTENTION_AT_LANE] = lanes;
    if (w->p->shape.grouped) {
        if (t->part == XG_ATTENTION_GRAD && !w->p->keeps_grads) {
            int64_t before = xg_attention_grad_at(w->p) * XG_KWGMMA_LINE_BYTES / (lanes * xg_type_bytes(w->f->held));
            counts[XG_ATTENTION_AT_PIECE] += before;
            v[XG_ATTENTION_AT_PIECE] = xg_attention_at(w, piece->piece, t->pieces, before);
        }
        v[XG_ATTENTION_AT_ROW] = piece->own;
        v[0] = xg_attention_group_spot(w, counts, t->rows, v);
        if (!piece->apart) return v[0];
        v[1] = piece->apart; /* eights of rows are swizzled alike */
        at = xg_aff_add_dim(x, xg_aff_dim_0(x), 1, XG_KWGMMA_LINE_BYTES / xg_type_bytes(w->f->held));
        for (k = 0; k < 2; k++) counts[k] = xg_kval_range(v[k]).hi + 1;
        return xg_tile_apply(w->t, counts, 2, at, v);
    }
    if (w->p->swizzled && t->part == XG_ATTENTION_QUERY) {
        xg_kval *row = xg_tile_rest(w->t, piece->own, XG_ATTENTION_EIGHT);
        v[XG_ATTENTION_AT_PIECE] = xg_k2(xg_attention_b(w), XG_K_OP_XORI, piece->piece, row);
        xg_kval_set_range(v[XG_ATTENTION_AT_PIECE], xg_range_of(0, t->pieces - 1));
    }
    pitch[XG_ATTENTION_AT_BUFFER] = t->rows * t->pitch;
    pitch[XG_ATTENTION_AT_ROW] = t->pitch;
    pitch[XG_ATTENTION_AT_PIECE] = lanes;
    pitch[XG_ATTENTION_AT_LANE] = 1;
    for (k = 0; k < XG_ATTENTION_AT_DIMS; k++) at = xg_aff_add_dim(x, at, k, pitch[k]);
    if (xg_attention_is_paired(w->p) && (t->part == XG_ATTENTION_VALUES || t->part == XG_ATTENTION_GRAD))
        at = xg_aff_add_k(x, at, xg_attention_side_rows(w->p) * t->pitch);
    return xg_tile_apply(w->t, counts, XG_ATTENTION_AT_DIMS, at, v);
}
XG_FN void xg_attention_put_vector(xg_attention_kernel *w, const xg_attention_fetch *t, xg_kval *v, xg_kval *spot) {
    xg_kval *o[3];
    if (v->type->kind != XG_TK_VECTOR) {
        *t->to = xg_kinsert_at(xg_attention_b(w), v, *t->to, spot);
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
    xg_flow guard = xg_flow_of(&w->t->s, t->to), loop = xg_flow_begin(&w->t->s);
    xg_kval *v, *spot;
    xg_flow_if(&guard, piece->cond);
    if (lanes > 1) {
        xg_flow_slot(&loop, t->to);
        piece->at[XG_ATTENTION_LANE] = xg_attention_loop(w, &loop, lanes);
    }
    v = xg_attention_fetched(w, t, piece->at);
    spot = xg_attention_spot(w, t, piece, piece->at[XG_ATTENTION_LANE]);
    *t->to = xg_kinsert_at(xg_attention_b(w), v, *t->to, spot);
    xg_flow_end(&loop);
    if (piece->cond) {
        xg_flow_else(&guard);
        v = xg_attention_nothing(w, t->part);
        xg_attention_put_vector(w, t, v, xg_attention_spot(w, t, piece, NULL));
    }
    xg_flow_end(&guard);
}
/* Addresses of many copies take the registers that sums of f32 need. */
XG_FN bool xg_attention_rolls(const xg_attention_kernel *w, const xg_attention_fetch *t) {
    enum {
        ROUNDS = 8
    };
    return w->f->back.is && w->f->unit == XG_TILE_NO_UNIT && t->rounds > ROUNDS;
}
/* All of a tile: neighbouring threads bring what lies side by side in memory. */
XG_FN void xg_attention_copy_tile(xg_attention_kernel *w, const xg_attention_fetch *t) {
    xg_kval *round = xg_elem_index_0(&w->t->s);
    xg_flow f = xg_flow_of(&w->t->s, t->to), some = f;
    xg_attention_piece piece;
    if (t->rounds > 1) {
        f.rolled = xg_attention_rolls(w, t);
        round = xg_attention_loop(w, &f, t->rounds);
        if (!f.rolled) f.op->flags = KL_UNROLL_LOWERED;
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
    t->staged = XG_NEW_N(w->t->e->arena, xg_kval *, (size_t)t->rounds);
    for (round = 0; round < t->rounds; round++) {
        xg_attention_piece piece;
        xg_attention_piece_of(w, t, xg_elem_index(&w->t->s, round), &piece);
        t->staged[round] = xg_attention_fetch_vector(w, t, &piece);
    }
}
XG_FN void xg_attention_put(xg_attention_kernel *w, const xg_attention_fetch *t) {
    int64_t round;
    for (round = 0; round < t->rounds; round++) {
        xg_attention_piece piece;
        xg_flow some = xg_flow_of(&w->t->s, t->to);
        xg_attention_piece_of(w, t, xg_elem_index(&w->t->s, round), &piece);
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
XG_FN void xg_attention_bring_fixed(xg_attention_kernel *w, const xg_attention_fixed *o) {
    xg_attention_fetch t;
    memset(&t, 0, sizeof t);
    t.part = o->part;
    t.rows = w->p->tile;
    t.width = o->width;
    t.pitch = o->pitch;
    t.extent = o->extent;
    t.limit = w->f->rows;
    t.number = XG_ATTENTION_ROW;
    t.first = xg_tile_join(w->t, w->tile, w->p->tile, xg_elem_index_0(&w->t->s));
    t.to = o->to;
    xg_attention_fetch_sizes(w, &t);
    if (w->t->s.b.m->entry->async_copies && w->p->shape.grouped) {
        xg_attention_copy_tile(w, &t);
        return;
    }
    xg_attention_ask(w, &t);
    xg_attention_put(w, &t);
}
XG_FN void xg_attention_bring_query(xg_attention_kernel *w) {
    xg_attention_fixed o;
    o.part = XG_ATTENTION_QUERY;
    o.extent = w->f->depth;
    o.width = w->p->depth;
    o.pitch = w->p->query_pitch;
    o.to = w->p->keeps_rows ? &w->keys : &w->query;
    xg_attention_bring_fixed(w, &o);
}
XG_FN void xg_attention_bring_grads(xg_attention_kernel *w) {
    xg_attention_fixed o;
    o.part = XG_ATTENTION_GRAD;
    o.extent = w->f->columns;
    o.width = w->p->columns;
    o.pitch = w->p->value_pitch;
    o.to = xg_attention_back_through_keys(w->p) ? &w->keys
           : w->p->keeps_grads                  ? &w->values
           : w->p->shape.grouped                ? &w->query
                                                : &w->grad;
    xg_attention_bring_fixed(w, &o);
}
XG_FN void xg_attention_bring_rows(xg_attention_kernel *w) {
    xg_attention_bring_query(w);
    if (w->f->back.is && !xg_attention_back_in_turn(w->p)) xg_attention_bring_grads(w);
    if (!w->t->s.b.m->entry->async_copies || !w->p->shape.grouped) return;
    xg_kir_do_0(xg_attention_b(w), XG_K_OP_ASYNC_COMMIT);
    xg_attention_await(w, 0);
}
/* The keys' tile of a step, or that of the values, in that buffer. */
XG_FN xg_attention_fetch xg_attention_fetch_of(
    xg_attention_kernel *w, xg_attention_part part, xg_kval *step, xg_kval *buffer) {
    bool values = part == XG_ATTENTION_VALUES;
    xg_kval *zero = xg_elem_index_0(&w->t->s);
    xg_attention_fetch t;
    memset(&t, 0, sizeof t);
    t.part = part;
    t.rows = w->p->shape.step;
    t.width = values ? w->p->columns : w->p->depth;
    t.pitch = values ? w->p->value_pitch : w->p->pitch;
    t.extent = values ? w->f->columns : w->f->depth;
    t.limit = w->f->keys;
    t.number = XG_ATTENTION_KEY;
    t.first = xg_tile_join(w->t, step, w->p->shape.step, zero);
    t.buffer = buffer;
    t.to = values && !xg_attention_is_paired(w->p) ? &w->values : &w->keys;
    xg_attention_fetch_sizes(w, &t);
    return t;
}
/* What each of a step's keys has one of: line k, in that buffer. */
XG_APART XG_FN xg_attention_fetch xg_attention_fetch_line(
    xg_attention_kernel *w, uint32_t k, xg_kval *step, xg_kval *buffer) {
    xg_attention_fetch t = xg_attention_fetch_of(w, (xg_attention_part)(XG_ATTENTION_LINE0 + k), step, buffer);
    t.width = t.pitch = t.extent = 1;
    t.to = &w->columns[k];
    xg_attention_fetch_sizes(w, &t);
    return t;
}
XG_FN void xg_attention_bring_side(xg_attention_kernel *w, xg_attention_part part, xg_kval *step) {
    xg_attention_fetch one = xg_attention_fetch_of(w, part, step, NULL);
    xg_attention_copy_tile(w, &one);
    xg_kir_do_0(xg_attention_b(w), XG_K_OP_ASYNC_COMMIT);
}
XG_FN void xg_attention_bring_step(xg_attention_kernel *w, xg_kval *step, xg_kval *buffer) {
    xg_attention_fetch some[XG_ATTENTION_LINES + 2];
    uint32_t n = 0, k;
    some[n++] = xg_attention_fetch_of(w, XG_ATTENTION_KEYS, step, buffer);
    if (!w->keys_only) some[n++] = xg_attention_fetch_of(w, XG_ATTENTION_VALUES, step, buffer);
    for (k = 0; w->f->back.turned && k < w->f->back.n_lines; k++)
        some[n++] = xg_attention_fetch_line(w, k, step, buffer);
    if (w->p->copied) {
        for (k = 0; k < n; k++) xg_attention_copy_tile(w, &some[k]);
        xg_kir_do_0(xg_attention_b(w), XG_K_OP_ASYNC_COMMIT);
        return;
    }
    for (k = 0; k < n; k++) xg_attention_ask(w, &some[k]);
    for (k = 0; k < n; k++) xg_attention_put(w, &some[k]);
}

#endif /* XG_SCHED_ATTENTION_BRING_C */
