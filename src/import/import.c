/* import/import.c -- whatever is read, as an HLO module. */
#ifndef XG_IMPORT_IMPORT_C
#define XG_IMPORT_IMPORT_C
#include "import.h"
#ifndef XLAGPU_SMALL
#include "mlir.h"
#include "proto.h"
#include "bytecode.h"
#endif

XG_FN bool xg_import_name_char(char c, bool first) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (!first && ((c >= '0' && c <= '9') || c == '.' || c == '-'));
}
XG_FN xg_str xg_import_name(xg_arena *a, xg_str s) {
    char *made;
    bool valid, is_type = xg_type_reserves(s);
    uint32_t k;
    for (k = 0; k < s.n && xg_import_name_char(s.p[k], k == 0); k++) {}
    valid = k == s.n;
    if (valid && !is_type) return s;
    made = (char *)xg_alloc(a, (size_t)s.n + 2);
    made[0] = '_';
    for (k = 0; k < s.n; k++) made[k + 1] = xg_import_name_char(s.p[k], false) ? s.p[k] : '_';
    return !valid && xg_import_name_char(made[1], true) ? xg_str_of(made + 1, s.n) : xg_str_of(made, (size_t)s.n + 1);
}
XG_FN xg_lex xg_import_scan(xg_ctx *c, xg_arena *a, xg_str text) {
    xg_source *src = XG_NEW(a, xg_source);
    xg_lex x;
    src->name = "an attribute";
    src->text = text.p;
    src->size = text.n;
    xg_lex_init(&x, c, a, src, false);
    return x;
}
XG_FN xg_str xg_import_key(xg_arena *a, xg_lex *x) {
    return x->kind == XG_TOK_STRING ? xg_lex_string(x, a, "a name") : xg_lex_run(x, "_.-$");
}
XG_FN xg_str xg_import_value(xg_arena *a, xg_lex *x) {
    xg_str s;
    if (x->kind == XG_TOK_STRING) return xg_lex_string(x, a, "a value");
    if (x->kind == '{' || x->kind == '[' || x->kind == '(') return xg_lex_balanced(x);
    s = xg_lex_text(x);
    xg_lex_next(x);
    return s;
}
#ifndef XLAGPU_SMALL
XG_FN xg_module *xg_import_mlir(xg_ctx *c, xg_arena *a, const xg_source *src) {
    return xg_ir_lower(xg_mlir_read(c, a, src));
}
#endif
XG_COLD XG_NORETURN XG_FN void xg_import_refuse(xg_ctx *c, const xg_source *src, xg_file_kind f) {
    const char *what =
#define X(name, what, hint) what "\0" hint "\0"
        XG_FORMATS(X);
#undef X
    uint32_t k;
    for (k = 0; k < 2 * (uint32_t)f; k++) what += strlen(what) + 1;
#ifdef XLAGPU_SMALL
#define X(name, reader) || f == XG_FORMAT_##name
    if (false XG_READERS_MORE(X))
        xg_fail(c, XLAGPU_ERROR_UNSUPPORTED,
            "%s: error: this is %s, whose reader was compiled out (XLAGPU_SMALL); HLO text is read", src->name, what);
#undef X
#endif
    xg_fail(c, XLAGPU_ERROR_UNSUPPORTED,
        "%s: error: this is %s; HLO and StableHLO are read as text, protobuf and bytecode (%s)", src->name, what,
        what + strlen(what) + 1);
}
XG_FN void xg_import_check(xg_ctx *c, const xg_source *src) {
    xg_file_kind f = xg_import_detect(src->text, src->size);
#define X(name, reader) \
    if (f == XG_FORMAT_##name) return;
    XG_READERS(X)
#undef X
    xg_import_refuse(c, src, f);
}
XG_FN xg_module *xg_import_parse(xg_ctx *c, xg_arena *a, const xg_source *src) {
    return xg_import_parse_as(c, a, src, xg_import_detect(src->text, src->size));
}
XG_APART XG_FN xg_module *xg_import_parse_as(xg_ctx *c, xg_arena *a, const xg_source *src, xg_file_kind f) {
    bool hlo = f == XG_FORMAT_HLO || f == XG_FORMAT_PROTO;
    size_t mark = xg_import_mark(src->text, src->size);
    if (mark) {
        xg_source *rest = XG_NEW(a, xg_source);
        *rest = *src;
        rest->text += mark;
        rest->size -= mark;
        src = rest;
    }
    if (c->dims && *c->dims && hlo)
        xg_fail(c, XLAGPU_ERROR_USAGE, "%s: error: dims: HLO leaves no dimensions open; StableHLO does", src->name);
    if (c->entry && hlo)
        xg_fail(c, XLAGPU_ERROR_USAGE, "%s: error: entry: HLO has one ENTRY; StableHLO has functions", src->name);
#define X(name, reader) \
    if (f == XG_FORMAT_##name) return reader(c, a, src);
    XG_READERS(X)
#undef X
    xg_import_refuse(c, src, f);
}

/* ---- without the room ---- */

#ifdef XLAGPU_SMALL
XG_COLD XG_NORETURN XG_FN void xg_import_unwritten(const xg_module *m, const char *what) {
    xg_fail(m->ctx, XLAGPU_ERROR_UNSUPPORTED, "%s was compiled out (XLAGPU_SMALL); HLO text is written", what);
}
XG_FN void xg_proto_print(xg_buf *b, const xg_module *m, bool wrapped) {
    (void)b;
    (void)wrapped;
    xg_import_unwritten(m, "the writer of HLO protobufs");
}
XG_FN void xg_stable_print(xg_buf *b, const xg_module *m) {
    (void)b;
    xg_import_unwritten(m, "the writer of StableHLO");
}
XG_FN uint32_t xg_proto_examples(
    xg_module *m, const xg_source *src, const xg_literal ***arguments, const xg_literal **result) {
    (void)m;
    (void)src;
    (void)arguments;
    *result = NULL;
    return 0;
}
#endif

#endif /* XG_IMPORT_IMPORT_C */
