/* tests/programs/threads.c -- executions of the same programs on several threads at once: results, messages and
 * counters stay apart.
 *
 * Each thread has executions of its own of every program, and runs them in turn; one of the programs faults, in the
 * middle of all. Best under -fsanitize=thread. Ends with "N passed, N failed". */
#include "../../src/xlagpu.h"
#include "../../src/xlagpu_runtime.h"
#include "expect.h"
#include <pthread.h>

enum {
    THREADS = 4,
    ROUNDS = 6,
    N = 20000,
    PARTS_ROWS = 24,
    PARTS_K = 2048,
    PARTS_COLUMNS = 40
};

static const char add_text[] =
    "HloModule sums\nENTRY e {\n  x = f32[20000] parameter(0)\n  y = f32[20000] parameter(1)\n  a = f32[20000] add(x, "
    "y)\n  b = f32[20000] multiply(a, x)\n  ROOT c = f32[20000] subtract(b, y)\n}\n";

/* Blocks of a tile meet in memory, and count themselves there: each execution has counters of its own. */
static const char parts_text[] =
    "HloModule parts, frontend_attributes={xlagpu.device=\"H100, blocks_per_cluster=1\"}\nENTRY e {\n"
    "  x = f32[24,2048] parameter(0)\n  y = f32[2048,40] parameter(1)\n"
    "  ROOT d = f32[24,40] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n";

/* A result and a parameter of one program, and what the thread wants of them. */
typedef struct worker {
    pthread_t thread;
    uint32_t number;
    xlagpu_device *device;
    xlagpu_execution *sums, *whole, *parts;
    xlagpu_buffer x, y, c, a, b, d, half, in[WHOLE_IN], out[WHOLE_OUT];
    unsigned long wrong, silent;
} worker;

/* Sums of whole numbers are exact in any order. A run that fails may leave counters; the next one clears them. */
static void products(worker *w, uint32_t round) {
    xlagpu_buffer in[2], out[1];
    float *a = (float *)(uintptr_t)w->a.address, *b = (float *)(uintptr_t)w->b.address,
          *d = (float *)(uintptr_t)w->d.address;
    uint32_t i, j, k;
    for (i = 0; i < PARTS_ROWS * PARTS_K; i++) a[i] = (float)((i * 7 + w->number) % 5);
    for (i = 0; i < PARTS_K * PARTS_COLUMNS; i++) b[i] = (float)((i * 3 + round) % 4);
    memset(d, 0, PARTS_ROWS * PARTS_COLUMNS * 4);
    in[0] = w->a;
    in[1] = w->b;
    out[0] = w->d;
    w->wrong += xlagpu_rt_execute(w->parts, in, out, NULL) != XLAGPU_OK;
    for (i = 0; i < PARTS_ROWS; i++)
        for (j = 0; j < PARTS_COLUMNS; j++) {
            float sum = 0;
            for (k = 0; k < PARTS_K; k++) sum += a[i * PARTS_K + k] * b[k * PARTS_COLUMNS + j];
            w->wrong += d[i * PARTS_COLUMNS + j] != sum;
        }
    in[1].address = w->half.address; /* blocks that were counted, and those that read what nobody has written */
    w->silent += round % 2 && xlagpu_rt_execute(w->parts, in, out, NULL) != XLAGPU_ERROR_FAULT;
}
static void one_round(worker *w, uint32_t round) {
    xlagpu_buffer in[2], out[1], nowhere;
    float *x = (float *)(uintptr_t)w->x.address, *y = (float *)(uintptr_t)w->y.address,
          *c = (float *)(uintptr_t)w->c.address;
    const int32_t *k = (const int32_t *)(uintptr_t)w->out[4].address;
    uint32_t i;
    for (i = 0; i < N; i++) {
        x[i] = (float)(i % 97 + w->number);
        y[i] = (float)(i % 31 + round);
        c[i] = -1;
    }
    in[0] = w->x;
    in[1] = w->y;
    out[0] = w->c;
    w->wrong += xlagpu_rt_execute(w->sums, in, out, NULL) != XLAGPU_OK || *xlagpu_rt_execution_error(w->sums);
    for (i = 0; i < N; i++) w->wrong += c[i] != (x[i] + y[i]) * x[i] - y[i];
    products(w, round);
    w->wrong += xlagpu_rt_execute(w->whole, w->in, w->out, NULL) != XLAGPU_OK || k[0] != 3 || k[3] != 1;
    /* Memory that the device does not know: the simulator faults, and this execution alone says so. */
    nowhere.address = 4096 * ((uint64_t)w->number + 1);
    nowhere.bytes = N * 4;
    out[0] = nowhere;
    w->silent += xlagpu_rt_execute(w->sums, in, out, NULL) != XLAGPU_ERROR_FAULT ||
                 !strstr(xlagpu_rt_execution_error(w->sums), "while running HLO");
    w->silent += *xlagpu_rt_execution_error(w->whole) != 0;
    out[0].bytes = 3;
    w->silent += xlagpu_rt_execute(w->sums, in, out, NULL) != XLAGPU_ERROR_USAGE ||
                 !strstr(xlagpu_rt_execution_error(w->sums), "3 bytes");
}
static void *work(void *user) {
    worker *w = (worker *)user;
    uint32_t k;
    for (k = 0; k < ROUNDS; k++) one_round(w, k);
    return NULL;
}

static xlagpu_program *load(xlagpu_device *d, const char *text) {
    xlagpu_context *c = xlagpu_create(NULL);
    xlagpu_module *m = xlagpu_parse(c, "threads", text, strlen(text));
    xlagpu_bytes exe = {NULL, 0};
    xlagpu_program *p;
    if (m) exe = xlagpu_compile(m, NULL);
    p = xlagpu_rt_load(d, exe.data, exe.size); /* which copies what it needs */
    if (!p) printf("%s\n%s\n", xlagpu_error(c), xlagpu_rt_error(d));
    xlagpu_destroy(c);
    return p;
}
/* Its first bytes are zeros, written by the device's own means: the simulator refuses to read what nobody has
 * written. */
static void buffer_of(xlagpu_device *d, size_t bytes, size_t written, xlagpu_buffer *b) {
    void *zeros = calloc(written, 1);
    xlagpu_buffer part;
    EXPECT(zeros && xlagpu_rt_alloc(d, bytes, b) == XLAGPU_OK);
    part = *b;
    part.bytes = written;
    EXPECT(xlagpu_rt_upload(d, part, zeros, written) == XLAGPU_OK);
    free(zeros);
}
static void buffer(xlagpu_device *d, size_t bytes, xlagpu_buffer *b) { buffer_of(d, bytes, bytes, b); }

static void start(
    worker *w, uint32_t number, xlagpu_device *d, xlagpu_program *sums, xlagpu_program *whole, xlagpu_program *parts) {
    xlagpu_rt_value v;
    uint32_t k;
    memset(w, 0, sizeof *w);
    w->number = number;
    w->device = d;
    w->sums = xlagpu_rt_prepare(sums);
    w->whole = xlagpu_rt_prepare(whole);
    w->parts = xlagpu_rt_prepare(parts);
    EXPECT(w->sums && w->whole && w->parts);
    buffer(d, PARTS_ROWS * PARTS_K * 4, &w->a);
    buffer(d, PARTS_K * PARTS_COLUMNS * 4, &w->b);
    buffer(d, PARTS_ROWS * PARTS_COLUMNS * 4, &w->d);
    buffer_of(d, PARTS_K * PARTS_COLUMNS * 4, PARTS_K * PARTS_COLUMNS * 2, &w->half);
    buffer(d, N * 4, &w->x);
    buffer(d, N * 4, &w->y);
    buffer(d, N * 4, &w->c);
    for (k = 0; k < WHOLE_IN; k++) {
        xlagpu_rt_parameter(whole, k, &v);
        buffer(d, v.bytes, &w->in[k]);
    }
    for (k = 0; k < WHOLE_OUT; k++) {
        xlagpu_rt_result(whole, k, &v);
        buffer(d, v.bytes, &w->out[k]);
    }
}

static void on(uint32_t workers_of_the_device) {
    xlagpu_device_desc desc;
    xlagpu_device *d = NULL;
    xlagpu_program *sums, *whole, *parts;
    xlagpu_kernel_stats s;
    worker w[THREADS];
    uint64_t launches = 0;
    uint32_t k;
    memset(&desc, 0, sizeof desc);
    desc.platform = "host";
    desc.threads = workers_of_the_device;
    EXPECT(xlagpu_rt_open(&desc, &d) == XLAGPU_OK);
    sums = load(d, add_text);
    whole = load(d, whole_text);
    parts = load(d, parts_text);
    if (!EXPECT(sums && whole && parts && xlagpu_rt_kernel_count(parts) == 1)) {
        xlagpu_rt_close(d);
        return;
    }
    for (k = 0; k < THREADS; k++) start(&w[k], k, d, sums, whole, parts);
    for (k = 0; k < THREADS; k++) EXPECT(pthread_create(&w[k].thread, NULL, work, &w[k]) == 0);
    for (k = 0; k < THREADS; k++) pthread_join(w[k].thread, NULL);
    for (k = 0; k < THREADS; k++) {
        EXPECT_IN(w[k].wrong == 0, "wrong results");
        EXPECT_IN(w[k].silent == 0, "wrong messages");
    }
    EXPECT(*xlagpu_rt_error(d) == 0);
    EXPECT(xlagpu_rt_stats(sums, &s, 1) == xlagpu_rt_kernel_count(sums));
    launches = s.launches;
    for (k = 0; k < THREADS; k++) xlagpu_rt_finish(w[k].sums);
    xlagpu_rt_stats(sums, &s, 1);
    EXPECT(s.launches == launches && s.launches >= THREADS * ROUNDS);
    xlagpu_rt_close(d);
}

/* Blocks that are simulated at once write words of the same lines; then all are read. The simulator must not forget
 * that one was written. */
static const char lines_ptx[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .entry scatter(.param .u64 p) { .reg .b64 %d<4>; .reg .b32 %r<6>; ld.param.u64 %d0, [p]; mov.u32 %r0, "
    "%tid.x; mov.u32 %r1, %nctaid.x; mov.u32 %r2, %ctaid.x;"
    " mad.lo.u32 %r3, %r0, %r1, %r2; mad.wide.u32 %d1, %r3, 4, %d0; st.global.u32 [%d1], %r3; ret; }\n"
    ".visible .entry look(.param .u64 p) { .reg .b64 %d<4>; .reg .b32 %r<6>; ld.param.u64 %d0, [p]; mov.u32 %r0, "
    "%tid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %ctaid.x;"
    " mad.lo.u32 %r3, %r2, %r1, %r0; mad.wide.u32 %d1, %r3, 4, %d0; ld.global.u32 %r4, [%d1]; add.u32 %r4, %r4, 1; "
    "st.global.u32 [%d1], %r4; ret; }\n";
static void lines(void) {
    enum {
        BLOCKS = 1024,
        LINES_ROUNDS = 40
    };
    xlagpu_device_desc desc;
    xlagpu_device *d = NULL;
    xlagpu_ptx *k;
    unsigned long faults = 0;
    uint32_t i;
    memset(&desc, 0, sizeof desc);
    desc.platform = "host";
    desc.threads = 4;
    EXPECT(xlagpu_rt_open(&desc, &d) == XLAGPU_OK);
    k = xlagpu_rt_load_ptx(d, "lines.ptx", lines_ptx, sizeof lines_ptx - 1);
    if (!EXPECT(k != NULL)) {
        printf("%s\n", xlagpu_rt_error(d));
        xlagpu_rt_close(d);
        return;
    }
    for (i = 0; i < LINES_ROUNDS; i++) {
        xlagpu_ptx_launch l;
        xlagpu_buffer b;
        memset(&l, 0, sizeof l);
        EXPECT(xlagpu_rt_alloc(d, BLOCKS * 32 * 4, &b) == XLAGPU_OK);
        l.parameters = &b.address;
        l.parameter_bytes = sizeof b.address;
        l.grid[0] = BLOCKS;
        l.block[0] = 32;
        l.entry = "scatter";
        faults += xlagpu_rt_run_ptx(k, &l, NULL) != XLAGPU_OK;
        l.entry = "look";
        faults += xlagpu_rt_run_ptx(k, &l, NULL) != XLAGPU_OK;
        xlagpu_rt_free(d, b);
    }
    EXPECT_IN(faults == 0, "words that blocks wrote side by side count as unwritten");
    xlagpu_rt_close(d);
}

int main(void) {
    on(1);
    on(3);
    lines();
    return finish();
}
