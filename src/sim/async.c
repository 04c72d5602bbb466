/* sim/async.c -- what goes on beside the threads: memory barriers, bulk copies, clusters; and the waits for them.
 *
 * The idea. A bulk copy is checked when it is issued and noted as a flight; until it lands, the bytes it will write
 * count as pending and those it will read as lent (shadow.c), so that whoever touches them too early is found. A flight
 * lands as late as a GPU may have it: when a warp waits for its memory barrier, its thread for its group. A wait whose
 * condition is not met suspends its warp, which executes the record again after the next event; when no warp can move,
 * what suspended warps wait for lands, and then waits that may give up are told "not yet", some times in a row, before
 * this counts as a deadlock.
 *
 * A memory barrier is 64 bits: arrivals a phase expects (20), arrivals still pending (20), bytes still to come (21,
 * signed), the phase's parity, and a bit that is always set. An arrival's state is the word before it. */
#ifndef XG_SIM_ASYNC_C
#define XG_SIM_ASYNC_C
#include "tensormap.c"

enum {
    XG_SIM_FLIGHTS = 64,
    XG_SIM_STALLS = 64,
    XG_SIM_MB_MAX = (1 << 20) - 1
};
#define XG_SIM_MB_PHASE ((uint64_t)1 << 61)
#define XG_SIM_MB_LIVE ((uint64_t)1 << 62)

/* A copy under way. Of a tensor: box.m points to map. */
struct xg_sim_flight {
    char *dst, *src, *bar; /* bar: NULL for a bulk group */
    uint64_t bytes;
    uint32_t imm, mask, at; /* the record's imm; which bytes of each 16; where a box lies in shared memory */
    bool tensor, commit;
    uint32_t answer[4]; /* to clusterlaunchcontrol.try_cancel: copied when src is NULL */
    /* of a commit of tensor memory: all that the thread has issued until then; of a bulk group the thread, and how many
     * groups it has committed since the copy was issued, which is in the first of them */
    uint32_t issuer, operation;
    xg_sim_tensormap map;
    xg_sim_box box;
    xg_sim_worker *shared; /* whose shared memory the box is in */
};

/* ---- events ---- */

XG_FN void xg_sim_event(xg_sim_worker *w) {
    xg_sim_cluster *c = w->cluster;
    uint32_t r, i;
    c->stalls = 0;
    for (r = 0; r < c->n; r++)
        for (i = 0; i < w->l->warps; i++)
            if (c->peers[r]->warps[i].state == XG_SIM_AT_EVENT) c->peers[r]->warps[i].state = XG_SIM_READY;
}

/* ---- memory barriers ---- */

XG_FN uint64_t xg_sim_mb_get(const char *p) {
    uint64_t x;
    memcpy(&x, p, 8);
    return x;
}
XG_FN uint32_t xg_sim_mb_expected(uint64_t x) { return (uint32_t)x & XG_SIM_MB_MAX; }
XG_FN uint32_t xg_sim_mb_pending(uint64_t x) { return (uint32_t)(x >> 20) & XG_SIM_MB_MAX; }
XG_FN int32_t xg_sim_mb_tx(uint64_t x) { return (int32_t)((uint32_t)(x >> 40) << 11) >> 11; }
XG_FN uint64_t xg_sim_mb_make(uint32_t expected, uint32_t pending, int32_t tx, uint64_t phase) {
    return (uint64_t)expected | (uint64_t)pending << 20 | (uint64_t)((uint32_t)tx & 0x1FFFFFu) << 40 | phase |
           XG_SIM_MB_LIVE;
}
/* Stores a barrier's word; when nothing is missing the phase ends. */
XG_FN void xg_sim_mb_put(xg_sim_worker *w, char *p, uint32_t expected, uint32_t pending, int32_t tx, uint64_t phase) {
    uint64_t x;
    bool done = !pending && !tx;
    x = xg_sim_mb_make(expected, done ? expected : pending, tx, done ? phase ^ XG_SIM_MB_PHASE : phase);
    memcpy(p, &x, 8);
    if (done) xg_sim_event(w);
}
/* The barrier a lane's address names; NULL after a fault. */
XG_FN char *xg_sim_mb_at(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane, uint32_t code,
    uint32_t bits, bool init) {
    uint64_t a = xg_sim_lane_address(xg_sim_slot(w, v, code), lane, (bits & 16) != 0, 0);
    char *p = xg_sim_reach_lane(w, v, in, lane, (xg_sim_space)(bits & 15), a, 8, true);
    xg_sim_worker *of = p ? xg_sim_owner(w, p) : NULL;
    size_t at, i;
    uint32_t are = 0;
    if (!p) return NULL;
    if (!of) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_MBARRIER, "a memory barrier must be in shared memory");
        return NULL;
    }
    at = (size_t)(p - of->shared);
    for (i = 0; i < 8; i++) are += xg_sim_byte_state(of, at + i) == XG_SIM_MBARRIER;
    if (!init && are != 8) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_MBARRIER,
            "there is no memory barrier at offset %zu of shared memory: mbarrier.init has not been executed", at);
        return NULL;
    }
    if (init && are) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_MBARRIER,
            "mbarrier.init at offset %zu of shared memory, where a memory barrier is already: mbarrier.inval it first",
            at);
        return NULL;
    }
    return p;
}
XG_FN void xg_sim_mb_mark(const xg_sim_worker *w, const char *p, xg_sim_fresh is) {
    xg_sim_worker *of = xg_sim_owner(w, p);
    xg_sim_set_bytes(of, (size_t)(p - of->shared), 8, is, true);
}

/* Bytes that will come (more) or have come; false after a fault. */
XG_FN bool xg_sim_mb_bytes(
    xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane, char *p, int64_t more) {
    uint64_t x = xg_sim_mb_get(p);
    int64_t tx = xg_sim_mb_tx(x) + more;
    if (tx > XG_SIM_MB_MAX || tx < -XG_SIM_MB_MAX) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_MBARRIER,
            "a memory barrier counts at most 2^20-1 bytes; this would be %lld", (long long)tx);
        return false;
    }
    xg_sim_mb_put(w, p, xg_sim_mb_expected(x), xg_sim_mb_pending(x), (int32_t)tx, x & XG_SIM_MB_PHASE);
    return true;
}
XG_FN bool xg_sim_mb_arrive(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane, char *p,
    uint32_t count, uint32_t flags) {
    uint64_t x = xg_sim_mb_get(p);
    uint32_t expected = xg_sim_mb_expected(x), pending = xg_sim_mb_pending(x);
    if (count < 1 || count > pending) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_MBARRIER,
            "%u arrivals at a memory barrier whose phase waits for %u more (it expects %u)", count, pending, expected);
        return false;
    }
    if (flags & XG_SIM_MB_NO_COMPLETE && count == pending && !xg_sim_mb_tx(x)) {
        xg_sim_fault(
            w, v, in, lane, XG_SIM_FAULT_MBARRIER, "an arrival with .noComplete ends the memory barrier's phase");
        return false;
    }
    if (flags & XG_SIM_MB_DROP) expected -= count;
    xg_sim_mb_put(w, p, expected, pending - count, xg_sim_mb_tx(x), x & XG_SIM_MB_PHASE);
    return true;
}

XG_FN bool xg_sim_mb_lane(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane) {
    uint32_t b = in->flags & 16 ? xg_sim_lane_u32(xg_sim_slot(w, v, in->b), lane) : 0;
    char *p = xg_sim_mb_at(w, v, in, lane, in->a, in->imm2, in->op == XG_SIM_Y_MB_INIT);
    uint64_t state;
    if (!p) return false;
    switch (in->op) {
    case XG_SIM_Y_MB_INIT:
        if (b < 1 || b > XG_SIM_MB_MAX) {
            xg_sim_fault(
                w, v, in, lane, XG_SIM_FAULT_MBARRIER, "a memory barrier expects 1 to 2^20-1 arrivals, not %u", b);
            return false;
        }
        state = xg_sim_mb_make(b, b, 0, 0);
        memcpy(p, &state, 8);
        xg_sim_mb_mark(w, p, XG_SIM_MBARRIER);
        return true;
    case XG_SIM_Y_MB_INVAL: xg_sim_mb_mark(w, p, XG_SIM_UNWRITTEN); return true;
    case XG_SIM_Y_MB_EXPECT: return xg_sim_mb_bytes(w, v, in, lane, p, b);
    case XG_SIM_Y_MB_COMPLETE: return xg_sim_mb_bytes(w, v, in, lane, p, -(int64_t)b);
    case XG_SIM_Y_CP_ARRIVE:
        xg_sim_copy_commit(w, v, 1u << lane);
        xg_sim_copy_wait(w, v, 1u << lane, 0);
        if (XG_UNLIKELY(w->tracer != NULL))
            xg_sim_trace_arrives(w, v, xg_sim_owner(w, p), p, xg_sim_trace_copies_left(w, v));
        /* without .noinc the arrival was not expected before: nothing changes */
        return !in->imm || xg_sim_mb_arrive(w, v, in, lane, p, 1, 0);
    default:
        state = xg_sim_mb_get(p);
        if (in->flags & 128) memcpy(v->regs + in->d + (size_t)lane * 8, &state, 8);
        if (in->imm & XG_SIM_MB_EXPECTS) { /* one step: the phase cannot end in between */
            int64_t tx = (int64_t)xg_sim_mb_tx(state) + b;
            if (tx > XG_SIM_MB_MAX) {
                xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_MBARRIER,
                    "a memory barrier counts at most 2^20-1 bytes; this would be %lld", (long long)tx);
                return false;
            }
            state = xg_sim_mb_make(
                xg_sim_mb_expected(state), xg_sim_mb_pending(state), (int32_t)tx, state & XG_SIM_MB_PHASE);
            memcpy(p, &state, 8);
            b = 1;
        }
        if (XG_UNLIKELY(w->tracer != NULL)) xg_sim_trace_arrives(w, v, xg_sim_owner(w, p), p, 0);
        return xg_sim_mb_arrive(w, v, in, lane, p, b, in->imm);
    }
}

/* ---- flights ---- */

XG_FN void xg_sim_land_tensor(const xg_sim_flight *f) {
    uint32_t r;
    int op = f->imm & XG_SIM_BK_REDUCE ? (int)(f->imm >> XG_SIM_BK_OP & 15) : -1;
    xg_sim_box b = f->box;
    b.m = &f->map;
    for (r = 0; r < b.rows; r++)
        if (f->imm & XG_SIM_BK_TO_GLOBAL)
            xg_sim_box_store(&b, r, f->shared->shared, f->at, op);
        else
            xg_sim_box_load(&b, r, f->shared->shared, f->at);
    if (f->imm & XG_SIM_BK_TO_GLOBAL)
        xg_sim_set_bytes(f->shared, f->at, (size_t)b.rows * b.row, XG_SIM_WRITTEN, true);
    else
        xg_sim_landed(f->shared, f->at, (size_t)b.rows * b.row);
}
XG_FN void xg_sim_land_bulk(xg_sim_worker *w, const xg_sim_flight *f) {
    xg_sim_type t = (xg_sim_type)(f->imm >> XG_SIM_BK_TYPE & 255);
    xg_sim_worker *of;
    uint64_t k, x, step = xg_sim_types[t].bytes;
    if (f->imm & XG_SIM_BK_REDUCE)
        for (k = 0; k < f->bytes; k += step) {
            x = 0;
            memcpy(&x, f->src + k, (size_t)step);
            xg_sim_atomic(f->dst + k, (xg_sim_atom)(f->imm >> XG_SIM_BK_OP & 15), t, x, t == XG_SIM_F32);
        }
    else if (f->imm & XG_SIM_BK_MASKED) {
        for (k = 0; k < f->bytes; k++)
            if (f->mask >> (k & 15) & 1) f->dst[k] = f->src[k];
    } else
        memmove(f->dst, f->src ? f->src : (const char *)f->answer, (size_t)f->bytes);
    of = xg_sim_owner(w, f->dst);
    if (of) xg_sim_landed(of, (size_t)(f->dst - of->shared), (size_t)f->bytes);
    of = f->src ? xg_sim_owner(w, f->src) : NULL;
    if (of) xg_sim_set_bytes(of, (size_t)(f->src - of->shared), (size_t)f->bytes, XG_SIM_WRITTEN, true);
}
XG_FN void xg_sim_umma_complete(xg_sim_cluster *c, uint32_t issuer, uint32_t operation); /* umma.c */
XG_FN void xg_sim_land_one(xg_sim_worker *w, const xg_sim_flight *f) {
    uint64_t x;
    uint32_t pending;
    if (f->commit)
        xg_sim_umma_complete(w->cluster, f->issuer, f->operation);
    else if (f->tensor)
        xg_sim_land_tensor(f);
    else
        xg_sim_land_bulk(w, f);
    if (!f->bar) return;
    x = xg_sim_mb_get(f->bar);
    pending = xg_sim_mb_pending(x);
    xg_sim_mb_put(w, f->bar, xg_sim_mb_expected(x), f->commit && pending ? pending - 1 : pending,
        xg_sim_mb_tx(x) - (int32_t)f->bytes, x & XG_SIM_MB_PHASE);
}
/* Flights land, in the order of their issue: those to a memory barrier; or, bar NULL, of a thread's bulk groups all but
 * the last `keep`. True when there was one. */
XG_FN bool xg_sim_land(xg_sim_worker *w, const char *bar, uint32_t thread, uint32_t keep) {
    xg_sim_cluster *c = w->cluster;
    uint32_t i, n = 0;
    bool some;
    for (i = 0; i < c->n_flights; i++) {
        const xg_sim_flight *f = &c->flights[i];
        if (f->bar == bar && (bar || (f->issuer == thread && f->operation > keep)))
            xg_sim_land_one(w, f);
        else if (n++ != i)
            c->flights[n - 1] = *f;
    }
    some = n < c->n_flights;
    c->n_flights = n;
    return some;
}
XG_FN void xg_sim_land_first(xg_sim_worker *w, uint32_t n) {
    xg_sim_cluster *c = w->cluster;
    uint32_t i;
    for (i = 0; i < n; i++) xg_sim_land_one(w, &c->flights[i]);
    c->n_flights -= n;
    memmove(c->flights, c->flights + n, c->n_flights * sizeof *c->flights);
}
XG_FN uint32_t xg_sim_thread_of(const xg_sim_worker *w, const xg_sim_warp *v, uint32_t lane) {
    return w->rank << 10 | v->id << 5 | lane;
}
/* Commits the bulk group of the active lanes, or waits for all but the last `keep`. */
XG_FN void xg_sim_bulk_groups(xg_sim_worker *w, const xg_sim_warp *v, uint32_t mask, bool wait, uint32_t keep) {
    xg_sim_cluster *c = w->cluster;
    uint32_t lane, i;
    for (lane = 0; lane < XG_SIM_WARP && c->n_flights; lane++) {
        const uint32_t thread = xg_sim_thread_of(w, v, lane);
        if (!(mask >> lane & 1)) continue;
        if (wait) (void)xg_sim_land(w, NULL, thread, keep);
        for (i = 0; i < c->n_flights && !wait; i++)
            c->flights[i].operation += !c->flights[i].bar && c->flights[i].issuer == thread;
    }
}
XG_FN xg_sim_flight *xg_sim_take_off(
    xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane, char *bar) {
    xg_sim_cluster *c = w->cluster;
    xg_sim_flight *f;
    if (c->n_flights == XG_SIM_FLIGHTS) xg_sim_land_first(w, 1); /* too early: faults may be missed */
    f = &c->flights[c->n_flights++];
    memset(f, 0, sizeof *f);
    f->imm = in->imm;
    f->bar = bar;
    f->issuer = xg_sim_thread_of(w, v, lane);
    return f;
}

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
    }
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

/* st.async and red.async: they land at once. */
XG_FN bool xg_sim_store_lane(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane) {
    xg_sim_type t = (xg_sim_type)(in->imm >> XG_SIM_BK_TYPE & 255);
    uint32_t bytes = xg_sim_types[t].bytes, i;
    char *p = xg_sim_reach_bytes(w, v, in, lane, in->a, in->imm2, (uint64_t)bytes * in->n, bytes * in->n, true), *bar;
    xg_sim_worker *of = p ? xg_sim_owner(w, p) : NULL;
    if (!of || !(bar = xg_sim_mb_at(w, v, in, lane, in->c, in->imm2 >> 16, false))) return false;
    if (!xg_sim_fresh_bytes(w, of, v, in, lane, 64, (size_t)(p - of->shared), (size_t)bytes * in->n,
            in->imm & XG_SIM_BK_REDUCE ? XG_SIM_READS : XG_SIM_WRITES))
        return false;
    xg_sim_landed(of, (size_t)(p - of->shared), (size_t)bytes * in->n);
    for (i = 0; i < in->n; i++) {
        uint64_t x = 0;
        memcpy(&x, xg_sim_slot(w, v, w->m->list[in->list + i]) + (size_t)lane * bytes, bytes);
        if (in->imm & XG_SIM_BK_REDUCE)
            xg_sim_atomic(p, (xg_sim_atom)(in->imm >> XG_SIM_BK_OP & 15), t, x, 0);
        else
            memcpy(p + (size_t)i * bytes, &x, bytes);
    }
    return xg_sim_mb_bytes(w, v, in, lane, bar, -(int64_t)(bytes * in->n));
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
        x = window ? at | XG_SIM_RANKED | (uint64_t)rank << XG_SIM_WINDOW
                   : (uint64_t)(uintptr_t)w->cluster->peers[rank]->shared + at;
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
            xg_sim_bulk_groups(w, v, mask, false, 0);
        else
            xg_sim_copy_commit(w, v, mask);
        return;
    case XG_SIM_Y_GROUPS:
        if (in->imm & 1) {
            xg_sim_bulk_groups(w, v, mask, true, in->imm2);
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
XG_FN bool xg_sim_exec_wait(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    uint32_t i, done = 0;
    if (in->op == XG_SIM_Y_WAIT) return xg_sim_cluster_wait(w, v, in, mask);
    if (in->op == XG_SIM_N_ALLOC) return xg_sim_tensor_allocate(w, v, in, mask);
    for (i = 0; i < XG_SIM_WARP; i++) {
        const char *p;
        uint64_t want, phase;
        if (!(mask >> i & 1)) continue;
        p = xg_sim_mb_at(w, v, in, i, in->a, in->imm2, false);
        if (!p) return false;
        if (w->cluster->n_flights) (void)xg_sim_land(w, p, 0, 0);
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
XG_FN bool xg_sim_unstall(xg_sim_worker *w) {
    xg_sim_cluster *c = w->cluster;
    uint32_t r, i;
    bool moved = false;
    for (r = 0; r < c->n && c->n_flights; r++)
        for (i = 0; i < w->l->warps; i++) {
            const xg_sim_warp *v = &c->peers[r]->warps[i];
            if (v->state == XG_SIM_AT_EVENT && w->m->code[v->pc].op == XG_SIM_Y_MB_TEST)
                moved = xg_sim_land(w, v->awaits, 0, 0) || moved;
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
XG_FN bool xg_sim_event_deadlock(xg_sim_worker *w) {
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
