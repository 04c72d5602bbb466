/* sim/flights.c -- what is under way beside the threads of a cluster, and the memory barriers that count it.
 *
 * A bulk copy is noted as a flight when it is issued. Until it lands, the bytes of shared memory it will write count as
 * pending and those it will read as lent (shadow.c), and what it will write of global memory as unwritten, so that
 * whoever touches them too early is found. A flight lands as late as a GPU may have it: when a warp waits for its
 * memory barrier, its thread for its group. Where a thread waits until its copies have been read, data moves, and the
 * flight stays: what it wrote of global memory may not be read before a wait for all of it.
 *
 * A memory barrier is 64 bits: arrivals a phase expects (20), arrivals still pending (20), bytes still to come (21,
 * signed), the phase's parity, and a bit that is always set. An arrival's state is the word before it. */
#ifndef XG_SIM_FLIGHTS_C
#define XG_SIM_FLIGHTS_C
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
    uint32_t imm, mask, at;     /* the record's imm; which bytes of each 16; where a box lies in shared memory */
    bool tensor, commit, moved; /* moved: the data is, and all that is to come is that others may read it */
    uint32_t tag;               /* of what it writes of global memory, behind its end; 0: nothing is marked */
    uint32_t answer[8]; /* to clusterlaunchcontrol.try_cancel, or what st.async stores: copied when src is NULL */
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
/* Has warp v met the warp that initialised the memory barrier at this offset? That one has left its tag. */
XG_FN bool xg_sim_mb_seen(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane, size_t at) {
    const uint32_t tag = w->marks[at / 4] & ~XG_SIM_TAG_BYTES;
    if (tag < w->shared_met || tag >> XG_SIM_TAG_PART & 3 || !((tag ^ v->id) & 31) || w->l->unchecked_races)
        return true;
    xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_RACE,
        "the memory barrier at offset %zu of shared memory was initialised by warp %u, and warp %u uses it with no "
        "barrier of the block between them",
        at, tag & 31, v->id);
    return false;
}
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
    return init || of != w || xg_sim_mb_seen(w, v, in, lane, at) ? p : NULL;
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
        if (xg_sim_owner(w, p) == w)
            w->marks[(size_t)(p - w->shared) / 4] = w->shared_tag | (v->id & 31) | XG_SIM_TAG_BYTES;
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
/* The writers' tags of what a flight writes of global memory become `tag`; 0: nothing has written it. */
XG_RACY XG_FN void xg_sim_flight_words(const xg_sim_memory *m, uint64_t a, uint64_t n, uint32_t tag) {
    const xg_sim_buffer *b = xg_sim_memory_find(m, a);
    uint64_t k, end;
    xg_sim_tags t;
    if (!n || !b || !b->shadow) return;
    t = xg_sim_tags_of(b);
    end = (a - b->base + n) / 4;
    for (k = (a - b->base + 3) / 4; k < end; k++) {
        uint32_t *line = &t.line_w[2 * (k / XG_SIM_LINE_WORDS)];
        if (k % XG_SIM_LINE_WORDS == 0 && end - k >= XG_SIM_LINE_WORDS) {
            XG_SIM_LINE_SET(line, tag);
            k += XG_SIM_LINE_WORDS - 1;
            continue;
        }
        xg_sim_split(t.line_w, t.w, k / XG_SIM_LINE_WORDS);
        t.w[k] = tag;
    }
}
XG_FN void xg_sim_flight_marks(const xg_sim_worker *w, const xg_sim_flight *f, uint32_t tag) {
    xg_sim_box b = f->box;
    uint32_t r;
    if (!f->tag) return;
    if (!f->tensor) {
        xg_sim_flight_words(w->l->memory, (uint64_t)(uintptr_t)f->dst, f->bytes, tag);
        return;
    }
    b.m = &f->map;
    for (r = 0; r < b.rows; r++) {
        const xg_sim_box_line l = xg_sim_box_row(&b, r);
        xg_sim_flight_words(
            w->l->memory, l.address + (uint64_t)l.first * b.item, (uint64_t)(l.last - l.first) * b.item, tag);
    }
}
/* A flight begins: what it will write of global memory is not there yet. Its tags, which are already those of a write,
 * come back when it has landed. */
XG_FN void xg_sim_flight_begin(const xg_sim_worker *w, const xg_sim_warp *v, xg_sim_flight *f) {
    if (!(f->imm & XG_SIM_BK_TO_GLOBAL) || f->imm & XG_SIM_BK_REDUCE || !w->tracked || w->unchecked) return;
    f->tag = w->tag | (v->id & 31);
    xg_sim_flight_marks(w, f, 0);
}
/* Is a copy of the cluster still to write a byte of global memory? */
XG_FN bool xg_sim_flight_writes(const xg_sim_worker *w, uint64_t a) {
    uint32_t i, r;
    for (i = 0; i < w->cluster->n_flights; i++) {
        const xg_sim_flight *f = &w->cluster->flights[i];
        xg_sim_box b = f->box;
        if (!f->tag) continue;
        if (!f->tensor && a - (uint64_t)(uintptr_t)f->dst < f->bytes) return true;
        b.m = &f->map;
        for (r = 0; f->tensor && r < b.rows; r++) {
            const xg_sim_box_line l = xg_sim_box_row(&b, r);
            if (a - (l.address + (uint64_t)l.first * b.item) < (uint64_t)(l.last - l.first) * b.item) return true;
        }
    }
    return false;
}
XG_FN void xg_sim_umma_complete(xg_sim_cluster *c, uint32_t issuer, uint32_t operation); /* umma.c */
XG_FN void xg_sim_land_data(xg_sim_worker *w, const xg_sim_flight *f) {
    if (f->tensor)
        xg_sim_land_tensor(f);
    else
        xg_sim_land_bulk(w, f);
}
XG_FN void xg_sim_land_one(xg_sim_worker *w, const xg_sim_flight *f) {
    uint64_t x;
    uint32_t pending;
    if (f->commit)
        xg_sim_umma_complete(w->cluster, f->issuer, f->operation);
    else if (!f->moved)
        xg_sim_land_data(w, f);
    xg_sim_flight_marks(w, f, f->tag);
    if (!f->bar) return;
    x = xg_sim_mb_get(f->bar);
    pending = xg_sim_mb_pending(x);
    xg_sim_mb_put(w, f->bar, xg_sim_mb_expected(x), f->commit && pending ? pending - 1 : pending,
        xg_sim_mb_tx(x) - (int32_t)f->bytes, x & XG_SIM_MB_PHASE);
}
/* Flights land, in the order of their issue: those to a memory barrier; or, bar NULL, of a thread's bulk groups all but
 * the last `keep`. reads: their sources have been read, no more. True when there was one. */
XG_FN bool xg_sim_land(xg_sim_worker *w, const char *bar, uint32_t thread, uint32_t keep, bool reads) {
    xg_sim_cluster *c = w->cluster;
    uint32_t i, n = 0;
    bool some;
    for (i = 0; i < c->n_flights; i++) {
        xg_sim_flight *f = &c->flights[i];
        if (f->bar == bar && (bar || (f->issuer == thread && f->operation > keep))) {
            if (!reads || !f->tag) {
                xg_sim_land_one(w, f);
                continue;
            }
            if (!f->moved) xg_sim_land_data(w, f);
            f->moved = true;
        }
        if (n++ != i) c->flights[n - 1] = *f;
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
/* Commits the bulk group of the active lanes, or waits for all but the last `keep`; reads: until those are read. */
XG_FN void xg_sim_bulk_groups(
    xg_sim_worker *w, const xg_sim_warp *v, uint32_t mask, bool wait, uint32_t keep, bool reads) {
    xg_sim_cluster *c = w->cluster;
    uint32_t lane, i;
    for (lane = 0; lane < XG_SIM_WARP && c->n_flights; lane++) {
        const uint32_t thread = xg_sim_thread_of(w, v, lane);
        if (!(mask >> lane & 1)) continue;
        if (wait) (void)xg_sim_land(w, NULL, thread, keep, reads);
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

#endif /* XG_SIM_FLIGHTS_C */
