/* indexing/contract.c -- opcodes of which one result element reads many: dot, convolution, reduce, reduce-window.
 *
 * What is summed over is a range symbol. Operands of one instruction number the same sum alike (a dot's contracting
 * dimensions in order; a convolution's window dimensions, then the input feature), so an emitter can run one loop over
 * both. */
#ifndef XG_INDEXING_CONTRACT_C
#define XG_INDEXING_CONTRACT_C
#include "indexing.h"

/* ---- dot ---- */

typedef struct xg_index_dot_side {
    xg_ints batch, contracting;
    const xg_shape *shape;
    uint32_t first_free;
    int64_t group; /* the dimension whose index is the number of a ragged row's group, -1: there is none */
    uint32_t lead; /* dimensions of the result in front of the batch: 1 where groups are summed up apart */
} xg_index_dot_side;

/* Output dims are batch, then the free dims of lhs, then those of rhs. */
XG_FN xg_index_dot_side xg_index_dot_side_of(const xg_inst *i, uint32_t operand) {
    xg_ints groups = xg_attr_ints(i, XG_A_rhs_group_dims);
    xg_index_dot_side s;
    s.group = operand && groups.n ? groups.p[0] : -1;
    s.batch = xg_attr_ints(i, operand ? XG_A_rhs_batch_dims : XG_A_lhs_batch_dims);
    s.contracting = xg_attr_ints(i, operand ? XG_A_rhs_contracting_dims : XG_A_lhs_contracting_dims);
    s.shape = XG_OPERAND(i, operand)->shape;
    s.lead = i->op == XG_RAGGED_DOT && !groups.n;
    s.first_free = s.lead + (operand ? XG_OPERAND(i, 0)->shape->rank - s.contracting.n : s.batch.n);
    return s;
}

XG_FN const xg_imap *xg_index_dot_back(const xg_index_query *q) {
    xg_index_dot_side s = xg_index_dot_side_of(q->i, q->operand);
    xg_imap *m = xg_index_begin(q, s.contracting.n + (s.group >= 0), 0, 0);
    uint32_t k, at, next = s.first_free;
    for (k = 0; k < q->in->rank; k++) {
        if (xg_ints_at(s.batch, k, &at))
            m->results[k] = xg_index_dim(q, s.lead + at);
        else if (xg_ints_at(s.contracting, k, &at))
            m->results[k] = xg_index_sym(q, m, at, q->in->dims[k]);
        else if (k == s.group)
            m->results[k] = xg_index_sym(q, m, s.contracting.n, q->in->dims[k]);
        else
            m->results[k] = xg_index_dim(q, next++);
    }
    return m;
}

/* From an operand: the other operand's free dims are symbols. */
XG_FN const xg_imap *xg_index_dot_forward(const xg_index_query *q) {
    xg_index_dot_side s = xg_index_dot_side_of(q->i, q->operand);
    uint32_t n_free = q->in->rank - s.batch.n - s.contracting.n - (s.group >= 0), k, n = 0, next = s.first_free, at;
    xg_imap *m = xg_index_begin(q, q->out->rank - s.batch.n - n_free, 0, 0);
    for (k = 0; k < q->in->rank; k++) {
        if (xg_ints_at(s.batch, k, &at))
            m->results[s.lead + at] = xg_index_dim(q, k);
        else if (!xg_ints_at(s.contracting, k, &at) && k != s.group)
            m->results[next++] = xg_index_dim(q, k);
    }
    for (k = 0; k < q->out->rank; k++)
        if (!m->results[k]) m->results[k] = xg_index_sym(q, m, n++, q->out->dims[k]);
    return m;
}
/* A ragged-dot adds up over groups, too, of which a row has one; or of the sum each group has a part. Where groups
 * share the batch it is no such sum, and is expanded. */
XG_FN const xg_imap *xg_index_dot(const xg_index_query *q) {
    if (q->i->op == XG_RAGGED_DOT &&
        xg_ints_has(xg_attr_ints(q->i, XG_A_lhs_batch_dims), xg_attr_ints(q->i, XG_A_lhs_ragged_dims).p[0]))
        return xg_imap_undefined(q->x);
    if (q->operand == 2) return xg_index_scalar(q);
    return q->back ? xg_index_dot_back(q) : xg_index_dot_forward(q);
}

/* The scales of an operand have as many dimensions, each a divisor of the operand's: one stands for a block. From a
 * scale to the result the block is a symbol of its own where the dimension reaches the result; where it is contracted,
 * all of it adds up in one element. */
XG_FN const xg_imap *xg_index_scaled_dot(const xg_index_query *q) {
    uint32_t side = q->operand % 2, k;
    const xg_shape *whole = XG_OPERAND(q->i, side)->shape, *scale = q->in;
    xg_index_query of = *q;
    xg_imap *spread;
    if (q->operand < 2) return xg_index_dot(q);
    if (scale->rank != whole->rank) return xg_imap_undefined(q->x);
    for (k = 0; k < scale->rank; k++)
        if (!scale->dims[k] || whole->dims[k] % scale->dims[k]) return xg_imap_undefined(q->x);
    of.operand = side;
    of.in = whole;
    of.from = q->back ? q->out : whole;
    of.to = q->back ? whole : q->out;
    if (q->back) {
        const xg_imap *m = xg_index_dot_back(&of);
        const xg_aff *at[XG_RANK_MAX];
        for (k = 0; k < scale->rank; k++) at[k] = xg_aff_div(q->x, m->results[k], whole->dims[k] / scale->dims[k]);
        return xg_imap_with_results(q->x, m, at, scale->rank);
    }
    spread = xg_imap_new(q->x, scale->rank, scale->rank, 0, scale->rank, 0);
    for (k = 0; k < scale->rank; k++) {
        int64_t block = whole->dims[k] / scale->dims[k];
        spread->dims[k].range = xg_range_of(0, scale->dims[k] - 1);
        spread->syms[k].range = xg_range_of(0, block - 1);
        spread->results[k] = xg_aff_add_dim(q->x, xg_aff_sym(q->x, k), k, block);
    }
    return xg_imap_drop_unused_syms(
        q->x, xg_imap_simplify(q->x, xg_imap_compose(q->x, spread, xg_index_dot_forward(&of))), NULL);
}

/* ---- windows ---- */

/* Where position `at` of the window around output index o falls in the undilated input, with the conditions that it
 * falls on an element. */
XG_FN const xg_aff *xg_index_window_input(const xg_index_query *q, xg_imap *m, uint32_t *n, const xg_window_dim *w,
    const xg_aff *o, const xg_aff *at, int64_t input_size) {
    xg_aff_ctx *x = q->x;
    const xg_aff *p = xg_aff_add_mul(x, xg_aff_mul(x, o, w->stride), at, w->window_dilation), *e;
    p = w->pad_low == INT64_MIN ? NULL : xg_aff_add_k(x, p, -w->pad_low);
    e = xg_aff_div(x, p, w->base_dilation);
    xg_index_require(m, n, e, 0, input_size - 1);
    if (w->base_dilation > 1) xg_index_require(m, n, xg_aff_mod(x, p, w->base_dilation), 0, 0);
    return e;
}

/* Which output's window holds input index d at position `at`. */
XG_FN const xg_aff *xg_index_window_output(const xg_index_query *q, xg_imap *m, uint32_t *n, const xg_window_dim *w,
    const xg_aff *d, const xg_aff *at, int64_t output_size) {
    xg_aff_ctx *x = q->x;
    const xg_aff *p = xg_aff_sub(x, xg_aff_add_k(x, xg_aff_mul(x, d, w->base_dilation), w->pad_low),
                     xg_aff_mul(x, at, w->window_dilation)),
                 *e;
    e = xg_aff_div(x, p, w->stride);
    xg_index_require(m, n, e, 0, output_size - 1);
    if (w->stride > 1) xg_index_require(m, n, xg_aff_mod(x, p, w->stride), 0, 0);
    return e;
}

XG_FN xg_window xg_index_window_of(const xg_inst *i) {
    const xg_attr *a = xg_inst_attr(i, XG_A_window);
    xg_window none;
    none.n = 0;
    none.p = NULL;
    return a ? *a->v.window : none;
}

/* Inputs first, then as many initial values: each output element starts from one. */
XG_FN const xg_imap *xg_index_reduce_window(const xg_index_query *q) {
    xg_window w = xg_index_window_of(q->i);
    uint32_t k, n = 0, rank = q->out->rank;
    xg_imap *m;
    if (q->operand >= q->i->n_operands / 2) return xg_index_scalar(q);
    if (w.n != rank) return xg_imap_undefined(q->x);
    m = xg_index_begin(q, rank, 0, rank * 2);
    for (k = 0; k < rank; k++) {
        const xg_aff *at = xg_index_sym(q, m, k, w.p[k].size), *d = xg_index_dim(q, k);
        m->results[k] = q->back ? xg_index_window_input(q, m, &n, &w.p[k], d, at, q->in->dims[k])
                                : xg_index_window_output(q, m, &n, &w.p[k], d, at, q->out->dims[k]);
    }
    m->n_constraints = n;
    return m;
}

/* ---- convolution ---- */

/* Symbols: position in each window dimension, then the input feature within its group. Features of the output fall into
 * feature groups, or the batch into batch groups, by equal runs of output features. */
XG_FN const xg_imap *xg_index_conv_input(const xg_index_query *q, const xg_dim_labels *l, xg_window w) {
    const xg_shape *kernel = XG_OPERAND(q->i, 1)->shape;
    int64_t groups = xg_attr_or_1(q->i, XG_A_feature_group_count), batches = xg_attr_or_1(q->i, XG_A_batch_group_count);
    int64_t in_features = kernel->dims[l->kernel_input], out_features = q->out->dims[l->output_feature];
    const xg_aff *of = xg_index_dim(q, (uint32_t)l->output_feature), *ob = xg_index_dim(q, (uint32_t)l->output_batch),
                 *feature;
    xg_imap *m = xg_index_begin(q, w.n + 1, 0, w.n * 2 + 2);
    uint32_t k, n = 0;
    for (k = 0; k < w.n; k++) {
        const xg_aff *at = xg_index_sym(q, m, k, w.p[k].size);
        m->results[l->input_spatial.p[k]] = xg_index_window_input(q, m, &n, &w.p[k],
            xg_index_dim(q, (uint32_t)l->output_spatial.p[k]), at, q->in->dims[l->input_spatial.p[k]]);
    }
    feature = xg_index_sym(q, m, w.n, in_features);
    if (groups > 1) feature = xg_aff_add_mul(q->x, feature, xg_aff_div(q->x, of, out_features / groups), in_features);
    if (batches > 1)
        ob = xg_aff_add_mul(q->x, ob, xg_aff_div(q->x, of, out_features / batches), q->out->dims[l->output_batch]);
    m->results[l->input_feature] = feature;
    m->results[l->input_batch] = ob;
    m->n_constraints = n;
    return m;
}

XG_FN const xg_imap *xg_index_conv_kernel(const xg_index_query *q, const xg_dim_labels *l, xg_window w) {
    xg_imap *m = xg_index_begin(q, w.n + 1, 0, 0);
    uint32_t k;
    for (k = 0; k < w.n; k++) {
        const xg_aff *at = xg_index_sym(q, m, k, w.p[k].size);
        m->results[l->kernel_spatial.p[k]] =
            w.p[k].reversal ? xg_aff_sub(q->x, xg_aff_const(q->x, w.p[k].size - 1), at) : at;
    }
    m->results[l->kernel_input] = xg_index_sym(q, m, w.n, q->in->dims[l->kernel_input]);
    m->results[l->kernel_output] = xg_index_dim(q, (uint32_t)l->output_feature);
    return m;
}

/* Forward, symbols: position in each window dimension, then the output feature (in its group). */
XG_FN const xg_imap *xg_index_conv_from_input(const xg_index_query *q, const xg_dim_labels *l, xg_window w) {
    int64_t groups = xg_attr_or_1(q->i, XG_A_feature_group_count), batches = xg_attr_or_1(q->i, XG_A_batch_group_count),
            out_features = q->out->dims[l->output_feature];
    const xg_aff *batch = xg_index_dim(q, (uint32_t)l->input_batch), *group = NULL, *feature;
    xg_imap *m = xg_index_begin(q, w.n + 1, 0, w.n * 2);
    uint32_t k, n = 0;
    for (k = 0; k < w.n; k++) {
        const xg_aff *at = xg_index_sym(q, m, k, w.p[k].size);
        m->results[l->output_spatial.p[k]] = xg_index_window_output(q, m, &n, &w.p[k],
            xg_index_dim(q, (uint32_t)l->input_spatial.p[k]), at, q->out->dims[l->output_spatial.p[k]]);
    }
    if (groups > 1)
        group = xg_aff_div(q->x, xg_index_dim(q, (uint32_t)l->input_feature), q->in->dims[l->input_feature] / groups);
    if (batches > 1) {
        group = xg_aff_div(q->x, batch, q->out->dims[l->output_batch]);
        batch = xg_aff_mod(q->x, batch, q->out->dims[l->output_batch]);
    }
    out_features /= groups * batches;
    feature = xg_index_sym(q, m, w.n, out_features);
    m->results[l->output_feature] = group ? xg_aff_add_mul(q->x, feature, group, out_features) : feature;
    m->results[l->output_batch] = batch;
    m->n_constraints = n;
    return m;
}
/* Symbols: output positions, then the output batch. */
XG_FN const xg_imap *xg_index_conv_from_kernel(const xg_index_query *q, const xg_dim_labels *l, xg_window w) {
    xg_imap *m = xg_index_begin(q, w.n + 1, 0, 0);
    uint32_t k;
    for (k = 0; k < w.n; k++)
        m->results[l->output_spatial.p[k]] = xg_index_sym(q, m, k, q->out->dims[l->output_spatial.p[k]]);
    m->results[l->output_batch] = xg_index_sym(q, m, w.n, q->out->dims[l->output_batch]);
    m->results[l->output_feature] = xg_index_dim(q, (uint32_t)l->kernel_output);
    return m;
}

XG_FN bool xg_index_conv_has_roles(const xg_dim_labels *l, uint32_t n) {
    return l->input_spatial.n == n && l->kernel_spatial.n == n && l->output_spatial.n == n && l->input_batch >= 0 &&
           l->input_feature >= 0 && l->kernel_input >= 0 && l->kernel_output >= 0 && l->output_batch >= 0 &&
           l->output_feature >= 0;
}

XG_FN const xg_imap *xg_index_convolution(const xg_index_query *q) {
    const xg_attr *labels = xg_inst_attr(q->i, XG_A_dim_labels);
    xg_window w = xg_index_window_of(q->i);
    if (!labels || q->i->n_operands != 2 || !xg_index_conv_has_roles(labels->v.labels, w.n))
        return xg_imap_undefined(q->x);
    if (q->back)
        return q->operand == 0 ? xg_index_conv_input(q, labels->v.labels, w)
                               : xg_index_conv_kernel(q, labels->v.labels, w);
    return q->operand == 0 ? xg_index_conv_from_input(q, labels->v.labels, w)
                           : xg_index_conv_from_kernel(q, labels->v.labels, w);
}

/* ---- reduce ---- */

XG_FN const xg_imap *xg_index_reduce(const xg_index_query *q) {
    xg_ints dims = xg_attr_dims(q->i);
    uint32_t k, at, next = 0;
    xg_imap *m;
    if (q->operand >= q->i->n_operands / 2) return xg_index_scalar(q);
    m = xg_index_begin(q, q->back ? dims.n : 0, 0, 0);
    for (k = 0; k < q->in->rank; k++) {
        bool reduced = xg_ints_at(dims, k, &at);
        if (q->back)
            m->results[k] = reduced ? xg_index_sym(q, m, at, q->in->dims[k]) : xg_index_dim(q, next++);
        else if (!reduced)
            m->results[next++] = xg_index_dim(q, k);
    }
    return m;
}

#endif /* XG_INDEXING_CONTRACT_C */
