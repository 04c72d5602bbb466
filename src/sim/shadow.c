/* sim/shadow.c -- who wrote and who read each word of memory: reads of what nobody has written, and data races.
 *
 * The idea. The time of a launch is cut into intervals. A block begins one when it starts, at every barrier that opens, and whenever
 * one of its warps executes a fence, an acquire or a release or finds a memory barrier's phase complete. No two blocks share an
 * interval, so its number says which launch, which block and which time between two barriers an access belongs to. Each 4-byte word has two tags,
 * of its last writer and its last reader: interval, warp, and which part of the word. Two accesses to a word, one of them a write that
 * changes it, race when
 *   - they are of two warps of a block in the same interval, or
 *   - they are of two blocks of a launch, and the later block has executed no fence so far.
 *
 * Laws
 * - No false alarm: where two tags would be needed (several readers, two halves of a word) the tag says "several" or "mixed", and a race that is
 *   only possible is not reported. The lanes of a warp count as ordered. Atomics and volatile, relaxed, acquire and release accesses never race.
 * - A worker draws intervals in batches, so that workers need not meet; a block that cannot go on without a gap is not looked at further.
 * - Numbers are 22 bits wide. When half of them are spent, the next launch that finds itself alone sweeps all tags.
 * - .global variables of modules have no shadow: they count as written, and races on them are not seen. */
#ifndef XG_SIM_SHADOW_C
#define XG_SIM_SHADOW_C
#include "worker.c"

/* A tag: interval << 9 | flags | part << 5 | warp. As a writer, 0 is nobody and OLD is the host. */
enum { XG_SIM_TAG_OLD = 1, XG_SIM_TAG_PART = 5, XG_SIM_TAG_SEVERAL = 1 << 7 /* warps of the block */, XG_SIM_TAG_FOREIGN = 1 << 8 /* also other blocks */, XG_SIM_TAG_INTERVAL = 9, XG_SIM_INTERVALS = 1 << 22 };
typedef enum xg_sim_wordpart { XG_SIM_PART_ALL, XG_SIM_PART_LOW, XG_SIM_PART_HIGH, XG_SIM_PART_MIXED } xg_sim_wordpart;
/* A byte of shared memory: nobody wrote it, somebody did, an asynchronous copy is about to; it is part of a memory barrier; it is written and a copy is about
 * to read it. */
typedef enum xg_sim_fresh { XG_SIM_UNWRITTEN, XG_SIM_WRITTEN, XG_SIM_PENDING, XG_SIM_MBARRIER, XG_SIM_LENT } xg_sim_fresh;

#if XG_SIM_ATOMICS
#define XG_SIM_COUNTER_ADD(p, n) __atomic_fetch_add(p, n, __ATOMIC_SEQ_CST)
#define XG_SIM_COUNTER_GET(p) __atomic_load_n(p, __ATOMIC_SEQ_CST)
#define XG_SIM_COUNTER_SET(p, x) __atomic_store_n(p, x, __ATOMIC_SEQ_CST)
XG_FN bool xg_sim_counter_swap(uint32_t *p, uint32_t from, uint32_t to) { return __atomic_compare_exchange_n(p, &from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); }
#else
#define XG_SIM_COUNTER_ADD(p, n) ((*(p) += (n)) - (n))
#define XG_SIM_COUNTER_GET(p) (*(p))
#define XG_SIM_COUNTER_SET(p, x) (*(p) = (x))
XG_FN bool xg_sim_counter_swap(uint32_t *p, uint32_t from, uint32_t to) { if (*p != from) return false; *p = to; return true; }
#endif

/* ---- launches and intervals ---- */

XG_FN void xg_sim_sweep(xg_sim_memory *m) {
    uint32_t i;
    for (i = 0; i < m->n; i++) {
        uint64_t words = m->p[i].bytes / 4 + 1, k;
        uint32_t *s = m->p[i].shadow;
        if (!s) continue;
        for (k = 0; k < words; k++) { s[k] = s[k] ? (uint32_t)XG_SIM_TAG_OLD : 0u; s[words + k] = 0; }
    }
}
XG_SIM_FN void xg_sim_begin(xg_sim_launch *l) {
    xg_sim_memory *m = l->memory;
    const uint32_t sweeping = 0xFFFFFFFFu;
    uint32_t n;
    l->first_interval = 0;
    if (!m || l->unchecked_races) return;
    for (;;) {
        n = XG_SIM_COUNTER_GET(&m->running);
        if (n == sweeping) continue;
        if (n || XG_SIM_COUNTER_GET(&m->interval) < XG_SIM_INTERVALS / 2) { if (xg_sim_counter_swap(&m->running, n, n + 1)) break; }
        else if (xg_sim_counter_swap(&m->running, 0, sweeping)) { xg_sim_sweep(m); XG_SIM_COUNTER_SET(&m->interval, 0); XG_SIM_COUNTER_SET(&m->running, 1); break; }
    }
    n = XG_SIM_COUNTER_ADD(&m->interval, 1);
    if (n < XG_SIM_INTERVALS - 1) l->first_interval = n + 1;
    else XG_SIM_COUNTER_SET(&m->interval, XG_SIM_INTERVALS);
}
XG_SIM_FN void xg_sim_end(xg_sim_launch *l) { if (l->memory && !l->unchecked_races) (void)XG_SIM_COUNTER_ADD(&l->memory->running, 0xFFFFFFFFu); }

/* A new batch; true when it follows the old one without a gap. */
XG_FN bool xg_sim_batch(xg_sim_worker *w) {
    uint32_t at = XG_SIM_COUNTER_GET(&w->l->memory->interval), end = w->last_interval;
    w->batch = w->batch ? XG_MIN(w->batch * 2, 65536u) : 64;
    if (at >= XG_SIM_INTERVALS - w->batch) { w->tracked = false; return false; } /* spent: the rest of the launch goes unseen */
    at = XG_SIM_COUNTER_ADD(&w->l->memory->interval, w->batch);
    w->last_interval = XG_MIN(at + w->batch, (uint32_t)XG_SIM_INTERVALS);
    if (at != end) w->next_interval = at;
    if (w->next_interval >= w->last_interval) w->tracked = false;
    return at == end;
}
XG_FN void xg_sim_interval_block(xg_sim_worker *w) { /* a block starts */
    w->fenced = false;
    w->tracked = w->l->first_interval != 0;
    if (!w->tracked) return;
    if (w->next_interval + 8 > w->last_interval) xg_sim_batch(w);
    if (w->tracked) w->block_tag = w->tag = w->next_interval++ << XG_SIM_TAG_INTERVAL;
}
XG_FN void xg_sim_interval_next(xg_sim_worker *w) {
    if (!w->tracked) return;
    if (w->next_interval >= w->last_interval && !xg_sim_batch(w)) { w->tracked = false; return; }
    if (w->tracked) w->tag = w->next_interval++ << XG_SIM_TAG_INTERVAL;
}
XG_FN void xg_sim_synchronised(xg_sim_worker *w) { w->fenced = true; xg_sim_interval_next(w); } /* a fence, an acquire, a release */

/* ---- what the host does ---- */

XG_SIM_FN void xg_sim_memory_written(xg_sim_memory *m, uint64_t to, uint64_t bytes, uint64_t from) {
    const xg_sim_buffer *d = xg_sim_memory_find(m, to), *s = from ? xg_sim_memory_find(m, from) : NULL;
    uint64_t first, last, k;
    if (!d || !d->shadow || !bytes) return;
    first = (to - d->base) / 4;
    last = XG_MIN(to - d->base + (bytes - 1), d->bytes - 1) / 4;
    if (s && s->shadow && to % 4 == from % 4) {
        const uint32_t *old = s->shadow + (from - s->base) / 4;
        uint64_t n = XG_MIN(last - first, (s->bytes - 1) / 4 - (from - s->base) / 4) + 1;
        for (k = 0; k < n; k++) { /* as memmove: they may overlap */
            uint64_t i = to > from ? n - 1 - k : k;
            d->shadow[first + i] = old[i] ? (uint32_t)XG_SIM_TAG_OLD : 0u;
        }
    } else for (k = first; k <= last; k++) d->shadow[k] = XG_SIM_TAG_OLD;
}

/* ---- words ---- */

typedef enum xg_sim_clashkind { XG_SIM_CLASH_NONE, XG_SIM_CLASH_UNWRITTEN, XG_SIM_CLASH_WRITE, XG_SIM_CLASH_READ } xg_sim_clashkind;
typedef struct xg_sim_clash { uint64_t at; uint32_t tag; xg_sim_clashkind kind; } xg_sim_clash; /* at: a byte; tag: the other access */
typedef struct xg_sim_marks { uint32_t *w, *r, floor; bool unwritten; } xg_sim_marks; /* r NULL: nobody may write here; floor: tags below do not matter any more; unwritten: a writer 0 is an error */

XG_FN bool xg_sim_overlap(uint32_t tag, xg_sim_wordpart part) {
    xg_sim_wordpart other = (xg_sim_wordpart)(tag >> XG_SIM_TAG_PART & 3);
    return other != XG_SIM_PART_MIXED && part != XG_SIM_PART_MIXED && (other == XG_SIM_PART_ALL || part == XG_SIM_PART_ALL || other == part);
}
/* Does an access of mine race with that of an earlier tag? */
XG_FN bool xg_sim_races(const xg_sim_worker *w, uint32_t floor, uint32_t tag, uint32_t mine, xg_sim_wordpart part) {
    if (tag < floor || !xg_sim_overlap(tag, part)) return false;
    if (tag < w->block_tag || tag >= w->tag + (1u << XG_SIM_TAG_INTERVAL) || tag & XG_SIM_TAG_FOREIGN) { if (!w->fenced) return true; if (!(tag & XG_SIM_TAG_FOREIGN)) return false; }
    return !((tag ^ w->tag) >> XG_SIM_TAG_INTERVAL) && ((tag & XG_SIM_TAG_SEVERAL) || ((tag ^ mine) & 31));
}
XG_FN uint32_t xg_sim_with_part(uint32_t tag, xg_sim_wordpart part) { return tag | (uint32_t)part << XG_SIM_TAG_PART; }
/* The reader's tag after one more read. */
XG_FN uint32_t xg_sim_read_tag(const xg_sim_worker *w, uint32_t floor, uint32_t tag, uint32_t mine, xg_sim_wordpart part) {
    xg_sim_wordpart old = (xg_sim_wordpart)(tag >> XG_SIM_TAG_PART & 3), both = old == part ? part : XG_SIM_PART_MIXED;
    bool foreign;
    if (tag < floor) return xg_sim_with_part(mine, part);
    foreign = tag < w->block_tag || tag >= w->tag + (1u << XG_SIM_TAG_INTERVAL) || tag & XG_SIM_TAG_FOREIGN;
    if (foreign) return xg_sim_with_part(mine | XG_SIM_TAG_FOREIGN, both) | (tag >= w->tag && !((tag ^ w->tag) >> XG_SIM_TAG_INTERVAL) && ((tag & XG_SIM_TAG_SEVERAL) || ((tag ^ mine) & 31)) ? (uint32_t)XG_SIM_TAG_SEVERAL : 0u);
    if (tag < w->tag) return xg_sim_with_part(mine, part);
    if ((tag & XG_SIM_TAG_SEVERAL) || ((tag ^ mine) & 31)) return xg_sim_with_part(mine | XG_SIM_TAG_SEVERAL, both);
    return xg_sim_with_part(mine, old == part || part == XG_SIM_PART_MIXED ? old : part == XG_SIM_PART_ALL || old == XG_SIM_PART_ALL || old + part == 3 ? XG_SIM_PART_ALL : part);
}
XG_FN uint32_t xg_sim_write_tag(const xg_sim_worker *w, uint32_t floor, uint32_t tag, uint32_t mine, xg_sim_wordpart part) {
    xg_sim_wordpart old = (xg_sim_wordpart)(tag >> XG_SIM_TAG_PART & 3);
    if (tag >= w->tag && !((tag ^ mine) & 31)) part = old == part ? part : old + part == 3 || part == XG_SIM_PART_ALL ? XG_SIM_PART_ALL : old;
    else if (tag >= floor && old != part && part != XG_SIM_PART_ALL) part = XG_SIM_PART_MIXED;
    return xg_sim_with_part(mine, part);
}

/* One word; false when it clashes, and then nothing is noted. */
XG_FN bool xg_sim_track_word(const xg_sim_worker *w, const xg_sim_marks *m, uint64_t k, uint32_t mine, xg_sim_wordpart part, bool write, xg_sim_clash *out) {
    uint32_t wt = m->w[k], rt = m->r ? m->r[k] : 0;
    out->at = k * 4 + (part == XG_SIM_PART_HIGH ? 2 : 0);
    if (!write && m->unwritten && !wt) { out->kind = XG_SIM_CLASH_UNWRITTEN; out->tag = 0; return false; }
    if (w->tracked) {
        if (xg_sim_races(w, m->floor, wt, mine, part)) { out->kind = XG_SIM_CLASH_WRITE; out->tag = wt; return false; }
        if (write && xg_sim_races(w, m->floor, rt, mine, part)) { out->kind = XG_SIM_CLASH_READ; out->tag = rt; return false; }
    }
    if (!write) { if (m->r && w->tracked) m->r[k] = xg_sim_read_tag(w, m->floor, rt, mine, part); }
    else m->w[k] = w->tracked ? xg_sim_write_tag(w, m->floor, wt, mine, part) : (uint32_t)XG_SIM_TAG_OLD;
    return true;
}

/* ---- runs of whole words, four at a time ---- */

#if XG_SIM_VECTORS
typedef int32_t xg_sim_mark4 __attribute__((vector_size(16), may_alias, aligned(4)));
/* Every tag of p[0..4n) lies in [least, below). Tags are positive. */
XG_FN bool xg_sim_tags_within(const uint32_t *p, size_t n, uint32_t least, uint32_t below) {
    const int32_t lo = (int32_t)least, hi = (int32_t)below;
    const xg_sim_mark4 l = {lo, lo, lo, lo}, h = {hi, hi, hi, hi};
    const xg_sim_mark4 *v = (const xg_sim_mark4 *)(const void *)p;
    xg_sim_mark4 bad = {0, 0, 0, 0};
    size_t i;
    for (i = 0; i < n; i++) bad |= (v[i] < l) | (v[i] >= h);
    return !(bad[0] | bad[1] | bad[2] | bad[3]);
}
XG_FN void xg_sim_tags_fill(uint32_t *p, size_t n, uint32_t tag) {
    const int32_t t = (int32_t)tag;
    const xg_sim_mark4 v = {t, t, t, t};
    xg_sim_mark4 *q = (xg_sim_mark4 *)(void *)p;
    size_t i;
    for (i = 0; i < n; i++) q[i] = v;
}
#else
XG_FN bool xg_sim_tags_within(const uint32_t *p, size_t n, uint32_t least, uint32_t below) { size_t i; for (i = 0; i < 4 * n; i++) if (p[i] < least || p[i] >= below) return false; return true; }
XG_FN void xg_sim_tags_fill(uint32_t *p, size_t n, uint32_t tag) { size_t i; for (i = 0; i < 4 * n; i++) p[i] = tag; }
#endif

/* 4n whole words at once, where their tags are all from before this launch, or their readers are all the same; false where they are not. */
XG_FN bool xg_sim_track_quads(const xg_sim_worker *w, const xg_sim_marks *m, uint64_t k, size_t n, uint32_t mine, bool write) {
    uint32_t old = w->tracked ? m->floor : 0x7FFFFFFFu, first;
    if (!xg_sim_tags_within(m->w + k, n, !write && m->unwritten, old)) return false;
    if (!w->tracked) { if (write) xg_sim_tags_fill(m->w + k, n, XG_SIM_TAG_OLD); return true; }
    if (!m->r) return !write;
    first = m->r[k];
    if (write) {
        if (!xg_sim_tags_within(m->r + k, n, 0, old)) return false;
        xg_sim_tags_fill(m->w + k, n, mine);
    } else if (first >= old && !xg_sim_tags_within(m->r + k, n, first, first + 1)) return false;
    else if (first < old && !xg_sim_tags_within(m->r + k, n, 0, old)) return false;
    else xg_sim_tags_fill(m->r + k, n, xg_sim_read_tag(w, m->floor, first, mine, XG_SIM_PART_ALL));
    return true;
}

/* The bytes [at, end) of a piece of memory are accessed by a warp; false at the first clash. */
XG_FN bool xg_sim_track(const xg_sim_worker *w, const xg_sim_marks *m, uint64_t at, uint64_t end, uint32_t warp, bool write, xg_sim_clash *out) {
    uint32_t mine = w->tag | warp;
    while (at < end) {
        uint64_t k = at / 4, stop = XG_MIN(end, k * 4 + 4);
        xg_sim_wordpart part = stop - at == 4 ? XG_SIM_PART_ALL : stop - at == 2 && !(at & 1) ? (at & 2 ? XG_SIM_PART_HIGH : XG_SIM_PART_LOW) : XG_SIM_PART_MIXED;
        if (part == XG_SIM_PART_ALL && end - at >= 16 && xg_sim_track_quads(w, m, k, (size_t)((end - at) / 16), mine, write)) { at += (end - at) / 16 * 16; continue; }
        do {
            if (!xg_sim_track_word(w, m, k, mine, part, write, out)) return false;
            at = stop; k++; stop = XG_MIN(end, at + 4);
        } while (part == XG_SIM_PART_ALL && stop - at == 4);
    }
    return true;
}

XG_FN void xg_sim_clash_fault(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane, const xg_sim_clash *k, const char *what, bool write) {
    const char *verb = write ? "write" : "read", *other = k->kind == XG_SIM_CLASH_WRITE ? "write" : "read";
    unsigned long long at = (unsigned long long)k->at;
    if (k->kind == XG_SIM_CLASH_UNWRITTEN) xg_sim_fault(w, v, in, lane, "read of %s at offset %llu, which nobody has written", what, at);
    else if (k->tag < w->block_tag || k->tag >= w->tag + (1u << XG_SIM_TAG_INTERVAL) || (k->tag & XG_SIM_TAG_FOREIGN))
        xg_sim_fault(w, v, in, lane, "data race on %s at offset %llu: this %s and a %s by another block of the launch; blocks run in any order", what, at, verb, other);
    else if (k->tag & XG_SIM_TAG_SEVERAL) xg_sim_fault(w, v, in, lane, "data race on %s at offset %llu: this %s by warp %u and %ss by other warps of the block, with no barrier between them", what, at, verb, v->id, other);
    else xg_sim_fault(w, v, in, lane, "data race on %s at offset %llu: this %s by warp %u and a %s by warp %u of the same block, with no barrier between them", what, at, verb, v->id, other, k->tag & 31);
}

#endif /* XG_SIM_SHADOW_C */
