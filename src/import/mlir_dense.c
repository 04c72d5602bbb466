/* import/mlir_dense.c -- dense<...> and dense_resource<...> in MLIR text: constants.
 *
 * The type stands behind the value, so the reader first looks for the value's end. Megabytes of hexadecimal digits go
 * straight into the literal. */
#ifndef XG_IMPORT_MLIR_DENSE_C
#define XG_IMPORT_MLIR_DENSE_C
#include "mlir.h"
#include "mlir_type.c"

typedef struct xg_mlir_elements {
    xg_mlir *x;
    const xg_ir_type *type;
    xg_literal *l;
    int64_t n; /* elements read */
    bool is_complex;
} xg_mlir_elements;

/* ---- hexadecimal: "0x0000803F..." ---- */

XG_TABLE const signed char xg_hex_values[256] = {
#define XG_HEX_NONE -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1
    XG_HEX_NONE, XG_HEX_NONE, XG_HEX_NONE, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, -1, -1, -1, -1, -1, -1, -1, 10, 11, 12, 13, 14,
    15, -1, -1, -1, -1, -1, -1, -1, -1, -1, XG_HEX_NONE, -1, 10, 11, 12, 13, 14, 15, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    XG_HEX_NONE, XG_HEX_NONE, XG_HEX_NONE, XG_HEX_NONE, XG_HEX_NONE, XG_HEX_NONE, XG_HEX_NONE, XG_HEX_NONE, XG_HEX_NONE
#undef XG_HEX_NONE
};
/* The bytes that the digits say; fails at the first that is none. */
XG_FN unsigned char *xg_mlir_unhex(const xg_mlir *x, const char *p, size_t digits) {
    unsigned char *out = (unsigned char *)xg_alloc_raw(x->ir->arena, digits / 2 + 1);
    size_t k;
    int bad = 0;
    if (digits % 2) xg_mlir_fail(x, p, NULL, "an odd number of hexadecimal digits");
    for (k = 0; k < digits / 2; k++) {
        int high = xg_hex_values[(unsigned char)p[2 * k]], low = xg_hex_values[(unsigned char)p[2 * k + 1]];
        bad |= high | low;
        out[k] = (unsigned char)((unsigned)high * 16u + (unsigned)low);
    }
    if (bad >= 0) return out;
    for (k = 0; k < digits && xg_hex_values[(unsigned char)p[k]] >= 0; k++) {}
    xg_mlir_fail(x, p + k, NULL, "expected a hexadecimal digit, found '%c'", p[k]);
}
XG_FN const xg_ir_attr *xg_mlir_dense_raw(
    xg_mlir *x, const char *at, const xg_ir_type *t, const unsigned char *bytes, size_t n) {
    size_t count = (size_t)t->shape->elements;
    /* a bit an element: MLIR before 2025, as TensorFlow has it */
    bool packed = t->element == XLAGPU_PRED && count > 8 && n == (count + 7) / 8;
    const xg_ir_attr *a = xg_ir_attr_dense(x->ir, t, bytes, n, packed);
    if (!a)
        xg_mlir_fail(x, at, NULL, "%llu bytes of data for %lld elements of %s", (unsigned long long)n,
            (long long)t->shape->elements, xg_type_name(t->element));
    return a;
}

/* ---- lists of numbers ---- */

/* The bits of a float that is written as 0x...; NaN and infinity always are. */
XG_FN bool xg_mlir_float_bits(xg_mlir *x, xlagpu_type t, void *to) {
    int64_t bits;
    if (*x->at != '0' || x->at[1] != 'x') return false;
    (void)xg_mlir_int(x, &bits);
    if (xg_type_bits(t) < 64 && (uint64_t)bits >> xg_type_bits(t))
        xg_mlir_expected(x, "no more bits than the type has");
    memcpy(to, &bits, (size_t)xg_type_bytes(t));
    return true;
}
XG_FN void xg_mlir_float_element(xg_mlir *x, xlagpu_type t, void *to) {
    double v = 0;
    float narrow = 0;
    bool overflow = false;
    size_t room, n;
    xg_mlir_skip(x);
    if (xg_mlir_float_bits(x, t, to)) return;
    room = XG_MIN((size_t)(x->end - x->at), (size_t)1024);
    n = t == XLAGPU_F32 ? xg_float_parse32(x->at, room, &narrow, &overflow)
                        : xg_float_parse(x->at, room, &v, &overflow);
    if (!n || xg_mlir_is_letter(*x->at)) xg_mlir_expected(x, "a number");
    x->at += n;
    if (t == XLAGPU_F32)
        memcpy(to, &narrow, sizeof narrow);
    else
        xg_float_store(t, to, v);
}
XG_FN void xg_mlir_element(xg_mlir_elements *e) {
    xg_mlir *x = e->x;
    xlagpu_type t = e->type->element;
    char *to = (char *)e->l->data + (size_t)e->n * (size_t)xg_type_bytes(t);
    int64_t v;
    e->n++;
    if (e->is_complex) {
        xlagpu_type part = xg_type_real(t);
        bool both = xg_mlir_take(x, "(");
        xg_mlir_float_element(x, part, to);
        if (!both) return;
        xg_mlir_want(x, ",", NULL);
        xg_mlir_float_element(x, part, to + xg_type_bytes(part));
        xg_mlir_want(x, ")", NULL);
    } else if (xg_type_class(t) == XGT_F)
        xg_mlir_float_element(x, t, to);
    else if (xg_mlir_take_word(x, "true"))
        xg_int_store(t, to, 1);
    else if (xg_mlir_take_word(x, "false"))
        xg_int_store(t, to, 0);
    else if (xg_mlir_int(x, &v))
        xg_int_store(t, to, v);
    else
        xg_mlir_expected(x, "an integer");
}
/* [[1, 2], [3, 4]]: lists as long as the dimensions, the elements of the innermost one behind each other. */
XG_FN void xg_mlir_elements_of(xg_mlir_elements *e, uint32_t dim) {
    const xg_shape *s = e->type->shape;
    xg_mlir *x = e->x;
    int64_t k;
    if (dim == s->rank) {
        xg_mlir_element(e);
        return;
    }
    xg_mlir_want(x, "[", "and the elements");
    for (k = 0; k < s->dims[dim]; k++) {
        if (k) xg_mlir_want(x, ",", "and the next element");
        xg_mlir_elements_of(e, dim + 1);
    }
    xg_mlir_want(x, "]", "behind as many elements as the type has");
}

/* ---- the whole ---- */

/* Behind the value that begins at x->at: a string, or anything without '>' in it. */
XG_FN const char *xg_mlir_dense_end(xg_mlir *x) {
    const char *p = x->at, *end;
    if (*p == '"' || memchr(p, '"', (size_t)(x->end - p)) == NULL) p = *p == '"' ? xg_mlir_string_end(x) + 1 : p;
    end = (const char *)memchr(p, '>', (size_t)(x->end - p));
    if (!end) xg_mlir_fail(x, x->at, NULL, "a dense<...> that is never closed");
    return end;
}
XG_FN const xg_ir_type *xg_mlir_dense_type(xg_mlir *x) {
    const xg_ir_type *t;
    const char *at;
    xg_mlir_want(x, ":", "and the type of the constant");
    xg_mlir_skip(x);
    at = x->at;
    t = xg_mlir_type(x);
    if (t->kind == XG_IR_FOREIGN) return t;
    if (t->kind != XG_IR_ARRAY || t->shape->dynamic)
        xg_mlir_fail(x, at, NULL, "a constant needs a tensor type with known dimensions");
    return t;
}
/* The memory that a list of elements needs is bounded by its text; a splat is one element. */
XG_FN void xg_mlir_dense_room(const xg_mlir *x, const char *at, const char *end, const xg_ir_type *t) {
    if (t->shape->elements > (int64_t)(end - at))
        xg_mlir_fail(x, at, NULL, "expected %lld elements, and there are fewer", (long long)t->shape->elements);
}
XG_FN const xg_ir_attr *xg_mlir_dense_value(xg_mlir *x, const char *at, const char *end, const xg_ir_type *t) {
    xg_ir_attr *a;
    xg_mlir_elements e;
    x->at = at;
    if (*at == '"') {
        bool hex = end - at > 4 && at[1] == '0' && at[2] == 'x';
        const char *quote = xg_mlir_string_end(x);
        size_t digits = (size_t)(quote - at - 3);
        if (!hex) return xg_ir_attr_new(x->ir, XG_IR_RAW, xg_str_of(at, (size_t)(end - at)));
        return xg_mlir_dense_raw(x, at, t, xg_mlir_unhex(x, at + 3, digits), digits / 2);
    }
    a = xg_ir_attr_new(x->ir, XG_IR_DENSE, XG_STR(""));
    a->type = t;
    a->splat = *at != '[' && t->shape->elements > 1;
    memset(&e, 0, sizeof e);
    e.x = x;
    e.type = t;
    e.is_complex = xg_type_class(t->element) == XGT_C;
    if (*at == '[' || *at == '>') xg_mlir_dense_room(x, at, end, t);
    e.l = xg_literal_new(x->ir->arena, a->splat ? xg_shape_scalar(x->ir->m, t->element) : t->shape);
    a->v.literal = e.l;
    if (*at == '>') {
        if (t->shape->elements) xg_mlir_fail(x, at, NULL, "dense<> is for a tensor without elements");
        return a;
    }
    if (*at != '[' && !t->shape->elements) { /* a splat of nothing */
        x->at = end;
        return a;
    }
    if (a->splat || t->shape->rank == 0 || *at != '[')
        xg_mlir_element(&e);
    else
        xg_mlir_elements_of(&e, 0);
    xg_mlir_skip(x);
    if (x->at != end) xg_mlir_expected(x, "'>' behind the constant");
    return a;
}
XG_FN const xg_ir_attr *xg_mlir_dense(xg_mlir *x) {
    const char *at, *end, *behind;
    const xg_ir_type *t;
    const xg_ir_attr *a;
    xg_mlir_want(x, "<", "and the constant");
    xg_mlir_skip(x);
    at = x->at;
    end = xg_mlir_dense_end(x);
    x->at = end + 1;
    t = xg_mlir_dense_type(x);
    behind = x->at;
    if (t->kind == XG_IR_FOREIGN) return xg_ir_attr_new(x->ir, XG_IR_RAW, xg_str_of(at, (size_t)(end - at)));
    a = xg_mlir_dense_value(x, at, end, t);
    x->at = behind;
    return a;
}
/* dense_resource<name> : type. The file's last part has name: "0x" and four bytes of alignment and the data. */
XG_FN const xg_ir_attr *xg_mlir_resource(xg_mlir *x) {
    const char *at, *value, *quote, *back;
    xg_str name;
    const xg_ir_type *t;
    unsigned char *bytes;
    size_t digits;
    xg_mlir_want(x, "<", "and the name of the data");
    at = x->at;
    name = *x->at == '"' ? xg_mlir_string(x) : xg_mlir_word(x, "the name of the data");
    xg_mlir_want(x, ">", NULL);
    t = xg_mlir_dense_type(x);
    value = (const char *)xg_dict_get(&x->resources, name);
    if (!value || t->kind != XG_IR_ARRAY)
        xg_mlir_fail(x, at, "resources stand at the end: {-# dialect_resources: { builtin: { name: \"0x...\" } } #-}",
            "there is no data '%.*s' among the file's resources", (int)XG_MIN(name.n, 60u), name.p);
    back = x->at;
    x->at = value;
    quote = xg_mlir_string_end(x);
    x->at = back;
    digits = (size_t)(quote - value - 1);
    if (digits < 10 || value[1] != '0' || value[2] != 'x')
        xg_mlir_fail(x, value, NULL, "expected \"0x\", 8 digits of alignment and the data");
    bytes = xg_mlir_unhex(x, value + 3, digits - 2);
    return xg_mlir_dense_raw(x, value, t, bytes + 4, (digits - 2) / 2 - 4);
}

#endif /* XG_IMPORT_MLIR_DENSE_C */
