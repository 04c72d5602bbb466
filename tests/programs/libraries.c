/* tests/programs/libraries.c -- programs that call vendor libraries, over libraries that compute in host memory.
 *
 * This file is both: with -DFAKE_LIBRARY='"fake_cufft.h"' a shared library with the functions of cuFFT that we look up
 * (with -DFAKE_LACKING without one of them), else the program, which has them built by $CC (default cc). A library
 * counts what it gives out and what comes back and fails the n-th call of any function when it is told to. Law: what
 * the compiler gives it has the result that the evaluator computes; each failure is a status with a message; nothing is
 * left. Ends with "N passed, N failed". */
typedef struct fake_lt {
    long live, calls, fail_at, products; /* descriptions and handles alive; calls so far; the one that fails */
    unsigned long version;
    int error, algorithms;        /* algorithms < 0: those that are advised are marked as failed */
    unsigned long long workspace; /* what the last product was given */
    unsigned reductions;          /* the mask of the last preference; 0: none was set */
    long long asked;              /* bytes, or elements, to work in; cuDNN: the first engine's note; 0: as usually */
    void (*inside)(void);         /* called while a handle is in use */
    long shared;                  /* uses of a handle that is in use: ever */
} fake_lt;

#define FOLDER "./build/fake_libraries"
#define DRIVER FOLDER "/fake_cuda.so"
#define PLAIN_DRIVER FOLDER "/fake_cuda_plain.so" /* that cannot capture */
#if defined(FAKE_LIBRARY)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#pragma GCC visibility push(default)
fake_lt fake = {0, 0, 0, 0, 130000, 0, 1, 0, 0, 0, 0, 0};
typedef struct thing {
    int64_t attribute[40];
    int64_t type, rows, columns, lead, compute, scale;
} thing;
static int failing(void) { return ++fake.calls == fake.fail_at ? fake.error : 0; }
static int make(void **out) {
    int e = failing();
    if (e) return e;
    *out = calloc(1, sizeof(thing));
    fake.live++;
    return 0;
}
static int drop(void *p) {
    free(p);
    fake.live--;
    return 0;
}
/* Over the fake driver a library's work stands on a stream, or in a graph; else it is done at once. A function of the
 * driver's; NULL: there is no driver, or none that the caller works on. */
static void *of_driver(const char *name) {
    static const char *const drivers[] = {DRIVER, PLAIN_DRIVER};
    void *found = NULL, *f;
    int (*current)(void), k;
    for (k = 0; k < 2 && !found; k++) {
        void *driver = dlopen(drivers[k], RTLD_NOW | RTLD_NOLOAD);
        if (!driver) continue;
        f = dlsym(driver, "fake_current");
        memcpy(&current, &f, sizeof f);
        if (current()) found = dlsym(driver, name);
        dlclose(driver);
    }
    return found;
}
static int later(void *stream, void (*run)(void *args), const void *args, size_t bytes, void (*drop)(void *args)) {
    void *f = of_driver("fake_do"), *own;
    int (*enqueue)(void *, void (*)(void *), const void *, size_t, void (*)(void *));
    memcpy(&enqueue, &f, sizeof f);
    if (f) return enqueue(stream, run, args, bytes, drop) ? 13 : 0;
    own = malloc(bytes);
    memcpy(own, args, bytes);
    run(own);
    if (drop) drop(own);
    free(own);
    return 0;
}
/* The driver's simulator knows which bytes have been written. */
static void wrote(const void *p, size_t bytes) {
    void *f = of_driver("fake_write"), *copy;
    int (*write)(uint64_t, const void *, size_t);
    memcpy(&write, &f, sizeof f);
    if (!f || !bytes) return;
    copy = malloc(bytes);
    memcpy(copy, p, bytes);
    write((uint64_t)(uintptr_t)p, copy, bytes);
    free(copy);
}
/* Until the stream has come so far. */
static int settled(void *stream) {
    void *f = of_driver("cuStreamSynchronize");
    int (*wait)(void *);
    memcpy(&wait, &f, sizeof f);
    return f ? wait(stream) : 0;
}
#include FAKE_LIBRARY
#else /* the program */
#include "../../src/xlagpu.h"
#include "../../src/xlagpu_runtime.h"
#include "expect.h"
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>

/* The libraries, by their places in these tables. */
enum {
    LT,
    FFT,
    DNN,
    SOLVER,
    LIBRARIES
};
static const char *const files[] = {"libcublasLt.so.13", "libcufft.so.12", "libcudnn.so.9", "libcusolver.so.12"};
static const char *const headers[] = {"fake_cublaslt.h", "fake_cufft.h", "fake_cudnn.h", "fake_cusolver.h"};
static fake_lt *fakes[LIBRARIES], *fake;
static counter count;
static uint32_t command_buffer_least;
static uint64_t memory_limit = 1 << 20; /* so that the libraries work in little */

static bool build(int which, const char *flags, const char *folder) {
    char command[500];
    const char *cc = getenv("CC");
    snprintf(command, sizeof command,
        "mkdir -p %s && %s -std=gnu99 -w -O1 -shared -fPIC '-DFAKE_LIBRARY=\"%s\"' %s tests/programs/libraries.c "
        "-o %s/%s -lm -ldl",
        folder, cc ? cc : "cc", headers[which], flags, folder, files[which]);
    return system(command) == 0;
}
static bool build_driver(const char *flags, const char *path) {
    char command[500];
    const char *cc = getenv("CC");
    snprintf(command, sizeof command,
        "%s -std=gnu99 -w -O0 -shared -fPIC -DFAKE_DRIVER %s tests/programs/fake_cuda.c -o %s -lm -ldl -lpthread",
        cc ? cc : "cc", flags, path);
    return system(command) == 0;
}
static xlagpu_device *open_with(const char *folder) {
    xlagpu_device_desc desc;
    xlagpu_device *d = NULL;
    memset(&desc, 0, sizeof desc);
    memset(&count, 0, sizeof count);
    desc.platform = "host";
    desc.library_folder = folder;
    desc.allocator = counter_of(&count);
    EXPECT(xlagpu_rt_open(&desc, &d) == XLAGPU_OK);
    return d;
}
/* A module that is one fusion, whose record orders the library; more: of the record. */
static xlagpu_bytes compile_within(
    xlagpu_context *c, const char *text, bool deterministic, uint64_t limit, xlagpu_module **m) {
    xlagpu_compile_desc desc;
    xlagpu_bytes none = {NULL, 0};
    memset(&desc, 0, sizeof desc);
    desc.target.name = "sm_90a";
    desc.libraries = "cublaslt";
    desc.deterministic_ops = deterministic;
    desc.memory_limit = limit;
    *m = xlagpu_parse(c, "library", text, strlen(text));
    if (EXPECT(*m != NULL)) return xlagpu_compile(*m, &desc);
    printf("%s\n", xlagpu_error(c));
    return none;
}
static xlagpu_bytes compile(xlagpu_context *c, const char *text, bool deterministic, xlagpu_module **m) {
    return compile_within(c, text, deterministic, 0, m);
}
#define ORDER ", kind=kOutput, calls=f, backend_config={\"xlagpu_kernel\":{\"library\":\"cublaslt\"%s}}"

/* Types, layouts, groups of dimensions and what is done behind the product. The evaluator says what is right. */
typedef struct sample {
    const char *params, *type, *body;
    xlagpu_type in, out;
} sample;
static const sample samples[] = {
    {"f32[3,5] f32[5,4]", "f32[3,4]",
        "ROOT d = f32[3,4] dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={0}", XLAGPU_F32, XLAGPU_F32},
    {"f32[5,3] f32[4,5]", "f32[3,4]",
        "ROOT d = f32[3,4] dot(p0, p1), lhs_contracting_dims={0}, rhs_contracting_dims={1}", XLAGPU_F32, XLAGPU_F32},
    {"f64[3,5]{0,1} f64[5,4]{0,1}", "f64[3,4]{0,1}",
        "ROOT d = f64[3,4]{0,1} dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={0}", XLAGPU_F64,
        XLAGPU_F64},
    {"f32[2,3,5] f32[2,5,4]", "f32[2,3,4]",
        "ROOT d = f32[2,3,4] dot(p0, p1), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, "
        "rhs_contracting_dims={1}",
        XLAGPU_F32, XLAGPU_F32},
    {"c64[3,5] c64[5,4]", "c64[3,4]",
        "ROOT d = c64[3,4] dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={0}", XLAGPU_C64, XLAGPU_C64},
    {"f32[2,3,5] f32[5,4]", "f32[2,3,4]",
        "ROOT d = f32[2,3,4] dot(p0, p1), lhs_contracting_dims={2}, rhs_contracting_dims={0}", XLAGPU_F32, XLAGPU_F32},
    {"f32[3,5] f32[5,4] f32[4]", "f32[3,4]",
        "d = f32[3,4] dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={0} b = f32[3,4] broadcast(p2), "
        "dimensions={1} s = f32[3,4] add(b, d) z = f32[] constant(0) zz = f32[3,4] broadcast(z), dimensions={} ROOT m "
        "= f32[3,4] maximum(s, zz)",
        XLAGPU_F32, XLAGPU_F32},
    {"bf16[3,5] bf16[5,4] bf16[4]", "bf16[3,4]",
        "d = f32[3,4] dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={0} c = f32[4] convert(p2) b = "
        "f32[3,4] broadcast(c), dimensions={1} s = f32[3,4] add(d, b) ROOT r = bf16[3,4] convert(s)",
        XLAGPU_BF16, XLAGPU_BF16},
    {"f16[3,5] f16[5,4]", "f32[3,4]",
        "a = f32[3,5] convert(p0) b = f32[5,4] convert(p1) z = f32[] constant(0) zz = f32[3,4] broadcast(z), "
        "dimensions={} d = f32[3,4] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} ROOT m = f32[3,4] "
        "maximum(zz, d)",
        XLAGPU_F16, XLAGPU_F32},
    {"f32[3,5] f32[5,4] f32[3,4]", "f32[3,4]",
        "d = f32[3,4] dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={0} ROOT s = f32[3,4] add(d, p2)",
        XLAGPU_F32, XLAGPU_F32},
    {"bf16[2,3,5] bf16[2,5,4] bf16[2,3,4]", "bf16[2,3,4]", /* C lies as D does, with a batch */
        "d = f32[2,3,4] dot(p0, p1), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, "
        "rhs_contracting_dims={1} c = f32[2,3,4] convert(p2) s = f32[2,3,4] add(c, d) z = f32[] constant(0) "
        "zz = f32[2,3,4] broadcast(z), dimensions={} m = f32[2,3,4] maximum(s, zz) ROOT r = bf16[2,3,4] convert(m)",
        XLAGPU_BF16, XLAGPU_BF16},
    {"s8[16,16] s8[16,16]", "s32[16,16]",
        "ROOT d = s32[16,16] dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={1}", XLAGPU_S8, XLAGPU_S32},
#define F8_SCALED(dot) \
    "d = f32[16,16] " dot ", lhs_contracting_dims={1}, rhs_contracting_dims={1} " \
    "b0 = f32[16,16] broadcast(p2), dimensions={} m0 = f32[16,16] multiply(d, b0) "
    {"f8e4m3fn[16,32] f8e4m3fn[16,32] f32[]", "bf16[16,16]",
        F8_SCALED("dot(p0, p1)") "ROOT r = bf16[16,16] convert(m0)", XLAGPU_F8E4M3FN, XLAGPU_BF16},
    {"f8e4m3fn[16,32] f8e4m3fn[16,32] f32[] f32[1]", "f32[16,16]",
        F8_SCALED("dot(p0, p1)") "s0 = f32[] reshape(p3) b1 = f32[16,16] broadcast(s0), dimensions={} "
                                 "m1 = f32[16,16] multiply(b1, m0) z = f32[] constant(0) zz = f32[16,16] broadcast(z), "
                                 "dimensions={} ROOT m = f32[16,16] maximum(m1, zz)",
        XLAGPU_F8E4M3FN, XLAGPU_F32},
};
enum {
    BIASED = 6 /* the sample with the whole epilogue */
};
static void module_text(const sample *s, const char *more, char *text, size_t cap) {
    const char *p = s->params;
    char args[64] = "";
    size_t at = (size_t)snprintf(text, cap, "HloModule m\nf {\n");
    int pass, k;
    for (pass = 0; pass < 2; pass++) {
        for (p = s->params, k = 0; *p; k++, p += strcspn(p, " "), p += *p == ' ') {
            at += (size_t)snprintf(text + at, cap - at, "  p%d = %.*s parameter(%d)\n", k, (int)strcspn(p, " "), p, k);
            if (pass) snprintf(args + strlen(args), sizeof args - strlen(args), "%sp%d", k ? ", " : "", k);
        }
        at += (size_t)snprintf(text + at, cap - at, "%s%s", pass ? "" : s->body, pass ? "" : "\n}\nENTRY e {\n");
    }
    snprintf(text + at, cap - at, "  ROOT r = %s fusion(%s)" ORDER "\n}\n", s->type, args, more);
}
/* Small whole numbers, which every sum holds exactly. */
static void fill(const xlagpu_value_info *v, void *data) {
    size_t item = xlagpu_type_bytes(v->type), k, n = v->bytes / item;
    bool is_complex = v->type == XLAGPU_C64;
    for (k = 0; k < n * (is_complex ? 2 : 1); k++) {
        double value = n == 1 ? 0.5 : (double)((k * 7 + 3) % 9) - 4;
        if (is_complex)
            ((float *)data)[k] = (float)value;
        else
            xlagpu_set_element(v->type, (char *)data + k * item, value);
    }
}
static void one_product(xlagpu_context *c, const sample *s) {
    static char text[2000], in[4][2000], want[2000], got[2000];
    xlagpu_device *d = open_with(FOLDER);
    xlagpu_module *m;
    xlagpu_tensor tensors[4], out;
    xlagpu_rt_tensor given[4], taken;
    xlagpu_value_info v;
    xlagpu_report report;
    xlagpu_program *p;
    xlagpu_bytes exe;
    uint32_t k, n;
    module_text(s, "", text, sizeof text);
    exe = compile(c, text, false, &m);
    if (!EXPECT(exe.data != NULL)) printf("%s\n%s\n", text, xlagpu_error(c));
    if (!exe.data) return;
    EXPECT(xlagpu_compile_report(m, &report) && report.library_calls == 1 && report.kernels == 0);
    p = xlagpu_rt_load(d, exe.data, exe.size);
    if (!EXPECT(p != NULL)) printf("%s\n", xlagpu_rt_error(d));
    n = xlagpu_parameter_count(m);
    for (k = 0; k < n; k++) {
        xlagpu_parameter_info(m, k, &v);
        fill(&v, in[k]);
        tensors[k].data = given[k].data = in[k];
        tensors[k].bytes = given[k].bytes = v.bytes;
    }
    xlagpu_result_info(m, 0, &v);
    out.data = want;
    taken.data = got;
    out.bytes = taken.bytes = v.bytes;
    EXPECT(xlagpu_evaluate(m, tensors, n, &out, 1, false) == XLAGPU_OK);
    if (!EXPECT(p && xlagpu_rt_run(p, given, n, &taken, 1) == XLAGPU_OK)) printf("%s\n", xlagpu_rt_error(d));
    if (!EXPECT(memcmp(want, got, v.bytes) == 0)) printf("%s", text);
    EXPECT(fake->workspace == 32 << 20);
    xlagpu_rt_close(d);
    EXPECT(count.live == 0 && fake->live == 0);
}

/* Each call of the library fails once: a status that names the function and the HLO instruction; nothing is left. */
static void failures(xlagpu_context *c) {
    static char text[2000];
    float x[15] = {0}, y[20] = {0}, b[4] = {0}, z[12];
    xlagpu_rt_tensor in[3], out;
    xlagpu_module *m;
    xlagpu_bytes exe;
    long calls, k;
    module_text(&samples[BIASED], ",\"form\":{\"workspace\":\"512\"}", text, sizeof text);
    exe = compile(c, text, true, &m);
    if (!EXPECT(exe.data != NULL)) return;
    in[0].data = x;
    in[0].bytes = sizeof x;
    in[1].data = y;
    in[1].bytes = sizeof y;
    in[2].data = b;
    in[2].bytes = sizeof b;
    out.data = z;
    out.bytes = sizeof z;
    fake->calls = 0;
    for (calls = 1, k = 0; k <= calls; k++) {
        xlagpu_device *d = open_with(FOLDER);
        xlagpu_program *p = xlagpu_rt_load(d, exe.data, exe.size);
        xlagpu_status s = XLAGPU_ERROR_INTERNAL;
        fake->calls = 0;
        fake->fail_at = k;
        fake->error = 14;
        if (EXPECT(p != NULL)) s = xlagpu_rt_run(p, in, 3, &out, 1);
        EXPECT(k ? s == XLAGPU_ERROR_DEVICE : s == XLAGPU_OK);
        if (k) EXPECT_TEXT(xlagpu_rt_error(d), "the function 'cublaslt' failed: cublasLt");
        if (k) EXPECT_TEXT(xlagpu_rt_error(d), ": status 14 of cuBLAS\nwhile ");
        if (!k) calls = fake->calls;
        EXPECT(fake->reductions == 6 || k);
        xlagpu_rt_close(d);
        EXPECT(count.live == 0 && fake->live == 0);
    }
    EXPECT(calls > 10 && fake->workspace == 512);
    fake->fail_at = 0;
}
/* A product of 188 bytes, ordered to work in 512 more: under a limit it works in whole lines of 256 that are left. */
static void workspaces(xlagpu_context *c) {
    static const struct {
        uint64_t limit;
        unsigned long long workspace;
    } rows[] = {{188 + 512, 512}, {188 + 511, 256}, {188 + 255, 0}, {188, 0}};
    static char text[2000];
    float x[15] = {0}, y[20] = {0}, z[12];
    xlagpu_rt_tensor in[2], out;
    xlagpu_module *m;
    size_t k;
    module_text(&samples[0], ",\"form\":{\"workspace\":\"512\"}", text, sizeof text);
    in[0].data = x;
    in[0].bytes = sizeof x;
    in[1].data = y;
    in[1].bytes = sizeof y;
    out.data = z;
    out.bytes = sizeof z;
    for (k = 0; k < sizeof rows / sizeof *rows; k++) {
        xlagpu_bytes exe = compile_within(c, text, false, rows[k].limit, &m);
        xlagpu_device *d = open_with(FOLDER);
        xlagpu_program *p = exe.data ? xlagpu_rt_load(d, exe.data, exe.size) : NULL;
        z[0] = 1;
        EXPECT(p && xlagpu_rt_run(p, in, 2, &out, 1) == XLAGPU_OK && z[0] == 0);
        EXPECT(fake->workspace == rows[k].workspace);
        xlagpu_rt_close(d);
        EXPECT(count.live == 0 && fake->live == 0);
    }
    EXPECT(!compile_within(c, text, false, 187, &m).data && xlagpu_error_status(c) == XLAGPU_ERROR_LIMIT);
}
/* Why a program does not load, or is not prepared. */
static void refused(const xlagpu_bytes *exe, const char *name, const char *folder, const char *why) {
    xlagpu_device *d = open_with(folder);
    xlagpu_program *p = xlagpu_rt_load(d, exe->data, exe->size);
    if (p) EXPECT(xlagpu_rt_prepare(p) == NULL);
    EXPECT(xlagpu_rt_error_status(d) == XLAGPU_ERROR_UNSUPPORTED);
    EXPECT_TEXT(xlagpu_rt_error(d), why);
    EXPECT(!strstr(xlagpu_rt_libraries(d), name) || p);
    xlagpu_rt_close(d);
    EXPECT(count.live == 0 && fake->live == 0);
}
static void absences(xlagpu_context *c) { /* of cuBLASLt */
    static char text[2000];
    xlagpu_device *d = open_with(FOLDER);
    xlagpu_module *m;
    xlagpu_bytes exe;
    module_text(&samples[0], "", text, sizeof text);
    exe = compile(c, text, false, &m);
    if (!EXPECT(exe.data != NULL)) return;
    EXPECT(strcmp(xlagpu_rt_libraries(d), "cublaslt,cufft,cudnn,cusolver") == 0);
    xlagpu_rt_close(d);
    refused(&exe, "cublaslt", "./build/no_such_folder", "cuBLASLt cannot be opened");
    refused(&exe, "cublaslt", FOLDER "/lacking", "cuBLASLt has no cublasLtMatmul: it is too old");
    refused(&exe, "cublaslt", NULL, "HLO r calls it");
    fake->version = 10200;
    refused(&exe, "cublaslt", FOLDER, "cuBLASLt is of version 10200: 11000 is needed");
    fake->version = 130000;
    fake->algorithms = 0;
    refused(&exe, "cublaslt", FOLDER, "cublasLtMatmulAlgoGetHeuristic knows no algorithm");
    fake->algorithms = 1;
}

/* ---- cuFFT and cuSOLVER ---- */

/* Bodies of modules over a parameter of random numbers, and how often the library computes for them. What has no one
 * answer (signs of vectors) is multiplied together again. */
#define GELU_FUSION(formula) \
    "f {\np0 = f32[6,6] parameter(0)\nd = f32[6,6] dot(p0, p0), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n" \
    "p1 = f32[6] parameter(1)\nb = f32[6,6] broadcast(p1), dimensions={1}\n" \
    "x = f32[6,6] add(b, d)\none = f32[] constant(1)\nones = f32[6,6] broadcast(one), dimensions={}\n" \
    "half = f32[] constant(0.5)\nhalves = f32[6,6] broadcast(half), dimensions={}\n" \
    "root = f32[] constant(0.797884583)\nroots = f32[6,6] broadcast(root), dimensions={}\n" formula "}\n" \
    "ENTRY e {\np0 = f32[6,6] parameter(0)\ns = f32[1,6] slice(p0), slice={[1:2], [0:6]}\nv = f32[6] reshape(s)\n" \
    "ROOT r = f32[6,6] fusion(p0, v), kind=kOutput, calls=f, " \
    "backend_config={\"xlagpu_kernel\":{\"library\":\"cublaslt\"}}\n}"
#define CUBE(factor) \
    "c = f32[] constant(" factor ")\ncs = f32[6,6] broadcast(c), dimensions={}\nx2 = f32[6,6] multiply(x, x)\n" \
    "x3 = f32[6,6] multiply(x2, x)\ncx3 = f32[6,6] multiply(cs, x3)\nu = f32[6,6] add(x, cx3)\n" \
    "w = f32[6,6] multiply(u, roots)\nt = f32[6,6] tanh(w)\no = f32[6,6] add(t, ones)\n"
/* As jax.nn.gelu has it; and with 0.5 and 0.044715 multiplied in elsewhere. */
#define GELU_JAX GELU_FUSION(CUBE("0.044715") "h = f32[6,6] multiply(o, halves)\nROOT g = f32[6,6] multiply(x, h)\n")
#define GELU_OTHER \
    GELU_FUSION("c = f32[] constant(0.0356774069)\ncs = f32[6,6] broadcast(c), dimensions={}\n" \
                "x2 = f32[6,6] multiply(x, x)\ny = f32[6,6] multiply(x2, cs)\nz = f32[6,6] add(roots, y)\n" \
                "w = f32[6,6] multiply(z, x)\nt = f32[6,6] tanh(w)\nhx = f32[6,6] multiply(x, halves)\n" \
                "ht = f32[6,6] multiply(hx, t)\nROOT g = f32[6,6] add(hx, ht)\n")
typedef struct call_sample {
    const char *text;
    int library, calls;
} call_sample;
#define SOLVER_CALL(results, name, target, config) \
    name " = " results " custom-call(p0), custom_call_target=\"" target "\", backend_config=" config "\n"
static const call_sample call_samples[] = {
    {GELU_JAX, LT, 1},
    {GELU_OTHER, LT, 1},
    {"p0 = c64[3,8] parameter(0)\nROOT r = c64[3,8] fft(p0), fft_type=FFT, fft_length={8}", FFT, 1},
    {"p0 = c128[3,7] parameter(0)\nROOT r = c128[3,7] fft(p0), fft_type=IFFT, fft_length={7}", FFT, 1},
    {"p0 = f32[2,4,6] parameter(0)\nROOT r = c64[2,4,4] fft(p0), fft_type=RFFT, fft_length={4,6}", FFT, 1},
    {"p0 = c64[4,4,4] parameter(0)\nROOT r = f32[4,4,6] fft(p0), fft_type=IRFFT, fft_length={4,4,6}", FFT, 1},
    {"p0 = c128[5,5] parameter(0)\ni = f64[5,9] fft(p0), fft_type=IRFFT, fft_length={9}\n" /* p0 is read again */
     "ROOT r = (f64[5,9], c128[5,5]) tuple(i, p0)",
        FFT, 1},
    {"p0 = f32[6,6]{0,1} parameter(0)\nc = c64[6,6]{0,1} convert(p0)\n" /* neither layout is the library's */
     "ROOT r = c64[6,6]{0,1} fft(c), fft_type=FFT, fft_length={6,6}",
        FFT, 1},
#define SQUARE(type, n, adjoint) \
    "p0 = " type "[" n "] parameter(0)\nt = " type "[" n "] transpose(p0), dimensions={0,2,1}\n" adjoint "m = " type \
    "[" n "] dot(p0, u), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, " \
    "rhs_contracting_dims={1}\n"
    {SQUARE("f32", "3,5,5", "u = f32[3,5,5] copy(t)\n") "ROOT r = f32[3,5,5] cholesky(m), lower=true", SOLVER, 3},
    {SQUARE("f64", "2,4,4", "u = f64[2,4,4] copy(t)\n") "ROOT r = f64[2,4,4] cholesky(m), lower=false", SOLVER, 2},
    {SQUARE("c64", "1,4,4",
         "x = f32[1,4,4] real(t)\ny = f32[1,4,4] imag(t)\nz = f32[1,4,4] negate(y)\n"
         "u = c64[1,4,4] complex(x, z)\n") "ROOT r = c64[1,4,4] cholesky(m), lower=true",
        SOLVER, 1},
    {"p0 = f32[2,4,4] parameter(0)\nROOT r = f32[2,4,4] cholesky(p0), lower=true", SOLVER, 2}, /* not definite: NaN */
    {"p0 = f64[4,4] parameter(0)\n" SOLVER_CALL("(f64[4,4], s32[])", "r", "lapack_dpotrf_ffi",
         "{uplo = 76 : ui8}") "a = f64[4,4] get-tuple-element(r), index=0\nb = s32[] get-tuple-element(r), index=1\n"
                              "ROOT o = (f64[4,4], s32[]) tuple(a, b)",
        SOLVER, 1},
    {"p0 = f32[2,5,3] parameter(0)\nROOT " SOLVER_CALL(
         "(f32[2,5,3], s32[2,3], s32[2])", "r", "cusolver_getrf_ffi", "{}"),
        SOLVER, 2},
    {"p0 = c128[3,5] parameter(0)\nROOT " SOLVER_CALL("(c128[3,5], s32[3], s32[])", "r", "lapack_zgetrf_ffi", "{}"),
        SOLVER, 1},
    {"p0 = f64[2,5,3] parameter(0)\n" SOLVER_CALL("(f64[2,5,3], f64[2,3])", "f", "cusolver_geqrf_ffi",
         "{}") "a = f64[2,5,3] get-tuple-element(f), index=0\nt = f64[2,3] get-tuple-element(f), index=1\n"
               "q = f64[2,5,3] custom-call(a, t), custom_call_target=\"cusolver_orgqr_ffi\"\n"
               "ROOT r = (f64[2,5,3], f64[2,3], f64[2,5,3]) tuple(a, t, q)",
        SOLVER, 4},
    {"p0 = c64[4,4] parameter(0)\n" SOLVER_CALL("(c64[4,4], c64[4])", "f", "cusolver_geqrf_ffi",
         "{}") "a = c64[4,4] get-tuple-element(f), index=0\nt = c64[4] get-tuple-element(f), index=1\n"
               "q = c64[4,4] custom-call(a, t), custom_call_target=\"cusolver_orgqr_ffi\"\n"
               "ROOT r = (c64[4,4], c64[4,4]) tuple(a, q)",
        SOLVER, 2},
    {"p0 = f32[6,6] parameter(0)\n" SOLVER_CALL("(f32[6,6]{0,1}, f32[6], s32[])", "e", "cusolver_syevd_ffi",
         "{lower = true}") "v = f32[6,6]{0,1} get-tuple-element(e), index=0\nw = f32[6] get-tuple-element(e), index=1\n"
                           "b = f32[6,6] broadcast(w), dimensions={1}\nx = f32[6,6] multiply(v, b)\n"
                           "m = f32[6,6] dot(x, v), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n"
                           "ROOT r = (f32[6], f32[6,6]) tuple(w, m)",
        SOLVER, 1},
    {"p0 = f64[3,5] parameter(0)\n" SOLVER_CALL("(f64[3,5], f64[3], f64[3,5], f64[3,3], s32[])", "e",
         "cusolver_gesvd_ffi",
         "{full_matrices = false, compute_uv = true, transposed = true}") "v = f64[3,5] get-tuple-element(e), "
                                                                          "index=2\nw = f64[3] get-tuple-element(e), "
                                                                          "index=1\n"
                                                                          "u = f64[3,3] get-tuple-element(e), "
                                                                          "index=3\nb = f64[3,3] broadcast(w), "
                                                                          "dimensions={1}\n"
                                                                          "x = f64[3,3] multiply(u, b)\nm = f64[3,5] "
                                                                          "dot(x, v), lhs_contracting_dims={1}, "
                                                                          "rhs_contracting_dims={0}\n"
                                                                          "ROOT r = (f64[3], f64[3,5]) tuple(w, m)",
        SOLVER, 1},
    {"p0 = f32[2,5,3] parameter(0)\n" SOLVER_CALL("(f32[2,5,3], f32[2,3], f32[2,5,3], f32[2,3,3], s32[2])", "e",
         "cusolver_gesvd_ffi",
         "{full_matrices = false, compute_uv = true, transposed = false}") "v = f32[2,3,3] get-tuple-element(e), "
                                                                           "index=3\nw = f32[2,3] "
                                                                           "get-tuple-element(e), index=1\n"
                                                                           "u = f32[2,5,3] get-tuple-element(e), "
                                                                           "index=2\nb = f32[2,5,3] broadcast(w), "
                                                                           "dimensions={0,2}\n"
                                                                           "x = f32[2,5,3] multiply(u, b)\nm = "
                                                                           "f32[2,5,3] dot(x, v), lhs_batch_dims={0}, "
                                                                           "rhs_batch_dims={0}, "
                                                                           "lhs_contracting_dims={2}, "
                                                                           "rhs_contracting_dims={1}\nROOT r = "
                                                                           "(f32[2,3], f32[2,5,3]) tuple(w, m)",
        SOLVER, 2},
#define X_AND_KERNEL(type) \
    "p0 = " type "[2,5,5,4] parameter(0)\nflat = " type "[200] reshape(p0)\npart = " type \
    "[144] slice(flat), slice={[20:164]}\nk = " type "[3,3,4,4] reshape(part)\n"
    {X_AND_KERNEL("f32") "b = f32[4] slice(flat), slice={[3:7]}\nbs = f32[2,5,5,4] broadcast(b), dimensions={3}\n"
                         "c = f32[2,5,5,4] convolution(p0, k), window={size=3x3 pad=1_1x1_1}, "
                         "dim_labels=b01f_01io->b01f\ns = f32[2,5,5,4] add(c, bs)\nz = f32[] constant(0)\n"
                         "zs = f32[2,5,5,4] broadcast(z), dimensions={}\nROOT r = f32[2,5,5,4] maximum(s, zs)",
        DNN, 1},
    {X_AND_KERNEL("f64") "ROOT r = f64[2,10,9,4] convolution(p0, k), window={size=3x3 pad=1_2x1_1 lhs_dilate=2x2 "
                         "rhs_reversal=1x1}, dim_labels=b01f_01oi->b01f",
        DNN, 1},
    {"p0 = f32[2,5,5,4] parameter(0)\nROOT r = f32[3,2,4,4] convolution(p0, p0), window={size=5x5 pad=1_1x1_0}, "
     "dim_labels=f01b_i01o->01bf",
        DNN, 1},
    {X_AND_KERNEL("f32") "w = f32[3,3,2,8] reshape(part)\nx = f32[2,4,5,5] reshape(flat)\n"
                         "ROOT r = f32[2,8,2,1] convolution(x, w), window={size=3x3 stride=2x2 pad=0_1x1_0 "
                         "rhs_dilate=1x2}, dim_labels=bf01_01io->bf01, feature_group_count=2",
        DNN, 1},
    {X_AND_KERNEL("f32") "w = f32[3,3,2,8] reshape(part)\ny = f32[2,3,3,8] reshape(part)\n"
                         "ROOT r = (f32[2,5,5,4], u8[0]) custom-call(y, w), window={size=3x3 stride=2x2 pad=1_1x1_1}, "
                         "dim_labels=b01f_01io->b01f, feature_group_count=2, "
                         "custom_call_target=\"__cudnn$convBackwardInput\", "
                         "backend_config={\"activation_mode\":\"kNone\",\"conv_result_scale\":1}",
        DNN, 1},
    {X_AND_KERNEL("f32") "b = f32[4] slice(flat), slice={[3:7]}\n"
                         "ROOT r = (f32[2,5,5,4], u8[0]) custom-call(p0, k, b, p0), window={size=3x3 pad=1_1x1_1}, "
                         "dim_labels=b01f_01io->b01f, custom_call_target=\"__cudnn$convBiasActivationForward\", "
                         "backend_config={\"activation_mode\":\"kRelu6\",\"conv_result_scale\":0.5,"
                         "\"side_input_scale\":1}",
        DNN, 1},
/* Norms that a record orders: with statistics, with the variance as a difference, without a mean; and as instructions.
 * Scale and bias are sums and maxima along the columns of the argument. */
#define NORM(result, before, spread, root) \
    "sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }\n" \
    "top { a = f32[] parameter(0) b = f32[] parameter(1) ROOT m = f32[] maximum(a, b) }\nf {\n" \
    "p0 = f32[6,12] parameter(0)\ng = f32[12] parameter(1)\nb = f32[12] parameter(2)\nz = f32[] constant(0)\n" \
    "n = f32[] constant(12)\nns = f32[6] broadcast(n), dimensions={}\neps = f32[] constant(0.001)\n" \
    "es = f32[6] broadcast(eps), dimensions={}\n" before "ve = f32[6] add(var, es)\nr = f32[6] rsqrt(ve)\n" \
    "rb = f32[6,12] broadcast(r), dimensions={0}\ngb = f32[6,12] broadcast(g), dimensions={1}\n" \
    "bb = f32[6,12] broadcast(b), dimensions={1}\n" spread root "}\nENTRY e {\np0 = f32[6,12] parameter(0)\n" \
    "z = f32[] constant(0)\ng = f32[12] reduce(p0, z), dimensions={0}, to_apply=sum\n" \
    "b = f32[12] reduce(p0, z), dimensions={0}, to_apply=top\nROOT r = " result \
    " fusion(p0, g, b), kind=kInput, calls=f, backend_config={\"xlagpu_kernel\":{\"library\":\"cudnn\"}}\n}"
#define NORM_MEAN \
    "s = f32[6] reduce(p0, z), dimensions={1}, to_apply=sum\nmean = f32[6] divide(s, ns)\n" \
    "mb = f32[6,12] broadcast(mean), dimensions={0}\nd = f32[6,12] subtract(p0, mb)\n"
#define NORM_SQUARES(of) \
    "dd = f32[6,12] multiply(" of ", " of ")\nq = f32[6] reduce(dd, z), dimensions={1}, to_apply=sum\n"
#define NORM_SCALED(x) "yd = f32[6,12] multiply(" x ", rb)\nyg = f32[6,12] multiply(yd, gb)\n"
    {NORM("(f32[6,12], f32[6], f32[6])", NORM_MEAN NORM_SQUARES("d") "var = f32[6] divide(q, ns)\n", NORM_SCALED("d"),
         "y = f32[6,12] add(yg, bb)\nROOT o = (f32[6,12], f32[6], f32[6]) tuple(y, mean, r)\n"),
        DNN, 1},
    {NORM("f32[6,12]",
         NORM_MEAN NORM_SQUARES("p0") "ms = f32[6] divide(q, ns)\nmm = f32[6] multiply(mean, mean)\n"
                                      "v = f32[6] subtract(ms, mm)\nzs = f32[6] broadcast(z), dimensions={}\n"
                                      "var = f32[6] maximum(v, zs)\n",
         "yr = f32[6,12] multiply(rb, gb)\nyg = f32[6,12] multiply(d, yr)\n", "ROOT y = f32[6,12] add(yg, bb)\n"),
        DNN, 1},
    {NORM("(f32[6], f32[6,12])", NORM_SQUARES("p0") "var = f32[6] divide(q, ns)\n", NORM_SCALED("p0"),
         "y = f32[6,12] add(bb, yg)\nROOT o = (f32[6], f32[6,12]) tuple(r, y)\n"),
        DNN, 1},
    {NORM("f32[6,12]", NORM_MEAN NORM_SQUARES("d") "var = f32[6] divide(q, ns)\n",
         "sd = f32[6] sqrt(ve)\nsb = f32[6,12] broadcast(sd), dimensions={0}\nyd = f32[6,12] divide(d, sb)\n",
         "yg = f32[6,12] multiply(gb, yd)\nROOT y = f32[6,12] add(bb, yg)\n"),
        DNN, 1},
#define BATCH_NORM \
    "p0 = f32[2,5,3,8] parameter(0)\nflat = f32[240] reshape(p0)\ng = f32[8] slice(flat), slice={[3:11]}\n" \
    "b = f32[8] slice(flat), slice={[9:17]}\n"
#define BATCH_NORM_TRAINING \
    "(f32[2,5,3,8], f32[8], f32[8]) batch-norm-training(p0, g, b), epsilon=0.001, feature_index=3"
    {BATCH_NORM "t = " BATCH_NORM_TRAINING "\ny = f32[2,5,3,8] get-tuple-element(t), index=0\n"
                "mean = f32[8] get-tuple-element(t), index=1\nROOT r = (f32[2,5,3,8], f32[8]) tuple(y, mean)",
        DNN, 1},
    {BATCH_NORM "v = f32[8] multiply(b, b)\nROOT r = f32[2,5,3,8] batch-norm-inference(p0, g, b, b, v), epsilon=0.001, "
                "feature_index=3",
        DNN, 1},
};
/* A variance made of 1 / deviation would have no digits where it is far below epsilon: it is our kernels'. */
static const call_sample reads_variance = {BATCH_NORM "ROOT r = " BATCH_NORM_TRAINING, DNN, 0};
enum {
    CALL_SAMPLES = sizeof call_samples / sizeof *call_samples,
    FIRST_NORM = CALL_SAMPLES - 6,
    FIRST_DNN = FIRST_NORM - 6, /* cuDNN's are the last ones */
    RESULTS_MAX = 3,
    ARRAY_MAX = 6000 /* bytes */
};
/* A module with its arguments and the evaluator's results. */
typedef struct call_run {
    xlagpu_module *m;
    xlagpu_bytes exe;
    double in[ARRAY_MAX / 8], want[RESULTS_MAX][ARRAY_MAX / 8], got[RESULTS_MAX][ARRAY_MAX / 8];
    xlagpu_rt_tensor given, taken[RESULTS_MAX];
    xlagpu_type type[RESULTS_MAX];
    uint32_t n;
} call_run;
/* Numbers of no order, in -1 .. 1. */
static void scatter(const xlagpu_value_info *v, void *to) {
    bool wide = v->type == XLAGPU_F64 || v->type == XLAGPU_C128;
    size_t k, n = v->bytes / (wide ? 8 : 4);
    uint32_t state = 12345;
    for (k = 0; k < n; k++) {
        double x = (double)((state = state * 1664525 + 1013904223) >> 8) / (1 << 23) - 1;
        if (wide)
            ((double *)to)[k] = x;
        else
            ((float *)to)[k] = (float)x;
    }
}
static bool begin_call(xlagpu_context *c, const call_sample *s, const char *libraries, call_run *r) {
    char text[4000];
    xlagpu_compile_desc desc;
    xlagpu_value_info v;
    xlagpu_tensor in, out[RESULTS_MAX];
    uint32_t k;
    memset(r, 0, sizeof *r);
    memset(&desc, 0, sizeof desc);
    desc.target.name = "sm_90a";
    desc.libraries = libraries;
    desc.memory_limit = memory_limit;
    desc.command_buffer_least = command_buffer_least;
    snprintf(
        text, sizeof text, strstr(s->text, "ENTRY") ? "HloModule m\n%s\n" : "HloModule m\nENTRY e {\n%s\n}\n", s->text);
    r->m = xlagpu_parse(c, "library", text, strlen(text));
    if (!EXPECT(r->m != NULL)) printf("%s\n", xlagpu_error(c));
    if (!r->m) return false;
    xlagpu_parameter_info(r->m, 0, &v);
    scatter(&v, r->in);
    in.data = r->in;
    in.bytes = v.bytes;
    r->given.data = r->in;
    r->given.bytes = v.bytes;
    r->n = xlagpu_result_count(r->m);
    for (k = 0; k < r->n; k++) {
        xlagpu_result_info(r->m, k, &v);
        r->type[k] = v.type;
        out[k].data = r->want[k];
        r->taken[k].data = r->got[k];
        out[k].bytes = r->taken[k].bytes = v.bytes;
    }
    if (!EXPECT(xlagpu_evaluate(r->m, &in, 1, out, r->n, false) == XLAGPU_OK)) printf("%s\n", xlagpu_error(c));
    r->exe = xlagpu_compile(r->m, &desc);
    if (!EXPECT(r->exe.data != NULL)) printf("%s\n%s\n", text, xlagpu_error(c));
    return r->exe.data != NULL;
}
/* Rounding of one call each, over sums of at most 64 terms; NaN is NaN, integers are equal. */
static bool agree(const call_run *r, uint32_t k) {
    bool wide = r->type[k] == XLAGPU_F64 || r->type[k] == XLAGPU_C128;
    size_t n = r->taken[k].bytes / (wide ? 8 : 4), i;
    if (r->type[k] == XLAGPU_S32) return memcmp(r->want[k], r->got[k], r->taken[k].bytes) == 0;
    for (i = 0; i < n; i++) {
        double want = wide ? r->want[k][i] : ((const float *)r->want[k])[i];
        double got = wide ? r->got[k][i] : ((const float *)r->got[k])[i];
        if (want != want ? got == got : !(fabs(want - got) <= (wide ? 1e-13 : 1e-5) * (1 + fabs(want)))) {
            printf("  result %u, number %u: %.9g is wanted, %.9g came\n", k, (unsigned)i, want, got);
            return false;
        }
    }
    return true;
}
static xlagpu_status run_call(xlagpu_device *d, call_run *r) {
    xlagpu_program *p = xlagpu_rt_load(d, r->exe.data, r->exe.size);
    return p ? xlagpu_rt_run(p, &r->given, 1, r->taken, r->n) : xlagpu_rt_error_status(d);
}
static void one_call(xlagpu_context *c, const call_sample *s) {
    static call_run r;
    xlagpu_report report;
    xlagpu_device *d;
    long before = fakes[s->library]->products;
    uint32_t k;
    if (!begin_call(c, s, "cufft,cudnn,cusolver,always", &r)) return;
    EXPECT(xlagpu_compile_report(r.m, &report) && (report.library_calls >= 1) == (s->calls > 0));
    d = open_with(FOLDER);
    if (!EXPECT(run_call(d, &r) == XLAGPU_OK)) printf("%s\n", xlagpu_rt_error(d));
    for (k = 0; k < r.n; k++)
        if (!EXPECT(agree(&r, k))) printf("%s\n", s->text);
    EXPECT(fakes[s->library]->products == before + s->calls);
    xlagpu_rt_close(d);
    EXPECT(count.live == 0 && fakes[s->library]->live == 0);
}
/* Each call of the library fails once: a status that says why, and nothing is left. */
static void fail_in_turn(fake_lt *f, const char *title, long least, xlagpu_bytes exe, const xlagpu_rt_tensor *given,
    uint32_t n, xlagpu_rt_tensor *taken, uint32_t n_results) {
    char why[64];
    long calls, k;
    snprintf(why, sizeof why, ": status 5 of %s", title);
    for (calls = 1, k = 0; k <= calls; k++) {
        xlagpu_device *d = open_with(FOLDER);
        xlagpu_program *p;
        xlagpu_status status;
        f->calls = 0;
        f->fail_at = k;
        f->error = 5;
        p = xlagpu_rt_load(d, exe.data, exe.size);
        status = p ? xlagpu_rt_run(p, given, n, taken, n_results) : xlagpu_rt_error_status(d);
        EXPECT(k ? status == XLAGPU_ERROR_DEVICE : status == XLAGPU_OK);
        if (k) EXPECT_TEXT(xlagpu_rt_error(d), why);
        if (k) EXPECT_TEXT(xlagpu_rt_error(d), "\nwhile ");
        if (!k) calls = f->calls;
        xlagpu_rt_close(d);
        EXPECT(count.live == 0 && f->live == 0);
    }
    EXPECT(calls >= least);
    f->fail_at = 0;
}
static void call_failures(xlagpu_context *c, const call_sample *s, const char *title) {
    static call_run r;
    if (begin_call(c, s, "cufft,cudnn,cusolver,always", &r))
        fail_in_turn(fakes[s->library], title, 4, r.exe, &r.given, 1, r.taken, r.n);
}
static void call_absences(
    xlagpu_context *c, const call_sample *s, const char *name, const char *title, const char *lacks, int oldest) {
    static call_run r;
    char why[100];
    fake_lt *f = fakes[s->library];
    unsigned long version = f->version;
    xlagpu_report report;
    if (begin_call(c, s, "none", &r)) /* then kernels of our own make it */
        EXPECT(xlagpu_compile_report(r.m, &report) && report.library_calls == 0);
    if (!begin_call(c, s, "cufft,cudnn,cusolver,always", &r)) return;
    snprintf(why, sizeof why, "%s cannot be opened", title);
    refused(&r.exe, name, "./build/no_such_folder", why);
    snprintf(why, sizeof why, "%s has no %s: it is too old", title, lacks);
    refused(&r.exe, name, FOLDER "/lacking", why);
    refused(&r.exe, name, NULL, "calls it");
    f->version = 9020;
    snprintf(why, sizeof why, "%s is of version 9020: %d is needed", title, oldest);
    refused(&r.exe, name, FOLDER, why);
    f->version = version;
}

#include "libraries_attention.h"
#include "libraries_memory.h"
#include "libraries_narrow.h"

/* Of the library's engines the one is taken that the call may use: none of 10 bits for f32, none whose sums have no
 * order where the module must be deterministic, none that needs more memory than the call has. */
static void engines(xlagpu_context *c, const call_sample *s) {
    static const struct {
        int algorithms;
        bool deterministic;
        unsigned long long engine;
    } rows[] = {{1, false, 1}, {1, true, 2}, {2, true, 3}};
    static call_run r;
    xlagpu_compile_desc desc;
    xlagpu_device *d;
    size_t k;
    if (!begin_call(c, s, "cudnn,always", &r)) return;
    memset(&desc, 0, sizeof desc);
    desc.target.name = "sm_90a";
    desc.libraries = "cudnn,always";
    desc.memory_limit = 1 << 20;
    for (k = 0; k < sizeof rows / sizeof *rows; k++) {
        desc.deterministic_ops = rows[k].deterministic;
        r.exe = xlagpu_compile(r.m, &desc);
        fakes[DNN]->algorithms = rows[k].algorithms;
        d = open_with(FOLDER);
        EXPECT(r.exe.data && run_call(d, &r) == XLAGPU_OK && agree(&r, 0));
        EXPECT(fakes[DNN]->workspace == rows[k].engine);
        xlagpu_rt_close(d);
    }
    fakes[DNN]->algorithms = 0;
    refused(
        &r.exe, "cudnn", FOLDER, "cudnnBackendFinalize makes no plan: status 3000 of cuDNN: the imitation says why");
    fakes[DNN]->algorithms = 1;
}
/* Words that are no graph, or of one that does not lie in the call's buffers, never come to the library. */
static void damaged_graphs(xlagpu_context *c) {
#define TENSOR(dims, strides, number) \
    "-1, 17, 901, 1, 1, 0, 902, 3, 3, " dims ", 903, 3, 3, " strides ", 906, 3, 1, " number ", 900, 3, 1, 16, "
    static const char *const graphs[] = {
        "1",                                                       /* no descriptor */
        "-1, 15",                                                  /* of no operations: the library says so */
        TENSOR("2, 2, 2", "4, 2, 1", "1") "-1, 4",                 /* the last one is no graph */
        TENSOR("2, 2, 2", "4, 2, 1", "1") "-1, 15, 801, 15, 1, 1", /* itself */
        TENSOR("2, 2, 2", "4, 2, 1", "1") "-1, 15, 801, 15, 1, -1",
        TENSOR("2, 2, 2", "4, 2, 1", "1") "-1, 15, 801, 15, 9, 0", /* beyond the words */
        TENSOR("2, 2, 3", "6, 3, 1", "1") "-1, 15, 801, 15, 1, 0", /* beyond the buffer */
        TENSOR("2, 2, 2", "4, 3, 1", "2") "-1, 15, 801, 15, 1, 0",
        TENSOR("2, 2, 2", "4611686018427387904, 2, 1", "1") "-1, 15, 801, 15, 1, 0",
        TENSOR("0, 2, 2", "4, 2, 1", "1") "-1, 15, 801, 15, 1, 0",
        TENSOR("2, 2, 2", "4, 2, 1", "3") "-1, 15, 801, 15, 1, 0", /* the memory to work in, and none */
        TENSOR("2, 2, 2", "4, 2, 1", "9") "-1, 15, 801, 15, 1, 0",
        TENSOR("2, 2, 2", "4, 2, 1", "1") "800, 0, 1, 77, -1, 15, 801, 15, 1, 0", /* an address */
        TENSOR("2, 2, 2", "4, 2, 1", "1") "904, 3, 1, 32, -1, 15, 801, 15, 1, 0", /* elements of 32 */
    };
    size_t k;
    for (k = 0; k < sizeof graphs / sizeof *graphs; k++) {
        char text[1000];
        xlagpu_compile_desc desc;
        xlagpu_device *d = open_with(FOLDER);
        xlagpu_program *p = NULL;
        xlagpu_module *m;
        xlagpu_bytes exe = {NULL, 0};
        memset(&desc, 0, sizeof desc);
        desc.target.name = "sm_90a";
        snprintf(text, sizeof text,
            "HloModule m\nENTRY e {\np0 = f32[2,2,2] parameter(0)\nc = (f32[2,2,2], u8[64]) custom-call(p0), "
            "custom_call_target=\"__cudnn$graph\", api_version=API_VERSION_TYPED_FFI, "
            "backend_config={graph = array<i64: %s>}\nROOT r = f32[2,2,2] get-tuple-element(c), index=0\n}\n",
            graphs[k]);
        m = xlagpu_parse(c, "library", text, strlen(text));
        if (m) exe = xlagpu_compile(m, &desc);
        if (EXPECT(exe.data != NULL)) p = xlagpu_rt_load(d, exe.data, exe.size);
        if (!EXPECT(p && !xlagpu_rt_prepare(p))) printf("%s\n", graphs[k]);
        if (!EXPECT(xlagpu_rt_error_status(d) == (k == 1 ? XLAGPU_ERROR_DEVICE : XLAGPU_ERROR_CORRUPT)))
            printf("%s\n%s\n", graphs[k], xlagpu_rt_error(d));
        xlagpu_rt_close(d);
        EXPECT(count.live == 0 && fakes[DNN]->live == 0);
    }
}

/* Nearly GELU is not GELU: the order in the record cannot be obeyed. */
static void other_formulas(xlagpu_context *c) {
    static const char *const texts[] = {
        GELU_FUSION(CUBE("0.0447") "h = f32[6,6] multiply(o, halves)\nROOT g = f32[6,6] multiply(x, h)\n"),
        GELU_FUSION(CUBE("0.044715") "h = f32[6,6] multiply(o, halves)\nROOT g = f32[6,6] multiply(h, h)\n"),
        GELU_FUSION(CUBE("0.044715") "h = f32[6,6] multiply(o, halves)\nROOT g = f32[6,6] multiply(d, h)\n"),
        GELU_FUSION(CUBE("0.044715") "h = f32[6,6] multiply(o, x)\nROOT g = f32[6,6] multiply(x, h)\n"),
    };
    size_t k;
    for (k = 0; k < sizeof texts / sizeof *texts; k++) {
        char text[4000];
        xlagpu_compile_desc desc;
        xlagpu_module *m;
        memset(&desc, 0, sizeof desc);
        desc.target.name = "sm_90a";
        snprintf(text, sizeof text, "HloModule m\n%s\n", texts[k]);
        m = xlagpu_parse(c, "library", text, strlen(text));
        EXPECT(m && !xlagpu_compile(m, &desc).data);
        EXPECT_TEXT(xlagpu_error(c), "cannot obey: it is no product of matrices that cuBLASLt makes");
    }
}

#include "library_graphs.h"
#include "libraries_streams.h"

/* True and false alike: the estimate says whether the library is called. */
static void choice_by_time(xlagpu_context *c) {
    static const struct {
        const char *text;
        uint32_t calls;
    } rows[] = {
        {"p0 = c64[64,1024] parameter(0)\nROOT r = c64[64,1024] fft(p0), fft_type=FFT, fft_length={1024}", 0},
        {"p0 = c64[64,100003] parameter(0)\nROOT r = c64[64,100003] fft(p0), fft_type=FFT, fft_length={100003}", 1},
        {"p0 = bf16[2,8,8,16] parameter(0)\nw = bf16[3,3,16,16] parameter(1)\nROOT r = bf16[2,8,8,16] "
         "convolution(p0, w), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f",
            0},
        {"p0 = bf16[256,28,28,256] parameter(0)\np1 = bf16[3,3,256,256] parameter(1)\nROOT r = bf16[256,28,28,256] "
         "convolution(p0, p1), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f",
            1},
        {QKV("bf16[1,4,64,64]", "bf16[1,4,64,64]", "bf16[1,4,64,64]")
                FMHA("bf16[1,4,64,64]", "p0, p1, p2", "", "0.125", "CAUSAL", HEADS_FIRST),
            0},
        {QKV("bf16[1,64,16384,128]", "bf16[1,8,16384,128]", "bf16[1,8,16384,128]")
                FMHA("bf16[1,64,16384,128]", "p0, p1, p2", "", "0.125", "CAUSAL", HEADS_FIRST),
            1},
        {"p0 = f32[512,32,32] parameter(0)\nROOT r = f32[512,32,32] cholesky(p0), lower=true", 0},
        {"p0 = f32[4096,4096] parameter(0)\nROOT r = f32[4096,4096] cholesky(p0), lower=true", 1},
    };
    size_t k;
    for (k = 0; k < sizeof rows / sizeof *rows; k++) {
        char text[1500];
        xlagpu_compile_desc desc;
        xlagpu_report report;
        xlagpu_module *m;
        memset(&desc, 0, sizeof desc);
        desc.target.name = "sm_90a";
        desc.libraries = "cufft,cudnn,cusolver";
        snprintf(text, sizeof text, "HloModule m\nENTRY e {\n%s\n}\n", rows[k].text);
        m = xlagpu_parse(c, "library", text, strlen(text));
        EXPECT(m && xlagpu_compile(m, &desc).data);
        if (!EXPECT(m && xlagpu_compile_report(m, &report) && report.library_calls == rows[k].calls))
            printf("%s\n", rows[k].text);
    }
}

int main(void) {
    xlagpu_context *c = xlagpu_create(NULL);
    void *library;
    char path[100];
    size_t k;
    for (k = 0; k < LIBRARIES; k++) {
        if (!EXPECT(build((int)k, "", FOLDER) && build((int)k, "-DFAKE_LACKING", FOLDER "/lacking"))) return finish();
        snprintf(path, sizeof path, FOLDER "/%s", files[k]);
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL); /* stays open, so that its state does */
        fakes[k] = library ? (fake_lt *)dlsym(library, "fake") : NULL;
        if (!EXPECT(fakes[k] != NULL)) return finish();
    }
    fake = fakes[LT];
    for (k = 0; k < sizeof samples / sizeof *samples; k++) one_product(c, &samples[k]);
    EXPECT(fake->products == (long)(sizeof samples / sizeof *samples));
    failures(c);
    workspaces(c);
    absences(c);
    narrow_products(c);
    narrow_failures(c);
    for (k = 0; k < CALL_SAMPLES; k++) one_call(c, &call_samples[k]);
    one_call(c, &reads_variance);
    call_failures(c, &call_samples[3], "cuFFT");
    call_failures(c, &call_samples[15], "cuSOLVER");
    call_absences(c, &call_samples[2], "cufft", "cuFFT", "cufftSetWorkArea", 10000);
    call_absences(c, &call_samples[FIRST_DNN - 1], "cusolver", "cuSOLVER", "cusolverDnSgesvd", 10000);
    call_failures(c, &call_samples[FIRST_DNN], "cuDNN");
    call_absences(c, &call_samples[FIRST_DNN], "cudnn", "cuDNN", "cudnnBackendExecute", 90000);
    for (k = FIRST_NORM; k < CALL_SAMPLES; k++) call_failures(c, &call_samples[k], "cuDNN");
    call_absences(c, &call_samples[CALL_SAMPLES - 2], "cudnn", "cuDNN", "cudnnBackendExecute", 90000);
    engines(c, &call_samples[FIRST_DNN]);
    damaged_graphs(c);
    too_much_memory(c);
    all_that_is_left(c);
    no_memory(c);
    failed_advice(c);
    for (k = FIRST_DNN; k < CALL_SAMPLES; k++) unordered_engines(c, &call_samples[k]);
    attention(c);
    attention_failures(c);
    choice_by_time(c);
    other_formulas(c);
    library_graphs(c);
    library_streams(c);
    xlagpu_destroy(c);
    return finish();
}
#endif
