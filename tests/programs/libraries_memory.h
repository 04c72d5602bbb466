/* libraries_memory.h -- of libraries.c: libraries that ask for more memory than there is, and what an error names.
 *
 * Laws: a library that cannot work in the memory that a call has gives a status that says which call of which HLO
 * instruction it was, before anything is computed; nothing is left. */
#ifndef XLAGPU_TESTS_LIBRARIES_MEMORY_H
#define XLAGPU_TESTS_LIBRARIES_MEMORY_H

/* Under a sanitizer, too, more than there is gives NULL. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "allocator_may_return_null=1"; }

/* Its execution is not prepared: with that status, and a message that ends with the instruction. */
static void not_prepared(const xlagpu_bytes *exe, fake_lt *f, xlagpu_status status, const char *why, const char *hlo) {
    xlagpu_device *d = open_with(FOLDER);
    xlagpu_program *p = xlagpu_rt_load(d, exe->data, exe->size);
    char end[60];
    snprintf(end, sizeof end, "\nwhile preparing HLO %s", hlo);
    EXPECT(p && !xlagpu_rt_prepare(p));
    if (!EXPECT(xlagpu_rt_error_status(d) == status)) printf("  %s\n", xlagpu_rt_error(d));
    EXPECT_TEXT(xlagpu_rt_error(d), why);
    EXPECT_TEXT(xlagpu_rt_error(d), end);
    xlagpu_rt_close(d);
    EXPECT(count.live == 0 && f->live == 0);
}
static void too_much_memory(xlagpu_context *c) {
    static const struct {
        int sample;
        long long asked;
        xlagpu_status status;
        const char *why, *hlo;
        bool unlimited;
    } rows[] = {
        {0, 16385, XLAGPU_ERROR_UNSUPPORTED, "'cublaslt' failed: cublasLtMatmulAlgoGetHeuristic", "r", false},
        {2, 1LL << 50, XLAGPU_ERROR_MEMORY, "out of memory", "custom-call", true},
        {2, 1LL << 50, XLAGPU_ERROR_LIMIT, "'__cufft$fft' works in 1125899906842624 bytes", "custom-call", false},
        {2, (1 << 20) - 383, XLAGPU_ERROR_LIMIT, "beside 384 more, the limit is 1048576", "custom-call", false},
        {8, 1 << 18, XLAGPU_ERROR_LIMIT, "'__cusolver$potrf' works in ", "custom-call", false},
        {8, -1, XLAGPU_ERROR_UNSUPPORTED, "cusolverDnSpotrf_bufferSize: status 9 of cuSOLVER", "custom-call", false},
    };
    static call_run r;
    size_t k;
    for (k = 0; k < sizeof rows / sizeof *rows; k++) {
        fake_lt *f = fakes[call_samples[rows[k].sample].library];
        bool begun;
        if (rows[k].unlimited) memory_limit = UINT64_MAX;
        begun = begin_call(c, &call_samples[rows[k].sample], "cublaslt,cufft,cudnn,cusolver,always", &r);
        memory_limit = 1 << 20;
        if (!begun) continue;
        f->asked = rows[k].asked;
        not_prepared(&r.exe, f, rows[k].status, rows[k].why, rows[k].hlo);
        f->asked = 0;
    }
}
/* All that is left is taken; of two calls each may have it, but not both: the second one is refused. */
static void all_that_is_left(xlagpu_context *c) {
    static const call_sample two = {
        "p0 = c64[3,8] parameter(0)\nrows = c64[3,8] fft(p0), fft_type=FFT, fft_length={8}\n"
        "ROOT r = c64[3,8] fft(rows), fft_type=FFT, fft_length={3,8}",
        FFT, 2};
    static call_run r;
    xlagpu_device *d = open_with(FOLDER);
    if (begin_call(c, &call_samples[2], "cufft,always", &r)) {
        fakes[FFT]->asked = (1 << 20) - 384; /* of argument and result */
        if (!EXPECT(run_call(d, &r) == XLAGPU_OK)) printf("%s\n", xlagpu_rt_error(d));
        EXPECT(agree(&r, 0));
    }
    xlagpu_rt_close(d);
    fakes[FFT]->asked = 600000;
    if (begin_call(c, &two, "cufft,always", &r))
        not_prepared(&r.exe, fakes[FFT], XLAGPU_ERROR_LIMIT, "works in 600000 bytes", "custom-call.1");
    fakes[FFT]->asked = 0;
}
/* Statuses that say that there is no memory are XLAGPU_ERROR_MEMORY, whichever library they are of. */
static void no_memory(xlagpu_context *c) {
    static const struct {
        int sample, error;
        xlagpu_status status;
    } rows[] = {{0, 3, XLAGPU_ERROR_MEMORY}, {2, 2, XLAGPU_ERROR_MEMORY}, {8, 2, XLAGPU_ERROR_MEMORY},
        {FIRST_DNN, 4003, XLAGPU_ERROR_MEMORY}, {FIRST_DNN, 4004, XLAGPU_ERROR_MEMORY},
        {FIRST_DNN, 4005, XLAGPU_ERROR_DEVICE}, {FIRST_DNN, 5000, XLAGPU_ERROR_DEVICE}};
    static call_run r;
    size_t k;
    for (k = 0; k < sizeof rows / sizeof *rows; k++) {
        fake_lt *f = fakes[call_samples[rows[k].sample].library];
        if (!begin_call(c, &call_samples[rows[k].sample], "cublaslt,cufft,cudnn,cusolver,always", &r)) continue;
        f->calls = 0;
        f->fail_at = 1;
        f->error = rows[k].error;
        not_prepared(&r.exe, f, rows[k].status, "status ", rows[k].sample ? "custom-call" : "r");
        f->fail_at = 0;
    }
}
/* Whatever cuDNN makes: where the module must be deterministic, no engine that adds in no order. */
static void unordered_engines(xlagpu_context *c, const call_sample *s) {
    static call_run r;
    xlagpu_compile_desc desc;
    uint32_t on;
    if (!begin_call(c, s, "cudnn,always", &r)) return;
    memset(&desc, 0, sizeof desc);
    desc.target.name = "sm_90a";
    desc.libraries = "cudnn,always";
    desc.memory_limit = memory_limit;
    fakes[DNN]->asked = 4; /* the first two engines do */
    for (on = 0; on < 2; on++) {
        xlagpu_device *d = open_with(FOLDER);
        desc.deterministic_ops = on != 0;
        r.exe = xlagpu_compile(r.m, &desc);
        EXPECT(r.exe.data && run_call(d, &r) == XLAGPU_OK && agree(&r, 0));
        if (!EXPECT(fakes[DNN]->workspace == (on ? 2 : 0))) printf("%s\n", s->text);
        xlagpu_rt_close(d);
    }
    fakes[DNN]->asked = 0;
}
/* An algorithm that the library marks as failed is none. */
static void failed_advice(xlagpu_context *c) {
    static call_run r;
    if (!begin_call(c, &call_samples[0], "cublaslt", &r)) return;
    fake->algorithms = -1;
    not_prepared(&r.exe, fake, XLAGPU_ERROR_UNSUPPORTED, "cublasLtMatmulAlgoGetHeuristic knows no algorithm", "r");
    fake->algorithms = 1;
}
#endif
