/* import/mlir_text.c -- the scanner of MLIR text: words, strings, brackets, positions.
 *
 * There are no tokens: each function reads what the grammar wants next straight from the text, which ends with a NUL.
 */
#ifndef XG_IMPORT_MLIR_TEXT_C
#define XG_IMPORT_MLIR_TEXT_C
#include "mlir.h"

XG_NORETURN XG_FN void xg_mlir_fail(const xg_mlir *x, const char *at, const char *hint, const char *format, ...) {
    char text[XG_MESSAGE_MAX / 2];
    va_list args;
    va_start(args, format);
    xg_vformat(text, sizeof text, format, args);
    va_end(args);
    hint = xg_hint_where(x->ir->src, (size_t)(at - x->base), hint);
    xg_fail_at(x->ir->ctx, XLAGPU_ERROR_SYNTAX, x->ir->src, (size_t)(at - x->base), hint, "%s", text);
}
XG_FN void xg_mlir_skip(xg_mlir *x) {
    const char *p = x->at;
    if (*p > '/') return; /* mostly nothing is to be skipped */
    for (;; p++) {
        if (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r') continue;
        if (*p != '/' || p[1] != '/') break;
        while (*p && *p != '\n') p++;
        if (!*p) break;
    }
    x->at = p;
}
/* "'word'", "the end of the text", ... */
XG_NORETURN XG_FN void xg_mlir_expected(xg_mlir *x, const char *what) {
    xg_str w;
    xg_mlir_skip(x);
    w = xg_mlir_peek_word(x);
    if (x->at == x->end) xg_mlir_fail(x, x->at, NULL, "expected %s, found the end of the text", what);
    if (w.n) xg_mlir_fail(x, x->at, NULL, "expected %s, found '%.*s'", what, (int)XG_MIN(w.n, 60u), w.p);
    if ((unsigned char)*x->at < ' ' || (unsigned char)*x->at > '~')
        xg_mlir_fail(x, x->at, NULL, "expected %s, found a byte of value %u", what, (unsigned)(unsigned char)*x->at);
    xg_mlir_fail(x, x->at, NULL, "expected %s, found '%c'", what, *x->at);
}
XG_FN bool xg_mlir_take(xg_mlir *x, const char *token) {
    size_t n;
    xg_mlir_skip(x);
    for (n = 0; token[n]; n++)
        if (x->at[n] != token[n]) return false;
    x->at += n;
    return true;
}
XG_FN void xg_mlir_want(xg_mlir *x, const char *token, const char *what) {
    char text[128];
    if (xg_mlir_take(x, token)) return;
    xg_format(text, sizeof text, "'%s'%s%s", token, what ? " " : "", what ? what : "");
    xg_mlir_expected(x, text);
}
XG_FN bool xg_mlir_is_letter(char c) { return (unsigned)((c | 32) - 'a') < 26 || c == '_'; }
XG_FN bool xg_mlir_is_inner(char c) { return xg_mlir_is_letter(c) || xg_is_digit(c) || c == '$' || c == '.'; }
XG_FN bool xg_mlir_at_word(xg_mlir *x) {
    xg_mlir_skip(x);
    return xg_mlir_is_letter(*x->at);
}
XG_FN xg_str xg_mlir_peek_word(xg_mlir *x) {
    const char *p;
    if (!xg_mlir_at_word(x)) return xg_str_of(NULL, 0);
    for (p = x->at; xg_mlir_is_inner(*p); p++) {}
    return xg_str_of(x->at, (size_t)(p - x->at));
}
XG_FN xg_str xg_mlir_word(xg_mlir *x, const char *what) {
    xg_str w = xg_mlir_peek_word(x);
    if (!w.n) xg_mlir_expected(x, what);
    x->at += w.n;
    return w;
}
XG_FN bool xg_mlir_take_word(xg_mlir *x, const char *word) {
    xg_str w = xg_mlir_peek_word(x);
    if (!w.n || !xg_str_is(w, word)) return false;
    x->at += w.n;
    return true;
}
XG_FN int xg_hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}
XG_FN const char *xg_mlir_string_end(xg_mlir *x) { /* of the string that begins here: its closing quote */
    const char *p = x->at + 1;
    while (p < x->end && *p != '"') {
        if (*p == '\n') break;
        p += *p == '\\' && p + 1 < x->end ? 2 : 1;
    }
    if (p >= x->end || *p != '"') xg_mlir_fail(x, x->at, NULL, "a string that does not end in its line");
    return p;
}
XG_FN xg_str xg_mlir_string(xg_mlir *x) {
    const char *p, *end;
    char *out, *to;
    xg_mlir_skip(x);
    if (*x->at != '"') xg_mlir_expected(x, "a string");
    p = x->at + 1;
    end = xg_mlir_string_end(x);
    x->at = end + 1;
    if (!memchr(p, '\\', (size_t)(end - p))) return xg_str_of(p, (size_t)(end - p));
    to = out = (char *)xg_alloc_raw(x->ir->arena, (size_t)(end - p) + 1);
    while (p < end) {
        if (*p != '\\') {
            *to++ = *p++;
            continue;
        }
        p++;
        if (xg_hex_digit(p[0]) >= 0 && xg_hex_digit(p[1]) >= 0) {
            *to++ = (char)(xg_hex_digit(p[0]) * 16 + xg_hex_digit(p[1]));
            p += 2;
        } else {
            *to++ = *p == 'n' ? '\n' : *p == 't' ? '\t' : *p;
            p++;
        }
    }
    return xg_str_of(out, (size_t)(to - out));
}
XG_FN xg_str xg_mlir_symbol(xg_mlir *x) { /* @a, @"a b", @a::@b: the last one counts */
    xg_str s;
    do {
        xg_mlir_want(x, "@", "and the name of a symbol");
        s = *x->at == '"' ? xg_mlir_string(x) : xg_mlir_word(x, "the name of a symbol");
    } while (xg_mlir_take(x, "::"));
    return s;
}
XG_FN xg_str xg_mlir_value_name(xg_mlir *x) {
    const char *p;
    xg_str s;
    xg_mlir_skip(x);
    if (*x->at != '%') xg_mlir_expected(x, "a value (%name)");
    for (p = x->at + 1; xg_mlir_is_inner(*p) || *p == '-'; p++) {}
    s = xg_str_of(x->at, (size_t)(p - x->at));
    if (s.n < 2) xg_mlir_expected(x, "a value (%name)");
    x->at = p;
    return s;
}
/* "->" closes nothing. */
XG_FN xg_str xg_mlir_balanced(xg_mlir *x) {
    char stack[XG_IMPORT_DEPTH_MAX];
    uint32_t n = 0;
    const char *from;
    xg_mlir_skip(x);
    from = x->at;
    if (!*from || !strchr("([{<", *from)) xg_mlir_expected(x, "an opening bracket");
    do {
        char c = *x->at;
        if (x->at >= x->end) xg_mlir_fail(x, from, NULL, "a bracket that is never closed");
        if (c == '"') {
            x->at = xg_mlir_string_end(x) + 1;
            continue;
        }
        if (c == '-' && x->at[1] == '>') {
            x->at += 2;
            continue;
        }
        if (c == '(' || c == '[' || c == '{' || c == '<') {
            if (n == XG_COUNT(stack)) xg_mlir_fail(x, from, NULL, "brackets nested more than %u deep", n);
            stack[n++] = c == '(' ? ')' : c == '[' ? ']' : c == '{' ? '}' : '>';
        } else if (c == ')' || c == ']' || c == '}' || c == '>') {
            if (stack[n - 1] != c) xg_mlir_fail(x, x->at, NULL, "expected '%c', found '%c'", stack[n - 1], c);
            n--;
        }
        x->at++;
    } while (n);
    return xg_str_of(from, (size_t)(x->at - from));
}
/* Decimal or 0x; wraps around in 64 bits as MLIR's unsigned integers do. */
XG_FN bool xg_mlir_int(xg_mlir *x, int64_t *out) {
    const char *p;
    bool negative;
    uint64_t v = 0;
    xg_mlir_skip(x);
    p = x->at;
    negative = *p == '-';
    p += negative;
    if (!xg_is_digit(*p)) return false;
    if (*p == '0' && p[1] == 'x')
        for (p += 2; xg_hex_digit(*p) >= 0; p++) {
            if (v >> 60) xg_mlir_fail(x, x->at, NULL, "a number that 64 bits cannot hold");
            v = v * 16 + (uint64_t)xg_hex_digit(*p);
        }
    else
        for (; xg_is_digit(*p); p++) {
            if (v > (UINT64_MAX - (uint64_t)(*p - '0')) / 10)
                xg_mlir_fail(x, x->at, NULL, "a number that 64 bits cannot hold");
            v = v * 10 + (uint64_t)(*p - '0');
        }
    *out = (int64_t)(negative ? 0 - v : v);
    x->at = p;
    return true;
}
XG_FN void xg_mlir_enter(xg_mlir *x) {
    if (++x->depth > XG_IMPORT_DEPTH_MAX)
        xg_fail_at(x->ir->ctx, XLAGPU_ERROR_LIMIT, x->ir->src, (size_t)(x->at - x->base), NULL,
            "nested more than %d deep", (int)XG_IMPORT_DEPTH_MAX);
}

/* ---- aliases: names of attributes and types ---- */

/* Finds the definitions in front of the reading: lines that begin with '#' or '!'. */
XG_FN void xg_mlir_find_aliases(xg_mlir *x) {
    const char *p = x->base, *q;
    while (p && p < x->end) {
        while (*p == ' ' || *p == '\t') p++;
        if (*p == '#' || *p == '!') {
            for (q = p + 1; xg_mlir_is_inner(*q); q++) {}
            if (q > p + 1) {
                const char *e = q;
                while (*e == ' ') e++;
                if (*e == '=')
                    (void)xg_dict_put_lasting(&x->aliases, xg_str_of(p, (size_t)(q - p)), (void *)(uintptr_t)(e + 1));
            }
        }
        p = (const char *)memchr(p, '\n', (size_t)(x->end - p));
        if (p) p++;
    }
}
XG_FN const char *xg_mlir_alias(xg_mlir *x, xg_str name) { return (const char *)xg_dict_get(&x->aliases, name); }

#endif /* XG_IMPORT_MLIR_TEXT_C */
