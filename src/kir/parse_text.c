/* kir/parse_text.c -- the pieces of kernel IR's text: characters, types, values, regions.
 *
 * A name is known from its definition to the end of the region it stands in: each region's end forgets the names made
 * inside. Recursion is bounded by the depth of regions. */
#ifndef XG_KIR_PARSE_TEXT_C
#define XG_KIR_PARSE_TEXT_C
#include "kir.h"
#include "print.c"
#include "build.c"

enum {
    XG_KPARSE_DEPTH_MAX = 200
};

typedef struct xg_kname_cell {
    xg_kval *vals;
    uint32_t n;
} xg_kname_cell; /* vals NULL: the name is not known here */
typedef struct xg_kparser {
    xg_ctx *c;
    xg_arena *a;
    xg_kmodule *m;
    const xg_source *src;
    size_t at;
    uint32_t depth;
    xg_dict names;                 /* of the function: name -> cell */
    XG_VEC(xg_kname_cell *) scope; /* cells in the order of definition; a region's end forgets its own */
    xg_dict maps, funcs, ops;
} xg_kparser;

/* ---- characters ---- */

XG_NORETURN XG_FN void xg_kparse_fail(xg_kparser *p, size_t at, const char *what, xg_str piece) {
    xg_fail_at(p->c, XLAGPU_ERROR_SYNTAX, p->src, at, NULL, "%s%s%.*s%s", what, piece.n ? " '" : "",
        (int)XG_MIN(piece.n, 80u), piece.n ? piece.p : "", piece.n ? "'" : "");
}
/* The name with its sigil in front. */
XG_FN xg_str xg_kwhole_name(xg_str name) { return xg_str_of(name.p - 1, (size_t)name.n + 1); }
XG_FN char xg_kchar(const xg_kparser *p, size_t at) { return at < p->src->size ? p->src->text[at] : 0; }
XG_FN void xg_kskip(xg_kparser *p) {
    for (;;) {
        char c = xg_kchar(p, p->at);
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
            p->at++;
        else if (c == '/' && xg_kchar(p, p->at + 1) == '/')
            while (p->at < p->src->size && p->src->text[p->at] != '\n') p->at++;
        else
            return;
    }
}
XG_FN bool xg_kword_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '$';
}
/* Takes `text` if it is next and does not go on as a longer word. */
XG_FN bool xg_ktake(xg_kparser *p, const char *text) {
    size_t n = strlen(text);
    xg_kskip(p);
    if (p->src->size - p->at < n || memcmp(p->src->text + p->at, text, n) != 0) return false;
    if (xg_kword_char(text[n - 1]) && xg_kword_char(xg_kchar(p, p->at + n))) return false;
    p->at += n;
    return true;
}
XG_FN void xg_kexpect(xg_kparser *p, const char *text) {
    if (!xg_ktake(p, text)) xg_kparse_fail(p, p->at, "expected", xg_str_z(text));
}
XG_FN xg_str xg_kword(xg_kparser *p) {
    size_t start;
    xg_kskip(p);
    start = p->at;
    while (xg_kword_char(xg_kchar(p, p->at))) p->at++;
    return xg_str_of(p->src->text + start, p->at - start);
}
/* A name after its sigil, which is taken too. */
XG_FN xg_str xg_kname(xg_kparser *p, char sigil) {
    size_t start;
    xg_kskip(p);
    if (xg_kchar(p, p->at) != sigil) xg_kparse_fail(p, p->at, "expected a name that begins with", xg_str_of(&sigil, 1));
    start = ++p->at;
    while (xg_kname_char(xg_kchar(p, p->at))) p->at++;
    if (p->at == start) xg_kparse_fail(p, p->at, "expected a name", xg_str_of(NULL, 0));
    return xg_str_of(p->src->text + start, p->at - start);
}
XG_FN int64_t xg_kinteger(xg_kparser *p) {
    bool negative = false;
    int64_t v = 0;
    size_t start;
    xg_kskip(p);
    start = p->at;
    if (xg_kchar(p, p->at) == '-') {
        negative = true;
        p->at++;
    }
    if (xg_kchar(p, p->at) < '0' || xg_kchar(p, p->at) > '9')
        xg_kparse_fail(p, p->at, "expected an integer", xg_str_of(NULL, 0));
    for (; xg_kchar(p, p->at) >= '0' && xg_kchar(p, p->at) <= '9'; p->at++) {
        int digit = p->src->text[p->at] - '0';
        if (!xg_mul64(v, 10, &v) || !xg_add64(v, negative ? -digit : digit, &v))
            xg_kparse_fail(p, start, "the integer does not fit 64 bits", xg_str_of(NULL, 0));
    }
    return v;
}
XG_FN uint32_t xg_kcount(xg_kparser *p) {
    size_t at = p->at;
    int64_t v = xg_kinteger(p);
    if (v < 0 || v > UINT32_MAX) xg_kparse_fail(p, at, "the number does not fit 32 bits", xg_str_of(NULL, 0));
    return (uint32_t)v;
}

/* ---- types ---- */

XG_FN xg_kelem xg_kparse_elem(xg_kparser *p) {
    int e;
    for (e = 0; e < (int)XG_E_COUNT; e++)
        if (xg_ktake(p, xg_kelem_name((xg_kelem)e))) return (xg_kelem)e;
    xg_kparse_fail(p, p->at, "expected an element type such as f32 or i1", xg_str_of(NULL, 0));
    return XG_E_COUNT;
}
XG_FN const xg_ktype *xg_kparse_pointer(xg_kparser *p) {
    xg_kspace space = XG_SPACE_GLOBAL;
    if (xg_kchar(p, p->at) == '<') {
        p->at++;
        if (xg_ktake(p, "3"))
            space = XG_SPACE_SHARED;
        else if (xg_ktake(p, "5"))
            space = XG_SPACE_LOCAL;
        else if (xg_ktake(p, "4"))
            space = XG_SPACE_CONST;
        else if (xg_ktake(p, "7"))
            space = XG_SPACE_CLUSTER;
        else
            xg_kparse_fail(p, p->at, "expected address space 3 (shared), 4 (constant), 5 (local) or 7 (of a cluster)",
                xg_str_of(NULL, 0));
        xg_kexpect(p, ">");
    }
    return xg_kir_pointer(p->m, space);
}
XG_FN const xg_ktype *xg_kparse_type(xg_kparser *p) {
    XG_VEC(int64_t) dims;
    bool vector;
    xg_kelem e;
    size_t at;
    memset(&dims, 0, sizeof dims);
    xg_kskip(p);
    at = p->at;
    if (xg_ktake(p, "!llvm.ptr")) return xg_kparse_pointer(p);
    vector = xg_ktake(p, "vector");
    if (!vector && !xg_ktake(p, "tensor")) return xg_kir_scalar(p->m, xg_kparse_elem(p));
    xg_kexpect(p, "<");
    for (xg_kskip(p); xg_kchar(p, p->at) >= '0' && xg_kchar(p, p->at) <= '9'; xg_kskip(p)) {
        xg_push(p->a, int64_t, &dims, xg_kinteger(p));
        if (xg_kchar(p, p->at) != 'x') xg_kparse_fail(p, p->at, "expected 'x' behind a dimension", xg_str_of(NULL, 0));
        p->at++;
    }
    e = xg_kparse_elem(p);
    xg_kexpect(p, ">");
    if (vector && (dims.n != 1 || dims.p[0] < 1 || dims.p[0] > 64))
        xg_kparse_fail(p, at, "a vector has one dimension of 1 to 64 lanes", xg_str_of(NULL, 0));
    return vector ? xg_kir_vector(p->m, e, dims.p[0]) : xg_kir_tensor(p->m, e, dims.p, dims.n);
}
typedef XG_VEC(const xg_ktype *) xg_ktypes;
/* (t, t) or one t. */
XG_FN xg_ktypes xg_kparse_types(xg_kparser *p) {
    xg_ktypes v;
    memset(&v, 0, sizeof v);
    if (!xg_ktake(p, "(")) {
        xg_push(p->a, const xg_ktype *, &v, xg_kparse_type(p));
        return v;
    }
    if (xg_ktake(p, ")")) return v;
    do xg_push(p->a, const xg_ktype *, &v, xg_kparse_type(p));
    while (xg_ktake(p, ","));
    xg_kexpect(p, ")");
    return v;
}
XG_FN void xg_kexpect_type(xg_kparser *p, const xg_ktype *want) {
    size_t at;
    xg_kskip(p);
    at = p->at;
    if (xg_kparse_type(p) != want) {
        xg_buf b;
        xg_buf_init(&b, p->a);
        xg_ktype_print(&b, want);
        xg_kparse_fail(p, at, "the type differs from that of the value, which is", xg_str_of(b.p, b.n));
    }
}

/* ---- values ---- */

typedef XG_VEC(xg_kval *) xg_kvals;

XG_FN void xg_kbind(xg_kparser *p, size_t at, xg_str name, xg_kval *vals, uint32_t n) {
    xg_kname_cell *cell = (xg_kname_cell *)xg_dict_get(&p->names, name);
    uint32_t k;
    bool digits = true;
    if (!cell) {
        cell = XG_NEW(p->a, xg_kname_cell);
        (void)xg_dict_put(&p->names, name, cell);
    }
    if (cell->vals) xg_kparse_fail(p, at, "this name is taken:", xg_kwhole_name(name));
    cell->vals = vals;
    cell->n = n;
    xg_push(p->a, xg_kname_cell *, &p->scope, cell);
    for (k = 0; k < name.n; k++) digits = digits && name.p[k] >= '0' && name.p[k] <= '9';
    if (!digits) vals[0].name = xg_str_copy(p->a, name);
}
XG_FN xg_kval *xg_kparse_value(xg_kparser *p) {
    size_t at;
    xg_str name;
    xg_kname_cell *cell;
    uint32_t which = 0;
    xg_kskip(p);
    at = p->at;
    name = xg_kname(p, '%');
    cell = (xg_kname_cell *)xg_dict_get(&p->names, name);
    if (!cell || !cell->vals) xg_kparse_fail(p, at, "no value of this name is defined here:", xg_kwhole_name(name));
    if (xg_kchar(p, p->at) == '#') {
        p->at++;
        which = xg_kcount(p);
    }
    if (which >= cell->n) xg_kparse_fail(p, at, "there are fewer results in the group", xg_kwhole_name(name));
    return &cell->vals[which];
}
/* Values separated by commas up to `end`, which is taken; none if it comes at once. */
XG_FN void xg_kparse_until(xg_kparser *p, xg_kvals *v, const char *end) {
    if (xg_ktake(p, end)) return;
    do xg_push(p->a, xg_kval *, v, xg_kparse_value(p));
    while (xg_ktake(p, ","));
    xg_kexpect(p, end);
}
XG_FN xg_kvals xg_kparse_operands(xg_kparser *p) {
    xg_kvals v;
    memset(&v, 0, sizeof v);
    /* a value on the next line is the next operation's result */
    while (xg_kchar(p, p->at) == ' ' || xg_kchar(p, p->at) == '\t') p->at++;
    if (xg_kchar(p, p->at) != '%') return v;
    do xg_push(p->a, xg_kval *, &v, xg_kparse_value(p));
    while (xg_ktake(p, ","));
    return v;
}
XG_FN void xg_kexpect_operands(xg_kparser *p, xg_kopcode code, size_t at, uint32_t n) {
    if (n < xg_kop_rows[code].lo || n > xg_kop_rows[code].hi)
        xg_kparse_fail(p, at, "wrong number of operands of", xg_str_z(xg_kop_name(code)));
}
/* New names: `%a, %b` up to end; where they stand is remembered for errors. */
typedef struct xg_knew {
    xg_str name;
    size_t at;
    xg_kval *init;
    uint32_t count;
} xg_knew;
typedef XG_VEC(xg_knew) xg_knews;
XG_FN xg_knew xg_kparse_new(xg_kparser *p) {
    xg_knew n;
    xg_kskip(p);
    n.at = p->at;
    n.name = xg_kname(p, '%');
    n.init = NULL;
    n.count = 1;
    return n;
}
XG_FN void xg_kparse_news(xg_kparser *p, xg_knews *v, const char *end) {
    if (xg_ktake(p, end)) return;
    do xg_push(p->a, xg_knew, v, xg_kparse_new(p));
    while (xg_ktake(p, ","));
    xg_kexpect(p, end);
}
/* (%a = %init, ...) */
XG_FN xg_knews xg_kparse_carried(xg_kparser *p) {
    xg_knews v;
    memset(&v, 0, sizeof v);
    xg_kexpect(p, "(");
    if (xg_ktake(p, ")")) return v;
    do {
        xg_knew n = xg_kparse_new(p);
        xg_kexpect(p, "=");
        n.init = xg_kparse_value(p);
        xg_push(p->a, xg_knew, &v, n);
    } while (xg_ktake(p, ","));
    xg_kexpect(p, ")");
    return v;
}
XG_FN xg_kvals xg_kinits(xg_kparser *p, const xg_knews *news) {
    xg_kvals v;
    uint32_t k;
    memset(&v, 0, sizeof v);
    for (k = 0; k < news->n; k++) xg_push(p->a, xg_kval *, &v, news->p[k].init);
    return v;
}

/* ---- regions ---- */

XG_FN void xg_kbind_args(xg_kparser *p, xg_kregion *r, uint32_t first, const xg_knews *news) {
    uint32_t k;
    for (k = 0; k < news->n; k++) xg_kbind(p, news->p[k].at, news->p[k].name, &r->args[first + k], 1);
}
/* iter_args(...) -> (...), if there. */
XG_FN xg_knews xg_kparse_iter_args(xg_kparser *p) {
    xg_knews v;
    xg_ktypes types;
    size_t at;
    uint32_t k;
    memset(&v, 0, sizeof v);
    if (!xg_ktake(p, "iter_args")) return v;
    v = xg_kparse_carried(p);
    xg_kexpect(p, "->");
    at = p->at;
    types = xg_kparse_types(p);
    if (types.n != v.n) xg_kparse_fail(p, at, "there must be one type for each of iter_args", xg_str_of(NULL, 0));
    for (k = 0; k < v.n; k++)
        if (types.p[k] != v.p[k].init->type)
            xg_kparse_fail(p, at, "a type differs from that of the initial value of", xg_kwhole_name(v.p[k].name));
    return v;
}

#endif /* XG_KIR_PARSE_TEXT_C */
