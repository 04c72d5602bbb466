/* indexing/whole.c -- opcodes of which an element depends on much of an operand, for reasons that lie in values: which
 * element a window selects, where an element is sorted to; or in a computation that goes over whole lines: transforms,
 * factorisations, norms, scans.
 *
 * XLA answers "unknown" here. The maps say all that an element may depend on: along some dimensions everything (a
 * symbol), along the others the element's own index, with the constraints that triangles and the order of a scan
 * give. */
#ifndef XG_INDEXING_WHOLE_C
#define XG_INDEXING_WHOLE_C
#include "indexing.h"
#include "maps.c"

/* Dimension k of the result of the map: the same index, or (where `mixed` says so) every one. Both shapes number their
 * dimensions alike. */
XG_FN const xg_imap *xg_index_mixed(const xg_index_query *q, const bool *mixed) {
    uint32_t k, n = 0, at = 0;
    xg_imap *m;
    if (q->from->rank != q->to->rank) return xg_imap_undefined(q->x);
    for (k = 0; k < q->to->rank; k++) n += mixed[k];
    m = xg_index_begin(q, n, 0, 0);
    for (k = 0; k < q->to->rank; k++)
        m->results[k] = mixed[k] ? xg_index_sym(q, m, at++, q->to->dims[k]) : xg_index_dim(q, k);
    return m;
}

/* sort along its dimension, topk along the last: any element may come to any place of its line. */
XG_FN const xg_imap *xg_index_along(const xg_index_query *q) {
    bool mixed[XG_RANK_MAX] = {false};
    if (q->to->rank == 0) return xg_index_identity(q);
    mixed[q->i->op == XG_SORT ? xg_attr_dims(q->i).p[0] : (int64_t)q->to->rank - 1] = true;
    return xg_index_mixed(q, mixed);
}

/* The last fft_length.n dimensions are transformed; those of real transforms differ in size. */
XG_FN const xg_imap *xg_index_fft(const xg_index_query *q) {
    bool mixed[XG_RANK_MAX] = {false};
    uint32_t k;
    for (k = q->to->rank - xg_attr_ints(q->i, XG_A_fft_length).n; k < q->to->rank; k++) mixed[k] = true;
    return xg_index_mixed(q, mixed);
}

/* ---- select-and-scatter ---- */

/* The source's element o lies over the window of the operand that begins at o * stride - pad. The selected element may
 * be any of the window. */
XG_FN const xg_imap *xg_index_select_and_scatter(const xg_index_query *q) {
    xg_window w = xg_index_window_of(q->i);
    const xg_shape *source = XG_OPERAND(q->i, 1)->shape;
    uint32_t k, n = 0, rank = q->out->rank;
    xg_imap *m;
    if (q->operand == 2) return xg_index_scalar(q);
    if (q->operand == 0 && q->i->n_operands == 4) return xg_index_nothing(q); /* what is selected is known */
    if (w.n != rank) return xg_imap_undefined(q->x);
    m = xg_index_begin(q, q->operand ? rank : rank * 2, 0, rank * 4);
    for (k = 0; k < rank; k++) {
        const xg_aff *d = xg_index_dim(q, k), *at = xg_index_sym(q, m, k, w.p[k].size), *o;
        if (q->operand && !q->back) {
            m->results[k] = xg_index_window_input(q, m, &n, &w.p[k], d, at, q->out->dims[k]);
            continue;
        }
        o = xg_index_window_output(q, m, &n, &w.p[k], d, at, source->dims[k]);
        /* An element and the one selected instead of it share a window: the relation is its own mirror image. */
        if (!q->operand) {
            at = xg_index_sym(q, m, rank + k, w.p[k].size);
            o = xg_index_window_input(q, m, &n, &w.p[k], o, at, q->out->dims[k]);
        }
        m->results[k] = o;
    }
    m->n_constraints = n;
    return m;
}

/* ---- scan ---- */

/* Inputs, then initial carries; outputs, then final carries. An element of an output comes from what was scanned up to
 * it, whole slices of it. */
XG_FN const xg_imap *xg_index_scan(const xg_index_query *q) {
    int64_t carries = xg_attr_or_0(q->i, XG_A_num_carries), dim = xg_attr_dims(q->i).p[0];
    bool input = q->operand + carries < q->i->n_operands, output = q->output + carries < xg_indexing_n_outputs(q->i),
         up = (xg_attr_or_0(q->i, XG_A_is_reverse) != 0) == q->back;
    xg_imap *m = xg_index_begin(q, q->to->rank, 0, 1);
    uint32_t k, n = 0;
    for (k = 0; k < q->to->rank; k++) m->results[k] = xg_index_sym(q, m, k, q->to->dims[k]);
    if (input && output) {
        const xg_aff *d = xg_index_dim(q, (uint32_t)dim), *s = m->results[dim];
        xg_index_require(m, &n, up ? xg_aff_sub(q->x, s, d) : xg_aff_sub(q->x, d, s), 0, q->to->dims[dim] - 1);
    }
    m->n_constraints = n;
    return m;
}

/* ---- triangles ---- */

/* Matrices of the last two dimensions, whatever stands before them: begins a map whose last two results are the symbols
 * 0 and 1. */
XG_FN xg_imap *xg_index_matrices(
    const xg_index_query *q, uint32_t n_constraints, const xg_aff *from[2], const xg_aff *to[2]) {
    uint32_t rank = q->to->rank, k;
    xg_imap *m = xg_index_begin(q, 2, 0, n_constraints);
    for (k = 0; k + 2 < rank; k++) m->results[k] = xg_index_dim(q, k);
    for (k = 0; k < 2; k++) {
        from[k] = xg_index_dim(q, rank - 2 + k);
        to[k] = m->results[rank - 2 + k] = xg_index_sym(q, m, k, q->to->dims[rank - 2 + k]);
    }
    return m;
}
XG_FN void xg_index_not_above(
    const xg_index_query *q, xg_imap *m, uint32_t *n, const xg_aff *a, const xg_aff *b, int64_t least) {
    xg_index_require(m, n, xg_aff_sub(q->x, b, a), least, INT64_MAX);
}

/* One triangle is read. A matrix that is not positive definite makes all of its result NaN, so every element depends on
 * all of the triangle. */
XG_FN const xg_imap *xg_index_cholesky(const xg_index_query *q) {
    const xg_aff *from[2], *to[2];
    xg_imap *m = xg_index_matrices(q, 1, from, to);
    uint32_t n = 0, row = xg_attr_or_0(q->i, XG_A_lower) ? 0 : 1;
    const xg_aff *const *in = q->back ? to : from;
    xg_index_not_above(q, m, &n, in[1 - row], in[row], 0);
    return m;
}

/* op(A) X = B goes over the rows of B, X op(A) = B over its columns; upwards where op(A) is lower on the left or upper
 * on the right. An element comes from its own row (column) and those before it, and from A's triangle there; a unit
 * diagonal is not read. */
XG_FN const xg_imap *xg_index_triangular_solve(const xg_index_query *q) {
    bool left = xg_attr_or_0(q->i, XG_A_left_side) != 0, lower = xg_attr_or_0(q->i, XG_A_lower) != 0,
         turned = !xg_attr_is(q->i, XG_A_transpose_a, "NO_TRANSPOSE");
    bool up = (lower != turned) == left;
    uint32_t n = 0, line = left ? 0 : 1, k;
    const xg_aff *from[2], *to[2];
    xg_imap *m;
    if (q->operand == 1) {
        xg_imap *b = xg_index_begin(q, 1, 0, 1);
        const xg_aff *mine, *other;
        for (k = 0; k < q->to->rank; k++) b->results[k] = xg_index_dim(q, k);
        line += q->to->rank - 2;
        mine = b->results[line];
        other = b->results[line] = xg_index_sym(q, b, 0, q->to->dims[line]);
        if (up == q->back)
            xg_index_not_above(q, b, &n, other, mine, 0);
        else
            xg_index_not_above(q, b, &n, mine, other, 0);
        return b;
    }
    m = xg_index_matrices(q, 3, from, to);
    {
        const xg_aff *const *out = q->back ? from : to, *const *in = q->back ? to : from;
        const xg_aff *x = out[line], *last = in[turned ? 1 - line : line];
        xg_index_not_above(
            q, m, &n, lower ? in[1] : in[0], lower ? in[0] : in[1], xg_attr_or_0(q->i, XG_A_unit_diagonal) ? 1 : 0);
        if (up)
            xg_index_not_above(q, m, &n, last, x, 0);
        else
            xg_index_not_above(q, m, &n, x, last, 0);
    }
    m->n_constraints = n;
    return m;
}

/* ---- batch norms ---- */

/* An array has the operand's dimensions or is a row of features; between two arrays all else is summed over, save where
 * inference takes one element alone. */
XG_FN const xg_imap *xg_index_batch_norm(const xg_index_query *q) {
    uint32_t feature = (uint32_t)xg_attr_or_0(q->i, XG_A_feature_index), k, n = 0;
    bool alone = q->i->op == XG_BATCH_NORM_INFERENCE && q->operand == 0,
         moments = q->i->op == XG_BATCH_NORM_TRAINING && q->output > 0;
    const xg_aff *f;
    xg_imap *m;
    if (alone) return xg_index_identity(q);
    if (moments && q->operand > 0) return xg_index_nothing(q); /* mean and variance are the operand's own */
    if (q->i->op == XG_BATCH_NORM_GRAD && ((q->output == 1 && q->operand == 1) || (q->output == 2 && q->operand < 4)))
        return xg_index_nothing(q);
    m = xg_index_begin(q, q->to->rank - 1, 0, 0);
    f = xg_index_dim(q, q->from->rank == 1 ? 0 : feature);
    for (k = 0; k < q->to->rank; k++)
        m->results[k] = q->to->rank == 1 || k == feature ? f : xg_index_sym(q, m, n++, q->to->dims[k]);
    return m;
}

#endif /* XG_INDEXING_WHOLE_C */
