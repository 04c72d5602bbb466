/* import/proto_shape.c -- ShapeProto, LayoutProto and ProgramShapeProto.
 *
 * Law: the checks are those of the parser of shapes in text: as many dimensions, none negative, a permutation as
 * layout. Parts of layouts that are rare (tiles, split configurations) are read by that parser from their text. */
#ifndef XG_IMPORT_PROTO_SHAPE_C
#define XG_IMPORT_PROTO_SHAPE_C
#include "proto.h"
#include "proto_wire.c"

/* The last row is that of what has none. */
XG_TABLE const xg_proto_type_row xg_proto_types[] = {
#define X(type, number, field, how) {XLAGPU_##type, number, field, XG_PROTO_IS_##how},
    XG_PROTO_TYPES(X)
#undef X
        {XLAGPU_INVALID, 0, 0, XG_PROTO_IS_RAW}};
XG_FN xlagpu_type xg_proto_type(int64_t number) {
    const xg_proto_type_row *row = xg_proto_types;
    while (row->number != number && row->number) row++;
    return (xlagpu_type)row->type;
}
XG_FN const xg_proto_type_row *xg_proto_row_of_type(xlagpu_type type) {
    const xg_proto_type_row *row = xg_proto_types;
    while ((xlagpu_type)row->type != type && row->number) row++;
    return row;
}

typedef struct xg_proto_layout {
    xg_proto_bytes bytes;
    int32_t order[XG_RANK_MAX];
    uint32_t n; /* of order */
    int64_t space, bits, tail, prefix;
    bool tiles, splits;
} xg_proto_layout;

XG_FN void xg_proto_layout_order(xg_proto *p, const xg_proto_field *f, xg_proto_layout *l, uint32_t rank) {
    uint32_t base = p->parse->ints.n, k;
    xg_proto_push_ints(p, f);
    for (k = base; k < p->parse->ints.n; k++) {
        int64_t d = p->parse->ints.p[k];
        if (d < 0 || d >= rank)
            xg_proto_fail(p, f->at, NULL, "the layout names dimension %lld, the array has %u", (long long)d, rank);
        if (l->n == rank) xg_proto_fail(p, f->at, NULL, "the layout names more than %u dimensions", rank);
        l->order[l->n++] = (int32_t)d;
    }
    p->parse->ints.n = base;
}
XG_FN void xg_proto_layout_sparse(xg_proto *p, const xg_proto_field *f) {
    xg_fail_at(p->ctx, XLAGPU_ERROR_UNSUPPORTED, p->source, (size_t)(f->at - p->base), NULL,
        "HLO protobuf: a layout of sparse arrays, which are not supported");
}
XG_APART XG_FN void xg_proto_layout_field(xg_proto *p, const xg_proto_field *f, xg_proto_layout *l, uint32_t rank) {
    uint32_t base = p->parse->ints.n;
    switch (f->number) {
    case XG_LAYOUT_ORDER: xg_proto_layout_order(p, f, l, rank); break;
    case XG_LAYOUT_TILES: l->tiles = true; break;
    case XG_LAYOUT_SPLITS: l->splits = true; break;
    case XG_LAYOUT_BITS: l->bits = xg_proto_int(p, f); break;
    case XG_LAYOUT_SPACE: l->space = xg_proto_int(p, f); break;
    case XG_LAYOUT_PREFIX: l->prefix = xg_proto_int(p, f); break;
    case XG_LAYOUT_TAIL: l->tail = xg_proto_int(p, f); break;
    case XG_LAYOUT_LEVELS:
        for (xg_proto_push_ints(p, f); p->parse->ints.n > base; p->parse->ints.n--)
            if (p->parse->ints.p[p->parse->ints.n - 1]) xg_proto_layout_sparse(p, f);
        break;
    case XG_LAYOUT_PHYSICAL: xg_proto_layout_sparse(p, f); break;
    case XG_LAYOUT_INDEX_TYPE:
    case XG_LAYOUT_POINTER_TYPE:
        if (xg_proto_int(p, f)) xg_proto_layout_sparse(p, f);
        break;
    default: break;
    }
}
XG_FN void xg_proto_put_list(xg_buf *b, xg_ints v, const char *otherwise) {
    uint32_t k;
    for (k = 0; k < v.n; k++) {
        if (k) xg_putc(b, ',');
        if (v.p[k] == INT64_MIN && otherwise)
            xg_puts(b, otherwise);
        else
            xg_put_i64(b, v.p[k]);
    }
}
/* "T(8,128)(2,1)", "SC(0:1,2)" */
XG_FN void xg_proto_put_tiles(xg_proto *p, xg_buf *b, xg_proto_bytes m) {
    xg_proto_field f;
    xg_putc(b, 'T');
    while (xg_proto_next(p, &m, &f)) {
        if (f.number != XG_LAYOUT_TILES) continue;
        xg_putc(b, '(');
        xg_proto_put_list(b, xg_proto_ints_of(p, xg_proto_message(p, &f), 1), "*");
        xg_putc(b, ')');
    }
}
XG_FN void xg_proto_put_splits(xg_proto *p, xg_buf *b, xg_proto_bytes m) {
    xg_proto_field f;
    xg_puts(b, "SC");
    while (xg_proto_next(p, &m, &f)) {
        if (f.number != XG_LAYOUT_SPLITS) continue;
        xg_printf(b, "(%lld:", (long long)xg_proto_int_of(p, xg_proto_message(p, &f), 1));
        xg_proto_put_list(b, xg_proto_ints_of(p, f.bytes, 2), NULL);
        xg_putc(b, ')');
    }
}
XG_APART XG_FN void xg_proto_put_number(xg_buf *b, const char *name, int64_t v, int64_t otherwise) {
    if (v != otherwise) xg_printf(b, "%s(%lld)", name, (long long)v);
}
/* A layout that says more than an order, through its text. */
XG_APART XG_FN const xg_layout *xg_proto_layout_text(
    xg_proto *p, const xg_proto_layout *l, const int64_t *dims, uint32_t rank) {
    xg_lex saved = p->parse->lex;
    const xg_layout *made;
    xg_buf b;
    uint32_t k;
    xg_buf_init(&b, p->arena);
    xg_putc(&b, '{');
    for (k = 0; k < rank; k++) {
        if (k) xg_putc(&b, ',');
        xg_put_i64(&b, l->order[k]);
    }
    xg_putc(&b, ':');
    if (l->tiles) xg_proto_put_tiles(p, &b, l->bytes);
    xg_proto_put_number(&b, "L", l->tail ? l->tail : 1, 1);
    xg_proto_put_number(&b, "E", l->bits, 0);
    xg_proto_put_number(&b, "S", l->space, 0);
    if (l->splits) xg_proto_put_splits(p, &b, l->bytes);
    xg_proto_put_number(&b, "M", l->prefix, 0);
    xg_putc(&b, '}');
    xg_proto_lex(p, l->bytes.p, &b);
    made = xg_parse_layout(p->parse, dims, rank);
    p->parse->lex = saved;
    return made;
}
XG_APART XG_FN const xg_layout *xg_proto_layout_of(xg_proto *p, xg_proto_bytes m, const int64_t *dims, uint32_t rank) {
    const unsigned char *at = m.p;
    xg_proto_layout l;
    xg_proto_field f;
    uint64_t seen = 0;
    uint32_t k;
    memset(&l, 0, sizeof l);
    l.bytes = m;
    while (xg_proto_next(p, &m, &f)) xg_proto_layout_field(p, &f, &l, rank);
    if (!l.n && rank)
        for (; l.n < rank; l.n++) l.order[l.n] = (int32_t)(rank - 1 - l.n);
    for (k = 0; k < l.n; k++) seen |= UINT64_C(1) << l.order[k];
    if (l.n != rank || (rank && seen != UINT64_MAX >> (64 - rank)))
        xg_proto_fail(p, at, NULL, "the layout must name each of the %u dimensions once", rank);
    if (l.tiles || l.splits || l.tail > 1 || l.tail < 0 || l.prefix || l.space < 0 || l.bits < 0)
        return xg_proto_layout_text(p, &l, dims, rank);
    return xg_layout_make(p->m, l.order, rank, l.space, l.bits, XG_STR(""));
}

typedef struct xg_proto_dims {
    int64_t dims[XG_RANK_MAX];
    uint8_t dynamic[XG_RANK_MAX];
    uint32_t rank, n_dynamic;
} xg_proto_dims;
XG_FN void xg_proto_shape_dims(xg_proto *p, const xg_proto_field *f, xg_proto_dims *d) {
    uint32_t base = p->parse->ints.n, k;
    xg_proto_push_ints(p, f);
    for (k = base; k < p->parse->ints.n; k++) {
        if (d->rank == XG_RANK_MAX)
            xg_fail_at(p->ctx, XLAGPU_ERROR_LIMIT, p->source, (size_t)(f->at - p->base), NULL,
                "HLO protobuf: more than %d dimensions are not supported", (int)XG_RANK_MAX);
        d->dims[d->rank++] = p->parse->ints.p[k];
    }
    p->parse->ints.n = base;
}
XG_FN void xg_proto_shape_dynamic(xg_proto *p, const xg_proto_field *f, xg_proto_dims *d) {
    uint32_t base = p->parse->ints.n, k;
    xg_proto_push_ints(p, f);
    for (k = base; k < p->parse->ints.n; k++) {
        if (d->n_dynamic == XG_RANK_MAX) xg_proto_fail(p, f->at, NULL, "more flags of dimensions than dimensions");
        d->dynamic[d->n_dynamic++] = p->parse->ints.p[k] ? XG_DIM_BOUNDED : XG_DIM_STATIC;
    }
    p->parse->ints.n = base;
}
XG_FN const xg_shape *xg_proto_array(
    xg_proto *p, const unsigned char *at, xlagpu_type type, xg_proto_dims *d, const xg_proto_bytes *layout) {
    const xg_layout *l;
    uint32_t k;
    if (d->n_dynamic > d->rank) xg_proto_fail(p, at, NULL, "more flags of dimensions than dimensions");
    for (k = 0; k < d->rank; k++) {
        if (d->dims[k] == INT64_MIN && d->dynamic[k]) {
            d->dynamic[k] = XG_DIM_UNBOUNDED;
            d->dims[k] = 0;
        }
        if (d->dims[k] < 0) xg_proto_fail(p, at, NULL, "a dimension cannot be negative: %lld", (long long)d->dims[k]);
    }
    p->m->at = (uint32_t)(at - p->base) + 1;
    l = layout ? xg_proto_layout_of(p, *layout, d->dims, d->rank) : xg_layout_descending(p->m, d->rank);
    return xg_parse_check_tiles(
        p->parse, (size_t)(at - p->base), xg_shape_array(p->m, type, d->dims, d->rank, d->dynamic, l));
}
/* Tuples and buffers: what lies on the stack of shapes above base. */
XG_FN const xg_shape *xg_proto_shape_of_parts(xg_proto *p, const unsigned char *at, xlagpu_type type, uint32_t base) {
    uint32_t n = p->parse->shapes.n - base;
    const xg_shape **elems = n ? p->parse->shapes.p + base : NULL, *made;
    if (type == XLAGPU_BUFFER && (n != 1 || !xg_shape_is_array(elems[0])))
        xg_proto_fail(p, at, NULL, "a buffer holds an array");
    p->m->at = (uint32_t)(at - p->base) + 1;
    made = type == XLAGPU_TUPLE ? xg_shape_tuple(p->m, elems, n) : xg_shape_other(p->m, type, n ? elems[0] : NULL);
    p->parse->shapes.n = base;
    return made;
}
XG_FN const xg_shape *xg_proto_shape_read(xg_proto *p, xg_proto_bytes m) {
    const unsigned char *at = m.p;
    xlagpu_type type = XLAGPU_INVALID;
    xg_proto_dims d;
    xg_proto_bytes layout = {NULL, NULL};
    xg_proto_field f;
    uint32_t base = p->parse->shapes.n;
    d.rank = d.n_dynamic = 0;
    memset(d.dynamic, 0, sizeof d.dynamic);
    xg_proto_enter(p, at);
    while (xg_proto_next(p, &m, &f)) {
        if (f.number == XG_SHAPE_TYPE)
            type = xg_proto_type(xg_proto_int(p, &f));
        else if (f.number == XG_SHAPE_DIMENSIONS)
            xg_proto_shape_dims(p, &f, &d);
        else if (f.number == XG_SHAPE_DYNAMIC)
            xg_proto_shape_dynamic(p, &f, &d);
        else if (f.number == XG_SHAPE_LAYOUT)
            layout = xg_proto_message(p, &f);
        else if (f.number == XG_SHAPE_TUPLE) {
            const xg_shape *part = xg_proto_shape(p, xg_proto_message(p, &f));
            xg_push(p->arena, const xg_shape *, &p->parse->shapes, part);
        }
    }
    p->depth--;
    if (type == XLAGPU_INVALID) xg_proto_fail(p, at, NULL, "a shape without an element type that is known");
    if (xg_type_bits(type)) {
        p->parse->shapes.n = base;
        return xg_proto_array(p, at, type, &d, layout.p ? &layout : NULL);
    }
    if (type != XLAGPU_TUPLE && type != XLAGPU_BUFFER) p->parse->shapes.n = base;
    return xg_proto_shape_of_parts(p, at, type, base);
}
/* Few shapes are written many times: one with the same bytes is the same. */
XG_FN const xg_shape *xg_proto_shape(xg_proto *p, xg_proto_bytes m) {
    xg_str bytes = xg_str_of((const char *)m.p, (size_t)(m.end - m.p));
    const xg_shape *s = (const xg_shape *)xg_dict_get(&p->shapes, bytes);
    if (s) return s;
    s = xg_proto_shape_read(p, m);
    (void)xg_dict_put_lasting(&p->shapes, bytes, (void *)(uintptr_t)s);
    return s;
}

XG_FN void xg_proto_program_shape(xg_proto *p, xg_proto_bytes m, const xg_shape **params, const xg_shape **result) {
    const unsigned char *at = m.p;
    uint32_t base = p->parse->shapes.n;
    xg_proto_field f;
    *result = NULL;
    while (xg_proto_next(p, &m, &f)) {
        if (f.number == 1) {
            const xg_shape *s = xg_proto_shape(p, xg_proto_message(p, &f));
            xg_push(p->arena, const xg_shape *, &p->parse->shapes, s);
        } else if (f.number == 2)
            *result = xg_proto_shape(p, xg_proto_message(p, &f));
    }
    *params = xg_proto_shape_of_parts(p, at, XLAGPU_TUPLE, base);
}

#endif /* XG_IMPORT_PROTO_SHAPE_C */
