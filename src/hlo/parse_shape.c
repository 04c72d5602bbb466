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
XG_FN void xg_parse_layout_type(xg_parse *p, xg_buf *b, char mark) {
    xg_putc(b, mark);
    xg_lex_next(&p->lex);
    xg_lex_expect(&p->lex, '(', "'(' and an integer type");
    if (p->lex.kind != XG_TOK_WORD || xg_type_class(xg_type_find(xg_lex_text(&p->lex))) != XGT_I)
        xg_lex_fail(&p->lex, NULL, "expected an integer type, found %s", xg_lex_found(&p->lex));
    xg_putc(b, '(');
    xg_put_str(b, xg_lex_text(&p->lex));
    xg_putc(b, ')');
    xg_lex_next(&p->lex);
    xg_lex_expect(&p->lex, ')', "')'");
}
/* "SC(0:1,2)(1:3)" */
XG_FN void xg_parse_layout_split(xg_parse *p, xg_buf *b) {
    xg_lex *x = &p->lex;
    xg_puts(b, "SC");
    while (x->kind == '(') {
        char mark = '(';
        xg_lex_next(x);
        xg_putc(b, '(');
        xg_put_i64(b, xg_lex_int(x, "a dimension"));
        xg_lex_expect(x, ':', "':'");
        for (mark = ':'; mark == ':' || x->kind == ','; mark = ',') {
            if (mark == ',') xg_lex_next(x);
            xg_putc(b, mark);
            xg_put_i64(b, xg_lex_int(x, "an index to split at"));
        }
        xg_lex_expect(x, ')', "')'");
        xg_putc(b, ')');
    }
}
/* What follows ':' in a layout. Each part may appear once, in this order; the dimension level types are read and
 * forgotten. */
XG_FN void xg_parse_layout_extras(xg_parse *p, xg_buf *b, int64_t *space, int64_t *bits) {
    xg_lex *x = &p->lex;
    size_t at = xg_lex_offset(x);
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
        xg_put_i64(b, xg_parse_layout_number(p));
        xg_putc(b, ')');
    }
    if (x->kind == '#') xg_parse_layout_type(p, b, '#');
    if (x->kind == '*') xg_parse_layout_type(p, b, '*');
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
        xg_parse_layout_split(p, b);
    }
    if (xg_lex_is(x, "P"))
        xg_fail_at(x->ctx, XLAGPU_ERROR_UNSUPPORTED, x->src, xg_lex_offset(x), NULL,
            "a physical shape in a layout belongs to sparse arrays, which are not supported");
    if (xg_lex_is(x, "M")) {
        xg_lex_next(x);
        xg_puts(b, "M(");
        xg_put_i64(b, xg_parse_layout_number(p));
        xg_putc(b, ')');
    }
    if (x->kind != '}' || at == xg_lex_offset(x))
        xg_lex_fail(x,
            "after ':' a layout may have, in this order: D(...) T(...)(...) L(n) #(type) *(type) E(bits) S(space) "
            "SC(...) M(bytes)",
            "expected a part of a layout, found %s", xg_lex_found(x));
}
XG_FN const xg_layout *xg_parse_layout(xg_parse *p, uint32_t rank) {
    xg_lex *x = &p->lex;
    int32_t order[XG_RANK_MAX];
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
            xg_lex_fail_at(x, here, NULL, "the layout names dimension %lld, the array has %u", (long long)d, rank);
        if ((seen >> d) & 1) xg_lex_fail_at(x, here, NULL, "the layout names dimension %lld twice", (long long)d);
        seen |= UINT64_C(1) << d;
        order[n++] = (int32_t)d;
    }
    if (n != rank) xg_lex_fail_at(x, at, NULL, "the layout names %u dimensions, the array has %u", n, rank);
    if (xg_lex_take(x, ':')) {
        xg_buf b;
        xg_buf_init(&b, p->arena);
        xg_parse_layout_extras(p, &b, &space, &bits);
        extras = xg_str_of(b.p, b.n);
    }
    xg_lex_expect(x, '}', "'}' at the end of the layout");
    return xg_layout_make(p->m, order, rank, space, bits, extras);
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
            xg_lex_fail_at(
                &p->lex, at, NULL, "%s has no dimensions: write %s[]", xg_type_name(type), xg_type_name(type));
        return xg_shape_other(p->m, type, NULL);
    }
    for (k = 0; k < rank; k++)
        if (!xg_mul64(total, XG_MAX(dims[k], 1), &total) || total > INT64_MAX / 16)
            xg_fail_at(p->lex.ctx, XLAGPU_ERROR_LIMIT, p->lex.src, at, NULL,
                "the array has more elements than can be counted");
    if (xg_parse_at_layout(p))
        layout = xg_parse_layout(p, rank);
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
    if (x->kind == '(') {
        xg_parse_enter(p);
        s = xg_parse_tuple_shape(p, fill);
        p->depth--;
        return s;
    }
    if (x->kind != XG_TOK_WORD) xg_lex_fail(x, NULL, "expected a shape like f32[2,3], found %s", xg_lex_found(x));
    type = xg_type_find(xg_lex_text(x));
    if (type == XLAGPU_INVALID || type == XLAGPU_TUPLE)
        xg_lex_fail(x, xg_parse_did_you_mean(p, xg_lex_text(x), xg_parse_type_name, NULL), "%s is not an element type",
            xg_lex_found(x));
    xg_lex_next(x);
    if (type != XLAGPU_BUFFER) return xg_parse_array(p, type, fill);
    xg_parse_enter(p);
    xg_lex_expect(x, '(', "'(' and the shape that the buffer holds");
    s = xg_shape_other(p->m, XLAGPU_BUFFER, xg_parse_shape(p, fill));
    xg_lex_expect(x, ')', "')' after the buffer's shape");
    p->depth--;
    return s;
}

#endif /* XG_HLO_PARSE_SHAPE_C */
