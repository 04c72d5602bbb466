/* block/fft_site.c -- what is known about an fft that a kernel makes: where its elements lie in global and shared
 * memory, which thread has which, and what waits. */
#ifndef XG_BLOCK_FFT_SITE_C
#define XG_BLOCK_FFT_SITE_C
#include "block.h"

typedef struct xg_fft_site {
    xg_scope *s;
    xg_fusion_emission *e;
    const xg_inst *i;
    xg_kelem real;
    double sign, scale;
    int64_t bytes, volume, lines, count, threads, blocks; /* count: transforms of a block */
    /* parts: behind the stages the spectra of even and odd elements are taken apart */
    bool to_real, parts;
    uint32_t n; /* transformed dimensions, the last ones */
    int64_t length[3], in_last, out_last;
    /* 2: each element of the transform is a pair of neighbours of the real operand (of the real result), fft_real.c */
    int64_t in_pair, out_pair;
    /* elements of a block's transforms lie beside each other: in memory they are neighbours */
    bool beside;
    bool twisted;
    int64_t twist_dim, twist_length;
    xg_kval *where[2]; /* thread and block */
    const xg_ktype *shared_type;
    xg_kval *shared, *other, *table; /* other: NULL if there is one copy only */
    int64_t table_of;
    xg_fft_stages stages;
} xg_fft_site;

/* ---- indices ---- */

/* The expressions at this thread and block. */
XG_FN void xg_fft_apply(const xg_fft_site *d, const xg_aff *const *what, uint32_t n, xg_kval **out) {
    xg_aff_ctx *x = d->e->m->aff;
    xg_imap *m = xg_imap_of_dims(x, 2, n);
    uint32_t k;
    m->dims[0].range = xg_range_of(0, d->threads - 1);
    m->dims[1].range = xg_range_of(0, d->blocks - 1);
    for (k = 0; k < n; k++) m->results[k] = what[k];
    xg_elem_apply(d->s, xg_imap_simplify(x, m), d->where, out);
}
XG_FN xg_kval *xg_fft_index(const xg_fft_site *d, const xg_aff *a) {
    xg_kval *v;
    xg_fft_apply(d, &a, 1, &v);
    return v;
}
/* Expressions of one index below limit and one below radix. */
XG_FN void xg_fft_apply_to(const xg_fft_site *d, xg_kval *element, int64_t limit, xg_kval *q, int64_t radix,
    const xg_aff *const *what, uint32_t n, xg_kval **out) {
    xg_aff_ctx *x = d->e->m->aff;
    xg_imap *m = xg_imap_of_dims(x, 2, n);
    xg_kval *dims[2];
    uint32_t k;
    dims[0] = element;
    dims[1] = q;
    m->dims[0].range = xg_range_of(0, limit - 1);
    m->dims[1].range = xg_range_of(0, radix - 1);
    for (k = 0; k < n; k++) m->results[k] = what[k];
    xg_elem_apply(d->s, xg_imap_simplify(x, m), dims, out);
}
/* Butterfly number i of this thread. */
typedef struct xg_fft_turn {
    const xg_fft_stage_row *row;
    int64_t index;
    const xg_aff *number, *group, *rest;
} xg_fft_turn;
XG_APART XG_FN xg_fft_turn xg_fft_turn_of(const xg_fft_site *d, const xg_fft_stage_row *row, int64_t i) {
    xg_aff_ctx *x = d->e->m->aff;
    int64_t together = row->length / row->radix * row->inner;
    xg_fft_turn t;
    t.row = row;
    t.index = i;
    t.number = xg_aff_add_k(x, xg_aff_dim_0(x), i * d->threads);
    t.group = xg_aff_mul(x, xg_aff_div(x, t.number, together), row->length * row->inner);
    t.rest = xg_aff_mod(x, t.number, together);
    return t;
}
XG_FN const xg_aff *xg_fft_from(const xg_fft_site *d, const xg_fft_turn *t, int64_t q) {
    xg_aff_ctx *x = d->e->m->aff;
    return xg_aff_add_k(x, xg_aff_add(x, t->group, t->rest), q * (t->row->length / t->row->radix) * t->row->inner);
}
XG_FN const xg_aff *xg_fft_to(const xg_fft_site *d, const xg_fft_turn *t, int64_t c) {
    xg_aff_ctx *x = d->e->m->aff;
    int64_t run = t->row->done * t->row->inner;
    const xg_aff *at = xg_aff_add_mul(x, xg_aff_mod(x, t->rest, run), xg_aff_div(x, t->rest, run), run * t->row->radix);
    return xg_aff_add_k(x, xg_aff_add(x, t->group, at), c * run);
}
XG_FN xg_kval *xg_fft_shifted(const xg_fft_site *d, xg_kval *v, int64_t by, int64_t limit) {
    if (!by) return v;
    v = xg_kaddi_int(&d->s->b, v, by);
    if (limit) xg_kval_set_range(v, xg_range_of(by, limit - 1));
    return v;
}
XG_FN const xg_aff *xg_fft_place(const xg_fft_site *d, const xg_aff *element) {
    xg_aff_ctx *x = d->e->m->aff;
    return xg_aff_add(x, element, xg_aff_div(x, element, 128 / d->bytes));
}
/* The places of a butterfly's elements, `run` apart, all of them within `span` elements; the first one lies below run
 * in there. Where whole runs are kept apart by whole free places, or lie between two of them, the others are at fixed
 * distances from the first. */
XG_FN xg_kval *xg_fft_place_of(const xg_fft_site *d, const xg_fft_turn *t,
    const xg_aff *(*element)(const xg_fft_site *d, const xg_fft_turn *t, int64_t k), int64_t run, int64_t span,
    int64_t k, xg_kval **first) {
    int64_t unit = XG_LINE_BYTES / d->bytes;
    if (!k) return *first = xg_fft_index(d, xg_fft_place(d, element(d, t, 0)));
    if (run % unit == 0 || (unit % run == 0 && (span % unit == 0 || unit % span == 0)))
        return xg_fft_shifted(d, *first, k * run + k * run / unit, 0);
    return xg_fft_index(d, xg_fft_place(d, element(d, t, k)));
}
XG_FN const xg_aff *xg_fft_line_at(const xg_fft_site *d, const xg_aff *element) {
    xg_aff_ctx *x = d->e->m->aff;
    return xg_aff_add_dim(
        x, d->beside ? xg_aff_mod(x, element, d->count) : xg_aff_div(x, element, d->volume), 1, d->count);
}
/* The indices, in the operand or result, of an element of the block. */
XG_FN void xg_fft_global(const xg_fft_site *d, const xg_aff *element, const xg_aff **at) {
    xg_aff_ctx *x = d->e->m->aff;
    uint32_t rank = d->i->shape->rank, k;
    const xg_aff *line = xg_fft_line_at(d, element),
                 *rest = d->beside ? xg_aff_div(x, element, d->count) : xg_aff_mod(x, element, d->volume);
    for (k = d->n; k-- > 0;) {
        at[rank - d->n + k] = k ? xg_aff_mod(x, rest, d->length[k]) : rest;
        rest = xg_aff_div(x, rest, d->length[k]);
    }
    for (k = rank - d->n; k-- > 0;) {
        at[k] = k ? xg_aff_mod(x, line, d->i->shape->dims[k]) : line;
        line = xg_aff_div(x, line, d->i->shape->dims[k]);
    }
}

/* The indices of a butterfly's element k in the operand or result, `step` apart along the stage's dimension, given
 * those of the first one; the range of the last index. */
XG_FN xg_range xg_fft_global_of(
    const xg_fft_site *d, const xg_fft_turn *t, xg_kval *const *first, int64_t step, int64_t k, xg_kval **at) {
    uint32_t rank = d->i->shape->rank, dim = rank - d->n + t->row->dim;
    memcpy((void *)at, (const void *)first, rank * sizeof *at);
    at[dim] = xg_fft_shifted(d, first[dim], k * step, (k + 1) * step);
    if (t->row->radix > 1 && dim == rank - 1) return xg_range_of(k * step, (k + 1) * step - 1);
    return xg_range_of(0, d->length[d->n - 1] - 1);
}
XG_FN void xg_fft_global_first(const xg_fft_site *d, const xg_aff *element, xg_kval **at) {
    const xg_aff *want[XG_RANK_MAX];
    xg_fft_global(d, element, want);
    xg_fft_apply(d, want, d->i->shape->rank, at);
}
/* ---- conditions ---- */

/* Whether number i * threads + thread is below `work` and, if global memory is touched for it, the transform of this
 * element exists too; NULL: always. */
XG_FN xg_kval *xg_fft_below(
    const xg_fft_site *d, const xg_aff *number, int64_t i, int64_t work, const xg_aff *element) {
    xg_kval *p = NULL;
    if ((i + 1) * d->threads > work)
        p = XG_KCMPI(&d->s->b, XG_CI_SLT, xg_fft_index(d, number), xg_elem_index(d->s, work));
    if (!element || d->lines % d->count == 0) return p;
    return xg_elem_and(d->s, p,
        XG_KCMPI(&d->s->b, XG_CI_SLT, xg_fft_index(d, xg_fft_line_at(d, element)), xg_elem_index(d->s, d->lines)));
}
XG_FN xg_kval *xg_fft_exists(const xg_fft_site *d, const xg_fft_turn *t, bool global) {
    return xg_fft_below(
        d, t->number, t->index, d->count * d->volume / t->row->radix, global ? xg_fft_from(d, t, 0) : NULL);
}

/* ---- loops ---- */

XG_FN xg_kval *xg_fft_for(xg_fft_site *d, xg_flow *f, int64_t count) {
    xg_kval *lo = xg_elem_index_0(d->s), *hi = xg_elem_index(d->s, count);
    return xg_flow_for(f, lo, hi, 1, count);
}

/* ---- elements ---- */

XG_FN xg_elem xg_fft_zero(const xg_fft_site *d) {
    xg_elem z;
    z.v = z.im = xg_kconst_float(&d->s->b, d->real, 0);
    return z;
}
/* ---- shared memory ---- */

XG_FN void xg_fft_wait(xg_fft_site *d, xg_kval **array) { xg_shared_wait(&d->s->b, array, 1); }
XG_FN void xg_fft_exchange(xg_fft_site *d) {
    xg_kval *t = d->shared;
    d->shared = d->other;
    d->other = t;
}

#endif /* XG_BLOCK_FFT_SITE_C */
