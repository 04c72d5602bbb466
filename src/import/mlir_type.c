/* import/mlir_type.c -- types in MLIR text. A type is read once: its text is looked up before it is parsed. */
#ifndef XG_IMPORT_MLIR_TYPE_C
#define XG_IMPORT_MLIR_TYPE_C
#include "mlir.h"
#include "ir.c"
#include "mlir_text.c"

/* ---- quantised types: uniform<i8<-127:127>:f32:1, {2.0:15, 0.5}> ---- */

XG_FN double xg_mlir_real(xg_mlir *x) {
    double v = 0;
    size_t n;
    bool overflow = false;
    xg_mlir_skip(x);
    n = xg_float_parse(x->at, XG_MIN((size_t)(x->end - x->at), (size_t)64), &v, &overflow);
    if (!n) xg_mlir_expected(x, "a number");
    x->at += n;
    return v;
}
XG_FN xlagpu_type xg_mlir_element_name(xg_mlir *x) {
    const char *at;
    xg_str w;
    xlagpu_type t;
    xg_mlir_skip(x);
    at = x->at;
    w = xg_mlir_word(x, "an element type");
    t = xg_ir_element(w);
    if (t == XLAGPU_INVALID && w.n > 1 && *w.p == 'u') { /* u8 of a storage type */
        char text[16];
        xg_format(text, sizeof text, "ui%.*s", (int)XG_MIN(w.n - 1, 8u), w.p + 1);
        t = xg_ir_element(xg_str_z(text));
    }
    if (t == XLAGPU_INVALID)
        xg_mlir_fail(x, at, "types are i1, i8, ui8, f16, bf16, f32, f64, complex<f32> and others",
            "'%.*s' is not an element type", (int)XG_MIN(w.n, 60u), w.p);
    return t;
}
XG_FN void xg_mlir_quant_scale(xg_mlir *x, double *scale, int64_t *zero) {
    *scale = xg_mlir_real(x);
    *zero = 0;
    if (xg_mlir_take(x, ":") && !xg_mlir_int(x, zero)) xg_mlir_expected(x, "a zero point");
}
XG_FN const xg_ir_quant *xg_mlir_quant(xg_mlir *x) {
    xg_ir_quant *q = XG_NEW(x->ir->arena, xg_ir_quant);
    XG_VEC(double) scales = {NULL, 0, 0};
    xg_ir_int_vec zeros = {NULL, 0, 0};
    double scale;
    int64_t zero;
    bool list;
    xg_mlir_want(x, "<", "and the storage type");
    q->storage = xg_mlir_element_name(x);
    if (!(xg_type_class(q->storage) & XGT_I)) xg_mlir_expected(x, "an integer storage type");
    q->low = xg_int_type_min(q->storage);
    q->high = (int64_t)xg_int_type_max(q->storage);
    if (xg_mlir_take(x, "<")) {
        if (!xg_mlir_int(x, &q->low)) xg_mlir_expected(x, "the least value");
        xg_mlir_want(x, ":", NULL);
        if (!xg_mlir_int(x, &q->high)) xg_mlir_expected(x, "the greatest value");
        xg_mlir_want(x, ">", NULL);
    }
    xg_mlir_want(x, ":", "and the expressed type");
    q->expressed = xg_mlir_element_name(x);
    q->axis = -1;
    if (xg_mlir_take(x, ":") && !xg_mlir_int(x, &q->axis)) xg_mlir_expected(x, "a dimension");
    xg_mlir_want(x, ",", "and the scale");
    list = xg_mlir_take(x, "{");
    do {
        xg_mlir_quant_scale(x, &scale, &zero);
        xg_push(x->ir->arena, double, &scales, scale);
        xg_push(x->ir->arena, int64_t, &zeros, zero);
    } while (list && xg_mlir_take(x, ","));
    if (list) xg_mlir_want(x, "}", NULL);
    xg_mlir_want(x, ">", NULL);
    q->n = scales.n;
    q->scales = scales.p;
    q->zeros = zeros.p;
    return q;
}

/* ---- tensors ---- */

XG_FN xlagpu_type xg_mlir_tensor_element(xg_mlir *x, const xg_ir_quant **quant) {
    const char *at;
    xg_mlir_skip(x);
    at = x->at;
    *quant = NULL;
    if (xg_mlir_take(x, "!quant.uniform")) {
        *quant = xg_mlir_quant(x);
        return (*quant)->storage;
    }
    if (xg_mlir_take_word(x, "complex")) {
        xlagpu_type part;
        xg_mlir_want(x, "<", NULL);
        part = xg_mlir_element_name(x);
        xg_mlir_want(x, ">", NULL);
        if (part != XLAGPU_F32 && part != XLAGPU_F64)
            xg_mlir_fail(x, at, NULL, "complex numbers have parts of type f32 or f64");
        return part == XLAGPU_F32 ? XLAGPU_C64 : XLAGPU_C128;
    }
    return xg_mlir_element_name(x);
}
/* `, #stablehlo.bounds<8, ?>` or `#stablehlo.type_extensions<bounds = [8, ?]>`: dims that have a bound get it. */
XG_FN void xg_mlir_bounds(xg_mlir *x, int64_t *dims, uint8_t *dynamic, uint32_t rank) {
    uint32_t k = 0;
    int64_t v;
    const char *end;
    xg_str text;
    xg_mlir_want(x, "#", "and the bounds");
    text = xg_mlir_word(x, "bounds");
    if (*x->at != '<') xg_mlir_expected(x, "'<' and the bounds");
    text = xg_mlir_balanced(x);
    end = x->at;
    for (x->at = text.p; x->at < end - 1;) {
        xg_mlir_skip(x);
        if (*x->at == '?' || xg_is_digit(*x->at)) {
            bool open = *x->at == '?';
            v = 0;
            if (open)
                x->at++;
            else if (!xg_mlir_int(x, &v))
                break;
            if (k < rank && !open && dynamic[k]) {
                dims[k] = v;
                dynamic[k] = XG_DIM_BOUNDED;
            }
            k++;
        } else
            x->at++;
    }
    x->at = end;
}
/* Behind `tensor`. */
XG_FN const xg_ir_type *xg_mlir_tensor(xg_mlir *x) {
    int64_t dims[XG_RANK_MAX];
    uint8_t dynamic[XG_RANK_MAX];
    uint32_t rank = 0, k;
    bool any = false, open = false, ranked = true;
    xlagpu_type element;
    const xg_ir_quant *quant;
    xg_ir_type *t;
    const char *from = x->at;
    xg_mlir_want(x, "<", "and the shape");
    if (xg_mlir_take(x, "*")) {
        open = true;
        ranked = false;
    }
    for (;;) {
        const char *at;
        int64_t v = 0;
        xg_mlir_skip(x);
        at = x->at;
        if (open && !rank && *at == 'x') {
            x->at++;
            break;
        }
        if (*at != '?' && !xg_is_digit(*at)) break;
        if (rank == XG_RANK_MAX) xg_mlir_fail(x, at, NULL, "more than %d dimensions", (int)XG_RANK_MAX);
        dynamic[rank] = *at == '?' ? XG_DIM_UNBOUNDED : XG_DIM_STATIC;
        any = any || dynamic[rank];
        if (*at == '?')
            x->at++;
        else if (*at == '0' && at[1] == 'x')
            x->at++; /* a dimension of size 0, not a hexadecimal number */
        else
            (void)xg_mlir_int(x, &v);
        if (v < 0) xg_mlir_fail(x, at, NULL, "a dimension that 63 bits cannot hold");
        dims[rank++] = v;
        if (*x->at != 'x') xg_mlir_expected(x, "'x' behind a dimension");
        x->at++;
    }
    element = xg_mlir_tensor_element(x, &quant);
    if (xg_mlir_take(x, ",")) xg_mlir_bounds(x, dims, dynamic, rank);
    xg_mlir_want(x, ">", "behind the shape");
    for (k = 0; k < rank; k++) open = open || dynamic[k] == XG_DIM_UNBOUNDED;
    if (open) {
        xg_str text = xg_str_of(from - 6, (size_t)(x->at - from) + 6);
        if (ranked) return xg_ir_type_open(x->ir, element, dims, dynamic, rank, text);
        t = (xg_ir_type *)xg_ir_type_kind_of(x->ir, XG_IR_OPEN, text);
        t->element = element;
        return t;
    }
    x->ir->m->at = (uint32_t)(from - x->base) + 1;
    t = (xg_ir_type *)xg_ir_type_array(x->ir, element, dims, rank, any ? dynamic : NULL);
    t->quant = quant;
    return t;
}

/* ---- all types ---- */

/* Types up to the closing bracket, which is read. */
XG_FN void xg_mlir_type_list(xg_mlir *x, const char *close, xg_mlir_types *out) {
    if (xg_mlir_take(x, close)) return;
    do {
        const xg_ir_type *t = xg_mlir_type(x);
        xg_mlir_skip(x);
        if (*x->at == '{') (void)xg_mlir_balanced(x); /* attributes of a result */
        xg_push(x->ir->arena, const xg_ir_type *, out, t);
    } while (xg_mlir_take(x, ","));
    xg_mlir_want(x, close, "behind the types");
}
XG_FN const xg_ir_type *xg_mlir_function_type(xg_mlir *x) { /* behind '(' */
    xg_mlir_types in = {NULL, 0, 0}, out = {NULL, 0, 0};
    xg_mlir_type_list(x, ")", &in);
    xg_mlir_want(x, "->", "and the results");
    if (xg_mlir_take(x, "("))
        xg_mlir_type_list(x, ")", &out);
    else {
        const xg_ir_type *t = xg_mlir_type(x);
        xg_push(x->ir->arena, const xg_ir_type *, &out, t);
    }
    return xg_ir_type_function(x->ir, in.p, in.n, out.p, out.n);
}
XG_FN const xg_ir_type *xg_mlir_dialect_type(xg_mlir *x) { /* at '!' */
    const char *from = x->at, *definition;
    xg_str w;
    x->at++;
    w = xg_mlir_word(x, "a type of a dialect");
    definition = xg_mlir_alias(x, xg_str_of(from, w.n + (size_t)1));
    if (definition) {
        xg_str alias = xg_str_of(from, w.n + (size_t)1);
        const char *back = x->at;
        const xg_ir_type *t = (const xg_ir_type *)xg_dict_get(&x->known_types, alias);
        if (t) return t;
        x->at = definition;
        t = xg_mlir_type(x);
        x->at = back;
        (void)xg_dict_put_lasting(&x->known_types, alias, (void *)(uintptr_t)t);
        return t;
    }
    if (xg_word_in("stablehlo.token mhlo.token", w) >= 0) return xg_ir_type_kind_of(x->ir, XG_IR_TOKEN, w);
    if (*x->at == '<') (void)xg_mlir_balanced(x);
    return xg_ir_type_kind_of(x->ir, XG_IR_FOREIGN, xg_str_of(from, (size_t)(x->at - from)));
}
XG_FN const xg_ir_type *xg_mlir_named_type(xg_mlir *x) {
    const char *from = x->at;
    xg_str w = xg_mlir_word(x, "a type");
    if (xg_str_is(w, "tensor")) return xg_mlir_tensor(x);
    if (xg_str_is(w, "none")) return xg_ir_type_kind_of(x->ir, XG_IR_NONE, w);
    if (xg_str_is(w, "tuple")) {
        xg_mlir_types in = {NULL, 0, 0};
        xg_mlir_want(x, "<", NULL);
        xg_mlir_type_list(x, ">", &in);
        return xg_ir_type_tuple(x->ir, in.p, in.n);
    }
    if (xg_word_in("memref vector", w) >= 0) {
        (void)xg_mlir_balanced(x);
        return xg_ir_type_kind_of(x->ir, XG_IR_FOREIGN, xg_str_of(from, (size_t)(x->at - from)));
    }
    if (xg_str_is(w, "complex")) {
        xg_mlir_want(x, "<", NULL);
        w = xg_mlir_word(x, "the parts' type");
        xg_mlir_want(x, ">", NULL);
        return xg_ir_type_scalar(x->ir, xg_str_is(w, "f64") ? XLAGPU_C128 : XLAGPU_C64, w);
    }
    if (xg_ir_element(w) != XLAGPU_INVALID || xg_str_is(w, "tf32"))
        return xg_ir_type_scalar(x->ir, xg_ir_element(w), w);
    xg_mlir_fail(x, from, NULL, "'%.*s' is not a type", (int)XG_MIN(w.n, 60u), w.p);
}
XG_FN bool xg_mlir_at_type(xg_mlir *x) {
    XG_TABLE const char *const words[] = {"tensor", "tuple", "none", "memref", "vector", "complex", "tf32"};
    xg_str w;
    size_t k;
    xg_mlir_skip(x);
    if (*x->at == '!' || *x->at == '(') return true;
    w = xg_mlir_peek_word(x);
    for (k = 0; k < XG_COUNT(words); k++)
        if (xg_str_is(w, words[k])) return true;
    return xg_ir_element(w) != XLAGPU_INVALID;
}
/* The text of a plain tensor type ends with its first '>' unless something nests. */
XG_FN xg_str xg_mlir_simple_tensor(const xg_mlir *x) {
    const char *p = x->at;
    if (strncmp(p, "tensor<", 7) != 0) return xg_str_of(NULL, 0);
    for (p += 7; *p && *p != '<' && *p != '>' && *p != '!'; p++) {}
    return *p == '>' ? xg_str_of(x->at, (size_t)(p + 1 - x->at)) : xg_str_of(NULL, 0);
}
XG_FN const xg_ir_type *xg_mlir_type(xg_mlir *x) {
    const xg_ir_type *t;
    xg_str text;
    xg_mlir_skip(x);
    text = xg_mlir_simple_tensor(x);
    if (text.n && (t = (const xg_ir_type *)xg_dict_get(&x->types, text)) != NULL) {
        x->at += text.n;
        return t;
    }
    xg_mlir_enter(x);
    if (*x->at == '!')
        t = xg_mlir_dialect_type(x);
    else if (xg_mlir_take(x, "("))
        t = xg_mlir_function_type(x);
    else
        t = xg_mlir_named_type(x);
    x->depth--;
    if (text.n) (void)xg_dict_put_lasting(&x->types, text, (void *)(uintptr_t)t);
    return t;
}

#endif /* XG_IMPORT_MLIR_TYPE_C */
