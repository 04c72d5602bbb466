/* hlo/lex.c -- the scanner of HLO text.
 *
 * Idea: one token at a time, driven by a table of character classes, without allocation. The scanner never fails: what
 * it does not know becomes a BAD token, and the parser says at that place what it wanted. Compound words that only some
 * attributes have (3x3, 0_1_2, b01f_01io->b01f, 1e-3) are not tokens; their readers take a run of characters from the
 * current token's start, so the meaning of "0x1" does not depend on which pattern is tried first.
 *
 * Laws
 * - The text is copied once, NUL-terminated, into the module's arena, unless its owner keeps such a copy: names and
 *   text attributes point into it.
 * - A NUL byte in the text is an error, found before the first token. Line numbers are counted only when an error is
 *   made.
 * - Comments end or are errors; they may stand between any two tokens. */
#ifndef XG_HLO_LEX_C
#define XG_HLO_LEX_C
#include "text.h"

enum {
    XG_CH_SPACE = 1,
    XG_CH_FIRST = 2,
    XG_CH_WORD = 4,
    XG_CH_DIGIT = 8
};
#define XG_S 1       /* white */
#define XG_L (2 | 4) /* letter, underscore */
#define XG_D (4 | 8) /* digit */
#define XG_W 4       /* . and - */
XG_TABLE const uint8_t xg_lex_class[256] = {0, 0, 0, 0, 0, 0, 0, 0, 0, XG_S, XG_S, 0, 0, XG_S, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, XG_S, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, XG_W, XG_W, 0, XG_D, XG_D, XG_D, XG_D, XG_D,
    XG_D, XG_D, XG_D, XG_D, XG_D, 0, 0, 0, 0, 0, 0, 0, XG_L, XG_L, XG_L, XG_L, XG_L, XG_L, XG_L, XG_L, XG_L, XG_L, XG_L,
    XG_L, XG_L, XG_L, XG_L, XG_L, XG_L, XG_L, XG_L, XG_L, XG_L, XG_L, XG_L, XG_L, XG_L, XG_L, 0, 0, 0, 0, XG_L, 0, XG_L,
    XG_L, XG_L, XG_L, XG_L, XG_L, XG_L, XG_L, XG_L, XG_L, XG_L, XG_L, XG_L, XG_L, XG_L, XG_L, XG_L, XG_L, XG_L, XG_L,
    XG_L, XG_L, XG_L, XG_L, XG_L, XG_L, 0, 0, 0, 0, 0};
#undef XG_S
#undef XG_L
#undef XG_D
#undef XG_W
#define XG_CLASS_OF(c) xg_lex_class[(unsigned char)(c)]

XG_FN xg_str xg_lex_text(const xg_lex *x) { return xg_str_of(x->tok, x->len); }
XG_ONE_COPY XG_FN size_t xg_lex_offset(const xg_lex *x) { return (size_t)(x->tok - x->base); }
XG_FN bool xg_lex_is(const xg_lex *x, const char *word) {
    return x->kind == XG_TOK_WORD && xg_str_is(xg_lex_text(x), word);
}

/* ---- failing ---- */

XG_NORETURN XG_FN void xg_lex_vfail(
    const xg_lex *x, size_t offset, const char *hint, const char *format, va_list args) {
    char text[XG_MESSAGE_MAX / 2];
    xg_vformat(text, sizeof text, format, args);
    xg_fail_at(x->ctx, XLAGPU_ERROR_SYNTAX, x->src, offset, xg_hint_where(x->src, offset, hint), "%s", text);
}
XG_NORETURN XG_FN void xg_lex_fail(const xg_lex *x, const char *hint, const char *format, ...) {
    va_list args;
    va_start(args, format);
    xg_lex_vfail(x, xg_lex_offset(x), hint, format, args);
}
XG_NORETURN XG_FN void xg_lex_fail_at(const xg_lex *x, size_t offset, const char *hint, const char *format, ...) {
    va_list args;
    va_start(args, format);
    xg_lex_vfail(x, offset, hint, format, args);
}
XG_NORETURN XG_FN void xg_lex_wrong_at(const xg_lex *x, size_t offset, const char *format, ...) {
    va_list args;
    va_start(args, format);
    xg_lex_vfail(x, offset, NULL, format, args);
}
XG_FN const char *xg_lex_found(const xg_lex *x) {
    enum {
        SHOWN = 40
    };
    char *text;
    if (x->kind == XG_TOK_END) return "the end of the text";
    if (x->kind == XG_TOK_BAD && x->tok[0] == '/') return "a comment without end";
    if (x->kind == XG_TOK_BAD && (x->tok[0] == '"' || x->tok[0] == '\'')) return "a string without end";
    if (x->kind == XG_TOK_BAD && ((unsigned char)x->tok[0] < 32 || (unsigned char)x->tok[0] > 126))
        return "a byte that has no place in HLO text";
    text = (char *)xg_alloc_raw(x->arena, SHOWN + 8);
    xg_format(text, SHOWN + 8, x->len > SHOWN ? "'%.*s...'" : "'%.*s'", (int)XG_MIN(x->len, (uint32_t)SHOWN), x->tok);
    return text;
}

/* ---- tokens ---- */

/* Behind white space and comments; an endless comment stops at its start. */
XG_FN const char *xg_lex_skip(const char *p) {
    for (;;) {
        while (XG_CLASS_OF(*p) & XG_CH_SPACE) p++;
        if (*p != '/') return p;
        if (p[1] == '/') {
            while (*p && *p != '\n') p++;
        } else if (p[1] == '*') {
            const char *q = p + 2;
            while (*q && !(q[0] == '*' && q[1] == '/')) q++;
            if (!*q) return p;
            p = q + 2;
        } else
            return p;
    }
}
XG_FN char xg_lex_peek(xg_lex *x) { return *(x->at = xg_lex_skip(x->at)); }

XG_FN const char *xg_lex_skip_string(const char *p) { /* p at the quote; behind the closing one, or NULL */
    char quote = *p++;
    while (*p && *p != quote) p += p[0] == '\\' && p[1] ? 2 : 1;
    return *p == quote ? p + 1 : NULL;
}
XG_FN void xg_lex_special(xg_lex *x, const char *p) {
    const char *q;
    x->kind = (unsigned char)*p;
    x->at = p + 1;
    switch (*p) {
    case 0:
        x->kind = XG_TOK_END;
        x->at = p;
        break;
    case '%':
        if (!(XG_CLASS_OF(p[1]) & XG_CH_FIRST)) {
            x->kind = XG_TOK_BAD;
            break;
        }
        x->kind = XG_TOK_NAME;
        x->tok = ++p;
        while (XG_CLASS_OF(*p) & XG_CH_WORD) p++;
        x->at = p;
        break;
    case '"':
    case '\'':
        q = xg_lex_skip_string(p);
        x->kind = q ? XG_TOK_STRING : XG_TOK_BAD;
        if (q) x->at = q;
        break;
    case '-':
        if (p[1] == '>') {
            x->kind = XG_TOK_ARROW;
            x->at = p + 2;
            break;
        }
        for (p++; XG_CLASS_OF(*p) & XG_CH_WORD && *p != '-'; p++) {}
        x->kind = p > x->tok + 1 ? XG_TOK_NUMBER : XG_TOK_BAD;
        x->at = p;
        break;
    case '<':
        if (p[1] == '=') {
            x->kind = XG_TOK_LE;
            x->at = p + 2;
        } else
            x->kind = XG_TOK_BAD;
        break;
    case '.':
        if (p[1] == '.' && p[2] == '.') {
            x->kind = XG_TOK_DOTS;
            x->at = p + 3;
        } else
            x->kind = XG_TOK_BAD;
        break;
    case '=':
    case ',':
    case ':':
    case '*':
    case '#':
    case '+':
    case '~':
    case '[':
    case ']':
    case '{':
    case '}':
    case '(':
    case ')':
    case '?': break;
    default: x->kind = XG_TOK_BAD; break;
    }
    x->len = (uint32_t)(x->at - x->tok);
}
XG_FN void xg_lex_next(xg_lex *x) {
    const char *p = x->at;
    if (XG_CLASS_OF(*p) & XG_CH_SPACE || *p == '/') p = xg_lex_skip(p);
    x->tok = p;
    if (XG_LIKELY(XG_CLASS_OF(*p) & XG_CH_FIRST)) {
        while (XG_CLASS_OF(*++p) & XG_CH_WORD) {}
        x->kind = XG_TOK_WORD;
    } else if (XG_CLASS_OF(*p) & XG_CH_DIGIT) {
        while (XG_CLASS_OF(*++p) & XG_CH_WORD && *p != '-') {}
        x->kind = XG_TOK_NUMBER;
    } else {
        xg_lex_special(x, p);
        return;
    }
    x->at = p;
    x->len = (uint32_t)(p - x->tok);
}
XG_FN void xg_lex_init(xg_lex *x, xg_ctx *c, xg_arena *a, const xg_source *src, bool lasts) {
    const char *nul = src->size ? (const char *)memchr(src->text, 0, src->size) : NULL;
    memset(x, 0, sizeof *x);
    x->ctx = c;
    x->src = src;
    x->arena = a;
    if (nul)
        xg_fail_at(c, XLAGPU_ERROR_SYNTAX, src, (size_t)(nul - src->text),
            "HLO is text in UTF-8; protobufs and MLIR bytecode are told by their first bytes",
            "the text holds a NUL byte");
    if (src->size > UINT32_MAX - 16) xg_fail(c, XLAGPU_ERROR_LIMIT, "the text is longer than 4 GiB");
    x->base = lasts ? src->text : xg_str_copy(a, xg_str_of(src->text, src->size)).p;
    x->end = x->base + src->size;
    x->at = x->base;
    xg_lex_next(x);
}
XG_FN void xg_lex_restart(xg_lex *x, size_t offset) {
    x->at = x->base + offset;
    xg_lex_next(x);
}

XG_FN bool xg_lex_take(xg_lex *x, int kind) {
    if (x->kind != kind) return false;
    xg_lex_next(x);
    return true;
}
XG_FN void xg_lex_expect(xg_lex *x, int kind, const char *what) {
    if (XG_UNLIKELY(x->kind != kind)) xg_lex_fail(x, NULL, "expected %s, found %s", what, xg_lex_found(x));
    xg_lex_next(x);
}

/* ---- values ---- */

XG_FN bool xg_lex_to_int(xg_str s, int64_t *out) {
    uint64_t v = 0;
    uint32_t k = s.n && s.p[0] == '-';
    if (k == s.n) return false;
    for (; k < s.n; k++) {
        unsigned digit = (unsigned)((unsigned char)s.p[k] - '0');
        if (digit > 9 || v > ((uint64_t)INT64_MAX - digit) / 10) return false;
        v = v * 10 + digit;
    }
    *out = s.p[0] == '-' ? -(int64_t)v : (int64_t)v;
    return true;
}
XG_FN int64_t xg_lex_int(xg_lex *x, const char *what) {
    int64_t v = 0;
    if (x->kind != XG_TOK_NUMBER || !xg_lex_to_int(xg_lex_text(x), &v))
        xg_lex_fail(x, NULL, "expected %s (an integer of 64 bits), found %s", what, xg_lex_found(x));
    xg_lex_next(x);
    return v;
}
XG_FN int xg_lex_hex(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* One escape behind its backslash; *s is moved behind it. */
XG_FN bool xg_lex_escape(const char **s, const char *end, char *out) {
    XG_TABLE const char from[] = "abfnrtv\\'\"?", to[] = "\a\b\f\n\r\t\v\\'\"?";
    const char *p = *s, *found = p < end ? (const char *)memchr(from, *p, sizeof from - 1) : NULL;
    int v = 0, n = 0;
    if (found) {
        *out = to[found - from];
        *s = p + 1;
        return true;
    }
    if (p < end && (*p == 'x' || *p == 'X')) {
        for (p++; p < end && n < 2 && xg_lex_hex(*p) >= 0; p++, n++) v = v * 16 + xg_lex_hex(*p);
    } else
        for (; p < end && n < 3 && *p >= '0' && *p <= '7'; p++, n++) v = v * 8 + (*p - '0');
    *out = (char)(unsigned char)v;
    *s = p;
    return n > 0 && v < 256;
}
XG_FN xg_str xg_lex_string(xg_lex *x, xg_arena *a, const char *what) {
    const char *p = x->tok + 1, *end = x->tok + x->len - 1;
    char *out;
    uint32_t n = 0;
    if (x->kind != XG_TOK_STRING)
        xg_lex_fail(x, NULL, "expected %s (a quoted string), found %s", what, xg_lex_found(x));
    if (!memchr(p, '\\', (size_t)(end - p))) {
        xg_lex_next(x);
        return xg_str_of(p, (size_t)(end - p));
    }
    out = (char *)xg_alloc_raw(a, x->len);
    while (p < end) {
        const char *back = p;
        if (*p != '\\') {
            out[n++] = *p++;
            continue;
        }
        p++;
        if (!xg_lex_escape(&p, end, &out[n++]))
            xg_lex_fail_at(x, (size_t)(back - x->base), "escapes are those of C: \\n \\t \\\" \\\\ \\ooo \\xhh",
                "an escape that does not exist");
    }
    out[n] = 0;
    xg_lex_next(x);
    return xg_str_of(out, n);
}
XG_FN xg_str xg_lex_run(xg_lex *x, const char *set) {
    const char *start = x->tok, *p = start;
    while ((XG_CLASS_OF(*p) & (XG_CH_FIRST | XG_CH_DIGIT)) || (*p && strchr(set, *p))) p++;
    if (p > start) {
        x->at = p;
        xg_lex_next(x);
    }
    return xg_str_of(start, (size_t)(p - start));
}
XG_FN xg_str xg_lex_balanced(xg_lex *x) {
    char open[XG_TEXT_DEPTH_MAX];
    const char *p = x->tok, *start = p;
    uint32_t n = 0;
    do {
        p = xg_lex_skip(p);
        if (*p == '{' || *p == '[' || *p == '(') {
            if (n == XG_TEXT_DEPTH_MAX)
                xg_fail_at(x->ctx, XLAGPU_ERROR_LIMIT, x->src, (size_t)(p - x->base), NULL,
                    "brackets are nested more than %d deep", (int)XG_TEXT_DEPTH_MAX);
            open[n++] = *p == '{' ? '}' : *p == '[' ? ']' : ')';
            p++;
        } else if (*p == '}' || *p == ']' || *p == ')') {
            if (open[n - 1] != *p)
                xg_lex_wrong_at(x, (size_t)(p - x->base), "expected '%c' here, found '%c'", open[n - 1], *p);
            n--;
            p++;
        } else if (*p == '"' || *p == '\'') {
            const char *q = xg_lex_skip_string(p);
            if (!q) xg_lex_wrong_at(x, (size_t)(p - x->base), "a string without end");
            p = q;
        } else if (*p == 0 || (p[0] == '/' && p[1] == '*'))
            xg_lex_fail(x, NULL, "a bracket that is never closed: expected '%c' before %s", open[n - 1],
                *p ? "a comment without end" : "the end of the text");
        else
            p++;
    } while (n);
    x->at = p;
    xg_lex_next(x);
    return xg_str_of(start, (size_t)(p - start));
}
#undef XG_CLASS_OF

#endif /* XG_HLO_LEX_C */
