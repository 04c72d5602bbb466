/* import/lower_dims.c -- programs that leave dimensions open: tensor<?x8xf32>, as jax.export writes them for symbolic
 * shapes.
 *
 * Ideas
 * - The entry's dimensions are given by name or place (xg_ctx.dims: "b=8,arg1.0=4"). Names are those of jax.export;
 *   what the program asserts of two sizes finds others.
 * - Then all dimensions follow in the order of the operations: of elementwise operations from the operands, of dynamic
 *   ones from the integers that say them, of others by HLO's own inference.
 * - Functions are put where they are called, so each call has its own dimensions and the integers that lead to them
 *   stay visible. */
#ifndef XG_IMPORT_LOWER_DIMS_C
#define XG_IMPORT_LOWER_DIMS_C
#include "lower.h"
#include "../eval/eval.h"
#include "ir.c"
#include "lower.c"

enum {
    XG_DIMS_DEPTH = 100,        /* of an expression of integers */
    XG_DIMS_ELEMENTS = 256,     /* of an array that is followed */
    XG_DIMS_STEPS = 1 << 20,    /* of all looks at expressions together: those that use a value twice grow */
    XG_DIMS_OPS = 1 << 22,      /* that functions put in place may come to */
    XG_DIMS_SIZE_MAX = 1 << 30, /* of an integer in an expression: products fit */
    XG_DIMS_MESSAGE = 1000      /* bytes of an assertion's message */
};

/* ---- the entry's dimensions ---- */

XG_FN xg_ir_value *xg_dims_value(xg_ir_value *v) {
    while (v->alias) v = v->alias;
    return v;
}
/* Where the size of a dimension stands; NULL: v is no argument of the entry. */
XG_FN int64_t *xg_dims_slot(xg_low *w, const xg_ir_value *v, int64_t dim) {
    const xg_ir_region *r = &w->entry->regions[0];
    uint32_t k;
    for (k = 0; k < r->n_args && r->args[k] != v; k++) {}
    return k < r->n_args && dim >= 0 && dim < (int64_t)v->type->n_dims ? &w->sizes[k][dim] : NULL;
}
XG_FN int64_t *xg_dims_asked(xg_low *w, const xg_ir_op *op) { /* by get_dimension_size */
    return xg_ir_is(op, "get_dimension_size") && op->n_operands == 1
               ? xg_dims_slot(w, xg_dims_value(op->operands[0]), xg_ir_int(op, "dimension", -1))
               : NULL;
}
XG_FN bool xg_dims_same(const xg_ir_op *op) {
    return op->n_operands == 1 && (xg_ir_is(op, "convert") || xg_ir_is(op, "reshape"));
}
/* X(operation, its value where b may be what it is divided by, what a must be for the result v; 0: not one number) */
#define XG_DIMS_SUMS(X) \
    X("add", true, a + b, true, v - b) \
    X("subtract", true, a - b, true, v + b) \
    X("multiply", true, a *b, b != 0 && v % b == 0, v / b) \
    X("divide", b > 0, a / b, b != 0, v * b)
/* An integer of the entry that the sizes known so far give. */
XG_FN bool xg_dims_eval(xg_low *w, xg_ir_value *from, uint32_t depth, int64_t *out) {
    const xg_ir_op *op = xg_dims_value(from)->op;
    const int64_t *slot;
    int64_t a, b;
    if (!op || !depth || ++w->n_steps > XG_DIMS_STEPS) return false;
    if (xg_ir_is(op, "constant")) {
        xg_ints v = xg_ir_ints(w->ir, xg_ir_find(op, "value"));
        if (v.n == 1) *out = v.p[0];
        return v.n == 1 && *out > -XG_DIMS_SIZE_MAX && *out < XG_DIMS_SIZE_MAX;
    }
    slot = xg_dims_asked(w, op);
    if (slot) {
        *out = *slot;
        return *slot >= 0;
    }
    if (xg_dims_same(op)) return xg_dims_eval(w, op->operands[0], depth - 1, out);
    if (op->n_operands != 2 || !xg_dims_eval(w, op->operands[0], depth - 1, &a) ||
        !xg_dims_eval(w, op->operands[1], depth - 1, &b))
        return false;
#define X(name, fine, value, invertible, inverse) \
    if (xg_ir_is(op, name)) { \
        if (!(fine)) return false; \
        *out = value; \
        return *out > -XG_DIMS_SIZE_MAX && *out < XG_DIMS_SIZE_MAX; \
    }
    XG_DIMS_SUMS(X)
#undef X
    return false;
}
/* Gives an open size the value with which the expression is v; false: it cannot tell which. */
XG_FN bool xg_dims_solve(xg_low *w, xg_ir_value *from, int64_t v) {
    uint32_t depth;
    for (depth = 0; depth < XG_DIMS_DEPTH; depth++) {
        const xg_ir_op *op = xg_dims_value(from)->op;
        int64_t *slot, b = 0;
        if (!op || v <= -XG_DIMS_SIZE_MAX || v >= XG_DIMS_SIZE_MAX) return false;
        slot = xg_dims_asked(w, op);
        if (slot) {
            if (*slot < 0 && v >= 0) *slot = v;
            return *slot == v;
        }
        if (!xg_dims_same(op)) {
            bool found = false;
            if (op->n_operands != 2 || !xg_dims_eval(w, op->operands[1], XG_DIMS_DEPTH, &b)) return false;
#define X(name, fine, value, invertible, inverse) \
    if (!found && xg_ir_is(op, name)) { \
        if (!(invertible)) return false; \
        v = inverse; \
        found = true; \
    }
            XG_DIMS_SUMS(X)
#undef X
            if (!found) return false;
        }
        from = op->operands[0];
    }
    return false;
}
#undef XG_DIMS_SUMS

/* ---- names ---- */

/* The entry's operation and operand that carry a name of jax.export into a function; NULL: no such name. */
XG_FN xg_ir_value *xg_dims_named(xg_low *w, xg_str name, xg_buf *all) {
    const xg_ir_op *op;
    uint32_t k;
    for (op = w->entry->regions[0].first; op; op = op->next) {
        const xg_low_func *f;
        if (!xg_ir_is(op, "func.call")) continue;
        f = (const xg_low_func *)xg_dict_get(&w->funcs, xg_ir_word(op, "callee"));
        for (k = 0; f && k < op->n_operands; k++) {
            xg_str given = xg_low_item_text(f->op, "arg_attrs", k, "jax.global_constant");
            if (given.n && xg_str_eq(given, name)) return op->operands[k];
            if (!given.n) continue;
            if (all->n) xg_puts(all, ", ");
            xg_put_str(all, given);
        }
    }
    return NULL;
}
/* `arg0.1`, or an argument's own name and a dimension; NULL: it is none */
XG_FN int64_t *xg_dims_placed(xg_low *w, xg_str name) {
    const xg_ir_region *r = &w->entry->regions[0];
    uint32_t dot = name.n, k;
    int64_t dim = 0;
    char text[24];
    while (dot && name.p[dot - 1] != '.') dot--;
    if (!dot || dot == name.n || name.n - dot > 3) return NULL;
    for (k = dot; k < name.n; k++) {
        if (!xg_is_digit(name.p[k])) return NULL;
        dim = dim * 10 + (name.p[k] - '0');
    }
    name.n = dot - 1;
    for (k = 0; k < r->n_args; k++) {
        xg_format(text, sizeof text, "arg%u", k);
        if (xg_str_is(name, text) || (r->args[k]->loc && xg_str_eq(r->args[k]->loc->name, name)))
            return xg_dims_slot(w, r->args[k], dim);
    }
    return NULL;
}
XG_FN void xg_dims_give(xg_low *w, xg_str name, int64_t size) {
    int64_t *slot = xg_dims_placed(w, name);
    xg_ir_value *v;
    xg_buf all;
    xg_buf_init(&all, w->arena);
    v = slot ? NULL : xg_dims_named(w, name, &all);
    if (slot && (*slot < 0 || *slot == size)) {
        *slot = size;
        return;
    }
    if (slot) xg_fail(w->ir->ctx, XLAGPU_ERROR_USAGE, "dims: %.*s is %lld", (int)name.n, name.p, (long long)*slot);
    if (!v)
        xg_fail(w->ir->ctx, XLAGPU_ERROR_USAGE,
            "dims: the program has no dimension %.*s; it names %.*s; arg0.1 is dimension 1 of argument 0", (int)name.n,
            name.p, all.n ? (int)XG_MIN(all.n, (size_t)400) : 4, all.n ? all.p : "none");
    if (!xg_dims_solve(w, v, size))
        xg_fail(w->ir->ctx, XLAGPU_ERROR_USAGE,
            "dims: no size of an argument makes %.*s %lld; give the sizes of dimensions: arg0.1=N", (int)name.n, name.p,
            (long long)size);
}
XG_APART XG_FN void xg_dims_read(xg_low *w, const char *p) { /* NAME=N,NAME=N */
    while (*p) {
        const char *from = p;
        xg_str name;
        int64_t v = 0;
        while (*p && *p != '=' && *p != ',') p++;
        name = xg_str_of(from, XG_MIN((size_t)(p - from), (size_t)200));
        if (*p == '=')
            for (p++; xg_is_digit(*p); p++) v = XG_MIN(v * 10 + (*p - '0'), (int64_t)XG_DIMS_SIZE_MAX);
        if (p == from || !xg_is_digit(p[-1]) || (*p && *p != ',') || !name.n || v == XG_DIMS_SIZE_MAX)
            xg_fail(w->ir->ctx, XLAGPU_ERROR_USAGE, "dims: '%.*s' is not NAME=N", (int)name.n, name.p);
        xg_dims_give(w, name, v);
        if (*p == ',') p++;
    }
}
/* What the program asserts of two sizes, one of which is known. True: it told something new. */
XG_FN bool xg_dims_deduce(xg_low *w) {
    const xg_ir_op *op;
    bool any = false;
    for (op = w->entry->regions[0].first; op; op = op->next) {
        const xg_ir_op *same;
        int64_t v, other;
        uint32_t k;
        if (!xg_ir_is(op, "custom_call") || !xg_str_is(xg_ir_word(op, "call_target_name"), "shape_assertion")) continue;
        same = op->n_operands ? xg_dims_value(op->operands[0])->op : NULL;
        if (!same || !xg_ir_is(same, "compare") || same->n_operands != 2 ||
            !xg_str_is(xg_ir_word(same, "comparison_direction"), "EQ"))
            continue;
        for (k = 0; k < 2; k++)
            if (!xg_dims_eval(w, same->operands[k], XG_DIMS_DEPTH, &other) &&
                xg_dims_eval(w, same->operands[1 - k], XG_DIMS_DEPTH, &v) && xg_dims_solve(w, same->operands[k], v))
                any = true;
    }
    return any;
}
/* The sizes of the entry's arguments; functions are put in place if all are known. */
XG_FN void xg_dims_entry(xg_low *w, const xg_ir_op *entry) {
    const xg_ir_region *r = xg_low_region_at(w, entry, 0);
    const char *given = w->ir->ctx->dims;
    uint32_t k, d;
    w->entry = entry;
    w->sizes = XG_NEW_N(w->arena, int64_t *, r->n_args + (size_t)1);
    for (k = 0; k < r->n_args; k++) {
        const xg_ir_type *t = r->args[k]->type;
        w->sizes[k] = XG_NEW_N(w->arena, int64_t, t->n_dims + (size_t)1);
        for (d = 0; d < t->n_dims; d++) w->sizes[k][d] = t->dims[d];
    }
    if (given) {
        xg_dims_read(w, given);
        while (xg_dims_deduce(w)) {}
    }
    w->in_place = w->ir->open;
    for (k = 0; k < r->n_args; k++) {
        const xg_ir_type *t = r->args[k]->type;
        if (t->kind == XG_IR_OPEN && !t->dims) w->in_place = false; /* no rank */
        for (d = 0; d < t->n_dims; d++) {
            if (w->sizes[k][d] >= 0) continue;
            if (given)
                xg_fail(w->ir->ctx, XLAGPU_ERROR_USAGE, "dims: dimension %u of argument %u is not known: arg%u.%u=N", d,
                    k, k, d);
            w->in_place = false;
        }
    }
}
XG_FN const xg_shape *xg_dims_argument(xg_low *w, uint32_t k) { /* of the entry */
    const xg_ir_type *t = w->entry->regions[0].args[k]->type;
    const xg_shape *s = xg_shape_plain(w->m, t->element, w->sizes[k], t->n_dims);
    return xg_shape_default_layout(w->m, s);
}

/* ---- integers of the program ---- */

/* The value of an instruction that follows from constants; NULL: it does not, or is large. */
XG_FN const xg_literal *xg_dims_literal(xg_low *w, xg_inst *i, uint32_t depth) {
    const xg_literal **operands, *value;
    xg_eval_options o;
    uint32_t k;
    if (!i || !depth || !xg_shape_is_array(i->shape) || i->shape->dynamic || i->shape->elements > XG_DIMS_ELEMENTS)
        return NULL;
    if (i->op == XG_CONSTANT) return i->literal->elided ? NULL : i->literal;
    if (!i->n_operands || (xg_op_flags(i->op) & (XGF_EFFECT | XGF_COLL)) != 0) return NULL;
    value = (const xg_literal *)xg_map64_get(&w->literals, (uint64_t)(uintptr_t)i);
    if (value) return value;
    operands = XG_NEW_N(w->arena, const xg_literal *, i->n_operands);
    for (k = 0; k < i->n_operands; k++) {
        operands[k] = xg_dims_literal(w, XG_OPERAND(i, k), depth - 1);
        if (!operands[k]) return NULL;
    }
    memset(&o, 0, sizeof o);
    o.may_refuse = true;
    value = xg_eval_inst_const(i, w->m->arena, operands, &o);
    if (value) xg_map64_put(&w->literals, (uint64_t)(uintptr_t)i, (void *)(uintptr_t)value);
    return value;
}
XG_FN bool xg_dims_ints(xg_low *w, xg_ir_value *v, xg_ints *out) {
    const xg_literal *l = xg_dims_literal(w, xg_dims_value(v)->made, XG_DIMS_DEPTH);
    int64_t *p, k;
    if (!l || l->shape->rank > 1) return false;
    p = XG_NEW_N(w->arena, int64_t, (size_t)l->shape->elements + 1);
    for (k = 0; k < l->shape->elements; k++)
        if (!xg_literal_get_int(l, k, &p[k])) return false;
    out->p = p;
    out->n = (uint32_t)l->shape->elements;
    return true;
}

/* ---- the dimensions of results ---- */

XG_FN const xg_shape *xg_dims_array(xg_low *w, const xg_ir_op *op, xlagpu_type element, xg_ints dims) {
    const xg_shape *s;
    uint32_t k;
    for (k = 0; k < dims.n; k++)
        if (dims.p[k] < 0) xg_ir_invalid(w->ir, op, "a dimension of %lld", (long long)dims.p[k]);
    if (dims.n > XG_RANK_MAX) xg_ir_invalid(w->ir, op, "more than %d dimensions", (int)XG_RANK_MAX);
    s = xg_shape_plain(w->m, element, dims.p, dims.n);
    return xg_shape_default_layout(w->m, s);
}
/* Of operands that are spread over each other, dimensions matched from the last on. */
XG_FN const xg_shape *xg_dims_joined(xg_low *w, const xg_ir_op *op, xlagpu_type element) {
    int64_t dims[XG_RANK_MAX];
    xg_ints v;
    uint32_t k, d;
    v.n = 0;
    v.p = dims;
    for (k = 0; k < op->n_operands; k++) v.n = XG_MAX(v.n, (uint32_t)xg_low_array(w, op, k)->shape->rank);
    for (d = 0; d < v.n; d++) dims[d] = 1;
    for (k = 0; k < op->n_operands; k++) {
        const xg_shape *s = xg_low_array(w, op, k)->shape;
        for (d = 0; d < s->rank; d++)
            if (s->dims[d] != 1) dims[v.n - s->rank + d] = s->dims[d];
    }
    return xg_dims_array(w, op, element, v);
}
/* X(operation, its operand that holds the dimensions of the result) */
#define XG_DIMS_SAID(X) X("dynamic_reshape", 1) X("dynamic_broadcast_in_dim", 1) X("dynamic_iota", 0)
XG_FN const xg_shape *xg_dims_result(xg_low *w, const xg_ir_op *op, uint32_t k) {
    xlagpu_type element = op->results[k].type->element;
    xg_ints dims;
#define X(name, at) \
    if (xg_ir_is(op, name)) { \
        if (!xg_low_constant(w, op, at, &dims)) \
            xg_ir_refuse(w->ir, op, XLAGPU_ERROR_UNSUPPORTED, NULL, \
                "the integers that say its dimensions depend on the arguments' values"); \
        return xg_dims_array(w, op, element, dims); \
    }
    XG_DIMS_SAID(X)
#undef X
    if (op->n_operands && ((op->name.n > 5 && !memcmp(op->name.p, "chlo.", 5) && !xg_ir_is(op, "chlo.top_k") &&
                               !xg_ir_is(op, "chlo.ragged_dot")) ||
                              (xg_op_flags(xg_low_opcode(op)) & XGF_EW)))
        return xg_dims_joined(w, op, element);
    return xg_shape_scalar(w->m, element); /* until xg_dims_settle */
}
#undef XG_DIMS_SAID
/* Behind the translation of an operation whose result's dimensions nothing has said: inference does. */
XG_FN void xg_dims_settle(xg_low *w, const xg_ir_op *op, xg_inst *i) {
    const xg_shape *stated = i->shape;
    uint32_t k;
    bool open = false;
    for (k = 0; k < op->n_results; k++) {
        const xg_ir_type *t = op->results[k].type;
        const xg_shape *s = op->n_results == 1 ? stated : k < stated->n_elems ? stated->elems[k] : NULL;
        open = open || (t->kind == XG_IR_OPEN && s == xg_shape_scalar(w->m, t->element));
    }
    if (!open) return;
    i->shape = xg_shape_default_layout(w->m, xg_hlo_infer(w->m, i));
    if (i->shape == stated)
        xg_ir_refuse(w->ir, op, XLAGPU_ERROR_UNSUPPORTED, NULL, "nothing says the dimensions of its result");
}

/* ---- functions and assertions ---- */

/* The function's operations where it is called. */
XG_FN xg_inst *xg_dims_call(xg_low *w, const xg_ir_op *op) {
    xg_low_func *f = xg_low_find_function(w, xg_ir_word(op, "callee"));
    const xg_ir_region *r = xg_low_region_at(w, f->op, 0);
    xg_inst **in = xg_low_stored_ins(w, op);
    const xg_ir_op *inner;
    uint32_t k;
    if (r->n_args != op->n_operands) xg_ir_invalid(w->ir, op, "the function has %u arguments", r->n_args);
    f->open = true;
    xg_low_enter(w, op);
    for (k = 0; k < r->n_args; k++) r->args[k]->made = in[k];
    for (inner = r->first; inner && !xg_low_is_terminator(inner); inner = inner->next) {
        if (++w->n_in_place > XG_DIMS_OPS)
            xg_ir_refuse(w->ir, op, XLAGPU_ERROR_LIMIT, NULL, "over %d operations", (int)XG_DIMS_OPS);
        xg_low_op(w, inner);
    }
    if (!inner) xg_ir_invalid(w->ir, f->op, "its body does not end with a return");
    if (inner->n_operands != op->n_results) xg_ir_invalid(w->ir, op, "the function has %u results", inner->n_operands);
    w->depth--;
    f->open = false;
    xg_low_at(w, op);
    in = XG_NEW_N(w->arena, xg_inst *, inner->n_operands + (size_t)1);
    for (k = 0; k < inner->n_operands; k++) in[k] = xg_low_value(w, inner->operands[k]);
    return !inner->n_operands ? NULL : inner->n_operands == 1 ? in[0] : xg_low_tuple(w, in, inner->n_operands);
}
/* shape_assertion(holds, numbers...): true, or its message with the numbers; false: it is not known here. */
XG_FN bool xg_dims_assert(xg_low *w, const xg_ir_op *op) {
    char text[XG_DIMS_MESSAGE];
    xg_str m = xg_ir_word(op, "error_message");
    xg_ints v;
    uint32_t k, n = 0;
    if (!op->n_operands || !xg_low_constant(w, op, 0, &v) || v.n != 1) return false;
    if (v.p[0]) return true;
    for (k = 0; k < m.n && n < sizeof text - 24; k++) {
        uint32_t at = k + 2 < m.n && m.p[k] == '{' && m.p[k + 2] == '}' ? (uint32_t)(m.p[k + 1] - '0') + 1 : 0;
        if (at && at < op->n_operands && xg_low_constant(w, op, at, &v) && v.n == 1) {
            xg_format(text + n, 24, "%lld", (long long)v.p[0]);
            n += (uint32_t)strlen(text + n);
            k += 2;
        } else
            text[n++] = m.p[k];
    }
    text[n] = 0;
    xg_ir_refuse(w->ir, op, XLAGPU_ERROR_USAGE, NULL, "%s", n ? text : "a shape that the program does not allow");
}

#endif /* XG_IMPORT_LOWER_DIMS_C */
