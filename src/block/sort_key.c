/* block/sort_key.c -- keys: what a sort compares of an element as an integer of 32 or 64 bits, signed, the one that
 * goes first the smaller (fuse/sort_order.c), or of several arrays' elements, side by side; and elements in the pieces
 * in which they go through a shared array of integers. */
#ifndef XG_BLOCK_SORT_KEY_C
#define XG_BLOCK_SORT_KEY_C
#include "block.h"

XG_FN xg_kelem xg_sort_key_elem(int bits) { return bits == 64 ? XG_E_I64 : XG_E_I32; }

XG_FN xg_kval *xg_sort_float_key(xg_kb *b, const xg_sort_key *o, xg_kval *v) {
    xg_kval *zero, *is_zero;
    if (o->total)
        return xg_type_bits(o->type) <= 8 ? xg_scalar_ordered_small(b, v, xg_float_format_of(o->type))
                                          : xg_scalar_ordered_bits(b, v);
    v = xg_scalar_widen(b, v);
    zero = xg_kconst_float(b, v->type->elem, 0);
    is_zero = xg_kcmpf_(b, XG_CF_OEQ, v, zero);
    return xg_scalar_ordered_bits(b, xg_kselect(b, is_zero, zero, v));
}
/* What an unsigned number of the key's width has to be moved by. */
XG_FN int64_t xg_sort_key_bias(const xg_sort_key *o) {
    return xg_type_class(o->type) != XGT_I || xg_type_signed(o->type) || o->bits < 16 ? 0
           : o->bits == 64                                                            ? INT64_MIN
           : o->bits == 32                                                            ? INT32_MIN
                                                                                      : -32768;
}
/* Of an element of the keyed operand. */
XG_FN xg_kval *xg_sort_one_key(xg_scope *s, const xg_inst *sort, const xg_sort_key *o, xg_elem x) {
    xg_kb *b = &s->b;
    xg_kelem e = xg_sort_key_elem(o->bits);
    bool is_signed = xg_type_class(o->type) == XGT_F || xg_type_signed(o->type);
    int64_t bias = xg_sort_key_bias(o);
    xg_kval *v;
    if (o->key && o->key->op != XG_PARAMETER) {
        const xg_comp *c = xg_attr_to_apply(sort);
        xg_elem *args = XG_NEW_N(s->e->arena, xg_elem, c->n_params + 1);
        uint32_t k;
        for (k = 0; k < c->n_params; k++) args[k] = x; /* only those of the keyed operand are asked for */
        xg_elem_call_inst(s, c, o->key, args, &x, 1);
    }
    v = xg_type_class(o->type) == XGT_F ? xg_sort_float_key(b, o, x.v) : x.v;
    if (v->type->elem != e) v = xg_kcast(b, is_signed ? XG_K_OP_EXTSI : XG_K_OP_EXTUI, v, e);
    if (bias) v = XG_KOP2(b, o->bits == 16 ? XG_K_OP_ADDI : XG_K_OP_XORI, v, xg_kconst_int(b, e, bias));
    return o->descending ? XG_KOP2(b, XG_K_OP_XORI, v, xg_kconst_int(b, e, -1)) : v;
}
/* Of the elements of all operands: of several keys each counts from its least value, and stands above the next one. */
XG_FN xg_kval *xg_sort_key_of(xg_scope *s, const xg_sort_order *o, const xg_elem *x) {
    xg_kb *b = &s->b;
    xg_kelem e = xg_sort_key_elem(o->bits);
    xg_kval *all = NULL, *v;
    uint32_t k;
    if (o->n_keys == 1) return xg_sort_one_key(s, o->sort, &o->keys[0], x[o->keys[0].keyed]);
    for (k = 0; k < o->n_keys; k++) {
        const xg_sort_key *key = &o->keys[k];
        bool from_zero =
            xg_type_class(key->type) == XGT_P || (xg_type_class(key->type) == XGT_I && !xg_type_signed(key->type) &&
                                                     key->bits < 16); /* else it is a signed number of its bits */
        int64_t least = !from_zero ? -((int64_t)1 << (key->bits - 1)) : key->descending ? -256 : 0;
        v = xg_sort_one_key(s, o->sort, key, x[key->keyed]);
        if (least) v = XG_KOP2(b, XG_K_OP_SUBI, v, xg_kconst_int(b, v->type->elem, least));
        if (v->type->elem != e) v = xg_kextui(b, v, e);
        all = all ? XG_KOP2(b, XG_K_OP_ORI, XG_KOP2(b, XG_K_OP_SHLI, all, xg_kconst_int(b, e, key->bits)), v) : v;
    }
    if (o->bits == 16) return XG_KOP2(b, XG_K_OP_SUBI, all, xg_kconst_int(b, e, 32768));
    return XG_KOP2(b, XG_K_OP_XORI, all, xg_kconst_int(b, e, o->bits == 64 ? INT64_MIN : INT32_MIN));
}
/* The element whose key that is; requires that the key tells all about it. */
XG_APART XG_FN xg_kval *xg_sort_unkey(xg_kb *b, const xg_sort_key *o, xg_kval *v) {
    xg_kelem e = v->type->elem, to = xg_kelem_of(o->type), bits = to;
    int64_t bias = xg_sort_key_bias(o);
    if (o->descending) v = XG_KOP2(b, XG_K_OP_XORI, v, xg_kconst_int(b, e, -1));
    if (bias) v = XG_KOP2(b, o->bits == 16 ? XG_K_OP_SUBI : XG_K_OP_XORI, v, xg_kconst_int(b, e, bias));
    if (xg_type_class(o->type) == XGT_F) bits = o->bits == 64 ? XG_E_I64 : o->bits == 32 ? XG_E_I32 : XG_E_I16;
    if (bits != e) v = xg_kcast(b, XG_K_OP_TRUNCI, v, bits);
    if (bits == to) return v;
    { /* the order of floats is made, and taken back, by the same operations */
        xg_kval *sign = XG_KOP2(b, XG_K_OP_SHRSI, v, xg_kconst_int(b, bits, xg_kelem_bits(bits) - 1));
        v = XG_KOP2(b, XG_K_OP_XORI, v, XG_KOP2(b, XG_K_OP_SHRUI, sign, xg_kconst_int(b, bits, 1)));
    }
    return xg_kbitcast(b, v, to);
}

/* ---- pieces ---- */

/* Into how many integers of so many bits an element goes. */
XG_FN uint32_t xg_sort_pieces(xlagpu_type t, int width) {
    bool two = xg_type_class(t) == XGT_C;
    int bits = two ? xg_type_bits(t) / 2 : xg_type_bits(t);
    return (two ? 2u : 1u) * (bits > width ? 2u : 1u);
}
XG_FN xg_kval *xg_sort_bits_of(xg_kb *b, xg_kval *v) {
    xg_kelem e = v->type->elem;
    int bits = xg_kelem_bits(e);
    if (xg_kelem_is_int(e)) return v;
    if (bits < 8) {
        v = xg_scalar_widen(b, v);
        bits = 32;
    }
    return xg_kbitcast(b, v, bits == 64 ? XG_E_I64 : bits == 32 ? XG_E_I32 : bits == 16 ? XG_E_I16 : XG_E_I8);
}
/* Piece number `piece` of an element, as an integer of the array's type. */
XG_FN xg_kval *xg_sort_piece_of(xg_kb *b, xg_elem x, xlagpu_type t, xg_kelem to, uint32_t piece) {
    uint32_t each = xg_sort_pieces(t, xg_kelem_bits(to)) / (x.im ? 2u : 1u);
    xg_kval *v = xg_sort_bits_of(b, piece / each ? x.im : x.v);
    if (piece % each) v = XG_KOP2(b, XG_K_OP_SHRUI, v, xg_kconst_int(b, v->type->elem, 32));
    if (v->type->elem == to) return v;
    return xg_kcast(b, xg_kelem_bits(v->type->elem) > xg_kelem_bits(to) ? XG_K_OP_TRUNCI : XG_K_OP_EXTUI, v, to);
}
XG_FN xg_kval *xg_sort_from_bits(xg_kb *b, xg_kval *v, xlagpu_type t) {
    xg_kelem to = xg_kelem_of(t);
    int bits = xg_kelem_is_int(to) ? xg_kelem_bits(to) : xg_kelem_bits(to) < 8 ? 32 : xg_kelem_bits(to);
    xg_kelem e = bits == 64 ? XG_E_I64 : bits == 32 ? XG_E_I32 : bits == 16 ? XG_E_I16 : bits == 1 ? XG_E_I1 : XG_E_I8;
    if (v->type->elem != e) v = xg_kcast(b, XG_K_OP_TRUNCI, v, e);
    if (xg_kelem_is_int(to)) return v;
    if (xg_kelem_bits(to) < 8) return xg_scalar_convert(b, xg_kbitcast(b, v, XG_E_F32), XLAGPU_F32, t);
    return xg_kbitcast(b, v, to);
}
/* And the element of all of its pieces. */
XG_APART XG_FN xg_elem xg_sort_from_pieces(xg_kb *b, xg_kval *const *pieces, xlagpu_type t) {
    bool two = xg_type_class(t) == XGT_C;
    xlagpu_type real = two ? (xg_type_bits(t) == 64 ? XLAGPU_F32 : XLAGPU_F64) : t;
    uint32_t each = xg_sort_pieces(t, xg_kelem_bits(pieces[0]->type->elem)) / (two ? 2u : 1u), k;
    xg_elem x = xg_elem_real(NULL);
    for (k = 0; k < (two ? 2u : 1u); k++) {
        xg_kval *v = pieces[k * each], *high;
        if (each == 2) {
            high =
                XG_KOP2(b, XG_K_OP_SHLI, xg_kextui(b, pieces[k * each + 1], XG_E_I64), xg_kconst_int(b, XG_E_I64, 32));
            v = XG_KOP2(b, XG_K_OP_ORI, high, xg_kextui(b, v, XG_E_I64));
        }
        v = xg_sort_from_bits(b, v, real);
        if (k)
            x.im = v;
        else
            x.v = v;
    }
    return x;
}

#endif /* XG_BLOCK_SORT_KEY_C */
