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
        xg_conv_renumber(&part[k], l->input_spatial.n, xg_attr_ints(P(k), XG_A_dimensions).p);
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
    xg_alg_inverse(xg_attr_ints(i, XG_A_dimensions), inverse);
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
    turned = xg_attr_ints(P(1), XG_A_dimensions);
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

XG_FN bool xg_conv_is_pointwise(const xg_inst *i) {
    const xg_attr *wa = xg_inst_attr(i, XG_A_window);
    uint32_t k;
    if (xg_attr_int(i, XG_A_feature_group_count, 1) != 1 || xg_attr_int(i, XG_A_batch_group_count, 1) != 1)
        return false;
    for (k = 0; wa && k < wa->v.window->n; k++) {
        const xg_window_dim *w = &wa->v.window->p[k];
        if (w->size != 1 || w->stride != 1 || w->pad_low || w->pad_high || w->base_dilation != 1) return false;
    }
    return true;
}
/* The input's features meet the kernel's, where its other dimensions stand in the result as they do in the input: what
 * would have to be moved stays a convolution. */
RULE(convolution_dot) {
    const xg_dim_labels *l = xg_inst_attr(i, XG_A_dim_labels)->v.labels;
    int64_t kernel[2], stays[XG_RANK_MAX], perm[XG_RANK_MAX], contract[2];
    bool ones[XG_RANK_MAX];
    xg_dot_dims d;
    xg_inst *w;
    uint32_t k, n = 0;
    if (i->shape->elements == 0 || P(0)->shape->elements == 0 || !xg_conv_is_labelled(i) || !xg_conv_is_pointwise(i))
        return NULL;
    memset(ones, 0, sizeof ones);
    for (k = 0; k < l->kernel_spatial.n; k++) ones[l->kernel_spatial.p[k]] = true;
    /* where the input's dimension is in the dot's result */
    for (k = 0; k < RANK(P(0)); k++)
        if ((int64_t)k != l->input_feature) stays[k] = n++;
    perm[l->output_feature] = n;
    perm[l->output_batch] = stays[l->input_batch];
    for (k = 0; k < l->input_spatial.n; k++) perm[l->output_spatial.p[k]] = stays[l->input_spatial.p[k]];
    if (!xg_perm_is_identity(perm, RANK(i))) return NULL;
    w = xg_alg_drop_ones(a, P(1), ones);
    kernel[0] = l->kernel_input > l->kernel_output;
    contract[0] = l->input_feature;
    memset(&d, 0, sizeof d);
    d.lc.p = contract;
    d.lc.n = 1;
    d.rc.p = kernel;
    d.rc.n = 1;
    return xg_hb_dot(&a->b, P(0), w, d, i->shape->type, i);
}
#undef RULE
#undef P
#undef DIMS
#undef RANK

#endif /* XG_ALGSIMP_CONVOLUTION_C */
