/* bench/cpu.c -- how long executables of object code take on one thread of this host's processor, beside memcpy.
 *
 *     cpu [--repeat=N] FILE.xgx ... executables for this processor
 *
 * One tab-separated line an executable: milliseconds of the processor for a run (the least of N rounds), bytes of
 * parameters and results together, the same for a memcpy that moves as many bytes (the least likewise, in turns with
 * the runs), and its time over ours. The processor's time, not the clock's: other programs may run beside. Floats are
 * random between -4 and 4, all else is zero. */
#define _POSIX_C_SOURCE 200112L
#include "../xlagpu_runtime.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    LEAVES = 1024
};

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static void fill(unsigned char *data, size_t bytes, xlagpu_type type) {
    uint64_t state = 0x9e3779b97f4a7c15;
    size_t width = type == XLAGPU_F32 ? 4 : type == XLAGPU_BF16 ? 2 : 0, k;
    for (k = 0; width && k + width <= bytes; k += width) {
        float x;
        uint32_t bits;
        state ^= state << 13; /* xorshift, Marsaglia 2003 */
        state ^= state >> 7;
        state ^= state << 17;
        x = (float)(state >> 40) / (float)(1 << 21) - 4;
        memcpy(&bits, &x, sizeof bits);
        if (width == 2) bits >>= 16;
        memcpy(data + k, &bits, width); /* little-endian, as all hosts are */
    }
}
static bool allocate(xlagpu_device *d, xlagpu_buffer *b, const xlagpu_rt_value *v) {
    unsigned char *data = (unsigned char *)calloc(v->bytes + 1, 1);
    bool good = data && xlagpu_rt_alloc(d, v->bytes, b) == XLAGPU_OK;
    if (good) fill(data, v->bytes, v->type);
    good = good && xlagpu_rt_upload(d, *b, data, v->bytes) == XLAGPU_OK;
    free(data);
    return good;
}

/* The least seconds of a run and of a memcpy of half the bytes, in turns; false: a run fails. */
static bool times(xlagpu_device *d, xlagpu_execution *e, xlagpu_buffer buffers[2][LEAVES], size_t bytes, int rounds,
    double least[2]) {
    size_t half = bytes / 2 + 1;
    char *from = (char *)malloc(half), *to = (char *)malloc(half);
    bool good = from && to;
    int k;
    if (good) memset(from, 1, half), memset(to, 2, half);
    for (k = 0; k <= rounds && good; k++) { /* the first one warms up */
        double t[3];
        t[0] = seconds();
        good = !xlagpu_rt_execute(e, buffers[0], buffers[1], NULL) && !xlagpu_rt_wait(d, NULL);
        t[1] = seconds();
        memcpy(to, from, half);
        from[k] = to[half - 1];
        t[2] = seconds();
        if (k < 2 || t[1] - t[0] < least[0]) least[0] = t[1] - t[0];
        if (k < 2 || t[2] - t[1] < least[1]) least[1] = t[2] - t[1];
    }
    free(from);
    free(to);
    return good;
}
static bool time_program(xlagpu_device *d, xlagpu_program *p, int rounds, const char *path) {
    static xlagpu_buffer buffers[2][LEAVES];
    uint32_t n[2], side, k;
    size_t bytes = 0;
    double least[2] = {0, 0};
    xlagpu_execution *e;
    bool good;
    n[0] = xlagpu_rt_parameter_count(p);
    n[1] = xlagpu_rt_result_count(p);
    good = n[0] <= LEAVES && n[1] <= LEAVES;
    memset(buffers, 0, sizeof buffers);
    for (side = 0; side < 2; side++)
        for (k = 0; k < n[side] && good; k++) {
            xlagpu_rt_value v;
            if (!(side ? xlagpu_rt_result(p, k, &v) : xlagpu_rt_parameter(p, k, &v))) continue;
            good = allocate(d, &buffers[side][k], &v);
            bytes += v.bytes;
        }
    e = good ? xlagpu_rt_prepare(p) : NULL;
    good = e && times(d, e, buffers, bytes, rounds, least);
    for (side = 0; side < 2; side++)
        for (k = 0; k < n[side] && k < LEAVES; k++) xlagpu_rt_free(d, buffers[side][k]);
    if (good)
        printf("%s\t%.4f\t%lu\t%.4f\t%.3f\n", path, least[0] * 1e3, (unsigned long)bytes, least[1] * 1e3,
            least[1] / least[0]);
    fflush(stdout);
    return good;
}

static bool measure(xlagpu_device *d, const char *path, int rounds) {
    FILE *f = fopen(path, "rb");
    long size = f && !fseek(f, 0, SEEK_END) ? ftell(f) : -1;
    char *data = size > 0 ? (char *)malloc((size_t)size) : NULL;
    xlagpu_program *p = NULL;
    bool good = data && !fseek(f, 0, SEEK_SET) && fread(data, 1, (size_t)size, f) == (size_t)size;
    if (f) fclose(f);
    if (good) p = xlagpu_rt_load(d, data, (size_t)size);
    good = p && time_program(d, p, rounds, path);
    if (!good) fprintf(stderr, "%s: %s\n", path, *xlagpu_rt_error(d) ? xlagpu_rt_error(d) : "cannot be read");
    if (p) xlagpu_rt_unload(p);
    free(data);
    return good;
}

int main(int argc, char **argv) {
    xlagpu_device_desc desc;
    xlagpu_device *d = NULL;
    int k, rounds = 20, failed = 0;
    memset(&desc, 0, sizeof desc);
    desc.platform = "llvm-cpu";
    desc.threads = 1;
    for (k = 1; k < argc; k++)
        if (strncmp(argv[k], "--repeat=", 9) == 0) rounds = atoi(argv[k] + 9);
    if (rounds < 1) rounds = 1;
    if (xlagpu_rt_open(&desc, &d)) {
        fprintf(stderr, "%s\n", xlagpu_rt_error(d));
        xlagpu_rt_close(d);
        return 3;
    }
    for (k = 1; k < argc; k++)
        if (argv[k][0] != '-') failed += !measure(d, argv[k], rounds);
    xlagpu_rt_close(d);
    return failed > 0;
}
