/* expand/fft_stages.c -- how one block makes an fft: the stages of a transform that fits into shared memory, for the
 * pass that decides what fits and for the emitter that makes it.
 *
 * The self-sorting form that Cochran et al. ("What is the fast Fourier transform?", 1967) ascribe to Stockham, one
 * dimension after the other. With N the length of the dimension, L the product of its radices so far and I the number
 * of elements inside of it, butterfly b of a stage takes the elements b + q N/R, q < R, multiplies each by the root of
 * order L R to the power q k, k = b mod L, transforms the R of them, and puts result c at (b div L) L R + c L + k.
 * After the last stage they are in order. Prime factors up to XG_FFT_RADIX_MAX are butterflies in registers. A larger
 * one is done by its definition: each result is a sum over all of its elements, with roots from a table in shared
 * memory. Such a stage takes its operands from one array and puts its results into another one. It comes first, where
 * the table is shortest. */
#ifndef XG_EXPAND_FFT_STAGES_C
#define XG_EXPAND_FFT_STAGES_C
#include "expand.h"

/* Places in shared memory: one is left free behind every 128 bytes, so that strides of powers of two meet different
 * banks. */
XG_ONE_COPY XG_FN int64_t xg_fft_places(int64_t elements, int64_t bytes) {
    return elements + (elements - 1) / (128 / bytes);
}

XG_ONE_COPY XG_FN void xg_fft_stage(
    xg_fft_stages *s, uint32_t dim, int64_t radix, int64_t length, int64_t done, int64_t inner) {
    xg_fft_stage_row *r = &s->p[s->n++];
    r->dim = dim;
    r->radix = radix;
    r->length = length;
    r->done = done;
    r->inner = inner;
}

/* The radix of the next stage, given what is left of the length: primes from the largest on, then eights, but rather 4
 * * 4 than 8 * 2. */
XG_FN int64_t xg_fft_radix(int64_t rest) {
    int64_t odd = rest, most = 1, p;
    while (odd % 2 == 0) odd /= 2;
    for (p = 3; p * p <= odd; p += 2)
        while (odd % p == 0) {
            most = p;
            odd /= p;
        }
    if (XG_MAX(most, odd) > 1) return XG_MAX(most, odd);
    return rest == 4 || rest == 16 ? 4 : XG_MIN(rest, (int64_t)8);
}

XG_FN xg_fft_stages xg_fft_stages_of(const int64_t *lengths, uint32_t n, int64_t inner) {
    xg_fft_stages s;
    uint32_t k;
    s.n = 0;
    s.table = 0;
    for (k = n; k-- > 0;) inner *= lengths[k];
    for (k = 0; k < n; k++) {
        int64_t done = 1;
        inner /= lengths[k];
        while (done < lengths[k]) {
            int64_t radix = xg_fft_radix(lengths[k] / done);
            bool sum = radix > XG_FFT_RADIX_MAX;
            if (sum) s.table = XG_MAX(s.table, done * radix);
            if (sum && !s.n) xg_fft_stage(&s, 0, 1, 1, 1, 1); /* brings the elements into shared memory */
            xg_fft_stage(&s, k, radix, lengths[k], done, inner);
            done *= radix;
        }
    }
    if (!s.n || s.p[s.n - 1].radix > XG_FFT_RADIX_MAX)
        xg_fft_stage(&s, 0, 1, 1, 1, 1); /* and from there to where they belong */
    return s;
}

/* Whether one block has the memory for `count` transforms. */
XG_FN bool xg_fft_fits(const int64_t *lengths, uint32_t n, int64_t count, int64_t bytes) {
    int64_t volume = count, places;
    xg_fft_stages s;
    uint32_t k;
    for (k = 0; k < n; k++) {
        if (lengths[k] < 1 || lengths[k] > XG_SHARED_STATIC_BYTES / volume) return false;
        volume *= lengths[k];
    }
    s = xg_fft_stages_of(lengths, n, 1);
    places = xg_fft_places(volume, bytes);
    return bytes * (s.table ? 2 * places + s.table : places) <= XG_SHARED_STATIC_BYTES;
}

/* The length of the first of two passes over a length, the larger divisor that leaves less to the other; 1: one is
 * enough; 0: two are not. */
XG_FN int64_t xg_fft_first_pass(int64_t length, int64_t bytes) {
    int64_t most = XG_SHARED_STATIC_BYTES / bytes, n1 = 1, other;
    if (xg_fft_fits(&length, 1, 1, bytes)) return 1;
    if (length / most > most) return 0;
    while ((n1 + 1) * (n1 + 1) <= length) n1++;
    for (; n1 > 1; n1--) {
        if (length % n1) continue;
        other = length / n1;
        return xg_fft_fits(&n1, 1, 1, bytes) && xg_fft_fits(&other, 1, 1, bytes) ? n1 : 0;
    }
    return 0;
}
/* The lengths that a kernel transforms; whether they are those of pairs: n real numbers, n even, are n / 2 complex ones
 * (block/fft_real.c). */
XG_FN bool xg_fft_lengths(const xg_inst *i, int64_t *length) {
    xg_ints n = xg_attr_ints(i, XG_A_fft_length);
    bool real = xg_type_class(i->shape->type) != XGT_C || xg_type_class(XG_OPERAND(i, 0)->shape->type) != XGT_C,
         pairs = n.n && real && n.p[n.n - 1] % 2 == 0;
    uint32_t k;
    for (k = 0; k < n.n; k++) length[k] = n.p[k];
    if (pairs) length[n.n - 1] /= 2;
    return pairs;
}
/* The first of those last dimensions that one block can transform together. */
XG_FN uint32_t xg_fft_last_pass(const xg_inst *i) {
    uint32_t n = xg_attr_ints(i, XG_A_fft_length).n, k = n;
    int64_t length[3];
    xg_fft_lengths(i, length);
    while (k && xg_fft_fits(length + k - 1, n - k + 1, 1, xg_type_bits(xg_type_real(i->shape->type)) / 4)) k--;
    return k;
}
XG_FN bool xg_fft_is_kernel(const xg_inst *i) {
    return i->shape->elements && XG_OPERAND(i, 0)->shape->elements && xg_fft_last_pass(i) == 0;
}
/* By passes, one a kernel. The last dimension of real numbers is not cut. */
XG_FN bool xg_fft_has_passes(const xg_inst *i) {
    xg_ints n = xg_attr_ints(i, XG_A_fft_length);
    uint32_t last = xg_fft_last_pass(i), k;
    if (!i->shape->elements || !XG_OPERAND(i, 0)->shape->elements) return false;
    if (last == n.n &&
        (xg_type_class(i->shape->type) != XGT_C || xg_type_class(XG_OPERAND(i, 0)->shape->type) != XGT_C))
        return false;
    for (k = 0; k < last; k++)
        if (!xg_fft_first_pass(n.p[k], xg_type_bits(xg_type_real(i->shape->type)) / 4)) return false;
    return true;
}

#endif /* XG_EXPAND_FFT_STAGES_C */
