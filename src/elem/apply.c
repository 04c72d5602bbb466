/* elem/apply.c -- computations of scalars made in place; loops and conditions that carry elements; what only names
 * other elements.
 *
 * A reducer, comparator or mapped computation is not a function of the kernel: its instructions are made where it is
 * applied, on elements instead of parameters, by the same handlers as those of the fused computation. Loops are scf.for
 * nests; what they carry are elements, complex ones as pairs. */
#ifndef XG_ELEM_APPLY_C
#define XG_ELEM_APPLY_C
#include "elem.h"

XG_FN void xg_elem_call_inst(
    xg_scope *s, const xg_comp *comp, const xg_inst *root, const xg_elem *args, xg_elem *results, uint32_t n) {
    xg_applied here, *outer = s->applied;
    xg_elem *copy = XG_NEW_N(s->e->arena, xg_elem, comp->n_params + 1);
    uint32_t place = 0, k;
    memcpy(copy, args, comp->n_params * sizeof *args);
    here.comp = comp;
    here.args = copy;
    here.memo = XG_NEW_N(s->e->arena, xg_memo, comp->n_insts + 1);
    xg_map64_init(&here.places, s->e->arena);
    XG_FOR_INSTS(i, comp) xg_map64_put(&here.places, i->id, (void *)(size_t)++place);
    s->applied = &here;
    if (root->op == XG_TUPLE)
        for (k = 0; k < n; k++) results[k] = xg_elem_of(s, XG_OPERAND(root, k), NULL);
    else {
        const xg_elem *outs = xg_elem_outs(s, root, NULL);
        for (k = 0; k < n; k++) results[k] = outs[k];
    }
    s->applied = outer;
}

XG_FN void xg_elem_call_comp(xg_scope *s, const xg_comp *comp, const xg_elem *args, xg_elem *results, uint32_t n) {
    xg_elem_call_inst(s, comp, comp->root, args, results, n);
}

/* ---- carried elements as values ---- */

XG_FN uint32_t xg_carry_values(const xg_elem *carried, uint32_t n, xg_kval **out) {
    uint32_t k, m = 0;
    for (k = 0; k < n; k++) {
        out[m++] = carried[k].v;
        if (carried[k].im) out[m++] = carried[k].im;
    }
    return m;
}
/* The elements again, from as many values in a row. */
XG_FN void xg_carry_elems(xg_kval *values, xg_elem *carried, uint32_t n) {
    uint32_t k;
    for (k = 0; k < n; k++) {
        carried[k].v = values++;
        if (carried[k].im) carried[k].im = values++;
    }
}

/* ---- loops ---- */

typedef struct xg_nest {
    const int64_t *counts;
    uint32_t n, n_carried;
    xg_carry_fn body;
    void *data;
    xg_elem *carried;
    xg_kval *at[XG_RANK_MAX];
} xg_nest;

XG_FN void xg_elem_nest_level(xg_scope *s, xg_nest *n, uint32_t level) {
    xg_flow f = xg_flow_begin(s);
    if (level == n->n) {
        n->body(s, n->data, n->at, n->carried);
        return;
    }
    if (n->counts[level] == 1) {
        n->at[level] = xg_elem_index_0(s);
        xg_elem_nest_level(s, n, level + 1);
        return;
    }
    xg_flow_elems(&f, n->carried, n->n_carried);
    n->at[level] = xg_flow_count(&f, n->counts[level]);
    xg_elem_nest_level(s, n, level + 1);
    xg_flow_end(&f);
}

XG_FN void xg_elem_nest(xg_scope *s, const int64_t *counts, uint32_t n, xg_carry_fn body, void *data, xg_elem *carried,
    uint32_t n_carried) {
    xg_nest nest;
    uint32_t k;
    for (k = 0; k < n; k++)
        if (counts[k] == 0) return;
    memset(&nest, 0, sizeof nest);
    nest.counts = counts;
    nest.n = n;
    nest.body = body;
    nest.data = data;
    nest.carried = carried;
    nest.n_carried = n_carried;
    xg_elem_nest_level(s, &nest, 0);
}

XG_FN void xg_elem_when(xg_scope *s, xg_kval *cond, xg_carry_fn body, void *data, xg_kval *const *at, xg_elem *carried,
    uint32_t n_carried) {
    xg_flow f = xg_flow_begin(s);
    xg_flow_elems(&f, carried, n_carried);
    xg_flow_if(&f, cond);
    body(s, data, at, carried);
    xg_flow_end(&f);
}

XG_FN xg_elem xg_elem_convert_to(xg_scope *s, xg_elem x, xlagpu_type from, xlagpu_type to) {
    x.v = xg_scalar_convert(&s->b, x.v, xg_type_real(from), xg_type_real(to));
    if (xg_type_class(to) != XGT_C)
        x.im = NULL;
    else
        x.im = x.im ? xg_scalar_convert(&s->b, x.im, xg_type_real(from), xg_type_real(to))
                    : xg_kconst_float(&s->b, xg_kelem_of(xg_type_real(to)), 0);
    return x;
}

/* ---- handlers ---- */

#define HANDLER(word) XG_FN xg_elem xg_elem_##word(xg_scope *s, const xg_inst *i, xg_kval *const *at)

HANDLER(tuple) {
    xg_elem *outs = XG_NEW_N(s->e->arena, xg_elem, i->n_operands + 1);
    uint32_t k;
    if (!i->n_operands) xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, NULL, "an empty tuple inside a kernel");
    for (k = 0; k < i->n_operands; k++) {
        if (!xg_shape_is_array(XG_OPERAND(i, k)->shape))
            xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, NULL, "a tuple inside a kernel may hold arrays only");
        outs[k] = xg_elem_of(s, XG_OPERAND(i, k), at);
    }
    return xg_elem_give(s, outs, i->n_operands);
}
HANDLER(get_tuple_element) {
    const xg_inst *o = XG_OPERAND(i, 0);
    int64_t index = xg_attr_index(i);
    if (o->op == XG_RNG_BIT_GENERATOR) return xg_random_output(s, o, (uint32_t)index, at);
    return xg_elem_outs(s, o, at)[index];
}

/* Of scalars only: calls on arrays are inlined before fusion. */
HANDLER(call) {
    xg_elem *args = XG_NEW_N(s->e->arena, xg_elem, i->n_operands + 1), *outs;
    uint32_t n = xg_indexing_n_outputs(i), k;
    for (k = 0; k < i->n_operands; k++) {
        if (!xg_shape_is_scalar(XG_OPERAND(i, k)->shape)) xg_elem_none(s, i, at);
        args[k] = xg_elem_of(s, XG_OPERAND(i, k), at);
    }
    outs = XG_NEW_N(s->e->arena, xg_elem, n + 1);
    xg_elem_call_comp(s, xg_attr_to_apply(i), args, outs, n);
    return i->shape->type == XLAGPU_TUPLE ? xg_elem_give(s, outs, n) : outs[0];
}

HANDLER(map) {
    xg_elem *args = XG_NEW_N(s->e->arena, xg_elem, i->n_operands + 1), r;
    uint32_t k;
    for (k = 0; k < i->n_operands; k++) args[k] = xg_elem_operand(s, i, k, at);
    xg_elem_call_comp(s, xg_attr_to_apply(i), args, &r, 1);
    return r;
}

HANDLER(dimension_size) {
    const xg_shape *o = XG_OPERAND(i, 0)->shape;
    int64_t d = xg_attr_dims(i).p[0];
    (void)at;
    if (o->dynamic && o->dynamic[d] != XG_DIM_STATIC)
        xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, "give the dimension a fixed size",
            "the size of a dynamic dimension is not known to kernels");
    return xg_elem_real(xg_kconst_int(&s->b, xg_kelem_of(i->shape->type), o->dims[d]));
}
#undef HANDLER

#endif /* XG_ELEM_APPLY_C */
