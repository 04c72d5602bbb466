/* eval/sort.c -- sort and topk.
 *
 * sort is a stable merge sort of index lists. All merges of one level advance together, one comparison each, so that
 * the comparator runs over many pairs at once: that is what makes any comparator affordable. The order is the same for
 * is_stable=false. topk orders by the total order of its type; equal values keep their order. */
#ifndef XG_EVAL_SORT_C
#define XG_EVAL_SORT_C
#include "eval.h"

typedef struct xg_merge {
    int64_t row, left, left_end, right, right_end, out;
} xg_merge;

typedef struct xg_sorter {
    xg_eval_run *r;
    const xg_comp *comp;
    uint32_t n; /* arrays */
    int64_t rows, length;
    xg_value **data; /* in rows */
    bool *used;      /* does the comparator look at this array? */
    size_t *bytes;
    unsigned char **blocks; /* 2n: the comparator's parameters */
    unsigned char *flags;
    const void **params;
} xg_sorter;

XG_FN void xg_sort_pick(unsigned char *to, const unsigned char *from, int64_t at, size_t bytes) {
    switch (bytes) {
    case 1: *to = from[at]; break;
    case 2: memcpy(to, from + at * 2, 2); break;
    case 4: memcpy(to, from + at * 4, 4); break;
    case 8: memcpy(to, from + at * 8, 8); break;
    default: memcpy(to, from + at * 16, 16); break;
    }
}

/* flags[m] says that merge m's right head goes before its left head. */
XG_FN void xg_sort_compare(
    xg_sorter *s, const xg_merge *merges, const uint32_t *active, size_t count, const int64_t *index) {
    void *result = s->flags;
    uint32_t k;
    size_t m;
    for (k = 0; k < s->n; k++) {
        if (!s->used[k]) continue;
        for (m = 0; m < count; m++) {
            const xg_merge *g = &merges[active[m]];
            const unsigned char *row = s->data[k]->data + (size_t)(g->row * s->length) * s->bytes[k];
            xg_sort_pick(s->blocks[2 * k] + m * s->bytes[k], row, index[g->row * s->length + g->right], s->bytes[k]);
            xg_sort_pick(s->blocks[2 * k + 1] + m * s->bytes[k], row, index[g->row * s->length + g->left], s->bytes[k]);
        }
    }
    xg_eval_apply(s->r, s->comp, s->params, &result, count);
}

/* A batch of merges from one list of indices into the other. */
XG_FN void xg_sort_merges(xg_sorter *s, xg_merge *merges, size_t count, const int64_t *from, int64_t *to) {
    uint32_t active[XG_EVAL_BLOCK];
    size_t n = 0, m, live;
    for (m = 0; m < count; m++)
        if (merges[m].right < merges[m].right_end) active[n++] = (uint32_t)m;
    while (n) {
        xg_sort_compare(s, merges, active, n, from);
        for (m = live = 0; m < n; m++) {
            xg_merge *g = &merges[active[m]];
            int64_t base = g->row * s->length;
            to[base + g->out++] = from[base + (s->flags[m] ? g->right++ : g->left++)];
            if (g->left < g->left_end && g->right < g->right_end) active[live++] = active[m];
        }
        n = live;
    }
    for (m = 0; m < count; m++) {
        xg_merge *g = &merges[m];
        int64_t base = g->row * s->length;
        while (g->left < g->left_end) to[base + g->out++] = from[base + g->left++];
        while (g->right < g->right_end) to[base + g->out++] = from[base + g->right++];
    }
}

/* index[row][place]: which element of the row comes there. Returns whichever of the two lists holds it. */
XG_FN int64_t *xg_sort_indices(xg_sorter *s, int64_t *index, int64_t *spare) {
    xg_merge *merges = (xg_merge *)xg_alloc_raw(&s->r->stack, XG_EVAL_BLOCK * sizeof *merges);
    int64_t width, row, at;
    for (row = 0; row < s->rows; row++)
        for (at = 0; at < s->length; at++) index[row * s->length + at] = at;
    for (width = 1; width < s->length; width *= 2) {
        size_t count = 0;
        int64_t *swap;
        for (row = 0; row < s->rows; row++)
            for (at = 0; at < s->length; at += 2 * width) {
                xg_merge *g = &merges[count++];
                g->row = row;
                g->left = g->out = at;
                g->left_end = g->right = XG_MIN(at + width, s->length);
                g->right_end = XG_MIN(at + 2 * width, s->length);
                if (count == XG_EVAL_BLOCK) {
                    xg_sort_merges(s, merges, count, index, spare);
                    count = 0;
                }
            }
        xg_sort_merges(s, merges, count, index, spare);
        swap = index;
        index = spare;
        spare = swap;
    }
    return index;
}

/* The box that walks an array row by row along dim, dim innermost; strides of the array go to `from`, of the rows to
 * `to`. */
XG_FN void xg_sort_box(xg_strided *c, const xg_shape *s, uint32_t dim) {
    int64_t strides[XG_RANK_MAX] = {0}, step = 1;
    uint32_t d;
    xg_eval_row_strides(s, strides);
    c->rank = 0;
    c->bytes = (size_t)xg_type_bytes(s->type);
    for (d = 0; d < s->rank; d++)
        if (d != dim) {
            c->dims[c->rank] = s->dims[d];
            c->from[c->rank++] = strides[d];
        }
    c->dims[c->rank] = s->dims[dim];
    c->from[c->rank++] = strides[dim];
    for (d = c->rank; d-- > 0;) {
        c->to[d] = step;
        step *= c->dims[d];
    }
}

/* The array with its rows in the order of index. */
XG_FN xg_value *xg_sort_permute(xg_eval_run *r, const xg_shape *shape, uint32_t dim, const xg_value *rows,
    const int64_t *index, int64_t n_rows, int64_t length) {
    xg_value *out = xg_eval_new(r, shape), *sorted = xg_eval_scratch(r, xg_eval_bytes(r, shape));
    size_t bytes = (size_t)xg_type_bytes(shape->type);
    int64_t row, at;
    xg_strided c;
    uint32_t d;
    for (row = 0; row < n_rows; row++)
        for (at = 0; at < length; at++)
            xg_sort_pick(sorted->data + (size_t)(row * length + at) * bytes,
                rows->data + (size_t)(row * length) * bytes, index[row * length + at], bytes);
    xg_sort_box(&c, shape, dim);
    for (d = 0; d < c.rank; d++) {
        int64_t swap = c.to[d];
        c.to[d] = c.from[d];
        c.from[d] = swap;
    }
    xg_eval_copy(&c, out->data, sorted->data);
    xg_eval_drop(r, sorted);
    return out;
}

/* n arrays of one form along dim, by the comparator. */
XG_FN void xg_eval_sort_arrays(
    xg_eval_run *r, xg_value **in, uint32_t n, uint32_t dim, const xg_comp *comp, xg_value **outs) {
    const xg_shape *shape = in[0]->shape;
    xg_mark mark = xg_arena_mark(&r->stack);
    xg_value *a, *b;
    xg_sorter s;
    int64_t *index;
    uint32_t k;
    if (shape->elements == 0) {
        for (k = 0; k < n; k++) outs[k] = xg_eval_keep(in[k]);
        return;
    }
    memset(&s, 0, sizeof s);
    s.r = r;
    s.n = n;
    s.comp = comp;
    s.length = shape->dims[dim];
    s.rows = shape->elements / s.length;
    s.data = XG_NEW_N(&r->stack, xg_value *, n);
    s.used = XG_NEW_N(&r->stack, bool, n);
    s.bytes = XG_NEW_N(&r->stack, size_t, n);
    s.blocks = XG_NEW_N(&r->stack, unsigned char *, 2 * (size_t)n);
    s.params = XG_NEW_N(&r->stack, const void *, 2 * (size_t)n);
    s.flags = (unsigned char *)xg_alloc(&r->stack, XG_EVAL_BLOCK);
    for (k = 0; k < n; k++) {
        xg_strided c;
        const unsigned char *from = xg_eval_dense(r, &in[k]);
        s.bytes[k] = (size_t)xg_type_bytes(in[k]->shape->type);
        s.used[k] = s.comp->params[2 * k]->first_use || s.comp->params[2 * k + 1]->first_use ||
                    s.comp->root == s.comp->params[2 * k] || s.comp->root == s.comp->params[2 * k + 1];
        s.params[2 * k] = s.blocks[2 * k] = (unsigned char *)xg_alloc(&r->stack, XG_EVAL_BLOCK * s.bytes[k]);
        s.params[2 * k + 1] = s.blocks[2 * k + 1] = (unsigned char *)xg_alloc(&r->stack, XG_EVAL_BLOCK * s.bytes[k]);
        s.data[k] = xg_eval_scratch(r, xg_eval_bytes(r, in[k]->shape));
        xg_sort_box(&c, in[k]->shape, dim);
        xg_eval_copy(&c, s.data[k]->data, from);
    }
    a = xg_eval_scratch(r, xg_mul(r->ctx, (size_t)shape->elements, sizeof(int64_t)));
    b = xg_eval_scratch(r, xg_mul(r->ctx, (size_t)shape->elements, sizeof(int64_t)));
    index = xg_sort_indices(&s, (int64_t *)(void *)a->data, (int64_t *)(void *)b->data);
    for (k = 0; k < n; k++) {
        outs[k] = xg_sort_permute(r, in[k]->shape, dim, s.data[k], index, s.rows, s.length);
        xg_eval_drop(r, s.data[k]);
    }
    xg_eval_drop(r, a);
    xg_eval_drop(r, b);
    xg_arena_reset(&r->stack, mark);
}
XG_FN xg_value *xg_eval_sort(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    xg_mark mark = xg_arena_mark(&r->stack);
    xg_value **outs = XG_NEW_N(&r->stack, xg_value *, i->n_operands), *result;
    xg_eval_sort_arrays(r, in, i->n_operands, (uint32_t)xg_attr_dims(i).p[0], xg_attr_to_apply(i), outs);
    result = xg_eval_results(r, i, outs);
    xg_arena_reset(&r->stack, mark);
    return result;
}

/* ---- topk ---- */

typedef struct xg_top {
    uint64_t key;
    int64_t at;
} xg_top;

/* Larger keys come first; equal ones in order of place. */
XG_FN bool xg_top_before(xg_top a, xg_top b) { return a.key > b.key || (a.key == b.key && a.at < b.at); }

/* The heap's root is the one that would go last. */
XG_FN void xg_top_sift(xg_top *heap, size_t n, size_t at) {
    for (;;) {
        size_t last = at, child = 2 * at + 1;
        xg_top swap;
        if (child < n && xg_top_before(heap[last], heap[child])) last = child;
        if (child + 1 < n && xg_top_before(heap[last], heap[child + 1])) last = child + 1;
        if (last == at) return;
        swap = heap[at];
        heap[at] = heap[last];
        heap[last] = swap;
        at = last;
    }
}

XG_FN uint64_t xg_top_key(xlagpu_type t, const unsigned char *p, bool largest) {
    uint64_t v = 0, key;
    memcpy(&v, p, (size_t)xg_type_bytes(t));
    if (xg_type_class(t) == XGT_F)
        key = (uint64_t)xg_eval_total_key(xg_float_format_of(t), v) ^ ((uint64_t)1 << 63);
    else
        key = (uint64_t)xg_eval_load_int(t, p) ^ (xg_type_signed(t) ? (uint64_t)1 << 63 : 0);
    return largest ? key : ~key;
}

XG_FN xg_value *xg_eval_topk(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    const xg_shape *s = in[0]->shape, *vs = i->shape->elems[0], *is = i->shape->elems[1];
    const unsigned char *data = xg_eval_dense(r, &in[0]);
    bool largest = xg_attr_or_1(i, XG_A_largest) != 0;
    size_t bytes = (size_t)xg_type_bytes(s->type), k, n, kk = (size_t)(vs->rank ? vs->dims[vs->rank - 1] : 0);
    int64_t length = s->rank ? s->dims[s->rank - 1] : 0, rows = length ? s->elements / length : 0, row, at;
    xg_value *outs[2], *space;
    xg_top *heap;
    outs[0] = xg_eval_new(r, vs);
    outs[1] = xg_eval_new(r, is);
    space = xg_eval_scratch(r, xg_mul(r->ctx, kk, sizeof(xg_top)));
    heap = (xg_top *)(void *)space->data;
    xg_eval_spend(r, s->elements);
    for (row = 0; row < rows && kk; row++) {
        for (at = 0, n = 0; at < length; at++) {
            xg_top t;
            t.key = xg_top_key(s->type, data + (size_t)(row * length + at) * bytes, largest);
            t.at = at;
            if (n < kk) {
                heap[n++] = t;
                if (n == kk)
                    for (k = kk / 2 + 1; k-- > 0;) xg_top_sift(heap, kk, k);
            } else if (xg_top_before(t, heap[0])) {
                heap[0] = t;
                xg_top_sift(heap, kk, 0);
            }
        }
        for (n = kk; n-- > 0;) {
            size_t to = (size_t)row * kk + n;
            memcpy(outs[0]->data + to * bytes, data + (size_t)(row * length + heap[0].at) * bytes, bytes);
            xg_eval_store_int(is->type, outs[1]->data + to * (size_t)xg_type_bytes(is->type), heap[0].at);
            heap[0] = heap[n];
            xg_top_sift(heap, n, 0);
        }
    }
    xg_eval_drop(r, space);
    return xg_eval_new_tuple(r, i->shape, outs);
}

#endif /* XG_EVAL_SORT_C */
