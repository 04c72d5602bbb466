/* import/stable_type.c -- types and constants of StableHLO as text. */
#ifndef XG_IMPORT_STABLE_TYPE_C
#define XG_IMPORT_STABLE_TYPE_C
#include "stable.h"
#include "ir.c"

enum {
    XG_STABLE_LISTED = 32 /* elements that a constant shows one by one; more stand as hexadecimal digits */
};
XG_FN void xg_stable_bounds(xg_stable *w, const xg_shape *s) {
    bool any = false;
    uint32_t k;
    for (k = 0; k < s->rank && s->dynamic; k++) any = any || s->dynamic[k] == XG_DIM_BOUNDED;
    if (!any) return;
    xg_puts(&w->b, ", #stablehlo.bounds<");
    for (k = 0; k < s->rank; k++) {
        if (k) xg_puts(&w->b, ", ");
        if (s->dynamic[k] == XG_DIM_BOUNDED)
            xg_put_i64(&w->b, s->dims[k]);
        else
            xg_putc(&w->b, '?');
    }
    xg_putc(&w->b, '>');
}
XG_FN void xg_stable_type(xg_stable *w, const xg_shape *s) {
    const char *element;
    uint32_t k;
    s = xg_shape_held(s);
    if (s->type == XLAGPU_TUPLE) {
        xg_puts(&w->b, "tuple<");
        for (k = 0; k < s->n_elems; k++) {
            if (k) xg_puts(&w->b, ", ");
            xg_stable_type(w, s->elems[k]);
        }
        xg_putc(&w->b, '>');
        return;
    }
    if (s->type == XLAGPU_TOKEN) {
        xg_puts(&w->b, "!stablehlo.token");
        return;
    }
    element = xg_ir_element_text(s->type);
    if (!element) xg_fail(w->ctx, XLAGPU_ERROR_UNSUPPORTED, "error: StableHLO has no type %s", xg_type_name(s->type));
    xg_puts(&w->b, "tensor<");
    for (k = 0; k < s->rank; k++) {
        if (s->dynamic && s->dynamic[k] != XG_DIM_STATIC)
            xg_putc(&w->b, '?');
        else
            xg_put_i64(&w->b, s->dims[k]);
        xg_putc(&w->b, 'x');
    }
    xg_puts(&w->b, element);
    xg_stable_bounds(w, s);
    xg_putc(&w->b, '>');
}
/* In quotes, as MLIR escapes: two hexadecimal digits. */
XG_FN void xg_stable_string(xg_buf *b, xg_str s) {
    uint32_t k;
    xg_putc(b, '"');
    for (k = 0; k < s.n; k++) {
        unsigned char c = (unsigned char)s.p[k];
        if (c < 32 || c > 126 || c == '"' || c == '\\') {
            xg_putc(b, '\\');
            xg_put_hex(b, c, 2);
        } else
            xg_putc(b, (char)c);
    }
    xg_putc(b, '"');
}

/* ---- constants ---- */

/* A float as MLIR reads it: with a point; its bits where it is no number. */
XG_FN void xg_stable_float(xg_stable *w, xlagpu_type type, const unsigned char *p) {
    uint64_t bits = 0;
    double v = xg_float_load(type, p);
    size_t n = (size_t)xg_type_bytes(type), from = w->b.n, k, e;
    memcpy(&bits, p, n); /* little-endian hosts */
    if (v - v != 0) {
        xg_puts(&w->b, "0x");
        xg_put_hex(&w->b, bits, (int)(2 * n));
        return;
    }
    xg_float_print(&w->b, type, bits);
    for (k = from; k < w->b.n && w->b.p[k] != '.' && w->b.p[k] != 'e'; k++) {}
    if (k < w->b.n && w->b.p[k] == '.') return;
    e = w->b.n - k;
    xg_puts(&w->b, ".0");
    memmove(w->b.p + k + 2, w->b.p + k, e);
    memcpy(w->b.p + k, ".0", 2);
}
XG_FN void xg_stable_number(xg_stable *w, xlagpu_type type, const unsigned char *p) {
    if (xg_type_class(type) & XGT_C) {
        xlagpu_type part = xg_type_real(type);
        xg_putc(&w->b, '(');
        xg_stable_float(w, part, p);
        xg_puts(&w->b, ", ");
        xg_stable_float(w, part, p + xg_type_bytes(part));
        xg_putc(&w->b, ')');
    } else if (xg_type_class(type) & XGT_F)
        xg_stable_float(w, type, p);
    else if (type == XLAGPU_PRED)
        xg_puts(&w->b, *p ? "true" : "false");
    else if (xg_type_signed(type))
        xg_put_i64(&w->b, xg_int_load(type, p));
    else
        xg_put_u64(&w->b, (uint64_t)xg_int_load(type, p));
}
/* From the element at p on, what dimension d and those behind it hold. */
XG_FN const unsigned char *xg_stable_nested(xg_stable *w, const xg_shape *s, uint32_t d, const unsigned char *p) {
    int64_t k;
    if (d == s->rank) {
        xg_stable_number(w, s->type, p);
        return p + xg_type_bytes(s->type);
    }
    xg_putc(&w->b, '[');
    for (k = 0; k < s->dims[d]; k++) {
        if (k) xg_puts(&w->b, ", ");
        p = xg_stable_nested(w, s, d + 1, p);
    }
    xg_putc(&w->b, ']');
    return p;
}
XG_FN void xg_stable_digits(xg_stable *w, const unsigned char *p, size_t n) {
    XG_TABLE const char digits[] = "0123456789ABCDEF";
    char pair[2];
    xg_puts(&w->b, "\"0x");
    for (; n; n--, p++) {
        pair[0] = digits[*p >> 4];
        pair[1] = digits[*p & 15];
        xg_put(&w->b, pair, 2);
    }
    xg_putc(&w->b, '"');
}
XG_FN bool xg_stable_is_splat(const xg_literal *l) {
    size_t bytes = (size_t)xg_type_bytes(l->shape->type);
    const char *p = (const char *)l->data;
    return l->shape->elements > 0 && memcmp(p, p + bytes, ((size_t)l->shape->elements - 1) * bytes) == 0;
}
XG_FN void xg_stable_literal(xg_stable *w, const xg_literal *l) {
    const xg_shape *s = l->shape;
    const unsigned char *data = (const unsigned char *)l->data;
    xg_puts(&w->b, "dense<");
    if (!s->elements) {
    } else if (xg_stable_is_splat(l))
        xg_stable_number(w, s->type, data);
    else if (s->elements <= XG_STABLE_LISTED || (xg_type_bits(s->type) < 8 && s->type != XLAGPU_PRED))
        xg_stable_nested(w, s, 0, data);
    else
        xg_stable_digits(w, data, (size_t)s->elements * (size_t)xg_type_bytes(s->type));
    xg_puts(&w->b, "> : ");
    xg_stable_type(w, s);
}

#endif /* XG_IMPORT_STABLE_TYPE_C */
