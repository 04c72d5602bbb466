/* expand/dynamic_values.c -- what a value with bounded dimensions, f32[<=10,4], is on a device: an array of its bounds,
 * f32[10,4], and an s32 for each such dimension.
 *
 * While DynamicPadder works, an array knows its sizes (xg_dyn_size: NULL where a dimension has its full bound); what
 * stands behind a size is padding, of which nothing is known. Where a value crosses a computation's border, or lies in
 * a tuple, array and sizes are a tuple:
 *     f32[<=10,4]   (f32[10,4], s32[])
 * The same for parameters and results of the entry: the leaves of a dynamic array are its bounds' array, then its
 * sizes. */
#ifndef XG_EXPAND_DYNAMIC_VALUES_C
#define XG_EXPAND_DYNAMIC_VALUES_C
#include "../eval/eval.h"
#include "expand.h"

/* i is the instruction at hand; b stands in front of it; out[d] are the sizes of its result. was: what parameters were
 * declared to be, by id. */
typedef struct xg_dyn {
    xg_inst *i;
    xg_module *m;
    const xg_shape **was;
    uint32_t n_was;
    xg_hb b;
    xg_inst *out[XG_RANK_MAX];
} xg_dyn;

/* ---- shapes ---- */

XG_FN bool xg_dyn_is_open(const xg_shape *s, uint32_t d) { return s->dynamic && s->dynamic[d] != XG_DIM_STATIC; }
XG_FN bool xg_dyn_is_array(const xg_shape *s) { return xg_shape_is_array(s) && s->dynamic; }
XG_FN const xg_shape *xg_dyn_bounds(xg_module *m, const xg_shape *s) {
    return s->dynamic ? xg_shape_array(m, s->type, s->dims, s->rank, NULL, s->layout) : s;
}
/* Tuples are as deep as shapes may be. */
XG_FN const xg_shape *xg_dyn_packed_shape(xg_module *m, const xg_shape *s) {
    const xg_shape **elems;
    uint32_t n = 0, d;
    if (s->type != XLAGPU_TUPLE && !xg_dyn_is_array(s)) return s;
    if (s->type == XLAGPU_TUPLE && !xg_shape_has_dynamic(s)) return s;
    elems = XG_NEW_N(m->arena, const xg_shape *, (s->type == XLAGPU_TUPLE ? s->n_elems : s->rank) + (size_t)1);
    if (s->type == XLAGPU_TUPLE)
        while (n < s->n_elems) {
            elems[n] = xg_dyn_packed_shape(m, s->elems[n]);
            n++;
        }
    else {
        elems[n++] = xg_dyn_bounds(m, s);
        for (d = 0; d < s->rank; d++)
            if (xg_dyn_is_open(s, d)) elems[n++] = xg_shape_scalar(m, XLAGPU_S32);
    }
    return xg_shape_tuple(m, elems, n);
}
XG_FN void xg_dyn_want(const xg_dyn *p, const xg_shape *have, const xg_shape *want, const char *what) {
    if (!xg_shape_compatible(have, want))
        xg_hlo_fail(p->i, XLAGPU_ERROR_UNSUPPORTED, "write <= where the value has it",
            "%s has other dynamic dimensions than it is declared to have", what);
}
XG_NORETURN XG_FN void xg_dyn_refuse(const xg_dyn *p, const char *what) {
    xg_hlo_fail(p->i, XLAGPU_ERROR_UNSUPPORTED, "run it with --platform=interpreter",
        "with %s it is not supported on a device", what);
}

/* ---- sizes ---- */

XG_FN xg_inst *xg_dyn_size(const xg_inst *x, uint32_t d) { return x->scratch ? ((xg_inst **)x->scratch)[d] : NULL; }
XG_FN void xg_dyn_set_size(const xg_dyn *p, xg_inst *x, uint32_t d, xg_inst *size) {
    if (!size && !x->scratch) return;
    if (!x->scratch) x->scratch = XG_NEW_N(p->m->arena, xg_inst *, x->shape->rank + (size_t)1);
    ((xg_inst **)x->scratch)[d] = size;
}
XG_FN xg_inst *xg_dyn_int(const xg_dyn *p, int64_t v) {
    if (v > INT32_MAX || v < INT32_MIN) xg_dyn_refuse(p, "dimensions beyond s32");
    return xg_hb_int(&p->b, XLAGPU_S32, v);
}
XG_FN xg_inst *xg_dyn_size_or_bound(const xg_dyn *p, const xg_inst *x, uint32_t d) {
    xg_inst *s = xg_dyn_size(x, d);
    return s ? s : xg_dyn_int(p, x->shape->dims[d]);
}
XG_FN xg_inst *xg_dyn_clamp(const xg_dyn *p, xg_inst *low, xg_inst *x, xg_inst *high) {
    xg_inst *in[3];
    in[0] = low;
    in[1] = x;
    in[2] = high;
    return xg_hb_done(xg_hb_op(&p->b, XG_CLAMP, x->shape, in, 3));
}
/* A size that the program gives, of any integer type: kept within the bound, so that nothing reads or writes beyond an
 * array. */
XG_FN xg_inst *xg_dyn_given_size(const xg_dyn *p, xg_inst *n, int64_t bound) {
    xg_inst *low, *high;
    if (n->shape->type == XLAGPU_S32) {
        low = xg_dyn_int(p, 0);
        high = xg_dyn_int(p, bound);
        return xg_dyn_clamp(p, low, n, high);
    }
    n = xg_hb_convert(&p->b, n, XLAGPU_S64);
    low = xg_hb_zero(&p->b, XLAGPU_S64);
    high = xg_hb_int(&p->b, XLAGPU_S64, bound);
    return xg_hb_convert(&p->b, xg_dyn_clamp(p, low, n, high), XLAGPU_S32);
}
XG_FN xg_inst *xg_dyn_plus(const xg_dyn *p, xg_inst *x, int64_t v) {
    return v ? xg_hb_add(&p->b, x, xg_dyn_int(p, v)) : x;
}
XG_FN xg_inst *xg_dyn_times(const xg_dyn *p, xg_inst *x, int64_t v) {
    return v != 1 ? xg_hb_mul(&p->b, x, xg_dyn_int(p, v)) : x;
}
XG_FN xg_inst *xg_dyn_over(const xg_dyn *p, xg_inst *x, int64_t v) {
    return v > 1 ? xg_hb_div(&p->b, x, xg_dyn_int(p, v)) : x;
}
XG_FN xg_inst *xg_dyn_not_negative(const xg_dyn *p, xg_inst *x) {
    return xg_hb_2(&p->b, XG_MAXIMUM, x, xg_dyn_int(p, 0));
}

/* ---- what is padding ---- */

/* pred over x's dimensions: is the index along d below n? */
XG_FN xg_inst *xg_dyn_within(const xg_dyn *p, const xg_inst *x, uint32_t d, xg_inst *n) {
    xg_inst *at = xg_hb_iota(&p->b, XLAGPU_S32, x->shape->dims, x->shape->rank, d);
    return xg_hb_compare(&p->b, "LT", at, xg_hb_splat(&p->b, n, x->shape->dims, x->shape->rank));
}
/* Is the element there, as far as the dimensions in `dims` (by d; NULL: all) go? NULL: all are. */
XG_FN xg_inst *xg_dyn_present(const xg_dyn *p, const xg_inst *x, const bool *dims) {
    xg_inst *all = NULL;
    uint32_t d;
    for (d = 0; d < x->shape->rank; d++) {
        xg_inst *in;
        if (!xg_dyn_size(x, d) || (dims && !dims[d])) continue;
        in = xg_dyn_within(p, x, d, xg_dyn_size(x, d));
        all = all ? xg_hb_2(&p->b, XG_AND, all, in) : in;
    }
    return all;
}
/* x where `present`, else the scalar `fill`; the sizes stay what they are. */
XG_FN xg_inst *xg_dyn_fill(const xg_dyn *p, xg_inst *x, xg_inst *present, xg_inst *fill) {
    xg_inst *made = xg_hb_select(&p->b, present, x, xg_hb_splat(&p->b, fill, x->shape->dims, x->shape->rank));
    made->shape = x->shape;
    made->scratch = x->scratch;
    return made;
}
XG_FN xg_inst *xg_dyn_filled(const xg_dyn *p, xg_inst *x, const bool *dims, xg_inst *fill) {
    xg_inst *present = xg_dyn_present(p, x, dims);
    return present ? xg_dyn_fill(p, x, present, fill) : x;
}
XG_FN xg_inst *xg_dyn_zero(const xg_dyn *p, xlagpu_type t) {
    return xg_hb_literal(&p->b, xg_literal_new(p->m->arena, xg_shape_scalar(p->m, t)));
}
XG_FN xg_inst *xg_dyn_zeroed(const xg_dyn *p, xg_inst *x, const bool *dims) {
    xg_inst *present = xg_dyn_present(p, x, dims);
    return present ? xg_dyn_fill(p, x, present, xg_dyn_zero(p, x->shape->type)) : x;
}
XG_FN xg_inst *xg_dyn_zeroed_dim(const xg_dyn *p, xg_inst *x, uint32_t d) {
    bool dims[XG_RANK_MAX];
    memset(dims, 0, sizeof dims);
    dims[d] = true;
    return xg_dyn_zeroed(p, x, dims);
}

/* ---- packing ---- */

/* The value as it crosses a border where it is declared to be of shape `want`: with zeros behind what is there where
 * that says a fixed size. */
XG_FN xg_inst *xg_dyn_pack(const xg_dyn *p, xg_inst *x, const xg_shape *want, const char *what) {
    bool fixed[XG_RANK_MAX];
    xg_inst **in;
    uint32_t n = 0, d;
    if (!xg_shape_is_array(want) || !xg_shape_is_array(x->shape)) {
        xg_dyn_want(p, x->shape, xg_dyn_packed_shape(p->m, want), what);
        return x;
    }
    for (d = 0; d < want->rank; d++) fixed[d] = !xg_dyn_is_open(want, d);
    x = xg_dyn_zeroed(p, x, fixed);
    if (!want->dynamic) return x;
    in = XG_NEW_N(p->m->arena, xg_inst *, want->rank + (size_t)1);
    in[n++] = x;
    for (d = 0; d < want->rank; d++)
        if (xg_dyn_is_open(want, d)) in[n++] = xg_dyn_size_or_bound(p, x, d);
    return xg_hb_tuple(&p->b, in, n);
}
/* An instruction that was of shape `was` and is packed now: its readers take it out. */
XG_FN void xg_dyn_unpack(xg_dyn *p, xg_inst *i, const xg_shape *was) {
    xg_hb b = p->b;
    uint32_t d, n = 0;
    xg_inst *x;
    if (!xg_dyn_is_array(was)) return;
    b.before = i->next;
    x = xg_hb_element(&b, i, n++);
    xg_inst_replace(i, x);
    for (d = 0; d < was->rank; d++)
        if (xg_dyn_is_open(was, d)) xg_dyn_set_size(p, x, d, xg_hb_element(&b, i, n++));
}

#endif /* XG_EXPAND_DYNAMIC_VALUES_C */
