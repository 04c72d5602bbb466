/* plan/peers.c -- small all-reduces by one kernel on each device, without NCCL.
 *
 * NCCL's ring costs two hops for each further member; streams that meet twice cost the same however many members there
 * are. What a kernel does between the two meetings, there are two ways; the model of time chooses among them and NCCL:
 *
 *   kernels    Each device reads the operands of its whole group and receives all of them whole. The kernel is that of
 *              a fusion which adds its parameters in the order of the group's members, so that all members get the same
 *              bits; floats narrower than f32 are added as f32 and rounded once.
 *   multimem   Where what links the devices adds up and multicasts (multicast.c): operands are copied to memory that
 *              all members share by a multicast object, each device reduces its own part of it and gives that to all,
 *              and results are copied back. A device sends and receives an operand and a part, and a part once more.
 *
 * The executable says the ways that are sooner than NCCL, and the runtime takes the last one that it can, where all
 * members are devices of one process (rt/peers.c). In command buffers collectives are captured from NCCL: the streams
 * of several devices do not meet there, for each device captures a graph of its own. */
#ifndef XG_PLAN_PEERS_C
#define XG_PLAN_PEERS_C
#include "../choice/choice.h"
#include "collectives.c"
#include "multicast.c"
#include "plan.h"

static const int64_t XG_PEERS_BYTES_MAX = (int64_t)8 << 20; /* of operands; far above what the model takes for eight */

/* The members of each of its groups, where all have as many and stand in one machine; else 0. */
XG_FN uint32_t xg_peers_members(const xg_inst *i) {
    xg_meeting t = xg_meeting_of(i);
    int64_t times = xg_meeting_times(&t), members = 0, other;
    uint32_t n, k;
    const xg_ints *list = xg_meeting_groups(i->comp->module->work, &t, &n);
    for (other = 0; other < times; other++)
        for (k = 0; k < n; k++) {
            xg_sent_ring r = xg_sent_ring_of(&t, list[k], other);
            if (r.crossings || (members && r.members != members)) return 0;
            members = r.members;
        }
    return members >= 2 && members <= XG_EXE_PEERS_MAX ? (uint32_t)members : 0;
}
XG_FN int64_t xg_peers_bytes(const xg_inst *i) {
    int64_t bytes = 0;
    uint32_t k;
    for (k = 0; k < i->n_operands; k++) {
        int64_t one = xg_plan_bytes(XG_OPERAND(i, k)->shape);
        if (!one) return 0; /* a kernel for nothing */
        bytes = xg_cost_add(bytes, one);
    }
    return bytes;
}
/* Two meetings of streams, so many launches beyond the first, and bytes on the links. */
XG_FN int64_t xg_peers_time(const xg_inst *i, int64_t launches, int64_t bytes) {
    const xg_device *d = &i->comp->module->device;
    int64_t enqueued = xg_cost_add(xg_cost_mul(2, d->meet_ns), xg_cost_mul(launches, d->launch_ns));
    return xg_cost_add(
        xg_cost_mul(1000, enqueued), xg_sent_at(bytes, d->link_bandwidth ? d->link_bandwidth : d->host_bandwidth));
}
/* Copies to shared memory and back read and write the bytes. */
XG_FN int64_t xg_peers_cast_time(const xg_inst *i, int64_t bytes, uint32_t members) {
    const xg_device *d = &i->comp->module->device;
    int64_t links = xg_peers_time(i, 3 * (int64_t)i->n_operands - 1, xg_cost_add(bytes, bytes / members));
    return xg_cost_add(links, xg_sent_at(xg_cost_mul(4, bytes), d->bandwidth));
}
XG_FN uint32_t xg_plan_peers(const xg_inst *i, bool *kernels, bool *cast) {
    int64_t bytes, ring, time;
    uint32_t members;
    *kernels = *cast = false;
    if (i->op != XG_ALL_REDUCE || !xg_opt_is_canonical_collective(i)) return 0;
    bytes = xg_peers_bytes(i);
    members = bytes && bytes <= XG_PEERS_BYTES_MAX ? xg_peers_members(i) : 0;
    if (!members) return 0;
    ring = xg_cost_add(xg_plan_sent_time(i), XG_SENT_RING_BASE_PS);
    time = xg_peers_time(i, i->n_operands - (int64_t)1, xg_cost_mul(bytes, members - 1));
    *kernels = time <= ring;
    *cast = xg_plan_can_cast(i) && xg_peers_cast_time(i, bytes, members) < XG_MIN(time, ring);
    return members;
}

/* ---- the kernel ---- */

XG_FN xlagpu_type xg_peers_type(xlagpu_type t) {
    return xg_type_class(t) == XGT_F && xg_type_bits(t) < 32 ? XLAGPU_F32 : t;
}
/* op(op(p0, p1), p2) .. of one row of elements. */
XG_FN xg_comp *xg_peers_sum(xg_module *m, const xg_inst *i, const xg_shape *row, uint32_t members) {
    xg_comp *c = xg_comp_new(m, XG_STR("peers"), NULL);
    xg_opcode op = (xg_opcode)xg_opt_device_reducer(i);
    xg_hb b = xg_hb_end(c, i);
    xlagpu_type wide = xg_peers_type(row->type);
    xg_inst *sum = NULL, *x;
    uint32_t k;
    for (k = 0; k < members; k++) {
        x = xg_hb_convert(&b, xg_comp_add_param(c, row, XG_STR("peer")), wide);
        sum = sum ? xg_hb_2(&b, op, sum, x) : x;
    }
    c->root = xg_hb_convert(&b, sum, row->type);
    return c;
}
XG_FN xg_inst *xg_plan_peers_fusion(
    const xg_inst *i, uint32_t operand, uint32_t members, const xg_emit_target *target) {
    xg_module *m = i->comp->module;
    const xg_shape *s = XG_OPERAND(i, operand)->shape, *row;
    xg_comp *outside = xg_comp_new(m, XG_STR("peers_of"), NULL);
    xg_inst **in = XG_NEW_N(m->arena, xg_inst *, members), *fusion;
    xg_hb b = xg_hb_end(outside, i);
    int64_t n = s->elements;
    uint32_t k;
    row = xg_hb_shape(&b, s->type, &n, 1);
    for (k = 0; k < members; k++) in[k] = xg_comp_add_param(outside, row, XG_STR("peer"));
    fusion = xg_inst_new(outside, XG_FUSION, row, in, members, NULL, XG_STR("peers_all_reduce"));
    xg_inst_set_text(fusion, XG_A_kind, "kLoop");
    xg_inst_set_comp(fusion, XG_A_calls, xg_peers_sum(m, i, row, members));
    outside->root = fusion;
    xg_choice_of(m->work, fusion, target);
    return fusion;
}
XG_FN void xg_plan_peers_forget(xg_inst *fusion) {
    xg_comp *sum = xg_attr_calls(fusion);
    xg_comp_remove(fusion->comp);
    xg_comp_remove(sum);
}

#endif /* XG_PLAN_PEERS_C */
