/* sim/orders.c -- what an access asks of the others besides time: scopes, read-only loads, proxies.
 *
 * Scopes. An atomic or strong access of scope .cta orders nothing for other blocks. In modules that have one to global
 * memory, each atomic or strong write leaves a tag whose part is "mixed", so that it races with nothing, and which says
 * how wide it was: SEVERAL for .cta, FOREIGN for wider ones (tags of writers use these bits for nothing else).
 *
 * Read-only loads (.nc, ldu) promise that the kernel does not write what they read, neither before nor after. What was
 * written before has its writer's tag. For a write after them a buffer knows the last launch that read it by such
 * loads, and the last that read it otherwise: where the first is this launch and the second is not, a reader's tag of
 * this launch is that of a read-only load.
 *
 * Proxies. Asynchronous copies and wgmma see what threads wrote to shared memory only behind a fence.proxy.async: of
 * the writing warp, or of another one behind a barrier. So it is with what copies read of global memory and with tensor
 * maps there, but less is known: any such fence of the block counts for all that the block wrote until then, as does an
 * asynchronous write of its own, which leaves tags like a thread's. */
#ifndef XG_SIM_ORDERS_C
#define XG_SIM_ORDERS_C
#include "copies.c"

XG_FN bool xg_sim_of_other_block(const xg_sim_marks *m, uint32_t tag) {
    return tag >= m->floor && (tag < m->block || tag >= m->tag + (1u << XG_SIM_TAG_INTERVAL));
}
/* "offset 128 of argument 0, out:a.npy, f32[64], element [32]", in the buffer w->last. */
XG_FN void xg_sim_word_text(const xg_sim_worker *w, uint64_t at, char *out, size_t cap) {
    size_t n = XG_MIN(xg_format(out, cap, "offset %llu of ", (unsigned long long)at), cap - 1);
    n += xg_sim_buffer_text(&w->last, false, out + n, cap - n);
    (void)xg_sim_element_text(&w->last, at, out + n, cap - n);
}
/* A strong access to bytes [at, at + n) of a piece of global memory; false after a fault. */
XG_RACY XG_FN bool xg_sim_scope(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane,
    const xg_sim_marks *m, uint64_t at, uint64_t n, bool write) {
    const bool narrow = (in->imm2 & XG_SIM_M_NARROW) != 0;
    const uint32_t scope = narrow ? XG_SIM_TAG_SEVERAL : XG_SIM_TAG_FOREIGN;
    uint64_t k;
    if (!w->m->narrow || !m->races || !m->r) return true;
    for (k = at / 4; k <= (at + n - 1) / 4; k++) {
        const uint32_t tag = xg_sim_tag_at(m->line_w, m->w, k);
        if (tag < XG_SIM_BUSY_LINE && xg_sim_of_other_block(m, tag) &&
            (tag & XG_SIM_TAG_SEVERAL || (narrow && tag & XG_SIM_TAG_FOREIGN))) {
            char where[XG_SIM_PLACE_MAX];
            xg_sim_word_text(w, k * 4, where, sizeof where);
            xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_SCOPE,
                "on %s: another block has written it by an atomic or strong access%s, and %s: "
                "blocks see each other's from scope .gpu on",
                where, tag & XG_SIM_TAG_SEVERAL ? " of scope .cta" : "",
                narrow ? "this one is of scope .cta" : "this one is wider");
            return false;
        }
        if (!write) continue;
        xg_sim_split(m->line_w, m->w, k / XG_SIM_LINE_WORDS);
        m->w[k] = xg_sim_with_part(m->tag | (v->id & 31) | scope, XG_SIM_PART_MIXED);
    }
    return true;
}

/* ---- read-only loads ---- */

/* What an access to the buffer is, noted and told. All reads of the launch were read-only loads, and there were some:
 * then what has a reader's tag of the launch must not be written. */
XG_INLINE_FAST void xg_sim_constant_marks(
    const xg_sim_worker *w, const xg_sim_ins *in, const xg_sim_buffer *b, xg_sim_marks *m, bool write) {
    uint32_t *launches = xg_sim_shadow_launches(b), launch = w->launch_tag;
    m->constant = xg_sim_is_load(in) && in->imm2 & XG_SIM_M_CONSTANT;
    if (!write && launches[!m->constant] != launch) launches[!m->constant] = launch;
    m->read_only = write && launches[0] == launch && launches[1] != launch;
}
/* A read or write of bytes [at, at + n) of the buffer w->last, before it is noted; false after a fault. */
XG_RACY XG_FN bool xg_sim_constant_check(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane,
    uint32_t each, const xg_sim_marks *m, uint64_t at, uint64_t n, bool write) {
    char where[XG_SIM_PLACE_MAX];
    const uint32_t *lines = write ? m->line_r : m->line_w, *words = write ? m->r : m->w;
    uint64_t k;
    if (write ? !m->read_only : !m->constant) return true;
    for (k = at / 4; k <= (at + n - 1) / 4; k++) {
        if (xg_sim_line_tag(&lines[2 * (k / XG_SIM_LINE_WORDS)]) < m->floor) {
            k |= XG_SIM_LINE_WORDS - 1;
            continue;
        }
        if (xg_sim_tag_at(lines, words, k) < m->floor) continue;
        lane += (uint32_t)((XG_MAX(k * 4, at) - at) / each);
        xg_sim_word_text(w, k * 4, where, sizeof where);
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_CONSTANT,
            write ? "this write to %s, which the kernel has read by %s: such loads are of memory that nothing "
                    "writes while the kernel runs"
                  : "this load of %s, which the kernel has written: %s is for memory that nothing writes while "
                    "the kernel runs",
            where,
            in->kind == XG_SIM_K_TEX  ? "tex"
            : write && w->m->textures ? "tex or ld.global.nc"
                                      : "ld.global.nc");
        return false;
    }
    return true;
}

/* ---- proxies ---- */

/* Bytes [at, at + n) of the block's shared memory are about to be read by something asynchronous; false after a fault.
 * what: the word for that. */
XG_FN bool xg_sim_proxy(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane, size_t at,
    size_t n, const char *what) {
    const uint32_t settled = xg_sim_with_part(w->shared_block, XG_SIM_PART_MIXED);
    const size_t end = (at + n + 3) / 4;
    size_t k;
    if (!n || w->l->unchecked_shared || w->l->unchecked_races) return true;
    if (n == 16 && at % 16 == 0 && w->m->moves->within(w->marks + at / 4, 4, settled, settled + 1)) return true;
    for (k = at / 4; k < end; k++) {
        const uint32_t tag = w->marks[k] & ~XG_SIM_TAG_BYTES;
        if (tag < w->proxy_all || tag == settled || xg_sim_proxy_sees(w, tag)) continue;
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_PROXY,
            "%s of shared memory at offset %zu, which warp %u of the block wrote without a fence.proxy.async since: "
            "the "
            "writing threads execute it, then meet the one that begins this at a barrier",
            what, k * 4, tag & 31);
        return false;
    }
    return true;
}

/* The same of n bytes of global memory at address a, in the buffer w->last. What the block wrote up to the interval of
 * the tag `seen` counts as seen; what others wrote, too, unless foreign is false and the block has met no fence. */
XG_RACY XG_FN bool xg_sim_proxy_global(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane,
    uint64_t a, uint64_t n, uint32_t seen, bool foreign, const char *what) {
    const xg_sim_tags t = xg_sim_tags_of(&w->last);
    const uint32_t interval = 1u << XG_SIM_TAG_INTERVAL;
    uint64_t k = (a - w->last.base) / 4, end = (a - w->last.base + n + 3) / 4;
    if (!n || !w->last.shadow || !w->tracked || w->unchecked) return true;
    for (; k < end; k++) {
        const uint32_t line = xg_sim_line_tag(&t.line_w[2 * (k / XG_SIM_LINE_WORDS)]),
                       tag = line == XG_SIM_SPLIT_LINE ? t.w[k] : line;
        const bool own = tag >= w->block_tag && tag < w->tag + interval;
        char where[XG_SIM_PLACE_MAX];
        if (tag < w->launch_tag || (own ? tag < seen + interval : seen || foreign)) {
            if (line != XG_SIM_SPLIT_LINE) k |= XG_SIM_LINE_WORDS - 1;
            continue;
        }
        xg_sim_word_text(w, k * 4, where, sizeof where);
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_PROXY, "%s %s, which %s wrote without a %s since", what, where,
            own ? "the block" : "another block", foreign ? "fence.proxy.async" : "fence.proxy.tensormap acquire");
        return false;
    }
    return true;
}

#endif /* XG_SIM_ORDERS_C */
