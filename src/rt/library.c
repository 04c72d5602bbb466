/* rt/library.c -- vendor libraries, found at run time: what a LIBRARY_CALL calls.
 *
 * A library is a row of XG_EXE_LIBRARIES and one of xr_library_rows, a list of its functions (library.h), and for each
 * name by which programs call it a function with a beginning and an end, as a caller could register one (calls.c). It
 * is opened when a program is loaded that calls it, and closed with the device. */
#ifndef XG_RT_LIBRARY_C
#define XG_RT_LIBRARY_C
#include "cublaslt.c"
#include "cudnn.c"
#include "cufft.c"
#include "cusolver.c"
#include "device.c"

typedef struct xr_library_row {
    xr_library_file file;
    char name[12];
    uint32_t version, at; /* at: of its functions in struct xr_libraries */
} xr_library_row;
XG_TABLE const xr_library_row xr_library_rows[XG_EXE_LIBRARY_COUNT] = {
    {{"cuBLASLt", "cublasLt", 13, 11}, "cublaslt", XR_LT_OLDEST, offsetof(struct xr_libraries, lt)},
    {{"cuFFT", "cufft", 12, 10}, "cufft", XR_FFT_OLDEST, offsetof(struct xr_libraries, fft)},
    {{"cuDNN", "cudnn", 9, 9}, "cudnn", XR_DNN_OLDEST, offsetof(struct xr_libraries, dnn)},
    {{"cuSOLVER", "cusolver", 12, 10}, "cusolver", XR_SOLVER_OLDEST, offsetof(struct xr_libraries, solver)}};
/* The names of a library's functions, one behind the other; the empty one is the end. */
XG_FN XG_COLD const char *xr_library_symbols(uint32_t which) {
#define X(field, symbol, result, parameters) symbol "\0"
    return which == XG_EXE_LIBRARY_CUBLASLT ? XR_LT_FUNCTIONS(X)
           : which == XG_EXE_LIBRARY_CUFFT  ? XR_FFT_FUNCTIONS(X)
           : which == XG_EXE_LIBRARY_CUDNN  ? XR_DNN_FUNCTIONS(X)
                                            : XR_SOLVER_FUNCTIONS(X);
#undef X
}

XG_FN XG_COLD int xr_library_version(const struct xr_libraries *l, uint32_t which) {
    int version = 0;
    if (which == XG_EXE_LIBRARY_CUBLASLT) return (int)l->lt.version();
    if (which == XG_EXE_LIBRARY_CUDNN) return (int)l->dnn.version();
    if (which == XG_EXE_LIBRARY_CUFFT ? l->fft.version(&version) : l->solver.version(&version)) return 0;
    return version;
}
XG_FN XG_COLD xlagpu_status xr_library_open_row(xlagpu_device *d, uint32_t which) {
    const xr_library_row *r = &xr_library_rows[which];
    struct xr_libraries *l = d->libraries;
    xlagpu_status s = xr_library_bind(&d->c, d->library_folder, &r->file, xr_library_symbols(which), &l->files[which],
        (char *)l + r->at, ": install it, name its folder, or compile with --libraries=none");
    return s == XLAGPU_OK ? xr_library_check(&d->c, &r->file, xr_library_version(l, which), (int)r->version) : s;
}
/* Open from now on, unless it fails. */
XG_FN XG_COLD xlagpu_status xr_library_need(xlagpu_device *d, uint32_t which, const char *name) {
    struct xr_libraries *l;
    xlagpu_status s;
    if (which == XG_EXE_LIBRARY_COUNT || (d->platform != xr_cuda_platform() && !d->library_folder))
        return xr_fail(&d->c, XLAGPU_ERROR_UNSUPPORTED,
            "the library '%s' is not there on the platform \"%s\": compile with --libraries=none", name,
            d->platform->name);
    if (!d->libraries) {
        d->libraries = (struct xr_libraries *)xg_mem_alloc(&d->c, sizeof *d->libraries);
        if (!d->libraries) return xr_no_memory(&d->c);
        memset(d->libraries, 0, sizeof *d->libraries);
    }
    l = d->libraries;
    if (l->files[which]) return XLAGPU_OK;
    s = xr_library_open_row(d, which);
    if (s == XLAGPU_OK) return s;
    xr_library_close(l->files[which]);
    l->files[which] = NULL;
    return s;
}
XG_FN XG_COLD void xr_libraries_close(xlagpu_device *d) {
    uint32_t k;
    for (k = 0; d->libraries && k < XG_EXE_LIBRARY_COUNT; k++) xr_library_close(d->libraries->files[k]);
    xg_mem_free(&d->c, d->libraries);
    d->libraries = NULL;
}

/* ---- what programs call ---- */

/* Of cuSOLVER each function is a target. */
XG_APART XG_FN XG_COLD const xr_function *xr_library_function(xlagpu_device *d, const char *name) {
    static const char prefix[] = XG_EXE_SOLVER_TARGET;
    uint32_t which = strcmp(name, "cublaslt") == 0                   ? XG_EXE_LIBRARY_CUBLASLT
                     : strcmp(name, XG_EXE_FFT_TARGET) == 0          ? XG_EXE_LIBRARY_CUFFT
                     : strcmp(name, XG_EXE_DNN_TARGET) == 0          ? XG_EXE_LIBRARY_CUDNN
                     : strncmp(name, prefix, sizeof prefix - 1) == 0 ? XG_EXE_LIBRARY_CUSOLVER
                                                                     : XG_EXE_LIBRARY_COUNT;
    int routine = which == XG_EXE_LIBRARY_CUSOLVER ? xr_solver_routine(name) : 0;
    xr_function *f;
    if (routine < 0) which = XG_EXE_LIBRARY_COUNT;
    if (xr_library_need(d, which, name) != XLAGPU_OK) return NULL;
    f = &d->libraries->functions[which + (uint32_t)routine];
    xg_format(f->name, sizeof f->name, "%s", name);
    f->desc.user = d;
#define X(name, word) \
    case XG_EXE_LIBRARY_##name: \
        f->desc.call = word##_call; \
        f->desc.prepare = word##_prepare; \
        f->desc.finish = word##_finish; \
        break;
    switch (which) { X(CUBLASLT, xr_lt) X(CUFFT, xr_fft) X(CUDNN, xr_dnn) X(CUSOLVER, xr_solver) }
#undef X
    return f;
}
XLAGPU_DEF XG_COLD const char *xlagpu_rt_libraries(xlagpu_device *d) {
    uint32_t k;
    if (!d || !d->platform) return "";
    d->found_libraries[0] = 0;
    for (k = 0; k < XG_EXE_LIBRARY_COUNT; k++) {
        size_t n = strlen(d->found_libraries);
        if (xr_library_need(d, k, xr_library_rows[k].name) == XLAGPU_OK)
            xg_format(d->found_libraries + n, sizeof d->found_libraries - n, n ? ",%s" : "%s", xr_library_rows[k].name);
    }
    xr_begin(&d->c);
    return d->found_libraries;
}
#undef XR_DO

#endif /* XG_RT_LIBRARY_C */
