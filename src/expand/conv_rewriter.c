/* expand/conv_rewriter.c -- convolutions that cuDNN makes, as graphs of it, where --libraries names it and it is
 * estimated to be faster than our kernels.
 *
 * Requires labels that name each dimension once. What slides over what decides which of the library's three operations
 * a convolution is, all of which are about one forward convolution of x[n,c,..] with w[o,c/groups,..] to y[n,o,..]:
 *   data     its input is spread (lhs_dilate): y's gradient and w give x's
 *   filter   it sums over batches in groups, or what slides is larger than what comes out: x and y's gradient give w's
 *   forward  all others
 * Arrays are given to the library with features innermost or outermost; what lies otherwise is transposed before, and a
 * kernel that is read the other way round is reversed before. Padding that is not the same on both sides is cut or
 * padded outside. Behind a forward convolution a factor, an added array, a bias along the features, a maximum with 0
 * and a minimum, in this order, and a narrower type are part of the graph, unless sums would have been rounded before
 * them. */
#ifndef XG_EXPAND_CONV_REWRITER_C
#define XG_EXPAND_CONV_REWRITER_C
#include "dnn.c"
#include "library_calls.c"

typedef enum xg_dnn_way {
    XG_DNN_FORWARD,
    XG_DNN_DATA,
    XG_DNN_FILTER
} xg_dnn_way;
typedef enum xg_dnn_array {
    XG_DNN_X,
    XG_DNN_W,
    XG_DNN_Y
} xg_dnn_array;
/* An array by its roles: batch and feature, of w the outgoing and the incoming feature, then what is spatial. */
typedef struct xg_dnn_roles {
    int64_t role[XG_RANK_MAX];
} xg_dnn_roles;
typedef struct xg_dnn_conv {
    xg_dnn_way way;
    xg_inst *conv;
    uint32_t spatial;
    bool inner; /* features lie innermost */
    /* behind it; end: the last of these */
    xg_inst *end, *side, *bias;
    bool relu;
    int64_t groups;
    double scale, clip;
    const xg_dim_labels *labels;
    int64_t stride[3], dilation[3];
    int64_t low[3], high[3]; /* padding of x */
    bool reversed[3];        /* what the library reads along the dimension is the kernel reversed */
    xg_dnn_array arrays[3];  /* of the convolution's operands and its result */
    xg_dnn_roles roles[3];   /* in the module's arrays, by xg_dnn_array */
} xg_dnn_conv;
enum {
    /* Of the device's rate: what --emit=times predicts for ResNet-50's 3x3 convolutions of 32 images on an H100. */
    XG_OWN_CONV_PERMILLE = 430,        /* bf16: 16.3 us for 32x28x28x128, 19.0 us for 32x14x14x256 */
    XG_OWN_CONV_SINGLE_PERMILLE = 640, /* f32: 167 us and 178 us */
    /* Reasoned, not measured: what large products reach; beside ours, in f32 no engine of 10 bits is taken. */
    XG_DNN_CONV_PERMILLE = 700
};

/* ---- which of the three ---- */

XG_APART XG_FN void xg_dnn_roles_of(xg_dnn_roles *r, int64_t first, int64_t second, xg_ints spatial) {
    r->role[0] = first;
    r->role[1] = second;
    memcpy(r->role + 2, spatial.p, spatial.n * sizeof *spatial.p);
}
XG_FN int64_t xg_dnn_extent(const xg_shape *s, const xg_dnn_roles *r, uint32_t k) { return s->dims[r->role[k]]; }
XG_FN bool xg_dnn_slides_larger(const xg_inst *i, const xg_window *w, const xg_dim_labels *l) {
    double window = 1, out = 1;
    uint32_t k;
    for (k = 0; k < w->n; k++) {
        window *= (double)w->p[k].size;
        out *= (double)i->shape->dims[l->output_spatial.p[k]];
    }
    return window > out;
}
XG_APART XG_FN bool xg_dnn_way_of(const xg_inst *i, const xg_window *w, const xg_dim_labels *l, xg_dnn_way *way) {
    bool spread = false, strided = false, reversed = false;
    int64_t sums = xg_attr_or_1(i, XG_A_batch_group_count), groups = xg_attr_or_1(i, XG_A_feature_group_count);
    uint32_t k;
    for (k = 0; k < w->n; k++) {
        spread = spread || w->p[k].base_dilation != 1;
        strided = strided || w->p[k].stride != 1;
        reversed = reversed || (w->p[k].reversal && w->p[k].size > 1);
    }
    *way = spread                                                                    ? XG_DNN_DATA
           : sums > 1 || (groups == 1 && !reversed && xg_dnn_slides_larger(i, w, l)) ? XG_DNN_FILTER
                                                                                     : XG_DNN_FORWARD;
    return *way == XG_DNN_DATA ? !strided && sums == 1 : *way == XG_DNN_FILTER ? !reversed && groups == 1 : true;
}
/* Padding of x behind it: as before it, if the sizes allow that. */
XG_FN int64_t xg_dnn_high(int64_t in, int64_t out, int64_t reach, int64_t stride, int64_t low) {
    int64_t least = (out - 1) * stride + reach + 1 - in - low;
    return low >= least && low < least + stride ? low : XG_MAX(least, (int64_t)0);
}
XG_APART XG_FN bool xg_dnn_window(xg_dnn_conv *c, const xg_window *w, const xg_shape *const s[3]) {
    uint32_t k;
    for (k = 0; k < c->spatial; k++) {
        const xg_window_dim *d = &w->p[k];
        int64_t x = xg_dnn_extent(s[XG_DNN_X], &c->roles[XG_DNN_X], 2 + k),
                size = xg_dnn_extent(s[XG_DNN_W], &c->roles[XG_DNN_W], 2 + k),
                y = xg_dnn_extent(s[XG_DNN_Y], &c->roles[XG_DNN_Y], 2 + k), reach;
        c->stride[k] = c->way == XG_DNN_FORWARD ? d->stride
                       : c->way == XG_DNN_DATA  ? d->base_dilation
                                                : d->window_dilation;
        c->dilation[k] = c->way == XG_DNN_FILTER ? d->stride : d->window_dilation;
        reach = (size - 1) * c->dilation[k];
        c->low[k] = c->way == XG_DNN_DATA ? reach - d->pad_low : d->pad_low;
        c->high[k] = c->way == XG_DNN_FORWARD ? d->pad_high : xg_dnn_high(x, y, reach, c->stride[k], c->low[k]);
        c->reversed[k] = d->size > 1 && (c->way == XG_DNN_DATA ? !d->reversal : d->reversal);
        if (c->way != XG_DNN_FORWARD && c->low[k] < 0) return false;
        if ((x + c->low[k] + c->high[k] - reach - 1) / c->stride[k] + 1 != y) return false;
    }
    return true;
}
XG_FN bool xg_dnn_groups(xg_dnn_conv *c, const xg_shape *const s[3]) {
    int64_t channels = xg_dnn_extent(s[XG_DNN_X], &c->roles[XG_DNN_X], 1),
            each = xg_dnn_extent(s[XG_DNN_W], &c->roles[XG_DNN_W], 1);
    c->groups = c->way == XG_DNN_FILTER ? xg_attr_or_1(c->conv, XG_A_batch_group_count)
                                        : xg_attr_or_1(c->conv, XG_A_feature_group_count);
    if (c->way == XG_DNN_DATA) return c->groups >= 1 && channels % c->groups == 0;
    return c->groups >= 1 && each * c->groups == channels;
}
/* Products and what they are summed to. */
XG_FN bool xg_dnn_conv_types(xlagpu_type in, xlagpu_type out) {
    return in == XLAGPU_F32 || in == XLAGPU_F64    ? out == in
           : in == XLAGPU_F16 || in == XLAGPU_BF16 ? out == in || out == XLAGPU_F32
                                                   : in == XLAGPU_S8 && out == XLAGPU_S32;
}
XG_APART XG_FN bool xg_dnn_conv_of(xg_inst *i, xg_dnn_conv *c) {
    const xg_attr *w = xg_inst_attr(i, XG_A_window);
    const xg_shape *s[3], *of[3];
    const xg_dim_labels *l;
    uint32_t k;
    memset(c, 0, sizeof *c);
    if (i->op != XG_CONVOLUTION || i->n_operands != 2 || !w || !xg_inst_attr(i, XG_A_dim_labels) ||
        !xg_conv_is_labelled(i))
        return false;
    l = c->labels = xg_inst_attr(i, XG_A_dim_labels)->v.labels;
    c->conv = c->end = i;
    c->scale = 1;
    c->spatial = l->input_spatial.n;
    if (c->spatial < 1 || c->spatial > 3 || w->v.window->n != c->spatial) return false;
    of[0] = XG_OPERAND(i, 0)->shape;
    of[1] = XG_OPERAND(i, 1)->shape;
    of[2] = i->shape;
    for (k = 0; k < 3; k++)
        if (!of[k]->elements || of[k]->dynamic || of[k]->elements > INT32_MAX) return false;
    if (of[0]->type != of[1]->type || !xg_dnn_way_of(i, w->v.window, l, &c->way)) return false;
    c->arrays[0] = c->way == XG_DNN_DATA ? XG_DNN_Y : XG_DNN_X;
    c->arrays[1] = c->way == XG_DNN_FILTER ? XG_DNN_Y : XG_DNN_W;
    c->arrays[2] = c->way == XG_DNN_FORWARD ? XG_DNN_Y : c->way == XG_DNN_DATA ? XG_DNN_X : XG_DNN_W;
    for (k = 0; k < 3; k++) s[c->arrays[k]] = of[k];
    if (c->way == XG_DNN_FILTER) {
        xg_dnn_roles_of(&c->roles[XG_DNN_X], l->input_feature, l->input_batch, l->input_spatial);
        xg_dnn_roles_of(&c->roles[XG_DNN_Y], l->kernel_input, l->kernel_output, l->kernel_spatial);
        xg_dnn_roles_of(&c->roles[XG_DNN_W], l->output_feature, l->output_batch, l->output_spatial);
    } else {
        bool data = c->way == XG_DNN_DATA;
        xg_dnn_roles_of(&c->roles[c->arrays[0]], l->input_batch, l->input_feature, l->input_spatial);
        xg_dnn_roles_of(&c->roles[c->arrays[2]], l->output_batch, l->output_feature, l->output_spatial);
        xg_dnn_roles_of(&c->roles[XG_DNN_W], data ? l->kernel_input : l->kernel_output,
            data ? l->kernel_output : l->kernel_input, l->kernel_spatial);
    }
    c->inner = xg_type_bits(of[0]->type) < 32 || c->roles[c->arrays[0]].role[1] == (int64_t)of[0]->rank - 1;
    return xg_dnn_conv_types(of[0]->type, i->shape->type) && xg_dnn_groups(c, s) && xg_dnn_window(c, w->v.window, s);
}

/* ---- what is behind it ---- */

XG_APART XG_FN xg_inst *xg_dnn_next(const xg_inst *i) { return xg_opt_has_one_user(i) ? i->first_use->user : NULL; }
/* The other operand of the user, if i is one of its two. */
XG_FN xg_inst *xg_dnn_other(const xg_inst *user, const xg_inst *i) {
    return user->n_operands == 2 && XG_OPERAND(user, 0) != XG_OPERAND(user, 1)
               ? XG_OPERAND(user, XG_OPERAND(user, 0) == i)
               : NULL;
}
XG_FN bool xg_dnn_number(const xg_inst *i, double *v) {
    if (i->op == XG_BROADCAST) i = XG_OPERAND(i, 0);
    if (i->op != XG_CONSTANT || !xg_shape_is_scalar(i->shape) || xg_type_class(i->shape->type) != XGT_F) return false;
    *v = xg_literal_get_float(i->literal, 0);
    return true;
}
/* The vector that lies along the features. */
XG_FN xg_inst *xg_dnn_vector(const xg_dnn_conv *c, xg_inst *i) {
    if (i->op == XG_CONVERT && XG_OPERAND(i, 0)->op == XG_BROADCAST) i = XG_OPERAND(i, 0);
    return i->op == XG_BROADCAST && XG_OPERAND(i, 0)->shape->rank == 1 &&
                   xg_attr_dims(i).p[0] == c->roles[XG_DNN_Y].role[1]
               ? XG_OPERAND(i, 0)
               : NULL;
}
/* One more operation; false: the graph ends before it. */
XG_APART XG_FN bool xg_dnn_takes(xg_dnn_conv *c, xg_inst *next) {
    xg_inst *other = xg_dnn_other(next, c->end);
    bool plain = !c->side && !c->bias && !c->relu;
    double v;
    if (!other || xg_type_class(next->shape->type) != XGT_F || xg_type_bits(c->end->shape->type) < 32) return false;
    switch (next->op) {
    case XG_MULTIPLY:
        if (!plain || c->scale != 1 || !xg_dnn_number(other, &v)) return false;
        c->scale = v;
        return true;
    case XG_ADD:
        if (c->relu) return false;
        if (!c->bias && xg_dnn_vector(c, other)) {
            c->bias = xg_dnn_vector(c, other);
            return true;
        }
        if (c->side) return false;
        c->side = other;
        return true;
    case XG_MAXIMUM:
        if (c->relu || !xg_dnn_number(other, &v) || v != 0) return false;
        c->relu = true;
        return true;
    case XG_MINIMUM:
        if (!c->relu || c->clip > 0 || !xg_dnn_number(other, &v) || !(v > 0)) return false;
        c->clip = v;
        return true;
    default: return false;
    }
}
XG_FN void xg_dnn_epilogue(xg_dnn_conv *c) {
    xg_inst *next = c->way == XG_DNN_FORWARD ? xg_dnn_next(c->end) : NULL;
    while (next && next->shape->type == c->conv->shape->type && xg_dnn_takes(c, next)) {
        c->end = next;
        next = xg_dnn_next(next);
    }
    if (next && next->op == XG_CONVERT && next->shape->type == XG_OPERAND(c->conv, 0)->shape->type) c->end = next;
}

/* ---- time ---- */

XG_FN double xg_dnn_products(const xg_dnn_conv *c) { /* multiplications and additions */
    const xg_shape *of[3];
    of[c->arrays[0]] = XG_OPERAND(c->conv, 0)->shape;
    of[c->arrays[1]] = XG_OPERAND(c->conv, 1)->shape;
    of[c->arrays[2]] = c->conv->shape;
    return (double)of[XG_DNN_Y]->elements * (double)of[XG_DNN_W]->elements /
           (double)xg_dnn_extent(of[XG_DNN_W], &c->roles[XG_DNN_W], 0) /
           (c->way == XG_DNN_DATA ? (double)c->groups : 1);
}
XG_FN bool xg_dnn_is_faster(const xg_module *m, const xg_dnn_conv *c) {
    const xg_device *d = &m->device;
    xlagpu_type t = XG_OPERAND(c->conv, 0)->shape->type;
    int64_t rate = t == XLAGPU_F64        ? XG_MAX(d->tensor_f64, d->f64_rate)
                   : t == XLAGPU_S8       ? d->tensor_i8
                   : xg_type_bits(t) < 32 ? d->tensor_f16
                                          : d->f32_rate;
    double clock = (double)XG_MAX(d->clock_mhz, (int64_t)1) / 1000;
    double peak = xg_dnn_products(c) / (double)XG_MAX(rate ? rate : d->f32_rate, (int64_t)1) /
                  (double)XG_MAX(d->sm_count, (int64_t)1) / clock;
    double own = xg_type_bits(t) < 32 ? XG_OWN_CONV_PERMILLE : XG_OWN_CONV_SINGLE_PERMILLE;
    return peak * 1000 / (int)XG_DNN_CONV_PERMILLE + (int)XG_DNN_LAUNCH_NS < peak * 1000 / own;
}

/* ---- the graph ---- */

/* Dimensions by role, and how far apart they lie in an array whose features are innermost or not; of one spatial
 * dimension, which the library does not know, two. */
XG_FN int64_t xg_dnn_put_array(xg_dnn_graph *g, const xg_dnn_conv *c, const xg_inst *x, int64_t place, int64_t type) {
    int64_t dims[5], strides[5], at = 1;
    uint32_t rank = x->shape->rank, n = 0, k, feature = c->inner ? rank - 1 : 1, first = c->inner ? 1 : 2;
    dims[n++] = x->shape->dims[0];
    dims[n++] = x->shape->dims[feature];
    if (c->spatial == 1) dims[n++] = 1;
    for (k = 0; k < c->spatial; k++) dims[n++] = x->shape->dims[first + k];
    if (c->inner) {
        strides[1] = at;
        at *= dims[1];
    }
    for (k = n; k-- > 2;) {
        strides[k] = at;
        at *= dims[k];
    }
    if (!c->inner) {
        strides[1] = at;
        at *= dims[1];
    }
    strides[0] = at;
    return xg_dnn_tensor(g, place, type, dims, strides, n);
}
XG_FN void xg_dnn_spatial(xg_dnn_graph *g, const xg_dnn_conv *c, int64_t name, const int64_t *p, int64_t otherwise) {
    int64_t all[3];
    uint32_t n = 0, k;
    if (c->spatial == 1) all[n++] = otherwise;
    for (k = 0; k < c->spatial; k++) all[n++] = p[k];
    xg_dnn_list(g, name, XG_DNN_IS_INT64, all, n);
}
XG_FN int64_t xg_dnn_put_window(xg_dnn_graph *g, const xg_dnn_conv *c) {
    int64_t desc = xg_dnn_new(g, XG_DNN_CONVOLUTION);
    int64_t precision = XG_OPERAND(c->conv, 0)->shape->type == XLAGPU_S8 ? xg_dnn_type(XLAGPU_S32) : g->wide;
    xg_dnn_put(g, XG_DNN_CONVOLUTION_PRECISION, XG_DNN_IS_DATA_TYPE, precision);
    xg_dnn_put(g, XG_DNN_CONVOLUTION_MODE, XG_DNN_IS_CONVOLUTION_MODE, XG_DNN_CROSS_CORRELATION);
    xg_dnn_put(g, XG_DNN_CONVOLUTION_SPATIAL_DIMS, XG_DNN_IS_INT64, XG_MAX(c->spatial, 2u));
    xg_dnn_spatial(g, c, XG_DNN_CONVOLUTION_PRE_PADDINGS, c->low, 0);
    xg_dnn_spatial(g, c, XG_DNN_CONVOLUTION_POST_PADDINGS, c->high, 0);
    xg_dnn_spatial(g, c, XG_DNN_CONVOLUTION_STRIDES, c->stride, 1);
    xg_dnn_spatial(g, c, XG_DNN_CONVOLUTION_DILATIONS, c->dilation, 1);
    return desc;
}
/* The operation by its kind: attributes of the factor, the factor of what was there, the window, and x, w and y. */
XG_FN void xg_dnn_put_conv(xg_dnn_graph *g, const xg_dnn_conv *c, int64_t window, const int64_t tensors[3]) {
    XG_TABLE const int16_t rows[][7] = {{XG_DNN_OPERATION_FORWARD, 700, 701, 702, 704, 703, 705},
        {XG_DNN_OPERATION_DATA, 706, 707, 708, 710, 709, 711}, {XG_DNN_OPERATION_FILTER, 712, 713, 714, 716, 715, 717}};
    const int16_t *row = rows[c->way];
    bool wide = g->wide == xg_dnn_type(XLAGPU_F64);
    int64_t op = xg_dnn_new(g, row[0]), type = wide ? XG_DNN_IS_DOUBLE : XG_DNN_IS_FLOAT;
    uint32_t k;
    xg_dnn_put(g, row[1], type, xg_dnn_bits(c->scale, wide));
    xg_dnn_put(g, row[2], type, 0);
    xg_dnn_put(g, row[3], XG_DNN_IS_DESCRIPTOR, window);
    for (k = 0; k < 3; k++) xg_dnn_put(g, row[4 + k], XG_DNN_IS_DESCRIPTOR, tensors[k]);
    xg_dnn_operation(g, op);
}
/* One operation of the library: mode(x, with); -1: of x alone. */
typedef struct xg_dnn_step {
    int64_t mode, with;
} xg_dnn_step;
/* A vector along the features. */
XG_FN int64_t xg_dnn_put_vector(xg_dnn_graph *g, const xg_dnn_conv *c, const xg_inst *x, int64_t place) {
    int64_t dims[5] = {1, 1, 1, 1, 1}, strides[5];
    uint32_t k, rank = XG_MAX(c->spatial, 2u) + 2;
    dims[1] = x->shape->elements;
    for (k = 0; k < rank; k++) strides[k] = k && (k == 1 || !c->inner) ? 1 : dims[1];
    return xg_dnn_tensor(g, place, xg_dnn_type(x->shape->type), dims, strides, rank);
}
/* What is behind the convolution, in its order. Engines that do more than a convolution take no factor of it, and only
 * they write wider numbers than they read. */
XG_APART XG_FN uint32_t xg_dnn_steps(xg_dnn_graph *g, const xg_dnn_conv *c, const xg_inst *y, xg_dnn_step *to) {
    int64_t place = 2;
    uint32_t n = 0;
    bool wider = xg_type_bits(y->shape->type) > xg_type_bits(XG_OPERAND(c->conv, 0)->shape->type) &&
                 xg_type_class(y->shape->type) == XGT_F;
    if (c->scale != 1 && (wider || c->side || c->bias || c->relu)) {
        to[n].mode = XG_DNN_MUL;
        to[n++].with = xg_dnn_scalar(g, c->scale, XG_MAX(c->spatial, 2u) + 2);
    }
    if (c->side) {
        to[n].mode = XG_DNN_ADD;
        to[n++].with = xg_dnn_put_array(g, c, y, place++, xg_dnn_type(c->side->shape->type));
    }
    if (c->bias) {
        to[n].mode = XG_DNN_ADD;
        to[n++].with = xg_dnn_put_vector(g, c, c->bias, place);
    }
    if (c->relu || (wider && !n)) {
        to[n].mode = c->relu ? XG_DNN_RELU : XG_DNN_IDENTITY;
        to[n++].with = -1;
    }
    return n;
}

/* ---- arrays as the library takes them ---- */

/* What is transposed to: [batch, spatial.., feature] or [batch, feature, spatial..]; place 2 + k is spatial k. */
XG_FN void xg_dnn_order(const xg_dnn_conv *c, const xg_dnn_roles *r, int64_t *perm) {
    uint32_t n = c->spatial, k;
    perm[0] = r->role[0];
    perm[c->inner ? n + 1 : 1] = r->role[1];
    for (k = 0; k < n; k++) perm[(c->inner ? 1 : 2) + k] = r->role[2 + k];
}
XG_FN xg_inst *xg_dnn_ordered(const xg_hb *b, const xg_dnn_conv *c, xg_inst *x, xg_dnn_array a) {
    int64_t perm[XG_RANK_MAX];
    xg_dnn_order(c, &c->roles[a], perm);
    return xg_hb_transpose(b, x, perm);
}
/* x with as much padding on both sides as the library shall add; the other two ways need no more than that. */
XG_FN xg_inst *xg_dnn_even(const xg_hb *b, xg_dnn_conv *c, xg_inst *x) {
    xg_pad_dim pads[XG_RANK_MAX];
    uint32_t k;
    memset(pads, 0, sizeof pads);
    for (k = 0; k < c->spatial; k++) {
        int64_t both = XG_MAX(XG_MIN(c->low[k], c->high[k]), (int64_t)0);
        xg_pad_dim *p = &pads[c->roles[XG_DNN_X].role[2 + k]];
        p->low = c->low[k] - both;
        p->high = c->high[k] - both;
        c->low[k] = c->high[k] = both;
    }
    return xg_hb_pad(b, x, xg_hb_zero(b, x->shape->type), pads);
}
XG_FN xg_inst *xg_dnn_kernel(const xg_hb *b, xg_dnn_conv *c, xg_inst *w) {
    int64_t dims[3];
    uint32_t n = 0, k;
    for (k = 0; k < c->spatial; k++)
        if (c->reversed[k]) dims[n++] = c->roles[XG_DNN_W].role[2 + k];
    w = xg_hb_reverse(b, w, dims, n);
    return c->way == XG_DNN_DATA && c->groups > 1 ? xg_library_turn_groups(b, w, c->labels, c->groups) : w;
}
/* x's gradient with what the library is not told of its padding: cut from a larger one. */
XG_FN void xg_dnn_larger(xg_dnn_conv *c, int64_t *dims, int64_t *cut) {
    uint32_t k;
    for (k = 0; k < c->spatial; k++) {
        int64_t both = XG_MIN(c->low[k], c->high[k]);
        cut[k] = c->low[k] - both;
        dims[(c->inner ? 1 : 2) + k] += c->low[k] + c->high[k] - 2 * both;
        c->low[k] = c->high[k] = both;
    }
}
XG_FN xg_inst *xg_dnn_cut(const xg_hb *b, const xg_dnn_conv *c, xg_inst *x, const int64_t *cut, const int64_t *dims) {
    uint32_t k, first = c->inner ? 1 : 2;
    for (k = 0; k < c->spatial; k++) x = xg_hb_slice_dim(b, x, first + k, cut[k], cut[k] + dims[first + k]);
    return x;
}
XG_APART XG_FN uint32_t xg_dnn_operands(const xg_hb *b, xg_dnn_conv *c, xg_inst **in) {
    uint32_t k, n = 2;
    for (k = 0; k < 2; k++) {
        in[k] = XG_OPERAND(c->conv, k);
        if (c->arrays[k] == XG_DNN_X) in[k] = xg_dnn_even(b, c, in[k]);
        if (c->arrays[k] == XG_DNN_W) in[k] = xg_dnn_kernel(b, c, in[k]);
        in[k] = xg_dnn_ordered(b, c, in[k], c->arrays[k]);
    }
    if (c->side) in[n++] = xg_dnn_ordered(b, c, c->side, XG_DNN_Y);
    if (c->bias) in[n++] = c->bias;
    return n;
}
XG_APART XG_FN void xg_dnn_conv_step(
    xg_dnn_graph *g, const xg_dnn_step *step, int64_t from, int64_t made, double clip) {
    xg_dnn_pointwise_op op;
    memset(&op, 0, sizeof op);
    op.mode = step->mode;
    op.x = from;
    op.b = step->with;
    op.y = made;
    op.t = op.axis = -1;
    op.type = g->wide;
    op.clip = clip;
    xg_dnn_pointwise(g, &op);
}
/* From the operands to the array of place n. */
XG_APART XG_FN void xg_dnn_put_all(xg_dnn_graph *g, xg_dnn_conv *c, xg_inst *const *in, uint32_t n, const xg_inst *y) {
    xg_dnn_step steps[4];
    uint32_t k, n_steps = xg_dnn_steps(g, c, y, steps);
    int64_t tensors[3], window, from, made, type = xg_dnn_type(y->shape->type);
    for (k = 0; k < 2; k++) tensors[c->arrays[k]] = xg_dnn_put_array(g, c, in[k], k, xg_dnn_type(in[k]->shape->type));
    from = xg_dnn_put_array(g, c, y, n_steps ? -1 : (int64_t)n, n_steps ? g->wide : type);
    tensors[c->arrays[2]] = from;
    window = xg_dnn_put_window(g, c);
    if (n_steps) c->scale = 1;
    xg_dnn_put_conv(g, c, window, tensors);
    for (k = 0; k < n_steps; k++, from = made) {
        bool last = k + 1 == n_steps;
        made = xg_dnn_put_array(g, c, y, last ? (int64_t)n : -1, last ? type : g->wide);
        xg_dnn_conv_step(g, &steps[k], from, made, steps[k].mode == XG_DNN_RELU ? c->clip : 0);
    }
}
XG_FN int64_t xg_dnn_notes(xlagpu_type of) {
    int64_t exact = of == XLAGPU_F32 ? XG_DNN_NOTE_TENSOR_CORE | XG_DNN_NOTE_NARROWER_INPUTS : 0;
    return exact | XG_DNN_NOTE_NARROWER_SUMS | XG_DNN_NOTE_WINOGRAD_13;
}
XG_APART XG_FN xg_inst *xg_dnn_rewrite(const xg_hb *b, xg_dnn_conv *c) {
    XG_TABLE const char ways[][19] = {"convForward", "convBackwardInput", "convBackwardFilter"};
    int64_t perm[XG_RANK_MAX], back[XG_RANK_MAX], dims[XG_RANK_MAX], asked[XG_RANK_MAX], cut[3] = {0, 0, 0};
    xlagpu_type of = XG_OPERAND(c->conv, 0)->shape->type;
    uint32_t k, n, rank = c->spatial + 2;
    const xg_shape *to;
    xg_inst *in[4], *made, y;
    xg_dnn_graph g;
    memset(&y, 0, sizeof y);
    xg_dnn_begin(&g, b->comp->module->arena, of == XLAGPU_F64 ? XLAGPU_F64 : XLAGPU_F32);
    xg_dnn_order(c, &c->roles[c->arrays[2]], perm);
    for (k = 0; k < rank; k++) {
        asked[k] = dims[k] = c->conv->shape->dims[perm[k]];
        back[perm[k]] = k;
    }
    if (c->way == XG_DNN_DATA) xg_dnn_larger(c, dims, cut);
    n = xg_dnn_operands(b, c, in);
    y.shape = to = xg_hb_shape(b, c->end->shape->type, dims, rank);
    xg_dnn_put_all(&g, c, in, n, &y);
    made = xg_dnn_call(b, &g, ways[c->way], (uint64_t)(2 * xg_dnn_products(c)), xg_dnn_notes(of), in, n, &to, 1);
    made = xg_dnn_cut(b, c, xg_hb_element(b, made, 0), cut, asked);
    return xg_hb_transpose(b, made, back);
}

/* ---- the pass ---- */

XG_FN bool xg_expand_conv_rewriter(xg_module *m) {
    bool changed = false;
    xg_comp *comp;
    if (!m->made[XG_CONVOLUTION] || !xg_vendor_allows(m, XG_EXE_LIBRARY_CUDNN)) return false;
    for (comp = m->first; comp; comp = comp->next) {
        xg_inst *i, *next;
        for (i = comp->first; i; i = next) {
            xg_dnn_conv c;
            xg_hb b;
            next = xg_inst_behind(i);
            if (!xg_dnn_conv_of(i, &c)) continue;
            if (!(m->libraries & XG_EXE_LIBRARY_ALWAYS) && !xg_dnn_is_faster(m, &c)) continue;
            xg_dnn_epilogue(&c);
            b = xg_hb_at(c.end);
            xg_opt_replace(c.end, xg_dnn_rewrite(&b, &c));
            changed = true;
        }
    }
    return changed;
}

#endif /* XG_EXPAND_CONV_REWRITER_C */
