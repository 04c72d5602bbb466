/* kir/parse_ops.c -- one function for each syntax word of the table: xg_kparse_<word> reads what xg_kprint_<word>
 * writes.
 *
 * It stands behind the operation's name and gives the new operation; the caller binds the names of its results. Types
 * that the text repeats are compared with those of the operands; what is not syntax is left to the verifier. */
#ifndef XG_KIR_PARSE_OPS_C
#define XG_KIR_PARSE_OPS_C
#include "kir.h"
#include "../base/number.h"
#include "parse_text.c"

/* ---- one function a syntax word ---- */

XG_FN void xg_kparse_op(xg_kparser *p, xg_kb *b); /* at the end of this file */

/* Reads operations up to `}`; the names made inside end here. */
XG_FN void xg_kparse_body(xg_kparser *p, xg_kregion *r, uint32_t mark) {
    xg_kb b = xg_kb_end(p->m, r);
    if (++p->depth > XG_KPARSE_DEPTH_MAX)
        xg_fail_at(p->c, XLAGPU_ERROR_LIMIT, p->src, p->at, NULL, "regions are nested deeper than %d",
            (int)XG_KPARSE_DEPTH_MAX);
    while (!xg_ktake(p, "}")) xg_kparse_op(p, &b);
    if (!xg_kregion_end(r)) xg_kyield(&b, NULL, 0);
    while (p->scope.n > mark) p->scope.p[--p->scope.n]->vals = NULL;
    p->depth--;
}
XG_FN xg_kop *xg_kparse_none(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    size_t at = p->at;
    xg_kvals v = xg_kparse_operands(p);
    int nr = xg_kop_rows[code].results;
    const xg_ktype *t = NULL;
    xg_kexpect_operands(p, code, at, v.n);
    if (v.n || nr) {
        xg_kexpect(p, ":");
        t = xg_kparse_type(p);
    }
    return xg_kir_op(b, code, v.p, v.n, &t, nr > 0 ? 1 : 0, 0);
}
XG_FN xg_kop *xg_kparse_result(xg_kparser *p, xg_kb *b, xg_kopcode code) { return xg_kparse_none(p, b, code); }
XG_FN xg_kvals xg_kparse_typed(xg_kparser *p) {
    xg_kvals v = xg_kparse_operands(p);
    uint32_t k;
    if (v.n) xg_kexpect(p, ":");
    for (k = 0; k < v.n; k++) {
        if (k) xg_kexpect(p, ",");
        xg_kexpect_type(p, v.p[k]->type);
    }
    return v;
}
XG_FN xg_kop *xg_kparse_values(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    xg_kvals v = xg_kparse_typed(p);
    bool same = xg_kop_rows[code].results < 0;
    return xg_kir_op(b, code, v.p, v.n, same ? xg_ktypes_of(b, v.p, v.n) : NULL, same ? v.n : 0, 0);
}
XG_FN xg_kop *xg_kparse_retyped(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    size_t at = p->at;
    xg_kvals v = xg_kparse_typed(p);
    const xg_ktype *t;
    xg_kexpect_operands(p, code, at, v.n);
    xg_kexpect(p, "->");
    t = xg_kparse_type(p);
    return xg_kir_op(b, code, v.p, v.n, &t, 1, 0);
}
XG_FN xg_kop *xg_kparse_matrix(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    bool transposed = xg_ktake(p, "transposed");
    xg_kop *op = xg_kparse_retyped(p, b, code);
    op->flags = transposed ? XG_KMATRIX_TRANSPOSED : 0;
    return op;
}
/* name = a number */
XG_FN int64_t xg_knumber(xg_kparser *p, const char *name) {
    xg_kexpect(p, name);
    xg_kexpect(p, "=");
    return xg_kinteger(p);
}
/* The two types that are multiplied, each with a word behind it if `rows` are allowed to lie side by side. */
XG_FN uint32_t xg_kparse_factors(xg_kparser *p, bool rows) {
    size_t at = p->at;
    xg_str left = xg_kword(p), right;
    uint32_t flags = rows && xg_ktake(p, "rows") ? (uint32_t)XG_KWGMMA_A_ROWS : 0, k;
    xg_kexpect(p, ",");
    right = xg_kword(p);
    if (rows && xg_ktake(p, "rows")) flags |= XG_KWGMMA_B_ROWS;
    for (k = 0; k < XG_KMMA_COUNT; k++)
        if (xg_str_is(left, xg_kmma_row_of(k)->a) && xg_str_is(right, xg_kmma_row_of(k)->b)) return k | flags;
    xg_kparse_fail(
        p, at, "no matrix unit multiplies these types:", xg_str_of(left.p, (size_t)(right.p + right.n - left.p)));
}
XG_FN xg_kop *xg_kparse_aligned(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    xg_kop *op = xg_kparse_none(p, b, code);
    if (!xg_ktake(p, "{")) return op;
    op->b = xg_knumber(p, "align");
    xg_kexpect(p, "}");
    return op;
}
XG_FN xg_kop *xg_kparse_strides(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    xg_kop *op = xg_kparse_retyped(p, b, code);
    xg_kexpect(p, "{");
    op->a = xg_knumber(p, "atoms");
    xg_kexpect(p, ",");
    op->b = xg_knumber(p, "lines");
    xg_kexpect(p, "}");
    return op;
}
XG_FN xg_kop *xg_kparse_wgmma(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    uint32_t flags = xg_kparse_factors(p, true);
    size_t at = p->at;
    xg_kvals v = xg_kparse_typed(p);
    xg_kop *op;
    if (v.n < 3) xg_kexpect_operands(p, code, at, v.n);
    op = xg_kir_op(b, code, v.p, v.n, xg_ktypes_of(b, v.p + 2, v.n - 2), v.n - 2, 0);
    op->flags = flags;
    return op;
}
XG_FN int64_t xg_kparse_columns(xg_kparser *p) {
    int64_t n;
    xg_kexpect(p, "{");
    n = xg_knumber(p, "columns");
    xg_kexpect(p, "}");
    return n;
}
XG_FN xg_kop *xg_kparse_tensor_mma(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    uint32_t flags = xg_kparse_factors(p, true);
    size_t at = p->at;
    xg_kvals v = xg_kparse_typed(p);
    xg_kop *op;
    xg_kexpect_operands(p, code, at, v.n);
    op = xg_kir_do(b, code, v.p, v.n);
    op->flags = flags;
    op->b = xg_kparse_columns(p);
    return op;
}
/* As many results of the type as there are eight columns. */
XG_FN xg_kop *xg_kparse_tensor_read(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    const xg_ktype *types[XG_KWGMMA_SUMS_MAX], *t;
    size_t at = p->at;
    xg_kvals v = xg_kparse_typed(p);
    int64_t columns;
    uint32_t k;
    xg_kop *op;
    xg_kexpect_operands(p, code, at, v.n);
    xg_kexpect(p, "->");
    t = xg_kparse_type(p);
    at = p->at;
    columns = xg_kparse_columns(p);
    if (columns < XG_KMMA_N || columns > XG_KWGMMA_N_MAX)
        xg_kparse_fail(p, at, "expected 8 to 256 columns", xg_str_of(NULL, 0));
    for (k = 0; k < columns / XG_KMMA_N; k++) types[k] = t;
    op = xg_kir_op(b, code, v.p, v.n, types, k, 0);
    op->b = columns;
    return op;
}
XG_FN xg_kop *xg_kparse_mma(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    uint32_t flags = xg_kparse_factors(p, false);
    size_t at = p->at;
    const xg_ktype *t;
    xg_kvals v;
    xg_kop *op;
    int64_t half;
    v = xg_kparse_operands(p);
    xg_kexpect_operands(p, code, at, v.n);
    xg_kexpect(p, "{");
    half = xg_knumber(p, "half");
    xg_kexpect(p, "}");
    xg_kexpect(p, ":");
    t = xg_kparse_type(p);
    op = xg_kir_op(b, code, v.p, v.n, &t, 1, 0);
    op->flags = flags;
    op->a = half;
    return op;
}
XG_FN xg_kop *xg_kparse_count(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    xg_kop *op = xg_kir_do_0(b, code);
    if (!xg_ktake(p, "{")) return op;
    op->b = xg_knumber(p, "but");
    xg_kexpect(p, "}");
    return op;
}
XG_FN xg_kop *xg_kparse_amount(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    xg_kop *op = xg_kparse_values(p, b, code);
    if (!xg_ktake(p, "{")) return op;
    if (!xg_ktake(p, "blocks")) {
        op->b = xg_knumber(p, "n");
        if (!xg_ktake(p, ",")) {
            xg_kexpect(p, "}");
            return op;
        }
        xg_kexpect(p, "blocks");
    }
    xg_kexpect(p, "=");
    op->a = xg_kinteger(p);
    xg_kexpect(p, "}");
    return op;
}
XG_FN xg_kop *xg_kparse_team(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    enum {
        BARRIERS = 16,
        THREADS = 1024
    }; /* of a block */
    xg_kop *op = xg_kparse_values(p, b, code);
    size_t at = p->at;
    if (!xg_ktake(p, "{")) return op;
    if (xg_ktake(p, "cluster")) {
        op->a = XG_KTEAM_CLUSTER;
        op->b = xg_ktake(p, "relaxed") ? XG_KTEAM_RELAXED : 0;
        xg_kexpect(p, "}");
        return op;
    }
    op->b = xg_knumber(p, "barrier");
    xg_kexpect(p, ",");
    op->a = xg_knumber(p, "threads");
    xg_kexpect(p, "}");
    if (op->b < 0 || op->b >= BARRIERS || op->a < 32 || op->a > THREADS || op->a % 32)
        xg_kparse_fail(p, at, "expected a barrier of 0..15 and whole warps, up to 1024 threads", xg_str_of(NULL, 0));
    return op;
}
XG_FN xg_kop *xg_kparse_condition(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    xg_kvals v, rest;
    uint32_t k;
    memset(&v, 0, sizeof v);
    xg_kexpect(p, "(");
    xg_push(p->a, xg_kval *, &v, xg_kparse_value(p));
    xg_kexpect(p, ")");
    rest = xg_kparse_typed(p);
    for (k = 0; k < rest.n; k++) xg_push(p->a, xg_kval *, &v, rest.p[k]);
    return xg_kir_do(b, code, v.p, v.n);
}
XG_FN xg_kop *xg_kparse_call(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    size_t at = p->at;
    xg_str name = xg_kname(p, '@');
    xg_kfunc *f = (xg_kfunc *)xg_dict_get(&p->funcs, name);
    xg_kvals v;
    uint32_t k;
    (void)code;
    memset(&v, 0, sizeof v);
    if (!f) xg_kparse_fail(p, at, "no function of this name:", xg_kwhole_name(name));
    xg_kexpect(p, "(");
    xg_kparse_until(p, &v, ")");
    xg_kexpect(p, ":");
    xg_kexpect(p, "(");
    for (k = 0; k < v.n; k++) {
        if (k) xg_kexpect(p, ",");
        xg_kexpect_type(p, v.p[k]->type);
    }
    xg_kexpect(p, ")");
    xg_kexpect(p, "->");
    (void)xg_kparse_types(p);
    return xg_kcall(b, f, v.p, v.n);
}
XG_FN xg_kop *xg_kparse_shuffle_reduce(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    int64_t distance;
    xg_kvals v;
    xg_kfunc *f;
    xg_kop *op;
    size_t at;
    uint32_t k;
    memset(&v, 0, sizeof v);
    xg_kexpect(p, "(");
    xg_kparse_until(p, &v, ")");
    xg_kexpect(p, "to");
    distance = xg_kinteger(p);
    xg_kexpect(p, "combiner");
    xg_kexpect(p, "=");
    at = p->at;
    f = (xg_kfunc *)xg_dict_get(&p->funcs, xg_kname(p, '@'));
    if (!f) xg_kparse_fail(p, at, "no function of this name", xg_str_of(NULL, 0));
    xg_kexpect(p, ":");
    for (k = 0; k < v.n; k++) {
        if (k) xg_kexpect(p, ",");
        xg_kexpect_type(p, v.p[k]->type);
    }
    op = xg_kir_op(b, code, v.p, v.n, xg_ktypes_of(b, v.p, v.n), v.n, 0);
    op->a = distance;
    op->p = f;
    return op;
}
/* Flags that xg_kprint_words wrote, in any order. */
XG_FN uint32_t xg_kparse_words(xg_kparser *p, const char *words) {
    uint32_t flags = 0, before, bit;
    do {
        const char *at = words;
        before = flags;
        for (bit = 1; *at; bit <<= 1) {
            char word[16];
            xg_format(word, sizeof word, "%.*s", (int)strcspn(at, " "), at);
            if (xg_ktake(p, word)) flags |= bit;
            at += strlen(word);
            if (*at) at++;
        }
    } while (flags != before);
    return flags;
}
/* A word and a number that a loop's maker expects; 0: there is none. */
XG_FN int64_t xg_kparse_hint(xg_kparser *p, const char *word) {
    size_t at;
    int64_t v;
    if (!xg_ktake(p, word)) return 0;
    at = p->at;
    v = xg_kinteger(p);
    if (v < 1) xg_kparse_fail(p, at, "what is expected of a loop is 1 or more:", xg_str_z(word));
    return v;
}
XG_FN xg_kop *xg_kparse_for(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    xg_knew variable = xg_kparse_new(p);
    xg_kval *bounds[3];
    uint32_t mark;
    uint32_t flags;
    int64_t trips, ends;
    xg_knews carried;
    xg_kvals inits;
    xg_kop *op;
    (void)code;
    xg_kexpect(p, "=");
    bounds[0] = xg_kparse_value(p);
    xg_kexpect(p, "to");
    bounds[1] = xg_kparse_value(p);
    xg_kexpect(p, "step");
    bounds[2] = xg_kparse_value(p);
    if (xg_ktake(p, ":")) xg_kexpect_type(p, bounds[0]->type);
    trips = xg_kparse_hint(p, "trips");
    ends = xg_kparse_hint(p, "ends");
    flags = xg_kparse_words(p, xg_kloop_words);
    carried = xg_kparse_iter_args(p);
    inits = xg_kinits(p, &carried);
    op = xg_kfor(b, bounds[0], bounds[1], bounds[2], inits.p, inits.n);
    op->flags |= flags;
    op->a = trips;
    op->b = ends;
    xg_kexpect(p, "{");
    mark = p->scope.n;
    xg_kbind(p, variable.at, variable.name, &op->regions[0]->args[0], 1);
    xg_kbind_args(p, op->regions[0], 1, &carried);
    xg_kparse_body(p, op->regions[0], mark);
    return op;
}
XG_FN xg_kop *xg_kparse_if(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    xg_kval *cond = xg_kparse_value(p);
    int64_t seldom = xg_ktake(p, "seldom"), of;
    xg_ktypes types;
    xg_kop *op;
    (void)code;
    if (xg_ktake(p, "once")) {
        xg_kexpect(p, "in");
        seldom = xg_kinteger(p);
    }
    of = xg_ktake(p, "of") ? xg_kinteger(p) : 0;
    memset(&types, 0, sizeof types);
    if (xg_ktake(p, "->")) types = xg_kparse_types(p);
    op = xg_kif(b, cond, types.p, types.n);
    op->a = XG_MAX(seldom, (int64_t)0);
    op->b = XG_MAX(of, (int64_t)0);
    xg_kexpect(p, "{");
    xg_kparse_body(p, op->regions[0], p->scope.n);
    if (xg_ktake(p, "else")) {
        xg_kexpect(p, "{");
        xg_kparse_body(p, op->regions[1], p->scope.n);
    } else {
        xg_kb end = xg_kb_end(p->m, op->regions[1]);
        xg_kyield(&end, NULL, 0);
    }
    return op;
}
XG_FN xg_kop *xg_kparse_while(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    bool seldom = xg_ktake(p, "seldom");
    xg_knews carried = xg_kparse_carried(p);
    xg_kvals inits = xg_kinits(p, &carried);
    const xg_ktype **types = xg_ktypes_of(b, inits.p, inits.n);
    size_t at;
    uint32_t mark, k;
    xg_ktypes results;
    xg_kop *op;
    xg_kexpect(p, ":");
    (void)xg_kparse_types(p);
    xg_kexpect(p, "->");
    results = xg_kparse_types(p);
    op = xg_kir_op(b, code, inits.p, inits.n, results.p, results.n, 2);
    op->a = seldom;
    xg_kir_region_args(b, op, 0, types, inits.n);
    xg_kir_region_args(b, op, 1, results.p, results.n);
    xg_kexpect(p, "{");
    mark = p->scope.n;
    xg_kbind_args(p, op->regions[0], 0, &carried);
    xg_kparse_body(p, op->regions[0], mark);
    xg_kexpect(p, "do");
    xg_kexpect(p, "{");
    if (xg_ktake(p, "^bb0")) {
        xg_kexpect(p, "(");
        for (k = 0; k < results.n; k++) {
            xg_knew n;
            if (k) xg_kexpect(p, ",");
            n = xg_kparse_new(p);
            xg_kexpect(p, ":");
            xg_kexpect_type(p, results.p[k]);
            xg_kbind(p, n.at, n.name, &op->regions[1]->args[k], 1);
        }
        at = p->at;
        if (!xg_ktake(p, ")") || !xg_ktake(p, ":"))
            xg_kparse_fail(p, at, "expected '):' after the carried values", xg_str_of(NULL, 0));
    }
    xg_kparse_body(p, op->regions[1], mark);
    return op;
}
XG_FN void xg_kparse_indices(xg_kparser *p, xg_kvals *v) {
    xg_kexpect(p, "[");
    xg_kparse_until(p, v, "]");
}
XG_FN xg_kop *xg_kparse_atomic_rmw(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    xg_kvals v;
    const xg_ktype *type;
    uint32_t mark;
    xg_knew n;
    xg_kop *op;
    memset(&v, 0, sizeof v);
    xg_push(b->m->arena, xg_kval *, &v, xg_kparse_value(p));
    xg_kparse_indices(p, &v);
    xg_kexpect(p, ":");
    xg_kexpect_type(p, v.p[0]->type);
    op = xg_kir_op(b, code, v.p, v.n, &v.p[0]->type, 1, 1);
    xg_kexpect(p, "{");
    mark = p->scope.n;
    xg_kexpect(p, "^bb0");
    xg_kexpect(p, "(");
    n = xg_kparse_new(p);
    xg_kexpect(p, ":");
    type = xg_kparse_type(p);
    xg_kir_region_args(b, op, 0, &type, 1);
    xg_kexpect(p, ")");
    xg_kexpect(p, ":");
    xg_kbind(p, n.at, n.name, &op->regions[0]->args[0], 1);
    xg_kparse_body(p, op->regions[0], mark);
    return op;
}
XG_FN xg_kop *xg_kparse_cmpxchg(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    xg_kval *v[3];
    uint32_t n = xg_kop_rows[code].lo, k;
    for (k = 0; k < n; k++) {
        if (k) xg_kexpect(p, ",");
        v[k] = xg_kparse_value(p);
    }
    xg_kexpect(p, ":");
    xg_kexpect_type(p, v[0]->type);
    xg_kexpect(p, ",");
    xg_kexpect_type(p, v[1]->type);
    return xg_kir_op(b, code, v, n, &v[0]->type, 1, 0);
}
XG_FN const xg_imap *xg_kparse_alias(xg_kparser *p) {
    size_t at;
    xg_str name;
    const xg_imap *map;
    xg_kskip(p);
    at = p->at;
    name = xg_kname(p, '#');
    map = (const xg_imap *)xg_dict_get(&p->maps, name);
    if (!map) xg_kparse_fail(p, at, "no map of this name:", xg_kwhole_name(name));
    return map;
}
XG_FN xg_kop *xg_kparse_loop(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    xg_kvals dims, inits;
    xg_knews news, carried;
    const xg_imap *map;
    uint32_t mark, syms, n_named, flags;
    size_t at = p->at;
    xg_kop *op;
    (void)code;
    memset(&dims, 0, sizeof dims);
    memset(&news, 0, sizeof news);
    xg_kexpect(p, "(");
    xg_kparse_until(p, &dims, ")");
    xg_kexpect(p, "[");
    xg_kparse_news(p, &news, "]");
    n_named = news.n;
    xg_kexpect(p, "->");
    xg_kexpect(p, "(");
    xg_kparse_news(p, &news, ")");
    xg_kexpect(p, "in");
    map = xg_kparse_alias(p);
    syms = map->n_syms + map->n_rts;
    if (dims.n != map->n_dims || n_named != syms || news.n != syms + map->n_results)
        xg_kparse_fail(p, at, "the loop's dims, symbols or results are not as many as its map's", xg_str_of(NULL, 0));
    flags = xg_kparse_words(p, xg_kloop_words);
    carried = xg_kparse_iter_args(p);
    inits = xg_kinits(p, &carried);
    op = xg_kloop(b, map, dims.p, inits.p, inits.n);
    op->flags = flags;
    xg_kexpect(p, "{");
    mark = p->scope.n;
    xg_kbind_args(p, op->regions[0], 0, &news);
    xg_kbind_args(p, op->regions[0], news.n, &carried);
    xg_kparse_body(p, op->regions[0], mark);
    return op;
}
XG_FN xg_kop *xg_kparse_axis_range(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    size_t at = p->at;
    xg_str axis = xg_kword(p);
    int64_t lo, hi;
    xg_kval *v;
    if (axis.n != 1 || axis.p[0] < 'x' || axis.p[0] > 'z')
        xg_kparse_fail(p, at, "expected the axis x, y or z", xg_str_of(NULL, 0));
    xg_kexpect(p, "{");
    xg_kexpect(p, "xla.range");
    xg_kexpect(p, "=");
    xg_kexpect(p, "[");
    lo = xg_kinteger(p);
    xg_kexpect(p, ":");
    xg_kexpect(p, "index");
    xg_kexpect(p, ",");
    hi = xg_kinteger(p);
    xg_kexpect(p, ":");
    xg_kexpect(p, "index");
    xg_kexpect(p, "]");
    xg_kexpect(p, "}");
    if (lo != 0 || hi < 0 || hi > UINT32_MAX)
        xg_kparse_fail(p, at, "the range of an id starts at 0 and fits 32 bits", xg_str_of(NULL, 0));
    v = xg_kid(b, code, axis.p[0] - 'x', hi + 1);
    if (xg_ktake(p, ":")) v->type = xg_kparse_type(p);
    return v->def;
}
XG_FN xg_kop *xg_kparse_map(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    size_t at = p->at;
    const xg_imap *map = xg_kparse_alias(p);
    xg_kvals v;
    (void)code;
    memset(&v, 0, sizeof v);
    if (xg_ktake(p, "(")) xg_kparse_until(p, &v, ")");
    if (v.n != map->n_dims)
        xg_kparse_fail(p, at, "the operands in parentheses are not as many as the map's dims", xg_str_of(NULL, 0));
    if (xg_ktake(p, "[")) xg_kparse_until(p, &v, "]");
    if (v.n != map->n_dims + map->n_syms + map->n_rts)
        xg_kparse_fail(p, at, "the operands in brackets are not as many as the map's symbols", xg_str_of(NULL, 0));
    if (!map->n_results) xg_kparse_fail(p, at, "the map has no results", xg_str_of(NULL, 0));
    return xg_kapply(b, map, v.p);
}
XG_FN xg_kop *xg_kparse_extract(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    xg_kval *t = xg_kparse_value(p);
    xg_kvals v;
    (void)code;
    memset(&v, 0, sizeof v);
    xg_kexpect(p, "[");
    xg_kparse_until(p, &v, "]");
    xg_kexpect(p, ":");
    xg_kexpect_type(p, t->type);
    return xg_kextract(b, t, v.p, v.n)->def;
}
XG_FN xg_kop *xg_kparse_insert(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    xg_kval *x = xg_kparse_value(p), *t;
    xg_kvals v;
    (void)code;
    memset(&v, 0, sizeof v);
    xg_kexpect(p, "into");
    t = xg_kparse_value(p);
    xg_kexpect(p, "[");
    xg_kparse_until(p, &v, "]");
    xg_kexpect(p, ":");
    xg_kexpect_type(p, t->type);
    return xg_kinsert(b, x, t, v.p, v.n)->def;
}
XG_FN xg_kval *xg_kparse_index(xg_kparser *p) {
    xg_kval *v;
    xg_kexpect(p, "[");
    v = xg_kparse_value(p);
    xg_kexpect(p, "]");
    return v;
}
XG_FN void xg_kexpect_in_bounds(xg_kparser *p) {
    if (xg_ktake(p, "{")) {
        xg_kexpect(p, "in_bounds");
        xg_kexpect(p, "=");
        xg_kexpect(p, "[");
        xg_kexpect(p, "true");
        xg_kexpect(p, "]");
        xg_kexpect(p, "}");
    }
}
XG_FN xg_kop *xg_kparse_read(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    xg_kval *v[2];
    v[0] = xg_kparse_value(p);
    v[1] = xg_kparse_index(p);
    xg_kexpect_in_bounds(p);
    xg_kexpect(p, ":");
    xg_kexpect_type(p, v[0]->type);
    xg_kexpect(p, ",");
    return xg_kir_value(b, code, v, 2, xg_kparse_type(p))->def;
}
XG_FN xg_kop *xg_kparse_write(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    xg_kval *v[3];
    v[0] = xg_kparse_value(p);
    xg_kexpect(p, ",");
    v[1] = xg_kparse_value(p);
    v[2] = xg_kparse_index(p);
    xg_kexpect_in_bounds(p);
    xg_kexpect(p, ":");
    xg_kexpect_type(p, v[0]->type);
    xg_kexpect(p, ",");
    xg_kexpect_type(p, v[1]->type);
    return xg_kir_value(b, code, v, 3, v[1]->type)->def;
}
XG_FN xg_kop *xg_kparse_vextract(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    xg_kval *v[2];
    const xg_ktype *t;
    v[0] = xg_kparse_value(p);
    v[1] = xg_kparse_index(p);
    xg_kexpect(p, ":");
    t = xg_kparse_type(p);
    xg_kexpect(p, "from");
    xg_kexpect_type(p, v[0]->type);
    return xg_kir_value(b, code, v, 2, t)->def;
}
XG_FN xg_kop *xg_kparse_vinsert(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    xg_kval *v[3];
    v[0] = xg_kparse_value(p);
    xg_kexpect(p, ",");
    v[1] = xg_kparse_value(p);
    v[2] = xg_kparse_index(p);
    xg_kexpect(p, ":");
    xg_kexpect_type(p, v[0]->type);
    xg_kexpect(p, "into");
    xg_kexpect_type(p, v[1]->type);
    return xg_kir_value(b, code, v, 3, v[1]->type)->def;
}

/* ---- constants ---- */

XG_FN xg_str xg_kparse_number_text(xg_kparser *p) {
    size_t start;
    xg_kskip(p);
    start = p->at;
    while (xg_kword_char(xg_kchar(p, p->at)) || xg_kchar(p, p->at) == '-' || xg_kchar(p, p->at) == '+') p->at++;
    if (p->at == start) xg_kparse_fail(p, start, "expected a number", xg_str_of(NULL, 0));
    return xg_str_of(p->src->text + start, p->at - start);
}
XG_FN uint64_t xg_kparse_hex(xg_kparser *p, xg_str text) {
    uint64_t v = 0;
    uint32_t k;
    for (k = 2; k < text.n; k++) {
        char c = text.p[k];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0 || k > 17)
            xg_kparse_fail(p, (size_t)(text.p - p->src->text), "expected at most 16 hexadecimal digits", text);
        v = v * 16 + (uint64_t)digit;
    }
    return v;
}
/* The bits of the number in the format of e. */
XG_FN uint64_t xg_kparse_bits(xg_kparser *p, xg_str text, xg_kelem e) {
    size_t at = (size_t)(text.p - p->src->text), after = p->at;
    double v;
    bool overflow;
    int64_t i;
    if (e == XG_E_I1 && xg_str_is(text, "true")) return 1;
    if (e == XG_E_I1 && xg_str_is(text, "false")) return 0;
    if (text.n > 2 && text.p[0] == '0' && text.p[1] == 'x') return xg_kparse_hex(p, text);
    if (xg_kelem_is_float(e)) {
        if (xg_float_parse(text.p, text.n, &v, &overflow) != text.n) xg_kparse_fail(p, at, "expected a number", text);
        return xg_float_encode(xg_kelem_format(e), v);
    }
    p->at = at;
    i = xg_kinteger(p);
    if (p->at != at + text.n || xg_kint_wrap(e, i) != i) xg_kparse_fail(p, at, "not an integer of the type", text);
    p->at = after;
    return (uint64_t)i;
}
XG_FN xg_kop *xg_kparse_constant(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    bool dense = xg_ktake(p, "dense"), pair;
    xg_str re, im = xg_str_of(NULL, 0);
    const xg_ktype *t;
    xg_kop *op;
    xg_kelem part;
    size_t at = p->at;
    (void)code;
    if (dense) xg_kexpect(p, "<");
    pair = xg_ktake(p, "[");
    re = xg_kparse_number_text(p);
    if (pair) {
        xg_kexpect(p, ",");
        im = xg_kparse_number_text(p);
        xg_kexpect(p, "]");
    }
    if (dense) xg_kexpect(p, ">");
    if (!dense && xg_word_in("true false", re) >= 0 && !xg_ktake(p, ":"))
        return xg_kconst_int(b, XG_E_I1, xg_str_is(re, "true"))->def;
    if (dense || pair || xg_word_in("true false", re) < 0) xg_kexpect(p, ":");
    t = xg_kparse_type(p);
    if (t->kind > XG_TK_VECTOR || pair != xg_kelem_is_complex(t->elem))
        xg_kparse_fail(p, at, "the constant does not fit its type", xg_str_of(NULL, 0));
    part = t->elem == XG_E_C64 ? XG_E_F32 : t->elem == XG_E_C128 ? XG_E_F64 : t->elem;
    op = xg_kconst_bits(b, t, xg_kparse_bits(p, re, part))->def;
    if (pair) op->b = (int64_t)xg_kparse_bits(p, im, part);
    return op;
}

/* ---- comparisons, casts, memory ---- */

XG_FN xg_kop *xg_kparse_comparison(xg_kparser *p, xg_kb *b, xg_kopcode code, const char *names) {
    size_t at = p->at;
    xg_str word = xg_kword(p);
    uint32_t k;
    xg_kval *x, *y;
    for (k = 0; *names && !xg_str_is(word, names); k++) names += strlen(names) + 1;
    if (!*names) xg_kparse_fail(p, at, "no such predicate:", word);
    xg_kexpect(p, ",");
    x = xg_kparse_value(p);
    xg_kexpect(p, ",");
    y = xg_kparse_value(p);
    xg_kexpect(p, ":");
    xg_kexpect_type(p, x->type);
    return xg_kcompare(b, code, k, x, y)->def;
}
XG_FN xg_kop *xg_kparse_cmpi(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    return xg_kparse_comparison(p, b, code, xg_kcmpi_names);
}
XG_FN xg_kop *xg_kparse_cmpf(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    return xg_kparse_comparison(p, b, code, xg_kcmpf_names);
}
XG_FN xg_kop *xg_kparse_cast(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    size_t at = p->at;
    xg_kvals v = xg_kparse_operands(p);
    const xg_ktype *t;
    xg_kexpect_operands(p, code, at, v.n);
    xg_kexpect(p, ":");
    if (v.n) xg_kexpect_type(p, v.p[0]->type);
    xg_kexpect(p, "to");
    t = xg_kparse_type(p);
    return xg_kir_op(b, code, v.p, v.n, &t, 1, 0);
}
XG_FN xg_kop *xg_kparse_part(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    xg_kval *v = xg_kparse_value(p);
    xg_kexpect(p, ":");
    xg_kexpect_type(p, v->type);
    return xg_kcast(b, code, v, v->type->elem == XG_E_C128 ? XG_E_F64 : XG_E_F32)->def;
}
XG_FN xg_kop *xg_kparse_approx(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    xg_kval *v = xg_kparse_value(p);
    uint32_t flags = xg_kparse_words(p, xg_kapprox_words);
    xg_kop *op = xg_kir_of(b, code, v, v->type)->def;
    op->flags |= flags;
    xg_kexpect(p, ":");
    xg_kexpect_type(p, v->type);
    return op;
}
XG_FN xg_kop *xg_kparse_scale(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    xg_kval *v[2];
    int64_t scale = 0, offset = 0;
    xg_kop *op;
    bool inbounds = xg_ktake(p, "inbounds");
    v[0] = xg_kparse_value(p);
    xg_kexpect(p, "[");
    v[1] = xg_kparse_value(p);
    if (xg_ktake(p, "*")) scale = xg_kinteger(p);
    if (xg_ktake(p, "+")) offset = xg_kinteger(p);
    xg_kexpect(p, "]");
    xg_kexpect(p, ":");
    xg_kexpect_type(p, v[0]->type);
    xg_kexpect(p, ",");
    xg_kexpect_type(p, v[1]->type);
    op = xg_kir_value(b, code, v, 2, v[0]->type)->def;
    op->a = scale;
    op->b = offset;
    op->flags = inbounds ? KP_INBOUNDS : 0;
    return op;
}
/* Words of the access, {alignment = n} and the colon. */
XG_FN uint32_t xg_kparse_access(xg_kparser *p, int64_t *alignment) {
    uint32_t flags = xg_kparse_words(p, xg_kmemory_words);
    xg_kexpect(p, "{");
    xg_kexpect(p, "alignment");
    xg_kexpect(p, "=");
    *alignment = xg_kinteger(p);
    xg_kexpect(p, "}");
    xg_kexpect(p, ":");
    return flags;
}
XG_FN xg_kop *xg_kparse_load(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    xg_kval *v = xg_kparse_value(p);
    int64_t alignment;
    uint32_t flags = xg_kparse_access(p, &alignment);
    xg_kop *op;
    xg_kexpect_type(p, v->type);
    xg_kexpect(p, "->");
    op = xg_kir_of(b, code, v, xg_kparse_type(p))->def;
    op->a = alignment;
    op->flags = flags;
    return op;
}
XG_FN xg_kop *xg_kparse_store(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    xg_kval *v[3];
    int64_t alignment;
    uint32_t flags, n = 2, k;
    xg_kop *op;
    v[0] = xg_kparse_value(p);
    xg_kexpect(p, ",");
    v[1] = xg_kparse_value(p);
    if (code == XG_K_OP_ASYNC_COPY && xg_ktake(p, ",")) v[n++] = xg_kparse_value(p);
    flags = xg_kparse_access(p, &alignment);
    for (k = 0; k < n; k++) {
        if (k) xg_kexpect(p, ",");
        xg_kexpect_type(p, v[k]->type);
    }
    op = xg_kir_do(b, code, v, n);
    op->a = alignment;
    op->flags = flags;
    return op;
}
XG_FN xg_kop *xg_kparse_symbol(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    xg_str *name = XG_NEW(p->a, xg_str);
    int64_t bytes, alignment;
    xg_kop *op;
    *name = xg_str_copy(p->a, xg_kname(p, '@'));
    xg_kexpect(p, "{");
    xg_kexpect(p, "bytes");
    xg_kexpect(p, "=");
    bytes = xg_kinteger(p);
    xg_kexpect(p, ",");
    xg_kexpect(p, "alignment");
    xg_kexpect(p, "=");
    alignment = xg_kinteger(p);
    xg_kexpect(p, "}");
    xg_kexpect(p, ":");
    op = xg_kir_value(b, code, NULL, 0, xg_kparse_type(p))->def;
    op->a = bytes;
    op->b = alignment;
    op->p = name;
    return op;
}

/* ---- operations ---- */

XG_FN xg_kop *xg_kparse_by_word(xg_kparser *p, xg_kb *b, xg_kopcode code) {
    switch (xg_kop_rows[code].form) {
#define X(word) \
    case XG_KFORM_##word: return xg_kparse_##word(p, b, code);
        XG_KIR_FORMS(X)
#undef X
    default: return NULL;
    }
}
XG_FN const char *xg_kop_name_at(const void *user, size_t i) {
    (void)user;
    return i < XG_K_OP_COUNT ? xg_kop_name((xg_kopcode)i) : NULL;
}

XG_FN void xg_kparse_op(xg_kparser *p, xg_kb *b) {
    xg_knews results;
    uint32_t k, total = 0;
    xg_str word;
    size_t at;
    void *found;
    xg_kop *op;
    memset(&results, 0, sizeof results);
    xg_kskip(p);
    if (xg_kchar(p, p->at) == '%') {
        do {
            xg_knew n = xg_kparse_new(p);
            if (xg_ktake(p, ":")) n.count = xg_kcount(p);
            xg_push(p->a, xg_knew, &results, n);
        } while (xg_ktake(p, ","));
        xg_kexpect(p, "=");
    }
    xg_kskip(p);
    at = p->at;
    word = xg_kword(p);
    found = xg_dict_get(&p->ops, word);
    if (!found)
        xg_fail_at(p->c, XLAGPU_ERROR_SYNTAX, p->src, at, xg_nearest(word, xg_kop_name_at, NULL),
            "no such operation: '%.*s'", (int)XG_MIN(word.n, 60u), word.p);
    op = xg_kparse_by_word(p, b, (xg_kopcode)((const xg_kop_row *)found - xg_kop_rows));
    for (k = 0; k < results.n; k++) {
        if (results.p[k].count == 0 || results.p[k].count > op->n_results - total)
            xg_kparse_fail(p, results.p[k].at, "the operation has fewer results", xg_str_of(NULL, 0));
        xg_kbind(p, results.p[k].at, results.p[k].name, &op->results[total], results.p[k].count);
        total += results.p[k].count;
    }
    if (results.n && total != op->n_results)
        xg_kparse_fail(p, at, "the operation has more results", xg_str_of(NULL, 0));
}

#endif /* XG_KIR_PARSE_OPS_C */
