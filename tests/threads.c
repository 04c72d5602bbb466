/* tests/threads.c -- executions of the same programs on several threads at once: results, messages and counters stay apart.
 *
 * Each thread has executions of its own of every program, and runs them in turn; one of the programs faults, in the middle of all. Best under
 * -fsanitize=thread. Ends with "N passed, N failed". */
#include "../src/xlagpu.h"
#include "../src/xlagpu_runtime.h"
#include "expect.h"
#include <pthread.h>

enum { THREADS = 4, ROUNDS = 6, N = 20000 };

static const char add_text[] =
    "HloModule sums\nENTRY e {\n  x = f32[20000] parameter(0)\n  y = f32[20000] parameter(1)\n  a = f32[20000] add(x, y)\n  b = f32[20000] multiply(a, x)\n  ROOT c = f32[20000] subtract(b, y)\n}\n";

/* A result and a parameter of one program, and what the thread wants of them. */
typedef struct worker {
    pthread_t thread;
    uint32_t number;
    xlagpu_device *device;
    xlagpu_execution *sums, *whole;
    xlagpu_buffer x, y, c, in[WHOLE_IN], out[WHOLE_OUT];
    unsigned long wrong, silent;
} worker;

static void one_round(worker *w, uint32_t round) {
    xlagpu_buffer in[2], out[1], nowhere;
    float *x = (float *)(uintptr_t)w->x.address, *y = (float *)(uintptr_t)w->y.address, *c = (float *)(uintptr_t)w->c.address;
    const int32_t *k = (const int32_t *)(uintptr_t)w->out[4].address;
    uint32_t i;
    for (i = 0; i < N; i++) { x[i] = (float)(i % 97 + w->number); y[i] = (float)(i % 31 + round); c[i] = -1; }
    in[0] = w->x;
    in[1] = w->y;
    out[0] = w->c;
    w->wrong += xlagpu_rt_execute(w->sums, in, out, NULL) != XLAGPU_OK || *xlagpu_rt_execution_error(w->sums);
    for (i = 0; i < N; i++) w->wrong += c[i] != (x[i] + y[i]) * x[i] - y[i];
    w->wrong += xlagpu_rt_execute(w->whole, w->in, w->out, NULL) != XLAGPU_OK || k[0] != 3 || k[3] != 1;
    /* Memory that the device does not know: the simulator faults, and this execution alone says so. */
    nowhere.address = 4096 * ((uint64_t)w->number + 1);
    nowhere.bytes = N * 4;
    out[0] = nowhere;
    w->silent += xlagpu_rt_execute(w->sums, in, out, NULL) != XLAGPU_ERROR_FAULT || !strstr(xlagpu_rt_execution_error(w->sums), "while running HLO");
    w->silent += *xlagpu_rt_execution_error(w->whole) != 0;
    out[0].bytes = 3;
    w->silent += xlagpu_rt_execute(w->sums, in, out, NULL) != XLAGPU_ERROR_USAGE || !strstr(xlagpu_rt_execution_error(w->sums), "3 bytes");
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
/* Zeros, written by the device's own means: the simulator refuses to read what nobody has written. */
static void buffer(xlagpu_device *d, size_t bytes, xlagpu_buffer *b) {
    void *zeros = calloc(bytes, 1);
    EXPECT(zeros && xlagpu_rt_alloc(d, bytes, b) == XLAGPU_OK && xlagpu_rt_upload(d, *b, zeros, bytes) == XLAGPU_OK);
    free(zeros);
}

static void start(worker *w, uint32_t number, xlagpu_device *d, xlagpu_program *sums, xlagpu_program *whole) {
    xlagpu_rt_value v;
    uint32_t k;
    memset(w, 0, sizeof *w);
    w->number = number;
    w->device = d;
    w->sums = xlagpu_rt_prepare(sums);
    w->whole = xlagpu_rt_prepare(whole);
    EXPECT(w->sums && w->whole);
    buffer(d, N * 4, &w->x);
    buffer(d, N * 4, &w->y);
    buffer(d, N * 4, &w->c);
    for (k = 0; k < WHOLE_IN; k++) { xlagpu_rt_parameter(whole, k, &v); buffer(d, v.bytes, &w->in[k]); }
    for (k = 0; k < WHOLE_OUT; k++) { xlagpu_rt_result(whole, k, &v); buffer(d, v.bytes, &w->out[k]); }
}

static void on(uint32_t workers_of_the_device) {
    xlagpu_device_desc desc;
    xlagpu_device *d = NULL;
    xlagpu_program *sums, *whole;
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
    if (!EXPECT(sums && whole)) { xlagpu_rt_close(d); return; }
    for (k = 0; k < THREADS; k++) start(&w[k], k, d, sums, whole);
    for (k = 0; k < THREADS; k++) EXPECT(pthread_create(&w[k].thread, NULL, work, &w[k]) == 0);
    for (k = 0; k < THREADS; k++) pthread_join(w[k].thread, NULL);
    for (k = 0; k < THREADS; k++) { EXPECT_IN(w[k].wrong == 0, "wrong results"); EXPECT_IN(w[k].silent == 0, "wrong messages"); }
    EXPECT(*xlagpu_rt_error(d) == 0);
    EXPECT(xlagpu_rt_stats(sums, &s, 1) == xlagpu_rt_kernel_count(sums));
    launches = s.launches;
    for (k = 0; k < THREADS; k++) xlagpu_rt_finish(w[k].sums);
    xlagpu_rt_stats(sums, &s, 1);
    EXPECT(s.launches == launches && s.launches >= THREADS * ROUNDS);
    xlagpu_rt_close(d);
}

int main(void) {
    on(1);
    on(3);
    return finish();
}
