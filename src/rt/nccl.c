/* rt/nccl.c -- how GPUs meet: NVIDIA's NCCL, found at run time.
 *
 * Ideas
 * - Every device has a communicator of all devices, made when the clique is opened, and one for each other way in which
 *   a program's collectives group them, split from that when a program is loaded and kept for later ones.
 * - Communicators do not block: a call that is not done yet is asked for until it is. Work stands on the device's
 *   stream, and a call that waits for the stream asks the communicators, and the clock, meanwhile. Two events for each
 *   collective say which one a device waits in.
 * - All is enqueued by the device's own thread, which alone uses its communicators.
 *
 * Laws: no waiting without an end, except on the caller's own streams. A device that fails, and one that has waited for
 * too long, aborts its communicators, and so do the others of its process. */
#ifndef XG_RT_NCCL_C
#define XG_RT_NCCL_C
#include "rt.h"
#include "cuda.c"
#include "library.h"
#include "rendezvous.c"

#ifndef XLAGPU_USE_NCCL
XG_FN XG_COLD xlagpu_status xr_nccl_open(xlagpu_clique *q, const char *folder) {
    (void)folder;
    return xr_fail(&q->c, XLAGPU_ERROR_UNSUPPORTED, "GPUs meet by NCCL: define XLAGPU_USE_NCCL for the implementation");
}
XG_FN XG_COLD void xr_nccl_close(xlagpu_clique *q) { (void)q; }
XG_FN XG_COLD xlagpu_status xr_nccl_load(xlagpu_clique *q, xr_peers *peers) {
    (void)q;
    (void)peers;
    return XLAGPU_OK;
}
XG_FN XG_COLD xlagpu_status xr_nccl_collective(xlagpu_execution *e, const xg_exe_thunk *t, void *stream) {
    (void)t;
    (void)stream;
    return xr_fail(&e->c, XLAGPU_ERROR_UNSUPPORTED, "collectives are not supported on this platform");
}
XG_FN xlagpu_status xr_nccl_wait(xlagpu_execution *e) {
    (void)e;
    return XLAGPU_OK;
}
XG_FN xlagpu_status xr_nccl_pause(xlagpu_execution *e, void *stream) {
    (void)e;
    (void)stream;
    return XLAGPU_OK;
}
XG_FN void xr_nccl_leave(xlagpu_execution *e) { (void)e; }
XG_FN bool xr_met_has(const xlagpu_program *p) {
    (void)p;
    return false;
}
XG_FN size_t xr_met_bytes(const xlagpu_program *p) {
    (void)p;
    return 0;
}
XG_FN xlagpu_status xr_met_prepare(xlagpu_execution *e) {
    (void)e;
    return XLAGPU_OK;
}
XG_FN void xr_met_finish(xlagpu_execution *e) { (void)e; }
#else
typedef struct xr_nccl_id {
    char bytes[128];
} xr_nccl_id;
typedef struct xr_nccl_config { /* as version 2.14 has it: later ones take the size */
    size_t size;
    unsigned magic, version;
    int blocking;
} xr_nccl_config;
/* X(field, symbol, parameters): all return an int status, 0 for success. */
/* clang-format off */
#define XR_NCCL_FUNCTIONS(X) \
    X(version, "ncclGetVersion", (int *version)) \
    X(new_id, "ncclGetUniqueId", (xr_nccl_id *id)) \
    X(join, "ncclCommInitRankConfig", (void **comm, int n, xr_nccl_id id, int rank, const xr_nccl_config *config)) \
    X(finalize, "ncclCommFinalize", (void *comm)) \
    X(destroy, "ncclCommDestroy", (void *comm)) \
    X(abort, "ncclCommAbort", (void *comm)) \
    X(error, "ncclCommGetAsyncError", (void *comm, int *error)) \
    X(begin, "ncclGroupStart", (void)) \
    X(end, "ncclGroupEnd", (void)) \
    X(all_reduce, "ncclAllReduce", (const void *in, void *out, size_t n, int type, int op, void *comm, void *stream)) \
    X(reduce_scatter, "ncclReduceScatter", (const void *in, void *out, size_t n, int type, int op, void *comm, void *stream)) \
    X(all_gather, "ncclAllGather", (const void *in, void *out, size_t n, int type, void *comm, void *stream)) \
    X(broadcast, "ncclBroadcast", (const void *in, void *out, size_t n, int type, int root, void *comm, void *stream)) \
    X(send, "ncclSend", (const void *in, size_t n, int type, int to, void *comm, void *stream)) \
    X(recv, "ncclRecv", (void *out, size_t n, int type, int from, void *comm, void *stream))
/* clang-format on */
struct xr_nccl { /* the library's functions stand behind it, in their order */
    void *library;
#define X(field, symbol, parameters) int(*field) parameters;
    XR_NCCL_FUNCTIONS(X)
#undef X
    const char *(*text)(int error);
    int (*split)(void *comm, int color, int key, void **out, const xr_nccl_config *config); /* NULL: before 2.18 */
};
enum {
    XR_NCCL_OLDEST = 21400, /* communicators that do not block */
    XR_NCCL_IN_PROGRESS = 7,
    XR_NCCL_NO_COLOR = -1,
    XR_NCCL_BYTES = 0, /* ncclInt8 */
    XR_NCCL_NO_TYPE = -1
};
/* color: by device, 1 + its group; 0: in none. key: its place there. handles: of our own devices. ids: of groups, while
 * it is made. */
struct xr_comm {
    xr_comm *next;
    uint32_t *color, *key, n_groups;
    void **handles;
    xr_nccl_id *ids;
};

/* ---- the library ---- */

XG_FN XG_COLD xlagpu_status xr_nccl_bind(xlagpu_clique *q, const char *folder) {
    static const xr_library_file file = {"NCCL", "nccl", 2, 0};
#define X(field, symbol, parameters) symbol "\0"
    XG_TABLE const char symbols[] = XR_NCCL_FUNCTIONS(X) "ncclGetErrorString\0";
#undef X
    struct xr_nccl *n = q->nccl;
    xlagpu_status s = xr_library_bind(&q->c, folder, &file, symbols, &n->library, (char *)n + sizeof n->library,
        ", by which GPUs meet: install it, or name its folder");
    int version = 0;
    void *f;
    if (s != XLAGPU_OK) return s;
    f = xr_library_symbol(n->library, "ncclCommSplit");
    memcpy(&n->split, &f, sizeof f);
    return xr_library_check(&q->c, &file, n->version(&version) ? 0 : version, XR_NCCL_OLDEST);
}

/* ---- waiting, and giving up ---- */

/* The communicators of one of our devices. Each ends when no graph holds its work, and a launch that has not ended may
 * wait in that of another: so graphs go first, and then all communicators are asked side by side. */
typedef struct xr_nccl_aborts {
    xlagpu_clique *q;
    uint32_t k, from;
} xr_nccl_aborts;
XG_FN XG_COLD void xr_nccl_abort(void *user, uint32_t index) {
    const xr_nccl_aborts *a = (const xr_nccl_aborts *)user;
    const xr_comm *c = a->q->comms;
    for (index += a->from; index; index--) c = c->next;
    if (!c->handles[a->k]) return;
    (void)a->q->nccl->abort(c->handles[a->k]);
    c->handles[a->k] = NULL;
    xr_enter_lock(a->q->lock);
    a->q->broken = true;
    xr_leave_lock(a->q->lock);
}
XG_FN XG_COLD void xr_nccl_give_up(xlagpu_clique *q, uint32_t k) {
    const xlagpu_program *p;
    xlagpu_execution *e;
    const xr_comm *c;
    xr_nccl_aborts a;
    uint32_t n = 0;
    for (p = q->devices[k]->programs; p; p = p->next)
        for (e = p->executions; e; e = e->next) xr_commands_finish(e);
    for (c = q->comms; c; c = c->next) n++;
    a.q = q;
    a.k = k;
    for (a.from = 0; a.from < n; a.from += XR_WORKERS_MAX)
        xr_parallel(XG_MIN(n - a.from, (uint32_t)XR_WORKERS_MAX), xr_nccl_abort, &a);
}
XG_FN XG_COLD void xr_nccl_leave(xlagpu_execution *e) {
    xlagpu_clique *q = e->program->clique;
    if (q && q->nccl) xr_nccl_give_up(q, e->program->rank - q->first);
}
XG_FN XG_COLD xlagpu_status xr_nccl_failed(const xlagpu_clique *q, xg_ctx *c, const char *what, int error) {
    return xr_fail(c, XLAGPU_ERROR_DEVICE, "%s: %s (error %d of NCCL)", what, q->nccl->text(error), error);
}
/* Until what was asked of the communicator is done. */
XG_FN xlagpu_status xr_nccl_settle(xlagpu_clique *q, xg_ctx *c, void *comm, const char *what, int error) {
    enum {
        NAP = 50 /* microseconds */
    };
    double until = xr_seconds() + q->timeout;
    xlagpu_status s = XLAGPU_OK;
    while (error == XR_NCCL_IN_PROGRESS && comm) {
        int asked = q->nccl->error(comm, &error);
        if (asked) error = asked;
        if (error != XR_NCCL_IN_PROGRESS) break;
        s = xr_clique_failed(q, c);
        if (s != XLAGPU_OK) return s;
        if (xr_seconds() > until)
            return xr_fail(
                c, XLAGPU_ERROR_DEVICE, "%s: other devices have not come within %u ms", what, xr_timeout_ms(q));
        xr_nap(NAP);
    }
    return error ? xr_nccl_failed(q, c, what, error) : XLAGPU_OK;
}

/* The collective in which the stream waits; NULL: none. */
XG_FN xlagpu_status xr_met_at(xlagpu_execution *e, const xg_exe_thunk **out) {
    const xlagpu_program *p = e->program;
    xlagpu_status s = XLAGPU_OK;
    uint32_t k;
    *out = NULL;
    for (k = 0; k < p->n_thunks && s == XLAGPU_OK && !*out; k++) {
        bool before = false, behind = true;
        size_t n;
        if (p->thunks[k].kind != XG_EXE_THUNK_COLLECTIVE) continue;
        n = (size_t)(p->collective_of[k] - p->collectives);
        s = p->device->platform->event_done(e, e->met[2 * n], &before);
        if (s == XLAGPU_OK) s = p->device->platform->event_done(e, e->met[2 * n + 1], &behind);
        if (before && !behind) *out = &p->thunks[k];
    }
    return s;
}
/* One look: has the run ended? what: where it waits, for messages. */
XG_FN xlagpu_status xr_nccl_look(xlagpu_execution *e, bool *done, const char *what) {
    const xlagpu_program *p = e->program;
    xlagpu_clique *q = p->clique;
    const xr_comm *c;
    xlagpu_status s = p->device->platform->event_done(e, e->ended, done);
    for (c = q->comms; c && s == XLAGPU_OK && !*done; c = c->next) {
        void *comm = c->handles[p->rank - q->first];
        int error = 0, asked = comm ? q->nccl->error(comm, &error) : 0;
        if (asked) error = asked;
        if (error && error != XR_NCCL_IN_PROGRESS) s = xr_nccl_failed(q, &e->c, what, error);
    }
    return s == XLAGPU_OK && !*done ? xr_clique_failed(q, &e->c) : s;
}
XG_FN xlagpu_status xr_nccl_wait(xlagpu_execution *e) {
    enum {
        EAGER = 200, /* looks before it naps */
        NAP = 50     /* microseconds */
    };
    const xlagpu_program *p = e->program;
    xlagpu_clique *q = p->clique;
    const xg_exe_thunk *in = NULL, *at = NULL;
    double since = xr_seconds();
    bool done = false;
    xlagpu_status s;
    uint32_t n = 0;
    char what[160];
    for (;;) {
        xg_format(what, sizeof what, "HLO %.120s", in ? p->strings + in->name : "of the run");
        s = xr_nccl_look(e, &done, what);
        if (done || s != XLAGPU_OK) break;
        if (n++ < EAGER) continue;
        xr_nap(NAP);
        s = xr_met_at(e, &at);
        if (!at || at != in) since = xr_seconds();
        in = at;
        if (s == XLAGPU_OK && xr_seconds() - since > q->timeout)
            s = xr_fail(
                &e->c, XLAGPU_ERROR_DEVICE, "%s: other devices have not come within %u ms", what, xr_timeout_ms(q));
        if (s != XLAGPU_OK) break;
    }
    if (s == XLAGPU_OK) return s;
    xr_clique_leave(q, p->rank, s, e->c.message);
    xr_nccl_give_up(q, p->rank - q->first);
    (void)p->device->platform->event_wait(e, e->ended);
    return s;
}

XG_FN xlagpu_status xr_nccl_pause(xlagpu_execution *e, void *stream) {
    xlagpu_status s = e->program->device->platform->event_record(e, e->ended, stream);
    return s == XLAGPU_OK ? xr_nccl_wait(e) : s;
}

/* ---- communicators ---- */

typedef struct xr_comm_job {
    xlagpu_clique *q;
    xr_comm *comm;
} xr_comm_job;
XG_FN XG_COLD int xr_comm_ask(xlagpu_clique *q, xr_comm *c, uint32_t me, void **parent) {
    xr_nccl_config config;
    uint32_t k, n = 0;
    *parent = NULL;
    if (!c->ids) {
        *parent = q->comms->handles[me - q->first];
        return q->nccl->split(*parent, c->color[me] ? (int)c->color[me] - 1 : XR_NCCL_NO_COLOR, (int)c->key[me],
            &c->handles[me - q->first], NULL);
    }
    if (!c->color[me]) return 0;
    memset(&config, 0, sizeof config);
    config.size = sizeof config;
    config.magic = 0xcafebeefu; /* of such records */
    config.version = XR_NCCL_OLDEST;
    for (k = 0; k < q->all; k++) n += c->color[k] == c->color[me];
    return q->nccl->join(&c->handles[me - q->first], (int)n, c->ids[c->color[me] - 1], (int)c->key[me], &config);
}
XG_FN XG_COLD void xr_comm_join(void *user, uint32_t k) {
    xr_comm_job *j = (xr_comm_job *)user;
    xlagpu_clique *q = j->q;
    xlagpu_device *d = q->devices[k];
    const char *what = j->comm->ids ? "ncclCommInitRankConfig" : "ncclCommSplit";
    xlagpu_status s;
    void *parent;
    int error;
    xr_begin(&d->c);
    s = xr_cuda_push(&d->c, xr_cuda_of(d));
    if (s == XLAGPU_OK) {
        error = xr_comm_ask(q, j->comm, q->first + k, &parent);
        s = xr_nccl_settle(q, &d->c, parent ? parent : j->comm->handles[k], what, error);
        /* a new communicator may be on its way still */
        if (s == XLAGPU_OK && j->comm->handles[k])
            s = xr_nccl_settle(q, &d->c, j->comm->handles[k], what, XR_NCCL_IN_PROGRESS);
        if (s != XLAGPU_OK) xr_clique_leave(q, q->first + k, s, d->c.message);
        if (s != XLAGPU_OK) xr_nccl_give_up(q, k);
        xr_cuda_pop(xr_cuda_of(d));
    }
    xr_clique_leave(q, q->first + k, s, d->c.message);
}
XG_FN XG_COLD xlagpu_status xr_comm_ids(xlagpu_clique *q, xr_comm *c) {
    uint32_t k;
    int error = 0;
    c->ids = (xr_nccl_id *)xg_mem_alloc(&q->c, c->n_groups * sizeof *c->ids);
    if (!c->ids) return xr_no_memory(&q->c);
    memset(c->ids, 0, c->n_groups * sizeof *c->ids);
    for (k = 0; k < c->n_groups && !q->process && !error; k++) error = q->nccl->new_id(&c->ids[k]);
    return error ? xr_nccl_failed(q, &q->c, "ncclGetUniqueId", error)
                 : xr_share(q, c->ids, c->n_groups * sizeof *c->ids);
}
/* The groups of a collective; NULL: all devices in order, as those that send to each other need it. */
XG_FN XG_COLD xr_comm *xr_comm_new(xlagpu_clique *q, const xr_collective *of) {
    size_t words = 2 * (size_t)q->all, bytes = sizeof(xr_comm) + q->n * sizeof(void *) + words * sizeof(uint32_t);
    xr_comm *c = (xr_comm *)xg_mem_alloc(&q->c, bytes);
    uint32_t d, g;
    if (!c) return NULL;
    memset(c, 0, bytes);
    c->handles = (void **)(void *)(c + 1);
    c->color = (uint32_t *)(void *)(c->handles + q->n);
    c->key = c->color + q->all;
    c->n_groups = of ? of->n_groups : 1;
    for (d = 0; d < q->all; d++) {
        c->color[d] = of ? of->label[d] : 1;
        c->key[d] = d;
    }
    for (g = 0; of && g < of->n_groups; g++)
        for (d = of->first[g]; d < of->first[g + 1]; d++) c->key[of->ids[d]] = d - of->first[g];
    return c;
}
XG_FN XG_COLD bool xr_comm_same(const xlagpu_clique *q, const xr_comm *a, const xr_comm *b) {
    uint32_t d;
    for (d = 0; d < q->all; d++)
        if (a->color[d] != b->color[d] || (a->color[d] && a->key[d] != b->key[d])) return false;
    return true;
}
/* One that is there, or a new one. */
XG_FN XG_COLD xlagpu_status xr_comm_get(xlagpu_clique *q, const xr_collective *of, const xr_comm **out) {
    xr_comm *c = xr_comm_new(q, of), **end;
    xr_comm_job j;
    xlagpu_status s = c ? XLAGPU_OK : xr_no_memory(&q->c);
    if (!c) return s;
    for (end = &q->comms; *end && !xr_comm_same(q, *end, c); end = &(*end)->next) {}
    *out = *end ? *end : c;
    if (*end) {
        xg_mem_free(&q->c, c);
        return s;
    }
    if (!q->comms || !q->nccl->split) s = xr_comm_ids(q, c);
    *end = c;
    j.q = q;
    j.comm = c;
    if (s == XLAGPU_OK) s = xr_clique_all(q, xr_comm_join, &j);
    xg_mem_free(&q->c, c->ids);
    c->ids = NULL;
    return s;
}

XG_FN XG_COLD xlagpu_status xr_nccl_open(xlagpu_clique *q, const char *folder) {
    const xr_comm *all;
    xlagpu_status s;
    q->nccl = (struct xr_nccl *)xg_mem_alloc(&q->c, sizeof *q->nccl);
    if (!q->nccl) return xr_no_memory(&q->c);
    memset(q->nccl, 0, sizeof *q->nccl);
    s = xr_nccl_bind(q, folder);
    return s == XLAGPU_OK ? xr_comm_get(q, NULL, &all) : s;
}
/* All are asked to end before one is waited for. The library has threads: it stays. */
XG_FN XG_COLD void xr_nccl_close(xlagpu_clique *q) {
    xr_comm *c;
    uint32_t k;
    for (c = q->comms; c; c = c->next)
        for (k = 0; k < q->n; k++)
            if (c->handles[k] && q->nccl->finalize(c->handles[k]) % XR_NCCL_IN_PROGRESS) xr_nccl_give_up(q, k);
    for (k = 0; q->broken && k < q->n; k++) xr_nccl_give_up(q, k); /* nothing waits for one that has gone */
    while ((c = q->comms) != NULL) {
        for (k = 0; k < q->n; k++) {
            if (!c->handles[k]) continue;
            if (xr_nccl_settle(q, &q->c, c->handles[k], "ncclCommFinalize", XR_NCCL_IN_PROGRESS) != XLAGPU_OK)
                xr_nccl_give_up(q, k);
            else
                (void)q->nccl->destroy(c->handles[k]);
        }
        q->comms = c->next;
        xg_mem_free(&q->c, c);
    }
    xg_mem_free(&q->c, q->nccl);
}

/* ---- loading ---- */

/* What NCCL calls the type, and how many of it are one element; NO_TYPE: it does not reduce it. */
XG_FN int xr_nccl_type(xlagpu_type t, size_t *each) {
    *each = t == XLAGPU_C64 || t == XLAGPU_C128 ? 2 : 1;
    switch (t) {
    case XLAGPU_S8: return 0;
    case XLAGPU_PRED:
    case XLAGPU_U8: return 1;
    case XLAGPU_S32: return 2;
    case XLAGPU_U32: return 3;
    case XLAGPU_S64: return 4;
    case XLAGPU_U64: return 5;
    case XLAGPU_F16: return 6;
    case XLAGPU_F32:
    case XLAGPU_C64: return 7;
    case XLAGPU_F64:
    case XLAGPU_C128: return 8;
    case XLAGPU_BF16: return 9;
    default: return XR_NCCL_NO_TYPE;
    }
}
XG_FN bool xr_collective_reduces(const xr_collective *c) {
    return c->kind == XR_COLLECTIVE_ALL_REDUCE || c->kind == XR_COLLECTIVE_REDUCE_SCATTER;
}
/* Does the host have to know something before it can enqueue it? */
XG_FN bool xr_collective_asks(const xr_collective *c) {
    return c->kind == XR_COLLECTIVE_RAGGED || (c->kind == XR_COLLECTIVE_BROADCAST && c->type);
}
XG_FN XG_COLD xlagpu_status xr_nccl_load_one(xlagpu_clique *q, xlagpu_program *p, uint32_t thunk, uint64_t *room) {
    xr_collective *c = p->collective_of[thunk];
    const xg_exe_thunk *t = &p->thunks[thunk];
    size_t each;
    if (!q->nccl->library)
        return xr_fail(
            &q->c, XLAGPU_ERROR_UNSUPPORTED, "HLO %s meets other devices: not without NCCL", p->strings + t->name);
    if (xr_collective_reduces(c) && xr_nccl_type(c->type, &each) == XR_NCCL_NO_TYPE)
        return xr_fail(&q->c, XLAGPU_ERROR_UNSUPPORTED, "HLO %s reduces elements of a type that NCCL does not have",
            p->strings + t->name);
    if (xr_collective_asks(c)) *room = XG_MAX(*room, XG_MAX(xr_link_bytes(p, t, c->n_in - 1), (uint64_t)8));
    return xr_comm_get(q, c->kind == XR_COLLECTIVE_PERMUTE ? NULL : c, &c->comm);
}
/* All processes load the same bytes, and go through them in the same order. */
XG_FN XG_COLD xlagpu_status xr_nccl_load(xlagpu_clique *q, xr_peers *peers) {
    const xlagpu_program *first = peers->programs[0];
    uint64_t sum = 0, said, room = 0; /* 0: not loaded */
    xlagpu_status s;
    uint32_t k, j;
    for (k = 0; k < q->n && peers->programs[k]; k++) {}
    if (k == q->n) sum = first->head.checksum | 1;
    said = sum;
    if (q->broken) return xr_fail(&q->c, XLAGPU_ERROR_USAGE, "the clique failed earlier: open another one");
    s = xr_share(q, &said, sizeof said);
    if (!sum) return XLAGPU_ERROR_USAGE;
    if (s == XLAGPU_OK && said != sum)
        s = xr_fail(&q->c, XLAGPU_ERROR_USAGE, "process 0 has %s", said ? "another program" : "failed to load it");
    for (j = 0; s == XLAGPU_OK && j < first->n_thunks; j++) {
        if (first->thunks[j].kind != XG_EXE_THUNK_COLLECTIVE) continue;
        s = xr_nccl_load_one(q, peers->programs[0], j, &room);
        for (k = 1; k < q->n; k++) peers->programs[k]->collective_of[j]->comm = first->collective_of[j]->comm;
    }
    for (k = 0; k < q->n && room && s == XLAGPU_OK; k++) {
        xlagpu_program *p = peers->programs[k];
        s = xr_alloc(p->device, 2 * (size_t)room, &p->met);
        if (s == XLAGPU_OK) s = xr_alloc_in(p->device, 4 * (size_t)room, true, &p->said);
        if (s != XLAGPU_OK) (void)xr_fail(&q->c, s, "%s", xlagpu_rt_error(p->device));
    }
    return s;
}

/* ---- of an execution ---- */

XG_FN bool xr_met_has(const xlagpu_program *p) { return p->clique && p->clique->nccl && p->n_collectives; }
XG_FN size_t xr_met_bytes(const xlagpu_program *p) {
    return xr_met_has(p) ? 2 * (size_t)p->n_collectives * sizeof(void *) : 0;
}
XG_FN XG_COLD xlagpu_status xr_met_prepare(xlagpu_execution *e) {
    uint32_t k, n = xr_met_has(e->program) ? 2 * e->program->n_collectives : 0;
    xlagpu_status s = XLAGPU_OK;
    for (k = 0; k < n && s == XLAGPU_OK; k++) s = e->program->device->platform->event_new(e, false, &e->met[k]);
    return s;
}
XG_FN XG_COLD void xr_met_finish(xlagpu_execution *e) {
    uint32_t k, n = xr_met_has(e->program) ? 2 * e->program->n_collectives : 0;
    for (k = 0; k < n; k++)
        if (e->met[k]) e->program->device->platform->event_free(e, e->met[k]);
}

/* ---- one collective ---- */

typedef struct xr_meeting {
    xlagpu_execution *e;
    xlagpu_clique *q;
    const xr_collective *c;
    const xg_exe_thunk *t;
    void *comm, *stream;
    uint32_t n; /* members of the device's group */
    int error;
    bool begun; /* a group of calls */
    const char *what;
} xr_meeting;
/* Unless something failed before: the call, and what failed. */
#define XR_NCCL(m, call, symbol) \
    if (!(m)->error && ((m)->error = (m)->q->nccl->call) == XR_NCCL_IN_PROGRESS) (m)->error = 0; \
    if ((m)->error && !(m)->what) (m)->what = (symbol)

XG_FN void xr_meeting_begin(xr_meeting *m) {
    XR_NCCL(m, begin(), "ncclGroupStart");
    m->begun = !m->error;
}
XG_FN void *xr_meeting_at(const xr_meeting *m, uint32_t link, uint64_t offset) {
    return (void *)(uintptr_t)(m->e->args[link] + offset);
}
XG_FN void xr_meeting_send(xr_meeting *m, const void *from, uint64_t bytes, uint32_t to) {
    if (!bytes) return;
    XR_NCCL(m, send(from, (size_t)bytes, XR_NCCL_BYTES, (int)to, m->comm, m->stream), "ncclSend");
}
XG_FN void xr_meeting_recv(xr_meeting *m, void *to, uint64_t bytes, uint32_t from) {
    if (!bytes) return;
    XR_NCCL(m, recv(to, (size_t)bytes, XR_NCCL_BYTES, (int)from, m->comm, m->stream), "ncclRecv");
}
XG_FN void xr_meeting_one(xr_meeting *m, uint32_t k, uint32_t root) {
    const xlagpu_program *p = m->e->program;
    const xr_collective *c = m->c;
    uint64_t in = xr_link_bytes(p, m->t, k), out = xr_link_bytes(p, m->t, c->n_in + k), piece = in / XG_MAX(m->n, 1u);
    size_t each = 1, size = xr_collective_reduces(c) ? (size_t)xr_element_bytes(c->type) : 1, n = (size_t)out / size;
    int type = xr_collective_reduces(c) ? xr_nccl_type(c->type, &each) : XR_NCCL_BYTES;
    static const char ops[] = {0, 1, 3, 2}; /* add, multiply, minimum, maximum */
    void *from = xr_meeting_at(m, k, 0), *to = xr_meeting_at(m, c->n_in + k, 0);
    uint32_t j;
    switch (c->kind) {
    case XR_COLLECTIVE_ALL_REDUCE:
        XR_NCCL(m, all_reduce(from, to, n * each, type, ops[c->reducer], m->comm, m->stream), "ncclAllReduce");
        break;
    case XR_COLLECTIVE_REDUCE_SCATTER:
        XR_NCCL(m, reduce_scatter(from, to, n * each, type, ops[c->reducer], m->comm, m->stream), "ncclReduceScatter");
        break;
    case XR_COLLECTIVE_ALL_GATHER:
        XR_NCCL(m, all_gather(from, to, (size_t)in, type, m->comm, m->stream), "ncclAllGather");
        break;
    case XR_COLLECTIVE_BROADCAST:
        XR_NCCL(m, broadcast(from, to, n, type, (int)root, m->comm, m->stream), "ncclBroadcast");
        break;
    case XR_COLLECTIVE_PERMUTE:
        for (j = 0; j < m->q->all; j++)
            if (c->ids[j] == p->rank + 1) xr_meeting_send(m, from, in, j);
        if (c->ids[p->rank]) xr_meeting_recv(m, to, out, c->ids[p->rank] - 1);
        break;
    default: /* ALL_TO_ALL */
        for (j = 0; j < m->n; j++) {
            xr_meeting_send(m, xr_meeting_at(m, k, j * piece), piece, j);
            xr_meeting_recv(m, xr_meeting_at(m, c->n_in + k, j * piece), piece, j);
        }
        break;
    }
}
/* Ends a group of calls; what NCCL says of them is the collective's status. */
XG_FN xlagpu_status xr_meeting_end(xr_meeting *m) {
    int ended = m->begun ? m->q->nccl->end() : 0;
    if (m->error) return xr_nccl_failed(m->q, &m->e->c, m->what, m->error);
    return xr_nccl_settle(m->q, &m->e->c, m->comm, "ncclGroupEnd", ended);
}

/* ---- what the host must know before ---- */

/* Brings an operand to the host, behind what it has there already. */
XG_FN xlagpu_status xr_meeting_tell(const xr_meeting *m, uint64_t from, uint32_t place, uint64_t bytes) {
    xlagpu_execution *e = m->e;
    return bytes
               ? e->program->device->platform->copy(e, e->program->said + place * bytes, from, (size_t)bytes, m->stream)
               : XLAGPU_OK;
}
XG_FN uint64_t xr_meeting_said(const xr_meeting *m, uint32_t place, uint64_t bytes, uint64_t j) {
    const char *said = (const char *)(uintptr_t)m->e->program->said;
    return xr_load_int(m->c->type, said + place * bytes + j * xr_element_bytes(m->c->type));
}
/* The first member's root is the root for all. */
XG_FN xlagpu_status xr_meeting_root(xr_meeting *m) {
    xlagpu_execution *e = m->e;
    uint64_t bytes = xr_element_bytes(m->c->type), root;
    xlagpu_status s;
    uint32_t k;
    xr_meeting_begin(m);
    XR_NCCL(m,
        broadcast(xr_meeting_at(m, m->c->n_in - 1, 0), (void *)(uintptr_t)e->program->met, (size_t)bytes, XR_NCCL_BYTES,
            0, m->comm, m->stream),
        "ncclBroadcast");
    s = xr_meeting_end(m);
    if (s == XLAGPU_OK) s = xr_meeting_tell(m, e->program->met, 0, bytes);
    if (s == XLAGPU_OK) s = xr_nccl_pause(m->e, m->stream);
    if (s != XLAGPU_OK) return s;
    root = xr_meeting_said(m, 0, bytes, 0);
    if (root >= m->n) return xr_fail(&e->c, XLAGPU_ERROR_INVALID, "its root is no member of the group");
    xr_meeting_begin(m);
    for (k = 0; k < m->c->n_out; k++) xr_meeting_one(m, k, (uint32_t)root);
    return xr_meeting_end(m);
}
/* Members tell each other how many rows they send, and where these go; then sizes and offsets are brought to the host,
 * and rows are sent. */
XG_FN xlagpu_status xr_meeting_ragged(xr_meeting *m) {
    xlagpu_execution *e = m->e;
    const xlagpu_program *p = e->program;
    uint64_t bytes = xr_link_bytes(p, m->t, 2), part = bytes / m->n, row = m->c->row, j,
             entries = bytes / xr_element_bytes(m->c->type), have = row ? xr_link_bytes(p, m->t, 0) / row : 0,
             room = row ? xr_link_bytes(p, m->t, 1) / row : 0;
    xlagpu_status s;
    uint32_t k;
    xr_meeting_begin(m);
    for (k = 0; k < 2 * m->n; k++) {
        xr_meeting_send(m, xr_meeting_at(m, 3 + k / m->n, k % m->n * part), part, k % m->n);
        xr_meeting_recv(m, (void *)(uintptr_t)(p->met + k * part), part, k % m->n);
    }
    s = xr_meeting_end(m);
    if (s == XLAGPU_OK && room)
        s = p->device->platform->copy(e, e->args[6], e->args[1], (size_t)xr_link_bytes(p, m->t, 1), m->stream);
    if (s == XLAGPU_OK)
        s = xr_meeting_tell(m, e->args[2], 0, bytes); /* where our rows are, how many go, how many come */
    if (s == XLAGPU_OK) s = xr_meeting_tell(m, e->args[3], 1, bytes);
    if (s == XLAGPU_OK) s = xr_meeting_tell(m, p->met, 2, bytes);
    if (s == XLAGPU_OK) s = xr_meeting_tell(m, p->met + bytes, 3, bytes);
    if (s == XLAGPU_OK) s = xr_nccl_pause(m->e, m->stream);
    if (s != XLAGPU_OK) return s;
    xr_meeting_begin(m);
    for (j = 0; j < entries; j++) {
        uint64_t from = xr_meeting_said(m, 0, bytes, j), go = xr_meeting_said(m, 1, bytes, j),
                 come = xr_meeting_said(m, 2, bytes, j), to = xr_meeting_said(m, 3, bytes, j);
        uint32_t other = (uint32_t)(j / (entries / m->n));
        if (go > have || from > have - go || come > room || to > room - come) {
            s = xr_fail(&e->c, XLAGPU_ERROR_INVALID, "rows of a device do not fit into the output of another");
            break;
        }
        xr_meeting_send(m, xr_meeting_at(m, 0, from * row), go * row, other);
        xr_meeting_recv(m, xr_meeting_at(m, 6, to * row), come * row, other);
    }
    if (s == XLAGPU_OK) return xr_meeting_end(m);
    (void)m->q->nccl->end();
    return s;
}
XG_FN xlagpu_status xr_meeting_all(xr_meeting *m) {
    uint32_t k;
    if (m->c->kind == XR_COLLECTIVE_RAGGED) return xr_meeting_ragged(m);
    if (xr_collective_asks(m->c)) return xr_meeting_root(m);
    xr_meeting_begin(m);
    for (k = 0; k < m->c->n_out; k++) xr_meeting_one(m, k, 0);
    return xr_meeting_end(m);
}
/* Devices that nothing comes to have zeros. */
XG_FN xlagpu_status xr_meeting_fill(const xr_meeting *m) {
    const xlagpu_program *p = m->e->program;
    xlagpu_status s = XLAGPU_OK;
    uint32_t k;
    for (k = m->c->n_in; k < m->t->n_links && s == XLAGPU_OK; k++) {
        uint64_t bytes = xr_link_bytes(p, m->t, k);
        if (bytes) s = p->device->platform->fill(m->e, m->e->args[k], 0, (size_t)bytes, m->stream);
    }
    return s;
}

XG_FN xlagpu_status xr_nccl_collective(xlagpu_execution *e, const xg_exe_thunk *t, void *stream) {
    const xlagpu_program *p = e->program;
    const xr_platform *f = p->device->platform;
    const uint32_t *ids;
    void **met;
    xlagpu_status s = XLAGPU_OK;
    xr_meeting m;
    uint32_t k;
    memset(&m, 0, sizeof m);
    m.e = e;
    m.q = p->clique;
    m.c = p->collective_of[t - p->thunks];
    m.t = t;
    m.comm = m.c->comm->handles[p->rank - m.q->first];
    m.stream = stream;
    m.n = xr_collective_group(m.c, p->rank, &ids);
    met = &e->met[2 * (m.c - p->collectives)];
    for (k = 0; k < t->n_links; k++) e->args[k] = xr_address(e, p->links[t->first_link + k] & ~XG_EXE_WRITTEN);
    if (!m.c->label[p->rank] || (m.c->kind == XR_COLLECTIVE_PERMUTE && !m.c->ids[p->rank])) s = xr_meeting_fill(&m);
    if (s != XLAGPU_OK || !m.c->label[p->rank]) return s;
    if (!m.comm) return xr_fail(&e->c, XLAGPU_ERROR_USAGE, "the clique failed earlier: open another one");
    if (e->capturing && xr_collective_asks(m.c))
        return xr_fail(&e->c, XLAGPU_ERROR_UNSUPPORTED, "the host reads what it is given");
    s = f->event_record(e, met[0], stream);
    if (s != XLAGPU_OK && e->capturing) return XLAGPU_ERROR_UNSUPPORTED; /* NCCL knows nothing of it yet */
    if (s == XLAGPU_OK) s = xr_meeting_all(&m);
    if (s == XLAGPU_OK) {
        s = f->event_record(e, met[1], stream);
        return s != XLAGPU_OK && e->capturing ? XLAGPU_ERROR_UNSUPPORTED : s;
    }
    xr_clique_leave(m.q, p->rank, s, e->c.message);
    if (!e->capturing) xr_nccl_leave(e); /* else who builds the graph does */
    return s;
}
#undef XR_NCCL

#endif /* XLAGPU_USE_NCCL */

#endif /* XG_RT_NCCL_C */
