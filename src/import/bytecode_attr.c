/* import/bytecode_attr.c -- attributes, types and locations of bytecode, decoded when they are first asked for. */
#ifndef XG_IMPORT_BYTECODE_ATTR_C
#define XG_IMPORT_BYTECODE_ATTR_C
#include "bytecode.h"
#include "mlir_attr.c"

XG_NORETURN XG_FN void xg_bc_fail(const xg_bc *b, const unsigned char *at, const char *hint, const char *format, ...) {
    char text[XG_MESSAGE_MAX / 2];
    va_list args;
    va_start(args, format);
    xg_vformat(text, sizeof text, format, args);
    va_end(args);
    xg_fail_at(b->ctx, XLAGPU_ERROR_SYNTAX, b->source, (size_t)(at - b->base), hint, "MLIR bytecode: %s", text);
}
XG_FN void xg_bc_enter(xg_bc *b, const unsigned char *at) {
    if (++b->depth > XG_IMPORT_DEPTH_MAX) xg_bc_fail(b, at, NULL, "nested more than %d deep", (int)XG_IMPORT_DEPTH_MAX);
}

/* ---- numbers ---- */

XG_FN xg_bc_cur xg_bc_take(xg_bc *b, xg_bc_cur *c, uint64_t n) {
    xg_bc_cur taken;
    if (n > (uint64_t)(c->end - c->p))
        xg_bc_fail(b, c->p, "the file is damaged or cut off: write or copy it again",
            "%llu bytes are wanted, %llu left", (unsigned long long)n, (unsigned long long)(c->end - c->p));
    taken.p = c->p;
    taken.end = c->p += n;
    return taken;
}
/* The trailing zeros of the first byte say how many bytes follow it. */
XG_FN uint64_t xg_bc_int(xg_bc *b, xg_bc_cur *c) {
    unsigned first = *xg_bc_take(b, c, 1).p, n = 0;
    uint64_t v = 0;
    if (first & 1) return first >> 1;
    if (!first) {
        memcpy(&v, xg_bc_take(b, c, 8).p, 8); /* little-endian hosts */
        return v;
    }
    while (!(first >> n & 1)) n++;
    memcpy(&v, xg_bc_take(b, c, n).p, n);
    return (v << 8 | first) >> (n + 1);
}
XG_FN int64_t xg_bc_signed(xg_bc *b, xg_bc_cur *c) {
    uint64_t v = xg_bc_int(b, c);
    return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}
XG_FN uint32_t xg_bc_index(xg_bc *b, xg_bc_cur *c, uint32_t n, const char *what) {
    const unsigned char *at = c->p;
    uint64_t v = xg_bc_int(b, c);
    if (v >= n) xg_bc_fail(b, at, NULL, "%s %llu of %u", what, (unsigned long long)v, n);
    return (uint32_t)v;
}
XG_FN uint32_t xg_bc_count(xg_bc *b, xg_bc_cur *c) {
    const unsigned char *at = c->p;
    uint64_t v = xg_bc_int(b, c);
    if (v > (uint64_t)(c->end - c->p))
        xg_bc_fail(b, at, NULL, "%llu items in %llu bytes", (unsigned long long)v, (unsigned long long)(c->end - c->p));
    return (uint32_t)v;
}
XG_FN xg_str xg_bc_string(xg_bc *b, xg_bc_cur *c) { return b->strings[xg_bc_index(b, c, b->n_strings, "string")]; }
XG_FN xg_ints xg_bc_signeds(xg_bc *b, xg_bc_cur *c) {
    uint32_t n = xg_bc_count(b, c), k;
    int64_t *p = XG_NEW_N(b->arena, int64_t, n + (size_t)1);
    xg_ints v;
    for (k = 0; k < n; k++) p[k] = xg_bc_signed(b, c);
    v.p = p;
    v.n = n;
    return v;
}

/* ---- types ---- */

XG_FN const xg_ir_type *xg_bc_foreign(xg_bc *b, const char *what) {
    return xg_ir_type_kind_of(b->ir, XG_IR_FOREIGN, xg_str_z(what));
}
XG_ONE_COPY XG_FN const xg_ir_type *xg_bc_scalar(xg_bc *b, xlagpu_type t) {
    return t == XLAGPU_INVALID ? xg_bc_foreign(b, "a scalar") : xg_ir_type_scalar(b->ir, t, xg_str_z(xg_type_name(t)));
}
XG_FN const xg_ir_type *const *xg_bc_types(xg_bc *b, xg_bc_cur *c, uint32_t *n) {
    const xg_ir_type **v;
    uint32_t k;
    *n = xg_bc_count(b, c);
    v = XG_NEW_N(b->arena, const xg_ir_type *, *n + (size_t)1);
    for (k = 0; k < *n; k++) v[k] = xg_bc_type(b, c);
    return v;
}
XG_FN const xg_ir_type *xg_bc_function(xg_bc *b, xg_bc_cur *c) {
    uint32_t n_in, n_out;
    const xg_ir_type *const *in = xg_bc_types(b, c, &n_in), *const *out = xg_bc_types(b, c, &n_out);
    return xg_ir_type_function(b->ir, in, n_in, out, n_out);
}
/* Dimensions and the element; bounds of dynamic ones from the encoding. */
XG_FN const xg_ir_type *xg_bc_ranked(xg_bc *b, xg_bc_cur *c, const xg_ir_attr *encoding) {
    const unsigned char *at = c->p;
    xg_ints dims = xg_bc_signeds(b, c), bounds = {NULL, 0};
    const xg_ir_type *element = xg_bc_type(b, c);
    int64_t size[XG_RANK_MAX];
    uint8_t dynamic[XG_RANK_MAX];
    uint32_t k;
    bool open = false;
    if (encoding) bounds = xg_ir_ints(b->ir, encoding);
    if (dims.n > XG_RANK_MAX) xg_bc_fail(b, at, NULL, "more than %d dimensions", (int)XG_RANK_MAX);
    if (element->kind != XG_IR_SCALAR) return xg_bc_foreign(b, "a tensor of what HLO has no elements for");
    for (k = 0; k < dims.n; k++) {
        size[k] = dims.p[k];
        dynamic[k] = XG_DIM_STATIC;
        if (size[k] != INT64_MIN) {
            if (size[k] < 0) xg_bc_fail(b, at, NULL, "a dimension of %lld", (long long)size[k]);
            continue;
        }
        open = open || k >= bounds.n || bounds.p[k] < 0;
        size[k] = open ? -1 : bounds.p[k];
        dynamic[k] = open ? XG_DIM_UNBOUNDED : XG_DIM_BOUNDED;
    }
    if (open)
        return xg_ir_type_open(
            b->ir, element->element, size, dynamic, dims.n, XG_STR("a tensor with a dimension that has no bound"));
    b->ir->m->at = (uint32_t)(at - b->base) + 1;
    return xg_ir_type_array(b->ir, element->element, size, dims.n, dynamic);
}
XG_FN const xg_ir_type *xg_bc_complex(xg_bc *b, xg_bc_cur *c) {
    const xg_ir_type *part = xg_bc_type(b, c);
    xlagpu_type t = part->kind != XG_IR_SCALAR    ? XLAGPU_INVALID
                    : part->element == XLAGPU_F32 ? XLAGPU_C64
                    : part->element == XLAGPU_F64 ? XLAGPU_C128
                                                  : XLAGPU_INVALID;
    return xg_bc_scalar(b, t);
}
XG_FN const xg_ir_type *xg_bc_tuple(xg_bc *b, xg_bc_cur *c) {
    uint32_t n;
    const xg_ir_type *const *in = xg_bc_types(b, c, &n);
    return xg_ir_type_tuple(b->ir, in, n);
}
XG_FN const xg_ir_type *xg_bc_vhlo_type(xg_bc *b, xg_bc_cur *c) {
    const unsigned char *at = c->p;
    uint64_t code = xg_bc_int(b, c);
    const xg_ir_attr *encoding;
    switch (code) {
#define X(number, type) \
    case number: return xg_bc_scalar(b, XLAGPU_##type);
        XG_VHLO_TYPES(X)
#undef X
    case 1: return xg_bc_complex(b, c);
    case 8: return xg_bc_function(b, c);
    case 20: return xg_bc_ranked(b, c, NULL);
    case 21: encoding = xg_bc_attr(b, c); return xg_bc_ranked(b, c, encoding);
    case 22: return xg_ir_type_kind_of(b->ir, XG_IR_TOKEN, XG_STR("token"));
    case 23: return xg_bc_tuple(b, c);
    case 24:
    case 30: return xg_bc_foreign(b, "a quantised type");
    case 25: return xg_ir_type_kind_of(b->ir, XG_IR_OPEN, XG_STR("a tensor without rank"));
    case 33: return xg_ir_type_kind_of(b->ir, XG_IR_NONE, XG_STR("none"));
    default: break;
    }
    if (code > 42)
        xg_bc_fail(b, at, "it may be newer than this reader", "VHLO has no type with the number %llu",
            (unsigned long long)code);
    return xg_bc_foreign(b, "a type of VHLO");
}
XG_FN xlagpu_type xg_bc_integer(uint64_t code) { /* width << 2 | sign */
    XG_TABLE const xlagpu_type types[][2] = {{XLAGPU_S2, XLAGPU_U2}, {XLAGPU_S4, XLAGPU_U4}, {XLAGPU_S8, XLAGPU_U8},
        {XLAGPU_S16, XLAGPU_U16}, {XLAGPU_S32, XLAGPU_U32}, {XLAGPU_S64, XLAGPU_U64}};
    uint64_t width = code >> 2;
    uint32_t k;
    if (width == 1) return XLAGPU_PRED;
    for (k = 0; k < XG_COUNT(types); k++)
        if (width == (uint64_t)2 << k) return types[k][(code & 3) == 2];
    return XLAGPU_INVALID;
}
XG_FN const xg_ir_type *xg_bc_builtin_type(xg_bc *b, xg_bc_cur *c) {
    XG_TABLE const xlagpu_type floats[] = {XLAGPU_BF16, XLAGPU_F16, XLAGPU_F32, XLAGPU_F64};
    uint64_t code = xg_bc_int(b, c);
    const xg_ir_attr *encoding;
    if (code >= 3 && code <= 6) return xg_bc_scalar(b, floats[code - 3]);
    switch (code) {
    case 0: return xg_bc_scalar(b, xg_bc_integer(xg_bc_int(b, c)));
    case 1: return xg_bc_scalar(b, XLAGPU_S64);
    case 2: return xg_bc_function(b, c);
    case 9: return xg_bc_complex(b, c);
    case 12: return xg_ir_type_kind_of(b->ir, XG_IR_NONE, XG_STR("none"));
    case 13: return xg_bc_ranked(b, c, NULL);
    case 14: encoding = xg_bc_attr(b, c); return xg_bc_ranked(b, c, encoding);
    case 15: return xg_bc_tuple(b, c);
    default: return xg_bc_foreign(b, "a builtin type");
    }
}
XG_FN const xg_ir_type *xg_bc_type_text(xg_bc *b, const xg_bc_entry *e) { /* f8E4M3FN, which has no encoding */
    xg_str text = xg_str_of((const char *)e->bytes.p, (size_t)(e->bytes.end - e->bytes.p));
    xlagpu_type t;
    if (text.n && !text.p[text.n - 1]) text.n--;
    t = xg_ir_element(text);
    if (t != XLAGPU_INVALID) return xg_bc_scalar(b, t);
    if (xg_str_is(text, "!stablehlo.token")) return xg_ir_type_kind_of(b->ir, XG_IR_TOKEN, text);
    return xg_ir_type_kind_of(b->ir, XG_IR_FOREIGN, text);
}
XG_FN const xg_ir_type *xg_bc_type_at(xg_bc *b, const unsigned char *at, uint32_t k) {
    xg_bc_entry *e = &b->types[k];
    xg_bc_cur c = e->bytes;
    if (e->value) return (const xg_ir_type *)e->value;
    if (e->open) xg_bc_fail(b, at, NULL, "type %u contains itself", k);
    e->open = true;
    xg_bc_enter(b, at);
    e->value = !e->custom                         ? xg_bc_type_text(b, e)
               : xg_str_is(e->dialect, "vhlo")    ? xg_bc_vhlo_type(b, &c)
               : xg_str_is(e->dialect, "builtin") ? xg_bc_builtin_type(b, &c)
                                                  : xg_bc_foreign(b, "a type of another dialect");
    b->depth--;
    e->open = false;
    return (const xg_ir_type *)e->value;
}
XG_FN const xg_ir_type *xg_bc_type(xg_bc *b, xg_bc_cur *c) {
    const unsigned char *at = c->p;
    return xg_bc_type_at(b, at, xg_bc_index(b, c, b->n_types, "type"));
}

/* ---- attributes ---- */

XG_FN const xg_ir_attr *xg_bc_text(xg_bc *b, xg_ir_attr_kind kind, xg_str text) {
    return xg_ir_attr_new(b->ir, kind, text);
}
XG_FN const xg_ir_attr *xg_bc_list(xg_bc *b, xg_bc_cur *c) {
    uint32_t n = xg_bc_count(b, c), k;
    xg_mlir_attrs v = {NULL, 0, 0};
    xg_mlir x;
    for (k = 0; k < n; k++) {
        const xg_ir_attr *item = xg_bc_attr(b, c);
        xg_push(b->arena, const xg_ir_attr *, &v, item);
    }
    for (k = 0; k < n && v.p[k]->kind == XG_IR_INT && (!v.p[k]->type || v.p[k]->type->element == XLAGPU_S64); k++) {}
    if (n && k < n) { /* numbers of another type keep it: a call may ask */
        xg_ir_attr *list = xg_ir_attr_new(b->ir, XG_IR_LIST, XG_STR(""));
        list->n = n;
        list->v.items = v.p;
        return list;
    }
    memset(&x, 0, sizeof x);
    x.ir = b->ir;
    return xg_mlir_list_of(&x, &v);
}
XG_FN const xg_ir_attr *xg_bc_dict(xg_bc *b, xg_bc_cur *c) {
    uint32_t n = xg_bc_count(b, c), k;
    xg_ir_named *v = XG_NEW_N(b->arena, xg_ir_named, n + (size_t)1);
    xg_ir_attr *a = xg_ir_attr_new(b->ir, XG_IR_DICT, XG_STR(""));
    for (k = 0; k < n; k++) {
        v[k].name = xg_bc_attr(b, c)->text;
        v[k].value = xg_bc_attr(b, c);
    }
    a->n = n;
    a->v.named = v;
    return a;
}
/* An integer of a type's width: a byte, or a signed number. */
XG_FN int64_t xg_bc_apint(xg_bc *b, xg_bc_cur *c, uint32_t bits) {
    if (bits <= 8) return (int64_t)(signed char)*xg_bc_take(b, c, 1).p;
    return xg_bc_signed(b, c);
}
/* The low bits of a number, which are written without a sign or with that of their byte. */
XG_FN int64_t xg_bc_of_width(int64_t v, uint32_t bits, bool is_signed) {
    uint64_t low = (uint64_t)v & ((UINT64_C(1) << bits) - 1), sign = UINT64_C(1) << (bits - 1);
    return (int64_t)(is_signed ? (low ^ sign) - sign : low);
}
XG_FN const xg_ir_attr *xg_bc_number(xg_bc *b, xg_bc_cur *c) {
    const unsigned char *at = c->p;
    const xg_ir_type *t = xg_bc_type(b, c);
    xg_ir_attr *a;
    uint32_t bits;
    if (t->kind != XG_IR_SCALAR) xg_bc_fail(b, at, NULL, "a number of a type that is not read");
    bits = (uint32_t)xg_type_bits(t->element);
    a = xg_ir_attr_new(b->ir, xg_type_class(t->element) == XGT_F ? XG_IR_FLOAT : XG_IR_INT, XG_STR(""));
    a->type = t;
    a->i = xg_bc_apint(b, c, bits);
    if (t->element == XLAGPU_PRED) a->i &= 1;
    if (a->kind == XG_IR_INT && bits < 64) a->i = xg_bc_of_width(a->i, bits, xg_type_signed(t->element));
    if (a->kind == XG_IR_FLOAT)
        a->d = xg_float_decode(t->element, bits < 64 ? (uint64_t)a->i & ((UINT64_C(1) << bits) - 1) : (uint64_t)a->i);
    return a;
}
XG_FN const xg_ir_attr *xg_bc_dense(xg_bc *b, xg_bc_cur *c) {
    const unsigned char *at = c->p;
    const xg_ir_type *t = xg_bc_type(b, c);
    uint64_t n = xg_bc_int(b, c);
    xg_bc_cur bytes = xg_bc_take(b, c, n);
    const xg_ir_attr *a = t->kind == XG_IR_ARRAY ? xg_ir_attr_dense(b->ir, t, bytes.p, (size_t)n, true) : NULL;
    if (!a) xg_bc_fail(b, at, NULL, "a constant whose %llu bytes do not fit its type", (unsigned long long)n);
    return a;
}
/* array<i64: 1, 2>: type, count, bytes */
XG_FN const xg_ir_attr *xg_bc_dense_array(xg_bc *b, xg_bc_cur *c) {
    const unsigned char *at = c->p;
    const xg_ir_type *t = xg_bc_type(b, c);
    uint64_t n = xg_bc_int(b, c), size = xg_bc_int(b, c), k;
    xg_bc_cur bytes = xg_bc_take(b, c, size);
    uint32_t width = t->kind == XG_IR_SCALAR ? (uint32_t)xg_type_bytes(t->element) : 0;
    int64_t *v;
    if (!width || xg_type_class(t->element) == XGT_F || n > size || n * width != size)
        xg_bc_fail(
            b, at, NULL, "an array of %llu elements in %llu bytes", (unsigned long long)n, (unsigned long long)size);
    v = XG_NEW_N(b->arena, int64_t, n + 1);
    for (k = 0; k < n; k++) v[k] = xg_int_load(t->element, bytes.p + k * width);
    return xg_ir_attr_ints(b->ir, v, (uint32_t)n);
}
XG_FN const xg_ir_attr *xg_bc_builtin_attr(xg_bc *b, xg_bc_cur *c) {
    const unsigned char *at = c->p;
    uint64_t code = xg_bc_int(b, c);
    xg_ir_attr *a;
    switch (code) {
    case 0: return xg_bc_list(b, c);
    case 1: return xg_bc_dict(b, c);
    case 2:
    case 3: return xg_bc_text(b, XG_IR_STRING, xg_bc_string(b, c));
    case 4:
    case 5: return xg_bc_text(b, XG_IR_SYMBOL, xg_bc_attr(b, c)->text);
    case 6:
        a = xg_ir_attr_new(b->ir, XG_IR_TYPE, XG_STR(""));
        a->type = xg_bc_type(b, c);
        return a;
    case 7: return xg_bc_text(b, XG_IR_UNIT, XG_STR(""));
    case 8:
    case 9: return xg_bc_number(b, c);
    case 17: return xg_bc_dense_array(b, c);
    case 18: return xg_bc_dense(b, c);
    case 16: xg_bc_fail(b, at, "JAX writes constants in place", "constants as resources are not read from bytecode");
    default: return xg_bc_text(b, XG_IR_RAW, XG_STR("")); /* locations and what only compilers use */
    }
}
XG_FN const xg_ir_attr *xg_bc_word(xg_bc *b, const unsigned char *at, const char *words, uint64_t number) {
    size_t n = strcspn(words, " ");
    uint64_t k;
    for (k = 0; k < number && words[n]; k++) {
        words += n + 1;
        n = strcspn(words, " ");
    }
    if (k != number)
        xg_bc_fail(
            b, at, "it may be newer than this reader", "an enumerator has the number %llu", (unsigned long long)number);
    return xg_bc_text(b, XG_IR_WORD, xg_str_of(words, n));
}
XG_FN const xg_ir_attr *xg_bc_named(xg_bc *b, const char *names, const xg_ir_attr *const *values, uint32_t n) {
    xg_ir_attr *a = xg_ir_attr_new(b->ir, XG_IR_DICT, XG_STR(""));
    xg_ir_named *v = XG_NEW_N(b->arena, xg_ir_named, n);
    uint32_t k;
    for (k = 0; k < n; k++) {
        v[k].name = xg_str_z(xg_text_nth(names, k));
        v[k].value = values[k];
    }
    a->n = n;
    a->v.named = v;
    return a;
}
XG_FN const xg_ir_attr *xg_bc_ints_attr(xg_bc *b, xg_ints v) { return xg_ir_attr_ints(b->ir, v.p, v.n); }
XG_FN const xg_ir_attr *xg_bc_int_attr(xg_bc *b, xg_ir_attr_kind kind, int64_t v) {
    xg_ir_attr *a = xg_ir_attr_new(b->ir, kind, XG_STR(""));
    a->i = v;
    return a;
}
XG_FN const xg_ir_attr *xg_bc_alias(xg_bc *b, xg_bc_cur *c) {
    const xg_ir_attr *v[3];
    v[0] = xg_bc_ints_attr(b, xg_bc_signeds(b, c));
    v[1] = xg_bc_int_attr(b, XG_IR_INT, xg_bc_signed(b, c));
    v[2] = xg_bc_ints_attr(b, xg_bc_signeds(b, c));
    return xg_bc_named(b, "output_tuple_indices\0operand_index\0operand_tuple_indices\0", v, 3);
}
XG_FN const xg_ir_attr *xg_bc_accuracy(xg_bc *b, xg_bc_cur *c) {
    const xg_ir_attr *v[4];
    uint32_t k;
    for (k = 0; k < 2; k++) {
        xg_ir_attr *a = xg_ir_attr_new(b->ir, XG_IR_FLOAT, XG_STR(""));
        a->d = xg_f64_of_bits((uint64_t)xg_bc_signed(b, c));
        v[k] = a;
    }
    v[2] = xg_bc_int_attr(b, XG_IR_INT, xg_bc_signed(b, c));
    v[3] = xg_bc_attr(b, c);
    return xg_bc_named(b, "atol\0rtol\0ulps\0mode\0", v, 4);
}
/* ---- meshes and their axes ---- */

XG_FN const xg_ir_attr *xg_bc_sub_axis(xg_bc *b, xg_bc_cur *c) {
    const xg_ir_attr *v[2];
    v[0] = xg_bc_int_attr(b, XG_IR_INT, xg_bc_signed(b, c));
    v[1] = xg_bc_int_attr(b, XG_IR_INT, xg_bc_signed(b, c));
    return xg_bc_named(b, "pre_size\0size\0", v, 2);
}
XG_FN const xg_ir_attr *xg_bc_axis_ref(xg_bc *b, xg_bc_cur *c) {
    const xg_ir_attr *v[2];
    bool part;
    v[0] = xg_bc_attr(b, c);
    part = xg_bc_int(b, c) != 0;
    if (part) v[1] = xg_bc_attr(b, c);
    return xg_bc_named(b, "name\0sub_axis_info\0", v, part ? 2 : 1);
}
XG_FN const xg_ir_attr *xg_bc_pair(xg_bc *b, xg_bc_cur *c, const char *names) {
    const xg_ir_attr *v[2];
    v[0] = xg_bc_attr(b, c);
    v[1] = xg_bc_attr(b, c);
    return xg_bc_named(b, names, v, 2);
}
XG_FN const xg_ir_attr *xg_bc_mesh_axis(xg_bc *b, xg_bc_cur *c) {
    const xg_ir_attr *v[2];
    v[0] = xg_bc_attr(b, c);
    v[1] = xg_bc_int_attr(b, XG_IR_INT, xg_bc_signed(b, c));
    return xg_bc_named(b, "name\0size\0", v, 2);
}
XG_FN const xg_ir_attr *xg_bc_mesh(xg_bc *b, xg_bc_cur *c) {
    const xg_ir_attr *v[2];
    v[0] = xg_bc_attr(b, c);
    v[1] = xg_bc_optional(b, c);
    return xg_bc_named(b, "axes\0device_ids\0", v, v[1] ? 2 : 1);
}
XG_FN const xg_ir_attr *xg_bc_vhlo_attr(xg_bc *b, xg_bc_cur *c) {
    const unsigned char *at = c->p;
    uint64_t code = xg_bc_int(b, c);
    xg_ir_attr *a;
    switch (code) {
#define X(number, words) \
    case number: return xg_bc_word(b, at, words, xg_bc_int(b, c));
        XG_VHLO_WORDS(X)
#undef X
    case 1: return xg_bc_list(b, c);
    case 2: return xg_bc_int_attr(b, XG_IR_BOOL, xg_bc_int(b, c) != 0);
    case 5: return xg_bc_int_attr(b, XG_IR_INT, (int64_t)xg_bc_int(b, c));
    case 6: return xg_bc_dict(b, c);
    case 8:
    case 9: return xg_bc_number(b, c);
    case 10: return xg_bc_alias(b, c);
    case 14: return xg_bc_text(b, XG_IR_STRING, xg_bc_string(b, c));
    case 15: return xg_bc_dense(b, c);
    case 17:
        a = xg_ir_attr_new(b->ir, XG_IR_TYPE, XG_STR(""));
        a->type = xg_bc_type(b, c);
        return a;
    case 18: return xg_bc_ints_attr(b, xg_bc_signeds(b, c));
    case 20: return xg_bc_accuracy(b, c);
    case 21: return xg_bc_sub_axis(b, c);
    case 22: return xg_bc_axis_ref(b, c);
    case 23: return xg_bc_pair(b, c, "mesh\0axes\0");
    case 24: return xg_bc_mesh_axis(b, c);
    case 25: return xg_bc_mesh(b, c);
    default: break;
    }
    xg_bc_fail(b, at, "it may be newer than this reader", "VHLO's attribute with the number %llu is not read",
        (unsigned long long)code);
}

/* ---- sdy: as its text ---- */

XG_FN void xg_bc_put_texts(xg_bc *b, xg_bc_cur *c, xg_buf *out, bool quoted) { /* a, b, c */
    uint32_t n = xg_bc_count(b, c), k;
    for (k = 0; k < n; k++) {
        xg_str text = xg_bc_attr(b, c)->text;
        if (k) xg_puts(out, ", ");
        if (quoted) xg_putc(out, '"');
        xg_put_str(out, text);
        if (quoted) xg_putc(out, '"');
        if (out->n > XG_BC_TEXT_BYTES_MAX)
            xg_bc_fail(b, c->p, NULL, "an attribute whose text is longer than %d bytes", (int)XG_BC_TEXT_BYTES_MAX);
    }
}
XG_FN void xg_bc_sdy_sharding(xg_bc *b, xg_bc_cur *c, xg_buf *out) {
    const xg_ir_attr *mesh = xg_bc_attr(b, c);
    xg_bc_cur back;
    xg_printf(out, "%s%.*s, [", mesh->kind == XG_IR_SYMBOL ? "#sdy.sharding<@" : "#sdy.sharding<mesh",
        (int)mesh->text.n, mesh->text.p);
    xg_bc_put_texts(b, c, out, false);
    xg_puts(out, "]");
    back = *c;
    if (xg_bc_count(b, &back)) {
        xg_puts(out, ", replicated={");
        xg_bc_put_texts(b, c, out, false);
        xg_puts(out, "}");
    }
    xg_puts(out, ">");
}
XG_FN void xg_bc_sdy_axis(xg_bc *b, xg_bc_cur *c, xg_buf *out) {
    const xg_ir_attr *part;
    xg_putc(out, '"');
    xg_put_str(out, xg_bc_string(b, c));
    xg_putc(out, '"');
    part = xg_bc_optional(b, c);
    if (part) xg_put_str(out, part->text);
}
XG_FN void xg_bc_sdy_dims(xg_bc *b, xg_bc_cur *c, xg_buf *out) {
    xg_bc_cur back = *c;
    bool any = xg_bc_count(b, &back) != 0;
    uint64_t priority;
    xg_putc(out, '{');
    xg_bc_put_texts(b, c, out, false);
    if (!*xg_bc_take(b, c, 1).p) xg_puts(out, any ? ", ?" : "?");
    xg_putc(out, '}');
    priority = xg_bc_int(b, c);
    if (priority & 1) xg_printf(out, "p%llu", (unsigned long long)(priority >> 1));
}
XG_FN void xg_bc_sdy_mesh(xg_bc *b, xg_bc_cur *c, xg_buf *out) {
    xg_ints ids;
    uint32_t k;
    xg_puts(out, "<[");
    xg_bc_put_texts(b, c, out, false);
    xg_putc(out, ']');
    ids = xg_bc_signeds(b, c);
    if (ids.n) xg_puts(out, ", device_ids=[");
    for (k = 0; k < ids.n; k++) xg_printf(out, k ? ", %lld" : "%lld", (long long)ids.p[k]);
    xg_puts(out, ids.n ? "]>" : ">");
}
XG_FN const xg_ir_attr *xg_bc_sdy_attr(xg_bc *b, xg_bc_cur *c) {
    uint64_t code = xg_bc_int(b, c);
    int64_t pre;
    xg_buf out;
    xg_buf_init(&out, b->arena);
    switch (code) {
    case 0:
        xg_puts(&out, "#sdy<manual_axes{");
        xg_bc_put_texts(b, c, &out, true);
        xg_puts(&out, "}>");
        break;
    case 1:
        xg_putc(&out, '"');
        xg_put_str(&out, xg_bc_string(b, c));
        xg_printf(&out, "\"=%lld", (long long)xg_bc_signed(b, c));
        break;
    case 2: xg_bc_sdy_mesh(b, c, &out); break;
    case 3:
        pre = xg_bc_signed(b, c);
        xg_printf(&out, ":(%lld)%lld", (long long)pre, (long long)xg_bc_signed(b, c));
        break;
    case 4: xg_bc_sdy_axis(b, c, &out); break;
    case 5: xg_bc_sdy_dims(b, c, &out); break;
    case 6: xg_bc_sdy_sharding(b, c, &out); break;
    case 7:
        xg_puts(&out, "#sdy.sharding_per_value<[");
        xg_bc_put_texts(b, c, &out, false);
        xg_puts(&out, "]>");
        break;
    default: break; /* rules of propagation */
    }
    return xg_bc_text(b, XG_IR_RAW, out.n ? xg_str_of(out.p, out.n) : XG_STR(""));
}
XG_FN const xg_ir_attr *xg_bc_attr_at(xg_bc *b, const unsigned char *at, uint32_t k) {
    xg_bc_entry *e = &b->attrs[k];
    xg_bc_cur c = e->bytes;
    if (e->value) return (const xg_ir_attr *)e->value;
    if (e->open) xg_bc_fail(b, at, NULL, "attribute %u contains itself", k);
    e->open = true;
    xg_bc_enter(b, at);
    if (!e->custom)
        e->value = xg_bc_text(b, XG_IR_RAW, xg_str_of((const char *)c.p, (size_t)(c.end - c.p)));
    else if (xg_str_is(e->dialect, "vhlo"))
        e->value = xg_bc_vhlo_attr(b, &c);
    else if (xg_str_is(e->dialect, "builtin"))
        e->value = xg_bc_builtin_attr(b, &c);
    else if (xg_str_is(e->dialect, "sdy"))
        e->value = xg_bc_sdy_attr(b, &c);
    else
        xg_bc_fail(b, at, "write a portable artifact: stablehlo.serialize_portable_artifact, or jax.export",
            "an attribute of the dialect %.*s, whose bytes have no fixed form", (int)XG_MIN(e->dialect.n, 60u),
            e->dialect.p);
    b->depth--;
    e->open = false;
    return (const xg_ir_attr *)e->value;
}
XG_FN const xg_ir_attr *xg_bc_attr(xg_bc *b, xg_bc_cur *c) {
    const unsigned char *at = c->p;
    return xg_bc_attr_at(b, at, xg_bc_index(b, c, b->n_attrs, "attribute"));
}
XG_FN const xg_ir_attr *xg_bc_optional(xg_bc *b, xg_bc_cur *c) {
    const unsigned char *at = c->p;
    uint64_t v = xg_bc_int(b, c);
    if (!(v & 1)) return NULL;
    if (v >> 1 >= b->n_attrs) xg_bc_fail(b, at, NULL, "attribute %llu of %u", (unsigned long long)(v >> 1), b->n_attrs);
    return xg_bc_attr_at(b, at, (uint32_t)(v >> 1));
}

/* ---- locations ---- */

XG_FN void xg_bc_loc_into(xg_bc *b, const unsigned char *at, uint32_t k, xg_ir_loc *loc) {
    xg_bc_cur c = b->attrs[k].bytes;
    uint64_t code;
    uint32_t n, j;
    if (!b->attrs[k].custom || !xg_str_is(b->attrs[k].dialect, "builtin")) return;
    if ((loc->name.n && loc->file.n) || ++b->loc_parts > XG_BC_LOC_PARTS_MAX) return;
    xg_bc_enter(b, at);
    code = xg_bc_int(b, &c);
    if (code == 10) /* callee, caller */
        xg_bc_loc_into(b, at, xg_bc_index(b, &c, b->n_attrs, "attribute"), loc);
    else if (code == 12 || code == 13)
        for (j = 0, n = xg_bc_count(b, &c); j < n; j++)
            xg_bc_loc_into(b, at, xg_bc_index(b, &c, b->n_attrs, "attribute"), loc);
    else if (code == 14) {
        xg_str name = xg_bc_attr(b, &c)->text;
        if (!loc->name.n) loc->name = name;
        xg_bc_loc_into(b, at, xg_bc_index(b, &c, b->n_attrs, "attribute"), loc);
    } else if ((code == 11 || code == 22) && !loc->file.n) {
        loc->file = xg_bc_attr(b, &c)->text;
        n = code == 22 ? xg_bc_count(b, &c) : 1;
        loc->line = n ? (int64_t)(xg_bc_int(b, &c) & UINT32_MAX) : 0; /* MLIR's lines have 32 bits */
    }
    b->depth--;
}
XG_FN const xg_ir_loc *xg_bc_loc(xg_bc *b, xg_bc_cur *c) {
    const unsigned char *at = c->p;
    uint32_t k = xg_bc_index(b, c, b->n_attrs, "attribute");
    xg_ir_loc *loc;
    if (b->attrs[k].loc) return b->attrs[k].loc;
    b->attrs[k].loc = loc = XG_NEW(b->arena, xg_ir_loc);
    b->loc_parts = 0;
    xg_bc_loc_into(b, at, k, loc);
    return loc;
}

#endif /* XG_IMPORT_BYTECODE_ATTR_C */
