/* expand/library_attention.c -- cuDNN's calls of XLA for attention and layer normalisation, as the operations that they
 * stand for. With --libraries=cudnn attention-fusion hands them to the library again.
 *
 * __cudnn$fmhaSoftmax, __cudnn$fmhaScaleBiasSoftmax: of Q, K, V and a bias, whose dimensions are those of two dots
 * (bmm1_dot_dimension_numbers, bmm2_..) and the rest; K and V may have fewer heads than Q. Results: [batch, head,
 * position, lane], then, where it is asked for, the logarithm of each row's sum, then a workspace. Dropout, padding,
 * windows, segments and pages are not taken.
 * __cudnn$norm: of x, scale and bias; all dimensions but the first are normalised. Results: y, then, in training, mean
 * and 1 / deviation of each row, then a workspace. */
#ifndef XG_EXPAND_LIBRARY_ATTENTION_C
#define XG_EXPAND_LIBRARY_ATTENTION_C
#include "library_forms.c"

XG_FN bool xg_library_is_workspace(const xg_shape *s) { return s->type == XLAGPU_U8 && s->rank == 1; }

/* ---- attention ---- */

/* perm: where batch, head, position and lane of Q, K and V are; of K and V in the order that the dots have. */
typedef struct xg_library_sdpa {
    int64_t perm[3][4];
    int64_t batch, heads, own, rows; /* own: heads of keys */
} xg_library_sdpa;

/* Operands of a dot: batch dimensions, then the other two, the one that is summed over last. */
XG_FN bool xg_library_roles(const xg_hb *b, const xg_inst *i, uint32_t operand, const char *dot, const char *batch,
    const char *sum, int64_t *perm) {
    xg_str section = xg_call_option(i, dot);
    xg_ints d = xg_library_list(b, xg_call_option_of(section, batch)),
            last = xg_library_list(b, xg_call_option_of(section, sum));
    uint32_t used = 0, k;
    if (XG_OPERAND(i, operand)->shape->rank != 4 || d.n != 2 || last.n != 1) return false;
    perm[0] = d.p[0];
    perm[1] = d.p[1];
    perm[3] = last.p[0];
    perm[2] = 6 - perm[0] - perm[1] - perm[3];
    for (k = 0; k < 4; k++)
        if (perm[k] >= 0 && perm[k] < 4) used |= 1u << perm[k];
    return used == 15;
}
XG_FN bool xg_library_sdpa_of(const xg_hb *b, const xg_inst *i, xg_library_sdpa *a) {
    static const char *const first = "bmm1_dot_dimension_numbers", *const second = "bmm2_dot_dimension_numbers";
    const xg_shape *to = xg_library_result(i);
    int64_t d[3][4];
    uint32_t k, j;
    if (!xg_library_roles(b, i, 0, first, "lhs_batch_dimensions", "lhs_contracting_dimensions", a->perm[0]) ||
        !xg_library_roles(b, i, 1, first, "rhs_batch_dimensions", "rhs_contracting_dimensions", a->perm[1]) ||
        !xg_library_roles(b, i, 2, second, "rhs_batch_dimensions", "rhs_contracting_dimensions", a->perm[2]))
        return false;
    for (k = 0; k < 3; k++)
        for (j = 0; j < 4; j++) d[k][j] = XG_OPERAND(i, k)->shape->dims[a->perm[k][j]];
    a->batch = d[0][0];
    a->heads = d[0][1];
    a->own = d[1][1];
    a->rows = d[0][2];
    for (k = 0; k < 3; k++)
        if (XG_OPERAND(i, k)->shape->type != XG_OPERAND(i, 0)->shape->type || d[k][0] != a->batch) return false;
    return a->heads % a->own == 0 && d[2][1] == a->own && d[1][3] == d[0][3] && d[2][3] == d[1][2] && to->rank == 4 &&
           to->dims[0] == a->batch && to->dims[1] == a->heads && to->dims[2] == a->rows && to->dims[3] == d[2][2];
}
/* Options that are there, and are not the ones that do nothing. */
XG_APART XG_FN bool xg_library_sdpa_is_known(const xg_inst *i) {
    XG_TABLE const char *const zeros[] = {"dropout_rate", "sliding_window_length"};
    uint32_t k;
    for (k = 0; k < XG_COUNT(zeros); k++)
        if (xg_library_number(i, zeros[k], 0) != 0) return false;
    return xg_library_number(i, "max_seg_per_batch", 1) <= 1 && !xg_call_flag(i, "is_paged_attention", false) &&
           (!xg_call_option(i, "mask_type").n || xg_library_is(i, "mask_type", "NO_MASK") ||
               xg_library_is(i, "mask_type", "CAUSAL"));
}
/* [batch, head, row, n] of operand `of` and l, summed over its last dimension; heads may share what they multiply. */
XG_FN xg_inst *xg_library_sdpa_dot(
    const xg_hb *b, const xg_inst *i, const xg_library_sdpa *a, xg_inst *l, uint32_t of) {
    XG_TABLE const int64_t batch[2] = {0, 1}, last_of_five[1] = {4}, last[1] = {3};
    int64_t dims[5];
    xg_dot_dims d;
    dims[0] = a->batch;
    dims[1] = a->own;
    dims[2] = a->heads / a->own;
    dims[3] = a->rows;
    dims[4] = l->shape->dims[3];
    d.lb.p = d.rb.p = batch;
    d.lb.n = d.rb.n = 2;
    d.lc.p = last_of_five;
    d.rc.p = last;
    d.lc.n = d.rc.n = 1;
    l = xg_hb_reshape(b, l, dims, 5);
    l = xg_hb_dot(b, l, xg_hb_transpose(b, XG_OPERAND(i, of), a->perm[of]), d, XLAGPU_F32, NULL);
    dims[1] = a->heads;
    dims[2] = a->rows;
    dims[3] = l->shape->dims[4];
    return xg_hb_reshape(b, l, dims, 4);
}
/* Of as many dimensions as the scores, each as long or 1 long. */
XG_FN bool xg_library_is_bias(const xg_inst *i, const xg_library_sdpa *a) {
    const xg_shape *s = XG_OPERAND(i, 3)->shape;
    int64_t dims[4];
    uint32_t k;
    dims[0] = a->batch;
    dims[1] = a->heads;
    dims[2] = a->rows;
    dims[3] = XG_OPERAND(i, 1)->shape->dims[a->perm[1][2]];
    for (k = 0; s->rank == 4 && k < 4; k++)
        if (s->dims[k] != 1 && s->dims[k] != dims[k]) return false;
    return s->rank == 4;
}
XG_FN xg_inst *xg_library_sdpa_bias(const xg_hb *b, xg_inst *x, xg_inst *bias) {
    int64_t dims[4], places[4];
    uint32_t k, n = 0;
    for (k = 0; k < 4; k++) {
        if (bias->shape->dims[k] == 1) continue;
        places[n] = k;
        dims[n++] = bias->shape->dims[k];
    }
    bias = xg_hb_convert(b, xg_hb_reshape(b, bias, dims, n), XLAGPU_F32);
    return xg_hb_add(b, x, xg_hb_broadcast(b, bias, x->shape->dims, 4, places, n));
}
/* reduce over the last dimension, for each of its elements again */
XG_FN xg_inst *xg_library_of_rows(const xg_hb *b, xg_inst *x, xg_opcode op, xg_inst **row) {
    XG_TABLE const int64_t rows[4] = {0, 1, 2, 3};
    xg_inst *init = xg_hb_float(b, XLAGPU_F32, op == XG_MAXIMUM ? -INFINITY : 0);
    *row = xg_hb_reduce(b, x, init, &rows[3], 1, xg_hb_reducer(b, op, XLAGPU_F32));
    return xg_hb_broadcast(b, *row, x->shape->dims, 4, rows, 3);
}
XG_APART XG_FN bool xg_library_attention_of(const xg_hb *b, const xg_inst *i, xg_library_sdpa *a) {
    bool biased = xg_attr_is(i, XG_A_custom_call_target, "__cudnn$fmhaScaleBiasSoftmax");
    uint32_t n = i->shape->type == XLAGPU_TUPLE ? i->shape->n_elems : 0, k;
    if (i->n_operands != (biased ? 4u : 3u) || n < 2 || n > 3 || !xg_library_is_workspace(i->shape->elems[n - 1]) ||
        !xg_library_is_dense(xg_library_result(i)) || !xg_library_sdpa_is_known(i))
        return false;
    for (k = 0; k < i->n_operands; k++)
        if (!xg_library_is_dense(XG_OPERAND(i, k)->shape)) return false;
    return xg_library_sdpa_of(b, i, a) && (!biased || xg_library_is_bias(i, a)) &&
           (n == 2 || i->shape->elems[1]->elements == a->batch * a->heads * a->rows);
}
XG_FN xg_inst *xg_library_attention(const xg_hb *b, xg_inst *i) {
    xg_library_sdpa a;
    xg_inst *x, *out[3], *most, *sum, *sums;
    if (!xg_library_attention_of(b, i, &a)) return NULL;
    x = xg_library_sdpa_dot(b, i, &a, xg_hb_transpose(b, XG_OPERAND(i, 0), a.perm[0]), 1);
    x = xg_library_scale(b, x, xg_library_number(i, "fmha_scale", 1));
    if (i->n_operands == 4) x = xg_library_sdpa_bias(b, x, XG_OPERAND(i, 3));
    if (xg_library_is(i, "mask_type", "CAUSAL")) {
        xg_inst *seen = xg_linear_triangle(b, x, "GE");
        x = xg_hb_select(b, seen, x, xg_hb_float_like(b, x, -INFINITY));
    }
    x = xg_hb_1(b, XG_EXPONENTIAL, xg_hb_sub(b, x, xg_library_of_rows(b, x, XG_MAXIMUM, &most)));
    sums = xg_library_of_rows(b, x, XG_ADD, &sum);
    x = xg_hb_convert(b, xg_hb_div(b, x, sums), XG_OPERAND(i, 0)->shape->type);
    out[0] = xg_library_sdpa_dot(b, i, &a, x, 2);
    if (i->shape->n_elems == 3) {
        const xg_shape *stats = i->shape->elems[1];
        out[1] = xg_hb_add(b, most, xg_hb_1(b, XG_LOG, sum));
        out[1] = xg_hb_reshape(b, out[1], stats->dims, stats->rank);
    }
    return xg_library_results(b, i, out, i->shape->n_elems - 1);
}

/* ---- layer normalisation ---- */

/* The mean of each row, [rows]. */
XG_FN xg_inst *xg_library_row_mean(const xg_hb *b, xg_inst *x) {
    int64_t dims[XG_RANK_MAX];
    uint32_t k, n = x->shape->rank - 1;
    for (k = 0; k < n; k++) dims[k] = (int64_t)k + 1;
    return xg_library_scale(b, xg_hb_sum(b, x, dims, n), (double)x->shape->dims[0] / (double)x->shape->elements);
}
XG_ONE_COPY XG_FN xg_inst *xg_library_spread(
    const xg_hb *b, xg_inst *v, const xg_shape *s) { /* [rows] along each row */
    XG_TABLE const int64_t first[1] = {0};
    return xg_hb_broadcast(b, v, s->dims, s->rank, first, 1);
}
/* Scale or bias, which has the dimensions of one row, for each of them. */
XG_FN xg_inst *xg_library_norm_by(const xg_hb *b, xg_inst *v, const xg_shape *s) {
    int64_t places[XG_RANK_MAX];
    uint32_t k;
    for (k = 1; k < s->rank; k++) places[k - 1] = k;
    v = xg_hb_convert(b, xg_hb_reshape(b, v, s->dims + 1, s->rank - 1), XLAGPU_F32);
    return xg_hb_broadcast(b, v, s->dims, s->rank, places, s->rank - 1);
}
XG_FN bool xg_library_norm_is_known(const xg_inst *i) {
    const xg_shape *s = i->n_operands == 3 ? XG_OPERAND(i, 0)->shape : NULL;
    uint32_t n = i->shape->type == XLAGPU_TUPLE ? i->shape->n_elems : 0, k;
    if (!s || (n != 2 && n != 4) || !xg_library_is_dense(s) || s->rank < 2 || xg_type_class(s->type) != XGT_F ||
        xg_type_bits(s->type) > 32 || !xg_library_is_workspace(i->shape->elems[n - 1]) ||
        !xg_shape_same_dims(s, i->shape->elems[0]))
        return false;
    for (k = 1; k < 3; k++)
        if (!xg_library_is_dense(XG_OPERAND(i, k)->shape) ||
            XG_OPERAND(i, k)->shape->elements * s->dims[0] != s->elements)
            return false;
    for (k = 1; k + 1 < n; k++)
        if (i->shape->elems[k]->elements != s->dims[0]) return false;
    return !xg_call_option(i, "kind").n || xg_library_is(i, "kind", n == 2 ? "LAYER_FWD_INFER" : "LAYER_FWD_TRAIN");
}
/* (x - mean) / sqrt(mean of its square + epsilon) scale + bias */
XG_FN xg_inst *xg_library_norm(const xg_hb *b, xg_inst *i) {
    xg_inst *x, *y, *out[4], *mean, *factor;
    const xg_shape *s;
    if (!xg_library_norm_is_known(i)) return NULL;
    x = xg_hb_convert(b, XG_OPERAND(i, 0), XLAGPU_F32);
    s = x->shape;
    mean = xg_library_row_mean(b, x);
    x = xg_hb_sub(b, x, xg_library_spread(b, mean, s));
    factor = xg_library_row_mean(b, xg_hb_mul(b, x, x));
    factor = xg_hb_add(b, factor, xg_hb_float_like(b, factor, xg_library_number(i, "epsilon", 0)));
    factor = xg_hb_1(b, XG_RSQRT, factor);
    y = xg_hb_mul(b, x, xg_library_spread(b, factor, s));
    y = xg_hb_mul(b, y, xg_library_norm_by(b, XG_OPERAND(i, 1), s));
    out[0] = xg_hb_add(b, y, xg_library_norm_by(b, XG_OPERAND(i, 2), s));
    if (i->shape->n_elems == 4) {
        out[1] = xg_hb_reshape(b, mean, i->shape->elems[1]->dims, i->shape->elems[1]->rank);
        out[2] = xg_hb_reshape(b, factor, i->shape->elems[2]->dims, i->shape->elems[2]->rank);
    }
    return xg_library_results(b, i, out, i->shape->n_elems - 1);
}

#endif /* XG_EXPAND_LIBRARY_ATTENTION_C */
