/* sched/tile_split.c -- few tiles meet a long sum: several blocks have a tile together, and meet in memory.
 *
 * Each sums up a part of k, as blocks of a cluster do (tile_emit.c), but no cluster is needed: each leaves its sums in
 * scratch memory, and counts itself. The last one to come adds up what all have left, in the order of the parts,
 * whichever block it is, puts it where its own sums were in shared memory, and goes on as a tile's only block. The
 * counter goes round to zero by itself.
 *
 * Clusters meet so, too: a block leaves what all of its cluster have of its part of the result, and meets the blocks
 * of the same rank. */
#ifndef XG_SCHED_TILE_SPLIT_C
#define XG_SCHED_TILE_SPLIT_C
#include "tile.h"

enum {
    XG_TILE_SPLIT_MAX = 128,    /* blocks of a tile */
    XG_TILE_SPLIT_STEPS = 2,    /* of a block, at least */
    XG_TILE_SPLIT_CLOCKS = 250, /* of a block: barriers around its count, addresses */
    XG_TILE_SPLIT_FLIGHT = 64,  /* words of a thread that are on their way at a time (XG_KEST_FLIGHT) ... */
    XG_TILE_SPLIT_TOGETHER = 16 /* ... of so many blocks at most */
};

/* ---- the plan ---- */

XG_FN int64_t xg_tile_sharers(const xg_tile_plan *p) { return (int64_t)p->shape.cluster * p->shape.split; }
XG_FN int64_t xg_tile_cluster_blocks(const xg_tile_plan *p) {
    if (xg_tile_is_pair(p)) return xg_tile_pairs_cluster(p);
    return p->shape.cluster > 1 ? p->shape.cluster : p->shape.multicast ? 2 : 0;
}
/* Elements of a part of the tile's rows that a thread leaves; those that it leaves together. */
XG_FN int64_t xg_tile_split_own(const xg_tile_plan *p) {
    return p->shape.m / p->parts * p->shape.n / (p->threads * p->shape.cluster);
}
XG_FN int64_t xg_tile_split_vector(const xg_tile_plan *p) {
    if (p->shape.cluster > 1) return XG_MAX(p->out_vector, (int64_t)1);
    return xg_gcd(xg_tile_split_own(p), XG_TILE_ACCESS_BYTES / xg_type_bytes(p->form.sum));
}
XG_FN int64_t xg_tile_split_vectors(const xg_tile_plan *p) { return xg_tile_split_own(p) / xg_tile_split_vector(p); }
/* Blocks whose sums are read together: that many at most, of which the split is a multiple. */
XG_FN int64_t xg_tile_split_most(const xg_tile_plan *p) {
    int64_t words = xg_tile_split_own(p) * xg_type_bytes(p->form.sum) / XG_TILE_WORD_BYTES;
    int64_t n = XG_MAX(XG_TILE_SPLIT_FLIGHT / XG_MAX(words, (int64_t)1), (int64_t)1);
    return XG_MIN(n, (int64_t)XG_TILE_SPLIT_TOGETHER);
}
XG_FN int64_t xg_tile_split_together(const xg_tile_plan *p) {
    int64_t n = xg_tile_split_most(p);
    while (p->shape.split % n) n--;
    return n;
}
XG_FN int64_t xg_tile_split_elements(const xg_tile_plan *p) {
    return p->shape.split > 1 ? xg_cost_mul(p->blocks / p->shape.cluster, (int64_t)p->shape.m * p->shape.n) : 0;
}
/* What blocks have left is there, and has been counted; then the last one reads it. */
XG_FN int64_t xg_tile_split_each(const xg_tile_plan *p) {
    return xg_tile_split_own(p) * p->parts * p->threads * xg_type_bytes(p->form.sum) / XG_COST_PORT_BYTES;
}
XG_FN int64_t xg_tile_split_least(const xg_tile_plan *p, const xg_device *m, int64_t split, int64_t reads) {
    int64_t each = xg_tile_split_each(p);
    return XG_TILE_SPLIT_CLOCKS + 2 * m->l2_latency + each + XG_MAX(reads, split * each);
}
XG_FN int64_t xg_tile_split_clocks(const xg_tile_plan *p, const xg_device *m) {
    if (p->shape.split == 1) return 0;
    return xg_tile_split_least(
        p, m, p->shape.split, p->parts * (p->shape.split / xg_tile_split_together(p)) * m->l2_latency);
}
/* Of a cluster each block adds up what it makes results of: rounds of all its threads, one behind the other. */
XG_FN bool xg_tile_split_suits_cluster(const xg_tile_plan *p) {
    xg_tile_walk w = xg_tile_walk_of(p, p->shape.m / p->parts, p->shape.n);
    return p->shape.cluster == 1 || (p->shape.grouped && p->bulk && w.columns == w.line &&
                                        w.rows * w.columns == w.threads && w.vector == xg_tile_split_vector(p));
}
/* The multiprocessors of a cluster lie in one of eight parts of the chip, which has 16 or more: each runs as many
 * clusters as fit there, of three or five blocks fewer than all multiprocessors would hold. */
XG_FN bool xg_tile_clusters_run(const xg_tile_plan *p, const xg_device *m) {
    enum {
        PARTS = 8,
        EACH = 16
    };
    int64_t blocks = xg_tile_cluster_blocks(p);
    return !(blocks & (blocks - 1)) ||
           p->blocks / blocks <= XG_MIN(m->sm_count / EACH, (int64_t)PARTS) * (EACH / blocks);
}
/* Its tiles leave multiprocessors idle. */
XG_FN bool xg_tile_may_split(const xg_tile_plan *p, const xg_device *m) {
    const xg_tile_shape *s = &p->shape;
    int64_t bytes = xg_type_bytes(p->form.sum);
    return !p->alone && !xg_device_is_cpu(m) && (!p->patch.places || p->patch.of == XG_TILE_K) &&
           !xg_tile_has_rows(p) && p->form.hero->op != XG_RAGGED_DOT && s->stays + s->stores == 0 &&
           (!s->multicast || s->cluster > 1) && s->m / p->parts * s->n % (p->threads * s->cluster) == 0 &&
           xg_tile_split_suits_cluster(p) && (bytes == 4 || bytes == 8) && !(xg_type_class(p->form.sum) & XGT_C) &&
           p->blocks < (int64_t)m->sm_count && p->all_steps >= 2 * XG_TILE_SPLIT_STEPS * s->cluster;
}
/* So many that blocks fill the device once, twice ..., and that some are read together; none is empty. */
XG_FN uint32_t xg_tile_splits(const xg_tile_plan *p, const xg_record *given, const xg_device *m, int32_t *parts) {
    const xg_numbers *want = given ? xg_record_get(&given->form, "split") : NULL;
    int64_t all = p->all_steps / p->shape.cluster, most = XG_MIN((int64_t)XG_TILE_SPLIT_MAX, all / XG_TILE_SPLIT_STEPS),
            waves, k;
    uint32_t n = 0;
    if (!xg_tile_may_split(p, m)) return 0;
    for (waves = 1; waves <= XG_TILE_SPLIT_WAVES && !want; waves++) {
        k = XG_MIN(waves * m->sm_count / p->blocks, most);
        k -= k % XG_MIN(xg_tile_split_most(p), (int64_t)(k >= 16 ? 4 : k > 3 ? 2 : 1));
        k = xg_tile_over(all, xg_tile_over(all, XG_MAX(k, (int64_t)1)));
        if (k > 1 && (!n || k != parts[n - 1])) parts[n++] = (int32_t)k;
    }
    if (want && want->n == 1 && want->p[0] > 1 && want->p[0] <= XG_TILE_SPLIT_MAX) parts[n++] = (int32_t)want->p[0];
    return n;
}
XG_FN bool xg_tile_split_suits(const xg_tile_plan *p) {
    if (p->form.phased || (xg_tile_halo_steps(p) && p->steps % p->halo)) return false;
    return (xg_tile_sharers(p) - 1) * p->steps < p->all_steps;
}

/* ---- the kernel ---- */

XG_FN const xg_ktype *xg_tile_split_type(xg_tile_kernel *w) {
    return xg_kir_vector(w->s.b.m, xg_kelem_of(w->p->form.sum), xg_tile_split_vector(w->p));
}
XG_FN xg_kval *xg_tile_split_lane(xg_tile_kernel *w, xg_kval *v, int64_t lane) {
    xg_kval *o[2];
    o[0] = v;
    o[1] = xg_elem_index(&w->s, lane);
    return xg_kir_value(&w->s.b, XG_K_OP_VEXTRACT, o, 2, xg_kir_scalar(w->s.b.m, v->type->elem));
}
XG_FN xg_kval *xg_tile_split_plus(xg_tile_kernel *w, xg_kval *a, xg_kval *b) {
    xg_kval *all = a, *o[3];
    int64_t k;
    for (k = 0; k < a->type->elements; k++) {
        xg_elem x = xg_elem_real(xg_tile_split_lane(w, a, k));
        o[0] = xg_tile_plus(w, x, xg_elem_real(xg_tile_split_lane(w, b, k))).v;
        o[1] = all;
        o[2] = xg_elem_index(&w->s, k);
        all = xg_kir_value(&w->s.b, XG_K_OP_VINSERT, o, 3, a->type);
    }
    return all;
}
XG_FN xg_kval *xg_tile_split_read(xg_tile_kernel *w, xg_kval *array, xg_kval *spot) {
    xg_kval *o[2];
    o[0] = array;
    o[1] = spot;
    return xg_kir_value(&w->s.b, XG_K_OP_READ, o, 2, xg_tile_split_type(w));
}
/* Where the thread's vector k of a part lies: of some blocks, one behind the other, in memory; in shared memory. */
XG_FN xg_kval *xg_tile_split_spot(
    xg_tile_kernel *w, xg_kval *blocks, int64_t together, int64_t block, int64_t part, int64_t k) {
    const xg_tile_plan *p = w->p;
    xg_aff_ctx *x = w->s.b.m->aff;
    int64_t counts[2], vectors = xg_tile_split_vectors(p), each = p->parts * vectors;
    const xg_aff *at =
        xg_aff_add_k(x, xg_aff_mul(x, xg_aff_dim_0(x), together * each), block * each + part * vectors + k);
    xg_kval *of[2];
    counts[0] = p->blocks / together;
    counts[1] = p->threads;
    of[0] = blocks;
    of[1] = w->thread;
    at = xg_aff_mul(x, xg_aff_add_mul(x, xg_aff_dim_1(x), at, counts[1]), xg_tile_split_vector(p));
    return xg_tile_apply(w, counts, 2, at, of);
}
XG_FN xg_kval *xg_tile_split_place(xg_tile_kernel *w, int64_t k) {
    const xg_tile_plan *p = w->p;
    xg_aff_ctx *x = w->s.b.m->aff;
    int64_t all = p->threads * p->shape.cluster;
    xg_kval *thread = w->rank ? xg_tile_join(w, w->rank, p->threads, w->thread) : w->thread;
    const xg_aff *at = xg_aff_add_k(x, xg_aff_dim_0(x), k * all), *row;
    at = xg_aff_mul(x, at, xg_tile_split_vector(p));
    row = xg_aff_div(x, at, p->shape.n);
    at = xg_aff_add_mul(x, xg_aff_mod(x, at, p->shape.n), row, p->out_pitch);
    if (p->out_slant) at = xg_aff_add_mul(x, at, xg_aff_div(x, row, p->quad), p->out_slant);
    return xg_tile_apply(w, &all, 1, at, &thread);
}
XG_FN void xg_tile_split_wait(xg_tile_kernel *w, xg_kval **arrays, uint32_t n) {
    xg_kop *op = xg_shared_wait(&w->s.b, arrays, n);
    op->a = w->team ? w->p->threads : 0;
    op->b = w->team;
}
/* The block's sums of a part, which lie in shared memory, or those of all blocks of its cluster, go to scratch memory.
 */
XG_FN void xg_tile_split_leave(xg_tile_kernel *w, int64_t part) {
    int64_t n = xg_tile_split_vectors(w->p), k, j;
    for (k = 0; k < n; k++) {
        xg_kval *at = xg_tile_split_place(w, k), *v = xg_tile_split_read(w, w->rank ? w->peers[0] : w->shared, at);
        for (j = 1; j < w->p->shape.cluster; j++) v = xg_tile_split_plus(w, v, xg_tile_split_read(w, w->peers[j], at));
        xg_tile_put_into(w, &w->scratch, v, xg_tile_split_spot(w, w->block, 1, 0, part, k));
    }
}
/* What follows, up to the end of the flow, is done by the last block of the tile. */
XG_FN void xg_tile_split_meet(xg_tile_kernel *w, xg_flow *last) {
    xg_kval *o[2], *zero = xg_elem_index_0(&w->s), *arrays[3];
    int64_t parts = w->p->shape.split;
    xg_flow f;
    arrays[0] = w->scratch;
    arrays[1] = w->shared;
    arrays[2] = w->count;
    xg_tile_split_wait(w, arrays, 3);
    f = xg_flow_of(&w->s, &arrays[2]);
    xg_flow_if(&f, xg_kcmpi_int(&w->s.b, XG_CI_EQ, w->thread, 0));
    o[0] = w->counters;
    o[1] = xg_tile_quotient(w, w->block, parts);
    o[1] = xg_kir_value(&w->s.b, XG_K_OP_SHARED_AT, o, 2, xg_kir_pointer(w->s.b.m, XG_SPACE_GLOBAL));
    o[0] = xg_kconst_i32(&w->s.b, parts - 1);
    o[0] = xg_kir_value(&w->s.b, XG_K_OP_ATOM_INC, o, 2, o[0]->type);
    arrays[2] = xg_kinsert_at(&w->s.b, o[0], arrays[2], zero);
    xg_flow_end(&f);
    xg_tile_split_wait(w, arrays, 3);
    w->scratch = arrays[0];
    w->shared = arrays[1];
    xg_flow_slots(last, w->dest, w->e->n_roots);
    o[0] = xg_kextract(&w->s.b, arrays[2], &zero, 1);
    xg_flow_if(last, xg_kcmpi_int(&w->s.b, XG_CI_EQ, o[0], parts - 1));
    last->op->b = parts;
}
/* A part's sums of all blocks of the tile, in their order, into shared memory. */
XG_FN void xg_tile_split_total(xg_tile_kernel *w, int64_t part) {
    int64_t parts = w->p->shape.split, together = xg_tile_split_together(w->p), n = xg_tile_split_vectors(w->p), k, j;
    xg_kval **v = XG_NEW_N(w->e->arena, xg_kval *, n), *zero = xg_elem_index_0(&w->s), *blocks;
    xg_flow f = xg_flow_begin(&w->s);
    for (k = 0; k < n; k++) {
        v[k] = xg_kconst_bits(&w->s.b, xg_tile_split_type(w), 0);
        xg_flow_slot(&f, &v[k]);
    }
    parts /= together;
    f.rolled = true;
    blocks = xg_flow_for(&f, zero, xg_elem_index(&w->s, parts), 1, parts);
    if (f.op) f.op->flags |= KL_STEP_POINTERS;
    blocks = xg_tile_join(w, xg_tile_quotient(w, w->block, w->p->shape.split), parts, blocks);
    for (j = 0; j < together; j++)
        for (k = 0; k < n; k++) {
            xg_kval *spot = xg_tile_split_spot(w, blocks, together, j, part, k);
            v[k] = xg_tile_split_plus(w, v[k], xg_tile_split_read(w, w->scratch, spot));
        }
    xg_flow_end(&f);
    for (k = 0; k < n; k++) xg_tile_put_vector(w, v[k], xg_tile_split_place(w, k));
    xg_tile_wait(w);
}

#endif /* XG_SCHED_TILE_SPLIT_C */
