/* sim/access.c -- loads and stores: what moves once an access is checked, and in which order the lanes of a warp see
 * it.
 *
 * The lanes of a warp run one instruction after the other here, on a GPU perhaps not: what one lane has stored another
 * one may load only behind bar.warp.sync or another instruction that brings them together. Each warp keeps its last
 * stores to shared memory until then; a load that finds a word of another lane among them is a race. Stores to other
 * memory are not kept. */
#ifndef XG_SIM_ACCESS_C
#define XG_SIM_ACCESS_C
#include "memory.c"

/* ---- loads and stores ---- */

#define XG_SIM_COPY_RUN(M, R) \
    for (i = 0; i < XG_SIM_WARP; i++) { \
        M x; \
        R y; \
        memcpy(&x, run + (size_t)i * step, sizeof x); \
        y = (R)x; \
        memcpy(slot + i * sizeof y, &y, sizeof y); \
    } \
    return
#define XG_SIM_COPY_LANES(M, R) \
    for (i = 0; i < XG_SIM_WARP; i++) \
        if (mask >> i & 1) { \
            M x; \
            R y; \
            memcpy(&x, xg_sim_reach_at(r, i) + at, sizeof x); \
            y = (R)x; \
            memcpy(slot + i * sizeof y, &y, sizeof y); \
        } \
    return
#define XG_SIM_BY_SIZE(COPY) \
    switch (size << 8 | (sgn ? 16u : 0) | bytes) { \
    case 0x102: COPY(uint8_t, uint16_t); \
    case 0x104: COPY(uint8_t, uint32_t); \
    case 0x108: COPY(uint8_t, uint64_t); \
    case 0x112: COPY(int8_t, int16_t); \
    case 0x114: COPY(int8_t, int32_t); \
    case 0x118: COPY(int8_t, int64_t); \
    case 0x202: \
    case 0x212: COPY(uint16_t, uint16_t); \
    case 0x204: COPY(uint16_t, uint32_t); \
    case 0x208: COPY(uint16_t, uint64_t); \
    case 0x214: COPY(int16_t, int32_t); \
    case 0x218: COPY(int16_t, int64_t); \
    case 0x404: \
    case 0x414: COPY(uint32_t, uint32_t); \
    case 0x408: COPY(uint32_t, uint64_t); \
    case 0x418: COPY(int32_t, int64_t); \
    default: COPY(uint64_t, uint64_t); \
    }
XG_FN void xg_sim_load_run(
    const xg_sim_moves *m, char *slot, uint32_t bytes, const char *run, uint32_t step, uint32_t size, bool sgn) {
    uint32_t i;
    if (size == bytes && step == size) {
        m->copy(slot, run, (size_t)XG_SIM_WARP * size);
        return;
    }
    XG_SIM_BY_SIZE(XG_SIM_COPY_RUN)
}
XG_FN void xg_sim_load_lanes(
    char *slot, uint32_t bytes, const xg_sim_reach *r, uint32_t at, uint32_t mask, uint32_t size, bool sgn) {
    uint32_t i;
    if (size == 1 && bytes == 4 && !sgn && mask == 0xFFFFFFFFu && r->shape == XG_SIM_FEW) { /* tiles of bytes */
        for (i = 0; i < XG_SIM_WARP; i++) {
            const uint32_t x = (uint8_t)r->at[r->to.off[i] + at];
            memcpy(slot + 4 * i, &x, 4);
        }
        return;
    }
    XG_SIM_BY_SIZE(XG_SIM_COPY_LANES)
}

XG_FN void xg_sim_store_run(
    const xg_sim_moves *m, const char *slot, size_t stride, char *run, uint32_t step, uint32_t size) {
    uint32_t i;
    if (size == stride && step == size)
        m->copy(run, slot, (size_t)XG_SIM_WARP * size);
    else if (size == 1)
        for (i = 0; i < XG_SIM_WARP; i++) run[(size_t)i * step] = slot[i * stride];
    else if (size == 2)
        for (i = 0; i < XG_SIM_WARP; i++) memcpy(run + (size_t)i * step, slot + i * stride, 2);
    else if (size == 4)
        for (i = 0; i < XG_SIM_WARP; i++) memcpy(run + (size_t)i * step, slot + i * stride, 4);
    else
        for (i = 0; i < XG_SIM_WARP; i++) memcpy(run + (size_t)i * step, slot + i * stride, 8);
}
XG_FN void xg_sim_store_lanes(
    const char *slot, size_t stride, const xg_sim_reach *r, uint32_t at, uint32_t mask, uint32_t size) {
    uint32_t i;
    if (size == 4 && mask == 0xFFFFFFFFu && r->shape == XG_SIM_FEW) {
        for (i = 0; i < XG_SIM_WARP; i++) memcpy(r->at + r->to.off[i] + at, slot + i * stride, 4);
        return;
    }
    for (i = 0; i < XG_SIM_WARP; i++)
        if (mask >> i & 1) {
            char *p = xg_sim_reach_at(r, i) + at;
            if (size == 4)
                memcpy(p, slot + i * stride, 4);
            else if (size == 2)
                memcpy(p, slot + i * stride, 2);
            else if (size == 8)
                memcpy(p, slot + i * stride, 8);
            else
                *p = slot[i * stride];
        }
}
/* Two or four items a lane, side by side, each as wide as its register: rows of pairs are taken apart, once or
 * twice. */
XG_FN void xg_sim_load_vectors(
    const xg_sim_moves *m, char *regs, const uint32_t *list, uint32_t n, const char *run, uint32_t size) {
    char low[512], high[512];
    if (n == 2) {
        m->split(regs + list[0], regs + list[1], run, size);
        return;
    }
    m->split(low, high, run, 2 * size);
    m->split(regs + list[0], regs + list[1], low, size);
    m->split(regs + list[2], regs + list[3], high, size);
}
XG_FN void xg_sim_store_vectors(const xg_sim_moves *m, const char *const *slots, uint32_t n, char *run, uint32_t size) {
    char low[512], high[512];
    if (n == 2) {
        m->join(run, slots[0], slots[1], size);
        return;
    }
    m->join(low, slots[0], slots[1], size);
    m->join(high, slots[2], slots[3], size);
    m->join(run, low, high, 2 * size);
}

/* 32 times the same 4 or 8 bytes. */
XG_FN void xg_sim_fill_slot(const xg_sim_worker *w, char *slot, const char *value, uint32_t size) {
    uint32_t i;
    if (size == 4) {
        uint32_t x;
        memcpy(&x, value, 4);
        w->m->moves->fill((uint32_t *)(void *)slot, XG_SIM_WARP, x);
        return;
    }
    for (i = 0; i < 4; i++) memcpy(slot + i * 8, value, 8);
    w->m->moves->copy(slot + 32, slot, 32); /* doubling what is there */
    w->m->moves->copy(slot + 64, slot, 64);
    w->m->moves->copy(slot + 128, slot, 128);
}
XG_FN void xg_sim_full_fence(void) {
#if XG_SIM_ATOMICS
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

/* Lanes of one store that leave different values at one place: which one stays is not defined. */
XG_FN bool xg_sim_lanes_agree(
    xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, const xg_sim_reach *r, uint32_t mask, uint32_t size) {
    char there[4 * XG_SIM_WARP];
    uint32_t i, e;
    if (r->shape == XG_SIM_RUN || w->l->unchecked_races || in->imm2 & XG_SIM_M_STRONG ||
        (in->imm2 & XG_SIM_M_SPACE) > XG_SIM_SHARED)
        return true;
    for (e = 0; e < in->n; e++) {
        const char *slot = xg_sim_slot(w, v, w->m->list[in->list + e]);
        if (r->shape == XG_SIM_FEW && mask == 0xFFFFFFFFu && size == 4 && in->dbytes == 4) {
            w->m->moves->gather(there, r->at + e * size, r->to.off);
            if (memcmp(there, slot, sizeof there) == 0) continue;
        }
        for (i = 0; i < XG_SIM_WARP; i++) {
            if (!(mask >> i & 1) || memcmp(xg_sim_reach_at(r, i) + e * size, slot + (size_t)i * in->dbytes, size) == 0)
                continue;
            xg_sim_fault(w, v, in, i, XG_SIM_FAULT_RACE,
                "this write and another one by a lane of the same warp, with the same instruction, put different "
                "values at one place");
            return false;
        }
    }
    return true;
}

/* ---- lanes of one warp ---- */

/* A store of the warp to the block's shared memory. off: where its first lane's bytes are and how far apart the lanes',
 * or NULL and the row of a reach. */
XG_INLINE xg_sim_stored *xg_sim_store_keep(
    xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask, uint32_t bytes, uint32_t at, uint32_t step) {
    xg_sim_stored *s = &w->stored[v->id * XG_SIM_STORED + v->n_stored++ % XG_SIM_STORED];
    s->pc = (uint32_t)(in - w->m->code);
    s->mask = mask;
    s->bytes = bytes;
    s->at = at;
    s->step = step;
    s->scattered = false;
    return s;
}
XG_FN void xg_sim_store_note(
    xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, const xg_sim_reach *r, uint32_t mask, uint32_t bytes) {
    const uint32_t at = (uint32_t)(r->at - w->shared);
    xg_sim_stored *s;
    uint32_t i;
    if (!r->shared || r->shape == XG_SIM_ANY || w->l->unchecked_races || in->imm2 & XG_SIM_M_STRONG) return;
    s = xg_sim_store_keep(w, v, in, mask, bytes, at, r->shape == XG_SIM_RUN ? bytes : 0);
    s->scattered = r->shape == XG_SIM_FEW;
    for (i = 0; s->scattered && i < XG_SIM_WARP; i++) s->off[i] = at + r->to.off[i];
}
XG_FN uint32_t xg_sim_stored_at(const xg_sim_stored *s, uint32_t lane) {
    return s->scattered ? s->off[lane] : s->at + lane * s->step;
}
/* The lane that has stored to these bytes last, and is not `lane` itself; 32: none has, or it has. */
XG_FN uint32_t xg_sim_stored_by(const xg_sim_worker *w, const xg_sim_warp *v, uint32_t lane, uint32_t at,
    uint32_t bytes, const xg_sim_stored **which) {
    const uint32_t n = XG_MIN(v->n_stored, (uint32_t)XG_SIM_STORED);
    uint32_t k, i;
    for (k = 1; k <= n; k++) {
        const xg_sim_stored *s = &w->stored[v->id * XG_SIM_STORED + (v->n_stored - k) % XG_SIM_STORED];
        uint32_t found = XG_SIM_WARP;
        for (i = 0; i < XG_SIM_WARP; i++) {
            const uint32_t there = xg_sim_stored_at(s, i);
            if (!(s->mask >> i & 1) || there >= at + bytes || there + s->bytes <= at) continue;
            if (i != lane)
                found = i;
            else if (there <= at && there + s->bytes >= at + bytes)
                return XG_SIM_WARP;
        }
        if (found == XG_SIM_WARP) continue;
        *which = s;
        return found;
    }
    return XG_SIM_WARP;
}
/* A load of a warp that has stores of its own not yet brought together: false after a fault. */
XG_FN bool xg_sim_lanes_ordered(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, const xg_sim_reach *r,
    uint32_t mask, uint32_t bytes) {
    uint32_t i;
    if (!v->n_stored || !r->shared || r->shape == XG_SIM_ANY || in->imm2 & XG_SIM_M_STRONG) return true;
    for (i = 0; i < XG_SIM_WARP; i++) {
        const xg_sim_stored *s = NULL;
        uint32_t by, at;
        if (!(mask >> i & 1)) continue;
        at = (uint32_t)(xg_sim_reach_at(r, i) - w->shared);
        by = xg_sim_stored_by(w, v, i, at, bytes, &s);
        if (by == XG_SIM_WARP) continue;
        xg_sim_fault(w, v, in, i, XG_SIM_FAULT_RACE,
            "on shared memory, offset %u: this read by lane %u and the write by lane %u of the same warp at line %zu, "
            "with "
            "no bar.warp.sync between them",
            at, i, by, xg_sim_line_of(w, &w->m->code[s->pc]));
        return false;
    }
    return true;
}

XG_FN void xg_sim_exec_access(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    bool store = in->kind == XG_SIM_K_ST;
    uint32_t size = 1u << (in->imm2 >> XG_SIM_M_SIZE & 7), n = in->n, total = size * n, e;
    const uint32_t *list = w->m->list + in->list;
    xg_sim_reach r;
    if (!xg_sim_reach_warp(w, v, in, xg_sim_slot(w, v, in->a), in->imm, (in->imm2 & XG_SIM_M_WIDE) != 0,
            (xg_sim_space)(in->imm2 & XG_SIM_M_SPACE), mask, total, store, &r))
        return;
    if ((in->imm2 & XG_SIM_M_SPACE) <= XG_SIM_SHARED &&
        !xg_sim_shadow(
            w, v, in, &r, mask, total, store ? XG_SIM_WRITES : XG_SIM_READS, (in->imm2 & XG_SIM_M_STRONG) != 0))
        return;
    if (XG_UNLIKELY(w->lates && store && r.shared) && !xg_sim_late_lanes(w, v, in, &r, mask, total)) return;
    if (r.shared && store)
        xg_sim_store_note(w, v, in, &r, mask, total);
    else if (r.shared && !xg_sim_lanes_ordered(w, v, in, &r, mask, total))
        return;
    if (r.shared) {
        if (store)
            w->stats.shared_stores++;
        else
            w->stats.shared_loads++;
    } else if ((in->imm2 & XG_SIM_M_SPACE) <= XG_SIM_GLOBAL) {
        if (store)
            w->stats.global_stores++;
        else
            w->stats.global_loads++;
    }
    if (in->imm2 & XG_SIM_M_STRONG && !store && !(in->imm2 & XG_SIM_M_NARROW)) w->watches = true;
    if (in->imm2 & XG_SIM_M_FENCE) xg_sim_fence(w, (in->imm2 & XG_SIM_M_NARROW) != 0);
    if (in->imm2 & XG_SIM_M_FENCE && store) xg_sim_full_fence();
    if (r.shape == XG_SIM_RUN && (n == 2 || n == 4) && size == in->dbytes) {
        const char *slots[4];
        for (e = 0; store && e < n; e++) slots[e] = xg_sim_slot(w, v, list[e]);
        if (store)
            xg_sim_store_vectors(w->m->moves, slots, n, r.at, size);
        else
            xg_sim_load_vectors(w->m->moves, v->regs, list, n, r.at, size);
    } else
        for (e = 0; e < n; e++) {
            if (store) {
                const char *slot = xg_sim_slot(w, v, list[e]);
                if (r.shape == XG_SIM_RUN)
                    xg_sim_store_run(w->m->moves, slot, in->dbytes, r.at + e * size, total, size);
                else
                    xg_sim_store_lanes(slot, in->dbytes, &r, e * size, mask, size);
            } else {
                char *slot = v->regs + list[e];
                if (r.shape == XG_SIM_RUN)
                    xg_sim_load_run(
                        w->m->moves, slot, in->dbytes, r.at + e * size, total, size, (in->imm2 & XG_SIM_M_SIGNED) != 0);
                else if (r.shape == XG_SIM_FEW && size == 4 && in->dbytes == 4 && mask == 0xFFFFFFFFu)
                    w->m->moves->gather(slot, r.at + e * size, r.to.off);
                else if (r.shape == XG_SIM_ONE && size == in->dbytes && size >= 4 && mask == 0xFFFFFFFFu)
                    xg_sim_fill_slot(w, slot, r.at + e * size, size);
                else
                    xg_sim_load_lanes(slot, in->dbytes, &r, e * size, mask, size, (in->imm2 & XG_SIM_M_SIGNED) != 0);
            }
        }
    if (store && !xg_sim_lanes_agree(w, v, in, &r, mask, size)) return;
    if (in->imm2 & XG_SIM_M_FENCE && !store) xg_sim_full_fence();
}

/* ld.param of a kernel: the same bytes for every lane. */
XG_FN void xg_sim_exec_param(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    uint32_t size = 1u << (in->imm2 >> XG_SIM_M_SIZE & 7), e;
    xg_sim_reach r;
    r.shape = XG_SIM_ONE;
    for (e = 0; e < in->n; e++) {
        char *slot = v->regs + w->m->list[in->list + e];
        if (mask == 0xFFFFFFFFu && size == in->dbytes && size >= 4) {
            xg_sim_fill_slot(w, slot, w->params + in->imm + e * size, size);
            continue;
        }
        r.at = w->params + in->imm + e * size;
        xg_sim_load_lanes(slot, in->dbytes, &r, 0, mask, size, (in->imm2 & XG_SIM_M_SIGNED) != 0);
    }
}

#endif /* XG_SIM_ACCESS_C */
