/* spmd/top.c -- the k largest of rows that are split: each device's own k largest, gathered, and of these k.
 *
 * Equal values keep the order of their places: parts are gathered in order, each has its own in order, and the last
 * sort is stable. What lies beyond the end of an uneven part comes last in the type's total order, and last among
 * equals. */
#ifndef XG_SPMD_TOP_C
#define XG_SPMD_TOP_C
#include "spmd.h"

/* The type has a number that no other one comes behind, and the integer of its bits. */
XG_FN bool xg_top_has_last(xlagpu_type t) {
    int cls = xg_type_class(t);
    return cls == XGT_I || (cls == XGT_F && t != XLAGPU_F8E8M0FNU && xg_type_bits(t) >= 8);
}
XG_FN xg_inst *xg_top_last(xg_spmd *s, xlagpu_type t, bool largest) {
    XG_TABLE const xlagpu_type ints[] = {XLAGPU_S8, XLAGPU_S16, XLAGPU_S32, XLAGPU_S64};
    xlagpu_type bits;
    uint32_t k;
    if (xg_type_class(t) == XGT_I)
        return xg_hb_int(&s->b, t, largest ? xg_int_type_min(t) : (int64_t)xg_int_type_max(t));
    for (k = 0; k < 3 && xg_type_bits(ints[k]) < xg_type_bits(t); k++) {}
    bits = ints[k];
    return xg_hb_bitcast_convert(&s->b, xg_hb_int(&s->b, bits, largest ? -1 : (int64_t)xg_int_type_max(bits)), t);
}
XG_FN xg_inst *xg_spmd_top(xg_spmd *s, const xg_inst *i, const xg_spmd_value *p, xg_inst *x) {
    const xg_shape *was = i->shape->elems[0], *shapes[2];
    uint32_t last = was->rank - 1;
    int64_t k = XG_MIN(was->dims[last], x->shape->dims[last]), dims[XG_RANK_MAX], size = x->shape->dims[last];
    bool largest = xg_attr_or_1(i, XG_A_largest) != 0;
    xg_inst *top, *offset, *both[2];
    x = xg_spmd_mask(s, x, p, last, xg_top_last(s, x->shape->type, largest));
    memcpy(dims, x->shape->dims, x->shape->rank * sizeof *dims);
    dims[last] = k;
    shapes[0] = xg_hb_shape(&s->b, x->shape->type, dims, x->shape->rank);
    shapes[1] = xg_hb_shape(&s->b, XLAGPU_S32, dims, x->shape->rank);
    top = xg_hb_of(&s->b, XG_TOPK, xg_shape_tuple(s->m, shapes, 2), x);
    xg_inst_set_int(top, XG_A_k, k);
    xg_inst_set_int(top, XG_A_largest, largest);
    offset = xg_hb_convert(&s->b, xg_spmd_by_device(s, xg_spmd_offsets(s, p->s, last, size)), XLAGPU_S32);
    both[0] = xg_hb_element(&s->b, top, 0);
    both[1] = xg_hb_element(&s->b, top, 1);
    both[1] = xg_hb_add(&s->b, both[1], xg_hb_splat(&s->b, offset, dims, x->shape->rank));
    return xg_hb_tuple(&s->b, both, 2);
}
XG_APART XG_FN void xg_spmd_top_again(xg_spmd *s, const xg_inst *i, xg_inst **results, const xg_axes_list *sums) {
    uint32_t last = results[0]->shape->rank - 1, n;
    int64_t dim = last, k = i->shape->elems[0]->dims[last];
    const xg_shape *shapes[2];
    xg_inst *sort, *in[2];
    for (n = 0; n < 2; n++) {
        in[n] = xg_spmd_all_gather(s, results[n], last, sums);
        shapes[n] = in[n]->shape;
    }
    sort = xg_hb_op(&s->b, XG_SORT, xg_shape_tuple(s->m, shapes, 2), in, 2);
    xg_inst_set_one(sort, XG_A_dimensions, dim);
    xg_inst_set_int(sort, XG_A_is_stable, 1);
    xg_inst_set_comp(sort, XG_A_to_apply, xg_topk_comparator(i, in[0]->shape->type, s->b.comp));
    for (n = 0; n < 2; n++) results[n] = xg_hb_slice_dim(&s->b, xg_hb_element(&s->b, sort, n), last, 0, k);
}

#endif /* XG_SPMD_TOP_C */
