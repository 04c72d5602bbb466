/* sim/warp.c -- special registers, operations across a warp, and the paths of a warp that diverges.
 *
 * Warp-wide instructions check what a GPU leaves undefined: the member mask must name the lanes that execute it (lanes
 * that have exited do not count), and a shuffle may not read a lane that does not take part. */
#ifndef XG_SIM_WARP_C
#define XG_SIM_WARP_C
#include "fast.c"

XG_FN uint32_t xg_sim_lane_u32(const char *slot, uint32_t lane) {
    uint32_t x;
    memcpy(&x, slot + (size_t)lane * 4, 4);
    return x;
}
XG_FN void xg_sim_put_u32(char *slot, uint32_t lane, uint32_t x) { memcpy(slot + (size_t)lane * 4, &x, 4); }

/* The bits of a predicate. */
XG_INLINE_FAST uint32_t xg_sim_predicate(const char *slot) {
    uint32_t m = 0, i;
#if XG_SIM_X86
    for (i = 0; i < 2; i++) { /* 32 bits to 16, to 8, to 1 */
        const __m128i *p = (const __m128i *)(const void *)slot + i * 4;
        m |= (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(_mm_packs_epi32(_mm_load_si128(p), _mm_load_si128(p + 1)),
                 _mm_packs_epi32(_mm_load_si128(p + 2), _mm_load_si128(p + 3))))
             << (i * 16);
    }
#else
    for (i = 0; i < XG_SIM_WARP; i++) m |= (xg_sim_lane_u32(slot, i) >> 31) << i;
#endif
    return m;
}

/* dst = src in the lanes of mask. */
XG_FN void xg_sim_blend(char *dst, const char *src, uint32_t mask, uint32_t bytes) {
    uint32_t i;
    if (bytes == 4) {
        for (i = 0; i < XG_SIM_WARP; i++) {
            uint32_t a, b, m = 0 - (mask >> i & 1);
            memcpy(&a, dst + i * 4, 4);
            memcpy(&b, src + i * 4, 4);
            a = (a & ~m) | (b & m);
            memcpy(dst + i * 4, &a, 4);
        }
    } else
        for (i = 0; i < XG_SIM_WARP; i++)
            if (mask >> i & 1) memcpy(dst + (size_t)i * bytes, src + (size_t)i * bytes, bytes);
}

/* ---- special registers ---- */

XG_FN uint32_t xg_sim_sreg_value(xg_sim_worker *w, const xg_sim_warp *v, xg_sim_sreg r, uint32_t lane) {
    const xg_sim_launch *l = w->l;
    const uint32_t *t = w->tid + (size_t)v->id * 96, *cluster = l->cluster;
    uint32_t axis;
    switch (r) {
    case XG_SIM_SREG_TID_X: return t[lane];
    case XG_SIM_SREG_TID_Y: return t[32 + lane];
    case XG_SIM_SREG_TID_Z: return t[64 + lane];
    case XG_SIM_SREG_NTID_X:
    case XG_SIM_SREG_NTID_Y:
    case XG_SIM_SREG_NTID_Z: return l->block[r - XG_SIM_SREG_NTID_X];
    case XG_SIM_SREG_CTAID_X:
    case XG_SIM_SREG_CTAID_Y:
    case XG_SIM_SREG_CTAID_Z: return w->ctaid[r - XG_SIM_SREG_CTAID_X];
    case XG_SIM_SREG_NCTAID_X:
    case XG_SIM_SREG_NCTAID_Y:
    case XG_SIM_SREG_NCTAID_Z: return l->grid[r - XG_SIM_SREG_NCTAID_X];
    case XG_SIM_SREG_LANEID: return lane;
    case XG_SIM_SREG_WARPID: return v->id;
    case XG_SIM_SREG_NWARPID: return l->warps;
    case XG_SIM_SREG_NSMID: return l->sm_count;
    case XG_SIM_SREG_SMID: return (uint32_t)(w->block % l->sm_count);
    case XG_SIM_SREG_LANEMASK_EQ: return 1u << lane;
    case XG_SIM_SREG_LANEMASK_LT: return (1u << lane) - 1;
    case XG_SIM_SREG_LANEMASK_LE: return (2u << lane) - 1;
    case XG_SIM_SREG_LANEMASK_GT: return ~((2u << lane) - 1);
    case XG_SIM_SREG_LANEMASK_GE: return ~((1u << lane) - 1);
    case XG_SIM_SREG_DYNAMIC_SMEM: return l->dynamic_shared;
    case XG_SIM_SREG_TOTAL_SMEM:
    case XG_SIM_SREG_AGGR_SMEM: return l->shared_bytes;
    case XG_SIM_SREG_EXPLICIT_CLUSTER: return l->cluster_blocks > 1 ? 0xFFFFFFFFu : 0;
    case XG_SIM_SREG_CLUSTERID_X:
    case XG_SIM_SREG_CLUSTERID_Y:
    case XG_SIM_SREG_CLUSTERID_Z: axis = (uint32_t)(r - XG_SIM_SREG_CLUSTERID_X); return w->ctaid[axis] / cluster[axis];
    case XG_SIM_SREG_NCLUSTERID_X:
    case XG_SIM_SREG_NCLUSTERID_Y:
    case XG_SIM_SREG_NCLUSTERID_Z:
        axis = (uint32_t)(r - XG_SIM_SREG_NCLUSTERID_X);
        return l->grid[axis] / cluster[axis];
    case XG_SIM_SREG_CLUSTER_CTAID_X:
    case XG_SIM_SREG_CLUSTER_CTAID_Y:
    case XG_SIM_SREG_CLUSTER_CTAID_Z:
        axis = (uint32_t)(r - XG_SIM_SREG_CLUSTER_CTAID_X);
        return w->ctaid[axis] % cluster[axis];
    case XG_SIM_SREG_CLUSTER_NCTAID_X:
    case XG_SIM_SREG_CLUSTER_NCTAID_Y:
    case XG_SIM_SREG_CLUSTER_NCTAID_Z: return cluster[r - XG_SIM_SREG_CLUSTER_NCTAID_X];
    case XG_SIM_SREG_CLUSTER_NCTARANK: return l->cluster_blocks;
    case XG_SIM_SREG_CLUSTER_CTARANK: return w->rank;
    case XG_SIM_SREG_WINDOW: return w->window;
    default: return 0; /* %gridid */
    }
}
/* Special registers that are the same for all threads of a warp, and do not count time. */
XG_FN bool xg_sim_sreg_same(xg_sim_sreg r) {
    return r > XG_SIM_SREG_TID_Z && r != XG_SIM_SREG_LANEID &&
           (r < XG_SIM_SREG_LANEMASK_EQ || r > XG_SIM_SREG_LANEMASK_GE) &&
           (r < XG_SIM_SREG_CLOCK || r > XG_SIM_SREG_GLOBALTIMER_HI);
}
XG_FN void xg_sim_exec_sreg(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    char *dst = v->regs + in->d;
    xg_sim_sreg r = (xg_sim_sreg)in->op;
    uint32_t i;
    /* time is the count of instructions: it moves, and runs repeat */
    if (r >= XG_SIM_SREG_CLOCK && r <= XG_SIM_SREG_GLOBALTIMER_HI) {
        uint64_t now = w->stats.warp_instructions * 4 + ++w->clock,
                 x = r == XG_SIM_SREG_CLOCK_HI || r == XG_SIM_SREG_GLOBALTIMER_HI ? now >> 32 : now;
        for (i = 0; i < XG_SIM_WARP; i++)
            if (mask >> i & 1) memcpy(dst + (size_t)i * in->dbytes, &x, in->dbytes);
        return;
    }
    if (mask == 0xFFFFFFFFu && r <= XG_SIM_SREG_TID_Z) {
        w->m->moves->copy(dst, (const char *)(w->tid + (size_t)v->id * 96 + 32 * (size_t)r), 128);
        return;
    }
    if (mask == 0xFFFFFFFFu && in->dbytes == 4 && xg_sim_sreg_same(r)) {
        uint32_t x = xg_sim_sreg_value(w, v, r, 0);
        w->m->moves->fill((uint32_t *)(void *)dst, XG_SIM_WARP, x);
        return;
    }
    for (i = 0; i < XG_SIM_WARP; i++) {
        uint64_t x = mask >> i & 1 ? xg_sim_sreg_value(w, v, r, i) : 0;
        if (mask >> i & 1) memcpy(dst + (size_t)i * in->dbytes, &x, in->dbytes);
    }
}
/* The address of a .local variable of this frame. */
XG_FN void xg_sim_exec_local(xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    uint64_t x = (uint64_t)v->local + in->imm;
    uint32_t i;
    for (i = 0; i < XG_SIM_WARP; i++)
        if (mask >> i & 1) memcpy(v->regs + in->d + (size_t)i * in->dbytes, &x, in->dbytes);
}

/* ---- across the warp ---- */

/* Of the lanes that are here, those that lane's member mask calls together; 0 after a fault. They must all be here,
 * with the same mask. */
XG_FN uint32_t xg_sim_members(
    xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask, uint32_t lane) {
    const char *slot = xg_sim_slot(w, v, in->e);
    uint32_t named = xg_sim_lane_u32(slot, lane), m = named & v->live, i;
    if (!(in->flags & 64)) return mask;
    if (!(m >> lane & 1)) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_INACTIVE,
            "lane %u is not in the member mask 0x%X of the instruction it executes", lane, named);
        return 0;
    }
    if (m & ~mask) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_INACTIVE,
            "the member mask 0x%X names lanes that are not here (0x%X execute it)", named, mask);
        return 0;
    }
    if (w->m->moves->beside32(slot, 0)) return m;
    for (i = 0; i < XG_SIM_WARP; i++) {
        if (!(m >> i & 1) || (xg_sim_lane_u32(slot, i) & v->live) == m) continue;
        xg_sim_fault(w, v, in, i, XG_SIM_FAULT_INACTIVE, "the member masks of lanes %u and %u differ: 0x%X and 0x%X",
            lane, i, named, xg_sim_lane_u32(slot, i));
        return 0;
    }
    return m;
}

/* The member mask names lane j, but the block has no such thread: what it gives is undefined. Reductions in blocks of
 * less than a warp read it and do not use it. */
XG_FN bool xg_sim_is_nobody(
    const xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t i, uint32_t j) {
    return in->flags & 64 && xg_sim_lane_u32(xg_sim_slot(w, v, in->e), i) >> j & 1 &&
           v->id * XG_SIM_WARP + j >= w->l->threads;
}
XG_FN void xg_sim_shuffle(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    const char *a = xg_sim_slot(w, v, in->a), *b = xg_sim_slot(w, v, in->b), *c = xg_sim_slot(w, v, in->c);
    uint32_t out[XG_SIM_WARP], ok[XG_SIM_WARP], i, j;
    if (mask == 0xFFFFFFFFu) {
        w->m->moves->shuffle(v->regs + in->d, in->d2bytes ? v->regs + in->d2 : NULL, a, b, c, (xg_sim_shuffleop)in->op);
        return;
    } /* no lane can miss */
    for (i = 0; i < XG_SIM_WARP; i++) {
        out[i] = ok[i] = 0;
        if (!(mask >> i & 1)) continue;
        j = xg_sim_shuffle_from((xg_sim_shuffleop)in->op, i, xg_sim_lane_u32(b, i), xg_sim_lane_u32(c, i), &ok[i]);
        if (mask >> j & 1) {
            out[i] = xg_sim_lane_u32(a, j);
            continue;
        }
        if (!xg_sim_is_nobody(w, v, in, i, j)) {
            xg_sim_fault(w, v, in, i, XG_SIM_FAULT_INACTIVE, "the shuffle reads lane %u, which does not take part", j);
            return;
        }
        out[i] = 0xFFFFFFFFu; /* a NaN, -1: whoever uses it shall see it */
    }
    for (i = 0; i < XG_SIM_WARP; i++) {
        if (!(mask >> i & 1)) continue;
        xg_sim_put_u32(v->regs + in->d, i, out[i]);
        if (in->d2bytes) xg_sim_put_u32(v->regs + in->d2, i, 0 - ok[i]);
    }
}
XG_FN void xg_sim_spread(xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask, uint32_t x) {
    uint32_t i;
    for (i = 0; i < XG_SIM_WARP; i++)
        if (mask >> i & 1) xg_sim_put_u32(v->regs + in->d, i, x);
}
XG_FN void xg_sim_match(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    const char *a = xg_sim_slot(w, v, in->a);
    size_t bytes = in->imm ? 8 : 4;
    uint32_t out[XG_SIM_WARP], i, k;
    bool same = true;
    for (i = 0; i < XG_SIM_WARP; i++) {
        out[i] = 0;
        for (k = 0; k < XG_SIM_WARP; k++)
            if ((mask >> i & 1) && (mask >> k & 1) && memcmp(a + i * bytes, a + k * bytes, bytes) == 0)
                out[i] |= 1u << k;
        if ((mask >> i & 1) && out[i] != mask) same = false;
    }
    for (i = 0; i < XG_SIM_WARP; i++) {
        if (!(mask >> i & 1)) continue;
        xg_sim_put_u32(v->regs + in->d, i, in->op == XG_SIM_W_MATCH_ANY ? out[i] : same ? mask : 0);
        if (in->d2bytes) xg_sim_put_u32(v->regs + in->d2, i, same ? 0xFFFFFFFFu : 0);
    }
}
XG_FN uint32_t xg_sim_reduce(const xg_sim_ins *in, uint32_t x, uint32_t y) {
    bool less;
    switch (in->op) {
    case XG_SIM_W_ADD: return x + y;
    case XG_SIM_W_AND: return x & y;
    case XG_SIM_W_OR: return x | y;
    case XG_SIM_W_XOR: return x ^ y;
    default: break;
    }
    if (in->imm >= 2) { /* f32 */
        int32_t i = (int32_t)(x ^ ((0 - (x >> 31)) >> 1)), k = (int32_t)(y ^ ((0 - (y >> 31)) >> 1));
        bool xn = (x & 0x7FFFFFFFu) > 0x7F800000u, yn = (y & 0x7FFFFFFFu) > 0x7F800000u;
        if ((xn || yn) && (in->imm == 3 || (xn && yn))) return 0x7FFFFFFFu;
        if (xn) return y;
        if (yn) return x;
        less = i < k;
    } else
        less = in->imm ? (int32_t)x < (int32_t)y : x < y;
    return less == (in->op == XG_SIM_W_MIN) ? x : y;
}
XG_FN void xg_sim_exec_members(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    uint32_t i, x, votes;
    switch (in->op) {
    case XG_SIM_W_SYNC: return;
    case XG_SIM_W_UP:
    case XG_SIM_W_DOWN:
    case XG_SIM_W_BFLY:
    case XG_SIM_W_IDX: xg_sim_shuffle(w, v, in, mask); return;
    case XG_SIM_W_ALL:
    case XG_SIM_W_ANY:
    case XG_SIM_W_UNI:
    case XG_SIM_W_BALLOT:
        votes = xg_sim_predicate(xg_sim_slot(w, v, in->a)) & mask;
        x = in->op == XG_SIM_W_BALLOT ? votes
                                      : 0u - (uint32_t)(in->op == XG_SIM_W_ALL   ? votes == mask
                                                        : in->op == XG_SIM_W_ANY ? votes != 0
                                                                                 : votes == mask || votes == 0);
        xg_sim_spread(v, in, mask, x);
        return;
    case XG_SIM_W_ACTIVE: xg_sim_spread(v, in, mask, mask); return;
    case XG_SIM_W_MATCH_ANY:
    case XG_SIM_W_MATCH_ALL: xg_sim_match(w, v, in, mask); return;
    case XG_SIM_W_ELECT:
        x = xg_sim_first_lane(mask);
        for (i = 0; i < XG_SIM_WARP; i++)
            if (mask >> i & 1) xg_sim_put_u32(v->regs + in->d2, i, i == x ? 0xFFFFFFFFu : 0);
        xg_sim_spread(v, in, mask, x);
        return;
    default: {
        const char *a = xg_sim_slot(w, v, in->a);
        i = xg_sim_first_lane(mask);
        x = xg_sim_lane_u32(a, i);
        for (i++; i < XG_SIM_WARP; i++)
            if (mask >> i & 1) x = xg_sim_reduce(in, x, xg_sim_lane_u32(a, i));
        if (in->imm >= 2 && (x & 0x7FFFFFFFu) > 0x7F800000u) x = 0x7FFFFFFFu;
        xg_sim_spread(v, in, mask, x);
    }
    }
}

/* Lanes that are here together may belong to several groups of members. */
XG_FN void xg_sim_exec_warp(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t mask) {
    uint32_t rest = mask, m;
    for (; rest && !w->faulted; rest &= ~m) {
        m = xg_sim_members(w, v, in, mask, xg_sim_first_lane(rest));
        if (!m) return;
        xg_sim_exec_members(w, v, in, m);
    }
}

#if XG_SIM_X86
/* For all warps of a group, as in fast.c: parameters, special registers that are the same for all threads, the threads'
 * numbers. */
XG_SIM_FAST_FN void xg_sim_fast_param(const xg_sim_lanes *L, const xg_sim_ins *in) {
    char *to = L->v->regs + L->w->m->list[in->list];
    const char *from = L->w->params + in->imm;
    uint32_t k;
    for (k = 0; k < L->warps; k++, to += L->dstride) {
        if (in->dbytes == 4)
            xg_sim_avx2_spread(to, from, 4);
        else
            xg_sim_avx2_spread(to, from, 8);
    }
}
XG_SIM_FAST_FN void xg_sim_fast_same(const xg_sim_lanes *L, const xg_sim_ins *in) {
    const uint32_t x = xg_sim_sreg_value(L->w, L->v, (xg_sim_sreg)in->op, 0);
    char *to = L->dst;
    uint32_t k;
    for (k = 0; k < L->warps; k++, to += L->dstride) xg_sim_avx2_fill((uint32_t *)(void *)to, XG_SIM_WARP, x);
}
XG_SIM_FAST_FN void xg_sim_fast_tid(const xg_sim_lanes *L, const xg_sim_ins *in) {
    const uint32_t *from = L->w->tid + (size_t)L->v->id * 96 + 32 * (size_t)in->op;
    char *to = L->dst;
    uint32_t k;
    for (k = 0; k < L->warps; k++, to += L->dstride, from += 96) xg_sim_avx2_copy(to, (const char *)from, 128);
}
/* Shuffles whose member mask is a constant that names all lanes: no lane can miss. */
XG_SIM_FAST_FN void xg_sim_fast_shuffle(const xg_sim_lanes *L, const xg_sim_ins *in) {
    const char *a = L->base[in->a & 1] + in->a, *b = L->base[in->b & 1] + in->b, *c = L->base[in->c & 1] + in->c;
    char *to = L->dst, *ok = L->dst2;
    uint32_t k;
    for (k = 0; k < L->warps; k++) {
        xg_sim_avx2_shuffle(to, ok, a, b, c, (xg_sim_shuffleop)in->op);
        L->v[k].n_stored = 0;
        a += L->stride[in->a & 1];
        b += L->stride[in->b & 1];
        c += L->stride[in->c & 1];
        to += L->dstride;
        if (ok) ok += L->dstride;
    }
}
/* The function that executes a record for whole warps. */
XG_FN xg_sim_fn xg_sim_fast_fn(const xg_sim_module *m, const xg_sim_ins *in) {
    const xg_sim_sreg r = (xg_sim_sreg)in->op;
    switch (in->kind) {
    case XG_SIM_K_LD:
    case XG_SIM_K_ST: return xg_sim_fast_access(in);
    case XG_SIM_K_PARAM:
        return in->n == 1 && 1u << (in->imm2 >> XG_SIM_M_SIZE & 7) == in->dbytes && (in->dbytes == 4 || in->dbytes == 8)
                   ? xg_sim_fast_param
                   : NULL;
    case XG_SIM_K_SREG:
        return in->dbytes != 4 || r == XG_SIM_SREG_WARPID ? NULL
               : r <= XG_SIM_SREG_TID_Z                   ? xg_sim_fast_tid
               : xg_sim_sreg_same(r)                      ? xg_sim_fast_same
                                                          : NULL;
    case XG_SIM_K_WARP:
        return in->op <= XG_SIM_W_IDX &&
                       (!(in->flags & 64) || (in->e & 1 && xg_sim_lane_u32(m->consts + (in->e - 1), 0) == 0xFFFFFFFFu))
                   ? xg_sim_fast_shuffle
                   : NULL;
    default: return NULL;
    }
}
#endif
/* Gives the records of a loaded module that are no arithmetic the short way where there is one; those of memory are
 * counted, for what a worker remembers of each. */
XG_FN void xg_sim_fast_choose(xg_sim_module *m) {
#if XG_SIM_X86
    uint32_t i, accesses = 0;
    for (i = 0; i < m->n_code && m->moves == &xg_sim_moves_avx2; i++) {
        xg_sim_ins *in = &m->code[i];
        if (in->kind == XG_SIM_K_ALU) continue;
        in->fn = xg_sim_fast_fn(m, in);
        if (in->fn && (in->kind == XG_SIM_K_LD || in->kind == XG_SIM_K_ST)) in->e = accesses++;
    }
#else
    (void)m;
#endif
}

/* ---- paths ---- */

XG_ONE_COPY XG_FN void xg_sim_path_push(xg_sim_warp *v, uint32_t pc, uint32_t meet, uint32_t mask) {
    xg_sim_path *p;
    XLAGPU_ASSERT(v->n_paths < XG_SIM_PATHS);
    p = &v->paths[v->n_paths++];
    p->pc = pc;
    p->meet = meet;
    p->mask = mask;
}
XG_FN uint32_t xg_sim_path_base(const xg_sim_warp *v) { return v->depth ? v->frames[v->depth - 1].base : 0; }

/* Goes on with the next path that has live lanes, leaving functions whose lanes are all gone; false when there is
 * none. */
XG_FN bool xg_sim_path_pop(xg_sim_warp *v) {
    while (v->n_paths) {
        const xg_sim_path *p;
        while (v->n_paths == xg_sim_path_base(v)) {
            const xg_sim_frame *f = &v->frames[--v->depth];
            v->regs = f->regs;
            v->local = f->local;
            v->f = f->f;
        }
        p = &v->paths[--v->n_paths];
        v->pc = p->pc;
        v->meet = p->meet;
        v->mask = p->mask & v->live;
        if (v->mask) return true;
    }
    v->mask = 0;
    return false;
}
/* The active lanes part: `taken` go to target, the others on to next; all meet at `meet`. */
XG_FN void xg_sim_diverge(xg_sim_warp *v, uint32_t taken, uint32_t target, uint32_t next, uint32_t meet) {
    uint32_t rest = v->mask & ~taken;
    if (v->meet != meet) {
        xg_sim_path_push(v, meet, v->meet, v->mask);
        v->meet = meet;
    }
    if (target == meet) {
        v->mask = rest;
        v->pc = next;
    } else if (next == meet) {
        v->mask = taken;
        v->pc = target;
    } else {
        xg_sim_path_push(v, next, meet, rest);
        v->mask = taken;
        v->pc = target;
    }
}

#endif /* XG_SIM_WARP_C */
