/* libraries_streams.h -- of libraries.c: calls on several streams, from several threads, beside what runs aside.
 *
 * Laws: a call is enqueued on the stream of its run, whatever stream its library worked on before; it waits for all
 * that its plan says, on streams that wait for nothing else; a handle that has one user has one; an error names the
 * call that failed, not another one of the same library. */
#ifndef XLAGPU_TESTS_LIBRARIES_STREAMS_H
#define XLAGPU_TESTS_LIBRARIES_STREAMS_H
#include <pthread.h>
#include <unistd.h>

enum {
    FIRST_DEVICE = 70 /* as the fake driver calls it */
};
static void driver_call(const char *name, int wanted, void *a, void *b) {
    void *library = dlopen(DRIVER, RTLD_NOW | RTLD_NOLOAD), *f = library ? dlsym(library, name) : NULL;
    int (*call)(void *, void *);
    memcpy(&call, &f, sizeof f);
    EXPECT_IN(f && call(a, b) == wanted, name);
    if (library) dlclose(library);
}
/* ---- two runs on two streams ---- */

/* What each execution works on: the second one has the argument of the first, from behind. */
typedef struct stream_run {
    xlagpu_execution *e;
    xlagpu_buffer in, out[RESULTS_MAX];
    void *stream;
} stream_run;
static void start_stream(xlagpu_device *d, xlagpu_program *p, const call_run *r, stream_run *s) {
    uint32_t k;
    s->e = p ? xlagpu_rt_prepare(p) : NULL;
    xlagpu_rt_alloc(d, r->given.bytes, &s->in);
    for (k = 0; k < r->n; k++) xlagpu_rt_alloc(d, r->taken[k].bytes, &s->out[k]);
    EXPECT(s->e && xlagpu_rt_upload(d, s->in, r->in, r->given.bytes) == XLAGPU_OK);
}
static void reverse_argument(call_run *r) {
    xlagpu_value_info v;
    xlagpu_tensor in, out[RESULTS_MAX];
    size_t item, n, k;
    char *x = (char *)r->in, one[16];
    xlagpu_parameter_info(r->m, 0, &v);
    item = xlagpu_type_bytes(v.type);
    n = v.bytes / item;
    for (k = 0; k < n / 2; k++) {
        memcpy(one, x + k * item, item);
        memcpy(x + k * item, x + (n - 1 - k) * item, item);
        memcpy(x + (n - 1 - k) * item, one, item);
    }
    in.data = r->in;
    in.bytes = v.bytes;
    for (k = 0; k < r->n; k++) {
        out[k].data = r->want[k];
        out[k].bytes = r->taken[k].bytes;
    }
    EXPECT(xlagpu_evaluate(r->m, &in, 1, out, r->n, false) == XLAGPU_OK);
}
/* Enqueued by turns, and waited for at the end only: nothing but the streams keeps the two apart. */
static void two_streams(xlagpu_context *c, const call_sample *s, bool plain, unsigned long long late) {
    static call_run r[2];
    stream_run on[2];
    xlagpu_device *d;
    xlagpu_program *p;
    void *context = NULL;
    uint32_t j, k, round;
    memset(on, 0, sizeof on);
    if (!begin_call(c, s, "cublaslt,cufft,cudnn,cusolver,always", &r[0])) return;
    if (!begin_call(c, s, "cublaslt,cufft,cudnn,cusolver,always", &r[1])) return;
    reverse_argument(&r[1]);
    driver_reset();
    driver->late = late;
    d = open_over(DRIVER, plain);
    p = xlagpu_rt_load(d, r[0].exe.data, r[0].exe.size);
    driver_call("cuDevicePrimaryCtxRetain", 0, &context, (void *)(uintptr_t)FIRST_DEVICE);
    driver_call("cuCtxPushCurrent_v2", 0, context, NULL);
    for (j = 0; j < 2; j++) {
        start_stream(d, p, &r[j], &on[j]);
        driver_call("cuStreamCreate", 0, &on[j].stream, (void *)(uintptr_t)1);
    }
    for (round = 0; round < 3; round++)
        for (j = 0; j < 2; j++)
            EXPECT(on[j].e && xlagpu_rt_execute(on[j].e, &on[j].in, on[j].out, on[j].stream) == XLAGPU_OK);
    for (j = 2; j-- > 0;) {
        EXPECT(on[j].e && xlagpu_rt_execution_wait(on[j].e) == XLAGPU_OK);
        for (k = 0; k < r[j].n; k++) {
            EXPECT(xlagpu_rt_download(d, r[j].got[k], on[j].out[k], r[j].taken[k].bytes) == XLAGPU_OK);
            if (!EXPECT(agree(&r[j], k))) printf("%s\n", s->text);
        }
    }
    EXPECT(!driver->races && (plain ? !driver->captures : waits(s) || driver->captures >= 2));
    for (j = 0; j < 2; j++) driver_call("cuStreamDestroy_v2", 0, on[j].stream, NULL);
    driver_call("cuCtxPopCurrent_v2", 0, &context, NULL);
    driver_call("cuDevicePrimaryCtxRelease_v2", 0, (void *)(uintptr_t)FIRST_DEVICE, NULL);
    xlagpu_rt_close(d);
    EXPECT(driver_left());
}

/* ---- beside what runs aside ---- */

#define SORTED(name, of, along) name " = f32[8,8] sort(" of "), dimensions={" along "}, to_apply=less\n"
/* Kernels that may run beside each other, in front of two calls and behind them: the transform reads what both lanes
 * have made, and both lanes read what the calls have made. */
static const call_sample lanes_sample = {
    "p0 = f32[8,8] parameter(0)\n" SORTED("rows", "p0", "1") SORTED("columns", "p0",
        "0") "x = c64[8,8] complex(rows, columns)\nf = c64[8,8] fft(x), fft_type=FFT, fft_length={8}\n"
             "re = f32[8,8] real(f)\nim = f32[8,8] imag(f)\n" SORTED("a", "re", "0")
                 SORTED("b", "im", "1") "at = f32[8,8] transpose(a), dimensions={1,0}\nu = f32[8,8] copy(at)\n"
                                        "m = f32[8,8] dot(a, u), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
                                        "l = f32[8,8] cholesky(m), lower=true\n" SORTED(
                                            "o", "l", "1") "ROOT r = (f32[8,8], f32[8,8]) tuple(o, b)",
    SOLVER, 1};
static bool begin_lanes(xlagpu_context *c, call_run *r) {
    static char text[3000];
    call_sample s = lanes_sample;
    snprintf(text, sizeof text,
        "less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT m = pred[] compare(a, b), direction=LT }\n"
        "ENTRY e {\n%s\n}\n",
        lanes_sample.text);
    s.text = text;
    return begin_call(c, &s, "cublaslt,cufft,cudnn,cusolver,always", r);
}
/* deaf: where streams do not wait for each other the runs are found out. */
static void lanes(xlagpu_context *c, bool plain, unsigned long long late, bool deaf) {
    static call_run r;
    stream_run on;
    xlagpu_device *d;
    uint32_t k, round;
    if (!begin_lanes(c, &r)) return;
    memset(&on, 0, sizeof on);
    driver_reset();
    driver->late = late;
    driver->deaf = deaf;
    d = open_beside(DRIVER, plain, true);
    start_stream(d, xlagpu_rt_load(d, r.exe.data, r.exe.size), &r, &on);
    driver->read_only[0] = on.in.address; /* by both lanes */
    for (round = 0; on.e && round < 2; round++) {
        bool ran = xlagpu_rt_execute(on.e, &on.in, on.out, NULL) == XLAGPU_OK;
        ran = xlagpu_rt_execution_wait(on.e) == XLAGPU_OK && ran;
        for (k = 0; k < r.n; k++)
            ran = xlagpu_rt_download(d, r.got[k], on.out[k], r.taken[k].bytes) == XLAGPU_OK && ran;
        for (k = 0; k < r.n && !deaf; k++) EXPECT(ran && agree(&r, k));
    }
    EXPECT((driver->races > 0) == deaf);
    EXPECT(plain ? driver->aside > 0 && driver->waits > 0 && !driver->captures : driver->children >= 2);
    xlagpu_rt_close(d);
    EXPECT(driver_left());
}

/* ---- a handle has one user ---- */

typedef struct other_thread {
    pthread_t thread;
    xlagpu_program *p;
    xlagpu_execution *e;
    volatile int ready;
} other_thread;
static other_thread other;
static void *prepare_other(void *user) {
    other.e = xlagpu_rt_prepare(other.p);
    other.ready = 1;
    return user;
}
/* While a run is in the library, another execution is prepared; it has the time to, unless it waits. */
static void prepare_meanwhile(void) {
    int k;
    fakes[DNN]->inside = NULL;
    EXPECT(pthread_create(&other.thread, NULL, prepare_other, NULL) == 0);
    for (k = 0; k < 100 && !other.ready && !fakes[DNN]->shared; k++) usleep(1000);
}
static void one_user(xlagpu_context *c, const call_sample *s) {
    static call_run r;
    stream_run on;
    xlagpu_device *d;
    memset(&on, 0, sizeof on);
    if (!begin_call(c, s, "cudnn,always", &r)) return;
    driver_reset();
    d = open_over(DRIVER, true);
    memset(&other, 0, sizeof other);
    other.p = xlagpu_rt_load(d, r.exe.data, r.exe.size);
    start_stream(d, other.p, &r, &on);
    fakes[DNN]->shared = 0;
    fakes[DNN]->inside = prepare_meanwhile;
    EXPECT(on.e && xlagpu_rt_execute(on.e, &on.in, on.out, NULL) == XLAGPU_OK);
    EXPECT(!fakes[DNN]->inside && pthread_join(other.thread, NULL) == 0);
    EXPECT(other.e && fakes[DNN]->shared == 0);
    EXPECT(xlagpu_rt_execution_wait(on.e) == XLAGPU_OK);
    xlagpu_rt_close(d);
    EXPECT(driver_left());
}

/* ---- products of f8 with their largest value ---- */

/* In a command buffer, and outside: arguments, scales, result and largest value lie elsewhere in the second run. */
static void narrow_over(xlagpu_context *c, size_t which, bool plain, unsigned long long late) {
    static library_run r;
    static double got[RUN_BYTES / 8];
    xlagpu_buffer in[RUN_GIVEN], out[RUN_TAKEN];
    xlagpu_execution *e;
    xlagpu_device *d;
    xlagpu_program *p;
    uint32_t k, round;
    if (!begin_run(c, "cublaslt", narrow_samples[which].text, &r)) return;
    driver_reset();
    driver->late = late;
    d = open_over(DRIVER, plain);
    p = xlagpu_rt_load(d, r.exe.data, r.exe.size);
    e = p ? xlagpu_rt_prepare(p) : NULL;
    for (round = 0; e && round < 2; round++) {
        for (k = 0; k < r.n; k++) {
            xlagpu_rt_alloc(d, r.given[k].bytes, &in[k]);
            EXPECT(xlagpu_rt_upload(d, in[k], r.in[k], r.given[k].bytes) == XLAGPU_OK);
        }
        for (k = 0; k < r.n_results; k++) xlagpu_rt_alloc(d, r.taken[k].bytes, &out[k]);
        EXPECT(xlagpu_rt_execute(e, in, out, NULL) == XLAGPU_OK && xlagpu_rt_execution_wait(e) == XLAGPU_OK);
        for (k = 0; k < r.n_results; k++) {
            EXPECT(xlagpu_rt_download(d, got, out[k], r.taken[k].bytes) == XLAGPU_OK);
            EXPECT_IN(memcmp(got, r.want[k], r.taken[k].bytes) == 0, narrow_samples[which].text);
        }
        for (k = 0; k < r.n; k++) xlagpu_rt_free(d, in[k]); /* so that nothing old is read */
        if (!round)
            for (k = 0; k < r.n; k++) xlagpu_rt_alloc(d, 64, &in[k]);
    }
    EXPECT(e && !xlagpu_rt_execution_note(e)[0] && (plain || driver->children >= 1) && !driver->races);
    xlagpu_rt_close(d);
    EXPECT(driver_left());
}

/* ---- which of two ---- */

/* Of two transforms the second one fails: when it is prepared and when it runs. */
static void names_of_two(xlagpu_context *c) {
    static const call_sample two = {
        "p0 = c64[3,8] parameter(0)\nrows = c64[3,8] fft(p0), fft_type=FFT, fft_length={8}\n"
        "ROOT r = c64[3,8] fft(rows), fft_type=IFFT, fft_length={3,8}",
        FFT, 2};
    static const long fail_at[] = {2, 5, 8, 10}; /* of each call create, automatic, plan; then stream, memory, run */
    static const char *const names[] = {"preparing HLO custom-call\n", "preparing HLO custom-call.1\n",
        "running HLO custom-call\n", "running HLO custom-call.1\n"};
    static call_run r;
    fake_lt *f = fakes[FFT];
    char error[1000];
    size_t k;
    if (!begin_call(c, &two, "cufft,always", &r)) return;
    for (k = 0; k < sizeof fail_at / sizeof *fail_at; k++) {
        xlagpu_device *d = open_with(FOLDER);
        f->calls = 0;
        f->fail_at = fail_at[k];
        f->error = 5;
        EXPECT(run_call(d, &r) == XLAGPU_ERROR_DEVICE);
        snprintf(error, sizeof error, "%s\n", xlagpu_rt_error(d)); /* the name is the end */
        EXPECT_TEXT(error, names[k]);
        f->fail_at = 0;
        xlagpu_rt_close(d);
        EXPECT(count.live == 0 && f->live == 0);
    }
}
static void library_streams(xlagpu_context *c) {
    static const size_t of_each[] = {0, 2, 5, 8, 13, FIRST_DNN, FIRST_NORM};
    unsigned long long late;
    size_t k;
    for (late = 0; late < 3; late++) {
        command_buffer_least = 1;
        for (k = 0; k < sizeof of_each / sizeof *of_each; k++) {
            two_streams(c, &call_samples[of_each[k]], true, late * 7919);
            two_streams(c, &call_samples[of_each[k]], false, late * 7919);
        }
        lanes(c, true, late * 7919, false);
        lanes(c, false, late * 7919, false);
        for (k = 0; k < 6; k++) { /* those that the library makes */
            narrow_over(c, k, true, late * 7919);
            narrow_over(c, k, false, late * 7919);
        }
        command_buffer_least = 0;
    }
    command_buffer_least = 1;
    lanes(c, true, 0, true);
    lanes(c, false, 0, true);
    command_buffer_least = 0;
    one_user(c, &call_samples[FIRST_DNN]);
    one_user(c, &call_samples[FIRST_NORM]);
    names_of_two(c);
}
#endif
