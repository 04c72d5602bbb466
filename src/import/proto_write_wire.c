/* import/proto_write_wire.c -- fields of protocol buffers going out; shapes and literals as messages.
 *
 * Idea: a message is written behind one byte for its length. When it ends and is longer than that byte can say, it
 * moves: most messages are short, and the bytes of a long one move once for each message around it.
 *
 * Law: the bytes are a function of the module alone: fields ascend, lists are packed, varints are minimal. */
#ifndef XG_IMPORT_PROTO_WRITE_WIRE_C
#define XG_IMPORT_PROTO_WRITE_WIRE_C
#include "proto.h"
#include "proto_literal.c"

enum {
    XG_VARINT_MAX = 10
};
XG_FN size_t xg_proto_varint_bytes(char *to, uint64_t v) {
    size_t n = 0;
    for (; v > 127; v >>= 7) to[n++] = (char)((v & 127) | 128);
    to[n++] = (char)v;
    return n;
}
XG_FN void xg_proto_put_varint(xg_proto_writer *w, uint64_t v) {
    char bytes[XG_VARINT_MAX];
    xg_put(&w->b, bytes, xg_proto_varint_bytes(bytes, v));
}
XG_FN void xg_proto_put_tag(xg_proto_writer *w, uint32_t number, xg_proto_wire wire) {
    xg_proto_put_varint(w, (uint64_t)number << 3 | (uint64_t)wire);
}
/* The place that xg_proto_end takes back. */
XG_FN size_t xg_proto_begin(xg_proto_writer *w, uint32_t number) {
    xg_proto_put_tag(w, number, XG_WIRE_BYTES);
    xg_putc(&w->b, 0);
    return w->b.n;
}
XG_FN void xg_proto_end(xg_proto_writer *w, size_t at) {
    char length[XG_VARINT_MAX];
    size_t n = w->b.n - at, more = xg_proto_varint_bytes(length, n) - 1;
    if (w->b.n > XG_PROTO_BYTES_MAX)
        xg_fail(w->ctx, XLAGPU_ERROR_LIMIT,
            "error: HLO protobuf: the format ends at 2 GiB: pass large constants as arguments");
    if (more) {
        xg_put(&w->b, length, more);
        memmove(w->b.p + at + more, w->b.p + at, n);
    }
    memcpy(w->b.p + at - 1, length, more + 1);
}
/* A number; nothing where it is the format's default. */
XG_FN void xg_proto_put_int(xg_proto_writer *w, uint32_t number, int64_t v) {
    if (!v) return;
    xg_proto_put_tag(w, number, XG_WIRE_VARINT);
    xg_proto_put_varint(w, (uint64_t)v);
}
XG_FN void xg_proto_put_bytes(xg_proto_writer *w, uint32_t number, xg_str s) {
    xg_proto_put_tag(w, number, XG_WIRE_BYTES);
    xg_proto_put_varint(w, s.n);
    xg_put_str(&w->b, s);
}
/* A string; nothing where it is empty. */
XG_FN void xg_proto_put_string(xg_proto_writer *w, uint32_t number, xg_str s) {
    if (s.n) xg_proto_put_bytes(w, number, s);
}
XG_FN void xg_proto_put_ints(xg_proto_writer *w, uint32_t number, xg_ints v) {
    size_t at;
    uint32_t k;
    if (!v.n) return;
    at = xg_proto_begin(w, number);
    for (k = 0; k < v.n; k++) xg_proto_put_varint(w, (uint64_t)v.p[k]);
    xg_proto_end(w, at);
}
XG_FN void xg_proto_put_double(xg_proto_writer *w, uint32_t number, double v) {
    if (v == 0) return;
    xg_proto_put_tag(w, number, XG_WIRE_FIXED64);
    xg_put(&w->b, (const char *)&v, sizeof v); /* little-endian hosts */
}

/* ---- texts that hold what the message says ---- */

XG_FN xg_lex xg_proto_scan(xg_proto_writer *w, xg_str text) { return xg_import_scan(w->ctx, w->arena, text); }
/* "(1,0)" and the like, from its first bracket on; '*' stands for `star`. */
XG_FN xg_ints xg_proto_scan_ints(xg_proto_writer *w, xg_lex *x, char open, char close, int64_t star) {
    xg_int_vec list = {NULL, 0, 0};
    xg_ints v;
    xg_lex_expect(x, open, "a list");
    while (x->kind != close) {
        int64_t one = star;
        if (list.n) xg_lex_expect(x, ',', "','");
        if (!xg_lex_take(x, '*')) one = xg_lex_int(x, "a number");
        xg_push(w->arena, int64_t, &list, one);
    }
    xg_lex_next(x);
    v.p = list.p;
    v.n = list.n;
    return v;
}

/* ---- shapes ---- */

typedef struct xg_proto_extras {
    XG_VEC(xg_ints) tiles;
    xg_str splits;
    int64_t prefix, tail;
} xg_proto_extras;
/* What the text says behind the order: "T(8,128)(2,1)L(2)SC(0:1,2)M(4)". */
XG_APART XG_FN void xg_proto_scan_extras(xg_proto_writer *w, xg_str text, xg_proto_extras *e) {
    uint32_t k = 0, from;
    while (k < text.n) {
        char kind = text.p[k];
        while (k < text.n && text.p[k] != '(') k++;
        while (k < text.n && text.p[k] == '(') {
            xg_lex x;
            xg_ints v;
            for (from = k; k < text.n && text.p[k] != ')'; k++) {}
            if (k < text.n) k++;
            if (kind == 'S') {
                if (!e->splits.n) e->splits.p = text.p + from;
                e->splits.n = (uint32_t)(text.p + k - e->splits.p);
                continue;
            }
            x = xg_proto_scan(w, xg_str_of(text.p + from, k - from));
            v = xg_proto_scan_ints(w, &x, '(', ')', INT64_MIN);
            if (kind == 'T')
                xg_push(w->arena, xg_ints, &e->tiles, v);
            else if (kind == 'L')
                e->tail = v.n ? v.p[0] : 1;
            else
                e->prefix = v.n ? v.p[0] : 0;
        }
    }
}
XG_FN void xg_proto_put_splits_of(xg_proto_writer *w, xg_str text) {
    xg_lex x = xg_proto_scan(w, text);
    while (xg_lex_take(&x, '(')) {
        xg_int_vec list = {NULL, 0, 0};
        xg_ints v;
        size_t at = xg_proto_begin(w, XG_LAYOUT_SPLITS);
        xg_proto_put_int(w, 1, xg_lex_int(&x, "a dimension"));
        xg_lex_expect(&x, ':', "':'");
        do {
            int64_t one = xg_lex_int(&x, "an index");
            xg_push(w->arena, int64_t, &list, one);
        } while (xg_lex_take(&x, ','));
        xg_lex_expect(&x, ')', "')'");
        v.p = list.p;
        v.n = list.n;
        xg_proto_put_ints(w, 2, v);
        xg_proto_end(w, at);
    }
}
XG_FN void xg_proto_put_order(xg_proto_writer *w, const xg_layout *l, uint32_t rank) {
    size_t at;
    uint32_t k;
    if (!rank) return;
    at = xg_proto_begin(w, XG_LAYOUT_ORDER);
    for (k = 0; k < rank; k++) xg_proto_put_varint(w, l ? (uint64_t)l->minor_to_major[k] : rank - 1 - k);
    xg_proto_end(w, at);
}
XG_APART XG_FN void xg_proto_put_layout(xg_proto_writer *w, const xg_layout *l, uint32_t rank) {
    size_t layout = xg_proto_begin(w, XG_SHAPE_LAYOUT);
    xg_proto_extras e;
    uint32_t k;
    memset(&e, 0, sizeof e);
    e.tail = 1;
    if (l && l->extras.n) xg_proto_scan_extras(w, l->extras, &e);
    xg_proto_put_order(w, l, rank);
    for (k = 0; k < e.tiles.n; k++) {
        size_t at = xg_proto_begin(w, XG_LAYOUT_TILES);
        xg_proto_put_ints(w, 1, e.tiles.p[k]);
        xg_proto_end(w, at);
    }
    xg_proto_put_int(w, XG_LAYOUT_BITS, l ? l->element_bits : 0);
    xg_proto_put_int(w, XG_LAYOUT_SPACE, l ? l->memory_space : 0);
    xg_proto_put_int(w, XG_LAYOUT_PREFIX, e.prefix);
    xg_proto_put_int(w, XG_LAYOUT_TAIL, e.tail);
    if (e.splits.n) xg_proto_put_splits_of(w, e.splits);
    xg_proto_end(w, layout);
}
XG_FN void xg_proto_put_dims(xg_proto_writer *w, const xg_shape *s) {
    size_t at;
    uint32_t k;
    if (!s->rank) return;
    at = xg_proto_begin(w, XG_SHAPE_DIMENSIONS);
    for (k = 0; k < s->rank; k++) {
        bool open = s->dynamic && s->dynamic[k] == XG_DIM_UNBOUNDED;
        xg_proto_put_varint(w, open ? (uint64_t)INT64_MIN : (uint64_t)s->dims[k]);
    }
    xg_proto_end(w, at);
}
XG_FN void xg_proto_put_dynamic(xg_proto_writer *w, const xg_shape *s) {
    size_t at;
    uint32_t k;
    if (!s->rank) return;
    at = xg_proto_begin(w, XG_SHAPE_DYNAMIC);
    for (k = 0; k < s->rank; k++) xg_putc(&w->b, s->dynamic && s->dynamic[k] != XG_DIM_STATIC);
    xg_proto_end(w, at);
}
/* layout: as XLA writes it, also where it is the default; program shapes of computations have none */
XG_FN void xg_proto_put_shape(xg_proto_writer *w, uint32_t number, const xg_shape *s, bool layout) {
    size_t shape = xg_proto_begin(w, number);
    uint32_t k;
    xg_proto_put_int(w, XG_SHAPE_TYPE, xg_proto_row_of_type(s->type)->number);
    xg_proto_put_dims(w, s);
    for (k = 0; k < s->n_elems; k++) xg_proto_put_shape(w, XG_SHAPE_TUPLE, s->elems[k], layout);
    if (layout && xg_shape_is_array(s)) xg_proto_put_layout(w, s->layout, s->rank);
    xg_proto_put_dynamic(w, s);
    xg_proto_end(w, shape);
}

/* ---- literals ---- */

/* From the logical order to that of the layout: the reverse of xg_proto_unlayout. */
XG_FN const unsigned char *xg_proto_relayout(xg_proto_writer *w, const xg_literal *l) {
    const xg_shape *s = l->shape;
    int64_t strides[XG_RANK_MAX], at[XG_RANK_MAX], n, place = 0;
    size_t bytes = (size_t)xg_type_bytes(s->type);
    const unsigned char *from = (const unsigned char *)l->data;
    unsigned char *out;
    uint32_t d;
    if (!s->layout || s->layout->descending || !s->elements) return from;
    out = (unsigned char *)xg_alloc_raw(w->arena, xg_mul(w->ctx, (size_t)s->elements, bytes));
    xg_shape_strides(s, strides);
    memset(at, 0, sizeof at);
    for (n = 0; n < s->elements; n++, from += bytes) {
        memcpy(out + (size_t)place * bytes, from, bytes);
        for (d = s->rank; d-- > 0;) {
            place += strides[d];
            if (++at[d] < s->dims[d]) break;
            place -= strides[d] * s->dims[d];
            at[d] = 0;
        }
    }
    return out;
}
XG_FN void xg_proto_put_elements(xg_proto_writer *w, const xg_literal *l) {
    const xg_shape *s = l->shape;
    const xg_proto_type_row *row = xg_proto_row_of_type(s->type);
    bool varints = row->how == XG_PROTO_IS_VARINT;
    uint32_t number = row->field;
    size_t bytes = (size_t)xg_type_bytes(s->type), at;
    const unsigned char *data;
    int64_t k;
    int bits = xg_type_bits(s->type);
    if (l->elided || !s->elements) return;
    data = xg_proto_relayout(w, l);
    at = xg_proto_begin(w, number);
    if (varints)
        for (k = 0; k < s->elements; k++)
            xg_proto_put_varint(
                w, s->type == XLAGPU_PRED ? data[k] : (uint64_t)xg_int_load(s->type, data + (size_t)k * bytes));
    else if (bits < 8)
        for (k = 0; k < s->elements; k++) xg_putc(&w->b, (char)(data[k] & ((1 << bits) - 1)));
    else
        xg_put(&w->b, (const char *)data, (size_t)s->elements * bytes); /* little-endian hosts */
    xg_proto_end(w, at);
}
XG_FN void xg_proto_put_literal(xg_proto_writer *w, uint32_t number, const xg_literal *l) {
    size_t at = xg_proto_begin(w, number);
    uint32_t k;
    xg_proto_put_shape(w, XG_LITERAL_SHAPE, l->shape, true);
    if (l->elems)
        for (k = 0; k < l->shape->n_elems; k++) xg_proto_put_literal(w, XG_LITERAL_TUPLE, l->elems[k]);
    else if (xg_shape_is_array(l->shape))
        xg_proto_put_elements(w, l);
    xg_proto_end(w, at);
}

#endif /* XG_IMPORT_PROTO_WRITE_WIRE_C */
