/* sched/attention_ends.c -- behind all steps: warps that had different keys of the same rows join what they have, and
 * the result is made of it. Blocks of a cluster that share the keys are further such parts, which lie in each other's
 * shared memory: a block makes its own share of the columns, of what all of them show. */
#ifndef XG_SCHED_ATTENTION_ENDS_C
#define XG_SCHED_ATTENTION_ENDS_C
#include "attention.h"

/* ---- keys in parts ---- */

/* Where a warp's maximum of a thread's row lies; its sum behind it; the sums of columns behind those of all warps. */
XG_FN xg_kval *xg_attention_end_at(xg_attention_kernel *w, xg_kval *warp, int64_t half, bool sum) {
    int64_t lanes = XG_WARP_LANES, place = (2 * half + sum) * lanes;
    xg_kval *at = xg_tile_join(&w->t, warp, 2 * XG_ATTENTION_HALVES * lanes, w->lane);
    return xg_attention_at(w, at, xg_attention_ends_size(w->p), place);
}
XG_FN xg_kval *xg_attention_column_at(xg_attention_kernel *w, xg_kval *warp, int64_t half, xg_kval *column) {
    int64_t warps = (int64_t)w->p->shape.warps * w->p->shape.parts, pitch = w->p->sum_pitch;
    int64_t place = warps * 2 * XG_ATTENTION_HALVES * XG_WARP_LANES + half * XG_ATTENTION_EIGHT * pitch;
    xg_kval *row = xg_tile_join(&w->t, warp, XG_ATTENTION_ROWS, w->group);
    row = xg_tile_join(&w->t, row, pitch, column);
    return xg_attention_at(w, row, xg_attention_ends_size(w->p), place);
}
/* Parts of the keys: of all blocks of the cluster. */
XG_FN int64_t xg_attention_all_parts(const xg_attention_kernel *w) { return w->p->shape.parts * w->p->cluster; }
/* What all parts show is there, or has been read. */
XG_FN void xg_attention_meet(xg_attention_kernel *w) {
    int64_t k;
    if (!w->rank) {
        xg_attention_wait(w);
        return;
    }
    xg_cluster_wait(xg_attention_b(w), &w->ends, 1);
    for (k = 0; k < w->p->cluster; k++)
        w->peers[k] = xg_cluster_peer(xg_attention_b(w), w->ends, xg_kconst_int(xg_attention_b(w), XG_E_I32, k));
}
/* An element of what the block with part k shows. */
XG_FN xg_kval *xg_attention_shown(xg_attention_kernel *w, int64_t k, xg_kval *at) {
    xg_kval *ends = w->rank ? w->peers[k / w->p->shape.parts] : w->ends;
    return xg_kextract(xg_attention_b(w), ends, &at, 1);
}
/* In its block, the warp that has part k of the keys for the same rows. */
XG_FN xg_kval *xg_attention_peer(xg_attention_kernel *w, int64_t k) {
    k = k % w->p->shape.parts * w->p->shape.warps;
    return xg_attention_at(w, w->across, (int64_t)w->p->shape.warps * w->p->shape.parts, k);
}
XG_FN xg_kval *xg_attention_end_of(xg_attention_kernel *w, int64_t k, int64_t half, bool sum) {
    xg_kval *at = xg_attention_end_at(w, xg_attention_peer(w, k), half, sum);
    return xg_attention_shown(w, k, at);
}
/* All parts' sum of a column of a thread's row, in their order. */
XG_FN xg_kval *xg_attention_total(xg_attention_kernel *w, int64_t half, xg_kval *column) {
    xg_kval *total = NULL, *v, *at;
    int64_t k;
    for (k = 0; k < xg_attention_all_parts(w); k++) {
        at = xg_attention_column_at(w, xg_attention_peer(w, k), half, column);
        v = xg_attention_shown(w, k, at);
        total = total ? xg_k2(xg_attention_b(w), XG_K_OP_ADDF, total, v) : v;
    }
    return total;
}
/* Two neighbouring columns' sums, scaled, in one store: the eight bytes of half a warp lie in different banks. */
XG_FN void xg_attention_show_pair(xg_attention_kernel *w, xg_kval *const *sums, xg_kval *scale, xg_kval *at) {
    xg_kb *b = xg_attention_b(w);
    const xg_ktype *type = xg_kir_vector(w->t.e->m, sums[0]->type->elem, XG_ATTENTION_PAIR);
    xg_kval *pair = xg_kconst_bits(b, type, 0), *o[3];
    int64_t k;
    for (k = 0; k < XG_ATTENTION_PAIR; k++) {
        o[0] = xg_k2(b, XG_K_OP_MULF, sums[k], scale);
        o[1] = pair;
        o[2] = xg_elem_index(&w->t.s, k);
        pair = xg_kir_value(b, XG_K_OP_VINSERT, o, 3, type);
    }
    o[0] = pair;
    o[1] = w->ends;
    o[2] = at;
    w->ends = xg_kir_value(b, XG_K_OP_WRITE, o, 3, w->ends->type);
}
/* The maximum of all parts, and what each had relative to its own. */
XG_FN void xg_attention_join_row(xg_attention_kernel *w, int64_t half) {
    xg_kb *b = xg_attention_b(w);
    xg_kval *most = NULL, *sum = NULL, *shift, *scale, *v, *first, *column;
    int64_t k, c;
    for (k = 0; k < xg_attention_all_parts(w); k++) {
        v = xg_attention_end_of(w, k, half, false);
        most = most ? xg_k2(b, XG_K_OP_MAXF, most, v) : v;
    }
    shift = xg_attention_shift(w, most);
    for (k = 0; k < xg_attention_all_parts(w); k++) {
        scale = xg_attention_exp(w, xg_attention_end_of(w, k, half, false), shift);
        v = xg_k2(b, XG_K_OP_MULF, xg_attention_end_of(w, k, half, true), scale);
        sum = sum ? xg_k2(b, XG_K_OP_ADDF, sum, v) : v;
    }
    scale = xg_attention_exp(w, w->most[half], shift);
    w->most[half] = most;
    w->sum[half] = sum;
    first = xg_tile_join(&w->t, w->beside, XG_ATTENTION_PAIR, xg_elem_index(&w->t.s, 0));
    for (c = 0; c < w->p->columns / XG_ATTENTION_BESIDE; c += XG_ATTENTION_PAIR) {
        int64_t place = c / XG_ATTENTION_PAIR * XG_ATTENTION_EIGHT;
        column = xg_attention_at(w, first, w->p->columns - place, place);
        xg_attention_show_pair(w, &w->out[half][c], scale, xg_attention_column_at(w, w->warp, half, column));
    }
}
XG_FN void xg_attention_join_parts(xg_attention_kernel *w) {
    int64_t half;
    xg_kval *at;
    if (w->rank) w->peers = XG_NEW_N(w->t.e->arena, xg_kval *, w->p->cluster);
    for (half = 0; half < XG_ATTENTION_HALVES; half++) {
        at = xg_attention_end_at(w, w->warp, half, false);
        w->ends = xg_kinsert(xg_attention_b(w), w->most[half], w->ends, &at, 1);
        at = xg_attention_end_at(w, w->warp, half, true);
        w->ends = xg_kinsert(xg_attention_b(w), w->sum[half], w->ends, &at, 1);
    }
    xg_attention_meet(w);
    for (half = 0; half < XG_ATTENTION_HALVES; half++) xg_attention_join_row(w, half);
    xg_attention_meet(w);
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
    xg_flow f = xg_flow_of(&w->t.s, &w->dest[0]);
    xg_elem v;
    xg_flow_if(&f, xg_attention_below(w, column, w->f->columns));
    xg_attention_numbers(w, at);
    at[XG_ATTENTION_ROW] = w->row[half];
    at[XG_ATTENTION_VECTOR] = xg_attention_clamp(w, column, w->f->columns);
    v = xg_elem_real(xg_k2(xg_attention_b(w), XG_K_OP_MULF, sum, ends.factor));
    ends.given[ends.n].of = dot;
    ends.given[ends.n++].v = xg_elem_convert_to(&w->t.s, v, w->f->sum, dot->shape->type);
    v = xg_attention_element(w, XG_ATTENTION_RESULT, at, ends.given, ends.n, index);
    w->dest[0] = xg_emit_insert(xg_attention_b(w), v, w->dest[0], root->shape, index);
    xg_flow_end(&f);
}
/* The warp's, among all parts. */
XG_FN xg_kval *xg_attention_own_part(xg_attention_kernel *w) {
    return w->rank ? xg_tile_join(&w->t, w->rank, w->p->shape.parts, w->part) : w->part;
}
/* A thread writes the columns of its sums; with keys in parts, each warp every so many eights. */
XG_FN void xg_attention_write_row(xg_attention_kernel *w, int64_t half, const xg_attention_ends *ends) {
    int64_t parts = xg_attention_all_parts(w), eights = xg_tile_over(w->p->columns / XG_ATTENTION_EIGHT, parts), k, c;
    xg_kval *first = xg_tile_join(&w->t, w->beside, XG_ATTENTION_PAIR, xg_elem_index(&w->t.s, 0)), *column, *sum;
    if (parts > 1) first = xg_tile_join(&w->t, xg_attention_own_part(w), XG_ATTENTION_EIGHT, first);
    for (k = 0; k < eights; k++)
        for (c = 0; c < XG_ATTENTION_PAIR; c++) {
            int64_t place = k * parts * XG_ATTENTION_EIGHT + c, all = eights * parts * XG_ATTENTION_EIGHT;
            column = xg_attention_at(w, first, all - place, place);
            sum = parts > 1 ? xg_attention_total(w, half, xg_attention_clamp(w, column, w->p->columns))
                            : w->out[half][XG_ATTENTION_PAIR * k + c];
            xg_attention_write(w, half, column, sum, ends);
        }
}
/* Its maximum and sum, written by the first of the threads that have the row. */
XG_FN void xg_attention_write_stats(xg_attention_kernel *w, int64_t half, const xg_attention_ends *ends) {
    const xg_attention_form *f = w->f;
    xg_kval *at[XG_ATTENTION_DIMS], *index[XG_RANK_MAX], *first;
    xg_flow one = xg_flow_of(&w->t.s, NULL);
    uint32_t k;
    if (!f->n_stats) return;
    first = xg_tile_join(&w->t, xg_attention_own_part(w), XG_ATTENTION_BESIDE, w->beside);
    for (k = 0; k < f->n_stats; k++) xg_flow_slot(&one, &w->dest[k + 1]);
    xg_flow_if(&one, xg_attention_below(w, first, 1));
    xg_attention_numbers(w, at);
    at[XG_ATTENTION_ROW] = w->row[half];
    for (k = 0; k < f->n_stats; k++) {
        const xg_inst *stat = f->stats[k];
        xg_elem_apply(&w->t.s, f->stat_map[k], at, index);
        w->dest[k + 1] = xg_emit_insert(
            xg_attention_b(w), ends->given[stat == f->match.max ? 0 : 1].v, w->dest[k + 1], stat->shape, index);
    }
    xg_flow_end(&one);
}
XG_FN void xg_attention_results(xg_attention_kernel *w) {
    int64_t half;
    uint32_t k;
    for (half = 0; half < XG_ATTENTION_HALVES; half++)
        w->sum[half] = xg_attention_combine(w, XG_K_OP_ADDF, w->sum[half]);
    if (xg_attention_all_parts(w) > 1) xg_attention_join_parts(w);
    for (half = 0; half < XG_ATTENTION_HALVES; half++) {
        xg_attention_ends ends;
        xg_kval *row = xg_tile_join(&w->t, w->across, XG_ATTENTION_ROWS, w->group);
        xg_flow f = xg_flow_of(&w->t.s, NULL);
        for (k = 0; k <= w->f->n_stats; k++) xg_flow_slot(&f, &w->dest[k]);
        xg_attention_end_row(w, half, &ends);
        row = xg_tile_join(&w->t, w->tile, w->p->tile, row);
        row = xg_attention_at(w, row, w->p->tiles * w->p->tile - XG_ATTENTION_EIGHT, half * XG_ATTENTION_EIGHT);
        xg_flow_if(&f, xg_attention_below(w, row, w->f->rows));
        xg_attention_write_row(w, half, &ends);
        xg_attention_write_stats(w, half, &ends);
        xg_flow_end(&f);
    }
    if (w->rank) xg_attention_meet(w);
}

#endif /* XG_SCHED_ATTENTION_ENDS_C */
