/* plan/attributes.c -- the attributes of a call: the dictionary in its backend_config as records of the executable, and
 * those records as text.
 *
 *     {count = 3 : i64, scale = 1.5 : f32, name = "x", on, sizes = array<i64: 1, 2>, table = dense<[[1, 2]]> :
 *      tensor<1x2xi32>, inner = {a = 1 : ui8}, list = [1 : i32, "b"]}
 *
 * This is MLIR's text of attributes, as typed calls have it. Numbers get their type's bytes, in DATA; a number without
 * a type is an i64 or an f64; a name alone is true. A dictionary names its members by the first and their number; they
 * stand before it. A list is a dictionary whose members have no names. */
#ifndef XG_PLAN_ATTRIBUTES_C
#define XG_PLAN_ATTRIBUTES_C
#include "plan.h"
#include "../base/number.h"

enum {
    XG_ATTRIBUTES_DEPTH_MAX = 32 /* dictionaries inside each other */
};

/* Where a text is read; why: what is wrong at `at`. */
typedef struct xg_typed_text {
    xg_exe_writer *w;
    xg_str s;
    uint32_t at;
    const char *why;
} xg_typed_text;
typedef XG_VEC(xg_exe_attribute) xg_typed_records;
typedef XG_VEC(xg_str) xg_typed_tokens;

/* ---- what the sections of an executable get ---- */

/* The offset of a string in STRINGS; equal ones stand there once. */
XG_FN uint32_t xg_exe_string(xg_exe_writer *w, xg_str s) {
    void *at = xg_dict_get(&w->strings, s);
    xg_buf *b = &w->sections[XG_EXE_STRINGS];
    uint32_t offset;
    if (at) return (uint32_t)((size_t)at - 1);
    offset = (uint32_t)b->n;
    xg_put_str(b, s);
    xg_putc(b, 0);
    xg_dict_put_lasting(&w->strings, s.n ? s : xg_str_z(""), (void *)((size_t)offset + 1));
    return offset;
}
/* The index of a record in its section. */
XG_ONE_COPY XG_FN uint32_t xg_exe_put(xg_exe_writer *w, xg_exe_section_kind kind, const void *record, size_t size) {
    uint32_t index = (uint32_t)(w->sections[kind].n / size);
    xg_put(&w->sections[kind], (const char *)record, size);
    return index;
}

/* ---- attributes ---- */

XG_ONE_COPY XG_FN bool xg_typed_wrong(xg_typed_text *t, const char *why) {
    if (!t->why) t->why = why;
    return false;
}
XG_FN bool xg_typed_take(xg_typed_text *t, char c) {
    while (t->at < t->s.n && xg_config_is_space(t->s.p[t->at])) t->at++;
    if (t->at >= t->s.n || t->s.p[t->at] != c) return false;
    t->at++;
    return true;
}
XG_FN bool xg_typed_want(xg_typed_text *t, char c, const char *why) {
    return xg_typed_take(t, c) || xg_typed_wrong(t, why);
}
/* A name, a number or a keyword. */
XG_FN xg_str xg_typed_word(xg_typed_text *t) {
    uint32_t from;
    xg_typed_take(t, 0);
    for (from = t->at; t->at < t->s.n; t->at++) {
        char c = t->s.p[t->at];
        bool sign = (c == '-' || c == '+') && (t->at == from || (t->s.p[t->at - 1] | 32) == 'e');
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && !sign && c != '_' && c != '.' && c != '$') break;
    }
    return xg_str_of(t->s.p + from, t->at - from);
}
XG_FN bool xg_typed_word_is(xg_typed_text *t, const char *word) {
    uint32_t at = t->at;
    if (xg_str_is(xg_typed_word(t), word)) return true;
    t->at = at;
    return false;
}

/* ---- numbers ---- */

XG_FN int xg_typed_hex(char c) {
    return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}
/* i32, si32, ui32, f32, bf16, f8E4M3FN, index; i1 is pred. */
XG_FN xlagpu_type xg_typed_type(xg_str word) {
    char name[16], *p = name;
    uint32_t k;
    if (xg_str_is(word, "index")) return XLAGPU_S64;
    if (xg_str_is(word, "i1")) return XLAGPU_PRED;
    if (!word.n || word.n + 2 > sizeof name) return XLAGPU_INVALID;
    if (word.p[0] == 'i') *p++ = 's';
    for (k = word.p[0] == 'i'; k < word.n; k++)
        if (word.p[k] != 'i') *p++ = (char)(word.p[k] >= 'A' && word.p[k] <= 'Z' ? word.p[k] | 32 : word.p[k]);
    k = (uint32_t)xg_type_find(xg_str_of(name, (size_t)(p - name)));
    return xg_type_bits((xlagpu_type)k) < 8 || xg_type_bits((xlagpu_type)k) > 64 ? XLAGPU_INVALID : (xlagpu_type)k;
}
XG_FN bool xg_typed_is_float(xg_str s) {
    uint32_t k;
    if (s.n > 1 && s.p[0] == '0' && (s.p[1] | 32) == 'x') return false;
    for (k = 0; k < s.n; k++)
        if (s.p[k] == '.' || (s.p[k] | 32) == 'e' || (s.p[k] | 32) == 'n') return true; /* also inf and nan */
    return false;
}
/* Decimal or 0x; the sign is the caller's. */
XG_FN bool xg_typed_digits(xg_str s, uint64_t *out) {
    bool hex = s.n > 2 && s.p[0] == '0' && (s.p[1] | 32) == 'x';
    uint64_t base = hex ? 16 : 10;
    uint32_t k;
    *out = 0;
    for (k = hex ? 2 : 0; k < s.n; k++) {
        int digit = xg_typed_hex(s.p[k]);
        if (digit < 0 || (uint64_t)digit >= base || *out > (UINT64_MAX - (uint64_t)digit) / base) return false;
        *out = *out * base + (uint64_t)digit;
    }
    return s.n != 0;
}
/* The bits of a number of this type; hexadecimal digits are a float's bits. */
XG_APART XG_FN bool xg_typed_bits(xg_str s, xlagpu_type type, uint64_t *out) {
    int bits = xg_type_bits(type);
    uint64_t most = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    bool minus = s.n && s.p[0] == '-', overflow = false;
    double d = 0;
    if (type == XLAGPU_PRED) {
        *out = xg_word_in("true 1 -1", s) >= 0;
        return *out || xg_word_in("false 0", s) >= 0;
    }
    if (xg_type_class(type) == XGT_F && (xg_typed_is_float(s) || s.n < 2 || (s.p[1] | 32) != 'x')) {
        *out = xg_float_parse(s.p, s.n, &d, &overflow) == s.n ? xg_float_encode(type, d) : 0;
        return s.n && xg_float_parse(s.p, s.n, &d, &overflow) == s.n;
    }
    if (!xg_typed_digits(minus ? xg_str_of(s.p + 1, s.n - 1) : s, out) || *out > most) return false;
    if (!minus) return true;
    if (*out > (most >> 1) + 1 || xg_type_class(type) == XGT_F) return false;
    *out = (0 - *out) & most;
    return true;
}
XG_FN uint64_t xg_typed_room(xg_exe_writer *w) {
    static const char zeros[8] = {0};
    xg_buf *data = &w->sections[XG_EXE_DATA];
    xg_put(data, zeros, (8 - data->n % 8) % 8);
    return data->n;
}
/* Numbers of one type, as a scalar or an array. */
XG_FN bool xg_typed_numbers(xg_typed_text *t, const xg_str *tokens, uint32_t n, xlagpu_type type,
    xlagpu_attribute_kind kind, xg_exe_attribute *r) {
    uint32_t k, bytes = (uint32_t)xg_type_bytes(type);
    if (type == XLAGPU_INVALID || xg_type_class(type) == XGT_C)
        return xg_typed_wrong(t, "a type of integers or floats of 8 to 64 bits");
    r->kind = (uint32_t)kind;
    r->type = (uint32_t)type;
    r->count = n;
    r->data = xg_typed_room(t->w);
    for (k = 0; k < n; k++) {
        unsigned char raw[8];
        uint64_t v;
        uint32_t j;
        if (!xg_typed_bits(tokens[k], type, &v)) return xg_typed_wrong(t, "a number that its type can hold");
        for (j = 0; j < 8; j++) raw[j] = (unsigned char)(v >> 8 * j);
        xg_put(&t->w->sections[XG_EXE_DATA], (const char *)raw, bytes);
    }
    return true;
}

/* ---- a text ---- */

/* The characters of a quoted string; the quote has been taken. */
XG_FN bool xg_typed_characters(xg_typed_text *t, xg_buf *b) {
    while (t->at < t->s.n && t->s.p[t->at] != '"') {
        char c = t->s.p[t->at++], next = t->at < t->s.n ? t->s.p[t->at] : 0;
        if (c == '\\' && t->at < t->s.n) {
            int high = xg_typed_hex(next), low = t->at + 1 < t->s.n ? xg_typed_hex(t->s.p[t->at + 1]) : -1;
            t->at++;
            c = next == 'n' ? '\n' : next == 't' ? '\t' : next == 'r' ? '\r' : next;
            if (high >= 0 && low >= 0) {
                c = (char)(high * 16 + low);
                t->at++;
            }
        }
        xg_putc(b, c);
    }
    return xg_typed_want(t, '"', "the closing quote");
}
XG_FN bool xg_typed_string(xg_typed_text *t, xg_exe_attribute *r) {
    xg_buf b;
    xg_buf_init(&b, t->w->arena);
    if (!xg_typed_characters(t, &b)) return false;
    r->kind = XLAGPU_ATTRIBUTE_STRING;
    r->type = XLAGPU_U8;
    r->count = (uint32_t)b.n;
    r->data = xg_typed_room(t->w);
    xg_put(&t->w->sections[XG_EXE_DATA], b.p, b.n);
    xg_putc(&t->w->sections[XG_EXE_DATA], 0);
    if (xg_typed_take(t, ':')) (void)xg_typed_word(t);
    return true;
}
/* array<i64: 1, 2>; "array" has been taken. */
XG_FN bool xg_typed_array(xg_typed_text *t, xg_exe_attribute *r) {
    xg_typed_tokens list = {NULL, 0, 0};
    xlagpu_type type;
    bool more;
    if (!xg_typed_want(t, '<', "'<'")) return false;
    type = xg_typed_type(xg_typed_word(t));
    for (more = xg_typed_take(t, ':'); more; more = xg_typed_take(t, ','))
        xg_push(t->w->arena, xg_str, &list, xg_typed_word(t));
    return xg_typed_want(t, '>', "',' or '>'") && xg_typed_numbers(t, list.p, list.n, type, XLAGPU_ATTRIBUTE_ARRAY, r);
}
/* The numbers inside dense<..>, row-major, whatever brackets they stand in. */
XG_FN bool xg_typed_dense_items(xg_typed_text *t, xg_typed_tokens *list) {
    uint32_t depth = 0;
    for (;;) {
        if (xg_typed_take(t, '['))
            depth++;
        else if (xg_typed_take(t, ']')) {
            if (!depth--) return xg_typed_wrong(t, "'['");
        } else if (xg_typed_take(t, '>'))
            return !depth || xg_typed_wrong(t, "']'");
        else if (!xg_typed_take(t, ',')) {
            xg_str word = xg_typed_word(t);
            if (!word.n) return xg_typed_wrong(t, "a number");
            xg_push(t->w->arena, xg_str, list, word);
        }
    }
}
/* The element type and the number of elements of tensor<2x3xf32>; "tensor" has been taken. */
XG_FN bool xg_typed_tensor(xg_typed_text *t, xlagpu_type *type, uint64_t *elements) {
    xg_str word;
    uint32_t at;
    uint64_t n;
    *elements = 1;
    if (!xg_typed_want(t, '<', "'<'")) return false;
    word = xg_typed_word(t);
    for (;;) {
        for (at = 0; at < word.n && word.p[at] >= '0' && word.p[at] <= '9'; at++) {}
        if (!at) break;
        if (at == word.n || word.p[at] != 'x') return xg_typed_wrong(t, "a type of elements");
        if (!xg_typed_digits(xg_str_of(word.p, at), &n) || (n && *elements > UINT32_MAX / n))
            return xg_typed_wrong(t, "fewer elements");
        *elements *= n;
        word = xg_str_of(word.p + at + 1, word.n - at - 1);
    }
    *type = xg_typed_type(word);
    return xg_typed_want(t, '>', "'>'");
}
/* dense<[1, 2]> : tensor<2xi64>, dense<1> : tensor<4xi64>; "dense" has been taken. */
XG_FN bool xg_typed_dense(xg_typed_text *t, xg_exe_attribute *r) {
    enum {
        ELEMENTS_MAX = 1 << 24 /* of one number written once: a text of a line may not ask for more memory */
    };
    xg_typed_tokens list = {NULL, 0, 0};
    xlagpu_type type = XLAGPU_INVALID;
    uint64_t elements = 0;
    if (!xg_typed_want(t, '<', "'<'") || !xg_typed_dense_items(t, &list) || !xg_typed_want(t, ':', "':'")) return false;
    if (!xg_str_is(xg_typed_word(t), "tensor")) return xg_typed_wrong(t, "a tensor type");
    if (!xg_typed_tensor(t, &type, &elements)) return false;
    if (list.n == 1 && elements <= ELEMENTS_MAX) {
        xg_str one = list.p[0];
        while (list.n < elements) xg_push(t->w->arena, xg_str, &list, one);
    }
    if (list.n != elements) return xg_typed_wrong(t, "as many numbers as the tensor has elements");
    return xg_typed_numbers(t, list.p, list.n, type, XLAGPU_ATTRIBUTE_ARRAY, r);
}
/* A number or a word alone. */
XG_FN bool xg_typed_scalar(xg_typed_text *t, xg_str word, xg_exe_attribute *r) {
    xlagpu_type type = xg_typed_is_float(word) ? XLAGPU_F64 : XLAGPU_S64;
    if (xg_word_in("true false unit", word) >= 0) {
        type = XLAGPU_PRED;
        if (word.p[0] == 'u') word = xg_str_z("true");
    } else if (xg_typed_take(t, ':'))
        type = xg_typed_type(xg_typed_word(t));
    if (!word.n)
        return xg_typed_wrong(t, "a number, a string, true, false, array<..>, dense<..>, a list or a dictionary");
    return xg_typed_numbers(t, &word, 1, type, XLAGPU_ATTRIBUTE_SCALAR, r);
}

XG_FN bool xg_typed_members(xg_typed_text *t, char close, uint32_t depth, xg_exe_attribute *r);
XG_FN bool xg_typed_value(xg_typed_text *t, uint32_t depth, xg_exe_attribute *r) {
    if (xg_typed_take(t, '"')) return xg_typed_string(t, r);
    if (xg_typed_take(t, '{')) return xg_typed_members(t, '}', depth + 1, r);
    if (xg_typed_take(t, '[')) return xg_typed_members(t, ']', depth + 1, r);
    if (xg_typed_word_is(t, "array")) return xg_typed_array(t, r);
    if (xg_typed_word_is(t, "dense")) return xg_typed_dense(t, r);
    return xg_typed_scalar(t, xg_typed_word(t), r);
}
XG_FN bool xg_typed_name(xg_typed_text *t, xg_exe_attribute *r) {
    xg_str word;
    xg_buf b;
    xg_buf_init(&b, t->w->arena);
    if (xg_typed_take(t, '"')) {
        if (!xg_typed_characters(t, &b)) return false;
        word = xg_str_of(b.p, b.n);
    } else
        word = xg_typed_word(t);
    if (!word.n) return xg_typed_wrong(t, "the name of an attribute");
    r->name = xg_exe_string(t->w, word);
    return true;
}
/* The members of a dictionary, or the items of a list; the opening bracket has been taken. */
XG_FN bool xg_typed_members(xg_typed_text *t, char close, uint32_t depth, xg_exe_attribute *r) {
    xg_typed_records members = {NULL, 0, 0};
    uint32_t k;
    if (depth > XG_ATTRIBUTES_DEPTH_MAX) return xg_typed_wrong(t, "fewer dictionaries inside each other");
    if (!xg_typed_take(t, close)) {
        do {
            xg_exe_attribute one;
            memset(&one, 0, sizeof one);
            one.name = xg_exe_string(t->w, xg_str_z(""));
            if (close == '}' && !xg_typed_name(t, &one)) return false;
            if (close == '}' && !xg_typed_take(t, '=')) {
                xg_str on = xg_str_z("true");
                if (!xg_typed_numbers(t, &on, 1, XLAGPU_PRED, XLAGPU_ATTRIBUTE_SCALAR, &one)) return false;
            } else if (!xg_typed_value(t, depth, &one))
                return false;
            xg_push(t->w->arena, xg_exe_attribute, &members, one);
        } while (xg_typed_take(t, ','));
        if (!xg_typed_want(t, close, close == '}' ? "',' or '}'" : "',' or ']'")) return false;
    }
    r->kind = XLAGPU_ATTRIBUTE_DICTIONARY;
    r->count = members.n;
    r->data = t->w->sections[XG_EXE_ATTRIBUTES].n / sizeof *members.p;
    for (k = 0; k < members.n; k++) xg_exe_put(t->w, XG_EXE_ATTRIBUTES, &members.p[k], sizeof *members.p);
    return true;
}

XG_FN const char *xg_attributes_read(xg_exe_writer *w, xg_str s, uint32_t *end, xg_exe_thunk *to) {
    xg_typed_text t;
    xg_exe_attribute all;
    size_t records = w->sections[XG_EXE_ATTRIBUTES].n, data = w->sections[XG_EXE_DATA].n;
    memset(&t, 0, sizeof t);
    memset(&all, 0, sizeof all);
    t.w = w;
    t.s = s;
    if (xg_typed_want(&t, '{', "'{'") && xg_typed_members(&t, '}', 0, &all)) {
        to->first_attribute = (uint32_t)all.data;
        to->n_attributes = all.count;
        *end = t.at;
        return NULL;
    }
    *end = t.at;
    w->sections[XG_EXE_ATTRIBUTES].n = records; /* as if nothing had been read */
    w->sections[XG_EXE_DATA].n = data;
    return t.why ? t.why : "a dictionary";
}

/* ---- a record as text ---- */

XG_FN void xg_typed_print_string(xg_buf *b, const char *p, uint32_t n) {
    XG_TABLE const char digits[] = "0123456789ABCDEF";
    uint32_t k;
    xg_putc(b, '"');
    for (k = 0; k < n; k++) {
        unsigned char c = (unsigned char)p[k];
        if (c >= 32 && c != '"' && c != '\\' && c != 127) {
            xg_putc(b, (char)c);
            continue;
        }
        xg_putc(b, '\\');
        xg_putc(b, digits[c >> 4]);
        xg_putc(b, digits[c & 15]);
    }
    xg_putc(b, '"');
}
/* A name that MLIR writes bare. */
XG_FN void xg_typed_print_name(xg_buf *b, const char *name) {
    bool bare = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') || *name == '_';
    const char *p;
    for (p = name; *p; p++)
        bare = bare && (*p == '_' || (*p >= '0' && *p <= '9') || ((*p | 32) >= 'a' && (*p | 32) <= 'z'));
    if (bare)
        xg_puts(b, name);
    else
        xg_typed_print_string(b, name, (uint32_t)strlen(name));
}
XG_FN void xg_typed_print_type(xg_buf *b, xlagpu_type type) {
    const char *name = xg_type_name(type);
    if (type == XLAGPU_PRED)
        xg_puts(b, "i1");
    else if (xg_type_class(type) == XGT_F)
        xg_puts(b, name);
    else
        xg_printf(b, "%si%s", name[0] == 'u' ? "u" : "", name + 1);
}
XG_FN uint64_t xg_typed_little(const unsigned char *p, uint32_t n) {
    uint64_t v = 0;
    while (n-- > 0) v = v << 8 | p[n];
    return v;
}
XG_FN void xg_typed_print_number(xg_buf *b, xlagpu_type type, const unsigned char *p) {
    bool is_float = xg_type_class(type) == XGT_F;
    int64_t v = is_float ? 0 : xg_int_load(type, p);
    double d = is_float ? xg_float_load(type, p) : 0;
    if (type == XLAGPU_PRED)
        xg_puts(b, *p ? "true" : "false");
    else if (d - d != 0) /* not finite: by its bits */
        xg_printf(b, "0x%llX", (unsigned long long)xg_typed_little(p, (uint32_t)xg_type_bytes(type)));
    else if (is_float)
        xg_float_print(b, type, xg_typed_little(p, (uint32_t)xg_type_bytes(type)));
    else if (xg_type_name(type)[0] == 's')
        xg_put_i64(b, v);
    else
        xg_printf(b, "%llu", (unsigned long long)v);
}
XG_FN void xg_typed_print_numbers(xg_buf *b, const xg_exe_attribute *a, const unsigned char *p) {
    xlagpu_type type = (xlagpu_type)a->type;
    uint32_t k;
    if (a->kind == XLAGPU_ATTRIBUTE_ARRAY) {
        xg_puts(b, "array<");
        xg_typed_print_type(b, type);
    }
    for (k = 0; k < a->count; k++) {
        xg_puts(b, k ? ", " : a->kind == XLAGPU_ATTRIBUTE_ARRAY ? ": " : "");
        xg_typed_print_number(b, type, p + (size_t)k * (size_t)xg_type_bytes(type));
    }
    if (a->kind == XLAGPU_ATTRIBUTE_ARRAY)
        xg_putc(b, '>');
    else if (type != XLAGPU_PRED) {
        xg_puts(b, " : ");
        xg_typed_print_type(b, type);
    }
}
XG_FN void xg_typed_print_list(
    xg_buf *b, const xg_attributes_of *in, const xg_exe_attribute *list, uint32_t n, bool named) {
    uint32_t k;
    xg_putc(b, named ? '{' : '[');
    for (k = 0; k < n; k++) {
        const xg_exe_attribute *a = &list[k];
        const xg_exe_attribute *inner = in->records + (a->kind == XLAGPU_ATTRIBUTE_DICTIONARY ? a->data : 0);
        if (k) xg_puts(b, ", ");
        if (named) xg_typed_print_name(b, in->strings + a->name);
        if (named) xg_puts(b, " = ");
        if (a->kind == XLAGPU_ATTRIBUTE_STRING)
            xg_typed_print_string(b, (const char *)in->data + a->data, a->count);
        else if (a->kind == XLAGPU_ATTRIBUTE_DICTIONARY)
            xg_typed_print_list(b, in, inner, a->count, !a->count || in->strings[inner->name]);
        else
            xg_typed_print_numbers(b, a, in->data + a->data);
    }
    xg_putc(b, named ? '}' : ']');
}
XG_FN void xg_attributes_print(xg_buf *b, const xg_attributes_of *in, uint32_t first, uint32_t n) {
    xg_typed_print_list(b, in, in->records + first, n, true);
}

#endif /* XG_PLAN_ATTRIBUTES_C */
