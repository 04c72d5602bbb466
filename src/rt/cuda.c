/* rt/cuda.c -- the platform "cuda": NVIDIA's driver API, found at run time.
 *
 * The driver's functions are rows of one table: their types are declared here, from the documented ABI, so no CUDA
 * header is needed. The device's primary context is used, so that buffers and streams of other code in the process (the
 * CUDA runtime, a game engine) are ours too. It is made current for each public call and put back afterwards. A driver
 * older than the PTX's version is told apart from a broken kernel in the message. */
#ifndef XG_RT_CUDA_C
#define XG_RT_CUDA_C
#include "rt.h"

#if defined(_WIN32)
#define XR_CUDAAPI __stdcall
#else
#define XR_CUDAAPI
#endif

/* X(field, symbol, parameters): all return an int status, 0 for success. */
/* clang-format off */
#define XR_CUDA_FUNCTIONS(X) \
    X(init, "cuInit", (unsigned flags)) \
    X(driver_version, "cuDriverGetVersion", (int *version)) \
    X(device_get, "cuDeviceGet", (int *device, int ordinal)) \
    X(device_count, "cuDeviceGetCount", (int *count)) \
    X(device_name, "cuDeviceGetName", (char *name, int n, int device)) \
    X(device_attribute, "cuDeviceGetAttribute", (int *value, int attribute, int device)) \
    X(device_memory, "cuDeviceTotalMem_v2", (size_t *bytes, int device)) \
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
    X(event_create, "cuEventCreate", (void **event, unsigned flags)) \
    X(event_destroy, "cuEventDestroy_v2", (void *event)) \
    X(event_record, "cuEventRecord", (void *event, void *stream)) \
    X(event_wait, "cuEventSynchronize", (void *event)) \
    X(event_query, "cuEventQuery", (void *event)) \
    X(event_elapsed, "cuEventElapsedTime", (float *milliseconds, void *before, void *after)) \
    X(error_name, "cuGetErrorName", (int error, const char **text)) \
    X(error_string, "cuGetErrorString", (int error, const char **text))
/* clang-format on */

/* Command buffers need the first list (CUDA 12), loops and branches in them the second one, too. */
/* clang-format off */
#define XR_CUDA_GRAPH_FUNCTIONS(X) \
    X(graph_create, "cuGraphCreate", (void **graph, unsigned flags)) \
    X(graph_destroy, "cuGraphDestroy", (void *graph)) \
    X(graph_kernel, "cuGraphAddKernelNode_v2", (void **node, void *graph, void *const *after, size_t n, const xr_kernel_node *p)) \
    X(graph_copy, "cuGraphAddMemcpyNode", (void **node, void *graph, void *const *after, size_t n, const xr_copy_node *p, void *context)) \
    X(graph_fill, "cuGraphAddMemsetNode", (void **node, void *graph, void *const *after, size_t n, const xr_fill_node *p, void *context)) \
    X(graph_instantiate, "cuGraphInstantiateWithFlags", (void **exec, void *graph, unsigned long long flags)) \
    X(graph_exec_destroy, "cuGraphExecDestroy", (void *exec)) \
    X(graph_set_kernel, "cuGraphExecKernelNodeSetParams_v2", (void *exec, void *node, const xr_kernel_node *p)) \
    X(graph_set_copy, "cuGraphExecMemcpyNodeSetParams", (void *exec, void *node, const xr_copy_node *p, void *context)) \
    X(graph_set_fill, "cuGraphExecMemsetNodeSetParams", (void *exec, void *node, const xr_fill_node *p, void *context)) \
    X(graph_launch, "cuGraphLaunch", (void *exec, void *stream))
/* clang-format on */
#define XR_CUDA_CONDITIONAL_FUNCTIONS(X) \
    X(graph_node, "cuGraphAddNode", (void **node, void *graph, void *const *after, size_t n, xr_conditional_node *p)) \
    X(graph_handle, "cuGraphConditionalHandleCreate", \
        (uint64_t * handle, void *graph, void *context, unsigned initial, unsigned flags))

/* For copies beside kernels: without them all is done in order. */
/* clang-format off */
#define XR_CUDA_STREAM_FUNCTIONS(X) \
    X(stream_create, "cuStreamCreate", (void **stream, unsigned flags)) \
    X(stream_destroy, "cuStreamDestroy_v2", (void *stream)) \
    X(stream_follow, "cuStreamWaitEvent", (void *stream, void *event, unsigned flags))
/* clang-format on */

/* For kernels that read what other devices have (peers.c): without them NCCL does it. */
/* clang-format off */
#define XR_CUDA_PEER_FUNCTIONS(X) \
    X(peer_ask, "cuDeviceCanAccessPeer", (int *can, int device, int other)) \
    X(peer_enable, "cuCtxEnablePeerAccess", (void *context, unsigned flags)) \
    X(peer_disable, "cuCtxDisablePeerAccess", (void *context))
/* clang-format on */

/* For multicast objects: without them kernels read what other devices have. */
/* clang-format off */
#define XR_CUDA_CAST_FUNCTIONS(X) \
    X(cast_bytes, "cuMulticastGetGranularity", (size_t *bytes, const xr_cast_prop *prop, int option)) \
    X(cast_create, "cuMulticastCreate", (uint64_t *handle, const xr_cast_prop *prop)) \
    X(cast_add, "cuMulticastAddDevice", (uint64_t handle, int device)) \
    X(cast_bind, "cuMulticastBindMem", (uint64_t handle, size_t at, uint64_t memory, size_t from, size_t bytes, unsigned long long flags)) \
    X(cast_unbind, "cuMulticastUnbind", (uint64_t handle, int device, size_t at, size_t bytes)) \
    X(memory_create, "cuMemCreate", (uint64_t *handle, size_t bytes, const xr_memory_prop *prop, unsigned long long flags)) \
    X(memory_release, "cuMemRelease", (uint64_t handle)) \
    X(address_reserve, "cuMemAddressReserve", (uint64_t *address, size_t bytes, size_t align, uint64_t at, unsigned long long flags)) \
    X(address_free, "cuMemAddressFree", (uint64_t address, size_t bytes)) \
    X(memory_map, "cuMemMap", (uint64_t address, size_t bytes, size_t from, uint64_t handle, unsigned long long flags)) \
    X(memory_unmap, "cuMemUnmap", (uint64_t address, size_t bytes)) \
    X(memory_access, "cuMemSetAccess", (uint64_t address, size_t bytes, const xr_memory_access *access, size_t n))
/* clang-format on */

/* For what libraries enqueue in command buffers: without them it is enqueued by itself. */
/* clang-format off */
#define XR_CUDA_CAPTURE_FUNCTIONS(X) \
    X(capture_begin, "cuStreamBeginCapture_v2", (void *stream, int mode)) \
    X(capture_end, "cuStreamEndCapture", (void *stream, void **graph)) \
    X(capture_record, "cuEventRecordWithFlags", (void *event, void *stream, unsigned flags)) \
    X(graph_child, "cuGraphAddChildGraphNode", (void **node, void *graph, void *const *after, size_t n, void *child)) \
    X(graph_set_child, "cuGraphExecChildGraphNodeSetParams", (void *exec, void *node, void *child))
/* clang-format on */

/* To keep machine code: without them nothing is kept. */
/* clang-format off */
#define XR_CUDA_LINK_FUNCTIONS(X) \
    X(link_create, "cuLinkCreate_v2", (unsigned n, int *options, void **values, void **link)) \
    X(link_add, "cuLinkAddData_v2", (void *link, int type, void *data, size_t size, const char *name, unsigned n, int *options, void **values)) \
    X(link_complete, "cuLinkComplete", (void *link, void **code, size_t *bytes)) \
    X(link_destroy, "cuLinkDestroy", (void *link))
/* clang-format on */

/* Their arguments, as the driver's ABI has them. */
typedef struct xr_cast_prop {
    unsigned devices;
    size_t bytes;
    unsigned long long handle_types, flags;
} xr_cast_prop;
typedef struct xr_memory_prop {
    int type, handle_types, place, device;
    void *windows;
    unsigned char flags[8]; /* what it may be used for, and reserved bytes */
} xr_memory_prop;
typedef struct xr_memory_access {
    int place, device, flags;
} xr_memory_access;
typedef struct xr_kernel_node {
    void *function;
    unsigned grid[3], block[3], shared;
    void **params, **extra;
    void *kernel, *context;
} xr_kernel_node;
typedef struct xr_fill_node {
    uint64_t to;
    size_t pitch;
    unsigned value, element;
    size_t width, height;
} xr_fill_node;
typedef struct xr_copy_side {
    size_t x, y, z, lod;
    int type;
    const void *host;
    uint64_t device;
    void *array, *reserved;
    size_t pitch, height;
} xr_copy_side;
typedef struct xr_copy_node {
    xr_copy_side from, to;
    size_t width, height, depth;
} xr_copy_node;
typedef struct xr_conditional_node {
    int type, reserved[3];
    union {
        struct {
            uint64_t handle;
            int type;
            unsigned size;
            void **graphs;
            void *context;
        } c;
        long long size_of_all[29];
    } u;
    long long reserved2;
} xr_conditional_node;

/* The functions stand one behind the other, in the order in which they are bound. */
typedef struct xr_cuda {
    void *library, *context;
    int device, version;
    bool started, retained;
    bool graphs, conditionals, linker, streams, captures, peers, casts;
    char *cache;                        /* the folder; NULL: none */
    void *condition_module, *condition; /* the kernel that sets a conditional node's handle; NULL: not loaded */
#define X(field, symbol, parameters) int(XR_CUDAAPI * field) parameters;
    XR_CUDA_FUNCTIONS(X)
    XR_CUDA_GRAPH_FUNCTIONS(X)
    XR_CUDA_CONDITIONAL_FUNCTIONS(X)
    XR_CUDA_LINK_FUNCTIONS(X)
    XR_CUDA_STREAM_FUNCTIONS(X)
    XR_CUDA_CAPTURE_FUNCTIONS(X)
    XR_CUDA_PEER_FUNCTIONS(X)
    XR_CUDA_CAST_FUNCTIONS(X)
#undef X
    void *nvtx;
    int(XR_CUDAAPI *nvtx_push)(const char *name);
    int(XR_CUDAAPI *nvtx_pop)(void);
} xr_cuda;

enum {
    XR_CUDA_CC_MAJOR = 75,
    XR_CUDA_CC_MINOR = 76,
    XR_CUDA_SHARED_OPTIN = 8
};
enum {
    XR_CUDA_JIT_INFO = 3,
    XR_CUDA_JIT_INFO_SIZE = 4,
    XR_CUDA_JIT_ERROR = 5,
    XR_CUDA_JIT_ERROR_SIZE = 6,
    XR_CUDA_JIT_TIME = 2,
    XR_CUDA_JIT_VERBOSE = 12
};
enum {
    XR_CUDA_OUT_OF_MEMORY = 2,
    XR_CUDA_STUB_LIBRARY = 34, /* what stands in for the driver where programs are linked */
    XR_CUDA_NO_DEVICE = 100,
    XR_CUDA_UNSUPPORTED_PTX_VERSION = 222
};

XG_FN xr_cuda *xr_cuda_of(xlagpu_device *d) { return (xr_cuda *)d->state; }

/* An answer of the driver as a status, its message in c. */
XG_FN xlagpu_status xr_cuda_check(xg_ctx *c, const xr_cuda *u, int error, const char *what) {
    const char *name = NULL, *text = NULL;
    if (!error) return XLAGPU_OK;
    u->error_name(error, &name);
    u->error_string(error, &text);
    return xr_fail(c, error == XR_CUDA_OUT_OF_MEMORY ? XLAGPU_ERROR_MEMORY : XLAGPU_ERROR_DEVICE,
        "%s: %s (%s, error %d)", what, text ? text : "the driver failed", name ? name : "?", error);
}
#define XR_CUDA(d, call, what) xr_cuda_check(&(d)->c, xr_cuda_of(d), xr_cuda_of(d)->call, (what))

XG_FN xlagpu_status xr_cuda_push(xg_ctx *c, const xr_cuda *u) {
    return xr_cuda_check(c, u, u->context_push(u->context), "making the GPU's context current");
}
XG_FN void xr_cuda_pop(const xr_cuda *u) {
    void *context;
    u->context_pop(&context);
}

/* The functions whose names stand one behind the other, up to the empty one; both go on behind them. The first that
 * is missing; NULL: none. */
XG_FN XG_COLD const char *xr_cuda_bind_group(const xr_cuda *u, const char **name, char **to) {
    const char *missing = NULL;
    for (; **name; *name += strlen(*name) + 1, *to += sizeof(void *)) {
        void *f = xr_library_symbol(u->library, *name);
        if (!f && !missing) missing = *name;
        memcpy(*to, &f, sizeof f);
    }
    ++*name;
    return missing;
}
/* The library's name, then every function. */
XG_FN XG_COLD xlagpu_status xr_cuda_bind(xlagpu_device *d, const char *path) {
    XG_TABLE const char *const names[] = {
#ifdef _WIN32
        "nvcuda.dll",
#else
        "libcuda.so.1",
        "libcuda.so",
        "/usr/lib/wsl/lib/libcuda.so.1",
#endif
    };
#define X(field, symbol, parameters) symbol "\0"
    XG_TABLE const char symbols[] =
        /* clang-format off */
        XR_CUDA_FUNCTIONS(X) "\0" XR_CUDA_GRAPH_FUNCTIONS(X) "\0" XR_CUDA_CONDITIONAL_FUNCTIONS(X) "\0"
        XR_CUDA_LINK_FUNCTIONS(X) "\0" XR_CUDA_STREAM_FUNCTIONS(X) "\0" XR_CUDA_CAPTURE_FUNCTIONS(X) "\0"
        XR_CUDA_PEER_FUNCTIONS(X) "\0" XR_CUDA_CAST_FUNCTIONS(X);
    /* clang-format on */
#undef X
    xr_cuda *u = xr_cuda_of(d);
    const char *name = symbols, *missing;
    char *to = (char *)&u->init;
    size_t k;
    if (path)
        u->library = xr_library_open(path);
    else
        for (k = 0; k < XG_COUNT(names) && !u->library; k++) u->library = xr_library_open(names[k]);
    if (!u->library)
        return xr_fail(&d->c, XLAGPU_ERROR_NO_DEVICE,
            "no NVIDIA driver here: %s cannot be opened; the platform \"host\" simulates", path ? path : names[0]);
    missing = xr_cuda_bind_group(u, &name, &to);
    if (missing) return xr_fail(&d->c, XLAGPU_ERROR_UNSUPPORTED, "the NVIDIA driver has no %s: it is too old", missing);
    u->graphs = !xr_cuda_bind_group(u, &name, &to);
    u->conditionals = !xr_cuda_bind_group(u, &name, &to) && u->graphs;
    u->linker = !xr_cuda_bind_group(u, &name, &to);
    u->streams = !xr_cuda_bind_group(u, &name, &to);
    u->captures = !xr_cuda_bind_group(u, &name, &to) && u->graphs && u->streams;
    u->peers = !xr_cuda_bind_group(u, &name, &to) && u->streams;
    u->casts = !xr_cuda_bind_group(u, &name, &to) && u->streams;
    return XLAGPU_OK;
}

/* NVIDIA's library of ranges. CUDA 13 has none: there NVTX is a header, which a caller's range function may use. */
XG_FN XG_COLD void xr_cuda_bind_nvtx(xlagpu_device *d) {
    xr_cuda *u = xr_cuda_of(d);
    XG_TABLE const char *const names[] = {"libnvToolsExt.so.1", "libnvToolsExt.so", "nvToolsExt64_1.dll"};
    void *push, *pop;
    size_t k;
    for (k = 0; k < XG_COUNT(names) && !u->nvtx; k++) u->nvtx = xr_library_open(names[k]);
    push = u->nvtx ? xr_library_symbol(u->nvtx, "nvtxRangePushA") : NULL;
    pop = u->nvtx ? xr_library_symbol(u->nvtx, "nvtxRangePop") : NULL;
    if (!push || !pop) {
        xg_format(d->note, sizeof d->note,
            "no NVTX ranges: %s cannot be opened (CUDA 13 does not have it); give the device a range function that "
            "calls NVTX's header",
            names[0]);
        return;
    }
    memcpy(&u->nvtx_push, &push, sizeof push);
    memcpy(&u->nvtx_pop, &pop, sizeof pop);
}

/* X(number, name in cuda.h of the attribute, figure of the device) */
/* clang-format off */
#define XR_CUDA_FIGURES(X) \
    X(16, MULTIPROCESSOR_COUNT, sm_count) \
    X(39, MAX_THREADS_PER_MULTIPROCESSOR, threads_per_sm) \
    X(106, MAX_BLOCKS_PER_MULTIPROCESSOR, blocks_per_sm) \
    X(1, MAX_THREADS_PER_BLOCK, threads_per_block) \
    X(82, MAX_REGISTERS_PER_MULTIPROCESSOR, registers_per_sm) \
    X(81, MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, shared_per_sm) \
    X(97, MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, shared_per_block) \
    X(8, MAX_SHARED_MEMORY_PER_BLOCK, shared_static) \
    X(111, RESERVED_SHARED_MEMORY_PER_BLOCK, shared_reserved) \
    X(38, L2_CACHE_SIZE, l2_bytes)
/* clang-format on */
enum {
    XR_CUDA_CLOCK_KHZ = 13,
    XR_CUDA_MULTICAST = 132,
    XR_CUDA_MEMORY_CLOCK_KHZ = 36,
    XR_CUDA_MEMORY_BUS_BITS = 37
};
/* Adds to *s what went wrong; a driver that does not know the attribute is none of it: then the value is 0. */
XG_FN XG_COLD uint64_t xr_cuda_figure(xlagpu_device *d, int attribute, xlagpu_status *s) {
    enum {
        INVALID_VALUE = 1
    };
    xr_cuda *u = xr_cuda_of(d);
    int value = 0, error;
    if (*s != XLAGPU_OK) return 0;
    error = u->device_attribute(&value, attribute, u->device);
    if (error == INVALID_VALUE) return 0;
    *s = xr_cuda_check(&d->c, u, error, "asking for an attribute of the GPU");
    return *s == XLAGPU_OK && value > 0 ? (uint64_t)value : 0;
}
/* What the driver says of the GPU; the rest is that of the part that it names. */
XG_FN XG_COLD xlagpu_status xr_cuda_measure(xlagpu_device *d, int cc) {
    enum {
        TRANSFERS = 2 /* a clock */,
        BITS = 8 /* of a byte */,
        OLDEST = 75 /* compute capability */
    };
    xlagpu_target_desc said;
    uint32_t known = (uint32_t)cc;
    size_t bytes = 0;
    xr_cuda *u = xr_cuda_of(d);
    xlagpu_status s = XR_CUDA(d, device_memory(&bytes, u->device), "asking for the GPU's memory");
    memset(&said, 0, sizeof said);
    said.memory_bytes = bytes;
#define X(number, name, figure) said.figure = xr_cuda_figure(d, number, &s);
    XR_CUDA_FIGURES(X)
#undef X
    said.link_reduces = xr_cuda_figure(d, XR_CUDA_MULTICAST, &s) == 1 ? 1 : 2;
    said.clock_mhz = xr_cuda_figure(d, XR_CUDA_CLOCK_KHZ, &s) / 1000;
    said.bandwidth = xr_cuda_figure(d, XR_CUDA_MEMORY_CLOCK_KHZ, &s) * 1000 * TRANSFERS;
    said.bandwidth *= xr_cuda_figure(d, XR_CUDA_MEMORY_BUS_BITS, &s) / BITS;
    while (known > OLDEST && !xg_device_of_cc(known, &d->figures)) known--; /* newer than the table: as the one below */
    xg_device_of_driver_name(known, d->name, &d->figures);
    xg_device_apply(&d->figures, &said);
    return s;
}

XG_FN XG_COLD xlagpu_status xr_cuda_describe(xlagpu_device *d) {
    enum {
        OWN_FIRST = 9, /* wgmma */
        OWN_LAST = 12  /* of those that are known: what later ones have is not */
    };
    xr_cuda *u = xr_cuda_of(d);
    bool own;
    int major = 0, minor = 0;
    xlagpu_status s = XR_CUDA(d, device_name(d->name, (int)sizeof d->name, u->device), "asking for the GPU's name");
    if (s == XLAGPU_OK)
        s = XR_CUDA(d, device_attribute(&major, XR_CUDA_CC_MAJOR, u->device), "asking for the compute capability");
    if (s == XLAGPU_OK)
        s = XR_CUDA(d, device_attribute(&minor, XR_CUDA_CC_MINOR, u->device), "asking for the compute capability");
    /* Kernels that need what this architecture alone has get it; all others are made for later ones, too. */
    own = major >= OWN_FIRST && major <= OWN_LAST;
    xg_format(d->target, sizeof d->target, "sm_%d%d%s", major, minor, own ? "a" : "");
    return s == XLAGPU_OK ? xr_cuda_measure(d, major * 10 + minor) : s;
}

/* Only a machine without a GPU is XLAGPU_ERROR_NO_DEVICE, for which "auto" simulates. All else that is wrong (a driver
 * that does not fit the kernel's module, a GPU that is not ready) is the user's to know. */
XG_FN XG_COLD xlagpu_status xr_cuda_init(xlagpu_device *d) {
    xr_cuda *u = xr_cuda_of(d);
    int error;
    u->started = true;
    error = u->init(0);
    (void)xr_cuda_check(&d->c, u, error, "starting the NVIDIA driver");
    if (error == XR_CUDA_NO_DEVICE || error == XR_CUDA_STUB_LIBRARY) d->c.status = XLAGPU_ERROR_NO_DEVICE;
    return d->c.status;
}
XG_FN XG_COLD xlagpu_status xr_cuda_count(xlagpu_device *d, int ordinal) {
    int count = 0;
    xlagpu_status s = XR_CUDA(d, device_count(&count), "counting GPUs");
    if (s == XLAGPU_OK && (ordinal < 0 || ordinal >= count))
        s = xr_fail(&d->c, count > 0 ? XLAGPU_ERROR_USAGE : XLAGPU_ERROR_NO_DEVICE,
            "there is no GPU number %d: the driver knows %d", ordinal, count);
    return s;
}
XG_FN XG_COLD xlagpu_status xr_cuda_start(xlagpu_device *d, int ordinal) {
    xr_cuda *u = xr_cuda_of(d);
    xlagpu_status s = xr_cuda_init(d);
    if (s == XLAGPU_OK) s = XR_CUDA(d, driver_version(&u->version), "asking for the driver's version");
    if (s == XLAGPU_OK) s = xr_cuda_count(d, ordinal);
    if (s == XLAGPU_OK) s = XR_CUDA(d, device_get(&u->device, ordinal), "getting the GPU");
    if (s == XLAGPU_OK) s = xr_cuda_describe(d);
    if (s == XLAGPU_OK) s = XR_CUDA(d, context_retain(&u->context, u->device), "making a context on the GPU");
    u->retained = s == XLAGPU_OK;
    return s;
}

XG_FN XG_COLD void xr_cuda_close(xlagpu_device *d) {
    xr_cuda *u = xr_cuda_of(d);
    if (u->condition_module && !u->context_push(u->context)) {
        u->module_unload(u->condition_module);
        xr_cuda_pop(u);
    }
    if (u->retained) u->context_release(u->device);
    xr_library_close(u->nvtx);
    xg_mem_free(&d->c, u->cache);
    if (!u->started) xr_library_close(u->library); /* else it stays: a driver has threads, and other users */
    xg_mem_free(&d->c, u);
    d->state = NULL;
}

XG_FN XG_COLD xlagpu_status xr_cuda_open(xlagpu_device *d, const xlagpu_device_desc *desc) {
    xr_cuda *u = (xr_cuda *)xg_mem_alloc(&d->c, sizeof *u);
    xlagpu_status s;
    if (!u) return xr_no_memory(&d->c);
    memset(u, 0, sizeof *u);
    d->state = u;
    d->threads = desc && desc->threads ? desc->threads : xr_processors();
    s = xr_cuda_bind(d, desc ? desc->driver : NULL);
    if (s == XLAGPU_OK && desc && desc->cache) {
        size_t n = strlen(desc->cache) + 1;
        u->cache = (char *)xg_mem_alloc(&d->c, n);
        if (u->cache)
            memcpy(u->cache, desc->cache, n);
        else
            s = xr_no_memory(&d->c);
    }
    if (s == XLAGPU_OK && desc && desc->nvtx) xr_cuda_bind_nvtx(d);
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

XG_FN xlagpu_status xr_cuda_alloc_host(xlagpu_device *d, size_t bytes, xr_block *out) {
    XR_CUDA_IN(d, alloc_host(&out->memory, bytes), "allocating host memory");
}
XG_FN xlagpu_status xr_cuda_alloc_device(xlagpu_device *d, size_t bytes, xr_block *out) {
    XR_CUDA_IN(d, alloc(&out->address, bytes), "allocating device memory");
}
XG_FN xlagpu_status xr_cuda_alloc(xlagpu_device *d, size_t bytes, bool host, xr_block *out) {
    xlagpu_status s;
    out->bytes = bytes;
    out->memory = NULL;
    if (!host) return xr_cuda_alloc_device(d, bytes, out);
    s = xr_cuda_alloc_host(d, bytes, out);
    /* one address space: the device reaches it under the same address */
    out->address = (uint64_t)(uintptr_t)out->memory;
    return s;
}
XG_FN void xr_cuda_release(xlagpu_device *d, const xr_block *b) {
    if (xr_cuda_of(d)->context_push(xr_cuda_of(d)->context)) return;
    if (b->host)
        xr_cuda_of(d)->release_host(b->memory);
    else
        xr_cuda_of(d)->release(b->address);
    xr_cuda_pop(xr_cuda_of(d));
}
XG_FN xlagpu_status xr_cuda_upload(xlagpu_device *d, uint64_t to, const void *from, size_t bytes) {
    XR_CUDA_IN(d, upload(to, from, bytes), "copying to the GPU");
}
XG_FN xlagpu_status xr_cuda_download(xlagpu_device *d, void *to, uint64_t from, size_t bytes) {
    XR_CUDA_IN(d, download(to, from, bytes), "copying from the GPU");
}
XG_FN xlagpu_status xr_cuda_wait(xlagpu_device *d, void *stream) {
    XR_CUDA_IN(d, stream_wait(stream), "waiting for the GPU");
}
XG_FN void xr_cuda_settle(xlagpu_device *d) {
    if (xr_cuda_of(d)->context_push(xr_cuda_of(d)->context)) return;
    xr_cuda_of(d)->context_wait();
    xr_cuda_pop(xr_cuda_of(d));
}

/* ---- kernels ---- */

/* What the driver said when it did not load a module. */
XG_FN XG_COLD xlagpu_status xr_cuda_module_failed(xlagpu_device *d, int error, const char *log) {
    const xr_cuda *u = xr_cuda_of(d);
    if (error == XR_CUDA_UNSUPPORTED_PTX_VERSION)
        return xr_fail(&d->c, XLAGPU_ERROR_DEVICE,
            "the driver (CUDA %d.%d) is older than this PTX: update it, or compile for an older target",
            u->version / 1000, u->version % 1000 / 10);
    if (log[0]) return xr_fail(&d->c, XLAGPU_ERROR_DEVICE, "the driver refused the PTX (error %d): %s", error, log);
    return xr_cuda_check(&d->c, u, error, "loading the PTX");
}
XG_FN XG_COLD xlagpu_status xr_cuda_module(xlagpu_device *d, const xg_source *ptx, void **module) {
    enum {
        LOG_BYTES = 1536
    };
    char log[LOG_BYTES] = "";
    int options[2] = {XR_CUDA_JIT_ERROR, XR_CUDA_JIT_ERROR_SIZE};
    void *values[2];
    int error;
    values[0] = log;
    values[1] = (void *)(uintptr_t)LOG_BYTES;
    error = xr_cuda_of(d)->module_load(module, ptx->text, 2, options, values);
    log[LOG_BYTES - 1] = 0;
    return error ? xr_cuda_module_failed(d, error, log) : XLAGPU_OK;
}

XG_FN XG_COLD xlagpu_status xr_cuda_function(
    xlagpu_device *d, void *module, const char *name, uint32_t shared, const void **out) {
    void *f = NULL;
    xlagpu_status s = XR_CUDA(d, function(&f, module, name), "finding a kernel");
    if (s == XLAGPU_OK && shared > XG_SHARED_STATIC_BYTES)
        s = XR_CUDA(d, function_attribute(f, XR_CUDA_SHARED_OPTIN, (int)shared), "raising a kernel's shared memory");
    *out = f;
    return s;
}

/* xlagpu_set_condition(handle, address, kind, branches, which): kind 0: the pred; 1: a pred that chooses branch 0 or 1,
 * is it `which`? 2: an index, is it `which`? */
XG_TABLE const char xr_condition_ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".extern .func cudaGraphSetConditional(.param .b64 a, .param .b32 b);\n"
    ".visible .entry xlagpu_set_condition(.param .u64 p0, .param .u64 p1, .param .u32 p2, .param .u32 p3, .param .u32 "
    "p4)\n{\n"
    "\t.reg .pred %p<8>;\n\t.reg .b32 %r<12>;\n\t.reg .b64 %rd<4>;\n"
    "\tld.param.u64 %rd1, [p0];\n\tld.param.u64 %rd2, [p1];\n\tld.param.u32 %r1, [p2];\n\tld.param.u32 %r2, "
    "[p3];\n\tld.param.u32 %r3, [p4];\n"
    "\tsetp.eq.u32 %p1, %r1, 2;\n\t@%p1 bra INDEX;\n"
    "\tld.global.u8 %r4, [%rd2];\n\tsetp.ne.u32 %p2, %r4, 0;\n\tselp.u32 %r5, 1, 0, %p2;\n"
    "\tsetp.eq.u32 %p3, %r1, 0;\n\t@%p3 bra SET;\n"
    "\txor.b32 %r6, %r5, 1;\n\tsetp.eq.u32 %p4, %r6, %r3;\n\tselp.u32 %r5, 1, 0, %p4;\n\tbra SET;\n"
    "INDEX:\n\tld.global.u32 %r7, [%rd2];\n\tsetp.lt.u32 %p5, %r7, %r2;\n\tsub.u32 %r8, %r2, 1;\n\tselp.u32 %r9, %r7, "
    "%r8, %p5;\n\tsetp.eq.u32 %p6, %r9, %r3;\n\tselp.u32 %r5, 1, 0, %p6;\n"
    "SET:\n\t{\n\t.param .b64 a;\n\t.param .b32 b;\n\tst.param.b64 [a], %rd1;\n\tst.param.b32 [b], %r5;\n\tcall.uni "
    "cudaGraphSetConditional, (a, b);\n\t}\n\tret;\n}\n";

/* Once for the device. A driver that cannot link it has no loops and branches in graphs: no failure. */
XG_FN XG_COLD void xr_cuda_load_condition(xr_cuda *u) {
    if (u->condition || !u->conditionals) return;
    if (u->module_load(&u->condition_module, xr_condition_ptx, 0, NULL, NULL)) {
        u->condition_module = NULL;
        u->conditionals = false;
        return;
    }
    if (u->function(&u->condition, u->condition_module, "xlagpu_set_condition")) {
        u->condition = NULL;
        u->conditionals = false;
    }
}

/* ---- the way of a launch ---- */

/* Of a program with loops or branches an execution has a place in pinned memory for what they are decided by: one
 * asynchronous copy and one wait bring it there, on the stream alone. */
XG_FN XG_COLD xlagpu_status xr_cuda_prepare(xlagpu_execution *e) {
    enum {
        DECISION_BYTES = 16
    };
    xr_block b;
    xlagpu_status s;
    memset(&b, 0, sizeof b);
    if (!e->program->has_decisions) return XLAGPU_OK;
    s = xr_cuda_alloc_host(e->program->device, DECISION_BYTES, &b);
    e->state = b.memory;
    return s;
}
XG_FN XG_COLD void xr_cuda_finish(xlagpu_execution *e) {
    xr_block b;
    if (!e->state) return;
    memset(&b, 0, sizeof b);
    b.memory = e->state;
    b.host = true;
    xr_cuda_release(e->program->device, &b);
}

XG_ONE_COPY XG_FN xr_cuda *xr_cuda_under(const xlagpu_execution *e) { return xr_cuda_of(e->program->device); }
#define XR_CUDA_RUN(e, call, what) xr_cuda_check(&(e)->c, xr_cuda_under(e), xr_cuda_under(e)->call, (what))
XG_FN xlagpu_status xr_cuda_enter(xlagpu_execution *e) { return xr_cuda_push(&e->c, xr_cuda_under(e)); }
XG_FN void xr_cuda_leave(xlagpu_execution *e) { xr_cuda_pop(xr_cuda_under(e)); }
XG_FN xlagpu_status xr_cuda_copy(xlagpu_execution *e, uint64_t to, uint64_t from, size_t bytes, void *stream) {
    return XR_CUDA_RUN(e, copy(to, from, bytes, stream), "copying on the GPU");
}
XG_FN xlagpu_status xr_cuda_read(xlagpu_execution *e, void *to, uint64_t from, size_t bytes, void *stream) {
    uint64_t place = (uint64_t)(uintptr_t)e->state;
    xlagpu_status s = XR_CUDA_RUN(e, copy(place, from, bytes, stream), "reading a loop's or branch's decision");
    if (s == XLAGPU_OK) s = XR_CUDA_RUN(e, stream_wait(stream), "waiting for a loop's or branch's decision");
    if (s == XLAGPU_OK) memcpy(to, e->state, bytes);
    return s;
}
XG_FN xlagpu_status xr_cuda_fill(xlagpu_execution *e, uint64_t to, uint32_t pattern, size_t bytes, void *stream) {
    /* one byte four times: the loader checked it */
    if ((to | bytes) % 4) return XR_CUDA_RUN(e, fill8(to, (unsigned char)pattern, bytes, stream), "filling memory");
    return XR_CUDA_RUN(e, fill32(to, pattern, bytes / 4, stream), "filling memory");
}

/* ---- events ---- */

enum {
    XR_CUDA_EVENT_UNTIMED = 2,
    XR_CUDA_NOT_READY = 600
};
XG_FN xlagpu_status xr_cuda_event_new(xlagpu_execution *e, bool timed, void **event) {
    return XR_CUDA_RUN(e, event_create(event, timed ? 0 : XR_CUDA_EVENT_UNTIMED), "making an event");
}
XG_FN void xr_cuda_event_free(xlagpu_execution *e, void *event) { xr_cuda_under(e)->event_destroy(event); }
XG_FN xlagpu_status xr_cuda_event_record(xlagpu_execution *e, void *event, void *stream) {
    enum {
        NODE = 1 /* else what is recorded while a stream is captured is no time, but a place in the capture */
    };
    return xr_cuda_check(&e->c, xr_cuda_under(e),
        e->capturing ? xr_cuda_under(e)->capture_record(event, stream, NODE)
                     : xr_cuda_under(e)->event_record(event, stream),
        "recording an event");
}
XG_FN xlagpu_status xr_cuda_event_wait(xlagpu_execution *e, void *event) {
    return XR_CUDA_RUN(e, event_wait(event), "waiting for an event");
}
XG_FN xlagpu_status xr_cuda_event_done(xlagpu_execution *e, void *event, bool *done) {
    int error = xr_cuda_under(e)->event_query(event);
    *done = !error;
    return error == XR_CUDA_NOT_READY ? XLAGPU_OK
                                      : xr_cuda_check(&e->c, xr_cuda_under(e), error, "asking for an event");
}
enum {
    XR_CUDA_STREAM_NON_BLOCKING = 1
}; /* knows nothing of the default stream */
XG_FN xlagpu_status xr_cuda_stream_new(xlagpu_execution *e, void **stream) {
    *stream = NULL;
    return xr_cuda_under(e)->streams
               ? XR_CUDA_RUN(e, stream_create(stream, XR_CUDA_STREAM_NON_BLOCKING), "making a stream")
               : XLAGPU_OK;
}
XG_FN void xr_cuda_stream_free(xlagpu_execution *e, void *stream) { xr_cuda_under(e)->stream_destroy(stream); }
XG_FN xlagpu_status xr_cuda_stream_follow(xlagpu_execution *e, void *stream, void *event) {
    return XR_CUDA_RUN(e, stream_follow(stream, event, 0), "making a stream wait for an event");
}
/* Memory that other code of the process lets its contexts reach stays so. */
XG_FN XG_COLD bool xr_cuda_reach(xlagpu_device *d, xlagpu_device *other, bool *ours) {
    enum {
        ALREADY = 704
    };
    xr_cuda *u = xr_cuda_of(d), *v = xr_cuda_of(other);
    int can = 0, error;
    *ours = false;
    if (!u->peers || u->peer_ask(&can, u->device, v->device) || !can || u->context_push(u->context)) return false;
    error = u->peer_enable(v->context, 0);
    xr_cuda_pop(u);
    *ours = !error;
    return !error || error == ALREADY;
}
XG_FN XG_COLD void xr_cuda_unreach(xlagpu_device *d, xlagpu_device *other) {
    xr_cuda *u = xr_cuda_of(d);
    if (u->context_push(u->context)) return;
    (void)u->peer_disable(xr_cuda_of(other)->context);
    xr_cuda_pop(u);
}
XG_FN xlagpu_status xr_cuda_event_seconds(xlagpu_execution *e, void *before, void *after, double *seconds) {
    float milliseconds = 0;
    xlagpu_status s = XR_CUDA_RUN(e, event_elapsed(&milliseconds, before, after), "reading the time between events");
    *seconds = (double)milliseconds * 1e-3;
    return s;
}
XG_FN void xr_cuda_range(xlagpu_device *d, const char *name) {
    xr_cuda *u = xr_cuda_of(d);
    if (!u->nvtx_push) return;
    if (name)
        u->nvtx_push(name);
    else
        u->nvtx_pop();
}

XG_FN void *xr_cuda_handle(const void *handle) {
    void *p;
    memcpy(&p, &handle, sizeof p);
    return p;
}

XG_FN xlagpu_status xr_cuda_launch(xlagpu_execution *e, uint32_t kernel, void *stream) {
    const xr_kernel *k = &e->program->kernels[kernel];
    e->stats[kernel].launches++;
    return XR_CUDA_RUN(e,
        launch(xr_cuda_handle(k->handle), k->blocks[0], k->blocks[1], k->blocks[2], k->threads[0], k->threads[1],
            k->threads[2], k->shared_bytes, stream, e->arg_pointers, NULL),
        "launching a kernel");
}

/* ---- any PTX ---- */

/* What drivers before CUDA 12 lack: asked for when it is needed. */
typedef int(XR_CUDAAPI *xr_cuda_encode)(void *map, int type, uint32_t rank, void *address, const uint64_t *dims,
    const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave, int swizzle, int promotion,
    int fill);
typedef struct xr_cuda_attribute {
    int id;
    char pad[4];
    union {
        char room[64];
        unsigned cluster[3];
    } value;
} xr_cuda_attribute;
typedef struct xr_cuda_config {
    unsigned grid[3], block[3], shared;
    void *stream;
    xr_cuda_attribute *attributes;
    unsigned n;
} xr_cuda_config;
typedef int(XR_CUDAAPI *xr_cuda_launch_ex)(const xr_cuda_config *config, void *function, void **params, void **extra);
enum {
    XR_CUDA_CLUSTER_DIMENSION = 4
};

XG_FN XG_COLD xlagpu_status xr_cuda_newer(xlagpu_device *d, const char *symbol, void *out, size_t bytes) {
    void *f = xr_library_symbol(xr_cuda_of(d)->library, symbol);
    if (!f) return xr_fail(&d->c, XLAGPU_ERROR_UNSUPPORTED, "the NVIDIA driver has no %s: it is too old", symbol);
    memcpy(out, &f, bytes);
    return XLAGPU_OK;
}
XG_FN xlagpu_status xr_cuda_launch_cluster(xlagpu_device *d, void *f, const xlagpu_ptx_launch *l, void **extra) {
    xr_cuda_attribute a;
    xr_cuda_config c;
    xr_cuda_launch_ex launch = NULL;
    xlagpu_status s = xr_cuda_newer(d, "cuLaunchKernelEx", &launch, sizeof launch);
    int k;
    if (s != XLAGPU_OK) return s;
    memset(&a, 0, sizeof a);
    memset(&c, 0, sizeof c);
    a.id = XR_CUDA_CLUSTER_DIMENSION;
    for (k = 0; k < 3; k++) {
        a.value.cluster[k] = XG_MAX(1u, l->cluster[k]);
        c.grid[k] = l->grid[k];
        c.block[k] = l->block[k];
    }
    c.shared = l->shared_bytes;
    c.attributes = &a;
    c.n = 1;
    return xr_cuda_check(&d->c, xr_cuda_of(d), launch(&c, f, NULL, extra), l->entry);
}

/* Parameters as one block: the driver's "extra" list of (1, pointer), (2, size), end. */
XG_FN xlagpu_status xr_cuda_launch_ptx(
    xlagpu_device *d, const xg_source *ptx, void *loaded, const xlagpu_ptx_launch *l, xlagpu_kernel_stats *stats) {
    void *module = NULL, *extra[5];
    const void *f = NULL;
    size_t bytes = l->parameter_bytes;
    xlagpu_status s = xr_cuda_push(&d->c, xr_cuda_of(d));
    if (s != XLAGPU_OK) return s;
    (void)loaded;
    memcpy(&extra[1], &l->parameters, sizeof extra[1]);
    extra[0] = (void *)(uintptr_t)1;
    extra[2] = (void *)(uintptr_t)2;
    extra[3] = &bytes;
    extra[4] = NULL;
    if (!l->entry) s = xr_fail(&d->c, XLAGPU_ERROR_USAGE, "name the kernel to run");
    if (s == XLAGPU_OK) s = xr_cuda_module(d, ptx, &module);
    if (s == XLAGPU_OK) s = xr_cuda_function(d, module, l->entry, l->shared_bytes, &f);
    if (s == XLAGPU_OK && (l->cluster[0] || l->cluster[1] || l->cluster[2]))
        s = xr_cuda_launch_cluster(d, xr_cuda_handle(f), l, bytes ? extra : NULL);
    else if (s == XLAGPU_OK)
        s = XR_CUDA(d,
            launch(xr_cuda_handle(f), l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2],
                l->shared_bytes, NULL, NULL, bytes ? extra : NULL),
            l->entry);
    if (s == XLAGPU_OK) s = XR_CUDA(d, stream_wait(NULL), "running the kernel");
    if (module) xr_cuda_of(d)->module_unload(module);
    xr_cuda_pop(xr_cuda_of(d));
    if (stats) {
        memset(stats, 0, sizeof *stats);
        stats->name = l->entry;
        stats->launches = 1;
    }
    return s;
}

XG_FN XG_COLD xlagpu_status xr_cuda_encode_map(xlagpu_device *d, const xlagpu_tensor_map *m, void *out) {
    xr_cuda_encode encode = NULL;
    uint64_t memory[32],
        *aligned = memory + (64 - (uintptr_t)memory % 64) % 64 / 8; /* the driver wants 64-byte alignment */
    xlagpu_status s = xr_cuda_newer(d, "cuTensorMapEncodeTiled", &encode, sizeof encode);
    if (s != XLAGPU_OK) return s;
    s = xr_cuda_push(&d->c, xr_cuda_of(d));
    if (s != XLAGPU_OK) return s;
    s = xr_cuda_check(&d->c, xr_cuda_of(d),
        encode(aligned, (int)m->data_type, m->rank, (void *)(uintptr_t)m->address, m->dims, m->strides, m->box,
            m->steps, 0, (int)m->swizzle, (int)m->l2_promotion, (int)m->fill),
        "encoding a tensor map");
    xr_cuda_pop(xr_cuda_of(d));
    if (s == XLAGPU_OK) memcpy(out, aligned, 128);
    return s;
}

#endif /* XG_RT_CUDA_C */
