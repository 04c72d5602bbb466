/* tests/programs/fake_driver.h -- a CUDA driver without a GPU, whose kernels run on our simulator: the entry points
 * that src/rt/cuda.c looks up.
 *
 * Compiled as a shared library by tests/programs/fake_cuda.c and tests/scripts/fake.sh. It counts what it gives out and
 * what comes back, fails the n-th call of a function when it is told to, and does what hardware does and a careless
 * caller forgets: copies from pageable memory land late, streams run in any order that events allow, a thread has its
 * own current context. */
#ifndef XLAGPU_TESTS_FAKE_DRIVER_H
#define XLAGPU_TESTS_FAKE_DRIVER_H
#include "fake_state.h"
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define XLAGPU_IMPLEMENTATION
#define XLAGPU_STATIC
#include "../../src/xlagpu_runtime.h"

fake_state fake = {NULL, 0, 0, 0, NULL, 2, 9, 0, 12080}; /* as reset() has it, for the command line */
static xlagpu_device *host;
enum {
    DEVICES = 8
};
static int contexts[DEVICES];

/* Guards what functions that several threads may call at once change: counters, blocks, modules. */
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static void count_up(long *counter, long by) {
    pthread_mutex_lock(&guard);
    *counter += by;
    pthread_mutex_unlock(&guard);
}
static int failing(const char *name) {
    int error = 0;
    pthread_mutex_lock(&guard);
    fake.calls++;
    if (fake.fail && strcmp(fake.fail, name) == 0) {
        fake.seen++;
        if (fake.seen == fake.fail_at || (fake.fail_on && fake.seen > fake.fail_at)) error = fake.error;
    }
    pthread_mutex_unlock(&guard);
    return error;
}

/* What is enqueued, and the simulator: one thread at a time, until the end of the function. */
static pthread_mutex_t driver = PTHREAD_MUTEX_INITIALIZER;
static int driver_take(void) { return pthread_mutex_lock(&driver); }
static void driver_let_go(const int *held) {
    (void)held;
    pthread_mutex_unlock(&driver);
}
#ifdef __TINYC__ /* has no cleanup: only for programs of one thread */
#define HOLD (void)driver_take, (void)driver_let_go
#else
#define HOLD \
    int held_ __attribute__((cleanup(driver_let_go))) = driver_take(); \
    (void)held_
#endif
/* Where nothing can go on without another thread, or process. */
static void driver_relax(void) {
    pthread_mutex_unlock(&driver);
    usleep(50);
    pthread_mutex_lock(&driver);
}

/* Each thread has its own stack of current contexts: a digit of base 16 for each, 1 + its device. */
static pthread_key_t current;
static pthread_once_t current_once = PTHREAD_ONCE_INIT;
static void current_make(void) { pthread_key_create(&current, NULL); }
static long current_depth(void) {
    pthread_once(&current_once, current_make);
    return (long)(intptr_t)pthread_getspecific(current);
}
static void current_set(long stack, long by) {
    pthread_setspecific(current, (void *)(intptr_t)stack);
    count_up(&fake.pushed, by);
}
static int current_device(void) { return current_depth() ? (int)(current_depth() % 16) - 1 : 0; }
#define CALL(name) \
    do { \
        int e_ = failing(name); \
        if (e_) return e_; \
    } while (0)
/* FAKE_CUDA_POISON: the number of the launch that goes to an illegal address. As on hardware all that uses its context
 * fails from there on, until nobody holds it any more; with FAKE_CUDA_POISON_STAYS for good. */
static bool poisoned;
static bool launch_poisons(void) {
    const char *which = getenv("FAKE_CUDA_POISON");
    return which && strtol(which, NULL, 10) == fake.launches;
}
/* Most functions want a current context. */
#define IN_CONTEXT(name) \
    do { \
        CALL(name); \
        if (poisoned) return 700; \
        if (!current_depth()) return 201; \
    } while (0); \
    HOLD
/* Not while the thread captures a stream, whose capture is spoilt by it. */
static int spoils_capture(void);
#define OUT_OF_CAPTURE \
    if (spoils_capture()) return 900

/* What the driver holds for its caller goes when the context goes, whether given back or not. */
typedef struct fake_block {
    struct fake_block *prev, *next;
} fake_block;
static fake_block blocks = {&blocks, &blocks};
static void *block_new(size_t bytes) {
    fake_block *b = (fake_block *)calloc(1, sizeof *b + bytes);
    pthread_mutex_lock(&guard);
    b->next = blocks.next;
    b->prev = &blocks;
    b->next->prev = b->prev->next = b;
    pthread_mutex_unlock(&guard);
    return b + 1;
}
static void block_free(void *p) {
    fake_block *b = (fake_block *)p - 1;
    pthread_mutex_lock(&guard);
    b->next->prev = b->prev;
    b->prev->next = b->next;
    pthread_mutex_unlock(&guard);
    free(b);
}

typedef struct fake_module {
    char *ptx;
    size_t n;
    xlagpu_ptx *loaded;
} fake_module;
enum {
    PARAMS = 4096,
    PARAM_BYTES = 32764,    /* of a kernel, from PTX 8.1 on */
    PARAM_BYTES_OLD = 4096, /* before */
    PINNED = 256
};
typedef struct fake_function {
    fake_module *module;
    char name[256];
    uint32_t offset[PARAMS], size[PARAMS], n;
    bool known;
} fake_function;
/* Host memory that the device reaches; a block of 0 bytes is free. */
static struct {
    uint64_t from;
    size_t bytes;
} pinned[PINNED];
static bool is_pinned(uint64_t address, size_t bytes) {
    int k;
    for (k = 0; k < PINNED; k++)
        if (pinned[k].bytes >= bytes && address >= pinned[k].from &&
            address - pinned[k].from <= pinned[k].bytes - bytes)
            return true;
    return false;
}
static void queues_forget(void);
static int queues_drain(int id);
static int queues_try(int id);
enum {
    STREAMS = 2 * DEVICES, /* first the default stream of each device */
    ALL_STREAMS = -1       /* of the current device */
};
static int owner[STREAMS] = {0, 1, 2, 3, 4, 5, 6, 7};

static int conditions[256], n_conditions; /* of conditional nodes, by handle */
static void forget_touches(void);
int cuInit(unsigned flags) {
    CALL("cuInit");
    n_conditions = 0;
    forget_touches();
    /* the order of what is enqueued is drawn from it */
    if (getenv("FAKE_CUDA_LATE")) fake.late = strtoull(getenv("FAKE_CUDA_LATE"), NULL, 10);
    return flags ? 1 : 0;
}
int cuDriverGetVersion(int *version) {
    CALL("cuDriverGetVersion");
    *version = fake.version;
    return 0;
}
int cuDeviceGet(int *device, int ordinal) {
    CALL("cuDeviceGet");
    *device = 70 + ordinal;
    return ordinal < fake.devices ? 0 : 101;
}
int cuDeviceGetCount(int *count) {
    CALL("cuDeviceGetCount");
    *count = fake.devices;
    return 0;
}
int cuDeviceGetName(char *name, int n, int device) {
    CALL("cuDeviceGetName");
    xg_format(name, (size_t)n, "Fake GPU %d", device);
    return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
    CALL("cuDeviceGetAttribute");
    (void)device;
    switch (attribute) { /* numbers of CUdevice_attribute */
    case 75: *value = fake.major; break;
    case 76: *value = fake.minor; break;
    case 16: *value = 114; break;     /* multiprocessors */
    case 36: *value = 1593000; break; /* kHz of memory */
    case 37: *value = 5120; break;    /* bits of its bus */
    case 132: *value = fake.multicast; break;
    default: *value = 0; break; /* a driver that does not know it */
    }
    return 0;
}
int cuDeviceTotalMem_v2(size_t *bytes, int device) {
    CALL("cuDeviceTotalMem_v2");
    (void)device;
    *bytes = (size_t)3 << 30;
    return 0;
}
int cuDevicePrimaryCtxRetain(void **c, int device) {
    CALL("cuDevicePrimaryCtxRetain");
    if (poisoned) return 700;
    *c = &contexts[(device - 70) % DEVICES];
    count_up(&fake.contexts, 1);
    return 0;
}
int cuDevicePrimaryCtxRelease_v2(int device) {
    HOLD;
    (void)device;
    if (--fake.contexts == 0) {
        queues_forget();
        memset(pinned, 0, sizeof pinned);
        while (blocks.next != &blocks) block_free(blocks.next + 1);
        poisoned = poisoned && getenv("FAKE_CUDA_POISON_STAYS");
    }
    return failing("cuDevicePrimaryCtxRelease_v2");
}
int cuCtxPushCurrent_v2(void *c) {
    CALL("cuCtxPushCurrent_v2");
    if ((int *)c < contexts || (int *)c >= contexts + DEVICES) return 201;
    current_set(current_depth() * 16 + 1 + (long)((int *)c - contexts), 1);
    return 0;
}
int cuCtxPopCurrent_v2(void **c) {
    *c = &contexts[current_device()];
    current_set(current_depth() / 16, -1);
    CALL("cuCtxPopCurrent_v2");
    return 0;
}
/* By device and other device: whether its kernels reach the other's memory. */
static bool peers[DEVICES][DEVICES];
int cuDeviceCanAccessPeer(int *can, int device, int other) {
    CALL("cuDeviceCanAccessPeer");
    *can = device != other && !fake.strangers;
    return 0;
}
int cuCtxEnablePeerAccess(void *c, unsigned flags) {
    int other = (int)((int *)c - contexts);
    bool *to;
    IN_CONTEXT("cuCtxEnablePeerAccess");
    to = &peers[current_device()][other % DEVICES];
    if (flags || fake.strangers) return 217; /* not supported */
    if (*to) return 704;
    *to = true;
    fake.peers++;
    return 0;
}
int cuCtxDisablePeerAccess(void *c) {
    int other = (int)((int *)c - contexts);
    bool *to;
    HOLD;
    if (!current_depth()) return 201;
    to = &peers[current_device()][other % DEVICES];
    if (!*to) return 705;
    *to = false;
    fake.peers--;
    return failing("cuCtxDisablePeerAccess");
}
static xlagpu_device *simulator(void) {
    xlagpu_device_desc d;
    memset(&d, 0, sizeof d);
    d.platform = "host";
    d.threads = 1;
    if (!host) xlagpu_rt_open(&d, &host);
    return host;
}
int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
    xlagpu_buffer b;
    IN_CONTEXT("cuMemAlloc_v2");
    OUT_OF_CAPTURE;
    if (!bytes) return 1;
    if (xlagpu_rt_alloc(simulator(), bytes, &b) != XLAGPU_OK) return 2;
    fake.memory++;
    fake.allocations++;
    *address = b.address;
    return 0;
}
int cuMemFree_v2(uint64_t address) {
    xlagpu_buffer b;
    b.address = address;
    b.bytes = 0;
    HOLD;
    if (!current_depth()) return 201;
    queues_drain(ALL_STREAMS);
    xlagpu_rt_free(simulator(), b);
    fake.memory--;
    CALL("cuMemFree_v2");
    return 0;
}
static void *at(uint64_t address) { return (void *)(uintptr_t)address; }
/* By the simulator's own means: it knows which bytes have been written. */
static int put(uint64_t to, const void *from, size_t bytes) {
    xlagpu_buffer b;
    b.address = to;
    b.bytes = bytes;
    return xlagpu_rt_upload(simulator(), b, from, bytes) == XLAGPU_OK ? 0 : 1;
}
static int fill(uint64_t to, const void *pattern, size_t size, size_t n) {
    char *p = (char *)malloc(size * n + 1);
    size_t k;
    int e;
    for (k = 0; k < n; k++) memcpy(p + k * size, pattern, size);
    e = put(to, p, size * n);
    free(p);
    return e;
}
/* ---- streams: work is done when it is enqueued, and clocks tell whether a device could have done it in another order;
 * or it is done in another order (late) ---- */

enum {
    TOUCHES = 4096
};
typedef struct fake_graph fake_graph;
typedef struct fake_node fake_node;
/* capture: what is enqueued becomes nodes of it, each behind the last; spoilt: by what must not be done meanwhile */
typedef struct fake_stream {
    int id, spoilt;
    fake_graph *capture;
    fake_node *last;
    pthread_t capturer;
    struct fake_stream *next; /* of those that are captured */
} fake_stream;
static fake_stream *captured;
/* recorded: how often it was asked for; passed: the last of these that the device has come to */
typedef struct fake_event {
    long clock[STREAMS], recorded, passed;
} fake_event;
typedef struct fake_touch {
    uint64_t from, to;
    bool written;
    int stream;
    long time;
} fake_touch;
static long clocks[STREAMS][STREAMS]; /* what a stream knows of all streams */
static long waited[STREAMS];          /* what the host has waited for: all that it enqueues comes behind that */
static fake_touch touches[TOUCHES];
static int n_touches, n_streams;
static void forget_touches(void) {
    n_touches = 0;
    memset(clocks, 0, sizeof clocks);
    memset(waited, 0, sizeof waited);
}
static int stream_id(const void *stream) { return stream ? ((const fake_stream *)stream)->id : current_device(); }
static void touch(const void *stream, uint64_t from, size_t bytes, bool written) {
    int id = stream_id(stream), k;
    fake_touch *t = &touches[n_touches++ % TOUCHES];
    for (k = 0; k < n_touches - 1 && k < TOUCHES; k++) {
        const fake_touch *o = &touches[k];
        if (o == t || o->stream == id || o->from >= from + bytes || from >= o->to || (!o->written && !written))
            continue;
        fake.races += clocks[id][o->stream] < o->time;
    }
    t->from = from;
    t->to = from + bytes;
    t->written = written;
    t->stream = id;
    t->time = clocks[id][id];
    fake.aside += id >= DEVICES;
}
static void learn(long *knows, const long *clock) {
    int k;
    for (k = 0; k < STREAMS; k++)
        if (knows[k] < clock[k]) knows[k] = clock[k];
}
static void step(const void *stream) {
    int id = stream_id(stream);
    learn(clocks[id], waited);
    clocks[id][id]++;
}
int cuStreamCreate(void **stream, unsigned flags) {
    fake_stream *s;
    IN_CONTEXT("cuStreamCreate");
    if (flags != 1) return 1;
    s = (fake_stream *)block_new(sizeof *s);
    s->id = DEVICES + n_streams++ % DEVICES;
    owner[s->id] = current_device();
    *stream = s;
    fake.streams++;
    return 0;
}
int cuStreamDestroy_v2(void *stream) {
    HOLD;
    if (!current_depth()) return 201;
    queues_drain(stream_id(stream));
    block_free(stream);
    fake.streams--;
    CALL("cuStreamDestroy_v2");
    return 0;
}
/* What a stream is to do. */
typedef enum fake_work {
    W_UPLOAD, /* from a staging buffer of the driver */
    W_COPY,
    W_FILL,
    W_KERNEL,
    W_GRAPH, /* as W_MEET: there may be such work in it */
    W_RECORD,
    W_WAIT,
    W_DO,  /* what another library does: run(user) */
    W_MEET /* the same: go(user) gives 0 until it is done */
} fake_work;
typedef struct fake_op {
    fake_work work;
    uint64_t to, from;
    size_t bytes;
    unsigned value, size;
    fake_function *f;
    unsigned grid[3], threads[3], cluster[3], shared; /* cluster: zeros, unless it was launched with one */
    unsigned char block[PARAM_BYTES];
    size_t block_bytes;
    void *staged;
    struct fake_run *run;
    fake_event *event;
    long number;
    int (*go)(void *user);
    void (*run_it)(void *user), (*drop)(void *user);
    void *user;
    struct fake_op *next;
} fake_op;
static fake_op *queue[STREAMS], **queue_end[STREAMS];
static int late_error;
static unsigned draw(unsigned below) {
    fake.late ^= fake.late << 13;
    fake.late ^= fake.late >> 7;
    fake.late ^= fake.late << 17;
    return (unsigned)(fake.late % below);
}
static int run(fake_function *f, const unsigned *grid, const unsigned *threads, const unsigned *cluster,
    unsigned shared, const void *block, size_t bytes);
typedef struct fake_run fake_run;
static int run_go(fake_run *r);
static int run_end(fake_run *r);
static int op_do(fake_op *o) {
    switch (o->work) {
    case W_UPLOAD: {
        int e = put(o->to, o->staged, o->bytes);
        free(o->staged);
        return e;
    }
    case W_COPY: return put(o->to, at(o->from), o->bytes);
    case W_FILL: return fill(o->to, &o->value, o->size, o->bytes);
    case W_KERNEL: return run(o->f, o->grid, o->threads, o->cluster, o->shared, o->block, o->block_bytes);
    case W_GRAPH: return run_end(o->run);
    case W_DO:
        o->run_it(o->user);
        if (o->drop) o->drop(o->user);
        block_free(o->user);
        return 0;
    case W_RECORD:
        if (o->event->passed < o->number) o->event->passed = o->number;
        return 0;
    default: return 0;
    }
}
static int op_enqueue(const fake_op *o, const void *stream) {
    int id = stream_id(stream);
    fake_op *copy;
    if (!fake.late && o->work != W_UPLOAD && o->work != W_MEET) {
        fake_op now = *o;
        int e = queue[id] ? queues_try(id) : 0; /* uploads that have not landed */
        if (e) return e;
        if (!queue[id] && (o->work != W_WAIT || fake.deaf || o->event->passed >= o->number) &&
            (o->work != W_GRAPH || run_go(o->run)))
            return op_do(&now);
    }
    copy = (fake_op *)malloc(sizeof *copy);
    *copy = *o;
    copy->next = NULL;
    if (!queue[id]) queue_end[id] = &queue[id];
    *queue_end[id] = copy;
    queue_end[id] = &copy->next;
    return 0;
}
static bool op_ready(fake_op *o) {
    if (o->work == W_WAIT) return fake.deaf || o->event->passed >= o->number;
    if (o->work == W_MEET && !o->number) o->number = o->go(o->user);
    if (o->work == W_GRAPH && !o->number) o->number = run_go(o->run);
    return (o->work != W_MEET && o->work != W_GRAPH) || o->number;
}
/* One step of one of the streams that can go on; false: none can. */
static bool queues_step(void) {
    int ready[STREAMS], n = 0, k;
    fake_op *o;
    for (k = 0; k < STREAMS; k++)
        if (queue[k] && op_ready(queue[k])) ready[n++] = k;
    if (!n) return false;
    k = ready[draw((unsigned)n)];
    o = queue[k];
    queue[k] = o->next;
    if (!late_error) late_error = op_do(o);
    free(o);
    return true;
}
static bool queues_left(int id) {
    int k;
    bool left = false;
    for (k = 0; k < STREAMS; k++)
        left = left || (queue[k] && (id == k || (id == ALL_STREAMS && owner[k] == current_device())));
    return left;
}
/* Something waits that another thread or process brings about. */
static bool queues_meet(void) {
    int k;
    bool meets = false;
    for (k = 0; k < STREAMS; k++)
        meets = meets || (queue[k] && (queue[k]->work == W_MEET || queue[k]->work == W_GRAPH));
    if (meets) driver_relax();
    return meets;
}
/* Until the stream, or all of them, have nothing left to do; try: that can be done now. */
static int queues_drain(int id) {
    while (queues_left(id) && (queues_step() || queues_meet())) {}
    return queues_try(id);
}
static int queues_try(int id) {
    int e;
    while (queues_left(id) && queues_step()) {}
    e = late_error;
    late_error = 0;
    return e;
}
static void queues_forget(void) {
    int k;
    for (k = 0; k < STREAMS; k++)
        while (queue[k]) {
            fake_op *o = queue[k];
            queue[k] = o->next;
            if (o->work == W_UPLOAD) free(o->staged);
            if (o->work == W_GRAPH) (void)run_end(o->run);
            free(o);
        }
    late_error = 0;
}
/* The host knows now that a stream has come so far. */
static int host_waits(int id) {
    int e = queues_drain(id), k;
    for (k = 0; k < STREAMS; k++)
        if (id == k || (id == ALL_STREAMS && owner[k] == current_device())) learn(waited, clocks[k]);
    return e;
}

/* A copy from pageable memory waits for its stream, takes the bytes into a buffer of the driver's and returns; they
 * land later, in the order of that stream. One from pinned memory has landed when the call returns. */
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
    fake_op o;
    int e;
    IN_CONTEXT("cuMemcpyHtoD_v2");
    OUT_OF_CAPTURE;
    step(NULL);
    touch(NULL, to, bytes, true);
    e = queues_drain(stream_id(NULL));
    if (e) return e;
    if (is_pinned((uint64_t)(uintptr_t)from, bytes)) {
        e = put(to, from, bytes);
        (void)host_waits(stream_id(NULL));
        return e;
    }
    memset(&o, 0, sizeof o);
    o.work = W_UPLOAD;
    o.to = to;
    o.bytes = bytes;
    o.staged = malloc(bytes + 1);
    memcpy(o.staged, from, bytes);
    return op_enqueue(&o, NULL);
}
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
    int e;
    IN_CONTEXT("cuMemcpyDtoH_v2");
    OUT_OF_CAPTURE;
    fake.downloads++;
    step(NULL);
    touch(NULL, from, bytes, false);
    e = host_waits(stream_id(NULL));
    memcpy(to, at(from), bytes);
    return e;
}

static bool capturing(const void *stream) { return stream && ((const fake_stream *)stream)->capture; }
static int capture_spoil(void *stream, int error) {
    ((fake_stream *)stream)->spoilt = 1;
    return error;
}
static int capture_copy(uint64_t to, uint64_t from, size_t bytes, void *stream);
static int capture_fill(uint64_t to, unsigned value, unsigned size, size_t n, void *stream);
int cuStreamWaitEvent(void *stream, void *event, unsigned flags) {
    int id = stream_id(stream);
    fake_op o;
    IN_CONTEXT("cuStreamWaitEvent");
    if (capturing(stream)) return capture_spoil(stream, 905); /* the event is none of the capture */
    if (flags || !event) return 1;
    if (!fake.deaf) learn(clocks[id], ((fake_event *)event)->clock);
    fake.waits++;
    memset(&o, 0, sizeof o);
    o.work = W_WAIT;
    o.event = (fake_event *)event;
    o.number = o.event->recorded;
    return op_enqueue(&o, stream);
}
int cuMemcpyAsync(uint64_t to, uint64_t from, size_t bytes, void *stream) {
    fake_op o;
    IN_CONTEXT("cuMemcpyAsync");
    if (capturing(stream)) return capture_copy(to, from, bytes, stream);
    step(stream);
    touch(stream, from, bytes, false);
    touch(stream, to, bytes, true);
    memset(&o, 0, sizeof o);
    o.work = W_COPY;
    o.to = to;
    o.from = from;
    o.bytes = bytes;
    return op_enqueue(&o, stream);
}
int cuMemAllocHost_v2(void **memory, size_t bytes) {
    xlagpu_buffer b;
    int k;
    IN_CONTEXT("cuMemAllocHost_v2");
    OUT_OF_CAPTURE;
    for (k = 0; k < PINNED && pinned[k].bytes; k++) {}
    if (k == PINNED || xlagpu_rt_alloc(simulator(), bytes, &b) != XLAGPU_OK) return 2;
    pinned[k].from = b.address;
    pinned[k].bytes = bytes;
    fake.memory++;
    *memory = at(b.address);
    return 0;
}
int cuMemFreeHost(void *memory) {
    xlagpu_buffer b;
    int k;
    b.address = (uint64_t)(uintptr_t)memory;
    b.bytes = 0;
    HOLD;
    if (!current_depth()) return 201;
    queues_drain(ALL_STREAMS);
    for (k = 0; k < PINNED; k++)
        if (pinned[k].from == b.address) pinned[k].bytes = 0;
    xlagpu_rt_free(simulator(), b);
    fake.memory--;
    CALL("cuMemFreeHost");
    return 0;
}
static int fill_later(uint64_t to, unsigned value, unsigned size, size_t n, void *stream) {
    fake_op o;
    if (capturing(stream)) return to % size ? 1 : capture_fill(to, value, size, n, stream);
    memset(&o, 0, sizeof o);
    o.work = W_FILL;
    o.to = to;
    o.value = value;
    o.size = size;
    o.bytes = n;
    step(stream);
    touch(stream, to, size * n, true);
    return to % size ? 1 : op_enqueue(&o, stream);
}
int cuMemsetD32Async(uint64_t to, unsigned value, size_t n, void *stream) {
    IN_CONTEXT("cuMemsetD32Async");
    return fill_later(to, value, 4, n, stream);
}
int cuMemsetD8Async(uint64_t to, unsigned char value, size_t n, void *stream) {
    IN_CONTEXT("cuMemsetD8Async");
    return fill_later(to, value, 1, n, stream);
}
int cuStreamSynchronize(void *stream) {
    IN_CONTEXT("cuStreamSynchronize");
    OUT_OF_CAPTURE;
    fake.stream_waits++;
    return host_waits(stream_id(stream));
}
int cuCtxSynchronize(void) {
    IN_CONTEXT("cuCtxSynchronize");
    OUT_OF_CAPTURE;
    return host_waits(ALL_STREAMS);
}

/* ---- modules; machine code is PTX behind a comment ---- */

#define MACHINE_CODE "// machine code\n"
typedef struct fake_link {
    char *code;
    size_t n;
} fake_link;
int cuLinkCreate_v2(unsigned n, int *options, void **values, void **link) {
    IN_CONTEXT("cuLinkCreate_v2");
    (void)options;
    (void)values;
    if (n) return 1;
    *link = block_new(sizeof(fake_link));
    count_up(&fake.links, 1);
    return 0;
}
int cuLinkAddData_v2(
    void *link, int type, void *data, size_t size, const char *name, unsigned n, int *options, void **values) {
    fake_link *l = (fake_link *)link;
    IN_CONTEXT("cuLinkAddData_v2");
    (void)name;
    (void)options;
    (void)values;
    if (type != 1 || n || l->code || !size || ((const char *)data)[size - 1]) return 1;
    l->n = strlen(MACHINE_CODE) + size;
    l->code = (char *)block_new(l->n);
    memcpy(l->code, MACHINE_CODE, strlen(MACHINE_CODE));
    memcpy(l->code + strlen(MACHINE_CODE), data, size);
    return 0;
}
int cuLinkComplete(void *link, void **code, size_t *bytes) {
    IN_CONTEXT("cuLinkComplete");
    *code = ((fake_link *)link)->code;
    *bytes = ((fake_link *)link)->n;
    count_up(&fake.linked, 1);
    return *code ? 0 : 1;
}
int cuLinkDestroy(void *link) {
    if (!current_depth()) return 201;
    if (((fake_link *)link)->code) block_free(((fake_link *)link)->code);
    block_free(link);
    count_up(&fake.links, -1);
    CALL("cuLinkDestroy");
    return 0;
}
/* PTX for a later device does not load, nor does such with a letter (sm_90a) on another device. */
static bool target_fits(const char *image) {
    const char *target = strstr(image, ".target sm_");
    int cc = 0, device = fake.major * 10 + fake.minor;
    char letter = 0;
    if (!target) return true;
    sscanf(target, ".target sm_%d%c", &cc, &letter);
    return cc <= device && (letter != 'a' || cc == device);
}
/* Waits until fake.meet threads were loading at one time, ten seconds at most: a machine may be slow to start them. */
static void load_beside_others(void) {
    int waits;
    bool met = false;
    for (waits = 0; !met && waits < 10000; waits++) {
        pthread_mutex_lock(&guard);
        met = fake.loading_most >= fake.meet;
        pthread_mutex_unlock(&guard);
        if (!met) usleep(1000);
    }
}
int cuModuleLoadDataEx(void **module, const void *image, unsigned n, int *options, void **values) {
    fake_module *m;
    int error = failing("cuModuleLoadDataEx");
    unsigned k;
    if (!current_depth()) return 201;
    if (fake.no_conditions && strstr((const char *)image, "cudaGraphSetConditional")) return 218;
    if (!error && !target_fits((const char *)image)) error = 209;
    if (error) {
        for (k = 0; fake.log && k < n; k++)
            if (options[k] == 5) memcpy(values[k], fake.log, strlen(fake.log) + 1);
        return error;
    }
    count_up(&fake.from_code, strncmp((const char *)image, MACHINE_CODE, strlen(MACHINE_CODE)) == 0);
    m = (fake_module *)block_new(sizeof *m);
    m->n = strlen((const char *)image);
    m->ptx = (char *)block_new(m->n + 1);
    memcpy(m->ptx, image, m->n + 1);
    *module = m;
    count_up(&fake.modules, 1);
    count_up(&fake.loading, 1);
    pthread_mutex_lock(&guard);
    if (fake.loading > fake.loading_most) fake.loading_most = fake.loading;
    pthread_mutex_unlock(&guard);
    load_beside_others();
    count_up(&fake.loading, -1);
    for (k = 0; k < n; k++) { /* what the real one says of each kernel when it is asked for everything */
        float took = 1.5f;
        if (options[k] == 3) strcpy((char *)values[k], "ptxas info    : Used 12 registers, 0 bytes spill stores\n");
        if (options[k] == 2) memcpy(&values[k], &took, sizeof took);
    }
    return 0;
}
int cuModuleUnload(void *module) {
    fake_module *m = (fake_module *)module;
    HOLD;
    if (!current_depth()) return 201;
    queues_drain(ALL_STREAMS);
    xlagpu_rt_unload_ptx(m->loaded);
    block_free(m->ptx);
    block_free(m);
    count_up(&fake.modules, -1);
    CALL("cuModuleUnload");
    return 0;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
    fake_function *f;
    IN_CONTEXT("cuModuleGetFunction");
    f = (fake_function *)block_new(sizeof *f);
    f->module = (fake_module *)module;
    if (!strstr(f->module->ptx, name)) return 500;
    xg_format(f->name, sizeof f->name, "%s", name);
    *function = f;
    return 0;
}
int cuFuncSetAttribute(void *function, int attribute, int value) {
    IN_CONTEXT("cuFuncSetAttribute");
    (void)function;
    return attribute == 8 && value <= 232448 ? 0 : 1;
}
/* A kernel of PTX before 8.1 cannot have more than 4,096 bytes of parameters. */
static size_t param_bytes_max(const fake_function *f) {
    const char *version = strstr(f->module->ptx, ".version ");
    int major = 0, minor = 0;
    if (version) sscanf(version, ".version %d.%d", &major, &minor);
    return major * 10 + minor >= 81 ? PARAM_BYTES : PARAM_BYTES_OLD;
}
static void learn_parameters(fake_function *f) {
    fake_module *m = f->module;
    const xg_sim_entry *e;
    f->known = true;
    if (!m->loaded) m->loaded = xlagpu_rt_load_ptx(simulator(), "fake", m->ptx, m->n);
    e = m->loaded ? xg_sim_find((const xg_sim_module *)m->loaded->loaded, xg_str_z(f->name)) : NULL;
    for (; e && f->n < xg_sim_entry_info(e)->n_params && f->n < PARAMS; f->n++) {
        f->offset[f->n] = xg_sim_entry_info(e)->params[f->n].offset;
        f->size[f->n] = xg_sim_entry_info(e)->params[f->n].size;
    }
}
/* The parameters as one block. 0 bytes: there are more than a kernel may have, or none. */
static uint32_t pack(fake_function *f, void **params, unsigned char *block, size_t cap) {
    uint32_t k, bytes = 0;
    if (!f->known) learn_parameters(f);
    if (f->n && f->offset[f->n - 1] + f->size[f->n - 1] > param_bytes_max(f)) return 0;
    for (k = 0; k < f->n && f->offset[k] + f->size[k] <= cap; k++) {
        memcpy(block + f->offset[k], params[k], f->size[k]);
        bytes = f->offset[k] + f->size[k];
    }
    return bytes;
}
static int run(fake_function *f, const unsigned *grid, const unsigned *threads, const unsigned *cluster,
    unsigned shared, const void *block, size_t bytes) {
    xlagpu_ptx_launch l;
    memset(&l, 0, sizeof l);
    l.entry = f->name;
    memcpy(l.grid, grid, sizeof l.grid);
    memcpy(l.block, threads, sizeof l.block);
    if (cluster) memcpy(l.cluster, cluster, sizeof l.cluster);
    l.shared_bytes = shared;
    l.parameters = block;
    l.parameter_bytes = bytes;
    fake.launches++;
    poisoned = poisoned || launch_poisons();
    if (poisoned) return 700;
    if (!f->module->loaded) f->module->loaded = xlagpu_rt_load_ptx(simulator(), "fake", f->module->ptx, f->module->n);
    return f->module->loaded && xlagpu_rt_run_ptx(f->module->loaded, &l, NULL) == XLAGPU_OK ? 0 : 719;
}
/* The rules are the simulator's, which are the driver's; the map's own address is the driver's alone. */
int cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *address, const uint64_t *dims,
    const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave, int swizzle, int promotion,
    int fill) {
    xlagpu_tensor_map m;
    int error = failing("cuTensorMapEncodeTiled");
    uint32_t k;
    if (error) return error;
    memset(&m, 0, sizeof m);
    if ((uintptr_t)map % 64 || rank < 1 || rank > 5 || interleave) return 1;
    m.address = (uint64_t)(uintptr_t)address;
    m.data_type = (uint32_t)type;
    m.rank = rank;
    m.swizzle = (uint32_t)swizzle;
    m.l2_promotion = (uint32_t)promotion;
    m.fill = (uint32_t)fill;
    for (k = 0; k < rank; k++) {
        m.dims[k] = dims[k];
        m.box[k] = box[k];
        m.steps[k] = steps[k];
        if (k + 1 < rank) m.strides[k] = strides[k];
    }
    return xlagpu_rt_encode_tensor_map(simulator(), &m, map) == XLAGPU_OK ? 0 : 1;
}
typedef struct fake_attribute { /* CUlaunchAttribute, whose value has 64 bytes */
    int id;
    char pad[8 - sizeof(int)];
    union {
        char room[64];
        unsigned cluster[3];
    } value;
} fake_attribute;
typedef struct fake_config { /* CUlaunchConfig */
    unsigned grid[3], block[3], shared;
    void *stream;
    const fake_attribute *attributes;
    unsigned n;
} fake_config;
#include "fake_multicast.h"

/* Kernels that reduce what devices have only read all parameters but the last. */
static bool is_operand_of_peers(const fake_function *f, uint32_t at, uint32_t bytes) {
    return strncmp(f->name, "peers_all_reduce", 16) == 0 && at + 8 < bytes;
}
static int launch(const fake_config *c, fake_function *f, void **params, void **extra) {
    fake_op o;
    uint32_t k;
    if (capturing(c->stream)) return capture_spoil(c->stream, 900); /* no library of ours does that */
    memset(&o, 0, sizeof o);
    o.work = W_KERNEL;
    o.f = f;
    o.shared = c->shared;
    memcpy(o.grid, c->grid, sizeof o.grid);
    memcpy(o.threads, c->block, sizeof o.threads);
    for (k = 0; k < c->n; k++) switch (c->attributes[k].id) {
        case 0: break; /* CU_LAUNCH_ATTRIBUTE_IGNORE */
        case 4:        /* CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION */
            memcpy(o.cluster, c->attributes[k].value.cluster, sizeof o.cluster);
            if (!o.cluster[0] || !o.cluster[1] || !o.cluster[2]) return 1;
            break;
        default: return 1;
        }
    if (extra) {
        if (extra[0] != (void *)(uintptr_t)1 || extra[2] != (void *)(uintptr_t)2 || extra[4] ||
            *(size_t *)extra[3] > sizeof o.block)
            return 1;
        o.block_bytes = *(size_t *)extra[3];
        memcpy(o.block, extra[1], o.block_bytes);
        return op_enqueue(&o, c->stream);
    }
    o.block_bytes = pack(o.f, params, o.block, sizeof o.block);
    if (o.f->n && !o.block_bytes) return 1;
    step(c->stream);
    for (k = 0; k + 8 <= o.block_bytes; k += 8) {
        uint64_t address;
        memcpy(&address, o.block + k, 8);
        if (cast_touch(c->stream, address, current_device())) return 1;
        touch(c->stream, address, 1,
            address != fake.read_only[0] && address != fake.read_only[1] &&
                !is_operand_of_peers(o.f, k, o.block_bytes));
    }
    return op_enqueue(&o, c->stream);
}
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
    unsigned shared, void *stream, void **params, void **extra) {
    const fake_config c = {{gx, gy, gz}, {bx, by, bz}, shared, stream, NULL, 0};
    if (fake.idle) return 0;
    IN_CONTEXT("cuLaunchKernel");
    return launch(&c, (fake_function *)function, params, extra);
}
int cuLaunchKernelEx(const fake_config *c, void *function, void **params, void **extra) {
    IN_CONTEXT("cuLaunchKernelEx");
    return launch(c, (fake_function *)function, params, extra);
}

/* ---- events ---- */

int cuEventCreate(void **event, unsigned flags) {
    IN_CONTEXT("cuEventCreate");
    if (flags & ~2u) return 1;
    *event = block_new(sizeof(fake_event));
    fake.events++;
    return 0;
}
int cuEventDestroy_v2(void *event) {
    HOLD;
    if (!current_depth()) return 201;
    queues_drain(ALL_STREAMS);
    block_free(event);
    fake.events--;
    CALL("cuEventDestroy_v2");
    return 0;
}
int cuEventRecord(void *event, void *stream) {
    fake_op o;
    IN_CONTEXT("cuEventRecord");
    if (!event) return 1;
    if (capturing(stream)) return capture_spoil(stream, 900); /* which nobody could ask for afterwards */
    step(stream);
    memcpy(((fake_event *)event)->clock, clocks[stream_id(stream)], sizeof((fake_event *)event)->clock);
    memset(&o, 0, sizeof o);
    o.work = W_RECORD;
    o.event = (fake_event *)event;
    o.number = ++o.event->recorded;
    return op_enqueue(&o, stream);
}
static bool event_passed(const fake_event *e) { return e->passed >= e->recorded; }
int cuEventSynchronize(void *event) {
    int e;
    IN_CONTEXT("cuEventSynchronize");
    OUT_OF_CAPTURE;
    if (!event) return 1;
    while (!event_passed((fake_event *)event) && (queues_step() || queues_meet())) {}
    learn(waited, ((fake_event *)event)->clock);
    e = late_error;
    late_error = 0;
    return e;
}
int cuEventQuery(void *event) {
    IN_CONTEXT("cuEventQuery");
    OUT_OF_CAPTURE;
    if (!event) return 1;
    if (!event_passed((fake_event *)event)) queues_step();
    return event_passed((fake_event *)event) ? 0 : 600;
}
int cuEventElapsedTime(float *ms, void *before, void *after) {
    IN_CONTEXT("cuEventElapsedTime");
    *ms = 0.25f;
    return before && after ? 0 : 1;
}

/* ---- graphs: nodes run in the order in which they were added, which must be an order that their edges allow ---- */

enum {
    KERNEL,
    COPY,
    FILL,
    CONDITION,
    CHILD,   /* behind the nodes of the child, which stand in front of it */
    EVENT,   /* records it */
    DO,      /* another library's: plan.run */
    MEETING, /* the same: plan.start for each launch, then plan.go until that is not 0 */
    NODES = 4096,
    RANGES = 16
};
/* What another library does whenever a graph is launched; drop: when no graph holds it any more. */
typedef struct fake_plan {
    int refs;
    void (*run)(void *user);
    void *(*start)(void *user);
    int (*go)(void *begun);
    void (*drop)(void *user);
    void *user;
    int n_ranges; /* -1: it may touch anything */
    fake_range ranges[RANGES];
} fake_plan;
struct fake_node {
    int kind, parts; /* parts: of a child */
    fake_graph *graph;
    xr_kernel_node k;
    unsigned char block[PARAM_BYTES];
    uint32_t bytes;
    xr_copy_node c;
    xr_fill_node f;
    uint64_t handle;
    int type;
    fake_graph *body;
    fake_event *event;
    fake_plan *plan;
    uint64_t above[NODES / 64]; /* a bit for each node of the graph that it waits for */
};
struct fake_graph {
    fake_node *nodes[NODES];
    int n, refs;             /* refs: of its maker, of executable ones, of launches */
    fake_graph *twin, *root; /* root: of the body of a conditional node, the graph that can be instantiated */
};
static fake_graph *root_of(fake_graph *g) { return g->root ? g->root : g; }
static fake_graph *graph_new(void) {
    fake_graph *g = (fake_graph *)block_new(sizeof(fake_graph));
    fake.graphs++;
    g->refs = 1;
    return g;
}
static void plan_let_go(fake_plan *p) {
    if (!p || --p->refs) return;
    if (p->drop) p->drop(p->user);
    if (p->run) block_free(p->user);
    block_free(p);
}
static void graph_let_go(fake_graph *g) {
    int k;
    if (--g->refs) return;
    for (k = 0; k < g->n; k++) {
        if (g->nodes[k]->body) graph_let_go(g->nodes[k]->body);
        plan_let_go(g->nodes[k]->plan);
        block_free(g->nodes[k]);
    }
    block_free(g);
    fake.graphs--;
}
int cuGraphCreate(void **graph, unsigned flags) {
    IN_CONTEXT("cuGraphCreate");
    if (flags) return 1;
    *graph = graph_new();
    return 0;
}
int cuGraphDestroy(void *graph) {
    HOLD;
    if (!current_depth()) return 201;
    graph_let_go((fake_graph *)graph);
    CALL("cuGraphDestroy");
    return 0;
}
static fake_node *node_new(void **out, void *graph, void *const *after, size_t n, int kind) {
    fake_graph *g = (fake_graph *)graph;
    fake_node *node = (fake_node *)block_new(sizeof *node);
    size_t k;
    int j;
    for (k = 0; k < n; k++) {
        int i;
        for (j = 0; j < g->n && g->nodes[j] != after[k]; j++) {}
        if (j == g->n || g->n == NODES) {
            block_free(node);
            return NULL;
        }
        if (fake.deaf) continue;
        for (i = 0; i < NODES / 64; i++) node->above[i] |= g->nodes[j]->above[i];
        node->above[j / 64] |= (uint64_t)1 << j % 64;
    }
    node->kind = kind;
    node->graph = g;
    g->nodes[g->n++] = node;
    fake.nodes++;
    fake.edges += (long)n;
    *out = node;
    return node;
}
static int set_kernel(fake_node *node, const xr_kernel_node *p) {
    fake_function *f = (fake_function *)p->function;
    node->k = *p;
    if (strcmp(f->name, "xlagpu_set_condition") != 0) {
        node->bytes = pack(f, p->params, node->block, sizeof node->block);
        return f->n && !node->bytes;
    }
    memcpy(node->block, p->params[0], 8);
    memcpy(node->block + 8, p->params[1], 8);
    memcpy(node->block + 16, p->params[2], 4);
    memcpy(node->block + 20, p->params[3], 4);
    memcpy(node->block + 24, p->params[4], 4);
    return 0;
}
int cuGraphAddKernelNode_v2(void **out, void *graph, void *const *after, size_t n, const xr_kernel_node *p) {
    fake_node *node;
    IN_CONTEXT("cuGraphAddKernelNode_v2");
    node = node_new(out, graph, after, n, KERNEL);
    return node ? set_kernel(node, p) : 1;
}
/* One end of a copy: its kind of memory must be the one that it names. */
static bool side_ok(const xr_copy_side *s, size_t bytes) {
    uint64_t pointer = (uint64_t)(uintptr_t)s->host;
    if (s->type == 1) return !s->device && is_pinned(pointer, bytes);
    return s->type == 2 && s->device && !is_pinned(s->device, bytes);
}
static uint64_t side_address(const xr_copy_side *s) { return s->type == 1 ? (uint64_t)(uintptr_t)s->host : s->device; }
static bool copy_ok(const xr_copy_node *p) {
    return p->width && p->height == 1 && p->depth == 1 && side_ok(&p->from, p->width) && side_ok(&p->to, p->width);
}
int cuGraphAddMemcpyNode(void **out, void *graph, void *const *after, size_t n, const xr_copy_node *p, void *c) {
    fake_node *node;
    IN_CONTEXT("cuGraphAddMemcpyNode");
    if (c != &contexts[current_device()] || !copy_ok(p)) return 1;
    node = node_new(out, graph, after, n, COPY);
    if (node) node->c = *p;
    fake.copy_nodes += node && p->from.type != p->to.type;
    return node ? 0 : 1;
}
int cuGraphAddMemsetNode(void **out, void *graph, void *const *after, size_t n, const xr_fill_node *p, void *c) {
    fake_node *node;
    IN_CONTEXT("cuGraphAddMemsetNode");
    node = node_new(out, graph, after, n, FILL);
    if (!node || c != &contexts[current_device()] || p->height != 1 || (p->element != 1 && p->element != 4) ||
        p->to % p->element)
        return 1;
    node->f = *p;
    return 0;
}
int cuGraphConditionalHandleCreate(uint64_t *handle, void *graph, void *c, unsigned initial, unsigned flags) {
    IN_CONTEXT("cuGraphConditionalHandleCreate");
    if (!graph || c != &contexts[current_device()] || flags != 1 || n_conditions == 256) return 1;
    conditions[n_conditions] = (int)initial;
    *handle = (uint64_t)n_conditions++;
    return 0;
}
int cuGraphAddNode(void **out, void *graph, void *const *after, size_t n, xr_conditional_node *p) {
    fake_node *node;
    IN_CONTEXT("cuGraphAddNode");
    if (p->type != 13 || p->u.c.size != 1 || p->u.c.context != &contexts[current_device()]) return 1;
    node = node_new(out, graph, after, n, CONDITION);
    if (!node) return 1;
    node->handle = p->u.c.handle;
    node->type = p->u.c.type;
    node->body = graph_new();
    node->body->root = root_of((fake_graph *)graph);
    node->body->twin = node->body;
    p->u.c.graphs = (void **)&node->body->twin;
    fake.conditionals++;
    return 0;
}
int cuGraphInstantiateWithFlags(void **exec, void *graph, unsigned long long flags) {
    IN_CONTEXT("cuGraphInstantiateWithFlags");
    if (flags) return 1;
    *exec = block_new(sizeof graph);
    memcpy(*exec, &graph, sizeof graph);
    ((fake_graph *)graph)->refs++;
    fake.execs++;
    return 0;
}
int cuGraphExecDestroy(void *exec) { /* what has been launched goes on */
    fake_graph *g;
    HOLD;
    if (!current_depth()) return 201;
    memcpy(&g, exec, sizeof g);
    graph_let_go(g);
    block_free(exec);
    fake.execs--;
    CALL("cuGraphExecDestroy");
    return 0;
}
static fake_node *of_exec(void *exec, void *node) {
    fake_graph *g;
    memcpy(&g, exec, sizeof g);
    fake.updates++;
    queues_drain(ALL_STREAMS); /* what was launched before goes with what was said before */
    return root_of(((fake_node *)node)->graph) == g ? (fake_node *)node : NULL;
}
int cuGraphExecKernelNodeSetParams_v2(void *exec, void *node, const xr_kernel_node *p) {
    IN_CONTEXT("cuGraphExecKernelNodeSetParams_v2");
    node = of_exec(exec, node);
    return node ? set_kernel((fake_node *)node, p) : 1;
}
int cuGraphExecMemcpyNodeSetParams(void *exec, void *node, const xr_copy_node *p, void *c) {
    IN_CONTEXT("cuGraphExecMemcpyNodeSetParams");
    (void)c;
    node = of_exec(exec, node);
    if (!node || !copy_ok(p) || p->from.type != ((fake_node *)node)->c.from.type ||
        p->to.type != ((fake_node *)node)->c.to.type)
        return 1; /* the kind of memory of either end is fixed when the graph is instantiated */
    ((fake_node *)node)->c = *p;
    return 0;
}
int cuGraphExecMemsetNodeSetParams(void *exec, void *node, const xr_fill_node *p, void *c) {
    IN_CONTEXT("cuGraphExecMemsetNodeSetParams");
    (void)c;
    node = of_exec(exec, node);
    if (node) ((fake_node *)node)->f = *p;
    return node ? 0 : 1;
}

/* What xlagpu_set_condition does. */
static void set_condition(const fake_node *node) {
    uint64_t handle, address;
    uint32_t kind, branches, which, value;
    memcpy(&handle, node->block, 8);
    memcpy(&address, node->block + 8, 8);
    memcpy(&kind, node->block + 16, 4);
    memcpy(&branches, node->block + 20, 4);
    memcpy(&which, node->block + 24, 4);
    if (kind == 2) {
        memcpy(&value, at(address), 4);
        value = (value < branches ? value : branches - 1) == which;
    } else {
        value = *(unsigned char *)at(address) != 0;
        if (kind == 1) value = (value ? 0u : 1u) == which;
    }
    conditions[handle] = (int)value;
}
/* What a node touches; -1: anything. */
static int node_touches(const fake_node *n, fake_touch out[40]) {
    int k = 0;
    memset(out, 0, 40 * sizeof *out);
    if (n->kind == CHILD || n->kind == EVENT) return 0;
    for (; n->plan && k < n->plan->n_ranges; k++) {
        out[k].from = n->plan->ranges[k].from;
        out[k].to = n->plan->ranges[k].to;
        out[k].written = n->plan->ranges[k].written;
    }
    if (n->plan) return n->plan->n_ranges;
    if (n->kind == CONDITION ||
        (n->kind == KERNEL && strcmp(((fake_function *)n->k.function)->name, "xlagpu_set_condition") == 0))
        return -1;
    if (n->kind == COPY) {
        out[0].from = side_address(&n->c.from);
        out[0].to = out[0].from + n->c.width;
        out[1].from = side_address(&n->c.to);
        out[1].to = out[1].from + n->c.width;
        out[1].written = true;
        return 2;
    }
    if (n->kind == FILL) {
        out[0].from = n->f.to;
        out[0].to = n->f.to + n->f.width * n->f.element;
        out[0].written = true;
        return 1;
    }
    for (; 8u * (unsigned)k + 8 <= n->bytes && k < 32; k++) {
        memcpy(&out[k].from, n->block + 8 * k, 8);
        out[k].to = out[k].from + 1;
        out[k].written = out[k].from != fake.read_only[0] && out[k].from != fake.read_only[1];
    }
    return k;
}
static bool nodes_meet(const fake_node *a, const fake_node *b) {
    fake_touch x[40], y[40];
    int n = node_touches(a, x), m = node_touches(b, y), i, j;
    if (!n || !m) return false;
    if (n < 0 || m < 0) return true;
    for (i = 0; i < n; i++)
        for (j = 0; j < m; j++)
            if ((x[i].written || y[j].written) && x[i].from < y[j].to && y[j].from < x[i].to) return true;
    return false;
}
/* Nodes that meet in memory and do not wait for each other; and those that have not to wait for a collective. */
static void graph_races(const fake_graph *g) {
    int i, j;
    for (j = 0; j < g->n; j++)
        for (i = 0; i < j; i++) {
            const fake_node *a = g->nodes[i], *b = g->nodes[j];
            if (b->above[i / 64] >> i % 64 & 1) continue;
            fake.races += nodes_meet(a, b);
            fake.beside += (a->kind == MEETING && b->kind <= FILL) || (b->kind == MEETING && a->kind <= FILL);
        }
}
/* A launch of a graph. */
struct fake_run {
    fake_graph *g;
    int left, error;
    uint64_t done[NODES / 64];
    void *begun[NODES]; /* meetings */
};
static fake_run *run_new(fake_graph *g) {
    fake_run *r = (fake_run *)calloc(1, sizeof *r);
    graph_races(g);
    r->g = g;
    r->left = g->n;
    g->refs++;
    return r;
}
static int run_end(fake_run *r) {
    int e = r->error;
    graph_let_go(r->g);
    free(r);
    return e;
}
/* All of the body of a loop or branch. */
static int graph_run(fake_graph *g) {
    fake_run *r = run_new(g);
    while (!run_go(r)) driver_relax();
    return run_end(r);
}
static int node_run(fake_node *n) {
    fake_function *f = (fake_function *)n->k.function;
    int e = 0;
    if (n->kind == CHILD) return 0;
    if (n->kind == EVENT) {
        n->event->passed = n->event->recorded;
        return 0;
    }
    if (n->kind == DO) {
        n->plan->run(n->plan->user);
        return 0;
    }
    if (n->kind == COPY) return put(side_address(&n->c.to), at(side_address(&n->c.from)), n->c.width);
    if (n->kind == FILL) return fill(n->f.to, &n->f.value, n->f.element, n->f.width);
    if (n->kind == KERNEL && strcmp(f->name, "xlagpu_set_condition") == 0) {
        set_condition(n);
        return 0;
    }
    if (n->kind == KERNEL) return run(f, n->k.grid, n->k.block, NULL, n->k.shared, n->block, n->bytes);
    if (n->type == 1) {
        while (conditions[n->handle] && !e) e = graph_run(n->body);
        return e;
    }
    return conditions[n->handle] ? graph_run(n->body) : 0;
}
static bool node_ready(const fake_node *n, const uint64_t *done) {
    int i;
    for (i = 0; i < NODES / 64; i++)
        if (n->above[i] & ~done[i]) return false;
    return true;
}
/* One node, in the order in which they were added, or, late, in another one that their edges allow; false: none can. */
static bool run_step(fake_run *r) {
    int n = r->g->n, from = fake.late && n ? (int)draw((unsigned)n) : 0, i;
    for (i = 0; i < n; i++) {
        int k = (from + i) % n;
        fake_node *node = r->g->nodes[k];
        if (r->done[k / 64] >> k % 64 & 1 || !node_ready(node, r->done)) continue;
        if (node->kind == MEETING) {
            if (!r->begun[k]) r->begun[k] = node->plan->start(node->plan->user);
            if (!node->plan->go(r->begun[k])) continue;
        } else
            r->error = node_run(node);
        r->done[k / 64] |= (uint64_t)1 << k % 64;
        r->left--;
        return true;
    }
    return false;
}
/* As far as it goes now; not 0: it has ended. */
static int run_go(fake_run *r) {
    while (r->left && !r->error && run_step(r)) {}
    return !r->left || r->error;
}
int cuGraphLaunch(void *exec, void *stream) {
    fake_graph *g;
    fake_op o;
    int k;
    if (fake.idle) return 0;
    IN_CONTEXT("cuGraphLaunch");
    OUT_OF_CAPTURE;
    fake.graph_launches++;
    memcpy(&g, exec, sizeof g);
    for (k = 0; k < g->n; k++)
        if (g->nodes[k]->kind == EVENT) {
            step(stream);
            memcpy(g->nodes[k]->event->clock, clocks[stream_id(stream)], sizeof g->nodes[k]->event->clock);
            g->nodes[k]->event->recorded++;
        }
    memset(&o, 0, sizeof o);
    o.work = W_GRAPH;
    o.run = run_new(g);
    return op_enqueue(&o, stream);
}
#include "fake_capture.h"
/* For the libraries that enqueue work of their own. */
int fake_meet(void *stream, int (*go)(void *user), void *user);
int fake_meet(void *stream, int (*go)(void *user), void *user) {
    fake_op o;
    HOLD;
    if (capturing(stream)) return capture_spoil(stream, 900);
    memset(&o, 0, sizeof o);
    o.work = W_MEET;
    o.go = go;
    o.user = user;
    step(stream);
    fake.aside += stream_id(stream) >= DEVICES;
    return op_enqueue(&o, stream);
}
int fake_do(void *stream, void (*run)(void *user), const void *user, size_t bytes, void (*drop)(void *user));
int fake_do(void *stream, void (*run)(void *user), const void *user, size_t bytes, void (*drop)(void *user)) {
    fake_plan plan;
    fake_op o;
    HOLD;
    memset(&plan, 0, sizeof plan);
    memset(&o, 0, sizeof o);
    o.user = block_new(bytes);
    memcpy(o.user, user, bytes);
    plan.run = run;
    plan.drop = drop;
    plan.user = o.user;
    plan.n_ranges = -1;
    if (capturing(stream)) return capture_plan(stream, DO, &plan);
    o.work = W_DO;
    o.run_it = run;
    o.drop = drop;
    step(stream);
    return op_enqueue(&o, stream);
}
/* In such work: bytes that the device writes. */
int fake_write(uint64_t to, const void *from, size_t bytes);
int fake_write(uint64_t to, const void *from, size_t bytes) { return put(to, from, bytes); }
int cuGetErrorName(int error, const char **text) {
    *text = error == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_FAKE";
    return failing("cuGetErrorName");
}
int cuGetErrorString(int error, const char **text) {
    *text = error == 2 ? "out of memory" : "a fake failure";
    return failing("cuGetErrorString");
}

#endif
