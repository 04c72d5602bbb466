/* tests/programs/cliques.c -- several simulated devices that run one program together: every collective
 * (collectives.h), then whole arrays in and out, runs that cannot end, a device that fails, memory that is refused.
 * Ends with "N passed, N failed". */
#include "../../src/xlagpu.h"
#include "../../src/xlagpu_runtime.h"
#include "expect.h"
#include <pthread.h>

enum {
    DEVICES = 4,
    MOST = 64
};

/* The counter, for several threads. */
static pthread_mutex_t asking = PTHREAD_MUTEX_INITIALIZER;
static void *locked_alloc(void *user, size_t bytes) {
    void *p;
    pthread_mutex_lock(&asking);
    p = counter_alloc(user, bytes);
    pthread_mutex_unlock(&asking);
    return p;
}
static void locked_release(void *user, void *p) {
    pthread_mutex_lock(&asking);
    counter_release(user, p);
    pthread_mutex_unlock(&asking);
}
static uint32_t threads_of_all = DEVICES;
static xlagpu_clique *open_clique(uint32_t devices, double timeout, counter *count) {
    xlagpu_rt_clique_desc d;
    xlagpu_clique *c = NULL;
    memset(&d, 0, sizeof d);
    d.device.platform = "host";
    d.device.threads = threads_of_all;
    d.devices = devices;
    d.timeout = timeout;
    if (count) {
        d.device.allocator.alloc = locked_alloc;
        d.device.allocator.release = locked_release;
        d.device.allocator.user = count;
    }
    (void)xlagpu_rt_clique_open(&d, &c);
    return c;
}
#define COLLECTIVE_TYPES "f64", "f16", "bf16", "f8e4m3fn", "s8", "s16", "s64", "u8", "u32", "u64", "c64"
#include "collectives.h"
#include "peers.h"

/* ---- whole arrays ---- */

static void check_whole(void) {
    static const char text[] =
        "HloModule product, num_partitions=4\nENTRY e {\n"
        "  p = f32[10,7] parameter(0), sharding={devices=[4,1]<=[4]}\n"
        "  q = f32[7,9] parameter(1), sharding={devices=[1,2,2]<=[4] last_tile_dim_replicate}\n"
        "  d = f32[10,9] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={devices=[2,2]<=[4]}\n"
        "  r = f32[9,10] transpose(d), dimensions={1,0}\n"
        "  ROOT t = (f32[10,9], f32[9,10]) tuple(d, r), sharding={{devices=[2,2]<=[4]}, {devices=[1,4]<=[4]}}\n}\n";
    xlagpu_context *c = xlagpu_create(NULL);
    xlagpu_bytes exe = compile(c, text);
    xlagpu_clique *q = open_clique(DEVICES, 0, NULL);
    xlagpu_program *p = xlagpu_rt_clique_load(q, exe.data, exe.size);
    float a[70], b[63], x[90], y[90], again[90];
    xlagpu_rt_tensor in[2], out[2];
    xlagpu_rt_value v;
    int i, j, k;
    in[0].data = a;
    in[0].bytes = sizeof a;
    in[1].data = b;
    in[1].bytes = sizeof b;
    out[0].data = x;
    out[1].data = y;
    out[0].bytes = out[1].bytes = sizeof x;
    for (i = 0; i < 70; i++) a[i] = (float)(i % 11 - 5);
    for (i = 0; i < 63; i++) b[i] = (float)(i % 5 - 2);
    EXPECT(xlagpu_rt_devices(exe.data, exe.size) == 4);
    EXPECT(xlagpu_rt_clique_parameter(p, 0, &v) && v.dims[0] == 10 && v.bytes == sizeof a);
    EXPECT(xlagpu_rt_parameter(p, 0, &v) && v.dims[0] == 3);
    EXPECT(xlagpu_rt_clique_result(p, 1, &v) && v.dims[0] == 9 && v.dims[1] == 10);
    EXPECT(xlagpu_rt_clique_run(p, in, 2, out, 2) == XLAGPU_OK);
    for (i = 0; i < 10; i++)
        for (j = 0; j < 9; j++) {
            float sum = 0;
            for (k = 0; k < 7; k++) sum += a[i * 7 + k] * b[k * 9 + j];
            EXPECT(x[i * 9 + j] == sum && y[j * 10 + i] == sum);
        }
    memcpy(again, x, sizeof x);
    EXPECT(xlagpu_rt_clique_run(p, in, 2, out, 2) == XLAGPU_OK && !memcmp(again, x, sizeof x));
    in[0].bytes--;
    EXPECT(xlagpu_rt_clique_run(p, in, 2, out, 2) == XLAGPU_ERROR_USAGE);
    EXPECT_TEXT(xlagpu_rt_clique_error(q), "input 0 has 279 bytes; it needs 280");
    in[0].bytes++;
    xlagpu_rt_unload(xlagpu_rt_clique_program(p, 3));
    EXPECT(xlagpu_rt_clique_run(p, in, 2, out, 2) == XLAGPU_ERROR_USAGE);
    EXPECT_TEXT(xlagpu_rt_clique_error(q), "device 3 has been unloaded");
    xlagpu_rt_clique_close(q);
    q = open_clique(3, 0, NULL);
    EXPECT(!xlagpu_rt_clique_load(q, exe.data, exe.size));
    EXPECT_TEXT(xlagpu_rt_clique_error(q), "for 4 devices (1 replicas of 4 partitions); the clique has 3");
    EXPECT(!xlagpu_rt_clique_load(q, exe.data, exe.size - 1));
    xlagpu_rt_clique_close(q);
    xlagpu_destroy(c);
}

/* ---- failures ---- */

/* Device 0 sums, and the others do not. */
static const char alone[] =
    "HloModule alone, num_partitions=4\n" ADD "yes { x = f32[5] parameter(0)\n ROOT meet = f32[5] all-reduce(x), " ALL
    ", to_apply=add }\n"
    "no { x = f32[5] parameter(0)\n ROOT y = f32[5] negate(x) }\n" MAIN
    "x = f32[5] parameter(0)\n z = u32[] constant(0)\n c = pred[] compare(q, z), direction=EQ\n ROOT y = f32[5] "
    "conditional(c, x, x), true_computation=yes, false_computation=no }";
static const char calls[] =
    "HloModule calls, num_partitions=4\n" ADD MAIN
    "x = f32[5] parameter(0)\n k = f32[5] custom-call(x), custom_call_target=\"sometimes\"\n ROOT meet = f32[5] "
    "all-reduce(k), " ALL ", to_apply=add }";
static xlagpu_status sometimes(void *user, const xlagpu_rt_call *call) {
    (void)call;
    return *(bool *)user ? XLAGPU_ERROR_DEVICE : XLAGPU_OK;
}
static void check_failures(void) {
    xlagpu_context *c = xlagpu_create(NULL);
    xlagpu_bytes stuck = compile(c, alone), call = compile(c, calls);
    xlagpu_clique *q = open_clique(DEVICES, 0.1, NULL);
    xlagpu_program *p = xlagpu_rt_clique_load(q, stuck.data, stuck.size);
    xlagpu_device *d = NULL;
    float x[5] = {1, 2, 3, 4, 5}, y[5];
    bool bad[DEVICES] = {false, false, true, false};
    xlagpu_rt_tensor in = {x, sizeof x}, out = {y, sizeof y};
    one o;
    uint32_t k;
    EXPECT(xlagpu_rt_clique_run(p, &in, 1, &out, 1) == XLAGPU_ERROR_DEVICE);
    EXPECT_TEXT(xlagpu_rt_clique_error(q), "device 0 waits in HLO ");
    EXPECT_TEXT(xlagpu_rt_clique_error(q), "device 3 has ended");
    /* one device alone, by the caller: it waits for as long as it was told */
    o.execution = xlagpu_rt_prepare(p);
    xlagpu_rt_alloc(xlagpu_rt_clique_device(q, 0), sizeof x, &o.in);
    xlagpu_rt_alloc(xlagpu_rt_clique_device(q, 0), sizeof x, &o.out);
    run_one(&o);
    EXPECT(o.status == XLAGPU_ERROR_DEVICE);
    EXPECT_TEXT(xlagpu_rt_execution_error(o.execution), "has waited for too long");
    EXPECT_TEXT(xlagpu_rt_execution_error(o.execution), "while running HLO ");
    for (k = 0; k < DEVICES; k++) xlagpu_rt_register(xlagpu_rt_clique_device(q, k), "sometimes", sometimes, &bad[k]);
    p = xlagpu_rt_clique_load(q, call.data, call.size);
    EXPECT(xlagpu_rt_clique_run(p, &in, 1, &out, 1) == XLAGPU_ERROR_DEVICE);
    EXPECT_TEXT(xlagpu_rt_clique_error(q), "device 2: the function 'sometimes' failed");
    EXPECT_TEXT(xlagpu_rt_clique_error(q), "while running HLO k");
    bad[2] = false; /* and the clique is none the worse for it */
    EXPECT(xlagpu_rt_clique_run(p, &in, 1, &out, 1) == XLAGPU_OK);
    xlagpu_rt_clique_close(q);
    /* a program of several devices on one */
    {
        xlagpu_device_desc one_desc;
        memset(&one_desc, 0, sizeof one_desc);
        one_desc.platform = "host";
        xlagpu_rt_open(&one_desc, &d);
    }
    xlagpu_rt_register(d, "sometimes", sometimes, &bad[2]);
    p = xlagpu_rt_load(d, call.data, call.size);
    EXPECT(xlagpu_rt_run(p, &in, 1, &out, 1) == XLAGPU_ERROR_USAGE);
    EXPECT_TEXT(xlagpu_rt_error(d), "this one is alone");
    EXPECT(xlagpu_rt_clique_run(p, &in, 1, &out, 1) == XLAGPU_ERROR_USAGE); /* it was not loaded by a clique */
    EXPECT_TEXT(xlagpu_rt_error(d), "what xlagpu_rt_clique_load has loaded");
    xlagpu_rt_close(d);
    EXPECT(xlagpu_rt_clique_open(NULL, &q) == XLAGPU_ERROR_USAGE);
    q = open_clique(0, 0, NULL);
    EXPECT_TEXT(xlagpu_rt_clique_error(q), "1 to 4096 devices, not 0");
    EXPECT(!xlagpu_rt_clique_load(q, call.data, call.size));
    xlagpu_rt_clique_close(q);
    xlagpu_destroy(c);
}

/* The n-th request for memory is refused, for all n: a status, nothing left behind. */
static void check_memory(void) {
    static const char text[] = "HloModule m\nENTRY e { x = f32[5] parameter(0)\n ROOT y = f32[5] negate(x) }";
    xlagpu_context *c = xlagpu_create(NULL);
    xlagpu_bytes exe = compile(c, text);
    float x[5] = {1, 2, 3, 4, 5}, y[5];
    xlagpu_rt_tensor in = {x, sizeof x}, out = {y, sizeof y};
    counter count;
    long n;
    threads_of_all = 1;
    for (n = 1; n < 1000; n++) {
        xlagpu_clique *q;
        xlagpu_program *p;
        bool ran = false;
        memset(&count, 0, sizeof count);
        count.refuse = n;
        q = open_clique(1, 0, &count);
        p = q ? xlagpu_rt_clique_load(q, exe.data, exe.size) : NULL;
        if (p) ran = xlagpu_rt_clique_run(p, &in, 1, &out, 1) == XLAGPU_OK;
        EXPECT(ran || count.refused);
        xlagpu_rt_clique_close(q);
        EXPECT(count.live == 0);
        if (!count.refused) break;
    }
    EXPECT(n > 5 && n < 1000);
    xlagpu_destroy(c);
}

/* Two groups of four, then four pairs in another order, by multicast objects and by kernels that read. */
static void check_groups(void) {
    static const char text[] =
        "HloModule groups, num_partitions=8" PEERS_SLOW_LINKS "\nadd { a = f32[] parameter(0)\n b = f32[] "
        "parameter(1)\n ROOT c = f32[] add(a, b) }\nENTRY e {\n"
        "p = f32[8,70] parameter(0), sharding={devices=[8,1]<=[8]}\n"
        "m = f32[1,70] custom-call(p), custom_call_target=\"SPMDFullToShardShape\", sharding={manual}\n"
        "a = f32[1,70] all-reduce(m), replica_groups={{6,0,4,2},{1,3,5,7}}, channel_id=1, use_global_device_ids=true, "
        "to_apply=add\n"
        "n = f32[1,70] add(a, m)\n"
        "b = f32[1,70] all-reduce(n), replica_groups={{0,1,2,3},{7,6,5,4}}, channel_id=2, use_global_device_ids=true, "
        "to_apply=add\n"
        "ROOT r = f32[8,70] custom-call(b), custom_call_target=\"SPMDShardToFullShape\", "
        "sharding={devices=[8,1]<=[8]}\n}\n";
    xlagpu_context *c = xlagpu_create(NULL);
    xlagpu_bytes exe = peers_compile(c, text);
    xlagpu_clique *q = open_clique(8, 5, NULL);
    xlagpu_program *p = xlagpu_rt_clique_load(q, exe.data, exe.size);
    float in[8 * 70], out[8 * 70];
    xlagpu_rt_tensor from, to;
    int d, i, k, j, round;
    from.data = in;
    to.data = out;
    from.bytes = to.bytes = sizeof in;
    peers_kernel = "peers_multimem";
    for (round = 1; round < 4; round++) {
        for (i = 0; i < 8 * 70; i++) in[i] = (float)(round * (i / 70) + i % 70 * 10);
        if (!EXPECT(p && xlagpu_rt_clique_run(p, &from, 1, &to, 1) == XLAGPU_OK)) puts(xlagpu_rt_clique_error(q));
        for (d = 0; d < 8; d++)
            for (i = 0; i < 70; i++) {
                float sum = 0;
                for (k = d / 4 * 4; k < d / 4 * 4 + 4; k++) {
                    for (j = k % 2; j < 8; j += 2) sum += in[j * 70 + i];
                    sum += in[k * 70 + i];
                }
                EXPECT(out[d * 70 + i] == sum);
            }
        for (d = 0; p && d < 8; d++)
            EXPECT(peers_launches(xlagpu_rt_clique_program(p, (uint32_t)d)) == 2 * (unsigned)round);
    }
    peers_kernel = "peers";
    xlagpu_rt_clique_close(q);
    xlagpu_destroy(c);
}
/* Each allocation fails once: what is given up for want of memory is an error, or done another way. */
static void check_multimem_memory(void) {
    xlagpu_context *c = xlagpu_create(NULL);
    float in[4 * PEERS_ROW], out[4 * PEERS_ROW];
    xlagpu_rt_tensor from = {in, sizeof in}, to = {out, sizeof out};
    char text[PEERS_TEXT];
    xlagpu_bytes exe;
    long n, rights = 0;
    int i;
    threads_of_all = 1;
    peers_device = PEERS_SLOW_LINKS;
    peers_text(text, "f32", "add", "{{0,1,2,3}}", 1);
    peers_device = "";
    exe = peers_compile(c, text);
    for (i = 0; i < 4 * PEERS_ROW; i++) in[i] = (float)peers_input(i / PEERS_ROW, i % PEERS_ROW);
    for (n = 1; n < 2000; n++) {
        static const int every[4] = {0, 1, 2, 3};
        counter count;
        xlagpu_clique *q;
        xlagpu_program *p;
        bool ran;
        memset(&count, 0, sizeof count);
        count.refuse = n;
        q = open_clique(DEVICES, 5, &count);
        p = q ? xlagpu_rt_clique_load(q, exe.data, exe.size) : NULL;
        ran = p && xlagpu_rt_clique_run(p, &from, 1, &to, 1) == XLAGPU_OK;
        for (i = 0; i < 4 * PEERS_ROW && ran; i++)
            EXPECT((double)out[i] == peers_reduced("add", every, 4, i % PEERS_ROW));
        EXPECT(ran || count.refused);
        rights += ran && count.refused;
        xlagpu_rt_clique_close(q);
        EXPECT(count.live == 0);
        if (!count.refused) break;
    }
    EXPECT(n > 20 && n < 2000 && rights > 0);
    threads_of_all = DEVICES;
    xlagpu_destroy(c);
}

int main(void) {
    check_collectives();
    check_types();
    check_whole();
    check_peers(true);
    check_multimem(true);
    check_groups();
    check_multimem_memory();
    check_failures();
    check_memory();
    return finish();
}
