/* rt/cuda.c -- the platform "cuda": NVIDIA's driver API, found at run time.
 *
 * The driver's functions are rows of one table: their types are declared here, from the documented ABI, so no CUDA header is needed. The
 * device's primary context is used, so that buffers and streams of other code in the process (the CUDA runtime, a game engine) are ours too. It is made
 * current for each public call and put back afterwards. A driver older than the PTX's version is told apart from a broken kernel in the message. */
#ifndef XG_RT_CUDA_C
#define XG_RT_CUDA_C
#include "rt.h"

#if defined(_WIN32)
#define XR_CUDAAPI __stdcall
#else
#define XR_CUDAAPI
#endif

/* X(field, symbol, parameters): all return an int status, 0 for success. */
#define XR_CUDA_FUNCTIONS(X) \
    X(init, "cuInit", (unsigned flags)) \
    X(driver_version, "cuDriverGetVersion", (int *version)) \
    X(device_get, "cuDeviceGet", (int *device, int ordinal)) \
    X(device_count, "cuDeviceGetCount", (int *count)) \
    X(device_name, "cuDeviceGetName", (char *name, int n, int device)) \
    X(device_attribute, "cuDeviceGetAttribute", (int *value, int attribute, int device)) \
    X(context_retain, "cuDevicePrimaryCtxRetain", (void **context, int device)) \
    X(context_release, "cuDevicePrimaryCtxRelease_v2", (int device)) \
    X(context_push, "cuCtxPushCurrent_v2", (void *context)) \
    X(context_pop, "cuCtxPopCurrent_v2", (void **context)) \
    X(alloc, "cuMemAlloc_v2", (uint64_t *address, size_t bytes)) \
    X(release, "cuMemFree_v2", (uint64_t address)) \
    X(alloc_host, "cuMemAllocHost_v2", (void **memory, size_t bytes)) \
    X(release_host, "cuMemFreeHost", (void *memory)) \
    X(upload, "cuMemcpyHtoD_v2", (uint64_t to, const void *from, size_t bytes)) \
    X(download, "cuMemcpyDtoH_v2", (void *to, uint64_t from, size_t bytes)) \
    X(copy, "cuMemcpyAsync", (uint64_t to, uint64_t from, size_t bytes, void *stream)) \
    X(fill32, "cuMemsetD32Async", (uint64_t to, unsigned value, size_t n, void *stream)) \
    X(fill8, "cuMemsetD8Async", (uint64_t to, unsigned char value, size_t n, void *stream)) \
    X(stream_wait, "cuStreamSynchronize", (void *stream)) \
    X(context_wait, "cuCtxSynchronize", (void)) \
    X(module_load, "cuModuleLoadDataEx", (void **module, const void *image, unsigned n, int *options, void **values)) \
    X(module_unload, "cuModuleUnload", (void *module)) \
    X(function, "cuModuleGetFunction", (void **function, void *module, const char *name)) \
    X(function_attribute, "cuFuncSetAttribute", (void *function, int attribute, int value)) \
    X(launch, "cuLaunchKernel", (void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream, void **params, void **extra)) \
    X(error_name, "cuGetErrorName", (int error, const char **text)) \
    X(error_string, "cuGetErrorString", (int error, const char **text))

typedef struct xr_cuda {
    void *library, *context;
    int device, version;
    bool retained;
#define X(field, symbol, parameters) int (XR_CUDAAPI *field) parameters;
    XR_CUDA_FUNCTIONS(X)
#undef X
} xr_cuda;

enum { XR_CUDA_CC_MAJOR = 75, XR_CUDA_CC_MINOR = 76, XR_CUDA_SHARED_OPTIN = 8 };
enum { XR_CUDA_JIT_INFO = 3, XR_CUDA_JIT_INFO_SIZE = 4, XR_CUDA_JIT_ERROR = 5, XR_CUDA_JIT_ERROR_SIZE = 6 };
enum { XR_CUDA_UNSUPPORTED_PTX_VERSION = 222, XR_CUDA_OUT_OF_MEMORY = 2 };

XG_FN xr_cuda *xr_cuda_of(xlagpu_device *d) { return (xr_cuda *)d->state; }

/* An answer of the driver as a status, its message in c. */
XG_FN xlagpu_status xr_cuda_check(xg_ctx *c, const xr_cuda *u, int error, const char *what) {
    const char *name = NULL, *text = NULL;
    if (!error) return XLAGPU_OK;
    u->error_name(error, &name);
    u->error_string(error, &text);
    return xr_fail(c, error == XR_CUDA_OUT_OF_MEMORY ? XLAGPU_ERROR_MEMORY : XLAGPU_ERROR_DEVICE, "%s: %s (%s, error %d)", what, text ? text : "the driver failed", name ? name : "?", error);
}
#define XR_CUDA(d, call, what) xr_cuda_check(&(d)->c, xr_cuda_of(d), xr_cuda_of(d)->call, (what))

XG_FN xlagpu_status xr_cuda_push(xg_ctx *c, const xr_cuda *u) { return xr_cuda_check(c, u, u->context_push(u->context), "making the GPU's context current"); }
XG_FN void xr_cuda_pop(const xr_cuda *u) { void *context; u->context_pop(&context); }

/* The library's name, then every function. */
XG_FN xlagpu_status xr_cuda_bind(xlagpu_device *d, const char *path) {
    static const char *const names[] = {
#ifdef _WIN32
        "nvcuda.dll",
#else
        "libcuda.so.1", "libcuda.so", "/usr/lib/wsl/lib/libcuda.so.1",
#endif
    };
    xr_cuda *u = xr_cuda_of(d);
    size_t k;
    void *f;
    if (path) u->library = xr_library_open(path);
    else for (k = 0; k < XG_COUNT(names) && !u->library; k++) u->library = xr_library_open(names[k]);
    if (!u->library) return xr_fail(&d->c, XLAGPU_ERROR_NO_DEVICE, "no NVIDIA driver here: %s cannot be opened; the platform \"host\" simulates", path ? path : names[0]);
#define X(field, symbol, parameters) \
    f = xr_library_symbol(u->library, symbol); \
    if (!f) return xr_fail(&d->c, XLAGPU_ERROR_NO_DEVICE, "the NVIDIA driver has no %s: it is too old", symbol); \
    memcpy(&u->field, &f, sizeof f);
    XR_CUDA_FUNCTIONS(X)
#undef X
    return XLAGPU_OK;
}

XG_FN xlagpu_status xr_cuda_describe(xlagpu_device *d) {
    xr_cuda *u = xr_cuda_of(d);
    int major = 0, minor = 0;
    xlagpu_status s = XR_CUDA(d, device_name(d->name, (int)sizeof d->name, u->device), "asking for the GPU's name");
    if (s == XLAGPU_OK) s = XR_CUDA(d, device_attribute(&major, XR_CUDA_CC_MAJOR, u->device), "asking for the compute capability");
    if (s == XLAGPU_OK) s = XR_CUDA(d, device_attribute(&minor, XR_CUDA_CC_MINOR, u->device), "asking for the compute capability");
    xg_format(d->target, sizeof d->target, "sm_%d%d%s", major, minor, major == 9 ? "a" : "");
    return s;
}

XG_FN xlagpu_status xr_cuda_start(xlagpu_device *d, int ordinal) {
    xr_cuda *u = xr_cuda_of(d);
    int count = 0;
    xlagpu_status s = XR_CUDA(d, init(0), "starting the NVIDIA driver");
    if (s != XLAGPU_OK) return d->c.status = XLAGPU_ERROR_NO_DEVICE; /* a driver without a GPU, or one that does not fit the kernel's module */
    s = XR_CUDA(d, driver_version(&u->version), "asking for the driver's version");
    if (s == XLAGPU_OK) s = XR_CUDA(d, device_count(&count), "counting GPUs");
    if (s == XLAGPU_OK && (ordinal < 0 || ordinal >= count)) s = xr_fail(&d->c, XLAGPU_ERROR_NO_DEVICE, "there is no GPU number %d: the driver knows %d", ordinal, count);
    if (s == XLAGPU_OK) s = XR_CUDA(d, device_get(&u->device, ordinal), "getting the GPU");
    if (s == XLAGPU_OK) s = xr_cuda_describe(d);
    if (s == XLAGPU_OK) s = XR_CUDA(d, context_retain(&u->context, u->device), "making a context on the GPU");
    u->retained = s == XLAGPU_OK;
    return s;
}

XG_FN void xr_cuda_close(xlagpu_device *d) {
    xr_cuda *u = xr_cuda_of(d);
    if (u->retained) u->context_release(u->device);
    xr_library_close(u->library);
    xg_mem_free(&d->c, u);
    d->state = NULL;
}

XG_FN xlagpu_status xr_cuda_open(xlagpu_device *d, const xlagpu_device_desc *desc) {
    xr_cuda *u = (xr_cuda *)xg_mem_alloc(&d->c, sizeof *u);
    xlagpu_status s;
    if (!u) return xr_fail(&d->c, XLAGPU_ERROR_MEMORY, "out of memory");
    memset(u, 0, sizeof *u);
    d->state = u;
    s = xr_cuda_bind(d, desc ? desc->driver : NULL);
    if (s == XLAGPU_OK) s = xr_cuda_start(d, desc ? desc->ordinal : 0);
    if (s != XLAGPU_OK) xr_cuda_close(d);
    return s;
}

/* One operation inside the context. */
#define XR_CUDA_IN(d, call, what) \
    do { \
        xlagpu_status status_ = xr_cuda_push(&(d)->c, xr_cuda_of(d)); \
        if (status_ != XLAGPU_OK) return status_; \
        status_ = XR_CUDA(d, call, what); \
        xr_cuda_pop(xr_cuda_of(d)); \
        return status_; \
    } while (0)

XG_FN xlagpu_status xr_cuda_alloc_host(xlagpu_device *d, size_t bytes, xr_block *out) { XR_CUDA_IN(d, alloc_host(&out->memory, bytes), "allocating host memory"); }
XG_FN xlagpu_status xr_cuda_alloc_device(xlagpu_device *d, size_t bytes, xr_block *out) { XR_CUDA_IN(d, alloc(&out->address, bytes), "allocating device memory"); }
XG_FN xlagpu_status xr_cuda_alloc(xlagpu_device *d, size_t bytes, bool host, xr_block *out) {
    xlagpu_status s;
    out->bytes = bytes;
    out->memory = NULL;
    if (!host) return xr_cuda_alloc_device(d, bytes, out);
    s = xr_cuda_alloc_host(d, bytes, out);
    out->address = (uint64_t)(uintptr_t)out->memory; /* one address space: the device reaches it under the same address */
    return s;
}
XG_FN void xr_cuda_release(xlagpu_device *d, const xr_block *b) {
    if (xr_cuda_of(d)->context_push(xr_cuda_of(d)->context)) return;
    if (b->host) xr_cuda_of(d)->release_host(b->memory); else xr_cuda_of(d)->release(b->address);
    xr_cuda_pop(xr_cuda_of(d));
}
XG_FN xlagpu_status xr_cuda_upload(xlagpu_device *d, uint64_t to, const void *from, size_t bytes) { XR_CUDA_IN(d, upload(to, from, bytes), "copying to the GPU"); }
XG_FN xlagpu_status xr_cuda_download(xlagpu_device *d, void *to, uint64_t from, size_t bytes) { XR_CUDA_IN(d, download(to, from, bytes), "copying from the GPU"); }
XG_FN xlagpu_status xr_cuda_wait(xlagpu_device *d, void *stream) { XR_CUDA_IN(d, stream_wait(stream), "waiting for the GPU"); }
XG_FN void xr_cuda_settle(xlagpu_device *d) {
    if (xr_cuda_of(d)->context_push(xr_cuda_of(d)->context)) return;
    xr_cuda_of(d)->context_wait();
    xr_cuda_pop(xr_cuda_of(d));
}

/* ---- kernels ---- */

XG_FN xlagpu_status xr_cuda_module(xlagpu_device *d, const xg_source *ptx, void **module) {
    enum { LOG = 1536 };
    char log[LOG] = "";
    int options[2] = {XR_CUDA_JIT_ERROR, XR_CUDA_JIT_ERROR_SIZE};
    void *values[2];
    int error;
    values[0] = log;
    values[1] = (void *)(uintptr_t)LOG;
    error = xr_cuda_of(d)->module_load(module, ptx->text, 2, options, values);
    log[LOG - 1] = 0;
    if (!error) return XLAGPU_OK;
    if (error == XR_CUDA_UNSUPPORTED_PTX_VERSION)
        return xr_fail(&d->c, XLAGPU_ERROR_DEVICE, "the driver (CUDA %d.%d) is older than this PTX: update it, or compile for an older target", xr_cuda_of(d)->version / 1000, xr_cuda_of(d)->version % 1000 / 10);
    if (log[0]) return xr_fail(&d->c, XLAGPU_ERROR_DEVICE, "the driver refused the PTX (error %d): %s", error, log);
    return xr_cuda_check(&d->c, xr_cuda_of(d), error, "loading the PTX");
}

XG_FN xlagpu_status xr_cuda_function(xlagpu_device *d, void *module, const char *name, uint32_t shared, const void **out) {
    void *f = NULL;
    xlagpu_status s = XR_CUDA(d, function(&f, module, name), "finding a kernel");
    if (s == XLAGPU_OK && shared > 49152) s = XR_CUDA(d, function_attribute(f, XR_CUDA_SHARED_OPTIN, (int)shared), "raising a kernel's shared memory");
    *out = f;
    return s;
}

/* How many parameters the PTX of a kernel declares: the driver trusts its caller in this, and bytes may be damaged. 0 when it is not found. */
XG_FN uint32_t xr_cuda_count_parameters(const xg_source *ptx, const char *name) {
    static const char entry[] = ".entry ", param[] = ".param";
    size_t n = strlen(name), k;
    uint32_t count = 0;
    for (k = 0; k + sizeof entry + n < ptx->size; k++) {
        const char *p = ptx->text + k;
        if (*p != '.' || memcmp(p, entry, sizeof entry - 1) != 0 || memcmp(p + sizeof entry - 1, name, n) != 0 || (p[sizeof entry - 1 + n] != '(' && (unsigned char)p[sizeof entry - 1 + n] > ' ')) continue;
        for (k += sizeof entry - 1 + n; k + sizeof param < ptx->size && ptx->text[k] != ')' && ptx->text[k] != '{'; k++) count += memcmp(ptx->text + k, param, sizeof param - 1) == 0;
        break;
    }
    return count;
}

XG_FN xlagpu_status xr_cuda_kernel(xlagpu_program *p, xr_kernel *k) {
    k->n_params = xr_cuda_count_parameters(&p->ptx, k->name);
    return xr_cuda_function(p->device, p->module, k->name, k->shared_bytes, &k->handle);
}
XG_FN xlagpu_status xr_cuda_load(xlagpu_program *p) {
    xlagpu_device *d = p->device;
    uint32_t k;
    xlagpu_status s = xr_cuda_push(&d->c, xr_cuda_of(d));
    if (s != XLAGPU_OK) return s;
    s = xr_cuda_module(d, &p->ptx, &p->module);
    for (k = 0; k < p->n_kernels && s == XLAGPU_OK; k++) s = xr_cuda_kernel(p, &p->kernels[k]);
    xr_cuda_pop(xr_cuda_of(d));
    return s;
}
XG_FN void xr_cuda_unload(xlagpu_program *p) {
    if (!p->module || xr_cuda_of(p->device)->context_push(xr_cuda_of(p->device)->context)) return;
    xr_cuda_of(p->device)->module_unload(p->module);
    xr_cuda_pop(xr_cuda_of(p->device));
}

/* ---- the way of a launch ---- */

XG_FN xlagpu_status xr_cuda_prepare(xlagpu_execution *e) { (void)e; return XLAGPU_OK; }
XG_FN void xr_cuda_finish(xlagpu_execution *e) { (void)e; }

XG_FN xr_cuda *xr_cuda_under(const xlagpu_execution *e) { return xr_cuda_of(e->program->device); }
#define XR_CUDA_RUN(e, call, what) xr_cuda_check(&(e)->c, xr_cuda_under(e), xr_cuda_under(e)->call, (what))
XG_FN xlagpu_status xr_cuda_enter(xlagpu_execution *e) { return xr_cuda_push(&e->c, xr_cuda_under(e)); }
XG_FN void xr_cuda_leave(xlagpu_execution *e) { xr_cuda_pop(xr_cuda_under(e)); }
XG_FN xlagpu_status xr_cuda_copy(xlagpu_execution *e, uint64_t to, uint64_t from, size_t bytes, void *stream) { return XR_CUDA_RUN(e, copy(to, from, bytes, stream), "copying on the GPU"); }
XG_FN xlagpu_status xr_cuda_read(xlagpu_execution *e, void *to, uint64_t from, size_t bytes, void *stream) {
    xlagpu_status s = XR_CUDA_RUN(e, stream_wait(stream), "waiting for a loop's or branch's decision");
    return s == XLAGPU_OK ? XR_CUDA_RUN(e, download(to, from, bytes), "reading a loop's or branch's decision") : s;
}
XG_FN xlagpu_status xr_cuda_fill(xlagpu_execution *e, uint64_t to, uint32_t pattern, size_t bytes, void *stream) {
    if ((to | bytes) % 4) return XR_CUDA_RUN(e, fill8(to, (unsigned char)pattern, bytes, stream), "filling memory"); /* one byte four times: the loader checked it */
    return XR_CUDA_RUN(e, fill32(to, pattern, bytes / 4, stream), "filling memory");
}

XG_FN void *xr_cuda_handle(const void *handle) { void *p; memcpy(&p, &handle, sizeof p); return p; }

XG_FN xlagpu_status xr_cuda_launch(xlagpu_execution *e, uint32_t kernel, void *stream) {
    const xr_kernel *k = &e->program->kernels[kernel];
    e->stats[kernel].launches++;
    return XR_CUDA_RUN(e, launch(xr_cuda_handle(k->handle), k->blocks[0], k->blocks[1], k->blocks[2], k->threads[0], k->threads[1], k->threads[2], k->shared_bytes, stream, e->arg_pointers, NULL), "launching a kernel");
}

/* ---- any PTX ---- */

/* What drivers before CUDA 12 lack: asked for when it is needed. */
typedef int (XR_CUDAAPI *xr_cuda_encode)(void *map, int type, uint32_t rank, void *address, const uint64_t *dims, const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave, int swizzle, int promotion, int fill);
typedef struct xr_cuda_attribute { int id; char pad[4]; union { char room[64]; unsigned cluster[3]; } value; } xr_cuda_attribute;
typedef struct xr_cuda_config { unsigned grid[3], block[3], shared; void *stream; xr_cuda_attribute *attributes; unsigned n; } xr_cuda_config;
typedef int (XR_CUDAAPI *xr_cuda_launch_ex)(const xr_cuda_config *config, void *function, void **params, void **extra);
enum { XR_CUDA_CLUSTER_DIMENSION = 4 };

XG_FN xlagpu_status xr_cuda_newer(xlagpu_device *d, const char *symbol, void *out, size_t bytes) {
    void *f = xr_library_symbol(xr_cuda_of(d)->library, symbol);
    if (!f) return xr_fail(&d->c, XLAGPU_ERROR_UNSUPPORTED, "the NVIDIA driver has no %s: it is too old", symbol);
    memcpy(out, &f, bytes);
    return XLAGPU_OK;
}
XG_FN xlagpu_status xr_cuda_launch_cluster(xlagpu_device *d, void *f, const xlagpu_ptx_launch *l, void **extra) {
    xr_cuda_attribute a;
    xr_cuda_config c;
    xr_cuda_launch_ex launch;
    xlagpu_status s = xr_cuda_newer(d, "cuLaunchKernelEx", &launch, sizeof launch);
    int k;
    if (s != XLAGPU_OK) return s;
    memset(&a, 0, sizeof a);
    memset(&c, 0, sizeof c);
    a.id = XR_CUDA_CLUSTER_DIMENSION;
    for (k = 0; k < 3; k++) { a.value.cluster[k] = XG_MAX(1u, l->cluster[k]); c.grid[k] = l->grid[k]; c.block[k] = l->block[k]; }
    c.shared = l->shared_bytes;
    c.attributes = &a;
    c.n = 1;
    return xr_cuda_check(&d->c, xr_cuda_of(d), launch(&c, f, NULL, extra), l->entry);
}

/* Parameters as one block: the driver's "extra" list of (1, pointer), (2, size), end. */
XG_FN xlagpu_status xr_cuda_launch_ptx(xlagpu_device *d, const xg_source *ptx, const xlagpu_ptx_launch *l, xlagpu_kernel_stats *stats) {
    void *module = NULL, *extra[5];
    const void *f = NULL;
    size_t bytes = l->parameter_bytes;
    xlagpu_status s = xr_cuda_push(&d->c, xr_cuda_of(d));
    if (s != XLAGPU_OK) return s;
    memcpy(&extra[1], &l->parameters, sizeof extra[1]);
    extra[0] = (void *)(uintptr_t)1;
    extra[2] = (void *)(uintptr_t)2;
    extra[3] = &bytes;
    extra[4] = NULL;
    if (!l->entry) s = xr_fail(&d->c, XLAGPU_ERROR_USAGE, "name the kernel to run");
    if (s == XLAGPU_OK) s = xr_cuda_module(d, ptx, &module);
    if (s == XLAGPU_OK) s = xr_cuda_function(d, module, l->entry, l->shared_bytes, &f);
    if (s == XLAGPU_OK && (l->cluster[0] || l->cluster[1] || l->cluster[2])) s = xr_cuda_launch_cluster(d, xr_cuda_handle(f), l, bytes ? extra : NULL);
    else if (s == XLAGPU_OK) s = XR_CUDA(d, launch(xr_cuda_handle(f), l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2], l->shared_bytes, NULL, NULL, bytes ? extra : NULL), l->entry);
    if (s == XLAGPU_OK) s = XR_CUDA(d, stream_wait(NULL), "running the kernel");
    if (module) xr_cuda_of(d)->module_unload(module);
    xr_cuda_pop(xr_cuda_of(d));
    if (stats) { memset(stats, 0, sizeof *stats); stats->name = l->entry; stats->launches = 1; }
    return s;
}

XG_FN xlagpu_status xr_cuda_encode_map(xlagpu_device *d, const xlagpu_tensor_map *m, void *out) {
    xr_cuda_encode encode;
    uint64_t memory[32], *aligned = memory + (64 - (uintptr_t)memory % 64) % 64 / 8; /* the driver wants 64-byte alignment */
    xlagpu_status s = xr_cuda_newer(d, "cuTensorMapEncodeTiled", &encode, sizeof encode);
    if (s != XLAGPU_OK) return s;
    s = xr_cuda_push(&d->c, xr_cuda_of(d));
    if (s != XLAGPU_OK) return s;
    s = xr_cuda_check(&d->c, xr_cuda_of(d), encode(aligned, (int)m->data_type, m->rank, (void *)(uintptr_t)m->address, m->dims, m->strides, m->box, m->steps, 0, (int)m->swizzle, (int)m->l2_promotion, (int)m->fill), "encoding a tensor map");
    xr_cuda_pop(xr_cuda_of(d));
    if (s == XLAGPU_OK) memcpy(out, aligned, 128);
    return s;
}

XG_FN const xr_platform *xr_cuda_platform(void) {
    static const xr_platform cuda = {"cuda", xr_cuda_open, xr_cuda_close, xr_cuda_alloc, xr_cuda_release, xr_cuda_upload, xr_cuda_download, xr_cuda_wait, xr_cuda_settle, xr_cuda_load, xr_cuda_unload,
                                     xr_cuda_prepare, xr_cuda_finish, xr_cuda_enter, xr_cuda_leave, xr_cuda_copy, xr_cuda_fill, xr_cuda_read, xr_cuda_launch, xr_cuda_launch_ptx, xr_cuda_encode_map};
    return &cuda;
}
#undef XR_CUDA
#undef XR_CUDA_IN
#undef XR_CUDA_RUN
#undef XR_CUDAAPI

#endif /* XG_RT_CUDA_C */
