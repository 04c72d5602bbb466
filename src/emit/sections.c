/* emit/sections.c -- several walks beside each other in one kernel: each has blocks of its own, which walk over its
 * shape as those of the loop emitter do.
 *
 * A block finds its section by halving, on its number alone, so no warp diverges; the code grows with the number of
 * sections, not with what a thread executes. What a thread has of a section and one access does not hold comes in
 * further rounds: of each element where nothing is aligned, so that a warp reads and writes neighbours. Large sections
 * that differ in one dimension at most, by no more than half, share threads: those of the largest make an element of
 * each, where there is one. */
#ifndef XG_EMIT_SECTIONS_C
#define XG_EMIT_SECTIONS_C
#include "emit.h"

typedef struct xg_sections_site {
    xg_fusion_emission *e;
    const xg_section *list;
    uint32_t n;
    int64_t *first;
    int64_t threads, vector;
    xg_section_fn body;
    void *data;
    xg_kval *thread, *block;
} xg_sections_site;

enum {
    XG_SECTIONS_SHARE_MAX = 8,
    XG_SECTIONS_SHARED_LIST_MAX = 128
};

/* The only dimension in which a section is shorter than the one whose threads make it; the rank: none is. */
XG_FN uint32_t xg_section_shorter(const xg_section *c, const xg_section *lead) {
    uint32_t k;
    for (k = 0; k < c->shape->rank && c->shape->dims[k] == lead->shape->dims[k];) k++;
    return k;
}
XG_FN bool xg_section_may_share(const xg_section *c, const xg_section *lead) {
    uint32_t k, differ = 0;
    if (c->shape->rank != lead->shape->rank || c->unroll != lead->unroll || c->apart != lead->apart ||
        !c->shape->elements)
        return false;
    for (k = 0; k < c->shape->rank; k++) {
        int64_t n = c->shape->dims[k], most = lead->shape->dims[k];
        differ += n != most;
        if (n > most || 2 * n < most || differ > 1 || xg_shape_major(c->shape, k) != xg_shape_major(lead->shape, k))
            return false;
    }
    return true;
}
XG_FN void xg_sections_share(const xg_fusion_emission *e, xg_section *list, uint32_t n) {
    uint32_t k, lead;
    if (n > XG_SECTIONS_SHARED_LIST_MAX) return;
    for (;;) {
        uint32_t members = 1;
        for (lead = n, k = 0; k < n; k++)
            if (!list[k].shares && (lead == n || list[k].shape->elements > list[lead].shape->elements)) lead = k;
        /* a thread each is still less than the device takes */
        if (lead == n || list[lead].shape->elements < e->target->resident_threads) break;
        list[lead].shares = lead + 1;
        for (k = 0; k < n && members < XG_SECTIONS_SHARE_MAX; k++)
            if (!list[k].shares && xg_section_may_share(&list[k], &list[lead])) {
                list[k].shares = lead + 1;
                members++;
            }
    }
    for (k = 0; k < n; k++)
        if (list[k].shares == k + 1) list[k].shares = 0;
}

XG_FN int64_t xg_section_blocks(const xg_section *c, int64_t threads) {
    return c->shares ? 0 : (c->shape->elements + c->unroll * threads - 1) / (c->unroll * threads);
}

XG_FN int64_t xg_sections_threads(const xg_section *list, uint32_t n) {
    int64_t most = 1;
    uint32_t k;
    for (k = 0; k < n; k++) most = XG_MAX(most, (list[k].shape->elements + list[k].unroll - 1) / list[k].unroll);
    return XG_MIN(most, (int64_t)XG_LAUNCH_THREADS);
}
XG_FN int64_t xg_sections_blocks(const xg_section *list, uint32_t n) {
    int64_t threads = xg_sections_threads(list, n), sum = 0;
    uint32_t k;
    for (k = 0; k < n; k++)
        if (!xg_add64(sum, xg_section_blocks(&list[k], threads), &sum)) return INT64_MAX;
    return sum;
}

/* The walk over a section by the threads of `lead`: only where it has elements. The test is one for all that a thread
 * has in a vector. */
XG_FN const xg_imap *xg_section_map(xg_sections_site *d, uint32_t which, uint32_t lead) {
    const xg_section *c = &d->list[which], *l = &d->list[lead];
    xg_aff_ctx *x = d->e->m->aff;
    int64_t vector = l->apart ? 1 : XG_MIN(l->unroll, d->vector), rounds = l->unroll / vector, inner = 1, unit;
    const xg_imap *map =
        xg_indexing_thread_rounds(x, l->shape, d->threads, d->first[lead + 1] - d->first[lead], rounds, vector);
    uint32_t shorter = xg_section_shorter(c, l), k;
    const xg_aff *at;
    if (shorter == l->shape->rank) return map;
    for (k = l->shape->rank; xg_shape_major(l->shape, k - 1) != shorter; k--)
        inner *= l->shape->dims[xg_shape_major(l->shape, k - 1)];
    unit = xg_gcd(vector, xg_gcd(c->shape->dims[shorter] * inner, l->shape->dims[shorter] * inner));
    at = xg_aff_div(x,
        xg_aff_mod(x, xg_indexing_thread_linear(x, d->threads, rounds, vector), l->shape->dims[shorter] * inner), unit);
    return xg_imap_with_constraint(x, map, at, xg_range_of(0, c->shape->dims[shorter] * inner / unit - 1));
}
XG_FN void xg_section_walk(xg_sections_site *d, xg_scope *s, uint32_t which, uint32_t lead, xg_kval **dest) {
    xg_fusion_emission *e = d->e;
    xg_aff_ctx *x = e->m->aff;
    const xg_imap *map = xg_section_map(d, which, lead);
    xg_imap *own = xg_imap_of_dims(x, 1, 1);
    xg_kval *dims[2], *at[XG_RANK_MAX], *args;
    xg_flow f = xg_flow_begin(s);
    uint32_t k;
    own->dims[0].name = XG_STR("bl_x");
    own->dims[0].range = xg_range_of(d->first[lead], d->first[lead + 1] - 1);
    own->results[0] = xg_aff_add_k(x, xg_aff_dim_0(x), -d->first[lead]);
    dims[0] = d->thread;
    dims[1] = d->block;
    xg_elem_apply(s, xg_imap_simplify(x, own), &d->block, &dims[1]);
    xg_flow_slots(&f, dest, e->n_roots);
    args = xg_flow_walk(&f, map, dims);
    for (k = 0; k < map->n_results; k++) {
        at[k] = &args[map->n_syms + k];
        xg_emit_name(e->m, at[k], "dim%u", k);
    }
    d->body(s, d->data, which, at, dest);
    xg_flow_end(&f);
}

XG_FN void xg_sections_range(xg_sections_site *d, xg_scope *s, uint32_t from, uint32_t to, xg_kval **dest) {
    xg_flow f = xg_flow_begin(s);
    uint32_t mid, k;
    while (from + 1 < to && d->first[from] == d->first[from + 1]) from++; /* such have no blocks of their own */
    while (from + 1 < to && d->first[to - 1] == d->first[to]) to--;
    if (to - from == 1) {
        xg_section_walk(d, s, from, from, dest);
        for (k = 0; k < d->n; k++)
            if (d->list[k].shares == from + 1) xg_section_walk(d, s, k, from, dest);
        return;
    }
    mid = from + (to - from) / 2;
    xg_flow_slots(&f, dest, d->e->n_roots);
    xg_flow_if(&f, xg_kcmpi_int(&s->b, XG_CI_SLE, d->block, d->first[mid] - 1));
    xg_sections_range(d, s, from, mid, dest);
    xg_flow_else(&f);
    xg_sections_range(d, s, mid, to, dest);
    xg_flow_end(&f);
}

/* What is ordered; NULL, or why it cannot be. */
XG_FN const char *xg_sections_obey(const xg_fusion_emission *e, xg_section *list, uint32_t n) {
    const xg_numbers *unroll = xg_record_get(&e->given->form, "unroll");
    int64_t share = !xg_form_is_whole(e);
    uint32_t k;
    (void)xg_form_number(e, "share", &share);
    for (k = 0; unroll && k < n; k++) {
        int64_t want = unroll->n == 1 ? unroll->p[0] : unroll->n == n ? unroll->p[k] : 0;
        if (want < 1 || list[k].unroll % want) return "unroll must divide what accesses of each section hold";
        list[k].unroll = want;
    }
    for (k = 0; k < n; k++) {
        if (!share) list[k].shares = 0;
        if (list[k].shares && list[k].unroll != list[list[k].shares - 1].unroll)
            return "sections that share threads have one unroll";
    }
    return NULL;
}
XG_FN void xg_sections_write(xg_fusion_emission *e, const xg_section *list, uint32_t n) {
    int64_t *unroll = XG_NEW_N(e->arena, int64_t, n + (size_t)1);
    bool share = false, same = true;
    uint32_t k;
    for (k = 0; k < n; k++) {
        unroll[k] = list[k].unroll;
        same = same && unroll[k] == unroll[0];
        share = share || list[k].shares;
    }
    if (n) xg_record_put(e->arena, &e->record->form, "unroll", unroll, same ? 1 : n);
    xg_form_put(e, "share", share);
}
XG_FN bool xg_sections_launch(xg_fusion_emission *e, xg_section *list, uint32_t n) {
    const char *why = e->given ? xg_sections_obey(e, list, n) : NULL;
    int64_t blocks = xg_sections_blocks(list, n);
    if (why) return xg_emit_refuse(e, why);
    xg_sections_write(e, list, n);
    if (blocks > INT32_MAX)
        xg_hlo_fail(
            e->fusion, XLAGPU_ERROR_LIMIT, NULL, "a kernel of %lld blocks; the limit is 2147483647", (long long)blocks);
    return xg_emit_launch(e, xg_sections_threads(list, n), XG_MAX(blocks, (int64_t)1), 0);
}
XG_FN void xg_emit_sections(xg_fusion_emission *e, const xg_section *list, uint32_t n, xg_section_fn body, void *data) {
    xg_sections_site d;
    xg_scope s;
    xg_kval **dest;
    uint32_t k;
    memset(&d, 0, sizeof d);
    d.e = e;
    d.list = list;
    d.n = n;
    d.body = body;
    d.data = data;
    d.threads = xg_sections_threads(list, n);
    d.vector = xg_emit_vector(e, 0);
    d.first = XG_NEW_N(e->arena, int64_t, n + 1);
    for (k = 0; k < n; k++) d.first[k + 1] = d.first[k] + xg_section_blocks(&list[k], d.threads);
    dest = xg_emit_enter(e, &s);
    d.thread = xg_kthread_id(&s.b, 0, d.threads);
    d.block = xg_kblock_id(&s.b, 0, XG_MAX(d.first[n], (int64_t)1));
    if (n) xg_sections_range(&d, &s, 0, n, dest);
    xg_kreturn(&s.b, dest, e->n_roots);
}

#endif /* XG_EMIT_SECTIONS_C */
