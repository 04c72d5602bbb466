/* sim/copies.c -- has a thread waited for its cp.async?
 *
 * A cp.async moves its data at once; what it leaves behind is the state COPYING on its bytes, and for each word which
 * thread's copy it was and in which of the thread's groups. Who touches such a byte later asks here: the copy is done
 * when its thread has waited for the group (or has told a memory barrier to); another warp must besides have met that
 * thread at a barrier since.
 *
 * Law: groups are counted up for good, in 32 bits; nobody issues as many in a launch. */
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
XG_FN xg_sim_fresh xg_sim_byte_state(xg_sim_worker *of, size_t at) {
    return (xg_sim_fresh)xg_sim_word_bytes(of, at / 4)[at % 4];
}
/* Sets states. settled: words that were unwritten get a tag that races with nothing; else the caller tags them. */
XG_FN void xg_sim_set_bytes(xg_sim_worker *of, size_t at, size_t n, xg_sim_fresh is, bool settled) {
    while (n) {
        size_t k = at / 4, some = XG_MIN(n, 4 - at % 4);
        char *s = xg_sim_word_bytes(of, k);
        uint32_t tag = of->marks[k] & ~XG_SIM_TAG_BYTES;
        memset(s + at % 4, (int)is, some);
        if (settled && tag < of->shared_block) tag = xg_sim_with_part(of->shared_block, XG_SIM_PART_MIXED);
        of->marks[k] = memcmp(s, "\1\1\1\1", 4) == 0 ? tag : tag | XG_SIM_TAG_BYTES;
        at += some;
        n -= some;
    }
}

/* A lane has issued a copy to these bytes, whole words. */
XG_FN void xg_sim_copy_issue(xg_sim_worker *w, uint32_t thread, size_t at, size_t n) {
    size_t k;
    if (w->l->unchecked_shared) return;
    xg_sim_set_bytes(w, at, n, XG_SIM_COPYING, false);
    for (k = at / 4; k < (at + n) / 4; k++) {
        w->copy_words[k].thread = thread;
        w->copy_words[k].group = w->copy_threads[thread].groups;
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
        t->done = t->groups - keep;
        t->waited = w->shared_tag;
    }
}
/* What warp v finds at a byte that is COPYING. */
XG_FN xg_sim_fresh xg_sim_copy_state(xg_sim_worker *of, const xg_sim_warp *v, size_t at) {
    const xg_sim_copy_word *c = &of->copy_words[at / 4];
    const xg_sim_copy_thread *t = &of->copy_threads[c->thread];
    if (c->group >= t->done) return XG_SIM_COPYING;
    if (c->thread / XG_SIM_WARP != v->id && t->waited == of->shared_tag && !of->l->unchecked_races)
        return XG_SIM_COPIED;
    xg_sim_set_bytes(of, at / 4 * 4, 4, XG_SIM_WRITTEN, true);
    return XG_SIM_WRITTEN;
}

#endif /* XG_SIM_COPIES_C */
