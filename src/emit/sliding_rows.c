/* emit/sliding_rows.c -- windows that overlap along the innermost dimension, and along no other.
 *
 * As in emit/sliding.c a thread makes several windows that follow each other. Those of neighbouring threads lie so many
 * elements apart, and a warp that reads one element each would touch a sector for every one of them. So a block brings
 * all that its windows cover into shared memory, each element once, by neighbours; threads fold what lies there; and
 * results go through shared memory too, back to neighbours. What is in front of the windows is made once for an
 * element, not once for every window. A block has a piece of a row, or several rows where they are short. A thread
 * finds all it reads as far from its own first place as every other thread. */
#ifndef XG_EMIT_SLIDING_ROWS_C
#define XG_EMIT_SLIDING_ROWS_C
#include "emit.h"
#include "sliding.c"

enum {
    XG_SLIDING_OUTPUTS_MAX = 8,
    XG_SLIDING_LONG =
        64 /* windows that are folded by loops, where gaps would have to be computed; an odd share needs none */,
    XG_SLIDING_LONG_COUNT = 15
};

typedef struct xg_sliding_rows {
    int64_t lanes, rows, n_rows;    /* threads of a row, rows of a block, rows in all */
    int64_t extent, groups, pieces; /* windows of a row, threads' shares of it, blocks for it */
    int64_t places, made, blocks;   /* of a row in the block: elements that are read, windows; in all */
    xg_scope s;
    xg_sliding d;
    xg_kval *at[2], *tile[XG_SLIDING_OUTPUTS_MAX], *out[XG_SLIDING_OUTPUTS_MAX], **dest;
    xg_index_order order; /* of the other dimensions */
} xg_sliding_rows;

XG_FN int64_t xg_sliding_rows_bytes(const xg_sliding_rows *t) {
    int64_t bytes = 0;
    uint32_t k;
    for (k = 0; k < t->d.n; k++)
        bytes += t->rows * (t->places * xg_type_bytes(XG_OPERAND(t->d.i, k)->shape->type) +
                               t->made * xg_type_bytes(xg_indexing_output_shape(t->d.i, k)->type));
    return bytes + bytes / XG_MIN(t->d.count, t->d.count * t->d.w.p[t->d.dim].stride);
}
XG_APART XG_FN bool xg_sliding_rows_make(xg_sliding_rows *t, const xg_fusion_emission *e) {
    const xg_sliding *d = &t->d;
    const xg_window_dim *w;
    int64_t each;
    uint32_t k;
    memset(t, 0, sizeof *t);
    if (!xg_sliding_make(&t->d, e) || d->n > XG_SLIDING_OUTPUTS_MAX || d->inner != 1) return false;
    for (k = 0; k < d->shape->rank; k++) {
        uint32_t which = xg_shape_minor(d->shape, k);
        if (which == d->dim) {
            if (t->order.n && t->order.stride[t->order.n - 1] * t->order.size[t->order.n - 1] != 1) return false;
        } else {
            if (d->w.p[which].stride != 1 || d->w.p[which].base_dilation != 1 || d->w.p[which].pad_low ||
                d->w.p[which].pad_high)
                return false;
            xg_index_order_push(&t->order, which, d->shape->dims[which]);
        }
    }
    w = &d->w.p[d->dim];
    if (w->size > XG_SLIDING_LONG && w->stride % 2 && d->count > 2)
        t->d.count = d->joint && w->stride == 1 ? (int64_t)XG_SLIDING_LONG_COUNT : d->count - !(d->count % 2);
    each = d->count * w->stride;
    t->extent = d->shape->dims[d->dim];
    t->groups = (t->extent + d->count - 1) / d->count;
    t->n_rows = d->shape->elements / t->extent;
    for (t->lanes = 1; t->lanes < t->groups && t->lanes < XG_LAUNCH_THREADS; t->lanes *= 2) {}
    for (;;) {
        t->rows = XG_MIN(XG_LAUNCH_THREADS / t->lanes, t->n_rows);
        t->made = t->lanes * d->count;
        t->places = (t->made - 1) * w->stride + w->size;
        t->places += (each - t->places % each) % each;
        if (xg_sliding_rows_bytes(t) <= XG_SHARED_TILE_BYTES) break;
        if (t->lanes == XG_WARP_LANES) return false;
        t->lanes /= 2;
        if (t->lanes < XG_WARP_LANES) return false;
    }
    t->pieces = (t->groups + t->lanes - 1) / t->lanes;
    return xg_mul64((t->n_rows + t->rows - 1) / t->rows, t->pieces, &t->blocks) && t->blocks <= INT32_MAX;
}

/* ---- places ---- */

XG_FN int64_t xg_sliding_padded_room(int64_t places, int64_t each) { return places + (each % 2 ? 0 : places / each); }
/* Elements of a tile of the operand, and of one of what is made of it. */
XG_FN int64_t xg_sliding_tile_room(const xg_sliding_rows *t) {
    return xg_sliding_padded_room(t->rows * t->places, t->d.count * t->d.w.p[t->d.dim].stride);
}
XG_FN int64_t xg_sliding_made_room(const xg_sliding_rows *t) {
    return xg_sliding_padded_room(t->rows * t->made, t->d.count);
}
XG_FN int64_t xg_sliding_shared_bytes(const xg_sliding_rows *t) {
    int64_t bytes = 0;
    uint32_t k;
    for (k = 0; k < t->d.n; k++)
        bytes +=
            xg_shared_whole(xg_sliding_tile_room(t) * xg_kelem_bytes(xg_kelem_of(XG_OPERAND(t->d.i, k)->shape->type))) +
            xg_shared_whole(
                xg_sliding_made_room(t) * xg_kelem_bytes(xg_kelem_of(xg_indexing_output_shape(t->d.i, k)->type)));
    return bytes;
}
XG_FN bool xg_emit_sliding_rows_plan(xg_fusion_emission *e) {
    xg_sliding_rows *t = XG_NEW(e->arena, xg_sliding_rows);
    if (!xg_sliding_rows_make(t, e)) return false;
    xg_sliding_walk(&t->d);
    e->form = t;
    e->record->launch.shared = xg_sliding_shared_bytes(t);
    return xg_emit_launch(e, t->lanes * t->rows, t->blocks, 0);
}

/* Affine expressions of thread (d0), block (d1) and a number below n (d2). */
XG_FN void xg_sliding_apply(
    xg_sliding_rows *t, const xg_aff *const *results, uint32_t n, xg_kval *number, int64_t below, xg_kval **out) {
    xg_imap *m = xg_imap_of_dims(t->d.e->m->aff, 3, n);
    xg_kval *dims[3];
    m->dims[0].range = xg_range_of(0, t->lanes * t->rows - 1);
    m->dims[1].range = xg_range_of(0, t->blocks - 1);
    m->dims[2].range = xg_range_of(0, below - 1);
    memcpy(m->results, results, n * sizeof *results);
    dims[0] = t->at[0];
    dims[1] = t->at[1];
    dims[2] = number;
    xg_elem_apply(&t->s, xg_imap_simplify(t->d.e->m->aff, m), dims, out);
}
/* Brings v into [0, end); whether it was, NULL: always. */
XG_FN xg_kval *xg_sliding_inside(xg_sliding_rows *t, xg_kval **v, int64_t end) {
    xg_kb *b = &t->s.b;
    xg_range r = xg_kval_range(*v);
    xg_kval *to = *v, *is;
    if (r.lo >= 0 && r.hi < end) return NULL;
    if (r.hi >= end) to = xg_k2_int(b, XG_K_OP_MINSI, to, end - 1);
    if (r.lo < 0) to = xg_k2_int(b, XG_K_OP_MAXSI, to, 0);
    xg_kval_set_range(to, xg_range_of(0, end - 1));
    is = xg_kcmpi_(b, XG_CI_EQ, to, *v);
    *v = to;
    return is;
}
/* Row and place in the row to indices. */
XG_FN void xg_sliding_row_indices(
    xg_sliding_rows *t, xg_kval *const *row_and_place, int64_t extent, xg_kval **indices) {
    xg_aff_ctx *x = t->d.e->m->aff;
    xg_imap *m = xg_imap_of_dims(x, 2, t->d.shape->rank);
    m->dims[0].range = xg_range_of(0, t->n_rows - 1);
    m->dims[1].range = xg_range_of(0, extent - 1);
    xg_index_delinearise(x, &t->order, xg_aff_dim_0(x), m->results);
    m->results[t->d.dim] = xg_aff_dim_1(x);
    xg_elem_apply(&t->s, xg_imap_simplify(x, m), row_and_place, indices);
}

/* ---- what all threads do by turns ---- */

typedef void (*xg_sliding_turn)(xg_sliding_rows *t, const xg_aff *number, xg_kval *turn, int64_t turns);
/* turn(number) for the numbers of `n` things for each row of the block; what it changes are `n_carried` tensors. */
XG_FN void xg_sliding_turns(
    xg_sliding_rows *t, int64_t n, xg_kval **carried, uint32_t n_carried, xg_sliding_turn turn) {
    xg_aff_ctx *x = t->d.e->m->aff;
    int64_t threads = t->lanes * t->rows, turns = (t->rows * n + threads - 1) / threads;
    xg_flow f = xg_flow_begin(&t->s);
    xg_flow_slots(&f, carried, n_carried);
    xg_flow_count(&f, turns);
    turn(t, xg_aff_add_dim(x, xg_aff_dim_0(x), 2, threads), f.var, turns);
    xg_flow_end(&f);
}
/* The same number of the next row of the block, if `number` goes through them. */
XG_FN const xg_aff *xg_sliding_row(xg_sliding_rows *t, const xg_aff *in_block) {
    xg_aff_ctx *x = t->d.e->m->aff;
    return xg_aff_add_mul(x, in_block, xg_aff_div(x, xg_aff_dim_1(x), t->pieces), t->rows);
}
XG_FN const xg_aff *xg_sliding_piece(xg_sliding_rows *t) {
    return xg_aff_mod(t->d.e->m->aff, xg_aff_dim_1(t->d.e->m->aff), t->pieces);
}

XG_FN void xg_sliding_bring(xg_sliding_rows *t, const xg_aff *number, xg_kval *turn, int64_t turns) {
    xg_sliding *d = &t->d;
    xg_aff_ctx *x = d->e->m->aff;
    xg_flow f = xg_flow_begin(&t->s);
    const xg_window_dim *w = &d->w.p[d->dim];
    const xg_shape *in = XG_OPERAND(d->i, 0)->shape;
    const xg_aff *parts[3], *row = xg_aff_div(x, number, t->places), *place = xg_aff_mod(x, number, t->places);
    xg_kval *v[3], *is, *indices[XG_RANK_MAX], *to;
    uint32_t k;
    parts[0] = xg_sliding_row(t, row);
    parts[1] = xg_aff_add_k(x, xg_aff_add_mul(x, place, xg_sliding_piece(t), t->made * w->stride), -w->pad_low);
    parts[2] = row;
    xg_sliding_apply(t, parts, 3, turn, turns, v);
    is = xg_sliding_inside(t, &v[0], t->n_rows);
    is = xg_elem_and(&t->s, is, xg_sliding_inside(t, &v[1], in->dims[d->dim]));
    is = xg_elem_and(&t->s, is, xg_sliding_inside(t, &v[2], t->rows));
    xg_sliding_row_indices(t, v, in->dims[d->dim], indices);
    xg_flow_slots(&f, t->tile, d->n);
    xg_flow_if(&f, is);
    for (k = 0; k < d->n; k++) {
        xg_elem e = xg_elem_of(&t->s, XG_OPERAND(d->i, k), indices);
        parts[0] = xg_sliding_padded(x, number, d->count * w->stride);
        xg_sliding_apply(t, parts, 1, turn, turns, &to);
        t->tile[k] = xg_kinsert_at(&t->s.b, xg_emit_join(&t->s.b, e), t->tile[k], to);
    }
    xg_flow_end(&f);
}
XG_FN void xg_sliding_give(xg_sliding_rows *t, const xg_aff *number, xg_kval *turn, int64_t turns) {
    xg_sliding *d = &t->d;
    xg_aff_ctx *x = d->e->m->aff;
    const xg_aff *parts[3], *row = xg_aff_div(x, number, t->made), *window = xg_aff_mod(x, number, t->made);
    xg_kval *v[3], *is, *indices[XG_RANK_MAX], *from;
    xg_elem *values = XG_NEW_N(d->e->arena, xg_elem, d->heroes.n + 1);
    xg_flow f = xg_flow_begin(&t->s);
    uint32_t k;
    parts[0] = xg_sliding_row(t, row);
    parts[1] = xg_aff_add_mul(x, window, xg_sliding_piece(t), t->made);
    parts[2] = row;
    xg_sliding_apply(t, parts, 3, turn, turns, v);
    is = xg_sliding_inside(t, &v[0], t->n_rows);
    is = xg_elem_and(&t->s, is, xg_sliding_inside(t, &v[1], t->extent));
    is = xg_elem_and(&t->s, is, xg_sliding_inside(t, &v[2], t->rows));
    xg_sliding_row_indices(t, v, t->extent, indices);
    xg_flow_slots(&f, t->dest, d->e->n_roots);
    xg_flow_if(&f, is); /* what was made, not what lies beside it */
    for (k = 0; k < d->heroes.n; k++) {
        uint32_t o = d->heroes.p[k]->op == XG_GET_TUPLE_ELEMENT ? (uint32_t)xg_attr_index(d->heroes.p[k]) : 0;
        parts[0] = xg_sliding_padded(x, number, d->count);
        xg_sliding_apply(t, parts, 1, turn, turns, &from);
        values[k] = xg_emit_split(&t->s.b, xg_kextract(&t->s.b, t->out[o], &from, 1));
    }
    xg_hero_write(&t->s, &d->heroes, d->shape, values, indices, NULL, t->dest);
    xg_flow_end(&f);
}

/* ---- the kernel ---- */

/* The windows of this thread. */
XG_FN void xg_sliding_fold_own(xg_sliding_rows *t) {
    xg_sliding *d = &t->d;
    xg_aff_ctx *x = d->e->m->aff;
    xg_kb *b = &t->s.b;
    xg_flow f = xg_flow_begin(&t->s);
    const xg_aff *th = xg_aff_dim_0(x), *row = xg_aff_div(x, th, t->lanes), *lane = xg_aff_mod(x, th, t->lanes),
                 *parts[3];
    xg_elem *acc = XG_NEW_N(d->e->arena, xg_elem, (size_t)d->count * d->n + 1);
    xg_kval *v[3], *is, *at[XG_RANK_MAX], *zero = xg_elem_index_0(&t->s), *to;
    int64_t u;
    uint32_t k;
    parts[0] = xg_sliding_row(t, row);
    parts[1] = xg_aff_add_mul(x, lane, xg_sliding_piece(t), t->lanes);
    parts[2] = xg_aff_add_mul(x, lane, row, t->places / (d->count * d->w.p[d->dim].stride));
    xg_sliding_apply(t, parts, 3, zero, 1, v);
    is = xg_sliding_inside(t, &v[0], t->n_rows);
    is = xg_elem_and(&t->s, is, xg_sliding_inside(t, &v[1], t->groups));
    xg_sliding_row_indices(t, v, t->groups, at);
    xg_flow_slots(&f, t->out, d->n);
    xg_flow_if(&f, is);
    d->tile = t->tile;
    d->own = v[2];
    memcpy(d->vars, at, d->w.n * sizeof *at);
    xg_sliding_fold(d, &t->s, acc, at);
    for (u = 0; u < d->count; u++)
        for (k = 0; k < d->n; k++) {
            const xg_aff *place = xg_aff_add_k(x, xg_aff_add_mul(x, xg_aff_mul(x, row, t->made), lane, d->count), u);
            place = xg_sliding_padded(x, place, d->count);
            xg_sliding_apply(t, &place, 1, zero, 1, &to);
            t->out[k] = xg_kinsert_at(b, xg_emit_join(b, acc[u * d->n + k]), t->out[k], to);
        }
    xg_flow_end(&f);
}
XG_FN void xg_emit_sliding_rows(xg_fusion_emission *e) {
    xg_sliding_rows *t = (xg_sliding_rows *)e->form;
    xg_sliding *d = &t->d;
    uint32_t k;
    t->dest = xg_emit_enter(e, &t->s);
    xg_emit_forget(&t->s);
    t->at[0] = xg_kthread_id(&t->s.b, 0, t->lanes * t->rows);
    t->at[1] = xg_kblock_id(&t->s.b, 0, t->blocks);
    for (k = 0; k < d->n; k++) {
        xlagpu_type in = XG_OPERAND(d->i, k)->shape->type, out = xg_indexing_output_shape(d->i, k)->type;
        t->tile[k] = xg_shared_array(&t->s.b, xg_kelem_of(in), xg_sliding_tile_room(t));
        t->out[k] = xg_shared_array(&t->s.b, xg_kelem_of(out), xg_sliding_made_room(t));
    }
    xg_sliding_turns(t, t->places, t->tile, d->n, xg_sliding_bring);
    xg_shared_wait(&t->s.b, t->tile, d->n);
    xg_sliding_fold_own(t);
    xg_shared_wait(&t->s.b, t->out, d->n);
    xg_sliding_turns(t, t->made, t->dest, e->n_roots, xg_sliding_give);
    xg_kreturn(&t->s.b, t->dest, e->n_roots);
}

#endif /* XG_EMIT_SLIDING_ROWS_C */
