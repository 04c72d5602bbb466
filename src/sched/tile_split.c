/* sched/tile_split.c -- few tiles meet a long sum: several blocks have a tile together, and meet in memory.
 *
 * Each sums up a part of k, as blocks of a cluster do (tile_emit.c), but no cluster is needed: each leaves its sums in
 * scratch memory, as its threads have them, and counts itself. The last one to come adds up what all have left, in the
 * order of the parts, whichever block it is: its threads then have whole sums, and go on as those of a tile that was
 * one block's. The counter goes round to zero by itself. */
#ifndef XG_SCHED_TILE_SPLIT_C
#define XG_SCHED_TILE_SPLIT_C
#include "tile.h"

enum {
    XG_TILE_SPLIT_MAX = 128,    /* blocks of a tile */
    XG_TILE_SPLIT_STEPS = 2,    /* of a block, at least */
    XG_TILE_SPLIT_WAVES = 3,    /* so often they fill the device at most */
    XG_TILE_SPLIT_CLOCKS = 250, /* of a block: barriers around its count, addresses */
    XG_TILE_SPLIT_FLIGHT = 32   /* vectors of a thread that are on their way at a time, of four parts at most */
};

/* ---- the plan ---- */

XG_FN int64_t xg_tile_sharers(const xg_tile_plan *p) { return (int64_t)p->shape.cluster * p->shape.split; }
/* Elements that a thread leaves together. */
XG_FN int64_t xg_tile_split_vector(const xg_tile_plan *p) {
    return p->unit == XG_TILE_NO_UNIT ? xg_gcd(p->n_sums, XG_TILE_ACCESS_BYTES / xg_type_bytes(p->form.sum)) : 4;
}
XG_FN int64_t xg_tile_split_vectors(const xg_tile_plan *p) { /* of a thread */
    return p->unit == XG_TILE_NO_UNIT ? p->n_sums / xg_tile_split_vector(p) : p->n_sums / p->chains;
}
/* Parts that are read together. */
XG_FN int64_t xg_tile_split_together(const xg_tile_plan *p) {
    int64_t n = XG_MAX(XG_MIN(XG_TILE_SPLIT_FLIGHT / xg_tile_split_vectors(p), (int64_t)4), (int64_t)1);
    while (p->shape.split % n) n--;
    return n;
}
XG_FN int64_t xg_tile_split_elements(const xg_tile_plan *p) {
    int64_t each = xg_tile_split_vectors(p) * xg_tile_split_vector(p) * p->threads;
    return p->shape.split > 1 ? xg_cost_mul(p->blocks, each) : 0;
}
/* What blocks have left is there, and has been counted; then the last one reads it. */
XG_FN int64_t xg_tile_split_clocks(const xg_tile_plan *p, const xg_device *m) {
    int64_t part, reads;
    if (p->shape.split == 1) return 0;
    part = xg_tile_split_elements(p) / p->blocks * xg_type_bytes(p->form.sum) / XG_COST_PORT_BYTES;
    reads = p->shape.split / xg_tile_split_together(p) * m->l2_latency;
    return XG_TILE_SPLIT_CLOCKS + part + 2 * m->l2_latency + XG_MAX(reads, p->shape.split * part);
}
/* One that has been settled: its tiles leave multiprocessors idle. */
XG_FN bool xg_tile_may_split(const xg_tile_plan *p, const xg_device *m) {
    const xg_tile_shape *s = &p->shape;
    int64_t bytes = xg_type_bytes(p->form.sum);
    return !xg_device_is_cpu(m) && !p->patch.places && !xg_tile_has_rows(p) && p->form.hero->op != XG_RAGGED_DOT &&
           !p->in_tensor && !s->multicast && !s->stays && !s->stores && p->lanes == 1 && (bytes == 4 || bytes == 8) &&
           !(xg_type_class(p->form.sum) & XGT_C) && p->blocks < (int64_t)m->sm_count &&
           p->all_steps >= 2 * XG_TILE_SPLIT_STEPS;
}
/* Into how many parts, if blocks fill the device so often; none of them is empty. */
XG_FN int32_t xg_tile_split_parts(const xg_tile_plan *p, const xg_device *m, int64_t waves) {
    int64_t parts = XG_MIN(waves * m->sm_count / p->blocks, (int64_t)XG_TILE_SPLIT_MAX);
    parts = XG_MAX(XG_MIN(parts, p->all_steps / XG_TILE_SPLIT_STEPS), (int64_t)1);
    if (parts > 3) parts &= ~(int64_t)1; /* two are read together */
    return (int32_t)xg_tile_over(p->all_steps, xg_tile_over(p->all_steps, parts));
}

/* ---- the kernel ---- */

XG_FN const xg_ktype *xg_tile_split_type(xg_tile_kernel *w) {
    return xg_kir_vector(w->e->m, xg_kelem_of(w->p->form.sum), xg_tile_split_vector(w->p));
}
XG_FN xg_kval *xg_tile_split_lane(xg_tile_kernel *w, xg_kval *v, int64_t lane) {
    xg_kval *o[2];
    o[0] = v;
    o[1] = xg_elem_index(&w->s, lane);
    return xg_kir_value(&w->s.b, XG_K_OP_VEXTRACT, o, 2, xg_kir_scalar(w->e->m, v->type->elem));
}
/* Sums of both, lane by lane; b NULL: of numbers `lanes`. */
XG_FN xg_kval *xg_tile_split_plus(xg_tile_kernel *w, xg_kval *a, xg_kval *b, const xg_elem *lanes) {
    const xg_ktype *type = xg_tile_split_type(w);
    xg_kval *all = xg_kconst_bits(&w->s.b, type, 0), *o[3];
    int64_t k;
    for (k = 0; k < type->elements; k++) {
        o[0] = lanes ? lanes[k].v : NULL;
        if (!lanes) {
            xg_elem x = xg_elem_real(xg_tile_split_lane(w, a, k));
            o[0] = xg_tile_plus(w, x, xg_elem_real(xg_tile_split_lane(w, b, k))).v;
        }
        o[1] = all;
        o[2] = xg_elem_index(&w->s, k);
        all = xg_kir_value(&w->s.b, XG_K_OP_VINSERT, o, 3, type);
    }
    return all;
}
/* Where the thread's vector k of some blocks, one behind the other, lies. */
XG_FN xg_kval *xg_tile_split_spot(xg_tile_kernel *w, xg_kval *blocks, int64_t together, int64_t k) {
    xg_aff_ctx *x = w->e->m->aff;
    int64_t counts[2], vectors = xg_tile_split_vectors(w->p) * together;
    const xg_aff *at = xg_aff_add_k(x, xg_aff_mul(x, xg_aff_dim(x, 0), vectors), k);
    xg_kval *of[2];
    counts[0] = w->p->blocks / together;
    counts[1] = w->p->threads;
    of[0] = blocks;
    of[1] = w->thread;
    at = xg_aff_mul(x, xg_aff_add_mul(x, xg_aff_dim(x, 1), at, counts[1]), xg_tile_split_vector(w->p));
    return xg_tile_apply(w, counts, 2, at, of);
}
/* How many blocks of the tile have come before this one, as all of its threads know. */
XG_FN xg_kval *xg_tile_split_count(xg_tile_kernel *w) {
    xg_kval *o[2], *zero = xg_elem_index(&w->s, 0), *arrays[2];
    xg_flow f;
    xg_kop *op;
    arrays[0] = w->scratch;
    arrays[1] = w->count;
    op = xg_shared_wait(&w->s.b, arrays, 2);
    op->a = w->team ? w->p->threads : 0;
    op->b = w->team;
    f = xg_flow_of(&w->s, &arrays[1]);
    xg_flow_if(&f, xg_kcmpi_int(&w->s.b, XG_CI_EQ, w->thread, 0));
    o[0] = w->counters;
    o[1] = xg_tile_quotient(w, w->block, w->p->shape.split);
    o[1] = xg_kir_value(&w->s.b, XG_K_OP_SHARED_AT, o, 2, xg_kir_pointer(w->e->m, XG_SPACE_GLOBAL));
    o[0] = xg_kconst_int(&w->s.b, XG_E_I32, w->p->shape.split - 1);
    o[0] = xg_kir_value(&w->s.b, XG_K_OP_ATOM_INC, o, 2, o[0]->type);
    arrays[1] = xg_kinsert(&w->s.b, o[0], arrays[1], &zero, 1);
    xg_flow_end(&f);
    op = xg_shared_wait(&w->s.b, arrays, 2);
    op->a = w->team ? w->p->threads : 0;
    op->b = w->team;
    w->scratch = arrays[0];
    return xg_kextract(&w->s.b, arrays[1], &zero, 1);
}
/* The thread's vectors of all parts, in their order. */
XG_FN void xg_tile_split_total(xg_tile_kernel *w, xg_kval **v, int64_t n) {
    int64_t parts = w->p->shape.split, together = xg_tile_split_together(w->p), k, j;
    xg_kval *zero = xg_elem_index(&w->s, 0), *first, *part, *o[2];
    xg_flow f = xg_flow_of(&w->s, NULL);
    first = xg_tile_quotient(w, w->block, parts);
    for (k = 0; k < n; k++) {
        v[k] = xg_kconst_bits(&w->s.b, xg_tile_split_type(w), 0);
        xg_flow_slot(&f, &v[k]);
    }
    f.rolled = true;
    part = xg_tile_join(
        w, first, parts / together, xg_flow_for(&f, zero, xg_elem_index(&w->s, parts / together), 1, parts / together));
    if (f.op) f.op->flags |= KL_STEP_POINTERS;
    for (k = 0; k < together * n; k++) {
        j = k % n;
        o[0] = w->scratch;
        o[1] = xg_tile_split_spot(w, part, together, k);
        v[j] = xg_tile_split_plus(w, v[j], xg_kir_value(&w->s.b, XG_K_OP_READ, o, 2, v[j]->type), NULL);
    }
    xg_flow_end(&f);
}
/* The block's sums become those of its tile: what follows, up to the end of the flow, is done by the last one. */
XG_FN void xg_tile_split_meet(xg_tile_kernel *w, xg_flow *last) {
    const xg_tile_plan *p = w->p;
    int64_t n = xg_tile_split_vectors(p), each = xg_tile_split_vector(p), k, j;
    xg_kval **v = XG_NEW_N(w->e->arena, xg_kval *, n);
    bool plain = p->unit == XG_TILE_NO_UNIT;
    xg_tile_plan *whole;
    *last = xg_flow_of(&w->s, NULL);
    if (p->shape.split == 1) return;
    for (k = 0; k < n; k++) {
        v[k] = plain ? xg_tile_split_plus(w, NULL, NULL, w->sums + k * each) : w->sums[k].v;
        for (j = 1; j < p->chains && !plain; j++) v[k] = xg_tile_split_plus(w, v[k], w->sums[k + j * n].v, NULL);
        xg_tile_put_into(w, &w->scratch, v[k], xg_tile_split_spot(w, w->block, 1, k));
    }
    xg_flow_slots(last, w->dest, w->e->n_roots);
    xg_flow_if(last, xg_kcmpi_int(&w->s.b, XG_CI_EQ, xg_tile_split_count(w), p->shape.split - 1));
    last->op->b = p->shape.split;
    xg_tile_split_total(w, v, n);
    for (k = 0; k < n; k++)
        for (j = 0; j < (plain ? each : 1); j++)
            w->sums[k * (plain ? each : 1) + j] = xg_elem_real(plain ? xg_tile_split_lane(w, v[k], j) : v[k]);
    whole = XG_NEW(w->e->arena, xg_tile_plan);
    *whole = *p;
    whole->n_sums /= XG_MAX(p->chains, (int64_t)1);
    whole->chains = 1;
    w->p = whole;
}

#endif /* XG_SCHED_TILE_SPLIT_C */
