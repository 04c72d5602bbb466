/* import/proto_wire.c -- the wire format of protocol buffers: fields, varints, packed lists.
 *
 * Laws
 * - A value never reaches beyond the message that holds it, and a message never beyond the one around it.
 * - Varints have at most ten bytes and 64 bits; groups, which the format gave up, are errors. */
#ifndef XG_IMPORT_PROTO_WIRE_C
#define XG_IMPORT_PROTO_WIRE_C
#include "proto.h"

#define XG_PROTO_DAMAGED "the file is damaged or cut off: write or copy it again"

XG_NORETURN XG_FN void xg_proto_fail(
    const xg_proto *p, const unsigned char *at, const char *hint, const char *format, ...) {
    char text[XG_MESSAGE_MAX / 2];
    va_list args;
    va_start(args, format);
    xg_vformat(text, sizeof text, format, args);
    va_end(args);
    xg_fail_at(p->ctx, XLAGPU_ERROR_SYNTAX, p->source, (size_t)(at - p->base), hint, "HLO protobuf: %s", text);
}
XG_FN void xg_proto_enter(xg_proto *p, const unsigned char *at) {
    if (++p->depth > XG_PROTO_DEPTH_MAX)
        xg_fail_at(p->ctx, XLAGPU_ERROR_LIMIT, p->source, (size_t)(at - p->base), NULL,
            "HLO protobuf: messages are nested more than %d deep", (int)XG_PROTO_DEPTH_MAX);
}

XG_NOINLINE XG_FN uint64_t xg_proto_varint_long(xg_proto *p, xg_proto_bytes *m) {
    const unsigned char *at = m->p;
    uint64_t v = 0;
    int shift;
    for (shift = 0; m->p < m->end; shift += 7) {
        unsigned char b = *m->p++;
        if (shift == 63 && b > 1)
            xg_proto_fail(p, at, XG_PROTO_DAMAGED, "a number that does not end or has more than 64 bits");
        v |= (uint64_t)(b & 127) << shift;
        if (b < 128) return v;
    }
    xg_proto_fail(p, at, XG_PROTO_DAMAGED, "the message ends inside a number");
}
XG_FN uint64_t xg_proto_varint(xg_proto *p, xg_proto_bytes *m) {
    if (XG_LIKELY(m->p < m->end && *m->p < 128)) return *m->p++;
    if (m->end - m->p > 1 && m->p[1] < 128) {
        m->p += 2;
        return (uint64_t)(m->p[-2] & 127) | (uint64_t)m->p[-1] << 7;
    }
    return xg_proto_varint_long(p, m);
}
XG_FN xg_proto_bytes xg_proto_take(xg_proto *p, xg_proto_bytes *m, const unsigned char *at, uint64_t n) {
    xg_proto_bytes taken;
    uint64_t room = (uint64_t)(m->end - m->p);
    if (n > room)
        xg_proto_fail(p, at, XG_PROTO_DAMAGED, "a field of %llu bytes where %llu are left", (unsigned long long)n,
            (unsigned long long)room);
    taken.p = m->p;
    taken.end = m->p += n;
    return taken;
}
XG_FN bool xg_proto_next(xg_proto *p, xg_proto_bytes *m, xg_proto_field *f) {
    uint64_t tag;
    memset(f, 0, sizeof *f);
    if (m->p == m->end) return false;
    f->at = m->p;
    tag = xg_proto_varint(p, m);
    f->wire = (uint32_t)(tag & 7);
    f->number = (uint32_t)(tag >> 3);
    if (tag < 8 || tag > UINT32_MAX)
        xg_proto_fail(p, f->at, XG_PROTO_DAMAGED, "a field with the number %llu", (unsigned long long)(tag >> 3));
    f->bytes.p = f->bytes.end = m->p;
    switch (f->wire) {
    case XG_WIRE_VARINT: f->value = xg_proto_varint(p, m); break;
    case XG_WIRE_BYTES: f->value = xg_proto_varint(p, m); /* fall through */
    case XG_WIRE_FIXED32:
    case XG_WIRE_FIXED64:
        f->bytes = xg_proto_take(p, m, f->at, f->wire == XG_WIRE_BYTES ? f->value : f->wire == XG_WIRE_FIXED32 ? 4 : 8);
        break;
    default:
        xg_proto_fail(
            p, f->at, XG_PROTO_DAMAGED, "field %u has the wire type %u, which HLO does not have", f->number, f->wire);
    }
    return true;
}

XG_FN void xg_proto_want(xg_proto *p, const xg_proto_field *f, uint32_t wire, const char *what) {
    if (f->wire != wire) xg_proto_fail(p, f->at, XG_PROTO_DAMAGED, "the field here must be %s", what);
}
XG_FN int64_t xg_proto_int(xg_proto *p, const xg_proto_field *f) {
    xg_proto_want(p, f, XG_WIRE_VARINT, "a number");
    return (int64_t)f->value;
}
XG_FN xg_proto_bytes xg_proto_message(xg_proto *p, const xg_proto_field *f) {
    xg_proto_want(p, f, XG_WIRE_BYTES, "a message");
    return f->bytes;
}
XG_FN xg_str xg_proto_str(xg_proto *p, const xg_proto_field *f) {
    xg_proto_want(p, f, XG_WIRE_BYTES, "a string");
    if (f->bytes.end - f->bytes.p > XG_PROTO_BYTES_MAX) xg_proto_fail(p, f->at, NULL, "a string of more than 2 GiB");
    return xg_str_of((const char *)f->bytes.p, (size_t)(f->bytes.end - f->bytes.p));
}
XG_FN void xg_proto_push_ints(xg_proto *p, const xg_proto_field *f) {
    xg_proto_bytes m = f->bytes;
    if (f->wire == XG_WIRE_VARINT) {
        xg_push(p->arena, int64_t, &p->parse->ints, (int64_t)f->value);
        return;
    }
    xg_proto_want(p, f, XG_WIRE_BYTES, "a list of numbers");
    while (m.p < m.end) {
        int64_t v = (int64_t)xg_proto_varint(p, &m);
        xg_push(p->arena, int64_t, &p->parse->ints, v);
    }
}
XG_FN xg_ints xg_proto_ints_of(xg_proto *p, xg_proto_bytes m, uint32_t number) {
    uint32_t base = p->parse->ints.n;
    xg_proto_field f;
    while (xg_proto_next(p, &m, &f))
        if (f.number == number) xg_proto_push_ints(p, &f);
    return xg_parse_take_ints(p->parse, base);
}
XG_FN bool xg_proto_find(xg_proto *p, xg_proto_bytes m, uint32_t number, xg_proto_field *f) {
    xg_proto_field next;
    bool found = false;
    memset(f, 0, sizeof *f);
    while (xg_proto_next(p, &m, &next)) {
        if (next.number != number) continue;
        *f = next;
        found = true;
    }
    return found;
}
XG_FN int64_t xg_proto_int_of(xg_proto *p, xg_proto_bytes m, uint32_t number) {
    xg_proto_field f;
    return xg_proto_find(p, m, number, &f) ? xg_proto_int(p, &f) : 0;
}

/* Whether text in braces can stand in HLO text as it is, as XLA writes such values: brackets and strings match and end
 * with the text, and nothing in it begins a comment or another kind of string. */
XG_FN bool xg_proto_is_dict(xg_str s) {
    char open[XG_TEXT_DEPTH_MAX];
    uint32_t n = 0, k;
    if (s.n < 2 || s.p[0] != '{') return false;
    for (k = 0; k < s.n; k++) {
        unsigned char c = (unsigned char)s.p[k];
        if (k && !n) return false;
        if (c == '"') {
            for (k++; k < s.n && s.p[k] != '"'; k++) {
                if ((unsigned char)s.p[k] < ' ') return false;
                if (s.p[k] == '\\') k++;
            }
            if (k >= s.n) return false;
        } else if (c == '{' || c == '[' || c == '(') {
            if (n == XG_TEXT_DEPTH_MAX - 1) return false;
            open[n++] = c == '{' ? '}' : c == '[' ? ']' : ')';
        } else if (c == '}' || c == ']' || c == ')') {
            if (open[--n] != (char)c) return false;
        } else if (c == '\'' || c == '/' || c > 126 || (c < ' ' && c != '\n' && c != '\t' && c != '\r'))
            return false;
    }
    return n == 0;
}
/* A value behind an equal sign: a dictionary as it stands, all else in quotes. */
XG_FN void xg_proto_put_value(xg_buf *b, xg_str s) {
    if (xg_proto_is_dict(s))
        xg_put_str(b, s);
    else
        xg_put_quoted(b, s);
}
/* The name in front of an equal sign; in quotes if text could not have it otherwise. */
XG_FN void xg_proto_put_key(xg_buf *b, xg_str key) {
    uint32_t k;
    for (k = 0; k < key.n; k++) {
        char c = key.p[k];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
                c == '-' || c == '$'))
            break;
    }
    if (k == key.n && k)
        xg_put_str(b, key);
    else
        xg_put_quoted(b, key);
}

/* The parser of HLO text in front of a text that stands for the bytes at `at`. The caller keeps the parser's scanner
 * and puts it back. */
XG_FN void xg_proto_lex(xg_proto *p, const unsigned char *at, const xg_buf *text) {
    xg_source *src = XG_NEW(p->arena, xg_source);
    xg_buf name;
    xg_buf_init(&name, p->arena);
    xg_printf(&name, "%s: byte %llu, as text", p->source->name, (unsigned long long)(at - p->base));
    src->name = name.p;
    src->text = text->p;
    src->size = text->n;
    xg_lex_init(&p->parse->lex, p->ctx, p->arena, src, true);
}

#endif /* XG_IMPORT_PROTO_WIRE_C */
