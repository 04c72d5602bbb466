/* block/fft.c -- fft: a block brings some transforms into registers, exchanges them through shared memory between the
 * stages (opt/fft_stages.c), and writes them.
 *
 *     for each stage { take R elements from global (first stage) or shared memory; multiply by roots; butterfly; put
 *     them into shared or (last stage) global memory }
 * Whatever the stage, neighbouring threads take neighbouring elements, and in the last one they put neighbouring ones;
 * so all of global memory is read and written in whole sectors. A thread has one butterfly of a stage or several. Where
 * memory for two copies is cheap the stages take from one and put into the other, and wait once each. Roots are
 * computed where they are needed: one a butterfly, its powers by multiplication.
 * Of real numbers and half spectra: fft_real.c.
 * Several transforms that do not wait for each other may be one kernel: each has blocks of its own. */
#ifndef XG_BLOCK_FFT_C
#define XG_BLOCK_FFT_C
#include "block.h"
#include "../eval/eval.h"
#include "fft_real.c"

enum {
    XG_FFT_THREADS_MAX = 512,
    XG_FFT_THREADS_WIDE = 256 /* of 128-bit elements */,
    XG_FFT_TWICE_MAX = 24 << 10,
    XG_FFT_HELD = 8
};

/* ---- elements ---- */

XG_FN xg_elem xg_fft_read(xg_fft_site *d, const xg_fft_turn *t, xg_kval *const *first, int64_t q) {
    xg_kval *at[XG_RANK_MAX], *mirrored = NULL;
    xg_range last = xg_fft_global_of(d, t, first, t->row->length / t->row->radix, q, at);
    xg_elem v;
    if (d->in_pair == 2) return xg_fft_read_pair(d, at);
    if (d->to_real) xg_fft_mirrored(d, last, at, &mirrored);
    v = xg_elem_of(d->s, XG_OPERAND(d->i, 0), at);
    if (!v.im) v.im = xg_kconst_float(&d->s->b, d->real, 0);
    v.im = xg_fft_negate_where(&d->s->b, mirrored, v.im);
    return v;
}
XG_FN void xg_fft_write(
    xg_fft_site *d, const xg_fft_turn *t, xg_elem v, xg_kval *const *first, int64_t c, xg_kval **dest) {
    xg_kval *at[XG_RANK_MAX];
    uint32_t rank = d->i->shape->rank;
    xg_range last = xg_fft_global_of(d, t, first, t->row->done, c, at);
    xg_flow f = xg_flow_of(d->s, dest);
    if (last.lo >= d->out_last) return;
    if (d->scale != 1) v = xg_fft_scaled(&d->s->b, v, d->scale);
    if (d->out_pair == 2) {
        xg_fft_write_pair(d, v, at, dest);
        return;
    }
    if (d->to_real) v.im = NULL;
    if (last.hi < d->out_last) {
        *dest = xg_emit_insert(&d->s->b, v, *dest, d->i->shape, at);
        return;
    }
    xg_flow_if(&f, xg_kcmpi_(&d->s->b, XG_CI_SLT, at[rank - 1], xg_elem_index(d->s, d->out_last)));
    *dest = xg_emit_insert(&d->s->b, v, *dest, d->i->shape, at);
    xg_flow_end(&f);
}

/* ---- a stage in registers ---- */

/* Of a pass of a longer transform: element j times the root to the power j l, l the index that says which part of that
 * one this is. */
XG_FN void xg_fft_twist_first(xg_fft_site *d, const xg_fft_turn *t, xg_kval *const *first, xg_elem *x) {
    xg_kb *b = &d->s->b;
    uint32_t rank = d->i->shape->rank;
    int64_t radix = t->row->radix, step = radix > 1 ? t->row->length / radix : d->volume,
            parts = d->i->shape->dims[d->twist_dim], most = (step - 1) * (parts - 1), q;
    xg_kval *power = xg_k2(b, XG_K_OP_MULI, first[rank - 1], first[d->twist_dim]);
    xg_elem start, w[XG_FFT_RADIX_MAX + 1];
    xg_kval_set_range(power, xg_range_of(0, most));
    start = xg_fft_root_at(b, power, most, d->twist_length, d->sign, d->real);
    x[0] = xg_fft_times(b, x[0], start);
    if (radix == 1) return;
    power = xg_k2_int(b, XG_K_OP_MULI, first[d->twist_dim], step);
    xg_kval_set_range(power, xg_range_of(0, step * (parts - 1)));
    w[1] = xg_fft_root_at(b, power, step * (parts - 1), d->twist_length, d->sign, d->real);
    for (q = 1; q < radix; q++) {
        if (q > 1) w[q] = xg_fft_times(b, w[q / 2], w[q - q / 2]);
        x[q] = xg_fft_times(b, x[q], xg_fft_times(b, start, w[q]));
    }
}

XG_FN void xg_fft_take(xg_fft_site *d, const xg_fft_turn *t, bool first, xg_elem *x) {
    int64_t radix = t->row->radix, run = t->row->length / radix * t->row->inner, q;
    xg_kval *exists = xg_fft_exists(d, t, first), *at[XG_RANK_MAX], *place;
    xg_flow f = xg_flow_begin(d->s);
    xg_elem zero;
    if (exists) zero = xg_fft_zero(d);
    for (q = 0; exists && q < radix; q++) {
        x[q] = zero;
        xg_flow_elem(&f, &x[q]);
    }
    xg_flow_if(&f, exists);
    if (first) xg_fft_global_first(d, xg_fft_from(d, t, 0), at);
    if (first && d->out_pair == 2)
        xg_fft_join_halves(d, t, at, x);
    else
        for (q = 0; q < radix; q++) {
            if (first) {
                x[q] = xg_fft_read(d, t, at, q);
                continue;
            }
            place = xg_fft_place_of(d, t, xg_fft_from, run, t->row->length * t->row->inner, q, &at[0]);
            x[q] = xg_emit_split(&d->s->b, xg_kextract(&d->s->b, d->shared, &place, 1));
        }
    if (first && d->twisted) xg_fft_twist_first(d, t, at, x);
    xg_flow_end(&f);
}
XG_FN void xg_fft_twist(xg_fft_site *d, const xg_fft_turn *t, xg_elem *x) {
    xg_aff_ctx *a = d->e->m->aff;
    int64_t radix = t->row->radix, done = t->row->done, q;
    xg_elem w[XG_FFT_RADIX_MAX + 1];
    if (done == 1) return;
    w[1] = xg_fft_root_at(&d->s->b,
        xg_fft_index(d, xg_aff_div(a, xg_aff_mod(a, t->rest, done * t->row->inner), t->row->inner)), done - 1,
        done * radix, d->sign, d->real);
    for (q = 1; q < radix; q++) {
        if (q > 1) w[q] = xg_fft_times(&d->s->b, w[q / 2], w[q - q / 2]);
        x[q] = xg_fft_times(&d->s->b, x[q], w[q]);
    }
}
XG_FN void xg_fft_put(xg_fft_site *d, const xg_fft_turn *t, bool last, const xg_elem *x, xg_kval **dest) {
    xg_kval *exists = xg_fft_exists(d, t, last), **to = last ? dest : &d->shared, *at[XG_RANK_MAX], *place;
    int64_t run = t->row->done * t->row->inner, c;
    xg_flow f = xg_flow_of(d->s, to);
    xg_flow_if(&f, exists);
    if (last) xg_fft_global_first(d, xg_fft_to(d, t, 0), at);
    if (last && d->in_pair == 2)
        xg_fft_part_in_registers(d, at, x, to);
    else
        for (c = 0; c < t->row->radix; c++) {
            if (last) {
                xg_fft_write(d, t, x[c], at, c, to);
                continue;
            }
            place = xg_fft_place_of(d, t, xg_fft_to, run, run * t->row->radix, c, &at[0]);
            *to = xg_kinsert_at(&d->s->b, xg_emit_join(&d->s->b, x[c]), *to, place);
        }
    xg_flow_end(&f);
}
XG_APART XG_FN void xg_fft_register_stage(xg_fft_site *d, uint32_t number, xg_kval **dest) {
    const xg_fft_stage_row *row = &d->stages.p[number];
    bool first = number == 0, last = number + 1 == d->stages.n && !d->parts;
    int64_t turns = (d->count * d->volume / row->radix + d->threads - 1) / d->threads, i;
    xg_elem *x = XG_NEW_N(d->e->arena, xg_elem, turns * row->radix);
    xg_fft_turn *t = XG_NEW_N(d->e->arena, xg_fft_turn, turns);
    for (i = 0; i < turns; i++) {
        t[i] = xg_fft_turn_of(d, row, i);
        xg_fft_take(d, &t[i], first, x + i * row->radix);
    }
    if (!first && !last) {
        if (d->other)
            xg_fft_exchange(d);
        else
            xg_fft_wait(d, &d->shared);
    }
    for (i = 0; i < turns; i++) {
        xg_fft_twist(d, &t[i], x + i * row->radix);
        xg_fft_butterfly(&d->s->b, x + i * row->radix, row->radix, d->sign);
        xg_fft_put(d, &t[i], last, x + i * row->radix, dest);
    }
    if (!last) xg_fft_wait(d, &d->shared);
}

/* ---- a stage by its definition ---- */

/* chunk * threads + thread, and whether that is below the limit (NULL: always). */
XG_FN xg_kval *xg_fft_nth(xg_fft_site *d, xg_kval *chunk, int64_t limit, xg_kval **below) {
    xg_kb *b = &d->s->b;
    xg_kval *v = xg_kaddi(b, xg_k2_int(b, XG_K_OP_MULI, chunk, d->threads), d->where[0]);
    bool exact = limit % d->threads == 0;
    xg_kval_set_range(v, xg_range_of(0, (exact ? limit : (limit / d->threads + 1) * d->threads) - 1));
    *below = exact ? NULL : xg_kcmpi_int(b, XG_CI_SLT, v, limit);
    return v;
}
/* table[k] = the root of order n to the power k */
XG_FN void xg_fft_fill_table(xg_fft_site *d, int64_t n) {
    xg_flow all = xg_flow_of(d->s, &d->table), some;
    xg_kval *below, *at;
    xg_elem w;
    if (d->table_of == n) return;
    if (d->table_of) xg_fft_wait(d, &d->table);
    d->table_of = n;
    at = xg_fft_for(d, &all, (n + d->threads - 1) / d->threads);
    at = xg_fft_nth(d, at, n, &below);
    some = xg_flow_of(d->s, &d->table);
    xg_flow_if(&some, below);
    w = xg_fft_root_at(&d->s->b, at, n - 1, n, d->sign, d->real);
    d->table = xg_kinsert_at(&d->s->b, xg_emit_join(&d->s->b, w), d->table, at);
    xg_flow_end(&some);
    xg_flow_end(&all);
    xg_fft_wait(d, &d->table);
}
/* The result at an element: the sum over q of x[from + q] root^(q (k + L c)). */
XG_APART XG_FN xg_elem xg_fft_sum(xg_fft_site *d, const xg_fft_stage_row *row, xg_kval *element) {
    xg_aff_ctx *x = d->e->m->aff;
    xg_kb *b = &d->s->b;
    int64_t all = d->count * d->volume, order = row->done * row->radix;
    const xg_aff *to = xg_aff_dim_0(x), *rest = xg_aff_mod(x, to, row->length * row->inner),
                 *at = xg_aff_div(x, rest, row->inner), *power = xg_aff_mod(x, at, order), *from;
    xg_kval *step, *place, *next, *over, *reached, *var;
    xg_flow f = xg_flow_begin(d->s);
    xg_elem v, w, r;
    from = xg_aff_add_mul(x, xg_aff_mod(x, at, row->done), xg_aff_div(x, at, order), row->done);
    from = xg_aff_add_dim(x, from, 1, row->length / row->radix);
    from = xg_aff_add_mul(x, xg_aff_mod(x, rest, row->inner), from, row->inner);
    from = xg_aff_add_mul(x, from, xg_aff_div(x, to, row->length * row->inner), row->length * row->inner);
    from = xg_fft_place(d, from);
    reached = xg_elem_index_0(d->s);
    xg_fft_apply_to(d, element, all, reached, row->radix, &power, 1, &step);
    r = xg_fft_zero(d);
    xg_flow_elem(&f, &r);
    xg_flow_slot(&f, &reached);
    var = xg_fft_for(d, &f, row->radix);
    xg_kval_set_range(reached, xg_range_of(0, order - 1));
    xg_fft_apply_to(d, element, all, var, row->radix, &from, 1, &place);
    v = xg_emit_split(b, xg_kextract(b, d->shared, &place, 1));
    w = xg_emit_split(b, xg_kextract(b, d->table, &reached, 1));
    r.v = xg_k3(b, XG_K_OP_FMA, v.v, w.v, r.v);
    r.v = xg_k3(b, XG_K_OP_FMA, xg_k1(b, XG_K_OP_NEGF, v.im), w.im, r.v);
    r.im = xg_k3(b, XG_K_OP_FMA, v.v, w.im, r.im);
    r.im = xg_k3(b, XG_K_OP_FMA, v.im, w.v, r.im);
    next = xg_kaddi(b, reached, step);
    xg_kval_set_range(next, xg_range_of(0, 2 * order - 2));
    over = xg_k2_int(b, XG_K_OP_SUBI, next, order);
    reached = XG_KSELECT(b, xg_kcmpi_int(b, XG_CI_SGE, next, order), over, next);
    xg_kval_set_range(reached, xg_range_of(0, order - 1));
    xg_flow_end(&f);
    return r;
}
XG_FN void xg_fft_sum_stage(xg_fft_site *d, uint32_t number) {
    const xg_fft_stage_row *row = &d->stages.p[number];
    int64_t all = d->count * d->volume;
    xg_kval *below, *element, *place;
    const xg_aff *where = xg_fft_place(d, xg_aff_dim_0(d->e->m->aff));
    xg_flow loop = xg_flow_of(d->s, &d->other), some;
    xg_elem v;
    xg_fft_fill_table(d, row->done * row->radix);
    element = xg_fft_for(d, &loop, (all + d->threads - 1) / d->threads);
    element = xg_fft_nth(d, element, all, &below);
    some = xg_flow_of(d->s, &d->other);
    xg_flow_if(&some, below);
    v = xg_fft_sum(d, row, element);
    xg_fft_apply_to(d, element, all, element, all, &where, 1, &place);
    d->other = xg_kinsert_at(&d->s->b, xg_emit_join(&d->s->b, v), d->other, place);
    xg_flow_end(&some);
    xg_flow_end(&loop);
    xg_fft_exchange(d);
    xg_fft_wait(d, &d->shared);
}

/* ---- the kernel ---- */

/* Do neighbours in memory belong to different transforms? */
XG_FN bool xg_fft_crosses(const xg_shape *s, int64_t volume) {
    uint32_t minor = xg_fuse_minor(s);
    return volume > 1 && minor < s->rank - 1 && s->dims[s->rank - 1] > 1;
}
XG_FN void xg_fft_describe(xg_fft_site *d, xg_fusion_emission *e, const xg_inst *i) {
    const xg_shape *in = XG_OPERAND(i, 0)->shape;
    xg_ints n = xg_attr_ints(i, XG_A_fft_length);
    xg_str type = xg_attr_str(i, XG_A_fft_type);
    uint32_t k;
    memset(d, 0, sizeof *d);
    d->e = e;
    d->i = i;
    d->n = n.n;
    d->to_real = xg_str_is(type, "IRFFT");
    d->sign = d->to_real || xg_str_is(type, "IFFT") ? 1 : -1;
    d->scale = 1;
    d->volume = 1;
    d->in_pair = d->out_pair = 1;
    if (xg_fft_lengths(i, d->length)) *(d->to_real ? &d->out_pair : &d->in_pair) = 2;
    for (k = 0; k < n.n; k++) d->volume *= d->length[k];
    if (d->sign > 0) d->scale = 1.0 / (double)(d->volume * d->out_pair);
    d->in_last = in->dims[in->rank - 1];
    d->out_last = i->shape->dims[in->rank - 1];
    d->lines = 1;
    for (k = 0; k + n.n < in->rank; k++) d->lines *= in->dims[k];
    d->real = xg_kelem_of(xg_type_real(i->shape->type));
    d->bytes = 2 * xg_kelem_bytes(d->real);
    d->count = 1;
    d->twisted = xg_fft_twiddle(i, &d->twist_dim, &d->twist_length);
    d->beside = xg_fft_crosses(in, d->volume) || xg_fft_crosses(i->shape, d->volume);
}
/* What the stages of so many threads cost a warp, in instructions: a butterfly has its roots and, for each element,
 * what it is multiplied and added by. */
XG_FN int64_t xg_fft_threads_cost(const xg_fft_site *d, int64_t threads) {
    int64_t warps = (threads + XG_WARP_LANES - 1) / XG_WARP_LANES, cost = 0;
    uint32_t k;
    for (k = 0; k < d->stages.n; k++) {
        int64_t radix = d->stages.p[k].radix, sum = radix > XG_FFT_RADIX_MAX,
                work = d->count * d->volume / (sum ? 1 : radix);
        cost += (work + threads - 1) / threads * warps * (sum ? 10 * radix : 30 + 12 * radix);
    }
    return cost;
}
/* As many threads as the stage with the most butterflies has, or as one with fewer where that leaves fewer of them idle
 * in the others; but none holds more than XG_FFT_HELD elements for that. */
XG_FN int64_t xg_fft_threads(const xg_fft_site *d) {
    int64_t limit = d->bytes == 16 ? XG_FFT_THREADS_WIDE : XG_FFT_THREADS_MAX, all = d->count * d->volume, most = 1,
            best, turns, cost;
    uint32_t k;
    for (k = 0; k < d->stages.n; k++)
        most = XG_MAX(most, all / (d->stages.p[k].radix > XG_FFT_RADIX_MAX ? 4 : d->stages.p[k].radix));
    turns = (most + limit - 1) / limit;
    best = (most + turns - 1) / turns;
    cost = xg_fft_threads_cost(d, best);
    for (k = 0; k < d->stages.n; k++) {
        int64_t threads = all / d->stages.p[k].radix;
        if (threads > limit || threads * XG_FFT_HELD < all || xg_fft_threads_cost(d, threads) >= cost) continue;
        best = threads;
        cost = xg_fft_threads_cost(d, threads);
    }
    return best;
}
/* More transforms a block, until there are as many threads as one likes, as long as there are enough blocks. Requires:
 * one fits. */
XG_FN void xg_fft_gather(xg_fft_site *d) {
    enum {
        BLOCK_THREADS = 512 /* resident ones of the device for each block: with fewer blocks multiprocessors idle */
    };
    int64_t threads, plenty = d->e->target->resident_threads / BLOCK_THREADS;
    d->stages = xg_fft_stages_of(d->length, d->n, 1);
    if (d->beside)
        for (d->count = 2 * XG_SECTOR_BYTES / d->bytes;
             d->count > 1 && (d->count > d->lines || !xg_fft_fits(d->length, d->n, d->count, d->bytes));
             d->count /= 2) {} /* two sectors of neighbours */
    threads = xg_fft_threads(d);
    while (2 * d->count <= d->lines && 2 * threads <= XG_LAUNCH_THREADS &&
           (threads < XG_WARP_LANES || d->lines >= 2 * d->count * plenty) &&
           xg_fft_fits(d->length, d->n, 2 * d->count, d->bytes)) {
        d->count *= 2;
        threads = xg_fft_threads(d);
    }
    d->blocks = (d->lines + d->count - 1) / d->count;
    if (d->beside) d->stages = xg_fft_stages_of(d->length, d->n, d->count);
    d->parts = d->in_pair == 2 && (d->stages.n > 1 || d->volume > d->length[d->n - 1]);
    /* the parting brings the elements to where they belong */
    if (d->parts && d->stages.n > 1 && d->stages.p[d->stages.n - 1].radix == 1) d->stages.n--;
}
XG_FN bool xg_fft_uses_shared(const xg_fft_site *d) { return d->stages.n > 1 || d->parts; }
/* A stage that reads one array while it writes the other needs no second barrier. */
XG_FN bool xg_fft_has_two(const xg_fft_site *d) {
    return d->stages.table || (d->stages.n + d->parts > 2 &&
                                  2 * xg_fft_places(d->count * d->volume, d->bytes) * d->bytes <= XG_FFT_TWICE_MAX);
}
XG_FN int64_t xg_fft_shared_bytes(const xg_fft_site *d) {
    if (!xg_fft_uses_shared(d) || !d->i->shape->elements || !XG_OPERAND(d->i, 0)->shape->elements) return 0;
    return xg_shared_whole(xg_fft_places(d->count * d->volume, d->bytes) * d->bytes) * (xg_fft_has_two(d) ? 2 : 1) +
           xg_shared_whole(d->stages.table * d->bytes);
}
XG_FN void xg_fft_allocate(xg_fft_site *d) {
    int64_t places = xg_fft_places(d->count * d->volume, d->bytes), table = d->stages.table;
    xg_kelem element = d->bytes == 16 ? XG_E_C128 : XG_E_C64;
    if (!xg_fft_uses_shared(d)) return;
    d->shared_type = xg_kir_tensor(d->e->m, element, &places, 1);
    d->shared = xg_shared_of(&d->s->b, d->shared_type);
    if (xg_fft_has_two(d)) d->other = xg_shared_of(&d->s->b, d->shared_type);
    if (table) d->table = xg_shared_array(&d->s->b, element, table);
}
XG_FN xg_kval *xg_fft_transform(xg_fft_site *d, xg_kval *dest) {
    uint32_t k;
    if (!d->i->shape->elements || !XG_OPERAND(d->i, 0)->shape->elements) return dest;
    xg_fft_allocate(d);
    for (k = 0; k < d->stages.n; k++) {
        if (d->stages.p[k].radix > XG_FFT_RADIX_MAX)
            xg_fft_sum_stage(d, k);
        else
            xg_fft_register_stage(d, k, &dest);
    }
    if (d->parts) xg_fft_part_halves(d, &dest);
    return dest;
}
/* Transforms from .. to - 1; number k has the blocks first[k] .. first[k + 1] - 1. */
XG_FN void xg_fft_sections(
    xg_fft_site *list, const int64_t *first, uint32_t from, uint32_t to, xg_kval *const *where, xg_kval **dest) {
    xg_scope *s = list[from].s;
    uint32_t mid = from + (to - from) / 2, k;
    xg_flow f = xg_flow_begin(s);
    if (to - from == 1) {
        list[from].where[0] = where[0];
        list[from].where[1] = where[1];
        if (first[from]) {
            list[from].where[1] = xg_k2_int(&s->b, XG_K_OP_SUBI, where[1], first[from]);
            xg_kval_set_range(list[from].where[1], xg_range_of(0, list[from].blocks - 1));
        }
        dest[from] = xg_fft_transform(&list[from], dest[from]);
        return;
    }
    for (k = from; k < to; k++) xg_flow_slot(&f, &dest[k]);
    xg_flow_if(&f, xg_kcmpi_int(&s->b, XG_CI_SLT, where[1], first[mid]));
    xg_fft_sections(list, first, from, mid, where, dest);
    xg_flow_else(&f);
    xg_fft_sections(list, first, mid, to, where, dest);
    xg_flow_end(&f);
}

/* Transforms side by side, each with blocks of its own: number k has first[k] .. first[k + 1] - 1. */
typedef struct xg_fft_kernel {
    xg_fft_site *list;
    int64_t *first, threads;
} xg_fft_kernel;
XG_FN bool xg_emit_fft_plan(xg_fusion_emission *e) {
    xg_fft_kernel *w;
    uint32_t k;
    for (k = 0; k < e->n_roots; k++)
        if (e->roots[k]->op != XG_FFT) return false;
    if (!e->n_roots) return false;
    w = XG_NEW(e->arena, xg_fft_kernel);
    e->form = w;
    w->list = XG_NEW_N(e->arena, xg_fft_site, e->n_roots);
    w->first = XG_NEW_N(e->arena, int64_t, e->n_roots + 1);
    w->threads = 1;
    for (k = 0; k < e->n_roots; k++) {
        xg_fft_site *d = &w->list[k];
        xg_fft_describe(d, e, e->roots[k]);
        if (!xg_fft_fits(d->length, d->n, 1, d->bytes))
            xg_hlo_fail(d->i, XLAGPU_ERROR_UNSUPPORTED, "leave it outside of the fusion",
                "an fft of %lld elements does not fit into one block", (long long)d->volume);
        xg_fft_gather(d);
        e->record->launch.shared += xg_fft_shared_bytes(d);
        w->threads = XG_MAX(w->threads, xg_fft_threads(d));
        if (!xg_add64(w->first[k], d->blocks, &w->first[k + 1]) || w->first[k + 1] > INT32_MAX)
            xg_hlo_fail(d->i, XLAGPU_ERROR_LIMIT, NULL, "transforms for more than 2147483647 blocks in one kernel");
    }
    return xg_emit_launch(e, w->threads, XG_MAX(w->first[e->n_roots], (int64_t)1), 0);
}
XG_FN void xg_emit_fft(xg_fusion_emission *e) {
    xg_kfunc *f = e->m->entry;
    xg_fft_kernel *w = (xg_fft_kernel *)e->form;
    xg_scope s;
    xg_kval **dest = xg_emit_enter(e, &s), *where[2];
    uint32_t k;
    where[0] = xg_kthread_id(&s.b, 0, w->threads);
    where[1] = xg_kblock_id(&s.b, 0, f->blocks[0]);
    for (k = 0; k < e->n_roots; k++) {
        w->list[k].s = &s;
        w->list[k].threads = w->threads;
    }
    xg_fft_sections(w->list, w->first, 0, e->n_roots, where, dest);
    xg_kreturn(&s.b, dest, e->n_roots);
}

#endif /* XG_BLOCK_FFT_C */
