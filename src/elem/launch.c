/* elem/launch.c -- how many threads and blocks walk over n elements. */
#ifndef XG_ELEM_LAUNCH_C
#define XG_ELEM_LAUNCH_C
#include "elem.h"

XG_FN int64_t xg_warps_whole(int64_t threads) { return (threads + XG_WARP_LANES - 1) / XG_WARP_LANES * XG_WARP_LANES; }
XG_FN xg_launch xg_launch_linear(const xg_fusion_emission *e, int64_t elements, int64_t unroll) {
    bool loops = e->target->max_unroll == 1 && elements >= XG_LAUNCH_LOOPS; /* of a processor: blocks are loops */
    int64_t n = (elements + unroll - 1) / unroll, most = loops ? XG_LAUNCH_ROUNDS : XG_LAUNCH_THREADS,
            threads = XG_MAX((int64_t)1, XG_MIN(n, most)), blocks = XG_MAX((int64_t)1, (n + threads - 1) / threads);
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

XG_FN bool xg_emit_launch(xg_fusion_emission *e, int64_t threads, int64_t blocks, int64_t cluster) {
    xg_launch *l = &e->record->launch;
    uint32_t k;
    for (k = 0; k < 3; k++) l->threads[k] = l->blocks[k] = 1;
    l->threads[0] = (uint32_t)threads;
    l->blocks[0] = (uint32_t)blocks;
    l->cluster = (uint32_t)cluster;
    return true;
}

#endif /* XG_ELEM_LAUNCH_C */
