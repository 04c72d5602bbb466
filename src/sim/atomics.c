/* sim/atomics.c -- atomic operations, copies by cp.async and cvta: what reaches memory but is no load or store. */
#ifndef XG_SIM_ATOMICS_C
#define XG_SIM_ATOMICS_C
#include "access.c"
#include "clocks.c"

XG_FN uint64_t xg_sim_flush(uint64_t f32) { return f32 & 0x7F800000u ? f32 : f32 & 0x80000000u; }
/* c: what cas puts; of add.f32, 1 in global memory, where subnormals are flushed. */
XG_FN uint64_t xg_sim_atomic_value(xg_sim_atom op, xg_sim_type t, uint64_t old, uint64_t b, uint64_t c) {
    bool sgn = xg_sim_types[t].cls == 'S';
    uint32_t bits = xg_sim_types[t].bits;
    if (xg_sim_types[t].cls == 'F' || xg_sim_types[t].cls == 'V') {
        if (op <= XG_SIM_A_MAX) {
            uint32_t h = (op == XG_SIM_A_ADD      ? XG_SIM_H_ADD
                             : op == XG_SIM_A_MIN ? XG_SIM_H_MIN
                                                  : XG_SIM_H_MAX) |
                         (t == XG_SIM_BF16 || t == XG_SIM_BF16X2 ? (uint32_t)XG_SIM_H_BF16 : 0u);
            if (t == XG_SIM_F32 && c)
                return xg_sim_flush(xg_sim_soft_add(XG_SIM_IS_F32, xg_sim_flush(old), xg_sim_flush(b), XG_SIM_RN));
            if (t == XG_SIM_F32) return xg_sim_soft_add(XG_SIM_IS_F32, old, b, XG_SIM_RN);
            if (t == XG_SIM_F64) return xg_sim_soft_add(XG_SIM_IS_F64, old, b, XG_SIM_RN);
            return xg_sim_types[t].bytes == 4 ? xg_sim_halves((uint32_t)old, (uint32_t)b, 0, h)
                                              : xg_sim_half((uint32_t)old, (uint32_t)b, 0, h);
        }
    }
    switch (op) {
    case XG_SIM_A_ADD: return old + b;
    case XG_SIM_A_MIN:
    case XG_SIM_A_MAX: {
        bool less = sgn ? (int64_t)(old << (64 - bits)) < (int64_t)(b << (64 - bits)) : old < b;
        return less == (op == XG_SIM_A_MIN) ? old : b;
    }
    case XG_SIM_A_AND: return old & b;
    case XG_SIM_A_OR: return old | b;
    case XG_SIM_A_XOR: return old ^ b;
    case XG_SIM_A_EXCH: return b;
    case XG_SIM_A_CAS: return old == b ? c : old;
    case XG_SIM_A_INC: return old >= b ? 0 : old + 1;
    default: return old == 0 || old > b ? b : old - 1;
    }
}

#if XG_SIM_ATOMICS
#define XG_SIM_ATOMIC_AS(T) \
    do { \
        T old_, new_; \
        __atomic_load((T *)(void *)p, &old_, __ATOMIC_SEQ_CST); \
        do new_ = (T)xg_sim_atomic_value(op, t, old_, b, c); \
        while (!__atomic_compare_exchange((T *)(void *)p, &old_, &new_, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)); \
        return old_; \
    } while (0)
#else
#define XG_SIM_ATOMIC_AS(T) \
    do { \
        T old_, new_; \
        memcpy(&old_, p, sizeof old_); \
        new_ = (T)xg_sim_atomic_value(op, t, old_, b, c); \
        memcpy(p, &new_, sizeof new_); \
        return old_; \
    } while (0)
#endif
XG_FN uint64_t xg_sim_atomic(char *p, xg_sim_atom op, xg_sim_type t, uint64_t b, uint64_t c) {
    if (xg_sim_types[t].bytes == 2) XG_SIM_ATOMIC_AS(uint16_t);
    if (xg_sim_types[t].bytes == 4) XG_SIM_ATOMIC_AS(uint32_t);
    XG_SIM_ATOMIC_AS(uint64_t);
}

/* A number from a launch's seed. */
XG_FN uint32_t xg_sim_dice(xg_sim_worker *w) {
    w->dice = w->dice * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(w->dice >> 33);
}
/* The block that comes as number i. */
XG_FN uint64_t xg_sim_block_at(const xg_sim_launch *l, uint64_t i) {
    const uint64_t n = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    return l->seed && n <= 0xFFFFFFFFu ? (i * l->block_step + l->seed % n) % n : i;
}
/* The lane of an atomic operation that comes as number i; order: 0, or an xg_sim_dice. */
XG_INLINE uint32_t xg_sim_lane_at(uint32_t order, uint32_t i) { return (i * (order | 1) + (order >> 8)) & 31; }
XG_FN uint32_t xg_sim_lane_order(xg_sim_worker *w) { return w->l->seed ? xg_sim_dice(w) : 0; }

/* 32-bit additions in shared memory, which no other worker sees: histograms. */
XG_FN void xg_sim_atom_add32(
    xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, const xg_sim_reach *r, uint32_t mask) {
    const uint32_t *list = w->m->list + in->list;
    const char *b = xg_sim_slot(w, v, list[0]);
    const uint32_t order = xg_sim_lane_order(w);
    uint32_t n, i, old, x;
    for (n = 0; n < XG_SIM_WARP; n++) {
        char *p;
        i = xg_sim_lane_at(order, n);
        if (!(mask >> i & 1)) continue;
        p = xg_sim_reach_at(r, i);
        memcpy(&old, p, 4);
        memcpy(&x, b + i * 4, 4);
        x += old;
        memcpy(p, &x, 4);
        if (in->n > 1) memcpy(v->regs + list[1] + (size_t)i * 4, &old, 4);
    }
}
/* 128 bits: exch and cas, one worker at a time. */
XG_FN void xg_sim_atom_wide(
    xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, const xg_sim_reach *r, uint32_t mask) {
    const uint32_t *list = w->m->list + in->list, cas = in->op == XG_SIM_A_CAS;
    const uint32_t order = xg_sim_lane_order(w);
    uint32_t *lock = w->l->memory ? &w->l->memory->wide_lock : NULL, n, i, e;
    for (n = 0; n < XG_SIM_WARP; n++) {
        uint64_t x[4], old[2];
        char *p;
        i = xg_sim_lane_at(order, n);
        if (!(mask >> i & 1)) continue;
        p = xg_sim_reach_at(r, i);
        for (e = 0; e < in->d2bytes; e++) memcpy(&x[e], xg_sim_slot(w, v, list[e]) + (size_t)i * 8, 8);
        while (lock && !xg_sim_counter_swap(lock, 0, 1)) {}
        memcpy(old, p, 16);
        if (!cas || memcmp(old, x, 16) == 0) memcpy(p, x + 2 * cas, 16);
        if (lock) XG_SIM_COUNTER_SET(lock, 0);
        for (e = 0; e < 2; e++) memcpy(v->regs + list[in->d2bytes + e] + (size_t)i * 8, &old[e], 8);
    }
}
/* multimem.red: each member of the multicast object at p gets it, and p holds what the first one has then. */
XG_FN bool xg_sim_atom_members(const xg_sim_worker *w, char *p, xg_sim_atom op, xg_sim_type t, uint64_t b, uint64_t c) {
    const uint64_t at = (uint64_t)(uintptr_t)p - w->last.base;
    uint32_t i;
    if (!w->last.n_members || at >= w->last.bytes) return false;
    for (i = 0; i < w->last.n_members; i++) xg_sim_atomic((char *)(uintptr_t)(w->last.members[i] + at), op, t, b, c);
    memcpy(p, (const char *)(uintptr_t)(w->last.members[0] + at), xg_sim_types[t].bytes);
    return true;
}
XG_FN void xg_sim_exec_atom(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    uint32_t bytes = in->dbytes, n = in->d2bytes, order, k, i, e, all;
    const uint32_t *list = w->m->list + in->list;
    xg_sim_type t = (xg_sim_type)(in->imm2 >> 16);
    xg_sim_reach r;
    all = t == XG_SIM_B128 ? 16 : bytes * n;
    if (!xg_sim_reach_warp(w, v, in, xg_sim_slot(w, v, in->a), in->imm, (in->imm2 & XG_SIM_M_WIDE) != 0,
            (xg_sim_space)(in->imm2 & XG_SIM_M_SPACE), mask, all, true, &r))
        return;
    if (!xg_sim_shadow(w, v, in, &r, mask, all, in->op == XG_SIM_A_EXCH ? XG_SIM_WRITES : XG_SIM_UPDATES, true)) return;
    if (in->n > n && !(in->imm2 & XG_SIM_M_NARROW)) w->watches = true;
    if (in->imm2 & XG_SIM_M_FENCE) xg_sim_fence(w, (in->imm2 & XG_SIM_M_NARROW) != 0);
    w->stats.atomics++;
    w->stats.atomic_conflicts += xg_sim_popc(mask) - xg_sim_count_places(&r, mask);
    if (t == XG_SIM_B128) {
        xg_sim_atom_wide(w, v, in, &r, mask);
        return;
    }
    if (r.shared && r.shape != XG_SIM_ANY && in->op == XG_SIM_A_ADD && n == 1 && bytes == 4 &&
        (t == XG_SIM_U32 || t == XG_SIM_S32 || t == XG_SIM_B32)) {
        xg_sim_atom_add32(w, v, in, &r, mask);
        return;
    }
    order = xg_sim_lane_order(w);
    for (k = 0; k < XG_SIM_WARP; k++) {
        char *p;
        uint64_t b[8], c = 0, old;
        i = xg_sim_lane_at(order, k);
        if (!(mask >> i & 1)) continue;
        p = xg_sim_reach_at(&r, i);
        for (e = 0; e < n; e++) {
            b[e] = 0;
            memcpy(&b[e], xg_sim_slot(w, v, list[e]) + (size_t)i * bytes, bytes);
        }
        if (t == XG_SIM_F32) c = !xg_sim_owner(w, p);
        if (in->flags & 32) memcpy(&c, xg_sim_slot(w, v, in->c) + (size_t)i * bytes, bytes);
        for (e = 0; e < n; e++) {
            if (xg_sim_atom_members(w, p + e * bytes, (xg_sim_atom)in->op, t, b[e], c)) continue;
            old = xg_sim_atomic(p + e * bytes, (xg_sim_atom)in->op, t, b[e], c);
            if (in->n > n) memcpy(v->regs + list[n + e] + (size_t)i * bytes, &old, bytes);
        }
    }
}

/* May these lanes write there? Lanes of one cp.async that name the same place agree or not: nothing tells. */
XG_FN bool xg_sim_copy_shadow(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, const xg_sim_reach *to,
    uint32_t mask, uint32_t size) {
    xg_sim_marks m;
    uint32_t i;
    if (w->l->unchecked_shared && w->l->unchecked_races) return true;
    if (XG_UNLIKELY(w->watch.running)) xg_sim_watch_access(w, v, in, to, mask, size, true);
    m = xg_sim_marks_shared(w);
    for (i = 0; i < XG_SIM_WARP; i++) {
        const size_t at = mask >> i & 1 ? (size_t)(xg_sim_reach_at(to, i) - w->shared) : 0;
        if (!(mask >> i & 1) || xg_sim_copy_claim(w, v, &m, at, size)) continue;
        if (!xg_sim_shadow_shared(w, v, in, i, size, at, size, XG_SIM_WRITES, false)) return false;
    }
    return true;
}
/* The same, and the issue, where all lanes go to words that are old or unwritten and that no copy is under way to. */
XG_FN bool xg_sim_copy_lanes(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_reach *to, uint32_t size) {
    const xg_sim_moves *moves = w->m->moves;
    const uint32_t *off = to->to.off;
    uint32_t t[XG_SIM_WARP], tags[4], i, k, first, last;
    char states[16];
    xg_sim_marks m;
    if (to->shape != XG_SIM_FEW || !xg_sim_keeps_reads(w) || w->watch.running) return false;
    xg_sim_off_range(off, &first, &last);
    m = xg_sim_reads_near(w, first, last + size) ? xg_sim_marks_shared(w) : xg_sim_marks_here(w);
    if (size == 16 &&
        !(moves->rows_within(m.w, off, 0, m.tag) && (!w->readers || moves->rows_within(m.r, off, 0, m.tag))))
        return false;
    for (k = 0; size < 16 && k < size / 4; k++) {
        moves->gather((char *)t, (const char *)(m.w + k), off);
        if (!moves->within(t, XG_SIM_WARP, 0, m.tag)) return false;
        moves->gather((char *)t, (const char *)(m.r + k), off);
        if (w->readers && !moves->within(t, XG_SIM_WARP, 0, m.tag)) return false;
    }
    memset(states, XG_SIM_COPYING, sizeof states);
    for (i = 0; i < 4; i++) tags[i] = m.tag | (v->id & 31) | XG_SIM_TAG_BYTES;
    for (i = 0; i < XG_SIM_WARP; i++) {
        const uint32_t thread = v->id * XG_SIM_WARP + i;
        const uint64_t of = thread | (uint64_t)w->copy_threads[thread].groups << 32; /* a copy_word in a register */
        k = off[i] / 4;
        if (size == 16) {
            memcpy(m.w + k, tags, 16);
            memcpy(w->shadow + off[i], states, 16);
            memcpy(&w->copy_words[k], &of, sizeof of);
            memcpy(&w->copy_words[k + 1], &of, sizeof of);
            memcpy(&w->copy_words[k + 2], &of, sizeof of);
            memcpy(&w->copy_words[k + 3], &of, sizeof of);
            continue;
        }
        for (; k < (off[i] + size) / 4; k++) {
            m.w[k] = tags[0];
            memcpy(w->shadow + k * 4, states, 4);
            memcpy(&w->copy_words[k], &of, sizeof of);
        }
    }
    return true;
}
/* cp.async: at once; what the source does not give is zero. */
XG_FN void xg_sim_exec_copy(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    xg_sim_reach to, from;
    uint32_t i, size = in->imm, reading = mask;
    bool issued;
    uint32_t given[XG_SIM_WARP];
    for (i = 0; i < XG_SIM_WARP; i++) given[i] = size;
    if (in->flags & 32) memcpy(given, xg_sim_slot(w, v, in->c), sizeof given);
    for (i = 0; i < XG_SIM_WARP && in->flags & 32; i++) {
        if (given[i] > size) {
            if (mask >> i & 1) {
                xg_sim_fault(w, v, in, i, XG_SIM_FAULT_OPERAND,
                    "cp.async with a source size of %u, more than its %u bytes", given[i], size);
                return;
            }
            given[i] = 0;
        }
        if (!given[i]) reading &= ~(1u << i);
    }
    if (!xg_sim_reach_warp(w, v, in, xg_sim_slot(w, v, in->a), 0, in->imm2 != 0, XG_SIM_SHARED, mask, size, true, &to))
        return;
    if (reading &&
        !xg_sim_reach_warp(w, v, in, xg_sim_slot(w, v, in->b), 0, true, XG_SIM_GLOBAL, reading, size, false, &from))
        return;
    if (reading &&
        from.shape == XG_SIM_FEW) /* they are on their way while the checks go on; sleeping lanes do no harm */
        for (i = 0; i < XG_SIM_WARP; i++) XG_PREFETCH(from.at + from.to.off[i]);
    else
        for (i = 0; i < XG_SIM_WARP; i++)
            if (reading >> i & 1) XG_PREFETCH(xg_sim_reach_at(&from, i));
    if (reading && !xg_sim_shadow(w, v, in, &from, reading, size, XG_SIM_READS, false)) return;
    if (XG_UNLIKELY(w->lates) && !xg_sim_late_lanes(w, v, in, &to, mask, size)) return;
    issued = mask == 0xFFFFFFFFu && xg_sim_copy_lanes(w, v, &to, size);
    if (!issued && !xg_sim_copy_shadow(w, v, in, &to, mask, size)) return;
    w->stats.global_loads++;
    w->stats.shared_stores++;
    if (issued && size == 16 && reading == mask && !(in->flags & 32) && from.shape == XG_SIM_FEW) {
        for (i = 0; i < XG_SIM_WARP; i++) memcpy(to.at + to.to.off[i], from.at + from.to.off[i], 16);
        return;
    }
    for (i = 0; i < XG_SIM_WARP; i++) {
        char *d;
        if (!(mask >> i & 1)) continue;
        d = xg_sim_reach_at(&to, i);
        if (!issued) xg_sim_copy_issue(w, v->id * XG_SIM_WARP + i, (size_t)(d - w->shared), size);
        if (given[i] == 16) {
            memcpy(d, xg_sim_reach_at(&from, i), 16);
            continue;
        }
        memset(d, 0, size);
        if (reading >> i & 1) memcpy(d, xg_sim_reach_at(&from, i), given[i]);
    }
}

/* A shared address of a cluster that may say ranks, to a generic one or back; what is none stays none. */
XG_FN uint64_t xg_sim_convert_ranked(const xg_sim_worker *w, uint64_t a, bool to_generic) {
    const xg_sim_worker *of;
    if (to_generic) {
        const char *p = a & XG_SIM_RANKED ? xg_sim_reach_peer(w, XG_SIM_SHARED, a, 0) : NULL;
        return p ? (uint64_t)(uintptr_t)p : (uint64_t)(uintptr_t)w->shared + a;
    }
    of = xg_sim_owner(w, (const char *)(uintptr_t)a);
    if (!of) return a - (uint64_t)(uintptr_t)w->shared;
    return of->window + (a - (uint64_t)(uintptr_t)of->shared);
}
/* cvta and isspacep. */
XG_FN void xg_sim_exec_space(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    const char *src = xg_sim_slot(w, v, in->a);
    char *dst = v->regs + in->d;
    xg_sim_space space = (xg_sim_space)(in->imm & 255);
    uint32_t how = in->imm >> 8, i;
    for (i = 0; i < XG_SIM_WARP; i++) {
        uint64_t a, base, bytes;
        if (!(mask >> i & 1)) continue;
        memcpy(&a, src + i * 8, 8);
        base = space == XG_SIM_SHARED  ? (uint64_t)(uintptr_t)w->shared
               : space == XG_SIM_PARAM ? (uint64_t)(uintptr_t)w->params
               : space == XG_SIM_LOCAL
                   ? (uint64_t)(uintptr_t)w->local + ((uint64_t)v->id * XG_SIM_WARP + i) * w->l->local_bytes
                   : 0;
        bytes = space == XG_SIM_SHARED  ? w->l->shared_bytes
                : space == XG_SIM_PARAM ? w->l->param_bytes
                                        : w->l->local_bytes;
        if (how == 2) {
            uint64_t shared = (uint64_t)(uintptr_t)w->shared,
                     local = (uint64_t)(uintptr_t)w->local + ((uint64_t)v->id * XG_SIM_WARP + i) * w->l->local_bytes;
            const xg_sim_buffer *g = xg_sim_memory_find(&w->m->globals, a);
            bool yes = base ? a - base < bytes
                            : a - shared >= w->l->shared_bytes && a - local >= w->l->local_bytes &&
                                  (space == XG_SIM_CONST) == (g && g->readonly);
            int32_t m = yes ? -1 : 0;
            memcpy(dst + i * 4, &m, 4);
        } else {
            if (space == XG_SIM_SHARED && w->window)
                a = xg_sim_convert_ranked(w, a, how == 0);
            else
                a = how == 0 ? a + base : a - base;
            memcpy(dst + i * 8, &a, 8);
        }
    }
}

#endif /* XG_SIM_ATOMICS_C */
