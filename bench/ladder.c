/* bench/ladder.c -- what the model of time says of a published kernel that multiplies bf16 matrices of 8192 rows: see
 * ladder.sh, which makes the PTX.
 *
 *     ladder K FILE.ptx      K: the kernel's number in fast.cu, whose parameters and tiles follow from it
 *
 * 2048 rows and columns are run on the simulator, with all of k: a tile for each block. They stand for the whole grid:
 * 16 times the blocks, 4 times the memory. Prints "microseconds TFLOP/s limit". */
#define XLAGPU_IMPLEMENTATION
#include "../xlagpu_runtime.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIZE = 8192,
    PART = 2048, /* rows and columns that are run */
    STEP = 64,   /* of k: a line of 128 bytes */
    BF16 = 9     /* as CUtensorMapDataType numbers it */
};
typedef struct ladder {
    int kernel, rows, columns, stages, threads, registers;
    xlagpu_device *device;
    xlagpu_buffer buffers[4]; /* A, B, C, maps */
    unsigned char maps[2][128], block[1024];
} ladder;

static char *text_of(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    char *text = (char *)calloc(1, 1 << 20);
    *n = f && text ? fread(text, 1, (1 << 20) - 1, f) : 0;
    if (f) fclose(f);
    return text;
}
static int fail(const ladder *l, const char *what) {
    fprintf(stderr, "ladder: %s: %s\n", what, xlagpu_rt_error(l->device));
    return 1;
}
/* The matrix as tiles are read from it: two dimensions, later kernels' lines of 64 elements with a dimension apart. */
static xlagpu_status map_of(ladder *l, int side) {
    xlagpu_tensor_map m;
    memset(&m, 0, sizeof m);
    m.address = l->buffers[side].address;
    m.data_type = BF16;
    m.swizzle = 3;
    m.rank = l->kernel < 6 ? 2 : l->kernel < 8 ? 5 : 3;
    m.dims[0] = m.rank == 2 ? SIZE : STEP;
    m.dims[1] = PART;
    m.dims[2] = SIZE / STEP;
    m.dims[3] = m.dims[4] = 1;
    m.strides[0] = 2 * SIZE;
    m.strides[1] = 2 * STEP;
    m.box[0] = STEP;
    m.box[1] = (uint32_t)(side ? l->columns : l->rows);
    m.box[2] = m.box[3] = m.box[4] = 1;
    return xlagpu_rt_encode_tensor_map(l->device, &m, l->maps[side]);
}
/* M, N, K, C, then the maps: their addresses, or themselves. */
static size_t parameters(ladder *l, const char *path, const char *ptx, size_t n) {
    const int32_t sizes[3] = {PART, PART, SIZE};
    uint32_t k, at = 0, bytes = 0;
    for (k = 0; k < 6 && xlagpu_rt_ptx_parameter(l->device, path, ptx, n, NULL, k, &at, &bytes); k++) {
        const uint64_t address = k == 3 ? l->buffers[2].address : l->buffers[3].address + (k == 5) * sizeof l->maps[0];
        if (k < 3)
            memcpy(l->block + at, &sizes[k], 4);
        else if (k == 3 || l->kernel < 6)
            memcpy(l->block + at, &address, 8);
        else
            memcpy(l->block + at, l->maps[k - 4], sizeof l->maps[0]);
    }
    return at + bytes;
}
static int begin(ladder *l) {
    const size_t bytes[4] = {(size_t)2 * PART * SIZE, (size_t)2 * PART * SIZE, (size_t)2 * PART * PART, 256};
    void *zeros = calloc(1, bytes[0]);
    int k;
    for (k = 0; k < 4; k++)
        if (xlagpu_rt_alloc(l->device, bytes[k], &l->buffers[k])) return fail(l, "memory");
    for (k = 0; k < 2; k++)
        if (!zeros || xlagpu_rt_upload(l->device, l->buffers[k], zeros, bytes[k]) || map_of(l, k))
            return fail(l, "operands");
    free(zeros);
    return xlagpu_rt_upload(l->device, l->buffers[3], l->maps, sizeof l->maps) ? fail(l, "maps") : 0;
}
int main(int argc, char **argv) {
    ladder l;
    xlagpu_device_desc d;
    xlagpu_ptx_launch launch;
    xlagpu_kernel_stats stats;
    char *ptx;
    size_t n;
    memset(&l, 0, sizeof l);
    memset(&d, 0, sizeof d);
    memset(&launch, 0, sizeof launch);
    memset(&stats, 0, sizeof stats);
    if (argc != 3) return 2;
    l.kernel = atoi(argv[1]);
    l.rows = 128;
    l.columns = l.kernel == 4 ? 128 : 256;
    l.stages = l.kernel == 4 ? 5 : 3;
    l.threads = l.kernel == 4 ? 256 : 384;
    d.platform = "host";
    d.part = "H100";
    d.predict = true;
    d.predict_scale = SIZE / PART * (SIZE / PART);
    d.predict_memory_scale = SIZE / PART;
    if (xlagpu_rt_open(&d, &l.device)) return fail(&l, "device");
    if (begin(&l)) return 1;
    ptx = text_of(argv[2], &n);
    launch.parameters = l.block;
    launch.parameter_bytes = parameters(&l, argv[2], ptx, n);
    launch.grid[0] = (uint32_t)(PART / l.rows * (PART / l.columns));
    launch.block[0] = (uint32_t)l.threads;
    launch.registers = 65536 / 2 / (uint32_t)l.threads * 2 / 8 * 8;
    if (launch.registers > 255) launch.registers = 255;
    launch.shared_bytes = (uint32_t)((l.rows + l.columns) * STEP * 2 * l.stages + 1024);
    if (xlagpu_rt_launch_ptx(l.device, argv[2], ptx, n, &launch, &stats)) return fail(&l, argv[2]);
    printf("%.1f %.0f %s\n", (double)stats.predicted_ns / 1e3,
        2.0 * SIZE * SIZE * SIZE / ((double)stats.predicted_ns * 1e3), xlagpu_limit_name(stats.limit));
    free(ptx);
    xlagpu_rt_close(l.device);
    return 0;
}
