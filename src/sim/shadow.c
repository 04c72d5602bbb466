/* sim/shadow.c -- which warp wrote and which read each word of memory: reads of what was never written, and data races.
 *
 * The idea. The time of a launch is cut into intervals. A block begins one when it starts, at every barrier that opens,
 * and whenever one of its warps executes a fence, an acquire or a release or finds a memory barrier's phase complete.
 * No two blocks share an interval, so its number says which launch, which block and which time between two barriers an
 * access belongs to. Each 4-byte word has two tags, of its last writer and its last reader: interval, warp, and which
 * part of the word. In global memory lines of 64 bytes that one access covers share their words' tags. Two accesses to
 * a word, one of them a write that
 * changes it, race when
 *   - they are of two warps of a block in the same interval, or
 *   - they are of two blocks of a launch, and the later block has executed no fence so far.
 *
 * Laws
 * - No false alarm: where two tags would be needed (several readers, two halves of a word) the tag says "several" or
 *   "mixed", and a race that is only possible is not reported. The lanes of a warp count as ordered. Atomics and
 *   volatile, relaxed, acquire and release accesses never race.
 * - A worker draws intervals in batches, so that workers need not meet; a block that cannot go on without a gap is not
 *   looked at further.
 * - Numbers are 22 bits wide. When half of them are spent, the next launch that finds itself alone sweeps all tags. */
#ifndef XG_SIM_SHADOW_C
#define XG_SIM_SHADOW_C
#include "classes.c"

/* A tag: interval << 9 | flags | part << 5 | warp. As a writer, 0 is none and OLD is the host. */
enum {
    XG_SIM_TAG_OLD = 1,
    XG_SIM_TAG_PART = 5,
    XG_SIM_TAG_SEVERAL = 1 << 7 /* warps of the block */,
    XG_SIM_TAG_FOREIGN = 1 << 8 /* also other blocks */,
    XG_SIM_TAG_INTERVAL = 9,
    XG_SIM_INTERVALS = 1 << 22
};
typedef enum xg_sim_wordpart {
    XG_SIM_PART_ALL,
    XG_SIM_PART_LOW,
    XG_SIM_PART_HIGH,
    XG_SIM_PART_MIXED
} xg_sim_wordpart;
/* A byte of shared memory: it was never written, it was, a bulk copy is about to; it is part of a memory barrier; it
 * is written and a copy is about to read it; a thread's cp.async has been issued (copies.c). */
typedef enum xg_sim_fresh {
    XG_SIM_UNWRITTEN,
    XG_SIM_WRITTEN,
    XG_SIM_PENDING,
    XG_SIM_MBARRIER,
    XG_SIM_LENT,
    XG_SIM_COPYING,
    XG_SIM_COPIED /* only as an answer of copies.c */
} xg_sim_fresh;
/* With the tag of a writer of a word of shared memory: its bytes have states of their own. Without it all are written
 * or, where the tag is from before the block, none is. Such a tag is larger than all others, so that whoever looks at
 * many at once looks closer. */
#define XG_SIM_TAG_BYTES 0x80000000u

#if XG_SIM_ATOMICS
#define XG_SIM_COUNTER_ADD(p, n) __atomic_fetch_add(p, n, __ATOMIC_SEQ_CST)
#define XG_SIM_COUNTER_GET(p) __atomic_load_n(p, __ATOMIC_SEQ_CST)
#define XG_SIM_COUNTER_SET(p, x) __atomic_store_n(p, x, __ATOMIC_SEQ_CST)
XG_FN bool xg_sim_counter_swap(uint32_t *p, uint32_t from, uint32_t to) {
    return __atomic_compare_exchange_n(p, &from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
#else
#define XG_SIM_COUNTER_ADD(p, n) ((*(p) += (n)) - (n))
#define XG_SIM_COUNTER_GET(p) (*(p))
#define XG_SIM_COUNTER_SET(p, x) (*(p) = (x))
XG_FN bool xg_sim_counter_swap(uint32_t *p, uint32_t from, uint32_t to) {
    if (*p != from) return false;
    *p = to;
    return true;
}
#endif

/* Workers look at lines and words of one buffer at once. One of them splits a line, the others wait: whoever sees it
 * split sees its words filled in, and nothing fills them in again over what has been noted since. */
#if XG_SIM_ATOMICS
#define XG_SIM_LINE_GET(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define XG_SIM_LINE_SET(p, x) __atomic_store_n(p, x, __ATOMIC_RELEASE)
#else
#define XG_SIM_LINE_GET(p) (*(p))
#define XG_SIM_LINE_SET(p, x) (*(p) = (x))
#endif
enum {
    XG_SIM_LINE_WORDS = 16
};
#define XG_SIM_SPLIT_LINE 0xFFFFFFFFu /* the tag of a line whose words have their own */
#define XG_SIM_BUSY_LINE 0xFFFFFFFEu  /* ... are just being given theirs */

/* The parts of a buffer's shadow. The tags of a line stand side by side: line_w[2 * line] and line_r[2 * line]. */
typedef struct xg_sim_tags {
    uint32_t *line_w, *line_r, *w, *r;
} xg_sim_tags;
XG_FN xg_sim_tags xg_sim_tags_of(const xg_sim_buffer *b) {
    const uintptr_t at = (uintptr_t)b->shadow, line = (uintptr_t)xg_sim_shadow_lines(b) * sizeof *b->shadow;
    xg_sim_tags t; /* by numbers: a buffer may have no shadow, and nothing is added to NULL */
    t.line_w = b->shadow;
    t.line_r = (uint32_t *)(at + sizeof *b->shadow);
    t.w = (uint32_t *)(at + 2 * line);
    t.r = (uint32_t *)(at + (2 + XG_SIM_LINE_WORDS) * line);
    return t;
}
XG_RACY XG_FN uint32_t xg_sim_line_tag(const uint32_t *line) {
    uint32_t t;
    do t = XG_SIM_LINE_GET(line);
    while (t == XG_SIM_BUSY_LINE);
    return t;
}
XG_RACY XG_FN uint32_t xg_sim_tag_at(const uint32_t *lines, const uint32_t *words, uint64_t k) {
    uint32_t t = xg_sim_line_tag(&lines[2 * (k / XG_SIM_LINE_WORDS)]);
    return t == XG_SIM_SPLIT_LINE ? words[k] : t;
}
XG_RACY XG_FN void xg_sim_split(uint32_t *lines, uint32_t *words, uint64_t line) {
    uint32_t *tag = &lines[2 * line], t, i;
    do {
        t = xg_sim_line_tag(tag);
        if (t == XG_SIM_SPLIT_LINE) return;
    } while (!xg_sim_counter_swap(tag, t, XG_SIM_BUSY_LINE));
    for (i = 0; i < XG_SIM_LINE_WORDS; i++) words[line * XG_SIM_LINE_WORDS + i] = t;
    XG_SIM_LINE_SET(tag, XG_SIM_SPLIT_LINE);
}

/* ---- launches and intervals ---- */

XG_FN void xg_sim_sweep(const xg_sim_memory *m) {
    uint32_t i, k;
    for (i = 0; i < m->n; i++) {
        uint64_t lines = xg_sim_shadow_lines(&m->p[i]), l;
        xg_sim_tags t = xg_sim_tags_of(&m->p[i]);
        if (m->p[i].shadow) memset(xg_sim_shadow_launches(&m->p[i]), 0, 8);
        for (l = 0; m->p[i].shadow && l < lines; l++) {
            uint32_t *w = t.w + l * XG_SIM_LINE_WORDS;
            if (t.line_w[2 * l] != XG_SIM_SPLIT_LINE)
                t.line_w[2 * l] = t.line_w[2 * l] ? (uint32_t)XG_SIM_TAG_OLD : 0u;
            else
                for (k = 0; k < XG_SIM_LINE_WORDS; k++) w[k] = w[k] ? (uint32_t)XG_SIM_TAG_OLD : 0u;
            t.line_r[2 * l] = 0;
        }
    }
}
/* Once for each sweep of the memory: no launch is under way then that has not been here. */
XG_FN void xg_sim_sweep_globals(const xg_sim_module *m, uint32_t sweeps) {
    const uint32_t busy = 0xFFFFFFFFu;
    uint32_t s;
    while ((s = XG_SIM_COUNTER_GET(m->swept)) != sweeps) {
        if (s == busy || !xg_sim_counter_swap(m->swept, s, busy)) continue;
        xg_sim_sweep(&m->globals);
        XG_SIM_COUNTER_SET(m->swept, sweeps);
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
        if (n || XG_SIM_COUNTER_GET(&m->interval) < XG_SIM_INTERVALS / 2) {
            if (xg_sim_counter_swap(&m->running, n, n + 1)) break;
        } else if (xg_sim_counter_swap(&m->running, 0, sweeping)) {
            xg_sim_sweep(m);
            m->sweeps++;
            XG_SIM_COUNTER_SET(&m->interval, 0);
            XG_SIM_COUNTER_SET(&m->running, 1);
            break;
        }
    }
    xg_sim_sweep_globals(l->module, m->sweeps);
    n = XG_SIM_COUNTER_ADD(&m->interval, 1);
    if (n < XG_SIM_INTERVALS - 1)
        l->first_interval = n + 1;
    else
        XG_SIM_COUNTER_SET(&m->interval, XG_SIM_INTERVALS);
}
XG_SIM_FN void xg_sim_end(xg_sim_launch *l) {
    if (l->memory && !l->unchecked_races) (void)XG_SIM_COUNTER_ADD(&l->memory->running, 0xFFFFFFFFu);
}

/* A new batch; true when it follows the old one without a gap. */
XG_FN bool xg_sim_batch(xg_sim_worker *w) {
    uint32_t at = XG_SIM_COUNTER_GET(&w->l->memory->interval), end = w->last_interval;
    w->batch = w->batch ? XG_MIN(w->batch * 2, 65536u) : 64;
    /* spent: the rest of the launch goes unseen */
    if (at >= XG_SIM_INTERVALS - w->batch) {
        w->tracked = false;
        return false;
    }
    at = XG_SIM_COUNTER_ADD(&w->l->memory->interval, w->batch);
    w->last_interval = XG_MIN(at + w->batch, (uint32_t)XG_SIM_INTERVALS);
    if (at != end) w->next_interval = at;
    if (w->next_interval >= w->last_interval) w->tracked = false;
    return at == end;
}
/* Shared memory is each worker's own, and so is its time. When its numbers are spent, all that is known is that words
 * are written. */
XG_FN void xg_sim_shared_next(xg_sim_worker *w) {
    uint32_t words = w->l->shared_bytes / 4 + 1, k;
    if (!w->l->shared_bytes) return;
    w->n_reads = w->n_rows = w->n_mapped = 0; /* what was read before the barrier races with nothing after it */
    w->readers = false;
    w->shared_met = w->shared_tag += 1u << XG_SIM_TAG_INTERVAL;
    if (w->shared_tag < (uint32_t)(XG_SIM_INTERVALS - 2) << XG_SIM_TAG_INTERVAL) return;
    for (k = 0; k < words; k++) {
        uint32_t tag = w->marks[k] & ~XG_SIM_TAG_BYTES;
        w->marks[k] = tag < w->shared_block ? 0u : (1u << XG_SIM_TAG_INTERVAL) | (w->marks[k] & XG_SIM_TAG_BYTES);
        w->marks[words + k] = 0;
    }
    w->shared_block = 1u << XG_SIM_TAG_INTERVAL;
    w->shared_met = w->shared_tag = 2u << XG_SIM_TAG_INTERVAL;
    w->proxy_all = w->shared_tag; /* nothing is known of what was written before */
    for (k = 0; k < w->l->warps; k++) w->warps[k].proxy_own = 0;
    for (k = 0; w->copy_threads && k < w->l->warps * XG_SIM_WARP; k++) w->copy_threads[k].waited = 0;
}
XG_FN void xg_sim_interval_block(xg_sim_worker *w) { /* a block starts */
    xg_sim_shared_next(w);
    w->shared_block = w->shared_tag;
    w->fences = w->watches = false;
    w->proxy_all = w->global_seen = w->maps_seen = 0;
    w->tracked = w->l->first_interval != 0 && !w->watch.running;
    if (!w->tracked) return;
    if (w->next_interval + 8 > w->last_interval) xg_sim_batch(w);
    if (w->tracked) w->block_tag = w->tag = w->next_interval++ << XG_SIM_TAG_INTERVAL;
}
XG_FN void xg_sim_interval_next(xg_sim_worker *w) {
    xg_sim_shared_next(w);
    if (!w->tracked) return;
    if (w->next_interval >= w->last_interval && !xg_sim_batch(w)) {
        w->tracked = false;
        return;
    }
    if (w->tracked) w->tag = w->next_interval++ << XG_SIM_TAG_INTERVAL;
}
/* A barrier of the cluster, the end of a phase: other blocks' accesses before it are ordered. */
XG_FN void xg_sim_synchronised(xg_sim_worker *w) {
    w->fences = w->watches = true;
    xg_sim_interval_next(w);
}
/* A fence, an acquire, a release. Those of scope .cta do not order what other blocks do. */
XG_FN void xg_sim_fence(xg_sim_worker *w, bool narrow) {
    w->fences = w->fences || !narrow;
    xg_sim_interval_next(w);
}
/* fence.proxy.async: copies and multiplications that begin later see what its warp wrote so far, and what others wrote
 * before the block's warps last met. */
XG_APART XG_FN void xg_sim_fence_proxy(xg_sim_worker *w, xg_sim_warp *v) {
    const uint32_t met = w->shared_met;
    xg_sim_shared_next(w);
    w->shared_met = met;
    w->proxy_all = XG_MAX(w->proxy_all, met);
    v->proxy_own = w->shared_tag;
}
/* The word of shared memory whose first writer's tag is given can be seen by an asynchronous copy. */
XG_FN bool xg_sim_proxy_sees(const xg_sim_worker *w, uint32_t tag) {
    const uint32_t settled = w->shared_block | (uint32_t)XG_SIM_PART_MIXED << XG_SIM_TAG_PART;
    tag &= ~XG_SIM_TAG_BYTES;
    return tag < w->proxy_all || tag < w->warps[tag & 31].proxy_own || tag == settled;
}

/* ---- what the host does ---- */

/* The writers of words [k, k + n) of one line of d become those of s from `from` on, or the host when s is NULL. */
XG_RACY XG_FN void xg_sim_written_words(
    const xg_sim_buffer *d, uint64_t k, uint32_t n, const xg_sim_buffer *s, uint64_t from) {
    xg_sim_tags to = xg_sim_tags_of(d), old;
    uint32_t tags[XG_SIM_LINE_WORDS], i, same = 0;
    memset(&old, 0, sizeof old);
    if (s) old = xg_sim_tags_of(s);
    for (i = 0; i < n; i++) {
        tags[i] = !s || xg_sim_tag_at(old.line_w, old.w, from + i) ? (uint32_t)XG_SIM_TAG_OLD : 0u;
        same += tags[i] == tags[0];
    }
    if (n == XG_SIM_LINE_WORDS && same == n) {
        to.line_w[2 * (k / XG_SIM_LINE_WORDS)] = tags[0];
        return;
    }
    xg_sim_split(to.line_w, to.w, k / XG_SIM_LINE_WORDS);
    for (i = 0; i < n; i++) to.w[k + i] = tags[i];
}
XG_SIM_FN void xg_sim_memory_written(xg_sim_memory *m, uint64_t to, uint64_t bytes, uint64_t from) {
    const xg_sim_buffer *d = xg_sim_memory_find(m, to), *s = from ? xg_sim_memory_find(m, from) : NULL;
    uint64_t first, last, line, source = 0;
    if (!d || !d->shadow || !bytes) return;
    first = (to - d->base) / 4;
    last = XG_MIN(to - d->base + (bytes - 1), d->bytes - 1) / 4;
    if (!s || !s->shadow || to % 4 != from % 4)
        s = NULL;
    else {
        source = (from - s->base) / 4;
        last = XG_MIN(last, first + (s->bytes - 1) / 4 - source);
    }
    for (line = 0; line <= last / XG_SIM_LINE_WORDS - first / XG_SIM_LINE_WORDS;
         line++) { /* as memmove: they may overlap */
        uint64_t l = s && to > from ? last / XG_SIM_LINE_WORDS - line : first / XG_SIM_LINE_WORDS + line;
        uint64_t k = XG_MAX(first, l * XG_SIM_LINE_WORDS),
                 end = XG_MIN(last, l * XG_SIM_LINE_WORDS + XG_SIM_LINE_WORDS - 1);
        if (!s && end - k == XG_SIM_LINE_WORDS - 1)
            d->shadow[2 * l] = XG_SIM_TAG_OLD;
        else
            xg_sim_written_words(d, k, (uint32_t)(end - k + 1), s, source + (k - first));
    }
}

/* ---- words ---- */

typedef enum xg_sim_clashkind {
    XG_SIM_CLASH_NONE,
    XG_SIM_CLASH_UNWRITTEN,
    XG_SIM_CLASH_WRITE,
    XG_SIM_CLASH_READ
} xg_sim_clashkind;
typedef struct xg_sim_clash {
    uint64_t at;
    uint32_t tag;
    xg_sim_clashkind kind;
} xg_sim_clash; /* at: a byte; tag: the other access */
/* A piece of memory with the tags of its lines' and words' writers and readers (r NULL: this is not written). Tags
 * below floor do not matter any more; the block's are from block on, the interval's from tag on (0: time stands still).
 * A word whose writer is below least counts as unwritten when it is read. */
typedef struct xg_sim_marks {
    uint32_t *w, *r, *line_w /* NULL: there are no lines */, *line_r, floor, block, tag, least;
    bool races, fenced;
    bool constant, read_only; /* orders.c: a read-only load; a write to what the launch has read by such loads alone */
} xg_sim_marks;

XG_FN bool xg_sim_overlap(uint32_t tag, xg_sim_wordpart part) {
    xg_sim_wordpart other = (xg_sim_wordpart)(tag >> XG_SIM_TAG_PART & 3);
    return other != XG_SIM_PART_MIXED && part != XG_SIM_PART_MIXED &&
           (other == XG_SIM_PART_ALL || part == XG_SIM_PART_ALL || other == part);
}
/* Does an access of mine race with that of an earlier tag? */
XG_FN bool xg_sim_races(const xg_sim_marks *m, uint32_t tag, uint32_t mine, xg_sim_wordpart part) {
    if (tag < m->floor || !xg_sim_overlap(tag, part)) return false;
    if (tag < m->block || tag >= m->tag + (1u << XG_SIM_TAG_INTERVAL) || tag & XG_SIM_TAG_FOREIGN) {
        if (!m->fenced) return true;
        if (!(tag & XG_SIM_TAG_FOREIGN)) return false;
    }
    return !((tag ^ m->tag) >> XG_SIM_TAG_INTERVAL) && ((tag & XG_SIM_TAG_SEVERAL) || ((tag ^ mine) & 31));
}
XG_FN uint32_t xg_sim_with_part(uint32_t tag, xg_sim_wordpart part) { return tag | (uint32_t)part << XG_SIM_TAG_PART; }
/* The reader's tag after one more read. */
XG_FN uint32_t xg_sim_read_tag(const xg_sim_marks *m, uint32_t tag, uint32_t mine, xg_sim_wordpart part) {
    xg_sim_wordpart old = (xg_sim_wordpart)(tag >> XG_SIM_TAG_PART & 3), both = old == part ? part : XG_SIM_PART_MIXED;
    bool foreign;
    if (tag < m->floor) return xg_sim_with_part(mine, part);
    foreign = tag < m->block || tag >= m->tag + (1u << XG_SIM_TAG_INTERVAL) || tag & XG_SIM_TAG_FOREIGN;
    if (foreign)
        return xg_sim_with_part(mine | XG_SIM_TAG_FOREIGN, both) |
               (tag >= m->tag && !((tag ^ m->tag) >> XG_SIM_TAG_INTERVAL) &&
                           ((tag & XG_SIM_TAG_SEVERAL) || ((tag ^ mine) & 31))
                       ? (uint32_t)XG_SIM_TAG_SEVERAL
                       : 0u);
    if (tag < m->tag) return xg_sim_with_part(mine, part);
    if ((tag & XG_SIM_TAG_SEVERAL) || ((tag ^ mine) & 31))
        return xg_sim_with_part(m->tag | 31 | XG_SIM_TAG_SEVERAL, both); /* whoever reads next makes the same of it */
    return xg_sim_with_part(mine, old == part || part == XG_SIM_PART_MIXED ? old
                                  : part == XG_SIM_PART_ALL || old == XG_SIM_PART_ALL || old + part == 3
                                      ? XG_SIM_PART_ALL
                                      : part);
}
XG_FN uint32_t xg_sim_write_tag(const xg_sim_marks *m, uint32_t tag, uint32_t mine, xg_sim_wordpart part) {
    xg_sim_wordpart old = (xg_sim_wordpart)(tag >> XG_SIM_TAG_PART & 3);
    if (tag >= m->tag && !((tag ^ mine) & 31))
        part = old == part ? part : old + part == 3 || part == XG_SIM_PART_ALL ? XG_SIM_PART_ALL : old;
    else if (tag >= m->floor && old != part && part != XG_SIM_PART_ALL)
        part = XG_SIM_PART_MIXED;
    return xg_sim_with_part(mine, part);
}

/* One word; false when it clashes, and then nothing is noted. */
XG_RACY XG_FN bool xg_sim_track_word(
    const xg_sim_marks *m, uint64_t k, uint32_t mine, xg_sim_wordpart part, bool write, xg_sim_clash *out) {
    uint32_t bytes = m->line_w ? 0 : m->w[k] & XG_SIM_TAG_BYTES, wt = m->w[k] & ~bytes, rt = m->r ? m->r[k] : 0;
    out->at = k * 4 + (part == XG_SIM_PART_HIGH ? 2 : 0);
    if (!write && wt < m->least) {
        out->kind = XG_SIM_CLASH_UNWRITTEN;
        out->tag = 0;
        return false;
    }
    if (m->races) {
        if (xg_sim_races(m, wt, mine, part)) {
            out->kind = XG_SIM_CLASH_WRITE;
            out->tag = wt;
            return false;
        }
        /* whatever part was read, a write of the word hits it */
        if (write && xg_sim_races(m, part == XG_SIM_PART_ALL ? rt & ~(3u << XG_SIM_TAG_PART) : rt, mine, part)) {
            out->kind = XG_SIM_CLASH_READ;
            out->tag = rt;
            return false;
        }
    }
    if (!write) {
        if (m->r && m->races) m->r[k] = xg_sim_read_tag(m, rt, mine, part);
    } else
        m->w[k] = m->tag ? xg_sim_write_tag(m, wt, mine, part) | bytes
                         : (uint32_t)XG_SIM_TAG_OLD; /* bytes: whoever wrote all of them has taken it away */
    return true;
}

/* ---- whole words, many at once ---- */

/* A tag that no access of mine races with: of the block's earlier intervals, or my own. */
XG_ONE_COPY XG_INLINE_FAST bool xg_sim_tag_mine(const xg_sim_marks *m, uint32_t tag, uint32_t mine) {
    return (tag - m->block < m->tag - m->block && !(tag & XG_SIM_TAG_FOREIGN)) || tag == mine;
}
/* The tags p[0..n) all from before the launch, from the block's past, or mine: nothing to race with. Tags of writers
 * are never FOREIGN, nor are any of shared memory. */
XG_RACY XG_FN bool xg_sim_tags_calm(const xg_sim_moves *v, const xg_sim_marks *m, const uint32_t *p, size_t n,
    uint32_t least, uint32_t mine, bool foreign) {
    uint32_t first = p[0];
    if (first < m->floor) return least < m->floor && v->within(p, n, least, m->floor);
    if (first == mine || foreign) return xg_sim_tag_mine(m, first, mine) && v->within(p, n, first, first + 1);
    return v->within(p, n, m->block, m->races ? m->tag : 0x7FFFFFFFu);
}
/* n whole words side by side, a multiple of 4; false when one of them needs a closer look, and then nothing is
 * noted. */
XG_RACY XG_FN bool xg_sim_track_quads(
    const xg_sim_moves *v, const xg_sim_marks *m, uint64_t k, size_t n, uint32_t mine, bool write) {
    uint32_t first = m->r ? m->r[k] : 0, *w = m->w + k, *r = m->r ? m->r + k : NULL;
    bool foreign = m->floor != m->block;
    if (!m->tag) {
        if (!write) return v->within(w, n, m->least, 0x7FFFFFFFu);
        v->fill(w, n, XG_SIM_TAG_OLD);
        return true;
    }
    if (!xg_sim_tags_calm(v, m, w, n, write ? 0 : m->least, mine, false)) return false;
    if (!m->r) return !write;
    if (write) {
        if (m->races && !xg_sim_tags_calm(v, m, r, n, 0, mine, foreign)) return false;
        v->fill(w, n, mine);
    } else if (!m->races)
        return true;
    else if (first < m->floor ? v->within(r, n, 0, m->floor) : !foreign && first < m->tag && v->within(r, n, 0, m->tag))
        v->fill(r, n, mine);
    else if (v->within(r, n, first, first + 1)) {
        if (first != mine) v->fill(r, n, xg_sim_read_tag(m, first, mine, XG_SIM_PART_ALL));
    } else
        return false;
    return true;
}
/* n whole words, few, from k on; the same promise. */
XG_RACY XG_FN bool xg_sim_track_few(const xg_sim_marks *m, uint64_t k, size_t n, uint32_t mine, bool write) {
    size_t i;
    if (!m->tag || !m->races || !m->r) return false;
    for (i = 0; i < n; i++) {
        const uint32_t wt = m->w[k + i], rt = m->r[k + i];
        if (!(wt < m->floor || xg_sim_tag_mine(m, wt, mine)) || (!write && wt < m->least) ||
            (write && !(rt < m->floor || xg_sim_tag_mine(m, rt, mine))))
            return false;
    }
    for (i = 0; i < n; i++)
        if (write)
            m->w[k + i] = mine;
        else
            m->r[k + i] = xg_sim_read_tag(m, m->r[k + i], mine, XG_SIM_PART_ALL);
    return true;
}
/* A line; the same promise. Words that become all alike are a line again. */
XG_RACY XG_FN bool xg_sim_track_line(
    const xg_sim_moves *v, const xg_sim_marks *m, uint64_t line, uint32_t mine, bool write) {
    uint64_t k = line * XG_SIM_LINE_WORDS;
    uint32_t wt = xg_sim_line_tag(&m->line_w[2 * line]), rt = m->r ? xg_sim_line_tag(&m->line_r[2 * line]) : 0, next;
    if ((m->constant && wt >= m->floor) || (m->read_only && rt >= m->floor)) return false;
    if (wt == XG_SIM_SPLIT_LINE || rt == XG_SIM_SPLIT_LINE) {
        xg_sim_split(m->line_w, m->w, line);
        if (m->r) xg_sim_split(m->line_r, m->r, line);
        if (!xg_sim_track_quads(v, m, k, XG_SIM_LINE_WORDS, mine, write)) return false;
        if (write)
            XG_SIM_LINE_SET(&m->line_w[2 * line], m->w[k]);
        else if (m->r && m->races && m->tag)
            XG_SIM_LINE_SET(&m->line_r[2 * line], m->r[k]);
        return true;
    }
    if (!m->tag) {
        if (write) XG_SIM_LINE_SET(&m->line_w[2 * line], (uint32_t)XG_SIM_TAG_OLD);
        return write || wt >= m->least;
    }
    if (!(wt < m->floor || xg_sim_tag_mine(m, wt, mine)) || (!write && wt < m->least)) return false;
    if (!m->r) return !write;
    if (write) {
        if (m->races && !(rt < m->floor || xg_sim_tag_mine(m, rt, mine))) return false;
        if (wt != mine) XG_SIM_LINE_SET(&m->line_w[2 * line], mine);
    } else if (m->races) {
        next = xg_sim_read_tag(m, rt, mine, XG_SIM_PART_ALL);
        if (next != rt) XG_SIM_LINE_SET(&m->line_r[2 * line], next);
    }
    return true;
}

/* The words of 32 lanes, `off` bytes into the piece; the same promise. */
XG_RACY XG_FN void xg_sim_tags_put(uint32_t *tags, const uint32_t *off, uint32_t tag) {
    uint32_t i;
    for (i = 0; i < XG_SIM_WARP; i++) tags[off[i] / 4] = tag;
}
XG_RACY XG_FN bool xg_sim_track_lanes(
    const xg_sim_moves *v, const xg_sim_marks *m, const uint32_t *off, uint32_t mine, bool write) {
    uint32_t t[XG_SIM_WARP], i, next, line = XG_SIM_NOREG;
    bool foreign = m->floor != m->block;
    if (!m->tag || !m->races || !m->r) return false;
    for (i = 0; i < XG_SIM_WARP && m->line_w; i++) {
        if (off[i] / 64 == line) continue;
        line = off[i] / 64;
        xg_sim_split(m->line_w, m->w, line);
        xg_sim_split(m->line_r, m->r, line);
    }
    v->gather((char *)t, (const char *)m->w, off);
    if (!xg_sim_tags_calm(v, m, t, XG_SIM_WARP, write ? 0 : m->least, mine, false)) return false;
    if (m->constant && !v->within(t, XG_SIM_WARP, 0, m->floor)) return false;
    v->gather((char *)t, (const char *)m->r, off);
    if (m->read_only && !v->within(t, XG_SIM_WARP, 0, m->floor)) return false;
    if (write) {
        if (!xg_sim_tags_calm(v, m, t, XG_SIM_WARP, 0, mine, foreign)) return false;
        xg_sim_tags_put(m->w, off, mine);
    } else if (v->within(t, XG_SIM_WARP, 0, foreign ? m->floor : m->tag))
        xg_sim_tags_put(m->r, off, mine);
    else if (v->within(t, XG_SIM_WARP, t[0], t[0] + 1)) {
        next = xg_sim_read_tag(m, t[0], mine, XG_SIM_PART_ALL);
        if (next != t[0]) xg_sim_tags_put(m->r, off, next);
    } else
        for (i = 0; i < XG_SIM_WARP; i++) m->r[off[i] / 4] = xg_sim_read_tag(m, t[i], mine, XG_SIM_PART_ALL);
    return true;
}

/* A read of 16 bytes by each of 32 lanes, the same promise: what nothing has written in the launch, and nothing has
 * read in it either or one access has, of this block or another. */
XG_APART XG_RACY XG_FN bool xg_sim_track_tiles(
    const xg_sim_moves *v, const xg_sim_marks *m, const uint32_t *off, uint32_t mine) {
    const uint32_t first = m->r ? xg_sim_tag_at(m->line_r, m->r, off[0] / 4) : 0;
    uint32_t i, k, next = xg_sim_with_part(mine, XG_SIM_PART_ALL), line = XG_SIM_NOREG;
    if (!m->tag || !m->races || !m->r) return false;
    for (i = 0; i < XG_SIM_WARP; i++) {
        if (off[i] / 64 == line) continue;
        line = off[i] / 64;
        xg_sim_split(m->line_w, m->w, line);
        xg_sim_split(m->line_r, m->r, line);
    }
    if (!v->rows_within(m->w, off, m->least, m->floor)) return false;
    if (first >= m->floor) {
        if (!v->rows_within(m->r, off, first, first + 1)) return false;
        next = xg_sim_read_tag(m, first, mine, XG_SIM_PART_ALL);
        if (next == first) return true;
    } else if (!v->rows_within(m->r, off, 0, m->floor))
        return false;
    for (i = 0; i < XG_SIM_WARP; i++)
        for (k = 0; k < 4; k++) m->r[off[i] / 4 + k] = next;
    return true;
}

/* ---- shared memory ---- */

XG_FN xg_sim_marks xg_sim_marks_here(const xg_sim_worker *w) {
    xg_sim_marks m;
    m.line_w = m.line_r = NULL;
    m.w = w->marks;
    m.r = w->marks + w->l->shared_bytes / 4 + 1;
    m.floor = m.block = w->shared_block; /* what earlier blocks left here is gone */
    m.tag = w->shared_tag;
    m.least = w->l->unchecked_shared ? 0 : m.block;
    m.races = !w->l->unchecked_races;
    m.fenced = m.constant = m.read_only = false;
    return m;
}
/* The readers' tags of n words side by side, a multiple of 4, after one more read. */
XG_FN void xg_sim_note_words(const xg_sim_worker *w, const xg_sim_marks *m, uint64_t k, uint32_t n, uint32_t mine) {
    uint32_t i;
    if (xg_sim_track_quads(w->m->moves, m, k, n, mine, false)) return;
    for (i = 0; i < n; i++) m->r[k + i] = xg_sim_read_tag(m, m->r[k + i], mine, XG_SIM_PART_ALL);
}
/* The same of 32 single or pairs of bytes. Single ones are kept as their words: mostly the warp has read others of
 * them before. */
XG_FN void xg_sim_note_parts(
    const xg_sim_moves *v, const xg_sim_marks *m, const uint32_t *off, uint32_t bytes, uint32_t mine) {
    const uint32_t mixed = xg_sim_with_part(mine, XG_SIM_PART_MIXED),
                   several = xg_sim_with_part(m->tag | 31 | XG_SIM_TAG_SEVERAL, XG_SIM_PART_MIXED);
    uint32_t t[XG_SIM_WARP], i;
    if (bytes == 1) {
        v->gather((char *)t, (const char *)m->r, off);
        if (v->within(t, XG_SIM_WARP, 0, m->tag))
            xg_sim_tags_put(m->r, off, mixed);
        else
            for (i = 0; i < XG_SIM_WARP; i++)
                if (t[i] != mixed && t[i] != several)
                    m->r[off[i] / 4] = xg_sim_read_tag(m, t[i], mine, XG_SIM_PART_MIXED);
        return;
    }
    for (i = 0; i < XG_SIM_WARP; i++) {
        const xg_sim_wordpart part = off[i] & 2 ? XG_SIM_PART_HIGH : XG_SIM_PART_LOW;
        uint32_t *r = &m->r[off[i] / 4];
        *r = xg_sim_read_tag(m, *r, mine, part);
    }
}
/* Reads of words that the block has written before this interval race with nothing so far. They are kept until
 * something needs the tags of readers: mostly a barrier comes first, and they are forgotten. */
XG_FN void xg_sim_shared_noted(xg_sim_worker *w) {
    const xg_sim_marks m = xg_sim_marks_here(w);
    uint32_t i, k;
    for (i = 0; i < w->n_reads; i++) {
        const xg_sim_read *read = &w->reads[i];
        if (read->shape == XG_SIM_READ_TILES) {
            for (k = 0; k < XG_SIM_WARP; k++) xg_sim_note_words(w, &m, w->read_rows[read->at][k] / 4, 4, read->mine);
            continue;
        }
        const uint32_t n = read->shape == XG_SIM_READ_BITS ? (uint32_t)XG_SIM_WARP : read->n,
                       step = read->shape == XG_SIM_READ_BITS ? 4 : read->step;
        if (read->shape == XG_SIM_READ_LANES) {
            xg_sim_track_lanes(w->m->moves, &m, w->read_rows[read->at], read->mine, false);
            continue;
        }
        if (read->shape == XG_SIM_READ_PARTS) {
            xg_sim_note_parts(w->m->moves, &m, w->read_rows[read->at], read->n, read->mine);
            continue;
        }
        if (read->shape == XG_SIM_READ_STEPS && step == 4 && !(n & 3)) {
            xg_sim_note_words(w, &m, read->at / 4, n, read->mine);
            continue;
        }
        for (k = 0; k < n; k++) {
            uint32_t *r = &m.r[(uint32_t)(read->at + k * step) / 4];
            if (read->shape == XG_SIM_READ_STEPS || read->step >> k & 1)
                *r = xg_sim_read_tag(&m, *r, read->mine, XG_SIM_PART_ALL);
        }
    }
    w->n_reads = w->n_rows = w->n_mapped = 0;
}
/* Keeps a read. */
XG_ONE_COPY XG_INLINE_FAST void xg_sim_shared_read(
    xg_sim_worker *w, uint32_t mine, xg_sim_readshape shape, uint32_t at, uint32_t n, uint32_t step) {
    xg_sim_read *read;
    if (w->n_reads == XG_SIM_READS_KEPT) {
        xg_sim_shared_noted(w);
        w->readers = true;
    }
    read = &w->reads[w->n_reads++];
    read->mine = mine;
    read->shape = (uint16_t)shape;
    read->at = at;
    read->n = (uint16_t)n;
    read->step = step;
}
/* One of 32 lanes, of a word or of 16 bytes each; the caller fills in their distances. */
XG_FN uint32_t *xg_sim_shared_read_row(xg_sim_worker *w, uint32_t mine, xg_sim_readshape shape) {
    if (w->n_rows == XG_SIM_READ_ROWS || w->n_reads == XG_SIM_READS_KEPT) {
        xg_sim_shared_noted(w);
        w->readers = true;
    }
    xg_sim_shared_read(w, mine, shape, w->n_rows, 0, 0);
    return w->read_rows[w->n_rows++];
}
/* Sets the bits of the pieces of bytes [at, end); or asks for one of them that is set. */
XG_FN bool xg_sim_read_pieces(uint64_t *map, uint32_t at, uint32_t end, bool set) {
    const uint32_t most = XG_SIM_READ_WORDS * 64 - 1, last = XG_MIN((end - 1) / XG_SIM_READ_PIECE, most);
    uint32_t k = XG_MIN(at / XG_SIM_READ_PIECE, most), stop;
    uint64_t bits, any = 0;
    for (; k <= last; k = stop + 1) {
        stop = XG_MIN(k | 63, last);
        bits = ~(uint64_t)0 >> (63 - (stop - k)) << (k & 63);
        any |= map[k / 64] & bits;
        if (set) map[k / 64] |= bits;
    }
    return any != 0;
}
/* The first and the last of 32 distances. */
XG_FN void xg_sim_off_range(const uint32_t *off, uint32_t *first, uint32_t *last) {
    uint32_t i, least = off[0], most = off[0];
    for (i = 1; i < XG_SIM_WARP; i++) {
        least = XG_MIN(least, off[i]);
        most = XG_MAX(most, off[i]);
    }
    *first = least;
    *last = most;
}
/* May one of the reads that are kept have touched bytes [at, end)? */
XG_FN bool xg_sim_reads_near(xg_sim_worker *w, uint32_t at, uint32_t end) {
    if (!w->n_mapped) memset(w->read_map, 0, sizeof w->read_map);
    for (; w->n_mapped < w->n_reads; w->n_mapped++) {
        const xg_sim_read *read = &w->reads[w->n_mapped];
        uint32_t first = read->at, last = read->at + 124; /* of 32 words */
        if (read->shape == XG_SIM_READ_STEPS)
            last = read->at + (read->n - 1u) * read->step;
        else if (read->shape != XG_SIM_READ_BITS)
            xg_sim_off_range(w->read_rows[read->at], &first, &last);
        /* what is read at `last` is aligned: it ends in the piece where it begins */
        (void)xg_sim_read_pieces(w->read_map, XG_MIN(first, last), XG_MAX(first, last) + 1, true);
    }
    return w->n_reads && xg_sim_read_pieces(w->read_map, at, end, false);
}
XG_FN xg_sim_marks xg_sim_marks_shared(xg_sim_worker *w) {
    if (w->n_reads) xg_sim_shared_noted(w);
    w->readers = true; /* whoever asks may be about to note some */
    return xg_sim_marks_here(w);
}

/* ---- any bytes ---- */

/* Whole lines whose tags are all from before the launch, from the block's past or the warp's own, which is usual: the
 * end of those. Whether they are read-only has been asked (orders.c). */
XG_RACY XG_FN uint64_t xg_sim_track_calm(const xg_sim_marks *m, uint64_t at, uint64_t end, uint32_t mine, bool write) {
    const uint32_t floor = m->floor, least = write ? 0 : m->least, own = write ? 0 : 1;
    uint32_t *tags = m->line_w + 2 * (at / 64);
    if ((at | end) % 64 || !m->tag || !m->r || !m->races) return at;
    for (; at < end; at += 64, tags += 2) {
        const uint32_t wt = XG_SIM_LINE_GET(&tags[0]), rt = XG_SIM_LINE_GET(&tags[1]);
        if ((wt >= floor && !xg_sim_tag_mine(m, wt, mine)) || wt < least ||
            (rt >= floor && !xg_sim_tag_mine(m, rt, mine)))
            break;
        if ((write ? wt : rt) != mine) XG_SIM_LINE_SET(&tags[own], mine);
    }
    return at;
}
/* The bytes [at, end) of a piece of memory are accessed by a warp; false at the first clash. */
XG_FN bool xg_sim_track_piece(const xg_sim_moves *v, const xg_sim_marks *m, uint64_t at, uint64_t end, uint32_t mine,
    bool write, xg_sim_clash *out) {
    while (at < end) {
        uint64_t k = at / 4, stop = XG_MIN(end, k * 4 + 4);
        xg_sim_wordpart part = stop - at == 4                ? XG_SIM_PART_ALL
                               : stop - at == 2 && !(at & 1) ? (at & 2 ? XG_SIM_PART_HIGH : XG_SIM_PART_LOW)
                                                             : XG_SIM_PART_MIXED;
        if (part == XG_SIM_PART_ALL && end - at >= 16 &&
            xg_sim_track_quads(v, m, k, (size_t)((end - at) / 16 * 4), mine, write)) {
            at += (end - at) / 16 * 16;
            continue;
        }
        do {
            if (!xg_sim_track_word(m, k, mine, part, write, out)) return false;
            at = stop;
            k++;
            stop = XG_MIN(end, at + 4);
        } while (part == XG_SIM_PART_ALL && stop - at == 4);
    }
    return true;
}
XG_FN bool xg_sim_track(const xg_sim_moves *v, const xg_sim_marks *m, uint64_t at, uint64_t end, uint32_t warp,
    bool write, xg_sim_clash *out) {
    uint32_t mine = m->tag | warp;
    uint64_t stop;
    if (!m->line_w) return xg_sim_track_piece(v, m, at, end, mine, write, out);
    for (at = xg_sim_track_calm(m, at, end, mine, write); at < end; at = stop) {
        stop = XG_MIN(end, at / 64 * 64 + 64);
        if (stop - at == 64 && xg_sim_track_line(v, m, at / 64, mine, write)) continue;
        xg_sim_split(m->line_w, m->w, at / 64);
        if (m->r) xg_sim_split(m->line_r, m->r, at / 64);
        if (!xg_sim_track_piece(v, m, at, stop, mine, write, out)) return false;
    }
    return true;
}

XG_FN bool xg_sim_flight_writes(const xg_sim_worker *w, uint64_t a); /* flights.c */
/* Two accesses that are not ordered, or one of what nothing has written. What is known of the other side is kept for
 * whoever asks which instruction it was (run.c). */
XG_FN void xg_sim_clash_fault(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane,
    const xg_sim_marks *m, const xg_sim_clash *k, const char *what, bool write) {
    const char *verb = write ? "write" : "read", *other = k->kind == XG_SIM_CLASH_WRITE ? "write" : "read";
    const bool global = m->line_w != NULL, fresh = !w->faulted;
    unsigned long long at = (unsigned long long)k->at;
    char element[XG_SIM_PLACE_MAX];
    element[0] = 0;
    if (global) xg_sim_element_text(&w->last, k->at, element, sizeof element);
    if (k->kind == XG_SIM_CLASH_UNWRITTEN && global && xg_sim_flight_writes(w, w->last.base + k->at)) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_ASYNC,
            "read of %s, offset %llu%s, which an asynchronous copy is still to write: wait for it first "
            "(cp.async.bulk.wait_group without .read)",
            what, at, element);
        return;
    }
    if (k->kind == XG_SIM_CLASH_UNWRITTEN) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_UNWRITTEN, "read of %s, offset %llu%s, which nobody has written",
            what, at, element);
        return;
    }
    if (k->tag < m->block || k->tag >= m->tag + (1u << XG_SIM_TAG_INTERVAL) || (k->tag & XG_SIM_TAG_FOREIGN)) {
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_RACE,
            "on %s, offset %llu%s: this %s and a %s by another block of the launch; blocks run in any order", what, at,
            element, verb, other);
        return;
    }
    if (k->tag & XG_SIM_TAG_SEVERAL)
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_RACE,
            "on %s, offset %llu%s: this %s by warp %u and %ss by other warps of the block, with no barrier between "
            "them",
            what, at, element, verb, v->id, other);
    else
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_RACE,
            "on %s, offset %llu%s: this %s by warp %u and a %s by warp %u of the same block, with no barrier between "
            "them",
            what, at, element, verb, v->id, other, k->tag & 31);
    if (!fresh) return;
    w->watch.at = (global ? w->last.base : (uint64_t)(uintptr_t)w->shared) + k->at;
    w->watch.write = k->kind == XG_SIM_CLASH_WRITE;
    w->watch.warp = k->tag & XG_SIM_TAG_SEVERAL ? XG_SIM_NOREG : k->tag & 31;
    w->watch.mine = v->id;
    w->watch.pc = (uint32_t)(in - w->m->code);
    w->watch.wanted = true;
}

#endif /* XG_SIM_SHADOW_C */
