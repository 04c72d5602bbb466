/* emit/merge.c -- one pass of a long sort: pairs of sorted runs become one run of twice the length (fuse/sort_passes.c).
 *
 * Every thread takes one element to its place: its place in its own run, and as many more as elements of the other run go before it, which a binary search
 * counts. Of equal elements those of the first run go first, so the order is kept. Neighbours of a run go to rising places, and ask the other run for nearly the same
 * elements: reads and writes are nearly coalesced without any exchange between threads.
 *     count = 0;  for step = 2^k .. 1:  if count + step <= length and other[count + step - 1] goes before: count += step */
#ifndef XG_EMIT_MERGE_C
#define XG_EMIT_MERGE_C
#include "emit.h"

typedef struct xg_merging {
    xg_fusion_emission *e;
    const xg_inst *i;
    const xg_shape *shape;
    uint32_t dim, n;
    int64_t length, run;
    xg_section section;
    xg_kval *const *at;           /* the element's index */
    xg_elem *mine;
    xg_kval *second, *start, *limit; /* it is of a second run; where the other run begins, and how long it is */
} xg_merging;

XG_FN bool xg_merging_make(xg_merging *d, const xg_fusion_emission *e) {
    int64_t to;
    uint32_t k;
    memset(d, 0, sizeof *d);
    d->e = (xg_fusion_emission *)e;
    d->i = xg_sort_of_root(e->roots[0]);
    if (!d->i || d->i->op != XG_SORT || !xg_fuse_sorted_runs(d->i, &d->run, &to) || d->run == 1) return false;
    for (k = 1; k < e->n_roots; k++) if (xg_sort_of_root(e->roots[k]) != d->i) return false;
    d->shape = XG_OPERAND(d->i, 0)->shape;
    d->dim = (uint32_t)xg_attr_ints(d->i, XG_A_dimensions).p[0];
    d->n = d->i->n_operands;
    d->length = d->shape->dims[d->dim];
    d->section.shape = e->roots[0]->shape;
    d->section.unroll = 1;
    return true;
}
XG_FN bool xg_emit_merge_match(const xg_fusion_emission *e) {
    xg_merging d;
    return xg_merging_make(&d, e);
}

/* e over d0 in [0, length - 1], at the element's place in its row. */
XG_FN xg_kval *xg_merging_value(xg_scope *s, const xg_merging *d, const xg_aff *e) {
    xg_imap *m = xg_imap_new(s->e->m->aff, 1, 0, 0, 1, 0);
    xg_kval *r;
    m->dims[0].range = xg_range_of(0, d->length - 1);
    m->results[0] = e;
    xg_elem_apply(s, xg_imap_simplify(s->e->m->aff, m), &d->at[d->dim], &r);
    return r;
}

/* Whether the element of the other run at a place of the row goes before this one. */
XG_FN xg_kval *xg_merging_before(xg_scope *s, const xg_merging *d, xg_kval *place) {
    xg_elem *args = XG_NEW_N(s->e->arena, xg_elem, 2 * d->n + 1), r;
    xg_kval *idx[XG_RANK_MAX];
    uint32_t k;
    memcpy(idx, d->at, d->shape->rank * sizeof *idx);
    idx[d->dim] = place;
    for (k = 0; k < d->n; k++) {
        xg_elem x = xg_elem_of(s, XG_OPERAND(d->i, k), idx), y = d->mine[k];
        args[2 * k] = args[2 * k + 1] = x;
        args[2 * k].v = xg_kselect(&s->b, d->second, y.v, x.v);
        args[2 * k + 1].v = xg_kselect(&s->b, d->second, x.v, y.v);
        if (!x.im) continue;
        args[2 * k].im = xg_kselect(&s->b, d->second, y.im, x.im);
        args[2 * k + 1].im = xg_kselect(&s->b, d->second, x.im, y.im);
    }
    xg_elem_call_comp(s, xg_attr_comp(d->i, XG_A_to_apply), args, &r, 1);
    return xg_k2(&s->b, XG_K_OP_XORI, r.v, d->second); /* of a second run: it goes before unless this one does */
}

XG_FN xg_kval *xg_merging_step(xg_scope *s, const xg_merging *d, xg_kval *count, int64_t step) {
    xg_kb *b = &s->b;
    xg_kval *next = xg_k2(b, XG_K_OP_ADDI, count, xg_elem_index(s, step)), *inside, *place, *last = xg_elem_index(s, d->length - 1);
    xg_kval_set_range(next, xg_range_of(step, 2 * d->run));
    inside = xg_kcmpi_(b, XG_CI_SLE, next, d->limit);
    place = XG_KOP2(b, XG_K_OP_SUBI, xg_k2(b, XG_K_OP_ADDI, d->start, next), xg_elem_index(s, 1));
    place = xg_k2(b, XG_K_OP_MINSI, place, last); /* what is read in vain is read where something is */
    xg_kval_set_range(place, xg_range_of(0, d->length - 1));
    inside = XG_KOP2(b, XG_K_OP_ANDI, inside, xg_merging_before(s, d, place));
    count = xg_kselect(b, inside, next, count);
    xg_kval_set_range(count, xg_range_of(0, d->run));
    return count;
}

XG_FN void xg_merging_body(xg_scope *s, void *data, uint32_t which, xg_kval *const *at, xg_kval **dest) {
    xg_merging *d = (xg_merging *)data;
    xg_aff_ctx *x = s->e->m->aff;
    const xg_aff *p = xg_aff_dim(x, 0), *run = xg_aff_div(x, p, d->run), *own = xg_aff_mod(x, p, d->run), *pair = xg_aff_mul(x, xg_aff_div(x, p, 2 * d->run), 2 * d->run), *other;
    xg_kval *count = xg_elem_index(s, 0), *idx[XG_RANK_MAX];
    xg_kb *b = &s->b;
    int64_t step;
    uint32_t k;
    (void)which;
    d->at = at;
    d->mine = XG_NEW_N(s->e->arena, xg_elem, d->n + 1);
    for (k = 0; k < d->n; k++) d->mine[k] = xg_elem_of(s, XG_OPERAND(d->i, k), at);
    d->second = XG_KCMPI(b, XG_CI_NE, xg_merging_value(s, d, xg_aff_mod(x, run, 2)), xg_elem_index(s, 0));
    other = xg_aff_add(x, pair, xg_aff_sub(x, xg_aff_const(x, d->run), xg_aff_mul(x, xg_aff_mod(x, run, 2), d->run)));
    d->start = xg_merging_value(s, d, other);
    d->limit = xg_k2(b, XG_K_OP_SUBI, xg_elem_index(s, d->length), d->start);
    d->limit = XG_KOP2(b, XG_K_OP_MINSI, XG_KOP2(b, XG_K_OP_MAXSI, d->limit, xg_elem_index(s, 0)), xg_elem_index(s, d->run));
    for (step = d->run; step; step /= 2) count = xg_merging_step(s, d, count, step);
    memcpy(idx, at, d->shape->rank * sizeof *idx);
    idx[d->dim] = xg_k2(b, XG_K_OP_ADDI, xg_merging_value(s, d, xg_aff_add(x, pair, own)), count);
    xg_kval_set_range(idx[d->dim], xg_range_of(0, d->length - 1));
    for (k = 0; k < s->e->n_roots; k++) {
        const xg_inst *root = s->e->roots[k];
        dest[k] = xg_emit_insert(b, d->mine[root->op == XG_GET_TUPLE_ELEMENT ? (uint32_t)xg_attr_int(root, XG_A_index, 0) : 0], dest[k], root->shape, idx);
    }
}
XG_FN void xg_emit_merge(xg_fusion_emission *e) {
    xg_merging d;
    (void)xg_merging_make(&d, e);
    xg_emit_sections(e, &d.section, d.shape->elements ? 1 : 0, xg_merging_body, &d);
}

#endif /* XG_EMIT_MERGE_C */
