/* import/mlir_attr.c -- attributes in MLIR text, and the aliases that stand for them.
 *
 * What a dialect writes between angle brackets is a dictionary (#stablehlo.gather<offset_dims = [1], ...>), an
 * enumerator
 * (#stablehlo<precision HIGH>), or text that is kept as it is (shardings). */
#ifndef XG_IMPORT_MLIR_ATTR_C
#define XG_IMPORT_MLIR_ATTR_C
#include "mlir.h"
#include "mlir_dense.c"

/* ---- resources and aliases ---- */

/* {-# dialect_resources: { builtin: { name: "0x...", ... } } #-}: names to where their strings begin. */
XG_APART XG_FN void xg_mlir_find_resources(xg_mlir *x) {
    const char *p = x->end;
    if (x->end - x->base < 6) return;
    while (p > x->base && (p[-1] == '\n' || p[-1] == ' ' || p[-1] == '\r' || p[-1] == '\t')) p--;
    if (p - x->base < 6 || memcmp(p - 3, "#-}", 3) != 0) return;
    for (p = x->base; p && strncmp(p, "{-#", 3) != 0;) {
        p = (const char *)memchr(p, '\n', (size_t)(x->end - p));
        if (p) p++;
    }
    if (!p) return;
    for (x->at = p + 3; x->at < x->end;) {
        xg_mlir_skip(x);
        if (xg_mlir_is_letter(*x->at) || *x->at == '"') {
            xg_str key = *x->at == '"' ? xg_mlir_string(x) : xg_mlir_word(x, "a name");
            if (!xg_mlir_take(x, ":")) continue;
            xg_mlir_skip(x);
            if (*x->at != '"') continue;
            (void)xg_dict_put_lasting(&x->resources, key, (void *)(uintptr_t)x->at);
            x->at = xg_mlir_string_end(x) + 1;
        } else if (x->at < x->end)
            x->at++;
    }
    x->at = x->base;
}
XG_FN bool xg_mlir_at_alias(xg_mlir *x) {
    const char *q;
    xg_mlir_skip(x);
    if (*x->at != '#' && *x->at != '!') return false;
    for (q = x->at + 1; xg_mlir_is_inner(*q); q++) {}
    return xg_mlir_alias(x, xg_str_of(x->at, (size_t)(q - x->at))) != NULL;
}

/* ---- lists ---- */

XG_FN const xg_ir_attr *xg_mlir_list_of(xg_mlir *x, const xg_mlir_attrs *v) {
    xg_ir_attr *a;
    uint32_t k = 0;
    while (k < v->n && v->p[k]->kind == XG_IR_INT) k++;
    if (k == v->n) {
        int64_t *ints = XG_NEW_N(x->ir->arena, int64_t, v->n + (size_t)1);
        for (k = 0; k < v->n; k++) ints[k] = v->p[k]->i;
        a = xg_ir_attr_new(x->ir, XG_IR_INTS, XG_STR(""));
        a->v.ints = ints;
    } else {
        a = xg_ir_attr_new(x->ir, XG_IR_LIST, XG_STR(""));
        a->v.items = v->p;
    }
    a->n = v->n;
    return a;
}
XG_FN const xg_ir_attr *xg_mlir_list(xg_mlir *x) { /* behind '[' */
    const char *from = x->at - 1;
    xg_mlir_attrs v = {NULL, 0, 0};
    xg_ir_attr *a;
    if (!xg_mlir_take(x, "]")) {
        do {
            const xg_ir_attr *item = xg_mlir_attr(x);
            xg_push(x->ir->arena, const xg_ir_attr *, &v, item);
        } while (xg_mlir_take(x, ","));
        xg_mlir_want(x, "]", "behind the list");
    }
    a = (xg_ir_attr *)(uintptr_t)xg_mlir_list_of(x, &v);
    a->text = xg_str_of(from, (size_t)(x->at - from));
    return a;
}
/* array<i64: 1, 2> */
XG_FN const xg_ir_attr *xg_mlir_array(xg_mlir *x) {
    xg_mlir_attrs v = {NULL, 0, 0};
    xg_mlir_want(x, "<", "and the elements' type");
    (void)xg_mlir_type(x);
    if (xg_mlir_take(x, ":")) do {
            xg_ir_attr *item;
            xg_mlir_skip(x);
            if (xg_mlir_is_letter(*x->at)) {
                item = xg_ir_attr_new(x->ir, XG_IR_INT, XG_STR(""));
                item->i = xg_mlir_take_word(x, "true");
                if (!item->i && !xg_mlir_take_word(x, "false")) xg_mlir_expected(x, "an element");
            } else
                item = (xg_ir_attr *)(uintptr_t)xg_mlir_attr(x);
            xg_push(x->ir->arena, const xg_ir_attr *, &v, item);
        } while (xg_mlir_take(x, ","));
    xg_mlir_want(x, ">", "behind the elements");
    return xg_mlir_list_of(x, &v);
}
/* `key = value` or `key`, separated by commas, up to `close`, which is read. */
XG_FN void xg_mlir_dict(xg_mlir *x, char close, xg_mlir_named *out) {
    char end[2];
    end[0] = close;
    end[1] = 0;
    if (xg_mlir_take(x, end)) return;
    do {
        xg_ir_named item;
        xg_mlir_skip(x);
        item.name = *x->at == '"' ? xg_mlir_string(x) : xg_mlir_word(x, "the name of an attribute");
        item.value = xg_mlir_take(x, "=") ? xg_mlir_attr(x) : xg_ir_attr_new(x->ir, XG_IR_UNIT, XG_STR(""));
        xg_push(x->ir->arena, xg_ir_named, out, item);
    } while (xg_mlir_take(x, ","));
    xg_mlir_want(x, end, "behind the attributes");
}
XG_FN const xg_ir_attr *xg_mlir_dict_attr(xg_mlir *x, char close, xg_str mnemonic, const char *from) {
    xg_mlir_named v = {NULL, 0, 0};
    xg_ir_attr *a = xg_ir_attr_new(x->ir, XG_IR_DICT, mnemonic);
    xg_mlir_dict(x, close, &v);
    a->n = v.n;
    a->v.named = v.p;
    if (!mnemonic.n) a->text = xg_str_of(from, (size_t)(x->at - from));
    return a;
}

/* ---- attributes of dialects ---- */

XG_FN const xg_ir_attr *xg_mlir_raw(xg_mlir *x, const char *from) { /* from there to behind these brackets */
    (void)xg_mlir_balanced(x);
    return xg_ir_attr_new(x->ir, XG_IR_RAW, xg_str_of(from, (size_t)(x->at - from)));
}
/* What an alias stands for: read once, so that aliases of aliases take no longer than their text. */
XG_FN const xg_ir_attr *xg_mlir_known_attr(xg_mlir *x, xg_str alias, const char *definition) {
    const xg_ir_attr *a = (const xg_ir_attr *)xg_dict_get(&x->known_attrs, alias);
    const char *back = x->at;
    if (a) return a;
    x->at = definition;
    a = xg_mlir_attr(x);
    x->at = back;
    (void)xg_dict_put_lasting(&x->known_attrs, alias, (void *)(uintptr_t)a);
    return a;
}
/* #stablehlo<precision HIGH>, #stablehlo.fft_type<RFFT>, #stablehlo.gather<...>, #sdy.sharding<...> */
XG_FN const xg_ir_attr *xg_mlir_dialect_attr(xg_mlir *x) {
    const char *from = x->at, *definition, *body;
    xg_str w, inside, alias;
    bool ours;
    x->at++;
    w = xg_mlir_word(x, "an attribute of a dialect");
    alias = xg_str_of(from, w.n + (size_t)1);
    definition = xg_mlir_alias(x, alias);
    if (definition) return xg_mlir_known_attr(x, alias, definition);
    if (*x->at != '<') xg_mlir_fail(x, from, NULL, "'%.*s' is not defined", (int)XG_MIN(w.n + 1, 60u), from);
    ours = (w.n >= 9 && memcmp(w.p, "stablehlo", 9) == 0) || (w.n >= 4 && memcmp(w.p, "mhlo", 4) == 0) ||
           (w.n >= 4 && memcmp(w.p, "chlo", 4) == 0);
    if (!ours || xg_word_in("stablehlo.conv mhlo.conv", w) >= 0) return xg_mlir_raw(x, from);
    body = x->at++;
    if (*x->at == '>' || !xg_mlir_at_word(x)) {
        x->at = body;
        return xg_mlir_raw(x, from);
    }
    inside = xg_mlir_word(x, "a word");
    if (xg_mlir_take(x, ">")) return xg_ir_attr_new(x->ir, XG_IR_WORD, inside);
    xg_mlir_skip(x);
    if (*x->at == '=') {
        x->at = body + 1;
        return xg_mlir_dict_attr(x, '>', w, from);
    }
    if (xg_mlir_at_word(x)) {
        xg_str word = xg_mlir_word(x, "a word");
        if (xg_mlir_take(x, ">")) return xg_ir_attr_new(x->ir, XG_IR_WORD, word);
    }
    x->at = body;
    return xg_mlir_raw(x, from);
}

/* ---- numbers, words, all ---- */

/* The type of a number or string: a scalar. What begins otherwise is the type of the operation. */
XG_FN const xg_ir_type *xg_mlir_colon_type(xg_mlir *x) {
    const char *back = x->at;
    if (!xg_mlir_take(x, ":")) return NULL;
    if (xg_ir_element(xg_mlir_peek_word(x)) != XLAGPU_INVALID) return xg_mlir_type(x);
    x->at = back;
    return NULL;
}
XG_FN const xg_ir_attr *xg_mlir_number(xg_mlir *x) {
    const char *from = x->at, *p = from;
    xg_ir_attr *a;
    int64_t v;
    if (*p == '-') p++;
    while (xg_is_digit(*p)) p++;
    if ((*p == '.' && xg_is_digit(p[1])) || *p == 'e' || *p == 'E' || (*p == '.' && p[1] == ' ')) {
        a = xg_ir_attr_new(x->ir, XG_IR_FLOAT, XG_STR(""));
        a->d = xg_mlir_real(x);
        a->type = xg_mlir_colon_type(x);
    } else {
        if (!xg_mlir_int(x, &v)) xg_mlir_expected(x, "a number");
        a = xg_ir_attr_new(x->ir, XG_IR_INT, XG_STR(""));
        a->i = v;
        a->type = xg_mlir_colon_type(x);
        if (a->type && a->type->kind == XG_IR_SCALAR && xg_type_class(a->type->element) == XGT_F) {
            a->kind = XG_IR_FLOAT; /* 0x7F800000 : f32 */
            a->d = from[0] == '0' && from[1] == 'x' ? xg_float_decode(a->type->element, (uint64_t)v) : (double)v;
        }
    }
    a->text = xg_str_of(from, (size_t)(x->at - from));
    return a;
}
XG_FN const xg_ir_attr *xg_mlir_word_attr(xg_mlir *x) {
    const char *from = x->at;
    xg_ir_attr *a;
    xg_str w = xg_mlir_peek_word(x);
    if (xg_mlir_at_type(x)) {
        a = xg_ir_attr_new(x->ir, XG_IR_TYPE, w);
        a->type = xg_mlir_type(x);
        return a;
    }
    x->at += w.n;
    if (xg_word_in("true false", w) >= 0) {
        a = xg_ir_attr_new(x->ir, XG_IR_BOOL, w);
        a->i = xg_str_is(w, "true");
        return a;
    }
    if (xg_str_is(w, "dense")) return xg_mlir_dense(x);
    if (xg_str_is(w, "dense_resource")) return xg_mlir_resource(x);
    if (xg_str_is(w, "array")) return xg_mlir_array(x);
    if (xg_str_is(w, "unit")) return xg_ir_attr_new(x->ir, XG_IR_UNIT, w);
    if (*x->at == '<' || *x->at == '(') return xg_mlir_raw(x, from); /* affine_map<...>, loc(...) */
    return xg_ir_attr_new(x->ir, XG_IR_WORD, w);
}
/* (1)2: a part of an axis, of so many elements behind so many in front. */
XG_FN const xg_ir_attr *xg_mlir_sub_axis(xg_mlir *x) {
    xg_ir_attr *a = xg_ir_attr_new(x->ir, XG_IR_DICT, XG_STR("")), *part[2];
    xg_ir_named *v = XG_NEW_N(x->ir->arena, xg_ir_named, 2);
    uint32_t k;
    for (k = 0; k < 2; k++) {
        xg_mlir_want(x, k ? ")" : "(", NULL);
        part[k] = xg_ir_attr_new(x->ir, XG_IR_INT, XG_STR(""));
        if (!xg_mlir_int(x, &part[k]->i)) xg_mlir_expected(x, "a size");
        v[k].value = part[k];
    }
    v[0].name = XG_STR("pre_size");
    v[1].name = XG_STR("size");
    a->n = 2;
    a->v.named = v;
    return a;
}
XG_FN const xg_ir_attr *xg_mlir_attr_at(xg_mlir *x) {
    const char *from = x->at;
    xg_ir_attr *a;
    switch (*from) {
    case '"':
        a = xg_ir_attr_new(x->ir, XG_IR_STRING, XG_STR(""));
        a->text = xg_mlir_string(x);
        (void)xg_mlir_colon_type(x);
        return a;
    case '[': x->at++; return xg_mlir_list(x);
    case '{': x->at++; return xg_mlir_dict_attr(x, '}', XG_STR(""), from);
    case '<': return xg_mlir_raw(x, from);
    case '@':
        a = xg_ir_attr_new(x->ir, XG_IR_SYMBOL, XG_STR(""));
        a->text = xg_mlir_symbol(x);
        return a;
    case '#': return xg_mlir_dialect_attr(x);
    case '(':
        if (xg_is_digit(from[1])) return xg_mlir_sub_axis(x); /* fall through */
    case '!':
        a = xg_ir_attr_new(x->ir, XG_IR_TYPE, XG_STR(""));
        a->type = xg_mlir_type(x);
        return a;
    case '?': /* no dimension, in a list of bounds */ x->at++; return xg_ir_attr_new(x->ir, XG_IR_RAW, XG_STR("?"));
    default: break;
    }
    if (*from == '-' || xg_is_digit(*from)) return xg_mlir_number(x);
    if (xg_mlir_is_letter(*from)) return xg_mlir_word_attr(x);
    xg_mlir_expected(x, "an attribute");
}
XG_FN const xg_ir_attr *xg_mlir_attr(xg_mlir *x) {
    const xg_ir_attr *a;
    xg_mlir_skip(x);
    xg_mlir_enter(x);
    a = xg_mlir_attr_at(x);
    x->depth--;
    return a;
}

#endif /* XG_IMPORT_MLIR_ATTR_C */
