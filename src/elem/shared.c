/* elem/shared.c -- arrays in the shared memory of a block: what its threads hand to each other.
 *
 * An array is a tensor that the kernel allocates. Writing gives a new tensor; where threads read what others have
 * written, a barrier lies between, and arrays count as other values behind it: no pass moves a read across. A set is
 * the arrays of one form that are filled and waited for together, one for each value, parts of complex ones apart. */
#ifndef XG_ELEM_SHARED_C
#define XG_ELEM_SHARED_C
#include "elem.h"

XG_FN xg_kval *xg_shared_of(xg_kb *b, const xg_ktype *type) {
    return xg_kir_op(b, XG_K_OP_ALLOC_SHARED, NULL, 0, &type, 1, 0)->results;
}
XG_FN xg_kval *xg_shared_array(xg_kb *b, xg_kelem e, int64_t elements) {
    return xg_shared_of(b, xg_kir_tensor(b->m, e, &elements, 1));
}
XG_FN xg_kop *xg_shared_wait(xg_kb *b, xg_kval **arrays, uint32_t n) {
    const xg_ktype **types = XG_NEW_N(b->m->arena, const xg_ktype *, n + (size_t)1);
    xg_kop *op;
    uint32_t k;
    for (k = 0; k < n; k++) types[k] = arrays[k]->type;
    op = xg_kir_op(b, XG_K_OP_SYNC, arrays, n, types, n, 0);
    for (k = 0; k < n; k++) arrays[k] = &op->results[k];
    return op;
}
XG_FN void xg_cluster_wait(xg_kb *b, xg_kval **arrays, uint32_t n) {
    xg_shared_wait(b, arrays, n)->a = XG_KTEAM_CLUSTER;
}
XG_FN xg_kval *xg_cluster_peer(xg_kb *b, xg_kval *array, xg_kval *rank) {
    xg_kval *v[2];
    v[0] = array;
    v[1] = rank;
    return xg_kir_value(b, XG_K_OP_PEER, v, 2, array->type);
}

/* ---- how much ---- */

/* left: arrays that may still come; most stand at the beginning. */
XG_FN int64_t xg_shared_taken_of(const xg_kregion *r, uint32_t *left) {
    int64_t bytes = 0;
    const xg_kop *op;
    uint32_t k;
    for (op = r->first; op && *left; op = op->next) {
        const xg_ktype *t = op->op == XG_K_OP_ALLOC_SHARED ? op->results[0].type : NULL;
        if (t) bytes += xg_shared_whole(t->elements * xg_kelem_bytes(t->elem));
        *left -= t != NULL;
        for (k = 0; k < op->n_regions; k++) bytes += xg_shared_taken_of(op->regions[k], left);
    }
    return bytes;
}
XG_FN int64_t xg_shared_taken(const xg_kregion *r) {
    uint32_t left = r->func->module->made[XG_K_OP_ALLOC_SHARED];
    return xg_shared_taken_of(r, &left);
}

/* ---- sets ---- */

XG_FN xg_shared xg_shared_new(xg_scope *s, const xg_elem *like, uint32_t n, const int64_t *dims, uint32_t rank) {
    xg_shared r;
    uint32_t k;
    r.n = 0;
    r.arrays = XG_NEW_N(s->e->arena, xg_kval *, 2 * n + (size_t)1);
    for (k = 0; k < n; k++) {
        const xg_ktype *type = xg_kir_tensor(s->e->m, like[k].v->type->elem, dims, rank);
        r.arrays[r.n++] = xg_shared_of(&s->b, type);
        if (like[k].im) r.arrays[r.n++] = xg_shared_of(&s->b, type);
    }
    return r;
}
XG_FN xg_shared xg_shared_of_peer(xg_scope *s, const xg_shared *from, xg_kval *rank) {
    xg_shared r;
    uint32_t k;
    r.n = from->n;
    r.arrays = XG_NEW_N(s->e->arena, xg_kval *, r.n + (size_t)1);
    for (k = 0; k < r.n; k++) r.arrays[k] = xg_cluster_peer(&s->b, from->arrays[k], rank);
    return r;
}
XG_FN void xg_shared_read(xg_scope *s, const xg_shared *from, xg_kval *const *at, uint32_t rank, const xg_elem *like,
    uint32_t n, xg_elem *out) {
    uint32_t k, i = 0;
    for (k = 0; k < n; k++) {
        bool pair = like[k].im != NULL;
        out[k] = xg_elem_real(xg_kextract(&s->b, from->arrays[i++], at, rank));
        if (pair) out[k].im = xg_kextract(&s->b, from->arrays[i++], at, rank);
    }
}

/* ---- places ---- */

XG_FN const xg_aff *xg_shared_gapped(xg_aff_ctx *x, const xg_aff *place, int64_t every, int64_t gap) {
    return xg_aff_add_mul(x, place, xg_aff_div(x, place, every), gap);
}

/* ---- tiles ---- */

XG_FN bool xg_shared_cut(xg_shared_tile *t, const int64_t *dims) {
    uint32_t k;
    t->blocks = t->elements = 1;
    for (k = 0; k < t->rank; k++) {
        t->counts[k] = (dims[k] + t->extent[k] - 1) / t->extent[k];
        if (t->parts > 1 && k == t->along) t->counts[k] = (t->counts[k] + t->parts - 1) / t->parts * t->parts;
        if (!xg_mul64(t->blocks, t->counts[k], &t->blocks) || !xg_mul64(t->elements, t->extent[k], &t->elements))
            return false;
    }
    return t->blocks <= INT32_MAX;
}
XG_FN const xg_aff *xg_shared_block(xg_aff_ctx *x, const xg_shared_tile *t, const xg_aff *block, const xg_aff **first) {
    const xg_aff *rank = xg_aff_const(x, 0);
    uint32_t k;
    if (t->parts > 1) {
        rank = xg_aff_mod(x, block, t->parts);
        block = xg_aff_div(x, block, t->parts);
    }
    for (k = t->rank; k-- > 0;) {
        int64_t parts = t->parts > 1 && k == t->along ? t->parts : 1, count = t->counts[k] / parts;
        first[k] = k ? xg_aff_mod(x, block, count) : block;
        block = xg_aff_div(x, block, count);
        if (parts > 1) first[k] = xg_aff_add_mul(x, rank, first[k], parts);
    }
    return rank;
}
XG_FN const xg_aff *xg_shared_place(xg_aff_ctx *x, const xg_shared_tile *t, const xg_aff *const *at) {
    const xg_aff *place = xg_aff_const(x, 0);
    uint32_t k;
    for (k = 0; k < t->rank; k++)
        if (at[k]) place = xg_aff_add_mul(x, place, at[k], t->stride[k]);
    return place;
}
XG_FN void xg_shared_meet(xg_kb *b, const xg_shared_tile *t, xg_kval **arrays, uint32_t n) {
    xg_kop *op = xg_shared_wait(b, arrays, n);
    if (t->parts > 1) op->a = XG_KTEAM_CLUSTER;
}
XG_FN void xg_shared_leave(xg_kb *b, const xg_shared_tile *t) {
    if (t->parts > 1) xg_cluster_wait(b, NULL, 0);
}

#endif /* XG_ELEM_SHARED_C */
