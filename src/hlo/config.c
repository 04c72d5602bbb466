/* hlo/config.c -- the text of a backend_config: a JSON object, as XLA prints it.
 *
 * Nothing is built of it: a value is the piece of text that it is written in, and a reader takes members and items off
 * the front of what is left. XLA writes 64-bit numbers in quotes ("n":"10"); both ways of writing a number are read.
 * The parser of attributes has checked that brackets and quotes match. */
#ifndef XG_HLO_CONFIG_C
#define XG_HLO_CONFIG_C
#include "hlo.h"

XG_FN bool xg_config_is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
XG_FN xg_str xg_config_trim(xg_str s) {
    while (s.n && xg_config_is_space(s.p[0])) s = xg_str_of(s.p + 1, s.n - 1);
    while (s.n && xg_config_is_space(s.p[s.n - 1])) s.n--;
    return s;
}
/* Behind the string that begins at `at`. */
XG_FN uint32_t xg_config_string_end(xg_str s, uint32_t at) {
    for (at++; at < s.n && s.p[at] != '"'; at++)
        if (s.p[at] == '\\') at++;
    return XG_MIN(at + 1, s.n);
}
/* The first of `a` and `b` that stands in no string and no brackets; the end, if there is none. */
XG_FN uint32_t xg_config_find(xg_str s, char a, char b) {
    uint32_t at = 0, depth = 0;
    while (at < s.n) {
        char c = s.p[at];
        if (c == '"') {
            at = xg_config_string_end(s, at);
            continue;
        }
        if (!depth && (c == a || c == b)) return at;
        if (c == '{' || c == '[') depth++;
        if ((c == '}' || c == ']') && depth) depth--;
        at++;
    }
    return s.n;
}

XG_FN xg_str xg_config_inside(xg_str value, char open) {
    char close = open == '{' ? '}' : ']';
    value = xg_config_trim(value);
    if (value.n < 2 || value.p[0] != open || value.p[value.n - 1] != close) return xg_str_of(NULL, 0);
    return xg_str_of(value.p + 1, value.n - 2);
}
XG_FN bool xg_config_item(xg_str *rest, xg_str *value) {
    uint32_t end;
    *rest = xg_config_trim(*rest);
    if (!rest->n) return false;
    end = xg_config_find(*rest, ',', ',');
    *value = xg_config_trim(xg_str_of(rest->p, end));
    *rest = end < rest->n ? xg_str_of(rest->p + end + 1, rest->n - end - 1) : xg_str_of(rest->p, 0);
    return true;
}
XG_FN bool xg_config_member(xg_str *rest, xg_str *key, xg_str *value) {
    xg_str member;
    uint32_t colon;
    if (!xg_config_item(rest, &member)) return false;
    colon = xg_config_find(member, ':', ':');
    *key = xg_config_word(xg_str_of(member.p, colon));
    *value = colon < member.n ? xg_config_trim(xg_str_of(member.p + colon + 1, member.n - colon - 1))
                              : xg_str_of(member.p, 0);
    return true;
}
XG_FN xg_str xg_config_get(xg_str object, const char *key) {
    xg_str rest = xg_config_inside(object, '{'), name, value;
    while (xg_config_member(&rest, &name, &value))
        if (xg_str_is(name, key)) return value;
    return xg_str_of(NULL, 0);
}

XG_FN xg_str xg_config_word(xg_str value) {
    value = xg_config_trim(value);
    return value.n >= 2 && value.p[0] == '"' && value.p[value.n - 1] == '"' ? xg_str_of(value.p + 1, value.n - 2)
                                                                            : value;
}
XG_FN bool xg_config_int(xg_str value, int64_t *out) {
    xg_str s = xg_config_word(value);
    bool minus = s.n && s.p[0] == '-';
    int64_t v = 0;
    uint32_t k;
    for (k = minus; k < s.n; k++) {
        if (s.p[k] < '0' || s.p[k] > '9' || !xg_mul64(v, 10, &v)) return false;
        if (!xg_add64(v, minus ? '0' - s.p[k] : s.p[k] - '0', &v)) return false;
    }
    if (k == (uint32_t)minus) return false;
    *out = v;
    return true;
}

/* Older texts have the object in quotes. */
XG_FN xg_str xg_config_object(xg_arena *a, xg_str config) {
    xg_buf b;
    uint32_t k;
    config = xg_config_trim(config);
    if (!config.n || config.p[0] != '"') return config;
    xg_buf_init(&b, a);
    for (config = xg_config_word(config), k = 0; k < config.n; k++) {
        if (config.p[k] == '\\' && k + 1 < config.n) k++;
        xg_putc(&b, config.p[k]);
    }
    return xg_config_trim(xg_str_of(b.p, b.n));
}
XG_FN xg_str xg_config_with(xg_arena *a, xg_str object, const char *key, xg_str value) {
    xg_str rest = xg_config_inside(object, '{'), name, held;
    const char *before = "";
    xg_buf b;
    xg_buf_init(&b, a);
    xg_putc(&b, '{');
    while (xg_config_member(&rest, &name, &held)) {
        if (xg_str_is(name, key)) continue;
        xg_printf(&b, "%s\"%.*s\":%.*s", before, (int)name.n, name.p, (int)held.n, held.p);
        before = ",";
    }
    if (value.n) xg_printf(&b, "%s\"%s\":%.*s", before, key, (int)value.n, value.p);
    xg_putc(&b, '}');
    return xg_str_of(b.p, b.n);
}

#endif /* XG_HLO_CONFIG_C */
