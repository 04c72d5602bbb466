/* expand/scan_expander.c -- ScanExpander, AssociativeScanRewriter: `scan`, a computation carried along a dimension.
 *
 *     (y, c) = scan(x, c0), (x_t, c) -> (y_t, c')
 * - Running sums, products, maxima ... of one array, in any order if that is exact or allowed (is_associative): a
 *   cumulative reduce-window, which has a kernel of its own (emit/scan.c), and c0 taken in afterwards.
 * - Other associative computations of elementwise operations whose outputs are what they carry: doubling. After the
 *   step of distance s every element holds the last 2 s of them; a step is one kernel.
 *       c0 comes into element 0; for s = 1, 2, 4 ...: y[t] = f(y[t], y[t - s]) where t >= s
 * - Everything else: a loop, whose length may be dynamic. */
#ifndef XG_EXPAND_SCAN_EXPANDER_C
#define XG_EXPAND_SCAN_EXPANDER_C
#include "expand.h"
#include "dynamic_values.c"

typedef struct xg_scan_parts {
    xg_inst *i;
    xg_comp *comp;
    uint32_t inputs, carries, outputs, dim;
    bool reverse, associative;
    const xg_shape *x;
} xg_scan_parts;

XG_FN xg_scan_parts xg_scan_of(xg_inst *i) {
    xg_scan_parts s;
    memset(&s, 0, sizeof s);
    s.i = i;
    s.comp = xg_attr_to_apply(i);
    s.carries = (uint32_t)xg_attr_or_0(i, XG_A_num_carries);
    s.inputs = i->n_operands - s.carries;
    s.outputs = (i->shape->type == XLAGPU_TUPLE ? i->shape->n_elems : 1) - s.carries;
    s.dim = (uint32_t)xg_attr_dims(i).p[0];
    s.reverse = xg_attr_or_0(i, XG_A_is_reverse) != 0;
    s.associative = xg_attr_or_0(i, XG_A_is_associative) != 0;
    s.x = XG_OPERAND(i, 0)->shape;
    return s;
}
XG_FN bool xg_scan_is_static(const xg_scan_parts *s) {
    uint32_t k;
    for (k = 0; k < s->i->n_operands; k++)
        if (XG_OPERAND(s->i, k)->shape->dynamic) return false;
    return !xg_shape_has_dynamic(s->i->shape) && s->x->elements > 0;
}
/* The element of the last step, without the scanned dimension. */
XG_FN xg_inst *xg_scan_last(const xg_hb *b, const xg_scan_parts *s, xg_inst *y, const xg_shape *as) {
    int64_t n = y->shape->dims[s->dim];
    return xg_hb_reshape(
        b, xg_hb_slice_dim(b, y, s->dim, s->reverse ? 0 : n - 1, s->reverse ? 1 : n), as->dims, as->rank);
}
XG_FN xg_inst *xg_scan_along(const xg_hb *b, const xg_scan_parts *s, xg_inst *c, int64_t n) {
    int64_t dims[XG_RANK_MAX], places[XG_RANK_MAX];
    uint32_t k, rank = c->shape->rank;
    for (k = 0; k < rank; k++) places[k] = k < s->dim ? k : k + 1;
    for (k = 0; k <= rank; k++) dims[k] = k == s->dim ? n : c->shape->dims[k - (k > s->dim)];
    return xg_hb_broadcast(b, c, dims, rank + 1, places, rank);
}

/* ---- running sums ---- */

/* What op's result never depends on; NULL: there is none. */
XG_FN xg_inst *xg_scan_neutral(const xg_hb *b, xg_opcode op, xlagpu_type t) {
    int cls = xg_type_class(t);
    bool lowest = op == XG_MAXIMUM;
    switch (op) {
    case XG_ADD: return cls == XGT_F ? xg_hb_float(b, t, -0.0) : cls == XGT_I ? xg_hb_zero(b, t) : NULL;
    case XG_MULTIPLY: return cls == XGT_F || cls == XGT_I ? xg_hb_int(b, t, 1) : NULL;
    case XG_OR: return cls == XGT_P || cls == XGT_I ? xg_hb_zero(b, t) : NULL;
    case XG_AND: return cls == XGT_P ? xg_hb_int(b, t, 1) : cls == XGT_I ? xg_hb_1(b, XG_NOT, xg_hb_zero(b, t)) : NULL;
    case XG_MAXIMUM:
    case XG_MINIMUM:
        if (cls == XGT_P) return xg_hb_int(b, t, !lowest);
        if (cls == XGT_F)
            return xg_float_format_of(t)->has_infinity ? xg_hb_float(b, t, lowest ? -INFINITY : INFINITY) : NULL;
        if (cls != XGT_I) return NULL;
        return xg_hb_int(b, t,
            xg_type_signed(t) ? (lowest ? INT64_MIN : INT64_MAX) >> (64 - xg_type_bits(t))
            : lowest          ? 0
                              : (int64_t)(UINT64_MAX >> (64 - xg_type_bits(t))));
    default: return NULL;
    }
}
/* (x, c) -> (op(x, c), the same), in either order of the operands. */
XG_FN const xg_inst *xg_scan_operation(const xg_scan_parts *s) {
    const xg_inst *root = s->comp->root, *op;
    int cls;
    if (s->inputs != 1 || s->carries != 1 || s->outputs != 1 || root->op != XG_TUPLE ||
        XG_OPERAND(root, 0) != XG_OPERAND(root, 1))
        return NULL;
    op = XG_OPERAND(root, 0);
    if (op->n_operands != 2 || XG_OPERAND(op, 0) == XG_OPERAND(op, 1) || XG_OPERAND(op, 0)->op != XG_PARAMETER ||
        XG_OPERAND(op, 1)->op != XG_PARAMETER)
        return NULL;
    cls = xg_type_class(op->shape->type);
    return s->associative || cls == XGT_I || cls == XGT_P || op->op == XG_MAXIMUM || op->op == XG_MINIMUM ? op : NULL;
}
XG_APART XG_FN xg_inst *xg_scan_window(const xg_hb *b, const xg_scan_parts *s) {
    const xg_inst *op = xg_scan_operation(s);
    xg_inst *x = XG_OPERAND(s->i, 0), *in[2], *r, *neutral;
    neutral = op ? xg_scan_neutral(b, op->op, op->shape->type) : NULL;
    if (!neutral) return NULL;
    in[0] = x;
    in[1] = neutral;
    r = xg_hb_scan(b, in, 1, xg_hb_reducer(b, op->op, op->shape->type), s->dim, s->reverse);
    r = xg_hb_done(r);
    in[0] = xg_hb_2(b, op->op, r, xg_scan_along(b, s, XG_OPERAND(s->i, 1), x->shape->dims[s->dim]));
    in[1] = xg_scan_last(b, s, in[0], XG_OPERAND(s->i, 1)->shape);
    return xg_hb_tuple(b, in, 2);
}

/* ---- doubling ---- */

/* Elementwise operations of arrays like the carried ones, whose outputs are what is carried, of as many inputs. */
XG_APART XG_FN bool xg_scan_may_double(const xg_scan_parts *s) {
    const xg_inst *root = s->comp->root;
    uint32_t k;
    if (!s->associative || s->inputs != s->carries || s->outputs != s->carries || root->op != XG_TUPLE ||
        s->x->rank >= XG_RANK_MAX)
        return false;
    for (k = 0; k < s->carries; k++)
        if (XG_OPERAND(root, k) != XG_OPERAND(root, s->carries + k) ||
            s->comp->params[k]->shape->plain != s->comp->params[s->inputs + k]->shape->plain)
            return false;
    XG_FOR_INSTS(i, s->comp) {
        if (i == root || i->op == XG_PARAMETER) continue;
        if (!xg_shape_is_array(i->shape)) return false;
        if (i->shape->rank == 0 && (i->op == XG_CONSTANT || xg_op_flags(i->op) & XGF_EW) && s->x->rank > 1)
            continue; /* stays a scalar */
        if (!(xg_op_flags(i->op) & XGF_EW) && i->op != XG_CONSTANT &&
            !(i->op == XG_BROADCAST && XG_OPERAND(i, 0)->shape->rank == 0))
            return false;
        if (i->op == XG_CONSTANT && i->shape->rank) return false;
        if (i->shape->rank + 1 != s->x->rank ||
            !xg_dims_equal(i->shape, s->comp->params[0]->shape->dims, s->x->rank - 1))
            return false;
    }
    return true;
}
/* The computation on n steps at once: x and c are arrays with the scanned dimension. */
XG_FN void xg_scan_lift(const xg_hb *b, const xg_scan_parts *s, xg_inst *const *x, xg_inst *const *c, xg_inst **out) {
    xg_module *m = b->comp->module;
    const xg_shape *whole = x[0]->shape;
    xg_map64 made;
    uint32_t k;
    xg_map64_init(&made, m->arena);
    XG_FOR_INSTS(i, s->comp) {
        xg_inst *now, **in;
        bool scalar = i->shape->rank == 0 && s->x->rank > 1;
        if (i == s->comp->root) continue;
        in = XG_NEW_N(m->arena, xg_inst *, i->n_operands + (size_t)1);
        for (k = 0; k < i->n_operands; k++) in[k] = (xg_inst *)xg_map64_get(&made, XG_OPERAND(i, k)->id);
        if (i->op == XG_PARAMETER)
            now = i->number < (int64_t)s->inputs ? x[i->number] : c[i->number - (int64_t)s->inputs];
        else if (i->op == XG_BROADCAST)
            now = xg_hb_splat(b, in[0], whole->dims, whole->rank);
        else if (i->op == XG_CONSTANT)
            now = scalar ? xg_hb_literal(b, i->literal)
                         : xg_hb_splat(b, xg_hb_literal(b, i->literal), whole->dims, whole->rank);
        else {
            now = xg_hb_op(b, i->op, scalar ? i->shape : xg_hb_shape(b, i->shape->type, whole->dims, whole->rank), in,
                i->n_operands);
            for (k = 0; k < i->n_attrs; k++)
                if (i->attrs[k].key != XG_A_metadata && i->attrs[k].key != XG_A_control_predecessors)
                    xg_inst_set_attr(now, i->attrs[k]);
        }
        xg_map64_put(&made, i->id, now);
    }
    for (k = 0; k < s->carries; k++) out[k] = (xg_inst *)xg_map64_get(&made, XG_OPERAND(s->comp->root, k)->id);
}
/* y[from, to), or from the other end. */
XG_FN xg_inst *xg_scan_part(const xg_hb *b, const xg_scan_parts *s, xg_inst *y, int64_t from, int64_t to) {
    int64_t n = y->shape->dims[s->dim];
    return s->reverse ? xg_hb_slice_dim(b, y, s->dim, n - to, n - from) : xg_hb_slice_dim(b, y, s->dim, from, to);
}
/* The first `at` steps stay; the others are f(theirs, before). */
XG_FN void xg_scan_step(
    const xg_hb *b, const xg_scan_parts *s, xg_inst **y, xg_inst *const *before, int64_t from, int64_t to) {
    xg_arena *a = b->comp->module->arena;
    xg_inst **x = XG_NEW_N(a, xg_inst *, s->carries + (size_t)1),
            **out = XG_NEW_N(a, xg_inst *, s->carries + (size_t)1), *parts[3];
    int64_t n = s->x->dims[s->dim];
    uint32_t k, p;
    for (k = 0; k < s->carries; k++) x[k] = xg_scan_part(b, s, y[k], from, to);
    xg_scan_lift(b, s, x, before, out);
    for (k = 0; k < s->carries; k++) {
        p = 0;
        if (from) parts[p++] = xg_scan_part(b, s, y[k], 0, from);
        parts[p++] = out[k];
        if (to < n) parts[p++] = xg_scan_part(b, s, y[k], to, n);
        if (s->reverse && p > 1) {
            xg_inst *swap = parts[0];
            parts[0] = parts[p - 1];
            parts[p - 1] = swap;
        }
        y[k] = xg_hb_concat(b, parts, p, s->dim);
    }
}
XG_APART XG_FN xg_inst *xg_scan_doubled(const xg_hb *b, const xg_scan_parts *s) {
    xg_arena *a = b->comp->module->arena;
    xg_inst **y = XG_NEW_N(a, xg_inst *, 2 * (size_t)s->carries),
            **before = XG_NEW_N(a, xg_inst *, s->carries + (size_t)1);
    int64_t n = s->x->dims[s->dim], distance;
    uint32_t k;
    for (k = 0; k < s->carries; k++) {
        y[k] = XG_OPERAND(s->i, k);
        before[k] = xg_scan_along(b, s, XG_OPERAND(s->i, s->inputs + k), 1);
    }
    xg_scan_step(b, s, y, before, 0, 1);
    for (distance = 1; distance < n; distance *= 2) {
        for (k = 0; k < s->carries; k++) before[k] = xg_scan_part(b, s, y[k], 0, n - distance);
        xg_scan_step(b, s, y, before, distance, n);
    }
    for (k = 0; k < s->carries; k++)
        y[s->carries + k] = xg_scan_last(b, s, y[k], XG_OPERAND(s->i, s->inputs + k)->shape);
    return xg_hb_tuple(b, y, 2 * s->carries);
}

/* ---- the loop ---- */

/* An array of zeros like `shape`, as long as what is scanned in dynamic dimensions. */
XG_APART XG_FN xg_inst *xg_scan_result(const xg_hb *b, const xg_scan_parts *s, const xg_shape *shape) {
    xg_module *m = b->comp->module;
    xg_inst *y = xg_hb_splat(b, xg_hb_literal(b, xg_literal_new(m->arena, xg_shape_scalar(m, shape->type))),
                shape->dims, shape->rank),
            *in[2];
    uint32_t d, k;
    int64_t at;
    for (d = 0; d < shape->rank; d++) {
        if (!xg_dyn_is_open(shape, d)) continue;
        for (k = 0;
             k < s->inputs && !(d < XG_OPERAND(s->i, k)->shape->rank && xg_dyn_is_open(XG_OPERAND(s->i, k)->shape, d));
             k++) {}
        if (k == s->inputs)
            xg_hlo_fail(s->i, XLAGPU_ERROR_UNSUPPORTED, "run it with --platform=interpreter",
                "the size of dimension %u of its result is not that of an input", d);
        at = d;
        in[0] = y;
        in[1] = XG_OPERAND(s->i, k);
        in[1] = xg_hb_op(b, XG_GET_DIMENSION_SIZE, xg_shape_scalar(m, XLAGPU_S32), in + 1, 1);
        xg_inst_set_one(in[1], XG_A_dimensions, at);
        y = xg_hb_op(b, XG_SET_DIMENSION_SIZE, y->shape, in, 2);
        xg_inst_set_one(y, XG_A_dimensions, at);
        (void)xg_hb_done(y);
    }
    return y;
}
/* The same dimensions but 1 along the scanned one. */
XG_FN const xg_shape *xg_scan_slice_shape(const xg_module *m, const xg_scan_parts *s, const xg_shape *shape) {
    int64_t dims[XG_RANK_MAX];
    uint8_t dynamic[XG_RANK_MAX];
    uint32_t d;
    for (d = 0; d < shape->rank; d++) {
        dims[d] = d == s->dim ? 1 : shape->dims[d];
        dynamic[d] = d != s->dim && shape->dynamic ? shape->dynamic[d] : (uint8_t)XG_DIM_STATIC;
    }
    return xg_shape_default_layout((xg_module *)(uintptr_t)m,
        xg_shape_array((xg_module *)(uintptr_t)m, shape->type, dims, shape->rank, dynamic, NULL));
}
XG_FN void xg_scan_body(const xg_scan_parts *s, xg_loop *l, xg_inst *length) {
    const xg_hb *b = &l->b;
    xg_module *m = b->comp->module;
    xg_inst **state = l->state, **args = XG_NEW_N(m->arena, xg_inst *, s->i->n_operands + (size_t)1),
            *starts[XG_RANK_MAX + 2], *at = l->k, *root, *e;
    uint32_t n = s->outputs + s->carries, k, d;
    if (s->reverse) at = xg_hb_sub(b, xg_hb_sub(b, length, xg_hb_int(b, XLAGPU_S32, 1)), at);
    for (d = 0; d < XG_RANK_MAX; d++) starts[2 + d] = d == s->dim ? at : NULL;
    e = xg_hb_zero(b, XLAGPU_S32);
    for (d = 0; d < XG_RANK_MAX; d++)
        if (!starts[2 + d]) starts[2 + d] = e;
    for (k = 0; k < s->inputs; k++) {
        const xg_shape *x = state[n + k]->shape, *one = xg_scan_slice_shape(m, s, x);
        starts[1] = state[n + k];
        e = xg_hb_op(b, XG_DYNAMIC_SLICE, one, starts + 1, 1 + x->rank);
        xg_inst_set_ints(e, XG_A_dynamic_slice_sizes, one->dims, one->rank);
        args[k] = xg_hb_of(b, XG_RESHAPE, xg_shape_default_layout(m, s->comp->params[k]->shape), e);
    }
    for (k = 0; k < s->carries; k++) args[s->inputs + k] = state[s->outputs + k];
    root = xg_opt_inline(s->comp, b->comp, NULL, args);
    for (k = 0; k < n; k++) {
        e = root->shape->type == XLAGPU_TUPLE ? xg_hb_element(b, root, k) : root;
        if (k >= s->outputs) {
            state[k] = e;
            continue;
        }
        starts[0] = state[k];
        starts[1] = xg_hb_of(b, XG_RESHAPE, xg_scan_slice_shape(m, s, state[k]->shape), e);
        state[k] = xg_hb_op(b, XG_DYNAMIC_UPDATE_SLICE, state[k]->shape, starts, 2 + state[k]->shape->rank);
    }
}
XG_APART XG_FN xg_inst *xg_scan_loop(const xg_hb *b, const xg_scan_parts *s) {
    xg_module *m = b->comp->module;
    uint32_t n = s->outputs + s->carries, k, total = n + s->inputs + 1;
    xg_inst **state = XG_NEW_N(m->arena, xg_inst *, total), *length;
    int64_t dim = s->dim;
    xg_loop l;
    if (s->x->dims[s->dim] > INT32_MAX)
        xg_hlo_fail(s->i, XLAGPU_ERROR_LIMIT, NULL, "a loop of %lld steps is too long", (long long)s->x->dims[s->dim]);
    for (k = 0; k < s->outputs; k++)
        state[k] = xg_scan_result(b, s, s->i->shape->type == XLAGPU_TUPLE ? s->i->shape->elems[k] : s->i->shape);
    for (k = 0; k < s->carries; k++) state[s->outputs + k] = XG_OPERAND(s->i, s->inputs + k);
    if (s->x->dims[s->dim] == 0) return xg_hb_tuple(b, state, n);
    for (k = 0; k < s->inputs; k++) state[n + k] = XG_OPERAND(s->i, k);
    length = xg_hb_op(b, XG_GET_DIMENSION_SIZE, xg_shape_scalar(m, XLAGPU_S32), state + n, 1);
    xg_inst_set_one(length, XG_A_dimensions, dim);
    state[total - 1] = length;
    l = xg_hb_loop(b, state, total, s->x->dims[s->dim]);
    if (xg_dyn_is_open(s->x, s->dim)) {
        xg_hb c = xg_hb_end(l.condition, s->i);
        xg_inst *bound = xg_hb_element(&c, l.condition->params[0], total);
        xg_inst_set_operand(l.condition->root, 1, bound);
        xg_inst_move_before(l.condition->root, NULL);
    }
    length = l.state[total - 1];
    xg_scan_body(s, &l, length);
    xg_hb_loop_end(b, &l);
    return xg_hb_tuple(b, l.state, n);
}

XG_FN bool xg_scan_matches(const xg_inst *i) { return i->op == XG_SCAN; }
XG_FN xg_inst *xg_scan_expand(const xg_hb *b, xg_inst *i) {
    xg_scan_parts s = xg_scan_of(i);
    xg_inst *made = NULL;
    if (xg_scan_is_static(&s)) {
        made = xg_scan_window(b, &s);
        if (!made && xg_scan_may_double(&s)) made = xg_scan_doubled(b, &s);
    }
    if (!made) made = xg_scan_loop(b, &s);
    return i->shape->type == XLAGPU_TUPLE ? made : XG_OPERAND(made, 0);
}
XG_FN bool xg_expand_scan_expander(xg_module *m) {
    return xg_opt_expand_made(m, xg_scan_matches, xg_scan_expand, XG_SCAN);
}

#endif /* XG_EXPAND_SCAN_EXPANDER_C */
