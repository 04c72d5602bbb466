/* import/lower_chlo.c -- CHLO's functions as formulas of HLO operations, and its operations that broadcast.
 *
 * A formula is text in the language of xg_formula_sum: statements `name = sum;`, the value last. x and y are the
 * operands; a number stands for itself in every element. The algorithms and coefficients are those of StableHLO's
 * ChloLegalizeToStablehlo.cpp and ChloDecompositionPatternsMath.td, so results are what XLA gives. Half precision is
 * computed in f32 and rounded, except where XLA does not. */
#ifndef XG_IMPORT_LOWER_CHLO_C
#define XG_IMPORT_LOWER_CHLO_C
#include "lower.h"
#include "ir.c"
#include "lower_element.c"
#include "formulas.h"

/* ---- the language ---- */

#define XG_FORMULA_HALF 512 /* C++20 mixes no two enumerations in a row of the table */
enum {
    XG_FORMULA_NAMES = 96,
    XG_FORMULA_ARGS = 32
};
typedef struct xg_formula {
    xg_low *w;
    const char *at;
    xg_inst *like; /* a number takes its shape and type */
    uint32_t n;
    xg_str names[XG_FORMULA_NAMES];
    xg_inst *values[XG_FORMULA_NAMES];
} xg_formula;

XG_FN xg_inst *xg_formula_sum(xg_formula *f);
XG_FN void xg_formula_check(const xg_formula *f, bool fine) {
    if (!fine) xg_ir_refuse(f->w->ir, f->w->op, XLAGPU_ERROR_INTERNAL, NULL, "its formula is broken");
}
XG_FN void xg_formula_skip(xg_formula *f) {
    while (*f->at == ' ' || *f->at == '\n') f->at++;
}
XG_FN bool xg_formula_take(xg_formula *f, char c) {
    xg_formula_skip(f);
    if (*f->at != c) return false;
    f->at++;
    return true;
}
XG_FN xg_str xg_formula_word(xg_formula *f) {
    const char *from;
    xg_formula_skip(f);
    from = f->at;
    while ((*f->at >= 'a' && *f->at <= 'z') || *f->at == '_' || xg_is_digit(*f->at)) f->at++;
    return xg_str_of(from, (size_t)(f->at - from));
}
XG_FN xg_inst *xg_formula_number(xg_formula *f) {
    double v = 0;
    bool overflow;
    size_t n = xg_float_parse(f->at, 64, &v, &overflow);
    xg_formula_check(f, n > 0);
    f->at += n;
    return xg_hb_float_like(&f->w->b, f->like, v);
}
/* X(name, value in the type of x) */
#define XG_FORMULA_CONSTANTS(X) \
    X("largest", xg_float_decode(t, xg_float_format_of(t)->max_bits)) \
    X("infinity", xg_f64_of_bits((uint64_t)0x7FF << 52)) \
    X("smallest", xg_float_decode(t, 1)) \
    X("nan", xg_f64_of_bits((uint64_t)0xFFF << 51))
XG_APART XG_FN xg_inst *xg_formula_named(xg_formula *f, xg_str name) {
    xlagpu_type t = f->like->shape->type;
    uint32_t k;
    for (k = f->n; k-- > 0;)
        if (xg_str_eq(f->names[k], name)) return f->values[k];
#define X(text, value) \
    if (xg_str_is(name, text)) return xg_hb_float_like(&f->w->b, f->like, value);
    XG_FORMULA_CONSTANTS(X)
#undef X
    xg_ir_refuse(f->w->ir, f->w->op, XLAGPU_ERROR_INTERNAL, NULL, "a formula names %.*s", (int)name.n, name.p);
}
XG_FN int xg_formula_opcode(xg_str name) {
    int k;
    for (k = 0; k < XG_OPCODE_COUNT; k++) {
        const char *p = xg_op_name((xg_opcode)k);
        uint32_t i = 0;
        while (i < name.n && p[i] && (p[i] == '-' ? '_' : p[i]) == name.p[i]) i++;
        if (i == name.n && !p[i]) return k;
    }
    return -1;
}
XG_FN xg_inst *xg_formula_2(xg_formula *f, xg_opcode opcode, xg_inst *x, xg_inst *y) {
    xg_inst *in[2];
    in[0] = x;
    in[1] = y;
    return xg_low_canonical(f->w, opcode, x->shape, in, 2);
}
/* horner(x, c0, c1, ...): (c0 * x + c1) * x + ... */
XG_FN xg_inst *xg_formula_horner(xg_formula *f, xg_inst *const *in, uint32_t n) {
    xg_inst *sum = in[1];
    uint32_t k;
    for (k = 2; k < n; k++) {
        sum = xg_formula_2(f, XG_MULTIPLY, sum, in[0]);
        sum = xg_formula_2(f, XG_ADD, sum, in[k]);
    }
    return sum;
}
/* choose(p, x, a0, a1, .., b0, b1, ..): the polynomial of a where p holds, else that of b */
XG_FN xg_inst *xg_formula_choose(xg_formula *f, xg_inst *const *in, uint32_t n) {
    uint32_t count = (n - 2) / 2, k;
    xg_inst *sum = xg_hb_select(&f->w->b, in[0], in[2], in[2 + count]), *c;
    for (k = 1; k < count; k++) {
        c = xg_hb_select(&f->w->b, in[0], in[2 + k], in[2 + count + k]);
        sum = xg_formula_2(f, XG_MULTIPLY, sum, in[1]);
        sum = xg_formula_2(f, XG_ADD, c, sum);
    }
    return sum;
}
/* chebyshev(x, c0, c1, ...): half of the difference of the last terms of b = x * b' - b'' + c */
XG_FN xg_inst *xg_formula_chebyshev(xg_formula *f, xg_inst *const *in, uint32_t n) {
    xg_inst *b0 = xg_hb_float_like(&f->w->b, in[0], 0), *b1 = b0, *b2 = b0;
    uint32_t k;
    for (k = 1; k < n; k++) {
        b2 = b1;
        b1 = b0;
        b0 = xg_formula_2(f, XG_MULTIPLY, in[0], b1);
        b0 = xg_formula_2(f, XG_SUBTRACT, b0, b2);
        b0 = xg_formula_2(f, XG_ADD, b0, in[k]);
    }
    b0 = xg_formula_2(f, XG_SUBTRACT, b0, b2);
    b1 = xg_hb_float_like(&f->w->b, in[0], 0.5);
    return xg_formula_2(f, XG_MULTIPLY, b0, b1);
}
XG_FN xg_inst *xg_formula_of(xg_formula *f, xg_str name, xg_inst *const *in, uint32_t n); /* NULL: there is none */
XG_FN xg_inst *xg_formula_call(xg_formula *f, xg_str name) {                              /* behind '(' */
    XG_TABLE const char directions[][2][3] = {
        {"eq", "EQ"}, {"ne", "NE"}, {"ge", "GE"}, {"gt", "GT"}, {"le", "LE"}, {"lt", "LT"}};
    xg_inst *in[XG_FORMULA_ARGS];
    uint32_t n = 0;
    size_t k;
    int opcode;
    do {
        xg_formula_check(f, n < XG_FORMULA_ARGS);
        in[n++] = xg_formula_sum(f);
    } while (xg_formula_take(f, ','));
    (void)xg_formula_take(f, ')');
    for (k = 0; k < XG_COUNT(directions); k++)
        if (xg_str_is(name, directions[k][0])) return xg_hb_compare(&f->w->b, directions[k][1], in[0], in[1]);
    if (xg_str_is(name, "horner")) return xg_formula_horner(f, in, n);
    if (xg_str_is(name, "choose")) return xg_formula_choose(f, in, n);
    if (xg_str_is(name, "chebyshev")) return xg_formula_chebyshev(f, in, n);
    opcode = xg_formula_opcode(name);
    if (opcode < 0) {
        xg_inst *value = xg_formula_of(f, name, in, n);
        if (value) return value;
    }
    if (opcode < 0)
        xg_ir_refuse(f->w->ir, f->w->op, XLAGPU_ERROR_INTERNAL, NULL, "a formula calls %.*s", (int)name.n, name.p);
    return xg_hb_done(xg_low_canonical(f->w, (xg_opcode)opcode, in[n - 1]->shape, in, n));
}
XG_FN xg_inst *xg_formula_factor(xg_formula *f) {
    xg_inst *x;
    xg_str name;
    if (xg_formula_take(f, '-')) {
        if (xg_is_digit(*f->at)) {
            f->at--;
            return xg_formula_number(f);
        }
        x = xg_formula_factor(f);
        return xg_hb_1(&f->w->b, XG_NEGATE, x);
    }
    if (xg_formula_take(f, '(')) {
        x = xg_formula_sum(f);
        (void)xg_formula_take(f, ')');
        return x;
    }
    if (xg_is_digit(*f->at)) return xg_formula_number(f);
    name = xg_formula_word(f);
    return xg_formula_take(f, '(') ? xg_formula_call(f, name) : xg_formula_named(f, name);
}
XG_FN xg_inst *xg_formula_product(xg_formula *f) {
    xg_inst *x = xg_formula_factor(f), *y;
    for (;;) {
        bool times = xg_formula_take(f, '*');
        if (!times && !xg_formula_take(f, '/')) return x;
        y = xg_formula_factor(f);
        x = xg_formula_2(f, times ? XG_MULTIPLY : XG_DIVIDE, x, y);
    }
}
XG_FN xg_inst *xg_formula_sum(xg_formula *f) {
    xg_inst *x = xg_formula_product(f), *y;
    for (;;) {
        bool plus = xg_formula_take(f, '+');
        if (!plus && !xg_formula_take(f, '-')) return x;
        y = xg_formula_product(f);
        x = xg_formula_2(f, plus ? XG_ADD : XG_SUBTRACT, x, y);
    }
}
XG_FN void xg_formula_let(xg_formula *f, xg_str name, xg_inst *value) {
    xg_formula_check(f, f->n < XG_FORMULA_NAMES);
    f->names[f->n] = name;
    f->values[f->n++] = value;
}
XG_FN xg_inst *xg_formula_run(xg_formula *f, const char *text) {
    f->at = text;
    for (;;) {
        const char *back;
        xg_str name;
        xg_inst *value;
        xg_formula_skip(f);
        back = f->at;
        name = xg_formula_word(f);
        if (!name.n || xg_is_digit(*back) || !xg_formula_take(f, '=')) {
            f->at = back;
            return xg_formula_sum(f);
        }
        value = xg_formula_sum(f);
        xg_formula_let(f, name, value);
        (void)xg_formula_take(f, ';');
    }
}

/* ---- functions ---- */

XG_FN bool xg_formula_is_half(xlagpu_type t) { return xg_type_class(t) == XGT_F && xg_type_bits(t) < 32; }
XG_FN const char *xg_formula_find(xg_str name, xlagpu_type t) { /* without "chlo." */
    XG_TABLE const char *const texts[] = {
#define X(name, types, text) text,
        XG_FORMULAS(X)
#undef X
    };
    /* XGT_F or XGT_C, or one type + 256; + XG_FORMULA_HALF: half precision by itself, too */
    XG_TABLE const uint16_t rows[] = {
#define X(name, types, text) types,
        XG_FORMULAS(X)
#undef X
    };
    const char *row =
#define X(name, types, text) name "\0"
        XG_FORMULAS(X);
#undef X
    size_t k;
    for (k = 0; k < XG_COUNT(rows); k++, row += strlen(row) + 1) {
        bool fits = rows[k] & 256 ? rows[k] == 256 + (int)t : (rows[k] & xg_type_class(t)) != 0;
        if (xg_formula_is_half(t) && !(rows[k] & XG_FORMULA_HALF)) continue;
        if (fits && xg_str_is(name, row)) return texts[k];
    }
    return NULL;
}
XG_FN xg_inst *xg_formula_of(xg_formula *f, xg_str name, xg_inst *const *in, uint32_t n) {
    const char *text = xg_formula_find(name, in[0]->shape->type);
    xg_formula inner;
    if (!text) return NULL;
    memset(&inner, 0, sizeof inner);
    inner.w = f->w;
    inner.like = in[0];
    xg_formula_let(&inner, XG_STR("x"), in[0]);
    if (n > 1) xg_formula_let(&inner, XG_STR("y"), in[1]);
    return xg_formula_run(&inner, text);
}
XG_FN xg_inst *xg_lower_formula(xg_low *w, const xg_ir_op *op) {
    xg_formula f;
    const xg_shape *s = xg_low_shape(w, op, 0);
    xlagpu_type t = xg_low_array_0(w, op)->shape->type;
    xg_str name = xg_str_of(op->name.p + 5, op->name.n - 5);
    const char *text = xg_formula_find(name, t);
    bool half = !text && xg_formula_is_half(t);
    xg_inst *x;
    uint32_t k;
    if (half) text = xg_formula_find(name, XLAGPU_F32);
    if (!text) /* HLO has complex functions of its own */
        return xg_type_class(t) == XGT_C && xg_low_opcode(op) >= XG_ACOS && xg_low_opcode(op) <= XG_COSH
                   ? xg_lower_simple(w, op)
                   : xg_lower_unread(w, op);
    memset(&f, 0, sizeof f);
    f.w = w;
    for (k = 0; k < op->n_operands && k < 2; k++) {
        x = xg_low_array(w, op, k);
        if (half) x = xg_hb_convert(&w->b, x, XLAGPU_F32);
        xg_formula_let(&f, k ? XG_STR("y") : XG_STR("x"), x);
    }
    f.like = f.values[0];
    if (xg_type_class(t) == XGT_C) f.like = xg_hb_1(&w->b, XG_REAL, f.like);
    x = xg_formula_run(&f, text);
    return half && x->shape->type == XLAGPU_F32 ? xg_hb_convert(&w->b, x, s->type) : x;
}

/* The number behind x in the direction of y: a step of one on the bits, which are in order on each side of zero. */
XG_FN xg_inst *xg_lower_next_after(xg_low *w, const xg_ir_op *op) {
    xg_inst *x = xg_low_array_0(w, op), *y = xg_low_array(w, op, 1), *nan, *xb, *yb, *xa, *ya, *xs, *ys, *zero, *p, *q,
            *r;
    int wide = xg_type_bits(x->shape->type);
    xlagpu_type t = wide == 64 ? XLAGPU_S64 : wide == 32 ? XLAGPU_S32 : wide == 16 ? XLAGPU_S16 : XLAGPU_INVALID;
    int64_t sign = (int64_t)((uint64_t)1 << (wide - 1));
    if (t == XLAGPU_INVALID || y->shape->type != x->shape->type || xg_type_class(x->shape->type) != XGT_F)
        xg_ir_refuse(w->ir, op, XLAGPU_ERROR_UNSUPPORTED, NULL, "its operands must be f16, bf16, f32 or f64");
    nan = xg_hb_float_like(&w->b, x, xg_f64_of_bits((uint64_t)0x7FF8 << 48));
    nan = xg_hb_bitcast_convert(&w->b, nan, t);
    xb = xg_hb_bitcast_convert(&w->b, x, t);
    yb = xg_hb_bitcast_convert(&w->b, y, t);
    zero = xg_hb_int_like(&w->b, xb, 0);
    p = xg_hb_int_like(&w->b, xb, ~sign);
    q = xg_hb_int_like(&w->b, xb, sign);
    xa = xg_hb_2(&w->b, XG_AND, xb, p);
    ya = xg_hb_2(&w->b, XG_AND, yb, p);
    xs = xg_hb_2(&w->b, XG_AND, xb, q);
    ys = xg_hb_2(&w->b, XG_AND, yb, q);
    /* towards zero: y is nearer, or on its other side */
    p = xg_hb_compare(&w->b, "GT", xa, ya);
    q = xg_hb_compare(&w->b, "NE", xs, ys);
    p = xg_hb_2(&w->b, XG_OR, p, q);
    q = xg_hb_int_like(&w->b, xb, -1);
    r = xg_hb_int_like(&w->b, xb, 1);
    q = xg_hb_select(&w->b, p, q, r);
    q = xg_hb_add(&w->b, xb, q);
    /* from zero: the least number with the sign of y */
    r = xg_hb_2(&w->b, XG_OR, ys, r);
    p = xg_hb_compare(&w->b, "EQ", ya, zero);
    r = xg_hb_select(&w->b, p, yb, r);
    p = xg_hb_compare(&w->b, "EQ", xa, zero);
    r = xg_hb_select(&w->b, p, r, q);
    p = xg_hb_compare(&w->b, "EQ", x, y);
    r = xg_hb_select(&w->b, p, yb, r);
    p = xg_hb_compare(&w->b, "NE", x, x);
    q = xg_hb_compare(&w->b, "NE", y, y);
    p = xg_hb_2(&w->b, XG_OR, p, q);
    r = xg_hb_select(&w->b, p, nan, r);
    return xg_hb_bitcast_convert(&w->b, r, x->shape->type);
}
XG_FN xg_inst *xg_lower_constant_like(xg_low *w, const xg_ir_op *op) {
    const xg_ir_attr *a = xg_ir_find(op, "value");
    xg_inst *x = xg_low_array_0(w, op);
    if (a && a->kind == XG_IR_FLOAT) return xg_hb_float_like(&w->b, x, a->d);
    if (a && a->kind == XG_IR_INT) return xg_hb_int_like(&w->b, x, a->i);
    xg_ir_refuse(w->ir, op, XLAGPU_ERROR_UNSUPPORTED, NULL, "its value is not a number");
}

/* ---- operands of different shapes ---- */

/* As NumPy does: dimensions are matched from the last on, or as broadcast_dimensions places the smaller operand. */
XG_FN xg_inst *xg_chlo_spread(xg_low *w, const xg_ir_op *op, xg_inst *x, const xg_shape *s) {
    xg_ints given = xg_low_dims(w, op, "broadcast_dimensions", s->rank);
    int64_t dims[XG_RANK_MAX], places[XG_RANK_MAX];
    uint32_t n = 0, k;
    if (x->shape->rank > s->rank) xg_ir_invalid(w->ir, op, "its result has fewer dimensions");
    for (k = 0; k < x->shape->rank; k++) {
        int64_t to = given.n == x->shape->rank && x->shape->rank < s->rank ? given.p[k] : s->rank - x->shape->rank + k;
        if (x->shape->dims[k] == 1 && s->dims[to] != 1) continue;
        dims[n] = x->shape->dims[k];
        places[n++] = to;
    }
    x = xg_hb_reshape(&w->b, x, dims, n);
    return xg_hb_broadcast(&w->b, x, s->dims, s->rank, places, n);
}
XG_FN xg_inst *xg_low_broadcast_op(xg_low *w, const xg_ir_op *op, xg_opcode opcode) {
    const xg_shape *s = xg_low_shape(w, op, 0);
    xg_inst **in = XG_NEW_N(w->arena, xg_inst *, op->n_operands + (size_t)1);
    uint32_t k;
    for (k = 0; k < op->n_operands; k++) in[k] = xg_chlo_spread(w, op, xg_low_array(w, op, k), s);
    return xg_low_new(w, opcode, s, in, op->n_operands);
}
XG_FN xg_inst *xg_lower_chlo_binary(xg_low *w, const xg_ir_op *op) {
    return xg_low_broadcast_op(w, op, xg_low_opcode(op));
}
XG_FN xg_inst *xg_lower_chlo_select(xg_low *w, const xg_ir_op *op) { return xg_low_broadcast_op(w, op, XG_SELECT); }
XG_FN xg_inst *xg_lower_chlo_compare(xg_low *w, const xg_ir_op *op) {
    xg_inst *i = xg_low_broadcast_op(w, op, XG_COMPARE);
    xg_low_set_direction(w, op, i);
    return i;
}

#endif /* XG_IMPORT_LOWER_CHLO_C */
