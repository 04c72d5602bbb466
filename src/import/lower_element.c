/* import/lower_element.c -- elementwise operations and constants. */
#ifndef XG_IMPORT_LOWER_ELEMENT_C
#define XG_IMPORT_LOWER_ELEMENT_C
#include "lower.h"
#include "../eval/eval.h"
#include "ir.c"

XG_FN xg_opcode xg_low_opcode(const xg_ir_op *op) {
    XG_TABLE const uint8_t rows[] = {
#define X(name, form, lower, opcode) XG_##opcode,
        XG_IR_OPS(X)
#undef X
    };
    return (xg_opcode)rows[op->row];
}
/* ---- numbers ---- */

XG_FN xg_inst *xg_low_number(xg_inst *x) { /* the scalar constant that x is, or has everywhere; or NULL */
    if (x->op == XG_BROADCAST) x = XG_OPERAND(x, 0);
    return x->op == XG_CONSTANT && !x->shape->rank ? x : NULL;
}
/* X(what MLIR folds, too) */
/* clang-format off */
#define XG_LOW_FOLDS(X) \
    X(ABS) X(ADD) X(AND) X(DIVIDE) X(LOG) X(MAXIMUM) X(MINIMUM) X(MULTIPLY) X(NEGATE) X(NOT) X(OR) X(REMAINDER) \
    X(SIGN) X(SQRT) X(SUBTRACT) X(XOR)
/* clang-format on */
XG_FN bool xg_low_folds(xg_opcode opcode) {
    switch (opcode) {
#define X(name) case XG_##name:
        XG_LOW_FOLDS(X)
#undef X
        return true;
    default: return false;
    }
}
/* The operation on numbers as a number; NULL: not all are, or the evaluator refuses it. */
XG_APART XG_FN xg_inst *xg_low_folded(xg_low *w, xg_opcode opcode, const xg_shape *s, xg_inst *const *in, uint32_t n) {
    xg_inst *numbers[2], *i;
    const xg_literal *operands[2], *value;
    xg_eval_options o;
    uint32_t k;
    if (!xg_low_folds(opcode) || !n || n > 2 || s->dynamic) return NULL;
    for (k = 0; k < n; k++) {
        numbers[k] = xg_shape_is_array(in[k]->shape) ? xg_low_number(in[k]) : NULL;
        if (!numbers[k] || in[k]->shape != s) return NULL;
        operands[k] = numbers[k]->literal;
    }
    memset(&o, 0, sizeof o);
    o.may_refuse = true;
    i = xg_low_new(w, opcode, numbers[0]->shape, numbers, n);
    (void)xg_hlo_infer(w->m, i); /* the evaluator takes what is valid */
    value = xg_eval_inst_const(i, w->m->arena, operands, &o);
    if (!value) return NULL;
    i = xg_hb_literal(&w->b, value);
    return xg_hb_splat(&w->b, i, s->dims, s->rank);
}
/* In MLIR's canonical form numbers stand on the right of operations that commute, and what has numbers alone is one. */
XG_FN xg_inst *xg_low_canonical(xg_low *w, xg_opcode opcode, const xg_shape *s, xg_inst **in, uint32_t n) {
    xg_inst *i = xg_low_folded(w, opcode, s, in, n);
    if (i) return i;
    if (n == 2 && (xg_op_flags(opcode) & XGF_COMM) && xg_low_number(in[0]) && !xg_low_number(in[1])) {
        i = in[0];
        in[0] = in[1];
        in[1] = i;
    }
    return xg_low_new(w, opcode, s, in, n);
}
XG_FN xg_inst *xg_lower_simple(xg_low *w, const xg_ir_op *op) {
    xg_inst **in = xg_low_ins(w, op);
    return xg_low_canonical(w, xg_low_opcode(op), xg_low_results(w, op), in, op->n_operands);
}
XG_FN xg_inst *xg_lower_unread(xg_low *w, const xg_ir_op *op) {
    xg_ir_refuse(w->ir, op, XLAGPU_ERROR_UNSUPPORTED, NULL, "this operation is not read");
}

/* Complex numbers are in the order of their real parts, then of their imaginary parts; HLO compares real ones. */
XG_FN xg_inst *xg_low_complex_extreme(xg_low *w, const char *direction, xg_inst *x, xg_inst *y) {
    xg_inst *rx = xg_hb_1(&w->b, XG_REAL, x), *ry = xg_hb_1(&w->b, XG_REAL, y);
    xg_inst *ix = xg_hb_1(&w->b, XG_IMAG, x), *iy = xg_hb_1(&w->b, XG_IMAG, y);
    xg_inst *first = xg_hb_compare(&w->b, direction, rx, ry), *same = xg_hb_compare(&w->b, "EQ", rx, ry);
    xg_inst *second = xg_hb_compare(&w->b, direction, ix, iy);
    second = xg_hb_2(&w->b, XG_AND, same, second);
    first = xg_hb_2(&w->b, XG_OR, first, second);
    return xg_hb_select(&w->b, first, x, y);
}
XG_FN xg_inst *xg_lower_extreme(xg_low *w, const xg_ir_op *op) {
    xg_inst *x = xg_low_array_0(w, op), *y = xg_low_array(w, op, 1);
    bool largest = xg_low_opcode(op) == XG_MAXIMUM;
    if (xg_type_class(x->shape->type) != XGT_C || x->shape != y->shape) return xg_lower_simple(w, op);
    return xg_low_complex_extreme(w, largest ? "GT" : "LT", x, y);
}

/* ---- how exact a function must be ---- */

XG_FN void xg_low_accuracy(xg_low *w, const xg_ir_op *op, xg_inst *i) {
    const xg_ir_attr *a = xg_ir_find(op, "result_accuracy"), *mode, *ulps;
    xg_buf b;
    double v[2];
    XG_TABLE const char *const names[] = {"atol", "rtol"};
    uint32_t k;
    if (!a || a->kind != XG_IR_DICT) return;
    mode = xg_ir_dict_get(a, "mode");
    if (!mode || xg_str_is(mode->text, "DEFAULT")) return;
    if (xg_str_is(mode->text, "HIGHEST")) {
        xg_low_set_text(w, i, XG_A_result_accuracy, XG_STR("{mode=highest}"));
        return;
    }
    xg_buf_init(&b, w->arena);
    for (k = 0; k < 2; k++) {
        const xg_ir_attr *x = xg_ir_dict_get(a, names[k]);
        v[k] = x && x->kind == XG_IR_FLOAT ? x->d : 0;
        xg_puts(&b, k ? ",rtol=" : "{tolerance={atol=");
        xg_float_print_g(&b, v[k], 17);
    }
    ulps = xg_ir_dict_get(a, "ulps");
    xg_printf(&b, ",ulps=%lld}}", (long long)(ulps && ulps->kind == XG_IR_INT ? ulps->i : 0));
    xg_low_set_text(w, i, XG_A_result_accuracy, xg_str_of(b.p, b.n));
}
XG_FN xg_inst *xg_lower_accurate(xg_low *w, const xg_ir_op *op) {
    xg_inst *i = xg_lower_simple(w, op);
    if (op->n_attrs) xg_low_accuracy(w, op, i);
    return i;
}

/* ---- elementwise ---- */

XG_FN xg_inst *xg_low_spread(xg_low *w, xg_inst *x, const xg_shape *like) { /* a scalar everywhere */
    if (x->shape->rank || !xg_shape_is_array(x->shape) || !like->rank) return x;
    return xg_hb_splat(&w->b, x, like->dims, like->rank);
}
XG_FN xg_inst *xg_lower_select(xg_low *w, const xg_ir_op *op) {
    const xg_shape *s = xg_low_shape(w, op, 0);
    xg_inst *in[3];
    uint32_t k;
    for (k = 0; k < 3; k++) in[k] = xg_low_in(w, op, k);
    in[0] = xg_low_spread(w, in[0], s);
    return xg_low_new(w, XG_SELECT, s, in, 3);
}
XG_FN xg_inst *xg_lower_clamp(xg_low *w, const xg_ir_op *op) {
    const xg_shape *s = xg_low_shape(w, op, 0);
    xg_inst *in[3];
    uint32_t k;
    for (k = 0; k < 3; k++) in[k] = xg_low_spread(w, xg_low_in(w, op, k), s);
    return xg_low_new(w, XG_CLAMP, s, in, 3);
}
XG_FN void xg_low_set_direction(xg_low *w, const xg_ir_op *op, xg_inst *i) {
    XG_TABLE const char all[][3] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
    xg_str d = xg_ir_word(op, "comparison_direction");
    size_t k = 0;
    while (k < XG_COUNT(all) && !xg_str_is(d, all[k])) k++;
    if (k == XG_COUNT(all))
        xg_ir_refuse(w->ir, op, XLAGPU_ERROR_INVALID, "EQ, NE, GE, GT, LE or LT", "'%.*s' is not a direction",
            (int)XG_MIN(d.n, 60u), d.p);
    xg_inst_set_text(i, XG_A_direction, all[k]);
    if (xg_str_is(xg_ir_word(op, "compare_type"), "TOTALORDER")) xg_inst_set_text(i, XG_A_type, "TOTALORDER");
}
XG_FN xg_inst *xg_lower_compare(xg_low *w, const xg_ir_op *op) {
    xg_inst *i = xg_lower_simple(w, op);
    xg_low_set_direction(w, op, i);
    return i;
}
XG_FN xg_inst *xg_lower_convert(xg_low *w, const xg_ir_op *op) {
    xg_inst *x = xg_low_array_0(w, op);
    const xg_shape *s = xg_low_shape(w, op, 0);
    return x->shape == s ? x : xg_low_new(w, XG_CONVERT, s, &x, 1);
}
XG_FN xg_inst *xg_lower_reduce_precision(xg_low *w, const xg_ir_op *op) {
    xg_inst *i = xg_lower_simple(w, op);
    xg_str f = xg_ir_word(op, "format"); /* e5m10 */
    int64_t v[2];
    uint32_t k, at = 0;
    v[0] = xg_ir_int(op, "exponent_bits", -1);
    v[1] = xg_ir_int(op, "mantissa_bits", -1);
    for (k = 0; k < 2 && at < f.n && f.p[at] == (k ? 'm' : 'e'); k++)
        for (v[k] = 0, at++; at < f.n && xg_is_digit(f.p[at]); at++) v[k] = XG_MIN(v[k] * 10 + (f.p[at] - '0'), 999);
    if (v[0] < 0 || v[1] < 0) xg_ir_refuse(w->ir, op, XLAGPU_ERROR_INVALID, "format = e5m10", "the format is missing");
    xg_low_set_int(i, XG_A_exponent_bits, v[0]);
    xg_low_set_int(i, XG_A_mantissa_bits, v[1]);
    return i;
}

/* ---- constants ---- */

XG_FN xg_inst *xg_low_constant_inst(xg_low *w, const xg_ir_attr *a, const xg_ir_type *t) {
    const xg_shape *s;
    xg_inst *x;
    if (!a || a->kind != XG_IR_DENSE || !t->shape)
        xg_ir_refuse(w->ir, w->op, XLAGPU_ERROR_UNSUPPORTED, NULL, "its value is not a dense<...> of numbers");
    s = a->type->shape;
    if (t->shape != s && !xg_shape_compatible(t->shape, s))
        xg_ir_invalid(w->ir, w->op, "its value has another type than its result");
    if (!a->splat && s->rank && s->elements == 1) {
        xg_literal *one = XG_NEW(w->m->arena, xg_literal);
        *one = *a->v.literal;
        one->shape = xg_shape_scalar(w->m, s->type);
        x = xg_hb_literal(&w->b, one);
    } else
        x = xg_hb_literal(&w->b, a->v.literal);
    if (!a->splat && x->shape->rank == s->rank) return x;
    return xg_hb_splat(&w->b, x, s->dims, s->rank);
}
XG_FN xg_inst *xg_lower_constant(xg_low *w, const xg_ir_op *op) {
    (void)xg_low_shape(w, op, 0);
    return xg_low_constant_inst(w, xg_ir_find(op, "value"), op->results[0].type);
}
XG_FN xg_inst *xg_lower_iota(xg_low *w, const xg_ir_op *op) {
    const xg_shape *s = xg_low_shape(w, op, 0);
    xg_inst *i = xg_low_new(w, XG_IOTA, s, NULL, 0);
    xg_low_set_int(i, XG_A_iota_dimension, xg_low_dim(w, op, "iota_dimension", s->rank));
    return i;
}

#endif /* XG_IMPORT_LOWER_ELEMENT_C */
