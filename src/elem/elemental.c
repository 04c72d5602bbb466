/* elem/elemental.c -- computes one element of any instruction of a fused computation, and emits the functions of the
 * partition.
 *
 * xg_elem_of gives the element of an instruction at logical indices. It calls the handler named in the opcode's row,
 * which recursively gets the elements of the operands; the recursion ends at parameters (tensor.extract) and calls of
 * other functions (pure_call). Each function computes an instruction once; a region computes it again only if the
 * existing value lies in a region that does not enclose this one.
 *
 * Opcodes that move data only change indices: their handlers apply the indexing map to the operand's. */
#ifndef XG_ELEM_ELEMENTAL_C
#define XG_ELEM_ELEMENTAL_C
#include "elem.h"

enum {
    XG_ELEM_DEPTH_MAX = 4000,
    XG_ELEM_PIECES_MAX = 4
};

XG_FN xg_elem xg_elem_real(xg_kval *v) {
    xg_elem e;
    e.v = v;
    e.im = NULL;
    return e;
}

/* ---- tensors in physical order ---- */

XG_FN const xg_ktype *xg_emit_tensor_type(xg_kmodule *m, const xg_shape *s) {
    int64_t dims[XG_RANK_MAX];
    uint32_t k;
    for (k = 0; k < s->rank; k++)
        dims[k] = s->dims[s->layout ? (uint32_t)s->layout->minor_to_major[s->rank - 1 - k] : k];
    return xg_kir_tensor(m, xg_kelem_of(s->type), dims, s->rank);
}

XG_FN void xg_emit_physical(const xg_shape *s, xg_kval *const *indices, xg_kval **out) {
    uint32_t k;
    for (k = 0; k < s->rank; k++)
        out[k] = indices[s->layout ? (uint32_t)s->layout->minor_to_major[s->rank - 1 - k] : k];
}

XG_FN xg_elem xg_emit_split(xg_kb *b, xg_kval *v) {
    xg_elem e = xg_elem_real(v);
    xg_kelem part;
    if (!xg_kelem_is_complex(v->type->elem)) return e;
    part = v->type->elem == XG_E_C64 ? XG_E_F32 : XG_E_F64;
    e.v = xg_kcast(b, XG_K_OP_RE, v, part);
    e.im = xg_kcast(b, XG_K_OP_IM, v, part);
    return e;
}

XG_FN xg_kval *xg_emit_join(xg_kb *b, xg_elem e) {
    xg_kval *parts[2];
    const xg_ktype *t;
    if (!e.im) return e.v;
    parts[0] = e.v;
    parts[1] = e.im;
    t = xg_kir_scalar(b->m, e.v->type->elem == XG_E_F32 ? XG_E_C64 : XG_E_C128);
    return xg_kir_op(b, XG_K_OP_COMPLEX, parts, 2, &t, 1, 0)->results;
}

XG_FN xg_kval *xg_emit_insert(xg_kb *b, xg_elem v, xg_kval *tensor, const xg_shape *s, xg_kval *const *indices) {
    xg_kval *at[XG_RANK_MAX];
    xg_emit_physical(s, indices, at);
    return xg_kinsert(b, xg_emit_join(b, v), tensor, at, s->rank);
}

XG_FN void xg_emit_name(xg_kmodule *m, xg_kval *v, const char *format, uint32_t number) {
    char text[32];
    size_t n = 0;
    for (; *format && n < 16; format++) {
        if (*format == '%' && format[1] == 'u') {
            n += xg_format(text + n, sizeof text - n, "%u", number);
            format++;
        } else
            text[n++] = *format;
    }
    text[n] = 0;
    v->name = xg_str_copy(m->arena, xg_str_of(text, n));
}

/* ---- indices ---- */

XG_FN xg_kval *xg_elem_index(xg_scope *s, int64_t v) { return xg_kconst_int(&s->b, XG_E_INDEX, v); }
XG_ONE_COPY XG_FN xg_kval *xg_elem_index_0(xg_scope *s) { return xg_elem_index(s, 0); }

XG_FN void xg_elem_apply(xg_scope *s, const xg_imap *map, xg_kval *const *indices, xg_kval **out) {
    uint32_t k;
    xg_kop *op;
    if (map->n_results == 0) return;
    if (map->state == XG_IMAP_EMPTY) {
        for (k = 0; k < map->n_results; k++) out[k] = xg_elem_index_0(s);
        return;
    } /* unreachable code */
    if (xg_imap_is_identity(map)) {
        for (k = 0; k < map->n_results; k++) out[k] = indices[k];
        return;
    }
    op = xg_kapply(&s->b, map, indices);
    for (k = 0; k < map->n_results; k++) out[k] = &op->results[k];
}

XG_FN xg_kval *xg_elem_and(xg_scope *s, xg_kval *p, xg_kval *q) { return !p ? q : !q ? p : xg_kandi(&s->b, p, q); }

/* Tests lo <= v <= hi, except for bounds that are known already; NULL if both are. */
XG_FN xg_kval *xg_elem_within(xg_scope *s, xg_kval *v, xg_range r, xg_range known) {
    xg_kval *p = NULL;
    if (r.lo > known.lo) p = xg_kcmpi_int(&s->b, XG_CI_SGE, v, r.lo);
    if (r.hi < known.hi) p = xg_elem_and(s, p, xg_kcmpi_int(&s->b, XG_CI_SLE, v, r.hi));
    return p;
}

/* Tests whether the indices are in the map's domain. A condition must not be simplified by itself: its expression is
 * evaluated by a map over the indices' full ranges, without the conditions. */
XG_FN xg_kval *xg_elem_in_domain(
    xg_scope *s, const xg_imap *map, const xg_shape *shape, const int64_t *counts, xg_kval *const *indices) {
    xg_imap *all = xg_imap_copy(s->e->m->aff, map, 0);
    xg_kval *p = NULL, *at[1];
    uint32_t k;
    all->n_constraints = 0;
    for (k = 0; k < map->n_dims; k++) all->dims[k].range = xg_range_of(0, shape->dims[k] - 1);
    for (k = 0; k < map->n_syms; k++) all->syms[k].range = xg_range_of(0, counts[k] - 1);
    for (k = 0; k < map->n_dims; k++)
        p = xg_elem_and(s, p, xg_elem_within(s, indices[k], map->dims[k].range, all->dims[k].range));
    for (k = 0; k < map->n_syms; k++)
        p = xg_elem_and(s, p, xg_elem_within(s, indices[map->n_dims + k], map->syms[k].range, all->syms[k].range));
    for (k = 0; k < map->n_constraints; k++) {
        xg_aff_env env = xg_imap_env(s->e->m->aff, map);
        xg_elem_apply(s, xg_imap_with_results(s->e->m->aff, all, &map->constraints[k].expr, 1), indices, at);
        p = xg_elem_and(
            s, p, xg_elem_within(s, at[0], map->constraints[k].range, xg_aff_range(&env, map->constraints[k].expr)));
    }
    return p;
}

/* ---- operands and conditions ---- */

XG_FN xg_elem xg_elem_operand(xg_scope *s, const xg_inst *i, uint32_t k, xg_kval *const *indices) {
    const xg_inst *o = XG_OPERAND(i, k);
    xg_kval *at[XG_RANK_MAX];
    const xg_imap *map;
    if ((xg_op_flags(i->op) & XGF_EW) || o->shape->rank == 0) return xg_elem_of(s, o, indices);
    map = xg_indexing_operand(s->e->m->aff, i, k);
    if (map->state == XG_IMAP_UNDEFINED)
        xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, NULL, "no indexing map of %s is known", xg_op_name(i->op));
    xg_elem_apply(s, map, indices, at);
    return xg_elem_of(s, o, at);
}

/* Emits an if; `make` emits each branch (then: true for the first). */
typedef xg_elem (*xg_branch_fn)(xg_scope *s, const void *data, bool then);
XG_FN xg_elem xg_elem_if(xg_scope *s, xg_kval *cond, xlagpu_type type, xg_branch_fn make, const void *data) {
    const xg_ktype *t[2];
    uint32_t n = xg_type_class(type) == XGT_C ? 2 : 1, branch;
    xg_kop *op;
    xg_kb outer = s->b;
    xg_elem r;
    t[0] = t[1] = xg_kir_scalar(s->e->m, xg_kelem_of(xg_type_real(type)));
    op = xg_kif(&s->b, cond, t, n);
    for (branch = 0; branch < 2; branch++) {
        xg_kval *vals[2];
        xg_elem e;
        s->b = xg_kb_end(s->e->m, op->regions[branch]);
        s->b.loc = outer.loc;
        e = make(s, data, branch == 0);
        vals[0] = e.v;
        vals[1] = e.im;
        xg_kyield(&s->b, vals, n);
    }
    s->b = outer;
    r.v = &op->results[0];
    r.im = n == 2 ? &op->results[1] : NULL;
    return r;
}

/* ---- handlers, one per word of the opcode table ---- */

#define HANDLER(word) XG_FN xg_elem xg_elem_##word(xg_scope *s, const xg_inst *i, xg_kval *const *at)

HANDLER(none) {
    (void)s;
    (void)at;
    xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, "run it with --platform=interpreter", "%s is not supported in kernels yet",
        xg_op_name(i->op));
}
HANDLER(whole) {
    (void)s;
    (void)at;
    xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, "leave it outside of the fusion",
        "%s is a kernel of its own: nothing can be computed behind it in a fusion", xg_op_name(i->op));
}
HANDLER(identity) { return xg_elem_operand(s, i, 0, at); }

HANDLER(unary) {
    xg_elem x = xg_elem_operand(s, i, 0, at);
    return XG_ELEM_IS_COMPLEX(x) ? xg_complex_unary(&s->b, i, x)
                                 : xg_elem_real(xg_scalar_unary(&s->b, i, XG_OPERAND(i, 0)->shape->type, x.v));
}
HANDLER(binary) {
    xg_elem x = xg_elem_operand(s, i, 0, at), y = xg_elem_operand(s, i, 1, at);
    if (i->op == XG_COMPLEX) {
        x.im = y.v;
        return x;
    }
    return XG_ELEM_IS_COMPLEX(x) ? xg_complex_binary(&s->b, i, x, y)
                                 : xg_elem_real(xg_scalar_binary(&s->b, i, XG_OPERAND(i, 0)->shape->type, x.v, y.v));
}
HANDLER(compare) {
    xg_elem x = xg_elem_operand(s, i, 0, at), y = xg_elem_operand(s, i, 1, at);
    return xg_elem_real(XG_ELEM_IS_COMPLEX(x) ? xg_complex_compare(&s->b, i, x, y)
                                              : xg_scalar_compare(&s->b, i, XG_OPERAND(i, 0)->shape->type, x.v, y.v));
}
HANDLER(convert) {
    xlagpu_type from = XG_OPERAND(i, 0)->shape->type, to = i->shape->type;
    xg_elem x = xg_elem_operand(s, i, 0, at), r;
    bool complex_to = xg_type_class(to) == XGT_C;
    if (to == XLAGPU_PRED && x.im) { /* true if either part is not zero */
        xg_kval *re = xg_scalar_convert(&s->b, x.v, xg_type_real(from), to),
                *im = xg_scalar_convert(&s->b, x.im, xg_type_real(from), to);
        return xg_elem_real(xg_k2(&s->b, XG_K_OP_ORI, re, im));
    }
    r = xg_elem_real(xg_scalar_convert(&s->b, x.v, xg_type_real(from), xg_type_real(to)));
    if (complex_to)
        r.im = x.im ? xg_scalar_convert(&s->b, x.im, xg_type_real(from), xg_type_real(to))
                    : xg_kconst_float(&s->b, xg_kelem_of(xg_type_real(to)), 0);
    return r;
}
HANDLER(reduce_precision) {
    xlagpu_type t = i->shape->type;
    xg_kval *x = xg_elem_operand(s, i, 0, at).v, *r;
    int64_t e = xg_attr_int(i, XG_A_exponent_bits, 8), m = xg_attr_int(i, XG_A_mantissa_bits, 23);
    if (xg_type_bits(t) > 8) return xg_elem_real(xg_scalar_reduce_precision(&s->b, x, e, m));
    /* Narrower floats are reduced as f16, which represents all of them, with range to spare; f8e8m0 as f32. */
    r = xg_scalar_reduce_precision(&s->b,
        t == XLAGPU_F8E8M0FNU ? xg_scalar_widen(&s->b, x)
                              : xg_kcast(&s->b, XG_K_OP_TRUNCF, xg_scalar_widen(&s->b, x), XG_E_F16),
        e, m);
    return xg_elem_real(xg_kcast(&s->b, XG_K_OP_TRUNCF,
        xg_scalar_convert(&s->b, r, t == XLAGPU_F8E8M0FNU ? XLAGPU_F32 : XLAGPU_F16, XLAGPU_F32), xg_kelem_of(t)));
}
HANDLER(stochastic_convert) {
    xg_kval *x = xg_elem_operand(s, i, 0, at).v, *random = xg_elem_operand(s, i, 1, at).v;
    if (xg_type_class(i->shape->type) != XGT_I || xg_type_bits(i->shape->type) < 8)
        xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, NULL, "stochastic-convert to %s is not supported in kernels",
            xg_type_name(i->shape->type));
    return xg_elem_real(xg_scalar_stochastic(&s->b, x, random, i->shape->type));
}
HANDLER(select) {
    xg_elem c = xg_elem_operand(s, i, 0, at), x = xg_elem_operand(s, i, 1, at), y = xg_elem_operand(s, i, 2, at), r;
    r = xg_elem_real(xg_kselect(&s->b, c.v, x.v, y.v));
    if (x.im) r.im = xg_kselect(&s->b, c.v, x.im, y.im);
    return r;
}
/* min(max(lo, x), hi); NaN if any of the three is NaN. */
HANDLER(clamp) {
    xlagpu_type t = i->shape->type;
    xg_elem lo = xg_elem_operand(s, i, 0, at), x = xg_elem_operand(s, i, 1, at), hi = xg_elem_operand(s, i, 2, at);
    xg_inst op = *i;
    op.op = XG_MAXIMUM;
    x = XG_ELEM_IS_COMPLEX(x) ? xg_complex_binary(&s->b, &op, lo, x)
                              : xg_elem_real(xg_scalar_binary(&s->b, &op, t, lo.v, x.v));
    op.op = XG_MINIMUM;
    return XG_ELEM_IS_COMPLEX(x) ? xg_complex_binary(&s->b, &op, x, hi)
                                 : xg_elem_real(xg_scalar_binary(&s->b, &op, t, x.v, hi.v));
}

HANDLER(constant) {
    const xg_literal *l = i->literal;
    xlagpu_type t = i->shape->type, real = xg_type_real(t);
    size_t n = (size_t)xg_type_bytes(real), all = (size_t)xg_type_bytes(t);
    const char *p;
    xg_elem r;
    int64_t k;
    uint64_t bits = 0;
    (void)at;
    if (l->elided || !l->data)
        xg_hlo_fail(i, XLAGPU_ERROR_INVALID, "export with print_large_constants, or pass --fill_elided_constants",
            "the constant's values are elided");
    p = (const char *)l->data;
    for (k = 1; k < i->shape->elements; k++)
        if (memcmp(p, p + (size_t)k * all, all) != 0)
            xg_hlo_fail(i, XLAGPU_ERROR_INTERNAL, NULL, "an array constant inside a kernel");
    if (i->shape->elements) memcpy(&bits, p, n); /* an empty constant's element is never read */
    r = xg_elem_real(xg_kconst_bits(&s->b, xg_kir_scalar(s->e->m, xg_kelem_of(real)), bits));
    if (all != n) {
        bits = 0;
        if (i->shape->elements) memcpy(&bits, p + n, n);
        r.im = xg_kconst_bits(&s->b, xg_kir_scalar(s->e->m, xg_kelem_of(real)), bits);
    }
    return r;
}

HANDLER(iota) {
    xlagpu_type t = i->shape->type, real = xg_type_real(t), as = XLAGPU_S64;
    int64_t d = xg_attr_or_0(i, XG_A_iota_dimension);
    xg_kval *v;
    xg_elem r;
    if (i->shape->dims[d] <= INT32_MAX) as = XLAGPU_S32;
    v = xg_kcast_index(&s->b, at[d], xg_kelem_of(as));
    r = xg_elem_real(xg_scalar_convert(&s->b, v, as, real));
    if (real != t) r.im = xg_kconst_float(&s->b, xg_kelem_of(real), 0);
    return r;
}

/* ---- bitcast-convert ---- */

XG_ONE_COPY XG_FN xg_kelem xg_elem_bits_type(int bits) {
    return bits <= 8 ? XG_E_I8 : bits == 16 ? XG_E_I16 : bits == 32 ? XG_E_I32 : XG_E_I64;
}

/* Of types below a byte, the significant bits. */
XG_FN xg_kval *xg_elem_own_bits(xg_kb *b, xg_kval *v, xlagpu_type t) {
    return xg_type_bits(t) < 8 ? xg_k2_int(b, XG_K_OP_ANDI, v, (1 << xg_type_bits(t)) - 1) : v;
}
/* The element's bits as an unsigned integer of its width (at least 8). */
XG_FN xg_kval *xg_elem_to_bits(xg_scope *s, xg_elem e, xlagpu_type t) {
    xg_kb *b = &s->b;
    if (t == XLAGPU_PRED) return xg_kextui(b, e.v, XG_E_I8);
    if (e.im) {
        xg_kval *lo = xg_kextui(b, xg_kbitcast(b, e.v, XG_E_I32), XG_E_I64),
                *hi = xg_kextui(b, xg_kbitcast(b, e.im, XG_E_I32), XG_E_I64);
        return xg_k2(b, XG_K_OP_ORI, lo, xg_k2_int(b, XG_K_OP_SHLI, hi, 32));
    }
    return xg_elem_own_bits(
        b, xg_type_class(t) == XGT_F ? xg_kbitcast(b, e.v, xg_elem_bits_type(xg_type_bits(t))) : e.v, t);
}
XG_FN xg_elem xg_elem_from_bits(xg_scope *s, xg_kval *v, xlagpu_type t) {
    xg_kb *b = &s->b;
    if (t == XLAGPU_PRED) return xg_elem_real(xg_kcmpi_int(b, XG_CI_NE, v, 0));
    if (xg_type_class(t) == XGT_C) {
        xg_elem r;
        r.v = xg_kbitcast(b, xg_kcast(b, XG_K_OP_TRUNCI, v, XG_E_I32), XG_E_F32);
        r.im = xg_kbitcast(b, xg_kcast(b, XG_K_OP_TRUNCI, xg_k2_int(b, XG_K_OP_SHRUI, v, 32), XG_E_I32), XG_E_F32);
        return r;
    }
    if (xg_type_class(t) == XGT_F) return xg_elem_real(xg_kbitcast(b, xg_elem_own_bits(b, v, t), xg_kelem_of(t)));
    return xg_elem_real(xg_scalar_wrap(b, v, t));
}

XG_FN xg_kval *xg_elem_resize(xg_scope *s, xg_kval *v, xg_kelem to) {
    int from = xg_kelem_bits(v->type->elem), bits = xg_kelem_bits(to);
    return from == bits ? v : xg_kcast(&s->b, from < bits ? XG_K_OP_EXTUI : XG_K_OP_TRUNCI, v, to);
}

/* Equal widths keep the shape; a wider result gathers the operand's minor dimension, element 0 lowest; a narrower one
 * gains a minor dimension. */
HANDLER(bitcast_convert) {
    const xg_inst *o = XG_OPERAND(i, 0);
    xlagpu_type from = o->shape->type, to = i->shape->type;
    int fb = xg_type_bits(from), tb = xg_type_bits(to);
    xg_kelem wide = xg_elem_bits_type(tb);
    xg_kval *idx[XG_RANK_MAX + 1], *v = NULL;
    uint32_t rank = i->shape->rank, k;
    if (from == to) return xg_elem_of(s, o, at);
    if (fb > 64 || tb > 64)
        xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, NULL, "bitcast-convert from %s to %s is not supported in kernels",
            xg_type_name(from), xg_type_name(to));
    for (k = 0; k < rank; k++) idx[k] = at[k];
    if (fb == tb) return xg_elem_from_bits(s, xg_elem_to_bits(s, xg_elem_of(s, o, idx), from), to);
    if (fb < tb) {
        for (k = 0; k < (uint32_t)(tb / fb); k++) {
            xg_kval *piece;
            idx[rank] = xg_elem_index(s, k);
            piece = xg_elem_resize(s, xg_elem_to_bits(s, xg_elem_of(s, o, idx), from), wide);
            if (k) piece = xg_k2_int(&s->b, XG_K_OP_SHLI, piece, (int64_t)k * fb);
            v = v ? xg_k2(&s->b, XG_K_OP_ORI, v, piece) : piece;
        }
        return xg_elem_from_bits(s, v, to);
    }
    v = xg_elem_to_bits(s, xg_elem_of(s, o, idx), from);
    {
        xg_kval *shift = xg_kcast_index(&s->b, at[rank - 1], v->type->elem == XG_E_I64 ? XG_E_I64 : XG_E_I32);
        shift = xg_elem_resize(s, xg_k2_int(&s->b, XG_K_OP_MULI, shift, tb), v->type->elem);
        return xg_elem_from_bits(
            s, xg_elem_resize(s, xg_k2(&s->b, XG_K_OP_SHRUI, v, shift), xg_elem_bits_type(tb)), to);
    }
}

/* ---- movement with conditions ---- */

typedef struct xg_elem_site {
    const xg_inst *i;
    xg_kval *const *at;
    uint32_t first, last;
    xg_kval *const *other;
} xg_elem_site;

XG_FN xg_elem xg_elem_pad_branch(xg_scope *s, const void *data, bool then) {
    const xg_elem_site *d = (const xg_elem_site *)data;
    return xg_elem_operand(s, d->i, then ? 0 : 1, d->at);
}
HANDLER(pad) {
    const xg_imap *map = xg_indexing_operand(s->e->m->aff, i, 0);
    xg_elem_site d;
    xg_kval *inside;
    if (map->state == XG_IMAP_EMPTY) return xg_elem_operand(s, i, 1, at);
    inside = xg_elem_in_domain(s, map, i->shape, NULL, at);
    memset(&d, 0, sizeof d);
    d.i = i;
    d.at = at;
    return inside ? xg_elem_if(s, inside, i->shape->type, xg_elem_pad_branch, &d) : xg_elem_operand(s, i, 0, at);
}

XG_FN int64_t xg_concat_offset(const xg_inst *i, uint32_t operand) {
    int64_t d = xg_attr_dims(i).p[0], sum = 0;
    uint32_t k;
    for (k = 0; k < operand; k++) sum += XG_OPERAND(i, k)->shape->dims[d];
    return sum;
}
XG_FN xg_elem xg_elem_concat_range(xg_scope *s, const xg_inst *i, xg_kval *const *at, uint32_t first, uint32_t last);
XG_FN xg_elem xg_elem_concat_branch(xg_scope *s, const void *data, bool then) {
    const xg_elem_site *d = (const xg_elem_site *)data;
    uint32_t mid = d->first + (d->last - d->first) / 2;
    return then ? xg_elem_concat_range(s, d->i, d->at, d->first, mid)
                : xg_elem_concat_range(s, d->i, d->at, mid + 1, d->last);
}
/* Selects the operand by bisection, so that the nesting of ifs is logarithmic. */
XG_FN xg_elem xg_elem_concat_range(xg_scope *s, const xg_inst *i, xg_kval *const *at, uint32_t first, uint32_t last) {
    int64_t dim = xg_attr_dims(i).p[0];
    xg_elem_site d;
    if (first == last) {
        xg_kval *idx[XG_RANK_MAX];
        uint32_t k;
        int64_t offset = xg_concat_offset(i, first);
        for (k = 0; k < i->shape->rank; k++) idx[k] = at[k];
        if (offset) {
            idx[dim] = xg_k2_int(&s->b, XG_K_OP_SUBI, at[dim], offset);
            xg_kval_set_range(idx[dim], xg_range_of(0, XG_OPERAND(i, first)->shape->dims[dim] - 1));
        }
        return xg_elem_of(s, XG_OPERAND(i, first), idx);
    }
    memset(&d, 0, sizeof d);
    d.i = i;
    d.at = at;
    d.first = first;
    d.last = last;
    return xg_elem_if(s, xg_kcmpi_int(&s->b, XG_CI_SLT, at[dim], xg_concat_offset(i, first + (last - first) / 2 + 1)),
        i->shape->type, xg_elem_concat_branch, &d);
}
XG_FN xg_kval *xg_elem_moved(xg_scope *s, xg_kval *v, int64_t by) { return by ? xg_kaddi_int(&s->b, v, by) : v; }
/* The array from which a piece is sliced, or the piece itself; and where it begins there. */
XG_FN const xg_inst *xg_concat_cut(const xg_inst *o) { return o->op == XG_SLICE ? XG_OPERAND(o, 0) : o; }
XG_FN int64_t xg_concat_begin(const xg_inst *o, uint32_t d) {
    return o->op == XG_SLICE ? xg_inst_attr(o, XG_A_slice)->v.slices->p[d].start : 0;
}
/* The array of which all operands are slices along the concatenated dimension: a roll, for example, or a periodic
 * border. NULL: there is none, or too many pieces. */
XG_FN const xg_inst *xg_concat_whole(const xg_inst *i) {
    uint32_t dim = (uint32_t)xg_attr_dims(i).p[0], k, d;
    const xg_inst *first = XG_OPERAND(i, 0);
    if (i->n_operands < 2 || i->n_operands > XG_ELEM_PIECES_MAX) return NULL;
    for (k = 0; k < i->n_operands; k++) {
        const xg_inst *o = XG_OPERAND(i, k);
        if (xg_concat_cut(o) != xg_concat_cut(first) || o->shape->elements == 0) return NULL;
        for (d = 0; d < i->shape->rank; d++)
            if ((d != dim && xg_concat_begin(o, d) != xg_concat_begin(first, d)) ||
                (o->op == XG_SLICE && xg_inst_attr(o, XG_A_slice)->v.slices->p[d].stride != 1))
                return NULL;
    }
    return xg_concat_cut(first);
}
/* Of pieces of one array, selects the index instead of the element: one load, outside of any branch. */
HANDLER(concatenate) {
    const xg_inst *x = s->applied ? NULL : xg_concat_whole(i);
    uint32_t dim = (uint32_t)xg_attr_dims(i).p[0], place = x ? xg_partition_place(s->e->parts, x) : 0, k;
    xg_kval *idx[XG_RANK_MAX];
    if (!x || (x->op != XG_PARAMETER &&
                  (!xg_partition_is_root(s->e->parts, place) || s->e->parts->part_of[place] == s->part)))
        return xg_elem_concat_range(s, i, at, 0, i->n_operands - 1);
    for (k = 0; k < i->shape->rank; k++) idx[k] = xg_elem_moved(s, at[k], xg_concat_begin(XG_OPERAND(i, 0), k));
    for (k = 1; k < i->n_operands; k++) {
        int64_t offset = xg_concat_offset(i, k);
        xg_kval *v = xg_elem_moved(s, at[dim], xg_concat_begin(XG_OPERAND(i, k), dim) - offset);
        idx[dim] = xg_kselect(&s->b, xg_kcmpi_int(&s->b, XG_CI_SLT, at[dim], offset), idx[dim], v);
    }
    for (k = 0; k < i->shape->rank; k++) xg_kval_set_range(idx[k], xg_range_of(0, x->shape->dims[k] - 1));
    return xg_elem_of(s, x, idx);
}

XG_FN xg_kval *xg_elem_clamped(xg_scope *s, xg_kval *v, xlagpu_type t, int64_t limit) {
    bool is_signed = xg_type_signed(t), wide = xg_type_bits(t) > 32 || limit > INT32_MAX;
    xg_kelem e = wide ? XG_E_I64 : XG_E_I32;
    if (xg_kelem_bits(v->type->elem) < xg_kelem_bits(e))
        v = xg_kcast(&s->b, is_signed ? XG_K_OP_EXTSI : XG_K_OP_EXTUI, v, e);
    if (is_signed)
        v = XG_KOP2(&s->b, XG_K_OP_MINSI, XG_KOP2(&s->b, XG_K_OP_MAXSI, v, xg_kconst_int(&s->b, e, 0)),
            xg_kconst_int(&s->b, e, limit));
    else
        v = xg_k2_int(&s->b, XG_K_OP_MINUI, v, limit);
    v = xg_kcast_index(&s->b, v, XG_E_INDEX);
    xg_kval_set_range(v, xg_range_of(0, limit));
    return v;
}
/* The k-th start index of a dynamic-slice or -update-slice, clamped so that the slice fits: starts are scalars, or one
 * vector. */
XG_FN xg_kval *xg_elem_start(xg_scope *s, const xg_inst *i, uint32_t first, uint32_t k, int64_t limit) {
    bool vector = i->n_operands == first + 1 && XG_OPERAND(i, first)->shape->rank == 1;
    const xg_inst *o = XG_OPERAND(i, vector ? first : first + k);
    xg_kval *pick = vector ? xg_elem_index(s, k) : NULL;
    return xg_elem_clamped(s, xg_elem_of(s, o, &pick).v, o->shape->type, limit);
}
HANDLER(dynamic_slice) {
    const xg_shape *from = XG_OPERAND(i, 0)->shape;
    xg_kval *idx[XG_RANK_MAX];
    uint32_t k;
    for (k = 0; k < from->rank; k++) {
        int64_t slack = from->dims[k] - i->shape->dims[k];
        idx[k] = at[k];
        if (slack == 0) continue;
        idx[k] = xg_kaddi(&s->b, xg_elem_start(s, i, 1, k, slack), at[k]);
        xg_kval_set_range(idx[k], xg_range_of(0, from->dims[k] - 1));
    }
    return xg_elem_of(s, XG_OPERAND(i, 0), idx);
}

XG_FN xg_elem xg_elem_update_branch(xg_scope *s, const void *data, bool then) {
    const xg_elem_site *d = (const xg_elem_site *)data;
    xg_kval *idx[XG_RANK_MAX];
    const xg_shape *update = XG_OPERAND(d->i, 1)->shape;
    uint32_t k;
    if (!then) return xg_elem_of(s, XG_OPERAND(d->i, 0), d->at);
    for (k = 0; k < update->rank; k++) {
        idx[k] = d->at[k];
        if (!d->other[k]) continue;
        idx[k] = xg_ksubi(&s->b, d->at[k], d->other[k]);
        xg_kval_set_range(idx[k], xg_range_of(0, update->dims[k] - 1));
    }
    return xg_elem_of(s, XG_OPERAND(d->i, 1), idx);
}
HANDLER(dynamic_update_slice) {
    const xg_shape *to = i->shape, *update = XG_OPERAND(i, 1)->shape;
    xg_kval *start[XG_RANK_MAX], *inside = NULL;
    xg_elem_site d;
    uint32_t k;
    for (k = 0; k < to->rank; k++) {
        int64_t slack = to->dims[k] - update->dims[k];
        xg_kval *end;
        start[k] = NULL;
        if (slack == 0) continue;
        start[k] = xg_elem_start(s, i, 2, k, slack);
        end = xg_kaddi_int(&s->b, start[k], update->dims[k]);
        xg_kval_set_range(end, xg_range_of(update->dims[k], to->dims[k]));
        inside = xg_elem_and(s, inside, xg_kcmpi_(&s->b, XG_CI_SGE, at[k], start[k]));
        inside = xg_elem_and(s, inside, xg_kcmpi_(&s->b, XG_CI_SLT, at[k], end));
    }
    if (!inside) return xg_elem_of(s, XG_OPERAND(i, 1), at);
    memset(&d, 0, sizeof d);
    d.i = i;
    d.at = at;
    d.other = start;
    return xg_elem_if(s, inside, i->shape->type, xg_elem_update_branch, &d);
}
#undef HANDLER

/* ---- the way in ---- */

typedef xg_elem (*xg_elem_fn)(xg_scope *s, const xg_inst *i, xg_kval *const *at);
enum {
#define X(word) XG_ELEM_##word,
    XG_ELEM_WORDS(X)
#undef X
};
XG_TABLE const uint8_t xg_elem_words[] = {
#define X(name, text, lo, hi, flags, types, infer, index, eval, elem, fuse, attrs) XG_ELEM_##elem,
    XG_OPS(X)
#undef X
};
XG_FN xg_elem_fn xg_elem_handler(xg_opcode op) {
#ifdef XLAGPU_SMALL
#define xg_elem_random_bits xg_elem_none
#endif
    XG_TABLE const xg_elem_fn table[] = {
#define X(word) xg_elem_##word,
        XG_ELEM_WORDS(X)
#undef X
    };
#undef xg_elem_random_bits
    return table[xg_elem_words[op]];
}

/* ---- instructions of several outputs ---- */

XG_FN xg_elem xg_elem_give(xg_scope *s, const xg_elem *outs, uint32_t n) {
    xg_elem *copy = XG_NEW_N(s->e->arena, xg_elem, n + 1);
    memcpy(copy, outs, n * sizeof *outs);
    s->outs = copy;
    return copy[0];
}

XG_FN bool xg_region_encloses(const xg_kregion *outer, const xg_kregion *inner) {
    while (inner && inner != outer) inner = inner->owner ? inner->owner->parent : NULL;
    return inner == outer;
}

XG_FN const xg_elem *xg_elem_parameter(xg_scope *s, const xg_inst *i, xg_memo *memo, xg_kval *const *at) {
    xg_kval *idx[XG_RANK_MAX];
    size_t bytes = i->shape->rank * sizeof *at;
    memo->outs = &memo->elem;
    /* without indices: a given value, the same at all indices */
    if (memo->region && xg_region_encloses(memo->region, s->b.region) &&
        (!bytes || !memo->at || memcmp(memo->at, at, bytes) == 0))
        return memo->outs;
    if (!xg_shape_is_array(i->shape))
        xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, NULL, "a kernel cannot take a parameter that is not an array");
    xg_emit_physical(i->shape, at, idx);
    memo->elem = xg_emit_split(&s->b, xg_kextract(&s->b, s->tensors[i->number], idx, i->shape->rank));
    memo->region = s->b.region;
    if (bytes && !memo->at) memo->at = XG_NEW_N(s->e->arena, xg_kval *, i->shape->rank);
    if (bytes) memcpy(memo->at, at, bytes);
    return memo->outs;
}

XG_FN const xg_elem *xg_elem_call_part(xg_scope *s, uint32_t part, const xg_inst *i, xg_kval *const *at) {
    uint32_t n = s->e->comp->n_params, rank = xg_indexing_output_shape(i, 0)->rank, outs = xg_indexing_n_outputs(i), k;
    xg_kval **args = XG_NEW_N(s->e->arena, xg_kval *, n + rank + 1);
    xg_elem *r = XG_NEW_N(s->e->arena, xg_elem, outs + 1);
    xg_kop *call;
    for (k = 0; k < n; k++) args[k] = s->tensors[k];
    for (k = 0; k < rank; k++) args[n + k] = at[k];
    call = xg_kcall(&s->b, s->e->funcs[part], args, n + rank);
    for (k = 0; k < outs; k++) r[k] = xg_emit_split(&s->b, &call->results[k]);
    return r;
}

XG_FN const xg_elem *xg_elem_make(xg_scope *s, const xg_inst *i, xg_memo *memo, xg_kval *const *indices) {
    uint32_t loc = s->b.loc, rank = xg_indexing_output_shape(i, 0)->rank;
    xg_kregion *region = s->b.region;
    xg_kval *at[XG_RANK_MAX];
    if (++s->depth > XG_ELEM_DEPTH_MAX)
        xg_hlo_fail(i, XLAGPU_ERROR_LIMIT, NULL, "the fused computation is nested deeper than %d operations",
            (int)XG_ELEM_DEPTH_MAX);
    s->b.loc = i->id + 1;
    if (rank) memcpy(at, indices, rank * sizeof *at); /* the handler may outlive the caller's array */
    memo->elem = xg_elem_handler(i->op)(s, i, at);
    memo->outs = i->shape->type == XLAGPU_TUPLE ? s->outs : &memo->elem;
    memo->region = region;
    s->b.loc = loc;
    s->depth--;
    return memo->outs;
}

/* In an applied computation every value is scalar, except for arrays of one element from a reshape or broadcast: these
 * are computed at each use. */
XG_FN const xg_elem *xg_elem_outs_applied(xg_scope *s, const xg_inst *i, xg_kval *const *indices) {
    xg_memo *memo = &s->applied->memo[(size_t)xg_map64_get(&s->applied->places, i->id) - 1];
    if (i->op == XG_PARAMETER) return &s->applied->args[i->number];
    if (xg_indexing_output_shape(i, 0)->rank) memo = XG_NEW(s->e->arena, xg_memo);
    if (memo->region && xg_region_encloses(memo->region, s->b.region)) return memo->outs;
    return xg_elem_make(s, i, memo, indices);
}

XG_FN const xg_elem *xg_elem_outs(xg_scope *s, const xg_inst *i, xg_kval *const *indices) {
    uint32_t place, part;
    xg_memo *memo;
    if (s->applied) return xg_elem_outs_applied(s, i, indices);
    place = xg_partition_place(s->e->parts, i);
    part = s->e->parts->part_of[place];
    memo = &s->memo[place];
    if (i->op == XG_PARAMETER) return xg_elem_parameter(s, i, memo, indices);
    if (i->op == XG_CONSTANT && i->shape->rank == 0) {
        memo->elem = xg_elem_constant(s, i, indices);
        return &memo->elem;
    }
    if (memo->region && xg_region_encloses(memo->region, s->b.region)) return memo->outs;
    if (xg_partition_is_root(s->e->parts, place) && part != s->part) return xg_elem_call_part(s, part, i, indices);
    return xg_elem_make(s, i, memo, indices);
}
XG_FN xg_elem xg_elem_of(xg_scope *s, const xg_inst *i, xg_kval *const *indices) {
    return xg_elem_outs(s, i, indices)[0];
}

/* ---- functions ---- */

XG_FN const xg_shape *xg_emit_part_shape(const xg_fusion_emission *e, uint32_t part) {
    return part ? xg_indexing_output_shape(e->parts->parts[part].root, 0) : e->roots[0]->shape;
}

/* The results of a function: the outputs of its instruction, or, of function 0, the roots that share its indices. */
typedef struct xg_part_results {
    uint32_t n;
    const xg_shape **shapes;
} xg_part_results;
XG_FN xg_part_results xg_emit_part_results(const xg_fusion_emission *e, uint32_t part) {
    const xg_inst *root = e->parts->parts[part].root;
    uint32_t n = part ? xg_indexing_n_outputs(root) : e->n_roots, k;
    xg_part_results r;
    r.n = 0;
    r.shapes = XG_NEW_N(e->arena, const xg_shape *, n + 1);
    for (k = 0; k < n; k++)
        if (part || xg_partition_is_near(e->parts, k))
            r.shapes[r.n++] = part ? xg_indexing_output_shape(root, k) : e->roots[k]->shape;
    return r;
}

XG_FN xg_kfunc *xg_emit_declare(xg_fusion_emission *e, uint32_t part) {
    const xg_shape *shape = xg_emit_part_shape(e, part);
    xg_part_results r = xg_emit_part_results(e, part);
    uint32_t n = e->comp->n_params, k;
    const xg_ktype **params = XG_NEW_N(e->arena, const xg_ktype *, n + shape->rank + 1),
                   **results = XG_NEW_N(e->arena, const xg_ktype *, r.n + 1);
    for (k = 0; k < n; k++) params[k] = xg_emit_tensor_type(e->m, e->comp->params[k]->shape);
    for (k = 0; k < shape->rank; k++) params[n + k] = xg_kir_scalar(e->m, XG_E_INDEX);
    for (k = 0; k < r.n; k++) results[k] = xg_kir_scalar(e->m, xg_kelem_of(r.shapes[k]->type));
    return xg_kir_func(
        e->m, part ? e->parts->parts[part].root->name : e->comp->name, params, n + shape->rank, results, r.n);
}

XG_FN xg_scope xg_emit_scope(xg_fusion_emission *e, xg_kfunc *f, uint32_t part) {
    uint32_t n = e->comp->n_params, k;
    xg_scope s;
    memset(&s, 0, sizeof s);
    s.e = e;
    s.b = xg_kb_end(e->m, f->body);
    s.part = part;
    s.tensors = XG_NEW_N(e->arena, xg_kval *, n + 1);
    s.memo = e->memo;
    for (k = 0; k < n; k++) s.tensors[k] = &f->body->args[k];
    return s;
}

XG_FN XG_NOINLINE void xg_emit_forget(xg_scope *s) {
    s->memo = XG_NEW_N(s->e->arena, xg_memo, s->e->parts->n_insts + 1);
}

XG_FN XG_NOINLINE xg_kval **xg_emit_enter(xg_fusion_emission *e, xg_scope *s) {
    xg_kval **dest = XG_NEW_N(e->arena, xg_kval *, e->n_roots + 1);
    uint32_t k;
    xg_emit_functions(e, false);
    *s = xg_emit_scope(e, e->m->entry, UINT32_MAX);
    s->b.loc = e->fusion->id + 1;
    for (k = 0; k < e->n_roots; k++) dest[k] = &e->m->entry->body->args[e->comp->n_params + k];
    return dest;
}

XG_FN void xg_emit_define(xg_fusion_emission *e, uint32_t part) {
    xg_kfunc *f = e->funcs[part];
    const xg_shape *shape = xg_emit_part_shape(e, part);
    xg_inst *root = e->parts->parts[part].root;
    uint32_t n = e->comp->n_params, count = 0, k;
    xg_kval *at[XG_RANK_MAX], **results = XG_NEW_N(e->arena, xg_kval *, f->n_results + 1);
    xg_scope s = xg_emit_scope(e, f, part);
    for (k = 0; k < shape->rank; k++) {
        at[k] = &f->body->args[n + k];
        xg_emit_name(e->m, at[k], k < 6 ? (const char *)"i\0j\0k\0l\0m\0n" + 2 * k : "d%u", k);
        xg_kval_set_range(at[k], xg_range_of(0, shape->dims[k] - 1));
    }
    if (part) {
        const xg_elem *outs = xg_elem_outs(&s, root, at);
        for (k = 0; k < f->n_results; k++) results[count++] = xg_emit_join(&s.b, outs[k]);
    } else
        for (k = 0; k < e->n_roots; k++) {
            xg_kval *here[XG_RANK_MAX];
            if (!xg_partition_is_near(e->parts, k)) continue;
            xg_elem_apply(&s, xg_partition_root_map(e->m->aff, e->parts, k), at, here);
            results[count++] = xg_emit_join(&s.b, xg_elem_of(&s, e->roots[k], here));
        }
    xg_kreturn(&s.b, results, count);
}

XG_FN void xg_emit_functions(xg_fusion_emission *e, bool with_roots) {
    uint32_t k;
    e->funcs = XG_NEW_N(e->arena, xg_kfunc *, e->parts->n_parts);
    /* one table for all functions: each instruction belongs to one of them */
    e->memo = XG_NEW_N(e->arena, xg_memo, e->parts->n_insts);
    /* the sort emitter handles sorts and slices of them */
    for (k = with_roots ? 0 : 1; k < e->parts->n_parts; k++)
        if (with_roots || !xg_sort_of_root(e->parts->parts[k].root)) e->funcs[k] = xg_emit_declare(e, k);
    for (k = with_roots ? 0 : 1; k < e->parts->n_parts; k++)
        if (e->funcs[k]) xg_emit_define(e, k);
}

XG_FN const xg_inst *xg_sort_of_root(const xg_inst *root) {
    if (root->op == XG_SLICE) root = XG_OPERAND(root, 0); /* fuse/sort_slices.c */
    if (root->op == XG_GET_TUPLE_ELEMENT) root = XG_OPERAND(root, 0);
    return root->op == XG_SORT || root->op == XG_TOPK ? root : NULL;
}

#endif /* XG_ELEM_ELEMENTAL_C */
