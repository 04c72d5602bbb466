/* sched/attention_back_show.c -- dS of attention's gradients as a result of the kernel whose rows are keys: a
 * product of it makes dQ. Queries lie side by side in memory. A lane has two columns of each eight, as units give
 * them; with its neighbour's it writes four at once, and eight rows' lanes write whole sectors. */
#ifndef XG_SCHED_ATTENTION_BACK_SHOW_C
#define XG_SCHED_ATTENTION_BACK_SHOW_C
#include "attention.h"

/* A thread's first row of a half, though it be beyond the last one. */
XG_FN xg_kval *xg_attention_back_row(xg_attention_kernel *w, int64_t half) {
    xg_kval *row = xg_tile_join(w->t, w->across, w->p->warp_rows, w->group);
    row = xg_tile_join(w->t, w->tile, w->p->tile, row);
    return xg_attention_at(
        w, row, w->p->tiles * w->p->tile - (w->p->halves - 1) * XG_ATTENTION_EIGHT, half * XG_ATTENTION_EIGHT);
}
/* A lane's columns of sixteen of dS, of which eight rows have whole sectors. By one expression, so that the passes see
 * how they lie. */
XG_FN xg_kval *xg_attention_back_shown_key(xg_attention_kernel *w, int64_t c, xg_kval *more) {
    xg_aff_ctx *x = w->t->s.b.m->aff;
    const xg_aff *beside = xg_aff_dim_1(x), *key = xg_aff_dim_0(x);
    xg_kval *v[4];
    int64_t counts[4];
    v[0] = more;
    v[1] = w->beside;
    v[2] = w->part;
    v[3] = w->place;
    counts[0] = XG_ATTENTION_SHOWN;
    counts[1] = XG_ATTENTION_BESIDE;
    counts[2] = w->p->shape.parts;
    counts[3] = w->p->steps;
    key = xg_aff_add_k(x, key, c / XG_ATTENTION_PAIR * XG_ATTENTION_EIGHT);
    key = xg_aff_add_mul(x, key, xg_aff_mod(x, beside, XG_ATTENTION_PAIR), XG_ATTENTION_EIGHT);
    key = xg_aff_add_mul(x, key, xg_aff_div(x, beside, XG_ATTENTION_PAIR), XG_ATTENTION_SHOWN);
    key = xg_aff_add_dim(x, key, 2, w->p->own);
    key = xg_aff_add_dim(x, key, 3, w->p->shape.step);
    return xg_tile_apply(w->t, counts, 4, key, v);
}
/* A lane has two columns of each of two eights: with its neighbour's it gets four of one. */
XG_FN xg_kval *xg_attention_back_shown_four(xg_attention_kernel *w, int64_t half, int64_t c) {
    xg_kb *b = xg_attention_b(w);
    xg_kval **v = &w->grads[half][c], *word[2], *odd, *sent;
    word[0] = xg_attention_word(w, v);
    word[1] = xg_attention_word(w, v + XG_ATTENTION_PAIR);
    odd = xg_kcmpi_int(b, XG_CI_EQ, xg_tile_rest(w->t, w->beside, XG_ATTENTION_PAIR), 1);
    sent = xg_kselect(b, odd, word[0], word[1]);
    sent = xg_kshuffle(b, XG_K_OP_SHFLBFLY, sent, xg_kconst_i32(b, 1));
    word[0] = xg_kselect(b, odd, sent, word[0]);
    word[1] = xg_kselect(b, odd, word[1], sent);
    sent = xg_attention_paired(w, word);
    return xg_kir_value(
        b, XG_K_OP_BITCAST, &sent, 1, xg_kir_vector(w->t->s.b.m, xg_kelem_of(w->f->held), XG_ATTENTION_SHOWN));
}
/* A step's dS to memory, as far as there are rows and columns. */
XG_FN void xg_attention_back_show(xg_attention_kernel *w) {
    const xg_shape *shape = w->f->back.shows ? xg_attention_back_root(w->f->comp, 2)->shape : NULL;
    xg_kval *at[XG_ATTENTION_DIMS], *index[XG_RANK_MAX], *o[2], *row, *key;
    int64_t half, c;
    for (half = 0; half < w->p->halves && shape; half++)
        for (c = 0; c < w->p->own / XG_ATTENTION_BESIDE; c += XG_ATTENTION_SHOWN) {
            xg_flow f = xg_flow_of(&w->t->s, &w->dest[2]), loop = f;
            o[0] = xg_attention_back_shown_four(w, half, c);
            row = xg_attention_below(w, xg_attention_back_row(w, half), w->f->rows);
            key = xg_attention_below(w, xg_attention_back_shown_key(w, c, w->digits[0]), w->f->keys);
            xg_flow_if(&f, xg_elem_and(&w->t->s, row, key));
            o[1] = xg_attention_loop(w, &loop, XG_ATTENTION_SHOWN);
            o[0] = xg_kir_value(
                xg_attention_b(w), XG_K_OP_VEXTRACT, o, 2, xg_kir_scalar(w->t->s.b.m, xg_kelem_of(w->f->held)));
            xg_attention_numbers(w, at);
            at[XG_ATTENTION_ROW] = w->row[half];
            at[XG_ATTENTION_KEY] = xg_attention_clamp(w, xg_attention_back_shown_key(w, c, o[1]), w->f->keys);
            xg_elem_apply(&w->t->s, w->f->back.shown_map, at, index);
            w->dest[2] = xg_emit_insert(xg_attention_b(w), xg_elem_real(o[0]), w->dest[2], shape, index);
            xg_flow_end(&loop);
            xg_flow_end(&f);
        }
}

#endif /* XG_SCHED_ATTENTION_BACK_SHOW_C */
