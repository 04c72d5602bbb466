/* tests/programs/sim_isa.c -- the instructions of the simulator, one by one, against formulas that know nothing of it.
 *
 * Three parts:
 *   forms   every line of tests/text/sim/forms.list is a PTX statement and the first target for which ptxas takes it:
 *           the simulator must load it there and refuse it on the target below, or, where the line begins with '!',
 *           refuse it by name. ISA 6.0 to 9.0.
 *   values  a row of ROWS is a statement with a formula in C; it runs over all pairs or triples of edge values.
 *   tiles   mma, wmma, ldmatrix: fragments filled after the figures of the PTX ISA, products made by three loops.
 *
 *     sim_isa            everything
 *     sim_isa NAME       only the rows whose name contains NAME, with every difference
 *
 * With --platform=cuda (platform.h) each of them runs on the simulator first, compiled for the device's target, then on
 * the device, whose results are compared with the formulas. Where a formula allows for more than one result, it is said
 * how many of the device's are not the simulator's. What the simulator refuses for this target, the driver is too old
 * for, or PTX leaves to the hardware is not run, and counted. */
#ifndef XLAGPU_IMPLEMENTATION
#define XLAGPU_IMPLEMENTATION
#endif
#include "../../src/xlagpu_runtime.h"
#include "expect.h"
#include "platform.h"
#include <fenv.h>
#include <math.h>

static const char *only;

/* ---- running ---- */

enum {
    BUFFERS = 8,
    PARAMETERS = 32 /* of 8 bytes */
};
typedef struct machine {
    xg_ctx ctx;
    xg_arena arena;
    xg_sim_memory memory;
    uint32_t shared; /* dynamic shared memory */
    struct {
        char *p;
        size_t bytes;
    } buffers[BUFFERS];
    int n_buffers;
    size_t differ; /* words of 4 bytes in which the device and the simulator do */
} machine;
static void machine_start(machine *m) {
    m->shared = 0;
    m->n_buffers = 0;
    m->differ = 0;
    xg_ctx_init(&m->ctx, NULL, 0);
    xg_arena_init(&m->arena, &m->ctx);
    xg_sim_memory_init(&m->memory, &m->ctx);
}
static void machine_end(machine *m) {
    xg_sim_memory_free(&m->memory);
    xg_arena_free(&m->arena);
}
static void *machine_buffer(machine *m, size_t bytes) {
    char *p = (char *)xg_alloc(&m->arena, bytes + 256);
    xg_sim_buffer b;
    p += (256 - (uintptr_t)p % 256) % 256;
    memset(&b, 0, sizeof b);
    b.base = (uint64_t)(uintptr_t)p;
    b.bytes = bytes;
    b.name = "buffer";
    xg_sim_memory_add(&m->memory, &b);
    xg_sim_memory_written(&m->memory, b.base, bytes, 0);
    m->buffers[m->n_buffers].p = p;
    m->buffers[m->n_buffers++].bytes = bytes;
    return p;
}
static const char *machine_simulate(
    machine *m, const char *ptx, uint32_t grid, uint32_t block, const void *params, size_t bytes) {
    static char text[2048];
    xg_source s;
    jmp_buf here;
    xg_sim_module *mod;
    xg_sim_launch l;
    xg_sim_worker *w;
    s.name = "isa";
    s.text = ptx;
    s.size = strlen(ptx);
    if (setjmp(here)) {
        m->ctx.guard = NULL;
        return m->ctx.message;
    }
    xg_try(&m->ctx, &here);
    mod = xg_sim_load(&m->ctx, &m->arena, &s);
    m->ctx.guard = NULL;
    memset(&l, 0, sizeof l);
    l.module = mod;
    l.entry = xg_sim_entry_at(mod, 0);
    l.grid[0] = grid;
    l.block[0] = block;
    l.params = params;
    l.param_bytes = bytes;
    l.memory = &m->memory;
    l.dynamic_shared = m->shared;
    if (xg_sim_prepare(&m->ctx, &l) != XLAGPU_OK) return m->ctx.message;
    xg_sim_begin(&l);
    w = xg_sim_worker_init(xg_alloc_raw(&m->arena, xg_sim_worker_bytes(&l)), &l);
    if (xg_sim_run(w, 0, grid) != XLAGPU_OK) {
        xg_sim_fault_text(w, text, sizeof text);
        return text;
    }
    xg_sim_end(&l);
    return NULL;
}

/* ---- running on a device ---- */

static const char for_another[] = "the simulator refuses it for the device's target",
                  for_another_too[] = "the driver wants another target for it, though the simulator takes it",
                  for_newer[] = "the driver is too old for it", undefined[] = "PTX leaves its result to the hardware",
                  form_of_another[] = "forms of another target", refused_form[] = "forms that are refused";
static char newest_version[8] = "9.0"; /* of PTX that the driver reads */

/* Whether the device runs what is made for this target: "sm_90a" itself only, "sm_80" any newer one. */
static bool runs_target(const char *target) {
    char *end, *own;
    unsigned long n = strtoul(target + 3, &end, 10), have = strtoul(platform.target + 3, &own, 10);
    if (*end == 'a') return n == have && *own == 'a';
    if (*end == 'f') return n <= have && n / 10 == have / 10;
    return n <= have;
}
/* The text with the device's target, and a version that its driver reads, where it has others. */
static const char *for_device(const char *ptx) {
    static char out[65536];
    char version[8], target[32];
    const char *rest = strstr(ptx, ".address_size");
    if (!rest || sscanf(ptx, ".version %7s .target %31s", version, target) != 2) return ptx;
    snprintf(out, sizeof out, ".version %s\n.target %s\n%s",
        strtod(version, NULL) > strtod(newest_version, NULL) ? newest_version : version,
        runs_target(target) ? target : platform.target, rest);
    return out;
}
static xlagpu_status launch(machine *m, const char *ptx, uint32_t grid, uint32_t block, const void *p, size_t bytes) {
    xlagpu_ptx_launch l;
    memset(&l, 0, sizeof l);
    l.entry = "k";
    l.grid[0] = grid;
    l.block[0] = block;
    l.shared_bytes = m ? m->shared : 0;
    l.parameters = p;
    l.parameter_bytes = bytes;
    return xlagpu_rt_launch_ptx(platform.device, "isa", ptx, strlen(ptx), &l, NULL);
}
static void find_version(void) {
    static const char *const versions[] = {"9.0", "8.8", "8.7", "8.6", "8.5", "8.4", "8.3", "8.2", "8.1", "8.0", "7.8"};
    char ptx[200];
    size_t k;
    for (k = 0; k < XG_COUNT(versions); k++) {
        snprintf(newest_version, sizeof newest_version, "%s", versions[k]);
        snprintf(ptx, sizeof ptx, ".version %s\n.target %s\n.address_size 64\n.visible .entry k() {\nret;\n}\n",
            versions[k], platform.target);
        if (launch(NULL, ptx, 1, 1, NULL, 0) == XLAGPU_OK) break;
    }
    printf("the driver reads PTX %s\n", newest_version);
}
/* The buffers go to the device and come back. Parameters that are addresses of buffers become those of the device. */
static const char *machine_launch(
    machine *m, const char *ptx, uint32_t grid, uint32_t block, const void *params, size_t bytes) {
    static char message[2048];
    xlagpu_buffer b[BUFFERS];
    uint64_t words[PARAMETERS];
    xlagpu_status s = XLAGPU_OK;
    size_t k;
    int i;
    memset(b, 0, sizeof b);
    memcpy(words, params, bytes);
    for (i = 0; i < m->n_buffers && s == XLAGPU_OK; i++) {
        s = xlagpu_rt_alloc(platform.device, m->buffers[i].bytes, &b[i]);
        if (s == XLAGPU_OK) s = xlagpu_rt_upload(platform.device, b[i], m->buffers[i].p, m->buffers[i].bytes);
        for (k = 0; k < bytes / 8; k++)
            if (words[k] == (uint64_t)(uintptr_t)m->buffers[i].p) words[k] = b[i].address;
    }
    if (s == XLAGPU_OK) s = launch(m, ptx, grid, block, words, bytes);
    for (i = 0; i < m->n_buffers && s == XLAGPU_OK; i++)
        s = xlagpu_rt_download(platform.device, m->buffers[i].p, b[i], m->buffers[i].bytes);
    if (s != XLAGPU_OK) snprintf(message, sizeof message, "%s", xlagpu_rt_error(platform.device));
    for (i = 0; i < m->n_buffers; i++)
        if (b[i].bytes) xlagpu_rt_free(platform.device, b[i]);
    if (s == XLAGPU_OK) return NULL;
    if (strstr(message, "requires PTX ISA") || strstr(message, "requires .version")) return for_newer;
    if (strstr(message, "requires .target")) {
        printf("note: %.300s\n", message);
        return for_another_too;
    }
    platform_check("a PTX kernel");
    return message;
}
/* First on the simulator, then with the same contents of memory on the device. */
static const char *machine_both(
    machine *m, const char *ptx, uint32_t grid, uint32_t block, const void *params, size_t bytes) {
    char *before[BUFFERS], *simulated[BUFFERS];
    const char *message;
    size_t k;
    int i;
    ptx = for_device(ptx);
    for (i = 0; i < m->n_buffers; i++) {
        before[i] = (char *)xg_alloc(&m->arena, m->buffers[i].bytes);
        simulated[i] = (char *)xg_alloc(&m->arena, m->buffers[i].bytes);
        memcpy(before[i], m->buffers[i].p, m->buffers[i].bytes);
    }
    message = machine_simulate(m, ptx, grid, block, params, bytes);
    if (message) return strstr(message, "needs") ? for_another : message;
    for (i = 0; i < m->n_buffers; i++) {
        memcpy(simulated[i], m->buffers[i].p, m->buffers[i].bytes);
        memcpy(m->buffers[i].p, before[i], m->buffers[i].bytes);
    }
    message = machine_launch(m, ptx, grid, block, params, bytes);
    for (i = 0; i < m->n_buffers && !message; i++)
        for (k = 0; k + 4 <= m->buffers[i].bytes; k += 4)
            m->differ += memcmp(simulated[i] + k, m->buffers[i].p + k, 4) != 0;
    return message;
}
/* Loads and runs; the message of what goes wrong, NULL when nothing does. */
static const char *machine_run(
    machine *m, const char *ptx, uint32_t grid, uint32_t block, const void *params, size_t bytes) {
    return platform.on_device ? machine_both(m, ptx, grid, block, params, bytes)
                              : machine_simulate(m, ptx, grid, block, params, bytes);
}
/* Whether that is no failure, but something that does not run here. */
static bool machine_skips(const char *message) {
    if (message != for_another && message != for_another_too && message != for_newer) return false;
    platform_skip(message);
    return true;
}

/* ---- forms ---- */

/* The next target below that lacks what only `target` and later ones have; NULL: nothing older is supported. */
static const char *lower_target(const char *target) {
    static const char *const rungs[][2] = {{"sm_80", "sm_75"}, {"sm_86", "sm_80"}, {"sm_89", "sm_86"},
        {"sm_90", "sm_89"}, {"sm_90a", "sm_90"}, {"sm_100", "sm_90"}, {"sm_100a", "sm_100"}, {"sm_120a", "sm_120"}};
    size_t i;
    for (i = 0; i < sizeof rungs / sizeof *rungs; i++)
        if (strcmp(rungs[i][0], target) == 0) return rungs[i][1];
    return NULL;
}
static void write_form(char *ptx, size_t cap, const char *target, const char *statement) {
    snprintf(ptx, cap,
        ".version 9.0\n.target %s\n.address_size 64\n.extern .shared .align 1024 .b8 dsm[];\n.visible .entry "
        "k(.param .u64 P, .param .align 64 .b8 TM[128]) .maxntid 128,1,1 .minnctapersm 1 {\n"
        ".reg .b16 h<32>; .reg .b32 r<160>; .reg .f32 f<272>; .reg .b64 d<64>; .reg .f64 g<32>; .reg .pred p<8>; "
        ".reg .b128 q<4>;\nbra END;\n%s\nEND: ret;\n}\n",
        target, statement);
}
/* An older target lacks the form, as ptxas says too. */
static void test_lower_target(const char *target, const char *statement) {
    static char ptx[24000], what[200];
    const char *lower = lower_target(target), *message;
    machine m;
    if (!lower) return;
    write_form(ptx, sizeof ptx, lower, statement);
    machine_start(&m);
    message = machine_simulate(&m, ptx, 1, 128, ptx, 192);
    snprintf(what, sizeof what, "%.120s on %s: %.60s", statement, lower, message ? message : "loaded");
    EXPECT_IN(message && strstr(message, " lacks "), what);
    machine_end(&m);
}
static void test_forms(void) {
    static char line[20000], ptx[24000], what[200];
    FILE *f = fopen("tests/text/sim/forms.list", "r");
    unsigned long loaded = 0, refused = 0;
    if (!EXPECT(f != NULL)) return;
    while (fgets(line, sizeof line, f)) {
        bool error = line[0] == '!';
        char *tab = strchr(line, '\t'), *target = line + error;
        const char *message;
        machine m;
        if (!tab) continue;
        if (!platform_takes()) continue;
        line[strcspn(line, "\n")] = 0;
        *tab++ = 0;
        if (platform.on_device && (error || !runs_target(target))) {
            platform_skip(error ? refused_form : form_of_another);
            continue;
        }
        write_form(ptx, sizeof ptx, target, tab);
        machine_start(&m);
        message = machine_run(&m, ptx, 1, 128, ptx, 192); /* parameters that nobody reads */
        if (machine_skips(message)) {
            machine_end(&m);
            continue;
        }
        snprintf(what, sizeof what, "%.120s: %.70s", tab, message ? message : "loaded, but should be refused");
        if (EXPECT_IN((message != NULL) == error &&
                          (!error || strstr(message, "not simulated") || strstr(message, "not supported") ||
                              strstr(message, "not known") || strstr(message, "no form") || strstr(message, "needs") ||
                              strstr(message, "takes")),
                what)) {
            if (error)
                refused++;
            else
                loaded++;
        }
        machine_end(&m);
        if (!error && !platform.on_device) test_lower_target(target, tab);
    }
    fclose(f);
    printf("forms: %lu load, %lu are refused by name\n", loaded, refused);
}

/* ---- formulas: written without the simulator ---- */

typedef uint64_t u64_t;
static float F(u64_t x) {
    float f;
    uint32_t u = (uint32_t)x;
    memcpy(&f, &u, 4);
    return f;
}
static u64_t U(float f) {
    uint32_t u;
    memcpy(&u, &f, 4);
    return f != f ? 0x7FFFFFFFu : u;
}
static double D(u64_t x) {
    double f;
    memcpy(&f, &x, 8);
    return f;
}
static u64_t UD(double f) {
    u64_t u;
    memcpy(&u, &f, 8);
    return u;
}
static float flush(float f) { return fabsf(f) < 1.17549435e-38f ? copysignf(0, f) : f; }
static float clamp01(float f) { return f > 0 ? (f < 1 ? f : 1) : 0; }
/* f16 and bf16 by their definition, in double. */
static double half_value(u64_t x, int ebits, int mbits) {
    int bias = (1 << (ebits - 1)) - 1, e = (int)(x >> mbits) & ((1 << ebits) - 1), m = (int)x & ((1 << mbits) - 1);
    double s = x >> (ebits + mbits) & 1 ? -1 : 1;
    if (e == (1 << ebits) - 1) return m ? NAN : s * INFINITY;
    return s * (e ? ldexp(1 + ldexp(m, -mbits), e - bias) : ldexp(m, 1 - bias - mbits));
}
static u64_t half_bits(double v, int ebits, int mbits) { /* to nearest, ties to even; v exact in double */
    int bias = (1 << (ebits - 1)) - 1, e;
    u64_t sign = signbit(v) ? (u64_t)1 << (ebits + mbits) : 0;
    double a = fabs(v), unit;
    if (v != v) return 0x7FFF;
    if (a == 0) return sign;
    if (isinf(a)) return sign | (u64_t)((1 << ebits) - 1) << mbits;
    frexp(a, &e);
    if (e - 1 < 1 - bias) e = 2 - bias;
    unit = ldexp(1, e - 1 - mbits);
    a = nearbyint(a / unit) * unit; /* may reach the next power of two */
    if (a >= ldexp(1, bias + 1)) return sign | (u64_t)((1 << ebits) - 1) << mbits;
    if (a < ldexp(1, 1 - bias)) return sign | (u64_t)(a / ldexp(1, 1 - bias - mbits));
    frexp(a, &e);
    return sign | (u64_t)(e - 1 + bias) << mbits | (u64_t)((a / ldexp(1, e - 1) - 1) * ldexp(1, mbits));
}
static double H(u64_t x) { return half_value(x & 0xFFFF, 5, 10); }
static u64_t UH(double v) { return half_bits(v, 5, 10); }
static double B(u64_t x) { return half_value(x & 0xFFFF, 8, 7); }
static u64_t UB(double v) { return half_bits(v, 8, 7); }
/* The same in a rounding mode. */
static int modes[4] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
#define IN_MODE(mode, T, expression) \
    T in_mode_; \
    volatile T x_, y_, z_; \
    (void)(x_ = X); \
    (void)(y_ = Y); \
    (void)(z_ = Z); \
    fesetround(modes[mode]); \
    in_mode_ = expression; \
    fesetround(FE_TONEAREST); \
    return in_mode_
static float f32_op(int op, int mode, float X, float Y, float Z) {
    if (op == 0) { IN_MODE(mode, float, x_ + y_); }
    if (op == 1) { IN_MODE(mode, float, x_ - y_); }
    if (op == 2) { IN_MODE(mode, float, x_ *y_); }
    if (op == 3) { IN_MODE(mode, float, x_ / y_); }
    if (op == 4) { IN_MODE(mode, float, sqrtf(x_)); }
    { IN_MODE(mode, float, fmaf(x_, y_, z_)); }
}
static double f64_op(int op, int mode, double X, double Y, double Z) {
    if (op == 0) { IN_MODE(mode, double, x_ + y_); }
    if (op == 1) { IN_MODE(mode, double, x_ - y_); }
    if (op == 2) { IN_MODE(mode, double, x_ *y_); }
    if (op == 3) { IN_MODE(mode, double, x_ / y_); }
    if (op == 4) { IN_MODE(mode, double, sqrt(x_)); }
    { IN_MODE(mode, double, fma(x_, y_, z_)); }
}
static double rounded(double x, int mode) {
    double r;
    volatile double v = x;
    fesetround(modes[mode]);
    r = nearbyint(v);
    fesetround(FE_TONEAREST);
    return r;
}
/* A float to an integer: saturates. NaN gives 0, but the highest bit where the float has 64 bits or the integer (PTX
 * ISA 9.0, cvt). */
static u64_t to_int(double x, int from, int mode, int bits, bool sgn) {
    double r = rounded(x, mode), low = sgn ? -ldexp(1, bits - 1) : 0, high = ldexp(1, sgn ? bits - 1 : bits);
    if (x != x) return from == 64 || bits == 64 ? (u64_t)1 << (bits - 1) : 0;
    if (r <= low) return sgn ? (u64_t)1 << (bits - 1) : 0;
    if (r >= high) return sgn ? ((u64_t)1 << (bits - 1)) - 1 : bits == 64 ? ~(u64_t)0 : ((u64_t)1 << bits) - 1;
    return sgn ? (u64_t)(int64_t)r : (u64_t)r;
}
static float narrow_f32(double x, int mode) {
    volatile double v = x;
    volatile float f; /* rounded before the mode is put back */
    fesetround(modes[mode]);
    f = (float)v;
    fesetround(FE_TONEAREST);
    return f;
}
static double max_of(double a, double b) {
    return a != a ? b : b != b ? a : a == b ? (signbit(a) ? b : a) : a > b ? a : b;
}
static double min_of(double a, double b) {
    return a != a ? b : b != b ? a : a == b ? (signbit(a) ? a : b) : a < b ? a : b;
}
static int bits_set(u64_t x) {
    int n = 0;
    for (; x; x &= x - 1) n++;
    return n;
}
static u64_t reversed(u64_t x, int n) {
    u64_t r = 0;
    int i;
    for (i = 0; i < n; i++) r |= (x >> i & 1) << (n - 1 - i);
    return r;
}
static u64_t leading(u64_t x, int n) {
    int i;
    for (i = n - 1; i >= 0 && !(x >> i & 1); i--) {}
    return (u64_t)(n - 1 - i);
}
static u64_t found(u64_t x, int n, bool sgn, bool amount) {
    int i;
    if (sgn && x >> (n - 1) & 1) x = ~x;
    for (i = n - 1; i >= 0 && !(x >> i & 1); i--) {}
    return i < 0 ? 0xFFFFFFFFu : (u64_t)(amount ? n - 1 - i : i);
}
static u64_t extracted(u64_t a, u64_t b, u64_t c, int n, bool sgn) {
    int pos = (int)(b & 255), len = (int)(c & 255), i;
    u64_t r = 0, sign = !sgn || len == 0 ? 0 : a >> (pos + len - 1 < n - 1 ? pos + len - 1 : n - 1) & 1;
    for (i = 0; i < n; i++) r |= (i < len && pos + i < n ? a >> (pos + i) & 1 : sign) << i;
    return r;
}
static u64_t inserted(u64_t a, u64_t b, int pos, int len, int n) {
    u64_t f = b;
    int i;
    for (i = 0; i < len && pos + i < n; i++) {
        f &= ~((u64_t)1 << (pos + i));
        f |= (a >> i & 1) << (pos + i);
    }
    return f;
}
static u64_t logic(u64_t a, u64_t b, u64_t c, int lut) {
    u64_t r = 0;
    int i;
    for (i = 0; i < 32; i++) r |= (u64_t)(lut >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i;
    return r;
}
static u64_t permuted(u64_t a, u64_t b, u64_t c) {
    u64_t both = (b & 0xFFFFFFFFu) << 32 | (a & 0xFFFFFFFFu), r = 0;
    int i;
    for (i = 0; i < 4; i++) {
        u64_t s = c >> (4 * i) & 15, byte = both >> (8 * (s & 7)) & 255;
        r |= (s & 8 ? (byte & 128 ? 255u : 0u) : byte) << (8 * i);
    }
    return r;
}
static u64_t funnel(u64_t a, u64_t b, u64_t c, bool left, bool clamp) {
    u64_t both = (b & 0xFFFFFFFFu) << 32 | (a & 0xFFFFFFFFu);
    unsigned n = (unsigned)(clamp ? ((uint32_t)c > 32 ? 32 : (uint32_t)c) : c & 31);
    return left ? (n == 32 ? a & 0xFFFFFFFFu : both << n >> 32) : both >> n & 0xFFFFFFFFu;
}
static u64_t dots(u64_t a, u64_t b, u64_t c, bool as, bool bs, int first, int width) { /* width 1: dp4a; 2: dp2a */
    int64_t r = (int32_t)c;
    int i, n = width == 1 ? 4 : 2;
    for (i = 0; i < n; i++) {
        int64_t x = width == 1 ? (as ? (int64_t)(int8_t)(a >> (8 * i)) : (int64_t)(uint8_t)(a >> (8 * i)))
                    : as       ? (int64_t)(int16_t)(a >> (16 * i))
                               : (int64_t)(uint16_t)(a >> (16 * i));
        int64_t y = bs ? (int64_t)(int8_t)(b >> (8 * (i + first))) : (int64_t)(uint8_t)(b >> (8 * (i + first)));
        r += x * y;
    }
    return (uint32_t)r;
}
static int64_t clamped(int64_t x, int64_t low, int64_t high) { return x < low ? low : x > high ? high : x; }
static int64_t sext24(u64_t x) { return (int64_t)((x & 0xFFFFFF) ^ 0x800000) - 0x800000; }
static u64_t magnitude(int64_t x) { return x < 0 ? 0 - (u64_t)x : (u64_t)x; }
static u64_t high64(u64_t a, u64_t b, bool sgn) {
    u64_t r;
#ifdef __SIZEOF_INT128__
    __extension__ typedef __int128 wide;
    __extension__ typedef unsigned __int128 uwide;
    r = sgn ? (u64_t)((wide)(int64_t)a * (int64_t)b >> 64) : (u64_t)((uwide)a * b >> 64);
#else
    u64_t al = a & 0xFFFFFFFFu, ah = a >> 32, bl = b & 0xFFFFFFFFu, bh = b >> 32, mid = ah * bl + (al * bl >> 32),
          low = (mid & 0xFFFFFFFFu) + al * bh;
    r = ah * bh + (mid >> 32) + (low >> 32) - (sgn && (int64_t)a < 0 ? b : 0) - (sgn && (int64_t)b < 0 ? a : 0);
#endif
    return r;
}
static bool related(const char *op, double a, double b) {
    bool nan = a != a || b != b, u = strlen(op) == 3 && op[2] == 'u';
    if (!strcmp(op, "num")) return !nan;
    if (!strcmp(op, "nan")) return nan;
    if (nan) return u;
    switch (op[0] << 8 | op[1]) {
    case 'e' << 8 | 'q': return a == b;
    case 'n' << 8 | 'e': return a != b;
    case 'l' << 8 | 't': return a < b;
    case 'l' << 8 | 'e': return a <= b;
    case 'g' << 8 | 't': return a > b;
    default: return a >= b;
    }
}

/* ---- rows ---- */

typedef enum kind {
    K_INT,
    K_F32,
    K_F64,
    K_F16,
    K_BF16,
    K_ANY
} kind; /* of the operands: which edge values */
typedef u64_t (*formula)(u64_t a, u64_t b, u64_t c);
/* dst and src: a letter each, h w d p for 16, 32, 64 bits and predicates (which count as 0 and 1). */
/* slack: 0 exact; 1 any NaN is as good; above: units in the last place that f32 may differ by; below: the same 4, or
 * the binary logarithm of the absolute error */
typedef struct isa_row {
    const char *name;
    char dst;
    const char *src, *body;
    kind k;
    int slack;
    formula f;
} isa_row;

#define FN(id, expression) \
    static u64_t f_##id(u64_t a, u64_t b, u64_t c) { \
        (void)a; \
        (void)b; \
        (void)c; \
        return (u64_t)(expression); \
    }
/* R(id, dst, src, kind, slack, body, expression) */
/* clang-format off */
#define INTS(R, T, l, w, N, U_, S_) \
    R(add_##T, l, w, INT, 0, "add." #T " d, a, b;", (U_)(a + b)) \
    R(sub_##T, l, w, INT, 0, "sub." #T " d, a, b;", (U_)(a - b)) \
    R(mullo_##T, l, w, INT, 0, "mul.lo." #T " d, a, b;", (U_)(a * b)) \
    R(madlo_##T, l, w, INT, 0, "mad.lo." #T " d, a, b, c;", (U_)(a * b + c))
/* clang-format on */
#define SHIFT_h hw
#define SHIFT_w ww
#define SHIFT_d dw
/* clang-format off */
#define UINTS(R, N, l, w, U_) \
    INTS(R, u##N, l, w, N, U_, U_) \
    R(div_u##N, l, w, INT, 0, "div.u" #N " d, a, b;", b ? (U_)a / (U_)b : (U_)~(U_)0) \
    R(rem_u##N, l, w, INT, 0, "rem.u" #N " d, a, b;", b ? (U_)a % (U_)b : (U_)a) \
    R(min_u##N, l, w, INT, 0, "min.u" #N " d, a, b;", (U_)a < (U_)b ? a : b) \
    R(max_u##N, l, w, INT, 0, "max.u" #N " d, a, b;", (U_)a > (U_)b ? a : b) \
    R(sad_u##N, l, w, INT, 0, "sad.u" #N " d, a, b, c;", (U_)(c + ((U_)a > (U_)b ? a - b : b - a))) \
    R(shr_u##N, l, SHIFT_##l, INT, 0, "shr.u" #N " d, a, b;", b > N - 1 ? 0 : (U_)a >> b)
/* clang-format on */
typedef int16_t s16_t;
typedef int32_t s32_t;
typedef int64_t s64_t;
typedef uint16_t u16_t;
typedef uint32_t u32_t;
/* clang-format off */
#define SINTS(R, N, l, w, S_, U_) \
    INTS(R, s##N, l, w, N, U_, S_) \
    R(div_s##N, l, w, INT, 0, "div.s" #N " d, a, b;", !b ? (U_)~(U_)0 : (U_)((magnitude((S_)a) / magnitude((S_)b)) * (((S_)a < 0) == ((S_)b < 0) ? 1 : ~(u64_t)0))) \
    R(rem_s##N, l, w, INT, 0, "rem.s" #N " d, a, b;", !b ? (U_)a : (U_)((magnitude((S_)a) % magnitude((S_)b)) * ((S_)a < 0 ? ~(u64_t)0 : 1))) \
    R(min_s##N, l, w, INT, 0, "min.s" #N " d, a, b;", (S_)a < (S_)b ? a : b) \
    R(max_s##N, l, w, INT, 0, "max.s" #N " d, a, b;", (S_)a > (S_)b ? a : b) \
    R(abs_s##N, l, w, INT, 0, "abs.s" #N " d, a;", (U_)magnitude((S_)a)) \
    R(neg_s##N, l, w, INT, 0, "neg.s" #N " d, a;", (U_)(0 - a)) \
    R(sad_s##N, l, w, INT, 0, "sad.s" #N " d, a, b, c;", (U_)(c + ((S_)a > (S_)b ? a - b : b - a)))
/* clang-format on */
/* clang-format off */
#define COMPARES(R, T, w, C_) \
    R(lt_##T, p, w, INT, 0, "setp.lt." #T " d, a, b;", (C_)a < (C_)b) \
    R(le_##T, p, w, INT, 0, "setp.le." #T " d, a, b;", (C_)a <= (C_)b) \
    R(gt_##T, p, w, INT, 0, "setp.gt." #T " d, a, b;", (C_)a > (C_)b) \
    R(ge_##T, p, w, INT, 0, "setp.ge." #T " d, a, b;", (C_)a >= (C_)b) \
    R(eq_##T, p, w, INT, 0, "setp.eq." #T " d, a, b;", (C_)a == (C_)b) \
    R(ne_##T, p, w, INT, 0, "setp.ne." #T " d, a, b;", (C_)a != (C_)b) \
    R(set_##T, w, w##w, INT, 0, "{.reg .u32 t; set.lt.u32." #T " t, a, b; " "cvt.u64.u32 d64, t;} " "mov.b64 d, d64;", (C_)a < (C_)b ? 0xFFFFFFFFu : 0)
/* clang-format on */

/* clang-format off */
#define ROWS_INT(R) \
    UINTS(R, 16, h, hhh, u16_t) \
    UINTS(R, 32, w, www, u32_t) \
    UINTS(R, 64, d, ddd, u64_t) \
    SINTS(R, 16, h, hhh, s16_t, u16_t) \
    SINTS(R, 32, w, www, s32_t, u32_t) \
    SINTS(R, 64, d, ddd, s64_t, u64_t) \
    R(mulhi_u16, h, hh, INT, 0, "mul.hi.u16 d, a, b;", a * b >> 16) \
    R(mulhi_s16, h, hh, INT, 0, "mul.hi.s16 d, a, b;", (u16_t)((s16_t)a * (s16_t)b >> 16)) \
    R(mulhi_u32, w, ww, INT, 0, "mul.hi.u32 d, a, b;", a * b >> 32) \
    R(mulhi_s32, w, ww, INT, 0, "mul.hi.s32 d, a, b;", (u32_t)((s64_t)(s32_t)a * (s32_t)b >> 32)) \
    R(mulhi_u64, d, dd, INT, 0, "mul.hi.u64 d, a, b;", high64(a, b, false)) \
    R(mulhi_s64, d, dd, INT, 0, "mul.hi.s64 d, a, b;", high64(a, b, true)) \
    R(mulwide_u16, w, hh, INT, 0, "mul.wide.u16 d, a, b;", a * b) \
    R(mulwide_s16, w, hh, INT, 0, "mul.wide.s16 d, a, b;", (u32_t)((s16_t)a * (s16_t)b)) \
    R(mulwide_u32, d, ww, INT, 0, "mul.wide.u32 d, a, b;", a * b) \
    R(mulwide_s32, d, ww, INT, 0, "mul.wide.s32 d, a, b;", (u64_t)((s64_t)(s32_t)a * (s32_t)b)) \
    R(madwide_u32, d, wwd, INT, 0, "mad.wide.u32 d, a, b, c;", a * b + c) \
    R(madwide_s32, d, wwd, INT, 0, "mad.wide.s32 d, a, b, c;", (u64_t)((s64_t)(s32_t)a * (s32_t)b) + c) \
    R(madwide_u16, w, hhw, INT, 0, "mad.wide.u16 d, a, b, c;", (u32_t)(a * b + c)) \
    R(madhi_u32, w, www, INT, 0, "mad.hi.u32 d, a, b, c;", (u32_t)((a * b >> 32) + c)) \
    R(madhi_s32, w, www, INT, 0, "mad.hi.s32 d, a, b, c;", (u32_t)(((s64_t)(s32_t)a * (s32_t)b >> 32) + (s64_t)c)) \
    R(madhi_u64, d, ddd, INT, 0, "mad.hi.u64 d, a, b, c;", high64(a, b, false) + c) \
    R(madhi_s64, d, ddd, INT, 0, "mad.hi.s64 d, a, b, c;", high64(a, b, true) + c) \
    R(madhisat, w, www, INT, 0, "mad.hi.sat.s32 d, a, b, c;", (u32_t)clamped(((s64_t)(s32_t)a * (s32_t)b >> 32) + (s32_t)c, INT32_MIN, INT32_MAX)) \
    R(addsat, w, ww, INT, 0, "add.sat.s32 d, a, b;", (u32_t)clamped((s64_t)(s32_t)a + (s32_t)b, INT32_MIN, INT32_MAX)) \
    R(subsat, w, ww, INT, 0, "sub.sat.s32 d, a, b;", (u32_t)clamped((s64_t)(s32_t)a - (s32_t)b, INT32_MIN, INT32_MAX)) \
    R(mul24lo_u, w, ww, INT, 0, "mul24.lo.u32 d, a, b;", (u32_t)((a & 0xFFFFFF) * (b & 0xFFFFFF))) \
    R(mul24hi_u, w, ww, INT, 0, "mul24.hi.u32 d, a, b;", (u32_t)((a & 0xFFFFFF) * (b & 0xFFFFFF) >> 16)) \
    R(mul24lo_s, w, ww, INT, 0, "mul24.lo.s32 d, a, b;", (u32_t)(sext24(a) * sext24(b))) \
    R(mul24hi_s, w, ww, INT, 0, "mul24.hi.s32 d, a, b;", (u32_t)(sext24(a) * sext24(b) >> 16)) \
    R(mad24lo_s, w, www, INT, 0, "mad24.lo.s32 d, a, b, c;", (u32_t)(sext24(a) * sext24(b) + (s64_t)c)) \
    R(mad24hi_u, w, www, INT, 0, "mad24.hi.u32 d, a, b, c;", (u32_t)(((a & 0xFFFFFF) * (b & 0xFFFFFF) >> 16) + c)) \
    R(mad24hisat, w, www, INT, 0, "mad24.hi.sat.s32 d, a, b, c;", (u32_t)clamped((sext24(a) * sext24(b) >> 16) + (s32_t)c, INT32_MIN, INT32_MAX)) \
    R(and16, h, hh, INT, 0, "and.b16 d, a, b;", a & b) \
    R(or32, w, ww, INT, 0, "or.b32 d, a, b;", a | b) \
    R(xor64, d, dd, INT, 0, "xor.b64 d, a, b;", a ^ b) \
    R(and64, d, dd, INT, 0, "and.b64 d, a, b;", a & b) \
    R(xor16, h, hh, INT, 0, "xor.b16 d, a, b;", a ^ b) \
    R(not16, h, h, INT, 0, "not.b16 d, a;", (u16_t)~a) \
    R(not32, w, w, INT, 0, "not.b32 d, a;", (u32_t)~a) \
    R(not64, d, d, INT, 0, "not.b64 d, a;", ~a) \
    R(cnot16, h, h, INT, 0, "cnot.b16 d, a;", !a) \
    R(cnot32, w, w, INT, 0, "cnot.b32 d, a;", !a) \
    R(cnot64, d, d, INT, 0, "cnot.b64 d, a;", !a) \
    R(shl16, h, hw, INT, 0, "shl.b16 d, a, b;", b > 15 ? 0 : (u16_t)(a << b)) \
    R(shl32, w, ww, INT, 0, "shl.b32 d, a, b;", b > 31 ? 0 : (u32_t)(a << b)) \
    R(shl64, d, dw, INT, 0, "shl.b64 d, a, b;", b > 63 ? 0 : a << b) \
    R(sar16, h, hw, INT, 0, "shr.s16 d, a, b;", (u16_t)((s64_t)(s16_t)a >> (b > 15 ? 15 : b))) \
    R(sar32, w, ww, INT, 0, "shr.s32 d, a, b;", (u32_t)((s64_t)(s32_t)a >> (b > 31 ? 31 : b))) \
    R(sar64, d, dw, INT, 0, "shr.s64 d, a, b;", (u64_t)((s64_t)a >> (b > 63 ? 63 : b))) \
    R(popc32, w, w, INT, 0, "popc.b32 d, a;", bits_set(a)) \
    R(popc64, w, d, INT, 0, "popc.b64 d, a;", bits_set(a)) \
    R(clz32, w, w, INT, 0, "clz.b32 d, a;", leading(a, 32)) \
    R(clz64, w, d, INT, 0, "clz.b64 d, a;", leading(a, 64)) \
    R(brev32, w, w, INT, 0, "brev.b32 d, a;", reversed(a, 32)) \
    R(brev64, d, d, INT, 0, "brev.b64 d, a;", reversed(a, 64)) \
    R(bfind_u32, w, w, INT, 0, "bfind.u32 d, a;", found(a, 32, false, false)) \
    R(bfind_s32, w, w, INT, 0, "bfind.s32 d, a;", found(a, 32, true, false)) \
    R(bfind_u64, w, d, INT, 0, "bfind.u64 d, a;", found(a, 64, false, false)) \
    R(bfind_s64, w, d, INT, 0, "bfind.s64 d, a;", found(a, 64, true, false)) \
    R(bfind_amount, w, w, INT, 0, "bfind.shiftamt.u32 d, a;", found(a, 32, false, true)) \
    R(bfind_amount64, w, d, INT, 0, "bfind.shiftamt.s64 d, a;", found(a, 64, true, true)) \
    R(bfe_u32, w, www, INT, 0, "bfe.u32 d, a, b, c;", extracted(a, b, c, 32, false)) \
    R(bfe_s32, w, www, INT, 0, "bfe.s32 d, a, b, c;", extracted(a, b, c, 32, true)) \
    R(bfe_u64, d, dww, INT, 0, "bfe.u64 d, a, b, c;", extracted(a, b, c, 64, false)) \
    R(bfe_s64, d, dww, INT, 0, "bfe.s64 d, a, b, c;", extracted(a, b, c, 64, true)) \
    R(bfi32, w, www, INT, 0, "bfi.b32 d, a, b, c, 7;", inserted(a, b, (int)(c & 255), 7, 32)) \
    R(bfi64, d, ddw, INT, 0, "bfi.b64 d, a, b, c, 40;", inserted(a, b, (int)(c & 255), 40, 64)) \
    R(bfi_len, w, www, INT, 0, "bfi.b32 d, a, b, 5, c;", inserted(a, b, 5, (int)(c & 255), 32)) \
    R(lop_and, w, www, INT, 0, "lop3.b32 d, a, b, c, 0x80;", a & b & c) \
    R(lop_mix, w, www, INT, 0, "lop3.b32 d, a, b, c, 0x1D;", logic(a, b, c, 0x1D)) \
    R(lop_sel, w, www, INT, 0, "lop3.b32 d, a, b, c, 0xCA;", logic(a, b, c, 0xCA)) \
    R(prmt, w, www, INT, 0, "prmt.b32 d, a, b, c;", permuted(a, b, c)) \
    R(prmt_f4e, w, www, INT, 0, "prmt.b32.f4e d, a, b, c;", (u32_t)(((b << 32) | a) >> (8 * (c & 3)))) \
    R(prmt_rc8, w, www, INT, 0, "prmt.b32.rc8 d, a, b, c;", (a >> (8 * (c & 3)) & 255) * 0x01010101u) \
    R(prmt_rc16, w, www, INT, 0, "prmt.b32.rc16 d, a, b, c;", (a >> (16 * (c & 1)) & 0xFFFF) * 0x00010001u) \
    R(shf_lw, w, www, INT, 0, "shf.l.wrap.b32 d, a, b, c;", funnel(a, b, c, true, false)) \
    R(shf_lc, w, www, INT, 0, "shf.l.clamp.b32 d, a, b, c;", funnel(a, b, c, true, true)) \
    R(shf_rw, w, www, INT, 0, "shf.r.wrap.b32 d, a, b, c;", funnel(a, b, c, false, false)) \
    R(shf_rc, w, www, INT, 0, "shf.r.clamp.b32 d, a, b, c;", funnel(a, b, c, false, true)) \
    R(dp4a_uu, w, www, INT, 0, "dp4a.u32.u32 d, a, b, c;", dots(a, b, c, false, false, 0, 1)) \
    R(dp4a_ss, w, www, INT, 0, "dp4a.s32.s32 d, a, b, c;", dots(a, b, c, true, true, 0, 1)) \
    R(dp4a_su, w, www, INT, 0, "dp4a.s32.u32 d, a, b, c;", dots(a, b, c, true, false, 0, 1)) \
    R(dp4a_us, w, www, INT, 0, "dp4a.u32.s32 d, a, b, c;", dots(a, b, c, false, true, 0, 1)) \
    R(dp2a_lo, w, www, INT, 0, "dp2a.lo.s32.s32 d, a, b, c;", dots(a, b, c, true, true, 0, 2)) \
    R(dp2a_hi, w, www, INT, 0, "dp2a.hi.u32.s32 d, a, b, c;", dots(a, b, c, false, true, 2, 2)) \
    R(dp2a_uu, w, www, INT, 0, "dp2a.lo.u32.u32 d, a, b, c;", dots(a, b, c, false, false, 0, 2)) \
    R(bmsk_c, w, ww, INT, 0, "bmsk.clamp.b32 d, a, b;", inserted(0xFFFFFFFFu, 0, (int)(a > 32 ? 32 : a), (int)(b > 32 ? 32 : b), 32)) \
    R(bmsk_w, w, ww, INT, 0, "bmsk.wrap.b32 d, a, b;", inserted(0xFFFFFFFFu, 0, (int)(a & 31), (int)(b & 31), 32)) \
    R(szext_u, w, ww, INT, 0, "szext.clamp.u32 d, a, b;", b > 31 ? a : a & ((1u << b) - 1)) \
    R(szext_s, w, ww, INT, 0, "szext.clamp.s32 d, a, b;", b > 31 ? a : !b ? 0 : (u32_t)((s64_t)(a << (64 - b)) >> (64 - b))) \
    R(szext_w, w, ww, INT, 0, "szext.wrap.s32 d, a, b;", !(b & 31) ? 0 : (u32_t)((s64_t)(a << (64 - (b & 31))) >> (64 - (b & 31)))) \
    R(add128, d, dd, INT, 0, "{.reg .b64 t; add.cc.u64 t, a, b; addc.u64 d, a, b;}", a + b + (a + b < a)) \
    R(sub128, d, dd, INT, 0, "{.reg .b64 t; sub.cc.u64 t, a, b; subc.u64 d, b, a;}", b - a - (a < b)) \
    R(madc, w, www, INT, 0, "{.reg .b32 t; mad.lo.cc.u32 t, a, b, c; madc.hi.u32 d, a, b, c;}", (u32_t)((a * b >> 32) + c + (((a * b & 0xFFFFFFFFu) + c) >> 32))) \
    R(selp, w, www, INT, 0, "{.reg .pred t; setp.lt.s32 t, c, 0; selp.b32 d, a, b, t;}", (s32_t)c < 0 ? a : b) \
    R(slct, d, ddw, INT, 0, "slct.u64.s32 d, a, b, c;", (s32_t)c >= 0 ? a : b) \
    R(setp_and, p, www, INT, 0, "{.reg .pred t; setp.ne.u32 t, c, 0; setp.gt.and.s32 d, a, b, t;}", (s32_t)a > (s32_t)b && c) \
    R(setp_pair, p, ww, INT, 0, "{.reg .pred t; setp.lt.u32 t|d, a, b;}", !(a < b)) \
    R(setp_xor, p, www, INT, 0, "{.reg .pred t; setp.ne.u32 t, c, 0; setp.le.xor.u32 d, a, b, !t;}", (a <= b) ^ !c) \
    R(set_u32, w, ww, INT, 0, "set.lt.u32.s32 d, a, b;", (s32_t)a < (s32_t)b ? 0xFFFFFFFFu : 0) \
    R(set_f32, w, dd, INT, 0, "set.ge.f32.u64 d, a, b;", a >= b ? 0x3F800000u : 0) \
    R(minrelu, w, ww, INT, 0, "min.relu.s32 d, a, b;", (s32_t)a < 0 || (s32_t)b < 0 ? 0 : a < b ? a : b) \
    R(add_u16x2, w, ww, INT, 0, "add.u16x2 d, a, b;", ((a + b) & 0xFFFF) | (((a >> 16) + (b >> 16)) & 0xFFFF) << 16) \
    R(max_s16x2, w, ww, INT, 0, "max.s16x2 d, a, b;", ((s16_t)a > (s16_t)b ? a & 0xFFFF : b & 0xFFFF) | ((s16_t)(a >> 16) > (s16_t)(b >> 16) ? a & 0xFFFF0000u : b & 0xFFFF0000u)) \
    R(min_u16x2, w, ww, INT, 0, "min.u16x2 d, a, b;", ((u16_t)a < (u16_t)b ? a & 0xFFFF : b & 0xFFFF) | ((a >> 16) < (b >> 16) ? a & 0xFFFF0000u : b & 0xFFFF0000u)) \
    R(pack16, w, hh, INT, 0, "mov.b32 d, {a, b};", a | b << 16) \
    R(pack64, d, ww, INT, 0, "mov.b64 d, {a, b};", a | b << 32) \
    R(high, w, d, INT, 0, "{.reg .b32 t; mov.b64 {t, d}, a;}", a >> 32) \
    R(wide, d, dd, INT, 0, "{.reg .b128 q; .reg .b64 t; mov.b128 q, {a, b}; mov.b128 {d, t}, q; xor.b64 d, d, t;}", a ^ b)
/* clang-format on */

#define CMPS(R, T, w) \
    COMPARE1(R, T, w, lt, <) \
    COMPARE1(R, T, w, le, <=) \
    COMPARE1(R, T, w, gt, >) COMPARE1(R, T, w, ge, >=) COMPARE1(R, T, w, eq, ==) COMPARE1(R, T, w, ne, !=)
#define COMPARE1(R, T, w, op, sign) R(op##_##T, p, w, INT, 0, "setp." #op "." #T " d, a, b;", (T##_t)a sign(T##_t) b)
#define ROWS_COMPARE(R) \
    CMPS(R, u16, hh) CMPS(R, s16, hh) CMPS(R, u32, ww) CMPS(R, s32, ww) CMPS(R, u64, dd) CMPS(R, s64, dd)

/* Video: of one part and of several. */
/* clang-format off */
#define ROWS_VIDEO(R) \
    R(vadd, w, ww, INT, 0, "vadd.s32.u32.s32 d, a, b;", (u32_t)(a + b)) \
    R(vadd_sat, w, ww, INT, 0, "vadd.s32.s32.s32.sat d, a, b;", (u32_t)clamped((s64_t)(s32_t)a + (s32_t)b, INT32_MIN, INT32_MAX)) \
    R(vadd_usat, w, ww, INT, 0, "vadd.u32.s32.u32.sat d, a, b;", (u32_t)clamped((s64_t)(s32_t)a + (s64_t)b, 0, 0xFFFFFFFF)) \
    R(vsub_parts, w, www, INT, 0, "vsub.s32.s32.u32 d.h1, a.b2, b.h0, c;", (u32_t)((((u64_t)((s64_t)(int8_t)(a >> 16) - (s64_t)(u16_t)b) & 0xFFFF) << 16) | (c & 0xFFFF))) \
    R(vabsdiff_add, w, www, INT, 0, "vabsdiff.u32.u32.u32.add d, a, b, c;", (u32_t)((a > b ? a - b : b - a) + c)) \
    R(vmin_max, w, www, INT, 0, "vmin.s32.s32.s32.max d, a, b, c;", (u32_t)((s32_t)((s32_t)a < (s32_t)b ? a : b) > (s32_t)c ? ((s32_t)a < (s32_t)b ? a : b) : c)) \
    R(vmax_b, w, ww, INT, 0, "vmax.u32.u32.u32 d, a.b3, b.b0;", (a >> 24) > (b & 255) ? a >> 24 : b & 255) \
    R(vset, w, ww, INT, 0, "vset.s32.u32.lt d, a, b;", (s64_t)(s32_t)a < (s64_t)b) \
    R(vset_add, w, www, INT, 0, "vset.u32.u32.ge.add d, a.h1, b, c;", (u32_t)(((a >> 16) >= b) + c)) \
    R(vshl, w, ww, INT, 0, "vshl.u32.u32.u32.clamp d, a, b;", b > 31 ? 0 : (u32_t)(a << b)) \
    R(vshr, w, ww, INT, 0, "vshr.s32.s32.u32.wrap d, a, b;", (u32_t)((s32_t)a >> (b & 31))) \
    R(vmad, w, www, INT, 0, "vmad.s32.s32.s32 d, a, b, c;", (u32_t)(a * b + c)) \
    R(vmad_po, w, www, INT, 0, "vmad.u32.u32.u32.po.shr7 d, a.h0, b.h1, c;", (u32_t)(((a & 0xFFFF) * (b >> 16) + c + 1) >> 7)) \
    R(vadd_b0, w, www, INT, 0, "vadd.u32.u32.u32 d.b0, a, b, c;", (c & 0xFFFFFF00u) | (u32_t)((a + b) & 255)) \
    R(vadd_b3, w, www, INT, 0, "vadd.u32.u32.u32 d.b3, a, b, c;", (c & 0x00FFFFFFu) | (u32_t)((a + b) & 255) << 24) \
    R(vadd_h0, w, www, INT, 0, "vadd.u32.u32.u32 d.h0, a, b, c;", (c & 0xFFFF0000u) | (u32_t)((a + b) & 65535)) \
    R(vadd4, w, www, INT, 0, "vadd4.u32.u32.u32.sat d, a, b, c;", lanes4(a, b, 0)) \
    R(vabsdiff4, w, www, INT, 0, "vabsdiff4.u32.u32.u32.add d, a, b, c;", (u32_t)(lanes4_sum(a, b) + c)) \
    R(vavrg2, w, www, INT, 0, "vavrg2.u32.u32.u32 d, a, b, c;", ((a & 0xFFFF) + (b & 0xFFFF) + 1) / 2 | ((a >> 16) + (b >> 16) + 1) / 2 << 16) \
    R(vmax2, w, www, INT, 0, "vmax2.s32.s32.s32 d.h1, a, b, c;", ((s16_t)(a >> 16) > (s16_t)(b >> 16) ? a & 0xFFFF0000u : b & 0xFFFF0000u) | (c & 0xFFFF))
/* clang-format on */
static u64_t lanes4(u64_t a, u64_t b, int op) {
    u64_t r = 0;
    int i;
    (void)op;
    for (i = 0; i < 4; i++) {
        u64_t x = (a >> (8 * i) & 255) + (b >> (8 * i) & 255);
        r |= (x > 255 ? 255 : x) << (8 * i);
    }
    return r;
}
static u64_t lanes4_sum(u64_t a, u64_t b) {
    u64_t r = 0;
    int i;
    for (i = 0; i < 4; i++) {
        u64_t x = a >> (8 * i) & 255, y = b >> (8 * i) & 255;
        r += x > y ? x - y : y - x;
    }
    return r;
}

#define MODES_F(R, op, text, n) \
    MODE_F(R, op, text, n, rn, 0) \
    MODE_F(R, op, text, n, rz, 1) MODE_F(R, op, text, n, rm, 2) MODE_F(R, op, text, n, rp, 3)
#define ARGS_1 "d, a;"
#define ARGS_2 "d, a, b;"
#define ARGS_3 "d, a, b, c;"
#define LETTERS_w1 w
#define LETTERS_w2 ww
#define LETTERS_w3 www
#define LETTERS_d1 d
#define LETTERS_d2 dd
#define LETTERS_d3 ddd
/* clang-format off */
#define MODE_F(R, op, text, n, mode, m) \
    R(text##_##mode##_f32, w, LETTERS_w##n, F32, 0, #text "." #mode ".f32 " ARGS_##n, U(f32_op(op, m, F(a), F(b), F(c)))) \
    R(text##_##mode##_f64, d, LETTERS_d##n, F64, 1, #text "." #mode ".f64 " ARGS_##n, UD(f64_op(op, m, D(a), D(b), D(c)))) \
    R(text##_##mode##_ftz, w, LETTERS_w##n, F32, 0, #text "." #mode ".ftz.f32 " ARGS_##n, U(flush(f32_op(op, m, flush(F(a)), flush(F(b)), flush(F(c))))))
/* clang-format on */
/* clang-format off */
#define FCMP(R, op) \
    R(op##_f32, p, ww, F32, 0, "setp." #op ".f32 d, a, b;", related(#op, F(a), F(b))) \
    R(op##_f64, p, dd, F64, 0, "setp." #op ".f64 d, a, b;", related(#op, D(a), D(b))) \
    R(op##_f16, p, hh, F16, 0, "setp." #op ".f16 d, a, b;", related(#op, H(a), H(b))) \
    R(op##_bf16, p, hh, BF16, 0, "setp." #op ".bf16 d, a, b;", related(#op, B(a), B(b))) \
    R(op##_ftz, p, ww, F32, 0, "setp." #op ".ftz.f32 d, a, b;", related(#op, flush(F(a)), flush(F(b))))
/* clang-format on */
/* clang-format off */
#define ROWS_FLOAT(R) \
    MODES_F(R, 0, add, 2) \
    MODES_F(R, 1, sub, 2) \
    MODES_F(R, 2, mul, 2) \
    MODES_F(R, 3, div, 2) \
    MODES_F(R, 4, sqrt, 1) \
    MODES_F(R, 5, fma, 3) \
    R(rcp_rn, w, w, F32, 0, "rcp.rn.f32 d, a;", U(f32_op(3, 0, 1, F(a), 0))) \
    R(rcp_rz, w, w, F32, 0, "rcp.rz.f32 d, a;", U(f32_op(3, 1, 1, F(a), 0))) \
    R(rcp_rp64, d, d, F64, 1, "rcp.rp.f64 d, a;", UD(f64_op(3, 3, 1, D(a), 0))) \
    R(addsat_f32, w, ww, F32, 0, "add.sat.f32 d, a, b;", U(clamp01(F(a) + F(b)))) \
    R(mulsat_f32, w, ww, F32, 0, "mul.rn.sat.f32 d, a, b;", U(clamp01(F(a) * F(b)))) \
    R(fmasat_f32, w, www, F32, 0, "fma.rn.sat.f32 d, a, b, c;", U(clamp01(fmaf(F(a), F(b), F(c))))) \
    R(min_f32, w, ww, F32, 0, "min.f32 d, a, b;", U((float)min_of(F(a), F(b)))) \
    R(max_f32, w, ww, F32, 0, "max.f32 d, a, b;", U((float)max_of(F(a), F(b)))) \
    R(minn_f32, w, ww, F32, 0, "min.NaN.f32 d, a, b;", F(a) != F(a) || F(b) != F(b) ? 0x7FFFFFFFu : U((float)min_of(F(a), F(b)))) \
    R(maxn_f32, w, ww, F32, 0, "max.NaN.f32 d, a, b;", F(a) != F(a) || F(b) != F(b) ? 0x7FFFFFFFu : U((float)max_of(F(a), F(b)))) \
    R(max3_f32, w, www, F32, 0, "max.f32 d, a, b, c;", U((float)max_of(max_of(F(a), F(b)), F(c)))) \
    R(min_f64, d, dd, F64, 1, "min.f64 d, a, b;", UD(min_of(D(a), D(b)))) \
    R(max_f64, d, dd, F64, 1, "max.f64 d, a, b;", UD(max_of(D(a), D(b)))) \
    R(abs_f32, w, w, F32, 1, "abs.f32 d, a;", a & 0x7FFFFFFFu) \
    R(neg_f32, w, w, F32, 1, "neg.f32 d, a;", a ^ 0x80000000u) \
    R(abs_f64, d, d, F64, 1, "abs.f64 d, a;", a & 0x7FFFFFFFFFFFFFFFu) \
    R(neg_f64, d, d, F64, 1, "neg.f64 d, a;", a ^ 0x8000000000000000u) \
    R(copysign_f32, w, ww, F32, 1, "copysign.f32 d, a, b;", (b & 0x7FFFFFFFu) | (a & 0x80000000u)) \
    R(finite, p, w, F32, 0, "testp.finite.f32 d, a;", isfinite(F(a)) != 0) \
    R(infinite, p, d, F64, 0, "testp.infinite.f64 d, a;", isinf(D(a)) != 0) \
    R(number, p, w, F32, 0, "testp.number.f32 d, a;", F(a) == F(a)) \
    R(notanumber, p, w, F32, 0, "testp.notanumber.f32 d, a;", F(a) != F(a)) \
    R(normal, p, w, F32, 0, "testp.normal.f32 d, a;", isnormal(F(a)) != 0) \
    R(subnormal, p, w, F32, 0, "testp.subnormal.f32 d, a;", fpclassify(F(a)) == FP_SUBNORMAL) \
    FCMP(R, eq) \
    FCMP(R, ne) \
    FCMP(R, lt) \
    FCMP(R, le) \
    FCMP(R, gt) \
    FCMP(R, ge) \
    FCMP(R, equ) \
    FCMP(R, neu) \
    FCMP(R, ltu) \
    FCMP(R, leu) \
    FCMP(R, gtu) \
    FCMP(R, geu) \
    FCMP(R, num) \
    FCMP(R, nan) \
    R(add_f32x2, d, dd, F32, 0, "add.f32x2 d, a, b;", U(F(a) + F(b)) | U(F(a >> 32) + F(b >> 32)) << 32) \
    R(fma_f32x2, d, ddd, F32, 0, "fma.rn.f32x2 d, a, b, c;", U(fmaf(F(a), F(b), F(c))) | U(fmaf(F(a >> 32), F(b >> 32), F(c >> 32))) << 32) \
    R(add_mixed, w, hw, F16, 0, "add.f32.f16 d, a, b;", U((float)H(a) + F(b))) \
    R(fma_mixed, w, hhw, BF16, 0, "fma.rn.f32.bf16 d, a, b, c;", U(fmaf((float)B(a), (float)B(b), F(c)))) \
    R(add_f16, h, hh, F16, 0, "add.f16 d, a, b;", UH(H(a) + H(b))) \
    R(sub_f16, h, hh, F16, 0, "sub.f16 d, a, b;", UH(H(a) - H(b))) \
    R(mul_f16, h, hh, F16, 0, "mul.f16 d, a, b;", UH(H(a) * H(b))) \
    R(add_bf16, h, hh, BF16, 0, "add.bf16 d, a, b;", UB(B(a) + B(b))) \
    R(mul_bf16, h, hh, BF16, 0, "mul.bf16 d, a, b;", UB(B(a) * B(b))) \
    R(min_f16, h, hh, F16, 0, "min.f16 d, a, b;", UH(min_of(H(a), H(b)))) \
    R(max_bf16, h, hh, BF16, 0, "max.bf16 d, a, b;", UB(max_of(B(a), B(b)))) \
    R(maxn_f16, h, hh, F16, 0, "max.NaN.f16 d, a, b;", H(a) != H(a) || H(b) != H(b) ? 0x7FFF : UH(max_of(H(a), H(b)))) \
    R(fma_f16, h, hhh, F16, 0, "fma.rn.f16 d, a, b, c;", UH(H(a) * H(b) + H(c))) \
    R(fmarelu_f16, h, hhh, F16, 0, "fma.rn.relu.f16 d, a, b, c;", H(a) * H(b) + H(c) < 0 || (UH(H(a) * H(b) + H(c)) == 0x8000) ? 0 : UH(H(a) * H(b) + H(c))) \
    R(addsat_f16, h, hh, F16, 0, "add.sat.f16 d, a, b;", UH(clamp01((float)(H(a) + H(b))))) \
    R(add_f16x2, w, ww, F16, 0, "add.f16x2 d, a, b;", UH(H(a) + H(b)) | UH(H(a >> 16) + H(b >> 16)) << 16) \
    R(mul_bf16x2, w, ww, BF16, 0, "mul.bf16x2 d, a, b;", UB(B(a) * B(b)) | UB(B(a >> 16) * B(b >> 16)) << 16) \
    R(neg_f16x2, w, w, F16, 1, "neg.f16x2 d, a;", a ^ 0x80008000u) \
    R(abs_bf16, h, h, BF16, 1, "abs.bf16 d, a;", a & 0x7FFF) \
    R(set_f16, h, hh, F16, 0, "set.lt.f16.f16 d, a, b;", H(a) < H(b) ? 0x3C00 : 0) \
    R(set_u16, h, hh, F16, 0, "set.geu.u16.f16 d, a, b;", !(H(a) < H(b)) ? 0xFFFF : 0) \
    R(set_f16x2, w, ww, F16, 0, "set.gt.f16x2.f16x2 d, a, b;", (H(a) > H(b) ? 0x3C00u : 0) | (H(a >> 16) > H(b >> 16) ? 0x3C000000u : 0)) \
    R(rcp_approx, w, w, F32, 2, "rcp.approx.f32 d, a;", U(1 / F(a))) \
    R(rsqrt_approx, w, w, F32, 4, "rsqrt.approx.f32 d, a;", U((float)(1 / sqrt(F(a))))) \
    R(sqrt_approx, w, w, F32, 4, "sqrt.approx.f32 d, a;", U(sqrtf(F(a)))) \
    R(div_approx, w, ww, F32, 4, "div.full.f32 d, a, b;", U(F(a) / F(b))) \
    R(ex2_approx, w, w, F32, 4, "ex2.approx.f32 d, a;", U((float)exp2(F(a)))) \
    R(lg2_approx, w, w, F32, -22, "lg2.approx.f32 d, a;", U((float)log2(F(a)))) \
    R(tanh_approx, w, w, F32, 4096, "tanh.approx.f32 d, a;", U((float)tanh(F(a))))
/* clang-format on */

#define CVT_I(R, to, from, l, w, T_, F_) R(cvt_##to##_##from, l, w, INT, 0, "cvt." #to "." #from " d, a;", T_((F_)a))
#define CVT_S(R, to, from, l, w, bits, sgn, F_) \
    R(cvtsat_##to##_##from, l, w, INT, 0, "cvt.sat." #to "." #from " d, a;", \
        saturated((s64_t)(F_)a, (F_) ~(F_)0 > 0 && sizeof(F_) == 8, bits, sgn))
static u64_t saturated(s64_t x, bool huge, int bits, bool sgn) {
    u64_t top = bits == 64 ? ~(u64_t)0 : ((u64_t)1 << bits) - 1, mask = top;
    if (sgn) top >>= 1;
    if (huge && x < 0) return top; /* an unsigned 64-bit value */
    if (x < 0) return !sgn ? 0 : x < -(s64_t)top - 1 ? (u64_t)(-(s64_t)top - 1) & mask : (u64_t)x & mask;
    return (u64_t)x > top ? top : (u64_t)x;
}
/* clang-format off */
#define CVT_FI(R, T, l, bits, sgn) \
    R(rni_##T##_f32, l, w, F32, 0, "cvt.rni." #T ".f32 d, a;", to_int(F(a), 32, 0, bits, sgn)) \
    R(rzi_##T##_f32, l, w, F32, 0, "cvt.rzi." #T ".f32 d, a;", to_int(F(a), 32, 1, bits, sgn)) \
    R(rmi_##T##_f64, l, d, F64, 0, "cvt.rmi." #T ".f64 d, a;", to_int(D(a), 64, 2, bits, sgn)) \
    R(rpi_##T##_f64, l, d, F64, 0, "cvt.rpi." #T ".f64 d, a;", to_int(D(a), 64, 3, bits, sgn)) \
    R(rzi_##T##_f16, l, h, F16, 0, "cvt.rzi." #T ".f16 d, a;", to_int(H(a), 16, 1, bits, sgn))
/* clang-format on */
#define SIGNED_OF(T_) ((double)(T_)-1 < 0)
/* clang-format off */
#define CVT_IF(R, T, s, T_) \
    R(rn_f64_##T, d, s, INT, 0, "cvt.rn.f64." #T " d, a;", UD((double)(T_)a)) \
    R(rn_f32_##T, w, s, INT, 0, "cvt.rn.f32." #T " d, a;", U((float)(T_)a)) \
    R(rz_f32_##T, w, s, INT, 0, "cvt.rz.f32." #T " d, a;", U(int_f32(SIGNED_OF(T_), (u64_t)(T_)a, 1))) \
    R(rp_f32_##T, w, s, INT, 0, "cvt.rp.f32." #T " d, a;", U(int_f32(SIGNED_OF(T_), (u64_t)(T_)a, 3)))
/* clang-format on */
static float int_f32(bool sgn, u64_t x, int mode) {
    volatile float f;
    bool neg = sgn && (int64_t)x < 0;
    volatile u64_t v = neg ? 0 - x : x;
    fesetround(modes[neg && mode > 1 ? 5 - mode : mode]);
    f = (float)v;
    fesetround(FE_TONEAREST);
    return neg ? -f : f;
}
/* clang-format off */
#define ROWS_CVT(R) \
    CVT_I(R, u8, u32, h, w, (uint8_t), u32_t) \
    CVT_I(R, s8, s32, w, w, (u32_t)(s32_t)(int8_t), u32_t) \
    CVT_I(R, u16, s32, h, w, (u16_t), u32_t) \
    CVT_I(R, s32, s16, w, h, (u32_t)(s32_t), s16_t) \
    CVT_I(R, u32, s16, w, h, (u32_t)(s32_t), s16_t) \
    CVT_I(R, u64, s32, d, w, (u64_t)(s64_t), s32_t) \
    CVT_I(R, s64, u32, d, w, (u64_t), u32_t) \
    CVT_I(R, u32, u64, w, d, (u32_t), u64_t) \
    CVT_I(R, s64, s16, d, h, (u64_t)(s64_t), s16_t) \
    CVT_I(R, u64, u16, d, h, (u64_t), u16_t) \
    CVT_I(R, s32, u8, w, h, (u32_t), uint8_t) \
    CVT_I(R, s32, s8, w, h, (u32_t)(s32_t), int8_t) \
    CVT_S(R, u8, s32, w, w, 8, false, s32_t) \
    CVT_S(R, s16, s32, h, w, 16, true, s32_t) \
    CVT_S(R, u16, s64, h, d, 16, false, s64_t) \
    CVT_S(R, s32, u64, w, d, 32, true, u64_t) \
    CVT_S(R, u32, s64, w, d, 32, false, s64_t) \
    CVT_S(R, s64, u64, d, d, 64, true, u64_t) \
    CVT_S(R, u64, s64, d, d, 64, false, s64_t) \
    CVT_S(R, u32, s32, w, w, 32, false, s32_t) \
    CVT_FI(R, u16, h, 16, false) \
    CVT_FI(R, s16, h, 16, true) \
    CVT_FI(R, u32, w, 32, false) \
    CVT_FI(R, s32, w, 32, true) \
    CVT_FI(R, u64, d, 64, false) \
    CVT_FI(R, s64, d, 64, true) \
    CVT_IF(R, u16, h, u16_t) \
    CVT_IF(R, s16, h, s16_t) \
    CVT_IF(R, u32, w, u32_t) \
    CVT_IF(R, s32, w, s32_t) \
    CVT_IF(R, u64, d, u64_t) \
    CVT_IF(R, s64, d, s64_t) \
    R(f32_f64_rn, w, d, F64, 0, "cvt.rn.f32.f64 d, a;", U(narrow_f32(D(a), 0))) \
    R(f32_f64_rz, w, d, F64, 0, "cvt.rz.f32.f64 d, a;", U(narrow_f32(D(a), 1))) \
    R(f32_f64_rm, w, d, F64, 0, "cvt.rm.f32.f64 d, a;", U(narrow_f32(D(a), 2))) \
    R(f32_f64_rp, w, d, F64, 0, "cvt.rp.f32.f64 d, a;", U(narrow_f32(D(a), 3))) \
    R(f64_f32, d, w, F32, 1, "cvt.f64.f32 d, a;", UD(F(a))) \
    R(f16_f32, h, w, F32, 0, "cvt.rn.f16.f32 d, a;", UH(F(a))) \
    R(bf16_f32, h, w, F32, 0, "cvt.rn.bf16.f32 d, a;", UB(F(a))) \
    R(f32_f16, w, h, F16, 0, "cvt.f32.f16 d, a;", U((float)H(a))) \
    R(f32_bf16, w, h, BF16, 1, "cvt.f32.bf16 d, a;", U((float)B(a))) \
    R(f16_f64, h, d, F64, 0, "cvt.rn.f16.f64 d, a;", UH(D(a))) \
    R(f16x2_f32, w, ww, F32, 0, "cvt.rn.f16x2.f32 d, a, b;", UH(F(b)) | UH(F(a)) << 16) \
    R(bf16x2_f32, w, ww, F32, 0, "cvt.rn.bf16x2.f32 d, a, b;", UB(F(b)) | UB(F(a)) << 16) \
    R(e5m2, h, ww, F32, 1, "cvt.rn.satfinite.e5m2x2.f32 d, a, b;", byte_of(F(b), 5, 2, 57344) | byte_of(F(a), 5, 2, 57344) << 8) \
    R(e4m3, h, ww, F32, 1, "cvt.rn.satfinite.e4m3x2.f32 d, a, b;", byte_of(F(b), 4, 3, 448) | byte_of(F(a), 4, 3, 448) << 8) \
    R(round_rni, w, w, F32, 0, "cvt.rni.f32.f32 d, a;", U((float)rounded(F(a), 0))) \
    R(round_rpi, w, w, F32, 0, "cvt.rpi.f32.f32 d, a;", U((float)rounded(F(a), 3))) \
    R(round_rmi64, d, d, F64, 1, "cvt.rmi.f64.f64 d, a;", UD(rounded(D(a), 2))) \
    R(sat_f32, w, w, F32, 0, "cvt.sat.f32.f32 d, a;", U(clamp01(F(a)))) \
    R(packs8, w, www, INT, 0, "cvt.pack.sat.s8.s32.b32 d, a, b, c;", (u32_t)(c << 16) | saturated((s32_t)a, false, 8, true) << 8 | saturated((s32_t)b, false, 8, true)) \
    R(packu16, w, ww, INT, 0, "cvt.pack.sat.u16.s32 d, a, b;", saturated((s32_t)a, false, 16, false) << 16 | saturated((s32_t)b, false, 16, false)) \
    R(packs4, w, www, INT, 0, "cvt.pack.sat.s4.s32.b32 d, a, b, c;", (u32_t)(c << 8) | (saturated((s32_t)a, false, 4, true) & 15) << 4 | (saturated((s32_t)b, false, 4, true) & 15))
/* clang-format on */
/* An 8-bit float that saturates; its NaN is 0x7F. */
static u64_t byte_of(double v, int ebits, int mbits, double largest) {
    u64_t x;
    int bias = (1 << (ebits - 1)) - 1, e;
    double a = fabs(v), unit;
    if (v != v) return 0x7F;
    x = signbit(v) ? 0x80 : 0;
    if (a == 0) return x;
    if (a > largest) a = largest;
    frexp(a, &e);
    if (e - 1 < 1 - bias) e = 2 - bias;
    unit = ldexp(1, e - 1 - mbits);
    a = nearbyint(a / unit) * unit;
    if (a > largest) a = largest;
    if (a < ldexp(1, 1 - bias)) return x | (u64_t)(a / ldexp(1, 1 - bias - mbits));
    frexp(a, &e);
    return x | (u64_t)(e - 1 + bias) << mbits | (u64_t)((a / ldexp(1, e - 1) - 1) * ldexp(1, mbits));
}
#define ROWS(R) ROWS_INT(R) ROWS_COMPARE(R) ROWS_VIDEO(R) ROWS_FLOAT(R) ROWS_CVT(R)

#define X(id, dst, src, kind, slack, body, expression) FN(id, expression)
ROWS(X)
#undef X
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
static const isa_row isa_rows[] = {
#define X(id, dst, src, kind, slack, body, expression) {#id, #dst[0], TEXT(src), body, K_##kind, slack, f_##id},
    ROWS(X)
#undef X
};

/* ---- edge values ---- */

static const u64_t edges_int[] = {0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 33, 63, 64, 127, 128, 255, 256, 0x7FFF, 0x8000,
    0xFFFF, 0x10000, 0x7FFFFF, 0x800000, 0x7FFFFFFF, 0x80000000u, 0x80000001u, 0xFFFFFFFEu, 0xFFFFFFFFu, 0x12345678,
    0xDEADBEEFu, 0x100000000u, 0x7FFFFFFFFFFFFFFFu, 0x8000000000000000u, 0x8000000000000001u, 0xFFFFFFFFFFFFFFFEu,
    0xFFFFFFFFFFFFFFFFu, 0x0123456789ABCDEFu, 0xF0E1D2C3B4A59687u};
static const u64_t edges_f32[] = {0, 0x80000000u, 1, 0x80000001u, 0x7FFFFF, 0x800000, 0x80800000u, 0x7F7FFFFF,
    0xFF7FFFFFu, 0x7F800000, 0xFF800000u, 0x7FC00000, 0x7F800001, 0xFFFFFFFFu, 0x3F800000, 0xBF800000u, 0x3F000000,
    0xBF000000u, 0x40200000, 0x3F800001, 0x4B000001, 0xCB7FFFFFu, 0x4F000000, 0x4EFFFFFF, 0x5F000000, 0xDF800000u,
    0x3DCCCCCD, 0x40490FDB, 0xC2F6E979u, 0x38800000, 0x33000001, 0x477FF000, 0x43E00001, 0x3C000000, 0x7149F2CA,
    0x0DA24260};
static const u64_t edges_f64[] = {0, 0x8000000000000000u, 1, 0xFFFFFFFFFFFFFu, 0x10000000000000u, 0x7FEFFFFFFFFFFFFFu,
    0xFFEFFFFFFFFFFFFFu, 0x7FF0000000000000u, 0xFFF0000000000000u, 0x7FF8000000000000u, 0x3FF0000000000000u,
    0xBFF0000000000000u, 0x3FE0000000000000u, 0xC004000000000000u, 0x3FF0000000000001u, 0x4330000000000001u,
    0x41DFFFFFFFC00000u, 0xC1E0000000200000u, 0x43E0000000000000u, 0xC3E0000000000001u, 0x3FB999999999999Au,
    0x400921FB54442D18u, 0x47EFFFFFF0000000u, 0x36A0000000000000u, 0x3690000000000001u, 0x3810000000000000u,
    0xB80FFFFFFFFFFFFFu, 0x40EFFC0000000000u};
static const u64_t edges_f16[] = {0, 0x8000, 1, 0x8001, 0x3FF, 0x400, 0x8400, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00,
    0x3C00, 0xBC00, 0x3800, 0x3C01, 0x4000, 0xC248, 0x6400, 0x77FF, 0x2E66, 0x1400, 0x9400, 0x5640};
static const u64_t edges_bf16[] = {0, 0x8000, 1, 0x8001, 0x7F, 0x80, 0x8080, 0x7F7F, 0xFF7F, 0x7F80, 0xFF80, 0x7FC0,
    0x3F80, 0xBF80, 0x3F00, 0x3F81, 0x4000, 0xC049, 0x4B00, 0x7149, 0x3DCD, 0x0080, 0x5F00, 0x42F7};
static u64_t edge(kind k, char letter, uint32_t i) {
    const u64_t *p = edges_int;
    uint32_t n = XG_COUNT(edges_int);
    if (k == K_F32) {
        p = edges_f32;
        n = XG_COUNT(edges_f32);
    }
    if (k == K_F64) {
        p = edges_f64;
        n = XG_COUNT(edges_f64);
    }
    if (k == K_F16) {
        p = edges_f16;
        n = XG_COUNT(edges_f16);
    }
    if (k == K_BF16) {
        p = edges_bf16;
        n = XG_COUNT(edges_bf16);
    }
    if ((k == K_F16 || k == K_BF16) && letter == 'w') return p[i % n] | p[(i * 7 + 3) % n] << 16;
    if (k == K_F32 && letter == 'd') return p[i % n] | p[(i * 5 + 1) % n] << 32;
    return letter == 'h' ? p[i % n] & 0xFFFF : letter == 'w' ? p[i % n] & 0xFFFFFFFFu : p[i % n];
}
static uint32_t edge_count(kind k) {
    return k == K_F32    ? XG_COUNT(edges_f32)
           : k == K_F64  ? XG_COUNT(edges_f64)
           : k == K_F16  ? XG_COUNT(edges_f16)
           : k == K_BF16 ? XG_COUNT(edges_bf16)
                         : XG_COUNT(edges_int);
}

/* ---- running rows ---- */

static int bytes_of(char letter) { return letter == 'h' ? 2 : letter == 'd' ? 8 : 4; }
static bool close_enough(const isa_row *r, u64_t got, u64_t want) {
    if (got == want) return true;
    if (!r->slack) return false;
    if (r->dst == 'd' && D(got) != D(got) && D(want) != D(want)) return true;
    if (r->dst == 'w' && F(got) != F(got) && F(want) != F(want)) return true;
    if (r->dst == 'h' && r->slack == 1) { /* a NaN in either format, in each byte of a pair */
        if ((got & 0x7FFF) > 0x7C00 && (want & 0x7FFF) > 0x7C00) return true;
        return ((got & 255) == (want & 255) || ((got & 0x7F) >= 0x7D && (want & 0x7F) >= 0x7D)) &&
               ((got >> 8) == (want >> 8) || ((got >> 8 & 0x7F) >= 0x7D && (want >> 8 & 0x7F) >= 0x7D));
    }
    if (r->slack < 0 && fabs((double)F(got) - (double)F(want)) <= ldexp(1, r->slack)) return true;
    if (r->slack > 1 || r->slack < 0) {
        int64_t x = (int32_t)got < 0 ? -(int64_t)(got & 0x7FFFFFFF) : (int64_t)got,
                y = (int32_t)want < 0 ? -(int64_t)(want & 0x7FFFFFFF) : (int64_t)want;
        return llabs(x - y) <= (r->slack < 0 ? 4 : r->slack);
    }
    return false;
}
static void row_text(const isa_row *r, char *out, size_t cap) {
    size_t n, i;
    n = (size_t)snprintf(out, cap,
        ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 pd, .param .u64 pa, .param "
        ".u64 pb, .param .u64 pc) {\n.reg .b64 at, base, d64; .reg .b32 t0, t1; .reg .pred pp;\n"
        "mov.u32 t0, %%tid.x; mov.u32 t1, %%ctaid.x; mad.lo.u32 t0, t1, 128, t0;\n");
    for (i = 0; i < strlen(r->src); i++) {
        int bytes = bytes_of(r->src[i]);
        n += (size_t)snprintf(out + n, cap - n,
            ".reg .b%d %c; ld.param.u64 base, [p%c]; mad.wide.u32 at, t0, 8, base; ld.global.b%d %c, [at];\n",
            bytes * 8, (char)('a' + i), (char)('a' + i), bytes * 8, (char)('a' + i));
    }
    if (r->dst == 'p')
        n += (size_t)snprintf(out + n, cap - n,
            ".reg .pred d;\n%s\n.reg .b32 dd; selp.b32 dd, 1, 0, d; ld.param.u64 base, [pd]; mad.wide.u32 at, t0, 8, "
            "base; st.global.b32 [at], dd;\nret;\n}\n",
            r->body);
    else
        snprintf(out + n, cap - n,
            ".reg .b%d d;\n%s\nld.param.u64 base, [pd]; mad.wide.u32 at, t0, 8, base; st.global.b%d [at], "
            "d;\nret;\n}\n",
            bytes_of(r->dst) * 8, r->body, bytes_of(r->dst) * 8);
}
/* Whether PTX says what comes out: not of a division by zero. */
static bool is_defined(const isa_row *r, u64_t b) {
    return b || (strncmp(r->name, "div_u", 5) != 0 && strncmp(r->name, "div_s", 5) != 0 && strncmp(r->name, "rem_", 4));
}
static void test_row(const isa_row *r) {
    static char ptx[4000], what[400];
    uint32_t n = edge_count(r->k), operands = (uint32_t)strlen(r->src), i, k,
             count = operands == 1   ? n
                     : operands == 2 ? n * n
                                     : 1536,
             blocks = (count + 127) / 128, wrong = 0;
    u64_t *v[4];
    uint64_t params[4];
    machine m;
    const char *message;
    if (!platform_takes()) return;
    machine_start(&m);
    for (k = 0; k < 4; k++) {
        v[k] = (u64_t *)machine_buffer(&m, (size_t)blocks * 128 * 8);
        params[k] = (uint64_t)(uintptr_t)v[k];
        memset(v[k], 0, (size_t)blocks * 128 * 8);
    }
    for (i = 0; i < blocks * 128; i++) {
        uint32_t j = i < count ? i : 0, x = j, seed = j * 2654435761u;
        for (k = 0; k < operands; k++) {
            if (operands == 3) {
                x = seed >> 8;
                seed = seed * 1664525u + 1013904223u + j;
            } /* triples: drawn, not all */
            v[k + 1][i] = edge(
                r->src[k] == 'h' || r->k == K_INT || r->k == K_F32 || r->k == K_F64 || r->src[k] == r->src[0] ? r->k
                                                                                                              : K_F32,
                r->src[k], x % n);
            x /= n;
        }
    }
    row_text(r, ptx, sizeof ptx);
    message = machine_run(&m, ptx, blocks, 128, params, sizeof params);
    if (machine_skips(message)) {
        machine_end(&m);
        return;
    }
    if (m.differ && r->slack)
        printf("note: %s: %lu of %u results are not the simulator's\n", r->name, (unsigned long)m.differ, count);
    if (message) {
        snprintf(what, sizeof what, "%s: %s: %.200s", r->name, r->body, message);
        EXPECT_IN(false, what);
        machine_end(&m);
        return;
    }
    for (i = 0; i < count; i++) {
        u64_t want = r->f(v[1][i], v[2][i], v[3][i]), got = v[0][i],
              mask = r->dst == 'h'   ? 0xFFFF
                     : r->dst == 'd' ? ~(u64_t)0
                                     : 0xFFFFFFFFu;
        bool ok = close_enough(r, got & mask, want & mask);
        if (platform.on_device && !is_defined(r, v[2][i])) {
            platform_skip(undefined);
            continue;
        }
        if (ok) {
            passed++;
            continue;
        }
        if (wrong++ >= (only ? 20u : 1u)) {
            failed++;
            continue;
        }
        snprintf(what, sizeof what, "%s: %s a=%llx b=%llx c=%llx gives %llx, should be %llx", r->name, r->body,
            (unsigned long long)v[1][i], (unsigned long long)v[2][i], (unsigned long long)v[3][i],
            (unsigned long long)(got & mask), (unsigned long long)(want & mask));
        EXPECT_IN(false, what);
    }
    machine_end(&m);
}
#include "sim_tiles.h"

int main(int argc, char **argv) {
    size_t i;
    unsigned long before;
    int k;
    for (k = 1; k < argc; k++)
        if (!platform_flag(argc, argv, &k)) only = argv[k];
    if (platform.on_device) {
        (void)platform_open(1);
        find_version();
    }
    if (!only || strstr("forms", only)) test_forms();
    before = passed + failed;
    for (i = 0; i < XG_COUNT(isa_rows); i++)
        if (!only || strstr(isa_rows[i].name, only)) test_row(&isa_rows[i]);
    printf("values: %u instructions, %lu results\n", (unsigned)XG_COUNT(isa_rows), passed + failed - before);
    before = passed + failed;
    if (!only || strstr("tiles", only)) test_tiles();
    printf("tiles: %lu results\n", passed + failed - before);
    platform_close();
    return finish();
}
