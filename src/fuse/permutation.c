/* fuse/permutation.c -- transposes and copies between layouts as what they do to memory: a permutation of as few
 * dimensions as possible.
 *
 * Dimensions of one element are left out, and neighbours that stay together are one. So two instructions have the same
 * permutation exactly if one walk over tiles serves both. */
#ifndef XG_FUSE_PERMUTATION_C
#define XG_FUSE_PERMUTATION_C
#include "fuse.h"

/* False for what is no permutation of elements, or keeps their order. */
XG_FN bool xg_permutation_of(const xg_inst *i, xg_permutation *p) {
    const xg_shape *to = i->shape, *from;
    uint32_t place[XG_RANK_MAX], order[XG_RANK_MAX], n = 0, k;
    if ((i->op != XG_TRANSPOSE && i->op != XG_COPY) || !xg_shape_is_array(to)) return false;
    from = XG_OPERAND(i, 0)->shape;
    if (!xg_index_has_order(from) || !xg_index_has_order(to)) return false;
    p->rank = 0;
    for (k = 0; k < from->rank; k++)
        if (from->dims[xg_shape_major(from, k)] != 1) {
            place[xg_shape_major(from, k)] = n;
            p->dims[n++] = from->dims[xg_shape_major(from, k)];
        }
    for (n = 0, k = 0; k < to->rank; k++) {
        uint32_t d = xg_shape_major(to, k);
        if (to->dims[d] != 1) order[n++] = place[i->op == XG_TRANSPOSE ? (uint32_t)xg_attr_dims(i).p[d] : d];
    }
    for (k = 0; k < n; k++) { /* runs that stay together become one dimension: the first of each stands for it */
        if (k && order[k] == order[k - 1] + 1) {
            p->dims[p->from[p->rank - 1]] *= p->dims[order[k]];
            p->dims[order[k]] = 0;
            order[k] = order[k - 1] + 1;
        } else
            p->from[p->rank++] = order[k];
    }
    for (k = 0; k < p->rank; k++) {
        uint32_t before = 0, j;
        for (j = 0; j < p->from[k]; j++) before += p->dims[j] != 0;
        order[k] = before;
    }
    memcpy(p->from, order, p->rank * sizeof *order);
    for (n = 0, k = 0; n < p->rank; k++)
        if (p->dims[k]) p->dims[n++] = p->dims[k];
    return p->rank > 1;
}
XG_FN bool xg_permutation_equal(const xg_permutation *a, const xg_permutation *b) {
    return a->rank == b->rank && memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0 &&
           memcmp(a->from, b->from, a->rank * sizeof *a->from) == 0;
}
XG_FN bool xg_permutation_moves_minor(const xg_permutation *p) { return p->from[p->rank - 1] != p->rank - 1; }
/* A number that tells apart those which move the minor dimension; 0 for all others. */
XG_FN uint32_t xg_permutation_turn(const xg_inst *i) {
    xg_permutation p;
    uint32_t h = 1, k;
    if (!xg_permutation_of(i, &p) || !xg_permutation_moves_minor(&p)) return 0;
    for (k = 0; k < p.rank; k++) h = xg_hash_mix(xg_hash_mix(h, (uint64_t)p.dims[k]), p.from[k]);
    return h | 1;
}

#endif /* XG_FUSE_PERMUTATION_C */
