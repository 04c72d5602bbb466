/* import/ir.c -- the core of generic operations: types, attributes, how an attribute is found.
 *
 * An attribute has one value whichever way it was written: `dims = [1]`, `dimensions = dense<1> : tensor<1xi64>`,
 * `array<i64: 1>` and VHLO's tensor all answer xg_ir_ints with {1}. */
#ifndef XG_IMPORT_IR_C
#define XG_IMPORT_IR_C
#include "import.h"
#include "ir.h"
#include "ops.h"

/* Names of the operations, in the order of the rows: for xg_text_nth. */
XG_TABLE const char xg_ir_names[] =
#define X(name, form, lower, opcode) name "\0"
    XG_IR_OPS(X)
#undef X
    ;

XG_FN xg_ir *xg_ir_new(xg_ctx *c, xg_arena *a, const xg_source *src, const char *name) {
    xg_ir *ir = XG_NEW(a, xg_ir);
    const char *row;
    size_t k = 0;
    ir->ctx = c;
    ir->arena = a;
    ir->src = src;
    ir->m = xg_module_new(c, a, xg_str_z(name));
    ir->m->source = src;
    ir->m->stack.text = XG_STR("");
    xg_dict_init(&ir->rows, a);
    for (row = xg_ir_names; *row; row += strlen(row) + 1)
        xg_dict_put_lasting(&ir->rows, xg_str_z(row), (void *)(uintptr_t)++k);
    return ir;
}
/* Rows are named as StableHLO names operations, those of other dialects with the dialect in front, and so are those
 * that mhlo has and StableHLO has not. */
XG_FN xg_str xg_ir_bare(xg_str name) {
    uint32_t n = name.n > 10 && memcmp(name.p, "stablehlo.", 10) == 0 ? 10
                 : name.n > 5 && memcmp(name.p, "mhlo.", 5) == 0      ? 5
                                                                      : 0;
    return xg_str_of(name.p + n, name.n - n);
}
XG_FN int xg_ir_row(const xg_ir *ir, xg_str name) {
    int row = (int)(uintptr_t)xg_dict_get(&ir->rows, xg_ir_bare(name)) - 1;
    return row >= 0 ? row : (int)(uintptr_t)xg_dict_get(&ir->rows, name) - 1;
}
XG_FN bool xg_ir_is(const xg_ir_op *op, const char *name) {
    return xg_str_is(xg_ir_bare(op->name), name) || xg_str_is(op->name, name);
}

XG_COLD XG_FN const char *xg_ir_foreign(xg_str op, const char **hint) {
    const char *whose, *row =
#define X(dialect, whose, hint) dialect "\0" whose "\0" hint "\0"
                           XG_DIALECTS(X);
#undef X
    uint32_t n = 0;
    while (n < op.n && op.p[n] != '.') n++;
    for (; *row; row = *hint + strlen(*hint) + 1) {
        whose = row + strlen(row) + 1;
        *hint = whose + strlen(whose) + 1;
        if (xg_str_is(xg_str_of(op.p, n), row)) return whose;
    }
    return NULL;
}
XG_NORETURN XG_FN void xg_ir_raise(
    const xg_ir *ir, const xg_ir_op *op, xlagpu_status s, const char *hint, const char *format, va_list args) {
    char text[XG_MESSAGE_MAX / 2];
    int shown = (int)XG_MIN(op->name.n, (uint32_t)XG_IR_NAME_SHOWN);
    xg_vformat(text, sizeof text, format, args);
    if (ir->src && op->at) xg_fail_at(ir->ctx, s, ir->src, op->at - 1, hint, "%.*s: %s", shown, op->name.p, text);
    xg_fail(ir->ctx, s, "%.*s: %s%s%s", shown, op->name.p, text, hint ? "; " : "", hint ? hint : "");
}
XG_NORETURN XG_FN void xg_ir_refuse(
    const xg_ir *ir, const xg_ir_op *op, xlagpu_status s, const char *hint, const char *format, ...) {
    va_list args;
    va_start(args, format);
    xg_ir_raise(ir, op, s, hint, format, args);
}
XG_NORETURN XG_FN void xg_ir_invalid(const xg_ir *ir, const xg_ir_op *op, const char *format, ...) {
    va_list args;
    va_start(args, format);
    xg_ir_raise(ir, op, XLAGPU_ERROR_INVALID, NULL, format, args);
}

/* ---- types ---- */

/* clang-format off */
/* X(MLIR's name, ours) */
#define XG_IR_ELEMENTS(X) \
    X("i1", PRED) X("i2", S2) X("i4", S4) X("i8", S8) X("i16", S16) X("i32", S32) X("i64", S64) X("index", S64) \
    X("si2", S2) X("si4", S4) X("si8", S8) X("si16", S16) X("si32", S32) X("si64", S64) \
    X("ui2", U2) X("ui4", U4) X("ui8", U8) X("ui16", U16) X("ui32", U32) X("ui64", U64) \
    X("f16", F16) X("bf16", BF16) X("f32", F32) X("f64", F64) \
    X("f8E4M3FN", F8E4M3FN) X("f8E5M2", F8E5M2) X("f8E4M3", F8E4M3) X("f8E3M4", F8E3M4) X("f8E4M3FNUZ", F8E4M3FNUZ) \
    X("f8E5M2FNUZ", F8E5M2FNUZ) X("f8E4M3B11FNUZ", F8E4M3B11FNUZ) X("f8E8M0FNU", F8E8M0FNU) \
    X("f4E2M1FN", F4E2M1FN) X("f6E2M3FN", F6E2M3FN) X("f6E3M2FN", F6E3M2FN)
/* clang-format on */
#define X(text, type) text "\0"
XG_TABLE const char xg_ir_element_names[] = XG_IR_ELEMENTS(X);
#undef X
#define X(text, type) XLAGPU_##type,
XG_TABLE const uint8_t xg_ir_element_types[] = {XG_IR_ELEMENTS(X)};
#undef X
XG_FN xlagpu_type xg_ir_element(xg_str name) {
    const char *text = xg_ir_element_names;
    uint32_t k;
    for (k = 0; *text && !xg_str_is(name, text); k++) text += strlen(text) + 1;
    return *text ? (xlagpu_type)xg_ir_element_types[k] : XLAGPU_INVALID;
}
XG_FN const char *xg_ir_element_text(xlagpu_type t) { /* the first name; NULL: it has none */
    const uint8_t *at = (const uint8_t *)memchr(xg_ir_element_types, (int)t, sizeof xg_ir_element_types);
    if (at) return xg_text_nth(xg_ir_element_names, (size_t)(at - xg_ir_element_types));
    return t == XLAGPU_C64 ? "complex<f32>" : t == XLAGPU_C128 ? "complex<f64>" : NULL;
}
XG_FN const xg_ir_type *xg_ir_type_kind_of(xg_ir *ir, xg_ir_type_kind kind, xg_str text) {
    xg_ir_type *t = XG_NEW(ir->arena, xg_ir_type);
    t->kind = kind;
    t->text = text;
    if (kind == XG_IR_TOKEN) t->shape = xg_shape_other(ir->m, XLAGPU_TOKEN, NULL);
    return t;
}
XG_FN const xg_ir_type *xg_ir_type_array(
    xg_ir *ir, xlagpu_type element, const int64_t *dims, uint32_t rank, const uint8_t *dynamic) {
    xg_ir_type *t = XG_NEW(ir->arena, xg_ir_type);
    t->kind = XG_IR_ARRAY;
    t->element = element;
    t->text = XG_STR("");
    t->shape = xg_shape_default_layout(ir->m, xg_shape_array(ir->m, element, dims, rank, dynamic, NULL));
    return t;
}
XG_FN const xg_ir_type *xg_ir_type_scalar(xg_ir *ir, xlagpu_type element, xg_str text) {
    xg_ir_type *t = XG_NEW(ir->arena, xg_ir_type);
    t->kind = XG_IR_SCALAR;
    t->element = element;
    t->text = text;
    return t;
}
/* With dimensions that have neither size nor bound. */
XG_FN const xg_ir_type *xg_ir_type_open(
    xg_ir *ir, xlagpu_type element, const int64_t *dims, const uint8_t *dynamic, uint32_t rank, xg_str text) {
    xg_ir_type *t = XG_NEW(ir->arena, xg_ir_type);
    int64_t *copy = XG_NEW_N(ir->arena, int64_t, rank + (size_t)1);
    uint32_t k;
    for (k = 0; k < rank; k++) copy[k] = dynamic[k] == XG_DIM_STATIC ? dims[k] : -1;
    t->kind = XG_IR_OPEN;
    t->element = element;
    t->text = text;
    t->n_dims = rank;
    t->dims = copy;
    ir->open = true;
    return t;
}
XG_FN const xg_ir_type *xg_ir_type_tuple(xg_ir *ir, const xg_ir_type *const *in, uint32_t n) {
    xg_ir_type *t = XG_NEW(ir->arena, xg_ir_type);
    const xg_shape **shapes = XG_NEW_N(ir->arena, const xg_shape *, n + (size_t)1);
    uint32_t k;
    t->kind = XG_IR_TUPLE;
    t->text = XG_STR("");
    t->n_in = n;
    t->in = in;
    for (k = 0; k < n; k++) {
        shapes[k] = in[k]->shape;
        if (!shapes[k]) t->kind = XG_IR_OPEN;
    }
    if (t->kind == XG_IR_TUPLE) t->shape = xg_shape_tuple(ir->m, shapes, n);
    return t;
}
XG_FN const xg_ir_type *xg_ir_type_function(
    xg_ir *ir, const xg_ir_type *const *in, uint32_t n_in, const xg_ir_type *const *out, uint32_t n_out) {
    xg_ir_type *t = XG_NEW(ir->arena, xg_ir_type);
    t->kind = XG_IR_FUNCTION;
    t->text = XG_STR("");
    t->n_in = n_in;
    t->in = in;
    t->n_out = n_out;
    t->out = out;
    return t;
}

/* ---- attributes ---- */

XG_FN xg_ir_attr *xg_ir_attr_new(xg_ir *ir, xg_ir_attr_kind kind, xg_str text) {
    xg_ir_attr *a = XG_NEW(ir->arena, xg_ir_attr);
    a->kind = kind;
    a->text = text;
    return a;
}
XG_FN const xg_ir_attr *xg_ir_attr_ints(xg_ir *ir, const int64_t *p, uint32_t n) {
    xg_ir_attr *a = xg_ir_attr_new(ir, XG_IR_INTS, XG_STR(""));
    int64_t *copy = XG_NEW_N(ir->arena, int64_t, n + (size_t)1);
    if (n) memcpy(copy, p, n * sizeof *p);
    a->n = n;
    a->v.ints = copy;
    return a;
}
/* Bytes of one element in MLIR's raw form: sub-byte types take a byte each. */
XG_FN void xg_ir_dense_element(xlagpu_type t, unsigned char *to, const unsigned char *from, size_t bytes) {
    if (t == XLAGPU_PRED)
        *to = *from != 0;
    else if (xg_type_bits(t) < 8 && xg_type_class(t) == XGT_I)
        xg_int_store(t, to, (int64_t)(signed char)*from);
    else
        memcpy(to, from, bytes);
}
/* Raw little-endian elements, row-major; one element is a splat. packed: i1 may be eight to a byte. NULL: the size does
 * not fit. */
XG_FN const xg_ir_attr *xg_ir_attr_dense(xg_ir *ir, const xg_ir_type *type, const void *bytes, size_t n, bool packed) {
    xg_ir_attr *a = xg_ir_attr_new(ir, XG_IR_DENSE, XG_STR(""));
    size_t size = (size_t)xg_type_bytes(type->element), count = (size_t)type->shape->elements, k;
    const unsigned char *from = (const unsigned char *)bytes;
    bool bits = packed && type->element == XLAGPU_PRED && n != count && n == (count + 7) / 8;
    xg_literal *l;
    a->type = type;
    a->splat = n == size && count > 1;
    if (packed && type->element == XLAGPU_PRED && n == 1 && count > 8) bits = false;
    if (!a->splat && !bits && (n % size || n / size != count)) return NULL;
    l = xg_literal_new(ir->arena, a->splat ? xg_shape_scalar(ir->m, type->element) : type->shape);
    a->v.literal = l;
    if (a->splat) count = 1;
    if (a->splat && packed && type->element == XLAGPU_PRED)
        *(unsigned char *)l->data = from[0] & 1;
    else if (bits)
        for (k = 0; k < count; k++) ((unsigned char *)l->data)[k] = from[k / 8] >> (k % 8) & 1;
    else if (type->element == XLAGPU_PRED || xg_type_bits(type->element) < 8)
        for (k = 0; k < count; k++) xg_ir_dense_element(type->element, (unsigned char *)l->data + k, from + k, 1);
    else if (n)
        memcpy(l->data, from, n);
    return a;
}

/* X(name, another name that pretty forms give it) */
/* clang-format off */
#define XG_IR_ATTR_NAMES(X) \
    X(broadcast_dimensions, dims) X(permutation, dims) X(dimensions, dims) X(dimensions, dimension) \
    X(dimension, dim) X(iota_dimension, dim) X(slice_sizes, sizes) X(broadcast_sizes, sizes) \
    X(edge_padding_low, low) X(edge_padding_high, high) X(interior_padding, interior) \
    X(fft_type, type) X(fft_length, length) X(rng_algorithm, algorithm) X(rng_distribution, distribution) \
    X(precision_config, precision) X(call_target_name, callee) X(decomposition, callee) \
    X(lhs_batching_dimensions, lhs_batching_dims) X(rhs_batching_dimensions, rhs_batching_dims) \
    X(lhs_contracting_dimensions, lhs_contracting_dims) X(rhs_contracting_dimensions, rhs_contracting_dims) \
    X(window_strides, stride) X(padding, pad) X(lhs_dilation, lhs_dilate) X(rhs_dilation, rhs_dilate) \
    X(window_reversal, reverse) X(channel_id, handle) X(dimension_numbers, dim_numbers)
/* Attributes whose fields are found as if they were the operation's own. */
#define XG_IR_ATTR_GROUPS(X) \
    X(dimension_numbers) X(dot_dimension_numbers) X(scatter_dimension_numbers) X(window) X(channel_handle) \
    X(algorithm) X(ragged_dot_dimension_numbers) X(mhlo_attributes)
/* clang-format on */

XG_FN const xg_ir_attr *xg_ir_own(const xg_ir_op *op, const char *name) {
    size_t n = strlen(name);
    uint32_t k;
    for (k = 0; k < op->n_attrs; k++)
        if (op->attrs[k].name.n == n && memcmp(op->attrs[k].name.p, name, n) == 0) return op->attrs[k].value;
    return NULL;
}
XG_FN const xg_ir_attr *xg_ir_dict_get(const xg_ir_attr *dict, const char *name) {
    uint32_t k;
    if (!dict || dict->kind != XG_IR_DICT) return NULL;
    for (k = 0; k < dict->n; k++)
        if (xg_str_is(dict->v.named[k].name, name)) return dict->v.named[k].value;
    return NULL;
}
XG_FN const xg_ir_attr *xg_ir_in_groups(const xg_ir_op *op, const char *name) {
    const xg_ir_attr *a;
    uint32_t k = 0;
    while (k < op->n_attrs && op->attrs[k].value->kind != XG_IR_DICT) k++;
    if (k == op->n_attrs) return NULL; /* most operations have none */
#define X(group) \
    a = xg_ir_dict_get(xg_ir_own(op, #group), name); \
    if (a) return a;
    XG_IR_ATTR_GROUPS(X)
#undef X
    return NULL;
}
XG_APART XG_FN const xg_ir_attr *xg_ir_own_or_in_group(const xg_ir_op *op, const char *name) {
    const xg_ir_attr *a = xg_ir_own(op, name);
    return a ? a : xg_ir_in_groups(op, name);
}
XG_FN const xg_ir_attr *xg_ir_find(const xg_ir_op *op, const char *name) {
    XG_TABLE const char *const names[][2] = {
#define X(full, pretty) {#full, #pretty},
        XG_IR_ATTR_NAMES(X)
#undef X
    };
    const xg_ir_attr *a = op->n_attrs ? xg_ir_own_or_in_group(op, name) : NULL;
    size_t k;
    for (k = 0; op->n_attrs && !a && k < XG_COUNT(names); k++)
        if (*name == *names[k][0] && strcmp(name, names[k][0]) == 0) a = xg_ir_own_or_in_group(op, names[k][1]);
    return a && a->kind == XG_IR_TYPE && a->type->kind == XG_IR_NONE ? NULL : a;
}

XG_FN bool xg_ir_to_int(const xg_ir_attr *a, int64_t *out) {
    if (!a) return false;
    if (a->kind == XG_IR_UNIT) {
        *out = 1;
        return true;
    }
    if (a->kind == XG_IR_INT || a->kind == XG_IR_BOOL) {
        *out = a->i;
        return true;
    }
    if (a->kind == XG_IR_INTS && a->n == 1) {
        *out = a->v.ints[0];
        return true;
    }
    return a->kind == XG_IR_DENSE && xg_literal_get_int(a->v.literal, 0, out);
}
XG_FN int64_t xg_ir_int(const xg_ir_op *op, const char *name, int64_t otherwise) {
    int64_t v;
    return xg_ir_to_int(xg_ir_find(op, name), &v) ? v : otherwise;
}
XG_FN xg_str xg_ir_word(const xg_ir_op *op, const char *name) {
    const xg_ir_attr *a = xg_ir_find(op, name);
    if (!a || (a->kind != XG_IR_STRING && a->kind != XG_IR_SYMBOL && a->kind != XG_IR_WORD && a->kind != XG_IR_RAW))
        return XG_STR("");
    return a->text;
}

typedef XG_VEC(int64_t) xg_ir_int_vec;
typedef struct xg_ir_flat {
    xg_ir *ir;
    xg_ir_int_vec out;
    uint32_t depth, steps; /* aliases can nest and repeat what is short as text */
} xg_ir_flat;
XG_FN void xg_ir_flat_add(xg_ir_flat *f, int64_t v) {
    if (f->out.n < XG_IR_INTS_MAX) xg_push(f->ir->arena, int64_t, &f->out, v);
}
XG_FN void xg_ir_flatten(xg_ir_flat *f, const xg_ir_attr *a) {
    uint32_t k;
    int64_t v = 0, e;
    if (f->depth > XG_IMPORT_DEPTH_MAX || f->steps++ > XG_IR_INTS_MAX) return;
    f->depth++;
    if (a->kind == XG_IR_INTS)
        for (k = 0; k < a->n; k++) xg_ir_flat_add(f, a->v.ints[k]);
    else if (a->kind == XG_IR_LIST)
        for (k = 0; k < a->n; k++) xg_ir_flatten(f, a->v.items[k]);
    else if (a->kind == XG_IR_DENSE)
        for (e = 0; e < a->type->shape->elements && e < XG_IR_INTS_MAX; e++) {
            (void)xg_literal_get_int(a->v.literal, a->splat ? 0 : e, &v);
            xg_ir_flat_add(f, v);
        }
    else if (xg_ir_to_int(a, &v))
        xg_ir_flat_add(f, v);
    f->depth--;
}
XG_FN xg_ints xg_ir_ints(xg_ir *ir, const xg_ir_attr *a) {
    xg_ir_flat f;
    xg_ints r;
    memset(&f, 0, sizeof f);
    f.ir = ir;
    if (a) xg_ir_flatten(&f, a);
    r.p = f.out.p;
    r.n = f.out.n;
    return r;
}

XG_FN xg_ir_op *xg_ir_op_of_row(xg_ir *ir, int row, xg_str name, uint32_t at) {
    xg_ir_op *op = XG_NEW(ir->arena, xg_ir_op);
    op->name = name;
    op->row = row;
    op->at = at;
    return op;
}
XG_FN xg_ir_op *xg_ir_op_new(xg_ir *ir, xg_str name, uint32_t at) {
    return xg_ir_op_of_row(ir, xg_ir_row(ir, name), name, at);
}
XG_FN void xg_ir_append(xg_ir_region *r, xg_ir_op *op) {
    if (r->last)
        r->last->next = op;
    else
        r->first = op;
    r->last = op;
}
XG_FN void xg_ir_value_init(xg_ir *ir, xg_ir_value *v, const xg_ir_type *type, const xg_ir_op *op) {
    v->type = type;
    v->op = op;
    v->serial = ir->serial++;
}
XG_FN void xg_ir_results(xg_ir *ir, xg_ir_op *op, const xg_ir_type *const *types, uint32_t n) {
    uint32_t k;
    op->n_results = n;
    op->results = n ? XG_NEW_N(ir->arena, xg_ir_value, n) : NULL;
    for (k = 0; k < n; k++) xg_ir_value_init(ir, &op->results[k], types[k], op);
}

#endif /* XG_IMPORT_IR_C */
