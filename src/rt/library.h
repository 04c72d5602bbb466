/* rt/library.h -- the functions that we call of vendor libraries, declared from their documented ABI.
 *
 * X(field, symbol, result, parameters), a list for each library; what is found of it at run time lies in the structs
 * below, function after function in the order of the list. */
#ifndef XG_RT_LIBRARY_H
#define XG_RT_LIBRARY_H
#include "rt.h"

/* ---- finding and binding ---- */

/* file: in lib<file>.so.<newest .. oldest>; newest first, and 0 is lib<file>.so. Texts lie in tables of these, so that
 * they need no relocation. */
typedef struct xr_library_file {
    char title[10], file[10];
    uint8_t newest, oldest;
} xr_library_file;
XG_FN XG_COLD void *xr_library_find(const char *folder, const xr_library_file *f) {
#ifdef _WIN32
    XG_TABLE const char format[] = "%s%s%s64_%d.dll";
#else
    XG_TABLE const char format[] = "%s%slib%s.so.%d";
#endif
    char path[1024];
    void *library = NULL;
    int k;
    for (k = f->newest; k >= f->oldest && !library; k--) {
        xg_format(path, sizeof path, format, folder ? folder : "", folder ? "/" : "", f->file, k);
        if (!k) path[strlen(path) - 2] = 0;
        library = xr_library_open(path);
    }
    return library;
}
/* Its functions, from `to` on in the order of their names, which lie one behind the other; the empty one is the end. */
XG_FN XG_COLD xlagpu_status xr_library_bind(xg_ctx *c, const char *folder, const xr_library_file *f,
    const char *symbols, void **library, char *to, const char *hint) {
    const char *symbol;
    *library = xr_library_find(folder, f);
    if (!*library)
        return xr_fail(c, XLAGPU_ERROR_UNSUPPORTED, "%s cannot be opened (lib%s.so.%d%s)%s", f->title, f->file,
            f->newest, f->oldest ? " or older" : "", hint);
    for (symbol = symbols; *symbol; symbol += strlen(symbol) + 1, to += sizeof *library) {
        void *function = xr_library_symbol(*library, symbol);
        if (!function) return xr_fail(c, XLAGPU_ERROR_UNSUPPORTED, "%s has no %s: it is too old", f->title, symbol);
        memcpy(to, &function, sizeof function);
    }
    return XLAGPU_OK;
}
XG_FN XG_COLD xlagpu_status xr_library_check(xg_ctx *c, const xr_library_file *f, int version, int oldest) {
    return version >= oldest
               ? XLAGPU_OK
               : xr_fail(c, XLAGPU_ERROR_UNSUPPORTED, "%s is of version %d: %d is needed", f->title, version, oldest);
}

/* ---- cuBLASLt ---- */

/* clang-format off */
#define XR_LT_FUNCTIONS(X) \
    X(version, "cublasLtGetVersion", size_t, (void)) \
    X(create, "cublasLtCreate", int, (void **handle)) \
    X(destroy, "cublasLtDestroy", int, (void *handle)) \
    X(desc_new, "cublasLtMatmulDescCreate", int, (void **desc, int compute, int scale)) \
    X(desc_set, "cublasLtMatmulDescSetAttribute", int, (void *desc, int attribute, const void *value, size_t bytes)) \
    X(desc_free, "cublasLtMatmulDescDestroy", int, (void *desc)) \
    X(layout_new, "cublasLtMatrixLayoutCreate", int, (void **layout, int type, uint64_t rows, uint64_t columns, int64_t lead)) \
    X(layout_set, "cublasLtMatrixLayoutSetAttribute", int, (void *layout, int attribute, const void *value, size_t bytes)) \
    X(layout_free, "cublasLtMatrixLayoutDestroy", int, (void *layout)) \
    X(wish_new, "cublasLtMatmulPreferenceCreate", int, (void **wish)) \
    X(wish_set, "cublasLtMatmulPreferenceSetAttribute", int, (void *wish, int attribute, const void *value, size_t bytes)) \
    X(wish_free, "cublasLtMatmulPreferenceDestroy", int, (void *wish)) \
    X(choose, "cublasLtMatmulAlgoGetHeuristic", int, (void *handle, void *desc, void *a, void *b, void *c, void *d, void *wish, int wanted, xr_lt_choice *choices, int *n)) \
    X(matmul, "cublasLtMatmul", int, (void *handle, void *desc, const void *alpha, const void *a, void *la, const void *b, void *lb, const void *beta, const void *c, void *lc, void *d, void *ld, const uint64_t *algorithm, void *workspace, size_t bytes, void *stream))
/* clang-format on */
typedef struct xr_lt_choice {
    uint64_t algorithm[8];
    size_t workspace;
    int status;
    float waves;
    int reserved[4];
} xr_lt_choice;
enum {
    XR_LT_OLDEST = 11000, /* CUDA 11: batches and epilogues as they are used here */
    XR_LT_TRANS_A = 3,    /* of a product's attributes */
    XR_LT_TRANS_B = 4,
    XR_LT_EPILOGUE = 7,
    XR_LT_BIAS = 8,
    XR_LT_SCALE_A = 17, /* and the next one: of B */
    XR_LT_SCALE_D = 20,
    XR_LT_LARGEST = 21, /* of the absolute values of D before it is multiplied */
    XR_LT_BATCH = 5,    /* of a matrix's */
    XR_LT_STRIDE = 6,
    XR_LT_WORKSPACE = 1, /* of a preference's */
    XR_LT_REDUCTIONS = 3,
    XR_LT_IN_ORDER = 6, /* parts of a sum are added by a kernel of its own, not in the order in which they come */
    XR_LT_BF16 = 14,    /* types */
    XR_LT_F8 = 28,
    XR_LT_NO_MEMORY = 3,
    XR_LT_NOT_SUPPORTED = 15
};
typedef struct xr_lt {
#define X(field, symbol, result, parameters) result(*field) parameters;
    XR_LT_FUNCTIONS(X)
#undef X
} xr_lt;

/* ---- cuFFT ---- */

/* clang-format off */
#define XR_FFT_FUNCTIONS(X) \
    X(version, "cufftGetVersion", int, (int *version)) \
    X(create, "cufftCreate", int, (int *plan)) \
    X(destroy, "cufftDestroy", int, (int plan)) \
    X(own_work, "cufftSetAutoAllocation", int, (int plan, int own)) \
    X(make, "cufftXtMakePlanMany", int, (int plan, int rank, long long *n, long long *in_embed, long long in_stride, long long in_distance, int in_type, long long *out_embed, long long out_stride, long long out_distance, int out_type, long long batch, size_t *work, int type)) \
    X(work, "cufftSetWorkArea", int, (int plan, void *work)) \
    X(stream, "cufftSetStream", int, (int plan, void *stream)) \
    X(run, "cufftXtExec", int, (int plan, void *in, void *out, int direction))
/* clang-format on */
typedef struct xr_fft {
#define X(field, symbol, result, parameters) result(*field) parameters;
    XR_FFT_FUNCTIONS(X)
#undef X
} xr_fft;
enum {
    XR_FFT_OLDEST = 10000, /* CUDA 10 */
    XR_FFT_NO_MEMORY = 2,
    XR_FFT_NOT_SUPPORTED = 16
};

/* ---- cuDNN ---- */

/* clang-format off */
#define XR_DNN_FUNCTIONS(X) \
    X(version, "cudnnGetVersion", size_t, (void)) \
    X(why, "cudnnGetLastErrorString", void, (char *message, size_t bytes)) \
    X(open, "cudnnCreate", int, (void **handle)) \
    X(destroy, "cudnnDestroy", int, (void *handle)) \
    X(stream, "cudnnSetStream", int, (void *handle, void *stream)) \
    X(create, "cudnnBackendCreateDescriptor", int, (int kind, void **desc)) \
    X(free, "cudnnBackendDestroyDescriptor", int, (void *desc)) \
    X(set, "cudnnBackendSetAttribute", int, (void *desc, int name, int type, int64_t count, const void *values)) \
    X(get, "cudnnBackendGetAttribute", int, (void *desc, int name, int type, int64_t wanted, int64_t *count, void *values)) \
    X(finalize, "cudnnBackendFinalize", int, (void *desc)) \
    X(execute, "cudnnBackendExecute", int, (void *handle, void *plan, void *pack))
/* clang-format on */
typedef struct xr_dnn {
#define X(field, symbol, result, parameters) result(*field) parameters;
    XR_DNN_FUNCTIONS(X)
#undef X
} xr_dnn;
enum {
    XR_DNN_OLDEST = 90000 /* cuDNN 9: its statuses are other numbers than before */
};

/* ---- cuSOLVER ---- */

/* The factorisations are found by name when a call of theirs is prepared (cusolver.c). */
/* clang-format off */
#define XR_SOLVER_FUNCTIONS(X) \
    X(version, "cusolverGetVersion", int, (int *version)) \
    X(create, "cusolverDnCreate", int, (void **handle)) \
    X(destroy, "cusolverDnDestroy", int, (void *handle)) \
    X(stream, "cusolverDnSetStream", int, (void *handle, void *stream))
/* clang-format on */
typedef struct xr_solver {
#define X(field, symbol, result, parameters) result(*field) parameters;
    XR_SOLVER_FUNCTIONS(X)
#undef X
} xr_solver;
enum {
    XR_SOLVER_OLDEST = 10000, /* CUDA 10 */
    XR_SOLVER_NO_MEMORY = 2,
    XR_SOLVER_NOT_SUPPORTED = 9
};

/* ---- of a device ---- */

enum {
#define X(name) +1
    XR_LIBRARY_TARGETS = XG_EXE_LIBRARY_CUSOLVER XG_EXE_SOLVERS(X) /* one of each library before it, and these */
#undef X
};
struct xr_libraries {
    void *files[XG_EXE_LIBRARY_COUNT]; /* NULL: not open */
    xr_solver solver;
    void *lt_handle, *dnn_handle;
    xr_lock *dnn_lock;            /* of its handle */
    uint32_t lt_users, dnn_users; /* calls that are prepared */
    xr_fft fft;
    xr_dnn dnn;
    xr_lt lt;
    xr_function functions[XR_LIBRARY_TARGETS];
};

/* Unless something failed before: the call, and what failed. */
#define XR_DO(call, symbol) \
    if (!e && (e = (call)) != 0) what = (symbol)

XG_FN XG_COLD xlagpu_status xr_library_failed(
    const xlagpu_rt_call *c, const char *title, const char *what, int error, int no_memory, int not_supported) {
    xg_format(c->error, c->error_bytes, "%s: status %d of %s", what, error, title);
    return error == no_memory       ? XLAGPU_ERROR_MEMORY
           : error == not_supported ? XLAGPU_ERROR_UNSUPPORTED
                                    : XLAGPU_ERROR_DEVICE;
}
XG_FN XG_COLD xlagpu_status xr_library_damaged(const xlagpu_rt_call *c) {
    xg_format(c->error, c->error_bytes, "the executable is damaged: a library call");
    return XLAGPU_ERROR_CORRUPT;
}
XG_FN void *xr_library_pointer(const xlagpu_rt_call *c, int64_t k) { return (void *)(uintptr_t)c->buffers[k].address; }

#endif /* XG_RT_LIBRARY_H */
