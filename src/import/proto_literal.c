/* import/proto_literal.c -- LiteralProto: the values of constants and of a snapshot's arguments.
 *
 * Elements lie in the order of the layout, a literal keeps them in logical order; most layouts are descending, where
 * both are the same and one copy does.
 *
 * Laws
 * - No memory is allocated before the bytes are there that fill it.
 * - An array without data is elided: XLA leaves the data of large constants out on request. */
#ifndef XG_IMPORT_PROTO_LITERAL_C
#define XG_IMPORT_PROTO_LITERAL_C
#include "proto.h"
#include "proto_shape.c"

/* Elements on their way into a literal. */
typedef struct xg_proto_elems {
    unsigned char *out;
    size_t left; /* elements */
    uint32_t bytes;
    bool pred;
} xg_proto_elems;

XG_INLINE void xg_proto_put_elem(xg_proto_elems *e, uint64_t v) {
    if (e->pred) v = v != 0;
    memcpy(e->out, &v, e->bytes); /* little-endian hosts */
    e->out += e->bytes;
    e->left--;
}
/* Eight small numbers at once, as most are. */
XG_INLINE bool xg_proto_eight(xg_proto_bytes *m, xg_proto_elems *e) {
    uint64_t eight;
    uint32_t k;
    if (m->end - m->p < 8 || e->left < 8) return false;
    memcpy(&eight, m->p, 8);
    if (eight & UINT64_C(0x8080808080808080)) return false;
    if (e->bytes == 4)
        for (k = 0; k < 8; k++) {
            uint32_t v = m->p[k];
            memcpy(e->out + 4 * k, &v, 4);
        }
    else if (e->bytes == 8)
        for (k = 0; k < 8; k++) {
            uint64_t v = m->p[k];
            memcpy(e->out + 8 * k, &v, 8);
        }
    else
        for (k = 0; k < 8; k++) e->out[k] = m->p[k] != 0;
    m->p += 8;
    e->out += (size_t)8 * e->bytes;
    e->left -= 8;
    return true;
}
XG_FN void xg_proto_varints(xg_proto *p, xg_proto_bytes m, xg_proto_elems *e) {
    while (m.p < m.end) {
        if (xg_proto_eight(&m, e)) continue;
        if (!e->left) xg_proto_fail(p, m.p, NULL, "the literal has more elements than its shape");
        xg_proto_put_elem(e, xg_proto_varint(p, &m));
    }
}
XG_FN void xg_proto_raw(xg_proto *p, xg_proto_bytes m, xg_proto_elems *e) {
    size_t n = (size_t)(m.end - m.p), k = n / e->bytes;
    if (k > e->left) xg_proto_fail(p, m.p, NULL, "the literal has more elements than its shape");
    if (n) memcpy(e->out, m.p, n);
    e->out += n;
    e->left -= k;
}
/* Narrow types lie in bytes of which only the low bits count. */
XG_FN void xg_proto_narrow(xlagpu_type type, unsigned char *data, int64_t n) {
    unsigned char becomes[256];
    int k, bits = xg_type_bits(type);
    for (k = 0; k < 256; k++) {
        unsigned char c = (unsigned char)k;
        if (xg_type_class(type) & XGT_I)
            xg_int_store(type, &becomes[k], c);
        else
            becomes[k] = (unsigned char)(k & ((1 << bits) - 1));
    }
    for (; n > 0; n--, data++) *data = becomes[*data];
}
/* From the order of the layout to the logical one. */
XG_FN void *xg_proto_unlayout(xg_proto *p, const xg_shape *s, const unsigned char *from) {
    int64_t strides[XG_RANK_MAX], at[XG_RANK_MAX], n, place = 0;
    size_t bytes = (size_t)xg_type_bytes(s->type);
    unsigned char *out = (unsigned char *)xg_alloc_raw(p->arena, xg_mul(p->ctx, (size_t)s->elements, bytes)), *to = out;
    uint32_t d;
    xg_shape_strides(s, strides);
    memset(at, 0, sizeof at);
    for (n = 0; n < s->elements; n++) {
        memcpy(to, from + (size_t)place * bytes, bytes);
        to += bytes;
        for (d = s->rank; d-- > 0;) {
            place += strides[d];
            if (++at[d] < s->dims[d]) break;
            place -= strides[d] * s->dims[d];
            at[d] = 0;
        }
    }
    return out;
}

/* How many bytes of data the message has for the field. */
XG_FN size_t xg_proto_data_bytes(xg_proto *p, xg_proto_bytes m, uint32_t number, bool varints) {
    xg_proto_field f;
    size_t n = 0;
    while (xg_proto_next(p, &m, &f)) {
        if (f.number != number) continue;
        if (varints ? f.wire != XG_WIRE_BYTES && f.wire != XG_WIRE_VARINT : f.wire == XG_WIRE_VARINT)
            xg_proto_fail(p, f.at, NULL, "elements of a literal cannot be written like this");
        n += f.wire == XG_WIRE_VARINT ? 1 : (size_t)(f.bytes.end - f.bytes.p);
    }
    return n;
}
XG_FN void *xg_proto_data(xg_proto *p, xg_proto_bytes m, const xg_shape *s, uint32_t number, bool varints) {
    xg_proto_elems e;
    xg_proto_field f;
    size_t total = xg_literal_bytes(p->ctx, s);
    unsigned char *data = (unsigned char *)xg_alloc_raw(p->arena, total ? total : 1);
    memset(&e, 0, sizeof e);
    e.out = data;
    e.left = (size_t)s->elements;
    e.bytes = (uint32_t)xg_type_bytes(s->type);
    e.pred = s->type == XLAGPU_PRED;
    while (xg_proto_next(p, &m, &f)) {
        if (f.number != number) continue;
        if (f.wire == XG_WIRE_VARINT) {
            if (!e.left) xg_proto_fail(p, f.at, NULL, "the literal has more elements than its shape");
            xg_proto_put_elem(&e, f.value);
        } else if (varints)
            xg_proto_varints(p, f.bytes, &e);
        else
            xg_proto_raw(p, f.bytes, &e);
    }
    if (e.left)
        xg_proto_fail(p, m.end, NULL, "the literal lacks %llu of its %lld elements", (unsigned long long)e.left,
            (long long)s->elements);
    if (xg_type_bits(s->type) < 8) xg_proto_narrow(s->type, data, s->elements);
    return data;
}
XG_FN void xg_proto_array_data(xg_proto *p, xg_proto_bytes m, xg_literal *l) {
    const xg_shape *s = l->shape;
    const xg_proto_type_row *row = xg_proto_row_of_type(s->type);
    bool varints = row->how == XG_PROTO_IS_VARINT;
    uint32_t number = row->field;
    size_t have = xg_proto_data_bytes(p, m, number, varints);
    size_t bytes = (size_t)xg_type_bytes(s->type);
    if (!have) {
        if (!s->rank) xg_proto_fail(p, m.p, NULL, "a scalar constant without its value");
        if (s->elements)
            l->elided = true;
        else
            l->data = xg_alloc(p->arena, 1);
        return;
    }
    if (varints ? have < (uint64_t)s->elements : have % bytes || have / bytes != (uint64_t)s->elements)
        xg_proto_fail(p, m.p, NULL, "the literal has %llu bytes for %lld elements", (unsigned long long)have,
            (long long)s->elements);
    l->data = xg_proto_data(p, m, s, number, varints);
    if (s->layout && !s->layout->descending && s->elements)
        l->data = xg_proto_unlayout(p, s, (const unsigned char *)l->data);
}

XG_FN const xg_literal *xg_proto_literal_of(xg_proto *p, xg_proto_bytes m, const xg_shape *s);
XG_FN void xg_proto_tuple_data(xg_proto *p, xg_proto_bytes m, xg_literal *l) {
    const xg_literal **elems = XG_NEW_N(p->arena, const xg_literal *, l->shape->n_elems);
    const unsigned char *at = m.p;
    xg_proto_field f;
    uint32_t n = 0;
    while (xg_proto_next(p, &m, &f)) {
        if (f.number != XG_LITERAL_TUPLE) continue;
        if (n == l->shape->n_elems) xg_proto_fail(p, f.at, NULL, "the tuple has more elements than its shape");
        elems[n] = xg_proto_literal_of(p, xg_proto_message(p, &f), l->shape->elems[n]);
        n++;
    }
    if (n != l->shape->n_elems)
        xg_proto_fail(p, at, NULL, "the tuple has %u elements, its shape %u", n, l->shape->n_elems);
    l->elems = elems;
}
/* s NULL: the literal's own shape. */
XG_FN const xg_literal *xg_proto_literal_of(xg_proto *p, xg_proto_bytes m, const xg_shape *s) {
    const unsigned char *at = m.p;
    xg_literal *l = XG_NEW(p->arena, xg_literal);
    xg_proto_field f;
    xg_proto_enter(p, at);
    if (!xg_proto_find(p, m, XG_LITERAL_SHAPE, &f)) xg_proto_fail(p, at, NULL, "a literal without a shape");
    l->shape = xg_proto_shape(p, xg_proto_message(p, &f));
    if (s && !xg_shape_compatible(s, l->shape))
        xg_proto_fail(p, f.at, NULL, "the literal is %s, but it stands for %s", xg_parse_shape_text(p->parse, l->shape),
            xg_parse_shape_text(p->parse, s));
    if (l->shape->type == XLAGPU_TUPLE)
        xg_proto_tuple_data(p, m, l);
    else if (xg_shape_is_array(l->shape))
        xg_proto_array_data(p, m, l);
    else if (l->shape->type != XLAGPU_TOKEN)
        xg_proto_fail(p, at, NULL, "a value of type %s cannot be written as a literal", xg_type_name(l->shape->type));
    p->depth--;
    return l;
}
XG_FN const xg_literal *xg_proto_literal(xg_proto *p, xg_proto_bytes m) { return xg_proto_literal_of(p, m, NULL); }

#endif /* XG_IMPORT_PROTO_LITERAL_C */
