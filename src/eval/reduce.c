/* eval/reduce.c -- reduce, map, reduce-window, select-and-scatter, scan.
 *
 * The reducer runs over many results at once. reduce brings each input into rows: [what is reduced][what is kept]; with
 * many results it folds row after row, with few it folds neighbouring rows in pairs until one is left, so that the
 * order of the elements never changes, only their grouping. Sums of floats are taken in double. Windows go position by
 * position: the outputs that see an element there form a strided box. */
#ifndef XG_EVAL_REDUCE_C
#define XG_EVAL_REDUCE_C
#include "eval.h"

/* Instructions with several results make a tuple, with one a plain value. */
XG_FN const xg_shape *xg_eval_result_shape(const xg_inst *i, uint32_t k) {
    return i->shape->type == XLAGPU_TUPLE ? i->shape->elems[k] : i->shape;
}
XG_FN xg_value *xg_eval_results(xg_eval_run *r, const xg_inst *i, xg_value **outs) {
    return i->shape->type == XLAGPU_TUPLE ? xg_eval_new_tuple(r, i->shape, outs) : outs[0];
}

/* Floats of another precision than the reducer's. */
XG_FN void xg_reduce_convert(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    uint32_t n = i->n_operands / 2, k;
    for (k = 0; k < i->n_operands; k++) {
        const xg_shape *s = in[k]->shape;
        xlagpu_type t = xg_eval_result_shape(i, k % n)->type;
        xg_value *out;
        if (s->type == t) continue;
        xg_eval_dense(r, &in[k]);
        out = xg_eval_new(r, xg_shape_with_type(r->module, s, t));
        xg_eval_convert_block(t, out->data, s->type, in[k]->data, (size_t)s->elements);
        xg_eval_drop(r, in[k]);
        in[k] = out;
    }
}

/* ---- reduce ---- */

/* The input in rows [reduced][kept], and the two extents. */
XG_FN xg_value *xg_reduce_rows(xg_eval_run *r, xg_value **v, xg_ints dims, int64_t *reduced, int64_t *kept) {
    const xg_shape *s = (*v)->shape;
    const unsigned char *from = xg_eval_dense(r, v);
    bool is_reduced[XG_RANK_MAX] = {false}, in_order = true;
    int64_t strides[XG_RANK_MAX], step = 1;
    xg_value *out;
    xg_strided c;
    uint32_t k, d, last = 0;
    *reduced = 1;
    for (k = 0; k < dims.n; k++) {
        is_reduced[dims.p[k]] = true;
        *reduced *= s->dims[dims.p[k]];
    }
    *kept = 1;
    xg_eval_row_strides(s, strides);
    c.rank = 0;
    c.bytes = (size_t)xg_type_bytes(s->type);
    for (k = 0; k < 2; k++)
        for (d = 0; d < s->rank; d++)
            if (is_reduced[d] == (k == 0)) {
                if (c.rank && d < last) in_order = false;
                if (k) *kept *= s->dims[d];
                last = d;
                c.dims[c.rank] = s->dims[d];
                c.from[c.rank++] = strides[d];
            }
    if (in_order) return xg_eval_keep(*v);
    for (d = c.rank; d-- > 0;) {
        c.to[d] = step;
        step *= c.dims[d];
    }
    out = xg_eval_scratch(r, xg_eval_bytes(r, s));
    xg_eval_copy(&c, out->data, from);
    return out;
}

/* Sums of floats: in double, rounded once. */
XG_FN void xg_reduce_sum(xg_eval_run *r, xlagpu_type t, unsigned char *out, const unsigned char *in,
    const unsigned char *init, int64_t rows, int64_t n) {
    xg_value *sum = xg_eval_scratch(r, xg_mul(r->ctx, (size_t)n, sizeof(double)));
    double *total = (double *)(void *)sum->data, wide[256], start = xg_float_load(t, init);
    size_t bytes = (size_t)xg_type_bytes(t);
    int64_t row, at, k;
    for (k = 0; k < n; k++) total[k] = -0.0; /* which adds nothing, not even a sign */
    if (n == 1) {
        double s = -0.0;
        for (at = 0; at < rows; at += 256) {
            int64_t m = XG_MIN(rows - at, (int64_t)256);
            xg_eval_convert_block(XLAGPU_F64, wide, t, in + (size_t)at * bytes, (size_t)m);
            for (k = 0; k < m; k++) s += wide[k];
        }
        total[0] = s;
    } else
        for (row = 0; row < rows; row++)
            for (at = 0; at < n; at += 256) {
                int64_t m = XG_MIN(n - at, (int64_t)256);
                xg_eval_convert_block(XLAGPU_F64, wide, t, in + (size_t)(row * n + at) * bytes, (size_t)m);
                for (k = 0; k < m; k++) total[at + k] += wide[k];
            }
    for (k = 0; k < n; k++) xg_float_store(t, out + (size_t)k * bytes, start + total[k]);
    xg_eval_drop(r, sum);
}

/* params: the accumulators, then the elements, as reducers want them. */
XG_FN void xg_reduce_fold(xg_eval_run *r, const xg_comp *c, uint32_t n, unsigned char *const *acc,
    const unsigned char *const *x, size_t count) {
    const void *params[2 * XG_RANK_MAX] = {NULL};
    void *results[XG_RANK_MAX] = {NULL};
    uint32_t k;
    for (k = 0; k < n; k++) {
        params[k] = results[k] = acc[k];
        params[n + k] = x[k];
    }
    xg_eval_apply(r, c, params, results, count);
}

/* acc[k] and the other operand, strided inside arrays: combined in blocks. to == from layouts are boxes over the same
 * extents. */
XG_FN void xg_reduce_box(xg_eval_run *r, const xg_comp *c, uint32_t n, unsigned char *const *acc,
    const xg_strided *acc_box, const unsigned char *const *x, const xg_strided *x_box, const size_t *bytes) {
    xg_value *left[XG_RANK_MAX], *right[XG_RANK_MAX];
    unsigned char *a[XG_RANK_MAX] = {NULL};
    const unsigned char *b[XG_RANK_MAX] = {NULL};
    int64_t count = 1;
    xg_strided box;
    uint32_t k, d;
    for (d = 0; d < acc_box->rank; d++) count *= acc_box->dims[d];
    if (!count) return;
    for (k = 0; k < n; k++) {
        int64_t step = 1;
        left[k] = xg_eval_scratch(r, (size_t)count * bytes[k]);
        right[k] = xg_eval_scratch(r, (size_t)count * bytes[k]);
        box = *acc_box;
        box.bytes = bytes[k];
        for (d = box.rank; d-- > 0;) {
            box.to[d] = step;
            step *= box.dims[d];
        }
        xg_eval_copy(&box, left[k]->data, acc[k]);
        memcpy(box.from, x_box->from, sizeof box.from);
        xg_eval_copy(&box, right[k]->data, x[k]);
        a[k] = left[k]->data;
        b[k] = right[k]->data;
    }
    xg_reduce_fold(r, c, n, a, b, (size_t)count);
    for (k = 0; k < n; k++) {
        int64_t step = 1;
        box = *acc_box;
        box.bytes = bytes[k];
        for (d = box.rank; d-- > 0;) {
            box.to[d] = box.from[d];
            box.from[d] = step;
            step *= box.dims[d];
        }
        xg_eval_copy(&box, acc[k], left[k]->data);
        xg_eval_drop(r, left[k]);
        xg_eval_drop(r, right[k]);
    }
}

/* Folds pairs of neighbouring rows until one row is left in x[k]; the arrays are ours to write. */
XG_FN void xg_reduce_pairs(
    xg_eval_run *r, const xg_comp *c, uint32_t n, unsigned char **x, const size_t *bytes, int64_t rows, int64_t width) {
    xg_strided box;
    const unsigned char *odd[XG_RANK_MAX];
    uint32_t k;
    memset(&box, 0, sizeof box);
    while (rows > 1) {
        int64_t half = rows / 2;
        box.rank = 2;
        box.dims[0] = half;
        box.dims[1] = width;
        box.from[0] = 2 * width;
        box.from[1] = 1;
        for (k = 0; k < n; k++) odd[k] = x[k] + (size_t)width * bytes[k];
        xg_reduce_box(r, c, n, x, &box, odd, &box, bytes);
        for (k = 0; k < n; k++) {
            int64_t row; /* close the gaps; the last row of an odd number stays last */
            for (row = 1; row < half; row++)
                memmove(x[k] + (size_t)(row * width) * bytes[k], x[k] + (size_t)(2 * row * width) * bytes[k],
                    (size_t)width * bytes[k]);
            if (rows & 1)
                memmove(x[k] + (size_t)(half * width) * bytes[k], x[k] + (size_t)((rows - 1) * width) * bytes[k],
                    (size_t)width * bytes[k]);
        }
        rows = half + (rows & 1);
    }
}

XG_FN xg_value *xg_eval_reduce(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    enum {
        FEW = 256
    };
    const xg_comp *c = xg_attr_to_apply(i);
    xg_ints dims = xg_attr_dims(i);
    uint32_t n = i->n_operands / 2, k;
    xg_value *rows[XG_RANK_MAX], *outs[XG_RANK_MAX];
    unsigned char *acc[XG_RANK_MAX], *data[XG_RANK_MAX];
    const unsigned char *x[XG_RANK_MAX];
    size_t bytes[XG_RANK_MAX];
    int64_t reduced = 0, kept = 0, row;
    if (n > XG_RANK_MAX)
        xg_hlo_fail(
            i, XLAGPU_ERROR_UNSUPPORTED, NULL, "more than %d arrays at once are not evaluated", (int)XG_RANK_MAX);
    xg_reduce_convert(r, i, in);
    for (k = 0; k < n; k++) {
        rows[k] = xg_reduce_rows(r, &in[k], dims, &reduced, &kept);
        outs[k] = xg_eval_new(r, xg_eval_result_shape(i, k));
        bytes[k] = (size_t)xg_type_bytes(outs[k]->shape->type);
        acc[k] = outs[k]->data;
        xg_eval_fill(acc[k], in[n + k]->data, bytes[k], (size_t)kept);
    }
    xg_eval_spend(r, kept);
    if (n == 1 && xg_eval_single(c) == XG_ADD && xg_type_class(outs[0]->shape->type) == XGT_F) {
        xg_eval_spend(r, kept * reduced);
        xg_reduce_sum(r, outs[0]->shape->type, acc[0], rows[0]->data, in[1]->data, reduced, kept);
    } else if (kept >= FEW || reduced < 4) {
        for (row = 0; row < reduced && kept; row++) {
            for (k = 0; k < n; k++) x[k] = rows[k]->data + (size_t)(row * kept) * bytes[k];
            xg_reduce_fold(r, c, n, acc, x, (size_t)kept);
        }
    } else if (kept) {
        for (k = 0; k < n; k++) {
            if (!xg_eval_owned(rows[k])) {
                xg_value *copy = xg_eval_scratch(r, (size_t)(kept * reduced) * bytes[k]);
                memcpy(copy->data, rows[k]->data, (size_t)(kept * reduced) * bytes[k]);
                xg_eval_drop(r, rows[k]);
                rows[k] = copy;
            }
            x[k] = data[k] = rows[k]->data;
        }
        xg_reduce_pairs(r, c, n, data, bytes, reduced, kept);
        xg_reduce_fold(r, c, n, acc, x, (size_t)kept);
    }
    for (k = 0; k < n; k++) xg_eval_drop(r, rows[k]);
    return xg_eval_results(r, i, outs);
}

/* ---- map ---- */

XG_FN xg_value *xg_eval_map(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    const xg_comp *c = xg_attr_to_apply(i);
    xg_mark mark = xg_arena_mark(&r->stack);
    const void **params = XG_NEW_N(&r->stack, const void *, i->n_operands);
    xg_value *out = xg_eval_new(r, i->shape);
    void *result = out->data;
    uint32_t k;
    for (k = 0; k < i->n_operands; k++) params[k] = xg_eval_dense(r, &in[k]);
    xg_eval_apply(r, c, params, &result, (size_t)i->shape->elements);
    xg_arena_reset(&r->stack, mark);
    return out;
}

/* ---- windows ---- */

XG_FN int64_t xg_eval_gcd(int64_t a, int64_t b) {
    while (b) {
        int64_t t = a % b;
        a = b;
        b = t;
    }
    return a;
}

XG_FN xg_reach xg_eval_reach(const xg_window_dim *d, int64_t w, int64_t base, int64_t outputs) {
    xg_reach reach = {0, 0, 1, 0, 0};
    int64_t at, o, last, turn = (d->reversal ? d->size - 1 - w : w) * d->window_dilation - d->pad_low,
                         g = xg_eval_gcd(d->stride, d->base_dilation), tries = d->base_dilation / g;
    if (base <= 0 || outputs <= 0) return reach;
    o = turn < 0 ? (-turn + d->stride - 1) / d->stride : 0;
    for (; tries > 0 && o < outputs && (o * d->stride + turn) % d->base_dilation; tries--) o++;
    last = (base - 1) * d->base_dilation - turn;
    if (tries == 0 || last < 0) return reach;
    last = XG_MIN(last / d->stride, outputs - 1);
    if (o > last) return reach;
    at = o * d->stride + turn;
    reach.first = o;
    reach.step = d->base_dilation / g;
    reach.n = (last - o) / reach.step + 1;
    reach.base = at / d->base_dilation;
    reach.base_step = d->stride / g;
    return reach;
}

/* Visits the positions of a window in row-major order: at[] moves on; false after the last. */
XG_FN bool xg_eval_next(int64_t *at, const xg_window *w) {
    uint32_t d;
    for (d = w->n; d-- > 0;) {
        if (++at[d] < w->p[d].size) return true;
        at[d] = 0;
    }
    return false;
}

/* One operation for each position, seen or not. */
XG_FN void xg_eval_spend_window(xg_eval_run *r, const xg_window *w) {
    int64_t positions = 1;
    uint32_t d;
    for (d = 0; d < w->n; d++)
        if (!xg_mul64(positions, w->p[d].size, &positions)) positions = INT64_MAX / 2;
    xg_eval_spend(r, positions);
}

/* The boxes, in outputs and base, of a window position; false when it sees nothing anywhere. Offsets are in
 * elements. */
XG_FN bool xg_eval_window_boxes(const xg_window *w, const int64_t *at, const xg_shape *base, const xg_shape *outputs,
    xg_strided *out_box, xg_strided *base_box, int64_t *out_at, int64_t *base_at) {
    int64_t os[XG_RANK_MAX], bs[XG_RANK_MAX];
    uint32_t d;
    xg_eval_row_strides(outputs, os);
    xg_eval_row_strides(base, bs);
    *out_at = *base_at = 0;
    out_box->rank = base_box->rank = w->n;
    for (d = 0; d < w->n; d++) {
        xg_reach reach = xg_eval_reach(&w->p[d], at[d], base->dims[d], outputs->dims[d]);
        if (!reach.n) return false;
        out_box->dims[d] = base_box->dims[d] = reach.n;
        out_box->from[d] = os[d] * reach.step;
        base_box->from[d] = bs[d] * reach.base_step;
        *out_at += os[d] * reach.first;
        *base_at += bs[d] * reach.base;
    }
    return true;
}

XG_FN xg_value *xg_eval_reduce_window(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    static const xg_window scalar = {0, NULL};
    const xg_attr *attr = xg_inst_attr(i, XG_A_window);
    const xg_window *w = attr ? attr->v.window : &scalar;
    const xg_comp *c = xg_attr_to_apply(i);
    uint32_t n = i->n_operands / 2, k;
    xg_value *outs[XG_RANK_MAX];
    unsigned char *acc[XG_RANK_MAX];
    const unsigned char *x[XG_RANK_MAX];
    size_t bytes[XG_RANK_MAX];
    int64_t at[XG_RANK_MAX], out_at, base_at;
    xg_strided out_box, base_box;
    if (n > XG_RANK_MAX)
        xg_hlo_fail(
            i, XLAGPU_ERROR_UNSUPPORTED, NULL, "more than %d arrays at once are not evaluated", (int)XG_RANK_MAX);
    xg_reduce_convert(r, i, in);
    for (k = 0; k < n; k++) {
        xg_eval_dense(r, &in[k]);
        outs[k] = xg_eval_new(r, xg_eval_result_shape(i, k));
        bytes[k] = (size_t)xg_type_bytes(outs[k]->shape->type);
        xg_eval_fill(outs[k]->data, in[n + k]->data, bytes[k], (size_t)outs[k]->shape->elements);
    }
    memset(at, 0, sizeof at);
    xg_eval_spend_window(r, w);
    if (outs[0]->shape->elements) do {
            if (!xg_eval_window_boxes(w, at, in[0]->shape, outs[0]->shape, &out_box, &base_box, &out_at, &base_at))
                continue;
            for (k = 0; k < n; k++) {
                acc[k] = outs[k]->data + (size_t)out_at * bytes[k];
                x[k] = in[k]->data + (size_t)base_at * bytes[k];
            }
            xg_reduce_box(r, c, n, acc, &out_box, x, &base_box, bytes);
        } while (xg_eval_next(at, w));
    return xg_eval_results(r, i, outs);
}

/* ---- select-and-scatter ---- */

/* For each window the flat index of the element that select keeps: the first one, replaced by a later x when
 * select(kept, x) is false. */
XG_FN xg_value *xg_eval_selected(
    xg_eval_run *r, const xg_inst *i, const xg_window *w, const xg_value *operand, const xg_value *source) {
    const xg_comp *c = xg_attr_comp(i, XG_A_select);
    size_t bytes = (size_t)xg_type_bytes(operand->shape->type);
    int64_t n = source->shape->elements, k, at[XG_RANK_MAX], index[XG_RANK_MAX], out_at, base_at;
    xg_value *chosen = xg_eval_scratch(r, xg_mul(r->ctx, (size_t)n, sizeof(int64_t))),
             *kept = xg_eval_scratch(r, xg_mul(r->ctx, (size_t)n, bytes));
    int64_t *where = (int64_t *)(void *)chosen->data;
    xg_strided out_box, base_box;
    uint32_t d;
    for (k = 0; k < n; k++) where[k] = -1;
    memset(at, 0, sizeof at);
    xg_eval_spend_window(r, w);
    do {
        if (!xg_eval_window_boxes(w, at, operand->shape, source->shape, &out_box, &base_box, &out_at, &base_at))
            continue;
        memset(index, 0, sizeof index);
        for (;;) {
            unsigned char keep = 0, *mine = kept->data + (size_t)out_at * bytes;
            const unsigned char *x = operand->data + (size_t)base_at * bytes;
            if (where[out_at] >= 0) {
                const void *params[2];
                void *result = &keep;
                params[0] = mine;
                params[1] = x;
                xg_eval_apply(r, c, params, &result, 1);
            }
            if (!keep) {
                where[out_at] = base_at;
                memcpy(mine, x, bytes);
            }
            for (d = out_box.rank; d-- > 0;) {
                out_at += out_box.from[d];
                base_at += base_box.from[d];
                if (++index[d] < out_box.dims[d]) break;
                out_at -= out_box.from[d] * out_box.dims[d];
                base_at -= base_box.from[d] * out_box.dims[d];
                index[d] = 0;
            }
            if (d == UINT32_MAX) break;
        }
    } while (xg_eval_next(at, w));
    xg_eval_drop(r, kept);
    return chosen;
}

XG_FN xg_value *xg_eval_select_and_scatter(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    static const xg_window scalar = {0, NULL};
    const xg_attr *attr = xg_inst_attr(i, XG_A_window);
    const xg_comp *scatter = xg_attr_comp(i, XG_A_scatter);
    size_t bytes = (size_t)xg_type_bytes(i->shape->type);
    xg_value *out = xg_eval_new(r, i->shape), *chosen;
    int64_t k, n = in[1]->shape->elements;
    xg_eval_dense(r, &in[0]);
    xg_eval_dense(r, &in[1]);
    xg_eval_fill(out->data, in[2]->data, bytes, (size_t)i->shape->elements);
    if (i->n_operands == 4) {
        chosen = xg_eval_scratch(r, xg_mul(r->ctx, (size_t)n, sizeof(int64_t)));
        xg_eval_convert_block(XLAGPU_S64, chosen->data, in[3]->shape->type, xg_eval_dense(r, &in[3]), (size_t)n);
    } else
        chosen = xg_eval_selected(r, i, attr ? attr->v.window : &scalar, in[0], in[1]);
    for (k = 0; k < n; k++) {
        int64_t where = ((const int64_t *)(const void *)chosen->data)[k];
        const void *params[2];
        void *result;
        if (where < 0 || where >= i->shape->elements) continue;
        params[0] = result = out->data + (size_t)where * bytes;
        params[1] = in[1]->data + (size_t)k * bytes;
        xg_eval_apply(r, scatter, params, &result, 1);
    }
    xg_eval_drop(r, chosen);
    return out;
}

#endif /* XG_EVAL_REDUCE_C */
