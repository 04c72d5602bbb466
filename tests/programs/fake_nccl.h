/* tests/programs/fake_nccl.h -- NCCL without a network, over the fake driver: ranks are threads of a process or
 * processes of a machine, and meet in files that they map.
 *
 * Compiled as a shared library by tests/programs/nccl.c. Work stands on the driver's streams and is done when they come
 * to it; communicators do not block. It counts what it gives out, fails the n-th call of a function when it is told to,
 * and can be slow, or never do what is enqueued. Ranks that do not ask for the same are an error, as they are for the
 * real one with its checks on. */
#ifndef XLAGPU_TESTS_FAKE_NCCL_H
#define XLAGPU_TESTS_FAKE_NCCL_H

typedef struct fake_nccl_state {
    const char *fail; /* the name of a function, and which of its calls fails, and how */
    long fail_at, seen;
    int error, version;
    long comms, works; /* communicators alive; groups of calls: ever */
    long splits;       /* ever */
    int hang;          /* 1 + a rank whose work is never done */
    int slow;          /* looks that each piece of work takes */
    int late_error;    /* what the communicators say while work is not done; 0: that they are well */
    long captured;     /* groups of calls in graphs: alive */
    long stuck;        /* communicators that ended while graphs held their work, for which the real ones wait: ever */
} fake_nccl_state;

#ifdef FAKE_NCCL
#include "fake_state.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    RANKS = 4,
    CAP = 4096,
    IN_PROGRESS = 7,
    INVALID_ARGUMENT = 4,
    INVALID_USAGE = 5,
    TYPES = 12
};
static const size_t sizes[TYPES] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
#pragma GCC visibility push(default)
fake_nccl_state fake_nccl = {NULL, 0, 0, 0, 22809, 0, 0, 0, 0, 0, 0, 0, 0};

/* What a rank gives to all, or to one; number: of the last one that is there; done: of the last one that was taken. */
typedef struct post {
    long number, done;
    int kind, type, op, root;
    size_t n;
    char data[CAP];
} post;
typedef struct choice {
    long number;
    int color, key;
} choice;
typedef struct region {
    long joined[RANKS], ended[RANKS];
    choice choices[RANKS];
    post all[RANKS], pair[RANKS][RANKS];
} region;
typedef struct comm {
    char name[64];
    region *region;
    int n, rank, error;
    long number, sends[RANKS], recvs[RANKS], splits; /* asked for */
    long pending;                                    /* groups of calls on streams */
    long captured;                                   /* in graphs */
    int aborted, destroyed, finalized, to_color, to_key;
    void **to; /* of a split that is not done */
} comm;
typedef struct id {
    char bytes[128];
} id;

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static void add(long *to, long by) {
    pthread_mutex_lock(&guard);
    *to += by;
    pthread_mutex_unlock(&guard);
}
/* What other processes see, too: the lock is a fence. */
static long get(const long *p) {
    long v;
    pthread_mutex_lock(&guard);
    v = *(const volatile long *)p;
    pthread_mutex_unlock(&guard);
    return v;
}
static void set(long *p, long v) {
    pthread_mutex_lock(&guard);
    *(volatile long *)p = v;
    pthread_mutex_unlock(&guard);
}
static int all_of(const long *flags, int n) {
    int k = 0;
    while (k < n && get(&flags[k])) k++;
    return k == n;
}
static int failing(const char *name) {
    int e = 0;
    pthread_mutex_lock(&guard);
    if (fake_nccl.fail && strcmp(fake_nccl.fail, name) == 0 && ++fake_nccl.seen == fake_nccl.fail_at)
        e = fake_nccl.error;
    pthread_mutex_unlock(&guard);
    return e;
}
#define CALL(name) \
    do { \
        int e_ = failing(name); \
        if (e_) return e_; \
    } while (0)

/* ---- communicators ---- */

int ncclGetVersion(int *version) {
    CALL("ncclGetVersion");
    *version = fake_nccl.version;
    return 0;
}
const char *ncclGetErrorString(int error) { return error == 6 ? "a rank has gone" : "a fake failure"; }
int ncclGetUniqueId(id *out) {
    static long n;
    CALL("ncclGetUniqueId");
    add(&n, 1);
    memset(out, 0, sizeof *out);
    snprintf(out->bytes, sizeof out->bytes, "build/fake_nccl/%ld_%ld", (long)getpid(), n);
    return 0;
}
static comm *comm_new(const char *name, int n, int rank) {
    comm *c = (comm *)calloc(1, sizeof *c);
    int f = open(name, O_RDWR | O_CREAT, 0600);
    if (f < 0 || ftruncate(f, sizeof(region))) abort();
    snprintf(c->name, sizeof c->name, "%s", name);
    c->n = n;
    c->rank = rank;
    c->region = (region *)mmap(NULL, sizeof(region), PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
    close(f);
    set(&c->region->joined[rank], 1);
    add(&fake_nccl.comms, 1);
    return c;
}
int ncclCommInitRankConfig(void **out, int n, id name, int rank, const void *config) {
    const int *words = (const int *)config; /* size, magic, version, blocking */
    CALL("ncclCommInitRankConfig");
    if ((unsigned)words[2] != 0xcafebeefu || words[4] || n < 1 || n > RANKS || rank < 0 || rank >= n)
        return INVALID_ARGUMENT;
    *out = comm_new(name.bytes, n, rank);
    return IN_PROGRESS;
}
int ncclCommSplit(comm *c, int color, int key, void **out, const void *config) {
    CALL("ncclCommSplit");
    if (config || c->to) return INVALID_ARGUMENT;
    add(&fake_nccl.splits, 1);
    *out = NULL;
    c->to = out;
    c->to_color = c->region->choices[c->rank].color = color;
    c->to_key = c->region->choices[c->rank].key = key;
    set(&c->region->choices[c->rank].number, ++c->splits);
    return IN_PROGRESS;
}
/* Everyone has said where it goes: true. */
static int split_done(comm *c) {
    char name[sizeof c->name + 32];
    int k, n = 0, rank = 0;
    for (k = 0; k < c->n; k++)
        if (get(&c->region->choices[k].number) < c->splits) return 0;
    for (k = 0; k < c->n; k++) {
        const choice *o = &c->region->choices[k];
        if (o->color != c->to_color) continue;
        n++;
        rank += o->key < c->to_key;
    }
    snprintf(name, sizeof name, "%s_%ld_%d", c->name, c->splits, c->to_color);
    if (c->to_color >= 0) *c->to = comm_new(name, n, rank);
    c->to = NULL;
    return 1;
}
int ncclCommFinalize(comm *c) {
    CALL("ncclCommFinalize");
    c->finalized = 1;
    set(&c->region->ended[c->rank], 1);
    return IN_PROGRESS;
}
int ncclCommGetAsyncError(comm *c, int *error) {
    int ready;
    CALL("ncclCommGetAsyncError");
    ready = all_of(c->region->joined, c->n) && (!c->to || split_done(c)) &&
            (!c->finalized || all_of(c->region->ended, c->n));
    *error = c->error ? c->error : !ready ? IN_PROGRESS : get(&c->pending) ? fake_nccl.late_error : 0;
    return 0;
}
static void comm_drop(comm *c) {
    munmap(c->region, sizeof *c->region);
    unlink(c->name);
    free(c);
}
/* The real one waits until no graph holds its work, launches that have not ended among them. */
static int (*driver_go_on)(void);
static void comm_wait(comm *c) {
    enum {
        MOST = 20000, /* then it would be for ever */
        NAP = 50
    };
    int k;
    for (k = 0; k < MOST && get(&c->captured); k++) {
        driver_go_on();
        usleep(NAP);
    }
    add(&fake_nccl.stuck, get(&c->captured) > 0);
}
static void comm_end(comm *c) {
    long left;
    comm_wait(c);
    add(&fake_nccl.comms, -1);
    pthread_mutex_lock(&guard);
    c->destroyed = 1;
    left = c->pending + c->captured;
    pthread_mutex_unlock(&guard);
    if (!left) comm_drop(c);
}
int ncclCommDestroy(comm *c) {
    comm_end(c);
    return failing("ncclCommDestroy");
}
int ncclCommAbort(comm *c) {
    c->aborted = 1;
    comm_end(c);
    return failing("ncclCommAbort");
}

/* ---- work ---- */

typedef enum kind {
    ALL_REDUCE,
    REDUCE_SCATTER,
    ALL_GATHER,
    BROADCAST,
    SEND,
    RECV
} kind;
typedef struct work {
    kind kind;
    const char *in;
    char *out;
    size_t n;
    int type, op, peer; /* peer: or root */
    long number;
    int posted, done;
    struct work *next;
} work;
typedef struct group { /* of calls, on one stream */
    comm *comm;
    void *stream;
    work *first, **end;
    int looks, numbered;
} group;

static double load(int type, const char *p) {
    uint16_t h;
    uint32_t bits;
    float f;
    double d;
    int64_t l;
    switch (type) {
    case 0: return *(const int8_t *)p;
    case 1: return *(const uint8_t *)p;
    case 2: return *(const int32_t *)p;
    case 3: return *(const uint32_t *)p;
    case 4:
    case 5: memcpy(&l, p, 8); return (double)l;
    case 6: {
        int exponent;
        memcpy(&h, p, 2);
        exponent = h >> 10 & 31;
        d = exponent ? 1 + (h & 1023) / 1024.0 : (h & 1023) / 512.0;
        for (; exponent > 15; exponent--) d *= 2;
        for (; exponent < 15; exponent++) d /= 2;
        return h >> 15 ? -d : d;
    }
    case 7: memcpy(&f, p, 4); return f;
    case 8: memcpy(&d, p, 8); return d;
    default:
        memcpy(&h, p, 2);
        bits = (uint32_t)h << 16;
        memcpy(&f, &bits, 4);
        return f;
    }
}
/* Small whole numbers, which every type holds. */
static void store(int type, char *p, double v) {
    float f = (float)v;
    int64_t l = (int64_t)v;
    int32_t i = (int32_t)v;
    uint32_t bits, exponent = 15, h;
    switch (type) {
    case 0:
    case 1: *p = (char)l; break;
    case 2:
    case 3: memcpy(p, &i, 4); break;
    case 4:
    case 5: memcpy(p, &l, 8); break;
    case 6:
        for (; v >= 2; v /= 2) exponent++;
        h = v > 0 ? exponent << 10 | (uint32_t)((v - 1) * 1024) : 0;
        memcpy(p, &h, 2);
        break;
    case 7: memcpy(p, &f, 4); break;
    case 8: memcpy(p, &v, 8); break;
    default:
        memcpy(&bits, &f, 4);
        bits >>= 16;
        memcpy(p, &bits, 2);
        break;
    }
}
static double reduced(int op, double a, double b) {
    switch (op) {
    case 0: return a + b;
    case 1: return a * b;
    case 2: return a > b ? a : b;
    default: return a < b ? a : b;
    }
}
/* The driver's: to enqueue work, now or in a graph, and to write from it. */
static int (*driver_meet)(void *stream, int (*go)(void *user), void *user);
static int (*driver_meet_node)(void *stream, void *(*start)(void *user), int (*go)(void *begun),
    void (*drop)(void *user), void *user, const fake_range *ranges, int n);
static int (*driver_capture_info)(void *stream, int *status, void *id, void *graph, void *last, void *n);
static int (*driver_write)(uint64_t to, const void *from, size_t bytes);
static void driver_find(void) {
    const char *path = getenv("FAKE_NCCL_DRIVER"); /* where it is not that of nccl.c */
    void *driver = dlopen(path ? path : "./build/fake_nccl/fake_cuda.so", RTLD_NOW | RTLD_NOLOAD), *f;
    f = dlsym(driver, "fake_meet");
    memcpy(&driver_meet, &f, sizeof f);
    f = dlsym(driver, "fake_meet_node");
    memcpy(&driver_meet_node, &f, sizeof f);
    f = dlsym(driver, "cuStreamGetCaptureInfo_v2");
    memcpy(&driver_capture_info, &f, sizeof f);
    f = dlsym(driver, "fake_go_on");
    memcpy(&driver_go_on, &f, sizeof f);
    f = dlsym(driver, "fake_write");
    memcpy(&driver_write, &f, sizeof f);
}
static void reduce(const comm *c, const work *w, size_t from) {
    char out[CAP];
    size_t size = sizes[w->type], k;
    int r;
    for (k = 0; k < w->n; k++) {
        double v = load(w->type, c->region->all[0].data + (from + k) * size);
        for (r = 1; r < c->n; r++) v = reduced(w->op, v, load(w->type, c->region->all[r].data + (from + k) * size));
        store(w->type, out + k * size, v);
    }
    driver_write((uint64_t)(uintptr_t)w->out, out, w->n * size);
}
static size_t bytes_in(const comm *c, const work *w) {
    return w->n * sizes[w->type] * (w->kind == REDUCE_SCATTER ? (size_t)c->n : 1);
}
/* What everyone gave lies there. */
static void finish(comm *c, const work *w) {
    size_t bytes = w->n * sizes[w->type];
    int r;
    switch (w->kind) {
    case ALL_REDUCE: reduce(c, w, 0); break;
    case REDUCE_SCATTER: reduce(c, w, (size_t)c->rank * w->n); break;
    case ALL_GATHER:
        for (r = 0; r < c->n; r++)
            driver_write((uint64_t)(uintptr_t)w->out + (size_t)r * bytes, c->region->all[r].data, bytes);
        break;
    default: driver_write((uint64_t)(uintptr_t)w->out, c->region->all[w->peer].data, bytes); break;
    }
}
static int together(comm *c, work *w) {
    post *own = &c->region->all[c->rank];
    int r;
    if (!w->posted) {
        for (r = 0; r < c->n; r++)
            if (get(&c->region->all[r].done) < w->number - 1) return 0;
        own->kind = w->kind;
        own->type = w->type;
        own->op = w->op;
        own->root = w->peer;
        own->n = w->n;
        memcpy(own->data, w->in, bytes_in(c, w));
        set(&own->number, w->number);
        w->posted = 1;
    }
    for (r = 0; r < c->n; r++)
        if (get(&c->region->all[r].number) < w->number) return 0;
    for (r = 0; r < c->n; r++)
        if (memcmp(&c->region->all[r].kind, &own->kind, offsetof(post, data) - offsetof(post, kind)) != 0)
            c->error = INVALID_USAGE;
    if (c->error) return 0;
    finish(c, w);
    set(&own->done, w->number);
    return 1;
}
static int pairwise(comm *c, work *w) {
    int from = w->kind == SEND ? c->rank : w->peer, to = w->kind == SEND ? w->peer : c->rank;
    post *p = &c->region->pair[from][to];
    if (w->kind == SEND) {
        if (get(&p->done) < w->number - 1) return 0;
        p->n = w->n;
        memcpy(p->data, w->in, w->n);
        set(&p->number, w->number);
        return 1;
    }
    if (get(&p->number) < w->number) return 0;
    if (p->n != w->n) {
        c->error = INVALID_USAGE;
        return 0;
    }
    driver_write((uint64_t)(uintptr_t)w->out, p->data, w->n);
    set(&p->done, w->number);
    return 1;
}
/* Given up: its result holds anything, which whatever stands behind it on the stream may read. */
static void give_up(const comm *c, const work *w) {
    size_t bytes = w->n * sizes[w->type] * (w->kind == ALL_GATHER ? (size_t)c->n : 1);
    char *anything;
    if (w->kind == SEND) return;
    anything = (char *)malloc(bytes + 1);
    memset(anything, 0xa5, bytes);
    driver_write((uint64_t)(uintptr_t)w->out, anything, bytes);
    free(anything);
}
static void comm_release(comm *c, long *counter) {
    int gone;
    pthread_mutex_lock(&guard);
    --*counter;
    gone = c->pending + c->captured == 0 && c->destroyed;
    pthread_mutex_unlock(&guard);
    if (gone) comm_drop(c);
}
/* In the order in which the device comes to them, which is that of all ranks. */
static void group_number(group *g) {
    comm *c = g->comm;
    work *w;
    for (w = g->first; w && !g->numbered; w = w->next)
        w->number = w->kind == SEND ? ++c->sends[w->peer] : w->kind == RECV ? ++c->recvs[w->peer] : ++c->number;
    g->numbered = 1;
}
/* Goes on with a group of calls; 0: it is not done yet. */
static int go(void *user) {
    group *g = (group *)user;
    comm *c = g->comm;
    int left = 0;
    work *w;
    group_number(g);
    if (!c->aborted && (g->looks++ < fake_nccl.slow || fake_nccl.hang == c->rank + 1)) return 0;
    for (w = g->first; w && !c->aborted; w = w->next) {
        if (!w->done) w->done = w->kind == SEND || w->kind == RECV ? pairwise(c, w) : together(c, w);
        left += !w->done;
        if (!w->done && w->kind < SEND) break; /* in order */
    }
    if (left && !c->aborted) return 0;
    while ((w = g->first) != NULL) {
        g->first = w->next;
        if (!w->done) give_up(c, w);
        free(w);
    }
    comm_release(c, &c->pending);
    free(g);
    return 1;
}

/* ---- in graphs ---- */

static void *launch_group(void *user) {
    const group *plan = (const group *)user;
    group *g = (group *)malloc(sizeof *g);
    const work *w;
    *g = *plan;
    g->end = &g->first;
    for (w = plan->first; w; w = w->next) {
        *g->end = (work *)malloc(sizeof *w);
        **g->end = *w;
        g->end = &(*g->end)->next;
    }
    *g->end = NULL;
    add(&g->comm->pending, 1);
    return g;
}
static void free_group(group *g) {
    while (g->first) {
        work *w = g->first;
        g->first = w->next;
        free(w);
    }
    free(g);
}
static void drop_group(void *user) {
    group *g = (group *)user;
    add(&fake_nccl.captured, -1);
    comm_release(g->comm, &g->comm->captured);
    free_group(g);
}
static int capture_group(group *g) {
    fake_range ranges[16];
    const work *w;
    int n = 0;
    for (w = g->first; w && n < 16; w = w->next) {
        size_t bytes = w->n * sizes[w->type], in = bytes * (w->kind == REDUCE_SCATTER ? (size_t)g->comm->n : 1),
               out = bytes * (w->kind == ALL_GATHER ? (size_t)g->comm->n : 1);
        const fake_range reads = {(uintptr_t)w->in, (uintptr_t)w->in + in, 0},
                         writes = {(uintptr_t)w->out, (uintptr_t)w->out + out, 1};
        if (w->in) ranges[n++] = reads;
        if (w->out && n < 16) ranges[n++] = writes;
    }
    add(&fake_nccl.captured, 1);
    add(&g->comm->captured, 1);
    return driver_meet_node(g->stream, launch_group, go, drop_group, g, ranges, w ? 17 : n) ? 1 : IN_PROGRESS;
}

/* Of a thread: how many groups of calls are open, and what is in them. */
typedef struct calls {
    int depth;
    group *group;
} calls;
static pthread_key_t calls_key;
static pthread_once_t calls_once = PTHREAD_ONCE_INIT;
static void calls_begin(void) {
    driver_find();
    pthread_key_create(&calls_key, free);
}
static calls *own_calls(void) {
    calls *c;
    pthread_once(&calls_once, calls_begin);
    c = (calls *)pthread_getspecific(calls_key);
    if (!c) pthread_setspecific(calls_key, c = (calls *)calloc(1, sizeof *c));
    return c;
}
int ncclGroupStart(void) {
    CALL("ncclGroupStart");
    own_calls()->depth++;
    return 0;
}
int ncclGroupEnd(void) {
    calls *own = own_calls();
    group *g = own->group;
    int e = failing("ncclGroupEnd"), captured = 0;
    if (--own->depth) return INVALID_USAGE;
    own->group = NULL;
    if (!g) return e;
    if (!e) e = driver_capture_info(g->stream, &captured, NULL, NULL, NULL, NULL) ? 1 : captured == 2 ? 1 : 0;
    if (e) { /* nothing is done */
        free_group(g);
        return e;
    }
    add(&fake_nccl.works, 1);
    if (captured) return capture_group(g);
    add(&g->comm->pending, 1);
    driver_meet(g->stream, go, g);
    return IN_PROGRESS;
}
static int call(kind k, const void *in, void *out, size_t n, int type, int op, int peer, comm *c, void *stream) {
    calls *own = own_calls();
    group *g = own->group;
    work *w;
    if (!own->depth || type < 0 || type >= TYPES || peer < 0 || peer >= c->n || n * sizes[type] * (size_t)c->n > CAP)
        return INVALID_ARGUMENT;
    if (g && (g->comm != c || g->stream != stream)) return INVALID_USAGE;
    if (!g) {
        g = own->group = (group *)calloc(1, sizeof *g);
        g->comm = c;
        g->stream = stream;
        g->end = &g->first;
    }
    w = (work *)calloc(1, sizeof *w);
    w->kind = k;
    w->in = (const char *)in;
    w->out = (char *)out;
    w->n = n;
    w->type = type;
    w->op = op;
    w->peer = peer;
    *g->end = w;
    g->end = &w->next;
    return 0;
}
int ncclAllReduce(const void *in, void *out, size_t n, int type, int op, comm *c, void *stream) {
    CALL("ncclAllReduce");
    return call(ALL_REDUCE, in, out, n, type, op, 0, c, stream);
}
int ncclReduceScatter(const void *in, void *out, size_t n, int type, int op, comm *c, void *stream) {
    CALL("ncclReduceScatter");
    return call(REDUCE_SCATTER, in, out, n, type, op, 0, c, stream);
}
int ncclAllGather(const void *in, void *out, size_t n, int type, comm *c, void *stream) {
    CALL("ncclAllGather");
    return call(ALL_GATHER, in, out, n, type, 0, 0, c, stream);
}
int ncclBroadcast(const void *in, void *out, size_t n, int type, int root, comm *c, void *stream) {
    CALL("ncclBroadcast");
    return call(BROADCAST, in, out, n, type, 0, root, c, stream);
}
int ncclSend(const void *in, size_t n, int type, int to, comm *c, void *stream) {
    CALL("ncclSend");
    return call(SEND, in, NULL, n, type, 0, to, c, stream);
}
#ifndef FAKE_LACKING
int ncclRecv(void *out, size_t n, int type, int from, comm *c, void *stream) {
    CALL("ncclRecv");
    return call(RECV, NULL, out, n, type, 0, from, c, stream);
}
#endif
#endif
#endif
