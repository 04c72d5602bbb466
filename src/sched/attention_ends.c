/* sched/attention_ends.c -- behind all steps: warps that had different keys of the same rows join what they have, and
 * the result is made of it. Where the blocks of a cluster share the keys, each then shows the others what its warps
 * have together, and makes its own share of the columns of what all of them show. */
#ifndef XG_SCHED_ATTENTION_ENDS_C
#define XG_SCHED_ATTENTION_ENDS_C
#include "attention.h"

/* ---- keys in parts ---- */

/* Of so many warps: where a warp's maximum of a thread's row lies, its sum behind it; the sums of columns behind those
 * of all warps. */
XG_FN xg_kval *xg_attention_end_at(xg_attention_kernel *w, xg_kval *warp, int64_t warps, int64_t half, bool sum) {
    int64_t lanes = XG_WARP_LANES, place = (2 * half + sum) * lanes;
    xg_kval *at = xg_tile_join(w->t, warp, 2 * XG_ATTENTION_HALVES * lanes, w->lane);
    return xg_attention_at(w, at, warps * xg_attention_end_size(w->p), place);
}
XG_FN xg_kval *xg_attention_column_at(
    xg_attention_kernel *w, xg_kval *warp, int64_t warps, int64_t half, xg_kval *column) {
    int64_t pitch = w->p->sum_pitch, before = warps * 2 * XG_ATTENTION_HALVES * XG_WARP_LANES;
    xg_kval *row = xg_tile_join(w->t, warp, XG_ATTENTION_ROWS, w->group);
    row = xg_tile_join(w->t, row, pitch, column);
    return xg_attention_at(w, row, warps * xg_attention_end_size(w->p), before + half * XG_ATTENTION_EIGHT * pitch);
}
/* The warp that has part k of the keys for the same rows. */
XG_FN xg_kval *xg_attention_peer(xg_attention_kernel *w, int64_t k) {
    return xg_attention_at(w, w->across, xg_attention_warps(w->p), k * w->p->shape.warps);
}
XG_FN xg_kval *xg_attention_end_of(xg_attention_kernel *w, int64_t k, int64_t half, bool sum) {
    xg_kval *at = xg_attention_end_at(w, xg_attention_peer(w, k), xg_attention_warps(w->p), half, sum);
    return xg_kextract(xg_attention_b(w), w->ends, &at, 1);
}
/* Two neighbouring elements of an array, in one load. */
XG_FN void xg_attention_get_pair(xg_attention_kernel *w, xg_kval *array, xg_kval *at, xg_kval **out) {
    xg_kb *b = xg_attention_b(w);
    xg_kval *o[2], *pair;
    int64_t k;
    o[0] = array;
    o[1] = at;
    pair = xg_kir_value(b, XG_K_OP_READ, o, 2, xg_kir_vector(w->t->s.b.m, xg_attention_sum_type(w), XG_ATTENTION_PAIR));
    for (k = 0; k < XG_ATTENTION_PAIR; k++) out[k] = xg_attention_lane(w, pair, k);
}
/* All parts' sums of two columns of a thread's row, in their order. */
XG_FN void xg_attention_total(xg_attention_kernel *w, int64_t half, xg_kval *column, xg_kval **out) {
    xg_kval *v[XG_ATTENTION_PAIR], *at;
    int64_t k, c;
    for (k = 0; k < w->p->shape.parts; k++) {
        at = xg_attention_column_at(w, xg_attention_peer(w, k), xg_attention_warps(w->p), half, column);
        xg_attention_get_pair(w, w->ends, at, v);
        for (c = 0; c < XG_ATTENTION_PAIR; c++)
            out[c] = k ? xg_k2(xg_attention_b(w), XG_K_OP_ADDF, out[c], v[c]) : v[c];
    }
}
/* Two neighbouring columns' sums as one vector. */
XG_FN xg_kval *xg_attention_paired(xg_attention_kernel *w, xg_kval *const *sums) {
    xg_kb *b = xg_attention_b(w);
    xg_kval *pair = xg_kconst_bits(b, xg_kir_vector(w->t->s.b.m, sums[0]->type->elem, XG_ATTENTION_PAIR), 0);
    int64_t k;
    for (k = 0; k < XG_ATTENTION_PAIR; k++) pair = xg_attention_insert(w, sums[k], pair, k);
    return pair;
}
/* The same in one store to an array: the eight bytes of half a warp lie in different banks. */
XG_FN xg_kval *xg_attention_put_pair(xg_attention_kernel *w, xg_kval *const *sums, xg_kval *array, xg_kval *at) {
    xg_kval *o[3];
    o[0] = xg_attention_paired(w, sums);
    o[1] = array;
    o[2] = at;
    return xg_kir_value(xg_attention_b(w), XG_K_OP_WRITE, o, 3, array->type);
}
/* The maximum of n parts, which becomes the row's, and their sums relative to it; by what these are scaled is in the
 * place of the maxima. */
XG_FN void xg_attention_joined(xg_attention_kernel *w, int64_t half, xg_kval **of, xg_kval *const *sums, int64_t n) {
    xg_kb *b = xg_attention_b(w);
    xg_kval *most = of[0], *sum = NULL, *shift, *v;
    int64_t k;
    for (k = 1; k < n; k++) most = xg_k2(b, XG_K_OP_MAXF, most, of[k]);
    shift = xg_attention_shift(w, most);
    for (k = 0; k < n; k++) {
        of[k] = xg_attention_exp(w, of[k], shift);
        v = xg_k2(b, XG_K_OP_MULF, sums[k], of[k]);
        sum = sum ? xg_k2(b, XG_K_OP_ADDF, sum, v) : v;
    }
    w->most[half] = most;
    w->sum[half] = sum;
}
XG_APART XG_FN void xg_attention_join_row(xg_attention_kernel *w, int64_t half) {
    xg_kb *b = xg_attention_b(w);
    xg_kval *scale, *own = w->most[half], *first, *column, *sums[XG_ATTENTION_PAIR];
    int64_t parts = w->p->shape.parts, k, c;
    xg_kval **of = XG_NEW_N(w->t->e->arena, xg_kval *, 2 * (size_t)parts);
    for (k = 0; k < 2 * parts; k++) of[k] = xg_attention_end_of(w, k % parts, half, k >= parts);
    xg_attention_joined(w, half, of, &of[parts], parts);
    scale = xg_attention_exp(w, own, xg_attention_shift(w, w->most[half]));
    first = xg_tile_join(w->t, w->beside, XG_ATTENTION_PAIR, xg_elem_index_0(&w->t->s));
    for (c = 0; c < w->p->columns / XG_ATTENTION_BESIDE; c += XG_ATTENTION_PAIR) {
        int64_t place = c / XG_ATTENTION_PAIR * XG_ATTENTION_EIGHT;
        column = xg_attention_at(w, first, w->p->columns - place, place);
        for (k = 0; k < XG_ATTENTION_PAIR; k++) sums[k] = xg_k2(b, XG_K_OP_MULF, w->out[half][c + k], scale);
        w->ends = xg_attention_put_pair(
            w, sums, w->ends, xg_attention_column_at(w, w->warp, xg_attention_warps(w->p), half, column));
    }
}
XG_FN void xg_attention_join_parts(xg_attention_kernel *w) {
    int64_t half;
    xg_kval *at;
    for (half = 0; half < w->p->halves; half++) {
        at = xg_attention_end_at(w, w->warp, xg_attention_warps(w->p), half, false);
        w->ends = xg_kinsert_at(xg_attention_b(w), w->most[half], w->ends, at);
        at = xg_attention_end_at(w, w->warp, xg_attention_warps(w->p), half, true);
        w->ends = xg_kinsert_at(xg_attention_b(w), w->sum[half], w->ends, at);
    }
    xg_attention_wait(w);
    for (half = 0; half < w->p->halves; half++) xg_attention_join_row(w, half);
    xg_attention_wait(w);
}

/* ---- keys of a cluster's blocks ---- */

/* What a block shows to the others: of its rows the maximum and sum, by lane, then the sums of columns. */
XG_FN xg_kval *xg_attention_row_at(xg_attention_kernel *w, int64_t half, bool sum) {
    return xg_attention_end_at(w, w->across, w->p->shape.warps, half, sum);
}
XG_FN xg_kval *xg_attention_shown_at(xg_attention_kernel *w, int64_t half, xg_kval *column) {
    return xg_attention_column_at(w, w->across, w->p->shape.warps, half, column);
}
XG_FN void xg_attention_show(xg_attention_kernel *w, xg_kval *v, xg_kval *at) {
    w->shown = xg_kinsert_at(xg_attention_b(w), v, w->shown, at);
}
/* All blocks of the cluster show what they have, or have read it. */
XG_FN void xg_attention_meet(xg_attention_kernel *w) {
    int64_t k;
    xg_cluster_wait(xg_attention_b(w), &w->shown, 1);
    for (k = 0; k < w->p->cluster; k++)
        w->peers[k] = xg_cluster_peer(xg_attention_b(w), w->shown, xg_kconst_i32(xg_attention_b(w), k));
}
/* The maximum of all blocks, what each had relative to its own, and by what its sums are scaled. */
XG_FN void xg_attention_join_peers(xg_attention_kernel *w, int64_t half) {
    int64_t n = w->p->cluster, k;
    xg_kval *at;
    for (k = 0; k < 2 * n; k++) {
        at = xg_attention_row_at(w, half, k >= n);
        w->scales[half][k] = xg_kextract(xg_attention_b(w), w->peers[k % n], &at, 1);
    }
    xg_attention_joined(w, half, w->scales[half], &w->scales[half][n], n);
}
/* Two columns of a thread's row, of all blocks in their order. */
XG_FN void xg_attention_of_peers(xg_attention_kernel *w, int64_t half, xg_kval *column, xg_kval **out) {
    xg_kb *b = xg_attention_b(w);
    xg_kval *at = xg_attention_shown_at(w, half, column), *v[XG_ATTENTION_PAIR];
    int64_t k, c;
    for (k = 0; k < w->p->cluster; k++) {
        xg_attention_get_pair(w, w->peers[k], at, v);
        for (c = 0; c < XG_ATTENTION_PAIR; c++) {
            v[c] = xg_k2(b, XG_K_OP_MULF, v[c], w->scales[half][k]);
            out[c] = k ? xg_k2(b, XG_K_OP_ADDF, out[c], v[c]) : v[c];
        }
    }
}
XG_FN xg_attention_turns xg_attention_turns_of(xg_attention_kernel *w, int64_t shares, xg_kval *own) {
    int64_t eights = w->p->columns / XG_ATTENTION_EIGHT;
    xg_attention_turns s;
    s.apart = shares * XG_ATTENTION_EIGHT;
    s.eights = xg_tile_over(eights, shares);
    s.all = s.eights * s.apart;
    s.first = xg_tile_join(w->t, w->beside, XG_ATTENTION_PAIR, xg_elem_index_0(&w->t->s));
    s.has = s.place = NULL;
    if (shares > eights) { /* the others go along with the last one, so that addresses stay those of pairs */
        s.has = xg_attention_below(w, own, eights);
        own = xg_attention_clamp(w, own, eights);
        s.all = w->p->columns;
    }
    s.own = shares > 1 ? own : xg_elem_index_0(&w->t->s);
    if (shares > 1) s.first = xg_tile_join(w->t, own, XG_ATTENTION_EIGHT, s.first);
    return s;
}
/* The first of the pair of turn k; beyond the last column it is the last pair. */
XG_FN xg_kval *xg_attention_pair_of(xg_attention_kernel *w, const xg_attention_turns *s, int64_t k) {
    xg_kval *v = xg_attention_at(w, s->first, s->all - k * s->apart, k * s->apart);
    return s->all > w->p->columns ? xg_attention_clamp(w, v, w->p->columns - 1) : v;
}
/* The block's sums of a pair of a thread's turns. */
XG_FN void xg_attention_own_sums(xg_attention_kernel *w, int64_t half, xg_kval *column, int64_t k, xg_kval **out) {
    if (w->p->shape.parts > 1)
        xg_attention_total(w, half, column, out);
    else
        memcpy(out, &w->out[half][XG_ATTENTION_PAIR * k], XG_ATTENTION_PAIR * sizeof *out);
}
XG_APART XG_FN void xg_attention_show_row(xg_attention_kernel *w, int64_t half) {
    xg_attention_turns s = xg_attention_turns_of(w, w->p->shape.parts, w->part);
    xg_kval *column, *sums[XG_ATTENTION_PAIR];
    xg_flow f = xg_flow_of(&w->t->s, &w->shown);
    int64_t k;
    xg_attention_show(w, w->most[half], xg_attention_row_at(w, half, false));
    xg_attention_show(w, w->sum[half], xg_attention_row_at(w, half, true));
    xg_flow_if(&f, s.has);
    for (k = 0; k < s.eights; k++) {
        xg_flow inside = xg_flow_of(&w->t->s, &w->shown);
        column = xg_attention_at(w, s.first, s.all - k * s.apart, k * s.apart);
        xg_flow_if(&inside, xg_attention_below(w, column, w->p->columns));
        column = xg_attention_pair_of(w, &s, k);
        xg_attention_own_sums(w, half, column, k, sums);
        w->shown = xg_attention_put_pair(w, sums, w->shown, xg_attention_shown_at(w, half, column));
        xg_flow_end(&inside);
    }
    xg_flow_end(&f);
}
XG_FN void xg_attention_join_blocks(xg_attention_kernel *w) {
    int64_t half;
    w->peers = XG_NEW_N(w->t->e->arena, xg_kval *, w->p->cluster);
    for (half = 0; half < w->p->halves; half++) {
        w->scales[half] = XG_NEW_N(w->t->e->arena, xg_kval *, 2 * w->p->cluster); /* behind them the blocks' sums */
        xg_attention_show_row(w, half);
    }
    xg_attention_meet(w);
    for (half = 0; half < w->p->halves; half++) xg_attention_join_peers(w, half);
}
/* ---- the result ---- */

XG_FN xg_kval *xg_attention_row_value(
    xg_attention_kernel *w, xg_attention_part part, xg_kval **at, const xg_attention_ends *ends) {
    xg_kval *index[XG_RANK_MAX];
    xg_elem v = xg_attention_element(w, part, at, ends->given, ends->n, index);
    return xg_attention_converted_to(w, v, w->f->stages[part].root->shape->type, w->f->sum);
}
XG_APART XG_FN void xg_attention_end_row(xg_attention_kernel *w, int64_t half, xg_attention_ends *ends) {
    const xg_attention *a = &w->f->match;
    xg_kb *b = xg_attention_b(w);
    xg_kval *at[XG_ATTENTION_DIMS], *shift, *v;
    uint32_t k;
    memset(ends, 0, sizeof *ends);
    xg_attention_numbers(w, at);
    at[XG_ATTENTION_ROW] = w->row[half];
    ends->given[0].of = a->max;
    ends->given[0].v = xg_elem_convert_to(&w->t->s, xg_elem_real(w->most[half]), w->f->sum, a->max->shape->type);
    ends->n = 1;
    shift = xg_attention_row_value(w, XG_ATTENTION_SHIFT, at, ends);
    v = w->p->shape.grouped ? w->stat[half][XG_ATTENTION_REFERENCE] : w->most[half];
    ends->factor = xg_attention_exp(w, xg_attention_shift(w, v), shift);
    if (a->sum) {
        v = xg_k2(b, XG_K_OP_MULF, w->sum[half], ends->factor);
        ends->given[1].of = a->sum;
        ends->given[1].v = xg_elem_convert_to(&w->t->s, xg_elem_real(v), w->f->sum, a->sum->shape->type);
        ends->n = 2;
    }
    for (k = 0; k < a->n_factors; k++) {
        v = xg_attention_row_value(w, (xg_attention_part)(XG_ATTENTION_FACTOR0 + k), at, ends);
        ends->factor = xg_k2(b, a->factors[k].divides ? XG_K_OP_DIVF : XG_K_OP_MULF, ends->factor, v);
    }
}
/* An element of a result, made of its sum; at: the five numbers, for its own indices; NULL: it is the same anywhere. */
XG_FN xg_elem xg_attention_result_of(xg_attention_kernel *w, bool second, xg_kval *sum, const xg_attention_ends *row,
    xg_kval *const *at, xg_kval **index) {
    const xg_inst *dot = second ? w->f->back.second : w->f->match.out_dot;
    xg_attention_ends ends;
    ends.n = 0;
    if (row) ends = *row;
    if (row) sum = xg_k2(xg_attention_b(w), XG_K_OP_MULF, sum, ends.factor);
    ends.given[ends.n].of = dot;
    ends.given[ends.n++].v = xg_elem_convert_to(&w->t->s, xg_elem_real(sum), w->f->sum, dot->shape->type);
    return xg_attention_element(w, second ? XG_ATTENTION_SECOND : XG_ATTENTION_RESULT, at, ends.given, ends.n, index);
}
/* The same at a row and a column. */
XG_FN void xg_attention_write(xg_attention_kernel *w, int64_t half, xg_kval *column, xg_kval *sum,
    const xg_attention_ends *row, bool second, int64_t extent) {
    const xg_shape *shape = w->f->stages[second ? XG_ATTENTION_SECOND : XG_ATTENTION_RESULT].root->shape;
    xg_kval *at[XG_ATTENTION_DIMS], *index[XG_RANK_MAX], **dest = &w->dest[second];
    xg_elem v;
    xg_attention_numbers(w, at);
    at[XG_ATTENTION_ROW] = w->row[half];
    at[XG_ATTENTION_VECTOR] = xg_attention_clamp(w, column, extent);
    v = xg_attention_result_of(w, second, sum, row, at, index);
    *dest = xg_emit_insert(xg_attention_b(w), v, *dest, shape, index);
}
/* Where elements of a result lie, if pairs of them lie side by side, from even places on, and nothing is read to make
 * them; NULL: they do not. */
XG_FN const xg_imap *xg_attention_pair_places(xg_attention_kernel *w, bool second) {
    const xg_attention_stage *s = &w->f->stages[second ? XG_ATTENTION_SECOND : XG_ATTENTION_RESULT];
    xg_aff_ctx *x = w->t->s.b.m->aff;
    const xg_aff *v = xg_aff_dim(x, XG_ATTENTION_VECTOR), *rest;
    const xg_imap *at;
    xg_aff_env env;
    if (w->placed[second]) return w->places[second];
    w->placed[second] = true;
    if (!s->anywhere || !(xg_type_class(s->root->shape->type) & XGT_F) || !xg_index_has_order(s->root->shape))
        return NULL;
    at = xg_indexing_flatten(x, s->map, s->root->shape);
    if (!xg_imap_ok(at) || at->n_constraints || xg_aff_scale_of(at->results[0], v) != 1) return NULL;
    rest = xg_aff_sub(x, at->results[0], v);
    env = xg_imap_env(x, at);
    if (rest && !xg_aff_uses(rest, v) && xg_aff_divisor(xg_aff_simplify(&env, rest)) % XG_ATTENTION_PAIR == 0)
        w->places[second] = at;
    return w->places[second];
}
/* The pair of turn k by one store there: all of a row's are so many columns behind the first one. */
XG_FN void xg_attention_write_both(xg_attention_kernel *w, xg_attention_turns *s, int64_t half, int64_t k,
    xg_kval *const *sums, const xg_attention_ends *row, bool second, int64_t extent) {
    xg_kval *at[XG_ATTENTION_DIMS], *index[XG_RANK_MAX], *both[XG_ATTENTION_PAIR], *o[3], *column;
    xg_flow guard = xg_flow_of(&w->t->s, &w->dest[second]);
    int64_t on = k * s->apart, c;
    if (!s->place) {
        xg_attention_numbers(w, at);
        at[XG_ATTENTION_ROW] = w->row[half];
        at[XG_ATTENTION_VECTOR] = s->first;
        xg_elem_apply(&w->t->s, w->places[second], at, &s->place);
    }
    column = s->all > extent ? xg_attention_at(w, s->first, s->all - on, on) : w->digits[0];
    xg_flow_if(&guard, xg_attention_below(w, column, extent));
    for (c = 0; c < XG_ATTENTION_PAIR; c++)
        both[c] = xg_emit_join(xg_attention_b(w), xg_attention_result_of(w, second, sums[c], row, NULL, index));
    o[0] = xg_attention_paired(w, both);
    o[1] = w->dest[second];
    o[2] = xg_attention_at(w, s->place, xg_kval_range(s->place).hi + 1, on);
    w->dest[second] = xg_kir_value(xg_attention_b(w), XG_K_OP_WRITE, o, 3, o[1]->type);
    xg_flow_end(&guard);
}
/* A column of the pair of turn k, by one expression, so that the passes see how pairs are aligned. */
XG_FN xg_kval *xg_attention_column_of(xg_attention_kernel *w, const xg_attention_turns *s, int64_t k, xg_kval *beside) {
    int64_t counts[3];
    xg_aff_ctx *x = w->t->s.b.m->aff;
    const xg_aff *at = xg_aff_add_k(x, xg_aff_mul(x, xg_aff_dim_0(x), XG_ATTENTION_EIGHT), k * s->apart);
    xg_kval *v[3];
    v[0] = s->own;
    v[1] = w->beside;
    v[2] = beside;
    counts[0] = xg_kval_range(s->own).hi + 1;
    counts[1] = XG_ATTENTION_BESIDE;
    counts[2] = XG_ATTENTION_PAIR;
    at = xg_aff_add_dim(x, at, 1, XG_ATTENTION_PAIR);
    return xg_tile_apply(w->t, counts, 3, xg_aff_add(x, at, xg_aff_dim(x, 2)), v);
}
/* The pair of turn k. Where both columns are there, or neither is, a loop goes over them, of whose rounds
 * kir/vectorize.c makes one store. */
XG_FN void xg_attention_write_pair(xg_attention_kernel *w, xg_attention_turns *s, int64_t half, int64_t k,
    xg_kval *const *sums, const xg_attention_ends *row, bool second) {
    int64_t extent = w->f->back.is && !second ? w->f->depth : w->f->columns, c;
    bool whole = extent % XG_ATTENTION_PAIR == 0;
    xg_flow guard = xg_flow_of(&w->t->s, &w->dest[second]), loop = guard;
    xg_kval *o[2], *column;
    if (whole && xg_attention_pair_places(w, second)) {
        xg_attention_write_both(w, s, half, k, sums, row, second, extent);
        return;
    }
    for (c = 0; c < (whole ? 1 : XG_ATTENTION_PAIR); c++) {
        column = whole && s->all <= extent ? w->digits[0] : xg_attention_column_of(w, s, k, xg_elem_index(&w->t->s, c));
        xg_flow_if(&guard, xg_attention_below(w, column, extent));
        o[1] = whole ? xg_attention_loop(w, &loop, XG_ATTENTION_PAIR) : xg_elem_index(&w->t->s, c);
        o[0] = xg_attention_paired(w, sums);
        if (whole) column = xg_attention_column_of(w, s, k, o[1]);
        o[0] = xg_kir_value(xg_attention_b(w), XG_K_OP_VEXTRACT, o, 2, sums[0]->type);
        xg_attention_write(w, half, column, o[0], row, second, extent);
        xg_flow_end(&loop);
        xg_flow_end(&guard);
    }
}
/* The warp's, among all parts. */
XG_FN xg_kval *xg_attention_own_part(xg_attention_kernel *w) {
    return w->rank ? xg_tile_join(w->t, w->rank, w->p->shape.parts, w->part) : w->part;
}
/* A thread writes the columns of its sums; with keys in parts, each warp every so many eights. */
XG_APART XG_FN void xg_attention_write_row(xg_attention_kernel *w, int64_t half, const xg_attention_ends *ends) {
    xg_attention_turns s = xg_attention_turns_of(w, w->p->shape.parts * w->p->cluster, xg_attention_own_part(w));
    xg_flow share = xg_flow_of(&w->t->s, &w->dest[0]);
    xg_kval *pair, *sums[XG_ATTENTION_PAIR];
    int64_t k;
    xg_flow_if(&share, s.has);
    for (k = 0; k < s.eights; k++) {
        pair = xg_attention_pair_of(w, &s, k);
        if (w->rank)
            xg_attention_of_peers(w, half, pair, sums);
        else
            xg_attention_own_sums(w, half, pair, k, sums);
        xg_attention_write_pair(w, &s, half, k, sums, ends, false);
    }
    xg_flow_end(&share);
}
/* Its maximum and sum, written by the first of the threads that have the row. */
XG_FN void xg_attention_write_stats(xg_attention_kernel *w, int64_t half, const xg_attention_ends *ends) {
    const xg_attention_form *f = w->f;
    xg_kval *at[XG_ATTENTION_DIMS], *index[XG_RANK_MAX], *first;
    xg_flow one = xg_flow_begin(&w->t->s);
    uint32_t k;
    if (!f->n_stats) return;
    first = xg_tile_join(w->t, xg_attention_own_part(w), XG_ATTENTION_BESIDE, w->beside);
    for (k = 0; k < f->n_stats; k++) xg_flow_slot(&one, &w->dest[k + 1]);
    xg_flow_if(&one, xg_attention_below(w, first, 1));
    xg_attention_numbers(w, at);
    at[XG_ATTENTION_ROW] = w->row[half];
    for (k = 0; k < f->n_stats; k++) {
        const xg_inst *stat = f->stats[k];
        xg_elem_apply(&w->t->s, f->stat_map[k], at, index);
        w->dest[k + 1] = xg_emit_insert(
            xg_attention_b(w), ends->given[stat == f->match.max ? 0 : 1].v, w->dest[k + 1], stat->shape, index);
    }
    xg_flow_end(&one);
}
/* A condition around what is done of a thread's row, if it may lie outside of the matrix. */
XG_FN xg_flow xg_attention_within(xg_attention_kernel *w, int64_t half) {
    xg_kval *row = xg_tile_join(w->t, w->across, w->p->warp_rows, w->group);
    xg_flow f = xg_flow_begin(&w->t->s);
    xg_flow_slots(&f, w->dest, w->f->n_stats + 1);
    row = xg_tile_join(w->t, w->tile, w->p->tile, row);
    row = xg_attention_at(
        w, row, w->p->tiles * w->p->tile - (w->p->halves - 1) * XG_ATTENTION_EIGHT, half * XG_ATTENTION_EIGHT);
    xg_flow_if(&f, xg_attention_below(w, row, w->f->rows));
    return f;
}
/* Of sums that lie in tensor memory. */
XG_FN void xg_attention_write_late(xg_attention_kernel *w, const xg_attention_ends *ends) {
    xg_attention_turns s = xg_attention_turns_of(w, 1, NULL);
    xg_kval *at[XG_ATTENTION_HALVES_MAX], *sums[XG_ATTENTION_PAIR];
    xg_flow loop = xg_flow_begin(&w->t->s), f;
    int64_t n, half, k, j;
    xg_flow_slots(&loop, w->dest, w->f->n_stats + 1); /* all that xg_attention_within has */
    s.own = xg_attention_read_by(w, &loop, xg_attention_sums_at(w->p), w->p->columns, &n, at);
    s.first = xg_tile_join(w->t, s.own, XG_ATTENTION_EIGHT, s.first);
    for (half = 0; half < w->p->halves; half++) {
        f = xg_attention_within(w, half);
        s.place = NULL;
        for (k = 0; k < n; k++) {
            for (j = 0; j < XG_ATTENTION_PAIR; j++)
                sums[j] = xg_attention_read_sum(w, at, half, XG_ATTENTION_PAIR * k + j);
            xg_attention_write_pair(w, &s, half, k, sums, &ends[half], false);
        }
        xg_flow_end(&f);
    }
    xg_flow_end(&loop);
}
XG_FN void xg_attention_results(xg_attention_kernel *w) {
    bool late = w->p->shape.in_tensor;
    xg_attention_ends ends[XG_ATTENTION_HALVES_MAX];
    xg_flow f;
    int64_t half;
    xg_attention_combine(w, XG_K_OP_ADDF, w->sum, w->p->halves, XG_ATTENTION_BESIDE);
    for (half = 0; half < w->p->halves; half++) w->most[half] = xg_attention_most_of(w, half);
    if (w->p->shape.parts > 1) xg_attention_join_parts(w);
    if (w->rank) xg_attention_join_blocks(w);
    for (half = 0; half < w->p->halves && w->scaled; half++) {
        xg_kval **refer = &w->stat[half][XG_ATTENTION_REFERENCE], *by = xg_attention_number(w, w->f->scale);
        w->most[half] = xg_k2(xg_attention_b(w), XG_K_OP_MULF, w->most[half], by);
        if (w->p->shape.grouped) *refer = xg_k2(xg_attention_b(w), XG_K_OP_MULF, *refer, by);
    }
    w->scaled = NULL;
    for (half = 0; half < w->p->halves; half++) {
        xg_attention_end_row(w, half, &ends[half]);
        f = xg_attention_within(w, half);
        if (!late) xg_attention_write_row(w, half, &ends[half]);
        xg_attention_write_stats(w, half, &ends[half]);
        xg_flow_end(&f);
    }
    if (late) xg_attention_write_late(w, ends);
    if (w->rank) xg_attention_meet(w);
}

#endif /* XG_SCHED_ATTENTION_ENDS_C */
