/* expand/batch_norm_expander.c -- BatchNormExpander: the batch normalisations as reductions and elementwise operations.
 *
 * Narrow floats are computed in f32 and rounded once, as the sums of everything else are. */
#ifndef XG_EXPAND_BATCH_NORM_EXPANDER_C
#define XG_EXPAND_BATCH_NORM_EXPANDER_C
#include "expand.h"

/* present, size: of an array of which only some elements are there, which these are and how many there are for each
 * feature; else NULL, and count. */
typedef struct xg_norms {
    const xg_hb *b;
    const xg_inst *i;
    xlagpu_type wide;
    const int64_t *dims;
    int64_t feature, others[XG_RANK_MAX];
    uint32_t rank, n_others;
    double count;
    xg_inst *present, *size;
} xg_norms;

XG_FN xg_norms xg_norms_of(const xg_hb *b, const xg_inst *i) {
    const xg_shape *s = XG_OPERAND(i, 0)->shape;
    xg_norms n;
    uint32_t k;
    memset(&n, 0, sizeof n);
    n.b = b;
    n.i = i;
    n.wide = s->type == XLAGPU_F64 ? XLAGPU_F64 : XLAGPU_F32;
    n.dims = s->dims;
    n.rank = s->rank;
    n.feature = xg_attr_or_0(i, XG_A_feature_index);
    n.count = s->dims[n.feature] ? (double)(s->elements / s->dims[n.feature]) : 0;
    for (k = 0; k < s->rank; k++)
        if ((int64_t)k != n.feature) n.others[n.n_others++] = k;
    return n;
}
XG_FN xg_inst *xg_norms_operand(const xg_norms *n, uint32_t k) {
    return xg_hb_convert(n->b, XG_OPERAND(n->i, k), n->wide);
}
XG_FN xg_inst *xg_norms_spread(const xg_norms *n, xg_inst *v) {
    return xg_hb_broadcast(n->b, v, n->dims, n->rank, &n->feature, 1);
}
XG_FN xg_inst *xg_norms_sum(const xg_norms *n, xg_inst *x) {
    if (n->present) x = xg_hb_select(n->b, n->present, x, xg_hb_float_like(n->b, x, 0));
    return xg_hb_sum(n->b, x, n->others, n->n_others);
}
XG_FN xg_inst *xg_norms_share(const xg_norms *n, xg_inst *sum) { /* sum / count */
    xg_inst *count = n->size
                         ? xg_hb_splat(n->b, xg_hb_convert(n->b, n->size, n->wide), sum->shape->dims, sum->shape->rank)
                         : xg_hb_float_like(n->b, sum, n->count);
    return xg_hb_div(n->b, sum, count);
}
XG_FN xg_inst *xg_norms_mean(const xg_norms *n, xg_inst *x) { return xg_norms_share(n, xg_norms_sum(n, x)); }
XG_FN xg_inst *xg_norms_deviation(const xg_norms *n, xg_inst *variance) { /* sqrt(variance + epsilon) */
    return xg_hb_1(n->b, XG_SQRT,
        xg_hb_add(n->b, variance, xg_hb_float_like(n->b, variance, xg_inst_attr(n->i, XG_A_epsilon)->v.d)));
}
/* (x - mean) (scale / deviation) + offset */
XG_FN xg_inst *xg_norms_apply(
    const xg_norms *n, xg_inst *x, xg_inst *mean, xg_inst *variance, xg_inst *scale, xg_inst *offset) {
    xg_inst *factor = xg_hb_div(n->b, scale, xg_norms_deviation(n, variance));
    x = xg_hb_sub(n->b, x, xg_norms_spread(n, mean));
    x = xg_hb_mul(n->b, x, xg_norms_spread(n, factor));
    x = xg_hb_add(n->b, x, xg_norms_spread(n, offset));
    return xg_hb_convert(n->b, x, XG_OPERAND(n->i, 0)->shape->type);
}

XG_FN xg_inst *xg_norms_inference(const xg_norms *n) {
    xg_inst *v[5];
    uint32_t k;
    for (k = 0; k < 5; k++) v[k] = xg_norms_operand(n, k);
    return xg_norms_apply(n, v[0], v[3], v[4], v[1], v[2]);
}
XG_FN xg_inst *xg_norms_training(const xg_norms *n) {
    xg_inst *v[3], *out[3], *mean, *d, *variance;
    uint32_t k;
    for (k = 0; k < 3; k++) v[k] = xg_norms_operand(n, k);
    mean = xg_norms_mean(n, v[0]);
    d = xg_hb_sub(n->b, v[0], xg_norms_spread(n, mean));
    variance = xg_norms_mean(n, xg_hb_mul(n->b, d, d));
    out[0] = xg_norms_apply(n, v[0], mean, variance, v[1], v[2]);
    out[1] = xg_hb_convert(n->b, mean, n->i->shape->elems[1]->type);
    out[2] = xg_hb_convert(n->b, variance, n->i->shape->elems[2]->type);
    return xg_hb_tuple(n->b, out, 3);
}
/* x, scale, mean, variance, dy; with h = (x - mean) / deviation: d offset = sum dy, d scale = sum dy h, dx = scale /
 * deviation (dy - (d offset + h d scale) / count). */
XG_FN xg_inst *xg_norms_grad(const xg_norms *n) {
    xg_inst *v[5], *out[3], *deviation, *h, *doffset, *dscale, *dx, *share;
    uint32_t k;
    for (k = 0; k < 5; k++) v[k] = xg_norms_operand(n, k);
    deviation = xg_norms_deviation(n, v[3]);
    h = xg_hb_sub(n->b, v[0], xg_norms_spread(n, v[2]));
    h = xg_hb_div(n->b, h, xg_norms_spread(n, deviation));
    doffset = xg_norms_sum(n, v[4]);
    dscale = xg_norms_sum(n, xg_hb_mul(n->b, v[4], h));
    share = xg_hb_mul(n->b, h, xg_norms_spread(n, dscale));
    share = xg_hb_add(n->b, share, xg_norms_spread(n, doffset));
    share = xg_norms_share(n, share);
    dx = xg_hb_sub(n->b, v[4], share);
    dx = xg_hb_mul(n->b, dx, xg_norms_spread(n, xg_hb_div(n->b, v[1], deviation)));
    out[0] = xg_hb_convert(n->b, dx, n->i->shape->elems[0]->type);
    out[1] = xg_hb_convert(n->b, dscale, n->i->shape->elems[1]->type);
    out[2] = xg_hb_convert(n->b, doffset, n->i->shape->elems[2]->type);
    return xg_hb_tuple(n->b, out, 3);
}

XG_FN bool xg_norms_matches(const xg_inst *i) {
    return (i->op == XG_BATCH_NORM_INFERENCE || i->op == XG_BATCH_NORM_TRAINING || i->op == XG_BATCH_NORM_GRAD) &&
           !XG_OPERAND(i, 0)->shape->dynamic;
}
XG_FN xg_inst *xg_norms_make(const xg_norms *n) {
    return n->i->op == XG_BATCH_NORM_INFERENCE  ? xg_norms_inference(n)
           : n->i->op == XG_BATCH_NORM_TRAINING ? xg_norms_training(n)
                                                : xg_norms_grad(n);
}
XG_FN xg_inst *xg_norms_expand(const xg_hb *b, xg_inst *i) {
    xg_norms n = xg_norms_of(b, i);
    return xg_norms_make(&n);
}
XG_FN bool xg_expand_batch_norm_expander(xg_module *m) {
    return (m->made[XG_BATCH_NORM_INFERENCE] || m->made[XG_BATCH_NORM_TRAINING] || m->made[XG_BATCH_NORM_GRAD]) &&
           xg_opt_expand(m, xg_norms_matches, xg_norms_expand);
}

#endif /* XG_EXPAND_BATCH_NORM_EXPANDER_C */
