/* plan/combiner.c -- how many bytes a combined collective moves at most (opt/collective_combiner.c).
 *
 * One collective less saves a launch and the hops of its ring, whatever it moves. Once the links need eight times as
 * long for the bytes, a further member saves less than a ninth, and what waits for the first bytes waits for the last
 * ones, too. On eight H100 that is about XLA's threshold of 30 MiB, on cards without links between them a tenth of
 * that. XLA's flags --xla_gpu_all_reduce_combine_threshold_bytes and the like say it otherwise. */
#ifndef XG_PLAN_COMBINER_C
#define XG_PLAN_COMBINER_C
#include "collectives.c"
#include "plan.h"

enum {
    XG_COMBINE_SHARE = 8 /* so many times what a collective costs without its bytes */
};
static const int64_t XG_COMBINE_UNKNOWN_BYTES = (int64_t)30 << 20; /* of a device without figures: XLA's threshold */
static const int64_t XG_COMBINE_MOST_BYTES = (int64_t)256 << 20;   /* results are held until the last one is there */

XG_FN int64_t xg_combine_by_time(const xg_inst *first) {
    const xg_device *d = &first->comp->module->device;
    int64_t hops, links;
    if (!d->link_bandwidth && !d->host_bandwidth) return XG_COMBINE_UNKNOWN_BYTES;
    hops = xg_sent_time_bytes(first, 0);
    links = xg_plan_sent_time(first) - hops;
    if (links <= 0) return XG_COMBINE_UNKNOWN_BYTES;
    hops = xg_cost_add(hops, XG_SENT_RING_BASE_PS + xg_cost_mul(d->launch_ns, 1000));
    return XG_MIN(
        xg_cost_mul(xg_gang_bytes(first), xg_cost_mul(XG_COMBINE_SHARE, hops)) / links, XG_COMBINE_MOST_BYTES);
}
XG_FN int64_t xg_combine_limit(const xg_inst *first) {
    const xg_module *m = first->comp->module;
    uint32_t given = first->op == XG_ALL_REDUCE   ? m->combine_all_reduce
                     : first->op == XG_ALL_GATHER ? m->combine_all_gather
                                                  : m->combine_reduce_scatter;
    return given ? (int64_t)given : xg_combine_by_time(first);
}
XG_FN bool xg_plan_all_reduce_combiner(xg_module *m) { return xg_opt_combine(m, XG_ALL_REDUCE, xg_combine_limit); }
XG_FN bool xg_plan_all_gather_combiner(xg_module *m) { return xg_opt_combine(m, XG_ALL_GATHER, xg_combine_limit); }
XG_FN bool xg_plan_reduce_scatter_combiner(xg_module *m) {
    return xg_opt_combine(m, XG_REDUCE_SCATTER, xg_combine_limit);
}

#endif /* XG_PLAN_COMBINER_C */
