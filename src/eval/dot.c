/* eval/dot.c -- dot and convolution.
 *
 * Both are sums of rows: acc[0..n) += x[k] * w[k][0..n). Operands are laid out so that w's rows and x's k are
 * contiguous and widened to a type that holds their values exactly: float (all up to f32), double, int64 or pairs of
 * doubles; acc is double, int64 or pairs of doubles, and is rounded once to the result's type. Integers wrap, pred is
 * or of and. */
#ifndef XG_EVAL_DOT_C
#define XG_EVAL_DOT_C
#include "eval.h"

typedef enum xg_sum_kind {
    XG_SUM_F32,
    XG_SUM_F64,
    XG_SUM_INT,
    XG_SUM_COMPLEX
} xg_sum_kind;

XG_FN xg_sum_kind xg_sum_kind_of(xlagpu_type a, xlagpu_type b) {
    int ka = xg_type_class(a), kb = xg_type_class(b);
    if (ka == XGT_C || kb == XGT_C) return XG_SUM_COMPLEX;
    if (ka == XGT_F || kb == XGT_F) return a == XLAGPU_F64 || b == XLAGPU_F64 || ka != kb ? XG_SUM_F64 : XG_SUM_F32;
    return XG_SUM_INT;
}
XG_FN xlagpu_type xg_sum_operand(xg_sum_kind k) {
    return k == XG_SUM_F32 ? XLAGPU_F32 : k == XG_SUM_F64 ? XLAGPU_F64 : k == XG_SUM_INT ? XLAGPU_S64 : XLAGPU_C128;
}
XG_FN xlagpu_type xg_sum_total(xg_sum_kind k) { return k == XG_SUM_F32 ? XLAGPU_F64 : xg_sum_operand(k); }

/* acc[j] += x[k] * w[k * stride + j] for all k and j < n. */
XG_FN void xg_sum_rows_f32(
    double *XG_RESTRICT acc, const float *x, const float *w, int64_t depth, int64_t stride, int64_t n) {
    int64_t k, j;
    for (k = 0; k < depth; k++) {
        const double a = (double)x[k];
        const float *XG_RESTRICT row = w + k * stride;
        for (j = 0; j + 8 <= n; j += 8) {
            int u;
            for (u = 0; u < 8; u++) acc[j + u] += a * (double)row[j + u];
        }
        for (; j < n; j++) acc[j] += a * (double)row[j];
    }
}
XG_FN void xg_sum_rows_f64(
    double *XG_RESTRICT acc, const double *x, const double *w, int64_t depth, int64_t stride, int64_t n) {
    int64_t k, j;
    for (k = 0; k < depth; k++)
        for (j = 0; j < n; j++) acc[j] += x[k] * w[k * stride + j];
}
XG_FN void xg_sum_rows_int(
    uint64_t *XG_RESTRICT acc, const uint64_t *x, const uint64_t *w, int64_t depth, int64_t stride, int64_t n) {
    int64_t k, j;
    for (k = 0; k < depth; k++)
        for (j = 0; j < n; j++) acc[j] += x[k] * w[k * stride + j];
}
XG_FN void xg_sum_rows_complex(
    double *XG_RESTRICT acc, const double *x, const double *w, int64_t depth, int64_t stride, int64_t n) {
    int64_t k, j;
    for (k = 0; k < depth; k++)
        for (j = 0; j < n; j++) {
            const double *b = w + 2 * (k * stride + j);
            acc[2 * j] += x[2 * k] * b[0] - x[2 * k + 1] * b[1];
            acc[2 * j + 1] += x[2 * k] * b[1] + x[2 * k + 1] * b[0];
        }
}

/* at: elements from the start of each array. */
XG_FN void xg_sum_rows(xg_sum_kind kind, unsigned char *acc, int64_t acc_at, const unsigned char *x, int64_t x_at,
    const unsigned char *w, int64_t w_at, int64_t depth, int64_t stride, int64_t n) {
    void *to = acc + (size_t)acc_at * (size_t)xg_type_bytes(xg_sum_total(kind));
    const void *a = x + (size_t)x_at * (size_t)xg_type_bytes(xg_sum_operand(kind)),
               *b = w + (size_t)w_at * (size_t)xg_type_bytes(xg_sum_operand(kind));
    switch (kind) {
    case XG_SUM_F32: xg_sum_rows_f32((double *)to, (const float *)a, (const float *)b, depth, stride, n); break;
    case XG_SUM_F64: xg_sum_rows_f64((double *)to, (const double *)a, (const double *)b, depth, stride, n); break;
    case XG_SUM_INT: xg_sum_rows_int((uint64_t *)to, (const uint64_t *)a, (const uint64_t *)b, depth, stride, n); break;
    default: xg_sum_rows_complex((double *)to, (const double *)a, (const double *)b, depth, stride, n); break;
    }
}

/* The operand with its dimensions in the given order, widened for the kind; `rounded` first rounds f32 values to that
 * type. */
XG_FN xg_value *xg_sum_operand_in_order(
    xg_eval_run *r, xg_value **v, const int64_t *order, xg_sum_kind kind, xlagpu_type rounded) {
    const xg_shape *s = (*v)->shape;
    const unsigned char *from = xg_eval_dense(r, v);
    size_t bytes = xg_eval_bytes(r, s), n = (size_t)s->elements;
    xg_value *moved = xg_eval_scratch(r, bytes), *wide;
    int64_t strides[XG_RANK_MAX], step = 1;
    xlagpu_type type = s->type;
    xg_strided c;
    uint32_t d;
    c.rank = s->rank;
    c.bytes = (size_t)xg_type_bytes(type);
    xg_eval_row_strides(s, strides);
    for (d = s->rank; d-- > 0;) {
        c.dims[d] = s->dims[order[d]];
        c.from[d] = strides[order[d]];
        c.to[d] = step;
        step *= c.dims[d];
    }
    xg_eval_copy(&c, moved->data, from);
    if (rounded != XLAGPU_INVALID && rounded != type) {
        wide = xg_eval_scratch(r, xg_mul(r->ctx, n, (size_t)xg_type_bytes(rounded)));
        xg_eval_convert_block(rounded, wide->data, type, moved->data, n);
        xg_eval_drop(r, moved);
        moved = wide;
        type = rounded;
    }
    if (type == xg_sum_operand(kind)) return moved;
    wide = xg_eval_scratch(r, xg_mul(r->ctx, n, (size_t)xg_type_bytes(xg_sum_operand(kind))));
    xg_eval_convert_block(xg_sum_operand(kind), wide->data, type, moved->data, n);
    xg_eval_drop(r, moved);
    return wide;
}

/* The totals as elements of a type; pred asks whether any product was true. */
XG_FN void xg_sum_finish(xlagpu_type to, void *out, xg_sum_kind kind, const void *totals, size_t n) {
    xg_eval_convert_block(to, out, xg_sum_total(kind), totals, n);
}

/* Bits of f32 operands that algorithm= may ignore: matrix units take them for tf32; two bf16 hold 16 bits of them. */
XG_FN uint32_t xg_dot_dropped(const xg_inst *i) {
    if (xg_inst_is_tf32(i)) return XG_TF32_DROPPED;
    return xg_str_is(xg_attr_str(i, XG_A_algorithm), "dot_bf16_bf16_f32_x3") ? 0xFF : 0;
}
/* NaN stays. */
XG_FN void xg_dot_drop(float *x, size_t n, uint32_t dropped) {
    size_t k;
    for (k = 0; k < n; k++) {
        uint32_t bits;
        if (x[k] != x[k]) continue;
        memcpy(&bits, &x[k], sizeof bits);
        bits &= ~dropped;
        memcpy(&x[k], &bits, sizeof bits);
    }
}
/* The type to which algorithm= rounds f32 operands. Sums of several products (x6, x9) are as exact as f32 for us;
 * what tf32 and x3 keep is no type. */
XG_FN xlagpu_type xg_dot_rounding(const xg_inst *i, const xg_shape *s) {
    xg_str a = xg_attr_str(i, XG_A_algorithm);
    if (s->type != XLAGPU_F32) return XLAGPU_INVALID;
    if (xg_word_in("dot_bf16_bf16_f32 dot_bf16_bf16_bf16", a) >= 0) return XLAGPU_BF16;
    if (xg_word_in("dot_f16_f16_f32 dot_f16_f16_f16", a) >= 0) return XLAGPU_F16;
    return XLAGPU_INVALID;
}

/* An operand in an order, as algorithm= rounds it. */
XG_FN xg_value *xg_dot_factor(xg_eval_run *r, const xg_inst *i, xg_value **v, const int64_t *order, xg_sum_kind kind) {
    size_t n = (size_t)(*v)->shape->elements;
    xg_value *x = xg_sum_operand_in_order(r, v, order, kind, xg_dot_rounding(i, (*v)->shape));
    uint32_t dropped = xg_dot_dropped(i);
    if (dropped && kind == XG_SUM_F32) xg_dot_drop((float *)(void *)x->data, n, dropped);
    return x;
}

/* Batch dimensions, free ones and contracted ones of an operand, in an order; returns the products. */
XG_FN void xg_dot_order(const xg_shape *s, xg_ints batch, xg_ints contracting, bool contracting_last, int64_t *order,
    int64_t *batches, int64_t *free_n, int64_t *depth) {
    uint32_t n = 0, d, k;
    *batches = *free_n = *depth = 1;
    for (k = 0; k < batch.n; k++) {
        order[n++] = batch.p[k];
        *batches *= s->dims[batch.p[k]];
    }
    if (!contracting_last)
        for (k = 0; k < contracting.n; k++) order[n++] = contracting.p[k];
    for (d = 0; d < s->rank; d++)
        if (!xg_ints_has(batch, d) && !xg_ints_has(contracting, d)) {
            order[n++] = d;
            *free_n *= s->dims[d];
        }
    if (contracting_last)
        for (k = 0; k < contracting.n; k++) order[n++] = contracting.p[k];
    for (k = 0; k < contracting.n; k++) *depth *= s->dims[contracting.p[k]];
}

XG_FN xg_value *xg_eval_dot(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    xg_sum_kind kind = xg_sum_kind_of(in[0]->shape->type, in[1]->shape->type);
    xg_value *out = xg_eval_new(r, i->shape), *a, *b, *acc;
    int64_t order_a[XG_RANK_MAX], order_b[XG_RANK_MAX], batches, m, n, depth, batch, row, first;
    size_t total = (size_t)xg_type_bytes(xg_sum_total(kind)), bytes = (size_t)xg_type_bytes(i->shape->type);
    enum {
        STRIP = 64
    };
    xg_dot_order(in[0]->shape, xg_attr_ints(i, XG_A_lhs_batch_dims), xg_attr_ints(i, XG_A_lhs_contracting_dims), true,
        order_a, &batches, &m, &depth);
    xg_dot_order(in[1]->shape, xg_attr_ints(i, XG_A_rhs_batch_dims), xg_attr_ints(i, XG_A_rhs_contracting_dims), false,
        order_b, &batches, &n, &depth);
    if (i->shape->elements == 0) return out;
    xg_eval_spend(r, i->shape->elements);
    a = xg_dot_factor(r, i, &in[0], order_a, kind);
    b = xg_dot_factor(r, i, &in[1], order_b, kind);
    acc = xg_eval_scratch(r, xg_mul(r->ctx, (size_t)n, total));
    for (batch = 0; batch < batches; batch++)
        for (row = 0; row < m; row++) {
            xg_eval_spend_each(r, depth, n);
            memset(acc->data, 0, (size_t)n * total);
            for (first = 0; first < depth; first += STRIP)
                xg_sum_rows(kind, acc->data, 0, a->data, (batch * m + row) * depth + first, b->data,
                    (batch * depth + first) * n, XG_MIN(depth - first, (int64_t)STRIP), n, n);
            xg_sum_finish(
                i->shape->type, out->data + (size_t)((batch * m + row) * n) * bytes, kind, acc->data, (size_t)n);
        }
    xg_eval_drop(r, acc);
    xg_eval_drop(r, a);
    xg_eval_drop(r, b);
    return out;
}

/* ---- convolution ---- */

/* Input as [batch][spatial][feature], kernel as [spatial][input][output], totals as [batch][spatial][feature]. */
typedef struct xg_conv {
    xg_sum_kind kind;
    const xg_window *window;
    int64_t batch, features, out_batch, out_features, kernel_inputs; /* whole extents; kernel_inputs per group */
    int64_t groups, batch_groups, points, out_points;
    const unsigned char *x, *w;
    unsigned char *acc;
    int64_t spatial[XG_RANK_MAX], outputs[XG_RANK_MAX]; /* extents of input and result */
} xg_conv;

/* Adds what input row x (all features at one place) gives at one result place through one kernel position. */
XG_APART XG_FN void xg_conv_place(
    const xg_conv *c, int64_t position, int64_t x_row, int64_t acc_row, int64_t batch_group) {
    int64_t per_group = c->out_features / c->groups, per_batch = c->out_features / c->batch_groups, g;
    int64_t kernel = position * c->kernel_inputs * c->out_features;
    if (c->batch_groups > 1) {
        int64_t at = batch_group * per_batch;
        xg_sum_rows(c->kind, c->acc, acc_row * c->out_features + at, c->x, x_row * c->features, c->w, kernel + at,
            c->kernel_inputs, c->out_features, per_batch);
        return;
    }
    for (g = 0; g < c->groups; g++)
        xg_sum_rows(c->kind, c->acc, acc_row * c->out_features + g * per_group, c->x,
            x_row * c->features + g * c->kernel_inputs, c->w, kernel + g * per_group, c->kernel_inputs, c->out_features,
            per_group);
}

/* All result places that see the input at one kernel position. */
XG_APART XG_FN void xg_conv_position(const xg_conv *c, const int64_t *at, int64_t position) {
    xg_reach reach[XG_RANK_MAX];
    int64_t index[XG_RANK_MAX], b, g;
    uint32_t d, n = c->window->n;
    for (d = 0; d < n; d++) {
        reach[d] = xg_eval_reach(&c->window->p[d], at[d], c->spatial[d], c->outputs[d]);
        if (!reach[d].n) return;
    }
    memset(index, 0, sizeof index);
    for (;;) {
        int64_t from = 0, to = 0;
        for (d = 0; d < n; d++) {
            from = from * c->spatial[d] + reach[d].base + index[d] * reach[d].base_step;
            to = to * c->outputs[d] + reach[d].first + index[d] * reach[d].step;
        }
        for (g = 0; g < c->batch_groups; g++)
            for (b = 0; b < c->out_batch; b++)
                xg_conv_place(c, position, (g * c->out_batch + b) * c->points + from, b * c->out_points + to, g);
        for (d = n; d-- > 0;) {
            if (++index[d] < reach[d].n) break;
            index[d] = 0;
        }
        if (d == UINT32_MAX) return;
    }
}

/* The totals, [batch][spatial][feature], as the result's dimensions say. */
XG_FN void xg_conv_store(xg_eval_run *r, const xg_conv *c, const xg_dim_labels *l, xg_value *out) {
    size_t n = (size_t)out->shape->elements;
    xg_value *rounded = xg_eval_scratch(r, xg_eval_bytes(r, out->shape));
    int64_t strides[XG_RANK_MAX], step = 1;
    xg_strided box;
    uint32_t d;
    xg_sum_finish(out->shape->type, rounded->data, c->kind, c->acc, n);
    xg_eval_row_strides(out->shape, strides);
    box.rank = out->shape->rank;
    box.bytes = (size_t)xg_type_bytes(out->shape->type);
    for (d = 0; d < box.rank; d++) {
        int64_t to = d == 0 ? l->output_batch : d + 1 == box.rank ? l->output_feature : l->output_spatial.p[d - 1];
        box.dims[d] = out->shape->dims[to];
        box.to[d] = strides[to];
    }
    for (d = box.rank; d-- > 0;) {
        box.from[d] = step;
        step *= box.dims[d];
    }
    xg_eval_copy(&box, out->data, rounded->data);
    xg_eval_drop(r, rounded);
}

XG_FN xg_value *xg_eval_convolution(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    static const xg_window scalar = {0, NULL};
    const xg_dim_labels *l = xg_inst_attr(i, XG_A_dim_labels)->v.labels;
    const xg_attr *window = xg_inst_attr(i, XG_A_window);
    const xg_shape *x = in[0]->shape, *w = in[1]->shape;
    int64_t order_x[XG_RANK_MAX], order_w[XG_RANK_MAX], at[XG_RANK_MAX], position = 0;
    xg_value *out = xg_eval_new(r, i->shape), *xv, *wv, *acc;
    xg_conv c;
    uint32_t d, n = l->input_spatial.n;
    if (l->input_batch < 0 || l->input_feature < 0 || l->kernel_input < 0 || l->kernel_output < 0 ||
        l->output_batch < 0 || l->output_feature < 0 || x->rank != n + 2)
        xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, "label every dimension", "unlabelled dimensions are not evaluated");
    if (xg_inst_attr(i, XG_A_sparsity_config))
        xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, NULL, "sparse operands are not evaluated");
    if (i->shape->elements == 0) return out;
    memset(&c, 0, sizeof c);
    c.kind = xg_sum_kind_of(x->type, w->type);
    c.window = window ? window->v.window : &scalar;
    c.points = c.out_points = 1;
    for (d = 0; d < n; d++) {
        order_x[d + 1] = l->input_spatial.p[d];
        order_w[d] = l->kernel_spatial.p[d];
        c.points *= c.spatial[d] = x->dims[l->input_spatial.p[d]];
        c.out_points *= c.outputs[d] = i->shape->dims[l->output_spatial.p[d]];
    }
    order_x[0] = l->input_batch;
    order_x[n + 1] = l->input_feature;
    order_w[n] = l->kernel_input;
    order_w[n + 1] = l->kernel_output;
    c.features = x->dims[l->input_feature];
    c.out_features = w->dims[l->kernel_output];
    c.kernel_inputs = w->dims[l->kernel_input];
    c.groups = xg_attr_or_1(i, XG_A_feature_group_count);
    c.batch_groups = xg_attr_or_1(i, XG_A_batch_group_count);
    c.out_batch = x->dims[l->input_batch] / c.batch_groups;
    xv = xg_dot_factor(r, i, &in[0], order_x, c.kind);
    wv = xg_dot_factor(r, i, &in[1], order_w, c.kind);
    acc = xg_eval_scratch(r, xg_mul(r->ctx, (size_t)i->shape->elements, (size_t)xg_type_bytes(xg_sum_total(c.kind))));
    memset(acc->data, 0, (size_t)i->shape->elements * (size_t)xg_type_bytes(xg_sum_total(c.kind)));
    c.x = xv->data;
    c.w = wv->data;
    c.acc = acc->data;
    memset(at, 0, sizeof at);
    xg_eval_spend_each(r, i->shape->elements, w->elements / c.out_features);
    if (w->elements && x->elements) do
            xg_conv_position(&c, at, position++);
        while (xg_eval_next(at, c.window));
    xg_conv_store(r, &c, l, out);
    xg_eval_drop(r, acc);
    xg_eval_drop(r, xv);
    xg_eval_drop(r, wv);
    return out;
}

#endif /* XG_EVAL_DOT_C */
