/* fuse/sort_order.c -- what order the comparator of a sort asks for, and by what its elements are sorted therefore.
 *
 * Most comparators compare one function of both elements: the element itself, or (JAX) with zeros and NaNs made alike.
 * What that gives is the key. Brought into the order of integers, it is made once for an element, not at each
 * comparison, and one signed comparison is enough:
 *     ELEMENT      one array whose elements their keys tell all about: the keys are sorted, equal ones may change
 *                  places
 *     ENTRY        key and place in one integer: no two are equal, the order of equal keys is that of their places, and
 *                  what belongs to a place is fetched in the end
 *     KEY          keys of 64 bits, places beside them
 *     COMPARATOR   whatever else it does (complex numbers, keys of more bits): places are sorted, and the comparator is
 *                  asked
 * Several keys, of which the next is asked where the ones before are equal (jnp.lexsort), are one of all their bits
 * side by side. A comparison of floats that is none of the total order takes the zeros for equal; where NaN goes it
 * leaves open. */
#ifndef XG_FUSE_SORT_ORDER_C
#define XG_FUSE_SORT_ORDER_C
#include "../eval/eval.h"
#include "fuse.h"

/* The same function of operand k's elements: x of the first and y of the second, or (swapped) the other way round. */
XG_FN bool xg_order_mirrors(const xg_inst *x, const xg_inst *y, uint32_t *k, bool *swapped, uint32_t depth) {
    uint32_t o;
    if (depth > 16 || x->op != y->op || x->n_operands != y->n_operands || !xg_shape_is_array(x->shape) ||
        x->shape->rank || x->shape->type != y->shape->type)
        return false;
    if (x->op == XG_PARAMETER) {
        bool second = x->number % 2 != 0;
        if (x->number / 2 != y->number / 2 || x->number == y->number ||
            (*k != UINT32_MAX && (*k != (uint32_t)x->number / 2 || second != *swapped)))
            return false;
        *k = (uint32_t)x->number / 2;
        *swapped = second;
        return true;
    }
    if (x->op == XG_CONSTANT) return x == y || xg_reducer_same_bits(x->literal, y->literal);
    if (x == y || !(xg_op_flags(x->op) & XGF_EW) || x->op == XG_REDUCE_PRECISION) return false;
    if (x->op == XG_COMPARE && (!xg_str_eq(xg_attr_str(x, XG_A_direction), xg_attr_str(y, XG_A_direction)) ||
                                   !xg_str_eq(xg_attr_str(x, XG_A_type), xg_attr_str(y, XG_A_type))))
        return false;
    for (o = 0; o < x->n_operands; o++)
        if (!xg_order_mirrors(XG_OPERAND(x, o), XG_OPERAND(y, o), k, swapped, depth + 1)) return false;
    return true;
}
/* Bits of the key as an integer; 0: it is none. */
XG_FN int xg_order_bits(xlagpu_type t, bool total) {
    int bits = xg_type_bits(t), class_of = xg_type_class(t);
    if (class_of == XGT_P) return 8;
    if (class_of == XGT_I) return bits < 8 ? 8 : bits;
    if (class_of != XGT_F) return 0;
    /* narrower floats are compared as f32; see block/sort_key.c */
    return bits > 8 ? bits : bits == 8 && total ? 16 : 32;
}
/* A comparison of one function of both elements. */
XG_FN bool xg_order_read_key(const xg_inst *i, xg_sort_key *o) {
    xg_str direction;
    bool swapped = false, greater;
    if (i->op != XG_COMPARE) return false;
    direction = xg_attr_str(i, XG_A_direction);
    greater = xg_str_is(direction, "GT");
    o->keyed = UINT32_MAX;
    if ((!greater && !xg_str_is(direction, "LT")) ||
        !xg_order_mirrors(XG_OPERAND(i, 0), XG_OPERAND(i, 1), &o->keyed, &swapped, 0) || o->keyed == UINT32_MAX)
        return false;
    o->key = XG_OPERAND(i, swapped);
    o->type = o->key->shape->type;
    o->total = xg_str_is(xg_attr_str(i, XG_A_type), "TOTALORDER");
    o->descending = greater != swapped;
    o->bits = xg_order_bits(o->type, o->total);
    return true;
}
/* Are what `less` compares the same (direction EQ), or not (NE)? */
XG_FN bool xg_order_is_tie(const xg_inst *i, const xg_inst *less, const char *direction) {
    bool turned = i->op == XG_COMPARE && XG_OPERAND(i, 0) == XG_OPERAND(less, 1);
    return i->op == XG_COMPARE && xg_str_is(xg_attr_str(i, XG_A_direction), direction) &&
           xg_str_eq(xg_attr_str(i, XG_A_type), xg_attr_str(less, XG_A_type)) &&
           XG_OPERAND(i, turned) == XG_OPERAND(less, 0) && XG_OPERAND(i, !turned) == XG_OPERAND(less, 1);
}
/* One key; or less, or the same and what the next keys say, in one of the ways in which that is written. */
XG_FN bool xg_order_read_keys(xg_sort_order *o, const xg_inst *i) {
    uint32_t p, q;
    if (o->n_keys == XG_SORT_KEYS) return false;
    if (xg_order_read_key(i, &o->keys[o->n_keys])) {
        o->n_keys++;
        return true;
    }
    if (i->op == XG_OR)
        for (p = 0; p < 2; p++) {
            const xg_inst *less = XG_OPERAND(i, p), *both = XG_OPERAND(i, !p);
            if (both->op != XG_AND || !xg_order_read_key(less, &o->keys[o->n_keys])) continue;
            for (q = 0; q < 2; q++)
                if (xg_order_is_tie(XG_OPERAND(both, q), less, "EQ")) {
                    o->n_keys++;
                    return xg_order_read_keys(o, XG_OPERAND(both, !q));
                }
        }
    if (i->op == XG_SELECT)
        for (p = 1; p < 3; p++) {
            const xg_inst *less = XG_OPERAND(i, p);
            if (!xg_order_read_key(less, &o->keys[o->n_keys]) ||
                !xg_order_is_tie(XG_OPERAND(i, 0), less, p == 1 ? "NE" : "EQ"))
                continue;
            o->n_keys++;
            return xg_order_read_keys(o, XG_OPERAND(i, 3 - p));
        }
    return false;
}
/* Of all keys side by side; 0: one is no integer, or they are more than 64. */
XG_FN int xg_order_all_bits(const xg_sort_order *o) {
    int bits = 0;
    uint32_t k;
    for (k = 0; k < o->n_keys; k++) {
        if (!o->keys[k].bits) return 0;
        bits += o->keys[k].bits;
    }
    if (o->n_keys < 2) return bits;
    return bits <= 16 ? 16 : bits <= 32 ? 32 : bits <= 64 ? 64 : 0;
}
XG_FN xg_sort_order xg_fuse_sort_order(const xg_inst *sort) {
    xg_sort_order o;
    bool places = sort->op == XG_TOPK || sort->n_operands > 1,
         stable = sort->op == XG_TOPK || xg_attr_or_0(sort, XG_A_is_stable);
    xg_sort_key *first = &o.keys[0];
    uint32_t k;
    memset(&o, 0, sizeof o);
    o.sort = sort;
    o.form = XG_SORT_BY_COMPARATOR;
    if (sort->op == XG_TOPK) {
        o.n_keys = 1;
        first->type = XG_OPERAND(sort, 0)->shape->type;
        first->descending = xg_attr_or_1(sort, XG_A_largest) != 0;
        first->total = true;
        first->bits = xg_order_bits(first->type, true);
    } else if (!xg_order_read_keys(&o, xg_attr_to_apply(sort)->root))
        o.n_keys = 0;
    o.bits = xg_order_all_bits(&o);
    if (o.bits) {
        bool itself = o.n_keys == 1 && (!first->key || first->key->op == XG_PARAMETER);
        if (itself && !stable && !places)
            first->total = true, o.bits = first->bits = xg_order_bits(first->type, true); /* any finer order will do */
        o.exact = itself && (xg_type_class(first->type) != XGT_F || (first->total && xg_type_bits(first->type) > 8));
        o.form = o.exact && !places ? XG_SORT_BY_ELEMENT : o.bits == 64 ? XG_SORT_BY_KEY : XG_SORT_BY_ENTRY;
    }
    o.entry_bytes = o.form == XG_SORT_BY_ELEMENT ? (o.bits == 64 ? 8 : 4)
                    : o.form == XG_SORT_BY_ENTRY ? (o.bits == 32 ? 8 : 4)
                    : o.form == XG_SORT_BY_KEY   ? 8
                                                 : 4;
    o.beside_bytes = o.form == XG_SORT_BY_KEY ? 4 : 0;
    if (o.form == XG_SORT_BY_COMPARATOR)
        for (k = 0; k < sort->n_operands; k++)
            if (xg_order_asks_for(sort, k)) o.beside_bytes += xg_type_bytes(XG_OPERAND(sort, k)->shape->type);
    return o;
}
/* Whether the comparator looks at operand k. */
XG_FN bool xg_order_asks_for(const xg_inst *sort, uint32_t k) {
    const xg_comp *c = sort->op == XG_TOPK ? NULL : xg_attr_to_apply(sort);
    return !c || c->params[2 * k]->first_use || c->params[2 * k + 1]->first_use || c->root == c->params[2 * k] ||
           c->root == c->params[2 * k + 1];
}

/* Elements that one block sorts: a power of two. Where the comparator looks at more than fits, it reads from memory.
 * Wide elements fill the registers of fewer threads' places. */
XG_FN int64_t xg_fuse_sort_run(const xg_sort_order *o) {
    int64_t run = XG_SORT_ROW_MAX, widest = 0;
    uint32_t k;
    for (k = 0; k < o->sort->n_operands; k++)
        widest = XG_MAX(widest, (int64_t)xg_type_bytes(XG_OPERAND(o->sort, k)->shape->type));
    if (widest > 4) run /= widest > 8 ? 8 : 2;
    while (run > 64 && run * (o->entry_bytes + o->beside_bytes) + run / 8 * 4 > XG_SHARED_STATIC_BYTES) run /= 2;
    return run;
}

#endif /* XG_FUSE_SORT_ORDER_C */
