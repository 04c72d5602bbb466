/* sim/copies.c -- has a thread waited for its cp.async?
 *
 * A cp.async moves its data at once; what it leaves behind is the state COPYING on its bytes, and for each word which
 * thread's copy it was and in which of the thread's groups. An access to such a byte asks here later: the copy is done
 * when its thread has waited for the group (or has told a memory barrier to); another warp must besides have met that
 * thread at a barrier since.
 *
 * Law: groups are counted up for good, in 32 bits; no thread issues as many in a launch. */
#ifndef XG_SIM_COPIES_C
#define XG_SIM_COPIES_C
#include "shadow.c"

/* The states of the bytes of word k of a block's shared memory, made up where its tag says all. */
XG_FN char *xg_sim_word_bytes(xg_sim_worker *of, size_t k) {
    char *s = of->shadow + k * 4;
    uint32_t tag = of->marks[k];
    if ((tag & ~XG_SIM_TAG_BYTES) < of->shared_block)
        memset(s, XG_SIM_UNWRITTEN, 4);
    else if (!(tag & XG_SIM_TAG_BYTES))
        memset(s, XG_SIM_WRITTEN, 4);
    return s;
}
/* The same of the word at `at`, as one number. */
XG_FN uint32_t xg_sim_word_states(xg_sim_worker *of, size_t at) {
    uint32_t states;
    memcpy(&states, xg_sim_word_bytes(of, at / 4), 4);
    return states;
}
XG_FN xg_sim_fresh xg_sim_byte_state(xg_sim_worker *of, size_t at) {
    return (xg_sim_fresh)xg_sim_word_bytes(of, at / 4)[at % 4];
}
/* Sets states of bytes of word k, from byte `first` on. */
XG_FN void xg_sim_set_part(xg_sim_worker *of, size_t k, size_t first, size_t n, xg_sim_fresh is, bool settled) {
    char *s = xg_sim_word_bytes(of, k);
    uint32_t tag = of->marks[k] & ~XG_SIM_TAG_BYTES, states;
    memset(s + first, (int)is, n);
    memcpy(&states, s, 4);
    if (settled && tag < of->shared_block) tag = xg_sim_with_part(of->shared_block, XG_SIM_PART_MIXED);
    of->marks[k] = states == XG_SIM_WRITTEN * 0x01010101u ? tag : tag | XG_SIM_TAG_BYTES;
}
/* All of these words, a multiple of four, carry one tag, and whether bytes of theirs have own states is the same. */
XG_FN bool xg_sim_tags_are(const xg_sim_worker *of, size_t k, size_t n, uint32_t tag) {
    const uint32_t first = of->marks[k];
    return (first & ~XG_SIM_TAG_BYTES) == tag && of->m->moves->within(of->marks + k, n, first, first + 1);
}
/* Sets states. settled: words that were unwritten get a tag that races with nothing; else the caller tags them. Whole
 * words need not be asked what they were. */
XG_FN void xg_sim_set_bytes(xg_sim_worker *of, size_t at, size_t n, xg_sim_fresh is, bool settled) {
    const uint32_t fresh = xg_sim_with_part(of->shared_block, XG_SIM_PART_MIXED),
                   least = settled ? of->shared_block : 0;
    const uint32_t bytes = is == XG_SIM_WRITTEN ? 0 : XG_SIM_TAG_BYTES;
    const size_t before = XG_MIN(n, (4 - at % 4) % 4), words = (n - before) / 4, behind = (n - before) % 4;
    uint32_t *tags = of->marks + (at + before) / 4;
    size_t i;
    if (before) xg_sim_set_part(of, at / 4, at % 4, before, is, settled);
    memset(of->shadow + at + before, (int)is, 4 * words);
    if (!((at | n) & 15) && xg_sim_tags_are(of, at / 4, words, fresh)) {
        of->m->moves->fill(tags, words, fresh | bytes);
        return;
    }
    for (i = 0; i < words; i++) {
        const uint32_t tag = tags[i] & ~XG_SIM_TAG_BYTES;
        tags[i] = (tag < least ? fresh : tag) | bytes;
    }
    if (behind) xg_sim_set_part(of, (at + n) / 4, 0, behind, is, settled);
}

/* What warp v finds at a byte that is COPYING. */
XG_FN xg_sim_fresh xg_sim_copy_state(xg_sim_worker *of, const xg_sim_warp *v, size_t at) {
    const xg_sim_copy_word *c = &of->copy_words[at / 4];
    const xg_sim_copy_thread *t = &of->copy_threads[c->thread];
    if (c->group >= t->done) return XG_SIM_COPYING;
    if (c->thread / XG_SIM_WARP != v->id && t->waited == of->shared_tag && c->group >= t->earlier &&
        !of->l->unchecked_races)
        return XG_SIM_COPIED; /* a later wait of the interval tells nothing of groups that were done before it */
    of->marks[at / 4] &= ~XG_SIM_TAG_BYTES; /* all of the word, which its copy has tagged */
    return XG_SIM_WRITTEN;
}
/* 8 bytes of one copy, which may be all of the 16 that begin there: written from now on, if warp v finds it done. */
XG_INLINE_FAST void xg_sim_copy_settle_half(xg_sim_worker *w, const xg_sim_warp *v, size_t at) {
    const uint64_t copying = XG_SIM_COPYING * 0x0101010101010101u;
    uint32_t *tags = w->marks + at / 4;
    uint64_t states, first, second;
    if (!(tags[0] & tags[1] & XG_SIM_TAG_BYTES)) return;
    memcpy(&states, w->shadow + at, 8);
    memcpy(&first, w->copy_words + at / 4, 8);
    memcpy(&second, w->copy_words + at / 4 + 1, 8);
    if (states == copying && first == second && xg_sim_copy_state(w, v, at) == XG_SIM_WRITTEN)
        tags[1] &= ~XG_SIM_TAG_BYTES;
}
/* 16 bytes, of which each half is of one copy: halves whose copy warp v finds done are written from now on. Usually one
 * copy has brought all of them. Words are read as numbers: the registers of vectors may be in use by wider ones. */
XG_INLINE_FAST void xg_sim_copy_settle(xg_sim_worker *w, const xg_sim_warp *v, size_t at) {
    const uint64_t copying = XG_SIM_COPYING * 0x0101010101010101u, bytes = XG_SIM_TAG_BYTES * (uint64_t)0x100000001;
    char *tags = (char *)(w->marks + at / 4);
    const char *words = (const char *)(w->copy_words + at / 4);
    uint64_t low, high, of, x, differ;
    memcpy(&low, tags, 8);
    memcpy(&high, tags + 8, 8);
    if (!((low | high) & bytes)) return;
    memcpy(&differ, w->shadow + at, 8);
    memcpy(&x, w->shadow + at + 8, 8);
    differ = (differ ^ copying) | (x ^ copying) | ((low & high & bytes) ^ bytes);
    memcpy(&of, words, 8);
    memcpy(&x, words + 8, 8);
    differ |= x ^ of;
    memcpy(&x, words + 16, 8);
    differ |= x ^ of;
    memcpy(&x, words + 24, 8);
    if (differ | (x ^ of)) {
        xg_sim_copy_settle_half(w, v, at);
        xg_sim_copy_settle_half(w, v, at + 8);
    } else if (xg_sim_copy_state(w, v, at) == XG_SIM_WRITTEN) {
        low &= ~bytes;
        high &= ~bytes;
        memcpy(tags, &low, 8);
        memcpy(tags + 8, &high, 8);
    }
}
/* Nothing speaks against a copy by warp v to these words: they are neither read nor written in this interval by another
 * warp, and no copy to them is under way. Then they are tagged as written, by m.tag. */
XG_FN bool xg_sim_copy_claim(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_marks *m, size_t at, size_t n) {
    const uint32_t mine = m->tag | (v->id & 31), copying = XG_SIM_COPYING * 0x01010101u;
    size_t k;
    if (!m->races) return false;
    for (k = at / 4; k < (at + n) / 4; k++) {
        uint32_t wt = m->w[k], states;
        const uint32_t rt = m->r[k];
        if (wt & XG_SIM_TAG_BYTES) {
            memcpy(&states, w->shadow + k * 4, 4);
            if (states != copying || xg_sim_copy_state(w, v, k * 4) != XG_SIM_WRITTEN) return false;
            wt = m->w[k];
        }
        if (!(wt < m->floor || xg_sim_tag_mine(m, wt, mine)) || !(rt < m->floor || xg_sim_tag_mine(m, rt, mine)))
            return false;
    }
    for (k = at / 4; k < (at + n) / 4; k++) m->w[k] = mine;
    return true;
}
/* Something asynchronous has written these bytes: no thread is their writer any more. */
XG_FN void xg_sim_landed(xg_sim_worker *of, size_t at, size_t n) {
    const uint32_t settled = xg_sim_with_part(of->shared_block, XG_SIM_PART_MIXED);
    size_t k, end;
    if (!n) return;
    if (!((at | n) & 15)) {
        memset(of->shadow + at, XG_SIM_WRITTEN, n);
        of->m->moves->fill(of->marks + at / 4, n / 4, settled);
        return;
    }
    xg_sim_set_bytes(of, at, n, XG_SIM_WRITTEN, true);
    end = (at + n - 1) / 4;
    for (k = at / 4; k <= end; k++) of->marks[k] = (of->marks[k] & XG_SIM_TAG_BYTES) | settled;
}
/* A lane has issued a copy to these bytes, whole words. */
XG_APART XG_FN void xg_sim_copy_issue(xg_sim_worker *w, uint32_t thread, size_t at, size_t n) {
    const uint32_t states = XG_SIM_COPYING * 0x01010101u, group = w->copy_threads[thread].groups;
    size_t k;
    if (w->l->unchecked_shared) return;
    for (k = at / 4; k < (at + n) / 4; k++) {
        memcpy(w->shadow + k * 4, &states, 4);
        w->marks[k] |= XG_SIM_TAG_BYTES;
        w->copy_words[k].thread = thread;
        w->copy_words[k].group = group;
    }
}
XG_FN void xg_sim_copy_commit(xg_sim_worker *w, const xg_sim_warp *v, uint32_t mask) {
    uint32_t i;
    for (i = 0; i < XG_SIM_WARP && w->copy_threads; i++)
        if (mask >> i & 1) w->copy_threads[v->id * XG_SIM_WARP + i].groups++;
}
/* All but the last `keep` groups of the active lanes are done. */
XG_FN void xg_sim_copy_wait(xg_sim_worker *w, const xg_sim_warp *v, uint32_t mask, uint32_t keep) {
    uint32_t i;
    for (i = 0; i < XG_SIM_WARP && w->copy_threads; i++) {
        xg_sim_copy_thread *t = &w->copy_threads[v->id * XG_SIM_WARP + i];
        if (!(mask >> i & 1) || t->groups < keep || t->groups - keep <= t->done) continue;
        if (t->waited != w->shared_tag) t->earlier = t->done;
        t->done = t->groups - keep;
        t->waited = w->shared_tag;
    }
}
#endif /* XG_SIM_COPIES_C */
