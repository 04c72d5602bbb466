/* sched/attention_plain.c -- the two products of attention without a matrix unit.
 *
 * A thread has the same rows and columns as with one; weights go through shared memory. */
#ifndef XG_SCHED_ATTENTION_PLAIN_C
#define XG_SCHED_ATTENTION_PLAIN_C
#include "attention.h"

XG_FN xg_kval *xg_attention_read(xg_attention_kernel *w, xg_kval *from, xg_kval *spot, int64_t lanes) {
    xg_kval *o[2];
    o[0] = from;
    o[1] = spot;
    return xg_kir_value(
        xg_attention_b(w), XG_K_OP_READ, o, 2, xg_kir_vector(w->t->s.b.m, xg_kelem_of(w->f->held), lanes));
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
XG_FN void xg_attention_plain_product(xg_attention_kernel *w, const xg_attention_product *o) {
    int64_t lanes = xg_attention_vector(w), rounds = o->width / lanes, pitch = o->pitch, half, c;
    int64_t columns = w->p->own / XG_ATTENTION_BESIDE, size;
    xg_kval *fixed, *key, *along, *x[XG_ATTENTION_HALVES], *y;
    xg_flow f = xg_flow_begin(&w->t->s);
    for (half = 0; half < XG_ATTENTION_HALVES; half++)
        for (c = 0; c < columns; c++) {
            o->to[half][c] = xg_attention_number(w, 0);
            xg_flow_slot(&f, &o->to[half][c]);
        }
    f.rolled = true;
    along = xg_attention_loop(w, &f, rounds);
    along = xg_tile_join(w->t, along, lanes, xg_elem_index_0(&w->t->s));
    fixed = xg_tile_join(w->t, w->across, XG_ATTENTION_ROWS, w->group);
    fixed = xg_tile_join(w->t, fixed, pitch, along);
    key = xg_tile_join(w->t, w->buffer, pitch, xg_tile_join(w->t, w->beside, XG_ATTENTION_PAIR * pitch, along));
    size = w->p->tile * pitch;
    for (half = 0; half < XG_ATTENTION_HALVES; half++)
        x[half] =
            xg_attention_read(w, o->fixed, xg_attention_at(w, fixed, size, half * XG_ATTENTION_EIGHT * pitch), lanes);
    size = w->p->stages * w->p->shape.step * pitch;
    for (c = 0; c < columns; c++) {
        int64_t column = c / XG_ATTENTION_PAIR * XG_ATTENTION_EIGHT + c % XG_ATTENTION_PAIR;
        y = xg_attention_read(w, o->step, xg_attention_at(w, key, size, column * pitch), lanes);
        for (half = 0; half < XG_ATTENTION_HALVES; half++) xg_attention_dot(w, x[half], y, lanes, &o->to[half][c]);
    }
    xg_flow_end(&f);
}
XG_FN void xg_attention_plain_scores(xg_attention_kernel *w) {
    xg_attention_product o = xg_attention_scores_product(w);
    xg_attention_plain_product(w, &o);
}
XG_FN int64_t xg_attention_weights_size(const xg_attention_plan *p) {
    return (int64_t)p->shape.warps * p->shape.parts * XG_ATTENTION_ROWS * p->weight_pitch;
}
/* The weights into shared memory, two neighbours at a time; a warp reads its own alone. */
XG_FN void xg_attention_show_weights(xg_attention_kernel *w, const xg_attention_summed *o) {
    int64_t columns = w->p->own / XG_ATTENTION_BESIDE, pitch = w->p->weight_pitch, half, c, place;
    const xg_ktype *type = xg_kir_vector(w->t->s.b.m, xg_kelem_of(w->f->held), XG_ATTENTION_PAIR);
    xg_kval *row = xg_tile_join(w->t, w->warp, XG_ATTENTION_ROWS, w->group), *first, *v[3];
    first = xg_tile_join(w->t, w->beside, XG_ATTENTION_PAIR, xg_elem_index_0(&w->t->s));
    first = xg_tile_join(w->t, row, pitch, first);
    for (half = 0; half < XG_ATTENTION_HALVES; half++)
        for (c = 0; c < columns; c += XG_ATTENTION_PAIR) {
            place = half * XG_ATTENTION_EIGHT * pitch + c / XG_ATTENTION_PAIR * XG_ATTENTION_EIGHT;
            v[0] = xg_kconst_bits(xg_attention_b(w), type, 0);
            v[0] = xg_attention_insert(w, o->weights[half][c], v[0], 0);
            v[0] = xg_attention_insert(w, o->weights[half][c + 1], v[0], 1);
            v[1] = w->weights;
            v[2] = xg_attention_at(w, first, xg_attention_weights_size(w->p), place);
            w->weights = xg_kir_value(xg_attention_b(w), XG_K_OP_WRITE, v, 3, w->weights->type);
        }
    xg_attention_await(w, 1);
    xg_attention_wait(w);
}
XG_FN void xg_attention_plain_sum(xg_attention_kernel *w, const xg_attention_summed *o) {
    int64_t lanes = xg_attention_vector(w), rounds = w->p->own / lanes, half, c, k, size;
    int64_t columns = o->width / XG_ATTENTION_BESIDE, pitch = o->pitch;
    xg_kval *along, *weight, *value, *x[XG_ATTENTION_HALVES], *y = NULL;
    xg_flow f = xg_flow_begin(&w->t->s);
    xg_attention_show_weights(w, o);
    for (half = 0; half < XG_ATTENTION_HALVES; half++)
        for (c = 0; c < columns; c++) xg_flow_slot(&f, &o->to[half][c]);
    f.rolled = true;
    along = xg_attention_loop(w, &f, rounds);
    along = xg_tile_join(w->t, along, lanes, xg_elem_index_0(&w->t->s));
    weight = xg_tile_join(w->t, w->warp, XG_ATTENTION_ROWS, w->group);
    weight = xg_tile_join(w->t, weight, w->p->weight_pitch, along);
    value = xg_tile_join(w->t, w->beside, XG_ATTENTION_PAIR, xg_elem_index_0(&w->t->s));
    value = xg_tile_join(w->t, along, pitch, value);
    value = xg_tile_join(w->t, w->buffer, pitch, value);
    size = xg_attention_weights_size(w->p);
    for (half = 0; half < XG_ATTENTION_HALVES; half++)
        x[half] = xg_attention_read(
            w, w->weights, xg_attention_at(w, weight, size, half * XG_ATTENTION_EIGHT * w->p->weight_pitch), lanes);
    size = w->p->stages * w->p->shape.step * pitch;
    for (k = 0; k < lanes; k++)
        for (c = 0; c < columns; c++) {
            if (c % XG_ATTENTION_PAIR == 0) {
                int64_t place = k * pitch + c / XG_ATTENTION_PAIR * XG_ATTENTION_EIGHT;
                y = xg_attention_read(w, o->step, xg_attention_at(w, value, size, place), XG_ATTENTION_PAIR);
            }
            for (half = 0; half < XG_ATTENTION_HALVES; half++) {
                xg_kval *a = xg_attention_lane(w, x[half], k), *b = xg_attention_lane(w, y, c % XG_ATTENTION_PAIR);
                o->to[half][c] = xg_k3(xg_attention_b(w), XG_K_OP_FMA, a, b, o->to[half][c]);
            }
        }
    xg_flow_end(&f);
}

XG_FN void xg_attention_plain_out(xg_attention_kernel *w) {
    xg_attention_summed o = xg_attention_out_summed(w);
    xg_attention_plain_sum(w, &o);
}

#endif /* XG_SCHED_ATTENTION_PLAIN_C */
