/* emit/launch.c -- how many threads and blocks walk over n elements. */
#ifndef XG_EMIT_LAUNCH_C
#define XG_EMIT_LAUNCH_C
#include "emit.h"

enum {
    XG_LAUNCH_THREADS = 128 /* four warp schedulers times 32 lanes */
};

XG_FN xg_launch xg_launch_linear(const xg_fusion_emission *e, int64_t elements, int64_t unroll) {
    int64_t n = (elements + unroll - 1) / unroll, threads = XG_MAX((int64_t)1, XG_MIN(n, (int64_t)XG_LAUNCH_THREADS)),
            blocks = XG_MAX((int64_t)1, (n + threads - 1) / threads);
    xg_launch l;
    if (blocks > INT32_MAX)
        xg_hlo_fail(e->fusion, XLAGPU_ERROR_LIMIT, NULL,
            "a kernel over %lld elements needs %lld blocks; the limit is 2147483647", (long long)elements,
            (long long)blocks);
    l.threads[0] = (uint32_t)threads;
    l.blocks[0] = (uint32_t)blocks;
    l.threads[1] = l.threads[2] = l.blocks[1] = l.blocks[2] = 1;
    return l;
}

#endif /* XG_EMIT_LAUNCH_C */
