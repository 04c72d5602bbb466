/* expand/library_calls.c -- the calls that XLA:GPU leaves in a module that it has optimised (cuBLAS, cuDNN, its own
 * kernels), as the HLO operations that they stand for.
 *
 * XG_LIBRARY_CALLS: X(target, word): xg_library_<word> gives the value, of several results a tuple, or NULL, having
 * made nothing, when the operands, results or options are not those that the target is known for; the call then stays
 * for a function that the user registers. A workspace, which is the last result of such a call, is of zeros. Whoever
 * dumped such a module had its fusions made for XLA's emitters and its order for XLA's memory: where there was a call,
 * or a fusion that only XLA's own kernel generators know (kCustom), all fusions are taken apart, the order is
 * forgotten, and what is optimised here is what was written. */
#ifndef XG_EXPAND_LIBRARY_CALLS_C
#define XG_EXPAND_LIBRARY_CALLS_C
#include "library_attention.c"
#include "library_forms.c"

/* clang-format off */
#define XG_LIBRARY_CALLS(X) \
    XG_WHOLE(X("__cublas$gemm", gemm)) \
    XG_WHOLE(X("__cublas$lt$matmul", gemm)) \
    XG_WHOLE(X("__cublas$lt$matmul$f8", gemm)) \
    XG_WHOLE(X("__cublas$triangularSolve", triangular_solve)) \
    XG_WHOLE(X("__cudnn$convForward", convolution)) \
    XG_WHOLE(X("__cudnn$convBiasActivationForward", convolution)) \
    XG_WHOLE(X("__cudnn$convBackwardInput", backward_input)) \
    XG_WHOLE(X("__cudnn$convBackwardFilter", backward_filter)) \
    XG_WHOLE(X("__cudnn$fmhaSoftmax", attention)) \
    XG_WHOLE(X("__cudnn$fmhaScaleBiasSoftmax", attention)) \
    XG_WHOLE(X("__cudnn$norm", norm)) \
    X("HostExecute", execute) \
    X("AllocateBuffer", zeros) \
    X("CreateBuffer", zeros) \
    X("Sharding", same) \
    X("SPMDFullToShardShape", same) \
    X("SPMDShardToFullShape", same) \
    X("xla.sdy.Sharding", same) \
    X("xla.sdy.PropagationBarrier", same) \
    X("LayoutConstraint", same) \
    X("PinToDevice", same) \
    X("Pin", same) \
    X("Unpin", same) \
    X("AssumeGatherIndicesInBound", same)
/* clang-format on */

/* x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) */
XG_FN xg_inst *xg_library_gelu(const xg_hb *b, xg_inst *x) {
    xg_inst *cube = xg_hb_mul(b, xg_hb_mul(b, x, x), x),
            *one = xg_linear_number(b, x->shape->type, 1, x->shape->dims, x->shape->rank);
    xg_inst *inner = xg_hb_add(b, x, xg_library_scale(b, cube, 0.044715));
    inner = xg_hb_add(b, one, xg_hb_1(b, XG_TANH, xg_library_scale(b, inner, 0.79788456080286535588)));
    return xg_hb_mul(b, xg_library_scale(b, x, 0.5), inner);
}

/* ---- cuBLAS ---- */

typedef struct xg_library_epilogue {
    const char *name;
    bool bias;
    char then;
} xg_library_epilogue;
XG_FN const xg_library_epilogue *xg_library_epilogue_of(const xg_inst *i) {
    XG_TABLE const xg_library_epilogue all[] = {{"DEFAULT", false, 0}, {"BIAS", true, 0}, {"RELU", false, 'r'},
        {"BIAS_RELU", true, 'r'}, {"GELU", false, 'g'}, {"BIAS_GELU", true, 'g'}, {"SILU", false, 's'},
        {"BIAS_SILU", true, 's'}};
    uint32_t k;
    if (!xg_call_option(i, "epilogue").n) return &all[0];
    for (k = 0; k < XG_COUNT(all); k++)
        if (xg_library_is(i, "epilogue", all[k].name)) return &all[k];
    return NULL;
}
XG_FN bool xg_library_dims_are_of(xg_ints d, const xg_shape *s) {
    uint32_t k;
    for (k = 0; k < d.n; k++)
        if (d.p[k] >= (int64_t)s->rank) return false;
    return true;
}
/* Results of f8, and the largest of their absolute values before they are multiplied by their scale. */
XG_FN bool xg_library_is_narrow(const xg_inst *i) {
    const xg_shape *s = xg_library_result(i), *t = i->shape;
    if (t->type != XLAGPU_TUPLE || !t->n_elems || !s || xg_type_class(s->type) != XGT_F || xg_type_bits(s->type) != 8)
        return false;
    return t->n_elems == 2 || (t->n_elems == 3 && xg_shape_is_array(t->elems[1]) && t->elems[1]->elements == 1 &&
                                  xg_shape_is_array(t->elems[2]) && t->elems[2]->rank == 1);
}
XG_FN xg_inst *xg_library_scaled_by(const xg_hb *b, xg_inst *x, xg_inst *scale) {
    scale = xg_hb_convert(b, xg_hb_reshape(b, scale, NULL, 0), x->shape->type);
    return xg_hb_mul(b, x, xg_hb_splat(b, scale, x->shape->dims, x->shape->rank));
}
XG_FN xg_inst *xg_library_narrow(const xg_hb *b, const xg_inst *i, xg_inst *x, xg_inst *scale) {
    xlagpu_type t = xg_library_result(i)->type;
    double most = xg_float_decode(t, xg_float_format_of(t)->max_bits);
    xg_inst *out[3], *all;
    int64_t dims[XG_RANK_MAX];
    uint32_t k;
    for (k = 0; k < x->shape->rank; k++) dims[k] = k;
    if (i->shape->n_elems == 3) {
        xg_inst *sizes = xg_hb_1(b, XG_ABS, x), *zero = xg_hb_float(b, x->shape->type, 0);
        xg_comp *larger = xg_hb_reducer(b, XG_MAXIMUM, x->shape->type);
        all = xg_hb_reduce(b, sizes, zero, dims, x->shape->rank, larger);
        out[1] = xg_hb_reshape(b, all, i->shape->elems[1]->dims, i->shape->elems[1]->rank);
    }
    x = xg_library_scaled_by(b, x, scale);
    x = xg_hb_2(b, XG_MAXIMUM, x, xg_hb_float_like(b, x, -most));
    out[0] = xg_hb_2(b, XG_MINIMUM, x, xg_hb_float_like(b, x, most));
    return xg_library_results(b, i, out, i->shape->n_elems - 1);
}
/* alpha lhs rhs + beta C, then a vector beside its last dimensions, then a function. */
XG_FN xg_inst *xg_library_gemm(const xg_hb *b, xg_inst *i) {
    const xg_library_epilogue *e = xg_library_epilogue_of(i);
    const xg_shape *s = xg_library_result(i);
    double alpha = xg_library_number(i, "alpha_real", 1), beta = xg_library_number(i, "beta", 0);
    bool f8 =
        xg_attr_is(i, XG_A_custom_call_target, "__cublas$lt$matmul$f8"); /* behind C a scale for lhs and one for rhs */
    bool narrow = f8 && xg_library_is_narrow(i);                         /* then behind those one for the result */
    uint32_t scales = 2 + (beta != 0), n = scales + (f8 ? 2 : 0) + narrow + (e && e->bias), k;
    xg_inst *x, *bias = e && e->bias && i->n_operands == n ? XG_OPERAND(i, n - 1) : NULL;
    xg_dot_dims d;
    xlagpu_type t;
    int64_t elements = 1;
    if (!e || !(narrow ? xg_library_is_given(i, n, n) : xg_library_is_plain(i, n, n)) ||
        xg_library_number(i, "alpha_imag", 0) != 0 ||
        (!f8 && XG_OPERAND(i, 0)->shape->type != XG_OPERAND(i, 1)->shape->type))
        return NULL;
    for (k = 0; f8 && k < 2; k++)
        if (XG_OPERAND(i, scales + k)->shape->elements != 1 || xg_type_class(XG_OPERAND(i, k)->shape->type) != XGT_F ||
            (xg_type_bits(s->type) < 16 && !narrow))
            return NULL;
    if (narrow && XG_OPERAND(i, scales + 2)->shape->elements != 1) return NULL;
    d.lb = xg_library_ints(b, i, "lhs_batch_dimensions");
    d.lc = xg_library_ints(b, i, "lhs_contracting_dimensions");
    d.rb = xg_library_ints(b, i, "rhs_batch_dimensions");
    d.rc = xg_library_ints(b, i, "rhs_contracting_dimensions");
    if (d.lb.n != d.rb.n || d.lc.n != d.rc.n || !xg_library_dims_are_of(d.lb, XG_OPERAND(i, 0)->shape) ||
        !xg_library_dims_are_of(d.lc, XG_OPERAND(i, 0)->shape) ||
        !xg_library_dims_are_of(d.rb, XG_OPERAND(i, 1)->shape) ||
        !xg_library_dims_are_of(d.rc, XG_OPERAND(i, 1)->shape))
        return NULL;
    for (k = 0; k < s->rank && k < d.lb.n; k++)
        if (s->dims[k] != XG_OPERAND(i, 0)->shape->dims[d.lb.p[k]]) return NULL;
    for (k = 0; k < d.lc.n; k++)
        elements *= XG_OPERAND(i, 0)->shape->dims[d.lc.p[k]] * XG_OPERAND(i, 1)->shape->dims[d.rc.p[k]];
    for (k = 0; k < d.lb.n; k++) elements *= XG_OPERAND(i, 0)->shape->dims[d.lb.p[k]];
    if ((double)s->elements * (double)elements !=
        (double)XG_OPERAND(i, 0)->shape->elements * (double)XG_OPERAND(i, 1)->shape->elements)
        return NULL;
    if (beta != 0 && !xg_shape_same_dims(XG_OPERAND(i, 2)->shape, s)) return NULL;
    if (bias && (bias->shape->rank > s->rank || memcmp(bias->shape->dims, s->dims + (s->rank - bias->shape->rank),
                                                    bias->shape->rank * sizeof *s->dims) != 0))
        return NULL;
    t = s->type;
    if (xg_type_class(t) == XGT_F && xg_type_bits(t) < 32 && (alpha != 1 || beta != 0 || bias || e->then || f8))
        t = XLAGPU_F32;
    x = xg_hb_dot(b, XG_OPERAND(i, 0), XG_OPERAND(i, 1), d, t, i);
    x = xg_library_scale(b, x, alpha);
    for (k = 0; f8 && k < 2; k++) x = xg_library_scaled_by(b, x, XG_OPERAND(i, scales + k));
    if (beta != 0) x = xg_hb_add(b, x, xg_library_scale(b, xg_hb_convert(b, XG_OPERAND(i, 2), t), beta));
    if (bias) {
        int64_t places[XG_RANK_MAX];
        for (k = 0; k < bias->shape->rank; k++) places[k] = s->rank - bias->shape->rank + k;
        x = xg_hb_add(b, x, xg_hb_broadcast(b, xg_hb_convert(b, bias, t), s->dims, s->rank, places, bias->shape->rank));
    }
    if (e->then == 'r') x = xg_library_at_least_zero(b, x);
    if (e->then == 'g') x = xg_library_gelu(b, x);
    if (e->then == 's') x = xg_hb_mul(b, x, xg_hb_1(b, XG_LOGISTIC, x));
    if (narrow) return xg_library_narrow(b, i, x, XG_OPERAND(i, scales + 2));
    return xg_library_done(b, i, x);
}

XG_FN xg_inst *xg_library_triangular_solve(const xg_hb *b, xg_inst *i) {
    const char *transpose = xg_library_is(i, "transpose_a", "TRANSPOSE") ? "TRANSPOSE"
                            : xg_library_is(i, "transpose_a", "ADJOINT") ? "ADJOINT"
                                                                         : "NO_TRANSPOSE";
    xg_inst *x, *in[2];
    if (!xg_library_is_plain(i, 2, 2) || !xg_shape_same_dims(xg_library_result(i), XG_OPERAND(i, 1)->shape) ||
        XG_OPERAND(i, 0)->shape->type != XG_OPERAND(i, 1)->shape->type)
        return NULL;
    in[0] = XG_OPERAND(i, 0);
    in[1] = XG_OPERAND(i, 1);
    x = xg_hb_op(b, XG_TRIANGULAR_SOLVE, in[1]->shape, in, 2);
    xg_inst_set_int(x, XG_A_left_side, xg_call_flag(i, "left_side", true));
    xg_inst_set_int(x, XG_A_lower, xg_call_flag(i, "lower", true));
    xg_inst_set_int(x, XG_A_unit_diagonal, xg_call_flag(i, "unit_diagonal", false));
    xg_inst_set_text(x, XG_A_transpose_a, transpose);
    return xg_library_done(b, i, xg_hb_done(x));
}

/* ---- cuDNN: window and labels are those of the forward convolution ---- */

typedef struct xg_library_forward {
    const xg_dim_labels *l;
    const xg_window *w;
    int64_t groups;
} xg_library_forward;

XG_FN bool xg_library_conv_of(const xg_inst *i, xg_library_forward *c) {
    const xg_attr *w = xg_inst_attr(i, XG_A_window);
    uint32_t k;
    if (!xg_inst_attr(i, XG_A_dim_labels) || !xg_conv_is_labelled(i) || xg_attr_or_1(i, XG_A_batch_group_count) != 1)
        return false;
    c->l = xg_inst_attr(i, XG_A_dim_labels)->v.labels;
    c->w = w ? w->v.window : NULL;
    c->groups = xg_attr_or_1(i, XG_A_feature_group_count);
    if (c->groups < 1 || (c->w ? c->w->n : 0) != c->l->input_spatial.n) return false;
    for (k = 0; k < 2; k++)
        if (XG_OPERAND(i, k)->shape->rank != c->l->input_spatial.n + 2) return false;
    return xg_library_result(i)->rank == c->l->input_spatial.n + 2;
}
/* Labels that begin as those of the forward convolution. */
XG_FN xg_dim_labels *xg_library_labels(const xg_hb *b, const xg_library_forward *c) {
    xg_dim_labels *l = XG_NEW(b->comp->module->arena, xg_dim_labels);
    *l = *c->l;
    return l;
}
XG_FN xg_inst *xg_library_conv(
    const xg_hb *b, const xg_inst *i, xg_inst *lhs, xg_inst *rhs, const xg_window *w, xg_dim_labels *l) {
    xg_module *m = b->comp->module;
    xg_conv_part part[3];
    xg_inst *in[2], *x;
    xg_attr a;
    in[0] = lhs;
    in[1] = rhs;
    x = xg_hb_op(b, XG_CONVOLUTION, lhs->shape, in, 2);
    memset(&a, 0, sizeof a);
    a.key = XG_A_dim_labels;
    a.v.labels = l;
    xg_inst_set_attr(x, a);
    l = xg_conv_labels(m, x, part); /* with the text that says so */
    xg_inst_set_attr(x, xg_conv_attr(m, l, part));
    if (w) {
        a.key = XG_A_window;
        a.v.window = w;
        xg_inst_set_attr(x, a);
    }
    if (xg_inst_attr(i, XG_A_operand_precision)) xg_inst_set_attr(x, *xg_inst_attr(i, XG_A_operand_precision));
    return x;
}
XG_FN xg_inst *xg_library_conv_done(const xg_hb *b, xg_inst *x, xlagpu_type t) {
    (void)xg_hb_done(x);
    x->shape = xg_hb_shape(b, t, x->shape->dims, x->shape->rank);
    return x;
}
/* conv_result_scale conv(x, w) + side_input_scale side + bias, then a function. */
XG_FN xg_inst *xg_library_convolution(const xg_hb *b, xg_inst *i) {
    const xg_shape *s = xg_library_result(i);
    double scale = xg_library_number(i, "conv_result_scale", 1), side = xg_library_number(i, "side_input_scale", 0);
    bool none = !xg_call_option(i, "activation_mode").n || xg_library_is(i, "activation_mode", "kNone"),
         relu = xg_library_is(i, "activation_mode", "kRelu");
    bool relu6 = xg_library_is(i, "activation_mode", "kRelu6"), elu = xg_library_is(i, "activation_mode", "kElu"),
         leaky = xg_library_is(i, "activation_mode", "kLeakyRelu");
    xg_dim_labels *l;
    xg_library_forward c;
    xg_inst *x;
    xlagpu_type t;
    if (!xg_library_is_plain(i, 2, 4) || !xg_library_conv_of(i, &c) || !(none || relu || relu6 || elu || leaky))
        return NULL;
    if (i->n_operands > 2 &&
        (XG_OPERAND(i, 2)->shape->rank != 1 || XG_OPERAND(i, 2)->shape->dims[0] != s->dims[c.l->output_feature]))
        return NULL;
    if (i->n_operands > 3 && !xg_shape_same_dims(XG_OPERAND(i, 3)->shape, s)) return NULL;
    l = xg_library_labels(b, &c);
    t = s->type;
    if (i->n_operands > 2 || !none || scale != 1)
        t = xg_type_class(t) == XGT_F && xg_type_bits(t) == 64 ? XLAGPU_F64 : XLAGPU_F32;
    x = xg_library_conv(b, i, XG_OPERAND(i, 0), XG_OPERAND(i, 1), c.w, l);
    if (c.groups > 1) xg_inst_set_int(x, XG_A_feature_group_count, c.groups);
    x = xg_library_conv_done(b, x, t);
    if (!xg_shape_same_dims(x->shape, s)) {
        xg_inst_remove(x);
        return NULL;
    }
    x = xg_library_scale(b, x, scale);
    if (i->n_operands > 3 && side != 0)
        x = xg_hb_add(b, x, xg_library_scale(b, xg_hb_convert(b, XG_OPERAND(i, 3), t), side));
    if (i->n_operands > 2)
        x = xg_hb_add(
            b, x, xg_hb_broadcast(b, xg_hb_convert(b, XG_OPERAND(i, 2), t), s->dims, s->rank, &c.l->output_feature, 1));
    if (relu || relu6) x = xg_library_at_least_zero(b, x);
    if (relu6) x = xg_hb_2(b, XG_MINIMUM, x, xg_linear_number(b, t, 6, s->dims, s->rank));
    if (elu || leaky) {
        xg_inst *above = xg_hb_compare(b, "GT", x, xg_linear_number(b, t, 0, s->dims, s->rank));
        xg_inst *below = elu ? xg_hb_1(b, XG_EXPONENTIAL_MINUS_ONE, x)
                             : xg_library_scale(b, x, xg_library_number(i, "leakyrelu_alpha", 0));
        x = xg_hb_select(b, above, x, below);
    }
    return xg_library_done(b, i, x);
}

/* Windows that give, along each spatial dimension, a result as large as it is in `to`. */
XG_FN xg_window *xg_library_window(const xg_hb *b, uint32_t n, xg_window_dim **dims) {
    xg_window *w = XG_NEW(b->comp->module->arena, xg_window);
    *dims = XG_NEW_N(b->comp->module->arena, xg_window_dim, n + 1);
    w->n = n;
    w->p = *dims;
    return w;
}
/* Kernels [i, o] of groups of features, as those of the other direction: [i, (g, o)] becomes [(g, i), o]. */
XG_FN xg_inst *xg_library_turn_groups(const xg_hb *b, xg_inst *w, const xg_dim_labels *l, int64_t groups) {
    int64_t dims[XG_RANK_MAX], perm[XG_RANK_MAX], ki = l->kernel_input, ko = l->kernel_output;
    uint32_t rank = w->shape->rank, k, n = 0;
    if (rank + 1 > XG_RANK_MAX) return NULL;
    memset(dims, 0, sizeof dims);
    for (k = 0; k < rank; k++) {
        if ((int64_t)k == ko) dims[n++] = groups;
        dims[n++] = (int64_t)k == ko ? w->shape->dims[k] / groups : w->shape->dims[k];
    }
    w = xg_hb_reshape(b, w, dims, n);
    for (k = n = 0; k < rank; k++) {
        if ((int64_t)k == ki) perm[n++] = ko;
        perm[n++] = (int64_t)k + ((int64_t)k >= ko);
    }
    w = xg_hb_transpose(b, w, perm);
    for (k = n = 0; k < rank; k++) {
        dims[k] = w->shape->dims[n++];
        if ((int64_t)k == ki) dims[k] *= w->shape->dims[n++];
    }
    return xg_hb_reshape(b, w, dims, rank);
}
/* Two operands and nothing done to the result. */
XG_FN bool xg_library_gradient_of(xg_inst *i, xg_library_forward *c) {
    return xg_library_is_plain(i, 2, 2) && xg_library_conv_of(i, c) && xg_library_is(i, "activation_mode", "kNone") &&
           xg_library_number(i, "conv_result_scale", 1) == 1;
}
/* The convolution that is the gradient, with its groups as that attribute; NULL: it is of another shape. */
XG_FN xg_inst *xg_library_gradient(const xg_hb *b, xg_inst *i, xg_inst *kernel, const xg_window *w, xg_dim_labels *l,
    xg_attr_key groups_are, int64_t groups) {
    const xg_shape *s = xg_library_result(i);
    xg_inst *x = xg_library_conv(b, i, XG_OPERAND(i, 0), kernel, w, l);
    if (groups > 1) xg_inst_set_int(x, groups_are, groups);
    x = xg_library_conv_done(b, x, s->type);
    if (xg_shape_same_dims(x->shape, s)) return x;
    xg_inst_remove(x);
    return NULL;
}
/* The gradient of the input, of the result's gradient and the kernel: the kernel turned round slides over the gradient,
 * which the stride spreads. */
XG_FN xg_inst *xg_library_backward_input(const xg_hb *b, xg_inst *i) {
    const xg_shape *s = xg_library_result(i);
    xg_library_forward c;
    xg_window *w;
    xg_window_dim *to;
    xg_dim_labels *l;
    xg_inst *x, *kernel;
    uint32_t k;
    if (!xg_library_gradient_of(i, &c)) return NULL;
    kernel = XG_OPERAND(i, 1);
    if (kernel->shape->dims[c.l->kernel_output] % c.groups || (c.groups > 1 && kernel->shape->rank == XG_RANK_MAX))
        return NULL;
    w = xg_library_window(b, c.l->input_spatial.n, &to);
    for (k = 0; k < w->n; k++) {
        const xg_window_dim *f = &c.w->p[k];
        int64_t n = s->dims[c.l->input_spatial.p[k]], m = XG_OPERAND(i, 0)->shape->dims[c.l->output_spatial.p[k]],
                reach = (f->size - 1) * f->window_dilation;
        if (f->base_dilation != 1 || kernel->shape->dims[c.l->kernel_spatial.p[k]] != f->size) return NULL;
        to[k] = *f;
        to[k].stride = 1;
        to[k].base_dilation = f->stride;
        to[k].pad_low = reach - f->pad_low;
        to[k].pad_high = n - 1 - (m - 1) * f->stride - to[k].pad_low + reach;
        to[k].reversal = !f->reversal;
    }
    l = xg_library_labels(b, &c);
    l->input_batch = c.l->output_batch;
    l->input_feature = c.l->output_feature;
    l->input_spatial = c.l->output_spatial;
    l->output_batch = c.l->input_batch;
    l->output_feature = c.l->input_feature;
    l->output_spatial = c.l->input_spatial;
    l->kernel_input = c.l->kernel_output;
    l->kernel_output = c.l->kernel_input;
    if (c.groups > 1) kernel = xg_library_turn_groups(b, kernel, c.l, c.groups);
    x = xg_library_gradient(b, i, kernel, w, l, XG_A_feature_group_count, c.groups);
    return x ? xg_library_done(b, i, x) : NULL;
}
/* The gradient of the kernel, of the input and the result's gradient: the gradient, spread by the stride, slides over
 * the input; batches are what is summed over. */
XG_FN xg_inst *xg_library_backward_filter(const xg_hb *b, xg_inst *i) {
    const xg_shape *s = xg_library_result(i);
    int64_t turned[XG_RANK_MAX];
    xg_library_forward c;
    xg_window *w;
    xg_window_dim *to;
    xg_dim_labels *l;
    xg_inst *x;
    uint32_t k, n_turned = 0;
    if (!xg_library_gradient_of(i, &c)) return NULL;
    w = xg_library_window(b, c.l->input_spatial.n, &to);
    for (k = 0; k < w->n; k++) {
        const xg_window_dim *f = &c.w->p[k];
        int64_t n = XG_OPERAND(i, 0)->shape->dims[c.l->input_spatial.p[k]],
                m = XG_OPERAND(i, 1)->shape->dims[c.l->output_spatial.p[k]];
        if (f->base_dilation != 1 || s->dims[c.l->kernel_spatial.p[k]] != f->size) return NULL;
        to[k] = *f;
        to[k].size = m;
        to[k].stride = f->window_dilation;
        to[k].window_dilation = f->stride;
        to[k].pad_high = (f->size - 1) * f->window_dilation + (m - 1) * f->stride + 1 - n - f->pad_low;
        to[k].reversal = false;
        if (f->reversal) turned[n_turned++] = c.l->kernel_spatial.p[k];
    }
    l = xg_library_labels(b, &c);
    l->input_batch = c.l->input_feature;
    l->input_feature = c.l->input_batch;
    l->kernel_input = c.l->output_batch;
    l->kernel_output = c.l->output_feature;
    l->kernel_spatial = c.l->output_spatial;
    l->output_batch = c.l->kernel_input;
    l->output_feature = c.l->kernel_output;
    l->output_spatial = c.l->kernel_spatial;
    x = xg_library_gradient(b, i, XG_OPERAND(i, 1), w, l, XG_A_batch_group_count, c.groups);
    if (!x) return NULL;
    if (n_turned) x = xg_hb_reverse(b, x, turned, n_turned);
    return xg_library_done(b, i, x);
}

/* ---- XLA's own ---- */

/* Marks of where a value lies: one device has all of it. */
XG_FN xg_inst *xg_library_same(const xg_hb *b, xg_inst *i) {
    return i->n_operands < 1 || i->shape->plain != XG_OPERAND(i, 0)->shape->plain || i->shape->type == XLAGPU_TUPLE ||
                   b->comp->module->num_partitions > 1
               ? NULL
               : XG_OPERAND(i, 0);
}

/* What the host was to compute is computed here. */
XG_FN xg_inst *xg_library_execute(const xg_hb *b, xg_inst *i) {
    const xg_attr *called = xg_inst_attr(i, XG_A_called_computations);
    const xg_comp *c = called && called->v.comps->n == 1 ? called->v.comps->p[0] : xg_attr_to_apply(i);
    xg_inst **args, *made;
    uint32_t k;
    if (!c || c->n_params != i->n_operands || c->root->shape->plain != i->shape->plain) return NULL;
    args = XG_NEW_N(b->comp->module->arena, xg_inst *, i->n_operands + (size_t)1);
    for (k = 0; k < i->n_operands; k++) {
        if (XG_OPERAND(i, k)->shape->plain != c->params[k]->shape->plain) return NULL;
        args[k] = xg_opt_argument(b, XG_OPERAND(i, k), c->params[k]);
    }
    made = xg_opt_inline(c, i->comp, i, args);
    if (i->shape->type != XLAGPU_TUPLE) return made;
    args = XG_NEW_N(b->comp->module->arena, xg_inst *, i->shape->n_elems + (size_t)1);
    for (k = 0; k < i->shape->n_elems; k++) args[k] = xg_hb_element(b, made, k);
    return xg_hb_tuple(b, args, i->shape->n_elems);
}
/* A buffer without contents. */
XG_FN xg_inst *xg_library_zeros(const xg_hb *b, xg_inst *i) {
    const xg_shape *s = i->shape;
    if (!xg_library_is_dense(s)) return NULL;
    return xg_hb_as(b, xg_hb_splat(b, xg_hb_zero(b, s->type), s->dims, s->rank), s);
}

/* ---- the pass ---- */

XG_FN int xg_library_row_of(const xg_inst *i) {
    XG_TABLE const char targets[] =
#define X(target, word) target "\0"
        XG_LIBRARY_CALLS(X)
#undef X
        ;
    return xg_opt_target_in(i, targets);
}
XG_FN bool xg_library_matches(const xg_inst *i) { return xg_library_row_of(i) >= 0; }
XG_FN xg_inst *xg_library_expand(const xg_hb *b, xg_inst *i) {
    XG_TABLE xg_inst *(*const expand[])(const xg_hb *b, xg_inst *i) = {
#define X(target, word) xg_library_##word,
        XG_LIBRARY_CALLS(X)
#undef X
    };
    return expand[xg_library_row_of(i)](b, i);
}
XG_FN bool xg_expand_library_calls(xg_module *m) {
    return xg_opt_expand_made(m, xg_library_matches, xg_library_expand, XG_CUSTOM_CALL);
}

#endif /* XG_EXPAND_LIBRARY_CALLS_C */
