/* hlo/parse_shape.c -- shapes and layouts: f32[2,<=3]{1,0:T(8,128)S(1)}, tuples, buffers, tokens.
 *
 * Laws
 * - A brace behind the dimensions is a layout only if a number or ':' follows it, or it is "{}"; otherwise it opens
 *   something else.
 * - What a layout says beyond the order of its dimensions, the element width and the memory space is kept as text in
 *   one form. */
#ifndef XG_HLO_PARSE_SHAPE_C
#define XG_HLO_PARSE_SHAPE_C
#include "text.h"
#include "shape.c"
#include "foreign.c"

XG_FN const char *xg_parse_shape_text(xg_parse *p, const xg_shape *s) {
    enum {
        SHOWN = 200
    };
    xg_buf b;
    xg_buf_init(&b, p->arena);
    xg_shape_print(&b, s, false);
    if (b.n > SHOWN) memcpy(b.p + SHOWN - 3, "...", 4);
    return b.p;
}
XG_FN const char *xg_parse_type_name(const void *none, size_t i) {
    (void)none;
    return i + 1 < XLAGPU_TYPE_COUNT ? xg_type_name((xlagpu_type)(i + 1)) : NULL;
}
XG_FN const char *xg_parse_type_hint(xg_parse *p, xg_str word) {
    bool lower = xg_type_find(xg_foreign_plain(p->arena, word)) != XLAGPU_INVALID;
    const char *hint = xg_foreign_hint(p->arena, word, xg_foreign_types, lower);
    if (!hint) hint = xg_parse_did_you_mean(p, word, xg_parse_type_name, NULL);
    return hint ? hint : "types are pred, s8 to s64, u8 to u64, f16, bf16, f32, f64, f8e4m3fn, c64, c128 and others";
}
XG_FN bool xg_parse_at_shape(xg_parse *p) {
    xg_lex *x = &p->lex;
    if (x->kind == '(') return true;
    if (x->kind != XG_TOK_WORD) return false;
    return *x->at == '[' || xg_lex_peek(x) == '[' || (x->len == 1 && *x->tok == 'b' && *x->at == '(');
}
XG_FN uint32_t xg_parse_dims(xg_parse *p, int64_t *dims, uint8_t *dynamic) {
    xg_lex *x = &p->lex;
    uint32_t n = 0;
    xg_lex_expect(x, '[', "'[' and the dimensions");
    while (x->kind != ']') {
        if (n) xg_lex_expect(x, ',', "',' or ']' in the dimensions");
        if (n == XG_RANK_MAX)
            xg_fail_at(x->ctx, XLAGPU_ERROR_LIMIT, x->src, xg_lex_offset(x), NULL,
                "more than %d dimensions are not supported", (int)XG_RANK_MAX);
        dynamic[n] = XG_DIM_STATIC;
        if (xg_lex_take(x, '?')) {
            dynamic[n] = XG_DIM_UNBOUNDED;
            dims[n++] = 0;
            continue;
        }
        if (xg_lex_take(x, XG_TOK_LE)) dynamic[n] = XG_DIM_BOUNDED;
        if (x->kind == XG_TOK_NUMBER && *x->tok == '-') xg_lex_fail(x, NULL, "a dimension cannot be negative");
        dims[n++] = xg_lex_int(x, "a dimension");
    }
    xg_lex_next(x);
    return n;
}
/* "(8,128)" or "(*,128)": the sizes of a tile; appended to the text. */
XG_FN void xg_parse_tile(xg_parse *p, xg_buf *b) {
    xg_lex *x = &p->lex;
    bool first = true;
    xg_lex_expect(x, '(', "'('");
    xg_putc(b, '(');
    if (x->kind == ')') xg_lex_fail(x, NULL, "a tile has at least one dimension");
    while (x->kind != ')') {
        if (!first) {
            xg_lex_expect(x, ',', "',' or ')'");
            xg_putc(b, ',');
        }
        first = false;
        if (xg_lex_take(x, '*')) {
            xg_putc(b, '*');
            continue;
        }
        if (x->kind == XG_TOK_NUMBER && (*x->tok == '-' || *x->tok == '0'))
            xg_lex_fail(x, NULL, "a tile's dimension must be positive");
        xg_put_i64(b, xg_lex_int(x, "a tile dimension or '*'"));
    }
    xg_putc(b, ')');
    xg_lex_next(x);
}
XG_FN int64_t xg_parse_layout_number(xg_parse *p) {
    int64_t v;
    xg_lex_expect(&p->lex, '(', "'('");
    v = xg_lex_int(&p->lex, "a number");
    if (v < 0) xg_lex_fail(&p->lex, NULL, "a number in a layout cannot be negative");
    xg_lex_expect(&p->lex, ')', "')'");
    return v;
}
/* What XLA's text has for sparse arrays, which neither XLA:GPU nor xlagpu compiles. */
XG_FN void xg_parse_layout_sparse(xg_parse *p, const char *what) {
    xg_fail_at(p->lex.ctx, XLAGPU_ERROR_UNSUPPORTED, p->lex.src, xg_lex_offset(&p->lex), NULL,
        "%s in a layout belongs to sparse arrays, which are not supported", what);
}
/* The array whose layout is read, as far as it is read. */
typedef struct xg_layout_of {
    const int64_t *dims;
    int32_t order[XG_RANK_MAX]; /* minor to major */
    uint32_t rank;
} xg_layout_of;
/* The indices of one dimension in "SC(0:1,2)(1:3)": from the slowest dimension in memory, 0, to the fastest. */
XG_FN void xg_parse_layout_split_at(xg_parse *p, xg_buf *b, const xg_layout_of *of, uint64_t *seen) {
    xg_lex *x = &p->lex;
    size_t at = xg_lex_offset(x);
    int64_t dim = xg_lex_int(x, "a dimension"), size, index, before = 0;
    char mark;
    if (dim < 0 || dim >= of->rank)
        xg_lex_wrong_at(x, at, "the split names dimension %lld, the array has %u", (long long)dim, of->rank);
    if ((*seen >> dim) & 1) xg_lex_wrong_at(x, at, "the layout splits dimension %lld twice", (long long)dim);
    *seen |= UINT64_C(1) << dim;
    size = of->dims[of->order[of->rank - 1 - dim]];
    xg_put_i64(b, dim);
    if (x->kind != ':') xg_lex_fail(x, NULL, "expected ':', found %s", xg_lex_found(x));
    for (mark = ':'; x->kind == mark; mark = ',') {
        xg_lex_next(x);
        at = xg_lex_offset(x);
        index = xg_lex_int(x, "an index to split at");
        if (index <= before || index >= size)
            xg_lex_fail_at(x, at, "the indices grow, from 1 to the dimension's size - 1",
                "dimension %lld in memory, of size %lld, cannot be split at %lld here", (long long)dim, (long long)size,
                (long long)index);
        before = index;
        xg_printf(b, "%c%lld", mark, (long long)index);
    }
}
XG_FN void xg_parse_layout_split(xg_parse *p, xg_buf *b, const xg_layout_of *of) {
    uint64_t seen = 0;
    xg_puts(b, "SC");
    while (xg_lex_take(&p->lex, '(')) {
        xg_putc(b, '(');
        xg_parse_layout_split_at(p, b, of, &seen);
        xg_lex_expect(&p->lex, ')', "')'");
        xg_putc(b, ')');
    }
}
/* What follows ':' in a layout, or nothing. Each part may appear once, in this order; the dimension level types are
 * read and forgotten. */
XG_FN void xg_parse_layout_extras(xg_parse *p, xg_buf *b, const xg_layout_of *of, int64_t *space, int64_t *bits) {
    xg_lex *x = &p->lex;
    if (xg_lex_is(x, "D")) {
        xg_lex_next(x);
        if (x->kind != '(')
            xg_lex_fail(x, NULL, "expected '(' and the types of the dimension levels, found %s", xg_lex_found(x));
        xg_lex_balanced(x);
    }
    if (xg_lex_is(x, "T")) {
        xg_lex_next(x);
        xg_putc(b, 'T');
        if (x->kind != '(') xg_lex_fail(x, NULL, "expected '(' and the sizes of a tile, found %s", xg_lex_found(x));
        while (x->kind == '(') xg_parse_tile(p, b);
    }
    if (xg_lex_is(x, "L")) {
        xg_lex_next(x);
        xg_puts(b, "L(");
        if (xg_lex_peek(x) == '0') xg_lex_fail(x, NULL, "an array's end is padded to a multiple of at least 1 element");
        xg_printf(b, "%lld)", (long long)xg_parse_layout_number(p));
    }
    if (x->kind == '#') xg_parse_layout_sparse(p, "the type of indices");
    if (x->kind == '*') xg_parse_layout_sparse(p, "the type of pointers");
    if (xg_lex_is(x, "E")) {
        xg_lex_next(x);
        *bits = xg_parse_layout_number(p);
    }
    if (xg_lex_is(x, "S")) {
        xg_lex_next(x);
        *space = xg_parse_layout_number(p);
    }
    if (xg_lex_is(x, "SC")) {
        xg_lex_next(x);
        xg_parse_layout_split(p, b, of);
    }
    if (xg_lex_is(x, "P")) xg_parse_layout_sparse(p, "a physical shape");
    if (xg_lex_is(x, "M")) {
        xg_lex_next(x);
        xg_printf(b, "M(%lld)", (long long)xg_parse_layout_number(p));
    }
    if (x->kind != '}')
        xg_lex_fail(x,
            "after ':' a layout may have, in this order: D(...) T(...)(...) L(n) E(bits) S(space) SC(...) M(bytes)",
            "expected a part of a layout, found %s", xg_lex_found(x));
}
XG_FN const xg_layout *xg_parse_layout(xg_parse *p, const int64_t *dims, uint32_t rank) {
    xg_lex *x = &p->lex;
    xg_layout_of of;
    uint64_t seen = 0;
    uint32_t n = 0;
    int64_t space = 0, bits = 0;
    size_t at = xg_lex_offset(x);
    xg_str extras = XG_STR("");
    xg_lex_next(x);
    while (x->kind != ':' && x->kind != '}') {
        size_t here;
        int64_t d;
        if (n) xg_lex_expect(x, ',', "',' or '}' in the layout");
        here = xg_lex_offset(x);
        d = xg_lex_int(x, "a dimension number");
        if (d < 0 || d >= rank)
            xg_lex_fail_at(
                x, here, XG_HINT_LAYOUT, "the layout names dimension %lld, the array has %u", (long long)d, rank);
        if ((seen >> d) & 1)
            xg_lex_fail_at(x, here, XG_HINT_LAYOUT, "the layout names dimension %lld twice", (long long)d);
        seen |= UINT64_C(1) << d;
        of.order[n++] = (int32_t)d;
    }
    if (n != rank) xg_lex_fail_at(x, at, XG_HINT_LAYOUT, "the layout names %u dimensions, the array has %u", n, rank);
    if (xg_lex_take(x, ':')) {
        xg_buf b;
        xg_buf_init(&b, p->arena);
        of.dims = dims;
        of.rank = rank;
        xg_parse_layout_extras(p, &b, &of, &space, &bits);
        extras = xg_str_of(b.p, b.n);
    }
    xg_lex_expect(x, '}', "'}' at the end of the layout");
    return xg_layout_make(p->m, of.order, rank, space, bits, extras);
}
/* A brace after the dimensions is a layout if a number or ':' follows, or it is "{}"; otherwise it opens something
 * else. */
XG_FN bool xg_parse_at_layout(xg_parse *p) {
    char c;
    if (p->lex.kind != '{') return false;
    if (*p->lex.at == '}') return true;
    c = xg_lex_peek(&p->lex);
    return (c >= '0' && c <= '9') || c == ':';
}
XG_FN const xg_shape *xg_parse_check_tiles(xg_parse *p, size_t at, const xg_shape *s) {
    const char *why = xg_layout_has_tiles(s->layout) ? xg_tiles_refuse(p->arena, s) : NULL;
    if (why) xg_fail_at(p->lex.ctx, XLAGPU_ERROR_LIMIT, p->lex.src, at, NULL, "%s", why);
    return s;
}
XG_NOINLINE XG_FN const xg_shape *xg_parse_array(xg_parse *p, xlagpu_type type, bool fill) {
    int64_t dims[XG_RANK_MAX];
    uint8_t dynamic[XG_RANK_MAX];
    size_t at = xg_lex_offset(&p->lex);
    uint32_t rank = xg_parse_dims(p, dims, dynamic), k;
    int64_t total = 1;
    const xg_layout *layout = NULL;
    if (!xg_type_bits(type)) {
        if (rank)
            xg_lex_wrong_at(&p->lex, at, "%s has no dimensions: write %s[]", xg_type_name(type), xg_type_name(type));
        return xg_shape_other(p->m, type, NULL);
    }
    for (k = 0; k < rank; k++)
        if (!xg_mul64(total, XG_MAX(dims[k], 1), &total) || total > INT64_MAX / 16)
            xg_fail_at(p->lex.ctx, XLAGPU_ERROR_LIMIT, p->lex.src, at, NULL,
                "the array has more elements than can be counted");
    if (xg_parse_at_layout(p))
        layout = xg_parse_layout(p, dims, rank);
    else if (fill)
        layout = xg_layout_descending(p->m, rank);
    return xg_parse_check_tiles(p, at, xg_shape_array(p->m, type, dims, rank, dynamic, layout));
}
XG_FN const xg_shape *xg_parse_tuple_shape(xg_parse *p, bool fill) {
    xg_lex *x = &p->lex;
    uint32_t base = p->shapes.n;
    const xg_shape *s, *made;
    xg_lex_next(x);
    while (x->kind != ')') {
        if (p->shapes.n > base) xg_lex_expect(x, ',', "',' or ')' in the tuple shape");
        s = xg_parse_shape(p, fill);
        xg_push(p->arena, const xg_shape *, &p->shapes, s);
    }
    xg_lex_next(x);
    made = xg_shape_tuple(p->m, p->shapes.n > base ? p->shapes.p + base : NULL, p->shapes.n - base);
    p->shapes.n = base;
    return made;
}
XG_FN const xg_shape *xg_parse_shape(xg_parse *p, bool fill) {
    xg_lex *x = &p->lex;
    const xg_shape *s;
    xlagpu_type type;
    size_t at;
    if (x->kind == '(') {
        xg_parse_enter(p);
        s = xg_parse_tuple_shape(p, fill);
        p->depth--;
        return s;
    }
    if (x->kind != XG_TOK_WORD) xg_lex_fail(x, NULL, "expected a shape like f32[2,3], found %s", xg_lex_found(x));
    type = xg_type_find(xg_lex_text(x));
    if (type == XLAGPU_INVALID || type == XLAGPU_TUPLE)
        xg_lex_fail(x, xg_parse_type_hint(p, xg_lex_text(x)), "%s is not an element type", xg_lex_found(x));
    xg_lex_next(x);
    if (type != XLAGPU_BUFFER) return xg_parse_array(p, type, fill);
    xg_parse_enter(p);
    xg_lex_expect(x, '(', "'(' and the shape that the buffer holds");
    at = xg_lex_offset(x);
    s = xg_parse_shape(p, fill);
    if (!xg_shape_is_array(s)) xg_lex_wrong_at(x, at, "a buffer holds an array");
    s = xg_shape_other(p->m, XLAGPU_BUFFER, s);
    xg_lex_expect(x, ')', "')' after the buffer's shape");
    p->depth--;
    return s;
}

#endif /* XG_HLO_PARSE_SHAPE_C */
