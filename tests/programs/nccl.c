/* tests/programs/nccl.c -- GPUs that meet by NCCL, over a driver and an NCCL without GPUs and network.
 *
 * This file is both: with -DFAKE_NCCL the library (fake_nccl.h), with -DFAKE_LACKING one without a function, with
 * -DFAKE_OLD one that cannot split communicators, else the program, which has them and the driver built by $CC (default
 * cc). Laws: every collective is right, in one process and in several; every failure of NCCL, every device and every
 * process that does not come is a status with a message within the time that was given, and nothing is left.
 * Ends with "N passed, N failed". */
#ifdef FAKE_OLD
#define ncclCommSplit absent
#endif
#include "fake_nccl.h"
#ifndef FAKE_NCCL
#define XLAGPU_USE_NCCL
#include "../../src/xlagpu.h"
#include "../../src/xlagpu_runtime.h"
#include "expect.h"
#include "fake_state.h"
#include <arpa/inet.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    DEVICES = 4,
    MOST = 64,
    MESSAGE = 2048
};
#define FOLDER "./build/fake_nccl"
#define DRIVER FOLDER "/fake_cuda.so"

static fake_state *fake;
static fake_nccl_state *nccl;
static const char *folder = FOLDER;
static bool no_command_buffers;

/* Counts for several threads. */
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static long alive;
static void *count_alloc(void *user, size_t bytes) {
    pthread_mutex_lock(&guard);
    alive++;
    pthread_mutex_unlock(&guard);
    (void)user;
    return malloc(bytes ? bytes : 1);
}
static void count_release(void *user, void *p) {
    pthread_mutex_lock(&guard);
    alive -= p != NULL;
    pthread_mutex_unlock(&guard);
    (void)user;
    free(p);
}
static void reset(void) {
    memset(fake, 0, sizeof *fake);
    fake->devices = 8;
    fake->major = 9;
    fake->version = 12080;
    memset(nccl, 0, sizeof *nccl);
    nccl->version = 22809;
}
static bool nothing_left(void) {
    return !alive && !nccl->comms && !fake->contexts && !fake->memory && !fake->modules && !fake->pushed &&
           !fake->events && !fake->streams && !fake->graphs && !fake->execs && !fake->peers && !fake->handles &&
           !nccl->captured && !nccl->stuck;
}
static xlagpu_rt_clique_desc describe(uint32_t devices, double timeout) {
    xlagpu_rt_clique_desc d;
    memset(&d, 0, sizeof d);
    d.device.platform = "cuda";
    d.device.driver = DRIVER;
    d.device.no_command_buffers = no_command_buffers;
    d.device.library_folder = folder;
    d.device.allocator.alloc = count_alloc;
    d.device.allocator.release = count_release;
    d.devices = devices;
    d.timeout = timeout;
    return d;
}
static xlagpu_clique *open_clique(uint32_t devices, double timeout, counter *unused) {
    xlagpu_rt_clique_desc d = describe(devices, timeout);
    xlagpu_clique *c = NULL;
    (void)unused;
    if (xlagpu_rt_clique_open(&d, &c) != XLAGPU_OK) printf("%s\n", xlagpu_rt_clique_error(c));
    return c;
}
static bool build(const char *flags, const char *source, const char *to) {
    char command[1000];
    const char *cc = getenv("CC");
    snprintf(command, sizeof command,
        "mkdir -p " FOLDER "/old " FOLDER "/lacking && %s -std=gnu99 -w -O0 -shared -fPIC %s tests/programs/%s -o %s "
        "-lm -ldl -lpthread",
        cc ? cc : "cc", flags, source, to);
    return system(command) == 0;
}
/* Of these NCCL has no s16, u16 and f8: they are reduced in wider types. */
#define COLLECTIVE_TYPES "f64", "f16", "bf16", "f8e4m3fn", "s8", "s16", "s64", "u8", "u16", "u32", "u64", "c64"
#include "collectives.h"
#include "peers.h"

/* ---- one process ---- */

static void every_collective(void) {
    reset();
    check_collectives();
    check_types();
    EXPECT(nothing_left() && nccl->works > 60 && nccl->splits > 8);
    reset(); /* in any order that streams and events allow, and slowly */
    fake->late = 4711;
    nccl->slow = 3;
    check_collectives();
    EXPECT(nothing_left());
}

/* How often a program with one all-reduce of four devices asks for each of these. */
static long fake_calls(const char *name) {
    return strcmp(name, "cuMulticastGetGranularity") == 0 || strcmp(name, "cuMulticastCreate") == 0 ? 1
           : strcmp(name, "cuMulticastAddDevice") == 0 || strcmp(name, "cuMulticastBindMem") == 0 ||
                   strcmp(name, "cuMemCreate") == 0
               ? DEVICES
               : DEVICES + 1;
}
/* Kernels that read what other devices have; refused, NCCL. */
static void by_peers(void) {
    static const char *const refused[] = {"cuDeviceCanAccessPeer", "cuCtxEnablePeerAccess"};
    size_t k;
    long n;
    reset();
    check_peers(false);
    EXPECT(nothing_left() && !nccl->works && !fake->races && fake->waits);
    reset();
    fake->late = 4711;
    check_peers(false);
    EXPECT(nothing_left() && !nccl->works && !fake->races);
    reset(); /* streams that do not wait are seen */
    fake->deaf = 1;
    peers_case("f32", "maximum", 0, 1, false);
    EXPECT(nothing_left() && fake->races);
    reset();
    fake->strangers = 1;
    peers_case("f32", "add", 1, 2, false);
    EXPECT(nothing_left() && nccl->works);
    for (k = 0; k < 2; k++)
        for (n = 1; n < 20; n++) {
            reset();
            fake->fail = refused[k];
            fake->fail_at = n;
            fake->error = 1;
            peers_case("f32", "add", 0, 2, false);
            EXPECT_IN(nothing_left() && !fake->races, refused[k]);
            if (fake->seen < n) break;
            EXPECT_IN(nccl->works > 0, refused[k]); /* two that do not reach each other are in the one group */
        }
}
/* Multicast objects; without them, and whichever of the driver's calls refuses one, kernels that read; else NCCL. */
static void by_multimem(void) {
    static const char *const refused[] = {"cuMulticastGetGranularity", "cuMulticastCreate", "cuMulticastAddDevice",
        "cuMulticastBindMem", "cuMemCreate", "cuMemAddressReserve", "cuMemMap", "cuMemSetAccess"};
    static const char *const ending[] = {"cuMulticastUnbind", "cuMemUnmap", "cuMemAddressFree", "cuMemRelease"};
    size_t k;
    long n;
    reset();
    fake->multicast = 1;
    check_multimem(true);
    EXPECT(nothing_left() && !nccl->works && !fake->races);
    reset();
    fake->multicast = 1;
    fake->late = 4711;
    check_multimem(true);
    EXPECT(nothing_left() && !nccl->works && !fake->races);
    peers_device = PEERS_SLOW_LINKS;
    peers_kernel = "peers_multimem";
    reset(); /* streams that do not wait are seen */
    fake->multicast = fake->deaf = 1;
    peers_case("f32", "add", 0, 1, false);
    EXPECT(nothing_left() && fake->races);
    for (k = 0; k < sizeof ending / sizeof *ending; k++) { /* what cannot be taken back is no failure of a run */
        reset();
        fake->multicast = 1;
        fake->fail = ending[k];
        fake->fail_at = 1;
        fake->error = 1;
        peers_case("f32", "add", 0, 1, true);
        EXPECT_IN(fake->seen >= 1, ending[k]);
    }
    peers_kernel = "peers_all_reduce";
    reset();
    peers_case("f32", "add", 0, 2, true);
    EXPECT(nothing_left() && !nccl->works && !fake->races);
    for (k = 0; k < sizeof refused / sizeof *refused; k++)
        for (n = 1; n < 20; n++) {
            reset();
            fake->multicast = 1;
            fake->fail = refused[k];
            fake->fail_at = n;
            fake->error = 1;
            peers_kernel = fake_calls(refused[k]) < n ? "peers_multimem" : "peers_all_reduce";
            peers_case("f32", "add", 0, 2, true);
            EXPECT_IN(nothing_left() && !nccl->works && !fake->races, refused[k]);
            EXPECT_IN((fake->seen < n) == (n > fake_calls(refused[k])), refused[k]);
            if (fake->seen < n) break;
        }
    peers_kernel = "peers_none";
    reset();
    fake->strangers = 1;
    peers_case("f32", "add", 0, 1, false);
    EXPECT(nothing_left() && nccl->works);
    peers_device = "";
    peers_kernel = "peers";
}
/* Each call that it asks of the driver fails once, on one device: all say so, none waits for ever. */
static void by_peers_failing(bool multicast) {
    static const char *const names[] = {"cuEventRecord", "cuStreamWaitEvent", "cuLaunchKernel", "cuMemcpyAsync"};
    xlagpu_context *c = xlagpu_create(NULL);
    float in[4 * PEERS_ROW], out[4 * PEERS_ROW];
    xlagpu_rt_tensor from = {in, sizeof in}, to = {out, sizeof out};
    char text[PEERS_TEXT];
    xlagpu_bytes exe;
    size_t k;
    long n;
    memset(in, 0, sizeof in);
    peers_device = multicast ? PEERS_SLOW_LINKS : "";
    peers_text(text, "f32", "add", "{{0,1,2,3}}", 1);
    peers_device = "";
    exe = peers_compile(c, text);
    for (k = 0; k < sizeof names / sizeof *names; k++)
        for (n = 1; n < 100; n++) {
            xlagpu_clique *q;
            xlagpu_program *p;
            xlagpu_status s;
            reset();
            fake->multicast = multicast;
            q = open_clique(DEVICES, 5, NULL);
            p = xlagpu_rt_clique_load(q, exe.data, exe.size);
            fake->fail = names[k];
            fake->fail_at = n;
            fake->error = 1;
            s = p ? xlagpu_rt_clique_run(p, &from, 1, &to, 1) : XLAGPU_ERROR_INVALID;
            EXPECT_IN(s == (fake->seen < n ? XLAGPU_OK : XLAGPU_ERROR_DEVICE), names[k]);
            if (s != XLAGPU_OK) EXPECT_TEXT(xlagpu_rt_clique_error(q), "device ");
            xlagpu_rt_clique_close(q);
            EXPECT_IN(nothing_left(), names[k]);
            if (fake->seen < n) break;
        }
    xlagpu_destroy(c);
}

/* m m of all devices, and m m m m of each, which has not to wait for that. */
static double product_of(const double *a, const double *b, int i) {
    double sum = 0;
    int k;
    for (k = 0; k < 5; k++) sum += a[i / 5 * 5 + k] * b[k * 5 + i % 5];
    return sum;
}
static double beside_wanted(int device, int i) {
    double m[25], c[25], d[25], all = 0;
    int k, other;
    for (other = DEVICES; other >= 0; other--) { /* the device's own last */
        for (k = 0; k < 25; k++) m[k] = input(other ? other - 1 : device, k);
        for (k = 0; k < 25; k++) c[k] = product_of(m, m, k);
        if (other) all += c[i];
    }
    for (k = 0; k < 25; k++) d[k] = product_of(c, m, k);
    return product_of(d, m, i) + all;
}
/* What needs no collective runs while devices meet. */
static void beside(void) {
    static const char text[] =
        "HloModule m, num_partitions=4\n" ADD MAIN
        "x = f32[25] parameter(0)\n o = f32[5,5] reshape(x)\n z = f32[] constant(0)\n m = f32[64,64] pad(o, z), "
        "padding=0_59x0_59\n c = f32[64,64] dot(m, m), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n u = "
        "f32[5,5] slice(c), slice={[0:5],[0:5]}\n r = f32[5,5] all-reduce(u), " ALL
        ", to_apply=add\n d = f32[64,64] dot(c, m), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n e = "
        "f32[64,64] dot(d, m), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n t = f32[5,5] slice(e), "
        "slice={[0:5],[0:5]}\n s = f32[5,5] add(t, r)\n ROOT y = f32[25] reshape(s) }";
    unsigned long long late;
    for (late = 0; late < 16; late++) { /* half of them on two streams, half as branches of a graph */
        reset();
        fake->late = late / 2 * 7919;
        no_command_buffers = late % 2;
        check("computing beside a collective", text, 25, 25, beside_wanted);
        EXPECT(nothing_left() && !fake->races);
        EXPECT(no_command_buffers ? fake->aside >= DEVICES && !fake->children
                                  : fake->beside >= DEVICES && fake->children == DEVICES);
    }
    no_command_buffers = false;
}

/* A product of whole arrays, in parts. */
typedef struct product {
    float a[70], b[63], x[90];
    xlagpu_rt_tensor in[2], out;
} product;
static const char product_text[] =
    "HloModule product, num_partitions=4\nENTRY e {\n"
    "  p = f32[10,7] parameter(0), sharding={devices=[4,1]<=[4]}\n"
    "  q = f32[7,9] parameter(1), sharding={devices=[1,2,2]<=[4] last_tile_dim_replicate}\n"
    "  ROOT d = f32[10,9] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
    "sharding={devices=[2,2]<=[4]}\n}\n";
static void product_fill(product *p) {
    int i;
    for (i = 0; i < 70; i++) p->a[i] = (float)(i % 11 - 5);
    for (i = 0; i < 63; i++) p->b[i] = (float)(i % 5 - 2);
    for (i = 0; i < 90; i++) p->x[i] = 1e6f;
    p->in[0].data = p->a;
    p->in[0].bytes = sizeof p->a;
    p->in[1].data = p->b;
    p->in[1].bytes = sizeof p->b;
    p->out.data = p->x;
    p->out.bytes = sizeof p->x;
}
/* Rows from .. to; the others have not been written. */
static bool product_right(const product *p, int from, int to) {
    int i, j, k;
    for (i = 0; i < 10; i++)
        for (j = 0; j < 9; j++) {
            float sum = 0;
            for (k = 0; k < 7; k++) sum += p->a[i * 7 + k] * p->b[k * 9 + j];
            if (p->x[i * 9 + j] != (i >= from && i < to ? sum : 1e6f)) return false;
        }
    return true;
}

/* What a clique says that runs the executable: "" when all was well. */
static xlagpu_status attempt(xlagpu_bytes exe, double timeout, char *message) {
    xlagpu_rt_clique_desc desc = describe(DEVICES, timeout);
    xlagpu_clique *q = NULL;
    xlagpu_program *p = NULL;
    product w;
    xlagpu_status s = xlagpu_rt_clique_open(&desc, &q);
    product_fill(&w);
    if (s == XLAGPU_OK && !(p = xlagpu_rt_clique_load(q, exe.data, exe.size))) s = XLAGPU_ERROR_INVALID;
    if (s == XLAGPU_OK) s = xlagpu_rt_clique_run(p, w.in, 2, &w.out, 1);
    if (s == XLAGPU_OK) EXPECT(product_right(&w, 0, 10));
    snprintf(message, MESSAGE, "%s", xlagpu_rt_clique_error(q));
    EXPECT((s == XLAGPU_OK) == !*message);
    xlagpu_rt_clique_close(q);
    return s;
}
/* Each call of NCCL fails once. */
static void every_failure(xlagpu_bytes exe) {
    static const char *const names[] = {"ncclGetVersion", "ncclGetUniqueId", "ncclCommInitRankConfig", "ncclCommSplit",
        "ncclCommFinalize", "ncclCommDestroy", "ncclCommAbort", "ncclCommGetAsyncError", "ncclGroupStart",
        "ncclGroupEnd", "ncclSend", "ncclRecv", "ncclAllGather", "ncclAllReduce"};
    char message[MESSAGE], what[100];
    size_t k;
    long n;
    for (k = 0; k < sizeof names / sizeof *names; k++) {
        bool quiet = strcmp(names[k], "ncclCommFinalize") == 0 || strcmp(names[k], "ncclCommDestroy") == 0 ||
                     strcmp(names[k], "ncclCommAbort") == 0;
        for (n = 1; n < 40; n++) {
            xlagpu_status s;
            reset();
            nccl->fail = names[k];
            nccl->fail_at = n;
            nccl->error = 1;
            snprintf(what, sizeof what, "%s, call %ld", names[k], n);
            s = attempt(exe, 0.5, message);
            EXPECT_IN(nothing_left(), what);
            if (nccl->seen < n) break;
            if (quiet || (s == XLAGPU_OK && strcmp(names[k], "ncclCommGetAsyncError") == 0)) continue;
            EXPECT_IN(s != XLAGPU_OK, what);
            EXPECT_IN(strstr(message, "(error 1 of NCCL)") || strstr(message, "NCCL is of version"), message);
        }
    }
}
/* Each call of the driver's functions of capturing fails once, on one device: it goes on step by step and meets the
 * others, which have graphs. */
static void refused_captures(xlagpu_bytes exe) {
    static const char *const names[] = {"cuStreamBeginCapture_v2", "cuStreamEndCapture", "cuEventRecordWithFlags",
        "cuGraphAddChildGraphNode", "cuGraphInstantiateWithFlags", "cuStreamGetCaptureInfo_v2"};
    char message[MESSAGE];
    size_t k;
    long n;
    reset();
    EXPECT(attempt(exe, 5, message) == XLAGPU_OK && nothing_left());
    EXPECT(fake->graph_launches >= DEVICES && fake->children >= DEVICES && !fake->races);
    for (k = 0; k < sizeof names / sizeof *names; k++)
        for (n = 1; n < 100; n++) {
            bool asked = strcmp(names[k], "cuStreamGetCaptureInfo_v2") == 0; /* by NCCL, which fails then */
            xlagpu_status s;
            reset();
            fake->fail = names[k];
            fake->fail_at = n;
            fake->error = 900;
            s = attempt(exe, 2, message);
            EXPECT_IN(nothing_left(), names[k]);
            if (fake->seen < n) break;
            EXPECT_IN(s == (asked ? XLAGPU_ERROR_DEVICE : XLAGPU_OK), names[k]);
            if (asked) EXPECT_TEXT(message, "(error 1 of NCCL)");
        }
}
/* Runs at other addresses: what was captured is captured again, in a graph that stays; refused, in a new one. */
static xlagpu_status run_twice(xlagpu_bytes exe, const double *in, double want) {
    xlagpu_clique *q = open_clique(DEVICES, 5, NULL);
    xlagpu_program *p = xlagpu_rt_clique_load(q, exe.data, exe.size);
    xlagpu_status s = XLAGPU_OK;
    one all[2][DEVICES];
    float y[MOST];
    int d, k;
    for (k = 0; k < 2; k++)
        for (d = 0; d < DEVICES; d++) {
            xlagpu_device *on = xlagpu_rt_clique_device(q, (uint32_t)d);
            float x = (float)(in[d] + k);
            one *o = &all[k][d];
            o->execution = k ? all[0][d].execution : xlagpu_rt_prepare(xlagpu_rt_clique_program(p, (uint32_t)d));
            xlagpu_rt_alloc(on, sizeof x, &o->in);
            xlagpu_rt_alloc(on, sizeof x, &o->out);
            xlagpu_rt_upload(on, o->in, &x, sizeof x);
        }
    for (k = 0; k < 2; k++) {
        for (d = 0; d < DEVICES; d++) pthread_create(&all[k][d].thread, NULL, run_one, &all[k][d]);
        for (d = 0; d < DEVICES; d++) pthread_join(all[k][d].thread, NULL);
        for (d = 0; d < DEVICES; d++) {
            if (s == XLAGPU_OK) s = all[k][d].status;
            xlagpu_rt_download(xlagpu_rt_clique_device(q, (uint32_t)d), y, all[k][d].out, sizeof *y);
            EXPECT(s != XLAGPU_OK || (double)y[0] == want + 2 * DEVICES * k);
        }
    }
    xlagpu_rt_clique_close(q);
    return s;
}
static void other_addresses(void) {
    xlagpu_context *c = xlagpu_create(NULL);
    xlagpu_module *m;
    xlagpu_compile_desc desc;
    xlagpu_bytes exe = {NULL, 0};
    static const char text[] =
        "HloModule m, num_partitions=4\n" ADD MAIN
        "x = f32[1] parameter(0)\n d = f32[1] add(x, x)\n ROOT r = f32[1] all-reduce(d), " ALL ", to_apply=add }";
    static const double in[DEVICES] = {1, 2, 3, 4};
    long n;
    memset(&desc, 0, sizeof desc);
    desc.target.name = "sm_90a";
    desc.command_buffer_least = 1;
    m = xlagpu_parse(c, "twice", text, strlen(text));
    if (m) exe = xlagpu_compile(m, &desc);
    if (!EXPECT(exe.data != NULL)) return;
    reset();
    EXPECT(run_twice(exe, in, 20) == XLAGPU_OK && nothing_left());
    EXPECT(fake->captures == 2 * DEVICES && fake->children == DEVICES && fake->execs == 0);
    for (n = 1; n <= DEVICES; n++) {
        reset();
        fake->fail = "cuGraphExecChildGraphNodeSetParams";
        fake->fail_at = n;
        fake->error = 910;
        EXPECT(run_twice(exe, in, 20) == XLAGPU_OK && nothing_left());
        EXPECT(fake->seen == DEVICES && fake->children == DEVICES + 1);
    }
    xlagpu_destroy(c);
}
static void one_that_never_comes(xlagpu_bytes exe) {
    char message[MESSAGE];
    xlagpu_clique *q;
    xlagpu_program *p;
    product w;
    reset();
    nccl->hang = 3;
    EXPECT(attempt(exe, 0.3, message) == XLAGPU_ERROR_DEVICE && nothing_left());
    EXPECT_TEXT(message, ": HLO ");
    EXPECT_TEXT(message, "other devices have not come within 300 ms");
    reset(); /* a rank that goes is known at once */
    nccl->hang = 3;
    nccl->late_error = 6;
    EXPECT(attempt(exe, 20, message) == XLAGPU_ERROR_DEVICE && nothing_left());
    EXPECT_TEXT(message, "a rank has gone (error 6 of NCCL)");
    reset(); /* and then the clique is of no use */
    nccl->hang = 1;
    q = open_clique(DEVICES, 0.2, NULL);
    p = xlagpu_rt_clique_load(q, exe.data, exe.size);
    product_fill(&w);
    EXPECT(xlagpu_rt_clique_run(p, w.in, 2, &w.out, 1) == XLAGPU_ERROR_DEVICE);
    nccl->hang = 0;
    EXPECT(xlagpu_rt_clique_run(p, w.in, 2, &w.out, 1) == XLAGPU_ERROR_USAGE);
    EXPECT_TEXT(xlagpu_rt_clique_error(q), "the clique failed earlier: open another one");
    EXPECT(!xlagpu_rt_clique_load(q, exe.data, exe.size));
    EXPECT_TEXT(xlagpu_rt_clique_error(q), "the clique failed earlier: open another one");
    xlagpu_rt_clique_close(q);
    EXPECT(nothing_left());
}

/* Device 2 fails before it meets the others. */
static xlagpu_status sometimes(void *user, const xlagpu_rt_call *call) {
    (void)call;
    return *(bool *)user ? XLAGPU_ERROR_DEVICE : XLAGPU_OK;
}
static void one_that_fails(void) {
    xlagpu_context *c = xlagpu_create(NULL);
    xlagpu_bytes exe = compile(c,
        "HloModule calls, num_partitions=4\n" ADD MAIN
        "x = f32[5] parameter(0)\n k = f32[5] custom-call(x), custom_call_target=\"sometimes\"\n ROOT meet = f32[5] "
        "all-reduce(k), " ALL ", to_apply=add }");
    float x[5] = {1, 2, 3, 4, 5}, y[5];
    xlagpu_rt_tensor in = {x, sizeof x}, out = {y, sizeof y};
    bool bad[DEVICES] = {false, false, true, false};
    xlagpu_clique *q;
    xlagpu_program *p;
    uint32_t k;
    reset();
    q = open_clique(DEVICES, 20, NULL);
    for (k = 0; k < DEVICES; k++) xlagpu_rt_register(xlagpu_rt_clique_device(q, k), "sometimes", sometimes, &bad[k]);
    p = xlagpu_rt_clique_load(q, exe.data, exe.size);
    EXPECT(xlagpu_rt_clique_run(p, &in, 1, &out, 1) == XLAGPU_ERROR_DEVICE);
    EXPECT_TEXT(xlagpu_rt_clique_error(q), "device 2: the function 'sometimes' failed");
    xlagpu_rt_clique_close(q);
    EXPECT(nothing_left());
    xlagpu_destroy(c);
}
static void absences(xlagpu_bytes exe) {
    char message[MESSAGE];
    reset();
    folder = FOLDER "/lacking";
    EXPECT(attempt(exe, 1, message) == XLAGPU_ERROR_UNSUPPORTED && nothing_left());
    EXPECT_TEXT(message, "NCCL has no ncclRecv: it is too old");
    folder = "./build/no_such_folder";
    EXPECT(attempt(exe, 1, message) == XLAGPU_ERROR_UNSUPPORTED && nothing_left());
    EXPECT_TEXT(message, "NCCL cannot be opened (libnccl.so.2)");
    folder = FOLDER;
    nccl->version = 21304;
    EXPECT(attempt(exe, 1, message) == XLAGPU_ERROR_UNSUPPORTED && nothing_left());
    EXPECT_TEXT(message, "NCCL is of version 21304: 21400 is needed");
    reset();
    fake->devices = 3;
    EXPECT(attempt(exe, 1, message) == XLAGPU_ERROR_USAGE && nothing_left());
    EXPECT_TEXT(message, "device 3: there is no GPU number 3: the driver knows 3");
}
/* A library that cannot split: groups get ids of their own. */
static void without_splits(void) {
    fake_nccl_state *usual = nccl;
    void *library = dlopen(FOLDER "/old/libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    nccl = (fake_nccl_state *)dlsym(library, "fake_nccl");
    folder = FOLDER "/old";
    reset();
    check_collectives();
    EXPECT(nothing_left() && nccl->works > 20 && !nccl->splits);
    folder = FOLDER;
    nccl = usual;
}

/* ---- two processes, each with two devices ---- */

typedef struct team { /* what they have in common */
    int port, pipes[2];
    xlagpu_bytes exe[2]; /* of each process */
    double timeout;
} team;
static xlagpu_status share_by_pipe(void *user, void *bytes, size_t size) {
    const team *t = (const team *)user;
    char *at = (char *)bytes;
    long n;
    if (!strcmp(getenv("SHARE_RANK"), "0"))
        return write(t->pipes[1], bytes, size) == (long)size ? XLAGPU_OK : XLAGPU_ERROR_DEVICE;
    for (; size; size -= (size_t)n, at += n)
        if ((n = read(t->pipes[0], at, size)) <= 0) return XLAGPU_ERROR_DEVICE;
    return XLAGPU_OK;
}
static void environment(const char *rank, const char *size, const char *local, int me, int port) {
    char text[16];
    snprintf(text, sizeof text, "%d", me);
    setenv(rank, text, 1);
    setenv(size, "2", 1);
    setenv(local, text, 1);
    snprintf(text, sizeof text, "%d", port);
    setenv("MASTER_PORT", text, 1);
}
typedef struct names {
    const char *rank, *size, *local;
} names;
static const names launchers[] = {{"RANK", "WORLD_SIZE", "LOCAL_RANK"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"}, {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"}};
typedef enum way {
    BY_ADDRESS,
    BY_FUNCTION,
    BY_TORCHRUN,
    BY_MPIRUN,
    BY_PMI,
    BY_SRUN
} way;
static xlagpu_rt_clique_desc describe_process(const team *t, way how, int me, char address[64]) {
    xlagpu_rt_clique_desc d = describe(2, t->timeout);
    if (how >= BY_TORCHRUN) {
        const names *n = &launchers[how - BY_TORCHRUN];
        environment(n->rank, n->size, n->local, me, t->port);
        if (how == BY_SRUN)
            setenv("SLURM_STEP_NODELIST", "localhost,gpu[07-09]", 1);
        else
            setenv("MASTER_ADDR", "127.0.0.1", 1);
        d.environment = true;
        return d;
    }
    d.device.ordinal = 2 * me;
    d.process = (uint32_t)me;
    d.processes = 2;
    snprintf(address, 64, "127.0.0.1:%d", t->port);
    if (how == BY_ADDRESS) d.address = address;
    if (how == BY_FUNCTION) {
        setenv("SHARE_RANK", me ? "1" : "0", 1);
        d.share = share_by_pipe;
        memcpy(&d.share_user, &t, sizeof t);
    }
    return d;
}
/* In a process of its own: 0 as its exit status when all is as it should be. want: what its error says; NULL: none. */
static int process(const team *t, way how, int me, const char *want) {
    char address[64];
    xlagpu_rt_clique_desc d = describe_process(t, how, me, address);
    xlagpu_clique *q = NULL;
    xlagpu_program *p = NULL;
    xlagpu_rt_value v;
    product w;
    bool right = xlagpu_rt_clique_open(&d, &q) == XLAGPU_OK;
    product_fill(&w);
    if (right) right = (p = xlagpu_rt_clique_load(q, t->exe[me].data, t->exe[me].size)) != NULL;
    if (right) right = xlagpu_rt_clique_result(p, 0, &v) && v.dims[0] == 10;
    if (right) right = xlagpu_rt_clique_run(p, w.in, 2, &w.out, 1) == XLAGPU_OK;
    if (right) right = product_right(&w, 5 * me, 5 * me + 5);
    if (want ? right || !strstr(xlagpu_rt_clique_error(q), want) : !right) {
        printf("process %d, way %d: %s\n", me, (int)how, xlagpu_rt_clique_error(q));
        fflush(stdout);
        right = false;
    } else
        right = true;
    xlagpu_rt_clique_close(q);
    return right && nothing_left() ? 0 : 1;
}
static bool wait_for(pid_t pid) {
    int status = 1;
    waitpid(pid, &status, 0);
    return status == 0;
}
static int free_port(void) {
    struct sockaddr_in at;
    socklen_t n = sizeof at;
    int s = socket(AF_INET, SOCK_STREAM, 0);
    memset(&at, 0, sizeof at);
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(s, (struct sockaddr *)&at, sizeof at) || getsockname(s, (struct sockaddr *)&at, &n)) return 0;
    close(s);
    return ntohs(at.sin_port);
}
/* Speaks first, and not as a process does. */
static void stranger(int port) {
    struct sockaddr_in at;
    int s = socket(AF_INET, SOCK_STREAM, 0), tries;
    memset(&at, 0, sizeof at);
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    at.sin_port = htons((unsigned short)port);
    for (tries = 0; tries < 500 && connect(s, (struct sockaddr *)&at, sizeof at); tries++) usleep(2000);
    if (write(s, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", 35) < 0) usleep(1);
    close(s);
}
/* Both processes; wants: what the error of each says. */
static void two(team *t, way how, const char *want_0, const char *want_1, bool visited) {
    pid_t pids[2], visitor = 0;
    int k;
    reset();
    t->port = free_port();
    fflush(stdout);
    if (visited && (visitor = fork()) == 0) {
        stranger(t->port);
        _exit(0);
    }
    for (k = 0; k < 2; k++)
        if ((pids[k] = fork()) == 0) {
            if (visited && k) usleep(200000);
            _exit(process(t, how, k, k ? want_1 : want_0));
        }
    for (k = 0; k < 2; k++) EXPECT_IN(wait_for(pids[k]), want_0 ? want_0 : k ? "process 1" : "process 0");
    if (visited) EXPECT(wait_for(visitor));
}
/* A process that comes, and goes before the other one has loaded its program. */
static void one_dies(team *t) {
    pid_t pids[2];
    int k;
    reset();
    t->port = free_port();
    fflush(stdout);
    for (k = 0; k < 2; k++)
        if ((pids[k] = fork()) == 0) {
            char address[64];
            xlagpu_rt_clique_desc d = describe_process(t, BY_ADDRESS, 1, address);
            xlagpu_clique *q = NULL;
            if (!k) _exit(process(t, BY_ADDRESS, 0, " ms"));
            if (xlagpu_rt_clique_open(&d, &q) == XLAGPU_OK) raise(SIGKILL);
            _exit(1);
        }
    EXPECT(wait_for(pids[0]));
    EXPECT(!wait_for(pids[1]));
}
static void one_alone(team *t) {
    pid_t pid;
    int me;
    reset();
    for (me = 0; me < 2; me++) {
        t->port = free_port();
        t->timeout = 0.3;
        fflush(stdout);
        if ((pid = fork()) == 0)
            _exit(process(t, BY_ADDRESS, me,
                me ? "process 0 has not been found at 127.0.0.1:" : "1 of 2 processes have come to port "));
        EXPECT(wait_for(pid));
    }
}
static void processes(xlagpu_bytes exe, xlagpu_bytes other) {
    team t;
    int how;
    memset(&t, 0, sizeof t);
    t.timeout = 20;
    t.exe[0] = t.exe[1] = exe;
    for (how = BY_ADDRESS; how <= BY_SRUN; how++) {
        if (how == BY_FUNCTION && pipe(t.pipes)) return;
        two(&t, (way)how, NULL, NULL, how == BY_ADDRESS);
    }
    t.exe[1] = other;
    t.timeout = 1;
    two(&t, BY_ADDRESS, " ms", "process 0 has another program", false);
    t.exe[1] = exe;
    one_dies(&t);
    one_alone(&t);
}
static void wrong_descriptions(void) {
    xlagpu_rt_clique_desc d = describe(2, 0.2);
    xlagpu_clique *q = NULL;
    reset();
    d.processes = 2;
    EXPECT(xlagpu_rt_clique_open(&d, &q) == XLAGPU_ERROR_USAGE);
    EXPECT_TEXT(xlagpu_rt_clique_error(q), "the address of process 0 is not known");
    xlagpu_rt_clique_close(q);
    d.address = "localhost:http";
    EXPECT(xlagpu_rt_clique_open(&d, &q) == XLAGPU_ERROR_USAGE);
    EXPECT_TEXT(xlagpu_rt_clique_error(q), "the address of process 0 is not known");
    xlagpu_rt_clique_close(q);
    d.process = 2;
    EXPECT(xlagpu_rt_clique_open(&d, &q) == XLAGPU_ERROR_USAGE);
    EXPECT_TEXT(xlagpu_rt_clique_error(q), "there is no process number 2 of 2 with 2 devices each");
    xlagpu_rt_clique_close(q);
    d.process = 1;
    d.address = "no.such.host.invalid:99";
    EXPECT(xlagpu_rt_clique_open(&d, &q) == XLAGPU_ERROR_DEVICE);
    EXPECT_TEXT(xlagpu_rt_clique_error(q), "no address is known of 'no.such.host.invalid'");
    xlagpu_rt_clique_close(q);
    d.environment = true;
    setenv("RANK", "one", 1);
    EXPECT(xlagpu_rt_clique_open(&d, &q) == XLAGPU_ERROR_USAGE);
    EXPECT_TEXT(xlagpu_rt_clique_error(q), "the environment has a RANK, but WORLD_SIZE and it are not both numbers");
    xlagpu_rt_clique_close(q);
    unsetenv("RANK");
    EXPECT(nothing_left());
}

int main(void) {
    xlagpu_context *c = xlagpu_create(NULL);
    xlagpu_bytes exe = compile(c, product_text), other;
    void *driver, *library;
    if (!EXPECT(build("-DFAKE_NCCL", "nccl.c", FOLDER "/libnccl.so.2") &&
                system(". tests/scripts/tally.sh; fake_driver " DRIVER) == 0 &&
                build("-DFAKE_NCCL -DFAKE_OLD", "nccl.c", FOLDER "/old/libnccl.so.2") &&
                build("-DFAKE_NCCL -DFAKE_LACKING", "nccl.c", FOLDER "/lacking/libnccl.so.2")))
        return finish();
    driver = dlopen(DRIVER, RTLD_NOW | RTLD_LOCAL); /* stay open, so that their states do */
    library = dlopen(FOLDER "/libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    fake = (fake_state *)dlsym(driver, "fake");
    nccl = (fake_nccl_state *)dlsym(library, "fake_nccl");
    if (!EXPECT(fake && nccl)) return finish();
    other = compile(c, "HloModule other, num_partitions=4\nENTRY e { ROOT x = f32[10,9] parameter(0) }");
    every_collective();
    by_peers();
    by_peers_failing(false);
    by_multimem();
    by_peers_failing(true);
    beside();
    without_splits();
    every_failure(exe);
    refused_captures(exe);
    other_addresses();
    one_that_never_comes(exe);
    one_that_fails();
    absences(exe);
    processes(exe, other);
    wrong_descriptions();
    xlagpu_destroy(c);
    return finish();
}
#endif
