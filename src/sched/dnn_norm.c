/* sched/dnn_norm.c -- norms of rows that cuDNN makes, and what a fusion must be for any graph of it.
 *
 * Taken is (x - mean) / sqrt(variance + epsilon) scale + bias in f32 over the dimensions that lie innermost, of x and
 * to a result of one type, narrow or not: layer norm. Without the mean it is RMS norm. The variance is the mean of
 * (x - mean)^2, or that of x^2 less the mean's square. A bias may be missing. Beside the result the mean and the
 * reciprocal of the deviation may be asked for, both of them. */
#ifndef XG_SCHED_DNN_NORM_C
#define XG_SCHED_DNN_NORM_C
#include "../expand/dnn.h"
#include "attention.h"
#include "cublaslt.c"
#include "dnn_attention.c"

typedef struct xg_dnn_norm {
    const xg_inst *x, *scale, *bias;      /* parameters; bias NULL: none */
    const xg_inst *centre, *mean, *share; /* x - mean; mean NULL: RMS norm; share: 1 / deviation, or what divides */
    const xg_inst *out[3];                /* leaves: the result, the mean, 1 / deviation; NULL: not asked for */
    int64_t place[3];                     /* theirs */
    double epsilon;
    int64_t rows, lanes;
} xg_dnn_norm;

/* ---- the fusion ---- */

/* Spread along the lanes of a row, or, of the lanes' vector, along the rows: what is spread; NULL: it is not. */
XG_FN const xg_inst *xg_dnn_norm_spread(const xg_dnn_norm *n, const xg_inst *i, bool row) {
    const xg_shape *s = i->shape, *from;
    int64_t rows = 1;
    uint32_t lead = 0, k;
    xg_ints at;
    if (i->op != XG_BROADCAST || s->elements != n->rows * n->lanes || !xg_lt_is_row_major(s)) return NULL;
    from = XG_OPERAND(i, 0)->shape;
    at = xg_attr_dims(i);
    while (rows < n->rows && lead < s->rank) rows *= s->dims[lead++];
    if (rows != n->rows || from->elements != (row ? n->rows : n->lanes) || !xg_lt_is_row_major(from)) return NULL;
    for (k = 0; k < at.n; k++)
        if ((from->dims[k] > 1 && (at.p[k] < (int64_t)lead) != row) || (k && at.p[k] <= at.p[k - 1])) return NULL;
    return xg_lt_peel(XG_OPERAND(i, 0));
}
/* Of which values i is the mean along each row; NULL: of none. */
XG_FN const xg_inst *xg_dnn_norm_mean(const xg_dnn_norm *n, const xg_inst *i) {
    double count = 0, init;
    uint32_t k;
    xg_ints dims;
    i = xg_lt_peel(i);
    for (k = 0; k < 2 && !(count > 0); k++)
        if ((i->op == XG_MULTIPLY || (i->op == XG_DIVIDE && k)) && xg_attention_constant(XG_OPERAND(i, k), &count)) {
            if (i->op == XG_MULTIPLY) count = 1 / count;
            i = xg_lt_peel(XG_OPERAND(i, !k));
        }
    if (!(fabs(count - (double)n->lanes) <= 1e-6 * (double)n->lanes) || i->op != XG_REDUCE || i->n_operands != 2 ||
        !xg_reducer_is_sum(xg_attr_to_apply(i)) || !xg_attention_constant(XG_OPERAND(i, 1), &init) || init != 0 ||
        i->shape->type != XLAGPU_F32 || i->shape->elements != n->rows || !xg_lt_is_row_major(i->shape))
        return NULL;
    dims = xg_attr_dims(i);
    for (k = 0; k < dims.n; k++)
        if (dims.p[k] < (int64_t)(XG_OPERAND(i, 0)->shape->rank - dims.n)) return NULL;
    return xg_lt_is_row_major(XG_OPERAND(i, 0)->shape) ? xg_lt_peel(XG_OPERAND(i, 0)) : NULL;
}
XG_FN bool xg_dnn_norm_is_x(const xg_dnn_norm *n, const xg_inst *i) {
    return i->shape->type == XLAGPU_F32 && xg_lt_whole(i) == n->x;
}
XG_FN bool xg_dnn_norm_is_square(const xg_dnn_norm *n, const xg_inst *i, bool of_x) {
    uint32_t k;
    for (k = 0; i && i->op == XG_MULTIPLY && k < 2; k++) {
        const xg_inst *of = xg_lt_peel(XG_OPERAND(i, k));
        if (of_x ? !xg_dnn_norm_is_x(n, of) : of != n->centre) return false;
    }
    return i && i->op == XG_MULTIPLY;
}
XG_FN bool xg_dnn_norm_is_variance(const xg_dnn_norm *n, const xg_inst *i) {
    const xg_inst *squared;
    double low;
    i = xg_lt_peel(i);
    if (xg_dnn_norm_is_square(n, xg_dnn_norm_mean(n, i), !n->mean)) return true;
    if (i->op == XG_MAXIMUM && xg_attention_constant(XG_OPERAND(i, 1), &low) && low == 0)
        i = xg_lt_peel(XG_OPERAND(i, 0));
    if (i->op != XG_SUBTRACT || !xg_dnn_norm_is_square(n, xg_dnn_norm_mean(n, XG_OPERAND(i, 0)), true)) return false;
    squared = xg_lt_peel(XG_OPERAND(i, 1));
    return squared->op == XG_MULTIPLY && n->mean && xg_lt_peel(XG_OPERAND(squared, 0)) == n->mean &&
           xg_lt_peel(XG_OPERAND(squared, 1)) == n->mean;
}
/* A parameter along the lanes; NULL: it is none. */
XG_FN const xg_inst *xg_dnn_norm_vector(const xg_dnn_norm *n, const xg_inst *i) {
    if (i->op == XG_CONVERT) i = xg_lt_peel(XG_OPERAND(i, 0));
    i = xg_dnn_norm_spread(n, i, false);
    return i ? xg_lt_whole(i) : NULL;
}
/* The factors of a product: x - mean, 1 / deviation, the scale, each once. */
XG_FN bool xg_dnn_norm_factors(xg_dnn_norm *n, const xg_inst *i, uint32_t depth) {
    const xg_inst *row, *vector;
    const xg_inst **is = &n->centre;
    i = xg_lt_peel(i);
    if (i->op == XG_MULTIPLY && depth)
        return xg_dnn_norm_factors(n, XG_OPERAND(i, 0), depth - 1) &&
               xg_dnn_norm_factors(n, XG_OPERAND(i, 1), depth - 1);
    if (i->op == XG_DIVIDE && depth && !n->share) {
        n->share = xg_dnn_norm_spread(n, xg_lt_peel(XG_OPERAND(i, 1)), true);
        return n->share && n->share->op == XG_SQRT && xg_dnn_norm_factors(n, XG_OPERAND(i, 0), depth - 1);
    }
    row = xg_dnn_norm_spread(n, i, true);
    vector = row && row->op == XG_RSQRT ? NULL : xg_dnn_norm_vector(n, i);
    if (vector) {
        is = &n->scale;
        i = vector;
    } else if (row) {
        is = &n->share;
        i = row->op == XG_RSQRT ? row : NULL;
    }
    if (!i || *is || i->shape->type == XLAGPU_F64) return false;
    *is = i;
    return true;
}
/* From the result to the rows' sums. */
XG_APART XG_FN bool xg_dnn_norm_result(xg_dnn_norm *n, const xg_inst *i) {
    uint32_t k;
    i = xg_lt_peel(i);
    if (i->op == XG_CONVERT) i = xg_lt_peel(XG_OPERAND(i, 0));
    for (k = 0; k < 2 && i->op == XG_ADD && !n->bias; k++)
        if ((n->bias = xg_dnn_norm_vector(n, xg_lt_peel(XG_OPERAND(i, k)))) != NULL) i = xg_lt_peel(XG_OPERAND(i, !k));
    if (i->shape->type != XLAGPU_F32 || !xg_dnn_norm_factors(n, i, 3) || !n->centre || !n->share || !n->scale)
        return false;
    n->x = xg_lt_whole(n->centre->op == XG_SUBTRACT ? XG_OPERAND(n->centre, 0) : n->centre);
    if (!n->x || n->x->shape->elements != n->rows * n->lanes || !xg_lt_is_row_major(n->x->shape)) return false;
    if (n->centre->op == XG_SUBTRACT) {
        const xg_inst *of;
        n->mean = xg_dnn_norm_spread(n, xg_lt_peel(XG_OPERAND(n->centre, 1)), true);
        of = n->mean ? xg_dnn_norm_mean(n, n->mean) : NULL;
        if (!of || !xg_dnn_norm_is_x(n, of) || !xg_dnn_norm_is_x(n, XG_OPERAND(n->centre, 0))) return false;
    }
    i = xg_lt_peel(XG_OPERAND(n->share, 0));
    return i->op == XG_ADD && xg_attention_constant(XG_OPERAND(i, 1), &n->epsilon) &&
           xg_dnn_norm_is_variance(n, XG_OPERAND(i, 0));
}
/* The result first, since it says what the others may be. */
XG_APART XG_FN bool xg_dnn_norm_leaves(xg_dnn_norm *n, const xg_inst *root) {
    uint32_t pass, k, j, n_leaves = root->op == XG_TUPLE ? root->n_operands : 1;
    for (pass = 0; pass < 2; pass++)
        for (k = 0; k < n_leaves && k < 3; k++) {
            const xg_inst *i = root->op == XG_TUPLE ? XG_OPERAND(root, k) : root;
            bool whole = xg_shape_is_array(i->shape) && i->shape->elements == n->rows * n->lanes;
            if (!xg_shape_is_array(i->shape) || !xg_lt_is_row_major(i->shape)) return false;
            if (whole != !pass) continue;
            j = whole ? 0 : xg_lt_peel(i) == n->mean ? 1 : 2;
            if (n->out[j] || (j == 0 && !xg_dnn_norm_result(n, i)) ||
                (j == 2 && (xg_lt_peel(i) != n->share || n->share->op != XG_RSQRT)))
                return false;
            n->out[j] = i;
            n->place[j] = k;
        }
    return n_leaves <= 3 && n->out[0] && n->out[0]->shape->type == n->x->shape->type &&
           (!n->mean || !n->out[1] == !n->out[2]);
}
XG_FN bool xg_dnn_norm_of(xg_dnn_norm *n, const xg_comp *c) {
    xlagpu_type t;
    memset(n, 0, sizeof *n);
    XG_FOR_INSTS(i, c)
        if (i->op == XG_REDUCE && xg_shape_is_array(i->shape) && i->shape->elements) {
            n->rows = i->shape->elements;
            n->lanes = XG_OPERAND(i, 0)->shape->elements / n->rows;
        }
    if (n->rows < 1 || n->lanes < 2 || n->rows > INT32_MAX || n->lanes > INT32_MAX || !xg_dnn_norm_leaves(n, c->root))
        return false;
    t = n->x->shape->type;
    return (t == XLAGPU_F32 || t == XLAGPU_F16 || t == XLAGPU_BF16) &&
           (n->scale->shape->type == XLAGPU_F32 || n->scale->shape->type == t) &&
           (!n->bias || (n->bias != n->scale && n->bias->shape->type == n->scale->shape->type));
}

/* ---- the graph ---- */

XG_APART XG_FN void xg_dnn_norm_graph(const xg_dnn_norm *n, xg_dnn_graph *g, int64_t results) {
    xlagpu_type t = n->x->shape->type, of = n->scale->shape->type;
    xg_dnn_norm_arrays a;
    a.x = xg_dnn_features(g, n->x->number, t, n->rows, n->lanes, 1);
    a.scale = xg_dnn_features(g, n->scale->number, of, 1, n->lanes, 1);
    a.bias = n->bias ? xg_dnn_features(g, n->bias->number, of, 1, n->lanes, 1) : -1;
    a.mean = n->out[1] ? xg_dnn_features(g, results + n->place[1], XLAGPU_F32, n->rows, 1, 1) : -1;
    a.share = n->out[2] ? xg_dnn_features(g, results + n->place[2], XLAGPU_F32, n->rows, 1, 1) : -1;
    a.y = xg_dnn_features(g, results + n->place[0], t, n->rows, n->lanes, 1);
    xg_dnn_norm_operation(g, n->mean ? XG_DNN_LAYER_NORM : XG_DNN_RMS_NORM, n->epsilon, &a);
    xg_dnn_end(g);
}

/* ---- the way ---- */

/* Picoseconds: all arrays once, as our own kernel of rows. */
XG_FN int64_t xg_dnn_norm_time(const xg_dnn_norm *n, const xg_device *d) {
    int64_t bytes = xg_cost_mul(xg_cost_add(xg_cost_bytes(n->x->shape), xg_cost_bytes(n->scale->shape)), 2);
    return xg_cost_add(xg_cost_copied(d, bytes), (int64_t)XG_DNN_LAUNCH_NS * 1000);
}
XG_FN bool xg_dnn_norm_plan(xg_way_job *job, xg_record *r, xg_way_times *times) {
    const xg_module *m = job->fusion->comp->module;
    const xg_comp *c = xg_attr_calls(job->fusion);
    xg_dnn_graph g;
    xg_dnn_norm n;
    if (!c || xg_fuse_is_phases(job->fusion) || !xg_dnn_norm_of(&n, c)) return false;
    xg_dnn_begin(&g, job->arena, XLAGPU_F32);
    xg_dnn_norm_graph(&n, &g, c->n_params);
    xg_dnn_record(job, r, &g, XG_DNN_NOTE_NARROWER_SUMS);
    times->own = m->libraries & XG_EXE_LIBRARY_ALWAYS ? 0 : xg_dnn_norm_time(&n, &m->device);
    times->emitter = 0;
    return true;
}
XG_FN bool xg_cudnn_plan(xg_way_job *job, xg_record *r, xg_way_times *times) {
    bool ordered = job->given && job->given->way.n;
    if (!ordered && !(job->fusion->comp->module->libraries >> XG_EXE_LIBRARY_CUDNN & 1)) return false;
    r->why = xg_str_z("it is neither attention nor a norm as cuDNN has them");
    return xg_dnn_norm_plan(job, r, times) || xg_dnn_attention_plan(job, r, times);
}

#endif /* XG_SCHED_DNN_NORM_C */
