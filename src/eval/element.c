/* eval/element.c -- elementwise instructions over whole arrays.
 *
 * xg_ew_prepare decides once: the kernel, and for narrow floats the conversion to f32 before it and the rounding after
 * it. xg_ew_block runs that over one block. Over an array there are three ways:
 *   - all operands splat: one element, a splat result
 *   - one operand of 8 or 16 bits and many elements: a table of the results of all operands, then look-ups
 *   - else block by block, splat operands spread out once, in place when the operand dies here and has the size */
#ifndef XG_EVAL_ELEMENT_C
#define XG_EVAL_ELEMENT_C
#include "eval.h"

XG_FN int xg_ew_direction(const xg_inst *i) {
    XG_TABLE const char names[][3] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
    xg_str word = xg_attr_str(i, XG_A_direction);
    int k;
    for (k = 0; k < 6; k++)
        if (xg_str_is(word, names[k])) return k;
    xg_hlo_invalid(i, "write direction=EQ, NE, GE, GT, LE or LT", "there is no direction '%.*s'", (int)word.n, word.p);
}

/* The 256 values of a float of at most 8 bits. */
XG_FN const float *xg_eval_table(xg_eval_run *r, xlagpu_type t) {
    int k, n;
    if (xg_type_class(t) != XGT_F || xg_type_bits(t) > 8) return NULL;
    if (!r->tables[t]) {
        r->tables[t] = XG_NEW_N(&r->mem, float, 256);
        n = 1 << xg_type_bits(t);
        for (k = 0; k < 256; k++) r->tables[t][k] = (float)xg_float_decode(t, (uint64_t)(k & (n - 1)));
    }
    return r->tables[t];
}

XG_FN bool xg_ew_narrow(xlagpu_type t) { return xg_type_class(t) == XGT_F && xg_type_bits(t) < 32; }

/* The kernel that works on stored elements as they are, or NULL: then the carrier's. */
XG_FN xg_ew_kernel xg_ew_raw_kernel(const xg_inst *i, xlagpu_type type) {
    switch (i->op) {
    case XG_CONVERT: return xg_eval_kernel_convert;
    case XG_REDUCE_PRECISION: return xg_eval_kernel_reduce_precision;
    case XG_STOCHASTIC_CONVERT: return xg_eval_kernel_stochastic;
    case XG_SELECT: return xg_eval_kernel_select;
    case XG_COMPLEX: return xg_eval_kernel_complex;
    case XG_COMPARE:
        return xg_type_class(type) == XGT_F && xg_attr_is(i, XG_A_type, "TOTALORDER") ? xg_eval_kernel_total_order
                                                                                      : NULL;
    default: return NULL;
    }
}

XG_FN void xg_ew_prepare(xg_eval_run *r, const xg_inst *i, xg_ew *e) {
    const void *none[3] = {NULL, NULL, NULL};
    uint32_t k;
    memset(e, 0, sizeof *e);
    e->op = i->op;
    e->n_in = i->n_operands;
    for (k = 0; k < i->n_operands; k++) e->in_type[k] = XG_OPERAND(i, k)->shape->type;
    e->out_type = i->shape->type;
    e->bits = xg_type_bits(e->in_type[0]);
    e->is_signed = xg_type_signed(e->in_type[0]);
    if (i->op == XG_COPY || (i->op == XG_CONVERT && e->in_type[0] == e->out_type))
        e->op = XG_CONVERT, e->kernel = xg_eval_kernel_convert;
    else
        e->kernel = xg_ew_raw_kernel(i, e->in_type[0]);
    if (i->op == XG_COMPARE) e->direction = xg_ew_direction(i);
    if (i->op == XG_REDUCE_PRECISION) {
        e->exponent_bits = (int)XG_MIN(xg_attr_or_0(i, XG_A_exponent_bits), 64);
        e->mantissa_bits = (int)XG_MIN(xg_attr_or_0(i, XG_A_mantissa_bits), 64);
    }
    if (!e->kernel) {
        e->kernel = xg_eval_kernel_of(i->op, e->in_type[0]);
        for (k = 0; k < e->n_in; k++) e->decode[k] = xg_ew_narrow(e->in_type[k]);
        e->encode = xg_ew_narrow(e->out_type);
        e->table = xg_eval_table(r, e->in_type[0]);
    }
    if (!e->kernel || !e->kernel(e, NULL, none, 0))
        xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, "convert the operands to a type that has the operation",
            "it has no meaning for elements of type %s", xg_type_name(e->in_type[0]));
}

/* s1, s2, s4, u1, u2, u4 lie in bytes: back to their width after arithmetic. */
XG_FN void xg_ew_wrap(xlagpu_type t, int8_t *v, size_t n) {
    size_t i;
    int shift = 8 - xg_type_bits(t);
    if (xg_type_signed(t))
        for (i = 0; i < n; i++) v[i] = (int8_t)((int8_t)((uint8_t)v[i] << shift) >> shift);
    else
        for (i = 0; i < n; i++) v[i] = (int8_t)((uint8_t)v[i] & (0xffu >> shift));
}

XG_FN void xg_ew_block(const xg_ew *e, void *out, const void *const *in, size_t n) {
    float wide[3][XG_EVAL_BLOCK], result[XG_EVAL_BLOCK];
    const void *p[3] = {NULL, NULL, NULL};
    uint32_t k;
    for (k = 0; k < e->n_in; k++) {
        p[k] = in[k];
        if (!e->decode[k]) continue;
        if (k && in[k] == in[0] && e->decode[0]) {
            p[k] = wide[0];
            continue;
        }
        xg_eval_narrow_decode(e->in_type[k], e->table, wide[k], in[k], n);
        p[k] = wide[k];
    }
    (void)e->kernel(e, e->encode ? (void *)result : out, p, n);
    if (e->encode)
        xg_eval_narrow_encode(e->out_type, out, result, n);
    else if (xg_type_class(e->out_type) == XGT_I && xg_type_bits(e->out_type) < 8)
        xg_ew_wrap(e->out_type, (int8_t *)out, n);
}

/* ---- over arrays ---- */

/* The results for all 2^bits operands, when that pays. */
XG_FN unsigned char *xg_ew_map_all(xg_eval_run *r, const xg_ew *e, int64_t n) {
    size_t bytes = (size_t)xg_type_bytes(e->in_type[0]), out_bytes = (size_t)xg_type_bytes(e->out_type),
           count = bytes == 1 ? 256 : 65536, at, k;
    unsigned char *in, *map;
    if (e->n_in != 1 || bytes > 2 || n < (int64_t)count * 2) return NULL;
    map = (unsigned char *)xg_alloc_raw(&r->stack, count * out_bytes);
    in = (unsigned char *)xg_alloc_raw(&r->stack, XG_EVAL_BLOCK * bytes);
    for (at = 0; at < count; at += XG_MIN(count, (size_t)XG_EVAL_BLOCK)) {
        const void *p[1];
        size_t m = XG_MIN(count, (size_t)XG_EVAL_BLOCK);
        for (k = 0; k < m; k++) {
            uint16_t v = (uint16_t)(at + k);
            memcpy(in + k * bytes, &v, bytes);
        }
        p[0] = in;
        xg_ew_block(e, map + at * out_bytes, p, m);
    }
    return map;
}

#define XG_EW_LOOK_UP(IN, OUT_BYTES) \
    for (k = 0; k < n; k++) memcpy(out + k * (OUT_BYTES), map + (size_t)((const IN *)in)[k] * (OUT_BYTES), OUT_BYTES)
XG_APART XG_FN void xg_ew_look_up(
    const xg_ew *e, const unsigned char *map, unsigned char *out, const void *in, size_t n) {
    size_t k, bytes = (size_t)xg_type_bytes(e->out_type);
    if (xg_type_bytes(e->in_type[0]) == 1) {
        if (bytes == 1)
            XG_EW_LOOK_UP(uint8_t, 1);
        else if (bytes == 2)
            XG_EW_LOOK_UP(uint8_t, 2);
        else if (bytes == 4)
            XG_EW_LOOK_UP(uint8_t, 4);
        else
            XG_EW_LOOK_UP(uint8_t, bytes);
    } else {
        if (bytes == 1)
            XG_EW_LOOK_UP(uint16_t, 1);
        else if (bytes == 2)
            XG_EW_LOOK_UP(uint16_t, 2);
        else if (bytes == 4)
            XG_EW_LOOK_UP(uint16_t, 4);
        else
            XG_EW_LOOK_UP(uint16_t, bytes);
    }
}
#undef XG_EW_LOOK_UP

/* Block by block; operands that are splat (or scalars beside an array) are spread over one block first. */
XG_FN void xg_ew_run(
    xg_eval_run *r, const xg_ew *e, unsigned char *out, xg_value *const *in, const bool *single, size_t n) {
    const unsigned char *p[3] = {NULL, NULL, NULL};
    size_t step[3] = {0, 0, 0}, out_bytes = (size_t)xg_type_bytes(e->out_type), at;
    uint32_t k;
    for (k = 0; k < e->n_in; k++) {
        size_t bytes = (size_t)xg_type_bytes(e->in_type[k]);
        p[k] = in[k]->data;
        if (!single[k]) {
            step[k] = bytes;
            continue;
        }
        p[k] = (unsigned char *)xg_alloc_raw(&r->stack, XG_EVAL_BLOCK * bytes);
        xg_eval_fill((unsigned char *)p[k], in[k]->data, bytes, XG_MIN(n, (size_t)XG_EVAL_BLOCK));
    }
    for (at = 0; at < n; at += XG_EVAL_BLOCK) {
        const void *q[3];
        for (k = 0; k < 3; k++) q[k] = p[k] ? p[k] + at * step[k] : NULL; /* nothing is added to NULL, not even 0 */
        xg_ew_block(e, out + at * out_bytes, q, XG_MIN(n - at, (size_t)XG_EVAL_BLOCK));
    }
}

XG_FN xg_value *xg_eval_elementwise(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    xg_ew e;
    bool single[3] = {false, false, false}, all = true;
    int64_t n = i->shape->elements;
    xg_mark mark = xg_arena_mark(&r->stack);
    unsigned char *map;
    xg_value *out = NULL;
    uint32_t k;
    if (i->op == XG_COPY) return xg_eval_share(r, i->shape, in[0]);
    xg_ew_prepare(r, i, &e);
    for (k = 0; k < e.n_in; k++) {
        single[k] = in[k]->splat || (in[k]->shape->elements == 1 && n != 1);
        all = all && single[k];
    }
    if (all && n > 0) {
        out = xg_eval_new_splat(r, i->shape);
        xg_ew_run(r, &e, out->data, in, single, 1);
        xg_arena_reset(&r->stack, mark);
        return out;
    }
    xg_eval_spend(r, n);
    for (k = 0; k < e.n_in && !out; k++)
        if (!single[k] && in[k]->shape->elements == n && xg_type_bytes(e.in_type[k]) == xg_type_bytes(e.out_type) &&
            xg_eval_owned(in[k]))
            out = xg_eval_share(r, i->shape, in[k]);
    if (!out) out = xg_eval_new(r, i->shape);
    map = xg_ew_map_all(r, &e, n);
    if (map)
        xg_ew_look_up(&e, map, out->data, in[0]->data, (size_t)n);
    else
        xg_ew_run(r, &e, out->data, in, single, (size_t)n);
    xg_arena_reset(&r->stack, mark);
    return out;
}

#endif /* XG_EVAL_ELEMENT_C */
