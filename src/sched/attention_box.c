/* sched/attention_box.c -- keys and values as boxes of an array, which tensor copies bring (tile_bulk.c).
 *
 * An element lies at column + key * a + a sum of quotients and remainders of the batch's number, each times its own
 * stride. Each of these is a dimension of the tensor map: so heads between other dimensions, heads that several rows
 * share, and slices of a projection of all three need no case of their own. What lies outside of columns and keys is
 * zero. Keys that are queries of several heads are counted modulo those of one, whose number is one more coordinate. */
#ifndef XG_SCHED_ATTENTION_BOX_C
#define XG_SCHED_ATTENTION_BOX_C
#include "attention.h"

enum {
    XG_ATTENTION_TYPE_F16 = 6, /* as CUtensorMapDataType numbers types */
    XG_ATTENTION_TYPE_F32 = 7,
    XG_ATTENTION_TYPE_BF16 = 9
};
static const int64_t XG_ATTENTION_BOX_SIZE_MAX = (int64_t)1 << 31, XG_ATTENTION_BOX_STRIDE_MAX = (int64_t)1 << 40;

/* One more dimension of so many elements; the first one's neighbours lie side by side. */
XG_FN bool xg_attention_box_dim(xg_attention_box *b, int64_t size, int64_t stride) {
    xg_kmap *m = &b->tensor;
    int64_t bytes = xg_cost_mul(stride, m->bytes);
    if (size < 1 || size >= XG_ATTENTION_BOX_SIZE_MAX || m->rank == XG_KMAP_RANK) return false;
    if (m->rank) {
        if (bytes <= 0 || bytes % XG_TILE_ACCESS_BYTES || bytes >= XG_ATTENTION_BOX_STRIDE_MAX) return false;
        m->strides[m->rank - 1] = bytes;
    } else if (stride != 1)
        return false;
    m->dims[m->rank++] = size;
    return true;
}
/* A term of the offset that depends on the batch alone, or on the period. */
XG_FN bool xg_attention_box_term(xg_attention_site *w, xg_attention_box *b, xg_aff_env *env, const xg_term *t) {
    xg_range r = xg_aff_range(env, t->of);
    uint32_t k;
    bool counts = t->of->kind == XG_AFF_DIV && t->of->k == b->period && t->of->of == xg_aff_dim(w->x, XG_ATTENTION_KEY);
    for (k = 0; k < XG_ATTENTION_DIMS && !counts; k++)
        if (k != XG_ATTENTION_BATCH && xg_aff_uses(t->of, xg_aff_dim(w->x, k))) return false;
    if (r.lo < 0 || !xg_range_known(r) || !xg_attention_box_dim(b, r.hi + 1, t->scale)) return false;
    b->batch[b->tensor.rank - 1] = t->of;
    return true;
}
/* What all elements have in common goes into the coordinates, the longest strides first. */
XG_FN void xg_attention_box_begins(xg_attention_box *b, int64_t offset) {
    xg_kmap *m = &b->tensor;
    while (offset > 0) {
        int64_t stride = 1, at;
        uint32_t k, best = 0;
        for (k = 1; k < m->rank; k++) {
            at = m->strides[k - 1] / m->bytes;
            if (at > offset || at <= stride) continue;
            stride = at;
            best = k;
        }
        b->first[best] += offset / stride;
        m->dims[best] += offset / stride;
        offset %= stride;
    }
}
/* column: NULL, if each key has one element. */
XG_FN xg_attention_box xg_attention_box_by(
    xg_attention_site *w, const xg_inst *from, const xg_imap *offset, const xg_aff *column) {
    const xg_aff *key = xg_aff_dim(w->x, XG_ATTENTION_KEY), *e;
    xg_attention_box b;
    xg_kmap *m = &b.tensor;
    xg_aff_env env;
    xg_linear l;
    uint32_t k;
    memset(&b, 0, sizeof b);
    if (!xg_imap_ok(offset) || offset->n_syms + offset->n_rts + offset->n_constraints) return b;
    env = xg_imap_env(w->x, offset);
    e = xg_aff_simplify(&env, offset->results[0]);
    if (!e || (column && e->kind != XG_AFF_SUM)) return b;
    xg_aff_linear(e, &l);
    if (l.k < 0) return b;
    m->bytes = (int32_t)xg_type_bytes(from->shape->type);
    m->swizzle = column ? XG_KMAP_SWIZZLE_LINE : 0;
    m->type = from->shape->type == XLAGPU_BF16  ? XG_ATTENTION_TYPE_BF16
              : from->shape->type == XLAGPU_F32 ? XG_ATTENTION_TYPE_F32
                                                : XG_ATTENTION_TYPE_F16;
    while (m->arg < from->comp->n_params && from->comp->params[m->arg] != from) m->arg++;
    for (k = 0; k < l.n; k++)
        if (l.terms[k].of->kind == XG_AFF_MOD && l.terms[k].of->of == key) b.period = l.terms[k].of->k;
    if (b.period) key = xg_aff_mod(w->x, key, b.period);
    if ((column && !xg_attention_box_dim(&b, w->counts[XG_ATTENTION_VECTOR], xg_aff_scale_of(e, column))) ||
        !xg_attention_box_dim(&b, b.period ? b.period : w->f->keys, xg_aff_scale_of(e, key)))
        return b;
    for (k = 0; k < l.n; k++)
        if (l.terms[k].of != column && l.terms[k].of != key && !xg_attention_box_term(w, &b, &env, &l.terms[k]))
            return b;
    xg_attention_box_begins(&b, l.k);
    b.is_made = true;
    return b;
}
XG_FN xg_attention_box xg_attention_box_of(xg_attention_site *w, const xg_inst *from, const xg_imap *offset) {
    return xg_attention_box_by(w, from, offset, xg_aff_dim(w->x, XG_ATTENTION_VECTOR));
}
XG_FN xg_attention_box xg_attention_box_line(xg_attention_site *w, const xg_inst *from, const xg_imap *offset) {
    return xg_attention_box_by(w, from, offset, NULL);
}

#endif /* XG_SCHED_ATTENTION_BOX_C */
