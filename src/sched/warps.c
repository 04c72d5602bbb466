/* sched/warps.c -- arrays of a warp: each warp of a block has one of its own, in shared memory.
 *
 * The array gets a dimension in front, the warp's number; its lanes see what the others wrote behind a barrier, which
 * the step `sync` puts there. */
#ifndef XG_SCHED_WARPS_C
#define XG_SCHED_WARPS_C
#include "sched.h"
#include "loops.c"
#include "../indexing/indexing.h"
#include "allreduce.c"
#include "flat.c"

XG_FN void xg_nest_warps_buf(xg_loopnest *n, xg_nbuf *buf) {
    int64_t outer = 1;
    xg_nplaces v;
    uint32_t k, d;
    memset(&v, 0, sizeof v);
    xg_nest_places(n, buf, &v);
    for (k = 0; k < v.n; k++) {
        xg_nteam t = xg_nteam_of(n, v.p[k].s);
        const xg_aff **at = XG_NEW_N(n->arena, const xg_aff *, buf->rank + 1);
        xg_aff_env env = xg_nest_env(n);
        at[0] = xg_aff_div_in(&env, t.linear, XG_WARP_LANES);
        for (d = 0; d < buf->rank; d++) at[d + 1] = (*v.p[k].at)[d];
        *v.p[k].at = at;
        outer = (t.all + XG_WARP_LANES - 1) / XG_WARP_LANES;
    }
    xg_nest_add_dim(n, buf, outer);
    buf->scope = XG_NS_SHARED;
}
XG_FN void xg_nest_warps(xg_loopnest *n) {
    uint32_t k;
    if (!n->flat) xg_sched_fail(n, "warps: the nest is not flat");
    for (k = 0; k < n->bufs.n; k++)
        if (n->bufs.p[k]->scope == XG_NS_WARP) xg_nest_warps_buf(n, n->bufs.p[k]);
}

#endif /* XG_SCHED_WARPS_C */
