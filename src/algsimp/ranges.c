/* algsimp/ranges.c -- rules about integers of which it is known between which bounds they lie. What they promise
 * stands in algsimp.h.
 *
 * Bounds come from iotas, constants, types, and from counters of loops whose rounds are known; they are followed
 * through arithmetic that does not wrap, and through what only moves elements. So the tests that front ends write for
 * negative indices, and the corrections of remainders for negative numbers, go where there are none. */
#ifndef XG_ALGSIMP_RANGES_C
#define XG_ALGSIMP_RANGES_C
#include "algsimp.h"

#define RULE(name) XG_FN xg_inst *xg_alg_##name(xg_alg *a, xg_inst *i)
#define P(k) XG_OPERAND(i, k)

typedef struct xg_bounds {
    int64_t lo, hi;
} xg_bounds;
enum {
    XG_BOUNDS_STEPS = 24,
    XG_BOUNDS_ELEMENTS = 256
};

XG_ONE_COPY XG_FN bool xg_bounds_set(xg_bounds *r, int64_t lo, int64_t hi) {
    r->lo = lo;
    r->hi = hi;
    return lo <= hi;
}
/* All that the type can hold; u64 has numbers that do not fit here. */
XG_FN bool xg_bounds_of_type(xlagpu_type t, xg_bounds *r) {
    if (t == XLAGPU_PRED) return xg_bounds_set(r, 0, 1);
    if (t == XLAGPU_U64 || xg_type_class(t) != XGT_I) return false;
    return xg_bounds_set(r, xg_int_type_min(t), (int64_t)xg_int_type_max(t));
}
XG_FN bool xg_bounds_fit(xlagpu_type t, const xg_bounds *r) {
    if (t == XLAGPU_U64) return r->lo >= 0;
    return r->lo >= (t == XLAGPU_PRED ? 0 : xg_int_type_min(t)) &&
           r->hi <= (t == XLAGPU_PRED ? 1 : (int64_t)xg_int_type_max(t));
}
XG_FN bool xg_bounds_of_literal(const xg_inst *c, xg_bounds *r) {
    int64_t k, v;
    if (c->literal->elided || c->shape->elements == 0 || c->shape->elements > XG_BOUNDS_ELEMENTS) return false;
    for (k = 0; k < c->shape->elements; k++) {
        if (!xg_literal_get_int(c->literal, k, &v) || (c->shape->type == XLAGPU_U64 && v < 0)) return false;
        r->lo = k ? XG_MIN(r->lo, v) : v;
        r->hi = k ? XG_MAX(r->hi, v) : v;
    }
    return true;
}

/* An element of a loop's state that counts its rounds. */
XG_FN bool xg_bounds_of_counter(xg_alg *a, const xg_inst *element, xg_bounds *r) {
    const xg_loop_counter *l;
    if (!a->m->made[XG_WHILE] || element->comp->n_params != 1) return false;
    if (!a->counters) a->counters = xg_opt_loop_counters(a->m);
    l = (const xg_loop_counter *)xg_map64_get(a->counters, element->comp->id);
    return l && l->index == xg_attr_index(element) && xg_bounds_set(r, l->lo, l->hi);
}

XG_FN bool xg_alg_bounds(xg_alg *a, const xg_inst *x, int *steps, xg_bounds *r);
/* Of what the opcode makes of numbers within p and q, before it wraps. */
XG_FN bool xg_bounds_of_binary(xg_opcode op, const xg_bounds *p, const xg_bounds *q, xg_bounds *r) {
    int64_t v[4];
    uint32_t k;
    switch (op) {
    case XG_ADD: return xg_add64(p->lo, q->lo, &r->lo) && xg_add64(p->hi, q->hi, &r->hi);
    case XG_SUBTRACT:
        return q->lo > INT64_MIN && q->hi > INT64_MIN && xg_add64(p->lo, -q->hi, &r->lo) &&
               xg_add64(p->hi, -q->lo, &r->hi);
    case XG_MULTIPLY:
        if (!xg_mul64(p->lo, q->lo, &v[0]) || !xg_mul64(p->lo, q->hi, &v[1]) || !xg_mul64(p->hi, q->lo, &v[2]) ||
            !xg_mul64(p->hi, q->hi, &v[3]))
            return false;
        for (r->lo = r->hi = v[0], k = 1; k < 4; k++) {
            r->lo = XG_MIN(r->lo, v[k]);
            r->hi = XG_MAX(r->hi, v[k]);
        }
        return true;
    case XG_MAXIMUM: return xg_bounds_set(r, XG_MAX(p->lo, q->lo), XG_MAX(p->hi, q->hi));
    case XG_MINIMUM: return xg_bounds_set(r, XG_MIN(p->lo, q->lo), XG_MIN(p->hi, q->hi));
    case XG_AND: /* of numbers that are not negative no bit is set that one of them lacks */
        if (p->lo >= 0 && q->lo >= 0) return xg_bounds_set(r, 0, XG_MIN(p->hi, q->hi));
        return (p->lo >= 0 || q->lo >= 0) && xg_bounds_set(r, 0, p->lo >= 0 ? p->hi : q->hi);
    case XG_DIVIDE: return q->lo > 0 && q->lo == q->hi && xg_bounds_set(r, p->lo / q->lo, p->hi / q->lo);
    case XG_REMAINDER:
        if (q->lo <= 0) return false;
        return xg_bounds_set(r, p->lo >= 0 ? 0 : XG_MAX(p->lo, 1 - q->hi), p->hi <= 0 ? 0 : XG_MIN(p->hi, q->hi - 1));
    case XG_SHIFT_RIGHT_LOGICAL:
    case XG_SHIFT_RIGHT_ARITHMETIC:
        return p->lo >= 0 && q->lo == q->hi && q->lo >= 0 && q->lo < 63 &&
               xg_bounds_set(r, p->lo >> q->lo, p->hi >> q->lo);
    default: return false;
    }
}
XG_FN bool xg_bounds_of_union(xg_alg *a, const xg_inst *x, uint32_t from, uint32_t to, int *steps, xg_bounds *r) {
    xg_bounds next;
    uint32_t k;
    for (k = from; k < to; k++) {
        if (!xg_alg_bounds(a, XG_OPERAND(x, k), steps, &next)) return false;
        r->lo = k > from ? XG_MIN(r->lo, next.lo) : next.lo;
        r->hi = k > from ? XG_MAX(r->hi, next.hi) : next.hi;
    }
    return to > from;
}
XG_FN bool xg_bounds_by_opcode(xg_alg *a, const xg_inst *x, int *steps, xg_bounds *r) {
    xg_bounds p, q, t;
    switch (x->op) {
    case XG_CONSTANT: return xg_bounds_of_literal(x, r);
    case XG_IOTA:
        return x->shape->elements > 0 && xg_bounds_set(r, 0, x->shape->dims[xg_attr_or_0(x, XG_A_iota_dimension)] - 1);
    case XG_BROADCAST:
    case XG_RESHAPE:
    case XG_TRANSPOSE:
    case XG_SLICE:
    case XG_REVERSE:
    case XG_COPY:
    case XG_DYNAMIC_SLICE:
    case XG_GATHER: return xg_alg_bounds(a, XG_OPERAND(x, 0), steps, r);
    case XG_CONVERT: return (xg_alg_is_int(XG_OPERAND(x, 0)) && xg_alg_bounds(a, XG_OPERAND(x, 0), steps, r));
    case XG_CONCATENATE: return x->n_operands <= 8 && xg_bounds_of_union(a, x, 0, x->n_operands, steps, r);
    case XG_PAD:
    case XG_DYNAMIC_UPDATE_SLICE: return xg_bounds_of_union(a, x, 0, 2, steps, r);
    case XG_SELECT: return xg_bounds_of_union(a, x, 1, 3, steps, r);
    case XG_POPCNT:
    case XG_COUNT_LEADING_ZEROS: return xg_bounds_set(r, 0, xg_type_bits(x->shape->type));
    case XG_REPLICA_ID: return xg_bounds_set(r, 0, (int64_t)a->m->replica_count - 1);
    case XG_PARTITION_ID: return xg_bounds_set(r, 0, (int64_t)a->m->num_partitions - 1);
    case XG_GET_TUPLE_ELEMENT: return XG_OPERAND(x, 0)->op == XG_PARAMETER && xg_bounds_of_counter(a, x, r);
    case XG_NEGATE:
        return xg_alg_bounds(a, XG_OPERAND(x, 0), steps, &p) && p.lo > INT64_MIN && xg_bounds_set(r, -p.hi, -p.lo);
    case XG_ABS:
        if (!xg_alg_bounds(a, XG_OPERAND(x, 0), steps, &p) || p.lo == INT64_MIN) return false;
        return xg_bounds_set(r, p.lo >= 0 ? p.lo : p.hi <= 0 ? -p.hi : 0, XG_MAX(-p.lo, p.hi));
    case XG_CLAMP: /* min(max(x, low), high) */
        if (!xg_alg_bounds(a, XG_OPERAND(x, 0), steps, &p) || !xg_alg_bounds(a, XG_OPERAND(x, 2), steps, &q))
            return false;
        if (!xg_alg_bounds(a, XG_OPERAND(x, 1), steps, &t)) return false;
        t.lo = XG_MAX(t.lo, p.lo);
        t.hi = XG_MAX(t.hi, p.hi);
        return xg_bounds_set(r, XG_MIN(t.lo, q.lo), XG_MIN(t.hi, q.hi));
    case XG_ADD:
    case XG_SUBTRACT:
    case XG_MULTIPLY:
    case XG_MAXIMUM:
    case XG_MINIMUM:
    case XG_AND:
    case XG_DIVIDE:
    case XG_REMAINDER:
    case XG_SHIFT_RIGHT_LOGICAL:
    case XG_SHIFT_RIGHT_ARITHMETIC:
        if (x->op == XG_AND) { /* one of them is enough */
            bool left = xg_alg_bounds(a, XG_OPERAND(x, 0), steps, &p),
                 right = xg_alg_bounds(a, XG_OPERAND(x, 1), steps, &q);
            if (!left) p = q;
            if (!right) q = p;
            return (left || right) && xg_bounds_of_binary(x->op, &p, &q, r);
        }
        return xg_alg_bounds(a, XG_OPERAND(x, 0), steps, &p) && xg_alg_bounds(a, XG_OPERAND(x, 1), steps, &q) &&
               (x->op != XG_SHIFT_RIGHT_ARITHMETIC || p.hi >> (xg_type_bits(x->shape->type) - 1) <= 0) && /* a sign */
               xg_bounds_of_binary(x->op, &p, &q, r);
    default: return false;
    }
}
/* Between which numbers all elements of an integer array lie; false: nothing is known. */
XG_FN bool xg_alg_bounds(xg_alg *a, const xg_inst *x, int *steps, xg_bounds *r) {
    if (!xg_shape_is_array(x->shape) || !xg_alg_is_int(x)) return false;
    if (--*steps > 0 && xg_bounds_by_opcode(a, x, steps, r) && xg_bounds_fit(x->shape->type, r)) return true;
    return xg_bounds_of_type(x->shape->type, r);
}
XG_FN bool xg_alg_range(xg_alg *a, const xg_inst *x, xg_bounds *r) {
    int steps = XG_BOUNDS_STEPS;
    return xg_alg_bounds(a, x, &steps, r);
}
/* Of both operands of a binary instruction. A parameter says nothing, and most questions end there. */
XG_FN bool xg_alg_ranges(xg_alg *a, const xg_inst *i, xg_bounds *x, xg_bounds *y) {
    return xg_type_class(P(0)->shape->type) == XGT_I && xg_alg_range(a, P(1), y) && xg_alg_range(a, P(0), x);
}

RULE(compare_range) {
    xg_bounds x, y;
    xg_str d = xg_attr_str(i, XG_A_direction);
    int less = -1, equal = -1; /* -1: not known */
    if (!xg_alg_ranges(a, i, &x, &y)) return NULL;
    if (x.hi < y.lo) {
        less = 1;
        equal = 0;
    } else if (x.lo > y.hi)
        less = equal = 0;
    else if (x.lo >= y.hi)
        less = 0;
    if (xg_word_in("EQ NE", d) >= 0) return equal == 0 ? xg_hb_int_like(&a->b, i, xg_str_is(d, "NE")) : NULL;
    if (xg_word_in("LT GE", d) >= 0) return less >= 0 ? xg_hb_int_like(&a->b, i, less == xg_str_is(d, "LT")) : NULL;
    if (x.hi <= y.lo) return xg_hb_int_like(&a->b, i, xg_str_is(d, "LE")); /* never greater */
    return x.lo > y.hi ? xg_hb_int_like(&a->b, i, xg_str_is(d, "GT")) : NULL;
}
XG_FN int xg_bounds_log2(const xg_bounds *y) { /* of a divisor that is one power of two, else 0 */
    int k = 0;
    if (y->lo != y->hi || y->lo < 2 || (y->lo & (y->lo - 1))) return 0;
    while ((int64_t)1 << k < y->lo) k++;
    return k;
}
RULE(remainder_range) { /* what is less than the divisor; what is not negative, by a power of two */
    xg_bounds x, y;
    if (!xg_alg_ranges(a, i, &x, &y) || x.lo < 0 || y.lo <= 0) return NULL;
    if (x.hi < y.lo) return P(0);
    return xg_bounds_log2(&y) ? xg_hb_2(&a->b, XG_AND, P(0), xg_hb_int_like(&a->b, i, y.lo - 1)) : NULL;
}
RULE(divide_range) {
    xg_bounds x, y;
    if (!xg_alg_ranges(a, i, &x, &y) || x.lo < 0 || y.lo <= 0) return NULL;
    if (x.hi < y.lo) return xg_hb_int_like(&a->b, i, 0);
    return xg_bounds_log2(&y)
               ? xg_hb_2(&a->b, XG_SHIFT_RIGHT_LOGICAL, P(0), xg_hb_int_like(&a->b, i, xg_bounds_log2(&y)))
               : NULL;
}
RULE(abs_range) {
    xg_bounds x;
    return xg_type_class(i->shape->type) == XGT_I && xg_alg_range(a, P(0), &x) && x.lo >= 0 ? P(0) : NULL;
}
RULE(maximum_range) {
    xg_bounds x, y;
    if (!xg_alg_ranges(a, i, &x, &y)) return NULL;
    return x.lo >= y.hi ? P(0) : y.lo >= x.hi ? P(1) : NULL;
}
RULE(minimum_range) {
    xg_bounds x, y;
    if (!xg_alg_ranges(a, i, &x, &y)) return NULL;
    return x.hi <= y.lo ? P(0) : y.hi <= x.lo ? P(1) : NULL;
}
XG_FN xg_inst *xg_alg_bound(xg_alg *a, const xg_inst *clamp, xg_inst *bound) {
    return bound->shape->rank ? bound : xg_hb_splat(&a->b, bound, clamp->shape->dims, clamp->shape->rank);
}
RULE(clamp_range) { /* bounds that are never met */
    xg_bounds low, x, high;
    if (xg_type_class(i->shape->type) != XGT_I) return NULL;
    if (!xg_alg_range(a, P(0), &low) || !xg_alg_range(a, P(1), &x) || !xg_alg_range(a, P(2), &high) || low.hi > high.lo)
        return NULL;
    if (x.lo >= low.hi) return x.hi <= high.lo ? P(1) : xg_hb_2(&a->b, XG_MINIMUM, P(1), xg_alg_bound(a, i, P(2)));
    return x.hi <= high.lo ? xg_hb_2(&a->b, XG_MAXIMUM, P(1), xg_alg_bound(a, i, P(0))) : NULL;
}
RULE(and_range) { /* a mask that has all bits of what it is laid on */
    xg_bounds x, y;
    if (!xg_alg_ranges(a, i, &x, &y) || x.lo < 0 || y.lo != y.hi) return NULL;
    return y.lo >= 0 && (y.lo & (y.lo + 1)) == 0 && x.hi <= y.lo ? P(0) : NULL;
}
#undef RULE
#undef P

#endif /* XG_ALGSIMP_RANGES_C */
