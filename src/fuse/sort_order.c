/* fuse/sort_order.c -- what order the comparator of a sort asks for, and by what its elements are sorted therefore.
 *
 * Most comparators compare one function of both elements: the element itself, or (JAX) with zeros and NaNs made alike. What that gives is the key. Brought into the order of
 * integers, it is made once for an element, not at each comparison, and one signed comparison is enough:
 *     ELEMENT      one array whose elements their keys tell all about: the keys are sorted, equal ones may change places
 *     ENTRY        key and place in one integer: no two are equal, the order of equal keys is that of their places, and what belongs to a place is fetched in the end
 *     KEY          keys of 64 bits, places beside them
 *     COMPARATOR   whatever else it does (several keys, complex numbers): places are sorted, and the comparator is asked
 * A comparison of floats that is none of the total order takes the zeros for equal; where NaN goes it leaves open. */
#ifndef XG_FUSE_SORT_ORDER_C
#define XG_FUSE_SORT_ORDER_C
#include "fuse.h"

/* The same function of operand k's elements: x of the first and y of the second, or (swapped) the other way round. */
XG_FN bool xg_order_mirrors(const xg_inst *x, const xg_inst *y, uint32_t *k, bool *swapped, uint32_t depth) {
    uint32_t o;
    if (depth > 16 || x->op != y->op || x->n_operands != y->n_operands || !xg_shape_is_array(x->shape) || x->shape->rank || x->shape->type != y->shape->type) return false;
    if (x->op == XG_PARAMETER) {
        bool second = x->number % 2 != 0;
        if (x->number / 2 != y->number / 2 || x->number == y->number || (*k != UINT32_MAX && (*k != (uint32_t)x->number / 2 || second != *swapped))) return false;
        *k = (uint32_t)x->number / 2;
        *swapped = second;
        return true;
    }
    if (x->op == XG_CONSTANT) return x == y || xg_reducer_same_bits(x->literal, y->literal);
    if (x == y || !(xg_op_flags(x->op) & XGF_EW) || x->op == XG_REDUCE_PRECISION) return false;
    if (x->op == XG_COMPARE && (!xg_str_eq(xg_attr_str(x, XG_A_direction), xg_attr_str(y, XG_A_direction)) || !xg_str_eq(xg_attr_str(x, XG_A_type), xg_attr_str(y, XG_A_type)))) return false;
    for (o = 0; o < x->n_operands; o++) if (!xg_order_mirrors(XG_OPERAND(x, o), XG_OPERAND(y, o), k, swapped, depth + 1)) return false;
    return true;
}
/* Bits of the key as an integer; 0: it is none. */
XG_FN int xg_order_bits(xlagpu_type t, bool total) {
    int bits = xg_type_bits(t), class_of = xg_type_class(t);
    if (class_of == XGT_P) return 8;
    if (class_of == XGT_I) return bits < 8 ? 8 : bits;
    if (class_of != XGT_F) return 0;
    return bits > 8 ? bits : bits == 8 && total ? 16 : 32; /* narrower floats are compared as f32; see emit/sort_key.c */
}
XG_FN bool xg_order_read_comparator(xg_sort_order *o) {
    const xg_inst *root = xg_attr_comp(o->sort, XG_A_to_apply)->root;
    xg_str direction;
    bool swapped = false, greater;
    if (root->op != XG_COMPARE) return false;
    direction = xg_attr_str(root, XG_A_direction);
    greater = xg_str_is(direction, "GT");
    o->keyed = UINT32_MAX;
    if ((!greater && !xg_str_is(direction, "LT")) || !xg_order_mirrors(XG_OPERAND(root, 0), XG_OPERAND(root, 1), &o->keyed, &swapped, 0) || o->keyed == UINT32_MAX) return false;
    o->key = XG_OPERAND(root, swapped);
    o->type = o->key->shape->type;
    o->total = xg_str_is(xg_attr_str(root, XG_A_type), "TOTALORDER");
    o->descending = greater != swapped;
    return true;
}
XG_FN xg_sort_order xg_fuse_sort_order(const xg_inst *sort) {
    xg_sort_order o;
    bool places = sort->op == XG_TOPK || sort->n_operands > 1, stable = sort->op == XG_TOPK || xg_attr_int(sort, XG_A_is_stable, 0);
    uint32_t k;
    memset(&o, 0, sizeof o);
    o.sort = sort;
    o.form = XG_SORT_BY_COMPARATOR;
    if (sort->op == XG_TOPK) {
        o.type = XG_OPERAND(sort, 0)->shape->type;
        o.descending = xg_attr_int(sort, XG_A_largest, 1) != 0;
        o.total = true;
    }
    if (sort->op == XG_TOPK || xg_order_read_comparator(&o)) o.bits = xg_order_bits(o.type, o.total);
    if (o.bits) {
        bool itself = !o.key || o.key->op == XG_PARAMETER;
        if (itself && !stable && !places) o.total = true, o.bits = xg_order_bits(o.type, true); /* any finer order will do */
        o.exact = itself && (xg_type_class(o.type) != XGT_F || (o.total && xg_type_bits(o.type) > 8));
        o.form = o.exact && !places ? XG_SORT_BY_ELEMENT : o.bits == 64 ? XG_SORT_BY_KEY : XG_SORT_BY_ENTRY;
    }
    o.entry_bytes = o.form == XG_SORT_BY_ELEMENT ? (o.bits == 64 ? 8 : 4) : o.form == XG_SORT_BY_ENTRY ? (o.bits == 32 ? 8 : 4) : o.form == XG_SORT_BY_KEY ? 8 : 4;
    o.beside_bytes = o.form == XG_SORT_BY_KEY ? 4 : 0;
    if (o.form == XG_SORT_BY_COMPARATOR) for (k = 0; k < sort->n_operands; k++) if (xg_order_asks_for(sort, k)) o.beside_bytes += xg_type_bytes(XG_OPERAND(sort, k)->shape->type);
    return o;
}
/* Whether the comparator looks at operand k. */
XG_FN bool xg_order_asks_for(const xg_inst *sort, uint32_t k) {
    const xg_comp *c = sort->op == XG_TOPK ? NULL : xg_attr_comp(sort, XG_A_to_apply);
    return !c || c->params[2 * k]->first_use || c->params[2 * k + 1]->first_use || c->root == c->params[2 * k] || c->root == c->params[2 * k + 1];
}

/* Elements that one block sorts: a power of two. Where the comparator looks at more than fits, it reads from memory. Wide elements fill the registers of fewer threads' places. */
XG_FN int64_t xg_fuse_sort_run(const xg_sort_order *o) {
    int64_t run = XG_SORT_ROW_MAX, widest = 0;
    uint32_t k;
    for (k = 0; k < o->sort->n_operands; k++) widest = XG_MAX(widest, (int64_t)xg_type_bytes(XG_OPERAND(o->sort, k)->shape->type));
    if (widest > 4) run /= widest > 8 ? 8 : 2;
    while (run > 64 && run * (o->entry_bytes + o->beside_bytes) + run / 8 * 4 > XG_SORT_SHARED_MAX) run /= 2;
    return run;
}

#endif /* XG_FUSE_SORT_ORDER_C */
