/* fuse/fft_passes.c -- transforms that are too long for one block become several, one a kernel, each along one
 * dimension or the last few.
 *
 * What lies in memory as [A, n, B] is transformed along n as the array [A, B, n] whose layout says so: nothing is moved
 * for it. A length N = N1 N2 that is too long by itself takes two passes (Gentleman and Sande, "Fast Fourier
 * transforms: for fun and profit", 1966): over the N1 elements that lie N2 apart, then over N2 neighbours, multiplied
 * by roots of order N first, with the result in the order k1 + N1 k2:
 *     f0 = c64[A,N2 B,N1]{1,2,0} fft(x), fft_length={N1}
 *     f1 = c64[A,N1,B,N2]{2,1,3,0} fft(c64[A,N1,B,N2]{2,3,1,0}), fft_length={N2},
 *     backend_config={"fft_twiddle":{"dimension":"1","length":"N"}}
 * Since they are instructions, the plan sees to the memory between them; passes whose result lies as their operand did
 * are made in place. */
#ifndef XG_FUSE_FFT_PASSES_C
#define XG_FUSE_FFT_PASSES_C
#include "fuse.h"

XG_FN xg_inst *xg_fft_view(
    const xg_hb *b, xg_inst *x, const int64_t *dims, const int32_t *minor_to_major, uint32_t rank) {
    xg_module *m = b->comp->module;
    const xg_shape *s = xg_hb_shape(b, x->shape->type, dims, rank);
    if (minor_to_major) s = xg_shape_with_layout(m, s, xg_layout_make(m, minor_to_major, rank, 0, 0, xg_str_of("", 0)));
    return xg_hb_of(b, XG_BITCAST, s, x);
}
XG_FN xg_inst *xg_fft_made(
    const xg_hb *b, xg_inst *x, const xg_inst *like, const xg_shape *shape, const int64_t *length, uint32_t n) {
    xg_inst *i = xg_hb_of(b, XG_FFT, shape, x);
    xg_inst_set_attr(i, *xg_inst_attr(like, XG_A_fft_type));
    xg_inst_set_ints(i, XG_A_fft_length, length, n);
    return i;
}
/* Of x in memory as [a, n, c]. */
XG_APART XG_FN xg_inst *xg_fft_pass(const xg_hb *b, xg_inst *x, const xg_inst *like, int64_t a, int64_t n, int64_t c) {
    XG_TABLE const int32_t order[3] = {1, 2, 0};
    int64_t dims[3];
    dims[0] = a;
    dims[1] = c;
    dims[2] = n;
    x = xg_fft_view(b, x, dims, order, 3);
    return xg_fft_made(b, x, like, x->shape, &n, 1);
}
XG_APART XG_FN xg_inst *xg_fft_two_passes(
    const xg_hb *b, xg_inst *x, const xg_inst *like, int64_t a, int64_t n, int64_t c, int64_t n1) {
    XG_TABLE const int32_t before[4] = {2, 3, 1, 0}, behind[4] = {2, 1, 3, 0};
    int64_t n2 = n / n1, dims[4];
    char text[96];
    xg_module *m = b->comp->module;
    const xg_shape *to;
    x = xg_fft_pass(b, x, like, a, n1, n2 * c);
    dims[0] = a;
    dims[1] = n1;
    dims[2] = c;
    dims[3] = n2;
    x = xg_fft_view(b, x, dims, before, 4);
    to = xg_shape_with_layout(m, x->shape, xg_layout_make(m, behind, 4, 0, 0, xg_str_of("", 0)));
    x = xg_fft_made(b, x, like, to, &n2, 1);
    xg_format(text, sizeof text, "{\"fft_twiddle\":{\"dimension\":\"1\",\"length\":\"%lld\"}}", (long long)n);
    xg_inst_set_text(x, XG_A_backend_config, text);
    return x;
}
/* Along one dimension, in as many passes as that takes; the result lies in memory as x did. */
XG_APART XG_FN xg_inst *xg_fft_along_memory(
    const xg_hb *b, xg_inst *x, const xg_inst *like, const int64_t *dims, uint32_t rank, uint32_t d) {
    int64_t a = 1, c = 1, n1 = xg_fft_first_pass(dims[d], xg_type_bytes(x->shape->type));
    uint32_t k;
    for (k = 0; k < d; k++) a *= dims[k];
    for (k = d + 1; k < rank; k++) c *= dims[k];
    x = n1 == 1 ? xg_fft_pass(b, x, like, a, dims[d], c) : xg_fft_two_passes(b, x, like, a, dims[d], c, n1);
    return xg_fft_view(b, x, dims, NULL, rank);
}

XG_APART XG_FN void xg_fft_replace_by_passes(xg_inst *i) {
    xg_hb b = xg_hb_at(i);
    xg_inst *x = XG_OPERAND(i, 0);
    xg_ints n = xg_attr_ints(i, XG_A_fft_length);
    xg_str type = xg_attr_str(i, XG_A_fft_type);
    bool from_real = xg_str_is(type, "RFFT"), to_real = xg_str_is(type, "IRFFT");
    const xg_shape *half = to_real ? x->shape : i->shape;
    uint32_t rank = half->rank, last = xg_fft_last_pass(i), k;
    xg_inst *kind = xg_inst_clone(i, i->comp, &x, i); /* whose type the other dimensions have */
    if (from_real || to_real) xg_inst_set_str(kind, XG_A_fft_type, from_real ? XG_STR("FFT") : XG_STR("IFFT"));
    if (from_real) x = xg_fft_made(&b, x, i, i->shape, n.p + last, n.n - last);
    for (k = 0; k < last; k++) x = xg_fft_along_memory(&b, x, kind, half->dims, rank, rank - n.n + k);
    if (!from_real && last < n.n) x = xg_fft_made(&b, x, i, i->shape, n.p + last, n.n - last);
    xg_inst_remove(kind);
    xg_opt_replace(i, x);
    xg_inst_remove(i);
}
XG_FN bool xg_fft_split_one(xg_inst *i) {
    if (i->op != XG_FFT || i->shape->dynamic || xg_fft_is_kernel(i) || !xg_fft_has_passes(i)) return false;
    xg_fft_replace_by_passes(i);
    return true;
}
/* What stands in a fusion of the module's own comes out of it: with something behind it no emitter would take it. */
XG_FN bool xg_fft_unfuse(xg_inst *i) {
    bool found = false;
    if (i->op != XG_FUSION) return false;
    XG_FOR_INSTS(s, xg_attr_calls(i))
        found =
            found || s->op == XG_FFT || s->op == XG_CHOLESKY || s->op == XG_TRIANGULAR_SOLVE || s->op == XG_CUSTOM_CALL;
    if (found) xg_opt_unfuse(i);
    return found;
}
XG_FN bool xg_fuse_split_ffts(xg_module *m) {
    bool changed;
    if (!m->made[XG_FFT] && !m->made[XG_CHOLESKY] && !m->made[XG_TRIANGULAR_SOLVE] && !m->made[XG_CUSTOM_CALL])
        return false;
    changed = xg_opt_each_step(m, xg_fft_unfuse);
    return xg_opt_each_step(m, xg_fft_split_one) || changed;
}

#endif /* XG_FUSE_FFT_PASSES_C */
