/* block/fft_real.c -- an fft with real numbers at one end.
 *
 * n of them, n even, are n / 2 = h complex numbers z[j] = x[2 j] + i x[2 j + 1] in the last dimension, and what is
 * transformed is those (Cooley, Lewis and Welch, "The fast Fourier transform algorithm: programming considerations in
 * the calculation of sine, cosine and Laplace transforms", 1970). With E and O the spectra of the even and of the odd
 * numbers, w = exp(-2 pi i / n), and -k meaning (-k1, -k2, h - k3), modulo the lengths:
 *     Z[k] = E[k] + i O[k]        2 E[k] = Z[k] + conj Z[-k]        2 i O[k] = Z[k] - conj Z[-k]
 *     X[k] = E[k] + w^k3 O[k]     conj X[-k] = E[k] - w^k3 O[k]
 * So a thread that has Z[k] and Z[-k] makes X[k] and X[-k] with one root. It has them in registers where they hold the
 * whole transform, else from shared memory behind the last stage. On the way back a thread makes each Z[k] that its
 * first butterfly takes from X[k] and X[-k] as it reads them.
 * A spectrum of real numbers is its own mirror image, conjugate, where k3 is 0 or h; of one that is not, what it has in
 * common with its mirror image counts. Odd lengths are transformed whole: the imaginary part is zero, the half spectrum
 * that is missing is mirrored. */
#ifndef XG_BLOCK_FFT_REAL_C
#define XG_BLOCK_FFT_REAL_C
#include "block.h"
#include "../eval/eval.h"
#include "fft_site.c"
#include "fft_butterfly.c"

XG_FN xg_elem xg_fft_conj(const xg_fft_site *d, xg_elem x) {
    x.im = xg_k1(&d->s->b, XG_K_OP_NEGF, x.im);
    return x;
}
XG_FN xg_elem xg_fft_constant(const xg_fft_site *d, xg_complex c) {
    xg_elem w;
    w.v = xg_kconst_float(&d->s->b, d->real, c.re);
    w.im = xg_kconst_float(&d->s->b, d->real, c.im);
    return w;
}

/* ---- odd lengths ---- */

/* Of a half spectrum: where it ends, the element mirrored in all dimensions, conjugate. *mirrored may stay NULL. */
XG_FN void xg_fft_mirrored(const xg_fft_site *d, xg_range last, xg_kval **at, xg_kval **mirrored) {
    xg_kb *b = &d->s->b;
    uint32_t rank = d->i->shape->rank, k;
    if (last.hi < d->in_last) return;
    *mirrored = xg_kcmpi_(b, XG_CI_SGE, at[rank - 1], xg_elem_index(d->s, d->in_last));
    for (k = 0; k < d->n; k++) {
        xg_kval **i = &at[rank - d->n + k], *other;
        int64_t n = d->length[k];
        other = xg_ksubi(b, xg_elem_index(d->s, n), *i);
        if (k + 1 < d->n) other = XG_KSELECT(b, xg_kcmpi_int(b, XG_CI_EQ, *i, 0), *i, other);
        *i = xg_kselect(b, *mirrored, other, *i);
        xg_kval_set_range(*i, xg_range_of(0, (k + 1 < d->n ? n : d->in_last) - 1));
    }
}

/* ---- pairs of real numbers ---- */

/* Pair number at[last], element by element: a loop, so that one access takes both. */
XG_FN xg_kval *xg_fft_each_of_pair(xg_fft_site *d, xg_flow *f, xg_kval **at) {
    xg_aff_ctx *x = d->e->m->aff;
    uint32_t last = d->i->shape->rank - 1;
    const xg_aff *where = xg_aff_add_dim(x, xg_aff_dim_1(x), 0, 2);
    xg_kval *which = xg_fft_for(d, f, 2);
    xg_fft_apply_to(d, at[last], d->length[d->n - 1], which, 2, &where, 1, &at[last]);
    return which;
}
XG_FN xg_elem xg_fft_read_pair(xg_fft_site *d, xg_kval **at) {
    xg_elem v = xg_fft_zero(d);
    xg_flow f = xg_flow_begin(d->s);
    xg_flow_elem(&f, &v);
    (void)xg_fft_each_of_pair(d, &f, at);
    v.v = v.im;
    v.im = xg_elem_of(d->s, XG_OPERAND(d->i, 0), at).v;
    xg_flow_end(&f);
    return v;
}
XG_FN void xg_fft_write_pair(xg_fft_site *d, xg_elem v, xg_kval **at, xg_kval **dest) {
    xg_flow f = xg_flow_of(d->s, dest);
    xg_kval *which = xg_fft_each_of_pair(d, &f, at);
    v.v = xg_kselect(&d->s->b, xg_kcmpi_int(&d->s->b, XG_CI_EQ, which, 0), v.v, v.im);
    v.im = NULL;
    *dest = xg_emit_insert(&d->s->b, v, *dest, d->i->shape, at);
    xg_flow_end(&f);
}

/* ---- from a half spectrum: the first stage reads it ---- */

/* Half of what x and the conjugate of the element at `at` have in common. */
XG_FN xg_elem xg_fft_common(const xg_fft_site *d, xg_elem x, xg_kval *const *at, double sign) {
    xg_elem y = xg_elem_of(d->s, XG_OPERAND(d->i, 0), at);
    y = xg_fft_plus(&d->s->b, x, sign < 0 ? xg_fft_conj(d, y) : y);
    return xg_fft_scaled(&d->s->b, y, 0.5);
}
/* X[k] and conj X[-k], given h - k3; zero: k3 may be 0. */
XG_FN void xg_fft_read_mirrored(xg_fft_site *d, xg_kval **at, xg_kval *opposite, bool zero, xg_elem *x) {
    xg_kb *b = &d->s->b;
    uint32_t last = d->i->shape->rank - 1, k;
    int64_t h = d->length[d->n - 1];
    xg_kval *other[XG_RANK_MAX], *is, *none;
    xg_flow f = xg_flow_begin(d->s);
    memcpy((void *)other, (void *)at, (last + 1) * sizeof *at);
    for (k = 0; k + 1 < d->n; k++) {
        xg_kval **i = &other[last + 1 - d->n + k], *mirror = xg_ksubi(b, xg_elem_index(d->s, d->length[k]), *i);
        *i = XG_KSELECT(b, xg_kcmpi_int(b, XG_CI_EQ, *i, 0), *i, mirror);
        xg_kval_set_range(*i, xg_range_of(0, d->length[k] - 1));
    }
    other[last] = opposite;
    x[0] = xg_elem_of(d->s, XG_OPERAND(d->i, 0), at);
    x[1] = xg_fft_conj(d, xg_elem_of(d->s, XG_OPERAND(d->i, 0), other));
    if (!zero) return;
    is = xg_kcmpi_int(b, XG_CI_EQ, at[last], 0);
    if (d->volume == h) { /* each is its own mirror image */
        none = xg_fft_zero(d).v;
        for (k = 0; k < 2; k++) x[k].im = xg_kselect(b, is, none, x[k].im);
        return;
    }
    for (k = 0; k < 2; k++) xg_flow_elem(&f, &x[k]);
    xg_flow_if(&f, is);
    other[last] = at[last];
    at[last] = xg_elem_index(d->s, h);
    x[0] = xg_fft_common(d, x[0], other, -1);
    x[1] = xg_fft_common(d, x[1], at, 1);
    xg_flow_end(&f);
}
/* What a butterfly of the first stage takes: 2 Z[k] = (X[k] + conj X[-k]) + i 1 / w^k3 (X[k] - conj X[-k]). The scale
 * takes the 2 away. */
XG_FN void xg_fft_join_halves(xg_fft_site *d, const xg_fft_turn *t, xg_kval *const *first, xg_elem *z) {
    xg_kb *b = &d->s->b;
    uint32_t last = d->i->shape->rank - 1;
    int64_t radix = t->row->radix, h = d->length[d->n - 1], step = t->row->length / radix, q;
    bool along = radix > 1 && t->row->dim == d->n - 1;
    xg_elem start = xg_fft_root_at(b, first[last], (along ? step : h) - 1, 2 * h, 1, d->real), x[2], w, sum;
    /* of the opposite places; the others are at distances from it */
    xg_kval *lowest = xg_ksubi(b, xg_elem_index(d->s, along ? h - (radix - 1) * step : h), first[last]);
    xg_kval_set_range(lowest, xg_range_of(1, along ? step : h));
    for (q = 0; q < radix; q++) {
        xg_kval *at[XG_RANK_MAX],
            *opposite = along ? xg_fft_shifted(d, lowest, (radix - 1 - q) * step, h - q * step + 1) : lowest;
        xg_fft_global_of(d, t, first, step, q, at);
        xg_fft_read_mirrored(d, at, opposite, !along || !q, x);
        w = along && q ? xg_fft_times(b, start, xg_fft_constant(d, xg_fft_root(q, 2 * radix, 1))) : start;
        sum = xg_fft_plus(b, x[0], x[1]);
        w = xg_fft_times(b, xg_fft_minus(b, x[0], x[1]), w);
        z[q] = xg_fft_plus_turned(b, sum, w, 1);
    }
}

/* ---- to a half spectrum: behind the last stage ---- */

/* X[k] and X[-k] of z[0] = Z[k] and z[1] = Z[-k], w half of the root. */
XG_FN void xg_fft_part(const xg_fft_site *d, const xg_elem *z, xg_elem w, xg_elem *x) {
    xg_kb *b = &d->s->b;
    xg_elem mirror = xg_fft_conj(d, z[1]), even = xg_fft_scaled(b, xg_fft_plus(b, z[0], mirror), 0.5),
            odd = xg_fft_times(b, xg_fft_minus(b, z[0], mirror), w);
    x[0] = xg_fft_plus_turned(b, even, odd, -1);
    x[1] = xg_fft_conj(d, xg_fft_plus_turned(b, even, odd, 1));
}
/* half a root, k < h */
XG_FN xg_elem xg_fft_half_root(const xg_fft_site *d, int64_t k) {
    xg_complex c = xg_fft_root(k, 2 * d->length[d->n - 1], -1);
    c.re *= 0.5;
    c.im *= 0.5;
    return xg_fft_constant(d, c);
}
/* Of a transform that one thread has whole. */
XG_APART XG_FN void xg_fft_part_in_registers(const xg_fft_site *d, xg_kval **at, const xg_elem *z, xg_kval **dest) {
    int64_t h = d->length[d->n - 1], k;
    uint32_t last = d->i->shape->rank - 1;
    xg_elem out[XG_FFT_RADIX_MAX + 1], pair[2], x[2];
    for (k = 0; 2 * k < h; k++) {
        pair[0] = z[k];
        pair[1] = z[(h - k) % h];
        xg_fft_part(d, pair, xg_fft_half_root(d, k), x);
        out[k] = x[0];
        out[h - k] = x[1];
    }
    if (h % 2 == 0) out[h / 2] = xg_fft_conj(d, z[h / 2]);
    for (k = 0; k <= h; k++) {
        at[last] = xg_elem_index(d->s, k);
        *dest = xg_emit_insert(&d->s->b, out[k], *dest, d->i->shape, at);
    }
}

/* Pairs of a thread: of k3 = start, start + run ... below (h + 1) / 2, `radix` of them. */
typedef struct xg_fft_pairs {
    int64_t run, radix, inner;
    const xg_aff *start, *line, *mirror;
} xg_fft_pairs; /* line, mirror: elements with k3 = 0 */
XG_APART XG_FN xg_fft_pairs xg_fft_pairs_of(const xg_fft_site *d, const xg_aff *number, int64_t radix) {
    xg_aff_ctx *x = d->e->m->aff;
    int64_t h = d->length[d->n - 1], step = h;
    const xg_aff *inside, *rest;
    xg_fft_pairs p;
    uint32_t k;
    p.inner = d->beside ? d->count : 1;
    p.radix = radix;
    p.run = (h + 1) / 2 / radix;
    inside = xg_aff_mod(x, number, p.inner);
    rest = xg_aff_div(x, number, p.inner);
    p.start = xg_aff_mod(x, rest, p.run);
    rest = xg_aff_div(x, rest, p.run);
    p.line = xg_aff_add_mul(x, inside, rest, h * p.inner);
    p.mirror = inside;
    for (k = d->n - 1; k-- > 0;) {
        const xg_aff *i = xg_aff_mod(x, rest, d->length[k]),
                     *other = xg_aff_mod(x, xg_aff_add_k(x, xg_aff_mul(x, i, -1), d->length[k]), d->length[k]);
        p.mirror = xg_aff_add_mul(x, p.mirror, other, step * p.inner);
        rest = xg_aff_div(x, rest, d->length[k]);
        step *= d->length[k];
    }
    p.mirror = xg_aff_add_mul(x, p.mirror, rest, step * p.inner);
    return p;
}
XG_FN const xg_aff *xg_fft_at(const xg_fft_site *d, const xg_fft_pairs *p, const xg_aff *line, const xg_aff *k) {
    xg_aff_ctx *x = d->e->m->aff;
    return xg_fft_place(d, xg_aff_add_mul(x, line, k, p->inner));
}
XG_FN xg_elem xg_fft_load(const xg_fft_site *d, xg_kval *place) {
    return xg_emit_split(&d->s->b, xg_kextract(&d->s->b, d->shared, &place, 1));
}
XG_APART XG_FN void xg_fft_part_pairs(xg_fft_site *d, const xg_fft_pairs *p, xg_kval **dest) {
    xg_aff_ctx *a = d->e->m->aff;
    xg_kb *b = &d->s->b;
    uint32_t last = d->i->shape->rank - 1;
    int64_t h = d->length[d->n - 1], unit = XG_LINE_BYTES / d->bytes, apart = p->run * p->inner, q;
    bool fixed = apart % unit == 0;                                       /* then places are at fixed distances, too */
    const xg_aff *down = xg_aff_add_k(a, xg_aff_mul(a, p->start, -1), h); /* h - start */
    xg_kval *at[2][XG_RANK_MAX], *k[2], *place[2] = {NULL};
    xg_elem root, z[2], x[2], w;
    xg_flow f;
    xg_fft_global_first(d, p->line, at[0]);
    xg_fft_global_first(d, p->mirror, at[1]);
    k[0] = xg_fft_index(d, p->start);
    /* the lowest, the others are at distances from it */
    k[1] = xg_fft_index(d, xg_aff_add_k(a, down, -(p->radix - 1) * p->run));
    root = xg_fft_scaled(b, xg_fft_root_at(b, k[0], p->run - 1, 2 * h, -1, d->real), 0.5);
    for (q = 0; q < p->radix; q++) {
        if (q && fixed)
            place[0] = xg_fft_shifted(d, place[0], apart + apart / unit, 0);
        else
            place[0] = xg_fft_index(d, xg_fft_at(d, p, p->line, xg_aff_add_k(a, p->start, q * p->run)));
        if (q > 1 && fixed)
            place[1] = xg_fft_shifted(d, place[1], -(apart + apart / unit), 0);
        else
            place[1] =
                xg_fft_index(d, xg_fft_at(d, p, p->mirror, xg_aff_mod(a, xg_aff_add_k(a, down, -q * p->run), h)));
        z[0] = xg_fft_load(d, place[0]);
        z[1] = xg_fft_load(d, place[1]);
        w = q ? xg_fft_times(b, root, xg_fft_constant(d, xg_fft_root(q * p->run, 2 * h, -1))) : root;
        xg_fft_part(d, z, w, x);
        at[0][last] = xg_fft_shifted(d, k[0], q * p->run, (q + 1) * p->run);
        at[1][last] = xg_fft_shifted(d, k[1], (p->radix - 1 - q) * p->run, h - q * p->run + 1);
        *dest = xg_emit_insert(b, x[0], *dest, d->i->shape, at[0]);
        *dest = xg_emit_insert(b, x[1], *dest, d->i->shape, at[1]);
    }
    if (h % 2) return;
    f = xg_flow_of(d->s, dest);
    xg_flow_if(&f, xg_kcmpi_int(b, XG_CI_EQ, k[0], 0)); /* X[h / 2] = conj Z[-(h / 2)] */
    at[0][last] = xg_elem_index(d->s, h / 2);
    x[0] = xg_fft_conj(d, xg_fft_load(d, xg_fft_index(d, xg_fft_at(d, p, p->mirror, xg_aff_const(a, h / 2)))));
    *dest = xg_emit_insert(b, x[0], *dest, d->i->shape, at[0]);
    xg_flow_end(&f);
}
/* Pairs a thread takes: four share one computed root, unless neighbouring threads would then write less than two
 * sectors together. */
XG_FN int64_t xg_fft_pairs_together(const xg_fft_site *d) {
    int64_t pairs = (d->length[d->n - 1] + 1) / 2, radix = 4, inner = d->beside ? d->count : 1;
    while (radix > 1 && (pairs % radix || pairs / radix * inner * d->bytes < 64)) radix /= 2;
    return radix;
}
XG_FN void xg_fft_part_halves(xg_fft_site *d, xg_kval **dest) {
    xg_aff_ctx *x = d->e->m->aff;
    int64_t radix = xg_fft_pairs_together(d), h = d->length[d->n - 1],
            work = d->count * (d->volume / h) * ((h + 1) / 2 / radix), i;
    for (i = 0; i * d->threads < work; i++) {
        const xg_aff *number = xg_aff_add_k(x, xg_aff_dim_0(x), i * d->threads);
        xg_fft_pairs p = xg_fft_pairs_of(d, number, radix);
        xg_kval *exists = xg_fft_below(d, number, i, work, p.line);
        xg_flow f = xg_flow_of(d->s, dest);
        xg_flow_if(&f, exists);
        xg_fft_part_pairs(d, &p, dest);
        xg_flow_end(&f);
    }
}

#endif /* XG_BLOCK_FFT_REAL_C */
