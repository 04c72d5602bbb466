/* rt/cufft.c -- transforms by cuFFT: a plan for each call, which works in the call's scratch memory. */
#ifndef XG_RT_CUFFT_C
#define XG_RT_CUFFT_C
#include "library.h"

typedef struct xr_fft_state {
    int plan, direction;
} xr_fft_state;

XG_FN XG_COLD int xr_fft_code(xlagpu_type t) { /* cudaDataType */
    return t == XLAGPU_F32 ? 0 : t == XLAGPU_F64 ? 1 : t == XLAGPU_C64 ? 4 : t == XLAGPU_C128 ? 5 : -1;
}
/* The last dimensions of the array that has all of them, as lengths; how often, 0: it is no such call. */
XG_FN XG_COLD int64_t xr_fft_lengths(const xlagpu_rt_call *c, int64_t rank, long long *lengths) {
    const xlagpu_rt_value *in = &c->arrays[0], *out = &c->arrays[1];
    const xlagpu_rt_value *whole;
    int64_t batch = 1;
    uint32_t k;
    if (c->n_operands != 1 || c->n_results < 1 || rank < 1 || rank > 3 || in->rank != out->rank ||
        rank > (int64_t)in->rank || xr_fft_code(in->type) < 0 || xr_fft_code(out->type) < 0)
        return 0;
    whole = xr_fft_code(in->type) < 2 ? in : out;
    for (k = 0; k < in->rank; k++) {
        bool last = k + 1 == in->rank;
        int64_t half = whole->dims[k] / 2 + 1;
        if (in->minor_to_major[k] != (int64_t)in->rank - 1 - k || out->minor_to_major[k] != in->minor_to_major[k] ||
            whole->dims[k] < 1)
            return 0;
        if (in->dims[k] != (last && whole != in && xr_fft_code(out->type) < 2 ? half : whole->dims[k]) ||
            out->dims[k] != (last && whole == in ? half : whole->dims[k]))
            return 0;
        if (k + rank < in->rank)
            batch *= whole->dims[k];
        else
            lengths[k + rank - in->rank] = whole->dims[k];
    }
    return batch;
}
XG_FN XG_COLD void xr_fft_finish(void *user, const xlagpu_rt_call *c) {
    xlagpu_device *d = (xlagpu_device *)user;
    d->libraries->fft.destroy(((xr_fft_state *)c->state)->plan);
    xg_mem_free(&d->c, c->state);
}
XG_FN XG_COLD xlagpu_status xr_fft_prepare(void *user, xlagpu_rt_call *c) {
    xlagpu_device *d = (xlagpu_device *)user;
    const xr_fft *l = &d->libraries->fft;
    const xlagpu_rt_attribute *rank = xlagpu_rt_attribute_of(c, "rank", XLAGPU_ATTRIBUTE_SCALAR, XLAGPU_S64),
                              *inverse = xlagpu_rt_attribute_of(c, "inverse", XLAGPU_ATTRIBUTE_SCALAR, XLAGPU_PRED);
    int64_t dims = rank ? *(const int64_t *)rank->data : 0, batch;
    long long lengths[3];
    xr_fft_state *s;
    const char *what = "cufftCreate";
    int in, out, e;
    batch = inverse ? xr_fft_lengths(c, dims, lengths) : 0;
    if (!batch) return xr_library_damaged(c);
    s = (xr_fft_state *)xg_mem_alloc(&d->c, sizeof *s);
    if (!s) return XLAGPU_ERROR_MEMORY;
    in = xr_fft_code(c->arrays[0].type);
    out = xr_fft_code(c->arrays[1].type);
    s->direction = *(const char *)inverse->data ? 1 : -1;
    e = l->create(&s->plan);
    if (e) {
        xg_mem_free(&d->c, s);
        return xr_library_failed(c, "cuFFT", what, e, XR_FFT_NO_MEMORY, XR_FFT_NOT_SUPPORTED);
    }
    c->state = s;
    XR_DO(l->own_work(s->plan, 0), "cufftSetAutoAllocation");
    XR_DO(l->make(s->plan, (int)dims, lengths, NULL, 1, 0, in, NULL, 1, 0, out, batch, &c->scratch.bytes,
              in > out ? in : out),
        "cufftXtMakePlanMany");
    if (!e) return XLAGPU_OK;
    xr_fft_finish(user, c);
    return xr_library_failed(c, "cuFFT", what, e, XR_FFT_NO_MEMORY, XR_FFT_NOT_SUPPORTED);
}
XG_FN xlagpu_status xr_fft_call(void *user, const xlagpu_rt_call *c) {
    const xr_fft *l = &((xlagpu_device *)user)->libraries->fft;
    const xr_fft_state *s = (const xr_fft_state *)c->state;
    const char *what = NULL;
    int e = 0;
    XR_DO(l->stream(s->plan, c->stream), "cufftSetStream");
    if (c->scratch.bytes) XR_DO(l->work(s->plan, (void *)(uintptr_t)c->scratch.address), "cufftSetWorkArea");
    XR_DO(l->run(s->plan, xr_library_pointer(c, 0), xr_library_pointer(c, 1), s->direction), "cufftXtExec");
    return e ? xr_library_failed(c, "cuFFT", what, e, XR_FFT_NO_MEMORY, XR_FFT_NOT_SUPPORTED) : XLAGPU_OK;
}

#endif /* XG_RT_CUFFT_C */
