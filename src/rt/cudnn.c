/* rt/cudnn.c -- graphs of operations by cuDNN: the call's words (api/executable.h) become descriptors of the library,
 * one after the other, and its heuristics say which engine makes them.
 *
 * What is in a graph only the compiler knows; here stands what the library must not be trusted with: that types have
 * the width they say, descriptors stand before their users, and tensors lie within the call's buffers. Of the engines
 * that the heuristics name, best first, the first one is taken that works in the call's memory and has no numerical
 * note that the call refuses. A handle has one stream and one user at a time: runs on several threads take turns to
 * enqueue, and so does what prepares an execution while others run. */
#ifndef XG_RT_CUDNN_C
#define XG_RT_CUDNN_C
#include "library.h"

enum {
    XR_DNN_ENGINE = 2, /* descriptors */
    XR_DNN_ENGINE_CONFIG = 3,
    XR_DNN_HEURISTICS = 4,
    XR_DNN_PLAN = 5,
    XR_DNN_OPERATION_GRAPH = 15,
    XR_DNN_PACK = 16,
    XR_DNN_TENSOR = 17,
    XR_DNN_IS_HANDLE = 0, /* types of attributes */
    XR_DNN_IS_INT64 = 3,
    XR_DNN_IS_POINTER = 6,
    XR_DNN_IS_MODE = 8,
    XR_DNN_IS_NOTE = 11,
    XR_DNN_IS_DESCRIPTOR = 15,
    XR_DNN_ADVICE_MODE = 200, /* attributes */
    XR_DNN_ADVICE_GRAPH = 201,
    XR_DNN_ADVICE = 202,
    XR_DNN_CONFIG_ENGINE = 300,
    XR_DNN_PLAN_HANDLE = 400,
    XR_DNN_PLAN_CONFIG = 401,
    XR_DNN_PLAN_WORKSPACE = 402,
    XR_DNN_GRAPH_HANDLE = 800,
    XR_DNN_TENSOR_TYPE = 901,
    XR_DNN_TENSOR_DIMS = 902,
    XR_DNN_TENSOR_STRIDES = 903,
    XR_DNN_TENSOR_VECTOR = 904, /* and the next one: elements that are vectors */
    XR_DNN_TENSOR_NUMBER = 906,
    XR_DNN_PACK_NUMBERS = 1000,
    XR_DNN_PACK_POINTERS = 1001,
    XR_DNN_PACK_WORKSPACE = 1003,
    XR_DNN_ENGINE_NOTES = 1303,
    XR_DNN_CANNOT = 3000, /* statuses from here to .. are of engines that cannot make it */
    XR_DNN_CANNOT_COMPILE = 4001,
    XR_DNN_NO_MEMORY = 4003, /* of the host; the next one: of the device */
    XR_DNN_NOTES_MAX = 16,
    XR_DNN_TENSORS_MAX = 16, /* of a call: its operands, results and scalars */
    XR_DNN_ADVICE_MAX = 16   /* engines that are tried, of each kind of advice */
};
typedef struct xr_dnn_state {
    void **descs, *config, *plan; /* config: of the plan's engine */
    const int64_t *words;
    uint32_t n_words, n, n_tensors;
    int64_t numbers[XR_DNN_TENSORS_MAX];
    const int64_t *values[XR_DNN_TENSORS_MAX]; /* by value: its bits; NULL: it lies in a buffer */
} xr_dnn_state;

/* ---- the graph ---- */

XG_FN XG_COLD uint32_t xr_dnn_width(int64_t type) { /* bytes of an element; 0: a graph has no such attribute */
    XG_TABLE const char widths[] = "0418480400400048444044440404444";
    return type == XR_DNN_IS_DESCRIPTOR                     ? (uint32_t)sizeof(void *)
           : type < 0 || type >= (int64_t)sizeof widths - 1 ? 0
                                                            : (uint32_t)(widths[type] - '0');
}
/* A tensor's attributes as they come. */
typedef struct xr_dnn_tensor {
    int64_t number, type, value;
    const int64_t *dims, *strides, *bits;
    int64_t rank, n_strides;
} xr_dnn_tensor;
XG_FN XG_COLD void xr_dnn_note(xr_dnn_tensor *t, int64_t name, int64_t count, const int64_t *values) {
    if (name == XR_DNN_TENSOR_NUMBER) t->number = values[0];
    if (name == XR_DNN_TENSOR_TYPE) t->type = values[0];
    if (name == XG_EXE_DNN_VALUE) t->bits = values;
    if (name == XR_DNN_TENSOR_DIMS) {
        t->dims = values;
        t->rank = count;
    }
    if (name == XR_DNN_TENSOR_STRIDES) {
        t->strides = values;
        t->n_strides = count;
    }
}
/* Within its buffer, or by value; false: it is not. */
XG_FN XG_COLD bool xr_dnn_place(xr_dnn_state *s, const xr_dnn_tensor *t, const xlagpu_rt_call *c) {
    static const char widths[] = "48214010028111"; /* of an element, by its type; 0: we have no such arrays */
    uint64_t last = 0, width = t->type >= 0 && t->type < 14 ? (uint64_t)(widths[t->type] - '0') : 0, bytes;
    int64_t k;
    if (t->rank != t->n_strides || !width) return false;
    if (t->number >= XG_EXE_DNN_BETWEEN && !t->bits) return true;
    if (s->n_tensors == XR_DNN_TENSORS_MAX) return false;
    s->numbers[s->n_tensors] = t->number;
    s->values[s->n_tensors++] = t->bits;
    if (t->bits) return true;
    if (t->number < 1 || t->number >= (int64_t)(c->n_operands + c->n_results)) return false;
    bytes = c->buffers[t->number - 1].bytes;
    for (k = 0; k < t->rank; k++) {
        uint64_t steps = (uint64_t)t->dims[k] - 1, stride = (uint64_t)t->strides[k];
        if (steps >= bytes || stride > bytes || (steps && stride > bytes / steps)) return false;
        last += steps * stride;
    }
    return last < bytes && (last + 1) * width <= bytes;
}
XG_FN XG_COLD int xr_dnn_set(const xr_dnn *l, const xr_dnn_state *s, int64_t name, int64_t type, int64_t count,
    const int64_t *values, bool *is_whole) {
    char bytes[64 * sizeof(void *)];
    uint32_t width = xr_dnn_width(type);
    int64_t k;
    *is_whole = width && count <= 64 && name != XR_DNN_TENSOR_VECTOR && name != XR_DNN_TENSOR_VECTOR + 1;
    for (k = 0; k < count && *is_whole; k++) {
        const void *from = &values[k];
        if (type == XR_DNN_IS_DESCRIPTOR) {
            *is_whole = values[k] >= 0 && values[k] < (int64_t)s->n - 1;
            from = *is_whole ? &s->descs[values[k]] : NULL;
        }
        if (*is_whole) memcpy(bytes + (size_t)k * width, from, width);
    }
    return *is_whole ? l->set(s->descs[s->n - 1], (int)name, (int)type, count, bytes) : 0;
}
/* All descriptors; *what stays NULL, and the status is one, if the words are no graph. */
XG_FN XG_COLD int xr_dnn_build(
    const xr_dnn *l, void *handle, xr_dnn_state *s, const xlagpu_rt_call *c, const char **which) {
    const char *what = NULL;
    const int64_t *w = s->words, *end = w + s->n_words;
    int64_t kind = -1;
    xr_dnn_tensor tensor;
    bool whole = true;
    int e = 0;
    memset(&tensor, 0, sizeof tensor);
    while (!e && whole && end - w >= 2) {
        if (*w == XG_EXE_DNN_NEW) {
            if (s->n) XR_DO(l->finalize(s->descs[s->n - 1]), "cudnnBackendFinalize");
            whole = kind != XR_DNN_TENSOR || xr_dnn_place(s, &tensor, c);
            if (!whole) break;
            kind = w[1];
            memset(&tensor, 0, sizeof tensor);
            w += 2;
            XR_DO(l->create((int)kind, &s->descs[s->n]), "cudnnBackendCreateDescriptor");
            s->n += !e;
            if (kind == XR_DNN_OPERATION_GRAPH)
                XR_DO(l->set(s->descs[s->n - 1], XR_DNN_GRAPH_HANDLE, XR_DNN_IS_HANDLE, 1, &handle),
                    "cudnnBackendSetAttribute");
            continue;
        }
        whole = s->n && end - w > 3 && w[2] >= 1 && w[2] <= end - w - 3;
        if (!whole) break;
        xr_dnn_note(&tensor, *w, w[2], w + 3);
        if (*w != XG_EXE_DNN_VALUE)
            XR_DO(xr_dnn_set(l, s, w[0], w[1], w[2], w + 3, &whole), "cudnnBackendSetAttribute");
        w += 3 + w[2];
    }
    if (!e && (!whole || w != end || kind != XR_DNN_OPERATION_GRAPH)) return 1;
    XR_DO(l->finalize(s->descs[s->n - 1]), "cudnnBackendFinalize");
    *which = what;
    return e;
}

/* ---- the engine ---- */

XG_FN XG_COLD size_t xr_dnn_workspace(const xlagpu_rt_call *c) {
    return c->buffers[c->n_operands + c->n_results - 1].bytes;
}
/* A plan of the advised engine if the call may use it; else NULL, with a status if the library failed. */
XG_FN XG_COLD int xr_dnn_try(
    const xr_dnn *l, void *handle, void *config, const xlagpu_rt_call *c, int64_t refused, void **plan) {
    int32_t notes[XR_DNN_NOTES_MAX];
    void *engine = NULL;
    int64_t n = 0, bytes = 0, k;
    int e = 0;
    if (!e) e = l->create(XR_DNN_ENGINE, &engine);
    if (!e) e = l->get(config, XR_DNN_CONFIG_ENGINE, XR_DNN_IS_DESCRIPTOR, 1, &n, &engine);
    n = 0;
    if (!e) e = l->get(engine, XR_DNN_ENGINE_NOTES, XR_DNN_IS_NOTE, XR_DNN_NOTES_MAX, &n, notes);
    if (engine) l->free(engine);
    for (k = 0; !e && k < n && k < XR_DNN_NOTES_MAX; k++)
        if (notes[k] >= 0 && notes[k] < 63 && refused >> notes[k] & 1) return 0;
    if (!e) e = l->create(XR_DNN_PLAN, plan);
    if (!e) e = l->set(*plan, XR_DNN_PLAN_HANDLE, XR_DNN_IS_HANDLE, 1, &handle);
    if (!e) e = l->set(*plan, XR_DNN_PLAN_CONFIG, XR_DNN_IS_DESCRIPTOR, 1, &config);
    if (!e) e = l->finalize(*plan);
    if (!e) e = l->get(*plan, XR_DNN_PLAN_WORKSPACE, XR_DNN_IS_INT64, 1, &n, &bytes);
    if (*plan && (e || bytes < 0 || (uint64_t)bytes > xr_dnn_workspace(c))) {
        l->free(*plan);
        *plan = NULL;
    }
    return (e >= XR_DNN_CANNOT && e < XR_DNN_CANNOT + 1000) || e == XR_DNN_CANNOT_COMPILE ? 0 : e;
}
XG_APART XG_FN XG_COLD int xr_dnn_advise(const xr_dnn *l, void *handle, xr_dnn_state *s, int32_t mode,
    const xlagpu_rt_call *c, int64_t refused, const char **which) {
    void *heuristics = NULL, *configs[XR_DNN_ADVICE_MAX];
    int64_t n = 0, k, made;
    int e = 0;
    if (!e) e = l->create(XR_DNN_HEURISTICS, &heuristics);
    if (!e) e = l->set(heuristics, XR_DNN_ADVICE_GRAPH, XR_DNN_IS_DESCRIPTOR, 1, &s->descs[s->n - 1]);
    if (!e) e = l->set(heuristics, XR_DNN_ADVICE_MODE, XR_DNN_IS_MODE, 1, &mode);
    if (!e) e = l->finalize(heuristics);
    for (made = 0; !e && made < XR_DNN_ADVICE_MAX; made += !e)
        if (!e) e = l->create(XR_DNN_ENGINE_CONFIG, &configs[made]);
    if (!e) e = l->get(heuristics, XR_DNN_ADVICE, XR_DNN_IS_DESCRIPTOR, XR_DNN_ADVICE_MAX, &n, configs);
    for (k = 0; !e && !s->plan && k < n && k < XR_DNN_ADVICE_MAX; k++)
        if (!e) e = xr_dnn_try(l, handle, configs[k], c, refused, &s->plan);
    if (s->plan) s->config = configs[k - 1];
    while (made-- > 0)
        if (configs[made] != s->config) l->free(configs[made]);
    if (heuristics) l->free(heuristics);
    if (e) *which = "cudnnBackendFinalize of an execution plan";
    return e >= XR_DNN_CANNOT && e < XR_DNN_CANNOT + 1000 ? 0 : e;
}

/* ---- a call ---- */

/* With what the library says about it. */
XG_FN XG_COLD xlagpu_status xr_dnn_failed(const xr_dnn *l, const xlagpu_rt_call *c, const char *what, int error) {
    bool cannot = error >= XR_DNN_CANNOT && error < XR_DNN_CANNOT + 1000;
    int no_memory = error == XR_DNN_NO_MEMORY + 1 ? error : XR_DNN_NO_MEMORY;
    xlagpu_status s = xr_library_failed(c, "cuDNN", what, error, no_memory, cannot ? error : -1);
    size_t n = strlen(c->error);
    char why[200] = "";
    l->why(why, sizeof why);
    why[sizeof why - 1] = 0;
    if (why[0]) xg_format(c->error + n, c->error_bytes - n, ": %s", why);
    return s;
}
XG_FN XG_COLD void xr_dnn_finish(void *user, const xlagpu_rt_call *c) {
    xlagpu_device *d = (xlagpu_device *)user;
    struct xr_libraries *all = d->libraries;
    xr_dnn_state *s = (xr_dnn_state *)c->state;
    if (s->plan) all->dnn.free(s->plan);
    if (s->config) all->dnn.free(s->config);
    while (s->n > 0) all->dnn.free(s->descs[--s->n]);
    xg_mem_free(&d->c, s);
    if (--all->dnn_users) return;
    if (all->dnn_handle) all->dnn.destroy(all->dnn_handle);
    if (all->dnn_lock) xr_lock_free(all->dnn_lock);
    xg_mem_free(&d->c, all->dnn_lock);
    all->dnn_lock = NULL;
    all->dnn_handle = NULL;
}
XG_FN XG_COLD int xr_dnn_open(struct xr_libraries *all, xr_dnn_state *s, const xlagpu_rt_call *c, const char **which) {
    const xr_dnn *l = &all->dnn;
    const xlagpu_rt_attribute *notes = xlagpu_rt_attribute_of(c, "refused_notes", XLAGPU_ATTRIBUTE_SCALAR, XLAGPU_S64);
    int64_t refused = notes ? *(const int64_t *)notes->data : 0;
    const char *what = NULL;
    int e = 0, mode;
    if (!all->dnn_handle) XR_DO(l->open(&all->dnn_handle), "cudnnCreate");
    if (!e) e = xr_dnn_build(l, all->dnn_handle, s, c, &what);
    for (mode = 3; !e && !s->plan && mode >= 2; mode--) /* the best advice, then what always works */
        e = xr_dnn_advise(l, all->dnn_handle, s, mode, c, refused, &what);
    if (!e && !s->plan) {
        what = "cudnnBackendFinalize makes no plan";
        e = XR_DNN_CANNOT;
    }
    *which = what;
    return e;
}
XG_FN XG_COLD xlagpu_status xr_dnn_prepare(void *user, xlagpu_rt_call *c) {
    xlagpu_device *d = (xlagpu_device *)user;
    struct xr_libraries *all = d->libraries;
    const xlagpu_rt_attribute *graph = xlagpu_rt_attribute_of(c, "graph", XLAGPU_ATTRIBUTE_ARRAY, XLAGPU_S64);
    size_t cap = graph ? graph->count / 2 + 1 : 0; /* a descriptor is two words at least */
    xr_dnn_state *s;
    const char *what = NULL;
    int e;
    if (!graph || c->n_results < 2) return xr_library_damaged(c);
    s = (xr_dnn_state *)xg_mem_alloc(&d->c, sizeof *s + cap * sizeof(void *));
    if (!s) return XLAGPU_ERROR_MEMORY;
    memset(s, 0, sizeof *s);
    s->descs = (void **)(void *)(s + 1);
    s->words = (const int64_t *)graph->data;
    s->n_words = graph->count;
    c->state = s;
    if (!all->dnn_users++) all->dnn_lock = xr_lock_new(&d->c);
    e = -1;
    if (all->dnn_lock) {
        xr_enter_lock(all->dnn_lock);
        e = xr_dnn_open(all, s, c, &what);
        xr_leave_lock(all->dnn_lock);
    }
    if (!e) return XLAGPU_OK;
    xr_dnn_finish(user, c);
    return what ? xr_dnn_failed(&all->dnn, c, what, e) : e < 0 ? XLAGPU_ERROR_MEMORY : xr_library_damaged(c);
}
XG_FN xlagpu_status xr_dnn_call(void *user, const xlagpu_rt_call *c) {
    struct xr_libraries *all = ((xlagpu_device *)user)->libraries;
    const xr_dnn *l = &all->dnn;
    xr_dnn_state *s = (xr_dnn_state *)c->state;
    void *pointers[XR_DNN_TENSORS_MAX], *pack = NULL, *work = xr_library_pointer(c, c->n_operands + c->n_results - 1);
    uint32_t k;
    int e = 0;
    for (k = 0; k < s->n_tensors; k++)
        pointers[k] = s->values[k] ? (void *)(uintptr_t)s->values[k] : xr_library_pointer(c, s->numbers[k] - 1);
    if (!e) e = l->create(XR_DNN_PACK, &pack); /* one that is complete stays as it is */
    if (!e) e = l->set(pack, XR_DNN_PACK_POINTERS, XR_DNN_IS_POINTER, s->n_tensors, pointers);
    if (!e) e = l->set(pack, XR_DNN_PACK_NUMBERS, XR_DNN_IS_INT64, s->n_tensors, s->numbers);
    if (!e) e = l->set(pack, XR_DNN_PACK_WORKSPACE, XR_DNN_IS_POINTER, 1, &work);
    if (!e) e = l->finalize(pack);
    xr_enter_lock(all->dnn_lock);
    if (!e) e = l->stream(all->dnn_handle, c->stream);
    if (!e) e = l->execute(all->dnn_handle, s->plan, pack);
    xr_leave_lock(all->dnn_lock);
    if (pack) l->free(pack);
    return e ? xr_dnn_failed(l, c, "cudnnBackendExecute", e) : XLAGPU_OK;
}

#endif /* XG_RT_CUDNN_C */
