/* tests/programs/libraries.c -- programs that call vendor libraries, over libraries that compute in host memory.
 *
 * This file is both: with -DFAKE_CUBLASLT a shared library with the functions of cuBLASLt that we look up (with
 * -DFAKE_LACKING without one of them), else the program, which has them built by $CC (default cc). The library counts
 * what it gives out and what comes back and fails the n-th call of any function when it is told to. Law: each product
 * that the compiler gives it is what the evaluator computes; each failure is a status with a message; nothing is left.
 * Ends with "N passed, N failed". */
typedef struct fake_lt {
    long live, calls, fail_at, products; /* descriptions and handles alive; calls so far; the one that fails */
    unsigned long version;
    int error, algorithms;
    unsigned long long workspace; /* what the last product was given */
    unsigned reductions;          /* the mask of the last preference; 0: none was set */
} fake_lt;

#if defined(FAKE_CUBLASLT)
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#pragma GCC visibility push(default)
fake_lt fake = {0, 0, 0, 0, 130000, 0, 1, 0, 0};
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
static int set(void *p, int attribute, const void *value, size_t bytes) {
    int e = failing();
    if (e || attribute < 0 || attribute >= 40 || bytes > 8) return e ? e : 7;
    ((thing *)p)->attribute[attribute] = 0;
    memcpy(&((thing *)p)->attribute[attribute], value, bytes);
    return 0;
}
size_t cublasLtGetVersion(void) { return fake.version; }
int cublasLtCreate(void **h) { return make(h); }
int cublasLtDestroy(void *h) { return drop(h); }
int cublasLtMatmulDescCreate(void **d, int compute, int scale) {
    int e = make(d);
    if (e) return e;
    ((thing *)*d)->compute = compute;
    ((thing *)*d)->scale = scale;
    return 0;
}
int cublasLtMatmulDescSetAttribute(void *d, int a, const void *v, size_t n) { return set(d, a, v, n); }
int cublasLtMatmulDescDestroy(void *d) { return drop(d); }
int cublasLtMatrixLayoutCreate(void **l, int type, uint64_t rows, uint64_t columns, int64_t lead) {
    int e = make(l);
    if (e) return e;
    ((thing *)*l)->type = type;
    ((thing *)*l)->rows = (int64_t)rows;
    ((thing *)*l)->columns = (int64_t)columns;
    ((thing *)*l)->lead = lead;
    return 0;
}
int cublasLtMatrixLayoutSetAttribute(void *l, int a, const void *v, size_t n) { return set(l, a, v, n); }
int cublasLtMatrixLayoutDestroy(void *l) { return drop(l); }
int cublasLtMatmulPreferenceCreate(void **p) { return make(p); }
int cublasLtMatmulPreferenceSetAttribute(void *p, int a, const void *v, size_t n) { return set(p, a, v, n); }
int cublasLtMatmulPreferenceDestroy(void *p) { return drop(p); }
typedef struct choice {
    uint64_t algorithm[8];
    size_t workspace;
    int status;
    float waves;
    int reserved[4];
} choice;
int cublasLtMatmulAlgoGetHeuristic(
    void *handle, void *desc, void *a, void *b, void *c, void *d, void *wish, int wanted, choice *out, int *n) {
    int e = failing();
    (void)handle, (void)desc, (void)a, (void)b, (void)c, (void)d;
    if (e) return e;
    *n = wanted < fake.algorithms ? wanted : fake.algorithms;
    fake.reductions = (unsigned)((thing *)wish)->attribute[3];
    out->algorithm[0] = 77;
    out->workspace = (size_t)((thing *)wish)->attribute[1];
    return 0;
}
static double half(uint16_t v) { /* f16 */
    int exponent = v >> 10 & 31;
    double m = exponent ? 1 + (v & 1023) / 1024.0 : (v & 1023) / 512.0;
    for (; exponent > 15; exponent--) m *= 2;
    for (; exponent < 15; exponent++) m /= 2;
    return v >> 15 ? -m : m;
}
static float brain(uint16_t v) { /* bf16 */
    uint32_t bits = (uint32_t)v << 16;
    float f;
    memcpy(&f, &bits, 4);
    return f;
}
static double load(const void *p, int64_t type, int64_t at) {
    switch (type) {
    case 0: return ((const float *)p)[at];
    case 1: return ((const double *)p)[at];
    case 2: return half(((const uint16_t *)p)[at]);
    case 3: return ((const int8_t *)p)[at];
    case 14: return brain(((const uint16_t *)p)[at]);
    default: return 0;
    }
}
static void store(void *p, int64_t type, int64_t at, double v) {
    float f = (float)v;
    uint32_t bits;
    memcpy(&bits, &f, 4);
    if (type == 0) ((float *)p)[at] = f;
    if (type == 1) ((double *)p)[at] = v;
    if (type == 10) ((int32_t *)p)[at] = (int32_t)v;
    if (type == 14) ((uint16_t *)p)[at] = (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}
/* Complex elements are two numbers each. */
static void product(const thing *t, const char *a, const thing *la, const char *b, const thing *lb, char *d,
    const thing *ld, int64_t batch) {
    int64_t i, j, k, depth = t->attribute[3] ? la->rows : la->columns;
    const char *bias = (const char *)(uintptr_t)t->attribute[8];
    int complex = la->type == 4 || la->type == 5;
    for (i = 0; i < ld->rows; i++)
        for (j = 0; j < ld->columns; j++) {
            double re = 0, im = 0;
            int64_t to = batch * ld->attribute[6] + i + j * ld->lead;
            for (k = 0; k < depth; k++) {
                int64_t x = batch * la->attribute[6] + (t->attribute[3] ? k + i * la->lead : i + k * la->lead),
                        y = batch * lb->attribute[6] + (t->attribute[4] ? j + k * lb->lead : k + j * lb->lead);
                if (complex) {
                    int64_t real = la->type - 4;
                    double xr = load(a, real, 2 * x), xi = load(a, real, 2 * x + 1), yr = load(b, real, 2 * y),
                           yi = load(b, real, 2 * y + 1);
                    re += xr * yr - xi * yi;
                    im += xr * yi + xi * yr;
                } else
                    re += load(a, la->type, x) * load(b, lb->type, y);
            }
            if (t->attribute[7] & 4) re += load(bias, ld->type, i);
            if (t->attribute[7] & 2 && re < 0) re = 0;
            store(d, complex ? ld->type - 4 : ld->type, complex ? 2 * to : to, re);
            if (complex) store(d, ld->type - 4, 2 * to + 1, im);
        }
}
#if !defined(FAKE_LACKING)
int cublasLtMatmul(void *handle, void *desc, const void *alpha, const void *a, void *la, const void *b, void *lb,
    const void *beta, const void *c, void *lc, void *d, void *ld, const uint64_t *algorithm, void *workspace,
    size_t bytes, void *stream) {
    const thing *t = (const thing *)desc;
    int64_t k, n = ((const thing *)ld)->attribute[5];
    int e = failing();
    (void)stream, (void)lc;
    if (e) return e;
    if (!handle || algorithm[0] != 77 || c != d || !!workspace != !!bytes) return 7;
    if (t->scale == 10 ? *(const int *)alpha != 1
        : t->scale % 4 ? *(const double *)alpha != 1
                       : *(const float *)alpha != 1)
        return 7;
    if (*(const int *)beta) return 7;
    memset(workspace, 0xFF, bytes); /* it is ours */
    fake.workspace = bytes;
    fake.products++;
    for (k = 0; k < (n ? n : 1); k++)
        product(
            t, (const char *)a, (const thing *)la, (const char *)b, (const thing *)lb, (char *)d, (const thing *)ld, k);
    return 0;
}
#endif

#else /* the program */
#include "../../src/xlagpu.h"
#include "../../src/xlagpu_runtime.h"
#include "expect.h"
#include <dlfcn.h>
#include <stdlib.h>

#define FOLDER "./build/fake_libraries"
static fake_lt *fake;
static counter count;

static bool build(const char *flags, const char *folder) {
    char command[500];
    const char *cc = getenv("CC");
    snprintf(command, sizeof command,
        "mkdir -p %s && %s -std=gnu99 -w -O1 -shared -fPIC %s tests/programs/libraries.c -o %s/libcublasLt.so.13",
        folder, cc ? cc : "cc", flags, folder);
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
static xlagpu_bytes compile(xlagpu_context *c, const char *text, bool deterministic, xlagpu_module **m) {
    xlagpu_compile_desc desc;
    xlagpu_bytes none = {NULL, 0};
    memset(&desc, 0, sizeof desc);
    desc.target.name = "sm_90a";
    desc.libraries = "cublaslt";
    desc.deterministic_ops = deterministic;
    *m = xlagpu_parse(c, "library", text, strlen(text));
    if (EXPECT(*m != NULL)) return xlagpu_compile(*m, &desc);
    printf("%s\n", xlagpu_error(c));
    return none;
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
    {"s8[16,16] s8[16,16]", "s32[16,16]",
        "ROOT d = s32[16,16] dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={1}", XLAGPU_S8, XLAGPU_S32},
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
        double value = (double)((k * 7 + 3) % 9) - 4;
        if (is_complex)
            ((float *)data)[k] = (float)value;
        else
            xlagpu_set_element(v->type, (char *)data + k * item, value);
    }
}
static void one_product(xlagpu_context *c, const sample *s) {
    static char text[2000], in[3][2000], want[2000], got[2000];
    xlagpu_device *d = open_with(FOLDER);
    xlagpu_module *m;
    xlagpu_tensor tensors[3], out;
    xlagpu_rt_tensor given[3], taken;
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
/* Why a program does not load, or is not prepared. */
static void refused(const xlagpu_bytes *exe, const char *folder, const char *why) {
    xlagpu_device *d = open_with(folder);
    xlagpu_program *p = xlagpu_rt_load(d, exe->data, exe->size);
    if (p) EXPECT(xlagpu_rt_prepare(p) == NULL);
    EXPECT(xlagpu_rt_error_status(d) == XLAGPU_ERROR_UNSUPPORTED);
    EXPECT_TEXT(xlagpu_rt_error(d), why);
    EXPECT(strcmp(xlagpu_rt_libraries(d), "") == 0 || p);
    xlagpu_rt_close(d);
    EXPECT(count.live == 0 && fake->live == 0);
}
static void absences(xlagpu_context *c) {
    static char text[2000];
    xlagpu_device *d = open_with(FOLDER);
    xlagpu_module *m;
    xlagpu_bytes exe;
    module_text(&samples[0], "", text, sizeof text);
    exe = compile(c, text, false, &m);
    if (!EXPECT(exe.data != NULL)) return;
    EXPECT(strcmp(xlagpu_rt_libraries(d), "cublaslt") == 0);
    xlagpu_rt_close(d);
    refused(&exe, "./build/no_such_folder", "cuBLASLt cannot be opened");
    refused(&exe, FOLDER "/lacking", "cuBLASLt has no cublasLtMatmul: it is too old");
    refused(&exe, NULL, "HLO r calls it");
    fake->version = 10200;
    refused(&exe, FOLDER, "cuBLASLt is of version 10200: 11 is needed");
    fake->version = 130000;
    fake->algorithms = 0;
    refused(&exe, FOLDER, "cublasLtMatmulAlgoGetHeuristic knows no algorithm");
    fake->algorithms = 1;
}

int main(void) {
    xlagpu_context *c = xlagpu_create(NULL);
    void *library;
    size_t k;
    if (!EXPECT(build("-DFAKE_CUBLASLT", FOLDER) && build("-DFAKE_CUBLASLT -DFAKE_LACKING", FOLDER "/lacking")))
        return finish();
    library = dlopen(FOLDER "/libcublasLt.so.13", RTLD_NOW | RTLD_LOCAL); /* stays open, so that its state does */
    fake = library ? (fake_lt *)dlsym(library, "fake") : NULL;
    if (!EXPECT(fake != NULL)) return finish();
    for (k = 0; k < sizeof samples / sizeof *samples; k++) one_product(c, &samples[k]);
    EXPECT(fake->products == (long)(sizeof samples / sizeof *samples));
    failures(c);
    absences(c);
    xlagpu_destroy(c);
    return finish();
}
#endif
