/* bench/probe.c -- what a device is: rates, latencies, costs of launches, and the bits that its approximations give.
 *
 *     probe [--platform=cuda|host] [--driver=FILE] [--quick] [--approx=FILE] figures of the device, tab-separated;
 *                                                           with --approx the approximations, a line each, into FILE
 *     probe [--platform=...] --check=FILE                   are the approximations of this device those of FILE, within
 *                                                           what the PTX manual allows? Ends with "N passed, N failed"
 *
 * A line is name, value, unit, and the figure of xlagpu_target_desc that it measures ("-": none). Kernels measure
 * themselves by %clock64. On the simulator the figures mean nothing: it has no clock; --quick is for that. */
#define _POSIX_C_SOURCE 199309L
#include "../src/xlagpu.h"
#include "../src/xlagpu_runtime.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "timing.h"

enum {
    UNROLLED = 64, /* operations between two tests of the loop */
    CHAINS = 8,    /* independent ones of a thread, for rates */
    THREADS = 1024,
    TEXT = 1 << 16,
    ROUNDS = 9
};
typedef struct probe {
    xlagpu_device *device;
    bool quick;
    int failed;
} probe;

static void figure(const char *name, double value, const char *unit, const char *field) {
    printf("%s\t%.6g\t%s\t%s\n", name, value, unit, field);
    fflush(stdout);
}
static void say(probe *p, const char *what) {
    fprintf(stderr, "probe: %s: %s\n", what, xlagpu_rt_error(p->device));
    p->failed++;
}

/* ---- kernels that measure themselves ---- */

typedef struct text {
    char at[TEXT];
    size_t n;
} text;
static void put(text *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    t->n += (size_t)vsnprintf(t->at + t->n, sizeof t->at - t->n, format, args);
    va_end(args);
    if (t->n >= sizeof t->at) t->n = sizeof t->at - 1;
}
/* The operation with its registers: # is the number of a chain. */
static void put_chain(text *t, const char *operation, int chain) {
    for (; *operation; operation++) {
        if (*operation == '#')
            put(t, "%d", chain);
        else
            put(t, "%c", *operation);
    }
    put(t, "\n");
}
static void put_head(text *t, const char *shared) {
    t->n = 0;
    put(t,
        ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry probe(.param .u64 out, .param .u64 data) {\n"
        ".reg .b64 %%d<40>; .reg .b32 %%r<80>; .reg .f32 %%f<40>; .reg .f64 %%x<40>; .reg .pred %%p<4>;\n%s\n"
        "ld.param.u64 %%d0, [out];\nld.param.u64 %%d1, [data];\nmov.u32 %%r0, %%tid.x;\nmul.wide.u32 %%d2, %%r0, 32;\n"
        "add.u64 %%d0, %%d0, %%d2;\nld.global.u32 %%r40, [%%d1];\nld.global.u32 %%r41, [%%d1+4];\n"
        "ld.global.f32 %%f30, [%%d1+8];\nld.global.f64 %%x30, [%%d1+16];\nmov.u64 %%d5, %%d1;\n",
        shared);
}
/* Start and end of the clock, and of the timer, for each thread. */
static void put_timed(text *t, int repeat, const char *operation, int chains, int each) {
    int k, c;
    put(t, "bar.sync 0;\nmov.u64 %%d20, %%globaltimer;\nmov.u64 %%d21, %%clock64;\nmov.u32 %%r50, 0;\nLOOP:\n");
    for (k = 0; k < each; k++)
        for (c = 0; c < chains; c++) put_chain(t, operation, 1 + c);
    put(t,
        "add.u32 %%r50, %%r50, 1;\nsetp.lt.u32 %%p1, %%r50, %d;\n@%%p1 bra LOOP;\nmov.u64 %%d22, %%clock64;\n"
        "mov.u64 %%d23, %%globaltimer;\nst.global.u64 [%%d0], %%d21;\nst.global.u64 [%%d0+8], %%d22;\n"
        "sub.u64 %%d23, %%d23, %%d20;\nst.global.u64 [%%d0+16], %%d23;\n",
        repeat);
}
typedef struct timed {
    double cycles, nanoseconds; /* from the first thread's start to the last one's end */
} timed;
/* Runs the kernel twice, and takes the second run: caches are warm then, where a kernel wants that. */
static bool run_timed(probe *p, const text *t, xlagpu_buffer data, uint32_t threads, const char *what, timed *out) {
    static uint64_t back[THREADS * 4];
    unsigned char args[16];
    xlagpu_buffer b;
    xlagpu_ptx_launch l;
    xlagpu_ptx *ptx = xlagpu_rt_load_ptx(p->device, what, t->at, t->n);
    uint64_t first = UINT64_MAX, last = 0, ns = 0;
    uint32_t k;
    bool good = ptx && xlagpu_rt_alloc(p->device, sizeof back, &b) == XLAGPU_OK;
    memset(&l, 0, sizeof l);
    memset(back, 0, sizeof back);
    if (good) {
        good = xlagpu_rt_upload(p->device, b, back, sizeof back) == XLAGPU_OK;
        memcpy(args, &b.address, 8);
        memcpy(args + 8, &data.address, 8);
        l.entry = "probe";
        l.block[0] = threads;
        l.parameters = args;
        l.parameter_bytes = sizeof args;
        for (k = 0; k < 2 && good; k++) good = xlagpu_rt_run_ptx(ptx, &l, NULL) == XLAGPU_OK;
        good = good && xlagpu_rt_download(p->device, back, b, sizeof back) == XLAGPU_OK;
    }
    if (!good) say(p, what);
    for (k = 0; k < threads && good; k++) {
        if (back[4 * k] < first) first = back[4 * k];
        if (back[4 * k + 1] > last) last = back[4 * k + 1];
        if (back[4 * k + 2] > ns) ns = back[4 * k + 2];
    }
    out->cycles = good ? (double)(last - first) : 0;
    out->nanoseconds = (double)ns;
    if (ptx) xlagpu_rt_free(p->device, b);
    xlagpu_rt_unload_ptx(ptx);
    return good;
}

/* X(name, operations it counts as, first value, operation, what keeps it alive, figure of its rate); # is the chain. */
#define OPERATIONS(X) \
    X("fma_f32", 1, "mov.f32 %f#, %f30;", "fma.rn.f32 %f#, %f#, %f30, %f30;", "st.global.f32 [%d0+24], %f#;", \
        "f32_rate") \
    X("xor_add_s32", 2, "mov.b32 %r#, %r40;", "xor.b32 %r#, %r#, %r41; add.s32 %r#, %r#, %r40;", \
        "st.global.u32 [%d0+24], %r#;", "int_rate") \
    X("fma_f64", 1, "mov.f64 %x#, %x30;", "fma.rn.f64 %x#, %x#, %x30, %x30;", "st.global.f64 [%d0+24], %x#;", \
        "f64_rate") \
    X("ex2_f32", 1, "mov.f32 %f#, %f30;", "ex2.approx.ftz.f32 %f#, %f#;", "st.global.f32 [%d0+24], %f#;", \
        "special_rate") \
    X("rcp_f32", 1, "mov.f32 %f#, %f30;", "rcp.approx.ftz.f32 %f#, %f#;", "st.global.f32 [%d0+24], %f#;", "-") \
    X("convert_s32_f32", 1, "mov.b32 %r#, %r40;", "cvt.rn.f32.s32 %f#, %r#; mov.b32 %r#, %f#;", \
        "st.global.u32 [%d0+24], %r#;", "convert_rate") \
    X("shuffle", 1, "mov.b32 %r#, %r0;", "shfl.sync.bfly.b32 %r#, %r#, 1, 31, -1;", "st.global.u32 [%d0+24], %r#;", \
        "shuffle_rate") \
    X("barrier", 1, "", "bar.sync 0;", "", "-") \
    X("atomic_u32", 1, "mov.b32 %r#, 0;", "atom.global.add.u32 %r#, [%d5], %r#;", "st.global.u32 [%d0+24], %r#;", "-")
typedef struct operation {
    const char *name;
    int counts;
    const char *init, *body, *keep, *field;
} operation;
static const operation operations[] = {
#define X(name, counts, init, body, keep, field) {name, counts, init, body, keep, field},
    OPERATIONS(X)
#undef X
};

static void measure_operation(probe *p, const operation *o, xlagpu_buffer data) {
    static text t;
    int rate, repeat = p->quick ? 1 : 32, c;
    char name[80];
    timed took;
    for (rate = 0; rate < 2; rate++) {
        int chains = rate ? CHAINS : 1, each = rate ? UNROLLED / CHAINS : UNROLLED;
        uint32_t threads = rate ? THREADS : 32;
        double operations_of_thread = (double)chains * each * repeat * o->counts;
        if (rate && o->field[0] == '-') continue;
        put_head(&t, "");
        for (c = 1; c <= chains; c++) put_chain(&t, o->init, c);
        put_timed(&t, repeat, o->body, chains, each);
        for (c = 1; c <= chains; c++) put_chain(&t, o->keep, c);
        put(&t, "ret;\n}\n");
        if (!run_timed(p, &t, data, threads, o->name, &took)) continue;
        snprintf(name, sizeof name, "%s_%s", o->name, rate ? "rate" : "latency");
        if (rate)
            figure(name, THREADS * operations_of_thread / (took.cycles + 1e-9), "lanes/clock", o->field);
        else
            figure(name, took.cycles / operations_of_thread, "clocks", "-");
        if (!rate && strcmp(o->name, "fma_f32") == 0 && took.nanoseconds > 0)
            figure("clock", took.cycles / took.nanoseconds * 1e3, "MHz", "clock_mhz");
    }
}

/* A ring of pointers through so many bytes, in steps that no prefetcher follows: one load waits for the other. */
static void measure_chase(
    probe *p, const char *name, size_t bytes, size_t stride, const char *load, const char *field) {
    static text t;
    size_t n = bytes / stride, k, at = 0, step = n / 2 - 1;
    uint64_t *ring = (uint64_t *)calloc(bytes, 1);
    int repeat = p->quick ? 1 : 32;
    xlagpu_buffer data;
    timed took;
    if (!ring) return;
    while (step > 1 && (n % step == 0 || step % 2 == 0)) step--;
    if (xlagpu_rt_alloc(p->device, bytes, &data) != XLAGPU_OK) {
        say(p, name);
        free(ring);
        return;
    }
    for (k = 0; k < n; k++) {
        size_t next = (at + step) % n;
        ring[at * stride / 8] = data.address + next * stride;
        at = next;
    }
    if (xlagpu_rt_upload(p->device, data, ring, bytes) == XLAGPU_OK) {
        put_head(&t, "");
        put(&t, "mov.u64 %%d6, %%d1;\n");
        put_timed(&t, repeat, load, 1, UNROLLED);
        put(&t, "st.global.u64 [%%d0+24], %%d6;\nret;\n}\n");
        if (run_timed(p, &t, data, 1, name, &took)) figure(name, took.cycles / (UNROLLED * repeat), "clocks", field);
    } else
        say(p, name);
    xlagpu_rt_free(p->device, data);
    free(ring);
}
static void measure_shared(probe *p, xlagpu_buffer data) {
    static text t;
    int repeat = p->quick ? 1 : 32;
    timed took;
    put_head(&t, ".shared .align 8 .b8 ring[64];");
    put(&t, "mov.u32 %%r6, ring;\nst.shared.u32 [%%r6], %%r6;\n");
    put_timed(&t, repeat, "ld.shared.u32 %r6, [%r6];", 1, UNROLLED);
    put(&t, "st.global.u32 [%%d0+24], %%r6;\nret;\n}\n");
    if (run_timed(p, &t, data, 1, "shared_latency", &took))
        figure("shared_latency", took.cycles / (UNROLLED * repeat), "clocks", "shared_latency");
}
static void measure_kernels(probe *p) {
    static const double values[4] = {0, 0.5, 0.25, 0};
    size_t k, large = p->quick ? (size_t)1 << 16 : (size_t)1 << 29,
              middle = p->quick ? (size_t)1 << 14 : (size_t)4 << 20;
    xlagpu_buffer data;
    unsigned char raw[32];
    uint32_t a = 5, b = 3;
    float f = 0.25f;
    memcpy(raw, values, sizeof raw);
    memcpy(raw, &a, 4);
    memcpy(raw + 4, &b, 4);
    memcpy(raw + 8, &f, 4);
    if (xlagpu_rt_alloc(p->device, sizeof raw, &data) || xlagpu_rt_upload(p->device, data, raw, sizeof raw)) {
        say(p, "memory");
        return;
    }
    for (k = 0; k < sizeof operations / sizeof *operations; k++) measure_operation(p, &operations[k], data);
    measure_shared(p, data);
    measure_chase(p, "l1_latency", 4096, 128, "ld.global.ca.u64 %d6, [%d6];", "l1_latency");
    measure_chase(p, "l2_latency", middle, 256, "ld.global.cg.u64 %d6, [%d6];", "l2_latency");
    measure_chase(p, "memory_latency", large, 4096 + 256, "ld.global.cg.u64 %d6, [%d6];", "memory_latency");
    xlagpu_rt_free(p->device, data);
}

/* ---- programs: what a run costs ---- */

enum {
    VALUES = 4
};
typedef struct program {
    xlagpu_context *context;
    xlagpu_program *program;
    xlagpu_execution *execution;
    xlagpu_buffer in[VALUES], out[VALUES];
    double load;
} program;
static bool program_open(probe *p, program *g, const char *text, uint32_t least, bool control) {
    xlagpu_compile_desc d;
    xlagpu_module *m;
    xlagpu_bytes exe = {NULL, 0};
    uint32_t k;
    memset(g, 0, sizeof *g);
    memset(&d, 0, sizeof d);
    g->context = xlagpu_create(NULL);
    m = xlagpu_parse(g->context, "probe", text, strlen(text));
    d.target.name = xlagpu_rt_target(p->device);
    d.disable_all_passes = true;
    d.command_buffer_least = least;
    d.command_buffer_control = control;
    if (m) exe = xlagpu_compile(m, &d);
    if (!exe.data) {
        fprintf(stderr, "probe: %s\n", xlagpu_error(g->context));
        p->failed++;
        return false;
    }
    g->load = seconds();
    g->program = xlagpu_rt_load(p->device, exe.data, exe.size);
    g->load = seconds() - g->load;
    g->execution = xlagpu_rt_prepare(g->program);
    for (k = 0; g->execution && k < 2 * VALUES; k++) {
        xlagpu_rt_value v;
        xlagpu_buffer *b = k < VALUES ? &g->in[k] : &g->out[k - VALUES];
        void *zeros;
        if (!(k < VALUES ? xlagpu_rt_parameter(g->program, k, &v) : xlagpu_rt_result(g->program, k - VALUES, &v)))
            continue;
        zeros = calloc(v.bytes + 1, 1);
        if (xlagpu_rt_alloc(p->device, v.bytes, b) || xlagpu_rt_upload(p->device, *b, zeros, v.bytes))
            g->execution = NULL;
        free(zeros);
    }
    if (!g->execution) say(p, "a program");
    return g->execution != NULL;
}
static void program_close(probe *p, program *g) {
    int k;
    for (k = 0; k < VALUES; k++) {
        xlagpu_rt_free(p->device, g->in[k]);
        xlagpu_rt_free(p->device, g->out[k]);
    }
    xlagpu_rt_unload(g->program);
    xlagpu_destroy(g->context);
}
/* Seconds of one run: the median of rounds of as many as take a few milliseconds. */
static double program_time(probe *p, program *g) {
    double took[ROUNDS], t;
    int rounds = p->quick ? 1 : ROUNDS, runs = 1, k, r;
    for (k = 0; k < 2; k++) {
        t = seconds();
        if (xlagpu_rt_execute(g->execution, g->in, g->out, NULL) || xlagpu_rt_wait(p->device, NULL)) {
            fprintf(stderr, "probe: %s\n", xlagpu_rt_execution_error(g->execution));
            p->failed++;
            return -1;
        }
        t = seconds() - t;
    }
    if (!p->quick && t < 5e-3) runs = (int)(5e-3 / (t > 1e-7 ? t : 1e-7)) + 1;
    for (r = 0; r < rounds; r++) {
        t = seconds();
        for (k = 0; k < runs; k++) (void)xlagpu_rt_execute(g->execution, g->in, g->out, NULL);
        (void)xlagpu_rt_wait(p->device, NULL);
        took[r] = (seconds() - t) / runs;
    }
    qsort(took, (size_t)rounds, sizeof *took, ascending);
    return took[rounds / 2];
}
static void measure_copies(probe *p) {
    static const size_t sizes[] = {1 << 16, 1 << 20, 1 << 24, 1 << 28, 1 << 30};
    size_t k;
    for (k = 0; k < (p->quick ? 1 : sizeof sizes / sizeof *sizes); k++) {
        char source[200], name[60];
        program g;
        double t;
        snprintf(source, sizeof source, "ENTRY e { x = f32[%lu] parameter(0) ROOT y = f32[%lu] negate(x) }",
            (unsigned long)(sizes[k] / 4), (unsigned long)(sizes[k] / 4));
        if (program_open(p, &g, source, 1u << 30, false) && (t = program_time(p, &g)) > 0) {
            snprintf(name, sizeof name, "negate_%lu_bytes", (unsigned long)sizes[k]);
            figure(name, t * 1e6, "us", "-");
            snprintf(name, sizeof name, "negate_%lu_bandwidth", (unsigned long)sizes[k]);
            figure(name, 2e-9 * (double)sizes[k] / t, "GB/s", k == 4 ? "copy_permille*bandwidth" : "-");
        }
        program_close(p, &g);
    }
}
static void measure_launches(probe *p) {
    enum {
        N = 200
    };
    static char source[40000];
    size_t n = (size_t)sprintf(source, "ENTRY e { v0 = f32[32] parameter(0)\n");
    int k;
    for (k = 1; k <= N; k++)
        n += (size_t)sprintf(
            source + n, "%sv%d = f32[32] %s(v%d)\n", k == N ? "ROOT " : "", k, k % 2 ? "negate" : "abs", k - 1);
    sprintf(source + n, "}");
    for (k = 0; k < 2; k++) {
        program g;
        double t;
        if (program_open(p, &g, source, k ? 1 : 1u << 30, false) && (t = program_time(p, &g)) > 0) {
            figure(k ? "graph_of_200_kernels" : "200_launches", t * 1e6, "us", "-");
            figure(k ? "node_of_a_graph" : "launch_in_a_stream", t * 1e9 / N, "ns", k ? "graph_ns" : "launch_ns");
            figure(k ? "load_of_200_kernels_graph" : "load_of_200_kernels", g.load * 1e3, "ms", "-");
            if (*xlagpu_rt_execution_note(g.execution))
                fprintf(stderr, "probe: %s\n", xlagpu_rt_execution_note(g.execution));
        }
        program_close(p, &g);
    }
}
static void measure_loops(probe *p) {
    char source[900];
    int turns = p->quick ? 3 : 300, k;
    snprintf(source, sizeof source,
        "below { s = (s32[], f32[8]) parameter(0) i = s32[] get-tuple-element(s), index=0 n = s32[] constant(%d) ROOT "
        "c = "
        "pred[] compare(i, n), direction=LT }\nstep { s = (s32[], f32[8]) parameter(0) i = s32[] get-tuple-element(s), "
        "index=0 x = f32[8] get-tuple-element(s), index=1 one = s32[] constant(1) j = s32[] add(i, one) y = f32[8] "
        "negate(x) ROOT t = (s32[], f32[8]) tuple(j, y) }\nENTRY e { z = s32[] constant(0) x = f32[8] parameter(0) a = "
        "(s32[], f32[8]) tuple(z, x) w = (s32[], f32[8]) while(a), condition=below, body=step ROOT r = f32[8] "
        "get-tuple-element(w), index=1 }\n",
        turns);
    for (k = 0; k < 2; k++) {
        program g;
        double t;
        if (program_open(p, &g, source, k ? 1 : 1u << 30, k != 0) && (t = program_time(p, &g)) > 0) {
            figure(k ? "turn_of_a_loop_in_a_graph" : "turn_of_a_loop", t * 1e9 / turns, "ns", "-");
            if (*xlagpu_rt_execution_note(g.execution))
                fprintf(stderr, "probe: %s\n", xlagpu_rt_execution_note(g.execution));
        }
        program_close(p, &g);
    }
}
static void measure_host(probe *p) {
    size_t bytes = p->quick ? 1 << 16 : 1 << 28;
    void *memory = calloc(bytes, 1);
    xlagpu_buffer b;
    int k;
    if (memory && xlagpu_rt_alloc(p->device, bytes, &b) == XLAGPU_OK) {
        for (k = 0; k < 2; k++) {
            double t, least = 1e9;
            int r;
            for (r = 0; r < 3; r++) {
                xlagpu_status s;
                t = seconds();
                s = k ? xlagpu_rt_download(p->device, memory, b, bytes) : xlagpu_rt_upload(p->device, b, memory, bytes);
                t = seconds() - t;
                if (s) say(p, "a copy to or from the host");
                if (t < least) least = t;
            }
            figure(k ? "download" : "upload", 1e-9 * (double)bytes / least, "GB/s", k ? "-" : "host_bandwidth");
        }
        xlagpu_rt_free(p->device, b);
    }
    free(memory);
}

/* ---- approximations ---- */

/* X(instruction, the most it may differ from the true value: in units of 2^-23 of the result, and absolutely). What the
 * PTX manual says of each; two devices may differ by twice that. */
#define APPROXIMATIONS(X) \
    X("ex2.approx.ftz.f32", 2, 0) \
    X("lg2.approx.ftz.f32", 1, 2.4e-7) \
    X("rcp.approx.ftz.f32", 1, 0) \
    X("rsqrt.approx.ftz.f32", 2, 0) \
    X("sqrt.approx.ftz.f32", 2, 0) \
    X("sin.approx.ftz.f32", 0, 4.8e-7) \
    X("cos.approx.ftz.f32", 0, 4.8e-7) \
    X("tanh.approx.f32", 4096, 0)
typedef struct approximation {
    const char *name;
    double units, absolute;
} approximation;
static const approximation approximations[] = {
#define X(name, units, absolute) {name, units, absolute},
    APPROXIMATIONS(X)
#undef X
};
enum {
    SAMPLES = 512
};
/* Of all signs and exponents where the function is of interest. */
static uint32_t sample(const char *name, uint32_t k) {
    uint32_t bits = k * 2654435761u + 12345, exponent = 127 - 20 + k % 30;
    bool positive = strncmp(name, "lg2", 3) == 0 || strstr(name, "sqrt");
    if (strncmp(name, "rcp", 3) == 0 || positive) exponent = 1 + k * 253 / SAMPLES;
    if (strncmp(name, "sin", 3) == 0 || strncmp(name, "cos", 3) == 0) exponent = 127 - 20 + k % 21; /* up to pi */
    return (positive ? 0 : (bits >> 3 & 1) << 31) | exponent << 23 | bits >> 9;
}
static bool approximate(probe *p, const approximation *a, uint32_t in[SAMPLES], uint32_t out[SAMPLES]) {
    static text t;
    unsigned char args[16];
    xlagpu_buffer from, to;
    xlagpu_ptx *ptx;
    xlagpu_ptx_launch l;
    uint32_t k;
    bool good;
    t.n = 0;
    put(&t,
        ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry probe(.param .u64 from, .param .u64 to) {\n"
        ".reg .b64 %%d<4>; .reg .b32 %%r<2>; .reg .f32 %%f<2>;\nld.param.u64 %%d0, [from];\nld.param.u64 %%d1, [to];\n"
        "mov.u32 %%r0, %%tid.x;\nmul.wide.u32 %%d2, %%r0, 4;\nadd.u64 %%d0, %%d0, %%d2;\nadd.u64 %%d1, %%d1, %%d2;\n"
        "ld.global.f32 %%f0, [%%d0];\n%s %%f1, %%f0;\nst.global.f32 [%%d1], %%f1;\nret;\n}\n",
        a->name);
    for (k = 0; k < SAMPLES; k++) in[k] = sample(a->name, k);
    good = xlagpu_rt_alloc(p->device, SAMPLES * 4, &from) == XLAGPU_OK;
    good = good && xlagpu_rt_alloc(p->device, SAMPLES * 4, &to) == XLAGPU_OK;
    good = good && xlagpu_rt_upload(p->device, from, in, SAMPLES * 4) == XLAGPU_OK;
    ptx = good ? xlagpu_rt_load_ptx(p->device, a->name, t.at, t.n) : NULL;
    memset(&l, 0, sizeof l);
    memcpy(args, &from.address, 8);
    memcpy(args + 8, &to.address, 8);
    l.entry = "probe";
    l.block[0] = SAMPLES;
    l.parameters = args;
    l.parameter_bytes = sizeof args;
    good = ptx && xlagpu_rt_run_ptx(ptx, &l, NULL) == XLAGPU_OK;
    good = good && xlagpu_rt_download(p->device, out, to, SAMPLES * 4) == XLAGPU_OK;
    if (!good) say(p, a->name);
    xlagpu_rt_unload_ptx(ptx);
    xlagpu_rt_free(p->device, to);
    xlagpu_rt_free(p->device, from);
    return good;
}
static void write_approximations(probe *p, const char *path) {
    uint32_t in[SAMPLES], out[SAMPLES], k;
    size_t a;
    FILE *f = fopen(path, "w");
    if (!f) {
        fprintf(stderr, "probe: %s cannot be written\n", path);
        p->failed++;
        return;
    }
    fprintf(f, "# bits of operand and result on %s (%s)\n", xlagpu_rt_name(p->device), xlagpu_rt_platform(p->device));
    for (a = 0; a < sizeof approximations / sizeof *approximations; a++)
        if (approximate(p, &approximations[a], in, out))
            for (k = 0; k < SAMPLES; k++) fprintf(f, "%s\t%08x\t%08x\n", approximations[a].name, in[k], out[k]);
    fclose(f);
}
static float of_bits(uint32_t bits) {
    float f;
    memcpy(&f, &bits, 4);
    return f;
}
/* May two devices give these two? */
static bool agree(const approximation *a, uint32_t x, uint32_t y) {
    double u = of_bits(x), v = of_bits(y);
    if (x == y || (isnan(u) && isnan(v))) return true;
    return fabs(u - v) <= 2 * (a->units * ldexp(fmax(fabs(u), fabs(v)), -23) + a->absolute);
}
static int check_approximations(probe *p, const char *path) {
    static uint32_t in[SAMPLES], out[SAMPLES];
    FILE *f = fopen(path, "r");
    char line[200], name[80];
    const approximation *now = NULL;
    unsigned long passed = 0, failed = 0;
    uint32_t x, y, k;
    size_t a;
    if (!f) return fprintf(stderr, "probe: %s cannot be read\n", path), 2;
    while (fgets(line, sizeof line, f)) {
        if (line[0] == '#' || sscanf(line, "%79s %x %x", name, &x, &y) != 3) continue;
        if (!now || strcmp(now->name, name) != 0) {
            now = NULL;
            for (a = 0; a < sizeof approximations / sizeof *approximations; a++)
                if (strcmp(approximations[a].name, name) == 0) now = &approximations[a];
            if (!now || !approximate(p, now, in, out)) {
                failed++;
                now = NULL;
                continue;
            }
        }
        for (k = 0; k < SAMPLES && in[k] != x; k++) {}
        if (k < SAMPLES && agree(now, out[k], y))
            passed++;
        else if (failed++ < 20)
            printf("FAIL %s of %08x is %08x there, %08x here\n", name, x, y, k < SAMPLES ? out[k] : 0);
    }
    fclose(f);
    printf("%lu passed, %lu failed\n", passed, failed + (unsigned long)p->failed);
    return failed || p->failed || !passed;
}

int main(int argc, char **argv) {
    const char *approx = NULL, *check = NULL;
    xlagpu_device_desc desc;
    probe p;
    int k;
    memset(&p, 0, sizeof p);
    memset(&desc, 0, sizeof desc);
    desc.platform = "cuda";
    for (k = 1; k < argc; k++) {
        if (strncmp(argv[k], "--platform=", 11) == 0) desc.platform = argv[k] + 11;
        if (strncmp(argv[k], "--driver=", 9) == 0) desc.driver = argv[k] + 9;
        if (strncmp(argv[k], "--approx=", 9) == 0) approx = argv[k] + 9;
        if (strncmp(argv[k], "--check=", 8) == 0) check = argv[k] + 8;
        if (strcmp(argv[k], "--quick") == 0) p.quick = true;
    }
    if (xlagpu_rt_open(&desc, &p.device)) {
        fprintf(stderr, "%s\n", xlagpu_rt_error(p.device));
        xlagpu_rt_close(p.device);
        return 3;
    }
    if (check) {
        k = check_approximations(&p, check);
        xlagpu_rt_close(p.device);
        return k;
    }
    printf("# %s (%s), compiled for %s\nname\tvalue\tunit\tfigure\n", xlagpu_rt_name(p.device),
        xlagpu_rt_platform(p.device), xlagpu_rt_target(p.device));
    measure_kernels(&p);
    measure_copies(&p);
    measure_launches(&p);
    measure_loops(&p);
    measure_host(&p);
    if (approx) write_approximations(&p, approx);
    xlagpu_rt_close(p.device);
    return p.failed != 0;
}
