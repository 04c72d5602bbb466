/* indexing/access.c -- what an offset, as a function of thread and loop variables, means for memory: strides, vectors,
 * coalescing, banks.
 *
 * Strides and vectors are read off the expression, so they hold at every point. What a warp touches is counted: 32
 * values of the offset are computed and their sectors told apart, which is exact for those lanes and cheap. */
#ifndef XG_INDEXING_ACCESS_C
#define XG_INDEXING_ACCESS_C
#include "indexing.h"

enum {
    XG_ACCESS_POINTS = 512,
    XG_ACCESS_VARS = 64
};
#define XG_SECTOR ((int64_t)XG_SECTOR_BYTES)

XG_FN bool xg_indexing_stride(const xg_aff *e, const xg_aff *var, int64_t *stride) {
    uint32_t i;
    *stride = xg_aff_scale_of(e, var);
    if (e == var || !xg_aff_uses(e, var)) return true;
    if (e->kind != XG_AFF_SUM) return false;
    for (i = 0; i < e->n; i++)
        if (e->terms[i].of != var && xg_aff_uses(e->terms[i].of, var)) return false;
    return true;
}

XG_FN int64_t xg_indexing_vector_width(xg_aff_ctx *x, const xg_imap *m, uint32_t symbol, int64_t most) {
    const xg_aff *var = xg_aff_sym(x, symbol);
    xg_aff_env env = xg_imap_env(x, m);
    int64_t width = 1, w;
    if (!xg_imap_ok(m) || m->n_results != 1 || symbol >= m->n_syms || m->syms[symbol].range.lo != 0) return 1;
    /* the loop is cut into runs of w: var = w * outer + inner, so the rest must be a multiple of w and the loop a whole
     * number of runs */
    for (w = 2; w <= most && w <= m->syms[symbol].range.hi + 1; w *= 2) {
        const xg_aff *base = xg_aff_sub(x, m->results[0], var);
        int64_t stride;
        if ((m->syms[symbol].range.hi + 1) % w || !xg_indexing_stride(m->results[0], var, &stride) || stride != 1 ||
            !base)
            break;
        if (xg_aff_divisor(xg_aff_simplify(&env, base)) % w) break;
        width = w;
    }
    return width;
}

/* ---- a warp ---- */

/* Heap sort in place; the number of distinct values, which move to the front. */
XG_FN void xg_access_sift(int64_t *v, uint32_t root, uint32_t n) {
    for (;;) {
        uint32_t child = root * 2 + 1;
        int64_t t = v[root];
        if (child >= n) return;
        if (child + 1 < n && v[child] < v[child + 1]) child++;
        if (t >= v[child]) return;
        v[root] = v[child];
        v[child] = t;
        root = child;
    }
}
XG_FN uint32_t xg_access_distinct(int64_t *v, uint32_t n) {
    uint32_t i, distinct = 0;
    for (i = n / 2; i > 0; i--) xg_access_sift(v, i - 1, n);
    for (i = n; i > 1; i--) {
        int64_t t = v[0];
        v[0] = v[i - 1];
        v[i - 1] = t;
        xg_access_sift(v, 0, i - 1);
    }
    for (i = 0; i < n; i++)
        if (!distinct || v[i] != v[distinct - 1]) v[distinct++] = v[i];
    return distinct;
}

/* Units of `unit` bytes that n elements at these byte offsets lie in; an element larger than a unit fills several. */
XG_FN uint32_t xg_access_units(const int64_t *bytes, uint32_t n, int64_t size, int64_t unit) {
    int64_t v[XG_ACCESS_POINTS * 2];
    uint32_t i, many = 0;
    for (i = 0; i < n; i++) {
        v[many++] = xg_floor_div(bytes[i], unit);
        v[many++] = xg_floor_div(bytes[i] + XG_MIN(size, unit) - 1, unit);
    }
    return xg_access_distinct(v, many);
}

/* Passes over the banks: the most different words that one bank has to give. Elements wider than a word are served in
 * parts of a warp. */
XG_FN uint32_t xg_access_bank_passes(const int64_t *bytes, uint32_t n, int64_t size) {
    uint32_t words = (uint32_t)(size > XG_BANK_BYTES ? XG_MIN(size, 16) / XG_BANK_BYTES : 1),
             group = XG_WARP_LANES / words, from, total = 0;
    for (from = 0; from < n; from += group) {
        uint32_t bank, most = 0, i, w;
        for (bank = 0; bank < XG_BANKS; bank++) {
            int64_t v[XG_WARP_LANES];
            uint32_t many = 0;
            for (i = from; i < n && i < from + group; i++)
                for (w = 0; w < words; w++) {
                    int64_t word = xg_floor_div(bytes[i], XG_BANK_BYTES) + w;
                    if (xg_floor_mod(word, XG_BANKS) == (int64_t)bank) v[many++] = word;
                }
            most = XG_MAX(most, xg_access_distinct(v, many));
        }
        total += most;
    }
    return total;
}

/* The byte offsets of the lanes that are in the domain, appended; false when one is not known. */
XG_FN bool xg_access_lanes(const xg_imap *m, int64_t warp, int64_t *dims, const int64_t *syms, int64_t element_bytes,
    int64_t *bytes, uint32_t *n) {
    int64_t lane, last;
    for (lane = 0; lane < XG_WARP_LANES; lane++) {
        int64_t *at = &bytes[*n];
        dims[0] = warp * XG_WARP_LANES + lane;
        if (!xg_imap_in_domain(m, dims, syms)) continue;
        if (!xg_aff_eval(m->results[0], dims, syms, at) || !xg_mul64(*at, element_bytes, at) ||
            !xg_add64(*at, element_bytes, &last))
            return false;
        ++*n;
    }
    return true;
}

XG_FN bool xg_access_can_count(const xg_imap *m, int64_t element_bytes) {
    return xg_imap_ok(m) && m->n_results == 1 && m->n_dims > 0 && m->n_dims <= XG_ACCESS_VARS &&
           m->n_syms + m->n_rts <= XG_ACCESS_VARS && element_bytes > 0;
}
XG_FN void xg_access_least(const xg_imap *m, int64_t *dims, int64_t *syms) {
    uint32_t k;
    for (k = 0; k < m->n_dims; k++) dims[k] = m->dims[k].range.lo;
    for (k = 0; k < m->n_syms + m->n_rts; k++) syms[k] = m->syms[k].range.lo;
}
XG_FN uint32_t xg_access_least_sectors(const int64_t *bytes, uint32_t n, int64_t element_bytes) {
    int64_t copy[XG_ACCESS_POINTS];
    memcpy(copy, bytes, n * sizeof *copy);
    return (uint32_t)((xg_access_distinct(copy, n) * XG_MIN(element_bytes, XG_SECTOR) + XG_SECTOR - 1) / XG_SECTOR);
}

XG_FN xg_warp_access xg_indexing_warp(
    const xg_imap *m, int64_t warp, const int64_t *dims, const int64_t *syms, int64_t element_bytes) {
    int64_t d[XG_ACCESS_VARS], s[XG_ACCESS_VARS], bytes[XG_WARP_LANES + 1];
    xg_warp_access a;
    memset(&a, 0, sizeof a);
    if (!xg_access_can_count(m, element_bytes)) return a;
    xg_access_least(m, d, s);
    if (dims) memcpy(d, dims, m->n_dims * sizeof *d);
    if (syms) memcpy(s, syms, (m->n_syms + m->n_rts) * sizeof *s);
    if (!xg_access_lanes(m, warp, d, s, element_bytes, bytes, &a.lanes)) return a;
    a.known = true;
    a.sectors = xg_access_units(bytes, a.lanes, element_bytes, XG_SECTOR_BYTES);
    a.lines = xg_access_units(bytes, a.lanes, element_bytes, XG_LINE_BYTES);
    a.least_sectors = xg_access_least_sectors(bytes, a.lanes, element_bytes);
    a.shared_passes = xg_access_bank_passes(bytes, a.lanes, element_bytes);
    return a;
}

/* The loop over the range symbols is seen as one access: what its rounds share stays in the cache. */
XG_FN bool xg_indexing_is_coalesced(const xg_imap *m, int64_t element_bytes) {
    int64_t d[XG_ACCESS_VARS], s[XG_ACCESS_VARS], bytes[XG_ACCESS_POINTS];
    uint32_t n = 0, k;
    if (!xg_access_can_count(m, element_bytes)) return false;
    xg_access_least(m, d, s);
    do {
        if (!xg_access_lanes(m, 0, d, s, element_bytes, bytes, &n)) return false;
        for (k = m->n_syms; k-- > 0;) {
            if (++s[k] <= m->syms[k].range.hi) break;
            s[k] = m->syms[k].range.lo;
        }
    } while (k != UINT32_MAX && n + XG_WARP_LANES < XG_ACCESS_POINTS);
    return xg_access_least_sectors(bytes, n, element_bytes) * 10 >=
           xg_access_units(bytes, n, element_bytes, XG_SECTOR_BYTES) * 9;
}

#undef XG_SECTOR

#endif /* XG_INDEXING_ACCESS_C */
