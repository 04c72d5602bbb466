/* cost/device.c -- the table of devices.
 *
 * A kind is what all parts of a compute capability share; a part adds its own sizes and clocks. Sources, by the letter
 * in the rows' comments:
 *   G  CUDA programming guide, tables of compute capabilities and of arithmetic throughput
 *   X  XLA's target specifications (xla/backends/gpu/target_config/specs), which drivers have filled
 *   D  NVIDIA's data sheets and architecture papers
 *   B  gpu-benches (te42kyfo), measured   Q  quack's pipe notes (Dao-AILab), measured   H  HPMLL's Hopper benchmark
 *   M  ml-engineering (stas00): the best matrix product with random data beside the data sheet's rate
 *   A  Azure's benchmarking guide, measured   L  learn-cuda (gau-nernst), measured   S  mma-matmul (spatters), measured
 *   C  NVIDIA/DCGM issue 40, a maintainer: cuBLAS keeps matrix units busy in 90 to 95 % of all clocks
 *   E  estimated from the kinds around it: nothing public was found
 * A figure that is not said to be measured is the maker's. */
#ifndef XG_COST_DEVICE_C
#define XG_COST_DEVICE_C
#include "cost.h"

/* X(figure, shift): what a kind says, in units of 1 << shift. */
/* clang-format off */
#define XG_DEVICE_KIND_FIGURES(X) \
    X(threads_per_sm, 0) X(blocks_per_sm, 0) X(blocks_per_cluster, 0) \
    X(shared_per_sm, 10) X(shared_per_block, 10) X(shared_reserved, 0) X(l1_bytes, 10) \
    X(f32_rate, 0) X(f16_rate, 0) X(f64_rate, 0) X(int_rate, 0) X(special_rate, 0) X(convert_rate, 0) \
    X(tensor_i8, 0) X(tensor_f64, 0) X(tensor_f4, 0) X(mma_permille, 0) \
    X(shared_latency, 0) X(l1_latency, 0) X(l2_latency, 0) X(memory_latency, 0) \
    X(read_permille, 0) X(copy_permille, 0) X(launch_ns, 0) X(graph_ns, 0)
/* clang-format on */
enum {
#define X(figure, shift) XG_DEVICE_KIND_##figure,
    XG_DEVICE_KIND_FIGURES(X)
#undef X
    XG_DEVICE_KIND_COUNT
};
typedef struct xg_device_kind {
    uint8_t cc, f8; /* f8: times tensor_f16 */
    uint16_t figures[XG_DEVICE_KIND_COUNT];
} xg_device_kind;

/* clang-format off */
XG_TABLE const xg_device_kind xg_device_kinds[] = {
    /* cc, f8 | threads, blocks, cluster | shared KiB, of a block, reserved, KiB with L1 | f32, f16, f64, int, special,
     *     convert: lanes a clock | tensor: i8, f64, f4, mma.sync | latencies in clocks: shared, L1, L2, memory | read,
     *     copy | launch, graph */
    /* E: a core as a multiprocessor: blocks run one after the other on 8 lanes; shared memory lies in its caches */
    {70, 0, {1024, 1, 1, 256, 192, 0, 32, 16, 16, 8, 16, 2, 8, 0, 0, 0, 0, 5, 5, 15, 300, 800, 400, 1000, 1000}},
    {71, 0, {1024, 1, 1, 256, 192, 0, 32, 32, 32, 16, 32, 4, 16, 0, 0, 0, 0, 5, 5, 15, 300, 800, 400, 1000, 1000}}, /* ... or on 16 */
    /* limits and rates G, D; latencies: accel-sim's Turing and gpu-micro-bench's 2080S; copy: cuda-samples' log on T4 */
    {75, 0, {1024, 16, 1, 64, 64, 0, 96, 64, 128, 2, 64, 16, 16, 1024, 0, 0, 1000, 21, 34, 220, 450, 750, 750, 2410, 1270}},
    /* latencies B; shares of memory A, B; launches B */
    {80, 0, {2048, 32, 1, 164, 163, 1024, 192, 64, 256, 32, 64, 16, 16, 2048, 64, 0, 1000, 23, 35, 206, 560, 900, 820, 2630, 1350}},
    /* latencies: gpu-micro-bench's 3090; launches B on A40 */
    {86, 0, {1536, 16, 1, 100, 99, 1024, 128, 128, 128, 2, 64, 16, 16, 1024, 0, 0, 1000, 23, 34, 236, 480, 950, 900, 2020, 1100}},
    /* E but for limits and rates */
    {87, 0, {1536, 16, 1, 164, 163, 1024, 192, 128, 256, 2, 64, 16, 16, 2048, 0, 0, 1000, 23, 35, 220, 600, 850, 800, 2630, 1350}},
    {88, 0, {1536, 16, 1, 164, 163, 1024, 192, 128, 256, 2, 64, 16, 16, 2048, 0, 0, 1000, 23, 35, 220, 600, 850, 800, 2630, 1350}},
    /* latencies B, H; shares and launches B on L40 */
    {89, 2, {1536, 24, 1, 100, 99, 1024, 128, 128, 128, 2, 64, 16, 16, 1024, 0, 0, 1000, 30, 36, 280, 600, 980, 920, 1630, 940}},
    /* latencies H, B; shares A, Q; launches B; mma.sync beside wgmma: XLA's 0.63, after ThunderKittens */
    {90, 2, {2048, 32, 8, 228, 227, 1024, 256, 128, 256, 64, 64, 16, 16, 4096, 128, 0, 630, 29, 33, 273, 680, 950, 850, 2410, 1270}},
    /* rates X; latencies: AI_kernels (markdewing); copy: cub's scan; mma.sync: 409 of 1359 TFLOP/s, L; launches E */
    {100, 2, {2048, 32, 8, 228, 227, 1024, 256, 128, 128, 64, 64, 16, 16, 8192, 64, 16384, 300, 30, 40, 295, 860, 900, 810, 2410, 1270}},
    /* D: f64 and 8-bit integers are slow here; the rest as 10.0 */
    {103, 2, {2048, 32, 8, 228, 227, 1024, 256, 128, 128, 2, 64, 16, 16, 256, 2, 24576, 300, 30, 40, 295, 860, 900, 810, 2410, 1270}},
    {110, 2, {1536, 24, 1, 228, 227, 1024, 256, 128, 128, 2, 64, 16, 16, 8192, 2, 16384, 300, 30, 40, 295, 860, 850, 800, 2410, 1270}},
    /* latencies: AI_kernels; int: one pipe with f32, Q; launches E as 8.9 */
    {120, 2, {1536, 24, 1, 100, 99, 1024, 128, 128, 128, 2, 128, 16, 16, 1024, 0, 2048, 1000, 30, 44, 360, 936, 900, 890, 1630, 940}},
    {121, 2, {1536, 24, 1, 100, 99, 1024, 128, 128, 128, 2, 128, 16, 16, 1024, 0, 2048, 1000, 30, 44, 360, 936, 850, 800, 1630, 940}},
};

typedef struct xg_device_part {
    char name[18];
    uint8_t cc, sm_count;
    uint16_t clock_mhz, tensor_mhz, tensor_f16, gbs; /* gbs: 10^9 bytes a second of memory */
    uint16_t l2_gbs, link_gbs, host_gbs;
    uint8_t l2_mib, network_gbs;
    int64_t memory_bytes;
} xg_device_part;

#define XG_DEVICE_MIB(n) ((int64_t)(n) << 20)
#define XG_DEVICE_GIB(n) ((int64_t)(n) << 30)
/* The clock that busy matrix units leave, of the best product's share of the rate at `rated` MHz, in thousandths. That
 * product had them busy in 925 of 1000 clocks (C); with no clock lost its power would allow 925^0.4 / 925 of what it
 * reached, 1.048 times as much (cost/time.c: power goes with clock^2.5). */
#define XG_DEVICE_HELD(rated, permille) ((rated) * (permille) / 1000 * 1048 / 1000)
/* The first part of a compute capability is its usual one. Name, compute capability, multiprocessors, MHz, MHz with
 * matrix units that are never idle, multiply-adds of f16 a clock of a multiprocessor | GB/s of memory, L2, links, the host |
 * MiB of L2, GB/s of networks, bytes of memory. Networks: a card for each device, as in the maker's own machines (DGX
 * A100: 200 Gbit/s, H100 to B200: 400, B300: 800; servers with PCIe cards 200); 100 Gbit/s for what is seldom in such a
 * machine, E */
XG_TABLE const xg_device_part xg_device_parts[] = {
    {"T4", 75, 40, 1590, 1000, 512, 320, 1270, 0, 16, 4, 12, 15843721216},           /* D; memory: deviceQuery */
    {"A100", 80, 108, 1410, XG_DEVICE_HELD(1410, 870), 1024, 1555, 5400, 300, 32, 40, 25, 42331013120},   /* X (40 GB); matrices M; L2 B */
    {"A100 80GB", 80, 108, 1410, XG_DEVICE_HELD(1410, 870), 1024, 2039, 5400, 300, 32, 40, 25, 85100068864}, /* X */
    {"A40", 86, 84, 1740, XG_DEVICE_HELD(1740, 850), 512, 696, 2500, 56, 32, 6, 25, XG_DEVICE_GIB(48)},   /* D; L2's rate E */
    {"RTX A6000", 86, 84, 1800, XG_DEVICE_HELD(1800, 850), 512, 768, 2600, 56, 32, 6, 12, 51041271808},   /* X */
    {"RTX 3090", 86, 82, 1695, XG_DEVICE_HELD(1695, 850), 256, 936, 2500, 56, 32, 6, 12, XG_DEVICE_GIB(24)}, /* D */
    {"Orin", 87, 16, 1300, 1300, 1024, 204, 650, 0, 204, 4, 12, XG_DEVICE_GIB(64)},  /* D; memory is the host's */
    {"Orin-88", 88, 16, 1300, 1300, 1024, 204, 650, 0, 204, 4, 12, XG_DEVICE_GIB(64)}, /* E: no part is public */
    {"L40", 89, 142, 2490, XG_DEVICE_HELD(2490, 900), 256, 864, 5200, 0, 32, 96, 12, XG_DEVICE_GIB(48)},  /* D; L2's rate B */
    {"L40S", 89, 142, 2520, XG_DEVICE_HELD(2520, 890), 512, 864, 5250, 0, 32, 96, 25, XG_DEVICE_GIB(48)}, /* D */
    {"L20", 89, 92, 2520, XG_DEVICE_HELD(2520, 890), 256, 864, 3400, 0, 32, 96, 12, XG_DEVICE_GIB(48)},   /* D */
    {"RTX 4090", 89, 128, 2520, XG_DEVICE_HELD(2520, 930), 256, 1008, 4750, 0, 32, 72, 12, XG_DEVICE_GIB(24)}, /* D; matrices M */
    {"RTX 4070 Ti SUPER", 89, 66, 2610, XG_DEVICE_HELD(2610, 930), 256, 672, 2500, 0, 32, 48, 12, XG_DEVICE_GIB(16)}, /* D */
    {"H100", 90, 132, 1980, XG_DEVICE_HELD(1830, 800), 2048, 3352, 9700, 450, 64, 50, 50, 84942979072},   /* X; matrices M; L2 B */
    {"H100 PCIe", 90, 114, 1755, XG_DEVICE_HELD(1755, 740), 2048, 2039, 6950, 300, 64, 50, 25, XG_DEVICE_GIB(80)}, /* D; L2 B */
    {"H200", 90, 132, 1980, XG_DEVICE_HELD(1830, 800), 2048, 4800, 9700, 450, 64, 50, 50, 151397597184},  /* X; the rest as H100 */
    {"B200", 100, 148, 1965, XG_DEVICE_HELD(1824, 780), 4096, 8000, 12000, 900, 64, 126, 50, 191514411008}, /* X, D; matrices M; L2's rate E */
    {"B300", 103, 148, 2032, XG_DEVICE_HELD(1824, 780), 4096, 8000, 12000, 900, 128, 126, 100, 297021865984}, /* X, D */
    {"Thor", 110, 20, 1575, 1575, 4096, 273, 1300, 0, 273, 32, 12, XG_DEVICE_GIB(128)}, /* D; memory is the host's */
    {"RTX 5090", 120, 170, 2407, XG_DEVICE_HELD(2407, 900), 256, 1792, 6000, 0, 64, 96, 12, XG_DEVICE_GIB(32)}, /* Q; matrices L 0.84 to 0.96; L2's rate E */
    {"RTX PRO 6000", 120, 188, 2600, 2300, 512, 1792, 7000, 0, 64, 128, 12, 103079215104}, /* X */
    {"GB10", 121, 48, 2418, 2300, 512, 273, 1700, 0, 273, 24, 25, XG_DEVICE_GIB(128)}, /* D; memory is the host's */
    {"CPU", 70, 8, 3000, 3000, 0, 40, 200, 0, 40, 16, 0, XG_DEVICE_GIB(16)},        /* E: eight cores */
    {"wide CPU", 71, 8, 3000, 3000, 0, 40, 200, 0, 40, 16, 0, XG_DEVICE_GIB(16)},   /* ... with registers of 64 bytes */
};
/* clang-format on */

enum {
    XG_DEVICE_THREADS_PER_BLOCK = 1024,   /* G, of every kind */
    XG_DEVICE_REGISTERS = 65536,          /* G: of a multiprocessor */
    XG_DEVICE_REGISTERS_PER_THREAD = 255, /* G */
    XG_DEVICE_SHUFFLE_LANES = 32,         /* G */
    XG_DEVICE_TF32_PER_F16 = 2,           /* G: tf32 has half the rate of f16; 7.5 has none */
    XG_DEVICE_WARP_GROUPS_CC = 90,        /* PTX ISA: wgmma, of sm_90a alone */
    XG_DEVICE_TENSOR_MEMORY_CC = 100,     /* PTX ISA: tcgen05, of sm_100a, 103a, 110a */
    XG_DEVICE_TENSOR_MEMORY_END = 120,    /* ... and no later; of integers (.kind::i8) on all but one */
    XG_DEVICE_NO_TENSOR_MEMORY_I8_CC = 103,
    XG_DEVICE_RED_CC = 90, /* PTX ISA: red.global.add.v4.f32 */
    XG_DEVICE_RED_BYTES = 16,
    XG_DEVICE_ASYNC_CC = 80, /* PTX ISA: cp.async */
    XG_DEVICE_ASYNC_BYTES = 16,
    XG_DEVICE_CLUSTERS_CC = 90, /* PTX ISA: .cluster_dim */
    XG_DEVICE_MEET_NS = 2500,   /* E: about what a launch takes; docs/time_model.md */
    XG_DEVICE_REDUCES_CC = 90,  /* D: H100's NVSwitch and later ones reduce; parts on PCIe have none */
    XG_DEVICE_REDUCES_GBS = 450,
    XG_DEVICE_GB = 1000000000
};

XG_FN const xg_device_kind *xg_device_kind_of(uint32_t cc) {
    size_t i;
    for (i = 0; i < XG_COUNT(xg_device_kinds); i++)
        if (xg_device_kinds[i].cc == cc) return &xg_device_kinds[i];
    return NULL;
}

XG_FN XG_COLD void xg_device_fill_kind(xg_device *d, const xg_device_kind *k) {
    XG_TABLE const uint16_t places[] = {
#define X(figure, shift) offsetof(xg_device, figure),
        XG_DEVICE_KIND_FIGURES(X)
#undef X
    };
    XG_TABLE const uint8_t shifts[] = {
#define X(figure, shift) shift,
        XG_DEVICE_KIND_FIGURES(X)
#undef X
    };
    uint32_t i;
    for (i = 0; i < XG_DEVICE_KIND_COUNT; i++) {
        int64_t v = (int64_t)k->figures[i] << shifts[i];
        memcpy((char *)d + places[i], &v, sizeof v);
    }
    d->threads_per_block = XG_DEVICE_THREADS_PER_BLOCK;
    d->async_bytes = k->cc >= XG_DEVICE_ASYNC_CC ? XG_DEVICE_ASYNC_BYTES : 0;
    d->red_bytes = k->cc >= XG_DEVICE_RED_CC ? XG_DEVICE_RED_BYTES : 0;
    d->registers_per_sm = XG_DEVICE_REGISTERS;
    d->registers_per_thread = XG_DEVICE_REGISTERS_PER_THREAD;
    d->shared_static = XG_SHARED_STATIC_BYTES;
    d->shuffle_rate = XG_DEVICE_SHUFFLE_LANES;
    d->meet_ns = XG_DEVICE_MEET_NS;
}

XG_FN XG_COLD void xg_device_fill(xg_device *d, const xg_device_part *p) {
    const xg_device_kind *k = xg_device_kind_of(p->cc);
    memset(d, 0, sizeof *d);
    d->part = p->name;
    d->cc = p->cc;
    d->warp_groups = p->cc == XG_DEVICE_WARP_GROUPS_CC;
    d->tensor_memory = p->cc >= XG_DEVICE_TENSOR_MEMORY_CC && p->cc < XG_DEVICE_TENSOR_MEMORY_END;
    d->tensor_memory_i8 = d->tensor_memory && p->cc != XG_DEVICE_NO_TENSOR_MEMORY_I8_CC;
    xg_device_fill_kind(d, k);
    d->sm_count = p->sm_count;
    d->clock_mhz = p->clock_mhz;
    d->tensor_mhz = p->tensor_mhz;
    d->tensor_f16 = p->tensor_f16;
    d->tensor_tf32 = p->cc >= 80 ? p->tensor_f16 / XG_DEVICE_TF32_PER_F16 : 0;
    d->tensor_f8 = (int64_t)p->tensor_f16 * k->f8;
    d->memory_bytes = p->memory_bytes;
    d->bandwidth = (int64_t)p->gbs * XG_DEVICE_GB;
    d->l2_bytes = XG_DEVICE_MIB(p->l2_mib);
    d->l2_bandwidth = (int64_t)p->l2_gbs * XG_DEVICE_GB;
    d->link_bandwidth = (int64_t)p->link_gbs * XG_DEVICE_GB;
    d->host_bandwidth = (int64_t)p->host_gbs * XG_DEVICE_GB;
    d->network_bandwidth = (int64_t)p->network_gbs * XG_DEVICE_GB;
    d->link_reduces = p->cc >= XG_DEVICE_REDUCES_CC && p->link_gbs >= XG_DEVICE_REDUCES_GBS ? 1 : 2;
}

XG_FN const char *xg_device_part_name(size_t i) {
    return i < XG_COUNT(xg_device_parts) ? xg_device_parts[i].name : NULL;
}
XG_COLD XG_FN void xg_device_part_list(char *out, size_t cap) {
    size_t i, n = 0;
    for (i = 0; i < XG_COUNT(xg_device_parts) && n < cap; i++)
        n += xg_format(out + n, cap - n, "%s%s", i ? ", " : "", xg_device_parts[i].name);
}
XG_FN bool xg_device_of_part(xg_str name, xg_device *out) {
    size_t i;
    for (i = 0; i < XG_COUNT(xg_device_parts); i++) {
        if (!xg_str_is(name, xg_device_parts[i].name)) continue;
        xg_device_fill(out, &xg_device_parts[i]);
        return true;
    }
    return false;
}
XG_FN bool xg_device_of_cc(uint32_t cc, xg_device *out) {
    size_t i;
    for (i = 0; i < XG_COUNT(xg_device_parts); i++) {
        if (xg_device_parts[i].cc != cc) continue;
        xg_device_fill(out, &xg_device_parts[i]);
        return true;
    }
    return false;
}
/* The words of a part's name stand in this order among those of the driver's: "A100 80GB" in "NVIDIA A100-SXM4-80GB".
 */
XG_FN bool xg_device_is_named(const char *part, const char *driver) {
    while (*part) {
        size_t n = strcspn(part, " ");
        while (*driver && strncmp(driver, part, n) != 0) driver++;
        if (!*driver) return false;
        driver += n;
        part += n + (part[n] == ' ');
    }
    return true;
}
XG_FN XG_COLD void xg_device_of_driver_name(uint32_t cc, const char *name, xg_device *out) {
    const xg_device_part *best = &xg_device_parts[0];
    bool named = false;
    size_t i;
    for (i = 0; i < XG_COUNT(xg_device_parts); i++) {
        const xg_device_part *p = &xg_device_parts[i];
        bool fits = p->cc == cc && xg_device_is_named(p->name, name);
        if (p->cc > cc || named > fits) continue;
        if (fits > named || p->cc > best->cc || (fits && strlen(p->name) > strlen(best->name))) best = p;
        named = named || fits;
    }
    xg_device_fill(out, best);
}

/* ---- figures one by one ---- */

/* By number: both structures have the figures in the order of the list. */
XG_TABLE const char xg_device_names[] =
#define X(figure, most, what) #figure "\0"
    XLAGPU_TARGET_FIGURES(X)
#undef X
    ;
XG_TABLE const int64_t xg_device_most[] = {
#define X(figure, most, what) most,
    XLAGPU_TARGET_FIGURES(X)
#undef X
};

XG_FN int64_t xg_device_get(const xg_device *d, size_t i) {
    int64_t v;
    memcpy(&v, (const char *)d + offsetof(xg_device, sm_count) + i * sizeof v, sizeof v);
    return v;
}
XG_FN void xg_device_put(xg_device *d, size_t i, uint64_t v) {
    int64_t bounded = v < (uint64_t)xg_device_most[i] ? (int64_t)v : xg_device_most[i];
    memcpy((char *)d + offsetof(xg_device, sm_count) + i * sizeof v, &bounded, sizeof bounded);
}

/* No figure, of desc or of a module's text, gives a device what its instructions cannot do. */
XG_FN void xg_device_apply(xg_device *d, const xlagpu_target_desc *desc) {
    size_t i;
    uint64_t v;
    for (i = 0; i < XG_COUNT(xg_device_most); i++) {
        memcpy(&v, (const char *)desc + offsetof(xlagpu_target_desc, sm_count) + i * sizeof v, sizeof v);
        if (v) xg_device_put(d, i, v);
    }
    if (d->cc < XG_DEVICE_ASYNC_CC) d->async_bytes = 0;
    if (d->cc < XG_DEVICE_CLUSTERS_CC) d->blocks_per_cluster = 1;
}
XG_FN void xg_device_describe(const xg_device *d, xlagpu_target_desc *out) {
    out->part = d->part;
    memcpy((char *)out + offsetof(xlagpu_target_desc, sm_count), (const char *)d + offsetof(xg_device, sm_count),
        sizeof xg_device_most);
}

XG_ONE_COPY XG_FN int64_t xg_device_shared_times(const xg_device *d) {
    return (int64_t)XG_PASS_BYTES * d->sm_count * d->clock_mhz / 1000 / xg_device_gbs(d->bandwidth);
}
XG_FN bool xg_device_is_narrow(const xg_device *d) {
    enum {
        TIMES = 11
    };
    return d->blocks_per_cluster > 1 && xg_device_shared_times(d) < TIMES;
}
XG_FN int64_t xg_device_threads(const xg_device *d) { return d->threads_per_sm * d->sm_count; }
XG_ONE_COPY XG_FN int64_t xg_device_gbs(int64_t bytes_a_second) {
    return XG_MAX(bytes_a_second / XG_DEVICE_GB, (int64_t)1);
}

/* ---- text ---- */

XG_FN void xg_device_print(xg_buf *b, const xg_device *d) {
    xg_device usual;
    size_t i;
    xg_puts(b, d->part);
    if (!xg_device_of_part(xg_str_z(d->part), &usual)) return;
    for (i = 0; i < XG_COUNT(xg_device_most); i++)
        if (xg_device_get(d, i) != xg_device_get(&usual, i))
            xg_printf(b, ", %s=%lld", xg_text_nth(xg_device_names, i), (long long)xg_device_get(d, i));
}

/* One "sm_count=114". */
XG_FN const char *xg_device_parse_figure(xg_str text, xg_device *out) {
    size_t eq = 0, k;
    const char *name;
    size_t f = 0;
    uint64_t v = 0;
    while (eq < text.n && text.p[eq] != '=') eq++;
    while ((name = xg_text_nth(xg_device_names, f)) != NULL && !xg_str_is(xg_str_of(text.p, eq), name)) f++;
    if (!name) return "a figure of a device is expected, such as sm_count=132";
    for (k = eq + 1; k < text.n && text.p[k] >= '0' && text.p[k] <= '9' && k <= eq + 18; k++)
        v = v * 10 + (uint64_t)(text.p[k] - '0');
    if (k == eq + 1 || k < text.n || !v) return "a figure of a device needs a number from 1 on";
    if (v > (uint64_t)xg_device_most[f]) return "this figure of a device is too large";
    xg_device_put(out, f, v);
    return NULL;
}
XG_APART XG_FN const char *xg_device_parse(xg_str text, xg_device *out) {
    const char *wrong = NULL;
    bool first = true;
    while (!wrong && (text.n || first)) {
        size_t n = 0;
        while (n < text.n && text.p[n] != ',') n++;
        if (!first)
            wrong = xg_device_parse_figure(xg_str_of(text.p, n), out);
        else if (!xg_device_of_part(xg_str_of(text.p, n), out))
            wrong = "no such device is known";
        first = false;
        if (n < text.n) n++;
        if (n && n < text.n && text.p[n] == ' ') n++;
        text = xg_str_of(text.p + n, text.n - n);
    }
    return wrong;
}

XG_FN size_t xg_device_find(xg_str attributes, const char *key) {
    size_t n = strlen(key), k;
    bool quoted = false, first = false; /* inside a string; at the first letter of a key */
    for (k = 0; k < attributes.n; k++) {
        const char *at = attributes.p + k;
        if (first && !quoted && attributes.n - k > n + 2 && memcmp(at, key, n) == 0 && memcmp(at + n, "=\"", 2) == 0 &&
            memchr(at + n + 2, '"', attributes.n - k - n - 2))
            return k;
        if (*at == '\\' && quoted)
            k++;
        else if (*at == '"')
            quoted = !quoted;
        first = !quoted && (*at == '{' || *at == ',' || (first && *at == ' '));
    }
    return 0;
}

#endif /* XG_COST_DEVICE_C */
