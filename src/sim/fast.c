/* sim/fast.c -- loads and stores of whole warps, the short way.
 *
 * Most accesses are of 32 lanes side by side, in one buffer and aligned, or scattered words of shared memory, and race with nothing. For these all of
 * memory.c is here in one straight function for hosts with AVX2: the same questions, the same counters, the same tags.
 *
 * Law: false means that nothing has happened that memory.c would not do again; every case of doubt is false, and every fault is found there. */
#ifndef XG_SIM_FAST_C
#define XG_SIM_FAST_C
#include "memory.c"

#if XG_SIM_X86
#define XG_SIM_FAST_FN __attribute__((target(XG_SIM_AVX2_TARGET))) XG_FN

XG_SIM_FAST_FN void xg_sim_fast_move(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, char *at, uint32_t size) {
    const uint32_t *list = w->m->list + in->list, n = in->n;
    const char *slots[4];
    uint32_t e;
    if (in->kind == XG_SIM_K_LD) {
        if (n == 1) xg_sim_avx2_copy(v->regs + list[0], at, (size_t)size * XG_SIM_WARP);
        else xg_sim_load_vectors(&xg_sim_moves_avx2, v->regs, list, n, at, size);
        return;
    }
    if (n == 1) { xg_sim_avx2_copy(at, xg_sim_slot(w, v, list[0]), (size_t)size * XG_SIM_WARP); return; }
    for (e = 0; e < n; e++) slots[e] = xg_sim_slot(w, v, list[e]);
    xg_sim_store_vectors(&xg_sim_moves_avx2, slots, n, at, size);
}

/* Whole lines of the buffer's shadow. */
XG_SIM_FAST_FN bool xg_sim_fast_lines(const xg_sim_worker *w, const xg_sim_buffer *b, uint64_t at, uint32_t bytes, uint32_t warp, bool write) {
    const xg_sim_tags t = xg_sim_tags_of(b);
    const uint32_t floor = w->launch_tag, block = w->block_tag, past = w->tag - block, mine = w->tag | warp;
    uint64_t line = at / 64, end = line + bytes / 64;
    if (!w->tracked || b->readonly || (at | bytes) & 63) return false;
    for (; line < end; line++) {
        const uint32_t wt = XG_SIM_LINE_GET(&t.line_w[2 * line]), rt = XG_SIM_LINE_GET(&t.line_r[2 * line]);
        const bool calm = wt < floor || wt - block < past || wt == mine, fresh = rt < floor || (rt - block < past && !(rt & XG_SIM_TAG_FOREIGN));
        if (!calm || (!write && !wt && !w->l->unchecked_global) || !(fresh || rt == mine)) return false;
        if (write) { if (wt != mine) XG_SIM_LINE_SET(&t.line_w[2 * line], mine); }
        else if (rt != mine) XG_SIM_LINE_SET(&t.line_r[2 * line], mine);
    }
    return true;
}
XG_SIM_FAST_FN bool xg_sim_fast_global(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, const char *slot, uint32_t size, bool write) {
    const uint32_t each = size * in->n, all = each * XG_SIM_WARP;
    const uint64_t a = xg_sim_lane_address(slot, 0, true, in->imm);
    const xg_sim_buffer **cached = &w->recent[(uint32_t)(in - w->m->code) % XG_SIM_RECENT], *b = *cached;
    if (a & (each - 1)) return false;
    if (!b || b->bytes < all || a - b->base > b->bytes - all) {
        b = xg_sim_memory_find(w->l->memory, a);
        if (!b || b->bytes < all || a - b->base > b->bytes - all) return false;
        *cached = b;
    }
    if ((write && b->readonly) || !xg_sim_avx2_beside64(slot, each)) return false;
    if (b->shadow && !(w->l->unchecked_global && !w->tracked) && !xg_sim_fast_lines(w, b, a - b->base, all, v->id & 31, write)) return false;
    w->stats.sectors += ((a + all - 1) >> 5) - (a >> 5) + 1;
    w->stats.global_transactions += ((a + all - 1) >> 7) - (a >> 7) + 1;
    w->stats.minimum_sectors += each;
    if (write) w->stats.global_stores++; else w->stats.global_loads++;
    xg_sim_fast_move(w, v, in, (char *)(uintptr_t)a, size);
    return true;
}
XG_SIM_FAST_FN bool xg_sim_fast_shared(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, const char *slot, uint32_t size, bool write) {
    const uint32_t each = size * in->n, all = each * XG_SIM_WARP, a = (uint32_t)xg_sim_lane_address(slot, 0, false, in->imm), bytes = w->l->shared_bytes;
    const bool asked = !(w->l->unchecked_shared && w->l->unchecked_races);
    uint32_t off[XG_SIM_WARP], i;
    xg_sim_marks m;
    char *p;
    if (a & (each - 1) || bytes < each || a > bytes - each) return false;
    if (asked) m = xg_sim_marks_shared(w);
    if (xg_sim_avx2_beside32(slot, each)) {
        if (bytes < all || a > bytes - all || a & 3) return false;
        if (asked && !xg_sim_track_quads(&xg_sim_moves_avx2, &m, a / 4, all / 4, m.tag | (v->id & 31), write)) return false;
        w->stats.shared_transactions += each <= 4 ? 1 : each / 4;
        xg_sim_fast_move(w, v, in, w->shared + a, size);
    } else {
        if (each != 4 || in->n != 1 || !xg_sim_avx2_inside32(off, slot, in->imm, bytes - 4, 3) || !xg_sim_avx2_one_pass(off)) return false;
        if (write && xg_sim_avx2_beside32(slot, 0)) return false;
        if (asked && !xg_sim_track_lanes(&xg_sim_moves_avx2, &m, off, m.tag | (v->id & 31), write)) return false;
        w->stats.shared_transactions++;
        p = w->shared;
        if (!write) xg_sim_avx2_gather(v->regs + w->m->list[in->list], p, off);
        else {
            const char *from = xg_sim_slot(w, v, w->m->list[in->list]);
            char there[4 * XG_SIM_WARP];
            for (i = 0; i < XG_SIM_WARP; i++) memcpy(p + off[i], from + i * 4, 4);
            xg_sim_avx2_gather(there, p, off);
            if (!w->l->unchecked_races && memcmp(there, from, sizeof there) != 0) { w->stats.shared_transactions--; return false; }
        }
    }
    if (write) w->stats.shared_stores++; else w->stats.shared_loads++;
    return true;
}

/* A load of shared memory from a constant address. */
XG_SIM_FAST_FN bool xg_sim_fast_one(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in, uint32_t size) {
    const uint64_t a = xg_sim_lane_address(xg_sim_slot(w, v, in->a), 0, (in->imm2 & XG_SIM_M_WIDE) != 0, in->imm);
    if (in->kind != XG_SIM_K_LD || in->n != 1 || size < 4 || a & (size - 1) || a > w->l->shared_bytes || w->l->shared_bytes - a < size) return false;
    if (!(w->l->unchecked_shared && w->l->unchecked_races)) {
        const xg_sim_marks m = xg_sim_marks_shared(w);
        if (!xg_sim_track_few(&m, a / 4, size / 4, m.tag | (v->id & 31), false)) return false;
    }
    w->stats.shared_loads++;
    w->stats.shared_transactions++;
    xg_sim_fill_slot(w, v->regs + w->m->list[in->list], w->shared + a, size);
    return true;
}
/* A load or store whose 32 lanes are all active. */
XG_SIM_FAST_FN bool xg_sim_fast_access(xg_sim_worker *w, xg_sim_warp *v, const xg_sim_ins *in) {
    const uint32_t size = 1u << (in->imm2 >> XG_SIM_M_SIZE & 7), space = in->imm2 & XG_SIM_M_SPACE;
    const bool wide = (in->imm2 & XG_SIM_M_WIDE) != 0;
    if (size != in->dbytes || (in->n != 1 && in->n != 2 && in->n != 4) || in->imm2 & (XG_SIM_M_FENCE | XG_SIM_M_STRONG)) return false;
    if (in->a & 1) return space == XG_SIM_SHARED && xg_sim_fast_one(w, v, in, size);
    if (space == XG_SIM_GLOBAL) return xg_sim_fast_global(w, v, in, v->regs + in->a, size, in->kind == XG_SIM_K_ST);
    return space == XG_SIM_SHARED && !wide && xg_sim_fast_shared(w, v, in, v->regs + in->a, size, in->kind == XG_SIM_K_ST);
}
#endif

#endif /* XG_SIM_FAST_C */
