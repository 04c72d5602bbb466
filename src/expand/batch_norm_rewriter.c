/* expand/batch_norm_rewriter.c -- batch normalisations that cuDNN makes, as graphs of it, where --libraries names it
 * and it is estimated to be faster than our kernels.
 *
 * Dimensions before the features are the batch, those behind them are one: no array is transposed. In training the
 * library gives 1 / deviation; a variance made of it, 1 / share^2 - epsilon, would have no digits where it is far below
 * epsilon, so what reads the variance has it from our kernels. Inference, for which the library's operation has no
 * engine, is four operations element by element. */
#ifndef XG_EXPAND_BATCH_NORM_REWRITER_C
#define XG_EXPAND_BATCH_NORM_REWRITER_C
#include "batch_norm_expander.c"
#include "dnn.c"

enum {
    XG_DNN_NORM_ALIGN = 8,    /* features: the library has engines for multiples alone */
    XG_DNN_NORM_READS = 2,    /* of the array by the library: its sums in one pass, then the result */
    XG_OWN_NORM_READS = 3,    /* by our kernels, in training: the mean, then the variance, then the result */
    XG_NORM_THREADS = 256,    /* of a block of either's kernels */
    XG_NORM_THREAD_BYTES = 16 /* that a thread reads */
};

typedef struct xg_dnn_batch {
    int64_t outer, features, inner;
    bool training;
    xg_norms n;
} xg_dnn_batch;

XG_FN bool xg_dnn_batch_reads_variance(const xg_inst *i) {
    XG_FOR_USES(u, i) {
        const xg_inst *e = u->user;
        if (e->op != XG_GET_TUPLE_ELEMENT || (xg_attr_index(e) == 2 && (e->first_use || e == e->comp->root)))
            return true;
    }
    return i == i->comp->root;
}
XG_APART XG_FN bool xg_dnn_batch_of(const xg_hb *b, const xg_inst *i, xg_dnn_batch *d) {
    const xg_shape *s;
    int64_t k;
    if (i->op != XG_BATCH_NORM_TRAINING && i->op != XG_BATCH_NORM_INFERENCE) return false;
    s = XG_OPERAND(i, 0)->shape;
    if (s->dynamic || (s->type != XLAGPU_F32 && s->type != XLAGPU_F16 && s->type != XLAGPU_BF16)) return false;
    d->training = i->op == XG_BATCH_NORM_TRAINING;
    d->n = xg_norms_of(b, i);
    d->features = s->dims[d->n.feature];
    d->outer = d->inner = 1;
    for (k = 0; k < (int64_t)s->rank; k++)
        if (k != d->n.feature) *(k < d->n.feature ? &d->outer : &d->inner) *= s->dims[k];
    if (d->training && (d->inner > 1 || xg_dnn_batch_reads_variance(i)))
        return false; /* inner: it would be transposed, in memory of twice its size */
    return s->elements && s->elements <= INT32_MAX && d->features % XG_DNN_NORM_ALIGN == 0;
}
/* Picoseconds, by the model of time, of so many kernels that read all bytes, the last of which writes as many. What the
 * second cache holds comes from memory once. */
XG_FN int64_t xg_dnn_batch_time(const xg_device *d, int64_t bytes, int32_t reads) {
    int64_t time = 0;
    int32_t k;
    for (k = 1; k <= reads; k++) {
        xg_cost_counts c;
        memset(&c, 0, sizeof c);
        c.threads = XG_NORM_THREADS;
        c.blocks = XG_MAX(bytes / (XG_NORM_THREADS * XG_NORM_THREAD_BYTES), (int64_t)1);
        c.read_bytes = k > 1 && bytes <= d->l2_bytes ? 0 : bytes;
        c.written_bytes = k == reads ? bytes : 0;
        c.l2_sectors = (bytes + c.written_bytes) / XG_SECTOR_BYTES;
        time = xg_cost_add(time, xg_cost_picoseconds(d, &c));
    }
    return time;
}
XG_FN bool xg_dnn_batch_is_faster(const xg_module *m, const xg_dnn_batch *d) {
    const xg_shape *s = XG_OPERAND(d->n.i, 0)->shape;
    int64_t bytes = s->elements * xg_type_bytes(s->type);
    return d->training && xg_dnn_batch_time(&m->device, bytes, XG_DNN_NORM_READS) + (int64_t)XG_DNN_LAUNCH_NS * 1000 <
                              xg_dnn_batch_time(&m->device, bytes, XG_OWN_NORM_READS);
}
XG_FN int64_t xg_dnn_batch_op(
    const xg_dnn_batch *d, xg_dnn_graph *g, int64_t mode, int64_t x, int64_t with, int64_t place, xlagpu_type t) {
    int64_t y = xg_dnn_features(g, place, t, d->outer, d->features, d->inner);
    xg_dnn_plain(g, mode, x, with, y, g->wide);
    return y;
}
/* The call's operands: x, then vectors of f32. */
XG_FN uint32_t xg_dnn_batch_operands(const xg_dnn_batch *d, xg_inst **in) {
    uint32_t k;
    in[0] = XG_OPERAND(d->n.i, 0);
    for (k = 1; k < d->n.i->n_operands; k++) in[k] = xg_norms_operand(&d->n, k);
    if (!d->training) in[4] = xg_hb_div(d->n.b, in[1], xg_norms_deviation(&d->n, in[4]));
    return d->n.i->n_operands;
}
/* x, scale, offset, mean and scale / deviation */
XG_FN void xg_dnn_batch_inference(const xg_dnn_batch *d, xg_dnn_graph *g, int64_t x, xlagpu_type t) {
    XG_TABLE const int64_t modes[] = {XG_DNN_SUB, XG_DNN_MUL, XG_DNN_ADD}, with[] = {3, 4, 2};
    uint32_t k;
    for (k = 0; k < 3; k++) {
        int64_t vector = xg_dnn_features(g, with[k], XLAGPU_F32, 1, d->features, 1);
        x = xg_dnn_batch_op(d, g, modes[k], x, vector, k < 2 ? -1 : 5, k < 2 ? XLAGPU_F32 : t);
    }
}
XG_FN void xg_dnn_batch_training(const xg_dnn_batch *d, xg_dnn_graph *g, int64_t x, xlagpu_type t) {
    int64_t at[4];
    xg_dnn_norm_arrays a;
    uint32_t k;
    for (k = 0; k < 4; k++) at[k] = xg_dnn_features(g, k < 2 ? 1 + k : 2 + k, XLAGPU_F32, 1, d->features, 1);
    a.x = x;
    a.scale = at[0];
    a.bias = at[1];
    a.y = xg_dnn_features(g, 3, t, d->outer, d->features, d->inner);
    a.mean = at[2];
    a.share = at[3];
    xg_dnn_norm_operation(g, XG_DNN_BATCH_NORM, xg_inst_attr(d->n.i, XG_A_epsilon)->v.d, &a);
}
XG_APART XG_FN xg_inst *xg_dnn_batch_rewrite(const xg_dnn_batch *d) {
    const xg_hb *b = d->n.b;
    const xg_shape *x = XG_OPERAND(d->n.i, 0)->shape, *results[3];
    xg_inst *in[5], *made, *out[3];
    uint32_t k, n = xg_dnn_batch_operands(d, in), n_results = d->training ? 3 : 1;
    xg_dnn_graph g;
    int64_t from;
    xg_dnn_begin(&g, b->comp->module->arena, XLAGPU_F32);
    from = xg_dnn_features(&g, 0, x->type, d->outer, d->features, d->inner);
    (d->training ? xg_dnn_batch_training : xg_dnn_batch_inference)(d, &g, from, x->type);
    results[0] = x;
    results[1] = results[2] = xg_hb_shape(b, XLAGPU_F32, &d->features, 1);
    made = xg_dnn_call(
        b, &g, "batchNorm", (uint64_t)x->elements * 6, XG_DNN_NOTE_NARROWER_SUMS, in, n, results, n_results);
    for (k = 0; k < n_results; k++) out[k] = xg_hb_element(b, made, k);
    if (!d->training) return out[0];
    for (k = 1; k < 3; k++) /* the last one is not read */
        out[k] = xg_hb_convert(b, out[k], d->n.i->shape->elems[k]->type);
    return xg_hb_tuple(b, out, 3);
}
XG_FN bool xg_expand_batch_norm_rewriter(xg_module *m) {
    bool changed = false;
    xg_comp *comp;
    if ((!m->made[XG_BATCH_NORM_INFERENCE] && !m->made[XG_BATCH_NORM_TRAINING]) ||
        !xg_vendor_allows(m, XG_EXE_LIBRARY_CUDNN))
        return false;
    for (comp = m->first; comp; comp = comp->next) {
        xg_inst *i, *next;
        for (i = comp->first; i; i = next) {
            xg_hb b = xg_hb_at(i);
            xg_dnn_batch d;
            next = xg_inst_behind(i);
            if (!xg_dnn_batch_of(&b, i, &d)) continue;
            if (!(m->libraries & XG_EXE_LIBRARY_ALWAYS) && !xg_dnn_batch_is_faster(m, &d)) continue;
            xg_opt_replace(i, xg_dnn_batch_rewrite(&d));
            changed = true;
        }
    }
    return changed;
}

#endif /* XG_EXPAND_BATCH_NORM_REWRITER_C */
