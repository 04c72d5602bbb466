/* fuse/sort_passes.c -- sorts of rows that are too long for one block become several sorts, one a kernel.
 *
 * The first sorts runs of as many elements as fit into a block's shared memory with their indices, each of the others
 * merges pairs of runs into runs of twice the length:
 *     s0 = sort(x),  backend_config={"sorted_runs":{"from":"1","to":"2048"}}
 *     s1 = sort(s0), backend_config={"sorted_runs":{"from":"2048","to":"4096"}}  ...
 * Without knowledge of the words each of them is a whole sort, and the last one's result is the same. Since they
 * are instructions, the plan sees to the memory between them. topk of a long row that is not selected (many of it, or
 * long keys) is a sort with the indices beside it, cut off. */
#ifndef XG_FUSE_SORT_PASSES_C
#define XG_FUSE_SORT_PASSES_C
#include "../eval/eval.h"
#include "fuse.h"

XG_FN bool xg_fuse_sorted_runs(const xg_inst *sort, int64_t *from, int64_t *to) {
    int64_t v[2];
    if (!xg_call_pair(sort, "sorted_runs", v)) return false;
    *from = v[0];
    *to = v[1];
    if (v[0] < 1 || v[0] > (int64_t)1 << 48 || (v[0] & (v[0] - 1))) return false;
    return v[0] == 1 ? v[1] <= XG_SORT_ROW_MAX && v[1] > 1 && (v[1] & (v[1] - 1)) == 0 : v[1] == 2 * v[0];
}

/* The best few of many are selected by one kernel (block/topk.c): keys of up to 32 bits stand beside their indices
 * there, and lists of them in shared memory. */
XG_FN bool xg_fuse_topk_selects(const xg_inst *i) {
    int64_t k, n, least;
    if (i->op != XG_TOPK) return false;
    k = xg_attr_or_0(i, XG_A_k);
    least = k == 1 ? 64 : k < 8 ? 128 : 256; /* of shorter rows a block sorts several */
    n = XG_OPERAND(i, 0)->shape->dims[XG_OPERAND(i, 0)->shape->rank - 1];
    return k > 0 && k <= XG_TOPK_SELECTED_MAX && XG_OPERAND(i, 0)->shape->elements > 0 && n <= INT32_MAX / 4 &&
           (n > XG_SORT_ROW_MAX || n > XG_MAX(2 * k - 1, least)) && xg_type_bits(XG_OPERAND(i, 0)->shape->type) <= 32;
}

XG_FN int64_t xg_fuse_sort_length(const xg_inst *i) {
    const xg_shape *s;
    int64_t from, to;
    if ((i->op != XG_SORT && i->op != XG_TOPK) || xg_fuse_topk_selects(i)) return 0;
    if (i->op == XG_SORT && xg_fuse_sorted_runs(i, &from, &to)) return 0;
    s = XG_OPERAND(i, 0)->shape;
    return s->rank ? s->dims[i->op == XG_SORT ? (uint32_t)xg_attr_dims(i).p[0] : s->rank - 1] : 0;
}

/* Output k of a sort of one array or several. */
XG_FN xg_inst *xg_fuse_sort_output(xg_inst *sort, xg_inst *before, uint32_t k) {
    xg_hb b = xg_hb_at(before);
    xg_inst *i;
    if (sort->shape->type != XLAGPU_TUPLE) return sort;
    i = xg_hb_of(&b, XG_GET_TUPLE_ELEMENT, sort->shape->elems[k], sort);
    xg_inst_set_int(i, XG_A_index, k);
    return i;
}
XG_FN xg_inst *xg_fuse_sort_pass(xg_inst *sort, xg_inst *const *operands, int64_t from, int64_t to) {
    xg_inst *i = xg_inst_clone(sort, sort->comp, operands, sort);
    char text[96];
    xg_format(
        text, sizeof text, "{\"sorted_runs\":{\"from\":\"%lld\",\"to\":\"%lld\"}}", (long long)from, (long long)to);
    xg_inst_set_text(i, XG_A_backend_config, text);
    return i;
}
XG_FN void xg_fuse_split_sort(xg_inst *sort) {
    xg_sort_order order = xg_fuse_sort_order(sort);
    int64_t length = xg_fuse_sort_length(sort), first = xg_fuse_sort_run(&order), run;
    xg_inst **operands = XG_NEW_N(sort->comp->module->arena, xg_inst *, sort->n_operands + 1), *last;
    uint32_t k;
    for (k = 0; k < sort->n_operands; k++) operands[k] = XG_OPERAND(sort, k);
    last = xg_fuse_sort_pass(sort, operands, 1, first);
    for (run = first; run < length; run *= 2) {
        for (k = 0; k < sort->n_operands; k++) operands[k] = xg_fuse_sort_output(last, sort, k);
        last = xg_fuse_sort_pass(sort, operands, run, 2 * run);
    }
    xg_inst_replace(sort, last);
    xg_inst_remove(sort);
}

/* ---- topk ---- */

XG_FN xg_inst *xg_fuse_topk_to_sort(xg_inst *topk) {
    xg_inst *x = XG_OPERAND(topk, 0), *in[2], *sort, *out[2], *tuple;
    const xg_shape *s = x->shape, *shapes[2];
    xg_module *m = topk->comp->module;
    xg_hb b = xg_hb_at(topk);
    xg_slice_dim cut[XG_RANK_MAX];
    int64_t dim = (int64_t)s->rank - 1;
    uint32_t k;
    shapes[0] = s;
    shapes[1] = xg_shape_with_type(m, s, XLAGPU_S32);
    in[0] = x;
    in[1] = xg_hb_iota(&b, XLAGPU_S32, s->dims, s->rank, dim);
    in[1]->shape = shapes[1];
    sort = xg_hb_op(&b, XG_SORT, xg_shape_tuple(m, shapes, 2), in, 2);
    xg_inst_set_one(sort, XG_A_dimensions, dim);
    xg_inst_set_int(sort, XG_A_is_stable, 1);
    xg_inst_set_comp(sort, XG_A_to_apply, xg_topk_comparator(topk, s->type, topk->comp));
    for (k = 0; k < s->rank; k++) {
        cut[k].start = 0;
        cut[k].stride = 1;
        cut[k].limit = topk->shape->elems[0]->dims[k];
    }
    for (k = 0; k < 2; k++) {
        out[k] = xg_hb_slice(&b, xg_fuse_sort_output(sort, topk, k), cut);
        out[k]->shape = xg_shape_with_layout(m, out[k]->shape, topk->shape->elems[k]->layout);
        out[k] = xg_hb_convert(&b, out[k], topk->shape->elems[k]->type);
        out[k]->shape = topk->shape->elems[k];
    }
    tuple = xg_hb_op(&b, XG_TUPLE, topk->shape, out, 2);
    xg_inst_replace(topk, tuple);
    xg_inst_remove(topk);
    return sort;
}

/* ---- topk of few long rows ---- */

enum {
    XG_TOPK_LONG = 65536, /* elements of a row that several blocks share */
    XG_TOPK_PARTS = 8,    /* at least; half as many if they are even */
    XG_TOPK_SHARE = 256   /* of a row is taken: more take longer to sort twice than to look for */
};
/* Parts of a row, so that the device is full and the second step has as much to look at as a block of the first; 0: it
 * stays whole. */
XG_FN int64_t xg_topk_parts(const xg_inst *i) {
    const xg_shape *s;
    int64_t k, length, most, parts, even;
    if (!xg_fuse_topk_selects(i)) return 0;
    s = XG_OPERAND(i, 0)->shape;
    k = xg_attr_or_0(i, XG_A_k);
    length = s->dims[s->rank - 1];
    if (s->dynamic || length < XG_MAX((int64_t)XG_TOPK_LONG, k * XG_TOPK_SHARE) || s->elements > INT32_MAX) return 0;
    most = XG_MIN(2 * i->comp->module->device.sm_count / (s->elements / length), length / k);
    for (parts = 1; parts < most && parts * parts < length / k; parts++) {}
    for (even = parts; even > parts / 2 && length % even; even--) {}
    if (even > parts / 2) return even < XG_TOPK_PARTS / 2 ? 0 : even;
    return parts < XG_TOPK_PARTS ? 0 : parts;
}
/* x + t * the place along a dimension */
XG_FN xg_inst *xg_topk_offset(const xg_hb *b, xg_inst *x, int64_t dim, int64_t t) {
    xg_inst *place = xg_hb_iota(b, XLAGPU_S32, x->shape->dims, x->shape->rank, dim);
    place = xg_hb_2(b, XG_MULTIPLY, place, xg_hb_int_like(b, place, t));
    return xg_hb_2(b, XG_ADD, place, x);
}
/* Of rows of numbers those at places [rows, k]; one behind the other. */
XG_FN xg_inst *xg_topk_numbers(const xg_hb *b, xg_inst *numbers, xg_inst *places) {
    places = xg_topk_offset(b, places, 0, numbers->shape->dims[1]);
    numbers = xg_hb_reshape(b, numbers, &numbers->shape->elements, 1);
    return xg_hb_rows(b, numbers, xg_hb_reshape(b, places, &places->shape->elements, 1));
}
/* The best k of the best k of each part. Places stand in the order of indices, so equal elements do, too. What no even
 * part has room for comes last. */
XG_FN xg_inst *xg_topk_split(const xg_hb *b, xg_inst *i) {
    xg_inst *x = XG_OPERAND(i, 0), *top, *out[2], *values[2], *numbers[2], *place;
    const xg_shape *s = i->shape->elems[0];
    int64_t k = xg_attr_or_0(i, XG_A_k), length = x->shape->dims[s->rank - 1], rows = x->shape->elements / length,
            parts = xg_topk_parts(i), part = length / parts, even = parts * part, dims[3], n = 1;
    bool largest = xg_attr_or_1(i, XG_A_largest) != 0;
    dims[0] = rows;
    dims[1] = length;
    x = xg_hb_reshape(b, x, dims, 2);
    if (even < length) {
        dims[1] = length - even;
        values[1] = xg_hb_slice_dim(b, x, 1, even, length);
        numbers[1] = xg_hb_iota(b, XLAGPU_S32, dims, 2, 1);
        numbers[1] = xg_hb_2(b, XG_ADD, numbers[1], xg_hb_int_like(b, numbers[1], even));
        x = xg_hb_slice_dim(b, x, 1, 0, even);
        n = 2;
    }
    dims[1] = parts;
    dims[2] = part;
    top = xg_topk_make(b, xg_hb_reshape(b, x, dims, 3), k, largest);
    place = xg_topk_offset(b, xg_hb_element(b, top, 1), 1, part);
    dims[1] = parts * k;
    values[0] = xg_hb_reshape(b, xg_hb_element(b, top, 0), dims, 2);
    numbers[0] = xg_hb_reshape(b, place, dims, 2);
    if (n == 2) {
        values[0] = xg_hb_concat(b, values, 2, 1);
        numbers[0] = xg_hb_concat(b, numbers, 2, 1);
    }
    top = xg_topk_make(b, values[0], k, largest);
    out[0] = xg_hb_reshape(b, xg_hb_element(b, top, 0), s->dims, s->rank);
    place = xg_topk_numbers(b, numbers[0], xg_hb_element(b, top, 1));
    out[1] = xg_hb_reshape(b, xg_hb_convert(b, place, i->shape->elems[1]->type), s->dims, s->rank);
    return xg_hb_tuple(b, out, 2);
}
XG_FN bool xg_topk_is_long(const xg_inst *i) { return xg_topk_parts(i) > 0; }
XG_FN bool xg_fuse_topk_splitter(xg_module *m) {
    return xg_opt_expand_made(m, xg_topk_is_long, xg_topk_split, XG_TOPK);
}

/* ---- the pass ---- */

XG_FN bool xg_fuse_sort_is_long(const xg_inst *i) {
    int64_t length = xg_fuse_sort_length(i);
    xg_sort_order order;
    if (length <= 64) return false;
    order = xg_fuse_sort_order(i);
    return length > xg_fuse_sort_run(&order);
}
/* Such a sort inside a fusion comes out of it, with all that was fused. */
XG_FN bool xg_fuse_unfuse_sorts(xg_inst *i) {
    bool found = false;
    if (i->op != XG_FUSION) return false;
    XG_FOR_INSTS(s, xg_attr_calls(i)) found = found || xg_fuse_sort_is_long(s);
    if (found) xg_opt_unfuse(i);
    return found;
}
XG_FN bool xg_fuse_split_long_sort(xg_inst *i) {
    if (!xg_fuse_sort_is_long(i)) return false;
    xg_fuse_split_sort(i->op == XG_TOPK ? xg_fuse_topk_to_sort(i) : i);
    return true;
}
XG_FN bool xg_fuse_split_sorts(xg_module *m) {
    bool changed;
    if (!m->made[XG_SORT] && !m->made[XG_TOPK]) return false;
    changed = xg_opt_each_step(m, xg_fuse_unfuse_sorts);
    return xg_opt_each_step(m, xg_fuse_split_long_sort) || changed;
}

#endif /* XG_FUSE_SORT_PASSES_C */
