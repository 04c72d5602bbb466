/* sim/fast.c -- loads, stores and shuffles of whole warps, the short way.
 *
 * Most accesses are of 32 lanes side by side, in one buffer and aligned, or scattered words of shared memory, and race with nothing. For these all of
 * memory.c is here in straight functions for hosts with AVX2, which serve all warps of a group: the same questions, the same counters, the same tags.
 *
 * Law: where a function of one warp says false nothing has happened that memory.c would not do again; every case of doubt is false, and every fault is
 * found there. */
#ifndef XG_SIM_FAST_C
#define XG_SIM_FAST_C
#include "memory.c"

#if XG_SIM_X86
#define XG_SIM_FAST_FN __attribute__((target(XG_SIM_AVX2_TARGET))) XG_FN

/* A record and the warps that execute it. */
typedef struct xg_sim_fast {
    xg_sim_worker *w;
    xg_sim_warp *v;
    const xg_sim_ins *in;
    const uint32_t *list;
    char *regs;          /* of the first warp; the others' follow, stride bytes apart */
    size_t stride;
    uint32_t warps, n, size, each, all; /* items of a lane and bytes of an item, a lane, a warp */
    bool write;
} xg_sim_fast;

/* ---- moving ---- */

XG_M256_FN void xg_sim_fast_take(char *regs, const uint32_t *list, const char *at, uint32_t n, uint32_t size) {
    char low[512], high[512];
    if (n == 1) { xg_sim_avx2_copy(regs + list[0], at, (size_t)size * XG_SIM_WARP); return; }
    if (n == 2) { xg_sim_avx2_split(regs + list[0], regs + list[1], at, size); return; }
    xg_sim_avx2_split(low, high, at, 2 * size);
    xg_sim_avx2_split(regs + list[0], regs + list[1], low, size);
    xg_sim_avx2_split(regs + list[2], regs + list[3], high, size);
}
XG_M256_FN void xg_sim_fast_give(char *at, const char *const *from, uint32_t n, uint32_t size) {
    char low[512], high[512];
    if (n == 1) { xg_sim_avx2_copy(at, from[0], (size_t)size * XG_SIM_WARP); return; }
    if (n == 2) { xg_sim_avx2_join(at, from[0], from[1], size); return; }
    xg_sim_avx2_join(low, from[0], from[1], size);
    xg_sim_avx2_join(high, from[2], from[3], size);
    xg_sim_avx2_join(at, low, high, 2 * size);
}
/* A function for each shape, with loops of a known length. */
#define XG_SIM_FAST_SHAPES(X) X(1, 1) X(1, 2) X(1, 4) X(1, 8) X(2, 1) X(2, 2) X(2, 4) X(2, 8) X(4, 1) X(4, 2) X(4, 4) X(4, 8)
XG_SIM_FAST_FN void xg_sim_fast_move(const xg_sim_fast *f, char *regs, char *at) {
    const uint32_t *list = f->list;
    if (!f->write) switch (f->n << 4 | f->size) {
#define X(n, size) case n << 4 | size: xg_sim_fast_take(regs, list, at, n, size); break;
        XG_SIM_FAST_SHAPES(X)
#undef X
    } else {
        const char *from[4];
        uint32_t e;
        for (e = 0; e < f->n; e++) from[e] = list[e] & 1 ? f->w->m->consts + (list[e] - 1) : regs + list[e];
        switch (f->n << 4 | f->size) {
#define X(n, size) case n << 4 | size: xg_sim_fast_give(at, from, n, size); break;
        XG_SIM_FAST_SHAPES(X)
#undef X
        }
    }
}

/* ---- global memory ---- */

/* The lines of a buffer's shadow, and what the tags of this launch and block are. past: how many of the block's are over. */
typedef struct xg_sim_fast_marks { uint32_t *lines, floor, block, past, tag, least; } xg_sim_fast_marks;

/* Two lines whose four tags are all from before the launch: the usual case. */
XG_M256_FN bool xg_sim_fast_two_lines(const xg_sim_fast_marks *m, uint32_t *tags, uint32_t mine, bool write) {
    const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)tags), least = _mm_setr_epi32(write ? 0 : (int)m->least, 0, write ? 0 : (int)m->least, 0);
    const __m128i wrong = _mm_or_si128(_mm_cmpeq_epi32(_mm_max_epu32(x, _mm_set1_epi32((int)m->floor)), x), _mm_xor_si128(_mm_max_epu32(x, least), x));
    if (!_mm_testz_si128(wrong, wrong)) return false;
    XG_SIM_LINE_SET(&tags[!write], mine);
    XG_SIM_LINE_SET(&tags[2 + !write], mine);
    return true;
}
XG_M256_FN bool xg_sim_fast_line(const xg_sim_fast_marks *m, uint32_t *tags, uint32_t mine, bool write) {
    const uint32_t wt = XG_SIM_LINE_GET(&tags[0]), rt = XG_SIM_LINE_GET(&tags[1]);
    const bool calm = wt < m->floor || wt - m->block < m->past || wt == mine, fresh = rt < m->floor || (rt - m->block < m->past && !(rt & XG_SIM_TAG_FOREIGN));
    if (!calm || (!write && wt < m->least) || !(fresh || rt == mine)) return false;
    if (write) { if (wt != mine) XG_SIM_LINE_SET(&tags[0], mine); }
    else if (rt != mine) XG_SIM_LINE_SET(&tags[1], mine);
    return true;
}
/* Whole lines. */
XG_M256_FN bool xg_sim_fast_lines(const xg_sim_fast_marks *m, uint64_t at, uint32_t bytes, uint32_t warp, bool write) {
    uint32_t *tags = m->lines + 2 * (at / 64), *end = tags + 2 * (bytes / 64), mine = m->tag | warp;
    if ((at | bytes) & 63) return false;
    for (; end - tags >= 4 && xg_sim_fast_two_lines(m, tags, mine, write); tags += 4) {}
    for (; tags < end; tags += 2) if (!xg_sim_fast_line(m, tags, mine, write)) return false;
    return true;
}
/* Memory is far away. The lines that the group is about to reach are asked for all at once, and those that it will reach at this record next time, if it goes
 * on as it came here from last time. */
XG_M256_FN void xg_sim_fast_ahead(const xg_sim_fast *f, const xg_sim_buffer *b, const char *slot) {
    uint64_t *before = &f->w->recent_at[((uint32_t)(f->in - f->w->m->code) + f->v->id) % XG_SIM_RECENT], first = xg_sim_lane_address(slot, 0, true, f->in->imm), step = first - *before;
    uint32_t k, at;
    *before = first;
    if (step == 0) step = 64;
    for (k = 0; k < f->warps; k++, slot += f->stride) {
        const uint64_t a = xg_sim_lane_address(slot, 0, true, f->in->imm);
        for (at = 0; at < f->all; at += 64) { __builtin_prefetch((const char *)(uintptr_t)(a + at)); __builtin_prefetch((const char *)(uintptr_t)(a + step + at)); }
        if (b && b->shadow && a - b->base < b->bytes) __builtin_prefetch(b->shadow + 2 * ((a - b->base) / 64));
        if (b && b->shadow && a + step - b->base < b->bytes) __builtin_prefetch(b->shadow + 2 * ((a + step - b->base) / 64));
    }
}
XG_SIM_FAST_FN void xg_sim_fast_global(const xg_sim_fast *f) {
    xg_sim_worker *w = f->w;
    const xg_sim_buffer **cached = &w->recent[(uint32_t)(f->in - w->m->code) % XG_SIM_RECENT], *b = NULL, *next = *cached;
    const char *slot = f->regs + f->in->a;
    const uint32_t all = f->all;
    uint64_t sectors = 0, lines = 0;
    uint32_t k, done = 0;
    bool asked = false;
    xg_sim_fast_marks m = {NULL, 0, 0, 0, 0, 0};
    xg_sim_fast_ahead(f, next, slot);
    for (k = 0; k < f->warps; k++, slot += f->stride) {
        const uint64_t a = xg_sim_lane_address(slot, 0, true, f->in->imm);
        if (!b || a - b->base > b->bytes - all) {
            if (!next || next->bytes < all || a - next->base > next->bytes - all) next = xg_sim_memory_find(w->l->memory, a);
            if (next && next->bytes >= all && a - next->base <= next->bytes - all && !(f->write && next->readonly)) {
                b = *cached = next;
                asked = b->shadow && !(w->l->unchecked_global && !w->tracked);
                m.lines = b->shadow;
                m.floor = w->launch_tag; m.block = w->block_tag; m.past = w->tag - w->block_tag; m.tag = w->tag; m.least = w->l->unchecked_global ? 0 : 1;
            } else { b = next = NULL; xg_sim_exec_access(w, &f->v[k], f->in, 0xFFFFFFFFu); continue; }
        }
        if (a & (f->each - 1) || !xg_sim_avx2_beside64(slot, f->each) || (asked && (!w->tracked || b->readonly || !xg_sim_fast_lines(&m, a - b->base, all, (f->v->id + k) & 31, f->write)))) {
            xg_sim_exec_access(w, &f->v[k], f->in, 0xFFFFFFFFu);
            continue;
        }
        sectors += ((a + all - 1) >> 5) - (a >> 5) + 1;
        lines += ((a + all - 1) >> 7) - (a >> 7) + 1;
        done++;
        xg_sim_fast_move(f, f->regs + k * f->stride, (char *)(uintptr_t)a);
    }
    w->stats.sectors += sectors;
    w->stats.global_transactions += lines;
    w->stats.minimum_sectors += (uint64_t)done * f->each;
    if (f->write) w->stats.global_stores += done; else w->stats.global_loads += done;
}

/* ---- shared memory ---- */

/* The tags of 32 scattered words all in [least, below)? */
XG_M256_FN bool xg_sim_fast_within(const uint32_t *tags, const uint32_t *off, uint32_t least, uint32_t below) {
    uint32_t found[XG_SIM_WARP];
    xg_sim_avx2_gather((char *)found, (const char *)tags, off);
    return xg_sim_avx2_within(found, XG_SIM_WARP, least, below);
}
/* What a warp does to words side by side, or to scattered ones: nothing to be seen is the usual case; else shadow.c is asked. */
XG_SIM_FAST_FN bool xg_sim_fast_words(xg_sim_worker *w, uint32_t k, uint32_t n, uint32_t warp, bool write) {
    const uint32_t mine = w->shared_tag | warp;
    uint32_t *writers = w->marks + k;
    xg_sim_marks m;
    if (!write && xg_sim_avx2_within(writers, n, w->shared_block, w->shared_tag)) { xg_sim_shared_read(w, mine, XG_SIM_READ_STEPS, 4 * k, n, 4); return true; }
    if (write && !w->n_reads && !w->readers && xg_sim_avx2_within(writers, n, 0, w->shared_tag)) { xg_sim_avx2_fill(writers, n, mine); return true; }
    m = xg_sim_marks_shared(w);
    return xg_sim_track_quads(&xg_sim_moves_avx2, &m, k, n, mine, write);
}
XG_SIM_FAST_FN bool xg_sim_fast_lanes(xg_sim_worker *w, const uint32_t *off, uint32_t warp, bool write) {
    const uint32_t mine = w->shared_tag | warp;
    xg_sim_marks m;
    if (!write && xg_sim_fast_within(w->marks, off, w->shared_block, w->shared_tag)) {
        if (xg_sim_avx2_beside32((const char *)off, off[1] - off[0])) xg_sim_shared_read(w, mine, XG_SIM_READ_STEPS, off[0], XG_SIM_WARP, off[1] - off[0]);
        else xg_sim_avx2_copy((char *)xg_sim_shared_read_row(w, mine), (const char *)off, 4 * XG_SIM_WARP);
        return true;
    }
    m = xg_sim_marks_shared(w);
    return xg_sim_track_lanes(&xg_sim_moves_avx2, &m, off, mine, write);
}
/* A load of words of which some 32 side by side have all. */
XG_SIM_FAST_FN bool xg_sim_fast_near(xg_sim_worker *w, char *to, const uint32_t *off, uint32_t least, uint32_t words, uint32_t warp, bool asked) {
    const uint32_t base = XG_MIN(least, w->l->shared_bytes / 4 * 4 - 128); /* never behind the end */
    if (asked && xg_sim_avx2_within(w->marks + least / 4, (words + 3) & ~3u, w->shared_block, w->shared_tag)) xg_sim_shared_read(w, w->shared_tag | warp, XG_SIM_READ_BITS, least, 0, xg_sim_avx2_banks(off, least));
    else if (asked && !xg_sim_fast_lanes(w, off, warp, false)) return false;
    xg_sim_avx2_gather_near(to, w->shared, off, base);
    return true;
}
XG_SIM_FAST_FN bool xg_sim_fast_scattered(const xg_sim_fast *f, char *regs, const char *slot, uint32_t warp, bool asked) {
    xg_sim_worker *w = f->w;
    uint32_t off[XG_SIM_WARP], i, least, words;
    const char *from;
    bool apart;
    if (f->n != 1 || f->size != 4 || !xg_sim_avx2_inside32(off, slot, f->in->imm, w->l->shared_bytes - 4, 3)) return false;
    if (!f->write && xg_sim_avx2_in_a_row(off, &least, &words) && w->l->shared_bytes >= 128) return xg_sim_fast_near(w, regs + f->list[0], off, least, words, warp, asked);
    apart = xg_sim_avx2_all_banks(off); /* no two lanes at one place */
    if (!apart && !xg_sim_avx2_one_pass(off)) return false;
    if (f->write && xg_sim_avx2_beside32(slot, 0)) return false;
    if (asked && !xg_sim_fast_lanes(w, off, warp, f->write)) return false;
    if (!f->write) { xg_sim_avx2_gather(regs + f->list[0], w->shared, off); return true; }
    from = f->list[0] & 1 ? w->m->consts + (f->list[0] - 1) : regs + f->list[0];
    for (i = 0; i < XG_SIM_WARP; i++) memcpy(w->shared + off[i], from + i * 4, 4);
    if (!w->l->unchecked_races && !apart) for (i = 0; i < XG_SIM_WARP; i++) if (memcmp(w->shared + off[i], from + i * 4, 4) != 0) return false;
    return true;
}
XG_SIM_FAST_FN void xg_sim_fast_shared(const xg_sim_fast *f) {
    xg_sim_worker *w = f->w;
    const bool asked = !(w->l->unchecked_shared && w->l->unchecked_races), half = w->l->unchecked_shared != w->l->unchecked_races;
    const uint32_t bytes = w->l->shared_bytes;
    const char *slot = f->regs + f->in->a;
    uint32_t k, done = 0;
    for (k = 0; k < f->warps; k++, slot += f->stride) {
        const uint32_t a = (uint32_t)xg_sim_lane_address(slot, 0, false, f->in->imm), warp = (f->v->id + k) & 31;
        bool good = !(half || a & (f->each - 1) || bytes < f->each || a > bytes - f->each);
        if (good && !xg_sim_avx2_beside32(slot, f->each)) good = xg_sim_fast_scattered(f, f->regs + k * f->stride, slot, warp, asked);
        else if (good) {
            good = bytes >= f->all && a <= bytes - f->all && !(a & 3) && (!asked || xg_sim_fast_words(w, a / 4, f->all / 4, warp, f->write));
            if (good) xg_sim_fast_move(f, f->regs + k * f->stride, w->shared + a);
        }
        if (good) done++;
        else xg_sim_exec_access(w, &f->v[k], f->in, 0xFFFFFFFFu);
    }
    w->stats.shared_transactions += (uint64_t)done * (f->each <= 4 ? 1 : f->each / 4);
    if (f->write) w->stats.shared_stores += done; else w->stats.shared_loads += done;
}
/* A load of shared memory from a constant address. */
XG_SIM_FAST_FN void xg_sim_fast_one(const xg_sim_fast *f) {
    xg_sim_worker *w = f->w;
    const uint64_t a = xg_sim_lane_address(w->m->consts + (f->in->a - 1), 0, (f->in->imm2 & XG_SIM_M_WIDE) != 0, f->in->imm);
    const uint32_t words = f->size / 4;
    uint32_t k, i, done = 0;
    const bool asked = !(w->l->unchecked_shared && w->l->unchecked_races), half = w->l->unchecked_shared != w->l->unchecked_races;
    bool usual = !(half || f->write || f->n != 1 || f->size < 4 || a & (f->size - 1) || a > w->l->shared_bytes || w->l->shared_bytes - a < f->size);
    for (i = 0; usual && asked && i < words; i++) { const uint32_t t = w->marks[a / 4 + i]; usual = t >= w->shared_block && t < w->shared_tag; }
    for (k = 0; k < f->warps; k++) {
        if (!usual) { xg_sim_exec_access(w, &f->v[k], f->in, 0xFFFFFFFFu); continue; }
        if (asked) xg_sim_shared_read(w, w->shared_tag | ((f->v->id + k) & 31), XG_SIM_READ_STEPS, (uint32_t)a, words, 4);
        xg_sim_avx2_spread(f->regs + k * f->stride + f->list[0], w->shared + a, f->size);
        done++;
    }
    w->stats.shared_loads += done;
    w->stats.shared_transactions += done;
}

/* A load or store whose lanes are all active, by the warps v[0..warps) of a group. */
XG_SIM_FAST_FN void xg_sim_fast_access(xg_sim_worker *w, xg_sim_warp *v, uint32_t warps, const xg_sim_ins *in) {
    const uint32_t space = in->imm2 & XG_SIM_M_SPACE;
    const bool wide = (in->imm2 & XG_SIM_M_WIDE) != 0;
    xg_sim_fast f;
    uint32_t k;
    f.w = w; f.v = v; f.in = in; f.list = w->m->list + in->list; f.regs = v->regs; f.stride = w->l->stack_bytes; f.warps = warps;
    f.n = in->n; f.size = 1u << (in->imm2 >> XG_SIM_M_SIZE & 7); f.each = f.size * f.n; f.all = f.each * XG_SIM_WARP; f.write = in->kind == XG_SIM_K_ST;
    if (f.size == in->dbytes && (f.n == 1 || f.n == 2 || f.n == 4) && f.size <= 8 && !(in->imm2 & (XG_SIM_M_FENCE | XG_SIM_M_STRONG))) {
        if (space == XG_SIM_SHARED && in->a & 1) { xg_sim_fast_one(&f); return; }
        if (space == XG_SIM_GLOBAL && wide && !(in->a & 1)) { xg_sim_fast_global(&f); return; }
        if (space == XG_SIM_SHARED && !wide && !(in->a & 1)) { xg_sim_fast_shared(&f); return; }
    }
    for (k = 0; k < warps; k++) xg_sim_exec_access(w, &v[k], in, 0xFFFFFFFFu);
}

#undef XG_SIM_FAST_SHAPES
#endif

#endif /* XG_SIM_FAST_C */
