/* opt/scatter_winners.c -- a scatter that overwrites, as one whose windows do not meet: of the updates that go to one
 * place the last one wins, and the others are left out.
 *
 *     winner[p] = the number of the last update whose window begins at p: a scatter of numbers by maximum, whose result
 *                 does not depend on any order
 *     scatter(x, i, u)  ==>  scatter(x, winner[i[n]] = n ? i : nowhere, u), unique_indices=true
 *
 * Windows have to be the same or apart; those of different batches are apart. It runs behind the simplifications, which
 * leave fewer such scatters (scatter_simplifier.c knows windows that do not meet, algsimp/index.c scatters that are
 * none). The table of winners has an element for each place where a window may begin; where it would be large beside
 * the updates, or these are few, the scatter stays, and the first update of a place looks for the others
 * (emit/scatter.c). */
#ifndef XG_OPT_SCATTER_WINNERS_C
#define XG_OPT_SCATTER_WINNERS_C
#include "opt.h"

enum {
    XG_WINNERS_UPDATES = 32 /* of a batch */,
    XG_WINNERS_TABLE = 4096 /* places for each update: memory writes so many of them before a load of a rival returns */
};

/* table: its dims, one for each batching dim, with the dim of the indices that it runs with, then one for each
 * component of an index vector */
typedef struct xg_winners {
    uint32_t n /* arrays */, n_batch, n_table;
    int64_t table[XG_RANK_MAX], with[XG_RANK_MAX];
    xg_windows windows;
} xg_winners;

XG_FN bool xg_winners_overwrites(const xg_inst *i, uint32_t n) {
    const xg_comp *c = xg_attr_to_apply(i);
    const xg_inst *r = c->root;
    uint32_t k;
    if (n == 1) return r == c->params[1];
    if (r->op != XG_TUPLE || r->n_operands != n) return false;
    for (k = 0; k < n; k++)
        if (XG_OPERAND(r, k) != c->params[n + k]) return false;
    return true;
}
XG_FN bool xg_winners_make(xg_winners *w, const xg_inst *i) {
    xg_windows v;
    int64_t places = 1, rivals;
    uint32_t k;
    if (i->op != XG_SCATTER) return false; /* before the record of some KB is cleared: this is asked of everything */
    memset(w, 0, sizeof *w);
    if (xg_attr_or_0(i, XG_A_unique_indices) || !xg_winners_overwrites(i, w->n = i->n_operands / 2)) return false;
    v = xg_windows_of(i);
    if (v.whole->dynamic || v.indices->shape->dynamic || v.part->dynamic) return false;
    for (k = 0; k < v.whole->rank; k++)
        if (v.batch[k] >= 0) {
            w->table[w->n_batch] = v.whole->dims[k];
            w->with[w->n_batch++] = v.place[v.batch[k]];
        }
    for (k = 0; k < v.whole->rank; k++) {
        int64_t d = v.whole->dims[k];
        if (v.start[k] < 0) continue;
        if ((v.size[k] != 1 && v.size[k] != d) || d == 0) return false;
        w->table[w->n_batch + (uint32_t)v.start[k]] = v.size[k] == 1 ? d : 1;
    }
    w->windows = v;
    for (rivals = v.positions, k = 0; k < w->n_batch; k++) rivals /= XG_MAX(w->table[k], (int64_t)1);
    w->n_table = w->n_batch + v.n_starts;
    for (k = 0; k < w->n_table; k++)
        if (!xg_mul64(places, w->table[k], &places)) return false;
    return v.n_starts && rivals >= XG_WINNERS_UPDATES && v.positions <= INT32_MAX && v.part->elements > 0 &&
           places / XG_WINNERS_TABLE <= v.positions;
}
XG_FN bool xg_winners_matches(const xg_inst *i) {
    xg_winners w;
    return xg_winners_make(&w, i);
}

/* key={from,from+1,..,to-1} */
XG_FN void xg_winners_count(xg_inst *i, xg_attr_key key, uint32_t from, uint32_t to) {
    int64_t v[XG_RANK_MAX];
    uint32_t k;
    for (k = from; k < to; k++) v[k - from] = k;
    xg_inst_set_ints(i, key, v, to - from);
}
/* slice_sizes={1,1,..} */
XG_FN void xg_winners_slices(xg_inst *i, uint32_t n) {
    int64_t ones[XG_RANK_MAX];
    uint32_t k;
    for (k = 0; k < n; k++) ones[k] = 1;
    xg_inst_set_ints(i, XG_A_slice_sizes, ones, n);
}
/* What the dims of the table are for: no windows, first the batches, then what components of an index vector say; by
 * the names that a gather or a scatter has for them. */
XG_FN void xg_winners_roles(const xg_winners *w, xg_inst *i, xg_attr_key windows, xg_attr_key gone, xg_attr_key map,
    xg_attr_key batch, xg_attr_key index_batch) {
    xg_winners_count(i, windows, 0, 0);
    xg_winners_count(i, gone, w->n_batch, w->n_table);
    xg_winners_count(i, map, w->n_batch, w->n_table);
    if (w->n_batch) {
        xg_winners_count(i, batch, 0, w->n_batch);
        xg_inst_set_ints(i, index_batch, w->with, w->n_batch);
    }
    xg_inst_set_int(i, XG_A_index_vector_dim, w->windows.vector_dim);
}
/* By place, the number of the last update that goes there, -1 for none. */
XG_FN xg_inst *xg_winners_table(const xg_hb *b, const xg_winners *w, xg_inst *at, xg_inst *numbers) {
    xg_inst *in[3], *i;
    in[0] = xg_hb_splat(b, xg_hb_int(b, XLAGPU_S32, -1), w->table, w->n_table);
    in[1] = at;
    in[2] = numbers;
    i = xg_hb_op(b, XG_SCATTER, in[0]->shape, in, 3);
    xg_winners_roles(w, i, XG_A_update_window_dims, XG_A_inserted_window_dims, XG_A_scatter_dims_to_operand_dims,
        XG_A_input_batching_dims, XG_A_scatter_indices_batching_dims);
    xg_inst_set_comp(i, XG_A_to_apply, xg_hb_reducer(b, XG_MAXIMUM, XLAGPU_S32));
    return xg_hb_done(i);
}
XG_APART XG_FN xg_inst *xg_winners_lookup(const xg_hb *b, const xg_winners *w, xg_inst *table, xg_inst *at) {
    xg_inst *in[2], *i;
    in[0] = table;
    in[1] = at;
    i = xg_hb_op(b, XG_GATHER, table->shape, in, 2);
    xg_winners_roles(w, i, XG_A_offset_dims, XG_A_collapsed_slice_dims, XG_A_start_index_map,
        XG_A_operand_batching_dims, XG_A_start_indices_batching_dims);
    xg_winners_slices(i, w->n_table);
    return xg_hb_done(i);
}
XG_FN xg_inst *xg_winners_expand(const xg_hb *b, xg_inst *i) {
    xg_winners w;
    xg_inst *at, *numbers, *wins, **in = XG_NEW_N(b->comp->module->arena, xg_inst *, i->n_operands + 1), *made;
    int64_t places[XG_RANK_MAX];
    xlagpu_type t;
    uint32_t k;
    if (!xg_winners_make(&w, i)) return NULL;
    at = XG_OPERAND(i, w.n);
    t = at->shape->type;
    /* so that -1 is nowhere, and what is beyond stays there */
    if (!xg_type_signed(t) || xg_type_bits(t) < 32)
        at = xg_hb_convert(b, at, xg_type_bits(t) < 32 ? XLAGPU_S32 : XLAGPU_S64);
    numbers = xg_hb_reshape(
        b, xg_hb_iota(b, XLAGPU_S32, &w.windows.positions, 1, 0), w.windows.counts, w.windows.n_positions);
    wins = xg_hb_compare(b, "EQ", xg_winners_lookup(b, &w, xg_winners_table(b, &w, at, numbers), at), numbers);
    for (k = 0; k < w.windows.n_positions; k++) places[k] = w.windows.place[k];
    wins = xg_hb_broadcast(b, wins, at->shape->dims, at->shape->rank, places, w.windows.n_positions);
    for (k = 0; k < i->n_operands; k++) in[k] = XG_OPERAND(i, k);
    in[w.n] = xg_hb_select(b, wins, at, xg_hb_int_like(b, at, -1));
    made = xg_inst_clone(i, b->comp, in, b->before);
    xg_inst_set_int(made, XG_A_unique_indices, 1);
    if (made->shape->type != XLAGPU_TUPLE) return made;
    for (k = 0; k < w.n; k++) in[k] = xg_hb_element(b, made, k);
    return xg_hb_tuple(b, in, w.n);
}
XG_FN bool xg_opt_scatter_winners(xg_module *m) {
    return xg_opt_expand_made(m, xg_winners_matches, xg_winners_expand, XG_SCATTER);
}

#endif /* XG_OPT_SCATTER_WINNERS_C */
