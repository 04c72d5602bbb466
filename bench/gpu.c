/* bench/gpu.c -- how long a compiled module takes on the device itself: buffers stay there, runs are enqueued, nothing
 * is copied to the host.
 *
 *     gpu [--platform=cuda|host] [--driver=FILE] [--repeat=N] FILE.hlo ...
 *
 * One tab-separated line a module: kernels, bytes of parameters and results together (what must move at least once),
 * microseconds of one run (median of N rounds; a round is as many runs as take about a millisecond, timed together),
 * the bytes over that time, and the same beside a device-to-device copy of equally many bytes in the same process.
 * Floats are random between 1/2 and 1 of either sign (matrix units run faster on zeros), all else is zero: timings of
 * data-dependent programs mean little here. */
#define _POSIX_C_SOURCE 199309L
#include "../xlagpu.h"
#include "../xlagpu_runtime.h"
#include "../tools/npz.c"
#include <stdio.h>
#include "timing.h"

enum {
    LEAVES = 256,
    ROUNDS = 1000
};

/* Seconds of one run; below 0: it fails. */
static double time_execution(
    xlagpu_device *d, xlagpu_execution *e, const xlagpu_buffer *in, const xlagpu_buffer *out, int rounds) {
    static double took[ROUNDS];
    int runs = 1, round, k;
    double t, once;
    if (xlagpu_rt_execute(e, in, out, NULL) || xlagpu_rt_wait(d, NULL)) return -1; /* warm */
    t = seconds();
    if (xlagpu_rt_execute(e, in, out, NULL) || xlagpu_rt_wait(d, NULL)) return -1;
    once = seconds() - t;
    if (once < 1e-3) runs = (int)(1e-3 / (once > 1e-7 ? once : 1e-7)) + 1;
    for (round = 0; round < rounds; round++) {
        t = seconds();
        for (k = 0; k < runs; k++)
            if (xlagpu_rt_execute(e, in, out, NULL)) return -1;
        if (xlagpu_rt_wait(d, NULL)) return -1;
        took[round] = (seconds() - t) / runs;
    }
    qsort(took, (size_t)rounds, sizeof *took, ascending);
    return took[rounds / 2];
}

/* Of floats of so many bytes: the bits of 1/2, the bits below the exponent. */
static bool float_bits(xlagpu_type type, uint64_t *half, uint32_t *fraction) {
    switch (type) {
    case XLAGPU_F16: return *half = 0x3800, *fraction = 10, true;
    case XLAGPU_BF16: return *half = 0x3f00, *fraction = 7, true;
    case XLAGPU_F32: return *half = 0x3f000000, *fraction = 23, true;
    case XLAGPU_F64: return *half = 0x3fe0000000000000, *fraction = 52, true;
    default: return false;
    }
}
static void fill(unsigned char *data, size_t bytes, xlagpu_type type) {
    uint64_t half, state = 0x9e3779b97f4a7c15, x;
    uint32_t fraction, width;
    size_t k;
    if (!float_bits(type, &half, &fraction)) return;
    width = type == XLAGPU_F64 ? 8 : type == XLAGPU_F32 ? 4 : 2;
    for (k = 0; k + width <= bytes; k += width) {
        state ^= state << 13; /* xorshift, Marsaglia 2003 */
        state ^= state >> 7;
        state ^= state << 17;
        x = half | (state >> 8 & (((uint64_t)1 << fraction) - 1)) | (state & 1) << (8 * width - 1);
        memcpy(data + k, &x, width); /* little-endian, as all hosts are */
    }
}
static bool allocate(xlagpu_device *d, xlagpu_buffer *b, size_t bytes, xlagpu_type type) {
    unsigned char *data;
    bool good = xlagpu_rt_alloc(d, bytes, b) == XLAGPU_OK;
    data = (unsigned char *)calloc(bytes + 1, 1);
    if (data) fill(data, bytes, type);
    good = good && data && xlagpu_rt_upload(d, *b, data, bytes) == XLAGPU_OK;
    free(data);
    return good;
}

/* Times one executable on fresh buffers. */
static double time_program(xlagpu_device *d, xlagpu_bytes exe, int rounds, size_t *bytes) {
    xlagpu_program *p = xlagpu_rt_load(d, exe.data, exe.size);
    xlagpu_buffer buffers[2][LEAVES];
    uint32_t n[2] = {0, 0}, side, k;
    xlagpu_execution *e;
    double t = -1;
    bool good = p != NULL;
    *bytes = 0;
    if (p) {
        n[0] = xlagpu_rt_parameter_count(p);
        n[1] = xlagpu_rt_result_count(p);
    }
    if (n[0] > LEAVES || n[1] > LEAVES) {
        fprintf(stderr, "more than %d parameters or results\n", LEAVES);
        n[0] = n[1] = 0;
        good = false;
    }
    memset(buffers, 0, sizeof buffers);
    for (side = 0; side < 2; side++)
        for (k = 0; k < n[side] && good; k++) {
            xlagpu_rt_value v;
            if (side ? xlagpu_rt_result(p, k, &v) : xlagpu_rt_parameter(p, k, &v)) {
                good = allocate(d, &buffers[side][k], v.bytes, v.type);
                *bytes += v.bytes;
            }
        }
    e = good ? xlagpu_rt_prepare(p) : NULL;
    if (e) t = time_execution(d, e, buffers[0], buffers[1], rounds);
    for (side = 0; side < 2; side++)
        for (k = 0; k < n[side]; k++) xlagpu_rt_free(d, buffers[side][k]);
    xlagpu_rt_unload(p);
    return t;
}

static xlagpu_bytes compile(
    xlagpu_context *c, const char *target, const char *name, const char *text, size_t n, uint32_t *kernels) {
    xlagpu_module *m = xlagpu_parse(c, name, text, n);
    xlagpu_compile_desc desc;
    xlagpu_report report;
    xlagpu_bytes exe = {NULL, 0};
    memset(&desc, 0, sizeof desc);
    desc.target.name = target;
    if (m) exe = xlagpu_compile(m, &desc);
    *kernels = exe.data && xlagpu_compile_report(m, &report) ? report.kernels : 0;
    if (!exe.data) fprintf(stderr, "%s\n", xlagpu_error(c));
    return exe;
}

static bool measure(xlagpu_device *d, const char *path, int rounds) {
    size_t n, bytes, copied;
    char *text = (char *)file_read(path, &n), copy[128];
    xlagpu_context *c = xlagpu_create(NULL);
    uint32_t kernels, none;
    xlagpu_bytes exe;
    double t = -1, peer = -1;
    if (!text) {
        fprintf(stderr, "%s cannot be read\n", path);
        xlagpu_destroy(c);
        return false;
    }
    exe = compile(c, xlagpu_rt_target(d), path, text, n, &kernels);
    if (exe.data) t = time_program(d, exe, rounds, &bytes);
    if (t > 0) {
        snprintf(copy, sizeof copy, "ENTRY main { x = u8[%lu] parameter(0)\n ROOT y = u8[%lu] copy(x) }",
            (unsigned long)(bytes / 2 + 1), (unsigned long)(bytes / 2 + 1));
        exe = compile(c, xlagpu_rt_target(d), "copy", copy, strlen(copy), &none);
        if (exe.data) peer = time_program(d, exe, rounds, &copied);
        printf("%s\t%u\t%lu\t%.2f\t%.1f\t%.2f\t%.2f\n", path, kernels, (unsigned long)bytes, t * 1e6,
            (double)bytes / t * 1e-9, peer * 1e6, peer / t);
        fflush(stdout);
    } else if (*xlagpu_rt_error(d))
        fprintf(stderr, "%s: %s\n", path, xlagpu_rt_error(d));
    xlagpu_destroy(c);
    free(text);
    return t > 0;
}

int main(int argc, char **argv) {
    xlagpu_device_desc desc;
    xlagpu_device *d = NULL;
    int k, rounds = 21, failed = 0;
    memset(&desc, 0, sizeof desc);
    desc.platform = "cuda";
    for (k = 1; k < argc; k++) {
        if (strncmp(argv[k], "--platform=", 11) == 0) desc.platform = argv[k] + 11;
        if (strncmp(argv[k], "--driver=", 9) == 0) desc.driver = argv[k] + 9;
        if (strncmp(argv[k], "--repeat=", 9) == 0) rounds = atoi(argv[k] + 9);
    }
    if (rounds < 1 || rounds > ROUNDS) rounds = 21;
    if (xlagpu_rt_open(&desc, &d)) {
        fprintf(stderr, "%s\n", xlagpu_rt_error(d));
        xlagpu_rt_close(d);
        return 3;
    }
    printf("# %s (%s), compiled for %s; median of %d rounds\n", xlagpu_rt_name(d), xlagpu_rt_platform(d),
        xlagpu_rt_target(d), rounds);
    printf("module\tkernels\tbytes\tmicroseconds\tGB_per_s\tcopy_microseconds\tcopy_over_run\n");
    for (k = 1; k < argc; k++)
        if (argv[k][0] != '-') failed += !measure(d, argv[k], rounds);
    xlagpu_rt_close(d);
    return failed != 0;
}
