/* sim/async.c -- what goes on beside the threads: bulk copies, tensor maps, clusters; and the waits for them.
 *
 * The idea. A bulk copy is checked when it is issued and noted as a flight (flights.c). A wait whose condition is not
 * met suspends its warp, which executes the record again after the next event; when no warp can move, what suspended
 * warps wait for lands, and then waits that may give up are told "not yet", some times in a row, before this counts as
 * a deadlock. */
#ifndef XG_SIM_ASYNC_C
#define XG_SIM_ASYNC_C
#include "flights.c"

/* ---- bulk copies ---- */

/* `bytes` of shared or global memory at a lane's address, a multiple of `align`; NULL after a fault. */
XG_FN char *xg_sim_reach_bytes(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane,
    uint32_t code, uint32_t bits, uint64_t bytes, uint32_t align, bool write) {
    uint64_t a = xg_sim_lane_address(xg_sim_slot(w, v, code), lane, (bits & 16) != 0, 0);
    xg_sim_space space = (xg_sim_space)(bits & 15);
    char *p;
    if (a % align) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_MISALIGNED, "bulk copy: the address at 0x%llX is no multiple of %u",
            (unsigned long long)a, align);
        return NULL;
    }
    if (space == XG_SIM_SHARED || space == XG_SIM_GENERIC) {
        p = w->cluster->n > 1 ? xg_sim_reach_peer(w, space, a, bytes) : NULL;
        if (p) return p;
        if (space == XG_SIM_SHARED && a <= w->l->shared_bytes && w->l->shared_bytes - a >= bytes) return w->shared + a;
        if (space == XG_SIM_SHARED) {
            xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_BOUNDS,
                "bulk copy of %llu bytes at offset %llu of shared memory, which has %u bytes",
                (unsigned long long)bytes, (unsigned long long)a, w->l->shared_bytes);
            return NULL;
        }
    }
    if (!xg_sim_in_last(w, a, bytes) && !xg_sim_find_buffer(w, a, bytes)) {
        xg_sim_fault_address(
            w, v, in, lane, a, (uint32_t)bytes, XG_SIM_FAULT_BOUNDS, write ? "bulk write" : "bulk read");
        return NULL;
    }
    if (write && w->last.readonly) {
        xg_sim_fault_address(w, v, in, lane, a, (uint32_t)bytes, XG_SIM_FAULT_READONLY, "bulk write");
        return NULL;
    }
    return (char *)(uintptr_t)a;
}
/* Shared bytes that a flight will write become pending, those it will read lent. */
XG_FN bool xg_sim_claim(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane, const char *p,
    uint64_t bytes, bool write) {
    xg_sim_worker *of = xg_sim_owner(w, p);
    size_t at = of ? (size_t)(p - of->shared) : 0;
    if (!of) return true;
    if (!xg_sim_fresh_bytes(w, of, v, in, lane, 0x7FFFFFFF, at, (size_t)bytes, write ? XG_SIM_WRITES : XG_SIM_READS))
        return false;
    if (write && of->lates && !xg_sim_late_reads(w, of, v, in, lane, at, (size_t)bytes)) return false;
    if (!write && of == w && !xg_sim_proxy(w, v, in, lane, at, (size_t)bytes, "asynchronous copy")) return false;
    xg_sim_set_bytes(of, at, (size_t)bytes, write ? XG_SIM_PENDING : XG_SIM_LENT, true);
    return true;
}
XG_FN bool xg_sim_global_side(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane,
    uint64_t address, uint64_t bytes, xg_sim_does does) {
    if (XG_UNLIKELY(w->tracer != NULL)) xg_sim_trace_bytes(w, address, bytes, does != XG_SIM_READS);
    if (does != XG_SIM_READS)
        w->global_seen = w->tag;
    else if (!xg_sim_proxy_global(w, v, in, lane, address, bytes, w->global_seen, true, "asynchronous copy of"))
        return false;
    return !bytes || xg_sim_shadow_global(w, v, in, lane, 0x7FFFFFFF, address, bytes, does, does == XG_SIM_UPDATES);
}

XG_FN bool xg_sim_bulk_to(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane, char *dst,
    char *src, char *bar, uint64_t bytes) {
    bool global = (in->imm & XG_SIM_BK_TO_GLOBAL) != 0, update = (in->imm & XG_SIM_BK_REDUCE) != 0;
    xg_sim_flight *f;
    if (!xg_sim_claim(w, v, in, lane, src, bytes, false)) return false;
    if (update && !global) { /* of values that are there already */
        xg_sim_worker *of = xg_sim_owner(w, dst);
        if (of && !xg_sim_fresh_bytes(
                      w, of, v, in, lane, 0x7FFFFFFF, (size_t)(dst - of->shared), (size_t)bytes, XG_SIM_READS))
            return false;
    }
    if (!global && !xg_sim_claim(w, v, in, lane, dst, bytes, true)) return false;
    f = xg_sim_take_off(w, v, in, lane, bar);
    f->dst = dst;
    f->src = src;
    f->bytes = bytes;
    if (XG_UNLIKELY(bar && w->tracer)) xg_sim_trace_arrives(w, v, xg_sim_owner(w, bar), bar, XG_SIM_TRACE_BULK_CLOCKS);
    if (in->imm & XG_SIM_BK_MASKED) {
        uint16_t m;
        memcpy(&m, xg_sim_slot(w, v, in->e) + (size_t)lane * 2, 2);
        f->mask = m;
    } else
        xg_sim_flight_begin(w, v, f);
    return true;
}
/* The same place in the block of a rank. */
XG_FN char *xg_sim_in_peer(const xg_sim_worker *w, const char *p, uint32_t rank) {
    const xg_sim_worker *of = xg_sim_owner(w, p);
    return w->cluster->peers[rank]->shared + (p - of->shared);
}
/* The blocks a multicast goes to; 0 after a fault. */
XG_FN uint32_t xg_sim_multicast(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane) {
    uint16_t mask;
    memcpy(&mask, xg_sim_slot(w, v, in->e) + (size_t)lane * 2, 2);
    if (!mask || mask >> w->cluster->n) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_OPERAND, "a multicast to the blocks 0x%X of a cluster of %u", mask,
            w->cluster->n);
        return 0;
    }
    return mask;
}
XG_FN bool xg_sim_bulk_lane(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane) {
    uint64_t bytes = xg_sim_lane_u32(xg_sim_slot(w, v, w->m->list[in->list]), lane);
    bool global = (in->imm & XG_SIM_BK_TO_GLOBAL) != 0;
    uint32_t mask, r;
    char *dst, *src, *bar = NULL;
    if (bytes % 16) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_OPERAND, "a bulk copy moves a multiple of 16 bytes, not %llu",
            (unsigned long long)bytes);
        return false;
    }
    dst = xg_sim_reach_bytes(w, v, in, lane, in->a, in->imm2, bytes, 16, true);
    if (dst && global &&
        !xg_sim_global_side(w, v, in, lane, (uint64_t)(uintptr_t)dst, bytes,
            in->imm & XG_SIM_BK_REDUCE ? XG_SIM_UPDATES : XG_SIM_WRITES))
        return false;
    src = dst ? xg_sim_reach_bytes(w, v, in, lane, in->b, in->imm2 >> 8, bytes, 16, false) : NULL;
    if (!src) return false;
    if ((in->imm2 >> 8 & 15) == XG_SIM_GLOBAL &&
        !xg_sim_global_side(w, v, in, lane, (uint64_t)(uintptr_t)src, bytes, XG_SIM_READS))
        return false;
    if (in->flags & 32 && !(bar = xg_sim_mb_at(w, v, in, lane, in->c, in->imm2 >> 16, false))) return false;
    if (!(in->imm & XG_SIM_BK_MULTICAST)) return xg_sim_bulk_to(w, v, in, lane, dst, src, bar, bytes);
    mask = xg_sim_multicast(w, v, in, lane);
    for (r = 0; r < w->cluster->n; r++)
        if ((mask >> r & 1) &&
            !xg_sim_bulk_to(w, v, in, lane, xg_sim_in_peer(w, dst, r), src, xg_sim_in_peer(w, bar, r), bytes))
            return false;
    return mask != 0;
}

/* ---- boxes of tensors ---- */

XG_FN bool xg_sim_box_check(
    xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane, const xg_sim_box *b) {
    bool write = (in->imm & XG_SIM_BK_TO_GLOBAL) != 0;
    uint32_t r;
    for (r = 0; r < b->rows; r++) {
        xg_sim_box_line l = xg_sim_box_row(b, r);
        uint64_t a = l.address + (uint64_t)l.first * b->item, n = (uint64_t)(l.last - l.first) * b->item;
        if (!n) continue;
        if (!xg_sim_in_last(w, a, n) && !xg_sim_find_buffer(w, a, n)) {
            xg_sim_fault_address(w, v, in, lane, a, (uint32_t)n, XG_SIM_FAULT_BOUNDS,
                write ? "a tensor map's write" : "a tensor map's read");
            return false;
        }
        if (write && w->last.readonly) {
            xg_sim_fault_address(w, v, in, lane, a, (uint32_t)n, XG_SIM_FAULT_READONLY, "a tensor map's write");
            return false;
        }
        if (!xg_sim_global_side(w, v, in, lane, a, n,
                !write                       ? XG_SIM_READS
                : in->imm & XG_SIM_BK_REDUCE ? XG_SIM_UPDATES
                                             : XG_SIM_WRITES))
            return false;
    }
    return true;
}
/* The map's 128 bytes: in parameters, constants or global memory. */
XG_FN bool xg_sim_map_of(
    xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane, xg_sim_tensormap *m) {
    uint64_t a = xg_sim_lane_address(xg_sim_slot(w, v, in->b), lane, (in->imm2 >> 8 & 16) != 0, 0);
    xg_sim_space space = (xg_sim_space)(in->imm2 >> 8 & 15);
    char *p;
    const char *wrong;
    if (a % 64) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_MISALIGNED, "the tensor map at 0x%llX is not aligned to 64 bytes",
            (unsigned long long)a);
        return false;
    }
    /* mov of a parameter's name gives its offset */
    if (space == XG_SIM_GENERIC && a < w->l->param_bytes) space = XG_SIM_PARAM;
    p = xg_sim_reach_lane(w, v, in, lane, space, a, 64, false);
    if (!p || !xg_sim_reach_lane(w, v, in, lane, space, a + 64, 64, false)) return false;
    if (xg_sim_in_last(w, (uint64_t)(uintptr_t)p, XG_SIM_TENSORMAP_BYTES) &&
        !xg_sim_proxy_global(
            w, v, in, lane, (uint64_t)(uintptr_t)p, XG_SIM_TENSORMAP_BYTES, w->maps_seen, false, "tensor map at"))
        return false;
    if (!xg_sim_tensormap_read(p, m)) {
        xg_sim_fault(
            w, v, in, lane, XG_SIM_FAULT_OPERAND, "these 128 bytes are no tensor map that the simulator has encoded");
        return false;
    }
    wrong = xg_sim_tensormap_check(m);
    if (wrong) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_OPERAND, "the tensor map is wrong: %s", wrong);
        return false;
    }
    if (m->rank != in->imm >> XG_SIM_BK_RANK || (m->im2col != 0) != ((in->imm & XG_SIM_BK_IM2COL) != 0)) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_OPERAND, "the tensor map is of rank %u%s; the instruction is not",
            m->rank, m->im2col ? ", im2col" : "");
        return false;
    }
    return true;
}
XG_FN bool xg_sim_tensor_to(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane,
    const xg_sim_box *b, const char *shared, char *bar) {
    xg_sim_flight *f;
    uint64_t bytes = (uint64_t)b->rows * b->row;
    if (!xg_sim_claim(w, v, in, lane, shared, bytes, !(in->imm & XG_SIM_BK_TO_GLOBAL))) return false;
    f = xg_sim_take_off(w, v, in, lane, bar);
    f->tensor = true;
    f->map = *b->m;
    f->box = *b;
    f->shared = xg_sim_owner(w, shared);
    f->at = (uint32_t)(shared - f->shared->shared);
    f->bytes = bytes;
    xg_sim_flight_begin(w, v, f);
    if (XG_UNLIKELY(bar && w->tracer)) xg_sim_trace_arrives(w, v, xg_sim_owner(w, bar), bar, XG_SIM_TRACE_BULK_CLOCKS);
    return true;
}
XG_FN bool xg_sim_tensor_lane(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane) {
    xg_sim_tensormap m;
    xg_sim_box b;
    int32_t at[5] = {0, 0, 0, 0, 0};
    uint16_t offset[3] = {0, 0, 0};
    bool picks = (in->imm & XG_SIM_BK_PICKS) != 0;
    uint32_t i, rank = picks ? 5 : in->imm >> XG_SIM_BK_RANK, mask, r;
    char *shared, *bar = NULL;
    if (!xg_sim_map_of(w, v, in, lane, &m)) return false;
    if (picks && m.box[1] != 1) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_OPERAND,
            "four rows are picked by a tensor map whose box has one row, not %u", m.box[1]);
        return false;
    }
    for (i = 0; i < rank; i++) at[i] = (int32_t)xg_sim_lane_u32(xg_sim_slot(w, v, w->m->list[in->list + i]), lane);
    for (; i < in->n; i++) memcpy(&offset[i - rank], xg_sim_slot(w, v, w->m->list[in->list + i]) + (size_t)lane * 2, 2);
    xg_sim_box_make(&b, &m, at, offset);
    if (picks) {
        b.picks = true;
        b.rows = 4;
        memcpy(b.picked, at + 1, sizeof b.picked);
    }
    shared = xg_sim_reach_bytes(w, v, in, lane, in->a, in->imm2, (uint64_t)b.rows * b.row, 128, true);
    if (!shared || !xg_sim_box_check(w, v, in, lane, &b)) return false;
    if (in->flags & 32 && !(bar = xg_sim_mb_at(w, v, in, lane, in->c, in->imm2 >> 16, false))) return false;
    if (!(in->imm & XG_SIM_BK_MULTICAST)) return xg_sim_tensor_to(w, v, in, lane, &b, shared, bar);
    mask = xg_sim_multicast(w, v, in, lane);
    for (r = 0; mask && r < w->cluster->n; r++) {
        /* of a pair, the barrier in the block of the same parity as the one that is named */
        uint32_t told = in->imm & XG_SIM_BK_PAIR ? (r & ~1u) | (xg_sim_owner(w, bar)->rank & 1) : r;
        if ((mask >> r & 1) &&
            !xg_sim_tensor_to(w, v, in, lane, &b, xg_sim_in_peer(w, shared, r), xg_sim_in_peer(w, bar, told)))
            return false;
    }
    return mask != 0;
}

/* red.async, which lands at once, and st.async, which lands when its memory barrier is waited for. */
XG_FN bool xg_sim_store_lane(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane) {
    xg_sim_type t = (xg_sim_type)(in->imm >> XG_SIM_BK_TYPE & 255);
    uint32_t bytes = xg_sim_types[t].bytes, i;
    char *p = xg_sim_reach_bytes(w, v, in, lane, in->a, in->imm2, (uint64_t)bytes * in->n, bytes * in->n, true), *bar;
    xg_sim_worker *of = p ? xg_sim_owner(w, p) : NULL;
    xg_sim_flight *f = NULL;
    if (!of || !(bar = xg_sim_mb_at(w, v, in, lane, in->c, in->imm2 >> 16, false))) return false;
    if (!xg_sim_fresh_bytes(w, of, v, in, lane, 64, (size_t)(p - of->shared), (size_t)bytes * in->n,
            in->imm & XG_SIM_BK_REDUCE ? XG_SIM_READS : XG_SIM_WRITES))
        return false;
    if (in->imm & XG_SIM_BK_REDUCE)
        xg_sim_landed(of, (size_t)(p - of->shared), (size_t)bytes * in->n);
    else {
        xg_sim_set_bytes(of, (size_t)(p - of->shared), (size_t)bytes * in->n, XG_SIM_PENDING, true);
        f = xg_sim_take_off(w, v, in, lane, bar);
        f->dst = p;
        f->bytes = (uint64_t)bytes * in->n;
    }
    for (i = 0; i < in->n; i++) {
        uint64_t x = 0;
        memcpy(&x, xg_sim_slot(w, v, w->m->list[in->list + i]) + (size_t)lane * bytes, bytes);
        if (f)
            memcpy((char *)f->answer + (size_t)i * bytes, &x, bytes);
        else
            xg_sim_atomic(p, (xg_sim_atom)(in->imm >> XG_SIM_BK_OP & 15), t, x, 0);
    }
    return f || xg_sim_mb_bytes(w, v, in, lane, bar, -(int64_t)(bytes * in->n));
}

/* st.bulk. */
XG_FN bool xg_sim_fill_lane(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane) {
    uint64_t n;
    char *p;
    memcpy(&n, xg_sim_slot(w, v, in->b) + (size_t)lane * 8, 8);
    if (n % 8) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_OPERAND, "st.bulk of %llu bytes, which is no multiple of 8",
            (unsigned long long)n);
        return false;
    }
    if (!n) return true;
    p = xg_sim_reach_bytes(w, v, in, lane, in->a, in->imm2, n, 8, true);
    if (!p) return false;
    if (xg_sim_owner(w, p) != w) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_OPERAND, "st.bulk outside of the shared memory of its block");
        return false;
    }
    if (!w->unchecked &&
        !xg_sim_shadow_shared(w, v, in, lane, (uint32_t)n, (size_t)(p - w->shared), (size_t)n, XG_SIM_WRITES, false))
        return false;
    memset(p, 0, (size_t)n);
    return true;
}

/* ---- tensor maps in memory ---- */

/* May the 128 bytes of a map be touched now? */
XG_FN bool xg_sim_map_ready(
    xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane, const char *p, xg_sim_does does) {
    const xg_sim_worker *of = xg_sim_owner(w, p);
    if (!of) return xg_sim_global_side(w, v, in, lane, (uint64_t)(uintptr_t)p, XG_SIM_TENSORMAP_BYTES, does);
    return xg_sim_fresh_bytes(
        w, xg_sim_owner(w, p), v, in, lane, 0x7FFFFFFF, (size_t)(p - of->shared), XG_SIM_TENSORMAP_BYTES, XG_SIM_READS);
}
XG_FN bool xg_sim_map_lane(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane) {
    xg_sim_tensormap m;
    uint64_t x = 0;
    char *p = xg_sim_reach_bytes(w, v, in, lane, in->a, in->imm2, XG_SIM_TENSORMAP_BYTES, 128, true);
    bool wide = (in->imm & 255) == XG_SIM_MAP_ADDRESS || (in->imm & 255) == XG_SIM_MAP_STRIDE;
    if (!p) return false;
    if (!xg_sim_map_ready(w, v, in, lane, p, XG_SIM_UPDATES)) return false;
    if (!xg_sim_tensormap_begin(p, &m)) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_OPERAND,
            "these 128 bytes are neither zeros nor a tensor map that the simulator has encoded");
        return false;
    }
    memcpy(&x, xg_sim_slot(w, v, in->b) + (size_t)lane * (wide ? 8 : 4), wide ? 8 : 4);
    if (!xg_sim_tensormap_set(&m, (xg_sim_map_field)(in->imm & 255), in->imm >> 8, x)) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_OPERAND,
            "%llu is no value of this field of a tensor map, or is not simulated", (unsigned long long)x);
        return false;
    }
    memcpy(p, &m, sizeof m);
    return true;
}
XG_FN bool xg_sim_map_copy(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane) {
    char *to = xg_sim_reach_bytes(w, v, in, lane, in->a, in->imm2, XG_SIM_TENSORMAP_BYTES, 128, true), *from;
    if (!to || !xg_sim_global_side(w, v, in, lane, (uint64_t)(uintptr_t)to, XG_SIM_TENSORMAP_BYTES, XG_SIM_WRITES))
        return false;
    from = xg_sim_reach_bytes(w, v, in, lane, in->b, in->imm2 >> 8, XG_SIM_TENSORMAP_BYTES, 128, false);
    if (!from || !xg_sim_map_ready(w, v, in, lane, from, XG_SIM_READS)) return false;
    memcpy(to, from, XG_SIM_TENSORMAP_BYTES);
    return true;
}

/* ---- clusters ---- */

/* Ends the phase of barrier.cluster when all warps that live have arrived. */
XG_FN void xg_sim_cluster_check(xg_sim_worker *w) {
    xg_sim_cluster *c = w->cluster;
    uint32_t r, i, arrived = 0;
    if (!c->used) return;
    for (r = 0; r < c->n; r++)
        for (i = 0; i < w->l->warps; i++) {
            const xg_sim_warp *v = &c->peers[r]->warps[i];
            if (v->state == XG_SIM_DONE) continue;
            if (!v->in_cluster_barrier || v->cluster_phase != c->phase) return;
            arrived++;
        }
    if (!arrived) return;
    c->phase++;
    for (r = 0; r < c->n; r++) {
        c->peers[r]->stats.barriers += r == 0;
        xg_sim_synchronised(c->peers[r]);
    }
    xg_sim_event(w);
}
XG_FN void xg_sim_cluster_arrive(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    if (mask != v->live) {
        xg_sim_fault(w, v, in, xg_sim_first_lane(mask), XG_SIM_FAULT_DIVERGENCE,
            "barrier.cluster is reached by the lanes 0x%X of a warp whose live lanes are 0x%X; all threads of a "
            "cluster must reach it",
            mask, v->live);
        return;
    }
    if (v->in_cluster_barrier) {
        xg_sim_fault(w, v, in, xg_sim_first_lane(mask), XG_SIM_FAULT_BARRIER,
            "barrier.cluster.arrive twice without barrier.cluster.wait in between");
        return;
    }
    v->in_cluster_barrier = true;
    v->cluster_phase = w->cluster->phase;
    w->cluster->used = true;
    xg_sim_cluster_check(w);
}
XG_FN bool xg_sim_cluster_wait(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    if (mask != v->live) {
        xg_sim_fault(w, v, in, xg_sim_first_lane(mask), XG_SIM_FAULT_DIVERGENCE,
            "barrier.cluster is reached by the lanes 0x%X of a warp whose live lanes are 0x%X; all threads of a "
            "cluster must reach it",
            mask, v->live);
        return false;
    }
    if (!v->in_cluster_barrier) {
        xg_sim_fault(w, v, in, xg_sim_first_lane(mask), XG_SIM_FAULT_BARRIER,
            "barrier.cluster.wait without barrier.cluster.arrive before it");
        return false;
    }
    if (v->cluster_phase == w->cluster->phase) {
        v->state = XG_SIM_AT_EVENT;
        return false;
    }
    v->in_cluster_barrier = false;
    return true;
}
XG_FN bool xg_sim_map_address(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane) {
    bool wide = (in->imm2 & 16) != 0, window = (in->imm2 & 15) == XG_SIM_SHARED;
    uint64_t a = xg_sim_lane_address(xg_sim_slot(w, v, in->a), lane, wide, 0),
             at = a & (((uint64_t)1 << XG_SIM_WINDOW) - 1), x;
    const xg_sim_worker *of = window ? (a >> XG_SIM_WINDOW == 0 ? w
                                           : (a ^ XG_SIM_RANKED) >> XG_SIM_WINDOW < w->cluster->n
                                               ? w->cluster->peers[(a ^ XG_SIM_RANKED) >> XG_SIM_WINDOW]
                                               : NULL)
                                     : xg_sim_owner(w, (const char *)(uintptr_t)a);
    if (!of) {
        xg_sim_fault(
            w, v, in, lane, XG_SIM_FAULT_OPERAND, "0x%llX is no address of shared memory", (unsigned long long)a);
        return false;
    }
    if (!window) at = a - (uint64_t)(uintptr_t)of->shared;
    x = of->rank;
    if (in->op == XG_SIM_Y_MAPA) {
        uint32_t rank = xg_sim_lane_u32(xg_sim_slot(w, v, in->b), lane);
        if (rank >= w->cluster->n) {
            xg_sim_fault(
                w, v, in, lane, XG_SIM_FAULT_OPERAND, "there is no block %u in a cluster of %u", rank, w->cluster->n);
            return false;
        }
        if (!window)
            x = (uint64_t)(uintptr_t)w->cluster->peers[rank]->shared + at;
        else
            x = w->cluster->n > 1 ? at | XG_SIM_RANKED | (uint64_t)rank << XG_SIM_WINDOW : at; /* alone: no ranks */
    }
    memcpy(v->regs + in->d + (size_t)lane * in->dbytes, &x, in->dbytes);
    return true;
}

/* ---- the records ---- */

/* provided.c */
XG_FN bool xg_sim_system_lane(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane);
XG_FN void xg_sim_exec_async(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    uint32_t i;
    bool ok = true;
    switch (in->op) {
    case XG_SIM_Y_COMMIT:
        if (in->imm & 1)
            xg_sim_bulk_groups(w, v, mask, false, 0, false);
        else
            xg_sim_copy_commit(w, v, mask);
        return;
    case XG_SIM_Y_GROUPS:
        if (in->imm & 1) {
            xg_sim_bulk_groups(w, v, mask, true, in->imm2, (in->imm & 2) != 0);
            return;
        }
        if (in->imm & 4) xg_sim_copy_commit(w, v, mask); /* wait_all: also those in no group */
        xg_sim_copy_wait(w, v, mask, in->imm2);
        return;
    case XG_SIM_Y_ARRIVE: xg_sim_cluster_arrive(w, v, in, mask); return;
    case XG_SIM_Y_MAP_COPY: xg_sim_map_copy(w, v, in, xg_sim_first_lane(mask)); return;
    default: break;
    }
    for (i = 0; i < XG_SIM_WARP && ok; i++) {
        if (!(mask >> i & 1)) continue;
        switch (in->op) {
        case XG_SIM_Y_MB_PENDING:
            xg_sim_put_u32(
                v->regs + in->d, i, xg_sim_mb_pending(xg_sim_mb_get(xg_sim_slot(w, v, in->a) + (size_t)i * 8)));
            break;
        case XG_SIM_Y_BULK: ok = xg_sim_bulk_lane(w, v, in, i); break;
        case XG_SIM_Y_TENSOR: ok = xg_sim_tensor_lane(w, v, in, i); break;
        case XG_SIM_Y_STORE: ok = xg_sim_store_lane(w, v, in, i); break;
        case XG_SIM_Y_FILL: ok = xg_sim_fill_lane(w, v, in, i); break;
        case XG_SIM_Y_MAPA:
        case XG_SIM_Y_RANK: ok = xg_sim_map_address(w, v, in, i); break;
        case XG_SIM_Y_MAP_SET: ok = xg_sim_map_lane(w, v, in, i); break;
        case XG_SIM_Y_ALLOCA:
        case XG_SIM_Y_STACK_SAVE:
        case XG_SIM_Y_STACK_RESTORE:
        case XG_SIM_Y_TRY_CANCEL:
        case XG_SIM_Y_CANCELLED:
        case XG_SIM_Y_MULTIMEM: ok = xg_sim_system_lane(w, v, in, i); break;
        default: ok = xg_sim_mb_lane(w, v, in, i);
        }
    }
}
XG_FN bool xg_sim_tensor_allocate(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask); /* tensor.c */
/* True when the warp may go on to the next record. */
XG_APART XG_FN bool xg_sim_exec_wait(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    uint32_t i, done = 0;
    if (in->op == XG_SIM_Y_WAIT) return xg_sim_cluster_wait(w, v, in, mask);
    if (in->op == XG_SIM_N_ALLOC) return xg_sim_tensor_allocate(w, v, in, mask);
    for (i = 0; i < XG_SIM_WARP; i++) {
        const char *p;
        uint64_t want, phase;
        if (!(mask >> i & 1)) continue;
        p = xg_sim_mb_at(w, v, in, i, in->a, in->imm2, false);
        if (!p) return false;
        if (w->cluster->n_flights) (void)xg_sim_land(w, p, 0, 0, false);
        v->awaits = p;
        phase = xg_sim_mb_get(p) & XG_SIM_MB_PHASE;
        if (in->imm & XG_SIM_MB_PARITY)
            want = xg_sim_lane_u32(xg_sim_slot(w, v, in->b), i) & 1 ? XG_SIM_MB_PHASE : 0;
        else
            want = xg_sim_mb_get(xg_sim_slot(w, v, in->b) + (size_t)i * 8) & XG_SIM_MB_PHASE;
        if (want != phase) done |= 1u << i;
        if (XG_UNLIKELY(w->tracer != NULL) && want != phase) xg_sim_trace_awaits(w, v, p);
    }
    if (!done && !v->impatient) {
        v->state = XG_SIM_AT_EVENT;
        return false;
    }
    v->impatient = false;
    for (i = 0; i < XG_SIM_WARP; i++)
        if (mask >> i & 1) xg_sim_put_u32(v->regs + in->d, i, done >> i & 1 ? 0xFFFFFFFFu : 0);
    if (done) xg_sim_synchronised(w);
    return true;
}

/* No warp of the cluster can move. True when one can now: copies have landed, or waits have been told "not yet". */
XG_APART XG_FN bool xg_sim_unstall(xg_sim_worker *w) {
    xg_sim_cluster *c = w->cluster;
    uint32_t r, i;
    bool moved = false;
    for (r = 0; r < c->n && c->n_flights; r++)
        for (i = 0; i < w->l->warps; i++) {
            const xg_sim_warp *v = &c->peers[r]->warps[i];
            if (v->state == XG_SIM_AT_EVENT && w->m->code[v->pc].op == XG_SIM_Y_MB_TEST)
                moved = xg_sim_land(w, v->awaits, 0, 0, false) || moved;
        }
    if (!moved && c->n_flights) {
        xg_sim_land_first(w, c->n_flights);
        moved = true;
    }
    if (moved) {
        xg_sim_event(w);
        return true;
    }
    if (c->stalls++ >= XG_SIM_STALLS) return false;
    for (r = 0; r < c->n; r++)
        for (i = 0; i < w->l->warps; i++) {
            xg_sim_warp *v = &c->peers[r]->warps[i];
            if (v->state != XG_SIM_AT_EVENT || w->m->code[v->pc].op != XG_SIM_Y_MB_TEST) continue;
            v->impatient = moved = true;
            v->state = XG_SIM_READY;
        }
    return moved;
}
/* Which warp waits for what, when nothing will come of it. True when it was such a wait. */
XG_APART XG_FN bool xg_sim_event_deadlock(xg_sim_worker *w) {
    uint32_t r, i;
    for (r = 0; r < w->cluster->n; r++)
        for (i = 0; i < w->l->warps; i++) {
            xg_sim_worker *of = w->cluster->peers[r];
            const xg_sim_warp *v = &of->warps[i];
            const xg_sim_ins *in = &w->m->code[v->pc];
            uint32_t lane = xg_sim_first_lane(v->mask);
            const char *p;
            uint64_t x;
            if (v->state != XG_SIM_AT_EVENT) continue;
            if (in->op == XG_SIM_Y_WAIT) {
                xg_sim_fault(of, v, in, lane, XG_SIM_FAULT_DEADLOCK,
                    "a warp waits at barrier.cluster, which others of the cluster never reach");
                return true;
            }
            if (in->op == XG_SIM_N_ALLOC) {
                xg_sim_fault(of, v, in, lane, XG_SIM_FAULT_DEADLOCK,
                    "a warp waits for tensor memory, which has 512 columns, and nobody else can move");
                return true;
            }
            p = xg_sim_mb_at(of, v, in, lane, in->a, in->imm2, false);
            if (!p) return true;
            x = xg_sim_mb_get(p);
            xg_sim_fault(of, v, in, lane, XG_SIM_FAULT_DEADLOCK,
                "a warp waits for a memory barrier (phase of parity %u, %u of %u arrivals and %d bytes missing), and "
                "nobody else can move",
                x & XG_SIM_MB_PHASE ? 1u : 0u, xg_sim_mb_pending(x), xg_sim_mb_expected(x), xg_sim_mb_tx(x));
            return true;
        }
    return false;
}

#endif /* XG_SIM_ASYNC_C */
