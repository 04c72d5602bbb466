/* algsimp/convolution.c -- rules about convolutions. What they promise stands in algsimp.h.
 *
 * Where the dimensions of its operands and of its result lie, and whether the kernel is turned round, a convolution
 * says itself: moves on both sides of it, which would be kernels of their own, become labels. One that looks at single
 * points is a dot. */
#ifndef XG_ALGSIMP_CONVOLUTION_C
#define XG_ALGSIMP_CONVOLUTION_C
#include "algsimp.h"
#include "move.c"

#define RULE(name) XG_FN xg_inst *xg_alg_##name(xg_alg *a, xg_inst *i)
#define P(k) XG_OPERAND(i, k)
#define DIMS(x) (x)->shape->dims
#define RANK(x) (x)->shape->rank

/* ---- moves ---- */

/* Do neighbours in the result read neighbours? Neighbouring features read all of the input alike, other neighbours all
 * of the kernel. */
XG_FN bool xg_conv_reads_neighbours(const xg_dim_labels *l) {
    int64_t last = l->input_spatial.n + 1;
    uint32_t k;
    if (l->output_feature == last) return l->kernel_output == last;
    if (l->output_batch == last) return l->input_batch == last;
    for (k = 0; k < l->output_spatial.n; k++)
        if (l->output_spatial.p[k] == last) return l->input_spatial.p[k] == last;
    return true;
}
RULE(convolution_transpose) {
    uint32_t k;
    bool changed = false;
    if (!xg_conv_is_labelled(i)) return NULL;
    for (k = 0; k < 2; k++) {
        xg_conv_part part[3];
        xg_dim_labels *l;
        bool before;
        if (P(k)->op != XG_TRANSPOSE) continue;
        l = xg_conv_labels(a->m, i, part);
        before = xg_conv_reads_neighbours(l);
        xg_conv_renumber(&part[k], l->input_spatial.n, xg_attr_dims(P(k)).p);
        if (before && !xg_conv_reads_neighbours(l)) continue;
        xg_inst_set_operand(i, k, XG_OPERAND(P(k), 0));
        xg_inst_set_attr(i, xg_conv_attr(a->m, l, part));
        changed = true;
    }
    return changed ? i : NULL;
}
RULE(transpose_convolution) {
    xg_inst *c = P(0), *in[2], *made;
    int64_t inverse[XG_RANK_MAX];
    xg_conv_part part[3];
    xg_dim_labels *l;
    bool before;
    if (c->op != XG_CONVOLUTION || !xg_opt_has_one_user(c) || !xg_conv_is_labelled(c)) return NULL;
    l = xg_conv_labels(a->m, c, part);
    xg_alg_inverse(xg_attr_dims(i), inverse);
    before = xg_conv_reads_neighbours(l);
    xg_conv_renumber(&part[XG_CONV_OUTPUT], l->input_spatial.n, inverse);
    if (before && !xg_conv_reads_neighbours(l)) return NULL;
    in[0] = XG_OPERAND(c, 0);
    in[1] = XG_OPERAND(c, 1);
    made = xg_inst_clone(c, i->comp, in, i);
    made->shape = i->shape;
    xg_inst_set_attr(made, xg_conv_attr(a->m, l, part));
    return made;
}
/* Of the kernel, along dimensions of the window. */
RULE(convolution_reverse) {
    const xg_attr *wa = xg_inst_attr(i, XG_A_window);
    const xg_dim_labels *l = xg_inst_attr(i, XG_A_dim_labels)->v.labels;
    xg_window *w;
    xg_window_dim *dims;
    xg_attr made;
    xg_ints turned;
    uint32_t k, j;
    if (P(1)->op != XG_REVERSE || !wa || !xg_conv_is_labelled(i)) return NULL;
    turned = xg_attr_dims(P(1));
    w = XG_NEW(a->m->arena, xg_window);
    dims = XG_NEW_N(a->m->arena, xg_window_dim, wa->v.window->n + 1);
    memcpy(dims, wa->v.window->p, wa->v.window->n * sizeof *dims);
    for (k = 0; k < turned.n; k++) {
        for (j = 0; j < l->kernel_spatial.n && l->kernel_spatial.p[j] != turned.p[k]; j++) {}
        if (j == l->kernel_spatial.n) return NULL;
        dims[j].reversal = !dims[j].reversal;
    }
    *w = *wa->v.window;
    w->p = dims;
    made = *wa;
    made.v.window = w;
    xg_inst_set_attr(i, made);
    xg_inst_set_operand(i, 1, XG_OPERAND(P(1), 0));
    return i;
}

/* ---- points ---- */

enum {
    XG_CONV_FEW = 8,
    XG_CONV_FEW_TAPS = 64,      /* each is a slice and an addition */
    XG_CONV_FEW_LEAST = 1 << 20 /* elements of an input for which a second launch is little */
};
/* Every point of the input is looked at alike: no groups, no steps; and, where it is asked for, by a point alone. */
XG_FN bool xg_conv_is_even(const xg_inst *i, bool alone) {
    const xg_attr *wa = xg_inst_attr(i, XG_A_window);
    uint32_t k;
    if (xg_attr_or_1(i, XG_A_feature_group_count) != 1 || xg_attr_or_1(i, XG_A_batch_group_count) != 1) return false;
    for (k = 0; wa && k < wa->v.window->n; k++) {
        const xg_window_dim *w = &wa->v.window->p[k];
        if (w->stride != 1 || w->base_dilation != 1 || (alone && (w->size != 1 || w->pad_low || w->pad_high)))
            return false;
    }
    return true;
}
/* Where each dimension of the result is in an array with those of the input but its features, and behind them the
 * outgoing ones. */
XG_FN void xg_conv_places(const xg_dim_labels *l, int64_t *perm) {
    uint32_t k;
    perm[l->output_feature] = l->input_spatial.n + 1;
    perm[l->output_batch] = l->input_batch - (l->input_batch > l->input_feature);
    for (k = 0; k < l->input_spatial.n; k++)
        perm[l->output_spatial.p[k]] = l->input_spatial.p[k] - (l->input_spatial.p[k] > l->input_feature);
}
XG_FN xg_inst *xg_conv_product(xg_alg *a, xg_inst *i, xg_inst *w, int64_t kernel, xlagpu_type t) {
    int64_t contract = xg_inst_attr(i, XG_A_dim_labels)->v.labels->input_feature;
    xg_dot_dims d;
    memset(&d, 0, sizeof d);
    d.lc.p = &contract;
    d.rc.p = &kernel;
    d.lc.n = d.rc.n = 1;
    return xg_hb_dot(&a->b, P(0), w, d, t, i);
}
/* The input's features meet the kernel's, where its other dimensions stand in the result as they do in the input: what
 * would have to be moved stays a convolution. */
RULE(convolution_dot) {
    const xg_dim_labels *l = xg_inst_attr(i, XG_A_dim_labels)->v.labels;
    int64_t perm[XG_RANK_MAX];
    bool ones[XG_RANK_MAX];
    uint32_t k;
    if (i->shape->elements == 0 || P(0)->shape->elements == 0 || !xg_conv_is_labelled(i) || !xg_conv_is_even(i, true))
        return NULL;
    memset(ones, 0, sizeof ones);
    for (k = 0; k < l->kernel_spatial.n; k++) ones[l->kernel_spatial.p[k]] = true;
    xg_conv_places(l, perm);
    if (!xg_perm_is_identity(perm, RANK(i))) return NULL;
    return xg_conv_product(a, i, xg_alg_drop_ones(a, P(1), ones), l->kernel_input > l->kernel_output, i->shape->type);
}
/* Few outgoing features (the last layer of what makes pictures) fill no tile: one product with the kernels of all
 * places of the window, and a sum of what it gives, moved. Worth it where that is less than the input, which is read
 * once. */
RULE(convolution_few) {
    const xg_dim_labels *l = xg_inst_attr(i, XG_A_dim_labels)->v.labels;
    const xg_attr *wa = xg_inst_attr(i, XG_A_window);
    xlagpu_type of = P(0)->shape->type, t = xg_type_bits(of) < 32 ? XLAGPU_F32 : of;
    int64_t perm[XG_RANK_MAX], dims[2], taps = 1, few, tap, rest;
    uint32_t n = l->input_spatial.n, k;
    xg_pad_dim pads[XG_RANK_MAX];
    xg_inst *y, *sum = NULL;
    if (!wa || !xg_conv_is_labelled(i) || !xg_conv_is_even(i, false) || xg_type_class(of) != XGT_F) return NULL;
    few = DIMS(P(1))[l->kernel_output];
    for (k = 0; k < n; k++) taps *= wa->v.window->p[k].size;
    dims[0] = DIMS(P(1))[l->kernel_input];
    dims[1] = taps * few;
    if (taps < 2 || taps > XG_CONV_FEW_TAPS || few > XG_CONV_FEW || P(0)->shape->elements < XG_CONV_FEW_LEAST ||
        i->shape->elements == 0 || dims[1] * (int64_t)xg_type_bytes(t) > dims[0] * (int64_t)xg_type_bytes(of))
        return NULL;
    perm[0] = l->kernel_input;
    perm[n + 1] = l->kernel_output;
    memcpy(perm + 1, l->kernel_spatial.p, n * sizeof *perm);
    y = xg_conv_product(a, i, xg_hb_reshape(&a->b, xg_hb_transpose(&a->b, P(1), perm), dims, 2), 0, t);
    xg_conv_places(l, perm);
    memset(pads, 0, sizeof pads);
    for (k = 0; k < n; k++) {
        pads[perm[l->output_spatial.p[k]]].low = wa->v.window->p[k].pad_low;
        pads[perm[l->output_spatial.p[k]]].high = wa->v.window->p[k].pad_high;
    }
    y = xg_hb_pad(&a->b, y, xg_hb_float(&a->b, t, 0), pads);
    for (tap = 0; tap < taps; tap++) {
        xg_inst *part = xg_hb_slice_dim(&a->b, y, n + 1, tap * few, (tap + 1) * few);
        for (rest = tap, k = n; k-- > 0;) {
            const xg_window_dim *w = &wa->v.window->p[k];
            int64_t at = rest % w->size;
            rest /= w->size;
            at = (w->reversal ? w->size - 1 - at : at) * w->window_dilation;
            part = xg_hb_slice_dim(
                &a->b, part, (uint32_t)perm[l->output_spatial.p[k]], at, at + DIMS(i)[l->output_spatial.p[k]]);
        }
        sum = sum ? xg_hb_2(&a->b, XG_ADD, sum, part) : part;
    }
    return xg_hb_convert(&a->b, xg_hb_transpose(&a->b, sum, perm), i->shape->type);
}
#undef RULE
#undef P
#undef DIMS
#undef RANK

#endif /* XG_ALGSIMP_CONVOLUTION_C */
