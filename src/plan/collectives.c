/* plan/collectives.c -- a collective as its step says it: what is done, and which devices meet.
 *
 *     all-reduce add f32 {{0,1,2,3},{4,5,6,7}}        reduce-scatter multiply bf16 {...}
 *     all-gather {{0,1}}                              all-to-all {{0,1}}
 *     collective-permute {{0,1},{1,2}}                pairs of source and target
 *     collective-broadcast {{0,1}}                    collective-broadcast s32 {{0,1}}: the root is the last operand
 *     ragged-all-to-all 64 s32 {{0,1}}                bytes of a row, the type of sizes and offsets
 *
 * Behind the groups of an all-reduce may stand " kernels 3,3": for each operand the kernel by which devices that reach
 * each other's memory do it, from the operands of all members, in their order, to the result; and " multimem 4,5": the
 * kernel by which devices with a multicast object do (peers.c).
 *
 * Devices are numbered replica * partitions + partition; groups of every mode are written as such numbers, in the order
 * of their members. */
#ifndef XG_PLAN_COLLECTIVES_C
#define XG_PLAN_COLLECTIVES_C
#include "../eval/eval.h"
#include "plan.h"

typedef struct xg_meeting { /* which ids a collective names, and of what */
    const xg_inst *inst;
    xg_team_mode mode;
    int64_t replicas, partitions;
} xg_meeting;

XG_FN xg_meeting xg_meeting_of(const xg_inst *i) {
    const xg_module *m = i->comp->module;
    xg_meeting t;
    t.inst = i;
    t.mode = xg_team_mode_of(i);
    t.replicas = XG_MAX(m->replica_count, (int64_t)1);
    t.partitions = XG_MAX(m->num_partitions, (int64_t)1);
    return t;
}
/* So many ids there are, and each stands for so many devices of different groups. */
XG_FN int64_t xg_meeting_ids(const xg_meeting *t) {
    return t->mode == XG_TEAM_PARTITIONS ? t->partitions
           : t->mode == XG_TEAM_FLAT     ? t->replicas * t->partitions
                                         : t->replicas;
}
XG_ONE_COPY XG_FN int64_t xg_meeting_times(const xg_meeting *t) {
    return t->mode == XG_TEAM_PARTITIONS ? t->replicas : t->mode == XG_TEAM_REPLICAS ? t->partitions : 1;
}
XG_FN int64_t xg_meeting_device(const xg_meeting *t, int64_t id, int64_t other) {
    if (id < 0 || id >= xg_meeting_ids(t))
        xg_hlo_fail(t->inst, XLAGPU_ERROR_INVALID, NULL,
            "it names device %lld; the module is for %lld replicas of %lld partitions", (long long)id,
            (long long)t->replicas, (long long)t->partitions);
    return t->mode == XG_TEAM_FLAT         ? id
           : t->mode == XG_TEAM_PARTITIONS ? other * t->partitions + id
                                           : id * t->partitions + other;
}

XG_FN void xg_meeting_put(xg_buf *b, const xg_meeting *t, xg_ints ids, int64_t other) {
    int64_t spread = t->mode == XG_TEAM_BOTH ? t->partitions : 1, s;
    uint32_t k;
    xg_puts(b, b->p[b->n - 1] == '}' ? ",{" : "{");
    for (k = 0; k < ids.n; k++)
        for (s = 0; s < spread; s++) {
            if (k || s) xg_putc(b, ',');
            xg_put_i64(b, xg_meeting_device(t, ids.p[k], spread > 1 ? s : other));
        }
    xg_putc(b, '}');
}
/* The groups, or pairs, that the instruction lists; all ids where it lists none. */
XG_FN const xg_ints *xg_meeting_groups(xg_arena *a, const xg_meeting *t, uint32_t *n) {
    const xg_attr *groups = xg_inst_attr(t->inst, XG_A_replica_groups),
                  *pairs = xg_inst_attr(t->inst, XG_A_source_target_pairs);
    int64_t ids = xg_meeting_ids(t), *every;
    xg_ints *all;
    *n = groups ? groups->v.groups->n : pairs ? pairs->v.lists->n : 0;
    if (*n || pairs) return groups ? groups->v.groups->p : pairs->v.lists->p;
    every = XG_NEW_N(a, int64_t, ids);
    all = XG_NEW(a, xg_ints);
    for (all->n = 0; all->n < ids; all->n++) every[all->n] = all->n;
    all->p = every;
    *n = 1;
    return all;
}
XG_FN void xg_meeting_put_all(xg_buf *b, const xg_meeting *t) {
    int64_t times = xg_meeting_times(t), other;
    uint32_t n, k;
    const xg_ints *list = xg_meeting_groups(b->arena, t, &n);
    xg_putc(b, '{');
    for (other = 0; other < times; other++)
        for (k = 0; k < n; k++) xg_meeting_put(b, t, list[k], other);
    xg_putc(b, '}');
}

XG_FN void xg_plan_collective(xg_buf *b, const xg_inst *i) {
    xg_meeting t = xg_meeting_of(i);
    const xg_shape *s = XG_OPERAND(i, 0)->shape;
    if (!xg_opt_is_canonical_collective(i))
        xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, "run it with --platform=interpreter",
            "this form of %s is not supported on a device", xg_op_name(i->op));
    xg_puts(b, xg_op_name(i->op));
    if (i->op == XG_ALL_REDUCE || i->op == XG_REDUCE_SCATTER)
        xg_printf(b, " %s %s", xg_op_name((xg_opcode)xg_opt_device_reducer(i)), xg_type_name(s->type));
    if (i->op == XG_RAGGED_ALL_TO_ALL)
        xg_printf(b, " %lld %s", (long long)(s->dims[0] ? xg_plan_bytes(s) / s->dims[0] : 0),
            xg_type_name(XG_OPERAND(i, 2)->shape->type));
    if (xg_attr_or_0(i, XG_A_has_dynamic_root))
        xg_printf(b, " %s", xg_type_name(XG_OPERAND(i, i->n_operands - 1)->shape->type));
    xg_putc(b, ' ');
    xg_meeting_put_all(b, &t);
}

/* ---- what it sends ---- */

XG_FN xg_plan_sent_kind xg_plan_sent_kind_of(xg_opcode op) {
    switch (op) {
    case XG_ALL_REDUCE: return XG_PLAN_SENT_all_reduce;
    case XG_ALL_GATHER: return XG_PLAN_SENT_all_gather;
    case XG_REDUCE_SCATTER: return XG_PLAN_SENT_reduce_scatter;
    case XG_ALL_TO_ALL: return XG_PLAN_SENT_all_to_all;
    case XG_COLLECTIVE_PERMUTE: return XG_PLAN_SENT_collective_permute;
    case XG_COLLECTIVE_BROADCAST: return XG_PLAN_SENT_collective_broadcast;
    default: return XG_PLAN_SENT_ragged_all_to_all;
    }
}
XG_FN int64_t xg_plan_sent_bytes(const xg_inst *i) {
    int64_t g = xg_opt_group_size(i), in = 0;
    uint32_t k, n = i->op == XG_RAGGED_ALL_TO_ALL ? 1 : i->n_operands;
    for (k = 0; k < n; k++) in = xg_cost_add(in, xg_plan_bytes(XG_OPERAND(i, k)->shape));
    switch (i->op) {
    case XG_ALL_REDUCE: return xg_cost_mul(2 * (g - 1), in) / g;
    case XG_ALL_GATHER: return xg_cost_mul(g - 1, in);
    case XG_REDUCE_SCATTER:
    case XG_ALL_TO_ALL: return xg_cost_mul(g - 1, in) / g;
    default: return in;
    }
}

/* ---- how long that takes ---- */

enum {
    /* from a device to the next: what NCCL's tuning model takes for rings of its protocol LL, by NVLink and network */
    XG_SENT_LINK_HOP_PS = 600000,
    XG_SENT_NETWORK_HOP_PS = 2700000, /* ... of another machine */
    XG_SENT_RING_BASE_PS = 6600000    /* what that model adds to the hops, however many: where ways are compared */
};

/* A group as its ring: members, how many of the first one's machine, and how often the ring changes machines. */
typedef struct xg_sent_ring {
    int64_t members, together, crossings;
} xg_sent_ring;

XG_FN xg_sent_ring xg_sent_ring_of(const xg_meeting *t, xg_ints ids, int64_t other) {
    int64_t spread = t->mode == XG_TEAM_BOTH ? t->partitions : 1, size = t->inst->comp->module->machine_devices;
    int64_t first = -1, last = -1, k;
    xg_sent_ring r = {0, 0, 0};
    r.members = ids.n * spread;
    if (!size) size = INT64_MAX;
    for (k = 0; k < r.members; k++) {
        int64_t machine = xg_meeting_device(t, ids.p[k / spread], spread > 1 ? k % spread : other) / size;
        if (!k) first = last = machine;
        r.together += machine == first;
        r.crossings += machine != last;
        last = machine;
    }
    r.crossings += last != first;
    return r;
}
/* Bytes at so many a second, in picoseconds. */
XG_FN int64_t xg_sent_at(int64_t bytes, int64_t bandwidth) {
    return xg_cost_mul(bytes, 1000000) / XG_MAX(bandwidth / 1000000, (int64_t)1);
}
/* That a device sends so many bytes in one group. Between machines there are as many rings as each has members, each
 * over a network card of its own, with its part of the bytes; what goes to all or to one other device alone crosses by
 * the device's own card. */
XG_FN int64_t xg_sent_time_of(const xg_inst *i, const xg_sent_ring *r, int64_t bytes) {
    const xg_device *d = &i->comp->module->device;
    int64_t hops = r->members - 1, across = r->crossings ? r->crossings - 1 : 0, time, net;
    bool rings = i->op == XG_ALL_REDUCE || i->op == XG_ALL_GATHER || i->op == XG_REDUCE_SCATTER ||
                 i->op == XG_COLLECTIVE_BROADCAST;
    if (r->members < 2) return 0;
    if (!rings) hops = 1, across = r->crossings > 0;
    if (i->op == XG_ALL_REDUCE) hops *= 2, across *= 2;
    time = xg_sent_at(bytes, d->link_bandwidth ? d->link_bandwidth : d->host_bandwidth);
    net = bytes;
    if (i->op == XG_ALL_TO_ALL) net = xg_cost_mul(bytes, r->members - r->together) / (r->members - 1);
    if (r->crossings) time = XG_MAX(time, xg_sent_at(rings ? net / r->together : net, d->network_bandwidth));
    return xg_cost_add(time,
        xg_cost_add(xg_cost_mul(hops - across, XG_SENT_LINK_HOP_PS), xg_cost_mul(across, XG_SENT_NETWORK_HOP_PS)));
}
/* Of the group that takes longest. */
XG_FN int64_t xg_sent_time_bytes(const xg_inst *i, int64_t bytes) {
    xg_meeting t = xg_meeting_of(i);
    int64_t most = 0, times = xg_meeting_times(&t), other;
    uint32_t n, k;
    const xg_ints *list = xg_meeting_groups(i->comp->module->work, &t, &n);
    for (other = 0; other < times; other++)
        for (k = 0; k < n; k++) {
            xg_sent_ring r = xg_sent_ring_of(&t, list[k], other);
            most = XG_MAX(most, xg_sent_time_of(i, &r, bytes));
        }
    return most;
}
XG_FN int64_t xg_plan_sent_time(const xg_inst *i) { return xg_sent_time_bytes(i, xg_plan_sent_bytes(i)); }

#endif /* XG_PLAN_COLLECTIVES_C */
