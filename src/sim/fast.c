/* sim/fast.c -- loads, stores and shuffles of whole warps, the short way.
 *
 * Most accesses are of 32 lanes side by side, in one buffer and aligned, or scattered words of shared memory, and race
 * with nothing. For these all of memory.c is here in straight functions for hosts with AVX2, which serve all warps of a
 * group: the same questions, the same counters, the same tags. They are chosen when a module is loaded
 * (xg_sim_fast_choose in warp.c) and stand in the records as the functions of arithmetic do; a warp that is alone or
 * has sleeping lanes goes the long way.
 *
 * Law: where a function of one warp says false nothing has happened that memory.c would not do again; every case of
 * doubt is false, and every fault is found there. */
#ifndef XG_SIM_FAST_C
#define XG_SIM_FAST_C
#include "atomics.c"

#if XG_SIM_X86
#define XG_SIM_FAST_FN __attribute__((target(XG_SIM_AVX2_TARGET))) XG_FN

/* A record and the warps that execute it. */
typedef struct xg_sim_fast {
    xg_sim_worker *w;
    xg_sim_warp *v;
    const xg_sim_ins *in;
    const uint32_t *list;
    char *regs; /* of the first warp; the others' follow, stride bytes apart */
    size_t stride;
    uint32_t warps, n, size, each, all; /* items of a lane and bytes of an item, a lane, a warp */
    bool write;
} xg_sim_fast;

/* ---- moving ---- */

XG_M256_ONE void xg_sim_fast_take(char *regs, const uint32_t *list, const char *at, uint32_t n, uint32_t size) {
    char low[512], high[512];
    if (n == 1) {
        xg_sim_avx2_copy(regs + list[0], at, (size_t)size * XG_SIM_WARP);
        return;
    }
    if (n == 2) {
        xg_sim_avx2_split(regs + list[0], regs + list[1], at, size);
        return;
    }
    xg_sim_avx2_split(low, high, at, 2 * size);
    xg_sim_avx2_split(regs + list[0], regs + list[1], low, size);
    xg_sim_avx2_split(regs + list[2], regs + list[3], high, size);
}
XG_M256_ONE void xg_sim_fast_give(char *at, const char *const *from, uint32_t n, uint32_t size) {
    char low[512], high[512];
    if (n == 1) {
        xg_sim_avx2_copy(at, from[0], (size_t)size * XG_SIM_WARP);
        return;
    }
    if (n == 2) {
        xg_sim_avx2_join(at, from[0], from[1], size);
        return;
    }
    xg_sim_avx2_join(low, from[0], from[1], size);
    xg_sim_avx2_join(high, from[2], from[3], size);
    xg_sim_avx2_join(at, low, high, 2 * size);
}
/* Loops of a known length for each shape, in one function: inlined it would be most of the code. A build for size has
 * the usual one alone. */
#ifdef __OPTIMIZE_SIZE__
#define XG_SIM_FAST_SHAPES(X)
#else
#define XG_SIM_FAST_SHAPES(X) \
    X(1, 1) X(1, 2) X(1, 4) X(1, 8) X(2, 1) X(2, 2) X(2, 4) X(2, 8) X(4, 1) X(4, 2) X(4, 4) X(4, 8)
#endif
XG_SIM_FAST_FN void xg_sim_fast_move(const xg_sim_fast *f, char *regs, char *at) {
    const uint32_t *list = f->list;
    if (!f->write) switch (f->n << 4 | f->size) {
#define X(n, size) \
    case n << 4 | size: xg_sim_fast_take(regs, list, at, n, size); break;
            XG_SIM_FAST_SHAPES(X)
#undef X
        default: xg_sim_fast_take(regs, list, at, f->n, f->size); break;
        }
    else {
        const char *from[4];
        uint32_t e;
        for (e = 0; e < f->n; e++) from[e] = list[e] & 1 ? f->w->m->consts + (list[e] - 1) : regs + list[e];
        switch (f->n << 4 | f->size) {
#define X(n, size) \
    case n << 4 | size: xg_sim_fast_give(at, from, n, size); break;
            XG_SIM_FAST_SHAPES(X)
#undef X
        default: xg_sim_fast_give(at, from, f->n, f->size); break;
        }
    }
}

/* One word of each lane: most accesses. Callers keep `write` in a variable of their own, which is a constant in each
 * function that is made of them; what they read through f after a call is not. */
XG_M256_FN void xg_sim_fast_row(const xg_sim_fast *f, char *regs, char *at, bool write) {
    const uint32_t slot = f->list[0];
    if (!write)
        xg_sim_avx2_copy(regs + slot, at, 128);
    else
        xg_sim_avx2_copy(at, slot & 1 ? f->w->m->consts + (slot - 1) : regs + slot, 128);
}
XG_M256_FN bool xg_sim_fast_is_row(const xg_sim_fast *f) { return f->n == 1 && f->size == 4; }

/* ---- global memory ---- */

/* Two lines whose four tags are all from before the launch: the usual case. */
XG_M256_FN bool xg_sim_fast_two_lines(const xg_sim_marks *m, uint32_t *tags, uint32_t mine, bool write) {
    const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)tags),
                  least = _mm_setr_epi32(write ? 0 : (int)m->least, 0, write ? 0 : (int)m->least, 0);
    const __m128i wrong = _mm_or_si128(
        _mm_cmpeq_epi32(_mm_max_epu32(x, _mm_set1_epi32((int)m->floor)), x), _mm_xor_si128(_mm_max_epu32(x, least), x));
    if (!_mm_testz_si128(wrong, wrong)) return false;
    XG_SIM_LINE_SET(&tags[!write], mine);
    XG_SIM_LINE_SET(&tags[2 + !write], mine);
    return true;
}
XG_M256_ONE bool xg_sim_fast_line(const xg_sim_marks *m, uint32_t *tags, uint32_t mine, bool write) {
    const uint32_t wt = XG_SIM_LINE_GET(&tags[0]), rt = XG_SIM_LINE_GET(&tags[1]), past = m->tag - m->block;
    uint32_t next;
    if (!(wt < m->floor || wt - m->block < past || wt == mine) || (!write && wt < m->least)) return false;
    if (write ? m->read_only && rt >= m->floor : m->constant && wt >= m->floor) return false;
    if (write) {
        if (!(rt < m->floor || (rt - m->block < past && !(rt & XG_SIM_TAG_FOREIGN)) || rt == mine)) return false;
        if (wt != mine) XG_SIM_LINE_SET(&tags[0], mine);
        return true;
    }
    if (rt >= XG_SIM_BUSY_LINE) return false;
    next = rt == mine || rt < m->floor ? mine : xg_sim_read_tag(m, rt, mine, XG_SIM_PART_ALL);
    if (next != rt) XG_SIM_LINE_SET(&tags[1], next);
    return true;
}
/* Whole lines. */
XG_M256_FN bool xg_sim_fast_lines(const xg_sim_marks *m, uint64_t at, uint32_t bytes, uint32_t warp, bool write) {
    uint32_t *tags = m->line_w + 2 * (at / 64), *end = tags + 2 * (bytes / 64), mine = m->tag | warp;
    if ((at | bytes) & 63) return false;
    for (; end - tags >= 4 && xg_sim_fast_two_lines(m, tags, mine, write); tags += 4) {}
    for (; tags < end; tags += 2)
        if (!xg_sim_fast_line(m, tags, mine, write)) return false;
    return true;
}
/* Memory is far away. The lines that the group will reach at this record next time, if it goes on as it came here, are
 * asked for now; those that it is about to reach too, unless they were foreseen last time. */
XG_M256_FN void xg_sim_fast_ahead(const xg_sim_fast *f, const xg_sim_buffer *b, const char *slot) {
    xg_sim_recent *before = &f->w->recent_at[(f->in->e + f->v->id / XG_SIM_TOGETHER * 7) % XG_SIM_RECENT];
    const uint64_t first = xg_sim_lane_address(slot, 0, true, f->in->imm), step = first - before->at;
    const bool foreseen = step == before->step;
    const uint32_t *tags = b ? b->shadow : NULL;
    const uint64_t base = tags ? b->base : 0, bytes = tags ? b->bytes : 0;
    uint32_t k, at;
    before->at = first;
    before->step = step;
    for (k = 0; k < f->warps; k++, slot += f->stride) {
        const uint64_t a = xg_sim_lane_address(slot, 0, true, f->in->imm), later = a + step;
        if (!foreseen && k)
            XG_UNROLL(2) for (at = 0; at < f->all; at += 64) __builtin_prefetch((const char *)(uintptr_t)(a + at));
        XG_UNROLL(2) for (at = 0; at < f->all; at += 64) __builtin_prefetch((const char *)(uintptr_t)(later + at));
        if ((a ^ later) >> 9 && later - base < bytes) __builtin_prefetch(tags + 2 * ((later - base) / 64));
    }
}
/* A word of each lane, of which 16 and 16 stand side by side, as in a block of 16 by 16 threads: two lines of the
 * buffer b. */
XG_SIM_FAST_FN bool xg_sim_fast_halves(const xg_sim_fast *f, const xg_sim_buffer *b, const xg_sim_marks *m,
    const char *slot, char *regs, uint32_t warp, bool asked) {
    const uint64_t low = xg_sim_lane_address(slot, 0, true, f->in->imm),
                   high = xg_sim_lane_address(slot, 16, true, f->in->imm);
    const uint32_t at = f->list[0];
    const char *from;
    if ((low | high) & 63 || low == high || !xg_sim_avx2_beside64_halves(slot, 4) || high - b->base > b->bytes - 64)
        return false;
    if (asked && !(xg_sim_fast_lines(m, low - b->base, 64, warp, f->write) &&
                     xg_sim_fast_lines(m, high - b->base, 64, warp, f->write)))
        return false;
    f->w->stats.sectors += 4;
    f->w->stats.minimum_sectors += 4;
    f->w->stats.global_transactions += (low ^ high) >> 7 ? 2 : 1;
    if (f->write)
        f->w->stats.global_stores++;
    else
        f->w->stats.global_loads++;
    if (!f->write) {
        xg_sim_avx2_copy(regs + at, (const char *)(uintptr_t)low, 64);
        xg_sim_avx2_copy(regs + at + 64, (const char *)(uintptr_t)high, 64);
        return true;
    }
    from = at & 1 ? f->w->m->consts + (at - 1) : regs + at;
    xg_sim_avx2_copy((char *)(uintptr_t)low, from, 64);
    xg_sim_avx2_copy((char *)(uintptr_t)high, from + 64, 64);
    return true;
}
XG_M256_ONE void xg_sim_fast_global(const xg_sim_fast *f) {
    xg_sim_worker *w = f->w;
    const xg_sim_buffer **cached = &w->recent[f->in->e % XG_SIM_RECENT], *b = *cached;
    const char *slot = f->regs + f->in->a;
    const uint32_t all = f->all, each = f->each;
    const bool write = f->write, row = xg_sim_fast_is_row(f);
    uint64_t sectors = 0, lines = 0;
    uint32_t k, done = 0;
    bool usable = false, asked = false; /* of b: nothing speaks against the short way; its shadow is to be asked */
    xg_sim_marks m;
    memset(&m, 0, sizeof m);
    m.floor = w->launch_tag;
    m.block = w->block_tag;
    m.tag = w->tag;
    m.least = w->l->unchecked_global ? 0 : 1;
    xg_sim_fast_ahead(f, b, slot);
    for (k = 0; k < f->warps; k++, slot += f->stride) {
        const uint64_t a = xg_sim_lane_address(slot, 0, true, f->in->imm);
        if (!usable || a - b->base > b->bytes - all) {
            if (!b || b->bytes < all || a - b->base > b->bytes - all) b = xg_sim_memory_find(w->l->memory, a);
            asked = b && b->shadow && !(w->l->unchecked_global && !w->tracked);
            usable = b && b->bytes >= all && a - b->base <= b->bytes - all && !(write && b->readonly) &&
                     (!asked || (w->tracked && !b->readonly));
            if (usable) {
                *cached = b;
                m.line_w = b->shadow;
                if (w->m->constants && asked) xg_sim_constant_marks(w, f->in, b, &m, write);
            }
        }
        if (!usable || a & (each - 1) || !xg_sim_avx2_beside64(slot, each) ||
            (asked && !xg_sim_fast_lines(&m, a - b->base, all, (f->v->id + k) & 31, write))) {
            if (!(usable && row &&
                    xg_sim_fast_halves(f, b, &m, slot, f->regs + k * f->stride, (f->v->id + k) & 31, asked)))
                xg_sim_exec_access(w, &f->v[k], f->in, 0xFFFFFFFFu);
            continue;
        }
        sectors += each + ((a & 31) != 0);
        lines += ((a & 127) + all + 127) >> 7;
        done++;
        if (row)
            xg_sim_fast_row(f, f->regs + k * f->stride, (char *)(uintptr_t)a, write);
        else
            xg_sim_fast_move(f, f->regs + k * f->stride, (char *)(uintptr_t)a);
    }
    w->stats.sectors += sectors;
    w->stats.global_transactions += lines;
    w->stats.minimum_sectors += (uint64_t)done * each;
    if (write)
        w->stats.global_stores += done;
    else
        w->stats.global_loads += done;
}

/* ---- shared memory ---- */

/* The tags of 32 scattered words all in [least, below)? */
XG_M256_FN bool xg_sim_fast_within(const uint32_t *tags, const uint32_t *off, uint32_t least, uint32_t below) {
    uint32_t found[XG_SIM_WARP];
    xg_sim_avx2_gather((char *)found, (const char *)tags, off);
    return xg_sim_avx2_within(found, XG_SIM_WARP, least, below);
}
/* What a warp does to words side by side, or to scattered ones: nothing to be seen is the usual case; else shadow.c is
 * asked. */
XG_M256_FN bool xg_sim_fast_words(xg_sim_worker *w, uint32_t k, uint32_t n, uint32_t warp, bool write) {
    const uint32_t mine = w->shared_tag | warp;
    uint32_t *writers = w->marks + k;
    xg_sim_marks m;
    if (!write && xg_sim_avx2_within(writers, n, w->shared_block, w->shared_tag)) {
        xg_sim_shared_read(w, mine, XG_SIM_READ_STEPS, 4 * k, n, 4);
        return true;
    }
    if (write && !w->n_reads && !w->readers && xg_sim_avx2_within(writers, n, 0, w->shared_tag)) {
        xg_sim_avx2_fill(writers, n, mine);
        return true;
    }
    m = xg_sim_marks_shared(w);
    return xg_sim_track_quads(&xg_sim_moves_avx2, &m, k, n, mine, write);
}
XG_SIM_FAST_FN bool xg_sim_fast_lanes(xg_sim_worker *w, const uint32_t *off, uint32_t warp, bool write) {
    const uint32_t mine = w->shared_tag | warp;
    xg_sim_marks m;
    if (!write && xg_sim_fast_within(w->marks, off, w->shared_block, w->shared_tag)) {
        if (xg_sim_avx2_beside32((const char *)off, off[1] - off[0]))
            xg_sim_shared_read(w, mine, XG_SIM_READ_STEPS, off[0], XG_SIM_WARP, off[1] - off[0]);
        else
            xg_sim_avx2_copy(
                (char *)xg_sim_shared_read_row(w, mine, XG_SIM_READ_LANES), (const char *)off, 4 * XG_SIM_WARP);
        return true;
    }
    m = xg_sim_marks_shared(w);
    return xg_sim_track_lanes(&xg_sim_moves_avx2, &m, off, mine, write);
}
/* A load of words of which some 32 side by side have all. */
XG_SIM_FAST_FN bool xg_sim_fast_near(
    xg_sim_worker *w, char *to, const uint32_t *off, uint32_t least, uint32_t words, uint32_t warp, bool asked) {
    const uint32_t base = XG_MIN(least, w->l->shared_bytes / 4 * 4 - 128); /* never behind the end */
    if (asked && xg_sim_avx2_within(w->marks + least / 4, (words + 3) & ~3u, w->shared_block, w->shared_tag))
        xg_sim_shared_read(w, w->shared_tag | warp, XG_SIM_READ_BITS, least, 0, xg_sim_avx2_banks(off, least));
    else if (asked && !xg_sim_fast_lanes(w, off, warp, false))
        return false;
    xg_sim_avx2_gather_near(to, w->shared, off, base);
    return true;
}
XG_SIM_FAST_FN bool xg_sim_fast_scattered(const xg_sim_fast *f, char *regs, const char *slot, uint32_t k, bool asked) {
    xg_sim_worker *w = f->w;
    const uint32_t warp = (f->v->id + k) & 31;
    uint32_t off[XG_SIM_WARP], i, least, words;
    xg_sim_stored *kept;
    const char *from;
    bool apart;
    if (f->n != 1 || f->size != 4 ||
        !xg_sim_avx2_inside32(off, slot, f->in->imm - w->window, w->l->shared_bytes - 4, 3))
        return false;
    if (!f->write && xg_sim_avx2_in_a_row(off, &least, &words) && w->l->shared_bytes >= 128)
        return xg_sim_fast_near(w, regs + f->list[0], off, least, words, warp, asked);
    apart = xg_sim_avx2_all_banks(off); /* no two lanes at one place */
    if (!apart && !xg_sim_avx2_one_pass(off)) return false;
    if (f->write && xg_sim_avx2_beside32(slot, 0)) return false;
    if (asked && !xg_sim_fast_lanes(w, off, warp, f->write)) return false;
    if (!f->write) {
        xg_sim_avx2_gather(regs + f->list[0], w->shared, off);
        return true;
    }
    from = f->list[0] & 1 ? w->m->consts + (f->list[0] - 1) : regs + f->list[0];
    for (i = 0; i < XG_SIM_WARP; i++) memcpy(w->shared + off[i], from + i * 4, 4);
    if (!w->l->unchecked_races && !apart)
        for (i = 0; i < XG_SIM_WARP; i++)
            if (memcmp(w->shared + off[i], from + i * 4, 4) != 0) return false;
    if (w->l->unchecked_races) return true;
    kept = xg_sim_store_keep(w, &f->v[k], f->in, 0xFFFFFFFFu, 4, 0, 0);
    kept->scattered = true;
    xg_sim_avx2_copy((char *)kept->off, (const char *)off, sizeof off);
    return true;
}
/* One word of each lane, `step` bytes apart, an odd number of words: no two are in one bank. */
XG_APART XG_SIM_FAST_FN bool xg_sim_fast_steps(
    const xg_sim_fast *f, char *regs, uint32_t at, uint32_t step, uint32_t warp, bool asked) {
    xg_sim_worker *w = f->w;
    const uint32_t mine = w->shared_tag | warp;
    uint32_t tags[XG_SIM_WARP], i;
    const char *from;
    if (asked) {
        if (f->write && (w->n_reads || w->readers)) return false;
        xg_sim_avx2_gather_steps((char *)tags, (const char *)w->marks + at, step);
        if (!xg_sim_avx2_within(tags, XG_SIM_WARP, f->write ? 0 : w->shared_block, w->shared_tag)) return false;
        if (!f->write)
            xg_sim_shared_read(w, mine, XG_SIM_READ_STEPS, at, XG_SIM_WARP, step);
        else
            for (i = 0; i < XG_SIM_WARP; i++) w->marks[(at + i * step) / 4] = mine;
    }
    if (!f->write) {
        xg_sim_avx2_gather_steps(regs + f->list[0], w->shared + at, step);
        return true;
    }
    from = f->list[0] & 1 ? w->m->consts + (f->list[0] - 1) : regs + f->list[0];
    for (i = 0; i < XG_SIM_WARP; i++) memcpy(w->shared + at + i * step, from + i * 4, 4);
    return true;
}
/* Warp k's lanes have stored, `step` bytes apart. */
XG_M256_FN bool xg_sim_fast_kept(const xg_sim_fast *f, uint32_t k, uint32_t at, uint32_t step, bool write) {
    if (write && !f->w->l->unchecked_races) xg_sim_store_keep(f->w, &f->v[k], f->in, 0xFFFFFFFFu, f->each, at, step);
    return true;
}
/* Items of all lanes side by side. */
XG_M256_FN bool xg_sim_fast_beside(
    const xg_sim_fast *f, char *regs, uint32_t a, uint32_t warp, bool asked, bool write) {
    xg_sim_worker *w = f->w;
    if (a & (f->each - 1) || a & 3 || w->l->shared_bytes < f->all || a > w->l->shared_bytes - f->all) return false;
    if (asked && !xg_sim_fast_words(w, a / 4, f->all / 4, warp, write)) return false;
    if (xg_sim_fast_is_row(f))
        xg_sim_fast_row(f, regs, w->shared + a, write);
    else
        xg_sim_fast_move(f, regs, w->shared + a);
    return true;
}
XG_M256_ONE void xg_sim_fast_shared(const xg_sim_fast *f) {
    xg_sim_worker *w = f->w;
    const bool asked = !(w->l->unchecked_shared && w->l->unchecked_races),
               half = w->l->unchecked_shared != w->l->unchecked_races;
    const bool write = f->write, row = xg_sim_fast_is_row(f);
    const uint32_t each = f->each;
    const uint64_t last = (uint64_t)w->l->shared_bytes - 4;
    const char *slot = f->regs + f->in->a;
    char *regs = f->regs;
    uint32_t k, done = 0;
    for (k = 0; k < f->warps && !half; k++, slot += f->stride, regs += f->stride) {
        const uint32_t a = (uint32_t)xg_sim_lane_address(slot, 0, false, f->in->imm - w->window),
                       step = (uint32_t)xg_sim_lane_address(slot, 1, false, f->in->imm - w->window) - a,
                       warp = (f->v->id + k) & 31;
        bool good;
        if (write ? w->lates : f->v[k].n_stored != 0)
            good = false; /* a wgmma may still read; lanes of the warp may not have met since they stored */
        else if (!xg_sim_avx2_beside32(slot, step))
            good = xg_sim_fast_scattered(f, regs, slot, k, asked);
        else if (step == each)
            good = xg_sim_fast_beside(f, regs, a, warp, asked, write) && xg_sim_fast_kept(f, k, a, step, write);
        else
            good = (row && (step & 7) == 4 && !(a & 3) && w->l->shared_bytes >= 4 &&
                       a + (uint64_t)step * (XG_SIM_WARP - 1) <= last &&
                       xg_sim_fast_steps(f, regs, a, step, warp, asked) && xg_sim_fast_kept(f, k, a, step, write)) ||
                   xg_sim_fast_scattered(f, regs, slot, k, asked);
        if (good)
            done++;
        else
            xg_sim_exec_access(w, &f->v[k], f->in, 0xFFFFFFFFu);
    }
    for (; k < f->warps; k++) xg_sim_exec_access(w, &f->v[k], f->in, 0xFFFFFFFFu);
    w->stats.shared_transactions += (uint64_t)done * (each <= 4 ? 1 : each / 4);
    if (write)
        w->stats.shared_stores += done;
    else
        w->stats.shared_loads += done;
}
/* A load of shared memory from a constant address. */
XG_M256_FN void xg_sim_fast_one(const xg_sim_fast *f) {
    xg_sim_worker *w = f->w;
    const uint64_t a =
        xg_sim_lane_address(w->m->consts + (f->in->a - 1), 0, (f->in->imm2 & XG_SIM_M_WIDE) != 0, f->in->imm);
    const uint32_t words = f->size / 4;
    uint32_t k, i, done = 0;
    const bool asked = !(w->l->unchecked_shared && w->l->unchecked_races),
               half = w->l->unchecked_shared != w->l->unchecked_races;
    bool usual = !(half || a & (f->size - 1) || a > w->l->shared_bytes || w->l->shared_bytes - a < f->size);
    for (i = 0; usual && asked && i < words; i++) {
        const uint32_t t = w->marks[a / 4 + i];
        usual = t >= w->shared_block && t < w->shared_tag;
    }
    for (k = 0; k < f->warps; k++) {
        if (!usual || f->v[k].n_stored) {
            xg_sim_exec_access(w, &f->v[k], f->in, 0xFFFFFFFFu);
            continue;
        }
        if (asked)
            xg_sim_shared_read(w, w->shared_tag | ((f->v->id + k) & 31), XG_SIM_READ_STEPS, (uint32_t)a, words, 4);
        xg_sim_avx2_spread(f->regs + k * f->stride + f->list[0], w->shared + a, f->size);
        done++;
    }
    w->stats.shared_loads += done;
    w->stats.shared_transactions += done;
}

/* ---- the functions of records ---- */

/* n items of `size` bytes a lane: constants for the shapes that have functions of their own. */
XG_M256_ONE xg_sim_fast xg_sim_fast_of(
    const xg_sim_lanes *L, const xg_sim_ins *in, uint32_t n, uint32_t size, bool write) {
    xg_sim_fast f;
    f.w = L->w;
    f.v = L->v;
    f.in = in;
    f.list = L->w->m->list + in->list;
    f.regs = L->v->regs;
    f.stride = L->dstride;
    f.warps = L->warps;
    f.n = n;
    f.size = size;
    f.each = size * n;
    f.all = f.each * XG_SIM_WARP;
    f.write = write;
    return f;
}
#define XG_SIM_FAST_SIZE (1u << (in->imm2 >> XG_SIM_M_SIZE & 7))
/* clang-format off */
#define XG_SIM_FAST_FNS(X) \
    X(load_row, global, 1, 4, false) \
    X(store_row, global, 1, 4, true) \
    X(load, global, in->n, XG_SIM_FAST_SIZE, false) \
    X(store, global, in->n, XG_SIM_FAST_SIZE, true) \
    X(load_shared_row, shared, 1, 4, false) \
    X(store_shared_row, shared, 1, 4, true) \
    X(load_shared, shared, in->n, XG_SIM_FAST_SIZE, false) \
    X(store_shared, shared, in->n, XG_SIM_FAST_SIZE, true) \
    X(load_one, one, 1, XG_SIM_FAST_SIZE, false)
/* clang-format on */
#define X(name, how, n, size, write) \
    XG_SIM_FAST_FN void xg_sim_fast_##name(const xg_sim_lanes *L, const xg_sim_ins *in) { \
        const xg_sim_fast f = xg_sim_fast_of(L, in, n, size, write); \
        xg_sim_fast_##how(&f); \
    }
XG_SIM_FAST_FNS(X)
#undef X

/* Where small code is asked for (-Os), rows of 4 bytes go the way of all others. */
#ifdef __OPTIMIZE_SIZE__
#define XG_SIM_FAST_ONE true
#else
#define XG_SIM_FAST_ONE false
#endif
/* The short way of a load or store; NULL: there is none. */
XG_FN xg_sim_fn xg_sim_fast_access(const xg_sim_ins *in) {
    const uint32_t space = in->imm2 & XG_SIM_M_SPACE, size = XG_SIM_FAST_SIZE;
    const bool wide = (in->imm2 & XG_SIM_M_WIDE) != 0, row = !XG_SIM_FAST_ONE && in->n == 1 && size == 4,
               write = in->kind == XG_SIM_K_ST;
    if (size != in->dbytes || !(in->n == 1 || in->n == 2 || in->n == 4) || size > 8 ||
        in->imm2 & (XG_SIM_M_FENCE | XG_SIM_M_STRONG))
        return NULL;
    if (space == XG_SIM_SHARED && in->a & 1) return !write && in->n == 1 && size >= 4 ? xg_sim_fast_load_one : NULL;
    if (in->a & 1) return NULL;
    if (space == XG_SIM_GLOBAL && wide)
        return row     ? (write ? xg_sim_fast_store_row : xg_sim_fast_load_row)
               : write ? xg_sim_fast_store
                       : xg_sim_fast_load;
    if (space == XG_SIM_SHARED && !wide)
        return row     ? (write ? xg_sim_fast_store_shared_row : xg_sim_fast_load_shared_row)
               : write ? xg_sim_fast_store_shared
                       : xg_sim_fast_load_shared;
    return NULL;
}

#undef XG_SIM_FAST_SHAPES
#undef XG_SIM_FAST_SIZE
#undef XG_SIM_FAST_ONE
#undef XG_SIM_FAST_FNS
#endif

#endif /* XG_SIM_FAST_C */
