/* opt/progressions.c -- arrays of integers that count: first + step * place along one dimension, the same along all
 * others.
 *
 * Index vectors are often made so: x[arange(n), labels], a table of places known when the program was written, every
 * other row. What counts is no lookup: gathers and scatters become slices and updates of slices, or have a batching
 * dimension where they had an index. What wraps on its way, or is below 0 anywhere, does not count; one number
 * everywhere may be any, and a u64 beyond all places is the greatest s64. */
#ifndef XG_OPT_PROGRESSIONS_C
#define XG_OPT_PROGRESSIONS_C
#include "opt.h"

enum {
    XG_PROGRESSION_CONSTANTS = 4096 /* elements of a constant that are looked at */,
    XG_PROGRESSION_DEPTH = 16
};

/* The place along dimension d of the element with that number. */
XG_FN int64_t xg_progression_place(const xg_shape *s, int64_t element, uint32_t d) {
    uint32_t k;
    for (k = s->rank; --k > d;) element /= s->dims[k];
    return element % s->dims[d];
}
/* Of a constant, all elements with place `at` along `vector` (-1: all elements). */
XG_FN bool xg_progression_constant(const xg_inst *x, int64_t vector, int64_t at, xg_progression *p) {
    const xg_shape *s = x->shape;
    int64_t k, v, found[2];
    uint32_t d;
    if (x->literal->elided || s->elements == 0 || s->elements > XG_PROGRESSION_CONSTANTS) return false;
    for (d = 0; d <= s->rank; d++) { /* of the last one, no dimension: all are the same */
        bool fits = d == s->rank || (s->dims[d] > 1 && (int64_t)d != vector), seen[2] = {false, false};
        for (k = 0; fits && k < s->elements; k++) {
            int64_t place = d < s->rank ? xg_progression_place(s, k, d) : 0;
            if (vector >= 0 && xg_progression_place(s, k, (uint32_t)vector) != at) continue;
            if (!xg_literal_get_int(x->literal, k, &v)) return false;
            if (v < 0 && s->type == XLAGPU_U64) v = INT64_MAX;
            fits = d == s->rank || (v >= 0 && v <= INT32_MAX);
            if (place < 2 && !seen[place]) {
                found[place] = v;
                seen[place] = true;
            }
            fits = fits && seen[place ? 1 : 0] && v == found[0] + (place ? place * (found[1] - found[0]) : 0);
        }
        if (!fits || !seen[0]) continue;
        p->first = found[0];
        p->step = d < s->rank ? found[1] - found[0] : 0;
        p->dim = d < s->rank && p->step ? (int32_t)d : -1;
        return true;
    }
    return false;
}
/* Where dimension d of a reshape's result was in its operand, or the other way round: those that are not 1 follow each
 * other in both. -1: it is 1, or other dims than that changed. */
XG_FN int64_t xg_progression_reshaped(const xg_shape *from, const xg_shape *to, int64_t d) {
    uint32_t a = 0, b = 0;
    int64_t found = -1;
    for (;; a++, b++) {
        while (a < from->rank && from->dims[a] == 1) a++;
        while (b < to->rank && to->dims[b] == 1) b++;
        if (a == from->rank || b == to->rank) return a == from->rank && b == to->rank ? found : -1;
        if (from->dims[a] != to->dims[b]) return -1;
        if ((int64_t)a == d) found = b;
    }
}
XG_FN bool xg_progression_is_known(const xg_inst *x) {
    return x->op == XG_CONSTANT || (x->op == XG_BROADCAST && XG_OPERAND(x, 0)->op == XG_CONSTANT);
}
/* x + v, v - x .. with a v that is known; within the numbers that the type has. */
XG_FN bool xg_progression_arithmetic(const xg_inst *x, int64_t vector, int64_t at, uint32_t depth, xg_progression *p) {
    xg_progression q[2];
    int64_t last, most = (int64_t)XG_MIN(xg_int_type_max(x->shape->type), (uint64_t)INT64_MAX);
    uint32_t k;
    if (!xg_progression_is_known(XG_OPERAND(x, 0)) && !xg_progression_is_known(XG_OPERAND(x, 1)))
        return false; /* so that no path forks */
    for (k = 0; k < 2; k++)
        if (!xg_progression_at(XG_OPERAND(x, k), vector, at, depth, &q[k])) return false;
    if (q[0].dim >= 0 && q[1].dim >= 0) return false;
    p->dim = XG_MAX(q[0].dim, q[1].dim);
    if (x->op == XG_MULTIPLY) {
        if (!xg_mul64(q[0].first, q[1].first, &p->first) ||
            !xg_mul64(q[0].dim < 0 ? q[0].first : q[0].step, q[0].dim < 0 ? q[1].step : q[1].first, &p->step))
            return false;
    } else if (x->op == XG_ADD) {
        if (!xg_add64(q[0].first, q[1].first, &p->first)) return false;
        p->step = q[0].step + q[1].step;
    } else {
        p->first = q[0].first - q[1].first;
        p->step = q[0].step - q[1].step;
    }
    if (p->step == 0) p->dim = -1;
    if (!xg_mul64(p->step, p->dim < 0 ? 0 : x->shape->dims[p->dim] - 1, &last) || !xg_add64(last, p->first, &last))
        return false;
    return p->first >= 0 && last >= 0 && p->first <= most && last <= most;
}

/* What stands at place `at` of dimension `vector` (-1: everywhere); its dim is one of x. */
XG_FN bool xg_progression_at(const xg_inst *x, int64_t vector, int64_t at, uint32_t depth, xg_progression *p) {
    const xg_inst *from = x->n_operands ? XG_OPERAND(x, 0) : NULL;
    xg_ints dims = xg_attr_dims(x);
    int64_t inner = -1;
    uint32_t k;
    if (!xg_shape_is_array(x->shape) || xg_type_class(x->shape->type) != XGT_I || x->shape->dynamic ||
        depth++ > XG_PROGRESSION_DEPTH)
        return false;
    switch (x->op) {
    case XG_CONSTANT: return xg_progression_constant(x, vector, at, p);
    case XG_IOTA:
        p->dim = (int32_t)xg_attr_or_0(x, XG_A_iota_dimension);
        p->first = 0;
        p->step = 1;
        if (p->dim == vector) {
            p->first = at;
            p->step = 0;
            p->dim = -1;
        } else if (x->shape->dims[p->dim] == 1) {
            p->step = 0;
            p->dim = -1;
        }
        return p->dim < 0 || (uint64_t)x->shape->dims[p->dim] - 1 <= xg_int_type_max(x->shape->type);
    case XG_CONCATENATE:
        if (dims.p[0] != vector) return false;
        for (k = 0; at >= XG_OPERAND(x, k)->shape->dims[vector]; k++) at -= XG_OPERAND(x, k)->shape->dims[vector];
        return xg_progression_at(XG_OPERAND(x, k), vector, at, depth, p);
    case XG_CONVERT: /* what it counts has to be the same in both types */
        if (!xg_progression_at(from, vector, at, depth, p)) return false;
        for (k = 0; k < 2; k++)
            if ((uint64_t)(p->first + (k && p->dim >= 0 ? p->step * (x->shape->dims[p->dim] - 1) : 0)) >
                xg_int_type_max(x->shape->type))
                return false;
        return true;
    case XG_RESHAPE:
        if (vector >= 0 && x->shape->dims[vector] > 1 &&
            (inner = xg_progression_reshaped(x->shape, from->shape, vector)) < 0)
            return false;
        if (!xg_progression_at(from, inner, at, depth, p)) return false;
        if (p->dim >= 0) p->dim = (int32_t)xg_progression_reshaped(from->shape, x->shape, p->dim);
        return p->dim >= 0 || p->step == 0;
    case XG_BROADCAST:
        for (k = 0; k < dims.n; k++)
            if (dims.p[k] == vector && from->shape->dims[k] > 1) inner = k;
        if (!xg_progression_at(from, inner, at, depth, p)) return false;
        if (p->dim >= 0) p->dim = (int32_t)dims.p[p->dim];
        return true;
    case XG_TRANSPOSE:
        if (!xg_progression_at(from, vector < 0 ? -1 : dims.p[vector], at, depth, p)) return false;
        for (k = 0; p->dim >= 0 && dims.p[k] != p->dim; k++) {}
        if (p->dim >= 0) p->dim = (int32_t)k;
        return true;
    case XG_ADD:
    case XG_SUBTRACT:
    case XG_MULTIPLY: return xg_progression_arithmetic(x, vector, at, depth, p);
    default: return false;
    }
}
/* Component k of the index vectors of a gather or scatter; its dim is the number of one that numbers windows. */
XG_FN bool xg_progression_of(const xg_windows *w, int32_t component, xg_progression *p) {
    uint32_t k = 0;
    if (!xg_progression_at(
            w->indices, w->vector_dim < (int64_t)w->indices->shape->rank ? w->vector_dim : -1, component, 0, p))
        return false;
    while (p->dim >= 0 && w->place[k] != (uint32_t)p->dim) k++;
    if (p->dim >= 0) p->dim = (int32_t)k;
    return true;
}

#endif /* XG_OPT_PROGRESSIONS_C */
