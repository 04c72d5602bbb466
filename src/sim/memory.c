/* sim/memory.c -- every access to memory with its checks.
 *
 * An access first turns the addresses of the active lanes into host pointers (xg_sim_reach), checking space, bounds,
 * alignment and permission and counting; then the shadows are asked and told (shadow.c); then data moves. When all 32
 * lanes are active and stand side by side, which the hot kernels take care to be, one check covers the warp and the
 * data moves in straight loops. */
#ifndef XG_SIM_MEMORY_C
#define XG_SIM_MEMORY_C
#include "orders.c"

/* ---- reaching memory ---- */

XG_ONE_COPY XG_INLINE_FAST const char *xg_sim_slot(const xg_sim_worker *w, const xg_sim_warp *v, uint32_t offset) {
    return offset & 1 ? w->m->consts + (offset - 1) : v->regs + offset;
}

XG_FN uint32_t xg_sim_first_lane(uint32_t mask) {
    uint32_t i = 0;
    while (i < 31 && !(mask >> i & 1)) i++;
    return i;
}

XG_FN bool xg_sim_in_last(const xg_sim_worker *w, uint64_t a, uint64_t bytes) {
    return w->last.bytes >= bytes && a - w->last.base <= w->last.bytes - bytes;
}

XG_FN bool xg_sim_find_buffer(xg_sim_worker *w, uint64_t a, uint64_t bytes) {
    const xg_sim_buffer *b = xg_sim_memory_find(w->l->memory, a);
    if (!b) b = xg_sim_memory_find(&w->m->globals, a);
    if (!b) return false;
    w->last = *b;
    return xg_sim_in_last(w, a, bytes);
}

/* Distinct pieces of 2^shift bytes that a scattered access touches. Where addresses only rise, a piece is new when it
 * is not the one before. */
XG_FN uint32_t xg_sim_count_pieces_any(const xg_sim_reach *r, uint32_t mask, uint32_t bytes, uint32_t shift) {
    uint64_t table[128], s, e, before = 0;
    uint32_t n = 0, i, k;
    memset(table, 0, sizeof table);
    for (i = 0; i < XG_SIM_WARP; i++) {
        if (!(mask >> i & 1)) continue;
        s = (uint64_t)(uintptr_t)xg_sim_reach_at(r, i) >> shift;
        e = ((uint64_t)(uintptr_t)xg_sim_reach_at(r, i) + bytes - 1) >> shift;
        for (; s <= e; s++) {
            if (s == before) continue;
            before = s;
            for (k = (uint32_t)(s ^ s >> 7) & 127; table[k] && table[k] != s; k = (k + 1) & 127) {}
            if (!table[k]) {
                table[k] = s;
                n++;
            }
        }
    }
    return n;
}
XG_FN uint32_t xg_sim_count_pieces(const xg_sim_reach *r, uint32_t mask, uint32_t bytes, uint32_t shift) {
    uint64_t before = 0, s;
    uint32_t n = 0, i, falls = 0;
    if (bytes > 32) return xg_sim_count_pieces_any(r, mask, bytes, shift);
    if (r->shape == XG_SIM_FEW) { /* lanes that sleep stand where the first one does */
        const uint32_t skip = (uint32_t)(uintptr_t)r->at & ((1u << shift) - 1), *off = r->to.off;
        uint32_t last = (off[0] + skip) >> shift, next;
        for (i = n = 1; i < XG_SIM_WARP; i++, last = next) {
            next = (off[i] + skip) >> shift;
            n += next != last;
            falls |= next - last;
        }
        return falls >> 31 ? xg_sim_count_pieces_any(r, mask, bytes, shift) : n;
    }
    for (i = 0; i < XG_SIM_WARP; i++) {
        if (!(mask >> i & 1)) continue;
        s = (uint64_t)(uintptr_t)xg_sim_reach_at(r, i) >> shift;
        if (s < before) return xg_sim_count_pieces_any(r, mask, bytes, shift);
        n += s != before;
        before = s;
    }
    return n;
}
/* Distinct places of the active lanes. */
XG_FN uint32_t xg_sim_count_places(const xg_sim_reach *r, uint32_t mask) {
    uint64_t table[64];
    uint32_t n = 0, i, k;
    if (r->shape == XG_SIM_ONE) return mask != 0;
    if (r->shape == XG_SIM_RUN) return xg_sim_popc(mask);
    memset(table, 0, sizeof table);
    for (i = 0; i < XG_SIM_WARP; i++) {
        uint64_t p;
        if (!(mask >> i & 1)) continue;
        p = (uint64_t)(uintptr_t)xg_sim_reach_at(r, i);
        for (k = (uint32_t)(p >> 2 ^ p >> 8) & 63; table[k] && table[k] != p; k = (k + 1) & 63) {}
        if (!table[k]) {
            table[k] = p;
            n++;
        }
    }
    return n;
}
/* Of a FEW. Extra passes: for each group of lanes that one pass serves, the largest number of different words in one
 * bank, less one. */
XG_FN uint32_t xg_sim_count_conflicts(
    const xg_sim_reach *r, const char *shared, uint32_t bytes, uint32_t mask, bool paired) {
    uint32_t own = bytes <= 4    ? 32
                   : bytes <= 8  ? 16
                   : bytes <= 16 ? 8
                                 : 4,
             lanes = own << (paired && bytes > 4), base, extra = 0, i, bank, word,
             from = (uint32_t)(r->at - shared) / 4;
    for (base = 0; base < XG_SIM_WARP; base += lanes) {
        uint32_t words[32][32], count[32], worst = 1, before = 0xFFFFFFFFu, j, k;
        if (bytes == 16 && !(from & 3)) { /* rows of tiles: usually in eight different places of the banks */
            uint32_t places = 0;
            for (i = base; i < base + lanes; i++) places |= 1u << ((from / 4 + r->to.off[i] / 16) & 7);
            if (places == 0xFF) continue;
        }
        memset(count, 0, sizeof count);
        for (i = base; i < base + lanes; i++) {
            word = from + r->to.off[i] / 4;
            if (word == before || !(mask >> i & 1)) continue;
            before = word;
            for (k = 0; k < (bytes + 3) / 4; k++, word++) {
                bank = word & 31;
                for (j = 0; j < count[bank] && words[bank][j] != word; j++) {}
                if (j == count[bank] && j < 32) {
                    words[bank][count[bank]++] = word;
                    if (count[bank] > worst) worst = count[bank];
                }
            }
        }
        extra += worst - 1;
    }
    return extra;
}

XG_ONE_COPY XG_INLINE_FAST uint64_t xg_sim_lane_address(const char *slot, uint32_t lane, bool wide, uint32_t offset) {
    uint64_t a = 0;
    memcpy(&a, slot + (size_t)lane * (wide ? 8 : 4), wide ? 8 : 4);
    return wide ? a + (uint64_t)(int64_t)(int32_t)offset : (uint32_t)(a + offset);
}

/* Distributed shared memory. A shared address has 24 bits, of this block; with XG_SIM_RANKED, bits 24 to 27 say the
 * block, this one or another of its cluster, as they do on GPUs: kernels clear the lowest of them to name the first
 * block of a pair. Generic addresses are host addresses as everywhere. NULL when the address names no block. */
XG_FN char *xg_sim_reach_peer(const xg_sim_worker *w, xg_sim_space space, uint64_t a, uint64_t bytes) {
    const xg_sim_cluster *c = w->cluster;
    uint64_t rank = (a ^ XG_SIM_RANKED) >> XG_SIM_WINDOW, at = a & (((uint64_t)1 << XG_SIM_WINDOW) - 1);
    uint64_t limit = w->l->shared_bytes;
    uint32_t i;
    if (space == XG_SIM_SHARED)
        return rank < c->n && at <= limit && limit - at >= bytes ? c->peers[rank]->shared + at : NULL;
    for (i = 0; space == XG_SIM_GENERIC && i < c->n; i++) {
        at = a - (uint64_t)(uintptr_t)c->peers[i]->shared;
        if (at <= limit && limit - at >= bytes) return c->peers[i]->shared + at;
    }
    return NULL;
}
/* Whose shared memory a pointer leads to; NULL when no block's. */
XG_FN xg_sim_worker *xg_sim_owner(const xg_sim_worker *w, const char *p) {
    uint32_t i;
    for (i = 0; i < w->cluster->n; i++)
        if ((uint64_t)(p - w->cluster->peers[i]->shared) < w->l->shared_bytes) return w->cluster->peers[i];
    return NULL;
}

/* One lane's address in a space to its pointer; NULL after a fault. */
XG_FN char *xg_sim_reach_lane(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane,
    xg_sim_space space, uint64_t a, uint32_t bytes, bool write) {
    uint64_t local = (uint64_t)(uintptr_t)w->local + ((uint64_t)v->id * XG_SIM_WARP + lane) * w->l->local_bytes;
    const char *what = write ? "write" : "read";
    if (a & (bytes - 1)) {
        if (space == XG_SIM_GLOBAL ||
            (space == XG_SIM_GENERIC && (xg_sim_memory_find(w->l->memory, a) || xg_sim_memory_find(&w->m->globals, a))))
            xg_sim_fault_address(w, v, in, lane, a, bytes, XG_SIM_FAULT_MISALIGNED, what);
        else
            xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_MISALIGNED, "%s of %u bytes at 0x%llX", what, bytes,
                (unsigned long long)a);
        return NULL;
    }
    if (w->cluster->n > 1 && space != XG_SIM_GLOBAL) {
        char *there = xg_sim_reach_peer(w, space, a, bytes);
        if (there) return there;
    }
    if (space == XG_SIM_GENERIC) {
        if (a - (uint64_t)(uintptr_t)w->shared < w->l->shared_bytes) {
            space = XG_SIM_SHARED;
            a -= (uint64_t)(uintptr_t)w->shared;
        } else if (a - local < w->l->local_bytes) {
            space = XG_SIM_LOCAL;
            a -= local;
        } else if (a - (uint64_t)(uintptr_t)w->params < w->l->param_bytes && !write) {
            space = XG_SIM_PARAM;
            a -= (uint64_t)(uintptr_t)w->params;
        }
    }
    switch (space) {
    case XG_SIM_SHARED:
        if (a > w->l->shared_bytes || w->l->shared_bytes - a < bytes) {
            xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_BOUNDS,
                "%s of %u bytes at offset %llu of shared memory, which has %u bytes", what, bytes,
                (unsigned long long)a, w->l->shared_bytes);
            return NULL;
        }
        return w->shared + a;
    case XG_SIM_LOCAL:
        if (a > w->l->local_bytes || w->l->local_bytes - a < bytes) {
            xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_BOUNDS,
                "%s of %u bytes at offset %llu of local memory, which has %u bytes", what, bytes, (unsigned long long)a,
                w->l->local_bytes);
            return NULL;
        }
        return (char *)(uintptr_t)(local + a);
    case XG_SIM_PARAM:
        if (a > w->l->param_bytes || w->l->param_bytes - a < bytes) {
            xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_BOUNDS,
                "%s of %u bytes at offset %llu of the parameters, which have %u bytes", what, bytes,
                (unsigned long long)a, (uint32_t)w->l->param_bytes);
            return NULL;
        }
        return w->params + a;
    default:
        if (!xg_sim_in_last(w, a, bytes) && !xg_sim_find_buffer(w, a, bytes)) {
            xg_sim_fault_address(w, v, in, lane, a, bytes, XG_SIM_FAULT_BOUNDS, write ? "write" : "read");
            return NULL;
        }
        if (write && w->last.readonly) {
            xg_sim_fault_address(w, v, in, lane, a, bytes, XG_SIM_FAULT_READONLY, "write");
            return NULL;
        }
        return (char *)(uintptr_t)a;
    }
}

/* All active lanes in one buffer or in shared memory, checked at once; false when each must be looked at. `room` is for
 * 32 addresses. */
XG_FN bool xg_sim_reach_many(xg_sim_worker *w, const xg_sim_moves *m, const char *slot, uint32_t offset, bool wide,
    xg_sim_space space, uint32_t mask, uint32_t bytes, bool write, xg_sim_reach *r, uint64_t *room) {
    uint32_t lane = mask & 1 ? 0 : xg_sim_first_lane(mask), i;
    uint64_t a = xg_sim_lane_address(slot, lane, wide, offset),
             add = wide ? (uint64_t)(int64_t)(int32_t)offset : offset, window = (uint64_t)(uintptr_t)w->shared,
             all = (uint64_t)bytes * XG_SIM_WARP;
    bool shared = space == XG_SIM_SHARED || (space == XG_SIM_GENERIC && a - window < w->l->shared_bytes);
    uint64_t base = space != XG_SIM_SHARED ? window : a & XG_SIM_RANKED ? w->window : 0, size = w->l->shared_bytes;
    if (!shared) {
        if (space == XG_SIM_GENERIC &&
            (a - (uint64_t)(uintptr_t)w->local < (uint64_t)w->l->local_bytes * w->l->threads ||
                a - (uint64_t)(uintptr_t)w->params < w->l->param_bytes))
            return false;
        if ((!xg_sim_in_last(w, a, bytes) && !xg_sim_find_buffer(w, a, bytes)) || (write && w->last.readonly))
            return false;
        base = w->last.base;
        size = w->last.bytes;
    }
    if (a - base > size || size - (a - base) < bytes || (!wide && !shared)) return false;
    r->shared = shared;
    r->bytes = bytes;
    r->at = (char *)(uintptr_t)(space == XG_SIM_SHARED ? a - base + window : a);
    if (mask == 0xFFFFFFFFu && !(a & (bytes - 1)) && size - (a - base) >= all &&
        (wide ? m->beside64(slot, bytes) : m->beside32(slot, bytes))) {
        r->shape = XG_SIM_RUN;
        return true;
    }
    if (mask != 0xFFFFFFFFu) { /* lanes that sleep go where the first one goes */
        char *to = (char *)room;
        uint32_t each = wide ? 8 : 4;
        for (i = 0; i < XG_SIM_WARP; i++)
            memcpy(to + (size_t)i * each, slot + (size_t)(mask >> i & 1 ? i : lane) * each, each);
        slot = to;
    }
    if (size >> 31) { /* distances have 31 bits: what is so far from the first lane is looked at alone */
        uint64_t skip = a - base > 1u << 30 ? (a - base - (1u << 30)) & ~(uint64_t)255 : 0;
        base += skip;
        size = XG_MIN(size - skip, (uint64_t)0x7FFFFFFF);
    }
    if (!(wide ? m->inside64(r->to.off, slot, add, base, size - bytes, bytes - 1)
               : m->inside32(r->to.off, slot, (uint32_t)(add - base), (uint32_t)(size - bytes), bytes - 1)))
        return false;
    r->shape = (wide ? m->beside64(slot, 0) : m->beside32(slot, 0)) ? XG_SIM_ONE : XG_SIM_FEW;
    if (r->shape == XG_SIM_FEW) r->at = shared ? w->shared : (char *)(uintptr_t)base;
    return true;
}

/* Do all lanes want what the next one wants, or all what the next but one wants? Then a pass serves twice as many lanes
 * of a load of 8 or 16 bytes (NVIDIA's answer to "Unexpected shared memory bank conflict", developer forum 77228). */
XG_FN bool xg_sim_in_pairs(const xg_sim_reach *r, uint32_t mask) {
    uint32_t apart, i, differ;
    if (r->shape == XG_SIM_ONE) return true;
    if (r->shape != XG_SIM_FEW) return false;
    for (apart = 1; apart <= 2; apart *= 2) {
        if ((mask & 1) && (mask >> apart & 1) && r->to.off[0] != r->to.off[apart]) continue; /* mostly */
        for (differ = i = 0; i < XG_SIM_WARP; i++)
            differ |= (mask >> i & mask >> (i ^ apart) & 1) && r->to.off[i] != r->to.off[i ^ apart];
        if (!differ) return true;
    }
    return false;
}
XG_FN void xg_sim_count_passes(
    xg_sim_worker *w, const xg_sim_reach *r, uint32_t mask, uint32_t active, uint32_t bytes, bool write) {
    const bool one_pass = r->shape != XG_SIM_FEW || (bytes <= 4 && w->m->moves->one_pass(r->to.off));
    uint32_t passes = bytes <= 4 ? 1 : (active * bytes + 127) / 128, paired = (active * bytes + 255) / 256, extra = 0;
    const bool pairs = bytes > 4 && !write && xg_sim_in_pairs(r, mask);
    if (pairs && (one_pass || xg_sim_count_conflicts(r, w->shared, bytes, mask, true) == 0)) {
        w->stats.shared_transactions += paired;
        return;
    }
    if (!one_pass) extra = xg_sim_count_conflicts(r, w->shared, bytes, mask, false);
    w->stats.bank_conflicts += extra;
    w->stats.shared_transactions += passes + extra;
}
/* Do neighbouring lanes of a whole warp that lies scattered behind `at` have whole lines of 64 bytes, as rows of tiles
 * are? How many, and the number of each; 0: they have not. */
XG_FN uint32_t xg_sim_rows_of(
    const xg_sim_reach *r, uint64_t at, uint32_t mask, uint32_t bytes, uint64_t lines[XG_SIM_WARP / 4]) {
    const uint32_t lanes = bytes >= 4 && bytes <= 16 ? 64 / bytes : (uint32_t)XG_SIM_WARP;
    uint32_t i, k, n = 0, wrong = 0;
    if (r->shape != XG_SIM_FEW || mask != 0xFFFFFFFFu || lanes == XG_SIM_WARP) return 0;
    for (i = 0; i < XG_SIM_WARP && !wrong; i += lanes, n++) {
        const uint32_t *off = r->to.off + i;
        lines[n] = (at + off[0]) / 64;
        wrong = (uint32_t)(at + off[0]) & 63;
        for (k = 1; k < lanes; k++) wrong |= (off[k] - off[0]) ^ k * bytes;
    }
    return wrong ? 0 : n;
}
/* How many of n numbers are different, without their lowest bits. */
XG_FN uint32_t xg_sim_different(const uint64_t *x, uint32_t n, uint32_t bits) {
    uint32_t i, k, found = n;
    for (i = 1; i < n; i++)
        for (k = 0; k < i; k++)
            if (x[i] >> bits == x[k] >> bits) {
                found--;
                break;
            }
    return found;
}
XG_FN void xg_sim_count_access(
    xg_sim_worker *w, const xg_sim_reach *r, uint32_t mask, uint32_t active, uint32_t bytes, bool write) {
    uint32_t sectors, lines, n, least = (active * bytes + 31) / 32;
    uint64_t rows[XG_SIM_WARP / 4];
    if (r->shared) {
        xg_sim_count_passes(w, r, mask, active, bytes, write);
        return;
    }
    if (r->shape == XG_SIM_RUN) {
        uintptr_t from = (uintptr_t)r->at, last = from + (uintptr_t)bytes * XG_SIM_WARP - 1;
        sectors = (uint32_t)((last >> 5) - (from >> 5) + 1);
        lines = (uint32_t)((last >> 7) - (from >> 7) + 1);
    } else if (r->shape == XG_SIM_ONE)
        sectors = lines = 1;
    else if ((n = xg_sim_rows_of(r, (uint64_t)(uintptr_t)r->at, mask, bytes, rows)) != 0) {
        sectors = 2 * xg_sim_different(rows, n, 0);
        lines = xg_sim_different(rows, n, 1);
    } else {
        sectors = xg_sim_count_pieces(r, mask, bytes, 5);
        lines = xg_sim_count_pieces(r, mask, bytes, 7);
    }
    w->stats.sectors += sectors;
    w->stats.minimum_sectors += XG_MIN(sectors, least);
    w->stats.global_transactions += lines;
}

/* The pointers of all active lanes; false after a fault. */
XG_FN bool xg_sim_reach_warp(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, const char *slot,
    uint32_t offset, bool wide, xg_sim_space space, uint32_t mask, uint32_t bytes, bool write, xg_sim_reach *r) {
    uint32_t i, n_shared = 0, n_global = 0;
    uint64_t room[XG_SIM_WARP];
    if (space <= XG_SIM_SHARED &&
        xg_sim_reach_many(w, w->m->moves, slot, offset, wide, space, mask, bytes, write, r, room)) {
        xg_sim_count_access(w, r, mask, mask == 0xFFFFFFFFu ? (uint32_t)XG_SIM_WARP : xg_sim_popc(mask), bytes, write);
        if (XG_UNLIKELY(w->tracer != NULL)) xg_sim_trace_access(w, in, r, mask, bytes, write);
        return true;
    }
    r->shape = XG_SIM_ANY;
    r->bytes = bytes;
    for (i = 0; i < XG_SIM_WARP; i++) {
        if (!(mask >> i & 1)) continue;
        r->to.p[i] = xg_sim_reach_lane(w, v, in, i, space, xg_sim_lane_address(slot, i, wide, offset), bytes, write);
        if (!r->to.p[i]) return false;
        if ((uint64_t)(r->to.p[i] - w->shared) < w->l->shared_bytes)
            n_shared++;
        else if (space == XG_SIM_GLOBAL || space == XG_SIM_GENERIC)
            n_global++;
    }
    r->shared = n_shared != 0;
    if ((n_shared != 0) != (n_global != 0)) {
        xg_sim_count_access(w, r, mask, n_shared + n_global, bytes, write);
        if (XG_UNLIKELY(w->tracer != NULL)) xg_sim_trace_access(w, in, r, mask, bytes, write);
    }
    return true;
}

/* ---- asking and telling the shadows ---- */

typedef enum xg_sim_does {
    XG_SIM_READS,
    XG_SIM_WRITES,
    XG_SIM_UPDATES /* an atomic */
} xg_sim_does;

/* Would the lane's store leave the bytes as they are? Then it disturbs no other thread. */
XG_FN bool xg_sim_store_same(
    const xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane, const char *p) {
    uint32_t size = 1u << (in->imm2 >> XG_SIM_M_SIZE & 7), e;
    if (in->kind != XG_SIM_K_ST) return false;
    for (e = 0; e < in->n; e++)
        if (memcmp(p + e * size, xg_sim_slot(w, v, w->m->list[in->list + e]) + (size_t)lane * in->dbytes, size) != 0)
            return false;
    return true;
}
/* Bytes [at, at + n) of a piece of memory that lies at base; lanes of `each` bytes side by side from `lane` on. False
 * after a fault. */
XG_FN bool xg_sim_track_bytes(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane,
    uint32_t each, const xg_sim_marks *m, const char *base, uint64_t at, uint64_t n, bool write, const char *what) {
    uint64_t from = at;
    xg_sim_clash k;
    while (!xg_sim_track(w->m->moves, m, from, at + n, v->id & 31, write, &k)) {
        uint32_t of = lane + (uint32_t)((XG_MAX(k.at, at) - at) / each);
        if (!write || !xg_sim_store_same(w, v, in, of, base + at + (size_t)(of - lane) * each)) {
            xg_sim_clash_fault(w, v, in, of, m, &k, what, write);
            return false;
        }
        from = k.at / 4 * 4 + 4;
        if (from >= at + n) return true;
    }
    return true;
}

XG_INLINE_FAST xg_sim_marks xg_sim_marks_global(
    const xg_sim_worker *w, const xg_sim_ins *in, bool write) { /* of the buffer w->last */
    const xg_sim_buffer *b = &w->last;
    const xg_sim_tags t = xg_sim_tags_of(b);
    xg_sim_marks m;
    m.line_w = t.line_w;
    m.w = t.w;
    m.line_r = t.line_r;
    m.r = b->readonly ? NULL : t.r;
    m.floor = w->launch_tag;
    m.block = w->block_tag;
    m.tag = w->tracked ? w->tag : 0;
    m.least = w->l->unchecked_global ? 0 : 1;
    m.races = w->tracked;
    m.fenced = w->fences && w->watches;
    m.constant = m.read_only = false;
    if (w->m->constants && w->tracked && m.r && b->shadow) xg_sim_constant_marks(w, in, b, &m, write);
    return m;
}

XG_FN void xg_sim_fresh_fault(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane,
    xg_sim_fresh is, size_t at, bool read) {
    const char *what = read ? "read" : "write";
    if (is == XG_SIM_PENDING || is == XG_SIM_COPYING)
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_ASYNC,
            "%s of shared memory at offset %zu, which an asynchronous copy is still to write: wait for it first", what,
            at);
    else if (is == XG_SIM_COPIED)
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_RACE,
            "%s of shared memory at offset %zu, which a cp.async of another warp writes: its thread has waited for it, "
            "but there was no barrier since",
            what, at);
    else if (is == XG_SIM_LENT)
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_ASYNC,
            "%s of shared memory at offset %zu, which an asynchronous copy is still to read: wait for it first", what,
            at);
    else if (is == XG_SIM_MBARRIER)
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_MBARRIER,
            "%s of shared memory at offset %zu, where a memory barrier is: only mbarrier instructions may touch it "
            "before mbarrier.inval",
            what, at);
    else
        xg_sim_fault(w, v, in, lane, XG_SIM_FAULT_UNWRITTEN,
            "read of shared memory at offset %zu, which no thread of the block has written", at);
}
/* Is a word of shared memory written, all of it? */
XG_ONE_COPY XG_INLINE_FAST bool xg_sim_word_written(const xg_sim_worker *w, size_t at) {
    return w->marks[at / 4] - w->shared_block < XG_SIM_TAG_BYTES - w->shared_block;
}
/* The same of 16 bytes that begin with a word. */
XG_INLINE bool xg_sim_chunk_written(const xg_sim_worker *w, size_t at) {
    uint32_t i, n = 0;
    for (i = 0; i < 16; i += 4) n += xg_sim_word_written(w, at + i);
    return n == 4;
}
/* Nothing speaks against this access to word k of a block's shared memory, all of whose bytes are alike. */
XG_INLINE bool xg_sim_word_fresh(const xg_sim_worker *of, size_t k, xg_sim_does does) {
    const uint32_t tag = of->marks[k];
    uint32_t states;
    if ((tag & ~XG_SIM_TAG_BYTES) < of->shared_block) return does == XG_SIM_WRITES;
    if (!(tag & XG_SIM_TAG_BYTES)) return true;
    memcpy(&states, of->shadow + 4 * k, 4);
    return states == (does == XG_SIM_READS       ? XG_SIM_LENT * 0x01010101u
                         : does == XG_SIM_WRITES ? XG_SIM_UNWRITTEN * 0x01010101u
                                                 : XG_SIM_WRITTEN * 0x01010101u);
}
/* May these bytes of the block `of`, which is w's or another one of its cluster, be read or written now? */
XG_FN bool xg_sim_fresh_bytes(xg_sim_worker *w, xg_sim_worker *of, const xg_sim_warp *v, const xg_sim_ins *in,
    uint32_t lane, uint32_t each, size_t at, size_t n, xg_sim_does does) {
    size_t i = at;
    if (w->l->unchecked_shared) return true;
    if (!((at | n) & 15) && w->m->moves->within(of->marks + at / 4, n / 4, of->shared_block, XG_SIM_TAG_BYTES - 1))
        return true;
    while (i < at + n) {
        xg_sim_fresh is;
        if (xg_sim_word_fresh(of, i / 4, does)) {
            i = i / 4 * 4 + 4;
            continue;
        }
        is = xg_sim_byte_state(of, i);
        if (is == XG_SIM_COPYING && (is = xg_sim_copy_state(of, v, i)) == XG_SIM_WRITTEN) continue; /* with its word */
        if (is == XG_SIM_WRITTEN || (is == XG_SIM_UNWRITTEN && does == XG_SIM_WRITES) ||
            (is == XG_SIM_LENT && does == XG_SIM_READS)) {
            i++;
            continue;
        }
        xg_sim_fresh_fault(w, v, in, lane + (uint32_t)((i - at) / each), is, i, does == XG_SIM_READS);
        return false;
    }
    return true;
}
/* Reads are kept, not noted (shadow.c): all checks of shared memory are on. */
XG_INLINE bool xg_sim_keeps_reads(const xg_sim_worker *w) { return !w->l->unchecked_shared && !w->l->unchecked_races; }
XG_FN bool xg_sim_shadow_shared(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane,
    uint32_t each, size_t at, size_t n, xg_sim_does does, bool strong) {
    xg_sim_marks m;
    bool write = does == XG_SIM_WRITES;
    if (strong && n == 4 && !(at & 3) && xg_sim_word_written(w, at)) return true;
    if (does == XG_SIM_READS && !strong && !((at | n) & 15) && xg_sim_keeps_reads(w) &&
        w->m->moves->within(w->marks + at / 4, n / 4, w->shared_block, w->shared_tag)) {
        xg_sim_shared_read(w, w->shared_tag | (v->id & 31), XG_SIM_READ_STEPS, (uint32_t)at, (uint32_t)(n / 4), 4);
        return true;
    }
    m = xg_sim_marks_shared(w);
    if (!strong && !(at & 3)) {
        if (n & 15 ? !(n & 3) && xg_sim_track_few(&m, at / 4, n / 4, m.tag | (v->id & 31), write)
                   : xg_sim_track_quads(w->m->moves, &m, at / 4, n / 4, m.tag | (v->id & 31), write))
            return true;
    }
    if (!xg_sim_fresh_bytes(w, w, v, in, lane, each, at, n, does)) return false;
    if (strong) {
        if (does != XG_SIM_READS) xg_sim_set_bytes(w, at, n, XG_SIM_WRITTEN, true);
        return true;
    }
    if (write) xg_sim_set_bytes(w, at, n, XG_SIM_WRITTEN, false);
    m.least = 0;
    return xg_sim_track_bytes(w, v, in, lane, each, &m, w->shared, at, n, write, "shared memory");
}
/* In the buffer w->last. Atomics and strong accesses only need and leave written memory. */
XG_RACY XG_FN bool xg_sim_shadow_global(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, uint32_t lane,
    uint32_t each, uint64_t address, uint64_t n, xg_sim_does does, bool strong) {
    const xg_sim_buffer *b = &w->last;
    uint64_t at = address - b->base, k;
    char what[XG_SIM_PLACE_MAX];
    xg_sim_marks m = xg_sim_marks_global(w, in, does != XG_SIM_READS);
    xg_sim_clash c;
    bool write = does == XG_SIM_WRITES;
    if (!b->shadow) return true;
    if (strong) {
        if (!xg_sim_scope(w, v, in, lane, &m, at, n, does != XG_SIM_READS) ||
            !xg_sim_constant_check(w, v, in, lane, each, &m, at, n, does != XG_SIM_READS))
            return false;
        for (k = at / 4; k <= (at + n - 1) / 4; k++) {
            if (xg_sim_tag_at(m.line_w, m.w, k)) continue;
            if (write || !m.least) {
                xg_sim_split(m.line_w, m.w, k / XG_SIM_LINE_WORDS);
                m.w[k] = XG_SIM_TAG_OLD;
                continue;
            }
            c.at = k * 4;
            c.tag = 0;
            c.kind = XG_SIM_CLASH_UNWRITTEN;
            xg_sim_buffer_text(b, true, what, sizeof what);
            xg_sim_clash_fault(w, v, in, lane + (uint32_t)((XG_MAX(k * 4, at) - at) / each), &m, &c, what, false);
            return false;
        }
        return true;
    }
    if (!xg_sim_constant_check(w, v, in, lane, each, &m, at, n, write)) return false;
    if (xg_sim_track(w->m->moves, &m, at, at + n, v->id & 31, write, &c)) return true;
    xg_sim_buffer_text(b, true, what, sizeof what);
    return xg_sim_track_bytes(w, v, in, lane, each, &m, (const char *)(uintptr_t)b->base, at, n, write, what);
}
/* Words of shared memory that the block has written before this interval, one of each lane of a FEW: the read is kept.
 * Where all lie in one row of the banks its tags are looked at as they stand. */
XG_FN bool xg_sim_shadow_words(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_reach *r) {
    const uint32_t *off = r->to.off, row = off[0] & ~127u;
    uint32_t tags[XG_SIM_WARP];
    if (r->bytes != 4 || !r->shared || !xg_sim_keeps_reads(w)) return false;
    if (!(row + 128 <= w->l->shared_bytes && xg_sim_in_bank_row(off) &&
            w->m->moves->within(w->marks + row / 4, XG_SIM_WARP, w->shared_block, w->shared_tag))) {
        w->m->moves->gather((char *)tags, (const char *)w->marks, off);
        if (!w->m->moves->within(tags, XG_SIM_WARP, w->shared_block, w->shared_tag)) return false;
    }
    w->m->moves->copy((char *)xg_sim_shared_read_row(w, w->shared_tag | (v->id & 31), XG_SIM_READ_LANES),
        (const char *)off, 4 * XG_SIM_WARP);
    return true;
}
/* Scattered whole words of a FEW. */
XG_APART XG_FN bool xg_sim_shadow_lanes(
    xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, const xg_sim_reach *r, bool write) {
    xg_sim_marks m;
    uint32_t bytes;
    size_t skip;
    if (r->shape != XG_SIM_FEW || r->bytes & 3 || (!r->shared && !w->last.shadow)) return false;
    if (!write && xg_sim_shadow_words(w, v, r)) return true;
    m = r->shared ? xg_sim_marks_shared(w) : xg_sim_marks_global(w, in, write);
    skip = (size_t)((uint64_t)(uintptr_t)r->at - (r->shared ? (uint64_t)(uintptr_t)w->shared : w->last.base)) / 4;
    m.w += skip;
    if (m.r) m.r += skip;
    if (m.line_w) {
        m.line_w += 2 * (skip / XG_SIM_LINE_WORDS);
        m.line_r += 2 * (skip / XG_SIM_LINE_WORDS);
    } /* skip is whole lines */
    if (r->bytes == 16 && m.line_w && !write && xg_sim_track_tiles(w->m->moves, &m, r->to.off, m.tag | (v->id & 31)))
        return true;
    for (bytes = 0; bytes < r->bytes; bytes += 4, m.w++, m.r += m.r ? 1 : 0)
        /* the words before are noted, and will be again */
        if (!xg_sim_track_lanes(w->m->moves, &m, r->to.off, m.tag | (v->id & 31), write)) return false;
    return true;
}
/* Scattered reads of global memory, of which neighbouring lanes have whole lines: rows of tiles. */
XG_FN bool xg_sim_shadow_rows(
    xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, const xg_sim_reach *r, uint32_t mask) {
    xg_sim_marks m;
    uint64_t lines[XG_SIM_WARP / 4];
    uint32_t i, n = 0;
    if (!r->shared && w->last.shadow)
        n = xg_sim_rows_of(r, (uint64_t)(uintptr_t)r->at - w->last.base, mask, r->bytes, lines);
    if (!n) return false;
    m = xg_sim_marks_global(w, in, false);
    for (i = 0; i < n; i++)
        if (!xg_sim_track_line(w->m->moves, &m, lines[i], m.tag | (v->id & 31), false)) return false;
    return true;
}
/* 16 bytes of each lane of what the block has written before this interval of shared memory: rows of tiles. */
XG_FN bool xg_sim_shadow_tiles(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_reach *r) {
    const uint32_t skip = (uint32_t)(r->at - w->shared);
    uint32_t off[XG_SIM_WARP], i, *row;
    if (r->shape != XG_SIM_FEW || !r->shared || r->bytes != 16 || !xg_sim_keeps_reads(w)) return false;
    for (i = 0; i < XG_SIM_WARP; i++) off[i] = skip + r->to.off[i];
    if (!w->m->moves->rows_within(w->marks, off, w->shared_block, w->shared_tag)) {
        if (!w->copy_words) return false;
        for (i = 0; i < XG_SIM_WARP; i++) xg_sim_copy_settle(w, v, off[i]);
        if (!w->m->moves->rows_within(w->marks, off, w->shared_block, w->shared_tag)) return false;
    }
    row = xg_sim_shared_read_row(w, w->shared_tag | (v->id & 31), XG_SIM_READ_TILES);
    w->m->moves->copy((char *)row, (const char *)off, sizeof off);
    return true;
}
/* The distances of the words that bytes lie in, below 2^31: two at once, as numbers (copies.c says why). */
XG_FN void xg_sim_words_of(uint32_t *words, const uint32_t *off, uint32_t skip) {
    const uint64_t add = (uint64_t)skip << 32 | skip;
    uint64_t two;
    uint32_t i;
    for (i = 0; i < XG_SIM_WARP; i += 2) {
        memcpy(&two, off + i, 8);
        two = (two + add) & 0xFFFFFFFCFFFFFFFCu;
        memcpy(words + i, &two, 8);
    }
}
/* One or two bytes of each lane, the same: elements that a warp gathers one by one. */
XG_FN bool xg_sim_shadow_parts(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_reach *r) {
    const uint32_t skip = (uint32_t)(r->at - w->shared);
    uint32_t words[XG_SIM_WARP], tags[XG_SIM_WARP], i, *row;
    if (r->shape != XG_SIM_FEW || !r->shared || !xg_sim_keeps_reads(w)) return false;
    xg_sim_words_of(words, r->to.off, skip);
    w->m->moves->gather((char *)tags, (const char *)w->marks, words);
    if (!w->m->moves->within(tags, XG_SIM_WARP, w->shared_block, w->shared_tag)) {
        if (!w->copy_words) return false;
        for (i = 0; i < XG_SIM_WARP; i++)
            if (tags[i] & XG_SIM_TAG_BYTES) xg_sim_copy_settle(w, v, words[i] & ~15u);
        w->m->moves->gather((char *)tags, (const char *)w->marks, words);
        if (!w->m->moves->within(tags, XG_SIM_WARP, w->shared_block, w->shared_tag)) return false;
    }
    row = xg_sim_shared_read_row(w, w->shared_tag | (v->id & 31), XG_SIM_READ_PARTS);
    w->m->moves->copy((char *)row, (const char *)words, sizeof words);
    for (i = 0; i < XG_SIM_WARP && r->bytes != 1; i++) row[i] = skip + r->to.off[i];
    w->reads[w->n_reads - 1].n = (uint16_t)r->bytes;
    return true;
}
/* Atomics on scattered words of shared memory that are written: all there is to see. */
XG_FN bool xg_sim_shadow_strong(const xg_sim_worker *w, const xg_sim_reach *r, uint32_t bytes) {
    uint32_t i, bad = 0;
    if (r->shape != XG_SIM_FEW || !r->shared || bytes != 4) return false;
    for (i = 0; i < XG_SIM_WARP; i++) bad |= !xg_sim_word_written(w, r->to.off[i]);
    return !bad;
}
/* An access while the other side of a race is looked for. */
XG_FN void xg_sim_watch_access(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, const xg_sim_reach *r,
    uint32_t mask, uint32_t bytes, bool write) {
    xg_sim_search *t = &w->watch;
    const uint32_t pc = (uint32_t)(in - w->m->code);
    uint32_t i, hit = 0;
    for (i = 0; i < XG_SIM_WARP; i++) {
        const uint64_t at = mask >> i & 1 ? (uint64_t)(uintptr_t)xg_sim_reach_at(r, i) : 0;
        hit |= at && at < t->at / 4 * 4 + 4 && at + bytes > t->at / 4 * 4;
    }
    if (!hit || t->over) return;
    if (v->id == t->mine && pc == t->pc)
        w->faulted = t->over = true; /* far enough */
    else if (write == t->write && (t->warp == XG_SIM_NOREG ? v->id != t->mine : v->id == t->warp))
        t->found = pc;
}
XG_FN bool xg_sim_late_reads(xg_sim_worker *w, const xg_sim_worker *of, const xg_sim_warp *v, const xg_sim_ins *in,
    uint32_t lane, size_t at, size_t n); /* wgmma.c */
/* The same of each lane that writes. */
XG_FN bool xg_sim_late_lanes(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, const xg_sim_reach *r,
    uint32_t mask, uint32_t bytes) {
    uint32_t i;
    for (i = 0; i < XG_SIM_WARP; i++) {
        const size_t at = mask >> i & 1 ? (size_t)(xg_sim_reach_at(r, i) - w->shared) : w->l->shared_bytes;
        if (at < w->l->shared_bytes && !xg_sim_late_reads(w, w, v, in, i, at, bytes)) return false;
    }
    return true;
}
/* A whole access; false after a fault. */
XG_FN bool xg_sim_shadow(xg_sim_worker *w, const xg_sim_warp *v, const xg_sim_ins *in, const xg_sim_reach *r,
    uint32_t mask, uint32_t bytes, xg_sim_does does, bool strong) {
    const char *before = NULL;
    uint32_t i, lanes = r->shape == XG_SIM_RUN ? XG_SIM_WARP : 1;
    if (XG_UNLIKELY(w->watch.running)) xg_sim_watch_access(w, v, in, r, mask, bytes, does != XG_SIM_READS);
    if (w->faulted) return false;
    if (r->shape == XG_SIM_ANY ? w->unchecked
        : r->shared            ? w->l->unchecked_shared && w->l->unchecked_races
                               : w->l->unchecked_global && !w->tracked)
        return true;
    if (r->shape == XG_SIM_RUN || (r->shape == XG_SIM_ONE && does != XG_SIM_WRITES)) {
        i = r->shape == XG_SIM_RUN ? 0 : xg_sim_first_lane(mask);
        if (r->shared)
            return xg_sim_shadow_shared(
                w, v, in, i, bytes, (size_t)(r->at - w->shared), (size_t)bytes * lanes, does, strong);
        return xg_sim_shadow_global(
            w, v, in, i, bytes, (uint64_t)(uintptr_t)r->at, (uint64_t)bytes * lanes, does, strong);
    }
    if (!strong && does == XG_SIM_READS && bytes <= 2 && xg_sim_shadow_parts(w, v, r)) return true;
    if (!strong && does == XG_SIM_READS && bytes >= 8 &&
        (r->shared ? xg_sim_shadow_tiles(w, v, r) : xg_sim_shadow_rows(w, v, in, r, mask)))
        return true;
    if (strong ? xg_sim_shadow_strong(w, r, bytes)
               : does != XG_SIM_UPDATES && xg_sim_shadow_lanes(w, v, in, r, does == XG_SIM_WRITES))
        return true;
    for (i = 0; i < XG_SIM_WARP; i++) {
        const char *p;
        if (!(mask >> i & 1)) continue;
        p = xg_sim_reach_at(r, i);
        if (p == before && does == XG_SIM_READS) continue;
        before = p;
        if ((uint64_t)(p - w->shared) < w->l->shared_bytes) {
            if (!xg_sim_shadow_shared(w, v, in, i, bytes, (size_t)(p - w->shared), bytes, does, strong)) return false;
        } else if (xg_sim_in_last(w, (uint64_t)(uintptr_t)p, bytes) ||
                   xg_sim_find_buffer(w, (uint64_t)(uintptr_t)p, bytes)) {
            if (!xg_sim_shadow_global(w, v, in, i, bytes, (uint64_t)(uintptr_t)p, bytes, does, strong)) return false;
        } else if (w->cluster->n > 1 && !w->l->unchecked_shared) { /* another block's shared memory */
            xg_sim_worker *of = xg_sim_owner(w, p);
            if (of && !xg_sim_fresh_bytes(w, of, v, in, i, bytes, (size_t)(p - of->shared), bytes, does)) return false;
            if (of && does == XG_SIM_WRITES)
                xg_sim_set_bytes(of, (size_t)(p - of->shared), bytes, XG_SIM_WRITTEN, true);
        }
    }
    return true;
}

#endif /* XG_SIM_MEMORY_C */
